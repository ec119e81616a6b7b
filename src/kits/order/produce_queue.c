// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The queue of a producer. The first product is in work; a timer fires when it is done, at its
// exact time, and the next one begins then. A product leaves the queue before it is created, so
// that whatever hooks do to the queue meanwhile cannot concern it.

#include "produce_parts.h"

#include <stdio.h>
#include <string.h>

#define RETRY KN_S(1) // between two attempts to create something
// More products of one producer than this are not done at the same time: those that take no time
// and queue each other would never let time go on.
#define ENDS_MAX 64
#define ENDS_PAUSE KN_MS(1)

// State -----------------------------------------------------------------------------

static const producer *producer_read(const kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    return kit != NULL ? kn_component_read(world, kit->producers, entity) : NULL;
}

static producer *producer_get(kn_world *world, kn_entity_id entity)
{
    return kn_component_get(world, knc_produce_kit_of_world(world)->producers, entity);
}

static const product_item *items_read(const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(
        world, knc_produce_kit_of_world(world)->producers, entity, count);
}

static uint32_t items_count(const kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    (void)items_read(world, entity, &count);
    return count;
}

// NULL if the entity does not produce, or its type is not there any more.
static const kn_producer_def *type_of(const kn_world *world, kn_entity_id entity)
{
    const producer *own = producer_read(world, entity);
    return own != NULL ? kn_producer_get_def(kn_world_library(world), own->type) : NULL;
}

static bool item_insert(
    kn_world *world, kn_entity_id entity, const product_item *item, uint32_t position)
{
    kn_component_type_id type = knc_produce_kit_of_world(world)->producers;
    uint32_t count = items_count(world, entity);
    product_item *items = kn_component_resize(world, type, entity, count + 1);
    if (items == NULL) {
        return false;
    }
    position = position < count ? position : count;
    memmove(items + position + 1, items + position, (count - position) * sizeof(*items));
    items[position] = *item;
    return true;
}

static product_item item_take(kn_world *world, kn_entity_id entity, uint32_t position)
{
    kn_component_type_id type = knc_produce_kit_of_world(world)->producers;
    uint32_t count = 0;
    product_item *items = kn_component_items(world, type, entity, &count);
    const product_item item = items[position];
    memmove(items + position, items + position + 1, (count - position - 1) * sizeof(*items));
    (void)kn_component_resize(world, type, entity, count - 1);
    return item;
}

static void item_publish(kn_world *world, kn_entity_id entity, kn_custom_event_id event,
    const product_item *item, uint32_t position, kn_entity_id created, float refunded)
{
    const kn_product_event payload = {item->product, item->bill.payer, created, position, refunded};
    (void)kn_world_publish(world, entity, event, &payload);
}

static kn_product_case case_of(kn_entity_id entity, const product_item *item)
{
    const kn_product_case one = {
        .product = item->product, .maker = entity, .payer = item->bill.payer};
    return one;
}

// Working ---------------------------------------------------------------------------

static bool is_paused(const kn_world *world, kn_entity_id entity)
{
    const kn_producer_def *type = type_of(world, entity);
    return type == NULL || kn_entity_has_any_tag(world, entity, type->paused_by) ||
           kn_entity_has_tag(
               world, entity, knc_produce_kit_of_world(world)->tags[TAG_CONSTRUCTING]);
}

static void timer_set(kn_world *world, kn_entity_id entity, kn_time delay)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_timer_id timer = {0};
    (void)kn_timer_cancel(world, producer_read(world, entity)->timer);
    if (delay >= 0) {
        kn_result result = kn_timer_start(world, kit->timer, entity, delay, NULL, &timer);
        (void)result; // without memory the world is broken; an entity that ends needs no timer
    }
    producer_get(world, entity)->timer = timer;
}

static void state_set(kn_world *world, kn_entity_id entity, uint32_t state, kn_time until)
{
    producer *own = producer_get(world, entity);
    own->state = state;
    own->until = until;
}

// Time that the first product still needs.
static kn_time time_left(const kn_world *world, const producer *own)
{
    const kn_time now = kn_world_now(world);
    return own->state == KN_PRODUCER_WORKS && own->until > now ? knc_product_time(own->until - now)
           : own->state == KN_PRODUCER_PAUSES                  ? knc_product_time(own->until)
                                                               : 0;
}

