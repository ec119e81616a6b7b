// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Modifiers: the operations, how several combine on one attribute, channels, stacks, and what
// executing one does to a base value.

#include "scenario/effect_fixture.h"

static kn_effect_type_id modifier_of(fixture *f, kn_op op, float magnitude)
{
    static uint32_t number; // a name for each
    char name[32];
    snprintf(name, sizeof(name), "Modifier%u", number++);
    return simple(f, name, KN_DURATION_INFINITE, f->speed, op, magnitude);
}

// Operations ------------------------------------------------------------------

// MOD-001, MOD-003: one modifier is one operation on one attribute.
static void each_operation_changes_its_own_attribute_only(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[] = {
        modifier_of(f, KN_OP_ADD, -50),
        modifier_of(f, KN_OP_MULTIPLY, 1.5f),
        modifier_of(f, KN_OP_DIVIDE, 4),
        modifier_of(f, KN_OP_OVERRIDE, 42),
    };
    const float expected[] = {550, 900, 150, 42};
    begin(f);

    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_effect_id effect = apply(f, types[i]);
        assert_near(current(f, f->speed), expected[i]);
        assert_near(base(f, f->speed), 600);
        assert_near(current(f, f->health), 100);
        remove_effect(f, effect);
        assert_near(current(f, f->speed), 600);
    }
}

// MOD-001: an effect has zero or more modifiers.
static void effect_may_have_no_modifier_or_several(void **state)
{
    fixture *f = *state;
    kn_effect_def bare = effect_def("Bare", KN_DURATION_INFINITE, NULL, 0);
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 50),
        kn_modifier_constant(f->armor, KN_OP_MULTIPLY, 3),
        kn_modifier_constant(f->speed, KN_OP_ADD, 7),
    };
    kn_effect_def many = effect_def("Many", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id bare_type = effect_register(f, &bare);
    kn_effect_type_id many_type = effect_register(f, &many);
    begin(f);

    kn_effect_id effect = apply(f, bare_type);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->speed), 600);

    apply(f, many_type);
    assert_near(current(f, f->speed), 657);
    assert_near(current(f, f->armor), 15);
}

// MOD-004: ((Base + Add) * Multiply / Divide * MultiplyCompound / DivideCompound) + AddFinal.
static void all_operations_combine_in_the_stated_order(void **state)
{
    fixture *f = *state;
    // Applied in an order that is not the order of evaluation.
    kn_effect_type_id types[] = {
        modifier_of(f, KN_OP_ADD_FINAL, 7),
        modifier_of(f, KN_OP_DIVIDE_COMPOUND, 5),
        modifier_of(f, KN_OP_MULTIPLY_COMPOUND, 3),
        modifier_of(f, KN_OP_DIVIDE_ADDITIVE, 4),
        modifier_of(f, KN_OP_MULTIPLY_ADDITIVE, 1.5f),
        modifier_of(f, KN_OP_ADD, 20),
    };
    begin(f);
    set_base(f, f->foe, f->speed, 100);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(f, types[i]);
    }

    assert_near(current(f, f->speed), (100.0f + 20) * 1.5f / 4 * 3 / 5 + 7);
}

// MOD-004: the four old names mean the additive forms.
static void plain_names_are_the_additive_forms(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[] = {
        modifier_of(f, KN_OP_MULTIPLY, 1.5f),
        modifier_of(f, KN_OP_MULTIPLY_ADDITIVE, 1.5f),
        modifier_of(f, KN_OP_DIVIDE, 2),
        modifier_of(f, KN_OP_DIVIDE_ADDITIVE, 2),
    };
    begin(f);
    set_base(f, f->foe, f->speed, 90);
    for (uint32_t i = 0; i < COUNT(types); i++) {
        apply(f, types[i]);
    }

    assert_near(current(f, f->speed), 90 * 2.0f / 3);
}

// MOD-005, MOD-020: a percentage acts on the sum, whenever it was applied.
static void multiply_takes_effect_after_addition(void **state)
{
    fixture *f = *state;
    kn_effect_type_id percent = modifier_of(f, KN_OP_MULTIPLY, 1.1f);
    kn_effect_type_id flat = modifier_of(f, KN_OP_ADD, 100);
    begin(f);

    apply(f, percent);
    assert_near(current(f, f->speed), 660);
    apply(f, flat);

    assert_near(current(f, f->speed), 770);
}

// Division --------------------------------------------------------------------

