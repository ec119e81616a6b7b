// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sync points, on each side by itself: who waits for whom, signals before their points, time
// limits, and sync points of custom tasks. tests/net/prediction.c plays both sides together.

#define FIXTURE_OWN                                                                                \
    kn_sync_wait wait;                                                                             \
    kn_time timeout;                                                                               \
    kn_sync_expiry expiry;                                                                         \
    uint32_t points;         /* how many the ability has in a row */                               \
    kn_task_type_id meeting; /* a custom task with a sync point */                                 \
    kn_ability_id ability;

#include "scenario/ability_fixture.h"

#define CONNECTION 4

static kn_result meet_at(const kn_ability_call *call, uint32_t label)
{
    const fixture *f = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_NET_SYNC);
    def.label = label;
    def.sync = f->wait;
    def.timeout = f->timeout;
    def.sync_expiry = f->expiry;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static kn_result meet_activate(const kn_ability_call *call)
{
    return meet_at(call, 1);
}

static void meet_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    fixture *f = call->user;
    kn_time now = kn_world_now(call->world) / 1000;
    note(f, "%u %s @%d. ", result->label,
        result->output == KN_TASK_FIRED       ? "passed"
        : result->output == KN_TASK_TIMED_OUT ? "timed out"
                                              : "?",
        (int)now);
    if (result->label < f->points) {
        assert_int_equal(meet_at(call, result->label + 1), KN_OK);
    }
}

static void meeting_start(const kn_task_call *call)
{
    const fixture *f = call->user;
    assert_int_equal(kn_task_sync(call->world, call->task, f->wait, f->timeout), KN_OK);
    assert_int_equal(
        kn_task_sync(call->world, call->task, f->wait, f->timeout), KN_REFUSED_DUPLICATE);
}

static void meeting_synced(const kn_task_call *call, bool is_in_time)
{
    note(call->user, "%s @%d. ", is_in_time ? "met" : "missed",
        (int)(kn_world_now(call->world) / 1000));
}

static kn_time meeting_timer(const kn_task_call *call)
{
    note(call->user, "timer @%d. ", (int)(kn_world_now(call->world) / 1000));
    return 0;
}

static kn_ability_type_id meet_register(fixture *f, kn_net_execution execution)
{
    kn_task_type_def meeting = kn_task_type_def_default();
    meeting.name = "Meeting";
    meeting.start = meeting_start;
    meeting.synced = meeting_synced;
    meeting.timer = meeting_timer;
    meeting.user = f;
    assert_int_equal(kn_task_type_register(f->library, &meeting, &f->meeting, NULL), KN_OK);
    kn_ability_def def = ability_def(f, "Meet");
    def.activate = meet_activate;
    def.task_done = meet_task_done;
    def.net_execution = execution;
    f->points = 1;
    return ability_register(f, &def);
}

// A server whose client controls the hero.
static void begin_server(fixture *f, kn_net_execution execution)
{
    kn_ability_type_id type = meet_register(f, execution);
    begin(f);
    f->ability = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, CONNECTION), KN_OK);
    step(f, 0);
}

// The client of such a server.
static void begin_client(fixture *f, kn_net_execution execution)
{
    begin_server(f, execution);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    def.connection = CONNECTION;
    kn_world *client = world_of(f, def);
    project(f->world, client, &f->hero, 1, KN_VIEWER_OWNER);
    kn_world_destroy(f->world);
    f->world = client;
}

static void command(
    fixture *f, kn_command_type_id type, uint32_t sequence, const void *payload, uint32_t size)
{
    kn_command c = {.type = type,
        .connection = CONNECTION,
        .sequence = sequence,
        .entity = f->hero,
        .payload = payload,
        .size = size};
    assert_int_equal(kn_world_command(f->world, &c, NULL), KN_OK);
}

