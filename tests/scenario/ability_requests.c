// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and the client of one player, side by side; the test is the transport between them. What
// a client asks for, what becomes of it, and what no message may ever do.

#define FIXTURE_OWN kn_world *client;

#include "scenario/ability_replay.h"

#define PLAYER 7
#define STRANGER 8
#define KEY 109 // of a prediction: the transport's number for it

static int peers_teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->client);
    return teardown(state);
}

#define PEERS(test) cmocka_unit_test_setup_teardown(test, setup, peers_teardown)

// Another world with the server's state: the same ids for the same things.
static kn_world *joined(fixture *f, uint32_t connection)
{
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    def.connection = connection;
    return world_loaded(f, def);
}

// A server whose hero is the player's and has these abilities, and that player's client.
static void join(fixture *f, const kn_ability_type_id *types, uint32_t count, kn_ability_id *out)
{
    begin(f);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = grant(f, types[i]);
    }
    f->client = joined(f, PLAYER);
}

static kn_ability_id join_one(fixture *f, const kn_ability_def *def)
{
    kn_ability_type_id type = ability_register(f, def);
    kn_ability_id ability;
    join(f, &type, 1, &ability);
    return ability;
}

static void run(kn_world *world, kn_time dt)
{
    assert_int_equal(kn_world_step(world, dt), KN_OK);
    assert_true(kn_world_validate(world));
}

// Publishes; the parts of each request in order, such as "activate; targets+end; ".
static void note_requests(fixture *f)
{
    static const char *const names[] = {
        "activate", "targets", "confirm", "decline", "press", "release", "end", "cancel"};
    run(f->client, 0);
    kn_events events = kn_world_events(f->client);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type != KN_EVENT_REQUEST) {
            continue;
        }
        uint32_t parts = events.data[i].data.request.parts;
        bool is_first = true;
        for (uint32_t bit = 0; bit < 8; bit++) {
            if ((parts >> bit & 1) != 0) {
                note(f, "%s%s", is_first ? "" : "+", names[bit]);
                is_first = false;
            }
        }
        note(f, "; ");
    }
}

static uint32_t count_events(const kn_world *world, kn_event_type type)
{
    kn_events events = kn_world_events(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

static const char *side(const kn_ability_call *call)
{
    return kn_entity_role(call->world, call->owner) == KN_ROLE_SERVER ? "S" : "C";
}

static const char *mode_name(const kn_world *world, kn_activation_id activation)
{
    static const char *const names[KN_ACTIVATION_MODE_COUNT] = {
        "none", "authority", "predicting", "confirmed", "rejected", "remote"};
    return names[kn_activation_get_mode(world, activation)];
}

// The order of things -------------------------------------------------------

static bool log_check(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    note(call->user, "%s can? ", side(call));
    return true;
}

static void log_prepare(const kn_ability_call *call)
{
    note(call->user, "%s prepares, %s. ", side(call), mode_name(call->world, call->activation));
}

// The body leaves a trace among the events: it applies an effect.
static kn_result log_body(const kn_ability_call *call)
{
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(call->world), "Trace");
    note(call->user, "%s body. ", side(call));
    return kn_activation_apply(call->world, call->activation, type, call->owner, NULL);
}

static void log_ended(const kn_ability_call *call, kn_end_reason reason)
{
    note(call->user, "%s %s, %s. ", side(call), kn_end_reason_name(reason),
        mode_name(call->world, call->activation));
}

static kn_ability_def logged(fixture *f, const char *name)
{
    kn_effect_def trace = infinite("Trace");
    effect_register(f, &trace);
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.can_activate = log_check;
    def.pre_activate = log_prepare;
    def.activate = log_body;
    def.ended = log_ended;
    def.user = f;
    return def;
}

// Events of an activation, in the order they are published.
static void note_order(fixture *f, const kn_world *world)
{
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        switch (events.data[i].type) {
        case KN_EVENT_ABILITY_ACTIVATED:
            note(f, "activated. ");
            break;
        case KN_EVENT_REQUEST:
            note(f, "message. ");
            break;
        case KN_EVENT_EFFECT_APPLIED:
            note(f, "trace of the body. ");
            break;
        case KN_EVENT_ABILITY_CONFIRMED:
            note(f, "confirmed. ");
            break;
        default:
            break;
        }
    }
}

// TVA-001, ABI-058, ABI-063, ABI-064, ABI-065
static void a_prediction_is_asked_for_before_its_body_and_confirmed_once(void **state)
{
    fixture *f = *state;
    kn_ability_def def = logged(f, "Cast");
    kn_ability_id ability = join_one(f, &def);
    kn_activation_id predicted, served;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &predicted), KN_OK);
    EXPECT_LOG(f, "C can? C prepares, predicting. C body. ");
    run(f->client, 0);
    note_order(f, f->client);
    EXPECT_LOG(f, "activated. message. trace of the body. ");
    // The server finds the targets itself; its messages come before what its body does.
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_OK);
    EXPECT_LOG(f, "S can? S prepares, authority. S body. ");
    run(f->world, 0);
    note_order(f, f->world);
    EXPECT_LOG(f, "activated. trace of the body. ");
    for (uint32_t i = 0; i < 2; i++) { // a message that came twice
        assert_int_equal(kn_peer_confirm(f->client, predicted), KN_OK);
        assert_int_equal(
            kn_activation_get_mode(f->client, predicted), KN_ACTIVATION_MODE_CONFIRMED);
    }
    run(f->client, 0);
    note_order(f, f->client);
    EXPECT_LOG(f, "confirmed. ");
    // Confirmed is confirmed, and what the server said is not part of what both must agree on.
    assert_int_equal(kn_peer_reject(f->client, predicted), KN_REFUSED_BLOCKED);
    assert_true(kn_world_hash(f->client) == kn_world_hash(f->world));
}

// ABI-063: what does not even start here is not asked for.
static void what_a_client_cannot_start_is_no_message(void **state)
{
    fixture *f = *state;
    kn_ability_def def = logged(f, "Cast");
    def.activation.ignored = tags_of(f, "State.Silenced");
    kn_ability_id ability = join_one(f, &def);
    kn_tag silenced = tag_of(f, "State.Silenced");
    assert_int_equal(
        kn_entity_add_tag(f->client, f->hero, silenced, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    note_requests(f);
    EXPECT_LOG(f, "C can? ");
}

// TVA-002, ABI-064, ABI-066, ABI-067, ABI-068, MAP-073, CST-003, CST-006, ABI-058, ABI-078,
// COM-005: a rejection has its own reason and is not a cancel.
static void a_rejected_prediction_ends_at_once_and_leaves_nothing(void **state)
{
    fixture *f = *state;
    kn_cost_def mana = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_ability_def def = logged(f, "Cast");
    def.activation.ignored = tags_of(f, "State.Silenced");
    def.owned_tags = tags_of(f, "State.Casting");
    def.costs = &mana;
    def.cost_count = 1;
    kn_cooldown_def rest = kn_cooldown_seconds(3.0f);
    def.cooldowns = &rest;
    def.cooldown_count = 1;
    def.commit = KN_COMMIT_AT_USE;
    kn_ability_id ability = join_one(f, &def);
    add_tag(f, f->hero, tag_of(f, "State.Silenced")); // and the client does not know
    uint64_t before = kn_world_hash(f->client);
    size_t size;
    void *snapshot = snapshot_of(f->client, &size);
    struct {
        uint32_t key;
        kn_activation_id activation;
    } sent = {.key = KEY};
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &sent.activation), KN_OK);
    assert_int_equal(kn_effects_count(f->client, f->hero), 1);
    assert_true(kn_attribute_value(f->client, f->hero, f->mana) == 70.0f);
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->client, ability, &remaining, &total));
    assert_int_equal(remaining, KN_S(3));
    f->log[0] = 0;

    kn_activation_id served;
    assert_int_equal(
        kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_REFUSED_BLOCKED);
    assert_int_equal(served.index1, 0);
    EXPECT_LOG(f, "S can? "); // nothing but the question
    kn_event refused = published_event(f, KN_EVENT_ABILITY_FAILED);
    assert_int_equal(refused.data.ability.reasons, KN_FAIL_BLOCKED);
    kn_tag tag;
    assert_int_equal(kn_ability_fail_tags(f->world, refused.data.ability.reasons, &tag, 1), 1);
    assert_string_equal(kn_tag_name(f->library, tag), "Activation.Fail.BlockedByTags");
    char line[128];
    (void)kn_event_print(f->world, &refused, line, sizeof(line));
    assert_non_null(strstr(line, "Cast refused: blocked by tags"));

    // The answer has the key; the client ends it, and goes back to before it began.
    assert_int_equal(sent.key, KEY);
    assert_int_equal(kn_peer_reject(f->client, sent.activation), KN_OK);
    EXPECT_LOG(f, "C rejected, rejected. ");
    assert_false(kn_activation_is_alive(f->client, sent.activation));
    assert_int_equal(kn_peer_reject(f->client, sent.activation), KN_REFUSED_STALE_ID);
    note_requests(f);
    EXPECT_LOG(f, "activate; "); // the server does not need to know the end
    snapshot_restore(f->client, snapshot, size);
    free(snapshot);
    assert_true(kn_world_hash(f->client) == before);
    assert_int_equal(kn_effects_count(f->client, f->hero), 0);
    assert_true(kn_attribute_value(f->client, f->hero, f->mana) == 100.0f);
    assert_false(kn_ability_cooldown(f->client, ability, &remaining, &total));
    assert_false(kn_entity_has_tag(f->client, f->hero, tag_of(f, "State.Casting")));
    // What was mispredicted does not shift the random numbers of what comes after it.
    remove_tag(f, f->hero, tag_of(f, "State.Silenced"));
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &sent.activation), KN_OK);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_OK);
    assert_true(
        kn_activation_seed(f->client, sent.activation) == kn_activation_seed(f->world, served));
}

