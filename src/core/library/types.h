// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a library holds: registered defs, deep-copied, and what is compiled from them for speed.
// Everything here is immutable once the library is finished, except the reference count and the
// record of unknown names, so that worlds on any thread read it without locks.
#ifndef KNI_TYPES_H
#define KNI_TYPES_H

#include "library/expression.h"
#include "library/fields.h"
#include "library/tag_table.h"

#include "knack/knack.h"

#include <stddef.h>

// The registered things of one kind, with a hash map from their names.
typedef struct kni_registry {
    void *items; // array of structs that begin with `char *name`
    uint32_t item_size;
    uint32_t count;
    uint32_t capacity;
    uint32_t *map; // open addressing by hash of the name: index + 1, 0 for free; for lookup only
    uint32_t map_capacity;
} kni_registry;

typedef struct kni_curve {
    char *name;
    kn_curve_def def;
} kni_curve;

typedef struct kni_name_entry {
    char *name;
} kni_name_entry;

// A bound of an attribute after its name was resolved.
typedef struct kni_limit {
    float value;
    uint32_t attribute; // index of the limiting attribute, KNI_NONE for a constant bound
    bool is_set;
} kni_limit;

enum {
    KNI_ATTRIBUTE_PLAIN = 1 << 0, // no hooks, no linked limits, no rounding, no rules, not meta
    KNI_ATTRIBUTE_META = 1 << 1,
    KNI_ATTRIBUTE_STATIC = 1 << 2,
    KNI_ATTRIBUTE_HAS_RULES = 1 << 3,
    KNI_ATTRIBUTE_HAS_LIMITS = 1 << 4,
    KNI_ATTRIBUTE_COUNTS_CHARGES = 1 << 5, // it is the maximum of charges of some ability
};

typedef struct kni_attribute {
    char *name; // "Set.Name"
    uint32_t flags;
    uint32_t set;       // index of the set that declares it
    uint32_t set_index; // index in the full attribute list of that set
    kni_limit base_min, base_max, min, max;
    float const_base_min, const_base_max; // constant bounds, valid for PLAIN attributes
    float const_min, const_max;
    uint32_t *limits; // indices of the attributes that use this one as a bound
    uint32_t limit_count;
    uint32_t event_kind; // index + 1 of the event kind that a meta attribute runs, or 0
    kn_attribute_def def;
} kni_attribute;

enum {
    KNI_HOOK_PRE_EXECUTE,
    KNI_HOOK_PRE_BASE_CHANGE,
    KNI_HOOK_POST_BASE_CHANGE,
    KNI_HOOK_PRE_CHANGE,
    KNI_HOOK_POST_CHANGE,
    KNI_HOOK_POST_EXECUTE,
    KNI_HOOK_COUNT,
};

typedef struct kni_set {
    char *name;
    uint32_t parent; // index of the parent set, KNI_NONE for a root
    uint32_t first;  // index of its first own attribute; own ones are consecutive
    uint32_t own_count;
    uint32_t count;              // number of attributes, inherited ones included
    uint32_t *attributes;        // indices of all attributes, inherited ones first
    kn_attribute_hooks hooks;    // own hooks, with inherited ones where it has none
    void *users[KNI_HOOK_COUNT]; // user pointer of each hook, inherited along with it
    bool has_hooks;
    kn_attribute_set_def def;
} kni_set;

typedef struct kni_policy {
    char *name;
    kn_policy_fn *function;
    void *user;
} kni_policy;

// The text and code of an expression; both NULL without one. The text is part of the library's
// hash.
typedef struct kni_formula {
    char *text;
    kni_expression *code;
} kni_formula;

typedef struct kni_condition {
    char *name;
    kn_condition_fn *function; // NULL for an expression
    void *user;
    kni_formula formula;
} kni_condition;

typedef struct kni_requirement {
    char *name;
    kn_requirement_fn *function; // NULL for an expression
    void *user;
    kni_formula formula;
} kni_requirement;

typedef struct kni_calculation {
    char *name;
    kn_calculation_def def; // its captures include those of the expression
    kni_expression *code;   // NULL for a function
} kni_calculation;

typedef struct kni_execution_type {
    char *name;
    kn_execution_def def;
} kni_execution_type;

// The words of an enum, once in the library for all fields that declare the same.
typedef struct kni_words {
    char *text;  // as declared
    char *split; // with zero bytes behind the words
    const char **names;
    uint32_t count;
    uint32_t first; // number of the first one among all words of the library
} kni_words;

