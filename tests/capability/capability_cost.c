// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What runs cost, and in which order and with which time they go: how often predicates are asked,
// memory, limits, and worlds beside each other.

#include "capability/capability_test.h"

// Counts how often it was asked, and says no.
static kn_result hook_count(void *user, const kn_hook_call *call)
{
    (void)call;
    ++*(uint32_t *)user;
    return KN_REFUSED_CUSTOM;
}

// An inactive capability whose predicate only counts.
static script *counted(fixture *f, const char *name, uint32_t *asked)
{
    script *s = capability(f, name);
    s->stops = true;
    s->def.should_activate = (kn_hook){hook_count, asked};
    s->def.tick = (kn_hook){0};
    return s;
}

// CAP-004
static void predicates_are_asked_for_each_entity_in_each_run(void **state)
{
    fixture *f = *state;
    uint32_t asked = 0;
    (void)counted(f, "A", &asked);
    (void)counted(f, "B", &asked);
    kn_capability_set_id set = begin_added(f, "AB");
    for (int i = 0; i < 5; i++) {
        frame(f, 10);
    }
    assert_int_equal(asked, 2 * 5);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, set, NULL), KN_OK);
    assert_int_equal(kn_capability_set_add(f->world, f->ally, set, NULL), KN_OK);
    asked = 0;
    for (int i = 0; i < 5; i++) {
        frame(f, 10);
    }
    assert_int_equal(asked, 3 * 2 * 5);
}

// CAP-210, CAP-084, CAP-088, CAP-212
static void intervals_disabling_and_sleep_save_questions(void **state)
{
    static const struct {
        int interval_ms;
        bool can_tick, sleeps, is_enabled;
        uint32_t asked;
    } rows[] = {
        {0, true, false, true, 20}, {50, true, false, true, 4}, {0, false, false, true, 0},
        {0, true, false, false, 0}, {0, true, true, true, 1}, // once after its set-up
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        fixture *f = fixture_create();
        uint32_t asked = 0;
        script *a = counted(f, "A", &asked);
        a->def.interval = KN_MS(rows[i].interval_ms);
        a->def.can_tick = rows[i].can_tick;
        a->def.sleeps = rows[i].sleeps;
        (void)begin_added(f, "A");
        assert_int_equal(
            kn_capability_set_enabled(f->world, f->hero, number_of(f, a), rows[i].is_enabled),
            KN_OK);
        for (int run = 0; run < 20; run++) {
            frame(f, 10);
        }
        assert_int_equal(asked, rows[i].asked);
        fixture_destroy(f);
    }
    (void)state;
}

// CAP-211
static void inactive_capabilities_allocate_nothing(void **state)
{
    fixture *f = *state;
    uint32_t asked = 0;
    (void)counted(f, "A", &asked);
    (void)counted(f, "B", &asked);
    capabilities_done(f);
    kn_capability_set_id set = set_at(f, "S", "AB", 60);
    begin(f);
    kn_world_set_moving(f->world, false); // otherwise every change is a new block of memory
    add(f, set);
    uint64_t before = 0;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
        assert_true(i < 3 || kn_world_get_stats(f->world).allocations == before);
        before = kn_world_get_stats(f->world).allocations;
    }
    assert_int_equal(asked, 2 * 600);
}

// Order and time ------------------------------------------------------------------------

static void shows_entity(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)world;
    (void)number;
    trace(f, "%s", kn_entity_id_equal(entity, f->hero) ? "*" : "");
}

// CAP-090: one after the other, one entity after the other.
static void an_entity_is_done_before_the_next_begins(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    for (size_t i = 0; i < 3; i++) {
        s[i].tick = shows_entity;
    }
    capabilities_done(f);
    kn_capability_set_id first = set_of(f, "S1", "AB"), second = set_of(f, "S2", "C");
    begin(f);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, first, NULL), KN_OK);
    add(f, first);
    add(f, second);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, second, NULL), KN_OK);
    hush(f);
    for (int i = 0; i < 3; i++) {
        frame(f, 10);
        EXPECT(f, "TK_A* TK_B* TK_C* TK_A TK_B TK_C");
    }
    // The host may choose another order of entities.
    assert_int_equal(kn_capabilities_update(f->world, f->foe, KN_MS(10)), KN_OK);
    assert_int_equal(kn_capabilities_update(f->world, f->hero, KN_MS(10)), KN_OK);
    EXPECT(f, "TK_A TK_B TK_C TK_A* TK_B* TK_C*");
}

// CAP-094
static void the_caller_says_how_much_time_has_passed(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    (void)begin_added(f, "A");
    frame(f, 0);
    EXPECT(f, "SD(f) TK(0)");
    frame(f, 7);
    frame(f, 250);
    EXPECT(f, "SD(f) TK(7) SD(f) TK(250)");
    a->stops = true;
    frame(f, 0);
    EXPECT(f, "SD(t) OFF");
    frame(f, 0);
    EXPECT(f, "SA(t) ON TK(0)");
    assert_int_equal(
        kn_capabilities_update(f->world, (kn_entity_id){0}, -1), KN_REFUSED_BAD_NUMBER);
    EXPECT(f, "");
}

// Limits --------------------------------------------------------------------------------

