// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Systems: exact times, their order among timers and each other, switches that are state.

#include "scenario/fixture.h"

static int setup(void **state)
{
    *state = fixture_create(1);
    return 0;
}

static kn_system_def system_def(fixture *f, const char *name, kn_system_fn *function)
{
    kn_system_def def = kn_system_def_default();
    def.name = name;
    def.rate = 10;
    def.function = function;
    def.user = f;
    return def;
}

static kn_system_id system_register(fixture *f, const kn_system_def *def)
{
    kn_system_id id;
    kn_error error = {0};
    if (kn_system_register(f->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static void note_run(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    assert_int_equal(run->now, kn_world_now(world));
    note(f, "%s %lld %lld %llu, ", kn_system_name(f->library, run->system), (long long)run->now,
        (long long)run->period, (unsigned long long)run->index);
}

static void note_name(void *user, kn_world *world, const kn_system_run *run)
{
    (void)world;
    note(user, "%s ", kn_system_name(((fixture *)user)->library, run->system));
}

// Times -----------------------------------------------------------------------

static void a_system_runs_at_exact_times_from_the_time_0(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Third", note_run);
    def.rate = 3;
    system_register(f, &def);
    begin(f);
    step(f, 333332);
    EXPECT_LOG(f, "");
    step(f, 1);
    EXPECT_LOG(f, "Third 333333 333333 1, ");
    step(f, 0); // a run does not happen twice
    step(f, 666667);
    EXPECT_LOG(f, "Third 666666 333333 2, Third 1000000 333334 3, ");
}

static void a_period_is_an_exact_rate_as_well(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Slow", note_run);
    def.rate = 0;
    def.period = KN_MS(700);
    kn_system_id slow = system_register(f, &def);
    begin(f);
    step(f, KN_MS(1400));
    EXPECT_LOG(f, "Slow 700000 700000 1, Slow 1400000 700000 2, ");
    assert_int_equal(kn_system_next(f->world, slow), KN_MS(2100));
    assert_int_equal(kn_system_time(f->library, slow, 100), KN_S(70));
}

static void a_world_that_starts_later_keeps_to_the_same_times(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Tenth", note_run);
    system_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.start = KN_S(100) + 1;
    begin_with(f, world);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "Tenth 100100000 100000 1001, ");
}

static void times_are_right_at_the_end_of_time(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Fast", note_name);
    def.rate = KN_SYSTEM_RATE_MAX;
    kn_system_id fast = system_register(f, &def);
    def = system_def(f, "Rare", note_name);
    def.rate = 0;
    def.period = KN_TIME_MAX;
    kn_system_id rare = system_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.start = KN_TIME_MAX - 3;
    begin_with(f, world);
    step(f, 3);
    assert_int_equal(kn_world_now(f->world), KN_TIME_MAX);
    assert_int_equal(kn_system_time(f->library, fast, 1), 1);
    assert_int_equal(kn_system_time(f->library, fast, UINT64_MAX), KN_TIME_INFINITE);
    assert_int_equal(kn_system_time(f->library, rare, 2), KN_TIME_INFINITE);
    assert_int_equal(kn_system_next(f->world, rare), KN_TIME_INFINITE);
}

// Order -----------------------------------------------------------------------

static kn_time note_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)world;
    (void)entity;
    note(user, "timer%u ", (unsigned)*(const uint8_t *)data);
    return 0;
}

static kn_timer_type_id timer_type(fixture *f)
{
    kn_timer_type_id type;
    assert_int_equal(kn_timer_type_register(f->library, "Note", note_timer, f, &type, NULL), KN_OK);
    return type;
}

static void start_timer(
    kn_world *world, kn_timer_type_id type, kn_entity_id entity, kn_time delay, uint8_t number)
{
    uint8_t data[KN_TIMER_DATA_SIZE] = {number};
    assert_int_equal(kn_timer_start(world, type, entity, delay, data, NULL), KN_OK);
}

// Starts a timer that is due at once.
static void note_and_start(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    note_name(user, world, run);
    start_timer(world, kn_timer_type_find(f->library, "Note"), f->hero, 0, 9);
}

