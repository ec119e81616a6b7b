// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The hero kit, ability by ability, driven by inputs as a player would.

#include "scenes/hero_kit.h"
#include "scenario/ability_fixture.h"

typedef struct kit {
    fixture f; // its log and its library; the world is the scene's
    scene_stage stage;
    kn_entity_id hero, rival, red, blue;
} kit;

static int kit_setup(void **state)
{
    kit *k = calloc(1, sizeof(*k));
    kn_error error;
    assert_int_equal(
        scene_create_library(scene_find("hero_kit"), NULL, &k->f.library, &error), KN_OK);
    assert_int_equal(scene_create_empty_world(k->f.library, NULL, &k->f.world), KN_OK);
    k->stage = (scene_stage){k->f.world, k->f.library, KN_OK};
    k->hero = hero_kit_add_hero(&k->stage, HERO_SIDE_LEFT, (kn_vec3){0, 0, 0}, false);
    k->rival = hero_kit_add_hero(&k->stage, HERO_SIDE_RIGHT, (kn_vec3){300, 0, 0}, false);
    k->red = hero_kit_add_minion(&k->stage, HERO_SIDE_RIGHT, (kn_vec3){2000, 0, 0}, true, false);
    k->blue = hero_kit_add_minion(&k->stage, HERO_SIDE_RIGHT, (kn_vec3){2500, 0, 0}, false, false);
    assert_int_equal(k->stage.result, KN_OK);
    *state = k;
    return 0;
}

static int kit_teardown(void **state)
{
    kit *k = *state;
    kn_world_destroy(k->f.world);
    kn_library_destroy(k->f.library);
    free(k);
    return 0;
}

static float value(const kit *k, kn_entity_id entity, const char *name)
{
    return kn_attribute_value(k->f.world, entity, rule_attribute(k->f.world, name));
}

static bool has(const kit *k, kn_entity_id entity, const char *tag)
{
    return kn_entity_has_tag(k->f.world, entity, rule_tag(k->f.world, tag));
}

static void press(const kit *k, uint32_t input)
{
    assert_int_equal(kn_input_press(k->f.world, k->hero, input), KN_OK);
}

static void release(const kit *k, uint32_t input)
{
    assert_int_equal(kn_input_release(k->f.world, k->hero, input), KN_OK);
}

// Executed cues of the last step.
static uint32_t cues(const kit *k, const char *tag, float *magnitude)
{
    kn_events events = kn_world_events(k->f.world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUE &&
            kn_tag_equal(events.data[i].data.cue.tag, rule_tag(k->f.world, tag))) {
            count++;
            *magnitude = events.data[i].data.cue.magnitude;
        }
    }
    return count;
}

// SMP-003 (20), SMP-004
static void a_jump_has_no_instance_and_is_over_at_once(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_JUMP);
    assert_int_equal(kn_activations(k->f.world, k->hero, NULL, 0), 1); // the passive armour
    step(&k->f, 0);
    float magnitude;
    assert_int_equal(cues(k, "GameplayCue.Jump", &magnitude), 1);
}

// SMP-003 (19): what is held keeps its state with the hero.
static void held_abilities_have_one_instance_per_hero(void **state)
{
    kit *k = *state;
    static const char *const names[] = {"GA_Aim", "GA_Sprint"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_type_id type = kn_ability_type_find(k->f.library, names[i]);
        assert_int_equal(
            kn_ability_type_get_def(k->f.library, type)->instancing, KN_INSTANCING_PER_ACTOR);
    }
    press(k, HERO_INPUT_AIM);
    assert_int_equal(kn_activations(k->f.world, k->hero, NULL, 0), 2); // and the passive armour
    assert_int_equal(kn_activations(k->f.world, k->rival, NULL, 0), 1);
}

