// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Plans: trees with their sub-trees in place, worked out when the library is finished. What nodes
// name is found and checked here, against the blackboard of the tree that is started.

#include "tree_parts.h"

#include <math.h>
#include <stdlib.h>

// Where a node is that is being looked at.
typedef struct maker {
    const kn_library *library;
    const tree_kit *kit;
    plan *p;
    const board_plan *board; // NULL: the tree has no blackboard
    const char *board_name;
    const char *tree; // the one that the node was written in
    const kn_tree_node *node;
    uint32_t depth;
    kn_error *error;
} maker;

static const char *node_name(const kn_tree_node *node)
{
    return node->name != NULL && node->name[0] != 0 ? node->name : knc_tree_node_words[node->kind];
}

static kn_result bad(const maker *m, const char *sentence)
{
    return kn_error_set(m->error, KN_ERROR_BAD_DATA, "tree `%s`, node `%s`: %s", m->tree,
        node_name(m->node), sentence);
}

static kn_result bad_key(const maker *m, const char *key, const char *sentence)
{
    return kn_error_set(m->error, KN_ERROR_BAD_DATA, "tree `%s`, node `%s`, key `%s`: %s", m->tree,
        node_name(m->node), key, sentence);
}

// Keys --------------------------------------------------------------------------------

#define KINDS(kind) (1u << (kind))
#define ANY_KIND (KINDS(KN_BLACKBOARD_KIND_COUNT) - 1)
#define NUMBERS (KINDS(KN_BLACKBOARD_INT) | KINDS(KN_BLACKBOARD_FLOAT))

// The number of a key that a node names; 0 if it names none.
static kn_result key_find(
    const maker *m, const char *name, uint32_t kinds, const char *wanted, uint32_t *key1)
{
    *key1 = 0;
    if (name == NULL || name[0] == 0) {
        return KN_OK;
    }
    if (m->board == NULL) {
        return kn_error_set(m->error, KN_ERROR_BAD_DATA,
            "tree `%s`, node `%s`, key `%s`: the tree `%s` has no `blackboard`", m->tree,
            node_name(m->node), name, m->p->def->name);
    }
    *key1 = knc_tree_key_find(m->board, name);
    if (*key1 == 0) {
        return kn_error_set(m->error, KN_ERROR_BAD_DATA,
            "tree `%s`, node `%s`: the blackboard `%s` has no key `%s`", m->tree,
            node_name(m->node), m->board_name, name);
    }
    return (KINDS(m->board->keys[*key1 - 1].kind) & kinds) != 0 ? KN_OK : bad_key(m, name, wanted);
}

static kn_blackboard_kind key_kind(const maker *m, uint32_t key1)
{
    return m->board->keys[key1 - 1].kind;
}

// Conditions --------------------------------------------------------------------------

static bool is_named(const char *name)
{
    return name != NULL && name[0] != 0;
}

static kn_result hearing_add(
    const maker *m, uint32_t signal, uint32_t index1, uint32_t node, uint32_t condition)
{
    plan *p = m->p;
    if (!kn_memory_grow(
            NULL, &p->hearings, &p->hearing_room, p->hearing_count + 1, sizeof(*p->hearings))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    p->hearings[p->hearing_count++] = (plan_hearing){signal, index1, node, condition};
    return KN_OK;
}

static kn_result tags_hear(const maker *m, kn_tags tags, bool events, uint32_t node, uint32_t at)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < tags.count; i++) {
        uint32_t index1 = tags.data[i].index1;
        result = hearing_add(m, KN_TRIGGER_TAG_ADDED, index1, node, at);
        result =
            result != KN_OK ? result : hearing_add(m, KN_TRIGGER_TAG_REMOVED, index1, node, at);
        if (result == KN_OK && events) {
            result = hearing_add(m, KN_TRIGGER_EVENT, index1, node, at);
        }
    }
    return result;
}

