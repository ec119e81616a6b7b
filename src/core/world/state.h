// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a world. Everything that lives is plain data in pools and in one heap, addressed by
// slot or reference, so that a snapshot is a handful of block copies. What is derived (modifier
// lists, layouts, timers) can be rebuilt from the rest, in order of creation numbers.
#ifndef KNI_STATE_H
#define KNI_STATE_H

#include "base/heap.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/wheel.h"
#include "library/types.h"
#include "world/log.h"

#include "knack/knack.h"

#include <float.h>

typedef struct kni_entity {
    uint32_t generation; // low half of the creation number; 0 = free
    uint32_t component1; // slot + 1; an avatar shares its owner's
    uint64_t user;
} kni_entity;

typedef struct kni_value {
    float base;
    float current;
    uint32_t aggregator1; // slot + 1 of the modifiers and dependents, 0 for none
} kni_value;

// Calls that add to a count stop at 65,535; what effects, abilities and children bring is always
// counted, so that it can be taken back.
typedef struct kni_tag_row {
    uint16_t tag;
    uint16_t
        count; // of the tag itself, all origins, at most KNI_TAG_COUNT_MAX; see kni_row_count()
    uint32_t total; // with everything below it
} kni_tag_row;

#define KNI_TAG_COUNT_MAX UINT16_MAX // stands for this many or more

// Counts that do not come from effects; what is left of a row's count does.
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
    KNI_COMPONENT_WATCHED = 1 << 1, // somebody follows its attributes
};

// The ability component of an entity.
typedef struct kni_component {
    kni_ref values; // kni_value[]
    uint32_t layout;
    uint32_t entity;     // slot of the owner
    uint32_t generation; // and its generation, so that its id is at hand
    uint32_t flags;
    uint32_t actor1;      // slot + 1 of what it has as one that acts
    uint32_t version;     // counts what may change the status of abilities; for observers
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
    uint32_t child1;   // slot + 1 of one that is attached to it
    uint32_t sibling1; // and of the next with the same parent
} kni_component;

// What a new component has room for.
#define KNI_FIRST_EFFECTS 6
#define KNI_FIRST_TAGS 3

// Which sets a component has, shared by all components with the same ones.
typedef struct kni_set_instance {
    uint32_t set;
    uint32_t key;
    uint32_t first; // position of its first attribute
} kni_set_instance;

#define KNI_NO_POSITION UINT16_MAX

typedef struct kni_layout {
    kni_set_instance *sets;
    uint32_t set_count;
    uint32_t value_count;
    uint16_t *positions; // by attribute index, of the key-0 instance
} kni_layout;

enum {
    KNI_ACTIVE_INHIBITED = 1 << 0,
    KNI_ACTIVE_ATTACHED = 1 << 1, // its modifiers, tags and gates are in force
    KNI_ACTIVE_CUES = 1 << 2,     // of those whose cues need success: they were added
    KNI_ACTIVE_STATE = 0xff,      // what is saved
    KNI_ACTIVE_QUEUED = 1 << 8,   // a recheck waits in the reaction queue
    KNI_ACTIVE_DENIED = 1 << 9,   // the denial of a stack was told in this step
    KNI_ACTIVE_REMOVING = 1 << 10,
    KNI_ACTIVE_EXPIRING = 1 << 11, // the entry for its end has left the wheel
    KNI_ACTIVE_CHANGED = 1 << 12,  // its cues will be updated at the end of the step
    KNI_ACTIVE_LEAVING = 1 << 13,  // a hook asked for its end, which waits in the reaction queue
    KNI_ACTIVE_LOOSE = 1 << 14,    // one of very many that are about to end together
};

// One active effect: a cache line.
typedef struct kni_effect {
    uint64_t number;     // creation number; its low half is the id's generation; 0 = free
    kn_entity_id source; // may be stale
    kn_time start;
    kn_time duration;  // KN_TIME_INFINITE
    kn_time next_tick; // KN_TIME_INFINITE when none is scheduled
    uint16_t type;     // index
    uint16_t flags;
    uint32_t component; // slot of the target's
    uint32_t stacks;
    float level;
    uint32_t executions;
    uint32_t rare1; // slot + 1 of the extension record
} kni_effect;
_Static_assert(sizeof(kni_effect) == 64, "an active effect is one cache line");

typedef struct kni_pair {
    uint32_t key; // tag or name
    float value;
} kni_pair;

// A stack with its own timer.
typedef struct kni_stack {
    kn_time start;
    kn_time end;
    kn_entity_id source;
} kni_stack;

// The stacks of an effect that somebody put there and will take back.
typedef struct kni_claim {
    uint32_t stacks;     // 0 in a record of old: one
    kn_time start;       // of stacks with timers of their own: those that began then
    kn_entity_id source; // and are of this source
} kni_claim;

typedef struct kni_child_link {
    kn_effect_id effect;
    uint32_t child;  // index in the def
    uint32_t stacks; // a kni_claim
    kn_time start;
    kn_entity_id source;
} kni_child_link;

enum {
    KNI_GIVEN_DURATION = 1 << 0, // by the caller: does not follow attributes
    KNI_GIVEN_PERIOD = 1 << 1,
};

// What only some effects and specs have.
typedef struct kni_rare {
    kni_span caller;      // kni_pair by tag
    kni_span named;       // kni_pair by name
    kni_span granted;     // uint32_t dynamic granted tags
    kni_span asset;       // uint32_t dynamic asset tags
    kni_span magnitudes;  // float per modifier, unscaled
    kni_span captures;    // float per capture slot; NaN = absent
    kni_span source_tags; // uint32_t tags of the source when the spec was made
    kni_span stacks;      // kni_stack
    kni_span children;    // kni_child_link: effects that end with this one
    kni_span targets;     // bytes: target data of the context
    kni_ref state;        // of effects with logic
    kni_ref payload;
    uint32_t payload_type; // index + 1
    uint32_t has_source_tags;
    kn_entity_id instigator;
    kn_entity_id causer;
    kn_ability_id ability;
    kn_activation_id activation;
    uint64_t source_object;
    kn_vec3 origin;
    uint32_t has_origin;
    kn_time period;          // 0 = the type's
    kn_time base_duration;   // before haste and live changes; for live durations
    kn_time paused;          // time to the next tick while paused, -1 = not paused
    kn_time last_tick;       // when the running period began; while paused: how much of it is over
    uint64_t off_modifiers;  // bit per modifier: void, or its requirement was not met
    uint64_t off_executions; // bit per execution that is void
    uint64_t parked;         // bit per grant that was taken away while the effect is off
    float tally_loss;
    float tally_gain;
    float pool;     // amount still to be dealt out
    uint32_t given; // KNI_GIVEN_*
    uint32_t held;  // stacks that holders will take back,
    uint32_t spare; // and how many of these the limit had no room for
} kni_rare;

