// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cooldowns as charges. A use takes some, a cycle restores some; while charges are missing the next
// cycle follows at once, from the nominal end of the one before. A record with a key is shared, and
// the owner has its key as a tag exactly while there are too few charges for a use.
//
// Cycles may run at the speed of an attribute: when it changes, the work that is left is kept.

#include "ability/actor.h"

#include "knack/prediction.h"

#include <math.h>

static const kni_cooldown_type *charge_type(const kn_world *world, const kni_charge *charge)
{
    return &kni_ability_type_at(world->library, charge->type)->cooldowns[charge->cooldown];
}

static const kn_cooldown_def *charge_def(const kn_world *world, const kni_charge *charge)
{
    return charge_type(world, charge)->def;
}

static const kni_cooldown_type *cooldowns_of(const kn_world *world, const kni_ability *ability)
{
    return kni_ability_type_at(world->library, ability->type)->cooldowns;
}

// The count that a number of the def gives at a level, as modifiers of a value change it.
static uint32_t charge_count(const kn_world *world, uint32_t component, const kn_scalable *scalable,
    kn_value_id value, float level)
{
    float number = kni_level_value(world, scalable, level);
    if (value.index1 != 0) {
        number = kn_value_evaluate(
            world, kni_component_entity(world, component), value, number, NULL, false);
    }
    return kni_charges_of(number);
}

static inline uint32_t charge_cost(
    const kn_world *world, uint32_t component, const kni_cooldown_type *cooldown, float level)
{
    const kn_cooldown_def *def = cooldown->def;
    return cooldown->is_fixed ? cooldown->cost
                              : charge_count(world, component, &def->cost, def->cost_value, level);
}

static inline uint32_t charge_returned(
    const kn_world *world, uint32_t component, const kni_cooldown_type *cooldown, float level)
{
    const kn_cooldown_def *def = cooldown->def;
    return cooldown->is_fixed
               ? cooldown->returned
               : charge_count(world, component, &def->returned, def->returned_value, level);
}

KNI_SLOW static uint32_t charge_max_now(
    const kn_world *world, uint32_t component, const kn_cooldown_def *def, float level)
{
    if (def->charges_from.index1 != 0) {
        kn_entity_id owner = kni_component_entity(world, component);
        if (kn_attribute_exists(world, owner, def->charges_from, 0)) {
            return kni_charges_of(kn_attribute_value(world, owner, def->charges_from));
        }
    }
    return kni_charges_of(kni_level_value(world, &def->charges, level));
}

static inline uint32_t charge_max(
    const kn_world *world, uint32_t component, const kni_cooldown_type *cooldown, float level)
{
    return cooldown->is_fixed ? cooldown->max
                              : charge_max_now(world, component, cooldown->def, level);
}

static float charge_speed(const kn_world *world, uint32_t component, uint32_t rate1)
{
    kn_attribute_id rate = {rate1};
    kn_entity_id owner = kni_component_entity(world, component);
    if (rate1 == 0 || !kn_attribute_exists(world, owner, rate, 0)) {
        return 1.0f;
    }
    float speed = kn_attribute_value(world, owner, rate);
    return speed > 0.0f ? speed : 0.0f;
}

static kn_time charge_length(
    const kn_world *world, uint32_t component, const kni_cooldown_type *cooldown, float level)
{
    if (cooldown->is_fixed) {
        return cooldown->length;
    }
    const kn_cooldown_def *def = cooldown->def;
    float seconds = kni_level_value(world, &def->duration, level);
    if (def->value.index1 != 0) {
        seconds = kn_value_evaluate(
            world, kni_component_entity(world, component), def->value, seconds, NULL, false);
    }
    return seconds > 0.0f ? kn_time_from_seconds((double)seconds) : 0;
}

// The slot of the record of an actor, who may be NULL, for a key or, without one, for an ability.
static inline uint32_t charge_of(
    const kn_world *world, const kni_actor *actor, uint32_t key, uint32_t ability)
{
    if (actor == NULL) {
        return KNI_NONE;
    }
    uint32_t ability1 = key == 0 ? ability + 1 : 0; // a record has a key or an ability
    const uint32_t *slots = KNI_SPAN_AT(world, actor->charges, const uint32_t, 0);
    for (uint32_t i = 0; i < actor->charges.count; i++) {
        const kni_charge *charge = kni_charge_at(world, slots[i]);
        if (charge->key == key && charge->ability1 == ability1) {
            return slots[i];
        }
    }
    return KNI_NONE;
}

uint32_t kni_charge_find(const kn_world *world, uint32_t component, uint32_t key, uint32_t ability)
{
    return charge_of(world, kni_actor_of(world, component), key, ability);
}

// Events --------------------------------------------------------------------

static void charge_publish(kn_world *world, uint32_t slot, kn_event_type type, uint32_t old_charges)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    if (!kni_wants(world, type)) {
        return;
    }
    kn_event *event = kni_emit(world, type, kni_component_entity(world, charge->component));
    event->data.charges.ability =
        charge->ability1 != 0 ? kni_ability_id_of(world, charge->ability1 - 1) : (kn_ability_id){0};
    event->data.charges.key.index1 = charge->key;
    event->data.charges.charges = charge->charges;
    event->data.charges.old_charges = old_charges;
    event->data.charges.end = charge->end;
}

