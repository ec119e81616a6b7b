// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions: products, and what makes them.

#include "produce_parts.h"

#include <math.h>

#define PRODUCT_COOKIE 0x6f72706bu
#define PRODUCER_COOKIE 0x7270706bu

// Products --------------------------------------------------------------------------

kn_product_def kn_product_def_default(void)
{
    kn_product_def def = {
        .level = 1.0f, .refund = 1.0f, .radius = 0.5f, .layers = 1, .cookie = PRODUCT_COOKIE};
    return def;
}

static void product_init(void *def)
{
    *(kn_product_def *)def = kn_product_def_default();
}

static const kn_def_field cost_fields[] = {
    KN_DEF_F(kn_product_cost, attribute, KN_FIELD_ATTRIBUTE,
        "What is paid with: its base value is reduced; required."),
    KN_DEF_F(kn_product_cost, amount, KN_FIELD_F32, "How much, 0 or more; default 0."),
};
static const kn_def_table cost_table = {
    "product_cost", sizeof(kn_product_cost), cost_fields, COUNT(cost_fields), NULL};

static const kn_def_field product_fields[] = {
    KN_DEF_F(kn_product_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_product_def, archetype, KN_DEF_ARCHETYPE,
        "The entity that is created; default none, for research."),
    KN_DEF_F(
        kn_product_def, level, KN_FIELD_F32, "Level of that entity and of the effect; default 1."),
    KN_DEF_F_REF(kn_product_def, effect, KN_DEF_EFFECT,
        "An effect that is applied when it is done, to the owner of the producer, or to the "
        "producer if nobody owns it; default none."),
    KN_DEF_F_REF(kn_product_def, event, KN_DEF_TAG,
        "An event that is sent to the producer when it is done; default none."),
    KN_DEF_F(kn_product_def, research, KN_FIELD_BOOL,
        "It may have none of the three above: another part says what it is good for, such as "
        "`rts_upgrades` of the RTS kit; default false."),
    KN_DEF_F(kn_product_def, time, KN_FIELD_TIME,
        "Seconds to make it, 0 or more; default 0: it is done at once."),
    KN_DEF_F_ARRAY(kn_product_def, costs, cost_count, &cost_table,
        "Its price: all of it is paid, or nothing."),
    KN_DEF_F(kn_product_def, refund, KN_FIELD_F32,
        "Share of the price that a cancelled one returns, 0 to 1; default 1."),
    KN_DEF_F(kn_product_def, required, KN_DEF_FIELD_TAGS,
        "The producer must have all of these to begin; default none."),
    KN_DEF_F(kn_product_def, blocked, KN_DEF_FIELD_TAGS,
        "The producer must have none of these to begin; default none."),
    KN_DEF_F(kn_product_def, payer_required, KN_DEF_FIELD_TAGS,
        "The one who pays must have all of these, such as technologies; default none."),
    KN_DEF_F(kn_product_def, payer_blocked, KN_DEF_FIELD_TAGS,
        "The one who pays must have none of these; default none."),
    KN_DEF_F(kn_product_def, limit, KN_FIELD_U32,
        "Most of them in the queue of one producer; default 0: any number."),
    KN_DEF_F(kn_product_def, radius, KN_FIELD_F32,
        "Radius of the body of what is created, and of its site; default 0.5."),
    KN_DEF_F(kn_product_def, layers, KN_FIELD_U32, "Layers of that body; default 1."),
    KN_DEF_F(kn_product_def, site, KN_FIELD_BOOL,
        "It is built at a place, by `Knack.Build`; default false."),
    KN_DEF_F_REF(kn_product_def, site_archetype, KN_DEF_ARCHETYPE,
        "Sites: what stands at the place meanwhile; default the finished entity itself, with the "
        "tag `Knack.Status.Constructing`."),
    KN_DEF_F(kn_product_def, builds_itself, KN_FIELD_BOOL,
        "Sites: it goes on without builders; default false."),
    KN_DEF_F(kn_product_def, builder_speed, KN_FIELD_F32,
        "Sites: what each further builder adds to the speed, 0 or more; default 0."),
    KN_DEF_F(kn_product_def, builder_limit, KN_FIELD_U32,
        "Sites: most builders at once; default 0: any number."),
    KN_DEF_F(kn_product_def, loss_refund, KN_FIELD_F32,
        "Sites: share of the price that is returned if it is destroyed, 0 to 1; default 0."),
    KN_DEF_F(kn_product_def, obstacles, KN_DEF_FIELD_TAGS,
        "Sites: bodies with one of these tags, or below, are in the way; default none: every "
        "body."),
    KN_DEF_F(kn_product_def, title, KN_DEF_FIELD_STRING, "For the player; default its name."),
    KN_DEF_F(kn_product_def, description, KN_DEF_FIELD_STRING, "For the player."),
    KN_DEF_F(kn_product_def, icon, KN_DEF_FIELD_STRING, "Name of its picture."),
    KN_DEF_F_HOOK(kn_product_def, can_make, "Whether it may be queued; it must change nothing."),
    KN_DEF_F_HOOK(kn_product_def, can_finish,
        "Whether it may be created now; otherwise it waits, and is tried again every second. It "
        "must change nothing."),
    KN_DEF_F_HOOK(kn_product_def, can_place,
        "Sites: whether it may be built at `location`; it must change nothing."),
    KN_DEF_F_HOOK(kn_product_def, created,
        "Called for each new entity, which has its owner and its body, before it is given "
        "orders."),
    KN_DEF_F(kn_product_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table product_table = {
    "product_def", sizeof(kn_product_def), product_fields, COUNT(product_fields), product_init};

static bool is_positive(float number)
{
    return isfinite(number) && number >= 0.0f;
}

static bool is_share(float number)
{
    return number >= 0.0f && number <= 1.0f;
}

static kn_result costs_check(const kn_product_def *def, kn_error *error)
{
    if (def->cost_count > KN_PRODUCT_COSTS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "product `%s`: it must have at most %u `costs`", def->name, KN_PRODUCT_COSTS_MAX);
    }
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_product_cost *cost = &def->costs[i];
        bool is_twice = false;
        for (uint32_t j = 0; j < i; j++) {
            is_twice |= def->costs[j].attribute.index1 == cost->attribute.index1;
        }
        if (cost->attribute.index1 == 0 || is_twice || !is_positive(cost->amount)) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "product `%s`: each of its `costs` must have an attribute of its own, and an "
                "amount of 0 or more",
                def->name);
        }
    }
    return KN_OK;
}

