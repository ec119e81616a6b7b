// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Maps and paths: what is found, that nothing shorter exists, and units that follow them.

#include "mover_test.h"

#define SIDE 24 // of random maps
#define FAR 4294967295u

static kn_map_id map_make(fixture *f, const char *rows)
{
    kn_map_def def = kn_map_def_default();
    kn_map_id map;
    kn_error error = {0};
    def.name = "Field";
    def.rows = rows;
    if (kn_map_register(f->library, &def, &map, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return map;
}

// A world on a map that the mover uses.
static void begin_on(fixture *f, const char *rows)
{
    f->walk_def.map = map_make(f, rows);
    begin(f);
}

static kn_path path_of(fixture *f, float x0, float y0, float x1, float y1, kn_vec3 *points)
{
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){x0, y0, 0};
    query.to = (kn_vec3){x1, y1, 0};
    return kn_path_find(f->world, &query, points, 64);
}

static void put(fixture *f, kn_entity_id entity, float x, float y)
{
    assert_int_equal(kn_grid_move(f->grid, entity, (kn_vec3){x, y, 0}), KN_OK);
}

// Lines -----------------------------------------------------------------------------------

static void lines_touch_the_cells_they_pass(void **state)
{
    fixture *f = *state;
    begin_on(f, "....\n"
                ".#..\n"
                "....\n");
    const kn_map_id map = f->walk_def.map;
    const kn_vec3 low = {0.5f, 0.5f, 0};
    assert_true(kn_map_line_is_free(f->world, map, low, (kn_vec3){3.5f, 0.5f, 0}));
    assert_true(kn_map_line_is_free(f->world, map, low, (kn_vec3){0.5f, 2.5f, 0}));
    assert_false(kn_map_line_is_free(f->world, map, low, (kn_vec3){2.5f, 2.5f, 0}));
    assert_false(kn_map_line_is_free(f->world, map, (kn_vec3){2.5f, 2.5f, 0}, low));
    // Through its corners.
    assert_false(
        kn_map_line_is_free(f->world, map, (kn_vec3){0.5f, 1.5f, 0}, (kn_vec3){1.5f, 0.5f, 0}));
    assert_false(
        kn_map_line_is_free(f->world, map, (kn_vec3){1.5f, 0.5f, 0}, (kn_vec3){0.5f, 1.5f, 0}));
    // Beside it.
    assert_true(
        kn_map_line_is_free(f->world, map, (kn_vec3){0.25f, 1.5f, 0}, (kn_vec3){1.25f, 0.5f, 0}));
    // To itself, to outside.
    assert_true(kn_map_line_is_free(f->world, map, low, low));
    assert_false(kn_map_line_is_free(f->world, map, low, (kn_vec3){-0.1f, 0.5f, 0}));
    assert_false(kn_map_line_is_free(f->world, map, low, (kn_vec3){1e30f, -1e30f, 0}));
    assert_false(kn_map_line_is_free(f->world, (kn_map_id){9}, low, low));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){1, 1, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){0.99f, 1, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){2, 1, 0}));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){4, 1, 0}));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){-0.001f, 1, 0}));
    assert_true(kn_map_is_blocked(f->world, (kn_map_id){9}, low));
}

static void corners_are_not_cut(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, ".#.\n"
                "#..\n"
                "...\n");
    kn_path path = path_of(f, 0.5f, 0.5f, 2.5f, 2.5f, points);
    assert_int_equal(path.result, KN_PATH_NONE); // only across two corners
    path = path_of(f, 2.5f, 0.5f, 0.5f, 2.5f, points);
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_int_equal(path.cost, 3414); // not 2828: that would touch both corners
    for (uint32_t i = 0; i < path.count; i++) {
        kn_vec3 from = i > 0 ? points[i - 1] : (kn_vec3){2.5f, 0.5f, 0};
        assert_true(kn_map_line_is_free(f->world, f->walk_def.map, from, points[i]));
    }
}

static void a_path_has_no_more_points_than_it_needs(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, ".........\n"
                ".........\n"
                ".....#...\n"
                ".....#...\n"
                ".....#...\n"
                ".....#...\n");
    kn_path path = path_of(f, 0.3f, 5.2f, 8.7f, 5.1f, points);
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_int_equal(path.count, 3); // around both corners of the wall, to the goal itself
    assert_true(points[2].x == 8.7f && points[2].y == 5.1f);
    path = path_of(f, 0.3f, 0.2f, 8.7f, 1.1f, points); // in sight
    assert_int_equal(path.count, 1);
    assert_int_equal(path.cost, 0);
    assert_int_equal(path.nodes, 0);
    assert_true(points[0].x == 8.7f);
    path = path_of(f, 0.3f, 5.2f, 8.7f, 5.1f, points);
    kn_vec3 few[2];
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){0.3f, 5.2f, 0};
    query.to = (kn_vec3){8.7f, 5.1f, 6};
    path = kn_path_find(f->world, &query, few, 2);
    assert_int_equal(path.result, KN_PATH_PARTIAL); // there is more
    assert_int_equal(path.count, 2);
    assert_true(few[0].x == points[0].x && few[1].y == points[1].y);
    path = kn_path_find(f->world, &query, points, 64);
    assert_true(points[0].z > 0.0f && points[1].z > points[0].z); // z follows along the way
    assert_true(points[2].z == 6.0f);
}

