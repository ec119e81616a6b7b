// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tasks that do something to the world: animations, motion, spawning, and what they claim.

#include "scenario/task_fixture.h"

// Animations ----------------------------------------------------------------

typedef struct slash {
    kn_ability_type_id type;
    kn_animation_id animation;
    kn_name strike;
} slash;

// One second: windup, from 0.4 s the strike, from 0.8 s on it blends out.
static slash slash_begin(fixture *f)
{
    slash s = {.strike = name_of(f, "Strike")};
    kn_section_def sections[2] = {{name_of(f, "Windup"), 0.0f}, {s.strike, 0.4f}};
    kn_notify_def notifies[3] = {{0.25f, tag_of(f, "Notify.Swing")},
        {0.5f, tag_of(f, "Notify.Hit")}, {0.5f, tag_of(f, "Notify.Sound")}};
    kn_animation_def def = kn_animation_def_default();
    def.name = "Slash";
    def.length = 1.0f;
    def.blend_out = 0.2f;
    def.sections = sections;
    def.section_count = 2;
    def.notifies = notifies;
    def.notify_count = 3;
    assert_int_equal(kn_animation_register(f->library, &def, &s.animation, NULL), KN_OK);
    (void)tag_of(f, "Slot.Body");
    (void)tag_of(f, "Slot.Legs");
    s.type = planner(f);
    begin(f);
    return s;
}

static kn_task_def *plan_slash(const slash *s, uint32_t label)
{
    kn_task_def *def = plan_add(KN_TASK_ANIMATION, label);
    def->animation = s->animation;
    return def;
}

// Notes what the host is asked to play and to stop.
static void note_animations(fixture *f)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_ANIMATION) {
            note(f, "%s %u at %d x%g from %d %s. ", event->data.animation.plays ? "play" : "stop",
                event->data.animation.task.index1, (int)(event->time / 1000),
                (double)event->data.animation.rate, (int)(event->data.animation.start / 1000),
                kn_name_text(f->library, event->data.animation.section));
        }
    }
}

// TASK-023
static void an_animation_tells_its_notifies_blends_out_and_completes(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1);
    kn_task_def *hears = plan_add(KN_TASK_EVENT, 2);
    hears->tag = tag_of(f, "Notify");
    hears->repeats = true;
    run(f, s.type);
    step3(f, KN_MS(250));
    EXPECT_LOG(f, "1 notify @250 Notify.Swing. 2 fired @250 Notify.Swing 0. ");
    step3(f, KN_MS(300));
    EXPECT_LOG(f, "1 notify @500 Notify.Hit. 2 fired @500 Notify.Hit 0. "
                  "1 notify @500 Notify.Sound. 2 fired @500 Notify.Sound 0. ");
    step3(f, KN_S(1));
    EXPECT_LOG(f, "1 blends out @800. 1 completed @1000. ");
    assert_int_equal(kn_task_count(f->world), 1);
}

static void an_animation_plays_from_a_section_and_an_offset_at_a_rate(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    kn_task_def *def = plan_slash(&s, 1);
    def->section = s.strike;
    def->start = KN_MS(50);
    def->rate = 2.0f;
    run(f, s.type);
    step(f, 0);
    note_animations(f);
    EXPECT_LOG(f, "play 1 at 0 x2 from 50 Strike. ");
    step3(f, KN_S(1));
    EXPECT_LOG(f, "1 notify @25 Notify.Hit. 1 notify @25 Notify.Sound. 1 blends out @175. "
                  "1 completed @275. ");
    note_animations(f);
    EXPECT_LOG(f, "stop 1 at 275 x2 from 50 Strike. ");
}

// A notify exactly where it starts is reported, one before is not.
static void an_animation_tells_the_notify_it_starts_at(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1)->start = KN_MS(250);
    plan_slash(&s, 2)->start = KN_MS(250) + 1;
    plan_slash(&s, 3)->start = KN_MS(500);
    run(f, s.type);
    step3(f, 0);
    EXPECT_LOG(f, "1 notify @0 Notify.Swing. 3 notify @0 Notify.Hit. 3 notify @0 Notify.Sound. ");
}

