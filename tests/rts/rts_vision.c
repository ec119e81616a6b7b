// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Vision: who sees whom, when it begins and ends, what players remember, and places.

#include "rts/team_test.h"

static void move(team_fixture *t, kn_entity_id unit, float x, float y)
{
    assert_int_equal(kn_grid_move(t->f.grid, unit, (kn_vec3){x, y, 0}), KN_OK);
}

// How often an event of a kind about a unit is published within some rounds.
static uint32_t count_events(
    team_fixture *t, const char *name, kn_entity_id unit, kn_entity_id player, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count * 25; i++) {
        step_ms(&t->f, ROUND / 25);
        const kn_events events = kn_world_events(t->f.world);
        for (uint32_t j = 0; j < events.count; j++) {
            const kn_event *event = &events.data[j];
            uint32_t size;
            if (event->type == KN_EVENT_CUSTOM && kn_entity_id_equal(event->entity, unit) &&
                strcmp(kn_custom_event_name(t->f.library, event->data.custom.kind), name) == 0) {
                const kn_rts_sight_event *e = kn_event_payload(t->f.world, event, &size);
                found += kn_entity_id_equal(e->player, player);
            }
        }
    }
    return found;
}

// RTS-165, RTS-274: false for null; per player on the authority; true without vision
static void units_are_seen_within_sight(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id near = scout_at(t, t->f.them, 10, 0, 4);
    const kn_entity_id far = scout_at(t, t->f.them, 10.5f, 0, 0);
    kn_entity_id stone;
    assert_int_equal(kn_entity_create(world, &stone), KN_OK);
    assert_string_equal(viewers_of(t, near), "them");
    assert_int_equal(count_events(t, "Knack.RtsSighted", near, t->f.us, 2), 1);
    assert_string_equal(viewers_of(t, near), "us them");
    assert_string_equal(viewers_of(t, far), "them");    // out of sight
    assert_string_equal(viewers_of(t, scout), "us");    // the others do not see so far
    assert_true(kn_rts_is_visible(world, scout, near)); // a unit sees what its player sees
    assert_false(kn_rts_is_visible(world, near, scout));
    assert_true(kn_rts_is_visible(world, near, near));
    assert_false(kn_rts_is_visible(world, (kn_entity_id){0}, near));
    assert_false(kn_rts_is_visible(world, scout, (kn_entity_id){0}));
    assert_false(kn_rts_is_visible(NULL, scout, near));
    assert_true(kn_rts_is_visible(world, t->third, stone)); // it has no vision
    assert_string_equal(viewers_of(t, stone), "us them third");
    assert_int_equal(kn_rts_viewers(world, (kn_entity_id){0}, NULL, 0), 0);
    assert_int_equal(count_events(t, "Knack.RtsSighted", near, t->f.us, 4), 0); // it is not news
}

// It takes at most a round to see something, and at most two to lose it.
static void seeing_and_losing_take_their_time(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_entity_id scouts[40], prey[40];
    for (uint32_t i = 0; i < 40; i++) {
        scouts[i] = scout_at(t, t->f.us, (float)i * 100, 0, 10);
        prey[i] = scout_at(t, t->f.them, (float)i * 100, 50, 0);
    }
    rounds(t, 3);
    for (uint32_t i = 0; i < 40; i++) {
        assert_string_equal(viewers_of(t, prey[i]), "them");
        move(t, prey[i], (float)i * 100, 5);
    }
    rounds(t, 1);
    for (uint32_t i = 0; i < 40; i++) {
        assert_string_equal(viewers_of(t, prey[i]), "us them");
        move(t, prey[i], (float)i * 100, 50);
    }
    step_ms(&t->f, ROUND / 5);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 40; i++) {
        seen += kn_rts_is_visible(t->f.world, scouts[i], prey[i]);
    }
    assert_true(seen > 0); // those who saw them have to look again first
    rounds(t, 2);
    for (uint32_t i = 0; i < 40; i++) {
        assert_string_equal(viewers_of(t, prey[i]), "them");
    }
}