// Works, or pauses, with so much left to do for the first product.
static void go_on(kn_world *world, kn_entity_id entity, kn_time left)
{
    if (is_paused(world, entity)) {
        timer_set(world, entity, -1);
        state_set(world, entity, KN_PRODUCER_PAUSES, left);
        return;
    }
    const producer *own = producer_read(world, entity);
    kn_time now = kn_world_now(world);
    kn_time delay = left;
    if (left == 0 && own->ends_at == now && own->ends >= ENDS_MAX) {
        delay = ENDS_PAUSE;
    }
    timer_set(world, entity, delay);
    state_set(world, entity, KN_PRODUCER_WORKS, now + delay);
}

// Begins with the first product of the queue.
static void first_begin(kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    const product_item *items = items_read(world, entity, &count);
    if (count == 0) {
        timer_set(world, entity, -1);
        state_set(world, entity, KN_PRODUCER_IDLE, 0);
        return;
    }
    const product_item first = items[0];
    const kn_product_case one = case_of(entity, &first);
    if (!knc_product_gates_may_begin(world, &one)) {
        const bool is_new = producer_read(world, entity)->state != KN_PRODUCER_HOLDS;
        timer_set(world, entity, RETRY);
        state_set(world, entity, KN_PRODUCER_HOLDS, 0);
        if (is_new) {
            knc_product_gates_note(world, &one, KN_PRODUCT_HELD);
        }
        return;
    }
    go_on(world, entity, knc_product_time(first.time));
    knc_product_gates_note(world, &one, KN_PRODUCT_BEGUN);
    item_publish(world, entity, knc_produce_kit_of_world(world)->started, &first, 0,
        (kn_entity_id){0}, 0.0f);
}

// A product that was done, but could not be created, is the first again.
static void first_wait(kn_world *world, kn_entity_id entity, const product_item *item, bool is_new)
{
    if (producer_read(world, entity) == NULL || !item_insert(world, entity, item, 0)) {
        kn_product_case one = case_of(entity, item);
        one.is_begun = true;
        (void)knc_product_refund(world, &item->bill, 1.0f);
        knc_product_gates_note(world, &one, KN_PRODUCT_CANCELLED);
        return;
    }
    timer_set(world, entity, RETRY);
    state_set(world, entity, KN_PRODUCER_WAITS, 0);
    if (is_new) {
        item_publish(world, entity, knc_produce_kit_of_world(world)->waits, item, 0,
            (kn_entity_id){0}, 0.0f);
    }
}

static void first_finish(kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const bool is_new = producer_read(world, entity)->state != KN_PRODUCER_WAITS;
    const product_item item = item_take(world, entity, 0);
    const kn_product_def *def = knc_product_of(world, item.product);
    kn_entity_id created = {0};
    kn_vec3 location = {0};
    bool is_placed, is_there = def != NULL;
    state_set(world, entity, STATE_FINISHES, 0);
    if (is_there) {
        is_there =
            knc_product_hook_agrees(world, &def->can_finish, item.product, entity, location, NULL);
    }
    if (is_there && def->archetype.index1 != 0) {
        location = knc_product_exit(world, entity, def, &is_placed);
        is_there = knc_product_create(
                       world, entity, def, def->archetype, location, is_placed, &created) == KN_OK;
    }
    if (!is_there) {
        first_wait(world, entity, &item, is_new);
        return;
    }
    producer *own = producer_get(world, entity);
    if (own != NULL) {
        kn_time now = kn_world_now(world);
        own->ends = own->ends_at == now ? own->ends + 1 : 1;
        own->ends_at = now;
    }
    kn_product_case one = case_of(entity, &item);
    one.created = created;
    knc_product_gates_note(world, &one, KN_PRODUCT_FINISHED);
    item_publish(world, entity, kit->finished, &item, 0, created, 0.0f);
    if (producer_read(world, entity) != NULL) {
        first_begin(world, entity);
    }
    if (created.index1 != 0) {
        knc_product_created(world, entity, item.product, item.bill.payer, created, location);
    }
    knc_product_deliver(world, entity, item.product, created);
}

