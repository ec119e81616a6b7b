// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Values and what changes them: operations, evaluation profiles, curves, magnitudes, modifiers.
///
/// One staged evaluator serves attributes, stats, costs and lengths. Stages, in this order, for
/// each channel from low to high (the result of a channel is the base of the next):
///
///   base + sum of Add -> clamp A -> x biased sum of Multiply -> / biased sum of Divide
///   -> x product of the compound factors -> clamp B -> + sum of Add Final -> Override
///
/// and once at the end: declared minimum and maximum -> rounding. A profile switches stages on
/// and off. Within a stage, modifiers combine in order of creation.
#ifndef KNACK_VALUE_H
#define KNACK_VALUE_H

#include "knack/tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a modifier changes a value. The biased sum of factors m is 1 + sum(m - 1).
typedef enum kn_op {
    KN_OP_ADD,               ///< base + m
    KN_OP_MULTIPLY,          ///< by the value's default rule: additive or compound
    KN_OP_DIVIDE,            ///< by the value's default rule
    KN_OP_MULTIPLY_ADDITIVE, ///< biased sum
    KN_OP_DIVIDE_ADDITIVE,   ///< biased sum, as a divisor
    KN_OP_MULTIPLY_COMPOUND, ///< product
    KN_OP_DIVIDE_COMPOUND,   ///< product, as a divisor
    KN_OP_ADD_FINAL,         ///< added after all factors
    KN_OP_OVERRIDE,          ///< replaces; highest priority wins, then the last applied
    KN_OP_COUNT,
} kn_op;

/// A divisor closer to zero than this is refused at application and skipped in a sum.
#define KN_DIVISOR_MIN 1e-6f

/// Which stages a value has. Start from one of the two profiles.
typedef struct kn_value_profile {
    bool multiply_compound; ///< what KN_OP_MULTIPLY means: false biased sum, true product
    bool divide_compound;   ///< what KN_OP_DIVIDE means
    bool allow_divide;      ///< false: registration of such a modifier is refused
    bool allow_override;
    bool allow_final;
    bool scale_with_stacks; ///< modifiers scale with their effect's stack count unless they say no
    bool clamp_factors;     ///< each compound factor is at least 0
    bool clamp_sum;         ///< clamp A: the sum is at least 0
    bool clamp_product;     ///< clamp B: the product is at least 0
} kn_value_profile;

/// Biased sums, every operation, negative results allowed, all modifiers of a stack scale.
KN_API kn_value_profile kn_value_profile_gas(void);
/// Products, only additive and multiplicative modifiers, nothing ever below 0, stacking opt-in.
KN_API kn_value_profile kn_value_profile_combat(void);

/// Rounding of integer values. A guard of 1e-5 lets 3.499999 from binary rounding count as 3.5.
typedef enum kn_rounding {
    KN_ROUND_NONE,
    KN_ROUND_TRUNCATE,     ///< toward zero
    KN_ROUND_HALF_AWAY,    ///< to nearest, halves away from zero
    KN_ROUND_HALF_TO_BASE, ///< to nearest, halves toward the base value
    KN_ROUND_UP,
    KN_ROUND_DOWN,
} kn_rounding;

/// Which of the modifiers on a value take part, in each channel by itself. Others stay and may
/// qualify later. "Negative" means lowering the result: Add below 0, Multiply below 1, Divide above
/// 1, Override below base.
typedef enum kn_qualify {
    KN_QUALIFY_ALL,
    KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, ///< the strongest slow, all boosts
    KN_QUALIFY_MOST_POSITIVE,              ///< only the one that raises most
    KN_QUALIFY_GREATEST_ABSOLUTE,          ///< only the one with the largest influence
    KN_QUALIFY_ONE_PER_GROUP,              ///< the strongest of each modifier group
    KN_QUALIFY_CUSTOM,                     ///< a registered policy function
} kn_qualify;

/// How the modifiers of one group on one value combine, in each channel by itself. "Best" goes by
/// influence on the result.
typedef enum kn_group_rule {
    KN_GROUP_SUM,  ///< all take part
    KN_GROUP_MAX,  ///< only the one that raises most
    KN_GROUP_MIN,  ///< only the one that lowers most
    KN_GROUP_BEST, ///< the strongest raising and the strongest lowering one
} kn_group_rule;

// Curves --------------------------------------------------------------------

