// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity that acts has beside its component: granted abilities, what runs of them, charges,
// tasks, and who waits for what. A component gets its actor record with the first of these. Lists
// in an actor are derived from the records, in order of creation.
#ifndef KNI_ACTOR_H
#define KNI_ACTOR_H

#include "base/text.h"
#include "world/state.h"

#include "knack/ability.h"

void kni_ability_view(
    const kn_world *world, uint32_t slot, const kni_effect_type *type, kn_spec_view *view);
// Tells whose status changed, if somebody wants to know.
void kni_status_tell(kn_world *world);

// What happens to an entity may wake a trigger of an ability or a task.
typedef struct kni_watcher {
    uint8_t trigger; // kn_trigger
    uint8_t is_task;
    uint16_t detail; // trigger of an ability: kn_trigger_source
    int32_t priority;
    uint32_t key;  // tag, attribute or type + 1; 0 for any
    uint32_t slot; // of the ability or task
} kni_watcher;

enum {
    KNI_ACTOR_NO_CUES = 1 << 0, // cues on this entity are suppressed
    KNI_ACTOR_BATCHES = 1 << 1, // requests of one ability may travel together
    KNI_ACTOR_FLAGS = 3,
};

typedef struct kni_actor {
    uint32_t component;
    uint32_t confirm; // inputs
    uint32_t cancel;
    uint32_t flags;
    uint32_t watch_mask;  // bit per kn_trigger that a watcher waits for
    uint32_t rate_count;  // charges whose cycles follow an attribute
    kni_span abilities;   // uint32_t slots, by creation
    kni_span activations; // uint32_t slots, by creation
    kni_span charges;     // uint32_t slots, by creation
    kni_span watchers;    // kni_watcher, by priority, then creation
    kni_span cues;        // uint32_t slots, by creation
} kni_actor;

// A cue that was added by itself, not by an effect; one for each activation that it ends with.
typedef struct kni_cue {
    uint64_t number;
    uint32_t component;
    uint32_t tag;
    uint32_t count;
    uint32_t flags; // KNI_CUE_*
    kn_entity_id instigator;
    kn_entity_id causer;
    kn_activation_id activation; // it ends with
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
    KNI_ABILITY_REMOVING = 1 << 1, // goes when what runs has ended
    KNI_ABILITY_ONCE = 1 << 2,     // granted for one activation
    KNI_ABILITY_PARKED = 1 << 3,   // removing, because the effect that granted it is off
    KNI_ABILITY_STATE = 0xff,      // what is saved
    KNI_ABILITY_GONE = 1 << 8,     // being removed now
};

// A granted ability.
typedef struct kni_ability {
    uint64_t number;
    uint32_t component;
    uint16_t type; // index
    uint16_t flags;
    float level;
    uint32_t input;
    uint32_t active_count;
    uint32_t grants;
    uint32_t set1; // the ability set that brought it, + 1
    kn_entity_id source;
    kn_effect_id effect;  // that granted it
    uint32_t told_status; // for observers: the last published kn_ability_status()
    uint64_t source_object;
    uint64_t user;
    kni_span tags;   // uint32_t, by number
    kni_span caller; // kni_pair by tag
    kni_span state;  // bytes; of KN_INSTANCING_PER_ACTOR
    // What kn_ability_status() found last.
    uint32_t status;
    uint32_t status_version;
    uint32_t grant1;  // place in that effect's grants, + 1
    uint32_t salt;    // distinguishes those of one type that its owner has
    uint32_t at_once; // activations that began at
    kn_time started;  // the time of the last one
} kni_ability;

