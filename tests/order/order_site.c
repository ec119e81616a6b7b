// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Building sites: where they may stand, who works at them, and what becomes of them.

#include "produce_test.h"

#include "knack/mover.h"
#include "knack/tree.h"

#include <math.h>

static const char content[] =
    "kits: [production]\n"
    "tags: [Unit.Worker, Unit.Soldier, Unit.House, Unit.Castle, Unit.Scaffold, Kind.Rock,\n"
    "  Event.Go, Event.Built]\n"
    "attribute_sets:\n"
    "  Stock: {attributes: {Gold: 1000}}\n"
    "archetypes:\n"
    "  Player: {sets: [Stock]}\n"
    "  Worker: {tags: [Unit.Worker, Knack.Status.Alive]}\n"
    "  Soldier: {tags: [Unit.Soldier, Knack.Status.Alive]}\n"
    "  House: {tags: [Unit.House, Knack.Status.Alive]}\n"
    "  Castle: {tags: [Unit.Castle, Knack.Status.Alive]}\n"
    "  Scaffold: {tags: [Unit.Scaffold, Knack.Status.Alive]}\n"
    "  Rock: {tags: [Kind.Rock]}\n"
    "  Ruin: {group: Old}\n"
    "starting_values:\n"
    "  Old: {Stock.Gold: 3}\n"
    "blackboards:\n"
    "  Orders: {order_keys: true}\n"
    "trees:\n"
    "  Rest: {blackboard: Orders, root: {kind: wait_event, tag: Event.Go}}\n"
    "order_types:\n"
    "  Stop: {tree: Rest}\n"
    "  Watch: {tree: Rest, target_kind: entity}\n"
    "  Near: {parent: Knack.Build, range: 4}\n"
    "order_units:\n"
    "  Worker: {tag: Unit.Worker, stop: Stop}\n"
    "  Soldier: {tag: Unit.Soldier, stop: Stop}\n"
    "  House: {tag: Unit.House, stop: Stop}\n"
    "  Scaffold: {tag: Unit.Scaffold, stop: Stop}\n"
    "movers:\n"
    "  Walk: {tag: Unit.Worker, speed: 10}\n"
    "products:\n"
    "  House: {archetype: House, site: true, time: 10, radius: 2, builder_speed: 0.5,\n"
    "    costs: [{attribute: Stock.Gold, amount: 100}], refund: 0.75, loss_refund: 0.25,\n"
    "    builder_limit: 3, event: Event.Built}\n"
    "  Castle: {archetype: Castle, site_archetype: Scaffold, site: true, time: 4, radius: 3,\n"
    "    costs: [{attribute: Stock.Gold, amount: 200}]}\n"
    "  Tent: {archetype: House, site: true, time: 5, builds_itself: true, radius: 1,\n"
    "    obstacles: [Kind.Rock, Unit.House]}\n"
    "  Shed: {archetype: House, site: true, radius: 1}\n"
    "  Hut: {archetype: House, site: true, time: 6, builds_itself: true, builder_speed: 1}\n"
    "  Soldier: {archetype: Soldier, time: 2}\n"
    "  Ruin: {archetype: Ruin, site: true, costs: [{attribute: Stock.Gold, amount: 1}]}\n"
    "producers:\n"
    "  Worker: {tag: Unit.Worker, products: [House, Castle, Tent, Shed, Soldier, Hut, Den, Ruin]}\n"
    "  House: {tag: Unit.House, products: [Soldier]}\n";

enum { HOUSE, CASTLE, TENT, SHED, SOLDIER, HUT, DEN };

static struct {
    bool cannot_place, cannot_finish;
    uint32_t created;
    kn_product_call last;
    kn_entity_id maker;
} hooks;

