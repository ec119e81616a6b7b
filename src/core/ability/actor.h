// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity that acts has besides its component: granted abilities, their activations,
// charges, tasks, and watchers. A component gets its kni_actor with the first of these. Lists in an
// actor are derived from the records, in order of creation.
#ifndef KNI_ACTOR_H
#define KNI_ACTOR_H

#include "base/text.h"
#include "effect/effect.h"

#include "knack/ability.h"

void kni_ability_view(
    const kn_world *world, uint32_t slot, const kni_effect_type *type, kn_spec_view *view);
// Publishes the abilities whose status changed.
void kni_status_publish(kn_world *world);

// One step of a cost: what it does to one base value.
typedef struct kni_cost_step {
    uint32_t attribute; // index of the attribute
    uint32_t key;
    float before;
    float after;
    bool is_cut;     // limited by the attribute's minimum, so not affordable
    bool is_missing; // the attribute is absent
} kni_cost_step;

#define KNI_COST_STEPS 32

typedef struct kni_price {
    uint32_t count;
    kni_cost_step steps[KNI_COST_STEPS];
} kni_price;

// An activation that is just starting: its hook or body runs. Its commit need not check again what
// it was checked for, as long as the version of the owner is the same.
typedef struct kni_starting {
    const struct kni_starting *outer;
    kn_activation_id activation;
    uint32_t version;
    kni_price price;
} kni_starting;

// A number that scales with the level of an ability.
static inline float kni_level_value(const kn_world *world, const kn_scalable *scalable, float level)
{
    return scalable->curve.index1 == 0
               ? scalable->value
               : scalable->value * kn_curve_at(world->library, scalable->curve, level);
}

// Actors (actor.c) ----------------------------------------------------------

// Ends everything of an entity that is being destroyed.
void kni_actor_end(kn_world *world, uint32_t component);
void kni_actor_release(kn_world *world, uint32_t component);
void kni_actor_avatar_changed(kn_world *world, uint32_t component);
void kni_triggers_watch(kn_world *world, uint32_t ability);
// Runs the trigger or task of a watcher that was queued.
void kni_watch_run(kn_world *world, const kni_queued *queued);

// Abilities -----------------------------------------------------------------

kn_ability_call kni_ability_call_of(kn_world *world, uint32_t ability, kn_activation_id activation);
// The seed of an activation that begins; no other one of the ability gets the same.
uint64_t kni_activation_seed_take(kn_world *world, uint32_t ability, kn_time start);
// The part of a tag's count that comes from running abilities and their cooldowns.
uint32_t kni_abilities_hold(const kn_world *world, uint32_t component, uint32_t tag);
// An attempt to activate an ability.
typedef struct kni_attempt {
    const kn_event_record *event; // may be NULL
    kn_net_origin origin;
    uint32_t trigger; // place of the trigger that starts it, or KNI_NO_TRIGGER
} kni_attempt;

#define KNI_NO_TRIGGER UINT16_MAX

// By code on this machine; `event` may be NULL.
static inline kni_attempt kni_attempt_here(const kn_event_record *event)
{
    return (kni_attempt){event, KN_NET_ORIGIN_HERE, KNI_NO_TRIGGER};
}

// What hooks say against an activation. Lines beyond the capacity are counted, not kept.
struct kn_check_answer {
    const kn_world *world;
    uint32_t plain;    // reasons that are not in lines
    uint32_t reasons;  // those in lines
    kn_check_id check; // the check that runs
    kn_refusal_line *lines;
    uint32_t count, capacity;
};

#define KNI_CHECK_LINES 8 // lines that an activation keeps for its log and event

static inline uint32_t kni_answer_kept(const kn_check_answer *answer)
{
    return answer->count < answer->capacity ? answer->count : answer->capacity;
}

// All reasons against it. `price` receives what it would cost, if that was looked at; may be NULL.
// Without an `answer`, whose lines and capacity are set, hooks are not called.
uint32_t kni_ability_check_all(const kn_world *world, uint32_t slot, const kni_attempt *attempt,
    kn_check_answer *answer, kni_price *price);
bool kni_ability_meets_tags(const kn_world *world, uint32_t slot);
// Removes an ability: its activations are over, or are ended now.
void kni_ability_remove_now(kn_world *world, uint32_t slot);
// Revokes the grant of an effect that ends.
void kni_ability_revoke_by_effect(kn_world *world, uint32_t slot, kn_grant_removal removal);
void kni_ability_grant_by_effect(kn_world *world, uint32_t component,
    const kn_ability_grant_def *def, kn_effect_id effect, uint32_t grant);
// Removes an ability once its activations have ended, because its effect is inhibited; and undoes
// that.
void kni_ability_park(kn_world *world, uint32_t slot);
void kni_ability_unpark(kn_world *world, uint32_t slot);
// Whether the effect that granted it is inhibited, which keeps it from starting.
bool kni_ability_is_suspended(const kn_world *world, const kni_ability *ability);
bool kni_ability_granted_hooks(kn_world *world, uint32_t slot);
// Checks and activates.
kn_result kni_activate(
    kn_world *world, uint32_t slot, const kni_attempt *attempt, kn_activation_id *activation);
