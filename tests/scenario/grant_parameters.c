// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Parameters on grants: every effect that an ability applies gets them, wherever the grant came
// from.

#include "scenario/ability_fixture.h"

static struct {
    kn_name power, cost;
    kn_effect_type_id hit; // adds the parameter `Power` to Health of the owner
    kn_ability_type_id strike;
} the;

// Health of the hero is 100 less what was paid; Mana pays the parameter `Cost`.
static void stage(fixture *f)
{
    the.power = name_of(f, "Power");
    the.cost = name_of(f, "Cost");
    kn_parameter_def parameter = {.name = the.power, .value = 1.0f};
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_parameter(the.power);
    kn_effect_def def = instant("Hit");
    def.parameters = &parameter;
    def.parameter_count = 1;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    the.hit = effect_register(f, &def);
    kn_parameter_def price = {.name = the.cost, .value = 0.0f};
    kn_modifier_def pays = kn_modifier_def_default();
    pays.attribute = f->mana;
    pays.magnitude = kn_magnitude_parameter(the.cost);
    kn_effect_def cost = instant("Price");
    cost.parameters = &price;
    cost.parameter_count = 1;
    cost.modifiers = &pays;
    cost.modifier_count = 1;
    kn_ability_apply_def applies = kn_ability_apply_def_default();
    applies.effect = the.hit;
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.body = KN_BODY_USE;
    ability.applies = &applies;
    ability.apply_count = 1;
    ability.cost_effect = effect_register(f, &cost);
    the.strike = ability_register(f, &ability);
}

static kn_ability_id grant_with(fixture *f, const kn_named_value *parameters, uint32_t count)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = the.strike;
    def.parameters = parameters;
    def.parameter_count = count;
    kn_ability_id ability = {0};
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
    return ability;
}

// By how much an activation changes Health.
static float struck(fixture *f, kn_world *world, kn_ability_id ability)
{
    float before = kn_attribute_base(world, f->hero, f->health);
    assert_int_equal(kn_ability_activate(world, ability, NULL, NULL), KN_OK);
    return kn_attribute_base(world, f->hero, f->health) - before;
}

static void every_effect_of_the_ability_gets_them(void **state)
{
    fixture *f = *state;
    stage(f);
    begin(f);
    set_base(f, f->hero, f->mana, 50.0f);
    kn_named_value parameters[] = {{the.cost, -20.0f}, {the.power, -7.0f}};
    kn_ability_id plain = grant_with(f, NULL, 0), ability = grant_with(f, parameters, 2);
    assert_near(struck(f, f->world, plain), 1.0f); // the effect's default
    assert_near(kn_attribute_base(f->world, f->hero, f->mana), 50.0f);
    assert_near(struck(f, f->world, ability), -7.0f);
    assert_near(kn_attribute_base(f->world, f->hero, f->mana), 30.0f);
    assert_near(kn_ability_parameter(f->world, ability, the.power, 0.0f), -7.0f);
    assert_near(kn_ability_parameter(f->world, plain, the.power, 9.0f), 9.0f);

    assert_int_equal(kn_ability_set_parameter(f->world, ability, the.power, -2.0f), KN_OK);
    assert_int_equal(published(f, KN_EVENT_ABILITY_CHANGED, NULL), 1);
    assert_near(struck(f, f->world, ability), -2.0f);
    assert_near(kn_attribute_base(f->world, f->hero, f->mana), 10.0f);
    assert_int_equal(kn_ability_check(f->world, ability, NULL), KN_FAIL_COST); // 20 of 10
    assert_int_equal(kn_ability_set_parameter(f->world, ability, the.cost, -10.0f), KN_OK);
    assert_int_equal(kn_ability_check(f->world, ability, NULL), 0);
}

