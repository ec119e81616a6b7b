// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A scenario in memory. Everything a file says (an entity, an action, an expectation, an event to
// wait for, a measure) is a part: one wide struct whose fields are filled by one table of readers.
// A form says which fields a part of that kind may have.
#ifndef SCENARIO_TYPES_H
#define SCENARIO_TYPES_H

#include "knack/scenario.h"

#include "loader.h"
#include "shapes.h"

// What a name of a scenario stands for.
typedef enum kni_name_kind {
    KNI_NAME_ENTITY,
    KNI_NAME_EFFECT,
    KNI_NAME_SPEC,
    KNI_NAME_ABILITY,
    KNI_NAME_ACTIVATION,
    KNI_NAME_TIMER,
    KNI_NAME_KIND_COUNT,
} kni_name_kind;

typedef struct kni_scenario_name {
    const char *text;
    kni_name_kind kind;
} kni_scenario_name;

// An effect or ability: by a name of the scenario, or by its type. Names are numbers from 1.
typedef struct kni_thing {
    uint32_t name;
    uint32_t type;
} kni_thing;

typedef struct kni_tag_amount {
    kn_tag tag;
    bool has_count;
    uint32_t count;
} kni_tag_amount;

typedef struct kni_tag_amounts {
    kni_tag_amount *data;
    uint32_t count;
} kni_tag_amounts;

// By how much a number may differ.
typedef struct kni_tolerance {
    bool is_given; // here, not for the whole file
    bool is_share; // of the number that is expected
    float amount;
} kni_tolerance;

// What a number has to be.
typedef struct kni_bounds {
    bool has_value, has_base, has_above, has_below, has_least, has_most;
    float value, base, above, below, least, most;
    kni_tolerance tolerance;
} kni_bounds;

typedef struct kni_attribute_bounds {
    kn_attribute_id attribute;
    kni_bounds bounds;
} kni_attribute_bounds;

typedef struct kni_attribute_list {
    kni_attribute_bounds *data;
    uint32_t count;
} kni_attribute_list;

typedef struct kni_ids {
    uint32_t *data;
    uint32_t count;
} kni_ids;

// An ability or effect with a level, for entities.
typedef struct kni_levelled {
    uint32_t type;
    float level;
    uint32_t input;
} kni_levelled;

typedef struct kni_levelled_list {
    kni_levelled *data;
    uint32_t count;
} kni_levelled_list;

typedef struct kni_caller_list {
    kn_caller_value *data;
    uint32_t count;
} kni_caller_list;

typedef struct kni_texts {
    const char **data;
    uint32_t count;
} kni_texts;

typedef struct kni_named_list {
    kn_named_value *data;
    uint32_t count;
} kni_named_list;

