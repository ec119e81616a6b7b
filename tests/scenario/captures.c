// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Magnitudes that read attributes: whose, which number, and when.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

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

// A lasting effect whose one modifier adds a magnitude to an attribute.
static kn_effect_type_id adding(
    stage *s, const char *name, kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.magnitude = magnitude;
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    return add_effect(s, &def);
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result try_apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static void remove_effect(stage *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static void step(stage *s, kn_time dt)
{
    assert_int_equal(kn_world_step(s->world, dt), KN_OK);
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

static kn_curve_id curve_of(
    stage *s, const char *name, kn_curve_kind kind, const kn_curve_point *points, uint32_t count)
{
    kn_curve_def def = kn_curve_def_default();
    def.name = name;
    def.kind = kind;
    def.points = points;
    def.point_count = count;
    kn_curve_id curve = {0};
    assert_int_equal(kn_curve_register(s->library, &def, &curve, NULL), KN_OK);
    return curve;
}

static float magnitude_at(stage *s, kn_effect_type_id type, float level)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->hero, s->foe, level, &effect), KN_OK);
    float magnitude = kn_effect_magnitude(s->world, effect, 0);
    remove_effect(s, effect);
    return magnitude;
}

// An attribute ------------------------------------------------------------------

// MOD-010, MOD-012, TVE-071: coefficient x (pre + value) + post.
static void attribute_based_magnitude_follows_its_form(void **state)
{
    stage *s = *state;
    kn_magnitude magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 0.5f);
    magnitude.pre_add = kn_constant(10);
    magnitude.post_add = kn_constant(3);
    kn_effect_type_id type = adding(s, "Scaled", s->armor, magnitude);
    begin(s);
    set_base(s, s->hero, s->attack, 40);

    kn_effect_id effect = apply(s, type);

    near(kn_effect_magnitude(s->world, effect, 0), 28);
    near(current(s, s->armor), 33);
}

// MOD-012: coefficient and additions are numbers by level themselves.
static void coefficient_and_additions_scale_by_level(void **state)
{
    stage *s = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 2}};
    kn_curve_id curve = curve_of(s, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_magnitude magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    magnitude.scale = kn_by_level(0.5f, curve);
    magnitude.pre_add = kn_by_level(10, curve);
    magnitude.post_add = kn_by_level(3, curve);
    kn_effect_type_id type = adding(s, "Scaled", s->armor, magnitude);
    begin(s);
    set_base(s, s->hero, s->attack, 40);

    near(magnitude_at(s, type, 1), 28);
    near(magnitude_at(s, type, 2), 1 * (20 + 40) + 6);
}

// MOD-012: of the source or of the target.
static void attribute_is_read_from_source_or_target(void **state)
{
    stage *s = *state;
    kn_effect_type_id from_source = adding(s, "FromSource", s->armor,
        kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 1));
    kn_effect_type_id from_target = adding(s, "FromTarget", s->armor,
        kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_TARGET, false, 1));
    begin(s);
    set_base(s, s->hero, s->attack, 40);
    set_base(s, s->foe, s->attack, 3);

    near(magnitude_at(s, from_source, 1), 40);
    near(magnitude_at(s, from_target, 1), 3);
}

// MOD-013, TVE-072
static void policies_read_final_base_or_bonus(void **state)
{
    stage *s = *state;
    static const struct {
        const char *name;
        kn_capture_value value;
        float expected;
    } cases[] = {
        {"Final", KN_CAPTURE_FINAL, 140},
        {"Base", KN_CAPTURE_BASE, 100},
        {"Bonus", KN_CAPTURE_BONUS, 40},
    };
    kn_effect_type_id types[COUNT(cases)];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_magnitude magnitude =
            kn_magnitude_attribute(s->health, KN_CAPTURE_FROM_TARGET, false, 1);
        magnitude.capture.value = cases[i].value;
        types[i] = adding(s, cases[i].name, s->armor, magnitude);
    }
    kn_effect_type_id bonus = simple(s, "Plus40", KN_DURATION_INFINITE, s->health, KN_OP_ADD, 40);
    begin(s);
    apply(s, bonus);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        near(magnitude_at(s, types[i], 1), cases[i].expected);
    }
}

