// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Shops: goods with a price and a stock that comes back with time. A timer runs for each good that
// is not complete, and no other.

#include "item_parts.h"
#include "tech_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHOP_COOKIE 0x73686f31u
#define GOODS_MAX 256
#define RELATIONS (KN_ORDER_FRIENDLY | KN_ORDER_HOSTILE | KN_ORDER_NEUTRAL)

// Definitions ---------------------------------------------------------------------------

kn_rts_good kn_rts_good_default(void)
{
    kn_rts_good def = {.first_stock = UINT32_MAX};
    return def;
}

kn_rts_shop_def kn_rts_shop_def_default(void)
{
    kn_rts_shop_def def = {.range = 5.0f,
        .relations = KN_ORDER_FRIENDLY | KN_ORDER_NEUTRAL,
        .buys = true,
        .share = 0.5f,
        .rounds = true,
        .cookie = SHOP_COOKIE};
    return def;
}

static void good_init(void *def)
{
    *(kn_rts_good *)def = kn_rts_good_default();
}

static void shop_init(void *def)
{
    *(kn_rts_shop_def *)def = kn_rts_shop_def_default();
}

static const kn_def_field good_fields[] = {
    KN_DEF_F_KIND(kn_rts_good, item, "rts item", "What is sold; required."),
    KN_DEF_F_ARRAY(kn_rts_good, price, price_count, &knc_rts_price_table,
        "What it costs here; default as the item says."),
    KN_DEF_F(
        kn_rts_good, stock, KN_FIELD_U32, "Most that the shop has of it; default 0: any number."),
    KN_DEF_F(kn_rts_good, first_stock, KN_FIELD_U32, "How many it begins with; default `stock`."),
    KN_DEF_F(kn_rts_good, restock, KN_FIELD_TIME,
        "Time until one more is there, while there are less than `stock`; default 0: never."),
    KN_DEF_F_PART(kn_rts_good, buyer, "kn_tag_requirement",
        "Tags that the one who pays must have, or must not have, such as technologies."),
};
static const kn_def_table good_table = {
    "rts_good", sizeof(kn_rts_good), good_fields, COUNT(good_fields), good_init};

static const char *const relation_words[] = {"friendly", "hostile", "neutral"};

static const kn_def_field shop_fields[] = {
    KN_DEF_F(kn_rts_shop_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_shop_def, tag, KN_DEF_TAG,
        "Entities that gain this tag are such shops; default: by call alone."),
    KN_DEF_F_ARRAY(kn_rts_shop_def, goods, good_count, &good_table,
        "What it sells; orders and commands name it by its position."),
    KN_DEF_F(kn_rts_shop_def, range, KN_FIELD_F32,
        "How near units must be, without the bodies; default 5."),
    KN_DEF_F_FLAGS(kn_rts_shop_def, relations, relation_words,
        "Who may trade, as seen by the shop; default friendly and neutral."),
    KN_DEF_F(kn_rts_shop_def, buys, KN_FIELD_BOOL, "It buys items; default true."),
    KN_DEF_F(kn_rts_shop_def, share, KN_FIELD_F32,
        "Share of the price that it pays for them, 0 or more; default 0.5."),
    KN_DEF_F(kn_rts_shop_def, rounds, KN_FIELD_BOOL,
        "What it pays is rounded down to whole numbers; default true."),
    KN_DEF_F(kn_rts_shop_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table shop_table = {
    "rts_shop_def", sizeof(kn_rts_shop_def), shop_fields, COUNT(shop_fields), shop_init};

static const char *good_fault(const kn_rts_good *good)
{
    if (good->item.index1 == 0) {
        return "`item` of one of its `goods` is missing";
    }
    if (good->restock < 0 || good->restock > KN_TIME_MAX) {
        return "`restock` must be 0 or more";
    }
    if (good->first_stock != UINT32_MAX && good->first_stock > good->stock) {
        return "`first_stock` must not be above `stock`";
    }
    return knc_rts_price_fault(good->price, good->price_count);
}

static kn_result shop_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_shop_def *def = item;
    const char *fault = NULL;
    (void)user;
    (void)library;
    if (def->good_count > GOODS_MAX) {
        fault = "it must have at most 256 `goods`";
    } else if (!isfinite(def->range) || def->range < 0.0f || !isfinite(def->share) ||
               def->share < 0.0f) {
        fault = "`range` and `share` must be 0 or more";
    } else if ((def->relations & ~(uint32_t)RELATIONS) != 0) {
        fault = "`relations` are friendly, hostile and neutral";
    }
    for (uint32_t i = 0; fault == NULL && i < def->good_count; i++) {
        fault = good_fault(&def->goods[i]);
    }
    return fault == NULL
               ? KN_OK
               : kn_error_set(error, KN_ERROR_BAD_DATA, "shop `%s`: %s", def->name, fault);
}

kn_result kn_rts_shop_register(
    kn_library *library, const kn_rts_shop_def *def, kn_rts_shop_type_id *type, kn_error *error)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_shop_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->shop_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_shop_type_id kn_rts_shop_find(const kn_library *library, const char *name)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_shop_type_id type = {0};
    if (kit != NULL) {
        type.index1 = kn_def_find(library, kit->shop_kind, name);
    }
    return type;
}