static void command_meet(fixture *f, uint32_t sequence)
{
    kn_command_activate payload = {.ability = f->ability};
    command(f, kn_command_type_activate(), sequence, &payload, sizeof(payload));
}

static void command_sync(fixture *f, uint32_t sequence, uint32_t use, uint32_t point)
{
    kn_command_sync payload = {.ability = f->ability, .use = use, .point = point};
    command(f, kn_command_type_sync(), sequence, &payload, sizeof(payload));
}

// The requests for sync points of the last step.
static uint32_t requests(const fixture *f, kn_event *last)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_REQUEST &&
            (events.data[i].data.request.parts & KN_REQUEST_PART_SYNC) != 0) {
            *last = events.data[i];
            count++;
        }
    }
    return count;
}

static kn_result result_of_last_command(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    kn_result result = KN_RESULT_COUNT;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_COMMAND) {
            result = events.data[i].data.command.result;
        }
    }
    return result;
}

// The server ----------------------------------------------------------------

// PRED-028, TVA-038: the signal comes 80 ms after the point was reached.
static void a_server_waits_for_the_signal_of_its_client(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    command_meet(f, 7);
    step(f, KN_MS(80));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 7, 0), KN_OK);
    EXPECT_LOG(f, "1 passed @80. ");
    step(f, KN_S(2));
    EXPECT_LOG(f, "");
}

// PRED-030: it is stored and consumed when the point is reached, each for its own point.
static void a_signal_before_its_point_is_kept(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    f->points = 3;
    command_meet(f, 7);
    step(f, KN_MS(10));
    command_sync(f, 8, 7, 1); // the first point is still waited for: signals are of all up to one
    step(f, KN_MS(10));
    assert_int_equal(result_of_last_command(f), KN_OK);
    EXPECT_LOG(f, "1 passed @10. 2 passed @10. ");
    command_sync(f, 9, 7, 1); // again
    step(f, KN_MS(10));
    EXPECT_LOG(f, "");
    command_sync(f, 10, 7, 2);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "3 passed @30. ");
}

// PRED-032, TVA-038: the client never answers.
static void time_limits_end_the_wait_by_policy(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    f->timeout = KN_MS(500);
    command_meet(f, 1);
    step(f, KN_MS(499));
    EXPECT_LOG(f, "");
    step(f, KN_MS(2));
    EXPECT_LOG(f, "1 timed out @500. ");
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
    EXPECT_LOG(f, "Meet: cancelled. ");
    f->expiry = KN_SYNC_CANCEL;
    command_meet(f, 2);
    step(f, KN_MS(498));
    EXPECT_LOG(f, "");
    step(f, KN_MS(3));
    EXPECT_LOG(f, "Meet: cancelled. ");
    kn_activation_id activation;
    assert_int_equal(kn_activations(f->world, f->hero, &activation, 1), 0);
}

// PRED-032: nobody can be made to wait without a limit.
static void the_library_has_a_limit_for_all_sync_points(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    command_meet(f, 1);
    step(f, KN_MS(999));
    EXPECT_LOG(f, "");
    step(f, KN_MS(2));
    EXPECT_LOG(f, "1 timed out @1000. ");
    kn_library_def def = kn_library_def_default();
    assert_int_equal(def.sync_timeout, KN_S(1));
    def.sync_timeout = KN_MS(250);
    kn_library *quick, *other;
    assert_int_equal(kn_library_create(&def, &quick), KN_OK);
    def.sync_timeout = KN_S(1);
    assert_int_equal(kn_library_create(&def, &other), KN_OK);
    assert_int_equal(kn_library_finish(quick, NULL), KN_OK);
    assert_int_equal(kn_library_finish(other, NULL), KN_OK);
    assert_int_not_equal(kn_library_hash(quick), kn_library_hash(other)); // both sides must agree
    kn_library_destroy(quick);
    kn_library_destroy(other);
    kn_assert_set_handler(ignore_assert);
    def.sync_timeout = 0;
    assert_int_equal(kn_library_create(&def, &quick), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void only_the_client_in_question_can_signal(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    command_meet(f, 7);
    step(f, KN_MS(10));
    kn_ability_id stale = {99, 99};
    assert_int_equal(kn_peer_sync(f->world, 5, f->ability, 7, 0), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_sync(f->world, 0, f->ability, 7, 0), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, stale, 7, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 8, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 0, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 7, 257), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_peer_sync(f->world, CONNECTION, f->ability, 7, UINT32_MAX), KN_REFUSED_LIMIT);
    command_sync(f, 8, 6, 0);
    step(f, 0);
    assert_int_equal(result_of_last_command(f), KN_REFUSED_NOT_FOUND);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 7, 256), KN_OK);
    EXPECT_LOG(f, "1 passed @10. ");
}

