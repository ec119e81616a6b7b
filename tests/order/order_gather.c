// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Workers who gather: what they take and when, what they carry, and where they bring it.

#include "produce_test.h"

#include "knack/mover.h"
#include "knack/tree.h"

#include <math.h>

static const char content[] =
    "kits: [production]\n"
    "tags: [Unit.Worker, Unit.Soldier, Unit.Hall, Resource.Gold, Resource.Wood, Resource.Mana,\n"
    "  Resource.Stone, Event.Go]\n"
    "attribute_sets:\n"
    "  Stock: {attributes: {Gold: 0, Wood: {default_value: 0, base_max: 12}, Mana: 0}}\n"
    "  Node: {attributes: {Amount: 100}}\n"
    "  Other: {attributes: {Stone: 0}}\n"
    "archetypes:\n"
    "  Player: {sets: [Stock]}\n"
    "  Worker: {tags: [Unit.Worker, Knack.Status.Alive]}\n"
    "  Soldier: {tags: [Unit.Soldier, Knack.Status.Alive]}\n"
    "  Hall: {tags: [Unit.Hall, Knack.Status.Alive, Knack.Kind.DropOff]}\n"
    "  Mine: {sets: [Node], tags: [Knack.Kind.Resource, Resource.Gold]}\n"
    "  Tree: {sets: [Node], tags: [Knack.Kind.Resource, Resource.Wood], values: {Node.Amount: 7}}\n"
    "  Well: {tags: [Knack.Kind.Resource, Resource.Mana]}\n"
    "  Quarry: {sets: [Node], tags: [Knack.Kind.Resource, Resource.Stone]}\n"
    "blackboards:\n"
    "  Orders: {order_keys: true}\n"
    "trees:\n"
    "  Rest: {blackboard: Orders, root: {kind: wait_event, tag: Event.Go}}\n"
    "order_types:\n"
    "  Stop: {tree: Rest}\n"
    "  Watch: {tree: Rest, target_kind: entity}\n"
    "  Mining: {parent: Knack.Gather, tags: {target_required: [Resource.Gold]}}\n"
    "order_units:\n"
    "  Worker: {tag: Unit.Worker, stop: Stop}\n"
    "  Soldier: {tag: Unit.Soldier, stop: Stop}\n"
    "movers:\n"
    "  Walk: {tag: Unit.Worker, speed: 10}\n"
    "gatherers:\n"
    "  Worker:\n"
    "    tag: Unit.Worker\n"
    "    search_radius: 30\n"
    "    kinds:\n"
    "      - {tag: Resource.Gold, from: Node.Amount, to: Stock.Gold, amount: 5, time: 2,\n"
    "          capacity: 10, limit: 1}\n"
    "      - {tag: Resource.Wood, from: Node.Amount, to: Stock.Wood, amount: 2, time: 0.5,\n"
    "          capacity: 6, limit: 2, waits: true, ends_node: true}\n"
    "      - {tag: Resource.Mana, to: Stock.Mana}\n"
    "      - {tag: Resource.Stone, from: Node.Amount, to: Other.Stone}\n";

static kn_library *library_create(void)
{
    return library_build(data_with(content, NULL));
}

static int setup(void **state)
{
    *state = yard_of(library_create());
    return 0;
}

static int teardown(void **state)
{
    yard_destroy(*state);
    return 0;
}

// Bodies without a radius, so that ways are easy to reckon: all orders have a range of 0.5.
static kn_entity_id put(yard *y, const char *archetype, kn_entity_id owner, float x, float z)
{
    kn_entity_id entity = spawn(y, archetype, owner);
    place(y, entity, x, z, 0);
    return entity;
}

static kn_result give(yard *y, kn_entity_id worker, const char *type, kn_entity_id target)
{
    kn_order order = kn_order_on(order_type(y, type), target);
    return kn_order_issue(y->world, worker, &order, NULL);
}

static kn_gatherer_info info_of(const yard *y, kn_entity_id worker)
{
    kn_gatherer_info info;
    assert_true(kn_gatherer_get_info(y->world, worker, &info));
    return info;
}

static bool is_idle(const yard *y, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(y->world, unit, &info));
    return info.is_idle;
}

static bool has(const yard *y, kn_entity_id entity, const char *tag)
{
    return kn_entity_has_tag(y->world, entity, tag_of(y, tag));
}

static float x_of(const yard *y, kn_entity_id entity)
{
    kn_body body;
    assert_true(kn_grid_get_body(y->grid, entity, &body));
    return body.position.x;
}