// The same for a call from outside: `out` may be NULL.
kn_result kni_activate_call(
    kn_world *world, kn_ability_id ability, const kni_attempt *attempt, kn_activation_id *out);
// As kn_activation_apply_def(), and says what was put there.
kn_result kni_activation_apply(kn_world *world, kn_activation_id id,
    const kn_effect_apply_def *given, kn_effect_id *effect, kni_put *put);
void kni_activation_end_now(kn_world *world, uint32_t slot, kn_end_reason reason);
// Hooks must not move `cancel`.
void kni_activation_cancel_now(kn_world *world, uint32_t slot, const kn_cancel *cancel);
// Whether it is alive and not just ending.
static inline bool kni_activation_runs(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = kni_activation_find(world, id);
    return slot != KNI_NONE && (kni_activation_at(world, slot)->flags & KNI_ACTIVATION_ENDING) == 0;
}
// Ends it for whatever reason `cancel` has, or queues that. Hooks must not move `cancel`.
kn_result kni_activation_stop(kn_world *world, kn_activation_id id, const kn_cancel *cancel);
kn_result kni_ability_cancel(kn_world *world, kn_ability_id ability, const kn_cancel *cancel);
void kni_ability_event(kn_world *world, kn_event_type type, uint32_t ability,
    kn_activation_id activation, uint32_t reasons, kn_end_reason reason);
// The same about the end of an activation, with everything that is known about it.
void kni_ended_event(
    kn_world *world, uint32_t ability, kn_activation_id activation, const kn_cancel *cancel);
// The same about a commit, with tags.
void kni_commit_event(kn_world *world, kn_event_type type, uint32_t ability,
    kn_activation_id activation, uint32_t reasons, kn_tags tags, const kn_check_answer *answer);
uint32_t kni_abilities_matching(
    const kn_world *world, uint32_t component, const kn_ability_query *query, uint32_t index);

// Walks over the abilities that existed when it began, by grant. Hooks may grant and remove
// meanwhile: new abilities are not visited, removed ones are skipped.
typedef struct kni_ability_walk {
    uint32_t component;
    const kn_ability_query *query; // may be NULL; tested when the walk arrives
    uint64_t after;                // number of the last ability visited
    uint64_t before;               // abilities with this number or above were granted later
} kni_ability_walk;

kni_ability_walk kni_ability_walk_begin(
    const kn_world *world, uint32_t component, const kn_ability_query *query);
// The slot of the next ability, or KNI_NONE.
uint32_t kni_ability_walk_next(const kn_world *world, kni_ability_walk *walk);

// Containers, targeting -----------------------------------------------------

// kn_targeting_query(), and how many targets there was no room for.
bool kni_targeting_query(const kn_world *world, kn_targeting_id targeting, kn_entity_id entity,
    kn_target_data *out, uint32_t *missed);

#define KNI_CONTAINER_TARGETS 256

// The targets of a container. Views point into `found` and `data`, or to what the caller passed.
typedef struct kni_container_reach {
    kn_entity_id found[KNI_CONTAINER_TARGETS];
    kn_target_data data;
    kn_effect_context context;
    bool has_context;
    const kn_entity_id *targets;
    uint32_t count;
    uint32_t missed; // targets found that there was no room for
} kni_container_reach;

// Finds the targets; the container need not be registered. Results as kn_container_apply().
kn_result kni_container_find(const kn_world *world, const kn_container_def *container,
    const kn_container_apply_def *def, kni_container_reach *reach);
// Reports the targets that there was no room for.
void kni_container_publish(
    kn_world *world, const kn_container_apply_def *def, const kni_container_reach *reach);
// Abilities granted and cancelled by effects (effect_grant.c). Hooks run: the effect may be removed
// afterwards.
void kni_grants_begin(kn_world *world, uint32_t effect);
void kni_grants_end(kn_world *world, uint32_t effect);
// The effect was inhibited, or acts again.
void kni_grants_follow(kn_world *world, uint32_t effect, bool off);
// Whether a saved effect can have revoked these grants.
bool kni_grants_parked_are_good(const kn_world *world, uint32_t effect);
// Cancels the abilities of the target that the effect cancels on ticks, or on applications.
void kni_effect_cancels(kn_world *world, const kn_spec_view *spec, bool on_tick);
// Cost (ability_cost.c) -----------------------------------------------------

// Goes through the cost without changing anything. Returns whether all its steps can be paid.
bool kni_cost_price(const kn_world *world, uint32_t ability, kni_price *price);
// Pays the steps and records the amounts.
void kni_cost_pay(kn_world *world, uint32_t activation, const kni_price *price);
// Applies an effect of an ability to its owner: cost or cooldown.
kn_result kni_ability_apply_own(kn_world *world, uint32_t ability, kn_effect_type_id type,
    const kn_caller_value *value, kn_tags granted);

