// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders over a network: clients ask, the server decides, and everybody sees what units do.

#include "order_match.h"

// ORD-220, ORD-224, OD-228, OD-229: the server carries out what the owner
// of a unit asks for, and everybody sees the current order and the queue.
static void units_obey_the_player_who_owns_their_owner(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order first = move_to(m, 40), second = kn_order_of(m->work);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &first);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &second);
    match_run(m, KN_MS(30));
    ON_SERVER(m, m->red[0], "Stop |"); // it has not heard of it
    ON_CLIENT(m, RED, m->red[0], "Stop |");
    // ORD-225, ORD-227: clients know the stop order from the type of the unit.
    kn_unit_info idle;
    assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[0], &idle));
    assert_true(idle.is_idle);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Move | Work");
    ON_CLIENT(m, RED, m->red[0], "Move | Work");
    ON_CLIENT(m, BLUE, m->red[0], "Move | Work");
    kn_unit_info info;
    assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[0], &info));
    assert_false(info.is_idle);
    assert_true(info.current.location.x == 40.0f);
    assert_int_equal(info.current.index, -1);
    assert_int_equal(m->answers[RED], 2);
    assert_int_equal(m->refusals[RED], 0);
    expect_ok(kn_order_end(m->world, m->red[0], m->ticket, KN_ORDER_SUCCEEDED));
    match_run(m, KN_S(1));
    ON_CLIENT(m, BLUE, m->red[0], "Work |");
    // ORD-223: the one before is not sent.
    assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[0], &info));
    assert_int_equal(info.last.type.index1, 0);
    assert_int_equal(info.ticket, 0);
}

// Every kind of request, one after the other.
static void everything_that_can_be_asked_for_arrives(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order work = kn_order_of(m->work), there = move_to(m, 5), back = move_to(m, 0);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &work);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &there);
    ask(m, RED, m->red[0], KN_ORDER_ASK_INSERT_AFTER, &back);
    match_run(m, KN_S(1));
    kn_order queue[2];
    assert_int_equal(kn_unit_queue(m->world, m->red[0], queue, 2), 2);
    assert_true(kn_order_equal(&queue[0], &back) && kn_order_equal(&queue[1], &there));
    ask(m, RED, m->red[0], KN_ORDER_ASK_CLEAR_QUEUE, NULL);
    ask(m, RED, m->red[0], KN_ORDER_ASK_INSERT_BEFORE, &there);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Move | Work");
    ON_CLIENT(m, BLUE, m->red[0], "Move | Work");
    kn_unit_info here, there_info;
    assert_true(kn_unit_get_info(m->world, m->red[0], &here));
    assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[0], &there_info));
    assert_true(there_info.interrupts);
    ask(m, RED, m->red[0], KN_ORDER_ASK_STOP, NULL);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Stop |");
    assert_int_equal(kn_unit_work(m->world, m->red[0], NULL, 0), 1);
    ask(m, RED, m->red[0], KN_ORDER_ASK_RESUME_WORK, NULL);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Work |");
    ON_CLIENT(m, RED, m->red[0], "Work |");
    ask(m, RED, m->red[0], KN_ORDER_ASK_RESUME_WORK, NULL);
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_NOT_FOUND); // it remembers nothing
    assert_int_equal(m->refusals[RED], 1);
}

// Where a unit belongs while it obeys is for everybody, as its order is.
static void clients_know_the_home_of_a_unit(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40);
    ask(m, RED, m->red[3], KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_S(1));
    kn_unit_info info;
    assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[3], &info));
    assert_true(info.home.x == 3.0f);
}

// Timers of automatic orders go on alike on both sides: nothing has to be corrected.
static void idle_units_are_not_corrected(void **state)
{
    match *m = *state;
    match_begin(m);
    uint64_t before = kn_client_get_stats(m->clients[RED]).corrections;
    match_run(m, KN_S(3));
    assert_int_equal(kn_client_get_stats(m->clients[RED]).corrections, before);
    assert_int_equal(m->begun, 0);
}

