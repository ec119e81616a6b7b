// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// An ability that runs a plan of tasks when it is activated and notes their results. Steps are
// taken three times over: in a world read from a save, in the world itself, and again after going
// back to a snapshot; all must come to the same state and note the same things.
#ifndef TASK_FIXTURE_H
#define TASK_FIXTURE_H

#include "scenario/ability_fixture.h"

#define PLAN_MAX 8

// What the next activation runs. Read by the activate hook only.
typedef struct plan {
    kn_task_def tasks[PLAN_MAX];
    uint32_t count;
    void (*then)(const kn_ability_call *call, const kn_task_result *result); // after each note
} plan;

static plan the_plan;

static inline kn_task_def *plan_add(kn_task_kind kind, uint32_t label)
{
    assert_in_range(the_plan.count, 0, PLAN_MAX - 1);
    kn_task_def *def = &the_plan.tasks[the_plan.count++];
    *def = kn_task_def_default(kind);
    def->label = label;
    return def;
}

static inline kn_result run_plan(const kn_ability_call *call)
{
    for (uint32_t i = 0; i < the_plan.count; i++) {
        assert_int_equal(
            kn_task_run(call->world, call->activation, &the_plan.tasks[i], NULL), KN_OK);
    }
    return KN_OK;
}

static inline const char *output_name(kn_task_output output)
{
    static const char *const names[] = {"?", "fired", "finished", "confirmed", "cancelled",
        "blends out", "completed", "interrupted", "notify", "timed out", "gone"};
    return output <= KN_TASK_GONE ? names[output] : "custom";
}

static inline void note_event(fixture *f, const kn_event_record *event)
{
    note(f, " %s %g", kn_tag_name(f->library, event->tag), (double)event->magnitude);
}

static inline void note_ability(const kn_ability_call *call, const kn_task_result *result)
{
    kn_ability_info info;
    kn_ability_type_id type = {0};
    if (kn_ability_get(call->world, result->data.ability.ability, &info)) {
        type = info.type;
    }
    note(call->user, " %s", kn_ability_type_name(kn_world_library(call->world), type));
    if (result->kind == KN_TASK_ABILITY_ENDED) {
        note(call->user, " %s", kn_end_reason_name(result->data.ability.reason));
    }
}

// What is particular to a kind.
static inline void note_data(const kn_ability_call *call, const kn_task_result *result)
{
    fixture *f = call->user;
    switch (result->kind) {
    case KN_TASK_REPEAT:
        note(f, " #%u%s", result->data.repeat.index, result->data.repeat.is_last ? " last" : "");
        break;
    case KN_TASK_EVENT:
        note_event(f, result->data.event);
        break;
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
        note(f, " %s%s", result->data.tag.is_there ? "+" : "-",
            kn_tag_name(f->library, result->data.tag.tag));
        break;
    case KN_TASK_TAG_QUERY:
        note(f, " %s", result->data.tag.is_there ? "true" : "false");
        break;
    case KN_TASK_ATTRIBUTE:
    case KN_TASK_THRESHOLD:
        note(f, " %s %g>%g", kn_attribute_name(f->library, result->data.attribute.attribute),
            (double)result->data.attribute.old_value, (double)result->data.attribute.new_value);
        break;
    case KN_TASK_EFFECT_APPLIED:
    case KN_TASK_EFFECT_REMOVED:
    case KN_TASK_EFFECT_STACKS:
        note(f, " %s %u>%u", kn_effect_type_name(call->world, result->data.effect.type),
            result->data.effect.old_count, result->data.effect.count);
        if (result->data.effect.reason != 0) {
            note(f, " %s", kn_removal_reason_name(result->data.effect.reason));
        }
        break;
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED:
        note_ability(call, result);
        break;
    case KN_TASK_INPUT_PRESSED:
    case KN_TASK_INPUT_RELEASED:
        note(f, " held %d", (int)(result->data.held / 1000));
        break;
    case KN_TASK_MOVEMENT:
        note(f, " mode %u", result->data.mode);
        break;
    default:
        break;
    }
}

// "label output @milliseconds data. "
static inline void note_result(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "%u %s @%d", result->label, output_name(result->output),
        (int)(kn_world_now(call->world) / 1000));
    if (result->output == KN_TASK_FIRED) {
        note_data(call, result);
    } else if (result->output == KN_TASK_NOTIFY) {
        fixture *f = call->user;
        note(f, " %s", kn_tag_name(f->library, result->data.tag.tag));
    }
    note(call->user, ". ");
    if (the_plan.then != NULL) {
        the_plan.then(call, result);
    }
}

static inline kn_ability_def planner_def(fixture *f, const char *name)
{
    kn_ability_def def = ability_def(f, name);
    def.activate = run_plan;
    def.ended = NULL;
    def.task_done = note_result;
    return def;
}

static inline int setup_plan(void **state)
{
    the_plan = (plan){0};
    return setup(state);
}

// A library with one ability "Plan" and whatever was registered before.
static inline kn_ability_type_id planner(fixture *f)
{
    kn_ability_def def = planner_def(f, "Plan");
    return ability_register(f, &def);
}

// A world whose memory moves when much is created.
static inline void begin_small(fixture *f)
{
    kn_world_def def = kn_world_def_default();
    def.heap_capacity = 0;
    begin_with(f, def);
}

// Creates so much that the memory of the world moves.
static inline void create_much(kn_world *world, kn_tag tag)
{
    for (uint32_t i = 0; i < 3000; i++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        assert_int_equal(kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    }
}

// Activates the plan of a world that has begun.
static inline kn_activation_id run(fixture *f, kn_ability_type_id type)
{
    return activate(f, grant(f, type));
}

// Going back, saving --------------------------------------------------------

// Steps as described on top.
static inline void step3(fixture *f, kn_time dt)
{
    static char before[LOG_SIZE], after[LOG_SIZE];
    strcpy(before, f->log);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_int_equal(kn_world_step(loaded, dt), KN_OK);
    assert_true(kn_world_validate(loaded));
    strcpy(after, f->log);

    strcpy(f->log, before);
    step(f, dt);
    assert_string_equal(f->log, after);
    assert_same_worlds(f->world, loaded);

    snapshot_restore(f->world, snapshot, size);
    strcpy(f->log, before);
    step(f, dt);
    assert_string_equal(f->log, after);
    assert_same_worlds(f->world, loaded);
    kn_world_destroy(loaded);
    free(snapshot);
}

// Small things --------------------------------------------------------------

static inline void send(fixture *f, kn_entity_id entity, const char *name, float magnitude)
{
    kn_event_record record = kn_event_record_default();
    record.magnitude = magnitude;
    assert_int_equal(kn_event_send(f->world, entity, tag_of(f, name), &record), KN_OK);
}

#define PLANNED(test) cmocka_unit_test_setup_teardown(test, setup_plan, teardown)

#endif
