// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of trees, their actions, and layouts of blackboards.

#include "tree_parts.h"

#include <math.h>

#define BOARD_COOKIE 0x64616f62u
#define ACTION_COOKIE 0x6e746361u
#define TREE_COOKIE 0x65657274u

// Blackboards -------------------------------------------------------------------------

kn_blackboard_key_def kn_blackboard_key_def_default(void)
{
    kn_blackboard_key_def key = {0};
    return key;
}

kn_blackboard_def kn_blackboard_def_default(void)
{
    kn_blackboard_def def = {.cookie = BOARD_COOKIE};
    return def;
}

static void board_init(void *def)
{
    *(kn_blackboard_def *)def = kn_blackboard_def_default();
}

static const char *const kind_words[] = {
    "bool", "int", "float", "vector", "entity", "order", "tag"};

static const kn_def_field key_fields[] = {
    KN_DEF_F(kn_blackboard_key_def, name, KN_DEF_FIELD_STRING, "Unique in its blackboard."),
    KN_DEF_F_ENUM(kn_blackboard_key_def, kind, kind_words,
        "What it holds: `bool`, `int`, `float`, `vector`, `entity`, `order` or `tag`; default "
        "bool."),
    KN_DEF_F(kn_blackboard_key_def, number, KN_FIELD_F32,
        "What a bool, an int or a float begins with; default 0: not set."),
};
static const kn_def_table key_table = {
    "blackboard_key_def", sizeof(kn_blackboard_key_def), key_fields, COUNT(key_fields), NULL};

static const kn_def_field board_fields[] = {
    KN_DEF_F(kn_blackboard_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ARRAY(kn_blackboard_def, keys, key_count, &key_table, "Its keys."),
    KN_DEF_F(kn_blackboard_def, order_keys, KN_FIELD_BOOL,
        "It also has the keys that orders write: `Order_OrderType`, `Order_Location`, "
        "`Order_Target`, `Order_Index`, `Order_Range` and `Order_HomeLocation`; default false."),
    KN_DEF_F(kn_blackboard_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table board_table = {
    "blackboard_def", sizeof(kn_blackboard_def), board_fields, COUNT(board_fields), board_init};

static kn_result key_check(const kn_blackboard_def *def, uint32_t index, kn_error *error)
{
    const kn_blackboard_key_def *key = &def->keys[index];
    if (key->name == NULL || key->name[0] == 0) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "blackboard `%s`: a key has no name", def->name);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(def->keys[i].name, key->name) == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "blackboard `%s`: the key `%s` is there twice", def->name, key->name);
        }
    }
    if (strncmp(key->name, "Order_", 6) == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "blackboard `%s`: the key `%s` has a name that belongs to orders; set `order_keys`",
            def->name, key->name);
    }
    bool is_whole = key->number == floorf(key->number) && fabsf(key->number) <= 2147483520.0f;
    if (!isfinite(key->number) || (key->number != 0.0f && key->kind > KN_BLACKBOARD_FLOAT) ||
        (key->kind == KN_BLACKBOARD_INT && !is_whole)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "blackboard `%s`: the key `%s` cannot begin with this `number`", def->name, key->name);
    }
    return KN_OK;
}

static kn_result board_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_blackboard_def *def = item;
    kn_result result = KN_OK;
    (void)user;
    (void)library;
    if (def->key_count + (def->order_keys ? KEY_COUNT : 0) > KN_BLACKBOARD_KEYS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "blackboard `%s` has more than %u keys",
            def->name, (uint32_t)KN_BLACKBOARD_KEYS_MAX);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->key_count; i++) {
        result = key_check(def, i, error);
    }
    return result;
}

static kn_result board_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_tree_boards_make(library, user, error);
}

static kn_result boards_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "blackboard";
    kind.section = "blackboards";
    kind.table = &board_table;
    kind.text = "A layout of blackboards: the keys under which trees keep what they know.";
    kind.check = board_check;
    kind.finish = board_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->board_kind, error);
}

// Actions -----------------------------------------------------------------------------

kn_tree_action_def kn_tree_action_def_default(void)
{
    kn_tree_action_def def = {.cookie = ACTION_COOKIE};
    return def;
}

static void action_init(void *def)
{
    *(kn_tree_action_def *)def = kn_tree_action_def_default();
}