static bool hears_big_ones(const kn_ability_call *call, const kn_event_record *event)
{
    note(call->user, "%s asked. ", side(call));
    return event->magnitude > (side(call)[0] == 'S' ? 20.0f : 10.0f); // the server is stricter
}

static kn_result note_payload_of_event(const kn_ability_call *call, const kn_event_record *event)
{
    kn_event_record kept;
    assert_true(kn_activation_event(call->world, call->activation, &kept));
    assert_true(kept.magnitude == event->magnitude);
    note(call->user, "%s runs with %g, %u, %u. ", side(call), (double)event->magnitude,
        (uint32_t)event->object, (uint32_t)event->object2);
    return KN_OK;
}

// The activation in the client's last request.
static kn_activation_id requested(const fixture *f)
{
    kn_activation_id activation = {0};
    kn_events events = kn_world_events(f->client);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_REQUEST) {
            activation = events.data[i].data.request.activation;
        }
    }
    return activation;
}

// ABI-056, ABI-094, CHG-012: each side asks for itself whether an event is for the ability, and
// what the client was activated with reaches the server whole.
static void an_event_is_judged_on_both_sides(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger = {.tag = tag_of(f, "Event.Hit"), .source = KN_TRIGGER_SOURCE_EVENT};
    kn_ability_def def = ability_def(f, "React");
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.responds = hears_big_ones;
    def.activate_by_event = note_payload_of_event;
    def.ended = NULL;
    kn_ability_id ability = join_one(f, &def);
    const float magnitudes[3] = {5.0f, 15.0f, 25.0f};
    const char *const expected[3] = {"C asked. ", "C asked. C runs with 15, 7, 8. S asked. ",
        "C asked. C runs with 25, 7, 8. S asked. S runs with 25, 7, 8. "};
    for (uint32_t i = 0; i < 3; i++) {
        kn_event_record event = kn_event_record_default(), sent;
        event.magnitude = magnitudes[i];
        event.object = 7;
        event.object2 = 8;
        assert_int_equal(kn_event_send(f->client, f->hero, tag_of(f, "Event.Hit"), &event), KN_OK);
        run(f->client, 0);
        if (kn_activation_event(f->client, requested(f), &sent)) { // the message
            assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, &sent, NULL),
                i == 2 ? KN_OK : KN_REFUSED_NOT_FOUND);
        }
        EXPECT_LOG(f, expected[i]);
        assert_int_equal(kn_ability_cancel(f->client, ability), KN_OK);
    }
}

// ABI-066: not cancelable means by nobody else, not by the server.
static void a_rejection_ends_what_cannot_be_cancelled(void **state)
{
    fixture *f = *state;
    kn_ability_def def = logged(f, "Cast");
    kn_ability_id ability = join_one(f, &def);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &activation), KN_OK);
    assert_int_equal(kn_activation_set_cancelable(f->client, activation, false), KN_OK);
    assert_int_equal(kn_activation_cancel(f->client, activation), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_reject(f->client, activation), KN_OK);
    assert_false(kn_activation_is_alive(f->client, activation));
}

// Policies ------------------------------------------------------------------

static kn_result note_place(const kn_ability_call *call)
{
    note(call->user, "%s runs on %s. ", ability_name(call), side(call));
    return KN_OK;
}

// One ability for each policy.
static void join_policies(fixture *f, kn_ability_id *abilities)
{
    static const char *const names[] = {"Predicted", "Local", "Server", "First"};
    kn_ability_type_id types[KN_NET_EXECUTION_COUNT];
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = note_place;
        def.ended = NULL;
        def.net_execution = (kn_net_execution)i;
        types[i] = ability_register(f, &def);
    }
    join(f, types, KN_NET_EXECUTION_COUNT, abilities);
}

// ABI-006, ABI-063: of the four policies, one makes a client predict and send.
static void the_policy_decides_whether_an_ability_is_predicted(void **state)
{
    fixture *f = *state;
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    join_policies(f, abilities);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        bool runs = i == KN_NET_EXECUTION_LOCAL_PREDICTED || i == KN_NET_EXECUTION_LOCAL_ONLY;
        assert_int_equal(kn_ability_activate(f->client, abilities[i], NULL, NULL),
            runs ? KN_OK : KN_REFUSED_BLOCKED);
        note_requests(f);
    }
    EXPECT_LOG(f, "Predicted runs on C. activate; Local runs on C. ");
}

// ABI-068
static void an_activation_knows_what_it_is_to_its_machine(void **state)
{
    fixture *f = *state;
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    join_policies(f, abilities);
    static const char *const on_client[] = {"predicting", "authority", "none", "remote"};
    static const char *const on_server[] = {"authority", "none", "authority", "authority"};
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_activation_id activation;
        if (i == KN_NET_EXECUTION_SERVER_ONLY ||
            i == KN_NET_EXECUTION_SERVER_INITIATED) { // the server says so
            (void)kn_peer_activate(f->client, 0, abilities[i], NULL, &activation);
        } else {
            (void)kn_ability_activate(f->client, abilities[i], NULL, &activation);
        }
        assert_string_equal(mode_name(f->client, activation), on_client[i]);
        if (i == KN_NET_EXECUTION_LOCAL_PREDICTED) {
            assert_int_equal(kn_peer_confirm(f->client, activation), KN_OK);
            assert_string_equal(mode_name(f->client, activation), "confirmed");
        }
        (void)kn_peer_activate(f->world, PLAYER, abilities[i], NULL, &activation);
        assert_string_equal(mode_name(f->world, activation), on_server[i]);
    }
    EXPECT_LOG(f, "Predicted runs on C. Predicted runs on S. Local runs on C. Server runs on "
                  "S. First runs on C. First runs on S. ");
    // Whoever only looks on has what the server has.
    kn_world *observer = joined(f, STRANGER);
    kn_activation_id running[3];
    assert_int_equal(kn_activations(observer, f->hero, running, 3), 3);
    assert_string_equal(mode_name(observer, running[0]), "remote");
    assert_int_equal(kn_peer_confirm(observer, running[0]), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_reject(observer, running[0]), KN_REFUSED_BLOCKED);
    kn_world_destroy(observer);
}

