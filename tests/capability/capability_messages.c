// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages between the machines of a capability.

#include "capability/capability_match.h"

#include <math.h>

#define LATENCY KN_MS(40)
#define SETTLED KN_MS(500)

static kn_result note_message(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const kn_capability_message *message = call->arguments;
    note(call->writable, call->entity, "M%u.%u_%s", message->message, message->connection, p->name);
    return KN_OK;
}

static kn_capability_message message_of(
    const kn_world *world, kn_entity_id entity, const part *p, uint32_t what)
{
    const kn_capability_message message = {
        .number = kn_capability_number(world, entity, p->id, 0), .message = what};
    return message;
}

static void host_sends(match *m, uint32_t i, kn_entity_id entity, kn_capability_message message)
{
    const kn_command command = {.type = kn_command_find(m->library, "Knack.CapabilityMessage"),
        .entity = entity,
        .payload = &message,
        .size = sizeof(message)};
    expect_ok(kn_client_command(m->clients[i], &command, NULL, NULL));
}

// What the pilot of the flying example does: on the client that sets it up, it asks the authority
// to switch the movement.
static kn_result pilot_setup(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const kn_capability_call *c = call->arguments;
    kn_capability_message message = {.number = c->number,
        .message = 7,
        .data = 99,
        .value = 1.5f,
        .vector = {1.0f, -2.0f, 3.0f},
        .other = p->m->foe};
    note(call->writable, call->entity, "SU_%s", p->name);
    expect_ok(kn_capability_send_to_authority(call->writable, call->entity, &message));
    return KN_OK;
}

static kn_result pilot_message(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const kn_capability_message *message = call->arguments;
    assert_int_equal(message->data, 99);
    assert_true(message->value == 1.5f);
    assert_true(message->vector.x == 1.0f && message->vector.y == -2.0f);
    assert_true(message->vector.z == 3.0f);
    assert_true(kn_entity_id_equal(message->other, p->m->foe));
    assert_int_equal(message->set_number, kn_capability_set_number(call->world, call->entity,
                                              kn_capability_set_find(p->m->library, "S")));
    return note_message(user, call);
}

static part *pilot(match *m)
{
    part *p = part_of(m, "A", KN_SIDE_LOCAL);
    p->def.setup = (kn_hook){pilot_setup, p};
    p->def.message = (kn_hook){pilot_message, p};
    p->def.messages_always = true;
    part_done(p);
    return p;
}

// CAPV-064, CAP-079, CAP-158, CAP-159
static void setup_on_the_client_asks_the_authority(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)pilot(m);
    kn_capability_set_id set = plain_set(m, "S", "A");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "SL_A M7.%u_A", m->connections[OWNER]);
    EXPECT_SERVER(m, hero, expected);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A");
    match_take(m, m->hero, set);
    match_run(m, SETTLED);
    (void)snprintf(expected, sizeof(expected), "SL_A M7.%u_A EL_A", m->connections[OWNER]);
    EXPECT_SERVER(m, hero, expected);
    assert_int_equal(m->refused[OWNER], 0);
    match_end(m);
}

static void count_refusals(void *user, kn_world *world, const kn_event *event)
{
    uint32_t *counts = user;
    (void)world;
    counts[event->data.command.result]++;
}

static match *refusals_begin(part *parts[3], uint32_t counts[KN_RESULT_COUNT])
{
    match *m = match_create(NULL);
    for (uint32_t i = 0; i < 3; i++) { // on all machines, not on the server, and without a hook
        const char name[] = {(char)('A' + i), 0};
        parts[i] = part_of(m, name, i == 1 ? KN_SIDE_LOCAL : KN_SIDE_ALWAYS);
        if (i < 2) {
            parts[i]->def.message = (kn_hook){note_message, parts[i]};
        }
        parts[i]->def.activated = parts[i]->def.setup = parts[i]->def.start_life = (kn_hook){0};
        part_done(parts[i]);
    }
    kn_capability_set_id set = plain_set(m, "S", "ABC");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_add(m, m->gadget, set);
    match_add(m, m->foe, set);
    match_run(m, SETTLED);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_COMMAND;
    listener.function = count_refusals;
    listener.user = counts;
    expect_ok(kn_listener_add(m->world, &listener, NULL));
    return m;
}

