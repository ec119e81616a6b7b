// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Input of capabilities: controllers, bindings, events from what is held, and the state of all
// that. Traces: AT controller attached, BI bind, DE controller detached, and for `input` the
// action, its event and its value.

#include "capability/capability_test.h"

#include <math.h>

typedef struct stage {
    kn_input_action_id move, jump, fire;
    kn_input_context_id foot, menu;
} stage;

static kn_controller player(uint32_t number)
{
    return (kn_controller){.number = number};
}

static kn_input_action_id action(fixture *f, kn_input_action_def def)
{
    kn_input_action_id id;
    kn_error error = {0};
    if (kn_input_action_register(f->library, &def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static kn_input_action_id action_of(fixture *f, const char *name, kn_input_kind kind)
{
    kn_input_action_def def = kn_input_action_def_default();
    def.name = name;
    def.kind = kind;
    return action(f, def);
}

static kn_input_context_id context_of(
    fixture *f, const char *name, int32_t priority, const char *key, kn_input_action_id of)
{
    kn_input_context_id id;
    kn_error error = {0};
    kn_input_mapping mapping = kn_input_mapping_default();
    mapping.key = key;
    mapping.action = of;
    kn_input_context_def def = kn_input_context_def_default();
    def.name = name;
    def.priority = priority;
    def.mappings = &mapping;
    def.mapping_count = 1;
    if (kn_input_context_register(f->library, &def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static stage stage_of(fixture *f)
{
    stage s;
    f->shows_predicates = false;
    s.move = action_of(f, "Move", KN_INPUT_KIND_AXIS2);
    s.jump = action_of(f, "Jump", KN_INPUT_KIND_BUTTON);
    s.fire = action_of(f, "Fire", KN_INPUT_KIND_BUTTON);
    s.foot = context_of(f, "OnFoot", 10, "Space", s.jump);
    s.menu = context_of(f, "Menu", 20, "Space", s.fire);
    return s;
}

// What an input hook of a test answers.
static bool consumes;

static kn_result hook_input(void *user, const kn_hook_call *call)
{
    static const char *const words[] = {"started", "ongoing", "triggered", "canceled", "completed"};
    const script *s = user;
    kn_capability_input_call *c = call->arguments;
    char more[96];
    (void)snprintf(more, sizeof(more), "%s:%s(%g,%g,%g)",
        kn_input_action_get_def(s->f->library, c->action)->name, words[c->on], (double)c->value.x,
        (double)c->value.y, (double)c->value.z);
    trace(s->f, "%s%s%s%s", s->f->log[0] != 0 ? " " : "", s->f->shows_names ? s->name : "",
        s->f->shows_names ? "." : "", more);
    c->consumed = consumes;
    return KN_OK;
}

// Hooks about controllers show the controller and how many contexts are on at that moment.
static void trace_controller(const script *s, const char *letters, const kn_hook_call *call)
{
    const kn_capability_input_call *c = call->arguments;
    char more[32];
    (void)snprintf(more, sizeof(more), "(%u,%u)", c->controller.number,
        kn_capability_contexts(call->world, call->entity, NULL, 0));
    trace_hook(s, letters, more);
}

static kn_result hook_attached(void *user, const kn_hook_call *call)
{
    const kn_capability_input_call *c = call->arguments;
    trace_controller(user, "AT", call);
    assert_true(kn_capability_is_bound(call->world, call->entity, c->number));
    return KN_OK;
}

static kn_result hook_detached(void *user, const kn_hook_call *call)
{
    const kn_capability_input_call *c = call->arguments;
    trace_controller(user, "DE", call);
    assert_false(kn_capability_is_bound(call->world, call->entity, c->number));
    return KN_OK;
}

static kn_result hook_bind(void *user, const kn_hook_call *call)
{
    trace_controller(user, "BI", call);
    return KN_OK;
}

static script *bare(fixture *f, const char *name)
{
    script *s = capability(f, name);
    s->def.tick = (kn_hook){0};
    s->def.input = (kn_hook){hook_input, s};
    return s;
}

// A capability that takes input, all of its hooks traced.
static script *listener(fixture *f, const char *name)
{
    script *s = bare(f, name);
    s->def.controller_attached = (kn_hook){hook_attached, s};
    s->def.controller_detached = (kn_hook){hook_detached, s};
    s->def.bind = (kn_hook){hook_bind, s};
    return s;
}

// Binds a capability to all events of an action.
static const kn_capability_input *all_of(kn_input_action_id of, kn_capability_input *out)
{
    for (uint32_t i = 0; i < KN_INPUT_TRIGGER_COUNT; i++) {
        out[i] = (kn_capability_input){of, (kn_input_trigger)i};
    }
    return out;
}

static kn_result issue(fixture *f, kn_input_action_id of, kn_vec3 value, uint32_t connection)
{
    kn_action_command payload = {of, value};
    kn_command command = {.type = kn_command_find(f->library, "Knack.Action"),
        .connection = connection,
        .entity = f->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    return kn_world_command(f->world, &command, NULL);
}

static void act(fixture *f, kn_input_action_id of, float x, float y)
{
    assert_int_equal(issue(f, of, (kn_vec3){x, y, 0.0f}, 0), KN_OK);
}

// The result of the last command of the last step.
static kn_result answer(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    kn_result result = KN_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_COMMAND) {
            result = events.data[i].data.command.result;
        }
    }
    return result;
}

static void attach(fixture *f, uint32_t number)
{
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, player(number)), KN_OK);
}

// One listener of all events of one action, controlled by player 7.
static script *one_listener(fixture *f, kn_input_action_id of)
{
    kn_capability_input inputs[KN_INPUT_TRIGGER_COUNT];
    script *a = bare(f, "A");
    a->def.inputs = all_of(of, inputs);
    a->def.input_count = KN_INPUT_TRIGGER_COUNT;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    attach(f, 7);
    hush(f);
    return a;
}

// Controllers ---------------------------------------------------------------------

// CAPV-060, CAP-015, CAP-180, CAP-181, CAP-182, CAP-184, CAP-185, CAP-186
static void control_and_set_up_come_in_either_order(void **state)
{
    for (int is_first = 0; is_first <= 1; is_first++) {
        fixture *f = fixture_create();
        stage s = stage_of(f);
        script *a = listener(f, "A");
        a->def.contexts = &s.foot;
        a->def.context_count = 1;
        kn_capability_set_id set = begin_set(f, "A");
        if (is_first != 0) {
            attach(f, 7);
            EXPECT(f, "");
            add(f, set);
            EXPECT(f, "SL SU ON AT(7,0) BI(7,0)");
        } else {
            add(f, set);
            EXPECT(f, "SL SU ON");
            attach(f, 7);
            EXPECT(f, "AT(7,0) BI(7,0)");
        }
        kn_input_context_id on[2];
        assert_int_equal(kn_capability_contexts(f->world, f->hero, on, 2), 1);
        assert_int_equal(on[0].index1, s.foot.index1);
        attach(f, 7); // again: nothing
        EXPECT(f, "");
        attach(f, 8);
        EXPECT(f, "DE(7,0) AT(8,0) BI(8,0)");
        kn_controller controller;
        assert_true(kn_capability_get_controller(f->world, f->hero, &controller));
        assert_int_equal(controller.number, 8);
        fixture_destroy(f);
    }
    (void)state;
}

// CAPV-062, CAP-185, CAP-186
static void without_a_controller_it_stays_active(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    script *a = listener(f, "A");
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_TRIGGERED};
    a->def.inputs = &input;
    a->def.input_count = 1;
    a->def.contexts = &s.foot;
    a->def.context_count = 1;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    attach(f, 7);
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "SL SU ON AT(7,0) BI(7,0) Jump:triggered(1,0,0)");
    assert_int_equal(kn_capability_remove_controller(f->world, f->hero), KN_OK);
    EXPECT(f, "DE(7,0)");
    assert_true(is_active(f, a));
    assert_int_equal(kn_capability_contexts(f->world, f->hero, NULL, 0), 0);
    assert_false(kn_capability_get_controller(f->world, f->hero, NULL));
    assert_int_equal(kn_capability_remove_controller(f->world, f->hero), KN_OK);
    frame(f, 100);
    EXPECT(f, ""); // what was held is forgotten, and nothing is heard of twice
    attach(f, 7);
    frame(f, 100);
    EXPECT(f, "AT(7,0) BI(7,0)");
}

// CAP-187, CAP-128, CAP-122
static void attaching_goes_down_and_detaching_up(void **state)
{
    fixture *f = *state;
    (void)stage_of(f);
    f->shows_names = true;
    for (const char *name = "ABC"; *name != 0; name++) {
        const char one[] = {*name, 0};
        script *s = listener(f, one);
        s->def.side = *name == 'B' ? KN_SIDE_AUTHORITY : KN_SIDE_ALWAYS;
        capability_done(s);
    }
    kn_capability_set_id set = set_of(f, "S", "ABC");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, player(7)),
        KN_REFUSED_BLOCKED); // up to the server
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC),
        KN_OK);
    add(f, set);
    hush(f);
    attach(f, 7);
    EXPECT(f, "AT_A(7,0) BI_A(7,0) AT_C(7,0) BI_C(7,0)"); // B may not run here
    attach(f, 8);
    EXPECT(f, "DE_C(7,0) DE_A(7,0) AT_A(8,0) BI_A(8,0) AT_C(8,0) BI_C(8,0)");
    take(f, set);
    EXPECT(f, "OFF_C DE_C(8,0) EC_C EL_C EL_B OFF_A DE_A(8,0) EC_A EL_A");
}

