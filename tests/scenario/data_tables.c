// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tables of spreadsheets, tags as engines keep them, and modules that share tags.

#include "data_fixture.h"

static const char vitals[] = "attribute_sets: {Vitals: {attributes: {Health: 1, Mana: 1}}}\n"
                             "archetypes: {Hero: {sets: Vitals, group: Hero}}\n";

// The messages of a file with an ending of its own, beside the attributes above.
static void messages_of_file(const char *name, const char *text, char *out, size_t size)
{
    kn_data *data = data_create();
    data_add(data, "vitals.yaml", vitals);
    data_add(data, name, text);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        length += kn_data_message_print(data, i, out + length, (uint32_t)(size - length));
        length += (size_t)snprintf(out + length, size - length, "\n");
    }
    assert_int_equal(result == KN_OK, library != NULL);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

#define EXPECT_FILE(name, text, expected)                                                          \
    do {                                                                                           \
        char messages_[4096];                                                                      \
        messages_of_file(name, text, messages_, sizeof(messages_));                                \
        assert_string_equal(messages_, expected);                                                  \
    } while (0)

// Tables --------------------------------------------------------------------

static float start_value(const kn_library *library, const char *attribute, float level)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id hero;
    assert_int_equal(
        kn_archetype_spawn(world, kn_archetype_find(library, "Hero"), level, &hero), KN_OK);
    float value = kn_attribute_value(world, hero, kn_attribute_find(library, attribute));
    kn_world_destroy(world);
    return value;
}

// ATS-050, ATS-051
static void a_table_has_starting_values_by_level(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "values.csv",
        "group,attribute,1,2,5\nHero,Vitals.Health,80,90.5,120\nHero,\"Vitals.Mana\",7,,9\n");
    data_add(data, "vitals.yaml", vitals);
    kn_library *library = data_build(data);
    assert_true(start_value(library, "Vitals.Health", 2.0f) == 90.5f);
    assert_true(start_value(library, "Vitals.Health", 5.0f) == 120.0f);
    assert_true(start_value(library, "Vitals.Mana", 1.0f) == 7.0f);
    kn_attribute_row row;
    uint32_t count = 0;
    while (kn_attribute_row_at(library, count, &row)) {
        count++;
    }
    assert_int_equal(count, 5); // the empty cell has none
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void a_table_has_curves_that_definitions_may_use(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "a.yaml",
        "effects: {E: {duration: {value: 2, curve: Growth}}, F: {duration: {value: 2, curve: "
        "Steps}}}\n");
    data_add(data, "curves.csv", "curve;kind;1;5;10\nGrowth;;1;2.5;4\nSteps;step;1;;3\n");
    kn_library *library = data_build(data);
    const kn_curve_def *growth =
        kn_def_get(library, KN_DEF_CURVE, kn_def_find(library, KN_DEF_CURVE, "Growth"));
    assert_int_equal(growth->point_count, 3);
    assert_int_equal(growth->kind, KN_CURVE_LINEAR);
    assert_true(growth->points[1].x == 5.0f && growth->points[1].y == 2.5f);
    const kn_curve_def *steps =
        kn_def_get(library, KN_DEF_CURVE, kn_def_find(library, KN_DEF_CURVE, "Steps"));
    assert_int_equal(steps->point_count, 2);
    assert_int_equal(steps->kind, KN_CURVE_STEP);
    const char *file;
    uint32_t line, column;
    assert_true(kn_data_where(data, KN_DEF_CURVE, "steps", &file, &line, &column));
    assert_string_equal(file, "curves.csv");
    assert_int_equal(line, 3);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void mistakes_in_tables_have_line_and_column(void **state)
{
    (void)state;
    EXPECT_FILE("t.csv", "group,attribute,1,two\nHero,Vitals.Health,1,2\n",
        "t.csv:1:19: error: expected a whole number from 0 to 4294967295, not `two`\n");
    EXPECT_FILE("t.csv",
        "group,attribute,1\nHero,Vitals.Helth,1\n,Vitals.Health,1\nHero,,2\nHero,Vitals.Mana,x\n",
        "t.csv:2:6: error: there is no attribute `Vitals.Helth`; did you mean `Vitals.Health`?\n"
        "t.csv:3:1: error: this row has no group\n"
        "t.csv:4:6: error: this row has no attribute\n"
        "t.csv:5:18: error: expected a number, not `x`\n");
    EXPECT_FILE("t.csv", "curve,kind,1,x\nA,cubic,1,\nA,,1,\nB,,,\nC,,1,2\n,,1,\n",
        "t.csv:1:14: error: expected a number, not `x`\n"
        "t.csv:2:3: error: expected `linear` or `step`, not `cubic`\n"
        "t.csv:3:1: error: curve `A` is defined twice; first in t.csv, line 2\n"
        "t.csv:4:1: error: curve `B` has no points\n"
        "t.csv:6:1: error: this row has no name\n");
    EXPECT_FILE("t.csv", "name,1,2\nA,1,2\n",
        "t.csv:1:1: error: a table must begin with `group,attribute` and levels, or with `curve` "
        "and positions\n");
    EXPECT_FILE("t.csv", "curve,1\nA,1,2\n",
        "t.csv:2:5: error: this row has 3 cells, but the first row has 2\n");
    EXPECT_FILE("t.csv", "", "");
}

