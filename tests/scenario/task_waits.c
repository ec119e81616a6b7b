// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tasks that wait: for time, events, tags, attributes, effects, abilities, inputs, and what the
// host tells.

#include "scenario/task_fixture.h"

// Time ----------------------------------------------------------------------

// TASK-001, TASK-018
static void a_repeat_counts_from_its_start_and_says_which_is_the_last(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    step(f, KN_MS(70));
    kn_task_def *few = plan_add(KN_TASK_REPEAT, 1), *many = plan_add(KN_TASK_REPEAT, 2);
    few->interval = KN_MS(100);
    few->count = 3;
    many->interval = KN_MS(150);
    run(f, type);
    EXPECT_LOG(f, "");
    step3(f, KN_MS(100));
    EXPECT_LOG(f, "1 fired @170 #1. ");
    step3(f, KN_MS(330));
    EXPECT_LOG(f, "2 fired @220 #1. 1 fired @270 #2. 1 fired @370 #3 last. 2 fired @370 #2. ");
    assert_int_equal(kn_task_count(f->world), 1);
}

// TASK-018
static void a_timeout_comes_only_if_nothing_came_before(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    kn_ability_type_id type = planner(f);
    begin(f);
    const kn_time timeouts[3] = {KN_MS(50), KN_MS(100), KN_MS(150)};
    for (uint32_t i = 0; i < 3; i++) {
        kn_task_def *delay = plan_add(KN_TASK_DELAY, i);
        delay->delay = KN_MS(100);
        delay->timeout = timeouts[i];
    }
    kn_task_def *event = plan_add(KN_TASK_EVENT, 4), *repeat = plan_add(KN_TASK_REPEAT, 5);
    event->tag = tag_of(f, "Event.Hit");
    event->timeout = KN_MS(120);
    event->repeats = true;
    repeat->interval = KN_MS(60);
    repeat->timeout = KN_MS(180);
    run(f, type);
    step3(f, KN_MS(50));
    EXPECT_LOG(f, "0 timed out @50. ");
    send(f, f->hero, "Event.Hit", 1);
    EXPECT_LOG(f, "4 fired @50 Event.Hit 1. ");
    step3(f, KN_MS(65));
    EXPECT_LOG(f, "5 fired @60 #1. 1 fired @100. 2 fired @100. ");
    step3(f, KN_S(1));
    EXPECT_LOG(f, "4 timed out @120. 5 fired @120 #2. 5 fired @180 #3. 5 timed out @180. ");
    assert_int_equal(kn_task_count(f->world), 0);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

static void again_at_once(const kn_ability_call *call, const kn_task_result *result)
{
    assert_int_equal(kn_wait_delay(call->world, call->activation, result->label, 0), KN_OK);
}

static void a_loop_of_delays_of_0_ends_in_an_error(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    kn_world_def def = kn_world_def_default();
    def.reaction_limit = 100;
    begin_with(f, def);
    plan_add(KN_TASK_DELAY, 1);
    the_plan.then = again_at_once;
    run(f, type);
    step(f, KN_MS(1));
    assert_int_equal(error_count(f, KN_REFUSED_LIMIT), 1);
    the_plan.then = NULL;
    f->log[0] = 0;
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "");
}

static void wait_for_what_is_there(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_task_run(call->world, call->activation, &the_plan.tasks[0], NULL), KN_OK);
}

static void a_loop_of_waits_for_what_is_there_ends_in_an_error(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Wet");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_TAG_REMOVED, 1)->tag = tag_of(f, "Status.Wet");
    the_plan.then = wait_for_what_is_there;
    run(f, type);
    step(f, KN_MS(1));
    assert_int_equal(error_count(f, KN_REFUSED_LIMIT), 1);
}

// Events --------------------------------------------------------------------

typedef struct seen_payload {
    uint64_t object, object2;
    kn_entity_id instigator, target;
    uint32_t tag_count, data_size;
    char data[8];
    bool has_fire;
} seen_payload;

static seen_payload seen;

static void read_payload(const kn_ability_call *call, const kn_task_result *result)
{
    const kn_event_record *event = result->data.event;
    create_much(call->world, event->tag);
    const fixture *f = call->user;
    seen = (seen_payload){event->object, event->object2, event->instigator, event->target,
        event->tags.count, event->data_size, {0},
        kn_tags_has(f->library, event->tags, kn_tag_find(f->library, "School.Fire"))};
    memcpy(seen.data, event->data, event->data_size < 8 ? event->data_size : 8);
}