// A spec that waits to be applied.
typedef struct kni_spec {
    uint64_t number;
    kn_entity_id source;
    kn_time duration; // below 0: as the def says
    kn_time period;
    uint32_t type; // index
    float level;
    uint32_t stacks;
    uint32_t rare1;
    uint32_t flags; // 1 = ignore gates
    uint32_t unused;
} kni_spec;

enum {
    KNI_MOD_UNMET = 1 << 0,     // its requirement is not met, or it is void
    KNI_MOD_LIMITED = 1 << 1,   // its def has a group limit
    KNI_MOD_CONDITION = 1 << 2, // needs an event record
};

// A modifier in force on a value.
typedef struct kni_mod {
    uint64_t number; // of its effect
    uint32_t effect; // slot
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

// Modifiers on one value, and effects that follow it.
typedef struct kni_aggregator {
    uint32_t component;
    uint32_t position; // of the attribute, or the index of the transient value
    uint32_t is_transient;
    uint32_t stamp; // visited by the running propagation
    uint32_t is_dirty;
    uint32_t is_divisor_told; // that its sum of divisors is useless
    kni_span mods;            // kni_mod by (number, modifier)
    kni_span dependents;      // kni_dependent by number
} kni_aggregator;

// A timer of a rule.
typedef struct kni_rule_timer {
    uint64_t number;
    kn_entity_id entity;
    kn_time time;
    uint32_t type;  // index
    uint32_t next1; // slot + 1 of another one of the entity
    uint8_t data[KN_TIMER_DATA_SIZE];
} kni_rule_timer;

enum {
    KNI_TIMER_TICK, // before the expiry of the same effect at the same time
    KNI_TIMER_EXPIRY,
    KNI_TIMER_RULE,
    KNI_TIMER_CHARGE,
    KNI_TIMER_TASK,
};

// Why something happens. What a timer of an effect sets off has no parent, but is the doing of whom
// the effect is from: then `source` takes the place of `parent` and `tag`.
typedef struct kni_cause_record {
    union {
        struct {
            uint32_t parent;
            uint32_t tag; // or an ability type, index + 1, by kind
        };
        kn_entity_id source; // with has_source
    };
    uint8_t kind;
    uint8_t has_source;
    uint16_t depth;
    uint16_t type1;
    uint16_t ability1; // with has_source: type of the ability it was applied by
    kn_entity_id entity;
    union {
        kn_effect_id effect;
        kn_entity_id applier; // KN_CAUSE_APPLY: there is no effect yet
    };
} kni_cause_record;
_Static_assert(sizeof(kni_cause_record) == 32, "two to a cache line: every tick writes one");

// Causes behind a root are no records: they are numbered by the root, with one of these bits.
#define KNI_CAUSE_APPLIED (UINT32_C(1) << 31)
#define KNI_CAUSE_BY_ABILITY (UINT32_C(1) << 30)
#define KNI_CAUSE_LAST (UINT32_C(1) << 29) // a step whose causes begin above this begins at 0

typedef enum kni_reaction_kind {
    KNI_REACT_RULE,
    KNI_REACT_RECHECK, // conditions of one effect
    KNI_REACT_SPEC,    // apply a stored spec: a child effect
    KNI_REACT_DESTROY, // an entity
    KNI_REACT_REMOVE,  // an effect
    KNI_REACT_LET_GO,  // of what is held of an effect
    KNI_REACT_WATCH,   // a trigger of an ability, or a task
    KNI_REACT_ANSWER,  // a result of a task
    KNI_REACT_CALL,    // a call that a hook made and that had to wait
} kni_reaction_kind;

// Calls that wait while a hook runs inside an operation (postpone.c).
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

// One of them. `index1` and `generation` are the id of an effect, ability, activation or task.
typedef struct kni_call {
    kni_call_kind kind;
    uint32_t index1, generation;
    kn_entity_id entity;
    kn_entity_id other;
    uint32_t set1;
    uint32_t number; // a key, a count or a way to remove
    uint32_t reason;
} kni_call;

typedef struct kni_queued {
    kni_reaction_kind kind;
    uint32_t index;  // rule, spec slot, child index, slot of an ability or task
    uint32_t number; // of that ability or task
    uint32_t payload1;
    bool is_task;
    uint16_t detail; // kn_trigger_source
    kn_effect_id effect;
    kn_entity_id entity;
    kn_cause cause;
    kn_removal_reason reason;
    kni_claim hold;
    union {
        kn_reaction reaction;
        kni_call call; // of KNI_REACT_CALL
    };
} kni_queued;

// A hook of an effect's logic that is running, innermost first. Hooks of one effect inside each
// other share one copy of its state.
typedef struct kni_logic_frame {
    struct kni_logic_frame *outer;
    kn_effect_id effect;
    uint64_t *state;
} kni_logic_frame;

typedef struct kni_event_buffer {
    kn_event *events;
    uint32_t count, capacity;
    kni_cause_record *causes;
    uint32_t cause_count, cause_capacity;
    uint32_t cause_base; // number of the first cause
    struct kni_cue_params *cues;
    uint32_t cue_count, cue_capacity;
    struct kni_cue_change *changes; // of effects whose cues are to be updated
    uint32_t change_count, change_capacity;
    uint8_t *bytes; // of their payloads and tags
    uint32_t byte_count, byte_capacity;
} kni_event_buffer;

// The parameters of a cue event; bytes are offsets in the buffer.
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
    uint32_t source_tags, source_tag_count; // offset in uint32_t
    uint32_t target_tags, target_tag_count;
    uint32_t payload_type, payload; // offset in bytes
    uint32_t targets, target_size;
} kni_cue_params;

typedef struct kni_cue_change {
    kn_effect_id effect;
    kn_cause cause; // of the first change in the step
} kni_cue_change;

