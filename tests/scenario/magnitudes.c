// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where a magnitude comes from: a number by level, an attribute, a calculation, or the caller.

#include "scenario/effect_fixture.h"

#include <float.h>

static kn_calculation_id calculation_of(fixture *f, const char *name, const kn_capture *captures,
    uint32_t count, kn_calculation_fn *function, void *user)
{
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.captures = captures;
    def.capture_count = count;
    def.function = function;
    def.user = user;
    kn_calculation_id calculation = {0};
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    return calculation;
}

// A number by level -------------------------------------------------------------

// MOD-010, MOD-011, TVE-070: without a table the coefficient is a constant for all levels.
static void scalable_without_a_table_is_constant(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = adding(f, "Plain", f->armor, kn_magnitude_constant(25));
    begin(f);

    assert_near(magnitude_at(f, type, 1), 25);
    assert_near(magnitude_at(f, type, 7), 25);
}

// MOD-011, TVE-070: the row at the level times the coefficient.
static void scalable_multiplies_the_table_at_the_level(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 4}, {2, 8}, {3, 12}};
    kn_curve_id curve = curve_of(f, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_effect_type_id type = adding(f, "ByLevel", f->armor, kn_magnitude_by_level(2, curve));
    begin(f);

    assert_near(magnitude_at(f, type, 3), 24);
    assert_near(magnitude_at(f, type, 1), 8);
}

// AMBE-010, MOD-011: levels are floats; a table interpolates only if it says so.
static void table_interpolates_only_if_declared(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 10}, {2, 20}};
    kn_curve_id stepped = curve_of(f, "Stepped", KN_CURVE_STEP, points, COUNT(points));
    kn_curve_id linear = curve_of(f, "Linear", KN_CURVE_LINEAR, points, COUNT(points));
    kn_effect_type_id exact = adding(f, "Exact", f->armor, kn_magnitude_by_level(1, stepped));
    kn_effect_type_id between = adding(f, "Between", f->armor, kn_magnitude_by_level(1, linear));
    begin(f);

    assert_near(magnitude_at(f, exact, 1.5f), 10);
    assert_near(magnitude_at(f, between, 1.5f), 15);
    assert_near(magnitude_at(f, between, 0), 10);
    assert_near(magnitude_at(f, between, 9), 20);
    // Levels that are set later, too.
    kn_effect_id effect = apply(f, between);
    assert_int_equal(kn_effect_set_level(f->world, effect, 1.25f), KN_OK);
    assert_near(kn_effect_magnitude(f->world, effect, 0), 12.5f);
}

// MOD-011: the level is that of the spec, which may be overridden.
static void level_of_the_spec_selects_the_row(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 10}, {2, 20}, {3, 30}};
    kn_curve_id curve = curve_of(f, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_effect_type_id type = adding(f, "ByLevel", f->armor, kn_magnitude_by_level(1, curve));
    begin(f);
    kn_effect_apply_def def = from_hero(f, type);
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);

    assert_int_equal(kn_spec_set_level(f->world, spec, 3), KN_OK);
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_OK);

    assert_near(current(f, f->armor), 35);
}

// GAPE-035: a number can be a parameter that the one who applies it fills in.
static void parameter_takes_the_place_of_the_number(void **state)
{
    fixture *f = *state;
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "amount", &name, NULL), KN_OK);
    kn_parameter_def parameter = {name, 7, false};
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->armor;
    modifier.magnitude = kn_magnitude_parameter(name);
    kn_effect_def def = effect_def("Parameterised", KN_DURATION_INFINITE, &modifier, 1);
    def.parameters = &parameter;
    def.parameter_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    def.name = "Demanding";
    parameter.required = true;
    kn_effect_type_id demanding = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_near(current(f, f->armor), 12);
    kn_named_value value = {name, 100};
    kn_effect_apply_def given = from_hero(f, demanding);
    given.named_values = &value;
    given.named_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &given, NULL), KN_OK);
    assert_near(current(f, f->armor), 112);
    assert_int_equal(try_apply(f, demanding), KN_REFUSED_MISSING_VALUE);
}

// A calculation -----------------------------------------------------------------

typedef struct poison_tags {
    kn_tag weak;
} poison_tags;

// The worked example of a calculation: mana lost to a poison.
static float poison_mana(void *user, const kn_calculation *calculation)
{
    const poison_tags *tags = user;
    float mana = fmaxf(0.0f, kn_calculation_capture(calculation, 0));
    float max_mana = fmaxf(1.0f, kn_calculation_capture(calculation, 1));
    float result = -20.0f;
    if (mana / max_mana > 0.5f) {
        result *= 2.0f;
    }
    if (kn_spec_view_target_has_tag_exact(kn_calculation_spec(calculation), tags->weak)) {
        result *= 2.0f;
    }
    return result;
}