// Against all paths ---------------------------------------------------------------------

static uint64_t random_next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static bool map_free(const char *rows, int x, int y)
{
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && rows[y * (SIDE + 1) + x] == '.';
}

// The cost of the way to every cell, by looking at all of them until nothing changes.
static void costs_fill(const char *rows, int x, int y, uint32_t *costs)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        costs[i] = FAR;
    }
    if (!map_free(rows, x, y)) {
        return;
    }
    costs[y * SIDE + x] = 0;
    for (bool changes = true; changes;) {
        changes = false;
        for (int at = 0; at < SIDE * SIDE; at++) {
            const int cx = at % SIDE, cy = at / SIDE;
            for (int d = 0; d < 9 && costs[at] != FAR; d++) {
                const int dx = d % 3 - 1, dy = d / 3 - 1;
                const uint32_t cost = costs[at] + (dx != 0 && dy != 0 ? 1414u : 1000u);
                if ((dx == 0 && dy == 0) || !map_free(rows, cx + dx, cy + dy) ||
                    !map_free(rows, cx + dx, cy) || !map_free(rows, cx, cy + dy)) {
                    continue;
                }
                uint32_t *other = &costs[(cy + dy) * SIDE + cx + dx];
                changes = changes || cost < *other;
                *other = cost < *other ? cost : *other;
            }
        }
    }
}

// The reachable cell nearest to one; -1 if there is none.
static int nearest_reachable(const uint32_t *costs, int x, int y)
{
    int best = -1, best_square = 0;
    for (int at = 0; at < SIDE * SIDE; at++) {
        const int dx = at % SIDE - x, dy = at / SIDE - y, square = dx * dx + dy * dy;
        if (costs[at] != FAR && (best < 0 || square < best_square)) {
            best = at;
            best_square = square;
        }
    }
    return best;
}

static void path_check(fixture *f, const char *rows, const uint32_t *costs, int x0, int y0, int x1,
    int y1, uint32_t *kinds)
{
    kn_vec3 points[SIDE * SIDE];
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){(float)x0 + 0.5f, (float)y0 + 0.5f, 0};
    query.to = (kn_vec3){(float)x1 + 0.5f, (float)y1 + 0.5f, 0};
    query.slack = 3.0f;
    const bool sees = kn_map_line_is_free(f->world, query.map, query.from, query.to);
    const kn_path path = kn_path_find(f->world, &query, points, SIDE * SIDE);
    const int end = nearest_reachable(costs, x1, y1);
    const int dx = end % SIDE - x1, dy = end / SIDE - y1;
    const bool is_blocked = !map_free(rows, x1, y1);
    if (dx * dx + dy * dy > (is_blocked ? 9 : 0)) {
        assert_int_equal(path.result, KN_PATH_NONE);
        assert_int_equal(path.count, 0);
        kinds[0]++;
        return;
    }
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(path.count > 0);
    if (!is_blocked && !sees) {
        assert_int_equal(path.cost, costs[end]);
    }
    kinds[is_blocked ? 1 : 2]++;
    kn_vec3 from = query.from;
    for (uint32_t i = 0; i < path.count; i++) {
        assert_true(kn_map_line_is_free(f->world, query.map, from, points[i]));
        from = points[i];
    }
    assert_true(from.x == (float)(end % SIDE) + 0.5f && from.y == (float)(end / SIDE) + 0.5f);
}

// The same between any points of two cells.
static void points_check(
    fixture *f, const uint32_t *costs, int x0, int y0, int x1, int y1, uint64_t *random)
{
    kn_vec3 points[SIDE * SIDE];
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from.x = (float)x0 + (float)(random_next(random) % 256) / 256.0f;
    query.from.y = (float)y0 + (float)(random_next(random) % 256) / 256.0f;
    query.to.x = (float)x1 + (float)(random_next(random) % 256) / 256.0f;
    query.to.y = (float)y1 + (float)(random_next(random) % 256) / 256.0f;
    if (costs[y1 * SIDE + x1] == FAR) {
        return;
    }
    const kn_path path = kn_path_find(f->world, &query, points, SIDE * SIDE);
    assert_int_equal(path.result, KN_PATH_FOUND);
    kn_vec3 from = query.from;
    for (uint32_t i = 0; i < path.count; i++) {
        assert_true(kn_map_line_is_free(f->world, query.map, from, points[i]));
        from = points[i];
    }
    assert_true(from.x == query.to.x && from.y == query.to.y);
}