// Keys of a mapping; each is read the same way wherever it is allowed.
typedef enum kni_key {
    KNI_KEY_ABILITIES,
    KNI_KEY_ABILITY,
    KNI_KEY_ABILITY_SET,
    KNI_KEY_ABILITY_TAGS,
    KNI_KEY_ABILITY_TYPE,
    KNI_KEY_ABOVE,
    KNI_KEY_ACTION,
    KNI_KEY_ACTIVATION,
    KNI_KEY_ACTIVATION_MODE,
    KNI_KEY_ACTIVE,
    KNI_KEY_ADD,
    KNI_KEY_ADD_CHARGES,
    KNI_KEY_AGE,
    KNI_KEY_ALIVE,
    KNI_KEY_ARCHETYPE,
    KNI_KEY_ANSWER,
    KNI_KEY_AS,
    KNI_KEY_ASSET_TAGS,
    KNI_KEY_AS_SERVER,
    KNI_KEY_AT,
    KNI_KEY_ATTRIBUTE,
    KNI_KEY_ATTRIBUTES,
    KNI_KEY_AT_LEAST,
    KNI_KEY_AT_MOST,
    KNI_KEY_AVATAR,
    KNI_KEY_BASE,
    KNI_KEY_BELOW,
    KNI_KEY_BLOCK_KEY,
    KNI_KEY_CALLER_VALUES,
    KNI_KEY_CANCEL,
    KNI_KEY_CAP,
    KNI_KEY_CAUSER,
    KNI_KEY_CHARGES,
    KNI_KEY_CLOSED,
    KNI_KEY_COMMAND,
    KNI_KEY_COMPONENT,
    KNI_KEY_CONFIRM,
    KNI_KEY_CONNECTION,
    KNI_KEY_CONTAINER,
    KNI_KEY_CONTEXT,
    KNI_KEY_COOLDOWN,
    KNI_KEY_COOLDOWN_KEY,
    KNI_KEY_COOLDOWN_TAGS,
    KNI_KEY_COSTS,
    KNI_KEY_COUNT,
    KNI_KEY_COUNTS,
    KNI_KEY_CUE,
    KNI_KEY_CUSTOM,
    KNI_KEY_DELAY,
    KNI_KEY_DURATION,
    KNI_KEY_EFFECT,
    KNI_KEY_EFFECTS,
    KNI_KEY_EFFECT_COUNT,
    KNI_KEY_EFFECT_TYPE,
    KNI_KEY_END_REASON,
    KNI_KEY_ENTITY,
    KNI_KEY_ERROR,
    KNI_KEY_EVENT,
    KNI_KEY_EVENT_TAKE,
    KNI_KEY_EVENT_TYPE,
    KNI_KEY_EXACT_TAGS,
    KNI_KEY_EXECUTE,
    KNI_KEY_EXECUTIONS,
    KNI_KEY_EXISTS,
    KNI_KEY_EXPECT,
    KNI_KEY_EXPLANATION,
    KNI_KEY_FACING,
    KNI_KEY_FACTOR,
    KNI_KEY_FIELDS,
    KNI_KEY_FLOOR,
    KNI_KEY_FROM,
    KNI_KEY_GAINED,
    KNI_KEY_GRANTED,
    KNI_KEY_GRANTED_TAGS,
    KNI_KEY_GROUP,
    KNI_KEY_HAPPENED,
    KNI_KEY_HASH,
    KNI_KEY_HIDE,
    KNI_KEY_IGNORE_GATES,
    KNI_KEY_INHIBITED,
    KNI_KEY_INPUT,
    KNI_KEY_INSTANCE,
    KNI_KEY_INSTIGATOR,
    KNI_KEY_INTERRUPTED,
    KNI_KEY_JOINED,
    KNI_KEY_KEEP_CAPTURES,
    KNI_KEY_KEY,
    KNI_KEY_KIND,
    KNI_KEY_LEVEL,
    KNI_KEY_LINE,
    KNI_KEY_LOCATION,
    KNI_KEY_LOOSE_ORIGIN,
    KNI_KEY_LOST,
    KNI_KEY_MACHINE,
    KNI_KEY_MAGNITUDE,
    KNI_KEY_MEASURE,
    KNI_KEY_MEETS_TAGS,
    KNI_KEY_MODE,
    KNI_KEY_NEXT,
    KNI_KEY_NO_TAGS,
    KNI_KEY_OBJECT,
    KNI_KEY_OLD,
    KNI_KEY_OLD_COUNT,
    KNI_KEY_ON,
    KNI_KEY_ORIGIN,
    KNI_KEY_ORIGIN_POINT,
    KNI_KEY_OTHER,
    KNI_KEY_OUTCOME,
    KNI_KEY_OWNER,
    KNI_KEY_PAID,
    KNI_KEY_PARAMETERS,
    KNI_KEY_PARENT,
    KNI_KEY_PART,
    KNI_KEY_PARTS,
    KNI_KEY_PAYLOAD,
    KNI_KEY_PERIOD,
    KNI_KEY_PER_SECOND,
    KNI_KEY_POSITION,
    KNI_KEY_PRESSED,
    KNI_KEY_QUERY,
    KNI_KEY_RADIUS,
    KNI_KEY_READY,
    KNI_KEY_REASON,
    KNI_KEY_REFRESH,
    KNI_KEY_REFUSED,
    KNI_KEY_REMAINING,
    KNI_KEY_REMOVAL,
    KNI_KEY_RESET,
    KNI_KEY_RESTART,
    KNI_KEY_REVOKED,
    KNI_KEY_SEQUENCE_NUMBER,
    KNI_KEY_SETS,
    KNI_KEY_SHARE,
    KNI_KEY_SHARED,
    KNI_KEY_SHOW,
    KNI_KEY_SPEC,
    KNI_KEY_STACKS,
    KNI_KEY_STARTED_WITH,
    KNI_KEY_STATE,
    KNI_KEY_SYNC,
    KNI_KEY_SYNC_MODE,
    KNI_KEY_TAG,
    KNI_KEY_TAGS,
    KNI_KEY_TAG_COUNTS,
    KNI_KEY_TAKE,
    KNI_KEY_TARGET,
    KNI_KEY_TARGETS,
    KNI_KEY_TARGET_DATA,
    KNI_KEY_TASK,
    KNI_KEY_TASKS,
    KNI_KEY_TASK_NAME,
    KNI_KEY_TIMER,
    KNI_KEY_TIMER_TYPE,
    KNI_KEY_TIMES,
    KNI_KEY_TO,
    KNI_KEY_TOLERANCE,
    KNI_KEY_TOTAL,
    KNI_KEY_TRANSIENT,
    KNI_KEY_USER,
    KNI_KEY_VALID,
    KNI_KEY_VALUE,
    KNI_KEY_VALUES,
    KNI_KEY_WHY,
    KNI_KEY_WITHOUT,
    KNI_KEY_COUNT_OF_KEYS,
} kni_key;

