// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Threat tables. The items of a table are in the order in which they came. The target is part of
// the state and kept up to date: more threat for somebody is compared with that of the target
// alone, and only what may change the target looks at the whole table.

#include "parts.h"

#include <float.h>
#include <math.h>

// Tables ------------------------------------------------------------------------------

typedef struct threat_table {
    kn_entity_id target;
    kn_entity_id taunter; // null: nobody
    kn_entity_id fixed;   // null: on nobody
    kn_time taunt_until, fixed_until;
    kn_timer_id timer; // for the next of these, and of those of the items
    uint32_t place1;   // item of the target + 1
    uint32_t unused;
} threat_table;

typedef struct threat_item {
    kn_entity_id entity;
    kn_time suppressed_until; // 0: it is not
    float threat;
    uint32_t unused;
} threat_item;

static const kn_field table_fields[] = {
    KN_FIELD(threat_table, target, KN_FIELD_ENTITY),
    KN_FIELD(threat_table, taunter, KN_FIELD_ENTITY),
    KN_FIELD(threat_table, fixed, KN_FIELD_ENTITY),
    KN_FIELD(threat_table, taunt_until, KN_FIELD_TIME),
    KN_FIELD(threat_table, fixed_until, KN_FIELD_TIME),
    KN_FIELD(threat_table, timer, KN_FIELD_TIMER),
    KN_FIELD(threat_table, place1, KN_FIELD_U32),
    KN_FIELD(threat_table, unused, KN_FIELD_U32),
};
static const kn_field item_fields[] = {
    KN_FIELD(threat_item, entity, KN_FIELD_ENTITY),
    KN_FIELD(threat_item, suppressed_until, KN_FIELD_TIME),
    KN_FIELD(threat_item, threat, KN_FIELD_F32),
    KN_FIELD(threat_item, unused, KN_FIELD_U32),
};
static const kn_component_reference table_references[] = {
    {.field = "entity", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE},
};

// Where the threat of an entity goes.
typedef struct threat_redirect {
    kn_entity_id to;
    kn_time until;
    float share;
    uint32_t unused;
} threat_redirect;

static const kn_field redirect_fields[] = {
    KN_FIELD(threat_redirect, to, KN_FIELD_ENTITY),
    KN_FIELD(threat_redirect, until, KN_FIELD_TIME),
    KN_FIELD(threat_redirect, share, KN_FIELD_F32),
    KN_FIELD(threat_redirect, unused, KN_FIELD_U32),
};
static const kn_component_reference redirect_references[] = {
    {.field = "to", .when_destroyed = KN_REFERENCE_REMOVE},
};

static const threat_ids *ids_of(const kn_world *world)
{
    return &knc_combat_of_world(world)->threat;
}

static const threat_table *table_read(const kn_world *world, kn_entity_id owner)
{
    return owner.index1 != 0 ? kn_component_read(world, ids_of(world)->table, owner) : NULL;
}

static const threat_item *items_read(const kn_world *world, kn_entity_id owner, uint32_t *count)
{
    return kn_component_read_items(world, ids_of(world)->table, owner, count);
}

#define ITEM_NONE UINT32_MAX

static uint32_t items_find(const threat_item *items, uint32_t count, kn_entity_id entity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].entity.index1 == entity.index1 &&
            items[i].entity.generation == entity.generation) {
            return i;
        }
    }
    return ITEM_NONE;
}

static uint32_t item_find(const kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    uint32_t count;
    const threat_item *items = items_read(world, owner, &count);
    return items_find(items, count, entity);
}

static threat_item *item_get(kn_world *world, kn_entity_id owner, uint32_t index)
{
    return (threat_item *)kn_component_items(world, ids_of(world)->table, owner, NULL) + index;
}

// Choosing ------------------------------------------------------------------------------

static bool is_near(const kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    const kn_combat_def *rules = knc_combat_rules_of(world);
    const kn_space *space = kn_world_space(world);
    kn_vec3 a, b;
    if (space != NULL && kn_space_position(space, world, owner, &a) &&
        kn_space_position(space, world, entity, &b)) {
        float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        return x * x + y * y + z * z <= rules->near_distance * rules->near_distance;
    }
    return rules->far.index1 == 0 || !kn_entity_has_tag(world, entity, rules->far);
}

// 0: it cannot be the target; 1: only if nobody else can; 2: it can.
static int item_choice(const kn_world *world, const threat_item *item)
{
    if (kn_combat_is_dead(world, item->entity) || !kn_entity_is_alive(world, item->entity)) {
        return 0;
    }
    return item->suppressed_until > kn_world_now(world) ? 1 : 2;
}

