// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Combat between pairs. A pair is kept once, with the one who began it: a boss with a hundred
// attackers has a hundred short lists to look into, not a long one. Both know how many pairs they
// are in. A hostile act only moves the end of a pair; the timer of the one who keeps it looks at
// the ends when it fires, and starts again for what was renewed meanwhile.

#include "parts.h"

typedef struct pairs_state {
    kn_timer_id timer; // fires at, or before, the next end
    uint32_t count;    // pairs that the entity is in, those kept elsewhere included
    uint32_t unused;
} pairs_state;

typedef struct pair_item {
    kn_entity_id other;
    kn_time until;
    uint32_t holds; // threat tables that keep it up
    uint32_t unused;
} pair_item;

static const kn_field pairs_fields[] = {
    KN_FIELD(pairs_state, timer, KN_FIELD_TIMER),
    KN_FIELD(pairs_state, count, KN_FIELD_U32),
    KN_FIELD(pairs_state, unused, KN_FIELD_U32),
};
static const kn_field pair_fields[] = {
    KN_FIELD(pair_item, other, KN_FIELD_ENTITY),
    KN_FIELD(pair_item, until, KN_FIELD_TIME),
    KN_FIELD(pair_item, holds, KN_FIELD_U32),
    KN_FIELD(pair_item, unused, KN_FIELD_U32),
};
static const kn_component_reference pairs_references[] = {
    {.field = "other", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE},
};

static const threat_ids *ids_of(const kn_world *world)
{
    return &knc_combat_of_world(world)->threat;
}

// Finding ---------------------------------------------------------------------------

static const pair_item *pair_in(const kn_world *world, kn_component_type_id type,
    kn_entity_id keeper, kn_entity_id other, uint32_t *index)
{
    uint32_t count;
    const pair_item *items = kn_component_read_items(world, type, keeper, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(items[i].other, other)) {
            *index = i;
            return &items[i];
        }
    }
    return NULL;
}

// The pair, and who keeps it where; NULL if there is none.
static const pair_item *pair_find(
    const kn_world *world, kn_entity_id a, kn_entity_id b, kn_entity_id *keeper, uint32_t *index)
{
    kn_component_type_id type = ids_of(world)->pairs;
    const pair_item *item = pair_in(world, type, a, b, index);
    *keeper = a;
    if (item == NULL) {
        item = pair_in(world, type, b, a, index);
        *keeper = b;
    }
    return item;
}

static pair_item *pair_get(kn_world *world, kn_entity_id a, kn_entity_id b, kn_entity_id *keeper)
{
    uint32_t index;
    if (pair_find(world, a, b, keeper, &index) == NULL) {
        return NULL;
    }
    return (pair_item *)kn_component_items(world, ids_of(world)->pairs, *keeper, NULL) + index;
}

bool knc_pair_can_fight(const kn_world *world, const kn_combat_def *rules, kn_entity_id entity)
{
    return kn_entity_is_alive(world, entity) && !kn_entity_is_dying(world, entity) &&
           !knc_life_is_over(world, rules, entity);
}

kn_result knc_pair_check(const kn_world *world, kn_entity_id a, kn_entity_id b)
{
    if (knc_combat_rules_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, a) || !kn_entity_is_alive(world, b)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_id_equal(a, b)) {
        return KN_REFUSED_DUPLICATE;
    }
    const kn_combat_def *rules = knc_combat_rules_of(world);
    return knc_pair_can_fight(world, rules, a) && knc_pair_can_fight(world, rules, b)
               ? KN_OK
               : KN_REFUSED_DYING;
}

// Time ------------------------------------------------------------------------------

kn_time knc_pair_until(const kn_world *world, kn_time duration)
{
    kn_time now = world != NULL ? kn_world_now(world) : 0;
    return duration > KN_TIME_MAX - now ? KN_TIME_INFINITE : now + duration;
}

static kn_time pairs_next_end(const kn_world *world, kn_entity_id keeper)
{
    uint32_t count;
    const pair_item *items = kn_component_read_items(world, ids_of(world)->pairs, keeper, &count);
    kn_time next = KN_TIME_INFINITE;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].holds == 0 && items[i].until < next) {
            next = items[i].until;
        }
    }
    return next;
}