static kn_result hook_place(void *user, const kn_hook_call *call)
{
    kn_product_call *c = call->arguments;
    (void)user;
    assert_null(call->writable);
    hooks.last = *c;
    if (hooks.cannot_place) {
        c->errors[c->error_count++] = kn_tag_find(kn_world_library(call->world), "Kind.Rock");
    }
    return hooks.cannot_place ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result hook_finish(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return hooks.cannot_finish ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result hook_created(void *user, const kn_hook_call *call)
{
    (void)user;
    hooks.created++;
    hooks.last = *(const kn_product_call *)call->arguments;
    hooks.maker = call->entity;
    return KN_OK;
}

// A product with functions in C.
static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    static const kn_kit kit = {"production", kn_order_produce_register};
    kn_archetype_def archetype = kn_archetype_def_default();
    kn_product_def den = kn_product_def_default();
    (void)user;
    assert_int_equal(kn_kit_register(library, &kit, error), KN_OK);
    archetype.name = "Den";
    assert_int_equal(kn_archetype_register(library, &archetype, &den.archetype, error), KN_OK);
    archetype.name = "Pit";
    assert_int_equal(kn_archetype_register(library, &archetype, &den.site_archetype, error), KN_OK);
    den.name = "Den";
    den.site = true;
    den.time = KN_S(2);
    den.can_place.function = hook_place;
    den.can_finish.function = hook_finish;
    den.created.function = hook_created;
    return kn_product_register(library, &den, NULL, error);
}

static kn_library *library_create(void)
{
    return library_build(data_with(content, prepare));
}

static int setup(void **state)
{
    memset(&hooks, 0, sizeof(hooks));
    *state = yard_of(library_create());
    return 0;
}

static int teardown(void **state)
{
    yard_destroy(*state);
    return 0;
}

static kn_entity_id worker_at(yard *y, float x, float z)
{
    kn_entity_id worker = spawn(y, "Worker", y->player);
    place(y, worker, x, z, 0.5f);
    return worker;
}

static kn_result build(yard *y, kn_entity_id worker, int32_t index, float x, float z)
{
    kn_order order = kn_order_at(order_type(y, "Knack.Build"), (kn_vec3){x, z, 0});
    order.index = index;
    return kn_order_issue(y->world, worker, &order, NULL);
}

static kn_result construct(yard *y, kn_entity_id worker, kn_entity_id site)
{
    kn_order order = kn_order_on(order_type(y, "Knack.Construct"), site);
    return kn_order_issue(y->world, worker, &order, NULL);
}

static kn_site_info site_info(const yard *y, kn_entity_id site)
{
    kn_site_info info;
    assert_true(kn_site_get_info(y->world, site, &info));
    return info;
}

static kn_unit_info orders_of(const yard *y, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(y->world, unit, &info));
    return info;
}

// The site that began in the last step.
static kn_entity_id site_of(const yard *y)
{
    kn_events events = kn_world_events(y->world);
    for (uint32_t i = events.count; i > 0; i--) {
        const kn_event *event = &events.data[i - 1];
        if (event->type == KN_EVENT_CUSTOM &&
            strcmp(kn_custom_event_name(y->library, event->data.custom.kind),
                "Knack.ProductStarted") == 0) {
            return event->entity;
        }
    }
    fail_msg("nothing was begun");
    return (kn_entity_id){0};
}

// A house at a place where nobody works yet.
static kn_entity_id site_at(yard *y, kn_entity_id worker, int32_t index, float x, float z)
{
    static const char *const names[] = {"House", "Castle", "Tent", "Shed", "Soldier", "Hut", "Den"};
    kn_entity_id site;
    assert_int_equal(
        kn_site_begin(y->world, worker, product(y, names[index]), (kn_vec3){x, z, 0}, NULL, &site),
        KN_OK);
    return site;
}

#define ASSERT_GOLD(y, gold) assert_float_equal(stock((y), (y)->player, "Stock.Gold"), (gold), 0)

