// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a world. Everything that lives is plain data in pools and in one heap, addressed by
// slot or reference, so that a snapshot is a handful of block copies. Derived data (modifier lists,
// layouts, timers) can be rebuilt from the rest, in order of creation numbers. "slot + 1" means
// that 0 is none.
#ifndef KNI_STATE_H
#define KNI_STATE_H

#include "base/heap.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/slots.h"
#include "base/wheel.h"
#include "library/types.h"
#include "world/log.h"

#include "knack/knack.h"

#include <float.h>

typedef struct kni_entity {
    uint32_t generation; // low half of the creation number; 0 = free
    uint32_t component1; // slot + 1 of its component; an avatar shares its owner's
    uint64_t user;
} kni_entity;

typedef struct kni_value {
    float base;
    float current;
    uint32_t aggregator1; // slot + 1 of the record with its modifiers and dependents, 0 for none
} kni_value;

// Calls that add to a count stop at 65,535; what effects, abilities and children add is always
// counted, so that it can be removed again.
typedef struct kni_tag_row {
    uint16_t tag;
    uint16_t
        count; // of the tag itself, all origins, at most KNI_TAG_COUNT_MAX; see kni_row_count()
    uint32_t total; // count of the tag and of all tags below it
} kni_tag_row;

#define KNI_TAG_COUNT_MAX UINT16_MAX // a `count` of this means this many or more

// Counts that do not come from effects. The rest of a row's count comes from effects.
typedef struct kni_origin_row {
    uint16_t tag;
    uint8_t origin;
    uint8_t sync;
    uint32_t count;
} kni_origin_row;

typedef struct kni_value_link {
    uint32_t value; // index of the transient value
    uint32_t aggregator;
} kni_value_link;

enum {
    KNI_COMPONENT_DYING = 1 << 0,
    KNI_COMPONENT_WATCHED = 1 << 1, // an observer follows its attributes
};

// The ability component of an entity.
typedef struct kni_component {
    kni_ref values; // kni_value[]
    uint32_t layout;
    uint32_t entity;     // slot of the entity that owns it
    uint32_t generation; // generation of that entity, so that its id needs no lookup
    uint32_t flags;
    uint32_t actor1;      // slot + 1 of its kni_actor; 0 until it needs one
    uint32_t version;     // counts changes that may affect the status of abilities; for observers
    uint32_t touched;     // equals world->touch_stamp if it is listed in world->touched
    kni_span effects;     // uint32_t slots, by creation
    uint32_t gate_count;  // active effects with gates
    uint32_t watch_count; // active effects whose conditions read tags of this component
    uint32_t owned_count; // active effects that act on owned entities
    uint32_t edit_count;  // active effects that edit the tags it shows
    kni_span tags;        // kni_tag_row, by tag
    kni_span origins;     // kni_origin_row, by (tag, origin)
    kni_span blocked;     // kni_tag_row, by tag: blocked ability tags
    kni_span dependents;  // uint32_t slots of effects elsewhere that read from here, by creation
    kni_span transients;  // kni_value_link: modifiers on transient values
    kn_entity_id avatar;
    kn_entity_id parent;
    kn_entity_id owner;
    uint32_t connection;
    kni_span owned;         // uint32_t slots of the components it owns, by slot
    uint32_t child1;        // slot + 1 of the first component attached to it; 0 for none
    uint32_t sibling1;      // slot + 1 of the next component with the same parent
    uint32_t sibling_back1; // slot + 1 of the previous one
} kni_component;

// How many effects and tags a new component has room for.
#define KNI_FIRST_EFFECTS 6
#define KNI_FIRST_TAGS 3

// A set in a layout. Components with the same sets share one layout.
typedef struct kni_set_instance {
    uint32_t set;
    uint32_t key;
    uint32_t first; // position of its first attribute among the component's values
} kni_set_instance;

#define KNI_NO_POSITION UINT16_MAX

typedef struct kni_layout {
    kni_set_instance *sets;
    uint32_t set_count;
    uint32_t value_count;
    uint16_t *positions; // by attribute index: its position in the instance with key 0, or
                         // KNI_NO_POSITION
} kni_layout;

enum {
    KNI_ACTIVE_INHIBITED = 1 << 0,
    KNI_ACTIVE_ATTACHED = 1 << 1, // its modifiers, tags and gates are in force
    KNI_ACTIVE_CUES = 1 << 2,     // for cues that need success: they were added
    KNI_ACTIVE_STATE = 0xff,      // mask of the flags that are saved
    KNI_ACTIVE_QUEUED = 1 << 8,   // a recheck of its conditions is in the reaction queue
    KNI_ACTIVE_DENIED = 1 << 9,   // the refusal of a stack was published in this step
    KNI_ACTIVE_REMOVING = 1 << 10,
    KNI_ACTIVE_EXPIRING = 1 << 11, // the entry for its end has left the wheel
    KNI_ACTIVE_CHANGED = 1 << 12,  // its cues are updated at the end of the step
    KNI_ACTIVE_LEAVING = 1 << 13,  // a hook asked for its removal, which is in the reaction queue
    KNI_ACTIVE_LOOSE = 1 << 14,    // one of many effects that are about to be removed together
};

// One active effect: a cache line.
typedef struct kni_effect {
    uint64_t number;     // creation number; its low half is the id's generation; 0 = free
    kn_entity_id source; // the entity it comes from; may be stale
    kn_time start;
    kn_time duration;  // KN_TIME_INFINITE without an end
    kn_time next_tick; // KN_TIME_INFINITE when none is scheduled
    uint16_t type;     // index of its kni_effect_type
    uint16_t flags;
    uint32_t component; // slot of the target's component
    uint32_t stacks;
    float level;
    uint32_t executions;
    uint32_t rare1; // slot + 1 of its kni_rare, 0 for none
} kni_effect;
_Static_assert(sizeof(kni_effect) == 64, "an active effect is one cache line");

typedef struct kni_pair {
    uint32_t key; // tag or name
    float value;
} kni_pair;

// A stack with a timer of its own.
typedef struct kni_stack {
    kn_time start;
    kn_time end;
    kn_entity_id source;
} kni_stack;

// Stacks of an effect that were added on behalf of a holder, such as a parent effect or an
// activation, and are removed when the holder ends.
typedef struct kni_claim {
    uint32_t stacks;     // how many; 0, in saves of older versions, means one
    kn_time start;       // for stacks with timers of their own: when they began
    kn_entity_id source; // and the source they are from
} kni_claim;

// Positions of values of one component, each once.
typedef struct kni_positions {
    uint32_t *data;
    uint32_t count, capacity;
} kni_positions;