static const kn_def_field action_fields[] = {
    KN_DEF_F(kn_tree_action_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_HOOK(kn_tree_action_def, run,
        "A task, or one call of a service. A task ends at once as `result` says, or goes on if "
        "that is `running`."),
    KN_DEF_F_HOOK(
        kn_tree_action_def, aborted, "Cleans up when a task is aborted that has not ended."),
    KN_DEF_F_HOOK(
        kn_tree_action_def, test, "A condition: whether it holds; it must change nothing."),
    KN_DEF_F(kn_tree_action_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table action_table = {"tree_action_def", sizeof(kn_tree_action_def),
    action_fields, COUNT(action_fields), action_init};

static kn_result actions_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_tree_call, tree, "tree"),
        KN_FIELD(kn_tree_call, node, KN_FIELD_U32),
        KN_FIELD(kn_tree_call, ticket, KN_FIELD_U32),
        KN_FIELD_WORDS(kn_tree_call, result, "succeeded failed running aborted"),
        KN_FIELD(kn_tree_call, number, KN_FIELD_F32),
        KN_FIELD(kn_tree_call, tag, KN_FIELD_TAG),
        KN_FIELD(kn_tree_call, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_tree_call, location, KN_FIELD_VEC3),
        KN_FIELD(kn_tree_call, unused, KN_FIELD_U32),
    };
    static const char *const names[] = {"run", "aborted", "test"};
    kn_kind_hook hooks[COUNT(names)];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        hooks[i] = (kn_kind_hook){names[i], sizeof(kn_tree_call), fields, COUNT(fields), NULL};
    }
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "tree action";
    kind.section = "tree_actions";
    kind.table = &action_table;
    kind.text = "Code that nodes, services and conditions of trees name.";
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->action_kind, error);
}

// Trees -------------------------------------------------------------------------------

kn_tree_condition kn_tree_condition_default(void)
{
    kn_tree_condition condition = {0};
    return condition;
}

kn_tree_service kn_tree_service_default(void)
{
    kn_tree_service service = {.interval = KN_S(1)};
    return service;
}

kn_tree_node kn_tree_node_default(void)
{
    kn_tree_node node = {.fails = KN_TREE_ONE, .index = -1};
    return node;
}

kn_tree_def kn_tree_def_default(void)
{
    kn_tree_def def = {.root = kn_tree_node_default(), .cookie = TREE_COOKIE};
    return def;
}

static void service_init(void *service)
{
    *(kn_tree_service *)service = kn_tree_service_default();
}

static void node_init(void *node)
{
    *(kn_tree_node *)node = kn_tree_node_default();
}

static void tree_init(void *def)
{
    *(kn_tree_def *)def = kn_tree_def_default();
}

const char *const knc_tree_node_words[KN_TREE_NODE_KIND_COUNT] = {
    [KN_TREE_SEQUENCE] = "sequence",
    [KN_TREE_SELECTOR] = "selector",
    [KN_TREE_RANDOM_SELECTOR] = "random_selector",
    [KN_TREE_PARALLEL] = "parallel",
    [KN_TREE_REPEAT] = "repeat",
    [KN_TREE_LOOP_UNTIL] = "loop_until",
    [KN_TREE_INVERT] = "invert",
    [KN_TREE_SUCCEED] = "succeed",
    [KN_TREE_TIME_LIMIT] = "time_limit",
    [KN_TREE_COOLDOWN] = "cooldown",
    [KN_TREE_SUB_TREE] = "sub_tree",
    [KN_TREE_WAIT] = "wait",
    [KN_TREE_WAIT_EVENT] = "wait_event",
    [KN_TREE_WAIT_TAG] = "wait_tag",
    [KN_TREE_WAIT_NO_TAG] = "wait_no_tag",
    [KN_TREE_WAIT_ATTRIBUTE] = "wait_attribute",
    [KN_TREE_WAIT_ABILITY] = "wait_ability",
    [KN_TREE_TASK] = "task",
    [KN_TREE_USE_ABILITY] = "use_ability",
    [KN_TREE_APPLY_EFFECT] = "apply_effect",
    [KN_TREE_SEND_EVENT] = "send_event",
    [KN_TREE_SET_KEY] = "set_key",
    [KN_TREE_ISSUE_ORDER] = "issue_order",
    [KN_TREE_FINISH_ORDER] = "finish_order",
    [KN_TREE_MOVE_TO] = "move_to",
    [KN_TREE_FACE] = "face",
};
static const char *const result_words[] = {"succeeded", "failed"};
static const char *const quorum_words[] = {"all", "one"};
static const char *const rest_words[] = {"aborted", "waits"};
static const char *const aborts_words[] = {"none", "self", "lower", "both"};
static const char *const compare_words[] = {
    "is_set", "less", "less_equal", "equal", "not_equal", "greater_equal", "greater"};