// A change of control with its connection: CAP-137, CAP-184
static void a_side_that_is_lost_takes_bindings_along(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    script *a = listener(f, "A");
    a->def.side = KN_SIDE_LOCAL;
    a->def.contexts = &s.foot;
    a->def.context_count = 1;
    capability_done(a);
    kn_capability_set_id set = set_of(f, "S", "A");
    kn_world_def def = kn_world_def_default();
    def.connection = 3;
    begin_with(f, def);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 3), KN_OK);
    add(f, set);
    attach(f, 3);
    EXPECT(f, "SL SU ON AT(3,0) BI(3,0)");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    EXPECT(f, "OFF DE(3,0) EC");
    attach(f, 4);
    EXPECT(f, "");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 3), KN_OK);
    EXPECT(f, "SU ON AT(4,0) BI(4,0)");
    attach(f, 3);
    EXPECT(f, "DE(4,0) AT(3,0) BI(3,0)");
}

static void control_ends_with_the_controller(void **state)
{
    fixture *f = *state;
    (void)stage_of(f);
    (void)listener(f, "A");
    (void)begin_added(f, "A");
    const kn_controller by = {.entity = f->ally, .number = 2};
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, by), KN_OK);
    EXPECT(f, "AT(2,0) BI(2,0)");
    const kn_controller other = {.entity = f->gadget, .number = 2};
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, other), KN_OK);
    EXPECT(f, "DE(2,0) AT(2,0) BI(2,0)");
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, by), KN_OK);
    hush(f);
    assert_true(kn_entity_destroy(f->world, f->foe)); // somebody else
    EXPECT(f, "");
    assert_true(kn_entity_destroy(f->world, f->ally));
    EXPECT(f, "DE(2,0)");
    assert_false(kn_capability_get_controller(f->world, f->hero, NULL));
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, by), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_capability_set_controller(f->world, f->hero, (kn_controller){.number = 0}),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_capability_set_controller(f->world, f->foe, player(1)), KN_REFUSED_STALE_ID);
}