static kn_time producer_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const producer *own = producer_read(world, entity);
    (void)user;
    (void)data;
    if (own != NULL && !kn_world_is_client(world) && items_count(world, entity) > 0 &&
        (own->state == KN_PRODUCER_WORKS || own->state == KN_PRODUCER_WAITS)) {
        first_finish(world, entity);
    } else if (own != NULL && !kn_world_is_client(world) && own->state == KN_PRODUCER_HOLDS) {
        first_begin(world, entity);
    }
    return 0;
}

// A tag may have paused the producer, or let it go on.
static void producer_look(kn_world *world, kn_entity_id entity)
{
    const producer *own = producer_read(world, entity);
    if (own == NULL) {
        return;
    }
    bool pauses = is_paused(world, entity);
    if (own->state == (uint32_t)(pauses ? KN_PRODUCER_WORKS : KN_PRODUCER_PAUSES)) {
        go_on(world, entity, time_left(world, own));
    }
}

// Queueing --------------------------------------------------------------------------

kn_result knc_produce_check(const kn_world *world, kn_entity_id entity)
{
    if (knc_produce_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_world_is_client(world) ? KN_REFUSED_BLOCKED : KN_OK;
}

// As knc_produce_check(), for those who produce.
static kn_result producer_check(const kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_produce_check(world, entity);
    return result != KN_OK ? result : type_of(world, entity) == NULL ? KN_REFUSED_NOT_FOUND : KN_OK;
}

kn_product_id knc_producer_product_at(const kn_world *world, kn_entity_id entity, int32_t index)
{
    const kn_producer_def *type = type_of(world, entity);
    return type != NULL && index >= 0 && (uint32_t)index < type->product_count
               ? type->products[index]
               : (kn_product_id){0};
}

static bool can_ever_make(const kn_producer_def *type, kn_product_id product)
{
    for (uint32_t i = 0; i < type->product_count; i++) {
        if (type->products[i].index1 == product.index1) {
            return true;
        }
    }
    return false;
}

static bool queue_is_full(const kn_world *world, kn_entity_id entity, kn_product_id product)
{
    const kn_producer_def *type = type_of(world, entity);
    const kn_product_def *def = knc_product_of(world, product);
    uint32_t count, same = 0;
    const product_item *items = items_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        same += items[i].product.index1 == product.index1;
    }
    return (type->queue_limit != 0 && count >= type->queue_limit) ||
           (def->limit != 0 && same >= def->limit);
}

