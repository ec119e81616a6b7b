// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Several modifiers on one attribute: sums around a bias, or products.

#include "scenario/effect_fixture.h"

static kn_effect_type_id modifier_of(fixture *f, kn_op op, float magnitude)
{
    static uint32_t number; // a name for each
    char name[32];
    snprintf(name, sizeof(name), "Modifier%u", number++);
    return simple(f, name, KN_DURATION_INFINITE, f->speed, op, magnitude);
}

// Applies lasting modifiers of one operation to a base and gives the current value.
static float combined(fixture *f, float start, kn_op op, const float *magnitudes, uint32_t count)
{
    kn_effect_type_id types[8];
    for (uint32_t i = 0; i < count; i++) {
        types[i] = modifier_of(f, op, magnitudes[i]);
    }
    begin(f);
    set_base(f, f->foe, f->speed, start);
    for (uint32_t i = 0; i < count; i++) {
        apply(f, types[i]);
    }
    assert_true(base(f, f->speed) == start);
    return current(f, f->speed);
}

#define COMBINED(f, start, op, ...)                                                                \
    combined(f, start, op, (const float[]){__VA_ARGS__}, COUNT(((const float[]){__VA_ARGS__})))

static bool is_warned_about(const fixture *f, const char *attribute)
{
    for (uint32_t i = 0; i < kn_library_warning_count(f->library); i++) {
        if (strstr(kn_library_warning(f->library, i), attribute) != NULL) {
            return true;
        }
    }
    return false;
}

// Additive combination ----------------------------------------------------------

// TVE-010
static void one_multiply_of_1_1_on_500_gives_550(void **state)
{
    assert_near(COMBINED(*state, 500, KN_OP_MULTIPLY, 1.1f), 550);
}

// TVE-011, MOD-024
static void second_multiply_of_1_1_on_500_gives_600(void **state)
{
    assert_near(COMBINED(*state, 500, KN_OP_MULTIPLY, 1.1f, 1.1f), 600);
}

// TVE-012, MOD-022, MOD-024
static void two_multiplies_of_1_5_give_the_factor_2(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY, 1.5f, 1.5f), 200);
}

// TVE-013, MOD-025: any single value alone works.
static void one_multiply_of_a_half_halves(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY, 0.5f), 50);
}

// TVE-014, MOD-022
static void two_multiplies_of_a_half_give_zero(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY, 0.5f, 0.5f), 0);
}

// TVE-015
static void multiplies_of_1_1_and_a_half_give_the_factor_0_6(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY, 1.1f, 0.5f), 60);
}

// TVE-016, MOD-022
static void two_multiplies_of_5_give_the_factor_9(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY, 5, 5), 900);
}

// TVE-017, MOD-020, MOD-022
static void sum_is_multiplied_then_divided(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[] = {
        modifier_of(f, KN_OP_ADD, 10),
        modifier_of(f, KN_OP_ADD, 20),
        modifier_of(f, KN_OP_MULTIPLY, 1.5f),
        modifier_of(f, KN_OP_MULTIPLY, 1.2f),
        modifier_of(f, KN_OP_DIVIDE, 2),
    };
    begin(f);
    set_base(f, f->foe, f->speed, 100);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(f, types[i]);
    }

    assert_near(current(f, f->speed), 110.5f);
}

// TVE-018, MOD-022
static void two_divides_of_2_on_120_give_40(void **state)
{
    assert_near(COMBINED(*state, 120, KN_OP_DIVIDE, 2, 2), 40);
}

// TVE-021, MOD-025: the result nobody expects, and the warning at registration.
static void three_multiplies_of_a_half_in_one_effect_turn_negative_and_are_warned_about(
    void **state)
{
    fixture *f = *state;
    kn_modifier_def half = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 0.5f);
    kn_modifier_def modifiers[] = {half, half, half};
    kn_effect_def def = effect_def("Slow", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    set_base(f, f->foe, f->speed, 100);

    apply(f, type);

    assert_near(current(f, f->speed), -50);
    assert_true(is_warned_about(f, "Unit.Speed"));
}

