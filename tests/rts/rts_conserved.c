// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Experience and ability points are conserved, whatever happens: random calls in random order,
// compared with plain bookkeeping. Meanwhile the world is rolled back, saved and loaded again.

#include "rts/rts_test.h"

#include "scenario/world_copies.h"

#define ABILITIES 4
#define UNITS 3
#define CALLS 1500

typedef struct game {
    fixture f;
    kn_ability_type_id abilities[ABILITIES]; // the first two from the beginning
    kn_rts_unit_type_id type;
    kn_entity_id units[UNITS];
    uint64_t random;
} game;

// What a unit should have.
typedef struct books {
    float experience;
    uint32_t points, paid_level, level;
    uint32_t bought[ABILITIES], free_levels[ABILITIES];
} books;

static const uint32_t max_levels[ABILITIES] = {3, 2, 4, 1};
static const float totals[] = {0, 100, 250, 475, 775, 1175};

static uint32_t next_random(game *g, uint32_t below)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->random >> 33) % below;
}

static uint32_t level_for(float experience)
{
    uint32_t level = 1;
    while (level < 6 && experience >= totals[level]) {
        level++;
    }
    return level;
}

static void game_open_with(game *g, uint64_t seed, const kn_hooks *hooks)
{
    static const char *const names[ABILITIES] = {"A", "B", "C", "D"};
    *g = (game){.random = seed};
    fixture_open(&g->f);
    for (uint32_t i = 0; i < ABILITIES; i++) {
        g->abilities[i] = ability_add(&g->f, names[i], max_levels[i]);
    }
    const kn_attribute_set_id set = set_add(&g->f, "Combat", "Damage");
    (void)curve_add(&g->f, "Hero.Damage", (const float[]){10, 12, 15, 20}, 4);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    const kn_curve_id curve =
        curve_add(&g->f, "Experience", (const float[]){100, 150, 225, 300, 400}, 5);
    def.name = "Hero";
    def.can_level = true;
    def.max_level = 6;
    def.points_per_level = 2;
    def.ability_points = 1;
    def.experience_per_level = kn_by_level(1, curve);
    def.sets = &set;
    def.set_count = 1;
    def.abilities = g->abilities;
    def.ability_count = 2;
    def.unlockable_abilities = g->abilities + 2;
    def.unlockable_ability_count = 2;
    g->type = unit_type_add(&g->f, &def);
    kn_world_def world = kn_world_def_default();
    if (hooks != NULL) {
        world.hooks = *hooks;
    }
    library_finish(&g->f);
    world_begin_with(&g->f, world);
    for (uint32_t i = 0; i < UNITS; i++) {
        g->units[i] = unit_create(&g->f, g->type, g->f.us);
    }
}

static void game_open(game *g, uint64_t seed)
{
    game_open_with(g, seed, NULL);
}

static books books_open(void)
{
    const books b = {.points = 1, .paid_level = 1, .level = 1, .free_levels = {1, 1, 0, 0}};
    return b;
}

static void books_level(books *b, uint32_t level)
{
    b->level = level;
    if (level > b->paid_level) {
        b->points += 2 * (level - b->paid_level);
        b->paid_level = level;
    }
}

static uint32_t books_ability(const books *b, uint32_t ability)
{
    return b->bought[ability] + b->free_levels[ability];
}

// One call, in the world and in the books.
static void play(game *g, kn_entity_id unit, books *b)
{
    kn_world *world = g->f.world;
    const uint32_t a = next_random(g, ABILITIES);
    const float amount = (float)next_random(g, 120);
    const int32_t level = (int32_t)next_random(g, 9) - 1;
    switch (next_random(g, 10)) {
    case 0:
    case 1:
    case 2:
        if (b->level == 6) {
            assert_int_equal(kn_rts_add_experience(world, unit, amount), KN_REFUSED_LIMIT);
        } else {
            assert_int_equal(kn_rts_add_experience(world, unit, amount), KN_OK);
            b->experience += amount;
            books_level(b, level_for(b->experience));
        }
        break;
    case 3: {
        const uint32_t wanted = level < 1 ? 1 : level > 6 ? 6 : (uint32_t)level;
        assert_int_equal(kn_rts_set_level(world, unit, level), KN_OK);
        if (wanted != b->level) {
            books_level(b, wanted);
            b->experience = totals[wanted - 1];
        }
        break;
    }
    case 4:
    case 5:
    case 6: {
        const bool is_paid = next_random(g, 4) != 0;
        const kn_result expected = is_paid && b->points == 0              ? KN_REFUSED_COST
                                   : books_ability(b, a) >= max_levels[a] ? KN_REFUSED_LIMIT
                                                                          : KN_OK;
        assert_int_equal(kn_rts_raise_ability(world, unit, g->abilities[a], is_paid), expected);
        if (expected == KN_OK) {
            b->points -= is_paid;
            b->bought[a] += is_paid;
            b->free_levels[a] += !is_paid;
        }
        break;
    }
    case 7:
        if (kn_rts_can_learn(world, unit, g->abilities[a], NULL)) {
            assert_int_equal(kn_rts_learn(world, unit, g->abilities[a]), KN_OK);
            b->points--;
            b->bought[a]++;
        } else {
            assert_int_not_equal(kn_rts_learn(world, unit, g->abilities[a]), KN_OK);
        }
        break;
    case 8:
        assert_int_equal(kn_rts_refund_ability(world, unit, g->abilities[a]),
            b->bought[a] > 0 ? KN_OK : KN_REFUSED_NOT_FOUND);
        b->points += b->bought[a] > 0;
        b->bought[a] -= b->bought[a] > 0;
        break;
    default:
        if (next_random(g, 4) == 0) {
            assert_int_equal(kn_rts_reset_abilities(world, unit), KN_OK);
            for (uint32_t i = 0; i < ABILITIES; i++) {
                b->points += b->bought[i];
                b->bought[i] = 0;
            }
        }
    }
}