static void an_animation_that_starts_behind_its_end_completes_at_once(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1)->start = KN_S(5);
    run(f, s.type);
    EXPECT_LOG(f, "");
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "1 blends out @0. 1 completed @0. ");
}

// TASK-023
static void the_host_interrupts_and_quiet_animations_tell_nothing_after_the_blend_out(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1)->start = KN_MS(600);
    plan_slash(&s, 2)->rate = 0.5f;
    kn_task_def *quiet = plan_slash(&s, 3), *stopped = plan_slash(&s, 4);
    quiet->start = KN_MS(700);
    quiet->no_result_after_blend_out = true;
    stopped->start = KN_MS(550);
    stopped->no_result_after_blend_out = true;
    run(f, s.type);
    step(f, 0);
    step3(f, KN_MS(300));
    EXPECT_LOG(f, "3 blends out @100. 1 blends out @200. 4 blends out @250. ");
    note_animations(f);
    EXPECT_LOG(f, "stop 3 at 300 x1 from 700 . ");
    assert_int_equal(kn_host_animation_stopped(f->world, f->foe), KN_OK);
    assert_int_equal(kn_host_animation_stopped(f->world, f->hero), KN_OK);
    EXPECT_LOG(f, "1 interrupted @300. 2 interrupted @300. ");
    assert_int_equal(kn_task_count(f->world), 0);
    step(f, KN_S(2));
    note_animations(f);
    EXPECT_LOG(f, "stop 1 at 300 x1 from 600 . stop 2 at 300 x0.5 from 0 . "
                  "stop 4 at 300 x1 from 550 . ");
}

static void end_it(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->output == KN_TASK_NOTIFY && result->label == 1) {
        assert_int_equal(kn_task_end(call->world, result->task), KN_OK);
    } else if (result->output == KN_TASK_NOTIFY) {
        assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
    }
}

