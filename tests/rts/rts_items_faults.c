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
    assert_int_equal(kn_rts_buy(s.i.f.world, s.shop, s.hero, 0, &item), KN_REFUSED_NOT_FOUND);
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

// Tags that come with the item ----------------------------------------------------------

typedef struct hexes {
    items i;
    kn_rts_item_type_id hex;
    kn_rts_inventory_type_id shrine;
    kn_entity_id hero, shop;
} hexes;

// An item that is cursed by an effect of its archetype, and a pouch that takes nothing cursed.
static void hexes_open(hexes *h)
{
    items *i = &h->i;
    kn_effect_def curse = kn_effect_def_default();
    kn_archetype_effect effect = {.level = kn_constant(1)};
    kn_archetype_def archetype = kn_archetype_def_default();
    kn_rts_item_def def = kn_rts_item_def_default();
    kn_rts_good good = kn_rts_good_default();
    kn_rts_shop_def shop = kn_rts_shop_def_default();
    *h = (hexes){0};
    items_library(i);
    items_types(i);
    items_hero(i);
    const kn_product_cost price = {i->gold, 10};
    curse.name = "Curse";
    curse.duration_kind = KN_DURATION_INFINITE;
    curse.granted_tags = (kn_tags){&i->cursed, 1};
    assert_int_equal(kn_effect_register(i->f.library, &curse, &effect.type, NULL), KN_OK);
    archetype.name = "Hex";
    archetype.effects = &effect;
    archetype.effect_count = 1;
    def.name = "Hex";
    assert_int_equal(kn_archetype_register(i->f.library, &archetype, &def.archetype, NULL), KN_OK);
    h->hex = item_add(i, &def);
    const kn_rts_slot_def slots[] = {{.count = 2, .accepts = {.ignored = {&i->cursed, 1}}}};
    const kn_rts_item_type_id begins[] = {h->hex, i->wand};
    kn_rts_inventory_def pouch = kn_rts_inventory_def_default();
    pouch.name = "Pouch";
    pouch.slots = slots;
    pouch.slot_count = 1;
    assert_int_equal(kn_rts_inventory_register(i->f.library, &pouch, &i->pack, NULL), KN_OK);
    pouch.name = "Shrine";
    pouch.items = begins;
    pouch.item_count = 2;
    assert_int_equal(kn_rts_inventory_register(i->f.library, &pouch, &h->shrine, NULL), KN_OK);
    good.item = h->hex;
    good.price = &price;
    good.price_count = 1;
    good.stock = 3;
    shop.name = "Witch";
    shop.goods = &good;
    shop.good_count = 1;
    assert_int_equal(kn_rts_shop_register(i->f.library, &shop, &i->market, NULL), KN_OK);
    world_begin(&i->f);
    h->hero = hero_at(i, i->f.us, 0);
    assert_int_equal(kn_entity_create(i->f.world, &h->shop), KN_OK);
    assert_int_equal(kn_rts_shop_add(i->f.world, h->shop, i->market), KN_OK);
    assert_int_equal(kn_attribute_set_add(i->f.world, i->f.us, i->stock, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(i->f.world, i->f.us, i->gold, 0, 100), KN_OK);
}

static void items_that_turn_out_not_to_fit_are_not_bought(void **state)
{
    hexes h;
    kn_entity_id item;
    kn_rts_good_info info;
    (void)state;
    hexes_open(&h);
    kn_world *world = h.i.f.world;
    assert_int_equal(kn_rts_buy(world, h.shop, h.hero, 0, &item), KN_REFUSED_REQUIREMENT);
    assert_int_equal(item.index1, 0);
    assert_int_equal(items_there(&h.i), 0);
    assert_true(kn_attribute_base(world, h.i.f.us, h.i.gold) == 100);
    assert_true(kn_rts_good_get_info(world, h.shop, 0, &info));
    assert_int_equal(info.stock, 3);
    // Nor does an inventory begin with them.
    const kn_entity_id other = unit_create(&h.i.f, h.i.hero_type, h.i.f.us);
    assert_int_equal(kn_rts_inventory_add(world, other, h.shrine), KN_OK);
    assert_int_equal(kn_rts_items(world, other, NULL, 0), 1);
    assert_int_equal(items_there(&h.i), 1);
    fixture_close(&h.i.f);
}

// A hook of the item that charges join curses what is left of them.
static kn_result curse_hook(void *user, const kn_hook_call *call)
{
    const kn_tag *cursed = user;
    const kn_component_type_id type =
        kn_component_find(kn_world_library(call->world), "Knack.RtsItem");
    kn_entity_id item = {0};
    while ((item = kn_component_next(call->world, type, item)).index1 != 0) {
        kn_rts_item_info info;
        (void)kn_rts_item_get_info(call->world, item, &info);
        if (info.holder.index1 == 0) {
            assert_int_equal(
                kn_entity_add_tag(call->writable, item, *cursed, KN_TAG_ORIGIN_LOOSE_SYNCED, 1),
                KN_OK);
        }
    }
    return KN_OK;
}

static void what_fits_no_longer_lies_at_the_unit(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    items_hero(&i);
    const kn_rts_slot_def slots[] = {{.count = 2, .accepts = {.ignored = {&i.cursed, 1}}}};
    kn_rts_inventory_def pouch = kn_rts_inventory_def_default();
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Dust";
    def.charges = 2;
    def.stack = 3;
    def.gained = (kn_hook){curse_hook, &i.cursed};
    const kn_rts_item_type_id dust = item_add(&i, &def);
    pouch.name = "Pouch";
    pouch.slots = slots;
    pouch.slot_count = 1;
    assert_int_equal(kn_rts_inventory_register(i.f.library, &pouch, &i.pack, NULL), KN_OK);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 4);
    const kn_entity_id first = item_for(&i, dust, hero), second = item_for(&i, dust, hero);
    assert_int_equal(info_of(&i, first).charges, 3);
    assert_int_equal(info_of(&i, second).charges, 1);
    assert_int_equal(info_of(&i, second).holder.index1, 0);
    assert_true(info_of(&i, second).is_placed && info_of(&i, second).location.x == 4);
    fixture_close(&i.f);
}