// What is seen all the time is never lost, however turns and steps fall.
static void what_is_seen_does_not_flicker(void **state)
{
    team_fixture *t = *state;
    t->rules.look_interval = KN_MS(333);
    teams_begin(t);
    kn_entity_id prey[70];
    for (uint32_t i = 0; i < 70; i++) {
        prey[i] = scout_at(t, t->f.them, (float)(i % 10), (float)i / 10, 0);
    }
    (void)scout_at(t, t->f.us, 5, 5, 20);
    rounds(t, 2);
    for (uint32_t i = 0; i < 200; i++) {
        step_ms(&t->f, 7 + i % 60);
        assert_string_equal(team_events(t), "");
        if (i % 10 == 3) { // comings and goings of others do not matter
            const kn_entity_id guest = scout_at(t, t->f.us, 500, 5, 1);
            step_ms(&t->f, 11);
            assert_true(kn_entity_destroy(t->f.world, guest));
        }
    }
    for (uint32_t i = 0; i < 70; i++) {
        assert_string_equal(viewers_of(t, prey[i]), "us them");
    }
}

// Buffs and upgrades of the attribute count at the next look.
static void sight_is_an_attribute(void **state)
{
    team_fixture *t = *state;
    t->rules.default_sight = 3;
    teams_begin(t);
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id plain = unit_create(&t->f, t->blind, t->third);
    const kn_entity_id prey = scout_at(t, t->f.them, 12, 0, 0);
    place(&t->f, plain, 14, 0);
    assert_true(kn_rts_sight(t->f.world, scout) == 10);
    assert_true(kn_rts_sight(t->f.world, plain) == 3);
    assert_true(kn_rts_sight(t->f.world, t->f.us) == 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "them third");
    sight_set(t, scout, 12);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, prey), "us them third");
    sight_set(t, scout, -5);
    assert_true(kn_rts_sight(t->f.world, scout) == 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "them third");
}

// The body of what is seen counts: it is seen when the sight touches it.
static void sight_touches_bodies(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    (void)scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id hall = scout_at(t, t->f.them, 13, 0, 0);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){13, 0, 0};
    rounds(t, 2);
    assert_string_equal(viewers_of(t, hall), "them");
    body.radius = 3;
    assert_int_equal(kn_grid_set_body(t->f.grid, hall, &body), KN_OK);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, hall), "us them");
}

// The dead, the destroyed and those who are nowhere do not look.
static void viewers_end(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id prey = scout_at(t, t->f.them, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        const kn_entity_id scout = scout_at(t, t->f.us, 2, 0, 5);
        rounds(t, 1);
        assert_string_equal(viewers_of(t, prey), "us them");
        if (i == 0) {
            assert_int_equal(kn_rts_kill(t->f.world, scout, prey), KN_OK);
            assert_true(kn_rts_sight(t->f.world, scout) == 0);
        } else if (i == 1) {
            assert_true(kn_entity_destroy(t->f.world, scout));
        } else if (i == 2) {
            assert_true(kn_grid_remove(t->f.grid, scout));
        } else {
            assert_int_equal(kn_rts_unit_remove(t->f.world, scout), KN_OK);
            assert_string_equal(viewers_of(t, scout), "us them third");
        }
        assert_int_equal(count_events(t, "Knack.RtsLost", prey, t->f.us, 2), 1);
        assert_string_equal(viewers_of(t, prey), "them");
    }
}