static void dumps_list_them(void **state)
{
    fixture *f = *state;
    stage(f);
    kn_tag bonus = tag_of(f, "Data.Bonus");
    begin(f);
    kn_named_value parameters[] = {{the.cost, -20.0f}, {the.power, -7.5f}};
    kn_ability_id ability = grant_with(f, parameters, 2);
    assert_int_equal(kn_ability_set_caller_value(f->world, ability, bonus, 3.0f), KN_OK);
    static char text[65536];
    (void)kn_entity_dump(f->world, f->hero, text, sizeof text);
    assert_non_null(strstr(text, ", Data.Bonus = 3"));
    assert_non_null(strstr(text, kn_name_text(f->library, the.cost)));
    assert_non_null(strstr(text, " = -20"));
    assert_non_null(strstr(text, " = -7.5"));
    (void)kn_entity_dump_json(f->world, f->hero, text, sizeof text);
    assert_non_null(strstr(text, "\"caller_values\":{\"Data.Bonus\":3}"));
    assert_non_null(strstr(text, "\"parameters\":{"));
    assert_non_null(strstr(text, ":-7.5"));
}

static void what_an_application_gives_wins(void **state)
{
    fixture *f = *state;
    stage(f);
    kn_ability_def stays = kn_ability_def_default();
    stays.name = "Stance";
    stays.body = KN_BODY_STAY;
    kn_ability_type_id stance = ability_register(f, &stays);
    begin(f);
    kn_named_value parameter = {the.power, -7.0f}, own = {the.power, -3.0f};
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = stance;
    grant.parameters = &parameter;
    grant.parameter_count = 1;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &ability), KN_OK);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = the.hit;
    def.target = f->hero;
    assert_int_equal(kn_activation_apply_def(f->world, activation, &def, NULL), KN_OK);
    assert_near(kn_attribute_base(f->world, f->hero, f->health), 93.0f);
    def.named_values = &own;
    def.named_value_count = 1;
    assert_int_equal(kn_activation_apply_def(f->world, activation, &def, NULL), KN_OK);
    assert_near(kn_attribute_base(f->world, f->hero, f->health), 90.0f);
}

static void effects_sets_and_archetypes_grant_with_parameters(void **state)
{
    fixture *f = *state;
    stage(f);
    kn_named_value parameters[] = {{the.power, -11.0f}, {the.power, -12.0f}, {the.power, -13.0f}};
    kn_grant_def grant = kn_grant_def_default();
    grant.ability = name_of(f, "Strike");
    grant.parameters = &parameters[0];
    grant.parameter_count = 1;
    kn_effect_def gift = infinite("Gift");
    gift.grants = &grant;
    gift.grant_count = 1;
    kn_effect_type_id gives = effect_register(f, &gift);
    kn_ability_set_entry entry = {.type = the.strike,
        .level = 1.0f,
        .input = KN_INPUT_FROM_DEF,
        .parameters = &parameters[1],
        .parameter_count = 1};
    kn_ability_set_def set_def = kn_ability_set_def_default();
    set_def.name = "Kit";
    set_def.entries = &entry;
    set_def.entry_count = 1;
    kn_ability_set_id set;
    assert_int_equal(kn_ability_set_register(f->library, &set_def, &set, NULL), KN_OK);
    entry.parameters = &parameters[2];
    kn_archetype_def archetype = kn_archetype_def_default();
    archetype.name = "Hero";
    archetype.abilities = &entry;
    archetype.ability_count = 1;
    kn_archetype_id kind;
    assert_int_equal(kn_archetype_register(f->library, &archetype, &kind, NULL), KN_OK);
    parameters[0].value = parameters[1].value = parameters[2].value = 0.0f; // they were copied
    begin(f);
    kn_effect_id effect = afflict(f, gives);
    kn_ability_query query = kn_ability_query_default();
    query.effect = effect;
    kn_ability_id ability = {0};
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, &ability, 1), 1);
    assert_near(struck(f, f->world, ability), -11.0f);
    assert_int_equal(kn_ability_set_grant(f->world, f->hero, set, &ability, 1), KN_OK);
    assert_near(struck(f, f->world, ability), -12.0f);
    kn_entity_id entity;
    assert_int_equal(kn_archetype_spawn(f->world, kind, 1.0f, &entity), KN_OK);
    query = kn_ability_query_default();
    assert_int_equal(kn_abilities_find(f->world, entity, &query, &ability, 1), 1);
    assert_near(kn_ability_parameter(f->world, ability, the.power, 0.0f), -13.0f);
}

