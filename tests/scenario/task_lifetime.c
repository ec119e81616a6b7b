// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How tasks begin and end: limits, tasks that never start, ends from within, what is refused; and
// two abilities made of tasks.

#include "scenario/task_fixture.h"

// Beginning -----------------------------------------------------------------

static void count_warning(void *user, const kn_log_entry *entry)
{
    if (entry->level == KN_LOG_WARNING && entry->code == KN_REFUSED_NOT_FOUND) {
        ++*(uint32_t *)user;
    }
}

// GAPA-035, TASK-013
static void a_task_that_is_never_started_is_reported_once(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    uint32_t warnings = 0;
    kn_world_def def = kn_world_def_default();
    def.hooks.log_fn = count_warning;
    def.hooks.log_user = &warnings;
    begin_with(f, def);
    kn_activation_id activation = run(f, type);
    kn_task_def delay = kn_task_def_default(KN_TASK_DELAY);
    delay.delay = KN_MS(10);
    delay.timeout = KN_MS(5);
    delay.label = 42;
    kn_task_id task;
    assert_int_equal(kn_task_create(f->world, activation, &delay, &task), KN_OK);
    kn_task_info info;
    assert_true(kn_task_get(f->world, task, &info));
    assert_true(!info.is_started && info.due == KN_TIME_INFINITE);
    step(f, KN_S(1));
    assert_int_equal(error_count(f, KN_REFUSED_NOT_FOUND), 1);
    assert_int_equal(warnings, 1);
    step(f, KN_S(1));
    assert_int_equal(error_count(f, KN_REFUSED_NOT_FOUND), 0);
    assert_int_equal(warnings, 1);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_start(f->world, task), KN_OK);
    assert_int_equal(kn_task_start(f->world, task), KN_REFUSED_DUPLICATE);
    step(f, KN_S(1));
    EXPECT_LOG(f, "42 timed out @2005. ");
    assert_int_equal(kn_task_start(f->world, task), KN_REFUSED_STALE_ID);
    assert_int_equal(warnings, 1);
}

// Creates states until one is refused, at most `most`; returns how many were created.
static uint32_t fill_tasks(
    fixture *f, kn_activation_id activation, uint32_t most, kn_result *last, kn_task_id *task)
{
    kn_task_def def = kn_task_def_default(KN_TASK_STATE);
    for (uint32_t i = 0; i < most; i++) {
        *last = kn_task_run(f->world, activation, &def, task);
        if (*last != KN_OK) {
            return i;
        }
    }
    return most;
}

// TVA-033, TASK-003
static void a_world_with_a_limit_of_1000_tasks_refuses_the_next(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    kn_world_def def = kn_world_def_default();
    def.task_limit = 1000;
    begin_with(f, def);
    kn_activation_id activation = run(f, type);
    kn_result last;
    kn_task_id task, kept;
    assert_int_equal(fill_tasks(f, activation, 999, &last, &kept), 999);
    assert_int_equal(fill_tasks(f, activation, 5, &last, &task), 1);
    assert_int_equal(last, KN_REFUSED_LIMIT);
    assert_int_equal(task.index1, 0);
    assert_int_equal(kn_task_count(f->world), 1000);
    assert_int_equal(kn_task_end(f->world, kept), KN_OK);
    assert_int_equal(fill_tasks(f, activation, 5, &last, &task), 1);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_task_count(f->world), 0);
    step3(f, KN_MS(1));
}

// TASK-004: tasks are counted where they are, not for the process: worlds, saves and restored
// snapshots each have their own number, and their own limit.
static void every_world_counts_its_own_tasks(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    kn_world_def def = kn_world_def_default();
    def.task_limit = 10;
    begin_with(f, def);
    kn_activation_id activation = run(f, type);
    kn_result last;
    kn_task_id task;
    assert_int_equal(fill_tasks(f, activation, 4, &last, &task), 4);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *other = world_loaded(f, kn_world_def_default());
    assert_int_equal(kn_task_count(other), 4);
    assert_int_equal(fill_tasks(f, activation, 20, &last, &task), 6); // the other four do not count
    assert_int_equal(kn_task_count(f->world), 10);
    assert_int_equal(kn_task_count(other), 4);
    kn_world_destroy(other);
    assert_int_equal(kn_task_count(f->world), 10);
    // Back to when there were four: six more fit, however often.
    for (uint32_t i = 0; i < 3; i++) {
        snapshot_restore(f->world, snapshot, size);
        assert_int_equal(kn_task_count(f->world), 4);
        assert_int_equal(fill_tasks(f, activation, 20, &last, &task), 6);
        assert_int_equal(last, KN_REFUSED_LIMIT);
    }
    free(snapshot);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_task_count(f->world), 0);
    assert_true(kn_world_validate(f->world));
}

