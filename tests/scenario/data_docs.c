// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The examples of docs/data.md are loaded, all as one game.

#include "data_generator.h"

#define DOCS_LINES_MAX 1000

// Functions under every name the page has.
static void add_functions(kn_data *data)
{
    static const struct {
        kn_def_kind kind;
        const char *name;
    } functions[] = {
        {KN_DEF_ABILITY, "fireball"},
        {KN_DEF_EXECUTION, "explosion"},
        {KN_DEF_EVENT_KIND, "hit"},
        {KN_DEF_TASK, "charge"},
        {KN_DEF_EFFECT_LOGIC, "shield"},
        {KN_DEF_RULE, "react"},
        {KN_DEF_SYSTEM, "drift"},
        {KN_DEF_TICKER, "hover"},
        {KN_DEF_WATCH, "stunned"},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        case_add_native(data, functions[i].kind, functions[i].name);
    }
}

// Adds every block of a language as a file whose lines are those of the page.
static uint32_t add_blocks(kn_data *data, const char *language, const char *ending)
{
    FILE *file = fopen(KNACK_DOCS "/data.md", "r");
    assert_non_null(file);
    static char text[64 * 1024];
    case_text out = {text, sizeof(text), 0};
    char line[512];
    bool is_open = false, is_wanted = false;
    uint32_t count = 0;
    for (uint32_t number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
        assert_true(number < DOCS_LINES_MAX);
        bool is_fence = strncmp(line, "```", 3) == 0;
        line[strcspn(line, "\n")] = 0;
        if (is_fence && is_open && is_wanted) {
            char name[64];
            (void)snprintf(name, sizeof(name), "data.md at line %u%s", number, ending);
            data_add(data, name, text);
            count++;
        }
        if (is_fence) {
            is_open = !is_open;
            is_wanted = is_open && strcmp(line + 3, language) == 0;
            out.length = 0;
        } else if (is_wanted) {
            case_put(&out, "%s\n", line);
        }
    }
    assert_false(is_open);
    assert_int_equal(fclose(file), 0);
    return count;
}

static kn_result combat_register(kn_library *library, kn_error *error)
{
    (void)library;
    (void)error;
    return KN_OK;
}

static void the_examples_of_the_page_are_one_game(void **state)
{
    (void)state;
    static const kn_kit combat = {"combat", combat_register};
    kn_data_def def = kn_data_def_default();
    def.kits = &combat;
    def.kit_count = 1;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    add_functions(data);
    assert_true(add_blocks(data, "yaml", ".yaml") >= 8);
    assert_int_equal(add_blocks(data, "csv", ".csv"), 2);
    assert_int_equal(add_blocks(data, "ini", ".ini"), 1);
    kn_library *library = data_build(data);
    assert_string_equal(kn_library_kit(library, 0)->name, "combat");
    assert_int_not_equal(kn_def_find(library, KN_DEF_CURVE, "Ranks"), 0);
    assert_int_not_equal(kn_tag_find(library, "Status.Slow").index1, 0);
    for (size_t i = 0; i < CASE_SECTIONS; i++) {
        if (kn_def_count(library, case_sections[i].kind) == 0) {
            fail_msg("the page shows no %s", case_sections[i].key);
        }
    }
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_examples_of_the_page_are_one_game),
};

TEST_GROUP(data_docs, tests, NULL, NULL);