// TASK-019
static void an_event_brings_its_payload_through_the_whole_hook(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit.Hard");
    (void)tag_of(f, "School.Fire");
    kn_ability_type_id type = planner(f);
    begin_small(f);
    plan_add(KN_TASK_EVENT, 1)->tag = tag_of(f, "Event.Hit");
    the_plan.then = read_payload;
    run(f, type);
    kn_event_record record = kn_event_record_default();
    record.tags = tags_of(f, "School.Fire");
    record.instigator = f->foe;
    record.target = f->hero;
    record.magnitude = 12.5f;
    record.object = UINT64_C(0x1122334455667788);
    record.object2 = 7;
    char data[2000] = "target";
    record.data = data;
    record.data_size = sizeof(data);
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Event.Hit.Hard"), &record), KN_OK);
    EXPECT_LOG(f, "1 fired @0 Event.Hit.Hard 12.5. ");
    assert_true(seen.object == record.object && seen.object2 == 7 && seen.has_fire);
    assert_true(kn_entity_id_equal(seen.instigator, f->foe));
    assert_true(kn_entity_id_equal(seen.target, f->hero));
    assert_int_equal(seen.tag_count, 1);
    assert_int_equal(seen.data_size, sizeof(data));
    assert_string_equal(seen.data, "target");
    step3(f, KN_MS(1));
}

static void wait_for_the_next(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label < 4) {
        assert_int_equal(
            kn_wait_event(call->world, call->activation, result->label + 1, the_plan.tasks[0].tag),
            KN_OK);
    }
}

// TASK-019, ABI-055: a wait that an event ends may begin the next
static void chained_waits_hear_one_event_each(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    (void)tag_of(f, "Event.Other");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_EVENT, 1)->tag = tag_of(f, "Event.Hit");
    the_plan.then = wait_for_the_next;
    run(f, type);
    send(f, f->hero, "Event.Other", 0);
    send(f, f->foe, "Event.Hit", 0);
    EXPECT_LOG(f, "");
    for (uint32_t i = 1; i <= 5; i++) {
        send(f, f->hero, "Event.Hit", (float)i);
        step3(f, KN_MS(10));
    }
    EXPECT_LOG(f, "1 fired @0 Event.Hit 1. 2 fired @10 Event.Hit 2. 3 fired @20 Event.Hit 3. "
                  "4 fired @30 Event.Hit 4. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// Tags ----------------------------------------------------------------------

// TASK-030
static void tags_tell_when_they_come_and_go_and_at_once_if_it_is_so(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Burn");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_task_def *added = plan_add(KN_TASK_TAG_ADDED, 1),
                *removed = plan_add(KN_TASK_TAG_REMOVED, 2);
    added->tag = tag_of(f, "Status");
    added->repeats = true;
    removed->tag = tag_of(f, "Status.Burn");
    removed->repeats = true;
    plan_add(KN_TASK_TAG_REMOVED, 3)->tag = tag_of(f, "Status");
    run(f, type);
    EXPECT_LOG(f, "2 fired @0 -Status.Burn. 3 fired @0 -Status. ");
    step3(f, KN_MS(10));
    add_tag(f, f->hero, tag_of(f, "Status.Burn"));
    add_tag(f, f->hero, tag_of(f, "Status.Burn"));
    add_tag(f, f->foe, tag_of(f, "Status.Burn"));
    step3(f, KN_MS(10));
    EXPECT_LOG(f, "1 fired @10 +Status. ");
    remove_tag(f, f->hero, tag_of(f, "Status.Burn"));
    EXPECT_LOG(f, "");
    remove_tag(f, f->hero, tag_of(f, "Status.Burn"));
    EXPECT_LOG(f, "2 fired @20 -Status.Burn. ");
    add_tag(f, f->hero, tag_of(f, "Status.Burn"));
    EXPECT_LOG(f, "1 fired @20 +Status. ");
}

// TASK-030, CHG-016, TAG-027
static void a_query_fires_when_it_becomes_true_or_false_even_without_any_tags(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Status.Burn");
    (void)tag_of(f, "Status.Wet");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_tag_query dry;
    assert_int_equal(
        kn_tag_query_parse(f->library, "no_tags(Status.Burn, Status.Wet)", &dry, NULL), KN_OK);
    kn_entity_id bare; // not even a component
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_task_def *query = plan_add(KN_TASK_TAG_QUERY, 1 + i);
        query->query = &dry;
        query->when_false = i == 1;
        query->entity = bare;
        query->repeats = true;
    }
    run(f, type);
    EXPECT_LOG(f, "1 fired @0 true. ");
    step3(f, KN_MS(10));
    add_tag(f, bare, tag_of(f, "Status.Wet"));
    EXPECT_LOG(f, "2 fired @10 false. ");
    add_tag(f, bare, tag_of(f, "Status.Burn"));
    remove_tag(f, bare, tag_of(f, "Status.Wet"));
    step3(f, KN_MS(10));
    EXPECT_LOG(f, "");
    remove_tag(f, bare, tag_of(f, "Status.Burn"));
    EXPECT_LOG(f, "1 fired @20 true. ");
}