// Notifies rules, watches and tasks.
static void charge_react(kn_world *world, uint32_t slot, uint32_t old_charges)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    if (kni_is_heard(world, charge->component, KN_TRIGGER_CHARGES)) {
        kn_reaction reaction = {.trigger = KN_TRIGGER_CHARGES,
            .entity = kni_component_entity(world, charge->component),
            .tag = {charge->key},
            .old_count = old_charges,
            .new_count = charge->charges};
        if (charge->ability1 != 0) {
            reaction.ability = kni_ability_id_of(world, charge->ability1 - 1);
        }
        kni_react_all(world, charge->component, &reaction);
    }
}

static void charge_tell(kn_world *world, uint32_t slot, uint32_t old_charges)
{
    kni_touch(world, kni_charge_at(world, slot)->component);
    charge_publish(world, slot, KN_EVENT_CHARGES, old_charges);
    charge_react(world, slot, old_charges);
}

// Adds or removes the key as a tag, which the owner has while there are too few charges.
static void charge_tag(kn_world *world, uint32_t slot)
{
    kni_charge *charge = kni_charge_at(world, slot);
    uint8_t wanted = charge->key != 0 && (charge->charges < charge->cost || charge->next_use != 0);
    if (charge->has_tag != wanted) {
        charge->has_tag = wanted;
        kni_mark_charge(world, charge);
        kni_tag_change(
            world, charge->component, charge->key, KN_TAG_ORIGIN_ABILITY, wanted != 0 ? 1 : -1);
    }
}

// Cycles --------------------------------------------------------------------

// From when on the charges of the running cycle can be borrowed; 0 for never.
static kn_time charge_borrow_time(const kn_world *world, const kni_charge *charge)
{
    kn_time tolerance = kni_actor_of(world, charge->component)->tolerance;
    bool can =
        tolerance > 0 && charge->by_use != 0 && charge->borrowed == 0 && charge->end < KN_TIME_MAX;
    return can && charge->end > tolerance ? charge->end - tolerance : 0;
}

// When the record has to be woken.
static kn_time charge_due(const kni_charge *charge)
{
    kn_time due = charge->end;
    due = charge->next_use != 0 && charge->next_use < due ? charge->next_use : due;
    return charge->early_at != 0 && charge->early_at < due ? charge->early_at : due;
}

void kni_charge_schedule(kn_world *world, uint32_t slot)
{
    kni_charge *charge = kni_charge_at(world, slot);
    kni_mark_charge(world, charge);        // every change ends here
    if (charge->end == KN_TIME_INFINITE) { // no cycle, so nothing of it
        charge->by_use = 0;
        charge->borrowed = 0;
    }
    charge->early_at = charge_borrow_time(world, charge);
    charge->early_at = charge->early_at > world->now ? charge->early_at : 0;
    kn_time due = charge_due(charge);
    if (due != KN_TIME_INFINITE) {
        kni_timer_add(world, due, charge->number, slot, KNI_TIMER_CHARGE);
    }
}

// An entry in the wheel has the record's due time; one that no longer agrees is dead.
static void charge_unschedule(kn_world *world, const kni_charge *charge)
{
    if (charge_due(charge) != KN_TIME_INFINITE) {
        kni_wheel_cancelled(&world->wheel);
    }
}

static kn_time time_after(kn_time start, double seconds)
{
    kn_time span = seconds == 0.0 ? 0 : kn_time_from_seconds(seconds);
    return span > KN_TIME_MAX - start ? KN_TIME_MAX : start + span;
}

// Lets the current cycle end after this many seconds of work. A cycle that would never end stands
// still, and its work waits for another speed.
static void cycle_go(kni_charge *charge, kn_time start, double work)
{
    charge->end = start;
    charge->left = 0;
    if (work > 0.0) {
        charge->end =
            charge->speed > 0.0f ? time_after(start, work / (double)charge->speed) : KN_TIME_MAX;
    }
    if (charge->end == KN_TIME_MAX) {
        charge->left = kn_time_from_seconds(work);
    }
}

// Begins a cycle at `start`, which may lie in the past.
static void cycle_begin(kn_world *world, uint32_t slot, kn_time start)
{
    kni_charge *charge = kni_charge_at(world, slot);
    const kni_cooldown_type *cooldown = charge_type(world, charge);
    charge->start = start;
    charge->returned = charge_returned(world, charge->component, cooldown, charge->level);
    if (cooldown->is_fixed && charge->rate == 0 && start < (kn_time)1 << 61) {
        charge->speed = 1.0f;
        charge->end = start + cooldown->length;
        charge->left = 0;
        return;
    }
    kn_time length = charge_length(world, charge->component, cooldown, charge->level);
    charge->speed = charge_speed(world, charge->component, charge->rate);
    cycle_go(charge, start, kn_time_to_seconds(length));
}

static void charges_give(kni_charge *charge, uint32_t count)
{
    KN_ASSERT(charge->charges <= charge->max);
    uint32_t room = charge->max - charge->charges;
    charge->charges += count < room ? count : room;
}

// Takes the charges that were borrowed of those that a cycle gave.
static void charges_repay(kni_charge *charge)
{
    charge->charges -= charge->borrowed < charge->charges ? charge->borrowed : charge->charges;
    charge->by_use = charge->borrowed != 0; // the next cycle takes the place of a use
    charge->borrowed = 0;
}