// ORD-058, TVO-28, OD-144: the calls themselves are the server's, and send nothing.
static void calls_on_a_client_are_refused(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_world *world = client_world(m, RED);
    const kn_order order = move_to(m, 40);
    expect_result(kn_order_issue(world, m->red[0], &order, NULL), KN_REFUSED_BLOCKED);
    expect_result(kn_order_enqueue(world, m->red[0], &order, NULL), KN_REFUSED_BLOCKED);
    expect_result(kn_order_insert_after(world, m->red[0], &order, NULL), KN_REFUSED_BLOCKED);
    expect_result(kn_order_insert_before(world, m->red[0], &order, NULL), KN_REFUSED_BLOCKED);
    expect_result(kn_order_clear_queue(world, m->red[0]), KN_REFUSED_BLOCKED);
    expect_result(kn_order_stop(world, m->red[0], NULL), KN_REFUSED_BLOCKED);
    expect_result(kn_order_resume_work(world, m->red[0]), KN_REFUSED_BLOCKED);
    expect_result(kn_order_set_auto(world, m->red[0], m->heal, -1, true), KN_REFUSED_BLOCKED);
    ON_CLIENT(m, RED, m->red[0], "Stop |");
    match_run(m, KN_S(1));
    assert_int_equal(m->on_client[RED].changed, 0);
    assert_int_equal(m->begun, 0);
    assert_int_equal(m->answers[RED], 0);
}

// ORD-224: requests are checked on the authority.
static void units_of_others_do_not_obey(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40);
    ask(m, BLUE, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    assert_int_equal(kn_unit_pending(client_world(m, BLUE), m->red[0], NULL, 0), 0);
    match_run(m, KN_MS(30));
    assert_int_equal(kn_unit_pending(client_world(m, BLUE), m->red[0], NULL, 0), 0);
    match_run(m, KN_S(1));
    expect_result(m->answer[BLUE], KN_REFUSED_BLOCKED);
    ON_SERVER(m, m->red[0], "Stop |");
    ask(m, BLUE, m->red[0], KN_ORDER_ASK_STOP, NULL);
    ask(m, BLUE, m->red[0], KN_ORDER_ASK_CLEAR_QUEUE, NULL);
    kn_order_message message;
    expect_ok(kn_order_message_auto(&message, m->library, m->red[0], m->heal, -1, true));
    expect_ok(kn_client_command(m->clients[BLUE], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    assert_int_equal(m->refusals[BLUE], 4);
    assert_int_equal(m->begun, 0);
    // Control may change: the new owner is obeyed, the old one is not any more.
    expect_ok(kn_entity_set_owner(m->world, m->red[0], m->players[BLUE]));
    match_run(m, KN_S(1));
    ask(m, BLUE, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    ask(m, RED, m->red[0], KN_ORDER_ASK_STOP, NULL);
    match_run(m, KN_S(1));
    expect_ok(m->answer[BLUE]);
    expect_result(m->answer[RED], KN_REFUSED_BLOCKED);
    ON_SERVER(m, m->red[0], "Move |");
}

// OD-079, ORD-114: the server refuses by tags, and the client learns all of them.
static void the_player_learns_why_an_order_was_refused(void **state)
{
    match *m = *state;
    match_begin(m);
    expect_ok(kn_entity_add_tag(m->world, m->red[0], m->immobile, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    expect_ok(kn_entity_add_tag(m->world, m->red[0], m->unarmed, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    const kn_order order = kn_order_on(m->attack, m->blue);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &order);
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_REQUIREMENT);
    const kn_order_errors *errors = &m->errors[RED];
    assert_int_equal(errors->missing_count, 3);
    assert_int_equal(errors->missing[0].index1, m->blessed.index1);
    assert_int_equal(errors->missing[2].index1, m->tired.index1);
    assert_int_equal(errors->blocking_count, 2);
    assert_int_equal(errors->blocking[0].index1, m->immobile.index1);
    assert_int_equal(errors->blocking[1].index1, m->unarmed.index1);
    assert_int_equal(m->reasons[RED], KN_FAIL_MISSING_TAGS | KN_FAIL_BLOCKED);
    assert_int_equal(m->on_server.refused, 1);
    // The client could have known, by the same check. OD-230
    kn_order_errors own = {0};
    assert_false(kn_order_check(client_world(m, RED), m->red[0], &order, &own));
    assert_memory_equal(&own, errors, sizeof(own));
    ON_SERVER(m, m->red[0], "Stop |");
    // A hook may have a reason of its own, or none to name.
    const kn_order scout = kn_order_of(m->scout);
    m->scouting_is_refused = true;
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &scout);
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_REQUIREMENT);
    assert_int_equal(m->errors[RED].other_count, 1);
    assert_int_equal(m->errors[RED].others[0].index1, m->tired.index1);
}

// What a client cannot know is refused by the server alone: the order was pending, and is not.
static void a_pending_order_goes_when_it_is_refused(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = kn_order_on(m->attack, m->blue);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &order);
    match_run(m, KN_MS(40));
    kn_order_pending pending[2];
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], pending, 2), 1);
    assert_true(kn_order_equal(&pending[0].order, &order));
    assert_int_equal(pending[0].ask, KN_ORDER_ASK_ENQUEUE);
    assert_int_equal(pending[0].sequence, 1);
    assert_int_equal(kn_unit_pending(client_world(m, BLUE), m->red[0], NULL, 0), 0);
    assert_int_equal(kn_unit_pending(m->world, m->red[0], NULL, 0), 0);
    ON_CLIENT(m, RED, m->red[0], "Stop |");
    match_run(m, KN_MS(300));
    assert_int_equal(m->refusals[RED], 1);
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], pending, 2), 0);
}