static void expect_refusal(
    const fixture *f, kn_world *world, kn_ability_id ability, const char *text)
{
    char found[128];
    assert_int_equal(kn_ability_check(world, ability, NULL), KN_FAIL_NETWORKING);
    assert_int_equal(kn_ability_activate(world, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    (void)kn_ability_explain_print(world, ability, NULL, found, sizeof(found));
    assert_string_equal(found, text);
    kn_tag tag;
    assert_int_equal(kn_ability_fail_tags(world, KN_FAIL_NETWORKING, &tag, 1), 1);
    assert_string_equal(kn_tag_name(f->library, tag), "Activation.Fail.Networking");
}

// ABI-069, TRB-001, ASC-046: told apart are a machine that has no say and one that was never told
// whose the entity is.
static void a_predicted_ability_does_not_start_where_its_player_is_not(void **state)
{
    fixture *f = *state;
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    join_policies(f, abilities);
    expect_refusal(f, f->world, abilities[KN_NET_EXECUTION_LOCAL_PREDICTED],
        "Predicted: not allowed on this machine");
    expect_refusal(
        f, f->world, abilities[KN_NET_EXECUTION_LOCAL_ONLY], "Local: not allowed on this machine");
    kn_world *stranger = joined(f, STRANGER), *nobody = joined(f, 0);
    expect_refusal(f, stranger, abilities[KN_NET_EXECUTION_LOCAL_PREDICTED],
        "Predicted: not allowed on this machine");
    expect_refusal(f, nobody, abilities[KN_NET_EXECUTION_LOCAL_ONLY],
        "Local: not allowed on this machine (this client has no connection)");
    assert_int_equal(kn_entity_set_connection(f->client, f->hero, 0), KN_OK);
    expect_refusal(f, f->client, abilities[KN_NET_EXECUTION_LOCAL_PREDICTED],
        "Predicted: not allowed on this machine (its owner has no connection)");
    kn_world_destroy(stranger);
    kn_world_destroy(nobody);
    EXPECT_LOG(f, "");
}

static kn_result tick_for_ever(const kn_ability_call *call)
{
    note(call->user, "%s starts on %s. ", ability_name(call), side(call));
    kn_task_def def = kn_task_def_default(KN_TASK_REPEAT);
    def.interval = KN_MS(100);
    return kn_task_run(call->world, call->activation, &def, NULL);
}

// ABI-073, TASK-007: a passive of the server's neither starts nor waits on a client.
static void a_passive_of_the_server_runs_there_only(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Passive");
    def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    def.activates_on_grant = true;
    def.activate = tick_for_ever;
    kn_ability_type_id type = ability_register(f, &def);
    join(f, NULL, 0, NULL);
    kn_ability_id ability = grant(f, type);
    EXPECT_LOG(f, "Passive starts on S. ");
    assert_int_equal(kn_task_count(f->world), 1);
    // The client learns of the ability, not of what runs; a new body does not start it either.
    kn_activation_id running;
    assert_int_equal(kn_activations(f->world, f->hero, &running, 1), 1);
    assert_int_equal(kn_activation_end(f->world, running), KN_OK);
    kn_world_destroy(f->client);
    f->client = joined(f, PLAYER);
    f->log[0] = 0;
    kn_entity_id body;
    assert_int_equal(kn_entity_create(f->client, &body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->client, f->hero, body), KN_OK);
    run(f->client, KN_S(1));
    assert_true(kn_ability_is_alive(f->client, ability));
    assert_false(kn_ability_is_active(f->client, ability));
    assert_int_equal(kn_task_count(f->client), 0);
    EXPECT_LOG(f, "");
}

// TASK-007: where the ability does not run, neither do its tasks.
static void tasks_are_where_their_ability_is(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"Predicted", "Local", "Server", "First"};
    static const uint32_t client_tasks[] = {1, 1, 0, 0}, server_tasks[] = {1, 0, 1, 1};
    kn_ability_type_id types[KN_NET_EXECUTION_COUNT];
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = tick_for_ever;
        def.net_execution = (kn_net_execution)i;
        types[i] = ability_register(f, &def);
    }
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    join(f, types, KN_NET_EXECUTION_COUNT, abilities);
    kn_world *observer = joined(f, STRANGER);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        uint32_t before[2] = {kn_task_count(f->client), kn_task_count(f->world)};
        (void)kn_ability_activate(f->client, abilities[i], NULL, NULL);
        (void)kn_ability_activate(observer, abilities[i], NULL, NULL);
        (void)kn_peer_activate(f->world, PLAYER, abilities[i], NULL, NULL);
        assert_int_equal(kn_task_count(f->client) - before[0], client_tasks[i]);
        assert_int_equal(kn_task_count(f->world) - before[1], server_tasks[i]);
    }
    assert_int_equal(kn_task_count(observer), 0);
    kn_world_destroy(observer);
}

static void wound(void *user, kn_execution *execution)
{
    fixture *f = user;
    const kn_world *world = kn_execution_world(execution);
    kn_entity_id target = kn_execution_target(execution);
    float share = kn_attribute_value(world, target, f->health) / 4.0f;
    kn_execution_output(execution, f->health, 0, KN_OP_ADD, -share);
}

static kn_result strike(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(call->world), "Wound");
    kn_result result = kn_activation_apply(call->world, call->activation, type, f->foe, NULL);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

// GAPA-003, GAPE-019: an execution is a rule like any other: a client that predicts its ability
// runs it and comes to the server's number; where the ability does not run, neither does it.
static void executions_run_where_their_ability_runs(void **state)
{
    fixture *f = *state;
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Wound";
    execution.function = wound;
    execution.user = f;
    kn_execution_use use = {.modifiers = NULL};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def effect = instant("Wound");
    effect.executions = &use;
    effect.execution_count = 1;
    effect_register(f, &effect);
    static const char *const names[] = {"Predicted", "Local", "Server", "First"};
    static const float client_health[] = {75.0f, 56.25f, 56.25f, 56.25f};
    static const float server_health[] = {75.0f, 75.0f, 56.25f, 42.1875f};
    kn_ability_type_id types[KN_NET_EXECUTION_COUNT];
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = strike;
        def.ended = NULL;
        def.net_execution = (kn_net_execution)i;
        types[i] = ability_register(f, &def);
    }
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    join(f, types, KN_NET_EXECUTION_COUNT, abilities);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        (void)kn_ability_activate(f->client, abilities[i], NULL, NULL);
        (void)kn_peer_activate(f->world, PLAYER, abilities[i], NULL, NULL);
        assert_true(kn_attribute_value(f->client, f->foe, f->health) == client_health[i]);
        assert_true(kn_attribute_value(f->world, f->foe, f->health) == server_health[i]);
    }
}

static kn_result drain(const kn_ability_call *call)
{
    const fixture *f = call->user;
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(call->world), "Drain");
    kn_result result = kn_activation_apply(call->world, call->activation, type, f->foe, NULL);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

// MMC-001: a calculation can be predicted: the client comes to the server's number.
static void a_calculation_gives_the_same_number_on_both_sides(void **state)
{
    fixture *f = *state;
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Drain";
    calculation.expression = "-0.3 * source.Vitals.Mana - target.Vitals.Stamina / 7";
    kn_calculation_id id;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &id, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_calculation(id);
    kn_effect_def effect = instant("Drain");
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    effect_register(f, &effect);
    kn_ability_def def = ability_def(f, "Drain");
    def.activate = drain;
    def.ended = NULL;
    kn_ability_id ability = join_one(f, &def);
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, NULL), KN_OK);
    float predicted = kn_attribute_value(f->client, f->foe, f->health);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 100.0f);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, NULL), KN_OK);
    float served = kn_attribute_value(f->world, f->foe, f->health);
    assert_memory_equal(&predicted, &served, sizeof(served));
    assert_float_equal(served, 100.0f - 30.0f - 100.0f / 7.0f, 1e-4f);
}

// Ends ----------------------------------------------------------------------

// The same job takes the client 0.1 s and the server 0.5 s.
static kn_result hurry(const kn_ability_call *call)
{
    bool is_server = kn_entity_role(call->world, call->owner) == KN_ROLE_SERVER;
    return kn_wait_delay(call->world, call->activation, 0, KN_MS(is_server ? 500 : 100));
}

static void hurried(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static void note_end(const kn_ability_call *call, kn_end_reason reason)
{
    note(call->user, "%s %s @%d. ", side(call), kn_end_reason_name(reason),
        (int)(kn_world_now(call->world) / 1000));
}

static void play_ends(fixture *f, kn_ability_id ability, kn_result expected)
{
    kn_activation_id served;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, NULL), KN_OK);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_OK);
    for (uint32_t i = 0; i < 6; i++) {
        run(f->client, KN_MS(100));
        run(f->world, KN_MS(100));
        kn_events events = kn_world_events(f->client);
        for (uint32_t e = 0; e < events.count; e++) {
            if (events.data[e].type == KN_EVENT_REQUEST &&
                (events.data[e].data.request.parts & KN_REQUEST_PART_END) != 0) {
                assert_int_equal(kn_peer_end(f->world, PLAYER, served, false), expected);
            }
        }
    }
}

static kn_ability_def hurrying(fixture *f, const char *name, bool is_respected)
{
    kn_ability_def def = ability_def(f, name);
    def.activate = hurry;
    def.task_done = hurried;
    def.ended = note_end;
    def.respects_remote_cancel = is_respected;
    return def;
}

// TVA-026, ABI-019
static void the_end_on_the_client_ends_the_server_only_if_it_is_respected(void **state)
{
    fixture *f = *state;
    kn_ability_def on = hurrying(f, "On", true), off = hurrying(f, "Off", false);
    kn_ability_type_id types[2] = {ability_register(f, &on), ability_register(f, &off)};
    kn_ability_id abilities[2];
    join(f, types, 2, abilities);
    play_ends(f, abilities[0], KN_OK);
    EXPECT_LOG(f, "C ended @100. S remote @100. ");
    play_ends(f, abilities[1], KN_REFUSED_BLOCKED);
    EXPECT_LOG(f, "C ended @700. S ended @1100. ");
}