// MMC-001, MMC-003, MMC-004, TVE-075
static void poison_calculation_gives_the_worked_numbers(void **state)
{
    fixture *f = *state;
    static poison_tags tags;
    tags.weak = tag_of(f, "Status.WeakToPoisonMana");
    kn_tag strong = tag_of(f, "Status.WeakToPoisonMana.Strong");
    kn_capture captures[] = {
        {.attribute = f->mana, .from = KN_CAPTURE_FROM_TARGET},
        {.attribute = f->max_mana, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_calculation_id poison = calculation_of(f, "Poison", captures, 2, poison_mana, &tags);
    kn_effect_type_id type = adding(f, "PoisonMana", f->armor, kn_magnitude_calculation(poison));
    begin(f);
    static const struct {
        float mana, max_mana;
        int weak; // 1: weak, 2: only a tag below it
        float expected;
    } cases[] = {
        {60, 100, 0, -40},
        {50, 100, 0, -20},
        {60, 100, 1, -80},
        {50, 100, 1, -40},
        {0, 0, 0, -20},
        {-10, 100, 0, -20},
        {50, 100, 2, -20},
    };

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        set_base(f, f->foe, f->mana, cases[i].mana);
        set_base(f, f->foe, f->max_mana, cases[i].max_mana);
        kn_tag tag = cases[i].weak == 1 ? tags.weak : strong;
        if (cases[i].weak != 0) {
            add_tag(f, f->foe, tag);
        }
        assert_near(magnitude_at(f, type, 1), cases[i].expected);
        if (cases[i].weak != 0) {
            remove_tag(f, f->foe, tag);
        }
    }
}

static float first_capture(void *user, const kn_calculation *calculation)
{
    (void)user;
    return kn_calculation_capture(calculation, 0);
}

// MMC-002, MOD-010: in every effect type.
static void calculation_serves_every_kind_of_effect(void **state)
{
    fixture *f = *state;
    kn_capture capture = {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_calculation_id calculation = calculation_of(f, "Attack", &capture, 1, first_capture, NULL);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_calculation(calculation);
    kn_effect_def def = effect_def("Instant", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_type_id instant = effect_register(f, &def);
    def = effect_def("Duration", KN_DURATION_TIMED, &modifier, 1);
    kn_effect_type_id duration = effect_register(f, &def);
    def = effect_def("Infinite", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id infinite = effect_register(f, &def);
    def = effect_def("Periodic", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id periodic = effect_register(f, &def);
    begin(f);

    apply(f, instant);
    assert_near(base(f, f->health), 110);
    apply(f, duration);
    assert_near(current(f, f->health), 120);
    apply(f, infinite);
    assert_near(current(f, f->health), 130);
    apply(f, periodic);
    step(f, KN_S(2));
    assert_near(base(f, f->health), 140);
}

static float count_and_read(void *user, const kn_calculation *calculation)
{
    uint32_t *calls = user;
    (*calls)++;
    return kn_calculation_capture(calculation, 0);
}

// An instant effect with one modifier asks once; with two, both use what was captured before.
static void an_instant_effect_asks_its_calculation_once(void **state)
{
    fixture *f = *state;
    uint32_t calls = 0;
    kn_capture capture = {.attribute = f->health, .from = KN_CAPTURE_FROM_TARGET};
    kn_calculation_id calculation =
        calculation_of(f, "Health", &capture, 1, count_and_read, &calls);
    kn_modifier_def modifiers[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    for (uint32_t i = 0; i < 2; i++) {
        modifiers[i].attribute = f->health;
        modifiers[i].magnitude = kn_magnitude_calculation(calculation);
    }
    kn_effect_def def = effect_def("Once", KN_DURATION_INSTANT, modifiers, 1);
    kn_effect_type_id once = effect_register(f, &def);
    def = effect_def("Twice", KN_DURATION_INSTANT, modifiers, 2);
    kn_effect_type_id twice = effect_register(f, &def);
    begin(f);
    apply(f, once);
    assert_int_equal(calls, 1);
    assert_near(base(f, f->health), 200);
    set_base(f, f->foe, f->health, 10);
    apply(f, twice);
    assert_near(base(f, f->health), 30);
}

// MMC-007, MOD-015: with coefficient, additions and final curve of the modifier.
static void result_of_a_calculation_is_processed_further(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{0, 0}, {100, 1000}};
    kn_capture capture = {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_magnitude magnitude =
        kn_magnitude_calculation(calculation_of(f, "Attack", &capture, 1, first_capture, NULL));
    magnitude.scale = kn_constant(0.5f);
    magnitude.pre_add = kn_constant(10);
    magnitude.post_add = kn_constant(3);
    kn_effect_type_id type = adding(f, "Scaled", f->armor, magnitude);
    magnitude.final_curve = curve_of(f, "Tenfold", KN_CURVE_LINEAR, points, COUNT(points));
    kn_effect_type_id curved = adding(f, "Curved", f->armor, magnitude);
    begin(f);
    set_base(f, f->hero, f->attack, 40);

    assert_near(magnitude_at(f, type, 1), 28);
    assert_near(magnitude_at(f, curved, 1), 280);
}

static float undeclared_capture(void *user, const kn_calculation *calculation)
{
    (void)user;
    return 3.0f + kn_calculation_capture(calculation, 1);
}

// MMC-004: reading what was not declared is an error, and gives 0.
static void reading_an_undeclared_capture_is_an_error(void **state)
{
    fixture *f = *state;
    kn_capture capture = {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_effect_type_id type = adding(f, "Sloppy", f->armor,
        kn_magnitude_calculation(
            calculation_of(f, "Sloppy", &capture, 1, undeclared_capture, NULL)));
    begin(f);

    apply(f, type);
    step(f, 0);

    assert_near(current(f, f->armor), 8);
    assert_int_equal(first_event(f, KN_EVENT_ERROR)->data.error.code, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(first_event(f, KN_EVENT_ERROR)->data.error.type.index1, type.index1);
}

typedef struct seen_spec {
    kn_tag key, absent, asset, source_tag, target_tag;
    kn_name name;
    kn_entity_id source, target;
    float level, value, default_value, named;
    bool has_asset, source_has, target_has;
    kn_tag assets[3]; // one more than are asked for
    uint32_t asset_count, asset_total;
    uint32_t stacks;
    kn_effect_type_id type;
} seen_spec;

static float read_spec(void *user, const kn_calculation *calculation)
{
    seen_spec *seen = user;
    const kn_spec_view *spec = kn_calculation_spec(calculation); // const: it cannot be changed
    seen->source = kn_spec_view_source(spec);
    seen->target = kn_spec_view_target(spec);
    seen->level = kn_spec_view_level(spec);
    seen->stacks = kn_spec_view_stacks(spec);
    seen->type = kn_spec_view_type(spec);
    seen->value = kn_spec_view_caller_value(spec, seen->key, -1, true);
    seen->default_value = kn_spec_view_caller_value(spec, seen->absent, -1, false);
    seen->named = kn_spec_view_named_value(spec, seen->name, -1, false);
    seen->has_asset = kn_spec_view_has_asset_tag(spec, seen->asset);
    seen->asset_total = kn_spec_view_asset_tags(spec, NULL, 0);
    seen->asset_count = kn_spec_view_asset_tags(spec, seen->assets, 2);
    seen->source_has = kn_spec_view_source_has_tag(spec, seen->source_tag);
    seen->target_has = kn_spec_view_target_has_tag(spec, seen->target_tag);
    return 1.0f;
}

// MMC-008: modifiers on a captured attribute qualify by the tags of source and target.
static void calculation_captures_count_conditional_modifiers(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet"), angry = tag_of(f, "State.Angry");
    kn_capture capture = {.attribute = f->attack, .from = KN_CAPTURE_FROM_TARGET};
    kn_effect_type_id reader = adding(f, "Reader", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Attack", &capture, 1, first_capture, NULL)));
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->attack, KN_OP_ADD, 100),
        kn_modifier_constant(f->attack, KN_OP_ADD, 1000),
    };
    modifiers[0].target.required = one(&wet);
    modifiers[0].when = KN_REQUIREMENT_TIME_CONTINUOUS;
    modifiers[1].source.required = one(&angry);
    modifiers[1].when = KN_REQUIREMENT_TIME_CONTINUOUS;
    kn_effect_def def =
        effect_def("Conditional", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id conditional = effect_register(f, &def);
    begin(f);
    apply(f, conditional);

    assert_near(magnitude_at(f, reader, 1), 10);
    add_tag(f, f->foe, angry); // not the source
    add_tag(f, f->foe, wet);
    assert_near(magnitude_at(f, reader, 1), 110);
    add_tag(f, f->hero, angry);
    assert_near(magnitude_at(f, reader, 1), 1110);
    remove_tag(f, f->foe, wet);
    assert_near(magnitude_at(f, reader, 1), 1010);
}

// SPC-004: tags of the source as they were when the spec was made, of the target when it is
// applied; parents count.
static void calculation_reads_captured_tags(void **state)
{
    fixture *f = *state;
    seen_spec seen = {0};
    kn_tag angry = tag_of(f, "State.Angry"), wet = tag_of(f, "Ground.Wet");
    seen.key = seen.absent = seen.asset = tag_of(f, "Data.None");
    seen.source_tag = kn_tag_find(f->library, "State");
    seen.target_tag = kn_tag_find(f->library, "Ground");
    kn_effect_type_id type = adding(f, "Read", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Reader", NULL, 0, read_spec, &seen)));
    begin(f);
    add_tag(f, f->hero, angry);
    kn_effect_apply_def def = from_hero(f, type);
    kn_spec_id specs[2];
    assert_int_equal(kn_spec_create(f->world, &def, &specs[0]), KN_OK);
    remove_tag(f, f->hero, angry);
    assert_int_equal(kn_spec_create(f->world, &def, &specs[1]), KN_OK);
    add_tag(f, f->foe, wet);

    assert_int_equal(kn_spec_apply(f->world, specs[0], f->foe, NULL), KN_OK);
    assert_true(seen.source_has && seen.target_has);
    remove_tag(f, f->foe, wet);
    assert_int_equal(kn_spec_apply(f->world, specs[1], f->foe, NULL), KN_OK);
    assert_false(seen.source_has || seen.target_has);
}

// MMC-003, MMC-010: all of the spec, to read only.
static void calculation_reads_all_of_the_spec(void **state)
{
    fixture *f = *state;
    seen_spec seen = {0};
    seen.key = tag_of(f, "Data.Amount");
    seen.absent = tag_of(f, "Data.Absent");
    seen.asset = tag_of(f, "Effect.Fire");
    seen.source_tag = tag_of(f, "State.Angry");
    seen.target_tag = tag_of(f, "State.Wet");
    assert_int_equal(kn_name_register(f->library, "free", &seen.name, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->armor;
    modifier.magnitude =
        kn_magnitude_calculation(calculation_of(f, "Reader", NULL, 0, read_spec, &seen));
    kn_effect_def def = effect_def("Read", KN_DURATION_INFINITE, &modifier, 1);
    def.asset_tags = one(&seen.asset);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->hero, seen.source_tag);
    add_tag(f, f->foe, seen.target_tag);
    kn_caller_value value = {seen.key, 17};
    kn_named_value named = {seen.name, 18};
    kn_effect_apply_def apply_def = from_hero(f, type);
    apply_def.level = 4;
    apply_def.caller_values = &value;
    apply_def.caller_value_count = 1;
    apply_def.named_values = &named;
    apply_def.named_value_count = 1;
    kn_tag added[3] = {seen.asset, seen.key, seen.absent};
    apply_def.dynamic_asset_tags = (kn_tags){added, 3};

    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);

    assert_int_equal(seen.asset_total, 3); // the def's is not repeated
    assert_int_equal(seen.asset_count, 3);
    assert_int_equal(seen.assets[0].index1, seen.asset.index1);
    assert_int_equal(seen.assets[1].index1, seen.key.index1);
    assert_int_equal(seen.assets[2].index1, 0);
    assert_int_equal(kn_spec_view_asset_tags(NULL, seen.assets, 3), 0);
    assert_true(kn_entity_id_equal(seen.source, f->hero));
    assert_true(kn_entity_id_equal(seen.target, f->foe));
    assert_int_equal(seen.type.index1, type.index1);
    assert_int_equal(seen.stacks, 1);
    assert_near(seen.level, 4);
    assert_near(seen.value, 17);
    assert_near(seen.default_value, -1);
    assert_near(seen.named, 18);
    assert_true(seen.has_asset && seen.source_has && seen.target_has);
}

// MMC-006: a capture obeys the declared limits, so a calculation need not clamp again.
static void captured_value_is_clamped_already(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Pace", 600);
    def.min = kn_limit_constant(150);
    def.max = kn_limit_constant(1000);
    kn_attribute_set_id set_id = set_register(f, "Limits", &def, 1);
    kn_attribute_id pace = kn_attribute_find(f->library, "Limits.Pace");
    kn_capture capture = {.attribute = pace, .from = KN_CAPTURE_FROM_TARGET};
    kn_effect_type_id type = adding(f, "Reads", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Pace", &capture, 1, first_capture, NULL)));
    kn_effect_type_id slow = simple(f, "Slow", KN_DURATION_INFINITE, pace, KN_OP_MULTIPLY, 0.1f);
    begin(f);
    add_set(f, f->foe, set_id);
    apply(f, slow);

    assert_near(magnitude_at(f, type, 1), 150);
}

static float not_a_number(void *user, const kn_calculation *calculation)
{
    (void)calculation;
    return *(const float *)user;
}

// MMC-001, ATT-018: a result that is not a number refuses the application.
static void calculation_without_a_finite_result_refuses(void **state)
{
    fixture *f = *state;
    float result = NAN;
    kn_effect_type_id type = adding(f, "Broken", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Broken", NULL, 0, not_a_number, &result)));
    begin(f);

    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
    result = -INFINITY;
    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
    assert_near(current(f, f->armor), 5);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    result = 2;
    kn_effect_id effect = apply(f, type);
    assert_near(current(f, f->armor), 7);
    // Computed anew, it leaves the old value and is reported.
    result = NAN;
    step(f, 0);
    (void)kn_effect_refresh(f->world, effect);
    step(f, 0);
    assert_int_equal(error_count(f, KN_REFUSED_BAD_NUMBER), 1);
    const kn_event *event = first_event(f, KN_EVENT_ERROR);
    assert_true(kn_entity_id_equal(event->entity, f->foe));
    assert_int_equal(event->data.error.type.index1, type.index1);
    assert_near(current(f, f->armor), 7);
    assert_near(kn_effect_magnitude(f->world, effect, 0), 2);
}

// MMC-004
static void malformed_calculations_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_capture capture = {.attribute = {999}, .from = KN_CAPTURE_FROM_TARGET};
    kn_calculation_def nameless = kn_calculation_def_default();
    nameless.function = first_capture;
    kn_calculation_def empty = kn_calculation_def_default();
    empty.name = "Empty";
    kn_calculation_def unknown = nameless;
    unknown.name = "Unknown";
    unknown.captures = &capture;
    unknown.capture_count = 1;
    const kn_calculation_def cases[] = {nameless, empty, unknown};
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_calculation_id calculation = {77};
        kn_error error = {0};
        kn_result result = kn_calculation_register(f->library, &cases[i], &calculation, &error);
        assert_true(result == KN_ERROR_BAD_DATA || result == KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(calculation.index1, 0);
    }
    calculation_of(f, "Twice", NULL, 0, first_capture, NULL);
    kn_calculation_def twice = nameless;
    twice.name = "Twice";
    kn_calculation_id calculation = {77};
    assert_int_equal(
        kn_calculation_register(f->library, &twice, &calculation, NULL), KN_REFUSED_DUPLICATE);
    kn_assert_set_handler(NULL);
}

// Set by the caller -----------------------------------------------------------------

// MOD-010, MOD-016, SBC-001, SBC-002: found by tag on the spec.
static void caller_value_is_the_magnitude(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Charge");
    kn_tag other = tag_of(f, "Data.Other");
    kn_effect_type_id type = adding(f, "Charged", f->armor, kn_magnitude_set_by_caller(key));
    begin(f);
    const kn_caller_value values[] = {{other, 1}, {key, 12.5f}};
    kn_effect_apply_def def = from_hero(f, type);
    def.caller_values = values;
    def.caller_value_count = COUNT(values);

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    assert_near(current(f, f->armor), 17.5f);
}

// MOD-016, MOD-017, SBC-002, TVE-073: absent, the application fails with a reason; a name of the
// same spelling does not help.
static void missing_caller_value_refuses_the_application(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Charge");
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "Data.Charge", &name, NULL), KN_OK);
    kn_effect_type_id type = adding(f, "Charged", f->armor, kn_magnitude_set_by_caller(key));
    begin(f);
    kn_named_value value = {name, 3};
    kn_effect_apply_def def = from_hero(f, type);
    def.named_values = &value;
    def.named_value_count = 1;
    kn_effect_id effect = {77, 77};

    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_REFUSED_MISSING_VALUE);

    assert_true(kn_effect_id_is_null(effect));
    assert_near(current(f, f->armor), 5);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// MOD-017: a declared default avoids it.
static void declared_default_replaces_a_missing_caller_value(void **state)
{
    fixture *f = *state;
    kn_magnitude magnitude = kn_magnitude_set_by_caller(tag_of(f, "Data.Charge"));
    magnitude.has_default = true;
    magnitude.default_value = 4;
    kn_effect_type_id type = adding(f, "Charged", f->armor, magnitude);
    begin(f);

    apply(f, type);

    assert_near(current(f, f->armor), 9);
}

static float read_or_minus_one(void *user, const kn_calculation *calculation)
{
    const kn_tag *key = user;
    return fmaxf(
        0.0f, kn_spec_view_caller_value(kn_calculation_spec(calculation), *key, -1.0f, false));
}

static float read_with_warning(void *user, const kn_calculation *calculation)
{
    const kn_tag *key = user;
    return kn_spec_view_caller_value(kn_calculation_spec(calculation), *key, 0.0f, true);
}

// TVE-074, SBC-003: elsewhere the reader chooses a default, and whether to be warned.
static void reader_chooses_default_and_warning(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Damage");
    kn_effect_type_id silent = adding(f, "Silent", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Silent", NULL, 0, read_or_minus_one, &key)));
    kn_effect_type_id warns = adding(f, "Warns", f->armor,
        kn_magnitude_calculation(calculation_of(f, "Warns", NULL, 0, read_with_warning, &key)));
    begin(f);
    f->log_count = 0;

    assert_near(magnitude_at(f, silent, 1), 0);
    assert_int_equal(f->log_count, 0);
    assert_near(magnitude_at(f, warns, 1), 0);
    assert_int_equal(f->log_count, 1);
}

// Bad input -------------------------------------------------------------------

// MOD-010
static void magnitudes_that_name_nothing_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    const kn_magnitude cases[] = {
        kn_magnitude_attribute((kn_attribute_id){0}, KN_CAPTURE_FROM_SOURCE, false, 1),
        kn_magnitude_attribute((kn_attribute_id){999}, KN_CAPTURE_FROM_SOURCE, false, 1),
        kn_magnitude_calculation((kn_calculation_id){0}),
        kn_magnitude_calculation((kn_calculation_id){999}),
        kn_magnitude_set_by_caller((kn_tag){0}),
        kn_magnitude_set_by_caller((kn_tag){9999}),
        kn_magnitude_by_level(1, (kn_curve_id){999}),
        kn_magnitude_parameter((kn_name){999}),
        kn_magnitude_constant(NAN),
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_modifier_def modifier = kn_modifier_def_default();
        modifier.attribute = f->armor;
        modifier.magnitude = cases[i];
        kn_effect_def def = effect_def("Bad", KN_DURATION_INFINITE, &modifier, 1);
        kn_result result = refused_def(f, &def);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("case %u gives %s", i, kn_result_name(result));
        }
    }
    kn_assert_set_handler(NULL);
}

// MOD-010: numbers handed in must be finite.
static void caller_values_and_levels_must_be_finite(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Charge");
    kn_effect_type_id type = adding(f, "Charged", f->armor, kn_magnitude_set_by_caller(key));
    begin(f);
    const float bad[] = {NAN, INFINITY, -INFINITY};

    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_caller_value value = {key, bad[i]};
        kn_effect_apply_def def = from_hero(f, type);
        def.caller_values = &value;
        def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
        value.value = 1;
        def.level = bad[i];
        assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    }
    assert_near(current(f, f->armor), 5);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// MOD-011: tables are checked when they are registered.
static void malformed_curves_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    const kn_curve_point falling[] = {{1, 1}, {1, 2}};
    const kn_curve_point infinite[] = {{1, INFINITY}};
    kn_curve_def def = kn_curve_def_default();
    def.name = "Bad";
    kn_curve_id curve = {77};
    assert_int_not_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_OK);
    assert_int_equal(curve.index1, 0);
    def.points = falling;
    def.point_count = 2;
    assert_int_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_ERROR_BAD_DATA);
    def.points = infinite;
    def.point_count = 1;
    assert_int_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_curve_find(f->library, "Bad").index1, 0);
    assert_near(kn_curve_at(f->library, curve, 5), 1);
    kn_assert_set_handler(NULL);
}

// MOD-011
static void neighbours_far_apart_still_give_a_number_between_them(void **state)
{
    fixture *f = *state;
    const kn_curve_point high[] = {{0, -FLT_MAX}, {1, FLT_MAX}};
    const kn_curve_point wide[] = {{-FLT_MAX, 1}, {FLT_MAX, 3}};
    const kn_curve_point both[] = {{-FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX}};
    const kn_curve_point *const points[] = {high, wide, both};
    const char *const names[] = {"High", "Wide", "Both"};
    kn_curve_id curves[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_curve_def def = kn_curve_def_default();
        def.name = names[i];
        def.points = points[i];
        def.point_count = 2;
        assert_int_equal(kn_curve_register(f->library, &def, &curves[i], NULL), KN_OK);
    }
    assert_true(kn_curve_at(f->library, curves[0], 0) == -FLT_MAX);
    assert_true(kn_curve_at(f->library, curves[0], 0.5f) == 0);
    assert_true(kn_curve_at(f->library, curves[0], 0.75f) == FLT_MAX / 2);
    assert_near(kn_curve_at(f->library, curves[1], 0), 2);
    assert_near(kn_curve_at(f->library, curves[1], FLT_MAX / 2), 2.5f);
    assert_true(kn_curve_at(f->library, curves[2], FLT_MAX / 2) == FLT_MAX / 2);
}

// Outside of effects --------------------------------------------------------

static float level_and_capture(void *user, const kn_calculation *calculation)
{
    (void)user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    return kn_calculation_capture(calculation, 0) + 10 * kn_spec_view_level(spec) +
           100 * (float)kn_spec_view_stacks(spec);
}

static void a_magnitude_can_be_evaluated_without_an_effect(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 4}, {2, 8}};
    kn_curve_id curve = curve_of(f, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_tag burning = tag_of(f, "State.Burning");
    kn_calculation_def formula = kn_calculation_def_default();
    formula.name = "Formula";
    formula.expression = "source.Unit.Power * 2 - target.Unit.Armor + level + "
                         "if(has(target, State.Burning), 1000, 0)";
    kn_calculation_id by_formula, by_function;
    kn_error error = {0};
    if (kn_calculation_register(f->library, &formula, &by_formula, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_capture capture = {.attribute = f->power, .from = KN_CAPTURE_FROM_TARGET};
    by_function = calculation_of(f, "Function", &capture, 1, level_and_capture, NULL);
    begin(f);
    set_base(f, f->hero, f->power, 30);
    set_base(f, f->foe, f->power, 7);
    set_base(f, f->foe, f->armor, 5);
    uint64_t before = kn_world_hash(f->world);
    float value;

    kn_magnitude magnitude = kn_magnitude_by_level(3, curve);
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 2, &value), KN_OK);
    assert_near(value, 24);
    magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, true, 0.5f);
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value), KN_OK);
    assert_near(value, 15);
    magnitude = kn_magnitude_calculation(by_formula);
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 3, &value), KN_OK);
    assert_near(value, 58);
    magnitude = kn_magnitude_calculation(by_function);
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 3, &value), KN_OK);
    assert_near(value, 137);
    magnitude = kn_magnitude_set_by_caller(burning);
    magnitude.has_default = true;
    magnitude.default_value = 4;
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 3, &value), KN_OK);
    assert_near(value, 4);
    assert_true(kn_world_hash(f->world) == before);
    add_tag(f, f->foe, burning);
    magnitude = kn_magnitude_calculation(by_formula);
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 3, &value), KN_OK);
    assert_near(value, 1058);
}

