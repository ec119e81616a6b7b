// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands about orders in one world: how they are built, written and checked. What travels is
// tested in order_net.c.

#include "order_match.h"

#include <math.h>

static const kn_command_type_id none = {0};

static kn_command_type_id kind(const match *m, const char *name)
{
    kn_command_type_id type = kn_command_find(m->library, name);
    assert_int_not_equal(type.index1, none.index1);
    return type;
}

static bool message_is_zero(const kn_order_message *message)
{
    static const kn_order_message zero;
    return memcmp(message, &zero, sizeof(zero)) == 0;
}

// A result for everything that makes no sense, and nothing to send.
static void messages_refuse_what_makes_no_sense(void **state)
{
    match *m = *state;
    kn_library *plain;
    kn_library_def library_def = kn_library_def_default();
    expect_ok(kn_library_create(&library_def, &plain));
    const kn_entity_id unit = {1, 1};
    const kn_order good = move_to(m, 1), passive = kn_order_of(m->passive);
    const kn_order unknown = kn_order_of((kn_order_type_id){999}), empty = kn_order_default();
    const kn_order nan = kn_order_at(m->move, (kn_vec3){NAN, 0, 0});
    const struct {
        const kn_library *library;
        kn_order_ask ask;
        const kn_order *order;
        kn_result result;
    } cases[] = {
        {m->library, KN_ORDER_ASK_ISSUE, &unknown, KN_REFUSED_NOT_FOUND},
        {m->library, KN_ORDER_ASK_ISSUE, &empty, KN_REFUSED_NOT_FOUND},
        {m->library, KN_ORDER_ASK_ENQUEUE, &passive, KN_REFUSED_NOT_FOUND},
        {m->library, KN_ORDER_ASK_ISSUE, &nan, KN_REFUSED_BAD_NUMBER},
        {m->library, KN_ORDER_ASK_ISSUE, NULL, KN_ERROR_INVALID_ARGUMENT},
        {m->library, KN_ORDER_ASK_COUNT, &good, KN_ERROR_INVALID_ARGUMENT},
        {plain, KN_ORDER_ASK_ISSUE, &good, KN_ERROR_INVALID_ARGUMENT},
        {NULL, KN_ORDER_ASK_ISSUE, &good, KN_ERROR_INVALID_ARGUMENT},
    };
    kn_order_message message;
    kn_order_group_def group = kn_order_group_def_default();
    group.units = &unit;
    group.unit_count = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        memset(&message, 0xff, sizeof(message));
        expect_result(
            kn_order_message_unit(&message, cases[i].library, unit, cases[i].ask, cases[i].order),
            cases[i].result);
        assert_true(message_is_zero(&message));
        memset(&message, 0xff, sizeof(message));
        expect_result(kn_order_message_group(
                          &message, cases[i].library, &group, cases[i].ask, cases[i].order),
            cases[i].result);
        assert_true(message_is_zero(&message));
    }
    expect_result(kn_order_message_unit(NULL, m->library, unit, KN_ORDER_ASK_STOP, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_order_message_auto(NULL, m->library, unit, m->heal, -1, true),
        KN_ERROR_INVALID_ARGUMENT);
    expect_result(
        kn_order_message_auto(&message, plain, unit, m->heal, -1, true), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_order_message_auto(&message, m->library, unit, empty.type, -1, true),
        KN_REFUSED_NOT_FOUND);
    assert_true(message_is_zero(&message));
    kn_library_destroy(plain);
}

