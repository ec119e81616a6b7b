// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Behaviour trees made of fuzz input: nodes of all kinds with conditions, services, keys and
// sub-trees, some of which are refused, on two layouts of blackboards. Signals, steps, stops, and
// hooks that start, stop and end trees, write keys, give orders and destroy entities. In between
// the world is saved, loaded and rolled back and must go the same way; after each call no call
// waits, and no node runs outside a tree that runs.

#include "fuzz_orders.h"

enum { TREES = 4, NODES_MAX = 40, ACTIONS = 3, ORDERS = 3 };

static const char *const keys[] = {"Flag", "Whole", "Number", "Point", "Foe", "Type", "Label",
    "Other", "Order_Target", "Order_Location", "Nobody"};

typedef struct tree_game {
    game g;
    kn_blackboard_id boards[2];
    kn_tree_action_id actions[ACTIONS];
    kn_attribute_set_id set;
    kn_attribute_id health;
    kn_ability_type_id ability;
    kn_effect_type_id effect;
    kn_condition_id condition;
    kn_tree_node nodes[NODES_MAX];
    uint32_t node_count;
    kn_tree_condition conditions[NODES_MAX * 2];
    uint32_t condition_count;
    kn_tree_service services[NODES_MAX];
    uint32_t service_count;
    kn_tree_value values[NODES_MAX];
    uint32_t value_count;
    kn_tag tags[NODES_MAX * 4][2];
    uint32_t tag_count;
    kn_tree_id trees[TREES];
    uint32_t tree_count;
} tree_game;

// Hooks ----------------------------------------------------------------------------------

static void key_write(tree_game *t, kn_world *world, kn_entity_id entity, uint32_t choice)
{
    uint32_t value = choice / 8;
    switch (choice % 8) {
    case 0:
        (void)sane(kn_blackboard_set_bool(world, entity, "Flag", value % 2 == 0));
        break;
    case 1:
        (void)sane(kn_blackboard_set_int(world, entity, "Whole", (int32_t)value - 8));
        break;
    case 2:
        (void)sane(kn_blackboard_set_float(world, entity, "Number", (float)value - 8.0f));
        break;
    case 3:
        (void)sane(kn_blackboard_set_vector(world, entity, "Point", (kn_vec3){(float)value, 1, 0}));
        break;
    case 4:
        (void)sane(kn_blackboard_set_entity(world, entity, "Foe",
            value % 4 != 0 ? t->g.entities[value % ENTITIES] : (kn_entity_id){0}));
        break;
    case 5:
        (void)sane(kn_blackboard_set_order(world, entity, "Type", (kn_order_type_id){value % 4}));
        break;
    case 6:
        (void)sane(kn_blackboard_set_tag(world, entity, "Label", t->g.tags[value % TAGS]));
        break;
    default:
        (void)sane(kn_blackboard_clear(world, entity, keys[value % COUNT(keys)]));
    }
}

static void deed_do(
    tree_game *t, kn_world *world, kn_entity_id entity, uint32_t ticket, uint32_t deed)
{
    const kn_entity_id other = t->g.entities[deed / 16 % ENTITIES];
    kn_order order = kn_order_on((kn_order_type_id){1 + deed / 16 % ORDERS}, other);
    switch (deed % 16) {
    case 0:
    case 1:
    case 2:
        key_write(t, world, entity, deed / 16 * 5 + deed);
        break;
    case 3:
        (void)sane(kn_tree_finish_task(world, entity, ticket, (kn_tree_result)(deed / 16 % 3)));
        break;
    case 4:
        (void)sane(kn_tree_start(
            world, deed / 16 % 2 == 0 ? entity : other, (kn_tree_id){1 + deed / 16 % (TREES + 1)}));
        break;
    case 5:
        (void)sane(kn_tree_stop(world, deed / 16 % 2 == 0 ? entity : other));
        break;
    case 6:
        tag_change(&t->g, world, entity, deed / 16);
        break;
    case 7:
        (void)sane(kn_event_send(world, entity, t->g.tags[deed / 16 % TAGS], NULL));
        break;
    case 8:
        (void)sane(kn_order_issue(world, entity, &order, NULL));
        break;
    case 9:
        (void)sane(kn_attribute_set_base(world, entity, t->health, 0, (float)(deed & 0xf0)));
        break;
    case 10:
        if (deed / 16 > 13) {
            kn_entity_destroy(world, deed % 32 < 16 ? entity : other);
        }
        break;
    case 11:
        if (deed / 16 > 12) {
            (void)sane(kn_unit_remove(world, entity));
        }
        break;
    case 12:
        (void)sane(kn_blackboard_add(world, entity, t->boards[deed / 16 % 2]));
        break;
    default:
        break;
    }
}

