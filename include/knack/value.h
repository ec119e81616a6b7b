// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Values and what changes them: operations, evaluation profiles, curves, magnitudes, modifiers.
///
/// One staged evaluator serves attributes, transient values, costs and durations. Its stages, in
/// this order, for each channel from low to high (the result of a channel is the base of the next):
///
///   base + sum of Add -> clamp A -> x biased sum of Multiply -> / biased sum of Divide
///   -> x product of the compound factors -> clamp B -> + sum of Add Final -> Override
///
/// and once at the end: declared minimum and maximum -> rounding. A profile switches stages on and
/// off. Within a stage, modifiers combine in order of creation.
#ifndef KNACK_VALUE_H
#define KNACK_VALUE_H

#include "knack/tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a modifier changes a value. The biased sum of factors m is 1 + sum(m - 1).
typedef enum kn_op {
    KN_OP_ADD, ///< adds the magnitude to the base
    /// Multiplies, as the value's profile says: KN_OP_MULTIPLY_ADDITIVE or KN_OP_MULTIPLY_COMPOUND.
    KN_OP_MULTIPLY,
    /// Divides, as the value's profile says: KN_OP_DIVIDE_ADDITIVE or KN_OP_DIVIDE_COMPOUND.
    KN_OP_DIVIDE,
    KN_OP_MULTIPLY_ADDITIVE, ///< factors add up: x1.5 and x1.5 make x2
    KN_OP_DIVIDE_ADDITIVE,   ///< divisors add up: /1.5 and /1.5 make /2
    KN_OP_MULTIPLY_COMPOUND, ///< factors multiply: x1.5 and x1.5 make x2.25
    KN_OP_DIVIDE_COMPOUND,   ///< divisors multiply: /1.5 and /1.5 make /2.25
    KN_OP_ADD_FINAL,         ///< adds the magnitude after all factors
    KN_OP_OVERRIDE, ///< replaces the value; the highest priority wins, then the last applied
    KN_OP_COUNT,    ///< number of the values above; not a value itself
} kn_op;

/// A divisor closer to zero than this is refused at application and skipped in a sum.
#define KN_DIVISOR_MIN 1e-6f

/// Which stages a value has. Start from kn_value_profile_gas() or kn_value_profile_combat().
typedef struct kn_value_profile {
    /// What KN_OP_MULTIPLY means: true KN_OP_MULTIPLY_COMPOUND, false KN_OP_MULTIPLY_ADDITIVE.
    bool multiply_compound;
    /// What KN_OP_DIVIDE means: true KN_OP_DIVIDE_COMPOUND, false KN_OP_DIVIDE_ADDITIVE.
    bool divide_compound;
    bool allow_divide;   ///< modifiers may divide; false: registering one that does is refused
    bool allow_override; ///< modifiers may override; false: registering one that does is refused
    /// Modifiers may use KN_OP_ADD_FINAL; false: registering one that does is refused.
    bool allow_final;
    /// Modifiers scale with their effect's stack count unless their `scaling` says otherwise.
    bool scale_with_stacks;
    bool clamp_factors; ///< a compound factor below 0 counts as 0
    bool clamp_sum;     ///< the base and all that is added to it make at least 0 (clamp A)
    bool clamp_product; ///< the result after all factors is at least 0 (clamp B)
} kn_value_profile;

/// Biased sums, every operation, negative results allowed, all modifiers of a stack scale.
KN_API kn_value_profile kn_value_profile_gas(void);
/// Products, only additive and multiplicative modifiers, nothing ever below 0, scaling with stacks
/// only where a modifier asks for it.
KN_API kn_value_profile kn_value_profile_combat(void);

/// Rounding of integer values. A guard of 1e-5 makes 3.499999, a result of binary rounding, count
/// as 3.5.
typedef enum kn_rounding {
    KN_ROUND_NONE,         ///< not rounded
    KN_ROUND_TRUNCATE,     ///< toward zero
    KN_ROUND_HALF_AWAY,    ///< to nearest, halves away from zero
    KN_ROUND_HALF_TO_BASE, ///< to nearest, halves toward the base value
    KN_ROUND_UP,           ///< toward positive infinity
    KN_ROUND_DOWN,         ///< toward negative infinity
} kn_rounding;

/// Which of the modifiers on a value take part, in each channel by itself. The others stay and may
/// qualify later. "Negative" means lowering the result: Add below 0, Multiply below 1, Divide above
/// 1, Override below the base.
typedef enum kn_qualify {
    KN_QUALIFY_ALL, ///< all modifiers
    /// The strongest negative one and all positive ones: one slow, all boosts.
    KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE,
    KN_QUALIFY_MOST_POSITIVE,     ///< only the one that raises the result most
    KN_QUALIFY_GREATEST_ABSOLUTE, ///< only the one with the largest influence, up or down
    KN_QUALIFY_ONE_PER_GROUP,     ///< the strongest of each modifier group
    KN_QUALIFY_CUSTOM,            ///< those that a registered policy function picks
} kn_qualify;

