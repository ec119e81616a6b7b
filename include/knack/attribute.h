// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Attributes: floats with a base value and a current value, grouped in sets that entities carry by
/// value. The current value is the base as changed by the modifiers of active effects. Declared
/// limits hold on every path: setters, effects, captures, hooks.
#ifndef KNACK_ATTRIBUTE_H
#define KNACK_ATTRIBUTE_H

#include "knack/event.h"
#include "knack/library.h"
#include "knack/value.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_world kn_world;

// Declaration ---------------------------------------------------------------

/// A bound of an attribute: none, a number, or another attribute's current value.
typedef struct kn_limit {
    bool is_set; ///< there is a limit; data files need not write it
    float value; ///< the limit itself, or a number that is added to `attribute`
    /// The attribute whose current value is the limit: a name in the same set, or "Set.Attribute";
    /// NULL: none.
    const char *attribute;
} kn_limit;

/// A bound that is a number.
static inline kn_limit kn_limit_constant(float value)
{
    kn_limit limit = {true, value, NULL};
    return limit;
}

/// A bound that is another attribute's current value. The name is not copied before registration.
static inline kn_limit kn_limit_attribute(const char *attribute)
{
    kn_limit limit = {true, 0.0f, attribute};
    return limit;
}

/// What happens to a value when an attribute that limits it changes.
typedef enum kn_link {
    KN_LINK_CLAMP,      ///< the value is clamped to the new range
    KN_LINK_KEEP,       ///< the value stays, and is clamped at its next change
    KN_LINK_PROPORTION, ///< the value keeps its relative place within the range: half stays half
} kn_link;

/// One attribute of a set. Start from kn_attribute_def_default().
typedef struct kn_attribute_def {
    /// Name of the attribute, used once in its set; required. Its full name is "Set.Name".
    const char *name;
    float default_value; ///< base value that the attribute starts with; default 0
    /// Start at a random number from `random_min` to `random_max` instead of `default_value`; it is
    /// drawn when the set is added (KN_STREAM_INIT).
    bool has_random;
    /// Lowest and highest starting value: a random number between the two is drawn when the set is
    /// added, instead of `default_value`.
    float random_min, random_max;
    kn_limit base_min, base_max; ///< lower and upper limit of the base value; default none
    kn_limit min, max;           ///< lower and upper limit of the current value; default none
    /// What happens to the value when an attribute that limits it changes; default clamp.
    kn_link link;
    kn_value_profile profile; ///< how modifiers combine; default `gas` (kn_value_profile_gas())
    kn_rounding rounding;     ///< how base and current value are rounded; default none
    bool minimum_one;         ///< a rounded value is at least 1, unless the base is 0
    kn_qualify qualify;       ///< which modifiers count; default all
    kn_policy_id policy; ///< the policy that picks the modifiers that count, for KN_QUALIFY_CUSTOM
    /// Who receives the attribute over the network; default all; meta attributes are never sent.
    kn_sync sync;
    kn_wire wire; ///< how exactly the attribute is sent; default: all bits
    /// A placeholder such as Damage: effects write it, a function of the set uses it, and it is 0
    /// again.
    bool is_meta;
    /// For meta attributes: name of the event kind that runs when the attribute is written; NULL:
    /// none.
    const char *event_kind;
    bool is_static; ///< after the start every modifier and change is refused
    /// Modifiers of lasting effects are refused: only the base may change, as with health.
    bool no_modifiers;
    bool is_hidden;           ///< editors leave the attribute out of their lists
    uint8_t decimals;         ///< digits after the decimal point when the value is shown; default 0
    const char *display_name; ///< name shown to players; may be NULL
    uint32_t cookie;          ///< set by kn_attribute_def_default(); do not change it
} kn_attribute_def;

/// An attribute def with kn_value_profile_gas() and nothing else set.
KN_API kn_attribute_def kn_attribute_def_default(void);

