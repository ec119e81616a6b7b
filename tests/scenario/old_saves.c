// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves of earlier versions of the format: what did not exist then has its default.

#include "scenario/fixture.h"
#include "scenario/save_version_4.h"

static int setup(void **state)
{
    kn_attribute_def attributes[] = {attribute_def("Health", 100)};
    fixture *f = fixture_create(0);
    fixture_set(f, "Unit", attributes, COUNT(attributes));
    (void)name_of(f, "Strike");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.body = KN_BODY_USE;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &ability, &type, NULL), KN_OK);
    *state = f;
    return 0;
}

static void effects_made_at_run_time_come_from_version_4(void **state)
{
    fixture *f = *state;
    begin(f);
    save_load(f->world, save_version_4, sizeof(save_version_4));
    kn_entity_id hero = {1, 1};
    assert_true(kn_entity_is_alive(f->world, hero));
    kn_effect_id effect;
    kn_effect_query query = kn_effect_query_default();
    assert_int_equal(kn_effects_find(f->world, hero, &query, &effect, 1), 1);
    kn_effect_info info;
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_int_equal(info.remaining, KN_S(29));
    const kn_effect_def *def = kn_effect_type_get_def(f->world, info.type);
    assert_string_equal(def->name, "Late");
    assert_int_equal(def->chance.kind, KN_MAGNITUDE_SCALABLE);
    assert_near(def->chance.scale.value, 0.75f);
    assert_int_equal(def->grant_count, 1);
    assert_near(def->grants[0].level.value, 2.0f);
    assert_int_equal(def->grants[0].input, 3);
    assert_int_equal(def->grants[0].parameter_count, 0);
    kn_ability_query abilities = kn_ability_query_default();
    abilities.effect = effect;
    kn_ability_id ability;
    assert_int_equal(kn_abilities_find(f->world, hero, &abilities, &ability, 1), 1);
    assert_near(kn_ability_level(f->world, ability), 2.0f);
    assert_near(kn_attribute_value(f->world, hero, f->health), 105.0f);

    kn_world *again = world_loaded(f, kn_world_def_default()); // written in the version of today
    assert_int_equal(kn_world_step(again, KN_S(40)), KN_OK);
    step(f, KN_S(40));
    assert_same_worlds(again, f->world);
    assert_int_equal(kn_effects_count(f->world, hero), 0);
    kn_world_destroy(again);
}

static const struct CMUnitTest tests[] = {
    TEST(effects_made_at_run_time_come_from_version_4),
};

TEST_GROUP(old_saves, tests, NULL, NULL);