static void timers_come_before_systems_which_run_by_group_order_and_registration(void **state)
{
    fixture *f = *state;
    kn_timer_type_id timer = timer_type(f);
    static const struct {
        const char *name;
        int32_t group, order;
    } rows[] = {{"late", KN_SYSTEM_GROUP_CLEANUP, -5}, {"b2", 0, 2}, {"b1", 0, 1}, {"b2x", 0, 2},
        {"first", KN_SYSTEM_GROUP_INPUT, 100}};
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        kn_system_def def = system_def(
            f, rows[i].name, strcmp(rows[i].name, "b1") == 0 ? note_and_start : note_name);
        def.group = rows[i].group;
        def.order = rows[i].order;
        system_register(f, &def);
    }
    kn_system_id sorted[8];
    assert_int_equal(kn_systems(f->library, sorted, 8), 0); // not finished
    begin(f);
    start_timer(f->world, timer, f->hero, KN_MS(100), 1);
    start_timer(f->world, timer, f->hero, KN_MS(101), 2);
    step(f, KN_MS(150));
    EXPECT_LOG(f, "timer1 first b1 timer9 b2 b2x late timer2 ");
    assert_int_equal(kn_systems(f->library, sorted, 2), COUNT(rows));
    assert_string_equal(kn_system_name(f->library, sorted[0]), "first");
    assert_string_equal(kn_system_name(f->library, sorted[1]), "b1");
}

static void destroy_hero(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    note_name(user, world, run);
    if (kn_entity_is_alive(world, f->hero)) {
        assert_true(kn_entity_destroy(world, f->hero));
    }
    note(f, kn_entity_is_alive(world, f->hero) ? "dying " : "gone ");
}

static void note_alive(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    note_name(user, world, run);
    note(f, kn_entity_is_alive(world, f->hero) ? "alive " : "gone ");
}

static void what_a_system_destroys_is_gone_before_the_next_one_and_published_last(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Destroy", destroy_hero);
    system_register(f, &def);
    def = system_def(f, "Look", note_alive);
    kn_system_id look = system_register(f, &def);
    begin(f);
    step(f, 0);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "Destroy dying Look gone ");
    const kn_event *event = last_event(f, KN_EVENT_ENTITY_DESTROYED);
    assert_non_null(event);
    assert_int_equal(event->time, KN_MS(100));
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, event->cause, &info));
    assert_int_equal(info.kind, KN_CAUSE_DESTROY);
    assert_true(kn_cause_get(f->world, info.parent, &info));
    assert_int_equal(info.kind, KN_CAUSE_SYSTEM);
    assert_string_equal(kn_system_name(f->library, info.system), "Destroy");
    assert_int_not_equal(info.system.index1, look.index1);
    assert_int_equal(info.tag.index1, 0);
    char text[128];
    kn_cause_print(f->world, event->cause, text, sizeof(text));
    assert_string_equal(text, "destruction of entity 1 <- system Destroy <- host");
}

// The length of a step --------------------------------------------------------

static void count_and_switch(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    float value = kn_attribute_value(world, f->hero, f->health);
    assert_int_equal(kn_attribute_set_base(
                         world, f->hero, f->health, 0, value * 1.01f + (float)run->period * 1e-6f),
        KN_OK);
    kn_system_id other = kn_system_find(f->library, "Other");
    assert_int_equal(kn_system_set_enabled(world, other, run->index % 7 < 3), KN_OK);
}

static void add_one(void *user, kn_world *world, const kn_system_run *run)
{
    (void)run;
    fixture *f = user;
    float value = kn_attribute_value(world, f->hero, f->health);
    assert_int_equal(kn_attribute_set_base(world, f->hero, f->health, 0, value + 1.0f), KN_OK);
}

static void two_systems(fixture *f)
{
    kn_attribute_def health = attribute_def("Health", 1.0f);
    f->set = set_register(f, "Vitals", &health, 1);
    f->health = attribute_of(f, "Vitals", "Health");
    kn_system_def def = system_def(f, "Count", count_and_switch);
    def.rate = 30;
    system_register(f, &def);
    def = system_def(f, "Other", add_one);
    def.rate = 50;
    def.order = -1;
    def.enabled = false;
    system_register(f, &def);
    begin(f);
}

