// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Several modifiers on one attribute: sums around a bias, or products.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static kn_effect_type_id add_effect(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// An effect with one constant modifier.
static kn_effect_type_id simple(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return add_effect(s, &def);
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static void near(float found, float expected)
{
    float tolerance = 1e-5f * fmaxf(1.0f, fabsf(expected));
    if (!(fabsf(found - expected) <= tolerance)) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// Current and base value of the foe.
static float current(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_value(s->world, s->foe, attribute);
}

static float base(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, s->foe, attribute);
}

static void set_base(stage *s, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, entity, attribute, 0, value), KN_OK);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static kn_effect_type_id modifier_of(stage *s, kn_op op, float magnitude)
{
    static uint32_t number; // a name for each
    char name[32];
    snprintf(name, sizeof(name), "Modifier%u", number++);
    return simple(s, name, KN_DURATION_INFINITE, s->speed, op, magnitude);
}

// Applies lasting modifiers of one operation to a base and gives the current value.
static float combined(stage *s, float start, kn_op op, const float *magnitudes, uint32_t count)
{
    kn_effect_type_id types[8];
    for (uint32_t i = 0; i < count; i++) {
        types[i] = modifier_of(s, op, magnitudes[i]);
    }
    begin(s);
    set_base(s, s->foe, s->speed, start);
    for (uint32_t i = 0; i < count; i++) {
        apply(s, types[i]);
    }
    assert_true(base(s, s->speed) == start);
    return current(s, s->speed);
}

#define COMBINED(s, start, op, ...)                                                                \
    combined(s, start, op, (const float[]){__VA_ARGS__}, COUNT(((const float[]){__VA_ARGS__})))

static bool is_warned_about(const stage *s, const char *attribute)
{
    for (uint32_t i = 0; i < kn_library_warning_count(s->library); i++) {
        if (strstr(kn_library_warning(s->library, i), attribute) != NULL) {
            return true;
        }
    }
    return false;
}

// Additive combination ----------------------------------------------------------

// TVE-010
static void one_multiply_of_1_1_on_500_gives_550(void **state)
{
    near(COMBINED(*state, 500, KN_OP_MULTIPLY, 1.1f), 550);
}

// TVE-011, MOD-024
static void second_multiply_of_1_1_on_500_gives_600(void **state)
{
    near(COMBINED(*state, 500, KN_OP_MULTIPLY, 1.1f, 1.1f), 600);
}

// TVE-012, MOD-022, MOD-024
static void two_multiplies_of_1_5_give_the_factor_2(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY, 1.5f, 1.5f), 200);
}

// TVE-013, MOD-025: any single value alone works.
static void one_multiply_of_a_half_halves(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY, 0.5f), 50);
}

// TVE-014, MOD-022
static void two_multiplies_of_a_half_give_zero(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY, 0.5f, 0.5f), 0);
}

// TVE-015
static void multiplies_of_1_1_and_a_half_give_the_factor_0_6(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY, 1.1f, 0.5f), 60);
}

// TVE-016, MOD-022
static void two_multiplies_of_5_give_the_factor_9(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY, 5, 5), 900);
}

// TVE-017, MOD-020, MOD-022
static void sum_is_multiplied_then_divided(void **state)
{
    stage *s = *state;
    kn_effect_type_id types[] = {
        modifier_of(s, KN_OP_ADD, 10),
        modifier_of(s, KN_OP_ADD, 20),
        modifier_of(s, KN_OP_MULTIPLY, 1.5f),
        modifier_of(s, KN_OP_MULTIPLY, 1.2f),
        modifier_of(s, KN_OP_DIVIDE, 2),
    };
    begin(s);
    set_base(s, s->foe, s->speed, 100);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(s, types[i]);
    }

    near(current(s, s->speed), 110.5f);
}

// TVE-018, MOD-022
static void two_divides_of_2_on_120_give_40(void **state)
{
    near(COMBINED(*state, 120, KN_OP_DIVIDE, 2, 2), 40);
}

