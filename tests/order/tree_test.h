// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of trees share. Tasks of a test write what happens to a log: "A" a task that ended at
// once, "+A" one that goes on, "-A" one that was aborted; for the second entity with "2" behind it.
#ifndef KNACK_TREE_TEST_H
#define KNACK_TREE_TEST_H

#include "group.h"

#include "knack/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id a, b; // both run trees
    kn_entity_id foe;
    kn_tag alarm, other, ready, calm, deep;
    kn_attribute_set_id vitals;
    kn_attribute_id health;
    kn_ability_type_id strike; // goes on until it is ended
    kn_ability_type_id jab;    // ends at once
    kn_effect_type_id burn;
    kn_condition_id hurt;
    kn_tree_action_id ok, bad, go, tick, is_open, custom;
    kn_blackboard_def board_def;
    kn_blackboard_id board;
    kn_order_type_id orders[8];
    kn_unit_type_id unit_type;
    bool is_open_now; // what the action `is_open` says
    void (*does)(struct fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket);
    void (*aborts)(kn_world *world, kn_entity_id entity); // when a task is aborted
    kn_tree_result does_result;
    uint32_t ticket[2]; // of the task that went on last, by entity
    uint32_t node[2];
    float number;          // of the last call
    kn_entity_id target;   // of the last call
    uint32_t stuck, ended; // events of the last step
    kn_tree_result result; // of the last that ended
    char log[4096];
} fixture;

#include "kit_test.h"

static inline void say(
    fixture *f, kn_world *world, kn_entity_id entity, const char *before, uint32_t node)
{
    kn_tree_node_info info;
    size_t length = strlen(f->log);
    assert_true(kn_tree_get_node(world, entity, node, &info));
    (void)snprintf(f->log + length, sizeof(f->log) - length, "%s%s%s%s", length > 0 ? " " : "",
        before, info.name, kn_entity_id_equal(entity, f->b) ? "2" : "");
}

static inline void called(fixture *f, const kn_hook_call *call, const char *before)
{
    const kn_tree_call *c = call->arguments;
    f->number = c->number;
    f->target = c->target;
    say(f, call->writable, call->entity, before, c->node);
}

static inline kn_result hook_ok(void *user, const kn_hook_call *call)
{
    called(user, call, "");
    return KN_OK;
}

static inline kn_result hook_bad(void *user, const kn_hook_call *call)
{
    called(user, call, "");
    return KN_REFUSED_CUSTOM;
}

static inline kn_result hook_go(void *user, const kn_hook_call *call)
{
    fixture *f = user;
    kn_tree_call *c = call->arguments;
    uint32_t who = kn_entity_id_equal(call->entity, f->b);
    called(f, call, "+");
    f->ticket[who] = c->ticket;
    f->node[who] = c->node;
    c->result = KN_TREE_RUNNING;
    return KN_OK;
}

static inline kn_result hook_aborted(void *user, const kn_hook_call *call)
{
    const fixture *f = user;
    called(user, call, "-");
    if (f->aborts != NULL) {
        f->aborts(call->writable, call->entity);
    }
    return KN_OK;
}

static inline kn_result hook_tick(void *user, const kn_hook_call *call)
{
    called(user, call, "*");
    return KN_OK;
}

static inline kn_result hook_open(void *user, const kn_hook_call *call)
{
    const fixture *f = user;
    assert_null(call->writable);
    return f->is_open_now ? KN_OK : KN_REFUSED_CUSTOM;
}

static inline kn_result hook_custom(void *user, const kn_hook_call *call)
{
    fixture *f = user;
    kn_tree_call *c = call->arguments;
    called(f, call, "!");
    f->ticket[0] = c->ticket;
    c->result = f->does_result;
    if (f->does != NULL) {
        f->does(f, call->writable, call->entity, c->ticket);
    }
    return KN_OK;
}

static inline kn_tree_action_id action_named(
    fixture *f, const char *name, kn_hook_fn *run, kn_hook_fn *test)
{
    kn_tree_action_def def = kn_tree_action_def_default();
    kn_tree_action_id action;
    def.name = name;
    def.run = (kn_hook){run, f};
    def.aborted = (kn_hook){hook_aborted, f};
    def.test = (kn_hook){test, f};
    assert_int_equal(kn_tree_action_register(f->library, &def, &action, NULL), KN_OK);
    return action;
}

static inline kn_result ability_end(const kn_ability_call *call)
{
    return kn_activation_end(call->world, call->activation);
}