static void one_step_of_a_second_equals_sixty(void **state)
{
    fixture *f = *state;
    two_systems(f);
    size_t size;
    void *start = snapshot_of(f->world, &size);
    step(f, KN_S(1));
    uint64_t hash = kn_world_hash(f->world);
    float value = kn_attribute_value(f->world, f->hero, f->health);
    assert_true(value > 2.0f);
    for (uint32_t hertz = 7; hertz < 2000; hertz = hertz * 3 + 1) {
        snapshot_restore(f->world, start, size);
        kn_time now = 0;
        for (uint32_t i = 1; i <= hertz; i++) {
            kn_time next = KN_S(1) * i / hertz;
            step(f, next - now);
            now = next;
        }
        assert_true(kn_world_hash(f->world) == hash);
    }
    free(start);
}

static void a_warm_step_with_systems_does_not_allocate(void **state)
{
    fixture *f = *state;
    two_systems(f);
    step(f, KN_S(5));
    step(f, KN_S(5)); // events have two buffers
    uint64_t before = kn_world_get_stats(f->world).allocations;
    step(f, KN_S(5));
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
}

// Switches --------------------------------------------------------------------

static void a_system_that_is_off_runs_only_where_it_is_switched_on(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Off", note_name);
    def.enabled = false;
    kn_system_id off = system_register(f, &def);
    begin(f);
    kn_world *other = world_of(f, kn_world_def_default());
    uint64_t before = kn_world_hash(f->world);
    assert_false(kn_system_is_enabled(f->world, off));
    assert_int_equal(kn_system_next(f->world, off), KN_TIME_INFINITE);
    assert_int_equal(kn_system_set_enabled(f->world, off, false), KN_OK); // as it was
    assert_true(kn_world_hash(f->world) == before);
    assert_int_equal(kn_system_set_enabled(f->world, off, true), KN_OK);
    assert_true(kn_world_hash(f->world) != before);
    assert_true(kn_system_is_enabled(f->world, off));
    assert_false(kn_system_is_enabled(other, off));
    step(f, KN_MS(250));
    EXPECT_LOG(f, "Off Off ");
    assert_int_equal(kn_world_step(other, KN_S(1)), KN_OK);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_system_set_enabled(f->world, off, false), KN_OK);
    step(f, KN_S(1));
    EXPECT_LOG(f, "");
    kn_world_destroy(other);
}

static void switch_self_off(void *user, kn_world *world, const kn_system_run *run)
{
    note_name(user, world, run);
    assert_int_equal(kn_system_set_enabled(world, run->system, false), KN_OK);
}

// Off and on again: the run that is due now has passed.
static void switch_other(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    note_name(user, world, run);
    kn_system_id other = kn_system_find(f->library, "Z");
    if (run->index == 2) {
        assert_int_equal(kn_system_set_enabled(world, other, false), KN_OK);
        assert_int_equal(kn_system_set_enabled(world, other, true), KN_OK);
    }
}

static void a_system_may_switch_itself_and_others(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "A", switch_other);
    system_register(f, &def);
    def = system_def(f, "Once", switch_self_off);
    system_register(f, &def);
    def = system_def(f, "Z", note_name);
    system_register(f, &def);
    begin(f);
    step(f, KN_MS(300));
    EXPECT_LOG(f, "A Once Z A A Z ");
}

static void switches_survive_snapshots_saves_and_reloads(void **state)
{
    fixture *f = *state;
    two_systems(f);
    step(f, KN_MS(140));
    kn_system_id other = kn_system_find(f->library, "Other");
    kn_system_id count = kn_system_find(f->library, "Count");
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    bool is_on = kn_system_is_enabled(f->world, other);
    kn_time next = kn_system_next(f->world, count);
    assert_int_equal(kn_system_is_enabled(loaded, other), is_on);
    assert_int_equal(kn_system_next(loaded, count), next);

    step(f, KN_S(1));
    assert_int_equal(kn_world_step(loaded, KN_S(1)), KN_OK);
    assert_same_worlds(f->world, loaded);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, snapshot, size);
    assert_int_equal(kn_system_next(f->world, count), next);
    step(f, KN_S(1));
    assert_true(kn_world_hash(f->world) == hash);
    assert_int_equal(kn_world_reload(loaded, f->library, NULL), KN_OK);
    assert_same_worlds(f->world, loaded);

    assert_int_equal(kn_system_set_enabled(loaded, count, false), KN_OK);
    char text[128];
    assert_true(kn_world_difference(f->world, loaded, text, sizeof(text)));
    assert_non_null(strstr(text, "system Count"));
    kn_world_destroy(loaded);
    free(snapshot);
}