// Charges (charge.c) --------------------------------------------------------

// One of an ability's cooldowns.
typedef struct kni_cooldown {
    kn_cooldown_info info;
    kn_time wait_total; // the whole length of the wait
    uint32_t cost;      // charges that one use takes
} kni_cooldown;

// First its charge records, then its cooldown tags; false for a tag that no effect grants.
bool kni_cooldown_at(
    const kn_world *world, uint32_t ability, uint32_t index, kni_cooldown *cooldown);
static inline uint32_t kni_cooldown_count(const kni_ability_type *type)
{
    return type->def.cooldown_count + type->cooldown_tag_count;
}

// Which of an ability's cooldowns: those that start with the activation are begun before the
// commit.
typedef enum kni_cooldown_which {
    KNI_COOLDOWNS_ALL,
    KNI_COOLDOWNS_EARLY,
    KNI_COOLDOWNS_LATE,
} kni_cooldown_which;

// Whether one of the ability's cooldowns keeps it from being used. `skip` has a bit for each that
// does not count, by its index in the def.
bool kni_cooldown_blocks(
    const kn_world *world, uint32_t ability, kni_cooldown_which which, uint64_t skip);
void kni_cooldown_start(kn_world *world, uint32_t ability, kni_cooldown_which which, uint64_t skip);
// The same for the one with an index in its def.
bool kni_cooldown_one_blocks(const kn_world *world, uint32_t ability, uint32_t index);
void kni_cooldown_use(kn_world *world, uint32_t ability, uint32_t index);
uint32_t kni_charge_find(const kn_world *world, uint32_t component, uint32_t key, uint32_t ability);
void kni_charge_fire(kn_world *world, const kni_timer *timer);
bool kni_charge_alive(const kn_world *world, const kni_timer *timer);
void kni_charge_release(kn_world *world, uint32_t slot);
void kni_charge_move(kn_world *world, uint32_t from_ability, uint32_t to_ability);
// Sets the level of an ability; its charges follow.
void kni_ability_level_set(kn_world *world, uint32_t ability, float level);
void kni_charge_schedule(kn_world *world, uint32_t slot);
// Around a change of the tolerance: takes the cooldowns of an actor out of the wheel, and back.
void kni_charges_unschedule(kn_world *world, uint32_t component);
void kni_charges_schedule(kn_world *world, uint32_t component);
// An ability was refused because of its cooldown: publishes it if too early uses add up.
void kni_cooldown_early(kn_world *world, uint32_t ability);
void kni_charges_of_ability_release(kn_world *world, uint32_t ability);
// An attribute changed; with KNI_NONE, any may have.
void kni_charges_rate_changed(kn_world *world, uint32_t component, uint32_t attribute);
// The same for those whose maximum is the attribute.
void kni_charges_maximum_changed(kn_world *world, uint32_t component, uint32_t attribute);
// Creates the records of a new ability whose maximum is an attribute, so that they follow it.
void kni_charges_begin(kn_world *world, uint32_t ability);

// Requests (net_request.c) -----------------------------------------------------

// Publishes a request to the server, if this is the client that controls the owner. `data` is
// target data.
KNI_SLOW void kni_request_slow(kn_world *world, uint32_t ability, kn_activation_id activation,
    kn_request_part part, const void *data, uint32_t size);

static inline void kni_request(kn_world *world, uint32_t ability, kn_activation_id activation,
    kn_request_part part, const void *data, uint32_t size)
{
    if (world->def.is_client && kni_wants(world, KN_EVENT_REQUEST)) {
        kni_request_slow(world, ability, activation, part, data, size);
    }
}

void kni_request_flush(kn_world *world);
// Publishes that an activation is at a sync point.
void kni_request_sync(
    kn_world *world, uint32_t ability, kn_activation_id activation, uint32_t use, uint32_t point);
// A `sync` command of a connection (task_sync.c). Results as kn_peer_sync().
kn_result kni_sync_command(kn_world *world, uint32_t connection, const kn_command_sync *sync);

// Cues (cue.c) ----------------------------------------------------------------

// Removes all cues that were added to an entity.
void kni_cues_end(kn_world *world, uint32_t component, bool interrupted);
// Removes the cues that end with an activation, on any entity.
void kni_cues_end_with(kn_world *world, uint32_t activation, bool interrupted);

// "on cooldown for 2.0 of 8 s; needs 40 Hero.Mana, has 32": the result of a check, without calling
// any hook again. The price is read where the cost is a reason.
void kni_text_refusal(kni_text *text, const kn_world *world, uint32_t ability,
    const kn_check_answer *answer, const kni_price *price);
// One line of it.
void kni_text_refusal_line(kni_text *text, const kn_world *world, const kn_refusal_line *line);

kn_tags kni_ability_dynamic_tags(const kn_world *world, const kni_ability *ability);

// Whether another ability, or an effect, blocks a tag or one above it.
bool kni_ability_tag_is_blocked(const kn_world *world, uint32_t slot, kn_tag tag);

#endif