typedef struct kni_child_link {
    kn_effect_id effect;
    uint32_t child;  // index of the child in the parent's def
    uint32_t stacks; // with the two fields below, the child's kni_claim
    kn_time start;
    kn_entity_id source;
} kni_child_link;

enum {
    KNI_GIVEN_DURATION = 1 << 0, // given by the caller, so it does not follow attributes
    KNI_GIVEN_PERIOD = 1 << 1,
};

// What only some effects and specs need, kept out of their records.
typedef struct kni_rare {
    kni_span caller;      // kni_pair by tag
    kni_span named;       // kni_pair by name
    kni_span granted;     // uint32_t dynamic granted tags
    kni_span asset;       // uint32_t dynamic asset tags
    kni_span magnitudes;  // float per modifier, unscaled
    kni_span captures;    // float per capture slot; NaN = absent
    kni_span source_tags; // uint32_t tags of the source when the spec was created
    kni_span stacks;      // kni_stack
    kni_span children;    // kni_child_link: effects that are removed with this one
    kni_span targets;     // bytes: target data of the context
    kni_ref state;        // state of the effect's logic
    kni_ref payload;
    uint32_t payload_type; // index + 1 of the context type, 0 without a payload
    uint32_t has_source_tags;
    kn_entity_id instigator;
    kn_entity_id causer;
    kn_ability_id ability;
    kn_activation_id activation;
    uint64_t source_object;
    kn_vec3 origin;
    uint32_t has_origin;
    kn_time period;        // 0 means the period of the type
    kn_time base_duration; // before haste and live changes; for live durations
    kn_time paused;        // time to the next tick while paused, -1 = not paused
    kn_time last_tick;     // when the current period began; while paused, how much of it has passed
    uint64_t off_modifiers;  // bit per modifier: disabled, or its requirement was not met
    uint64_t off_executions; // bit per execution that is disabled
    uint64_t parked;         // bit per grant that is revoked while the effect is inhibited
    float tally_loss;
    float tally_gain;
    float pool;             // amount of a pool that ticks have still to deal
    uint32_t given;         // KNI_GIVEN_*
    uint32_t held;          // stacks that belong to holders (kni_claim)
    uint32_t spare;         // of `held`, the stacks for which the limit had no room
    uint32_t by_connection; // the command behind its activation; 0 for none
    uint32_t by_sequence;
} kni_rare;

// A spec that was created and not yet applied or destroyed.
typedef struct kni_spec {
    uint64_t number;
    kn_entity_id source;
    kn_time duration; // negative: as the def says
    kn_time period;
    uint32_t type; // index of its kni_effect_type
    float level;
    uint32_t stacks;
    uint32_t rare1;
    uint32_t flags; // 1 = ignores gates
    uint32_t unused;
} kni_spec;

enum {
    KNI_MOD_UNMET = 1 << 0,     // its requirement is not met, or it is disabled
    KNI_MOD_LIMITED = 1 << 1,   // its def has a group limit
    KNI_MOD_CONDITION = 1 << 2, // has a condition, which needs an event record
};

// A modifier that acts on a value.
typedef struct kni_mod {
    uint64_t number; // creation number of its effect
    uint32_t effect; // slot of its effect
    float magnitude; // scaled by stacks
    uint16_t modifier;
    uint8_t op;
    uint8_t channel;
    uint8_t flags;
    uint8_t group_rule;
    uint16_t unused;
    uint32_t group;
    int32_t priority;
} kni_mod;

enum {
    KNI_DEPENDS_CAPTURE = 1,   // a capture slot reads the attribute
    KNI_DEPENDS_CONDITION = 2, // a condition reads it
};

typedef struct kni_dependent {
    uint64_t number;
    uint32_t effect;
    uint32_t kinds; // KNI_DEPENDS_*
} kni_dependent;

// The sums of modifiers of one channel, stage by stage.
typedef struct kni_sums {
    float add, multiply, divide, product, final, override;
    int32_t priority; // of the override
    uint32_t has_override;
} kni_sums;

// Of a long list, the sums of the first 64 modifiers are kept, of the first 128, and so on, so that
// adding one more does not visit all of them. The order of a float sum is part of its result: a
// change in the middle discards the sums from there on.
#define KNI_SUMS_STEP 64

// The modifiers on one value, and the effects that follow it.
typedef struct kni_aggregator {
    uint32_t component;
    uint32_t position; // position of the attribute, or index of the transient value
    uint32_t is_transient;
    uint32_t stamp; // number of the propagation that will visit it
    uint32_t is_dirty;
    uint32_t is_divisor_told; // it was reported that its sum of divisors is too close to 0
    kni_span mods;            // kni_mod by (number, modifier)
    kni_span dependents;      // kni_dependent by number
    kni_span sums; // kni_sums of the first 64 modifiers, 128, ...; as far as they are known
    uint32_t unused;
} kni_aggregator;

_Static_assert(sizeof(kni_aggregator) == 64, "a cache line, found by a shift");

// An aggregator that a running propagation will visit.
typedef struct kni_visit {
    uint32_t aggregator;
    uint32_t stamp; // that it had before: of a propagation around this one, which visits it later
} kni_visit;

// A timer that a rule started.
typedef struct kni_rule_timer {
    uint64_t number;
    kn_entity_id entity;
    kn_time time;
    uint32_t type;  // index of its timer type
    uint32_t next1; // slot + 1 of the next timer of the same entity
    uint32_t back1; // slot + 1 of the previous one
    uint32_t unused;
    uint8_t data[KN_TIMER_DATA_SIZE];
} kni_rule_timer;

enum {
    KNI_WATCH_ONCE = 1 << 0,
    KNI_WATCH_HOLDS = 1 << 1, // its condition held when it was last looked at
};

// A watch outside of activations; see watches.c.
typedef struct kni_watch {
    uint64_t number;
    kn_entity_id entity; // that it watches; null: any
    kn_entity_id owner;  // that it ends with as well; may be null
    uint32_t type;       // index of its type
    uint32_t flags;
    float value;
    uint32_t next1; // slot + 1 of the next one in the list of its entity, and the previous
    uint32_t back1;
    uint32_t own_next1; // the same in the list of its owner
    uint32_t own_back1;
    kn_component_type_id component_type; // of its owner, that it ends with as well; may be null
    kn_component_id component;           // which one
    uint8_t data[KN_WATCH_DATA_SIZE];
    kni_span state; // by its type
    uint32_t unused;
} kni_watch;

// The watches of an entity, and those that end with it.
typedef struct kni_watch_list {
    uint32_t first1, last1;
    uint32_t own_first1, own_last1;
} kni_watch_list;

