// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The words of scenario files: every key with how its value is read and what it means, every form
// with the keys it may have. Reading, messages and the schema all go by these tables.
#ifndef SCENARIO_TABLES_H
#define SCENARIO_TABLES_H

#include "scenario_types.h"

#define KNI_KEYS_END 255
#define KNI_CELL_MIN 1e-3f // of a grid
#define KNI_CELL_MAX 1e6f

// How the value of a key is read.
typedef enum kni_reader {
    KNI_READ_ABILITY, // a name or a type
    KNI_READ_AS,
    KNI_READ_ATTRIBUTES, // what numbers have to be
    KNI_READ_BOOL,
    KNI_READ_BOUND,
    KNI_READ_CALLER_VALUES,
    KNI_READ_CONNECTION, // a number, or with machines one of them
    KNI_READ_COUNTERS,   // of a machine
    KNI_READ_EFFECT,     // a name or a type
    KNI_READ_EVENT,
    KNI_READ_F32,
    KNI_READ_FAILS,
    KNI_READ_FIELDS, // names and values, or a list of values
    KNI_READ_HASH,
    KNI_READ_I32,
    KNI_READ_LEVELLED, // of a kind
    KNI_READ_MACHINE,  // with a kind, only clients
    KNI_READ_MEASURE,
    KNI_READ_NAME,   // of a kind
    KNI_READ_NAMES,  // of entities
    KNI_READ_NOBODY, // an entity, or nobody
    KNI_READ_PARAMETERS,
    KNI_READ_PARTS, // of a batch
    KNI_READ_QUERY,
    KNI_READ_STATE_PARTS, // true, or a list of them
    KNI_READ_TAG_COUNTS,
    KNI_READ_TAGS,
    KNI_READ_RECORDS, // of target data
    KNI_READ_TEXT,
    KNI_READ_TEXTS,
    KNI_READ_TIME,
    KNI_READ_TOLERANCE,
    KNI_READ_TYPE,  // of a kind
    KNI_READ_TYPES, // of a kind
    KNI_READ_U32,
    KNI_READ_U64,
    KNI_READ_VALUES, // attributes and numbers
    KNI_READ_VECTOR,
    KNI_READ_WORD, // of a list
} kni_reader;

typedef struct kni_key_info {
    const char *name;
    kni_reader reader;
    size_t offset; // in kni_part
    // Of names, types or words; the most that a number may be, 0 for no limit; of a bound, where in
    // kni_part it is noted that it was given; of fields, whether they are a list.
    size_t kind;
    const char *doc;
} kni_key_info;

extern const kni_key_info kni_keys[KNI_KEY_COUNT_OF_KEYS];

typedef struct kni_form_info {
    const char *name;
    const char *doc;
    uint8_t scalar;      // the key a scalar stands for; KNI_KEYS_END: none
    kni_name_kind names; // what `as` is
    uint8_t required[2]; // KNI_KEYS_END: none
    uint8_t any[12];     // one of these is needed; ended by KNI_KEYS_END
    uint8_t keys[112];   // ended by KNI_KEYS_END
} kni_form_info;

extern const kni_form_info kni_verbs[KNI_VERB_COUNT];
extern const kni_form_info kni_forms[KNI_FORM_COUNT];

// Events: which keys a pattern may have depends on the type. Every type is in one row.
typedef struct kni_event_row {
    kn_event_type first, last;
    uint8_t keys[16]; // besides those that every event has; ended by KNI_KEYS_END
} kni_event_row;

extern const kni_event_row kni_event_rows[];
extern const uint32_t kni_event_row_count;

// What a pattern of events is for, which gives it further keys.
typedef enum kni_pattern_use {
    KNI_PATTERN_EXPECTED, // how often
    KNI_PATTERN_SEQUENCE,
    KNI_PATTERN_MEASURE,
} kni_pattern_use;

// The form of patterns of the events of a row.
kni_form_info kni_event_form(const kni_event_row *row, kni_pattern_use use);
const kni_event_row *kni_event_row_of(uint32_t type);
// Reads such a pattern, in scenario_read.c. False with messages.
bool kni_pattern_read(kn_scenario *scenario, kni_pattern_use use, kni_node node, kni_part *part);
bool kni_event_row_has(const kni_event_row *row, kni_key key);

// A key of an expectation and what it may belong to: one of these must be there, too.
typedef struct kni_belonging {
    uint8_t key;
    uint8_t to[7]; // ended by KNI_KEYS_END
} kni_belonging;

