// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of capabilities: hooks in their order, the first state, intervals, sets and calls.

#include "capability/capability_test.h"

// CAPV-001, CAP-014, CAP-053, CAP-054, CAP-070, CAP-071, CAP-081, CAP-083, CAP-120, CAP-121
static void a_capability_lives_from_its_start_to_its_end(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU SD(f) ON");
    frame(f, 100);
    EXPECT(f, "SD(f) TK(100)");
    frame(f, 100);
    EXPECT(f, "SD(f) TK(100)");
    take(f, set);
    EXPECT(f, "OFF EC EL");
    frame(f, 100);
    EXPECT(f, "");
}

// CAPV-002, CAPV-044, CAP-126
static void where_it_may_not_run_it_only_begins_and_ends(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.side = KN_SIDE_AUTHORITY;
    capability_done(a);
    kn_capability_set_id set = set_of(f, "S", "A");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC),
        KN_OK);
    add(f, set);
    EXPECT(f, "SL");
    frame(f, 100);
    frame(f, 100);
    EXPECT(f, "");
    take(f, set);
    EXPECT(f, "EL");
}

// CAPV-003, CAP-072, CAP-073
static void it_stays_inactive_if_it_should_deactivate_at_once(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU SD(t)");
    assert_false(is_active(f, a));
}

