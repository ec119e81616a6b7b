// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/orders.md is loaded and played.

#include "guide.h"
#include "order/order_test.h"

#include "knack/data.h"

static kn_library *library_of_the_guide(void)
{
    static const kn_kit kit = {"order", kn_order_register};
    static char text[16 * 1024];
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = &kit;
    def.kit_count = 1;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    size_t length = guide_block(ORDER_DOCS "/orders.md", text, sizeof(text));
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    return library;
}

static void expect_current(const kn_world *world, kn_entity_id unit, const char *name)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(world, unit, &info));
    assert_string_equal(
        kn_order_type_get_def(kn_world_library(world), info.current.type)->name, name);
}

// ORD-012, ORD-013, ORD-057: order types and units are data.
static void the_example_of_the_guide_plays(void **state)
{
    kn_library *library = library_of_the_guide();
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id unit, owner;
    (void)state;
    def.library = library;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    assert_int_equal(kn_entity_create(world, &unit), KN_OK);
    assert_int_equal(kn_entity_create(world, &owner), KN_OK);
    const kn_tag soldier = kn_tag_find(library, "Unit.Soldier");
    const kn_tag alive = kn_tag_find(library, "Knack.Status.Alive");
    const kn_tag immobile = kn_tag_find(library, "Status.Immobile");
    assert_int_equal(kn_entity_add_tag(world, unit, soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_entity_add_tag(world, unit, alive, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_world_step(world, KN_MS(20)), KN_OK);
    expect_current(world, unit, "Stop");
    kn_order_auto_info autos;
    assert_int_equal(kn_order_autos(world, unit, &autos, 1), 1);
    assert_int_equal(autos.order.index, -1);
    assert_true(autos.is_on && autos.is_for_ai);
    kn_order order = kn_order_at(kn_order_type_find(library, "Move"), (kn_vec3){3, 4, 0});
    assert_int_equal(kn_order_issue(world, unit, &order, NULL), KN_OK);
    expect_current(world, unit, "Move");
    assert_int_equal(kn_entity_add_tag(world, unit, immobile, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_world_step(world, KN_MS(20)), KN_OK);
    expect_current(world, unit, "Stop");
    order = kn_order_on(kn_order_type_find(library, "Attack"), owner);
    kn_order_answer answer;
    assert_int_equal(kn_order_enqueue(world, unit, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.missing[0].index1, alive.index1);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
};

TEST_GROUP(order_docs, tests, NULL, NULL);