static kn_result check_all(
    const kn_world *world, kn_entity_id entity, kn_product_id product, kn_product_answer *answer)
{
    if (knc_produce_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    const kn_producer_def *type = type_of(world, entity);
    const kn_product_def *def = knc_product_of(world, product);
    if (type == NULL || def == NULL || def->site || !can_ever_make(type, product)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_result result = knc_product_may_begin(world, entity, product, answer);
    if (queue_is_full(world, entity, product)) {
        kn_order_errors_add(&answer->errors, knc_produce_kit_of_world(world)->tags[TAG_LIMIT]);
        return result == KN_REFUSED_REQUIREMENT ? result : KN_REFUSED_LIMIT;
    }
    return result;
}

kn_result kn_product_check(
    const kn_world *world, kn_entity_id entity, kn_product_id product, kn_product_answer *answer)
{
    kn_product_answer ignored;
    answer = answer != NULL ? answer : &ignored;
    *answer = (kn_product_answer){0};
    return check_all(world, entity, product, answer);
}

typedef struct queue_call {
    kn_entity_id entity;
    kn_product_id product;
    kn_product_answer *answer;
    uint32_t position;
} queue_call;

static kn_result enqueue_run(void *user, kn_world *world)
{
    const queue_call *c = user;
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_product_terms terms;
    (void)kn_product_quote(world, c->entity, c->product, &terms);
    product_item item = {.time = terms.time, .product = c->product};
    kn_entity_id payer = kn_product_payer(world, c->entity);
    kn_result result = knc_product_pay(world, payer, &terms, &item.bill);
    if (result != KN_OK) {
        kn_order_errors_add(&c->answer->errors, kit->tags[TAG_COST]);
        return result;
    }
    uint32_t position = items_count(world, c->entity);
    if (producer_read(world, c->entity) == NULL ||
        !item_insert(world, c->entity, &item, position)) {
        (void)knc_product_refund(world, &item.bill, 1.0f);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    const kn_product_case one = case_of(c->entity, &item);
    knc_product_gates_note(world, &one, KN_PRODUCT_QUEUED);
    item_publish(world, c->entity, kit->queued, &item, position, (kn_entity_id){0}, 0.0f);
    const producer *own = producer_read(world, c->entity);
    if (own != NULL && own->state == KN_PRODUCER_IDLE) {
        first_begin(world, c->entity);
    }
    return KN_OK;
}

kn_result kn_product_enqueue(
    kn_world *world, kn_entity_id entity, kn_product_id product, kn_product_answer *answer)
{
    kn_product_answer ignored;
    answer = answer != NULL ? answer : &ignored;
    *answer = (kn_product_answer){0};
    kn_result result = producer_check(world, entity);
    result = result == KN_OK ? check_all(world, entity, product, answer) : result;
    queue_call c = {.entity = entity, .product = product, .answer = answer};
    return result == KN_OK ? kn_world_call(world, enqueue_run, &c) : result;
}

// Takes a product out of the queue, and refunds a share of what its definition says.
static void item_cancel(kn_world *world, kn_entity_id entity, uint32_t position, float share)
{
    const uint32_t state = producer_read(world, entity)->state;
    const product_item item = item_take(world, entity, position);
    const kn_product_def *def = knc_product_of(world, item.product);
    kn_product_case one = case_of(entity, &item);
    one.is_begun = position == 0 && state != STATE_FINISHES && state != KN_PRODUCER_HOLDS;
    float refunded =
        knc_product_refund(world, &item.bill, def != NULL ? share * def->refund : share);
    knc_product_gates_note(world, &one, KN_PRODUCT_CANCELLED);
    item_publish(world, entity, knc_produce_kit_of_world(world)->cancelled, &item, position,
        (kn_entity_id){0}, refunded);
}

static kn_result cancel_run(void *user, kn_world *world)
{
    const queue_call *c = user;
    item_cancel(world, c->entity, c->position, 1.0f);
    const producer *own = producer_read(world, c->entity);
    if (c->position == 0 && own != NULL && own->state != STATE_FINISHES) {
        first_begin(world, c->entity);
    }
    return KN_OK;
}

kn_result kn_product_cancel(kn_world *world, kn_entity_id entity, int32_t index)
{
    kn_result result = producer_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    uint32_t count = items_count(world, entity);
    queue_call c = {.entity = entity, .position = index == -1 ? count - 1 : (uint32_t)index};
    return count == 0 || index < -1 || c.position >= count ? KN_REFUSED_NOT_FOUND
                                                           : kn_world_call(world, cancel_run, &c);
}

static kn_result retry_run(void *user, kn_world *world)
{
    first_begin(world, *(const kn_entity_id *)user);
    return KN_OK;
}

kn_result kn_producer_retry(kn_world *world, kn_entity_id entity)
{
    kn_result result = producer_check(world, entity);
    if (result == KN_OK && producer_read(world, entity)->state != KN_PRODUCER_HOLDS) {
        result = KN_REFUSED_NOT_FOUND;
    }
    return result == KN_OK ? kn_world_call(world, retry_run, &entity) : result;
}

// Cancels the whole queue, the last one first.
static void queue_end(kn_world *world, kn_entity_id entity, float share)
{
    uint32_t count = items_count(world, entity);
    while (count > 0) {
        item_cancel(world, entity, count - 1, share);
        count = items_count(world, entity);
    }
    const producer *own = producer_read(world, entity);
    if (own != NULL && own->state != STATE_FINISHES) {
        first_begin(world, entity);
    }
}

// Producers -------------------------------------------------------------------------

typedef struct producer_call {
    kn_entity_id entity;
    kn_producer_id type;
} producer_call;

static kn_result add_run(void *user, kn_world *world)
{
    const producer_call *c = user;
    producer *own = kn_component_add(world, knc_produce_kit_of_world(world)->producers, c->entity);
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    own->type = c->type;
    own->ends_at = -1;
    return KN_OK;
}

kn_result kn_producer_add(kn_world *world, kn_entity_id entity, kn_producer_id type)
{
    kn_result result = knc_produce_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (type.index1 == 0 || kn_producer_get_def(kn_world_library(world), type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    producer_call c = {entity, type};
    return producer_read(world, entity) != NULL ? KN_REFUSED_DUPLICATE
                                                : kn_world_call(world, add_run, &c);
}

static kn_result remove_run(void *user, kn_world *world)
{
    const producer_call *c = user;
    const produce_kit *kit = knc_produce_kit_of_world(world);
    queue_end(world, c->entity, 1.0f);
    timer_set(world, c->entity, -1);
    (void)kn_component_remove(world, kit->producers, c->entity);
    (void)kn_component_remove(world, kit->rallies, c->entity);
    return KN_OK;
}

kn_result kn_producer_remove(kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_produce_check(world, entity);
    if (result == KN_OK && producer_read(world, entity) == NULL) {
        result = KN_REFUSED_NOT_FOUND;
    }
    producer_call c = {.entity = entity};
    return result == KN_OK ? kn_world_call(world, remove_run, &c) : result;
}

// How much of the first product is done.
static float progress_of(const kn_world *world, const producer *own, const product_item *first)
{
    kn_time left = time_left(world, own);
    if (own->state == KN_PRODUCER_HOLDS) {
        return 0.0f;
    }
    if (own->state == KN_PRODUCER_WAITS || first->time <= 0 || left <= 0) {
        return own->state == KN_PRODUCER_WAITS || left <= 0 ? 1.0f : 0.0f;
    }
    return left < first->time ? (float)((double)(first->time - left) / (double)first->time) : 0.0f;
}

bool kn_producer_get_info(const kn_world *world, kn_entity_id entity, kn_producer_info *info)
{
    const producer *own = producer_read(world, entity);
    *info = (kn_producer_info){0};
    if (own == NULL) {
        return false;
    }
    uint32_t count;
    const product_item *items = items_read(world, entity, &count);
    info->type = own->type;
    info->queue_count = count;
    info->state =
        own->state < KN_PRODUCER_STATE_COUNT ? (kn_producer_state)own->state : KN_PRODUCER_WORKS;
    if (count > 0) {
        info->remaining = time_left(world, own);
        info->progress = progress_of(world, own, &items[0]);
    }
    return true;
}

uint32_t kn_producer_queue(
    const kn_world *world, kn_entity_id entity, kn_product_item *out, uint32_t capacity)
{
    const producer *own = producer_read(world, entity);
    if (own == NULL) {
        return 0;
    }
    uint32_t count;
    const product_item *items = items_read(world, entity, &count);
    bool works = own->state == KN_PRODUCER_WORKS;
    kn_time done_at = own->until;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        if (i > 0 && works) {
            done_at = done_at < KN_TIME_MAX ? done_at + knc_product_time(items[i].time) : done_at;
        }
        out[i] = (kn_product_item){
            .product = items[i].product,
            .payer = items[i].bill.payer,
            .progress = i == 0 ? progress_of(world, own, &items[0]) : 0.0f,
            .done_at = works ? done_at : KN_TIME_INFINITE,
        };
    }
    return count;
}

// Rules -----------------------------------------------------------------------------

static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world)) {
        producer_look(world, reaction->entity);
    }
}

static void become_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_producer_id type = {(uint32_t)(uintptr_t)user};
    const kn_producer_def *def = kn_producer_get_def(kn_world_library(world), type);
    if (def != NULL && kn_entity_has_tag(world, reaction->entity, def->tag)) {
        (void)kn_producer_add(world, reaction->entity, type);
    }
}

