// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prediction keys: which command is behind what happens.

#define FIXTURE_OWN                                                                                \
    kn_effect_type_id shield, burn;                                                                \
    kn_prediction_key seen; /* in a hook */                                                        \
    kn_ability_id ability;

#include "scenario/ability_fixture.h"

#define CONNECTION 4

// A shield now, burning after a quarter of a second, then it ends.
static kn_result ward_activate(const kn_ability_call *call)
{
    fixture *f = call->user;
    f->seen = kn_world_key(call->world);
    kn_result result =
        kn_activation_apply(call->world, call->activation, f->shield, call->owner, NULL);
    return result == KN_OK ? kn_wait_delay(call->world, call->activation, 1, KN_MS(250)) : result;
}

static void ward_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    fixture *f = call->user;
    (void)result;
    f->seen = kn_world_key(call->world);
    assert_int_equal(
        kn_activation_apply(call->world, call->activation, f->burn, call->owner, NULL), KN_OK);
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static void begin_ward(fixture *f)
{
    kn_modifier_def more = kn_modifier_constant(f->mana, KN_OP_ADD, 10.0f);
    f->shield = effect_of(f, "Shield", KN_DURATION_INFINITE, &more, 1);
    kn_modifier_def less = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def burn = effect_def("Burn", KN_DURATION_INFINITE, &less, 1);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(0.5f);
    f->burn = effect_register(f, &burn);
    kn_ability_def def = ability_def(f, "Ward");
    def.activate = ward_activate;
    def.task_done = ward_task_done;
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.event_mask |= UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED;
    begin_with(f, world);
    f->ability = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, CONNECTION), KN_OK);
    step(f, 0);
}

static void command_ward(fixture *f, uint32_t connection, uint32_t sequence)
{
    kn_command_activate payload = {.ability = f->ability};
    kn_command command = {.type = kn_command_type_activate(),
        .connection = connection,
        .sequence = sequence,
        .entity = f->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_world_command(f->world, &command, NULL), KN_OK);
}

static void expect_key(kn_prediction_key key, uint32_t sequence, kn_time time)
{
    assert_int_equal(key.connection, CONNECTION);
    assert_int_equal(key.sequence, sequence);
    assert_int_equal(key.time, time);
}

// How many events of the last step have a key, all of which must be this one.
static uint32_t expect_events(const fixture *f, uint32_t sequence, kn_time time)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        expect_key(kn_event_key(f->world, &events.data[i]), sequence, time);
        kn_prediction_key cause = kn_cause_key(f->world, events.data[i].cause);
        expect_key(cause, sequence, 0);
        assert_true(kn_prediction_key_is_same_use(cause, kn_event_key(f->world, &events.data[i])));
    }
    return events.count;
}

static kn_effect_id the_effect(const fixture *f, kn_effect_type_id type)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = type;
    kn_effect_id effect;
    assert_int_equal(kn_effects_find(f->world, f->hero, &query, &effect, 1), 1);
    return effect;
}

// PID-005, PID-014, PID-015, MAP-060, MAP-061, PRED-017, PRED-018: the key of the use is on all
// that follows from it, however late; the time tells the parts apart.
static void all_that_follows_from_a_command_has_its_key(void **state)
{
    fixture *f = *state;
    begin_ward(f);
    command_ward(f, CONNECTION, 17);
    step(f, KN_MS(100));
    assert_true(expect_events(f, 17, 0) >= 4); // activated, applied, changed, carried out
    expect_key(f->seen, 17, 0);
    kn_activation_id activation;
    assert_int_equal(kn_activations(f->world, f->hero, &activation, 1), 1);
    expect_key(kn_activation_key(f->world, activation), 17, 0);
    expect_key(kn_effect_key(f->world, the_effect(f, f->shield)), 17, 0);
    step(f, KN_MS(200));
    assert_true(expect_events(f, 17, KN_MS(250)) >= 2); // applied, ended
    expect_key(f->seen, 17, KN_MS(250));
    expect_key(kn_effect_key(f->world, the_effect(f, f->burn)), 17, KN_MS(250));
    assert_true(kn_prediction_key_is_null(kn_activation_key(f->world, activation))); // it is over
    step(f, KN_MS(500));
    assert_true(expect_events(f, 17, KN_MS(750)) >= 2); // a tick, and the health that it took
}

// PID-002, MAP-060.
static void what_no_player_commanded_has_the_null_key(void **state)
{
    fixture *f = *state;
    begin_ward(f);
    assert_true(kn_prediction_key_is_null(kn_world_key(f->world)));
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 0), KN_OK);
    kn_activation_id activation = activate(f, f->ability);
    f->seen = (kn_prediction_key){1, 1, 1};
    step(f, KN_S(1));
    kn_events events = kn_world_events(f->world);
    assert_true(events.count >= 6);
    for (uint32_t i = 0; i < events.count; i++) {
        assert_true(kn_prediction_key_is_null(kn_event_key(f->world, &events.data[i])));
    }
    assert_true(kn_prediction_key_is_null(f->seen));
    assert_true(kn_prediction_key_is_null(kn_activation_key(f->world, activation)));
    assert_true(kn_prediction_key_is_null(kn_effect_key(f->world, the_effect(f, f->shield))));
    assert_false(kn_prediction_key_is_same_use(f->seen, f->seen));
}