// It is never both pending and there, and never neither.
static void a_pending_order_becomes_a_real_one(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_MS(20)); // until its next tick
    uint32_t pending = 0, there = 0;
    for (uint32_t i = 0; i < 100; i++) {
        kn_unit_info info;
        assert_true(kn_unit_get_info(client_world(m, RED), m->red[0], &info));
        bool is_there = info.current.type.index1 == m->move.index1;
        uint32_t count = kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0);
        assert_int_equal(count + is_there, 1);
        pending += count;
        there += is_there;
        match_run(m, FRAME);
    }
    assert_in_range(pending, 10, 40); // about a round trip
    assert_int_equal(there, 100 - pending);
}

// An order that changes nothing is confirmed without any state of the unit.
static void a_pending_order_goes_when_nothing_changes(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order shout = kn_order_of(m->shout);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &shout);
    ask(m, RED, m->red[0], KN_ORDER_ASK_STOP, NULL);
    match_run(m, KN_MS(40));
    kn_order_pending pending[3];
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], pending, 3), 2);
    assert_int_equal(pending[1].order.type.index1, 0);
    assert_int_equal(pending[1].ask, KN_ORDER_ASK_STOP);
    match_run(m, KN_MS(400));
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0), 0);
    assert_int_equal(m->begun, 1);
    assert_int_equal(m->answers[RED], 2);
    assert_int_equal(m->refusals[RED], 0);
}

// TVO-29, ORD-221, ORD-222: one event for each change, none about enqueuing and clearing.
static void clients_publish_changes_once(void **state)
{
    match *m = *state;
    match_begin(m);
    assert_int_equal(m->on_client[BLUE].changed, 0);
    const kn_order order = move_to(m, 40), next = move_to(m, 50);
    expect_ok(kn_order_issue(m->world, m->red[0], &order, NULL));
    match_run(m, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(m->on_client[i].changed, 1);
        assert_int_equal(m->on_client[i].queue, 0);
    }
    expect_ok(kn_order_enqueue(m->world, m->red[0], &next, NULL));
    match_run(m, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(m->on_client[i].changed, 1);
        assert_int_equal(m->on_client[i].queue, 1);
        assert_int_equal(m->on_client[i].enqueued, 0);
    }
    assert_int_equal(m->on_server.enqueued, 1);
    expect_ok(kn_order_clear_queue(m->world, m->red[0]));
    match_run(m, KN_S(1));
    expect_ok(kn_order_issue(m->world, m->red[0], &next, NULL)); // another place
    match_run(m, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(m->on_client[i].queue, 2);
        assert_int_equal(m->on_client[i].changed, 2);
        assert_int_equal(m->revoked[i], 0);
    }
    assert_true(m->on_server.cleared > 0);
}

