// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order types of production that are carried out at once.

#include "produce_parts.h"

void knc_product_errors(const kn_order_errors *errors, kn_order_call *call)
{
    const kn_tag *const lists[] = {errors->others, errors->missing, errors->blocking};
    const uint32_t counts[] = {errors->other_count, errors->missing_count, errors->blocking_count};
    for (uint32_t i = 0; i < COUNT(lists); i++) {
        for (uint32_t j = 0; j < counts[i] && call->error_count < COUNT(call->errors); j++) {
            call->errors[call->error_count++] = lists[i][j];
        }
    }
}

static kn_result produce_can(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_product_answer answer;
    (void)user;
    kn_result result = kn_product_check(call->world, call->entity,
        knc_producer_product_at(call->world, call->entity, c->order.index), &answer);
    knc_product_errors(&answer.errors, c);
    return result;
}

static kn_result produce_execute(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    (void)user;
    return kn_product_enqueue(call->writable, call->entity,
        knc_producer_product_at(call->world, call->entity, c->order.index), NULL);
}

static kn_result cancel_can(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    int64_t count = kn_producer_queue(call->world, call->entity, NULL, 0);
    (void)user;
    return count > 0 && c->order.index >= -1 && c->order.index < count ? KN_OK
                                                                       : KN_REFUSED_NOT_FOUND;
}

static kn_result cancel_execute(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    (void)user;
    return kn_product_cancel(call->writable, call->entity, c->order.index);
}

static kn_result rally_can(void *user, const kn_hook_call *call)
{
    kn_producer_info info;
    (void)user;
    return kn_producer_get_info(call->world, call->entity, &info) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

// An order without a point, or at the producer itself, ends the rally; index 1 adds a point.
static kn_result rally_execute(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    kn_rally_point points[KN_RALLY_POINTS_MAX + 1];
    bool is_self = kn_entity_id_equal(c->order.target, call->entity);
    uint32_t count = 0;
    (void)user;
    if (c->order.index == 1) {
        count = kn_rally_get(call->world, call->entity, points, KN_RALLY_POINTS_MAX);
    }
    if (is_self || (c->order.target.index1 == 0 && c->order.uses_location == 0)) {
        return kn_rally_set(call->writable, call->entity, NULL, 0);
    }
    points[count++] = (kn_rally_point){c->order.target, c->target.location};
    return kn_rally_set(call->writable, call->entity, points, count);
}

kn_result knc_produce_orders_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    const kn_tags constructing = {&kit->tags[TAG_CONSTRUCTING], 1};
    const struct {
        const char *name;
        kn_hook_fn *can, *execute;
        kn_tags blocked;
        kn_order_target_kind target_kind;
    } types[] = {
        {"Knack.Produce", produce_can, produce_execute, constructing, KN_ORDER_TARGET_NONE},
        {"Knack.CancelProduct", cancel_can, cancel_execute, {NULL, 0}, KN_ORDER_TARGET_NONE},
        {"Knack.Rally", rally_can, rally_execute, {NULL, 0}, KN_ORDER_TARGET_LOCATION},
    };
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(types); i++) {
        kn_order_type_def def = kn_order_type_def_default();
        kn_order_type_id id;
        def.name = types[i].name;
        def.policy = KN_ORDER_INSTANT;
        def.target_kind = types[i].target_kind;
        def.tags.source_blocked = types[i].blocked;
        def.can_obey = (kn_hook){types[i].can, kit};
        def.execute = (kn_hook){types[i].execute, kit};
        result = kn_order_type_register(library, &def, &id, error);
    }
    return result;
}
