// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Automatic orders: what a unit does by itself while its current order allows it. A timer of the
// unit checks from time to time, so that units cost nothing in between; first checks are spread
// over the interval. What wakes a unit starts another timer, so that a unit that is woken again and
// again, by what it does itself too, looks only once in a while.

#include "parts.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

typedef enum auto_flag {
    AUTO_FOR_PLAYERS = 1 << 0,
    AUTO_FOR_AI = 1 << 1,
    AUTO_ON = 1 << 2, // by the player
} auto_flag;

typedef struct auto_item {
    kn_order_auto order;
    uint32_t flags; // auto_flag
} auto_item;

typedef struct auto_list {
    kn_timer_id timer;   // null: it is not polled
    kn_timer_id wake;    // of a look that something woke it for; null: nothing did
    uint32_t opened_for; // ticket of the order during which a player switched something on
} auto_list;

static const auto_item *items_read(const kn_world *world, kn_entity_id unit, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, knc_order_kit_of_world(world)->autos, unit, count);
}

static const kn_unit_type_def *own_def(const kn_world *world, kn_entity_id unit)
{
    return kn_def_get(kn_world_library(world), knc_order_kit_of_world(world)->unit_kind,
        kn_unit_get_type(world, unit).index1);
}

static const auto_item *item_find(
    const kn_world *world, kn_entity_id unit, kn_order_type_id type, int32_t index)
{
    uint32_t count;
    const auto_item *items = items_read(world, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].order.type.index1 == type.index1 && items[i].order.index == index) {
            return &items[i];
        }
    }
    return NULL;
}

// When they look ----------------------------------------------------------------------

// When a unit looks for the first time: spread over the interval, however many are created at once.
// A few neighbours come one after the other, since they are neighbours in memory, too.
static kn_time phase_of(kn_entity_id unit, kn_time interval)
{
    const uint32_t row = 16;
    const uint32_t mixed = unit.index1 / row * UINT32_C(2654435761);
    const uint64_t most = (uint64_t)(interval < KN_S(3600) ? interval : KN_S(3600));
    return (kn_time)((mixed >> 8) * most >> 24) + unit.index1 % row;
}

static bool is_polled(const kn_unit_type_def *def)
{
    return def->auto_interval != 0 && def->auto_interval != KN_TIME_INFINITE;
}

static const kn_unit_type_def *def_of(
    const kn_world *world, const order_kit *kit, kn_entity_id unit)
{
    const unit_orders *orders = kn_component_read(world, kit->orders, unit);
    return orders != NULL ? knc_order_unit_of(kit, orders->unit) : NULL;
}

static bool has_tag(kn_tags tags, uint32_t index1)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (index1 == 0 || tags.data[i].index1 == index1) {
            return true;
        }
    }
    return false;
}

// Whether a tag wakes a unit; with 0, whether any does.
static bool is_woken_by(const kn_world *world, const order_kit *kit, const kn_unit_type_def *def,
    kn_entity_id unit, uint32_t index1)
{
    uint32_t count = 0;
    const auto_item *items = kn_component_read_items(world, kit->autos, unit, &count);
    bool is_woken = has_tag(def->auto_wakes, index1);
    for (uint32_t i = 0; !is_woken && i < count; i++) {
        const type_plan *plan = knc_order_plan_of(kit, items[i].order.type);
        is_woken = plan != NULL && has_tag(plan->def->auto_wakes, index1);
    }
    return is_woken;
}

// The unit looks soon, if it does not do so already.
static void wake(
    kn_world *world, const order_kit *kit, const kn_unit_type_def *def, kn_entity_id unit)
{
    static const uint8_t data[KN_TIMER_DATA_SIZE] = {1};
    const auto_list *list = kn_component_read(world, kit->autos, unit);
    if (list == NULL || kn_timer_is_alive(world, list->wake)) {
        return;
    }
    const kn_time half = def->auto_delay / 2, late = half + phase_of(unit, half);
    kn_time delay = late < def->auto_delay ? late : def->auto_delay;
    kn_timer_id timer;
    if (kn_timer_start(world, kit->auto_timer, unit, delay > 0 ? delay : 1, data, &timer) ==
        KN_OK) {
        ((auto_list *)kn_component_get(world, kit->autos, unit))->wake = timer;
    }
}