static void a_server_passes_what_only_clients_wait_for_and_says_so(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    f->wait = KN_SYNC_CLIENT_WAITS;
    command_meet(f, 7);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "1 passed @0. ");
    kn_event event;
    assert_int_equal(requests(f, &event), 1);
    assert_int_equal(event.data.request.use, 7);
    assert_int_equal(event.data.request.point, 0);
    f->wait = KN_SYNC_BOTH_WAIT;
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
    command_meet(f, 8);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "Meet: cancelled. ");
    command_sync(f, 9, 8, 0);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "1 passed @20. ");
    assert_int_equal(requests(f, &event), 1);
}

static void nobody_waits_where_only_one_side_runs_the_ability(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_SERVER_ONLY);
    for (uint32_t wait = 0; wait < KN_SYNC_WAIT_COUNT; wait++) {
        f->wait = (kn_sync_wait)wait;
        (void)activate(f, f->ability);
        EXPECT_LOG(f, "1 passed @0. ");
        assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 0, 0), KN_REFUSED_BLOCKED);
        assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
        f->log[0] = 0;
    }
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 0), KN_OK); // a world alone
    for (uint32_t wait = 0; wait < KN_SYNC_WAIT_COUNT; wait++) {
        f->wait = (kn_sync_wait)wait;
        (void)activate(f, f->ability);
        EXPECT_LOG(f, "1 passed @0. ");
        assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
        f->log[0] = 0;
    }
}

// A server activates it, without a command: the latest activation without one is meant.
static void what_the_server_started_is_found_without_a_command(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_SERVER_INITIATED);
    (void)activate(f, f->ability);
    assert_int_equal(kn_peer_sync(f->world, CONNECTION, f->ability, 0, 0), KN_OK);
    EXPECT_LOG(f, "1 passed @0. ");
}

// The client ----------------------------------------------------------------

// PRED-028: a client goes on at once, and says where it is, point by point.
static void a_client_goes_on_at_once_and_signals(void **state)
{
    fixture *f = *state;
    begin_client(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    f->points = 2;
    command_meet(f, 7);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "1 passed @0. 2 passed @0. ");
    kn_event event;
    assert_int_equal(requests(f, &event), 2);
    assert_true(kn_ability_id_equal(event.data.request.ability, f->ability));
    assert_int_equal(event.data.request.parts, KN_REQUEST_PART_SYNC);
    assert_int_equal(event.data.request.use, 7);
    assert_int_equal(event.data.request.point, 1);
}