// A block on an ability tag of an entity by somebody outside; see tag_block.c.
typedef struct kni_tag_block {
    uint64_t number;
    kn_entity_id entity; // the owner of the component that it is on
    kn_entity_id source; // that it ends with; may be null
    uint64_t key;
    uint32_t tag;
    uint32_t next1; // slot + 1 of the next one in the list of its entity, and the previous
    uint32_t back1;
    uint32_t by_next1; // the same in the list of its source
    uint32_t by_back1;
    uint32_t unused;
} kni_tag_block;

// The blocks on an entity, and those that it is the source of.
typedef struct kni_tag_block_list {
    uint32_t first1, last1;
    uint32_t by_first1, by_last1;
} kni_tag_block_list;

// A system that a call switched on or off.
typedef struct kni_switch {
    uint32_t system; // index of the system
    uint32_t is_on;
} kni_switch;

// The next run of a system that is on.
typedef struct kni_system_due {
    kn_time time;
    uint32_t rank; // see kni_system_type
} kni_system_due;

// What follows from the switches and the time; see system.c.
typedef struct kni_systems {
    kn_time next;        // the first run of all; KN_TIME_INFINITE for none
    kni_system_due *due; // a heap, with room for all systems of the library
    uint32_t due_count;
    uint32_t *switch1s; // by system: slot + 1 of its switch, 0 for none
} kni_systems;

enum {
    KNI_TIMER_TICK, // fires before the expiry of the same effect at the same time
    KNI_TIMER_EXPIRY,
    KNI_TIMER_RULE,
    KNI_TIMER_CHARGE,
    KNI_TIMER_TASK,
};

// The command behind something; all-zero for none. See kn_prediction_key.
typedef struct kni_key {
    uint32_t connection;
    uint32_t sequence;
} kni_key;

// Why something happens. What a timer of an effect sets off has no parent: it is attributed to the
// effect's source, which takes the place of `parent` and `tag`.
typedef struct kni_cause_record {
    union {
        struct {
            uint32_t parent;
            uint32_t tag; // index + 1 of a tag or, depending on `kind`, of an ability type
        };
        kn_entity_id source; // valid with has_source
    };
    uint8_t kind;
    uint8_t has_source;
    uint16_t depth;
    uint16_t type1;
    uint16_t ability1; // with has_source: index + 1 of the ability type that applied the effect
    kn_entity_id entity;
    union {
        kn_effect_id effect;
        kn_entity_id applier; // for KN_CAUSE_APPLY, when there is no effect yet
        struct {
            uint32_t kind, number1;
        } def;       // for KN_CAUSE_CUSTOM, whose type is in `type1`
        kni_key key; // for KN_CAUSE_COMMAND and KN_CAUSE_TASK
    };
} kni_cause_record;
_Static_assert(sizeof(kni_cause_record) == 32, "two to a cache line: every tick writes one");

// The causes behind a root have no records: they are numbered by the root plus one of these bits.
#define KNI_CAUSE_APPLIED (UINT32_C(1) << 31)
#define KNI_CAUSE_BY_ABILITY (UINT32_C(1) << 30)
#define KNI_CAUSE_LAST (UINT32_C(1) << 29) // a step that would begin above starts at 0 again

typedef enum kni_reaction_kind {
    KNI_REACT_RULE,
    KNI_REACT_RECHECK, // check the conditions of one effect
    KNI_REACT_SPEC,    // apply a stored spec: a child effect
    KNI_REACT_DESTROY, // destroy an entity
    KNI_REACT_REMOVE,  // remove an effect
    KNI_REACT_LET_GO,  // remove the stacks that a claim holds (kni_claim)
    KNI_REACT_WATCH,   // wake a trigger of an ability, or a task
    KNI_REACT_ANSWER,  // deliver a result of a task
    KNI_REACT_CALL,    // a call by a hook that had to wait
    KNI_REACT_NOTICE,  // call a watch
} kni_reaction_kind;

// Calls that wait while a hook runs inside an operation (step/postpone.c).
typedef enum kni_call_kind {
    KNI_CALL_SET_ADD,
    KNI_CALL_SET_REMOVE,
    KNI_CALL_OWNER,
    KNI_CALL_PARENT,
    KNI_CALL_AVATAR,
    KNI_CALL_EFFECT_STACKS,
    KNI_CALL_EFFECT_REMOVE,
    KNI_CALL_ABILITY_REVOKE,
    KNI_CALL_ABILITY_REMOVE,
    KNI_CALL_ABILITY_CANCEL,
    KNI_CALL_ACTIVATION_STOP,
    KNI_CALL_TASK_END,
} kni_call_kind;

// A call that waits. `index1` and `generation` are the id of an effect, ability, activation or
// task.
typedef struct kni_call {
    kni_call_kind kind;
    uint32_t index1, generation;
    kn_entity_id entity;
    kn_entity_id other;
    uint32_t set1;
    uint32_t number; // a key, a count or a way to remove, depending on `kind`
    uint32_t reason;
    kn_cancel cancel; // of KNI_CALL_ABILITY_CANCEL and KNI_CALL_ACTIVATION_STOP
} kni_call;

typedef struct kni_queued {
    kni_reaction_kind kind;
    kn_cause cause;
    kn_entity_id entity; // that it is about; may be null
    union {
        struct { // KNI_REACT_RULE
            uint32_t index;
            kn_reaction reaction;
        } rule;
        struct { // KNI_REACT_RECHECK, KNI_REACT_REMOVE, KNI_REACT_LET_GO
            kn_effect_id id;
            kn_removal_reason reason;
            kni_claim hold; // KNI_REACT_LET_GO
        } effect;
        struct { // KNI_REACT_SPEC
            kn_spec_id id;
            kn_effect_id parent;
            uint32_t child1; // place in the parent's def + 1 if it ends with the parent
        } spec;
        struct {             // KNI_REACT_WATCH
            uint32_t slot;   // of the ability or task
            uint32_t number; // and its number
            bool is_task;
            uint16_t source;   // of an ability's trigger: kn_trigger_source
            uint32_t payload1; // of an event
            kn_reaction reaction;
        } watch;
        struct {             // KNI_REACT_ANSWER
            uint32_t slot;   // of the task
            uint32_t number; // and its number
            uint16_t output; // kn_task_output
            bool ends;
            uint32_t payload1; // bytes of the result
        } answer;
        struct { // KNI_REACT_NOTICE
            kn_watch_id watch;
            kn_reaction reaction;
        } notice;
        kni_call call;     // KNI_REACT_CALL
        bool is_announced; // KNI_REACT_DESTROY: rules were notified
    };
} kni_queued;