static void a_curve_in_a_table_and_in_a_file_is_one_too_many(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "t.csv", "curve,1\nGrowth,1\n");
    data_add(data, "a.yaml", "curves: {growth: [[1, 1]]}\n");
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_message_count(data), 1);
    assert_string_equal(kn_data_message_at(data, 0).text,
        "curve `Growth` is defined twice; first in a.yaml, line 1");
    kn_data_destroy(data);
}

// Tags of engines -----------------------------------------------------------

static const char engine_tags[] =
    "\xef\xbb\xbf[/Script/GameplayTags.GameplayTagsSettings]\r\n"
    "ImportTagsFromConfig=True\r\n"
    "; a comment\r\n"
    "+GameplayTagRedirects=(OldTagName=\"Status.Stun\",NewTagName=\"State.Stunned\")\r\n"
    "+GameplayTagList=(Tag=\"State.Stunned\",DevComment=\"cannot \\\"act\\\", or speak\")\r\n"
    "GameplayTagList=( Tag = \"State.Rooted\" )\r\n"
    "+RestrictedGameplayTagList=(Tag=\"Core\",DevComment=\"\",bAllowNonRestrictedChildren=False)"
    "\r\n"
    "\r\n";

// TAG-003, TAG-008, TAG-013
static void tags_are_read_as_engines_write_them(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "DefaultGameplayTags.ini", engine_tags);
    data_add(data, "a.yaml", "effects: {E: {duration: 5, granted_tags: [Status.Stun]}}\n");
    kn_library *library = data_build(data);
    kn_tag stunned = kn_tag_find(library, "State.Stunned");
    assert_int_not_equal(stunned.index1, 0);
    assert_string_equal(kn_tag_comment(library, stunned), "cannot \"act\", or speak");
    assert_string_equal(kn_tag_source(library, stunned), "DefaultGameplayTags.ini");
    assert_int_equal(kn_tag_find(library, "Status.Stun").index1, stunned.index1);
    assert_int_not_equal(kn_tag_find(library, "State.Rooted").index1, 0);
    assert_true(kn_tag_is_restricted(library, kn_tag_find(library, "Core")));
    const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, 1);
    assert_int_equal(effect->granted_tags.data[0].index1, stunned.index1);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void mistakes_in_lists_of_tags_have_line_and_column(void **state)
{
    (void)state;
    EXPECT_FILE("t.ini",
        "+GameplayTagList=(Tag=\"A B\")\n"
        "+GameplayTagList=(DevComment=\"x\")\n"
        "+GameplayTagList=Tag\n"
        "+GameplayTagList=(Tag=\"A\n"
        "+GameplayTagList=(Tag=\"A\" DevComment=\"x\")\n"
        "+GameplayTagList=(=\"A\")\n"
        "+GameplayTagList=(Tag \"A\")\n"
        "+GameplayTagList=(Tag=\"A\") x\n"
        "nonsense\n"
        "+GameplayTagRedirects=(OldTagName=\"X\")\n"
        "+RestrictedTagList=(Tag=\"R\",bAllowNonRestrictedChildren=True)\n",
        "t.ini:1:24: error: `A B` is not a tag name: parts are letters, digits, `_` and `-`; did "
        "you mean `A_B`?\n"
        "t.ini:2:1: error: this entry has no `Tag`\n"
        "t.ini:3:18: error: expected `(`\n"
        "t.ini:4:25: error: expected a `\"` at the end of the text\n"
        "t.ini:5:27: error: expected `,` or `)`\n"
        "t.ini:6:19: error: expected the name of a field\n"
        "t.ini:7:23: error: expected `=`\n"
        "t.ini:8:28: error: expected nothing after the `)`\n"
        "t.ini:9:9: error: expected `Key=value`\n"
        "t.ini:10:1: error: this entry has no `NewTagName`\n"
        "t.ini:11:57: warning: a tag is restricted together with all tags below it, or not at all; "
        "this one is not\n");
    EXPECT_FILE("t.ini", "+GameplayTagList=(Tag=\"A\xff\")\n",
        "t.ini:1:25: error: the byte 0xFF is not UTF-8: save the file as UTF-8\n");
    EXPECT_FILE("t.ini",
        "+GameplayTagRedirects=(OldTagName=\"X\",NewTagName=\"Y\")\n"
        "+GameplayTagRedirects=(OldTagName=\"Y\",NewTagName=\"X\")\n",
        "error: redirects of `X` and `Y` form a cycle; let one of them end at a registered tag\n");
}

