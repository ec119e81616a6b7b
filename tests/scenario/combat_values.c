// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Values of the combat and the gas profile: the arithmetic, stacks, limits, what is refused.

#include "scenario/combat_fixture.h"

// The arithmetic ---------------------------------------------------------------------------

typedef struct part {
    char op; // '+' or 'x'; 0 ends the list
    float value;
    uint32_t stacks; // of its source; 0 means 1
    bool scales;
} part;

typedef struct sum {
    float base;
    part parts[4];
    float combat, gas;
} sum;

static kn_op op_of(char op)
{
    return op == '+' ? KN_OP_ADD : KN_OP_MULTIPLY;
}

static uint32_t put_parts(fixture *f, const part *parts, kn_value_id value,
    kn_attribute_id attribute, kn_effect_id effects[4])
{
    uint32_t count = 0;
    for (; count < 4 && parts[count].op != 0; count++) {
        const part *p = &parts[count];
        kn_modifier_def modifier = modifier_on(value, op_of(p->op), p->value);
        modifier.attribute = attribute;
        modifier.scaling = p->scales ? KN_STACK_SCALING_YES : KN_STACK_SCALING_NO;
        effects[count] = buff(f, modifier, p->stacks > 0 ? p->stacks : 1);
    }
    return count;
}

// SAIV-001, SAIV-002, SAIV-003, SAIV-004, SAIV-005, SAIV-006, SAIV-007, SAIV-008, SAIV-009
// SAIV-010, SAIV-012, SAIV-016, SAIV-017, SAIV-150, MODF-001, MODF-002, MODF-003, MODF-005
// MODF-006, MODF-007, MODF-008, MODF-009, MODF-021
static void a_combat_value_is_the_sum_times_the_product_and_never_negative(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    static const sum sums[] = {
        {5.0f, {{'+', 0.5f, 3, true}, {'x', 0.9f, 2, true}}, 5.2f, 0.0f},
        {5.0f, {{'+', 0.5f, 3, false}}, 5.5f, 0.0f},
        {5.0f, {{'x', 0.9f, 2, false}}, 4.5f, 0.0f},
        {5.0f, {{'x', 0.9f, 1, true}, {'x', 0.9f, 1, true}}, 4.05f, 0.0f},
        {5.0f, {{'+', 0.5f, 3, true}, {'x', 0.9f, 1, false}, {'x', 0.9f, 1, false}}, 5.265f, 0.0f},
        {5.0f, {{'x', 0.5f, 3, true}}, 0.0f, 0.0f},
        {5.0f, {{'x', 0.5f, 3, true}, {'x', 0.4f, 3, true}}, 0.0f, 0.0f},
        {2.0f, {{'+', -3.0f, 1, false}, {'x', 1.5f, 1, false}}, 0.0f, 0.0f},
        {5.0f, {{'+', -1.0f, 3, true}, {'x', 2.0f, 1, false}}, 4.0f, 0.0f},
        {10.0f, {{'x', 1.1f, 5, true}}, 15.0f, 0.0f},
        {2.5f, {{'x', 1.2f, 1, false}}, 3.0f, 0.0f},
        {12.0f, {{'+', 1.0f, 1, false}, {'x', 0.75f, 1, false}}, 9.75f, 0.0f},
        {30.0f, {{'x', 0.8f, 1, false}, {'x', 0.9f, 1, false}}, 21.6f, 0.0f},
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        kn_effect_id effects[4];
        uint32_t count = put_parts(f, sums[i].parts, f->cast, (kn_attribute_id){0}, effects);
        assert_near(length_of(f, f->cast, sums[i].base), sums[i].combat);
        drop_parts(f, effects, count);
        assert_near(length_of(f, f->cast, sums[i].base), sums[i].base);
    }
}

// SAIV-011, MODF-014
static void a_source_without_stacks_contributes_nothing(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_modifier_def both[] = {
        modifier_on(f->cast, KN_OP_ADD, 0.5f), modifier_on(f->cast, KN_OP_MULTIPLY, 0.9f)};
    both[0].scaling = both[1].scaling = KN_STACK_SCALING_YES;
    kn_effect_id effect = apply_stacks(f, f->hero, effect_make(f, both, 2), 1);
    assert_near(length_of(f, f->cast, 5.0f), 4.95f);
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_BY_CALL), KN_OK);
    assert_near(length_of(f, f->cast, 5.0f), 5.0f);
}

static const sum both_profiles[] = {
    {5.0f, {{'+', 0.5f, 3, true}, {'x', 0.9f, 2, true}}, 5.2f, 5.2f},
    {5.0f, {{'+', 0.5f, 3, true}, {'x', 0.9f, 1, true}, {'x', 0.9f, 1, true}}, 5.265f, 5.2f},
    {100.0f, {{'x', 1.5f, 1, true}, {'x', 1.5f, 1, true}}, 225.0f, 200.0f},
    {100.0f,
        {{'+', 10.0f, 1, true}, {'+', 20.0f, 1, true}, {'x', 1.5f, 1, true}, {'x', 1.2f, 1, true}},
        234.0f, 221.0f},
    {30.0f, {{'+', 10.0f, 1, true}, {'x', 1.2f, 1, true}, {'x', 0.5f, 1, true}}, 24.0f, 28.0f},
    {100.0f, {{'x', 0.5f, 1, true}, {'x', 0.5f, 1, true}, {'x', 0.5f, 1, true}}, 12.5f, -50.0f},
    {600.0f, {{'x', 0.6f, 1, true}, {'x', 1.4f, 1, true}}, 504.0f, 600.0f},
    {600.0f, {{'x', 0.7f, 4, true}}, 0.0f, -120.0f},
    {2.0f, {{'+', -3.0f, 1, true}, {'x', 1.5f, 1, true}}, 0.0f, -1.5f},
    {10.0f, {{'x', 1.1f, 5, true}}, 15.0f, 15.0f},
};