// RTS-149: those who carry something, and those who are full, can be told by their tags.
static void a_worker_takes_carries_and_delivers(void **state)
{
    yard *y = *state;
    kn_entity_id hall = put(y, "Hall", y->player, 0, 0), mine = put(y, "Mine", y->rival, 20, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    put(y, "Hall", y->rival, 18, 0); // not its own
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_S(1)); // at 19.5
    assert_true(kn_entity_id_equal(info_of(y, worker).node, mine));
    assert_int_equal(info_of(y, worker).next, KN_S(3));
    step(y, KN_S(2) - 1);
    assert_float_equal(stock(y, mine, "Node.Amount"), 100, 0);
    step(y, 1);
    assert_float_equal(stock(y, mine, "Node.Amount"), 95, 0);
    assert_float_equal(info_of(y, worker).amount, 5, 0);
    assert_int_equal(info_of(y, worker).carries.index1, tag_of(y, "Resource.Gold").index1);
    assert_true(has(y, worker, "Knack.Status.Carrying"));
    assert_false(has(y, worker, "Knack.Status.Full"));
    step(y, KN_S(2));
    assert_float_equal(info_of(y, worker).amount, 10, 0);
    assert_true(has(y, worker, "Knack.Status.Full"));
    assert_int_equal(info_of(y, worker).node.index1, 0);
    step(y, KN_MS(1900) - 1);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 0, 0);
    step(y, 1); // 19 to walk
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 10, 0);
    assert_float_equal(stock(y, y->rival, "Stock.Gold"), 0, 0);
    assert_false(has(y, worker, "Knack.Status.Carrying"));
    assert_false(has(y, worker, "Knack.Status.Full"));
    step(y, KN_MS(1900));
    assert_true(kn_entity_id_equal(info_of(y, worker).node, mine));
    // On and on: 59 s for ten turns, of which the first begins nearer.
    step(y, KN_S(120));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 100, 0);
    assert_float_equal(stock(y, mine, "Node.Amount"), 0, 0);
    assert_true(is_idle(y, worker)); // there is no other mine
    assert_true(kn_entity_is_alive(y->world, hall));
}

static void a_game_may_override_the_order(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 20, 0), tree = put(y, "Tree", y->player, 3, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 19, 0);
    assert_int_equal(give(y, worker, "Mining", tree), KN_REFUSED_REQUIREMENT);
    assert_int_equal(give(y, worker, "Mining", mine), KN_OK);
    step(y, KN_S(3));
    assert_float_equal(info_of(y, worker).amount, 5, 0);
    assert_int_equal(kn_entity_set_tag_count(
                         y->world, mine, tag_of(y, "Resource.Gold"), KN_TAG_ORIGIN_LOOSE_SYNCED, 0),
        KN_OK);
    step(y, KN_S(1));
    assert_true(is_idle(y, worker)); // its own requirement does not hold any more
    assert_int_equal(info_of(y, worker).node.index1, 0);
}

static void an_exhausted_node_is_left_for_another_one_nearby(void **state)
{
    yard *y = *state;
    put(y, "Hall", y->player, 0, 0);
    kn_entity_id first = put(y, "Mine", y->player, 10, 0), near = put(y, "Mine", y->player, 10, 25);
    kn_entity_id tree = put(y, "Tree", y->player, 10, 3), far = put(y, "Mine", y->player, 50, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    kn_unit_info orders;
    stock_set(y, first, "Node.Amount", 7);
    stock_set(y, near, "Node.Amount", 5);
    assert_int_equal(give(y, worker, "Knack.Gather", first), KN_OK);
    step(y, KN_S(4)); // 5, and then the last 2
    assert_float_equal(info_of(y, worker).amount, 7, 0);
    assert_int_equal(info_of(y, worker).node.index1, 0);
    step(y, KN_S(1)); // it brings them first
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 7, 0);
    assert_true(kn_unit_get_info(y->world, worker, &orders));
    assert_true(kn_entity_id_equal(orders.current.target, near));
    step(y, KN_S(3));
    assert_true(kn_entity_id_equal(info_of(y, worker).node, near));
    step(y, KN_S(20));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 12, 0);
    assert_true(is_idle(y, worker)); // the last one is too far away, and a tree is not a mine
    assert_float_equal(stock(y, far, "Node.Amount"), 100, 0);
    assert_float_equal(stock(y, tree, "Node.Amount"), 7, 0);
    // An exhausted one is refused, with a reason.
    kn_order order = kn_order_on(order_type(y, "Knack.Gather"), first);
    kn_order_answer answer;
    assert_int_equal(kn_order_issue(y->world, worker, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.Exhausted").index1);
}

static void orders_that_wait_go_on_when_nothing_is_left(void **state)
{
    yard *y = *state;
    put(y, "Hall", y->player, 0, 0);
    kn_entity_id mine = put(y, "Mine", y->player, 5, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 4.5f, 0);
    kn_order next = kn_order_on(order_type(y, "Watch"), y->rival);
    stock_set(y, mine, "Node.Amount", 5);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    assert_int_equal(kn_order_enqueue(y->world, worker, &next, NULL), KN_OK);
    step(y, KN_S(5));
    kn_unit_info orders;
    assert_true(kn_unit_get_info(y->world, worker, &orders));
    assert_int_equal(orders.current.type.index1, order_type(y, "Watch").index1);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 5, 0);
}