static inline fixture *fixture_create(void)
{
    fixture *f = calloc(1, sizeof(*f));
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    assert_non_null(f);
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    if (kn_order_register(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_grid_register(f->library, NULL, &error), KN_OK);
    f->alarm = tag_named(f, "Event.Alarm");
    f->deep = tag_named(f, "Event.Alarm.Deep");
    f->other = tag_named(f, "Event.Other");
    f->ready = tag_named(f, "Status.Ready");
    f->calm = tag_named(f, "Status.Calm");
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Health";
    attribute.default_value = 100.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    assert_int_not_equal(f->health.index1, 0);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    assert_int_equal(kn_ability_register(f->library, &ability, &f->strike, NULL), KN_OK);
    ability.name = "Jab";
    ability.activate = ability_end;
    assert_int_equal(kn_ability_register(f->library, &ability, &f->jab, NULL), KN_OK);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Burn";
    effect.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(f->library, &effect, &f->burn, NULL), KN_OK);
    assert_int_equal(kn_condition_register_expression(
                         f->library, "Hurt", "target.Vitals.Health < 50", &f->hurt, &error),
        KN_OK);
    f->ok = action_named(f, "Ok", hook_ok, NULL);
    f->bad = action_named(f, "Bad", hook_bad, NULL);
    f->go = action_named(f, "Go", hook_go, NULL);
    f->tick = action_named(f, "Tick", hook_tick, NULL);
    f->is_open = action_named(f, "IsOpen", NULL, hook_open);
    f->custom = action_named(f, "Custom", hook_custom, NULL);
    static const kn_blackboard_key_def keys[] = {
        {"Flag", KN_BLACKBOARD_BOOL, 0},
        {"Whole", KN_BLACKBOARD_INT, 0},
        {"Number", KN_BLACKBOARD_FLOAT, 2.5f},
        {"Point", KN_BLACKBOARD_VECTOR, 0},
        {"Foe", KN_BLACKBOARD_ENTITY, 0},
        {"Type", KN_BLACKBOARD_ORDER, 0},
        {"Label", KN_BLACKBOARD_TAG, 0},
        {"Other", KN_BLACKBOARD_INT, 7.0f},
    };
    f->board_def = kn_blackboard_def_default();
    f->board_def.name = "Soldier";
    f->board_def.keys = keys;
    f->board_def.key_count = COUNT(keys);
    f->board_def.order_keys = true;
    assert_int_equal(kn_blackboard_register(f->library, &f->board_def, &f->board, &error), KN_OK);
    return f;
}

// Nodes -------------------------------------------------------------------------------

#define NODE(kind_, ...)                                                                           \
    {                                                                                              \
        .kind = (kind_), .fails = KN_TREE_ONE, .index = -1, __VA_ARGS__                            \
    }
#define KIDS(...)                                                                                  \
    .children = (const kn_tree_node[]){__VA_ARGS__},                                               \
    .child_count = COUNT(((const kn_tree_node[]){__VA_ARGS__}))
#define WHEN(...)                                                                                  \
    .conditions = (const kn_tree_condition[]){__VA_ARGS__},                                        \
    .condition_count = COUNT(((const kn_tree_condition[]){__VA_ARGS__}))
#define TASK(name_, action_, ...)                                                                  \
    NODE(KN_TREE_TASK, .name = (name_), .action = (action_), __VA_ARGS__)
#define OK(name_) TASK(name_, f->ok, .number = 0)
#define BAD(name_) TASK(name_, f->bad, .number = 0)
#define GO(name_) TASK(name_, f->go, .number = 0)
#define TAGS(tag_)                                                                                 \
    {                                                                                              \
        &(tag_), 1                                                                                 \
    }

static inline kn_tree_id tree_named(fixture *f, const char *name, const kn_tree_node *root)
{
    kn_tree_def def = kn_tree_def_default();
    kn_tree_id tree;
    kn_error error = {0};
    def.name = name;
    def.blackboard = f->board;
    def.root = *root;
    if (kn_tree_register(f->library, &def, &tree, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return tree;
}

#define TREE(name_, ...) tree_named(f, name_, &(const kn_tree_node)__VA_ARGS__)

// Worlds ------------------------------------------------------------------------------

static inline void entity_make(fixture *f, kn_entity_id *entity, float x)
{
    assert_int_equal(kn_entity_create(f->world, entity), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, *entity, f->vitals, 0), KN_OK);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, 0, 0};
    assert_int_equal(kn_grid_set_body(f->grid, *entity, &body), KN_OK);
}