// SAIV-150, SAIV-151, SAIV-152, SAIV-153, SAIV-154, SAIV-155, SAIV-156, SAIV-157, SAIV-158
// SAIV-159, MAP-011, MAP-013, MAP-071, MAP-072
static void the_same_modifiers_give_each_profile_its_own_result(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    for (size_t i = 0; i < sizeof both_profiles / sizeof *both_profiles; i++) {
        const sum *c = &both_profiles[i];
        kn_effect_id effects[4];
        uint32_t count = put_parts(f, c->parts, f->cast, (kn_attribute_id){0}, effects);
        assert_near(length_of(f, f->cast, c->base), c->combat);
        drop_parts(f, effects, count);
        count = put_parts(f, c->parts, f->gas, (kn_attribute_id){0}, effects);
        float result = length_of(f, f->gas, c->base);
        assert_float_equal(result, c->gas, 1e-5f * 600.0f);
        drop_parts(f, effects, count);
    }
}

// MAP-015, MAP-011
static void stored_values_use_the_same_evaluator_as_transient_ones(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    for (size_t i = 0; i < sizeof both_profiles / sizeof *both_profiles; i++) {
        const sum *c = &both_profiles[i];
        kn_effect_id effects[4];
        set_base(f, f->hero, f->stored_combat, c->base);
        set_base(f, f->hero, f->stored_gas, c->base);
        uint32_t count = put_parts(f, c->parts, (kn_value_id){0}, f->stored_combat, effects);
        assert_near(kn_attribute_value(f->world, f->hero, f->stored_combat), c->combat);
        drop_parts(f, effects, count);
        count = put_parts(f, c->parts, (kn_value_id){0}, f->stored_gas, effects);
        assert_float_equal(
            kn_attribute_value(f->world, f->hero, f->stored_gas), c->gas, 1e-5f * 600.0f);
        drop_parts(f, effects, count);
        assert_near(kn_attribute_value(f->world, f->hero, f->stored_gas), c->base);
    }
}

// MAP-010
static void the_stages_follow_each_other_in_one_order(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    def.name = "Staged";
    def.profile = kn_value_profile_gas();
    def.has_max = true;
    def.max = 36.6f;
    def.rounding = KN_ROUND_HALF_AWAY;
    kn_value_id staged;
    assert_int_equal(kn_value_register(f->library, &def, &staged, NULL), KN_OK);
    begin(f);
    // Put on in the opposite order of the stages.
    kn_effect_id override = buff(f, modifier_on(staged, KN_OP_OVERRIDE, 4.4f), 1);
    assert_near(length_of(f, staged, 10.0f), 4.0f);
    remove_effect(f, override);
    buff(f, modifier_on(staged, KN_OP_ADD_FINAL, 7.0f), 1);
    buff(f, modifier_on(staged, KN_OP_MULTIPLY_COMPOUND, 2.0f), 1);
    buff(f, modifier_on(staged, KN_OP_MULTIPLY_COMPOUND, 1.5f), 1);
    buff(f, modifier_on(staged, KN_OP_DIVIDE, 2.0f), 1);
    buff(f, modifier_on(staged, KN_OP_DIVIDE, 2.0f), 1);
    buff(f, modifier_on(staged, KN_OP_MULTIPLY, 1.5f), 1);
    buff(f, modifier_on(staged, KN_OP_MULTIPLY, 1.5f), 1);
    buff(f, modifier_on(staged, KN_OP_ADD, 2.0f), 1);
    // (4 + 2) x 2 / 3 x 3 + 7 = 19
    assert_near(length_of(f, staged, 4.0f), 19.0f);
    assert_near(length_of(f, staged, 10.0f), 31.0f); // (10 + 2) x 2 / 3 x 3 + 7
    assert_near(length_of(f, staged, 13.0f), 36.6f); // 37; rounding does not lift it again
    buff(f, modifier_on(staged, KN_OP_OVERRIDE, 4.4f), 1);
    assert_near(length_of(f, staged, 10.0f), 4.0f); // in place of all that, then rounded
    buff(f, modifier_on(staged, KN_OP_OVERRIDE, 99.0f), 1);
    assert_near(length_of(f, staged, 10.0f), 36.6f); // and limited
}

// MODF-010, MAP-010
static void the_sum_is_clamped_before_a_negative_factor_can_turn_it(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_profile profile = kn_value_profile_gas();
    profile.clamp_sum = true;
    kn_value_id clamped = value_add(f, "Clamped", profile);
    begin(f);
    buff(f, modifier_on(clamped, KN_OP_ADD, -3.0f), 1);
    buff(f, modifier_on(clamped, KN_OP_MULTIPLY, -2.0f), 1);
    buff(f, modifier_on(f->gas, KN_OP_ADD, -3.0f), 1);
    buff(f, modifier_on(f->gas, KN_OP_MULTIPLY, -2.0f), 1);
    assert_near(length_of(f, clamped, 2.0f), 0.0f);
    assert_near(length_of(f, f->gas, 2.0f), 2.0f);
}