/// What a curve gives between two points.
typedef enum kn_curve_kind {
    KN_CURVE_STEP,   ///< the point at or below; the first point below all. Exact per level.
    KN_CURVE_LINEAR, ///< straight lines; constant outside
} kn_curve_kind;

typedef struct kn_curve_point {
    float x;
    float y;
} kn_curve_point;

/// A table from a number (usually a level) to a number.
typedef struct kn_curve_def {
    const char *name;             ///< required, unique
    kn_curve_kind kind;           ///< default KN_CURVE_LINEAR
    const kn_curve_point *points; ///< at least one; x strictly increasing, all finite
    uint32_t point_count;
    uint32_t cookie;
} kn_curve_def;

KN_API kn_curve_def kn_curve_def_default(void);
KN_API KN_MUST_USE kn_result kn_curve_register(
    kn_library *library, const kn_curve_def *def, kn_curve_id *curve, kn_error *error);
KN_API kn_curve_id kn_curve_find(const kn_library *library, const char *name);
KN_API const char *kn_curve_name(const kn_library *library, kn_curve_id curve);
/// The curve at x; 1 for the null curve.
KN_API float kn_curve_at(const kn_library *library, kn_curve_id curve, float x);

/// value x curve(level); without a curve the value alone. A named parameter of the effect, if
/// set, takes the place of `value`. Default 0 unless a field says otherwise.
typedef struct kn_scalable {
    float value;
    kn_curve_id curve;
    kn_name parameter;
} kn_scalable;

static inline kn_scalable kn_constant(float value)
{
    kn_scalable scalable = {value, {0}, {0}};
    return scalable;
}

static inline kn_scalable kn_by_level(float value, kn_curve_id curve)
{
    kn_scalable scalable = {value, curve, {0}};
    return scalable;
}

static inline kn_scalable kn_by_parameter(kn_name parameter)
{
    kn_scalable scalable = {0, {0}, parameter};
    return scalable;
}

// Magnitudes ----------------------------------------------------------------

/// Whose attribute is read.
typedef enum kn_capture_from {
    KN_FROM_SOURCE, ///< who made the spec
    KN_FROM_TARGET, ///< who receives the effect
    KN_FROM_CAUSER, ///< the weapon or projectile of the context
} kn_capture_from;

/// What is read of a captured attribute.
typedef enum kn_capture_value {
    KN_CAPTURE_FINAL,           ///< current value
    KN_CAPTURE_BASE,            ///< base value
    KN_CAPTURE_BONUS,           ///< final - base
    KN_CAPTURE_UP_TO_CHANNEL,   ///< evaluated through the channels below `channel`
    KN_CAPTURE_MINIMUM,         ///< declared minimum, -infinity is refused
    KN_CAPTURE_MAXIMUM,         ///< declared maximum
    KN_CAPTURE_OVERFLOW,        ///< what the clamp cut off: unclamped - clamped
    KN_CAPTURE_EFFECTIVE_BONUS, ///< clamped final - clamped base
} kn_capture_value;

/// A reading of an attribute for a magnitude, calculation or execution.
typedef struct kn_capture {
    kn_attribute_id attribute;
    uint32_t key; ///< set instance, default 0
    kn_capture_from from;
    kn_capture_value value;
    uint8_t channel; ///< for KN_CAPTURE_UP_TO_CHANNEL
    /// true: read once (source at spec creation, target at application). false: read at
    /// application and, in Duration and Infinite effects, followed live. Default false.
    bool snapshot;
    /// Use `default_value` when the attribute is absent. Else the application is refused; an
    /// execution that lacks a capture does nothing.
    bool has_default;
    float default_value; ///< default 0
    /// Leave out modifiers on the attribute whose source, or target, lacks one of these tags.
    kn_tags source_filter;
    kn_tags target_filter;
} kn_capture;

typedef enum kn_magnitude_kind {
    KN_MAGNITUDE_SCALABLE,      ///< `scale`
    KN_MAGNITUDE_ATTRIBUTE,     ///< `capture`
    KN_MAGNITUDE_CALCULATION,   ///< `calculation`
    KN_MAGNITUDE_SET_BY_CALLER, ///< the value under `caller_tag` on the spec
    KN_MAGNITUDE_STACKS,        ///< the stack count
    KN_MAGNITUDE_TICK_INDEX,    ///< executions so far: 0 at the first
    KN_MAGNITUDE_TICK_COUNT,    ///< ticks the effect will make in all; 0 if unknown
    KN_MAGNITUDE_TALLY_LOSS,    ///< what the effect really took away so far
    KN_MAGNITUDE_TALLY_GAIN,
    KN_MAGNITUDE_TALLY_NET,
    KN_MAGNITUDE_POOL, ///< the pooled amount left / ticks left (see KN_MERGE_POOL)
    KN_MAGNITUDE_KIND_COUNT,
} kn_magnitude_kind;