// Attributes ----------------------------------------------------------------

// TASK-029
static void an_attribute_tells_every_change_with_both_values(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_task_def *mine = plan_add(KN_TASK_ATTRIBUTE, 1), *his = plan_add(KN_TASK_ATTRIBUTE, 2);
    mine->attribute = f->health;
    his->attribute = f->health;
    his->entity = f->foe;
    his->repeats = true;
    run(f, type);
    set_base(f, f->hero, f->mana, 1);
    set_base(f, f->hero, f->health, 90);
    set_base(f, f->hero, f->health, 80);
    set_base(f, f->foe, f->health, 70);
    step3(f, KN_MS(1));
    set_base(f, f->foe, f->health, 70);
    set_base(f, f->foe, f->health, 60);
    EXPECT_LOG(f, "1 fired @0 Vitals.Health 100>90. 2 fired @0 Vitals.Health 100>70. "
                  "2 fired @1 Vitals.Health 70>60. ");
}

// TASK-029
static void a_threshold_fires_on_crossing_only(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_task_def *low = plan_add(KN_TASK_THRESHOLD, 1), *high = plan_add(KN_TASK_THRESHOLD, 2);
    low->attribute = f->health;
    low->relative_to = f->max_health;
    low->compare = KN_COMPARE_LESS_EQUAL;
    low->value = 0.5f;
    low->repeats = true;
    high->attribute = f->mana;
    high->compare = KN_COMPARE_GREATER;
    high->value = 50;
    run(f, type);
    EXPECT_LOG(f, "2 fired @0 Vitals.Mana 100>100. ");
    set_base(f, f->hero, f->health, 51);
    set_base(f, f->hero, f->health, 50);
    EXPECT_LOG(f, "1 fired @0 Vitals.Health 51>50. ");
    step3(f, KN_MS(5));
    set_base(f, f->hero, f->health, 10);
    EXPECT_LOG(f, "");
    set_base(f, f->hero, f->health, 60);
    step3(f, KN_MS(5));
    set_base(f, f->hero, f->max_health, 120);
    EXPECT_LOG(f, "1 fired @10 Vitals.Health 60>60. ");
    set_base(f, f->hero, f->max_health, 100);
    set_base(f, f->hero, f->max_health, 200);
    EXPECT_LOG(f, "1 fired @10 Vitals.Health 60>60. ");
}

// TASK-029
static void every_comparison_compares(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    for (uint32_t i = 0; i < KN_COMPARE_COUNT; i++) {
        kn_task_def *def = plan_add(KN_TASK_THRESHOLD, i);
        def->attribute = f->stamina;
        def->compare = (kn_compare)i;
        def->value = 50;
    }
    set_base(f, f->hero, f->stamina, 50);
    run(f, type);
    EXPECT_LOG(f, "1 fired @0 Vitals.Stamina 50>50. 2 fired @0 Vitals.Stamina 50>50. "
                  "4 fired @0 Vitals.Stamina 50>50. ");
    set_base(f, f->hero, f->stamina, 49);
    EXPECT_LOG(f, "0 fired @0 Vitals.Stamina 50>49. 3 fired @0 Vitals.Stamina 50>49. ");
    set_base(f, f->hero, f->stamina, 51);
    EXPECT_LOG(f, "5 fired @0 Vitals.Stamina 49>51. ");
}