// Requests of one ability that travel together; within one step.
typedef struct kni_batch {
    kn_ability_id ability; // null: none is open
    kn_activation_id activation;
    uint32_t parts;
    uint32_t offset1, size; // target data in the pending bytes
    bool is_pressed;
} kni_batch;

// The last error that a rule reported, so that it is not reported twice. By its cause, not by the
// events, which depend on who is watching.
typedef struct kni_reported {
    kn_cause cause;
    kn_result code;
    uint32_t ability1;
    kn_entity_id entity;
} kni_reported;

typedef struct kni_listener {
    uint32_t generation; // 0 = free
    kn_listener_def def;
} kni_listener;

// Components of one extension type.
typedef struct kni_extension {
    kni_pool pool;       // kni_extension_head, then the struct
    uint32_t *by_entity; // entity slot -> pool slot + 1
    uint32_t by_entity_capacity;
    uint32_t world_slot1; // the world's own
    // For what is derived from the components outside the world; not state.
    uint64_t changes;  // times one came to be or was handed out for writing, or all were replaced
    uint64_t removals; // components that are gone
} kni_extension;

typedef struct kni_extension_head {
    kn_entity_id entity; // null for the world's own
    kni_span items;
    uint32_t unused;
} kni_extension_head;

#define KNI_PARENT_CHAIN_MAX 256 // entities attached one to the other
#define KNI_STREAM_MAX 64
#define KNI_STREAM_COUNT (KNI_STREAM_MAX + 2)

// Room every call finds when it begins, so that ordinary work cannot run out of memory half-way:
// records of each kind, more of them the larger the world is. Several calls share it, so that it is
// looked at once in a while.
#define KNI_HEADROOM_FIRST 16
#define KNI_HEADROOM 128
#define KNI_HEADROOM_BYTES 512 // of variable length for each record
#define KNI_HEADROOM_PER_CALL 8
#define KNI_HOOK_DEPTH_MAX 16
#define KNI_PROPAGATION_MAX 64

struct kn_world {
    kni_memory memory;
    const kn_library *library;
    kn_hooks hooks;
    kn_world_def def;

    // State.
    kn_time now;
    uint64_t next_number;   // creation numbers of everything
    uint64_t seed;          // of activations to come; streams have theirs
    kni_pool entities;      // kni_entity
    kni_pool components;    // kni_component
    kni_pool effects;       // kni_effect
    kni_pool rares;         // kni_rare
    kni_pool specs;         // kni_spec
    kni_pool aggregators;   // kni_aggregator
    kni_pool timers;        // kni_rule_timer
    uint32_t *timer_firsts; // by entity slot: slot + 1 of one of its timers
    uint32_t timer_firsts_capacity;
    kni_pool actors;      // kni_actor
    kni_pool abilities;   // kni_ability
    kni_pool activations; // kni_activation
    kni_pool charges;     // kni_charge
    kni_pool payloads;    // kni_payload
    kni_pool tasks;       // kni_task
    kni_pool cues;        // kni_cue
    uint32_t unstarted_tasks;
    kn_time targeting_now; // a clock of its own
    uint32_t targeting_tasks;
    kni_heap heap;
    uint64_t *tag_bits; // tag_words per component: tags it has, parents included
    uint32_t tag_words;
    uint64_t *tag_scratch;      // 3 * tag_words, for edits
    uint32_t tag_limit;         // 64 * tag_words
    uint32_t tag_bits_capacity; // components
    kni_wheel wheel;
    kni_random streams[KNI_STREAM_COUNT];
    kni_extension *extensions; // one per registered component type

    // Shared by all states of the world.
    const kni_effect_type **types; // library types, then dynamic ones
    uint32_t type_count, type_capacity;
    kni_layout *layouts;
    uint32_t layout_count, layout_capacity;

    // Of the running call.
    uint32_t depth;                 // nested calls and rules; 0 = outside the simulation
    void (*drain)(kn_world *world); // empties the reaction queue; see step/step.h
    uint32_t headroom_calls;        // calls until headroom is looked at again; 0 in a broken world
    uint32_t held;                  // hooks that run inside an operation: calls that rearrange wait
    uint32_t hook_depth;            // those of attribute sets among them
    kni_logic_frame *logic;         // those of effects with logic among them
    uint32_t evaluations;           // of current values: whether any was evaluated meanwhile
    uint32_t propagation_depth;
    bool keeps_source_tags; // some capture filters modifiers by the tags of their source
    bool is_stepping;
    bool is_broken;
    bool is_publishing;
    kn_cause cause;
    kn_cause chain_root;               // whose chains are counted
    uint32_t chain_deep;               // links far down in them
    bool is_chain_reported;            // that they were cut
    const struct kni_checked *checked; // of the innermost activation that is starting
    uint32_t reaction_total;           // since the outermost call began; 0 outside
    uint32_t timers_at_once;           // rule timers fired without time passing
    kn_timer_id firing;                // the rule timer whose function runs
    uint64_t *work;                    // &work_done: readers, for whom the world is const, work too
    bool is_moving;                    // memory moves on every call, to find stale pointers
    uint32_t unchecked_calls;          // with KN_VALIDATE: that may pass before the next check
    uint64_t work_done;                // since the outermost call began
    kni_queued *reactions;             // FIFO: [reaction_first, reaction_count)
    uint32_t reaction_first, reaction_count, reaction_capacity;
    uint32_t *nodes; // aggregators of running propagations, a stack
    uint32_t node_count, node_capacity;
    uint32_t stamp;
    uint32_t deferred_component; // its values are noted, not evaluated, until a change is complete
    uint32_t *deferred;          // positions
    uint32_t deferred_count, deferred_capacity;
    kni_queued lost_reaction; // written when memory ran out, never read
    kn_event lost_event;
    kni_batch batch;  // of requests to the server
    uint32_t asked1;  // slot of the ability that the other side asks to start, + 1
    float cue_change; // what the running execution changed of the cue attribute
    kni_claim put;    // what the application that ended last put there,
    uint32_t spare;   // and what of that had no room