static void a_reload_finds_systems_by_name_and_takes_their_new_rate(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Keep", note_name);
    def.enabled = false;
    kn_system_id keep = system_register(f, &def);
    begin(f);
    assert_int_equal(kn_system_set_enabled(f->world, keep, true), KN_OK);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "Keep ");

    fixture *g = fixture_create(0);
    kn_system_def added = system_def(f, "Added", note_name);
    added.order = 1;
    system_register(g, &added);
    def.rate = 100;
    kn_system_id moved = system_register(g, &def);
    library_finish(g);
    assert_int_equal(kn_world_reload(f->world, g->library, NULL), KN_OK);
    assert_true(kn_system_is_enabled(f->world, moved));
    assert_int_equal(kn_system_next(f->world, moved), KN_MS(110));
    assert_true(kn_system_is_enabled(f->world, kn_system_find(g->library, "Added")));

    fixture *without = fixture_create(0);
    library_finish(without);
    kn_error error = {0};
    assert_int_equal(kn_world_reload(f->world, without->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Keep"));
    assert_true(kn_system_is_enabled(f->world, moved)); // nothing changed
    assert_true(fixture_destroy(without));
    assert_true(fixture_destroy(g));
}

static void a_dump_lists_systems_in_the_order_they_run(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Second", note_name);
    system_register(f, &def);
    def = system_def(f, "First", note_name);
    def.order = -1;
    def.enabled = false;
    system_register(f, &def);
    begin(f);
    char text[4096];
    (void)kn_world_dump_json(f->world, text, sizeof(text));
    assert_non_null(strstr(text, "\"systems\":[{\"name\":\"First\",\"on\":false,\"next\":null},"
                                 "{\"name\":\"Second\",\"on\":true,\"next\":0.1}]"));
}

// Bad input -------------------------------------------------------------------

static void expect_refused(fixture *f, const kn_system_def *def, kn_result code, const char *part)
{
    kn_system_id id = {7};
    kn_error error = {0};
    assert_int_equal(kn_system_register(f->library, def, &id, &error), code);
    assert_int_equal(id.index1, 0);
    if (strstr(error.message, part) == NULL) {
        fail_msg("`%s` does not say `%s`", error.message, part);
    }
}

static void bad_systems_are_refused(void **state)
{
    fixture *f = *state;
    kn_system_def good = system_def(f, "Bad", note_name);
    kn_system_def def = good;
    def.rate = 0;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "`Bad` must have a rate or a period");
    def.period = -1;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "below 0");
    def = good;
    def.period = 5;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "both");
    def = good;
    def.rate = KN_SYSTEM_RATE_MAX + 1;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "highest");
    def = good;
    def.function = NULL;
    expect_refused(f, &def, KN_ERROR_INVALID_ARGUMENT, "function");
    def = good;
    def.name = "";
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "");
    kn_system_id id = system_register(f, &good);
    expect_refused(f, &good, KN_REFUSED_DUPLICATE, "Bad");
    begin(f);
    good.name = "Late";
    expect_refused(f, &good, KN_ERROR_WORLD_LOCKED, "");

    kn_system_id unknown = {2}, null = {0};
    assert_int_equal(kn_system_set_enabled(f->world, unknown, true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_system_set_enabled(f->world, null, true), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_system_is_enabled(f->world, unknown));
    assert_int_equal(kn_system_next(f->world, null), KN_TIME_INFINITE);
    assert_int_equal(kn_system_time(f->library, unknown, 1), KN_TIME_INFINITE);
    assert_true(kn_system_is_enabled(f->world, id));
}

static void step_again(void *user, kn_world *world, const kn_system_run *run)
{
    (void)run;
    note(user, "%d ", kn_world_step(world, 1) == KN_ERROR_WORLD_LOCKED);
}