// The field table of a struct that the host describes, converted to the internal form. References
// have their kind in `limit`; enums have the number of their words there, the words in `names`, and
// the number of the first one in `count_offset`.
typedef struct kni_fields {
    kn_def_field *fields;
    kn_def_table table;
    uint32_t size;        // bytes of the struct; set even without fields
    uint32_t number1;     // number of this table in the library, from 1; 0 without fields
    bool has_words;       // a field is an enum
    const kn_field *from; // as they were declared, for those who may see them
} kni_fields;

typedef struct kni_logic {
    char *name;
    kn_effect_logic_def def;
    kni_fields state;
} kni_logic;

typedef struct kni_value_type {
    char *name;
    kn_value_def def;
} kni_value_type;

typedef struct kni_event_kind {
    char *name;
    kn_event_kind_def def;
} kni_event_kind;

typedef struct kni_kit {
    kn_kit kit;
    char *name; // that of the kit, to be freed
} kni_kit;

typedef struct kni_stream {
    char *name;
    bool hidden; // from clients
} kni_stream;

typedef struct kni_rule {
    char *name;
    kn_rule_def def;
} kni_rule;

typedef struct kni_system_type {
    char *name;
    kn_system_def def;
    uint32_t rank; // place among all systems, in the order they run at one time
    int32_t group; // also if it is given by name
} kni_system_type;

typedef struct kni_system_group {
    char *name;
    kn_system_group_def def;
} kni_system_group;

typedef struct kni_timer_type {
    char *name;
    kn_timer_fn *function; // NULL for that of a ticker
    void *user;
    uint32_t ticker1; // index + 1 of the ticker it belongs to, or 0
} kni_timer_type;

typedef struct kni_watch_type {
    char *name;
    kn_watch_def def;
    kni_fields state;
    bool has_query; // its `effects` say something
} kni_watch_type;

typedef struct kni_ticker_type {
    char *name;
    kn_ticker_def def;
    kn_component_type_id component;
    kn_timer_type_id timer;
} kni_ticker_type;

// The beginning of the component of a ticker.
typedef struct kni_ticker_head {
    kn_time since; // when it was added to the entity
    kn_time last;  // the last tick, or when it started running
    kn_timer_id timer;
} kni_ticker_head;

_Static_assert(sizeof(kni_ticker_head) == 24, "it has no padding, and saves have it");

typedef struct kni_context_type {
    char *name;
    uint32_t size;
} kni_context_type;

typedef struct kni_container {
    char *name;
    kn_container_def def;
} kni_container;

// What has to be checked before an ability starts. An activation skips the checks whose flag is
// clear.
enum {
    KNI_ABILITY_NEEDS_TAGS = 1 << 0,  // has tag requirements on its owner
    KNI_ABILITY_NEEDS_EVENT = 1 << 1, // has tag requirements on an event's instigator or target
    KNI_ABILITY_HAS_COST = 1 << 2,
    KNI_ABILITY_HAS_COOLDOWN = 1 << 3,
    KNI_ABILITY_PLAIN_COST = 1 << 4, // the cost consists of modifiers that depend on the level only
    KNI_ABILITY_COOLS_EARLY = 1 << 6,  // a cooldown starts with the activation
    KNI_ABILITY_NEEDS_TARGET = 1 << 5, // all it does is act on targets of an event, so it needs one
};

// A cooldown of an ability type.
typedef struct kni_cooldown_type {
    const kn_cooldown_def *def;
    kn_time length; // if it is fixed, as the numbers below
    uint32_t max, cost, returned;
    bool is_fixed; // its numbers are the same for all owners at all levels, and so is its speed
} kni_cooldown_type;

// The number of charges that a number of a def stands for.
static inline uint32_t kni_charges_of(float value)
{
    if (!(value > 0.0f)) {
        return 0;
    }
    return value < 1e6f ? (uint32_t)value : 1000000u;
}

typedef struct kni_ability_type {
    char *name;
    uint32_t flags;
    uint32_t parent1;
    kn_tag *cooldown_tags; // its own, those of its cooldown effect and the keys of its charges
    uint32_t cooldown_tag_count;
    kni_cooldown_type *cooldowns; // one for each of its def
    uint32_t *checks;             // indices of the checks that may apply to it, in their order
    uint32_t check_count, check_capacity;
    kn_ability_def def;
    kni_fields state;
} kni_ability_type;

typedef struct kni_ability_set {
    char *name;
    kn_ability_set_def def;
} kni_ability_set;

