// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A skirmish of orders as a scene: units of two sides that are given orders of every kind at
// random, by a timer and by the hooks of their own orders; trees that wait, watch and are
// interrupted; tags that come and go; and units that die and are replaced.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/order.h"
#include "knack/tree.h"

#define UNITS 16
#define STREAM 0

enum { STOP, MARCH, STRIKE, WATCH, SHOUT, HOLD, ORDER_COUNT };
static const char *const order_names[ORDER_COUNT] = {
    "Stop", "March", "Strike", "Watch", "Shout", "Hold"};

static kn_tag field_tag(const kn_world *world, const char *name)
{
    return kn_tag_find(kn_world_library(world), name);
}

static kn_order_type_id field_order(const kn_world *world, uint32_t which)
{
    return kn_order_type_find(kn_world_library(world), order_names[which]);
}

// Another unit, by chance; it may be dead.
static kn_entity_id somebody(kn_world *world)
{
    kn_entity_id found = {0};
    uint32_t skip = kn_random_below(world, STREAM, UNITS);
    kn_component_type_id units = kn_component_find(kn_world_library(world), "Knack.Orders");
    for (uint32_t i = 0; i <= skip; i++) {
        kn_entity_id next = kn_component_next(world, units, found);
        found = next.index1 != 0 ? next : found;
    }
    return found;
}

static void order_at_random(kn_world *world, kn_entity_id unit)
{
    kn_order order = kn_order_of(field_order(world, kn_random_below(world, STREAM, ORDER_COUNT)));
    if (kn_random_below(world, STREAM, 2) == 0) {
        order.target = somebody(world);
    }
    if (kn_random_below(world, STREAM, 2) == 0) {
        kn_order_set_location(&order, (kn_vec3){(float)kn_random_below(world, STREAM, 50),
                                          (float)kn_random_below(world, STREAM, 50), 0});
    }
    switch (kn_random_below(world, STREAM, 6)) {
    case 0:
        (void)kn_order_issue(world, unit, &order, NULL);
        break;
    case 1:
    case 2:
        (void)kn_order_enqueue(world, unit, &order, NULL);
        break;
    case 3:
        (void)kn_order_insert_after(world, unit, &order, NULL);
        break;
    case 4:
        (void)kn_order_insert_before(world, unit, &order, NULL);
        break;
    default:
        (void)kn_order_clear_queue(world, unit);
        break;
    }
}

// Hooks and timers --------------------------------------------------------------------

static kn_time march_arrives(void *user, kn_world *world, kn_entity_id unit, void *data)
{
    kn_reader reader = {data, KN_TIMER_DATA_SIZE, 0, false, false};
    const uint32_t ticket = kn_read_u32(&reader);
    (void)user;
    (void)kn_order_end(world, unit, ticket,
        (kn_order_result)kn_random_below(world, STREAM, KN_ORDER_RESULT_COUNT));
    return 0;
}

static kn_result march_begins(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    kn_world *world = call->writable;
    uint8_t data[KN_TIMER_DATA_SIZE] = {0}; // in one byte order, as saves have it
    kn_writer writer = {data, sizeof(data), 0};
    kn_timer_type_id timer = kn_timer_type_find(kn_world_library(world), "Arrive");
    (void)user;
    if (kn_random_below(world, STREAM, 4) == 0) {
        order_at_random(world, call->entity);
    }
    if (kn_random_below(world, STREAM, 8) == 0) {
        return KN_REFUSED_CUSTOM;
    }
    kn_write_u32(&writer, c->ticket);
    kn_time delay = KN_MS(50 + kn_random_below(world, STREAM, 900));
    return kn_timer_start(world, timer, call->entity, delay, data, NULL);
}

static kn_result shout_runs(void *user, const kn_hook_call *call)
{
    kn_event_record record = kn_event_record_default();
    (void)user;
    record.instigator = call->entity;
    (void)kn_event_send(
        call->writable, somebody(call->writable), field_tag(call->world, "Field.Alarm"), &record);
    return KN_OK;
}