// Copies of event records, which stay where they are until the queue is empty; see rule.c.
typedef struct kni_records {
    struct kni_record_chunk {
        uint8_t *bytes;
        size_t size;
    } * chunks;
    uint32_t count, capacity;
    uint32_t at; // the chunk that is being filled, and how much of it is
    size_t used;
} kni_records;

// A running hook of an effect's logic, innermost first. Nested hooks of one effect share one copy
// of its state.
typedef struct kni_logic_frame {
    struct kni_logic_frame *outer;
    kn_effect_id effect;
    uint64_t *state;
} kni_logic_frame;

// An activation that is just ending, innermost first, and why.
typedef struct kni_ending {
    const struct kni_ending *outer;
    kn_activation_id activation;
    const kn_cancel *cancel;
} kni_ending;

// Values that are set at once; while that happens, none is moved by another one's link.
typedef struct kni_init_item {
    uint32_t attribute;
    uint32_t position;
    float value;
    float old; // current value before
} kni_init_item;

typedef struct kni_init {
    uint32_t component;
    uint32_t key;
    kni_init_item *items;
    uint32_t count;
} kni_init;

typedef struct kni_event_buffer {
    kn_event *events;
    uint32_t count, capacity;
    kni_cause_record *causes;
    uint32_t cause_count, cause_capacity;
    uint32_t cause_base; // the first cause has this number + 1
    struct kni_cue_params *cues;
    uint32_t cue_count, cue_capacity;
    struct kni_cue_change *changes; // effects whose cues are updated when the events are published
    uint32_t change_count, change_capacity;
    uint8_t *bytes; // payloads and tags of the cues
    uint32_t byte_count, byte_capacity;
    uint32_t note_last1; // offset + 1 of the last kni_refusal_note among the bytes
} kni_event_buffer;

// The details of a KN_EVENT_EFFECT_REFUSED, which has no room for them.
typedef struct kni_refusal_note {
    kn_effect_refusal refusal;
    uint32_t previous1; // offset + 1 of the one before
    uint32_t number;    // from 1 to 255
} kni_refusal_note;

// The parameters of a cue event. Lists are offsets into the buffer's bytes.
typedef struct kni_cue_params {
    kn_entity_id instigator;
    kn_entity_id causer;
    uint64_t source_object;
    kn_vec3 location;
    kn_vec3 normal;
    bool has_location, has_normal;
    float change, normalised;
    float effect_level, ability_level;
    uint32_t stacks;
    uint32_t source_tags, source_tag_count; // offset in units of uint32_t
    uint32_t target_tags, target_tag_count;
    uint32_t payload_type, payload; // `payload` is an offset in bytes
    uint32_t targets, target_size;
} kni_cue_params;

typedef struct kni_cue_change {
    kn_effect_id effect;
    kn_cause cause; // cause of the first change in the step
} kni_cue_change;

// Requests about one ability that are sent together, collected within one step.
typedef struct kni_batch {
    kn_ability_id ability; // null when no batch is open
    kn_activation_id activation;
    uint32_t parts;
    uint32_t offset1, size; // its target data in the pending bytes
    uint32_t event1;        // offset + 1 of the event of its activation there
    uint32_t use, point;    // of a sync point
    bool is_pressed;
} kni_batch;

// The last error that a rule reported, so that it is not reported twice. Identified by its cause,
// not by events, which exist only if an observer wants them.
typedef struct kni_reported {
    kn_cause cause;
    kn_result code;
    uint32_t ability1;
    kn_entity_id entity;
} kni_reported;

typedef struct kni_listener {
    uint32_t generation; // 0 = free
    uint32_t next1;      // place + 1 of the next one in its chain
    kn_listener_def def;
} kni_listener;

// A component that was handed out for writing, or removed.
typedef struct kni_extension_change {
    uint32_t entity; // slot; KNI_NONE for the world itself
    uint32_t slot;   // of the component
} kni_extension_change;

// An element of a component that refers to an entity.
typedef struct kni_reference_entry {
    kn_entity_id id;    // of that entity
    uint32_t slot;      // of the component
    uint32_t reference; // of its type
    uint32_t item, element;
    uint32_t next1, back1; // in its bucket
    uint32_t sibling1;     // the next one of the component, in order of its fields; or a free one
} kni_reference_entry;

// All of them by the entity they refer to (reference.c); not state.
typedef struct kni_reference_index {
    uint64_t changes; // of the components, as far as the index knows them
    bool is_built;
    kni_reference_entry *entries;
    uint32_t capacity, used, count;
    uint32_t free1;
    uint32_t *buckets;     // first entry + 1
    uint32_t bucket_count; // a power of two
    uint32_t *first1;      // by the slot of the component: its first entry + 1
    uint32_t first_capacity;
} kni_reference_index;

// Components of one extension type.
typedef struct kni_extension {
    kni_pool pool;       // kni_extension_head, followed by the struct
    uint32_t *by_entity; // entity slot -> pool slot + 1
    uint32_t by_entity_capacity;
    uint32_t world_slot1; // slot + 1 of the world's own component, the first one
    bool is_several;      // components of one entity are a list, by creation
    bool is_private;      // nobody receives it over the network: its changes are not marked
    // Counters for data that is derived from the components outside the world; not state.
    uint64_t
        changes; // times that a component was handed out for writing or removed, or all replaced
    uint64_t replaced;              // the last of these changes that is not in the list
    kni_extension_change *changed;  // the latest changes, a ring; NULL if nothing follows them
    uint32_t changed_capacity;      // a power of two
    kni_reference_index references; // of a type that has some
} kni_extension;

// A component whose `removed` hook runs.
typedef struct kni_extension_removal {
    const struct kni_extension_removal *outer;
    uint32_t type, slot;
} kni_extension_removal;

typedef struct kni_extension_head {
    kn_entity_id entity; // null for a component of the world itself
    kni_span items;
    // Only of types with `several`.
    uint32_t generation; // low half of the creation number
    uint32_t next1;      // slot + 1 of the next one of the entity; 0 for the last
    uint32_t back1;      // slot + 1 of the one before; for the first: of the last
} kni_extension_head;

#define KNI_PARENT_CHAIN_MAX 256 // entities attached one to the other
#define KNI_STREAM_MAX 64
#define KNI_STREAM_COUNT (KNI_STREAM_MAX + 2) // those of every world; then those of its library

