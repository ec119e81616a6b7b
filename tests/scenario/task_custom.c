// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tasks of a game's own: state, watching, waiting, reporting, ending, and tasks within tasks.

#include "scenario/task_fixture.h"

enum { TICKED = KN_TASK_CUSTOM_OUTPUT, COUNTED, DONE };

static kn_task_type_id type_register(fixture *f, kn_task_type_def *def, const char *name)
{
    def->name = name;
    def->user = f;
    kn_task_type_id type;
    kn_error error = {0};
    if (kn_task_type_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// A counter -----------------------------------------------------------------

typedef struct counter {
    uint32_t limit;
    uint32_t count;
} counter;

static kn_tag hit_tag(const kn_task_call *call)
{
    return kn_tag_find(kn_world_library(call->world), "Event.Hit");
}

static void counter_start(const kn_task_call *call)
{
    const counter *state = kn_task_read_state(call->world, call->task);
    note(call->user, "starts with %u, %u. ", state->limit, state->count);
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_EVENT, hit_tag(call).index1),
        KN_OK);
    assert_int_equal(kn_task_wait(call->world, call->task, KN_MS(100)), KN_OK);
}

static void counter_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    counter *state = kn_task_state(call->world, call->task);
    state->count += (uint32_t)reaction->magnitude;
    bool is_done = state->count >= state->limit;
    assert_int_equal(kn_task_report(call->world, call->task, is_done ? DONE : COUNTED, state,
                         sizeof(*state), is_done),
        KN_OK);
}

static kn_time counter_timer(const kn_task_call *call)
{
    assert_int_equal(kn_task_report(call->world, call->task, TICKED, NULL, 0, false), KN_OK);
    return KN_MS(100);
}

static void counter_ended(const kn_task_call *call)
{
    const counter *state = kn_task_state(call->world, call->task);
    note(call->user, "ends with %u. ", state->count);
    assert_true(kn_activation_is_alive(call->world, call->activation));
    assert_true(kn_ability_is_alive(call->world, call->ability));
}

static kn_task_type_id counter_type(fixture *f)
{
    (void)tag_of(f, "Event.Hit");
    kn_task_type_def def = kn_task_type_def_default();
    def.state_size = sizeof(counter);
    def.start = counter_start;
    def.woken = counter_woken;
    def.timer = counter_timer;
    def.ended = counter_ended;
    return type_register(f, &def, "Counter");
}

static void read_counter(const kn_ability_call *call, const kn_task_result *result)
{
    create_much(call->world, kn_tag_find(kn_world_library(call->world), "Event.Hit"));
    if (result->data.custom.size == sizeof(counter)) {
        const counter *told = result->data.custom.data;
        assert_int_equal(result->output, told->count < told->limit ? COUNTED : DONE);
        note(call->user, "%u of %u. ", told->count, told->limit);
    } else { // the same function for every output; what an output does not use is empty
        assert_int_equal(result->output, TICKED);
        assert_true(result->data.custom.size == 0 && result->data.custom.data == NULL);
        note(call->user, "tick. ");
    }
}

static const uint32_t five = 5;

static kn_task_def *plan_counter(kn_task_type_id type, uint32_t label)
{
    kn_task_def *def = plan_add(KN_TASK_CUSTOM, label);
    def->type = type;
    def->params = &five;
    def->param_size = sizeof(five);
    return def;
}