// CAPV-004, CAP-082
static void it_is_switched_once_in_an_evaluation(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    kn_capability_set_id set = begin_added(f, "A");
    frame(f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
    frame(f, 100);
    EXPECT(f, "SD(t) OFF");
    frame(f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
    take(f, set);
    EXPECT(f, "OFF EC EL");
}

// CAPV-005, CAP-052, CAP-075
static void the_first_state_does_not_ask_whether_it_should_start(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->starts = false;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU SD(f) ON");
    frame(f, 100);
    EXPECT(f, "SD(f) TK(100)");
}

// CAPV-006, CAP-075
static void the_first_state_is_a_choice(void **state)
{
    static const struct {
        kn_capability_initial initial;
        bool starts, stops, is_active;
    } rows[] = {
        {KN_INITIAL_STOP, false, false, true},
        {KN_INITIAL_STOP, true, true, false},
        {KN_INITIAL_START, true, true, true},
        {KN_INITIAL_START, false, false, false},
        {KN_INITIAL_BOTH, true, false, true},
        {KN_INITIAL_BOTH, false, false, false},
        {KN_INITIAL_BOTH, true, true, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        fixture *f = fixture_create();
        script *a = capability(f, "A");
        a->def.initial = rows[i].initial;
        a->starts = rows[i].starts;
        a->stops = rows[i].stops;
        kn_capability_set_id set = begin_set(f, "A");
        add(f, set);
        assert_int_equal(is_active(f, a), rows[i].is_active);
        fixture_destroy(f);
    }
    (void)state;
}

// CAPV-007, CAPV-008, CAP-074, CAP-080
static void without_ticks_it_keeps_its_first_state(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.can_tick = false;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU SD(f) ON");
    frame(f, 100);
    frame(f, 100);
    frame(f, 100);
    EXPECT(f, "");
    take(f, set);
    EXPECT(f, "OFF EC EL");
    a->stops = true;
    add(f, set);
    EXPECT(f, "SL SU SD(t)");
    frame(f, 100);
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT(f, "ON");
}

// CAPV-009
static void an_inactive_one_ends_without_being_switched(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    a->starts = false;
    kn_capability_set_id set = begin_added(f, "A");
    take(f, set);
    EXPECT(f, "EC EL");
}

// CAPV-010
static void it_follows_its_conditions_from_frame_to_frame(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    a->starts = false;
    (void)begin_added(f, "A");
    frame(f, 10);
    frame(f, 10);
    EXPECT(f, "SA(f) SA(f)");
    a->starts = true;
    a->stops = false;
    frame(f, 10);
    EXPECT(f, "SA(t) ON TK(10)");
    frame(f, 10);
    EXPECT(f, "SD(f) TK(10)");
    a->starts = false;
    a->stops = true;
    frame(f, 10);
    EXPECT(f, "SD(t) OFF");
    frame(f, 10);
    EXPECT(f, "SA(f)");
}

// CAPV-012, CAP-021, CAP-092
static void asking_for_what_is_does_nothing(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    (void)begin_added(f, "A");
    uint32_t number = number_of(f, a);
    assert_int_equal(kn_capability_activate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "");
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "OFF");
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "");
    assert_int_equal(kn_capability_activate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "ON");
    assert_int_equal(kn_capability_activate(f->world, f->hero, number + 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_capability_deactivate(f->world, f->foe, number), KN_REFUSED_NOT_FOUND);
}

// Order ---------------------------------------------------------------------------

// CAPV-015, CAP-030, CAP-031, CAP-076, CAP-122
static void sets_run_from_top_to_bottom_and_end_from_bottom_to_top(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    kn_capability_set_id set = begin_set(f, "ABC");
    add(f, set);
    EXPECT(f, "SL_A SL_B SL_C SU_A ON_A SU_B ON_B SU_C ON_C");
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_C");
    take(f, set);
    EXPECT(f, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
}

// CAPV-016
static void the_order_is_that_of_the_list(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    kn_capability_set_id set = begin_added(f, "CAB");
    frame(f, 100);
    EXPECT(f, "TK_C TK_A TK_B");
    take(f, set);
    EXPECT(f, "OFF_B EC_B EL_B OFF_A EC_A EL_A OFF_C EC_C EL_C");
}

// CAPV-017, CAP-035, CAP-036, CAP-041
static void sets_follow_each_other_as_they_were_added(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    capabilities_done(f);
    kn_capability_set_id first = set_of(f, "S1", "AB"), second = set_of(f, "S2", "C");
    begin(f);
    uint32_t number = 0, again = 0;
    assert_int_equal(kn_capability_set_add(f->world, f->hero, first, &number), KN_OK);
    add(f, second);
    hush(f);
    assert_int_equal(kn_capability_set_add(f->world, f->hero, first, &again), KN_REFUSED_DUPLICATE);
    assert_int_equal(again, number);
    assert_int_equal(kn_capability_set_number(f->world, f->hero, first), number);
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_C");
    take(f, first);
    EXPECT(f, "OFF_B EC_B EL_B OFF_A EC_A EL_A");
    frame(f, 100);
    EXPECT(f, "TK_C");
    assert_int_equal(kn_capability_set_remove(f->world, f->hero, first), KN_REFUSED_NOT_FOUND);
}

// CAPV-018, CAP-013, CAP-019, CAP-036, CAP-123
static void a_collection_brings_its_sets_and_takes_them_back(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    capabilities_done(f);
    const kn_capability_set_id sets[] = {set_of(f, "S1", "AB"), set_of(f, "S2", "C")};
    kn_capability_collection_id all;
    kn_capability_collection_def def = kn_capability_collection_def_default();
    def.name = "All";
    def.sets = sets;
    def.set_count = 2;
    assert_int_equal(kn_capability_collection_register(f->library, &def, &all, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_capability_collection_add(f->world, f->hero, all), KN_OK);
    hush(f);
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_C");
    assert_int_equal(kn_capability_collection_remove(f->world, f->hero, all), KN_OK);
    EXPECT(f, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
    assert_int_equal(kn_capability_collection_remove(f->world, f->hero, all), KN_REFUSED_NOT_FOUND);
    // What was there before is left alone.
    add(f, sets[1]);
    assert_int_equal(kn_capability_collection_add(f->world, f->hero, all), KN_OK);
    hush(f);
    assert_int_equal(kn_capability_collection_remove(f->world, f->hero, all), KN_OK);
    EXPECT(f, "OFF_B EC_B EL_B OFF_A EC_A EL_A");
}

static kn_capability_set_id other_set;

static void adds_other(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)number;
    (void)kn_capability_set_add(world, entity, other_set, NULL);
}

static void removes_other(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)number;
    (void)kn_capability_set_remove(world, entity, other_set);
}

static void adds_and_removes(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    adds_other(f, world, entity, number);
    removes_other(f, world, entity, number);
}

// CAPV-019, CAP-042, CAP-059
static void what_a_tick_adds_begins_when_the_run_is_over(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABD");
    f->scripts[0].tick = adds_other;
    capabilities_done(f);
    kn_capability_set_id set = set_of(f, "S", "AB");
    other_set = set_of(f, "S3", "D");
    begin(f);
    add(f, set);
    hush(f);
    frame(f, 100);
    EXPECT(f, "TK_A TK_B SL_D SU_D ON_D");
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_D");
}

// CAPV-020, CAP-042, CAP-095
static void a_tick_may_remove_its_own_set(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    f->scripts[0].tick = removes_other;
    capabilities_done(f);
    other_set = set_of(f, "S", "AB");
    begin(f);
    add(f, other_set);
    hush(f);
    frame(f, 100);
    EXPECT(f, "TK_A OFF_B EC_B EL_B OFF_A EC_A EL_A");
    frame(f, 100);
    EXPECT(f, "");
}

// CAP-043
static void what_comes_and_goes_in_a_tick_never_lived(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "AD");
    f->scripts[0].tick = adds_and_removes;
    capabilities_done(f);
    kn_capability_set_id set = set_of(f, "S", "A");
    other_set = set_of(f, "S3", "D");
    begin(f);
    add(f, set);
    hush(f);
    frame(f, 100);
    EXPECT(f, "TK_A");
    assert_int_equal(kn_capability_set_number(f->world, f->hero, other_set), 0);
}

// CAP-040
static void a_capability_is_moved_without_a_hook(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    (void)begin_added(f, "ABC");
    assert_int_equal(kn_capability_move(f->world, f->hero, number_of(f, &f->scripts[2]), 0), KN_OK);
    EXPECT(f, "");
    frame(f, 100);
    EXPECT(f, "TK_C TK_A TK_B");
    assert_int_equal(
        kn_capability_move(f->world, f->hero, number_of(f, &f->scripts[2]), 99), KN_OK);
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_C");
}

// CAP-127
static void sets_end_with_their_entity(void **state)
{
    fixture *f = *state;
    (void)capabilities(f, "ABC");
    capabilities_done(f);
    kn_capability_set_id first = set_of(f, "S1", "AB"), second = set_of(f, "S2", "C");
    begin(f);
    add(f, first);
    add(f, second);
    hush(f);
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT(f, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
    assert_int_equal(kn_capability_set_add(f->world, f->hero, first, NULL), KN_REFUSED_STALE_ID);
    // And when the host says that all of it is over.
    assert_int_equal(kn_capability_set_add(f->world, f->foe, second, NULL), KN_OK);
    assert_int_equal(kn_capability_set_add(f->world, f->ally, first, NULL), KN_OK);
    hush(f);
    assert_int_equal(kn_capabilities_shut_down(f->world), KN_OK);
    EXPECT(f, "OFF_B EC_B EL_B OFF_A EC_A EL_A OFF_C EC_C EL_C");
    assert_int_equal(kn_capability_count(f->world, (kn_entity_id){0}).total, 0);
}

// CAP-010
static void an_entity_is_attached_once(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = begin_set(f, "A");
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_AUTHORITY, KN_CONTROL_NOBODY),
        KN_OK);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_AUTHORITY, KN_CONTROL_NOBODY),
        KN_REFUSED_DUPLICATE);
    add(f, set);
    assert_true(kn_capability_detach(f->world, f->hero));
    EXPECT(f, "SL SU SD(f) ON OFF EC EL");
    assert_false(kn_capability_detach(f->world, f->hero));
}

