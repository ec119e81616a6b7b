// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Vision against a plain model: after random moves, deaths, stances and owners, what players see
// once everything has looked is what the distances of all pairs say. Meanwhile the world is rolled
// back, saved and loaded, and allocates nothing once it is warm.

#include "rts/team_test.h"

#include "scenario/world_copies.h"

#include <math.h>

#define UNITS 60
#define PLAYERS 3
#define FIELD 60.0f

typedef struct game {
    team_fixture t;
    kn_entity_id players[PLAYERS];
    kn_entity_id units[UNITS];
    uint64_t random;
} game;

static uint32_t next_random(game *g, uint32_t below)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->random >> 33) % below;
}

static float next_place(game *g)
{
    return (float)next_random(g, 1000) / 1000.0f * FIELD;
}

static kn_entity_id next_unit(game *g)
{
    const kn_entity_id unit = scout_at(&g->t, g->players[next_random(g, PLAYERS)], next_place(g),
        next_place(g), (float)next_random(g, 12));
    assert_int_equal(
        kn_attribute_set_base(g->t.f.world, unit, g->t.detection, 0, (float)next_random(g, 12)),
        KN_OK);
    if (next_random(g, 4) == 0) {
        gain(&g->t.f, unit, g->t.building);
    }
    return unit;
}

static void game_open(game *g, uint64_t seed)
{
    *g = (game){.random = seed};
    teams_open(&g->t);
    g->t.rules.detection = g->t.detection;
    teams_begin(&g->t);
    g->players[0] = g->t.f.us;
    g->players[1] = g->t.f.them;
    g->players[2] = g->t.third;
    for (uint32_t i = 0; i < UNITS; i++) {
        g->units[i] = next_unit(g);
    }
}

static void tag_toggle(game *g, kn_entity_id unit, kn_tag tag)
{
    if (kn_entity_has_tag(g->t.f.world, unit, tag)) {
        lose(&g->t.f, unit, tag);
    } else {
        gain(&g->t.f, unit, tag);
    }
}

static void play(game *g)
{
    kn_world *world = g->t.f.world;
    const uint32_t which = next_random(g, UNITS), kind = next_random(g, 20);
    const kn_entity_id unit = g->units[which];
    const uint32_t a = next_random(g, PLAYERS), b = (a + 1 + next_random(g, PLAYERS - 1)) % PLAYERS;
    if (kind < 10) {
        const kn_vec3 to = {next_place(g), next_place(g), 0};
        assert_int_equal(kn_grid_move(g->t.f.grid, unit, to), KN_OK);
    } else if (kind < 12) {
        sight_set(&g->t, unit, (float)next_random(g, 15));
    } else if (kind == 12) {
        tag_toggle(g, unit, g->t.stealthed);
    } else if (kind == 13) {
        tag_toggle(g, unit, g->t.detector);
    } else if (kind == 14) {
        tag_toggle(g, unit, g->t.invisible);
    } else if (kind == 15) {
        own(&g->t.f, unit, next_random(g, 5) == 0 ? (kn_entity_id){0} : g->players[a]);
    } else if (kind == 16) {
        (void)kn_rts_kill(world, unit, g->units[next_random(g, UNITS)]);
    } else if (kind == 17) {
        assert_true(kn_entity_destroy(world, unit));
        g->units[which] = next_unit(g);
    } else if (kind == 18) {
        assert_int_equal(kn_rts_set_stance(world, g->players[a], g->players[b],
                             (kn_rts_stance)next_random(g, KN_RTS_STANCE_COUNT)),
            KN_OK);
    } else {
        assert_int_equal(
            kn_rts_set_shares_vision(world, g->players[a], g->players[b], next_random(g, 2) != 0),
            KN_OK);
    }
}

static float distance(const game *g, kn_entity_id a, kn_entity_id b)
{
    kn_body from, to;
    assert_true(kn_grid_get_body(g->t.f.grid, a, &from));
    assert_true(kn_grid_get_body(g->t.f.grid, b, &to));
    const float x = from.position.x - to.position.x, y = from.position.y - to.position.y;
    return sqrtf(x * x + y * y);
}

static bool has(const game *g, kn_entity_id unit, kn_tag tag)
{
    return kn_entity_has_tag(g->t.f.world, unit, tag);
}