// TASK-003
static void without_a_limit_there_is_none(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_result last;
    kn_task_id task;
    assert_int_equal(fill_tasks(f, activation, 3000, &last, &task), 3000);
    step3(f, KN_MS(1));
    assert_int_equal(kn_tasks(f->world, activation, &task, 1), 3000);
}

static void a_far_timeout_costs_nothing_while_a_task_repeats(void **state)
{
    fixture *f = *state;
    kn_ability_def def = planner_def(f, "Plan");
    def.task_done = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_task_def *repeat = plan_add(KN_TASK_REPEAT, 1);
    repeat->interval = KN_MS(1);
    repeat->timeout = KN_S(3600);
    run(f, type);
    for (uint32_t i = 0; i < 10; i++) {
        step(f, KN_S(1));
    }
    uint64_t before = kn_world_get_stats(f->world).allocations;
    for (uint32_t i = 0; i < 10; i++) {
        step(f, KN_S(1));
    }
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
    assert_int_equal(kn_world_get_stats(f->world).timers, 1);
}

// Ending --------------------------------------------------------------------

static void end_activation(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    assert_int_equal(kn_task_run(call->world, call->activation, &def, NULL), KN_REFUSED_STALE_ID);
}

// Three that hear the same thing at the same time, and one that would come later.
static void plan_three(fixture *f)
{
    for (uint32_t i = 1; i <= 3; i++) {
        plan_add(KN_TASK_TAG_ADDED, i)->tag = tag_of(f, "Status.Wet");
    }
    plan_add(KN_TASK_DELAY, 4)->delay = KN_MS(5);
}

// TASK-016, TASK-017
static void results_that_come_after_the_end_are_dropped(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Wet");
    kn_ability_def def = planner_def(f, "Plan");
    def.ended = note_ended;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    plan_three(f);
    the_plan.then = end_activation;
    run(f, type);
    step3(f, KN_MS(1));
    add_tag(f, f->hero, tag_of(f, "Status.Wet"));
    EXPECT_LOG(f, "1 fired @1 +Status.Wet. Plan: ended. ");
    assert_int_equal(kn_task_count(f->world), 0);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

static void end_tasks(kn_world *world, kn_activation_id activation)
{
    kn_task_id tasks[4];
    uint32_t count = kn_tasks(world, activation, tasks, 4);
    for (uint32_t i = 0; i < count && i < 4; i++) {
        assert_int_equal(kn_task_end(world, tasks[i]), KN_OK);
    }
}

static void end_the_others(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    end_tasks(call->world, call->activation);
}

// TASK-014, TASK-017
static void a_result_may_end_the_other_tasks(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Wet");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_three(f);
    the_plan.then = end_the_others;
    kn_activation_id activation = run(f, type);
    step3(f, KN_MS(1));
    add_tag(f, f->hero, tag_of(f, "Status.Wet"));
    EXPECT_LOG(f, "1 fired @1 +Status.Wet. ");
    assert_true(kn_activation_is_alive(f->world, activation));
    step3(f, KN_S(1));
    EXPECT_LOG(f, "");
}

static void destroy_owner(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_true(kn_entity_destroy(call->world, call->owner));
}

static void remove_ability(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL), KN_OK);
}

static void activate_again(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == 1) {
        assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
        kn_activation_id again;
        assert_int_equal(kn_ability_activate(call->world, call->ability, NULL, &again), KN_OK);
        end_tasks(call->world, again);
        assert_int_equal(kn_wait_delay(call->world, again, 9, 0), KN_OK);
    }
}

// Runs three waits and reacts to the first in some way, inside a step.
static void react_to_the_first(fixture *f, const char *expected,
    void (*then)(const kn_ability_call *call, const kn_task_result *result))
{
    (void)tag_of(f, "Status.Wet");
    kn_ability_def def = planner_def(f, "Plan");
    def.ended = note_ended;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    for (uint32_t i = 1; i <= 3; i++) {
        plan_add(KN_TASK_DELAY, i)->delay = KN_MS(1);
    }
    the_plan.then = then;
    run(f, type);
    step3(f, KN_MS(2));
    EXPECT_LOG(f, expected);
    the_plan.then = NULL;
    step3(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_count(f->world), 0);
}