// CAP-044
static void a_set_has_a_limited_number_of_members(void **state)
{
    fixture *f = *state;
    kn_capability_id ids[KN_CAPABILITY_MEMBERS_MAX + 1];
    kn_error error = {0};
    for (uint32_t i = 0; i <= KN_CAPABILITY_MEMBERS_MAX; i++) {
        char name[16];
        kn_capability_def def = kn_capability_def_default();
        (void)snprintf(name, sizeof(name), "C%u", i);
        def.name = name;
        assert_int_equal(kn_capability_def_register(f->library, &def, &ids[i], NULL), KN_OK);
    }
    kn_capability_set_id set;
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = "S";
    def.capabilities = ids;
    def.capability_count = KN_CAPABILITY_MEMBERS_MAX + 1;
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "64"));
    def.capability_count = KN_CAPABILITY_MEMBERS_MAX;
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, &error), KN_OK);
    begin(f);
    add(f, set);
    assert_int_equal(kn_capability_count(f->world, f->hero).active, KN_CAPABILITY_MEMBERS_MAX);
}

// CAP-044
static void an_entity_has_a_limited_number_of_sets(void **state)
{
    fixture *f = *state;
    kn_capability_set_id sets[257];
    (void)capability(f, "A");
    capabilities_done(f);
    for (uint32_t i = 0; i < 257; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "S%u", i);
        sets[i] = set_of(f, name, "A");
    }
    begin(f);
    for (uint32_t i = 0; i < 256; i++) {
        hush(f);
        add(f, sets[i]);
    }
    hush(f);
    uint32_t number = 5;
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(
        kn_capability_set_add(f->world, f->hero, sets[256], &number), KN_REFUSED_LIMIT);
    assert_int_equal(number, 0);
    assert_true(kn_world_hash(f->world) == before);
    EXPECT(f, "");
    take(f, sets[0]);
    add(f, sets[256]);
}

// CAP-044, CAP-107: as many sources as there are, and each counts.
static void a_tag_may_have_many_sources(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    (void)begin_added(f, "A");
    for (uint64_t i = 0; i < 300; i++) {
        block_by(f, f->x, i);
    }
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 300);
    for (uint64_t i = 0; i < 299; i++) {
        unblock_by(f, f->x, i);
    }
    frame(f, 10);
    assert_false(is_active(f, a));
    unblock_by(f, f->x, 299);
    frame(f, 10);
    assert_true(is_active(f, a));
}

// Worlds ----------------------------------------------------------------------------------

static void counts_runs(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    ++*(uint32_t *)kn_capability_state(world, entity, number);
}

static fixture *counting_fixture(kn_capability_set_id *set)
{
    static const kn_field count = KN_FIELD_INIT("count", KN_FIELD_U32, 0, 1);
    fixture *f = fixture_create();
    script *s = capabilities(f, "AB");
    s[0].def.state = s[1].def.state = &count;
    s[0].def.state_count = s[1].def.state_count = 1;
    s[0].tick = s[1].tick = counts_runs;
    s[0].def.tags = s[1].def.blocks = (kn_tags){&f->x, 1};
    s[1].def.interval = KN_MS(70);
    capabilities_done(f);
    *set = set_at(f, "S", "AB", 60);
    begin(f);
    return f;
}

static void step_to(kn_world *world, kn_time time)
{
    assert_int_equal(kn_world_step(world, time - kn_world_now(world)), KN_OK);
}

// CAP-023: nothing is kept beside a library and its worlds.
static void worlds_do_not_know_of_each_other(void **state)
{
    kn_capability_set_id set, other_set;
    fixture *f = counting_fixture(&set), *g = counting_fixture(&other_set);
    (void)state;
    // The first one alone.
    add(f, set);
    step_to(f->world, KN_S(2));
    uint64_t alone = kn_world_hash(f->world);
    // A second world of its library, and one of another library, in turns.
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_world *second;
    kn_entity_id entity;
    assert_int_equal(kn_world_create(&def, &second), KN_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(second, &entity), KN_OK);
    }
    assert_int_equal(kn_capability_set_add(second, f->hero, set, NULL), KN_OK);
    add(g, other_set);
    for (kn_time now = KN_MS(100); now <= KN_S(2); now += KN_MS(100)) {
        step_to(second, now);
        step_to(g->world, now);
        block_by(g, g->x, 1); // there alone
        hush(f);
        hush(g);
    }
    assert_true(kn_world_hash(second) == alone);
    assert_true(kn_world_hash(g->world) != alone);
    assert_true(kn_world_hash(f->world) == alone);
    kn_world_destroy(second);
    fixture_destroy(g);
    fixture_destroy(f);
}

static const struct CMUnitTest tests[] = {
    TEST(predicates_are_asked_for_each_entity_in_each_run),
    cmocka_unit_test(intervals_disabling_and_sleep_save_questions),
    TEST(inactive_capabilities_allocate_nothing),
    TEST(an_entity_is_done_before_the_next_begins),
    TEST(the_caller_says_how_much_time_has_passed),
    TEST(a_set_has_a_limited_number_of_members),
    TEST(an_entity_has_a_limited_number_of_sets),
    TEST(a_tag_may_have_many_sources),
    cmocka_unit_test(worlds_do_not_know_of_each_other),
};

TEST_GROUP(capability_cost, tests, NULL, NULL);