static void messages_refuse_groups_that_make_no_sense(void **state)
{
    match *m = *state;
    kn_entity_id units[KN_ORDER_MESSAGE_UNITS_MAX + 1];
    for (uint32_t i = 0; i <= KN_ORDER_MESSAGE_UNITS_MAX; i++) {
        units[i] = (kn_entity_id){i + 1, 1};
    }
    const kn_order order = move_to(m, 1);
    const uint32_t outside = 2;
    kn_order_message message;
    kn_order_group_def good = kn_order_group_def_default();
    good.units = units;
    good.unit_count = 2;
    kn_order_group_def bad[6];
    for (uint32_t i = 0; i < 6; i++) {
        bad[i] = good;
    }
    bad[0].unit_count = 0;
    bad[1].units = NULL;
    bad[2].cookie = 0;
    bad[3].first = 2;
    bad[4].sub_group = &outside;
    bad[4].sub_group_count = 1;
    bad[5].unit_count = KN_ORDER_MESSAGE_UNITS_MAX + 1;
    for (uint32_t i = 0; i < 6; i++) {
        memset(&message, 0xff, sizeof(message));
        expect_result(
            kn_order_message_group(&message, m->library, &bad[i], KN_ORDER_ASK_ISSUE, &order),
            i == 5 ? KN_REFUSED_LIMIT : KN_ERROR_INVALID_ARGUMENT);
        assert_true(message_is_zero(&message));
    }
    const kn_order_ask inserts[] = {KN_ORDER_ASK_INSERT_AFTER, KN_ORDER_ASK_INSERT_BEFORE};
    for (uint32_t i = 0; i < 2; i++) {
        expect_result(kn_order_message_group(&message, m->library, &good, inserts[i], &order),
            KN_ERROR_INVALID_ARGUMENT);
    }
    expect_result(kn_order_message_group(&message, m->library, NULL, KN_ORDER_ASK_STOP, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_order_message_group(NULL, m->library, &good, KN_ORDER_ASK_STOP, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    // Nobody is named twice.
    units[1] = units[0];
    expect_ok(kn_order_message_group(&message, m->library, &good, KN_ORDER_ASK_STOP, NULL));
    assert_int_equal(kn_target_count(message.command.targets), 1);
}

// OD-034: a form that travels, the same for recordings and logs.
static void commands_are_written_by_their_fields(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_order order = kn_order_on(m->heal, m->blue);
    order.index = 2;
    kn_order_set_location(&order, (kn_vec3){1, 2, 3});
    kn_order_message message;
    expect_ok(
        kn_order_message_unit(&message, m->library, m->red[0], KN_ORDER_ASK_INSERT_AFTER, &order));
    uint8_t bytes[256];
    uint32_t size = kn_command_write(m->library, &message.command, bytes, sizeof(bytes));
    assert_in_range(size, 1, 64);
    static kn_command_data data;
    expect_ok(kn_command_read(m->library, bytes, size, &data, NULL));
    assert_memory_equal(data.command.payload, &message.request, sizeof(message.request));
    char text[512];
    (void)kn_command_json(m->world, &message.command, text, sizeof(text));
    assert_non_null(strstr(text, "insert_after"));
    assert_non_null(strstr(text, "Heal"));
    (void)kn_command_print(m->world, &message.command, text, sizeof(text));
    assert_non_null(strstr(text, "Knack.Order"));
    // A point that does not count does not travel.
    order.uses_location = 0;
    expect_ok(kn_order_message_unit(&message, m->library, m->red[0], KN_ORDER_ASK_ISSUE, &order));
    assert_true(message.request.location.x == 0.0f);
    assert_int_equal(message.request.variant, 3);
}

// Issues a command as it came from somewhere, and gives its result.
static kn_result carry_out(match *m, const kn_command *command)
{
    expect_ok(kn_world_command(m->world, command, NULL));
    expect_ok(kn_world_step(m->world, KN_MS(10)));
    kn_events events = kn_world_events(m->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_COMMAND) {
            return events.data[i].data.command.result;
        }
    }
    fail_msg("the command was not carried out");
    return KN_OK;
}

// ORD-224, OD-142: whatever a client sends is checked. What cannot be a command is not one.
static void what_comes_from_outside_is_checked(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_order_request request = {.type = m->move, .uses_location = 1};
    kn_command command = {.type = kind(m, "Knack.Order"),
        .connection = 1,
        .entity = m->red[0],
        .payload = &request,
        .size = sizeof(request)};
    request.location.y = INFINITY;
    expect_result(kn_world_command(m->world, &command, NULL), KN_ERROR_BAD_DATA);
    request.location.y = 0;
    request.type.index1 = 999;
    expect_result(kn_world_command(m->world, &command, NULL), KN_ERROR_BAD_DATA);
    request.type = m->move;
    request.ask = KN_ORDER_ASK_COUNT;
    expect_result(kn_world_command(m->world, &command, NULL), KN_ERROR_BAD_DATA);
    request.ask = KN_ORDER_ASK_ISSUE;
    command.size--;
    expect_result(kn_world_command(m->world, &command, NULL), KN_ERROR_BAD_DATA);
    command.size++;
    expect_ok(carry_out(m, &command));
    ON_SERVER(m, m->red[0], "Move |");
    kn_unit_info info;
    assert_true(kn_unit_get_info(m->world, m->red[0], &info));
    assert_int_equal(info.current.index, -1); // nothing said means none
    request.uses_location = 77;               // any number but 0
    request.location.x = 3;
    expect_ok(carry_out(m, &command));
    assert_true(kn_unit_get_info(m->world, m->red[0], &info));
    assert_int_equal(info.current.uses_location, 1);
    request.type = m->passive;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    request.type.index1 = 0;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    command.payload = NULL;
    command.size = 0;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    command.payload = &request;
    command.size = sizeof(request);
    request.type = m->move;
    command.entity = m->players[RED]; // not a unit
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    command.entity = (kn_entity_id){0};
    expect_result(carry_out(m, &command), KN_REFUSED_STALE_ID);
    ON_SERVER(m, m->red[0], "Move |");
    // The host itself may command everybody.
    command.connection = 0;
    command.entity = m->blue;
    expect_ok(carry_out(m, &command));
    ON_SERVER(m, m->blue, "Move |");
}

// Control goes by owners, and by what carries a unit that has none.
static void a_carried_unit_obeys_who_controls_its_carrier(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 1);
    kn_entity_id turret = match_unit(m, (kn_entity_id){0}, 1);
    kn_order_message message;
    expect_ok(kn_order_message_unit(&message, m->library, turret, KN_ORDER_ASK_ISSUE, &order));
    message.command.connection = 1;
    expect_result(carry_out(m, &message.command), KN_REFUSED_BLOCKED);
    expect_ok(kn_entity_set_parent(m->world, turret, m->red[0]));
    expect_ok(carry_out(m, &message.command));
    ON_SERVER(m, turret, "Move |");
    message.command.connection = 2;
    expect_result(carry_out(m, &message.command), KN_REFUSED_BLOCKED);
}

static void groups_from_outside_are_checked(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_order_request request = {.type = m->move, .uses_location = 1, .active_count = UINT32_MAX};
    kn_target_data units = {0};
    kn_command command = {.type = kind(m, "Knack.OrderGroup"),
        .connection = 1,
        .entity = m->blue, // stands for nobody
        .payload = &request,
        .size = sizeof(request)};
    expect_result(carry_out(m, &command), KN_REFUSED_STALE_ID); // nobody is named
    for (uint32_t i = 0; i <= KN_ORDER_MESSAGE_UNITS_MAX; i++) {
        const kn_target_entity record = {{i + 1, 1}};
        expect_ok(kn_target_add(m->library, &units, kn_target_type_entity(), &record));
    }
    command.targets = kn_target_data_view(&units);
    expect_result(carry_out(m, &command), KN_REFUSED_LIMIT);
    units = (kn_target_data){0};
    for (uint32_t i = 0; i < UNITS; i++) {
        const kn_target_entity record = {m->red[i]};
        expect_ok(kn_target_add(m->library, &units, kn_target_type_entity(), &record));
    }
    command.targets = kn_target_data_view(&units);
    request.ask = KN_ORDER_ASK_INSERT_BEFORE;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    request.ask = KN_ORDER_ASK_ISSUE;
    request.type = m->passive;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    ON_SERVER(m, m->red[0], "Stop |");
    request.type = m->move;
    expect_ok(carry_out(m, &command));
    ON_SERVER(m, m->red[3], "Move |");
    request.ask = KN_ORDER_ASK_ENQUEUE; // until the queues are full
    for (uint32_t i = 1; i <= 3; i++) {
        request.location.x = (float)i;
        expect_ok(carry_out(m, &command));
    }
    request.location.x = 4;
    expect_result(carry_out(m, &command), KN_REFUSED_LIMIT);
    request.ask = KN_ORDER_ASK_CLEAR_QUEUE;
    expect_ok(carry_out(m, &command));
    ON_SERVER(m, m->red[3], "Move |");
    request.ask = KN_ORDER_ASK_RESUME_WORK;
    expect_result(carry_out(m, &command), KN_REFUSED_NOT_FOUND);
    const kn_order work = kn_order_of(m->work);
    expect_ok(kn_order_issue(m->world, m->red[2], &work, NULL));
    expect_ok(kn_order_stop(m->world, m->red[2], NULL));
    expect_ok(carry_out(m, &command)); // one of them has work
    ON_SERVER(m, m->red[2], "Work |");
}

// Several orders in one command, each with its own result.
static void orders_may_come_in_a_batch(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 1), next = kn_order_of(m->work);
    static kn_order_message messages[3];
    expect_ok(
        kn_order_message_unit(&messages[0], m->library, m->red[0], KN_ORDER_ASK_ISSUE, &order));
    expect_ok(kn_order_message_unit(&messages[1], m->library, m->blue, KN_ORDER_ASK_ISSUE, &order));
    expect_ok(
        kn_order_message_unit(&messages[2], m->library, m->red[0], KN_ORDER_ASK_ENQUEUE, &next));
    const kn_command parts[] = {messages[0].command, messages[1].command, messages[2].command};
    const kn_command batch = {.type = kn_command_type_batch(),
        .connection = 1,
        .entity = m->players[RED],
        .parts = parts,
        .part_count = 3};
    expect_ok(kn_world_command(m->world, &batch, NULL));
    expect_ok(kn_world_step(m->world, KN_MS(10)));
    ON_SERVER(m, m->red[0], "Move | Work");
    ON_SERVER(m, m->blue, "Stop |");
}