typedef struct kni_task_type {
    char *name;
    kn_task_type_def def;
    kni_fields state;
} kni_task_type;

typedef struct kni_target_type {
    char *name;
    kn_target_type_def def;
    kni_fields record;
} kni_target_type;

typedef struct kni_custom_event {
    char *name;
    kn_custom_event_def def;
    kni_fields payload;
} kni_custom_event;

typedef struct kni_targeting {
    char *name;
    kn_targeting_def def;
} kni_targeting;

typedef struct kni_command_type {
    char *name;
    kn_command_check_fn *check; // kn_command_set_check() may have replaced that of the def
    void *check_user;
    kn_command_def def;
    kni_fields payload;
} kni_command_type;

typedef struct kni_fail_reason {
    char *name;
    kn_fail_def def;
} kni_fail_reason;

typedef struct kni_end_reason {
    char *name;
    kn_end_reason_def def;
} kni_end_reason;

typedef struct kni_check {
    char *name;
    kn_fail reason; // of its def, once the library is finished
    kn_check_def def;
} kni_check;

typedef struct kni_archetype {
    char *name;
    kn_archetype_def def;
} kni_archetype;

typedef struct kni_animation {
    char *name;
    kn_animation_def def;
} kni_animation;

// A field that refers to entities.
typedef struct kni_reference {
    uint32_t offset; // in the struct, or in an item
    uint32_t count;  // elements
    bool is_item;
    uint8_t when_destroyed; // kn_reference_policy
} kni_reference;

typedef struct kni_component_type {
    char *name;
    kn_component_def def;
    kni_fields record;
    kni_fields items;
    kni_reference references[KN_COMPONENT_REFERENCES_MAX]; // as many as the def has
} kni_component_type;

typedef struct kni_start_row {
    char *group;
    uint32_t attribute;
    uint32_t level;
    float value;
    char *attribute_name; // name as given, until kn_library_finish() resolves it
} kni_start_row;

typedef struct kni_redirect {
    char *old_name;
    char *new_name;
} kni_redirect;

// What an effect has, as flags: an application skips every part whose flag is clear.
enum {
    KNI_EFFECT_ACTIVE = 1 << 0, // has a duration: not instant
    KNI_EFFECT_PERIODIC = 1 << 1,
    KNI_EFFECT_APPLICATION = 1 << 2, // has application conditions
    KNI_EFFECT_ONGOING = 1 << 3,
    KNI_EFFECT_REMOVAL = 1 << 4,
    KNI_EFFECT_CHANCE = 1 << 5,
    KNI_EFFECT_REQUIREMENT = 1 << 6,
    KNI_EFFECT_STACKS = 1 << 7,
    KNI_EFFECT_EXCLUSIVE = 1 << 8,
    KNI_EFFECT_GATES = 1 << 9,
    KNI_EFFECT_CHILDREN = 1 << 10,
    KNI_EFFECT_RAISES = 1 << 11,
    KNI_EFFECT_GRANTS = 1 << 12,
    KNI_EFFECT_LOGIC = 1 << 13,
    KNI_EFFECT_CUES = 1 << 14,
    KNI_EFFECT_REMOVES = 1 << 15, // removes effects or cancels abilities when applied
    KNI_EFFECT_EXECUTIONS = 1 << 16,
    KNI_EFFECT_PARAMETERS = 1 << 17,
    KNI_EFFECT_CAPTURES = 1 << 18, // captures attributes, in any of its magnitudes
    KNI_EFFECT_LIVE = 1 << 19,     // follows live attributes while active
    KNI_EFFECT_TALLY = 1 << 20,
    KNI_EFFECT_OWNED = 1 << 21, // acts on owned entities too
    KNI_EFFECT_ENDS_WITH_SOURCE = 1 << 22,
    KNI_EFFECT_OWN_TIMERS = 1 << 23,
    KNI_EFFECT_PLAIN_MODIFIERS = 1 << 24, // magnitudes depend on the level only; no conditions
    KNI_EFFECT_CONST_TIME = 1 << 25,      // duration and period are constants
    KNI_EFFECT_NEEDS_RARE = 1 << 26, // its active effects always have a rare record (effect/rare.c)
    KNI_EFFECT_BLOCKS = 1 << 27,     // blocks abilities by tag
    KNI_EFFECT_SOURCE_WATCH = 1 << 28, // its conditions read the source's tags
    KNI_EFFECT_PARTS = 1 << 29,        // one of its parts has tags
    KNI_EFFECT_CONTINUOUS = 1 << 30, // a modifier's requirement is tested continuously while active
};

