// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Kits that data files name: when they are registered, what happens to names that no kit has, and
// what is written of a library that has some.

#include "scenario/data_written.h"

#include "knack/scenario.h"

// A tiny kit ------------------------------------------------------------------

typedef struct strike_def {
    const char *name;
    float power;
    kn_effect_type_id effect;
} strike_def;

static const kn_def_field strike_fields[] = {
    KN_DEF_F(strike_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(strike_def, power, KN_FIELD_F32, "How hard it hits; default 0."),
    KN_DEF_F_REF(strike_def, effect, KN_DEF_EFFECT, "What it applies."),
};
static const kn_def_table strike_table = {"strike_def", sizeof(strike_def), strike_fields, 3, NULL};

static void rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)world;
    (void)reaction;
}

static kn_result tag_register(kn_library *library, const char *name, kn_tag *tag, kn_error *error)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    return kn_tag_register(library, &def, tag, error);
}

// Something of everything that a file could write.
static kn_result combat_register(kn_library *library, kn_error *error)
{
    kn_tag hit, dead;
    kn_name name;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "strike";
    kind.section = "strikes";
    kind.table = &strike_table;
    kn_def_kind number;
    uint32_t stream, index1;
    kn_result result = tag_register(library, "Combat.Hit", &hit, error);
    if (result == KN_OK) {
        result = tag_register(library, "Combat.Dead", &dead, error);
    }
    if (result == KN_OK) {
        result = kn_tag_redirect(library, "Combat.Old", "Combat.Hit", error);
    }
    if (result == KN_OK) {
        result = kn_ability_dead_tag_set(library, dead);
    }
    if (result == KN_OK) {
        result = kn_name_register(library, "power", &name, error);
    }
    if (result == KN_OK) {
        result = kn_stream_register(library, "combat", true, &stream, error);
    }
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Armor";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Combat";
    set.attributes = &attribute;
    set.attribute_count = 1;
    kn_attribute_set_id set_id;
    if (result == KN_OK) {
        result = kn_attribute_set_register(library, &set, &set_id, error);
    }
    kn_attribute_row row = {"Default", "Combat.Armor", 1, 5.0f};
    if (result == KN_OK) {
        result = kn_attribute_table_register(library, &row, 1, error);
    }
    kn_rule_def rule_def = kn_rule_def_default();
    rule_def.name = "Combat hit";
    rule_def.tag = hit;
    rule_def.function = rule;
    kn_rule_id rule_id;
    if (result == KN_OK) {
        result = kn_rule_register(library, &rule_def, &rule_id, error);
    }
    if (result == KN_OK) {
        result = kn_kind_register(library, &kind, &number, error);
    }
    strike_def basic = {.name = "Basic", .power = 1.0f};
    return result == KN_OK ? kn_def_register(library, number, &basic, &index1, error) : result;
}

// Needs the other one.
static kn_result magic_register(kn_library *library, kn_error *error)
{
    kn_tag tag;
    return kn_stream_find(library, "combat") == KN_STREAM_NONE
               ? KN_REFUSED_REQUIREMENT
               : tag_register(library, "Magic", &tag, error);
}

static kn_result broken_register(kn_library *library, kn_error *error)
{
    kn_tag tag;
    return tag_register(library, "Not..valid", &tag, error);
}

static const kn_kit kits[] = {
    {"combat", combat_register},
    {"magic", magic_register},
    {"broken", broken_register},
};

static kn_data *kits_create_with(kn_data_def def)
{
    def.kits = kits;
    def.kit_count = 3;
    def.lints_off = "unused-effect";
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    return data;
}

static kn_data *kits_create(void)
{
    return kits_create_with(kn_data_def_default());
}

static const char content[] = "kits: [magic, combat]\n"
                              "tags: [Combat.Hit.Fire, Unit]\n"
                              "redirects: {tags: {Hot: Combat.Hit.Fire}}\n"
                              "names: [free]\n"
                              "effects: {Burn: {duration: 3, asset_tags: Combat.Hit.Fire}}\n"
                              "strikes:\n"
                              "  Slash: {power: 12, effect: Burn}\n"
                              "starting_values: {Hero: {Combat.Armor: 7}}\n";

static const strike_def *strike_of(const kn_library *library, const char *name)
{
    kn_def_kind kind = kn_kind_find(library, "strike");
    return kn_def_get(library, kind, kn_def_find(library, kind, name));
}

// Reading ----------------------------------------------------------------------

static void a_kit_that_a_file_names_is_registered_before_files_are_read(void **state)
{
    (void)state;
    kn_data *data = kits_create();
    data_add(data, "a.yaml", "effects: {Mark: {asset_tags: Combat.Hit}}\n"); // before it is named
    data_add(data, "b.yaml", content);
    data_add(data, "c.json", "{\"kits\": [\"combat\"]}"); // once is enough
    for (uint32_t i = 0; i < 2; i++) {                    // as often as it is built
        kn_library *library = data_build(data);
        assert_int_equal(kn_data_message_count(data), 0);
        assert_true(strike_of(library, "Slash")->power == 12.0f);
        assert_true(strike_of(library, "Basic")->power == 1.0f);
        // In the order of the program.
        assert_string_equal(kn_library_kit(library, 0)->name, "combat");
        assert_string_equal(kn_library_kit(library, 1)->name, "magic");
        assert_ptr_equal(kn_library_kit(library, 1)->register_fn, magic_register);
        assert_null(kn_library_kit(library, 2));
        kn_library_destroy(library);
    }
    kn_data_destroy(data);
}

