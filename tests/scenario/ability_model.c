// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an ability is: what can be said with one, what its def holds, and what belongs to the def,
// to a grant and to an activation.

#include "scenario/ability_replay.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

// What everybody does with abilities ----------------------------------------

static kn_effect_type_id effect_named(const kn_ability_call *call, const char *name)
{
    return kn_effect_type_find(kn_world_library(call->world), name);
}

static kn_result finish(const kn_ability_call *call)
{
    return kn_activation_end(call->world, call->activation);
}

static void finish_after_task(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(finish(call), KN_OK);
}

// An effect that adds to one attribute.
static kn_effect_def change_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifier)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = modifier;
    def.modifier_count = 1;
    return def;
}

static void change_register(fixture *f, const char *name, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    kn_effect_def def = change_def(name, KN_DURATION_INSTANT, &modifier);
    effect_register(f, &def);
}

static kn_result leap(const kn_ability_call *call)
{
    fixture *f = call->user;
    return kn_entity_add_tag(
        call->world, call->owner, tag_of(f, "State.Airborne"), KN_TAG_ORIGIN_LOOSE, 1);
}

// ABI-002: jump
static void a_jump_is_over_at_once_and_waits_for_the_ground(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump");
    def.instancing = KN_INSTANCING_NONE;
    def.activation.ignored = tags_of(f, "State.Airborne");
    def.activate = leap;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id jump = grant(f, type);
    activate(f, jump);
    assert_false(kn_ability_is_active(f->world, jump));
    assert_int_equal(kn_ability_activate(f->world, jump, NULL, NULL), KN_REFUSED_BLOCKED);
    remove_tag(f, f->hero, tag_of(f, "State.Airborne")); // the host found ground
    activate(f, jump);
}

static kn_result run_faster(const kn_ability_call *call)
{
    kn_effect_id effect;
    kn_result result = kn_activation_apply(
        call->world, call->activation, effect_named(call, "Fast"), call->owner, &effect);
    *(kn_effect_id *)kn_activation_state(call->world, call->activation) = effect;
    return result == KN_OK ? kn_wait_input_release(call->world, call->activation, 0) : result;
}

