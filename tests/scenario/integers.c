// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Values declared as integers.

#include "scenario/effect_fixture.h"

static kn_attribute_id declare(fixture *f, const char *set_name, kn_rounding rounding,
    bool minimum_one, float start, kn_attribute_set_id *out)
{
    kn_attribute_def def = attribute_def("Count", start);
    def.rounding = rounding;
    def.minimum_one = minimum_one;
    def.decimals = 2;
    *out = set_register(f, set_name, &def, 1);
    char name[64];
    strcpy(name, set_name);
    strcat(name, ".Count");
    return kn_attribute_find(f->library, name);
}

// The value of an attribute of base 10 with one Multiply on it.
typedef struct vector {
    kn_rounding rounding;
    float factor;
    float expected;
} vector;

static kn_effect_type_id times(
    fixture *f, const char *name, kn_attribute_id attribute, float factor)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_MULTIPLY, factor);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

// BEY-033
static void each_rounding_mode_rounds_the_current_value_its_way(void **state)
{
    fixture *f = *state;
    const vector vectors[] = {
        {KN_ROUND_TRUNCATE, 1.29f, 12.0f},
        {KN_ROUND_TRUNCATE, -1.29f, -12.0f},
        {KN_ROUND_HALF_AWAY, 1.25f, 13.0f},
        {KN_ROUND_HALF_AWAY, 1.24f, 12.0f},
        {KN_ROUND_HALF_AWAY, -1.25f, -13.0f},
        {KN_ROUND_HALF_TO_BASE, 1.25f, 12.0f},
        {KN_ROUND_HALF_TO_BASE, 0.75f, 8.0f},
        {KN_ROUND_HALF_TO_BASE, 1.26f, 13.0f},
        {KN_ROUND_UP, 1.21f, 13.0f},
        {KN_ROUND_UP, -1.29f, -12.0f},
        {KN_ROUND_DOWN, 1.29f, 12.0f},
        {KN_ROUND_DOWN, -1.21f, -13.0f},
        {KN_ROUND_NONE, 1.29f, 12.9f},
    };
    enum { COUNT = sizeof vectors / sizeof vectors[0] };
    kn_attribute_set_id sets[COUNT];
    kn_attribute_id attributes[COUNT];
    kn_effect_type_id types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[3] = {'S', (char)('a' + (char)i), 0};
        attributes[i] = declare(f, name, vectors[i].rounding, false, 10.0f, &sets[i]);
        types[i] = times(f, name, attributes[i], vectors[i].factor);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT; i++) {
        add_set(f, f->foe, sets[i]);
        apply(f, types[i]);
        assert_near(current(f, attributes[i]), vectors[i].expected);
        assert_near(kn_attribute_base(f->world, f->foe, attributes[i]), 10.0f);
    }
}

// BEY-033
static void base_values_are_rounded_when_they_are_written(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_attribute_id count = declare(f, "Stock", KN_ROUND_HALF_AWAY, false, 10.4f, &set);
    kn_modifier_def hit = kn_modifier_constant(count, KN_OP_ADD, -2.6f);
    kn_effect_def def = instant("Hit");
    def.modifiers = &hit;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, set);
    assert_near(current(f, count), 10.0f);
    apply(f, type);
    assert_near(kn_attribute_base(f->world, f->foe, count), 7.0f);
    set_base(f, f->foe, count, 4.5f);
    assert_near(kn_attribute_base(f->world, f->foe, count), 5.0f);
    assert_near(current(f, count), 5.0f);
}

// BEY-033
static void a_rounded_value_may_have_a_minimum_of_one_unless_the_base_is_zero(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_attribute_id count = declare(f, "Squad", KN_ROUND_DOWN, true, 10.0f, &set);
    kn_effect_type_id tenth = times(f, "Tenth", count, 0.01f);
    begin(f);
    add_set(f, f->foe, set);
    apply(f, tenth);
    assert_near(current(f, count), 1.0f);
    set_base(f, f->foe, count, 0.0f);
    assert_near(current(f, count), 0.0f);
}

// BEY-033
static void binary_dust_below_a_half_still_counts_as_a_half(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_attribute_id count = declare(f, "Squad", KN_ROUND_HALF_AWAY, false, 10.0f, &set);
    kn_effect_type_id a = times(f, "A", count, 1.1f);
    kn_effect_type_id b = times(f, "B", count, 1.15f);
    begin(f);
    add_set(f, f->foe, set);
    apply(f, a);
    apply(f, b); // 10 x (1 + 0.1 + 0.15) = 12.5, give or take a bit
    assert_near(current(f, count), 13.0f);
}

// BEY-033
static void transient_values_round_too(void **state)
{
    fixture *f = *state;
    kn_value_def def = kn_value_def_default();
    def.name = "Charges";
    def.rounding = KN_ROUND_UP;
    def.minimum_one = true;
    kn_value_id charges;
    assert_int_equal(kn_value_register(f->library, &def, &charges, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = charges;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(1.3f);
    kn_effect_def effect = infinite("More");
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id more = effect_register(f, &effect);
    begin(f);
    apply(f, more);
    assert_near(kn_value_evaluate(f->world, f->foe, charges, 2.0f, NULL, false), 3.0f);
    assert_near(kn_value_evaluate(f->world, f->foe, charges, 0.0f, NULL, false), 0.0f);
}

// BEY-033
static void decimals_are_for_display_only(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_attribute_id exact = declare(f, "Exact", KN_ROUND_NONE, false, 1.23456f, &set);
    begin(f);
    add_set(f, f->foe, set);
    assert_int_equal(kn_attribute_get_def(f->library, exact)->decimals, 2);
    assert_near(current(f, exact), 1.23456f);
}

// BEY-033
static void not_a_number_never_becomes_an_integer(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_attribute_id count = declare(f, "Squad", KN_ROUND_DOWN, false, 10.0f, &set);
    begin(f);
    add_set(f, f->foe, set);
    assert_int_equal(kn_attribute_set_base(f->world, f->foe, count, 0, NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_attribute_set_base(f->world, f->foe, count, 0, INFINITY), KN_REFUSED_BAD_NUMBER);
    assert_near(current(f, count), 10.0f);
    set_base(f, f->foe, count, 3e30f);
    assert_near(current(f, count), 3e30f);
}

static const struct CMUnitTest tests[] = {
    TEST(each_rounding_mode_rounds_the_current_value_its_way),
    TEST(base_values_are_rounded_when_they_are_written),
    TEST(a_rounded_value_may_have_a_minimum_of_one_unless_the_base_is_zero),
    TEST(binary_dust_below_a_half_still_counts_as_a_half),
    TEST(transient_values_round_too),
    TEST(decimals_are_for_display_only),
    TEST(not_a_number_never_becomes_an_integer),
};

TEST_GROUP(integers, tests, NULL, NULL);
