// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about trees and blackboards share. A tree is worked out into a plan when the
// library is finished: its nodes and those of its sub-trees in preorder, so that the state of a
// tree is one flat list.
#ifndef KNACK_ORDER_TREE_PARTS_H
#define KNACK_ORDER_TREE_PARTS_H

#include "knack/tree.h"
#include "parts.h"

#define NONE UINT32_MAX

// State -----------------------------------------------------------------------

typedef struct board_state {
    kn_blackboard_id layout;
} board_state;

// The value of a key: the field of its kind, others are zero.
typedef struct board_value {
    kn_entity_id entity;
    kn_vec3 vector;
    int32_t whole; // also of a bool
    float number;
    kn_order_type_id order;
    kn_tag tag;
    uint32_t is_set;
} board_value;

typedef struct tree_run {
    kn_tree_id tree;
    uint32_t result;     // kn_tree_result
    uint32_t run;        // rises with each start
    uint32_t ticket;     // the last one that was given to a node
    uint32_t busy;       // a turn is going on: calls wait
    uint32_t order;      // ticket of the order it carries out and has not ended; 0: none
    uint32_t end_order;  // ticket of the order that ends at the next tick; 0: none
    uint32_t end_result; // kn_order_result of that
    uint32_t ends;       // orders that ended shortly after each other, the last at the time below
    uint32_t by_order;   // it was started for an order
    uint32_t shape;      // of the plan that the state belongs to
    uint32_t waiting;    // calls that wait until the turn is over
    kn_time ends_at;
} tree_run;

// Nodes come first, then services, then conditions.
typedef struct node_state {
    kn_time until;               // cooldown: when it is ready again
    kn_timer_id timer;           // wait, time_limit, services
    kn_activation_id activation; // use_ability
    uint32_t state;              // kn_tree_state; of conditions: an answer
    uint32_t ticket;             // of the node, since it began
    uint32_t child;              // index of the child that runs; blocked: the condition
    uint32_t count;              // repetitions, tried children, 1 + the decision of a parallel, or
                                 // the ticket of a movement
} node_state;

typedef enum answer {
    ANSWER_NONE,
    ANSWER_NO,
    ANSWER_YES,
} answer;

typedef enum tree_call_kind {
    TREE_CALL_START,
    TREE_CALL_STOP,
    TREE_CALL_FINISH, // a task
    TREE_CALL_SIGNAL, // something happened that nodes may wait for
    TREE_CALL_ORDER,  // start for an order
    TREE_CALL_LEAVE,  // stop, if it was started for an order
    TREE_CALL_TIMER,
    TREE_CALL_ABILITY, // an activation ended
    TREE_CALL_MOVE,    // a movement ended
} tree_call_kind;

typedef struct tree_call {
    kn_order order; // TREE_CALL_ORDER: what the keys of orders are to hold, and the two below
    kn_vec3 home;
    float range;
    kn_tree_id tree;
    uint32_t kind;
    uint32_t ticket; // of the task, order or node
    uint32_t result; // kn_tree_result; TREE_CALL_ORDER: 1 to restart a tree that runs
    uint32_t signal; // kn_trigger, or HEAR_KEY
    uint32_t index1; // what the signal is about; a timer: index of the state
    kn_activation_id activation;
} tree_call;

// Plans -----------------------------------------------------------------------

#define HEAR_KEY 1000u // a signal: a key of the blackboard has another value

typedef struct plan_value {
    const kn_tree_value *def;
    uint32_t key1, from1;
} plan_value;

typedef struct plan_node {
    const kn_tree_node *def;
    kn_tree_node_kind kind;
    uint32_t parent; // NONE for the root
    uint32_t end;    // index after its last descendant; the next sibling, if it has one
    uint32_t child_count;
    uint32_t first_condition, condition_count;
    uint32_t first_service, service_count;
    uint32_t first_value, value_count;
    uint32_t target1, location1, range1; // keys
    uint32_t depth;
    kn_order_type_id order;
    bool is_plain;   // nothing but its conditions is to be done before it begins
    bool leaves_any; // timers, activations or times are left behind when it ends
} plan_node;

typedef struct plan_condition {
    const kn_tree_condition *def;
    uint32_t node;
    uint32_t key1, with1, within1;
    kn_blackboard_kind kind; // of the key
    uint32_t state;          // index of its state
    bool asks_is_set;        // no more than whether the key is set, not whether it is 0
    bool is_inverted;
} plan_condition;

typedef struct plan_service {
    const kn_tree_service *def;
    uint32_t node;
} plan_service;

// A node or a condition that something wakes.
typedef struct plan_hearing {
    uint32_t signal, index1;
    uint32_t node;      // that waits, or whose condition it is
    uint32_t condition; // NONE: the node waits
} plan_hearing;

typedef struct plan {
    const kn_tree_def *def;
    const struct tree_kit *kit;
    plan_node *nodes;
    plan_condition *conditions;
    plan_service *services;
    plan_value *values;
    plan_hearing *hearings;
    uint32_t node_count, condition_count, service_count, value_count, hearing_count;
    uint32_t shape; // a hash of what the state of the tree depends on
    uint32_t node_room, condition_room, service_room, value_room, hearing_room;
} plan;

typedef struct board_plan {
    kn_blackboard_key_def *keys; // those of orders first
    uint32_t count;
    uint32_t order_count; // how many are those of orders
} board_plan;

// What rules of trees hear about.
typedef struct tree_hearing {
    struct tree_hearing *next;
    kn_trigger trigger;
    uint32_t index1;
} tree_hearing;