static void parameters_are_state(void **state)
{
    fixture *f = *state;
    stage(f);
    begin(f);
    kn_named_value parameters[] = {{the.power, -4.0f}, {the.cost, -1.0f}};
    uint64_t bare = kn_world_hash(f->world);
    kn_ability_id ability = grant_with(f, parameters, 2);
    uint64_t hash = kn_world_hash(f->world);
    assert_true(hash != bare);
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_int_equal(kn_ability_set_parameter(f->world, ability, the.power, -5.0f), KN_OK);
    assert_true(kn_world_hash(f->world) != hash);
    assert_near(struck(f, f->world, ability), -5.0f);
    snapshot_restore(f->world, bytes, size);
    assert_true(kn_world_hash(f->world) == hash);
    assert_near(struck(f, f->world, ability), -4.0f);
    assert_near(struck(f, loaded, ability), -4.0f);
    assert_same_worlds(f->world, loaded);
    kn_world_destroy(loaded);
    free(bytes);
}

static void a_new_grant_at_another_level_keeps_them(void **state)
{
    fixture *f = *state;
    the.power = name_of(f, "Power");
    kn_ability_def def = kn_ability_def_default();
    def.name = "Aura";
    def.body = KN_BODY_STAY;
    def.level_up = KN_LEVEL_UP_REGRANT;
    the.strike = ability_register(f, &def);
    begin(f);
    kn_named_value parameter = {the.power, 6.0f};
    kn_ability_id ability = grant_with(f, &parameter, 1), old = ability;
    assert_int_equal(kn_ability_set_level(f->world, &ability, 2.0f), KN_OK);
    assert_false(kn_ability_is_alive(f->world, old));
    assert_near(kn_ability_parameter(f->world, ability, the.power, 0.0f), 6.0f);
}

static void what_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    stage(f);
    kn_named_value many[KN_ABILITY_VALUES_MAX + 1];
    for (uint32_t i = 0; i <= KN_ABILITY_VALUES_MAX; i++) {
        many[i] = (kn_named_value){the.power, 1.0f};
    }
    kn_named_value nameless = {.value = 1.0f};
    kn_grant_def grant = kn_grant_def_default();
    grant.ability = name_of(f, "Strike");
    grant.parameters = &nameless;
    grant.parameter_count = 1;
    kn_effect_def gift = infinite("Gift");
    gift.grants = &grant;
    gift.grant_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &gift, &type, &error), KN_ERROR_BAD_DATA);
    begin(f);
    uint64_t hash = kn_world_hash(f->world);
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = the.strike;
    def.parameters = many;
    def.parameter_count = KN_ABILITY_VALUES_MAX + 1;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_REFUSED_LIMIT);
    def.parameter_count = 1;
    many[0].value = NAN;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_REFUSED_BAD_NUMBER);
    def.parameters = &nameless;
    assert_int_equal(
        kn_ability_grant(f->world, f->hero, &def, &ability), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_world_hash(f->world) == hash);
    assert_int_equal(
        kn_ability_set_parameter(f->world, ability, the.power, 1.0f), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(every_effect_of_the_ability_gets_them),
    TEST(what_an_application_gives_wins),
    TEST(effects_sets_and_archetypes_grant_with_parameters),
    TEST(parameters_are_state),
    TEST(a_new_grant_at_another_level_keeps_them),
    TEST(what_makes_no_sense_is_refused),
    TEST(dumps_list_them),
};

TEST_GROUP(grant_parameters, tests, NULL, NULL);