// A unit that changes sides sees for its new player; the old one has to look at it.
static void owners_change(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id traitor = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id prey = scout_at(t, t->third, 5, 0, 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "us third");
    own(&t->f, traitor, t->f.them);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t), "4 seen by 2 at 0,0");
    assert_string_equal(viewers_of(t, traitor), "us them");
    rounds(t, 2);
    assert_string_equal(viewers_of(t, traitor), "them"); // nobody of the old owner is near
    assert_string_equal(viewers_of(t, prey), "them third");
    (void)scout_at(t, t->f.us, 1, 0, 5);
    rounds(t, 2);
    own(&t->f, traitor, t->f.us);
    own(&t->f, traitor, t->third);
    for (uint32_t i = 0; i < 50; i++) { // it never goes out of sight of those who are near
        step_ms(&t->f, 10);
        assert_true(kn_rts_is_visible(t->f.world, t->f.us, traitor));
    }
    own(&t->f, traitor, (kn_entity_id){0});
    rounds(t, 2);
    assert_string_equal(viewers_of(t, traitor), "us");
    // What belongs to nobody sees what is not hidden.
    assert_true(kn_rts_is_visible(t->f.world, traitor, prey));
    gain(&t->f, prey, t->stealthed);
    assert_false(kn_rts_is_visible(t->f.world, traitor, prey));
    gain(&t->f, traitor, t->stealthed);
    assert_true(kn_rts_is_visible(t->f.world, traitor, traitor));
}

// Only detectors see the stealthed, nobody else the invisible.
static void the_stealthed_are_detected(void **state)
{
    team_fixture *t = *state;
    t->rules.detection = t->detection;
    teams_begin(t);
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id thief = scout_at(t, t->f.them, 6, 0, 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, thief), "us them");
    gain(&t->f, thief, t->stealthed);
    assert_int_equal(count_events(t, "Knack.RtsLost", thief, t->f.us, 2), 1);
    assert_string_equal(viewers_of(t, thief), "them");
    // A detector reveals it as far as its attribute says, more or less than it sees.
    gain(&t->f, scout, t->detector);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, thief), "them"); // the attribute is 0
    for (uint32_t i = 0; i < 2; i++) {
        const float sight = i == 0 ? 10.0f : 2.0f;
        sight_set(t, scout, sight);
        assert_int_equal(kn_attribute_set_base(t->f.world, scout, t->detection, 0, 5.9f), KN_OK);
        rounds(t, 2);
        assert_string_equal(viewers_of(t, thief), "them");
        assert_int_equal(kn_attribute_set_base(t->f.world, scout, t->detection, 0, 6), KN_OK);
        rounds(t, 1);
        assert_string_equal(viewers_of(t, thief), "us them");
    }
    // A detector beyond its sight detects the stealthed alone.
    lose(&t->f, thief, t->stealthed);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, thief), "them");
    sight_set(t, scout, 10);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, thief), "us them");
    gain(&t->f, thief, t->invisible);
    assert_string_equal(viewers_of(t, thief), "them"); // at once
    gain(&t->f, thief, t->stealthed);
    rounds(t, 3);
    assert_string_equal(viewers_of(t, thief), "them");
    lose(&t->f, thief, t->invisible);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, thief), "us them"); // by detection
    lose(&t->f, scout, t->detector);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, thief), "them");
    lose(&t->f, thief, t->stealthed);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, thief), "us them");
}

// However their turns fall: all who hide are gone after two rounds, and none of those that change
// sides under the eyes of their old player goes out of its sight.
static void crowds_hide_and_change_sides(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_entity_id thieves[40], traitors[40];
    (void)scout_at(t, t->f.us, 0, 0, 10);
    for (uint32_t i = 0; i < 40; i++) {
        thieves[i] = scout_at(t, t->f.them, 6, (float)i / 10, 0);
        traitors[i] = scout_at(t, t->f.us, -6, (float)i / 10, 0);
    }
    rounds(t, 2);
    for (uint32_t i = 0; i < 40; i++) {
        gain(&t->f, thieves[i], t->stealthed);
        own(&t->f, traitors[i], t->third);
    }
    for (uint32_t i = 0; i < 50; i++) {
        step_ms(&t->f, 10);
        for (uint32_t j = 0; j < 40; j++) {
            assert_string_equal(viewers_of(t, traitors[j]), "us third");
        }
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_string_equal(viewers_of(t, thieves[i]), "them");
    }
    // Who turns invisible and visible again elsewhere has to be seen there.
    gain(&t->f, traitors[0], t->invisible);
    move(t, traitors[0], 90, 90);
    lose(&t->f, traitors[0], t->invisible);
    assert_string_equal(viewers_of(t, traitors[0]), "third");
}