// ABI-019, ABI-136: a cancellation counts as an end does, and security comes before the flag.
static void a_cancel_from_the_client_passes_flag_and_security(void **state)
{
    fixture *f = *state;
    kn_ability_def defs[3] = {
        hurrying(f, "On", true), hurrying(f, "Off", false), hurrying(f, "Secure", true)};
    defs[2].net_security = KN_NET_SECURITY_SERVER_ONLY_TERMINATION;
    kn_ability_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        types[i] = ability_register(f, &defs[i]);
    }
    kn_ability_id abilities[3];
    join(f, types, 3, abilities);
    for (uint32_t i = 0; i < 3; i++) {
        kn_activation_id served;
        assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[i], NULL, &served), KN_OK);
        assert_int_equal(
            kn_peer_end(f->world, STRANGER, served, true), KN_REFUSED_BLOCKED); // not his
        assert_int_equal(kn_peer_end(f->world, 0, served, true), KN_REFUSED_BLOCKED);
        assert_int_equal(
            kn_peer_end(f->world, PLAYER, served, true), i == 0 ? KN_OK : KN_REFUSED_BLOCKED);
        assert_int_equal(kn_activation_is_alive(f->world, served), i != 0);
    }
    // On a client the server's word is enough.
    kn_activation_id predicted;
    assert_int_equal(kn_ability_activate(f->client, abilities[1], NULL, &predicted), KN_OK);
    assert_int_equal(kn_peer_end(f->client, PLAYER, predicted, true), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_end(f->client, 0, predicted, true), KN_OK);
    note_requests(f);
    EXPECT_LOG(f, "S remote @0. C remote @0. activate; ");
}

// TVA-025, ABI-136: four policies and what a client may ask for: to begin, to end and to cancel.
static void security_decides_what_becomes_of_a_message(void **state)
{
    fixture *f = *state;
    static const char *const names[KN_NET_SECURITY_COUNT] = {
        [KN_NET_SECURITY_CLIENT_OR_SERVER] = "Both",
        [KN_NET_SECURITY_SERVER_ONLY_EXECUTION] = "NoBegin",
        [KN_NET_SECURITY_SERVER_ONLY_TERMINATION] = "NoEnd",
        [KN_NET_SECURITY_SERVER_ONLY_ALL] = "Neither",
    };
    kn_ability_type_id types[KN_NET_SECURITY_COUNT];
    for (uint32_t i = 0; i < KN_NET_SECURITY_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.ended = NULL;
        def.net_execution = KN_NET_EXECUTION_SERVER_ONLY; // so that the server may begin it too
        def.net_security = (kn_net_security)i;
        def.respects_remote_cancel = true;
        types[i] = ability_register(f, &def);
    }
    kn_ability_id abilities[KN_NET_SECURITY_COUNT];
    join(f, types, KN_NET_SECURITY_COUNT, abilities);
    for (uint32_t i = 0; i < KN_NET_SECURITY_COUNT; i++) {
        bool begins =
            i == KN_NET_SECURITY_CLIENT_OR_SERVER || i == KN_NET_SECURITY_SERVER_ONLY_TERMINATION;
        bool ends =
            i == KN_NET_SECURITY_CLIENT_OR_SERVER || i == KN_NET_SECURITY_SERVER_ONLY_EXECUTION;
        kn_activation_id running;
        assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[i], NULL, &running),
            begins ? KN_OK : KN_REFUSED_BLOCKED);
        assert_int_equal(kn_ability_is_active(f->world, abilities[i]), begins);
        assert_int_equal(kn_ability_cancel(f->world, abilities[i]), KN_OK);
        for (uint32_t cancels = 0; cancels < 2; cancels++) {
            running = activate(f, abilities[i]);
            assert_int_equal(kn_peer_end(f->world, PLAYER, running, cancels == 1),
                ends ? KN_OK : KN_REFUSED_BLOCKED);
            assert_int_equal(kn_activation_is_alive(f->world, running), !ends);
            assert_int_equal(kn_ability_cancel(f->world, abilities[i]), KN_OK);
        }
    }
}

// ABI-136, ABI-137: of what nobody plays, and of what the player at the server itself does, no
// message is obeyed, whatever connection it claims to come from.
static void what_is_the_servers_own_obeys_no_message(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Cast");
    def.ended = NULL;
    def.respects_remote_cancel = true;
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.connection = PLAYER;
    begin_with(f, world);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, PLAYER), KN_OK);
    const kn_entity_id owners[2] = {f->hero, f->foe}; // the foe is nobody's
    const uint32_t claims[3] = {0, PLAYER, STRANGER};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_id ability = grant_to(f, owners[i], type);
        assert_int_equal(kn_entity_role(f->world, owners[i]), KN_ROLE_AUTHORITY);
        kn_activation_id running;
        for (uint32_t c = 0; c < 3; c++) {
            assert_int_equal(
                kn_peer_activate(f->world, claims[c], ability, NULL, &running), KN_REFUSED_BLOCKED);
            assert_int_equal(running.index1, 0);
        }
        running = activate(f, ability);
        for (uint32_t c = 0; c < 3; c++) {
            assert_int_equal(kn_peer_end(f->world, claims[c], running, true), KN_REFUSED_BLOCKED);
            assert_true(kn_activation_is_alive(f->world, running));
        }
    }
}

// What travels --------------------------------------------------------------

static void tap(kn_world *world, kn_entity_id entity, uint32_t input)
{
    assert_int_equal(kn_input_press(world, entity, input), KN_OK);
    assert_int_equal(kn_input_release(world, entity, input), KN_OK);
}

// ABI-031, ABI-020
static void presses_are_sent_while_an_ability_runs_that_wants_it(void **state)
{
    fixture *f = *state;
    kn_ability_def sends = ability_def(f, "Sends"), keeps = ability_def(f, "Keeps");
    sends.input = 3;
    sends.sends_input = true;
    sends.no_activation_by_input = true;
    keeps.input = 4;
    kn_ability_type_id types[2] = {ability_register(f, &sends), ability_register(f, &keeps)};
    kn_ability_id abilities[2];
    join(f, types, 2, abilities);
    tap(f->client, f->hero, 3); // it does not run
    tap(f->client, f->hero, 4);
    tap(f->client, f->hero, 4);
    f->log[0] = 0;
    note_requests(f);
    EXPECT_LOG(f, "activate; "); // of the one that keeps its presses
    assert_int_equal(kn_ability_activate(f->client, abilities[0], NULL, NULL), KN_OK);
    tap(f->client, f->hero, 3);
    assert_int_equal(kn_ability_cancel(f->client, abilities[0]), KN_OK);
    tap(f->client, f->hero, 3);
    f->log[0] = 0;
    note_requests(f);
    EXPECT_LOG(f, "activate; press; release; cancel; ");
    // An authority sends nothing.
    assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[0], NULL, NULL), KN_OK);
    tap(f->world, f->hero, 3);
    run(f->world, 0);
    assert_int_equal(count_events(f->world, KN_EVENT_REQUEST), 0);
}

typedef struct scratch {
    uint32_t ticks;
    uint8_t garbage[60];
} scratch;

static void scribble(const kn_ability_call *call, const kn_task_result *result)
{
    scratch *s = kn_activation_state(call->world, call->activation);
    s->ticks = result->data.repeat.index;
    memset(s->garbage, (int)s->ticks, sizeof(s->garbage));
}

// The bits of kn_part that changed on the server since it was asked last.
static uint32_t changed_parts(const fixture *f, uint64_t *version)
{
    uint32_t changed = kn_changes_since(f->world, f->hero, *version).changed;
    *version = kn_changes_version(f->world);
    return changed;
}

// Sends what the player may see of the hero's abilities.
static void send_abilities(const fixture *f)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = KN_VIEWER_OWNER;
    filter.parts = 1u << KN_PART_ENTITY | 1u << KN_PART_ABILITIES;
    size_t size;
    assert_int_equal(kn_projection_take(f->world, &f->hero, 1, &filter, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_int_equal(kn_projection_take(f->world, &f->hero, 1, &filter, bytes, size, &size), KN_OK);
    assert_int_equal(kn_projection_write(f->client, bytes, size, NULL), KN_OK);
    free(bytes);
}

// ABI-103, ABI-109, ABI-122: what is set on the server is a change to send, unless it was so
// already, and what was sent is on the client.
static void what_changes_about_an_ability_is_sent_and_nothing_else(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Element.Fire");
    kn_ability_def def = ability_def(f, "Cast");
    kn_ability_id ability = join_one(f, &def), same = ability;
    kn_activation_id running;
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &running), KN_OK);
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    const uint32_t abilities = 1u << KN_PART_ABILITIES;
    uint64_t version = kn_changes_version(f->world);
    for (uint32_t i = 0; i < 2; i++) { // the second time nothing is new
        uint32_t expected = i == 0 ? abilities : 0;
        assert_int_equal(kn_ability_set_level(f->world, &ability, 3.0f), KN_OK);
        assert_int_equal(changed_parts(f, &version), expected);
        assert_int_equal(kn_ability_add_tag(f->world, ability, fire), KN_OK);
        assert_int_equal(changed_parts(f, &version), expected);
        assert_int_equal(kn_ability_set_input(f->world, ability, 6), KN_OK);
        assert_int_equal(changed_parts(f, &version), expected);
        assert_int_equal(kn_ability_set_user(f->world, ability, 9), KN_OK);
        assert_int_equal(changed_parts(f, &version), expected);
        assert_int_equal(kn_ability_set_caller_value(f->world, ability, fire, 2.0f), KN_OK);
        assert_int_equal(changed_parts(f, &version), expected);
    }
    assert_true(kn_ability_id_equal(ability, same));
    assert_true(kn_ability_level(f->client, ability) == 1.0f);
    send_abilities(f);
    kn_ability_info info;
    assert_true(kn_ability_get(f->client, ability, &info));
    assert_true(info.level == 3.0f && info.input == 6 && info.user == 9);
    assert_true(kn_ability_has_tag(f->client, ability, fire));
    assert_true(kn_ability_caller_value(f->client, ability, fire, 0.0f) == 2.0f);
    assert_true(kn_activation_is_alive(f->world, running)); // it was not interrupted
    assert_true(kn_activation_is_alive(f->client, running));
    // And away again.
    assert_int_equal(kn_ability_remove_tag(f->world, ability, fire), KN_OK);
    assert_int_equal(changed_parts(f, &version), abilities);
    send_abilities(f);
    assert_false(kn_ability_has_tag(f->client, ability, fire));
}