static kn_result product_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_product_def *def = item;
    (void)user;
    (void)library;
    if (def->time < 0 || def->time > PRODUCT_TIME_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "product `%s`: `time` must be from 0 to 1e9 seconds", def->name);
    }
    if (!is_share(def->refund) || !is_share(def->loss_refund)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "product `%s`: `refund` and `loss_refund` must be from 0 to 1", def->name);
    }
    if (!is_positive(def->radius) || !is_positive(def->builder_speed) ||
        def->builder_speed > 1000.0f || !isfinite(def->level)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "product `%s`: `radius` must be 0 or more, `builder_speed` from 0 to 1000, and `level` "
            "finite",
            def->name);
    }
    if (def->archetype.index1 == 0 &&
        (def->site || (def->effect.index1 == 0 && def->event.index1 == 0 && !def->research))) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "product `%s`: `archetype` is missing; only research does without, and has an "
            "`effect`, "
            "an `event`, or `research: true`",
            def->name);
    }
    return costs_check(def, error);
}

static kn_result products_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_product_call, product, "product"),
        KN_FIELD(kn_product_call, payer, KN_FIELD_ENTITY),
        KN_FIELD(kn_product_call, created, KN_FIELD_ENTITY),
        KN_FIELD(kn_product_call, location, KN_FIELD_VEC3),
        KN_FIELD_INIT("errors", KN_FIELD_TAG, offsetof(kn_product_call, errors), 4),
        KN_FIELD(kn_product_call, error_count, KN_FIELD_U32),
    };
    static const char *const names[] = {"can_make", "can_finish", "can_place", "created"};
    kn_kind_hook hooks[COUNT(names)];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        hooks[i] = (kn_kind_hook){names[i], sizeof(kn_product_call), fields, COUNT(fields), NULL};
    }
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "product";
    kind.section = "products";
    kind.table = &product_table;
    kind.text = "Something that units can make: what it costs, how long it takes, and what it is.";
    kind.check = product_check;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    return kn_kind_register(library, &kind, &kit->product_kind, error);
}

// Producers -------------------------------------------------------------------------

kn_producer_def kn_producer_def_default(void)
{
    kn_producer_def def = {.queue_limit = 5, .exit_gap = 0.25f, .cookie = PRODUCER_COOKIE};
    return def;
}

static void producer_init(void *def)
{
    *(kn_producer_def *)def = kn_producer_def_default();
}

static const char *const loss_words[] = {"refund", "lose", "keep"};

