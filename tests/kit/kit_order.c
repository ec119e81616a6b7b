// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders: what a unit does now and next, how players say so, and why it does something else.

#include "kit_test.h"

static order_id named(const game *g, const char *name)
{
    order_id id = order_find(g->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

// Sends the command of a player; it is carried out by the next step.
static void send(game *g, const char *order, kn_entity_id target, order_place place)
{
    order_command payload = {target, named(g, order), place};
    kn_command command = {.type = kn_command_find(g->library, "order"),
        .entity = g->caster,
        .payload = &payload,
        .size = sizeof(payload)};
    kn_error error = {0};
    expect_ok(kn_world_command(g->world, &command, &error));
}

static void command(game *g, const char *order, kn_entity_id target, order_place place)
{
    send(g, order, target, place);
    step(g, 0.0);
}

static kn_result command_result(const game *g)
{
    return last_event(g, KN_EVENT_COMMAND)->data.command.result;
}

static orders_info info_of(const game *g)
{
    orders_info info = {0};
    assert_true(orders_read(g->world, g->caster, &info));
    return info;
}

static void expect_current(const game *g, const char *name)
{
    order_id current = info_of(g).current;
    assert_string_equal(
        kn_def_name(g->library, kn_kind_find(g->library, "order"), current.index1), name);
}

static bool has(const game *g, const char *tag)
{
    return kn_entity_has_tag(g->world, g->caster, tag_of(g, tag));
}

static void an_order_is_done_when_its_ability_has_ended(void **state)
{
    game *g = *state;
    command(g, "Attack", g->target, ORDER_NOW);
    assert_int_equal(command_result(g), KN_OK);
    expect_event(g, "OrderStarted", "entity 2  begins the order Attack");
    expect_current(g, "Attack");
    assert_true(kn_entity_id_equal(info_of(g).target, g->target));
    assert_true(has(g, "Unit.Busy"));
    assert_true(attribute(g, g->target, "Vitals.Health") == 90.0f);
    assert_int_equal(orders_against(g->world, g->target), 1);
    step(g, 1.0);
    expect_event(g, "OrderEnded", "entity 2  ends the order Attack: done");
    expect_current(g, "");
    assert_false(has(g, "Unit.Busy"));
    assert_int_equal(info_of(g).done, 1);
    assert_int_equal(orders_against(g->world, g->target), 0);
}

static void orders_wait_behind_each_other_and_one_may_come_next(void **state)
{
    game *g = *state;
    send(g, "Attack", g->target, ORDER_LAST);
    send(g, "Walk", g->target, ORDER_LAST);
    send(g, "Cheer", g->target, ORDER_NEXT);
    step(g, 0.5);
    expect_current(g, "Attack");
    assert_int_equal(info_of(g).waiting, 2);
    step(g, 0.5); // the cheer is over at once
    expect_current(g, "Walk");
    assert_int_equal(info_of(g).done, 2);
    step(g, 2.0);
    expect_current(g, "");
    assert_int_equal(info_of(g).done, 3);
}

static void an_order_now_replaces_everything(void **state)
{
    game *g = *state;
    send(g, "Walk", g->target, ORDER_LAST);
    send(g, "Cheer", g->target, ORDER_LAST);
    step(g, 0.5);
    command(g, "Attack", g->target, ORDER_NOW);
    expect_event(g, "OrderEnded", "entity 2  ends the order Walk: replaced");
    expect_current(g, "Attack");
    assert_int_equal(info_of(g).waiting, 0);
    const kn_event *ended = last_event(g, KN_EVENT_ABILITY_ENDED);
    assert_string_equal(
        kn_library_end_reason_name(g->library, ended->data.ability.end_reason), "order_replaced");
    assert_true(kn_entity_id_equal(ended->data.ability.instigator, g->caster));
}

static void an_order_that_insists_stays(void **state)
{
    game *g = *state;
    command(g, "Pray", g->target, ORDER_NOW);
    command(g, "Attack", g->target, ORDER_NOW);
    assert_int_equal(command_result(g), KN_REFUSED_BLOCKED);
    expect_event(g, "OrderRefused", "entity 2  refuses the order Attack: insists");
    expect_current(g, "Pray");
    command(g, "Pray", g->target, ORDER_NOW);
    assert_int_equal(command_result(g), KN_OK);
    command(g, "Attack", g->target, ORDER_LAST); // may wait
    assert_int_equal(info_of(g).waiting, 1);
}

static void one_order_may_follow_another_by_itself(void **state)
{
    game *g = *state;
    command(g, "Finish", g->target, ORDER_NOW);
    send(g, "Walk", g->target, ORDER_LAST);
    step(g, 1.0);
    assert_int_equal(info_of(g).done, 2); // Finish, and Cheer before Walk
    expect_current(g, "Walk");
}

static void patience_is_a_formula_and_ends(void **state)
{
    game *g = *state;
    command(g, "Guard", g->caster, ORDER_NOW);
    assert_true(has(g, "Unit.Guarding"));
    assert_true(attribute(g, g->caster, "Vitals.Rage") == 55.0f);
    step(g, 1.999);
    expect_current(g, "Guard");
    step(g, 0.001);
    expect_event(g, "OrderEnded", "entity 2  ends the order Guard: given_up");
    assert_false(has(g, "Unit.Guarding"));
    assert_true(attribute(g, g->caster, "Vitals.Rage") == 50.0f);
}

static void a_replaced_order_takes_its_patience_along(void **state)
{
    game *g = *state;
    command(g, "Guard", g->caster, ORDER_NOW);
    step(g, 1.5);
    command(g, "Guard", g->caster, ORDER_NOW);
    step(g, 1.5);
    expect_current(g, "Guard"); // the second one is 1.5 s old
    step(g, 0.5);
    expect_current(g, "");
}

static void orders_are_cleared_by_command(void **state)
{
    game *g = *state;
    kn_command clear = {.type = kn_command_find(g->library, "clear_orders"), .entity = g->caster};
    expect_ok(kn_world_command(g->world, &clear, NULL));
    step(g, 0.0);
    assert_int_equal(command_result(g), KN_REFUSED_NOT_FOUND); // it never had any
    send(g, "Walk", g->target, ORDER_LAST);
    send(g, "Cheer", g->target, ORDER_LAST);
    step(g, 0.0);
    clear_command keep = {1};
    clear.payload = &keep;
    clear.size = sizeof(keep);
    expect_ok(kn_world_command(g->world, &clear, NULL));
    step(g, 0.0);
    expect_current(g, "Walk");
    assert_int_equal(info_of(g).waiting, 0);
    clear.payload = NULL;
    clear.size = 0;
    expect_ok(kn_world_command(g->world, &clear, NULL));
    step(g, 0.0);
    expect_event(g, "OrderEnded", "entity 2  ends the order Walk: cleared");
    expect_current(g, "");
}

static void a_target_that_is_gone_ends_the_order_and_what_waits_for_it(void **state)
{
    game *g = *state;
    send(g, "Attack", g->target, ORDER_LAST);
    send(g, "Attack", g->target, ORDER_LAST);
    send(g, "Attack", g->rival, ORDER_LAST);
    step(g, 0.5);
    assert_true(kn_entity_destroy(g->world, g->target));
    expect_current(g, "");
    assert_int_equal(info_of(g).waiting, 1); // the one against the other unit
    step(g, 0.0);
    expect_current(g, "Attack");
    assert_true(kn_entity_id_equal(info_of(g).target, g->rival));
    expect_event(g, "OrderStarted", "entity 2  begins the order Attack");
    assert_int_equal(event_count(g, "OrderEnded"), 1);
    expect_event(g, "OrderEnded", "entity 2  ends the order Attack: target_gone");
    assert_true(kn_entity_destroy(g->world, g->caster));
    step(g, 5.0);
}

static void many_units_lose_one_target_at_once(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < 50; i++) {
        expect_ok(order_issue(g->world, unit_create(g), named(g, "Attack"), g->target, ORDER_LAST));
    }
    // Each strikes at once, so the target is weak enough for all of them.
    assert_int_equal(orders_against(g->world, g->target), 50);
    assert_true(kn_entity_destroy(g->world, g->target));
    assert_int_equal(orders_against(g->world, g->target), 0);
    step(g, 0.0);
    assert_int_equal(event_count(g, "OrderEnded"), 50);
}

static void an_order_that_cannot_begin_is_dropped_and_says_why(void **state)
{
    game *g = *state;
    expect_ok(
        kn_entity_add_tag(g->world, g->caster, tag_of(g, "Unit.Rooted"), KN_TAG_ORIGIN_LOOSE, 1));
    send(g, "Walk", g->target, ORDER_LAST);
    send(g, "Cheer", g->target, ORDER_LAST);
    step(g, 0.0);
    expect_event(g, "OrderRefused", "entity 2  refuses the order Walk: needs");
    assert_int_equal(info_of(g).done, 1);
    attribute_set(g, g->caster, "Vitals.Health", 20.0f);
    command(g, "Attack", g->target, ORDER_NOW);
    expect_event(g, "OrderRefused", "entity 2  refuses the order Attack: condition");
    attribute_set(g, g->caster, "Vitals.Health", 100.0f);
    attribute_set(g, g->caster, "Vitals.Rage", 10.0f);
    command(g, "Attack", g->target, ORDER_NOW);
    expect_event(g, "OrderRefused", "entity 2  refuses the order Attack: ability");
    assert_int_equal(info_of(g).refused, 3);
    expect_current(g, "");
    assert_false(has(g, "Unit.Busy"));
    assert_true(attribute(g, g->target, "Vitals.Health") == 100.0f);
}

static void commands_that_make_no_sense_are_refused(void **state)
{
    game *g = *state;
    kn_entity_id nobody = {0};
    uint64_t before;
    command(g, "Attack", nobody, ORDER_NOW);
    assert_int_equal(command_result(g), KN_REFUSED_STALE_ID);
    command(g, "Attack", g->caster, ORDER_NOW);
    assert_int_equal(command_result(g), KN_REFUSED_REQUIREMENT);
    order_command payload = {g->target, {0}, ORDER_NOW};
    kn_command bad = {.type = kn_command_find(g->library, "order"),
        .entity = g->caster,
        .payload = &payload,
        .size = sizeof(payload)};
    kn_error error = {0};
    before = kn_entity_hash(g->world, g->caster);
    expect_ok(kn_world_command(g->world, &bad, &error)); // no order at all
    step(g, 0.0);
    assert_int_equal(command_result(g), KN_REFUSED_NOT_FOUND);
    payload.order.index1 = 1000;
    assert_int_equal(kn_world_command(g->world, &bad, &error), KN_ERROR_BAD_DATA);
    payload.order = named(g, "Attack");
    payload.place = (order_place)3;
    assert_int_equal(kn_world_command(g->world, &bad, &error), KN_ERROR_BAD_DATA);
    payload.place = ORDER_LAST;
    bad.size = 8;
    assert_int_equal(kn_world_command(g->world, &bad, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(
        order_issue(g->world, nobody, payload.order, g->target, ORDER_NOW), KN_REFUSED_STALE_ID);
    assert_int_equal(order_issue(g->world, g->caster, payload.order, g->target, (order_place)7),
        KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_entity_hash(g->world, g->caster) == before);
    expect_ok(order_issue(g->world, g->caster, named(g, "Pray"), nobody, ORDER_NOW));
    for (uint32_t i = 0; i < ORDERS_MAX; i++) {
        expect_ok(order_issue(g->world, g->caster, payload.order, g->target, ORDER_LAST));
    }
    assert_int_equal(
        order_issue(g->world, g->caster, payload.order, g->target, ORDER_NEXT), KN_REFUSED_LIMIT);
    step(g, 0.0);
    expect_event(g, "OrderRefused", "entity 2  refuses the order Attack: full");
    expect_message("orders: {A: {next: B}, B: {}}\n",
        "t.yaml:1:10: error: order `A` has no ability, so it is never done and nothing follows it; "
        "leave out `next`");
    expect_message("orders: {A: {aim: units}}\n",
        "t.yaml:1:19: error: `units` is not a value of `aim`; did you mean `unit`?");
}

static void only_the_owner_may_command_a_unit(void **state)
{
    game *g = *state;
    expect_ok(kn_entity_set_connection(g->world, g->caster, 3));
    order_command payload = {g->target, named(g, "Attack"), ORDER_NOW};
    kn_command stolen = {.type = kn_command_find(g->library, "order"),
        .connection = 4,
        .entity = g->caster,
        .payload = &payload,
        .size = sizeof(payload)};
    expect_ok(kn_world_command(g->world, &stolen, NULL));
    step(g, 0.0);
    assert_int_equal(command_result(g), KN_REFUSED_BLOCKED);
    stolen.connection = 3;
    expect_ok(kn_world_command(g->world, &stolen, NULL));
    step(g, 0.0);
    assert_int_equal(command_result(g), KN_OK);
}

static void an_ability_may_need_an_order(void **state)
{
    game *g = *state;
    kn_fail without = kn_fail_find(g->library, "without_order");
    kn_ability_id strike = ability_of(g, g->caster, "Strike");
    char text[256];
    assert_int_equal(use(g, g->caster, "Strike", g->target), KN_REFUSED_CUSTOM);
    kn_event_record event = kn_event_record_default();
    event.target = g->target;
    assert_int_equal(kn_ability_check(g->world, strike, &event), (uint32_t)without);
    (void)kn_ability_explain_print(g->world, strike, &event, text, sizeof(text));
    assert_string_equal(text, "Strike: needs an order (0 wait)");
    send(g, "Walk", g->target, ORDER_LAST);
    send(g, "Attack", g->target, ORDER_LAST);
    step(g, 0.0);
    (void)kn_ability_explain_print(g->world, strike, &event, text, sizeof(text));
    assert_string_equal(text, "Strike: needs an order (1 wait)");
    step(g, 2.0);
    expect_current(g, "Attack");
    assert_int_equal(kn_ability_check(g->world, strike, NULL) & (uint32_t)without, 0);
}

static void what_an_order_does_names_it_in_the_chain(void **state)
{
    game *g = *state;
    char text[512];
    command(g, "Attack", g->target, ORDER_NOW);
    (void)kn_cause_print(
        g->world, last_event(g, KN_EVENT_ATTRIBUTE_CHANGED)->cause, text, sizeof(text));
    assert_string_equal(text, "Struck applied by entity 2 on entity 3 <- Strike on entity 2 <- "
                              "order Attack of entity 2 <- command order of entity 2 <- host");
}

static void orders_that_take_no_time_are_all_done_at_one_moment(void **state)
{
    game *g = *state;
    command(g, "Walk", g->target, ORDER_NOW);
    for (uint32_t i = 0; i < ORDERS_MAX; i++) {
        expect_ok(order_issue(g->world, g->caster, named(g, "Cheer"), g->target, ORDER_LAST));
    }
    step(g, 2.0);
    assert_int_equal(info_of(g).done, 1 + ORDERS_MAX);
    expect_current(g, "");
    char text[256]; // each has a chain of its own, however many came before
    (void)kn_cause_print(
        g->world, last_event(g, KN_EVENT_ABILITY_ACTIVATED)->cause, text, sizeof(text));
    assert_string_equal(
        text, "Shout on entity 2 <- order Cheer of entity 2 <- timer on entity 2 <- host");
}

static void ambush(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    assert_true(kn_entity_destroy(world, reaction->entity));
}

static kn_result prepare_ambush(void *user, kn_library *library, kn_error *error)
{
    kn_result result = kit_prepare(user, library, error);
    kn_tag_def tag = kn_tag_def_default();
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    tag.name = "Unit.Busy";
    rule.name = "Ambush";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.function = ambush;
    result = result != KN_OK ? result : kn_tag_register(library, &tag, &rule.tag, error);
    return result != KN_OK ? result : kn_rule_register(library, &rule, &id, error);
}

// Whoever gets busy dies: the order has begun by then, also for a call of the host.
static void rules_wait_until_an_order_has_begun(void **state)
{
    (void)state;
    game g = {0};
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare_ambush;
    expect_ok(kn_data_create(&def, &g.data));
    expect_ok(kit_add_natives(g.data));
    expect_ok(kn_data_add_folder(g.data, KIT_CONTENT));
    g.library = kit_library(g.data);
    g.world = world_create(g.library);
    game_populate(&g);
    expect_ok(order_issue(g.world, g.caster, named(&g, "Attack"), g.target, ORDER_NOW));
    assert_false(kn_entity_is_alive(g.world, g.caster));
    assert_int_equal(orders_against(g.world, g.target), 0);
    step(&g, 0.0);
    expect_event(&g, "OrderStarted", "entity 2  begins the order Attack");
    expect_event(&g, "OrderEnded", "entity 2  ends the order Attack: cleared");
    kn_world_destroy(g.world);
    kn_library_destroy(g.library);
    kn_data_destroy(g.data);
}

static void an_order_cannot_follow_itself(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    expect_ok(kn_library_create(&library_def, &library));
    expect_ok(kit_register(library, &error));
    order_def def = order_def_default();
    order_id order;
    def.name = "Again";
    def.next.index1 = 1; // itself, the first that is registered
    assert_int_equal(order_register(library, &def, &order, &error), KN_ERROR_BAD_DATA);
    expect_ok(kn_library_finish(library, &error));
    assert_int_equal(kit_register(library, &error), KN_ERROR_WORLD_LOCKED);
    kn_library_destroy(library);
    expect_message("abilities: {A: {body: use}}\norders: {A: {ability: A, next: A}}\n",
        "t.yaml:2:32: error: these definitions need each other in a cycle: A -> A; break it at one "
        "of them");
}

static const struct CMUnitTest tests[] = {
    TEST(an_order_is_done_when_its_ability_has_ended),
    TEST(orders_wait_behind_each_other_and_one_may_come_next),
    TEST(an_order_now_replaces_everything),
    TEST(an_order_that_insists_stays),
    TEST(one_order_may_follow_another_by_itself),
    TEST(patience_is_a_formula_and_ends),
    TEST(a_replaced_order_takes_its_patience_along),
    TEST(orders_are_cleared_by_command),
    TEST(a_target_that_is_gone_ends_the_order_and_what_waits_for_it),
    TEST(many_units_lose_one_target_at_once),
    TEST(an_order_that_cannot_begin_is_dropped_and_says_why),
    TEST(commands_that_make_no_sense_are_refused),
    TEST(only_the_owner_may_command_a_unit),
    TEST(an_ability_may_need_an_order),
    TEST(what_an_order_does_names_it_in_the_chain),
    TEST(orders_that_take_no_time_are_all_done_at_one_moment),
    cmocka_unit_test(rules_wait_until_an_order_has_begun),
    cmocka_unit_test(an_order_cannot_follow_itself),
};

TEST_GROUP(kit_order, tests, NULL, NULL);