typedef struct tree_kit {
    order_kit *orders;
    kn_def_kind tree_kind, board_kind, action_kind;
    kn_component_type_id runs, calls, boards;
    kn_custom_event_id ended, stuck;
    kn_timer_type_id timer, order_timer;
    uint32_t stream;
    plan *plans;
    uint32_t plan_count;
    board_plan *boards_of;
    uint32_t board_count;
    tree_hearing *hearings;
} tree_kit;

typedef enum order_key {
    KEY_TYPE,
    KEY_LOCATION,
    KEY_TARGET,
    KEY_INDEX,
    KEY_RANGE,
    KEY_HOME,
    KEY_COUNT,
} order_key;

// tree.c
tree_kit *knc_tree_kit_of(const kn_library *library);
const tree_kit *knc_tree_kit_of_world(const kn_world *world);

// tree_def.c
extern const char *const knc_tree_node_words[KN_TREE_NODE_KIND_COUNT];
kn_result knc_tree_kinds_register(kn_library *library, tree_kit *kit, kn_error *error);

// tree_plan.c
kn_result knc_tree_plans_make(const kn_library *library, tree_kit *kit, kn_error *error);
void knc_tree_plans_release(tree_kit *kit);
// The plan of a tree; NULL for an unknown one.
const plan *knc_tree_plan(const tree_kit *kit, kn_tree_id tree);

// tree_hear.c: rules for what trees wait for.
kn_result knc_tree_hear_expand(kn_library *library, tree_kit *kit, kn_error *error);
kn_result knc_tree_life_register(kn_library *library, tree_kit *kit, kn_error *error);
void knc_tree_hearings_release(tree_kit *kit);

// tree_board.c
kn_result knc_tree_boards_make(const kn_library *library, tree_kit *kit, kn_error *error);
void knc_tree_boards_release(tree_kit *kit);
const board_plan *knc_tree_board_of(const tree_kit *kit, kn_blackboard_id board);
kn_result knc_tree_board_component(kn_library *library, tree_kit *kit, kn_error *error);
// Number of a key from 1; 0 when there is none.
uint32_t knc_tree_key_find(const board_plan *board, const char *name);
// The values of an entity; NULL without a blackboard that fits its layout.
const board_value *knc_tree_values_read(
    const kn_world *world, const tree_kit *kit, kn_entity_id entity, const board_plan **layout);
// Zero for a key that is not there, and for entities that are gone.
board_value knc_tree_value_read(const kn_world *world, kn_entity_id entity, uint32_t key1);
// Writes a value, and tells the tree of the entity if it is another one.
kn_result knc_tree_value_write(
    kn_world *world, kn_entity_id entity, uint32_t key1, const board_value *value);
kn_result knc_tree_board_add(kn_world *world, kn_entity_id entity, kn_blackboard_id board);

// tree_test.c
// The values of an entity, once they have been looked for; only until something may change them.
typedef struct board_view {
    const board_value *values; // NULL: none that fit
    const board_plan *layout;
    uint32_t count; // of the values, if they are known; otherwise 0
    bool is_known;
} board_view;
bool knc_tree_condition_holds(const kn_world *world, kn_entity_id entity, const plan *p,
    const plan_condition *c, board_view *view);

// tree_print.c
const char *knc_tree_node_name(const kn_tree_node *def);
// The plan and the state of the tree of an entity; NULL if there is none.
const plan *knc_tree_plan_of(const kn_world *world, kn_entity_id entity, const node_state **states);
// What a condition tests, in words.
void knc_tree_condition_print(kn_text *out, const kn_library *library, const plan_condition *c);

// tree_run.c
kn_result knc_tree_run_components(kn_library *library, tree_kit *kit, kn_error *error);
kn_result knc_tree_call(kn_world *world, kn_entity_id entity, const tree_call *call);
void knc_tree_signal(kn_world *world, kn_entity_id entity, uint32_t signal, uint32_t index1);
// The movement of an entity with this ticket has ended.
void knc_tree_move_ended(kn_world *world, kn_entity_id entity, uint32_t ticket, bool has_succeeded);
const tree_run *knc_tree_run_read(const kn_world *world, kn_entity_id entity);
// The state of a tree, if it fits the plan; otherwise NULL: its definition has changed.
const node_state *knc_tree_states_read(const kn_world *world, kn_entity_id entity, const plan *p);
// Results as kn_tree_start(), without anything about the tree.
kn_result knc_tree_check(const kn_world *world, kn_entity_id entity);

// tree_task.c
// Begins a node without children. KN_TREE_RUNNING if it goes on. It may change the world.
// @param activation receives that of an ability
// @param move receives the ticket of a movement
kn_tree_result knc_tree_task_begin(kn_world *world, kn_entity_id entity, const plan *p,
    uint32_t node, uint32_t ticket, kn_activation_id *activation, uint32_t *move);
// How long the ability of a node is not ready; false if the entity has none.
bool knc_tree_ability_wait(
    const kn_world *world, kn_entity_id entity, const plan_node *node, kn_time *time);
void knc_tree_task_abort(
    kn_world *world, kn_entity_id entity, const plan *p, uint32_t node, const node_state *state);
void knc_tree_service_call(
    kn_world *world, kn_entity_id entity, const plan *p, const plan_service *service);
void knc_tree_values_write(
    kn_world *world, kn_entity_id entity, const plan *p, const plan_node *node);

// tree_order.c
kn_result knc_tree_order_timer(kn_library *library, tree_kit *kit, kn_error *error);
// The order that the tree carries out ends at the next tick; after a while if the tree was stuck,
// so that what comes next cannot be stuck again and again.
void knc_tree_order_finish(
    kn_world *world, kn_entity_id entity, kn_tree_result result, bool was_stuck);
// Writes the keys of orders.
void knc_tree_order_write(kn_world *world, kn_entity_id entity, const tree_call *call);

#endif