    // For observers.
    uint64_t observer_work; // done for them alone, since the last step began
    kni_reported reported;
    uint32_t *reports; // &reports_told: queries, for which the world is const, report too
    uint32_t reports_told;
    uint64_t event_mask;    // what the def asks for
    uint64_t listener_mask; // what listeners ask for
    uint64_t wanted;        // both, and what the log asks for
    kni_log log;
    kni_event_buffer pending, published;
    uint32_t denied_count; // effects with KNI_ACTIVE_DENIED
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

// Slot of the component that answers for an entity, or KNI_NONE.
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

// Calls ---------------------------------------------------------------------

// Every public call that changes the world begins and ends with these.
KNI_SLOW kn_result kni_enter_slow(kn_world *world);
// Room for this many records of each kind. False when out of memory.
bool kni_headroom(kn_world *world, uint32_t records);

static inline kn_result kni_enter(kn_world *world)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (world->headroom_calls == 0) {
        kn_result result = kni_enter_slow(world);
        if (result != KN_OK) {
            return result;
        }
    }
    world->headroom_calls--;
    world->depth++;
    return KN_OK;
}

// Memory ran out half-way.
static inline void kni_break(kn_world *world)
{
    world->is_broken = true;
    world->headroom_calls = 0;
}

// Ends every outermost call in builds with KN_VALIDATE: checks the whole world, or in a large one
// once in so many calls (store/validate.c).
#ifdef KN_VALIDATE
void kni_validate_call(kn_world *world);
#else
static inline void kni_validate_call(kn_world *world)
{
    (void)world;
}
#endif

// Returns `result`, or KN_ERROR_WORLD_BROKEN when memory ran out on the way.
static inline kn_result kni_leave(kn_world *world, kn_result result)
{
    KN_ASSERT(world->depth > 0);
    if (result == KN_ERROR_OUT_OF_MEMORY && world->depth > 1) {
        kni_break(world); // inside the simulation: it would go another way unnoticed
    }
    if (world->depth == 1) {
        if (world->reaction_count > 0) {
            world->drain(world);
        }
        world->cause = 0;
        world->work_done = 0;
    }
    world->depth--;
    if (world->depth == 0) {
        kni_validate_call(world);
    }
    return world->is_broken ? KN_ERROR_WORLD_BROKEN : result;
}

// Hooks ---------------------------------------------------------------------

// Around every hook that is called while an operation is half done. Until it returns, calls that
// take away or rearrange what is there wait in the reaction queue (docs/step-order.md), so that the
// operation finds its lists and records as it left them, apart from what was added.
static inline void kni_hold(kn_world *world)
{
    world->held++;
}

static inline void kni_release(kn_world *world)
{
    KN_ASSERT(world->held > 0);
    world->held--;
}

static inline bool kni_is_held(const kn_world *world)
{
    return world->held > 0;
}

// Queues a call whose arguments were checked. KN_OK, or KN_ERROR_WORLD_BROKEN.
kn_result kni_postpone(kn_world *world, const kni_call *call);
// Whether a call of that kind about the entity waits: what is there now may change before others.
bool kni_call_waits(const kn_world *world, kni_call_kind kind, kn_entity_id entity);
// Whether it takes away only, so that it cannot go on for ever.
bool kni_call_only_removes(const kni_call *call);

// Events and causes (event.c) -----------------------------------------------

static inline bool kni_wants(const kn_world *world, kn_event_type type)
{
    return (world->wanted >> type & 1) != 0;
}

// A new event with type, time, entity and cause filled in; a dummy when out of memory.
KNI_SLOW kn_event *kni_emit_slow(kn_world *world);

KNI_FAST kn_event *kni_emit(kn_world *world, kn_event_type type, kn_entity_id entity)
{
    kni_event_buffer *buffer = &world->pending;
    kn_event *event =
        buffer->count < buffer->capacity ? &buffer->events[buffer->count++] : kni_emit_slow(world);
    event->type = type;
    event->cause = world->cause;
    event->time = world->now;
    event->entity = entity;
    return event;
}

// Begins a cause below the current one; false when the chain is too long (an error event says so).
// *previous must be handed to kni_cause_end().
KNI_SLOW bool kni_cause_begin_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous);