static void no_path_is_shorter(void **state)
{
    uint64_t random = 7;
    uint32_t kinds[3] = {0};
    (void)state;
    for (uint32_t round = 0; round < 60 / SHARE(4); round++) {
        fixture *f = fixture_create();
        void *own = f;
        char rows[SIDE * (SIDE + 1) + 1];
        uint32_t costs[SIDE * SIDE];
        const uint64_t share = 5 + round % 12 * 4; // of blocked cells, in percent
        for (uint32_t i = 0; i < SIDE * (SIDE + 1); i++) {
            const bool is_blocked = random_next(&random) % 100 < share;
            rows[i] = i % (SIDE + 1) == SIDE ? '\n' : is_blocked ? '#' : '.';
        }
        rows[SIDE * (SIDE + 1)] = 0;
        begin_on(f, rows);
        for (uint32_t i = 0; i < 40; i++) {
            const int x0 = (int)(random_next(&random) % SIDE);
            const int y0 = (int)(random_next(&random) % SIDE);
            costs_fill(rows, x0, y0, costs);
            for (uint32_t j = 0; map_free(rows, x0, y0) && j < 8; j++) {
                const int x1 = (int)(random_next(&random) % SIDE);
                const int y1 = (int)(random_next(&random) % SIDE);
                path_check(f, rows, costs, x0, y0, x1, y1, kinds);
                points_check(f, costs, x0, y0, x1, y1, &random);
            }
        }
        (void)teardown_fixture(&own);
    }
    assert_true(kinds[0] > 100 / SHARE(4) && kinds[1] > 100 / SHARE(4) &&
                kinds[2] > 100 / SHARE(4)); // all of them were there
}

// Rules -----------------------------------------------------------------------------------

static void a_blocked_goal_is_the_nearest_free_cell(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, ".........\n"
                "...###...\n"
                "...###...\n"
                "...###...\n"
                ".........\n");
    kn_path path = path_of(f, 0.5f, 2.5f, 4.5f, 2.5f, points);
    assert_int_equal(path.result, KN_PATH_FOUND);
    // Four are equally near: the one with the lowest y.
    assert_true(points[path.count - 1].x == 4.5f && points[path.count - 1].y == 0.5f);
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){0.5f, 2.5f, 0};
    query.to = (kn_vec3){4.5f, 2.5f, 0};
    query.slack = 1.9f; // too far
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_NONE);
    query.range = 2.0f; // near enough
    path = kn_path_find(f->world, &query, points, 64);
    assert_int_equal(path.result, KN_PATH_FOUND);
    kn_vec3 end = points[path.count - 1];
    assert_true(sqrtf((end.x - 4.5f) * (end.x - 4.5f) + (end.y - 2.5f) * (end.y - 2.5f)) <= 2.0f);
}

static void a_goal_that_cannot_be_reached_may_be_within_range(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, "....##...\n"
                "....##...\n"
                "....##...\n");
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){0.5f, 1.5f, 0};
    query.to = (kn_vec3){6.5f, 1.5f, 0};
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_NONE);
    query.range = 2.5f;
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_NONE);
    query.range = 3.0f; // across the wall
    kn_path path = kn_path_find(f->world, &query, points, 64);
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(points[path.count - 1].x == 3.5f && points[path.count - 1].y == 1.5f);
}

static void paths_begin_and_end_beside_what_is_blocked_and_outside(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, "#....\n"
                ".....\n"
                "....#\n");
    kn_path path = path_of(f, 0.5f, 0.5f, 3.5f, 2.5f, points); // out of a blocked cell
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(points[0].x == 1.5f && points[0].y == 0.5f);
    path = path_of(f, -2, -3, 7, 9, points); // from edge to edge
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(points[0].x == 1.5f && points[0].y == 0.5f);
    assert_true(points[path.count - 1].x == 3.5f && points[path.count - 1].y == 2.5f);
    path = path_of(f, 0.5f, 1.5f, 50, 1.5f, points);
    assert_int_equal(path.result, KN_PATH_NONE); // too far outside
    path = path_of(f, -50, 1.5f, 2, 1.5f, points);
    assert_int_equal(path.result, KN_PATH_NONE);
    path = path_of(f, 4.999f, 0, 0, 2.999f, points); // the edges belong to the map
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(points[path.count - 1].x == 0.0f && points[path.count - 1].y == 2.999f);
}

static void bad_queries_find_nothing(void **state)
{
    fixture *f = *state;
    kn_vec3 points[4];
    begin_on(f, "...\n...\n");
    kn_path_query good = kn_path_query_default(), query;
    good.map = f->walk_def.map;
    good.from = (kn_vec3){0.5f, 0.5f, 0};
    good.to = (kn_vec3){2.5f, 1.5f, 0};
    assert_int_equal(kn_path_find(f->world, &good, points, 4).result, KN_PATH_FOUND);
    assert_int_equal(kn_path_find(f->world, &good, points, 0).result, KN_PATH_NONE);
    query = good;
    query.map.index1 = 9;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
    query = good;
    query.to.y = NAN;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
    query = good;
    query.range = -1;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
    query = good;
    query.slack = INFINITY;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
    query = good;
    query.limit = 0;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
    query.limit = KN_PATH_NODES_MAX + 1;
    assert_int_equal(kn_path_find(f->world, &query, points, 4).result, KN_PATH_NONE);
}

