// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ready order types about items: a unit gets into reach, then does what the calls do. The variant
// of an order is the slot of the item, or the good of the shop. A use lasts as long as its ability.

#include "item_parts.h"

#include "knack/tree.h"

#define KEY_TARGET "Order_Target"
#define KEY_LOCATION "Order_Location"
#define KEY_RANGE "Range"
#define KEY_TICKET "Ticket"
#define KEY_USE "Use" // the activation, in two numbers
#define KEY_USE_GENERATION "Use_Generation"

typedef enum item_order {
    ORDER_PICK_UP,
    ORDER_DROP,
    ORDER_GIVE,
    ORDER_USE,
    ORDER_BUY,
    ORDER_SELL,
    ORDER_COUNT,
} item_order;

static kn_entity_id item_in(const kn_world *world, kn_entity_id unit, int32_t slot)
{
    return slot >= 0 ? kn_rts_slot_item(world, unit, (uint32_t)slot) : (kn_entity_id){0};
}

static const kn_rts_item_def *def_in(const kn_world *world, kn_entity_id unit, int32_t slot)
{
    const item_state *state = knc_rts_item_read(world, item_in(world, unit, slot));
    return state != NULL ? knc_rts_item_def(world, state->type) : NULL;
}

static bool is_at_point(const kn_rts_item_def *def)
{
    return def != NULL && (def->target_kind == KN_ORDER_TARGET_LOCATION ||
                              def->target_kind == KN_ORDER_TARGET_DIRECTION);
}

// How near a unit must get, without the bodies.
static float reach_of(
    const kn_world *world, item_order kind, kn_entity_id unit, kn_entity_id target, int32_t index)
{
    const kn_rts_inventory_def *own = knc_rts_inventory_def(world, unit);
    if (kind == ORDER_USE) {
        const kn_rts_item_def *def = def_in(world, unit, index);
        return def != NULL ? def->use_range : 0.0f;
    }
    if (kind == ORDER_BUY || kind == ORDER_SELL) {
        const kn_rts_shop_def *shop =
            kn_rts_shop_get_def(kn_world_library(world), kn_rts_shop_get_type(world, target));
        return shop != NULL ? shop->range : 0.0f;
    }
    return own != NULL ? own->range : 0.0f;
}

static float radius_of(const kn_world *world, kn_entity_id entity)
{
    const kn_component_type_id bodies = knc_rts_items_of_world(world)->bodies;
    const kn_body *body =
        bodies.index1 != 0 && entity.index1 != 0 ? kn_component_read(world, bodies, entity) : NULL;
    return body != NULL ? body->radius : 0.0f;
}

// Actions -------------------------------------------------------------------------------

static item_order kind_of(const void *user)
{
    return (item_order)(uintptr_t)user;
}

static kn_result reach_run(void *user, const kn_hook_call *call)
{
    const kn_tree_call *c = call->arguments;
    kn_blackboard_order order;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    const float range = reach_of(call->world, kind_of(user), call->entity, c->target, order.index) +
                        radius_of(call->world, call->entity) + radius_of(call->world, c->target);
    return kn_blackboard_set_float(call->writable, call->entity, KEY_RANGE, range);
}

// An order is about the activation that it began: its item may be in another slot meanwhile, or
// used up.
static kn_result use_keep(
    kn_world *world, kn_entity_id unit, uint32_t ticket, kn_activation_id activation)
{
    kn_result result = kn_blackboard_set_int(world, unit, KEY_TICKET, (int32_t)ticket);
    if (result == KN_OK) {
        result = kn_blackboard_set_int(world, unit, KEY_USE, (int32_t)activation.index1);
    }
    return result != KN_OK ? result
                           : kn_blackboard_set_int(
                                 world, unit, KEY_USE_GENERATION, (int32_t)activation.generation);
}

static kn_activation_id use_of(const kn_world *world, kn_entity_id unit)
{
    int32_t index1 = 0, generation = 0;
    (void)kn_blackboard_get_int(world, unit, KEY_USE, &index1);
    (void)kn_blackboard_get_int(world, unit, KEY_USE_GENERATION, &generation);
    return (kn_activation_id){(uint32_t)index1, (uint32_t)generation};
}

