// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Magnitudes that read attributes: whose, which number, and when.

#include "scenario/effect_fixture.h"

// An attribute ------------------------------------------------------------------

// MOD-010, MOD-012, TVE-071: coefficient x (pre + value) + post.
static void attribute_based_magnitude_follows_its_form(void **state)
{
    fixture *f = *state;
    kn_magnitude magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 0.5f);
    magnitude.pre_add = kn_constant(10);
    magnitude.post_add = kn_constant(3);
    kn_effect_type_id type = adding(f, "Scaled", f->armor, magnitude);
    begin(f);
    set_base(f, f->hero, f->attack, 40);

    kn_effect_id effect = apply(f, type);

    assert_near(kn_effect_magnitude(f->world, effect, 0), 28);
    assert_near(current(f, f->armor), 33);
}

// MOD-012: coefficient and additions are numbers by level themselves.
static void coefficient_and_additions_scale_by_level(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 2}};
    kn_curve_id curve = curve_of(f, "Row", KN_CURVE_STEP, points, COUNT(points));
    kn_magnitude magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    magnitude.scale = kn_by_level(0.5f, curve);
    magnitude.pre_add = kn_by_level(10, curve);
    magnitude.post_add = kn_by_level(3, curve);
    kn_effect_type_id type = adding(f, "Scaled", f->armor, magnitude);
    begin(f);
    set_base(f, f->hero, f->attack, 40);

    assert_near(magnitude_at(f, type, 1), 28);
    assert_near(magnitude_at(f, type, 2), 1 * (20 + 40) + 6);
}

// MOD-012: of the source or of the target.
static void attribute_is_read_from_source_or_target(void **state)
{
    fixture *f = *state;
    kn_effect_type_id from_source = adding(f, "FromSource", f->armor,
        kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 1));
    kn_effect_type_id from_target = adding(f, "FromTarget", f->armor,
        kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_TARGET, false, 1));
    begin(f);
    set_base(f, f->hero, f->attack, 40);
    set_base(f, f->foe, f->attack, 3);

    assert_near(magnitude_at(f, from_source, 1), 40);
    assert_near(magnitude_at(f, from_target, 1), 3);
}

// MOD-013, TVE-072
static void policies_read_final_base_or_bonus(void **state)
{
    fixture *f = *state;
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
            kn_magnitude_attribute(f->health, KN_CAPTURE_FROM_TARGET, false, 1);
        magnitude.capture.value = cases[i].value;
        types[i] = adding(f, cases[i].name, f->armor, magnitude);
    }
    kn_effect_type_id bonus = simple(f, "Plus40", KN_DURATION_INFINITE, f->health, KN_OP_ADD, 40);
    begin(f);
    apply(f, bonus);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        assert_near(magnitude_at(f, types[i], 1), cases[i].expected);
    }
}

// MOD-013: the value as it stands before a channel.
static void policy_reads_the_value_below_a_channel(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->health, KN_OP_ADD, 40),
        kn_modifier_constant(f->health, KN_OP_MULTIPLY, 2),
    };
    modifiers[1].channel = 3;
    kn_effect_def def = effect_def("Layers", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id layers = effect_register(f, &def);
    kn_magnitude magnitude = kn_magnitude_attribute(f->health, KN_CAPTURE_FROM_TARGET, false, 1);
    magnitude.capture.value = KN_CAPTURE_UP_TO_CHANNEL;
    magnitude.capture.channel = 3;
    kn_effect_type_id below = adding(f, "Below", f->armor, magnitude);
    magnitude.capture.channel = 4;
    kn_effect_type_id above = adding(f, "Above", f->armor, magnitude);
    begin(f);
    apply(f, layers);

    assert_near(magnitude_at(f, below, 1), 140);
    assert_near(magnitude_at(f, above, 1), 280);
}

// MOD-012: the value looked up in a curve.
static void value_may_be_looked_up_in_a_final_curve(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{0, 0}, {100, 1}};
    kn_magnitude magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    magnitude.final_curve = curve_of(f, "Share", KN_CURVE_LINEAR, points, COUNT(points));
    kn_effect_type_id type = adding(f, "Looked", f->armor, magnitude);
    begin(f);
    set_base(f, f->hero, f->attack, 25);

    assert_near(magnitude_at(f, type, 1), 0.25f);
}