// MOD-013: the value as it stands before a channel.
static void policy_reads_the_value_below_a_channel(void **state)
{
    stage *s = *state;
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(s->health, KN_OP_ADD, 40),
        kn_modifier_constant(s->health, KN_OP_MULTIPLY, 2),
    };
    modifiers[1].channel = 3;
    kn_effect_def def = effect_def("Layers", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id layers = add_effect(s, &def);
    kn_magnitude magnitude = kn_magnitude_attribute(s->health, KN_CAPTURE_FROM_TARGET, false, 1);
    magnitude.capture.value = KN_CAPTURE_UP_TO_CHANNEL;
    magnitude.capture.channel = 3;
    kn_effect_type_id below = adding(s, "Below", s->armor, magnitude);
    magnitude.capture.channel = 4;
    kn_effect_type_id above = adding(s, "Above", s->armor, magnitude);
    begin(s);
    apply(s, layers);

    near(magnitude_at(s, below, 1), 140);
    near(magnitude_at(s, above, 1), 280);
}

// MOD-012: the value looked up in a curve.
static void value_may_be_looked_up_in_a_final_curve(void **state)
{
    stage *s = *state;
    const kn_curve_point points[] = {{0, 0}, {100, 1}};
    kn_magnitude magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    magnitude.final_curve = curve_of(s, "Share", KN_CURVE_LINEAR, points, COUNT(points));
    kn_effect_type_id type = adding(s, "Looked", s->armor, magnitude);
    begin(s);
    set_base(s, s->hero, s->attack, 25);

    near(magnitude_at(s, type, 1), 0.25f);
}

// MOD-012: an attribute that is not there refuses, unless a default is declared.
static void missing_attribute_refuses_or_uses_the_default(void **state)
{
    stage *s = *state;
    kn_magnitude magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    kn_effect_type_id strict = adding(s, "Strict", s->armor, magnitude);
    magnitude.capture.has_default = true;
    magnitude.capture.default_value = 9;
    kn_effect_type_id lenient = adding(s, "Lenient", s->armor, magnitude);
    begin(s);
    kn_entity_id nobody = {0}, bare;
    assert_int_equal(kn_entity_create(s->world, &bare), KN_OK);

    assert_int_equal(kn_effect_apply_simple(s->world, strict, nobody, s->foe, 1, NULL),
        KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(kn_effect_apply_simple(s->world, strict, bare, s->foe, 1, NULL),
        KN_REFUSED_MISSING_ATTRIBUTE);
    near(current(s, s->armor), 5);
    assert_int_equal(kn_effect_apply_simple(s->world, lenient, bare, s->foe, 1, NULL), KN_OK);
    near(current(s, s->armor), 14);
}

// When it is read -----------------------------------------------------------------

static kn_effect_type_id capturing(
    stage *s, const char *name, kn_attribute_id read, kn_capture_from from, bool snapshot)
{
    return adding(s, name, s->speed, kn_magnitude_attribute(read, from, snapshot, 1));
}

static kn_effect_id spec_to_foe(stage *s, kn_spec_id spec)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_spec_apply(s->world, spec, s->foe, &effect), KN_OK);
    return effect;
}

static kn_spec_id spec_of(stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = from_hero(s, type);
    kn_spec_id spec = {0};
    assert_int_equal(kn_spec_create(s->world, &def, &spec), KN_OK);
    return spec;
}

