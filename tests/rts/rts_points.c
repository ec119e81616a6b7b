// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ability points: learning, raising, refunding, and why not.

#include "rts/rts_test.h"

typedef struct game {
    fixture f;
    kn_ability_type_id fireball, thorns, blink, storm, slash;
    kn_rts_unit_def def;
    kn_rts_unit_type_id type;
    kn_entity_id hero;
    float told; // the level that the instance of Fireball was told
} game;

static void level_changed(const kn_ability_call *call, float old_level)
{
    game *g = call->user;
    assert_true(old_level != kn_ability_level(call->world, call->ability));
    g->told = kn_ability_level(call->world, call->ability);
}

// Fireball is there from the beginning and has three levels, Blink and Storm can be learned, and
// Slash is of others.
static game *game_open(void)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    fixture_open(&g->f);
    kn_ability_def fireball = kn_ability_def_default();
    fireball.name = "Fireball";
    fireball.level_changed = level_changed;
    fireball.user = g;
    assert_int_equal(kn_ability_register(g->f.library, &fireball, &g->fireball, NULL), KN_OK);
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    rise.name = "Fire";
    rise.ability = g->fireball;
    rise.max_level = 3;
    assert_int_equal(kn_rts_ability_register(g->f.library, &rise, NULL), KN_OK);
    g->thorns = ability_add(&g->f, "Thorns", 0);
    g->blink = ability_add(&g->f, "Blink", 2);
    g->storm = ability_add(&g->f, "Storm", 1);
    g->slash = ability_add(&g->f, "Slash", 4);
    g->def = kn_rts_unit_def_default();
    g->def.name = "Mage";
    g->def.can_level = true;
    g->def.max_level = 10;
    g->def.experience_per_level = kn_constant(100);
    g->def.ability_points = 1;
    return g;
}

static void game_begin(game *g)
{
    const kn_ability_type_id first[] = {g->fireball, g->thorns}, later[] = {g->blink, g->storm};
    g->def.abilities = first;
    g->def.ability_count = 2;
    g->def.unlockable_abilities = later;
    g->def.unlockable_ability_count = 2;
    g->type = unit_type_add(&g->f, &g->def);
    world_begin(&g->f);
    g->hero = unit_create(&g->f, g->type, g->f.us);
}

static game *game_create(void)
{
    game *g = game_open();
    game_begin(g);
    return g;
}

static void game_destroy(game *g)
{
    fixture_close(&g->f);
    free(g);
}

static uint32_t level_of(const game *g, kn_ability_type_id ability)
{
    return kn_rts_ability_level_of(g->f.world, g->hero, ability);
}

static uint32_t points(const game *g)
{
    return kn_rts_points(g->f.world, g->hero);
}

static kn_result raise(game *g, kn_ability_type_id ability, bool uses_point)
{
    return kn_rts_raise_ability(g->f.world, g->hero, ability, uses_point);
}

// RTSV-A1, RTSV-A2, RTSV-A3, RTSV-A4, RTS-067, RTS-069, RTS-018, RTS-024, RTS-105
static void points_raise_abilities_up_to_their_maximum(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(level_of(g, g->fireball), 1);
    assert_int_equal(raise(g, g->fireball, true), KN_OK);
    assert_int_equal(level_of(g, g->fireball), 2);
    assert_int_equal(points(g), 0);
    assert_true(g->told == 2);
    assert_string_equal(events_of(&g->f, g->hero), "Fireball 1->2 points 1->0");
    assert_int_equal(raise(g, g->fireball, true), KN_REFUSED_COST);
    assert_int_equal(level_of(g, g->fireball), 2);
    assert_int_equal(raise(g, g->fireball, false), KN_OK);
    assert_int_equal(level_of(g, g->fireball), 3);
    assert_int_equal(points(g), 0);
    assert_string_equal(events_of(&g->f, g->hero), "Fireball 2->3 free");
    assert_int_equal(raise(g, g->fireball, false), KN_REFUSED_LIMIT);
    assert_int_equal(raise(g, g->thorns, false), KN_REFUSED_LIMIT); // it never rises
    assert_string_equal(events_of(&g->f, g->hero), "");
    game_destroy(g);
}