static kn_result condition_hear(const maker *m, const plan_condition *c, uint32_t at)
{
    const kn_tree_condition *def = c->def;
    const uint32_t keys[] = {c->key1, c->with1, c->within1};
    kn_result result = tags_hear(m, def->required, false, c->node, at);
    result = result != KN_OK ? result : tags_hear(m, def->blocked, false, c->node, at);
    result = result != KN_OK ? result : tags_hear(m, def->wakes, true, c->node, at);
    for (uint32_t i = 0; result == KN_OK && i < COUNT(keys); i++) {
        result = keys[i] != 0 ? hearing_add(m, HEAR_KEY, keys[i], c->node, at) : KN_OK;
    }
    if (result == KN_OK && def->attribute.index1 != 0) {
        result = hearing_add(m, KN_TRIGGER_ATTRIBUTE_CHANGED, def->attribute.index1, c->node, at);
    }
    return result;
}

static kn_result key_test_check(const maker *m, const plan_condition *c)
{
    const kn_tree_condition *def = c->def;
    kn_blackboard_kind kind = key_kind(m, c->key1);
    bool has_order = def->compare != KN_TREE_EQUAL && def->compare != KN_TREE_NOT_EQUAL;
    if (c->within1 != 0) {
        return KINDS(kind) & (KINDS(KN_BLACKBOARD_ENTITY) | KINDS(KN_BLACKBOARD_VECTOR))
                   ? KN_OK
                   : bad_key(m, def->key, "only entities and points have a distance (`within`)");
    }
    if (def->compare == KN_TREE_IS_SET) {
        return KN_OK;
    }
    if (c->with1 != 0 && key_kind(m, c->with1) != kind) {
        return bad_key(m, def->key, "it is compared with a key of another kind");
    }
    if (has_order && !(KINDS(kind) & NUMBERS)) {
        return bad_key(m, def->key, "only numbers are less or greater than others");
    }
    bool has_value = kind <= KN_BLACKBOARD_FLOAT || kind == KN_BLACKBOARD_TAG;
    return c->with1 != 0 || has_value
               ? KN_OK
               : bad_key(m, def->key, "it can only be compared with another key (`with`)");
}

static kn_result condition_check(const maker *m, const kn_tree_condition *def)
{
    bool tests_tags = def->required.count + def->blocked.count > 0;
    uint32_t tests = (tests_tags ? 1u : 0u) + (is_named(def->key) ? 1u : 0u) +
                     (def->attribute.index1 != 0 ? 1u : 0u) +
                     (def->condition.index1 != 0 ? 1u : 0u) + (def->action.index1 != 0 ? 1u : 0u);
    if (tests != 1) {
        return bad(m, tests == 0 ? "a condition tests nothing: give it tags, a `key`, an "
                                   "`attribute`, a `condition` or an `action`"
                                 : "a condition has several tests: make it several conditions");
    }
    if (def->attribute.index1 != 0 && def->compare == KN_TREE_IS_SET) {
        return bad(m, "a condition about an attribute needs `compare`");
    }
    if (!isfinite(def->number)) {
        return bad(m, "a condition has a `number` that is not finite");
    }
    if (def->action.index1 != 0) {
        const kn_tree_action_def *action =
            kn_def_get(m->library, m->kit->action_kind, def->action.index1);
        if (action == NULL || action->test.function == NULL) {
            return bad(m, "a condition names an action without the hook `test`");
        }
    }
    bool is_blind = def->condition.index1 != 0 || def->action.index1 != 0 || is_named(def->within);
    if (def->aborts != KN_TREE_ABORTS_NONE && is_blind && def->wakes.count == 0) {
        return bad(m, "a condition interrupts, but nothing says when to test it again: give it "
                      "`wakes`");
    }
    return KN_OK;
}

static bool aborts_lower(const kn_tree_condition *def)
{
    return def->aborts == KN_TREE_ABORTS_LOWER || def->aborts == KN_TREE_ABORTS_BOTH;
}