// TASK-011, TASK-016, TASK-017
static void the_owner_may_be_destroyed_by_a_result(void **state)
{
    fixture *f = *state;
    react_to_the_first(f, "1 fired @1. Plan: owner gone. ", destroy_owner);
    assert_false(kn_entity_is_alive(f->world, f->hero));
}

// TASK-011, TASK-016, TASK-017
static void the_ability_may_be_removed_by_a_result(void **state)
{
    react_to_the_first(*state, "1 fired @1. Plan: removed. ", remove_ability);
}

// TASK-016, TASK-017
static void an_activation_ended_by_a_result_may_begin_anew_in_it(void **state)
{
    react_to_the_first(*state, "1 fired @1. Plan: ended. 9 fired @1. ", activate_again);
}

static void end_again(const kn_ability_call *call, kn_end_reason reason)
{
    note_ended(call, reason);
    (void)kn_activation_end(call->world, call->activation);
    (void)kn_activation_cancel(call->world, call->activation);
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    assert_int_equal(kn_task_run(call->world, call->activation, &def, NULL), KN_REFUSED_STALE_ID);
}

// TVA-013, TASK-016
static void an_end_within_the_end_is_one_end(void **state)
{
    fixture *f = *state;
    kn_ability_def def = planner_def(f, "Plan");
    def.ended = end_again;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    plan_add(KN_TASK_DELAY, 1)->delay = KN_S(1);
    kn_activation_id activation = run(f, type), other = run(f, type);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    EXPECT_LOG(f, "Plan: ended. ");
    assert_int_equal(kn_tasks(f->world, other, NULL, 0), 1); // those of another go on
    step3(f, KN_S(2));
    EXPECT_LOG(f, "1 fired @1000. ");
}

static kn_result try_to_wait(const kn_ability_call *call)
{
    kn_result result = kn_wait_delay(call->world, call->activation, 1, KN_S(1));
    note(call->user, "%s. ", kn_result_name(result));
    return KN_OK;
}