const kn_rts_shop_def *kn_rts_shop_get_def(const kn_library *library, kn_rts_shop_type_id type)
{
    const item_kit *kit = knc_rts_items_of(library);
    return kit != NULL && type.index1 != 0 ? kn_def_get(library, kit->shop_kind, type.index1)
                                           : NULL;
}

// Reading -------------------------------------------------------------------------------

static const shop_state *shop_read(const kn_world *world, kn_entity_id shop)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    return kit != NULL && shop.index1 != 0 ? kn_component_read(world, kit->shops, shop) : NULL;
}

kn_rts_shop_type_id kn_rts_shop_get_type(const kn_world *world, kn_entity_id shop)
{
    const shop_state *state = shop_read(world, shop);
    return state != NULL ? state->type : (kn_rts_shop_type_id){0};
}

static const kn_rts_shop_def *shop_def(const kn_world *world, kn_entity_id shop)
{
    return world != NULL
               ? kn_rts_shop_get_def(kn_world_library(world), kn_rts_shop_get_type(world, shop))
               : NULL;
}

bool kn_rts_good_get_info(
    const kn_world *world, kn_entity_id shop, uint32_t good, kn_rts_good_info *info)
{
    const kn_rts_shop_def *def = shop_def(world, shop);
    uint32_t count = 0;
    *info = (kn_rts_good_info){0};
    if (def == NULL || good >= def->good_count) {
        return false;
    }
    const shop_item *items =
        kn_component_read_items(world, knc_rts_items_of_world(world)->shops, shop, &count);
    const kn_rts_good *g = &def->goods[good];
    const kn_rts_item_def *item = knc_rts_item_def(world, g->item);
    const bool is_endless = g->stock == 0 || good >= count;
    *info = (kn_rts_good_info){.item = g->item,
        .stock = is_endless ? UINT32_MAX : items[good].stock,
        .restock_at = is_endless ? KN_TIME_INFINITE : items[good].restock_at,
        .price = g->price_count > 0 ? g->price : item->price,
        .price_count = g->price_count > 0 ? g->price_count : item->price_count};
    return true;
}

int32_t kn_rts_good_of(const kn_world *world, kn_entity_id shop, kn_rts_item_type_id type)
{
    const kn_rts_shop_def *def = shop_def(world, shop);
    for (uint32_t i = 0; def != NULL && i < def->good_count; i++) {
        if (def->goods[i].item.index1 == type.index1) {
            return (int32_t)i;
        }
    }
    return -1;
}

// Stock ---------------------------------------------------------------------------------