// MODF-010, MAP-010
static void the_product_is_clamped_before_the_final_addition(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_profile profile = kn_value_profile_gas();
    profile.clamp_product = true;
    const kn_value_id values[] = {value_add(f, "Clamped", profile), f->gas};
    begin(f);
    for (uint32_t i = 0; i < 2; i++) {
        buff(f, modifier_on(values[i], KN_OP_MULTIPLY, -2.0f), 1);
        buff(f, modifier_on(values[i], KN_OP_ADD_FINAL, 7.0f), 1);
    }
    assert_near(length_of(f, values[0], 2.0f), 7.0f);
    assert_near(length_of(f, values[1], 2.0f), 3.0f);
}

// MAP-010, MAP-011
static void each_factor_of_a_product_is_clamped_by_itself(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_profile profile = kn_value_profile_gas();
    profile.clamp_factors = true;
    const kn_value_id values[] = {value_add(f, "Clamped", profile), f->gas};
    begin(f);
    for (uint32_t i = 0; i < 2; i++) {
        buff(f, modifier_on(values[i], KN_OP_MULTIPLY_COMPOUND, -2.0f), 1);
        buff(f, modifier_on(values[i], KN_OP_MULTIPLY_COMPOUND, -3.0f), 1);
    }
    assert_near(length_of(f, values[0], 2.0f), 0.0f);
    assert_near(length_of(f, values[1], 2.0f), 12.0f);
}

// SAIV-013, MODF-003, CMOD-006
static void a_stat_joins_a_calculation_as_one_factor(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    def.name = "Hasted";
    def.factor = f->haste;
    kn_value_id hasted;
    assert_int_equal(kn_value_register(f->library, &def, &hasted, NULL), KN_OK);
    begin(f);
    set_base(f, f->hero, f->haste, 0.8f);
    buff(f, modifier_on(hasted, KN_OP_ADD, 0.5f), 1);
    assert_near(length_of(f, hasted, 2.0f), 2.0f);
    buff(f, modifier_on(hasted, KN_OP_MULTIPLY, 0.5f), 1);
    assert_near(length_of(f, hasted, 2.0f), 1.0f);
    // And what conditions let in: (2 + 0.5 + 1.5) x 0.8 x 0.5 x 0.25, all in one pass.
    kn_modifier_def fiery = modifier_on(hasted, KN_OP_ADD, 1.5f);
    fiery.event.required = (kn_tags){&f->fire, 1};
    buff(f, fiery, 1);
    fiery.op = KN_OP_MULTIPLY;
    fiery.magnitude = kn_magnitude_constant(0.25f);
    buff(f, fiery, 1);
    kn_event_record record = kn_event_record_default();
    record.tags = (kn_tags){&f->fire, 1};
    assert_near(kn_value_evaluate(f->world, f->hero, hasted, 2.0f, &record, false), 0.4f);
    assert_near(length_of(f, hasted, 2.0f), 1.0f);
    // Without the stat the factor is 1.
    kn_entity_id other = entity_create(f);
    assert_near(kn_value_evaluate(f->world, other, hasted, 2.0f, NULL, false), 2.0f);
}

// SAIV-014, SAIV-015, MODF-004, MODF-019, MAP-011
static void a_static_value_ignores_modifiers_but_not_limits(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    def.name = "Limited";
    def.has_min = def.has_max = true;
    def.min = 1.0f;
    def.max = 8.0f;
    kn_value_id limited, below;
    assert_int_equal(kn_value_register(f->library, &def, &limited, NULL), KN_OK);
    def.name = "Below";
    def.min = -5.0f;
    assert_int_equal(kn_value_register(f->library, &def, &below, NULL), KN_OK);
    begin(f);
    buff(f, modifier_on(below, KN_OP_ADD, -9.0f), 1); // whatever the minimum, not below 0
    assert_near(length_of(f, below, 2.0f), 0.0f);
    buff(f, modifier_on(f->cast, KN_OP_ADD, 3.0f), 1);
    buff(f, modifier_on(limited, KN_OP_MULTIPLY, 3.0f), 1);
    kn_world *world = f->world;
    assert_near(kn_value_evaluate(world, f->hero, f->cast, 5.0f, NULL, true), 5.0f);
    assert_near(kn_value_evaluate(world, f->hero, f->cast, -1.0f, NULL, true), 0.0f);
    assert_near(kn_value_evaluate(world, f->hero, limited, 0.5f, NULL, true), 1.0f);
    assert_near(kn_value_evaluate(world, f->hero, limited, 20.0f, NULL, true), 8.0f);
    assert_near(length_of(f, limited, 2.0f), 6.0f);
    assert_near(length_of(f, limited, 4.0f), 8.0f);
    assert_near(length_of(f, limited, 0.1f), 1.0f);
}