// OD-020, OD-050
static void a_worker_goes_there_pays_and_builds(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    kn_body body;
    assert_int_equal(build(y, worker, HOUSE, 33, 0), KN_OK);
    ASSERT_GOLD(y, 1000);
    // 30 of the way: the house has a radius of 2, the worker one of 0.5, and the order a range of
    // 0.5.
    step(y, KN_S(3) - 1);
    ASSERT_GOLD(y, 1000);
    step(y, 1);
    ASSERT_GOLD(y, 900);
    kn_entity_id site = site_of(y);
    assert_true(kn_grid_get_body(y->grid, site, &body));
    assert_float_equal(body.position.x, 33, 0);
    assert_float_equal(body.radius, 2, 0);
    assert_true(kn_entity_id_equal(kn_entity_owner(y->world, site), y->player));
    assert_true(kn_entity_has_tag(y->world, site, tag_of(y, "Knack.Status.Constructing")));
    assert_int_equal(site_info(y, site).builder_count, 1);
    assert_int_equal(site_info(y, site).done_at, KN_S(13));
    // It obeys nothing yet.
    kn_order produce = kn_order_of(order_type(y, "Knack.Produce"));
    produce.index = 0;
    assert_int_equal(kn_order_issue(y->world, site, &produce, NULL), KN_REFUSED_REQUIREMENT);
    step(y, KN_S(5));
    assert_float_equal(site_info(y, site).progress, 0.5f, 1e-6f);
    step(y, KN_S(5) - 1);
    assert_true(kn_entity_has_tag(y->world, site, tag_of(y, "Knack.Status.Constructing")));
    assert_false(orders_of(y, worker).is_idle);
    step(y, 1);
    assert_string_equal(happened(y), "Finished(House)");
    assert_true(kn_entity_id_equal(last_event(y, "Knack.ProductFinished").created, site));
    assert_false(kn_entity_has_tag(y->world, site, tag_of(y, "Knack.Status.Constructing")));
    kn_site_info info;
    assert_false(kn_site_get_info(y->world, site, &info));
    assert_true(orders_of(y, worker).is_idle);
    assert_int_equal(kn_order_issue(y->world, site, &produce, NULL), KN_OK);
    ASSERT_GOLD(y, 900);
}

static void a_game_may_override_the_order(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    kn_order order = kn_order_at(order_type(y, "Near"), (kn_vec3){36.5f, 0, 0});
    order.index = HOUSE;
    assert_int_equal(kn_order_issue(y->world, worker, &order, NULL), KN_OK);
    step(y, KN_S(3) - 1);
    ASSERT_GOLD(y, 1000);
    step(y, 1);
    ASSERT_GOLD(y, 900); // from 6.5 away
}

static void several_builders_are_faster(void **state)
{
    yard *y = *state;
    kn_entity_id workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = worker_at(y, 17, (float)i * 2);
    }
    kn_entity_id site = site_at(y, workers[0], HOUSE, 20, 3);
    assert_int_equal(site_info(y, site).done_at, KN_TIME_INFINITE);
    step(y, KN_S(60));
    assert_float_equal(site_info(y, site).progress, 0, 0); // nobody works
    assert_int_equal(kn_site_join(y->world, site, workers[0], 0), KN_OK);
    step(y, KN_S(2));
    assert_float_equal(site_info(y, site).progress, 0.2f, 1e-6f);
    assert_int_equal(kn_site_join(y->world, site, workers[1], 0), KN_OK);
    assert_int_equal(kn_site_join(y->world, site, workers[2], 0), KN_OK);
    assert_int_equal(kn_site_join(y->world, site, workers[3], 0), KN_REFUSED_LIMIT);
    assert_int_equal(kn_site_join(y->world, site, workers[2], 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(site_info(y, site).done_at, KN_S(66)); // 8 s at twice the speed
    kn_entity_id found[4];
    assert_int_equal(kn_site_builders(y->world, site, found, 4), 3);
    assert_true(kn_entity_id_equal(found[1], workers[1]));
    step(y, KN_S(1));
    assert_float_equal(site_info(y, site).progress, 0.4f, 1e-6f);
    assert_int_equal(kn_site_leave(y->world, site, workers[0]), KN_OK);
    assert_int_equal(kn_site_leave(y->world, site, workers[0]), KN_REFUSED_NOT_FOUND);
    assert_int_equal(site_info(y, site).done_at, KN_S(67)); // 6 s at 1.5
    assert_int_equal(kn_site_leave(y->world, site, workers[1]), KN_OK);
    assert_int_equal(kn_site_leave(y->world, site, workers[2]), KN_OK);
    step(y, KN_S(100));
    assert_float_equal(site_info(y, site).progress, 0.4f, 1e-6f); // it is kept
    assert_int_equal(construct(y, workers[3], site), KN_OK);
    step(y, KN_S(7));
    assert_string_equal(happened(y), "Finished(House)");
    assert_true(orders_of(y, workers[3]).is_idle);
}

static void work_that_cannot_be_divided_ends_a_moment_later(void **state)
{
    yard *y = *state;
    kn_entity_id a = worker_at(y, 17, 0), b = worker_at(y, 23, 0);
    kn_entity_id site = site_at(y, a, HOUSE, 20, 0);
    assert_int_equal(kn_site_join(y->world, site, a, 0), KN_OK);
    assert_int_equal(kn_site_join(y->world, site, b, 0), KN_OK);
    assert_int_equal(site_info(y, site).done_at, 6666667); // 10 s at 1.5
    step(y, 6666666);
    assert_string_equal(happened(y), "Started(House)");
    step(y, 1);
    assert_string_equal(happened(y), "Finished(House)");
    // Those who work without a tree leave when they die.
    site = site_at(y, a, HOUSE, 40, 0);
    assert_int_equal(kn_site_join(y->world, site, a, 0), KN_OK);
    kn_entity_destroy(y->world, a);
    assert_int_equal(site_info(y, site).builder_count, 0);
    assert_int_equal(site_info(y, site).done_at, KN_TIME_INFINITE);
}

static void helpers_who_come_too_late_go_on(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0), late = worker_at(y, 120, 0);
    kn_order next = kn_order_on(order_type(y, "Watch"), y->rival);
    kn_entity_id site = site_at(y, worker, SHED, 20, 0);
    assert_int_equal(construct(y, late, site), KN_OK);
    assert_int_equal(kn_order_enqueue(y->world, late, &next, NULL), KN_OK);
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    step(y, KN_S(11));
    assert_int_equal(orders_of(y, late).current.type.index1, next.type.index1);
}