// The item with the most threat of the best choice; ITEM_NONE if there is none.
static uint32_t choose_highest(
    const kn_world *world, const threat_item *items, uint32_t count, int *choice)
{
    uint32_t best = ITEM_NONE;
    *choice = 0;
    for (uint32_t i = 0; i < count; i++) {
        int own = item_choice(world, &items[i]);
        if (own > *choice || (own > 0 && own == *choice && items[i].threat > items[best].threat)) {
            best = i;
            *choice = own;
        }
    }
    return best;
}

// The item with the most threat that has enough of it to replace the target `at`.
static uint32_t choose_stronger(const kn_world *world, kn_entity_id owner, const threat_item *items,
    uint32_t count, uint32_t at, int choice)
{
    const kn_combat_def *rules = knc_combat_rules_of(world);
    uint32_t best = at;
    for (uint32_t i = 0; i < count; i++) {
        float factor =
            is_near(world, owner, items[i].entity) ? rules->switch_near : rules->switch_far;
        if (i != at && items[i].threat > items[at].threat * factor &&
            (best == at || items[i].threat > items[best].threat) &&
            item_choice(world, &items[i]) == choice) {
            best = i;
        }
    }
    return best;
}

static uint32_t table_choose(const kn_world *world, kn_entity_id owner)
{
    const threat_table *table = table_read(world, owner);
    kn_entity_id forced = table->fixed.index1 != 0 ? table->fixed : table->taunter;
    uint32_t count;
    const threat_item *items = items_read(world, owner, &count);
    if (forced.index1 != 0) {
        uint32_t index = item_find(world, owner, forced);
        if (index != ITEM_NONE && item_choice(world, &items[index]) > 0) {
            return index;
        }
    }
    int choice;
    uint32_t highest = choose_highest(world, items, count, &choice);
    uint32_t at = table->target.index1 != 0 ? item_find(world, owner, table->target) : ITEM_NONE;
    if (highest == ITEM_NONE || at == ITEM_NONE || item_choice(world, &items[at]) < choice) {
        return highest;
    }
    return choose_stronger(world, owner, items, count, at, choice);
}

static void table_update(kn_world *world, kn_entity_id owner)
{
    const threat_ids *ids = ids_of(world);
    const threat_table *table = table_read(world, owner);
    if (table == NULL) {
        return;
    }
    uint32_t index = table_choose(world, owner);
    kn_target_changed event = {.old_target = table->target};
    if (index != ITEM_NONE) {
        event.target = items_read(world, owner, NULL)[index].entity;
    }
    threat_table *own = kn_component_get(world, ids->table, owner);
    own->place1 = index != ITEM_NONE ? index + 1 : 0;
    own->target = event.target;
    if (!kn_entity_id_equal(event.target, event.old_target)) {
        (void)kn_world_publish(world, owner, ids->target_changed, &event);
    }
}

// Time ----------------------------------------------------------------------------------

static kn_time earlier(kn_time a, kn_time b)
{
    return a < b ? a : b;
}

static kn_time table_next(const kn_world *world, kn_entity_id owner)
{
    const threat_table *table = table_read(world, owner);
    kn_time now = kn_world_now(world);
    kn_time next = KN_TIME_INFINITE;
    next = table->taunter.index1 != 0 ? earlier(next, table->taunt_until) : next;
    next = table->fixed.index1 != 0 ? earlier(next, table->fixed_until) : next;
    uint32_t count;
    const threat_item *items = items_read(world, owner, &count);
    for (uint32_t i = 0; i < count; i++) {
        next = items[i].suppressed_until > now ? earlier(next, items[i].suppressed_until) : next;
    }
    return next;
}

static kn_result table_arm(kn_world *world, kn_entity_id owner)
{
    const threat_ids *ids = ids_of(world);
    threat_table *table = kn_component_get(world, ids->table, owner);
    (void)kn_timer_cancel(world, table->timer);
    table->timer = (kn_timer_id){0};
    kn_time next = table_next(world, owner);
    if (next == KN_TIME_INFINITE) {
        return KN_OK;
    }
    kn_timer_id timer;
    kn_time now = kn_world_now(world);
    kn_result result =
        kn_timer_start(world, ids->table_timer, owner, next > now ? next - now : 0, NULL, &timer);
    table = kn_component_get(world, ids->table, owner);
    if (result == KN_OK && table != NULL) {
        table->timer = timer;
    }
    return result;
}