// Effects -------------------------------------------------------------------

static kn_effect_type_id stacking_effect(fixture *f, const char *name)
{
    kn_effect_def def = timed(name, 2.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(3.0f);
    return effect_register(f, &def);
}

// TASK-029
static void effects_tell_that_they_came_stacked_and_went(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = stacking_effect(f, "Burn"), chill = stacking_effect(f, "Chill");
    kn_ability_type_id type = planner(f);
    begin(f);
    const kn_task_kind kinds[3] = {
        KN_TASK_EFFECT_APPLIED, KN_TASK_EFFECT_STACKS, KN_TASK_EFFECT_REMOVED};
    for (uint32_t i = 0; i < 3; i++) {
        kn_task_def *def = plan_add(kinds[i], 1 + i);
        def->effect_type = burn;
        def->repeats = true;
    }
    plan_add(KN_TASK_EFFECT_APPLIED, 4);
    run(f, type);
    (void)apply_to(f, chill, f->hero);
    EXPECT_LOG(f, "4 fired @0 Chill 0>1. ");
    (void)apply_to(f, burn, f->foe);
    (void)apply_to(f, burn, f->hero);
    (void)apply_to(f, burn, f->hero);
    EXPECT_LOG(f, "1 fired @0 Burn 0>1. 2 fired @0 Burn 1>2. ");
    step3(f, KN_S(3));
    EXPECT_LOG(f, "3 fired @2000 Burn 2>0 expired. ");
}

// TASK-029
static void counts_above_what_a_float_can_hold_are_told_exactly(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Sand");
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id sand = effect_register(f, &def);
    def.name = "Alone";
    def.stacking.kind = KN_STACK_NONE;
    kn_effect_type_id alone = effect_register(f, &def);
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_effect_id his = apply_to(f, sand, f->foe);
    kn_task_def *wait = plan_add(KN_TASK_EFFECT_STACKS, 1);
    wait->effect = his;
    wait->repeats = true;
    plan_add(KN_TASK_EFFECT_APPLIED, 2);
    run(f, type);
    assert_int_equal(kn_effect_set_stacks(f->world, his, 16777217), KN_OK);
    EXPECT_LOG(f, "1 fired @0 Sand 1>16777217. ");
    kn_effect_apply_def many = kn_effect_apply_def_default();
    many.type = alone;
    many.target = f->hero;
    many.stacks = UINT32_MAX;
    assert_int_equal(kn_effect_apply(f->world, &many, NULL), KN_OK);
    EXPECT_LOG(f, "2 fired @0 Alone 0>4294967295. ");
}

// TASK-029
static void an_effect_that_is_gone_is_told_at_once(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = stacking_effect(f, "Burn");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_effect_id gone = apply_to(f, burn, f->foe), his = {0};
    assert_int_equal(kn_effect_remove(f->world, gone, 0, KN_REMOVED_DISPELLED), KN_OK);
    his = apply_to(f, burn, f->foe);
    (void)apply_to(f, burn, f->hero);
    plan_add(KN_TASK_EFFECT_REMOVED, 1)->effect = gone;
    kn_task_def *wait = plan_add(KN_TASK_EFFECT_REMOVED, 2);
    wait->effect = his;
    wait->entity = f->foe;
    run(f, type);
    EXPECT_LOG(f, "1 fired @0  0>0. ");
    step3(f, KN_MS(1));
    assert_int_equal(kn_effect_remove(f->world, his, 0, KN_REMOVED_DISPELLED), KN_OK);
    EXPECT_LOG(f, "2 fired @1 Burn 1>0 dispelled. ");
}

// TASK-029
static void an_effect_is_watched_where_it_is(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = stacking_effect(f, "Burn");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_effect_id his = apply_to(f, burn, f->foe);
    plan_add(KN_TASK_EFFECT_STACKS, 1)->effect = his; // on another entity
    kn_task_def *wrong = plan_add(KN_TASK_EFFECT_REMOVED, 2);
    wrong->effect = his;
    wrong->entity = f->hero; // the wrong one
    plan_add(KN_TASK_EFFECT_REMOVED, 3)->effect = his;
    run(f, type);
    EXPECT_LOG(f, "");
    step3(f, KN_MS(1));
    (void)apply_to(f, burn, f->foe);
    EXPECT_LOG(f, "1 fired @1 Burn 1>2. ");
    (void)apply_to(f, burn, f->hero); // one of the same type, but not this one
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_effect_remove(f->world, his, 0, KN_REMOVED_DISPELLED), KN_OK);
    EXPECT_LOG(f, "2 fired @2 Burn 2>0 dispelled. 3 fired @2 Burn 2>0 dispelled. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// TASK-029
static void the_stacks_of_an_effect_that_ended_are_not_waited_for(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = stacking_effect(f, "Burn");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_effect_id gone = apply_to(f, burn, f->foe);
    assert_int_equal(kn_effect_remove(f->world, gone, 0, KN_REMOVED_DISPELLED), KN_OK);
    kn_effect_id his = apply_to(f, burn, f->foe);
    kn_task_def *wait = plan_add(KN_TASK_EFFECT_STACKS, 1);
    wait->effect = gone;
    wait->repeats = true;
    wait = plan_add(KN_TASK_EFFECT_STACKS, 2);
    wait->effect = his;
    wait->repeats = true;
    run(f, type);
    EXPECT_LOG(f, "1 gone @0. ");
    step3(f, KN_S(3)); // it runs out
    EXPECT_LOG(f, "2 gone @2000. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// Abilities -----------------------------------------------------------------

static kn_result pay(const kn_ability_call *call)
{
    return kn_activation_commit(call->world, call->activation);
}

// TASK-002
static void other_abilities_are_heard_by_their_tags_but_not_the_own(void **state)
{
    fixture *f = *state;
    kn_ability_def melee = ability_def(f, "Melee"), cast = ability_def(f, "Cast");
    melee.tags = tags_of(f, "Ability.Melee");
    melee.activate = pay;
    melee.ended = NULL;
    cast.activate = NULL;
    cast.ended = NULL;
    kn_ability_def def = planner_def(f, "Plan");
    def.tags = tags_of(f, "Ability.Melee.Plan");
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_type_id melee_type = ability_register(f, &melee);
    kn_ability_type_id cast_type = ability_register(f, &cast);
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_task_def *task = plan_add((kn_task_kind)(KN_TASK_ABILITY_ACTIVATED + (int)i), 1 + i);
        task->tags = tags_of(f, "Ability");
        task->repeats = true;
    }
    plan_add(KN_TASK_ABILITY_ENDED, 4)->repeats = true;
    run(f, type);
    kn_activation_id hit = run(f, melee_type), chant = run(f, cast_type);
    EXPECT_LOG(f, "1 fired @0 Melee. 2 fired @0 Melee. ");
    step3(f, KN_MS(1));
    assert_int_equal(kn_activation_cancel(f->world, chant), KN_OK);
    assert_int_equal(kn_activation_end(f->world, hit), KN_OK);
    EXPECT_LOG(f, "4 fired @1 Cast cancelled. 3 fired @1 Melee ended. 4 fired @1 Melee ended. ");
}

// TASK-002
static void an_ability_that_goes_with_its_end_is_heard_by_its_tags(void **state)
{
    fixture *f = *state;
    kn_ability_def once = ability_def(f, "Once");
    once.tags = tags_of(f, "Ability.Once");
    once.instancing = KN_INSTANCING_NONE;
    once.activate = NULL;
    once.ended = NULL;
    kn_ability_type_id once_type = ability_register(f, &once);
    kn_ability_type_id type = planner(f);
    begin(f);
    for (uint32_t i = 0; i < 3; i += 2) {
        kn_task_def *task = plan_add((kn_task_kind)(KN_TASK_ABILITY_ACTIVATED + (int)i), 1 + i);
        task->tags = tags_of(f, "Ability.Once");
    }
    run(f, type);
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = once_type;
    assert_int_equal(kn_ability_grant_once(f->world, f->hero, &given, NULL, NULL), KN_OK);
    EXPECT_LOG(f, "1 fired @0 . 3 fired @0  ended. ");
    step3(f, KN_MS(1));
}

// Inputs --------------------------------------------------------------------

enum { FIRE = 3, CONFIRM = 8, CANCEL = 9 };

static kn_ability_type_id planner_with_input(fixture *f, uint32_t input)
{
    kn_ability_def def = planner_def(f, "Plan");
    def.input = input;
    return ability_register(f, &def);
}

// TASK-021
static void inputs_tell_how_long_they_were_held(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner_with_input(f, FIRE);
    kn_ability_def other_def = ability_def(f, "Other");
    other_def.input = FIRE + 1;
    kn_ability_type_id other = ability_register(f, &other_def);
    begin(f);
    (void)grant(f, type);
    activate(f, grant(f, other));
    (void)grant_to(f, f->foe, type);
    f->log[0] = 0;
    plan_add(KN_TASK_INPUT_RELEASED, 1)->repeats = true;
    plan_add(KN_TASK_INPUT_PRESSED, 2);
    plan_add(KN_TASK_INPUT_PRESSED, 3)->test_now = true;
    plan_add(KN_TASK_INPUT_RELEASED, 4)->test_now = true;
    assert_int_equal(kn_input_press(f->world, f->hero, FIRE), KN_OK);
    EXPECT_LOG(f, "3 fired @0 held 0. ");
    // Inputs of another ability, and of another entity, are not theirs.
    assert_int_equal(kn_input_press(f->world, f->hero, FIRE + 1), KN_OK);
    assert_int_equal(kn_input_release(f->world, f->hero, FIRE + 1), KN_OK);
    assert_int_equal(kn_input_release(f->world, f->foe, FIRE), KN_OK);
    EXPECT_LOG(f, "");
    step3(f, KN_MS(350));
    assert_int_equal(kn_input_release(f->world, f->hero, FIRE), KN_OK);
    EXPECT_LOG(f, "1 fired @350 held 350. 4 fired @350 held 350. ");
    step3(f, KN_MS(50));
    assert_int_equal(kn_input_press(f->world, f->hero, FIRE), KN_OK);
    assert_int_equal(kn_input_release(f->world, f->hero, FIRE), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, FIRE), KN_OK);
    EXPECT_LOG(f, "2 fired @400 held 400. 1 fired @400 held 400. ");
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 2);
    assert_int_equal(kn_activations(f->world, f->foe, NULL, 0), 0);
}

// TASK-021
static void a_release_that_is_past_counts_with_test_now(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner_with_input(f, FIRE);
    begin(f);
    plan_add(KN_TASK_INPUT_RELEASED, 1)->test_now = true;
    plan_add(KN_TASK_INPUT_PRESSED, 2)->test_now = true;
    plan_add(KN_TASK_INPUT_RELEASED, 3);
    run(f, type);
    EXPECT_LOG(f, "1 fired @0 held 0. ");
    step3(f, KN_MS(1));
}

// ABI-026, ABI-031, ABI-032, TASK-021
static void confirm_and_cancel_go_to_who_waits_and_else_to_abilities(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    kn_ability_def shared = ability_def(f, "Shared");
    shared.input = CONFIRM;
    kn_ability_type_id shared_type = ability_register(f, &shared);
    begin(f);
    (void)grant(f, shared_type);
    assert_int_equal(kn_input_bind(f->world, f->hero, CONFIRM, CANCEL), KN_OK);
    plan_add(KN_TASK_CONFIRM, 1);
    plan_add(KN_TASK_CONFIRM, 2)->repeats = true;
    kn_activation_id activation = run(f, type);
    step3(f, KN_MS(1));
    assert_int_equal(kn_input_press(f->world, f->hero, CONFIRM), KN_OK);
    EXPECT_LOG(f, "1 confirmed @1. 2 confirmed @1. ");
    assert_int_equal(kn_input_press(f->world, f->hero, CANCEL), KN_OK);
    assert_int_equal(kn_input_confirm(f->world, f->hero), KN_OK);
    assert_int_equal(kn_input_cancel(f->world, f->hero), KN_OK);
    EXPECT_LOG(f, "2 cancelled @1. 2 confirmed @1. 2 cancelled @1. ");
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_input_confirm(f->world, f->hero), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_input_press(f->world, f->hero, CONFIRM), KN_OK);
    EXPECT_LOG(f, "Shared activates. ");
}