// Modules -------------------------------------------------------------------

// TAG-010, TAG-013
static void modules_share_tags_but_not_restricted_ones(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "core/tags.yaml",
        "module: Core\ntags: [State.Stunned, {Core.Secret: {restricted: true}}, "
        "Core.Secret.One]\n");
    data_add(data, "plugins/ice/tags.yaml", "module: Ice\ntags: [State.Stunned, State.Frozen]\n");
    data_add(data, "plugins/ice/more.yaml", "tags: [State.Chilled]\n");
    kn_library *library = data_build(data);
    assert_string_equal(kn_tag_source(library, kn_tag_find(library, "State.Stunned")), "Core");
    assert_string_equal(kn_tag_source(library, kn_tag_find(library, "State.Frozen")), "Ice");
    assert_string_equal(
        kn_tag_source(library, kn_tag_find(library, "State.Chilled")), "plugins/ice/more.yaml");
    kn_library_destroy(library);

    data_add(data, "plugins/fire/tags.yaml", "module: Fire\ntags:\n  - Core.Secret.Two\n");
    data_add(data, "plugins/fire/tags.ini", "+GameplayTagList=(Tag=\"Core.Secret.Three\")\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    char line[512];
    assert_int_equal(kn_data_message_count(data), 2);
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    assert_string_equal(line, "plugins/fire/tags.ini:1:24: error: tag `Core.Secret.Three` cannot "
                              "be declared here: `Core.Secret` is restricted to `Core`");
    (void)kn_data_message_print(data, 1, line, sizeof(line));
    assert_string_equal(line, "plugins/fire/tags.yaml:3:5: error: tag `Core.Secret.Two` cannot be "
                              "declared here: `Core.Secret` is restricted to `Core`");
    kn_data_destroy(data);
}

// ATT-005
static void redirects_keep_old_names_of_attributes_alive(void **state)
{
    (void)state;
    kn_library *library = library_of("attribute_sets: {Vitals: {attributes: {Health: 1}}}\n"
                                     "redirects: {attributes: {Vitals.HP: Vitals.Health}}\n"
                                     "effects: {E: {modifiers: {Vitals.HP: 1}}}\n");
    const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, 1);
    assert_int_equal(
        effect->modifiers[0].attribute.index1, kn_attribute_find(library, "Vitals.Health").index1);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_table_has_starting_values_by_level),
    cmocka_unit_test(a_table_has_curves_that_definitions_may_use),
    cmocka_unit_test(mistakes_in_tables_have_line_and_column),
    cmocka_unit_test(a_curve_in_a_table_and_in_a_file_is_one_too_many),
    cmocka_unit_test(tags_are_read_as_engines_write_them),
    cmocka_unit_test(mistakes_in_lists_of_tags_have_line_and_column),
    cmocka_unit_test(modules_share_tags_but_not_restricted_ones),
    cmocka_unit_test(redirects_keep_old_names_of_attributes_alive),
};

TEST_GROUP(data_tables, tests, NULL, NULL);
