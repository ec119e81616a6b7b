// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Workers at nodes: they take something at their exact times, carry it, and deliver it. Whoever
// works or waits at a node refers to it, so that a node knows its workers by the index of
// references.

#include "produce_parts.h"

#include <math.h>
#include <stdio.h>

// State -----------------------------------------------------------------------------

const gatherer *knc_gatherer_read(const kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    return kit != NULL ? kn_component_read(world, kit->gatherers, entity) : NULL;
}

static gatherer *gatherer_get(kn_world *world, kn_entity_id entity)
{
    return kn_component_get(world, knc_produce_kit_of_world(world)->gatherers, entity);
}

const kn_gatherer_def *knc_gatherer_type(const kn_world *world, kn_entity_id entity)
{
    const gatherer *own = knc_gatherer_read(world, entity);
    return own != NULL ? kn_gatherer_get_def(kn_world_library(world), own->type) : NULL;
}

const kn_gather_kind *knc_gather_kind_find(const kn_gatherer_def *type, kn_tag tag)
{
    for (uint32_t i = 0; type != NULL && tag.index1 != 0 && i < type->kind_count; i++) {
        if (type->kinds[i].tag.index1 == tag.index1) {
            return &type->kinds[i];
        }
    }
    return NULL;
}

const kn_gather_kind *knc_gather_kind_of(
    const kn_world *world, kn_entity_id entity, kn_entity_id node)
{
    const kn_gatherer_def *type = knc_gatherer_type(world, entity);
    if (type == NULL || kn_entity_is_dying(world, node) ||
        !kn_entity_has_tag(world, node, knc_produce_kit_of_world(world)->tags[TAG_RESOURCE])) {
        return NULL;
    }
    for (uint32_t i = 0; i < type->kind_count; i++) {
        if (kn_entity_has_tag(world, node, type->kinds[i].tag)) {
            return &type->kinds[i];
        }
    }
    return NULL;
}

static void gather_publish(kn_world *world, kn_entity_id entity, kn_custom_event_id event,
    kn_entity_id from, kn_entity_id to, kn_tag kind, float amount)
{
    const kn_gather_event payload = {from, to, kind, amount};
    (void)kn_world_publish(world, entity, event, &payload);
}

// Loads -----------------------------------------------------------------------------

static void tag_switch(kn_world *world, kn_entity_id entity, produce_tag tag, bool is_on)
{
    const kn_tag id = knc_produce_kit_of_world(world)->tags[tag];
    const uint32_t count =
        kn_entity_tag_count_origin(world, entity, id, KN_TAG_ORIGIN_LOOSE_SYNCED);
    if ((count > 0) != is_on) {
        (void)kn_entity_set_tag_count(world, entity, id, KN_TAG_ORIGIN_LOOSE_SYNCED, is_on);
    }
}

static void load_set(kn_world *world, kn_entity_id entity, const kn_gather_kind *kind, float amount)
{
    gatherer *own = gatherer_get(world, entity);
    own->amount = amount;
    own->carries = amount > 0.0f ? kind->tag : (kn_tag){0};
    tag_switch(world, entity, TAG_CARRYING, amount > 0.0f);
    tag_switch(world, entity, TAG_FULL, amount > 0.0f && amount >= kind->capacity);
}

// Working -----------------------------------------------------------------------------

static void timer_set(kn_world *world, kn_entity_id entity, kn_time delay)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_timer_id timer = {0};
    (void)kn_timer_cancel(world, knc_gatherer_read(world, entity)->timer);
    if (delay < KN_TIME_INFINITE) {
        kn_result result = kn_timer_start(world, kit->gather_timer, entity, delay, NULL, &timer);
        (void)result; // without memory the world is broken; an entity that ends needs no timer
    }
    gatherer *own = gatherer_get(world, entity);
    own->timer = timer;
    own->next = delay < KN_TIME_INFINITE ? kn_world_now(world) + delay : KN_TIME_INFINITE;
}

static void work_begin(kn_world *world, kn_entity_id entity, kn_entity_id node, uint32_t ticket)
{
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, node);
    gatherer *own = gatherer_get(world, entity);
    own->node = node;
    own->waits = (kn_entity_id){0};
    own->ticket = ticket;
    timer_set(world, entity, kind->time);
}

static void task_end(kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    if (ticket != 0) {
        (void)kn_tree_finish_task(world, entity, ticket, KN_TREE_SUCCEEDED);
    }
}

