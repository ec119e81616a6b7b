// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/rts-items.md is loaded and played, with orders: units walk into reach first.

#include "guide.h"
#include "rts/item_test.h"

#include "knack/data.h"
#include "knack/order_ready.h"
#include "knack/save.h"

#define NOBODY ((kn_entity_id){0})

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static kn_library *library_of(const char *name, const char *text, size_t length)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"ready_orders", kn_order_ready_register}, {"rts", kn_rts_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = 3;
    def.prepare = prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, name, text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    assert_int_equal(kn_data_message_count(data), 0);
    kn_data_destroy(data);
    return library;
}

static kn_library *library_of_the_guide(void)
{
    static char text[16 * 1024];
    const size_t length = guide_block(RTS_DOCS "/rts-items.md", text, sizeof(text));
    return library_of("guide.yaml", text, length);
}

static kn_entity_id entity_named(fixture *f, const char *tag, kn_entity_id owner, float x)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    own(f, entity, owner);
    place(f, entity, x, 0);
    gain(f, entity, kn_tag_find(f->library, tag));
    return entity;
}

static kn_rts_item_type_id type_named(const fixture *f, const char *name)
{
    const kn_rts_item_type_id type = kn_rts_item_find(f->library, name);
    assert_int_not_equal(type.index1, 0);
    return type;
}

static kn_vec3 place_of(const fixture *f, kn_entity_id entity)
{
    kn_body body;
    assert_true(kn_grid_get_body(f->grid, entity, &body));
    return body.position;
}

static kn_result issue(fixture *f, kn_entity_id unit, const char *name, kn_entity_id target,
    const kn_vec3 *at, int32_t index)
{
    const kn_order_type_id type = kn_order_type_find(f->library, name);
    assert_int_not_equal(type.index1, 0);
    kn_order order = target.index1 != 0 ? kn_order_on(type, target)
                     : at != NULL       ? kn_order_at(type, *at)
                                        : kn_order_of(type);
    order.index = index;
    return kn_order_issue(f->world, unit, &order, NULL);
}

static void wait_ms(fixture *f, int64_t ms)
{
    for (int64_t i = 0; i < ms; i += 50) {
        step_ms(f, 50);
    }
}