// Whether one unit shows another one to its player.
static bool model_shows(const game *g, kn_entity_id viewer, kn_entity_id unit)
{
    const kn_world *world = g->t.f.world;
    if (kn_entity_id_equal(viewer, unit)) {
        return true;
    }
    if (kn_rts_is_dead(world, viewer) || has(g, unit, g->t.invisible)) {
        return false;
    }
    const bool is_stealthed = has(g, unit, g->t.stealthed);
    if (is_stealthed && !has(g, viewer, g->t.detector)) {
        return false;
    }
    const float reach =
        kn_attribute_value(world, viewer, is_stealthed ? g->t.detection : g->t.sight);
    return reach > 0 && distance(g, viewer, unit) <= reach;
}

static bool model_sees(const game *g, kn_entity_id player, kn_entity_id unit)
{
    const kn_world *world = g->t.f.world;
    for (uint32_t i = 0; i < UNITS; i++) {
        const kn_entity_id owner = kn_entity_owner(world, g->units[i]);
        if (owner.index1 != 0 && kn_rts_shares_vision(world, owner, player) &&
            model_shows(g, g->units[i], unit)) {
            return true;
        }
    }
    return false;
}

static bool model_sees_place(const game *g, kn_entity_id player, kn_vec3 place)
{
    const kn_world *world = g->t.f.world;
    for (uint32_t i = 0; i < UNITS; i++) {
        const kn_entity_id owner = kn_entity_owner(world, g->units[i]);
        kn_body body;
        assert_true(kn_grid_get_body(g->t.f.grid, g->units[i], &body));
        const float x = body.position.x - place.x, y = body.position.y - place.y;
        const float sight = kn_attribute_value(world, g->units[i], g->t.sight);
        if (owner.index1 != 0 && kn_rts_shares_vision(world, owner, player) &&
            !kn_rts_is_dead(world, g->units[i]) && sight > 0 && x * x + y * y <= sight * sight) {
            return true;
        }
    }
    return false;
}

static void model_check(game *g)
{
    uint32_t seen = 0, hidden = 0;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        for (uint32_t j = 0; j < UNITS; j++) {
            const bool sees = kn_rts_is_visible(g->t.f.world, g->players[i], g->units[j]);
            assert_int_equal(sees, model_sees(g, g->players[i], g->units[j]));
            seen += sees;
            hidden += !sees;
        }
        for (uint32_t j = 0; j < 20; j++) {
            const kn_vec3 place = {next_place(g), next_place(g), 0};
            assert_int_equal(kn_rts_sees_place(g->t.f.world, g->players[i], place),
                model_sees_place(g, g->players[i], place));
        }
        // What is remembered is neither seen nor at a place that is seen.
        kn_rts_ghost ghosts[UNITS];
        const uint32_t count = kn_rts_ghosts(g->t.f.world, g->players[i], ghosts, UNITS);
        for (uint32_t j = 0; j < count && j < UNITS; j++) {
            assert_false(kn_rts_is_visible(g->t.f.world, g->players[i], ghosts[j].unit));
            assert_false(model_sees_place(g, g->players[i], ghosts[j].position));
        }
    }
    assert_true(seen > 0 && hidden > 0);
}

static void vision_agrees_with_all_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed += SHARE(3)) {
        game g;
        game_open(&g, seed);
        for (uint32_t i = 0; i < 12; i++) {
            for (uint32_t j = next_random(&g, 80); j > 0; j--) {
                play(&g);
                step_ms(&g.t.f, (int64_t)next_random(&g, 30));
            }
            rounds(&g.t, 3);
            model_check(&g);
        }
        fixture_close(&g.t.f);
    }
}