// TVE-080, MMC-005, MOD-014: source Attack 10 at creation, 20 at application, 30 afterwards.
static void source_is_captured_at_creation_or_followed_from_application(void **state)
{
    stage *s = *state;
    kn_effect_type_id snapshot = capturing(s, "Snapshot", s->attack, KN_CAPTURE_FROM_SOURCE, true);
    kn_effect_type_id live = capturing(s, "Live", s->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(s);
    set_base(s, s->hero, s->attack, 10);
    kn_spec_id snapshot_spec = spec_of(s, snapshot);
    kn_spec_id live_spec = spec_of(s, live);

    set_base(s, s->hero, s->attack, 20);
    kn_effect_id snapshot_effect = spec_to_foe(s, snapshot_spec);
    kn_effect_id live_effect = spec_to_foe(s, live_spec);
    near(kn_effect_magnitude(s->world, snapshot_effect, 0), 10);
    near(kn_effect_magnitude(s->world, live_effect, 0), 20);
    near(current(s, s->speed), 630);

    set_base(s, s->hero, s->attack, 30);
    near(kn_effect_magnitude(s->world, snapshot_effect, 0), 10);
    near(kn_effect_magnitude(s->world, live_effect, 0), 30);
    near(current(s, s->speed), 640);
}

// TVE-081, MMC-005, MOD-014: target Armor 5 at creation, 8 at application, 12 afterwards.
static void target_is_captured_or_followed_from_application(void **state)
{
    stage *s = *state;
    kn_effect_type_id snapshot = capturing(s, "Snapshot", s->armor, KN_CAPTURE_FROM_TARGET, true);
    kn_effect_type_id live = capturing(s, "Live", s->armor, KN_CAPTURE_FROM_TARGET, false);
    begin(s);
    set_base(s, s->foe, s->armor, 5);
    kn_spec_id snapshot_spec = spec_of(s, snapshot);
    kn_spec_id live_spec = spec_of(s, live);

    set_base(s, s->foe, s->armor, 8);
    kn_effect_id snapshot_effect = spec_to_foe(s, snapshot_spec);
    kn_effect_id live_effect = spec_to_foe(s, live_spec);
    near(kn_effect_magnitude(s->world, snapshot_effect, 0), 8);
    near(kn_effect_magnitude(s->world, live_effect, 0), 8);

    set_base(s, s->foe, s->armor, 12);
    near(kn_effect_magnitude(s->world, snapshot_effect, 0), 8);
    near(kn_effect_magnitude(s->world, live_effect, 0), 12);
    near(current(s, s->speed), 620);
}

static float four_in_one(void *user, const kn_calculation *calculation)
{
    (void)user;
    return kn_calculation_capture(calculation, 0) + 100 * kn_calculation_capture(calculation, 1) +
           1e4f * kn_calculation_capture(calculation, 2) +
           1e6f * kn_calculation_capture(calculation, 3);
}

// MMC-005: the same matrix for the captures of a calculation.
static void captures_of_a_calculation_obey_the_same_matrix(void **state)
{
    stage *s = *state;
    kn_capture captures[] = {
        {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE, .snapshot = true},
        {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET, .snapshot = true},
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Four";
    def.captures = captures;
    def.capture_count = COUNT(captures);
    def.function = four_in_one;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(s->library, &def, &calculation, NULL), KN_OK);
    kn_effect_type_id type = adding(s, "Four", s->speed, kn_magnitude_calculation(calculation));
    begin(s);
    kn_spec_id spec = spec_of(s, type);

    set_base(s, s->hero, s->attack, 20);
    set_base(s, s->foe, s->armor, 8);
    kn_effect_id effect = spec_to_foe(s, spec);
    near(kn_effect_magnitude(s->world, effect, 0), 8082010);
    set_base(s, s->hero, s->attack, 30);
    set_base(s, s->foe, s->armor, 9);

    near(kn_effect_magnitude(s->world, effect, 0), 9083010);
}

// EFF-012, MMC-005, MMC-009: an attribute of one entity moves a modifier on another, whatever
// moves it.
static void live_magnitude_follows_temporary_changes_too(void **state)
{
    stage *s = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->speed;
    modifier.magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    kn_effect_def timed = effect_def("Live", KN_DURATION_TIMED, &modifier, 1);
    timed.duration = kn_magnitude_constant(20);
    kn_effect_type_id live = add_effect(s, &timed);
    kn_effect_type_id rage = simple(s, "Rage", KN_DURATION_TIMED, s->attack, KN_OP_ADD, 5);
    begin(s);
    apply(s, live);
    near(current(s, s->speed), 610);
    kn_effect_apply_def on_self = from_hero(s, rage);
    on_self.target = s->hero;

    assert_int_equal(kn_effect_apply(s->world, &on_self, NULL), KN_OK);
    near(current(s, s->speed), 615);
    step(s, KN_S(10));

    near(current(s, s->speed), 610);
}

// MMC-009: when the source leaves the world, the last value stays.
static void live_magnitude_freezes_when_its_source_is_gone(void **state)
{
    stage *s = *state;
    kn_effect_type_id live = capturing(s, "Live", s->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(s);
    kn_effect_id effect = apply(s, live);
    set_base(s, s->hero, s->attack, 33);

    assert_true(kn_entity_destroy(s->world, s->hero));
    near(current(s, s->speed), 633);
    assert_int_equal(kn_effect_set_level(s->world, effect, 2), KN_OK);
    assert_int_equal(kn_effect_refresh(s->world, effect), KN_OK);
    step(s, KN_S(1));

    near(current(s, s->speed), 633);
    assert_true(kn_effect_is_alive(s->world, effect));
}

// MMC-009, SPC-002: a spec outlives its source as well.
static void spec_applied_after_its_source_is_gone_uses_its_snapshot(void **state)
{
    stage *s = *state;
    kn_effect_type_id snapshot = capturing(s, "Snapshot", s->attack, KN_CAPTURE_FROM_SOURCE, true);
    kn_effect_type_id live = capturing(s, "Live", s->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(s);
    kn_spec_id snapshot_spec = spec_of(s, snapshot);
    kn_spec_id live_spec = spec_of(s, live);
    assert_true(kn_entity_destroy(s->world, s->hero));

    spec_to_foe(s, snapshot_spec);
    near(current(s, s->speed), 610);
    kn_effect_id effect = {77, 77};
    assert_int_equal(
        kn_spec_apply(s->world, live_spec, s->foe, &effect), KN_REFUSED_MISSING_ATTRIBUTE);
    near(current(s, s->speed), 610);
}

// MMC-005: an instant effect reads without a snapshot at application, and never again.
static void instant_effect_reads_at_application(void **state)
{
    stage *s = *state;
    kn_modifier_def modifiers[] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = s->health;
    modifiers[0].magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, true, -1);
    modifiers[1].attribute = s->speed;
    modifiers[1].magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, -1);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, modifiers, COUNT(modifiers));
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    kn_spec_id spec = spec_of(s, type);
    set_base(s, s->hero, s->attack, 20);

    assert_int_equal(kn_spec_apply(s->world, spec, s->foe, NULL), KN_OK);
    set_base(s, s->hero, s->attack, 30);

    near(base(s, s->health), 90);
    near(base(s, s->speed), 580);
}