// TVA-027 for abilities without instances
static void an_ability_without_instances_has_no_tasks(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Flash");
    def.instancing = KN_INSTANCING_NONE;
    def.activate = try_to_wait;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    run(f, type);
    EXPECT_LOG(f, "KN_REFUSED_BLOCKED. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// Bad input -----------------------------------------------------------------

typedef struct defs {
    kn_activation_id activation;
    kn_animation_id animation;
    kn_targeting_id targeting;
    kn_task_type_id custom;
    kn_effect_type_id effect;
    kn_motion_def motion;
    kn_tag_query query;
    kn_name name;
} defs;

static defs defs_begin(fixture *f)
{
    defs d = {.motion = kn_motion_def_default(KN_MOTION_FORCE), .name = name_of(f, "Name")};
    kn_animation_def animation = kn_animation_def_default();
    animation.name = "Wave";
    animation.length = 1.0f;
    assert_int_equal(kn_animation_register(f->library, &animation, &d.animation, NULL), KN_OK);
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Self";
    targeting.shape = KN_SHAPE_SELF;
    assert_int_equal(kn_targeting_register(f->library, &targeting, &d.targeting, NULL), KN_OK);
    kn_task_type_def custom = kn_task_type_def_default();
    custom.name = "Custom";
    assert_int_equal(kn_task_type_register(f->library, &custom, &d.custom, NULL), KN_OK);
    kn_effect_def effect = infinite("Effect");
    d.effect = effect_register(f, &effect);
    (void)tag_of(f, "Some.Tag");
    kn_ability_type_id type = planner(f);
    begin(f);
    assert_int_equal(kn_tag_query_parse(f->library, "all_tags(Some.Tag)", &d.query, NULL), KN_OK);
    d.activation = run(f, type);
    return d;
}

// A def with everything its kind needs.
static kn_task_def sane(fixture *f, const defs *d, kn_task_kind kind)
{
    kn_task_def def = kn_task_def_default(kind);
    def.type = kind == KN_TASK_CUSTOM ? d->custom : def.type;
    def.interval = KN_S(1);
    def.delay = KN_S(1);
    def.tag = tag_of(f, "Some.Tag");
    def.query = &d->query;
    def.attribute = f->health;
    def.effect_type = d->effect;
    def.animation = d->animation;
    def.targeting = d->targeting;
    def.confirm = KN_CONFIRM_CUSTOM;
    def.motion = &d->motion;
    return def;
}

// TASK-002
static void every_kind_runs_and_can_be_saved(void **state)
{
    fixture *f = *state;
    defs d = defs_begin(f);
    kn_task_id tasks[KN_TASK_KIND_COUNT];
    for (uint32_t kind = 1; kind < KN_TASK_KIND_COUNT; kind++) {
        kn_task_def def = sane(f, &d, (kn_task_kind)kind);
        def.name = d.name;
        def.label = kind;
        def.repeats = true;
        def.timeout = KN_S(10);
        assert_int_equal(kn_task_run(f->world, d.activation, &def, &tasks[kind]), KN_OK);
        kn_task_info info;
        bool is_alive = kn_task_get(f->world, tasks[kind], &info);
        assert_true(is_alive != (kind == KN_TASK_SPAWN || kind == KN_TASK_NET_SYNC));
        assert_true(!is_alive || (info.kind == kind && info.label == kind && info.is_started &&
                                     info.name.index1 == d.name.index1));
        step3(f, KN_MS(1));
    }
    step3(f, KN_MS(500));
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    for (uint32_t i = 0; i < 30; i++) {
        f->log[0] = 0;
        step(f, KN_MS(500));
        assert_int_equal(kn_world_step(loaded, KN_MS(500)), KN_OK);
        assert_same_worlds(f->world, loaded);
    }
    kn_world_destroy(loaded);
    assert_int_equal(kn_task_count(f->world), 0); // the last by their timeout
}

#define REFUSED(kind, spoil, expected)                                                             \
    do {                                                                                           \
        kn_task_def def = sane(f, &d, kind);                                                       \
        kn_task_id made = {1, 1};                                                                  \
        spoil;                                                                                     \
        assert_int_equal(kn_task_run(f->world, d.activation, &def, &made), expected);              \
        assert_int_equal(made.index1, 0);                                                          \
    } while (0)

static void a_def_that_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    defs d = defs_begin(f);
    const kn_result bad = KN_ERROR_INVALID_ARGUMENT;
    static const kn_tag_query open = {.count = 1};
    kn_tag none = {0}, wild = {60000};
    kn_tags wild_tags = {&wild, 1}, no_tags = {NULL, 3}, many_tags = {&wild, 1000000};
    REFUSED((kn_task_kind)0, def.label = 1, bad);
    REFUSED(KN_TASK_KIND_COUNT, def.label = 1, bad);
    REFUSED(KN_TASK_DELAY, def.cookie = 0, bad);
    REFUSED(KN_TASK_DELAY, def.conflict = KN_TASK_CONFLICT_COUNT, bad);
    REFUSED(KN_TASK_DELAY, def.resource = wild, bad);
    REFUSED(KN_TASK_DELAY, def.name.index1 = 60000, bad);
    REFUSED(KN_TASK_REPEAT, def.interval = 0, bad);
    REFUSED(KN_TASK_EVENT, def.tag = none, bad);
    REFUSED(KN_TASK_EVENT, def.tag = wild, bad);
    REFUSED(KN_TASK_TAG_ADDED, def.tag = none, bad);
    REFUSED(KN_TASK_TAG_REMOVED, def.tag = none, bad);
    REFUSED(KN_TASK_TAG_QUERY, def.query = NULL, bad);
    REFUSED(KN_TASK_TAG_QUERY, def.query = &open, bad);
    REFUSED(KN_TASK_ATTRIBUTE, def.attribute.index1 = 0, bad);
    REFUSED(KN_TASK_ATTRIBUTE, def.attribute.index1 = 60000, bad);
    REFUSED(KN_TASK_THRESHOLD, def.attribute.index1 = 0, bad);
    REFUSED(KN_TASK_THRESHOLD, def.relative_to.index1 = 60000, bad);
    REFUSED(KN_TASK_THRESHOLD, def.compare = KN_COMPARE_COUNT, bad);
    REFUSED(KN_TASK_EFFECT_APPLIED, def.effect_type.index1 = 60000, bad);
    REFUSED(KN_TASK_EFFECT_REMOVED, def.effect_type.index1 = 0, bad);
    REFUSED(KN_TASK_EFFECT_STACKS, def.effect_type.index1 = 0, bad);
    REFUSED(KN_TASK_ABILITY_ENDED, def.tags = wild_tags, bad);
    REFUSED(KN_TASK_ABILITY_ENDED, def.tags = no_tags, bad);
    REFUSED(KN_TASK_ABILITY_ENDED, def.tags = many_tags, bad);
    REFUSED(KN_TASK_ANIMATION, def.animation.index1 = 0, bad);
    REFUSED(KN_TASK_ANIMATION, def.animation.index1 = 60000, bad);
    REFUSED(KN_TASK_ANIMATION, def.section = d.name, bad);
    REFUSED(KN_TASK_MOTION, def.motion = NULL, bad);
    REFUSED(KN_TASK_CUSTOM, def.type.index1 = 0, bad);
    REFUSED(KN_TASK_CUSTOM, def.type.index1 = 60000, bad);
    REFUSED(KN_TASK_CUSTOM, def.param_size = 4, bad);
    REFUSED(KN_TASK_CUSTOM, (def.params = &d, def.param_size = 5000), bad);
    assert_int_equal(kn_task_run(f->world, d.activation, NULL, NULL), bad);
    step3(f, KN_MS(1));
    assert_int_equal(kn_task_count(f->world), 0);
}

static void numbers_that_are_none_and_ids_that_are_gone_are_refused(void **state)
{
    fixture *f = *state;
    defs d = defs_begin(f);
    const kn_result bad = KN_REFUSED_BAD_NUMBER, stale = KN_REFUSED_STALE_ID;
    const kn_time far = KN_TIME_MAX + 1;
    REFUSED(KN_TASK_DELAY, def.delay = -1, bad);
    REFUSED(KN_TASK_DELAY, def.delay = far, bad);
    REFUSED(KN_TASK_DELAY, def.timeout = -1, bad);
    REFUSED(KN_TASK_DELAY, def.timeout = far, bad);
    REFUSED(KN_TASK_REPEAT, def.interval = far, bad);
    REFUSED(KN_TASK_THRESHOLD, def.value = NAN, bad);
    REFUSED(KN_TASK_THRESHOLD, def.value = INFINITY, bad);
    REFUSED(KN_TASK_ANIMATION, def.rate = NAN, bad);
    REFUSED(KN_TASK_ANIMATION, def.rate = 0.0f, bad);
    REFUSED(KN_TASK_ANIMATION, def.rate = -1.0f, bad);
    REFUSED(KN_TASK_ANIMATION, def.start = -1, bad);
    REFUSED(KN_TASK_ANIMATION, def.start = far, bad);
    REFUSED(KN_TASK_MOTION, def.motion_start.position.x = NAN, bad);
    REFUSED(KN_TASK_MOTION, def.motion_start.velocity.y = INFINITY, bad);
    kn_motion_def broken = d.motion;
    broken.duration = -1;
    REFUSED(KN_TASK_MOTION, def.motion = &broken, bad);
    REFUSED(KN_TASK_EVENT, def.entity.index1 = 900, stale);
    assert_int_equal(kn_task_end(f->world, (kn_task_id){5, 5}), stale);
    assert_int_equal(kn_task_start(f->world, (kn_task_id){0}), stale);
    assert_int_equal(kn_activation_end(f->world, d.activation), KN_OK);
    REFUSED(KN_TASK_DELAY, def.label = 1, stale);
    kn_task_info info;
    assert_false(kn_task_get(f->world, (kn_task_id){1, 1}, &info));
    assert_int_equal(kn_tasks(f->world, d.activation, NULL, 0), 0);
    step3(f, KN_MS(1));
}

static void times_beyond_the_end_of_time_are_the_end_of_time(void **state)
{
    fixture *f = *state;
    defs d = defs_begin(f);
    step(f, KN_S(1));
    kn_task_def delay = sane(f, &d, KN_TASK_DELAY), wave = sane(f, &d, KN_TASK_ANIMATION);
    delay.delay = KN_TIME_MAX;
    delay.timeout = KN_TIME_MAX;
    wave.rate = 1e-30f;
    assert_int_equal(kn_task_run(f->world, d.activation, &delay, NULL), KN_OK);
    assert_int_equal(kn_task_run(f->world, d.activation, &wave, NULL), KN_OK);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_count(f->world), 2);
}