static void bad_maps_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        const char *rows, *message;
        float cell_size;
    } cases[] = {
        {"...\n..\n", "row 2 has 2 cells", 1},
        {"..\n...\n", "row 2 has 3 cells", 1},
        {"..\n.x\n", "cell 2 of row 2", 1},
        {"", "needs `rows`", 1},
        {NULL, "needs `rows`", 1},
        {"..", "cell_size", 0},
        {"..", "cell_size", -1},
        {"..", "cell_size", NAN},
    };
    kn_error error;
    kn_map_id map = {7};
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_map_def def = kn_map_def_default();
        def.name = "Bad";
        def.rows = cases[i].rows;
        def.cell_size = cases[i].cell_size;
        assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(map.index1, 0);
        assert_non_null(strstr(error.message, cases[i].message));
    }
    kn_map_def def = kn_map_def_default();
    static char wide[KN_MAP_SIDE_MAX + 2], high[KN_MAP_SIDE_MAX * 2 + 3];
    memset(wide, '.', KN_MAP_SIDE_MAX + 1);
    for (uint32_t i = 0; i < KN_MAP_SIDE_MAX * 2 + 2; i++) {
        high[i] = i % 2 == 0 ? '.' : '\n';
    }
    def.name = "Bad";
    def.rows = wide;
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_ERROR_BAD_DATA);
    def.rows = high;
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "1024"));
    wide[KN_MAP_SIDE_MAX] = high[KN_MAP_SIDE_MAX * 2] = 0;
    def.name = "Wide";
    def.rows = wide;
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_OK);
    def.name = "High";
    def.rows = high;
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_OK);
    def.origin.x = INFINITY;
    def.name = "Lost";
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_ERROR_BAD_DATA);
    def = kn_map_def_default();
    def.name = "Raw";
    def.rows = "..";
    def.cookie = 0;
    assert_int_equal(kn_map_register(f->library, &def, &map, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_map_register(f->library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    kn_mover_def mover = f->walk_def;
    mover.search_limit = 0;
    assert_int_equal(kn_mover_register(f->library, &mover, NULL, &error), KN_ERROR_BAD_DATA);
    mover.search_limit = 4097;
    assert_int_equal(kn_mover_register(f->library, &mover, NULL, &error), KN_ERROR_BAD_DATA);
    mover = f->walk_def;
    mover.slack = -1;
    assert_int_equal(kn_mover_register(f->library, &mover, NULL, &error), KN_ERROR_BAD_DATA);
    begin(f);
    assert_int_equal(kn_map_find(f->library, "High").index1, map.index1 == 0 ? 2 : map.index1);
    assert_string_equal(kn_map_get_def(f->library, (kn_map_id){1})->name, "Wide");
    assert_null(kn_map_get_def(f->library, (kn_map_id){9}));
}

// Limits ----------------------------------------------------------------------------------

// A comb that a path has to go up and down.
#define COMB                                                                                       \
    "...............\n"                                                                            \
    ".#.#.#.#.#.#.#.\n"                                                                            \
    ".#.#.#.#.#.#.#.\n"

static void a_search_has_a_limit(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, ".#.....#.....#.\n"
                ".#.###.#.###.#.\n"
                ".#.#.#.#.#.#.#.\n"
                ".#.#.#.#.#.#.#.\n"
                ".#.#.#.#.#.#.#.\n"
                "...#...#.#...#.\n"
                "##.#####.#####.\n"
                "...............\n");
    kn_path_query query = kn_path_query_default();
    query.map = f->walk_def.map;
    query.from = (kn_vec3){0.5f, 0.5f, 0};
    query.to = (kn_vec3){14.5f, 0.5f, 0};
    kn_path path = kn_path_find(f->world, &query, points, 64);
    assert_int_equal(path.result, KN_PATH_FOUND);
    assert_true(path.nodes > 8);
    query.limit = path.nodes;
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_FOUND);
    bool was_partial = false;
    for (uint32_t limit = path.nodes - 1; limit >= 1; limit--) {
        query.limit = limit;
        kn_path part = kn_path_find(f->world, &query, points, 64);
        assert_true(part.nodes <= limit);
        assert_true(part.cells <= limit * 64 + 1);
        was_partial = was_partial || part.result == KN_PATH_PARTIAL;
        for (uint32_t i = 0; i < part.count; i++) {
            kn_vec3 from = i > 0 ? points[i - 1] : query.from;
            assert_true(kn_map_line_is_free(f->world, query.map, from, points[i]));
        }
    }
    assert_true(was_partial);
    // Nothing that it sees is nearer to the goal than where it begins.
    query.from = (kn_vec3){0.5f, 0.5f, 0};
    query.to = (kn_vec3){2.5f, 0.5f, 0};
    query.limit = 1;
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_NONE);
    query.limit = 64;
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_FOUND);
}