static kn_result condition_add(const maker *m, uint32_t node, const kn_tree_condition *def)
{
    plan *p = m->p;
    plan_condition c = {.def = def, .node = node};
    kn_result result = condition_check(m, def);
    result = result != KN_OK ? result : key_find(m, def->key, ANY_KIND, "", &c.key1);
    result = result != KN_OK ? result : key_find(m, def->with, ANY_KIND, "", &c.with1);
    if (result == KN_OK) {
        result = key_find(
            m, def->within, KINDS(KN_BLACKBOARD_FLOAT), "`within` must be a float", &c.within1);
    }
    result = result != KN_OK || c.key1 == 0 ? result : key_test_check(m, &c);
    c.kind = result == KN_OK && c.key1 != 0 ? key_kind(m, c.key1) : KN_BLACKBOARD_BOOL;
    c.asks_is_set = c.key1 != 0 && c.within1 == 0 && c.with1 == 0 && c.kind > KN_BLACKBOARD_FLOAT &&
                    def->compare == KN_TREE_IS_SET;
    c.is_inverted = def->inverted;
    if (result != KN_OK) {
        return result;
    }
    uint32_t parent = p->nodes[node].parent;
    if (aborts_lower(def) && (parent == NONE || p->nodes[parent].kind != KN_TREE_SELECTOR)) {
        return bad(m, "a condition that interrupts `lower` ones is for children of a selector");
    }
    if (!kn_memory_grow(NULL, &p->conditions, &p->condition_room, p->condition_count + 1,
            sizeof(*p->conditions))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t at = p->condition_count++;
    p->conditions[at] = c;
    return def->aborts != KN_TREE_ABORTS_NONE ? condition_hear(m, &c, at) : KN_OK;
}

// Services and values -------------------------------------------------------------------

static bool action_runs(const maker *m, kn_tree_action_id action)
{
    const kn_tree_action_def *def = kn_def_get(m->library, m->kit->action_kind, action.index1);
    return def != NULL && def->run.function != NULL;
}

static kn_result service_add(const maker *m, uint32_t node, const kn_tree_service *def)
{
    plan *p = m->p;
    if (!action_runs(m, def->action)) {
        return bad(m, "a service needs an `action` with the hook `run`");
    }
    if (def->interval <= 0 || def->interval > KN_TIME_MAX) {
        return bad(m, "the `interval` of a service must be above 0");
    }
    if (!kn_memory_grow(
            NULL, &p->services, &p->service_room, p->service_count + 1, sizeof(*p->services))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    p->services[p->service_count++] = (plan_service){def, node};
    return KN_OK;
}

static kn_result value_add(const maker *m, const kn_tree_value *def)
{
    plan *p = m->p;
    plan_value v = {.def = def};
    if (!is_named(def->key)) {
        return bad(m, "a value has no `key`");
    }
    kn_result result = key_find(m, def->key, ANY_KIND, "", &v.key1);
    result = result != KN_OK ? result : key_find(m, def->from, ANY_KIND, "", &v.from1);
    if (result != KN_OK) {
        return result;
    }
    kn_blackboard_kind kind = key_kind(m, v.key1);
    if (v.key1 <= m->board->order_count) {
        return bad_key(m, def->key, "only orders write it");
    }
    if (v.from1 != 0 && key_kind(m, v.from1) != kind) {
        return bad_key(m, def->key, "`from` is a key of another kind");
    }
    bool is_zero = def->vector.x == 0 && def->vector.y == 0 && def->vector.z == 0;
    if ((def->number != 0.0f && kind > KN_BLACKBOARD_FLOAT) ||
        (!is_zero && kind != KN_BLACKBOARD_VECTOR) ||
        (def->tag.index1 != 0 && kind != KN_BLACKBOARD_TAG) ||
        (def->self && kind != KN_BLACKBOARD_ENTITY && kind != KN_BLACKBOARD_VECTOR)) {
        return bad_key(m, def->key, "the value is of another kind than the key");
    }
    if (!isfinite(def->number) || !isfinite(def->vector.x) || !isfinite(def->vector.y) ||
        !isfinite(def->vector.z) || fabsf(def->number) > 2147483520.0f) {
        return bad_key(m, def->key, "the number is not finite, or too large");
    }
    if (!kn_memory_grow(NULL, &p->values, &p->value_room, p->value_count + 1, sizeof(*p->values))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    p->values[p->value_count++] = v;
    return KN_OK;
}

// Nodes ---------------------------------------------------------------------------------

static kn_result children_check(const maker *m)
{
    kn_tree_node_kind kind = m->node->kind;
    uint32_t count = m->node->child_count;
    if (kind <= KN_TREE_PARALLEL && count == 0) {
        return bad(m, "it needs `children`");
    }
    if (kind == KN_TREE_RANDOM_SELECTOR && count > KN_TREE_RANDOM_MAX) {
        return bad(m, "a random selector has at most 32 children");
    }
    if (kind >= KN_TREE_REPEAT && kind <= KN_TREE_COOLDOWN && count != 1) {
        return bad(m, "it needs exactly one child");
    }
    return kind >= KN_TREE_SUB_TREE && count > 0 ? bad(m, "it cannot have `children`") : KN_OK;
}

static bool has_order_keys(const maker *m)
{
    return m->board != NULL && m->board->order_count > 0;
}

// What each kind of node needs.
static kn_result node_check(const maker *m)
{
    const kn_tree_node *node = m->node;
    if ((uint32_t)node->kind >= KN_TREE_NODE_KIND_COUNT) {
        return kn_error_set(
            m->error, KN_ERROR_BAD_DATA, "tree `%s`: a node is of an unknown kind", m->tree);
    }
    kn_result result = children_check(m);
    if (result != KN_OK) {
        return result;
    }
    if (!isfinite(node->number) || node->duration < 0 ||
        (node->duration > KN_TIME_MAX &&
            (node->kind != KN_TREE_WAIT || node->duration != KN_TIME_INFINITE))) {
        return bad(m, "`number` must be finite, and `duration` 0 or more");
    }
    switch (node->kind) {
    case KN_TREE_LOOP_UNTIL:
        return node->until <= KN_TREE_FAILED ? KN_OK
                                             : bad(m, "`until` must be succeeded or failed");
    case KN_TREE_TIME_LIMIT:
    case KN_TREE_COOLDOWN:
        return node->duration > 0 ? KN_OK : bad(m, "it needs a `duration` above 0");
    case KN_TREE_WAIT_EVENT:
    case KN_TREE_WAIT_TAG:
    case KN_TREE_WAIT_NO_TAG:
    case KN_TREE_SEND_EVENT:
        return node->tag.index1 != 0 ? KN_OK : bad(m, "it needs a `tag`");
    case KN_TREE_WAIT_ATTRIBUTE:
        return node->attribute.index1 != 0 ? KN_OK : bad(m, "it needs an `attribute`");
    case KN_TREE_TASK:
        return action_runs(m, node->action) ? KN_OK
                                            : bad(m, "it needs an `action` with the hook `run`");
    case KN_TREE_USE_ABILITY:
    case KN_TREE_WAIT_ABILITY:
        return node->ability.index1 != 0 || node->tag.index1 != 0 || has_order_keys(m)
                   ? KN_OK
                   : bad(m, "it needs an `ability`, the `tag` of one, or a blackboard with "
                            "`order_keys`");
    case KN_TREE_APPLY_EFFECT:
        return node->effect.index1 != 0 ? KN_OK : bad(m, "it needs an `effect`");
    case KN_TREE_SET_KEY:
        return node->value_count > 0 ? KN_OK : bad(m, "it needs `values`");
    case KN_TREE_MOVE_TO:
    case KN_TREE_FACE:
        return is_named(node->target) || is_named(node->location)
                   ? KN_OK
                   : bad(m, "it needs a `target` or a `location`");
    case KN_TREE_FINISH_ORDER:
        return node->result <= KN_TREE_FAILED ? KN_OK
                                              : bad(m, "`result` must be succeeded or failed");
    default:
        return KN_OK;
    }
}

static kn_result order_find(const maker *m, plan_node *n)
{
    if (m->node->kind != KN_TREE_ISSUE_ORDER) {
        return KN_OK;
    }
    const char *name = m->node->order != NULL ? m->node->order : "";
    n->order.index1 = kn_def_find(m->library, m->kit->orders->type_kind, name);
    return n->order.index1 != 0 ? KN_OK
                                : kn_error_set(m->error, KN_ERROR_BAD_DATA,
                                      "tree `%s`, node `%s`: there is no order `%s`", m->tree,
                                      node_name(m->node), name);
}

// What wakes a node that waits.
static kn_result node_hear(const maker *m, uint32_t at)
{
    const kn_tree_node *node = m->node;
    switch (node->kind) {
    case KN_TREE_WAIT_EVENT:
        return hearing_add(m, KN_TRIGGER_EVENT, node->tag.index1, at, NONE);
    case KN_TREE_WAIT_TAG:
        return hearing_add(m, KN_TRIGGER_TAG_ADDED, node->tag.index1, at, NONE);
    case KN_TREE_WAIT_NO_TAG:
        return hearing_add(m, KN_TRIGGER_TAG_REMOVED, node->tag.index1, at, NONE);
    case KN_TREE_WAIT_ATTRIBUTE:
        return hearing_add(m, KN_TRIGGER_ATTRIBUTE_CHANGED, node->attribute.index1, at, NONE);
    case KN_TREE_MOVE_TO: {
        const plan_node *n = &m->p->nodes[at];
        return hearing_add(m, HEAR_KEY, n->target1 != 0 ? n->target1 : n->location1, at, NONE);
    }
    default:
        return KN_OK;
    }
}

// Everything about a node but its children.
static kn_result node_fill(const maker *m, uint32_t at)
{
    plan *p = m->p;
    plan_node *n = &p->nodes[at];
    const kn_tree_node *node = m->node;
    kn_result result = key_find(
        m, node->target, KINDS(KN_BLACKBOARD_ENTITY), "`target` must be an entity", &n->target1);
    if (result == KN_OK) {
        result = key_find(m, node->location, KINDS(KN_BLACKBOARD_VECTOR),
            "`location` must be a vector", &n->location1);
    }
    if (result == KN_OK) {
        result = key_find(
            m, node->range, KINDS(KN_BLACKBOARD_FLOAT), "`range` must be a float", &n->range1);
    }
    result = result != KN_OK ? result : order_find(m, n);
    n->first_condition = p->condition_count;
    n->condition_count = node->condition_count;
    for (uint32_t i = 0; result == KN_OK && i < node->condition_count; i++) {
        result = condition_add(m, at, &node->conditions[i]);
    }
    n->first_service = p->service_count;
    n->service_count = node->service_count;
    for (uint32_t i = 0; result == KN_OK && i < node->service_count; i++) {
        result = service_add(m, at, &node->services[i]);
    }
    n->first_value = p->value_count;
    n->value_count = node->value_count;
    for (uint32_t i = 0; result == KN_OK && i < node->value_count; i++) {
        result = value_add(m, &node->values[i]);
    }
    return result != KN_OK ? result : node_hear(m, at);
}

static kn_result node_add(const maker *m, uint32_t parent);

// A tree names only those that were registered before it, so that none contains itself.
static kn_result sub_tree_add(const maker *m, uint32_t at)
{
    const kn_tree_def *def = kn_def_get(m->library, m->kit->tree_kind, m->node->tree.index1);
    if (m->node->tree.index1 == 0 || def == NULL) {
        return bad(m, "it needs a `tree`");
    }
    maker inner = *m;
    inner.tree = def->name;
    inner.node = &def->root;
    inner.depth = m->depth + 1;
    m->p->nodes[at].child_count = 1;
    return node_add(&inner, at);
}

// What running it can leave out.
static void node_sort(plan_node *n)
{
    switch (n->kind) {
    case KN_TREE_TIME_LIMIT:
    case KN_TREE_COOLDOWN:
        n->leaves_any = true;
        break;
    case KN_TREE_WAIT:
    case KN_TREE_WAIT_ABILITY:
    case KN_TREE_USE_ABILITY:
        n->leaves_any = true;
        n->is_plain = true;
        break;
    case KN_TREE_SUB_TREE:
        n->is_plain = n->value_count == 0;
        break;
    default:
        n->is_plain = true;
        break;
    }
    n->leaves_any = n->leaves_any || n->service_count > 0;
    n->is_plain = n->is_plain && n->service_count == 0;
}

static kn_result node_add(const maker *m, uint32_t parent)
{
    plan *p = m->p;
    kn_result result = m->depth < KN_TREE_DEPTH_MAX
                           ? node_check(m)
                           : bad(m, "it is inside more than 63 other nodes");
    if (result == KN_OK && p->node_count >= KN_TREE_NODES_MAX) {
        result = bad(m, "the tree has more than 4096 nodes, with those of its sub-trees");
    }
    if (result != KN_OK) {
        return result;
    }
    if (!kn_memory_grow(NULL, &p->nodes, &p->node_room, p->node_count + 1, sizeof(*p->nodes))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t at = p->node_count++;
    p->nodes[at] = (plan_node){.def = m->node,
        .kind = m->node->kind,
        .parent = parent,
        .depth = m->depth,
        .child_count = m->node->child_count};
    result = node_fill(m, at);
    node_sort(&p->nodes[at]);
    if (result == KN_OK && m->node->kind == KN_TREE_SUB_TREE) {
        result = sub_tree_add(m, at);
    }
    for (uint32_t i = 0; result == KN_OK && i < m->node->child_count; i++) {
        maker inner = *m;
        inner.node = &m->node->children[i];
        inner.depth = m->depth + 1;
        result = node_add(&inner, at);
    }
    p->nodes[at].end = p->node_count;
    return result;
}

// Plans ---------------------------------------------------------------------------------

static void plan_release(plan *p)
{
    free(p->nodes);
    free(p->conditions);
    free(p->services);
    free(p->values);
    free(p->hearings);
    *p = (plan){0};
}

void knc_tree_plans_release(tree_kit *kit)
{
    for (uint32_t i = 0; i < kit->plan_count; i++) {
        plan_release(&kit->plans[i]);
    }
    free(kit->plans);
    kit->plans = NULL;
    kit->plan_count = 0;
}

// Trees of the same shape have the same nodes in the same places.
static uint32_t plan_shape(const plan *p)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const plan_node *n = &p->nodes[i];
        uint8_t bytes[16];
        kn_writer writer = {bytes, sizeof(bytes), 0};
        kn_write_u32(&writer, (uint32_t)n->kind);
        kn_write_u32(&writer, n->end);
        kn_write_u32(&writer, n->condition_count);
        kn_write_u32(&writer, n->service_count);
        hash = kn_hash_bytes(hash, bytes, sizeof(bytes));
    }
    return (uint32_t)hash;
}

static kn_result plan_make(
    const kn_library *library, const tree_kit *kit, uint32_t index1, plan *p, kn_error *error)
{
    p->kit = kit;
    p->def = kn_def_get(library, kit->tree_kind, index1);
    const kn_blackboard_def *board =
        kn_def_get(library, kit->board_kind, p->def->blackboard.index1);
    const maker m = {
        .library = library,
        .kit = kit,
        .p = p,
        .board = knc_tree_board_of(kit, p->def->blackboard),
        .board_name = board != NULL ? board->name : "",
        .tree = p->def->name,
        .node = &p->def->root,
        .error = error,
    };
    kn_result result = node_add(&m, NONE);
    for (uint32_t i = 0; i < p->condition_count; i++) {
        p->conditions[i].state = p->node_count + p->service_count + i;
    }
    p->shape = result == KN_OK ? plan_shape(p) : 0;
    return result;
}

// Order types whose tree cannot tell them anything.
static kn_result orders_check(const kn_library *library, const tree_kit *kit, kn_error *error)
{
    for (uint32_t i = 1; i <= kn_def_count(library, kit->orders->type_kind); i++) {
        const kn_order_type_def *def = kn_def_get(library, kit->orders->type_kind, i);
        if (def->tree.index1 == 0) {
            continue;
        }
        const plan *p = knc_tree_plan(kit, (kn_tree_id){def->tree.index1});
        const board_plan *board = p != NULL ? knc_tree_board_of(kit, p->def->blackboard) : NULL;
        if (board == NULL || board->order_count == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "order type `%s`: its tree `%s` needs a `blackboard` with `order_keys`", def->name,
                p != NULL ? p->def->name : "");
        }
    }
    return KN_OK;
}

kn_result knc_tree_plans_make(const kn_library *library, tree_kit *kit, kn_error *error)
{
    uint32_t count = kn_def_count(library, kit->tree_kind);
    kn_result result = KN_OK;
    knc_tree_plans_release(kit);
    kit->plans = count > 0 ? calloc(count, sizeof(*kit->plans)) : NULL;
    if (count > 0 && kit->plans == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->plan_count = count;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        result = plan_make(library, kit, i + 1, &kit->plans[i], error);
    }
    return result != KN_OK ? result : orders_check(library, kit, error);
}

const plan *knc_tree_plan(const tree_kit *kit, kn_tree_id tree)
{
    return tree.index1 - 1 < kit->plan_count ? &kit->plans[tree.index1 - 1] : NULL;
}