static kn_result run(void *user, const kn_hook_call *call)
{
    tree_game *t = user;
    kn_tree_call *c = call->arguments;
    uint32_t deed = deed_of(&t->g, call->writable, c->node * 5 + c->ticket);
    c->result = (kn_tree_result)(deed_of(&t->g, call->writable, c->node + c->ticket * 3) % 4);
    deed_do(t, call->writable, call->entity, c->ticket, deed);
    return deed == 254 ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result aborted(void *user, const kn_hook_call *call)
{
    tree_game *t = user;
    const kn_tree_call *c = call->arguments;
    deed_do(t, call->writable, call->entity, c->ticket,
        deed_of(&t->g, call->writable, c->node * 11 + c->ticket));
    return KN_OK;
}

static kn_result test(void *user, const kn_hook_call *call)
{
    tree_game *t = user;
    const kn_tree_call *c = call->arguments;
    must(call->writable == NULL, "a test that may write");
    return deed_of(&t->g, call->world, c->node) % 2 == 0 ? KN_OK : KN_REFUSED_CUSTOM;
}

// The library ------------------------------------------------------------------------------

static void boards_add(tree_game *t)
{
    static const kn_blackboard_key_def first[] = {
        {"Flag", KN_BLACKBOARD_BOOL, 0},
        {"Whole", KN_BLACKBOARD_INT, 0},
        {"Number", KN_BLACKBOARD_FLOAT, 2.5f},
        {"Point", KN_BLACKBOARD_VECTOR, 0},
        {"Foe", KN_BLACKBOARD_ENTITY, 0},
        {"Type", KN_BLACKBOARD_ORDER, 0},
        {"Label", KN_BLACKBOARD_TAG, 0},
        {"Other", KN_BLACKBOARD_INT, 7.0f},
    };
    static const kn_blackboard_key_def second[] = {
        {"Foe", KN_BLACKBOARD_ENTITY, 0},
        {"Number", KN_BLACKBOARD_INT, 1.0f},
        {"Flag", KN_BLACKBOARD_BOOL, 1.0f},
    };
    kn_error error = {0};
    kn_blackboard_def def = kn_blackboard_def_default();
    def.name = "First";
    def.keys = first;
    def.key_count = COUNT(first);
    def.order_keys = true;
    must(kn_blackboard_register(t->g.library, &def, &t->boards[0], &error) == KN_OK, error.message);
    def.name = "Second";
    def.keys = second;
    def.key_count = COUNT(second);
    def.order_keys = false;
    must(kn_blackboard_register(t->g.library, &def, &t->boards[1], &error) == KN_OK, error.message);
}

static void things_add(tree_game *t)
{
    kn_library *library = t->g.library;
    kn_error error = {0};
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Health";
    attribute.default_value = 100.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &attribute;
    set.attribute_count = 1;
    must(kn_attribute_set_register(library, &set, &t->set, &error) == KN_OK, error.message);
    t->health = kn_attribute_find(library, "Vitals.Health");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.body = KN_BODY_TIMED;
    ability.lasts = (kn_scalable){.value = 0.12f};
    ability.tags = (kn_tags){&t->g.tags[4], 1};
    must(kn_ability_register(library, &ability, &t->ability, &error) == KN_OK, error.message);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Mark";
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(0.3f);
    effect.granted_tags = (kn_tags){&t->g.tags[2], 1};
    must(kn_effect_register(library, &effect, &t->effect, &error) == KN_OK, error.message);
    must(kn_condition_register_expression(
             library, "Hurt", "target.Vitals.Health < 50", &t->condition, &error) == KN_OK,
        error.message);
    static const char *const names[ACTIONS] = {"Do", "Ask", "Both"};
    for (uint32_t i = 0; i < ACTIONS; i++) {
        kn_tree_action_def action = kn_tree_action_def_default();
        action.name = names[i];
        action.run = (kn_hook){i != 1 ? run : NULL, t};
        action.aborted = (kn_hook){i == 2 ? aborted : NULL, t};
        action.test = (kn_hook){i != 0 ? test : NULL, t};
        must(kn_tree_action_register(library, &action, &t->actions[i], &error) == KN_OK,
            error.message);
    }
}

static kn_tags more_tags(tree_game *t)
{
    return t->tag_count < COUNT(t->tags) ? take_tags(&t->g, t->tags[t->tag_count++])
                                         : (kn_tags){NULL, 0};
}

static const char *take_key(tree_game *t)
{
    return keys[take_below(t->g.in, COUNT(keys))];
}

// The right kind of key most of the time.
static const char *key_of(tree_game *t, const char *right)
{
    return take_rarely(t->g.in, 32) ? take_key(t) : right;
}

static void condition_take(tree_game *t, kn_tree_condition *c)
{
    fuzz_input *in = t->g.in;
    uint32_t flags = take_u8(in);
    *c = kn_tree_condition_default();
    c->inverted = (flags & 1) != 0;
    c->aborts = (kn_tree_aborts)(flags >> 1 & 3);
    c->number = take_small_float(in);
    switch (take_below(in, 9)) {
    case 0:
        c->attribute = t->health;
        c->compare = (kn_tree_compare)(1 + (flags >> 3) % (KN_TREE_COMPARE_COUNT - 1));
        c->number = (float)(flags & 0x7f);
        break;
    case 1:
        c->action = t->actions[1 + (flags >> 3) % 2];
        c->wakes = more_tags(t);
        break;
    case 2:
        c->condition = t->condition;
        c->wakes = more_tags(t);
        break;
    case 3:
        c->key = key_of(t, "Foe");
        c->within = key_of(t, "Number");
        c->wakes = more_tags(t);
        break;
    case 4:
        c->key = take_key(t);
        break;
    case 5:
        c->key = key_of(t, (flags & 8) != 0 ? "Whole" : "Number");
        c->compare = (kn_tree_compare)((flags >> 4) % KN_TREE_COMPARE_COUNT);
        break;
    case 6:
        c->key = key_of(t, "Whole");
        c->with = key_of(t, "Other");
        c->compare = (kn_tree_compare)(1 + (flags >> 4) % 6);
        break;
    default:
        c->required = more_tags(t);
        c->blocked = more_tags(t);
        if (c->required.count + c->blocked.count == 0) {
            c->key = "Foe";
        }
    }
    bool is_blind = c->action.index1 != 0 || c->condition.index1 != 0 || c->within != NULL;
    if (is_blind && c->wakes.count == 0) {
        c->aborts = KN_TREE_ABORTS_NONE;
    }
}

static const kn_tree_value *value_take(tree_game *t, uint32_t *count)
{
    *count = 0;
    if (t->value_count == NODES_MAX) {
        return NULL;
    }
    kn_tree_value *value = &t->values[t->value_count++];
    uint32_t flags = take_u8(t->g.in);
    *value = (kn_tree_value){0};
    *count = 1;
    switch (flags % 4) {
    case 0:
        value->key = key_of(t, "Whole");
        value->number = (float)(flags >> 3);
        break;
    case 1:
        value->key = key_of(t, "Foe");
        value->self = (flags & 8) != 0;
        break;
    case 2:
        value->key = key_of(t, "Whole");
        value->from = key_of(t, "Other");
        break;
    default:
        value->key = key_of(t, "Label");
        value->tag = (flags & 8) != 0 ? take_tag(&t->g) : (kn_tag){0};
    }
    return value;
}

static kn_time take_wait(tree_game *t)
{
    uint32_t byte = take_u8(t->g.in);
    return byte == 0 ? 0 : byte == 1 ? KN_TIME_INFINITE : KN_MS(10 + byte * 2);
}

static void node_fill(tree_game *t, kn_tree_node *node, uint32_t depth);

static void children_fill(tree_game *t, kn_tree_node *node, uint32_t depth)
{
    uint32_t most = node->kind >= KN_TREE_REPEAT ? 1 : 1 + take_below(t->g.in, 4);
    uint32_t left = NODES_MAX - t->node_count;
    node->child_count = most < left ? most : left;
    kn_tree_node *children = &t->nodes[t->node_count];
    t->node_count += node->child_count;
    node->children = children;
    for (uint32_t i = 0; i < node->child_count; i++) {
        node_fill(t, &children[i], depth + 1);
    }
}

static void leaf_fill(tree_game *t, kn_tree_node *node)
{
    fuzz_input *in = t->g.in;
    node->tag = take_tag(&t->g);
    node->number = (float)take_below(in, 8);
    switch (node->kind) {
    case KN_TREE_SUB_TREE:
        node->tree = t->tree_count > 0 ? t->trees[take_below(in, t->tree_count)] : (kn_tree_id){0};
        node->kind = node->tree.index1 != 0 ? KN_TREE_SUB_TREE : KN_TREE_WAIT_EVENT;
        if (node->kind == KN_TREE_SUB_TREE && take_bool(in)) {
            node->values = value_take(t, &node->value_count);
        }
        break;
    case KN_TREE_WAIT:
        node->duration = take_wait(t);
        break;
    case KN_TREE_WAIT_ATTRIBUTE:
        node->attribute = t->health;
        break;
    case KN_TREE_WAIT_ABILITY:
    case KN_TREE_USE_ABILITY:
        if (take_bool(in)) {
            node->ability = t->ability;
        } else {
            node->tag = t->g.tags[4];
        }
        node->target = take_bool(in) ? key_of(t, "Foe") : NULL;
        break;
    case KN_TREE_TASK:
        node->action = t->actions[take_bool(in) ? 2 : 0];
        node->target = take_bool(in) ? key_of(t, "Foe") : NULL;
        node->location = take_bool(in) ? key_of(t, "Point") : NULL;
        break;
    case KN_TREE_APPLY_EFFECT:
        node->effect = t->effect;
        node->target = take_bool(in) ? key_of(t, "Foe") : NULL;
        break;
    case KN_TREE_SEND_EVENT:
        node->target = take_bool(in) ? key_of(t, "Foe") : NULL;
        break;
    case KN_TREE_SET_KEY:
        node->values = value_take(t, &node->value_count);
        break;
    case KN_TREE_ISSUE_ORDER:
        node->order = take_bool(in) ? "Go" : "Stop";
        node->enqueues = take_bool(in);
        node->target = take_bool(in) ? key_of(t, "Foe") : NULL;
        break;
    case KN_TREE_FINISH_ORDER:
        node->result = (kn_tree_result)take_below(in, 2);
        break;
    default:
        break;
    }
}

static void node_fill(tree_game *t, kn_tree_node *node, uint32_t depth)
{
    fuzz_input *in = t->g.in;
    uint32_t kind = take_below(in, KN_TREE_NODE_KIND_COUNT + 4);
    bool is_leaf = depth >= 5 || t->node_count + 4 >= NODES_MAX;
    *node = kn_tree_node_default();
    if (kind >= KN_TREE_NODE_KIND_COUNT) {
        kind = KN_TREE_TASK;
    }
    if (is_leaf && kind < KN_TREE_SUB_TREE) {
        kind += KN_TREE_SUB_TREE;
    }
    node->kind = (kn_tree_node_kind)kind;
    uint32_t flags = take_u8(in);
    uint32_t count = (flags & 7) < 4 ? 0 : (flags & 7) < 7 ? 1 : 2;
    if (t->condition_count + count <= COUNT(t->conditions)) {
        node->conditions = &t->conditions[t->condition_count];
        node->condition_count = count;
        t->condition_count += count;
        for (uint32_t i = 0; i < count; i++) {
            condition_take(t, &t->conditions[t->condition_count - count + i]);
        }
    }
    if ((flags >> 3 & 7) == 0 && t->service_count < NODES_MAX) {
        kn_tree_service *service = &t->services[t->service_count++];
        *service = kn_tree_service_default();
        service->action = t->actions[(flags >> 6) % 2 * 2];
        service->interval = KN_MS(30 + take_u8(in) * 4);
        node->services = service;
        node->service_count = 1;
    }
    node->succeeds = (kn_tree_quorum)(flags >> 6 & 1);
    node->fails = (kn_tree_quorum)(flags >> 7);
    node->rest = (kn_tree_rest)(flags >> 5 & 1);
    node->count = flags >> 4 & 3;
    node->until = (kn_tree_result)(flags >> 3 & 1);
    if (kind < KN_TREE_SUB_TREE) {
        node->duration = kind >= KN_TREE_TIME_LIMIT ? take_wait(t) : 0;
        children_fill(t, node, depth);
    } else {
        leaf_fill(t, node);
    }
}

static void trees_add(tree_game *t)
{
    static const char *const names[TREES] = {"T0", "T1", "T2", "T3"};
    uint32_t count = 1 + take_below(t->g.in, TREES);
    for (uint32_t i = 0; i < count; i++) {
        kn_tree_def def = kn_tree_def_default();
        kn_error error = {0};
        t->node_count = t->condition_count = t->service_count = t->value_count = t->tag_count = 0;
        def.name = names[i];
        def.blackboard = t->boards[take_rarely(t->g.in, 12) ? 1 : 0];
        node_fill(t, &def.root, 0);
        kn_result result = kn_tree_register(t->g.library, &def, &t->trees[t->tree_count], &error);
        must(result == KN_OK || (result == KN_ERROR_BAD_DATA && error.message[0] != 0),
            "refused without a reason");
        t->tree_count += result == KN_OK;
    }
}

static kn_result execute(void *user, const kn_hook_call *call)
{
    tree_game *t = user;
    const kn_order_call *c = call->arguments;
    deed_do(t, call->writable, call->entity, 0, deed_of(&t->g, call->writable, c->ticket));
    return KN_OK;
}

static void orders_add(tree_game *t)
{
    static const char *const names[ORDERS] = {"Stop", "Go", "Plain"};
    kn_error error = {0};
    kn_unit_type_id unit;
    kn_unit_type_def units = kn_unit_type_def_default();
    for (uint32_t i = 0; i < ORDERS; i++) {
        kn_order_type_def def = kn_order_type_def_default();
        kn_order_type_id id;
        def.name = names[i];
        def.needs_life = false;
        def.restarts_tree = take_bool(t->g.in);
        bool has_tree = i < 2 && t->tree_count > 0 && !take_rarely(t->g.in, 4);
        def.tree = has_tree ? t->trees[take_below(t->g.in, t->tree_count)] : (kn_tree_id){0};
        def.execute = (kn_hook){has_tree ? NULL : execute, t};
        must(kn_order_type_register(t->g.library, &def, &id, &error) == KN_OK, error.message);
    }
    units.name = "Unit";
    units.stop = (kn_order_type_id){1};
    must(kn_unit_type_register(t->g.library, &units, &unit, &error) == KN_OK, error.message);
}

// Playing ------------------------------------------------------------------------------------

static void spawn(tree_game *t, uint32_t index)
{
    game *g = &t->g;
    kn_body body = kn_body_default();
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    must(kn_entity_create(g->world, &g->entities[index]) == KN_OK, "no entity");
    body.position = take_place(g);
    must(kn_grid_set_body(g->grid, g->entities[index], &body) == KN_OK, "no body");
    must(kn_attribute_set_add(g->world, g->entities[index], t->set, 0) == KN_OK, "no set");
    grant.type = t->ability;
    must(kn_ability_grant(g->world, g->entities[index], &grant, &ability) == KN_OK, "no ability");
    if (take_bool(g->in)) {
        (void)sane(kn_unit_add(g->world, g->entities[index], (kn_unit_type_id){1}));
    }
}

static void play_tree(tree_game *t)
{
    kn_entity_id entity = take_entity(&t->g);
    switch (take_below(t->g.in, 6)) {
    case 0:
        (void)sane(kn_tree_stop(t->g.world, entity));
        break;
    case 1:
    case 2: {
        kn_tree_result result = (kn_tree_result)take_below(t->g.in, 3);
        uint32_t first = take_u8(t->g.in);
        for (uint32_t i = 0; i < 24; i++) { // one of them may be that of a task
            (void)sane(kn_tree_finish_task(t->g.world, entity, first + i, result));
        }
        break;
    }
    case 3:
        (void)sane(
            kn_blackboard_add(t->g.world, entity, (kn_blackboard_id){take_below(t->g.in, 4)}));
        break;
    default:
        (void)sane(
            kn_tree_start(t->g.world, entity, (kn_tree_id){1 + take_below(t->g.in, TREES + 1)}));
    }
}

static void play_signal(tree_game *t)
{
    kn_entity_id entity = take_entity(&t->g);
    uint32_t choice = take_u8(t->g.in);
    switch (take_below(t->g.in, 6)) {
    case 0:
        (void)sane(kn_event_send(t->g.world, entity, t->g.tags[choice % TAGS], NULL));
        break;
    case 1:
        tag_change(&t->g, t->g.world, entity, choice);
        break;
    case 2:
        (void)sane(kn_attribute_set_base(t->g.world, entity, t->health, 0, (float)choice));
        break;
    default:
        key_write(t, t->g.world, entity, choice);
    }
}

static void play_order(tree_game *t)
{
    kn_entity_id unit = take_entity(&t->g);
    kn_order order = kn_order_on((kn_order_type_id){take_below(t->g.in, 5)}, take_entity(&t->g));
    switch (take_below(t->g.in, 5)) {
    case 0:
        (void)sane(kn_order_enqueue(t->g.world, unit, &order, NULL));
        break;
    case 1:
        (void)sane(kn_order_retarget(t->g.world, order.target, take_entity(&t->g), NULL));
        break;
    case 2:
        (void)sane(kn_order_insert_before(t->g.world, unit, &order, NULL));
        break;
    case 3:
        (void)sane(take_bool(t->g.in) ? kn_unit_remove(t->g.world, unit)
                                      : kn_unit_add(t->g.world, unit, (kn_unit_type_id){1}));
        break;
    default:
        (void)sane(kn_order_issue(t->g.world, unit, &order, NULL));
    }
}

static void play_replace(tree_game *t)
{
    uint32_t index = take_below(t->g.in, ENTITIES);
    kn_entity_destroy(t->g.world, t->g.entities[index]);
    spawn(t, index);
}

static void play_time(tree_game *t)
{
    play_step(&t->g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(tree_game * t) = {play_time, play_time, play_time, play_tree,
        play_tree, play_tree, play_signal, play_signal, play_signal, play_order, play_replace};
    static tree_game t;
    fuzz_input in = {data, size};
    kn_error error = {0};
    memset(&t, 0, sizeof(t));
    t.g.in = &in;
    library_begin(&t.g);
    take_deeds(&t.g);
    boards_add(&t);
    things_add(&t);
    trees_add(&t);
    orders_add(&t);
    kn_result result = kn_library_finish(t.g.library, &error);
    if (result != KN_OK) { // a key of the wrong kind, and the like
        must(result == KN_ERROR_BAD_DATA && error.message[0] != 0, "refused without a reason");
        kn_library_destroy(t.g.library);
        return 0;
    }
    world_begin(&t.g, take_u8(&in));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        spawn(&t, i);
    }
    for (uint32_t count = 0; in.size > 0 && count < CALLS_MAX; count++) {
        calls[take_below(&in, COUNT(calls))](&t);
        game_check(&t.g);
    }
    world_step(t.g.world, KN_S(2));
    game_check(&t.g);
    game_end(&t.g);
    return 0;
}
