// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Formations and groups: the points, who gets which, and who gets an order at all.

#include "order_test.h"

#include <math.h>

static const kn_vec3 origin = {0, 0, 0}, goal = {1000, 0, 7};

static void expect_points(
    kn_formation_shape shape, uint32_t count, float spacing, const float (*points)[2])
{
    kn_vec3 out[16];
    kn_formation_slots(shape, count, spacing, origin, goal, out);
    for (uint32_t i = 0; i < count; i++) {
        if (out[i].x != points[i][0] || out[i].y != points[i][1] || out[i].z != 7.0f) {
            fail_msg("point %u of %u is (%g, %g)", i, count, (double)out[i].x, (double)out[i].y);
        }
    }
}

// ORD-315, ORD-316, ORD-319, TVO-70..75
static void a_block_has_rows(void **state)
{
    (void)state;
    expect_points(KN_FORMATION_BLOCK, 1, 300, (const float[][2]){{1000, 0}});
    expect_points(KN_FORMATION_BLOCK, 2, 300, (const float[][2]){{1000, -150}, {1000, 150}});
    expect_points(
        KN_FORMATION_BLOCK, 3, 300, (const float[][2]){{1150, -150}, {1150, 150}, {850, 0}});
    expect_points(KN_FORMATION_BLOCK, 4, 300,
        (const float[][2]){{1150, -150}, {1150, 150}, {850, -150}, {850, 150}});
    expect_points(KN_FORMATION_BLOCK, 5, 300,
        (const float[][2]){{1150, -300}, {1150, 0}, {1150, 300}, {850, -150}, {850, 150}});
    expect_points(KN_FORMATION_BLOCK, 10, 300,
        (const float[][2]){{1300, -450}, {1300, -150}, {1300, 150}, {1300, 450}, {1000, -450},
            {1000, -150}, {1000, 150}, {1000, 450}, {700, -150}, {700, 150}});
    kn_formation_slots(KN_FORMATION_BLOCK, 0, 300, origin, goal, NULL); // nothing happens
}

// ORD-317
static void formations_look_in_the_direction_of_movement(void **state)
{
    (void)state;
    kn_vec3 out[2];
    kn_formation_slots(KN_FORMATION_BLOCK, 2, 300, origin, (kn_vec3){0, 500, 0}, out);
    assert_true(out[0].x == 150 && out[0].y == 500 && out[1].x == -150 && out[1].y == 500);
    kn_formation_slots(KN_FORMATION_BLOCK, 2, 300, goal, goal, out);
    assert_true(out[0].x == 1000 && out[0].y == -150 && out[1].y == 150);
}

static void other_shapes(void **state)
{
    (void)state;
    expect_points(KN_FORMATION_LINE, 3, 10, (const float[][2]){{1000, -10}, {1000, 0}, {1000, 10}});
    expect_points(KN_FORMATION_COLUMN, 3, 10, (const float[][2]){{1010, 0}, {1000, 0}, {990, 0}});
    expect_points(KN_FORMATION_WEDGE, 5, 10,
        (const float[][2]){{1010, 0}, {1000, -10}, {1000, 10}, {990, -20}, {990, 20}});
    expect_points(KN_FORMATION_POINT, 2, 10, (const float[][2]){{1000, 0}, {1000, 0}});
    kn_vec3 ring[12];
    kn_formation_slots(KN_FORMATION_RING, 12, 10, origin, goal, ring);
    const double radius = 12 * 10 / (2 * 3.14159265358979323846);
    for (uint32_t i = 0; i < 12; i++) {
        double x = (double)ring[i].x - 1000, y = (double)ring[i].y;
        assert_true(fabs(sqrt(x * x + y * y) - radius) < 1e-3);
        double turn = 2 * 3.14159265358979323846 * i / 12;
        assert_true(fabs(x - radius * cos(turn)) < 1e-3 && fabs(y - radius * sin(turn)) < 1e-3);
    }
}