// MOD-012: an attribute that is not there refuses, unless a default is declared.
static void missing_attribute_refuses_or_uses_the_default(void **state)
{
    fixture *f = *state;
    kn_magnitude magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    kn_effect_type_id strict = adding(f, "Strict", f->armor, magnitude);
    magnitude.capture.has_default = true;
    magnitude.capture.default_value = 9;
    kn_effect_type_id lenient = adding(f, "Lenient", f->armor, magnitude);
    begin(f);
    kn_entity_id nobody = {0}, bare;
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);

    assert_int_equal(kn_effect_apply_simple(f->world, strict, nobody, f->foe, 1, NULL),
        KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(kn_effect_apply_simple(f->world, strict, bare, f->foe, 1, NULL),
        KN_REFUSED_MISSING_ATTRIBUTE);
    assert_near(current(f, f->armor), 5);
    assert_int_equal(kn_effect_apply_simple(f->world, lenient, bare, f->foe, 1, NULL), KN_OK);
    assert_near(current(f, f->armor), 14);
}

// When it is read -----------------------------------------------------------------

static kn_effect_type_id capturing(
    fixture *f, const char *name, kn_attribute_id read, kn_capture_from from, bool snapshot)
{
    return adding(f, name, f->speed, kn_magnitude_attribute(read, from, snapshot, 1));
}

static kn_effect_id spec_to_foe(fixture *f, kn_spec_id spec)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, &effect), KN_OK);
    return effect;
}

// TVE-080, MMC-005, MOD-014: source Attack 10 at creation, 20 at application, 30 afterwards.
static void source_is_captured_at_creation_or_followed_from_application(void **state)
{
    fixture *f = *state;
    kn_effect_type_id snapshot = capturing(f, "Snapshot", f->attack, KN_CAPTURE_FROM_SOURCE, true);
    kn_effect_type_id live = capturing(f, "Live", f->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(f);
    set_base(f, f->hero, f->attack, 10);
    kn_spec_id snapshot_spec = spec_of(f, snapshot);
    kn_spec_id live_spec = spec_of(f, live);

    set_base(f, f->hero, f->attack, 20);
    kn_effect_id snapshot_effect = spec_to_foe(f, snapshot_spec);
    kn_effect_id live_effect = spec_to_foe(f, live_spec);
    assert_near(kn_effect_magnitude(f->world, snapshot_effect, 0), 10);
    assert_near(kn_effect_magnitude(f->world, live_effect, 0), 20);
    assert_near(current(f, f->speed), 630);

    set_base(f, f->hero, f->attack, 30);
    assert_near(kn_effect_magnitude(f->world, snapshot_effect, 0), 10);
    assert_near(kn_effect_magnitude(f->world, live_effect, 0), 30);
    assert_near(current(f, f->speed), 640);
}

// TVE-081, MMC-005, MOD-014: target Armor 5 at creation, 8 at application, 12 afterwards.
static void target_is_captured_or_followed_from_application(void **state)
{
    fixture *f = *state;
    kn_effect_type_id snapshot = capturing(f, "Snapshot", f->armor, KN_CAPTURE_FROM_TARGET, true);
    kn_effect_type_id live = capturing(f, "Live", f->armor, KN_CAPTURE_FROM_TARGET, false);
    begin(f);
    set_base(f, f->foe, f->armor, 5);
    kn_spec_id snapshot_spec = spec_of(f, snapshot);
    kn_spec_id live_spec = spec_of(f, live);

    set_base(f, f->foe, f->armor, 8);
    kn_effect_id snapshot_effect = spec_to_foe(f, snapshot_spec);
    kn_effect_id live_effect = spec_to_foe(f, live_spec);
    assert_near(kn_effect_magnitude(f->world, snapshot_effect, 0), 8);
    assert_near(kn_effect_magnitude(f->world, live_effect, 0), 8);

    set_base(f, f->foe, f->armor, 12);
    assert_near(kn_effect_magnitude(f->world, snapshot_effect, 0), 8);
    assert_near(kn_effect_magnitude(f->world, live_effect, 0), 12);
    assert_near(current(f, f->speed), 620);
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
    fixture *f = *state;
    kn_capture captures[] = {
        {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE, .snapshot = true},
        {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET, .snapshot = true},
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Four";
    def.captures = captures;
    def.capture_count = COUNT(captures);
    def.function = four_in_one;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_effect_type_id type = adding(f, "Four", f->speed, kn_magnitude_calculation(calculation));
    begin(f);
    kn_spec_id spec = spec_of(f, type);

    set_base(f, f->hero, f->attack, 20);
    set_base(f, f->foe, f->armor, 8);
    kn_effect_id effect = spec_to_foe(f, spec);
    assert_near(kn_effect_magnitude(f->world, effect, 0), 8082010);
    set_base(f, f->hero, f->attack, 30);
    set_base(f, f->foe, f->armor, 9);

    assert_near(kn_effect_magnitude(f->world, effect, 0), 9083010);
}

// EFF-012, MMC-005, MMC-009: an attribute of one entity moves a modifier on another, whatever
// moves it.
static void live_magnitude_follows_temporary_changes_too(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->speed;
    modifier.magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 1);
    kn_effect_def timed = effect_def("Live", KN_DURATION_TIMED, &modifier, 1);
    timed.duration = kn_magnitude_constant(20);
    kn_effect_type_id live = effect_register(f, &timed);
    kn_effect_type_id rage = simple(f, "Rage", KN_DURATION_TIMED, f->attack, KN_OP_ADD, 5);
    begin(f);
    apply(f, live);
    assert_near(current(f, f->speed), 610);
    kn_effect_apply_def on_self = from_hero(f, rage);
    on_self.target = f->hero;

    assert_int_equal(kn_effect_apply(f->world, &on_self, NULL), KN_OK);
    assert_near(current(f, f->speed), 615);
    step(f, KN_S(10));

    assert_near(current(f, f->speed), 610);
}

// MMC-009: when the source leaves the world, the last value stays.
static void live_magnitude_freezes_when_its_source_is_gone(void **state)
{
    fixture *f = *state;
    kn_effect_type_id live = capturing(f, "Live", f->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(f);
    kn_effect_id effect = apply(f, live);
    set_base(f, f->hero, f->attack, 33);

    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_near(current(f, f->speed), 633);
    assert_int_equal(kn_effect_set_level(f->world, effect, 2), KN_OK);
    assert_int_equal(kn_effect_refresh(f->world, effect), KN_OK);
    step(f, KN_S(1));

    assert_near(current(f, f->speed), 633);
    assert_true(kn_effect_is_alive(f->world, effect));
}

// MMC-009, SPC-002: a spec outlives its source as well.
static void spec_applied_after_its_source_is_gone_uses_its_snapshot(void **state)
{
    fixture *f = *state;
    kn_effect_type_id snapshot = capturing(f, "Snapshot", f->attack, KN_CAPTURE_FROM_SOURCE, true);
    kn_effect_type_id live = capturing(f, "Live", f->attack, KN_CAPTURE_FROM_SOURCE, false);
    begin(f);
    kn_spec_id snapshot_spec = spec_of(f, snapshot);
    kn_spec_id live_spec = spec_of(f, live);
    assert_true(kn_entity_destroy(f->world, f->hero));

    spec_to_foe(f, snapshot_spec);
    assert_near(current(f, f->speed), 610);
    kn_effect_id effect = {77, 77};
    assert_int_equal(
        kn_spec_apply(f->world, live_spec, f->foe, &effect), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_near(current(f, f->speed), 610);
}

// MMC-005: an instant effect reads without a snapshot at application, and never again.
static void instant_effect_reads_at_application(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = f->health;
    modifiers[0].magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, true, -1);
    modifiers[1].attribute = f->speed;
    modifiers[1].magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, -1);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_spec_id spec = spec_of(f, type);
    set_base(f, f->hero, f->attack, 20);

    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_OK);
    set_base(f, f->hero, f->attack, 30);

    assert_near(base(f, f->health), 90);
    assert_near(base(f, f->speed), 580);
}