static const kn_def_field producer_fields[] = {
    KN_DEF_F(kn_producer_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_producer_def, tag, KN_DEF_TAG,
        "Entities that gain this tag become such producers; default: by call alone."),
    KN_DEF_F_KINDS(kn_producer_def, products, product_count, "product",
        "What they can make; orders name these by their position."),
    KN_DEF_F(kn_producer_def, queue_limit, KN_FIELD_U32,
        "Most products in the queue, with the one in work; 0: any number; default 5."),
    KN_DEF_F(kn_producer_def, paused_by, KN_DEF_FIELD_TAGS,
        "Production pauses while the producer has one of these tags, or "
        "`Knack.Status.Constructing`."),
    KN_DEF_F_ENUM(kn_producer_def, on_death, loss_words,
        "What becomes of the queue when the producer dies: `refund` or `lose`; default refund."),
    KN_DEF_F_ENUM(kn_producer_def, on_owner_change, loss_words,
        "What becomes of the queue with another owner: `refund`, `lose` or `keep`; default "
        "refund."),
    KN_DEF_F(kn_producer_def, exit, KN_FIELD_VEC3,
        "Where new units appear, from the position of the producer; default zero: beside its body, "
        "towards the rally point or where it looks."),
    KN_DEF_F(kn_producer_def, exit_gap, KN_FIELD_F32,
        "Distance between the two bodies then, 0 or more; default 0.25."),
    KN_DEF_F_KIND(kn_producer_def, rally_order, "order type",
        "The order that new units are given for a rally point; default `Knack.Move`, if there is "
        "one."),
    KN_DEF_F_KIND(kn_producer_def, rally_entity_order, "order type",
        "The order for a rally point that is an entity, or its fallbacks; default that of other "
        "points."),
    KN_DEF_F(kn_producer_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table producer_table = {"producer_def", sizeof(kn_producer_def),
    producer_fields, COUNT(producer_fields), producer_init};

static kn_result producer_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_producer_def *def = item;
    (void)user;
    (void)library;
    if (!is_positive(def->exit_gap) || !isfinite(def->exit.x) || !isfinite(def->exit.y) ||
        !isfinite(def->exit.z)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "producer `%s`: `exit_gap` must be 0 or more, and `exit` finite", def->name);
    }
    for (uint32_t i = 0; i < def->product_count; i++) {
        if (def->products[i].index1 == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "producer `%s`: one of its `products` is not a product", def->name);
        }
    }
    return KN_OK;
}

static kn_result producer_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_produce_queue_expand(library, user, error);
}

// What comes from other parts, which may be registered later.
static kn_result producer_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    produce_kit *kit = user;
    (void)kind;
    (void)error;
    kit->move.index1 = kn_def_find(library, kit->orders->type_kind, "Knack.Move");
    kit->bodies.index1 = kn_def_find(library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME);
    return KN_OK;
}

static kn_result producers_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "producer";
    kind.section = "producers";
    kind.table = &producer_table;
    kind.text = "What units can make, one after the other.";
    kind.check = producer_check;
    kind.expand = producer_expand;
    kind.finish = producer_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->producer_kind, error);
}

kn_result knc_produce_kinds_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_result result = products_register(library, kit, error);
    return result != KN_OK ? result : producers_register(library, kit, error);
}

// Registering and finding -----------------------------------------------------------------

kn_result kn_product_register(
    kn_library *library, const kn_product_def *def, kn_product_id *product, kn_error *error)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_product_id ignored;
    product = product != NULL ? product : &ignored;
    product->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->product_kind, def, &product->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_product_id kn_product_find(const kn_library *library, const char *name)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_product_id product = {0};
    if (kit != NULL) {
        product.index1 = kn_def_find(library, kit->product_kind, name);
    }
    return product;
}

const kn_product_def *kn_product_get_def(const kn_library *library, kn_product_id product)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    return kit != NULL ? kn_def_get(library, kit->product_kind, product.index1) : NULL;
}

const kn_product_def *knc_product_of(const kn_world *world, kn_product_id product)
{
    return product.index1 != 0 ? kn_product_get_def(kn_world_library(world), product) : NULL;
}

kn_result kn_producer_register(
    kn_library *library, const kn_producer_def *def, kn_producer_id *type, kn_error *error)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_producer_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->producer_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_producer_id kn_producer_find(const kn_library *library, const char *name)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_producer_id type = {0};
    if (kit != NULL) {
        type.index1 = kn_def_find(library, kit->producer_kind, name);
    }
    return type;
}

const kn_producer_def *kn_producer_get_def(const kn_library *library, kn_producer_id type)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    return kit != NULL ? kn_def_get(library, kit->producer_kind, type.index1) : NULL;
}