// Completes all cycles that have ended by now, however short they are.
static void cycles_run(kn_world *world, uint32_t slot)
{
    kni_charge *charge = kni_charge_at(world, slot);
    while (charge->end <= world->now) {
        bool all = charge_def(world, charge)->all_after_idle;
        charges_give(charge, all ? charge->max : charge->returned);
        charges_repay(charge);
        kn_time ended = charge->end;
        charge->end = KN_TIME_INFINITE;
        if (charge->charges < charge->max && charge->returned > 0) {
            cycle_begin(world, slot, ended);
            if (charge->end == ended) { // a cycle without length restores everything at once
                charge->charges = charge->max;
                charge->end = KN_TIME_INFINITE;
            }
        }
    }
}

bool kni_charge_alive(const kn_world *world, const kni_timer *timer)
{
    const kni_charge *charge = kni_charge_at(world, KNI_TIMER_SLOT(timer->owner));
    return (uint32_t)charge->number == timer->number && charge->number != 0 &&
           charge_due(charge) == timer->time;
}

void kni_charge_fire(kn_world *world, const kni_timer *timer)
{
    uint32_t slot = KNI_TIMER_SLOT(timer->owner);
    kni_charge *charge = kni_charge_at(world, slot);
    uint32_t old_charges = charge->charges;
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_TIMER, kni_component_entity(world, charge->component),
            (kn_effect_id){0}, (kn_effect_type_id){0}, charge->key, &previous)) {
        return;
    }
    bool is_change = charge->end <= world->now || charge->next_use != 0;
    if (charge->next_use <= world->now) {
        charge->next_use = 0;
    }
    cycles_run(world, slot);
    kni_charge_schedule(world, slot);
    charge_tag(world, slot);
    if (is_change) {
        charge_tell(world, slot, old_charges);
    } else {
        kni_touch(world, kni_charge_at(world, slot)->component); // a charge can be borrowed now
    }
    kni_cause_end(world, previous);
}

// Records -------------------------------------------------------------------

// Adopts the numbers of a def at a level. Charges are kept, up to the new maximum; a cycle begins
// if some are missing now, and stops if none is.
static void charge_fit(
    kn_world *world, uint32_t slot, const kni_cooldown_type *cooldown, float level)
{
    kni_charge *charge = kni_charge_at(world, slot);
    uint32_t old_max = charge->max;
    charge->level = level;
    charge->max = charge_max(world, charge->component, cooldown, level);
    charge->returned = charge_returned(world, charge->component, cooldown, level);
    charge->cost = charge_cost(world, charge->component, cooldown, level);
    kni_mark_charge(world, charge);
    if (charge->max == old_max) {
        return;
    }
    charge_unschedule(world, charge);
    if (charge->charges >= charge->max) {
        charge->charges = charge->max;
        charge->end = KN_TIME_INFINITE;
    } else if (charge->end == KN_TIME_INFINITE) {
        cycle_begin(world, slot, world->now);
        cycles_run(world, slot);
    }
    kni_charge_schedule(world, slot);
}

static uint32_t charge_ensure(kn_world *world, uint32_t ability, uint32_t index)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kni_cooldown_type *cooldown = &cooldowns_of(world, a)[index];
    const kn_cooldown_def *def = cooldown->def;
    uint32_t component = a->component;
    float level = a->level;
    uint32_t slot = kni_charge_find(world, component, def->key.index1, ability);
    bool is_new = slot == KNI_NONE;
    if (is_new) {
        kni_actor *actor = kni_actor_of(world, component);
        slot = kni_pool_acquire(&world->charges, &world->memory);
        uint32_t *place = slot == KNI_NONE ? NULL
                                           : kni_span_push(&world->heap, &world->memory,
                                                 &actor->charges, sizeof(uint32_t));
        if (place == NULL) {
            kni_break(world);
            return KNI_NONE;
        }
        *place = slot;
    }
    kni_charge *charge = kni_charge_at(world, slot);
    if (is_new) {
        charge->number = kni_number_next(world);
        charge->component = component;
        charge->key = def->key.index1;
        charge->ability1 = def->key.index1 == 0 ? ability + 1 : 0;
        charge->end = KN_TIME_INFINITE;
        charge->charges = charge->max = charge_max(world, component, cooldown, level);
        charge->rate = def->rate.index1;
        charge->speed = 1.0f;
        if (charge->rate != 0) {
            kni_actor_of(world, component)->rate_count++;
            kni_component_at(world, component)->flags |= KNI_COMPONENT_WATCHED;
        }
    }
    charge->type = a->type;
    charge->cooldown = (uint8_t)index;
    kni_mark_charge(world, charge);
    charge_fit(world, slot, cooldown, level);
    return slot;
}