// Uses ------------------------------------------------------------------------------

// CAPV-061, CAP-183
static void contexts_are_switched_and_bindings_stay(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    script *a = bare(f, "A"), *b = bare(f, "B");
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_STARTED};
    const kn_input_context_id map = context_of(f, "Map", 20, "M", s.fire);
    const kn_input_context_id all[] = {s.foot, s.menu, map};
    a->def.inputs = &input;
    a->def.input_count = 1;
    a->def.contexts = all;
    a->def.context_count = 3;
    b->def.contexts = &s.foot;
    b->def.context_count = 1;
    kn_capability_set_id set = begin_set(f, "AB");
    add(f, set);
    assert_int_equal(
        kn_capability_use_input(f->world, f->hero, number_of(f, a)), KN_REFUSED_BLOCKED);
    attach(f, 7);
    kn_input_context_id on[4] = {{0}};
    assert_int_equal(kn_capability_contexts(f->world, f->hero, on, 4), 3);
    assert_int_equal(on[0].index1, s.menu.index1); // the higher priority
    assert_int_equal(on[1].index1, map.index1);    // the same one, but bound later
    assert_int_equal(on[2].index1, s.foot.index1); // once, though both use it
    assert_int_equal(kn_capability_contexts(f->world, f->hero, on, 1), 3);
    assert_int_equal(on[0].index1, s.menu.index1);
    const uint32_t number = number_of(f, a);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kn_capability_stop_input(f->world, f->hero, number), KN_OK);
        assert_int_equal(kn_capability_contexts(f->world, f->hero, on, 4), 1);
        assert_int_equal(on[0].index1, s.foot.index1); // B's
    }
    hush(f);
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Jump:started(1,0,0)");
    assert_int_equal(kn_capability_use_input(f->world, f->hero, number), KN_OK);
    assert_int_equal(kn_capability_contexts(f->world, f->hero, on, 4), 3);
    assert_int_equal(kn_capability_use_input(f->world, f->hero, 99), KN_REFUSED_NOT_FOUND);
}

static kn_input_action_id bound_later;
static kn_input_context_id context_later;

static kn_result hook_bind_more(void *user, const kn_hook_call *call)
{
    const script *s = user;
    const kn_capability_input_call *c = call->arguments;
    kn_world *world = call->writable;
    trace_hook(s, "BI", "");
    const kn_input_action_id unknown = kn_input_action_find(s->f->library, "Jmup");
    const kn_input_context_id nowhere = kn_input_context_find(s->f->library, "Nowhere");
    assert_int_equal(unknown.index1, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kn_capability_bind_action(
                             world, call->entity, c->number, unknown, KN_INPUT_TRIGGER_TRIGGERED),
            KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_capability_bind_context(world, call->entity, c->number, nowhere),
            KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_capability_bind_action(
                             world, call->entity, c->number, bound_later, KN_INPUT_TRIGGER_STARTED),
            KN_OK); // twice is once
        assert_int_equal(
            kn_capability_bind_context(world, call->entity, c->number, context_later), KN_OK);
    }
    assert_int_equal(kn_capability_bind_action(
                         world, call->entity, c->number, bound_later, KN_INPUT_TRIGGER_COUNT),
        KN_ERROR_INVALID_ARGUMENT);
    return KN_OK;
}

static uint32_t warnings;

static void count_warning(void *user, const kn_log_entry *entry)
{
    (void)user;
    if (strstr(entry->message, "there is no input") != NULL) {
        assert_int_equal(entry->level, KN_LOG_WARNING);
        warnings++;
    }
}

