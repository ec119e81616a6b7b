// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units: the current order, the queue, and what happens when an order is given or ends. Calls from
// inside hooks of a unit wait in a list until the hook is done, so nothing runs inside itself.

#include "parts.h"

#include <string.h>

#define TURNS_MAX 256 // calls that hooks of one unit may make before its turn is over

// State -----------------------------------------------------------------------------

static const unit_orders *orders_read(const kn_world *world, kn_entity_id unit)
{
    return kn_component_read(world, knc_order_kit_of_world(world)->orders, unit);
}

static unit_orders *orders_get(kn_world *world, kn_entity_id unit)
{
    return kn_component_get(world, knc_order_kit_of_world(world)->orders, unit);
}

static unit_mind *mind_get(kn_world *world, kn_entity_id unit)
{
    return kn_component_get(world, knc_order_kit_of_world(world)->minds, unit);
}

static const unit_mind *mind_read(const kn_world *world, kn_entity_id unit)
{
    return kn_component_read(world, knc_order_kit_of_world(world)->minds, unit);
}

static const kn_unit_type_def *unit_def(const kn_world *world, kn_unit_type_id type)
{
    return kn_def_get(
        kn_world_library(world), knc_order_kit_of_world(world)->unit_kind, type.index1);
}

// Null for a unit without one.
static kn_order_type_id stop_of(const kn_world *world, kn_entity_id unit)
{
    const kn_unit_type_def *def = unit_def(world, orders_read(world, unit)->unit);
    return def != NULL ? def->stop : (kn_order_type_id){0};
}

static bool is_idle(const kn_world *world, kn_entity_id unit)
{
    return orders_read(world, unit)->current.type.index1 == stop_of(world, unit).index1;
}

// Events ------------------------------------------------------------------------------

static void order_publish(
    kn_world *world, kn_entity_id unit, kn_custom_event_id event, const kn_order *order)
{
    const kn_order_event payload = {*order};
    (void)kn_world_publish(world, unit, event, &payload);
}

static uint32_t queue_count(const kn_world *world, kn_entity_id unit);

static void queue_publish(kn_world *world, kn_entity_id unit, bool is_cleared)
{
    const kn_order_queue_event payload = {queue_count(world, unit), is_cleared};
    (void)kn_world_publish(world, unit, knc_order_kit_of_world(world)->queue, &payload);
}

// Where a unit was when it began with its current order. One that was nowhere then belongs where it
// is: entities become units before they are put in their place.
static kn_vec3 home_read(const kn_world *world, kn_entity_id unit)
{
    const unit_orders *orders = orders_read(world, unit);
    return orders->has_home != 0 ? orders->home : knc_order_position(world, unit);
}

// The queue ---------------------------------------------------------------------------

static const queue_item *queue_read(const kn_world *world, kn_entity_id unit, uint32_t *count)
{
    uint32_t all = 0;
    const queue_item *items =
        kn_component_read_items(world, knc_order_kit_of_world(world)->orders, unit, &all);
    const unit_orders *orders = orders_read(world, unit);
    *count = orders != NULL && orders->first < all ? all - orders->first : 0;
    return *count > 0 ? items + orders->first : NULL;
}

static uint32_t queue_count(const kn_world *world, kn_entity_id unit)
{
    uint32_t count;
    (void)queue_read(world, unit, &count);
    return count;
}

static void queue_clear(kn_world *world, kn_entity_id unit)
{
    orders_get(world, unit)->first = 0;
    (void)kn_component_resize(world, knc_order_kit_of_world(world)->orders, unit, 0);
}

static bool queue_append(kn_world *world, kn_entity_id unit, const queue_item *item)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->orders;
    uint32_t count = 0;
    (void)kn_component_read_items(world, type, unit, &count);
    queue_item *items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = *item;
    }
    return items != NULL;
}

static bool queue_push_front(kn_world *world, kn_entity_id unit, const queue_item *item)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->orders;
    unit_orders *orders = orders_get(world, unit);
    uint32_t count = 0;
    queue_item *items = kn_component_items(world, type, unit, &count);
    if (orders->first > 0 && orders->first <= count) {
        items[--orders->first] = *item;
        return true;
    }
    // Long queues get more room in front than is needed now, so that many orders can be inserted.
    uint32_t room = count < 64 ? 1 : count / 2;
    orders->first = 0;
    items = kn_component_resize(world, type, unit, count + room);
    if (items == NULL) {
        return false;
    }
    memmove(items + room, items, count * sizeof(*items));
    memset(items, 0, room * sizeof(*items));
    items[room - 1] = *item;
    orders_get(world, unit)->first = room - 1;
    return true;
}

// The next one; false if there is none. The place of those that are done is used again when they
// are more than half.
static bool queue_take(kn_world *world, kn_entity_id unit, queue_item *out)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->orders;
    unit_orders *orders = orders_get(world, unit);
    uint32_t count = 0;
    queue_item *items = kn_component_items(world, type, unit, &count);
    if (orders->first >= count) {
        return false;
    }
    *out = items[orders->first];
    items[orders->first++] = (queue_item){0}; // what is done refers to nobody
    if (orders->first * 2 > count) {
        uint32_t left = count - orders->first;
        memmove(items, items + orders->first, left * sizeof(*items));
        orders->first = 0;
        (void)kn_component_resize(world, type, unit, left);
    }
    return true;
}

// Work that it remembers -----------------------------------------------------------------

static bool is_work(const kn_world *world, const kn_order *order)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    return def != NULL && def->is_work;
}

static bool pierces(const kn_world *world, const kn_order *order)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    return def != NULL && def->pierces;
}

