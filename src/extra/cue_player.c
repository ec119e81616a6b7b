// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The cue player: from the events of a step to calls of handlers. It reads worlds through the
// public functions only, and changes none.

#include "extra/cue_player.h"

#include <math.h>
#include <string.h>

#define FIRST_PLANS 64

// Creation and destruction -----------------------------------------------------

kn_cue_player_def kn_cue_player_def_default(void)
{
    kn_cue_player_def def = {.cookie = KN_COOKIE};
    return def;
}

bool kni_cue_player_is_free(const kn_cue_player *player)
{
    KN_ASSERT(player->depth == 0);
    return player->depth == 0;
}

static void player_free(kn_cue_player *player)
{
    const kn_hooks *hooks = &player->def.hooks;
    kni_cue_waiting_clear(player);
    kni_cue_log_free(player);
    kni_cue_map_free(&player->holds, hooks);
    kni_cue_map_free(&player->instances, hooks);
    kni_cue_map_free(&player->hidden, hooks);
    kni_cue_blocks_free(&player->blocks, hooks);
    kn_memory_free(hooks, player->handlers, player->handler_capacity * sizeof(kni_cue_handler));
    kn_memory_free(hooks, player->by_tag, player->tag_count * sizeof(uint32_t));
    kn_memory_free(hooks, player->waiting, player->waiting_capacity * sizeof(kni_cue_waiting));
    kn_memory_free(hooks, player->plans, player->plan_capacity * sizeof(kni_cue_plan));
    kn_memory_free(hooks, player->plan_slots, player->plan_slot_count * sizeof(kni_cue_plan_slot));
    kn_memory_free(hooks, player->actives, player->active_capacity * sizeof(kn_cue_active));
    kn_hooks own = player->def.hooks;
    kn_memory_free(&own, player, sizeof(*player));
}

// Room for this many events at a time, a power of two.
static bool plans_reserve(kn_cue_player *player, uint32_t count)
{
    if (count > player->plan_slot_count / 2) {
        size_t old_size = player->plan_slot_count * sizeof(kni_cue_plan_slot);
        size_t size = (size_t)count * 2 * sizeof(kni_cue_plan_slot);
        kni_cue_plan_slot *slots =
            kn_memory_resize(&player->def.hooks, player->plan_slots, old_size, size);
        if (slots == NULL) {
            return false;
        }
        memset(slots, 0, size);
        player->plan_slots = slots;
        player->plan_slot_count = count * 2;
    }
    return kn_memory_grow(
        &player->def.hooks, &player->plans, &player->plan_capacity, count, sizeof(kni_cue_plan));
}

static bool player_init(kn_cue_player *player)
{
    const kn_hooks *hooks = &player->def.hooks;
    uint32_t tag_count = kn_tag_count(player->def.library);
    if (tag_count > 0) {
        player->by_tag = kn_memory_resize(hooks, NULL, 0, tag_count * sizeof(uint32_t));
        if (player->by_tag == NULL) {
            return false;
        }
        memset(player->by_tag, 0, tag_count * sizeof(uint32_t));
        player->tag_count = tag_count;
    }
    return kni_cue_map_init(&player->holds, hooks, sizeof(kni_cue_hold)) &&
           kni_cue_map_init(&player->instances, hooks, sizeof(kni_cue_instance)) &&
           kni_cue_map_init(&player->hidden, hooks, sizeof(kni_cue_hidden)) &&
           kni_cue_log_init(player) && plans_reserve(player, FIRST_PLANS);
}