// TVO-29: the payload, in the world of a client that takes over a state.
static void an_applied_state_is_published_in_the_step_after_it(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40), next = move_to(m, 50);
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    def.is_client = true;
    def.start = kn_world_now(m->world);
    kn_world *world;
    expect_ok(kn_world_create(&def, &world));
    expect_ok(kn_order_issue(m->world, m->red[0], &order, NULL));
    expect_ok(kn_order_enqueue(m->world, m->red[0], &next, NULL));
    expect_ok(kn_order_enqueue(m->world, m->red[0], &order, NULL));
    static uint8_t bytes[65536];
    size_t size;
    const kn_entity_id named[] = {m->players[RED], m->red[0]};
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = KN_VIEWER_OTHERS;
    filter.parts &= ~(1u << KN_PART_TIMERS);
    expect_ok(kn_projection_take(m->world, named, 2, &filter, bytes, sizeof(bytes), &size));
    for (uint32_t turn = 0; turn < 3; turn++) {
        kn_error error = {0};
        if (kn_projection_write(world, bytes, size, &error) != KN_OK) { // the same again
            fail_msg("%s", error.message);
        }
        expect_ok(kn_world_step(world, KN_MS(50)));
        kn_events events = kn_world_events(world);
        heard h = {0};
        for (uint32_t i = 0; i < events.count; i++) {
            uint32_t length;
            const void *payload = kn_event_payload(world, &events.data[i], &length);
            heard_add(m, &h, &events.data[i], payload, false);
            const char *name =
                events.data[i].type == KN_EVENT_CUSTOM
                    ? kn_custom_event_name(m->library, events.data[i].data.custom.kind)
                    : "";
            if (strcmp(name, "Knack.OrderChanged") == 0) {
                assert_true(kn_order_equal(&((const kn_order_event *)payload)->order, &order));
            } else if (strcmp(name, "Knack.OrderQueue") == 0) {
                assert_int_equal(((const kn_order_queue_event *)payload)->count, 2);
            }
        }
        assert_int_equal(h.changed, turn == 0);
        assert_int_equal(h.queue, turn == 0);
        assert_int_equal(h.enqueued + h.cleared, 0);
    }
    // It does not obey any more: nothing is left over, and it is new when it comes back.
    expect_ok(kn_unit_remove(m->world, m->red[0]));
    expect_ok(kn_projection_take(m->world, named, 2, &filter, bytes, sizeof(bytes), &size));
    expect_ok(kn_projection_write(world, bytes, size, NULL));
    expect_ok(kn_world_step(world, KN_MS(50)));
    kn_component_type_id seen = kn_component_find(m->library, "Knack.OrderSeen");
    assert_null(kn_component_read(world, seen, m->red[0]));
    kn_world_destroy(world);
}

// ORD-226, ORD-228, OD-193, OD-194, TVD-69: toggles are for the owner, and switch at once there.
static void automatic_orders_are_the_owners(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_order_auto_info autos[3];
    assert_int_equal(kn_order_autos(client_world(m, RED), m->red[0], autos, 3), 2);
    assert_int_equal(autos[0].order.type.index1, m->heal.index1);
    assert_true(autos[0].is_for_players);
    assert_false(autos[0].is_on);
    assert_int_equal(autos[1].order.index, 3);
    assert_int_equal(kn_order_autos(client_world(m, BLUE), m->red[0], autos, 3), 0);
    kn_order_message message;
    expect_ok(kn_order_message_auto(&message, m->library, m->red[0], m->heal, -1, true));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_MS(30));
    assert_int_equal(kn_order_autos(client_world(m, RED), m->red[0], autos, 3), 2);
    assert_true(autos[0].is_on);
    assert_int_equal(kn_order_autos(m->world, m->red[0], autos, 3), 2);
    assert_false(autos[0].is_on);
    match_run(m, KN_S(1));
    assert_int_equal(kn_order_autos(m->world, m->red[0], autos, 3), 2);
    assert_true(autos[0].is_on);
    assert_int_equal(kn_order_autos(client_world(m, RED), m->red[0], autos, 3), 2);
    assert_true(autos[0].is_on);
    assert_int_equal(kn_order_autos(client_world(m, BLUE), m->red[0], autos, 3), 0);
    expect_ok(m->answer[RED]);
    // ORD-401: one that is not for players cannot be switched.
    expect_ok(kn_order_message_auto(&message, m->library, m->red[0], m->secret, 3, true));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_order_autos(m->world, m->red[0], autos, 3), 2);
    assert_false(autos[1].is_on);
}