/// A change in progress, as hooks see it. Valid during the call.
typedef struct kn_attribute_change {
    kn_world *world;           ///< the world the entity is in
    kn_entity_id entity;       ///< the entity whose attribute changes
    kn_attribute_id attribute; ///< the attribute that changes
    uint32_t key;              ///< set instance of the attribute; 0 by default
    float old_value;           ///< the value before
    float new_value;           ///< the value about to be stored, or just stored
} kn_attribute_change;

/// One modifier being executed on a base value. Valid during the call.
typedef struct kn_execute_data {
    kn_world *world;           ///< the world the target is in
    kn_entity_id entity;       ///< the target of the effect
    kn_attribute_id attribute; ///< the attribute whose base value is modified
    uint32_t key;              ///< set instance of the attribute; 0 by default
    kn_op op;                  ///< how the modifier changes the base value
    float magnitude;           ///< the pre-execute hook may change it
    float old_base;            ///< base value before; post-execute only
    float new_base;            ///< base value after; post-execute only
    /// The effect; NULL if no effect is behind it; valid during the call.
    const struct kn_spec_view *spec;
} kn_execute_data;

/// Hooks of a set: rules that answer at once. Each may be NULL. They may read everything and write
/// attributes through the API; loops of writes are cut at a depth of 16 with an error event. Calls
/// that remove or rearrange wait until the change is complete (docs/step-order.md, "A hook"). Order
/// for one executed modifier: pre_execute, pre_base_change, base stored, value evaluated,
/// pre_change, current stored, post_change, event, post_base_change, post_execute, dependents. A
/// temporary modifier only runs pre_change, stored, post_change, event, dependents.
typedef struct kn_attribute_hooks {
    void *user; ///< passed to every hook
    /// Called before a modifier is executed. Returning false discards it.
    bool (*pre_execute)(void *user, kn_execute_data *data);
    /// Returns the base value to store; declared limits are applied afterwards.
    float (*pre_base_change)(void *user, const kn_attribute_change *change);
    /// Called after a base value was stored.
    void (*post_base_change)(void *user, const kn_attribute_change *change);
    /// Returns the current value to store; declared limits are applied afterwards.
    float (*pre_change)(void *user, const kn_attribute_change *change);
    /// Called after a current value was stored.
    void (*post_change)(void *user, const kn_attribute_change *change);
    /// Called after a modifier was executed. The place to spend meta attributes: take Damage from
    /// Shield, then Health.
    void (*post_execute)(void *user, const kn_execute_data *data);
} kn_attribute_hooks;

/// A set of attributes. Start from kn_attribute_set_def_default().
typedef struct kn_attribute_set_def {
    const char *name; ///< unique name; required
    /// Attribute set to inherit from: its attributes come first and keep their names; may be null.
    kn_attribute_set_id parent;
    /// The attributes of the set; with those of its parents, 1 to 4096.
    const kn_attribute_def *attributes;
    uint32_t attribute_count; ///< number of entries in `attributes`
    kn_attribute_hooks hooks; ///< functions called on changes; one that is not set is the parent's
    uint32_t cookie;          ///< set by kn_attribute_set_def_default(); do not change it
} kn_attribute_set_def;

/// An attribute set def with nothing set.
KN_API kn_attribute_set_def kn_attribute_set_def_default(void);
/// Registers an attribute set and its attributes.
/// @return KN_OK; KN_ERROR_BAD_DATA for a bad name, no or too many attributes, or an attribute
///         whose def makes no sense; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_attribute_set_register(kn_library *library,
    const kn_attribute_set_def *def, kn_attribute_set_id *set, kn_error *error);

/// Makes an old name ("Set.Old" or "OldSet") that data may still use mean a new one.
/// @return KN_OK; KN_ERROR_BAD_DATA for redirects in a circle; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_attribute_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error);

/// The redirects by index, from 0, in the order they were made; false, and "" for both names, past
/// the end. Names are valid as long as the library.
KN_API bool kn_attribute_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name);

