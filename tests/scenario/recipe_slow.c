// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/strongest-slow.md

#include "scenario/recipe.h"

static kn_effect_type_id speed_effect(
    fixture *f, const char *name, kn_attribute_id speed, float factor, float seconds)
{
    kn_modifier_def modifier = kn_modifier_constant(speed, KN_OP_MULTIPLY, factor);
    kn_effect_def def = timed(name, seconds);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

// COM-007, TVA-071
static void only_the_strongest_slow_counts(void **state)
{
    fixture *f = *state;
    kn_attribute_def speed_def = attribute_def("Speed", 500.0f);
    speed_def.qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    kn_attribute_set_id move = set_register(f, "Move", &speed_def, 1);
    kn_attribute_id speed = kn_attribute_find(f->library, "Move.Speed");
    kn_effect_type_id types[3] = {speed_effect(f, "Mud", speed, 0.7f, 4.0f),
        speed_effect(f, "Ice", speed, 0.5f, 2.0f), speed_effect(f, "Boots", speed, 1.1f, 10.0f)};
    recipe_begin(f, move);
    kn_effect_id mud = {0};
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_id effect = apply_to(f, types[i], f->hero);
        mud = i == 0 ? effect : mud;
    }
    assert_float_equal(value_of(f, speed), 300.0f, 0.001f);
    assert_true(kn_effect_is_alive(f->world, mud)); // passed over, and its time runs
    step(f, KN_S(1));
    recipe_check_rollback(f);
    step(f, KN_S(1));
    assert_float_equal(value_of(f, speed), 400.0f, 0.001f);
    step(f, KN_S(2));
    assert_float_equal(value_of(f, speed), 550.0f, 0.001f);
}

// COM-007: numbers that are added are negative below 0, and all that are above it count.
static void only_the_strongest_of_flat_slows_counts(void **state)
{
    fixture *f = *state;
    kn_attribute_def speed_def = attribute_def("Speed", 500.0f);
    speed_def.qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    kn_attribute_set_id move = set_register(f, "Move", &speed_def, 1);
    kn_attribute_id speed = kn_attribute_find(f->library, "Move.Speed");
    static const struct {
        const char *name;
        float amount, seconds;
    } effects[4] = {
        {"Web", -80.0f, 2.0f}, {"Mud", -50.0f, 4.0f}, {"Boots", 10.0f, 9.0f}, {"Wind", 5.0f, 9.0f}};
    kn_effect_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_modifier_def modifier = kn_modifier_constant(speed, KN_OP_ADD, effects[i].amount);
        kn_effect_def def = timed(effects[i].name, effects[i].seconds);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    recipe_begin(f, move);
    for (uint32_t i = 0; i < 4; i++) {
        (void)apply_to(f, types[i], f->hero);
    }
    assert_true(value_of(f, speed) == 435.0f);
    step(f, KN_S(2)); // the strongest is over
    assert_true(value_of(f, speed) == 465.0f);
    step(f, KN_S(2));
    assert_true(value_of(f, speed) == 515.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(only_the_strongest_slow_counts),
    TEST(only_the_strongest_of_flat_slows_counts),
};

TEST_GROUP(recipe_slow, tests, NULL, NULL);