// A record created at the old level counts as full; at the new one some charges may be missing.
void kni_ability_level_set(kn_world *world, uint32_t ability, float level)
{
    kni_ability *a = kni_ability_at(world, ability);
    kn_ability_id id = kni_ability_id_of(world, ability);
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    for (uint32_t i = 0; i < def->cooldown_count && !world->is_broken; i++) {
        const kni_cooldown_type *own = &cooldowns_of(world, a)[i];
        if (charge_max(world, a->component, own, a->level) !=
                charge_max(world, a->component, own, level) &&
            kni_charge_find(world, a->component, def->cooldowns[i].key.index1, ability) ==
                KNI_NONE) {
            (void)charge_ensure(world, ability, i);
        }
    }
    a->level = level;
    kni_mark_ability(world, a);
    for (uint32_t i = 0; i < def->cooldown_count && kni_ability_find(world, id) == ability; i++) {
        a = kni_ability_at(world, ability);
        uint32_t slot = kni_charge_find(world, a->component, def->cooldowns[i].key.index1, ability);
        if (slot == KNI_NONE || world->is_broken) {
            continue;
        }
        const kni_charge *charge = kni_charge_at(world, slot);
        if (charge->type == a->type && charge->cooldown == i) {
            uint32_t old_charges = charge->charges;
            charge_fit(world, slot, charge_type(world, charge), level);
            charge_tag(world, slot);
            charge_tell(world, slot, old_charges);
        }
    }
}

// A new ability of the same type continues the cooldown of the old one.
void kni_charge_move(kn_world *world, uint32_t from, uint32_t to)
{
    uint32_t slot = kni_charge_find(world, kni_ability_at(world, from)->component, 0, from);
    if (slot != KNI_NONE) {
        kni_charge *charge = kni_charge_at(world, slot);
        uint32_t old_charges = charge->charges;
        charge->ability1 = to + 1;
        kni_mark_charge(world, charge);
        charge_fit(world, slot, charge_type(world, charge), kni_ability_at(world, to)->level);
        charge_tell(world, slot, old_charges);
    }
}

void kni_charge_release(kn_world *world, uint32_t slot)
{
    kni_charge *charge = kni_charge_at(world, slot);
    kni_mark_charge(world, charge);
    charge_unschedule(world, charge);
    if (charge->has_tag != 0 &&
        (kni_component_at(world, charge->component)->flags & KNI_COMPONENT_DYING) == 0) {
        charge->has_tag = 0;
        kni_tag_change(world, charge->component, charge->key, KN_TAG_ORIGIN_ABILITY, -1);
        charge = kni_charge_at(world, slot);
    }
    kni_actor *actor = kni_actor_of(world, charge->component);
    actor->rate_count -= charge->rate != 0;
    for (uint32_t i = actor->charges.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, actor->charges, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, &actor->charges, i, sizeof(uint32_t));
        }
    }
    kni_pool_release(&world->charges, slot);
}

void kni_charges_of_ability_release(kn_world *world, uint32_t ability)
{
    uint32_t slot = kni_charge_find(world, kni_ability_at(world, ability)->component, 0, ability);
    if (slot != KNI_NONE) {
        kni_charge_release(world, slot);
    }
}

void kni_charges_begin(kn_world *world, uint32_t ability)
{
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    for (uint32_t i = 0; i < def->cooldown_count && !world->is_broken; i++) {
        if (def->cooldowns[i].charges_from.index1 != 0) {
            (void)charge_ensure(world, ability, i);
        }
    }
}

void kni_charges_maximum_changed(kn_world *world, uint32_t component, uint32_t attribute)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->charges.count && !world->is_broken; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->charges, uint32_t, i);
        const kni_charge *charge = kni_charge_at(world, slot);
        const kni_cooldown_type *cooldown = charge_type(world, charge);
        uint32_t old_charges = charge->charges, from1 = cooldown->def->charges_from.index1;
        bool follows = attribute == KNI_NONE ? from1 != 0 : from1 == attribute + 1;
        if (follows && charge_max(world, component, cooldown, charge->level) != charge->max) {
            charge_fit(world, slot, cooldown, charge->level);
            charge_tag(world, slot);
            charge_tell(world, slot, old_charges);
            actor = kni_actor_of(world, component);
        }
    }
}

// The work that is left of each cycle continues at the new speed.
void kni_charges_rate_changed(kn_world *world, uint32_t component, uint32_t attribute)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->charges.count && !world->is_broken; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->charges, uint32_t, i);
        kni_charge *charge = kni_charge_at(world, slot);
        float speed = charge_speed(world, component, charge->rate);
        bool follows = attribute == KNI_NONE ? charge->rate != 0 : charge->rate == attribute + 1;
        if (!follows || charge->end == KN_TIME_INFINITE || speed == charge->speed) {
            continue;
        }
        double work = charge->end == KN_TIME_MAX
                          ? kn_time_to_seconds(charge->left)
                          : kn_time_to_seconds(charge->end - world->now) * (double)charge->speed;
        charge_unschedule(world, charge);
        charge->speed = speed;
        cycle_go(charge, world->now, work);
        kni_charge_schedule(world, slot);
        charge_tell(world, slot, charge->charges);
        actor = kni_actor_of(world, component);
    }
}

// Using ---------------------------------------------------------------------

// Whether a use that lacks charges may borrow those that the cycle will give.
static bool charge_can_borrow(const kn_world *world, const kni_charge *charge, uint32_t cost)
{
    kn_time from = charge_borrow_time(world, charge);
    uint32_t given = charge_def(world, charge)->all_after_idle ? charge->max : charge->returned;
    return from != 0 && from <= world->now && charge->charges + given >= cost &&
           cost <= charge->max;
}

static kn_ledger charge_ledger(const kni_charge *charge)
{
    return (kn_ledger){charge->early, charge->used, charge->length};
}