// Every call finds room for this many records when it begins, so that ordinary work cannot run out
// of memory halfway: records of each kind, more of them the larger the world is. Several calls
// share the room, so that it is checked only now and then.
#define KNI_HEADROOM_FIRST 14
#define KNI_HEADROOM 128
#define KNI_HEADROOM_BYTES 512 // variable-length data per record
#define KNI_HEADROOM_PER_CALL 8
#define KNI_HOOK_DEPTH_MAX 16
#define KNI_PROPAGATION_MAX 64

// Abilities, tasks and cues -------------------------------------------------

// Something that may happen to an entity and wakes a trigger of an ability or a task.
typedef struct kni_watcher {
    uint8_t trigger; // kn_trigger
    uint8_t is_task;
    uint16_t detail; // for a trigger of an ability: kn_trigger_source
    int32_t priority;
    uint32_t key;  // index + 1 of a tag, attribute or type; 0 for any
    uint32_t slot; // slot of the ability or task
} kni_watcher;

enum {
    KNI_ACTOR_NO_CUES = 1 << 0, // cues on this entity are suppressed
    KNI_ACTOR_BATCHES = 1 << 1, // requests about one ability may be sent together
    KNI_ACTOR_FLAGS = 3,
};

typedef struct kni_actor {
    uint32_t component;
    uint32_t confirm; // numbers of the confirm and cancel inputs; 0 for none
    uint32_t cancel;
    uint32_t flags;
    uint32_t watch_mask;  // a bit for each kn_trigger that a watcher waits for
    uint32_t rate_count;  // number of charges whose cycles follow an attribute
    kni_span abilities;   // uint32_t slots, by creation
    kni_span activations; // uint32_t slots, by creation
    kni_span charges;     // uint32_t slots, by creation
    kni_span watchers;    // kni_watcher, by priority, then creation
    kni_span cues;        // uint32_t slots, by creation
    uint32_t unused;
    kn_time tolerance; // kn_tolerance: how early its cooldowns may be used
    kn_time early_limit;
} kni_actor;

// A cue that was added by a call, not by an effect: one for each activation it ends with.
typedef struct kni_cue {
    uint64_t number;
    uint32_t component;
    uint32_t tag;
    uint32_t count;
    uint32_t flags; // KNI_CUE_*
    kn_entity_id instigator;
    kn_entity_id causer;
    kn_activation_id activation; // it is removed when this activation ends; may be null
    uint64_t source_object;
    kn_vec3 location;
    kn_vec3 normal;
    float magnitude;
    float change;
    float normalised;
    float effect_level;
    float ability_level;
    uint32_t stacks;
    uint32_t payload_type;
    kni_span payload; // bytes
    kni_span targets; // bytes: target data
    uint32_t unused;
} kni_cue;

enum {
    KNI_CUE_HAS_LOCATION = 1 << 0,
    KNI_CUE_HAS_NORMAL = 1 << 1,
};

enum {
    KNI_ABILITY_PRESSED = 1 << 0,
    KNI_ABILITY_REMOVING = 1 << 1, // is removed when its activations have ended
    KNI_ABILITY_ONCE = 1 << 2,     // granted for one activation
    KNI_ABILITY_PARKED = 1 << 3,   // removing, because the effect that granted it is inhibited
    KNI_ABILITY_STATE = 0xff,      // mask of the flags that are saved
    KNI_ABILITY_GONE = 1 << 8,     // is being removed right now
};

// A granted ability.
typedef struct kni_ability {
    uint64_t number;
    uint32_t component;
    uint16_t type; // index of its ability type
    uint16_t flags;
    float level;
    uint32_t input;
    uint32_t active_count;
    uint32_t grants;
    uint32_t set1; // index + 1 of the ability set that granted it; 0 for none
    kn_entity_id source;
    kn_effect_id effect;  // the effect that granted it; may be null
    uint32_t told_status; // for observers: the last published kn_ability_status()
    uint64_t source_object;
    uint64_t user;
    kni_span tags;   // uint32_t, by number
    kni_span caller; // kni_pair by tag
    kni_span named;  // kni_pair by name
    kni_span state;  // bytes; for KN_INSTANCING_PER_ACTOR
    // The result that kn_ability_status() cached, and the component version it is valid for.
    uint32_t status;
    uint32_t status_version;
    uint32_t grant1;  // index + 1 in the grants of `effect`
    uint32_t salt;    // distinguishes the abilities of one type on one owner, for seeds
    uint32_t at_once; // number of activations that began at `started`
    uint32_t unused;
    kn_time started; // time of the last activation
} kni_ability;

enum {
    KNI_ACTIVATION_FIXED = 1 << 0,    // cannot be cancelled
    KNI_ACTIVATION_BLOCKS = 1 << 1,   // blocks other abilities
    KNI_ACTIVATION_COST = 1 << 2,     // its cost was paid
    KNI_ACTIVATION_COOLDOWN = 1 << 3, // its cooldown was started
    KNI_ACTIVATION_BY_EVENT = 1 << 4,
    KNI_ACTIVATION_BY_PRESENCE = 1 << 5, // ends when its trigger's tag is removed
    KNI_ACTIVATION_CUES = 1 << 6,        // cues are removed when it ends
    KNI_ACTIVATION_STATE = 0xff,         // mask of the flags that are saved
    KNI_ACTIVATION_ENDING = 1 << 8,
    KNI_ACTIVATION_STARTING = 1 << 9, // its activate hook has not returned yet
    // The server's answer. Server and client differ in it, so it is not hashed.
    KNI_ACTIVATION_CONFIRMED = 1 << 10,
    KNI_ACTIVATION_REJECTED = 1 << 11,
    KNI_ACTIVATION_IDLE = 1 << 12, // kni_idle_mark() found nothing that will end it
};

// A running activation of an ability.
typedef struct kni_activation {
    uint64_t number;
    kn_time start;
    uint32_t ability; // slot
    uint16_t flags;
    uint16_t trigger; // index in the def's triggers, for KN_TRIGGER_SOURCE_TAG_PRESENT
    uint32_t payload1;
    kni_span state; // bytes; for KN_INSTANCING_PER_EXECUTION
    kni_span paid;  // kni_pair by attribute + 1: what its cost took
    kni_span tasks; // uint32_t slots, by creation
    kni_span cues;  // uint32_t slots of those that end with it, by creation
    uint32_t keyed; // a bit for each of the first 32 cooldowns of its def that was committed alone
    uint64_t seed;
    uint32_t by_connection; // the command behind it; 0 for none
    uint32_t by_sequence;
    uint32_t points;  // sync points that it has reached
    uint32_t signals; // those that the other side has reached or passed
} kni_activation;

