// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ready order types and their trees. They are made of public calls alone, as a game would make its
// own.

#include "knack/order_ready.h"

#include "knack/tree.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

// Tags ----------------------------------------------------------------------------------

typedef enum ready_tag {
    READY_ALIVE,
    READY_CAN_ATTACK,
    READY_UNARMED,
    READY_IMMOBILIZED,
    READY_CONSTRUCTING,
    READY_INVULNERABLE,
    READY_CAN_GATHER,
    READY_BUILDING,
    READY_ATTACK,
    READY_FRIENDLY,
    READY_VISIBLE,
    READY_TAG_COUNT,
} ready_tag;

static const char *const tag_names[READY_TAG_COUNT] = {
    [READY_ALIVE] = "Knack.Status.Alive",
    [READY_CAN_ATTACK] = "Knack.Status.CanAttack",
    [READY_UNARMED] = "Knack.Status.Unarmed",
    [READY_IMMOBILIZED] = "Knack.Status.Immobilized",
    [READY_CONSTRUCTING] = "Knack.Status.Constructing",
    [READY_INVULNERABLE] = "Knack.Status.Invulnerable",
    [READY_CAN_GATHER] = "Knack.Status.CanGather",
    [READY_BUILDING] = "Knack.Kind.Building",
    [READY_ATTACK] = "Knack.Ability.Attack",
    [READY_FRIENDLY] = "Knack.Relation.Friendly",
    [READY_VISIBLE] = "Knack.Relation.Visible",
};

static const char tags_key; // of the tags of a library; only its address counts

// Keys of the blackboard.
#define KEY_TARGET "Order_Target"
#define KEY_LOCATION "Order_Location"
#define KEY_HOME "Order_HomeLocation"
#define KEY_RANGE "Order_Range"
#define KEY_SLACK "Slack"    // how near to its home a unit is at home
#define KEY_IS_AWAY "IsAway" // it is further from where it belongs than its leash
#define LEASH_INTERVAL KN_MS(500)
#define RETRY_INTERVAL KN_MS(250)

typedef struct ready {
    kn_library *library;
    kn_error *error;
    kn_tag tags[READY_TAG_COUNT];
    kn_blackboard_id board;
    kn_tree_action_id leash, interrupts;
} ready;

// Hooks ---------------------------------------------------------------------------------

static bool target_has(const kn_order_call *call, const kn_library *library, kn_tag wanted)
{
    for (uint32_t i = 0; i < call->target.tag_count; i++) {
        if (kn_tag_matches(library, call->target.tags[i], wanted)) {
            return true;
        }
    }
    return false;
}

static kn_result attack_score(void *user, const kn_hook_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    const kn_tag *tags = kn_library_data(library, &tags_key);
    kn_order_call *c = call->arguments;
    (void)user;
    if (target_has(c, library, tags[READY_CAN_GATHER])) {
        c->number *= 0.7f;
    }
    if (target_has(c, library, tags[READY_BUILDING])) {
        c->number *= 0.5f;
    }
    return KN_OK;
}

// A service: notices that a unit that was interrupted has gone too far.
static kn_result leash_run(void *user, const kn_hook_call *call)
{
    const kn_entity_id unit = call->entity;
    kn_unit_info info;
    kn_vec3 at = {0};
    (void)user;
    if (!kn_unit_get_info(call->world, unit, &info)) {
        return KN_OK;
    }
    const kn_unit_type_def *def = kn_unit_type_get_def(kn_world_library(call->world), info.type);
    bool is_away = false;
    if (info.interrupts && def != NULL && def->leash > 0.0f &&
        kn_space_position(kn_world_space(call->world), call->world, unit, &at)) {
        const float x = at.x - info.returns_to.x, y = at.y - info.returns_to.y;
        is_away = x * x + y * y > def->leash * def->leash;
    }
    (void)kn_blackboard_set_bool(call->writable, unit, KEY_IS_AWAY, is_away);
    return KN_OK;
}

// A condition: what is done interrupts something that comes back afterwards.
static kn_result interrupts_test(void *user, const kn_hook_call *call)
{
    kn_unit_info info;
    (void)user;
    return kn_unit_get_info(call->world, call->entity, &info) && info.interrupts
               ? KN_OK
               : KN_REFUSED_CUSTOM;
}

// Nodes ---------------------------------------------------------------------------------

static kn_tree_node node_of(kn_tree_node_kind kind)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = kind;
    return node;
}

static kn_tree_node node_with(kn_tree_node_kind kind, const kn_tree_node *children, uint32_t count)
{
    kn_tree_node node = node_of(kind);
    node.children = children;
    node.child_count = count;
    return node;
}

