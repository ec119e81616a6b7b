// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The chance of an effect as a magnitude: of attributes, calculations and what the caller gives.

#include "scenario/effect_fixture.h"

static uint32_t applied_of(fixture *f, const kn_effect_apply_def *def, uint32_t times)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < times; i++) {
        kn_effect_id effect;
        kn_result result = kn_effect_apply(f->world, def, &effect);
        assert_true(result == KN_OK || result == KN_REFUSED_CHANCE);
        count += result == KN_OK;
    }
    return count;
}

static kn_effect_type_id likely(fixture *f, const char *name, kn_magnitude chance)
{
    kn_effect_def def = instant(name);
    def.chance = chance;
    return effect_register(f, &def);
}

static kn_effect_refusal refusal_of(fixture *f, kn_effect_apply_def def, kn_result expected)
{
    kn_effect_refusal refusal = {0}, asked = {0};
    def.refusal = &refusal;
    uint32_t reasons = kn_effect_explain(f->world, &def, &asked, 1);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), expected);
    assert_int_equal(refusal.reason, expected);
    if (expected != KN_REFUSED_CHANCE || refusal.have <= 0.0f) {
        assert_int_equal(reasons, 1);
        assert_int_equal(asked.reason, expected);
        assert_int_equal(asked.tag.index1, refusal.tag.index1);
        assert_int_equal(asked.attribute.index1, refusal.attribute.index1);
        assert_int_equal(asked.from, refusal.from);
    }
    return refusal;
}

static void a_chance_follows_attributes_of_source_and_target(void **state)
{
    fixture *f = *state;
    kn_effect_type_id by_source = likely(
        f, "BySource", kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 0.01f));
    kn_effect_type_id by_target = likely(
        f, "ByTarget", kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, true, 0.01f));
    begin(f);
    set_base(f, f->hero, f->power, 100.0f);
    set_base(f, f->foe, f->power, 0.0f);
    set_base(f, f->hero, f->armor, 0.0f);
    set_base(f, f->foe, f->armor, 120.0f); // more than certain
    kn_effect_apply_def source = from_hero(f, by_source), target = from_hero(f, by_target);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(applied_of(f, &source, 20), 20);
    assert_int_equal(applied_of(f, &target, 20), 20);
    assert_true(kn_world_hash(f->world) == before); // certain outcomes draw no number

    set_base(f, f->hero, f->power, -5.0f);
    assert_near(refusal_of(f, source, KN_REFUSED_CHANCE).have, -0.05f);
    set_base(f, f->foe, f->armor, 0.0f);
    assert_near(refusal_of(f, target, KN_REFUSED_CHANCE).have, 0.0f);

    set_base(f, f->hero, f->power, 25.0f);
    uint32_t count = applied_of(f, &source, 2000);
    assert_in_range(count, 420, 580);
    kn_effect_refusal refusal = {0};
    source.refusal = &refusal;
    while (applied_of(f, &source, 1) == 1) {
    }
    assert_near(refusal.have, 0.25f);
    char text[64];
    (void)kn_effect_refusal_print(f->world, &refusal, text, sizeof(text));
    assert_string_equal(text, "by chance (0.25)");
}

static void a_chance_of_the_caller_must_be_given(void **state)
{
    fixture *f = *state;
    kn_tag tag = tag_of(f, "Data.Chance");
    kn_effect_type_id type = likely(f, "Told", kn_magnitude_set_by_caller(tag));
    kn_magnitude magnitude = kn_magnitude_set_by_caller(tag);
    magnitude.has_default = true;
    magnitude.default_value = 1.0f;
    kn_effect_type_id lenient = likely(f, "Lenient", magnitude);
    begin(f);
    kn_effect_apply_def def = from_hero(f, type);
    assert_int_equal(refusal_of(f, def, KN_REFUSED_MISSING_VALUE).tag.index1, tag.index1);
    kn_caller_value value = {tag, 1.0f};
    def.caller_values = &value;
    def.caller_value_count = 1;
    assert_int_equal(applied_of(f, &def, 5), 5);
    value.value = 0.0f;
    assert_int_equal(applied_of(f, &def, 5), 0);
    def = from_hero(f, lenient);
    assert_int_equal(applied_of(f, &def, 5), 5);
}