static void units_walk_and_do_it(void **state)
{
    fixture f = {.library = library_of_the_guide()};
    kn_rts_item_info info;
    (void)state;
    world_begin_with(&f, kn_world_def_default());
    const kn_attribute_id gold = attribute_named(&f, "Stock.Gold");
    const kn_attribute_id health = attribute_named(&f, "Vitals.Health");
    const kn_attribute_id damage = attribute_named(&f, "Combat.Damage");
    assert_int_equal(
        kn_attribute_set_add(f.world, f.us,
            (kn_attribute_set_id){kn_def_find(f.library, KN_DEF_ATTRIBUTE_SET, "Stock")}, 0),
        KN_OK);
    assert_int_equal(kn_attribute_set_base(f.world, f.us, gold, 0, 400), KN_OK);
    assert_int_equal(
        kn_attribute_set_base(f.world, f.us, attribute_named(&f, "Stock.Lumber"), 0, 20), KN_OK);
    const kn_entity_id hero = entity_named(&f, "Unit.Hero", f.us, 0);
    const kn_entity_id friend = entity_named(&f, "Unit.Hero", f.us, 4);
    const kn_entity_id foe = entity_named(&f, "Unit.Hero", f.them, 40);
    const kn_entity_id market = entity_named(&f, "Unit.Market", f.us, 20);
    assert_int_equal(kn_rts_count_items(f.world, hero, type_named(&f, "Potion")), 1);
    // A shop that is far away.
    assert_int_equal(kn_rts_buy(f.world, market, hero, 0, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(issue(&f, hero, "Knack.BuyItem", market, NULL, 0), KN_OK);
    wait_ms(&f, 5000);
    const kn_entity_id sword = kn_rts_carried_item(f.world, hero, type_named(&f, "Sword"));
    assert_int_not_equal(sword.index1, 0);
    assert_true(kn_attribute_base(f.world, f.us, gold) == 200);
    assert_true(kn_attribute_value(f.world, hero, damage) == 22);
    const float x = place_of(&f, hero).x;
    assert_true(x > 15 && x < 17);
    assert_int_not_equal(issue(&f, hero, "Knack.BuyItem", market, NULL, 0), KN_OK); // no lumber
    assert_int_equal(issue(&f, hero, "Knack.BuyItem", market, NULL, 2), KN_OK);
    wait_ms(&f, 200);
    assert_true(kn_attribute_base(f.world, f.us, gold) == 50);
    const kn_entity_id wand = kn_rts_carried_item(f.world, hero, type_named(&f, "Wand"));
    assert_true(kn_rts_item_get_info(f.world, wand, &info));
    // At somebody, from afar.
    assert_int_equal(kn_order_get_target_kind(f.world,
                         kn_order_type_find(f.library, "Knack.UseItem"), hero, (int32_t)info.slot),
        KN_ORDER_TARGET_ENTITY);
    assert_int_equal(issue(&f, hero, "Knack.UseItem", foe, NULL, (int32_t)info.slot), KN_OK);
    wait_ms(&f, 6000);
    assert_true(kn_attribute_value(f.world, foe, health) == 60);
    assert_true(kn_rts_item_get_info(f.world, wand, &info));
    assert_int_equal(info.charges, 2);
    assert_true(place_of(&f, hero).x > 33 && place_of(&f, hero).x < 35);
    assert_int_not_equal( // it cools down
        issue(&f, hero, "Knack.UseItem", foe, NULL, (int32_t)info.slot), KN_OK);
    // Without a target.
    const kn_entity_id potion = kn_rts_carried_item(f.world, hero, type_named(&f, "Potion"));
    assert_true(kn_rts_item_get_info(f.world, potion, &info));
    assert_int_equal(issue(&f, hero, "Knack.UseItem", NOBODY, NULL, (int32_t)info.slot), KN_OK);
    wait_ms(&f, 100);
    assert_true(kn_attribute_value(f.world, hero, health) == 160);
    assert_false(kn_entity_is_alive(f.world, potion));
    // Dropping somewhere, and picking up by another one.
    const kn_vec3 there = {30, 6, 0};
    assert_true(kn_rts_item_get_info(f.world, sword, &info));
    assert_int_equal(issue(&f, hero, "Knack.DropItem", NOBODY, &there, (int32_t)info.slot), KN_OK);
    wait_ms(&f, 3000);
    assert_true(kn_rts_item_get_info(f.world, sword, &info));
    assert_true(info.is_placed && info.location.x == 30 && info.location.y == 6);
    assert_int_equal(issue(&f, friend, "Knack.PickUp", sword, NULL, -1), KN_OK);
    wait_ms(&f, 500);
    // Somebody is faster: the order ends.
    assert_int_equal(kn_rts_pick_up(f.world, hero, sword), KN_OK);
    wait_ms(&f, 100);
    kn_unit_info unit;
    assert_true(kn_unit_get_info(f.world, friend, &unit) && unit.is_idle);
    // Handing over.
    assert_true(kn_rts_item_get_info(f.world, sword, &info));
    assert_int_equal(issue(&f, hero, "Knack.GiveItem", friend, NULL, (int32_t)info.slot), KN_OK);
    wait_ms(&f, 8000);
    assert_true(kn_rts_item_get_info(f.world, sword, &info));
    assert_true(kn_entity_id_equal(info.holder, friend));
    assert_int_not_equal(issue(&f, hero, "Knack.GiveItem", friend, NULL, 0), KN_OK); // empty now
    // Selling.
    assert_int_equal(issue(&f, friend, "Knack.SellItem", market, NULL, (int32_t)info.slot), KN_OK);
    wait_ms(&f, 6000);
    assert_false(kn_entity_is_alive(f.world, sword));
    assert_true(kn_attribute_base(f.world, f.us, gold) == 150);
    // Those without an inventory, and things that are no items.
    kn_tag needed[2];
    assert_int_equal(kn_order_get_tags(f.world, kn_order_type_find(f.library, "Knack.PickUp"), hero,
                         -1, false, KN_ORDER_TARGET_REQUIRED, needed, 2),
        1);
    assert_int_equal(needed[0].index1, kn_rts_tag(f.library, KN_RTS_IS_ITEM).index1);
    assert_int_not_equal(issue(&f, hero, "Knack.PickUp", market, NULL, -1), KN_OK);
    char text[64];
    kn_entity_id more;
    assert_int_equal(kn_rts_buy(f.world, market, friend, 1, &more), KN_OK);
    assert_true(kn_rts_describe_item(f.world, more, text, sizeof(text)) > 0);
    assert_string_equal(text, "Heals 60. 2 left.");
    fixture_close(&f);
}

static const char bard[] =
    "kits: [order, ready_orders, rts]\n"
    "tags: [Unit.Bard]\n"
    "abilities:\n"
    "  Play: {body: timed, lasts: 2}\n"
    "  Throw: {body: use}\n"
    "rts_items:\n"
    "  Flute: {ability: Play}\n"
    "  Horn: {ability: Play, charges: 1}\n"
    "  Bomb: {ability: Throw, charges: 2, target_kind: location, use_range: 3}\n"
    "rts_inventories:\n"
    "  Pouch: {tag: Unit.Bard, slots: [{count: 3}], items: [Flute, Flute, Horn]}\n"
    "movers:\n"
    "  Walk: {speed: 5, rate: 20, tag: Unit.Bard}\n"
    "order_units:\n"
    "  Bard: {stop: Knack.Stop}\n"
    "rts_units:\n"
    "  Bard: {name_tag: Unit.Bard, order_unit: Bard}\n";

static uint32_t playing(const fixture *f, kn_entity_id unit)
{
    return kn_activations(f->world, unit, NULL, 0);
}

static bool is_idle(const fixture *f, kn_entity_id unit)
{
    kn_unit_info info;
    return kn_unit_get_info(f->world, unit, &info) && info.is_idle;
}

// An order to use something lasts as long as the ability, and takes it along when it is replaced.
static void uses_last_as_long_as_the_ability(void **state)
{
    fixture f = {.library = library_of("bard.yaml", bard, strlen(bard))};
    (void)state;
    world_begin_with(&f, kn_world_def_default());
    const kn_entity_id unit = entity_named(&f, "Unit.Bard", f.us, 0);
    assert_int_equal(kn_rts_items(f.world, unit, NULL, 0), 3);
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 0), KN_OK);
    wait_ms(&f, 1000);
    assert_int_equal(playing(&f, unit), 1);
    assert_false(is_idle(&f, unit));
    // Another flute is not the one that the order is about.
    assert_int_equal(
        kn_rts_use_item(f.world, kn_rts_slot_item(f.world, unit, 1), NOBODY, NULL, NULL), KN_OK);
    assert_int_equal(playing(&f, unit), 2);
    assert_int_equal(kn_rts_drop_item(f.world, kn_rts_slot_item(f.world, unit, 1), NULL), KN_OK);
    wait_ms(&f, 100);
    assert_int_equal(playing(&f, unit), 1);
    assert_false(is_idle(&f, unit));
    wait_ms(&f, 1000);
    assert_int_equal(playing(&f, unit), 0);
    assert_true(is_idle(&f, unit));
    // Replaced by another order.
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 0), KN_OK);
    wait_ms(&f, 500);
    assert_int_equal(playing(&f, unit), 1);
    assert_int_equal(issue(&f, unit, "Knack.Hold", NOBODY, NULL, -1), KN_OK);
    assert_int_equal(playing(&f, unit), 0);
    // What the last charge began is over when it is over.
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 2), KN_OK);
    wait_ms(&f, 1000);
    assert_int_equal(kn_rts_slot_item(f.world, unit, 2).index1, 0);
    assert_int_equal(playing(&f, unit), 1);
    assert_false(is_idle(&f, unit));
    wait_ms(&f, 1100);
    assert_true(is_idle(&f, unit));
    // At a point.
    const kn_vec3 there = {10, 0, 0};
    kn_entity_id bomb;
    kn_rts_item_info info;
    assert_int_equal(kn_rts_item_create(f.world, type_named(&f, "Bomb"), NULL, &bomb), KN_OK);
    assert_int_equal(kn_rts_give_item(f.world, unit, bomb, 1), KN_OK);
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, &there, 1), KN_OK);
    wait_ms(&f, 2500);
    assert_true(kn_rts_item_get_info(f.world, bomb, &info));
    assert_int_equal(info.charges, 1);
    assert_true(place_of(&f, unit).x > 6.5f && place_of(&f, unit).x < 7.5f);
    assert_true(is_idle(&f, unit));
    // An empty slot is not obeyed, nor one that is not there.
    assert_int_not_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 2), KN_OK);
    assert_int_not_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 77), KN_OK);
    assert_int_not_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, -1), KN_OK);
    fixture_close(&f);
}