static kn_tree_node only_if(kn_tree_node node, const kn_tree_condition *conditions, uint32_t count)
{
    node.conditions = conditions;
    node.condition_count = count;
    return node;
}

// A node that is aimed at keys of the order; NULL: not at that.
static kn_tree_node aimed(kn_tree_node_kind kind, const char *target, const char *location)
{
    kn_tree_node node = node_of(kind);
    node.target = target;
    node.location = location;
    return node;
}

static kn_tree_node go_to_point(const char *location, const char *range)
{
    kn_tree_node node = aimed(KN_TREE_MOVE_TO, NULL, location);
    node.range = range;
    return node;
}

static kn_tree_node go_to_target(void)
{
    kn_tree_node node = aimed(KN_TREE_MOVE_TO, KEY_TARGET, NULL);
    node.range = KEY_RANGE;
    return node;
}

static kn_tree_node wait_for(kn_time duration)
{
    kn_tree_node node = node_of(KN_TREE_WAIT);
    node.duration = duration;
    return node;
}

static kn_tree_condition is_set(const char *key, bool inverted)
{
    kn_tree_condition condition = kn_tree_condition_default();
    condition.key = key;
    condition.inverted = inverted;
    return condition;
}

static kn_result tree_add(ready *r, const char *name, kn_tree_node root)
{
    kn_tree_def def = kn_tree_def_default();
    kn_tree_id tree;
    def.name = name;
    def.blackboard = r->board;
    def.root = root;
    return kn_tree_register(r->library, &def, &tree, r->error);
}

// Trees ---------------------------------------------------------------------------------

// Stands at its home, and goes back to it if something has led it away.
static kn_result stand_add(ready *r)
{
    const kn_tree_node back = go_to_point(KEY_HOME, KEY_SLACK);
    const kn_tree_node nodes[] = {
        node_with(KN_TREE_SUCCEED, &back, 1), // one that cannot move stands where it is
        wait_for(KN_TIME_INFINITE),
    };
    return tree_add(r, "Knack.Stand", node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes)));
}

static kn_result hold_add(ready *r)
{
    return tree_add(r, "Knack.Hold", wait_for(KN_TIME_INFINITE));
}

static kn_result walk_add(ready *r)
{
    return tree_add(r, "Knack.Walk", go_to_point(KEY_LOCATION, KEY_RANGE));
}

static kn_result stay_add(ready *r)
{
    const kn_tree_node nodes[] = {
        go_to_point(KEY_LOCATION, KEY_RANGE),
        wait_for(KN_TIME_INFINITE),
    };
    return tree_add(r, "Knack.Stay", node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes)));
}

static kn_result patrol_add(ready *r)
{
    const kn_tree_node nodes[] = {
        go_to_point(KEY_LOCATION, KEY_RANGE),
        go_to_point(KEY_HOME, KEY_RANGE),
    };
    const kn_tree_node round = node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes));
    return tree_add(r, "Knack.Patrol", node_with(KN_TREE_REPEAT, &round, 1));
}

static kn_result follow_add(ready *r)
{
    const kn_tree_node go = go_to_target();
    const kn_tree_node nodes[] = {
        node_with(KN_TREE_SUCCEED, &go, 1), // one that cannot get there tries again
        wait_for(RETRY_INTERVAL),
    };
    const kn_tree_node round = node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes));
    return tree_add(r, "Knack.Follow", node_with(KN_TREE_REPEAT, &round, 1));
}

// Attacks again and again. One who has gone too far gives up, and so does one who cannot get there
// and has something to go back to; neither has failed.
static kn_result fight_add(ready *r)
{
    kn_tree_node strike[] = {
        aimed(KN_TREE_USE_ABILITY, KEY_TARGET, NULL),
        wait_for(RETRY_INTERVAL),
    };
    kn_tree_node nodes[] = {
        go_to_target(),
        node_of(KN_TREE_WAIT_ABILITY),
        go_to_target(), // it may have moved meanwhile
        aimed(KN_TREE_FACE, KEY_TARGET, NULL),
        node_with(KN_TREE_SELECTOR, strike, COUNT(strike)),
    };
    strike[0].tag = r->tags[READY_ATTACK];
    nodes[1].tag = r->tags[READY_ATTACK];
    const kn_tree_node round = node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes));

    kn_tree_service leash = kn_tree_service_default();
    leash.action = r->leash;
    leash.interval = LEASH_INTERVAL;
    kn_tree_condition is_near = is_set(KEY_IS_AWAY, true);
    is_near.aborts = KN_TREE_ABORTS_SELF;
    kn_tree_condition interrupts = kn_tree_condition_default();
    interrupts.action = r->interrupts;

    kn_tree_node branches[] = {
        only_if(node_with(KN_TREE_REPEAT, &round, 1), &is_near, 1),
        only_if(node_of(KN_TREE_FINISH_ORDER), &interrupts, 1),
    };
    branches[1].name = "gives up";
    kn_tree_node root = node_with(KN_TREE_SELECTOR, branches, COUNT(branches));
    root.services = &leash;
    root.service_count = 1;
    return tree_add(r, "Knack.Fight", root);
}