static void a_kit_that_no_file_names_is_not_there(void **state)
{
    (void)state;
    kn_data *data = kits_create();
    data_add(data, "a.yaml", "kits: ~\ntags: [Kit.kits]\n");
    kn_library *library = data_build(data);
    assert_null(kn_library_kit(library, 0));
    assert_null(kn_library_kit(NULL, 0));
    assert_int_equal(kn_kind_find(library, "strike"), KN_DEF_KIND_COUNT);
    kn_library_destroy(library);
    data_add(data, "b.yaml", "strikes: {Slash: {}}\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(kn_data_message_at(data, 0).text, "there is no section `strikes`"));
    kn_data_destroy(data);
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    kn_tag tag;
    kn_result result = tag_register(library, "First", &tag, error);
    assert_null(kn_library_kit(library, 0));
    return result == KN_OK ? kn_kit_register(library, &kits[0], error) : result;
}

static void a_kit_may_be_there_already(void **state)
{
    (void)state;
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare;
    kn_data *data = kits_create_with(def);
    data_add(data, "a.yaml", content);
    kn_library *library = data_build(data);
    assert_string_equal(kn_library_kit(library, 0)->name, "combat");
    assert_string_equal(kn_library_kit(library, 1)->name, "magic");
    assert_null(kn_library_kit(library, 2));
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void expect_message(const char *text, const char *expected)
{
    kn_data *data = kits_create();
    data_add(data, "t.yaml", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_null(library);
    char line[512];
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    assert_string_equal(line, expected);
    assert_int_equal(kn_data_message_count(data), 1);
    kn_data_destroy(data);
}

static void mistakes_have_a_place_and_a_remedy(void **state)
{
    (void)state;
    expect_message("tags: [A]\nkits: [combat, combta]\n",
        "t.yaml:2:16: error: there is no kit `combta`; did you mean `combat`?");
    expect_message("kits:\n- vehicles\n",
        "t.yaml:2:3: error: there is no kit `vehicles`; expected one of: combat, magic, broken");
    expect_message(
        "kits: combat\n", "t.yaml:1:7: error: expected a list of kits, but this is a text");
    expect_message(
        "kits: {combat: ~}\n", "t.yaml:1:7: error: expected a list of kits, but this is a mapping");
    expect_message("kits: [[combat]]\n", "t.yaml:1:8: error: expected a text, but this is a list");
    expect_message("tags: [A]\nkits:\n  - broken\n",
        "t.yaml:3:5: error: kit `broken` could not be registered: `Not..valid` is not a tag name: "
        "parts are letters, digits, `_` and `-`; did you mean `Not.valid`?");
    expect_message("kits: [magic]\n", // without the other one, and without a sentence
        "t.yaml:1:8: error: kit `magic` could not be registered: KN_REFUSED_REQUIREMENT");
    EXPECT_MESSAGES(
        "kits: [combat]\n", "1:8: error: there is no kit `combat`; this program offers none\n");
}

static void kits_without_name_or_function_are_refused(void **state)
{
    (void)state;
    const kn_kit bad[] = {{NULL, combat_register}, {"combat", NULL}};
    kn_assert_set_handler(NULL);
    for (uint32_t i = 0; i < 3; i++) {
        kn_data_def def = kn_data_def_default();
        def.kits = i < 2 ? &bad[i] : NULL;
        def.kit_count = 1;
        kn_data *data;
        assert_int_equal(kn_data_create(&def, &data), KN_ERROR_INVALID_ARGUMENT);
        assert_null(data);
    }
}

// Registering ------------------------------------------------------------------

static bool ignore(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void a_kit_is_registered_once(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_error error = {0};
    assert_int_equal(kn_kit_register(library, &kits[0], &error), KN_OK);
    assert_int_equal(kn_kit_register(library, &kits[0], &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "kit `combat` is registered twice");
    const kn_kit bad = {"a/b", combat_register};
    assert_int_equal(kn_kit_register(library, &bad, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_kit_register(library, &kits[2], &error), KN_ERROR_BAD_DATA);
    kn_assert_set_handler(ignore);
    const kn_kit none = {"none", NULL};
    assert_int_equal(kn_kit_register(library, &none, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_kit_register(library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_kit_register(NULL, &kits[0], NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    assert_int_equal(kn_kit_register(library, &kits[1], &error), KN_ERROR_WORLD_LOCKED);
    kn_library_destroy(library);
}

// Writing ----------------------------------------------------------------------

static void what_is_written_names_kits_and_nothing_of_them(void **state)
{
    (void)state;
    kn_data *data = kits_create();
    data_add(data, "a.yaml", content);
    kn_library *library = data_build(data);
    char *text = written(library);
    assert_non_null(strstr(text, "kits:\n  - combat\n  - magic\n"));
    assert_null(strstr(text, "Combat.Dead"));
    assert_null(strstr(text, "Combat.Old"));
    assert_null(strstr(text, "dead_tag"));
    assert_null(strstr(text, "Combat hit"));
    assert_null(strstr(text, "Basic"));
    assert_null(strstr(text, "attribute_sets"));
    assert_null(strstr(text, "Default"));
    assert_null(strstr(text, "Magic"));
    assert_null(strstr(text, "- power"));
    assert_non_null(strstr(text, "Slash"));
    assert_non_null(strstr(text, "Combat.Hit.Fire"));
    kn_data *again = kits_create();
    data_add(again, "again.yaml", text);
    kn_library *second = data_build(again);
    assert_true(kn_library_hash(library) == kn_library_hash(second));
    char *twice = written(second);
    assert_string_equal(text, twice);
    free(text);
    free(twice);
    kn_library_destroy(second);
    kn_data_destroy(again);

    size_t size;
    assert_int_equal(kn_data_write_json(library, NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    text = malloc(size);
    assert_non_null(text);
    assert_int_equal(kn_data_write_json(library, text, size, &size), KN_OK);
    again = kits_create();
    assert_int_equal(kn_data_add_text(again, "again.json", text, size), KN_OK);
    second = data_build(again);
    assert_true(kn_library_hash(library) == kn_library_hash(second));
    free(text);
    kn_library_destroy(second);
    kn_data_destroy(again);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void a_schema_has_kits(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(kn_data_write_schema(NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(kn_data_write_schema(text, size, &size), KN_OK);
    text[size] = 0;
    assert_non_null(strstr(text, "\"kits\""));
    free(text);
}

// Scenarios --------------------------------------------------------------------

static void the_library_of_a_scenario_names_kits_too(void **state)
{
    (void)state;
    static const char text[] = "scenario: Kits\n"
                               "library:\n"
                               "  kits: [combat]\n"
                               "  effects: {Burn: {duration: 3}}\n"
                               "  strikes: {Slash: {effect: Burn}}\n"
                               "timeline: []\n";
    kn_scenario_def def = kn_scenario_def_default();
    kn_scenario *scenario;
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_ERROR_BAD_DATA);
    kn_scenario_destroy(scenario);
    def.kits = kits;
    def.kit_count = 3;
    kn_result result = kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario);
    for (uint32_t i = 0; i < kn_scenario_message_count(scenario); i++) {
        print_error("%s\n", kn_scenario_message_at(scenario, i).text);
    }
    assert_int_equal(result, KN_OK);
    assert_string_equal(kn_library_kit(kn_scenario_library(scenario), 0)->name, "combat");
    kn_scenario_destroy(scenario);
    const kn_kit bad = {"combat", NULL};
    def.kits = &bad;
    def.kit_count = 1;
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_ERROR_BAD_DATA);
    assert_string_equal(kn_scenario_message_at(scenario, 0).text,
        "a kit of the program has no name or no function");
    kn_scenario_destroy(scenario);
}

// Memory -----------------------------------------------------------------------

typedef struct purse {
    uint32_t left;
    bool is_empty;
    size_t bytes;
} purse;

static void *purse_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    purse *p = user;
    if (new_size > old_size && p->left == 0) {
        p->is_empty = true;
        return NULL;
    }
    p->left -= new_size > old_size;
    p->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    assert_non_null(block);
    return block;
}

static void every_block_of_a_build_with_kits_may_be_missing(void **state)
{
    (void)state;
    bool is_enough = false;
    for (uint32_t blocks = 0; !is_enough; blocks++) {
        purse p = {.left = UINT32_MAX};
        kn_data_def def = kn_data_def_default();
        def.hooks.realloc_fn = purse_realloc;
        def.hooks.realloc_user = &p;
        kn_data *data = kits_create_with(def);
        data_add(data, "a.yaml", content);
        p.left = blocks;
        kn_library *library;
        kn_result result = kn_data_build(data, &library);
        is_enough = !p.is_empty;
        assert_int_equal(result, is_enough ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
        p.left = UINT32_MAX;
        kn_library_destroy(library);
        kn_data_destroy(data);
        assert_int_equal(p.bytes, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_kit_that_a_file_names_is_registered_before_files_are_read),
    cmocka_unit_test(a_kit_that_no_file_names_is_not_there),
    cmocka_unit_test(a_kit_may_be_there_already),
    cmocka_unit_test(mistakes_have_a_place_and_a_remedy),
    cmocka_unit_test(kits_without_name_or_function_are_refused),
    cmocka_unit_test(a_kit_is_registered_once),
    cmocka_unit_test(what_is_written_names_kits_and_nothing_of_them),
    cmocka_unit_test(a_schema_has_kits),
    cmocka_unit_test(the_library_of_a_scenario_names_kits_too),
    cmocka_unit_test(every_block_of_a_build_with_kits_may_be_missing),
};

TEST_GROUP(data_kits, tests, NULL, NULL);