// ORD-320, ORD-321, ORD-322, TVO-76
static void those_who_are_alike_get_a_point(void **state)
{
    (void)state;
    const kn_vec3 units[] = {{0, -100, 0}, {0, 100, 0}}, swapped[] = {{0, 100, 0}, {0, -100, 0}};
    kn_vec3 points[2];
    kn_formation_slots(KN_FORMATION_BLOCK, 2, 300, origin, goal, points);
    assert_int_equal(kn_formation_assign(KN_FORMATION_GREEDY, units, NULL, 2, goal, points), KN_OK);
    assert_true(points[0].y == -150 && points[1].y == 150);
    kn_formation_slots(KN_FORMATION_BLOCK, 2, 300, origin, goal, points);
    assert_int_equal(
        kn_formation_assign(KN_FORMATION_GREEDY, swapped, NULL, 2, goal, points), KN_OK);
    assert_true(points[0].y == 150 && points[1].y == -150);
    const kn_vec3 same[] = {{3, 3, 0}, {3, 3, 0}}; // the first one of equals takes the first point
    kn_formation_slots(KN_FORMATION_BLOCK, 2, 300, origin, goal, points);
    assert_int_equal(kn_formation_assign(KN_FORMATION_GREEDY, same, NULL, 2, goal, points), KN_OK);
    assert_true(points[0].y == -150 && points[1].y == 150);
}

// ORD-313, ORD-314
static void higher_ranks_stand_in_front(void **state)
{
    (void)state;
    const kn_vec3 units[] = {{50, 0, 0}, {-50, 0, 0}, {0, 0, 0}};
    const int32_t ranks[] = {-1, 5, 5};
    for (kn_formation_rule rule = KN_FORMATION_GREEDY; rule <= KN_FORMATION_SHORTEST; rule++) {
        kn_vec3 points[3];
        kn_formation_slots(KN_FORMATION_COLUMN, 3, 10, origin, goal, points);
        assert_int_equal(kn_formation_assign(rule, units, ranks, 3, goal, points), KN_OK);
        assert_true(points[0].x == 990);
        assert_true(points[1].x + points[2].x == 2010);
    }
}

static double cost_of(const kn_vec3 *units, const kn_vec3 *points, uint32_t count)
{
    double cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        double x = (double)units[i].x - (double)points[i].x;
        double y = (double)units[i].y - (double)points[i].y;
        cost += x * x + y * y;
    }
    return cost;
}

// Tries every assignment of six.
static double least_cost(const kn_vec3 *units, kn_vec3 *points, uint32_t done, uint32_t count)
{
    if (done == count) {
        return cost_of(units, points, count);
    }
    double best = 1e300;
    for (uint32_t i = done; i < count; i++) {
        kn_vec3 other = points[i];
        points[i] = points[done];
        points[done] = other;
        double cost = least_cost(units, points, done + 1, count);
        best = cost < best ? cost : best;
        points[done] = points[i];
        points[i] = other;
    }
    return best;
}

static void the_shortest_ways_are_the_shortest(void **state)
{
    (void)state;
    uint32_t random = 7;
    for (uint32_t turn = 0; turn < 50; turn++) {
        kn_vec3 units[6], points[6], tried[6];
        for (uint32_t i = 0; i < 12; i++) {
            random = random * 1664525u + 1013904223u;
            kn_vec3 *at = i < 6 ? &units[i] : &points[i - 6];
            *at = (kn_vec3){(float)(random >> 24), (float)(random >> 16 & 255), 0};
        }
        memcpy(tried, points, sizeof(points));
        double least = least_cost(units, tried, 0, 6);
        assert_int_equal(
            kn_formation_assign(KN_FORMATION_SHORTEST, units, NULL, 6, goal, points), KN_OK);
        assert_true(fabs(cost_of(units, points, 6) - least) < 1e-6);
    }
    assert_int_equal(kn_formation_assign(KN_FORMATION_RULE_COUNT, NULL, NULL, 0, goal, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_formation_assign(KN_FORMATION_GREEDY, NULL, NULL, 3, goal, NULL),
        KN_ERROR_INVALID_ARGUMENT);
}

// Groups --------------------------------------------------------------------------------

typedef struct group {
    script *s, *move, *plain, *sub, *first, *best;
    kn_entity_id units[4];
} group;

static group group_begin_with(fixture *f, kn_world_def def)
{
    group g = {.s = type_add(f, "S"),
        .move = type_add(f, "M"),
        .plain = type_add(f, "P"),
        .sub = type_add(f, "G"),
        .first = type_add(f, "F"),
        .best = type_add(f, "B")};
    g.move->def.target_kind = KN_ORDER_TARGET_LOCATION;
    g.move->def.individual_locations = true;
    g.move->def.spacing = 300;
    g.plain->def.target_kind = KN_ORDER_TARGET_LOCATION;
    g.sub->def.group = KN_ORDER_GROUP_SUB_GROUP;
    g.first->def.group = KN_ORDER_GROUP_FIRST;
    g.best->def.group = KN_ORDER_GROUP_MOST_SUITABLE;
    g.best->def.target_kind = KN_ORDER_TARGET_LOCATION;
    static kn_tag immobile[1];
    immobile[0] = f->immobile;
    g.move->def.tags.source_blocked = (kn_tags){immobile, 1};
    g.best->def.tags.source_blocked = (kn_tags){immobile, 1};
    begin_with(f, def);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(f->world, &g.units[i]), KN_OK);
        place(f, g.units[i], 0, (float)i * 100 - 150);
        assert_int_equal(kn_unit_add(f->world, g.units[i], f->unit_type), KN_OK);
    }
    return g;
}

