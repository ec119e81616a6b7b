// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Shops: prices, stock that comes back, who may trade; and that neither gold nor items are lost or
// won by anything, whatever happens in which order.

#include "rts/item_test.h"

#include "scenario/world_copies.h"

#include <math.h>

#define NOBODY ((kn_entity_id){0})

static kn_entity_id shop_at(items *i, kn_entity_id owner, float x)
{
    kn_entity_id shop;
    assert_int_equal(kn_entity_create(i->f.world, &shop), KN_OK);
    own(&i->f, shop, owner);
    place(&i->f, shop, x, 0);
    assert_int_equal(kn_rts_shop_add(i->f.world, shop, i->market), KN_OK);
    return shop;
}

static void purse_fill(items *i, kn_entity_id player, float gold, float lumber)
{
    if (!kn_attribute_set_has(i->f.world, player, i->stock, 0)) {
        assert_int_equal(kn_attribute_set_add(i->f.world, player, i->stock, 0), KN_OK);
    }
    assert_int_equal(kn_attribute_set_base(i->f.world, player, i->gold, 0, gold), KN_OK);
    assert_int_equal(kn_attribute_set_base(i->f.world, player, i->lumber, 0, lumber), KN_OK);
}

static float gold_of(const items *i, kn_entity_id player)
{
    return kn_attribute_base(i->f.world, player, i->gold);
}

static uint32_t stock_of(const items *i, kn_entity_id shop, uint32_t good)
{
    kn_rts_good_info info;
    assert_true(kn_rts_good_get_info(i->f.world, shop, good, &info));
    return info.stock;
}

static void units_buy_for_their_owner(void **state)
{
    items i;
    kn_rts_item_answer answer;
    kn_entity_id sword, potion;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.us, 3);
    assert_true(kn_entity_has_tag(i.f.world, shop, kn_rts_tag(i.f.library, KN_RTS_IS_SHOP)));
    purse_fill(&i, i.f.us, 90, 4);
    assert_false(kn_rts_can_buy(i.f.world, shop, hero, 0, &answer));
    assert_int_equal(answer.why_not, KN_RTS_ITEM_TOO_EXPENSIVE);
    assert_int_equal(answer.shortage_count, 2);
    assert_true(answer.shortages[0].amount == 10 && answer.shortages[1].amount == 6);
    assert_int_equal(answer.shortages[1].attribute.index1, i.lumber.index1);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, &sword), KN_REFUSED_COST);
    assert_true(gold_of(&i, i.f.us) == 90);
    assert_int_equal(stock_of(&i, shop, 0), 2);
    purse_fill(&i, i.f.us, 210, 20);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, &sword), KN_OK);
    assert_true(kn_entity_id_equal(info_of(&i, sword).holder, hero));
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, sword), i.f.us));
    assert_true(gold_of(&i, i.f.us) == 110);
    assert_true(kn_attribute_base(i.f.world, i.f.us, i.lumber) == 10);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_BOUGHT);
    assert_true(kn_entity_id_equal(i.heard.other, shop));
    assert_int_equal(stock_of(&i, shop, 0), 1);
    // What joins is the item that one gets.
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 1, &potion), KN_OK);
    const kn_entity_id first = potion;
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 1, &potion), KN_OK);
    assert_true(kn_entity_id_equal(potion, first));
    assert_int_equal(info_of(&i, potion).charges, 2);
    assert_true(kn_entity_id_equal(i.heard.other, shop));
    assert_true(gold_of(&i, i.f.us) == 10);
    // One without an owner pays itself.
    const kn_entity_id stray = hero_at(&i, NOBODY, 2);
    purse_fill(&i, stray, 50, 0);
    assert_int_equal(kn_rts_buy(i.f.world, shop, stray, 1, NULL), KN_OK);
    assert_true(gold_of(&i, stray) == 0);
    fixture_close(&i.f);
}