// Wakes a unit that only looks when it is woken: something about it has changed.
static void armed_wake(kn_world *world, const order_kit *kit, kn_entity_id unit)
{
    const kn_unit_type_def *def = def_of(world, kit, unit);
    if (def != NULL && !is_polled(def) && is_woken_by(world, kit, def, unit, 0)) {
        wake(world, kit, def, unit);
    }
}

void knc_order_autos_follow(kn_world *world, kn_entity_id unit, kn_order_type_id current)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = knc_order_plan_of(kit, current);
    if (plan == NULL || plan->def->allows_auto) {
        armed_wake(world, kit, unit);
    }
}

// A tag that wakes some units is gained or lost, or came with an event.
static void wake_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const uint32_t index1 = (uint32_t)(uintptr_t)user;
    const kn_unit_type_def *def =
        kn_world_is_client(world) ? NULL : def_of(world, kit, reaction->entity);
    if (def != NULL && is_woken_by(world, kit, def, reaction->entity, index1)) {
        wake(world, kit, def, reaction->entity);
    }
}

static kn_result wake_hear(kn_library *library, order_kit *kit, kn_tag tag, kn_error *error)
{
    static const kn_trigger triggers[] = {
        KN_TRIGGER_TAG_ADDED, KN_TRIGGER_TAG_REMOVED, KN_TRIGGER_EVENT};
    kn_result result = KN_OK;
    if (tag.index1 == 0 || has_tag((kn_tags){kit->waking, kit->waking_count}, tag.index1)) {
        return KN_OK;
    }
    if (!kn_memory_grow(NULL, &kit->waking, &kit->waking_capacity, kit->waking_count + 1,
            sizeof(*kit->waking))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->waking[kit->waking_count++] = tag;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(triggers); i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.OrderWakes.%u.%u", i, tag.index1);
        result = knc_order_rule(
            library, name, triggers[i], tag, wake_rule, (void *)(uintptr_t)tag.index1, error);
    }
    return result;
}

static kn_result wakes_hear(kn_library *library, order_kit *kit, kn_tags tags, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < tags.count; i++) {
        result = wake_hear(library, kit, tags.data[i], error);
    }
    return result;
}

kn_result knc_order_wakes_expand(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->type_kind); i++) {
        const kn_order_type_def *def = kn_def_get(library, kit->type_kind, i);
        result = wakes_hear(library, kit, def->auto_wakes, error);
    }
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->unit_kind); i++) {
        const kn_unit_type_def *def = kn_def_get(library, kit->unit_kind, i);
        result = wakes_hear(library, kit, def->auto_wakes, error);
    }
    return result;
}

// Candidates ------------------------------------------------------------------------

static bool item_append(kn_world *world, kn_entity_id unit, const auto_item *item)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->autos;
    uint32_t count;
    if (item_find(world, unit, item->order.type, item->order.index) != NULL) {
        return true;
    }
    (void)items_read(world, unit, &count);
    auto_item *items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = *item;
    }
    return items != NULL;
}

// One candidate, with the state that it had before, if it was there.
static bool candidate_add(kn_world *world, kn_entity_id unit, const kn_order_auto *order,
    const auto_item *before, uint32_t before_count)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    if (def == NULL) {
        return true; // those that are not set are passed over
    }
    kn_order_variant variant;
    (void)kn_order_get_variant(world, order->type, unit, order->index, &variant);
    auto_item item = {.order = *order,
        .flags = (variant.auto_for_players != 0 ? AUTO_FOR_PLAYERS : 0u) |
                 (variant.auto_for_ai != 0 ? AUTO_FOR_AI : 0u) |
                 (variant.auto_begins != 0 ? AUTO_ON : 0u)};
    for (uint32_t i = 0; i < before_count; i++) {
        if (before[i].order.type.index1 == order->type.index1 &&
            before[i].order.index == order->index && variant.auto_for_players != 0) {
            item.flags = (item.flags & ~(uint32_t)AUTO_ON) | (before[i].flags & AUTO_ON);
        }
    }
    return item_append(world, unit, &item);
}