// SAIV-020, SAIV-021, MODF-013, MAP-011
static void whole_numbers_are_rounded_after_the_arithmetic(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    def.name = "MaxCharges";
    def.rounding = KN_ROUND_HALF_AWAY;
    def.has_min = true;
    def.min = 1.0f;
    kn_value_id charges, cost;
    assert_int_equal(kn_value_register(f->library, &def, &charges, NULL), KN_OK);
    def.name = "ChargeCost";
    def.min = 0.0f;
    assert_int_equal(kn_value_register(f->library, &def, &cost, NULL), KN_OK);
    begin(f);
    static const sum sums[] = {
        {1.0f, {{'+', 0.5f, 1, true}}, 2.0f, 0.0f},
        {3.0f, {{'x', 0.5f, 1, true}}, 2.0f, 0.0f},
        {2.0f, {{'+', 1.0f, 2, true}}, 4.0f, 0.0f},
        {3.0f, {{'x', 0.8f, 1, true}}, 2.0f, 0.0f},
        {1.0f, {{'+', -1.0f, 1, true}}, 1.0f, 0.0f},
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        kn_effect_id effects[4];
        uint32_t count = put_parts(f, sums[i].parts, charges, (kn_attribute_id){0}, effects);
        assert_float_equal(length_of(f, charges, sums[i].base), sums[i].combat, 0.0f);
        drop_parts(f, effects, count);
    }
    buff(f, modifier_on(cost, KN_OP_ADD, -1.0f), 1);
    assert_float_equal(length_of(f, cost, 1.0f), 0.0f, 0.0f);
    assert_float_equal(length_of(f, charges, 3.499999f), 4.0f, 0.0f); // the guard
    assert_float_equal(length_of(f, charges, 3.4999f), 3.0f, 0.0f);
}

// What is refused --------------------------------------------------------------------------

// MAP-011
static void the_combat_profile_refuses_operations_it_does_not_have(void **state)
{
    fixture *f = *state;
    declare_all(f);
    static const kn_op refused[] = {KN_OP_DIVIDE, KN_OP_DIVIDE_ADDITIVE, KN_OP_DIVIDE_COMPOUND,
        KN_OP_OVERRIDE, KN_OP_ADD_FINAL};
    kn_effect_type_id type;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        kn_modifier_def modifier = modifier_on(f->cast, refused[i], 2.0f);
        assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
        modifier.value = (kn_value_id){0};
        modifier.attribute = f->stored_combat;
        assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
        modifier.attribute = f->stored_gas;
        assert_int_equal(try_effect(f, &modifier, 1, &type), KN_OK);
    }
}

// MODF-018
static void modifiers_that_are_not_numbers_are_refused_at_registration(void **state)
{
    fixture *f = *state;
    declare_all(f);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    kn_effect_type_id type;
    for (uint32_t i = 0; i < 3; i++) {
        kn_modifier_def modifier = modifier_on(f->cast, KN_OP_ADD, bad[i]);
        kn_result result = try_effect(f, &modifier, 1, &type);
        assert_true(result == KN_ERROR_BAD_DATA || result == KN_REFUSED_BAD_NUMBER);
    }
    kn_modifier_def zero = modifier_on(f->gas, KN_OP_DIVIDE, 1e-7f);
    assert_int_not_equal(try_effect(f, &zero, 1, &type), KN_OK);
    kn_modifier_def neither = modifier_on((kn_value_id){0}, KN_OP_ADD, 1.0f);
    assert_int_equal(try_effect(f, &neither, 1, &type), KN_ERROR_BAD_DATA);
    kn_modifier_def both = modifier_on(f->cast, KN_OP_ADD, 1.0f);
    both.attribute = f->haste;
    assert_int_equal(try_effect(f, &both, 1, &type), KN_ERROR_BAD_DATA);
}

// MODF-011, CMOD-007, MAP-016, MAP-076
static void cached_values_accept_no_conditions(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    def.name = "ChargeCost";
    def.context_free = true;
    kn_value_id cost;
    assert_int_equal(kn_value_register(f->library, &def, &cost, NULL), KN_OK);
    kn_condition_id condition = condition_of(f, "ByAmount", by_amount);
    kn_effect_type_id type;
    kn_modifier_def modifier = modifier_on(cost, KN_OP_ADD, 1.0f);
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_OK);
    modifier.condition = condition;
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    modifier.condition = (kn_condition_id){0};
    modifier.event.required = (kn_tags){&f->fire, 1};
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    // Nor do attributes of either profile; tags of source and target are legal there.
    modifier.value = (kn_value_id){0};
    modifier.attribute = f->haste;
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    modifier.attribute = f->stored_gas;
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    modifier.event = (kn_tag_requirement){0};
    modifier.condition = condition;
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    modifier.attribute = f->haste;
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_ERROR_BAD_DATA);
    modifier.condition = (kn_condition_id){0};
    modifier.target.required = (kn_tags){&f->fire, 1};
    assert_int_equal(try_effect(f, &modifier, 1, &type), KN_OK);
}

// Profiles, stacks, lifetimes -----------------------------------------------------------------