// The one that waits at a node for the longest time; null for none.
static kn_entity_id waiter_find(const kn_world *world, kn_entity_id node)
{
    kn_component_referrer page[16], last = {0};
    kn_entity_id best = {0};
    bool is_first = true;
    kn_time since = 0;
    uint32_t count;
    do {
        count = kn_component_referrers_after(world, knc_produce_kit_of_world(world)->gatherers, 1,
            node, is_first ? NULL : &last, page, COUNT(page));
        uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            const gatherer *own = knc_gatherer_read(world, page[i].entity);
            last = page[i];
            is_first = false;
            if (best.index1 == 0 || own->since < since) {
                best = page[i].entity;
                since = own->since;
            }
        }
    } while (count > COUNT(page));
    return best;
}

// Ends what a gatherer does at a node, and lets the next one begin there. Returns the ticket of its
// task.
static uint32_t work_end(kn_world *world, kn_entity_id entity)
{
    gatherer *own = gatherer_get(world, entity);
    const kn_entity_id node = own->node;
    const uint32_t ticket = own->ticket;
    own->node = own->waits = (kn_entity_id){0};
    own->ticket = 0;
    timer_set(world, entity, KN_TIME_INFINITE);
    kn_entity_id next = node.index1 != 0 ? waiter_find(world, node) : (kn_entity_id){0};
    if (next.index1 == 0) {
        return ticket;
    }
    if (kn_gather_left(world, next, node) > 0.0f && knc_gather_has_room(world, next, node)) {
        work_begin(world, next, node, knc_gatherer_read(world, next)->ticket);
    }
    return ticket;
}

// Sends those who wait at a node that has nothing left away, so that they look for another one.
static void waiters_dismiss(kn_world *world, kn_entity_id node)
{
    kn_entity_id next = waiter_find(world, node);
    while (next.index1 != 0) {
        task_end(world, next, work_end(world, next));
        next = waiter_find(world, node);
    }
}

static float node_take(kn_world *world, kn_entity_id node, const kn_gather_kind *kind, float wanted)
{
    if (kind->from.index1 == 0) {
        return wanted;
    }
    const float before = kn_attribute_base(world, node, kind->from);
    const float amount = wanted < before ? wanted : before;
    if (!(amount > 0.0f)) {
        return 0.0f;
    }
    (void)kn_attribute_set_base(world, node, kind->from, 0, before - amount);
    const float taken = before - kn_attribute_base(world, node, kind->from);
    return taken > 0.0f ? taken : 0.0f;
}

// Takes something. False once there is nothing more to take.
static bool work_do(kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const gatherer own = *knc_gatherer_read(world, entity);
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, own.node);
    if (kind == NULL || (own.amount > 0.0f && own.carries.index1 != kind->tag.index1)) {
        return false;
    }
    const float room = kind->capacity - own.amount;
    const float taken = node_take(world, own.node, kind, kind->amount < room ? kind->amount : room);
    if (!(taken > 0.0f)) {
        return false;
    }
    // Rounding must not keep it from being full.
    const float load = taken < room ? own.amount + taken : kind->capacity;
    load_set(world, entity, kind, load);
    gather_publish(world, entity, kit->gathered, own.node, entity, kind->tag, taken);
    return load < kind->capacity && kn_gather_left(world, entity, own.node) > 0.0f;
}

static void work_turn(kn_world *world, kn_entity_id entity)
{
    const kn_entity_id node = knc_gatherer_read(world, entity)->node;
    const bool goes_on = work_do(world, entity);
    if (knc_gatherer_read(world, entity) == NULL) {
        return; // a hook of the attribute has ended it
    }
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, node);
    if (goes_on && kind != NULL) {
        timer_set(world, entity, kind->time);
        return;
    }
    const bool is_empty = kn_gather_left(world, entity, node) == 0.0f;
    if (is_empty && kind != NULL && kind->ends_node) {
        (void)kn_entity_destroy(world, node); // the rule about that sends all workers on
        return;
    }
    const uint32_t ticket = work_end(world, entity);
    if (is_empty) {
        waiters_dismiss(world, node);
    }
    task_end(world, entity, ticket);
}

static kn_time gather_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const gatherer *own = knc_gatherer_read(world, entity);
    (void)user;
    (void)data;
    if (own != NULL && !kn_world_is_client(world) && own->node.index1 != 0) {
        work_turn(world, entity);
    }
    return 0;
}

// Calls ---------------------------------------------------------------------------------