// ABI-122: the server raises a level, and whoever gets its state has it, with what runs.
static void a_raised_level_reaches_the_client_and_what_runs_goes_on(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Scribble");
    def.activate = tick_for_ever;
    def.task_done = scribble;
    def.state_size = sizeof(scratch);
    kn_ability_id ability = join_one(f, &def), same = ability;
    kn_activation_id served;
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_OK);
    assert_int_equal(kn_ability_set_level(f->world, &ability, 3.0f), KN_OK);
    assert_true(kn_ability_id_equal(ability, same));
    assert_true(kn_activation_is_alive(f->world, served));
    kn_world *client = joined(f, PLAYER);
    assert_true(kn_ability_level(client, ability) == 3.0f);
    assert_true(kn_activation_is_alive(client, served));
    run(client, KN_S(1));
    assert_true(kn_activation_is_alive(client, served));
    kn_world_destroy(client);
}

static kn_result make_and_apply(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_modifier_def modifier = kn_modifier_constant(f->mana, KN_OP_ADD, -25.0f);
    kn_effect_def def = instant("Made");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(call->world, &def, &type, NULL), KN_OK);
    return kn_activation_apply(call->world, call->activation, type, call->owner, NULL);
}

// DYN-002: an instant effect made in the body of a predicted ability, on both sides; a rollback
// takes the guess back.
static void a_predicted_ability_makes_an_effect(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Make");
    def.activate = make_and_apply;
    kn_ability_id ability = join_one(f, &def);
    uint64_t before = kn_world_hash(f->client);
    size_t size;
    void *snapshot = snapshot_of(f->client, &size);
    kn_activation_id here;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &here), KN_OK);
    assert_string_equal(mode_name(f->client, here), "predicting");
    assert_true(kn_attribute_value(f->client, f->hero, f->mana) == 75.0f);
    assert_int_equal(kn_peer_reject(f->client, here), KN_OK);
    snapshot_restore(f->client, snapshot, size);
    free(snapshot);
    assert_true(kn_world_hash(f->client) == before);
    assert_true(kn_attribute_value(f->client, f->hero, f->mana) == 100.0f);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, f->hero, f->mana) == 75.0f);
}

static bool is_robbed; // the mana is gone when the body wants to pay

static void rob(const kn_ability_call *call)
{
    const fixture *f = call->user;
    if (is_robbed) {
        assert_int_equal(kn_attribute_set_base(call->world, call->owner, f->mana, 0, 1.0f), KN_OK);
    }
}

// Pays, builds an effect, makes its spec and applies that to the owner; without pay none of it.
static kn_result pay_and_override(const kn_ability_call *call)
{
    fixture *f = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    if (result != KN_OK) {
        return result;
    }
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_OVERRIDE, 42.0f);
    kn_effect_def def = instant("FortyTwo");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_apply_def made = kn_effect_apply_def_default();
    assert_int_equal(kn_world_effect_register(call->world, &def, &made.type, NULL), KN_OK);
    made.source = call->owner;
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(call->world, &made, &spec), KN_OK);
    assert_int_equal(kn_spec_apply(call->world, spec, call->owner, NULL), KN_OK);
    kn_spec_destroy(call->world, spec);
    note(f, "%s made it. ", side(call));
    return kn_activation_end(call->world, call->activation);
}

// DYN-004, DYN-006, GAPE-020: paid, the effect is made and applied by its spec; with a refused
// commit the ability ends, once, and nothing is made.
static void a_refused_commit_ends_the_ability_before_it_makes_its_effect(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(30.0f)};
    kn_ability_def def = ability_def(f, "Make");
    def.pre_activate = rob;
    def.activate = pay_and_override;
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_id ability = join_one(f, &def);
    kn_world *const worlds[] = {f->client, f->world};
    is_robbed = false;
    kn_activation_id here;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &here), KN_OK);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, NULL), KN_OK);
    EXPECT_LOG(f, "C made it. Make: ended. S made it. Make: ended. ");
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_attribute_base(worlds[i], f->hero, f->health) == 42.0f);
        assert_true(kn_attribute_base(worlds[i], f->hero, f->mana) == 70.0f);
        assert_int_equal(kn_attribute_set_base(worlds[i], f->hero, f->health, 0, 90.0f), KN_OK);
    }
    is_robbed = true;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &here), KN_REFUSED_COST);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, NULL), KN_REFUSED_COST);
    EXPECT_LOG(f, "Make: failed. Make: failed. ");
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_attribute_base(worlds[i], f->hero, f->health) == 90.0f);
        assert_false(kn_ability_is_active(worlds[i], ability));
    }
    assert_int_equal(kn_activation_end(f->client, here), KN_REFUSED_STALE_ID);
    EXPECT_LOG(f, "");
}

// ABI-018: the state of an activation is local to its machine; it is not sent.
static void the_state_of_an_activation_does_not_travel(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Scribble");
    def.state_size = sizeof(scratch);
    def.activate = tick_for_ever;
    def.task_done = scribble;
    kn_ability_id ability = join_one(f, &def);
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, NULL), KN_OK);
    kn_activation_id served;
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &served), KN_OK);
    run(f->client, 0);
    run(f->world, 0);
    uint64_t now = kn_world_hash(f->client);
    run(f->client, KN_S(1));
    assert_true(kn_world_hash(f->client) != now); // ten times
    assert_int_equal(kn_world_events(f->client).count, 0);
    const scratch *there = kn_activation_state(f->world, served);
    assert_int_equal(there->ticks, 0); // the server's own, where no time has passed
}

static kn_result await_event(const kn_ability_call *call)
{
    fixture *f = call->user;
    return kn_wait_event(call->world, call->activation, 1, tag_of(f, "Event.Hit"));
}

static void note_payload(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "%s hears %g. ", side(call), (double)result->data.event->magnitude);
}

// ABI-095: an awaited event has its payload, and stays on the machine where it was sent.
static void an_awaited_event_is_not_sent_to_the_other_side(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Await");
    tag_of(f, "Event.Hit");
    def.activate = await_event;
    def.task_done = note_payload;
    kn_ability_id ability = join_one(f, &def);
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, NULL), KN_OK);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, NULL), KN_OK);
    note_requests(f);
    kn_event_record hit = kn_event_record_default();
    hit.magnitude = 12.5f;
    assert_int_equal(kn_event_send(f->client, f->hero, tag_of(f, "Event.Hit"), &hit), KN_OK);
    note_requests(f);
    EXPECT_LOG(f, "activate; C hears 12.5. ");
    assert_int_equal(kn_task_count(f->world), 1); // the server still waits
}

// A record of the game's own: where a door handle was gripped, and how hard.
typedef struct grip {
    kn_entity_id door;
    float strength;
    uint32_t fingers;
} grip;

static bool find_grip(const kn_targeting_call *call, kn_target_data *out)
{
    const kn_library *library = kn_world_library(call->world);
    grip record = {call->owner, 0.75f, 4};
    return kn_target_add(library, out, kn_target_type_find(library, "Grip"), &record) == KN_OK;
}

static bool grip_is_possible(const kn_targeting_call *call, kn_target_view data)
{
    kn_target_type_id type = kn_target_type_find(kn_world_library(call->world), "Grip");
    const grip *record = kn_target_get(data, 0, type);
    return record != NULL && record->fingers <= 5 && kn_entity_is_alive(call->world, record->door);
}

static kn_result take_aim(const kn_ability_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = kn_targeting_find(library, "Hand");
    def.confirm = KN_CONFIRM_CUSTOM;
    def.name = kn_name_find(library, "Aim");
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void note_grip(const kn_ability_call *call, const kn_task_result *result)
{
    kn_target_type_id type = kn_target_type_find(kn_world_library(call->world), "Grip");
    const grip *record = kn_target_get(result->data.targets, 0, type);
    note(call->user, "%s grips with %u at %g. ", side(call), record->fingers,
        (double)record->strength);
}

static void hand_register(fixture *f)
{
    const kn_field fields[] = {KN_FIELD_INIT("door", KN_FIELD_ENTITY, offsetof(grip, door), 1),
        KN_FIELD_INIT("strength", KN_FIELD_F32, offsetof(grip, strength), 1),
        KN_FIELD_INIT("fingers", KN_FIELD_U32, offsetof(grip, fingers), 1)};
    kn_target_type_def type = kn_target_type_def_default();
    type.name = "Grip";
    type.size = sizeof(grip);
    type.fields = fields;
    type.field_count = 3;
    kn_target_type_id id;
    assert_int_equal(kn_target_type_register(f->library, &type, &id, NULL), KN_OK);
    kn_targeting_def hand = kn_targeting_def_default();
    hand.name = "Hand";
    hand.shape = KN_SHAPE_CUSTOM;
    hand.find = find_grip;
    hand.validate = grip_is_possible;
    kn_targeting_id targeting;
    assert_int_equal(kn_targeting_register(f->library, &hand, &targeting, NULL), KN_OK);
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "Aim", &name, NULL), KN_OK);
}