static void the_last_load_goes_to_the_first_of_two(void **state)
{
    yard *y = *state;
    put(y, "Hall", y->player, 0, 0);
    kn_entity_id tree = put(y, "Tree", y->player, 5, 0);
    kn_entity_id a = put(y, "Worker", y->player, 4.5f, 0), b = put(y, "Worker", y->player, 5.5f, 0);
    stock_set(y, tree, "Node.Amount", 3);
    assert_int_equal(give(y, a, "Knack.Gather", tree), KN_OK);
    assert_int_equal(give(y, b, "Knack.Gather", tree), KN_OK);
    step(y, KN_MS(500)); // both take at the same time: 2, and what is left
    assert_float_equal(info_of(y, a).amount, 2, 0);
    assert_float_equal(info_of(y, b).amount, 1, 0);
    assert_false(kn_entity_is_alive(y->world, tree)); // a tree that is exhausted is gone
    step(y, KN_S(5));
    assert_float_equal(stock(y, y->player, "Stock.Wood"), 3, 0); // both have brought it
    assert_true(is_idle(y, a) && is_idle(y, b));
}

static void a_node_that_is_destroyed_sends_its_workers_on(void **state)
{
    yard *y = *state;
    put(y, "Hall", y->player, 0, 0);
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0), other = put(y, "Mine", y->player, 20, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    kn_entity_id soldier = put(y, "Soldier", y->player, 9, 9);
    kn_unit_info orders;
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    assert_int_equal(give(y, soldier, "Watch", mine), KN_OK);
    step(y, KN_S(2));
    assert_float_equal(info_of(y, worker).amount, 5, 0);
    kn_entity_destroy(y->world, mine);
    step(y, KN_S(3)); // 10 to walk, 2 s to fill up
    assert_float_equal(info_of(y, worker).amount, 10, 0);
    assert_true(kn_unit_get_info(y->world, worker, &orders));
    assert_true(kn_entity_id_equal(orders.current.target, other));
    assert_true(is_idle(y, soldier)); // others are not sent anywhere
    step(y, KN_S(2) + KN_MS(1));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 10, 0);
    // Without another one it brings what it has.
    step(y, KN_S(4) + KN_MS(500));
    assert_float_equal(info_of(y, worker).amount, 5, 0);
    kn_entity_destroy(y->world, other);
    step(y, KN_S(3));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 15, 0);
    assert_true(is_idle(y, worker));
}

static void a_node_that_is_destroyed_on_the_way_is_replaced(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0), other = put(y, "Mine", y->player, 10, 9);
    kn_entity_id worker = put(y, "Worker", y->player, 0, 0),
                 last = put(y, "Worker", y->player, 0, 1);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_MS(300));
    kn_entity_destroy(y->world, mine);
    step(y, KN_S(2));
    assert_true(kn_entity_id_equal(info_of(y, worker).node, other));
    kn_entity_destroy(y->world, worker);
    assert_int_equal(give(y, last, "Knack.Gather", other), KN_OK);
    step(y, KN_MS(300));
    kn_entity_destroy(y->world, other);
    step(y, KN_S(2));
    assert_true(is_idle(y, last));
}

static void others_go_elsewhere_or_wait_for_their_turn(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0), other = put(y, "Mine", y->player, 10, 8);
    kn_entity_id workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = put(y, "Worker", y->player, 9.5f - (float)i * 0.001f, 0);
        assert_int_equal(give(y, workers[i], "Knack.Gather", mine), KN_OK);
        step(y, i == 1 ? KN_MS(900) : KN_MS(1));
    }
    assert_true(kn_entity_id_equal(info_of(y, workers[0]).node, mine));
    assert_true(kn_entity_id_equal(info_of(y, workers[1]).node, other)); // a mine for one worker
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).waits, mine)); // all are taken
    assert_true(kn_entity_id_equal(info_of(y, workers[3]).waits, mine));
    assert_int_equal(info_of(y, workers[2]).next, KN_TIME_INFINITE);
    // The one that came first is the next.
    kn_entity_destroy(y->world, workers[0]);
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).node, mine));
    assert_int_equal(info_of(y, workers[2]).next, kn_world_now(y->world) + KN_S(2));
    kn_order stop = kn_order_of(order_type(y, "Stop"));
    assert_int_equal(kn_order_issue(y->world, workers[2], &stop, NULL), KN_OK);
    assert_true(kn_entity_id_equal(info_of(y, workers[3]).node, mine));
    assert_int_equal(info_of(y, workers[2]).node.index1, 0);
    // Those who wait at a node that is exhausted go on.
    assert_int_equal(give(y, workers[2], "Knack.Gather", mine), KN_OK);
    step(y, KN_MS(500));
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).waits, mine));
    stock_set(y, mine, "Node.Amount", 2);
    kn_entity_destroy(y->world, workers[1]);
    step(y, KN_S(3));
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).node, other));
}