// RTSV-A5, RTSV-A6, RTS-004, RTS-067, RTS-068, RTS-275
static void unlockable_abilities_are_learned_for_a_point(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(level_of(g, g->blink), 0);
    assert_int_equal(raise(g, g->slash, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(raise(g, (kn_ability_type_id){0}, true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(raise(g, (kn_ability_type_id){99}, true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(points(g), 1);
    assert_int_equal(raise(g, g->blink, true), KN_OK);
    assert_int_equal(level_of(g, g->blink), 1);
    assert_int_equal(points(g), 0);
    assert_string_equal(events_of(&g->f, g->hero), "Blink 0->1 points 1->0");
    assert_int_equal(raise(g, g->storm, true), KN_REFUSED_COST);
    assert_int_equal(level_of(g, g->storm), 0);
    assert_int_equal(
        kn_rts_raise_ability(g->f.world, g->f.us, g->blink, true), KN_REFUSED_NOT_FOUND);
    game_destroy(g);
}

// RTSV-A7, RTS-070
static void the_usual_level_for_an_ability_is_twice_its_level_plus_one(void **state)
{
    game *g = game_open();
    (void)state;
    const kn_curve_id curve = curve_add(&g->f, "Needs", (const float[]){6, 11}, 2);
    kn_ability_def def = kn_ability_def_default();
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    kn_ability_type_id late;
    def.name = "Late";
    assert_int_equal(kn_ability_register(g->f.library, &def, &late, NULL), KN_OK);
    rise.name = "Late";
    rise.unit_level = kn_by_level(1, curve);
    assert_int_equal(kn_rts_ability_register(g->f.library, &rise, NULL), KN_OK);
    game_begin(g);
    for (uint32_t level = 0; level < 4; level++) {
        assert_int_equal(kn_rts_required_level(g->f.library, g->fireball, level), level * 2 + 1);
    }
    // As data: the curve begins at 1, and level 0 has the first point.
    assert_int_equal(kn_rts_required_level(g->f.library, late, 0), 6);
    assert_int_equal(kn_rts_required_level(g->f.library, late, 1), 6);
    assert_int_equal(kn_rts_required_level(g->f.library, late, 2), 11);
    game_destroy(g);
}

// RTS-070, RTS-069: a player needs the level, a rule does not.
static void players_learn_with_the_level_they_need(void **state)
{
    game *g = game_create();
    kn_rts_learn_info info;
    (void)state;
    assert_false(kn_rts_can_learn(g->f.world, g->hero, g->fireball, &info));
    assert_int_equal(info.why_not, KN_RTS_LEVEL_TOO_LOW);
    assert_int_equal(info.level, 1);
    assert_int_equal(info.max_level, 3);
    assert_int_equal(info.required_level, 3);
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->fireball), KN_REFUSED_REQUIREMENT);
    assert_int_equal(points(g), 1);
    assert_true(kn_rts_can_learn(g->f.world, g->hero, g->blink, &info));
    assert_int_equal(info.why_not, 0);
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 3), KN_OK);
    assert_true(kn_rts_can_learn(g->f.world, g->hero, g->fireball, NULL));
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->fireball), KN_OK);
    assert_int_equal(level_of(g, g->fireball), 2);
    assert_int_equal(points(g), 2);
    game_destroy(g);
}

// All reasons at once, for user interfaces.
static void every_reason_is_reported(void **state)
{
    game *g = game_create();
    kn_rts_learn_info info;
    (void)state;
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 0), KN_OK);
    (void)kn_rts_can_learn(g->f.world, g->hero, g->thorns, &info);
    assert_int_equal(info.why_not, KN_RTS_NO_POINTS | KN_RTS_AT_MAXIMUM | KN_RTS_LEVEL_TOO_LOW);
    (void)kn_rts_can_learn(g->f.world, g->hero, g->slash, &info);
    assert_int_equal(info.why_not, KN_RTS_NOT_ITS | KN_RTS_NO_POINTS);
    (void)kn_rts_can_learn(g->f.world, g->f.us, g->slash, &info);
    assert_int_equal(info.why_not, KN_RTS_NO_UNIT);
    (void)kn_rts_can_learn(g->f.world, g->hero, (kn_ability_type_id){0}, &info);
    assert_int_equal(info.why_not, KN_RTS_NOT_ITS);
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->blink), KN_REFUSED_COST);
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->slash), KN_REFUSED_COST);
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 1), KN_OK);
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->slash), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_learn(g->f.world, g->hero, g->thorns), KN_REFUSED_LIMIT);
    game_destroy(g);
}