// Damaged saves -------------------------------------------------------------------------

// Where a field is in a component, or in an item of its list.
static size_t offset_of(const items *i, const char *component, bool in_items, const char *name)
{
    const kn_component_def *def =
        kn_component_get_def(i->f.library, kn_component_find(i->f.library, component));
    const kn_field *fields = in_items ? def->item_fields : def->fields;
    const uint32_t count = in_items ? def->item_field_count : def->field_count;
    for (uint32_t k = 0; k < count; k++) {
        if (strcmp(fields[k].name, name) == 0) {
            return fields[k].offset;
        }
    }
    fail_msg("%s has no field %s", component, name);
    return 0;
}

static void field_write(items *i, kn_entity_id entity, const char *component, const char *name,
    const void *value, size_t size)
{
    uint8_t *bytes =
        kn_component_get(i->f.world, kn_component_find(i->f.library, component), entity);
    assert_non_null(bytes);
    memcpy(bytes + offset_of(i, component, false, name), value, size);
}

static void number_write(
    items *i, kn_entity_id entity, const char *component, const char *name, uint32_t value)
{
    field_write(i, entity, component, name, &value, sizeof(value));
}

static void time_write(items *i, kn_entity_id item, const char *name, kn_time value)
{
    field_write(i, item, "Knack.RtsItem", name, &value, sizeof(value));
}

// Goes on as from a save.
static void reload(items *i)
{
    size_t size;
    void *bytes = save_of(i->f.world, &size);
    save_load(i->f.world, bytes, size);
    free(bytes);
}

// A turn that goes on in a save, with a call that waits.
static void turn_write(items *i, uint32_t busy, uint32_t kind, kn_entity_id unit, uint32_t number)
{
    static const char turn[] = "Knack.RtsItemTurn";
    const kn_component_type_id type = kn_component_find(i->f.library, turn);
    assert_non_null(kn_component_add(i->f.world, type, NOBODY));
    number_write(i, NOBODY, turn, "busy", busy);
    uint8_t *call = kn_component_resize(i->f.world, type, NOBODY, 1);
    assert_non_null(call);
    memcpy(call + offset_of(i, turn, true, "kind"), &kind, sizeof(kind));
    memcpy(call + offset_of(i, turn, true, "unit"), &unit, sizeof(unit));
    memcpy(call + offset_of(i, turn, true, "number"), &number, sizeof(number));
}