static void an_entity_that_cannot_be_created_costs_nothing(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0), site = worker;
    kn_vec3 at = {40, 40, 0};
    assert_int_equal(kn_site_begin(y->world, worker, product(y, "Ruin"), at, NULL, &site),
        KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(site.index1, 0);
    ASSERT_GOLD(y, 1000);
}

static void a_builder_who_is_called_away_may_come_back(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0), other = worker_at(y, 23, 0);
    assert_int_equal(build(y, worker, HOUSE, 20, 0), KN_OK);
    step(y, KN_S(4));
    kn_entity_id site = site_of(y);
    assert_float_equal(site_info(y, site).progress, 0.4f, 1e-6f);
    kn_order stop = kn_order_of(order_type(y, "Stop"));
    assert_int_equal(kn_order_issue(y->world, worker, &stop, NULL), KN_OK);
    assert_int_equal(site_info(y, site).builder_count, 0);
    step(y, KN_S(10));
    assert_float_equal(site_info(y, site).progress, 0.4f, 1e-6f);
    // The work that it remembers is the same site, which is not paid again.
    stock_set(y, y->player, "Stock.Gold", 0);
    assert_int_equal(kn_order_resume_work(y->world, worker), KN_OK);
    step(y, KN_S(1));
    assert_int_equal(site_info(y, site).builder_count, 1);
    ASSERT_GOLD(y, 0);
    // Somebody else helps, and the first one dies.
    assert_int_equal(construct(y, other, site), KN_OK);
    step(y, KN_S(1));
    assert_int_equal(site_info(y, site).builder_count, 2);
    kn_entity_destroy(y->world, worker);
    assert_int_equal(site_info(y, site).builder_count, 1);
    step(y, KN_S(10));
    assert_false(kn_entity_has_tag(y->world, site, tag_of(y, "Knack.Status.Constructing")));
}

// RTS-249: what a unit is ordered to build can be read, by the index of its order.
static void a_worker_knows_what_it_is_ordered_to_build(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0), other = worker_at(y, 3, 0);
    assert_int_equal(kn_site_ordered(y->world, worker).index1, 0);
    assert_int_equal(build(y, worker, HOUSE + 1, 50, 0), KN_OK);
    const kn_product_def *def = kn_product_get_def(y->library, kn_site_ordered(y->world, worker));
    assert_non_null(def);
    assert_string_equal(def->name, "Castle");
    assert_string_equal(kn_archetype_name(y->library, def->archetype), "Castle");
    kn_order order = kn_order_at(order_type(y, "Near"), (kn_vec3){70, 0, 0});
    order.index = HOUSE;
    assert_int_equal(kn_order_issue(y->world, other, &order, NULL), KN_OK);
    assert_int_equal(
        kn_site_ordered(y->world, other).index1, kn_product_find(y->library, "House").index1);
    kn_order stop = kn_order_of(order_type(y, "Stop"));
    assert_int_equal(kn_order_issue(y->world, worker, &stop, NULL), KN_OK);
    assert_int_equal(kn_site_ordered(y->world, worker).index1, 0);
    assert_int_equal(kn_site_ordered(y->world, y->player).index1, 0);
    assert_int_equal(kn_site_ordered(NULL, worker).index1, 0);
}