// What a measure takes of what it looks at.
typedef enum kni_take {
    KNI_TAKE_VALUE,
    KNI_TAKE_BASE,
    KNI_TAKE_LOST,
    KNI_TAKE_GAINED,
    KNI_TAKE_LOWEST,
    KNI_TAKE_HIGHEST,
    KNI_TAKE_COUNT,
    KNI_TAKE_SUM,
    KNI_TAKE_FIRST,
    KNI_TAKE_LAST,
    KNI_TAKE_HAPPENED,
    KNI_TAKE_KINDS,
} kni_take;

typedef struct kni_part kni_part;

// Numbers that a machine counts.
typedef enum kni_counter {
    KNI_COUNTER_ACCEPTED,
    KNI_COUNTER_REFUSED,
    KNI_COUNTER_CORRECTIONS,
    KNI_COUNTER_CORRECTED,
    KNI_COUNTER_RESIMULATED,
    KNI_COUNTER_REVOKED,
    KNI_COUNTER_RESYNCS,
    KNI_COUNTER_LATE,
    KNI_COUNTER_BAD,
    KNI_COUNTER_LEAD,
    KNI_COUNTER_VISIBLE,
    KNI_COUNTER_OUT_OF_SIGHT,
    KNI_COUNTER_MESSAGES_SENT,
    KNI_COUNTER_MESSAGES_RECEIVED,
    KNI_COUNTER_BYTES_SENT,
    KNI_COUNTER_BYTES_RECEIVED,
    KNI_COUNTER_STATE_BYTES,
    KNI_COUNTER_KINDS,
} kni_counter;

typedef struct kni_counter_bounds {
    kni_counter counter;
    kni_bounds bounds;
} kni_counter_bounds;

typedef struct kni_counter_list {
    kni_counter_bounds *data;
    uint32_t count;
} kni_counter_list;