static void shops_say_who_may_trade(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.them, 20);
    purse_fill(&i, i.f.us, 1000, 1000);
    assert_false(kn_rts_can_buy(i.f.world, shop, hero, 2, &answer));
    assert_int_equal(
        answer.why_not, KN_RTS_ITEM_OTHERS | KN_RTS_ITEM_TOO_FAR | KN_RTS_ITEM_LEVEL_TOO_LOW);
    own(&i.f, shop, NOBODY);
    place(&i.f, shop, 5, 0);
    assert_int_equal(kn_rts_set_level(i.f.world, hero, 2), KN_OK);
    gain(&i.f, i.f.us, i.cursed);
    assert_false(kn_rts_can_buy(i.f.world, shop, hero, 2, &answer));
    assert_int_equal(answer.why_not, KN_RTS_ITEM_BAD_TAGS);
    lose(&i.f, i.f.us, i.cursed);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 2, NULL), KN_OK);
    assert_true(gold_of(&i, i.f.us) == 970); // the price of the shop, not of the item
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 2, NULL), KN_REFUSED_LIMIT); // one only
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 3, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_buy(i.f.world, hero, hero, 0, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_buy(i.f.world, shop, NOBODY, 0, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_good_of(i.f.world, shop, i.potion), 1);
    assert_int_equal(kn_rts_good_of(i.f.world, shop, i.wand), -1);
    // Full hands.
    while (kn_rts_can_carry(i.f.world, hero, item_at(&i, i.wand, 0), -1, NULL)) {
        (void)item_for(&i, i.wand, hero);
    }
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 1, NULL), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_OK); // into the slot for weapons
    assert_int_equal(kn_rts_kill(i.f.world, hero, NOBODY), KN_OK);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 1, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_shop_remove(i.f.world, shop), KN_OK);
    assert_int_equal(kn_rts_shop_remove(i.f.world, shop), KN_REFUSED_NOT_FOUND);
    assert_false(kn_entity_has_tag(i.f.world, shop, kn_rts_tag(i.f.library, KN_RTS_IS_SHOP)));
    fixture_close(&i.f);
}