enum {
    KNI_ACTIVATION_FIXED = 1 << 0,    // cannot be cancelled
    KNI_ACTIVATION_BLOCKS = 1 << 1,   // its block on others is in force
    KNI_ACTIVATION_COST = 1 << 2,     // paid
    KNI_ACTIVATION_COOLDOWN = 1 << 3, // started
    KNI_ACTIVATION_BY_EVENT = 1 << 4,
    KNI_ACTIVATION_BY_PRESENCE = 1 << 5, // ends when its trigger's tag goes
    KNI_ACTIVATION_CUES = 1 << 6,        // cues end with it
    KNI_ACTIVATION_STATE = 0xff,
    KNI_ACTIVATION_ENDING = 1 << 8,
    KNI_ACTIVATION_STARTING = 1 << 9, // its activate hook has not returned
    // What the server said. Server and client differ in it, so it is not hashed.
    KNI_ACTIVATION_CONFIRMED = 1 << 10,
    KNI_ACTIVATION_REJECTED = 1 << 11,
};

// One use of an ability.
typedef struct kni_activation {
    uint64_t number;
    kn_time start;
    uint32_t ability; // slot
    uint16_t flags;
    uint16_t trigger; // place in the def's triggers of KN_TRIGGER_SOURCE_TAG_PRESENT
    uint32_t payload1;
    kni_span state; // bytes; of KN_INSTANCING_PER_EXECUTION
    kni_span paid;  // kni_pair by attribute + 1
    kni_span tasks; // uint32_t slots, by creation
    uint64_t seed;
} kni_activation;

// A cooldown: charges and the cycle that brings them back.
typedef struct kni_charge {
    uint64_t number;
    kn_time start;    // of the running cycle
    kn_time end;      // KN_TIME_INFINITE when none runs
    kn_time next_use; // spacing: no use before; 0 when that has passed
    uint32_t component;
    uint32_t key;      // tag, or 0: of one ability
    uint32_t ability1; // slot + 1 of that ability
    uint32_t charges;
    uint32_t max;
    uint32_t returned;
    uint32_t cost;    // of the use that its tag stands for
    uint32_t rate;    // attribute + 1
    float speed;      // of the running cycle
    uint16_t type;    // index of the ability that used it last
    uint8_t cooldown; // index in its def
    uint8_t has_tag;  // the key is counted as a tag
    float level;      // of that ability
    uint32_t unused;
    kn_time left; // work of a cycle that stands still: its end is KN_TIME_MAX
} kni_charge;

// What an event brought: kept as long as somebody may ask for it.
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

// One step of a price on one base value.
typedef struct kni_cost_step {
    uint32_t attribute; // index
    uint32_t key;
    float before;
    float after;
    bool is_cut;     // its minimum stood in the way
    bool is_missing; // the attribute is not there
} kni_cost_step;

#define KNI_COST_STEPS 32

typedef struct kni_price {
    uint32_t count;
    kni_cost_step steps[KNI_COST_STEPS];
} kni_price;

// What the check of an activation found, while its body runs: its commit need not ask again as
// long as the version of the owner is the same.
typedef struct kni_checked {
    kn_activation_id activation;
    uint32_t version;
    bool is_asked; // by the other side, see kn_peer_activate()
    kni_price price;
} kni_checked;

// Access --------------------------------------------------------------------

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

// A number that scales with the level of an ability.
static inline float kni_level_value(const kn_world *world, const kn_scalable *scalable, float level)
{
    return scalable->curve.index1 == 0
               ? scalable->value
               : scalable->value * kn_curve_at(world->library, scalable->curve, level);
}

// Actors (actor.c) ----------------------------------------------------------

// Makes it if it is not there; NULL, and a broken world, when out of memory.
kni_actor *kni_actor_ensure(kn_world *world, uint32_t component);
// Begins a call about the actor of an entity, made if it is not there; NULL with the result to
// return if it cannot begin. The caller ends it with kni_leave().
kni_actor *kni_actor_enter(kn_world *world, kn_entity_id entity, kn_result *result);
// Everything of an entity that is being destroyed.
void kni_actor_end(kn_world *world, uint32_t component);
void kni_actor_release(kn_world *world, uint32_t component);
void kni_actor_avatar_changed(kn_world *world, uint32_t component);
void kni_watch_add(kn_world *world, uint32_t component, kni_watcher watcher);
void kni_watch_mask_update(const kn_world *world, kni_actor *actor);
void kni_triggers_watch(kn_world *world, uint32_t ability);
void kni_watch_remove(kn_world *world, uint32_t component, uint32_t slot, bool is_task);
// Queues everything that a reaction wakes: the rules of the library, then watchers.
void kni_react_all(kn_world *world, uint32_t component, const kn_reaction *reaction);
// The same for an event with its record, which may be NULL.
void kni_watch_event(kn_world *world, uint32_t component, const kn_reaction *reaction,
    const kn_event_record *record);