// Intervals -------------------------------------------------------------------------

static void cadence(kn_time interval, const int *frames, const char *expected)
{
    fixture *f = fixture_create();
    script *a = capability(f, "A");
    a->def.interval = interval;
    a->def.should_activate.function = NULL;
    a->def.should_deactivate.function = NULL;
    (void)begin_added(f, "A");
    int now = 0;
    for (; *frames != 0; frames++) {
        bool is_blocked = *frames < 0;
        int ms = is_blocked ? -*frames : *frames;
        char before[sizeof(f->log)];
        (void)snprintf(before, sizeof(before), "%s", f->log);
        now += ms;
        frame(f, ms);
        if (strcmp(before, f->log) != 0) {
            trace(f, "@%d", now);
        }
    }
    EXPECT(f, expected);
    fixture_destroy(f);
}

// CAPV-036, CAPV-037, CAPV-038, CAP-084, CAP-086, CAP-087
static void intervals_do_not_drift(void **state)
{
    (void)state;
    cadence(KN_MS(500), (const int[]){200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 0},
        "TK(600)@600 TK(400)@1000 TK(600)@1600 TK(400)@2000");
    cadence(KN_MS(600), (const int[]){250, 250, 250, 250, 250, 250, 250, 250, 0},
        "TK(750)@750 TK(500)@1250 TK(750)@2000");
    cadence(KN_MS(500), (const int[]){100, 100, 1300, 100, 100, 200, 0}, "TK(1500)@1500");
}