// TASK-005, TASK-006, TASK-009
static void a_custom_task_keeps_state_watches_waits_and_tells(void **state)
{
    fixture *f = *state;
    kn_task_type_id counting = counter_type(f);
    kn_ability_type_id type = planner(f);
    begin_small(f);
    plan_counter(counting, 1);
    run(f, type);
    EXPECT_LOG(f, "starts with 5, 0. ");
    send(f, f->hero, "Event.Hit", 2);
    step3(f, KN_MS(250));
    EXPECT_LOG(f, "1 custom @0. 1 custom @100. 1 custom @200. ");
    the_plan.then = read_counter;
    send(f, f->hero, "Event.Hit", 1);
    EXPECT_LOG(f, "1 custom @250. 3 of 5. ");
    step3(f, KN_MS(50));
    EXPECT_LOG(f, "1 custom @300. tick. ");
    send(f, f->hero, "Event.Hit", 4);
    EXPECT_LOG(f, "ends with 7. 1 custom @300. 7 of 5. ");
    the_plan.then = NULL;
    send(f, f->hero, "Event.Hit", 4);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

// TASK-005, TASK-013
static void a_watch_made_before_the_start_wakes_once(void **state)
{
    fixture *f = *state;
    kn_task_type_id counting = counter_type(f);
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_task_def *def = plan_counter(counting, 1);
    kn_task_id task;
    assert_int_equal(kn_task_create(f->world, activation, def, &task), KN_OK);
    kn_tag hit = tag_of(f, "Event.Hit");
    assert_int_equal(kn_task_watch(f->world, task, f->foe, KN_TRIGGER_EVENT, hit.index1), KN_OK);
    assert_int_equal(kn_task_wait(f->world, task, KN_MS(1)), KN_ERROR_INVALID_ARGUMENT);
    send(f, f->foe, "Event.Hit", 1);
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_start(f->world, task), KN_OK);
    step3(f, KN_MS(1));
    send(f, f->foe, "Event.Hit", 1);
    EXPECT_LOG(f, "starts with 5, 0. 1 custom @2. ");
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT_LOG(f, "ends with 1. 1 gone @2. ");
    step3(f, KN_MS(1));
}

// Ending itself -------------------------------------------------------------

typedef enum ender_hook { IN_START, IN_WOKEN, IN_TIMER, IN_ENDED } ender_hook;

typedef struct ender {
    uint32_t where;
    uint32_t ends_activation;
} ender;

static void end_in(const kn_task_call *call, ender_hook where)
{
    const ender state = *(const ender *)kn_task_state(call->world, call->task);
    if (state.where != (uint32_t)where) {
        return;
    }
    note(call->user, "%d. ", (int)where);
    kn_result result = state.ends_activation != 0 ? kn_activation_end(call->world, call->activation)
                                                  : kn_task_end(call->world, call->task);
    assert_int_equal(result, KN_OK);
    assert_int_equal(
        kn_task_report(call->world, call->task, DONE, NULL, 0, true), KN_REFUSED_STALE_ID);
}

static void ender_start(const kn_task_call *call)
{
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_TAG_ADDED, 0), KN_OK);
    assert_int_equal(kn_task_wait(call->world, call->task, KN_MS(10)), KN_OK);
    end_in(call, IN_START);
}

static void ender_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    (void)reaction;
    end_in(call, IN_WOKEN);
}

static kn_time ender_timer(const kn_task_call *call)
{
    end_in(call, IN_TIMER);
    return KN_MS(10);
}

// The ability is still there, whoever ends the task.
static void ender_ended(const kn_task_call *call)
{
    kn_ability_info info;
    assert_true(kn_ability_get(call->world, call->ability, &info));
    assert_true(kn_entity_is_alive(call->world, call->owner));
    end_in(call, IN_ENDED);
    assert_true(kn_ability_is_alive(call->world, call->ability));
    note(call->user, "over. ");
}

static kn_task_type_id ender_type(fixture *f)
{
    kn_task_type_def def = kn_task_type_def_default();
    def.state_size = sizeof(ender);
    def.start = ender_start;
    def.woken = ender_woken;
    def.timer = ender_timer;
    def.ended = ender_ended;
    return type_register(f, &def, "Ender");
}