// With its small limit the unit searches several times on its way.
static void a_unit_goes_part_by_part(void **state)
{
    fixture *f = *state;
    f->walk_def.search_limit = 8;
    begin_on(f, "...........................\n"
                ".#.#.#.#.#.#.#.#.#.#.#.#.#.\n"
                "...........................\n"
                ".#.#.#.#.#.#.#.#.#.#.#.#.#.\n"
                "...........................\n");
    kn_path_query query = kn_path_query_default();
    kn_vec3 points[64];
    query.map = f->walk_def.map;
    query.from = (kn_vec3){0.5f, 0.5f, 0};
    query.to = (kn_vec3){26.5f, 4.5f, 0};
    query.limit = 8;
    kn_path path = kn_path_find(f->world, &query, points, 64);
    assert_int_equal(path.result, KN_PATH_PARTIAL);
    query.range = 26.5f - points[path.count - 1].x + 2.0f; // near enough for a part
    assert_int_equal(kn_path_find(f->world, &query, points, 64).result, KN_PATH_FOUND);
    put(f, f->a, 0.5f, 0.5f);
    (void)go(f, f->a, 26.5f, 4.5f, 0);
    step(f, KN_S(20));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 26.5f, 4.5f);
}

// Units on maps -----------------------------------------------------------------------------

static void a_unit_follows_its_path_in_exact_time(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, COMB);
    put(f, f->a, 0.5f, 2.5f);
    kn_path path = path_of(f, 0.5f, 2.5f, 4.5f, 2.5f, points);
    double length = 0.0;
    for (uint32_t i = 0; i < path.count; i++) {
        kn_vec3 from = i > 0 ? points[i - 1] : (kn_vec3){0.5f, 2.5f, 0};
        double x = (double)points[i].x - (double)from.x, y = (double)points[i].y - (double)from.y;
        length += sqrt(x * x + y * y);
    }
    (void)go(f, f->a, 4.5f, 2.5f, 0);
    kn_time time = kn_time_from_seconds(length / 4.0);
    while (info_of(f, f->a).result == KN_MOVE_RUNNING) {
        assert_false(kn_map_is_blocked(f->world, f->walk_def.map, place_of(f, f->a)));
        step(f, KN_MS(7));
    }
    const seen_move *last = last_of(f, f->a);
    assert_int_equal(last->info.result, KN_MOVE_ARRIVED);
    // Each leg has whole microseconds.
    assert_true(last->time >= time - path.count && last->time <= time + path.count);
    EXPECT_AT(f->a, 4.5f, 2.5f);
}

static void units_say_that_there_is_no_way(void **state)
{
    fixture *f = *state;
    begin_on(f, "...#...\n"
                "...#...\n");
    put(f, f->a, 0.5f, 0.5f);
    (void)go(f, f->a, 6.5f, 0.5f, 0);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_UNREACHABLE);
    EXPECT_AT(f->a, 0.5f, 0.5f);
    step(f, KN_S(1));
    EXPECT_ENDED(f->a, KN_MOVE_UNREACHABLE, 0);
    EXPECT_AT(f->a, 0.5f, 0.5f);
    (void)go(f, f->a, 4.5f, 0.5f, 2.25f); // near enough across the wall
    step(f, KN_S(2));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_true(place_of(f, f->a).x >= 2.25f && place_of(f, f->a).x < 3.0f);
}

static void a_target_behind_a_corner_is_followed(void **state)
{
    fixture *f = *state;
    begin_on(f, COMB);
    put(f, f->a, 0.5f, 2.5f);
    put(f, f->flag, 2.5f, 2.5f);
    (void)follow(f, f->a, f->flag, 0);
    step(f, KN_MS(300));
    put(f, f->flag, 2.75f, 2.75f); // in the same cell
    step(f, KN_MS(100));
    put(f, f->flag, 4.5f, 2.5f); // in another one
    step(f, KN_MS(100));
    put(f, f->flag, 4.25f, 2.75f);
    step(f, KN_S(10));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 4.25f, 2.75f);
}

static void a_target_that_comes_back_is_not_looked_for_where_it_was(void **state)
{
    fixture *f = *state;
    begin_on(f, COMB);
    put(f, f->a, 0.5f, 2.5f);
    put(f, f->flag, 14.5f, 2.5f);
    (void)follow(f, f->a, f->flag, 0);
    step(f, KN_MS(500));
    put(f, f->flag, 2.5f, 2.5f);
    step(f, KN_MS(2000)); // to the old place alone it would take longer
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 2.5f, 2.5f);
}

// What the world blocks -----------------------------------------------------------------------