// MOD-027: a divisor of almost zero is refused in data.
static void constant_divisor_near_zero_is_refused_at_registration(void **state)
{
    fixture *f = *state;
    const float divisors[] = {0.0f, 5e-7f, -5e-7f};
    const kn_op ops[] = {KN_OP_DIVIDE, KN_OP_DIVIDE_ADDITIVE, KN_OP_DIVIDE_COMPOUND};
    for (uint32_t i = 0; i < COUNT(divisors); i++) {
        for (uint32_t j = 0; j < COUNT(ops); j++) {
            kn_modifier_def modifier = kn_modifier_constant(f->speed, ops[j], divisors[i]);
            kn_effect_def def = effect_def("Divide", KN_DURATION_INFINITE, &modifier, 1);
            assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
        }
    }
}

// MOD-017, MOD-027: and, where it is computed, at application.
static void computed_divisor_near_zero_is_refused_at_application(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Divisor");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->speed;
    modifier.op = KN_OP_DIVIDE;
    modifier.magnitude = kn_magnitude_set_by_caller(key);
    kn_effect_def def = effect_def("Divide", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    def.name = "DivideNow";
    def.duration_kind = KN_DURATION_INSTANT;
    kn_effect_type_id instant = effect_register(f, &def);
    begin(f);
    const kn_effect_type_id types[] = {type, instant};

    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_caller_value value = {key, 0.0f};
        kn_effect_apply_def apply_def = from_hero(f, types[i]);
        apply_def.caller_values = &value;
        apply_def.caller_value_count = 1;
        kn_effect_id effect = {77, 77};
        assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_REFUSED_BAD_NUMBER);
        assert_true(kn_effect_id_is_null(effect));
        value.value = 1e-7f;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_REFUSED_BAD_NUMBER);
    }
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// MOD-027: a sum of divisors that reaches zero is skipped and reported once.
static void sum_of_divisors_near_zero_is_skipped_and_reported(void **state)
{
    fixture *f = *state;
    kn_effect_type_id half = modifier_of(f, KN_OP_DIVIDE, 0.5f);
    kn_effect_type_id add = modifier_of(f, KN_OP_ADD, 1);
    begin(f);

    apply(f, half);
    kn_effect_id second = apply(f, half);
    step(f, 0);

    assert_near(current(f, f->speed), 600);
    assert_int_equal(event_count(f, KN_EVENT_ERROR), 1);
    assert_int_equal(first_event(f, KN_EVENT_ERROR)->data.error.attribute.index1, f->speed.index1);

    apply(f, add);
    step(f, 0);
    assert_near(current(f, f->speed), 601);
    assert_int_equal(event_count(f, KN_EVENT_ERROR), 0);
    remove_effect(f, second);
    assert_near(current(f, f->speed), 1202);
}

// Override --------------------------------------------------------------------

// TVE-019, MOD-021
static void override_replaces_the_result_of_everything_else(void **state)
{
    fixture *f = *state;
    kn_effect_type_id add = modifier_of(f, KN_OP_ADD, 50);
    kn_effect_type_id override = modifier_of(f, KN_OP_OVERRIDE, 42);
    kn_effect_type_id multiply = modifier_of(f, KN_OP_MULTIPLY, 2);
    begin(f);
    set_base(f, f->foe, f->speed, 100);

    apply(f, add);
    apply(f, override);
    apply(f, multiply);

    assert_near(current(f, f->speed), 42);
}

// TVE-020, MOD-021
static void last_applied_override_wins_until_it_ends(void **state)
{
    fixture *f = *state;
    kn_effect_type_id first = modifier_of(f, KN_OP_OVERRIDE, 42);
    kn_effect_type_id second = modifier_of(f, KN_OP_OVERRIDE, 7);
    begin(f);
    set_base(f, f->foe, f->speed, 100);

    kn_effect_id first_effect = apply(f, first);
    assert_near(current(f, f->speed), 42);
    kn_effect_id second_effect = apply(f, second);
    assert_near(current(f, f->speed), 7);
    remove_effect(f, second_effect);
    assert_near(current(f, f->speed), 42);
    remove_effect(f, first_effect);
    assert_near(current(f, f->speed), 100);
}