// TASK-014, TASK-016, TASK-023
static void an_animation_may_be_ended_by_its_own_notify(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1);
    plan_slash(&s, 2)->start = KN_MS(50);
    plan_slash(&s, 3)->rate = 0.1f;
    the_plan.then = end_it;
    kn_activation_id activation = run(f, s.type);
    step(f, 0);
    step3(f, KN_MS(220));
    EXPECT_LOG(f, "2 notify @200 Notify.Swing. ");
    assert_false(kn_activation_is_alive(f->world, activation));
    note_animations(f);
    EXPECT_LOG(
        f, "stop 3 at 200 x0.1 from 0 . stop 2 at 200 x1 from 50 . stop 1 at 200 x1 from 0 . ");
    the_plan.count = 1;
    run(f, s.type);
    step3(f, KN_S(2));
    EXPECT_LOG(f, "1 notify @470 Notify.Swing. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// TASK-023: who cancels the ability hears of it from the ability, and the host stops the animation.
static void a_cancelled_ability_stops_its_animation(void **state)
{
    fixture *f = *state;
    kn_ability_def def = planner_def(f, "Slasher");
    def.ended = note_ended;
    kn_ability_type_id type = ability_register(f, &def);
    slash s = slash_begin(f);
    plan_slash(&s, 1);
    kn_activation_id activation = run(f, type);
    step3(f, KN_MS(300));
    EXPECT_LOG(f, "1 notify @250 Notify.Swing. ");
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    EXPECT_LOG(f, "Slasher: cancelled. ");
    step(f, 0);
    note_animations(f);
    EXPECT_LOG(f, "stop 1 at 300 x1 from 0 . ");
    step3(f, KN_S(2));
    EXPECT_LOG(f, "");
}

// Resources -----------------------------------------------------------------

// TASK-012
static void a_task_takes_the_resource_of_another_unless_it_is_told_not_to(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    kn_task_def *def = plan_slash(&s, 1);
    def->resource = tag_of(f, "Slot.Body");
    kn_activation_id first = run(f, s.type);
    step3(f, KN_MS(100));
    kn_task_def other = kn_task_def_default(KN_TASK_DELAY);
    other.resource = def->resource;
    other.delay = KN_MS(300);
    other.label = 2;
    other.conflict = KN_TASK_CONFLICT_REFUSE;
    kn_task_id task;
    assert_int_equal(kn_task_run(f->world, first, &other, &task), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(task.index1, 0);
    other.conflict = KN_TASK_CONFLICT_ALLOW;
    assert_int_equal(kn_task_run(f->world, first, &other, &task), KN_OK);
    // Another entity has a body of its own, and the legs are another resource.
    uint32_t planned = the_plan.count;
    the_plan.count = 0;
    kn_activation_id foes = activate(f, grant_to(f, f->foe, s.type));
    the_plan.count = planned;
    kn_task_def theirs = other;
    theirs.label = 7;
    theirs.conflict = KN_TASK_CONFLICT_REFUSE;
    assert_int_equal(kn_task_run(f->world, foes, &theirs, &task), KN_OK);
    theirs.resource = tag_of(f, "Slot.Legs");
    assert_int_equal(kn_task_run(f->world, first, &theirs, &task), KN_OK);
    assert_int_equal(kn_task_end(f->world, task), KN_OK);
    EXPECT_LOG(f, "");
    def->label = 3;
    run(f, s.type); // another ability of the same owner
    EXPECT_LOG(f, "1 interrupted @100. 2 interrupted @100. ");
    assert_int_equal(kn_tasks(f->world, foes, NULL, 0), 1);
    assert_int_equal(kn_activation_end(f->world, foes), KN_OK);
    assert_int_equal(kn_task_count(f->world), 1);
    step(f, 0);
    note_animations(f);
    EXPECT_LOG(f, "play 4 at 100 x1 from 0 . stop 1 at 100 x1 from 0 . ");
    step3(f, KN_S(2));
    f->log[0] = 0;
    other.conflict = KN_TASK_CONFLICT_REFUSE;
    assert_int_equal(kn_task_run(f->world, first, &other, &task), KN_OK);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "2 fired @2400. ");
}

// Spawning ------------------------------------------------------------------

static void note_spawned(const kn_ability_call *call, const kn_task_result *result)
{
    kn_entity_id owner = kn_entity_owner(call->world, result->data.entity);
    note(call->user, "%u of the %s. ", (unsigned)kn_entity_user(call->world, result->data.entity),
        kn_entity_id_equal(owner, call->owner) ? "hero" : "?");
}

// TASK-013
static void what_is_spawned_is_there_before_the_start_and_goes_without_one(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    the_plan.then = note_spawned;
    kn_activation_id activation = run(f, type);
    kn_task_def def = kn_task_def_default(KN_TASK_SPAWN);
    def.user = 77;
    kn_task_id tasks[3];
    for (uint32_t i = 0; i < 3; i++) {
        def.label = i;
        assert_int_equal(kn_task_create(f->world, activation, &def, &tasks[i]), KN_OK);
    }
    assert_int_equal(kn_entity_count(f->world), 5);
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_task_start(f->world, tasks[1]), KN_OK);
    EXPECT_LOG(f, "1 fired @1. 77 of the hero. ");
    assert_int_equal(kn_task_end(f->world, tasks[0]), KN_OK);
    assert_int_equal(kn_entity_count(f->world), 4);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_entity_count(f->world), 3);
    step3(f, KN_MS(1));
}

// A client that is where the world of the fixture is, with an activation of its hero.
static kn_world *client_of(fixture *f, uint32_t own_entities)
{
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.is_client = true;
    def.connection = 4;
    def.own_entities = own_entities;
    kn_world *client;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    snapshot_restore(client, snapshot, size);
    free(snapshot);
    return client;
}