// Ends only move away from now, so a timer that runs fires early enough.
static kn_result pairs_arm(kn_world *world, kn_entity_id keeper)
{
    const threat_ids *ids = ids_of(world);
    pairs_state *state = kn_component_get(world, ids->pairs, keeper);
    kn_time next = pairs_next_end(world, keeper);
    if (state == NULL || state->timer.index1 != 0 || next == KN_TIME_INFINITE) {
        return KN_OK;
    }
    kn_time now = kn_world_now(world);
    kn_timer_id timer;
    kn_result result =
        kn_timer_start(world, ids->pairs_timer, keeper, next > now ? next - now : 0, NULL, &timer);
    state = kn_component_get(world, ids->pairs, keeper);
    if (result == KN_OK && state != NULL) {
        state->timer = timer;
    }
    return result;
}

// Counting ----------------------------------------------------------------------------

static bool pairs_count_up(kn_world *world, kn_entity_id entity)
{
    const threat_ids *ids = ids_of(world);
    pairs_state *state = kn_component_add(world, ids->pairs, entity);
    if (state == NULL) {
        return false;
    }
    return ++state->count > 1 ||
           kn_entity_add_loose_tag(world, entity, ids->in_combat, KN_TAG_SYNC_TAG) == KN_OK;
}

static void pairs_tag_remove(kn_world *world, kn_entity_id entity)
{
    (void)kn_entity_set_tag_count(
        world, entity, ids_of(world)->in_combat, KN_TAG_ORIGIN_LOOSE_SYNCED, 0);
}

static void pairs_count_down(kn_world *world, kn_entity_id entity)
{
    const threat_ids *ids = ids_of(world);
    pairs_state *state = kn_component_get(world, ids->pairs, entity);
    if (state == NULL || state->count == 0 || --state->count > 0) {
        return;
    }
    (void)kn_timer_cancel(world, state->timer);
    (void)kn_component_remove(world, ids->pairs, entity);
    pairs_tag_remove(world, entity);
}

static void pair_publish(
    kn_world *world, kn_entity_id entity, kn_entity_id other, kn_custom_event_id event)
{
    kn_combat_pair payload = {other};
    (void)kn_world_publish(world, entity, event, &payload);
}

// Beginning and end -------------------------------------------------------------------

static kn_result pair_add(kn_world *world, kn_entity_id a, kn_entity_id b, kn_time until)
{
    const threat_ids *ids = ids_of(world);
    if (!pairs_count_up(world, a) || !pairs_count_up(world, b)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t count;
    (void)kn_component_read_items(world, ids->pairs, a, &count);
    pair_item *items = kn_component_resize(world, ids->pairs, a, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count] = (pair_item){.other = b, .until = until};
    pair_publish(world, a, b, ids->started);
    pair_publish(world, b, a, ids->started);
    return pairs_arm(world, a);
}

kn_result knc_pair_start(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    const combat *kit = knc_combat_of_world(world);
    kn_component_type_id type = kit->threat.pairs;
    kn_time until = knc_pair_until(world, kn_time_from_seconds((double)kit->rules->combat_lasts));
    kn_entity_id keeper = a;
    uint32_t index;
    if (pair_in(world, type, a, b, &index) == NULL) {
        keeper = b;
        if (pair_in(world, type, b, a, &index) == NULL) {
            return pair_add(world, a, b, until);
        }
    }
    ((pair_item *)kn_component_items(world, type, keeper, NULL))[index].until = until;
    return KN_OK;
}

static void pair_drop(kn_world *world, kn_entity_id keeper, uint32_t index)
{
    kn_component_type_id type = ids_of(world)->pairs;
    uint32_t count;
    pair_item *items = kn_component_items(world, type, keeper, &count);
    for (uint32_t i = index; i + 1 < count; i++) {
        items[i] = items[i + 1];
    }
    (void)kn_component_resize(world, type, keeper, count - 1);
}

// What follows when a pair is gone from its list.
static void pair_ended(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    const threat_ids *ids = ids_of(world);
    (void)knc_threat_forget(world, a, b);
    (void)knc_threat_forget(world, b, a);
    pair_publish(world, a, b, ids->ended);
    pair_publish(world, b, a, ids->ended);
    pairs_count_down(world, a);
    pairs_count_down(world, b);
}

static bool pair_end(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    kn_entity_id keeper;
    uint32_t index;
    if (pair_find(world, a, b, &keeper, &index) == NULL) {
        return false;
    }
    pair_drop(world, keeper, index);
    pair_ended(world, a, b);
    return true;
}

void knc_pairs_end(kn_world *world, kn_entity_id entity)
{
    kn_entity_id other = {0};
    while (kn_combat_opponents(world, entity, &other, 1) > 0) {
        (void)pair_end(world, entity, other);
    }
}

void knc_pair_hold(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    kn_entity_id keeper;
    pair_item *item = pair_get(world, a, b, &keeper);
    if (item != NULL) {
        item->holds++;
    }
}

void knc_pair_release(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    kn_entity_id keeper;
    pair_item *item = pair_get(world, a, b, &keeper);
    if (item == NULL || item->holds == 0 || --item->holds > 0) {
        return;
    }
    if (item->until <= kn_world_now(world)) {
        (void)pair_end(world, a, b);
    } else {
        (void)pairs_arm(world, keeper);
    }
}

// One pair that is over; null if there is none.
static kn_entity_id pairs_overdue(const kn_world *world, kn_entity_id keeper)
{
    uint32_t count;
    const pair_item *items = kn_component_read_items(world, ids_of(world)->pairs, keeper, &count);
    kn_time now = kn_world_now(world);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].holds == 0 && items[i].until <= now) {
            return items[i].other;
        }
    }
    return (kn_entity_id){0};
}