static void an_animation_that_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    kn_notify_def notifies[2] = {{0.5f, tag_of(f, "A")}, {0.25f, tag_of(f, "B")}};
    kn_section_def section = {name_of(f, "S"), 2.0f};
    kn_animation_def good = kn_animation_def_default();
    good.name = "Bow";
    good.length = 1.0f;
    kn_animation_def bad[7] = {good, good, good, good, good, good, good};
    bad[0].length = 0.0f;
    bad[1].length = NAN;
    bad[2].length = INFINITY;
    bad[3].blend_out = 1.5f;
    bad[4].notifies = notifies;
    bad[4].notify_count = 2;
    bad[5].sections = &section;
    bad[5].section_count = 1;
    bad[6].name = NULL;
    kn_animation_id animation;
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(
            kn_animation_register(f->library, &bad[i], &animation, NULL), KN_ERROR_BAD_DATA);
        assert_int_equal(animation.index1, 0);
    }
    assert_int_equal(kn_animation_register(f->library, &good, &animation, NULL), KN_OK);
    assert_int_equal(
        kn_animation_register(f->library, &good, &animation, NULL), KN_REFUSED_DUPLICATE);
}

// Passive armour ------------------------------------------------------------

enum { GAIN, DAMAGE };

static kn_effect_type_id armour_effect(const kn_ability_call *call)
{
    return kn_effect_type_find(kn_world_library(call->world), "Armour");
}