static void stock_comes_back_one_by_one(void **state)
{
    items i;
    kn_rts_good_info info;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.us, 1);
    purse_fill(&i, i.f.us, 1000, 1000);
    assert_true(kn_rts_good_get_info(i.f.world, shop, 0, &info));
    assert_true(info.stock == 2 && info.restock_at == KN_TIME_INFINITE);
    assert_int_equal(info.price_count, 2);
    assert_int_equal(stock_of(&i, shop, 1), UINT32_MAX);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_OK);
    step_ms(&i.f, 4000);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_OK);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_REFUSED_LIMIT);
    assert_true(kn_rts_good_get_info(i.f.world, shop, 0, &info));
    assert_true(info.stock == 0 && info.restock_at == KN_S(10));
    step_ms(&i.f, 5999);
    assert_int_equal(stock_of(&i, shop, 0), 0);
    step_ms(&i.f, 1);
    assert_int_equal(stock_of(&i, shop, 0), 1);
    step_ms(&i.f, 30000); // a long step, and no more than there is room for
    assert_int_equal(stock_of(&i, shop, 0), 2);
    assert_true(kn_rts_good_get_info(i.f.world, shop, 0, &info));
    assert_true(info.restock_at == KN_TIME_INFINITE);
    assert_int_equal(kn_world_get_stats(i.f.world).timers, 0);
    // By call, and for a shop that begins anew.
    assert_int_equal(kn_rts_set_stock(i.f.world, shop, 0, 3), KN_REFUSED_LIMIT);
    assert_int_equal(kn_rts_set_stock(i.f.world, shop, 1, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_stock(i.f.world, hero, 0, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_stock(i.f.world, shop, 0, 0), KN_OK);
    step_ms(&i.f, 5000);
    assert_int_equal(kn_rts_shop_remove(i.f.world, shop), KN_OK);
    assert_int_equal(kn_rts_shop_add(i.f.world, shop, i.market), KN_OK);
    assert_int_equal(kn_rts_set_stock(i.f.world, shop, 0, 0), KN_OK);
    step_ms(&i.f, 9999); // the timer of before has fired in vain
    assert_int_equal(stock_of(&i, shop, 0), 0);
    step_ms(&i.f, 1);
    assert_int_equal(stock_of(&i, shop, 0), 1);
    assert_true(kn_entity_destroy(i.f.world, shop));
    step_ms(&i.f, 20000);
    fixture_close(&i.f);
}

static void shops_buy_for_a_share(void **state)
{
    items i;
    kn_rts_item_answer answer;
    kn_product_cost price[4];
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.us, 1);
    purse_fill(&i, i.f.us, 0, 0);
    const kn_entity_id sword = item_for(&i, i.sword, hero), relic = item_for(&i, i.relic, hero);
    assert_int_equal(kn_rts_resale(i.f.world, shop, sword, price, 4), 2);
    assert_true(price[0].amount == 50 && price[1].amount == 5);
    assert_false(kn_rts_can_sell(i.f.world, shop, relic, &answer));
    assert_int_equal(answer.why_not, KN_RTS_ITEM_FIXED);
    assert_int_equal(kn_rts_sell(i.f.world, shop, relic), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_sell(i.f.world, shop, sword), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, sword));
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_SOLD);
    assert_true(kn_entity_id_equal(i.heard.other, shop));
    assert_true(gold_of(&i, i.f.us) == 50);
    assert_true(kn_attribute_base(i.f.world, i.f.us, i.lumber) == 5);
    assert_true(value_of(&i, hero, i.damage) == 0);
    assert_int_equal(kn_rts_sell(i.f.world, shop, sword), KN_REFUSED_NOT_FOUND);
    // By the charges that are left.
    const kn_entity_id potion = item_for(&i, i.potion, hero);
    assert_int_equal(kn_rts_set_charges(i.f.world, potion, 3), KN_OK);
    assert_int_equal(kn_rts_resale(i.f.world, shop, potion, price, 4), 1);
    assert_true(price[0].amount == 75);
    // What lies around, is out of reach, or belongs to nobody with a purse is not bought.
    assert_int_equal(kn_rts_drop_item(i.f.world, potion, NULL), KN_OK);
    assert_int_equal(kn_rts_sell(i.f.world, shop, potion), KN_REFUSED_NOT_FOUND);
    const kn_entity_id other = hero_at(&i, NOBODY, 1);
    assert_int_equal(kn_rts_pick_up(i.f.world, other, potion), KN_OK);
    assert_int_equal(kn_rts_sell(i.f.world, shop, potion), KN_REFUSED_NOT_FOUND);
    assert_int_equal(info_of(&i, potion).charges, 3);
    assert_int_equal(kn_rts_sell(i.f.world, hero, potion), KN_REFUSED_NOT_FOUND);
    fixture_close(&i.f);
}

// What shops pay is rounded down, unless they are exact; an item may have a share of its own.
static void shares_are_rounded_down(void **state)
{
    items i;
    kn_product_cost price[2];
    kn_rts_shop_type_id exact;
    (void)state;
    items_library(&i);
    items_types(&i);
    const kn_product_cost odd = {i.gold, 15};
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Odd";
    def.price = &odd;
    def.price_count = 1;
    const kn_rts_item_type_id plain = item_add(&i, &def);
    def.name = "Dear";
    def.resale = 1;
    const kn_rts_item_type_id dear = item_add(&i, &def);
    items_pack(&i);
    items_hero(&i);
    items_shop(&i);
    kn_rts_shop_def shop = kn_rts_shop_def_default();
    shop.name = "Exact";
    shop.rounds = false;
    assert_int_equal(kn_rts_shop_register(i.f.library, &shop, &exact, NULL), KN_OK);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), market = shop_at(&i, i.f.us, 1);
    const kn_entity_id item = item_for(&i, plain, hero);
    assert_int_equal(kn_rts_resale(i.f.world, market, item, price, 2), 1);
    assert_true(price[0].amount == 7);
    assert_int_equal(kn_rts_resale(i.f.world, market, item_for(&i, dear, hero), price, 2), 1);
    assert_true(price[0].amount == 15);
    assert_int_equal(kn_rts_shop_remove(i.f.world, market), KN_OK);
    assert_int_equal(kn_rts_shop_add(i.f.world, market, exact), KN_OK);
    assert_int_equal(kn_rts_resale(i.f.world, market, item, price, 2), 1);
    assert_true(price[0].amount == 7.5f);
    fixture_close(&i.f);
}