// A unit that a player does not see tells it nothing, and comes into sight with its order.
static void hidden_units_never_leave_the_server(void **state)
{
    match *m = *state;
    m->hidden = (kn_entity_id){UINT32_MAX, 1};
    match_begin(m);
    m->hidden = m->red[0];
    match_run(m, KN_S(1));
    assert_false(kn_entity_is_alive(client_world(m, BLUE), m->red[0]));
    const kn_order order = move_to(m, 40);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Move |");
    ON_CLIENT(m, BLUE, m->red[0], "none");
    assert_int_equal(m->on_client[BLUE].changed, 0);
    m->hidden = (kn_entity_id){UINT32_MAX, 1};
    match_run(m, KN_S(1));
    ON_CLIENT(m, BLUE, m->red[0], "Move |");
    assert_int_equal(m->on_client[BLUE].changed, 1);
}

static void who_comes_late_sees_current_orders(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40), next = kn_order_of(m->work);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &next);
    match_run(m, KN_S(1));
    match_join(m, LATE);
    match_run(m, KN_S(1));
    ON_CLIENT(m, LATE, m->red[0], "Move | Work");
    assert_int_equal(m->on_client[LATE].changed, 1);
    assert_int_equal(m->on_client[LATE].queue, 1);
    assert_int_equal(kn_order_autos(client_world(m, LATE), m->red[0], NULL, 0), 0);
}

// The unit dies while the command travels, and an order ends while another one does.
static void commands_may_come_too_late(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40), next = kn_order_of(m->work);
    expect_ok(kn_order_issue(m->world, m->red[0], &order, NULL));
    match_run(m, KN_S(1));
    ask(m, RED, m->red[0], KN_ORDER_ASK_INSERT_AFTER, &next);
    expect_ok(kn_order_end(m->world, m->red[0], m->ticket, KN_ORDER_SUCCEEDED));
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[0], "Work |"); // after nothing is at once
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_MS(20));
    assert_true(kn_entity_destroy(m->world, m->red[0]));
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_STALE_ID);
    ON_CLIENT(m, RED, m->red[0], "none");
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0), 0);
    // A target may be gone, too.
    const kn_order attack = kn_order_on(m->heal, m->blue);
    ask(m, RED, m->red[1], KN_ORDER_ASK_ISSUE, &attack);
    match_run(m, KN_MS(20));
    assert_true(kn_entity_destroy(m->world, m->blue));
    match_run(m, KN_S(1));
    assert_true(kn_result_is_refused(m->answer[RED]));
    ON_SERVER(m, m->red[1], "Stop |");
}

// The session limits how many commands a connection may send; the answer says so.
static void a_flood_of_orders_is_refused(void **state)
{
    match *m = *state;
    m->server_def.command_rate = 5;
    match_begin(m);
    for (uint32_t i = 0; i < 20; i++) {
        const kn_order order = move_to(m, (float)i);
        ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    }
    match_run(m, KN_S(1));
    assert_int_equal(m->answers[RED], 20);
    assert_in_range(m->refusals[RED], 13, 16);
    expect_result(m->answer[RED], KN_REFUSED_LIMIT);
    assert_int_equal(m->begun, 20 - m->refusals[RED]);
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0), 0);
    // The other player is not concerned.
    const kn_order order = move_to(m, 1);
    ask(m, BLUE, m->blue, KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_S(1));
    ON_SERVER(m, m->blue, "Move |");
}

// A queue has the length that its type allows, whoever asks.
static void a_full_queue_is_refused(void **state)
{
    match *m = *state;
    match_begin(m);
    for (uint32_t i = 0; i < 5; i++) {
        const kn_order order = move_to(m, (float)i);
        ask(m, RED, m->red[0], KN_ORDER_ASK_ENQUEUE, &order);
    }
    match_run(m, KN_S(1));
    ON_CLIENT(m, BLUE, m->red[0], "Move | Move Move Move");
    expect_result(m->answer[RED], KN_REFUSED_LIMIT);
    assert_int_equal(m->refusals[RED], 1);
}

