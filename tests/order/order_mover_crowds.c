// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units that get in each other's way.

#include "mover_test.h"

#define CROWD 20

static float gap(fixture *f, kn_entity_id a, kn_entity_id b)
{
    kn_vec3 p = place_of(f, a), q = place_of(f, b);
    return sqrtf((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));
}

static float smallest_gap(fixture *f, const kn_entity_id *units, uint32_t count)
{
    float smallest = 1e30f;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            float own = gap(f, units[i], units[j]);
            smallest = own < smallest ? own : smallest;
        }
    }
    return smallest;
}

// Units on top of each other that march off together.
static void crowd_make(fixture *f, kn_entity_id *units, float gap_between)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        const float x = (float)(i % 5) * gap_between, y = (float)(i / 5) * gap_between;
        units[i] = walker_make(f, 200 + x, y);
        (void)go(f, units[i], 300 + (float)(i % 5) * 2, (float)(i / 5) * 2, 0);
    }
    f->seen_count = 0;
}

static void quiet_play(fixture *f, uint32_t rate, kn_time until)
{
    for (uint64_t i = 1; kn_world_now(f->world) < until; i++) {
        const kn_time next = (kn_time)(i * 1000000 / rate);
        if (next > kn_world_now(f->world)) {
            assert_int_equal(
                kn_world_step(f->world, (next < until ? next : until) - kn_world_now(f->world)),
                KN_OK);
        }
    }
}

static void separation_keeps_units_apart(void **state)
{
    fixture *f = *state;
    kn_entity_id units[CROWD];
    f->walk_def.separation = 10.0f;
    begin(f);
    crowd_make(f, units, 0.3f);
    assert_true(smallest_gap(f, units, CROWD) < 0.31f);
    quiet_play(f, 60, KN_S(6));
    assert_true(smallest_gap(f, units, CROWD) > 0.9f);
    quiet_play(f, 60, KN_S(40));
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(info_of(f, units[i]).result, KN_MOVE_ARRIVED);
        EXPECT_AT(units[i], 300 + (float)(i % 5) * 2, (float)(i / 5) * 2);
    }
}

static void without_separation_units_do_not_mind(void **state)
{
    fixture *f = *state;
    kn_entity_id units[CROWD];
    begin(f);
    crowd_make(f, units, 0.0f);
    quiet_play(f, 60, KN_S(1));
    assert_true(smallest_gap(f, units, CROWD) < 0.3f);
    quiet_play(f, 60, KN_S(40));
    assert_true(info_of(f, units[0]).result == KN_MOVE_ARRIVED);
}

static void units_at_the_same_place_part(void **state)
{
    fixture *f = *state;
    kn_entity_id units[CROWD];
    f->walk_def.separation = 10.0f;
    begin(f);
    crowd_make(f, units, 0.0f);
    quiet_play(f, 60, KN_S(10));
    assert_true(smallest_gap(f, units, CROWD) > 0.8f);
}

static void units_that_meet_head_on_pass_each_other(void **state)
{
    fixture *f = *state;
    f->walk_def.separation = 20.0f;
    begin(f);
    assert_int_equal(kn_grid_move(f->grid, f->b, (kn_vec3){10, 0, 0}), KN_OK);
    (void)go(f, f->a, 10, 0, 0);
    (void)go(f, f->b, 0, 0, 0);
    float nearest = 10.0f;
    for (uint32_t i = 0; i < 100; i++) {
        step(f, KN_MS(50));
        nearest = fminf(nearest, gap(f, f->a, f->b));
    }
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_int_equal(info_of(f, f->b).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 10, 0);
    EXPECT_AT(f->b, 0, 0);
    assert_true(nearest > 0.5f);
}

static void units_at_rest_count_if_asked_for(void **state)
{
    (void)state;
    for (uint32_t with = 0; with < 2; with++) {
        fixture *f = fixture_create();
        void *own = f;
        f->walk_def.separation = 20.0f;
        f->walk_def.avoids_resting = with != 0;
        begin(f);
        assert_int_equal(kn_grid_move(f->grid, f->b, (kn_vec3){5, 0.1f, 0}), KN_OK);
        (void)go(f, f->a, 10, 0, 0);
        float nearest = 10.0f;
        for (uint32_t i = 0; i < 100; i++) {
            step(f, KN_MS(50));
            nearest = fminf(nearest, gap(f, f->a, f->b));
        }
        assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
        EXPECT_AT(f->b, 5, 0.1f); // those at rest are not moved
        assert_true(with != 0 ? nearest > 0.5f : nearest < 0.2f);
        (void)teardown_fixture(&own);
    }
}