// CAPV-039, CAP-087
static void blocked_time_does_not_count(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.interval = KN_MS(500);
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.should_activate.function = NULL;
    a->def.should_deactivate.function = NULL;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    frame(f, 200);
    block_by(f, f->x, 1);
    frame(f, 200);
    frame(f, 200);
    unblock_by(f, f->x, 1);
    hush(f);
    frame(f, 200);
    EXPECT(f, "");
    frame(f, 200);
    EXPECT(f, "ON TK(600)");
    frame(f, 200);
    EXPECT(f, "");
    frame(f, 200);
    EXPECT(f, "TK(400)");
}

// CAPV-041, CAP-020, CAP-088
static void a_disabled_one_is_switched_off_and_comes_back(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    (void)begin_added(f, "A");
    uint32_t number = number_of(f, a);
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number, false), KN_OK);
    EXPECT(f, "OFF");
    frame(f, 100);
    EXPECT(f, "");
    assert_int_equal(kn_capability_activate(f->world, f->hero, number), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number, true), KN_OK);
    EXPECT(f, "");
    frame(f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
}

// CAPV-042, CAP-089
static void one_that_cannot_tick_any_more_stays_as_it_is(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    (void)begin_added(f, "A");
    uint32_t number = number_of(f, a);
    assert_int_equal(kn_capability_set_can_tick(f->world, f->hero, number, false), KN_OK);
    frame(f, 100);
    EXPECT(f, "");
    assert_true(is_active(f, a));
    assert_int_equal(kn_capability_set_can_tick(f->world, f->hero, number, true), KN_OK);
    frame(f, 100);
    EXPECT(f, "SD(f) TK(100)");
}

// CAP-020, CAP-087
static void a_new_interval_begins_anew(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.interval = KN_MS(300);
    (void)begin_added(f, "A");
    frame(f, 200);
    assert_int_equal(
        kn_capability_set_interval(f->world, f->hero, number_of(f, a), KN_MS(200)), KN_OK);
    frame(f, 100);
    EXPECT(f, "");
    frame(f, 100);
    EXPECT(f, "SD(f) TK(400)");
    assert_int_equal(
        kn_capability_set_interval(f->world, f->hero, number_of(f, a), -1), KN_REFUSED_BAD_NUMBER);
}

// Requests from hooks -------------------------------------------------------------------

static void asks_off(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    assert_int_equal(kn_capability_deactivate(world, entity, number), KN_OK);
}

static void asks_on(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)kn_capability_activate(world, entity, number);
}