// CAPV-057, CAP-158, CAP-159
static void messages_that_are_not_allowed_are_dropped_and_counted(void **state)
{
    (void)state;
    uint32_t counts[KN_RESULT_COUNT] = {0};
    part *parts[3];
    match *m = refusals_begin(parts, counts);
    kn_capability_message message = message_of(m->world, m->hero, parts[0], 1);
    host_sends(m, OBSERVER, m->hero, message); // somebody else controls it
    host_sends(m, OBSERVER, m->gadget, message);
    host_sends(m, OBSERVER, m->foe, message); // an AI
    host_sends(m, OWNER, m->foe, message);
    match_run(m, SETTLED);
    assert_int_equal(counts[KN_REFUSED_BLOCKED], 4);
    assert_int_equal(m->refused[OBSERVER], 3);
    assert_int_equal(m->refusal[OBSERVER], KN_REFUSED_BLOCKED);
    host_sends(m, OWNER, m->hero, message_of(m->world, m->hero, parts[1], 2));
    match_run(m, SETTLED);
    assert_int_equal(counts[KN_REFUSED_BLOCKED], 5); // the server may not run it
    const uint32_t unknown[] = {0, 4, 64, 65, 700, UINT32_MAX};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        message.number = unknown[i];
        host_sends(m, OWNER, m->hero, message);
    }
    host_sends(m, OWNER, m->hero, message_of(m->world, m->hero, parts[2], 2));
    match_run(m, SETTLED);
    assert_int_equal(counts[KN_REFUSED_NOT_FOUND], 7);
    EXPECT_SERVER(m, hero, "");
    EXPECT_SERVER(m, gadget, "");
    EXPECT_SERVER(m, foe, "");
    // Those that are allowed come through, for what its entity owns as well.
    host_sends(m, OWNER, m->hero, message_of(m->world, m->hero, parts[0], 3));
    host_sends(m, OWNER, m->gadget, message_of(m->world, m->gadget, parts[0], 4));
    match_run(m, SETTLED);
    char expected[64];
    (void)snprintf(expected, sizeof(expected), "M3.%u_A", m->connections[OWNER]);
    EXPECT_SERVER(m, hero, expected);
    (void)snprintf(expected, sizeof(expected), "M4.%u_A", m->connections[OWNER]);
    EXPECT_SERVER(m, gadget, expected);
    EXPECT_CLIENT(m, OWNER, hero, ""); // it is not carried out ahead
    assert_int_equal(counts[KN_OK], 2);
    match_end(m);
}

// Numbers from outside are checked.
static void numbers_must_be_finite(void **state)
{
    (void)state;
    uint32_t counts[KN_RESULT_COUNT] = {0};
    part *parts[3];
    match *m = refusals_begin(parts, counts);
    for (uint32_t i = 0; i < 4; i++) {
        kn_capability_message message = message_of(m->world, m->hero, parts[0], 1);
        float *const numbers[] = {
            &message.value, &message.vector.x, &message.vector.y, &message.vector.z};
        *numbers[i] = i % 2 == 0 ? (float)INFINITY : -(float)INFINITY;
        assert_int_equal(
            kn_capability_send_to_authority(m->world, m->hero, &message), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_capability_send_to_owner(m->world, m->hero, &message), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_capability_send_to_all(m->world, m->hero, &message), KN_REFUSED_BAD_NUMBER);
    }
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "");
    EXPECT_CLIENT(m, OWNER, hero, "");
    match_end(m);
}

static match *posts_begin(part **a, part **b)
{
    match *m = match_create(NULL);
    *a = part_of(m, "A", KN_SIDE_ALWAYS);
    *b = part_of(m, "B", KN_SIDE_LOCAL);
    part *const parts[] = {*a, *b};
    for (size_t i = 0; i < 2; i++) {
        parts[i]->def.message = (kn_hook){note_message, parts[i]};
        parts[i]->def.activated = parts[i]->def.setup = (kn_hook){0};
        parts[i]->def.start_life = (kn_hook){0};
        part_done(parts[i]);
    }
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_add(m, m->gadget, set);
    match_run(m, SETTLED);
    return m;
}