// RTS-066
static void points_can_be_set(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 4), KN_OK);
    assert_int_equal(points(g), 4);
    assert_string_equal(events_of(&g->f, g->hero), "points 1->4");
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 4), KN_OK);
    assert_string_equal(events_of(&g->f, g->hero), "");
    game_destroy(g);
}

static void points_come_back(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 3), KN_OK);
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->fireball), KN_REFUSED_NOT_FOUND);
    assert_int_equal(raise(g, g->fireball, true), KN_OK);
    assert_int_equal(raise(g, g->fireball, false), KN_OK);
    assert_int_equal(raise(g, g->blink, true), KN_OK);
    assert_int_equal(kn_rts_points_spent(g->f.world, g->hero, g->fireball), 1);
    assert_int_equal(kn_rts_points_spent(g->f.world, g->hero, g->blink), 1);
    assert_int_equal(kn_rts_points_spent(g->f.world, g->f.us, g->blink), 0);
    (void)events_of(&g->f, g->hero);
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->fireball), KN_OK);
    assert_int_equal(level_of(g, g->fireball), 2); // what was free stays
    assert_int_equal(kn_rts_points_spent(g->f.world, g->hero, g->fireball), 0);
    assert_int_equal(points(g), 2);
    assert_string_equal(events_of(&g->f, g->hero), "Fireball 3->2 points 1->2");
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->fireball), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->blink), KN_OK);
    assert_int_equal(level_of(g, g->blink), 0);
    assert_int_equal(kn_abilities_find(g->f.world, g->hero, NULL, NULL, 0), 2); // it is gone
    assert_int_equal(points(g), 3);
    game_destroy(g);
}

static void a_reset_takes_back_all_that_was_paid(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 5), KN_OK);
    assert_int_equal(raise(g, g->fireball, true), KN_OK);
    assert_int_equal(raise(g, g->blink, true), KN_OK);
    assert_int_equal(raise(g, g->fireball, true), KN_OK);
    assert_int_equal(raise(g, g->storm, false), KN_OK);
    assert_int_equal(kn_rts_reset_abilities(g->f.world, g->hero), KN_OK);
    assert_int_equal(points(g), 5);
    assert_int_equal(level_of(g, g->fireball), 1);
    assert_int_equal(level_of(g, g->blink), 0);
    assert_int_equal(level_of(g, g->storm), 1);
    assert_int_equal(kn_rts_reset_abilities(g->f.world, g->hero), KN_OK);
    assert_int_equal(points(g), 5);
    game_destroy(g);
}

// What something else has revoked gives its points back all the same.
static void points_of_an_ability_that_is_gone_come_back(void **state)
{
    game *g = game_create();
    kn_ability_query query = kn_ability_query_default();
    (void)state;
    assert_int_equal(raise(g, g->blink, true), KN_OK);
    query.type = g->blink;
    assert_int_equal(kn_abilities_remove(g->f.world, g->hero, &query, KN_GRANT_CANCEL), 1);
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->blink), KN_OK);
    assert_int_equal(points(g), 1);
    game_destroy(g);
}

// RTS-071: one that is granted at level 0 is not learned, and can be.
static void level_0_is_not_learned(void **state)
{
    game *g = game_create();
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    (void)state;
    grant.type = g->slash;
    grant.level = 0;
    assert_int_equal(kn_ability_grant(g->f.world, g->hero, &grant, NULL), KN_OK);
    assert_int_equal(level_of(g, g->slash), 0);
    assert_int_equal(raise(g, g->slash, true), KN_OK);
    assert_int_equal(level_of(g, g->slash), 1);
    assert_int_equal(kn_rts_refund_ability(g->f.world, g->hero, g->slash), KN_OK);
    assert_int_equal(level_of(g, g->slash), 0);
    assert_int_equal(kn_abilities_find(g->f.world, g->hero, NULL, NULL, 0), 3); // still granted
    game_destroy(g);
}

