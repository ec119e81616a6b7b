// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "knack/knack.h"

#include "test_memory.h"

#define FIRED_MAX 64

typedef struct firing {
    kn_time time;
    kn_entity_id entity;
    uint32_t label;
    uint32_t count;
} firing;

typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_world *world;
    kn_timer_type_id note;      // writes down that it fired
    kn_timer_type_id repeat;    // the same, and again after 0.25 s, `count` times
    kn_timer_type_id starter;   // starts a note at once, and one in 0.1 s
    kn_timer_type_id canceller; // cancels itself, and wants to fire again
    kn_timer_type_id killer;    // destroys its entity
    kn_timer_type_id tagger;    // adds a tag to its entity
    kn_timer_type_id stepper;   // tries to step
    kn_tag tag;
    firing fired[FIRED_MAX];
    uint32_t fired_count;
    kn_timer_id self; // of the canceller
    kn_time remaining;
    kn_result result;
} fixture;

// What the timers here carry.
typedef struct payload {
    uint32_t label;
    uint32_t count;
    uint64_t unused;
} payload;

static void write_down(fixture *f, kn_world *world, kn_entity_id entity, const payload *data)
{
    assert_true(f->fired_count < FIRED_MAX);
    f->fired[f->fired_count++] = (firing){kn_world_now(world), entity, data->label, data->count};
}

static kn_time note_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    write_down(user, world, entity, data);
    return 0;
}

static kn_time repeat_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    payload *p = data;
    write_down(user, world, entity, p);
    p->count--;
    return p->count > 0 ? KN_MS(250) : 0;
}

static kn_time starter_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    fixture *f = user;
    payload now = {100, 0, 0}, later = {101, 0, 0};
    write_down(f, world, entity, data);
    kn_timer_id timer;
    // More than the pool has room for, so that the records move under the timer that fires.
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(kn_timer_start(world, f->note, entity, KN_S(100), &later, &timer), KN_OK);
        assert_true(kn_timer_cancel(world, timer));
    }
    assert_int_equal(kn_timer_start(world, f->note, entity, 0, &now, &timer), KN_OK);
    assert_int_equal(kn_timer_start(world, f->note, entity, KN_MS(100), &later, &timer), KN_OK);
    return -1;
}

static kn_time canceller_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    fixture *f = user;
    write_down(f, world, entity, data);
    f->remaining = kn_timer_remaining(world, f->self);
    assert_true(kn_timer_is_alive(world, f->self)); // while it fires
    assert_true(kn_timer_cancel(world, f->self));
    assert_false(kn_timer_is_alive(world, f->self));
    assert_false(kn_timer_cancel(world, f->self));
    // The place is taken again at once, by somebody else.
    payload other = {200, 0, 0};
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(world, f->note, entity, KN_MS(50), &other, &timer), KN_OK);
    assert_int_equal(timer.index1, f->self.index1);
    return KN_MS(10);
}

static kn_time killer_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    write_down(user, world, entity, data);
    assert_true(kn_entity_destroy(world, entity));
    return KN_MS(10);
}

static kn_time tagger_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const fixture *f = user;
    (void)data;
    assert_int_equal(kn_entity_add_tag(world, entity, f->tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    return 0;
}

static kn_time stepper_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    fixture *f = user;
    (void)entity;
    (void)data;
    f->result = kn_world_step(world, 1);
    return 0;
}

static void timer_type(fixture *f, const char *name, kn_timer_fn *function, kn_timer_type_id *type)
{
    assert_int_equal(kn_timer_type_register(f->library, name, function, f, type, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    timer_type(f, "Note", note_fire, &f->note);
    timer_type(f, "Repeat", repeat_fire, &f->repeat);
    timer_type(f, "Starter", starter_fire, &f->starter);
    timer_type(f, "Canceller", canceller_fire, &f->canceller);
    timer_type(f, "Killer", killer_fire, &f->killer);
    timer_type(f, "Tagger", tagger_fire, &f->tagger);
    timer_type(f, "Stepper", stepper_fire, &f->stepper);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Done";
    assert_int_equal(kn_tag_register(f->library, &tag, &f->tag, NULL), KN_OK);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->memory.fail_at = 0;
    assert_true(kn_world_validate(f->world));
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->memory.blocks, 0);
    free(f);
    return 0;
}

static kn_entity_id entity_new(fixture *f)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    return entity;
}