// A command, or each of its variants, as far as it is an automatic order by itself.
static bool command_add(kn_world *world, kn_entity_id unit, kn_order_type_id type,
    const auto_item *before, uint32_t before_count)
{
    kn_order_variant all;
    (void)kn_order_get_variant(world, type, unit, -1, &all);
    const int32_t first = all.count > 0 ? 0 : -1;
    for (int32_t i = first; i < first + (int32_t)(all.count > 0 ? all.count : 1); i++) {
        const kn_order_auto command = {.type = type, .index = i};
        if (knc_order_is_auto_command(world, type, unit, i) &&
            !candidate_add(world, unit, &command, before, before_count)) {
            return false;
        }
    }
    return true;
}

// Those of the definition, then commands, then those of the hook.
static bool candidates_gather(kn_world *world, kn_entity_id unit, const kn_unit_type_def *def,
    uint32_t def1, const auto_item *before, uint32_t before_count)
{
    for (uint32_t i = 0; i < def->auto_count; i++) {
        if (!candidate_add(world, unit, &def->autos[i], before, before_count)) {
            return false;
        }
    }
    for (uint32_t i = 0; def->commands_are_autos && i < def->command_count; i++) {
        if (!command_add(world, unit, def->commands[i], before, before_count)) {
            return false;
        }
    }
    kn_order_provide_call call = {0};
    if (def->provide.function != NULL) {
        (void)kn_hook_read(
            world, knc_order_kit_of_world(world)->unit_kind, def1, &def->provide, unit, &call);
    }
    uint32_t count = call.count < KN_ORDER_PROVIDE_MAX ? call.count : KN_ORDER_PROVIDE_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (!candidate_add(world, unit, &call.autos[i], before, before_count)) {
            return false;
        }
    }
    return true;
}

// Variants may come later: units whose commands have some can always refresh their orders.
static bool commands_have_auto(
    const kn_world *world, kn_entity_id unit, const kn_unit_type_def *def)
{
    for (uint32_t i = 0; def->commands_are_autos && i < def->command_count; i++) {
        const kn_order_type_def *type = knc_order_type_of(world, def->commands[i]);
        if (type != NULL && (type->find_variant.function != NULL ||
                                knc_order_is_auto_command(world, def->commands[i], unit, -1))) {
            return true;
        }
    }
    return false;
}