// Keeps `first` and what waits.
static bool work_keep(kn_world *world, kn_entity_id unit, const queue_item *first)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->works;
    uint32_t waiting;
    (void)queue_read(world, unit, &waiting);
    uint32_t count = waiting + (first != NULL);
    queue_item *items = NULL;
    if (kn_component_add(world, type, unit) != NULL) {
        items = kn_component_resize(world, type, unit, count);
    }
    if (items == NULL) {
        return false;
    }
    const queue_item *queue = queue_read(world, unit, &waiting);
    if (first != NULL) {
        items[0] = *first;
    }
    if (waiting > 0) {
        memcpy(items + (first != NULL), queue, waiting * sizeof(*queue));
    }
    return true;
}

// Called before `next` replaces all orders of a unit. Other work is forgotten then, and what a unit
// does besides its work leaves what it remembers as it is.
static bool work_remember(kn_world *world, kn_entity_id unit, const kn_order *next)
{
    const unit_orders *orders = orders_read(world, unit);
    uint32_t count, at = 0;
    const queue_item *queue = queue_read(world, unit, &count);
    if (is_work(world, next)) {
        (void)kn_component_remove(world, knc_order_kit_of_world(world)->works, unit);
        return true;
    }
    if (is_work(world, &orders->current)) {
        const queue_item first = {
            .order = orders->current, .home = home_read(world, unit), .has_home = 1};
        return work_keep(world, unit, &first);
    }
    while (at < count && !is_work(world, &queue[at].order)) {
        at++;
    }
    if (at == count) {
        return true;
    }
    orders_get(world, unit)->first += at; // what comes before is not remembered
    return work_keep(world, unit, NULL);
}

// Puts what the unit remembers at the end of its queue; false if there is nothing.
static bool work_take_back(kn_world *world, kn_entity_id unit)
{
    kn_component_type_id works = knc_order_kit_of_world(world)->works;
    kn_component_type_id type = knc_order_kit_of_world(world)->orders;
    uint32_t count = 0, before = 0;
    (void)kn_component_read_items(world, works, unit, &count);
    (void)kn_component_read_items(world, type, unit, &before);
    queue_item *items = count > 0 ? kn_component_resize(world, type, unit, before + count) : NULL;
    if (items == NULL) {
        return false;
    }
    const queue_item *kept = kn_component_read_items(world, works, unit, &count);
    memcpy(items + before, kept, count * sizeof(*kept));
    (void)kn_component_remove(world, works, unit);
    return true;
}

// Hooks -------------------------------------------------------------------------------

static kn_result hook_run(kn_world *world, kn_entity_id unit, const kn_hook *hook,
    const kn_order *order, const kn_order_target *target, kn_vec3 home, uint32_t ticket)
{
    kn_order_call call = {.order = *order, .home = home, .ticket = ticket, .target = *target};
    return kn_hook_run(
        world, knc_order_kit_of_world(world)->type_kind, order->type.index1, hook, unit, &call);
}

// Waiting calls -------------------------------------------------------------------------

static bool call_wait(kn_world *world, kn_entity_id unit, const call_item *call)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->minds;
    uint32_t count = 0;
    (void)kn_component_read_items(world, type, unit, &count);
    call_item *items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = *call;
    }
    return items != NULL;
}

static bool call_take(kn_world *world, kn_entity_id unit, call_item *out)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->minds;
    uint32_t count = 0;
    call_item *items = kn_component_items(world, type, unit, &count);
    if (count == 0) {
        return false;
    }
    *out = items[0];
    memmove(items, items + 1, (count - 1) * sizeof(*items));
    (void)kn_component_resize(world, type, unit, count - 1);
    return true;
}

// Obeying -------------------------------------------------------------------------------

static void current_set(kn_world *world, kn_entity_id unit, const kn_order *order, kn_vec3 home)
{
    kn_vec3 here;
    knc_order_tags_forget(world, unit);
    unit_orders *orders = orders_get(world, unit);
    unit_mind *mind = mind_get(world, unit);
    mind->last = orders->current;
    orders->home = home;
    orders->has_home = kn_space_position(kn_world_space(world), world, unit, &here);
    mind->ticket++;
    mind->is_running = order->type.index1 != 0;
    orders->current = *order;
    order_publish(world, unit, knc_order_kit_of_world(world)->changed, order);
    knc_order_autos_follow(world, unit, order->type);
}

// An entity that is gone counts as none: an order that does not need it is carried out without.
static kn_order without_stale_target(const kn_world *world, const kn_order *order)
{
    kn_order own = *order;
    if (!knc_order_may_aim(world, own.target)) {
        own.target = (kn_entity_id){0};
    }
    return own;
}

static kn_result instant_obey(kn_world *world, kn_entity_id unit, const kn_order *given)
{
    const kn_order own = without_stale_target(world, given), *order = &own;
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    kn_order_target target = knc_order_target_of(world, unit, order);
    const kn_ability_type_id ability =
        knc_order_ability(world, def, order->type, unit, order->index);
    if (ability.index1 != 0) {
        return knc_order_ability_use(world, unit, ability, order);
    }
    if (def->tree.index1 != 0) {
        return KN_REFUSED_CUSTOM; // `find_policy` says instant, but trees take time
    }
    return hook_run(world, unit, &def->execute, order, &target, knc_order_position(world, unit), 0);
}

// Makes an order the current one, and carries it out.
static void obey(kn_world *world, kn_entity_id unit, const kn_order *given, kn_vec3 home)
{
    const kn_order own = without_stale_target(world, given), *order = &own;
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    kn_order_target target = knc_order_target_of(world, unit, order);
    current_set(world, unit, order, home);
    knc_order_tags_keep(world, unit, order);
    uint32_t ticket = mind_read(world, unit)->ticket;
    kn_result result = KN_OK;
    if (def->tree.index1 != 0) {
        result = knc_tree_obey(world, unit, def, order, home, ticket);
    } else {
        knc_tree_leave(world, unit);
        result = hook_run(world, unit, &def->execute, order, &target, home, ticket);
    }
    if (result != KN_OK) {
        const call_item end = {
            .kind = CALL_END, .ticket = ticket, .result = KN_ORDER_FAILED, .order = *order};
        (void)call_wait(world, unit, &end);
    }
}