// A detector that stands by does not lose what hides under its eyes, not for an instant.
static void hiding_from_a_detector_is_vain(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    kn_entity_id thieves[40];
    gain(&t->f, scout, t->detector);
    for (uint32_t i = 0; i < 40; i++) {
        thieves[i] = scout_at(t, t->f.them, 6, (float)i / 10, 0);
    }
    rounds(t, 2);
    for (uint32_t i = 0; i < 40; i++) {
        gain(&t->f, thieves[i], t->stealthed);
        step_ms(&t->f, 10);
        assert_string_equal(team_events(t), "");
    }
    for (uint32_t i = 0; i < 100; i++) {
        step_ms(&t->f, 10);
        assert_string_equal(team_events(t), "");
    }
    assert_string_equal(viewers_of(t, thieves[39]), "us them");
}

// Allies see what we see and our units, hidden ones too; what they see is not passed on.
static void vision_is_shared(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id prey = scout_at(t, t->third, 5, 0, 0);
    kn_entity_id fourth;
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "us third");
    assert_int_equal(kn_rts_set_stance(world, t->f.us, t->f.them, KN_RTS_ALLY), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t),
        "1 to 2: ally, was enemy; 1 shares with 2; 4 seen by 2 at 0,0; 5 seen by 2 at 5,0");
    assert_string_equal(viewers_of(t, prey), "us them third");
    assert_string_equal(viewers_of(t, scout), "us them");
    gain(&t->f, scout, t->invisible);
    assert_string_equal(viewers_of(t, scout), "us them");
    // They let a fourth player see what they see, which is not what we see.
    assert_int_equal(kn_entity_create(world, &fourth), KN_OK);
    assert_int_equal(kn_rts_set_shares_vision(world, t->f.them, fourth, true), KN_OK);
    rounds(t, 2);
    assert_false(kn_rts_is_visible(world, fourth, prey));
    assert_true(kn_rts_sees_place(world, t->f.them, (kn_vec3){5, 0, 0}));
    assert_false(kn_rts_sees_place(world, fourth, (kn_vec3){5, 0, 0}));
    assert_int_equal(kn_rts_clear_stance(world, t->f.us, t->f.them), KN_OK);
    step_ms(&t->f, 1);
    assert_string_equal(team_events(t),
        "1 to 2: enemy, was ally; 1 hides from 2; 4 lost by 2 at 0,0; 5 lost by 2 at 5,0");
    assert_string_equal(viewers_of(t, scout), "us");
}

static kn_result behind_the_wall(void *user, const kn_hook_call *call)
{
    kn_rts_sees_call *c = call->arguments;
    const team_fixture *t = user;
    kn_vec3 from = {0}, to = {0};
    assert_true(kn_space_position(kn_world_space(call->world), call->world, call->entity, &from));
    assert_true(kn_space_position(kn_world_space(call->world), call->world, c->other, &to));
    assert_int_equal(c->answer, 1);
    assert_null(call->writable);
    assert_ptr_equal(call->world, t->f.world);
    c->answer = (from.x < 3) == (to.x < 3);
    return KN_OK;
}

// RTS-277: the game knows walls and high ground
static void walls_hide(void **state)
{
    team_fixture *t = *state;
    t->rules.sees = (kn_hook){behind_the_wall, t};
    teams_begin(t);
    (void)scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id prey = scout_at(t, t->f.them, 4, 0, 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "them");
    move(t, prey, 2, 0);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, prey), "us them");
    move(t, prey, 4, 0);
    rounds(t, 2);
    assert_string_equal(viewers_of(t, prey), "them");
}

