// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Attributes: floats with a base value and a current value, grouped in sets that entities carry
/// by value. The current value is the base as seen through the modifiers of active effects.
/// Declared limits hold on every path: setters, effects, captures, hooks.
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

/// A bound of an attribute: nothing, a number, or another attribute's current value.
typedef struct kn_limit {
    bool is_set;
    float value;           ///< the bound, or what is added to `attribute`
    const char *attribute; ///< NULL, a name in the same set, or "Set.Attribute"
} kn_limit;

static inline kn_limit kn_limit_constant(float value)
{
    kn_limit limit = {true, value, NULL};
    return limit;
}

static inline kn_limit kn_limit_attribute(const char *attribute)
{
    kn_limit limit = {true, 0.0f, attribute};
    return limit;
}

/// What happens to a value when an attribute that limits it moves.
typedef enum kn_link {
    KN_LINK_CLAMP,      ///< it is clamped to the new range; the default
    KN_LINK_KEEP,       ///< it stays, and is clamped at its next change
    KN_LINK_PROPORTION, ///< it keeps its place within the range
} kn_link;

/// Who will receive an attribute over the network.
typedef enum kn_sync {
    KN_SYNC_ALL,
    KN_SYNC_OWNER,
    KN_SYNC_NONE,
} kn_sync;

/// One attribute of a set.
typedef struct kn_attribute_def {
    const char *name; ///< unique in the set; its identity is "Set.Name"
    float default_value;
    bool has_random;              ///< start at a value drawn from [random_min, random_max] instead
    float random_min, random_max; ///< drawn from the world's KN_STREAM_INIT when the set is added
    kn_limit base_min, base_max;  ///< bounds of the base value
    kn_limit min, max;            ///< bounds of the current value
    kn_link link;
    kn_value_profile profile; ///< default kn_value_profile_gas()
    kn_rounding rounding;     ///< of base and current
    bool minimum_one;         ///< a rounded value is at least 1 unless the base is 0
    kn_qualify qualify;       ///< which modifiers take part, default all
    kn_policy_id policy;      ///< for KN_QUALIFY_CUSTOM
    kn_sync sync;             ///< default all; meta attributes never
    bool is_meta;             ///< a placeholder such as Damage: 0 again after the post-execute hook
    const char *event_kind;   ///< meta only: writing it is an event of this kind
    bool is_static;           ///< refuses every modifier and change after initialisation
    bool no_modifiers;        ///< only its base may change (resources)
    bool is_hidden;           ///< left out of authoring lists
    uint8_t decimals;         ///< for display, default 0
    const char *display_name; ///< may be NULL
    uint32_t cookie;
} kn_attribute_def;

KN_API kn_attribute_def kn_attribute_def_default(void);

/// A change in progress, as hooks see it.
typedef struct kn_attribute_change {
    kn_world *world;
    kn_entity_id entity;
    kn_attribute_id attribute;
    uint32_t key;
    float old_value;
    float new_value;
} kn_attribute_change;

/// One modifier being executed on a base value.
typedef struct kn_execute_data {
    kn_world *world;
    kn_entity_id entity; ///< the target
    kn_attribute_id attribute;
    uint32_t key;
    kn_op op;
    float magnitude; ///< in the pre-execute hook: may be changed
    float old_base;  ///< post-execute only
    float new_base;
    const struct kn_spec_view *spec; ///< the effect; NULL for none
} kn_execute_data;

/// Hooks of a set: rules that answer at once. Each may be NULL. They may read everything and write
/// attributes through the API; writing loops are cut at a depth of 16 with an error event. Calls
/// that take away or rearrange wait until the change is complete (docs/step-order.md, "A hook").
/// Order for one executed modifier: pre_execute, pre_base_change, base stored, value evaluated,
/// pre_change, current stored, post_change, event, post_base_change, post_execute, dependents.
/// A temporary modifier only runs pre_change, stored, post_change, event, dependents.
typedef struct kn_attribute_hooks {
    void *user;
    /// Returning false discards the modification.
    bool (*pre_execute)(void *user, kn_execute_data *data);
    /// Returns the base to store; declared limits come after it.
    float (*pre_base_change)(void *user, const kn_attribute_change *change);
    void (*post_base_change)(void *user, const kn_attribute_change *change);
    /// Returns the current value to store; declared limits come after it.
    float (*pre_change)(void *user, const kn_attribute_change *change);
    void (*post_change)(void *user, const kn_attribute_change *change);
    /// The place to spend meta attributes: take Damage from Shield, then Health.
    void (*post_execute)(void *user, const kn_execute_data *data);
} kn_attribute_hooks;