#define KNI_EFFECT_EDITS 0x80000000u // edits the tags its target shows

// An effect with none of these flags takes the short path of an application: nothing but modifiers.
#define KNI_EFFECT_SLOW                                                                            \
    (KNI_EFFECT_APPLICATION | KNI_EFFECT_REMOVAL | KNI_EFFECT_CHANCE | KNI_EFFECT_REQUIREMENT |    \
        KNI_EFFECT_STACKS | KNI_EFFECT_EXCLUSIVE | KNI_EFFECT_CHILDREN | KNI_EFFECT_RAISES |       \
        KNI_EFFECT_CUES | KNI_EFFECT_REMOVES | KNI_EFFECT_EXECUTIONS | KNI_EFFECT_PARAMETERS |     \
        KNI_EFFECT_CAPTURES | KNI_EFFECT_TALLY | KNI_EFFECT_LOGIC)

// The tick of an effect with one of these flags does more than executing modifiers.
#define KNI_EFFECT_TICKS_SLOW                                                                      \
    (KNI_EFFECT_EXECUTIONS | KNI_EFFECT_LOGIC | KNI_EFFECT_TALLY | KNI_EFFECT_RAISES |             \
        KNI_EFFECT_CUES | KNI_EFFECT_REMOVES)

typedef struct kni_modifier {
    uint32_t attribute; // index of the attribute, KNI_NONE if it modifies a transient value
    uint32_t value;     // index of the transient value, KNI_NONE if it modifies an attribute
    uint32_t key;
    float constant; // the magnitude, if is_constant
    uint8_t op;     // kn_op with MULTIPLY and DIVIDE resolved by the profile of the value
    uint8_t channel;
    bool is_constant; // a scalable magnitude without curve and parameter
    bool scales;      // the magnitude is multiplied by the number of stacks
    bool has_requirement;
    uint8_t group_rule;
    uint32_t group; // index + 1 of a tag, or index1 of the effect with the top bit set; 0 for none
    const kni_attribute *info; // the attribute at `attribute`, or NULL
    const kn_modifier_def *def;
} kni_modifier;

// One capture of an attribute somewhere in an effect, numbered so that its value can be stored.
typedef struct kni_capture_slot {
    const kn_capture *capture;
    bool is_live; // followed while the effect is active, not just read once
} kni_capture_slot;

// What an instant effect does, or a tick of a periodic one, if its only modifier adds a constant to
// a plain attribute of the default instance, and it has nothing else to do.
typedef struct kni_plain_change {
    uint32_t attribute1; // index + 1; 0 if it is not that simple
    float magnitude;
    float base_min, base_max; // constant bounds of the attribute
    float min, max;
    kn_time period;
} kni_plain_change;

// An effect with one modifier that follows the current value of one attribute of its target or
// source, with constant numbers: scale * (pre + value) + post.
typedef struct kni_plain_follow {
    uint32_t attribute1; // index + 1 of the attribute it reads; 0 if it is not that simple
    bool from_source;
    float scale, pre, post;
} kni_plain_follow;

typedef struct kni_effect_type {
    char *name;
    kni_plain_change plain_change;
    kni_plain_follow plain_follow;
    uint32_t flags;
    uint32_t modifier_count;
    kni_modifier *modifiers;
    kn_time duration; // valid with KNI_EFFECT_CONST_TIME
    kn_time period;
    uint32_t granted_count;
    const kn_tag *granted;
    uint32_t index1;  // index + 1 in the registry, the number in its kn_effect_type_id
    uint32_t parent1; // index + 1 of the effect that its def names as parent, or 0
    kn_effect_def def;

    kni_capture_slot *captures;
    uint32_t capture_count;
    uint32_t *modifier_capture;  // index of the first capture slot of each modifier's magnitude
    uint32_t *execution_capture; // index of the first capture slot of each execution
    uint32_t duration_capture, period_capture, haste_capture;
    uint64_t *watch; // bit set by tag number: tags that its conditions depend on
    uint32_t watch_words;
} kni_effect_type;

// Something the library releases when it is destroyed (kn_library_keep()).
typedef struct kni_kept {
    kn_library_release_fn *release;
    void *user;
} kni_kept;

// A kind of registered thing: its table, and the offset of the def in the registry's items. `table`
// is NULL for kinds without a def.
typedef struct kni_def_part {
    const char *name;
    const kn_def_table *table;
    size_t offset;
} kni_def_part;