// CAPV-066, CAP-182, CAP-193, CAP-203
static void names_that_do_not_exist_cost_nothing_else(void **state)
{
    fixture *f = *state;
    kn_library_destroy(f->library);
    kn_library_def def = kn_library_def_default();
    def.hooks.log_fn = count_warning;
    warnings = 0;
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    assert_int_equal(kn_capability_register(f->library, NULL), KN_OK);
    stage s = stage_of(f);
    bound_later = s.fire;
    context_later = s.foot;
    script *a = bare(f, "A");
    const kn_capability_input inputs[] = {
        {kn_input_action_find(f->library, "Jump"), KN_INPUT_TRIGGER_STARTED},
        {kn_input_action_find(f->library, "Jmup"), KN_INPUT_TRIGGER_STARTED},
    };
    const kn_input_context_id contexts[] = {{0}, s.menu};
    assert_int_equal(inputs[0].action.index1, s.jump.index1);
    assert_int_equal(inputs[1].action.index1, 0);
    a->def.inputs = inputs;
    a->def.input_count = 2;
    a->def.contexts = contexts;
    a->def.context_count = 2;
    a->def.bind = (kn_hook){hook_bind_more, a};
    kn_capability_set_id set = begin_set(f, "A");
    assert_int_equal(kn_library_warning_count(f->library), 2); // what was passed over
    add(f, set);
    hush(f);
    attach(f, 7);
    attach(f, 8);
    EXPECT(f, "BI BI");
    assert_int_equal(warnings, 2); // one for each name
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(problems(f, KN_CAPABILITY_FAULT_BINDING, a), 8);
    assert_int_equal(kn_capability_contexts(f->world, f->hero, NULL, 0), 2);
    act(f, s.jump, 1.0f, 0.0f);
    act(f, s.fire, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Jump:started(1,0,0) Fire:started(1,0,0)");
}

// Events ------------------------------------------------------------------------------

// CAP-190, CAP-192
static void a_button_starts_is_triggered_and_ends(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    (void)one_listener(f, s.jump);
    frame(f, 100);
    EXPECT(f, "");
    act(f, s.jump, 0.4f, 3.0f); // whatever is not 0 is 1
    frame(f, 100);
    EXPECT(f, "Jump:started(1,0,0) Jump:triggered(1,0,0)");
    frame(f, 100);
    EXPECT(f, "Jump:triggered(1,0,0)");
    assert_true(kn_capability_action_value(f->world, f->hero, s.jump).x == 1.0f);
    assert_int_equal(kn_capability_action_since(f->world, f->hero, s.jump), KN_MS(100));
    act(f, s.jump, 0.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Jump:completed(0,0,0)");
    assert_true(kn_capability_action_value(f->world, f->hero, s.jump).x == 0.0f);
    assert_int_equal(kn_capability_action_since(f->world, f->hero, s.jump), KN_TIME_INFINITE);
    frame(f, 100);
    EXPECT(f, "");
}

static void values_have_the_form_of_their_action(void **state)
{
    fixture *f = *state;
    (void)stage_of(f);
    kn_input_action_def def = kn_input_action_def_default();
    def.name = "Walk";
    def.kind = KN_INPUT_KIND_AXIS2;
    def.deadzone = 0.25f;
    def.limit = 2.0f;
    const kn_input_action_id walk = action(f, def);
    const kn_input_action_id lift = action_of(f, "Lift", KN_INPUT_KIND_AXIS);
    const kn_input_action_id steer = action_of(f, "Steer", KN_INPUT_KIND_AXIS3);
    const kn_capability_input inputs[] = {{walk, KN_INPUT_TRIGGER_TRIGGERED},
        {lift, KN_INPUT_TRIGGER_TRIGGERED}, {steer, KN_INPUT_TRIGGER_TRIGGERED}};
    script *a = bare(f, "A");
    a->def.inputs = inputs;
    a->def.input_count = 3;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    attach(f, 7);
    hush(f);
    const kn_vec3 value = {-1.0f, 0.5f, 0.25f};
    assert_int_equal(issue(f, walk, value, 0), KN_OK);
    assert_int_equal(issue(f, lift, value, 0), KN_OK);
    assert_int_equal(issue(f, steer, value, 0), KN_OK);
    frame(f, 100);
    EXPECT(f, "Walk:triggered(-1,0.5,0) Lift:triggered(-1,0,0) Steer:triggered(-1,0.5,0.25)");
    assert_int_equal(issue(f, lift, (kn_vec3){0}, 0), KN_OK);
    assert_int_equal(issue(f, steer, (kn_vec3){0}, 0), KN_OK);
    assert_int_equal(issue(f, walk, (kn_vec3){0.0f, -8.0f, 0.0f}, 0), KN_OK);
    frame(f, 100);
    EXPECT(f, "Walk:triggered(0,-2,0)"); // not longer than the limit
    assert_int_equal(issue(f, walk, (kn_vec3){0.15f, 0.2f, 5.0f}, 0), KN_OK);
    frame(f, 100);
    EXPECT(f, ""); // 0.25 long, and no third axis
}

// CAP-190
static void a_press_that_is_to_be_held_is_triggered_or_cancelled(void **state)
{
    fixture *f = *state;
    (void)stage_of(f);
    kn_input_action_def def = kn_input_action_def_default();
    def.name = "Charge";
    def.hold = KN_MS(250);
    def.once = true;
    const kn_input_action_id charge = action(f, def);
    (void)one_listener(f, charge);
    act(f, charge, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Charge:started(1,0,0)");
    frame(f, 100);
    EXPECT(f, "Charge:ongoing(1,0,0)");
    act(f, charge, 0.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Charge:canceled(0,0,0)");
    act(f, charge, 1.0f, 0.0f); // at 300
    frame(f, 100);
    frame(f, 100);
    hush(f);
    frame(f, 100);
    EXPECT(f, "Charge:triggered(1,0,0)"); // at 600, due at 550
    frame(f, 100);
    EXPECT(f, "Charge:ongoing(1,0,0)"); // once
    act(f, charge, 0.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Charge:completed(0,0,0)");
    act(f, charge, 1.0f, 0.0f); // at 800
    frame(f, 200);
    assert_int_equal(kn_world_step(f->world, KN_MS(60)), KN_OK);
    act(f, charge, 0.0f, 0.0f); // at 1060: it was held for 260
    hush(f);
    frame(f, 100);
    EXPECT(f, "Charge:triggered(1,0,0) Charge:completed(0,0,0)");
}

// CAP-190
static void a_held_button_repeats_at_its_own_rate(void **state)
{
    fixture *f = *state;
    (void)stage_of(f);
    kn_input_action_def def = kn_input_action_def_default();
    def.name = "Scroll";
    def.hold = KN_MS(100);
    def.repeat = KN_MS(250);
    const kn_input_action_id scroll = action(f, def);
    (void)one_listener(f, scroll);
    char times[64] = "";
    act(f, scroll, 1.0f, 0.0f);
    for (int ms = 100; ms <= 1000; ms += 100) {
        hush(f);
        frame(f, 100);
        if (strstr(f->log, "triggered") != NULL) {
            (void)snprintf(times + strlen(times), sizeof(times) - strlen(times), "%d ", ms);
        } else {
            assert_non_null(strstr(f->log, "ongoing"));
        }
    }
    assert_string_equal(times, "100 400 600 900 "); // due at 100, 350, 600, 850
    hush(f);
    frame(f, 600); // due at 1100, 1350 and 1600: one of them
    EXPECT(f, "Scroll:triggered(1,0,0)");
    frame(f, 200);
    EXPECT(f, "Scroll:ongoing(1,0,0)");
}

static void a_press_between_two_runs_is_not_lost(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    (void)one_listener(f, s.jump);
    act(f, s.jump, 1.0f, 0.0f);
    act(f, s.jump, 0.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Jump:started(1,0,0) Jump:triggered(1,0,0) Jump:completed(0,0,0)");
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    hush(f);
    act(f, s.jump, 0.0f, 0.0f);
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Jump:completed(0,0,0) Jump:started(1,0,0) Jump:triggered(1,0,0)");
    for (int i = 0; i < 50; i++) { // as many as somebody may send
        act(f, s.jump, 0.0f, 0.0f);
        act(f, s.jump, 1.0f, 0.0f);
    }
    act(f, s.jump, 0.0f, 0.0f);
    frame(f, 100);
    uint32_t started = 0, ended = 0;
    for (const char *at = f->log; (at = strstr(at, ":started")) != NULL; at++) {
        started++;
    }
    for (const char *at = f->log; (at = strstr(at, ":completed")) != NULL; at++) {
        ended++;
    }
    assert_int_equal(started, 8);
    assert_int_equal(ended, 9);
}

static void an_action_that_is_held_meets_those_who_come_later(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    kn_capability_input inputs[KN_INPUT_TRIGGER_COUNT];
    script *a = bare(f, "A");
    a->def.inputs = all_of(s.move, inputs);
    a->def.input_count = KN_INPUT_TRIGGER_COUNT;
    kn_capability_set_id set = begin_set(f, "A");
    attach(f, 7);
    act(f, s.move, 0.0f, 1.0f);
    frame(f, 100);
    add(f, set);
    hush(f);
    frame(f, 100);
    EXPECT(f, "Move:started(0,1,0) Move:triggered(0,1,0)");
    act(f, s.move, 0.0f, 0.0f);
    frame(f, 100);
    take(f, set);
    add(f, set);
    hush(f);
    frame(f, 100);
    EXPECT(f, ""); // a press that is over is nobody's
    act(f, s.move, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "Move:started(1,0,0) Move:triggered(1,0,0)");
    take(f, set);
    act(f, s.move, 0.0f, 0.0f);
    frame(f, 100);
    add(f, set);
    hush(f);
    frame(f, 100);
    EXPECT(f, ""); // nor is the end of one that another one heard of
}

// Who hears ---------------------------------------------------------------------------

// CAPV-065, CAP-189, CAP-110
static void blocked_and_inactive_ones_hear_nothing(void **state)
{
    for (int is_always = 0; is_always <= 1; is_always++) {
        fixture *f = fixture_create();
        stage s = stage_of(f);
        const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_TRIGGERED};
        script *a = bare(f, "A");
        a->def.inputs = &input;
        a->def.input_count = 1;
        a->def.tags = (kn_tags){&f->move, 1};
        a->def.hears_input_always = is_always != 0;
        kn_capability_set_id set = begin_set(f, "A");
        add(f, set);
        attach(f, 7);
        act(f, s.jump, 1.0f, 0.0f);
        frame(f, 100);
        hush(f);
        block_by(f, f->move, 1);
        frame(f, 100);
        EXPECT(f, is_always != 0 ? "Jump:triggered(1,0,0) OFF" : "OFF");
        frame(f, 100);
        EXPECT(f, is_always != 0 ? "Jump:triggered(1,0,0)" : "");
        unblock_by(f, f->move, 1);
        frame(f, 100);
        EXPECT(f, is_always != 0 ? "Jump:triggered(1,0,0) ON" : "ON"); // inactive until then
        frame(f, 100);
        EXPECT(f, "Jump:triggered(1,0,0)");
        assert_int_equal(
            kn_capability_set_enabled(f->world, f->hero, number_of(f, a), false), KN_OK);
        frame(f, 100);
        EXPECT(f, is_always != 0 ? "OFF Jump:triggered(1,0,0)" : "OFF");
        fixture_destroy(f);
    }
    (void)state;
}

// CAP-191
static void the_first_one_may_consume_it(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_STARTED};
    f->shows_names = true;
    for (const char *name = "ABC"; *name != 0; name++) {
        const char one[] = {*name, 0};
        script *c = bare(f, one);
        c->def.inputs = &input;
        c->def.input_count = *name != 'B';
        c->def.contexts = &s.foot;
        c->def.context_count = 1;
        capability_done(c);
    }
    kn_capability_set_id set = set_of(f, "S", "CBA");
    begin(f);
    add(f, set);
    attach(f, 7);
    hush(f);
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "C.Jump:started(1,0,0) A.Jump:started(1,0,0)");
    act(f, s.jump, 0.0f, 0.0f);
    frame(f, 100);
    consumes = true;
    act(f, s.jump, 1.0f, 0.0f);
    frame(f, 100);
    consumes = false;
    EXPECT(f, "C.Jump:started(1,0,0)");
}

// Those of other rates hear in runs of their own: CAP-188
static void sets_hear_at_their_own_rate(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_TRIGGERED};
    f->shows_names = true;
    for (const char *name = "AB"; *name != 0; name++) {
        const char one[] = {*name, 0};
        script *c = bare(f, one);
        c->def.inputs = &input;
        c->def.input_count = 1;
        c->def.can_tick = false;
        c->def.should_activate = (kn_hook){0};
        capability_done(c);
    }
    kn_capability_set_id slow = set_at(f, "Slow", "A", 10), fast = set_at(f, "Fast", "B", 20);
    begin(f);
    add(f, slow);
    add(f, fast);
    attach(f, 7);
    assert_int_equal(kn_world_step(f->world, KN_MS(500)), KN_OK);
    hush(f);
    act(f, s.jump, 1.0f, 0.0f);
    assert_int_equal(kn_world_step(f->world, KN_MS(200)), KN_OK);
    EXPECT(f, "B.Jump:triggered(1,0,0) A.Jump:triggered(1,0,0) B.Jump:triggered(1,0,0) "
              "B.Jump:triggered(1,0,0) A.Jump:triggered(1,0,0) B.Jump:triggered(1,0,0)");
}

// Bad input -----------------------------------------------------------------------------

static void what_makes_no_sense_is_refused_and_nothing_lost(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_TRIGGERED};
    script *a = bare(f, "A");
    a->def.inputs = &input;
    a->def.input_count = 1;
    kn_capability_set_id set = begin_set(f, "A");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 5), KN_OK);
    add(f, set);
    const kn_vec3 on = {1.0f, 0.0f, 0.0f};
    // Nobody controls it.
    assert_int_equal(issue(f, s.jump, on, 5), KN_OK);
    frame(f, 100);
    assert_int_equal(answer(f), KN_REFUSED_BLOCKED);
    attach(f, 5);
    hush(f);
    frame(f, 100);
    EXPECT(f, "");
    // Somebody else's.
    assert_int_equal(issue(f, s.jump, on, 6), KN_OK);
    frame(f, 100);
    assert_int_equal(answer(f), KN_REFUSED_BLOCKED);
    EXPECT(f, "");
    assert_int_equal(issue(f, s.jump, on, 5), KN_OK);
    frame(f, 100);
    EXPECT(f, "Jump:triggered(1,0,0)");
    // An action that is none, and values that are no numbers.
    const uint64_t before = kn_world_hash(f->world);
    assert_int_equal(issue(f, (kn_input_action_id){99}, on, 5), KN_ERROR_BAD_DATA);
    assert_int_equal(issue(f, s.jump, (kn_vec3){NAN, 0.0f, 0.0f}, 5), KN_ERROR_BAD_DATA);
    assert_int_equal(issue(f, s.jump, (kn_vec3){0.0f, INFINITY, 0.0f}, 5), KN_ERROR_BAD_DATA);
    assert_true(kn_world_hash(f->world) == before);
    assert_int_equal(issue(f, (kn_input_action_id){0}, on, 5), KN_OK);
    frame(f, 100);
    assert_int_equal(answer(f), KN_REFUSED_NOT_FOUND);
    EXPECT(f, "Jump:triggered(1,0,0)"); // still held
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_int_equal(issue(f, s.jump, on, 0), KN_OK);
    frame(f, 100);
    assert_int_equal(answer(f), KN_REFUSED_STALE_ID);
}