static void a_worker_who_is_killed_on_the_way_has_paid_nothing(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    assert_int_equal(build(y, worker, HOUSE, 50, 0), KN_OK);
    step(y, KN_S(2));
    kn_entity_destroy(y->world, worker);
    step(y, KN_S(30));
    ASSERT_GOLD(y, 1000);
    assert_string_equal(happened(y), "");
}

static void what_changes_on_the_way_is_noticed_at_the_place(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    kn_order next = kn_order_on(order_type(y, "Watch"), y->rival);
    assert_int_equal(build(y, worker, HOUSE, 33, 0), KN_OK);
    assert_int_equal(kn_order_enqueue(y->world, worker, &next, NULL), KN_OK);
    step(y, KN_S(2));
    stock_set(y, y->player, "Stock.Gold", 99);
    step(y, KN_S(2));
    ASSERT_GOLD(y, 99);
    assert_true(orders_of(y, worker).is_idle); // the order has failed, and the queue is dropped
    stock_set(y, y->player, "Stock.Gold", 100);
    assert_int_equal(build(y, worker, HOUSE, 66, 0), KN_OK);
    step(y, KN_S(1));
    spawn_at(y, "Rock", (kn_entity_id){0}, 66, 2);
    step(y, KN_S(5));
    ASSERT_GOLD(y, 100);
    assert_true(orders_of(y, worker).is_idle);
}

static void nothing_is_built_where_something_stands(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0), rock = spawn_at(y, "Rock", (kn_entity_id){0}, 20, 0);
    kn_entity_id soldier = spawn_at(y, "Soldier", y->player, 20, 30);
    kn_product_answer answer;
    kn_vec3 at = {22.9f, 0, 0};
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "House"), &at, &answer), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Knack.Order.NoRoom").index1);
    kn_order order = kn_order_at(order_type(y, "Knack.Build"), at);
    kn_order_answer reasons;
    order.index = HOUSE;
    assert_int_equal(kn_order_issue(y->world, worker, &order, &reasons), KN_REFUSED_REQUIREMENT);
    assert_int_equal(reasons.errors.others[0].index1, tag_of(y, "Knack.Order.NoRoom").index1);
    at.x = 23.1f;
    assert_int_equal(kn_site_check(y->world, worker, product(y, "House"), &at, NULL), KN_OK);
    at = (kn_vec3){0.5f, 0, 0}; // the builder itself is not in the way
    assert_int_equal(kn_site_check(y->world, worker, product(y, "House"), &at, NULL), KN_OK);
    at = (kn_vec3){20, 31, 0};
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "House"), &at, NULL), KN_REFUSED_EXCLUSIVE);
    // A tent only minds rocks and houses.
    assert_int_equal(kn_site_check(y->world, worker, product(y, "Tent"), &at, NULL), KN_OK);
    at = (kn_vec3){20, 1, 0};
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "Tent"), &at, NULL), KN_REFUSED_EXCLUSIVE);
    kn_entity_destroy(y->world, rock);
    kn_entity_destroy(y->world, soldier);
    assert_int_equal(kn_site_check(y->world, worker, product(y, "Tent"), &at, NULL), KN_OK);
    // All reasons at once.
    stock_set(y, y->player, "Stock.Gold", 30);
    spawn_at(y, "Rock", (kn_entity_id){0}, 20, 1);
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "House"), &at, &answer), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(answer.errors.other_count, 2);
    assert_float_equal(answer.shortages[0].amount, 70, 0);
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "House"), NULL, &answer), KN_REFUSED_COST);
}

static void a_hook_decides_about_places_and_sees_what_is_created(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    kn_product_answer answer;
    kn_vec3 at = {9, 8, 7};
    hooks.cannot_place = true;
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "Den"), &at, &answer), KN_REFUSED_CUSTOM);
    assert_int_equal(answer.errors.others[0].index1, tag_of(y, "Kind.Rock").index1);
    assert_float_equal(hooks.last.location.y, 8, 0);
    hooks.cannot_place = false;
    kn_entity_id site = site_at(y, worker, DEN, 9, 8);
    assert_int_equal(hooks.created, 1);
    assert_true(kn_entity_id_equal(hooks.last.created, site));
    assert_true(kn_entity_id_equal(hooks.maker, worker));
    // What cannot be finished waits, and is tried again.
    hooks.cannot_finish = true;
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    step(y, KN_S(4));
    assert_string_equal(happened(y), "Started(Den) Waits(Den)");
    assert_int_equal(site_info(y, site).done_at, KN_TIME_INFINITE);
    assert_float_equal(site_info(y, site).progress, 1, 0);
    hooks.cannot_finish = false;
    step(y, KN_S(1));
    assert_string_equal(happened(y), "Finished(Den)");
    assert_int_equal(hooks.created, 2); // the den in the place of the pit
    assert_true(kn_entity_id_equal(hooks.maker, site));
    assert_false(kn_entity_is_alive(y->world, site));
}