// A kind that a game or kit registered; its def is a copy, with a table that is resolved.
typedef struct kni_own_kind {
    kn_kind_def def;
    kni_def_part part;
} kni_own_kind;

// The beginning of an item of such a kind; the def follows.
typedef union kni_own_item {
    char *name;
    max_align_t aligned;
} kni_own_item;

typedef struct kni_own_enum {
    char *name;
    char **words;
    char *text; // all of them, separated by blanks
    uint32_t count;
} kni_own_enum;

// A kind of causes that a game or kit registered.
typedef struct kni_own_cause {
    char *name;
    char *text; // NULL: the name and what it has
} kni_own_cause;

typedef struct kni_own_data {
    const void *key;
    void *data;
    kn_library_release_fn *release;
} kni_own_data;

struct kn_library {
    kni_memory memory;
    kn_hooks hooks;
    kni_atomic references; // the creator and every world
    // Names that were logged as unknown, by hash; for observers.
    struct kni_told {
        kni_atomic bits[32];
    } told_names, *told;
    bool finished;
    bool poisoned; // an allocation failed during finish; the library cannot be used
    uint64_t hash;

    kni_tag_table tags;
    kni_registry registries[KN_DEF_KIND_END]; // by kind; the entry of KN_DEF_TAG is unused
    kni_own_kind *own_kinds;
    uint32_t own_kind_count, own_kind_capacity;
    kni_own_enum *own_enums;
    uint32_t own_enum_count, own_enum_capacity;
    kni_own_cause *own_causes;
    uint32_t own_cause_count, own_cause_capacity;
    kn_function_def *own_functions;
    uint32_t own_function_count, own_function_capacity;
    kni_own_data *own_data;
    uint32_t own_data_count, own_data_capacity;
    struct kni_derived { // what `expand` of kinds registered
        kn_def_kind kind;
        uint32_t first, end; // indices
    } * derived;
    uint32_t derived_count, derived_capacity;
    kni_redirect *attribute_redirects;
    uint32_t attribute_redirect_count, attribute_redirect_capacity;
    kni_start_row *start_rows;
    uint32_t start_row_count, start_row_capacity;
    uint32_t *start_row_map; // hash map by group, attribute and level: index + 1
    uint32_t start_row_map_capacity;
    uint32_t *rules_by_trigger; // indices of rules, by trigger, then higher priority first
    uint32_t rule_capacity;
    uint32_t rule_starts[KN_TRIGGER_COUNT + 1]; // where the rules of each trigger begin
    uint32_t trigger_mask;                      // a bit for each kn_trigger that has a rule
    uint64_t *event_rule_tags; // a bit for each tag, from 0, whose events a rule reacts to
    uint32_t event_rule_words;
    uint32_t *systems_by_rank; // indices of systems, in the order they run at one time
    uint32_t system_capacity;
    kn_time sync_timeout;
    uint64_t hidden_streams;
    kni_kit *kits;
    uint32_t kit_count, kit_capacity;
    kni_stream streams[KN_STREAM_OWN_MAX]; // registered by name
    uint32_t stream_count;
    kn_tag fail_tags[KN_FAIL_COUNT];
    kn_tag dead_tag;
    kn_tag cue_root;
    kn_cue_init_fn *cue_init;
    void *cue_user;
    char **warnings;
    uint32_t warning_count, warning_capacity;
    kni_kept *kept;
    uint32_t kept_count, kept_capacity;
    uint64_t added_hash;   // combined by kn_library_add_hash()
    uint32_t fields_count; // the last number given to a kni_fields
    kni_words *words;
    uint32_t words_count, words_capacity;
    uint32_t word_total; // in all of them
};

static inline void *kni_registry_at(const kni_registry *registry, uint32_t index)
{
    return (char *)registry->items + (size_t)index * registry->item_size;
}

// The same where the type is known, so that no size has to be read.
static inline void *kni_registry_item(const kni_registry *registry, uint32_t index, size_t size)
{
    KN_ASSERT(size == registry->item_size);
    return (char *)registry->items + index * size;
}

#define KNI_ITEM(library, kind, type, index)                                                       \
    ((type *)kni_registry_item(&(library)->registries[kind], index, sizeof(type)))

static inline const kni_rule *kni_rule_at(const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_RULE, const kni_rule, index);
}

static inline const kni_system_type *kni_system_type_at(const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_SYSTEM, const kni_system_type, index);
}

// When a run of a system happens; KN_TIME_INFINITE for never.
kn_time kni_system_time(const kn_system_def *def, uint64_t index);
// The first run of a system after a time.
uint64_t kni_system_index_after(const kn_system_def *def, kn_time time);