static kn_result use_run(const kn_hook_call *call, kn_tree_call *c, kn_entity_id item)
{
    const item_state *state = knc_rts_item_read(call->world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(call->world, state->type) : NULL;
    kn_activation_id activation;
    kn_blackboard_order order;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    kn_result result = kn_rts_use_item(
        call->writable, item, order.target, is_at_point(def) ? &order.location : NULL, &activation);
    if (result == KN_OK && kn_activation_is_alive(call->world, activation)) {
        c->result = KN_TREE_RUNNING; // until it is reported that the ability has ended
        result = use_keep(call->writable, call->entity, c->ticket, activation);
    }
    return result;
}

static kn_result act_run(void *user, const kn_hook_call *call)
{
    kn_tree_call *c = call->arguments;
    kn_blackboard_order order;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    const kn_entity_id item = item_in(call->world, call->entity, order.index);
    switch (kind_of(user)) {
    case ORDER_PICK_UP:
        return kn_rts_pick_up(call->writable, call->entity, c->target);
    case ORDER_DROP:
        return kn_rts_drop_item(call->writable, item, &order.location);
    case ORDER_GIVE:
        return kn_rts_hand_item(call->writable, item, c->target);
    case ORDER_USE:
        return use_run(call, c, item);
    case ORDER_BUY:
        return kn_rts_buy(call->writable, c->target, call->entity, (uint32_t)order.index, NULL);
    default:
        return kn_rts_sell(call->writable, c->target, item);
    }
}

// An order that ends before its item has done its work takes the ability along.
static kn_result act_aborted(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)kn_activation_cancel(call->writable, use_of(call->world, call->entity));
    return KN_OK;
}

static void ended_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    int32_t ticket = 0;
    (void)user;
    if (kn_world_is_client(world) || !kn_blackboard_is_set(world, reaction->entity, KEY_TICKET) ||
        kn_blackboard_get_int(world, reaction->entity, KEY_TICKET, &ticket) != KN_OK) {
        return;
    }
    if (!kn_activation_id_equal(use_of(world, reaction->entity), reaction->activation)) {
        return; // of another item
    }
    (void)kn_blackboard_clear(world, reaction->entity, KEY_TICKET);
    (void)kn_tree_finish_task(world, reaction->entity, (uint32_t)ticket,
        reaction->end_reason == KN_ENDED_DONE ? KN_TREE_SUCCEEDED : KN_TREE_FAILED);
}

static bool ended_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const item_kit *kit = user;
    const uint32_t type = reaction->ability_type.index1;
    (void)library;
    return type != 0 && type <= kit->ability_count && kit->abilities[type - 1] != ITEM_USE_NONE;
}

// Hooks of order types ------------------------------------------------------------------

static void answer_for(const kn_world *world, item_order kind, kn_entity_id unit,
    const kn_order_call *c, kn_rts_item_answer *answer)
{
    const kn_entity_id item = item_in(world, unit, c->order.index), target = c->target.entity;
    switch (kind) {
    case ORDER_PICK_UP:
        (void)kn_rts_can_pick_up(world, unit, target, answer);
        break;
    case ORDER_DROP:
        (void)kn_rts_can_drop(world, item, NULL, answer);
        break;
    case ORDER_GIVE:
        (void)kn_rts_can_hand(world, item, target, answer);
        break;
    case ORDER_USE:
        (void)kn_rts_can_use(world, item, target,
            is_at_point(def_in(world, unit, c->order.index)) ? &c->target.location : NULL, answer);
        break;
    case ORDER_BUY:
        (void)kn_rts_can_buy(world, target, unit, (uint32_t)c->order.index, answer);
        break;
    default:
        (void)kn_rts_can_sell(world, target, item, answer);
        break;
    }
    // The unit goes there first.
    answer->why_not &= ~(uint32_t)KN_RTS_ITEM_TOO_FAR;
}