// Changes of the network, for one machine each; in scenario_machines.h.
typedef struct kni_link_changes kni_link_changes;
// Settings of the machines of a scenario; in scenario_machines.h.
typedef struct kni_machines kni_machines;

// A call of a function that the library has for scripts; see scenario_call.h.
typedef struct kni_call {
    const kn_function_def *function;
    kni_node node;      // the whole
    kni_node arguments; // a mapping, what it is called on, or none
    kni_node returns;   // what it must return; none: anything
    bool has_entity;    // it is called on the entity of the expectation
    bool is_refused;    // it must be refused, as `refused` says
    bool is_nothing;    // it must return nothing, or be refused
    uint32_t refused;   // kn_result
} kni_call;

typedef struct kni_call_list {
    kni_call *data;
    uint32_t count;
} kni_call_list;

// The commands of a batch.
typedef struct kni_part_list {
    kni_part *data;
    uint32_t count;
} kni_part_list;

struct kni_part {
    kni_place place;
    uint32_t verb;     // of an action: which form
    uint64_t given[3]; // bit per kni_key
    // names of the scenario, from 1
    uint32_t as, entity, to, from, causer, instigator, owner, parent, avatar, other, target;
    uint32_t spec, activation, timer;
    kni_thing effect, ability;
    // registered things, from 1
    uint32_t archetype, container, ability_set, kind, attribute, transient, tag, cue, cooldown_key,
        timer_type, task_name, component, context, custom;
    kn_tags tags, asset_tags, granted_tags, no_tags, without, ability_tags, cooldown_tags;
    kni_tag_amounts tag_counts, exact_tags;
    kni_ids sets, targets;
    kni_levelled_list abilities, effects;
    kni_attribute_list attributes, costs, paid;
    kni_caller_list caller_values;
    kni_named_list parameters;
    kni_texts explanation;
    kni_node fields, state, payload, target_data; // read when it is known what they are of
    const char *group;
    const char *why; // part of a text
    const kn_tag_query *query;
    const kni_part *event; // of an activation or input
    const kni_part *started_with;
    kni_bounds bounds; // value, base, above ...
    float level, lost, gained, magnitude, outcome, share, factor, radius, old;
    kn_time age, at, delay, next, duration, period, remaining, total, restart, add, cap, floor,
        cooldown;
    uint32_t stacks, count, happened, old_count, effect_count, times, input, instance, key, charges,
        executions;
    uint32_t confirm, cancel, mode, connection, tasks, measure, line;
    uint32_t command;         // index + 1 of its kind
    kni_part_list parts;      // of a batch
    uint32_t sequence_number; // of a command
    int32_t add_charges;
    uint64_t object, user, hash, block_key;
    kn_vec3 position, facing, location, origin_point;
    bool active, alive, exists, granted, inhibited, ready, ignore_gates, execute, refresh, reset;
    bool shared, on, meets_tags, per_second, interrupted, pressed, valid, keep_captures;
    bool is_never;    // below `never`
    uint32_t result;  // kn_result: `expect` of an action
    uint32_t refused; // kn_fail bits
    // words
    uint32_t reason, end_reason, removal, origin, commit_part, cue_action, event_type, take, task,
        activation_mode;
    uint32_t error;      // kn_result
    uint32_t machine;    // 0: the server
    uint32_t controller; // machine that controls the entity, from 1; 0: none
    uint32_t answer;     // kn_result: what the server says to a command
    uint32_t closed;     // kn_close_reason
    uint32_t sync;       // kn_sync_mode
    uint32_t as_server;  // kn_part bits
    kni_ids hide, show;
    kni_counter_list counters;
    const kni_link_changes *links;
    bool joined, revoked;
    kni_call_list calls; // of an action one
    uint32_t watch;      // 1-based: what counts the events of this pattern
};

static inline bool kni_part_has(const kni_part *part, kni_key key)
{
    return (part->given[(uint32_t)key / 64] >> ((uint32_t)key % 64) & 1) != 0;
}