// AMBE-001: an explicit priority beats the order of application, which decides among equals.
static void override_of_higher_priority_wins_over_a_later_one(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_OVERRIDE, 42);
    modifier.priority = 5;
    kn_effect_def def = effect_def("Strong", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id strong = effect_register(f, &def);
    modifier.magnitude = kn_magnitude_constant(43);
    def.name = "Equal";
    kn_effect_type_id equal = effect_register(f, &def);
    kn_effect_type_id weak = modifier_of(f, KN_OP_OVERRIDE, 7);
    begin(f);

    kn_effect_id effect = apply(f, strong);
    apply(f, weak);
    assert_near(current(f, f->speed), 42);
    kn_effect_id later = apply(f, equal);
    assert_near(current(f, f->speed), 43);
    remove_effect(f, later);
    assert_near(current(f, f->speed), 42);
    remove_effect(f, effect);

    assert_near(current(f, f->speed), 7);
}

// Qualification -----------------------------------------------------------------

// MOD-023: modifiers that do not qualify stay, and are explained.
static void only_qualifying_modifiers_take_part(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 2);
    modifier.target.required = one(&wet);
    modifier.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    kn_effect_def def = effect_def("Conductor", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id conditional = effect_register(f, &def);
    kn_effect_type_id plain = modifier_of(f, KN_OP_MULTIPLY, 1.5f);
    begin(f);

    apply(f, conditional);
    apply(f, plain);
    assert_near(current(f, f->speed), 900);

    kn_explain_line lines[8];
    uint32_t count = kn_attribute_explain(f->world, f->foe, f->speed, 0, lines, COUNT(lines));
    assert_in_range(count, 3, COUNT(lines));
    assert_true(lines[count - 1].result == current(f, f->speed));
    uint32_t without = 0;
    for (uint32_t i = 0; i < count; i++) {
        without += lines[i].kind == KN_EXPLAIN_MODIFIER &&
                   lines[i].qualification == KN_QUALIFICATION_REQUIREMENT;
    }
    assert_int_equal(without, 1);

    add_tag(f, f->foe, wet);
    assert_near(current(f, f->speed), 1500);
}

// Channels --------------------------------------------------------------------

// MOD-028: the result of one channel is the base of the next.
static void channel_starts_from_the_result_of_the_one_before(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 10),
        kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 2),
        kn_modifier_constant(f->speed, KN_OP_ADD, 5),
        kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 3),
    };
    modifiers[0].channel = 1;
    modifiers[1].channel = 0;
    modifiers[2].channel = 0;
    modifiers[3].channel = KN_CHANNEL_MAX;
    kn_effect_def def = effect_def("Layers", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    set_base(f, f->foe, f->speed, 100);

    apply(f, type);

    assert_near(current(f, f->speed), (((100.0f + 5) * 2) + 10) * 3);
}

// MOD-028: an Override of a low channel is only the base of the next.
static void override_in_a_low_channel_is_the_base_of_the_next(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->speed, KN_OP_OVERRIDE, 10),
        kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 3),
    };
    modifiers[1].channel = 1;
    kn_effect_def def = effect_def("Layers", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);

    assert_near(current(f, f->speed), 30);
}

// MOD-028
static void channel_beyond_the_last_is_refused(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 10);
    modifier.channel = KN_CHANNEL_MAX + 1;
    kn_effect_def def = effect_def("Beyond", KN_DURATION_INFINITE, &modifier, 1);

    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
}

// Stacks ----------------------------------------------------------------------

// MOD-029, TVE-115: Add m x n, factors 1 + (m - 1) x n, Override as it is.
static void stack_count_scales_magnitudes(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name;
        kn_op op;
        float magnitude;
        float expected; // of base 100 at three stacks
    } cases[] = {
        {"Add", KN_OP_ADD, 10, 130},
        {"Multiply", KN_OP_MULTIPLY, 1.1f, 130},
        {"Divide", KN_OP_DIVIDE, 2, 25},
        {"Compound", KN_OP_MULTIPLY_COMPOUND, 1.1f, 130},
        {"Final", KN_OP_ADD_FINAL, 10, 130},
        {"Override", KN_OP_OVERRIDE, 42, 42},
    };
    kn_effect_type_id types[COUNT(cases)];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->speed, cases[i].op, cases[i].magnitude);
        kn_effect_def def = effect_def(cases[i].name, KN_DURATION_INFINITE, &modifier, 1);
        def.stacking.kind = KN_STACK_BY_TARGET;
        types[i] = effect_register(f, &def);
    }
    begin(f);
    set_base(f, f->foe, f->speed, 100);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_id effect = apply(f, types[i]);
        apply(f, types[i]);
        apply(f, types[i]);
        assert_int_equal(kn_effect_stacks(f->world, effect), 3);
        assert_near(current(f, f->speed), cases[i].expected);
        remove_effect(f, effect);
    }
    assert_near(current(f, f->speed), 100);
}

