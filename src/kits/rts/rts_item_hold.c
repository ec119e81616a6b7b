// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where an item is, and what it gives to its holder. What an item has given is written down in its
// state, and exactly that is taken back: nothing that others gave.

#include "item_parts.h"

item_state *knc_rts_item_get(kn_world *world, kn_entity_id item)
{
    return item.index1 != 0 ? kn_component_get(world, knc_rts_items_of_world(world)->items, item)
                            : NULL;
}

static void slot_write(kn_world *world, kn_entity_id unit, uint32_t slot, kn_entity_id item)
{
    kn_component_type_id type;
    uint32_t count = 0;
    if (knc_rts_inventory_read(world, unit, &type) != NULL) {
        slot_item *slots = kn_component_items(world, type, unit, &count);
        if (slot < count) {
            slots[slot].item = item;
        }
    }
}

void knc_rts_item_notify(kn_world *world, kn_entity_id holder, const kn_rts_item_event *event,
    kn_custom_event_id id, const kn_hook *hook)
{
    kn_rts_item_event call = *event;
    (void)kn_world_publish(world, holder, id, event);
    (void)kn_hook_run(
        world, knc_rts_items_of_world(world)->item_kind, event->type.index1, hook, holder, &call);
}

// Cooldowns -----------------------------------------------------------------------------

// The own cooldown of the ability goes along with the item.
static void cooldown_keep(kn_world *world, kn_entity_id item)
{
    item_state *state = knc_rts_item_get(world, item);
    kn_cooldown_info info;
    state->missing = 0;
    if (kn_ability_charges(world, state->ability, (kn_tag){0}, &info) &&
        info.charges < info.max_charges && info.remaining < KN_TIME_INFINITE) {
        state->missing = info.max_charges - info.charges;
        state->ready_at = kn_world_now(world) + info.remaining;
        state->cycle = info.total;
    }
}

// What has come back while nobody carried the item is there. Saves may hold any numbers.
static void cooldown_pass(item_state *state, kn_time now)
{
    if (state->missing == 0 || state->ready_at > now) {
        return;
    }
    const uint64_t cycle = state->cycle > 0 ? (uint64_t)state->cycle : 0;
    const uint64_t passed = (uint64_t)now - (uint64_t)state->ready_at;
    if (cycle == 0 || passed / cycle >= state->missing - 1) {
        state->missing = 0;
        return;
    }
    const uint64_t left = cycle - passed % cycle;
    state->missing -= (uint32_t)(passed / cycle) + 1;
    state->ready_at = now + (kn_time)(left < KN_TIME_MAX ? left : KN_TIME_MAX);
}

static void cooldown_restore(kn_world *world, kn_entity_id item)
{
    item_state *state = knc_rts_item_get(world, item);
    const kn_ability_id ability = state->ability;
    const kn_time now = kn_world_now(world);
    kn_cooldown_info info;
    cooldown_pass(state, now);
    const uint32_t missing = state->missing;
    const kn_time left = missing > 0 ? state->ready_at - now : 0;
    state->missing = 0;
    if (missing == 0 || !kn_ability_charges(world, ability, (kn_tag){0}, &info)) {
        return;
    }
    const uint32_t most = missing < info.max_charges ? missing : info.max_charges;
    const int32_t charges = (int32_t)(info.max_charges - most) - (int32_t)info.charges;
    if (kn_ability_add_charges(world, ability, (kn_tag){0}, charges) == KN_OK &&
        kn_ability_charges(world, ability, (kn_tag){0}, &info) && info.remaining > 0) {
        (void)kn_ability_change_cooldown(world, ability, (kn_tag){0},
            (left < KN_TIME_MAX ? left : KN_TIME_MAX) - info.remaining, 0);
    }
}

void knc_rts_item_cooldown_share(kn_world *world, kn_entity_id from, kn_entity_id to)
{
    const kn_time now = kn_world_now(world);
    item_state *states[] = {knc_rts_item_get(world, from), knc_rts_item_get(world, to)};
    const kn_entity_id items[] = {from, to};
    if (states[0] == NULL || states[1] == NULL) {
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (states[i]->ability.index1 != 0) {
            cooldown_keep(world, items[i]);
        }
        cooldown_pass(states[i], now);
    }
    const item_state source = *states[0];
    item_state *own = states[1];
    // While an ability has it, the state has not.
    states[0]->missing = source.ability.index1 != 0 ? 0 : source.missing;
    const bool is_longer =
        source.missing > own->missing ||
        (source.missing > 0 && source.missing == own->missing && source.ready_at > own->ready_at);
    if (is_longer) {
        own->missing = source.missing;
        own->ready_at = source.ready_at;
        own->cycle = source.cycle;
    }
    if (own->ability.index1 != 0 && is_longer) {
        cooldown_restore(world, to);
    } else if (own->ability.index1 != 0) {
        own->missing = 0;
    }
}

// What it gives -------------------------------------------------------------------------

