// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The timers of tasks that wait are moved: push-back of a cast, and every other kind.

#include "scenario/task_fixture.h"

// Runs the plan; the task is the first one.
static kn_task_id plan_run(fixture *f)
{
    kn_ability_def def = ability_def(f, "Cast");
    def.activate = run_plan;
    def.task_done = note_result;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id run = activate(f, grant(f, type));
    kn_task_id task = {0};
    (void)kn_tasks(f->world, run, &task, 1);
    f->log[0] = 0;
    return task;
}

static void expect_due(const fixture *f, kn_task_id task, double seconds)
{
    kn_task_info info;
    assert_true(kn_task_get(f->world, task, &info));
    assert_int_equal(info.due, kn_time_from_seconds(seconds));
}

static void a_delay_is_pushed_back_and_pulled_in(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    plan_add(KN_TASK_DELAY, 1)->delay = kn_time_from_seconds(2.0);
    kn_task_id cast = plan_run(f);
    step_seconds(f, 1.0);
    assert_int_equal(kn_task_add_remaining(f->world, cast, KN_MS(500)), KN_OK);
    expect_due(f, cast, 2.5);
    assert_int_equal(kn_task_add_remaining(f->world, cast, KN_MS(-500)), KN_OK);
    assert_int_equal(kn_task_add_remaining(f->world, cast, KN_MS(500)), KN_OK); // where it was
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    step_seconds(f, 1.25);
    EXPECT_LOG(f, "");
    step_seconds(f, 0.5);
    EXPECT_LOG(f, "1 fired @2500. ");
    assert_int_equal(kn_world_step(loaded, KN_MS(1750)), KN_OK);
    assert_same_worlds(f->world, loaded);
    f->log[0] = 0;
    snapshot_restore(f->world, snapshot, size);
    step_seconds(f, 1.75);
    assert_same_worlds(f->world, loaded);
    kn_world_destroy(loaded);
    free(snapshot);
    assert_int_equal(kn_task_set_remaining(f->world, cast, 0), KN_REFUSED_STALE_ID);
}

static void less_than_nothing_fires_at_once(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    plan_add(KN_TASK_DELAY, 1)->delay = kn_time_from_seconds(2.0);
    kn_task_id cast = plan_run(f);
    step_seconds(f, 1.0);
    assert_int_equal(kn_task_add_remaining(f->world, cast, INT64_MIN), KN_OK);
    expect_due(f, cast, 1.0);
    EXPECT_LOG(f, "");
    step(f, 0);
    EXPECT_LOG(f, "1 fired @1000. ");
}

static void a_repetition_goes_on_at_its_interval(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    plan_add(KN_TASK_REPEAT, 1)->interval = kn_time_from_seconds(1.0);
    kn_task_id task = plan_run(f);
    assert_int_equal(kn_task_set_remaining(f->world, task, KN_MS(1500)), KN_OK);
    step_seconds(f, 1.25);
    EXPECT_LOG(f, "");
    step_seconds(f, 0.25);
    assert_string_not_equal(f->log, "");
    expect_due(f, task, 2.5);
}

static void a_timeout_moves_if_there_is_nothing_else(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    kn_task_def *wait = plan_add(KN_TASK_EVENT, 1);
    wait->tag = tag_of(f, "Event.Hit");
    wait->timeout = kn_time_from_seconds(1.0);
    kn_task_id task = plan_run(f);
    assert_int_equal(kn_task_add_remaining(f->world, task, KN_MS(500)), KN_OK);
    step_seconds(f, 1.25);
    EXPECT_LOG(f, "");
    step_seconds(f, 0.25);
    EXPECT_LOG(f, "1 timed out @1500. ");
}

static void what_has_no_timer_is_refused(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    plan_add(KN_TASK_EVENT, 1)->tag = tag_of(f, "Event.Hit");
    kn_task_id task = plan_run(f);
    assert_int_equal(kn_task_set_remaining(f->world, task, KN_MS(1)), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_task_add_remaining(f->world, task, KN_MS(1)), KN_REFUSED_NOT_FOUND);
    kn_task_info info;
    assert_true(kn_task_get(f->world, task, &info));
    kn_task_def delay = kn_task_def_default(KN_TASK_DELAY);
    kn_task_id late;
    assert_int_equal(kn_task_create(f->world, info.activation, &delay, &late), KN_OK);
    assert_int_equal(kn_task_set_remaining(f->world, late, KN_MS(1)), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_task_start(f->world, late), KN_OK);
    kn_motion_def dash = kn_motion_def_default(KN_MOTION_FORCE);
    dash.duration = kn_time_from_seconds(1.0);
    kn_task_def move = kn_task_def_default(KN_TASK_MOTION);
    move.motion = &dash;
    kn_task_id motion;
    assert_int_equal(kn_task_run(f->world, info.activation, &move, &motion), KN_OK);
    assert_int_equal(kn_task_set_remaining(f->world, motion, KN_MS(1)), KN_REFUSED_BLOCKED);
}

static void numbers_beyond_time_are_refused(void **state)
{
    fixture *f = *state;
    the_plan.count = 0;
    plan_add(KN_TASK_DELAY, 1)->delay = kn_time_from_seconds(2.0);
    kn_task_id cast = plan_run(f);
    step_seconds(f, 1.0);
    assert_int_equal(kn_task_set_remaining(f->world, cast, KN_TIME_MAX), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_task_add_remaining(f->world, cast, INT64_MAX), KN_REFUSED_BAD_NUMBER);
    expect_due(f, cast, 2.0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_delay_is_pushed_back_and_pulled_in),
    TEST(less_than_nothing_fires_at_once),
    TEST(a_repetition_goes_on_at_its_interval),
    TEST(a_timeout_moves_if_there_is_nothing_else),
    TEST(what_has_no_timer_is_refused),
    TEST(numbers_beyond_time_are_refused),
};

TEST_GROUP(task_moved, tests, NULL, NULL);