static kn_time pairs_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const threat_ids *ids = user;
    pairs_state *state = kn_component_get(world, ids->pairs, entity);
    (void)data;
    if (state == NULL) {
        return 0;
    }
    state->timer = (kn_timer_id){0};
    kn_entity_id other;
    while ((other = pairs_overdue(world, entity)).index1 != 0) {
        (void)pair_end(world, entity, other);
    }
    kn_time next = pairs_next_end(world, entity);
    state = kn_component_get(world, ids->pairs, entity);
    if (state == NULL || next == KN_TIME_INFINITE) {
        return 0;
    }
    state->timer = kn_timer_firing(world);
    return next - kn_world_now(world);
}

// The entity goes, or somebody removed the component: its pairs end on the other side too. Its own
// list is left to the library.
static void pairs_removed(void *user, const kn_component_call *call)
{
    const threat_ids *ids = user;
    kn_world *world = call->world;
    pairs_state *state = kn_component_get(world, ids->pairs, call->entity);
    if (state == NULL || state->count == 0) {
        return;
    }
    state->count = 0; // so that nothing counts down here any more
    uint32_t count;
    (void)kn_component_read_items(world, ids->pairs, call->entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const pair_item *items = kn_component_read_items(world, ids->pairs, call->entity, &count);
        pair_ended(world, call->entity, items[i].other);
    }
    kn_component_referrer place;
    while (kn_component_referrers(world, ids->pairs, 0, call->entity, &place, 1) > 0) {
        pair_drop(world, place.entity, place.item);
        pair_ended(world, call->entity, place.entity);
    }
    if (!kn_entity_is_dying(world, call->entity)) {
        pairs_tag_remove(world, call->entity);
    }
}

// Calls -------------------------------------------------------------------------------

typedef struct pair_call {
    kn_entity_id a, b;
} pair_call;

static kn_result pair_start_call(void *user, kn_world *world)
{
    const pair_call *call = user;
    return knc_pair_start(world, call->a, call->b);
}

kn_result kn_combat_start(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    pair_call call = {a, b};
    kn_result result = knc_pair_check(world, a, b);
    return result != KN_OK ? result : kn_world_call(world, pair_start_call, &call);
}