// Actions, in the order of the table in scenario_tables.c.
typedef enum kni_verb {
    KNI_VERB_ACTIVATE,
    KNI_VERB_ADD_SETS,
    KNI_VERB_ADD_TAGS,
    KNI_VERB_AIM,
    KNI_VERB_APPLY,
    KNI_VERB_BIND,
    KNI_VERB_BLOCK,
    KNI_VERB_CANCEL,
    KNI_VERB_CANCEL_INPUT,
    KNI_VERB_CHANGE,
    KNI_VERB_CHANGE_SPEC,
    KNI_VERB_CHARGES,
    KNI_VERB_COMMIT,
    KNI_VERB_CONFIRM,
    KNI_VERB_CONTAINER,
    KNI_VERB_CUE,
    KNI_VERB_DESTROY,
    KNI_VERB_DESTROY_SPEC,
    KNI_VERB_END,
    KNI_VERB_FREEZE,
    KNI_VERB_GRANT,
    KNI_VERB_GRANT_ONCE,
    KNI_VERB_INIT,
    KNI_VERB_ISSUE,
    KNI_VERB_JOIN,
    KNI_VERB_LEAVE,
    KNI_VERB_MOVE,
    KNI_VERB_MOVEMENT,
    KNI_VERB_NETWORK,
    KNI_VERB_OVERLAP,
    KNI_VERB_PRESS,
    KNI_VERB_PROVIDE,
    KNI_VERB_REFUND,
    KNI_VERB_RELATE,
    KNI_VERB_RELEASE,
    KNI_VERB_REMOVE,
    KNI_VERB_REMOVE_CUES,
    KNI_VERB_REMOVE_SETS,
    KNI_VERB_REMOVE_TAGS,
    KNI_VERB_RESCHEDULE,
    KNI_VERB_REVOKE,
    KNI_VERB_RUN,
    KNI_VERB_SEND,
    KNI_VERB_SET,
    KNI_VERB_SET_LEVEL,
    KNI_VERB_SET_TAGS,
    KNI_VERB_SIGHT,
    KNI_VERB_SPAWN,
    KNI_VERB_SPEC,
    KNI_VERB_START_TIMER,
    KNI_VERB_STOP_TIMER,
    KNI_VERB_SUPPRESS_CUES,
    KNI_VERB_SYNC,
    KNI_VERB_UNBLOCK,
    KNI_VERB_COUNT,
} kni_verb;

// An action that is a function of the library.
#define KNI_VERB_CALL ((uint32_t)KNI_VERB_COUNT)

const char *kni_verb_name(uint32_t verb);

typedef enum kni_form {
    KNI_FORM_ENTITY,
    KNI_FORM_EXPECTATION,
    KNI_FORM_CUE,
    KNI_FORM_RECORD, // the event of an activation
    KNI_FORM_MEASURE,
    KNI_FORM_BOUNDS,  // of an attribute
    KNI_FORM_ABILITY, // of an entity
    KNI_FORM_EFFECT,  // of an entity
    KNI_FORM_PART,    // of a batch
    KNI_FORM_COUNT,
} kni_form;

// Something at a time.
typedef struct kni_item {
    kn_time time;
    kn_time every; // 0: once
    kn_time until; // the last time, with `every`
    bool is_action;
    uint32_t part;
} kni_item;

typedef struct kni_parts {
    kni_part *data;
    uint32_t count, capacity;
} kni_parts;

typedef struct kni_variant {
    const char *name;
    kni_parts changed; // entities that are different; `as` says which
    bool has_seed;
    uint64_t seed;
    int64_t step_parts, step_divisor; // 0: as in the scenario
    kni_parts expectations;
} kni_variant;

typedef struct kni_measure {
    const char *name;
    kni_part part;
} kni_measure;

