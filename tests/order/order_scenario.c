// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions of the kit as actions and expectations of scenarios: what is wrong in a file has a
// place and a remedy, and what differs is reported with what was found.

#include "group.h"

#include "knack/order.h"
#include "knack/scenario.h"

#include <stdio.h>
#include <string.h>

#define LIBRARY                                                                                    \
    "library:\n"                                                                                   \
    "  kits: [order]\n"                                                                            \
    "  tags: [Unit.Soldier, Event.Done, Status.Tired]\n"                                           \
    "  blackboards: {Orders: {order_keys: true}}\n"                                                \
    "  trees: {Wait: {blackboard: Orders, root: {kind: wait_event, tag: Event.Done}}}\n"           \
    "  order_types:\n"                                                                             \
    "    Stop: {tree: Wait, needs_life: false}\n"                                                  \
    "    Dig: {tree: Wait, needs_life: false, tags: {source_blocked: [Status.Tired]}}\n"           \
    "  order_units: {Soldier: {tag: Unit.Soldier, stop: Stop}}\n"                                  \
    "entities: {ann: {tags: [Unit.Soldier]}, foe: {tags: [Status.Tired]}}\n"                       \
    "timeline:\n"

// A function of a game: whether it was given a point, as an argument and as an option.
typedef struct aim_options {
    kn_vec3 spot;
    bool has_spot;
} aim_options;

typedef struct aim_arguments {
    kn_entity_id entity;
    kn_vec3 point;
    bool has_point;
    aim_options options;
} aim_arguments;

typedef struct aim_results {
    bool has_point, has_spot;
    float sum;
} aim_results;

static kn_result aim(void *user, const kn_function_call *call)
{
    const aim_arguments *a = call->arguments;
    (void)user;
    *(aim_results *)call->results =
        (aim_results){a->has_point, a->options.has_spot, a->point.x + a->options.spot.y};
    return KN_OK;
}