static kn_timer_id start(
    fixture *f, kn_timer_type_id type, kn_entity_id entity, kn_time delay, payload data)
{
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(f->world, type, entity, delay, &data, &timer), KN_OK);
    assert_int_not_equal(timer.index1, 0);
    return timer;
}

static void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
}

static void assert_fired(const fixture *f, uint32_t index, kn_time time, uint32_t label)
{
    assert_true(index < f->fired_count);
    assert_int_equal(f->fired[index].time, time);
    assert_int_equal(f->fired[index].label, label);
}

// Firing --------------------------------------------------------------------

static void timers_fire_at_their_time_in_order_of_time_and_creation(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f), none = {0};
    start(f, f->note, entity, KN_MS(20), (payload){1, 0, 0});
    start(f, f->note, none, KN_MS(10), (payload){2, 0, 0});
    start(f, f->note, entity, KN_MS(20), (payload){3, 0, 0});
    start(f, f->note, none, 0, (payload){4, 0, 0});
    assert_int_equal(f->fired_count, 0); // also one without delay waits for the step
    step(f, KN_MS(15));
    assert_int_equal(f->fired_count, 2);
    assert_fired(f, 0, 0, 4);
    assert_fired(f, 1, KN_MS(10), 2);
    assert_true(kn_entity_id_is_null(f->fired[1].entity));
    step(f, KN_MS(15));
    assert_int_equal(f->fired_count, 4);
    assert_fired(f, 2, KN_MS(20), 1);
    assert_fired(f, 3, KN_MS(20), 3);
    assert_true(kn_entity_id_equal(f->fired[3].entity, entity));
    step(f, KN_S(10));
    assert_int_equal(f->fired_count, 4);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

static void timer_without_data_carries_zeros(void **state)
{
    fixture *f = *state;
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(f->world, f->note, (kn_entity_id){0}, 5, NULL, &timer), KN_OK);
    assert_int_equal(kn_timer_start(f->world, f->note, (kn_entity_id){0}, 5, NULL, NULL), KN_OK);
    step(f, 5);
    assert_int_equal(f->fired_count, 2);
    assert_int_equal(f->fired[0].label, 0);
    assert_int_equal(f->fired[0].count, 0);
}

static void returned_span_fires_again_with_the_data_as_written(void **state)
{
    fixture *f = *state;
    kn_timer_id timer = start(f, f->repeat, (kn_entity_id){0}, KN_MS(100), (payload){9, 3, 0});
    step(f, KN_MS(200));
    assert_int_equal(f->fired_count, 1);
    assert_int_equal(kn_timer_remaining(f->world, timer), KN_MS(150)); // the id stays good
    step(f, KN_S(10));
    assert_int_equal(f->fired_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_fired(f, i, KN_MS(100) + i * KN_MS(250), 9);
        assert_int_equal(f->fired[i].count, 3 - i);
    }
    assert_int_equal(kn_timer_remaining(f->world, timer), 0);
    assert_false(kn_timer_cancel(f->world, timer));
}

static void length_of_steps_does_not_show(void **state)
{
    fixture *f = *state;
    start(f, f->repeat, (kn_entity_id){0}, KN_MS(100), (payload){1, 20, 0});
    for (uint32_t i = 0; i < 720; i++) {
        step(f, 6944); // 144 Hz
    }
    assert_int_equal(f->fired_count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        assert_fired(f, i, KN_MS(100) + i * KN_MS(250), 1);
    }
}

static void timer_keeps_its_place_among_equals_when_it_fires_again(void **state)
{
    fixture *f = *state;
    start(f, f->repeat, (kn_entity_id){0}, KN_MS(50), (payload){1, 2, 0});
    start(f, f->note, (kn_entity_id){0}, KN_MS(300), (payload){2, 0, 0});
    step(f, KN_S(1));
    // The first was made before the second, and the second firing still is.
    assert_int_equal(f->fired_count, 3);
    assert_fired(f, 1, KN_MS(300), 1);
    assert_fired(f, 2, KN_MS(300), 2);
}

static void timer_may_start_timers(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    start(f, f->starter, entity, KN_MS(30), (payload){1, 0, 0});
    step(f, KN_MS(30));
    assert_int_equal(f->fired_count, 2);
    assert_fired(f, 1, KN_MS(30), 100); // without delay: in the same step, at the same time
    step(f, KN_S(1));
    assert_int_equal(f->fired_count, 3);
    assert_fired(f, 2, KN_MS(130), 101);
}