typedef struct kn_attribute_set_def {
    const char *name;           ///< required, unique
    kn_attribute_set_id parent; ///< its attributes come first and keep their identity; may be null
    const kn_attribute_def *attributes;
    uint32_t attribute_count;
    kn_attribute_hooks hooks; ///< a NULL hook falls back to the parent's
    uint32_t cookie;
} kn_attribute_set_def;

KN_API kn_attribute_set_def kn_attribute_set_def_default(void);
KN_API KN_MUST_USE kn_result kn_attribute_set_register(kn_library *library,
    const kn_attribute_set_def *def, kn_attribute_set_id *set, kn_error *error);

/// Old names of attributes and sets ("Set.Old" or "OldSet") that data may still use.
KN_API KN_MUST_USE kn_result kn_attribute_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error);

/// They by number, from 0; false beyond the last.
KN_API bool kn_attribute_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name);

KN_API kn_attribute_set_id kn_attribute_set_find(const kn_library *library, const char *name);
/// By "Set.Name", redirects followed; null when unknown.
KN_API kn_attribute_id kn_attribute_find(const kn_library *library, const char *name);
/// "Set.Name"; "" for null.
KN_API const char *kn_attribute_name(const kn_library *library, kn_attribute_id attribute);
KN_API const char *kn_attribute_set_name(const kn_library *library, kn_attribute_set_id set);
KN_API kn_attribute_set_id kn_attribute_set_of(
    const kn_library *library, kn_attribute_id attribute);
KN_API uint32_t kn_attribute_count(const kn_library *library);
/// The def as registered; strings and arrays belong to the library. NULL for null.
KN_API const kn_attribute_def *kn_attribute_get_def(
    const kn_library *library, kn_attribute_id attribute);

/// One modifier as a qualification policy sees it.
typedef struct kn_modifier_view {
    kn_op op;
    uint8_t channel;
    float magnitude; ///< scaled by stacks
    uint32_t stacks;
    kn_tag group;
    kn_entity_id source;
    kn_effect_type_id type;
    float influence; ///< how far it alone moves the base: signed
} kn_modifier_view;

/// Marks in `qualifies` which modifiers take part. All are true on entry. Must be pure.
typedef void kn_policy_fn(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies);
KN_API KN_MUST_USE kn_result kn_policy_register(kn_library *library, const char *name,
    kn_policy_fn *function, void *user, kn_policy_id *policy, kn_error *error);

/// Starting values by (group, level), exact per level.
typedef struct kn_attribute_row {
    const char *group;     ///< "Hero", "Minion.Red"
    const char *attribute; ///< "Set.Name"
    uint32_t level;
    float value;
} kn_attribute_row;

/// Adds rows to the library's table of starting values; a (group, attribute, level) twice is an
/// error.
KN_API KN_MUST_USE kn_result kn_attribute_table_register(
    kn_library *library, const kn_attribute_row *rows, uint32_t count, kn_error *error);
/// Rows by number, from 0, in the order they were added; false beyond the last.
KN_API bool kn_attribute_row_at(const kn_library *library, uint32_t index, kn_attribute_row *row);

// Sets on entities ----------------------------------------------------------

/// Adds a set with its starting values. `key` tells several instances of one set apart; 0 is the
/// default instance.
/// @return KN_OK; KN_REFUSED_DUPLICATE if (set, key), or a set sharing its attributes under that
///         key, is there; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_attribute_set_add(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);
/// Removes a set. Modifiers on it are parked: they stay with their effects and act again if the
/// set comes back.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the entity does not have (set, key); KN_REFUSED_STALE_ID;
///         KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_attribute_set_remove(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);
KN_API bool kn_attribute_set_has(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key);

/// One set instance of an entity.
typedef struct kn_attribute_set_instance {
    kn_attribute_set_id set;
    uint32_t key;
} kn_attribute_set_instance;