kn_result kn_cue_player_create(const kn_cue_player_def *def, kn_cue_player **out)
{
    if (out == NULL) {
        KN_ASSERT(out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def == NULL || def->cookie != KN_COOKIE || def->library == NULL ||
        !kn_library_is_finished(def->library)) {
        KN_ASSERT_DEF(def, kn_cue_player_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_cue_player *player = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*player));
    if (player == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *player = (kn_cue_player){.def = *def};
    if (!player_init(player)) {
        player_free(player);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = player;
    return KN_OK;
}

static kni_cue_message hold_telling(const kni_cue_hold *hold, const kn_world *world)
{
    kni_cue_message telling = {
        .world = world,
        .entity = hold->entity,
        .tag = {hold->tag},
        .interrupted = true,
    };
    return telling;
}

static void hold_end(kn_cue_player *player, const kn_world *world, kni_cue_hold *hold)
{
    kni_cue_message telling = hold_telling(hold, world);
    kni_cue_hold_remove(player, hold, &telling);
}

// The hold at a place if it is in use and the first of its chain, else NULL.
static kni_cue_hold *hold_first_at(const kn_cue_player *player, uint32_t index)
{
    kni_cue_hold *hold = kni_cue_map_at(&player->holds, index);
    return hold->link.index1 != 0 && !hold->is_part ? hold : NULL;
}

static void holds_end(kn_cue_player *player)
{
    for (uint32_t i = 0; i < player->holds.used; i++) {
        kni_cue_hold *hold = hold_first_at(player, i);
        if (hold != NULL) {
            hold_end(player, NULL, hold);
        }
    }
}

void kn_cue_player_destroy(kn_cue_player *player)
{
    if (player == NULL || !kni_cue_player_is_free(player)) {
        return;
    }
    holds_end(player);
    player_free(player);
}

kn_cue_stats kn_cue_player_stats(const kn_cue_player *player)
{
    kn_cue_stats stats = {0};
    if (player != NULL) {
        stats = player->stats;
        stats.waiting = player->waiting_count;
        stats.instances = player->instance_count;
    }
    return stats;
}

// Out of sight --------------------------------------------------------------

static kni_cue_hidden *hidden_find(const kn_cue_player *player, kn_entity_id entity)
{
    uint64_t hash = kni_cue_entity_hash(entity);
    kni_cue_hidden *hidden = NULL;
    while ((hidden = kni_cue_map_next(
                &player->hidden, hash, hidden != NULL ? &hidden->link : NULL)) != NULL &&
           !kn_entity_id_equal(hidden->entity, entity)) {
    }
    return hidden;
}

bool kni_cue_is_hidden(const kn_cue_player *player, kn_entity_id entity)
{
    return hidden_find(player, entity) != NULL;
}

// Forgets destroyed entities, or all of them.
static void hidden_sweep(kn_cue_player *player, const kn_world *world)
{
    for (uint32_t i = 0; player->hidden.live > 0 && i < player->hidden.used; i++) {
        kni_cue_hidden *hidden = kni_cue_map_at(&player->hidden, i);
        if (hidden->link.index1 != 0 &&
            (world == NULL || !kn_entity_is_alive(world, hidden->entity))) {
            kni_cue_map_release(&player->hidden, &hidden->link);
        }
    }
}

// Comparing with a world ----------------------------------------------------

static uint32_t actives_read(kn_cue_player *player, const kn_world *world, kn_entity_id entity)
{
    uint32_t count = kn_cues(world, entity, player->actives, player->active_capacity);
    if (count <= player->active_capacity) {
        return count;
    }
    if (!kn_memory_grow(&player->def.hooks, &player->actives, &player->active_capacity, count,
            sizeof(kn_cue_active))) {
        player->stats.dropped++;
        return KNI_CUE_NONE;
    }
    return kn_cues(world, entity, player->actives, player->active_capacity);
}

// A hold without a counterpart in the world, of the same cue and instigator.
static kni_cue_hold *hold_alike(
    const kn_cue_player *player, kn_entity_id entity, kn_tag tag, kn_entity_id instigator)
{
    kni_cue_hold *hold = NULL;
    while ((hold = kni_cue_hold_next(player, entity, hold)) != NULL) {
        if (!hold->is_local && !hold->is_seen && hold->tag == tag.index1 &&
            kn_entity_id_equal(hold->instigator, instigator)) {
            break;
        }
    }
    return hold;
}

// Marks the holds that have a counterpart in the world, those of the same effects first. Active
// cues that remain in the list have no hold.
static void actives_find(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, uint32_t count)
{
    for (kni_cue_hold *hold = NULL; (hold = kni_cue_hold_next(player, entity, hold)) != NULL;) {
        hold->is_seen = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_cue_active *active = &player->actives[i];
        kni_cue_hold *hold = kni_cue_hold_find(player, entity, active->tag, active->effect, false);
        if (hold != NULL) {
            hold->is_seen = true;
            active->count = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_cue_active *active = &player->actives[i];
        kn_cue_params params;
        if (active->count == 0 || !kn_cue_active_params(world, entity, active, &params)) {
            continue;
        }
        kni_cue_hold *hold = hold_alike(player, entity, active->tag, params.instigator);
        if (hold != NULL) {
            hold->effect = active->effect;
            hold->is_seen = true;
            active->count = 0;
        }
    }
}

static kni_cue_hold *hold_unseen(const kn_cue_player *player, kn_entity_id entity)
{
    kni_cue_hold *hold = NULL;
    while ((hold = kni_cue_hold_next(player, entity, hold)) != NULL &&
           (hold->is_local || hold->is_seen)) {
    }
    return hold;
}

static void active_meet(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, const kn_cue_active *active)
{
    kn_cue_params params;
    if (kni_cue_hold_find(player, entity, active->tag, active->effect, false) != NULL ||
        !kn_cue_active_params(world, entity, active, &params)) {
        return;
    }
    kni_cue_message telling = {
        .world = world,
        .entity = entity,
        .effect = active->effect,
        .tag = active->tag,
        .params = &params,
    };
    (void)kni_cue_hold_add(player, &telling);
}

void kni_cue_compare(kn_cue_player *player, const kn_world *world, kn_entity_id entity)
{
    if (hidden_find(player, entity) != NULL) {
        return;
    }
    uint32_t count = actives_read(player, world, entity);
    if (count == KNI_CUE_NONE) {
        return;
    }
    actives_find(player, world, entity, count);
    kni_cue_hold *hold;
    while ((hold = hold_unseen(player, entity)) != NULL) {
        hold_end(player, world, hold);
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_cue_active active = player->actives[i];
        if (active.count != 0) {
            active_meet(player, world, entity, &active);
        }
    }
}

// What is shown on entities that are gone ends.
static void holds_sweep(kn_cue_player *player, const kn_world *world)
{
    for (uint32_t i = 0; i < player->holds.used; i++) {
        kni_cue_hold *hold = hold_first_at(player, i);
        if (hold != NULL && !kn_entity_is_alive(world, hold->entity)) {
            hold_end(player, world, hold);
        }
    }
}

void kni_cue_compare_all(kn_cue_player *player, const kn_world *world)
{
    holds_sweep(player, world);
    kn_entity_id entity = {0};
    while ((entity = kn_entity_next(world, entity)).index1 != 0) {
        kni_cue_compare(player, world, entity);
    }
}

void kn_cue_player_enter(kn_cue_player *player, const kn_world *world, kn_entity_id entity)
{
    if (player == NULL || world == NULL || !kni_cue_player_is_free(player)) {
        KN_ASSERT(player != NULL && world != NULL);
        return;
    }
    player->world = world;
    kni_cue_hidden *hidden = hidden_find(player, entity);
    if (hidden != NULL) {
        kni_cue_map_release(&player->hidden, &hidden->link);
    }
    kni_cue_compare(player, world, entity);
}

void kn_cue_player_leave(kn_cue_player *player, const kn_world *world, kn_entity_id entity)
{
    if (player == NULL || world == NULL || !kni_cue_player_is_free(player)) {
        KN_ASSERT(player != NULL && world != NULL);
        return;
    }
    player->world = world;
    if (hidden_find(player, entity) == NULL && kn_entity_is_alive(world, entity)) {
        kni_cue_hidden *hidden = kni_cue_map_new(&player->hidden, &player->def.hooks);
        if (hidden != NULL) {
            hidden->entity = entity;
            kni_cue_map_link(
                &player->hidden, &player->def.hooks, &hidden->link, kni_cue_entity_hash(entity));
        }
    }
    actives_find(player, world, entity, 0); // the world does not matter: nothing is visible
    kni_cue_hold *hold;
    while ((hold = hold_unseen(player, entity)) != NULL) {
        hold_end(player, world, hold);
    }
}

void kn_cue_player_join(kn_cue_player *player, const kn_world *world)
{
    if (player == NULL || world == NULL || !kni_cue_player_is_free(player)) {
        KN_ASSERT(player != NULL && world != NULL);
        return;
    }
    if (player->world != NULL && player->world != world) {
        holds_end(player); // ids of another world mean something else here
        hidden_sweep(player, NULL);
        kni_cue_waiting_clear(player);
    }
    player->world = world;
    kni_cue_log_clear(player);
    hidden_sweep(player, world);
    kni_cue_compare_all(player, world);
}

// Playing a step ------------------------------------------------------------

static bool event_lasts(const kn_event *event)
{
    return event->data.cue.action != KN_CUE_EXECUTED;
}

// Executed cues with the same tag on the same entity; changes of the same cue.
static bool events_are_alike(const kn_event *a, const kn_event *b)
{
    return a->data.cue.action == b->data.cue.action &&
           a->data.cue.tag.index1 == b->data.cue.tag.index1 &&
           kn_entity_id_equal(a->entity, b->entity) &&
           (a->data.cue.action == KN_CUE_EXECUTED ||
               kn_effect_id_equal(a->data.cue.effect, b->data.cue.effect));
}

// The first plan like this one; itself if there is none.
static uint32_t plan_leader(kn_cue_player *player, const kn_event *events, uint32_t plan)
{
    const kn_event *event = &events[player->plans[plan].event];
    uint64_t hash = kni_cue_mix(kn_entity_id_pack(event->entity),
        (uint64_t)event->data.cue.tag.index1 << 2 | (uint64_t)event->data.cue.action);
    uint32_t mask = player->plan_slot_count - 1;
    uint32_t place = (uint32_t)(hash * 0xbf58476d1ce4e5b9u >> 32) & mask;
    for (;; place = (place + 1) & mask) {
        kni_cue_plan_slot *slot = &player->plan_slots[place];
        if (slot->stamp != player->plan_stamp) {
            *slot = (kni_cue_plan_slot){player->plan_stamp, plan};
            return plan;
        }
        if (events_are_alike(&events[player->plans[slot->plan].event], event)) {
            return slot->plan;
        }
    }
}

// Beyond the limit: merged into the last one played, or dropped.
static void plan_absorb(kn_cue_player *player, const kn_world *world, const kn_event *event,
    kni_cue_plan *plan, kni_cue_plan *last)
{
    plan->count = 0;
    if (!player->def.merges) {
        player->stats.dropped++;
        return;
    }
    kn_cue_params params;
    (void)kn_cue_event_params(world, event, &params);
    last->count++;
    last->magnitude += params.magnitude;
    last->change += params.change;
    player->stats.merged++;
}

static void plan_merge(
    kn_cue_player *player, const kn_world *world, const kn_event *events, uint32_t index)
{
    kni_cue_plan *plan = &player->plans[index];
    const kn_event *event = &events[plan->event];
    kn_cue_action action = event->data.cue.action;
    uint32_t limit =
        player->def.burst_limit == 0 && player->def.merges ? 1 : player->def.burst_limit;
    if (action != KN_CUE_UPDATED && (action != KN_CUE_EXECUTED || limit == 0)) {
        return;
    }
    kni_cue_plan *leader = &player->plans[plan_leader(player, events, index)];
    leader->total++;
    if (action == KN_CUE_UPDATED && leader != plan) {
        player->plans[leader->last].count = 0; // the latest wins
        leader->last = index;
    } else if (action == KN_CUE_UPDATED || leader->total <= limit) {
        leader->last = index;
    } else {
        plan_absorb(player, world, event, plan, &player->plans[leader->last]);
    }
}

static void plan_event(
    kn_cue_player *player, const kn_world *world, const kn_event *events, uint32_t index)
{
    const kn_event *event = &events[index];
    kn_time now = kn_world_now(world);
    kni_cue_entry *entry = kni_cue_log_match(player, event, now);
    if (entry != NULL) {
        player->stats.repeated++;
        if (event_lasts(event) && !kn_effect_id_equal(entry->effect, event->data.cue.effect)) {
            kni_cue_touch(player, event->entity);
        }
        entry->effect = event->data.cue.effect;
        return;
    }
    if (player->is_resimulating && event_lasts(event)) {
        kni_cue_touch(player, event->entity);
    }
    uint32_t entry1 = kni_cue_log_add(player, event, now);
    if (hidden_find(player, event->entity) == NULL) {
        player->plans[player->plan_count] =
            (kni_cue_plan){.event = index, .entry1 = entry1, .count = 1};
        plan_merge(player, world, events, player->plan_count++);
    }
}

static void plan_play(
    kn_cue_player *player, const kn_world *world, const kn_event *events, uint32_t index)
{
    kni_cue_plan plan = player->plans[index];
    const kn_event *event = &events[plan.event];
    if (plan.count == 0) {
        return;
    }
    kn_cue_params params;
    (void)kn_cue_event_params(world, event, &params);
    params.magnitude += plan.magnitude;
    params.change += plan.change;
    kni_cue_message telling = {
        .world = world,
        .entity = event->entity,
        .effect = event->data.cue.effect,
        .tag = event->data.cue.tag,
        .is_new = true,
        .interrupted = event->data.cue.interrupted,
        .params = &params,
        .count = plan.count,
    };
    if (!event_lasts(event)) {
        kni_cue_execute(player, &telling, plan.entry1);
        return;
    }
    kni_cue_hold *hold =
        kni_cue_hold_find(player, event->entity, telling.tag, telling.effect, false);
    if (event->data.cue.action == KN_CUE_ADDED && hold == NULL) {
        (void)kni_cue_hold_add(player, &telling);
    } else if (event->data.cue.action == KN_CUE_UPDATED && hold != NULL) {
        kni_cue_hold_update(player, hold, &telling);
    } else if (event->data.cue.action == KN_CUE_REMOVED && hold != NULL) {
        kni_cue_hold_remove(player, hold, &telling);
    } else if (event->data.cue.action == KN_CUE_REMOVED && !player->is_resimulating) {
        player->stats.mismatched++;
    }
}

// Plays as many events as there is room for plans, beginning at `first`. Returns the next one.
static uint32_t batch_play(
    kn_cue_player *player, const kn_world *world, kn_events events, uint32_t first)
{
    player->plan_count = 0;
    if (++player->plan_stamp == 0) {
        memset(player->plan_slots, 0, player->plan_slot_count * sizeof(kni_cue_plan_slot));
        player->plan_stamp = 1;
    }
    uint32_t next = first;
    for (; next < events.count && player->plan_count < player->plan_capacity; next++) {
        if (events.data[next].type == KN_EVENT_CUE) {
            plan_event(player, world, events.data, next);
        }
    }
    for (uint32_t i = 0; i < player->plan_count; i++) {
        plan_play(player, world, events.data, i);
    }
    return next;
}

// Room for all events at once, so that all can be merged; less if memory is short.
static void plans_fit(kn_cue_player *player, kn_events events)
{
    uint32_t count = 0, capacity = player->plan_slot_count / 2;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUE;
    }
    while (capacity < count && capacity <= UINT32_MAX / 8) {
        capacity *= 2;
    }
    (void)plans_reserve(player, capacity);
}

void kn_cue_player_update(kn_cue_player *player, const kn_world *world)
{
    if (player == NULL || world == NULL || !kni_cue_player_is_free(player)) {
        KN_ASSERT(player != NULL && world != NULL);
        return;
    }
    player->world = world;
    kni_cue_log_trim(player, kn_world_now(world));
    kn_events events = kn_world_events(world);
    plans_fit(player, events);
    for (uint32_t next = 0; next < events.count;) {
        next = batch_play(player, world, events, next);
    }
    holds_sweep(player, world);
    hidden_sweep(player, world);
}

// Cues of this machine ------------------------------------------------------

static kn_result local_check(const kn_cue_player *player, const kn_world *world,
    kn_entity_id entity, kn_tag tag, const kn_cue_params *params)
{
    if (player != NULL && world == NULL && player->depth > 0) {
        return KN_REFUSED_STALE_ID; // a handler called at the end of the player
    }
    if (player == NULL || world == NULL || (params != NULL && params->cookie != KN_COOKIE)) {
        KN_ASSERT(player != NULL && world != NULL);
        if (params != NULL) {
            KN_ASSERT_DEF(params, kn_cue_params);
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (params != NULL &&
        params->payload_type.index1 > kn_def_count(player->def.library, KN_DEF_CONTEXT)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (params != NULL && params->targets.size > 0 &&
        !kn_target_is_valid(player->def.library, params->targets)) {
        return KN_ERROR_BAD_DATA;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_cue_tag_is_valid(player->def.library, tag)) {
        return KN_REFUSED_REQUIREMENT;
    }
    return params == NULL || isfinite(params->magnitude) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_cue_local_execute(kn_cue_player *player, const kn_world *world, kn_entity_id entity,
    kn_tag tag, const kn_cue_params *params)
{
    kn_result result = local_check(player, world, entity, tag, params);
    if (result != KN_OK) {
        return result;
    }
    kn_cue_params none = kn_cue_params_default();
    kni_cue_message telling = {.world = world,
        .entity = entity,
        .tag = tag,
        .params = params != NULL ? params : &none,
        .count = 1};
    kni_cue_execute(player, &telling, 0);
    return KN_OK;
}

kn_result kn_cue_local_add(kn_cue_player *player, const kn_world *world, kn_entity_id entity,
    kn_tag tag, const kn_cue_params *params)
{
    kn_result result = local_check(player, world, entity, tag, params);
    if (result != KN_OK) {
        return result;
    }
    kni_cue_hold *hold = kni_cue_hold_find(player, entity, tag, (kn_effect_id){0}, true);
    if (hold != NULL) {
        kni_cue_hold_count(player, hold, true);
        return KN_OK;
    }
    kn_cue_params none = kn_cue_params_default();
    kni_cue_message telling = {.world = world,
        .entity = entity,
        .tag = tag,
        .is_local = true,
        .is_new = true,
        .params = params != NULL ? params : &none,
        .count = 1};
    return kni_cue_hold_add(player, &telling) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kn_cue_local_remove(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    if (player == NULL || world == NULL) {
        KN_ASSERT(player != NULL && world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_cue_hold *hold = kni_cue_hold_find(player, entity, tag, (kn_effect_id){0}, true);
    if (hold == NULL) {
        player->stats.mismatched++;
        return KN_REFUSED_NOT_FOUND;
    }
    if (hold->count > 1) {
        kni_cue_hold_count(player, hold, false);
        return KN_OK;
    }
    kni_cue_message telling = hold_telling(hold, world);
    telling.interrupted = false;
    kni_cue_hold_remove(player, hold, &telling);
    return KN_OK;
}