static kn_result gatherer_check(const kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_produce_check(world, entity);
    return result == KN_OK && knc_gatherer_type(world, entity) == NULL ? KN_REFUSED_NOT_FOUND
                                                                       : result;
}

static bool is_at_work(const gatherer *own)
{
    return own->node.index1 != 0 || own->waits.index1 != 0;
}

typedef struct gather_call {
    kn_entity_id entity, node;
    kn_gatherer_id type;
    uint32_t ticket;
    const kn_gather_kind *kind;
    float amount;
} gather_call;

static kn_result start_run(void *user, kn_world *world)
{
    const gather_call *c = user;
    if (is_at_work(knc_gatherer_read(world, c->entity))) {
        (void)work_end(world, c->entity);
    }
    if (knc_gather_has_room(world, c->entity, c->node)) {
        work_begin(world, c->entity, c->node, c->ticket);
        return KN_OK;
    }
    gatherer *own = gatherer_get(world, c->entity);
    own->waits = c->node;
    own->since = kn_world_now(world);
    own->ticket = c->ticket;
    return KN_OK;
}

kn_result kn_gather_start(kn_world *world, kn_entity_id entity, kn_entity_id node, uint32_t ticket)
{
    kn_result result = gatherer_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (!kn_entity_is_alive(world, node)) {
        return KN_REFUSED_STALE_ID;
    }
    const gatherer *own = knc_gatherer_read(world, entity);
    const kn_gather_kind *kind = knc_gather_kind_of(world, entity, node);
    if (kind == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (kn_gather_left(world, entity, node) == 0.0f ||
        (own->amount > 0.0f &&
            (own->carries.index1 != kind->tag.index1 || own->amount >= kind->capacity))) {
        return KN_REFUSED_LIMIT;
    }
    gather_call c = {.entity = entity, .node = node, .ticket = ticket};
    return kn_world_call(world, start_run, &c);
}

static kn_result stop_run(void *user, kn_world *world)
{
    const gather_call *c = user;
    (void)work_end(world, c->entity);
    return KN_OK;
}

kn_result kn_gather_stop(kn_world *world, kn_entity_id entity)
{
    kn_result result = gatherer_check(world, entity);
    if (result == KN_OK && !is_at_work(knc_gatherer_read(world, entity))) {
        result = KN_REFUSED_NOT_FOUND;
    }
    gather_call c = {.entity = entity};
    return result == KN_OK ? kn_world_call(world, stop_run, &c) : result;
}

static kn_result deliver_run(void *user, kn_world *world)
{
    gather_call *c = user;
    const gatherer own = *knc_gatherer_read(world, c->entity);
    const kn_entity_id to = kn_product_payer(world, c->entity);
    const float before = kn_attribute_base(world, to, c->kind->to);
    kn_result result = kn_attribute_set_base(world, to, c->kind->to, 0, before + own.amount);
    if (result != KN_OK) {
        return result;
    }
    c->amount = kn_attribute_base(world, to, c->kind->to) - before;
    if (knc_gatherer_read(world, c->entity) != NULL) {
        load_set(world, c->entity, c->kind, 0.0f);
    }
    gather_publish(world, c->entity, knc_produce_kit_of_world(world)->delivered, c->node, to,
        c->kind->tag, c->amount);
    return KN_OK;
}

kn_result kn_gather_deliver(
    kn_world *world, kn_entity_id entity, kn_entity_id drop, float *delivered)
{
    kn_result result = gatherer_check(world, entity);
    gather_call c = {.entity = entity, .node = drop};
    if (result == KN_OK) {
        const gatherer *own = knc_gatherer_read(world, entity);
        c.kind = knc_gather_kind_find(knc_gatherer_type(world, entity), own->carries);
        result = c.kind == NULL || !(own->amount > 0.0f) ? KN_REFUSED_NOT_FOUND
                 : !kn_attribute_exists(world, kn_product_payer(world, entity), c.kind->to, 0)
                     ? KN_REFUSED_MISSING_ATTRIBUTE
                     : kn_world_call(world, deliver_run, &c);
    }
    if (delivered != NULL) {
        *delivered = c.amount;
    }
    return result;
}

static kn_result load_run(void *user, kn_world *world)
{
    const gather_call *c = user;
    load_set(world, c->entity, c->kind, c->amount);
    return KN_OK;
}

kn_result kn_gather_set_load(kn_world *world, kn_entity_id entity, kn_tag kind, float amount)
{
    kn_result result = gatherer_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    gather_call c = {.entity = entity, .amount = amount};
    c.kind = knc_gather_kind_find(knc_gatherer_type(world, entity), kind);
    if (c.kind == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!isfinite(amount) || amount < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return amount > c.kind->capacity ? KN_REFUSED_LIMIT : kn_world_call(world, load_run, &c);
}

// Gatherers -------------------------------------------------------------------------------

static kn_result add_run(void *user, kn_world *world)
{
    const gather_call *c = user;
    gatherer *own = kn_component_add(world, knc_produce_kit_of_world(world)->gatherers, c->entity);
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    own->type = c->type;
    own->next = KN_TIME_INFINITE;
    return KN_OK;
}

kn_result kn_gatherer_add(kn_world *world, kn_entity_id entity, kn_gatherer_id type)
{
    kn_result result = knc_produce_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (type.index1 == 0 || kn_gatherer_get_def(kn_world_library(world), type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    gather_call c = {.entity = entity, .type = type};
    return knc_gatherer_read(world, entity) != NULL ? KN_REFUSED_DUPLICATE
                                                    : kn_world_call(world, add_run, &c);
}

static kn_result remove_run(void *user, kn_world *world)
{
    const gather_call *c = user;
    (void)work_end(world, c->entity);
    tag_switch(world, c->entity, TAG_CARRYING, false);
    tag_switch(world, c->entity, TAG_FULL, false);
    (void)kn_component_remove(world, knc_produce_kit_of_world(world)->gatherers, c->entity);
    return KN_OK;
}

kn_result kn_gatherer_remove(kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_produce_check(world, entity);
    if (result == KN_OK && knc_gatherer_read(world, entity) == NULL) {
        result = KN_REFUSED_NOT_FOUND;
    }
    gather_call c = {.entity = entity};
    return result == KN_OK ? kn_world_call(world, remove_run, &c) : result;
}

bool kn_gatherer_get_info(const kn_world *world, kn_entity_id entity, kn_gatherer_info *info)
{
    const gatherer *own = knc_gatherer_read(world, entity);
    *info = (kn_gatherer_info){0};
    if (own == NULL) {
        return false;
    }
    info->type = own->type;
    info->node = own->node;
    info->waits = own->waits;
    info->carries = own->carries;
    info->amount = own->amount;
    info->next = own->node.index1 != 0 ? own->next : KN_TIME_INFINITE;
    return true;
}

// Rules -----------------------------------------------------------------------------------

static void become_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_gatherer_id type = {(uint32_t)(uintptr_t)user};
    const kn_gatherer_def *def = kn_gatherer_get_def(kn_world_library(world), type);
    if (def != NULL && kn_entity_has_tag(world, reaction->entity, def->tag)) {
        (void)kn_gatherer_add(world, reaction->entity, type);
    }
}

// Workers with an order to gather at a node that ends go to another one; if there is none, they
// bring what they carry.
static void worker_send_on(kn_world *world, kn_entity_id worker, kn_entity_id node)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const gatherer *own = knc_gatherer_read(world, worker);
    const kn_gatherer_def *type = knc_gatherer_type(world, worker);
    kn_unit_info info;
    kn_entity_id other = {0};
    if (own == NULL || type == NULL) {
        return;
    }
    const float amount = own->amount;
    for (uint32_t i = 0; i < type->kind_count && other.index1 == 0; i++) {
        if (kn_entity_has_tag(world, node, type->kinds[i].tag)) {
            other = kn_gather_find_node(
                world, worker, type->kinds[i].tag, knc_order_position(world, node), node);
        }
    }
    if (other.index1 != 0) {
        knc_order_unit_retarget(world, worker, node, other);
    } else if (amount > 0.0f && kn_unit_get_info(world, worker, &info) &&
               kn_entity_id_equal(info.current.target, node)) {
        kn_order bring = kn_order_of(kit->bring);
        (void)kn_order_insert_before(world, worker, &bring, NULL);
    }
}

// Calls a function for every entity that refers to another.
static void referrers_visit(kn_world *world, kn_component_type_id type, uint32_t reference,
    kn_entity_id to, void (*visit)(kn_world *world, kn_entity_id entity, kn_entity_id to))
{
    kn_component_referrer page[16], last = {0};
    bool is_first = true;
    uint32_t count;
    do {
        kn_entity_id before = {0};
        count = kn_component_referrers_after(
            world, type, reference, to, is_first ? NULL : &last, page, COUNT(page));
        uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            is_first = false;
            if (!kn_entity_id_equal(last.entity, before)) {
                visit(world, last.entity, to);
            }
            before = last.entity;
        }
    } while (count > COUNT(page));
}

static void worker_dismiss(kn_world *world, kn_entity_id worker, kn_entity_id node)
{
    const gatherer *own = knc_gatherer_read(world, worker);
    if (own != NULL &&
        (kn_entity_id_equal(own->node, node) || kn_entity_id_equal(own->waits, node))) {
        task_end(world, worker, work_end(world, worker));
    }
}

// Comes before the rule that cancels orders at what is destroyed.
static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const produce_kit *kit = user;
    const kn_entity_id entity = reaction->entity;
    if (kn_world_is_client(world)) {
        return;
    }
    if (kn_entity_has_tag(world, entity, kit->tags[TAG_RESOURCE])) {
        referrers_visit(world, kit->orders->orders, 0, entity, worker_send_on);
        referrers_visit(world, kit->orders->orders, 1, entity, worker_send_on);
        referrers_visit(world, kit->orders->works, 0, entity, worker_send_on);
    }
    referrers_visit(world, kit->gatherers, 0, entity, worker_dismiss);
    referrers_visit(world, kit->gatherers, 1, entity, worker_dismiss);
    const gatherer *own = knc_gatherer_read(world, entity);
    if (own != NULL && is_at_work(own)) {
        (void)work_end(world, entity); // somebody may wait for its place
    }
}