static kn_result refresh_run(void *user, kn_world *world)
{
    const kn_entity_id unit = *(const kn_entity_id *)user;
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_unit_type_id type = kn_unit_get_type(world, unit);
    const kn_unit_type_def *def = kn_def_get(kn_world_library(world), kit->unit_kind, type.index1);
    uint32_t count;
    const auto_item *items = items_read(world, unit, &count);
    auto_item before[KN_ORDER_AUTOS_MAX + KN_ORDER_COMMANDS_MAX + KN_ORDER_PROVIDE_MAX];
    uint32_t kept = count < COUNT(before) ? count : (uint32_t)COUNT(before);
    if (kept > 0) {
        memcpy(before, items, kept * sizeof(*before));
    }
    (void)kn_component_resize(world, kit->autos, unit, 0);
    if (!candidates_gather(world, unit, def, type.index1, before, kept)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    armed_wake(world, kit, unit);
    return KN_OK;
}

kn_result kn_order_refresh_autos(kn_world *world, kn_entity_id unit)
{
    kn_result result = knc_order_unit_check(world, unit);
    return result == KN_OK ? kn_world_call(world, refresh_run, &unit) : result;
}

void knc_order_autos_begin(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_unit_type_id type = kn_unit_get_type(world, unit);
    const kn_unit_type_def *def = kn_def_get(kn_world_library(world), kit->unit_kind, type.index1);
    if (def->auto_count == 0 && def->provide.function == NULL &&
        !commands_have_auto(world, unit, def)) {
        return;
    }
    if (kn_component_add(world, kit->autos, unit) == NULL ||
        !candidates_gather(world, unit, def, type.index1, NULL, 0)) {
        return;
    }
    if (!is_polled(def)) {
        armed_wake(world, kit, unit);
        return;
    }
    kn_timer_id timer;
    kn_time first = phase_of(unit, def->auto_interval);
    if (kn_timer_start(world, kit->auto_timer, unit, first, NULL, &timer) == KN_OK) {
        auto_list *list = kn_component_get(world, kit->autos, unit);
        list->timer = timer;
    }
}

void knc_order_autos_end(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const auto_list *list = kn_component_read(world, kit->autos, unit);
    if (list != NULL) {
        const auto_list timers = *list;
        (void)kn_timer_cancel(world, timers.timer);
        (void)kn_timer_cancel(world, timers.wake);
        (void)kn_component_remove(world, kit->autos, unit);
    }
}

// Checks ------------------------------------------------------------------------------

static bool is_ai(const kn_world *world, const order_kit *kit, kn_entity_id unit)
{
    kn_order_ai_call call = {.is_ai = 1};
    kn_entity_id at = unit;
    for (uint32_t i = 0; i < 16 && at.index1 != 0; i++) {
        if (kn_entity_connection(world, at) != 0) {
            call.is_ai = 0;
        }
        at = kn_entity_owner(world, at);
    }
    if (kit->rules->is_ai.function != NULL) {
        (void)kn_hook_read(world, kit->rules_kind, 1, &kit->rules->is_ai, unit, &call);
    }
    return call.is_ai != 0;
}

// A unit that looks for something to do, and what is known about it.
typedef struct looker {
    const kn_world *world;
    const order_kit *kit;
    const kn_unit_type_def *def; // NULL: it does not obey orders
    kn_entity_id unit;
    kn_order current;
    bool is_ai;
} looker;

// An order does not interrupt one of its own kind: a unit that attacks does not turn to another
// target by itself.
static bool is_active(const looker *l, const auto_item *item)
{
    if (l->current.type.index1 == item->order.type.index1 &&
        l->current.index == item->order.index) {
        return false;
    }
    const uint32_t needed = l->is_ai ? AUTO_FOR_AI : AUTO_FOR_PLAYERS | AUTO_ON;
    return (item->flags & needed) == needed;
}

// Where the unit belongs, for its leash: the home of the order that is interrupted.
static kn_vec3 home_of(const looker *l)
{
    kn_unit_info info;
    (void)kn_unit_get_info(l->world, l->unit, &info);
    return info.interrupts ? info.returns_to : info.home;
}

// What a candidate would order now; false if it has no target or may not be obeyed.
static bool candidate_aim(
    const looker *l, const kn_order_auto *candidate, kn_order *order, float *score)
{
    const type_plan *plan = knc_order_plan_of(l->kit, candidate->type);
    *order = kn_order_of_auto(candidate);
    *score = 0.0f;
    if (plan == NULL || !knc_order_can_obey(l->world, l->kit, plan, candidate->type, l->unit,
                            candidate->index, NULL)) {
        return false;
    }
    const kn_order_type_def *def = plan->def;
    const float radius = knc_order_acquisition(l->world, def, l->def, l->unit, order);
    switch (knc_order_target_kind(l->world, def, candidate->type, l->unit, candidate->index)) {
    case KN_ORDER_TARGET_NONE:
        return radius > 0.0f && kn_order_enemy_is_near(l->world, l->unit, radius);
    case KN_ORDER_TARGET_PASSIVE:
        return false;
    default:
        break;
    }
    if (!(radius > 0.0f)) {
        return false;
    }
    bool has_leash = l->def->leash > 0.0f;
    order->target = knc_order_search(l->world, l->kit, plan, order, l->unit, radius,
        has_leash ? l->def->leash : FLT_MAX, has_leash ? home_of(l) : (kn_vec3){0}, score);
    if (order->target.index1 == 0) {
        return false;
    }
    kn_order_set_location(order, knc_order_position(l->world, order->target));
    return true;
}

static looker looker_of(const kn_world *world, const order_kit *kit, kn_entity_id unit)
{
    const unit_orders *orders = kn_component_read(world, kit->orders, unit);
    looker l = {.world = world, .kit = kit, .unit = unit, .current = kn_order_default()};
    if (orders != NULL) {
        l.def = knc_order_unit_of(kit, orders->unit);
        l.current = orders->current;
        l.is_ai = is_ai(world, kit, unit);
    }
    return l;
}

bool knc_order_is_ai(const kn_world *world, kn_entity_id unit)
{
    return is_ai(world, knc_order_kit_of_world(world), unit);
}

bool knc_order_auto_aim(
    const kn_world *world, kn_entity_id unit, const kn_order_auto *candidate, kn_order *order)
{
    const looker l = looker_of(world, knc_order_kit_of_world(world), unit);
    float score;
    return l.def != NULL && candidate_aim(&l, candidate, order, &score);
}

static bool candidate_give(kn_world *world, const looker *l, const kn_order *order)
{
    kn_order_answer answer;
    kn_result result = kn_order_insert_before(world, l->unit, order, &answer);
    return l->def->literal_autos || (result == KN_OK && answer.outcome == KN_ORDER_OBEYED);
}

static const auto_item *looker_items(const looker *l, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(l->world, l->kit->autos, l->unit, count);
}

// The first one that is taken.
static bool first_give(kn_world *world, const looker *l)
{
    uint32_t count;
    const auto_item *items = looker_items(l, &count);
    for (uint32_t i = 0; i < count; i++) {
        const auto_item item = items[i];
        kn_order order;
        float score;
        if (is_active(l, &item) && candidate_aim(l, &item.order, &order, &score) &&
            candidate_give(world, l, &order)) {
            return true;
        }
        items = looker_items(l, &count);
    }
    return false;
}

// The one with the highest priority, then with the best target.
static bool best_give(kn_world *world, const looker *l)
{
    uint32_t count;
    const auto_item *items = looker_items(l, &count);
    kn_order best = kn_order_default();
    int32_t best_priority = 0;
    float best_score = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        kn_order order;
        float score;
        if (!is_active(l, &items[i]) || !candidate_aim(l, &items[i].order, &order, &score)) {
            continue;
        }
        int32_t priority = items[i].order.priority;
        if (best.type.index1 == 0 || priority > best_priority ||
            (priority == best_priority && score > best_score)) {
            best = order;
            best_priority = priority;
            best_score = score;
        }
    }
    return best.type.index1 != 0 && candidate_give(world, l, &best);
}