static void a_system_cannot_step_its_world(void **state)
{
    fixture *f = *state;
    kn_system_def def = system_def(f, "Step", step_again);
    system_register(f, &def);
    begin(f);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "1 ");
}

static void groups_have_names(void **state)
{
    fixture *f = *state;
    kn_system_group_def group = kn_system_group_def_default();
    group.name = "Weather";
    group.number = -1500;
    kn_system_group_id weather, other;
    kn_error error = {0};
    assert_int_equal(kn_system_group_register(f->library, &group, &weather, &error), KN_OK);
    static const char *const names[] = {"cleanup", NULL, "movement", "Weather", "input", "rules"};
    static const char *const systems[] = {"Clean", "Plain", "Move", "Rain", "Keys", "Rule"};
    static const int32_t numbers[] = {1000, 7, -1000, -1500, -2000, 0};
    kn_system_id ids[COUNT(names)];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        kn_system_def def = system_def(f, systems[i], note_name);
        def.group_name = names[i];
        def.group = names[i] == NULL ? 7 : 0;
        ids[i] = system_register(f, &def);
    }
    begin(f);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "Keys Rain Move Rule Plain Clean ");
    int32_t number;
    for (uint32_t i = 0; i < COUNT(names); i++) {
        assert_int_equal(kn_system_group(f->library, ids[i]), numbers[i]);
        if (names[i] != NULL) {
            assert_true(kn_system_group_number(f->library, names[i], &number));
            assert_int_equal(number, numbers[i]);
        }
    }
    assert_false(kn_system_group_number(f->library, "Rain", &number));
    assert_int_equal(number, 0);
    assert_int_equal(kn_system_group(f->library, (kn_system_id){77}), 0);
    assert_int_equal(kn_system_group_find(f->library, "Weather").index1, weather.index1);
    assert_string_equal(kn_system_group_name(f->library, weather), "Weather");
    assert_int_equal(kn_system_group_get_def(f->library, weather)->number, -1500);
    assert_int_equal(
        kn_system_group_register(f->library, &group, &other, &error), KN_ERROR_WORLD_LOCKED);
}

static void bad_groups_are_refused(void **state)
{
    fixture *f = *state;
    kn_error error = {0};
    kn_system_group_def group = kn_system_group_def_default();
    kn_system_group_id id;
    group.name = "movement";
    assert_int_equal(
        kn_system_group_register(f->library, &group, &id, &error), KN_REFUSED_DUPLICATE);
    group.name = "Weather";
    assert_int_equal(kn_system_group_register(f->library, &group, &id, &error), KN_OK);
    assert_int_equal(
        kn_system_group_register(f->library, &group, &id, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(id.index1, 0);
    kn_system_def def = system_def(f, "Rain", note_name);
    kn_system_id system;
    def.group_name = "Weather";
    def.group = 3;
    assert_int_equal(kn_system_register(f->library, &def, &system, &error), KN_ERROR_BAD_DATA);
    def.group = 0;
    def.group_name = "Wether";
    (void)system_register(f, &def);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "there is no system group `Wether`"));
}

static const struct CMUnitTest tests[] = {
    TEST(a_system_runs_at_exact_times_from_the_time_0),
    TEST(a_period_is_an_exact_rate_as_well),
    TEST(a_world_that_starts_later_keeps_to_the_same_times),
    TEST(times_are_right_at_the_end_of_time),
    TEST(timers_come_before_systems_which_run_by_group_order_and_registration),
    TEST(what_a_system_destroys_is_gone_before_the_next_one_and_published_last),
    TEST(one_step_of_a_second_equals_sixty),
    TEST(a_warm_step_with_systems_does_not_allocate),
    TEST(a_system_that_is_off_runs_only_where_it_is_switched_on),
    TEST(a_system_may_switch_itself_and_others),
    TEST(switches_survive_snapshots_saves_and_reloads),
    TEST(a_reload_finds_systems_by_name_and_takes_their_new_rate),
    TEST(a_dump_lists_systems_in_the_order_they_run),
    TEST(groups_have_names),
    TEST(bad_groups_are_refused),
    TEST(bad_systems_are_refused),
    TEST(a_system_cannot_step_its_world),
};

TEST_GROUP(systems, tests, NULL, NULL);