static void to_owner(match *m, kn_entity_id entity, const part *p, uint32_t what)
{
    kn_capability_message message = message_of(m->world, entity, p, what);
    message.connection = 77; // who sent it is not up to the sender
    expect_ok(kn_capability_send_to_owner(m->world, entity, &message));
}

static void to_all(match *m, kn_entity_id entity, const part *p, uint32_t what)
{
    kn_capability_message message = message_of(m->world, entity, p, what);
    message.connection = 77;
    expect_ok(kn_capability_send_to_all(m->world, entity, &message));
}

// CAP-158
static void the_authority_reaches_the_owner_or_all_once(void **state)
{
    (void)state;
    part *a, *b;
    match *m = posts_begin(&a, &b);
    to_owner(m, m->hero, a, 1);
    to_owner(m, m->hero, b, 2);
    to_all(m, m->hero, a, 3);
    to_all(m, m->hero, b, 4); // the observer and the server may not run it
    to_all(m, m->hero, a, 5);
    to_owner(m, m->gadget, a, 6);
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "M3.0_A M5.0_A");
    EXPECT_CLIENT(m, OWNER, hero, "M1.0_A M2.0_B M3.0_A M4.0_B M5.0_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "M3.0_A M5.0_A");
    EXPECT_CLIENT(m, OWNER, gadget, "M6.0_A");
    kn_component_type_id mail = kn_component_find(m->library, "Knack.CapabilityMail");
    assert_non_null(kn_component_read(client_world(m, OWNER), mail, m->hero));
    assert_null(kn_component_read(client_world(m, OBSERVER), mail, m->hero)); // nobody's business
    EXPECT_CLIENT(m, OBSERVER, gadget, "");
    EXPECT_SERVER(m, gadget, "");
    // Who takes over does not get what was for somebody else.
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connections[OBSERVER]));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "M3.0_A M5.0_A");
    to_owner(m, m->hero, b, 7);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "M3.0_A M5.0_A M7.0_B");
    EXPECT_CLIENT(m, OWNER, hero, "M1.0_A M2.0_B M3.0_A M4.0_B M5.0_A OFF_B EC_B");
    match_end(m);
}

// Messages are a part of the entity for five seconds.
static void old_messages_go(void **state)
{
    (void)state;
    part *a, *b;
    match *m = posts_begin(&a, &b);
    to_all(m, m->hero, a, 1);
    to_owner(m, m->hero, a, 2);
    match_run(m, KN_S(3));
    to_all(m, m->hero, a, 3);
    match_run(m, KN_MS(2200)); // the first is gone, the last is there
    match_join(m, LATE);
    match_run(m, KN_S(2));
    EXPECT_CLIENT(m, LATE, hero, "M3.0_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "M1.0_A M3.0_A");
    match_run(m, KN_S(3));
    kn_component_type_id lists[] = {kn_component_find(m->library, "Knack.CapabilityMail"),
        kn_component_find(m->library, "Knack.CapabilityNews")};
    for (size_t i = 0; i < 2; i++) {
        assert_null(kn_component_read(m->world, lists[i], m->hero));
        assert_null(kn_component_read(client_world(m, OWNER), lists[i], m->hero));
    }
    // Those that follow are new, although the list began anew.
    to_all(m, m->hero, a, 4);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "M1.0_A M3.0_A M4.0_A");
    match_end(m);
}