static const kn_def_field condition_fields[] = {
    KN_DEF_F(kn_tree_condition, name, KN_DEF_FIELD_STRING, "For drawings; default what it tests."),
    KN_DEF_F(kn_tree_condition, required, KN_DEF_FIELD_TAGS, "The entity has all of these tags."),
    KN_DEF_F(kn_tree_condition, blocked, KN_DEF_FIELD_TAGS, "The entity has none of these tags."),
    KN_DEF_F(kn_tree_condition, key, KN_DEF_FIELD_STRING,
        "A key of the blackboard, compared by `compare`."),
    KN_DEF_F(kn_tree_condition, within, KN_DEF_FIELD_STRING,
        "The key is an entity or a point no further away than this key of kind float says."),
    KN_DEF_F(kn_tree_condition, attribute, KN_FIELD_ATTRIBUTE,
        "An attribute of the entity, compared with `number`."),
    KN_DEF_F_ENUM(kn_tree_condition, compare, compare_words,
        "How it is compared: `is_set` (a key that is set, true, or not 0), `less`, `less_equal`, "
        "`equal`, `not_equal`, `greater_equal` or `greater`; default is_set."),
    KN_DEF_F(kn_tree_condition, number, KN_FIELD_F32, "The number it is compared with; default 0."),
    KN_DEF_F_REF(kn_tree_condition, tag, KN_DEF_TAG, "The tag it is compared with."),
    KN_DEF_F(kn_tree_condition, with, KN_DEF_FIELD_STRING,
        "The key it is compared with, of the same kind."),
    KN_DEF_F_REF(kn_tree_condition, condition, KN_DEF_CONDITION,
        "A condition; instigator and target are the entity."),
    KN_DEF_F_KIND(kn_tree_condition, action, "tree action", "The hook `test` of an action."),
    KN_DEF_F(kn_tree_condition, inverted, KN_FIELD_BOOL,
        "It holds when the test does not; default false."),
    KN_DEF_F_ENUM(kn_tree_condition, aborts, aborts_words,
        "What it interrupts when its answer changes: `none`, its own node (`self`), later children "
        "of the same selector (`lower`) or `both`; default none."),
    KN_DEF_F(kn_tree_condition, wakes, KN_DEF_FIELD_TAGS,
        "Tags that it is tested again for, when the entity gains or loses one of them or an event "
        "with it reaches the entity."),
};
static const kn_def_table condition_table = {
    "tree_condition", sizeof(kn_tree_condition), condition_fields, COUNT(condition_fields), NULL};

static const kn_def_field service_fields[] = {
    KN_DEF_F_KIND(kn_tree_service, action, "tree action", "Its hook `run` is called; required."),
    KN_DEF_F(
        kn_tree_service, interval, KN_FIELD_TIME, "Time between two calls, above 0; default 1 s."),
    KN_DEF_F(kn_tree_service, number, KN_FIELD_F32, "Passed to the hook; default 0."),
    KN_DEF_F_REF(kn_tree_service, tag, KN_DEF_TAG, "Passed to the hook."),
};
static const kn_def_table service_table = {
    "tree_service", sizeof(kn_tree_service), service_fields, COUNT(service_fields), service_init};

static const kn_def_field value_fields[] = {
    KN_DEF_F(kn_tree_value, key, KN_DEF_FIELD_STRING, "The key that is written; required."),
    KN_DEF_F(
        kn_tree_value, from, KN_DEF_FIELD_STRING, "The key whose value it gets, of the same kind."),
    KN_DEF_F(kn_tree_value, number, KN_FIELD_F32, "For a bool, an int or a float; default 0."),
    KN_DEF_F(kn_tree_value, vector, KN_FIELD_VEC3, "For a point; default zero."),
    KN_DEF_F_REF(kn_tree_value, tag, KN_DEF_TAG, "For a tag."),
    KN_DEF_F(kn_tree_value, self, KN_FIELD_BOOL,
        "For an entity: the entity itself; for a point: where it is; default false."),
};
static const kn_def_table value_table = {
    "tree_value", sizeof(kn_tree_value), value_fields, COUNT(value_fields), NULL};

