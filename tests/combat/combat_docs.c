// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The examples of docs/combat.md are loaded, all as one game.

#include "combat_test.h"

#include <knack/data.h>

// Adds every block of YAML as a file that is named after the line it ends in.
static uint32_t add_blocks(kn_data *data)
{
    FILE *file = fopen(COMBAT_DOCS "/combat.md", "r");
    assert_non_null(file);
    static char text[16 * 1024];
    char line[512];
    size_t length = 0;
    bool is_open = false, is_yaml = false;
    uint32_t count = 0;
    for (uint32_t number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open && is_yaml) {
                char name[64];
                (void)snprintf(name, sizeof(name), "combat.md at line %u.yaml", (unsigned)number);
                expect_ok(kn_data_add_text(data, name, text, length));
                count++;
            }
            is_open = !is_open;
            is_yaml = is_open && strcmp(line, "```yaml\n") == 0;
            length = 0;
        } else if (is_yaml) {
            size_t size = strlen(line);
            assert_true(length + size < sizeof(text));
            memcpy(text + length, line, size);
            length += size;
        }
    }
    assert_false(is_open);
    assert_int_equal(fclose(file), 0);
    return count;
}

static void the_examples_of_the_guide_are_one_game(void **state)
{
    static const kn_kit combat = {"combat", kn_combat_register};
    static const char *const sections[] = {
        "cast", "input", "resource", "outcome", "buff", "diminishing", "dispel", "proc", "aura"};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    (void)state;
    def.kits = &combat;
    def.kit_count = 1;
    def.warn = false; // nobody grants what the guide shows
    expect_ok(kn_data_create(&def, &data));
    assert_true(add_blocks(data) >= 8);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_error("%s\n", line);
    }
    expect_ok(result);
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        kn_def_kind kind = kn_kind_find(library, sections[i]);
        if (kn_def_count(library, kind) == 0) {
            fail_msg("the guide shows no %s", sections[i]);
        }
    }
    assert_non_null(kn_combat_rules(library));
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_examples_of_the_guide_are_one_game),
};

TEST_GROUP(combat_docs, tests, NULL, NULL);