static group group_begin(fixture *f)
{
    return group_begin_with(f, kn_world_def_default());
}

static kn_order current_of(fixture *f, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    return info.current;
}

static uint32_t give_group(fixture *f, group *g, const kn_order *order)
{
    static const uint32_t part[] = {3, 1};
    kn_order_group_def def = kn_order_group_def_default();
    uint32_t given = 99;
    def.units = g->units;
    def.unit_count = 4;
    def.first = 2;
    def.sub_group = part;
    def.sub_group_count = 2;
    assert_int_equal(kn_order_issue_group(f->world, &def, order, &given), KN_OK);
    return given;
}

// ORD-370, ORD-372, ORD-277, TVO-110
static void each_unit_of_a_group_gets_its_point(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    gain(f, g.units[0], f->immobile); // left out before points are found
    kn_order move = kn_order_at(g.move->id, (kn_vec3){1000, 50, 0}); // straight ahead
    assert_int_equal(give_group(f, &g, &move), 3);
    assert_int_equal(current_of(f, g.units[0]).type.index1, g.s->id.index1);
    const float points[][2] = {{1150, -100}, {850, 50}, {1150, 200}};
    for (uint32_t i = 1; i < 4; i++) {
        kn_order order = current_of(f, g.units[i]);
        assert_int_equal(order.type.index1, g.move->id.index1);
        assert_int_equal(order.uses_location, 1);
        if (order.location.x != points[i - 1][0] || order.location.y != points[i - 1][1]) {
            fail_msg(
                "unit %u goes to (%g, %g)", i, (double)order.location.x, (double)order.location.y);
        }
    }
}

// TVO-77
static void others_share_the_target(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    kn_order order = kn_order_at(g.plain->id, goal);
    assert_int_equal(give_group(f, &g, &order), 4);
    for (uint32_t i = 0; i < 4; i++) {
        kn_order own_order = current_of(f, g.units[i]);
        assert_true(kn_order_equal(&own_order, &order));
    }
}

// ORD-023, ORD-371, OD-215, OD-216, OD-218
static void an_order_reaches_those_it_is_for(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    kn_order order = kn_order_of(g.sub->id);
    assert_int_equal(give_group(f, &g, &order), 2);
    assert_int_equal(current_of(f, g.units[1]).type.index1, g.sub->id.index1);
    assert_int_equal(current_of(f, g.units[3]).type.index1, g.sub->id.index1);
    assert_int_equal(current_of(f, g.units[0]).type.index1, g.s->id.index1);
    order = kn_order_of(g.first->id);
    assert_int_equal(give_group(f, &g, &order), 1);
    assert_int_equal(current_of(f, g.units[2]).type.index1, g.first->id.index1);
    order = kn_order_at(g.best->id, (kn_vec3){0, 160, 0});
    assert_int_equal(give_group(f, &g, &order), 1);
    assert_int_equal(current_of(f, g.units[3]).type.index1, g.best->id.index1);
    gain(f, g.units[3], f->immobile);
    assert_int_equal(give_group(f, &g, &order), 1);
    assert_int_equal(current_of(f, g.units[2]).type.index1, g.best->id.index1);
}