static void rectangles_block_the_cells_they_overlap(void **state)
{
    fixture *f = *state;
    kn_component_id first, second;
    begin_on(f, "........\n........\n........\n........\n");
    const kn_map_id map = f->walk_def.map;
    assert_int_equal(kn_map_block(f->world, (kn_entity_id){0}, map, (kn_vec3){1, 1, 0},
                         (kn_vec3){3, 2.5f, 0}, &first),
        KN_OK);
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){1.5f, 1.5f, 0}));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){2.5f, 2.9f, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){3.5f, 1.5f, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){0.5f, 1.5f, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){1.5f, 0.5f, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){1.5f, 3.5f, 0}));
    // They overlap: what the other blocks stays.
    assert_int_equal(
        kn_map_block(f->world, f->flag, map, (kn_vec3){2, 2, 0}, (kn_vec3){90, 90, 0}, &second),
        KN_OK);
    assert_true(kn_map_unblock(f->world, first));
    assert_false(kn_map_unblock(f->world, first));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){1.5f, 1.5f, 0}));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){2.5f, 2.5f, 0}));
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){7.5f, 3.5f, 0}));
    assert_true(kn_entity_destroy(f->world, f->flag)); // with its entity
    step(f, 0);
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){2.5f, 2.5f, 0}));
    assert_false(kn_map_unblock(f->world, second));
    // A point, and what is outside.
    assert_int_equal(
        kn_map_block(f->world, f->b, map, (kn_vec3){4, 0, 0}, (kn_vec3){4, 0, 0}, NULL), KN_OK);
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){4.1f, 0.1f, 0}));
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){5.1f, 0.1f, 0}));
    assert_int_equal(
        kn_map_block(f->world, f->b, map, (kn_vec3){-1e30f, -5, 0}, (kn_vec3){-2, 1e30f, 0}, NULL),
        KN_OK);
    assert_false(kn_map_is_blocked(f->world, map, (kn_vec3){0.1f, 0.1f, 0}));
}

static void maps_are_blocked_one_by_one(void **state)
{
    fixture *f = *state;
    kn_map_def def = kn_map_def_default();
    kn_map_id other;
    kn_component_id block;
    def.name = "Other";
    def.rows =
        "........................................\n........................................\n";
    def.origin = (kn_vec3){-10, -1, 0};
    assert_int_equal(kn_map_register(f->library, &def, &other, NULL), KN_OK);
    begin_on(f, "....\n....\n");
    const kn_map_id map = f->walk_def.map;
    const kn_vec3 low = {1, 0, 0}, high = {2, 1, 0}, inside = {1.5f, 0.5f, 0};
    assert_int_equal(kn_map_block(f->world, f->a, map, low, high, &block), KN_OK);
    assert_false(kn_map_is_blocked(f->world, other, inside));
    assert_int_equal(kn_map_block(f->world, f->b, other, low, high, NULL), KN_OK);
    assert_true(kn_map_is_blocked(f->world, other, inside));
    assert_true(kn_map_is_blocked(f->world, map, inside));
    assert_true(kn_map_unblock(f->world, block));
    assert_false(kn_map_is_blocked(f->world, map, inside));
    assert_true(kn_map_is_blocked(f->world, other, inside));
    assert_false(kn_map_is_blocked(f->world, other, (kn_vec3){-8.5f, -0.5f, 0}));
}

static void bad_rectangles_are_refused(void **state)
{
    fixture *f = *state;
    kn_component_id block = {7, 7};
    begin_on(f, "..\n..\n");
    const kn_map_id map = f->walk_def.map;
    const kn_vec3 low = {0, 0, 0}, high = {1, 1, 0}, nan = {NAN, 0, 0};
    const uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(
        kn_map_block(f->world, f->a, (kn_map_id){9}, low, high, &block), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(block.index1, 0);
    assert_int_equal(kn_map_block(f->world, f->a, map, nan, high, NULL), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_map_block(f->world, f->a, map, high, low, NULL), KN_REFUSED_BAD_NUMBER);
    assert_false(kn_map_unblock(f->world, (kn_component_id){5, 5}));
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_true(kn_entity_destroy(f->world, f->pawn));
    assert_int_equal(kn_map_block(f->world, f->pawn, map, low, high, NULL), KN_REFUSED_STALE_ID);
    kn_world_def def = kn_world_def_default();
    kn_world *client;
    def.library = f->library;
    def.is_client = true;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    assert_int_equal(
        kn_map_block(client, (kn_entity_id){0}, map, low, high, NULL), KN_REFUSED_BLOCKED);
    kn_world_destroy(client);
}

static void a_unit_goes_around_what_was_built_meanwhile(void **state)
{
    fixture *f = *state;
    kn_component_id block;
    begin_on(f, "..........\n..........\n..........\n..........\n..........\n");
    const kn_map_id map = f->walk_def.map;
    put(f, f->a, 0.5f, 2.5f);
    (void)go(f, f->a, 9.5f, 2.5f, 0);
    step(f, KN_MS(500));
    assert_int_equal(kn_map_block(f->world, (kn_entity_id){0}, map, (kn_vec3){5, 0, 0},
                         (kn_vec3){6, 4, 0}, &block),
        KN_OK);
    float highest = 0.0f;
    while (info_of(f, f->a).result == KN_MOVE_RUNNING) {
        step(f, KN_MS(50));
        highest = fmaxf(highest, place_of(f, f->a).y);
        assert_false(kn_map_is_blocked(f->world, map, place_of(f, f->a)));
    }
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_true(highest >= 4.0f);
    // Something is built upon it: it gets out.
    assert_int_equal(
        kn_map_block(f->world, f->flag, map, (kn_vec3){8, 1, 0}, (kn_vec3){10, 4, 0}, NULL), KN_OK);
    assert_true(kn_map_is_blocked(f->world, map, place_of(f, f->a)));
    (void)go(f, f->a, 0.5f, 2.5f, 0);
    step(f, KN_S(10));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 0.5f, 2.5f);
    // The way is closed altogether.
    (void)go(f, f->a, 9.5f, 0.5f, 0);
    step(f, KN_MS(200));
    assert_int_equal(kn_map_block(f->world, (kn_entity_id){0}, map, (kn_vec3){5, 4, 0},
                         (kn_vec3){6, 5, 0}, NULL),
        KN_OK);
    step(f, KN_MS(100));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_UNREACHABLE);
    assert_true(kn_map_unblock(f->world, block));
    (void)go(f, f->a, 9.5f, 0.5f, 0);
    step(f, KN_S(10));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
}