static kn_time table_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const threat_ids *ids = user;
    threat_table *table = kn_component_get(world, ids->table, entity);
    kn_time now = kn_world_now(world);
    (void)data;
    if (table == NULL) {
        return 0;
    }
    table->timer = (kn_timer_id){0};
    if (table->taunt_until <= now) {
        table->taunter = (kn_entity_id){0};
    }
    if (table->fixed_until <= now) {
        table->fixed = (kn_entity_id){0};
    }
    table_update(world, entity);
    (void)table_arm(world, entity);
    return 0;
}

// Entries ---------------------------------------------------------------------------------

// True if an increase for an entry cannot change the target.
static bool item_stays_below(const kn_world *world, const kn_combat_def *rules,
    const threat_table *table, const threat_item *items, const threat_item *item)
{
    if (table->place1 == 0) {
        return false;
    }
    const threat_item *target = &items[table->place1 - 1];
    kn_entity_id forced = table->fixed.index1 != 0 ? table->fixed : table->taunter;
    if (item == target || kn_entity_id_equal(forced, target->entity)) {
        return true; // a taunt of the dead forces nobody
    }
    float factor = rules->switch_near < rules->switch_far ? rules->switch_near : rules->switch_far;
    return target->suppressed_until <= kn_world_now(world) &&
           item->threat <= target->threat * factor;
}

static kn_result item_add(kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    kn_component_type_id type = ids_of(world)->table;
    kn_result result = knc_pair_start(world, entity, owner);
    if (result != KN_OK) {
        return result;
    }
    if (knc_combat_rules_of(world)->threat_keeps_combat) {
        knc_pair_hold(world, entity, owner);
    }
    uint32_t count;
    (void)items_read(world, owner, &count);
    threat_item *items = kn_component_resize(world, type, owner, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count] = (threat_item){.entity = entity};
    return KN_OK;
}

// Changes an entry by `amount`, or sets it; it is added if it is not there.
static kn_result item_put(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, float amount, bool is_sum)
{
    const combat *kit = knc_combat_of_world(world);
    kn_component_type_id type = kit->threat.table;
    uint32_t count;
    threat_item *items = kn_component_items(world, type, owner, &count);
    uint32_t index = items_find(items, count, entity);
    if (index == ITEM_NONE) {
        kn_result result = item_add(world, owner, entity);
        if (result != KN_OK) {
            return result;
        }
        items = kn_component_items(world, type, owner, &count);
        index = count - 1;
    }
    threat_item *item = &items[index];
    float old = item->threat;
    float threat = is_sum ? old + amount : amount;
    threat = threat > 0.0f ? threat : 0.0f;
    item->threat = threat < FLT_MAX ? threat : FLT_MAX;
    const threat_table *table = kn_component_read(world, type, owner);
    if (item->threat < old || !item_stays_below(world, kit->rules, table, items, item)) {
        table_update(world, owner);
    }
    return KN_OK;
}

static void item_drop(kn_world *world, kn_entity_id owner, uint32_t index)
{
    kn_component_type_id type = ids_of(world)->table;
    uint32_t count;
    threat_item *items = kn_component_items(world, type, owner, &count);
    threat_table *table = kn_component_get(world, type, owner);
    kn_entity_id entity = items[index].entity;
    for (uint32_t i = index; i + 1 < count; i++) {
        items[i] = items[i + 1];
    }
    if (kn_entity_id_equal(table->taunter, entity)) {
        table->taunter = (kn_entity_id){0};
    }
    if (kn_entity_id_equal(table->fixed, entity)) {
        table->fixed = (kn_entity_id){0};
    }
    (void)kn_component_resize(world, type, owner, count - 1);
}

bool knc_threat_forget(kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    uint32_t index = table_read(world, owner) != NULL ? item_find(world, owner, entity) : ITEM_NONE;
    if (index == ITEM_NONE) {
        return false;
    }
    kn_threat_cleared event = {entity};
    item_drop(world, owner, index);
    (void)kn_world_publish(world, owner, ids_of(world)->cleared, &event);
    table_update(world, owner);
    return true;
}

// Threat that somebody causes ----------------------------------------------------------------

// Gives an entity a table if the rules say that it keeps one.
static bool table_exists(kn_world *world, const combat *kit, kn_entity_id owner)
{
    kn_tag tag = kit->rules->threat_tag;
    if (kn_component_read(world, kit->threat.table, owner) != NULL) {
        return true;
    }
    return tag.index1 != 0 && kn_entity_has_tag(world, owner, tag) &&
           kn_component_add(world, kit->threat.table, owner) != NULL;
}