static void places_are_seen(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){0}));
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id eagle = scout_at(t, t->f.us, 100, 0, 40);
    rounds(t, 1);
    assert_true(kn_rts_sees_place(world, t->f.us, (kn_vec3){10, 0, 0}));
    assert_true(kn_rts_sees_place(world, scout, (kn_vec3){0, 10, 0}));
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){11, 0, 0}));
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){0, 0, 11}));
    assert_true(kn_rts_sees_place(world, t->f.us, (kn_vec3){60, 0, 0}));
    assert_false(kn_rts_sees_place(world, t->f.them, (kn_vec3){0}));
    assert_false(kn_rts_sees_place(world, (kn_entity_id){0}, (kn_vec3){0}));
    // The furthest sight is that of the last round.
    assert_true(kn_entity_destroy(world, eagle));
    rounds(t, 3);
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){60, 0, 0}));
    sight_set(t, scout, 60);
    rounds(t, 1);
    assert_true(kn_rts_sees_place(world, t->f.us, (kn_vec3){60, 0, 0}));
    assert_int_equal(kn_rts_kill(world, scout, t->f.them), KN_OK);
    assert_false(kn_rts_sees_place(world, t->f.us, (kn_vec3){0}));
}

// Buildings are remembered, also those that are gone, until the place is seen.
static void buildings_are_remembered(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id tower = scout_at(t, t->f.them, 5, 0, 0);
    const kn_entity_id hall = scout_at(t, t->f.them, 6, 0, 0);
    const kn_entity_id tank = scout_at(t, t->f.them, 7, 0, 0);
    kn_rts_ghost ghost, list[4];
    gain(&t->f, tower, t->building);
    gain(&t->f, hall, t->building);
    assert_false(kn_rts_last_seen(world, t->f.us, tower, &ghost));
    assert_int_equal(ghost.unit.index1, 0);
    rounds(t, 2);
    assert_true(kn_rts_last_seen(world, scout, tower, &ghost)); // it is seen
    assert_true(ghost.position.x == 5 && ghost.time == kn_world_now(world));
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 4), 0);
    move(t, scout, 50, 0);
    rounds(t, 2);
    const kn_time lost = kn_world_now(world);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 1), 2);
    assert_int_equal(list[0].unit.index1, tower.index1);
    assert_int_equal(kn_rts_ghosts(world, t->f.them, list, 4), 0);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 4), 2);
    assert_int_equal(list[1].unit.index1, hall.index1);
    assert_true(kn_rts_last_seen(world, t->f.us, tower, &ghost));
    assert_true(ghost.position.x == 5 && ghost.time <= lost && ghost.time > 0);
    assert_int_equal(ghost.type.index1, t->scout.index1);
    assert_false(kn_rts_last_seen(world, t->f.us, tank, NULL)); // not a building
    // One moves away, the other one is destroyed; nobody has seen it.
    move(t, tower, 90, 0);
    assert_true(kn_entity_destroy(world, hall));
    rounds(t, 2);
    assert_true(kn_rts_last_seen(world, t->f.us, tower, &ghost));
    assert_true(ghost.position.x == 5);
    assert_true(kn_rts_last_seen(world, t->f.us, hall, &ghost));
    assert_true(ghost.position.x == 6);
    move(t, scout, 0, 5);
    bool is_published = false;
    for (uint32_t i = 0; i < 25; i++) {
        step_ms(&t->f, 10);
        is_published = is_published ||
                       strstr(team_events(t), "1 forgets 6 at 6,0; 1 forgets 5 at 5,0") != NULL;
    }
    assert_true(is_published);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 4), 0);
    assert_false(kn_rts_last_seen(world, t->f.us, hall, NULL));
    // Sighting it elsewhere ends the memory, too.
    move(t, tower, 5, 0);
    rounds(t, 1);
    move(t, scout, 50, 0);
    rounds(t, 2);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 4), 1);
    move(t, tower, 55, 0);
    rounds(t, 1);
    assert_int_equal(kn_rts_ghosts(world, t->f.us, list, 4), 0);
    assert_string_equal(viewers_of(t, tower), "us them");
}