// A cooldown: charges, and the cycle that restores them.
typedef struct kni_charge {
    uint64_t number;
    kn_time start;    // when the current cycle began
    kn_time end;      // when it ends; KN_TIME_INFINITE when none runs
    kn_time next_use; // earliest time of the next use, for spacing; 0 once that has passed
    uint32_t component;
    uint32_t key;      // tag that abilities share it by; 0 if it belongs to one ability
    uint32_t ability1; // slot + 1 of that ability
    uint32_t charges;
    uint32_t max;
    uint32_t returned;
    uint32_t cost;     // charges taken by the use that its tag stands for
    uint32_t rate;     // index + 1 of the attribute that sets the speed of cycles; 0 for none
    float speed;       // speed of the current cycle
    uint16_t type;     // index of the ability that used it last
    uint8_t cooldown;  // index of the cooldown in that ability's def
    uint8_t has_tag;   // the owner has the key as a tag
    float level;       // level of that ability
    uint32_t borrowed; // charges that were used before the end of the cycle, which takes them
    kn_time left;      // time left of a cycle that stands still; its `end` is KN_TIME_MAX
    // With a tolerance only; else all of them are 0.
    kn_time early; // kn_ledger
    kn_time used;
    kn_time length;
    uint32_t by_use; // the cycle was started by a use, or follows a borrowed charge
    uint32_t unused;
    kn_time early_at; // when a charge can be borrowed; 0 once that has passed, or if none can be
} kni_charge;

// The data of an event, kept as long as something refers to it.
typedef struct kni_payload {
    uint64_t number;
    uint32_t references;
    uint32_t kind1;
    uint32_t tag;
    float magnitude;
    kn_entity_id instigator;
    kn_entity_id target;
    uint64_t object;
    uint64_t object2;
    kni_span tags;            // uint32_t
    kni_span instigator_tags; // uint32_t
    kni_span target_tags;     // uint32_t
    kni_span data;            // bytes: target data
    uint32_t has_instigator_tags;
    uint32_t has_target_tags;
} kni_payload;

enum {
    KNI_TASK_STARTED = 1 << 0,
    KNI_TASK_REPEATS = 1 << 1,
    KNI_TASK_WHEN_FALSE = 1 << 2,
    // Its condition was met when it was last checked; a custom task is at a sync point.
    KNI_TASK_FULFILLED = 1 << 3,
    // An animation reports nothing after its blend-out; the timeout of a custom task is that of its
    // sync point.
    KNI_TASK_QUIET = 1 << 4,
    KNI_TASK_BLENDED = 1 << 5,   // the blend-out has begun
    KNI_TASK_BODY = 1 << 6,      // of the ability's body, which gets its results
    KNI_TASK_HOLDS = 1 << 7,     // holds `held` stacks of its effect, which are removed with it
    KNI_TASK_STATE_FLAGS = 0xff, // mask of the flags that are saved
    KNI_TASK_ENDING = 1 << 8,
    KNI_TASK_REPORTED = 1 << 9, // it was logged that the task was never started
    KNI_TASK_LAST = 1 << 10,    // its last result is in the reaction queue
};

typedef struct kni_task {
    uint64_t number;
    kn_time start;
    kn_time due;     // when its timer fires; KN_TIME_INFINITE without one
    kn_time timeout; // when it gives up; KN_TIME_INFINITE for never
    union {
        kn_time interval; // of KN_TASK_REPEAT, and the length of KN_TASK_DELAY
        kn_time offset;   // of KN_TASK_ANIMATION: where in the animation it starts
    };
    kn_time next_look;   // next search of a targeting task, on the clock of targeting
    kn_entity_id entity; // the entity it watches, or the one that a targeting task has found
    kn_effect_id effect;
    uint32_t activation; // slot of its activation
    uint16_t kind;
    uint16_t flags;
    uint32_t label;
    uint32_t name;
    uint32_t resource;
    uint32_t tag;
    uint32_t attribute;
    uint32_t relative_to;
    uint32_t effect_type;
    uint32_t type1;
    uint32_t animation;
    uint32_t section;
    uint32_t targeting;
    uint32_t unused;
    union {
        uint32_t count;  // of KN_TASK_REPEAT: times it has fired; number of a sync point
        uint32_t notify; // of KN_TASK_ANIMATION: the next one
        uint32_t held;   // with KNI_TASK_HOLDS: stacks of the effect
    };
    union {
        uint32_t limit;   // of KN_TASK_REPEAT: times it fires; 0 for ever
        uint32_t compare; // of KN_TASK_THRESHOLD: kn_compare
        uint32_t mode;    // of KN_TASK_MOVEMENT; 0 for any
        uint32_t confirm; // of KN_TASK_TARGET: kn_confirm
        uint32_t sync;    // at a sync point: kn_sync_wait, and kn_sync_expiry above it
    };
    union {
        float value; // of KN_TASK_THRESHOLD
        float rate;  // of KN_TASK_ANIMATION
    };
    kni_span data; // bytes: query, tags, motion source, state of a custom task
} kni_task;

// A command that waits for the next step. Parts of a batch are records of their own, right behind
// it in the order.
typedef struct kni_command {
    uint64_t number;
    kn_entity_id entity;
    uint32_t connection;
    uint32_t sequence;
    uint32_t type1;
    uint32_t part;    // number of the part of a batch, from 1; 0 for others
    uint32_t parts;   // of a batch
    kni_span payload; // bytes, by the fields of its kind
    kni_span targets; // bytes
    uint32_t unused;
    kn_time view; // the past that its player saw; 0: the present
} kni_command;

// One thing that a custom task watches; stored after its state.
typedef struct kni_task_watched {
    kn_entity_id entity;
    uint32_t trigger;
    uint32_t what;
} kni_task_watched;

// The world -----------------------------------------------------------------

typedef struct kni_marks kni_marks;

struct kn_world {
    kni_memory memory;
    const kn_library *library;
    kn_hooks hooks;
    kn_world_def def;