static void effect_begin(kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    item_state *state = knc_rts_item_get(world, item);
    const kn_rts_item_def *def = knc_rts_item_def(world, state->type);
    kn_effect_id effect;
    uint32_t stacks;
    if (def == NULL || def->effect.index1 == 0) {
        return;
    }
    kn_result result =
        knc_rts_item_effect_apply(world, unit, def->effect, item, def->level, &effect, &stacks);
    state = knc_rts_item_get(world, item);
    if (state == NULL) {
        return;
    }
    state->flags = result == KN_OK ? state->flags & ~(uint32_t)ITEM_WAITS
                                   : state->flags | (uint32_t)ITEM_WAITS;
    state->effect = effect;
    state->stacks = stacks;
    if (result == KN_OK) {
        knc_rts_item_list_effect(world, unit, def->effect, effect, item);
    }
}

static void ability_begin(kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    const item_state *state = knc_rts_item_read(world, item);
    const kn_rts_item_def *def = knc_rts_item_def(world, state->type);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    if (def->ability.index1 == 0) {
        return;
    }
    grant.type = def->ability;
    grant.level = def->level;
    grant.source = item;
    grant.source_object = kn_entity_id_pack(item);
    kn_result result = kn_ability_grant(world, unit, &grant, &ability);
    item_state *own = knc_rts_item_get(world, item);
    if (result == KN_OK && own != NULL) {
        own->ability = ability;
        cooldown_restore(world, item);
        knc_rts_item_list_ability(world, unit, def->ability, item);
    }
}

static bool is_stash(const kn_world *world, kn_entity_id unit, uint32_t slot)
{
    const kn_rts_slot_def *def = knc_rts_slot_def(knc_rts_inventory_def(world, unit), slot);
    return def == NULL || def->is_stash;
}

static void item_act(kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    const item_state *state = knc_rts_item_read(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL) {
        return;
    }
    if (def->attached) {
        (void)kn_entity_set_parent(world, item, unit);
    }
    effect_begin(world, unit, item);
    if (knc_rts_item_read(world, item) != NULL) {
        ability_begin(world, unit, item);
    }
}

static void item_rest(
    kn_world *world, kn_entity_id unit, kn_entity_id item, kn_rts_item_reason reason)
{
    item_state *state = knc_rts_item_get(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL) {
        return;
    }
    if (state->ability.index1 != 0) {
        cooldown_keep(world, item);
    }
    const item_state was = *state;
    state->effect = (kn_effect_id){0};
    state->ability = (kn_ability_id){0};
    state->stacks = 0;
    state->flags &= ~(uint32_t)ITEM_WAITS;
    knc_rts_item_unlist(world, unit, item);
    if (was.ability.index1 != 0) {
        const bool finishes = def->ability_finishes || reason == KN_RTS_ITEM_USED_UP;
        (void)kn_ability_remove(
            world, was.ability, finishes ? KN_GRANT_AFTER_END : KN_GRANT_CANCEL);
    }
    if (was.effect.index1 != 0) {
        (void)kn_effect_remove(world, was.effect, was.stacks, KN_REMOVED_BY_CALL);
    }
    if (def->attached && kn_entity_id_equal(kn_entity_parent(world, item), unit)) {
        (void)kn_entity_set_parent(world, item, (kn_entity_id){0});
    }
}

void knc_rts_items_settle(kn_world *world, kn_entity_id unit)
{
    const uint32_t count = kn_rts_slot_count(world, unit);
    for (uint32_t i = 0; i < count; i++) {
        const kn_entity_id item = kn_rts_slot_item(world, unit, i);
        const item_state *state = knc_rts_item_read(world, item);
        if (state != NULL && (state->flags & (uint32_t)ITEM_WAITS) != 0 &&
            !kn_entity_is_dying(world, unit)) {
            effect_begin(world, unit, item);
        }
    }
}

// Where it is ---------------------------------------------------------------------------

kn_result knc_rts_item_make(
    kn_world *world, kn_rts_item_type_id type, uint32_t charges, kn_entity_id *item)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_item_def *def = knc_rts_item_def(world, type);
    kn_result result = def->archetype.index1 != 0
                           ? kn_archetype_spawn(world, def->archetype, def->level, item)
                           : kn_entity_create(world, item);
    if (result != KN_OK) {
        return result;
    }
    item_state *state = kn_component_add(world, kit->items, *item);
    if (state == NULL) {
        (void)kn_entity_destroy(world, *item);
        *item = (kn_entity_id){0};
        return KN_ERROR_OUT_OF_MEMORY;
    }
    state->type = type;
    state->slot = UINT32_MAX;
    state->charges = charges;
    for (uint32_t i = 0; i < def->tags.count; i++) {
        (void)kn_entity_add_tag(world, *item, def->tags.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    return KN_OK;
}

void knc_rts_item_place(kn_world *world, kn_entity_id item, const kn_vec3 *at)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    item_state *state = knc_rts_item_get(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL || kn_entity_is_dying(world, item)) {
        return;
    }
    if (at != NULL) {
        state->at = *at;
        state->flags |= (uint32_t)ITEM_PLACED;
    }
    if (!def->owner_only && kn_entity_owner(world, item).index1 != 0) {
        (void)kn_entity_set_owner(world, item, (kn_entity_id){0});
    }
    if (kn_entity_connection(world, item) != 0) {
        (void)kn_entity_set_connection(world, item, 0);
    }
    knc_rts_tag_gain(world, item, kit->rts->tags[KN_RTS_IS_ITEM]);
    kn_body *body =
        at != NULL && kit->bodies.index1 != 0 ? kn_component_add(world, kit->bodies, item) : NULL;
    if (body != NULL) {
        *body = kn_body_default();
        body->position = *at;
        body->radius = def->radius;
        body->layers = def->layers;
    }
}