// The target data of the client's last request, as bytes of a message.
static uint32_t sent_targets(const fixture *f, uint8_t *buffer, uint32_t size)
{
    kn_events events = kn_world_events(f->client);
    for (uint32_t i = 0; i < events.count; i++) {
        uint32_t length;
        const void *data = kn_request_targets(f->client, &events.data[i], &length);
        if (data != NULL) {
            return kn_target_write(f->library, (kn_target_view){data, length}, buffer, size);
        }
    }
    return 0;
}

// ABI-096, TGT-003: records of one's own carry whatever it is from the client to the server's
// ability.
static void records_of_ones_own_travel_to_the_server(void **state)
{
    fixture *f = *state;
    hand_register(f);
    kn_ability_def def = ability_def(f, "Open");
    def.activate = take_aim;
    def.task_done = note_grip;
    kn_ability_id ability = join_one(f, &def);
    kn_activation_id here, there;
    assert_int_equal(kn_ability_activate(f->client, ability, NULL, &here), KN_OK);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, &there), KN_OK);
    kn_name aim = kn_name_find(f->library, "Aim");
    assert_int_equal(kn_target_confirm(f->client, kn_task_find(f->client, here, aim)), KN_OK);
    run(f->client, 0);
    uint8_t message[64];
    uint32_t size = sent_targets(f, message, sizeof(message));
    assert_in_range(size, 1, sizeof(message));
    kn_target_data data;
    assert_int_equal(kn_target_read(f->library, message, size, &data), KN_OK);
    kn_task_id task = kn_task_find(f->world, there, aim);
    // Six fingers do not pass `validate`, and the task continues.
    grip *record = kn_target_get_mutable(&data, 0, kn_target_type_find(f->library, "Grip"));
    record->fingers = 6;
    assert_int_equal(
        kn_target_provide(f->world, task, kn_target_data_view(&data)), KN_REFUSED_CUSTOM);
    record->fingers = 4;
    assert_int_equal(kn_target_provide(f->world, task, kn_target_data_view(&data)), KN_OK);
    EXPECT_LOG(f, "C grips with 4 at 0.75. S grips with 4 at 0.75. ");
}

// Looks for a handle: the server has steadier hands.
static bool find_by_side(const kn_targeting_call *call, kn_target_data *out)
{
    const kn_library *library = kn_world_library(call->world);
    bool is_server = kn_entity_role(call->world, call->owner) == KN_ROLE_SERVER;
    grip record = {call->owner, 1.0f, is_server ? 5 : 2};
    return kn_target_add(library, out, kn_target_type_find(library, "Grip"), &record) == KN_OK;
}

static kn_result take_aim_at(const kn_ability_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = kn_targeting_find(library, ability_name(call)); // one for each ability
    def.confirm = KN_CONFIRM_USER;
    def.name = kn_name_find(library, "Aim");
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void note_choice(const kn_ability_call *call, const kn_task_result *result)
{
    if (result->output == KN_TASK_FIRED) {
        note_grip(call, result);
    } else {
        note(call->user, "%s declines. ", side(call));
    }
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

// A server's targeting task for what a client aims with.
static kn_task_id served_task(const fixture *f, kn_ability_id ability, kn_activation_id *activation)
{
    assert_int_equal(kn_peer_activate(f->world, PLAYER, ability, NULL, activation), KN_OK);
    return kn_task_find(f->world, *activation, kn_name_find(f->library, "Aim"));
}

// TVA-062, TGT-019: the client's targets are a message, or only that it chose is.
static void a_server_takes_targets_or_looks_for_itself(void **state)
{
    fixture *f = *state;
    hand_register(f);
    static const char *const names[] = {"Trust", "Look"};
    kn_ability_type_id types[2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_targeting_def hand = kn_targeting_def_default();
        hand.name = names[i];
        hand.shape = KN_SHAPE_CUSTOM;
        hand.find = find_by_side;
        hand.validate = grip_is_possible;
        hand.server_looks = i == 1;
        kn_targeting_id id;
        assert_int_equal(kn_targeting_register(f->library, &hand, &id, NULL), KN_OK);
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = take_aim_at;
        def.task_done = note_choice;
        def.ended = NULL;
        types[i] = ability_register(f, &def);
    }
    kn_ability_id abilities[2];
    join(f, types, 2, abilities);
    assert_int_equal(kn_input_bind(f->client, f->hero, 1, 2), KN_OK);
    kn_target_data data = {0};
    grip lie = {f->hero, 1.0f, 2};
    kn_target_type_id type = kn_target_type_find(f->library, "Grip");
    assert_int_equal(kn_target_add(f->library, &data, type, &lie), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id there;
        assert_int_equal(kn_ability_activate(f->client, abilities[i], NULL, NULL), KN_OK);
        assert_int_equal(kn_input_press(f->client, f->hero, 1), KN_OK);
        note_requests(f);
        kn_task_id task = served_task(f, abilities[i], &there);
        kn_result taken = kn_target_provide(f->world, task, kn_target_data_view(&data));
        assert_int_equal(taken, i == 0 ? KN_OK : KN_REFUSED_BLOCKED);
        if (i == 1) {
            assert_int_equal(kn_target_confirm(f->world, task), KN_OK);
        }
        assert_false(kn_activation_is_alive(f->world, there));
    }
    EXPECT_LOG(f, "C grips with 2 at 1. activate; targets; end; S grips with 2 at 1. "
                  "C grips with 2 at 1. activate; confirm; end; S grips with 5 at 1. ");
    // The player cancels: sent either way, once. TVA-060
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id there;
        assert_int_equal(kn_ability_activate(f->client, abilities[i], NULL, NULL), KN_OK);
        assert_int_equal(kn_input_press(f->client, f->hero, 2), KN_OK);
        note_requests(f);
        assert_int_equal(kn_target_cancel(f->world, served_task(f, abilities[i], &there)), KN_OK);
        EXPECT_LOG(f, "C declines. activate; decline; end; S declines. ");
    }
}

// Batches -------------------------------------------------------------------

static kn_result be_done(const kn_ability_call *call)
{
    return kn_activation_end(call->world, call->activation);
}

// ABI-133: whichever way leads to the ability, a batch takes it in.
static void a_batch_takes_in_every_way_of_activating(void **state)
{
    fixture *f = *state;
    kn_trigger_def trigger = {.tag = tag_of(f, "Event.Fire"), .source = KN_TRIGGER_SOURCE_EVENT};
    kn_ability_def def = ability_def(f, "Gun");
    def.activate = be_done;
    def.ended = NULL;
    def.tags = tags_of(f, "Ability.Gun");
    def.input = 3;
    def.triggers = &trigger;
    def.trigger_count = 1;
    kn_ability_id gun = join_one(f, &def);
    assert_int_equal(kn_entity_allow_batches(f->client, f->hero, true), KN_OK);
    kn_ability_info info;
    assert_true(kn_ability_get(f->client, gun, &info));
    kn_event_record event = kn_event_record_default();
    for (uint32_t way = 0; way < 6; way++) {
        kn_result result = KN_OK;
        assert_int_equal(kn_ability_batch_begin(f->client, gun), KN_OK);
        switch (way) {
        case 0:
            result = kn_ability_activate(f->client, gun, NULL, NULL);
            break;
        case 1:
            result = kn_ability_activate(f->client, gun, &event, NULL);
            break;
        case 2:
            result = kn_ability_activate_type(f->client, f->hero, info.type, NULL);
            break;
        case 3:
            result = kn_ability_activate_tags(f->client, f->hero, tags_of(f, "Ability.Gun"), NULL);
            break;
        case 4:
            result = kn_input_press(f->client, f->hero, 3);
            break;
        default:
            result = kn_event_send(f->client, f->hero, tag_of(f, "Event.Fire"), NULL);
            break;
        }
        assert_int_equal(result, KN_OK);
        assert_int_equal(kn_ability_batch_end(f->client), KN_OK);
        note_requests(f);
        EXPECT_LOG(f, "activate+end; ");
    }
}

// Hostile messages ----------------------------------------------------------

static uint32_t assertions;

static bool count_assertion(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    assertions++;
    return false;
}

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice *d)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(d->state >> 32);
}