static kn_result refused(fixture *f, const kn_input_context_def *def, const char *word)
{
    kn_error error = {0};
    kn_input_context_id id;
    kn_result result = kn_input_context_register(f->library, def, &id, &error);
    assert_int_equal(id.index1, 0);
    if (strstr(error.message, word) == NULL) {
        fail_msg("%s", error.message);
    }
    return result;
}

static void bad_definitions_are_refused(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    kn_error error = {0};
    kn_input_action_id id;
    kn_input_action_def action_def = kn_input_action_def_default();
    action_def.name = "Bad";
    action_def.hold = -1;
    assert_int_equal(
        kn_input_action_register(f->library, &action_def, &id, &error), KN_ERROR_BAD_DATA);
    action_def.hold = 0;
    action_def.deadzone = -0.5f;
    assert_int_equal(
        kn_input_action_register(f->library, &action_def, &id, &error), KN_ERROR_BAD_DATA);
    kn_input_mapping mapping = kn_input_mapping_default();
    kn_input_context_def def = kn_input_context_def_default();
    def.name = "Bad";
    def.mappings = &mapping;
    def.mapping_count = 1;
    assert_int_equal(refused(f, &def, "needs an action"), KN_ERROR_BAD_DATA);
    mapping.action = s.jump;
    mapping.axis = KN_INPUT_AXIS_Y;
    assert_int_equal(refused(f, &def, "axis `y`"), KN_ERROR_BAD_DATA);
    mapping.axis = KN_INPUT_AXIS_X;
    mapping.key = "A";
    mapping.number = 3;
    assert_int_equal(refused(f, &def, "not both"), KN_ERROR_BAD_DATA);
    mapping.number = 0;
    mapping.deadzone = 1.0f;
    assert_int_equal(refused(f, &def, "deadzone"), KN_ERROR_BAD_DATA);
    script *a = bare(f, "A");
    const kn_capability_input input = {s.jump, KN_INPUT_TRIGGER_TRIGGERED};
    a->def.inputs = &input;
    a->def.input_count = 1;
    a->def.input = (kn_hook){0};
    assert_int_equal(
        kn_capability_def_register(f->library, &a->def, &a->id, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`input`"));
}

// State ---------------------------------------------------------------------------------

// A world of its own with a capability that counts what it hears, in its state.
typedef struct counts {
    uint32_t started, ongoing, triggered, ended;
} counts;

static kn_result hook_count(void *user, const kn_hook_call *call)
{
    const kn_capability_input_call *c = call->arguments;
    (void)user;
    counts *own = kn_capability_state(call->writable, call->entity, c->number);
    own->started += c->on == KN_INPUT_TRIGGER_STARTED;
    own->ongoing += c->on == KN_INPUT_TRIGGER_ONGOING;
    own->triggered += c->on == KN_INPUT_TRIGGER_TRIGGERED;
    own->ended += c->on == KN_INPUT_TRIGGER_COMPLETED || c->on == KN_INPUT_TRIGGER_CANCELED;
    return KN_OK;
}

static kn_input_action_id counter_create(fixture *f)
{
    static const kn_field fields[] = {
        KN_FIELD(counts, started, KN_FIELD_U32),
        KN_FIELD(counts, ongoing, KN_FIELD_U32),
        KN_FIELD(counts, triggered, KN_FIELD_U32),
        KN_FIELD(counts, ended, KN_FIELD_U32),
    };
    kn_capability_input inputs[KN_INPUT_TRIGGER_COUNT];
    kn_input_action_def def = kn_input_action_def_default();
    def.name = "Charge";
    def.hold = KN_MS(300);
    def.repeat = KN_MS(110);
    const kn_input_action_id charge = action(f, def);
    script *a = capability(f, "A");
    f->shows_predicates = false;
    a->def.tick = a->def.should_activate = (kn_hook){0};
    a->def.can_tick = false;
    a->def.inputs = all_of(charge, inputs);
    a->def.input_count = KN_INPUT_TRIGGER_COUNT;
    a->def.input = (kn_hook){hook_count, NULL};
    a->def.state = fields;
    a->def.state_count = 4;
    capability_done(a);
    kn_capability_set_id set = set_at(f, "S", "A", 60);
    begin(f);
    add(f, set);
    attach(f, 7);
    return charge;
}

static counts counted(const fixture *f)
{
    return *(const counts *)kn_capability_read_state(
        f->world, f->hero, number_of(f, &f->scripts[0]));
}

static void steps(fixture *f, uint32_t count, kn_time step)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kn_world_step(f->world, step), KN_OK);
    }
}