/// How the modifiers of one group on one value combine, in each channel by itself. "Best" goes by
/// influence on the result.
typedef enum kn_group_rule {
    KN_GROUP_SUM,  ///< all take part
    KN_GROUP_MAX,  ///< only the one that raises the result most
    KN_GROUP_MIN,  ///< only the one that lowers the result most
    KN_GROUP_BEST, ///< the strongest that raises and the strongest that lowers the result
} kn_group_rule;

// Curves --------------------------------------------------------------------

/// The value of a curve between two points.
typedef enum kn_curve_kind {
    /// The y of the last point at or before x; before the first point, that of the first.
    KN_CURVE_STEP,
    /// Straight lines between points; before the first and after the last, their y.
    KN_CURVE_LINEAR,
} kn_curve_kind;

/// One point of a curve.
typedef struct kn_curve_point {
    float x; ///< where the point is, usually a level
    float y; ///< value of the curve at x
} kn_curve_point;

/// A table from a number (usually a level) to a number.
typedef struct kn_curve_def {
    const char *name;   ///< unique name; required
    kn_curve_kind kind; ///< how values between two points are found; default KN_CURVE_LINEAR
    /// The points of the curve, at least one; x must increase, and all numbers must be finite.
    const kn_curve_point *points;
    uint32_t point_count; ///< number of entries in `points`
    uint32_t cookie;      ///< set by kn_curve_def_default(); do not change it
} kn_curve_def;

/// A linear curve without points.
KN_API kn_curve_def kn_curve_def_default(void);
/// Registers a curve.
/// @return KN_OK; KN_ERROR_BAD_DATA for no points, an x that does not increase, a number that is
///         not finite or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_curve_register(
    kn_library *library, const kn_curve_def *def, kn_curve_id *curve, kn_error *error);
/// The curve with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_curve_id kn_curve_find(const kn_library *library, const char *name);
/// The name of a curve; "" for null. Valid as long as the library.
KN_API const char *kn_curve_name(const kn_library *library, kn_curve_id curve);
/// The def of a curve as registered; it belongs to the library. NULL when unknown.
KN_API const kn_curve_def *kn_curve_get_def(const kn_library *library, kn_curve_id curve);
/// The value of a curve at x; 1 for the null curve.
KN_API float kn_curve_at(const kn_library *library, kn_curve_id curve, float x);

/// A number that may depend on the level: value x curve(level), or the value alone without a curve.
/// A named parameter of the effect, if set, takes the place of `value`. Default 0 unless a field
/// says otherwise.
typedef struct kn_scalable {
    float value; ///< the number; with `curve`, a factor on it
    /// The value is multiplied by this curve at the level; null: it is the same at every level.
    kn_curve_id curve;
    kn_name parameter; ///< a parameter of the effect that is read instead of `value`; null: none
} kn_scalable;

/// A number that does not depend on the level.
static inline kn_scalable kn_constant(float value)
{
    kn_scalable scalable = {value, {0}, {0}};
    return scalable;
}

/// The number value x curve(level).
static inline kn_scalable kn_by_level(float value, kn_curve_id curve)
{
    kn_scalable scalable = {value, curve, {0}};
    return scalable;
}

/// The number that an effect is given under a parameter's name.
static inline kn_scalable kn_by_parameter(kn_name parameter)
{
    kn_scalable scalable = {0, {0}, parameter};
    return scalable;
}

// Magnitudes ----------------------------------------------------------------

/// Whose attribute, tag or gate is meant.
typedef enum kn_capture_from {
    KN_CAPTURE_FROM_SOURCE, ///< the entity that applies the effect
    KN_CAPTURE_FROM_TARGET, ///< the entity that receives the effect
    KN_CAPTURE_FROM_CAUSER, ///< the weapon or projectile named in the context
} kn_capture_from;

/// Which number of a captured attribute is read.
typedef enum kn_capture_value {
    KN_CAPTURE_FINAL,         ///< the current value
    KN_CAPTURE_BASE,          ///< the base value
    KN_CAPTURE_BONUS,         ///< current value minus base value
    KN_CAPTURE_UP_TO_CHANNEL, ///< the value that modifiers in channels below `channel` give
    KN_CAPTURE_MINIMUM,       ///< the declared minimum; without one the application is refused
    KN_CAPTURE_MAXIMUM,       ///< the declared maximum; without one the application is refused
    /// What the limits cut off: the value without them minus the current value.
    KN_CAPTURE_OVERFLOW,
    KN_CAPTURE_EFFECTIVE_BONUS, ///< current value minus base value, both within the limits
} kn_capture_value;

