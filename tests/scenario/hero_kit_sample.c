// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The hero kit as a sample: a shooter for several players, a server and a client of one of them.
// The test is the transport between the two.

#include "scenario/ability_fixture.h"
#include "scenes/hero_kit.h"

enum { ALICE = 1, BOB = 2 };

typedef struct match {
    kn_library *library;
    kn_world *server, *alice; // the server's world, and that of one client
    kn_entity_id hero, rival, minion;
} match;

static kn_world *joined(const match *m, uint32_t connection)
{
    size_t size;
    void *save = save_of(m->server, &size);
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    def.is_client = true;
    def.connection = connection;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    assert_int_equal(kn_save_read(world, save, size, NULL), KN_OK);
    free(save);
    return world;
}

static int match_setup(void **state)
{
    match *m = calloc(1, sizeof(*m));
    kn_error error;
    assert_int_equal(
        scene_create_library(scene_find("hero_kit"), NULL, &m->library, &error), KN_OK);
    assert_int_equal(scene_create_empty_world(m->library, NULL, &m->server), KN_OK);
    scene_stage stage = {m->server, m->library, KN_OK};
    m->hero = hero_kit_add_hero(&stage, HERO_SIDE_LEFT, (kn_vec3){0, 0, 0}, false);
    m->rival = hero_kit_add_hero(&stage, HERO_SIDE_RIGHT, (kn_vec3){300, 0, 0}, false);
    m->minion = hero_kit_add_minion(&stage, HERO_SIDE_RIGHT, (kn_vec3){900, 0, 0}, true, false);
    assert_int_equal(stage.result, KN_OK);
    assert_int_equal(kn_entity_set_connection(m->server, m->hero, ALICE), KN_OK);
    assert_int_equal(kn_entity_set_connection(m->server, m->rival, BOB), KN_OK);
    m->alice = joined(m, ALICE);
    *state = m;
    return 0;
}

static int match_teardown(void **state)
{
    match *m = *state;
    kn_world_destroy(m->alice);
    kn_world_destroy(m->server);
    kn_library_destroy(m->library);
    free(m);
    return 0;
}

#define MATCH(test) cmocka_unit_test_setup_teardown(test, match_setup, match_teardown)

static kn_ability_id ability_of(const kn_world *world, kn_entity_id entity, const char *name)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(kn_world_library(world), name);
    kn_ability_id ability;
    assert_int_equal(kn_abilities_find(world, entity, &query, &ability, 1), 1);
    return ability;
}

static float value(const kn_world *world, kn_entity_id entity, const char *name)
{
    return kn_attribute_value(world, entity, rule_attribute(world, name));
}

static void run(kn_world *world, kn_time dt)
{
    assert_int_equal(kn_world_step(world, dt), KN_OK);
    assert_true(kn_world_validate(world));
}

static uint32_t count_events(const kn_world *world, kn_event_type type)
{
    kn_events events = kn_world_events(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

// A press on the client, and what it asks for carried out by the server.
static void press(match *m, uint32_t input)
{
    run(m->alice, 0);
    assert_int_equal(kn_input_press(m->alice, m->hero, input), KN_OK);
    run(m->alice, 0);
    kn_events events = kn_world_events(m->alice);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_REQUEST &&
            (event->data.request.parts & KN_REQUEST_PART_ACTIVATE) != 0) {
            assert_int_equal(
                kn_peer_activate(m->server, ALICE, event->data.request.ability, NULL, NULL), KN_OK);
        }
    }
}

static void run_both(match *m, kn_time dt)
{
    run(m->alice, dt);
    run(m->server, dt);
}

// COM-010, SMP-003 (11), SMP-004, MAP-026: jump, aim, sprint and dash are predicted whole, and one
// function reads what is predicted and what is not.
static void what_a_hero_does_to_itself_is_predicted(void **state)
{
    match *m = *state;
    const kn_ability_def *jump =
        kn_ability_type_get_def(m->library, kn_ability_type_find(m->library, "GA_Jump"));
    assert_int_equal(jump->instancing, KN_INSTANCING_NONE);
    assert_int_equal(jump->net_execution, KN_NET_EXECUTION_LOCAL_PREDICTED);
    press(m, HERO_INPUT_JUMP);
    assert_int_equal(count_events(m->alice, KN_EVENT_CUE), 1);
    press(m, HERO_INPUT_SPRINT);
    assert_true(value(m->alice, m->hero, "Hero.MoveSpeed") == 800.0f);
    assert_true(value(m->server, m->hero, "Hero.MoveSpeed") == 800.0f);
    press(m, HERO_INPUT_AIM);
    assert_true(kn_entity_has_tag(m->alice, m->hero, rule_tag(m->alice, "State.Aiming")));
    assert_true(kn_entity_has_tag(m->server, m->hero, rule_tag(m->server, "State.Aiming")));
    press(m, HERO_INPUT_DASH);
    assert_int_equal(kn_motions(m->alice, m->hero, NULL, 0), 1);
    assert_true(value(m->alice, m->hero, "Hero.Stamina") == 70.0f); // 5 to sprint, 25 to dash
    assert_true(value(m->server, m->hero, "Hero.Stamina") == 70.0f);
}