// Fires, and gives the number that is shown when the bullet arrives.
static float shoot(kit *k, kn_time *flight)
{
    press(k, HERO_INPUT_FIRE);
    release(k, HERO_INPUT_FIRE);
    float magnitude = 0.0f, none;
    uint32_t numbers = 0;
    for (*flight = 0; numbers == 0 && *flight < KN_S(1); *flight += KN_MS(10)) {
        step(&k->f, KN_MS(10));
        numbers = cues(k, "GameplayCue.Number", &magnitude);
    }
    assert_int_equal(numbers, 1);
    assert_int_equal(cues(k, "GameplayCue.Impact", &none), 1);
    return magnitude;
}

// SMP-003 (6, 7, 10, 21), SMP-004
static void a_shot_is_mitigated_by_armour_and_shown_as_a_number(void **state)
{
    kit *k = *state;
    kn_time flight;
    float magnitude = shoot(k, &flight);
    assert_true(flight > KN_MS(100)); // the notify of the animation, then the flight
    assert_true(magnitude == 10.0f * 100.0f / 110.0f);
    assert_true(value(k, k->rival, "Hero.Health") == 120.0f - magnitude);
    assert_true(value(k, k->rival, "Hero.Damage") == 0.0f);
}

// SMP-004: a shot that is aimed does more.
static void an_aimed_shot_hits_harder(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_AIM);
    kn_time flight;
    assert_true(shoot(k, &flight) == 14.0f * 100.0f / 110.0f);
}

// SMP-003 (4, 5, 11), SMP-004, SMP-012, COM-003
static void aiming_slows_while_it_is_held(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_AIM);
    assert_true(has(k, k->hero, "State.Aiming"));
    assert_true(value(k, k->hero, "Hero.MoveSpeed") == 300.0f);
    assert_true(value(k, k->hero, "Hero.Stamina") == 100.0f);
    release(k, HERO_INPUT_AIM);
    assert_false(has(k, k->hero, "State.Aiming"));
    assert_true(value(k, k->hero, "Hero.MoveSpeed") == 500.0f);
    // The speed stays between 150 and 1000 whatever happens to it.
    kn_attribute_id speed = rule_attribute(k->f.world, "Hero.MoveSpeed");
    assert_int_equal(kn_attribute_set_base(k->f.world, k->hero, speed, 0, 5000.0f), KN_OK);
    assert_true(value(k, k->hero, "Hero.MoveSpeed") == 1000.0f);
    assert_int_equal(kn_attribute_set_base(k->f.world, k->hero, speed, 0, 1.0f), KN_OK);
    assert_true(value(k, k->hero, "Hero.MoveSpeed") == 150.0f);
}

// SMP-003 (12, 22), SMP-004
static void sprinting_costs_stamina_until_it_is_let_go_or_used_up(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_SPRINT);
    kn_tag cue = rule_tag(k->f.world, "GameplayCue.Sprint");
    assert_int_equal(kn_cue_count(k->f.world, k->hero, cue), 1);
    assert_true(value(k, k->hero, "Hero.MoveSpeed") == 800.0f);
    assert_true(value(k, k->hero, "Hero.Stamina") == 95.0f);
    step(&k->f, KN_MS(900)); // before the regeneration
    assert_true(value(k, k->hero, "Hero.Stamina") == 90.0f);
    release(k, HERO_INPUT_SPRINT);
    assert_int_equal(kn_cue_count(k->f.world, k->hero, cue), 0);
    kn_attribute_id stamina = rule_attribute(k->f.world, "Hero.Stamina");
    assert_int_equal(kn_attribute_set_base(k->f.world, k->hero, stamina, 0, 7.0f), KN_OK);
    press(k, HERO_INPUT_SPRINT);
    step(&k->f, KN_MS(600)); // 2 + 6 are left: one more drain, and none after that
    assert_true(has(k, k->hero, "State.Sprinting"));
    step(&k->f, KN_MS(500));
    assert_false(has(k, k->hero, "State.Sprinting"));
}

// SMP-004, CDC-002
static void a_dash_moves_and_has_two_charges(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_DASH);
    kn_motion_source source;
    assert_int_equal(kn_motions(k->f.world, k->hero, &source, 1), 1);
    step(&k->f, KN_MS(200));
    assert_int_equal(kn_motions(k->f.world, k->hero, &source, 1), 0);
    press(k, HERO_INPUT_DASH);
    step(&k->f, KN_MS(200));
    press(k, HERO_INPUT_DASH); // no charge left
    assert_int_equal(kn_motions(k->f.world, k->hero, &source, 1), 0);
    assert_true(value(k, k->hero, "Hero.Stamina") == 50.0f);
}