/// The attribute set with this name, redirects followed. Null when there is none; a finished
/// library then logs a warning, once per name.
KN_API kn_attribute_set_id kn_attribute_set_find(const kn_library *library, const char *name);
/// The attribute "Set.Name", redirects followed. Null when there is none; a finished library then
/// logs a warning, once per name.
KN_API kn_attribute_id kn_attribute_find(const kn_library *library, const char *name);
/// The full name "Set.Name" of an attribute; "" for null. Valid as long as the library.
KN_API const char *kn_attribute_name(const kn_library *library, kn_attribute_id attribute);
/// The name of an attribute set; "" for null. Valid as long as the library.
KN_API const char *kn_attribute_set_name(const kn_library *library, kn_attribute_set_id set);
/// The def of an attribute set as registered; it belongs to the library. NULL when unknown.
KN_API const kn_attribute_set_def *kn_attribute_set_get_def(
    const kn_library *library, kn_attribute_set_id set);
/// The set that declares an attribute, not one that inherits it; null for null.
KN_API kn_attribute_set_id kn_attribute_set_of(
    const kn_library *library, kn_attribute_id attribute);
/// Number of registered attributes. Attributes are the numbers 1 to this count.
KN_API uint32_t kn_attribute_count(const kn_library *library);
/// The def as registered; it belongs to the library, with its strings. NULL for null.
KN_API const kn_attribute_def *kn_attribute_get_def(
    const kn_library *library, kn_attribute_id attribute);

/// One modifier as a qualification policy sees it.
typedef struct kn_modifier_view {
    kn_op op;               ///< how the modifier changes the value
    uint8_t channel;        ///< channel of the modifier, 0 to KN_CHANNEL_MAX
    float magnitude;        ///< magnitude, scaled by stacks
    uint32_t stacks;        ///< stack count of the effect
    kn_tag group;           ///< group of the modifier; null: none
    kn_entity_id source;    ///< who applied its effect; may be null
    kn_effect_type_id type; ///< the effect it belongs to
    float influence;        ///< how far it alone moves the base, signed
} kn_modifier_view;

/// Decides in `qualifies` which modifiers take part. All are true on entry. Must be pure: it reads
/// its arguments and nothing else. The arrays are valid during the call.
typedef void kn_policy_fn(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies);
/// Registers a qualification policy for KN_QUALIFY_CUSTOM.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an invalid
///         name; KN_ERROR_INVALID_ARGUMENT for a NULL function; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_policy_register(kn_library *library, const char *name,
    kn_policy_fn *function, void *user, kn_policy_id *policy, kn_error *error);
/// The policy with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_policy_id kn_policy_find(const kn_library *library, const char *name);
/// The name of a policy; "" for null. Valid as long as the library.
KN_API const char *kn_policy_name(const kn_library *library, kn_policy_id policy);

/// One row of the table of starting values: the value of an attribute for exactly one group and
/// level.
typedef struct kn_attribute_row {
    const char *group;     ///< name of the group, such as "Hero" or "Minion.Red"
    const char *attribute; ///< full name of the attribute, "Set.Name"
    uint32_t level;        ///< level the value is for
    float value;           ///< starting value; must be finite
} kn_attribute_row;

/// Adds rows to the library's table of starting values. If one row is refused, none is added.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a second value for the same (group, attribute, level);
///         KN_ERROR_BAD_DATA for a row without group or attribute, or with a value that is not
///         finite; KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_attribute_table_register(
    kn_library *library, const kn_attribute_row *rows, uint32_t count, kn_error *error);
/// The rows by index, from 0, in the order they were added; false past the end. Strings are valid
/// as long as the library.
KN_API bool kn_attribute_row_at(const kn_library *library, uint32_t index, kn_attribute_row *row);

// Sets on entities ----------------------------------------------------------