KNI_FAST bool kni_cause_begin(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    kn_effect_id effect, kn_effect_type_id type, uint32_t tag, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    if (world->cause != 0 || buffer->cause_count >= buffer->cause_capacity) {
        return kni_cause_begin_slow(world, kind, entity, effect, type, tag, previous);
    }
    kni_cause_record *record = &buffer->causes[buffer->cause_count++];
    record->parent = 0;
    record->tag = tag;
    record->kind = (uint8_t)kind;
    record->has_source = 0;
    record->depth = 0;
    record->type1 = (uint16_t)type.index1;
    record->ability1 = 0;
    record->entity = entity;
    record->effect = effect;
    *previous = 0;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

// The same for what a timer of an effect does. `ability1` is the type of the ability that applied
// it, 0 for none.
KNI_SLOW bool kni_cause_begin_timed_slow(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous);

KNI_FAST bool kni_cause_begin_timed(kn_world *world, kn_cause_kind kind, kn_entity_id entity,
    uint32_t slot, uint32_t ability1, kn_cause *previous)
{
    kni_event_buffer *buffer = &world->pending;
    if (world->cause != 0 || buffer->cause_count >= buffer->cause_capacity) {
        return kni_cause_begin_timed_slow(world, kind, entity, slot, ability1, previous);
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kni_cause_record *record = &buffer->causes[buffer->cause_count++];
    record->source = effect->source;
    record->kind = (uint8_t)kind;
    record->has_source = 1;
    record->depth = 0;
    record->type1 = (uint16_t)(effect->type + 1);
    record->ability1 = (uint16_t)ability1;
    record->entity = entity;
    record->effect = (kn_effect_id){slot + 1, (uint32_t)effect->number};
    *previous = 0;
    world->cause = buffer->cause_base + buffer->cause_count;
    return true;
}

static inline void kni_cause_end(kn_world *world, kn_cause previous)
{
    world->cause = previous;
}

void kni_emit_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t type1,
    uint32_t attribute1, uint32_t detail);
// For a body that failed; nothing if the body has just reported it.
void kni_emit_ability_error(
    kn_world *world, kn_result code, kn_entity_id entity, uint32_t ability1);
// Room for bytes beside the pending events: the offset. False, and a broken world, when out of
// memory.
bool kni_bytes_room(kn_world *world, uint32_t size, uint32_t *offset);

kni_queued *kni_react(kn_world *world, kni_reaction_kind kind);
// Queues every rule with this trigger that matches; fields of `reaction` as filled.
void kni_react_rules(kn_world *world, const kn_reaction *reaction);
// What a caller hands in: cookie, tags, kind, bytes, magnitude.
kn_result kni_record_check(const kn_world *world, const kn_event_record *record);
// Tells observers, rules, triggers and tasks. `record` may be NULL.
void kni_send(kn_world *world, kn_entity_id entity, kn_event_kind_id kind, kn_tag tag,
    kn_entity_id instigator, float magnitude, const kn_event_record *record);

// The first gate of `component` that blocks the record, or KNI_NONE: slot of its effect.
typedef struct kni_gate_subject {
    const kn_event_record *record;
    const kn_spec_view *spec;  // for effect applications
    uint32_t kind;             // index + 1
    uint32_t source_component; // of the record's instigator, KNI_NONE
} kni_gate_subject;
uint32_t kni_gate_find(
    const kn_world *world, uint32_t component, bool as_instigator, const kni_gate_subject *subject);
// Whether the tests of one gate hold, parts aside.
bool kni_gate_holds(const kn_world *world, const kn_gate_def *gate, const kni_gate_subject *subject,
    bool with_condition);
bool kni_gate_blocks_part(const kn_world *world, uint32_t component,
    const kni_gate_subject *subject, kn_tags part_tags, uint32_t *by);
kn_result kni_event_modify_and_gate(
    kn_world *world, const kn_event_record *record, kn_event_outcome *outcome);

// Entities and tags (entity.c, owned_tags.c) --------------------------------

// The component of an entity, made if it is not there; KNI_NONE when out of memory.
uint32_t kni_component_ensure(kn_world *world, uint32_t entity_slot);
bool kni_tag_bits_reserve(kn_world *world);
void kni_entity_destroy_now(kn_world *world, kn_entity_id entity);
// Notes a component with its parent, if it has one.
void kni_component_link(kn_world *world, uint32_t component);

// Changes the count of a tag. Nothing is taken that the origin does not have.
void kni_tag_change(
    kn_world *world, uint32_t component, uint32_t tag, kn_tag_origin origin, int32_t change);
// Whether the count stays within what calls may reach.
bool kni_tag_can_change(const kn_world *world, uint32_t component, uint32_t tag, int32_t change);
void kni_blocked_change(kn_world *world, uint32_t component, uint32_t tag, int32_t change);
bool kni_component_meets(
    const kn_world *world, uint32_t component, const kn_tag_requirement *requirement);
// How often the tag itself is there, shown or not; and whether it is shown.
uint32_t kni_tag_count_exact(const kn_world *world, uint32_t component, uint32_t tag);
// The same of one of its rows: what a row has too few bits for follows from the totals below it.
uint32_t kni_row_count_large(const kn_world *world, uint32_t component, const kni_tag_row *row);
static inline uint32_t kni_row_count(
    const kn_world *world, uint32_t component, const kni_tag_row *row)
{
    return row->count < KNI_TAG_COUNT_MAX ? row->count : kni_row_count_large(world, component, row);
}
bool kni_shows_tag_exact(const kn_world *world, uint32_t component, uint32_t tag);
// Computes the tags a component shows through the edits of its effects, and tells what changed.
void kni_tags_show(kn_world *world, uint32_t component);
// The same as bits, without a change: tag_words each for shown tags and for those with parents.
void kni_tags_shown(
    const kn_world *world, uint32_t component, uint64_t *shown, uint64_t *with_parents);
// What they are made of: the tags it has, as bits, and one edit of them.
void kni_tags_owned(const kn_world *world, uint32_t component, uint64_t *owned);
void kni_tag_edit_apply(const kn_library *library, const kn_tag_edit *edit, uint64_t *shown);

// Attributes (attribute.c) --------------------------------------------------

// Where an attribute of a component is, or KNI_NONE.
static inline uint32_t kni_position(
    const kn_world *world, const kni_component *component, uint32_t attribute)
{
    const kni_layout *layout = &world->layouts[component->layout];
    uint32_t position = layout->positions[attribute];
    return position == KNI_NO_POSITION ? KNI_NONE : position;
}
uint32_t kni_position_keyed(
    const kn_world *world, const kni_component *component, uint32_t attribute, uint32_t key);
// The attribute, set and key at a position.
uint32_t kni_attribute_at_position(
    const kn_world *world, const kni_component *component, uint32_t position, uint32_t *key);

// Whether the set that an attribute is in has a hook for changes of current values.
bool kni_value_has_hook(const kn_world *world, const kni_component *component, uint32_t position);
uint32_t kni_layout_find(kn_world *world, const kni_set_instance *sets, uint32_t count);

float kni_apply_op(kn_op op, float base, float magnitude);

static inline float kni_bounded(float value, float minimum, float maximum)
{
    value = value > maximum ? maximum : value;
    return value < minimum ? minimum : value;
}

// What is stored is finite: sums stop at the largest number there is.
static inline float kni_saturated(float value)
{
    return value != value ? 0.0f : kni_bounded(value, -FLT_MAX, FLT_MAX);
}

// Executes one operation on a base value, hooks and all. Returns false if it was discarded.
bool kni_execute(kn_world *world, uint32_t component, uint32_t attribute, uint32_t key, kn_op op,
    float magnitude, const kn_spec_view *spec);
// Writes a base value. The position must exist.
kn_result kni_base_write(kn_world *world, uint32_t component, uint32_t position, uint32_t attribute,
    uint32_t key, float value, uint32_t effect);
// Evaluates the current value anew and tells whom it concerns.
void kni_current_update(kn_world *world, uint32_t component, uint32_t position, uint32_t effect);
// Changes to a component's modifiers from here on are evaluated at the end, each value once.
void kni_defer_begin(kn_world *world, uint32_t component);
void kni_defer_end(kn_world *world);
void kni_bounds(const kn_world *world, const kni_component *component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float *minimum, float *maximum);
// The aggregator of a value, made if it is not there; KNI_NONE when out of memory.
uint32_t kni_aggregator_ensure(kn_world *world, uint32_t component, uint32_t position);
uint32_t kni_transient_ensure(kn_world *world, uint32_t component, uint32_t value);
uint32_t kni_transient_find(const kn_world *world, const kni_component *component, uint32_t value);
void kni_aggregator_drop_if_empty(kn_world *world, uint32_t aggregator);
void kni_dependent_add(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, uint32_t kinds);
void kni_dependent_remove(kn_world *world, uint32_t component, uint32_t position, uint32_t effect);

// The same for a default instance where nobody intervenes and nobody follows; false when that is
// not so, and nothing was done.
static inline bool kni_execute_plain(kn_world *world, kni_component *c, const kni_attribute *info,
    uint32_t attribute, kn_op op, float magnitude, kn_entity_id entity, kn_effect_id effect)
{
    uint32_t position = world->layouts[c->layout].positions[attribute];
    if (position == KNI_NO_POSITION || (info->flags & KNI_ATTRIBUTE_PLAIN) == 0 ||
        (c->flags & KNI_COMPONENT_WATCHED) != 0) {
        return false;
    }
    kni_value *value = &kni_values_of(world, c)[position];
    if (value->aggregator1 != 0) {
        return false;
    }
    float base =
        op == KN_OP_ADD ? value->base + magnitude : kni_apply_op(op, value->base, magnitude);
    base = kni_bounded(base, info->const_base_min, info->const_base_max);
    float current = kni_bounded(base, info->const_min, info->const_max);
    float old = value->current;
    if (!(base - base == 0.0f)) {
        return false; // not finite: the long way reports it
    }
    value->base = base;
    value->current = current;
    if (c->actor1 != 0) { // not written without need: the line is one of many
        c->version++;
    }
    if (current != old && kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_ATTRIBUTE_CHANGED, entity);
        event->data.attribute.attribute.index1 = attribute + 1;
        event->data.attribute.key = 0;
        event->data.attribute.old_value = old;
        event->data.attribute.new_value = current;
        event->data.attribute.effect = effect;
    }
    return true;
}