// Whether uses would come too early too often with one now.
static bool charge_is_overdrawn(const kn_world *world, const kni_charge *charge)
{
    kn_ledger ledger = charge_ledger(charge);
    return kn_ledger_early(&ledger, world->now) >
           kni_actor_of(world, charge->component)->early_limit;
}

// The same, as long as uses do not come too early too often.
KNI_SLOW static bool charge_borrows(const kn_world *world, const kni_charge *charge, uint32_t cost)
{
    return charge_can_borrow(world, charge, cost) && !charge_is_overdrawn(world, charge);
}

KNI_FAST bool charge_is_short(const kn_world *world, const kni_ability *a, const kni_actor *actor,
    uint32_t ability, const kni_cooldown_type *cooldown)
{
    uint32_t slot = charge_of(world, actor, cooldown->def->key.index1, ability);
    uint32_t cost = charge_cost(world, a->component, cooldown, a->level);
    if (slot == KNI_NONE) {
        return charge_max(world, a->component, cooldown, a->level) < cost;
    }
    const kni_charge *charge = kni_charge_at(world, slot);
    return charge->next_use != 0 ||
           (charge->charges < cost &&
               !(actor->tolerance > 0 && charge_borrows(world, charge, cost)));
}

static bool cooldown_is_in(const kn_cooldown_def *def, kni_cooldown_which which)
{
    return which == KNI_COOLDOWNS_ALL ||
           (def->starts == KN_COOLDOWN_AT_ACTIVATION) == (which == KNI_COOLDOWNS_EARLY);
}

// Whether anything else grants the tag of a cooldown. The record's own tag does not count: its
// charges decide, since another ability may need fewer of them.
static bool tag_is_foreign(const kn_world *world, uint32_t component, kn_tag tag)
{
    uint32_t slot = kni_charge_find(world, component, tag.index1, KNI_NONE);
    uint32_t own = slot != KNI_NONE ? kni_charge_at(world, slot)->has_tag : 0;
    return kn_entity_tag_count(world, kni_component_entity(world, component), tag) > own;
}

bool kni_cooldown_blocks(
    const kn_world *world, uint32_t ability, kni_cooldown_which which, uint64_t skip)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kni_actor *actor = kni_actor_of(world, a->component);
    const kni_ability_type *type = kni_ability_type_at(world->library, a->type);
    for (uint32_t i = 0; i < type->cooldown_tag_count; i++) {
        if (kni_has_tag(world, a->component, type->cooldown_tags[i].index1) &&
            tag_is_foreign(world, a->component, type->cooldown_tags[i])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < type->def.cooldown_count; i++) {
        if (cooldown_is_in(&type->def.cooldowns[i], which) && (skip >> i & 1) == 0 &&
            charge_is_short(world, a, actor, ability, &type->cooldowns[i])) {
            return true;
        }
    }
    return false;
}

bool kni_cooldown_one_blocks(const kn_world *world, uint32_t ability, uint32_t index)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kni_cooldown_type *cooldown = &cooldowns_of(world, a)[index];
    const kn_cooldown_def *def = cooldown->def;
    uint32_t component = a->component;
    return charge_is_short(world, a, kni_actor_of(world, component), ability, cooldown) ||
           (def->key.index1 != 0 && kni_has_tag(world, component, def->key.index1) &&
               tag_is_foreign(world, component, def->key));
}

// Notes a use of an entity with a tolerance. `is_borrowed`: before the end of the cycle, so that
// the pause after it is that of the next one.
static void charge_book(kn_world *world, kni_charge *charge, bool is_borrowed)
{
    kn_time length = 0;
    if (is_borrowed) {
        length = charge_length(world, charge->component, charge_type(world, charge), charge->level);
        length = charge->speed > 0.0f
                     ? time_after(0, kn_time_to_seconds(length) / (double)charge->speed)
                     : KN_TIME_MAX;
    } else if (charge->charges < charge->cost && charge->end < KN_TIME_MAX) {
        length = charge->end - world->now;
    }
    kn_ledger ledger = charge_ledger(charge);
    (void)kn_ledger_use(&ledger, world->now, length, KN_TIME_MAX); // it was checked before
    charge->early = ledger.early;
    charge->used = ledger.used;
    charge->length = ledger.length;
}

void kni_cooldown_use(kn_world *world, uint32_t ability, uint32_t index)
{
    uint32_t slot = charge_ensure(world, ability, index);
    if (slot == KNI_NONE) {
        return;
    }
    kni_charge *charge = kni_charge_at(world, slot);
    const kn_cooldown_def *def = charge_def(world, charge);
    uint32_t old_charges = charge->charges;
    bool is_tolerant = kni_actor_of(world, charge->component)->tolerance > 0;
    bool is_borrowed = is_tolerant && charge->charges < charge->cost &&
                       charge_can_borrow(world, charge, charge->cost);
    charge_unschedule(world, charge);
    charge->borrowed = is_borrowed ? charge->cost - charge->charges : charge->borrowed;
    charge->charges -= charge->cost < charge->charges ? charge->cost : charge->charges;
    float spacing = kni_level_value(world, &def->spacing, kni_ability_at(world, ability)->level);
    if (spacing > 0.0f && charge->charges > 0) {
        charge->next_use = time_after(world->now, (double)spacing);
    }
    bool begins = charge->charges < charge->max && !is_borrowed &&
                  (charge->end == KN_TIME_INFINITE || def->restart_on_use || def->all_after_idle);
    if (begins) {
        charge->by_use = is_tolerant;
        cycle_begin(world, slot, world->now);
        cycles_run(world, slot);
    }
    if (is_tolerant) {
        charge_book(world, charge, is_borrowed);
    }
    kni_charge_schedule(world, slot);
    charge_tag(world, slot);
    charge_tell(world, slot, old_charges);
}

