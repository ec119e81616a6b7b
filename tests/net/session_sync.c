// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who receives what of an entity, and what becomes of it when that changes: modes, owners and
// owners of owners.

#include "session_game.h"

typedef struct log_notes {
    uint32_t warnings;
} log_notes;

static void note_log(void *user, const kn_log_entry *entry)
{
    log_notes *notes = user;
    notes->warnings += entry->level == KN_LOG_WARNING && strstr(entry->message, "Mixed") != NULL;
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    game_create(g, NULL);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game_destroy(*state);
    free(*state);
    return 0;
}

static void begin(game *g, kn_sync_mode mode, log_notes *notes)
{
    kn_server_def def = game_server_def(g);
    def.mode = mode;
    def.hooks.log_fn = note_log;
    def.hooks.log_user = notes;
    game_begin(g, &def);
}

static uint32_t effects_at(const peer *p, kn_entity_id entity)
{
    return kn_effects_count(kn_client_world(p->client), entity);
}

static uint32_t abilities_at(const peer *p, kn_entity_id entity)
{
    return kn_abilities_find(kn_client_world(p->client), entity, NULL, NULL, 0);
}

// Whether a client has the tag of the blessing and what it does, whoever may see the effect itself.
static void expect_blessed(const game *g, const peer *p, kn_entity_id entity)
{
    kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_entity_tag_count(world, entity, g->kit.blessed), 1);
    assert_float_equal(value_at(world, entity, g->kit.mana), 55.0f, 0.0f);
    assert_true(kn_world_validate(world));
}

// REP-001, REP-002, REP-007: on every line, what one may not see any more is taken away, and comes
// back.
static void a_stricter_mode_takes_effects_away_from_those_who_had_them(void **state)
{
    game *g = *state;
    log_notes notes = {0};
    begin(g, KN_SYNC_MODE_FULL, &notes);
    peer *owner = add_client(g, 0, NULL), *other = add_client(g, 1, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        set_network(g, KN_MS(30), i == 0 ? 0.0f : 0.2f * (float)i);
        run(g, KN_S(2));
        kn_effect_id effect = afflict(g, owner->hero, g->kit.blessing);
        static const struct {
            kn_sync_mode mode;
            uint32_t at_owner, at_other;
        } steps[] = {{KN_SYNC_MODE_FULL, 1, 1}, {KN_SYNC_MODE_MIXED, 1, 0},
            {KN_SYNC_MODE_MINIMAL, 0, 0}, {KN_SYNC_MODE_FULL, 1, 1}, {KN_SYNC_MODE_MINIMAL, 0, 0},
            {KN_SYNC_MODE_MIXED, 1, 0}, {KN_SYNC_MODE_FULL, 1, 1}};
        for (uint32_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
            assert_int_equal(kn_server_set_mode(g->server, owner->hero, steps[j].mode), KN_OK);
            run(g, KN_S(2));
            assert_int_equal(effects_at(owner, owner->hero), steps[j].at_owner);
            assert_int_equal(effects_at(other, owner->hero), steps[j].at_other);
            expect_blessed(g, owner, owner->hero);
            expect_blessed(g, other, owner->hero);
        }
        assert_int_equal(kn_effect_remove(g->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
        run(g, KN_S(1));
        assert_int_equal(effects_at(owner, owner->hero), 0);
    }
    assert_int_equal(kn_client_get_stats(other->client).bad, 0);
}

// Modes that change faster than the line says so end in the last one.
static void modes_that_change_all_the_time_end_in_the_last_one(void **state)
{
    game *g = *state;
    log_notes notes = {0};
    begin(g, KN_SYNC_MODE_FULL, &notes);
    peer *owner = add_client(g, 0, NULL), *other = add_client(g, 1, NULL);
    set_network(g, KN_MS(60), 0.2f);
    run(g, KN_S(2));
    afflict(g, owner->hero, g->kit.blessing);
    uint64_t random = 5;
    for (uint32_t i = 0; i < 12; i++) {
        kn_sync_mode mode = KN_SYNC_MODE_FULL;
        for (uint32_t j = 0; j < 20; j++) {
            mode = (kn_sync_mode)any_below(&random, KN_SYNC_MODE_COUNT);
            assert_int_equal(kn_server_set_mode(g->server, owner->hero, mode), KN_OK);
            run(g, (kn_time)any_below(&random, 60) * 1000);
        }
        run(g, KN_S(2));
        assert_int_equal(effects_at(other, owner->hero), mode == KN_SYNC_MODE_FULL);
        assert_int_equal(effects_at(owner, owner->hero), mode != KN_SYNC_MODE_MINIMAL);
        expect_blessed(g, other, owner->hero);
    }
}

// REP-002
static void who_loses_an_entity_loses_what_is_for_its_owner(void **state)
{
    game *g = *state;
    log_notes notes = {0};
    begin(g, KN_SYNC_MODE_MIXED, &notes);
    set_network(g, KN_MS(30), 0.1f);
    peer *first = add_client(g, 0, NULL), *second = add_client(g, 1, NULL);
    run(g, KN_S(1));
    kn_entity_id hero = first->hero;
    afflict(g, hero, g->kit.blessing);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 4; i++) {
        const peer *owner = i % 2 == 0 ? first : second, *other = i % 2 == 0 ? second : first;
        assert_int_equal(kn_entity_set_connection(g->world, hero, owner->connection), KN_OK);
        run(g, KN_S(2));
        assert_int_equal(effects_at(owner, hero), 1);
        assert_int_equal(abilities_at(owner, hero), 1);
        assert_int_equal(effects_at(other, hero), 0);
        assert_int_equal(abilities_at(other, hero), 0);
        expect_blessed(g, owner, hero);
        expect_blessed(g, other, hero);
    }
    assert_int_equal(notes.warnings, 0);
}

// REP-005
static void mixed_without_a_connection_is_minimal_with_one_warning(void **state)
{
    game *g = *state;
    log_notes notes = {0};
    begin(g, KN_SYNC_MODE_MIXED, &notes);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    assert_int_equal(notes.warnings, 0);
    kn_entity_id things[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(session_hero(&g->kit, g->world, 0, &things[i]));
        afflict(g, things[i], g->kit.blessing);
    }
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(effects_at(p, things[i]), 0);
        expect_blessed(g, p, things[i]);
    }
    assert_int_equal(notes.warnings, 1);
}