struct kn_scenario {
    kn_scenario_def def;
    kni_report *report;
    kni_arena arena; // everything below that is not an array of its own
    kni_document *document;
    kn_library *own_library;
    const kn_library *library;
    const char **sources; // files and folders, in the arena
    uint32_t source_count, source_capacity;
    const char *title;
    bool is_good;
    bool no_memory;

    uint64_t seed, task_limit;
    int64_t step_parts; // a step is parts / divisor microseconds
    int64_t step_divisor;
    bool has_grid;
    bool has_motion; // bodies are moved by it
    float cell_size;
    kn_time start, end;
    uint32_t checks;
    kni_tolerance tolerance; // where none is given

    // Clients; without any there is only one world. What they are set to is known where there is a
    // network.
    const char **machine_names;
    uint32_t machine_count;
    const kn_time *machine_joins; // when each begins to join
    uint32_t machine_rate;        // ticks per second
    kni_machines *machines;

    kni_scenario_name *names;
    uint32_t name_count, name_capacity;
    uint32_t *name_map; // open addressing by text: index + 1
    uint32_t name_map_capacity;
    kni_parts entities; // the first names, in this order
    kni_parts actions;
    kni_parts expectations; // of the timeline
    kni_parts final;        // at the end
    kni_parts always, never;
    kni_parts events, cues; // in order
    kni_item *items;        // by time, then as written
    uint32_t item_count, item_capacity;
    kni_variant *variants;
    uint32_t variant_count, variant_capacity;
    kni_measure *measures;
    uint32_t measure_count, measure_capacity;
    uint32_t watch_count; // patterns whose events are counted
};

// Messages of loading.
void kni_scenario_error(kn_scenario *scenario, kni_node node, const char *format, ...)
    KN_PRINTF(3, 4);
void kni_scenario_key_error(kn_scenario *scenario, kni_node node, const char *format, ...)
    KN_PRINTF(3, 4);
// "there is no <what> `word`", with the nearest of the words if one is near.
void kni_scenario_unknown(kn_scenario *scenario, const kni_place *place, const char *what,
    const char *word, const char *const *words, uint32_t count);

// The same with all the words, also if one is like it.
void kni_scenario_unknown_of(kn_scenario *scenario, const kni_place *place, const char *what,
    const char *word, const char *const *words, uint32_t count);

// Whether a node is a mapping; reports an error if it is not.
bool kni_scenario_mapping(kn_scenario *scenario, kni_node node);

// Reading, in scenario_read.c and scenario_forms.c. False with messages. A part that holds
// something already is changed where the node says so. One key alone.
bool kni_key_read(kn_scenario *scenario, uint8_t key, kni_node node, kni_part *part);
// `5 %` or `0.05`: from 0 to 1.
bool kni_share_read(kn_scenario *scenario, kni_node node, float *out);
// A list of names of entities.
bool kni_names_read(kn_scenario *scenario, kni_node node, kni_ids *out);
bool kni_tolerance_read(kn_scenario *scenario, kni_node node, kni_tolerance *out);
bool kni_part_read(kn_scenario *scenario, kni_form form, kni_node node, kni_part *part);
bool kni_action_read(kn_scenario *scenario, uint32_t verb, kni_node node, kni_part *part);
// What kind of thing `as` of an action names; KNI_NAME_KIND_COUNT for an action without.
kni_name_kind kni_action_names(const char *verb);
// Registers a name; reports an error if it already stands for another kind of thing.
void kni_name_add(
    kn_scenario *scenario, const kni_place *place, kni_name_kind kind, const char *text);
uint32_t kni_name_find(const kn_scenario *scenario, kni_name_kind kind, const char *text);
bool kni_part_add(kn_scenario *scenario, kni_parts *parts, const kni_part *part);
bool kni_words_equal(const char *a, const char *b);
// "blocked" for KN_REFUSED_BLOCKED.
const char *kni_result_word(kn_result result, char *text, size_t size);

#endif