// Gets into range of what the order is aimed at, if anything, and uses its ability.
static kn_result use_add(ready *r)
{
    const kn_tree_condition has_target = is_set(KEY_TARGET, false);
    const kn_tree_condition has_place[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, false)};
    const kn_tree_condition has_nothing[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, true)};
    const kn_tree_node to_target[] = {go_to_target(), aimed(KN_TREE_FACE, KEY_TARGET, NULL)};
    const kn_tree_node to_place[] = {
        go_to_point(KEY_LOCATION, KEY_RANGE), aimed(KN_TREE_FACE, NULL, KEY_LOCATION)};
    const kn_tree_node ways[] = {
        only_if(node_with(KN_TREE_SEQUENCE, to_target, COUNT(to_target)), &has_target, 1),
        only_if(
            node_with(KN_TREE_SEQUENCE, to_place, COUNT(to_place)), has_place, COUNT(has_place)),
        only_if(wait_for(0), has_nothing, COUNT(has_nothing)),
    };
    const kn_tree_node nodes[] = {
        node_with(KN_TREE_SELECTOR, ways, COUNT(ways)),
        aimed(KN_TREE_USE_ABILITY, KEY_TARGET, KEY_LOCATION),
    };
    return tree_add(r, "Knack.Use", node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes)));
}

// Order types -----------------------------------------------------------------------------

// Tags as bits of ready_tag.
#define BIT(tag) (1u << (tag))

typedef struct ready_type {
    const char *name, *tree, *title, *fallback;
    kn_order_target_kind target_kind;
    float range;
    uint32_t source_required, source_blocked, target_required, target_blocked, success_blocked;
    bool individual, allows_auto, is_attack;
    kn_order_home home;
} ready_type;

#define MOVES (BIT(READY_IMMOBILIZED) | BIT(READY_CONSTRUCTING))

static const ready_type types[] = {
    {.name = "Knack.Stop",
        .tree = "Knack.Stand",
        .title = "Stop",
        .source_blocked = BIT(READY_CONSTRUCTING),
        .allows_auto = true},
    {.name = "Knack.Hold",
        .tree = "Knack.Hold",
        .title = "Hold position",
        .source_blocked = BIT(READY_CONSTRUCTING)},
    {.name = "Knack.Move",
        .tree = "Knack.Walk",
        .title = "Move",
        .target_kind = KN_ORDER_TARGET_LOCATION,
        .source_blocked = MOVES,
        .individual = true},
    {.name = "Knack.AttackMove",
        .tree = "Knack.Walk",
        .title = "Attack-move",
        .target_kind = KN_ORDER_TARGET_LOCATION,
        .source_blocked = MOVES,
        .individual = true,
        .allows_auto = true,
        .home = KN_ORDER_HOME_UNIT},
    {.name = "Knack.Patrol",
        .tree = "Knack.Patrol",
        .title = "Patrol",
        .target_kind = KN_ORDER_TARGET_LOCATION,
        .source_blocked = MOVES,
        .individual = true,
        .allows_auto = true,
        .home = KN_ORDER_HOME_UNIT},
    {.name = "Knack.GuardPlace",
        .tree = "Knack.Stay",
        .title = "Guard a place",
        .target_kind = KN_ORDER_TARGET_LOCATION,
        .source_blocked = MOVES,
        .individual = true,
        .allows_auto = true,
        .home = KN_ORDER_HOME_TARGET},
    {.name = "Knack.Follow",
        .tree = "Knack.Follow",
        .title = "Follow",
        .fallback = "Knack.Move",
        .target_kind = KN_ORDER_TARGET_ENTITY,
        .range = 3.0f,
        .source_blocked = MOVES,
        .target_required = BIT(READY_ALIVE) | BIT(READY_VISIBLE)},
    {.name = "Knack.Guard",
        .tree = "Knack.Follow",
        .title = "Guard",
        .fallback = "Knack.Move",
        .target_kind = KN_ORDER_TARGET_ENTITY,
        .range = 3.0f,
        .source_blocked = MOVES,
        .target_required = BIT(READY_ALIVE) | BIT(READY_FRIENDLY),
        .allows_auto = true,
        .home = KN_ORDER_HOME_TARGET},
    {.name = "Knack.Attack",
        .tree = "Knack.Fight",
        .title = "Attack",
        .fallback = "Knack.Move",
        .target_kind = KN_ORDER_TARGET_ENTITY,
        .range = 1.0f,
        .source_required = BIT(READY_CAN_ATTACK),
        .source_blocked = BIT(READY_UNARMED) | BIT(READY_CONSTRUCTING),
        .target_required = BIT(READY_ALIVE) | BIT(READY_VISIBLE),
        .target_blocked = BIT(READY_INVULNERABLE) | BIT(READY_FRIENDLY),
        .success_blocked = BIT(READY_ALIVE),
        .individual = true,
        .allows_auto = true,
        .is_attack = true},
    {.name = "Knack.UseAbility",
        .tree = "Knack.Use",
        .title = "Use an ability",
        .source_blocked = BIT(READY_CONSTRUCTING)},
};