static void run_slower(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    kn_effect_id effect = *(kn_effect_id *)kn_activation_state(call->world, call->activation);
    assert_int_equal(kn_effect_remove(call->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

// ABI-002: sprint; ABI-034: the release reaches a task
static void a_sprint_lasts_as_long_as_its_input_is_held(void **state)
{
    fixture *f = *state;
    kn_modifier_def faster = kn_modifier_constant(f->haste, KN_OP_MULTIPLY, 1.5f);
    kn_effect_def fast = change_def("Fast", KN_DURATION_INFINITE, &faster);
    effect_register(f, &fast);
    kn_ability_def def = ability_def(f, "Sprint");
    def.input = 8;
    def.state_size = sizeof(kn_effect_id);
    def.activate = run_faster;
    def.task_done = finish_after_task;
    def.ended = run_slower;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    grant(f, type);
    assert_int_equal(kn_input_press(f->world, f->hero, 8), KN_OK);
    assert_true(value_of(f, f->haste) == 1.5f);
    check_replay(f, KN_S(1));
    step(f, KN_S(1));
    assert_true(value_of(f, f->haste) == 1.5f);
    assert_int_equal(kn_input_release(f->world, f->hero, 8), KN_OK);
    assert_true(value_of(f, f->haste) == 1.0f);
}

static kn_result shoot(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_result result =
        kn_activation_apply(call->world, call->activation, effect_named(call, "Hit"), f->foe, NULL);
    return result == KN_OK ? finish(call) : result;
}

// ABI-002: fire a gun
static void a_gun_needs_bullets_and_time_between_shots(void **state)
{
    fixture *f = *state;
    change_register(f, "Hit", f->health, -30.0f);
    kn_cost_def bullet = {.attribute = f->mana, .amount = kn_constant(50.0f)};
    kn_cooldown_def pause = kn_cooldown_seconds(0.1f);
    kn_ability_def def = ability_def(f, "Gun");
    def.costs = &bullet;
    def.cost_count = 1;
    def.cooldowns = &pause;
    def.cooldown_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.activate = shoot;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id gun = grant(f, type);
    activate(f, gun);
    assert_int_equal(kn_ability_activate(f->world, gun, NULL, NULL), KN_REFUSED_COOLDOWN);
    step(f, KN_MS(100));
    activate(f, gun);
    step(f, KN_MS(100));
    assert_int_equal(kn_ability_activate(f->world, gun, NULL, NULL), KN_REFUSED_COST);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 40.0f);
}

// A blow: the victim hears of it before it lands.
static kn_result strike(fixture *f)
{
    kn_event_record blow = kn_event_record_default();
    blow.instigator = f->foe;
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Event.Blow"), &blow), KN_OK);
    kn_effect_type_id hit = kn_effect_type_find(f->library, "Blow");
    return kn_effect_apply_simple(f->world, hit, f->foe, f->hero, 1.0f, NULL);
}

static kn_result raise_shield(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, 0, KN_MS(1));
}

// ABI-002: passively block one attack every X seconds
static void a_passive_blocks_one_attack_every_five_seconds(void **state)
{
    fixture *f = *state;
    kn_modifier_def wound = kn_modifier_constant(f->health, KN_OP_ADD, -10.0f);
    kn_effect_def blow = change_def("Blow", KN_DURATION_INSTANT, &wound);
    blow.application.target.ignored = tags_of(f, "State.Blocking");
    effect_register(f, &blow);
    kn_trigger_def trigger = {.tag = tag_of(f, "Event.Blow"), .source = KN_TRIGGER_SOURCE_EVENT};
    kn_cooldown_def pause = kn_cooldown_seconds(5.0f);
    kn_ability_def def = ability_def(f, "Block");
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.cooldowns = &pause;
    def.cooldown_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.owned_tags = tags_of(f, "State.Blocking");
    def.activate = raise_shield;
    def.task_done = finish_after_task;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    grant(f, type);
    assert_int_equal(strike(f), KN_REFUSED_REQUIREMENT);
    step(f, KN_MS(1));
    assert_int_equal(strike(f), KN_OK);
    assert_true(value_of(f, f->health) == 90.0f);
    check_replay(f, KN_S(5));
    step(f, KN_S(5));
    assert_int_equal(strike(f), KN_REFUSED_REQUIREMENT);
    assert_true(value_of(f, f->health) == 90.0f);
}

static kn_result drink(const kn_ability_call *call)
{
    kn_result result = kn_activation_apply(
        call->world, call->activation, effect_named(call, "Heal"), call->owner, NULL);
    return result == KN_OK ? finish(call) : result;
}

// ABI-002: drink a potion
static void a_potion_is_used_up_and_heals(void **state)
{
    fixture *f = *state;
    change_register(f, "Heal", f->health, 25.0f);
    kn_cost_def potion = {.attribute = f->stamina, .amount = kn_constant(1.0f)};
    kn_ability_def def = ability_def(f, "Drink");
    def.costs = &potion;
    def.cost_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.activate = drink;
    def.ended = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    set_base(f, f->hero, f->stamina, 1.0f);
    set_base(f, f->hero, f->health, 10.0f);
    activate(f, ability);
    assert_true(value_of(f, f->health) == 35.0f);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_COST);
}

static kn_result open_door(const kn_ability_call *call, const kn_event_record *event)
{
    fixture *f = call->user;
    kn_result result = kn_entity_add_tag(
        call->world, event->target, tag_of(f, "State.Open"), KN_TAG_ORIGIN_LOOSE, 1);
    return result == KN_OK ? finish(call) : result;
}

// ABI-002: open a door
static void a_door_that_is_locked_does_not_open(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Open");
    def.target.ignored = tags_of(f, "State.Locked");
    def.activate_by_event = open_door;
    def.ended = NULL;
    tag_of(f, "State.Open");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    kn_entity_id door = f->foe;
    kn_event_record what = kn_event_record_default();
    what.target = door;
    add_tag(f, door, tag_of(f, "State.Locked"));
    assert_int_equal(kn_ability_activate(f->world, ability, &what, NULL), KN_REFUSED_BLOCKED);
    remove_tag(f, door, tag_of(f, "State.Locked"));
    assert_int_equal(kn_ability_activate(f->world, ability, &what, NULL), KN_OK);
    assert_true(kn_entity_has_tag(f->world, door, tag_of(f, "State.Open")));
}

