// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks that know why: every family of hooks sees the cause of what is running, and can walk the
// chain back to whoever began it.

#include "scenario/ability_fixture.h"

static fixture *own;

// Notes who is called and the whole chain.
static void why(const char *who, const kn_world *world)
{
    char text[512];
    (void)kn_cause_print(world, kn_world_cause(world), text, sizeof(text));
    note(own, "%s: %s\n", who, text);
}

// Effects, attributes, executions -------------------------------------------

static void why_execution(void *user, kn_execution *execution)
{
    why(user, kn_execution_world(execution));
}

static float why_calculation(void *user, const kn_calculation *calculation)
{
    (void)calculation;
    why(user, own->world);
    return 1.0f;
}

static kn_requirement_answer why_requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)spec;
    (void)existing;
    why(user, world);
    return KN_REQUIREMENT_ALLOW;
}

static void why_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)spec;
    (void)state;
    why("applied", world);
}

static void why_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)spec;
    (void)state;
    why("ticked", world);
}

static void why_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)spec;
    (void)state;
    (void)reason;
    why("removed", world);
}

static void why_attribute(void *user, const kn_attribute_change *change)
{
    (void)change;
    why(user, own->world);
}

static kn_effect_type_id burn_register(fixture *f)
{
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "BurnLogic";
    logic.applied = why_applied;
    logic.ticked = why_ticked;
    logic.removed = why_removed;
    kn_effect_def def = timed("Burn", 1.0f);
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &def.logic, NULL), KN_OK);
    kn_execution_def execution = kn_execution_def_default();
    static char execution_name[] = "execution", requirement_name[] = "requirement";
    execution.name = "BurnHit";
    execution.function = why_execution;
    execution.user = execution_name;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    assert_int_equal(kn_requirement_register(f->library, "BurnMay", why_requirement,
                         requirement_name, &def.requirement, NULL),
        KN_OK);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.executions = &use;
    def.execution_count = 1;
    return effect_register(f, &def);
}

static void effects_and_executions_see_their_application_and_tick(void **state)
{
    fixture *f = own = *state;
    kn_effect_type_id burn = burn_register(f);
    begin(f);
    (void)apply_from_to(f, burn, f->foe, f->hero, 1.0f);
    EXPECT_LOG(f, "requirement: Burn applied by entity 2 on entity 1 <- host\n"
                  "applied: Burn applied by entity 2 on entity 1 <- host\n");
    step_seconds(f, 1.0);
    EXPECT_LOG(f,
        "execution: tick of Burn #3 on entity 1 <- Burn applied by entity 2 on entity 1 <- host\n"
        "ticked: tick of Burn #3 on entity 1 <- Burn applied by entity 2 on entity 1 <- host\n"
        "removed: expiry of Burn #3 on entity 1 <- Burn applied by entity 2 on entity 1 <- host\n");
    assert_int_equal(kn_world_cause(f->world), 0);
    assert_int_equal(kn_world_cause(NULL), 0);
}

static void attribute_hooks_and_calculations_see_the_effect_behind_a_change(void **state)
{
    fixture *f = own = *state;
    static char post_name[] = "post_change", calculation_name[] = "calculation";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_def armor = attribute_def("Armor", 5.0f);
    set.name = "Plate";
    set.attributes = &armor;
    set.attribute_count = 1;
    set.hooks.post_change = why_attribute;
    set.hooks.user = post_name;
    kn_attribute_set_id plate;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &plate, NULL), KN_OK);
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "One";
    calculation.function = why_calculation;
    calculation.user = calculation_name;
    kn_calculation_id number;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &number, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute_of(f, "Plate", "Armor");
    modifier.magnitude = kn_magnitude_calculation(number);
    kn_effect_type_id harden = effect_of(f, "Harden", KN_DURATION_INSTANT, &modifier, 1);
    begin(f);
    add_set(f, f->hero, plate);
    f->log[0] = 0;
    (void)apply_from_to(f, harden, f->foe, f->hero, 1.0f);
    EXPECT_LOG(f, "calculation: Harden applied by entity 2 on entity 1 <- host\n"
                  "post_change: Harden applied by entity 2 on entity 1 <- host\n");
    set_base(f, f->hero, modifier.attribute, 1.0f);
    EXPECT_LOG(f, "post_change: host\n");
}