// Modifiers and gates. A gate that refuses is found without running the event: only then it runs,
// so that observers see it.
static kn_result threat_modify(kn_world *world, const threat_ids *ids, kn_entity_id owner,
    kn_entity_id entity, kn_tags tags, float *amount)
{
    kn_event_record record = kn_event_record_default();
    record.kind = ids->kind;
    record.instigator = entity;
    record.target = owner;
    record.tags = tags;
    record.magnitude = *amount;
    *amount = kn_value_evaluate(world, entity, ids->done, *amount, &record, false);
    record.magnitude = *amount;
    return kn_event_vetoes(world, &record, NULL, 0) == 0 ? KN_OK
                                                         : kn_event_run(world, &record, NULL);
}

// The part of the threat of `entity` that goes to somebody else, who is in `*to` then.
static float threat_redirected(kn_world *world, const threat_ids *ids, kn_entity_id owner,
    kn_entity_id entity, kn_entity_id *to)
{
    const threat_redirect *redirect = kn_component_read(world, ids->redirect, entity);
    if (redirect == NULL || redirect->until <= kn_world_now(world) ||
        knc_pair_check(world, owner, redirect->to) != KN_OK) {
        return 0.0f;
    }
    *to = redirect->to;
    return redirect->share;
}

// Threat from a hit or a call; `owner` has a table, and both can fight.
static kn_result threat_cause(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, kn_tags tags, float amount)
{
    const threat_ids *ids = ids_of(world);
    kn_result result = threat_modify(world, ids, owner, entity, tags, &amount);
    if (result != KN_OK) {
        return result;
    }
    kn_entity_id to = {0};
    float share = threat_redirected(world, ids, owner, entity, &to);
    if (share > 0.0f) {
        result = item_put(world, owner, to, amount * share, true);
    }
    return result != KN_OK ? result : item_put(world, owner, entity, amount * (1.0f - share), true);
}

// Those who have an entity in their table, by slot. It is found page by page, so that what happens
// between two of them does not matter.
bool knc_owner_next(const kn_world *world, knc_owner_walk *walk, kn_entity_id *owner)
{
    if (walk->next == walk->count) {
        bool is_first = walk->count == 0;
        if (!is_first && walk->count < sizeof(walk->page) / sizeof(*walk->page)) {
            return false;
        }
        kn_component_referrer last = walk->page[is_first ? 0 : walk->count - 1];
        uint32_t count = kn_component_referrers_after(world, ids_of(world)->table, 0, walk->entity,
            is_first ? NULL : &last, walk->page, sizeof(walk->page) / sizeof(*walk->page));
        uint32_t most = sizeof(walk->page) / sizeof(*walk->page);
        walk->count = count < most ? count : most;
        walk->next = 0;
    }
    if (walk->next == walk->count) {
        return false;
    }
    *owner = walk->page[walk->next++].entity;
    return true;
}

// What a hit causes in the tables of others who fight the target, divided among them.
static void threat_assist(kn_world *world, const kn_hit *hit, float amount)
{
    knc_owner_walk walk = {.entity = hit->target};
    kn_entity_id owner;
    uint32_t able = 0;
    while (knc_owner_next(world, &walk, &owner)) {
        able += knc_pair_check(world, owner, hit->source) == KN_OK;
    }
    walk = (knc_owner_walk){.entity = hit->target};
    while (able > 0 && knc_owner_next(world, &walk, &owner)) {
        if (knc_pair_check(world, owner, hit->source) == KN_OK &&
            threat_cause(world, owner, hit->source, kn_hit_tags(hit), amount / (float)able) ==
                KN_OK) {
            (void)knc_pair_start(world, hit->source, owner);
        }
    }
}

static void threat_damage(kn_world *world, const combat *kit, const kn_hit *hit)
{
    bool begins = (hit->flags & KN_HIT_NO_COMBAT) == 0;
    if (begins && knc_pair_start(world, hit->source, hit->target) != KN_OK) {
        return;
    }
    if ((hit->flags & KN_HIT_NO_THREAT) != 0) {
        return;
    }
    if (table_exists(world, kit, hit->target) &&
        (begins || kn_threat_has(world, hit->target, hit->source))) {
        (void)threat_cause(world, hit->target, hit->source, kn_hit_tags(hit),
            hit->dealt * kit->rules->threat_per_damage);
    }
    // Who attacks somebody has him in its table.
    if (begins && table_exists(world, kit, hit->source) &&
        !kn_threat_has(world, hit->source, hit->target)) {
        (void)item_put(world, hit->source, hit->target, 0.0f, true);
    }
}

