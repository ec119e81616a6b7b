// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What clients do not predict: effects and executions with `predict: false`.

#define FIXTURE_OWN                                                                                \
    kn_effect_type_id secret, open, cost, hit;                                                     \
    uint32_t executions;

#include "scenario/ability_fixture.h"

#define CONNECTION 4

static void secret_execution(void *user, kn_execution *execution)
{
    fixture *f = user;
    f->executions++;
    kn_execution_output(execution, f->health, 0, KN_OP_ADD, -7.0f);
}

// A secret effect that lasts, the same in the open, a secret cost, and a hit that takes 1 of
// stamina and has a secret execution.
static void register_all(fixture *f)
{
    kn_modifier_def more = kn_modifier_constant(f->max_health, KN_OP_ADD, 10.0f);
    kn_effect_def def = effect_def("Secret", KN_DURATION_TIMED, &more, 1);
    def.predict = false;
    f->secret = effect_register(f, &def);
    def.name = "Open";
    def.predict = true;
    f->open = effect_register(f, &def);
    kn_modifier_def price = kn_modifier_constant(f->mana, KN_OP_ADD, -30.0f);
    kn_effect_def cost = effect_def("Cost", KN_DURATION_INSTANT, &price, 1);
    cost.predict = false;
    f->cost = effect_register(f, &cost);
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "SecretDamage";
    execution.function = secret_execution;
    execution.user = f;
    execution.predict = false;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &execution, &id, NULL), KN_OK);
    kn_modifier_def tires = kn_modifier_constant(f->stamina, KN_OP_ADD, -1.0f);
    kn_execution_use use = {.execution = id};
    kn_effect_def hit = effect_def("Hit", KN_DURATION_INSTANT, &tires, 1);
    hit.executions = &use;
    hit.execution_count = 1;
    f->hit = effect_register(f, &hit);
}

static void begin_as(fixture *f, bool is_client)
{
    kn_world_def def = kn_world_def_default();
    def.is_client = is_client;
    def.connection = is_client ? CONNECTION : 0;
    begin_with(f, def);
    if (is_client) {
        assert_int_equal(kn_entity_set_connection(f->world, f->hero, CONNECTION), KN_OK);
    }
    step(f, 0);
}

// A client's world with an ability that its server granted.
static kn_ability_id begin_as_client_with(fixture *f, kn_ability_type_id type)
{
    begin(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, CONNECTION), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    def.connection = CONNECTION;
    kn_world *client = world_of(f, def);
    project(f->world, client, &f->hero, 1, KN_VIEWER_OWNER);
    kn_world_destroy(f->world);
    f->world = client;
    return ability;
}

static kn_effect_id try_apply(const fixture *f, kn_effect_type_id type)
{
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->hero, f->hero, 1.0f, &effect), KN_OK);
    return effect;
}

// PRED-002: opting out, per effect. Nothing is published, nothing is an error.
static void a_client_leaves_out_effects_that_are_not_predicted(void **state)
{
    fixture *f = *state;
    register_all(f);
    begin_as(f, true);
    assert_true(kn_world_is_predicting(f->world));
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(try_apply(f, f->secret).index1, 0);
    assert_int_equal(kn_world_hash(f->world), hash);
    step(f, 0);
    assert_int_equal(kn_world_events(f->world).count, 0);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    assert_int_not_equal(try_apply(f, f->open).index1, 0);
    assert_int_equal(kn_world_unpredicted(f->world), 0);
}

static void what_the_server_confirmed_is_not_left_out(void **state)
{
    fixture *f = *state;
    register_all(f);
    begin_as(f, true);
    assert_int_equal(kn_world_set_predicting(f->world, false), KN_OK);
    assert_false(kn_world_is_predicting(f->world));
    assert_int_not_equal(try_apply(f, f->secret).index1, 0);
    assert_int_equal(kn_world_unpredicted(f->world), 1);
    (void)try_apply(f, f->open);
    assert_int_equal(kn_world_unpredicted(f->world), 1);
    (void)try_apply(f, f->hit);
    assert_int_equal(kn_world_unpredicted(f->world), 2);
    assert_int_equal(f->executions, 1);
    // It is not a part of the state.
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    assert_int_equal(kn_world_set_predicting(f->world, true), KN_OK);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    assert_true(kn_world_is_predicting(f->world));
}