// Writes the stock of a good, and waits for the next one.
static void stock_write(kn_world *world, kn_entity_id shop, uint32_t good, uint32_t stock)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_shop_def *type = shop_def(world, shop);
    uint32_t count = 0;
    shop_item *items = kn_component_items(world, kit->shops, shop, &count);
    if (type == NULL || good >= count || good >= type->good_count) {
        return;
    }
    const kn_rts_good *def = &type->goods[good];
    items[good].stock = stock;
    if (stock >= def->stock || def->restock == 0) {
        items[good].restock_at = KN_TIME_INFINITE;
    } else if (items[good].restock_at == KN_TIME_INFINITE) {
        const uint32_t data[KN_TIMER_DATA_SIZE / sizeof(uint32_t)] = {good};
        items[good].restock_at = kn_world_now(world) + def->restock;
        if (kn_timer_start(world, kit->restock, shop, def->restock, data, NULL) != KN_OK) {
            items = kn_component_items(world, kit->shops, shop, &count);
            items[good].restock_at = KN_TIME_INFINITE;
        }
    }
}

// A timer of a shop that is gone, or has begun anew since, just ends.
static kn_time restock_fire(void *user, kn_world *world, kn_entity_id shop, void *data)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_shop_def *def = shop_def(world, shop);
    const uint32_t good = *(const uint32_t *)data;
    uint32_t count = 0;
    (void)user;
    shop_item *items = def != NULL ? kn_component_items(world, kit->shops, shop, &count) : NULL;
    if (kn_world_is_client(world) || good >= count || good >= def->good_count ||
        items[good].restock_at != kn_world_now(world)) {
        return 0;
    }
    items[good].restock_at = KN_TIME_INFINITE;
    stock_write(world, shop, good, items[good].stock + 1);
    return 0;
}

