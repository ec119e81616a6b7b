// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity that acts has beside its component: granted abilities, what runs of them, charges,
// tasks, and who waits for what. A component gets its actor record with the first of these. Lists
// in an actor are derived from the records, in order of creation.
#ifndef KNI_ACTOR_H
#define KNI_ACTOR_H

#include "base/text.h"
#include "effect/effect.h"

#include "knack/ability.h"

void kni_ability_view(
    const kn_world *world, uint32_t slot, const kni_effect_type *type, kn_spec_view *view);
// Tells whose status changed, if somebody wants to know.
void kni_status_tell(kn_world *world);

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

// A number that scales with the level of an ability.
static inline float kni_level_value(const kn_world *world, const kn_scalable *scalable, float level)
{
    return scalable->curve.index1 == 0
               ? scalable->value
               : scalable->value * kn_curve_at(world->library, scalable->curve, level);
}

// Actors (actor.c) ----------------------------------------------------------

// Everything of an entity that is being destroyed.
void kni_actor_end(kn_world *world, uint32_t component);
void kni_actor_release(kn_world *world, uint32_t component);
void kni_actor_avatar_changed(kn_world *world, uint32_t component);
void kni_triggers_watch(kn_world *world, uint32_t ability);
// A queued watcher's turn.
void kni_watch_run(kn_world *world, const kni_queued *queued);

// Abilities -----------------------------------------------------------------

kn_ability_call kni_ability_call_of(kn_world *world, uint32_t ability, kn_activation_id activation);
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

// Containers, targeting -----------------------------------------------------

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
// Abilities granted and cancelled by effects (effect_grant.c). Hooks run: the effect may be gone
// afterwards.
void kni_grants_begin(kn_world *world, uint32_t effect);
void kni_grants_end(kn_world *world, uint32_t effect);
// The effect was switched off or on.
void kni_grants_follow(kn_world *world, uint32_t effect, bool off);
// Whether a saved effect can have taken away these grants.
bool kni_grants_parked_are_good(const kn_world *world, uint32_t effect);
// Cancels the abilities of the target that the effect cancels on ticks, or on applications.
void kni_effect_cancels(kn_world *world, const kn_spec_view *spec, bool on_tick);
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
void kni_cues_end_with(kn_world *world, uint32_t activation, bool interrupted);

// After a save was read (actor_load.c): what is wrong with the records, or NULL; and what is
// derived from them.
const char *kni_actors_check(kn_world *world);
kn_result kni_actors_rebuild(kn_world *world);

// "on cooldown for 2.0 of 8 s; needs 40 Hero.Mana, has 32": what a check found, without asking any
// hook again. The price is read where the cost is a reason.
void kni_text_refusal(kni_text *text, const kn_world *world, uint32_t ability, uint32_t reasons,
    const kni_price *price);

kn_tags kni_ability_dynamic_tags(const kn_world *world, const kni_ability *ability);

// Whether another ability, or an effect, blocks a tag or one above it.
bool kni_ability_tag_is_blocked(const kn_world *world, uint32_t slot, kn_tag tag);

#endif