// Takes an item out of the world.
static void item_lift(kn_world *world, kn_entity_id item)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_tag tag = kit->rts->tags[KN_RTS_IS_ITEM];
    item_state *state = knc_rts_item_get(world, item);
    state->flags &= ~(uint32_t)ITEM_PLACED;
    state->at = (kn_vec3){0};
    if (kit->bodies.index1 != 0) {
        (void)kn_component_remove(world, kit->bodies, item);
    }
    if (kn_entity_tag_count_origin(world, item, tag, KN_TAG_ORIGIN_LOOSE_SYNCED) > 0) {
        (void)kn_entity_set_tag_count(world, item, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 0);
    }
}

void knc_rts_item_put(kn_world *world, kn_entity_id unit, kn_entity_id item, uint32_t slot,
    kn_entity_id from, kn_rts_item_reason reason)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_entity_id owner = kn_entity_owner(world, unit);
    item_lift(world, item);
    item_state *state = knc_rts_item_get(world, item);
    const kn_rts_item_type_id type = state->type;
    const kn_rts_item_def *def = knc_rts_item_def(world, type);
    state->holder = unit;
    state->slot = slot;
    const kn_rts_item_event event = {item, from, type, slot, state->charges, (uint32_t)reason};
    slot_write(world, unit, slot, item);
    if (!kn_entity_id_equal(kn_entity_owner(world, item), owner)) {
        (void)kn_entity_set_owner(world, item, owner);
    }
    if (kn_entity_connection(world, item) != kn_entity_connection(world, unit)) {
        (void)kn_entity_set_connection(world, item, kn_entity_connection(world, unit));
    }
    if (!is_stash(world, unit, slot)) {
        item_act(world, unit, item);
    }
    knc_rts_item_notify(world, unit, &event, kit->gained, &def->gained);
}

void knc_rts_item_take(
    kn_world *world, kn_entity_id item, kn_entity_id to, kn_rts_item_reason reason)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    item_state *state = knc_rts_item_get(world, item);
    if (state == NULL || state->holder.index1 == 0) {
        return;
    }
    const kn_entity_id unit = state->holder;
    const kn_rts_item_def *def = knc_rts_item_def(world, state->type);
    const kn_rts_item_event event = {
        item, to, state->type, state->slot, state->charges, (uint32_t)reason};
    item_rest(world, unit, item, reason);
    slot_write(world, unit, event.slot, (kn_entity_id){0});
    state = knc_rts_item_get(world, item);
    if (state != NULL) {
        state->holder = (kn_entity_id){0};
        state->slot = UINT32_MAX;
    }
    if (def != NULL) {
        knc_rts_item_notify(world, unit, &event, kit->lost, &def->lost);
    }
}

void knc_rts_item_end(kn_world *world, kn_entity_id item, kn_rts_item_reason reason)
{
    knc_rts_item_take(world, item, (kn_entity_id){0}, reason);
    (void)kn_entity_destroy(world, item);
}

void knc_rts_item_swap(kn_world *world, kn_entity_id unit, uint32_t a, uint32_t b)
{
    const kn_entity_id items[2] = {
        kn_rts_slot_item(world, unit, a), kn_rts_slot_item(world, unit, b)};
    const uint32_t slots[2] = {b, a};
    const bool changes = is_stash(world, unit, a) != is_stash(world, unit, b);
    for (uint32_t i = 0; i < 2; i++) {
        slot_write(world, unit, slots[i], items[i]);
        item_state *state = knc_rts_item_get(world, items[i]);
        if (state != NULL) {
            state->slot = slots[i];
        }
    }
    // What goes into the stash makes room first.
    for (uint32_t i = 0; changes && i < 2; i++) {
        if (items[i].index1 != 0 && is_stash(world, unit, slots[i])) {
            item_rest(world, unit, items[i], KN_RTS_ITEM_GIVEN);
        }
    }
    for (uint32_t i = 0; changes && i < 2; i++) {
        if (items[i].index1 != 0 && !is_stash(world, unit, slots[i])) {
            item_act(world, unit, items[i]);
        }
    }
}
