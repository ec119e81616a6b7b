// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Inputs: presses, releases, confirm and cancel.

#include "scenario/ability_replay.h"

enum { INPUT_NONE, CONFIRM, CANCEL, ABILITY_1, ABILITY_2, SPRINT = 8 };

static bool hook_sees_pressed(const kn_ability_call *call)
{
    kn_ability_info info;
    assert_true(kn_ability_get(call->world, call->ability, &info));
    return info.is_pressed;
}

static void note_pressed(const kn_ability_call *call)
{
    assert_true(hook_sees_pressed(call));
    note(call->user, "%s pressed. ", ability_name(call));
}

static void note_released(const kn_ability_call *call)
{
    assert_false(hook_sees_pressed(call));
    note(call->user, "%s released. ", ability_name(call));
}

static kn_ability_def bound_def(fixture *f, const char *name, uint32_t input)
{
    kn_ability_def def = ability_def(f, name);
    def.input_pressed = note_pressed;
    def.input_released = note_released;
    def.input = input;
    return def;
}

static void press(fixture *f, uint32_t input)
{
    assert_int_equal(kn_input_press(f->world, f->hero, input), KN_OK);
}

static void release(fixture *f, uint32_t input)
{
    assert_int_equal(kn_input_release(f->world, f->hero, input), KN_OK);
}

static bool is_pressed(const fixture *f, kn_ability_id ability)
{
    kn_ability_info info;
    assert_true(kn_ability_get(f->world, ability, &info));
    return info.is_pressed;
}

// ABI-024, ABI-028, ABI-030, ABI-031, ABI-034, ABI-044
static void a_press_activates_and_later_presses_are_told(void **state)
{
    fixture *f = *state;
    kn_ability_def def = bound_def(f, "Sprint", SPRINT), none_def = bound_def(f, "Unbound", 0);
    kn_ability_type_id type = ability_register(f, &def), none = ability_register(f, &none_def);
    begin(f);
    kn_ability_id sprint = grant(f, type);
    kn_ability_id unbound = grant(f, none);
    kn_ability_id others = grant_to(f, f->foe, type); // has an input of the same number
    press(f, ABILITY_1);
    EXPECT_LOG(f, "");
    release(f, SPRINT); // never activates
    EXPECT_LOG(f, "");
    press(f, SPRINT);
    EXPECT_LOG(f, "Sprint activates. ");
    assert_true(is_pressed(f, sprint) && !is_pressed(f, unbound) && !is_pressed(f, others));
    assert_int_equal(kn_input_press(f->world, f->foe, SPRINT), KN_OK);
    assert_int_equal(kn_input_release(f->world, f->foe, SPRINT), KN_OK);
    EXPECT_LOG(f, "Sprint activates. Sprint released. "); // the foe's
    assert_true(is_pressed(f, sprint) && !is_pressed(f, others));
    assert_true(kn_ability_is_active(f->world, others));
    assert_int_equal(kn_ability_remove(f->world, others, KN_GRANT_CANCEL), KN_OK);
    f->log[0] = 0;
    check_replay(f, KN_S(1));
    press(f, SPRINT);
    release(f, SPRINT);
    EXPECT_LOG(f, "Sprint pressed. Sprint released. ");
    assert_false(is_pressed(f, sprint));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_ability_cancel(f->world, sprint), KN_OK);
    f->log[0] = 0;
    release(f, SPRINT);
    EXPECT_LOG(f, "");
    press(f, SPRINT);
    assert_int_equal(kn_ability_cancel(f->world, sprint), KN_OK);
    assert_true(is_pressed(f, sprint)); // held on although it is over
    f->log[0] = 0;
    release(f, SPRINT);
    assert_false(is_pressed(f, sprint));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_input_press(f->world, f->hero, INPUT_NONE), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_input_release(f->world, f->hero, INPUT_NONE), KN_ERROR_INVALID_ARGUMENT);
}