static kn_result look(void *user, const kn_function_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_result functions_register(void *user, kn_library *library, kn_error *error)
{
    static const kn_def_field option_fields[] = {
        KN_DEF_F(aim_options, spot, KN_FIELD_VEC3, NULL),
        KN_DEF_F(aim_options, has_spot, KN_FIELD_BOOL, NULL),
    };
    static const kn_def_table options = {
        "aim_options", sizeof(aim_options), option_fields, 2, NULL};
    static const kn_def_field fields[] = {
        KN_DEF_F(aim_arguments, entity, KN_FIELD_ENTITY, NULL),
        KN_DEF_F(aim_arguments, point, KN_FIELD_VEC3, NULL),
        KN_DEF_F(aim_arguments, has_point, KN_FIELD_BOOL, NULL),
        KN_DEF_F_STRUCT(aim_arguments, options, &options, NULL),
    };
    static const kn_def_table arguments = {"aim_arguments", sizeof(aim_arguments), fields, 4, NULL};
    static const kn_def_field result_fields[] = {
        KN_DEF_F(aim_results, has_point, KN_FIELD_BOOL, NULL),
        KN_DEF_F(aim_results, has_spot, KN_FIELD_BOOL, NULL),
        KN_DEF_F(aim_results, sum, KN_FIELD_F32, NULL),
    };
    static const kn_def_table results = {
        "aim_results", sizeof(aim_results), result_fields, 3, NULL};
    kn_function_def def = kn_function_def_default();
    (void)user;
    def.name = "entity:aim_at";
    def.arguments = &arguments;
    def.required = 1;
    def.results = &results;
    def.function = aim;
    kn_result result = kn_function_register(library, &def, error);
    def.name = "entity:look";
    def.results = NULL;
    def.function = look;
    return result == KN_OK ? kn_function_register(library, &def, error) : result;
}

static kn_result load(const char *timeline, kn_scenario **scenario)
{
    static const kn_kit kit = {"order", kn_order_register};
    char text[4096];
    kn_scenario_def def = kn_scenario_def_default();
    def.kits = &kit;
    def.kit_count = 1;
    def.prepare = functions_register;
    int length = snprintf(text, sizeof(text), LIBRARY "%s", timeline);
    assert_in_range(length, 1, sizeof(text) - 1);
    return kn_scenario_load_text(&def, "t.yaml", text, (size_t)length, scenario);
}

// `at` is the column of line 12.
static void expect_message(const char *timeline, const char *at, const char *message)
{
    kn_scenario *scenario;
    char line[512], wanted[512];
    assert_int_equal(load(timeline, &scenario), KN_ERROR_BAD_DATA);
    for (uint32_t i = 1; i < kn_scenario_message_count(scenario); i++) {
        (void)kn_scenario_message_print(scenario, i, line, sizeof(line));
        print_error("%s\n", line);
    }
    assert_int_equal(kn_scenario_message_count(scenario), 1);
    (void)kn_scenario_message_print(scenario, 0, line, sizeof(line));
    (void)snprintf(wanted, sizeof(wanted), "t.yaml:12:%s: error: %s", at, message);
    assert_string_equal(line, wanted);
    kn_scenario_destroy(scenario);
}

static void mistakes_have_a_place_and_a_remedy(void **state)
{
    (void)state;
    expect_message("  - do: [{issue_ordre: {entity: ann, order: Dig}}]\n", "11",
        "there is no action `issue_ordre`; did you mean `issue_order`?");
    expect_message(
        "  - do: [{issue_order: {entity: ann, order: Dg}}]\n", "45", "there is no order type `Dg`");
    expect_message("  - do: [{issue_order: {entity: ann, ordr: Dig}}]\n", "38",
        "`issue_order` has no argument called `ordr`; did you mean `order`?");
    expect_message("  - do: [{issue_order: {entity: ann}}]\n", "24", "`issue_order` needs `order`");
    expect_message(
        "  - do: [{issue_order: {entity: ben, order: Dig}}]\n", "33", "there is no entity `ben`");
    expect_message("  - do: [{issue_order: {entity: ann, order: Dig, location: [1, 2]}}]\n", "60",
        "expected a list of three numbers [x, y, z], but this is a list");
    expect_message("  - do: [{issue_order: {entity: ann, order: Dig, returns: obeys}}]\n", "59",
        "`outcome` does not take `obeys`; expected one of: obeyed, waits, is_same, deferred, "
        "not_taken");
    expect_message("  - do: [{end_order: {entity: ann, result: done}}]\n", "44",
        "`result` does not take `done`; expected one of: succeeded, failed, canceled");
    expect_message("  - do: [{clear_order_queue: {entity: ann, returns: 1}}]\n", "53",
        "`clear_order_queue` returns nothing to compare with");
    expect_message("  - do: [{issue_order: {entity: ann, order: Dig, refused: limit}}]\n", "50",
        "an action that is to be refused has `expect`: with the result");
    expect_message("  - do: [{orders.issue_group: {units: [ann, ben], order: Dig}}]\n", "45",
        "there is no entity `ben`");
    expect_message("  - do: [{orders.issue_group: {units: ann, order: Dig}}]\n", "39",
        "expected a list of entities, not `ann`");
    expect_message("  - expect: {entity: ann, curent_order: Dig}\n", "27",
        "there is no key of `expectation` called `curent_order`; did you mean `current_order`?");
    expect_message("  - expect: {entity: ann, current_order: {ordre: Dig}}\n", "43",
        "`current_order` returns nothing called `ordre`; did you mean `order`?");
    expect_message("  - expect: {entity: ann, can_obey: {order: Dig}}\n", "37",
        "`can_obey` needs `returns` or `refused`");
    expect_message("  - expect: {entity: ann, can_obey: Dig}\n", "37",
        "`can_obey` takes arguments: give them in a mapping, with `returns`");
    expect_message(
        "  - expect: {entity: ann, order_queue: Dig}\n", "40", "`order_queue` returns a list");
    expect_message("  - expect: {current_order: Dig}\n", "29", "`current_order` needs `entity`");
    // What changes the world is not an expectation, and what only reads is not an action.
    expect_message("  - expect: {entity: ann, clear_order_queue: true}\n", "27",
        "`clear_order_queue` changes the world: it is an action, and cannot be expected");
    expect_message("  - do: [{current_order: ann}]\n", "11",
        "`current_order` changes nothing: it is not an action, but can be expected");
}

// `failures` are lines, as they are printed.
static void expect_failures(const char *timeline, const char *failures)
{
    kn_scenario *scenario;
    kn_scenario_run *run;
    kn_scenario_run_def def = kn_scenario_run_def_default();
    char text[2048] = "";
    kn_result result = load(timeline, &scenario);
    for (uint32_t i = 0; i < kn_scenario_message_count(scenario); i++) {
        char line[512];
        (void)kn_scenario_message_print(scenario, i, line, sizeof(line));
        print_error("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    assert_int_equal(kn_scenario_run_create(scenario, &def, &run), KN_OK);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    for (uint32_t i = 0; i < kn_scenario_failure_count(run); i++) {
        kn_scenario_failure failure = kn_scenario_failure_at(run, i);
        size_t length = strlen(text);
        (void)snprintf(
            text + length, sizeof(text) - length, "%s, but %s\n", failure.expected, failure.found);
    }
    assert_string_equal(text, failures);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void differences_are_reported_with_what_was_found(void **state)
{
    (void)state;
    expect_failures("  - do: [{issue_order: {entity: foe, order: Dig}}]\n",
        "issue_order of foe (order Dig) is ok, but the result is not_found\n");
    expect_failures("  - do: [{issue_order: {entity: ann, order: Dig, returns: waits}}]\n",
        "issue_order of ann (order Dig) is waits, but it is obeyed\n");
    expect_failures("  - do: [{clear_order_queue: foe}]\n",
        "clear_order_queue of foe is ok, but the result is not_found\n");
    expect_failures("  - expect: {entity: ann, current_order: {order: Dig, is_idle: false}}\n",
        "order of current_order of ann is Dig, but it is Stop\n"
        "is_idle of current_order of ann is false, but it is true\n");
    expect_failures("  - expect: {entity: ann, current_order: {location: [1, 2, 3]}}\n",
        "location of current_order of ann is [1, 2, 3], but there is none\n");
    expect_failures("  - do: [{issue_order: {entity: ann, order: Dig, location: [1, 2, 3]}}]\n"
                    "    expect: {entity: ann, current_order: {location: ~, target: foe}}\n",
        "location of current_order of ann is nothing, but it is [1, 2, 3]\n"
        "target of current_order of ann is foe, but it is nobody\n");
    expect_failures("  - do:\n"
                    "      - {issue_order: {entity: ann, order: Dig}}\n"
                    "      - {enqueue_order: {entity: ann, order: Dig, index: 1}}\n"
                    "    expect:\n"
                    "      - {entity: ann, order_queue: []}\n"
                    "      - {entity: ann, order_queue: [{order: Dig, index: 2}]}\n"
                    "      - {entity: ann, order_queue: [Stop]}\n",
        "order_queue of ann has 0 entries, but it has 1: Dig\n"
        "index of entry 1 of order_queue of ann is 2, but it is 1\n"
        "order of entry 1 of order_queue of ann is Stop, but it is Dig\n");
    expect_failures(
        "  - expect: {entity: foe, can_obey: {order: Dig, returns: {is_possible: true, blocking: "
        "[Unit.Soldier]}}}\n",
        "is_possible of can_obey of foe (order Dig) is true, but it is false\n"
        "blocking of can_obey of foe (order Dig) is [Unit.Soldier], but it is [Status.Tired]\n");
    expect_failures("  - expect:\n"
                    "      - {entity: foe, current_order: Dig}\n"
                    "      - {entity: ann, current_order: {refused: not_found}}\n"
                    "      - {entity: foe, current_order: {refused: limit}}\n"
                    "      - {entity: ann, current_order: ~}\n"
                    "      - {entity: foe, current_order: ~}\n",
        "current_order of foe can be called, but its result is not_found\n"
        "current_order of ann is refused: not_found, but it is not\n"
        "current_order of foe is refused: limit, but its result is not_found\n"
        "order of current_order of ann is nothing, but it is Stop\n");
    expect_failures("  - expect: {entity: ann, unit_type: ~}\n",
        "unit_type of ann is nothing, but it is Soldier\n");
}

// A point that may be missing has a flag, which files do not give themselves.
static void functions_of_a_game_have_points_that_may_be_missing(void **state)
{
    (void)state;
    expect_failures("  - expect:\n"
                    "      - {entity: ann, aim_at: {has_point: false, has_spot: false, sum: 0}}\n"
                    "      - {entity: ann, aim_at: {point: [1, 2, 3], returns: {has_point: true, "
                    "has_spot: false, sum: 1}}}\n"
                    "      - {entity: ann, aim_at: {spot: [1, 2, 3], returns: {has_point: false, "
                    "has_spot: true, sum: 2}}}\n"
                    "      - {entity: ann, aim_at: {point: ~, spot: ~, returns: {has_point: false, "
                    "has_spot: false}}}\n"
                    "      - {entity: ann, look: ~}\n"
                    "      - {entity: ann, aim_at: {returns: {sum: 1}}, look: {refused: limit}}\n",
        "sum of aim_at of ann is 1, but it is 0\n"
        "look of ann is refused: limit, but it is not\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mistakes_have_a_place_and_a_remedy),
    cmocka_unit_test(differences_are_reported_with_what_was_found),
    cmocka_unit_test(functions_of_a_game_have_points_that_may_be_missing),
};

TEST_GROUP(order_scenario, tests, NULL, NULL);