/// Adds a set with its starting values to an entity. `key` distinguishes several instances of one
/// set; 0 is the default instance. Modifiers parked for its attributes act at once. Publishes
/// KN_EVENT_SET_ADDED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE if (set, key), or a set that shares its
///         attributes under that key, is already there; KN_REFUSED_LIMIT for a 65th set or too many
///         attributes; KN_ERROR_INVALID_ARGUMENT for a null or unknown set; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_attribute_set_add(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);
/// Removes a set from an entity. Modifiers on it are parked: they stay with their effects and act
/// again if the set comes back. Publishes KN_EVENT_SET_REMOVED.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if (set, key) is not there;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_attribute_set_remove(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);
/// True if the entity has this set under this key. A set that inherits from it does not count.
KN_API bool kn_attribute_set_has(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);

/// One set instance of an entity.
typedef struct kn_attribute_set_instance {
    kn_attribute_set_id set; ///< the attribute set
    uint32_t key;            ///< distinguishes several instances of one set; 0 by default
} kn_attribute_set_instance;

/// The set instances of an entity in the order they were added. Returns how many there are; at most
/// `capacity` are written.
KN_API uint32_t kn_attribute_sets(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_instance *out, uint32_t capacity);

// Reading and writing -------------------------------------------------------

/// Current value of an attribute, instance 0; 0 for a stale id or an absent attribute.
KN_API float kn_attribute_value(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute);
/// Base value of an attribute, instance 0; 0 for a stale id or an absent attribute.
KN_API float kn_attribute_base(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute);
/// Current value of an attribute of the set instance `key`; 0 for a stale id or an absent
/// attribute.
KN_API float kn_attribute_value_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);
/// Base value of an attribute of the set instance `key`; 0 for a stale id or an absent attribute.
KN_API float kn_attribute_base_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);
/// True if the entity has the attribute under this key.
KN_API bool kn_attribute_exists(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);

/// The bounds of the current value that are in force now; -INFINITY and INFINITY where none is
/// declared, and for a stale id or an absent attribute.
KN_API void kn_attribute_bounds(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, float *minimum, float *maximum);

/// Sets a base value; active modifiers stay and act on the new base. Prefer effects: they can be
/// blocked, explained and undone.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_MISSING_ATTRIBUTE; KN_REFUSED_BAD_NUMBER for NaN
///         or infinity (the old value stays); KN_REFUSED_BLOCKED for a static attribute;
///         KN_REFUSED_LIMIT for hooks that write in a loop; KN_ERROR_INVALID_ARGUMENT for a null or
///         unknown attribute; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_attribute_set_base(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value);
/// Sets base and current value together, static attributes included. Runs no base-change or execute
/// hooks, and publishes KN_EVENT_ATTRIBUTE_INITIALISED.
/// @return as kn_attribute_set_base(), but never KN_REFUSED_BLOCKED or KN_REFUSED_LIMIT
KN_API kn_result kn_attribute_init(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value);
/// Initialises, as kn_attribute_init() does, every attribute of instance `key` for which the table
/// of starting values has a row with this group and level.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND when no row fits;
///         KN_REFUSED_MISSING_ATTRIBUTE for an entity without any set; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_attribute_init_group(
    kn_world *world, kn_entity_id entity, const char *group, uint32_t level, uint32_t key);

// Why is this number so? ----------------------------------------------------

/// Why a modifier does, or does not, take part.
typedef enum kn_qualification {
    KN_QUALIFICATION_OK,          ///< the modifier takes part
    KN_QUALIFICATION_REQUIREMENT, ///< the modifier's tag requirements are not met
    KN_QUALIFICATION_POLICY,      ///< the attribute's qualification policy leaves it out
    KN_QUALIFICATION_GROUP,       ///< a stronger member of its group acts
    KN_QUALIFICATION_OVERRIDDEN,  ///< another Override takes precedence
    KN_QUALIFICATION_INHIBITED,   ///< the modifier's effect is inhibited
    KN_QUALIFICATION_PARKED,      ///< the target does not have the attribute
    KN_QUALIFICATION_DIVISOR,     ///< the divisor is too close to zero
    KN_QUALIFICATION_CONDITION,   ///< the modifier's condition does not hold for the event
} kn_qualification;