static kn_result wait_for_press(const kn_ability_call *call)
{
    note(call->user, "waits. ");
    const kn_task_kind kinds[2] = {KN_TASK_INPUT_PRESSED, KN_TASK_INPUT_RELEASED};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 2 && result == KN_OK; i++) {
        kn_task_def def = kn_task_def_default(kinds[i]);
        def.repeats = true;
        result = kn_task_run(call->world, call->activation, &def, NULL);
    }
    return result;
}

static void press_heard(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, result->kind == KN_TASK_INPUT_PRESSED ? "task. " : "release task. ");
}

// TVA-017, ABI-021, ABI-025, ABI-031, ABI-034
static void a_bound_ability_may_leave_its_input_to_its_tasks(void **state)
{
    fixture *f = *state;
    kn_ability_def def = bound_def(f, "Guard", ABILITY_1);
    def.no_activation_by_input = true;
    def.activate = wait_for_press;
    def.task_done = press_heard;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id guard = grant(f, type);
    press(f, ABILITY_1);
    EXPECT_LOG(f, "");
    assert_true(is_pressed(f, guard));
    activate(f, guard);
    check_replay(f, KN_S(1));
    press(f, ABILITY_1);
    EXPECT_LOG(f, "waits. Guard pressed. task. ");
    release(f, ABILITY_1);
    EXPECT_LOG(f, "Guard released. release task. ");
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_ability_set_input(f->world, guard, 0), KN_OK);
    press(f, ABILITY_1); // no input any more
    release(f, ABILITY_1);
    EXPECT_LOG(f, "");
}

// TVA-019, ABI-024, ABI-033
static void of_abilities_with_one_input_the_tags_choose(void **state)
{
    fixture *f = *state;
    kn_ability_def armed_def = bound_def(f, "Slash", ABILITY_1);
    kn_ability_def bare_def = bound_def(f, "Punch", ABILITY_1);
    kn_ability_def third_def = bound_def(f, "Taunt", ABILITY_1);
    armed_def.activation.required = tags_of(f, "Weapon");
    bare_def.activation.ignored = tags_of(f, "Weapon");
    third_def.activation.required = tags_of(f, "Weapon");
    kn_ability_type_id armed = ability_register(f, &armed_def);
    kn_ability_type_id bare = ability_register(f, &bare_def);
    kn_ability_type_id third = ability_register(f, &third_def);
    begin(f);
    grant(f, armed);
    kn_ability_id punch = grant(f, bare);
    press(f, ABILITY_1);
    EXPECT_LOG(f, "Punch activates. ");
    assert_int_equal(kn_ability_cancel(f->world, punch), KN_OK);
    add_tag(f, f->hero, tag_of(f, "Weapon"));
    grant(f, third);
    f->log[0] = 0;
    press(f, ABILITY_1);
    EXPECT_LOG(f, "Slash activates. Taunt activates. ");
    check_replay(f, KN_S(1));
}

// Confirm and cancel --------------------------------------------------------

static kn_result wait_for_confirm(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_CONFIRM);
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void confirm_heard(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, result->output == KN_TASK_CONFIRMED ? "confirmed. " : "cancelled. ");
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static kn_ability_def target_def(fixture *f)
{
    kn_ability_def def = ability_def(f, "Target");
    def.activate = wait_for_confirm;
    def.task_done = confirm_heard;
    def.ended = NULL;
    return def;
}