// A queued watcher's turn.
void kni_watch_run(kn_world *world, const kni_queued *queued);

// Payloads: slot + 1, counted; 0 when out of memory.
uint32_t kni_payload_store(kn_world *world, const kn_event_record *record, uint32_t tag);
void kni_payload_release(kn_world *world, uint32_t payload1);
void kni_payload_view(const kn_world *world, uint32_t payload1, kn_event_record *record);

// A payload that hooks may look at while the world grows: its lists lie outside the heap.
typedef struct kni_payload_copy {
    kn_event_record record;
    uint8_t *block;
    size_t size;
    size_t used;
    _Alignas(8) uint8_t local[1024];
} kni_payload_copy;

// False, and a broken world, when out of memory. Must stay where it is until it is dropped.
bool kni_payload_take(kn_world *world, uint32_t payload1, kni_payload_copy *copy);
void kni_payload_drop(kn_world *world, kni_payload_copy *copy);

// Abilities -----------------------------------------------------------------

kn_ability_call kni_ability_call_of(kn_world *world, uint32_t ability, kn_activation_id activation);
bool kni_ability_has_tag(const kn_world *world, uint32_t slot, uint32_t tag);
// The seed of an activation that begins; no other one of the ability gets the same.
uint64_t kni_activation_seed_take(kn_world *world, uint32_t ability, kn_time start);
// How much of a tag's count running abilities and their cooldowns hold.
uint32_t kni_abilities_hold(const kn_world *world, uint32_t component, uint32_t tag);
// `price` receives what it would cost, if that was looked at; may be NULL.
uint32_t kni_ability_check_all(const kn_world *world, uint32_t slot, const kn_event_record *event,
    bool with_hooks, kni_price *price);
bool kni_ability_meets_tags(const kn_world *world, uint32_t slot);
// Takes an ability away: its activations are over or are ended now.
void kni_ability_remove_now(kn_world *world, uint32_t slot);
// The effect that granted an ability ends.
void kni_ability_revoke_by_effect(kn_world *world, uint32_t slot, kn_grant_removal removal);
void kni_ability_grant_by_effect(kn_world *world, uint32_t component,
    const kn_ability_grant_def *def, kn_effect_id effect, uint32_t grant);
// Takes an ability away when what runs has ended, because its effect is off; and back.
void kni_ability_park(kn_world *world, uint32_t slot);
void kni_ability_unpark(kn_world *world, uint32_t slot);
// Whether its effect is off and keeps it from starting.
bool kni_ability_is_suspended(const kn_world *world, const kni_ability *ability);
bool kni_ability_granted_hooks(kn_world *world, uint32_t slot);
// Checks and activates. `trigger` is the place of the trigger that asks, if one does.
kn_result kni_activate(kn_world *world, uint32_t slot, const kn_event_record *event,
    uint32_t trigger, kn_activation_id *activation);
void kni_activation_end_now(kn_world *world, uint32_t slot, kn_end_reason reason);
// Whether it is there and not just ending.
static inline bool kni_activation_runs(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = kni_activation_find(world, id);
    return slot != KNI_NONE && (kni_activation_at(world, slot)->flags & KNI_ACTIVATION_ENDING) == 0;
}
kn_result kni_activation_stop(kn_world *world, kn_activation_id id, kn_end_reason reason);
void kni_ability_event(kn_world *world, kn_event_type type, uint32_t ability,
    kn_activation_id activation, uint32_t reasons, kn_end_reason reason);
