// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What was forgotten is named: a default function, the end of a library, an attribute set, a value
// of the caller, a letter of a name.

#include "group.h"

#include "knack/knack.h"

#include <stdio.h>
#include <string.h>

static char told[2048]; // by the log, a line each
static char asserted[256];

static void log_keep(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(told);
    assert_int_equal(entry->level, KN_LOG_WARNING);
    (void)snprintf(told + length, sizeof(told) - length, "%s\n", entry->message);
}

static bool assert_keep(const char *condition, const char *file, int line)
{
    (void)file;
    (void)line;
    (void)snprintf(asserted, sizeof(asserted), "%s", condition);
    return false;
}

typedef struct stage {
    kn_library *library;
    kn_world *world;
    kn_attribute_set_id set;
    kn_attribute_id health;
    kn_effect_type_id hit, slow, given;
    kn_tag amount;
    kn_entity_id bare, other;
} stage;

static stage s;

static float read_amount(void *user, const kn_calculation *calculation)
{
    (void)user;
    return kn_spec_view_caller_value(kn_calculation_spec(calculation), s.amount, 1.0f, true);
}

static int setup(void **state)
{
    (void)state;
    s = (stage){0};
    told[0] = asserted[0] = 0;
    kn_library_def def = kn_library_def_default();
    def.hooks.log_fn = log_keep;
    assert_int_equal(kn_library_create(&def, &s.library), KN_OK);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(s.library, &set, &s.set, NULL), KN_OK);
    s.health = kn_attribute_find(s.library, "Vitals.Health");
    kn_tag_def amount = kn_tag_def_default();
    amount.name = "Value.Amount";
    assert_int_equal(kn_tag_register(s.library, &amount, &s.amount, NULL), KN_OK);
    kn_calculation_def calculation = kn_calculation_def_default();
    kn_calculation_id reads;
    calculation.name = "Reads";
    calculation.function = read_amount;
    assert_int_equal(kn_calculation_register(s.library, &calculation, &reads, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(s.health, KN_OP_ADD, -1.0f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Hit";
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    assert_int_equal(kn_effect_register(s.library, &effect, &s.hit, NULL), KN_OK);
    effect.name = "Slow";
    effect.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(s.library, &effect, &s.slow, NULL), KN_OK);
    modifier.magnitude = kn_magnitude_calculation(reads);
    effect.name = "Given";
    assert_int_equal(kn_effect_register(s.library, &effect, &s.given, NULL), KN_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kn_assert_set_handler(NULL);
    kn_world_destroy(s.world);
    kn_library_destroy(s.library);
    return 0;
}

static kn_world_def world_def(void)
{
    kn_world_def def = kn_world_def_default();
    def.library = s.library;
    def.hooks.log_fn = log_keep;
    return def;
}

static void begin(void)
{
    kn_error error;
    assert_int_equal(kn_library_finish(s.library, &error), KN_OK);
    kn_world_def def = world_def();
    assert_int_equal(kn_world_create(&def, &s.world), KN_OK);
    assert_int_equal(kn_entity_create(s.world, &s.bare), KN_OK);
    assert_int_equal(kn_entity_create(s.world, &s.other), KN_OK);
}

static void a_missing_default_is_named(void **state)
{
    (void)state;
    kn_assert_set_handler(assert_keep);
    kn_effect_def effect = {.name = "Bare"};
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(
        kn_effect_register(s.library, &effect, &type, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.message, "kn_effect_def: start from kn_effect_def_default()");
#if KN_ASSERTS
    assert_string_equal(asserted, error.message);
#endif
    begin();
    kn_effect_apply_def apply = {.type = s.hit, .target = s.bare};
    kn_effect_id made;
    assert_int_equal(kn_effect_apply(s.world, &apply, &made), KN_ERROR_INVALID_ARGUMENT);
#if KN_ASSERTS
    assert_string_equal(asserted, "kn_effect_apply_def: start from kn_effect_apply_def_default()");
#endif
}

// SET-004
static void a_world_says_that_its_library_is_not_finished(void **state)
{
    (void)state;
    kn_world_def def = world_def();
    assert_int_equal(kn_world_create(&def, &s.world), KN_ERROR_INVALID_ARGUMENT);
    assert_string_equal(told, "a world needs a finished library: call kn_library_finish() first\n");
    told[0] = 0;
    def.library = NULL;
    assert_int_equal(kn_world_create(&def, &s.world), KN_ERROR_INVALID_ARGUMENT);
    assert_string_equal(told, "a world needs a library: set `library` of kn_world_def\n");
    assert_null(s.world);
    def.library = s.library;
    assert_int_equal(kn_library_finish(s.library, NULL), KN_OK);
    uint64_t hash = kn_library_hash(s.library);
    assert_int_equal(kn_library_finish(s.library, NULL), KN_OK); // again: nothing happens
    assert_true(kn_library_hash(s.library) == hash);
    assert_int_equal(kn_world_create(&def, &s.world), KN_OK);
}

static void a_typo_in_find_is_told(void **state)
{
    (void)state;
    assert_int_equal(kn_effect_type_find(s.library, "Hti").index1, 0);
    assert_string_equal(told, ""); // it may come yet
    begin();
    assert_int_equal(kn_effect_type_find(s.library, "Slwo").index1, 0);
    assert_int_equal(kn_attribute_find(s.library, "Health").index1, 0);
    assert_int_equal(kn_tag_find(s.library, "Value.Amuont").index1, 0);
    assert_int_equal(kn_ability_type_find(s.library, "Jump").index1, 0);
    assert_string_equal(told, "there is no effect `Slwo`; did you mean `Slow`?\n"
                              "there is no attribute `Health`; did you mean `Vitals.Health`?\n"
                              "there is no tag `Value.Amuont`; did you mean `Value.Amount`?\n"
                              "there is no ability `Jump`\n");
    told[0] = 0;
    assert_int_equal(kn_effect_type_find(s.library, "Slwo").index1, 0); // once
    assert_int_equal(kn_def_find(s.library, KN_DEF_EFFECT, "Slow0"), 0);
    assert_int_equal(kn_effect_type_find(s.library, "Slow").index1, s.slow.index1);
    assert_string_equal(told, "");
}

// Once per type of effect and kind of entity, however often and on however many.
static void a_forgotten_attribute_set_is_told_once(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_effect_apply_simple(s.world, s.hit, s.other, s.bare, 1, NULL), KN_OK);
        assert_int_equal(kn_effect_apply_simple(s.world, s.hit, s.bare, s.other, 1, NULL), KN_OK);
    }
    assert_string_equal(
        told, "Hit changes Vitals.Health, which entity 1 does not have: add its attribute set\n");
    told[0] = 0;
    assert_int_equal(kn_effect_apply_simple(s.world, s.slow, s.bare, s.other, 1, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(s.world, s.slow, s.bare, s.bare, 1, NULL), KN_OK);
    assert_string_equal(
        told, "Slow changes Vitals.Health, which entity 2 does not have: add its attribute set\n");
    told[0] = 0;
    assert_int_equal(kn_attribute_set_add(s.world, s.other, s.set, 0), KN_OK);
    assert_int_equal(kn_effect_apply_simple(s.world, s.hit, s.bare, s.other, 1, NULL), KN_OK);
    assert_string_equal(told, "");
}

static void a_missing_value_of_the_caller_is_named(void **state)
{
    (void)state;
    begin();
    assert_int_equal(kn_attribute_set_add(s.world, s.other, s.set, 0), KN_OK);
    assert_int_equal(kn_effect_apply_simple(s.world, s.given, s.bare, s.other, 1, NULL), KN_OK);
    assert_string_equal(told, "effect `Given`: the caller value Value.Amount is missing\n");
}

#define FORGOTTEN(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
static const struct CMUnitTest tests[] = {
    FORGOTTEN(a_missing_default_is_named),
    FORGOTTEN(a_world_says_that_its_library_is_not_finished),
    FORGOTTEN(a_typo_in_find_is_told),
    FORGOTTEN(a_forgotten_attribute_set_is_told_once),
    FORGOTTEN(a_missing_value_of_the_caller_is_named),
};

TEST_GROUP(forgotten, tests, NULL, NULL);