// What does not depend on the target.
static kn_result order_can(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    const item_order kind = kind_of(user);
    if (knc_rts_inventory_read(call->world, call->entity, NULL) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (kind == ORDER_PICK_UP || kind == ORDER_BUY) {
        return KN_OK;
    }
    const kn_rts_item_def *def = def_in(call->world, call->entity, c->order.index);
    if (def == NULL || (kind == ORDER_USE && def->ability.index1 == 0)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (kind == ORDER_USE && def->target_kind == KN_ORDER_TARGET_NONE) {
        kn_rts_item_answer answer;
        (void)kn_rts_can_use(call->world, item_in(call->world, call->entity, c->order.index),
            (kn_entity_id){0}, NULL, &answer);
        return kn_rts_item_result(&answer);
    }
    return KN_OK;
}

static kn_result order_target(void *user, const kn_hook_call *call)
{
    const rts_kit *rts = knc_rts_kit_of_world(call->world);
    kn_order_call *c = call->arguments;
    kn_rts_item_answer answer;
    answer_for(call->world, kind_of(user), call->entity, c, &answer);
    if ((answer.why_not & (KN_RTS_ITEM_TOO_EXPENSIVE | KN_RTS_ITEM_EMPTY)) != 0) {
        c->errors[c->error_count++] = rts->tags[KN_RTS_FAIL_COST];
    }
    if ((answer.fails & KN_FAIL_COOLDOWN) != 0) {
        c->errors[c->error_count++] = rts->tags[KN_RTS_FAIL_COOLDOWN];
    }
    return kn_rts_item_result(&answer);
}

static kn_result order_target_kind(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    const kn_rts_item_def *def = def_in(call->world, call->entity, c->order.index);
    (void)user;
    c->answer = (uint32_t)(def != NULL ? def->target_kind : KN_ORDER_TARGET_NONE);
    return KN_OK;
}

static kn_result order_range(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    c->number = reach_of(call->world, kind_of(user), call->entity, c->order.target, c->order.index);
    return KN_OK;
}

// What the game calls these tags is known when the library is finished.
static kn_result order_tags(void *user, const kn_hook_call *call)
{
    const rts_kit *rts = knc_rts_kit_of_world(call->world);
    kn_order_tags_call *c = call->arguments;
    const item_order kind = kind_of(user);
    if (c->is_success != 0) {
        return KN_OK;
    }
    c->source_required[c->source_required_count++] = rts->tags[KN_RTS_HAS_INVENTORY];
    if (kind == ORDER_PICK_UP) {
        c->target_required[c->target_required_count++] = rts->tags[KN_RTS_IS_ITEM];
    } else if (kind == ORDER_BUY || kind == ORDER_SELL) {
        c->target_required[c->target_required_count++] = rts->tags[KN_RTS_IS_SHOP];
    }
    return KN_OK;
}

// Registering ---------------------------------------------------------------------------

typedef struct order_row {
    const char *name, *title, *reach;
    kn_order_target_kind target_kind;
} order_row;

static const order_row rows[ORDER_COUNT] = {
    [ORDER_PICK_UP] = {"Knack.PickUp", "Pick up", "Knack.ReachItem", KN_ORDER_TARGET_ENTITY},
    [ORDER_DROP] = {"Knack.DropItem", "Drop", "Knack.ReachDrop", KN_ORDER_TARGET_LOCATION},
    [ORDER_GIVE] = {"Knack.GiveItem", "Hand over", "Knack.ReachTaker", KN_ORDER_TARGET_ENTITY},
    [ORDER_USE] = {"Knack.UseItem", "Use an item", "Knack.ReachUse", KN_ORDER_TARGET_NONE},
    [ORDER_BUY] = {"Knack.BuyItem", "Buy", "Knack.ReachShop", KN_ORDER_TARGET_ENTITY},
    [ORDER_SELL] = {"Knack.SellItem", "Sell", "Knack.ReachBuyer", KN_ORDER_TARGET_ENTITY},
};

static kn_result action_add(kn_library *library, const char *name, item_order kind, bool acts,
    kn_tree_action_id *action, kn_error *error)
{
    kn_tree_action_def def = kn_tree_action_def_default();
    def.name = name;
    def.run = (kn_hook){acts ? act_run : reach_run, (void *)(uintptr_t)kind};
    if (acts && kind == ORDER_USE) {
        def.aborted = (kn_hook){act_aborted, NULL};
    }
    return kn_tree_action_register(library, &def, action, error);
}

static kn_tree_node task_of(kn_tree_action_id action, const char *target)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = KN_TREE_TASK;
    node.action = action;
    node.target = target;
    return node;
}

static kn_tree_node move_to(const char *target, const char *location)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = KN_TREE_MOVE_TO;
    node.target = target;
    node.location = location;
    node.range = KEY_RANGE;
    return node;
}

static kn_tree_node node_with(kn_tree_node_kind kind, const kn_tree_node *children, uint32_t count)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = kind;
    node.children = children;
    node.child_count = count;
    return node;
}

static kn_tree_condition is_set(const char *key, bool inverted)
{
    kn_tree_condition condition = kn_tree_condition_default();
    condition.key = key;
    condition.inverted = inverted;
    return condition;
}