static kn_result chop(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_REPEAT);
    def.interval = KN_S(1);
    def.count = 3;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void chopped(const kn_ability_call *call, const kn_task_result *result)
{
    kn_effect_type_id wood = effect_named(call, "Wood");
    assert_int_equal(
        kn_activation_apply(call->world, call->activation, wood, call->owner, NULL), KN_OK);
    if (result->data.repeat.is_last) {
        assert_int_equal(finish(call), KN_OK);
    }
}

// ABI-002: gather a resource
static void gathering_brings_something_every_second(void **state)
{
    fixture *f = *state;
    change_register(f, "Wood", f->mana, 5.0f);
    kn_ability_def def = ability_def(f, "Chop");
    def.activate = chop;
    def.task_done = chopped;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    step(f, KN_MS(1500));
    assert_true(value_of(f, f->mana) == 105.0f);
    check_replay(f, KN_S(3));
    step(f, KN_S(3));
    assert_true(value_of(f, f->mana) == 115.0f);
    EXPECT_LOG(f, "Chop: ended. ");
}

enum { BUILD_TIME, BUILD_DONE };

static kn_result build(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, BUILD_TIME, KN_S(2));
}

static void built(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == BUILD_TIME) {
        kn_task_def def = kn_task_def_default(KN_TASK_SPAWN);
        def.user = 77;
        def.label = BUILD_DONE;
        assert_int_equal(kn_task_run(call->world, call->activation, &def, NULL), KN_OK);
        return;
    }
    assert_int_equal(kn_entity_user(call->world, result->data.entity), 77);
    assert_int_equal(finish(call), KN_OK);
}

// ABI-002: construct a building
static void a_building_is_paid_first_and_stands_in_the_end(void **state)
{
    fixture *f = *state;
    kn_cost_def wood = {.attribute = f->mana, .amount = kn_constant(60.0f)};
    kn_ability_def def = ability_def(f, "Build");
    def.costs = &wood;
    def.cost_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    def.activate = build;
    def.task_done = built;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    assert_true(value_of(f, f->mana) == 40.0f);
    step(f, KN_MS(1999));
    assert_int_equal(kn_entity_count(f->world), 2);
    check_replay(f, KN_MS(1));
    step(f, KN_MS(1));
    assert_int_equal(kn_entity_count(f->world), 3);
    EXPECT_LOG(f, "Build: ended. ");
}

// ABI-003: what should rather not be an ability may be one: a step of a walk, a purchase.
static void nobody_keeps_a_game_from_walking_and_shopping_by_abilities(void **state)
{
    fixture *f = *state;
    kn_ability_def walk = ability_def(f, "Walk");
    walk.instancing = KN_INSTANCING_NONE;
    walk.input = 20;
    kn_cost_def gold = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_ability_def buy = ability_def(f, "BuySword");
    buy.costs = &gold;
    buy.cost_count = 1;
    buy.commit = KN_COMMIT_AT_USE;
    kn_ability_type_id walk_type = ability_register(f, &walk);
    kn_ability_type_id buy_type = ability_register(f, &buy);
    begin(f);
    assert_int_equal(kn_library_warning_count(f->library), 0);
    grant(f, walk_type);
    kn_ability_id shop = grant(f, buy_type);
    for (uint32_t i = 0; i < 3; i++) { // every frame
        assert_int_equal(kn_input_press(f->world, f->hero, 20), KN_OK);
        assert_int_equal(kn_input_release(f->world, f->hero, 20), KN_OK);
    }
    EXPECT_LOG(f, "Walk activates. Walk: ended. Walk activates. Walk: ended. Walk activates. "
                  "Walk: ended. ");
    activate(f, shop);
    assert_true(value_of(f, f->mana) == 70.0f);
}

// Costs and cooldowns -------------------------------------------------------

static kn_result commit_and_finish(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? finish(call) : result;
}

static kn_ability_def committing(fixture *f, const char *name)
{
    kn_ability_def def = ability_def(f, name);
    def.activate = commit_and_finish;
    def.ended = NULL;
    return def;
}