// COM-010, SMP-003 (10), SMP-004, SMP-008: of a shot the client sees the animation; the bullet is
// the server's.
static void a_shot_is_shown_by_the_client_and_hits_on_the_server(void **state)
{
    match *m = *state;
    uint32_t entities = kn_entity_count(m->alice);
    press(m, HERO_INPUT_FIRE);
    assert_int_equal(count_events(m->alice, KN_EVENT_ANIMATION), 1);
    run_both(m, KN_S(1));
    assert_true(value(m->alice, m->rival, "Hero.Health") == 120.0f);
    assert_true(value(m->server, m->rival, "Hero.Health") < 120.0f);
    assert_int_equal(kn_entity_count(m->alice), entities); // nothing was spawned ahead
    assert_false(kn_ability_is_active(m->alice, ability_of(m->alice, m->hero, "GA_FireGun")));
    assert_false(kn_ability_is_active(m->server, ability_of(m->server, m->hero, "GA_FireGun")));
}

// COM-010, SMP-004: of a meteor the client predicts the aiming and the price, not what it does.
static void a_meteor_is_aimed_by_the_client_and_falls_on_the_server(void **state)
{
    match *m = *state;
    press(m, HERO_INPUT_METEOR);
    press(m, HERO_INPUT_CONFIRM);
    run(m->server, 0);
    assert_int_equal(kn_input_press(m->server, m->hero, HERO_INPUT_CONFIRM), KN_OK);
    assert_true(value(m->alice, m->hero, "Hero.Mana") == 60.0f);
    assert_true(value(m->server, m->hero, "Hero.Mana") == 60.0f);
    run_both(m, KN_MS(1200));
    assert_true(value(m->alice, m->rival, "Hero.Health") == 120.0f);
    assert_false(kn_entity_has_tag(m->alice, m->rival, rule_tag(m->alice, "State.Stunned")));
    assert_true(value(m->server, m->rival, "Hero.Health") < 120.0f);
    assert_true(kn_entity_has_tag(m->server, m->rival, rule_tag(m->server, "State.Stunned")));
}

static uint32_t armour_stacks(const kn_world *world, kn_entity_id entity)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = rule_effect(world, "GE_Armour");
    kn_effect_id effect;
    return kn_effects_find(world, entity, &query, &effect, 1) == 0
               ? 0
               : kn_effect_stacks(world, effect);
}

// COM-010, ABI-073, SMP-004: armour is not predicted: one stack every 4 s up to 4, one lost by each
// wound.
static void armour_grows_on_the_server_alone(void **state)
{
    match *m = *state;
    kn_ability_id armour = ability_of(m->server, m->hero, "GA_PassiveArmour");
    assert_true(kn_ability_is_active(m->server, armour));
    assert_int_equal(
        kn_ability_check(m->alice, armour, NULL) & KN_FAIL_NETWORKING, KN_FAIL_NETWORKING);
    for (uint32_t i = 1; i <= 5; i++) {
        run(m->server, KN_S(4));
        assert_int_equal(armour_stacks(m->server, m->hero), i < 4 ? i : 4);
    }
    assert_int_equal(kn_entity_set_connection(m->server, m->rival, 0), KN_OK); // now an AI's
    assert_int_equal(kn_input_press(m->server, m->rival, HERO_INPUT_FIRE), KN_OK);
    run(m->server, KN_S(1));
    assert_int_equal(armour_stacks(m->server, m->hero), 3);
}

