// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The search for paths: A* over jump points. Only cells where a shortest path may have to turn
// become nodes; between them the search runs along rows, columns and diagonals. All memory is on
// the stack, and bounded by the limit of the search.

#include "path_parts.h"

#include <math.h>
#include <string.h>

#define NO_NODE UINT16_MAX
#define CLOSED UINT16_MAX // instead of a place in the heap
#define CELLS_PER_NODE 64 // that are looked at, at most

// In order of their creation.
typedef struct path_node {
    int16_t x, y;
    uint32_t cost;  // from the start
    uint32_t total; // with the estimate to the goal
    uint16_t parent;
    uint16_t heap; // place in the heap, or CLOSED
} path_node;

typedef struct search {
    map_view view;
    cell start, end; // end: where the path is to lead
    cell goal;       // what is wanted; it may be blocked
    uint32_t limit;
    uint32_t cells, cells_max;
    uint32_t count, heap_count;
    uint32_t mask;
    bool is_full;
    // The cell nearest to the goal, from the node `best_from` around the corner `best_via`.
    cell best, best_via;
    int64_t best_square;
    uint16_t best_from, from; // from: the node that is being expanded
    path_node nodes[KN_PATH_NODES_MAX];
    uint16_t heap[KN_PATH_NODES_MAX];
    uint16_t table[KN_PATH_NODES_MAX * 2]; // nodes by cell; NO_NODE: none
} search;

static cell node_cell(const path_node *n)
{
    return (cell){n->x, n->y};
}

static bool cell_equal(cell a, cell b)
{
    return a.x == b.x && a.y == b.y;
}

static uint32_t steps_cost(cell a, cell b)
{
    uint32_t x = (uint32_t)(a.x > b.x ? a.x - b.x : b.x - a.x);
    uint32_t y = (uint32_t)(a.y > b.y ? a.y - b.y : b.y - a.y);
    uint32_t both = x < y ? x : y, one = x < y ? y - x : x - y;
    return both * KN_PATH_COST_DIAGONAL + one * KN_PATH_COST_STRAIGHT;
}

static int64_t square_of(cell a, cell b)
{
    int64_t x = (int64_t)a.x - b.x, y = (int64_t)a.y - b.y;
    return x * x + y * y;
}

// The heap ----------------------------------------------------------------------------------

static bool node_is_before(const search *s, uint16_t a, uint16_t b)
{
    const path_node *l = &s->nodes[a], *r = &s->nodes[b];
    if (l->total != r->total) {
        return l->total < r->total;
    }
    return l->cost != r->cost ? l->cost > r->cost : a < b; // higher cost: nearer to the goal
}

static void heap_put(search *s, uint32_t at, uint16_t node)
{
    s->heap[at] = node;
    s->nodes[node].heap = (uint16_t)at;
}