extern const kni_belonging kni_belongings[];
extern const uint32_t kni_belonging_count;

// The key of a form by name; KNI_KEYS_END for none.
uint8_t kni_form_key(const kni_form_info *form, const char *name);
// KNI_VERB_COUNT for none.
uint32_t kni_verb_find(const char *name);

// Kinds of values of a payload, in scenario_fields.c.
typedef struct kni_payload_kind {
    const char *word;
    kn_field_kind kind;
} kni_payload_kind;

extern const kni_payload_kind kni_payload_kinds[];
extern const uint32_t kni_payload_kind_count;

// Lists of words --------------------------------------------------------------

typedef enum kni_word_list {
    KNI_WORDS_CHECK,
    KNI_WORDS_CLOSED,
    KNI_WORDS_COMMIT,
    KNI_WORDS_COUNTER,
    KNI_WORDS_CUE_ACTION,
    KNI_WORDS_END_REASON, // of an activation
    KNI_WORDS_EVENT_TAKE, // the number to take of events
    KNI_WORDS_EVENT_TYPE,
    KNI_WORDS_FAIL,
    KNI_WORDS_LOOSE_ORIGIN, // the first of the next
    KNI_WORDS_MODE,
    KNI_WORDS_ORIGIN,
    KNI_WORDS_PRESET, // of network conditions
    KNI_WORDS_REASON, // of the removal of an effect
    KNI_WORDS_REMOVAL,
    KNI_WORDS_RESULT,
    KNI_WORDS_STATE_PART, // of an entity
    KNI_WORDS_SYNC_MODE,
    KNI_WORDS_TAKE,
    KNI_WORDS_TASK,
} kni_word_list;

#define KNI_WORDS_MAX 64
#define KNI_WORD_SIZE 32

typedef struct kni_words {
    const char *what;                 // "reason": there is no reason `x`
    const char *items[KNI_WORDS_MAX]; // NULL or "" where there is none
    uint32_t count;
    char texts[KN_RESULT_COUNT][KNI_WORD_SIZE];
} kni_words;

// What each number that a client counts is.
extern const char *const kni_counter_docs[KNI_COUNTER_KINDS];

void kni_words_of(kni_word_list list, kni_words *words);
// The number of the word that a node has, in scenario_read.c; false, with an error, for none.
bool kni_word_read(kn_scenario *scenario, kni_word_list list, kni_node node, uint32_t *word);

// Keys outside of parts ---------------------------------------------------------

// Mappings with fixed keys.
typedef enum kni_group {
    KNI_GROUP_FILE,
    KNI_GROUP_WORLD,
    KNI_GROUP_ENTRY,  // of the timeline
    KNI_GROUP_ACTION, // besides the verbs
    KNI_GROUP_VARIANT,
    KNI_GROUP_VARIANT_WORLD,
    KNI_GROUP_SERVER,     // a machine
    KNI_GROUP_MACHINE,    // a client, besides its conditions
    KNI_GROUP_CONDITIONS, // of a network
    KNI_GROUP_COUNT,
} kni_group;

