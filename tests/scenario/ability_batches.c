// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a client sends to the server about its own abilities, one by one and in batches.

#include "scenario/ability_fixture.h"

#define PLAYER 7

static kn_result shoot(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = kn_targeting_find(kn_world_library(call->world), "Self");
    def.confirm = KN_CONFIRM_INSTANT;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void shot(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

// An automatic weapon: active until it is ended.
static kn_result open_fire(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = kn_targeting_find(kn_world_library(call->world), "Self");
    def.confirm = KN_CONFIRM_CUSTOM_MULTI;
    def.name = kn_name_find(kn_world_library(call->world), "Aim");
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static kn_result blow(const kn_ability_call *call)
{
    return kn_activation_end(call->world, call->activation);
}

static kn_ability_def weapon(fixture *f, const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.activate = shoot;
    def.task_done = shot;
    def.user = f;
    return def;
}

// A client's world: what the server saved, with the hero in this player's hands.
static void begin_client(fixture *f)
{
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Self";
    targeting.shape = KN_SHAPE_SELF;
    kn_targeting_id id;
    kn_name name;
    assert_int_equal(kn_targeting_register(f->library, &targeting, &id, NULL), KN_OK);
    assert_int_equal(kn_name_register(f->library, "Aim", &name, NULL), KN_OK);
    kn_ability_def gun = weapon(f, "Gun"), rifle = weapon(f, "Rifle");
    gun.input = 3;
    rifle.activate = open_fire;
    rifle.task_done = NULL;
    kn_ability_def horn = weapon(f, "Horn"); // has no targets
    horn.activate = blow;
    horn.task_done = NULL;
    kn_ability_type_id gun_type = ability_register(f, &gun);
    kn_ability_type_id rifle_type = ability_register(f, &rifle);
    kn_ability_type_id horn_type = ability_register(f, &horn);
    begin(f);
    grant(f, gun_type);
    grant(f, rifle_type);
    grant(f, horn_type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    size_t size;
    void *save = save_of(f->world, &size);
    kn_world_destroy(f->world);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.is_client = true;
    def.connection = PLAYER;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    assert_int_equal(kn_save_read(f->world, save, size, NULL), KN_OK);
    free(save);
}

static kn_ability_id ability(const fixture *f, uint32_t index)
{
    kn_ability_id abilities[3];
    assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, abilities, 3), 3);
    return abilities[index];
}

// The parts of each request of the last step, such as "1 2 64 ", and that all are of one
// activation.
static void expect_parts(const fixture *f, const char *expected)
{
    char text[64] = "";
    kn_events events = kn_world_events(f->world);
    const kn_event *first = NULL;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_REQUEST) {
            size_t length = strlen(text);
            (void)snprintf(
                text + length, sizeof(text) - length, "%u ", events.data[i].data.request.parts);
            first = first != NULL ? first : &events.data[i];
            assert_true(kn_activation_id_equal(
                events.data[i].data.request.activation, first->data.request.activation));
            assert_true(kn_ability_id_equal(
                events.data[i].data.request.ability, first->data.request.ability));
        }
    }
    assert_string_equal(text, expected);
}

// Requests of the last step; the parts of the first.
static uint32_t requests(const fixture *f, uint32_t *parts)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    *parts = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_REQUEST) {
            *parts = count++ == 0 ? events.data[i].data.request.parts : *parts;
            uint32_t size;
            const void *data = kn_request_targets(f->world, &events.data[i], &size);
            bool has_targets = (events.data[i].data.request.parts & KN_REQUEST_PART_TARGETS) != 0;
            assert_true((data != NULL) == has_targets);
            kn_target_view view = {data, size};
            assert_true(!has_targets || kn_target_count(view) == 1);
        }
    }
    return count;
}

static kn_event first_request(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    uint32_t i = 0;
    while (i + 1 < events.count && events.data[i].type != KN_EVENT_REQUEST) {
        i++;
    }
    assert_true(i < events.count && events.data[i].type == KN_EVENT_REQUEST);
    assert_true(kn_ability_id_equal(events.data[i].data.request.ability, ability(f, 0)));
    return events.data[i];
}

#define WHOLE (KN_REQUEST_PART_ACTIVATE | KN_REQUEST_PART_TARGETS | KN_REQUEST_PART_END)