// Often near what exists, sometimes far from anything.
static uint32_t roll_number(dice *d)
{
    switch (roll(d) % 4) {
    case 0:
        return roll(d);
    case 1:
        return UINT32_MAX - roll(d) % 3;
    default:
        return roll(d) % 6;
    }
}

static float roll_float(dice *d)
{
    uint32_t bits = roll(d) % 4 == 0 ? 0x7fc00000u : roll(d);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

typedef struct message {
    kn_event_record event;
    kn_tag tags[4];
    uint64_t data[8];
} message;

static void roll_event(dice *d, message *m)
{
    m->event = kn_event_record_default();
    for (uint32_t i = 0; i < 4; i++) {
        m->tags[i].index1 = roll_number(d);
    }
    for (uint32_t i = 0; i < 8; i++) {
        m->data[i] = (uint64_t)roll_number(d) << 32 | roll_number(d);
    }
    m->event.kind.index1 = roll(d) % 3 == 0 ? roll_number(d) : 0;
    m->event.tag.index1 = roll_number(d);
    m->event.tags = (kn_tags){m->tags, roll(d) % 5};
    m->event.has_instigator_tags = roll(d) % 2 == 0;
    m->event.instigator_tags = (kn_tags){m->tags, roll(d) % 5};
    m->event.has_target_tags = roll(d) % 2 == 0;
    m->event.target_tags = (kn_tags){m->tags, roll(d) % 3};
    m->event.instigator = (kn_entity_id){roll_number(d), roll_number(d)};
    m->event.target = (kn_entity_id){roll_number(d), roll_number(d)};
    m->event.magnitude = roll_float(d);
    m->event.data = roll(d) % 3 == 0 ? NULL : m->data;
    m->event.data_size = roll(d) % (sizeof(m->data) + 1);
}

// What a client knows is there, so that some messages come through.
static void roll_live(
    fixture *f, dice *d, kn_ability_id *ability, kn_activation_id *activation, kn_task_id *task)
{
    kn_ability_id abilities[4];
    kn_activation_id activations[8];
    uint32_t count = kn_activations(f->world, f->hero, activations, 8);
    *ability = (kn_ability_id){roll_number(d), roll_number(d)};
    *activation = (kn_activation_id){roll_number(d), roll_number(d)};
    *task = (kn_task_id){roll_number(d), roll_number(d)};
    if (roll(d) % 2 == 0) {
        (void)kn_abilities_find(f->world, f->hero, NULL, abilities, 4);
        *ability = abilities[roll(d) % 4];
    }
    if (count > 0 && roll(d) % 2 == 0) {
        *activation = activations[roll(d) % (count < 8 ? count : 8)];
        (void)kn_tasks(f->world, *activation, task, 1);
    }
}

// One message of a client that has lost its mind, or wants the server to.
static kn_result hostile_call(fixture *f, dice *d)
{
    message m;
    roll_event(d, &m);
    kn_world *world = f->world;
    const kn_event_record *event = roll(d) % 2 == 0 ? &m.event : NULL;
    uint32_t connection = roll(d) % 2 == 0 ? PLAYER : roll_number(d);
    kn_ability_id ability;
    kn_activation_id activation;
    kn_task_id task;
    roll_live(f, d, &ability, &activation, &task);
    kn_target_view view = {m.data, roll(d) % (sizeof(m.data) + 1)};
    switch (roll(d) % 9) {
    case 0:
    case 1:
        return kn_peer_activate(world, connection, ability, event, NULL);
    case 2:
        return kn_peer_end(world, connection, activation, roll(d) % 2 == 0);
    case 3:
        return kn_peer_confirm(world, activation);
    case 4:
        return kn_peer_reject(world, activation);
    case 5:
        return kn_target_provide(world, task, view);
    case 6: {
        kn_target_data data;
        kn_result result = kn_target_read(f->library, m.data, view.size, &data);
        return result == KN_OK ? kn_target_provide(world, task, kn_target_data_view(&data))
                               : result;
    }
    case 7:
        return roll(d) % 2 == 0
                   ? kn_input_press_with(world, m.event.target, m.tags[0].index1, event)
                   : kn_input_release(world, m.event.target, m.tags[0].index1);
    default:
        return roll(d) % 2 == 0 ? kn_target_cancel(world, task) : kn_target_confirm(world, task);
    }
}

// What abilities make of an event somebody invented: they look at all of it.
static kn_result read_everything(const kn_ability_call *call, const kn_event_record *event)
{
    kn_target_view view = {event->data, event->data_size};
    kn_entity_id entities[4];
    kn_vec3 place;
    uint32_t found = kn_target_entities(view, entities, 4);
    (void)kn_target_position(view, &place);
    for (uint32_t i = 0; i <= kn_target_count(view); i++) {
        (void)kn_target_get(view, i, kn_target_type_at(view, i));
    }
    const fixture *f = call->user;
    (void)kn_tags_has_any(f->library, event->tags, event->target_tags);
    (void)kn_attribute_value(call->world, event->target, f->health);
    return found < 4 ? KN_OK : kn_activation_end(call->world, call->activation);
}

// ABI-137
static void no_message_breaks_a_server(void **state)
{
    fixture *f = *state;
    hand_register(f);
    kn_ability_type_id types[4];
    static const char *const names[] = {"Aim", "Read", "Many", "Safe"};
    for (uint32_t i = 0; i < 4; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.ended = NULL;
        def.activate = i == 0 ? take_aim : tick_for_ever;
        def.activate_by_event = i == 0 ? NULL : read_everything;
        def.source.ignored = tags_of(f, "State.Silenced");
        def.target.required = i == 3 ? tags_of(f, "State.Open") : (kn_tags){NULL, 0};
        def.instancing = i == 2 ? KN_INSTANCING_PER_EXECUTION : KN_INSTANCING_PER_ACTOR;
        def.respects_remote_cancel = true;
        def.net_security =
            i == 3 ? KN_NET_SECURITY_SERVER_ONLY_ALL : KN_NET_SECURITY_CLIENT_OR_SERVER;
        def.input = i + 1;
        types[i] = ability_register(f, &def);
    }
    kn_ability_id abilities[4];
    join(f, types, 4, abilities);
    assertions = 0;
    kn_assert_set_handler(count_assertion);
    dice d = {137};
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < 30000; i++) {
        kn_result result = hostile_call(f, &d);
        accepted += result == KN_OK;
        assert_true(result != KN_ERROR_WORLD_BROKEN && result != KN_ERROR_OUT_OF_MEMORY);
        assert_false(kn_ability_is_active(f->world, abilities[3])); // never by a client's word
        f->log[0] = 0;
        if (i % 500 == 0) {
            run(f->world, KN_MS(10));
            assert_int_equal(kn_ability_cancel(f->world, abilities[2]), KN_OK);
        }
    }
    kn_assert_set_handler(NULL);
    assert_int_equal(assertions, 0);
    assert_true(accepted > 100); // some of it made sense, and was played
    assert_true(kn_world_validate(f->world));
    // The server is what it was: an honest request is carried out.
    (void)kn_abilities_cancel(f->world, f->hero, NULL);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[1], NULL, NULL), KN_OK);
}

