// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about trees and blackboards.

#include "script_part.h"

static const char *const result_words[KN_TREE_RESULT_COUNT] = {
    "succeeded", "failed", "running", "aborted"};
static const char *const end_words[] = {"succeeded", "failed"};
static const char *const state_words[KN_TREE_STATE_COUNT] = {
    "none", "running", "succeeded", "failed", "aborted", "blocked"};

static const kn_def_field self_args[] = {ARG_ENTITY};

// Trees ---------------------------------------------------------------------------------

static kn_result tree_start(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_tree_start(call->writable, a->entity, a->tree);
}

static kn_result tree_stop(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_tree_stop(call->writable, a->entity);
}

static kn_result tree_finish_task(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_tree_finish_task(
        call->writable, a->entity, a->ticket, a->word == 0 ? KN_TREE_SUCCEEDED : KN_TREE_FAILED);
}

typedef struct tree_result {
    kn_tree_id tree;
    uint32_t result, run, node_count;
    bool is_running;
} tree_result;

static const kn_def_field tree_fields[] = {
    KN_DEF_F_KIND(tree_result, tree, "tree", "The tree that runs, or ran last."),
    KN_DEF_F_ENUM(tree_result, result, result_words, "Running, or how it ended."),
    KN_DEF_F(tree_result, is_running, KN_FIELD_BOOL, "It runs."),
    KN_DEF_F(
        tree_result, run, KN_FIELD_U32, "Rises by one whenever a tree is started on the entity."),
    KN_DEF_F(
        tree_result, node_count, KN_FIELD_U32, "Number of its nodes, those of sub-trees included."),
};
static const kn_def_table tree_table = FIELD_TABLE("tree_state", tree_result, tree_fields);

static kn_result tree_state(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    tree_result *r = call->results;
    kn_tree_info info;
    (void)user;
    if (!kn_tree_get_info(call->world, a->entity, &info)) {
        return KN_REFUSED_NOT_FOUND;
    }
    *r = (tree_result){info.tree, (uint32_t)info.result, info.run, info.node_count,
        info.result == KN_TREE_RUNNING};
    return KN_OK;
}

typedef struct node_result {
    const char *name;
    uint32_t kind, depth, state;
} node_result;

static const kn_def_field node_fields[] = {
    KN_DEF_F(node_result, name, KN_DEF_FIELD_STRING, "Its name, or the word for its kind."),
    KN_DEF_F_ENUM(node_result, kind, knc_tree_node_words, "Its kind."),
    KN_DEF_F(node_result, depth, KN_FIELD_U32, "Nodes that it is inside of."),
    KN_DEF_F_ENUM(node_result, state, state_words, "What became of it."),
};
static const kn_def_table node_table = FIELD_TABLE("tree_node", node_result, node_fields);

static node_result node_of(const kn_tree_node_info *info)
{
    return (node_result){info->name, (uint32_t)info->kind, info->depth, (uint32_t)info->state};
}

static kn_result tree_nodes(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_tree_node_info info;
    (void)user;
    for (uint32_t i = 0; kn_tree_get_node(call->world, a->entity, i, &info); i++) {
        node_result r = node_of(&info);
        kn_function_add(call, &r);
    }
    return KN_OK;
}