// What kits and games leave to the server counts like effects that are.
static void rules_can_leave_things_to_the_server(void **state)
{
    fixture *f = *state;
    register_all(f);
    begin_as(f, true);
    assert_true(kn_world_leaves_out(f->world));
    assert_int_equal(kn_world_unpredicted(f->world), 0);
    assert_int_equal(kn_world_set_predicting(f->world, false), KN_OK);
    assert_false(kn_world_leaves_out(f->world));
    assert_int_equal(kn_world_unpredicted(f->world), 1);
}

// EXE-005, MAP-066: an execution can be left to the server while the rest of its effect is
// predicted.
static void executions_are_left_out_alone(void **state)
{
    fixture *f = *state;
    register_all(f);
    begin_as(f, true);
    (void)try_apply(f, f->hit);
    assert_int_equal(f->executions, 0);
    assert_near(value_of(f, f->stamina), 99.0f);
    assert_near(value_of(f, f->health), 100.0f);
}

static void a_server_and_a_world_alone_do_everything(void **state)
{
    fixture *f = *state;
    register_all(f);
    begin_as(f, false);
    assert_false(kn_world_is_predicting(f->world));
    assert_int_not_equal(try_apply(f, f->secret).index1, 0);
    (void)try_apply(f, f->hit);
    assert_int_equal(f->executions, 1);
    assert_near(value_of(f, f->health), 93.0f);
    assert_int_equal(kn_world_unpredicted(f->world), 0);
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_world_set_predicting(f->world, true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_world_set_predicting(NULL, true), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_false(kn_world_is_predicting(NULL));
    assert_false(kn_world_leaves_out(NULL));
    assert_false(kn_world_leaves_out(f->world));
    assert_int_equal(kn_world_unpredicted(f->world), 0);
    assert_int_equal(kn_world_unpredicted(NULL), 0);
}

// The price is checked where it is known, and paid when the server says so.
static void a_cost_that_is_not_predicted_is_not_paid_here(void **state)
{
    fixture *f = *state;
    register_all(f);
    kn_ability_def def = ability_def(f, "Spell");
    def.cost_effect = f->cost;
    def.body = KN_BODY_STAY;
    def.activate = NULL;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_id ability = begin_as_client_with(f, type);
    kn_activation_id activation = activate(f, ability);
    assert_near(value_of(f, f->mana), 100.0f);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    assert_int_equal(kn_world_set_predicting(f->world, false), KN_OK);
    (void)activate(f, ability);
    assert_near(value_of(f, f->mana), 70.0f);
}

// An ability that lasts as long as its effects does not end early because they are not known here.
static void an_ability_waits_for_effects_that_the_server_applies(void **state)
{
    fixture *f = *state;
    register_all(f);
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = f->secret;
    kn_ability_def def = ability_def(f, "Stance");
    def.body = KN_BODY_EFFECTS;
    def.activate = NULL;
    def.applies = &apply;
    def.apply_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    kn_activation_id activation = activate(f, begin_as_client_with(f, type));
    step_seconds(f, 1.0);
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_client_leaves_out_effects_that_are_not_predicted),
    TEST(what_the_server_confirmed_is_not_left_out),
    TEST(rules_can_leave_things_to_the_server),
    TEST(executions_are_left_out_alone),
    TEST(a_server_and_a_world_alone_do_everything),
    TEST(a_cost_that_is_not_predicted_is_not_paid_here),
    TEST(an_ability_waits_for_effects_that_the_server_applies),
};

TEST_GROUP(prediction_opt_outs, tests, NULL, NULL);