// Values (value.c) ----------------------------------------------------------

#define KNI_POLICY_MAX 256 // modifiers that a policy of KN_QUALIFY_CUSTOM sees; others take part

// Its answer.
typedef struct kni_choice {
    bool is_known;
    uint32_t count;
    bool qualifies[KNI_POLICY_MAX];
} kni_choice;

typedef struct kni_evaluation {
    const kn_world *world;
    const kn_value_profile *profile;
    kn_qualify qualify;
    uint32_t policy; // index + 1
    float base;
    const kni_mod *mods;
    uint32_t count;
    uint64_t before;               // only those whose turn is before this; 0: all
    uint32_t channel_end;          // channels below this
    const kn_event_record *record; // for conditions; may be NULL
    const kn_tags *source_filter;  // leave out modifiers whose source lacks one
    const kn_tags *target_filter;
    uint32_t target_component; // for target_filter
    float factor;              // one more compound factor, 1 for none
    bool *skipped;             // set when a sum of divisors came too close to zero; may be NULL
    kni_choice *choice;        // kept from one question to the next; may be NULL
} kni_evaluation;

float kni_evaluate(const kni_evaluation *evaluation);
// Whether a registered condition, function or expression, holds for a record.
bool kni_condition_holds(const kn_world *world, kn_condition_id id, const kn_event_record *record,
    kn_condition_answer *answer);
kn_qualification kni_qualification(const kni_evaluation *evaluation, uint32_t index);
// Current value of an attribute before hook, limits and rounding.
float kni_attribute_raw(const kn_world *world, uint32_t component, uint32_t position,
    const kni_attribute *attribute, float base, bool *skipped);
float kni_round(kn_rounding rounding, bool minimum_one, float value, float base);
float kni_scale_by_stacks(kn_op op, float magnitude, uint32_t stacks);

// Magnitudes, specs (magnitude.c, spec.c) -----------------------------------

struct kn_spec_view {
    kn_world *world;
    const kni_effect_type *type;
    kn_entity_id source;
    kn_entity_id target;
    uint32_t source_component; // KNI_NONE
    uint32_t target_component; // KNI_NONE
    float level;
    uint32_t stacks;
    uint32_t effect; // slot, KNI_NONE
    uint32_t rare1;
    uint32_t ability1; // slot + 1 of the ability that asks, while there is no extension record
    uint32_t tick;
    kn_time duration, period; // overrides, below 0 for none; in effect: what is in force
};

void kni_view_of_effect(kn_world *world, uint32_t effect, kn_spec_view *view);
// A caller value of the ability that asks, if one does.
const kni_pair *kni_ability_pair(const kn_spec_view *spec, uint32_t tag);
// A number that may scale with level or be a parameter.
kn_result kni_scalable(const kn_spec_view *spec, const kn_scalable *scalable, float *value);
// A magnitude. `slot` is its first capture slot, or KNI_NONE to read attributes now.
kn_result kni_magnitude(
    const kn_spec_view *spec, const kn_magnitude *magnitude, uint32_t slot, float *value);
// Whose component a capture reads, or KNI_NONE.
uint32_t kni_capture_component(const kn_spec_view *spec, kn_capture_from from);
// An expression with its captures from `slot` on, or read now for KNI_NONE.
kn_result kni_expression_of_spec(
    const kn_spec_view *spec, const kni_expression *expression, uint32_t slot, float *value);
// Reads one capture of a component, which may be KNI_NONE.
kn_result kni_capture_read_of(
    const kn_world *world, uint32_t component, const kn_capture *capture, float *value);
// Reads one capture now. KN_REFUSED_MISSING_ATTRIBUTE when it is absent and has no default.
kn_result kni_capture_read(const kn_spec_view *spec, const kn_capture *capture, float *value);
// Fills the capture slots of the spec's extension record: at creation only snapshots of the source,
// at application everything that has not been read yet.
bool kni_capture_all(kn_world *world, const kn_spec_view *spec, bool at_creation);
// Magnitude of one modifier, before stacks.
kn_result kni_modifier_magnitude(const kn_spec_view *spec, uint32_t modifier, float *value);
float kni_modifier_scaled(
    const kn_spec_view *spec, uint32_t modifier, float magnitude, uint32_t stacks);
// Whether the magnitude of a modifier follows this very attribute.
bool kni_modifier_reads(
    const kn_spec_view *spec, uint32_t modifier, uint32_t component, uint32_t position);
bool kni_modifier_requirement(const kn_spec_view *spec, uint32_t modifier);
bool kni_conditions_met(const kn_spec_view *spec, const kn_conditions *conditions);
bool kni_spec_has_any_tag(const kn_spec_view *spec, kn_tags tags, bool asset, bool granted);
bool kni_spec_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact, bool asset, bool granted);
bool kni_source_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact);
bool kni_source_meets(const kn_spec_view *spec, const kn_tag_requirement *requirement);
// The same by the tags the source has now, whatever was captured.
bool kni_source_meets_now(const kn_spec_view *spec, const kn_tag_requirement *requirement);