static bool autos_check(kn_world *world, const order_kit *kit, kn_entity_id unit)
{
    const looker l = looker_of(world, kit, unit);
    const unit_mind *mind = kn_component_read(world, kit->minds, unit);
    const auto_list *list = kn_component_read(world, kit->autos, unit);
    if (l.def == NULL || mind == NULL) {
        return false;
    }
    const type_plan *current = knc_order_plan_of(kit, l.current.type);
    bool is_open = l.def->literal_autos && list != NULL && list->opened_for == mind->ticket;
    if (current != NULL && !current->def->allows_auto && !is_open) {
        return false;
    }
    return l.def->ranks_autos ? best_give(world, &l) : first_give(world, &l);
}

typedef struct check_call {
    kn_entity_id unit;
    bool is_issued;
} check_call;

static kn_result check_run(void *user, kn_world *world)
{
    check_call *c = user;
    c->is_issued = autos_check(world, knc_order_kit_of_world(world), c->unit);
    return KN_OK;
}

kn_result kn_order_check_autos(kn_world *world, kn_entity_id unit, bool *is_issued)
{
    check_call c = {unit, false};
    kn_result result = knc_order_unit_check(world, unit);
    result = result == KN_OK ? kn_world_call(world, check_run, &c) : result;
    if (is_issued != NULL) {
        *is_issued = c.is_issued;
    }
    return result;
}