// A part of the price that cannot be taken gives back what was taken before it.
static void prices_are_paid_in_full_or_not_at_all(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_attribute_def limited = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id purse;
    limited.name = "Gems";
    limited.base_min = (kn_limit){.is_set = true, .value = 5};
    set.name = "Purse";
    set.attributes = &limited;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(i.f.library, &set, &purse, NULL), KN_OK);
    const kn_attribute_id gems = attribute_named(&i.f, "Purse.Gems");
    const kn_product_cost price[] = {{i.gold, 10}, {gems, 4}};
    kn_rts_good good = kn_rts_good_default();
    kn_rts_shop_def def = kn_rts_shop_def_default();
    good.item = i.wand;
    good.price = price;
    good.price_count = 2;
    good.stock = 1;
    def.name = "Jeweller";
    def.goods = &good;
    def.good_count = 1;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, &i.market, NULL), KN_OK);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.us, 1);
    purse_fill(&i, i.f.us, 100, 0);
    assert_int_equal(kn_attribute_set_add(i.f.world, i.f.us, purse, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(i.f.world, i.f.us, gems, 0, 8), KN_OK);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_REFUSED_COST);
    assert_true(gold_of(&i, i.f.us) == 100);
    assert_true(kn_attribute_base(i.f.world, i.f.us, gems) == 8);
    assert_int_equal(stock_of(&i, shop, 0), 1);
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 0);
    assert_int_equal(kn_attribute_set_base(i.f.world, i.f.us, gems, 0, 9), KN_OK);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 0, NULL), KN_OK);
    assert_true(gold_of(&i, i.f.us) == 90);
    fixture_close(&i.f);
}

static void bad_shops_are_refused(void **state)
{
    items i;
    kn_error error;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_rts_good good = kn_rts_good_default();
    kn_rts_shop_def def = kn_rts_shop_def_default();
    def.name = "Bad";
    def.goods = &good;
    def.good_count = 1;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`item` of one of its `goods` is missing"));
    good.item = i.sword;
    good.first_stock = 3;
    good.stock = 2;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    good.first_stock = 1;
    good.restock = -1;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    good.restock = 0;
    def.share = NAN;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def.share = 0;
    def.relations = 1u << 7;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def.relations = KN_ORDER_FRIENDLY;
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_OK);
    assert_int_equal(kn_rts_shop_register(i.f.library, &def, NULL, &error), KN_REFUSED_DUPLICATE);
    fixture_close(&i.f);
}

// Events --------------------------------------------------------------------------------