static kn_result armour_activate(const kn_ability_call *call)
{
    kn_task_def gain = kn_task_def_default(KN_TASK_REPEAT);
    gain.interval = KN_S(4);
    gain.label = GAIN;
    kn_task_def damage = kn_task_def_default(KN_TASK_EVENT);
    damage.tag = kn_tag_find(kn_world_library(call->world), "Event.Damage");
    damage.repeats = true;
    damage.label = DAMAGE;
    kn_result result = kn_task_run(call->world, call->activation, &gain, NULL);
    return result == KN_OK ? kn_task_run(call->world, call->activation, &damage, NULL) : result;
}

static void armour_task(const kn_ability_call *call, const kn_task_result *result)
{
    kn_effect_type_id type = armour_effect(call);
    if (result->label == GAIN) {
        (void)kn_activation_apply(call->world, call->activation, type, call->owner, NULL);
        return;
    }
    kn_effect_query query = kn_effect_query_default();
    query.type = type;
    kn_effect_id effect;
    if (kn_effects_find(call->world, call->owner, &query, &effect, 1) > 0) {
        assert_int_equal(kn_effect_remove(call->world, effect, 1, KN_REMOVED_BY_CALL), KN_OK);
    }
}

static uint32_t armour_stacks(const fixture *f)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_effect_type_find(f->library, "Armour");
    kn_effect_id effect;
    bool found = kn_effects_find(f->world, f->hero, &query, &effect, 1) > 0;
    return found ? kn_effect_stacks(f->world, effect) : 0;
}

// TVA-022, TASK-024
static void armour_grows_with_time_and_shrinks_with_damage(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Damage");
    kn_effect_def armour = infinite("Armour");
    armour.stacking.kind = KN_STACK_BY_TARGET;
    armour.stacking.limit = kn_constant(4.0f);
    (void)effect_register(f, &armour);
    kn_ability_def def = ability_def(f, "Passive armour");
    def.activates_on_grant = true;
    def.activate = armour_activate;
    def.task_done = armour_task;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    (void)grant(f, type);
    static const uint32_t without[6] = {0, 1, 2, 3, 4, 4};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(armour_stacks(f), without[i]);
        step3(f, KN_S(4));
        assert_int_equal(armour_stacks(f), without[i + 1]);
    }
    step3(f, KN_S(17)); // once more from the same phase, at 37 s
    send(f, f->hero, "Event.Damage", 10);
    assert_int_equal(armour_stacks(f), 3);
    step3(f, KN_MS(2999));
    assert_int_equal(armour_stacks(f), 3);
    step3(f, KN_MS(1));
    assert_int_equal(armour_stacks(f), 4);
    for (uint32_t i = 0; i < 6; i++) {
        send(f, f->hero, "Event.Damage", 1);
    }
    assert_int_equal(armour_stacks(f), 0);
    step3(f, KN_S(8));
    assert_int_equal(armour_stacks(f), 2);
}

