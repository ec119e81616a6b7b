// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/sprint.md

#include "scenario/recipe.h"

enum { INPUT_SPRINT = 1, INPUT_AIM };
enum { RELEASED, DRAIN };

typedef struct held {
    fixture *f;
    kn_effect_type_id effect;
} held;

// On while the input is down: the effect ends with the activation, the activation with the input.
static kn_result hold(const kn_ability_call *call)
{
    const held *h = call->user;
    kn_effect_id effect;
    kn_result result =
        kn_activation_apply(call->world, call->activation, h->effect, call->owner, &effect);
    if (result == KN_OK) {
        kn_effect_id *kept = kn_activation_state(call->world, call->activation);
        *kept = effect;
        result = kn_wait_input_release(call->world, call->activation, RELEASED);
    }
    return result;
}

static void let_go(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    kn_effect_id effect = *(kn_effect_id *)kn_activation_state(call->world, call->activation);
    (void)kn_effect_remove(call->world, effect, 0, KN_REMOVED_BY_CALL);
}

static kn_result sprint(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit_cost(call->world, call->activation);
    if (result == KN_OK) {
        result = hold(call);
    }
    kn_task_def drain = kn_task_def_default(KN_TASK_REPEAT);
    drain.interval = KN_MS(500);
    drain.label = DRAIN;
    return result == KN_OK ? kn_task_run(call->world, call->activation, &drain, NULL) : result;
}

// Pays again every half second, until the player lets go or cannot pay.
static void sprint_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->label == RELEASED ||
        kn_activation_commit_cost(call->world, call->activation) != KN_OK) {
        (void)kn_activation_end(call->world, call->activation);
    }
}

static kn_ability_def held_def(const char *name, uint32_t input, held *h)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.input = input;
    def.state_size = sizeof(kn_effect_id);
    def.activate = hold;
    def.task_done = sprint_task_done;
    def.ended = let_go;
    def.user = h;
    return def;
}

static kn_effect_type_id speed_effect(
    fixture *f, const char *name, kn_attribute_id speed, float factor, const kn_tag *tag)
{
    kn_modifier_def modifier = kn_modifier_constant(speed, KN_OP_MULTIPLY, factor);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.granted_tags = (kn_tags){tag, 1};
    return effect_register(f, &def);
}

typedef struct track {
    kn_attribute_id speed;
    held sprint, aim;
    kn_tag sprinting, aiming;
} track;

static void track_begin(fixture *f, track *t)
{
    kn_attribute_def speed_def = attribute_def("Speed", 600.0f);
    kn_attribute_set_id move = set_register(f, "Move", &speed_def, 1);
    t->speed = kn_attribute_find(f->library, "Move.Speed");
    t->sprinting = tag_of(f, "State.Sprinting");
    t->aiming = tag_of(f, "State.Aiming");
    t->sprint = (held){f, speed_effect(f, "Sprint", t->speed, 1.5f, &t->sprinting)};
    t->aim = (held){f, speed_effect(f, "AimDownSights", t->speed, 0.5f, &t->aiming)};
    kn_cost_def cost = {.attribute = f->stamina, .amount = kn_constant(20.0f)};
    kn_ability_def sprint_def = held_def("Sprint", INPUT_SPRINT, &t->sprint);
    sprint_def.activate = sprint;
    sprint_def.costs = &cost;
    sprint_def.cost_count = 1;
    kn_ability_def aim_def = held_def("AimDownSights", INPUT_AIM, &t->aim);
    kn_ability_type_id types[2] = {ability_register(f, &sprint_def), ability_register(f, &aim_def)};
    recipe_begin(f, move);
    (void)grant(f, types[0]);
    (void)grant(f, types[1]);
}

// COM-002
static void a_sprint_lasts_while_the_input_is_held_and_drains(void **state)
{
    fixture *f = *state;
    track t;
    track_begin(f, &t);
    assert_int_equal(kn_input_press(f->world, f->hero, INPUT_SPRINT), KN_OK);
    assert_true(value_of(f, t.speed) == 900.0f);
    assert_true(value_of(f, f->stamina) == 80.0f);
    step(f, KN_MS(1200));
    assert_true(value_of(f, f->stamina) == 40.0f);
    recipe_check_rollback(f);
    assert_int_equal(kn_input_release(f->world, f->hero, INPUT_SPRINT), KN_OK);
    assert_true(value_of(f, t.speed) == 600.0f);
    assert_false(kn_entity_has_tag(f->world, f->hero, t.sprinting));
    step(f, KN_S(5));
    assert_true(value_of(f, f->stamina) == 40.0f);
}

// COM-002
static void a_sprint_ends_when_nothing_is_left(void **state)
{
    fixture *f = *state;
    track t;
    track_begin(f, &t);
    assert_int_equal(kn_input_press(f->world, f->hero, INPUT_SPRINT), KN_OK);
    step(f, KN_S(2)); // 20 at once and four times more
    assert_true(value_of(f, f->stamina) == 0.0f);
    assert_true(value_of(f, t.speed) == 900.0f);
    step(f, KN_MS(500));
    assert_true(value_of(f, t.speed) == 600.0f);
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    assert_int_equal(kn_input_press(f->world, f->hero, INPUT_SPRINT), KN_OK);
    assert_true(value_of(f, t.speed) == 600.0f);
}

// COM-003
static void aiming_is_slow_and_free(void **state)
{
    fixture *f = *state;
    track t;
    track_begin(f, &t);
    assert_int_equal(kn_input_press(f->world, f->hero, INPUT_AIM), KN_OK);
    step(f, KN_S(3));
    assert_true(value_of(f, t.speed) == 300.0f);
    assert_true(value_of(f, f->stamina) == 100.0f);
    assert_int_equal(kn_input_release(f->world, f->hero, INPUT_AIM), KN_OK);
    assert_true(value_of(f, t.speed) == 600.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_sprint_lasts_while_the_input_is_held_and_drains),
    TEST(a_sprint_ends_when_nothing_is_left),
    TEST(aiming_is_slow_and_free),
};

TEST_GROUP(recipe_sprint, tests, NULL, NULL);