static void a_worker_who_comes_too_late_goes_on(void **state)
{
    yard *y = *state;
    kn_entity_id mines[3], workers[4];
    for (int i = 0; i < 3; i++) {
        mines[i] = put(y, "Mine", y->player, 10, 8 * (float)i);
    }
    for (int i = 0; i < 4; i++) {
        workers[i] = put(y, "Worker", y->player, 9.5f - (float)i * 0.1f, 0);
        assert_int_equal(give(y, workers[i], "Knack.Gather", mines[0]), KN_OK);
    }
    step(y, KN_S(1)); // three go to the second mine, which has room when they begin
    assert_true(kn_entity_id_equal(info_of(y, workers[0]).node, mines[0]));
    assert_true(kn_entity_id_equal(info_of(y, workers[1]).node, mines[1]));
    step(y, KN_S(1));
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).node, mines[2]));
    assert_true(kn_entity_id_equal(info_of(y, workers[3]).waits, mines[2]));
    // They are not aimed at the last mine: when it ends, they go where their order says.
    kn_entity_destroy(y->world, mines[2]);
    step(y, KN_MS(1800));
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).waits, mines[0]));
    assert_true(kn_entity_id_equal(info_of(y, workers[3]).waits, mines[0]));
}

static void gathering_without_orders_keeps_turns(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0), other = put(y, "Mine", y->player, 11, 0);
    kn_entity_id a = put(y, "Worker", y->player, 9, 0), b = put(y, "Worker", y->player, 9, 0);
    const kn_tag gold = tag_of(y, "Resource.Gold");
    const kn_vec3 at = {10, 0, 0};
    assert_int_equal(kn_gather_start(y->world, a, mine, 0), KN_OK);
    assert_true(
        kn_entity_id_equal(kn_gather_find_node(y->world, a, gold, at, (kn_entity_id){0}), mine));
    assert_true(kn_entity_id_equal(kn_gather_find_node(y->world, a, gold, at, mine), other));
    assert_true(kn_entity_id_equal( // for others it has no room
        kn_gather_find_node(y->world, b, gold, at, (kn_entity_id){0}), other));
    assert_int_equal(kn_gather_start(y->world, b, mine, 0), KN_OK);
    assert_true(kn_entity_id_equal(info_of(y, b).waits, mine));
    kn_entity_destroy(y->world, a);
    assert_true(kn_entity_id_equal(info_of(y, b).node, mine));
    assert_int_equal(kn_gather_stop(y->world, b), KN_OK);
    assert_int_equal(info_of(y, b).node.index1, 0);
    step(y, KN_S(5));
    assert_float_equal(info_of(y, b).amount, 0, 0);
}

static void workers_stop_at_the_edge_of_bodies(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 20, 0),
                 worker = put(y, "Worker", y->player, 0, 0);
    place(y, mine, 20, 0, 3);
    place(y, worker, 0, 0, 0.25f);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_S(3));
    assert_float_equal(x_of(y, worker), 20 - 3 - 0.25f - 0.5f, 1e-3f);
    assert_true(kn_entity_id_equal(info_of(y, worker).node, mine));
}

static void waiting_may_be_preferred(void **state)
{
    yard *y = *state;
    kn_entity_id tree = put(y, "Tree", y->player, 10, 0);
    kn_entity_id workers[3];
    put(y, "Tree", y->player, 10, 1);
    for (int i = 0; i < 3; i++) {
        workers[i] = put(y, "Worker", y->player, 9.5f, 0);
        assert_int_equal(give(y, workers[i], "Knack.Gather", tree), KN_OK);
    }
    step(y, KN_MS(100));
    assert_true(kn_entity_id_equal(info_of(y, workers[1]).node, tree)); // for two
    assert_true(kn_entity_id_equal(info_of(y, workers[2]).waits, tree));
}