    // State.
    kn_time now;
    uint64_t next_number;   // the next creation number; all kinds of records share them
    uint64_t seed;          // for seeds of activations to come; streams have their own
    kni_pool entities;      // kni_entity
    kni_pool components;    // kni_component
    kni_pool effects;       // kni_effect
    kni_pool rares;         // kni_rare
    kni_pool specs;         // kni_spec
    kni_pool aggregators;   // kni_aggregator
    kni_pool timers;        // kni_rule_timer
    uint32_t *timer_firsts; // by entity slot: slot + 1 of the first of its timers
    uint32_t timer_firsts_capacity;
    kni_pool actors;      // kni_actor
    kni_pool abilities;   // kni_ability
    kni_pool activations; // kni_activation
    kni_pool charges;     // kni_charge
    kni_pool payloads;    // kni_payload
    kni_pool tasks;       // kni_task
    kni_pool cues;        // kni_cue
    kni_pool commands;    // kni_command
    // Slots of those that wait; once kni_commands_settle() was called in the order in which they
    // are carried out. There is as much room again behind them, for sorting.
    uint32_t *command_order;
    uint32_t command_count, command_capacity;
    uint32_t *commands_ordered; // &ordered_count; a pointer, since queries put them in order, too
    uint32_t ordered_count;     // how many of them are in order, from the first one on
    uint32_t *commands_running; // those of the running step; as much room
    uint32_t running_capacity;
    kni_pool switches; // kni_switch
    kni_systems systems;
    kni_pool tag_blocks;                 // kni_tag_block
    kni_tag_block_list *tag_block_lists; // by entity slot + 1
    uint32_t tag_block_list_capacity;
    kni_pool watches;            // kni_watch
    kni_watch_list *watch_lists; // by entity slot + 1; 0 for any entity
    uint32_t watch_list_capacity;
    uint32_t watch_counts[KN_TRIGGER_COUNT]; // watches that wait for each trigger
    uint32_t unstarted_tasks;
    kn_time targeting_now;    // the clock of targeting, which advances apart from `now`
    kni_span targeting_tasks; // uint32_t slots, by slot
    kni_span priced; // uint32_t slots, by slot: abilities whose cost may depend on anything
    kni_heap heap;
    uint64_t *tag_bits; // tag_words per component: the tags it shows, parents included
    uint32_t tag_words;
    uint64_t *tag_scratch;      // 3 * tag_words, for computing shown tags
    uint32_t tag_limit;         // 64 * tag_words
    uint32_t tag_bits_capacity; // components that tag_bits has room for
    kni_wheel wheel;
    kni_random streams[KNI_STREAM_COUNT + KN_STREAM_OWN_MAX];
    kni_extension *extensions;             // one per registered component type
    const kni_extension_removal *removals; // components that are being removed, innermost first
    kn_component_referrer *referrers;      // scratch of the end of an entity
    uint32_t referrer_capacity;
    kni_memory *index_memory; // &memory: queries, for which the world is const, build indexes
    uint32_t ending1; // slot + 1 of the entity whose components are being removed; 0 for none

    // Shared by all states of the world.
    const kni_effect_type **types; // types of the library, then those registered at run time
    uint32_t type_count, type_capacity;
    kni_layout *layouts;
    uint32_t layout_count, layout_capacity;

    // Of the running call; not state.
    uint32_t depth;                // nested calls and rules; 0 = outside the simulation
    const struct kni_above *above; // functions of higher rooms; see world/world.h
    uint32_t headroom_calls;       // calls until headroom is checked again; 0 in a broken world
    uint32_t held;       // number of hooks running inside an operation; calls that rearrange wait
    uint32_t hook_depth; // number of those that are hooks of attribute sets
    const struct kni_starting *starting; // activations that are just starting, innermost first
    const kni_ending *ending;            // activations that are just ending, innermost first
    kni_logic_frame *logic; // those that are hooks of effects with logic, innermost first
    uint32_t evaluations;   // counts evaluations of current values, to notice one inside a hook
    uint32_t propagation_depth;
    bool keeps_source_tags; // a capture filters modifiers by the tags of their source
    bool is_stepping;
    bool is_broken;
    bool is_publishing;
    kn_cause cause;
    kn_cause chain_root;      // the cause whose chains are being counted
    uint32_t chain_deep;      // links beyond a quarter of the limit in these chains
    bool is_chain_reported;   // it was reported that these chains were cut
    uint32_t reaction_total;  // reactions since the outermost call began; 0 outside
    uint32_t timers_at_once;  // rule timers that fired without time passing
    kn_timer_id firing;       // the rule timer whose function is running
    const kni_init *init;     // values that are being set; NULL for none
    uint64_t *work;           // &work_done: queries, for which the world is const, count too
    bool is_moving;           // memory moves on every call, to find stale pointers
    uint32_t unchecked_calls; // with KN_VALIDATE: calls that may pass before the next check
    uint64_t work_done;       // work since the outermost call began
    kni_queued *reactions;    // FIFO: [reaction_first, reaction_count)
    uint32_t heard;      // a bit for each kn_trigger that somebody may wait for, or has waited for
    kni_records records; // of events that reactions in the queue carry
    uint32_t reaction_first, reaction_count, reaction_capacity;
    kni_visit *nodes; // stack of aggregators in running propagations
    uint32_t node_count, node_capacity;
    uint32_t stamp;      // number of the last propagation that was sorted
    uint32_t visiting;   // of the one that is running; 1 for none
    kni_positions noted; // scratch of a change of owner
    union {              // written to when memory ran out, never read
        kni_queued lost_reaction;
        kn_event lost_event;
    };
    kni_marks *marks;     // changes of entities, if somebody follows them; see mark.c
    uint32_t computing1;  // with marks: slot + 1 of the entity whose timer fires; 0 for none
    bool is_predicting;   // of a client: see kn_world_set_predicting()
    uint64_t left_out;    // what was left out while predicting
    uint64_t unpredicted; // what was done that would have been left out
    kni_batch batch;      // of requests to the server

    // For observers.
    uint64_t observer_work; // work done for observers alone, since the last step began
    kni_reported reported;
    uint32_t *reports; // &reports_told; a pointer, since queries on a const world report too
    uint32_t reports_told;
    uint64_t event_mask;     // bit for each kn_event_type that the def wants
    uint64_t listener_mask;  // those that listeners want
    uint64_t wanted;         // both, and those that the log wants
    uint64_t listener_kinds; // bits for kinds of custom events that listeners name
    kni_log log;
    kni_event_buffer pending, published;
    // Components whose version changed since the last publication; see kni_touch().
    uint32_t *touched; // slots
    uint32_t touched_count, touched_capacity;
    uint32_t touch_stamp;    // 0 if they are not listed, so that all have to be visited
    uint32_t touch_last;     // the highest stamp so far
    uint64_t *ability_marks; // a bit per ability; all clear between uses
    uint32_t ability_mark_words;
    uint32_t denied_count; // pending events about effects with KNI_ACTIVE_DENIED
    kni_listener *listeners;
    uint32_t listener_count, listener_capacity, listener_live;
    uint32_t listener_generation;
};

// Access --------------------------------------------------------------------

static inline kni_entity *kni_entity_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->entities.used);
    return (kni_entity *)(void *)world->entities.records + slot;
}