// A unit that has the slot of one that is gone is another one.
static void ghosts_of_one_slot_are_told_apart(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    kn_entity_id halls[3];
    kn_rts_ghost list[4];
    for (uint32_t i = 0; i < 3; i++) {
        move(t, scout, (float)i * 100, 0);
        halls[i] = scout_at(t, t->f.them, (float)i * 100, 5, 0);
        gain(&t->f, halls[i], t->building);
        assert_int_equal(halls[i].index1, halls[0].index1);
        rounds(t, 2);
        move(t, scout, 900, 0);
        rounds(t, 2);
        assert_true(kn_entity_destroy(t->f.world, halls[i]));
    }
    assert_int_equal(kn_rts_ghosts(t->f.world, t->f.us, list, 4), 3);
    for (uint32_t i = 0; i < 3; i++) {
        kn_rts_ghost ghost;
        assert_true(kn_rts_last_seen(t->f.world, t->f.us, halls[i], &ghost));
        assert_true(ghost.position.x == (float)i * 100);
    }
    move(t, scout, 100, 0);
    rounds(t, 1);
    assert_true(kn_rts_last_seen(t->f.world, t->f.us, halls[0], NULL));
    assert_false(kn_rts_last_seen(t->f.world, t->f.us, halls[1], NULL));
    assert_true(kn_rts_last_seen(t->f.world, t->f.us, halls[2], NULL));
}

// The game says what is worth remembering.
static void other_tags_are_remembered(void **state)
{
    team_fixture *t = *state;
    const kn_tag tank = tag_named(&t->f, "Unit.Tank");
    t->rules.remembered = (kn_tags){&tank, 1};
    teams_begin(t);
    const kn_entity_id scout = scout_at(t, t->f.us, 0, 0, 10);
    const kn_entity_id a = scout_at(t, t->f.them, 5, 0, 0), b = scout_at(t, t->f.them, 6, 0, 0);
    gain(&t->f, a, tank);
    gain(&t->f, b, t->building);
    rounds(t, 1);
    move(t, scout, 90, 0);
    rounds(t, 2);
    assert_true(kn_rts_last_seen(t->f.world, t->f.us, a, NULL));
    assert_false(kn_rts_last_seen(t->f.world, t->f.us, b, NULL));
}

// Entities that are not units may have vision, too, and lose it.
static void anything_may_have_vision(void **state)
{
    team_fixture *t = *state;
    t->rules.default_sight = 5;
    teams_begin(t);
    kn_entity_id mine;
    assert_int_equal(kn_entity_create(t->f.world, &mine), KN_OK);
    place(&t->f, mine, 0, 0);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, mine), "us them third");
    assert_int_equal(kn_rts_vision_add(t->f.world, mine), KN_OK);
    assert_int_equal(kn_rts_vision_add(t->f.world, mine), KN_OK);
    assert_string_equal(viewers_of(t, mine), "");
    (void)scout_at(t, t->f.us, 3, 0, 4);
    rounds(t, 1);
    assert_string_equal(viewers_of(t, mine), "us");
    assert_int_equal(kn_rts_vision_remove(t->f.world, mine), KN_OK);
    assert_string_equal(viewers_of(t, mine), "us them third");
    assert_int_equal(kn_rts_vision_remove(t->f.world, mine), KN_REFUSED_NOT_FOUND);
}

// More than fit into one go are all marked.
static void crowds_are_seen(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    kn_entity_id crowd[700];
    for (uint32_t i = 0; i < 700; i++) {
        crowd[i] = scout_at(t, t->f.them, (float)(i % 30), (float)(i / 30), 0);
    }
    (void)scout_at(t, t->f.us, 15, 15, 100);
    rounds(t, 1);
    for (uint32_t i = 0; i < 700; i++) {
        assert_true(kn_rts_is_visible(t->f.world, t->f.us, crowd[i]));
    }
}