// Between two other tasks, one that ends itself, or all, in one of its hooks.
static void run_ender(fixture *f, kn_ability_type_id type, kn_task_type_id ending, ender *state)
{
    the_plan.count = 0;
    plan_add(KN_TASK_DELAY, 1)->delay = KN_MS(50);
    kn_task_def *def = plan_add(KN_TASK_CUSTOM, 2);
    def->type = ending;
    def->params = state;
    def->param_size = sizeof(*state);
    if (state->where != IN_START || state->ends_activation == 0) {
        plan_add(KN_TASK_DELAY, 3)->delay = KN_MS(60);
    }
    kn_activation_id activation = run(f, type);
    if (state->where == IN_ENDED) { // whose end leads to the end of the rest
        kn_task_id tasks[3];
        assert_int_equal(kn_tasks(f->world, activation, tasks, 3), 3);
        assert_int_equal(kn_task_end(f->world, tasks[1]), KN_OK);
    }
    add_tag(f, f->hero, tag_of(f, "Status.Wet"));
    step3(f, KN_MS(100));
    remove_tag(f, f->hero, tag_of(f, "Status.Wet"));
    assert_int_equal(kn_task_count(f->world), 0);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

// TASK-010, TASK-014
static void a_task_may_end_itself_in_each_of_its_hooks(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Wet");
    kn_task_type_id ending = ender_type(f);
    kn_ability_type_id type = planner(f);
    begin(f);
    static const char *const logs[4] = {"0. over. 1 fired @50. 3 fired @60. ",
        "1. over. 1 fired @150. 3 fired @160. ", "2. over. 1 fired @250. 3 fired @260. ",
        "3. over. 1 fired @350. 3 fired @360. "};
    for (uint32_t where = 0; where < 4; where++) {
        ender how = {where, 0};
        run_ender(f, type, ending, &how);
        EXPECT_LOG(f, logs[where]);
    }
}

// TASK-010, TASK-016, TVA-013
static void a_task_may_end_its_activation_in_each_of_its_hooks(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Wet");
    kn_task_type_id ending = ender_type(f);
    kn_ability_def def = planner_def(f, "Plan");
    def.ended = note_ended;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    static const char *const logs[4] = {"0. over. Plan: ended. ", "1. over. Plan: ended. ",
        "2. over. Plan: ended. ", "3. over. Plan: ended. "};
    for (uint32_t where = 0; where < 4; where++) {
        ender how = {where, 1};
        run_ender(f, type, ending, &how);
        EXPECT_LOG(f, logs[where]);
        assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    }
}

// Nesting -------------------------------------------------------------------

typedef struct nest {
    uint32_t level;
    kn_task_id inner;
} nest;

// Each level runs one below it and ends it when it ends itself; the last reports after a while.
static void nest_start(const kn_task_call *call)
{
    nest state = *(const nest *)kn_task_state(call->world, call->task);
    note(call->user, "+%u ", state.level);
    if (state.level == 2) {
        assert_int_equal(kn_task_wait(call->world, call->task, KN_MS(30)), KN_OK);
        return;
    }
    kn_task_info info;
    assert_true(kn_task_get(call->world, call->task, &info));
    nest below = {.level = state.level + 1};
    kn_task_def def = kn_task_def_default(KN_TASK_CUSTOM);
    def.type = info.type;
    def.label = below.level;
    def.params = &below;
    def.param_size = sizeof(below);
    kn_task_id inner;
    assert_int_equal(kn_task_run(call->world, call->activation, &def, &inner), KN_OK);
    ((nest *)kn_task_state(call->world, call->task))->inner = inner;
}

static kn_time nest_timer(const kn_task_call *call)
{
    assert_int_equal(kn_task_report(call->world, call->task, DONE, NULL, 0, false), KN_OK);
    return 0;
}

static void nest_ended(const kn_task_call *call)
{
    nest state = *(const nest *)kn_task_state(call->world, call->task);
    note(call->user, "-%u ", state.level);
    if (state.inner.index1 != 0) {
        (void)kn_task_end(call->world, state.inner);
    }
    note(call->user, "~%u ", state.level);
}

static void end_the_outermost(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    kn_task_id tasks[3];
    assert_int_equal(kn_tasks(call->world, call->activation, tasks, 3), 3);
    assert_int_equal(kn_task_end(call->world, tasks[0]), KN_OK);
}

// TASK-010, TASK-028
static void tasks_within_tasks_end_from_the_outside_in(void **state)
{
    fixture *f = *state;
    kn_task_type_def def = kn_task_type_def_default();
    def.state_size = sizeof(nest);
    def.start = nest_start;
    def.timer = nest_timer;
    def.ended = nest_ended;
    kn_task_type_id nested = type_register(f, &def, "Nest");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_CUSTOM, 0)->type = nested;
    the_plan.then = end_the_outermost;
    run(f, type);
    EXPECT_LOG(f, "+0 +1 +2 ");
    step3(f, KN_MS(50));
    EXPECT_LOG(f, "2 custom @30. -0 ~0 -1 ~1 -2 ~2 ");
    assert_int_equal(kn_task_count(f->world), 0);
    kn_activation_id again = run(f, type);
    f->log[0] = 0;
    assert_int_equal(kn_activation_cancel(f->world, again), KN_OK);
    EXPECT_LOG(f, "-2 ~2 -1 ~1 -0 ~0 "); // the last first
    step3(f, KN_MS(50));
    EXPECT_LOG(f, "");
}

