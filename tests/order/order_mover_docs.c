// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/moving.md is loaded and played, and movers and maps in data files are
// checked.

#include "group.h"

#include "knack/data.h"
#include "knack/mover.h"
#include "knack/tree.h"

#include <stdio.h>
#include <string.h>

// The first block of the guide, without its fences.
static size_t read_block(char *text, size_t size)
{
    FILE *file = fopen(ORDER_DOCS "/moving.md", "r");
    assert_non_null(file);
    char line[512];
    size_t length = 0;
    uint32_t fences = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            fences++;
        } else if (fences == 1) {
            length += (size_t)snprintf(text + length, size - length, "%s", line);
            assert_true(length < size);
        }
    }
    assert_int_equal(fclose(file), 0);
    return length;
}

// Builds a library, or writes the first message to `message`.
static kn_library *build(const char *text, size_t length, char *message, uint32_t size)
{
    static const kn_kit kit = {"order", kn_order_register};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    def.kits = &kit;
    def.kit_count = 1;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    message[0] = 0;
    if (kn_data_message_count(data) > 0) {
        (void)kn_data_message_print(data, 0, message, size);
    }
    kn_data_destroy(data);
    assert_int_equal(result == KN_OK, library != NULL);
    return library;
}

static kn_entity_id body_make(kn_world *world, kn_grid *grid, float x, float y)
{
    kn_entity_id entity;
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    assert_int_equal(kn_grid_set_body(grid, entity, &body), KN_OK);
    return entity;
}

// RTS-256: approach up to a range, and face the target.
static void the_example_of_the_guide_plays(void **state)
{
    static char text[16 * 1024];
    char message[512];
    (void)state;
    size_t length = read_block(text, sizeof(text));
    kn_library *library = build(text, length, message, sizeof(message));
    assert_string_equal(message, "");
    assert_non_null(library);
    kn_world_def def = kn_world_def_default();
    kn_grid_def grid_def = kn_grid_def_default();
    kn_world *world;
    kn_grid *grid;
    def.library = library;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    grid_def.world = world;
    assert_int_equal(kn_grid_create(&grid_def, &grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(grid));
    kn_entity_id soldier = body_make(world, grid, 1, 1), foe = body_make(world, grid, 5, 5);
    kn_tag tag = kn_tag_find(library, "Unit.Soldier");
    assert_int_equal(kn_entity_set_tag_count(world, soldier, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(
        kn_blackboard_add(world, soldier, kn_blackboard_find(library, "Walker")), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(world, soldier, "Foe", foe), KN_OK);
    assert_int_equal(kn_blackboard_set_vector(world, soldier, "Camp", (kn_vec3){22, 1, 0}), KN_OK);
    assert_int_equal(kn_tree_start(world, soldier, kn_tree_find(library, "Raid")), KN_OK);
    kn_tree_info info = {.result = KN_TREE_RUNNING};
    kn_map_id map = kn_map_find(library, "Village");
    kn_vec3 highest = {0};
    while (info.result == KN_TREE_RUNNING && kn_world_now(world) < KN_S(60)) {
        kn_body body;
        assert_int_equal(kn_world_step(world, KN_MS(20)), KN_OK);
        assert_true(kn_tree_get_info(world, soldier, &info));
        assert_true(kn_grid_get_body(grid, soldier, &body));
        assert_false(kn_map_is_blocked(world, map, body.position));
        highest = body.position.y > highest.y ? body.position : highest;
    }
    assert_int_equal(info.result, KN_TREE_SUCCEEDED);
    assert_true(highest.y > 10.0f); // through the gate in the wall of the house
    kn_body body;
    assert_true(kn_grid_get_body(grid, soldier, &body));
    assert_true(body.position.x == 22.0f && body.position.y == 1.0f);
    assert_int_equal(kn_mover_get_def(library, kn_mover_find(library, "Fly"))->map.index1, 0);
    kn_grid_destroy(grid);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void mistakes_in_files_are_reported(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"movers:\n  Walk: {}\n", "speed"},
        {"movers:\n  Walk: {speed: -4}\n", "speed"},
        {"movers:\n  Walk: {speed: 4, rate: 0}\n", "rate"},
        {"movers:\n  Walk: {speed: 4, map: Nowhere}\n", "Nowhere"},
        {"movers:\n  Walk: {speed: 4, tag: No.Tag}\n", "No.Tag"},
        {"movers:\n  Walk: {speed: 4, haste: 2}\n", "haste"},
        {"maps:\n  Bad: {rows: \"..\\n...\"}\n", "row 2 has 3 cells"},
        {"maps:\n  Bad: {rows: \"..\", cell_size: 0}\n", "cell_size"},
        {"maps:\n  Bad: {}\n", "needs `rows`"},
        {"blackboards:\n  B: {keys: [{name: P, kind: vector}]}\n"
         "trees:\n  T: {blackboard: B, root: {kind: move_to, location: P, range: P}}\n",
            "must be a float"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[512], message[512];
        (void)snprintf(text, sizeof(text), "kits: [order]\n%s", cases[i].text);
        kn_library *library = build(text, strlen(text), message, sizeof(message));
        assert_null(library);
        if (strstr(message, cases[i].message) == NULL || strstr(message, "guide.yaml:") == NULL) {
            fail_msg("%u: %s", i, message);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
    cmocka_unit_test(mistakes_in_files_are_reported),
};

TEST_GROUP(order_mover_docs, tests, NULL, NULL);