// Nothing happens if it does that already.
static void stop_obey(kn_world *world, kn_entity_id unit)
{
    kn_order stop = kn_order_of(stop_of(world, unit));
    kn_vec3 home = knc_order_position(world, unit);
    if (is_idle(world, unit)) {
        return;
    }
    if (stop.type.index1 == 0) {
        current_set(world, unit, &stop, home);
        knc_tree_leave(world, unit);
        return;
    }
    obey(world, unit, &stop, home);
}

// Takes the next order, that of remembered work once the queue is empty.
static bool next_take(kn_world *world, kn_entity_id unit, queue_item *item)
{
    return queue_take(world, unit, item) ||
           (unit_def(world, orders_read(world, unit)->unit)->resumes_work &&
               work_take_back(world, unit) && queue_take(world, unit, item));
}

// Obeys the next order of the queue that may be obeyed, and the stop order if there is none.
static void queue_go_on(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_unit_type_def *own = unit_def(world, orders_read(world, unit)->unit);
    const uint32_t stop1 = own->stop.index1;
    queue_item item;
    bool has_taken = false;
    while (next_take(world, unit, &item)) {
        bool is_stop = item.order.type.index1 == stop1;
        has_taken = true;
        if (is_stop && !own->literal_queue && queue_count(world, unit) > 0) {
            continue;
        }
        if (!is_stop && !kn_order_check(world, unit, &item.order, NULL)) {
            order_publish(world, unit, kit->refused, &item.order);
            if (own->literal_queue) {
                break;
            }
            continue;
        }
        if (!is_stop && kn_order_get_policy(world, item.order.type, unit, item.order.index) ==
                            KN_ORDER_INSTANT) {
            (void)instant_obey(world, unit, &item.order);
            if (own->literal_instants) {
                queue_publish(world, unit, false);
                return;
            }
            continue;
        }
        queue_publish(world, unit, false);
        obey(world, unit, &item.order,
            item.has_home != 0 ? item.home : knc_order_position(world, unit));
        return;
    }
    if (has_taken) {
        queue_publish(world, unit, false);
    }
    stop_obey(world, unit);
}

// Ending ----------------------------------------------------------------------------------

static void ended_publish(kn_world *world, kn_entity_id unit, kn_order_result result, bool counts)
{
    const kn_order_ended payload = {orders_read(world, unit)->current, result, counts};
    (void)kn_world_publish(world, unit, knc_order_kit_of_world(world)->ended, &payload);
}

// Has the order clean up; what follows is up to the caller.
static void current_cancel(kn_world *world, kn_entity_id unit, const kn_order_target *target)
{
    const kn_order order = orders_read(world, unit)->current;
    const kn_order_type_def *def = knc_order_type_of(world, order.type);
    unit_mind *mind = mind_get(world, unit);
    mind->is_running = 0;
    const uint32_t ticket = mind->ticket;
    if (def != NULL) {
        const kn_vec3 home = home_read(world, unit);
        (void)hook_run(world, unit, &def->cancelled, &order, target, home, ticket);
    }
}

static void current_end(kn_world *world, kn_entity_id unit, kn_order_result result, bool counts)
{
    mind_get(world, unit)->is_running = 0;
    if (is_idle(world, unit)) {
        return; // it stays idle when its stop order has come to an end
    }
    ended_publish(world, unit, result, counts);
    if (counts) {
        queue_go_on(world, unit);
        return;
    }
    bool keeps = unit_def(world, orders_read(world, unit)->unit)->literal_queue;
    if (!keeps && queue_count(world, unit) > 0) {
        queue_clear(world, unit);
        queue_publish(world, unit, true);
    }
    stop_obey(world, unit);
}

static kn_result end_do(kn_world *world, kn_entity_id unit, const call_item *call)
{
    const unit_mind *mind = mind_read(world, unit);
    if (mind->is_running == 0 || mind->ticket != call->ticket) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kn_order order = orders_read(world, unit)->current;
    bool counts = call->result == KN_ORDER_SUCCEEDED;
    if (call->result == KN_ORDER_CANCELED) {
        kn_order_target target = knc_order_target_of(world, unit, &order);
        counts = kn_order_variant_would_succeed(world, order.type, unit, &target, order.index);
    }
    current_end(world, unit, (kn_order_result)call->result, counts);
    return KN_OK;
}

// Goes on with another target, if the order type says so, the unit could go on, and there is one.
static bool current_reacquire(kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    if (def == NULL || !def->reacquires || order->target.index1 == 0 ||
        !knc_order_unit_holds(world, unit, order)) {
        return false;
    }
    const kn_entity_id other = knc_order_find_other(world, unit, order);
    if (other.index1 == 0) {
        return false;
    }
    const uint32_t ticket = mind_read(world, unit)->ticket;
    unit_orders *orders = orders_get(world, unit);
    const kn_vec3 home = home_read(world, unit);
    const kn_order_retargeted event = {order->target, other, 1, 0};
    orders->current.target = other;
    if (order->uses_location != 0) {
        orders->current.location = knc_order_position(world, other);
    }
    const kn_order changed = orders->current;
    (void)kn_world_publish(world, unit, knc_order_kit_of_world(world)->retargeted, &event);
    order_publish(world, unit, knc_order_kit_of_world(world)->changed, &changed);
    knc_tree_retarget(world, unit, def, &changed, home, ticket);
    return true;
}

static void recheck_do(kn_world *world, kn_entity_id unit, const call_item *call)
{
    const unit_mind *mind = mind_read(world, unit);
    const kn_order order = orders_read(world, unit)->current;
    bool is_gone = call->kind == CALL_LOSE;
    if (mind->is_running == 0 || mind->ticket != call->ticket || is_idle(world, unit) ||
        knc_order_still_holds(world, unit, &order, is_gone)) {
        return;
    }
    if (current_reacquire(world, unit, &order)) {
        return;
    }
    kn_order_target target = {.location = order.location};
    if (!is_gone) {
        target = knc_order_target_of(world, unit, &order);
    }
    bool counts = kn_order_variant_would_succeed(world, order.type, unit, &target, order.index);
    current_cancel(world, unit, &target);
    current_end(world, unit, KN_ORDER_CANCELED, counts);
}