static void heap_rise(search *s, uint32_t at, uint16_t node)
{
    while (at > 0 && node_is_before(s, node, s->heap[(at - 1) / 2])) {
        heap_put(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(s, at, node);
}

static uint16_t heap_take(search *s)
{
    const uint16_t first = s->heap[0], node = s->heap[--s->heap_count];
    uint32_t at = 0;
    while (at * 2 + 1 < s->heap_count) {
        uint32_t child = at * 2 + 1;
        if (child + 1 < s->heap_count && node_is_before(s, s->heap[child + 1], s->heap[child])) {
            child++;
        }
        if (!node_is_before(s, s->heap[child], node)) {
            break;
        }
        heap_put(s, at, s->heap[child]);
        at = child;
    }
    if (s->heap_count > 0) {
        heap_put(s, at, node);
    }
    s->nodes[first].heap = CLOSED;
    return first;
}

// Nodes ---------------------------------------------------------------------------------------

static uint32_t table_find(const search *s, cell at)
{
    uint32_t i = ((uint32_t)at.x * UINT32_C(2654435761) ^ (uint32_t)at.y * UINT32_C(2246822519));
    for (i = (i ^ i >> 15) & s->mask; s->table[i] != NO_NODE; i = (i + 1) & s->mask) {
        if (cell_equal(node_cell(&s->nodes[s->table[i]]), at)) {
            break;
        }
    }
    return i;
}

static void node_reach(search *s, cell at, uint32_t cost, uint16_t parent)
{
    const uint32_t place = table_find(s, at);
    uint16_t node = s->table[place];
    if (node == NO_NODE) {
        if (s->count >= s->limit) {
            s->is_full = true;
            return;
        }
        node = (uint16_t)s->count++;
        s->table[place] = node;
        s->nodes[node] = (path_node){
            (int16_t)at.x, (int16_t)at.y, cost, cost + steps_cost(at, s->end), parent, 0};
        heap_rise(s, s->heap_count++, node);
        return;
    }
    path_node *n = &s->nodes[node];
    if (n->heap != CLOSED && cost < n->cost) {
        n->total -= n->cost - cost;
        n->cost = cost;
        n->parent = parent;
        heap_rise(s, n->heap, node);
    }
}

// Jumps ---------------------------------------------------------------------------------------

static bool is_free(const search *s, int32_t x, int32_t y)
{
    return cell_is_free(&s->view, x, y);
}

static void cell_see(search *s, cell at, cell via)
{
    const int64_t square = square_of(at, s->goal);
    s->cells++;
    if (square < s->best_square ||
        (square == s->best_square &&
            (at.y < s->best.y || (at.y == s->best.y && at.x < s->best.x)))) {
        s->best = at;
        s->best_via = via;
        s->best_square = square;
        s->best_from = s->from;
    }
}

// Of a straight run of cells only one can be nearer to the goal than all before.
static void run_see(search *s, cell from, cell to, cell via)
{
    const int32_t low_x = from.x < to.x ? from.x : to.x, high_x = from.x < to.x ? to.x : from.x;
    const int32_t low_y = from.y < to.y ? from.y : to.y, high_y = from.y < to.y ? to.y : from.y;
    const cell nearest = {
        s->goal.x < low_x ? low_x : (s->goal.x > high_x ? high_x : s->goal.x),
        s->goal.y < low_y ? low_y : (s->goal.y > high_y ? high_y : s->goal.y),
    };
    cell_see(s, nearest, via);
    s->cells += (uint32_t)(high_x - low_x + high_y - low_y);
}

static int32_t lowest_bit(uint32_t bits)
{
    int32_t at = 0;
    for (int32_t half = 16; half > 0; half /= 2) {
        if ((bits & ((1u << half) - 1)) == 0) {
            bits >>= half;
            at += half;
        }
    }
    return at;
}

static int32_t highest_bit(uint32_t bits)
{
    int32_t at = 0;
    for (int32_t half = 16; half > 0; half /= 2) {
        if (bits >> half != 0) {
            bits >>= half;
            at += half;
        }
    }
    return at;
}

// Free cells of a row whose neighbour on the way there is blocked. `before`: the word that comes
// before this one on the way.
static uint32_t turns_of(uint32_t blocked, uint32_t before, int32_t dx)
{
    return ~blocked & (dx > 0 ? blocked << 1 | before >> 31 : blocked >> 1 | before << 31);
}

// Along a row until a shortest path may have to turn: at the end, or where a blocked cell of the
// row above or below is passed. 32 cells at once.
static bool jump_row(search *s, cell *at, int32_t dx, cell via)
{
    const int32_t y = at->y, x = at->x + dx;
    if ((uint32_t)x >= s->view.map->width) {
        return false;
    }
    int32_t word = x / 32;
    uint32_t mask = dx > 0 ? UINT32_MAX << (x % 32) : UINT32_MAX >> (31 - x % 32);
    uint32_t low_before = row_word(&s->view, y - 1, word - dx);
    uint32_t high_before = row_word(&s->view, y + 1, word - dx);
    for (;; word += dx) {
        const uint32_t own = row_word(&s->view, y, word);
        const uint32_t low = row_word(&s->view, y - 1, word);
        const uint32_t high = row_word(&s->view, y + 1, word);
        uint32_t stops = own | turns_of(low, low_before, dx) | turns_of(high, high_before, dx);
        if (y == s->end.y && s->end.x / 32 == word) {
            stops |= 1u << (s->end.x % 32);
        }
        stops &= mask;
        if (stops != 0) {
            const int32_t bit = dx > 0 ? lowest_bit(stops) : highest_bit(stops);
            const bool is_free = (own >> bit & 1) == 0;
            const cell last = {word * 32 + bit - (is_free ? 0 : dx), y};
            if (last.x != at->x) {
                run_see(s, (cell){x, y}, last, via);
            }
            *at = last;
            return is_free;
        }
        mask = UINT32_MAX;
        low_before = low;
        high_before = high;
    }
}

// Blocked cells of a row: the one at x - 1, at x and at x + 1, from the lowest bit on.
static uint32_t three_of(const map_view *view, int32_t x, int32_t y)
{
    const int32_t word = x / 32, bit = x % 32;
    const uint32_t own = row_word(view, y, word);
    if (bit == 0) {
        return (own << 1 & 7) | row_word(view, y, word - 1) >> 31;
    }
    if (bit == 31) {
        return own >> 30 | (row_word(view, y, word + 1) & 1) << 2;
    }
    return own >> (bit - 1) & 7;
}

// The same along a column.
static bool jump_column(search *s, cell *at, int32_t dy, cell via)
{
    const int32_t x = at->x, first = at->y + dy;
    uint32_t before = three_of(&s->view, x, at->y);
    for (int32_t y = first;; y += dy) {
        const uint32_t now = three_of(&s->view, x, y);
        const bool is_blocked = (now & 2) != 0;
        const bool turns = (~now & before & 5) != 0 || (y == s->end.y && x == s->end.x);
        if (is_blocked || turns) {
            const cell last = {x, is_blocked ? y - dy : y};
            if (last.y != at->y) {
                run_see(s, (cell){x, first}, last, via);
            }
            *at = last;
            return !is_blocked;
        }
        before = now;
    }
}

static bool jump_straight(search *s, cell *at, int32_t dx, int32_t dy, cell via)
{
    return dx != 0 ? jump_row(s, at, dx, via) : jump_column(s, at, dy, via);
}

// Along a diagonal until there is something along a row or column.
static bool jump_diagonal(search *s, cell *at, int32_t dx, int32_t dy)
{
    int32_t x = at->x, y = at->y;
    while (s->cells < s->cells_max) {
        if (!is_free(s, x + dx, y) || !is_free(s, x, y + dy) || !is_free(s, x + dx, y + dy)) {
            return false;
        }
        x += dx;
        y += dy;
        *at = (cell){x, y};
        cell_see(s, *at, *at);
        cell row = *at, column = *at;
        if (cell_equal(*at, s->end) || jump_straight(s, &row, dx, 0, *at) ||
            jump_straight(s, &column, 0, dy, *at)) {
            return true;
        }
    }
    s->is_full = true;
    return false;
}

static void jump(search *s, int32_t dx, int32_t dy)
{
    const path_node *n = &s->nodes[s->from];
    const cell from = node_cell(n);
    cell at = from;
    if (s->cells >= s->cells_max) {
        s->is_full = true;
        return;
    }
    const bool found =
        dx != 0 && dy != 0 ? jump_diagonal(s, &at, dx, dy) : jump_straight(s, &at, dx, dy, from);
    if (found) {
        node_reach(s, at, n->cost + steps_cost(from, at), s->from);
    }
}

static int32_t sign(int32_t value)
{
    return (value > 0) - (value < 0);
}

// Only directions that no shorter path has taken already.
static void expand(search *s, uint16_t node)
{
    static const int8_t all[8][2] = {
        {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const path_node *n = &s->nodes[node];
    const int32_t x = n->x, y = n->y;
    s->from = node;
    if (n->parent == NO_NODE) {
        for (uint32_t i = 0; i < COUNT(all); i++) {
            jump(s, all[i][0], all[i][1]);
        }
        return;
    }
    const int32_t dx = sign(x - s->nodes[n->parent].x), dy = sign(y - s->nodes[n->parent].y);
    if (dx != 0 && dy != 0) {
        jump(s, dx, 0);
        jump(s, 0, dy);
        jump(s, dx, dy);
        return;
    }
    jump(s, dx, dy);
    jump(s, dy, dx);
    jump(s, -dy, -dx);
    jump(s, dx + dy, dy + dx);
    jump(s, dx - dy, dy - dx);
}

// The node at the end; NO_NODE if it was not reached.
static uint16_t search_run(search *s)
{
    uint32_t size = 64;
    while (size < s->limit * 2) {
        size *= 2;
    }
    s->mask = size - 1;
    memset(s->table, 0xff, size * sizeof(*s->table));
    s->cells_max = s->limit * CELLS_PER_NODE;
    s->best = s->best_via = s->start;
    s->best_square = square_of(s->start, s->goal);
    s->best_from = 0;
    node_reach(s, s->start, 0, NO_NODE);
    while (s->heap_count > 0 && !s->is_full) {
        const uint16_t node = heap_take(s);
        if (cell_equal(node_cell(&s->nodes[node]), s->end)) {
            return node;
        }
        expand(s, node);
    }
    return NO_NODE;
}

// Ways --------------------------------------------------------------------------------------

// The points of a way, as they are added: those that can be left out are.
typedef struct way {
    const map_view *view;
    kn_vec3 from;         // where it begins
    kn_vec3 anchor, last; // the last point that stays, and the one after it
    kn_vec3 *points;
    uint32_t count, capacity;
    bool has_last;
    bool is_cut;
} way;

static void way_keep(way *w, kn_vec3 point)
{
    if (w->count >= w->capacity) {
        w->is_cut = true;
        return;
    }
    w->points[w->count++] = point;
    w->anchor = point;
}

static void way_add(way *w, kn_vec3 point)
{
    if (w->has_last && !knc_path_sees(w->view, w->anchor, point)) {
        way_keep(w, w->last);
    }
    w->last = point;
    w->has_last = true;
}

static void way_end(way *w)
{
    if (w->has_last) {
        way_keep(w, w->last);
    }
}

static double length_of(kn_vec3 a, kn_vec3 b)
{
    return (double)knc_order_distance(a, b);
}

// Heights rise evenly along the way.
static void heights_set(const kn_path_query *query, kn_vec3 *points, uint32_t count)
{
    double all = 0.0, so_far = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        all += length_of(i > 0 ? points[i - 1] : query->from, points[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        so_far += length_of(i > 0 ? points[i - 1] : query->from, points[i]);
        float share = all > 0.0 ? (float)(so_far / all) : 1.0f;
        points[i].z = query->from.z + (query->to.z - query->from.z) * share;
    }
}

// The first point of a line that is within the range of a goal; false if there is none.
static bool line_enters(kn_vec3 from, kn_vec3 to, kn_vec3 goal, float range, kn_vec3 *out)
{
    const double dx = (double)to.x - (double)from.x, dy = (double)to.y - (double)from.y;
    const double gx = (double)goal.x - (double)from.x, gy = (double)goal.y - (double)from.y;
    const double length = dx * dx + dy * dy;
    if (length <= 0.0) {
        return false;
    }
    const double nearest = (gx * dx + gy * dy) / length;
    const double side_x = gx - dx * nearest, side_y = gy - dy * nearest;
    const double rest = (double)range * (double)range - (side_x * side_x + side_y * side_y);
    double share = rest >= 0.0 ? nearest - (double)sqrtf((float)(rest / length)) : 2.0;
    for (uint32_t i = 0; i < 8 && share <= 1.0; i++) { // rounding must not leave it outside
        const float at = share > 0.0 ? (float)share : 0.0f;
        *out = (kn_vec3){from.x + (to.x - from.x) * at, from.y + (to.y - from.y) * at,
            from.z + (to.z - from.z) * at};
        if (knc_order_distance(*out, goal) <= range) {
            return true;
        }
        share += (nearest - share) * 0.001;
    }
    *out = to;
    return knc_order_distance(to, goal) <= range;
}

// Ends the way where it comes within the range.
static void way_shorten(const kn_path_query *query, kn_vec3 *points, kn_path *path)
{
    for (uint32_t i = 0; query->range > 0.0f && i < path->count; i++) {
        kn_vec3 end;
        if (line_enters(
                i > 0 ? points[i - 1] : query->from, points[i], query->to, query->range, &end)) {
            points[i] = end;
            path->count = i + 1;
            path->result = KN_PATH_FOUND;
        }
    }
}

// A walk along the nodes of a way, and then to the cell nearest to the goal if it ends there.
typedef struct walk {
    uint16_t node;
    cell rest[2];
    uint32_t at, count; // of the rest
} walk;

// Turns parents into children, from the end of a way back to its start.
static walk walk_begin(search *s, uint16_t node, bool is_best)
{
    walk w = {NO_NODE, {s->best_via, s->best}, 0, is_best ? 2 : 0};
    while (node != NO_NODE) {
        const uint16_t parent = s->nodes[node].parent;
        s->nodes[node].parent = w.node;
        w.node = node;
        node = parent;
    }
    return w;
}

static bool walk_next(const search *s, walk *w, cell *out)
{
    if (w->node != NO_NODE) {
        *out = node_cell(&s->nodes[w->node]);
        w->node = s->nodes[w->node].parent;
        return true;
    }
    if (w->at < w->count) {
        *out = w->rest[w->at++];
        return true;
    }
    return false;
}

// From where it begins over all cells to the goal, if that is in the last one.
static void way_walk(const search *s, walk *steps, const kn_path_query *query, way *w)
{
    const map_plan *map = s->view.map;
    const kn_vec3 begin = knc_path_center(map, s->start, 0.0f);
    const bool is_inside = cell_equal(knc_path_cell(map, query->from), s->start);
    cell at = s->start, end = s->start;
    bool goes_on = true;
    while (goes_on && cell_equal(at, s->start)) {
        goes_on = walk_next(s, steps, &at);
    }
    if (!is_inside) { // out of what is blocked
        way_keep(w, begin);
    }
    for (; goes_on; goes_on = walk_next(s, steps, &at)) {
        way_add(w, knc_path_center(map, at, 0.0f));
        end = at;
    }
    if (cell_equal(end, knc_path_cell(map, query->to))) {
        way_add(w, query->to);
    } else if (cell_equal(end, s->start) && is_inside) {
        way_add(w, begin);
    }
    way_end(w);
}

// Searches --------------------------------------------------------------------------------------

kn_path_query kn_path_query_default(void)
{
    kn_path_query query = {.slack = 8.0f, .limit = 2048};
    return query;
}

static int32_t reach_of(const map_plan *map, float distance)
{
    float cells = distance / map->def->cell_size + 1.0f;
    return cells < (float)(KN_MAP_SIDE_MAX * 2) ? (int32_t)cells : KN_MAP_SIDE_MAX * 2;
}

// The nearest free cell whose center is within a distance of a point; the own one if it is free.
static bool free_find(const map_view *view, kn_vec3 point, float distance, cell *out)
{
    const cell own = knc_path_cell(view->map, point);
    if (cell_is_free(view, own.x, own.y)) {
        *out = own;
        return true;
    }
    return knc_path_free_near(view, own, reach_of(view->map, distance), out) &&
           knc_order_distance(knc_path_center(view->map, *out, 0.0f), point) <= distance;
}

static bool query_is_good(const kn_path_query *query)
{
    const float numbers[] = {query->from.x, query->from.y, query->from.z, query->to.x, query->to.y,
        query->to.z, query->range, query->slack};
    for (uint32_t i = 0; i < COUNT(numbers); i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return query->range >= 0.0f && query->slack >= 0.0f && query->limit >= 1 &&
           query->limit <= KN_PATH_NODES_MAX;
}

// After the search: which node to go to, and how. NO_NODE if there is no way.
static uint16_t end_choose(
    const search *s, const kn_path_query *query, uint16_t found, float near_enough, kn_path *path)
{
    if (found != NO_NODE) {
        path->result = KN_PATH_FOUND;
        path->cost = s->nodes[found].cost;
        return found;
    }
    const kn_vec3 best = knc_path_center(s->view.map, s->best, 0.0f);
    if (s->is_full) {
        path->result =
            s->best_square < square_of(s->start, s->goal) ? KN_PATH_PARTIAL : KN_PATH_NONE;
    } else {
        path->result =
            knc_order_distance(best, query->to) <= near_enough ? KN_PATH_FOUND : KN_PATH_NONE;
    }
    path->cost = s->nodes[s->best_from].cost +
                 steps_cost(node_cell(&s->nodes[s->best_from]), s->best_via) +
                 steps_cost(s->best_via, s->best);
    return path->result == KN_PATH_NONE ? NO_NODE : s->best_from;
}

static kn_path path_search(
    const map_view *view, const kn_path_query *query, kn_vec3 *points, uint32_t capacity)
{
    search s; // its arrays are filled as far as they are used
    kn_path path = {.result = KN_PATH_NONE};
    s.view = *view;
    s.goal = knc_path_cell(view->map, query->to);
    s.limit = query->limit;
    s.cells = s.count = s.heap_count = 0;
    s.is_full = false;
    s.nodes[0] = (path_node){.parent = NO_NODE}; // that of the start
    const bool is_blocked = !cell_is_free(view, s.goal.x, s.goal.y);
    const float near_enough =
        is_blocked && query->slack > query->range ? query->slack : query->range;
    if (!free_find(view, query->from, query->slack, &s.start) ||
        !free_find(view, query->to, near_enough, &s.end)) {
        return path;
    }
    const uint16_t found = search_run(&s);
    path.nodes = s.count;
    path.cells = s.cells;
    const uint16_t node = end_choose(&s, query, found, near_enough, &path);
    if (node == NO_NODE) {
        path.cost = 0;
        return path;
    }
    walk steps = walk_begin(&s, node, found == NO_NODE);
    way w = {
        .view = view,
        .from = query->from,
        .anchor = query->from,
        .points = points,
        .capacity = capacity,
    };
    way_walk(&s, &steps, query, &w);
    path.count = w.count;
    path.result = w.is_cut ? KN_PATH_PARTIAL : path.result;
    return path;
}

kn_path kn_path_find(
    const kn_world *world, const kn_path_query *query, kn_vec3 *points, uint32_t capacity)
{
    kn_path path = {.result = KN_PATH_NONE};
    const map_view view = knc_mover_kit_of_world(world) != NULL ? knc_path_view(world, query->map)
                                                                : (map_view){NULL, NULL};
    if (view.map == NULL || capacity == 0 || !query_is_good(query)) {
        return path;
    }
    if (knc_path_sees(&view, query->from, query->to)) {
        path.result = KN_PATH_FOUND;
        path.count = 1;
        points[0] = query->to;
    } else {
        path = path_search(&view, query, points, capacity);
    }
    heights_set(query, points, path.count);
    way_shorten(query, points, &path);
    return path;
}