// The host ------------------------------------------------------------------

static void note_entity(const kn_ability_call *call, const kn_task_result *result)
{
    fixture *f = call->user;
    if (result->kind == KN_TASK_OVERLAP) {
        note(f, kn_entity_id_equal(result->data.entity, f->foe) ? "the foe. " : "another. ");
    }
}

// TASK-002
static void the_host_tells_of_touches_and_movement(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_OVERLAP, 1);
    plan_add(KN_TASK_MOVEMENT, 2)->mode = 5;
    plan_add(KN_TASK_MOVEMENT, 3)->repeats = true;
    the_plan.then = note_entity;
    run(f, type);
    step3(f, KN_MS(1));
    assert_int_equal(kn_host_overlap(f->world, f->foe, f->hero), KN_OK);
    assert_int_equal(kn_host_overlap(f->world, f->hero, f->foe), KN_OK);
    assert_int_equal(kn_host_overlap(f->world, f->hero, f->foe), KN_OK);
    EXPECT_LOG(f, "1 fired @1. the foe. ");
    assert_int_equal(kn_host_movement_mode(f->world, f->hero, 4), KN_OK);
    assert_int_equal(kn_host_movement_mode(f->world, f->hero, 5), KN_OK);
    EXPECT_LOG(f, "3 fired @1 mode 4. 2 fired @1 mode 5. 3 fired @1 mode 5. ");
    kn_entity_id nobody = {0};
    assert_int_equal(kn_host_overlap(f->world, nobody, f->foe), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_host_movement_mode(f->world, nobody, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_host_animation_stopped(f->world, nobody), KN_REFUSED_STALE_ID);
}