static kn_time auto_timer(void *user, kn_world *world, kn_entity_id unit, void *data)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_unit_type_def *def = def_of(world, kit, unit);
    const bool is_wake = *(const uint8_t *)data != 0;
    (void)user;
    if (def == NULL) {
        return 0;
    }
    if (is_wake) {
        auto_list *list = kn_component_get(world, kit->autos, unit);
        if (list != NULL) {
            list->wake = (kn_timer_id){0};
        }
    }
    if (!kn_world_is_client(world)) { // there it only goes on, as on the server
        (void)autos_check(world, kit, unit);
    }
    return is_wake || !is_polled(def) ? 0 : def->auto_interval;
}

// What players see and switch -------------------------------------------------------------

kn_result knc_order_auto_switch(
    kn_world *world, kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on)
{
    uint32_t count = 0;
    auto_item *items =
        kn_component_items(world, knc_order_kit_of_world(world)->autos, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].order.type.index1 == type.index1 && items[i].order.index == index) {
            if ((items[i].flags & AUTO_FOR_PLAYERS) == 0) {
                return KN_REFUSED_REQUIREMENT;
            }
            items[i].flags = is_on ? items[i].flags | AUTO_ON : items[i].flags & ~(uint32_t)AUTO_ON;
            return KN_OK;
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

typedef struct set_call {
    kn_entity_id unit;
    kn_order_type_id type;
    int32_t index;
    bool is_on;
} set_call;

// Read literally, switching something on lets the unit look around until its order changes.
static void gate_open(kn_world *world, kn_entity_id unit)
{
    auto_list *list = kn_component_get(world, knc_order_kit_of_world(world)->autos, unit);
    kn_unit_info info;
    if (own_def(world, unit)->literal_autos && kn_unit_get_info(world, unit, &info)) {
        list->opened_for = info.ticket;
    }
}

static kn_result set_run(void *user, kn_world *world)
{
    const set_call *c = user;
    kn_result result = knc_order_auto_switch(world, c->unit, c->type, c->index, c->is_on);
    if (result == KN_OK && c->is_on) {
        gate_open(world, c->unit);
    }
    if (result == KN_OK) {
        armed_wake(world, knc_order_kit_of_world(world), c->unit);
    }
    return result;
}

kn_result kn_order_set_auto(
    kn_world *world, kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on)
{
    set_call c = {unit, type, index, is_on};
    kn_result result = knc_order_unit_check(world, unit);
    return result == KN_OK ? kn_world_call(world, set_run, &c) : result;
}

uint32_t kn_order_autos(
    const kn_world *world, kn_entity_id unit, kn_order_auto_info *out, uint32_t capacity)
{
    uint32_t count = 0;
    const auto_item *items =
        knc_order_kit_of_world(world) != NULL ? items_read(world, unit, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = (kn_order_auto_info){
            .order = items[i].order,
            .is_for_players = (items[i].flags & AUTO_FOR_PLAYERS) != 0,
            .is_for_ai = (items[i].flags & AUTO_FOR_AI) != 0,
            .is_on = (items[i].flags & AUTO_ON) != 0,
        };
    }
    return count;
}

kn_result knc_order_autos_register(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_field fields[] = {
        KN_FIELD(auto_list, timer, KN_FIELD_TIMER),
        KN_FIELD(auto_list, wake, KN_FIELD_TIMER),
        KN_FIELD(auto_list, opened_for, KN_FIELD_U32),
    };
    static const kn_field item_fields[] = {
        KN_FIELD_TO(kn_order_auto, type, "order type"),
        KN_FIELD(kn_order_auto, index, KN_FIELD_I32),
        KN_FIELD(kn_order_auto, priority, KN_FIELD_I32),
        KN_FIELD(auto_item, flags, KN_FIELD_U32),
    };
    fields[0].sync = fields[1].sync = KN_SYNC_NONE;
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.AutoOrders";
    def.size = sizeof(auto_list);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(auto_item);
    def.item_fields = item_fields;
    def.item_field_count = COUNT(item_fields);
    def.sync = KN_SYNC_OWNER;
    kn_result result = kn_component_register(library, &def, &kit->autos, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.AutoOrders", auto_timer, NULL,
                                 &kit->auto_timer, error);
}