// TASK-026
static void a_client_spawns_nothing(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_world *client = client_of(f, 0);
    kn_task_def spawn = kn_task_def_default(KN_TASK_SPAWN);
    assert_int_equal(kn_task_run(client, activation, &spawn, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_entity_count(client), 2);
    kn_world_destroy(client);
}

// PRED-037
static void a_client_with_ids_of_its_own_spawns_with_them(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_world *client = client_of(f, 50);
    kn_task_def spawn = kn_task_def_default(KN_TASK_SPAWN);
    assert_int_equal(kn_task_run(client, activation, &spawn, NULL), KN_OK);
    kn_entity_id last = {0}, made;
    for (kn_entity_id id = kn_entity_next(client, last); id.index1 != 0;
         id = kn_entity_next(client, id)) {
        last = id;
    }
    assert_int_equal(last.index1, 50);
    assert_true(kn_entity_is_own(client, last));
    assert_false(kn_entity_is_own(client, f->hero));
    assert_false(kn_entity_is_own(f->world, last));
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = type;
    assert_int_equal(kn_ability_grant(client, f->hero, &grant, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_grant(client, last, &grant, NULL), KN_OK);
    assert_int_equal(kn_world_set_own_entities(client, 9), KN_OK);
    assert_int_equal(kn_entity_create(client, &made), KN_OK);
    assert_int_equal(made.index1, 9);
    assert_int_equal(kn_world_set_own_entities(client, 0), KN_OK);
    assert_int_equal(kn_entity_create(client, &made), KN_OK);
    assert_int_equal(made.index1, 3);
    assert_false(kn_entity_is_own(client, last));
    kn_world_destroy(client);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.own_entities = KN_OWN_ENTITIES_MAX + 1;
    assert_int_equal(kn_world_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
}

// Motion --------------------------------------------------------------------

static kn_vec3 position_now(const fixture *f)
{
    kn_motion_source source;
    assert_int_equal(kn_motions(f->world, f->hero, &source, 1), 1);
    kn_motion_input input = {.now = kn_world_now(f->world)};
    kn_motion_sample sample;
    assert_int_equal(
        kn_motion_evaluate(f->library, &source.def, &source.start, &input, &sample), KN_OK);
    return sample.position;
}

// TASK-027, TASK-031, TASK-035
static void a_dash_moves_its_owner_until_it_is_over(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    step(f, KN_MS(100));
    kn_motion_def dash = kn_motion_def_default(KN_MOTION_MOVE_TO);
    dash.duration = KN_MS(500);
    dash.destination = (kn_vec3){110.0f, 0.0f, 0.0f};
    kn_task_def *def = plan_add(KN_TASK_MOTION, 1);
    def->motion = &dash;
    def->motion_start.position = (kn_vec3){10.0f, 0.0f, 0.0f};
    def->motion_start.mode = 6;
    run(f, type);
    assert_int_equal(kn_motions(f->world, f->foe, NULL, 0), 0);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_MOTION), 1);
    step3(f, KN_MS(250));
    assert_int_equal(event_count(f, KN_EVENT_MOTION), 0);
    assert_true(position_now(f).x == 60.0f);
    kn_motion_source source;
    (void)kn_motions(f->world, f->hero, &source, 1);
    assert_int_equal(source.start.mode, 6);
    assert_int_equal(source.start.time, KN_MS(100));
    step3(f, KN_MS(250));
    EXPECT_LOG(f, "1 finished @600. ");
    assert_int_equal(kn_motions(f->world, f->hero, NULL, 0), 0);
    assert_int_equal(event_count(f, KN_EVENT_MOTION), 1);
}

// TASK-031, TASK-034
static void a_force_without_end_ends_with_its_ability(void **state)
{
    fixture *f = *state;
    kn_curve_point points[2] = {{0.0f, 1.0f}, {2.0f, 0.0f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Fading";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id fading;
    assert_int_equal(kn_curve_register(f->library, &curve, &fading, NULL), KN_OK);
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_motion_def wind = kn_motion_def_default(KN_MOTION_FORCE);
    wind.duration = KN_TIME_INFINITE;
    wind.strength = 10.0f;
    wind.strength_curve = fading;
    plan_add(KN_TASK_MOTION, 1)->motion = &wind;
    kn_task_def *second = plan_add(KN_TASK_MOTION, 2);
    second->motion = &wind;
    second->timeout = KN_S(1);
    kn_activation_id activation = run(f, type);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_MOTION), 2);
    kn_motion_source source;
    assert_int_equal(kn_motions(f->world, f->hero, &source, 1), 2);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "2 timed out @1000. ");
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    step(f, 0);
    assert_int_equal(event_count(f, KN_EVENT_MOTION), 1);
    assert_int_equal(kn_motions(f->world, f->hero, NULL, 0), 0);
    kn_motion_input input = {.now = kn_world_now(f->world)}; // what the host kept still works
    kn_motion_sample sample;
    assert_int_equal(
        kn_motion_evaluate(f->library, &source.def, &source.start, &input, &sample), KN_OK);
    assert_true(sample.velocity.x == 5.0f);
}