// MAP-012
static void one_effect_feeds_values_of_both_profiles(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_modifier_def modifiers[] = {
        modifier_on(f->cast, KN_OP_MULTIPLY, 1.5f), modifier_on(f->gas, KN_OP_MULTIPLY, 1.5f)};
    apply_stacks(f, f->hero, effect_make(f, modifiers, 2), 1);
    apply_stacks(f, f->hero, effect_make(f, modifiers, 2), 1);
    assert_near(length_of(f, f->cast, 100.0f), 225.0f);
    assert_near(length_of(f, f->gas, 100.0f), 200.0f);
}

// MAP-014
static void magnitudes_of_every_source_serve_transient_values(void **state)
{
    fixture *f = *state;
    declare_all(f);
    const kn_curve_point points[] = {{1.0f, 1.0f}, {2.0f, 3.0f}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Growth";
    curve_def.points = points;
    curve_def.point_count = 2;
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_calculation_def calculation_def = kn_calculation_def_default();
    calculation_def.name = "Twice";
    calculation_def.expression = "2 * target.Stats.Power";
    kn_calculation_id calculation;
    assert_int_equal(
        kn_calculation_register(f->library, &calculation_def, &calculation, NULL), KN_OK);
    begin(f);
    kn_modifier_def modifiers[] = {modifier_on(f->cast, KN_OP_ADD, 0.0f),
        modifier_on(f->gas, KN_OP_ADD, 0.0f), modifier_on(f->incoming, KN_OP_ADD, 0.0f),
        modifier_on(f->outgoing, KN_OP_ADD, 0.0f)};
    modifiers[0].magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_TARGET, false, 0.5f);
    modifiers[1].magnitude = kn_magnitude_set_by_caller(f->amount);
    modifiers[2].magnitude = kn_magnitude_by_level(4.0f, curve);
    modifiers[3].magnitude = kn_magnitude_calculation(calculation);
    kn_caller_value value = {f->amount, 8.0f};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = effect_make(f, modifiers, 4);
    apply.target = f->hero;
    apply.level = 2.0f;
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    assert_near(length_of(f, f->cast, 1.0f), 21.0f);
    assert_near(length_of(f, f->gas, 1.0f), 9.0f);
    assert_near(length_of(f, f->incoming, 1.0f), 13.0f);
    assert_near(length_of(f, f->outgoing, 1.0f), 81.0f);
    set_base(f, f->hero, f->power, 10.0f);
    assert_near(length_of(f, f->cast, 1.0f), 6.0f);
    assert_near(length_of(f, f->outgoing, 1.0f), 21.0f);
}

// SAIV-141, MODF-002, MODF-014, MAP-011
static void stacking_is_a_property_of_the_modifier(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_modifier_def modifiers[] = {
        modifier_on(f->cast, KN_OP_ADD, 0.5f), modifier_on(f->cast, KN_OP_MULTIPLY, 0.9f)};
    modifiers[0].scaling = KN_STACK_SCALING_YES; // the other follows the profile: no
    kn_effect_id effect = apply_stacks(f, f->hero, effect_make(f, modifiers, 2), 3);
    assert_near(length_of(f, f->cast, 5.0f), 5.85f);
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 1), KN_OK);
    assert_near(length_of(f, f->cast, 5.0f), 4.95f);
    // In the gas profile all modifiers of a stack scale unless they say no.
    kn_modifier_def gas[] = {
        modifier_on(f->gas, KN_OP_ADD, 1.0f), modifier_on(f->gas, KN_OP_ADD, 100.0f)};
    gas[1].scaling = KN_STACK_SCALING_NO;
    apply_stacks(f, f->hero, effect_make(f, gas, 2), 3);
    assert_near(length_of(f, f->gas, 0.0f), 103.0f);
}

// MODF-014
static void a_changed_stack_count_re_evaluates_what_is_stored(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_modifier_def modifier = kn_modifier_constant(f->haste, KN_OP_ADD, 0.1f);
    modifier.scaling = KN_STACK_SCALING_YES;
    kn_effect_id effect = apply_stacks(f, f->hero, effect_make(f, &modifier, 1), 2);
    assert_near(kn_attribute_value(f->world, f->hero, f->haste), 1.2f);
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 5), KN_OK);
    assert_near(kn_attribute_value(f->world, f->hero, f->haste), 1.5f);
    assert_int_equal(kn_effect_remove(f->world, effect, 4, KN_REMOVED_BY_CALL), KN_OK);
    assert_near(kn_attribute_value(f->world, f->hero, f->haste), 1.1f);
    remove_effect(f, effect);
    assert_near(kn_attribute_value(f->world, f->hero, f->haste), 1.0f);
}

// MODF-015
static void a_length_is_evaluated_when_its_timer_starts(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Channel";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_TARGET, false, 0.1f);
    kn_effect_type_id channel = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply_stacks(f, f->hero, channel, 0);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(4));
    set_base(f, f->hero, f->power, 100.0f);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(4));
    assert_int_equal(
        kn_effect_set_remaining(f->world, effect, KN_S(1)), KN_OK); // the explicit call
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(1));
}