uint32_t kni_rare_acquire(kn_world *world); // slot + 1, 0 when out of memory
// False, and a broken world, when out of memory.
bool kni_effect_rare_ensure(kn_world *world, uint32_t effect);
void kni_rare_release(kn_world *world, uint32_t rare1, const kni_effect_type *type);
bool kni_rare_copy(kn_world *world, uint32_t from1, uint32_t to1);
bool kni_rare_fill(kn_world *world, uint32_t rare1, const kn_effect_apply_def *def);
bool kni_pairs_set(kn_world *world, kni_span *span, uint32_t key, float value);
// Notes that somebody holds what the application that ended last put into an effect.
void kni_claim_begin(kn_world *world, kn_effect_id effect, kni_claim *hold);
// It is taken back: never what others put there.
void kni_claim_end(
    kn_world *world, kn_effect_id effect, const kni_claim *hold, kn_removal_reason reason);
void kni_pairs_remove(kn_world *world, kni_span *span, uint32_t key);
const kni_pair *kni_pairs_find(const kn_world *world, const kni_span *span, uint32_t key);
void kni_rare_capture_source_tags(kn_world *world, uint32_t rare1, uint32_t source_component);
void kni_spec_release(kn_world *world, uint32_t slot);
kn_entity_id kni_source_of(const kn_world *world, kn_entity_id entity);
// Adds a type of the world's own; the def has been checked.
kn_result kni_dynamic_type_add(
    kn_world *world, const kn_effect_def *def, uint32_t *index, kn_error *error);

// Effects (effect_apply.c, effect_active.c, effect_time.c) ------------------

typedef struct kni_application {
    kn_spec_view spec;
    uint32_t stacks; // asked for, 0 = as the def says
    bool ignore_gates;
    bool is_handled;            // a requirement did the work itself
    kn_effect_id effect;        // result
    kn_effect_id by;            // of a refusal: the effect behind it
    kn_effect_refusal *refusal; // for the caller; may be NULL
    uint32_t put, added;        // stacks it stands for, and by how many the count rose
} kni_application;

// Why an application is refused (effect_why.c). Tells the caller and observers; calls no hooks, so
// that it makes no difference who wants to know.
KNI_SLOW void kni_apply_refused(
    kn_world *world, const kni_application *application, kn_result result);
// All reasons; asks hooks that are pure.
uint32_t kni_application_explain(
    const kni_application *application, kn_effect_refusal *out, uint32_t capacity);
// The record that gates are asked about.
kn_event_record kni_application_record(const kn_spec_view *spec);
// The first modifier that would follow itself, or KNI_NONE.
uint32_t kni_cycle_find(const kn_spec_view *spec);
// What decides in an exclusive group: strength, and the member that is stronger, or KNI_NONE.
float kni_exclusive_strength(const kn_spec_view *spec, uint32_t stacks);
uint32_t kni_exclusive_stronger(const kn_spec_view *spec, uint32_t stacks, float *strength);
bool kni_tags_have_room(const kn_world *world, const kn_spec_view *spec);

kn_result kni_apply_def_check(const kn_world *world, const kn_effect_apply_def *def);

static inline kn_target_view kni_targets_view(const kn_world *world, const kni_span *targets)
{
    kn_target_view view = {
        targets->count > 0 ? kni_heap_at(&world->heap, targets->ref) : NULL, targets->count};
    return view;
}

// kn_targeting_query(), and how many more were found than there is room for.
bool kni_targeting_query(const kn_world *world, kn_targeting_id targeting, kn_entity_id entity,
    kn_target_data *out, uint32_t *missed);

#define KNI_CONTAINER_TARGETS 256

// Whom a container reaches. Views lead into `found` and `data`, or to what the caller gave.
typedef struct kni_container_reach {
    kn_entity_id found[KNI_CONTAINER_TARGETS];
    kn_target_data data;
    kn_effect_context context;
    bool has_context;
    const kn_entity_id *targets;
    uint32_t count;
    uint32_t missed; // found, but too many
} kni_container_reach;

// Finds out; the container need not be registered. Results as kn_container_apply().
kn_result kni_container_find(const kn_world *world, const kn_container_def *container,
    const kn_container_apply_def *def, kni_container_reach *reach);
// Tells of those that were too many.
void kni_container_tell(
    kn_world *world, const kn_container_apply_def *def, const kni_container_reach *reach);
// Applies; consumes spec.rare1. Runs inside kni_enter()/kni_leave().
kn_result kni_apply(kn_world *world, kni_application *application);
// Queues the children of an effect for an occasion.
void kni_children_start(kn_world *world, const kn_spec_view *spec, kn_child_when when,
    uint32_t old_count, uint32_t count);
void kni_children_end(kn_world *world, uint32_t effect, uint32_t child, bool all);
void kni_raise(kn_world *world, const kn_spec_view *spec, kn_raise_when when);

// Grants of an effect (effect_grant.c). Hooks run: the effect may be gone afterwards.
void kni_grants_begin(kn_world *world, uint32_t effect);
void kni_grants_end(kn_world *world, uint32_t effect);
// The effect was switched off or on.
void kni_grants_follow(kn_world *world, uint32_t effect, bool off);
// Whether a saved effect can have taken away these grants.
bool kni_grants_parked_are_good(const kn_world *world, uint32_t effect);
// Cancels the abilities of the target that the effect cancels on ticks, or on applications.
void kni_effect_cancels(kn_world *world, const kn_spec_view *spec, bool on_tick);
void kni_cues(kn_world *world, const kn_spec_view *spec, kn_cue_action action, bool interrupted);
// An active effect begins or is switched on; ends or is switched off. Nothing without cues.
void kni_effect_cues_begin(kn_world *world, uint32_t effect);
void kni_effect_cues_end(kn_world *world, uint32_t effect, bool interrupted);
// Its stacks, level or magnitude changed: told once, at the end of the step.
void kni_effect_cues_changed(kn_world *world, uint32_t effect, bool is_magnitude);
void kni_cue_changes_tell(kn_world *world);
// The magnitude that the cues of an active effect see; 0 without cues.
float kni_cue_magnitude(kn_world *world, uint32_t effect);