// ABI-007
static void costs_and_cooldowns_are_effects_and_may_be_left_out(void **state)
{
    fixture *f = *state;
    kn_modifier_def price = kn_modifier_constant(f->mana, KN_OP_ADD, -40.0f);
    kn_effect_def cost = change_def("Price", KN_DURATION_INSTANT, &price);
    kn_effect_def rest = timed("Rest", 3.0f);
    rest.granted_tags = tags_of(f, "Cooldown.Spell");
    kn_ability_def with = committing(f, "With"), without = committing(f, "Without");
    with.cost_effect = effect_register(f, &cost);
    with.cooldown_effect = effect_register(f, &rest);
    kn_ability_type_id with_type = ability_register(f, &with);
    kn_ability_type_id without_type = ability_register(f, &without);
    begin(f);
    kn_ability_id paid = grant(f, with_type), gratis = grant(f, without_type);
    activate(f, gratis);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    assert_true(value_of(f, f->mana) == 100.0f);
    activate(f, paid);
    assert_true(value_of(f, f->mana) == 60.0f);
    kn_effect_query query = kn_effect_query_default();
    query.type = with.cooldown_effect;
    assert_int_equal(kn_effects_find(f->world, f->hero, &query, NULL, 0), 1);
    assert_int_equal(kn_ability_check(f->world, paid, NULL), KN_FAIL_COOLDOWN);
    assert_int_equal(kn_ability_check(f->world, gratis, NULL), 0);
    // It is the effect and nothing else that keeps it from starting.
    assert_int_equal(
        kn_effects_remove(f->world, f->hero, &query, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_int_equal(kn_ability_check(f->world, paid, NULL), 0);
}

// Data and hooks ------------------------------------------------------------

static bool is_not_silenced(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    const fixture *f = call->user;
    return !kn_entity_has_tag(call->world, call->owner, kn_tag_find(f->library, "State.Silenced"));
}

static kn_result cast_by_hook(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    if (result == KN_OK) {
        result = kn_entity_add_tag(
            call->world, call->owner, tag_of(f, "State.Casting"), KN_TAG_ORIGIN_ABILITY, 1);
    }
    return result;
}

static void cast_ends_by_hook(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    fixture *f = call->user;
    assert_int_equal(kn_entity_remove_tag(call->world, call->owner, tag_of(f, "State.Casting"),
                         KN_TAG_ORIGIN_ABILITY, 1),
        KN_OK);
}

static void note_state(fixture *f, kn_ability_id ability)
{
    kn_time remaining = 0, total = 0;
    (void)kn_ability_cooldown(f->world, ability, &remaining, &total);
    note(f, "mana %g, %s, ready in %d ms, %s. ", (double)value_of(f, f->mana),
        kn_entity_has_tag(f->world, f->hero, tag_of(f, "State.Casting")) ? "casting" : "idle",
        (int)(remaining / 1000), kn_ability_check(f->world, ability, NULL) == 0 ? "free" : "not");
}

// Plays the same hand with an ability and notes everything that can be seen of it.
static void play(fixture *f, kn_ability_id ability)
{
    add_tag(f, f->hero, tag_of(f, "State.Silenced"));
    note_state(f, ability);
    remove_tag(f, f->hero, tag_of(f, "State.Silenced"));
    note_state(f, ability);
    kn_activation_id activation = activate(f, ability);
    note_state(f, ability);
    check_replay(f, KN_S(1));
    step(f, KN_S(1));
    note(f, "%u events. ", published(f, KN_EVENT_ABILITY_ENDED, NULL));
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    note_state(f, ability);
    step(f, KN_S(1));
    note_state(f, ability);
}

// ABI-015, SMP-005
static void an_ability_of_data_and_one_of_hooks_behave_the_same(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_cooldown_def rest = kn_cooldown_seconds(2.0f);
    kn_ability_def plain = kn_ability_def_default();
    plain.name = "Data";
    plain.costs = &cost;
    plain.cost_count = 1;
    plain.cooldowns = &rest;
    plain.cooldown_count = 1;
    plain.user = f;
    kn_ability_def hooks = plain;
    plain.commit = KN_COMMIT_AT_USE;
    plain.owned_tags = tags_of(f, "State.Casting");
    plain.activation.ignored = tags_of(f, "State.Silenced");
    hooks.name = "Hooks";
    hooks.can_activate = is_not_silenced;
    hooks.activate = cast_by_hook;
    hooks.ended = cast_ends_by_hook;
    kn_ability_type_id types[2] = {ability_register(f, &plain), ability_register(f, &hooks)};
    begin(f);
    char logs[2][LOG_SIZE];
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_id ability = grant(f, types[i]);
        play(f, ability);
        memcpy(logs[i], f->log, LOG_SIZE);
        f->log[0] = 0;
        assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
        set_base(f, f->hero, f->mana, 100.0f);
    }
    assert_string_equal(logs[0],
        "mana 100, idle, ready in 0 ms, not. mana 100, idle, ready in 0 ms, free. "
        "mana 70, casting, ready in 2000 ms, not. 0 events. "
        "mana 70, idle, ready in 1000 ms, not. mana 70, idle, ready in 0 ms, free. ");
    assert_string_equal(logs[1], logs[0]);
}

// What a def holds ----------------------------------------------------------

// A def with every part in use.
static kn_ability_def full_def(fixture *f, kn_cost_def *cost, kn_cooldown_def *cooldown,
    kn_trigger_def *trigger, kn_effect_type_id cost_effect, kn_effect_type_id cooldown_effect)
{
    *cost = (kn_cost_def){.attribute = f->mana, .amount = kn_constant(1.0f)};
    *cooldown = kn_cooldown_seconds(1.0f);
    *trigger = (kn_trigger_def){.tag = tag_of(f, "Event.Go"), .source = KN_TRIGGER_SOURCE_EVENT};
    kn_ability_def def = ability_def(f, "Full");
    def.tags = tags_of(f, "Ability.Full");
    def.cancel_with = tags_of(f, "Ability.Cancels");
    def.block_with = tags_of(f, "Ability.Blocks");
    def.owned_tags = tags_of(f, "State.Owned");
    def.activation.required = tags_of(f, "Owner.Needs");
    def.activation.ignored = tags_of(f, "Owner.Bars");
    def.source.required = tags_of(f, "Source.Needs");
    def.source.ignored = tags_of(f, "Source.Bars");
    def.target.required = tags_of(f, "Target.Needs");
    def.target.ignored = tags_of(f, "Target.Bars");
    def.cost_effect = cost_effect;
    def.cooldown_effect = cooldown_effect;
    def.costs = cost;
    def.cost_count = 1;
    def.cooldowns = cooldown;
    def.cooldown_count = 1;
    def.triggers = trigger;
    def.trigger_count = 1;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.net_execution = KN_NET_EXECUTION_SERVER_INITIATED;
    def.net_security = KN_NET_SECURITY_SERVER_ONLY_TERMINATION;
    def.respects_remote_cancel = true;
    def.sends_input = true;
    def.no_activation_by_input = true;
    def.activates_on_grant = true;
    def.retriggers = false;
    def.level_up = KN_LEVEL_UP_REGRANT;
    def.input = 5;
    return def;
}

static kn_effect_type_id cost_effect_of(fixture *f)
{
    kn_modifier_def price = kn_modifier_constant(f->stamina, KN_OP_ADD, -10.0f);
    kn_effect_def def = change_def("Price", KN_DURATION_INSTANT, &price);
    return effect_register(f, &def);
}

static kn_effect_type_id cooldown_effect_of(fixture *f)
{
    kn_effect_def def = timed("Rest", 2.0f);
    def.granted_tags = tags_of(f, "Cooldown.Full");
    return effect_register(f, &def);
}

static void same_tag(kn_tags found, kn_tags expected)
{
    assert_int_equal(found.count, 1);
    assert_ptr_not_equal(found.data, expected.data); // copied
    assert_true(kn_tag_equal(found.data[0], expected.data[0]));
}

// ABI-016, ABI-017: identity, the ten tag containers, cost, cooldown, triggers, policies, flags,
// input, hooks: returned as given, and not a view of what the caller filled in.
static void a_type_tells_everything_its_def_said(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_trigger_def trigger;
    kn_ability_def given =
        full_def(f, &cost, &cooldown, &trigger, cost_effect_of(f), cooldown_effect_of(f));
    kn_ability_type_id type = ability_register(f, &given);
    cost.amount = cooldown.duration = kn_constant(99.0f); // too late
    trigger.tag = (kn_tag){0};
    const kn_ability_def *def = kn_ability_type_get_def(f->library, type);
    assert_string_equal(def->name, "Full");
    assert_int_equal(kn_ability_type_find(f->library, "Full").index1, type.index1);
    same_tag(def->tags, given.tags);
    same_tag(def->cancel_with, given.cancel_with);
    same_tag(def->block_with, given.block_with);
    same_tag(def->owned_tags, given.owned_tags);
    same_tag(def->activation.required, given.activation.required);
    same_tag(def->activation.ignored, given.activation.ignored);
    same_tag(def->source.required, given.source.required);
    same_tag(def->source.ignored, given.source.ignored);
    same_tag(def->target.required, given.target.required);
    same_tag(def->target.ignored, given.target.ignored);
    assert_int_equal(def->cost_effect.index1, given.cost_effect.index1);
    assert_int_equal(def->cooldown_effect.index1, given.cooldown_effect.index1);
    assert_true(def->costs[0].amount.value == 1.0f);
    assert_true(kn_tag_equal(def->triggers[0].tag, tag_of(f, "Event.Go")));
    assert_int_equal(def->triggers[0].source, KN_TRIGGER_SOURCE_EVENT);
    assert_int_equal(def->cost_count, 1);
    assert_int_equal(def->cooldown_count, 1);
    assert_true(def->cooldowns[0].duration.value == 1.0f);
    assert_int_equal(def->trigger_count, 1);
    assert_int_equal(def->instancing, KN_INSTANCING_PER_EXECUTION);
    assert_int_equal(def->net_execution, KN_NET_EXECUTION_SERVER_INITIATED);
    assert_int_equal(def->net_security, KN_NET_SECURITY_SERVER_ONLY_TERMINATION);
    assert_true(def->respects_remote_cancel && def->sends_input && def->no_activation_by_input &&
                def->activates_on_grant);
    assert_int_equal(def->level_up, KN_LEVEL_UP_REGRANT);
    assert_int_equal(def->input, 5);
    assert_ptr_equal(def->activate, given.activate);
    assert_ptr_equal(def->ended, given.ended);
    assert_ptr_equal(def->user, f);
    assert_null(kn_ability_type_get_def(f->library, (kn_ability_type_id){type.index1 + 1}));
    begin(f); // and such a def is valid as a whole
}

// ABI-016, ABI-019, ABI-020, ABI-021, ABI-022, ABI-136
static void flags_that_do_harm_are_off_by_default(void **state)
{
    (void)state;
    kn_ability_def def = kn_ability_def_default();
    assert_false(def.respects_remote_cancel);
    assert_false(def.sends_input);
    assert_false(def.no_activation_by_input);
    assert_false(def.activates_on_grant);
    assert_int_equal(def.net_execution, KN_NET_EXECUTION_LOCAL_PREDICTED);
    assert_int_equal(def.net_security, KN_NET_SECURITY_CLIENT_OR_SERVER);
    assert_int_equal(def.input, 0);
}

// What the owner, an event's instigator and its target have, and what that leads to.
typedef struct container_case {
    const char *tag; // that is added, or removed if it is one of the required ones
    char who;        // owner, source, target
    uint32_t reasons;
} container_case;

// ABI-016: each of the containers that decide does decide.
static void every_container_that_asks_is_asked(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_trigger_def trigger;
    kn_ability_def def =
        full_def(f, &cost, &cooldown, &trigger, cost_effect_of(f), cooldown_effect_of(f));
    def.activates_on_grant = false;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_entity_id source = entity_create(f);
    kn_ability_id ability = grant(f, type);
    add_tag(f, f->hero, tag_of(f, "Owner.Needs"));
    add_tag(f, source, tag_of(f, "Source.Needs"));
    add_tag(f, f->foe, tag_of(f, "Target.Needs"));
    kn_event_record event = kn_event_record_default();
    event.instigator = source;
    event.target = f->foe;
    assert_int_equal(kn_ability_check(f->world, ability, &event), 0);
    const container_case cases[] = {
        {"Owner.Needs", 'o', KN_FAIL_MISSING_TAGS},
        {"Owner.Bars", 'o', KN_FAIL_BLOCKED},
        {"Source.Needs", 's', KN_FAIL_MISSING_TAGS},
        {"Source.Bars", 's', KN_FAIL_BLOCKED},
        {"Target.Needs", 't', KN_FAIL_MISSING_TAGS},
        {"Target.Bars", 't', KN_FAIL_BLOCKED},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        const container_case *c = &cases[i];
        kn_entity_id who = c->who == 'o' ? f->hero : c->who == 's' ? source : f->foe;
        bool is_needed = c->reasons == KN_FAIL_MISSING_TAGS;
        (is_needed ? remove_tag : add_tag)(f, who, tag_of(f, c->tag));
        assert_int_equal(kn_ability_check(f->world, ability, &event), c->reasons);
        (is_needed ? add_tag : remove_tag)(f, who, tag_of(f, c->tag));
        assert_int_equal(kn_ability_check(f->world, ability, &event), 0);
    }
}

// ABI-016: and those that act do act, with cost, cooldown, trigger and input.
static void every_container_that_acts_does(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_trigger_def trigger;
    kn_ability_def def =
        full_def(f, &cost, &cooldown, &trigger, cost_effect_of(f), cooldown_effect_of(f));
    def.activates_on_grant = false;
    def.source = def.target = (kn_tag_requirement){.query = NULL};
    def.no_activation_by_input = false;
    def.commit = KN_COMMIT_AT_USE;
    kn_ability_def cancelled = ability_def(f, "Cancelled"), blocked = ability_def(f, "Blocked");
    cancelled.tags = tags_of(f, "Ability.Cancels");
    blocked.tags = tags_of(f, "Ability.Blocks");
    kn_ability_type_id types[3] = {
        ability_register(f, &def), ability_register(f, &cancelled), ability_register(f, &blocked)};
    begin(f);
    add_tag(f, f->hero, tag_of(f, "Owner.Needs"));
    kn_ability_id full = grant(f, types[0]);
    activate(f, grant(f, types[1]));
    kn_ability_id other = grant(f, types[2]);
    assert_true(kn_ability_has_tag(f->world, full, tag_of(f, "Ability.Full")));
    assert_int_equal(kn_input_press(f->world, f->hero, 5), KN_OK);
    EXPECT_LOG(f, "Cancelled activates. Cancelled: by tags. Full activates. ");
    assert_true(kn_entity_has_tag(f->world, f->hero, tag_of(f, "State.Owned")));
    assert_int_equal(kn_ability_check(f->world, other, NULL), KN_FAIL_BLOCKED);
    assert_true(value_of(f, f->mana) == 99.0f && value_of(f, f->stamina) == 90.0f);
    assert_true(kn_entity_has_tag(f->world, f->hero, tag_of(f, "Cooldown.Full")));
    assert_int_equal(kn_ability_cancel(f->world, full), KN_OK);
    assert_false(kn_entity_has_tag(f->world, f->hero, tag_of(f, "State.Owned")));
    assert_int_equal(kn_ability_check(f->world, other, NULL), 0);
    step(f, KN_S(2));
    f->log[0] = 0;
    assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Event.Go"), NULL), KN_OK);
    EXPECT_LOG(f, "Full activates. ");
}

// Def, grant, activation ----------------------------------------------------

typedef struct counter {
    uint32_t runs;
} counter;

static kn_result count_run(const kn_ability_call *call)
{
    counter *c = kn_activation_state(call->world, call->activation);
    c->runs++;
    note(call->user, "%s: run %u at level %g. ", ability_name(call), c->runs,
        (double)kn_ability_level(call->world, call->ability));
    return KN_OK;
}

static kn_ability_id grant_at(fixture *f, kn_entity_id entity, kn_ability_type_id type, float level)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    def.level = level;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, entity, &def, &ability), KN_OK);
    return ability;
}