static void entries_leave_with_their_source(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_entity_id caster = entity_create(f);
    kn_modifier_def modifiers[] = {modifier_on(f->cast, KN_OP_ADD, 1.0f),
        kn_modifier_constant(f->haste, KN_OP_ADD, 0.5f), modifier_on(f->gas, KN_OP_ADD, 2.0f)};
    kn_effect_type_id types[] = {effect_make(f, modifiers, 3), effect_make(f, modifiers, 3)};
    assert_int_equal(
        kn_effect_apply_simple(f->world, types[0], caster, f->hero, 1.0f, NULL), KN_OK);
    assert_int_equal(
        kn_effect_apply_simple(f->world, types[1], f->hero, f->hero, 1.0f, NULL), KN_OK);
    assert_near(length_of(f, f->cast, 1.0f), 3.0f);
    assert_int_equal(kn_world_get_stats(f->world).modifiers, 6);
    kn_effect_query by_source = kn_effect_query_default();
    by_source.source = caster;
    uint32_t removed = 0;
    assert_int_equal(
        kn_effects_remove(f->world, f->hero, &by_source, 0, KN_REMOVED_BY_CALL, &removed), KN_OK);
    assert_int_equal(removed, 1);
    assert_near(length_of(f, f->cast, 1.0f), 2.0f);
    assert_near(length_of(f, f->gas, 1.0f), 3.0f);
    assert_near(kn_attribute_value(f->world, f->hero, f->haste), 1.5f);
    assert_int_equal(kn_world_get_stats(f->world).modifiers, 3);
}

// MODF-017
static void equal_lists_give_equal_bits_in_every_world(void **state)
{
    fixture *f = *state;
    declare_all(f);
    // Another order gives other bits.
    static const float factors[] = {1.12f, 1.82f, 1.22f, 1.03f, 0.73f, 1.18f};
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        kn_modifier_def modifier = modifier_on(f->cast, KN_OP_MULTIPLY, factors[i]);
        types[i] = effect_make(f, &modifier, 1);
    }
    begin(f);
    kn_world *other = world_of(f, kn_world_def_default());
    kn_entity_id twin;
    assert_int_equal(kn_entity_create(other, &twin), KN_OK);
    kn_effect_id first = {0};
    for (uint32_t i = 0; i < 6; i++) {
        kn_effect_id effect = apply_stacks(f, f->hero, types[i], 1);
        first = i == 0 ? effect : first;
        assert_int_equal(kn_effect_apply_simple(other, types[i], twin, twin, 1.0f, NULL), KN_OK);
    }
    float here = length_of(f, f->cast, 3.3f);
    float there = kn_value_evaluate(other, twin, f->cast, 3.3f, NULL, false);
    assert_memory_equal(&here, &there, sizeof here);
    // In order of creation: a plain loop gives the same bits.
    float product = 1.0f;
    for (uint32_t i = 0; i < 6; i++) {
        product *= factors[i];
    }
    float backwards = 1.0f, moved = 1.0f;
    for (uint32_t i = 0; i < 6; i++) {
        backwards *= factors[5 - i];
        moved *= factors[(i + 1) % 6];
    }
    assert_true(here == 3.3f * product);
    assert_true(product != backwards && product != moved);
    // What goes and comes again is the last, wherever it is kept.
    remove_effect(f, first);
    apply_stacks(f, f->hero, types[0], 1);
    assert_true(length_of(f, f->cast, 3.3f) == 3.3f * moved);
    kn_world_destroy(other);
}

// Stats and buffs -------------------------------------------------------------------------------

// SAIV-130, SAIV-131, MAP-020
static void a_stat_is_an_attribute_of_the_combat_profile(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_attribute_def defs[] = {profiled("Clamped", 1.0f, kn_value_profile_combat()),
        profiled("Open", 1.0f, kn_value_profile_combat()),
        profiled("Fixed", 1.0f, kn_value_profile_combat())};
    defs[0].min = kn_limit_constant(0.5f);
    defs[0].max = kn_limit_constant(1.5f);
    defs[1].sync = KN_SYNC_NONE;
    defs[2].is_static = true;
    kn_attribute_set_id set = set_register(f, "Stat", defs, 3);
    kn_attribute_id clamped = kn_attribute_find(f->library, "Stat.Clamped");
    kn_attribute_id open = kn_attribute_find(f->library, "Stat.Open");
    kn_attribute_id fixed = kn_attribute_find(f->library, "Stat.Fixed");
    assert_int_equal(kn_attribute_get_def(f->library, clamped)->sync, KN_SYNC_ALL);
    assert_int_equal(kn_attribute_get_def(f->library, open)->sync, KN_SYNC_NONE);
    kn_modifier_def on_fixed = kn_modifier_constant(fixed, KN_OP_ADD, 1.0f);
    kn_effect_type_id type;
    assert_int_equal(try_effect(f, &on_fixed, 1, &type), KN_ERROR_BAD_DATA);
    begin(f);
    add_set(f, f->hero, set);
    static const sum sums[] = {
        {1.0f, {{'x', 1.1f, 3, true}}, 1.3f, 0.0f},
        {1.0f, {{'+', 0.4f, 1, true}, {'x', 1.2f, 1, true}}, 1.5f, 0.0f},
        {1.0f, {{'x', 0.2f, 1, true}}, 0.5f, 0.0f},
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        kn_effect_id effects[4];
        uint32_t count = put_parts(f, sums[i].parts, (kn_value_id){0}, clamped, effects);
        assert_near(kn_attribute_value(f->world, f->hero, clamped), sums[i].combat);
        drop_parts(f, effects, count);
    }
    kn_modifier_def minus = kn_modifier_constant(open, KN_OP_ADD, -2.0f);
    buff(f, minus, 1);
    assert_near(kn_attribute_value(f->world, f->hero, open), 0.0f);
    assert_int_not_equal(kn_attribute_set_base(f->world, f->hero, fixed, 0, 9.0f), KN_OK);
    assert_near(kn_attribute_value(f->world, f->hero, fixed), 1.0f);
}