kn_result knc_gather_expand(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->gatherer_kind); i++) {
        const kn_gatherer_def *def = kn_def_get(library, kit->gatherer_kind, i);
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.Gatherer.%u", i);
        if (def->tag.index1 != 0) {
            result = knc_produce_rule(library, name, KN_TRIGGER_TAG_ADDED, def->tag, 0, become_rule,
                (void *)(uintptr_t)i, error);
        }
    }
    return result;
}

static kn_result events_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_gather_event, from, KN_FIELD_ENTITY),
        KN_FIELD(kn_gather_event, to, KN_FIELD_ENTITY),
        KN_FIELD(kn_gather_event, kind, KN_FIELD_TAG),
        KN_FIELD(kn_gather_event, amount, KN_FIELD_F32),
    };
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.Gathered";
    def.text = "{amount} {kind} is taken from {from}";
    def.size = sizeof(kn_gather_event);
    def.fields = fields;
    def.field_count = COUNT(fields);
    kn_result result = kn_custom_event_register(library, &def, &kit->gathered, error);
    def.name = "Knack.Delivered";
    def.text = "{amount} {kind} is delivered to {to}";
    return result != KN_OK ? result
                           : kn_custom_event_register(library, &def, &kit->delivered, error);
}

static kn_result component_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_field fields[] = {
        KN_FIELD_TO(gatherer, type, "gatherer"),
        KN_FIELD(gatherer, ticket, KN_FIELD_U32),
        KN_FIELD(gatherer, node, KN_FIELD_ENTITY),
        KN_FIELD(gatherer, waits, KN_FIELD_ENTITY),
        KN_FIELD(gatherer, since, KN_FIELD_TIME),
        KN_FIELD(gatherer, next, KN_FIELD_TIME),
        KN_FIELD(gatherer, timer, KN_FIELD_TIMER),
        KN_FIELD(gatherer, carries, KN_FIELD_TAG),
        KN_FIELD(gatherer, amount, KN_FIELD_F32),
    };
    static const kn_component_reference nodes[] = {
        {.field = "node", .when_destroyed = KN_REFERENCE_CLEAR},
        {.field = "waits", .when_destroyed = KN_REFERENCE_CLEAR},
    };
    fields[1].sync = KN_SYNC_NONE;
    fields[6].sync = KN_SYNC_NONE;
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Gatherer";
    def.size = sizeof(gatherer);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.references = nodes;
    def.reference_count = COUNT(nodes);
    return kn_component_register(library, &def, &kit->gatherers, error);
}

kn_result knc_gather_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_result result = component_register(library, kit, error);
    if (result == KN_OK) {
        result = kn_timer_type_register(
            library, "Knack.Gather", gather_timer, kit, &kit->gather_timer, error);
    }
    if (result == KN_OK) {
        result = events_register(library, kit, error);
    }
    return result != KN_OK
               ? result
               : knc_produce_rule(library, "Knack.NodeDestroyed", KN_TRIGGER_ENTITY_DESTROYED,
                     (kn_tag){0}, 1, destroyed_rule, kit, error);
}