static void trades_and_changes_of_hands_are_events(void **state)
{
    items i;
    char text[512] = "";
    size_t length = 0;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), shop = shop_at(&i, i.f.us, 1);
    kn_entity_id potion;
    purse_fill(&i, i.f.us, 50, 0);
    step_ms(&i.f, 10);
    assert_int_equal(kn_rts_buy(i.f.world, shop, hero, 1, &potion), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, potion, NOBODY, NULL, NULL), KN_OK);
    const kn_entity_id wand = item_for(&i, i.wand, hero);
    assert_int_equal(kn_rts_sell(i.f.world, shop, wand), KN_OK);
    step_ms(&i.f, 10);
    const kn_events events = kn_world_events(i.f.world);
    for (uint32_t k = 0; k < events.count; k++) {
        const kn_event *event = &events.data[k];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM || !kn_entity_id_equal(event->entity, hero)) {
            continue;
        }
        const char *name = kn_custom_event_name(i.f.library, event->data.custom.kind);
        const void *payload = kn_event_payload(i.f.world, event, &size);
        if (size == sizeof(kn_rts_trade_event)) {
            const kn_rts_trade_event *e = payload;
            assert_true(kn_entity_id_equal(e->payer, i.f.us) && kn_entity_id_equal(e->shop, shop));
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %g; ",
                name + strlen("Knack.Rts"), (double)e->amount);
        } else if (strncmp(name, "Knack.RtsItem", 13) == 0) {
            const kn_rts_item_event *e = payload;
            const bool is_trade = e->reason == KN_RTS_ITEM_BOUGHT || e->reason == KN_RTS_ITEM_SOLD;
            assert_true(kn_entity_id_equal(e->other, is_trade ? shop : NOBODY));
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %u %u; ",
                name + strlen("Knack.RtsItem"), (unsigned)e->charges, (unsigned)e->reason);
        }
    }
    char expected[512];
    (void)snprintf(expected, sizeof(expected),
        "Bought 50; Gained 1 %d; Used 0 %d; Lost 0 %d; Gained 2 %d; Lost 2 %d; Sold 0; ",
        KN_RTS_ITEM_BOUGHT, KN_RTS_ITEM_USED, KN_RTS_ITEM_USED_UP, KN_RTS_ITEM_GIVEN,
        KN_RTS_ITEM_SOLD);
    assert_string_equal(text, expected);
    fixture_close(&i.f);
}

// Nothing is lost or won ----------------------------------------------------------------

#define UNITS 4
#define CALLS 600
#define ITEMS_MAX 512

typedef struct game {
    items i;
    kn_entity_id units[UNITS];
    kn_entity_id shop;
    uint64_t random;
    // The books: what has been created, and what has gone for good.
    double gold;      // that players should have in all
    uint32_t potions; // charges of potions that should be there
    uint32_t swords;  // swords that should be there
} game;

static uint32_t next_random(game *g, uint32_t below)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->random >> 33) % below;
}

static void game_begin(game *g, uint64_t seed, const kn_hooks *hooks)
{
    *g = (game){.random = seed};
    items_library(&g->i);
    items_types(&g->i);
    g->i.pack_def = kn_rts_inventory_def_default();
    g->i.pack_def.on_death = KN_RTS_LOSS_DROP;
    items_pack(&g->i);
    items_hero(&g->i);
    items_shop(&g->i);
    kn_world_def world = kn_world_def_default();
    if (hooks != NULL) {
        world.hooks = *hooks;
    }
    library_finish(&g->i.f);
    world_begin_with(&g->i.f, world);
    purse_fill(&g->i, g->i.f.us, 2000, 500);
    purse_fill(&g->i, g->i.f.them, 2000, 500);
    g->gold = 4000;
    for (uint32_t u = 0; u < UNITS; u++) {
        g->units[u] = hero_at(&g->i, u % 2 == 0 ? g->i.f.us : g->i.f.them, (float)u * 0.5f);
    }
    g->shop = shop_at(&g->i, NOBODY, 1);
}

// Some item that exists, carried or not.
static kn_entity_id any_item(game *g)
{
    const kn_component_type_id type = kn_component_find(g->i.f.library, "Knack.RtsItem");
    kn_entity_id all[ITEMS_MAX], item = {0};
    uint32_t count = 0;
    while ((item = kn_component_next(g->i.f.world, type, item)).index1 != 0 && count < ITEMS_MAX) {
        all[count++] = item;
    }
    return count > 0 ? all[next_random(g, count)] : NOBODY;
}

static void book_loss(game *g, const kn_rts_item_info *info)
{
    g->potions -= info->type.index1 == g->i.potion.index1 ? info->charges : 0;
    g->swords -= info->type.index1 == g->i.sword.index1;
}