static void a_held_button_goes_on_after_a_save_and_a_snapshot(void **state)
{
    fixture *f = *state;
    const kn_input_action_id charge = counter_create(f);
    act(f, charge, 1.0f, 0.0f);
    steps(f, 20, KN_MS(10)); // in the middle of it
    const counts middle = counted(f);
    assert_int_equal(middle.started, 1);
    assert_int_equal(middle.triggered, 0);
    size_t size = kn_snapshot_size(f->world), saved = 0;
    void *snapshot = malloc(size);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, &size), KN_OK);
    assert_int_equal(kn_save_write(f->world, NULL, 0, &saved), KN_OK);
    void *save = malloc(saved);
    assert_int_equal(kn_save_write(f->world, save, saved, &saved), KN_OK);
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        if (i == 1) {
            assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
        } else if (i == 2) {
            assert_int_equal(kn_save_read(f->world, save, saved, NULL), KN_OK);
        }
        steps(f, 50, KN_MS(10));
        act(f, charge, 0.0f, 0.0f);
        steps(f, 3, KN_MS(10));
        const counts end = counted(f);
        assert_int_equal(end.started, 1);
        assert_int_equal(end.triggered, 4); // at 300, 410, 520, 630
        assert_int_equal(end.ended, 1);
        hashes[i] = kn_world_hash(f->world);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] == hashes[2]);
    free(snapshot);
    free(save);
}