// Sprint --------------------------------------------------------------------

enum { SPRINT = 2, PAY = 10, RELEASED };

static kn_result sprint_activate(const kn_ability_call *call)
{
    kn_task_def pay = kn_task_def_default(KN_TASK_REPEAT);
    pay.interval = KN_MS(500);
    pay.label = PAY;
    kn_result result = kn_task_run(call->world, call->activation, &pay, NULL);
    return result == KN_OK ? kn_wait_input_release(call->world, call->activation, RELEASED)
                           : result;
}

static void sprint_task(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == PAY && kn_activation_commit_cost(call->world, call->activation) == KN_OK) {
        return;
    }
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static kn_ability_type_id sprint_register(fixture *f)
{
    kn_cost_def cost = {.attribute = f->stamina, .amount = kn_constant(5.0f)};
    kn_ability_def def = ability_def(f, "Sprint");
    def.input = SPRINT;
    def.owned_tags = tags_of(f, "State.Sprinting");
    def.costs = &cost;
    def.cost_count = 1;
    def.activate = sprint_activate;
    def.task_done = sprint_task;
    return ability_register(f, &def);
}

// COM-002 without a network, TASK-021
static void a_sprint_costs_stamina_while_the_input_is_held(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = sprint_register(f);
    begin(f);
    kn_ability_id sprint = grant(f, type);
    kn_tag sprinting = tag_of(f, "State.Sprinting");
    assert_int_equal(kn_input_press(f->world, f->hero, SPRINT), KN_OK);
    for (uint32_t i = 1; i <= 4; i++) {
        step3(f, KN_MS(499));
        assert_true(value_of(f, f->stamina) == 105.0f - 5.0f * (float)i);
        step3(f, KN_MS(1));
        assert_true(value_of(f, f->stamina) == 100.0f - 5.0f * (float)i);
        assert_true(kn_entity_has_tag(f->world, f->hero, sprinting));
    }
    step3(f, KN_MS(300));
    assert_int_equal(kn_input_release(f->world, f->hero, SPRINT), KN_OK);
    EXPECT_LOG(f, "Sprint: ended. ");
    assert_false(kn_ability_is_active(f->world, sprint));
    assert_false(kn_entity_has_tag(f->world, f->hero, sprinting));
    step3(f, KN_S(5));
    assert_true(value_of(f, f->stamina) == 80.0f);
    assert_int_equal(kn_input_press(f->world, f->hero, SPRINT), KN_OK);
    step3(f, KN_S(8));
    assert_true(value_of(f, f->stamina) == 0.0f && kn_ability_is_active(f->world, sprint));
    step3(f, KN_MS(500));
    assert_true(value_of(f, f->stamina) == 0.0f && !kn_ability_is_active(f->world, sprint));
}

static const struct CMUnitTest tests[] = {
    PLANNED(a_task_that_is_never_started_is_reported_once),
    PLANNED(a_world_with_a_limit_of_1000_tasks_refuses_the_next),
    PLANNED(every_world_counts_its_own_tasks),
    PLANNED(without_a_limit_there_is_none),
    PLANNED(a_far_timeout_costs_nothing_while_a_task_repeats),
    PLANNED(results_that_come_after_the_end_are_dropped),
    PLANNED(a_result_may_end_the_other_tasks),
    PLANNED(the_owner_may_be_destroyed_by_a_result),
    PLANNED(the_ability_may_be_removed_by_a_result),
    PLANNED(an_activation_ended_by_a_result_may_begin_anew_in_it),
    PLANNED(an_end_within_the_end_is_one_end),
    PLANNED(an_ability_without_instances_has_no_tasks),
    PLANNED(every_kind_runs_and_can_be_saved),
    PLANNED(a_def_that_makes_no_sense_is_refused),
    PLANNED(numbers_that_are_none_and_ids_that_are_gone_are_refused),
    PLANNED(times_beyond_the_end_of_time_are_the_end_of_time),
    PLANNED(an_animation_that_makes_no_sense_is_refused),
    PLANNED(armour_grows_with_time_and_shrinks_with_damage),
    PLANNED(a_sprint_costs_stamina_while_the_input_is_held),
};

TEST_GROUP(task_lifetime, tests, NULL, NULL);