// The tags of bits, in `out`.
static kn_tags tags_of(const ready *r, uint32_t bits, kn_tag *out)
{
    kn_tags tags = {out, 0};
    for (uint32_t i = 0; i < READY_TAG_COUNT; i++) {
        if ((bits & BIT(i)) != 0) {
            out[tags.count++] = r->tags[i];
        }
    }
    return tags;
}

static kn_result type_add(ready *r, const ready_type *type)
{
    kn_tag tags[5][READY_TAG_COUNT];
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id id;
    def.name = type->name;
    def.title = type->title;
    def.tree = kn_tree_find(r->library, type->tree);
    def.target_kind = type->target_kind;
    def.range = type->range;
    def.individual_locations = type->individual;
    def.allows_auto = type->allows_auto;
    def.home = type->home;
    def.tags.source_required = tags_of(r, type->source_required, tags[0]);
    def.tags.source_blocked = tags_of(r, type->source_blocked, tags[1]);
    def.tags.target_required = tags_of(r, type->target_required, tags[2]);
    def.tags.target_blocked = tags_of(r, type->target_blocked, tags[3]);
    def.success.target_blocked = tags_of(r, type->success_blocked, tags[4]);
    if (type->fallback != NULL) {
        def.fallback = kn_order_type_find(r->library, type->fallback);
    }
    if (type->is_attack) {
        def.score = (kn_hook){attack_score, NULL};
        def.auto_for_players = true;
        def.auto_begins = true;
        def.auto_for_ai = true;
    }
    return kn_order_type_register(r->library, &def, &id, r->error);
}

static kn_result types_add(ready *r)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(types); i++) {
        result = type_add(r, &types[i]);
    }
    return result;
}

// Registering -----------------------------------------------------------------------------

// Hooks find the tags in the library, without looking for their names.
static kn_result names_add(ready *r)
{
    kn_tag *tags = malloc(sizeof(r->tags));
    kn_result result = tags != NULL ? kn_library_set_data(r->library, &tags_key, tags, free)
                                    : KN_ERROR_OUT_OF_MEMORY;
    if (result != KN_OK) {
        free(tags);
        return result;
    }
    result =
        kn_tag_register_module(r->library, "Knack", tag_names, READY_TAG_COUNT, r->tags, r->error);
    memcpy(tags, r->tags, sizeof(r->tags));
    return result;
}

static kn_result board_add(ready *r)
{
    const kn_blackboard_key_def keys[] = {
        {.name = KEY_SLACK, .kind = KN_BLACKBOARD_FLOAT, .number = 1.0f},
        {.name = KEY_IS_AWAY, .kind = KN_BLACKBOARD_BOOL},
    };
    kn_blackboard_def def = kn_blackboard_def_default();
    def.name = "Knack.Ready";
    def.keys = keys;
    def.key_count = COUNT(keys);
    def.order_keys = true;
    return kn_blackboard_register(r->library, &def, &r->board, r->error);
}

static kn_result actions_add(ready *r)
{
    kn_tree_action_def def = kn_tree_action_def_default();
    def.name = "Knack.Leash";
    def.run = (kn_hook){leash_run, NULL};
    kn_result result = kn_tree_action_register(r->library, &def, &r->leash, r->error);
    if (result != KN_OK) {
        return result;
    }
    def = kn_tree_action_def_default();
    def.name = "Knack.Interrupts";
    def.test = (kn_hook){interrupts_test, NULL};
    return kn_tree_action_register(r->library, &def, &r->interrupts, r->error);
}

kn_result kn_order_ready_register(kn_library *library, kn_error *error)
{
    static kn_result (*const parts[])(ready *) = {names_add, board_add, actions_add, stand_add,
        hold_add, walk_add, stay_add, patrol_add, follow_add, fight_add, use_add, types_add};
    ready r = {.library = library, .error = error};
    kn_result result = KN_OK;
    if (!kn_order_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](&r);
    }
    return result;
}