// MOD-029: a modifier may say that it does not scale, or scales by a table.
static void modifier_chooses_how_stacks_scale_it(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 5}, {3, 7}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "PerStack";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 10),
        kn_modifier_constant(f->armor, KN_OP_ADD, 10),
    };
    modifiers[0].scaling = KN_STACK_SCALING_NO;
    modifiers[1].stack_curve = curve;
    kn_effect_def def = effect_def("Stacks", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    apply(f, type);

    assert_near(current(f, f->speed), 610);
    assert_near(current(f, f->armor), 55);
    assert_near(kn_effect_magnitude(f->world, effect, 1), 50);
}

// Executing ---------------------------------------------------------------------

// MOD-030, TVE-093: executed, an operation acts directly on the base.
static void executed_modifier_changes_the_base_directly(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name;
        kn_op op;
        float magnitude;
        float expected; // of base 100
    } cases[] = {
        {"Add", KN_OP_ADD, -30, 70},
        {"Multiply", KN_OP_MULTIPLY, 1.5f, 150},
        {"Divide", KN_OP_DIVIDE, 4, 25},
        {"MultiplyCompound", KN_OP_MULTIPLY_COMPOUND, 1.5f, 150},
        {"DivideCompound", KN_OP_DIVIDE_COMPOUND, 4, 25},
        {"AddFinal", KN_OP_ADD_FINAL, 5, 105},
        {"Override", KN_OP_OVERRIDE, 42, 42},
    };
    kn_effect_type_id types[COUNT(cases)];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        types[i] = simple(
            f, cases[i].name, KN_DURATION_INSTANT, f->health, cases[i].op, cases[i].magnitude);
    }
    begin(f);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        set_base(f, f->foe, f->health, 100);
        kn_effect_id effect = apply(f, types[i]);
        assert_true(kn_effect_id_is_null(effect));
        assert_near(base(f, f->health), cases[i].expected);
        assert_near(current(f, f->health), cases[i].expected);
    }
}

// MOD-030: the base is changed, not the value the modifiers make of it.
static void executed_factor_ignores_lasting_modifiers(void **state)
{
    fixture *f = *state;
    kn_effect_type_id bonus = simple(f, "Bonus", KN_DURATION_INFINITE, f->health, KN_OP_ADD, 50);
    kn_effect_type_id twice = simple(f, "Twice", KN_DURATION_INSTANT, f->health, KN_OP_MULTIPLY, 2);
    begin(f);

    apply(f, bonus);
    apply(f, twice);

    assert_near(base(f, f->health), 200);
    assert_near(current(f, f->health), 250);
}

// MOD-030: in the order of the definition.
static void executed_modifiers_act_one_after_the_other(void **state)
{
    fixture *f = *state;
    kn_modifier_def add = kn_modifier_constant(f->health, KN_OP_ADD, 50);
    kn_modifier_def twice = kn_modifier_constant(f->health, KN_OP_MULTIPLY, 2);
    kn_modifier_def add_first[] = {add, twice};
    kn_modifier_def twice_first[] = {twice, add};
    kn_effect_def def = effect_def("AddFirst", KN_DURATION_INSTANT, add_first, 2);
    kn_effect_type_id type = effect_register(f, &def);
    def = effect_def("TwiceFirst", KN_DURATION_INSTANT, twice_first, 2);
    kn_effect_type_id other = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_near(base(f, f->health), 300);
    set_base(f, f->foe, f->health, 100);
    apply(f, other);
    assert_near(base(f, f->health), 250);
}

// Undoing ---------------------------------------------------------------------

// MOD-006, GAPE-006: what makes a modifier predictable, a percentage too: taking it back,
// or putting an equal one in its place, leaves no trace, whatever came in between.
static void removed_percentage_leaves_no_trace(void **state)
{
    fixture *f = *state;
    kn_effect_type_id percent = modifier_of(f, KN_OP_MULTIPLY, 1.37f);
    kn_effect_type_id flat = modifier_of(f, KN_OP_ADD, 33.3f);
    begin(f);
    apply(f, flat);
    float before = current(f, f->speed);

    kn_effect_id predicted = apply(f, percent);
    float during = current(f, f->speed);
    set_base(f, f->foe, f->speed, 500);
    kn_effect_id confirmed = apply(f, percent);
    remove_effect(f, predicted);
    set_base(f, f->foe, f->speed, 600);
    assert_true(current(f, f->speed) == during);
    remove_effect(f, confirmed);

    assert_true(current(f, f->speed) == before);
}