static kn_result march_ends(void *user, const kn_hook_call *call)
{
    (void)user;
    if (kn_random_below(call->writable, STREAM, 6) == 0) {
        order_at_random(call->writable, call->entity);
    }
    return KN_OK;
}

// The general gives an order, wounds somebody, or replaces the dead.
static kn_time general_thinks(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    static const char *const tags[] = {"Field.Slow", "Field.Blind", "Knack.Status.Alive"};
    kn_entity_id unit = somebody(world);
    uint32_t chance = kn_random_below(world, STREAM, 12);
    (void)user;
    (void)data;
    (void)entity;
    if (chance < 7) {
        order_at_random(world, unit);
    } else if (chance < 11) {
        kn_tag tag = field_tag(world, tags[kn_random_below(world, STREAM, 3)]);
        bool has = kn_entity_has_tag(world, unit, tag);
        (void)kn_entity_set_tag_count(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, !has);
    } else {
        kn_entity_id recruit;
        kn_entity_id owner = kn_entity_owner(world, unit);
        (void)kn_entity_destroy(world, unit);
        if (kn_entity_create(world, &recruit) == KN_OK) {
            (void)kn_entity_set_owner(world, recruit, owner);
            (void)kn_entity_set_tag_count(world, recruit, field_tag(world, "Knack.Status.Alive"),
                KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
            (void)kn_entity_set_tag_count(
                world, recruit, field_tag(world, "Field.Unit"), KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        }
    }
    return KN_MS(20 + kn_random_below(world, STREAM, 60));
}

// Definitions -----------------------------------------------------------------------------

static kn_tree_node wait_for(float seconds)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = KN_TREE_WAIT;
    node.duration = KN_MS((int)(seconds * 1000));
    return node;
}

// Watches until an alarm, or flees from slowness; then the order is done.
static kn_tree_id watch_tree(scene_builder *b, kn_blackboard_id board, kn_tag alarm, kn_tag slow)
{
    kn_tree_id tree = {0};
    kn_tree_condition is_slow = kn_tree_condition_default();
    is_slow.required = (kn_tags){&slow, 1};
    is_slow.aborts = KN_TREE_ABORTS_BOTH;
    kn_tree_node rest = wait_for(0.4f), look = kn_tree_node_default(), limit = look, done = look;
    rest.conditions = &is_slow;
    rest.condition_count = 1;
    look.kind = KN_TREE_WAIT_EVENT;
    look.tag = alarm;
    limit.kind = KN_TREE_TIME_LIMIT;
    limit.duration = KN_MS(1500);
    limit.children = &look;
    limit.child_count = 1;
    const kn_tree_node ways[] = {rest, limit};
    kn_tree_node choice = kn_tree_node_default();
    choice.kind = KN_TREE_SELECTOR;
    choice.children = ways;
    choice.child_count = 2;
    done.kind = KN_TREE_FINISH_ORDER;
    const kn_tree_node steps[] = {choice, done};
    kn_tree_def def = kn_tree_def_default();
    def.name = "Watch";
    def.blackboard = board;
    def.root.children = steps;
    def.root.child_count = 2;
    (void)scene_note(b, kn_tree_register(b->library, &def, &tree, &b->error));
    return tree;
}

static void field_order_add(
    scene_builder *b, uint32_t which, kn_order_type_def def, kn_order_type_id *type)
{
    def.name = order_names[which];
    def.allows_auto = which == STOP || which == WATCH;
    if (def.tree.index1 == 0) {
        def.execute.function = which == SHOUT ? shout_runs : march_begins;
        def.cancelled.function = march_ends;
    }
    (void)scene_note(b, kn_order_type_register(b->library, &def, type, &b->error));
}

static void orders_declare(scene_builder *b, kn_order_type_id *types)
{
    const kn_tag alarm = scene_tag(b, "Field.Alarm"), slow = scene_tag(b, "Field.Slow"),
                 blind = scene_tag(b, "Field.Blind");
    const kn_tag alive = kn_tag_find(b->library, "Knack.Status.Alive");
    const kn_tag friendly = kn_tag_find(b->library, "Knack.Relation.Friendly");
    kn_blackboard_id board = {0};
    kn_blackboard_def layout = kn_blackboard_def_default();
    layout.name = "Field";
    layout.order_keys = true;
    (void)scene_note(b, kn_blackboard_register(b->library, &layout, &board, &b->error));
    kn_order_type_def defs[ORDER_COUNT];
    for (uint32_t i = 0; i < ORDER_COUNT; i++) {
        defs[i] = kn_order_type_def_default();
    }
    defs[STOP].needs_life = false;
    defs[STOP].tree = watch_tree(b, board, alarm, slow);
    defs[MARCH].tags.source_blocked = (kn_tags){&slow, 1};
    defs[MARCH].target_kind = KN_ORDER_TARGET_LOCATION;
    defs[STRIKE].target_kind = KN_ORDER_TARGET_ENTITY;
    defs[STRIKE].tags.source_blocked = (kn_tags){&blind, 1};
    defs[STRIKE].tags.target_required = (kn_tags){&alive, 1};
    defs[STRIKE].tags.target_blocked = (kn_tags){&friendly, 1};
    defs[STRIKE].success.target_blocked = (kn_tags){&alive, 1};
    defs[WATCH].tree = defs[STOP].tree;
    defs[SHOUT].policy = KN_ORDER_INSTANT;
    defs[SHOUT].auto_for_ai = true;
    defs[HOLD].policy = KN_ORDER_UNCANCELABLE;
    for (uint32_t i = 0; i < ORDER_COUNT; i++) {
        field_order_add(b, i, defs[i], &types[i]);
    }
}

static void field_declare(scene_builder *b)
{
    kn_order_type_id types[ORDER_COUNT] = {0};
    kn_timer_type_id timer;
    if (!scene_note(b, kn_order_register(b->library, &b->error))) {
        return;
    }
    orders_declare(b, types);
    kn_unit_type_def unit = kn_unit_type_def_default();
    const kn_order_auto shout = {types[SHOUT], -1, 0};
    unit.name = "Fighter";
    unit.tag = scene_tag(b, "Field.Unit");
    unit.stop = types[STOP];
    unit.autos = &shout;
    unit.auto_count = 1;
    (void)scene_note(b, kn_unit_type_register(b->library, &unit, NULL, &b->error));
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Arrive", march_arrives, NULL, &timer, &b->error));
    (void)scene_note(
        b, kn_timer_type_register(b->library, "General", general_thinks, NULL, &timer, &b->error));
}

static void field_populate(scene_stage *stage)
{
    const kn_tag alive = kn_tag_find(stage->library, "Knack.Status.Alive");
    const kn_tag is_unit = kn_tag_find(stage->library, "Field.Unit");
    kn_entity_id sides[2];
    for (uint32_t i = 0; i < 2; i++) {
        (void)scene_act(stage, kn_entity_create(stage->world, &sides[i]));
        (void)scene_act(
            stage, kn_timer_start(stage->world, kn_timer_type_find(stage->library, "General"),
                       sides[i], KN_MS(31 + 17 * (int)i), NULL, NULL));
    }
    for (uint32_t i = 0; i < UNITS && stage->result == KN_OK; i++) {
        kn_entity_id unit;
        (void)scene_act(stage, kn_entity_create(stage->world, &unit));
        (void)scene_act(stage, kn_entity_set_owner(stage->world, unit, sides[i % 2]));
        (void)scene_act(stage,
            kn_entity_set_tag_count(stage->world, unit, alive, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
        (void)scene_act(stage,
            kn_entity_set_tag_count(stage->world, unit, is_unit, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    }
}

const scene_info scene_order = {
    .name = "order",
    .summary = "units that are given orders of every kind, by trees, hooks and a general",
    .declare = field_declare,
    .populate = field_populate,
    .seconds = 20,
};