/// Set instances in the order they were added; returns how many there are.
KN_API uint32_t kn_attribute_sets(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_instance *out, uint32_t capacity);

// Reading and writing -------------------------------------------------------

/// Current and base value of an attribute of instance 0; 0 for a stale id or an absent attribute.
KN_API float kn_attribute_value(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute);
KN_API float kn_attribute_base(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute);
/// The same for an instance key.
KN_API float kn_attribute_value_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);
KN_API float kn_attribute_base_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);
KN_API bool kn_attribute_exists(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key);

/// The bounds in force; -INFINITY and INFINITY where none is declared.
KN_API void kn_attribute_bounds(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, float *minimum, float *maximum);

/// Sets a base value; active modifiers stay and act on the new base. Effects are the better way.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_MISSING_ATTRIBUTE; KN_REFUSED_BAD_NUMBER for
///         NaN or infinity (the old value stays); KN_REFUSED_BLOCKED for a static attribute
KN_API kn_result kn_attribute_set_base(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value);
/// Sets base and current together, reported as "initialised": no base-change or execute hooks.
KN_API kn_result kn_attribute_init(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value);
/// Initialises every attribute of instance `key` that the table has for (group, level).
/// KN_REFUSED_NOT_FOUND when it has none.
KN_API kn_result kn_attribute_init_group(
    kn_world *world, kn_entity_id entity, const char *group, uint32_t level, uint32_t key);

// Why is this number so? ----------------------------------------------------

/// Why a modifier does, or does not, take part.
typedef enum kn_qualification {
    KN_QUALIFIES,
    KN_NOT_REQUIREMENT, ///< its tag requirements are not met
    KN_NOT_POLICY,      ///< the attribute's policy passes over it
    KN_NOT_GROUP,       ///< a stronger member of its group acts
    KN_NOT_OVERRIDDEN,  ///< another Override has the last word
    KN_NOT_INHIBITED,   ///< its effect is switched off
    KN_NOT_PARKED,      ///< the attribute is not there
    KN_NOT_DIVISOR,     ///< the divisor came too close to zero
    KN_NOT_CONDITION,   ///< its condition did not recognise the event
} kn_qualification;

typedef enum kn_explain_kind {
    KN_EXPLAIN_BASE,     ///< the base value
    KN_EXPLAIN_MODIFIER, ///< one modifier
    KN_EXPLAIN_LIMIT,    ///< a group's limit cut its total
    KN_EXPLAIN_HOOK,     ///< the set's pre-change hook
    KN_EXPLAIN_CLAMP,    ///< declared minimum or maximum
    KN_EXPLAIN_ROUNDING,
    KN_EXPLAIN_KEPT, ///< its range changed and it stays until its next change: KN_LINK_KEEP
} kn_explain_kind;

/// One line of an explanation. Lines come in the order of evaluation: by channel, then sums,
/// multipliers, divisors, factors, final sums and overrides, each by age. `result` is the value
/// with everything up to this line; the last line's result is the value itself, bit for bit.
typedef struct kn_explain_line {
    kn_explain_kind kind;
    float result;
    float delta; ///< result minus the result of the line before
    // For KN_EXPLAIN_MODIFIER:
    kn_effect_id effect;
    kn_effect_type_id type;
    kn_entity_id source;
    uint32_t modifier; ///< index in the effect's def
    kn_op op;
    uint8_t channel;
    float magnitude; ///< scaled by stacks
    uint32_t stacks;
    kn_qualification qualification;
} kn_explain_line;

/// Explains a current value. Returns the number of lines; at most `capacity` are written.
/// 0 for a stale id or an absent attribute.
KN_API uint32_t kn_attribute_explain(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, kn_explain_line *lines, uint32_t capacity);
/// The same as readable text, one line each. Returns the full length.
KN_API uint32_t kn_attribute_explain_text(const kn_world *world, kn_entity_id entity,
    kn_attribute_id attribute, uint32_t key, char *text, uint32_t size);
KN_API const char *kn_op_name(kn_op op);
KN_API const char *kn_qualification_name(kn_qualification qualification);

#ifdef __cplusplus
}
#endif

#endif