// States --------------------------------------------------------------------

// TASK-015, TASK-028
static void a_named_state_lasts_until_it_is_ended_by_name(void **state)
{
    fixture *f = *state;
    kn_name aiming = name_of(f, "Aiming"), firing = name_of(f, "Firing");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_STATE, 1)->name = aiming;
    plan_add(KN_TASK_STATE, 2)->name = firing;
    plan_add(KN_TASK_STATE, 3)->name = aiming;
    kn_activation_id activation = run(f, type), other = run(f, type);
    step3(f, KN_S(1));
    kn_task_id found = kn_task_find(f->world, activation, aiming);
    kn_task_id others = kn_task_find(f->world, other, aiming); // names belong to an activation
    assert_true(kn_task_is_alive(f->world, others) && !kn_task_id_equal(found, others));
    kn_task_info info;
    assert_true(kn_task_get(f->world, found, &info));
    assert_int_equal(info.label, 1); // the first
    assert_true(info.is_started && info.start == 0 && info.due == KN_TIME_INFINITE);
    assert_int_equal(kn_task_end(f->world, found), KN_OK);
    EXPECT_LOG(f, "1 finished @1000. ");
    assert_false(kn_task_is_alive(f->world, found));
    assert_int_equal(kn_task_end(f->world, found), KN_REFUSED_STALE_ID);
    kn_task_id never; // one that did not begin does not end
    assert_int_equal(kn_task_create(f->world, activation, &the_plan.tasks[0], &never), KN_OK);
    assert_int_equal(kn_task_end(f->world, never), KN_OK);
    EXPECT_LOG(f, "");
    kn_name unknown = {0};
    assert_int_equal(kn_task_find(f->world, activation, unknown).index1, 0);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_find(f->world, activation, firing).index1, 0);
    assert_true(kn_task_is_alive(f->world, others));
    assert_int_equal(kn_tasks(f->world, other, NULL, 0), 3);
}

// Bad input -----------------------------------------------------------------

static kn_task_id one_of(
    fixture *f, kn_activation_id activation, kn_task_kind kind, kn_task_type_id type)
{
    kn_task_def def = kn_task_def_default(kind);
    def.type = type;
    kn_task_id task;
    assert_int_equal(kn_task_run(f->world, activation, &def, &task), KN_OK);
    return task;
}