static void a_meeting_point_with_nobody_to_meet_is_passed_at_once(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_add(KN_TASK_NET_SYNC, 1);
    run(f, type);
    EXPECT_LOG(f, "1 fired @0. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

static void a_server_waits_for_its_client_until_the_timeout(void **state)
{
    fixture *f = *state;
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    kn_task_def def = kn_task_def_default(KN_TASK_NET_SYNC);
    def.timeout = KN_MS(500);
    assert_int_equal(kn_task_run(f->world, activation, &def, NULL), KN_OK);
    step3(f, KN_MS(499));
    EXPECT_LOG(f, "");
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "0 timed out @500. ");
}

// Whom it watches -----------------------------------------------------------

static void plan_watchers(fixture *f, kn_entity_id whom)
{
    kn_task_def *event = plan_add(KN_TASK_EVENT, 1), *tag = plan_add(KN_TASK_TAG_ADDED, 2),
                *health = plan_add(KN_TASK_THRESHOLD, 3),
                *any = plan_add(KN_TASK_EFFECT_APPLIED, 4), *touch = plan_add(KN_TASK_OVERLAP, 5),
                *ability = plan_add(KN_TASK_ABILITY_ENDED, 6);
    event->tag = tag_of(f, "Event.Hit");
    tag->tag = tag_of(f, "Status.Wet");
    tag->repeats = true;
    health->attribute = f->health;
    health->value = -1;
    kn_task_def *all[6] = {event, tag, health, any, touch, ability};
    for (uint32_t i = 0; i < 6; i++) {
        all[i]->entity = whom;
    }
}

// TASK-011
static void whoever_watches_the_destroyed_is_told_and_ends(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    (void)tag_of(f, "Status.Wet");
    kn_ability_type_id type = planner(f);
    begin(f);
    plan_watchers(f, f->foe);
    plan_add(KN_TASK_DELAY, 7)->delay = KN_S(1);
    run(f, type);
    add_tag(f, f->foe, tag_of(f, "Status.Wet"));
    step3(f, KN_MS(1));
    EXPECT_LOG(f, "2 fired @0 +Status.Wet. ");
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT_LOG(f, "1 gone @1. 2 gone @1. 3 gone @1. 4 gone @1. 5 gone @1. 6 gone @1. ");
    assert_int_equal(kn_task_count(f->world), 1);
    step3(f, KN_S(2));
    EXPECT_LOG(f, "7 fired @1000. ");
}

// TASK-011
static void a_task_whose_subject_died_before_the_start_is_told_at_the_start(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_activation_id activation = run(f, type);
    kn_task_def def = kn_task_def_default(KN_TASK_EVENT);
    def.tag = tag_of(f, "Event.Hit");
    def.entity = f->foe;
    kn_task_id task;
    assert_int_equal(kn_task_create(f->world, activation, &def, &task), KN_OK);
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_int_equal(kn_task_start(f->world, task), KN_OK);
    EXPECT_LOG(f, "0 gone @0. ");
    assert_int_equal(kn_task_create(f->world, activation, &def, &task), KN_REFUSED_STALE_ID);
    step3(f, KN_MS(1));
}

// TASK-029
static void the_end_of_an_effect_by_death_comes_before_the_end_of_its_target(void **state)
{
    fixture *f = *state;
    kn_effect_type_id burn = stacking_effect(f, "Burn");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_task_def *removed = plan_add(KN_TASK_EFFECT_REMOVED, 1);
    removed->effect = apply_to(f, burn, f->foe);
    removed->entity = f->foe;
    removed->repeats = true;
    run(f, type);
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT_LOG(f, "1 fired @0 Burn 1>0 target died. 1 gone @0. ");
    step3(f, KN_MS(1));
}

// TASK-011
static void watching_a_body_is_watching_whose_body_it_is(void **state)
{
    fixture *f = *state;
    (void)tag_of(f, "Event.Hit");
    kn_ability_type_id type = planner(f);
    begin(f);
    kn_entity_id bodies[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_create(f->world, &bodies[i]), KN_OK);
    }
    assert_int_equal(kn_entity_set_avatar(f->world, f->foe, bodies[0]), KN_OK);
    kn_task_def *event = plan_add(KN_TASK_EVENT, 1);
    event->tag = tag_of(f, "Event.Hit");
    event->entity = bodies[0];
    run(f, type);
    assert_int_equal(kn_entity_set_avatar(f->world, f->foe, bodies[1]), KN_OK);
    step3(f, KN_MS(1));
    send(f, f->foe, "Event.Hit", 3);
    EXPECT_LOG(f, "1 fired @1 Event.Hit 3. ");
    step3(f, KN_MS(1));
    send(f, f->foe, "Event.Hit", 4);
    EXPECT_LOG(f, "");
}