// TVO-110: a group gets points of its own from the server.
static void groups_are_given_points_by_the_server(void **state)
{
    match *m = *state;
    match_begin(m);
    kn_entity_id units[UNITS + 1];
    memcpy(units, m->red, sizeof(m->red));
    units[UNITS] = m->blue; // not ours: left out
    kn_order_group_def group = kn_order_group_def_default();
    group.units = units;
    group.unit_count = UNITS + 1;
    const kn_order order = move_to(m, 40);
    kn_order_message message;
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ISSUE, &order));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_MS(30));
    kn_order_pending pending;
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[2], &pending, 1), 1);
    assert_true(kn_order_equal(&pending.order, &order));
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->blue, NULL, 0), 0);
    match_run(m, KN_S(1));
    expect_ok(m->answer[RED]);
    ON_SERVER(m, m->blue, "Stop |");
    kn_vec3 points[UNITS];
    for (uint32_t i = 0; i < UNITS; i++) {
        kn_unit_info info;
        assert_true(kn_unit_get_info(client_world(m, BLUE), m->red[i], &info));
        assert_int_equal(info.current.type.index1, m->move.index1);
        points[i] = info.current.location;
        for (uint32_t j = 0; j < i; j++) {
            assert_true(points[i].x != points[j].x || points[i].y != points[j].y);
        }
        assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[i], NULL, 0), 0);
    }
    // One of them dies on the way of the next command, the one that stands for the group.
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_STOP, NULL));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_MS(20));
    assert_true(kn_entity_destroy(m->world, m->red[0]));
    match_run(m, KN_S(1));
    expect_ok(m->answer[RED]);
    for (uint32_t i = 1; i < UNITS; i++) {
        ON_SERVER(m, m->red[i], "Stop |");
    }
    // Nobody is left whom the player may command.
    group.units = &m->blue;
    group.unit_count = 1;
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ISSUE, &order));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_BLOCKED);
    ON_SERVER(m, m->blue, "Stop |");
}

// The active part of a group, and orders that nobody of it may obey.
static void groups_have_an_active_part(void **state)
{
    match *m = *state;
    match_begin(m);
    const uint32_t active[] = {3, 1};
    kn_order_group_def group = kn_order_group_def_default();
    group.units = m->red;
    group.unit_count = UNITS;
    group.first = 2;
    group.sub_group = active;
    group.sub_group_count = 2;
    const kn_order shout = kn_order_of(m->shout), attack = kn_order_on(m->attack, m->blue);
    kn_order_message message;
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ISSUE, &shout));
    assert_true(kn_entity_id_equal(message.command.entity, m->red[2]));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    expect_ok(m->answer[RED]);
    assert_int_equal(m->begun, 2);
    const kn_order scout = kn_order_of(m->scout); // for the one that stands for the group
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ISSUE, &scout));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    ON_SERVER(m, m->red[2], "Scout |");
    ON_SERVER(m, m->red[1], "Stop |");
    ON_SERVER(m, m->red[3], "Stop |");
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ENQUEUE, &attack));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_REQUIREMENT);
    assert_int_equal(m->errors[RED].missing_count, 3);
    assert_int_equal(m->errors[RED].missing[0].index1, m->blessed.index1);
}

// The largest group fits into a datagram.
static void the_largest_group_arrives(void **state)
{
    match *m = *state;
    kn_entity_id units[KN_ORDER_MESSAGE_UNITS_MAX];
    match_begin(m);
    for (uint32_t i = 0; i < KN_ORDER_MESSAGE_UNITS_MAX; i++) {
        units[i] = match_unit(m, m->players[RED], (float)i);
    }
    match_run(m, KN_S(2));
    kn_order_group_def group = kn_order_group_def_default();
    group.units = units;
    group.unit_count = KN_ORDER_MESSAGE_UNITS_MAX;
    const kn_order order = move_to(m, 40);
    kn_order_message message;
    expect_ok(kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ISSUE, &order));
    expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
    match_run(m, KN_S(2));
    expect_ok(m->answer[RED]);
    for (uint32_t i = 0; i < KN_ORDER_MESSAGE_UNITS_MAX; i++) {
        ON_SERVER(m, units[i], "Move |");
        ON_CLIENT(m, BLUE, units[i], "Move |");
    }
}