static void books_check(const game *g, kn_entity_id unit, const books *b)
{
    const kn_world *world = g->f.world;
    uint32_t spent = 0;
    assert_true(kn_rts_experience(world, unit) == b->experience);
    assert_int_equal(kn_rts_level(world, unit), b->level);
    assert_int_equal(b->level, level_for(b->experience)); // the level follows at all times
    assert_int_equal(kn_rts_points(world, unit), b->points);
    for (uint32_t i = 0; i < ABILITIES; i++) {
        assert_int_equal(
            kn_rts_ability_level_of(world, unit, g->abilities[i]), books_ability(b, i));
        assert_int_equal(kn_rts_points_spent(world, unit, g->abilities[i]), b->bought[i]);
        spent += b->bought[i];
    }
    // Free and spent points are those that levels have given.
    assert_int_equal(b->points + spent, 1 + 2 * (b->paid_level - 1));
    const float level = (float)(b->level < 4 ? b->level : 4);
    assert_true(kn_attribute_base(world, unit, attribute_named(&g->f, "Combat.Damage")) ==
                kn_curve_at(g->f.library, kn_curve_find(g->f.library, "Hero.Damage"), level));
}

// RTS-050, RTS-055, RTS-063, RTS-067
static void nothing_is_lost_or_won_by_any_sequence(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        game g;
        books all[UNITS];
        game_open(&g, seed);
        for (uint32_t i = 0; i < UNITS; i++) {
            all[i] = books_open();
        }
        for (uint32_t i = 0; i < CALLS; i++) {
            const uint32_t unit = next_random(&g, UNITS);
            play(&g, g.units[unit], &all[unit]);
            books_check(&g, g.units[unit], &all[unit]);
            if (i % 16 == 0) {
                step_ms(&g.f, 20);
            }
        }
        for (uint32_t i = 0; i < UNITS; i++) {
            books_check(&g, g.units[i], &all[i]);
        }
        fixture_close(&g.f);
    }
}

// Each step is taken twice, from the same snapshot, and ends in the same state.
static void rolled_back_steps_end_alike(void **state)
{
    game g;
    books b = books_open();
    (void)state;
    game_open(&g, 7);
    for (uint32_t i = 0; i < 200; i++) {
        size_t size;
        void *bytes = snapshot_of(g.f.world, &size);
        const uint64_t random = g.random;
        const books before = b;
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
        const uint64_t hash = kn_world_hash(g.f.world);
        snapshot_restore(g.f.world, bytes, size);
        books_check(&g, g.units[0], &before);
        g.random = random;
        b = before;
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
        assert_int_equal(kn_world_hash(g.f.world), hash);
        books_check(&g, g.units[0], &b);
        free(bytes);
    }
    fixture_close(&g.f);
}

// A save in the middle goes on in another world as in the first.
static void saves_go_on_elsewhere(void **state)
{
    game g;
    books b = books_open();
    (void)state;
    game_open(&g, 11);
    for (uint32_t i = 0; i < 60; i++) {
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
        size_t size;
        void *bytes = save_of(g.f.world, &size);
        kn_world_def def = kn_world_def_default();
        kn_world *copy, *first = g.f.world;
        def.library = g.f.library;
        assert_int_equal(kn_world_create(&def, &copy), KN_OK);
        save_load(copy, bytes, size);
        free(bytes);
        assert_same_worlds(first, copy);
        const uint64_t random = g.random;
        const books before = b;
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
        g.random = random;
        b = before;
        g.f.world = copy;
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
        books_check(&g, g.units[0], &b);
        g.f.world = first;
        assert_same_worlds(first, copy);
        kn_world_destroy(copy);
    }
    fixture_close(&g.f);
}

static void *count_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    ++*(uint32_t *)user;
    return realloc(ptr, new_size);
}

// Once everything has happened before, nothing allocates any more.
static void warm_worlds_allocate_nothing(void **state)
{
    game g;
    uint32_t count = 0;
    const kn_hooks hooks = {.realloc_fn = count_realloc, .realloc_user = &count};
    books b = books_open();
    (void)state;
    game_open_with(&g, 3, &hooks);
    for (uint32_t i = 0; i < 4000; i++) {
        if (i == 2000) {
            count = 0;
        }
        play(&g, g.units[0], &b);
        step_ms(&g.f, 20);
    }
    assert_int_equal(count, 0);
    fixture_close(&g.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_is_lost_or_won_by_any_sequence),
    cmocka_unit_test(rolled_back_steps_end_alike),
    cmocka_unit_test(saves_go_on_elsewhere),
    cmocka_unit_test(warm_worlds_allocate_nothing),
};

TEST_GROUP(rts_conserved, tests, NULL, NULL);