kn_result kn_rts_set_stock(kn_world *world, kn_entity_id shop, uint32_t good, uint32_t stock)
{
    kn_result result = knc_rts_may_change(world, shop);
    if (result != KN_OK) {
        return result;
    }
    const kn_rts_shop_def *def = shop_def(world, shop);
    if (def == NULL || good >= def->good_count || def->goods[good].stock == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (stock > def->goods[good].stock) {
        return KN_REFUSED_LIMIT;
    }
    stock_write(world, shop, good, stock);
    return KN_OK;
}

typedef struct shop_call {
    kn_entity_id shop;
    kn_rts_shop_type_id type;
} shop_call;

static kn_result add_run(void *user, kn_world *world)
{
    const shop_call *c = user;
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_shop_def *def = kn_rts_shop_get_def(kn_world_library(world), c->type);
    shop_state *state = kn_component_add(world, kit->shops, c->shop);
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    state->type = c->type;
    if (def->good_count > 0 &&
        kn_component_resize(world, kit->shops, c->shop, def->good_count) == NULL) {
        (void)kn_component_remove(world, kit->shops, c->shop);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < def->good_count; i++) {
        const kn_rts_good *good = &def->goods[i];
        shop_item *items = kn_component_items(world, kit->shops, c->shop, NULL);
        items[i].restock_at = KN_TIME_INFINITE;
        if (good->stock > 0) {
            stock_write(world, c->shop, i,
                good->first_stock < good->stock ? good->first_stock : good->stock);
        }
    }
    return kn_entity_add_tag(
        world, c->shop, kit->rts->tags[KN_RTS_IS_SHOP], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
}

kn_result kn_rts_shop_add(kn_world *world, kn_entity_id entity, kn_rts_shop_type_id type)
{
    shop_call c = {entity, type};
    kn_result result = knc_rts_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (kn_rts_shop_get_def(kn_world_library(world), type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    return shop_read(world, entity) == NULL ? kn_world_call(world, add_run, &c)
                                            : KN_REFUSED_DUPLICATE;
}

kn_result kn_rts_shop_remove(kn_world *world, kn_entity_id entity)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    kn_result result = knc_rts_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (!kn_component_remove(world, kit->shops, entity)) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kn_tag tag = kit->rts->tags[KN_RTS_IS_SHOP];
    if (kn_entity_tag_count_origin(world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED) > 0) {
        (void)kn_entity_remove_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    return KN_OK;
}

// Prices --------------------------------------------------------------------------------

static void price_look(const kn_world *world, kn_entity_id payer, const kn_product_cost *price,
    uint32_t count, kn_rts_item_answer *answer)
{
    const uint32_t missing =
        count > 0 ? kn_rts_missing(world, payer, price, count, answer->shortages, KN_RTS_PRICE_MAX)
                  : 0;
    if (missing > 0) {
        answer->why_not |= KN_RTS_ITEM_TOO_EXPENSIVE;
        answer->shortage_count = missing <= KN_RTS_PRICE_MAX ? missing : 0;
    }
}

static void pay_back(
    kn_world *world, kn_entity_id payer, const kn_product_cost *price, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)knc_rts_base_add(world, payer, price[i].attribute, price[i].amount);
    }
}

uint32_t kn_rts_resale(const kn_world *world, kn_entity_id shop, kn_entity_id item,
    kn_product_cost *out, uint32_t capacity)
{
    const kn_rts_shop_def *def = shop_def(world, shop);
    const item_state *state = knc_rts_item_read(world, item);
    const kn_rts_item_def *type = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL || type == NULL) {
        return 0;
    }
    const float share = type->resale >= 0.0f ? type->resale : def->share;
    const float charges = type->charges > 0 ? (float)state->charges / (float)type->charges : 1.0f;
    for (uint32_t i = 0; i < type->price_count && i < capacity; i++) {
        const float amount = type->price[i].amount * share * charges;
        out[i] = (kn_product_cost){type->price[i].attribute, def->rounds ? floorf(amount) : amount};
    }
    return type->price_count;
}

// Trading -------------------------------------------------------------------------------

static uint32_t trade_bits(const kn_world *world, kn_entity_id shop, kn_entity_id unit)
{
    const kn_rts_shop_def *def = shop_def(world, shop);
    if (def == NULL || kn_entity_is_dying(world, shop) || kn_rts_is_dead(world, shop)) {
        return KN_RTS_ITEM_NOT_TRADED;
    }
    uint32_t bits =
        (kn_order_get_relation(world, shop, unit) & def->relations) != 0 ? 0 : KN_RTS_ITEM_OTHERS;
    bits |= kn_rts_is_dead(world, unit) || kn_entity_is_dying(world, unit) ? KN_RTS_ITEM_DEAD : 0;
    return bits |
           (knc_rts_item_reaches(world, unit, shop, NULL, def->range) ? 0 : KN_RTS_ITEM_TOO_FAR);
}

bool kn_rts_can_buy(const kn_world *world, kn_entity_id shop, kn_entity_id unit, uint32_t good,
    kn_rts_item_answer *answer)
{
    kn_rts_item_answer a = {.why_not = KN_RTS_ITEM_NOT_TRADED};
    kn_rts_good_info info;
    if (knc_rts_items_of_world(world) != NULL && kn_entity_is_alive(world, unit) &&
        kn_rts_good_get_info(world, shop, good, &info)) {
        const kn_entity_id payer = knc_rts_item_payer(world, unit);
        a.why_not = trade_bits(world, shop, unit);
        a.why_not |= info.stock == 0 ? KN_RTS_ITEM_OUT_OF_STOCK : 0;
        a.why_not |= knc_rts_item_carry_bits(world, unit, (kn_entity_id){0}, info.item,
            knc_rts_item_def(world, info.item)->charges, -1);
        a.why_not |= kn_entity_meets(world, payer, &shop_def(world, shop)->goods[good].buyer)
                         ? 0
                         : KN_RTS_ITEM_BAD_TAGS;
        price_look(world, payer, info.price, info.price_count, &a);
    }
    return knc_rts_item_answer(&a, answer);
}

bool kn_rts_can_sell(
    const kn_world *world, kn_entity_id shop, kn_entity_id item, kn_rts_item_answer *answer)
{
    const kn_rts_shop_def *def = shop_def(world, shop);
    const item_state *state =
        kn_entity_is_dying(world, item) ? NULL : knc_rts_item_read(world, item);
    const kn_rts_item_def *type = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    kn_rts_item_answer a = {.why_not = type == NULL                ? KN_RTS_ITEM_NO_ITEM
                                       : state->holder.index1 == 0 ? KN_RTS_ITEM_NO_HOLDER
                                                                   : 0};
    if (def == NULL || !def->buys) {
        a.why_not |= KN_RTS_ITEM_NOT_TRADED;
    }
    if (a.why_not == 0) {
        const kn_entity_id payer = knc_rts_item_payer(world, state->holder);
        a.why_not |= trade_bits(world, shop, state->holder);
        a.why_not |= type->is_sellable ? 0 : KN_RTS_ITEM_FIXED;
        for (uint32_t i = 0; i < type->price_count; i++) {
            // Nothing is sold to somebody who has nowhere to put the money.
            if (!kn_attribute_exists(world, payer, type->price[i].attribute, 0)) {
                a.why_not |= KN_RTS_ITEM_NOT_TRADED;
            }
        }
    }
    return knc_rts_item_answer(&a, answer);
}

static void trade_publish(kn_world *world, kn_entity_id unit, kn_custom_event_id id,
    kn_rts_trade_event event, const kn_product_cost *price, uint32_t count)
{
    if (count > 0) {
        event.attribute = price[0].attribute;
        event.amount = price[0].amount;
    }
    (void)kn_world_publish(world, unit, id, &event);
}

// Takes one of a good, unless hooks of those who paid have ended the shop or emptied it.
static kn_result stock_take(kn_world *world, kn_entity_id shop, uint32_t good)
{
    kn_rts_good_info info;
    if (!kn_rts_good_get_info(world, shop, good, &info)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (info.stock == 0) {
        return KN_REFUSED_LIMIT;
    }
    if (info.stock != UINT32_MAX) {
        stock_write(world, shop, good, info.stock - 1);
    }
    return KN_OK;
}

static kn_result buy_run(kn_world *world, const item_call *call, kn_entity_id *out)
{
    const kn_entity_id shop = call->other, unit = call->unit;
    const uint32_t good = (uint32_t)call->number;
    const kn_entity_id payer = knc_rts_item_payer(world, unit);
    kn_rts_item_answer answer;
    kn_rts_good_info info;
    kn_entity_id item;
    if (!kn_rts_can_buy(world, shop, unit, good, &answer)) {
        return kn_rts_item_result(&answer);
    }
    (void)kn_rts_good_get_info(world, shop, good, &info);
    kn_result result =
        info.price_count > 0 ? kn_rts_pay(world, payer, info.price, info.price_count) : KN_OK;
    if (result != KN_OK) {
        return result;
    }
    result = knc_rts_item_make_for(world, unit, info.item, &item);
    if (result == KN_OK) {
        result = stock_take(world, shop, good);
        if (result != KN_OK) {
            (void)kn_entity_destroy(world, item);
        }
    }
    if (result != KN_OK) {
        pay_back(world, payer, info.price, info.price_count);
        return result;
    }
    const kn_rts_trade_event event = {
        .shop = shop, .item = item, .payer = payer, .type = info.item, .good = good};
    trade_publish(
        world, unit, knc_rts_items_of_world(world)->bought, event, info.price, info.price_count);
    knc_rts_item_give(world, unit, &item, -1, shop, KN_RTS_ITEM_BOUGHT);
    *out = item;
    return KN_OK;
}

static kn_result sell_run(kn_world *world, const item_call *call)
{
    kn_rts_item_answer answer;
    kn_product_cost price[KN_RTS_PRICE_MAX];
    if (!kn_rts_can_sell(world, call->other, call->item, &answer)) {
        return kn_rts_item_result(&answer);
    }
    const item_state *state = knc_rts_item_read(world, call->item);
    const kn_entity_id unit = state->holder, payer = knc_rts_item_payer(world, unit);
    const uint32_t count = kn_rts_resale(world, call->other, call->item, price, COUNT(price));
    const kn_rts_trade_event event = {.shop = call->other,
        .item = call->item,
        .payer = payer,
        .type = state->type,
        .good = UINT32_MAX};
    knc_rts_item_take(world, call->item, call->other, KN_RTS_ITEM_SOLD);
    (void)kn_entity_destroy(world, call->item);
    for (uint32_t i = 0; i < count; i++) {
        const float base = kn_attribute_base(world, payer, price[i].attribute);
        (void)kn_attribute_set_base(world, payer, price[i].attribute, 0, base + price[i].amount);
    }
    trade_publish(world, unit, knc_rts_items_of_world(world)->sold, event, price, count);
    knc_rts_items_settle(world, unit);
    return KN_OK;
}

kn_result knc_rts_shop_run(kn_world *world, const item_call *call, kn_entity_id *out)
{
    return call->kind == ITEM_CALL_BUY ? buy_run(world, call, out) : sell_run(world, call);
}

static kn_result trade_do(kn_world *world, const item_call *call, kn_entity_id *out)
{
    if (out != NULL) {
        *out = (kn_entity_id){0};
    }
    if (knc_rts_items_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_world_is_client(world) ? KN_REFUSED_BLOCKED : knc_rts_item_do(world, call, out);
}

kn_result kn_rts_buy(
    kn_world *world, kn_entity_id shop, kn_entity_id unit, uint32_t good, kn_entity_id *item)
{
    const item_call call = {
        .kind = ITEM_CALL_BUY, .unit = unit, .other = shop, .number = (int32_t)good};
    return trade_do(world, &call, item);
}

kn_result kn_rts_sell(kn_world *world, kn_entity_id shop, kn_entity_id item)
{
    const item_call call = {.kind = ITEM_CALL_SELL, .item = item, .other = shop};
    return trade_do(world, &call, NULL);
}

// Registering ---------------------------------------------------------------------------

static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_rts_shop_type_id type = {(uint32_t)(uintptr_t)user};
    const kn_rts_shop_def *def = kn_rts_shop_get_def(kn_world_library(world), type);
    if (def != NULL && kn_entity_has_tag_exact(world, reaction->entity, def->tag)) {
        (void)kn_rts_shop_add(world, reaction->entity, type);
    }
}

static kn_result shop_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    kn_result result = KN_OK;
    (void)user;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kind); i++) {
        const kn_rts_shop_def *def = kn_def_get(library, kind, i);
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.RtsShop.%u", (unsigned)i);
        if (def->tag.index1 != 0) {
            result = knc_rts_rule_register(library, name, KN_TRIGGER_TAG_ADDED, def->tag,
                (kn_attribute_id){0}, tag_rule, (void *)(uintptr_t)i, error);
        }
    }
    return result;
}