// Index of a name, or KNI_NONE. Names are compared without regard to ASCII case.
uint32_t kni_registry_find(const kni_registry *registry, const char *name);
// Adds a zeroed item with this name; NULL when out of memory. The name must be new.
void *kni_registry_add(kni_memory *memory, kni_registry *registry, const char *name);
// Undoes the last kni_registry_add().
void kni_registry_pop(kni_memory *memory, kni_registry *registry);
// Checks before a registration: the library is open, the cookie is set, the name is valid and free.
kn_result kni_name_check(const char *name, const char *what, kn_error *error);
kn_result kni_register_check(kn_library *library, kn_def_kind kind, const char *name,
    uint32_t cookie, const char *what, kn_error *error);

// Registers a def by its table: checks it, adds an item, copies deeply. The item is a struct that
// begins with the name and has the def at `def_offset`.
kn_result kni_register_def(kn_library *library, kn_def_kind kind, const kn_def_table *table,
    size_t def_offset, const void *def, const char *name, uint32_t cookie, const char *what,
    uint32_t *index1, kn_error *error);
#define KNI_REGISTER(kind, table, item_type, what)                                                 \
    uint32_t index1 = 0;                                                                           \
    kn_result result = def == NULL                                                                 \
                           ? KN_ERROR_INVALID_ARGUMENT                                             \
                           : kni_register_def(library, kind, table, offsetof(item_type, def), def, \
                                 def->name, def->cookie, what, &index1, error);

// Registers a function, or just a name. *item is NULL unless the result is KN_OK.
kn_result kni_register_function(kn_library *library, kn_def_kind kind, const char *name,
    bool has_function, const char *what, void **item, uint32_t *index1, kn_error *error);
// Undoes the last registration of a kind, when what belongs to it could not be registered.
void kni_register_undo(kn_library *library, kn_def_kind kind);
const char *kni_registry_name(const kni_registry *registry, uint32_t index);
// Frees what an item holds besides its name and def.
void kni_item_free_compiled(kni_memory *memory, kn_def_kind kind, void *item);
void kni_formula_free(kni_memory *memory, kni_formula *formula);

// The capture slots of one modifier: [first, end).
static inline void kni_modifier_captures(
    const kni_effect_type *type, uint32_t modifier, uint32_t *first, uint32_t *end)
{
    *first = type->modifier_capture[modifier];
    *end = modifier + 1 < type->modifier_count ? type->modifier_capture[modifier + 1]
                                               : type->duration_capture;
}

// The name of a registered thing, "" for null or unknown; and its index + 1 by name, 0 when
// unknown.
const char *kni_ref_name(const kn_library *library, kn_def_kind kind, uint32_t index1);
uint32_t kni_ref_find(const kn_library *library, kn_def_kind kind, const char *name);
// Finds a name that the caller expects to exist: if a finished library does not have it, a warning
// is logged, once per name.
uint32_t kni_find_expected(const kn_library *library, kn_def_kind kind, const char *name);
uint32_t kni_attribute_find_quiet(const kn_library *library, const char *name);
uint32_t kni_attribute_set_find_quiet(const kn_library *library, const char *name);
// The registered name that is most similar to an unknown one; NULL if none is. (expression_parse.c)
const char *kni_registered_near(const kn_library *library, kn_def_kind kind, const char *name);
uint32_t kni_ref_count(const kn_library *library, kn_def_kind kind);

static inline const kni_attribute *kni_attribute_at(const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_ATTRIBUTE, const kni_attribute, index);
}

static inline const kni_set *kni_set_at(const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_ATTRIBUTE_SET, const kni_set, index);
}

// True if two sets share an attribute, so that they cannot be added under the same key.
bool kni_sets_overlap(const kn_library *library, uint32_t a, uint32_t b);

// Whether one of its captures excludes modifiers by the tags of their source.
bool kni_type_filters_sources(const kni_effect_type *type);

// Whether a tag lies below the root of cues.

void kni_library_retain(const kn_library *library);
void kni_library_warn(kn_library *library, const char *format, ...);

// Compiles an effect def, already checked, into `type`, whose def must be set.
// Whether the parameters of a grant are at most KN_ABILITY_VALUES_MAX, and each has a name.
bool kni_parameters_are_good(const kn_named_value *parameters, uint32_t count);
// Whether the chance of an effect never refuses it.
bool kni_chance_is_certain(const kn_effect_def *def);
kn_result kni_effect_type_check(
    const kn_library *library, const kn_effect_def *def, kn_error *error);