// An order is about the item that it began with, in whichever slot it is meanwhile.
static void uses_follow_items_to_other_slots(void **state)
{
    fixture f = {.library = library_of("bard.yaml", bard, strlen(bard))};
    kn_activation_id others;
    (void)state;
    world_begin_with(&f, kn_world_def_default());
    const kn_entity_id unit = entity_named(&f, "Unit.Bard", f.us, 0);
    const kn_entity_id flute = kn_rts_slot_item(f.world, unit, 0);
    const kn_entity_id other = kn_rts_slot_item(f.world, unit, 1);
    const kn_entity_id horn = kn_rts_slot_item(f.world, unit, 2);
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 0), KN_OK);
    wait_ms(&f, 500);
    assert_int_equal(kn_rts_move_item(f.world, flute, 1), KN_OK);
    wait_ms(&f, 1000);
    assert_false(is_idle(&f, unit));
    wait_ms(&f, 600);
    assert_int_equal(playing(&f, unit), 0);
    assert_true(is_idle(&f, unit));
    // What is in its slot now goes on when the order ends early.
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 1), KN_OK);
    wait_ms(&f, 100);
    assert_int_equal(playing(&f, unit), 1);
    assert_int_equal(kn_rts_move_item(f.world, flute, 0), KN_OK);
    assert_int_equal(kn_rts_use_item(f.world, other, NOBODY, NULL, &others), KN_OK);
    assert_int_equal(playing(&f, unit), 2);
    assert_int_equal(issue(&f, unit, "Knack.Hold", NOBODY, NULL, -1), KN_OK);
    assert_int_equal(playing(&f, unit), 1);
    assert_true(kn_activation_is_alive(f.world, others));
    wait_ms(&f, 2100);
    // One that was used up is not mistaken for another one that ends.
    assert_int_equal(kn_rts_use_item(f.world, other, NOBODY, NULL, &others), KN_OK);
    wait_ms(&f, 1000);
    assert_int_equal(issue(&f, unit, "Knack.UseItem", NOBODY, NULL, 2), KN_OK);
    wait_ms(&f, 1500);
    assert_false(kn_entity_is_alive(f.world, horn));
    assert_false(kn_activation_is_alive(f.world, others));
    assert_int_equal(playing(&f, unit), 1);
    assert_false(is_idle(&f, unit));
    wait_ms(&f, 600);
    assert_true(is_idle(&f, unit));
    fixture_close(&f);
}