// Bad input -------------------------------------------------------------------

// MOD-001, MOD-003
static void malformed_modifiers_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_modifier_def none = kn_modifier_def_default();
    kn_modifier_def unknown = kn_modifier_constant((kn_attribute_id){999}, KN_OP_ADD, 1);
    kn_modifier_def nan = kn_modifier_constant(f->speed, KN_OP_ADD, NAN);
    kn_modifier_def infinite = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, INFINITY);
    kn_modifier_def bad_op = kn_modifier_constant(f->speed, KN_OP_COUNT, 1);
    kn_modifier_def bad_kind = kn_modifier_constant(f->speed, KN_OP_ADD, 1);
    bad_kind.magnitude.kind = KN_MAGNITUDE_KIND_COUNT;
    kn_modifier_def bad_curve = kn_modifier_constant(f->speed, KN_OP_ADD, 1);
    bad_curve.magnitude.scale.curve.index1 = 99;
    const kn_modifier_def cases[] = {none, unknown, nan, infinite, bad_op, bad_kind, bad_curve};

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_def def = effect_def("Bad", KN_DURATION_INFINITE, &cases[i], 1);
        kn_result result = refused_def(f, &def);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("case %u gives %s", i, kn_result_name(result));
        }
    }
    assert_int_equal(kn_effect_type_find(f->library, "Bad").index1, 0);
    kn_assert_set_handler(NULL);
}

// ATT-018: numbers that overflow leave the old value and are reported.
static void overflow_keeps_the_last_finite_value(void **state)
{
    fixture *f = *state;
    kn_effect_type_id huge =
        simple(f, "Huge", KN_DURATION_INFINITE, f->speed, KN_OP_MULTIPLY, 3e38f);
    kn_effect_type_id now =
        simple(f, "HugeNow", KN_DURATION_INSTANT, f->health, KN_OP_MULTIPLY, 3e38f);
    begin(f);

    (void)try_apply(f, huge);
    (void)try_apply(f, now);
    step(f, 0);

    assert_near(current(f, f->speed), 600);
    assert_near(base(f, f->speed), 600);
    assert_near(current(f, f->health), 100);
    assert_near(base(f, f->health), 100);
    assert_int_equal(error_count(f, KN_REFUSED_BAD_NUMBER), 2);
}

// MOD-001: an attribute that is not there takes its modifiers when it comes.
static void modifier_waits_for_an_attribute_that_is_not_there(void **state)
{
    fixture *f = *state;
    kn_effect_type_id bonus = modifier_of(f, KN_OP_ADD, 50);
    begin(f);
    kn_entity_id bare = entity_create(f);

    assert_int_equal(kn_effect_apply_simple(f->world, bonus, f->hero, bare, 1.0f, NULL), KN_OK);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 1);
    add_set(f, bare, f->set);

    assert_near(kn_attribute_value(f->world, bare, f->speed), 650);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(each_operation_changes_its_own_attribute_only),
    TEST(effect_may_have_no_modifier_or_several),
    TEST(all_operations_combine_in_the_stated_order),
    TEST(plain_names_are_the_additive_forms),
    TEST(multiply_takes_effect_after_addition),
    TEST(constant_divisor_near_zero_is_refused_at_registration),
    TEST(computed_divisor_near_zero_is_refused_at_application),
    TEST(sum_of_divisors_near_zero_is_skipped_and_reported),
    TEST(override_replaces_the_result_of_everything_else),
    TEST(last_applied_override_wins_until_it_ends),
    TEST(override_of_higher_priority_wins_over_a_later_one),
    TEST(only_qualifying_modifiers_take_part),
    TEST(channel_starts_from_the_result_of_the_one_before),
    TEST(override_in_a_low_channel_is_the_base_of_the_next),
    TEST(channel_beyond_the_last_is_refused),
    TEST(stack_count_scales_magnitudes),
    TEST(modifier_chooses_how_stacks_scale_it),
    TEST(executed_modifier_changes_the_base_directly),
    TEST(executed_factor_ignores_lasting_modifiers),
    TEST(executed_modifiers_act_one_after_the_other),
    TEST(removed_percentage_leaves_no_trace),
    TEST(malformed_modifiers_are_refused),
    TEST(overflow_keeps_the_last_finite_value),
    TEST(modifier_waits_for_an_attribute_that_is_not_there),
};

TEST_GROUP(modifiers, tests, NULL, NULL);