static void turns_of_saves_do_not_go_on(void **state)
{
    items i;
    kn_entity_id item;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id other = unit_create(&i.f, i.hero_type, i.f.us);
    step_ms(&i.f, 100);
    const uint32_t busy[] = {0, 1, (uint32_t)kn_world_now(i.f.world) | 1u};
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t kind = 0; kind < 20; kind++) {
            turn_write(&i, busy[k], kind, other, 9999);
            reload(&i);
            assert_int_equal(kn_rts_item_create(i.f.world, i.wand, NULL, &item), KN_OK);
            assert_true(kn_entity_is_alive(i.f.world, item));
            assert_int_equal(kn_rts_give_item(i.f.world, hero, item, -1), KN_OK);
            assert_true(kn_entity_id_equal(info_of(&i, item).holder, hero));
            assert_true(kn_entity_destroy(i.f.world, item));
            assert_int_equal(items_there(&i), 0);
            assert_int_equal(kn_rts_slot_count(i.f.world, other), 0);
        }
    }
    // A call that would be possible is not made, either.
    turn_write(&i, 0, 0, other, i.wand.index1);
    reload(&i);
    assert_int_equal(kn_rts_item_create(i.f.world, i.sword, NULL, &item), KN_OK);
    assert_int_equal(items_there(&i), 1);
    fixture_close(&i.f);
}

static void items_without_a_type_do_nothing(void **state)
{
    items i;
    kn_entity_id part;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), friend = hero_at(&i, i.f.us, 1);
    const kn_entity_id item = item_for(&i, i.token, hero),
                       shop = unit_create(&i.f, i.hero_type, i.f.us);
    assert_int_equal(kn_rts_shop_add(i.f.world, shop, i.market), KN_OK);
    assert_int_equal(kn_rts_set_charges(i.f.world, item, 3), KN_OK);
    number_write(&i, item, "Knack.RtsItem", "type", 0);
    number_write(&i, item, "Knack.RtsItem", "flags", 1); // its effect was refused
    reload(&i);
    assert_int_equal(kn_rts_split_item(i.f.world, item, 1, &part), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_sell(i.f.world, shop, item), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_charges(i.f.world, item, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_hand_item(i.f.world, item, friend), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_drop_item(i.f.world, item, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_use_item(i.f.world, item, NOBODY, NULL, NULL), KN_REFUSED_NOT_FOUND);
    const kn_entity_id sword = item_for(&i, i.sword, hero); // tries effects once more
    assert_true(value_of(&i, hero, i.damage) == 10);
    own(&i.f, hero, i.f.them);
    assert_true(kn_entity_id_equal(info_of(&i, sword).holder, hero));
    assert_true(kn_entity_destroy(i.f.world, item));
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 1);
    fixture_close(&i.f);
}

static void inventories_without_a_type_keep_what_they_have(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id sword = item_for(&i, i.sword, hero), potion = item_for(&i, i.potion, hero);
    number_write(&i, hero, "Knack.RtsInventory", "type", 0);
    reload(&i);
    own(&i.f, hero, i.f.them);
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, sword), i.f.them));
    assert_int_equal(kn_rts_move_item(i.f.world, sword, 3), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_split_item(i.f.world, potion, 1, NULL), KN_REFUSED_COST);
    assert_int_equal(kn_rts_inventory_remove(i.f.world, hero), KN_OK);
    assert_true(info_of(&i, sword).is_placed && info_of(&i, potion).is_placed);
    fixture_close(&i.f);
}

static kn_time wait_of(const items *i, kn_entity_id item)
{
    kn_time remaining, total;
    (void)kn_ability_cooldown(i->f.world, info_of(i, item).ability, &remaining, &total);
    return remaining;
}