// SAIV-140, MAP-030
static void a_buff_stacks_per_source_and_restarts_its_time(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_effect_def def = timed("Sunder", 5.0f);
    def.stacking.kind = KN_STACK_BY_SOURCE;
    def.stacking.limit = kn_constant(3.0f);
    kn_effect_type_id sunder = effect_register(f, &def);
    begin(f);
    kn_entity_id a = entity_create(f), b = entity_create(f);
    static const uint32_t expected[] = {1, 2, 3, 3};
    kn_effect_id first = {0}, second = {0};
    for (uint32_t i = 0; i < 4; i++) {
        kn_effect_id effect;
        assert_int_equal(
            kn_effect_apply_simple(f->world, sunder, a, f->hero, 1.0f, &effect), KN_OK);
        assert_int_equal(kn_effect_stacks(f->world, effect), expected[i]);
        assert_true(i == 0 || kn_effect_id_equal(effect, first));
        first = effect;
        if (i < 3) {
            step(f, KN_S(2));
        }
    }
    assert_int_equal(kn_effect_apply_simple(f->world, sunder, b, f->hero, 1.0f, &second), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, second), 1);
    assert_int_equal(kn_effect_stacks(f->world, first), 3); // separate
    assert_int_equal(kn_effects_count(f->world, f->hero), 2);
    step(f, KN_S(2));
    assert_int_equal(kn_effect_apply_simple(f->world, sunder, b, f->hero, 1.0f, &second), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, second), 2);
    step(f, KN_S(3) - 1);
    assert_true(kn_effect_is_alive(f->world, first));
    step(f, 1); // 11 s
    assert_int_equal(kn_world_now(f->world), KN_S(11));
    assert_false(kn_effect_is_alive(f->world, first));
    assert_true(kn_effect_is_alive(f->world, second)); // that one began again at 8 s
    step(f, KN_S(2));
    assert_false(kn_effect_is_alive(f->world, second));
}

// Bad input ---------------------------------------------------------------------------------------

static void bad_values_and_entities_evaluate_to_something_harmless(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    buff(f, modifier_on(f->cast, KN_OP_ADD, 1.0f), 1);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    assert_near(kn_value_evaluate(f->world, gone, f->cast, 5.0f, NULL, false), 5.0f);
    assert_near(kn_value_evaluate(f->world, (kn_entity_id){0}, f->cast, -5.0f, NULL, false), 0.0f);
    kn_assert_set_handler(ignore_assert);
    assert_true(length_of(f, (kn_value_id){0}, 5.0f) == 0.0f);
    assert_true(length_of(f, (kn_value_id){1000}, 5.0f) == 0.0f);
    assert_true(isfinite(length_of(f, f->cast, NAN)));
    assert_true(isfinite(length_of(f, f->cast, INFINITY)));
    kn_assert_set_handler(NULL);
    assert_string_equal(kn_value_name(f->library, (kn_value_id){0}), "");
    assert_int_equal(kn_value_find(f->library, "Nothing").index1, 0);
    assert_int_equal(kn_value_find(f->library, "CastLength").index1, f->cast.index1);
}

typedef struct adjusting {
    fixture *f;
    float add;
    uint32_t calls;
    const kn_event_record *record;
} adjusting;

static float adjust(void *user, const kn_world *world, kn_entity_id entity,
    const kn_event_record *record, float value)
{
    adjusting *a = user;
    assert_ptr_equal(world, a->f->world);
    assert_true(kn_entity_id_equal(entity, a->f->hero));
    a->calls++;
    a->record = record;
    return value + a->add;
}

static void a_function_adjusts_the_result_before_limits_and_rounding(void **state)
{
    fixture *f = *state;
    declare_all(f);
    adjusting a = {.f = f, .add = 1.25f};
    kn_value_def def = kn_value_def_default();
    def.name = "Adjusted";
    def.has_max = true;
    def.max = 20.0f;
    def.rounding = KN_ROUND_DOWN;
    def.adjust = adjust;
    def.user = &a;
    kn_value_id adjusted;
    assert_int_equal(kn_value_register(f->library, &def, &adjusted, NULL), KN_OK);
    begin(f);
    buff(f, modifier_on(adjusted, KN_OP_MULTIPLY, 2.0f), 1);
    kn_event_record record = kn_event_record_default();
    assert_true(kn_value_evaluate(f->world, f->hero, adjusted, 4.0f, &record, false) == 9.0f);
    assert_ptr_equal(a.record, &record);
    assert_true(length_of(f, adjusted, 9.5f) == 20.0f);
    assert_int_equal(a.calls, 2);
    // Neither for a static value nor for an entity that is gone.
    assert_true(kn_value_evaluate(f->world, f->hero, adjusted, 4.0f, NULL, true) == 4.0f);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    assert_true(kn_value_evaluate(f->world, gone, adjusted, 4.0f, NULL, false) == 4.0f);
    assert_int_equal(a.calls, 2);
    // A line of its own, even if it changes nothing.
    kn_explain_line lines[8];
    assert_int_equal(kn_value_explain(f->world, f->hero, adjusted, 4.0f, NULL, lines, 8), 4);
    assert_int_equal(lines[2].kind, KN_EXPLAIN_ADJUST);
    assert_true(lines[2].delta == 1.25f && lines[2].result == 9.25f);
    assert_int_equal(lines[3].kind, KN_EXPLAIN_ROUNDING);
    char text[512];
    (void)kn_value_explain_text(f->world, f->hero, adjusted, 4.0f, NULL, text, sizeof(text));
    assert_non_null(strstr(text, "function of the value"));
    a.add = 0.0f;
    assert_int_equal(kn_value_explain(f->world, f->hero, adjusted, 4.0f, NULL, lines, 8), 3);
    assert_int_equal(lines[2].kind, KN_EXPLAIN_ADJUST);
    // What is not a number counts as unchanged and is reported once.
    a.add = NAN;
    uint32_t before = f->log_count;
    assert_true(length_of(f, adjusted, 4.0f) == 8.0f);
    a.add = INFINITY;
    assert_true(length_of(f, adjusted, 4.0f) == 8.0f);
    assert_int_equal(f->log_count, before + 1);
}