// TVA-016, ABI-026, ABI-031, ABI-032
static void confirm_and_cancel_consume_a_press_only_while_somebody_waits(void **state)
{
    fixture *f = *state;
    kn_ability_def target = target_def(f), yes_def = bound_def(f, "Yes", CONFIRM),
                   no_def = bound_def(f, "No", CANCEL);
    kn_ability_type_id target_type = ability_register(f, &target);
    kn_ability_type_id yes_type = ability_register(f, &yes_def);
    kn_ability_type_id no_type = ability_register(f, &no_def);
    begin(f);
    kn_ability_id aiming = grant(f, target_type), yes = grant(f, yes_type);
    grant(f, no_type);
    assert_int_equal(kn_input_bind(f->world, f->hero, CONFIRM, CANCEL), KN_OK);
    // The foe waits too, with the inputs the other way round.
    kn_activation_id others = activate(f, grant_to(f, f->foe, target_type));
    assert_int_equal(kn_input_bind(f->world, f->foe, CANCEL, CONFIRM), KN_OK);
    activate(f, aiming);
    check_replay(f, KN_S(1));
    press(f, CONFIRM);
    EXPECT_LOG(f, "confirmed. ");
    assert_false(is_pressed(f, yes));
    assert_true(kn_activation_is_alive(f->world, others));
    press(f, CONFIRM); // nobody waits
    EXPECT_LOG(f, "Yes activates. ");
    activate(f, aiming);
    press(f, CANCEL);
    EXPECT_LOG(f, "cancelled. ");
    press(f, CANCEL);
    EXPECT_LOG(f, "No activates. ");
    assert_int_equal(kn_input_confirm(f->world, f->hero), KN_REFUSED_NOT_FOUND);
    activate(f, aiming);
    assert_int_equal(kn_input_confirm(f->world, f->hero), KN_OK);
    activate(f, aiming);
    assert_int_equal(kn_input_cancel(f->world, f->hero), KN_OK);
    EXPECT_LOG(f, "confirmed. cancelled. ");
    assert_true(kn_activation_is_alive(f->world, others));
    assert_int_equal(kn_input_press(f->world, f->foe, CONFIRM), KN_OK);
    EXPECT_LOG(f, "cancelled. ");
    assert_false(kn_activation_is_alive(f->world, others));
}

// TVA-018, ABI-029
static void binding_twice_or_early_binds_once(void **state)
{
    fixture *f = *state;
    kn_ability_def target = target_def(f);
    kn_ability_type_id type = ability_register(f, &target);
    begin(f);
    kn_entity_id player = entity_create(f);
    assert_int_equal(kn_input_bind(f->world, player, CONFIRM, CANCEL), KN_OK); // no component yet
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_input_bind(f->world, player, CONFIRM, CANCEL), KN_OK);
    assert_int_equal(kn_world_hash(f->world), hash);
    f->hero = player;
    activate(f, grant(f, type));
    assert_int_equal(kn_input_bind(f->world, player, CONFIRM, CANCEL), KN_OK);
    press(f, CONFIRM);
    EXPECT_LOG(f, "confirmed. ");
    assert_int_equal(kn_input_bind(f->world, player, 0, 0), KN_OK);
    activate(f, grant(f, type));
    press(f, CONFIRM);
    EXPECT_LOG(f, "");
}

// Data ----------------------------------------------------------------------

static kn_result note_object(const kn_ability_call *call, const kn_event_record *event)
{
    assert_true(call->has_event);
    note(call->user, "%s with %u. ", ability_name(call), (uint32_t)event->object);
    return KN_OK;
}

// Makes the world's memory grow before the next ability gets its event.
static kn_result note_and_grow(const kn_ability_call *call, const kn_event_record *event)
{
    kn_result result = note_object(call, event);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(kn_world_library(call->world), "Ballast");
    for (uint32_t i = 0; i < 20; i++) {
        kn_ability_id ability;
        assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    }
    return result;
}

static kn_result press_with_own_event(const kn_ability_call *call)
{
    kn_event_record event;
    assert_true(kn_activation_event(call->world, call->activation, &event));
    assert_int_equal(event.tags.count, 1);
    return kn_input_press_with(call->world, call->owner, ABILITY_2, &event);
}