// Abilities and tasks -------------------------------------------------------

static bool why_can_activate(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    why("can_activate", call->world);
    return true;
}

static void why_pre_activate(const kn_ability_call *call)
{
    why("pre_activate", call->world);
}

static kn_result why_activate(const kn_ability_call *call)
{
    why("activate", call->world);
    kn_task_def watch = kn_task_def_default(KN_TASK_CUSTOM);
    watch.type = kn_task_type_find(own->library, "Watch");
    assert_int_equal(kn_task_run(call->world, call->activation, &watch, NULL), KN_OK);
    return kn_wait_delay(call->world, call->activation, 1, kn_time_from_seconds(2.0));
}

static void why_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == 1) {
        why("task_done", call->world);
        assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
    }
}

static void why_ended(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    why("ended", call->world);
}

static void why_pressed(const kn_ability_call *call)
{
    why("input_pressed", call->world);
}

static void task_start(const kn_task_call *call)
{
    why("task start", call->world);
    kn_tag hit = kn_tag_find(own->library, "Event.Hit");
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_EVENT, hit.index1), KN_OK);
    assert_int_equal(kn_task_wait(call->world, call->task, kn_time_from_seconds(1.0)), KN_OK);
}

static void task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    assert_int_equal(reaction->cause, kn_world_cause(call->world));
    why("task woken", call->world);
}

static kn_time task_timer(const kn_task_call *call)
{
    why("task timer", call->world);
    return 0;
}

static void task_ended(const kn_task_call *call)
{
    why("task ended", call->world);
}

static void why_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    assert_int_equal(reaction->cause, kn_world_cause(world));
    why("rule", world);
}

static void abilities_tasks_and_rules_see_what_they_belong_to(void **state)
{
    fixture *f = own = *state;
    kn_task_type_def watch = kn_task_type_def_default();
    watch.name = "Watch";
    watch.start = task_start;
    watch.woken = task_woken;
    watch.timer = task_timer;
    watch.ended = task_ended;
    kn_task_type_id type;
    assert_int_equal(kn_task_type_register(f->library, &watch, &type, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Hit";
    rule.tag = tag_of(f, "Event.Hit");
    rule.function = why_rule;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_def def = ability_def(f, "Cast");
    def.can_activate = why_can_activate;
    def.pre_activate = why_pre_activate;
    def.activate = why_activate;
    def.task_done = why_task_done;
    def.input_pressed = why_pressed;
    def.ended = why_ended;
    def.input = 7;
    kn_ability_type_id cast = ability_register(f, &def);
    begin(f);
    (void)activate(f, grant(f, cast));
    EXPECT_LOG(f, "can_activate: host\n"
                  "pre_activate: Cast on entity 1 <- host\n"
                  "activate: Cast on entity 1 <- host\n"
                  "task start: Cast on entity 1 <- host\n");
    assert_int_equal(kn_event_send(f->world, f->hero, rule.tag, NULL), KN_OK);
    EXPECT_LOG(f, "rule: rule about Event.Hit on entity 1 <- event Event.Hit on entity 1 <- host\n"
                  "task woken: task of Cast on entity 1 <- event Event.Hit on entity 1 <- host\n");
    assert_int_equal(kn_input_press(f->world, f->hero, 7), KN_OK);
    EXPECT_LOG(f, "input_pressed: host\n");
    step_seconds(f, 1.0);
    EXPECT_LOG(f, "task timer: task of Cast on entity 1 <- host\n");
    step_seconds(f, 1.0);
    EXPECT_LOG(f, "task_done: task of Cast on entity 1 <- host\n"
                  "task ended: end of Cast on entity 1 <- task of Cast on entity 1 <- host\n"
                  "ended: end of Cast on entity 1 <- task of Cast on entity 1 <- host\n");
}

static kn_time why_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    why("timer", world);
    kn_event_record record = kn_event_record_default();
    record.kind = kn_event_kind_find(own->library, "Strike");
    record.target = entity;
    record.instigator = own->foe;
    assert_int_equal(kn_event_run(world, &record, NULL), KN_OK);
    return 0;
}

static void why_apply(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)user;
    (void)record;
    (void)magnitude;
    why("apply", world);
}