static void orders_follow_to_what_takes_the_place_of_a_site(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0), soldier = spawn(y, "Soldier", y->player);
    kn_body body;
    assert_int_equal(build(y, worker, CASTLE, 21, 0), KN_OK);
    step(y, KN_S(1));
    kn_entity_id site = site_of(y);
    assert_true(kn_entity_has_tag(y->world, site, tag_of(y, "Unit.Scaffold")));
    kn_order watch = kn_order_on(order_type(y, "Watch"), site);
    assert_int_equal(kn_order_issue(y->world, soldier, &watch, NULL), KN_OK);
    step(y, KN_S(4));
    kn_entity_id castle = last_event(y, "Knack.ProductFinished").created;
    assert_false(kn_entity_is_alive(y->world, site));
    assert_true(kn_entity_has_tag(y->world, castle, tag_of(y, "Unit.Castle")));
    assert_false(kn_entity_has_tag(y->world, castle, tag_of(y, "Knack.Status.Constructing")));
    assert_true(kn_entity_id_equal(kn_entity_owner(y->world, castle), y->player));
    assert_true(kn_grid_get_body(y->grid, castle, &body));
    assert_float_equal(body.position.x, 21, 0);
    assert_float_equal(body.radius, 3, 0);
    assert_true(kn_entity_id_equal(orders_of(y, soldier).current.target, castle));
    assert_true(orders_of(y, worker).is_idle);
    ASSERT_GOLD(y, 800);
}

static void a_site_may_build_itself(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    assert_int_equal(build(y, worker, TENT, 3, 0), KN_OK);
    step(y, KN_S(1));
    kn_entity_id site = site_of(y);
    assert_true(orders_of(y, worker).is_idle); // it is not needed any more
    assert_int_equal(site_info(y, site).builder_count, 0);
    kn_time done_at = site_info(y, site).done_at;
    assert_true(done_at > KN_S(5) && done_at < KN_S(6));
    step(y, done_at - KN_S(1));
    assert_string_equal(happened(y), "Finished(Tent)");
    // One that builders make faster.
    site = site_at(y, worker, HUT, 30, 30);
    step(y, KN_S(2));
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    assert_int_equal(site_info(y, site).done_at, kn_world_now(y->world) + KN_S(2));
}

static void what_takes_no_time_is_done_as_soon_as_somebody_comes(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    assert_int_equal(build(y, worker, SHED, 2, 0), KN_OK);
    step(y, KN_MS(1));
    assert_string_equal(happened(y), "Started(Shed) Finished(Shed)");
    assert_true(orders_of(y, worker).is_idle);
}

static void a_cancelled_site_is_refunded_and_gone(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0);
    assert_int_equal(build(y, worker, HOUSE, 20, 0), KN_OK);
    step(y, KN_S(4));
    kn_entity_id site = site_of(y);
    kn_order cancel = kn_order_of(order_type(y, "Knack.CancelSite"));
    assert_int_equal(kn_order_issue(y->world, worker, &cancel, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_order_issue(y->world, site, &cancel, NULL), KN_OK);
    ASSERT_GOLD(y, 975);
    assert_false(kn_entity_is_alive(y->world, site));
    step(y, KN_S(1));
    assert_string_equal(happened(y), "Cancelled(House)");
    assert_float_equal(last_event(y, "Knack.ProductCancelled").refunded, 0.75f, 0);
    assert_true(orders_of(y, worker).is_idle);
    ASSERT_GOLD(y, 975);
    // A finished building is not a site.
    site = site_at(y, worker, SHED, 20, 0);
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    step(y, 1);
    assert_int_equal(kn_order_issue(y->world, site, &cancel, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_site_cancel(y->world, site), KN_REFUSED_NOT_FOUND);
}

static void a_destroyed_site_returns_what_its_product_says(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0);
    assert_int_equal(build(y, worker, HOUSE, 20, 0), KN_OK);
    step(y, KN_S(4));
    kn_entity_id site = site_of(y);
    kn_entity_destroy(y->world, site);
    ASSERT_GOLD(y, 925);
    step(y, KN_S(1));
    assert_true(orders_of(y, worker).is_idle);
    // One that dies without being destroyed is not built any more.
    site = site_at(y, worker, HOUSE, 20, 0);
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    assert_int_equal(kn_entity_set_tag_count(y->world, site, tag_of(y, "Knack.Status.Alive"),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 0),
        KN_OK);
    kn_site_info info;
    assert_false(kn_site_get_info(y->world, site, &info));
    ASSERT_GOLD(y, 850);
}