void kni_cooldown_start(kn_world *world, uint32_t ability, kni_cooldown_which which, uint64_t skip)
{
    kn_ability_id id = kni_ability_id_of(world, ability);
    const kni_ability_type *type = kni_type_of_ability(world, ability);
    const kn_ability_def *def = &type->def;
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        if (!cooldown_is_in(&def->cooldowns[i], which) || (skip >> i & 1) != 0) {
            continue;
        }
        kni_cooldown_use(world, ability, i);
        if (kni_ability_find(world, id) == KNI_NONE || world->is_broken) {
            return;
        }
    }
    if (def->cooldown_effect.index1 != 0 && which != KNI_COOLDOWNS_EARLY) {
        kn_caller_value value = {def->cooldown_caller_tag,
            kni_level_value(world, &def->cooldown_duration, kni_ability_at(world, ability)->level)};
        (void)kni_ability_apply_own(world, ability, def->cooldown_effect,
            value.tag.index1 != 0 ? &value : NULL, def->cooldown_tags);
    }
}

// Tolerance -----------------------------------------------------------------

void kni_charges_unschedule(kn_world *world, uint32_t component)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; i < actor->charges.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->charges, uint32_t, i);
        charge_unschedule(world, kni_charge_at(world, slot));
    }
}

void kni_charges_schedule(kn_world *world, uint32_t component)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; i < actor->charges.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->charges, uint32_t, i);
        kni_charge_schedule(world, slot);
    }
    kni_touch(world, component);
}

void kni_cooldown_early(kn_world *world, uint32_t ability)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kn_ability_def *def = &kni_ability_type_at(world->library, a->type)->def;
    if (kni_actor_of(world, a->component)->tolerance == 0) {
        return;
    }
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        uint32_t slot = kni_charge_find(world, a->component, def->cooldowns[i].key.index1, ability);
        const kni_charge *charge = slot != KNI_NONE ? kni_charge_at(world, slot) : NULL;
        uint32_t cost = charge_cost(world, a->component, &cooldowns_of(world, a)[i], a->level);
        if (charge != NULL && charge->charges < cost && charge_can_borrow(world, charge, cost) &&
            charge_is_overdrawn(world, charge)) {
            charge_publish(world, slot, KN_EVENT_EARLY_USE, charge->charges);
        }
    }
}

// Reading -------------------------------------------------------------------

// How long to wait for a use that takes this many charges, and how long that is in total.
static kn_time charge_wait(
    const kn_world *world, const kni_charge *charge, uint32_t cost, kn_time *total)
{
    kn_time wait = 0;
    *total = 0;
    if (charge->charges < cost && charge->end != KN_TIME_INFINITE) {
        const kn_cooldown_def *def = charge_def(world, charge);
        uint32_t missing = cost - charge->charges;
        uint32_t more =
            charge->returned == 0 || def->all_after_idle ? 0 : (missing - 1) / charge->returned;
        if (charge->end == KN_TIME_MAX) {
            *total = KN_TIME_INFINITE;
            return KN_TIME_INFINITE; // stands still
        }
        double rest = (double)more * kn_time_to_seconds(charge->end - charge->start);
        wait = time_after(charge->end - world->now, rest);
        *total = time_after(charge->end - charge->start, rest);
    }
    if (charge->next_use - world->now > wait) { // 0 once it has passed
        wait = charge->next_use - world->now;
        *total = kn_time_from_seconds(
            (double)kni_level_value(world, &charge_def(world, charge)->spacing, charge->level));
    }
    return wait;
}

static void charge_info(const kn_world *world, const kni_charge *charge, kni_cooldown *cooldown)
{
    kn_cooldown_info *info = &cooldown->info;
    *info = (kn_cooldown_info){
        .key = {charge->key}, .charges = charge->charges, .max_charges = charge->max};
    if (charge->end == KN_TIME_MAX) {
        info->remaining = info->total = KN_TIME_INFINITE;
    } else if (charge->end != KN_TIME_INFINITE) {
        info->remaining = charge->end - world->now;
        info->total = charge->end - charge->start;
    }
    info->wait = charge_wait(world, charge, cooldown->cost, &cooldown->wait_total);
}

// An inhibited effect grants nothing.
static bool effect_grants(void *user, const kn_world *world, kn_effect_id effect)
{
    (void)user;
    kn_effect_info info;
    return kn_effect_get(world, effect, &info) && !info.is_inhibited;
}

static bool effects_longest(
    const kn_world *world, kn_entity_id entity, kn_tags tags, kn_time *remaining, kn_time *total)
{
    kn_effect_query query = kn_effect_query_default();
    query.granted_tags = tags;
    query.predicate = effect_grants;
    return tags.count > 0 && kn_effects_remaining(world, entity, &query, remaining, total);
}