static const kn_def_table node_table;
static const kn_def_field node_fields[] = {
    KN_DEF_F(
        kn_tree_node, name, KN_DEF_FIELD_STRING, "For messages and drawings; default what it is."),
    KN_DEF_F_ENUM(kn_tree_node, kind, knc_tree_node_words,
        "What it does. With children: `sequence`, `selector`, `random_selector`, `parallel`. With "
        "one: `repeat`, `loop_until`, `invert`, `succeed`, `time_limit`, `cooldown`. Without: "
        "`sub_tree`, `wait`, `wait_event`, `wait_tag`, `wait_no_tag`, `wait_attribute`, "
        "`wait_ability`, `task`, "
        "`use_ability`, `apply_effect`, `send_event`, `set_key`, `issue_order`, `finish_order`, "
        "`move_to`, `face`; default sequence."),
    KN_DEF_F_ARRAY(
        kn_tree_node, children, child_count, &node_table, "The nodes inside it, in order."),
    KN_DEF_F_ARRAY(kn_tree_node, conditions, condition_count, &condition_table,
        "Must all hold for the node to begin."),
    KN_DEF_F_ARRAY(
        kn_tree_node, services, service_count, &service_table, "What is done while it runs."),
    KN_DEF_F_ENUM(kn_tree_node, succeeds, quorum_words,
        "Parallel: it succeeds when `all` children have succeeded, or `one`; default all."),
    KN_DEF_F_ENUM(kn_tree_node, fails, quorum_words,
        "Parallel: it fails when `all` children have ended without success, or `one` failed; "
        "default one."),
    KN_DEF_F_ENUM(kn_tree_node, rest, rest_words,
        "Parallel: once it is decided, the other children are `aborted`, or it `waits` for them; "
        "default aborted."),
    KN_DEF_F(
        kn_tree_node, count, KN_FIELD_U32, "Repeat, loop_until: how often; default 0: forever."),
    KN_DEF_F_ENUM(kn_tree_node, until, result_words,
        "Loop_until: `succeeded` or `failed`; default succeeded."),
    KN_DEF_F(kn_tree_node, duration, KN_FIELD_TIME, "Wait, time_limit, cooldown: how long."),
    KN_DEF_F_KIND(kn_tree_node, tree, "tree", "Sub_tree: which one."),
    KN_DEF_F_ARRAY(kn_tree_node, values, value_count, &value_table,
        "Set_key, sub_tree: what is written to the blackboard."),
    KN_DEF_F_KIND(kn_tree_node, action, "tree action", "Task: what it does."),
    KN_DEF_F_REF(kn_tree_node, ability, KN_DEF_ABILITY, "Use_ability: which one."),
    KN_DEF_F_REF(kn_tree_node, effect, KN_DEF_EFFECT, "Apply_effect: which one."),
    KN_DEF_F(kn_tree_node, order, KN_DEF_FIELD_STRING,
        "Issue_order: the name of an order type, which may name this tree."),
    KN_DEF_F(kn_tree_node, enqueues, KN_FIELD_BOOL,
        "Issue_order: after all others; default false: now."),
    KN_DEF_F(
        kn_tree_node, index, KN_FIELD_I32, "Issue_order: variant of the order; default -1: none."),
    KN_DEF_F_ENUM(kn_tree_node, result, result_words,
        "Finish_order: `succeeded` or `failed`; default succeeded."),
    KN_DEF_F_REF(kn_tree_node, tag, KN_DEF_TAG,
        "Of the event or tag it waits for or sends; for the action."),
    KN_DEF_F(kn_tree_node, attribute, KN_FIELD_ATTRIBUTE, "Wait_attribute: which one."),
    KN_DEF_F(kn_tree_node, number, KN_FIELD_F32,
        "Level of the effect (0 means 1), magnitude of the event, or for the action; default 0."),
    KN_DEF_F(kn_tree_node, target, KN_DEF_FIELD_STRING, "Key of the entity it is aimed at."),
    KN_DEF_F(kn_tree_node, location, KN_DEF_FIELD_STRING, "Key of the point it is aimed at."),
    KN_DEF_F(kn_tree_node, range, KN_DEF_FIELD_STRING,
        "Move_to: key of the float that is near enough; default: 0 is."),
};
static const kn_def_table node_table = {
    "tree_node", sizeof(kn_tree_node), node_fields, COUNT(node_fields), node_init};