// A place that somebody has, and gives to nobody.
static void a_unit_whose_place_is_taken_gets_stuck(void **state)
{
    fixture *f = *state;
    f->walk_def.separation = 60.0f;
    f->walk_def.avoids_resting = true;
    begin(f);
    assert_int_equal(kn_grid_move(f->grid, f->b, (kn_vec3){5, 0, 0}), KN_OK);
    (void)go(f, f->a, 5, 0, 0);
    step(f, KN_S(20));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_STUCK);
    assert_true(gap(f, f->a, f->b) > 0.7f);
}

static void nobody_is_pushed_into_a_wall(void **state)
{
    fixture *f = *state;
    kn_entity_id units[12];
    kn_map_def map = kn_map_def_default();
    map.name = "Corridors";
    map.rows = "............\n"
               ".####.#####.\n"
               ".####......#\n"
               "......#####.\n"
               "#####......#\n"
               "............\n";
    assert_int_equal(kn_map_register(f->library, &map, &f->walk_def.map, NULL), KN_OK);
    f->walk_def.separation = 15.0f;
    begin(f);
    for (uint32_t i = 0; i < COUNT(units); i++) {
        const float shift = 0.1f * (float)(i % 8) - 0.4f;
        units[i] = walker_make(f, i % 2 == 0 ? 0.5f : 10.5f, i % 2 == 0 ? 0.5f + shift : 5.5f);
        (void)go(f, units[i], i % 2 == 0 ? 10.5f : 0.5f, i % 2 == 0 ? 5.5f : 0.5f, 0.25f);
    }
    for (uint32_t t = 0; t < 200; t++) {
        assert_int_equal(kn_world_step(f->world, KN_MS(50)), KN_OK);
        for (uint32_t i = 0; i < COUNT(units); i++) {
            assert_false(kn_map_is_blocked(f->world, f->walk_def.map, place_of(f, units[i])));
        }
    }
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < COUNT(units); i++) {
        arrived += info_of(f, units[i]).result == KN_MOVE_ARRIVED;
    }
    assert_true(arrived >= COUNT(units) / 2);
}

static uint64_t crowd_hash(uint32_t rate, bool rolls_back)
{
    fixture *f = fixture_create();
    void *own = f;
    kn_entity_id units[CROWD];
    size_t size;
    f->walk_def.separation = 10.0f;
    begin(f);
    crowd_make(f, units, 0.1f);
    quiet_play(f, rate, KN_MS(1010));
    if (rolls_back) {
        void *snapshot = snapshot_of(f->world, &size);
        quiet_play(f, rate, KN_S(2));
        snapshot_restore(f->world, snapshot, size);
        free(snapshot);
    }
    quiet_play(f, rate, KN_S(7));
    assert_int_equal(info_of(f, units[0]).result, KN_MOVE_RUNNING);
    const uint64_t hash = kn_world_hash(f->world);
    (void)teardown_fixture(&own);
    return hash;
}

static void crowds_are_the_same_everywhere(void **state)
{
    (void)state;
    const uint64_t hash = crowd_hash(1, false);
    assert_int_equal(crowd_hash(30, false), hash);
    assert_int_equal(crowd_hash(60, false), hash);
    assert_int_equal(crowd_hash(144, false), hash);
    assert_int_equal(crowd_hash(60, true), hash);
}

static void bad_widths_are_refused(void **state)
{
    fixture *f = *state;
    const float bad[] = {-1.0f, NAN, INFINITY};
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_mover_def def = f->walk_def;
        kn_error error;
        def.radius = bad[i];
        assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, "radius"));
        def = f->walk_def;
        def.separation = bad[i];
        assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, "separation"));
    }
}

static const struct CMUnitTest tests[] = {
    TEST(separation_keeps_units_apart),
    TEST(without_separation_units_do_not_mind),
    TEST(units_at_the_same_place_part),
    TEST(units_that_meet_head_on_pass_each_other),
    cmocka_unit_test(units_at_rest_count_if_asked_for),
    TEST(a_unit_whose_place_is_taken_gets_stuck),
    TEST(nobody_is_pushed_into_a_wall),
    cmocka_unit_test(crowds_are_the_same_everywhere),
    TEST(bad_widths_are_refused),
};

TEST_GROUP(order_mover_crowds, tests, NULL, NULL);