bool kni_cooldown_at(
    const kn_world *world, uint32_t ability, uint32_t index, kni_cooldown *cooldown)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kni_ability_type *type = kni_type_of_ability(world, ability);
    kn_cooldown_info *info = &cooldown->info;
    *cooldown = (kni_cooldown){.cost = 1};
    if (index < type->def.cooldown_count) {
        const kni_cooldown_type *own = &type->cooldowns[index];
        const kn_cooldown_def *def = own->def;
        uint32_t slot = kni_charge_find(world, a->component, def->key.index1, ability);
        uint32_t max = charge_max(world, a->component, own, a->level);
        *info = (kn_cooldown_info){.key = def->key, .charges = max, .max_charges = max};
        cooldown->cost = charge_cost(world, a->component, own, a->level);
        if (slot != KNI_NONE) {
            charge_info(world, kni_charge_at(world, slot), cooldown);
        }
        return true;
    }
    kn_tag tag = type->cooldown_tags[index - type->def.cooldown_count];
    kn_tags one = {&tag, 1};
    *info = (kn_cooldown_info){.key = tag, .max_charges = 1};
    bool found = effects_longest(
        world, kni_component_entity(world, a->component), one, &info->remaining, &info->total);
    info->wait = info->remaining;
    cooldown->wait_total = info->total;
    return found;
}

uint32_t kn_ability_cooldowns(
    const kn_world *world, kn_ability_id ability, kn_cooldown_info *out, uint32_t capacity)
{
    uint32_t slot = kni_ability_find(world, ability), count = 0;
    if (slot == KNI_NONE) {
        return 0;
    }
    for (uint32_t i = 0; i < kni_cooldown_count(kni_type_of_ability(world, slot)); i++) {
        kni_cooldown cooldown;
        if (kni_cooldown_at(world, slot, i, &cooldown)) {
            if (count < capacity) {
                out[count] = cooldown.info;
            }
            count++;
        }
    }
    return count;
}

bool kn_ability_cooldown(
    const kn_world *world, kn_ability_id ability, kn_time *remaining, kn_time *total)
{
    uint32_t slot = kni_ability_find(world, ability);
    *remaining = *total = 0;
    if (slot == KNI_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < kni_cooldown_count(kni_type_of_ability(world, slot)); i++) {
        kni_cooldown cooldown;
        if (kni_cooldown_at(world, slot, i, &cooldown) && cooldown.info.wait > *remaining) {
            *remaining = cooldown.info.wait;
            *total = cooldown.wait_total;
        }
    }
    return *remaining > 0;
}

bool kn_cooldown_remaining(
    const kn_world *world, kn_entity_id entity, kn_tags tags, kn_time *remaining, kn_time *total)
{
    *remaining = *total = 0;
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || tags.count == 0) {
        return false;
    }
    bool found = effects_longest(world, entity, tags, remaining, total);
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->charges.count; i++) {
        const kni_charge *charge =
            kni_charge_at(world, *KNI_SPAN_AT(world, actor->charges, uint32_t, i));
        kn_tag key = {charge->key};
        kn_tags one = {&key, 1};
        kn_time whole, wait = charge_wait(world, charge, charge->cost, &whole);
        if (key.index1 != 0 && wait > 0 && kn_tags_has_any(world->library, one, tags) &&
            (!found || wait > *remaining)) {
            *remaining = wait;
            *total = whole;
            found = true;
        }
    }
    return found;
}

bool kn_ability_charges(
    const kn_world *world, kn_ability_id ability, kn_tag key, kn_cooldown_info *info)
{
    uint32_t slot = kni_ability_find(world, ability);
    const kn_ability_def *def = slot == KNI_NONE ? NULL : &kni_type_of_ability(world, slot)->def;
    for (uint32_t i = 0; def != NULL && i < def->cooldown_count; i++) {
        kni_cooldown cooldown;
        if (def->cooldowns[i].key.index1 == key.index1 &&
            kni_cooldown_at(world, slot, i, &cooldown)) {
            *info = cooldown.info;
            return true;
        }
    }
    return false;
}

// Changing ------------------------------------------------------------------

// Whether a cycle runs in the record of a cooldown of an ability, and still does when the record
// has adopted the numbers of that ability, which may have room for fewer charges.
static bool cycle_can_change(const kn_world *world, uint32_t ability, uint32_t index)
{
    const kni_ability *a = kni_ability_at(world, ability);
    const kni_cooldown_type *cooldown = &cooldowns_of(world, a)[index];
    uint32_t slot = kni_charge_find(world, a->component, cooldown->def->key.index1, ability);
    if (slot == KNI_NONE || kni_charge_at(world, slot)->end == KN_TIME_INFINITE) {
        return false;
    }
    const kni_charge *charge = kni_charge_at(world, slot);
    uint32_t max = charge_max(world, a->component, cooldown, a->level);
    return max == charge->max || charge->charges < max;
}

// Finds the cooldown of an ability with a key: its record, created if necessary, or with `running`
// only one whose cycle runs. KNI_NONE and a result otherwise.
static uint32_t change_begin(
    kn_world *world, kn_ability_id id, kn_tag key, bool running, uint32_t *slot, kn_result *result)
{
    uint32_t ability = kni_ability_find(world, id);
    *result = KN_REFUSED_STALE_ID;
    if (ability == KNI_NONE) {
        return KNI_NONE;
    }
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    *result = KN_REFUSED_NOT_FOUND;
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        if (def->cooldowns[i].key.index1 == key.index1) {
            if (running && !cycle_can_change(world, ability, i)) {
                return KNI_NONE;
            }
            *result = kni_enter(world);
            *slot = *result == KN_OK ? charge_ensure(world, ability, i) : KNI_NONE;
            if (*result == KN_OK && *slot == KNI_NONE) {
                *result = kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
            }
            return *slot;
        }
    }
    return KNI_NONE;
}