// TVE-021, MOD-025: the result nobody expects, and the warning at registration.
static void three_multiplies_of_a_half_in_one_effect_turn_negative_and_are_warned_about(
    void **state)
{
    stage *s = *state;
    kn_modifier_def half = kn_modifier_constant(s->speed, KN_OP_MULTIPLY, 0.5f);
    kn_modifier_def modifiers[] = {half, half, half};
    kn_effect_def def = effect_def("Slow", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    set_base(s, s->foe, s->speed, 100);

    apply(s, type);

    near(current(s, s->speed), -50);
    assert_true(is_warned_about(s, "Unit.Speed"));
}

static void warns_outside_the_rule_only(stage *s, kn_op op)
{
    const struct {
        const char *name;
        kn_attribute_id attribute;
        float values[3];
        bool is_warned;
    } cases[] = {
        {"OneLow", s->speed, {0.5f, 1.2f, 1.9f}, false},
        {"AllBetween", s->health, {1.1f, 1.2f, 1.9f}, false},
        {"OneBig", s->mana, {3.0f, 1.0f, 1.0f}, false},
        {"TwoLow", s->attack, {0.5f, 0.6f, 1.0f}, true},
        {"TwoBig", s->armor, {2.0f, 3.0f, 1.0f}, true},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_modifier_def modifiers[3];
        for (uint32_t j = 0; j < 3; j++) {
            modifiers[j] = kn_modifier_constant(cases[i].attribute, op, cases[i].values[j]);
        }
        kn_effect_def def = effect_def(cases[i].name, KN_DURATION_INFINITE, modifiers, 3);
        def.stacking.kind = KN_STACK_BY_TARGET; // there once, and only once
        def.stacking.limit = kn_constant(1);
        add_effect(s, &def);
    }
    begin(s);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        const char *attribute = kn_attribute_name(s->library, cases[i].attribute);
        if (is_warned_about(s, attribute) != cases[i].is_warned) {
            fail_msg("%s", cases[i].name);
        }
    }
}

// MOD-025: at most one value below 1, any in [1, 2), or exactly one of 2 and more.
static void only_factors_outside_the_rule_are_warned_about(void **state)
{
    warns_outside_the_rule_only(*state, KN_OP_MULTIPLY);
}

// MOD-025
static void only_divisors_outside_the_rule_are_warned_about(void **state)
{
    warns_outside_the_rule_only(*state, KN_OP_DIVIDE);
}

// Compound combination -----------------------------------------------------------

// TVE-030, MOD-026
static void compound_1_5_twice_gives_2_25(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 1.5f, 1.5f), 225);
}

// TVE-030, MOD-026
static void compound_half_twice_gives_a_quarter(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.5f, 0.5f), 25);
}

// TVE-030
static void compound_1_1_and_a_half_give_0_55(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 1.1f, 0.5f), 55);
}

// TVE-030: 5 and 5 give 25, and none gives 1.
static void compound_5_twice_gives_25_and_none_gives_1(void **state)
{
    stage *s = *state;
    near(COMBINED(s, 100, KN_OP_MULTIPLY_COMPOUND, 5, 5), 2500);
    near(kn_attribute_value(s->world, s->hero, s->speed), 600);
}

// TVE-031
static void compound_multiply_enters_the_outer_formula(void **state)
{
    stage *s = *state;
    kn_effect_type_id types[] = {
        modifier_of(s, KN_OP_ADD, 10),
        modifier_of(s, KN_OP_ADD, 20),
        modifier_of(s, KN_OP_MULTIPLY_COMPOUND, 1.5f),
        modifier_of(s, KN_OP_MULTIPLY_COMPOUND, 1.2f),
        modifier_of(s, KN_OP_DIVIDE, 2),
    };
    begin(s);
    set_base(s, s->foe, s->speed, 100);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(s, types[i]);
    }

    near(current(s, s->speed), 117);
}

// TVE-031, MOD-026: products of divisors, next to the sum the other edition keeps.
static void compound_divide_of_2_and_2_on_120_gives_30(void **state)
{
    near(COMBINED(*state, 120, KN_OP_DIVIDE_COMPOUND, 2, 2), 30);
}