// ABI-137, ABI-136: another's client, a stale ability, an absurd event: nothing has changed.
static void refused_messages_change_nothing(void **state)
{
    fixture *f = *state;
    kn_ability_def def = logged(f, "Cast");
    kn_ability_id ability = join_one(f, &def);
    uint64_t before = kn_world_hash(f->world);
    kn_event_record event = kn_event_record_default();
    kn_world *server = f->world;
    assert_int_equal(kn_peer_activate(server, STRANGER, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_activate(server, 0, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_peer_activate(server, PLAYER, (kn_ability_id){99, 1}, NULL, NULL), KN_REFUSED_STALE_ID);
    kn_ability_id stale = {ability.index1, ability.generation + 1};
    assert_int_equal(kn_peer_activate(server, PLAYER, stale, NULL, NULL), KN_REFUSED_STALE_ID);
    event.tag.index1 = 1u << 30;
    assert_int_equal(
        kn_peer_activate(server, PLAYER, ability, &event, NULL), KN_ERROR_INVALID_ARGUMENT);
    event.tag.index1 = 0;
    event.data = "garbage!";
    event.data_size = 8;
    assert_int_equal(kn_peer_activate(server, PLAYER, ability, &event, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_peer_activate(f->client, PLAYER, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_peer_end(server, PLAYER, (kn_activation_id){1, 1}, true), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_peer_confirm(server, (kn_activation_id){0}), KN_REFUSED_STALE_ID);
    assert_true(kn_world_hash(server) == before);
    // A request does not make up for what the server's own code may not do.
    assert_int_equal(kn_ability_activate(server, ability, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_peer_activate(server, PLAYER, ability, NULL, NULL), KN_OK);
    assert_int_equal(kn_ability_check(server, ability, NULL), KN_FAIL_NETWORKING | KN_FAIL_ACTIVE);
}

// Tries to start another ability, and itself once more.
static kn_result start_others(const kn_ability_call *call)
{
    kn_ability_id abilities[2];
    assert_int_equal(kn_abilities_find(call->world, call->owner, NULL, abilities, 2), 2);
    for (uint32_t i = 0; i < 2; i++) {
        kn_result result = kn_ability_activate(call->world, abilities[i], NULL, NULL);
        note(call->user, "%s. ", kn_result_name(result));
    }
    return KN_OK;
}

// ABI-064: what a client asked for is that one activation, not all that its hooks would start.
static void a_request_is_for_one_activation_only(void **state)
{
    fixture *f = *state;
    kn_ability_def first = ability_def(f, "First"), second = ability_def(f, "Second");
    first.instancing = KN_INSTANCING_PER_EXECUTION;
    first.activate = start_others;
    kn_ability_type_id types[2] = {ability_register(f, &first), ability_register(f, &second)};
    kn_ability_id abilities[2];
    join(f, types, 2, abilities);
    assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[0], NULL, NULL), KN_OK);
    EXPECT_LOG(f, "KN_REFUSED_BLOCKED. KN_REFUSED_BLOCKED. "); // their client predicts them
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
    check_replay(f, KN_S(1));
}

// A body without functions: the client holds the input, the server hears of the release.
static void a_held_body_lasts_as_long_on_the_server(void **state)
{
    fixture *f = *state;
    kn_effect_def ward = infinite("Ward");
    kn_ability_apply_def apply = {.effect = effect_register(f, &ward), .while_active = true};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Guard";
    def.body = KN_BODY_HELD;
    def.applies = &apply;
    def.apply_count = 1;
    def.input = 3;
    def.ended = log_ended;
    def.user = f;
    kn_ability_def own = def; // one that the server starts by itself is held by nobody
    own.name = "Own";
    own.net_execution = KN_NET_EXECUTION_SERVER_INITIATED;
    own.no_activation_by_input = true;
    kn_ability_type_id types[2] = {ability_register(f, &def), ability_register(f, &own)};
    kn_ability_id abilities[2];
    join(f, types, 2, abilities);
    assert_int_equal(kn_input_press(f->client, f->hero, 3), KN_OK);
    kn_activation_id activation;
    assert_int_equal(kn_peer_activate(f->world, PLAYER, abilities[0], NULL, &activation), KN_OK);
    run(f->client, KN_S(1));
    run(f->world, KN_S(1));
    assert_int_equal(kn_effects_count(f->client, f->hero), 1);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    check_replay(f, KN_S(1));
    f->log[0] = 0;
    assert_int_equal(kn_input_press(f->client, f->hero, 3), KN_OK); // again: no news
    note_requests(f);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_input_release(f->client, f->hero, 3), KN_OK);
    note_requests(f);
    EXPECT_LOG(f, "C ended, predicting. release; end; ");
    assert_int_equal(kn_input_release(f->world, f->hero, 3), KN_OK);
    EXPECT_LOG(f, "S ended, authority. ");
    assert_false(kn_activation_is_alive(f->world, activation));
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    (void)activate(f, abilities[1]);
    EXPECT_LOG(f, "S ended, authority. ");
}

// What the ability was activated with goes to the server, whole.
static void a_request_carries_the_event_of_the_activation(void **state)
{
    fixture *f = *state;
    kn_tag cast = tag_of(f, "Event.Cast"), fire = tag_of(f, "School.Fire"),
           elite = tag_of(f, "Rank.Elite"), calm = tag_of(f, "State.Calm");
    kn_ability_def def = ability_def(f, "Bolt");
    kn_ability_id bolt = join_one(f, &def);
    kn_target_data targets = {0};
    kn_target_entity entity = {f->foe};
    assert_int_equal(kn_target_add(f->library, &targets, kn_target_type_entity(), &entity), KN_OK);
    kn_event_record record = kn_event_record_default();
    record.tag = cast;
    record.tags = one(&fire);
    record.instigator = f->hero;
    record.target = f->foe;
    record.magnitude = 12.5f;
    record.object = 3;
    record.object2 = UINT64_MAX;
    record.has_instigator_tags = record.has_target_tags = true;
    record.instigator_tags = one(&elite);
    const kn_tag both[2] = {calm, elite};
    record.target_tags = (kn_tags){both, 2};
    record.data = targets.bytes;
    record.data_size = targets.size;
    kn_activation_id predicted;
    assert_int_equal(kn_ability_activate(f->client, bolt, &record, &predicted), KN_OK);
    assert_int_equal(kn_activation_end(f->client, predicted), KN_OK); // it may be over by then
    run(f->client, 0);

    kn_events events = kn_world_events(f->client);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type != KN_EVENT_REQUEST) {
            continue;
        }
        kn_event copy = events.data[i];
        kn_event_record sent;
        bool has_event = kn_request_event(f->client, &copy, &sent);
        assert_int_equal(has_event, (copy.data.request.parts & KN_REQUEST_PART_ACTIVATE) != 0);
        if (!has_event) {
            continue;
        }
        seen++;
        assert_int_equal(sent.tag.index1, cast.index1);
        assert_int_equal(sent.tags.count, 1);
        assert_int_equal(sent.tags.data[0].index1, fire.index1);
        assert_true(kn_entity_id_equal(sent.instigator, f->hero));
        assert_true(kn_entity_id_equal(sent.target, f->foe));
        assert_true(sent.magnitude == 12.5f);
        assert_true(sent.object == 3 && sent.object2 == UINT64_MAX);
        assert_true(sent.has_instigator_tags && sent.has_target_tags);
        assert_int_equal(sent.instigator_tags.data[0].index1, elite.index1);
        assert_int_equal(sent.target_tags.count, 2);
        assert_memory_equal(sent.target_tags.data, both, sizeof both);
        assert_int_equal(sent.data_size, targets.size);
        assert_memory_equal(sent.data, targets.bytes, targets.size);

        // The server runs it with the same event.
        kn_activation_id there;
        assert_int_equal(kn_peer_activate(f->world, PLAYER, bolt, &sent, &there), KN_OK);
        kn_event_record got;
        assert_true(kn_activation_event(f->world, there, &got));
        assert_int_equal(got.tag.index1, cast.index1);
        assert_true(got.magnitude == 12.5f && kn_entity_id_equal(got.target, f->foe));
        assert_int_equal(got.data_size, targets.size);
    }
    assert_int_equal(seen, 1);

    // Without an event there is none.
    assert_int_equal(kn_ability_activate(f->client, bolt, NULL, NULL), KN_OK);
    run(f->client, 0);
    events = kn_world_events(f->client);
    for (uint32_t i = 0; i < events.count; i++) {
        kn_event_record sent;
        assert_false(kn_request_event(f->client, &events.data[i], &sent));
        assert_int_equal(sent.data_size, 0);
    }
}

static const struct CMUnitTest tests[] = {
    PEERS(a_prediction_is_asked_for_before_its_body_and_confirmed_once),
    PEERS(what_a_client_cannot_start_is_no_message),
    PEERS(a_rejected_prediction_ends_at_once_and_leaves_nothing),
    PEERS(an_event_is_judged_on_both_sides),
    PEERS(a_rejection_ends_what_cannot_be_cancelled),
    PEERS(the_policy_decides_whether_an_ability_is_predicted),
    PEERS(an_activation_knows_what_it_is_to_its_machine),
    PEERS(a_predicted_ability_does_not_start_where_its_player_is_not),
    PEERS(a_passive_of_the_server_runs_there_only),
    PEERS(tasks_are_where_their_ability_is),
    PEERS(executions_run_where_their_ability_runs),
    PEERS(a_calculation_gives_the_same_number_on_both_sides),
    PEERS(the_end_on_the_client_ends_the_server_only_if_it_is_respected),
    PEERS(a_cancel_from_the_client_passes_flag_and_security),
    PEERS(security_decides_what_becomes_of_a_message),
    PEERS(what_is_the_servers_own_obeys_no_message),
    PEERS(presses_are_sent_while_an_ability_runs_that_wants_it),
    PEERS(a_held_body_lasts_as_long_on_the_server),
    PEERS(what_changes_about_an_ability_is_sent_and_nothing_else),
    PEERS(a_raised_level_reaches_the_client_and_what_runs_goes_on),
    PEERS(a_predicted_ability_makes_an_effect),
    PEERS(a_refused_commit_ends_the_ability_before_it_makes_its_effect),
    PEERS(the_state_of_an_activation_does_not_travel),
    PEERS(an_awaited_event_is_not_sent_to_the_other_side),
    PEERS(records_of_ones_own_travel_to_the_server),
    PEERS(a_server_takes_targets_or_looks_for_itself),
    PEERS(a_batch_takes_in_every_way_of_activating),
    PEERS(no_message_breaks_a_server),
    PEERS(refused_messages_change_nothing),
    PEERS(a_request_is_for_one_activation_only),
    PEERS(a_request_carries_the_event_of_the_activation),
};

TEST_GROUP(ability_requests, tests, NULL, NULL);