kn_result kni_effect_type_compile(
    const kn_library *library, kni_memory *memory, kni_effect_type *type, kn_error *error);
void kni_effect_type_free(kni_memory *memory, kni_effect_type *type);

kn_result kni_attributes_finish(kn_library *library, kn_error *error);
kn_result kni_effects_finish(kn_library *library, kn_error *error);
kn_result kni_systems_finish(kn_library *library, kn_error *error);
kn_result kni_abilities_finish(kn_library *library, kn_error *error);
void kni_cooldowns_free(kni_memory *memory, kni_ability_type *type);
// Whether an entry of `applies` that was not registered could have been, apart from its effect.
bool kni_apply_is_good(const kn_library *library, const kn_ability_apply_def *apply);
// Resolves the reasons of checks and gives each ability its list.
kn_result kni_checks_finish(kn_library *library, kn_error *error);
kn_result kni_gates_finish(const kn_library *library, kn_error *error);

extern const kn_def_table kni_effect_def_table;
extern const kn_def_table kni_named_value_table;
extern const kn_def_table kni_attribute_def_table;
extern const kn_def_table kni_attribute_set_def_table;
extern const kn_def_table kni_curve_def_table;
extern const kn_def_table kni_value_def_table;
extern const kn_def_table kni_event_kind_def_table;
extern const kn_def_table kni_rule_def_table;
extern const kn_def_table kni_system_def_table;
extern const kn_def_table kni_ticker_def_table;
extern const kn_def_table kni_watch_def_table, kni_system_group_def_table;
extern const kn_def_table kni_calculation_def_table;
extern const kn_def_table kni_execution_def_table;
extern const kn_def_table kni_logic_def_table;
extern const kn_def_table kni_container_def_table;
extern const kn_def_table kni_component_def_table;
extern const kn_def_table kni_ability_def_table;
extern const kn_def_table kni_ability_set_def_table;
extern const kn_def_table kni_task_type_def_table;
extern const kn_def_table kni_animation_def_table;
extern const kn_def_table kni_target_type_def_table;
extern const kn_def_table kni_targeting_def_table;
extern const kn_def_table kni_archetype_def_table;
extern const kn_def_table kni_command_def_table;
extern const kn_def_table kni_hook_table, kni_kind_hook_table;
extern const kn_def_table kni_fail_def_table;
extern const kn_def_table kni_end_reason_def_table;
extern const kn_def_table kni_check_def_table;
extern const kn_def_table kni_custom_event_def_table;
extern const kn_def_table kni_motion_def_table;
extern const kn_def_table kni_requirement_table;

// Words of enums that defs and calls share.
extern const char *const kni_capture_from_words[KN_CAPTURE_FROM_CAUSER + 1];
extern const char *const kni_op_words[KN_OP_COUNT];
extern const char *const kni_trigger_words[KN_TRIGGER_COUNT];
extern const char *const kni_compare_words[KN_COMPARE_COUNT];
extern const char *const kni_confirm_words[KN_CONFIRM_COUNT];

extern const kni_def_part kni_def_parts[KN_DEF_KIND_COUNT]; // ours
// That of any kind, ours or own; an empty one for what is not a kind of the library.
const kni_def_part *kni_def_part_of(const kn_library *library, kn_def_kind kind);
bool kni_kind_exists(const kn_library *library, kn_def_kind kind);
// Registers a def of an own kind, which must exist.
kn_result kni_own_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error);
kn_result kni_kinds_finish(kn_library *library, kn_error *error);
kn_result kni_kinds_expand(kn_library *library, kn_error *error);
// The words of an own enum, separated by blanks; NULL when there is none of this name.
const char *kni_enum_text(const kn_library *library, const char *name);
// Gives plain fields that name an own enum its words, in a def that was copied into the library.
bool kni_enums_fill(kn_library *library, const kn_def_table *table, void *def);
// Releases what is kept by key; frees kinds and enums, once nothing needs their tables.
void kni_kinds_release(kn_library *library);
void kni_kinds_free(kn_library *library);
// Texts and tables of own kinds and functions; NULL stays NULL. Copies are resolved but for kinds,
// which kni_kind_resolve() gives their numbers once they are there.
bool kni_kind_text_copy(kni_memory *memory, const char *text, const char **copy);
void kni_kind_text_free(kni_memory *memory, const char *text);
kn_def_table *kni_kind_table_copy(
    const kn_library *library, kni_memory *memory, const kn_def_table *from);