// A line that is dead for too long: the command is answered when it works again.
static void a_lost_order_does_not_stay_pending(void **state)
{
    match *m = *state;
    match_begin(m);
    const kn_order order = move_to(m, 40);
    kn_net_conditions dead = {.latency = KN_MS(50), .loss = 1.0f};
    expect_ok(kn_net_sim_set_all(m->net, &dead));
    ask(m, RED, m->red[0], KN_ORDER_ASK_ISSUE, &order);
    match_run(m, KN_S(3)); // longer than commands may be old
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0), 1);
    assert_int_equal(m->answers[RED], 0);
    expect_ok(kn_net_sim_set_all(m->net, &m->conditions));
    match_run(m, KN_S(1));
    expect_result(m->answer[RED], KN_REFUSED_LIMIT);
    assert_int_equal(kn_unit_pending(client_world(m, RED), m->red[0], NULL, 0), 0);
    ON_SERVER(m, m->red[0], "Stop |");
}

// With loss, jitter and many orders, everybody ends with what the server has.
static void bad_lines_change_nothing(void **state)
{
    match *m = *state;
    m->conditions = (kn_net_conditions){.latency = KN_MS(80), .jitter = KN_MS(20), .loss = 0.15f};
    match_begin(m);
    for (uint32_t i = 0; i < 20; i++) {
        const kn_order order = move_to(m, (float)(i + 1));
        ask(m, RED, m->red[i % UNITS], i % 3 == 0 ? KN_ORDER_ASK_ISSUE : KN_ORDER_ASK_ENQUEUE,
            &order);
        match_run(m, KN_MS(100));
    }
    match_run(m, KN_S(3));
    assert_int_equal(m->answers[RED], 20);
    for (uint32_t i = 0; i < UNITS; i++) {
        kn_unit_info here, there;
        assert_true(kn_unit_get_info(m->world, m->red[i], &here));
        for (uint32_t j = 0; j < 2; j++) {
            assert_true(kn_unit_get_info(client_world(m, j), m->red[i], &there));
            assert_true(kn_order_equal(&here.current, &there.current));
            assert_int_equal(here.queue_count, there.queue_count);
            assert_int_equal(kn_unit_pending(client_world(m, j), m->red[i], NULL, 0), 0);
        }
    }
    assert_int_equal(m->on_client[BLUE].enqueued, 0);
    assert_in_range(m->on_client[BLUE].changed, 1, m->on_server.changed);
}