// COM-010, SMP-001, SMP-006: several players, each in control of one hero, and nobody of minions.
static void every_client_plays_its_own_hero(void **state)
{
    match *m = *state;
    kn_world *bob = joined(m, BOB);
    assert_int_equal(kn_entity_role(m->alice, m->hero), KN_ROLE_OWNER);
    assert_int_equal(kn_entity_role(m->alice, m->rival), KN_ROLE_OBSERVER);
    assert_int_equal(kn_entity_role(bob, m->rival), KN_ROLE_OWNER);
    assert_int_equal(kn_entity_role(m->server, m->minion), KN_ROLE_AUTHORITY);
    kn_ability_id jump = ability_of(bob, m->rival, "GA_Jump");
    assert_int_equal(kn_ability_activate(bob, jump, NULL, NULL), KN_OK);
    assert_int_equal(kn_ability_activate(m->alice, jump, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_activate(m->server, BOB, jump, NULL, NULL), KN_OK);
    assert_int_equal(kn_peer_activate(m->server, ALICE, jump, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_abilities_find(m->server, m->minion, NULL, NULL, 0), 0);
    kn_world_destroy(bob);
}

// SMP-002, SMP-003 (1): a hero's component stays with the player when its body is gone; a minion is
// its body.
static void heroes_outlive_their_bodies_and_minions_do_not(void **state)
{
    match *m = *state;
    kn_world *world = m->server;
    kn_entity_id player = m->hero, body;
    kn_attribute_id mana = rule_attribute(world, "Hero.Mana");
    assert_int_equal(kn_entity_create(world, &body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(world, player, body), KN_OK);
    assert_int_equal(kn_attribute_set_base(world, player, mana, 0, 55.0f), KN_OK);
    assert_true(value(world, body, "Hero.Mana") == 55.0f); // the body answers for the player
    assert_true(kn_entity_id_equal(kn_entity_actor(world, body), player));
    uint32_t abilities = kn_abilities_find(world, player, NULL, NULL, 0);
    assert_true(kn_entity_destroy(world, body));
    kn_entity_id second;
    assert_int_equal(kn_entity_create(world, &second), KN_OK);
    assert_int_equal(kn_entity_set_avatar(world, player, second), KN_OK);
    assert_true(value(world, second, "Hero.Mana") == 55.0f);
    assert_int_equal(kn_abilities_find(world, player, NULL, NULL, 0), abilities);
    // The minion has no player behind it.
    assert_true(kn_entity_id_equal(kn_entity_actor(world, m->minion), m->minion));
    assert_true(kn_entity_id_equal(kn_entity_avatar(world, m->minion), m->minion));
    assert_true(kn_entity_destroy(world, m->minion));
    assert_true(value(world, m->minion, "Hero.Health") == 0.0f);
    run(world, KN_S(1));
}

// SMP-007: the names of a kit say what a thing is; no ability's logic is a script's yet.
static void names_say_what_a_thing_is(void **state)
{
    match *m = *state;
    uint32_t abilities = 0, effects = 0, cues = 0;
    for (uint32_t i = 1; *kn_ability_type_name(m->library, (kn_ability_type_id){i}) != 0; i++) {
        const char *name = kn_ability_type_name(m->library, (kn_ability_type_id){i});
        assert_memory_equal(name, "GA_", 3);
        assert_null(strstr(name, "_BP"));
        abilities++;
    }
    kn_tag root = kn_tag_find(m->library, "GameplayCue");
    for (uint32_t i = 1; *kn_effect_type_name(m->server, (kn_effect_type_id){i}) != 0; i++) {
        const char *name = kn_effect_type_name(m->server, (kn_effect_type_id){i});
        assert_memory_equal(name, "GE_", 3);
        effects++;
        kn_tags tags = kn_effect_type_get_def(m->server, (kn_effect_type_id){i})->cue_tags;
        for (uint32_t t = 0; t < tags.count; t++) {
            assert_true(kn_tag_matches(m->library, tags.data[t], root));
            cues++;
        }
    }
    assert_int_equal(abilities, 7);
    assert_true(effects >= 6 && cues >= 2);
}

static const struct CMUnitTest tests[] = {
    MATCH(what_a_hero_does_to_itself_is_predicted),
    MATCH(a_shot_is_shown_by_the_client_and_hits_on_the_server),
    MATCH(a_meteor_is_aimed_by_the_client_and_falls_on_the_server),
    MATCH(armour_grows_on_the_server_alone),
    MATCH(every_client_plays_its_own_hero),
    MATCH(heroes_outlive_their_bodies_and_minions_do_not),
    MATCH(names_say_what_a_thing_is),
};

TEST_GROUP(hero_kit_sample, tests, NULL, NULL);