// ABI-017: one def for all, levels by grant, state by activation; the library never changes.
static void a_def_is_shared_and_nothing_that_runs_touches_it(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Twice");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.state_size = sizeof(counter);
    def.activate = count_run;
    def.ended = NULL;
    kn_ability_def kept = def;
    kept.name = "Kept";
    kept.instancing = KN_INSTANCING_PER_ACTOR;
    kn_ability_type_id type = ability_register(f, &def), kept_type = ability_register(f, &kept);
    begin(f);
    uint64_t library = kn_library_hash(f->library);
    const kn_ability_def *shared = kn_ability_type_get_def(f->library, type);
    kn_ability_def before = *shared;
    kn_ability_id weak = grant_at(f, f->hero, type, 1), strong = grant_at(f, f->foe, type, 7);
    activate(f, weak);
    activate(f, weak);
    activate(f, strong);
    EXPECT_LOG(f, "Twice: run 1 at level 1. Twice: run 1 at level 1. Twice: run 1 at level 7. ");
    assert_int_equal(kn_ability_set_level(f->world, &weak, 3), KN_OK);
    assert_true(kn_ability_level(f->world, weak) == 3.0f);
    assert_true(kn_ability_level(f->world, strong) == 7.0f);
    // An ability with one instance keeps its state from one activation to the next, by grant.
    kn_ability_id one = grant_at(f, f->hero, kept_type, 1), two = grant_at(f, f->foe, kept_type, 2);
    assert_int_equal(kn_activation_end(f->world, activate(f, one)), KN_OK);
    activate(f, one);
    activate(f, two);
    EXPECT_LOG(f, "Kept: run 1 at level 1. Kept: run 2 at level 1. Kept: run 1 at level 2. ");
    check_replay(f, KN_S(1));
    assert_ptr_equal(kn_ability_type_get_def(f->library, type), shared);
    assert_memory_equal(shared, &before, sizeof(before));
    assert_true(kn_library_hash(f->library) == library);
}