// ORD-312, ORD-323: an order only says where to go; points are not reserved, and nobody is moved
static void points_may_be_taken(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    kn_vec3 first[2], second[2];
    kn_order move = kn_order_at(g.move->id, (kn_vec3){1000, 0, 0});
    assert_int_equal(kn_order_find_locations(f->world, &move, g.units, 2, first), KN_OK);
    place(f, f->stone, first[0].x, first[0].y); // somebody stands there
    assert_int_equal(give_group(f, &g, &move), 4);
    for (int i = 0; i < 50; i++) {
        step(f);
    }
    kn_vec3 at = {0};
    assert_true(kn_space_position(kn_world_space(f->world), f->world, g.units[0], &at));
    assert_true(at.x == 0 && at.y == -150); // navigation is up to others
    assert_int_equal(kn_order_find_locations(f->world, &move, g.units, 2, second), KN_OK);
    assert_memory_equal(first, second, sizeof(first));
}

static kn_result beside_the_target(void *user, const kn_hook_call *call)
{
    kn_order_location_call *c = call->arguments;
    const uint32_t *places = user;
    assert_null(call->writable);
    if (c->place >= *places) {
        return KN_REFUSED_CUSTOM;
    }
    c->location = (kn_vec3){c->target.x + (float)c->place, c->middle.y, (float)c->count};
    return KN_OK;
}

// ORD-256, ORD-260, ORD-277, OD-153..160, TVD-45, TVD-46
static void an_order_type_may_find_points_itself(void **state)
{
    fixture *f = *state;
    static uint32_t places;
    script *own = type_add(f, "O");
    own->def.target_kind = KN_ORDER_TARGET_LOCATION;
    own->def.individual_locations = true;
    own->def.find_location = (kn_hook){beside_the_target, &places};
    group g = group_begin(f);
    kn_order order = kn_order_at(own->id, (kn_vec3){1000, 1000, 0});
    kn_vec3 points[3] = {{7, 7, 7}, {7, 7, 7}, {7, 7, 7}};
    places = 3;
    assert_int_equal(kn_order_find_locations(f->world, &order, g.units, 3, points), KN_OK);
    for (uint32_t i = 0; i < 3; i++) { // point i belongs to unit i; they stand at -150, -50, 50
        assert_true(points[i].x == 1000 + (float)i && points[i].y == -50 && points[i].z == 3);
    }
    places = 2; // one point is missing: all are wiped, and nobody gets the order
    assert_int_equal(
        kn_order_find_locations(f->world, &order, g.units, 3, points), KN_REFUSED_CUSTOM);
    assert_true(points[0].x == 0 && points[1].y == 0 && points[2].z == 0);
    kn_order_group_def def = kn_order_group_def_default();
    uint32_t given = 9;
    def.units = g.units;
    def.unit_count = 4;
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, &given), KN_REFUSED_CUSTOM);
    assert_int_equal(given, 0);
    assert_int_equal(current_of(f, g.units[0]).type.index1, g.s->id.index1);
    // Types without points of their own give all the same, and the flag decides about that.
    order.type = g.plain->id;
    assert_int_equal(kn_order_find_locations(f->world, &order, g.units, 3, points), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(points[i].x == 1000 && points[i].y == 1000);
    }
    order.type.index1 = 0;
    assert_int_equal(
        kn_order_find_locations(f->world, &order, g.units, 3, points), KN_REFUSED_NOT_FOUND);
    assert_true(points[2].x == 0);
    order.type = g.move->id;
    assert_int_equal(
        kn_order_find_locations(f->world, &order, g.units, 3, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_order_find_locations(f->world, &order, NULL, 0, NULL), KN_OK);
}

// ORD-313, ORD-314, ORD-318, ORD-370: the plan of a group is what is given
static void a_group_can_be_planned_with_ranks(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    static const int32_t ranks[] = {0, 4, 0, 0};
    kn_order_group_def def = kn_order_group_def_default();
    kn_order_share shares[4];
    uint32_t count = 9;
    def.units = g.units;
    def.unit_count = 4;
    def.ranks = ranks;
    kn_order move = kn_order_at(g.move->id, goal);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_order_plan_group(f->world, &def, &move, shares, 3, &count), KN_OK);
    assert_int_equal(count, 4); // though there is room for three only
    assert_int_equal(kn_order_plan_group(f->world, &def, &move, shares, 4, &count), KN_OK);
    assert_true(kn_world_hash(f->world) == hash);
    assert_true(kn_entity_id_equal(shares[1].unit, g.units[1]));
    assert_true(shares[1].order.location.x > 1100); // its rank puts it in front
    def.ranks = NULL;
    assert_int_equal(kn_order_plan_group(f->world, &def, &move, shares, 4, &count), KN_OK);
    assert_true(shares[1].order.location.x < 900); // otherwise it stands behind
    assert_int_equal(kn_order_issue_group(f->world, &def, &move, &count), KN_OK);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        kn_order given = current_of(f, shares[i].unit);
        assert_true(kn_order_equal(&given, &shares[i].order));
    }
    def.rule = KN_FORMATION_RULE_COUNT;
    assert_int_equal(
        kn_order_plan_group(f->world, &def, &move, shares, 4, &count), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
}