static void timer_may_cancel_itself(void **state)
{
    fixture *f = *state;
    f->remaining = -1;
    f->self = start(f, f->canceller, (kn_entity_id){0}, KN_MS(5), (payload){1, 0, 0});
    step(f, KN_MS(20)); // 5 ms + the 10 ms it asked for would be within
    assert_int_equal(f->fired_count, 1);
    assert_int_equal(f->remaining, 0);
    step(f, KN_S(1));
    assert_int_equal(f->fired_count, 2);
    assert_fired(f, 1, KN_MS(55), 200); // whoever got its place has its own data
}

static void rule_in_a_timer_may_not_step(void **state)
{
    fixture *f = *state;
    start(f, f->stepper, (kn_entity_id){0}, 1, (payload){0});
    step(f, 10);
    assert_int_equal(f->result, KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_world_now(f->world), 10);
}

static void what_a_timer_does_has_the_timer_as_its_cause(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    step(f, 0);
    start(f, f->tagger, entity, KN_MS(5), (payload){0});
    step(f, KN_MS(10));
    kn_events events = kn_world_events(f->world);
    assert_true(events.count > 0);
    kn_cause_info info;
    assert_true(kn_cause_get(f->world, events.data[0].cause, &info));
    assert_int_equal(info.kind, KN_CAUSE_TIMER);
    assert_int_equal(info.depth, 0);
    assert_true(kn_entity_id_equal(info.entity, entity));
    assert_int_equal(events.data[0].time, KN_MS(5));
}

// A chain of causes begins anew with each timer, however many fire in a step.
static void timers_of_one_step_are_not_causes_of_each_other(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 200; i++) {
        kn_entity_id entity = entity_new(f);
        start(f, f->tagger, entity, KN_MS(5), (payload){0});
        start(f, f->killer, entity, KN_MS(5), (payload){0});
        f->fired_count = 0;
        if (i % 50 == 49) {
            step(f, KN_MS(10));
            f->fired_count = 0;
        }
    }
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        kn_cause_info info;
        assert_int_not_equal(events.data[i].type, KN_EVENT_ERROR);
        if (events.data[i].cause != 0) {
            assert_true(kn_cause_get(f->world, events.data[i].cause, &info));
            assert_true(info.depth <= 1); // the timer, and the destruction it asked for
        }
    }
    assert_int_equal(kn_entity_count(f->world), 0);
}

// Ending --------------------------------------------------------------------

static void cancelled_timer_does_not_fire(void **state)
{
    fixture *f = *state;
    kn_timer_id timer = start(f, f->note, (kn_entity_id){0}, KN_MS(10), (payload){1, 0, 0});
    kn_timer_id other = start(f, f->note, (kn_entity_id){0}, KN_MS(10), (payload){2, 0, 0});
    assert_int_equal(kn_timer_remaining(f->world, timer), KN_MS(10));
    assert_true(kn_timer_cancel(f->world, timer));
    assert_int_equal(kn_timer_remaining(f->world, timer), 0);
    assert_int_equal(kn_world_get_stats(f->world).timers, 1);
    // The same place, a later time: the old entry must not fire it.
    kn_timer_id again = start(f, f->note, (kn_entity_id){0}, KN_MS(30), (payload){3, 0, 0});
    assert_int_equal(again.index1, timer.index1);
    assert_int_not_equal(again.generation, timer.generation);
    assert_false(kn_timer_cancel(f->world, timer));
    step(f, KN_MS(20));
    assert_int_equal(f->fired_count, 1);
    assert_fired(f, 0, KN_MS(10), 2);
    assert_false(kn_timer_cancel(f->world, other));
    step(f, KN_MS(20));
    assert_int_equal(f->fired_count, 2);
    assert_fired(f, 1, KN_MS(30), 3);
}

static void timer_dies_with_its_entity(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f), other = entity_new(f);
    kn_timer_id timer = start(f, f->note, entity, KN_MS(10), (payload){1, 0, 0});
    start(f, f->note, other, KN_MS(10), (payload){2, 0, 0});
    start(f, f->repeat, entity, KN_MS(10), (payload){3, 5, 0});
    assert_true(kn_entity_destroy(f->world, entity));
    assert_false(kn_timer_cancel(f->world, timer));
    step(f, KN_S(5));
    assert_int_equal(f->fired_count, 1);
    assert_fired(f, 0, KN_MS(10), 2);
}