// Lines of a refusal as errors: what is not about a tag is left out.
static void lines_become_errors(void **state)
{
    match *m = *state;
    const kn_refusal_line lines[] = {
        {.reason = KN_FAIL_MISSING_TAGS, .tag = m->blessed},
        {.reason = KN_FAIL_MISSING_TAGS, .tag = m->blessed},
        {.reason = KN_FAIL_BLOCKED, .tag = m->immobile},
        {.reason = KN_FAIL_CUSTOM, .tag = m->tired},
        {.reason = KN_FAIL_COOLDOWN},
    };
    kn_order_errors errors = {0};
    kn_order_errors_read(&errors, lines, 5);
    char text[256];
    (void)kn_order_errors_print(m->library, &errors, text, sizeof(text));
    assert_string_equal(text, "Missing Tags: (Status.Blessed), Blocking Tags: (Status.Immobile), "
                              "Error Tags: (Status.Tired)");
    kn_order_errors_read(NULL, lines, 5);
    kn_order_errors_read(&errors, NULL, 0);
    assert_int_equal(errors.other_count, 1);
}

static void pending_orders_exist_on_clients_only(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_order_pending pending;
    const kn_order order = move_to(m, 1);
    kn_order_message message;
    expect_ok(kn_order_message_unit(&message, m->library, m->red[0], KN_ORDER_ASK_ISSUE, &order));
    expect_ok(carry_out(m, &message.command));
    assert_int_equal(kn_unit_pending(m->world, m->red[0], &pending, 1), 0);
    assert_int_equal(kn_unit_pending(m->world, (kn_entity_id){0}, &pending, 1), 0);
    assert_int_equal(kn_unit_pending(NULL, m->red[0], &pending, 1), 0);
}

static const struct CMUnitTest tests[] = {
    MATCH(messages_refuse_what_makes_no_sense),
    MATCH(messages_refuse_groups_that_make_no_sense),
    MATCH(commands_are_written_by_their_fields),
    MATCH(what_comes_from_outside_is_checked),
    MATCH(a_carried_unit_obeys_who_controls_its_carrier),
    MATCH(groups_from_outside_are_checked),
    MATCH(orders_may_come_in_a_batch),
    MATCH(lines_become_errors),
    MATCH(pending_orders_exist_on_clients_only),
};

TEST_GROUP(order_net_messages, tests, NULL, NULL);