static void groups_refuse_what_makes_no_sense(void **state)
{
    fixture *f = *state;
    group g = group_begin(f);
    kn_order_group_def def = kn_order_group_def_default();
    kn_order order = kn_order_at(g.move->id, goal);
    uint32_t given = 1;
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, &given), KN_OK);
    assert_int_equal(given, 0); // nobody
    def.units = g.units;
    def.unit_count = 4;
    def.first = 4;
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, NULL), KN_ERROR_INVALID_ARGUMENT);
    def.first = 0;
    order.type.index1 = 99;
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, NULL), KN_REFUSED_NOT_FOUND);
    order = kn_order_at(g.move->id, (kn_vec3){NAN, 0, 0});
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, NULL), KN_REFUSED_BAD_NUMBER);
    def.cookie = 0;
    assert_int_equal(kn_order_issue_group(f->world, &def, &order, NULL), KN_ERROR_INVALID_ARGUMENT);
}

// Memory of a world that fails after some calls.
typedef struct budget {
    uint32_t left, used;
    size_t bytes;
} budget;

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    budget *memory = user;
    if (new_size > old_size) {
        if (memory->left == 0) {
            return NULL;
        }
        memory->left--;
        memory->used++;
    }
    memory->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

// Groups take the memory of their world, give all of it back, and change nothing without it.
static void a_group_without_memory_gets_no_order(void **state)
{
    fixture *f = *state;
    static budget memory; // the world is destroyed after the test
    memory = (budget){.left = UINT32_MAX};
    kn_world_def world = kn_world_def_default();
    world.hooks.realloc_fn = limited;
    world.hooks.realloc_user = &memory;
    group g = group_begin_with(f, world);
    kn_order move = kn_order_at(g.move->id, (kn_vec3){1000, 50, 0});
    for (uint32_t i = 0; i < 32; i++) { // until the world is warm
        move.location.y = (float)(i + 50);
        assert_int_equal(give_group(f, &g, &move), 4);
        step(f);
    }
    move.location.y = 60;
    const uint64_t hash = kn_world_hash(f->world);
    const size_t bytes = memory.bytes;
    kn_order_group_def def = kn_order_group_def_default();
    def.units = g.units;
    def.unit_count = 4;
    uint32_t failures = 0, given = 0;
    for (;; failures++) {
        memory.left = failures;
        memory.used = 0;
        kn_result result = kn_order_issue_group(f->world, &def, &move, &given);
        assert_int_equal(memory.bytes, bytes);
        if (result == KN_OK) {
            break;
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_int_equal(given, 0);
        assert_true(kn_world_hash(f->world) == hash);
        assert_false(kn_world_is_broken(f->world));
    }
    // Units, ranks, points, where they are, and what the assignment needs.
    assert_int_equal(failures, 6);
    assert_int_equal(memory.used, 6);
    assert_int_equal(given, 4);
    float middle = 0.0f;
    for (uint32_t i = 0; i < 4; i++) {
        middle += current_of(f, g.units[i]).location.y / 4.0f;
    }
    assert_true(fabsf(middle - 60.0f) < 0.01f);
    memory.left = UINT32_MAX;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_has_rows),
    cmocka_unit_test(formations_look_in_the_direction_of_movement),
    cmocka_unit_test(other_shapes),
    cmocka_unit_test(those_who_are_alike_get_a_point),
    cmocka_unit_test(higher_ranks_stand_in_front),
    cmocka_unit_test(the_shortest_ways_are_the_shortest),
    TEST(each_unit_of_a_group_gets_its_point),
    TEST(others_share_the_target),
    TEST(an_order_reaches_those_it_is_for),
    TEST(points_may_be_taken),
    TEST(an_order_type_may_find_points_itself),
    TEST(a_group_can_be_planned_with_ranks),
    TEST(groups_refuse_what_makes_no_sense),
    TEST(a_group_without_memory_gets_no_order),
};

TEST_GROUP(order_formations, tests, NULL, NULL);