// REP-004, REP-010, ASC-048: what belongs to something of a player is the player's, however long
// the chain.
static void what_an_entity_owns_counts_as_its_players(void **state)
{
    game *g = *state;
    log_notes notes = {0};
    begin(g, KN_SYNC_MODE_MIXED, &notes);
    peer *p = add_client(g, 0, NULL), *q = add_client(g, 1, NULL);
    run(g, KN_S(1));
    kn_entity_id pet, collar, saddle;
    assert_true(session_hero(&g->kit, g->world, 0, &pet));
    assert_true(session_hero(&g->kit, g->world, 0, &collar));
    assert_true(session_hero(&g->kit, g->world, 0, &saddle));
    assert_int_equal(kn_entity_set_owner(g->world, pet, p->hero), KN_OK);
    assert_int_equal(kn_entity_set_owner(g->world, collar, pet), KN_OK);
    assert_int_equal(kn_entity_set_parent(g->world, saddle, pet), KN_OK);
    const kn_entity_id all[] = {pet, collar, saddle};
    for (uint32_t i = 0; i < 3; i++) {
        afflict(g, all[i], g->kit.blessing);
    }
    run(g, KN_S(1));
    assert_int_equal(notes.warnings, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(effects_at(p, all[i]), 1);
        assert_int_equal(abilities_at(p, all[i]), 1);
        assert_int_equal(effects_at(q, all[i]), 0);
    }
    // The hero gets another player, and all that it owns with it.
    assert_int_equal(kn_entity_set_connection(g->world, p->hero, q->connection), KN_OK);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(effects_at(p, all[i]), 0);
        assert_int_equal(effects_at(q, all[i]), 1);
    }
    // One that has a connection of its own is not the owner's.
    assert_int_equal(kn_entity_set_connection(g->world, pet, p->connection), KN_OK);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(effects_at(p, all[i]), 1);
        assert_int_equal(effects_at(q, all[i]), 0);
    }
    // Owners in a circle are nobody's.
    assert_int_equal(kn_entity_set_connection(g->world, pet, 0), KN_OK);
    assert_int_equal(kn_entity_set_owner(g->world, pet, collar), KN_OK);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(effects_at(p, all[i]), 0);
        assert_int_equal(effects_at(q, all[i]), 0);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_stricter_mode_takes_effects_away_from_those_who_had_them),
    TEST(modes_that_change_all_the_time_end_in_the_last_one),
    TEST(who_loses_an_entity_loses_what_is_for_its_owner),
    TEST(mixed_without_a_connection_is_minimal_with_one_warning),
    TEST(what_an_entity_owns_counts_as_its_players),
};

TEST_GROUP(session_sync, tests, NULL, NULL);