void knc_threat_hit(kn_world *world, const kn_hit *hit)
{
    const combat *kit = knc_combat_of_world(world);
    bool is_own = kn_entity_id_equal(hit->source, hit->target); // a heal of oneself is threat too
    // What the hit has set off so far may have been the death of either.
    if ((is_own && hit->kind == KN_HIT_DAMAGE) || (hit->flags & KN_HIT_KILLED) != 0 ||
        !knc_pair_can_fight(world, kit->rules, hit->source) ||
        !knc_pair_can_fight(world, kit->rules, hit->target)) {
        return;
    }
    if (hit->kind == KN_HIT_DAMAGE) {
        threat_damage(world, kit, hit);
    } else if ((hit->flags & (KN_HIT_NO_THREAT | KN_HIT_NO_COMBAT)) == 0 && hit->dealt > 0.0f) {
        threat_assist(world, hit, hit->dealt * kit->rules->threat_per_healing);
    }
}

void knc_threat_died(kn_world *world, kn_entity_id entity)
{
    if (!knc_combat_rules_of(world)->dead_keep_threat) {
        knc_pairs_end(world, entity);
        return;
    }
    knc_owner_walk walk = {.entity = entity};
    kn_entity_id owner;
    while (knc_owner_next(world, &walk, &owner)) {
        table_update(world, owner);
    }
}

// Calls -----------------------------------------------------------------------------------------

typedef enum threat_op {
    THREAT_ADD,
    THREAT_SET,
    THREAT_SCALE,
    THREAT_REMOVE,
    THREAT_CLEAR,
    THREAT_LEAVE,
    THREAT_TAUNT,
    THREAT_FIXATE,
    THREAT_SUPPRESS,
} threat_op;

typedef struct threat_call {
    threat_op op;
    kn_entity_id owner, entity;
    float number;
    kn_time until;
} threat_call;

static kn_result call_clear(kn_world *world, kn_entity_id owner)
{
    const threat_ids *ids = ids_of(world);
    threat_table *table = kn_component_get(world, ids->table, owner);
    kn_threat_cleared event = {{0}};
    table->taunter = table->fixed = (kn_entity_id){0};
    uint32_t count;
    const threat_item *items = items_read(world, owner, &count);
    (void)kn_world_publish(world, owner, ids->cleared, &event);
    while (count > 0) {
        kn_entity_id last = items[count - 1].entity;
        item_drop(world, owner, count - 1);
        knc_pair_release(world, owner, last);
        items = table_read(world, owner) != NULL ? items_read(world, owner, &count) : NULL;
        count = items != NULL ? count : 0;
    }
    if (table_read(world, owner) != NULL) {
        table_update(world, owner);
        return table_arm(world, owner);
    }
    return KN_OK;
}