// Each use has the key of its own command, and keys of effects stay when others begin.
static void two_uses_have_two_keys(void **state)
{
    fixture *f = *state;
    begin_ward(f);
    command_ward(f, CONNECTION, 1);
    step(f, KN_MS(300));
    command_ward(f, CONNECTION, 2);
    step(f, KN_MS(100));
    kn_effect_query query = kn_effect_query_default();
    query.type = f->shield;
    kn_effect_id shields[3];
    assert_int_equal(kn_effects_find(f->world, f->hero, &query, shields, 3), 2);
    expect_key(kn_effect_key(f->world, shields[0]), 1, 0);
    expect_key(kn_effect_key(f->world, shields[1]), 2, KN_MS(300));
}

static void keys_are_saved_rolled_back_and_hashed(void **state)
{
    fixture *f = *state;
    begin_ward(f);
    kn_world *other = world_of(f, kn_world_def_default());
    size_t clean_size, size;
    void *clean = snapshot_of(f->world, &clean_size);
    command_ward(f, CONNECTION, 9);
    step(f, KN_MS(100));
    void *save = save_of(f->world, &size);
    save_load(other, save, size);
    free(save);
    assert_same_worlds(f->world, other);
    kn_activation_id activation;
    assert_int_equal(kn_activations(other, f->hero, &activation, 1), 1);
    expect_key(kn_activation_key(other, activation), 9, 0);
    expect_key(kn_effect_key(other, the_effect(f, f->shield)), 9, 0);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, clean, clean_size);
    command_ward(f, CONNECTION, 8);
    step(f, KN_MS(100));
    assert_int_not_equal(kn_world_hash(f->world), hash);
    snapshot_restore(f->world, clean, clean_size);
    command_ward(f, CONNECTION, 9);
    step(f, KN_MS(100));
    assert_int_equal(kn_world_hash(f->world), hash);
    free(clean);
    kn_world_destroy(other);
}

// PRED-016, PID-007, PID-014: by sequence, then by time, and on beyond the largest number.
static void keys_are_ordered_by_use_and_then_by_time(void **state)
{
    (void)state;
    kn_prediction_key a = {1, 5, KN_S(9)}, b = {1, 6, KN_S(1)}, c = {1, 6, KN_S(2)};
    assert_true(kn_prediction_key_compare(a, b) < 0);
    assert_true(kn_prediction_key_compare(b, a) > 0);
    assert_true(kn_prediction_key_compare(b, c) < 0);
    assert_true(kn_prediction_key_compare(c, b) > 0);
    assert_int_equal(kn_prediction_key_compare(c, c), 0);
    kn_prediction_key last = {1, UINT32_MAX, 0}, first = {1, 1, 0};
    assert_true(kn_prediction_key_compare(last, first) < 0);
    assert_true(kn_prediction_key_compare(first, last) > 0);
}

static void questions_without_an_answer_give_the_null_key(void **state)
{
    fixture *f = *state;
    begin_ward(f);
    kn_effect_id no_effect = {3, 3};
    kn_activation_id no_activation = {3, 3};
    kn_event event = {.type = KN_EVENT_ERROR, .cause = 12345};
    assert_true(kn_prediction_key_is_null(kn_effect_key(f->world, no_effect)));
    assert_true(kn_prediction_key_is_null(kn_activation_key(f->world, no_activation)));
    assert_true(kn_prediction_key_is_null(kn_event_key(f->world, &event)));
    assert_true(kn_prediction_key_is_null(kn_event_key(f->world, NULL)));
    assert_true(kn_prediction_key_is_null(kn_event_key(NULL, &event)));
    assert_true(kn_prediction_key_is_null(kn_cause_key(NULL, 1)));
    assert_true(kn_prediction_key_is_null(kn_world_key(NULL)));
    assert_true(kn_prediction_key_is_null(kn_effect_key(NULL, no_effect)));
    assert_true(kn_prediction_key_is_null(kn_activation_key(NULL, no_activation)));
}

static const struct CMUnitTest tests[] = {
    TEST(all_that_follows_from_a_command_has_its_key),
    TEST(what_no_player_commanded_has_the_null_key),
    TEST(two_uses_have_two_keys),
    TEST(keys_are_saved_rolled_back_and_hashed),
    TEST(keys_are_ordered_by_use_and_then_by_time),
    TEST(questions_without_an_answer_give_the_null_key),
};

TEST_GROUP(prediction_keys, tests, NULL, NULL);