// MMC-005: each tick of a periodic effect sees its followed capture.
static void periodic_effect_follows_a_live_capture(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, -1);
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id live = effect_register(f, &def);
    modifier.attribute = f->mana;
    modifier.magnitude.capture.snapshot = true;
    def.name = "Drain";
    kn_effect_type_id snapshot = effect_register(f, &def);
    begin(f);
    apply(f, live);
    apply(f, snapshot);

    step(f, KN_S(1));
    assert_near(base(f, f->health), 90);
    assert_near(base(f, f->mana), 50);
    set_base(f, f->hero, f->attack, 25);
    step(f, KN_S(1));

    assert_near(base(f, f->health), 65);
    assert_near(base(f, f->mana), 40);
}

// BEY-026, MMC-009: the weapon in the context can be read like source and target, is followed like
// them, and leaves its last value.
static void causer_of_the_context_can_be_captured(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = capturing(f, "Weapon", f->attack, KN_CAPTURE_FROM_CAUSER, false);
    begin(f);
    kn_entity_id sword = entity_create(f);
    add_set(f, sword, f->set);
    set_base(f, sword, f->attack, 70);
    kn_effect_context context = {.causer = sword};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    assert_near(current(f, f->speed), 670);
    assert_int_equal(try_apply(f, type), KN_REFUSED_MISSING_ATTRIBUTE);
    set_base(f, f->hero, f->attack, 1);
    set_base(f, f->foe, f->attack, 2);
    set_base(f, sword, f->attack, 75);
    assert_near(current(f, f->speed), 675);
    assert_true(kn_entity_destroy(f->world, sword));
    step(f, 0);
    assert_near(current(f, f->speed), 675);
}