static kn_result change_end(kn_world *world, uint32_t slot, uint32_t old_charges)
{
    cycles_run(world, slot);
    kni_charge_schedule(world, slot);
    charge_tag(world, slot);
    charge_tell(world, slot, old_charges);
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_add_charges(kn_world *world, kn_ability_id ability, kn_tag key, int32_t count)
{
    kn_result result;
    uint32_t slot;
    if (change_begin(world, ability, key, false, &slot, &result) == KNI_NONE) {
        return result;
    }
    kni_charge *charge = kni_charge_at(world, slot);
    uint32_t old_charges = charge->charges;
    int64_t wanted = (int64_t)old_charges + count;
    charge_unschedule(world, charge);
    charge->charges = wanted < 0 ? 0 : wanted > charge->max ? charge->max : (uint32_t)wanted;
    if (charge->charges == charge->max) {
        charge->end = KN_TIME_INFINITE;
    } else if (charge->end == KN_TIME_INFINITE) {
        cycle_begin(world, slot, world->now);
    }
    return change_end(world, slot, old_charges);
}

kn_result kn_ability_reset_cooldown(kn_world *world, kn_ability_id ability, kn_tag key)
{
    kn_result result;
    uint32_t slot;
    if (change_begin(world, ability, key, false, &slot, &result) == KNI_NONE) {
        return result;
    }
    kni_charge *charge = kni_charge_at(world, slot);
    uint32_t old_charges = charge->charges;
    charge_unschedule(world, charge);
    charge->charges = charge->max;
    charge->end = KN_TIME_INFINITE;
    charge->next_use = 0;
    return change_end(world, slot, old_charges);
}

// What is left of the current cycle: time, or work if it stands still.
static kn_time cycle_left(const kn_world *world, const kni_charge *charge)
{
    return charge->end == KN_TIME_MAX ? charge->left : charge->end - world->now;
}

// Ends the current cycle, and takes `rest` from those that follow, which stand still if it did.
static void work_carry_over(kn_world *world, uint32_t slot, kn_time rest)
{
    kni_charge *charge = kni_charge_at(world, slot);
    const kni_cooldown_type *cooldown = charge_type(world, charge);
    kn_time length = charge_length(world, charge->component, cooldown, charge->level);
    kn_time left = -rest;
    while (left <= 0) {
        charges_give(
            charge, cooldown->def->all_after_idle || length == 0 ? charge->max : charge->returned);
        if (charge->charges >= charge->max || charge->returned == 0) {
            charge->end = KN_TIME_INFINITE;
            return;
        }
        left += length;
    }
    charge->start = world->now;
    cycle_go(charge, world->now, kn_time_to_seconds(left));
}

// If `left` is negative, the rest is taken from the cycles that follow.
static kn_result cycle_set_left(kn_world *world, uint32_t slot, kn_time left)
{
    kni_charge *charge = kni_charge_at(world, slot);
    uint32_t old_charges = charge->charges;
    charge_unschedule(world, charge);
    bool is_still = charge->end == KN_TIME_MAX;
    if (left < 0 && is_still) {
        work_carry_over(world, slot, -left);
        return change_end(world, slot, old_charges);
    }
    if (left < 0) {
        charge->end = world->now + left;
        cycles_run(world, slot);
        charge->start = charge->start < 0 ? 0 : charge->start;
        return change_end(world, slot, old_charges);
    }
    double factor = is_still ? 1.0 : (double)charge->speed;
    cycle_go(charge, world->now, kn_time_to_seconds(left) * factor);
    if (charge->end < KN_TIME_MAX && !is_still && left > 0) {
        charge->end = world->now + left; // exactly
    }
    return change_end(world, slot, old_charges);
}

kn_result kn_ability_change_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, kn_time delta, kn_time floor)
{
    kn_result result;
    uint32_t slot;
    if (change_begin(world, ability, key, true, &slot, &result) == KNI_NONE) {
        return result;
    }
    kn_time left = cycle_left(world, kni_charge_at(world, slot));
    kn_time wanted = delta > KN_TIME_MAX - left ? KN_TIME_MAX : left + delta;
    if (delta < 0 && floor > 0 && wanted < floor) {
        wanted = floor < left ? floor : left;
    }
    wanted = wanted < -KN_TIME_MAX ? -KN_TIME_MAX : wanted;
    return cycle_set_left(world, slot, wanted);
}

kn_result kn_ability_scale_cooldown(
    kn_world *world, kn_ability_id ability, kn_tag key, float factor)
{
    if (!isfinite(factor) || factor < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result;
    uint32_t slot;
    if (change_begin(world, ability, key, true, &slot, &result) == KNI_NONE) {
        return result;
    }
    double left = kn_time_to_seconds(cycle_left(world, kni_charge_at(world, slot)));
    return cycle_set_left(world, slot, kn_time_from_seconds(left * (double)factor));
}