typedef enum kni_field {
    KNI_FIELD_SCENARIO,
    KNI_FIELD_COMMENT,
    KNI_FIELD_LIBRARIES,
    KNI_FIELD_LIBRARY,
    KNI_FIELD_WORLD,
    KNI_FIELD_CHECK,
    KNI_FIELD_TOLERANCE,
    KNI_FIELD_MACHINES,
    KNI_FIELD_ENTITIES,
    KNI_FIELD_TIMELINE,
    KNI_FIELD_END,
    KNI_FIELD_EXPECT,
    KNI_FIELD_ALWAYS,
    KNI_FIELD_NEVER,
    KNI_FIELD_EVENTS,
    KNI_FIELD_CUES,
    KNI_FIELD_HASH,
    KNI_FIELD_MEASURE,
    KNI_FIELD_VARIANTS,
    KNI_FIELD_WORLD_SEED,
    KNI_FIELD_WORLD_STEP,
    KNI_FIELD_WORLD_START,
    KNI_FIELD_WORLD_GRID,
    KNI_FIELD_WORLD_MOTION,
    KNI_FIELD_WORLD_TASK_LIMIT,
    KNI_FIELD_ENTRY_AT,
    KNI_FIELD_ENTRY_AFTER,
    KNI_FIELD_ENTRY_EVERY,
    KNI_FIELD_ENTRY_FROM,
    KNI_FIELD_ENTRY_UNTIL,
    KNI_FIELD_ENTRY_DO,
    KNI_FIELD_ENTRY_EXPECT,
    KNI_FIELD_ENTRY_COMMENT,
    KNI_FIELD_ACTION_ADVANCE,
    KNI_FIELD_ACTION_EXPECT,
    KNI_FIELD_VARIANT_ENTITIES,
    KNI_FIELD_VARIANT_WORLD,
    KNI_FIELD_VARIANT_EXPECT,
    KNI_FIELD_VARIANT_SEED,
    KNI_FIELD_VARIANT_STEP,
    KNI_FIELD_SERVER_RATE,
    KNI_FIELD_SERVER_SEND_EVERY,
    KNI_FIELD_SERVER_MODE,
    KNI_FIELD_SERVER_RELEVANCE_EVERY,
    KNI_FIELD_SERVER_COMMAND_RATE,
    KNI_FIELD_SERVER_BYTES_PER_SECOND,
    KNI_FIELD_SERVER_BURST_BYTES,
    KNI_FIELD_SERVER_TIMEOUT,
    KNI_FIELD_MACHINE_JOIN,
    KNI_FIELD_MACHINE_LEAVE,
    KNI_FIELD_MACHINE_HIDE,
    KNI_FIELD_MACHINE_MARGIN,
    KNI_FIELD_MACHINE_LEAD_MAX,
    KNI_FIELD_MACHINE_TIMEOUT,
    KNI_FIELD_MACHINE_UP,
    KNI_FIELD_MACHINE_DOWN,
    KNI_FIELD_CONDITION_PRESET,
    KNI_FIELD_CONDITION_LATENCY,
    KNI_FIELD_CONDITION_JITTER,
    KNI_FIELD_CONDITION_LOSS,
    KNI_FIELD_CONDITION_BURST_ENTER,
    KNI_FIELD_CONDITION_BURST_LEAVE,
    KNI_FIELD_CONDITION_BURST_LOSS,
    KNI_FIELD_CONDITION_DUPLICATE,
    KNI_FIELD_CONDITION_REORDER,
    KNI_FIELD_CONDITION_REORDER_DELAY,
    KNI_FIELD_CONDITION_CORRUPT,
    KNI_FIELD_CONDITION_BYTES_PER_SECOND,
    KNI_FIELD_CONDITION_QUEUE_BYTES,
    KNI_FIELD_COUNT,
} kni_field;

// What the schema says of a value.
typedef enum kni_value {
    KNI_VALUE_ACTIONS,
    KNI_VALUE_ANY,
    KNI_VALUE_BOOL,
    KNI_VALUE_CHECKS,
    KNI_VALUE_CONDITIONS,
    KNI_VALUE_COUNT,
    KNI_VALUE_CUES,
    KNI_VALUE_ENTITIES,
    KNI_VALUE_EVENTS,
    KNI_VALUE_EXPECTATIONS,
    KNI_VALUE_GRID,
    KNI_VALUE_HASH,
    KNI_VALUE_LIBRARY,
    KNI_VALUE_MACHINES,
    KNI_VALUE_MEASURES,
    KNI_VALUE_NAMES,
    KNI_VALUE_PATHS,
    KNI_VALUE_PRESET,
    KNI_VALUE_SEED,
    KNI_VALUE_SHARE,
    KNI_VALUE_STEP,
    KNI_VALUE_SYNC_MODE,
    KNI_VALUE_TEXT,
    KNI_VALUE_TIME,
    KNI_VALUE_TIMELINE,
    KNI_VALUE_TOLERANCE,
    KNI_VALUE_VARIANT_ENTITIES,
    KNI_VALUE_VARIANT_WORLD,
    KNI_VALUE_VARIANTS,
    KNI_VALUE_WORLD,
} kni_value;

typedef struct kni_field_info {
    const char *name;
    kni_group group;
    kni_value value;
    const char *doc;
} kni_field_info;

extern const kni_field_info kni_fields[KNI_FIELD_COUNT]; // those of a group in a row

// What a count may be.
typedef struct kni_range {
    uint32_t least, most;
} kni_range;

kni_range kni_field_range(kni_field field);
// What is below a field of a mapping; a node that does not exist if it is not given.
kni_node kni_field_get(kni_node mapping, kni_field field);
// The field of a group that a node has the key of; KNI_FIELD_COUNT, with an error, if there is
// none.
kni_field kni_field_find(kn_scenario *scenario, kni_group group, kni_node node);

#endif