static inline kni_component *kni_component_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->components.used);
    return (kni_component *)(void *)world->components.records + slot;
}

static inline kni_effect *kni_effect_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->effects.used);
    return (kni_effect *)(void *)world->effects.records + slot;
}

static inline kni_rare *kni_rare_at(const kn_world *world, uint32_t slot1)
{
    KN_ASSERT(slot1 != 0 && slot1 <= world->rares.used);
    return (kni_rare *)(void *)world->rares.records + (slot1 - 1);
}

static inline kni_aggregator *kni_aggregator_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->aggregators.used);
    return (kni_aggregator *)(void *)world->aggregators.records + slot;
}

static inline const kni_effect_type *kni_type_at(const kn_world *world, uint32_t index)
{
    KN_ASSERT(index < world->type_count);
    return world->types[index];
}

// Slot of a live entity, or KNI_NONE.
#define KNI_NUMBER_STEP_MAX 256

static inline uint64_t kni_number_next(kn_world *world)
{
    uint64_t number = world->next_number;
    if ((uint32_t)number == 0) { // the low half, a generation, means "free"
        number += world->def.number_step;
    }
    world->next_number = number + world->def.number_step;
    return number;
}

// Makes the next creation number one above this one.
static inline void kni_numbers_above(kn_world *world, uint64_t number)
{
    if (world->next_number <= number) {
        world->next_number = number + world->def.number_step - number % world->def.number_step;
    }
}

static inline uint32_t kni_entity_find(const kn_world *world, kn_entity_id id)
{
    uint32_t slot = id.index1 - 1; // null wraps and fails the bound
    if (world == NULL || slot >= world->entities.used ||
        kni_entity_at(world, slot)->generation != id.generation || id.generation == 0) {
        return KNI_NONE;
    }
    return slot;
}

static inline uint32_t kni_effect_find(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->effects.used ||
        (uint32_t)kni_effect_at(world, slot)->number != id.generation ||
        kni_effect_at(world, slot)->number == 0) {
        return KNI_NONE;
    }
    return slot;
}

// Slot of the component of an entity, which an avatar shares, or KNI_NONE.
static inline uint32_t kni_component_find(const kn_world *world, kn_entity_id id)
{
    uint32_t slot = kni_entity_find(world, id);
    return slot == KNI_NONE ? KNI_NONE : kni_entity_at(world, slot)->component1 - 1;
}

static inline kn_entity_id kni_entity_id_of(const kn_world *world, uint32_t slot)
{
    kn_entity_id id = {slot + 1, kni_entity_at(world, slot)->generation};
    return id;
}

static inline kn_entity_id kni_component_entity(const kn_world *world, uint32_t component)
{
    const kni_component *c = kni_component_at(world, component);
    return (kn_entity_id){c->entity + 1, c->generation};
}

static inline kn_effect_id kni_effect_id_of(const kn_world *world, uint32_t slot)
{
    kn_effect_id id = {slot + 1, (uint32_t)kni_effect_at(world, slot)->number};
    return id;
}

static inline kn_effect_type_id kni_type_id(const kni_effect_type *type)
{
    kn_effect_type_id id = {type->index1};
    return id;
}

static inline kni_value *kni_values_of(const kn_world *world, const kni_component *component)
{
    return kni_heap_at(&world->heap, component->values);
}

static inline bool kni_has_tag(const kn_world *world, uint32_t component, uint32_t tag)
{
    KN_ASSERT(component < world->components.used && tag < world->tag_limit);
    const uint64_t *bits = world->tag_bits + (size_t)component * world->tag_words;
    return (bits[tag >> 6] >> (tag & 63) & 1) != 0;
}

#define KNI_SPAN_AT(world, span, type, index)                                                      \
    ((type *)kni_span_at(&(world)->heap, &(span), index, sizeof(type)))

static inline kni_actor *kni_actor_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->actors.used);
    return (kni_actor *)(void *)world->actors.records + slot;
}

static inline kni_ability *kni_ability_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->abilities.used);
    return (kni_ability *)(void *)world->abilities.records + slot;
}

static inline kni_activation *kni_activation_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->activations.used);
    return (kni_activation *)(void *)world->activations.records + slot;
}

static inline kni_charge *kni_charge_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->charges.used);
    return (kni_charge *)(void *)world->charges.records + slot;
}

static inline kni_cue *kni_cue_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->cues.used);
    return (kni_cue *)(void *)world->cues.records + slot;
}

static inline kni_payload *kni_payload_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->payloads.used);
    return (kni_payload *)(void *)world->payloads.records + slot;
}

static inline uint32_t kni_ability_find(const kn_world *world, kn_ability_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->abilities.used || id.generation == 0 ||
        (uint32_t)kni_ability_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static inline uint32_t kni_activation_find(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->activations.used || id.generation == 0 ||
        (uint32_t)kni_activation_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static inline kn_ability_id kni_ability_id_of(const kn_world *world, uint32_t slot)
{
    kn_ability_id id = {slot + 1, (uint32_t)kni_ability_at(world, slot)->number};
    return id;
}

static inline kn_activation_id kni_activation_id_of(const kn_world *world, uint32_t slot)
{
    kn_activation_id id = {slot + 1, (uint32_t)kni_activation_at(world, slot)->number};
    return id;
}

static inline const kni_ability_type *kni_ability_type_at(const kn_library *library, uint32_t index)
{
    return KNI_ITEM(library, KN_DEF_ABILITY, const kni_ability_type, index);
}

static inline const kni_ability_type *kni_type_of_ability(const kn_world *world, uint32_t slot)
{
    return kni_ability_type_at(world->library, kni_ability_at(world, slot)->type);
}

// The actor of a component, or NULL.
static inline kni_actor *kni_actor_of(const kn_world *world, uint32_t component)
{
    uint32_t actor1 = kni_component_at(world, component)->actor1;
    return actor1 == 0 ? NULL : kni_actor_at(world, actor1 - 1);
}

static inline kni_task *kni_task_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->tasks.used);
    return (kni_task *)(void *)world->tasks.records + slot;
}

static inline kni_command *kni_command_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->commands.used);
    return (kni_command *)(void *)world->commands.records + slot;
}

static inline uint32_t kni_task_find(const kn_world *world, kn_task_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->tasks.used || id.generation == 0 ||
        (uint32_t)kni_task_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static inline kn_task_id kni_task_id_of(const kn_world *world, uint32_t slot)
{
    kn_task_id id = {slot + 1, (uint32_t)kni_task_at(world, slot)->number};
    return id;
}

#endif