static void timer_that_destroys_its_entity_fires_no_more(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    kn_timer_id timer = start(f, f->killer, entity, KN_MS(10), (payload){1, 0, 0});
    start(f, f->note, entity, KN_MS(10), (payload){2, 0, 0}); // due at the same time
    step(f, KN_S(1));
    assert_int_equal(f->fired_count, 1);
    assert_false(kn_entity_is_alive(f->world, entity));
    assert_false(kn_timer_cancel(f->world, timer));
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

// Refusals ------------------------------------------------------------------

static void bad_timers_are_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f), none = {0};
    kn_timer_id timer = {1, 1};
    assert_true(kn_entity_destroy(f->world, entity));
    assert_int_equal(
        kn_timer_start(f->world, f->note, entity, 1, NULL, &timer), KN_REFUSED_STALE_ID);
    assert_int_equal(timer.index1, 0);
    assert_int_equal(
        kn_timer_start(f->world, f->note, none, -1, NULL, &timer), KN_REFUSED_BAD_NUMBER);
    step(f, 10);
    assert_int_equal(kn_timer_start(f->world, f->note, none, KN_TIME_MAX - 9, NULL, &timer),
        KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_timer_start(f->world, f->note, none, KN_TIME_INFINITE, NULL, &timer),
        KN_REFUSED_BAD_NUMBER);
    kn_assert_set_handler(test_ignore_assert);
    kn_timer_type_id unknown = {100}, null = {0};
    assert_int_equal(
        kn_timer_start(f->world, unknown, none, 1, NULL, &timer), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_timer_start(f->world, null, none, 1, NULL, &timer), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_false(kn_timer_cancel(f->world, (kn_timer_id){0}));
    assert_false(kn_timer_cancel(f->world, (kn_timer_id){50, 1}));
    assert_int_equal(kn_timer_remaining(f->world, (kn_timer_id){50, 1}), 0);

    // The last time there is can be waited for.
    assert_int_equal(
        kn_timer_start(f->world, f->note, none, KN_TIME_MAX - 10, NULL, &timer), KN_OK);
    assert_int_equal(kn_timer_remaining(f->world, timer), KN_TIME_MAX - 10);
    assert_true(kn_timer_cancel(f->world, timer));
}

static void without_memory_no_timer_starts(void **state)
{
    fixture *f = *state;
    f->memory.fail_at = f->memory.calls + 1;
    kn_timer_id timer;
    uint32_t started = 0;
    kn_result result = KN_OK;
    while (result == KN_OK && started < 100000) {
        result = kn_timer_start(f->world, f->note, (kn_entity_id){0}, KN_S(100), NULL, &timer);
        started += result == KN_OK;
    }
    assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(timer.index1, 0);
    assert_false(kn_world_is_broken(f->world));
    assert_int_equal(kn_world_get_stats(f->world).timers, started);
    f->memory.fail_at = 0;
    start(f, f->note, (kn_entity_id){0}, 1, (payload){1, 0, 0});
    step(f, 1);
    assert_int_equal(f->fired_count, 1);
}

static void warm_timers_allocate_nothing(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 20; i++) {
        start(f, f->repeat, (kn_entity_id){0}, KN_MS(1) * i, (payload){i, UINT32_MAX, 0});
    }
    for (uint32_t i = 0; i < 300; i++) {
        f->fired_count = 0;
        step(f, KN_MS(16));
    }
    uint64_t calls = f->memory.calls;
    for (uint32_t i = 0; i < 300; i++) {
        f->fired_count = 0;
        step(f, KN_MS(16));
    }
    assert_int_equal(f->memory.calls, calls);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(timers_fire_at_their_time_in_order_of_time_and_creation),
    TEST(timer_without_data_carries_zeros),
    TEST(returned_span_fires_again_with_the_data_as_written),
    TEST(length_of_steps_does_not_show),
    TEST(timer_keeps_its_place_among_equals_when_it_fires_again),
    TEST(timer_may_start_timers),
    TEST(timer_may_cancel_itself),
    TEST(rule_in_a_timer_may_not_step),
    TEST(what_a_timer_does_has_the_timer_as_its_cause),
    TEST(timers_of_one_step_are_not_causes_of_each_other),
    TEST(cancelled_timer_does_not_fire),
    TEST(timer_dies_with_its_entity),
    TEST(timer_that_destroys_its_entity_fires_no_more),
    TEST(bad_timers_are_refused),
    TEST(without_memory_no_timer_starts),
    TEST(warm_timers_allocate_nothing),
};

TEST_GROUP(test_rule_timer, tests, NULL, NULL);