// Places of those who are gone are used again.
static void places_do_not_pile_up(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_component_type_id lookers = kn_component_find(t->f.library, "Knack.RtsLookers");
    uint32_t count = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const kn_entity_id a = scout_at(t, t->f.us, 0, 0, 5), b = scout_at(t, t->f.them, 1, 0, 5);
        rounds(t, 1);
        assert_string_equal(viewers_of(t, b), "us them");
        assert_true(kn_entity_destroy(t->f.world, i % 2 == 0 ? a : b));
        assert_true(kn_entity_destroy(t->f.world, i % 2 == 0 ? b : a));
    }
    (void)kn_component_read_items(t->f.world, lookers, (kn_entity_id){0}, &count);
    assert_int_equal(count, 2);
}

// Numbers that make no sense, as a damaged save may have them, harm nobody else.
static void damaged_state_is_survived(void **state)
{
    team_fixture *t = *state;
    teams_begin(t);
    const kn_entity_id bad = scout_at(t, t->f.us, 0, 0, 5), good = scout_at(t, t->f.us, 1, 0, 5);
    const kn_entity_id foe = scout_at(t, t->f.them, 2, 0, 5);
    rounds(t, 2);
    uint32_t *marks =
        kn_component_get(t->f.world, kn_component_find(t->f.library, "Knack.RtsMarks"), bad);
    for (uint32_t i = 0; i < 10; i++) { // sets of players, then numbers
        marks[i] = UINT32_MAX;
    }
    uint32_t *player =
        kn_component_get(t->f.world, kn_component_find(t->f.library, "Knack.RtsPlayer"), t->third);
    player[0] = 4000; // its number
    rounds(t, 2);
    assert_int_equal(kn_rts_player_number(t->f.world, t->third), 0);
    assert_true(kn_rts_is_visible(t->f.world, t->f.us, foe));
    assert_true(kn_rts_is_visible(t->f.world, t->f.them, good));
    assert_int_equal(kn_rts_get_stance(t->f.world, foe, bad), KN_RTS_ENEMY);
    assert_true(kn_entity_destroy(t->f.world, bad));
    assert_true(kn_entity_destroy(t->f.world, t->third));
    rounds(t, 2);
    assert_true(kn_rts_is_visible(t->f.world, t->f.us, foe));
    assert_true(kn_entity_destroy(t->f.world, foe));
}

// What the hook of an order does when its unit has a new player as an enemy.
typedef struct surprise {
    kn_entity_id unit;
    bool adds; // gives it vision; otherwise takes it
    uint32_t calls;
} surprise;

static kn_result nothing_to_do(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_result be_surprised(void *user, const kn_hook_call *call)
{
    surprise *s = user;
    s->calls++;
    return s->adds ? kn_rts_vision_add(call->writable, s->unit)
                   : kn_rts_vision_remove(call->writable, s->unit);
}

// An owner becomes a player when it gets something with vision; then hooks of orders may run, which
// take or give the vision that is just being looked after.
static void hooks_change_vision_while_owners_become_players(void **state)
{
    team_fixture *t = *state;
    surprise s = {0};
    const kn_tag neutral = kn_tag_find(t->f.library, "Knack.Relation.Neutral");
    kn_order_type_def order = kn_order_type_def_default();
    kn_unit_type_def unit = kn_unit_type_def_default();
    kn_order_type_id trade;
    kn_unit_type_id type;
    kn_entity_id owners[2];
    order.name = "Trade";
    order.target_kind = KN_ORDER_TARGET_ENTITY;
    order.needs_life = false;
    order.tags.target_required = (kn_tags){&neutral, 1};
    order.execute.function = nothing_to_do;
    order.cancelled = (kn_hook){be_surprised, &s};
    assert_int_equal(kn_order_type_register(t->f.library, &order, &trade, NULL), KN_OK);
    unit.name = "Trader";
    assert_int_equal(kn_unit_type_register(t->f.library, &unit, &type, NULL), KN_OK);
    teams_begin(t);
    kn_world *world = t->f.world;
    const kn_entity_id trader = scout_at(t, t->f.us, 0, 0, 9);
    const kn_entity_id scout = scout_at(t, t->f.us, 50, 0, 9);
    assert_int_equal(kn_unit_add(world, trader, type), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_create(world, &owners[i]), KN_OK);
        place(&t->f, owners[i], 1, 0);
        const kn_order on = kn_order_on(trade, owners[i]);
        assert_int_equal(kn_order_issue(world, trader, &on, NULL), KN_OK);
        s = (surprise){.unit = scout, .adds = i == 1};
        own(&t->f, scout, owners[i]);
        if (i == 1) { // it has none yet
            assert_int_equal(kn_rts_vision_add(world, scout), KN_OK);
        }
        assert_int_equal(s.calls, 1);
        assert_int_not_equal(kn_rts_player_number(world, owners[i]), 0);
        assert_int_equal(kn_rts_is_visible(world, t->third, scout), i == 0); // without vision
    }
    rounds(t, 1);
    assert_true(kn_rts_is_visible(world, owners[1], scout));
    uint32_t count;
    (void)kn_component_read_items(
        world, kn_component_find(t->f.library, "Knack.RtsLookers"), (kn_entity_id){0}, &count);
    assert_int_equal(count, 2); // it has one turn in a round
}