static void the_length_of_steps_does_not_show(void **state)
{
    static const uint32_t rates[] = {30, 60, 144};
    uint64_t hashes[3];
    for (size_t i = 0; i < 3; i++) {
        fixture *f = fixture_create();
        const kn_input_action_id charge = counter_create(f);
        for (uint32_t second = 0; second < 4; second++) {
            act(f, charge, second % 2 == 0 ? 1.0f : 0.0f, 0.0f);
            kn_time begun = KN_S(second);
            for (uint32_t j = 1; j <= rates[i]; j++) {
                const kn_time next = begun + KN_S(1) * j / rates[i];
                assert_int_equal(kn_world_step(f->world, next - kn_world_now(f->world)), KN_OK);
            }
        }
        assert_int_equal(counted(f).started, 2);
        assert_int_equal(counted(f).ended, 2);
        hashes[i] = kn_world_hash(f->world);
        fixture_destroy(f);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] == hashes[2]);
    (void)state;
}

// Control changed from a handler -----------------------------------------------------------

static kn_result hook_leave(void *user, const kn_hook_call *call)
{
    const script *s = user;
    trace_hook(s, "IN", "");
    assert_int_equal(kn_capability_remove_controller(call->writable, call->entity), KN_OK);
    assert_int_equal(kn_capability_set_controller(call->writable, call->entity, player(9)), KN_OK);
    return KN_OK;
}