// Inputs --------------------------------------------------------------------

// A game's own numbers; the library does not care what they stand for.
enum { NO_INPUT, CONFIRM, CANCEL, PRIMARY, SECONDARY, ABILITY3, ABILITY4, ABILITY5, SPRINT, JUMP };

static kn_result wait_for_confirmation(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_CONFIRM);
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void note_answer(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "%s %s. ", ability_name(call),
        result->output == KN_TASK_CONFIRMED ? "confirmed" : "cancelled");
    assert_int_equal(finish(call), KN_OK);
}

// ABI-027, ABI-028
static void inputs_are_numbers_of_the_game_and_confirm_and_cancel_are_told(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {
        NULL, NULL, NULL, "LeftMouse", "whatever", "Q", "E", "R", "run like the wind", "J"};
    kn_ability_type_id types[JUMP + 1] = {{0}};
    for (uint32_t i = PRIMARY; i <= JUMP; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.ended = NULL;
        def.instancing = KN_INSTANCING_NONE;
        def.input = i;
        types[i] = ability_register(f, &def);
    }
    kn_ability_def ask = ability_def(f, "Ask");
    ask.activate = wait_for_confirmation;
    ask.task_done = note_answer;
    ask.ended = NULL;
    kn_ability_type_id ask_type = ability_register(f, &ask);
    begin(f);
    for (uint32_t i = PRIMARY; i <= JUMP; i++) {
        grant(f, types[i]);
    }
    kn_ability_id question = grant(f, ask_type);
    assert_int_equal(kn_input_bind(f->world, f->hero, CONFIRM, CANCEL), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, SPRINT), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, JUMP), KN_OK);
    EXPECT_LOG(f, "run like the wind activates. J activates. ");
    activate(f, question);
    assert_int_equal(kn_input_press(f->world, f->hero, CONFIRM), KN_OK);
    activate(f, question);
    assert_int_equal(kn_input_press(f->world, f->hero, CANCEL), KN_OK);
    EXPECT_LOG(f, "Ask confirmed. Ask cancelled. ");
    // They may be inputs of abilities as well: whoever waits comes first.
    assert_int_equal(kn_input_bind(f->world, f->hero, JUMP, 4000000000u), KN_OK);
    activate(f, question);
    assert_int_equal(kn_input_press(f->world, f->hero, JUMP), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, JUMP), KN_OK);
    EXPECT_LOG(f, "Ask confirmed. J activates. ");
    assert_int_equal(
        kn_input_press(f->world, f->hero, NO_INPUT), KN_ERROR_INVALID_ARGUMENT); // nobody's number
}

static const struct CMUnitTest tests[] = {
    TEST(a_jump_is_over_at_once_and_waits_for_the_ground),
    TEST(a_sprint_lasts_as_long_as_its_input_is_held),
    TEST(a_gun_needs_bullets_and_time_between_shots),
    TEST(a_passive_blocks_one_attack_every_five_seconds),
    TEST(a_potion_is_used_up_and_heals),
    TEST(a_door_that_is_locked_does_not_open),
    TEST(gathering_brings_something_every_second),
    TEST(a_building_is_paid_first_and_stands_in_the_end),
    TEST(nobody_keeps_a_game_from_walking_and_shopping_by_abilities),
    TEST(costs_and_cooldowns_are_effects_and_may_be_left_out),
    TEST(an_ability_of_data_and_one_of_hooks_behave_the_same),
    TEST(a_type_tells_everything_its_def_said),
    TEST(flags_that_do_harm_are_off_by_default),
    TEST(every_container_that_asks_is_asked),
    TEST(every_container_that_acts_does),
    TEST(a_def_is_shared_and_nothing_that_runs_touches_it),
    TEST(inputs_are_numbers_of_the_game_and_confirm_and_cancel_are_told),
};

TEST_GROUP(ability_model, tests, NULL, NULL);