// A set that comes after everything was taken away has the number of another before it.
static void messages_go_with_everything_else(void **state)
{
    (void)state;
    part *a, *b;
    match *m = posts_begin(&a, &b);
    to_all(m, m->hero, a, 1);
    to_owner(m, m->hero, a, 2);
    match_run(m, SETTLED);
    uint32_t number = kn_capability_number(m->world, m->hero, a->id, 0);
    assert_true(kn_capability_detach(m->world, m->hero));
    match_run(m, SETTLED);
    match_add(m, m->hero, kn_capability_set_find(m->library, "S"));
    assert_int_equal(kn_capability_number(m->world, m->hero, a->id, 0), number);
    match_join(m, LATE);
    match_run(m, KN_S(2));
    assert_true(kn_capability_is_active(client_world(m, OWNER), m->hero, a->id));
    assert_string_equal(strstr(noted(m, client_world(m, OWNER), m->hero), "EL_A"), "EL_A");
    assert_string_equal(strstr(noted(m, client_world(m, OBSERVER), m->hero), "EL_A"), "EL_A");
    EXPECT_CLIENT(m, LATE, hero, "");
    match_end(m);
}

// More than clients get to know in time is refused, with nothing lost of what was sent.
static void too_many_messages_are_refused(void **state)
{
    (void)state;
    part *a, *b;
    match *m = posts_begin(&a, &b);
    for (uint32_t i = 0; i < 32; i++) {
        to_owner(m, m->hero, a, i);
    }
    const kn_capability_message message = message_of(m->world, m->hero, a, 32);
    assert_int_equal(kn_capability_send_to_owner(m->world, m->hero, &message), KN_REFUSED_LIMIT);
    expect_ok(kn_capability_send_to_all(m->world, m->hero, &message)); // another list
    match_run(m, SETTLED);
    const char *text = noted(m, client_world(m, OWNER), m->hero);
    assert_memory_equal(text, "M0.0_A M1.0_A M2.0_A ", 21);
    assert_string_equal(text + strlen(text) - 15, "M31.0_A M32.0_A");
    match_end(m);
}

// CAP-159: a set of a client that waits.
static void messages_wait_for_setup(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS);
    a->def.message = (kn_hook){note_message, a};
    part_done(a);
    kn_capability_id ids[PARTS_MAX];
    kn_capability_set_def def = set_begin_def(m, "S", "A", ids);
    def.needs = &m->need;
    def.need_count = 1;
    kn_capability_set_id set = set_done(m, &def);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    to_all(m, m->hero, a, 1);
    to_owner(m, m->hero, a, 2);
    match_run(m, KN_S(7));
    EXPECT_CLIENT(m, OWNER, hero, "");
    (void)kn_component_add(m->world, m->need, m->hero);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A M2.0_A M1.0_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A M1.0_A");
    match_end(m);
}

// Sends two messages that say the same, when it is set up.
static kn_result twin_setup(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    const kn_capability_message message = {.number = c->number, .message = 5};
    (void)user;
    for (uint32_t i = 0; i < 2; i++) {
        expect_ok(kn_capability_send_to_authority(call->writable, call->entity, &message));
    }
    return KN_OK;
}

// Over a bad line, with a client that is corrected all the time.
static void messages_arrive_once_over_a_bad_line(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_LOCAL);
    a->def.setup = (kn_hook){twin_setup, a};
    a->def.activated = (kn_hook){0};
    a->def.message = (kn_hook){note_message, a};
    a->def.messages_always = true;
    part_done(a);
    kn_capability_set_id set = plain_set(m, "S", "A");
    match_begin(m, LATENCY);
    const kn_net_conditions bad = {.latency = LATENCY, .jitter = KN_MS(30), .loss = 0.2f};
    expect_ok(kn_net_sim_set_all(m->net, &bad));
    match_add(m, m->hero, set);
    uint64_t before = kn_client_get_stats(m->clients[OWNER]).corrections;
    for (uint32_t i = 0; i < 60; i++) { // the client cannot know of any of this
        one_data *need = kn_component_add(m->world, m->need, m->hero);
        need->value = i;
        match_run(m, KN_MS(35));
        if (i == 20) {
            to_owner(m, m->hero, a, 6);
        }
    }
    match_run(m, KN_S(2));
    assert_true(kn_client_get_stats(m->clients[OWNER]).corrections > before + 20);
    char expected[64];
    uint32_t owner = m->connections[OWNER];
    (void)snprintf(expected, sizeof(expected), "SL_A M5.%u_A M5.%u_A", owner, owner);
    EXPECT_SERVER(m, hero, expected);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A M6.0_A");
    match_end(m);
}