// MMC-005: each tick of a periodic effect sees its followed capture.
static void periodic_effect_follows_a_live_capture(void **state)
{
    stage *s = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->health;
    modifier.magnitude = kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, -1);
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id live = add_effect(s, &def);
    modifier.attribute = s->mana;
    modifier.magnitude.capture.snapshot = true;
    def.name = "Drain";
    kn_effect_type_id snapshot = add_effect(s, &def);
    begin(s);
    apply(s, live);
    apply(s, snapshot);

    step(s, KN_S(1));
    near(base(s, s->health), 90);
    near(base(s, s->mana), 50);
    set_base(s, s->hero, s->attack, 25);
    step(s, KN_S(1));

    near(base(s, s->health), 65);
    near(base(s, s->mana), 40);
}

// MMC-009: the weapon in the context can be read like source and target.
static void causer_of_the_context_can_be_captured(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = capturing(s, "Weapon", s->attack, KN_CAPTURE_FROM_CAUSER, false);
    begin(s);
    kn_entity_id sword;
    assert_int_equal(kn_entity_create(s->world, &sword), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, sword, s->unit, 0), KN_OK);
    set_base(s, sword, s->attack, 70);
    kn_effect_context context = {.causer = sword};
    kn_effect_apply_def def = from_hero(s, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);

    near(current(s, s->speed), 670);
    assert_int_equal(try_apply(s, type), KN_REFUSED_MISSING_ATTRIBUTE);
}

// Cycles ----------------------------------------------------------------------

// MMC-009, EFF-012: an attribute that would depend on itself is refused, and nothing changes.
static void effect_that_closes_a_circle_is_refused(void **state)
{
    stage *s = *state;
    kn_effect_type_id self = adding(
        s, "Self", s->speed, kn_magnitude_attribute(s->speed, KN_CAPTURE_FROM_TARGET, false, 0.5f));
    kn_effect_type_id speed_to_armor = adding(s, "SpeedToArmor", s->armor,
        kn_magnitude_attribute(s->speed, KN_CAPTURE_FROM_TARGET, false, 1));
    kn_effect_type_id armor_to_speed = adding(s, "ArmorToSpeed", s->speed,
        kn_magnitude_attribute(s->armor, KN_CAPTURE_FROM_TARGET, false, 1));
    kn_effect_type_id once = adding(
        s, "Once", s->speed, kn_magnitude_attribute(s->armor, KN_CAPTURE_FROM_TARGET, true, 1));
    begin(s);

    assert_int_equal(try_apply(s, self), KN_REFUSED_CYCLE);
    apply(s, speed_to_armor);
    near(current(s, s->armor), 605);
    assert_int_equal(try_apply(s, armor_to_speed), KN_REFUSED_CYCLE);
    near(current(s, s->speed), 600);
    assert_int_equal(kn_effects_count(s->world, s->foe), 1);

    apply(s, once); // a snapshot closes no circle
    near(current(s, s->speed), 1205);
    near(current(s, s->armor), 1210);
}

// MMC-009: over two entities as well.
static void circle_over_two_entities_is_refused(void **state)
{
    stage *s = *state;
    kn_effect_type_id take = adding(s, "Take", s->attack,
        kn_magnitude_attribute(s->attack, KN_CAPTURE_FROM_SOURCE, false, 0.5f));
    begin(s);
    apply(s, take);
    near(current(s, s->attack), 15);
    kn_effect_id effect = {77, 77};

    assert_int_equal(
        kn_effect_apply_simple(s->world, take, s->foe, s->hero, 1, &effect), KN_REFUSED_CYCLE);

    assert_true(kn_effect_id_is_null(effect));
    near(kn_attribute_value(s->world, s->hero, s->attack), 10);
}