// Gets into reach of what the order is aimed at, if anything, and does it.
static kn_result tree_add(
    kn_library *library, kn_blackboard_id board, item_order kind, kn_tree_id *tree, kn_error *error)
{
    const order_row *row = &rows[kind];
    kn_tree_action_id reach = {0}, act = {0};
    kn_result result = action_add(library, row->reach, kind, false, &reach, error);
    if (result == KN_OK) {
        result = action_add(library, row->name, kind, true, &act, error);
    }
    const kn_tree_condition has_target = is_set(KEY_TARGET, false);
    const kn_tree_condition has_place[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, false)};
    const kn_tree_condition has_nothing[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, true)};
    const kn_tree_node to_target[] = {task_of(reach, KEY_TARGET), move_to(KEY_TARGET, NULL)};
    const kn_tree_node to_place[] = {task_of(reach, NULL), move_to(NULL, KEY_LOCATION)};
    kn_tree_node ways[] = {
        node_with(KN_TREE_SEQUENCE, to_target, COUNT(to_target)),
        node_with(KN_TREE_SEQUENCE, to_place, COUNT(to_place)),
        task_of(reach, NULL),
    };
    ways[0].conditions = &has_target;
    ways[0].condition_count = 1;
    ways[1].conditions = has_place;
    ways[1].condition_count = COUNT(has_place);
    ways[2].conditions = has_nothing;
    ways[2].condition_count = COUNT(has_nothing);
    const kn_tree_node steps[] = {
        node_with(KN_TREE_SELECTOR, ways, COUNT(ways)), task_of(act, KEY_TARGET)};
    kn_tree_def def = kn_tree_def_default();
    def.name = row->name;
    def.blackboard = board;
    def.root = node_with(KN_TREE_SEQUENCE, steps, COUNT(steps));
    return result != KN_OK ? result : kn_tree_register(library, &def, tree, error);
}

static kn_result order_add(
    kn_library *library, item_kit *kit, kn_blackboard_id board, item_order kind, kn_error *error)
{
    const kn_tag watched[] = {kit->rts->tags[KN_RTS_HAS_INVENTORY], kit->rts->tags[KN_RTS_IS_ITEM],
        kit->rts->tags[KN_RTS_IS_SHOP]};
    void *user = (void *)(uintptr_t)kind;
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    kn_result result = tree_add(library, board, kind, &def.tree, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = rows[kind].name;
    def.title = rows[kind].title;
    def.target_kind = rows[kind].target_kind;
    def.group = KN_ORDER_GROUP_FIRST;
    def.can_obey = (kn_hook){order_can, user};
    def.is_valid_target = (kn_hook){order_target, user};
    def.find_range = (kn_hook){order_range, user};
    def.find_tags = (kn_hook){order_tags, user};
    def.watched_tags = (kn_tags){watched, COUNT(watched)};
    if (kind == ORDER_USE) {
        def.find_target_kind = (kn_hook){order_target_kind, NULL};
    }
    return kn_order_type_register(library, &def, &type, error);
}

kn_result knc_rts_item_orders_register(kn_library *library, item_kit *kit, kn_error *error)
{
    const kn_blackboard_key_def keys[] = {
        {.name = KEY_RANGE, .kind = KN_BLACKBOARD_FLOAT},
        {.name = KEY_TICKET, .kind = KN_BLACKBOARD_INT},
        {.name = KEY_USE, .kind = KN_BLACKBOARD_INT},
        {.name = KEY_USE_GENERATION, .kind = KN_BLACKBOARD_INT},
    };
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_blackboard_id id = {0};
    // Without the ready order types a game has orders of its own.
    if (kn_order_type_find(library, "Knack.Stop").index1 == 0) {
        return KN_OK;
    }
    board.name = "Knack.Items";
    board.keys = keys;
    board.key_count = COUNT(keys);
    board.order_keys = true;
    kn_result result = kn_blackboard_register(library, &board, &id, error);
    for (uint32_t i = 0; result == KN_OK && i < ORDER_COUNT; i++) {
        result = order_add(library, kit, id, (item_order)i, error);
    }
    if (result == KN_OK) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id ended;
        rule.name = "Knack.RtsItemUseEnded";
        rule.trigger = KN_TRIGGER_ABILITY_ENDED;
        rule.function = ended_rule;
        rule.wants = ended_wants;
        rule.user = kit;
        result = kn_rule_register(library, &rule, &ended, error);
    }
    return result;
}