static const kn_def_field tree_fields[] = {
    KN_DEF_F(kn_tree_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_KIND(kn_tree_def, blackboard, "blackboard",
        "The layout whose keys its nodes name; default: they name none."),
    KN_DEF_F_STRUCT(kn_tree_def, root, &node_table, "Its root, with all other nodes inside."),
    KN_DEF_F(kn_tree_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table tree_table = {
    "tree_def", sizeof(kn_tree_def), tree_fields, COUNT(tree_fields), tree_init};

static kn_result tree_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_tree_plans_make(library, user, error);
}

static kn_result tree_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_tree_hear_expand(library, user, error);
}

static kn_result trees_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "tree";
    kind.section = "trees";
    kind.table = &tree_table;
    kind.text = "A behaviour tree: how an entity carries out an order, or what it does by itself.";
    kind.expand = tree_expand;
    kind.finish = tree_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->tree_kind, error);
}

// They are finished in this order: plans need the blackboards. Hooks of actions name trees.
kn_result knc_tree_kinds_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    kn_result result = boards_register(library, kit, error);
    result = result != KN_OK ? result : trees_register(library, kit, error);
    return result != KN_OK ? result : actions_register(library, kit, error);
}

// Registering and finding -----------------------------------------------------------------

static kn_result def_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error)
{
    uint32_t ignored;
    index1 = index1 != NULL ? index1 : &ignored;
    *index1 = 0;
    return def != NULL && kind != KN_DEF_KIND_COUNT
               ? kn_def_register(library, kind, def, index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

#define KIND_OF(library, member)                                                                   \
    (kn_order_is_there(library) ? knc_tree_kit_of(library)->member : KN_DEF_KIND_COUNT)

kn_result kn_blackboard_register(
    kn_library *library, const kn_blackboard_def *def, kn_blackboard_id *board, kn_error *error)
{
    return def_register(
        library, KIND_OF(library, board_kind), def, board != NULL ? &board->index1 : NULL, error);
}

kn_result kn_tree_action_register(
    kn_library *library, const kn_tree_action_def *def, kn_tree_action_id *action, kn_error *error)
{
    return def_register(library, KIND_OF(library, action_kind), def,
        action != NULL ? &action->index1 : NULL, error);
}

kn_result kn_tree_register(
    kn_library *library, const kn_tree_def *def, kn_tree_id *tree, kn_error *error)
{
    return def_register(
        library, KIND_OF(library, tree_kind), def, tree != NULL ? &tree->index1 : NULL, error);
}

static uint32_t def_find(const kn_library *library, kn_def_kind kind, const char *name)
{
    return kind != KN_DEF_KIND_COUNT ? kn_def_find_expected(library, kind, name) : 0;
}

kn_blackboard_id kn_blackboard_find(const kn_library *library, const char *name)
{
    return (kn_blackboard_id){def_find(library, KIND_OF(library, board_kind), name)};
}

kn_tree_action_id kn_tree_action_find(const kn_library *library, const char *name)
{
    return (kn_tree_action_id){def_find(library, KIND_OF(library, action_kind), name)};
}

kn_tree_id kn_tree_find(const kn_library *library, const char *name)
{
    return (kn_tree_id){def_find(library, KIND_OF(library, tree_kind), name)};
}

const kn_blackboard_def *kn_blackboard_get_def(const kn_library *library, kn_blackboard_id board)
{
    return kn_order_is_there(library)
               ? kn_def_get(library, knc_tree_kit_of(library)->board_kind, board.index1)
               : NULL;
}

const kn_tree_def *kn_tree_get_def(const kn_library *library, kn_tree_id tree)
{
    return kn_order_is_there(library)
               ? kn_def_get(library, knc_tree_kit_of(library)->tree_kind, tree.index1)
               : NULL;
}