// ABI-057, ABI-094, GAPA-017, GAPA-025
static void a_press_may_bring_data_along(void **state)
{
    fixture *f = *state;
    kn_ability_def first_def = bound_def(f, "First", ABILITY_2);
    kn_ability_def second_def = bound_def(f, "Second", ABILITY_2);
    kn_ability_def relay_def = bound_def(f, "Relay", ABILITY_1);
    kn_ability_def ballast = kn_ability_def_default();
    ballast.name = "Ballast";
    ballast.state_size = 4000;
    (void)ability_register(f, &ballast);
    first_def.activate_by_event = note_and_grow;
    second_def.activate_by_event = note_object;
    relay_def.activate = press_with_own_event;
    second_def.source.required = tags_of(f, "Friend");
    kn_ability_type_id first = ability_register(f, &first_def);
    kn_ability_type_id second = ability_register(f, &second_def);
    kn_ability_type_id relay = ability_register(f, &relay_def);
    begin(f);
    grant(f, relay);
    grant(f, first);
    grant(f, second);
    kn_event_record event = kn_event_record_default();
    event.object = 31;
    event.tags = event.instigator_tags = tags_of(f, "Friend");
    event.has_instigator_tags = true;
    assert_int_equal(kn_input_press_with(f->world, f->hero, ABILITY_1, &event), KN_OK);
    EXPECT_LOG(f, "First with 31. Second with 31. ");
    check_replay(f, KN_S(1));
}

// Hooks that interfere ------------------------------------------------------

static kn_result replace_itself(const kn_ability_call *call)
{
    fixture *f = call->user;
    note(f, "%s. ", ability_name(call));
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(f->library, "Next");
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(call->world, call->owner, &given, &ability), KN_OK);
    return kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL);
}

// TVA-020, ABI-031, ABI-043
static void a_press_reaches_those_that_were_there_when_it_came(void **state)
{
    fixture *f = *state;
    kn_ability_def once_def = bound_def(f, "Once", ABILITY_1);
    kn_ability_def next_def = bound_def(f, "Next", ABILITY_1);
    once_def.activate = replace_itself;
    kn_ability_type_id once = ability_register(f, &once_def);
    (void)ability_register(f, &next_def);
    begin(f);
    grant(f, once);
    grant(f, once);
    press(f, ABILITY_1);
    EXPECT_LOG(f, "Once. Once: removed. Once. Once: removed. ");
    assert_int_equal(ability_count(f), 2);
    check_replay(f, KN_S(1));
    press(f, ABILITY_1);
    EXPECT_LOG(f, "Next activates. Next activates. ");
}

static void leave_the_world(const kn_ability_call *call)
{
    note(call->user, "leaves. ");
    assert_true(kn_entity_destroy(call->world, call->owner));
}

// A hook that destroys its own entity in the middle of a press.
static void a_press_that_destroys_its_owner_is_the_last(void **state)
{
    fixture *f = *state;
    kn_ability_def def = bound_def(f, "Exit", ABILITY_1);
    def.input_pressed = leave_the_world;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    grant(f, type);
    f->log[0] = 0;
    press(f, ABILITY_1);
    EXPECT_LOG(f, "leaves. Exit: owner gone. ");
    assert_int_equal(kn_input_press(f->world, f->hero, ABILITY_1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_input_release(f->world, f->hero, ABILITY_1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_input_bind(f->world, f->hero, 1, 2), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_input_confirm(f->world, f->hero), KN_REFUSED_STALE_ID);
    step(f, KN_S(1));
}

static const struct CMUnitTest tests[] = {
    TEST(a_press_activates_and_later_presses_are_told),
    TEST(a_bound_ability_may_leave_its_input_to_its_tasks),
    TEST(of_abilities_with_one_input_the_tags_choose),
    TEST(confirm_and_cancel_consume_a_press_only_while_somebody_waits),
    TEST(binding_twice_or_early_binds_once),
    TEST(a_press_may_bring_data_along),
    TEST(a_press_reaches_those_that_were_there_when_it_came),
    TEST(a_press_that_destroys_its_owner_is_the_last),
};

TEST_GROUP(ability_input, tests, NULL, NULL);