/// A reading of an attribute for a magnitude, calculation or execution.
typedef struct kn_capture {
    kn_attribute_id attribute; ///< the attribute to read; required
    /// Instance of the attribute set, for entities that have the set several times; default 0.
    uint32_t key;
    kn_capture_from from;   ///< whose attribute to read; default source
    kn_capture_value value; ///< which number of the attribute to read; default the current value
    /// The first channel that is left out, for KN_CAPTURE_UP_TO_CHANNEL; default 0.
    uint8_t channel;
    /// True: the attribute is read once: the source's when the effect is prepared
    /// (kn_spec_create()), the target's when it is applied. False: it is read when the effect is
    /// applied, and a lasting effect follows its changes. Default false.
    bool snapshot;
    /// Use `default_value` when the attribute is absent. Otherwise the application is refused; an
    /// execution that lacks a capture does nothing.
    bool has_default;
    float default_value; ///< value to use when the entity does not have the attribute; default 0
    /// Only modifiers on the attribute whose source has all of these tags count; empty: all.
    kn_tags source_filter;
    /// Only modifiers on the attribute whose target has all of these tags count; empty: all.
    kn_tags target_filter;
} kn_capture;

/// Where a magnitude comes from.
typedef enum kn_magnitude_kind {
    KN_MAGNITUDE_SCALABLE,      ///< the number in `scale`
    KN_MAGNITUDE_ATTRIBUTE,     ///< the attribute read by `capture`
    KN_MAGNITUDE_CALCULATION,   ///< the result of `calculation`
    KN_MAGNITUDE_SET_BY_CALLER, ///< the number that the application sets under `caller_tag`
    KN_MAGNITUDE_STACKS,        ///< the stack count of the effect
    KN_MAGNITUDE_TICK_INDEX,    ///< how often the effect has ticked before: 0 at the first tick
    KN_MAGNITUDE_TICK_COUNT,    ///< how often the effect ticks in all; 0 if that is unknown
    KN_MAGNITUDE_TALLY_LOSS, ///< what the effect has really taken away so far; needs `keeps_tally`
    KN_MAGNITUDE_TALLY_GAIN, ///< what the effect has really added so far; needs `keeps_tally`
    KN_MAGNITUDE_TALLY_NET,  ///< gain minus loss so far; needs `keeps_tally`
    /// Each application puts `pre_add`, or the number under `caller_tag`, into a pool; a tick takes
    /// what is left of it, divided by the ticks that are left. Needs a stack with `merge`
    /// KN_MERGE_POOL.
    KN_MAGNITUDE_POOL,
    KN_MAGNITUDE_KIND_COUNT, ///< number of the values above; not a value itself
} kn_magnitude_kind;

/// One number of an effect: scale x (pre_add + raw) + post_add, then `final_curve` if set. For
/// KN_MAGNITUDE_SCALABLE it is `scale` itself.
typedef struct kn_magnitude {
    kn_magnitude_kind kind; ///< where the number comes from; default KN_MAGNITUDE_SCALABLE
    /// Factor on the number that `kind` gives; default 1. For KN_MAGNITUDE_SCALABLE it is the
    /// number itself; default 0.
    kn_scalable scale;
    kn_scalable pre_add;  ///< added to the number before it is multiplied by `scale`; default 0
    kn_scalable post_add; ///< added after the multiplication by `scale`; default 0
    kn_capture capture;   ///< the attribute to read, for KN_MAGNITUDE_ATTRIBUTE
    kn_calculation_id calculation; ///< the calculation to run, for KN_MAGNITUDE_CALCULATION
    /// Tag under which the application sets the number, for KN_MAGNITUDE_SET_BY_CALLER.
    kn_tag caller_tag;
    bool has_default;    ///< use `default_value` when the caller value is missing; otherwise refuse
    float default_value; ///< value to use when the application sets none; default 0
    kn_curve_id final_curve; ///< curve in which the result is looked up at the end; null: none
} kn_magnitude;

/// A magnitude that is always `value`.
KN_API kn_magnitude kn_magnitude_constant(float value);
/// The magnitude value x curve(level of the effect).
KN_API kn_magnitude kn_magnitude_by_level(float value, kn_curve_id curve);
/// A magnitude given to the effect under a parameter's name.
KN_API kn_magnitude kn_magnitude_parameter(kn_name parameter);
/// The magnitude coefficient x current value of an attribute. See kn_capture for `from` and
/// `snapshot`.
KN_API kn_magnitude kn_magnitude_attribute(
    kn_attribute_id attribute, kn_capture_from from, bool snapshot, float coefficient);