static kn_world *client_begin(team_fixture *t)
{
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    assert_int_equal(kn_rts_team_rules_register(t->f.library, &t->rules, NULL), KN_OK);
    library_finish(&t->f);
    world_begin_with(&t->f, def);
    return t->f.world;
}

// What a client has seen may be damaged as well: it names players that are not there.
static void clients_survive_players_that_are_not_there(void **state)
{
    team_fixture *t = *state;
    kn_world *world = client_begin(t);
    const kn_component_type_id known = kn_component_find(t->f.library, "Knack.RtsVisionKnown");
    const kn_component_type_id vision = kn_component_find(t->f.library, "Knack.RtsVision");
    assert_non_null(kn_component_add(world, vision, t->f.us));
    uint64_t *players = kn_component_add(world, known, t->f.us);
    assert_non_null(players);
    *players = UINT64_MAX;
    step_ms(&t->f, 500);
    assert_string_equal(team_events(t), "");
    assert_true(*(const uint64_t *)kn_component_read(world, known, t->f.us) == 0);
}

// Clients change nothing.
static void clients_are_refused(void **state)
{
    team_fixture *t = *state;
    (void)client_begin(t);
    assert_int_equal(kn_rts_player_add(t->f.world, t->f.us), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_player_set_team(t->f.world, t->f.us, 1), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_rts_set_stance(t->f.world, t->f.us, t->f.them, KN_RTS_ALLY), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_vision_add(t->f.world, t->f.us), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_vision_remove(t->f.world, t->f.us), KN_REFUSED_BLOCKED);
    step_ms(&t->f, 500);
}

static const struct CMUnitTest tests[] = {
    TEAM_TEST(units_are_seen_within_sight),
    TEAM_TEST(seeing_and_losing_take_their_time),
    TEAM_TEST(what_is_seen_does_not_flicker),
    TEAM_TEST(sight_is_an_attribute),
    TEAM_TEST(sight_touches_bodies),
    TEAM_TEST(viewers_end),
    TEAM_TEST(owners_change),
    TEAM_TEST(the_stealthed_are_detected),
    TEAM_TEST(crowds_hide_and_change_sides),
    TEAM_TEST(hiding_from_a_detector_is_vain),
    TEAM_TEST(vision_is_shared),
    TEAM_TEST(walls_hide),
    TEAM_TEST(places_are_seen),
    TEAM_TEST(buildings_are_remembered),
    TEAM_TEST(ghosts_of_one_slot_are_told_apart),
    TEAM_TEST(other_tags_are_remembered),
    TEAM_TEST(anything_may_have_vision),
    TEAM_TEST(crowds_are_seen),
    TEAM_TEST(places_do_not_pile_up),
    TEAM_TEST(damaged_state_is_survived),
    TEAM_TEST(hooks_change_vision_while_owners_become_players),
    TEAM_TEST(clients_survive_players_that_are_not_there),
    TEAM_TEST(clients_are_refused),
};

TEST_GROUP(rts_vision, tests, NULL, NULL);