static kn_result tree_node(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_tree_node_info info;
    (void)user;
    for (uint32_t i = 0; kn_tree_get_node(call->world, a->entity, i, &info); i++) {
        if (strcmp(info.name, a->key) == 0) {
            *(node_result *)call->results = node_of(&info);
            return KN_OK;
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

static const kn_def_field order_fields[] = {
    {"order", KN_DEF_FIELD_REF, 0, (uint32_t)offsetof(kn_blackboard_order, type), 1, 0, NULL, NULL,
        "order type", "The order type; nil for none."},
    KN_DEF_F(kn_blackboard_order, location, KN_FIELD_VEC3, "The point it is aimed at."),
    KN_DEF_F(kn_blackboard_order, target, KN_FIELD_ENTITY, "The entity it is aimed at."),
    KN_DEF_F(kn_blackboard_order, index, KN_FIELD_I32, "Its variant; -1 for none."),
    KN_DEF_F(kn_blackboard_order, range, KN_FIELD_F32, "Its range when it began."),
    KN_DEF_F(kn_blackboard_order, home, KN_FIELD_VEC3, "Where the unit belongs meanwhile."),
};
static const kn_def_table order_table =
    FIELD_TABLE("blackboard_order", kn_blackboard_order, order_fields);

static kn_result tree_order(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_blackboard_get_current_order(call->world, a->entity, call->results)
               ? KN_OK
               : KN_REFUSED_NOT_FOUND;
}

static const kn_def_field start_args[] = {ARG_ENTITY, ARG_DEF("tree", tree, "tree", "The tree.")};
static const kn_def_field finish_args[] = {ARG_ENTITY,
    ARG("ticket", ticket, KN_FIELD_U32, "The task that is meant, as `run` got it."),
    ARG_WORD("result", end_words, "How it ended; default succeeded.")};
static const kn_def_field name_args[] = {
    ARG_ENTITY, ARG("name", key, KN_DEF_FIELD_STRING, "Its name; the first one with it is meant.")};

// Blackboards -----------------------------------------------------------------------------

// Reading and writing a key of one kind. Numbers are in `member` of the arguments.
#define KEY_FUNCTIONS(word, member)                                                                \
    static kn_result get_##word(void *user, const kn_function_call *call)                          \
    {                                                                                              \
        const script_args *a = call->arguments;                                                    \
        (void)user;                                                                                \
        return kn_blackboard_get_##word(call->world, a->entity, a->key, call->results);            \
    }                                                                                              \
    static kn_result set_##word(void *user, const kn_function_call *call)                          \
    {                                                                                              \
        const script_args *a = call->arguments;                                                    \
        (void)user;                                                                                \
        return kn_blackboard_set_##word(call->writable, a->entity, a->key, a->member);             \
    }

KEY_FUNCTIONS(bool, flag)
KEY_FUNCTIONS(int, whole)
KEY_FUNCTIONS(float, number)
KEY_FUNCTIONS(vector, location)
KEY_FUNCTIONS(entity, target)
KEY_FUNCTIONS(order, order)
KEY_FUNCTIONS(tag, tag)

static kn_result key_clear(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_blackboard_clear(call->writable, a->entity, a->key);
}

static kn_result key_is_set(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    bool *is_set = call->results;
    (void)user;
    *is_set = kn_blackboard_is_set(call->world, a->entity, a->key);
    return KN_OK;
}

static kn_result board_add(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_blackboard_add(call->writable, a->entity, a->board);
}

static kn_result board_get(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_blackboard_id *board = call->results;
    (void)user;
    *board = kn_blackboard_get(call->world, a->entity);
    return KN_OK;
}

#define ARG_KEY ARG("key", key, KN_DEF_FIELD_STRING, "The key.")
static const kn_def_field key_args[] = {ARG_ENTITY, ARG_KEY};
static const kn_def_field bool_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", flag, KN_FIELD_BOOL, "The value.")};
static const kn_def_field int_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", whole, KN_FIELD_I32, "The value.")};
static const kn_def_field float_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", number, KN_FIELD_F32, "The value.")};
static const kn_def_field vector_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", location, KN_FIELD_VEC3, "The value.")};
static const kn_def_field entity_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", target, KN_FIELD_ENTITY, "The value.")};
static const kn_def_field order_args[] = {
    ARG_ENTITY, ARG_KEY, ARG_DEF("value", order, "order type", "The value.")};
static const kn_def_field tag_args[] = {
    ARG_ENTITY, ARG_KEY, ARG("value", tag, KN_FIELD_TAG, "The value.")};
static const kn_def_field board_args[] = {
    ARG_ENTITY, ARG_DEF("blackboard", board, "blackboard", "The layout.")};
ONE_RESULT(bool_value, bool, KN_FIELD_BOOL);
ONE_RESULT(int_value, int32_t, KN_FIELD_I32);
ONE_RESULT(float_value, float, KN_FIELD_F32);
ONE_RESULT(vector_value, kn_vec3, KN_FIELD_VEC3);
ONE_RESULT(entity_value, kn_entity_id, KN_FIELD_ENTITY);
ONE_RESULT(tag_value, kn_tag, KN_FIELD_TAG);
static const kn_def_field order_value_fields[] = {
    {"order_value", KN_DEF_FIELD_REF, 0, 0, 1, 0, NULL, NULL, "order type", NULL}};
static const kn_def_table order_value_result =
    FIELD_TABLE("order_value_result", kn_order_type_id, order_value_fields);
static const kn_def_field board_value_fields[] = {
    {"blackboard", KN_DEF_FIELD_REF, 0, 0, 1, 0, NULL, NULL, "blackboard", NULL}};
static const kn_def_table board_value_result =
    FIELD_TABLE("blackboard_result", kn_blackboard_id, board_value_fields);

// All of them -----------------------------------------------------------------------------

#define KEY_ROWS(word, text)                                                                       \
    {"entity:get_" #word "_key", get_##word, ARGS(key_args), 2, &word##_value_result,              \
        KN_FUNCTION_VALUES, REFUSES, "Reads " text " from the blackboard of an entity."},          \
    {                                                                                              \
        "entity:set_" #word "_key", set_##word, ARGS(word##_args), 3, NULL, KN_FUNCTION_VALUES,    \
            CHANGES, "Writes " text " to the blackboard of an entity."                             \
    }

kn_result knc_tree_script_register(kn_library *library, kn_error *error)
{
    static const script_function functions[] = {
        {"entity:start_tree", tree_start, ARGS(start_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Starts a tree on an entity, from its root; one that runs there is aborted before."},
        {"entity:stop_tree", tree_stop, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Aborts the tree of an entity."},
        {"entity:finish_task", tree_finish_task, ARGS(finish_args), 2, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Ends a task of a tree that goes on. An old ticket is refused."},
        {"entity:tree_state", tree_state, ARGS(self_args), 1, &tree_table, KN_FUNCTION_TABLE,
            REFUSES, "The tree of an entity as it is now."},
        {"entity:tree_nodes", tree_nodes, ARGS(self_args), 1, &node_table, KN_FUNCTION_LIST, 0,
            "The nodes of the tree of an entity, each before those inside it."},
        {"entity:tree_node", tree_node, ARGS(name_args), 2, &node_table, KN_FUNCTION_TABLE, REFUSES,
            "A node of the tree of an entity, by its name."},
        {"entity:tree_order", tree_order, ARGS(self_args), 1, &order_table, KN_FUNCTION_TABLE,
            REFUSES, "The order that the keys of orders of the blackboard hold."},
        KEY_ROWS(bool, "true or false"),
        KEY_ROWS(int, "a whole number"),
        KEY_ROWS(float, "a number"),
        KEY_ROWS(vector, "a point"),
        KEY_ROWS(entity, "an entity"),
        KEY_ROWS(order, "an order type"),
        KEY_ROWS(tag, "a tag"),
        {"entity:clear_key", key_clear, ARGS(key_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Clears a key of the blackboard, of any kind."},
        {"entity:key_is_set", key_is_set, ARGS(key_args), 2, &bool_value_result, KN_FUNCTION_VALUES,
            0, "Whether a key of the blackboard is set."},
        {"entity:add_blackboard", board_add, ARGS(board_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Gives an entity a blackboard; values of keys that both layouts have stay."},
        {"entity:blackboard", board_get, ARGS(self_args), 1, &board_value_result,
            KN_FUNCTION_VALUES, 0, "The layout of the blackboard of an entity; nil for none."},
    };
    return knc_order_functions_register(library, functions, COUNT(functions), error);
}