// What has come back is computed: no number makes it last, or gives more than the ability has.
static void any_cooldown_of_a_save_ends(void **state)
{
    static const struct {
        uint32_t missing;
        kn_time cycle, ready_at, wait;
    } rows[] = {
        {UINT32_MAX, 1, 0, 1},
        {UINT32_MAX, 0, 0, 0},
        {UINT32_MAX, -5, 0, 0},
        {UINT32_MAX, INT64_MAX, INT64_MIN, 0},
        {2, KN_S(10), KN_S(95), KN_S(5)},
        {2, KN_S(10), KN_S(85), 0},
        {1, KN_S(10), KN_S(102), KN_S(2)},
        {INT32_MAX, KN_S(10), KN_S(103), KN_S(3)},
    };
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    step_ms(&i.f, 100000);
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        const kn_entity_id wand = item_at(&i, i.wand, 0);
        number_write(&i, wand, "Knack.RtsItem", "missing", rows[k].missing);
        time_write(&i, wand, "cycle", rows[k].cycle);
        time_write(&i, wand, "ready_at", rows[k].ready_at);
        reload(&i);
        assert_int_equal(kn_rts_give_item(i.f.world, hero, wand, -1), KN_OK);
        if (rows[k].wait > 0 || rows[k].ready_at >= 0) {
            assert_int_equal(wait_of(&i, wand), rows[k].wait);
        }
        assert_true(kn_entity_destroy(i.f.world, wand));
    }
    fixture_close(&i.f);
}

// Cooldowns of parts --------------------------------------------------------------------

static void parts_have_the_cooldown_of_the_whole(void **state)
{
    items i;
    kn_entity_id part, more;
    (void)state;
    items_library(&i);
    items_types(&i);
    items_pack(&i);
    items_hero(&i);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Scroll";
    def.ability = i.zap;
    def.charges = 4;
    def.stack = 6;
    const kn_rts_item_type_id type = item_add(&i, &def);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), foe = hero_at(&i, i.f.them, 1);
    const kn_entity_id scroll = item_for(&i, type, hero);
    assert_int_equal(kn_rts_use_item(i.f.world, scroll, foe, NULL, NULL), KN_OK);
    step_ms(&i.f, 4000);
    assert_int_equal(kn_rts_split_item(i.f.world, scroll, 1, &part), KN_OK);
    assert_int_equal(wait_of(&i, part), KN_S(6));
    assert_int_equal(wait_of(&i, scroll), KN_S(6));
    assert_int_equal(kn_rts_use_item(i.f.world, part, foe, NULL, NULL), KN_REFUSED_COOLDOWN);
    // Out of a stash, too.
    assert_int_equal(kn_rts_move_item(i.f.world, scroll, 4), KN_OK);
    assert_int_equal(kn_rts_split_item(i.f.world, scroll, 1, &more), KN_OK);
    step_ms(&i.f, 1000);
    assert_int_equal(wait_of(&i, more), KN_S(5));
    assert_int_equal(kn_rts_move_item(i.f.world, scroll, 3), KN_OK);
    assert_int_equal(wait_of(&i, scroll), KN_S(5));
    step_ms(&i.f, 5000);
    assert_int_equal(wait_of(&i, scroll), 0);
    // What joins has the longer one, whichever it comes from: both carried, or one from elsewhere.
    assert_true(kn_entity_destroy(i.f.world, scroll));
    assert_true(kn_entity_destroy(i.f.world, part));
    assert_true(kn_entity_destroy(i.f.world, more));
    const kn_entity_id used = item_for(&i, type, hero);
    assert_int_equal(kn_rts_set_charges(i.f.world, used, 6), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, used, foe, NULL, NULL), KN_OK);
    step_ms(&i.f, 2000);
    assert_int_equal(kn_rts_split_item(i.f.world, used, 2, &part), KN_OK);
    assert_int_equal(
        kn_ability_reset_cooldown(i.f.world, info_of(&i, part).ability, (kn_tag){0}), KN_OK);
    assert_int_equal(kn_rts_move_item(i.f.world, used, info_of(&i, part).slot), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, used));
    assert_int_equal(info_of(&i, part).charges, 5);
    assert_int_equal(wait_of(&i, part), KN_S(8));
    assert_int_equal(kn_rts_split_item(i.f.world, part, 2, &more), KN_OK);
    assert_int_equal(
        kn_ability_change_cooldown(i.f.world, info_of(&i, more).ability, (kn_tag){0}, -KN_S(3), 0),
        KN_OK);
    assert_int_equal(kn_rts_move_item(i.f.world, more, info_of(&i, part).slot), KN_OK);
    assert_int_equal(wait_of(&i, part), KN_S(8)); // the shorter one is gone
    const kn_entity_id friend = hero_at(&i, i.f.us, 1), fresh = item_for(&i, type, friend);
    assert_int_equal(kn_rts_set_charges(i.f.world, fresh, 1), KN_OK);
    assert_int_equal(kn_rts_hand_item(i.f.world, part, friend), KN_OK);
    assert_int_equal(info_of(&i, fresh).charges, 6);
    assert_int_equal(wait_of(&i, fresh), KN_S(8));
    fixture_close(&i.f);
}