/// One number of an effect: scale x (pre_add + raw) + post_add, then `final_curve` if set.
/// For KN_MAGNITUDE_SCALABLE it is `scale` itself.
typedef struct kn_magnitude {
    kn_magnitude_kind kind;
    kn_scalable scale; ///< default 1 for all kinds but KN_MAGNITUDE_SCALABLE
    kn_scalable pre_add;
    kn_scalable post_add;
    kn_capture capture;
    kn_calculation_id calculation;
    kn_tag caller_tag;
    bool has_default;    ///< set-by-caller: use `default_value` when missing; else refuse
    float default_value; ///< default 0
    kn_curve_id final_curve;
} kn_magnitude;

/// Shorthands for the common kinds.
KN_API kn_magnitude kn_magnitude_constant(float value);
KN_API kn_magnitude kn_magnitude_by_level(float value, kn_curve_id curve);
KN_API kn_magnitude kn_magnitude_parameter(kn_name parameter);
KN_API kn_magnitude kn_magnitude_attribute(
    kn_attribute_id attribute, kn_capture_from from, bool snapshot, float coefficient);
KN_API kn_magnitude kn_magnitude_calculation(kn_calculation_id calculation);
KN_API kn_magnitude kn_magnitude_set_by_caller(kn_tag tag);
KN_API kn_magnitude kn_magnitude_of(kn_magnitude_kind kind);

// Modifiers -----------------------------------------------------------------

/// When the tag requirements of a modifier are tested.
typedef enum kn_requirement_time {
    KN_WHEN_APPLIED,    ///< once, at application; the default
    KN_WHEN_TICKED,     ///< at application and at each tick
    KN_WHEN_CONTINUOUS, ///< whenever the tags change
} kn_requirement_time;

/// Whether a magnitude scales with the stack count n: Add m x n, factors 1 + (m - 1) x n.
typedef enum kn_stack_scaling {
    KN_SCALE_BY_PROFILE, ///< as the value's profile says
    KN_SCALE_YES,
    KN_SCALE_NO,
} kn_stack_scaling;

/// Changes one value by one operation.
typedef struct kn_modifier_def {
    kn_attribute_id attribute; ///< this, or `value`
    uint32_t key;              ///< set instance, default 0
    kn_value_id value;         ///< a transient value of the target instead of an attribute
    kn_op op;
    uint8_t channel; ///< default 0, at most KN_CHANNEL_MAX
    kn_magnitude magnitude;
    kn_stack_scaling scaling;
    kn_curve_id stack_curve; ///< if set, the magnitude is multiplied by curve(n) instead

    kn_tag_requirement source; ///< tags of the source
    kn_tag_requirement target; ///< tags of the target
    kn_tag_requirement event;  ///< tags of the event record; transient values only
    kn_requirement_time when;
    kn_condition_id condition; ///< function of the event record; transient values only

    kn_tag group; ///< null: no group
    kn_group_rule group_rule;
    bool has_limit_min, has_limit_max; ///< the group's total in a channel, per operation, is kept
    float limit_min, limit_max;        ///< within the strictest limits of its members there
    int32_t priority;                  ///< among Override modifiers; default 0
    kn_tags tags;                      ///< describe the part, for immunity to parts
} kn_modifier_def;

#define KN_CHANNEL_MAX 15

KN_API kn_modifier_def kn_modifier_def_default(void);
/// `op` on `attribute` by a constant.
KN_API kn_modifier_def kn_modifier_constant(kn_attribute_id attribute, kn_op op, float magnitude);

// Names ---------------------------------------------------------------------

/// Interns a name for parameters and named values. Letters, digits, '_', '-' and '.'.
KN_API KN_MUST_USE kn_result kn_name_register(
    kn_library *library, const char *text, kn_name *name, kn_error *error);
KN_API kn_name kn_name_find(const kn_library *library, const char *text);
KN_API const char *kn_name_text(const kn_library *library, kn_name name);

#ifdef __cplusplus
}
#endif

#endif