static void a_magnitude_can_be_evaluated_as_one_of_an_active_effect(void **state)
{
    fixture *f = *state;
    kn_tag tag = tag_of(f, "Data.Amount");
    kn_name name = name_of(f, "Bonus");
    kn_effect_def def = effect_def("Shield", KN_DURATION_INFINITE, NULL, 0);
    kn_parameter_def parameter = kn_parameter_def_default();
    parameter.name = name;
    parameter.value = 9;
    def.parameters = &parameter;
    def.parameter_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    set_base(f, f->hero, f->power, 30);
    kn_caller_value number = {tag, 70};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_id effect;
    apply.type = type;
    apply.source = f->hero;
    apply.target = f->foe;
    apply.caller_values = &number;
    apply.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &apply, &effect), KN_OK);
    float value;
    kn_magnitude magnitude = kn_magnitude_set_by_caller(tag);
    assert_int_equal(kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_OK);
    assert_near(value, 70);
    magnitude = kn_magnitude_parameter(name);
    assert_int_equal(kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_OK);
    assert_near(value, 9);
    magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 2);
    assert_int_equal(kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_OK);
    assert_near(value, 60);
    magnitude = kn_magnitude_of(KN_MAGNITUDE_STACKS);
    assert_int_equal(kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_OK);
    assert_near(value, 1);
    magnitude = kn_magnitude_set_by_caller(tag_of(f, "Data.Amount"));
    magnitude.calculation.index1 = 1000;
    magnitude.kind = KN_MAGNITUDE_CALCULATION;
    assert_int_equal(
        kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    magnitude = kn_magnitude_constant(1);
    assert_int_equal(kn_effect_evaluate(f->world, effect, &magnitude, &value), KN_REFUSED_STALE_ID);
    assert_near(value, 0);
}