// Executes modifiers and executions on base values. `part` scales magnitudes of a partial tick.
void kni_effect_execute_all(kn_world *world, kn_spec_view *spec, float part);
// Publishes that it was done; for those who have asked kni_wants().
KNI_SLOW void kni_executed_tell(kn_world *world, const kn_spec_view *spec);

void kni_effect_attach(kn_world *world, uint32_t effect);
void kni_effect_detach(kn_world *world, uint32_t effect);
// A modifier as it stands in its list while it is in force on a component.
kni_mod kni_modifier_entry(kn_world *world, uint32_t effect, uint32_t modifier, uint32_t component);
void kni_modifiers_attach(kn_world *world, uint32_t effect, uint32_t component);
void kni_modifiers_detach(kn_world *world, uint32_t effect, uint32_t component);
// More effects than this end together: see KNI_ACTIVE_LOOSE.
#define KNI_EFFECTS_MANY 1024
// The values of a component let go of all its effects with KNI_ACTIVE_LOOSE, each value at once.
void kni_modifiers_let_go(kn_world *world, uint32_t component);
// New magnitudes into the modifier lists.
void kni_modifiers_refresh(kn_world *world, uint32_t effect, uint32_t component);
// Computes the magnitudes anew, for those whom they reach too. True if one changed.
bool kni_effect_refresh_all(kn_world *world, uint32_t effect);
bool kni_magnitudes_compute(kn_world *world, uint32_t effect);
void kni_effect_announce(kn_world *world, uint32_t effect);
void kni_captures_register(kn_world *world, uint32_t effect, bool add);
void kni_captures_changed(kn_world *world, uint32_t effect);
void kni_effect_recheck(kn_world *world, uint32_t effect);
void kni_effect_queue_recheck(kn_world *world, uint32_t effect);
void kni_effect_end(kn_world *world, uint32_t effect, kn_removal_reason reason);
// Publishes an application that joined the effect and changed neither count nor time.
void kni_effect_joined_tell(kn_world *world, uint32_t effect);
void kni_effect_set_count(
    kn_world *world, uint32_t effect, uint32_t count, kn_removal_reason reason);
bool kni_would_cycle(const kn_spec_view *spec);

kn_result kni_effect_times(const kn_spec_view *spec, kn_time *duration, kn_time *period);
kn_time kni_effect_period(const kn_world *world, const kni_effect *effect);
void kni_effect_schedule_tick(kn_world *world, uint32_t effect, kn_time time);
void kni_effect_schedule_end(kn_world *world, uint32_t effect);
void kni_effect_set_end(kn_world *world, uint32_t effect, kn_time start, kn_time duration);
void kni_effect_time_changed(kn_world *world, uint32_t effect);
// Entries of the timer wheel: whether their effect still agrees, and that they are due.
bool kni_tick_alive(const kn_world *world, const kni_timer *timer);
bool kni_expiry_alive(const kn_world *world, const kni_timer *timer);
void kni_tick_due(kn_world *world, const kni_timer *timer);
void kni_expiry_due(kn_world *world, const kni_timer *timer);
// Returns whether the effect is still there.
bool kni_tick(kn_world *world, uint32_t effect);

// Hooks of an effect with logic: the state block is copied out and back, because a hook may make
// the heap move.
typedef enum kni_logic_kind {
    KNI_LOGIC_APPLIED,
    KNI_LOGIC_TICKED,
    KNI_LOGIC_STACKS,
    KNI_LOGIC_INHIBITED,
    KNI_LOGIC_REMOVED,
} kni_logic_kind;

typedef struct kni_logic_call {
    kni_logic_kind kind;
    uint32_t old_count, new_count;
    bool is_inhibited;
    kn_removal_reason reason;
} kni_logic_call;

void kni_logic_notify(kn_world *world, const kn_spec_view *spec, const kni_logic_call *call);
// The hook of this effect that is running, or NULL.
const kni_logic_frame *kni_logic_running(const kn_world *world, kn_effect_id effect);

kn_time kni_stacks_next_end(const kn_world *world, const kni_effect *effect);
void kni_stacks_reschedule(kn_world *world, uint32_t effect);
void kni_effect_times_follow(kn_world *world, uint32_t effect);
// What its live times would say at a level, with the values it has: KN_OK, or why not.
kn_result kni_effect_times_check(kn_world *world, uint32_t effect, float level);
// Another period; the running one follows if it is to be rescaled.
void kni_effect_set_period(kn_world *world, uint32_t effect, kn_time period);

static inline kn_time kni_effect_end_time(const kni_effect *effect)
{
    return effect->duration == KN_TIME_INFINITE ? KN_TIME_INFINITE
                                                : effect->start + effect->duration;
}

// The entry for the end of an effect, if there is one, no longer counts.
static inline void kni_effect_end_cancelled(kn_world *world, kni_effect *effect)
{
    if (effect->duration != KN_TIME_INFINITE && (effect->flags & KNI_ACTIVE_EXPIRING) == 0) {
        kni_wheel_cancelled(&world->wheel);
    }
    effect->flags &= (uint16_t)~KNI_ACTIVE_EXPIRING;
}

static inline void kni_timer_add(
    kn_world *world, kn_time time, uint64_t number, uint32_t slot, uint32_t kind)
{
    KN_ASSERT(slot < KNI_POOL_MAX && number != 0 && time != KN_TIME_INFINITE);
    kni_timer timer = {time, (uint32_t)number, slot | kind << 28};
    if (!kni_wheel_add(&world->wheel, &world->memory, timer)) {
        kni_break(world);
    }
}

// Extension components (extension.c), listeners (listener.c) ----------------

void kni_extensions_remove(kn_world *world, uint32_t entity_slot);
bool kni_extensions_init(kn_world *world);
void kni_extensions_free(kn_world *world);
// All components were replaced by others; `old` is where they were before, perhaps the same place.
void kni_extensions_replaced(kn_world *world, const kn_world *old);
void kni_listeners_call(kn_world *world);
void kni_listeners_remove_owner(kn_world *world, kn_entity_id owner);
void kni_timers_remove(kn_world *world, kn_entity_id entity);
// Room for the timers of so many entities; false when out of memory.
bool kni_timers_reserve(kn_world *world, uint32_t entities);
// Finds anew whose timers they are.
void kni_timers_link_all(kn_world *world);
void kni_rule_timer_release(kn_world *world, uint32_t slot);
void kni_rule_timer_fire(kn_world *world, const kni_timer *timer);

#endif