// The same with any length of steps, with a snapshot and with a save in the middle.
static uint64_t maze_hash(uint32_t rate, bool rolls_back, bool is_saved)
{
    fixture *f = fixture_create();
    void *own = f;
    size_t size;
    begin_on(f, COMB);
    const kn_map_id map = f->walk_def.map;
    put(f, f->a, 0.5f, 2.5f);
    put(f, f->b, 14.5f, 2.5f);
    (void)go(f, f->a, 14.5f, 2.5f, 0);
    (void)follow(f, f->b, f->a, 1);
    play(f, rate, KN_MS(1230));
    assert_int_equal(
        kn_map_block(f->world, f->flag, map, (kn_vec3){6, 2, 0}, (kn_vec3){7, 3, 0}, NULL), KN_OK);
    play(f, rate, KN_MS(1500));
    if (rolls_back) {
        void *snapshot = snapshot_of(f->world, &size);
        assert_true(kn_entity_destroy(f->world, f->flag));
        step(f, KN_S(2));
        snapshot_restore(f->world, snapshot, size);
        assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){6.5f, 2.5f, 0}));
        free(snapshot);
    }
    if (is_saved) {
        void *save = save_of(f->world, &size);
        kn_grid_destroy(f->grid);
        kn_world_destroy(f->world);
        world_make(f, &f->world, &f->grid);
        save_load(f->world, save, size);
        free(save);
    }
    play(f, rate, KN_S(20));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_int_equal(info_of(f, f->b).result, KN_MOVE_ARRIVED);
    assert_true(kn_map_is_blocked(f->world, map, (kn_vec3){6.5f, 2.5f, 0}));
    uint64_t hash = kn_world_hash(f->world);
    (void)teardown_fixture(&own);
    return hash;
}

static void paths_are_part_of_the_state(void **state)
{
    (void)state;
    const uint64_t hash = maze_hash(1, false, false);
    assert_int_equal(maze_hash(30, false, false), hash);
    assert_int_equal(maze_hash(60, false, false), hash);
    assert_int_equal(maze_hash(144, false, false), hash);
    assert_int_equal(maze_hash(60, true, false), hash);
    assert_int_equal(maze_hash(60, false, true), hash);
}

// A save of a world whose map has grown since: what is blocked is worked out again.
static void a_map_may_be_another_when_a_save_is_loaded(void **state)
{
    fixture *f = *state, *other = fixture_create();
    void *own = other;
    size_t size;
    begin_on(f, "....\n....\n....\n");
    assert_int_equal(kn_map_block(f->world, (kn_entity_id){0}, f->walk_def.map, (kn_vec3){2, 0, 0},
                         (kn_vec3){3, 2, 0}, NULL),
        KN_OK);
    void *save = save_of(f->world, &size);
    begin_on(other, ".....\n.....\n.....\n.....\n");
    save_load(other->world, save, size);
    put(other, f->a, 0.5f, 0.5f);
    kn_move move = kn_move_to_point((kn_vec3){4.5f, 0.5f, 0}, 0);
    assert_int_equal(kn_move_start(other->world, f->a, &move, NULL), KN_OK);
    assert_true(kn_map_is_blocked(other->world, other->walk_def.map, (kn_vec3){2.5f, 1.5f, 0}));
    assert_false(kn_map_is_blocked(other->world, other->walk_def.map, (kn_vec3){2.5f, 2.5f, 0}));
    step(other, KN_MS(1500)); // straight on it would be there after one second
    assert_int_equal(info_of(other, f->a).result, KN_MOVE_RUNNING);
    step(other, KN_S(1));
    assert_int_equal(info_of(other, f->a).result, KN_MOVE_ARRIVED);
    free(save);
    (void)teardown_fixture(&own);
}