static void a_magnitude_without_an_effect_is_refused_where_something_is_missing(void **state)
{
    fixture *f = *state;
    kn_tag burning = tag_of(f, "State.Burning");
    kn_name name = name_of(f, "Bonus");
    begin(f);
    kn_entity_id none = {0};
    float value = 1;
    kn_magnitude magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_TARGET, false, 1);
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, none, 1, &value),
        KN_REFUSED_MISSING_ATTRIBUTE);
    assert_near(value, 0);
    magnitude.capture.has_default = true;
    magnitude.capture.default_value = 6;
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, none, 1, &value), KN_OK);
    assert_near(value, 6);
    magnitude.capture.attribute.index1 = 1000;
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_ERROR_INVALID_ARGUMENT);
    magnitude = kn_magnitude_set_by_caller(burning);
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_REFUSED_MISSING_VALUE);
    magnitude = kn_magnitude_parameter(name);
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_REFUSED_MISSING_VALUE);
    magnitude = kn_magnitude_constant(3);
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, NAN, &value),
        KN_REFUSED_BAD_NUMBER);
    magnitude.final_curve.index1 = 9;
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_ERROR_INVALID_ARGUMENT);
    magnitude = kn_magnitude_calculation((kn_calculation_id){0});
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_ERROR_INVALID_ARGUMENT);
    magnitude = kn_magnitude_of(KN_MAGNITUDE_KIND_COUNT);
    assert_int_equal(kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value),
        KN_ERROR_INVALID_ARGUMENT);
    magnitude = kn_magnitude_of(KN_MAGNITUDE_POOL); // of an effect only: nothing is in it
    assert_int_equal(
        kn_magnitude_evaluate(f->world, &magnitude, f->hero, f->foe, 1, &value), KN_OK);
    assert_near(value, 0);
}