static void play(game *g)
{
    kn_world *world = g->i.f.world;
    const kn_entity_id unit = g->units[next_random(g, UNITS)];
    const kn_entity_id other = g->units[next_random(g, UNITS)];
    const uint32_t action = next_random(g, 12), number = next_random(g, 7);
    const kn_entity_id item = any_item(g);
    const kn_rts_item_info info = info_of(&g->i, item);
    switch (action) {
    case 0:
    case 1: {
        const uint32_t good = number % 2;
        if (kn_rts_buy(world, g->shop, unit, good, NULL) == KN_OK) {
            g->gold -= good == 0 ? 100 : 50;
            g->swords += good == 0;
            g->potions += good == 1;
        }
        break;
    }
    case 2:
        if (info.holder.index1 != 0) {
            kn_product_cost price[4];
            (void)kn_rts_resale(world, g->shop, item, price, 4);
            if (kn_rts_sell(world, g->shop, item) == KN_OK) {
                g->gold += (double)price[0].amount;
                book_loss(g, &info);
            }
        }
        break;
    case 3:
    case 4:
        (void)kn_rts_pick_up(world, unit, item);
        break;
    case 5:
        (void)kn_rts_drop_item(world, item, NULL);
        break;
    case 6:
        (void)kn_rts_hand_item(world, item, other);
        break;
    case 7:
        (void)kn_rts_move_item(world, item, number);
        break;
    case 8:
        (void)kn_rts_split_item(world, item, number, NULL);
        break;
    case 9:
        if (kn_rts_use_item(world, item, unit, NULL, NULL) == KN_OK) {
            g->potions -= info.type.index1 == g->i.potion.index1;
        }
        break;
    case 10:
        if (kn_rts_kill(world, unit, other) != KN_OK) { // it lives again
            gain(&g->i.f, unit, kn_rts_tag(g->i.f.library, KN_RTS_ALIVE));
        }
        break;
    default:
        if (number == 0 && item.index1 != 0) {
            assert_true(kn_entity_destroy(world, item));
            book_loss(g, &info);
        } else if (number == 1) {
            own(&g->i.f, unit, kn_entity_owner(world, other));
        } else if (number == 2) {
            (void)kn_rts_give_item(world, unit, item, -1);
        }
    }
}

// Gold and items are what the books say, nobody has an item twice, and everybody has exactly what
// his items give.
static void books_check(const game *g)
{
    const kn_world *world = g->i.f.world;
    const kn_component_type_id type = kn_component_find(g->i.f.library, "Knack.RtsItem");
    uint32_t potions = 0, swords = 0, carried = 0, in_slots = 0;
    kn_entity_id item = {0};
    while ((item = kn_component_next(world, type, item)).index1 != 0) {
        const kn_rts_item_info info = info_of(&g->i, item);
        potions += info.type.index1 == g->i.potion.index1 ? info.charges : 0;
        swords += info.type.index1 == g->i.sword.index1;
        assert_int_equal(info.holder.index1 != 0, !info.is_placed);
        carried += info.holder.index1 != 0;
        if (info.holder.index1 != 0) {
            assert_true(kn_entity_id_equal(kn_rts_slot_item(world, info.holder, info.slot), item));
        }
    }
    assert_int_equal(potions, g->potions);
    assert_int_equal(swords, g->swords);
    assert_true((double)gold_of(&g->i, g->i.f.us) + (double)gold_of(&g->i, g->i.f.them) == g->gold);
    for (uint32_t u = 0; u < UNITS; u++) {
        uint32_t acting = 0, stacks = 0;
        for (uint32_t slot = 0; slot < kn_rts_slot_count(world, g->units[u]); slot++) {
            const kn_entity_id there = kn_rts_slot_item(world, g->units[u], slot);
            const kn_rts_item_info info = info_of(&g->i, there);
            in_slots += there.index1 != 0;
            acting += info.acts && info.type.index1 == g->i.sword.index1;
            stacks += info.acts && info.type.index1 == g->i.potion.index1;
        }
        kn_ability_query query = kn_ability_query_default();
        assert_int_equal(kn_effects_count(world, g->units[u]), acting);
        assert_true(kn_attribute_value(world, g->units[u], g->i.damage) == 10.0f * (float)acting);
        query.type = g->i.slash;
        assert_int_equal(kn_abilities_find(world, g->units[u], &query, NULL, 0), acting);
        query.type = g->i.drink;
        assert_int_equal(kn_abilities_find(world, g->units[u], &query, NULL, 0), stacks);
        assert_int_equal(kn_rts_item_ability_list(world, g->units[u], NULL, 0), acting + stacks);
    }
    assert_int_equal(in_slots, carried);
}