static kn_result pair_end_call(void *user, kn_world *world)
{
    const pair_call *call = user;
    return pair_end(world, call->a, call->b) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

kn_result kn_combat_end(kn_world *world, kn_entity_id a, kn_entity_id b)
{
    pair_call call = {a, b};
    if (knc_combat_rules_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, a) || !kn_entity_is_alive(world, b)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_world_call(world, pair_end_call, &call);
}

static kn_result pairs_end_call(void *user, kn_world *world)
{
    const pair_call *call = user;
    knc_pairs_end(world, call->a);
    return KN_OK;
}

kn_result kn_combat_leave(kn_world *world, kn_entity_id entity)
{
    pair_call call = {.a = entity};
    if (knc_combat_rules_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_entity_is_alive(world, entity) ? kn_world_call(world, pairs_end_call, &call)
                                             : KN_REFUSED_STALE_ID;
}

bool kn_combat_is_fighting(const kn_world *world, kn_entity_id a, kn_entity_id b)
{
    kn_entity_id keeper;
    uint32_t index;
    return world != NULL && kn_combat_is_there(kn_world_library(world)) &&
           pair_find(world, a, b, &keeper, &index) != NULL;
}

kn_time kn_combat_remaining(const kn_world *world, kn_entity_id a, kn_entity_id b)
{
    kn_entity_id keeper;
    uint32_t index;
    if (!kn_combat_is_fighting(world, a, b)) {
        return 0;
    }
    const pair_item *item = pair_find(world, a, b, &keeper, &index);
    return item->holds > 0 || item->until == KN_TIME_INFINITE ? KN_TIME_INFINITE
                                                              : item->until - kn_world_now(world);
}

bool kn_combat_in_combat(const kn_world *world, kn_entity_id entity)
{
    return world != NULL && kn_combat_is_there(kn_world_library(world)) &&
           knc_threat_is_in_combat(world, entity);
}

bool knc_threat_is_in_combat(const kn_world *world, kn_entity_id entity)
{
    const pairs_state *state = kn_component_read(world, ids_of(world)->pairs, entity);
    return entity.index1 != 0 && state != NULL && state->count > 0;
}

uint32_t kn_combat_opponents(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity)
{
    if (!kn_combat_in_combat(world, entity)) {
        return 0;
    }
    const threat_ids *ids = ids_of(world);
    uint32_t count;
    const pair_item *items = kn_component_read_items(world, ids->pairs, entity, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = items[i].other;
    }
    const pairs_state *state = kn_component_read(world, ids->pairs, entity);
    uint32_t total = state->count;
    if (capacity <= count || total == count) {
        return total;
    }
    kn_component_referrer page[64], last = {0};
    uint32_t found = 64;
    for (bool is_first = true; found >= 64 && count < capacity; is_first = false) {
        found = kn_component_referrers_after(
            world, ids->pairs, 0, entity, is_first ? NULL : &last, page, 64);
        for (uint32_t i = 0; i < found && i < 64 && count < capacity; i++) {
            out[count++] = page[i].entity;
            last = page[i];
        }
    }
    return total;
}

// Registration --------------------------------------------------------------------------

static const kn_field pair_event_fields[] = {
    KN_FIELD(kn_combat_pair, other, KN_FIELD_ENTITY),
};

static kn_result pair_event_register(kn_library *library, const char *name, const char *text,
    kn_custom_event_id *id, kn_error *error)
{
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = name;
    event.size = sizeof(kn_combat_pair);
    event.fields = pair_event_fields;
    event.field_count = 1;
    event.text = text;
    return kn_custom_event_register(library, &event, id, error);
}

kn_result knc_pairs_register(kn_library *library, threat_ids *ids, kn_error *error)
{
    static const char *const tag = "Knack.InCombat";
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Combat";
    def.size = sizeof(pairs_state);
    def.fields = pairs_fields;
    def.field_count = sizeof(pairs_fields) / sizeof(*pairs_fields);
    def.item_size = sizeof(pair_item);
    def.item_fields = pair_fields;
    def.item_field_count = sizeof(pair_fields) / sizeof(*pair_fields);
    def.references = pairs_references;
    def.reference_count = 1;
    def.removed = pairs_removed;
    def.user = ids;
    kn_result result = knc_combat_tags_register(library, &tag, 1, &ids->in_combat, error);
    result = result != KN_OK ? result : kn_component_register(library, &def, &ids->pairs, error);
    result = result != KN_OK ? result
                             : kn_timer_type_register(library, "Knack.Combat", pairs_timer, ids,
                                   &ids->pairs_timer, error);
    result = result != KN_OK ? result
                             : pair_event_register(library, "Knack.CombatStarted",
                                   "is in combat with {other}", &ids->started, error);
    return result != KN_OK ? result
                           : pair_event_register(library, "Knack.CombatEnded",
                                 "is out of combat with {other}", &ids->ended, error);
}