static void warns_outside_the_rule_only(fixture *f, kn_op op)
{
    const struct {
        const char *name;
        kn_attribute_id attribute;
        float values[3];
        bool is_warned;
    } cases[] = {
        {"OneLow", f->speed, {0.5f, 1.2f, 1.9f}, false},
        {"AllBetween", f->health, {1.1f, 1.2f, 1.9f}, false},
        {"OneBig", f->mana, {3.0f, 1.0f, 1.0f}, false},
        {"TwoLow", f->attack, {0.5f, 0.6f, 1.0f}, true},
        {"TwoBig", f->armor, {2.0f, 3.0f, 1.0f}, true},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_modifier_def modifiers[3];
        for (uint32_t j = 0; j < 3; j++) {
            modifiers[j] = kn_modifier_constant(cases[i].attribute, op, cases[i].values[j]);
        }
        kn_effect_def def = effect_def(cases[i].name, KN_DURATION_INFINITE, modifiers, 3);
        def.stacking.kind = KN_STACK_BY_TARGET; // there once, and only once
        def.stacking.limit = kn_constant(1);
        effect_register(f, &def);
    }
    begin(f);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        const char *attribute = kn_attribute_name(f->library, cases[i].attribute);
        if (is_warned_about(f, attribute) != cases[i].is_warned) {
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
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 1.5f, 1.5f), 225);
}

// TVE-030, MOD-026
static void compound_half_twice_gives_a_quarter(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.5f, 0.5f), 25);
}

// TVE-030
static void compound_1_1_and_a_half_give_0_55(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 1.1f, 0.5f), 55);
}

// TVE-030: 5 and 5 give 25, and none gives 1.
static void compound_5_twice_gives_25_and_none_gives_1(void **state)
{
    fixture *f = *state;
    assert_near(COMBINED(f, 100, KN_OP_MULTIPLY_COMPOUND, 5, 5), 2500);
    assert_near(kn_attribute_value(f->world, f->hero, f->speed), 600);
}

// TVE-031
static void compound_multiply_enters_the_outer_formula(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[] = {
        modifier_of(f, KN_OP_ADD, 10),
        modifier_of(f, KN_OP_ADD, 20),
        modifier_of(f, KN_OP_MULTIPLY_COMPOUND, 1.5f),
        modifier_of(f, KN_OP_MULTIPLY_COMPOUND, 1.2f),
        modifier_of(f, KN_OP_DIVIDE, 2),
    };
    begin(f);
    set_base(f, f->foe, f->speed, 100);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(f, types[i]);
    }

    assert_near(current(f, f->speed), 117);
}

// TVE-031, MOD-026: products of divisors, next to the sum the other edition keeps.
static void compound_divide_of_2_and_2_on_120_gives_30(void **state)
{
    assert_near(COMBINED(*state, 120, KN_OP_DIVIDE_COMPOUND, 2, 2), 30);
}

// TVE-032
static void additive_boost_cancels_an_equal_slow(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_ADDITIVE, 0.6f, 1.4f), 100);
}

// TVA-042
static void an_inverse_of_1_4_undoes_a_slow_of_0_6_on_600_where_multipliers_are_summed(void **state)
{
    assert_near(COMBINED(*state, 600, KN_OP_MULTIPLY, 0.6f, 1.4f), 600);
}

// TVA-042
static void an_inverse_of_1_4_leaves_504_of_600_where_they_are_multiplied(void **state)
{
    assert_near(COMBINED(*state, 600, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.4f), 504);
}

// TVE-032
static void compound_boost_does_not_cancel_an_equal_slow(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.4f), 84);
}

// TVE-032: the inverse of 0.6 does.
static void compound_inverse_cancels(void **state)
{
    assert_near(COMBINED(*state, 100, KN_OP_MULTIPLY_COMPOUND, 0.6f, 1.0f / 0.6f), 100);
}

// MOD-026, MOD-027: the rule is a default of the attribute, and a modifier may choose for itself.
static void combination_rule_is_a_default_of_the_attribute(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Value", 100);
    def.profile.multiply_compound = true;
    def.profile.divide_compound = true;
    kn_attribute_set_id set_id = set_register(f, "Compound", &def, 1);
    kn_attribute_id value = kn_attribute_find(f->library, "Compound.Value");
    kn_effect_type_id multiply =
        simple(f, "Double", KN_DURATION_INFINITE, value, KN_OP_MULTIPLY, 3);
    kn_effect_type_id divide = simple(f, "Halve", KN_DURATION_INFINITE, value, KN_OP_DIVIDE, 2);
    kn_effect_type_id own =
        simple(f, "Own", KN_DURATION_INFINITE, value, KN_OP_MULTIPLY_ADDITIVE, 1.5f);
    kn_effect_type_id split =
        simple(f, "Split", KN_DURATION_INFINITE, value, KN_OP_DIVIDE_ADDITIVE, 2);
    begin(f);
    add_set(f, f->foe, set_id);

    apply(f, multiply);
    apply(f, multiply);
    assert_near(current(f, value), 900);
    apply(f, divide);
    apply(f, divide);
    assert_near(current(f, value), 225);
    apply(f, own);
    apply(f, own);

    assert_near(current(f, value), 450);
    apply(f, split);
    apply(f, split);

    assert_near(current(f, value), 150);
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(modifier_combination, tests, NULL, NULL);