void kni_kind_table_free(kni_memory *memory, kn_def_table *table);
void kni_kind_resolve(const kn_library *library, const kn_def_table *table);
void kni_functions_free(kn_library *library);
void kni_kinds_hash(const kn_library *library, kni_hash *hash);
// Registers the types of target data that every library has.
kn_result kni_targets_init(kn_library *library);
// Registers the kinds of commands that every library has.
kn_result kni_commands_init(kn_library *library);
// Why a payload of a kind of command is not valid, or NULL.
const char *kni_command_payload_problem(
    const kn_library *library, const kni_command_type *type, const void *payload);
// References inside plain bytes, so that a save can hold names in their place. On the way numbers
// change from the byte order of the machine to that of saves and hashes, or back.
typedef struct kni_ref_walk {
    // Replaces an index + 1 by another number. False ends the walk.
    bool (*visit)(void *user, kn_def_kind kind, uint32_t *number);
    // The same for the number of a word; NULL: it stays.
    bool (*word)(void *user, const kn_def_field *field, uint32_t *number);
    void *user;
    bool is_saving; // the bytes hold numbers of this library before the visit; when loading, after
                    // it
} kni_ref_walk;

static inline bool kni_ref_walk_at(const kni_ref_walk *walk, kn_def_kind kind, uint8_t *at)
{
    uint32_t number = (uint32_t)kni_field_load(at, 4);
    bool ok = walk->visit(walk->user, kind, &number);
    kni_field_store(at, 4, number);
    return ok;
}

// One that stands alone, not in a struct that is turned round as a whole.
static inline bool kni_ref_walk_alone(const kni_ref_walk *walk, kn_def_kind kind, uint8_t *at)
{
    if (!walk->is_saving) {
        kni_order(at, 4);
    }
    bool ok = kni_ref_walk_at(walk, kind, at);
    if (walk->is_saving) {
        kni_order(at, 4);
    }
    return ok;
}

// Those of a field of a struct that the host describes, and of target data; false for what is
// malformed.
bool kni_field_refs(const kn_def_field *field, uint8_t *record, const kni_ref_walk *walk);
bool kni_target_refs(
    const kn_library *library, uint8_t *bytes, uint32_t size, const kni_ref_walk *walk);
// Checks how exactly a number is sent.
kn_result kni_wire_check(const char *what, const char *name, const kn_wire *wire, kn_error *error);
// Checks that the fields of a struct that the host describes cover it without gap or overlap.
kn_result kni_public_fields_check(const kn_library *library, const char *what, const char *name,
    const kn_field *fields, uint32_t count, uint32_t size, kn_error *error);
// Makes the table for fields that were checked. False when out of memory.
bool kni_fields_make(kn_library *library, const char *name, const kn_field *fields, uint32_t count,
    uint32_t size, kni_fields *out);
// Undoes the last registration of a kind when there is no memory for what its item needs besides.
kn_result kni_register_no_memory(kn_library *library, kn_def_kind kind, kn_error *error);
// Whether every enum of a struct has one of its words.
bool kni_words_are_good(const kni_fields *fields, const uint8_t *record);

// Words (words.c).
#define KNI_WORDS_MAX 256
kn_result kni_words_check(
    const char *what, const char *name, const kn_field *field, kn_error *error);
kn_result kni_refers_check(const kn_library *library, const char *what, const char *name,
    const kn_field *field, kn_error *error);
// The library's list for words that were checked; NULL when out of memory. Valid until the next
// one is kept; its names are valid as long as the library.
const kni_words *kni_words_keep(kn_library *library, const char *text);
void kni_words_free(kni_memory *memory, kni_words *words);
// A word by its number among all of them.
const char *kni_word_name(const kn_library *library, uint32_t number);

#define KNI_STATE_MAX 4096
// Checks the state of a def before it is registered: not too large, and covered by its fields, if
// any.
kn_result kni_state_check(const kn_library *library, const char *what, const char *name,
    uint32_t size, const kn_field *fields, uint32_t count, kn_error *error);
// Makes the field table for the state of what was registered last. When out of memory, undoes the
// registration.
kn_result kni_state_make(kn_library *library, kn_def_kind kind, kni_fields *state, uint32_t size,
    const kn_field *fields, uint32_t count, kn_error *error);

static inline float kni_curve_value(const kn_library *library, kn_curve_id curve, float x)
{
    return curve.index1 == 0 ? 1.0f : kn_curve_at(library, curve, x);
}

#endif
