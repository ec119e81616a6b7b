// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Players, teams and stances: what follows for relations, and what is published of it.

#include "rts/team_test.h"

#include "knack/rts_card.h"

#define VISIBLE KN_ORDER_VISIBLE

static uint32_t relation(const team_fixture *t, kn_entity_id from, kn_entity_id to)
{
    return kn_order_get_relation(t->f.world, from, to);
}

static const char *tags_between(const team_fixture *t, kn_entity_id from, kn_entity_id to)
{
    static char text[256];
    kn_tag tags[8];
    const uint32_t count = kn_rts_relation_tags(t->f.world, from, to, tags, 8);
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
            kn_tag_name(t->f.library, tags[i]) + strlen("Knack.Relation."));
    }
    return text;
}

// RTS-150, RTS-194, RTSV-R1, RTSV-R2, RTSV-R3, RTSV-R4
static void relations_follow_from_players(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id mine = scout_at(t, t->f.us, 0, 0, 5),
                       friend = scout_at(t, t->f.us, 90, 0, 5);
    const kn_entity_id enemy = scout_at(t, t->f.them, 3, 0, 1);
    const kn_entity_id far_enemy = scout_at(t, t->f.them, 50, 0, 1);
    kn_entity_id stone;
    assert_int_equal(kn_entity_create(t->f.world, &stone), KN_OK);
    rounds(t, 2);
    assert_string_equal(tags_between(t, mine, mine), "Friendly Self Visible SamePlayer");
    assert_string_equal(tags_between(t, mine, (kn_entity_id){0}), "Neutral");
    assert_string_equal(tags_between(t, (kn_entity_id){0}, mine), "Neutral");
    assert_string_equal(tags_between(t, mine, friend), "Friendly Visible SamePlayer");
    assert_string_equal(tags_between(t, mine, enemy), "Hostile Visible");
    assert_string_equal(tags_between(t, mine, far_enemy), "Hostile");
    assert_string_equal(tags_between(t, mine, stone), "Neutral Visible");
    // Players count as what belongs to them, and what belongs to nobody is neutral.
    assert_int_equal(relation(t, t->f.us, mine), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(relation(t, enemy, t->f.us), KN_ORDER_HOSTILE | VISIBLE);
    assert_int_equal(relation(t, stone, enemy), KN_ORDER_NEUTRAL | VISIBLE);
    assert_int_equal(kn_rts_get_stance(t->f.world, mine, enemy), KN_RTS_ENEMY);
    assert_int_equal(kn_rts_get_stance(t->f.world, mine, mine), KN_RTS_ALLY);
    assert_int_equal(kn_rts_get_stance(t->f.world, mine, stone), KN_RTS_INDIFFERENT);
    assert_int_equal(kn_rts_get_stance(t->f.world, (kn_entity_id){0}, mine), KN_RTS_INDIFFERENT);
}

static bool set_has(const kn_tag_set *set, kn_tag tag)
{
    return kn_tags_has_exact(kn_tag_set_view(set), tag);
}

// RTSV-R5: relation tags come along on both sides
static void tags_of_both_sides_have_the_relation(void **state)
{
    team_fixture *t = *state;
    const kn_tag a = tag_named(&t->f, "A"), b = tag_named(&t->f, "B");
    teams_begin(t);
    const kn_entity_id mine = scout_at(t, t->f.us, 0, 0, 5),
                       enemy = scout_at(t, t->f.them, 3, 0, 1);
    kn_tag_set from, to;
    gain(&t->f, mine, a);
    gain(&t->f, enemy, b);
    rounds(t, 1);
    kn_rts_source_and_target_tags(t->f.world, mine, enemy, &from, &to);
    const kn_tag hostile = kn_rts_tag(t->f.library, KN_RTS_HOSTILE);
    const kn_tag visible = kn_rts_tag(t->f.library, KN_RTS_VISIBLE);
    assert_true(set_has(&from, a) && !set_has(&from, b));
    assert_true(set_has(&to, b) && !set_has(&to, a));
    assert_true(set_has(&from, hostile) && set_has(&from, visible));
    assert_true(set_has(&to, hostile) && set_has(&to, visible));
}

// Three players who change sides: each direction for itself, with an event for each change.
static void stances_change_at_run_time(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id mine = scout_at(t, t->f.us, 0, 0, 0), its = scout_at(t, t->f.them, 9, 0, 0);
    step_ms(&t->f, 1);
    assert_int_equal(kn_rts_set_stance(world, t->f.us, t->f.them, KN_RTS_INDIFFERENT), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t), "1 to 2: indifferent, was enemy");
    assert_int_equal(relation(t, mine, its), KN_ORDER_NEUTRAL);
    assert_int_equal(relation(t, its, mine), KN_ORDER_HOSTILE);
    assert_int_equal(kn_rts_set_stance(world, t->f.us, t->f.them, KN_RTS_INDIFFERENT), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t), ""); // nothing has changed

    assert_int_equal(kn_rts_set_mutual_stance(world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t),
        "1 to 2: ally, was indifferent; 1 shares with 2; 2 to 1: ally, was enemy; 2 shares with 1; "
        "4 seen by 2 at 0,0; 5 seen by 1 at 9,0");
    assert_int_equal(relation(t, mine, its), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(relation(t, its, mine), KN_ORDER_FRIENDLY | VISIBLE);

    assert_int_equal(kn_rts_player_set_team(world, t->third, 7), KN_OK);
    assert_int_equal(kn_rts_player_set_team(world, t->f.them, 7), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t),
        "2 to 3: ally, was enemy; 2 shares with 3; 3 to 2: ally, was enemy; 3 shares with 2; "
        "5 seen by 3 at 9,0");
    assert_int_equal(kn_rts_team_of(world, its), 7);
    assert_int_equal(kn_rts_team_of(world, mine), 0);
    assert_int_equal(kn_rts_get_stance(world, t->third, t->f.us), KN_RTS_ENEMY);

    // A stance of its own goes before the team, until it is cleared.
    assert_int_equal(kn_rts_set_stance(world, t->third, t->f.them, KN_RTS_ENEMY), KN_OK);
    assert_int_equal(kn_rts_get_stance(world, t->third, its), KN_RTS_ENEMY);
    assert_int_equal(kn_rts_get_stance(world, its, t->third), KN_RTS_ALLY);
    assert_int_equal(kn_rts_clear_stance(world, t->third, t->f.them), KN_OK);
    assert_int_equal(kn_rts_get_stance(world, t->third, its), KN_RTS_ALLY);
    assert_int_equal(kn_rts_player_set_team(world, t->third, 0), KN_OK);
    assert_int_equal(kn_rts_get_stance(world, t->third, its), KN_RTS_ENEMY);
    assert_int_equal(kn_rts_get_stance(world, mine, its), KN_RTS_ALLY); // as was said
}