static void death_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_producer_def *type = type_of(world, reaction->entity);
    (void)user;
    if (type != NULL && !kn_world_is_client(world)) {
        queue_end(world, reaction->entity, type->on_death == KN_PRODUCER_REFUND ? 1.0f : 0.0f);
    }
}

static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_producer_def *type = type_of(world, reaction->entity);
    (void)user;
    if (type != NULL && !kn_world_is_client(world) && type->on_owner_change != KN_PRODUCER_KEEP) {
        queue_end(
            world, reaction->entity, type->on_owner_change == KN_PRODUCER_REFUND ? 1.0f : 0.0f);
        (void)kn_component_remove(
            world, knc_produce_kit_of_world(world)->rallies, reaction->entity);
    }
}

static kn_result tag_hear(kn_library *library, produce_kit *kit, kn_tag tag, kn_error *error)
{
    char name[64];
    for (uint32_t i = 0; i < kit->heard_count; i++) {
        if (kit->heard[i].index1 == tag.index1) {
            return KN_OK;
        }
    }
    if (!kn_memory_grow(
            NULL, &kit->heard, &kit->heard_capacity, kit->heard_count + 1, sizeof(*kit->heard))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->heard[kit->heard_count++] = tag;
    (void)snprintf(name, sizeof(name), "Knack.ProduceGains.%u", tag.index1);
    kn_result result =
        knc_produce_rule(library, name, KN_TRIGGER_TAG_ADDED, tag, 0, tag_rule, kit, error);
    (void)snprintf(name, sizeof(name), "Knack.ProduceLoses.%u", tag.index1);
    return result != KN_OK ? result
                           : knc_produce_rule(library, name, KN_TRIGGER_TAG_REMOVED, tag, 0,
                                 tag_rule, kit, error);
}

static kn_result producer_expand(
    kn_library *library, produce_kit *kit, uint32_t index1, kn_error *error)
{
    const kn_producer_def *def = kn_def_get(library, kit->producer_kind, index1);
    char name[64];
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < def->paused_by.count; i++) {
        result = tag_hear(library, kit, def->paused_by.data[i], error);
    }
    (void)snprintf(name, sizeof(name), "Knack.Producer.%u", index1);
    if (result == KN_OK && def->tag.index1 != 0) {
        result = knc_produce_rule(library, name, KN_TRIGGER_TAG_ADDED, def->tag, 0, become_rule,
            (void *)(uintptr_t)index1, error);
    }
    return result;
}