// Cycles ----------------------------------------------------------------------

// MMC-009, EFF-012: an attribute that would depend on itself is refused, and nothing changes.
static void effect_that_closes_a_circle_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id self = adding(
        f, "Self", f->speed, kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 0.5f));
    kn_effect_type_id speed_to_armor = adding(f, "SpeedToArmor", f->armor,
        kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 1));
    kn_effect_type_id armor_to_speed = adding(f, "ArmorToSpeed", f->speed,
        kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, false, 1));
    kn_effect_type_id once = adding(
        f, "Once", f->speed, kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, true, 1));
    begin(f);

    assert_int_equal(try_apply(f, self), KN_REFUSED_CYCLE);
    apply(f, speed_to_armor);
    assert_near(current(f, f->armor), 605);
    assert_int_equal(try_apply(f, armor_to_speed), KN_REFUSED_CYCLE);
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);

    apply(f, once); // a snapshot closes no circle
    assert_near(current(f, f->speed), 1205);
    assert_near(current(f, f->armor), 1210);
}

// MMC-009: over two entities as well.
static void circle_over_two_entities_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id take = adding(f, "Take", f->attack,
        kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, false, 0.5f));
    begin(f);
    apply(f, take);
    assert_near(current(f, f->attack), 15);
    kn_effect_id effect = {77, 77};

    assert_int_equal(
        kn_effect_apply_simple(f->world, take, f->foe, f->hero, 1, &effect), KN_REFUSED_CYCLE);

    assert_true(kn_effect_id_is_null(effect));
    assert_near(kn_attribute_value(f->world, f->hero, f->attack), 10);
}

#define WAY_MAX 80

// Attributes Way.A0 to Way.A79, and for each but the last an effect that adds it to the next.
static void way_register(fixture *f, kn_attribute_set_id *set, kn_effect_type_id links[WAY_MAX])
{
    static char names[WAY_MAX][24];
    kn_attribute_def defs[WAY_MAX];
    for (uint32_t i = 0; i < WAY_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "A%u", i);
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
    }
    *set = set_register(f, "Way", defs, WAY_MAX);
    for (uint32_t i = 0; i + 1 < WAY_MAX; i++) {
        char from[24], to[24], name[24];
        (void)snprintf(from, sizeof(from), "Way.A%u", i);
        (void)snprintf(to, sizeof(to), "Way.A%u", i + 1);
        (void)snprintf(name, sizeof(name), "Link%u", i);
        kn_attribute_id read = kn_attribute_find(f->library, from);
        links[i] = adding(f, name, kn_attribute_find(f->library, to),
            kn_magnitude_attribute(read, KN_CAPTURE_FROM_TARGET, false, 1));
    }
}

// MMC-009: the search for a circle has limits. A way beyond 64 links counts as one, however it is
// made; among very many short ways the search ends, and what it did not find is no reason to
// refuse.
static void a_way_of_more_than_64_links_counts_as_a_circle(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_effect_type_id links[WAY_MAX];
    way_register(f, &set, links);
    begin(f);
    add_set(f, f->foe, set);
    // From the end to the beginning: 65 attributes depend on the one that is added last.
    for (uint32_t i = 70; i > 5; i--) {
        assert_int_equal(try_apply(f, links[i]), KN_OK);
    }
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(try_apply(f, links[5]), KN_REFUSED_CYCLE);
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_int_equal(kn_effects_count(f->world, f->foe), 65);
    set_base(f, f->foe, kn_attribute_find(f->library, "Way.A6"), 3);
    assert_near(current(f, kn_attribute_find(f->library, "Way.A71")), 3);
}

// MMC-009
static void a_search_among_very_many_ways_ends(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set;
    kn_effect_type_id links[WAY_MAX];
    way_register(f, &set, links);
    begin(f);
    add_set(f, f->foe, set);
    for (uint32_t i = 14; i > 0; i--) { // two to the power of 14 ways
        assert_int_equal(try_apply(f, links[i]), KN_OK);
        assert_int_equal(try_apply(f, links[i]), KN_OK);
    }
    assert_int_equal(try_apply(f, links[0]), KN_OK);
    set_base(f, f->foe, kn_attribute_find(f->library, "Way.A0"), 1);
    assert_near(current(f, kn_attribute_find(f->library, "Way.A15")), 16384);
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(captures, tests, NULL, NULL);