/// A magnitude that a registered calculation returns.
KN_API kn_magnitude kn_magnitude_calculation(kn_calculation_id calculation);
/// A magnitude that the caller sets under a tag; an application without it is refused.
KN_API kn_magnitude kn_magnitude_set_by_caller(kn_tag tag);
/// A magnitude of any kind with scale 1 and everything else zero.
KN_API kn_magnitude kn_magnitude_of(kn_magnitude_kind kind);

// Modifiers -----------------------------------------------------------------

/// When the tag requirements of a modifier are tested.
typedef enum kn_requirement_time {
    KN_REQUIREMENT_TIME_APPLIED,    ///< once, at application; the default
    KN_REQUIREMENT_TIME_TICKED,     ///< at application and at each tick
    KN_REQUIREMENT_TIME_CONTINUOUS, ///< whenever the tags change
} kn_requirement_time;

/// Whether a magnitude m scales with the stack count n: m x n for Add, 1 + (m - 1) x n for factors.
typedef enum kn_stack_scaling {
    KN_STACK_SCALING_BY_PROFILE, ///< as the value's profile says (`scale_with_stacks`)
    KN_STACK_SCALING_YES,        ///< the magnitude scales with the stack count
    KN_STACK_SCALING_NO,         ///< the magnitude does not scale with the stack count
} kn_stack_scaling;

/// Changes one value by one operation. Start from kn_modifier_def_default().
typedef struct kn_modifier_def {
    kn_attribute_id attribute; ///< the attribute to change; this or `value` is required
    /// Instance of the attribute set, for entities that have the set several times; default 0.
    uint32_t key;
    kn_value_id value; ///< a transient value of the target to change instead of an attribute
    kn_op op;          ///< what the modifier does with its magnitude; default add
    /// Evaluation channel, 0 to KN_CHANNEL_MAX: the result of a channel is the base of the next;
    /// default 0.
    uint8_t channel;
    kn_magnitude magnitude; ///< how much to add, multiply by, divide by, or set
    /// Whether the magnitude scales with the stack count; default by profile.
    kn_stack_scaling scaling;
    /// Curve looked up at the stack count: the magnitude is multiplied by it, not by the count;
    /// null: none.
    kn_curve_id stack_curve;

    /// Tags the source must have, or must not have, for the modifier to act.
    kn_tag_requirement source;
    /// Tags the target must have, or must not have, for the modifier to act.
    kn_tag_requirement target;
    /// Tags the event must have, or must not have, for the modifier to act; transient values only.
    kn_tag_requirement event;
    kn_requirement_time when; ///< when the tags of source and target are tested; default applied
    /// A condition on the event that must hold for the modifier to act; transient values only;
    /// null: none.
    kn_condition_id condition;

    /// Group of modifiers that combine by `group_rule`; null: the modifier stands alone.
    kn_tag group;
    kn_group_rule group_rule; ///< how the modifiers of the group combine; default sum
    /// The total of the group, per channel and operation, is kept within limits.
    bool has_limit_min, has_limit_max;
    /// Lowest and highest total of the group; of the limits of its members, the strictest counts.
    float limit_min, limit_max;
    int32_t priority; ///< of several modifiers that override, the highest priority wins; default 0
    kn_tags tags; ///< tags that describe this modifier, so that a gate can void it alone (`parts`)
} kn_modifier_def;

/// The highest evaluation channel; the lowest is 0.
#define KN_CHANNEL_MAX 15

/// A modifier with nothing set: all zero.
KN_API kn_modifier_def kn_modifier_def_default(void);
/// A modifier that applies `op` with a constant magnitude to an attribute.
KN_API kn_modifier_def kn_modifier_constant(kn_attribute_id attribute, kn_op op, float magnitude);

// Names ---------------------------------------------------------------------

/// Interns a name for parameters and named values, or finds it when it is already there. Names have
/// 1 to 255 letters, digits, '_', '-', '.' or blanks.
/// @return KN_OK; KN_ERROR_BAD_DATA for an invalid name; KN_ERROR_WORLD_LOCKED for a new name once
///         the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_name_register(
    kn_library *library, const char *text, kn_name *name, kn_error *error);
/// The interned name with this text. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_name kn_name_find(const kn_library *library, const char *text);
/// The text of a name; "" for null. Valid as long as the library.
KN_API const char *kn_name_text(const kn_library *library, kn_name name);

#ifdef __cplusplus
}
#endif

#endif