// RTS-075, RTS-076, RTS-077: whatever happens, the lists tell what there is.
static void nothing_is_lost_or_won_by_any_sequence(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        game g;
        game_begin(&g, seed, NULL);
        for (uint32_t k = 0; k < CALLS; k++) {
            play(&g);
            books_check(&g);
            if (k % 4 == 0) {
                step_ms(&g.i.f, 700);
            }
        }
        assert_true(kn_world_validate(g.i.f.world));
        fixture_close(&g.i.f);
    }
}

static void rolled_back_steps_end_alike(void **state)
{
    game g;
    (void)state;
    game_begin(&g, 7, NULL);
    for (uint32_t k = 0; k < 200; k++) {
        size_t size;
        void *bytes = snapshot_of(g.i.f.world, &size);
        const game before = g;
        play(&g);
        step_ms(&g.i.f, 300);
        const uint64_t hash = kn_world_hash(g.i.f.world);
        snapshot_restore(g.i.f.world, bytes, size);
        g = before;
        books_check(&g);
        play(&g);
        step_ms(&g.i.f, 300);
        assert_int_equal(kn_world_hash(g.i.f.world), hash);
        books_check(&g);
        free(bytes);
    }
    fixture_close(&g.i.f);
}

static void saves_go_on_elsewhere(void **state)
{
    game g;
    (void)state;
    game_begin(&g, 11, NULL);
    for (uint32_t k = 0; k < 60; k++) {
        play(&g);
        step_ms(&g.i.f, 300);
        size_t size;
        void *bytes = save_of(g.i.f.world, &size);
        kn_world_def def = kn_world_def_default();
        kn_world *copy, *first = g.i.f.world;
        def.library = g.i.f.library;
        assert_int_equal(kn_world_create(&def, &copy), KN_OK);
        save_load(copy, bytes, size);
        free(bytes);
        assert_same_worlds(first, copy);
        kn_world_destroy(copy);
    }
    books_check(&g);
    fixture_close(&g.i.f);
}

static void *count_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    ++*(uint32_t *)user;
    return realloc(ptr, new_size);
}

// Giving, dropping, using and trading allocate nothing once everything has happened before.
static void warm_worlds_allocate_nothing(void **state)
{
    game g;
    uint32_t count = 0;
    const kn_hooks hooks = {.realloc_fn = count_realloc, .realloc_user = &count};
    (void)state;
    game_begin(&g, 3, &hooks);
    const kn_entity_id sword = item_for(&g.i, g.i.sword, g.units[0]);
    for (uint32_t k = 0; k < 400; k++) {
        kn_entity_id potion;
        count = k == 200 ? 0 : count;
        purse_fill(&g.i, g.i.f.us, 100, 0);
        assert_int_equal(kn_rts_drop_item(g.i.f.world, sword, NULL), KN_OK);
        assert_int_equal(kn_rts_pick_up(g.i.f.world, g.units[2], sword), KN_OK);
        assert_int_equal(kn_rts_hand_item(g.i.f.world, sword, g.units[0]), KN_OK);
        assert_int_equal(kn_rts_buy(g.i.f.world, g.shop, g.units[0], 1, &potion), KN_OK);
        assert_int_equal(kn_rts_use_item(g.i.f.world, potion, NOBODY, NULL, NULL), KN_OK);
        step_ms(&g.i.f, 5000);
    }
    assert_int_equal(count, 0);
    fixture_close(&g.i.f);
}