// RTS-271: players ask by a command, which only those may send who control the unit.
static void players_learn_by_command(void **state)
{
    game *g = game_create();
    const kn_rts_learn_command payload = {g->blink};
    kn_command command = {.type = kn_command_find(g->f.library, "rts_learn"),
        .entity = g->hero,
        .payload = &payload,
        .size = sizeof(payload),
        .connection = 7};
    (void)state;
    assert_int_equal(kn_world_command(g->f.world, &command, NULL), KN_OK);
    step_ms(&g->f, 10);
    assert_int_equal(level_of(g, g->blink), 0);
    assert_int_equal(kn_entity_set_connection(g->f.world, g->hero, 7), KN_OK);
    assert_int_equal(kn_world_command(g->f.world, &command, NULL), KN_OK);
    step_ms(&g->f, 10);
    assert_int_equal(level_of(g, g->blink), 1);
    assert_int_equal(points(g), 0);
    game_destroy(g);
}

// RTS-072, RTS-073
static void abilities_have_places(void **state)
{
    game *g = game_create();
    (void)state;
    const kn_ability_type_id all[] = {g->fireball, g->thorns, g->blink, g->storm, {0}};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(kn_rts_unit_ability(g->f.library, g->type, i).index1, all[i].index1);
    }
    assert_int_equal(kn_rts_unit_ability(g->f.library, (kn_rts_unit_type_id){9}, 0).index1, 0);
    game_destroy(g);
}

// One that descends from an ability is another one.
static void descendants_are_other_abilities(void **state)
{
    game *g = game_open();
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id frost;
    (void)state;
    def.name = "Frostball";
    def.parent = "Blink";
    assert_int_equal(kn_ability_register(g->f.library, &def, &frost, NULL), KN_OK);
    game_begin(g);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = frost;
    assert_int_equal(kn_ability_grant(g->f.world, g->hero, &grant, NULL), KN_OK);
    assert_int_equal(level_of(g, g->blink), 0);
    assert_int_equal(level_of(g, frost), 1);
    assert_int_equal(raise(g, g->blink, true), KN_OK);
    assert_int_equal(level_of(g, g->blink), 1);
    game_destroy(g);
}

static void definitions_of_abilities_that_make_no_sense_are_refused(void **state)
{
    game *g = game_open();
    kn_error error = {0};
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    (void)state;
    rise.name = "Again";
    rise.ability = g->fireball;
    assert_int_equal(kn_rts_ability_register(g->f.library, &rise, &error), KN_OK);
    assert_int_equal(kn_library_finish(g->f.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "the ability `Fireball` has one already"));
    game_destroy(g);
    g = game_open();
    rise.name = "Nothing";
    rise.ability.index1 = 0;
    assert_int_equal(kn_rts_ability_register(g->f.library, &rise, &error), KN_OK);
    assert_int_equal(kn_library_finish(g->f.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "there is no ability of this name"));
    assert_int_equal(kn_rts_ability_register(g->f.library, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    game_destroy(g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_raise_abilities_up_to_their_maximum),
    cmocka_unit_test(unlockable_abilities_are_learned_for_a_point),
    cmocka_unit_test(the_usual_level_for_an_ability_is_twice_its_level_plus_one),
    cmocka_unit_test(players_learn_with_the_level_they_need),
    cmocka_unit_test(every_reason_is_reported),
    cmocka_unit_test(points_can_be_set),
    cmocka_unit_test(points_come_back),
    cmocka_unit_test(a_reset_takes_back_all_that_was_paid),
    cmocka_unit_test(points_of_an_ability_that_is_gone_come_back),
    cmocka_unit_test(level_0_is_not_learned),
    cmocka_unit_test(players_learn_by_command),
    cmocka_unit_test(abilities_have_places),
    cmocka_unit_test(descendants_are_other_abilities),
    cmocka_unit_test(definitions_of_abilities_that_make_no_sense_are_refused),
};

TEST_GROUP(rts_points, tests, NULL, NULL);