static void why_listener(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    (void)event;
    why("listener", world);
}

static void timers_records_and_listeners_see_their_place(void **state)
{
    fixture *f = own = *state;
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Strike";
    kind.tag = tag_of(f, "Event.Strike");
    kind.apply = why_apply;
    kn_event_kind_id strike;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &strike, NULL), KN_OK);
    kn_timer_type_id later;
    assert_int_equal(
        kn_timer_type_register(f->library, "Later", why_timer, NULL, &later, NULL), KN_OK);
    begin(f);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_RECORD;
    listener.function = why_listener;
    assert_int_equal(kn_listener_add(f->world, &listener, NULL), KN_OK);
    assert_int_equal(
        kn_timer_start(f->world, later, f->hero, kn_time_from_seconds(1.0), NULL, NULL), KN_OK);
    step_seconds(f, 1.0);
    EXPECT_LOG(f, "timer: timer on entity 1 <- host\n"
                  "apply: event Event.Strike on entity 1 <- timer on entity 1 <- host\n"
                  "listener: host\n");
}

// Walking the chain ---------------------------------------------------------

static kn_effect_type_id mark;
static uint32_t links;

static kn_result foe_mark(const kn_ability_call *call)
{
    return kn_activation_apply(call->world, call->activation, mark, own->foe, NULL);
}

static void walk_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)reaction;
    const kn_cause_kind kinds[] = {KN_CAUSE_RULE, KN_CAUSE_APPLY, KN_CAUSE_ABILITY};
    kn_cause cause = kn_world_cause(world);
    kn_cause_info info;
    for (links = 0; kn_cause_get(world, cause, &info); links++) {
        assert_in_range(links, 0, 2);
        assert_int_equal(info.kind, kinds[links]);
        if (info.kind == KN_CAUSE_APPLY) {
            assert_true(kn_entity_id_equal(info.source, own->hero));
            assert_true(kn_entity_id_equal(info.entity, own->foe));
            assert_int_equal(info.type.index1, mark.index1);
        }
        if (info.kind == KN_CAUSE_ABILITY) {
            assert_true(kn_entity_id_equal(info.entity, own->hero));
            assert_string_equal(kn_ability_type_name(own->library, info.ability), "MarkFoe");
        }
        cause = info.parent;
    }
    assert_int_equal(cause, 0);
}

static void a_rule_finds_the_ability_behind_what_it_reacts_to(void **state)
{
    fixture *f = own = *state;
    kn_effect_def def = infinite("Mark");
    mark = effect_register(f, &def);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Marked";
    rule.trigger = KN_TRIGGER_EFFECT_APPLIED;
    rule.function = walk_rule;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_def ability = ability_def(f, "MarkFoe");
    ability.activate = foe_mark;
    kn_ability_type_id type = ability_register(f, &ability);
    begin(f);
    (void)activate(f, grant(f, type));
    assert_int_equal(links, 3);
}

static const struct CMUnitTest tests[] = {
    TEST(effects_and_executions_see_their_application_and_tick),
    TEST(attribute_hooks_and_calculations_see_the_effect_behind_a_change),
    TEST(abilities_tasks_and_rules_see_what_they_belong_to),
    TEST(timers_records_and_listeners_see_their_place),
    TEST(a_rule_finds_the_ability_behind_what_it_reacts_to),
};

TEST_GROUP(hook_causes, tests, NULL, NULL);