// What a player shares does not depend on its stance once somebody has said so.
static void sharing_is_independent_of_stances(void **state)
{
    team_fixture *t = *state;
    t->rules.stance = KN_RTS_INDIFFERENT;
    teams_begin(t);
    kn_world *world = t->f.world;
    assert_int_equal(kn_rts_get_stance(world, t->f.us, t->f.them), KN_RTS_INDIFFERENT);
    assert_false(kn_rts_shares_vision(world, t->f.us, t->f.them));
    assert_true(kn_rts_shares_vision(world, t->f.us, t->f.us));
    assert_int_equal(kn_rts_set_shares_vision(world, t->f.us, t->f.them, true), KN_OK);
    assert_true(kn_rts_shares_vision(world, t->f.us, t->f.them));
    assert_false(kn_rts_shares_vision(world, t->f.them, t->f.us));
    assert_int_equal(kn_rts_set_mutual_stance(world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    assert_int_equal(kn_rts_set_shares_vision(world, t->f.us, t->f.them, false), KN_OK);
    assert_false(kn_rts_shares_vision(world, t->f.us, t->f.them));
    assert_true(kn_rts_shares_vision(world, t->f.them, t->f.us));
    assert_false(kn_rts_shares_vision(world, t->f.them, (kn_entity_id){0}));
}

// Allies need not share what they see.
static void allies_may_keep_what_they_see(void **state)
{
    team_fixture *t = *state;
    t->rules.allies_share_vision = false;
    teams_begin(t);
    assert_int_equal(kn_rts_set_mutual_stance(t->f.world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    assert_false(kn_rts_shares_vision(t->f.world, t->f.us, t->f.them));
    const kn_entity_id mine = scout_at(t, t->f.us, 0, 0, 9);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, mine), "us");
}

// A unit belongs to the player at the end of the chain of its owners.
static void owners_of_owners_are_players(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id hero = scout_at(t, t->f.us, 0, 0, 5);
    const kn_entity_id wolf = scout_at(t, hero, 1, 0, 5), foe = scout_at(t, t->f.them, 2, 0, 5);
    assert_int_equal(kn_rts_players(t->f.world, NULL, 0), 3);
    assert_true(kn_entity_id_equal(kn_rts_player_of(t->f.world, wolf), t->f.us));
    assert_true(kn_entity_id_equal(kn_rts_player_of(t->f.world, t->f.us), t->f.us));
    assert_int_equal(kn_rts_player_of(t->f.world, (kn_entity_id){0}).index1, 0);
    assert_int_equal(relation(t, wolf, hero), KN_ORDER_FRIENDLY | VISIBLE);
    rounds(t, 2);
    assert_int_equal(relation(t, foe, wolf), KN_ORDER_HOSTILE | VISIBLE);
    // What follows for those whose owner has another owner is there after a round.
    own(&t->f, hero, t->f.them);
    assert_int_equal(relation(t, foe, hero), KN_ORDER_FRIENDLY | VISIBLE);
    rounds(t, 1);
    assert_int_equal(relation(t, foe, wolf), KN_ORDER_FRIENDLY | VISIBLE);
    own(&t->f, wolf, (kn_entity_id){0});
    assert_int_equal(kn_rts_player_of(t->f.world, wolf).index1, 0);
    assert_int_equal(relation(t, hero, wolf) & KN_ORDER_NEUTRAL, KN_ORDER_NEUTRAL);
}

// Without vision nobody has to be made a player: owners have the stance of the rules.
static void teams_need_no_vision(void **state)
{
    team_fixture *t = *state;
    t->rules.has_vision = false;
    t->rules.stance = KN_RTS_ALLY;
    assert_int_equal(kn_rts_team_rules_register(t->f.library, &t->rules, NULL), KN_OK);
    assert_false(kn_rts_has_teams(t->f.library));
    world_begin(&t->f);
    assert_true(kn_rts_has_teams(t->f.library));
    const kn_entity_id a = unit_create(&t->f, t->scout, t->f.us);
    const kn_entity_id b = unit_create(&t->f, t->scout, t->f.them);
    assert_int_equal(kn_rts_players(t->f.world, NULL, 0), 0);
    assert_int_equal(relation(t, a, b), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(relation(t, a, t->f.us), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(relation(t, t->f.us, a), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(relation(t, t->f.us, b), KN_ORDER_NEUTRAL | VISIBLE); // not a player yet
    assert_int_equal(kn_rts_get_stance(t->f.world, a, b), t->rules.stance);
    assert_int_equal(kn_rts_get_stance(t->f.world, t->f.us, b), KN_RTS_INDIFFERENT);
    assert_int_equal(kn_rts_set_stance(t->f.world, t->f.us, t->f.them, KN_RTS_ENEMY), KN_OK);
    assert_int_equal(relation(t, a, b), KN_ORDER_HOSTILE | VISIBLE);
    assert_int_equal(relation(t, b, a), KN_ORDER_FRIENDLY | VISIBLE);
    assert_int_equal(kn_rts_vision_add(t->f.world, a), KN_REFUSED_NOT_FOUND);
    assert_true(kn_rts_sees_place(t->f.world, a, (kn_vec3){99, 0, 0}));
    assert_true(kn_rts_is_visible(t->f.world, b, a));
}

static kn_result peaceful(void *user, const kn_hook_call *call)
{
    kn_order_relation_call *c = call->arguments;
    *(uint32_t *)user = c->relation;
    c->relation = KN_ORDER_NEUTRAL;
    return KN_OK;
}

// RTS-277: the hook of a game has the last word, and begins with the answer of the model
static void the_hook_of_a_game_has_the_last_word(void **state)
{
    team_fixture *t = *state;
    static uint32_t before;
    kn_order_rules_def rules = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.relation = (kn_hook){peaceful, &before};
    assert_int_equal(kn_order_rules_register(t->f.library, &rules, NULL), KN_OK);
    teams_begin(t);
    const kn_entity_id a = scout_at(t, t->f.us, 0, 0, 5), b = scout_at(t, t->f.them, 90, 0, 5);
    assert_int_equal(relation(t, a, b), KN_ORDER_NEUTRAL);
    assert_int_equal(before, KN_ORDER_HOSTILE); // and not visible
}

// Without team rules there is no model: owners decide, and everybody sees everybody.
static void without_rules_owners_decide(void **state)
{
    team_fixture *t = *state;
    world_begin(&t->f);
    kn_world *world = t->f.world;
    const kn_entity_id a = unit_create(&t->f, t->scout, t->f.us);
    const kn_entity_id b = unit_create(&t->f, t->scout, t->f.them);
    rounds(t, 2);
    assert_false(kn_rts_has_teams(t->f.library));
    assert_int_equal(relation(t, a, b), KN_ORDER_HOSTILE | VISIBLE);
    assert_true(kn_rts_is_visible(world, a, b));
    assert_int_equal(kn_rts_player_add(world, t->f.us), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_player_set_team(world, t->f.us, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_set_stance(world, t->f.us, t->f.them, KN_RTS_ALLY), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_vision_add(world, a), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_vision_remove(world, a), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_get_stance(world, a, b), KN_RTS_INDIFFERENT);
    assert_int_equal(kn_rts_player_of(world, a).index1, 0);
    assert_int_equal(kn_rts_player_number(world, t->f.us), 0);
    assert_int_equal(kn_rts_team_of(world, a), 0);
    assert_int_equal(kn_rts_viewers(world, a, NULL, 0), 0);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, NULL, 0), 0);
    assert_true(kn_rts_sight(world, a) == 0);
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){0}));
    assert_true(kn_rts_vision_relevance(NULL, world, 1, a));
    assert_false(kn_rts_has_teams(NULL));
}

// A player who is gone leaves nothing behind for the one who gets its number.
static void players_come_and_go(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id mine = scout_at(t, t->f.us, 0, 0, 9), its = scout_at(t, t->f.them, 5, 0, 9);
    assert_int_equal(kn_rts_player_number(world, t->f.them), 2);
    assert_int_equal(kn_rts_set_stance(world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    assert_int_equal(kn_rts_set_shares_vision(world, t->f.us, t->f.them, false), KN_OK);
    assert_int_equal(kn_rts_set_shares_vision(world, t->third, t->f.them, true), KN_OK);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, mine), "us them");
    assert_true(kn_entity_destroy(world, t->f.them));
    assert_int_equal(kn_rts_players(world, NULL, 0), 2);
    assert_int_equal(kn_rts_player_of(world, its).index1, 0);
    kn_entity_id late;
    assert_int_equal(kn_entity_create(world, &late), KN_OK);
    assert_int_equal(kn_rts_player_add(world, late), KN_OK);
    assert_int_equal(kn_rts_player_number(world, late), 2);
    assert_int_equal(kn_rts_get_stance(world, t->f.us, late), KN_RTS_ENEMY);
    assert_false(kn_rts_shares_vision(world, t->third, late));
    assert_false(kn_rts_is_visible(world, late, mine));
    rounds(t, 2);
    assert_false(kn_rts_is_visible(world, late, mine));
    assert_int_equal(relation(t, mine, its), KN_ORDER_NEUTRAL | VISIBLE);
    assert_int_equal(kn_rts_player_number(world, t->f.them), 0);
    assert_int_equal(kn_rts_set_stance(world, t->f.us, late, KN_RTS_ALLY), KN_OK); // shares again
    assert_true(kn_rts_is_visible(world, late, mine));
}

static kn_result nothing_to_do(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static bool obeys(const team_fixture *t, kn_entity_id unit, kn_order_type_id type)
{
    kn_unit_info info;
    return kn_unit_get_info(t->f.world, unit, &info) && info.current.type.index1 == type.index1;
}

// Orders hear of a player who has left when the units it had take their turns.
static void orders_hear_of_players_who_leave(void **state)
{
    team_fixture *t = *state;
    const kn_tag friendly = kn_tag_find(t->f.library, "Knack.Relation.Friendly");
    kn_order_type_def order = kn_order_type_def_default();
    kn_unit_type_def unit = kn_unit_type_def_default();
    kn_order_type_id help;
    kn_unit_type_id type;
    order.name = "Help";
    order.target_kind = KN_ORDER_TARGET_ENTITY;
    order.needs_life = false;
    order.tags.target_required = (kn_tags){&friendly, 1};
    order.execute.function = nothing_to_do;
    assert_int_equal(kn_order_type_register(t->f.library, &order, &help, NULL), KN_OK);
    unit.name = "Helper";
    assert_int_equal(kn_unit_type_register(t->f.library, &unit, &type, NULL), KN_OK);
    teams_begin(t);
    const kn_entity_id helper = scout_at(t, t->f.us, 0, 0, 9);
    const kn_entity_id friend = scout_at(t, t->f.them, 5, 0, 0),
                       hero = scout_at(t, t->f.us, 6, 0, 0);
    const kn_entity_id wolf = scout_at(t, hero, 7, 0, 0);
    assert_int_equal(kn_unit_add(t->f.world, helper, type), KN_OK);
    assert_int_equal(kn_rts_set_mutual_stance(t->f.world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    kn_order on = kn_order_on(help, friend);
    assert_int_equal(kn_order_issue(t->f.world, helper, &on, NULL), KN_OK);
    rounds(t, 2);
    assert_true(obeys(t, helper, help));
    assert_true(kn_entity_destroy(t->f.world, t->f.them));
    rounds(t, 1);
    assert_false(obeys(t, helper, help));
    // The same for a unit whose owner has another owner.
    on = kn_order_on(help, wolf);
    assert_int_equal(kn_order_issue(t->f.world, helper, &on, NULL), KN_OK);
    own(&t->f, hero, t->third);
    assert_true(obeys(t, helper, help));
    rounds(t, 1);
    assert_false(obeys(t, helper, help));
}

// There is room for 64 players; the next one is refused, and its units belong to nobody.
static void there_are_at_most_64_players(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_entity_id players[KN_RTS_PLAYERS_MAX + 1], listed[4];
    for (uint32_t i = 3; i < KN_RTS_PLAYERS_MAX; i++) {
        assert_int_equal(kn_entity_create(t->f.world, &players[i]), KN_OK);
        assert_int_equal(kn_rts_player_add(t->f.world, players[i]), KN_OK);
        assert_int_equal(kn_rts_player_number(t->f.world, players[i]), i + 1);
    }
    assert_int_equal(kn_entity_create(t->f.world, &players[KN_RTS_PLAYERS_MAX]), KN_OK);
    const kn_entity_id late = players[KN_RTS_PLAYERS_MAX], last = players[KN_RTS_PLAYERS_MAX - 1];
    assert_int_equal(kn_rts_player_add(t->f.world, late), KN_REFUSED_LIMIT);
    assert_int_equal(kn_rts_player_set_team(t->f.world, late, 1), KN_REFUSED_LIMIT);
    const kn_entity_id its = scout_at(t, late, 0, 0, 5), scout = scout_at(t, last, 1, 0, 5);
    assert_int_equal(kn_rts_player_of(t->f.world, its).index1, 0);
    rounds(t, 2);
    assert_true(kn_rts_is_visible(t->f.world, last, its));
    assert_false(kn_rts_is_visible(t->f.world, t->f.us, its));
    assert_int_equal(kn_rts_viewers(t->f.world, scout, listed, 4), 1); // nobody's sees for nobody
    assert_int_equal(kn_rts_players(t->f.world, listed, 4), KN_RTS_PLAYERS_MAX);
    assert_int_equal(listed[3].index1, players[3].index1);
    assert_int_equal(kn_rts_set_mutual_stance(t->f.world, last, t->f.us, KN_RTS_ALLY), KN_OK);
    assert_true(kn_rts_is_visible(t->f.world, t->f.us, its));
}

static void bad_input_changes_nothing(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id null = {0}, us = t->f.us, them = t->f.them;
    const kn_entity_id mine = scout_at(t, us, 0, 0, 5);
    const uint64_t hash = kn_world_hash(world);
    assert_int_equal(kn_rts_player_add(world, us), KN_OK); // it is one
    assert_int_equal(kn_rts_player_add(world, null), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_player_set_team(world, null, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_player_set_team(world, mine, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_stance(world, us, us, KN_RTS_ALLY), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_set_stance(world, us, them, KN_RTS_STANCE_COUNT), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_set_mutual_stance(world, us, them, KN_RTS_STANCE_COUNT), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_set_stance(world, us, them, (kn_rts_stance)99), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_set_stance(world, us, mine, KN_RTS_ALLY), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_stance(world, mine, us, KN_RTS_ALLY), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_stance(world, us, null, KN_RTS_ALLY), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_clear_stance(world, null, us), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_set_shares_vision(world, us, mine, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_vision_add(world, null), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_vision_remove(world, us), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_player_add(NULL, us), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_world_hash(world), hash);
    // A stance to a stranger who may be a player makes it one.
    kn_entity_id late;
    assert_int_equal(kn_entity_create(world, &late), KN_OK);
    assert_int_equal(kn_rts_set_stance(world, us, late, KN_RTS_ALLY), KN_OK);
    assert_int_equal(kn_rts_player_number(world, late), 4);
}

static void rules_refused(kn_rts_team_rules_def def, const char *why)
{
    team_fixture t;
    kn_error error = {0};
    teams_open(&t);
    def.name = "Teams";
    assert_int_equal(kn_rts_team_rules_register(t.f.library, &def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, why));
    fixture_close(&t.f);
}

static void rules_are_checked(void **state)
{
    team_fixture *t = *state;
    kn_rts_team_rules_def def = kn_rts_team_rules_def_default();
    kn_error error = {0};
    def.default_sight = -1;
    rules_refused(def, "`default_sight`");
    def = kn_rts_team_rules_def_default();
    def.look_interval = KN_MS(19);
    rules_refused(def, "`look_interval`");
    def.look_interval = KN_S(11);
    rules_refused(def, "`look_interval`");
    def.cookie = 0;
    def.name = "Teams";
    assert_int_equal(
        kn_rts_team_rules_register(t->f.library, &def, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_team_rules_register(t->f.library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_team_rules_register(NULL, &t->rules, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rts_team_rules_register(t->f.library, &t->rules, &error), KN_OK);
    t->rules.name = "More";
    assert_int_equal(kn_rts_team_rules_register(t->f.library, &t->rules, &error), KN_OK);
    assert_int_equal(kn_library_finish(t->f.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "only one"));
}

static const struct CMUnitTest tests[] = {
    TEAM_TEST(relations_follow_from_players),
    TEAM_TEST(tags_of_both_sides_have_the_relation),
    TEAM_TEST(stances_change_at_run_time),
    TEAM_TEST(sharing_is_independent_of_stances),
    TEAM_TEST(allies_may_keep_what_they_see),
    TEAM_TEST(owners_of_owners_are_players),
    TEAM_TEST(teams_need_no_vision),
    TEAM_TEST(the_hook_of_a_game_has_the_last_word),
    TEAM_TEST(without_rules_owners_decide),
    TEAM_TEST(players_come_and_go),
    TEAM_TEST(orders_hear_of_players_who_leave),
    TEAM_TEST(there_are_at_most_64_players),
    TEAM_TEST(bad_input_changes_nothing),
    TEAM_TEST(rules_are_checked),
};

TEST_GROUP(rts_teams, tests, NULL, NULL);