static void what_only_custom_tasks_do_is_refused_for_others(void **state)
{
    fixture *f = *state;
    kn_task_type_def plain = kn_task_type_def_default();
    kn_task_type_id hollow = type_register(f, &plain, "Hollow");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_task_id wait = one_of(f, activation, KN_TASK_STATE, (kn_task_type_id){0});
    kn_task_id custom = one_of(f, activation, KN_TASK_CUSTOM, hollow), gone = {9, 9};
    assert_null(kn_task_state(f->world, wait));
    assert_null(kn_task_state(f->world, custom));
    assert_null(kn_task_state(f->world, gone));
    assert_int_equal(
        kn_task_watch(f->world, wait, f->foe, KN_TRIGGER_EVENT, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_task_watch(f->world, custom, f->foe, KN_TRIGGER_COUNT, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_task_watch(f->world, gone, f->foe, KN_TRIGGER_EVENT, 0), KN_REFUSED_STALE_ID);
    kn_entity_id nobody = {0};
    assert_int_equal(
        kn_task_watch(f->world, custom, nobody, KN_TRIGGER_EVENT, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_task_watch(f->world, custom, f->foe, KN_TRIGGER_EVENT, UINT32_MAX), KN_OK);
    assert_int_equal(kn_task_wait(f->world, wait, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_task_wait(f->world, gone, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_task_wait(f->world, custom, KN_TIME_INFINITE), KN_OK);
    assert_int_equal(kn_task_wait(f->world, custom, -1), KN_OK);
    assert_int_equal(kn_task_report(f->world, gone, DONE, NULL, 0, true), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_task_report(f->world, custom, DONE, NULL, 4, true), KN_ERROR_INVALID_ARGUMENT);
    static uint8_t much[5000];
    assert_int_equal(kn_task_report(f->world, custom, DONE, much, sizeof(much), true),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_task_report(f->world, custom, DONE, much, 4096, true), KN_OK);
    EXPECT_LOG(f, "0 custom @0. ");
    step3(f, KN_MS(1));
}

// Telling from within the hook that starts the task, twice.
static void hasty_start(const kn_task_call *call)
{
    const uint32_t numbers[2] = {7, 8};
    assert_int_equal(
        kn_task_report(call->world, call->task, TICKED, numbers, sizeof(numbers), false), KN_OK);
    assert_int_equal(kn_task_report(call->world, call->task, DONE, NULL, 0, true), KN_OK);
    assert_int_equal(
        kn_task_report(call->world, call->task, DONE, NULL, 0, true), KN_REFUSED_STALE_ID);
    assert_true(kn_task_is_alive(call->world, call->task));
    note(call->user, "start returns. ");
}

static void hasty_told(const kn_ability_call *call, const kn_task_result *result)
{
    const uint32_t *numbers = result->data.custom.data;
    create_much(call->world, kn_tag_find(kn_world_library(call->world), "Event.Hit"));
    note(call->user, "%u bytes, first %u. ", result->data.custom.size,
        numbers != NULL ? numbers[0] : 0);
}

static void what_a_task_tells_comes_after_the_running_hook(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    kn_task_type_def def = kn_task_type_def_default();
    def.start = hasty_start;
    kn_task_type_id hasty = type_register(f, &def, "Hasty");
    kn_ability_type_id type = planner(f);
    begin_small(f);
    plan_add(KN_TASK_CUSTOM, 1)->type = hasty;
    the_plan.then = hasty_told;
    run(f, type);
    EXPECT_LOG(f, "start returns. 1 custom @0. 8 bytes, first 7. 1 custom @0. 0 bytes, first 0. ");
    the_plan.then = NULL;
    assert_int_equal(kn_task_count(f->world), 0);
    step3(f, KN_MS(1));
}

static void a_task_type_with_too_much_state_or_a_taken_name_is_refused(void **state)
{
    fixture *f = *state;
    kn_task_type_def def = kn_task_type_def_default();
    kn_task_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_task_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.name = "Big";
    def.state_size = 4097;
    assert_int_equal(kn_task_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.state_size = 4096;
    assert_int_equal(kn_task_type_register(f->library, &def, &type, &error), KN_OK);
    assert_int_equal(kn_task_type_find(f->library, "Big").index1, type.index1);
    assert_int_equal(kn_task_type_register(f->library, &def, &type, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(type.index1, 0);
    assert_int_equal(kn_task_type_find(f->library, "Small").index1, 0);
}

static const struct CMUnitTest tests[] = {
    PLANNED(a_custom_task_keeps_state_watches_waits_and_tells),
    PLANNED(a_watch_made_before_the_start_wakes_once),
    PLANNED(a_task_may_end_itself_in_each_of_its_hooks),
    PLANNED(a_task_may_end_its_activation_in_each_of_its_hooks),
    PLANNED(tasks_within_tasks_end_from_the_outside_in),
    PLANNED(a_named_state_lasts_until_it_is_ended_by_name),
    PLANNED(what_a_task_tells_comes_after_the_running_hook),
    PLANNED(what_only_custom_tasks_do_is_refused_for_others),
    PLANNED(a_task_type_with_too_much_state_or_a_taken_name_is_refused),
};

TEST_GROUP(task_custom, tests, NULL, NULL);