static void a_condition_can_be_tested_without_a_modifier(void **state)
{
    fixture *f = *state;
    kn_tag burning = tag_of(f, "State.Burning");
    kn_condition_id condition;
    kn_error error = {0};
    if (kn_condition_register_expression(f->library, "Weak and hot",
            "target.Unit.Power < instigator.Unit.Power and has(target, State.Burning) and "
            "event.magnitude > 5",
            &condition, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    begin(f);
    set_base(f, f->hero, f->power, 30);
    kn_event_record record = kn_event_record_default();
    record.instigator = f->hero;
    record.target = f->foe;
    record.magnitude = 6;
    assert_false(kn_condition_holds(f->world, condition, &record));
    add_tag(f, f->foe, burning);
    assert_true(kn_condition_holds(f->world, condition, &record));
    record.magnitude = 5;
    assert_false(kn_condition_holds(f->world, condition, &record));
    record.magnitude = 6;
    record.target = (kn_entity_id){0};
    assert_false(kn_condition_holds(f->world, condition, &record));
    assert_false(kn_condition_holds(f->world, (kn_condition_id){0}, &record));
    assert_false(kn_condition_holds(f->world, (kn_condition_id){99}, &record));
}

static const struct CMUnitTest tests[] = {
    TEST(scalable_without_a_table_is_constant),
    TEST(scalable_multiplies_the_table_at_the_level),
    TEST(table_interpolates_only_if_declared),
    TEST(level_of_the_spec_selects_the_row),
    TEST(parameter_takes_the_place_of_the_number),
    TEST(poison_calculation_gives_the_worked_numbers),
    TEST(calculation_serves_every_kind_of_effect),
    TEST(an_instant_effect_asks_its_calculation_once),
    TEST(result_of_a_calculation_is_processed_further),
    TEST(reading_an_undeclared_capture_is_an_error),
    TEST(calculation_captures_count_conditional_modifiers),
    TEST(calculation_reads_captured_tags),
    TEST(calculation_reads_all_of_the_spec),
    TEST(captured_value_is_clamped_already),
    TEST(calculation_without_a_finite_result_refuses),
    TEST(malformed_calculations_are_refused),
    TEST(caller_value_is_the_magnitude),
    TEST(missing_caller_value_refuses_the_application),
    TEST(declared_default_replaces_a_missing_caller_value),
    TEST(reader_chooses_default_and_warning),
    TEST(magnitudes_that_name_nothing_are_refused),
    TEST(caller_values_and_levels_must_be_finite),
    TEST(malformed_curves_are_refused),
    TEST(neighbours_far_apart_still_give_a_number_between_them),
    TEST(a_magnitude_can_be_evaluated_without_an_effect),
    TEST(a_magnitude_can_be_evaluated_as_one_of_an_active_effect),
    TEST(a_magnitude_without_an_effect_is_refused_where_something_is_missing),
    TEST(a_condition_can_be_tested_without_a_modifier),
};

TEST_GROUP(magnitudes, tests, NULL, NULL);