// Content with fewer slots and goods than a world has: what is too much stays, and gives nothing.
static void reloaded_content_may_have_less(void **state)
{
    static const char goods[] =
        "rts_shops:\n"
        "  Stall: {goods: [{item: Flute, stock: 1, restock: 5 s}, {item: Horn, stock: 2}]}\n";
    static const char fewer[] = "rts_shops:\n  Stall: {goods: [{item: Horn}]}\n";
    char text[4096], less[4096];
    (void)state;
    (void)snprintf(text, sizeof(text), "%s%s", bard, goods);
    (void)snprintf(less, sizeof(less), "%s%s", bard, fewer);
    char *slots = strstr(less, "{count: 3}");
    assert_non_null(slots);
    slots[8] = '1';
    fixture f = {.library = library_of("a.yaml", text, strlen(text))};
    kn_library *other = library_of("b.yaml", less, strlen(less));
    kn_error error = {0};
    world_begin_with(&f, kn_world_def_default());
    const kn_entity_id unit = entity_named(&f, "Unit.Bard", f.us, 0);
    kn_entity_id shop;
    assert_int_equal(kn_entity_create(f.world, &shop), KN_OK);
    assert_int_equal(kn_rts_shop_add(f.world, shop, kn_rts_shop_find(f.library, "Stall")), KN_OK);
    assert_int_equal(kn_rts_buy(f.world, shop, unit, 0, NULL), KN_REFUSED_LIMIT); // no slot left
    assert_int_equal(kn_rts_set_stock(f.world, shop, 0, 0), KN_OK);
    kn_world_set_space(f.world, NULL);
    kn_grid_destroy(f.grid);
    f.grid = NULL;
    if (kn_world_reload(f.world, other, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(f.library);
    f.library = other;
    kn_rts_item_answer answer;
    const kn_entity_id first = kn_rts_slot_item(f.world, unit, 0);
    const kn_entity_id second = kn_rts_slot_item(f.world, unit, 1);
    assert_int_equal(kn_rts_items(f.world, unit, NULL, 0), 3);
    assert_int_equal(kn_rts_use_item(f.world, first, NOBODY, NULL, NULL), KN_OK);
    assert_false(kn_rts_can_use(f.world, second, NOBODY, NULL, &answer));
    assert_int_equal(answer.why_not, KN_RTS_ITEM_STASHED);
    assert_int_equal(kn_rts_drop_item(f.world, second, NULL), KN_OK);
    assert_false(kn_rts_can_pick_up(f.world, unit, second, &answer));
    assert_int_equal(answer.why_not, KN_RTS_ITEM_NO_ROOM);
    kn_rts_good_info info;
    assert_true(kn_rts_good_get_info(f.world, shop, 0, &info));
    assert_int_equal(info.item.index1, type_named(&f, "Horn").index1);
    assert_int_equal(info.stock, UINT32_MAX);
    assert_false(kn_rts_good_get_info(f.world, shop, 1, &info));
    wait_ms(&f, 6000); // the timer of a good that is not there any more
    assert_int_equal(kn_rts_inventory_remove(f.world, unit), KN_OK);
    assert_int_equal(kn_abilities_find(f.world, unit, NULL, NULL, 0), 0);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(units_walk_and_do_it),
    cmocka_unit_test(uses_last_as_long_as_the_ability),
    cmocka_unit_test(uses_follow_items_to_other_slots),
    cmocka_unit_test(reloaded_content_may_have_less),
};

TEST_GROUP(rts_items_docs, tests, NULL, NULL);