// The same number of cells, elsewhere.
static void a_map_may_be_elsewhere_when_a_save_is_loaded(void **state)
{
    fixture *f = *state, *other = fixture_create();
    void *own = other;
    size_t size;
    begin_on(f, "....\n....\n");
    assert_int_equal(kn_map_block(f->world, f->flag, f->walk_def.map, (kn_vec3){2, 0, 0},
                         (kn_vec3){3, 1, 0}, NULL),
        KN_OK);
    void *save = save_of(f->world, &size);
    kn_map_def map = kn_map_def_default();
    map.name = "Field";
    map.rows = "....\n....\n";
    map.origin.x = 1.0f;
    assert_int_equal(kn_map_register(other->library, &map, &other->walk_def.map, NULL), KN_OK);
    begin(other);
    save_load(other->world, save, size);
    put(other, f->a, 1.5f, 0.5f);
    kn_move move = kn_move_to_point((kn_vec3){4.5f, 0.5f, 0}, 0);
    assert_int_equal(kn_move_start(other->world, f->a, &move, NULL), KN_OK);
    assert_true(kn_map_is_blocked(other->world, other->walk_def.map, (kn_vec3){2.5f, 0.5f, 0}));
    assert_false(kn_map_is_blocked(other->world, other->walk_def.map, (kn_vec3){3.5f, 0.5f, 0}));
    free(save);
    (void)teardown_fixture(&own);
}

// A save of a world whose mover has another rate since.
static void a_mover_may_have_another_rate_when_a_save_is_loaded(void **state)
{
    fixture *f = *state, *other = fixture_create();
    void *own = other;
    size_t size;
    begin_on(f, "....................\n");
    put(f, f->a, 0.5f, 0.5f);
    (void)go(f, f->a, 18.5f, 0.5f, 0);
    step(f, KN_MS(730));
    void *save = save_of(f->world, &size);
    other->walk_def.rate = 7;
    begin_on(other, "....................\n");
    save_load(other->world, save, size);
    step(other, KN_S(4));
    const seen_move *last = last_of(other, f->a);
    assert_int_equal(last->info.result, KN_MOVE_ARRIVED);
    assert_int_equal(last->time, KN_MS(4500));
    free(save);
    (void)teardown_fixture(&own);
}

// Of equal ways it is always the same one.
static void equal_ways_have_an_order(void **state)
{
    fixture *f = *state;
    kn_vec3 points[64];
    begin_on(f, ".......\n"
                "...#...\n"
                "...#...\n"
                "...#...\n"
                ".......\n");
    kn_path path = path_of(f, 1.5f, 2.5f, 5.5f, 2.5f, points); // below or above the wall
    assert_int_equal(path.count, 3);
    assert_true(points[0].y == 4.5f && points[1].y == 4.5f);
    path = path_of(f, 5.5f, 2.5f, 1.5f, 2.5f, points);
    assert_true(points[0].y == 4.5f && points[1].y == 4.5f);
    assert_int_equal(path.nodes, 9);
}

static const struct CMUnitTest tests[] = {
    TEST(lines_touch_the_cells_they_pass),
    TEST(corners_are_not_cut),
    TEST(a_path_has_no_more_points_than_it_needs),
    cmocka_unit_test(no_path_is_shorter),
    TEST(a_blocked_goal_is_the_nearest_free_cell),
    TEST(a_goal_that_cannot_be_reached_may_be_within_range),
    TEST(paths_begin_and_end_beside_what_is_blocked_and_outside),
    TEST(bad_queries_find_nothing),
    TEST(bad_maps_are_refused),
    TEST(a_search_has_a_limit),
    TEST(a_unit_goes_part_by_part),
    TEST(a_unit_follows_its_path_in_exact_time),
    TEST(units_say_that_there_is_no_way),
    TEST(a_target_behind_a_corner_is_followed),
    TEST(a_target_that_comes_back_is_not_looked_for_where_it_was),
    TEST(rectangles_block_the_cells_they_overlap),
    TEST(maps_are_blocked_one_by_one),
    TEST(bad_rectangles_are_refused),
    TEST(a_unit_goes_around_what_was_built_meanwhile),
    cmocka_unit_test(paths_are_part_of_the_state),
    TEST(a_map_may_be_another_when_a_save_is_loaded),
    TEST(a_map_may_be_elsewhere_when_a_save_is_loaded),
    TEST(a_mover_may_have_another_rate_when_a_save_is_loaded),
    TEST(equal_ways_have_an_order),
};

TEST_GROUP(order_mover_paths, tests, NULL, NULL);