// CAP-152, CAP-158: bad calls.
static void only_those_who_may_send_do(void **state)
{
    (void)state;
    part *a, *b;
    match *m = posts_begin(&a, &b);
    kn_capability_message message = message_of(m->world, m->hero, a, 1);
    kn_world *client = client_world(m, OWNER);
    assert_int_equal(kn_capability_send_to_owner(client, m->hero, &message), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_capability_send_to_all(client, m->hero, &message), KN_REFUSED_BLOCKED);
    assert_int_equal( // the host of a client gives a command instead
        kn_capability_send_to_authority(client, m->hero, &message), KN_REFUSED_BLOCKED);
    kn_result (*const calls[])(kn_world *, kn_entity_id, const kn_capability_message *) = {
        kn_capability_send_to_authority, kn_capability_send_to_owner, kn_capability_send_to_all};
    for (size_t i = 0; i < 3; i++) {
        const kn_entity_id none = {0}, stale = {1, 999};
        assert_int_equal(calls[i](m->world, none, &message), KN_REFUSED_STALE_ID);
        assert_int_equal(calls[i](m->world, stale, &message), KN_REFUSED_STALE_ID);
        assert_int_equal(calls[i](m->world, m->foe, &message), KN_REFUSED_NOT_FOUND);
        assert_int_equal(calls[i](m->world, m->hero, NULL), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(calls[i](NULL, m->hero, &message), KN_ERROR_INVALID_ARGUMENT);
    }
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "");
    EXPECT_CLIENT(m, OWNER, hero, "");
    match_end(m);
}

// Sends to the next capability, which is not set up yet.
static kn_result early_setup(void *user, const kn_hook_call *call)
{
    const part *p = user;
    note(call->writable, call->entity, "SU_%s", p->name);
    for (uint32_t i = 0; i <= 32; i++) {
        const kn_capability_message message =
            message_of(call->world, call->entity, &p->m->parts[1], i);
        assert_int_equal(kn_capability_send_to_authority(call->writable, call->entity, &message),
            i < 32 ? KN_OK : KN_REFUSED_LIMIT);
    }
    return KN_OK;
}

// CAP-159: on the authority, and alone.
static void what_comes_early_is_kept_up_to_a_limit(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS), *b = part_of(m, "B", KN_SIDE_ALWAYS);
    a->def.setup = (kn_hook){early_setup, a};
    b->def.message = (kn_hook){note_message, b};
    part_done(a);
    part_done(b);
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    match_add(m, m->foe, set);
    const char *text = noted(m, m->world, m->foe);
    assert_memory_equal(text, "SL_A SL_B SU_A ON_A SU_B ON_B M0.0_B M1.0_B ", 44);
    assert_string_equal(text + strlen(text) - 8, " M31.0_B");
    // Then they arrive at once.
    const kn_capability_message message = message_of(m->world, m->foe, b, 40);
    expect_ok(kn_capability_send_to_authority(m->world, m->foe, &message));
    text = noted(m, m->world, m->foe);
    assert_string_equal(text + strlen(text) - 8, " M40.0_B");
    match_end(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(setup_on_the_client_asks_the_authority),
    cmocka_unit_test(messages_that_are_not_allowed_are_dropped_and_counted),
    cmocka_unit_test(numbers_must_be_finite),
    cmocka_unit_test(the_authority_reaches_the_owner_or_all_once),
    cmocka_unit_test(old_messages_go),
    cmocka_unit_test(messages_go_with_everything_else),
    cmocka_unit_test(too_many_messages_are_refused),
    cmocka_unit_test(messages_wait_for_setup),
    cmocka_unit_test(messages_arrive_once_over_a_bad_line),
    cmocka_unit_test(only_those_who_may_send_do),
    cmocka_unit_test(what_comes_early_is_kept_up_to_a_limit),
};

TEST_GROUP(capability_messages, tests, NULL, NULL);