kn_result knc_produce_queue_expand(kn_library *library, produce_kit *kit, kn_error *error)
{
    const kn_order_rules_def *rules = kn_def_get(library, kit->orders->rules_kind, 1);
    bool is_named = rules != NULL && rules->alive.index1 != 0;
    const kn_tag alive = is_named ? rules->alive : kit->orders->own_tags[TAG_ALIVE];
    kn_result result = tag_hear(library, kit, kit->tags[TAG_CONSTRUCTING], error);
    if (result == KN_OK) {
        result = knc_produce_rule(library, "Knack.ProducerDies", KN_TRIGGER_TAG_REMOVED, alive, 0,
            death_rule, kit, error);
    }
    result = result == KN_OK ? knc_site_expand(library, kit, alive, error) : result;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->producer_kind); i++) {
        result = producer_expand(library, kit, i, error);
    }
    return result;
}

static kn_result rules_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_result result = knc_produce_rule(library, "Knack.ProducerDestroyed",
        KN_TRIGGER_ENTITY_DESTROYED, (kn_tag){0}, 0, death_rule, kit, error);
    return result != KN_OK ? result
                           : knc_produce_rule(library, "Knack.ProducerOwner",
                                 KN_TRIGGER_OWNER_CHANGED, (kn_tag){0}, 0, owner_rule, kit, error);
}

kn_result knc_produce_queue_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_field fields[] = {
        KN_FIELD_TO(producer, type, "producer"),
        KN_FIELD(producer, state, KN_FIELD_U32),
        KN_FIELD(producer, until, KN_FIELD_TIME),
        KN_FIELD(producer, timer, KN_FIELD_TIMER),
        KN_FIELD(producer, ends_at, KN_FIELD_TIME),
        KN_FIELD(producer, ends, KN_FIELD_U32),
        KN_FIELD(producer, unused, KN_FIELD_U32),
    };
    kn_field items[BILL_FIELDS + 3] = {
        KN_FIELD(product_item, time, KN_FIELD_TIME),
        KN_FIELD_TO(product_item, product, "product"),
    };
    knc_product_bill_fields(items + 2, offsetof(product_item, bill));
    items[BILL_FIELDS + 2] = (kn_field)KN_FIELD(product_item, unused, KN_FIELD_U32);
    for (uint32_t i = 3; i < COUNT(fields); i++) {
        fields[i].sync = KN_SYNC_NONE;
    }
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Producer";
    def.size = sizeof(producer);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(product_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_OWNER;
    kn_result result = kn_component_register(library, &def, &kit->producers, error);
    if (result == KN_OK) {
        result = kn_timer_type_register(
            library, "Knack.Produce", producer_timer, kit, &kit->timer, error);
    }
    return result != KN_OK ? result : rules_register(library, kit, error);
}