static void a_handler_may_change_who_controls(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    const kn_capability_input inputs[] = {
        {s.jump, KN_INPUT_TRIGGER_STARTED}, {s.fire, KN_INPUT_TRIGGER_STARTED}};
    script *a = listener(f, "A");
    a->def.inputs = inputs;
    a->def.input_count = 2;
    a->def.input = (kn_hook){hook_leave, a};
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    attach(f, 7);
    hush(f);
    act(f, s.jump, 1.0f, 0.0f);
    act(f, s.fire, 1.0f, 0.0f);
    frame(f, 100);
    EXPECT(f, "IN DE(7,0) AT(9,0) BI(9,0)"); // what was held went with the first one
    frame(f, 100);
    EXPECT(f, "");
}

// Texts -----------------------------------------------------------------------------------

// CAPG-008
static void texts_say_why_no_input_comes(void **state)
{
    fixture *f = *state;
    stage s = stage_of(f);
    script *a = bare(f, "A"), *b = capability(f, "B");
    a->def.contexts = &s.foot;
    a->def.context_count = 1;
    capability_done(a);
    capability_done(b);
    kn_capability_set_id set = set_of(f, "S", "AB");
    kn_world_def def = kn_world_def_default();
    def.connection = 3;
    begin_with(f, def);
    char text[1024];
    add(f, set);
    (void)kn_capability_explain(f->world, f->hero, number_of(f, a), text, sizeof(text));
    assert_non_null(strstr(text, "nobody controls the entity"));
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 3), KN_OK);
    (void)kn_capability_explain(f->world, f->hero, number_of(f, a), text, sizeof(text));
    assert_non_null(strstr(text, "no controller was ever forwarded"));
    (void)kn_capability_explain(f->world, f->hero, number_of(f, b), text, sizeof(text));
    assert_null(strstr(text, "controller")); // it takes no input
    (void)kn_capability_print(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "A: active, no controller was ever forwarded\n"));
    attach(f, 3);
    (void)kn_capability_print(f->world, f->hero, text, sizeof(text));
    assert_null(strstr(text, "controller"));
    assert_int_equal(kn_capability_stop_input(f->world, f->hero, number_of(f, a)), KN_OK);
    (void)kn_capability_explain(f->world, f->hero, number_of(f, a), text, sizeof(text));
    assert_non_null(strstr(text, "contexts are off"));
    assert_int_equal(kn_capability_remove_controller(f->world, f->hero), KN_OK);
    (void)kn_capability_print(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "A: active, without a controller\n"));
}

static const struct CMUnitTest tests[] = {
    TEST(control_and_set_up_come_in_either_order),
    TEST(without_a_controller_it_stays_active),
    TEST(attaching_goes_down_and_detaching_up),
    TEST(a_side_that_is_lost_takes_bindings_along),
    TEST(control_ends_with_the_controller),
    TEST(contexts_are_switched_and_bindings_stay),
    TEST(names_that_do_not_exist_cost_nothing_else),
    TEST(a_button_starts_is_triggered_and_ends),
    TEST(values_have_the_form_of_their_action),
    TEST(a_press_that_is_to_be_held_is_triggered_or_cancelled),
    TEST(a_held_button_repeats_at_its_own_rate),
    TEST(a_press_between_two_runs_is_not_lost),
    TEST(an_action_that_is_held_meets_those_who_come_later),
    TEST(blocked_and_inactive_ones_hear_nothing),
    TEST(the_first_one_may_consume_it),
    TEST(sets_hear_at_their_own_rate),
    TEST(what_makes_no_sense_is_refused_and_nothing_lost),
    TEST(bad_definitions_are_refused),
    TEST(a_held_button_goes_on_after_a_save_and_a_snapshot),
    TEST(the_length_of_steps_does_not_show),
    TEST(a_handler_may_change_who_controls),
    TEST(texts_say_why_no_input_comes),
};

TEST_GROUP(capability_input, tests, NULL, NULL);