// RTS-148
static void a_load_is_brought_by_an_order(void **state)
{
    yard *y = *state;
    kn_entity_id near = put(y, "Hall", y->player, 5, 0), far = put(y, "Hall", y->player, 30, 0);
    kn_entity_id foes = put(y, "Hall", y->rival, 1, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 0, 0),
                 idle = put(y, "Worker", y->player, 0, 1);
    kn_order order = kn_order_of(order_type(y, "Knack.Return"));
    kn_order_answer answer;
    assert_int_equal(kn_order_issue(y->world, idle, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.NoLoad").index1);
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Gold"), 4), KN_OK);
    assert_true(kn_entity_id_equal(kn_gather_find_drop(y->world, worker), near));
    assert_int_equal(kn_order_issue(y->world, worker, &order, NULL), KN_OK);
    step(y, KN_MS(450));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 4, 0);
    assert_float_equal(x_of(y, worker), 4.5f, 1e-4f);
    step(y, KN_MS(10));
    assert_true(is_idle(y, worker));
    // To the one that is named.
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Gold"), 3), KN_OK);
    assert_int_equal(give(y, worker, "Knack.Return", foes), KN_REFUSED_REQUIREMENT);
    assert_int_equal(give(y, worker, "Knack.Return", far), KN_OK);
    step(y, KN_S(3));
    assert_float_equal(x_of(y, worker), 29.5f, 1e-4f);
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 7, 0);
    // A site is not one yet, and with none it is refused.
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Gold"), 3), KN_OK);
    gain(y, far, "Knack.Status.Constructing");
    kn_entity_destroy(y->world, near);
    assert_int_equal(kn_order_issue(y->world, worker, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.NoDropOff").index1);
}

static void a_drop_off_that_is_destroyed_on_the_way_is_replaced(void **state)
{
    yard *y = *state;
    kn_entity_id near = put(y, "Hall", y->player, 10, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 0, 0);
    kn_order order = kn_order_of(order_type(y, "Knack.Return"));
    put(y, "Hall", y->player, 20, 0);
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Gold"), 4), KN_OK);
    assert_int_equal(kn_order_issue(y->world, worker, &order, NULL), KN_OK);
    step(y, KN_MS(500));
    kn_entity_destroy(y->world, near);
    step(y, KN_S(2));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 4, 0);
    assert_true(is_idle(y, worker));
}

static void without_a_drop_off_the_worker_stops_and_keeps_its_load(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_S(5));
    assert_true(is_idle(y, worker));
    assert_float_equal(info_of(y, worker).amount, 10, 0);
}

static void another_kind_is_gathered_when_the_load_is_brought(void **state)
{
    yard *y = *state;
    kn_entity_id well = put(y, "Well", y->player, 10, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 0, 0);
    put(y, "Hall", y->player, 1, 0);
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Gold"), 4), KN_OK);
    assert_int_equal(give(y, worker, "Knack.Gather", well), KN_OK);
    step(y, KN_S(2));
    assert_float_equal(stock(y, y->player, "Stock.Gold"), 4, 0);
    assert_true(kn_entity_id_equal(info_of(y, worker).node, well));
    step(y, KN_S(100)); // it never ends
    assert_true(stock(y, y->player, "Stock.Mana") >= 60);
    assert_false(is_idle(y, worker));
}

static void what_is_above_a_limit_is_lost_and_never_invented(void **state)
{
    yard *y = *state;
    kn_entity_id worker = put(y, "Worker", y->player, 0, 0), hall = put(y, "Hall", y->player, 0, 0);
    float delivered = -1;
    stock_set(y, y->player, "Stock.Wood", 9);
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Wood"), 6), KN_OK);
    assert_int_equal(kn_gather_deliver(y->world, worker, hall, &delivered), KN_OK);
    assert_float_equal(delivered, 3, 0);
    assert_float_equal(stock(y, y->player, "Stock.Wood"), 12, 0);
    assert_float_equal(info_of(y, worker).amount, 0, 0);
    assert_int_equal(kn_gather_deliver(y->world, worker, hall, &delivered), KN_REFUSED_NOT_FOUND);
    assert_float_equal(delivered, 0, 0);
    // An owner without the attribute: nothing is lost.
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Stone"), 6), KN_OK);
    assert_int_equal(
        kn_gather_deliver(y->world, worker, hall, &delivered), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_float_equal(info_of(y, worker).amount, 6, 0);
}

// BEY-090
static void gathering_is_work_that_is_remembered(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    kn_order order;
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_S(3));
    assert_int_equal(give(y, worker, "Watch", y->rival), KN_OK);
    assert_int_equal(info_of(y, worker).node.index1, 0);
    assert_int_equal(kn_unit_work(y->world, worker, &order, 1), 1);
    assert_true(kn_entity_id_equal(order.target, mine));
    assert_int_equal(kn_order_resume_work(y->world, worker), KN_OK);
    step(y, KN_S(2));
    assert_float_equal(info_of(y, worker).amount, 10, 0);
    // What it remembers follows when the node ends.
    kn_entity_id other = put(y, "Mine", y->player, 10, 4);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    assert_int_equal(give(y, worker, "Watch", y->rival), KN_OK);
    kn_entity_destroy(y->world, mine);
    assert_int_equal(kn_unit_work(y->world, worker, &order, 1), 1);
    assert_true(kn_entity_id_equal(order.target, other));
    // And so do orders that wait.
    kn_order queued = kn_order_on(order_type(y, "Knack.Gather"), other);
    kn_entity_id last = put(y, "Mine", y->player, 10, 8);
    kn_entity_id second = put(y, "Worker", y->player, 9.5f, 0);
    assert_int_equal(give(y, second, "Watch", y->rival), KN_OK);
    assert_int_equal(kn_order_enqueue(y->world, second, &queued, NULL), KN_OK);
    kn_entity_destroy(y->world, other);
    assert_int_equal(kn_unit_queue(y->world, second, &queued, 1), 1);
    assert_true(kn_entity_id_equal(queued.target, last));
}