// Giving orders -----------------------------------------------------------------------------

static kn_result refuse(kn_world *world, kn_entity_id unit, const kn_order *order)
{
    order_publish(world, unit, knc_order_kit_of_world(world)->refused, order);
    return KN_REFUSED_REQUIREMENT;
}

static kn_result instant_do(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    if (!kn_order_check(world, unit, order, &answer->errors)) {
        return refuse(world, unit, order);
    }
    answer->outcome = KN_ORDER_OBEYED;
    kn_result result = instant_obey(world, unit, order);
    return result == KN_OK ? KN_OK : KN_REFUSED_CUSTOM;
}

// Obeys an order that may be refused: then the unit stops.
static kn_result obey_or_stop(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    if (!kn_order_check(world, unit, order, &answer->errors)) {
        stop_obey(world, unit);
        return refuse(world, unit, order);
    }
    if (kn_order_get_policy(world, order->type, unit, order->index) == KN_ORDER_INSTANT) {
        answer->outcome = KN_ORDER_OBEYED;
        return instant_obey(world, unit, order) == KN_OK ? KN_OK : KN_REFUSED_CUSTOM;
    }
    answer->outcome = KN_ORDER_OBEYED;
    obey(world, unit, order, knc_order_position(world, unit));
    return KN_OK;
}

// Whether the current order cannot be cancelled now.
static bool is_uncancelable(const kn_world *world, kn_entity_id unit)
{
    const kn_order *current = &orders_read(world, unit)->current;
    return current->type.index1 != 0 &&
           kn_order_get_policy(world, current->type, unit, current->index) == KN_ORDER_UNCANCELABLE;
}

static void current_drop(kn_world *world, kn_entity_id unit)
{
    const kn_order current = orders_read(world, unit)->current;
    kn_order_target target = knc_order_target_of(world, unit, &current);
    current_cancel(world, unit, &target);
    ended_publish(world, unit, KN_ORDER_CANCELED, false);
}