// CAP-093
static void a_request_about_itself_waits_for_its_hook(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.can_tick = false;
    a->on = asks_off;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU SD(f) ON OFF");
    // Two hooks against each other end after a number of switches.
    a->off = asks_on;
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, a)), KN_OK);
    uint32_t switches = 0;
    for (const char *at = f->log; (at = strstr(at, "O")) != NULL; at++) {
        switches++;
    }
    assert_int_equal(switches, kn_capability_rules_def_default().flip_limit);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(problems(f, KN_CAPABILITY_FAULT_FLIPS, a), 1);
}

// Bad input -------------------------------------------------------------------------------

// CAP-037, CAP-038, CAP-039, CAP-051, CAPV-071
static void definitions_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    kn_error error;
    script *a = capability(f, "A");
    a->def.interval = -1;
    assert_int_equal(
        kn_capability_def_register(f->library, &a->def, &a->id, &error), KN_ERROR_BAD_DATA);
    a->def.interval = 0;
    capability_done(a);
    assert_int_equal(
        kn_capability_def_register(f->library, &a->def, NULL, &error), KN_REFUSED_DUPLICATE);
    kn_capability_id members[] = {a->id, {0}, a->id};
    kn_capability_set_id set;
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = "S";
    def.rate = 0;
    def.capabilities = members;
    def.capability_count = 3;
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, &error), KN_ERROR_BAD_DATA);
    def.capability_count = 2;
    def.strict = true;
    assert_int_not_equal(kn_capability_set_register(f->library, &def, &set, &error), KN_OK);
    def.strict = false;
    members[1] = a->id;
    members[0].index1 = 0;
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, &error), KN_OK);
    begin(f);
    bool is_warned = false;
    for (uint32_t i = 0; i < kn_library_warning_count(f->library); i++) {
        is_warned = is_warned || strstr(kn_library_warning(f->library, i),
                                     "set `S`: capability 1 does not exist") != NULL;
    }
    assert_true(is_warned);
    add(f, set);
    EXPECT(f, "SL SU SD(f) ON");
    assert_int_equal(kn_capability_set_add(f->world, f->hero, (kn_capability_set_id){99}, NULL),
        KN_REFUSED_NOT_FOUND);
}

static const struct CMUnitTest tests[] = {
    TEST(a_capability_lives_from_its_start_to_its_end),
    TEST(where_it_may_not_run_it_only_begins_and_ends),
    TEST(it_stays_inactive_if_it_should_deactivate_at_once),
    TEST(it_is_switched_once_in_an_evaluation),
    TEST(the_first_state_does_not_ask_whether_it_should_start),
    TEST(the_first_state_is_a_choice),
    TEST(without_ticks_it_keeps_its_first_state),
    TEST(an_inactive_one_ends_without_being_switched),
    TEST(it_follows_its_conditions_from_frame_to_frame),
    TEST(asking_for_what_is_does_nothing),
    TEST(sets_run_from_top_to_bottom_and_end_from_bottom_to_top),
    TEST(the_order_is_that_of_the_list),
    TEST(sets_follow_each_other_as_they_were_added),
    TEST(a_collection_brings_its_sets_and_takes_them_back),
    TEST(what_a_tick_adds_begins_when_the_run_is_over),
    TEST(a_tick_may_remove_its_own_set),
    TEST(what_comes_and_goes_in_a_tick_never_lived),
    TEST(a_capability_is_moved_without_a_hook),
    TEST(sets_end_with_their_entity),
    TEST(an_entity_is_attached_once),
    TEST(intervals_do_not_drift),
    TEST(blocked_time_does_not_count),
    TEST(a_disabled_one_is_switched_off_and_comes_back),
    TEST(one_that_cannot_tick_any_more_stays_as_it_is),
    TEST(a_new_interval_begins_anew),
    TEST(a_request_about_itself_waits_for_its_hook),
    TEST(definitions_that_make_no_sense_are_refused),
};

TEST_GROUP(capability_life, tests, NULL, NULL);