static void a_client_waits_for_its_server(void **state)
{
    fixture *f = *state;
    begin_client(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    kn_event event;
    f->wait = KN_SYNC_CLIENT_WAITS;
    command_meet(f, 7);
    step(f, KN_MS(10));
    assert_int_equal(requests(f, &event), 0); // the server waits for nothing
    EXPECT_LOG(f, "");
    assert_int_equal(kn_peer_sync(f->world, 0, f->ability, 7, 0), KN_OK);
    EXPECT_LOG(f, "1 passed @10. ");
    f->wait = KN_SYNC_BOTH_WAIT;
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
    f->log[0] = 0;
    command_meet(f, 8);
    step(f, KN_MS(10));
    assert_int_equal(requests(f, &event), 1);
    command_sync(f, 9, 8, 0); // its own signal is not the server's
    step(f, KN_MS(10));
    EXPECT_LOG(f, "");
    assert_int_equal(kn_peer_sync(f->world, 0, f->ability, 8, 0), KN_OK);
    EXPECT_LOG(f, "1 passed @30. ");
}

// In the line of time that the server confirmed, a client's world waits as the server did.
static void what_is_confirmed_waits_for_the_command_as_the_server_did(void **state)
{
    fixture *f = *state;
    begin_client(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    assert_int_equal(kn_world_set_predicting(f->world, false), KN_OK);
    for (uint32_t wait = 0; wait < KN_SYNC_WAIT_COUNT; wait++) {
        uint64_t unpredicted = kn_world_unpredicted(f->world);
        f->wait = (kn_sync_wait)wait;
        command_meet(f, 10 + 2 * wait);
        step(f, KN_MS(10));
        if (f->wait == KN_SYNC_CLIENT_WAITS) {
            assert_string_not_equal(f->log, "");
        } else {
            EXPECT_LOG(f, "");
            command_sync(f, 11 + 2 * wait, 10 + 2 * wait, 0);
            step(f, KN_MS(10));
            assert_string_not_equal(f->log, "");
        }
        // What a predicting world would have waited for.
        assert_int_equal(
            kn_world_unpredicted(f->world) - unpredicted, f->wait != KN_SYNC_SERVER_WAITS);
        assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
        f->log[0] = 0;
    }
}

// A state that arrived with a task at its point: the command lets it go on ahead of the server.
static void a_client_that_finds_itself_waiting_goes_on_by_its_command(void **state)
{
    fixture *f = *state;
    begin_client(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    assert_int_equal(kn_world_set_predicting(f->world, false), KN_OK);
    command_meet(f, 7);
    step(f, KN_MS(10));
    kn_event event;
    assert_int_equal(requests(f, &event), 1);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_world_set_predicting(f->world, true), KN_OK);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "");
    command_sync(f, 8, 7, 0);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "1 passed @20. ");
}

// Custom tasks --------------------------------------------------------------

static kn_result custom_activate(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_CUSTOM);
    def.type = f->meeting;
    kn_task_id task;
    kn_result result = kn_task_run(call->world, call->activation, &def, &task);
    return result == KN_OK ? kn_task_wait(call->world, task, KN_MS(300)) : result;
}

static void begin_custom(fixture *f)
{
    kn_ability_type_id unused = meet_register(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    (void)unused;
    kn_ability_def def = ability_def(f, "Custom");
    def.activate = custom_activate;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    f->ability = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, CONNECTION), KN_OK);
}

// PRED-031: a sync point in a task of one's own, beside its timer.
static void custom_tasks_have_sync_points(void **state)
{
    fixture *f = *state;
    begin_custom(f);
    f->timeout = KN_MS(200);
    command_meet(f, 1);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "");
    command_sync(f, 2, 1, 0);
    step(f, KN_MS(300));
    EXPECT_LOG(f, "met @100. timer @300. ");
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
    f->log[0] = 0;
    command_meet(f, 3);
    step(f, KN_MS(1000));
    EXPECT_LOG(f, "missed @600. timer @700. ");
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 1);
    f->log[0] = 0;
    f->timeout = 0; // the library's, which is after the timer
    command_meet(f, 4);
    step(f, KN_S(2));
    EXPECT_LOG(f, "timer @1700. missed @2400. ");
}