static inline void begin_with(fixture *f, kn_world_def def)
{
    kn_error error = {0};
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_grid_def grid = kn_grid_def_default();
    grid.world = f->world;
    assert_int_equal(kn_grid_create(&grid, &f->grid), KN_OK);
    kn_world_set_space(f->world, kn_grid_space(f->grid));
    entity_make(f, &f->a, 0);
    entity_make(f, &f->b, 1);
    entity_make(f, &f->foe, 10);
}

static inline void begin(fixture *f)
{
    begin_with(f, kn_world_def_default());
}

static inline void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
    kn_events events = kn_world_events(f->world);
    f->stuck = f->ended = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(f->library, event->data.custom.kind);
        if (strcmp(name, "Knack.TreeEnded") == 0) {
            const kn_tree_event *payload = kn_event_payload(f->world, event, &size);
            f->ended++;
            f->result = payload->result;
        }
        f->stuck += strcmp(name, "Knack.TreeStuck") == 0;
    }
}

static inline void start(fixture *f, kn_tree_id tree)
{
    f->log[0] = 0;
    assert_int_equal(kn_tree_start(f->world, f->a, tree), KN_OK);
}

static inline kn_tree_result result_of(fixture *f, kn_entity_id entity)
{
    kn_tree_info info;
    assert_true(kn_tree_get_info(f->world, entity, &info));
    return info.result;
}

// What was logged since the last time, and how the tree of the first entity is.
#define EXPECT(text, result_)                                                                      \
    do {                                                                                           \
        assert_string_equal(f->log, text);                                                         \
        assert_int_equal(result_of(f, f->a), result_);                                             \
        f->log[0] = 0;                                                                             \
    } while (0)

static inline void finish(fixture *f, kn_tree_result result)
{
    assert_int_equal(kn_tree_finish_task(f->world, f->a, f->ticket[0], result), KN_OK);
}

static inline void send(fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_event_send(f->world, entity, tag, NULL), KN_OK);
}

static inline kn_tree_state state_of(fixture *f, const char *name)
{
    kn_tree_node_info info;
    for (uint32_t i = 0; kn_tree_get_node(f->world, f->a, i, &info); i++) {
        if (strcmp(info.name, name) == 0) {
            return info.state;
        }
    }
    fail_msg("no node %s", name);
    return KN_TREE_STATE_NONE;
}

// Orders that trees carry out ---------------------------------------------------------

// Registers an order type that a tree carries out.
static inline kn_order_type_id order_of(
    fixture *f, const char *name, kn_tree_id tree, bool restarts)
{
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    kn_error error = {0};
    def.name = name;
    def.needs_life = false;
    def.target_kind = KN_ORDER_TARGET_NONE;
    def.range = 600;
    def.tree = tree;
    def.restarts_tree = restarts;
    if (kn_order_type_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static inline void units_begin(fixture *f, kn_order_type_id stop)
{
    kn_unit_type_def def = kn_unit_type_def_default();
    def.name = "Unit";
    def.stop = stop;
    assert_int_equal(kn_unit_type_register(f->library, &def, &f->unit_type, NULL), KN_OK);
    begin(f);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){10, 20, 30};
    assert_int_equal(kn_grid_set_body(f->grid, f->a, &body), KN_OK);
    f->log[0] = 0;
    assert_int_equal(kn_unit_add(f->world, f->a, f->unit_type), KN_OK);
}

static inline void issue(fixture *f, const kn_order *order)
{
    assert_int_equal(kn_order_issue(f->world, f->a, order, NULL), KN_OK);
}

static inline void issue_type(fixture *f, kn_order_type_id type)
{
    const kn_order order = kn_order_of(type);
    issue(f, &order);
}

static inline kn_order_type_id current(fixture *f)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->a, &info));
    return info.current.type;
}

// Ends of orders that the last step published, with a letter each: S, F or C.
static inline const char *ends(fixture *f)
{
    static char text[64];
    kn_events events = kn_world_events(f->world);
    uint32_t length = 0;
    for (uint32_t i = 0; i < events.count && length + 1 < sizeof(text); i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type == KN_EVENT_CUSTOM &&
            strcmp(kn_custom_event_name(f->library, event->data.custom.kind), "Knack.OrderEnded") ==
                0) {
            const kn_order_ended *ended = kn_event_payload(f->world, event, &size);
            text[length++] = "SFC"[ended->result];
        }
    }
    text[length] = 0;
    return text;
}

static inline int setup_fixture(void **state)
{
    *state = fixture_create();
    return 0;
}

static inline int teardown_fixture(void **state)
{
    fixture *f = *state;
    if (f->world != NULL) {
        assert_true(kn_world_validate(f->world));
    }
    kn_grid_destroy(f->grid);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)

#endif