static void another_owner_of_a_site_sends_the_builders_home(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 17, 0), foe = worker_at(y, 23, 0);
    assert_int_equal(kn_entity_set_owner(y->world, foe, y->rival), KN_OK);
    assert_int_equal(build(y, worker, HOUSE, 20, 0), KN_OK);
    step(y, KN_S(4));
    kn_entity_id site = site_of(y);
    assert_int_equal(construct(y, foe, site), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_entity_set_owner(y->world, site, y->rival), KN_OK);
    assert_int_equal(site_info(y, site).builder_count, 0);
    step(y, KN_S(1));
    assert_true(orders_of(y, worker).is_idle);
    assert_int_equal(construct(y, worker, site), KN_REFUSED_REQUIREMENT);
    assert_int_equal(construct(y, foe, site), KN_OK);
    step(y, KN_S(7));
    kn_entity_id house = last_event(y, "Knack.ProductFinished").created;
    assert_true(kn_entity_id_equal(kn_entity_owner(y->world, house), y->rival));
    ASSERT_GOLD(y, 900);
}

static void only_those_who_could_build_it_construct(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0), soldier = spawn_at(y, "Soldier", y->player, 5, 5);
    kn_entity_id site = site_at(y, worker, HOUSE, 20, 0);
    assert_int_equal(construct(y, soldier, site), KN_REFUSED_REQUIREMENT);
    assert_int_equal(construct(y, worker, soldier), KN_REFUSED_REQUIREMENT);
    assert_int_equal(build(y, soldier, HOUSE, 50, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(build(y, worker, SOLDIER, 50, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(build(y, worker, -1, 50, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(build(y, worker, 8, 50, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(construct(y, worker, site), KN_OK);
}

static void bad_calls_are_refused(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0), gone = worker_at(y, 1, 1);
    kn_entity_id site = site_at(y, worker, HOUSE, 20, 0);
    const kn_product_id house = product(y, "House");
    kn_vec3 at = {90, 90, 0};
    kn_entity_destroy(y->world, gone);
    assert_int_equal(kn_site_check(y->world, gone, house, &at, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_site_check(NULL, worker, house, &at, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_site_check(y->world, worker, (kn_product_id){77}, &at, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "Soldier"), &at, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_site_check(y->world, y->player, house, &at, NULL), KN_REFUSED_NOT_FOUND);
    kn_entity_id out = site;
    at.z = NAN;
    assert_int_equal(kn_site_begin(y->world, worker, house, at, NULL, &out), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(out.index1, 0);
    assert_int_equal(kn_site_join(y->world, site, gone, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_site_join(y->world, gone, worker, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_site_join(y->world, worker, worker, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_site_leave(y->world, worker, worker), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_site_cancel(y->world, gone), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_site_cancel(NULL, site), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_site_builders(y->world, gone, NULL, 0), 0);
    ASSERT_GOLD(y, 900);
}

static void a_place_is_paid_once(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0), other = worker_at(y, 30, 0);
    kn_entity_id site = site_at(y, worker, HOUSE, 20, 0);
    kn_entity_id again = site_at(y, other, HOUSE, 20.05f, 0);
    assert_true(kn_entity_id_equal(site, again));
    ASSERT_GOLD(y, 900);
    kn_vec3 at = {20, 0, 0};
    assert_int_equal(
        kn_site_check(y->world, worker, product(y, "Castle"), &at, NULL), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(kn_entity_set_owner(y->world, other, y->rival), KN_OK);
    assert_int_equal(
        kn_site_check(y->world, other, product(y, "House"), &at, NULL), KN_REFUSED_EXCLUSIVE);
}

// The same yard in steps of any length, saved and restored on the way.
static uint64_t play(int64_t rate, bool is_copied)
{
    yard *y = yard_of(library_create());
    kn_entity_id a = worker_at(y, 0, 0), b = worker_at(y, 40, 7);
    assert_int_equal(build(y, a, HOUSE, 20, 0), KN_OK);
    kn_order order = kn_order_at(order_type(y, "Knack.Build"), (kn_vec3){30, 20, 0});
    order.index = CASTLE;
    assert_int_equal(kn_order_enqueue(y->world, a, &order, NULL), KN_OK);
    order.location = (kn_vec3){20, 0, 0};
    order.index = HOUSE;
    assert_int_equal(kn_order_issue(y->world, b, &order, NULL), KN_OK);
    for (int64_t n = 1; n <= 25 * rate; n++) {
        const kn_time dt = n * 1000000 / rate - (n - 1) * 1000000 / rate;
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
    ASSERT_GOLD(y, 700);
    assert_true(orders_of(y, a).is_idle && orders_of(y, b).is_idle);
    uint64_t hash = kn_world_hash(y->world);
    yard_destroy(y);
    return hash;
}

static void the_length_of_steps_and_copies_do_not_show(void **state)
{
    (void)state;
    uint64_t hash = play(1, false);
    assert_true(play(30, true) == hash);
    assert_true(play(60, false) == hash);
    assert_true(play(144, false) == hash);
}

static void clients_see_sites_and_cannot_change_them(void **state)
{
    yard *y = *state;
    kn_entity_id worker = worker_at(y, 0, 0);
    kn_entity_id site = site_at(y, worker, HOUSE, 20, 0);
    assert_int_equal(kn_site_join(y->world, site, worker, 0), KN_OK);
    step(y, KN_S(5));
    const kn_entity_id shown[] = {y->player, worker, site};
    kn_world *client = world_of(y->library, true);
    project(y->world, client, shown, 3, KN_VIEWER_OTHERS);
    kn_site_info info;
    assert_true(kn_site_get_info(client, site, &info));
    assert_float_equal(info.progress, 0, 0); // its time is behind
    assert_int_equal(kn_world_step(client, KN_S(5)), KN_OK);
    assert_true(kn_site_get_info(client, site, &info));
    assert_float_equal(info.progress, 0.5f, 1e-6f);
    assert_int_equal(info.payer.index1, 0);
    assert_int_equal(kn_site_cancel(client, site), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_site_leave(client, site, worker), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_site_join(client, site, y->player, 0), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_site_begin(client, worker, product(y, "House"), (kn_vec3){0}, NULL, NULL),
        KN_REFUSED_BLOCKED);
    assert_int_equal(kn_world_step(client, KN_S(20)), KN_OK);
    assert_true(kn_site_get_info(client, site, &info)); // the server says when it is done
    kn_world_destroy(client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_worker_goes_there_pays_and_builds),
    TEST(a_game_may_override_the_order),
    TEST(several_builders_are_faster),
    TEST(work_that_cannot_be_divided_ends_a_moment_later),
    TEST(helpers_who_come_too_late_go_on),
    TEST(an_entity_that_cannot_be_created_costs_nothing),
    TEST(a_builder_who_is_called_away_may_come_back),
    TEST(a_worker_knows_what_it_is_ordered_to_build),
    TEST(a_worker_who_is_killed_on_the_way_has_paid_nothing),
    TEST(what_changes_on_the_way_is_noticed_at_the_place),
    TEST(nothing_is_built_where_something_stands),
    TEST(a_hook_decides_about_places_and_sees_what_is_created),
    TEST(orders_follow_to_what_takes_the_place_of_a_site),
    TEST(a_site_may_build_itself),
    TEST(what_takes_no_time_is_done_as_soon_as_somebody_comes),
    TEST(a_cancelled_site_is_refunded_and_gone),
    TEST(a_destroyed_site_returns_what_its_product_says),
    TEST(another_owner_of_a_site_sends_the_builders_home),
    TEST(only_those_who_could_build_it_construct),
    TEST(bad_calls_are_refused),
    TEST(a_place_is_paid_once),
    cmocka_unit_test(the_length_of_steps_and_copies_do_not_show),
    TEST(clients_see_sites_and_cannot_change_them),
};

TEST_GROUP(order_site, tests, NULL, NULL);