// ABI-125, ABI-126, ABI-127, ABI-129, ABI-130, ABI-131, TVA-028, TVA-030, TVA-031, OPT-001
static void a_shot_is_three_requests_or_one(void **state)
{
    fixture *f = *state;
    begin_client(f);
    uint32_t parts;
    activate(f, ability(f, 0));
    step(f, 0);
    assert_int_equal(requests(f, &parts), 3);
    assert_int_equal(parts, KN_REQUEST_PART_ACTIVATE);
    expect_parts(f, "1 2 64 "); // activate, targets, end
    kn_activation_id aiming = activate(f, ability(f, 1));
    assert_int_equal(kn_activation_end(f->world, aiming), KN_OK);
    step(f, 0);
    expect_parts(f, "1 64 "); // no targets were chosen
    // Without permission a batch changes nothing.
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 0)), KN_OK);
    activate(f, ability(f, 0));
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 3);

    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 0)), KN_OK);
    activate(f, ability(f, 0));
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 1); // with its targets
    assert_int_equal(parts, WHOLE);
    assert_false(first_request(f).data.request.is_pressed);
    kn_activation_id shot_id = first_request(f).data.request.activation;
    assert_true(shot_id.index1 != 0 && !kn_activation_is_alive(f->world, shot_id)); // it is over
    // By its input: the record says that it was down.
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 0)), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, 3), KN_OK);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 1);
    assert_int_equal(parts, WHOLE);
    assert_true(first_request(f).data.request.is_pressed);
    assert_int_equal(kn_input_release(f->world, f->hero, 3), KN_OK);
    // Closed before: each by itself again. Another ability's batch does not take it in either.
    activate(f, ability(f, 0));
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 1)), KN_OK);
    activate(f, ability(f, 0));
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 6);
}

// TVA-028: without target data two are one.
static void a_use_without_targets_is_two_requests_or_one(void **state)
{
    fixture *f = *state;
    begin_client(f);
    uint32_t parts;
    activate(f, ability(f, 2));
    step(f, 0);
    assert_int_equal(requests(f, &parts), 2);
    assert_int_equal(parts, KN_REQUEST_PART_ACTIVATE);
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 2)), KN_OK);
    activate(f, ability(f, 2));
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 1);
    assert_int_equal(parts, KN_REQUEST_PART_ACTIVATE | KN_REQUEST_PART_END);
}

static uint32_t burst(fixture *f, bool is_batched, uint32_t bullets)
{
    uint32_t parts, count = 0;
    kn_name name = kn_name_find(f->library, "Aim");
    if (is_batched) {
        assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 1)), KN_OK);
    }
    kn_activation_id activation = activate(f, ability(f, 1));
    kn_task_id task = kn_task_find(f->world, activation, name);
    for (uint32_t i = 0; i < bullets; i++) {
        assert_int_equal(kn_target_confirm(f->world, task), KN_OK);
        if (is_batched && i == 0) {
            assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
        }
        step(f, KN_MS(100));
        count += requests(f, &parts);
        expect_parts(f, i > 0 ? "2 " : is_batched ? "3 " : "1 2 ");
    }
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    step(f, 0);
    expect_parts(f, "64 ");
    return count + requests(f, &parts);
}

// ABI-128, ABI-134, TVA-029
static void a_burst_saves_one_request(void **state)
{
    fixture *f = *state;
    begin_client(f);
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(burst(f, false, 10), 12);
    assert_int_equal(burst(f, true, 10), 11);
}

// ABI-134: the same weapon, ended from outside before the batch is closed.
static void a_single_shot_of_an_automatic_weapon_is_one_request(void **state)
{
    fixture *f = *state;
    begin_client(f);
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 1)), KN_OK);
    kn_activation_id activation = activate(f, ability(f, 1));
    kn_task_id task = kn_task_find(f->world, activation, kn_name_find(f->library, "Aim"));
    assert_int_equal(kn_target_confirm(f->world, task), KN_OK);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    uint32_t parts;
    assert_int_equal(requests(f, &parts), 1);
    assert_int_equal(parts, WHOLE);
    // What does not start is told to the caller, and not to the server.
    kn_ability_id none = {99, 1};
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 1)), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, none, NULL, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 0);
}

// ABI-130: a batch lasts no longer than a step; the authority sends nothing.
static void a_batch_does_not_outlive_its_step(void **state)
{
    fixture *f = *state;
    begin_client(f);
    uint32_t parts;
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, true), KN_OK);
    assert_int_equal(kn_ability_batch_begin(f->world, ability(f, 1)), KN_OK);
    kn_activation_id activation = activate(f, ability(f, 1));
    step(f, KN_MS(10));
    assert_int_equal(requests(f, &parts), 1);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    assert_int_equal(kn_ability_batch_end(f->world), KN_OK);
    step(f, 0);
    assert_int_equal(requests(f, &parts), 1);
    assert_int_equal(parts, KN_REQUEST_PART_CANCEL);
    assert_int_equal(kn_ability_batch_begin(f->world, (kn_ability_id){0}), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_entity_allow_batches(f->world, (kn_entity_id){0}, true), KN_REFUSED_STALE_ID);
}

static void a_server_asks_nobody(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Gun");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    step(f, 0);
    uint32_t parts;
    assert_int_equal(requests(f, &parts), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_shot_is_three_requests_or_one),
    TEST(a_use_without_targets_is_two_requests_or_one),
    TEST(a_burst_saves_one_request),
    TEST(a_single_shot_of_an_automatic_weapon_is_one_request),
    TEST(a_batch_does_not_outlive_its_step),
    TEST(a_server_asks_nobody),
};

TEST_GROUP(ability_batches, tests, NULL, NULL);