// TVE-032
static void additive_boost_cancels_an_equal_slow(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_ADDITIVE, 0.6f, 1.4f), 100);
}

// TVA-042
static void an_inverse_of_1_4_undoes_a_slow_of_0_6_on_600_where_multipliers_are_summed(void **state)
{
    near(COMBINED(*state, 600, KN_OP_MULTIPLY, 0.6f, 1.4f), 600);
}

// TVA-042
static void an_inverse_of_1_4_leaves_504_of_600_where_they_are_multiplied(void **state)
{
    near(COMBINED(*state, 600, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.4f), 504);
}

// TVE-032
static void compound_boost_does_not_cancel_an_equal_slow(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.4f), 84);
}

// TVE-032: the inverse of 0.6 does.
static void compound_inverse_cancels(void **state)
{
    near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.0f / 0.6f), 100);
}

// MOD-026, MOD-027: the rule is a default of the attribute, and a modifier may choose for itself.
static void combination_rule_is_a_default_of_the_attribute(void **state)
{
    stage *s = *state;
    kn_attribute_def def = kn_attribute_def_default();
    def.name = "Value";
    def.default_value = 100;
    def.profile.multiply_compound = true;
    def.profile.divide_compound = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Compound";
    set.attributes = &def;
    set.attribute_count = 1;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &set_id, NULL), KN_OK);
    kn_attribute_id value = kn_attribute_find(s->library, "Compound.Value");
    kn_effect_type_id multiply =
        simple(s, "Double", KN_DURATION_INFINITE, value, KN_OP_MULTIPLY, 3);
    kn_effect_type_id divide = simple(s, "Halve", KN_DURATION_INFINITE, value, KN_OP_DIVIDE, 2);
    kn_effect_type_id own =
        simple(s, "Own", KN_DURATION_INFINITE, value, KN_OP_MULTIPLY_ADDITIVE, 1.5f);
    kn_effect_type_id split =
        simple(s, "Split", KN_DURATION_INFINITE, value, KN_OP_DIVIDE_ADDITIVE, 2);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set_id, 0), KN_OK);

    apply(s, multiply);
    apply(s, multiply);
    near(current(s, value), 900);
    apply(s, divide);
    apply(s, divide);
    near(current(s, value), 225);
    apply(s, own);
    apply(s, own);

    near(current(s, value), 450);
    apply(s, split);
    apply(s, split);

    near(current(s, value), 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_multiply_of_1_1_on_500_gives_550),
        TEST(second_multiply_of_1_1_on_500_gives_600),
        TEST(two_multiplies_of_1_5_give_the_factor_2),
        TEST(one_multiply_of_a_half_halves),
        TEST(two_multiplies_of_a_half_give_zero),
        TEST(multiplies_of_1_1_and_a_half_give_the_factor_0_6),
        TEST(two_multiplies_of_5_give_the_factor_9),
        TEST(sum_is_multiplied_then_divided),
        TEST(two_divides_of_2_on_120_give_40),
        TEST(three_multiplies_of_a_half_in_one_effect_turn_negative_and_are_warned_about),
        TEST(only_factors_outside_the_rule_are_warned_about),
        TEST(only_divisors_outside_the_rule_are_warned_about),
        TEST(compound_1_5_twice_gives_2_25),
        TEST(compound_half_twice_gives_a_quarter),
        TEST(compound_1_1_and_a_half_give_0_55),
        TEST(compound_5_twice_gives_25_and_none_gives_1),
        TEST(compound_multiply_enters_the_outer_formula),
        TEST(compound_divide_of_2_and_2_on_120_gives_30),
        TEST(additive_boost_cancels_an_equal_slow),
        TEST(an_inverse_of_1_4_undoes_a_slow_of_0_6_on_600_where_multipliers_are_summed),
        TEST(an_inverse_of_1_4_leaves_504_of_600_where_they_are_multiplied),
        TEST(compound_boost_does_not_cancel_an_equal_slow),
        TEST(compound_inverse_cancels),
        TEST(combination_rule_is_a_default_of_the_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