// New items -----------------------------------------------------------------------------

typedef struct gift {
    kn_rts_item_type_id type;
    kn_result result;
    kn_entity_id item;
    uint32_t calls;
} gift;

static kn_result gift_hook(void *user, const kn_hook_call *call)
{
    gift *g = user;
    g->calls++;
    g->item = call->entity;
    g->result = kn_rts_give_new_item(call->writable, call->entity, g->type, &g->item);
    assert_int_equal(kn_rts_count_items(call->world, call->entity, g->type), 0);
    return KN_OK;
}

// From hooks of items, too, where it waits until the hook is done.
static void new_items_are_given(void **state)
{
    items i;
    gift g = {.result = KN_ERROR_BAD_DATA};
    kn_entity_id item, same;
    (void)state;
    items_library(&i);
    items_types(&i);
    items_pack(&i);
    items_hero(&i);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Parcel";
    def.gained = (kn_hook){gift_hook, &g};
    const kn_rts_item_type_id parcel = item_add(&i, &def);
    g.type = i.sword;
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    assert_int_equal(kn_rts_give_new_item(i.f.world, hero, parcel, &item), KN_OK);
    assert_true(kn_entity_id_equal(info_of(&i, item).holder, hero));
    assert_int_equal(g.calls, 1);
    assert_int_equal(g.result, KN_OK);
    assert_int_equal(g.item.index1, 0);
    const kn_entity_id sword = kn_rts_carried_item(i.f.world, hero, i.sword);
    assert_true(kn_entity_id_equal(info_of(&i, sword).holder, hero));
    assert_true(value_of(&i, hero, i.damage) == 10);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_GIVEN);
    // What joins is the item that one gets.
    assert_int_equal(kn_rts_give_new_item(i.f.world, hero, i.potion, &item), KN_OK);
    assert_int_equal(kn_rts_give_new_item(i.f.world, hero, i.potion, &same), KN_OK);
    assert_true(kn_entity_id_equal(item, same));
    assert_int_equal(info_of(&i, item).charges, 2);
    // Nothing is created for somebody who cannot carry it.
    const uint32_t there = items_there(&i);
    assert_int_equal(kn_rts_give_new_item(i.f.world, hero, i.boots, &item), KN_REFUSED_REQUIREMENT);
    assert_int_equal(item.index1, 0);
    assert_int_equal(kn_rts_give_new_item(i.f.world, i.f.us, i.wand, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_give_new_item(i.f.world, hero, (kn_rts_item_type_id){0}, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(items_there(&i), there);
    fixture_close(&i.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shops_may_end_while_they_are_paid),
    cmocka_unit_test(stock_that_a_hook_sets_counts),
    cmocka_unit_test(items_that_turn_out_not_to_fit_are_not_bought),
    cmocka_unit_test(what_fits_no_longer_lies_at_the_unit),
    cmocka_unit_test(turns_of_saves_do_not_go_on),
    cmocka_unit_test(items_without_a_type_do_nothing),
    cmocka_unit_test(inventories_without_a_type_keep_what_they_have),
    cmocka_unit_test(any_cooldown_of_a_save_ends),
    cmocka_unit_test(parts_have_the_cooldown_of_the_whole),
    cmocka_unit_test(new_items_are_given),
};

TEST_GROUP(rts_items_faults, tests, NULL, NULL);