// The same about a commit, with tags.
void kni_commit_event(kn_world *world, kn_event_type type, uint32_t ability,
    kn_activation_id activation, uint32_t reasons, kn_tags tags);
uint32_t kni_abilities_matching(
    const kn_world *world, uint32_t component, const kn_ability_query *query, uint32_t index);

// A walk over the abilities that were there when it began, by grant. Hooks may grant and remove
// meanwhile: what is new is not visited, what is gone is left out.
typedef struct kni_ability_walk {
    uint32_t component;
    const kn_ability_query *query; // may be NULL; asked when the walk arrives
    uint64_t after;                // number of the last one
    uint64_t before;               // what is numbered from here on came later
} kni_ability_walk;

kni_ability_walk kni_ability_walk_begin(
    const kn_world *world, uint32_t component, const kn_ability_query *query);
// The slot of the next one, or KNI_NONE.
uint32_t kni_ability_walk_next(const kn_world *world, kni_ability_walk *walk);

// Cost (ability_cost.c) -----------------------------------------------------

// Goes through the price without changing anything. Returns whether all its steps can be taken.
bool kni_cost_price(const kn_world *world, uint32_t ability, kni_price *price);
// Pays what the steps say, and notes it.
void kni_cost_pay(kn_world *world, uint32_t activation, const kni_price *price);
// An effect of an ability on its owner: cost or cooldown.
kn_result kni_ability_apply_own(kn_world *world, uint32_t ability, kn_effect_type_id type,
    const kn_caller_value *value, kn_tags granted);

// Charges (charge.c) --------------------------------------------------------

// One of an ability's cooldowns.
typedef struct kni_cooldown {
    kn_cooldown_info info;
    kn_time wait_total; // the whole length of the wait
    uint32_t cost;      // charges a use spends
} kni_cooldown;

// Its charge records, then its cooldown tags; false for a tag that no effect grants.
bool kni_cooldown_at(
    const kn_world *world, uint32_t ability, uint32_t index, kni_cooldown *cooldown);
static inline uint32_t kni_cooldown_count(const kni_ability_type *type)
{
    return type->def.cooldown_count + type->cooldown_tag_count;
}

// Whether one of the ability's cooldowns keeps it from being used.
bool kni_cooldown_blocks(const kn_world *world, uint32_t ability);
void kni_cooldown_start(kn_world *world, uint32_t ability);
uint32_t kni_charge_find(const kn_world *world, uint32_t component, uint32_t key, uint32_t ability);
void kni_charge_fire(kn_world *world, const kni_timer *timer);
bool kni_charge_alive(const kn_world *world, const kni_timer *timer);
void kni_charge_release(kn_world *world, uint32_t slot);
void kni_charge_move(kn_world *world, uint32_t from_ability, uint32_t to_ability);
// Sets the level of an ability; its charges follow.
void kni_ability_level_set(kn_world *world, uint32_t ability, float level);
void kni_charge_schedule(kn_world *world, uint32_t slot);
void kni_charges_of_ability_release(kn_world *world, uint32_t ability);
// An attribute changed, or with KNI_NONE any may have.
void kni_charges_rate_changed(kn_world *world, uint32_t component, uint32_t attribute);

// Requests (net_request.c) -----------------------------------------------------

// Tells the server, if this is the client that controls the owner. `data` are target data.
void kni_request(kn_world *world, uint32_t ability, kn_activation_id activation,
    kn_request_part part, const void *data, uint32_t size);

void kni_request_flush(kn_world *world);

// Cues (cue.c) ----------------------------------------------------------------

// All that were added to an entity.
void kni_cues_end(kn_world *world, uint32_t component, bool interrupted);
// Those that end with an activation, on any entity.
void kni_cues_end_with(kn_world *world, kn_activation_id activation, bool interrupted);

// "on cooldown for 2.0 of 8 s; needs 40 Hero.Mana, has 32": what a check found, without asking any
// hook again. The price is read where the cost is a reason.
void kni_text_refusal(kni_text *text, const kn_world *world, uint32_t ability, uint32_t reasons,
    const kni_price *price);

#endif