static const struct CMUnitTest tests[] = {
    PLANNED(a_repeat_counts_from_its_start_and_says_which_is_the_last),
    PLANNED(a_timeout_comes_only_if_nothing_came_before),
    PLANNED(a_loop_of_delays_of_0_ends_in_an_error),
    PLANNED(a_loop_of_waits_for_what_is_there_ends_in_an_error),
    PLANNED(an_event_brings_its_payload_through_the_whole_hook),
    PLANNED(chained_waits_hear_one_event_each),
    PLANNED(tags_tell_when_they_come_and_go_and_at_once_if_it_is_so),
    PLANNED(a_query_fires_when_it_becomes_true_or_false_even_without_any_tags),
    PLANNED(an_attribute_tells_every_change_with_both_values),
    PLANNED(a_threshold_fires_on_crossing_only),
    PLANNED(every_comparison_compares),
    PLANNED(effects_tell_that_they_came_stacked_and_went),
    PLANNED(counts_above_what_a_float_can_hold_are_told_exactly),
    PLANNED(an_effect_that_is_gone_is_told_at_once),
    PLANNED(an_effect_is_watched_where_it_is),
    PLANNED(the_stacks_of_an_effect_that_ended_are_not_waited_for),
    PLANNED(other_abilities_are_heard_by_their_tags_but_not_the_own),
    PLANNED(an_ability_that_goes_with_its_end_is_heard_by_its_tags),
    PLANNED(inputs_tell_how_long_they_were_held),
    PLANNED(a_release_that_is_past_counts_with_test_now),
    PLANNED(confirm_and_cancel_go_to_who_waits_and_else_to_abilities),
    PLANNED(the_host_tells_of_touches_and_movement),
    PLANNED(a_meeting_point_with_nobody_to_meet_is_passed_at_once),
    PLANNED(a_server_waits_for_its_client_until_the_timeout),
    PLANNED(whoever_watches_the_destroyed_is_told_and_ends),
    PLANNED(a_task_whose_subject_died_before_the_start_is_told_at_the_start),
    PLANNED(the_end_of_an_effect_by_death_comes_before_the_end_of_its_target),
    PLANNED(watching_a_body_is_watching_whose_body_it_is),
};

TEST_GROUP(task_waits, tests, NULL, NULL);