static kn_result issue_do(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    const kn_unit_type_def *def = unit_def(world, orders_read(world, unit)->unit);
    bool is_instant =
        kn_order_get_policy(world, order->type, unit, order->index) == KN_ORDER_INSTANT;
    if (is_instant && !def->literal_instants) {
        return instant_do(world, unit, order, answer);
    }
    if (order->type.index1 == def->stop.index1 && !def->literal_stop &&
        !kn_order_check(world, unit, order, &answer->errors)) {
        return refuse(world, unit, order);
    }
    const kn_order current = orders_read(world, unit)->current;
    bool is_same = kn_order_equal(&current, order);
    if (!is_same && !is_instant && !work_remember(world, unit, order)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    queue_clear(world, unit);
    queue_publish(world, unit, true);
    if (is_same) {
        answer->outcome = KN_ORDER_IS_SAME;
        return KN_OK;
    }
    if (!is_idle(world, unit) && !is_instant) {
        if (is_uncancelable(world, unit) && !pierces(world, order)) {
            const queue_item item = {.order = *order};
            answer->outcome = KN_ORDER_WAITS;
            bool is_there = queue_append(world, unit, &item);
            queue_publish(world, unit, false);
            return is_there ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
        }
        if (mind_read(world, unit)->is_running != 0) { // it may have ended with nothing behind it
            current_drop(world, unit);
        }
    }
    return obey_or_stop(world, unit, order, answer);
}

// Whether nothing else is to be done before an order.
static bool may_obey_at_once(const kn_world *world, kn_entity_id unit)
{
    return is_idle(world, unit) && queue_count(world, unit) == 0;
}

static bool queue_is_full(const kn_world *world, kn_entity_id unit)
{
    uint32_t limit = unit_def(world, orders_read(world, unit)->unit)->queue_limit;
    return limit != 0 && queue_count(world, unit) >= limit;
}

static kn_result enqueue_do(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    if (!kn_order_check(world, unit, order, &answer->errors)) {
        return refuse(world, unit, order);
    }
    if (may_obey_at_once(world, unit)) {
        return obey_or_stop(world, unit, order, answer);
    }
    uint32_t count;
    const queue_item *queue = queue_read(world, unit, &count);
    if (count > 0 && kn_order_equal(&queue[count - 1].order, order)) {
        answer->outcome = KN_ORDER_IS_SAME;
        return KN_OK;
    }
    if (queue_is_full(world, unit)) {
        return KN_REFUSED_LIMIT;
    }
    const queue_item item = {.order = *order};
    if (!queue_append(world, unit, &item)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    answer->outcome = KN_ORDER_WAITS;
    order_publish(world, unit, knc_order_kit_of_world(world)->enqueued, order);
    queue_publish(world, unit, false);
    return KN_OK;
}

static kn_result insert_after_do(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    if (!kn_order_check(world, unit, order, &answer->errors)) {
        return refuse(world, unit, order);
    }
    if (may_obey_at_once(world, unit)) {
        return obey_or_stop(world, unit, order, answer);
    }
    if (queue_is_full(world, unit)) {
        return KN_REFUSED_LIMIT;
    }
    const queue_item item = {.order = *order};
    if (!queue_push_front(world, unit, &item)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    answer->outcome = KN_ORDER_WAITS;
    queue_publish(world, unit, false);
    return KN_OK;
}

// Puts the current order to the front of the queue, with the home that it has.
static bool current_push(kn_world *world, kn_entity_id unit)
{
    const unit_orders *orders = orders_read(world, unit);
    const queue_item item = {
        .order = orders->current, .home = home_read(world, unit), .has_home = 1};
    if (item.order.type.index1 == 0) {
        return true;
    }
    bool is_there = queue_push_front(world, unit, &item);
    if (is_there) {
        queue_publish(world, unit, false);
    }
    return is_there;
}

static kn_result insert_before_do(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    const unit_orders orders = *orders_read(world, unit);
    const kn_unit_type_def *def = unit_def(world, orders.unit);
    bool is_instant =
        kn_order_get_policy(world, order->type, unit, order->index) == KN_ORDER_INSTANT;
    if (is_instant && !def->literal_instants) {
        return instant_do(world, unit, order, answer);
    }
    if (!kn_order_check(world, unit, order, &answer->errors)) {
        return refuse(world, unit, order);
    }
    if (is_instant) {
        return current_push(world, unit) ? instant_do(world, unit, order, answer)
                                         : KN_ERROR_OUT_OF_MEMORY;
    }
    if (!def->interrupts_same && kn_order_equal(&orders.current, order)) {
        answer->outcome = KN_ORDER_IS_SAME;
        return KN_OK;
    }
    if (!def->interrupts_all && !pierces(world, order) && is_uncancelable(world, unit)) {
        return KN_REFUSED_EXCLUSIVE;
    }
    if (!current_push(world, unit)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    answer->outcome = KN_ORDER_OBEYED;
    obey(world, unit, order, knc_order_position(world, unit));
    return KN_OK;
}

static void remove_do(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    if (mind_read(world, unit)->is_running != 0 && !is_idle(world, unit)) {
        current_drop(world, unit);
    }
    if (queue_count(world, unit) > 0) {
        queue_clear(world, unit);
        queue_publish(world, unit, true);
    }
    call_item call; // orders that hooks gave meanwhile come too late
    while (call_take(world, unit, &call)) {
        if (call.kind <= CALL_INSERT_BEFORE) {
            order_publish(world, unit, kit->refused, &call.order);
        }
    }
    knc_order_autos_end(world, unit);
    knc_tree_leave(world, unit);
    knc_order_tags_forget(world, unit);
    (void)kn_component_remove(world, kit->works, unit);
    (void)kn_component_remove(world, kit->minds, unit);
    (void)kn_component_remove(world, kit->orders, unit);
}

// As issuing the stop order; a unit without one has no order then.
static kn_result stop_do(kn_world *world, kn_entity_id unit, kn_order_answer *answer)
{
    const kn_order stop = kn_order_of(stop_of(world, unit));
    if (stop.type.index1 != 0) {
        return issue_do(world, unit, &stop, answer);
    }
    if (is_uncancelable(world, unit)) {
        return KN_REFUSED_EXCLUSIVE;
    }
    answer->outcome = is_idle(world, unit) ? KN_ORDER_IS_SAME : KN_ORDER_OBEYED;
    if (!work_remember(world, unit, &stop)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    queue_clear(world, unit);
    queue_publish(world, unit, true);
    if (!is_idle(world, unit)) {
        current_drop(world, unit);
        stop_obey(world, unit);
    }
    return KN_OK;
}

static kn_result resume_do(kn_world *world, kn_entity_id unit)
{
    if (kn_unit_work(world, unit, NULL, 0) == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (is_uncancelable(world, unit)) {
        return KN_REFUSED_EXCLUSIVE;
    }
    if (queue_count(world, unit) > 0) {
        queue_clear(world, unit);
        queue_publish(world, unit, true);
    }
    if (!work_take_back(world, unit)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (mind_read(world, unit)->is_running != 0 && !is_idle(world, unit)) {
        current_drop(world, unit);
    }
    queue_go_on(world, unit);
    return KN_OK;
}

// Retargeting ------------------------------------------------------------------------------

// Returns how many of the orders were aimed at `from`.
static uint32_t items_retarget(kn_world *world, kn_component_type_id type, kn_entity_id unit,
    kn_entity_id from, kn_entity_id to)
{
    uint32_t count = 0, changed = 0;
    queue_item *items = kn_component_items(world, type, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(items[i].order.target, from)) {
            items[i].order.target = to;
            changed++;
        }
    }
    return changed;
}

// The current order goes on with its new target.
static void current_retarget(kn_world *world, kn_entity_id unit)
{
    const kn_order order = orders_read(world, unit)->current;
    const kn_vec3 home = home_read(world, unit);
    const kn_order_type_def *def = knc_order_type_of(world, order.type);
    const unit_mind mind = *mind_read(world, unit);
    bool is_begun_anew = mind.is_running != 0 && def != NULL && def->tree.index1 == 0;
    if (!is_begun_anew) {
        order_publish(world, unit, knc_order_kit_of_world(world)->changed, &order);
    }
    if (mind.is_running == 0 || def == NULL) {
        return;
    }
    if (!is_begun_anew) {
        knc_tree_retarget(world, unit, def, &order, home, mind.ticket);
    } else {
        kn_order_target target = knc_order_target_of(world, unit, &order);
        current_cancel(world, unit, &target);
        obey(world, unit, &order, home);
    }
    const call_item check = {.kind = CALL_RECHECK, .ticket = mind_read(world, unit)->ticket};
    (void)call_wait(world, unit, &check);
}

static void retarget_do(kn_world *world, kn_entity_id unit, const call_item *call)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_entity_id to = call->order.target;
    unit_orders *orders = orders_get(world, unit);
    if (!knc_order_may_aim(world, to)) {
        return; // it has gone since
    }
    bool is_current = kn_entity_id_equal(orders->current.target, call->from);
    if (is_current) {
        orders->current.target = to;
    }
    uint32_t waiting = items_retarget(world, kit->orders, unit, call->from, to);
    uint32_t kept = items_retarget(world, kit->works, unit, call->from, to);
    const kn_order_retargeted event = {call->from, to, is_current + waiting + kept, 0};
    if (event.count == 0) {
        return;
    }
    (void)kn_world_publish(world, unit, kit->retargeted, &event);
    if (waiting > 0) {
        queue_publish(world, unit, false);
    }
    if (is_current) {
        current_retarget(world, unit);
    }
}

static kn_result call_do(
    kn_world *world, kn_entity_id unit, const call_item *call, kn_order_answer *answer)
{
    switch ((call_kind)call->kind) {
    case CALL_ISSUE:
        return issue_do(world, unit, &call->order, answer);
    case CALL_ENQUEUE:
        return enqueue_do(world, unit, &call->order, answer);
    case CALL_INSERT_AFTER:
        return insert_after_do(world, unit, &call->order, answer);
    case CALL_INSERT_BEFORE:
        return insert_before_do(world, unit, &call->order, answer);
    case CALL_CLEAR:
        queue_clear(world, unit);
        queue_publish(world, unit, true);
        return KN_OK;
    case CALL_STOP:
        return stop_do(world, unit, answer);
    case CALL_END:
        return end_do(world, unit, call);
    case CALL_RECHECK:
    case CALL_LOSE:
        recheck_do(world, unit, call);
        return KN_OK;
    case CALL_REMOVE:
        remove_do(world, unit);
        return KN_OK;
    case CALL_RESUME:
        return resume_do(world, unit);
    case CALL_RETARGET:
        retarget_do(world, unit, call);
        return KN_OK;
    default:
        return KN_ERROR_INVALID_ARGUMENT;
    }
}

// Calls that hooks made meanwhile, in their order. Hooks that give orders without end are stopped:
// what they asked for last is refused.
static void calls_follow(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    call_item call;
    uint32_t turns = 0;
    while (mind_read(world, unit) != NULL && call_take(world, unit, &call)) {
        kn_order_answer ignored = {0};
        turns += call.kind != CALL_END;
        kn_result result = KN_REFUSED_LIMIT;
        if (turns <= TURNS_MAX) {
            result = call_do(world, unit, &call, &ignored);
        }
        // Their caller has left: nobody else would hear that an order was not taken.
        if (call.kind <= CALL_INSERT_BEFORE && result != KN_OK &&
            result != KN_REFUSED_REQUIREMENT && mind_read(world, unit) != NULL) {
            order_publish(world, unit, kit->refused, &call.order);
        }
    }
}

typedef struct unit_call {
    kn_entity_id unit;
    const call_item *call;
    kn_order_answer *answer;
} unit_call;

static kn_result unit_run(void *user, kn_world *world)
{
    const unit_call *c = user;
    unit_mind *mind = mind_get(world, c->unit);
    if (mind->busy == knc_order_busy_now(world)) {
        c->answer->outcome = KN_ORDER_DEFERRED;
        if (c->call->kind == CALL_END &&
            (mind->is_running == 0 || mind->ticket != c->call->ticket)) {
            return KN_REFUSED_NOT_FOUND;
        }
        return call_wait(world, c->unit, c->call) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    mind->busy = knc_order_busy_now(world);
    kn_result result = call_do(world, c->unit, c->call, c->answer);
    calls_follow(world, c->unit);
    mind = mind_get(world, c->unit);
    if (mind != NULL) {
        mind->busy = 0;
    }
    return result;
}

// What every call checks first.
kn_result knc_order_unit_check(const kn_world *world, kn_entity_id unit)
{
    if (knc_order_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, unit)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    const unit_orders *orders = orders_read(world, unit); // a save may have one without the other
    return orders != NULL && mind_read(world, unit) != NULL && unit_def(world, orders->unit) != NULL
               ? KN_OK
               : KN_REFUSED_NOT_FOUND;
}

static kn_result unit_do(
    kn_world *world, kn_entity_id unit, const call_item *call, kn_order_answer *answer)
{
    kn_order_answer ignored;
    answer = answer != NULL ? answer : &ignored;
    *answer = (kn_order_answer){.outcome = KN_ORDER_NOT_TAKEN};
    kn_result result = knc_order_unit_check(world, unit);
    if (result != KN_OK) {
        return result;
    }
    unit_call c = {unit, call, answer};
    result = kn_world_call(world, unit_run, &c);
    if (result != KN_OK) {
        answer->outcome = KN_ORDER_NOT_TAKEN;
    }
    return result;
}

static kn_result order_give(kn_world *world, kn_entity_id unit, const kn_order *order,
    call_kind kind, kn_order_answer *answer)
{
    if (order == NULL || world == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    if (answer != NULL) {
        *answer = (kn_order_answer){.outcome = KN_ORDER_NOT_TAKEN};
    }
    if (def == NULL || def->target_kind == KN_ORDER_TARGET_PASSIVE) {
        return knc_order_kit_of_world(world) != NULL ? KN_REFUSED_NOT_FOUND
                                                     : KN_ERROR_INVALID_ARGUMENT;
    }
    if (!knc_order_is_finite(order)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    call_item call = {.kind = kind, .order = *order};
    call.order.uses_location = order->uses_location != 0;
    return unit_do(world, unit, &call, answer);
}

kn_result kn_order_issue(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    return order_give(world, unit, order, CALL_ISSUE, answer);
}

kn_result kn_order_enqueue(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    return order_give(world, unit, order, CALL_ENQUEUE, answer);
}

kn_result kn_order_insert_after(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    return order_give(world, unit, order, CALL_INSERT_AFTER, answer);
}

kn_result kn_order_insert_before(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer)
{
    return order_give(world, unit, order, CALL_INSERT_BEFORE, answer);
}

kn_result kn_order_clear_queue(kn_world *world, kn_entity_id unit)
{
    const call_item call = {.kind = CALL_CLEAR};
    return unit_do(world, unit, &call, NULL);
}

kn_result kn_order_stop(kn_world *world, kn_entity_id unit, kn_order_answer *answer)
{
    const call_item call = {.kind = CALL_STOP};
    return unit_do(world, unit, &call, answer);
}

kn_result kn_order_resume_work(kn_world *world, kn_entity_id unit)
{
    const call_item call = {.kind = CALL_RESUME};
    return unit_do(world, unit, &call, NULL);
}

typedef struct retarget_call {
    call_item call;
    uint32_t count;
} retarget_call;

// Units whose orders are aimed at an entity are found by the index of references; one that has
// several is there several times in a row.
static void referrers_retarget(
    kn_world *world, kn_component_type_id type, uint32_t reference, retarget_call *c)
{
    kn_component_referrer page[64], last = {0};
    bool is_first = true;
    uint32_t count;
    do {
        kn_entity_id before = {0};
        count = kn_component_referrers_after(
            world, type, reference, c->call.from, is_first ? NULL : &last, page, COUNT(page));
        uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            is_first = false;
            if (!kn_entity_id_equal(page[i].entity, before) &&
                unit_do(world, page[i].entity, &c->call, NULL) == KN_OK) {
                c->count++;
            }
            before = page[i].entity;
        }
    } while (count > COUNT(page));
}

static kn_result retarget_run(void *user, kn_world *world)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    retarget_call *c = user;
    referrers_retarget(world, kit->orders, 0, c);
    referrers_retarget(world, kit->orders, 1, c);
    referrers_retarget(world, kit->works, 0, c);
    return KN_OK;
}

kn_result kn_order_retarget(kn_world *world, kn_entity_id from, kn_entity_id to, uint32_t *count)
{
    retarget_call c = {.call = {.kind = CALL_RETARGET, .order = kn_order_default(), .from = from}};
    c.call.order.target = to;
    if (count != NULL) {
        *count = 0;
    }
    if (knc_order_kit_of_world(world) == NULL || from.index1 == 0 || to.index1 == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!knc_order_may_aim(world, to)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    kn_result result = kn_world_call(world, retarget_run, &c);
    if (count != NULL) {
        *count = c.count;
    }
    return result;
}

void knc_order_unit_retarget(kn_world *world, kn_entity_id unit, kn_entity_id from, kn_entity_id to)
{
    call_item call = {.kind = CALL_RETARGET, .order = kn_order_default(), .from = from};
    call.order.target = to;
    (void)unit_do(world, unit, &call, NULL);
}

kn_result kn_order_end(kn_world *world, kn_entity_id unit, uint32_t ticket, kn_order_result result)
{
    const call_item call = {.kind = CALL_END, .ticket = ticket, .result = result};
    return (uint32_t)result < KN_ORDER_RESULT_COUNT ? unit_do(world, unit, &call, NULL)
                                                    : KN_ERROR_INVALID_ARGUMENT;
}

void knc_order_recheck(kn_world *world, kn_entity_id unit, bool is_gone)
{
    const unit_mind *mind = mind_read(world, unit);
    if (mind != NULL && mind->is_running != 0) {
        const call_item call = {.kind = is_gone ? CALL_LOSE : CALL_RECHECK, .ticket = mind->ticket};
        (void)unit_do(world, unit, &call, NULL);
    }
}

kn_result kn_order_relation_changed(kn_world *world, kn_entity_id from, kn_entity_id to)
{
    kn_result result = knc_order_unit_check(world, from);
    if (result == KN_OK && kn_entity_id_equal(orders_read(world, from)->current.target, to)) {
        knc_order_recheck(world, from, false);
    }
    return result;
}

// Units ---------------------------------------------------------------------------------------

typedef struct add_call {
    kn_entity_id entity;
    kn_unit_type_id type;
} add_call;

static kn_result add_run(void *user, kn_world *world)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const add_call *c = user;
    unit_orders *orders = kn_component_add(world, kit->orders, c->entity);
    if (orders == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    orders->unit = c->type;
    orders->current = kn_order_default();
    unit_mind *mind = kn_component_add(world, kit->minds, c->entity);
    if (mind == NULL) {
        (void)kn_component_remove(world, kit->orders, c->entity);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    mind->last = kn_order_default();
    mind->busy = knc_order_busy_now(world);
    stop_obey(world, c->entity);
    calls_follow(world, c->entity);
    mind = mind_get(world, c->entity);
    if (mind != NULL) {
        mind->busy = 0;
        knc_order_autos_begin(world, c->entity);
    }
    return KN_OK;
}

kn_result kn_unit_add(kn_world *world, kn_entity_id entity, kn_unit_type_id type)
{
    kn_result result = knc_order_unit_check(world, entity);
    if (result != KN_REFUSED_NOT_FOUND) {
        return result == KN_OK ? KN_REFUSED_DUPLICATE : result;
    }
    if (type.index1 == 0 || unit_def(world, type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    add_call c = {entity, type};
    return kn_world_call(world, add_run, &c);
}

kn_result kn_unit_remove(kn_world *world, kn_entity_id entity)
{
    const call_item call = {.kind = CALL_REMOVE};
    return unit_do(world, entity, &call, NULL);
}

void knc_order_unit_die(kn_world *world, kn_entity_id unit)
{
    if (mind_read(world, unit) != NULL) {
        (void)kn_unit_remove(world, unit);
    }
}

kn_unit_type_id kn_unit_get_type(const kn_world *world, kn_entity_id entity)
{
    const unit_orders *orders =
        knc_order_kit_of_world(world) != NULL ? orders_read(world, entity) : NULL;
    return orders != NULL ? orders->unit : (kn_unit_type_id){0};
}

// Where a unit belongs while it obeys an order that began at `start`.
static kn_vec3 home_of(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_vec3 start)
{
    const kn_order_type_def *def = knc_order_type_of(world, order->type);
    const kn_order_home home = def != NULL ? def->home : KN_ORDER_HOME_START;
    kn_vec3 there;
    if (home == KN_ORDER_HOME_UNIT) {
        return knc_order_position(world, unit);
    }
    if (home == KN_ORDER_HOME_TARGET &&
        kn_space_position(kn_world_space(world), world, order->target, &there)) {
        return there;
    }
    return home == KN_ORDER_HOME_TARGET && order->uses_location != 0 ? order->location : start;
}

// Orders that were interrupted have a home, and come first in the queue. The last one of these in a
// row is what the unit was doing before it was interrupted for the first time.
static kn_vec3 home_before(const kn_world *world, kn_entity_id unit, kn_vec3 home)
{
    uint32_t count, row = 0;
    const queue_item *queue = queue_read(world, unit, &count);
    while (row < count && queue[row].has_home != 0) {
        row++;
    }
    const queue_item *first = &queue[row - 1];
    const kn_order_type_def *def = knc_order_type_of(world, first->order.type);
    if (def != NULL && def->home == KN_ORDER_HOME_UNIT) {
        return row > 1 ? queue[row - 2].home : home; // that of what interrupted it
    }
    return home_of(world, unit, &first->order, first->home);
}

bool kn_unit_get_info(const kn_world *world, kn_entity_id unit, kn_unit_info *info)
{
    const unit_orders *orders =
        knc_order_kit_of_world(world) != NULL ? orders_read(world, unit) : NULL;
    *info = (kn_unit_info){.current = kn_order_default(), .last = kn_order_default()};
    if (orders == NULL) {
        return false;
    }
    const unit_mind *mind = mind_read(world, unit);
    info->type = orders->unit;
    info->current = orders->current;
    info->home = home_of(world, unit, &orders->current, home_read(world, unit));
    info->queue_count = queue_count(world, unit);
    info->is_idle = is_idle(world, unit);
    uint32_t count;
    const queue_item *next = queue_read(world, unit, &count);
    if (count > 0 && next->has_home != 0) {
        info->interrupts = true;
        info->returns_to = home_before(world, unit, home_read(world, unit));
    }
    if (mind != NULL) {
        info->last = mind->last;
        info->ticket = mind->ticket;
    }
    return true;
}

uint32_t kn_unit_queue(const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity)
{
    uint32_t count = 0;
    const queue_item *queue =
        knc_order_kit_of_world(world) != NULL ? queue_read(world, unit, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = queue[i].order;
    }
    return count;
}

uint32_t kn_unit_work(const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    uint32_t count = 0;
    const queue_item *items =
        kit != NULL ? kn_component_read_items(world, kit->works, unit, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = items[i].order;
    }
    return count;
}

// Components ----------------------------------------------------------------------------------

// The fields of an order inside another struct.
static void order_fields(kn_field *fields, size_t offset)
{
    memcpy(fields, knc_order_fields, sizeof(knc_order_fields));
    for (uint32_t i = 0; i < COUNT(knc_order_fields); i++) {
        fields[i].offset += (uint32_t)offset;
    }
}

kn_result knc_order_components_register(kn_library *library, order_kit *kit, kn_error *error)
{
    enum { ORDER = COUNT(knc_order_fields) };
    static const kn_component_reference targets[] = {
        {.field = "target", .when_destroyed = KN_REFERENCE_LEAVE},
        {.field = "target", .of_items = true, .when_destroyed = KN_REFERENCE_LEAVE},
    };
    static const kn_field work[] = {KN_FIELD(unit_work, unused, KN_FIELD_U32)};
    kn_field orders[ORDER + 4], queue[ORDER + 2], mind[ORDER + 3], calls[ORDER + 5];
    order_fields(orders, offsetof(unit_orders, current));
    orders[ORDER] = (kn_field)KN_FIELD(unit_orders, home, KN_FIELD_VEC3);
    orders[ORDER + 1] = (kn_field)KN_FIELD_TO(unit_orders, unit, "order unit");
    orders[ORDER + 2] = (kn_field)KN_FIELD(unit_orders, first, KN_FIELD_U32);
    orders[ORDER + 3] = (kn_field)KN_FIELD(unit_orders, has_home, KN_FIELD_U32);
    order_fields(queue, offsetof(queue_item, order));
    queue[ORDER] = (kn_field)KN_FIELD(queue_item, home, KN_FIELD_VEC3);
    queue[ORDER + 1] = (kn_field)KN_FIELD(queue_item, has_home, KN_FIELD_U32);
    order_fields(mind, offsetof(unit_mind, last));
    mind[ORDER] = (kn_field)KN_FIELD(unit_mind, ticket, KN_FIELD_U32);
    mind[ORDER + 1] = (kn_field)KN_FIELD(unit_mind, busy, KN_FIELD_U32);
    mind[ORDER + 2] = (kn_field)KN_FIELD(unit_mind, is_running, KN_FIELD_U32);
    order_fields(calls, offsetof(call_item, order));
    calls[ORDER] = (kn_field)KN_FIELD(call_item, kind, KN_FIELD_U32);
    calls[ORDER + 1] = (kn_field)KN_FIELD(call_item, ticket, KN_FIELD_U32);
    calls[ORDER + 2] = (kn_field)KN_FIELD(call_item, result, KN_FIELD_U32);
    calls[ORDER + 3] = (kn_field)KN_FIELD(call_item, unused, KN_FIELD_U32);
    calls[ORDER + 4] = (kn_field)KN_FIELD(call_item, from, KN_FIELD_ENTITY);

    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Orders";
    def.size = sizeof(unit_orders);
    def.fields = orders;
    def.field_count = COUNT(orders);
    def.item_size = sizeof(queue_item);
    def.item_fields = queue;
    def.item_field_count = COUNT(queue);
    def.references = targets;
    def.reference_count = COUNT(targets);
    kn_result result = kn_component_register(library, &def, &kit->orders, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.OrderWork";
    def.size = sizeof(unit_work);
    def.fields = work;
    def.field_count = COUNT(work);
    def.references = targets + 1;
    def.reference_count = 1;
    def.sync = KN_SYNC_NONE;
    result = kn_component_register(library, &def, &kit->works, error);
    if (result != KN_OK) {
        return result;
    }
    def = kn_component_def_default();
    def.name = "Knack.OrderMind";
    def.size = sizeof(unit_mind);
    def.fields = mind;
    def.field_count = COUNT(mind);
    def.item_size = sizeof(call_item);
    def.item_fields = calls;
    def.item_field_count = COUNT(calls);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->minds, error);
}
