// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/capabilities.md is loaded and played.

#include "capability/capability_test.h"
#include "guide.h"

#include "knack/data.h"

static void tag_set(kn_world *world, kn_entity_id entity, const char *name, bool is_there)
{
    kn_tag tag = kn_tag_find(kn_world_library(world), name);
    assert_int_equal(
        kn_entity_set_tag_count(world, entity, tag, KN_TAG_ORIGIN_LOOSE, is_there), KN_OK);
    assert_int_equal(kn_world_step(world, KN_MS(100)), KN_OK);
}

static void expect_active(const kn_world *world, kn_entity_id entity, const char *expected)
{
    static const char *const names[] = {"Walk", "Sprint", "Swim", "Glide"};
    char found[64] = "";
    for (size_t i = 0; i < 4; i++) {
        if (kn_capability_is_active(
                world, entity, kn_capability_find(kn_world_library(world), names[i]))) {
            size_t length = strlen(found);
            (void)snprintf(found + length, sizeof(found) - length, "%s", names[i]);
        }
    }
    assert_string_equal(found, expected);
}

// CAP-003, CAP-009, CAP-030, CAP-050: a set is data, and so is its order.
static void the_example_of_the_guide_plays(void **state)
{
    static const kn_kit kit = {"capability", kn_capability_register};
    static char text[16 * 1024];
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    (void)state;
    def.kits = &kit;
    def.kit_count = 1;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    size_t length = guide_block(CAPABILITY_DOCS "/capabilities.md", text, sizeof(text));
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    kn_world_def world_def = kn_world_def_default();
    kn_world *world;
    kn_entity_id hero;
    world_def.library = library;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    assert_int_equal(kn_entity_create(world, &hero), KN_OK);
    tag_set(world, hero, "Unit.Hero", true);
    assert_non_null(kn_component_read(world, kn_component_find(library, "Stamina"), hero));
    expect_active(world, hero, "Glide");
    tag_set(world, hero, "State.Grounded", true);
    expect_active(world, hero, "WalkSprint");
    tag_set(world, hero, "State.Tired", true);
    expect_active(world, hero, "Walk");
    tag_set(world, hero, "State.Tired", false);
    expect_active(world, hero, "WalkSprint");
    tag_set(world, hero, "State.Wet", true);
    expect_active(world, hero, "Swim");
    tag_set(world, hero, "State.Grounded", false);
    expect_active(world, hero, "Swim");
    tag_set(world, hero, "State.Wet", false);
    expect_active(world, hero, "Glide");
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
};

TEST_GROUP(capability_docs, tests, NULL, NULL);