static kn_result state_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD_TO(shop_state, type, "rts shop")};
    static const kn_field items[] = {
        KN_FIELD(shop_item, restock_at, KN_FIELD_TIME),
        KN_FIELD(shop_item, stock, KN_FIELD_U32),
        KN_FIELD(shop_item, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsShop";
    def.size = sizeof(shop_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(shop_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    kn_result result = kn_component_register(library, &def, &kit->shops, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.RtsRestock", restock_fire, NULL,
                                 &kit->restock, error);
}

static kn_result events_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_rts_trade_event, shop, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_trade_event, item, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_trade_event, payer, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_trade_event, type, "rts item"),
        KN_FIELD(kn_rts_trade_event, good, KN_FIELD_U32),
        KN_FIELD(kn_rts_trade_event, attribute, KN_FIELD_ATTRIBUTE),
        KN_FIELD(kn_rts_trade_event, amount, KN_FIELD_F32),
    };
    kn_result result =
        knc_rts_event_register(library, "Knack.RtsBought", sizeof(kn_rts_trade_event), fields,
            COUNT(fields), "buys {type} for {amount}", &kit->bought, error);
    return result != KN_OK
               ? result
               : knc_rts_event_register(library, "Knack.RtsSold", sizeof(kn_rts_trade_event),
                     fields, COUNT(fields), "sells {type} for {amount}", &kit->sold, error);
}

kn_result knc_rts_shops_register(kn_library *library, item_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts shop";
    kind.section = "rts_shops";
    kind.table = &shop_table;
    kind.text = "Shops: what they sell, at which price, and how it comes back.";
    kind.check = shop_check;
    kind.expand = shop_expand;
    kind.user = kit;
    kn_result result = kn_kind_register(library, &kind, &kit->shop_kind, error);
    if (result == KN_OK) {
        result = state_register(library, kit, error);
    }
    return result == KN_OK ? events_register(library, kit, error) : result;
}