static uint32_t armour_stacks(const kit *k)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = rule_effect(k->f.world, "GE_Armour");
    kn_effect_id effect;
    return kn_effects_find(k->f.world, k->hero, &query, &effect, 1) == 0
               ? 0
               : kn_effect_stacks(k->f.world, effect);
}

// TVA-022, SMP-003 (5, 14, 15), SMP-004
static void armour_grows_every_four_seconds_and_wears_off_with_every_wound(void **state)
{
    kit *k = *state;
    const uint32_t expected[] = {0, 1, 2, 3, 4, 4};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(armour_stacks(k), expected[i]);
        step(&k->f, i < 5 ? KN_S(4) : KN_S(1));
    }
    assert_true(value(k, k->hero, "Hero.Armour") == 10.0f + 4 * 12.0f);
    kn_caller_value damage = {rule_tag(k->f.world, "Data.Damage"), 10.0f};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rule_effect(k->f.world, "GE_Damage");
    def.source = k->rival;
    def.target = k->hero;
    def.caller_values = &damage;
    def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(k->f.world, &def, NULL), KN_OK);
    assert_int_equal(armour_stacks(k), 3);
    step(&k->f, KN_S(3)); // counted from the activation
    assert_int_equal(armour_stacks(k), 4);
    kn_effect_query query = kn_effect_query_default(); // and without an ability
    query.type = rule_effect(k->f.world, "GE_Armour");
    assert_int_equal(
        kn_effects_remove(k->f.world, k->hero, &query, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_true(value(k, k->hero, "Hero.Armour") == 10.0f);
}

// SMP-003 (8, 13, 16, 22), SMP-004, ABI-012
static void a_meteor_is_aimed_confirmed_paid_and_falls(void **state)
{
    kit *k = *state;
    press(k, HERO_INPUT_METEOR);
    assert_true(value(k, k->hero, "Hero.Mana") == 100.0f); // aiming is free
    press(k, HERO_INPUT_CONFIRM);
    assert_true(value(k, k->hero, "Hero.Mana") == 60.0f);
    assert_true(has(k, k->hero, "Cooldown.Meteor"));
    step(&k->f, KN_MS(1199));
    assert_false(has(k, k->rival, "State.Stunned"));
    step(&k->f, KN_MS(1));
    assert_true(has(k, k->rival, "State.Stunned"));
    kn_tag cue = rule_tag(k->f.world, "GameplayCue.Stun");
    assert_int_equal(kn_cue_count(k->f.world, k->rival, cue), 1);
    assert_true(value(k, k->rival, "Hero.Health") < 120.0f);
    assert_false(has(k, k->red, "State.Stunned")); // far away
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(k->f.library, "GA_Meteor");
    query.is_active = true;
    assert_int_equal(kn_abilities_find(k->f.world, k->hero, &query, NULL, 0), 0); // it has ended
    kn_time remaining, total;
    kn_tag tag = rule_tag(k->f.world, "Cooldown.Meteor");
    kn_tags tags = {&tag, 1};
    assert_true(kn_cooldown_remaining(k->f.world, k->hero, tags, &remaining, &total));
    assert_int_equal(remaining, KN_MS(6800));
    step(&k->f, KN_MS(1500));
    assert_false(has(k, k->rival, "State.Stunned"));
    assert_int_equal(kn_cue_count(k->f.world, k->rival, cue), 0);
}

static void the_dead_are_not_stunned(void **state)
{
    kit *k = *state;
    kn_attribute_id health = rule_attribute(k->f.world, "Hero.Health");
    press(k, HERO_INPUT_METEOR);
    press(k, HERO_INPUT_CONFIRM);
    assert_int_equal(kn_attribute_set_base(k->f.world, k->rival, health, 0, 1.0f), KN_OK);
    step(&k->f, KN_MS(1200));
    assert_true(has(k, k->rival, "State.Dead"));
    assert_false(has(k, k->rival, "State.Stunned"));
    // And who is stunned is so until death at most.
    kn_effect_type_id stun = rule_effect(k->f.world, "GE_Stun");
    assert_int_equal(
        kn_effect_apply_simple(k->f.world, stun, k->rival, k->hero, 1.0f, NULL), KN_OK);
    assert_true(has(k, k->hero, "State.Stunned"));
    assert_int_equal(kn_entity_add_tag(k->f.world, k->hero, rule_tag(k->f.world, "State.Dead"),
                         KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
    assert_false(has(k, k->hero, "State.Stunned"));
}

// SMP-006
static void red_minions_regenerate_faster_and_blue_ones_start_with_more(void **state)
{
    kit *k = *state;
    assert_true(value(k, k->red, "Hero.HealthRegen") > value(k, k->blue, "Hero.HealthRegen"));
    assert_true(value(k, k->blue, "Hero.Health") > value(k, k->red, "Hero.Health"));
    assert_int_equal(kn_abilities_find(k->f.world, k->red, NULL, NULL, 0), 0);
}

// SMP-003 (9), SMP-009, COM-011
static void the_dead_pay_a_bounty_and_come_back(void **state)
{
    kit *k = *state;
    kn_attribute_id health = rule_attribute(k->f.world, "Hero.Health");
    assert_int_equal(kn_attribute_set_base(k->f.world, k->rival, health, 0, 5.0f), KN_OK);
    press(k, HERO_INPUT_FIRE);
    step(&k->f, KN_MS(300));
    assert_true(has(k, k->rival, "State.Dead"));
    kn_tag dead = kn_tag_find(k->f.library, "State.Dead");
    // Loose and of this machine alone.
    assert_int_equal(
        kn_entity_tag_count_origin(k->f.world, k->rival, dead, KN_TAG_ORIGIN_LOOSE), 1);
    assert_int_equal(kn_entity_tag_count_exact(k->f.world, k->rival, dead), 1);
    assert_true(value(k, k->hero, "Hero.Gold") == 5.0f);
    assert_true(value(k, k->hero, "Hero.XP") == 20.0f);
    kn_ability_id gun;
    kn_ability_query query = kn_ability_query_default();
    query.input = HERO_INPUT_FIRE;
    assert_int_equal(kn_abilities_find(k->f.world, k->rival, &query, &gun, 1), 1);
    assert_true((kn_ability_check(k->f.world, gun, NULL) & KN_FAIL_DEAD) != 0);
    step(&k->f, KN_S(3));
    assert_false(has(k, k->rival, "State.Dead"));
    assert_int_equal(
        kn_entity_tag_count_origin(k->f.world, k->rival, dead, KN_TAG_ORIGIN_LOOSE), 0);
    assert_true(value(k, k->rival, "Hero.Health") == 120.0f);
    assert_int_equal(kn_ability_check(k->f.world, gun, NULL), 0);
}

#define KIT(test) cmocka_unit_test_setup_teardown(test, kit_setup, kit_teardown)

static const struct CMUnitTest tests[] = {
    KIT(a_jump_has_no_instance_and_is_over_at_once),
    KIT(held_abilities_have_one_instance_per_hero),
    KIT(a_shot_is_mitigated_by_armour_and_shown_as_a_number),
    KIT(an_aimed_shot_hits_harder),
    KIT(aiming_slows_while_it_is_held),
    KIT(sprinting_costs_stamina_until_it_is_let_go_or_used_up),
    KIT(a_dash_moves_and_has_two_charges),
    KIT(armour_grows_every_four_seconds_and_wears_off_with_every_wound),
    KIT(a_meteor_is_aimed_confirmed_paid_and_falls),
    KIT(the_dead_are_not_stunned),
    KIT(red_minions_regenerate_faster_and_blue_ones_start_with_more),
    KIT(the_dead_pay_a_bounty_and_come_back),
};

TEST_GROUP(hero_kit, tests, NULL, NULL);