// What events say adds up to what is seen.
static void events_add_up(void **state)
{
    game g;
    bool seen[PLAYERS][UNITS];
    (void)state;
    game_open(&g, 5);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        for (uint32_t j = 0; j < UNITS; j++) {
            seen[i][j] = kn_rts_is_visible(g.t.f.world, g.players[i], g.units[j]);
        }
    }
    for (uint32_t turn = 0; turn < 1500; turn++) {
        kn_entity_id before[UNITS];
        memcpy(before, g.units, sizeof(before));
        play(&g);
        step_ms(&g.t.f, 10);
        const kn_events events = kn_world_events(g.t.f.world);
        for (uint32_t i = 0; i < UNITS; i++) {
            if (!kn_entity_id_equal(before[i], g.units[i])) { // a new one begins with its own
                for (uint32_t j = 0; j < PLAYERS; j++) {
                    seen[j][i] = kn_rts_shares_vision(
                        g.t.f.world, kn_entity_owner(g.t.f.world, g.units[i]), g.players[j]);
                }
            }
        }
        for (uint32_t e = 0; e < events.count; e++) {
            const kn_event *event = &events.data[e];
            uint32_t size;
            if (event->type != KN_EVENT_CUSTOM) {
                continue;
            }
            const char *name = kn_custom_event_name(g.t.f.library, event->data.custom.kind);
            const kn_rts_sight_event *payload = kn_event_payload(g.t.f.world, event, &size);
            const bool is_seen = strcmp(name, "Knack.RtsSighted") == 0;
            for (uint32_t i = 0; i < UNITS && (is_seen || strcmp(name, "Knack.RtsLost") == 0);
                 i++) {
                for (uint32_t j = 0; j < PLAYERS; j++) {
                    if (kn_entity_id_equal(event->entity, g.units[i]) &&
                        kn_entity_id_equal(payload->player, g.players[j])) {
                        assert_int_not_equal(seen[j][i], is_seen);
                        seen[j][i] = is_seen;
                    }
                }
            }
        }
        for (uint32_t i = 0; i < PLAYERS; i++) {
            for (uint32_t j = 0; j < UNITS; j++) {
                assert_int_equal(
                    seen[i][j], kn_rts_is_visible(g.t.f.world, g.players[i], g.units[j]));
            }
        }
    }
    fixture_close(&g.t.f);
}

// Each step is taken twice, from the same snapshot, and ends in the same state.
static void rolled_back_steps_end_alike(void **state)
{
    game g;
    (void)state;
    game_open(&g, 7);
    for (uint32_t i = 0; i < 300; i++) {
        size_t size;
        void *bytes = snapshot_of(g.t.f.world, &size);
        const game before = g;
        play(&g);
        step_ms(&g.t.f, 20);
        const uint64_t hash = kn_world_hash(g.t.f.world);
        snapshot_restore(g.t.f.world, bytes, size);
        g = before;
        play(&g);
        step_ms(&g.t.f, 20);
        assert_int_equal(kn_world_hash(g.t.f.world), hash);
        free(bytes);
    }
    fixture_close(&g.t.f);
}

// Heavy mode: every few steps a world that was loaded from a save takes the place of the first.
static void saves_go_on_elsewhere(void **state)
{
    game g, kept;
    (void)state;
    game_open(&g, 11);
    game_open(&kept, 11);
    for (uint32_t i = 0; i < 200; i++) {
        play(&g);
        play(&kept);
        step_ms(&g.t.f, 20);
        step_ms(&kept.t.f, 20);
        if (i % 3 == 0) {
            size_t size;
            void *bytes = save_of(g.t.f.world, &size);
            kn_world_def def = kn_world_def_default();
            kn_grid_def grid = kn_grid_def_default();
            kn_world *copy;
            def.library = g.t.f.library;
            assert_int_equal(kn_world_create(&def, &copy), KN_OK);
            save_load(copy, bytes, size);
            free(bytes);
            assert_same_worlds(g.t.f.world, copy);
            kn_grid_destroy(g.t.f.grid);
            kn_world_destroy(g.t.f.world);
            g.t.f.world = copy;
            grid.world = copy;
            assert_int_equal(kn_grid_create(&grid, &g.t.f.grid), KN_OK);
            kn_world_set_space(copy, kn_grid_space(g.t.f.grid));
        }
        assert_int_equal(kn_world_hash(kept.t.f.world), kn_world_hash(g.t.f.world));
    }
    rounds(&g.t, 3);
    model_check(&g);
    fixture_close(&g.t.f);
    fixture_close(&kept.t.f);
}

// Once everything has happened before, looking allocates nothing any more.
static void warm_worlds_allocate_nothing(void **state)
{
    game g;
    (void)state;
    game_open(&g, 3);
    uint64_t before = 0;
    for (uint32_t i = 0; i < 6000; i++) {
        if (i == 5000) {
            before = kn_world_get_stats(g.t.f.world).allocations;
        }
        play(&g);
        step_ms(&g.t.f, 20);
    }
    assert_int_equal(kn_world_get_stats(g.t.f.world).allocations, before);
    fixture_close(&g.t.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(vision_agrees_with_all_pairs),
    cmocka_unit_test(events_add_up),
    cmocka_unit_test(rolled_back_steps_end_alike),
    cmocka_unit_test(saves_go_on_elsewhere),
    cmocka_unit_test(warm_worlds_allocate_nothing),
};

TEST_GROUP(rts_vision_model, tests, NULL, NULL);