#define WAY_MAX 80

// Attributes Way.A0 to Way.A79, and for each but the last an effect that adds it to the next.
static void way_register(stage *s, kn_attribute_set_id *set, kn_effect_type_id links[WAY_MAX])
{
    static char names[WAY_MAX][24];
    kn_attribute_def defs[WAY_MAX];
    for (uint32_t i = 0; i < WAY_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "A%u", i);
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
    }
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Way";
    def.attributes = defs;
    def.attribute_count = WAY_MAX;
    assert_int_equal(kn_attribute_set_register(s->library, &def, set, NULL), KN_OK);
    for (uint32_t i = 0; i + 1 < WAY_MAX; i++) {
        char from[24], to[24], name[24];
        (void)snprintf(from, sizeof(from), "Way.A%u", i);
        (void)snprintf(to, sizeof(to), "Way.A%u", i + 1);
        (void)snprintf(name, sizeof(name), "Link%u", i);
        kn_attribute_id read = kn_attribute_find(s->library, from);
        links[i] = adding(s, name, kn_attribute_find(s->library, to),
            kn_magnitude_attribute(read, KN_CAPTURE_FROM_TARGET, false, 1));
    }
}

// MMC-009: the search for a circle has limits. A way beyond 64 links counts as one, however it is
// made; among very many short ways the search ends, and what it did not find is no reason to
// refuse.
static void a_way_of_more_than_64_links_counts_as_a_circle(void **state)
{
    stage *s = *state;
    kn_attribute_set_id set;
    kn_effect_type_id links[WAY_MAX];
    way_register(s, &set, links);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set, 0), KN_OK);
    // From the end to the beginning: 65 attributes depend on the one that is added last.
    for (uint32_t i = 70; i > 5; i--) {
        assert_int_equal(try_apply(s, links[i]), KN_OK);
    }
    uint64_t hash = kn_world_hash(s->world);
    assert_int_equal(try_apply(s, links[5]), KN_REFUSED_CYCLE);
    assert_int_equal(kn_world_hash(s->world), hash);
    assert_int_equal(kn_effects_count(s->world, s->foe), 65);
    set_base(s, s->foe, kn_attribute_find(s->library, "Way.A6"), 3);
    near(current(s, kn_attribute_find(s->library, "Way.A71")), 3);
}

// MMC-009
static void a_search_among_very_many_ways_ends(void **state)
{
    stage *s = *state;
    kn_attribute_set_id set;
    kn_effect_type_id links[WAY_MAX];
    way_register(s, &set, links);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set, 0), KN_OK);
    for (uint32_t i = 14; i > 0; i--) { // two to the power of 14 ways
        assert_int_equal(try_apply(s, links[i]), KN_OK);
        assert_int_equal(try_apply(s, links[i]), KN_OK);
    }
    assert_int_equal(try_apply(s, links[0]), KN_OK);
    set_base(s, s->foe, kn_attribute_find(s->library, "Way.A0"), 1);
    near(current(s, kn_attribute_find(s->library, "Way.A15")), 16384);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attribute_based_magnitude_follows_its_form),
        TEST(coefficient_and_additions_scale_by_level),
        TEST(attribute_is_read_from_source_or_target),
        TEST(policies_read_final_base_or_bonus),
        TEST(policy_reads_the_value_below_a_channel),
        TEST(value_may_be_looked_up_in_a_final_curve),
        TEST(missing_attribute_refuses_or_uses_the_default),
        TEST(source_is_captured_at_creation_or_followed_from_application),
        TEST(target_is_captured_or_followed_from_application),
        TEST(captures_of_a_calculation_obey_the_same_matrix),
        TEST(live_magnitude_follows_temporary_changes_too),
        TEST(live_magnitude_freezes_when_its_source_is_gone),
        TEST(spec_applied_after_its_source_is_gone_uses_its_snapshot),
        TEST(instant_effect_reads_at_application),
        TEST(periodic_effect_follows_a_live_capture),
        TEST(causer_of_the_context_can_be_captured),
        TEST(effect_that_closes_a_circle_is_refused),
        TEST(circle_over_two_entities_is_refused),
        TEST(a_way_of_more_than_64_links_counts_as_a_circle),
        TEST(a_search_among_very_many_ways_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