static void sync_points_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    begin_server(f, KN_NET_EXECUTION_LOCAL_PREDICTED);
    command_meet(f, 1);
    step(f, 0);
    kn_activation_id activation;
    assert_int_equal(kn_activations(f->world, f->hero, &activation, 1), 1);
    kn_task_id task;
    assert_int_equal(kn_tasks(f->world, activation, &task, 1), 1);
    assert_int_equal(kn_task_sync(f->world, task, KN_SYNC_BOTH_WAIT, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_task_sync(f->world, (kn_task_id){9, 9}, KN_SYNC_BOTH_WAIT, 0), KN_REFUSED_STALE_ID);
    kn_task_def def = kn_task_def_default(KN_TASK_NET_SYNC);
    def.sync = KN_SYNC_WAIT_COUNT;
    assert_int_equal(kn_task_create(f->world, activation, &def, &task), KN_ERROR_INVALID_ARGUMENT);
    def.sync = KN_SYNC_BOTH_WAIT;
    def.sync_expiry = KN_SYNC_EXPIRY_COUNT;
    assert_int_equal(kn_task_create(f->world, activation, &def, &task), KN_ERROR_INVALID_ARGUMENT);
    def = kn_task_def_default(KN_TASK_CUSTOM);
    def.type = f->meeting;
    assert_int_equal(kn_task_create(f->world, activation, &def, &task), KN_OK);
    assert_int_equal( // not started
        kn_task_sync(f->world, task, KN_SYNC_BOTH_WAIT, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_task_end(f->world, task), KN_OK);
    assert_int_equal(kn_wait_sync(f->world, activation, 5, KN_SYNC_CLIENT_WAITS), KN_OK);
    EXPECT_LOG(f, "5 passed @0. ");
}

// State ---------------------------------------------------------------------

// What waits at a point goes on alike from a save, a snapshot and a projection.
static void sync_points_are_state(void **state)
{
    fixture *f = *state;
    begin_custom(f);
    command_meet(f, 1);
    step(f, KN_MS(100));
    kn_world *other = world_of(f, kn_world_def_default());
    size_t size;
    void *save = save_of(f->world, &size);
    save_load(other, save, size);
    free(save);
    assert_same_worlds(f->world, other);
    uint64_t hash = kn_world_hash(f->world);
    void *snapshot = snapshot_of(f->world, &size);
    command_sync(f, 2, 1, 0);
    step(f, KN_MS(50));
    EXPECT_LOG(f, "met @100. ");
    assert_int_not_equal(kn_world_hash(f->world), hash);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    assert_int_equal(kn_world_hash(f->world), hash);
    kn_world *first = f->world;
    f->world = other;
    command_sync(f, 2, 1, 0);
    step(f, KN_MS(50));
    EXPECT_LOG(f, "met @100. ");
    f->world = first;
    command_sync(f, 2, 1, 0);
    step(f, KN_MS(50));
    EXPECT_LOG(f, "met @100. ");
    assert_same_worlds(f->world, other);
    kn_world_destroy(other);
}

static const struct CMUnitTest tests[] = {
    TEST(a_server_waits_for_the_signal_of_its_client),
    TEST(a_signal_before_its_point_is_kept),
    TEST(time_limits_end_the_wait_by_policy),
    TEST(the_library_has_a_limit_for_all_sync_points),
    TEST(only_the_client_in_question_can_signal),
    TEST(a_server_passes_what_only_clients_wait_for_and_says_so),
    TEST(nobody_waits_where_only_one_side_runs_the_ability),
    TEST(what_the_server_started_is_found_without_a_command),
    TEST(a_client_goes_on_at_once_and_signals),
    TEST(a_client_waits_for_its_server),
    TEST(what_is_confirmed_waits_for_the_command_as_the_server_did),
    TEST(a_client_that_finds_itself_waiting_goes_on_by_its_command),
    TEST(custom_tasks_have_sync_points),
    TEST(sync_points_that_make_no_sense_are_refused),
    TEST(sync_points_are_state),
};

TEST_GROUP(task_sync, tests, NULL, NULL);