static float half_per_level(void *user, const kn_calculation *calculation)
{
    uint32_t *calls = user;
    ++*calls;
    return kn_spec_view_level(kn_calculation_spec(calculation)) - 1.0f;
}

static void a_chance_may_be_calculated(void **state)
{
    fixture *f = *state;
    uint32_t calls = 0;
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Luck";
    calculation.function = half_per_level;
    calculation.user = &calls;
    kn_calculation_id luck, formula;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &luck, NULL), KN_OK);
    calculation = kn_calculation_def_default();
    calculation.name = "Formula";
    calculation.expression = "source.Unit.Power / target.Unit.Mana";
    assert_int_equal(kn_calculation_register(f->library, &calculation, &formula, NULL), KN_OK);
    kn_effect_type_id by_luck = likely(f, "ByLuck", kn_magnitude_calculation(luck));
    kn_effect_type_id by_formula = likely(f, "ByFormula", kn_magnitude_calculation(formula));
    begin(f);
    kn_effect_apply_def def = from_hero(f, by_luck);
    def.level = 2.0f;
    assert_int_equal(applied_of(f, &def, 3), 3);
    def.level = 1.0f;
    calls = 0;
    kn_effect_refusal refusal = {.have = 7.0f};
    def.refusal = &refusal;
    assert_int_equal(applied_of(f, &def, 1), 0);
    assert_int_equal(calls, 1); // saying why calls nothing again
    assert_near(refusal.have, 0.0f);

    def = from_hero(f, by_formula);
    set_base(f, f->foe, f->mana, 0.0f); // a division by zero
    (void)refusal_of(f, def, KN_REFUSED_BAD_NUMBER);
    set_base(f, f->foe, f->mana, 5.0f);
    assert_int_equal(applied_of(f, &def, 3), 3);
    def.source = entity_create(f); // without the attribute
    kn_effect_refusal why = refusal_of(f, def, KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(why.attribute.index1, f->power.index1);
    assert_int_equal(why.from, KN_CAPTURE_FROM_SOURCE);
}

static void a_chance_that_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = instant("Bad");
    def.chance = kn_magnitude_constant(1.5f);
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def.chance = kn_magnitude_of(KN_MAGNITUDE_ATTRIBUTE);
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def.chance = kn_magnitude_of(KN_MAGNITUDE_CALCULATION);
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def.chance = kn_magnitude_of(KN_MAGNITUDE_SET_BY_CALLER);
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    begin(f);
}

static void a_chance_counts_the_stacks_that_are_applied(void **state)
{
    fixture *f = *state;
    kn_magnitude magnitude = kn_magnitude_of(KN_MAGNITUDE_STACKS);
    magnitude.post_add = kn_constant(-2.0f);
    kn_effect_type_id type = likely(f, "Many", magnitude);
    begin(f);
    kn_effect_apply_def def = from_hero(f, type);
    assert_int_equal(applied_of(f, &def, 3), 0);
    def.stacks = 3;
    assert_int_equal(applied_of(f, &def, 3), 3);
}

static void what_was_made_at_run_time_keeps_its_chance_in_a_save(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_effect_def def = infinite("Late");
    def.chance = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 0.01f);
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(f->world, &def, &type, NULL), KN_OK);
    set_base(f, f->hero, f->power, 100.0f);
    apply(f, type);
    set_base(f, f->hero, f->power, 50.0f);
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    kn_effect_apply_def again = from_hero(f, type);
    uint32_t count = applied_of(f, &again, 50);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, bytes, size);
    assert_int_equal(applied_of(f, &again, 50), count);
    assert_true(kn_world_hash(f->world) == hash);
    kn_world *world = f->world;
    f->world = loaded;
    assert_int_equal(applied_of(f, &again, 50), count);
    assert_same_worlds(loaded, world);
    kn_world_destroy(world);
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    TEST(a_chance_follows_attributes_of_source_and_target),
    TEST(a_chance_of_the_caller_must_be_given),
    TEST(a_chance_may_be_calculated),
    TEST(a_chance_that_makes_no_sense_is_refused),
    TEST(a_chance_counts_the_stacks_that_are_applied),
    TEST(what_was_made_at_run_time_keeps_its_chance_in_a_save),
};

TEST_GROUP(chances, tests, NULL, NULL);