typedef struct scarcity {
    uint32_t left; // allocations until one fails
    bool failed;
} scarcity;

static void *scarce_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    scarcity *s = user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (s->left-- == 0) {
        s->failed = true;
        return NULL;
    }
    return realloc(ptr, new_size);
}

static kn_result errors_only(kn_result worst, kn_result result)
{
    return worst != KN_OK || kn_result_is_refused(result) ? worst : result;
}

// The first error of some calls about items; KN_OK if there is none.
static kn_result play_some(game *g)
{
    kn_world *world = g->i.f.world;
    const kn_entity_id unit = g->units[0];
    const kn_vec3 here = {0, 0, 0};
    kn_result worst = KN_OK;
    for (uint32_t k = 0; k < 12 && worst == KN_OK; k++) {
        kn_entity_id potion, sword;
        worst = errors_only(worst, kn_rts_buy(world, g->shop, unit, 1, &potion));
        worst = errors_only(worst, kn_rts_item_create(world, g->i.sword, &here, &sword));
        worst = errors_only(worst, kn_rts_pick_up(world, unit, sword));
        worst = errors_only(worst, kn_rts_split_item(world, potion, 1, NULL));
        worst = errors_only(worst, kn_rts_hand_item(world, sword, g->units[2]));
        worst = errors_only(worst, kn_rts_use_item(world, potion, NOBODY, NULL, NULL));
        worst = errors_only(worst, kn_rts_add_item_ability(world, unit, g->i.power, NULL));
        worst = errors_only(worst, kn_rts_drop_item(world, sword, NULL));
        worst = errors_only(worst, kn_world_step(world, KN_MS(700)));
    }
    return worst;
}

// Whichever allocation fails, a call says so, or everything ends as it would have.
static void running_out_of_memory_is_an_error(void **state)
{
    game g;
    uint32_t failed = 0;
    uint64_t hash = 0;
    bool goes_on = true;
    (void)state;
    for (uint32_t first = UINT32_MAX; goes_on; first++) { // the first round has all it needs
        scarcity s = {.left = UINT32_MAX};
        const kn_hooks hooks = {.realloc_fn = scarce_realloc, .realloc_user = &s};
        game_begin(&g, 5, &hooks);
        s.left = first;
        const kn_result worst = play_some(&g);
        goes_on = s.failed || first == UINT32_MAX;
        s.left = UINT32_MAX;
        hash = first == UINT32_MAX ? kn_world_hash(g.i.f.world) : hash;
        if (worst == KN_OK) {
            assert_int_equal(kn_world_hash(g.i.f.world), hash);
            fixture_close(&g.i.f);
            continue;
        }
        assert_true(s.failed);
        failed++;
        if (!kn_world_is_broken(g.i.f.world)) {
            assert_true(kn_world_validate(g.i.f.world));
        }
        kn_grid_destroy(g.i.f.grid);
        kn_world_destroy(g.i.f.world);
        kn_library_destroy(g.i.f.library);
    }
    assert_true(failed > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(units_buy_for_their_owner),
    cmocka_unit_test(shops_say_who_may_trade),
    cmocka_unit_test(stock_comes_back_one_by_one),
    cmocka_unit_test(shops_buy_for_a_share),
    cmocka_unit_test(shares_are_rounded_down),
    cmocka_unit_test(prices_are_paid_in_full_or_not_at_all),
    cmocka_unit_test(bad_shops_are_refused),
    cmocka_unit_test(trades_and_changes_of_hands_are_events),
    cmocka_unit_test(nothing_is_lost_or_won_by_any_sequence),
    cmocka_unit_test(rolled_back_steps_end_alike),
    cmocka_unit_test(saves_go_on_elsewhere),
    cmocka_unit_test(warm_worlds_allocate_nothing),
    cmocka_unit_test(running_out_of_memory_is_an_error),
};

TEST_GROUP(rts_shops, tests, NULL, NULL);