// What players asked for is in the recording of a server, and is repeated bit by bit.
static void a_recorded_server_replays(void **state)
{
    match *m = *state;
    m->is_recorded = true;
    m->conditions.jitter = KN_MS(10);
    match_begin(m);
    kn_order_group_def group = kn_order_group_def_default();
    group.units = m->red;
    group.unit_count = UNITS;
    kn_order_message message;
    for (uint32_t i = 0; i < 10; i++) {
        const kn_order order = move_to(m, (float)(i + 1));
        ask(m, RED, m->red[i % UNITS], (kn_order_ask)(i % KN_ORDER_ASK_COUNT), &order);
        ask(m, BLUE, i % 3 == 0 ? m->red[0] : m->blue, KN_ORDER_ASK_ENQUEUE, &order);
        expect_ok(
            kn_order_message_group(&message, m->library, &group, KN_ORDER_ASK_ENQUEUE, &order));
        expect_ok(kn_client_command(m->clients[RED], &message.command, NULL, NULL));
        match_run(m, KN_MS(150));
    }
    expect_ok(kn_order_message_auto(&message, m->library, m->blue, m->heal, -1, true));
    expect_ok(kn_client_command(m->clients[BLUE], &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    assert_true(m->begun > 0 && m->refusals[BLUE] > 0);
    size_t size;
    const void *bytes = kn_recording_bytes(m->recording, &size);
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    kn_world *other;
    expect_ok(kn_world_create(&def, &other));
    kn_grid_def grid_def = kn_grid_def_default();
    grid_def.world = other;
    kn_grid *grid;
    expect_ok(kn_grid_create(&grid_def, &grid));
    kn_world_set_space(other, kn_grid_space(grid));
    kn_replay_report report;
    expect_ok(kn_replay(other, bytes, size, &report, NULL));
    assert_false(report.diverged);
    assert_int_equal(report.commands, 31);
    assert_true(kn_world_hash(other) == kn_world_hash(m->world));
    assert_string_equal(orders_in(m, other, m->red[0]), "Move | Move Move Move");
    kn_grid_destroy(grid);
    kn_world_destroy(other);
}

// A player at the server asks in the same way, and hears everything once.
static void the_host_of_a_server_plays_along(void **state)
{
    match *m = *state;
    match_begin(m);
    uint32_t local;
    expect_ok(kn_server_open_local(m->server, m->now, 0, &local));
    expect_ok(kn_entity_set_connection(m->world, m->players[RED], local));
    const kn_order order = move_to(m, 40), next = move_to(m, 50);
    kn_order_message message;
    expect_ok(kn_order_message_unit(&message, m->library, m->red[0], KN_ORDER_ASK_ISSUE, &order));
    expect_ok(kn_server_command(m->server, local, &message.command, NULL, NULL));
    match_run(m, KN_MS(50));
    ON_SERVER(m, m->red[0], "Move |");
    assert_int_equal(kn_unit_pending(m->world, m->red[0], NULL, 0), 0);
    expect_ok(kn_order_message_unit(&message, m->library, m->red[0], KN_ORDER_ASK_ENQUEUE, &next));
    expect_ok(kn_server_command(m->server, local, &message.command, NULL, NULL));
    match_run(m, KN_S(1));
    assert_int_equal(m->on_server.changed, 1);
    assert_int_equal(m->on_server.enqueued, 1);
    assert_int_equal(m->on_server.queue, 2); // emptied by the first one
    assert_int_equal(m->on_client[BLUE].changed, 1);
    expect_ok(kn_order_message_unit(&message, m->library, m->blue, KN_ORDER_ASK_STOP, NULL));
    expect_ok(kn_server_command(m->server, local, &message.command, NULL, NULL));
    kn_server_event event;
    kn_result answer = KN_OK;
    for (kn_time end = m->now + KN_MS(100); m->now < end; m->now += FRAME) {
        expect_ok(kn_server_update(m->server, m->now));
        while (kn_server_next_event(m->server, &event)) {
            answer = event.kind == KN_SERVER_ANSWER ? event.result : answer;
        }
    }
    expect_result(answer, KN_REFUSED_BLOCKED);
}

static const struct CMUnitTest tests[] = {
    MATCH(units_obey_the_player_who_owns_their_owner),
    MATCH(everything_that_can_be_asked_for_arrives),
    MATCH(clients_know_the_home_of_a_unit),
    MATCH(idle_units_are_not_corrected),
    MATCH(calls_on_a_client_are_refused),
    MATCH(units_of_others_do_not_obey),
    MATCH(the_player_learns_why_an_order_was_refused),
    MATCH(a_pending_order_goes_when_it_is_refused),
    MATCH(a_pending_order_becomes_a_real_one),
    MATCH(a_pending_order_goes_when_nothing_changes),
    MATCH(clients_publish_changes_once),
    MATCH(an_applied_state_is_published_in_the_step_after_it),
    MATCH(automatic_orders_are_the_owners),
    MATCH(hidden_units_never_leave_the_server),
    MATCH(who_comes_late_sees_current_orders),
    MATCH(commands_may_come_too_late),
    MATCH(a_flood_of_orders_is_refused),
    MATCH(a_full_queue_is_refused),
    MATCH(groups_are_given_points_by_the_server),
    MATCH(groups_have_an_active_part),
    MATCH(the_largest_group_arrives),
    MATCH(a_lost_order_does_not_stay_pending),
    MATCH(bad_lines_change_nothing),
    MATCH(a_recorded_server_replays),
    MATCH(the_host_of_a_server_plays_along),
};

TEST_GROUP(order_net, tests, NULL, NULL);
