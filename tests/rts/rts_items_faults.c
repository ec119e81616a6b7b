// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items and shops when something is in the way: hooks that change what a call relies on, saves that
// are damaged, and tags that come with the item.

#include "rts/item_test.h"

#include "scenario/world_copies.h"

#define NOBODY ((kn_entity_id){0})

// Hooks under a payment -----------------------------------------------------------------

typedef struct stall {
    items i;
    kn_attribute_set_id purse;
    kn_attribute_id coins;
    kn_entity_id shop, hero;
    uint32_t stock;  // what the hook sets it to
    bool sets_stock; // the hook does so
    bool removes;    // the hook ends the shop
} stall;

static void coins_changed(void *user, const kn_attribute_change *change)
{
    stall *s = user;
    if (s->sets_stock) {
        s->sets_stock = false;
        assert_int_equal(kn_rts_set_stock(change->world, s->shop, 0, s->stock), KN_OK);
    }
    if (s->removes) {
        s->removes = false;
        assert_int_equal(kn_rts_shop_remove(change->world, s->shop), KN_OK);
    }
}

static void stall_open(stall *s)
{
    items *i = &s->i;
    kn_attribute_def coins = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_rts_good good = kn_rts_good_default();
    kn_rts_shop_def def = kn_rts_shop_def_default();
    *s = (stall){0};
    items_library(i);
    items_types(i);
    items_pack(i);
    items_hero(i);
    coins.name = "Coins";
    set.name = "Purse";
    set.attributes = &coins;
    set.attribute_count = 1;
    set.hooks = (kn_attribute_hooks){.user = s, .post_base_change = coins_changed};
    assert_int_equal(kn_attribute_set_register(i->f.library, &set, &s->purse, NULL), KN_OK);
    s->coins = attribute_named(&i->f, "Purse.Coins");
    const kn_product_cost price = {s->coins, 10};
    good.item = i->wand;
    good.price = &price;
    good.price_count = 1;
    good.stock = 5;
    def.name = "Stall";
    def.goods = &good;
    def.good_count = 1;
    assert_int_equal(kn_rts_shop_register(i->f.library, &def, &i->market, NULL), KN_OK);
    world_begin(&i->f);
    s->hero = hero_at(i, i->f.us, 0);
    assert_int_equal(kn_entity_create(i->f.world, &s->shop), KN_OK);
    assert_int_equal(kn_rts_shop_add(i->f.world, s->shop, i->market), KN_OK);
    assert_int_equal(kn_attribute_set_add(i->f.world, i->f.us, s->purse, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(i->f.world, i->f.us, s->coins, 0, 100), KN_OK);
}

static uint32_t items_there(const items *i)
{
    const kn_component_type_id type = kn_component_find(i->f.library, "Knack.RtsItem");
    kn_entity_id item = {0};
    uint32_t count = 0;
    while ((item = kn_component_next(i->f.world, type, item)).index1 != 0) {
        count++;
    }
    return count;
}

static void shops_may_end_while_they_are_paid(void **state)
{
    stall s;
    kn_entity_id item;
    (void)state;
    stall_open(&s);
    s.removes = true;
    assert_int_equal(
        kn_rts_buy(s.i.f.world, s.shop, s.hero, 0, &item), KN_REFUSED_NOT_FOUND);
    assert_int_equal(item.index1, 0);
    assert_int_equal(items_there(&s.i), 0);
    assert_true(kn_attribute_base(s.i.f.world, s.i.f.us, s.coins) == 100);
    fixture_close(&s.i.f);
}

static void stock_that_a_hook_sets_counts(void **state)
{
    stall s;
    kn_rts_good_info info;
    (void)state;
    stall_open(&s);
    s.sets_stock = true;
    s.stock = 2;
    assert_int_equal(kn_rts_buy(s.i.f.world, s.shop, s.hero, 0, NULL), KN_OK);
    assert_true(kn_rts_good_get_info(s.i.f.world, s.shop, 0, &info));
    assert_int_equal(info.stock, 1);
    s.sets_stock = true;
    s.stock = 0; // sold out meanwhile
    assert_int_equal(kn_rts_buy(s.i.f.world, s.shop, s.hero, 0, NULL), KN_REFUSED_LIMIT);
    assert_true(kn_rts_good_get_info(s.i.f.world, s.shop, 0, &info));
    assert_int_equal(info.stock, 0);
    assert_int_equal(items_there(&s.i), 1);
    assert_true(kn_attribute_base(s.i.f.world, s.i.f.us, s.coins) == 90);
    fixture_close(&s.i.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shops_may_end_while_they_are_paid),
        cmocka_unit_test(stock_that_a_hook_sets_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