/// What a line of an explanation is about.
typedef enum kn_explain_kind {
    KN_EXPLAIN_BASE,     ///< the base value
    KN_EXPLAIN_MODIFIER, ///< one modifier
    KN_EXPLAIN_LIMIT,    ///< the limit of a modifier group cut its total
    KN_EXPLAIN_HOOK,     ///< the set's pre-change hook
    KN_EXPLAIN_CLAMP,    ///< the declared minimum or maximum
    KN_EXPLAIN_ROUNDING, ///< the declared rounding
    /// The range changed and the value stays until its next change: KN_LINK_KEEP. For a transient
    /// value: the result is not finite, so the base counts.
    KN_EXPLAIN_KEPT,
    KN_EXPLAIN_FACTOR, ///< the attribute that multiplies a transient value; `magnitude` is its
                       ///< value
    KN_EXPLAIN_ADJUST, ///< the `adjust` function of a transient value, even if it changes nothing
} kn_explain_kind;

/// One line of an explanation. Lines come in the order of evaluation: by channel, then sums,
/// multipliers, divisors, factors, final sums and overrides, each by age. `result` is the value
/// with everything up to this line; the last line's result is the value itself, bit for bit.
typedef struct kn_explain_line {
    kn_explain_kind kind; ///< what the line is about
    float result;         ///< the value with everything up to this line
    float delta;          ///< result minus the result of the line before
    // For KN_EXPLAIN_MODIFIER:
    kn_effect_id effect;            ///< the effect the modifier belongs to
    kn_effect_type_id type;         ///< type of the effect the modifier belongs to
    kn_entity_id source;            ///< who applied the effect; may be null
    uint32_t modifier;              ///< index of the modifier in the effect's def
    kn_op op;                       ///< how the modifier changes the value
    uint8_t channel;                ///< channel of the modifier, 0 to KN_CHANNEL_MAX
    float magnitude;                ///< magnitude of the modifier, scaled by stacks
    uint32_t stacks;                ///< stack count of the effect
    kn_qualification qualification; ///< whether the modifier takes part, or why not
} kn_explain_line;

/// Explains a current value line by line. Returns how many there are; at most `capacity` are
/// written. 0 for a stale id or an absent attribute. `lines` may be NULL.
KN_API uint32_t kn_attribute_explain(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, kn_explain_line *lines, uint32_t capacity);
/// Explains a current value as readable text, one line each. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 for a stale id or an absent attribute.
KN_API uint32_t kn_attribute_explain_text(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *text, uint32_t size);
/// Explains what kn_value_evaluate() returns for a transient value, line by line: which modifiers
/// take part for this event, and why the others do not. Changes nothing. Returns how many lines
/// there are; at most `capacity` are written. The result of the last line is the value, bit for
/// bit. A condition that changes operation or magnitude shows in the line of its modifier. 0 for a
/// stale entity, an unknown value or a base that is not finite.
/// @param record may be NULL: modifiers that need one do not take part then
/// @param lines may be NULL
KN_API uint32_t kn_value_explain(const kn_world *world, kn_entity_id entity, kn_value_id value,
    float base, const kn_event_record *record, kn_explain_line *lines, uint32_t capacity);
/// Explains a transient value as readable text, one line each. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 where kn_value_explain() gives no lines.
KN_API uint32_t kn_value_explain_text(const kn_world *world, kn_entity_id entity, kn_value_id value,
    float base, const kn_event_record *record, char *text, uint32_t size);
/// The name of an operation, such as "Multiply Additive"; "" for a number that is not one. Valid
/// forever.
KN_API const char *kn_op_name(kn_op op);
/// A phrase for a qualification, such as "requirement not met"; "" for a number that is not one.
/// Valid forever.
KN_API const char *kn_qualification_name(kn_qualification qualification);

#ifdef __cplusplus
}
#endif

#endif