static void only_gatherers_gather_what_they_know(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0), hall = put(y, "Hall", y->player, 0, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9, 0);
    kn_entity_id soldier = put(y, "Soldier", y->player, 9, 1),
                 gone = put(y, "Mine", y->player, 1, 1);
    kn_entity_destroy(y->world, gone);
    assert_int_equal(give(y, soldier, "Knack.Gather", mine), KN_REFUSED_REQUIREMENT);
    assert_int_equal(give(y, worker, "Knack.Gather", hall), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_gather_start(y->world, soldier, mine, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_gather_start(y->world, worker, hall, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_gather_start(y->world, worker, gone, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_gather_start(y->world, gone, mine, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_gather_start(NULL, worker, mine, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_gather_stop(y->world, worker), KN_REFUSED_NOT_FOUND);
    const kn_tag gold = tag_of(y, "Resource.Gold");
    assert_int_equal(kn_gather_set_load(y->world, worker, gold, 11), KN_REFUSED_LIMIT);
    assert_int_equal(kn_gather_set_load(y->world, worker, gold, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_gather_set_load(y->world, worker, gold, NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_gather_set_load(y->world, worker, (kn_tag){0}, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_gather_set_load(y->world, soldier, gold, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_gather_set_load(y->world, worker, gold, 10), KN_OK);
    assert_int_equal(kn_gather_start(y->world, worker, mine, 0), KN_REFUSED_LIMIT); // it is full
    assert_int_equal(kn_gather_set_load(y->world, worker, tag_of(y, "Resource.Wood"), 1), KN_OK);
    assert_int_equal(kn_gather_start(y->world, worker, mine, 0), KN_REFUSED_LIMIT);
    assert_int_equal(kn_gather_set_load(y->world, worker, gold, 0), KN_OK);
    assert_int_equal(info_of(y, worker).carries.index1, 0);
    assert_int_equal(kn_gather_start(y->world, worker, mine, 0), KN_OK);
    assert_float_equal(kn_gather_left(y->world, worker, mine), 100, 0);
    assert_float_equal(kn_gather_left(y->world, worker, hall), 0, 0);
    assert_float_equal(kn_gather_left(y->world, soldier, mine), 0, 0);
    assert_int_equal(kn_gather_find_drop(y->world, soldier).index1, 0);
    assert_int_equal(
        kn_gather_find_node(y->world, soldier, gold, (kn_vec3){0}, (kn_entity_id){0}).index1, 0);
    // Without any of it.
    const kn_gatherer_id type = kn_gatherer_find(y->library, "Worker");
    assert_int_equal(kn_gatherer_add(y->world, worker, type), KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_gatherer_add(y->world, soldier, (kn_gatherer_id){5}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_gatherer_add(y->world, soldier, type), KN_OK);
    assert_int_equal(kn_gather_set_load(y->world, soldier, gold, 10), KN_OK);
    assert_int_equal(kn_gatherer_remove(y->world, soldier), KN_OK);
    assert_false(has(y, soldier, "Knack.Status.Carrying"));
    assert_int_equal(kn_gatherer_remove(y->world, soldier), KN_REFUSED_NOT_FOUND);
    kn_gatherer_info info;
    assert_false(kn_gatherer_get_info(y->world, soldier, &info));
}

static void clients_see_loads_and_cannot_change_them(void **state)
{
    yard *y = *state;
    kn_entity_id mine = put(y, "Mine", y->player, 10, 0);
    kn_entity_id worker = put(y, "Worker", y->player, 9.5f, 0);
    assert_int_equal(give(y, worker, "Knack.Gather", mine), KN_OK);
    step(y, KN_S(3));
    const kn_entity_id shown[] = {y->player, mine, worker};
    kn_world *client = world_of(y->library, true);
    project(y->world, client, shown, 3, KN_VIEWER_OTHERS);
    kn_gatherer_info info;
    assert_true(kn_gatherer_get_info(client, worker, &info));
    assert_float_equal(info.amount, 5, 0);
    assert_true(kn_entity_id_equal(info.node, mine));
    assert_int_equal(info.next, KN_S(4));
    assert_int_equal(kn_gather_start(client, worker, mine, 0), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_gather_stop(client, worker), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_gather_deliver(client, worker, mine, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_gatherer_remove(client, worker), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_world_step(client, KN_S(9)), KN_OK);
    assert_true(kn_gatherer_get_info(client, worker, &info));
    assert_float_equal(info.amount, 5, 0);
    kn_world_destroy(client);
}

static void warm_steps_of_workers_allocate_nothing(void **state)
{
    yard *y = *state;
    kn_entity_id well = put(y, "Well", y->player, 6, 0);
    put(y, "Hall", y->player, 0, 0);
    for (int i = 0; i < 6; i++) {
        kn_entity_id worker = put(y, "Worker", y->player, (float)i, 0);
        assert_int_equal(give(y, worker, "Knack.Gather", well), KN_OK);
    }
    for (int i = 0; i < 1200; i++) {
        step(y, KN_MS(100));
    }
    const uint64_t before = kn_world_get_stats(y->world).allocations;
    const float mana = stock(y, y->player, "Stock.Mana");
    for (int i = 0; i < 1200; i++) {
        step(y, KN_MS(100));
    }
    assert_int_equal(kn_world_get_stats(y->world).allocations, before);
    assert_true(stock(y, y->player, "Stock.Mana") > mana + 100);
}

// Conservation --------------------------------------------------------------------------

#define MINES 6
#define WORKERS 8

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static void act(yard *y, kn_entity_id *workers, kn_entity_id *mines, kn_entity_id *halls,
    float *lost, uint32_t *seed)
{
    kn_entity_id *w = &workers[dice(seed, WORKERS)], *m = &mines[dice(seed, MINES)];
    kn_gatherer_info info;
    switch (dice(seed, 8)) {
    case 0:
        *lost += kn_gatherer_get_info(y->world, *w, &info) ? info.amount : 0;
        (void)kn_entity_destroy(y->world, *w);
        *w = put(y, "Worker", y->player, (float)dice(seed, 40), (float)dice(seed, 40));
        break;
    case 1:
        if (dice(seed, 4) == 0) {
            *lost += stock(y, *m, "Node.Amount");
            (void)kn_entity_destroy(y->world, *m);
            *m = put(y, "Mine", y->rival, (float)dice(seed, 40), (float)dice(seed, 40));
            stock_set(y, *m, "Node.Amount", 0); // nothing comes from nowhere
        }
        break;
    case 2:
        (void)kn_entity_destroy(y->world, halls[0]);
        halls[0] = put(y, "Hall", y->player, (float)dice(seed, 40), (float)dice(seed, 40));
        break;
    case 3:
        (void)kn_entity_set_owner(y->world, *w, dice(seed, 2) == 0 ? y->player : y->rival);
        break;
    case 4:
        (void)give(y, *w, "Knack.Return", (kn_entity_id){0});
        break;
    case 5:
        (void)give(y, *w, "Stop", (kn_entity_id){0});
        break;
    default:
        (void)give(y, *w, "Knack.Gather", *m);
        break;
    }
}

static float all_of_it(
    const yard *y, const kn_entity_id *workers, const kn_entity_id *mines, float lost)
{
    float sum = lost + stock(y, y->player, "Stock.Gold") + stock(y, y->rival, "Stock.Gold");
    for (int i = 0; i < WORKERS; i++) {
        sum += info_of(y, workers[i]).amount;
    }
    for (int i = 0; i < MINES; i++) {
        sum += stock(y, mines[i], "Node.Amount");
    }
    return sum;
}

static uint64_t play_at_random(uint32_t seed, int64_t pieces, bool is_copied)
{
    yard *y = yard_of(library_create());
    kn_entity_id workers[WORKERS], mines[MINES], halls[2];
    float lost = 0;
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = put(y, "Worker", y->player, (float)i, 0);
    }
    for (uint32_t i = 0; i < MINES; i++) {
        mines[i] = put(y, "Mine", y->rival, 10 + 4 * (float)i, 10);
    }
    halls[0] = put(y, "Hall", y->player, 0, 20);
    halls[1] = put(y, "Hall", y->rival, 30, 20);
    for (int turn = 0; turn < 150; turn++) {
        act(y, workers, mines, halls, &lost, &seed);
        for (int64_t i = 0; i < pieces; i++) {
            const kn_time dt = (i + 1) * 700001 / pieces - i * 700001 / pieces;
            size_t size;
            void *before = is_copied ? snapshot_of(y->world, &size) : NULL;
            step(y, dt);
            if (before != NULL) {
                uint64_t hash = kn_world_hash(y->world);
                snapshot_restore(y->world, before, size);
                step(y, dt);
                assert_true(hash == kn_world_hash(y->world));
                free(before);
                void *save = save_of(y->world, &size);
                kn_world *other = world_of(y->library, false);
                save_load(other, save, size);
                assert_same_worlds(y->world, other);
                kn_world_destroy(other);
                free(save);
            }
        }
        assert_float_equal(all_of_it(y, workers, mines, lost), 100 * MINES, 0.001f);
        assert_true(kn_world_validate(y->world));
    }
    assert_true(stock(y, y->player, "Stock.Gold") > 0);
    uint64_t hash = kn_world_hash(y->world);
    yard_destroy(y);
    return hash;
}

static void nothing_is_invented_or_lost(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint64_t hash = play_at_random(seed, 1, seed == 1);
        assert_true(play_at_random(seed, 5, false) == hash);
        assert_true(play_at_random(seed, 50, false) == hash);
    }
}

static void definitions_that_make_no_sense_are_refused(void **state)
{
    static const char *const texts[] = {
        "gatherers: {A: {tag: Tag.A}}\n",
        "gatherers: {A: {kinds: [{to: Stock.Gold}]}}\n",
        "gatherers: {A: {kinds: [{tag: Tag.A}]}}\n",
        "gatherers: {A: {kinds: [{tag: Tag.A, to: Stock.Gold, time: 0}]}}\n",
        "gatherers: {A: {kinds: [{tag: Tag.A, to: Stock.Gold, amount: 0}]}}\n",
        "gatherers: {A: {kinds: [{tag: Tag.A, to: Stock.Gold, capacity: -1}]}}\n",
        "gatherers: {A: {search_radius: -1, kinds: [{tag: Tag.A, to: Stock.Gold}]}}\n",
        "gatherers: {A: {drop_radius: -1, kinds: [{tag: Tag.A, to: Stock.Gold}]}}\n",
        "gatherers: {A: {kinds: [{tag: Tag.A, to: Stock.Silver}]}}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char text[1024];
        kn_library *library = NULL;
        (void)snprintf(text, sizeof(text),
            "kits: [production]\ntags: [Tag.A]\nattribute_sets: {Stock: {attributes: {Gold: 1}}}\n"
            "%s",
            texts[i]);
        kn_data *data = data_with(text, NULL);
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        assert_true(kn_data_message_count(data) > 0);
        assert_int_equal(kn_data_message_at(data, 0).line, 4);
        kn_data_destroy(data);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_worker_takes_carries_and_delivers),
    TEST(a_game_may_override_the_order),
    TEST(an_exhausted_node_is_left_for_another_one_nearby),
    TEST(orders_that_wait_go_on_when_nothing_is_left),
    TEST(the_last_load_goes_to_the_first_of_two),
    TEST(a_node_that_is_destroyed_sends_its_workers_on),
    TEST(a_node_that_is_destroyed_on_the_way_is_replaced),
    TEST(others_go_elsewhere_or_wait_for_their_turn),
    TEST(a_worker_who_comes_too_late_goes_on),
    TEST(gathering_without_orders_keeps_turns),
    TEST(workers_stop_at_the_edge_of_bodies),
    TEST(waiting_may_be_preferred),
    TEST(a_load_is_brought_by_an_order),
    TEST(a_drop_off_that_is_destroyed_on_the_way_is_replaced),
    TEST(without_a_drop_off_the_worker_stops_and_keeps_its_load),
    TEST(another_kind_is_gathered_when_the_load_is_brought),
    TEST(what_is_above_a_limit_is_lost_and_never_invented),
    TEST(gathering_is_work_that_is_remembered),
    TEST(only_gatherers_gather_what_they_know),
    TEST(clients_see_loads_and_cannot_change_them),
    TEST(warm_steps_of_workers_allocate_nothing),
    cmocka_unit_test(nothing_is_invented_or_lost),
    cmocka_unit_test(definitions_that_make_no_sense_are_refused),
};

TEST_GROUP(order_gather, tests, NULL, NULL);