static kn_result call_remove(kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    if (!knc_threat_forget(world, owner, entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    knc_pair_release(world, owner, entity);
    return KN_OK;
}

static kn_result call_leave(kn_world *world, kn_entity_id entity)
{
    kn_component_referrer place;
    while (kn_component_referrers(world, ids_of(world)->table, 0, entity, &place, 1) > 0) {
        (void)call_remove(world, place.entity, entity);
    }
    return KN_OK;
}

static kn_result call_action(kn_world *world, const threat_call *call)
{
    const threat_ids *ids = ids_of(world);
    kn_event_record record = kn_event_record_default();
    record.kind = ids->action;
    record.instigator = call->entity;
    record.target = call->owner;
    record.tags = (kn_tags){
        &ids->events[call->op == THREAT_TAUNT ? THREAT_EVENT_TAUNT : THREAT_EVENT_FIXATE], 1};
    return kn_event_run(world, &record, NULL);
}

static kn_result call_taunt(kn_world *world, const threat_call *call)
{
    int choice;
    uint32_t count;
    kn_result result = call_action(world, call);
    if (result != KN_OK) {
        return result;
    }
    const threat_item *items = items_read(world, call->owner, &count);
    uint32_t highest = choose_highest(world, items, count, &choice);
    float threat = highest != ITEM_NONE ? items[highest].threat : 0.0f;
    float own = kn_threat_get(world, call->owner, call->entity);
    result = item_put(world, call->owner, call->entity, threat > own ? threat : own, false);
    if (result != KN_OK) {
        return result;
    }
    threat_table *table = kn_component_get(world, ids_of(world)->table, call->owner);
    table->taunter = call->entity;
    table->taunt_until = call->until;
    table_update(world, call->owner);
    return table_arm(world, call->owner);
}

static kn_result call_fixate(kn_world *world, const threat_call *call)
{
    if (call->entity.index1 != 0) {
        kn_result result = call_action(world, call);
        result = result != KN_OK ? result : item_put(world, call->owner, call->entity, 0.0f, true);
        if (result != KN_OK) {
            return result;
        }
    }
    threat_table *table = kn_component_get(world, ids_of(world)->table, call->owner);
    table->fixed = call->entity;
    table->fixed_until = call->until;
    table_update(world, call->owner);
    return table_arm(world, call->owner);
}

static kn_result call_suppress(kn_world *world, const threat_call *call, uint32_t index)
{
    item_get(world, call->owner, index)->suppressed_until =
        call->until > kn_world_now(world) ? call->until : 0;
    table_update(world, call->owner);
    return table_arm(world, call->owner);
}

static kn_result threat_run(void *user, kn_world *world)
{
    const threat_call *call = user;
    uint32_t index = ITEM_NONE;
    if (call->op == THREAT_SCALE || call->op == THREAT_SUPPRESS) {
        index = item_find(world, call->owner, call->entity);
        if (index == ITEM_NONE) {
            return KN_REFUSED_NOT_FOUND;
        }
    }
    switch (call->op) {
    case THREAT_ADD:
        return call->number < 0.0f
                   ? item_put(world, call->owner, call->entity, call->number, true)
                   : threat_cause(world, call->owner, call->entity, (kn_tags){0}, call->number);
    case THREAT_SET:
        return item_put(world, call->owner, call->entity, call->number, false);
    case THREAT_SCALE:
        return item_put(world, call->owner, call->entity,
            items_read(world, call->owner, NULL)[index].threat * call->number, false);
    case THREAT_REMOVE:
        return call_remove(world, call->owner, call->entity);
    case THREAT_CLEAR:
        return call_clear(world, call->owner);
    case THREAT_LEAVE:
        return call_leave(world, call->entity);
    case THREAT_TAUNT:
        return call_taunt(world, call);
    case THREAT_FIXATE:
        return call_fixate(world, call);
    default:
        return call_suppress(world, call, index);
    }
}

// An owner with a table; it may be dead.
static kn_result owner_check(const kn_world *world, kn_entity_id owner)
{
    if (knc_combat_rules_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, owner)) {
        return KN_REFUSED_STALE_ID;
    }
    return table_read(world, owner) != NULL ? KN_OK : KN_REFUSED_NOT_FOUND;
}

// Calls that put an entity into a table.
static kn_result threat_call_run(kn_world *world, threat_call call)
{
    kn_result result = knc_pair_check(world, call.owner, call.entity);
    if (result == KN_OK && !table_exists(world, knc_combat_of_world(world), call.owner)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    return result != KN_OK ? result : kn_world_call(world, threat_run, &call);
}

kn_result kn_threat_add(kn_world *world, kn_entity_id owner, kn_entity_id entity, float amount)
{
    threat_call call = {THREAT_ADD, owner, entity, amount, 0};
    return isfinite(amount) ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_threat_set(kn_world *world, kn_entity_id owner, kn_entity_id entity, float threat)
{
    threat_call call = {THREAT_SET, owner, entity, threat, 0};
    bool is_number = threat >= 0.0f && isfinite(threat);
    return is_number ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_threat_scale(kn_world *world, kn_entity_id owner, kn_entity_id entity, float factor)
{
    threat_call call = {THREAT_SCALE, owner, entity, factor, 0};
    bool is_number = factor >= 0.0f && isfinite(factor);
    return is_number ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_threat_remove(kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    threat_call call = {THREAT_REMOVE, owner, entity, 0.0f, 0};
    kn_result result = owner_check(world, owner);
    return result != KN_OK ? result : kn_world_call(world, threat_run, &call);
}

kn_result kn_threat_clear(kn_world *world, kn_entity_id owner)
{
    threat_call call = {.op = THREAT_CLEAR, .owner = owner};
    kn_result result = owner_check(world, owner);
    return result != KN_OK ? result : kn_world_call(world, threat_run, &call);
}

kn_result kn_threat_leave(kn_world *world, kn_entity_id entity)
{
    threat_call call = {.op = THREAT_LEAVE, .entity = entity};
    kn_result result = owner_check(world, entity);
    return result != KN_OK && result != KN_REFUSED_NOT_FOUND
               ? result
               : kn_world_call(world, threat_run, &call);
}

kn_result kn_threat_taunt(kn_world *world, kn_entity_id owner, kn_entity_id by, kn_time duration)
{
    threat_call call = {THREAT_TAUNT, owner, by, 0.0f, knc_pair_until(world, duration)};
    return duration >= 0 ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_threat_fixate(kn_world *world, kn_entity_id owner, kn_entity_id on, kn_time duration)
{
    threat_call call = {THREAT_FIXATE, owner, on, 0.0f, knc_pair_until(world, duration)};
    if (on.index1 != 0) {
        return duration > 0 ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = owner_check(world, owner);
    return result != KN_OK ? result : kn_world_call(world, threat_run, &call);
}

kn_result kn_threat_suppress(
    kn_world *world, kn_entity_id owner, kn_entity_id entity, kn_time duration)
{
    threat_call call = {THREAT_SUPPRESS, owner, entity, 0.0f, knc_pair_until(world, duration)};
    return duration >= 0 ? threat_call_run(world, call) : KN_REFUSED_BAD_NUMBER;
}

static kn_result update_run(void *user, kn_world *world)
{
    table_update(world, *(const kn_entity_id *)user);
    return KN_OK;
}

kn_result kn_threat_update(kn_world *world, kn_entity_id owner)
{
    kn_result result = owner_check(world, owner);
    return result != KN_OK ? result : kn_world_call(world, update_run, &owner);
}

kn_result kn_threat_begin(kn_world *world, kn_entity_id owner)
{
    kn_result result = owner_check(world, owner);
    if (result != KN_REFUSED_NOT_FOUND) {
        return result;
    }
    if (kn_entity_is_dying(world, owner)) {
        return KN_REFUSED_DYING;
    }
    if (kn_component_add(world, ids_of(world)->table, owner) != NULL) {
        return KN_OK;
    }
    return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
}

static kn_result redirect_check(
    const kn_world *world, kn_entity_id from, kn_entity_id to, float share, kn_time duration)
{
    if (knc_combat_rules_of(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, from) || (share > 0.0f && !kn_entity_is_alive(world, to))) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_id_equal(from, to)) {
        return KN_REFUSED_DUPLICATE;
    }
    if (!(share >= 0.0f && share <= 1.0f) || (share > 0.0f && duration <= 0)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return kn_entity_is_dying(world, from) ? KN_REFUSED_DYING : KN_OK;
}

kn_result kn_threat_redirect(
    kn_world *world, kn_entity_id from, kn_entity_id to, float share, kn_time duration)
{
    kn_result result = redirect_check(world, from, to, share, duration);
    if (result != KN_OK) {
        return result;
    }
    kn_component_type_id type = ids_of(world)->redirect;
    if (share <= 0.0f) {
        (void)kn_component_remove(world, type, from);
        return KN_OK;
    }
    threat_redirect *redirect = kn_component_add(world, type, from);
    if (redirect == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    *redirect =
        (threat_redirect){.to = to, .until = knc_pair_until(world, duration), .share = share};
    return KN_OK;
}

// Looking at it -----------------------------------------------------------------------------------

static const threat_table *table_look(const kn_world *world, kn_entity_id owner)
{
    bool is_there = world != NULL && kn_combat_is_there(kn_world_library(world));
    return is_there ? table_read(world, owner) : NULL;
}

bool kn_threat_has_table(const kn_world *world, kn_entity_id owner)
{
    return table_look(world, owner) != NULL;
}

float kn_threat_get(const kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    uint32_t index = table_look(world, owner) != NULL ? item_find(world, owner, entity) : ITEM_NONE;
    return index != ITEM_NONE ? items_read(world, owner, NULL)[index].threat : 0.0f;
}

bool kn_threat_has(const kn_world *world, kn_entity_id owner, kn_entity_id entity)
{
    return table_look(world, owner) != NULL && item_find(world, owner, entity) != ITEM_NONE;
}

kn_entity_id kn_threat_target(const kn_world *world, kn_entity_id owner)
{
    const threat_table *table = table_look(world, owner);
    return table != NULL ? table->target : (kn_entity_id){0};
}

static bool entry_is_before(const kn_threat_entry *a, const kn_threat_entry *b)
{
    return a->is_suppressed != b->is_suppressed ? b->is_suppressed : a->threat > b->threat;
}

uint32_t kn_threat_list(
    const kn_world *world, kn_entity_id owner, kn_threat_entry *out, uint32_t capacity)
{
    const threat_table *table = table_look(world, owner);
    uint32_t count = 0, filled = 0;
    const threat_item *items = table != NULL ? items_read(world, owner, &count) : NULL;
    for (uint32_t i = 0; i < count && capacity > 0; i++) {
        kn_threat_entry entry = {.entity = items[i].entity,
            .threat = items[i].threat,
            .is_target = i + 1 == table->place1,
            .is_suppressed = items[i].suppressed_until > kn_world_now(world),
            .is_taunting = kn_entity_id_equal(items[i].entity, table->taunter),
            .is_fixed = kn_entity_id_equal(items[i].entity, table->fixed)};
        uint32_t at = filled < capacity ? filled++ : capacity;
        for (; at > 0 && entry_is_before(&entry, &out[at - 1]); at--) {
            if (at < capacity) {
                out[at] = out[at - 1];
            }
        }
        if (at < capacity) {
            out[at] = entry;
        }
    }
    return count;
}

uint32_t kn_threat_owners(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity)
{
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return 0;
    }
    knc_owner_walk walk = {.entity = entity};
    for (uint32_t i = 0; i < capacity && knc_owner_next(world, &walk, &out[i]); i++) {
    }
    return kn_component_referrers(world, ids_of(world)->table, 0, entity, NULL, 0);
}

// Registration
// --------------------------------------------------------------------------------------

// A table that is removed keeps nobody in combat any more.
static void table_removed(void *user, const kn_component_call *call)
{
    const threat_ids *ids = user;
    uint32_t count;
    const threat_item *items =
        kn_component_read_items(call->world, ids->table, call->entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        knc_pair_release(call->world, call->entity, items[i].entity);
        items = kn_component_read_items(call->world, ids->table, call->entity, &count);
    }
    const threat_table *table = kn_component_read(call->world, ids->table, call->entity);
    if (table != NULL) {
        (void)kn_timer_cancel(call->world, table->timer);
    }
}

static kn_result components_register(kn_library *library, threat_ids *ids, kn_error *error)
{
    kn_component_def table = kn_component_def_default();
    table.name = "Knack.Threat";
    table.size = sizeof(threat_table);
    table.fields = table_fields;
    table.field_count = sizeof(table_fields) / sizeof(*table_fields);
    table.item_size = sizeof(threat_item);
    table.item_fields = item_fields;
    table.item_field_count = sizeof(item_fields) / sizeof(*item_fields);
    table.references = table_references;
    table.reference_count = 1;
    table.removed = table_removed;
    table.user = ids;
    kn_component_def redirect = kn_component_def_default();
    redirect.name = "Knack.ThreatRedirect";
    redirect.size = sizeof(threat_redirect);
    redirect.fields = redirect_fields;
    redirect.field_count = sizeof(redirect_fields) / sizeof(*redirect_fields);
    redirect.references = redirect_references;
    redirect.reference_count = 1;
    kn_result result = kn_component_register(library, &table, &ids->table, error);
    result =
        result != KN_OK ? result : kn_component_register(library, &redirect, &ids->redirect, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.Threat", table_timer, ids,
                                 &ids->table_timer, error);
}

static kn_result kinds_register(kn_library *library, threat_ids *ids, kn_error *error)
{
    static const char *const names[] = {"Knack.Threat", "Knack.ThreatAction"};
    kn_tag tags[2];
    kn_value_def value = kn_value_def_default();
    value.name = "Knack.ThreatDone";
    kn_result result = knc_combat_tags_register(library, names, 2, tags, error);
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->done, error);
    for (uint32_t i = 0; result == KN_OK && i < 2; i++) {
        kn_event_kind_def kind = kn_event_kind_def_default();
        kind.name = names[i];
        kind.tag = tags[i];
        result = kn_event_kind_register(library, &kind, i == 0 ? &ids->kind : &ids->action, error);
    }
    return result;
}

static const kn_field changed_fields[] = {
    KN_FIELD(kn_target_changed, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_target_changed, old_target, KN_FIELD_ENTITY),
};
static const kn_field cleared_fields[] = {
    KN_FIELD(kn_threat_cleared, entity, KN_FIELD_ENTITY),
};

static kn_result events_register(kn_library *library, threat_ids *ids, kn_error *error)
{
    kn_custom_event_def changed = kn_custom_event_def_default();
    changed.name = "Knack.TargetChanged";
    changed.size = sizeof(kn_target_changed);
    changed.fields = changed_fields;
    changed.field_count = 2;
    changed.text = "attacks {target} instead of {old_target}";
    kn_custom_event_def cleared = kn_custom_event_def_default();
    cleared.name = "Knack.ThreatCleared";
    cleared.size = sizeof(kn_threat_cleared);
    cleared.fields = cleared_fields;
    cleared.field_count = 1;
    cleared.text = "forgets the threat of {entity}";
    kn_result result = kn_custom_event_register(library, &changed, &ids->target_changed, error);
    return result != KN_OK ? result
                           : kn_custom_event_register(library, &cleared, &ids->cleared, error);
}

kn_result knc_threat_part_register(kn_library *library, combat *kit, kn_error *error)
{
    threat_ids *ids = &kit->threat;
    kn_result result = components_register(library, ids, error);
    result = result != KN_OK ? result : kinds_register(library, ids, error);
    result = result != KN_OK ? result : events_register(library, ids, error);
    result = result != KN_OK ? result : knc_pairs_register(library, ids, error);
    return result != KN_OK ? result : knc_threat_rules_register(library, kit, error);
}