static uint32_t mode_get(void *user, kn_entity_id entity)
{
    (void)entity;
    return *(const uint32_t *)user;
}

static void mode_restore(void *user, kn_entity_id entity, uint32_t mode)
{
    (void)entity;
    *(uint32_t *)user = mode;
}

// TASK-033, TASK-035
static void the_movement_mode_before_a_motion_comes_back_after_it(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    uint32_t mode = 3;
    kn_movement movement = {.query_mode = mode_get, .restore_mode = mode_restore, .user = &mode};
    kn_motion_def leap = kn_motion_def_default(KN_MOTION_JUMP);
    leap.duration = KN_MS(200);
    leap.distance = 5.0f;
    leap.restores_mode = true;
    plan_add(KN_TASK_MOTION, 1)->motion = &leap;
    run(f, type);
    kn_motion_source source;
    assert_int_equal(kn_motions(f->world, f->hero, &source, 1), 1);
    assert_int_equal(kn_movement_begin(&movement, f->hero, NULL, 0, &source), KN_OK);
    mode = 9; // falling
    step3(f, KN_MS(200));
    EXPECT_LOG(f, "1 finished @200. ");
    assert_int_equal(kn_motions(f->world, f->hero, NULL, 0), 0);
    kn_movement_end(&movement, f->hero, NULL, 0, &source);
    assert_int_equal(mode, 3);
}

// ASC-027
static void what_the_old_body_did_ends_with_a_new_one(void **state)
{
    fixture *f = *state;
    slash s = slash_begin(f);
    plan_slash(&s, 1);
    kn_motion_def dash = kn_motion_def_default(KN_MOTION_MOVE_TO);
    dash.duration = KN_MS(500);
    dash.destination = (kn_vec3){110.0f, 0.0f, 0.0f};
    plan_add(KN_TASK_MOTION, 2)->motion = &dash;
    plan_add(KN_TASK_DELAY, 3)->delay = KN_MS(400); // not the body's
    kn_entity_id bodies[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_create(f->world, &bodies[i]), KN_OK);
    }
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, bodies[0]), KN_OK);
    run(f, s.type);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, bodies[0]), KN_OK); // the same
    assert_int_equal(kn_motions(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, bodies[1]), KN_OK);
    EXPECT_LOG(f, "1 interrupted @100. 2 interrupted @100. ");
    assert_int_equal(kn_motions(f->world, f->hero, NULL, 0), 0);
    step3(f, KN_S(1));
    EXPECT_LOG(f, "3 fired @400. ");
}

static const struct CMUnitTest tests[] = {
    PLANNED(an_animation_tells_its_notifies_blends_out_and_completes),
    PLANNED(an_animation_plays_from_a_section_and_an_offset_at_a_rate),
    PLANNED(an_animation_tells_the_notify_it_starts_at),
    PLANNED(an_animation_that_starts_behind_its_end_completes_at_once),
    PLANNED(the_host_interrupts_and_quiet_animations_tell_nothing_after_the_blend_out),
    PLANNED(an_animation_may_be_ended_by_its_own_notify),
    PLANNED(a_cancelled_ability_stops_its_animation),
    PLANNED(a_task_takes_the_resource_of_another_unless_it_is_told_not_to),
    PLANNED(what_is_spawned_is_there_before_the_start_and_goes_without_one),
    PLANNED(a_client_spawns_nothing),
    PLANNED(a_client_with_ids_of_its_own_spawns_with_them),
    PLANNED(a_dash_moves_its_owner_until_it_is_over),
    PLANNED(a_force_without_end_ends_with_its_ability),
    PLANNED(the_movement_mode_before_a_motion_comes_back_after_it),
    PLANNED(what_the_old_body_did_ends_with_a_new_one),
};

TEST_GROUP(task_animation, tests, NULL, NULL);