static void an_overflowing_value_is_still_a_number(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    buff(f, modifier_on(f->cast, KN_OP_MULTIPLY, 3e38f), 1);
    assert_true(isfinite(length_of(f, f->cast, 3e38f)));
    // An event whose magnitude cannot be computed is refused.
    buff(f, modifier_on(f->incoming, KN_OP_MULTIPLY, 3e38f), 1);
    kn_event_record record = kn_event_record_default();
    record.kind = f->damage_event;
    record.target = f->hero;
    record.magnitude = 3e38f;
    kn_event_outcome outcome;
    kn_result result = kn_event_run(f->world, &record, &outcome);
    assert_true(result == KN_REFUSED_BAD_NUMBER || isfinite(outcome.magnitude));
}

static void bad_value_declarations_are_refused(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_value_def def = kn_value_def_default();
    kn_value_id value;
    kn_error error;
    def.name = "CastLength";
    assert_int_equal(kn_value_register(f->library, &def, &value, &error), KN_REFUSED_DUPLICATE);
    def.name = "Crossed";
    def.has_min = def.has_max = true;
    def.min = 2.0f;
    def.max = 1.0f;
    assert_int_equal(kn_value_register(f->library, &def, &value, &error), KN_ERROR_BAD_DATA);
    def.max = NAN;
    assert_int_not_equal(kn_value_register(f->library, &def, &value, &error), KN_OK);
    assert_int_equal(value.index1, 0);
    kn_assert_set_handler(ignore_assert);
    def = kn_value_def_default();
    assert_int_not_equal(kn_value_register(f->library, &def, &value, &error), KN_OK);
    kn_value_def raw = {.name = "Raw"};
    assert_int_equal(
        kn_value_register(f->library, &raw, &value, &error), KN_ERROR_INVALID_ARGUMENT);
    kn_condition_id condition;
    assert_int_not_equal(
        kn_condition_register(f->library, "None", NULL, NULL, &condition, &error), KN_OK);
    kn_policy_id policy;
    assert_int_not_equal(
        kn_policy_register(f->library, "None", NULL, NULL, &policy, &error), KN_OK);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(a_combat_value_is_the_sum_times_the_product_and_never_negative),
    TEST(a_source_without_stacks_contributes_nothing),
    TEST(the_same_modifiers_give_each_profile_its_own_result),
    TEST(stored_values_use_the_same_evaluator_as_transient_ones),
    TEST(the_stages_follow_each_other_in_one_order),
    TEST(the_sum_is_clamped_before_a_negative_factor_can_turn_it),
    TEST(the_product_is_clamped_before_the_final_addition),
    TEST(each_factor_of_a_product_is_clamped_by_itself),
    TEST(a_stat_joins_a_calculation_as_one_factor),
    TEST(a_static_value_ignores_modifiers_but_not_limits),
    TEST(whole_numbers_are_rounded_after_the_arithmetic),
    TEST(the_combat_profile_refuses_operations_it_does_not_have),
    TEST(modifiers_that_are_not_numbers_are_refused_at_registration),
    TEST(cached_values_accept_no_conditions),
    TEST(one_effect_feeds_values_of_both_profiles),
    TEST(magnitudes_of_every_source_serve_transient_values),
    TEST(stacking_is_a_property_of_the_modifier),
    TEST(a_changed_stack_count_re_evaluates_what_is_stored),
    TEST(a_length_is_evaluated_when_its_timer_starts),
    TEST(entries_leave_with_their_source),
    TEST(equal_lists_give_equal_bits_in_every_world),
    TEST(a_stat_is_an_attribute_of_the_combat_profile),
    TEST(a_buff_stacks_per_source_and_restarts_its_time),
    TEST(bad_values_and_entities_evaluate_to_something_harmless),
    TEST(a_function_adjusts_the_result_before_limits_and_rounding),
    TEST(an_overflowing_value_is_still_a_number),
    TEST(bad_value_declarations_are_refused),
};

TEST_GROUP(combat_values, tests, NULL, NULL);
