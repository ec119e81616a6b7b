// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Formations: the points of a group, and who gets which. The same bits on every machine: sums and
// square roots, and no angles but those of a fixed turn.

#include "parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Points --------------------------------------------------------------------------

// Where a point is, seen from the middle of the formation: ahead and to the left.
typedef struct slot {
    float forward, side;
} slot;

static uint32_t ceil_sqrt(uint32_t number)
{
    uint32_t root = (uint32_t)sqrt((double)number);
    while ((uint64_t)root * root < number) {
        root++;
    }
    return root;
}

static slot block_slot(uint32_t index, uint32_t count, float spacing)
{
    uint32_t columns = ceil_sqrt(count);
    uint32_t rows = (count + columns - 1) / columns;
    uint32_t row = index / columns, column = index % columns;
    uint32_t length = row + 1 < rows ? columns : count - row * columns;
    return (slot){((float)(rows - 1) / 2.0f - (float)row) * spacing,
        ((float)column - (float)(length - 1) / 2.0f) * spacing};
}

// The tip, then pairs behind it, right and left; its middle is the middle of all rows.
static slot wedge_slot(uint32_t index, uint32_t count, float spacing)
{
    uint32_t row = (index + 1) / 2, rows = (count + 2) / 2;
    float side = (float)row * spacing;
    return (slot){((float)(rows - 1) / 2.0f - (float)row) * spacing, index % 2 == 1 ? -side : side};
}

// Cosine and sine of a part of a full turn, by a series: the C library's differ between machines.
static void turn(uint32_t part, uint32_t all, double *cosine, double *sine)
{
    const double pi = 3.14159265358979323846;
    double x = 2.0 * pi * (double)part / (double)all - pi; // -pi to pi, then turned by half
    double term = 1.0, sum_cosine = 0.0, sum_sine = 0.0;
    for (uint32_t i = 0; i < 32; i++) {
        double *sum = i % 2 == 0 ? &sum_cosine : &sum_sine;
        *sum += i % 4 < 2 ? term : -term;
        term *= x / (double)(i + 1);
    }
    *cosine = -sum_cosine;
    *sine = -sum_sine;
}

// Neighbours are `spacing` apart along the circle.
static slot ring_slot(uint32_t index, uint32_t count, float spacing)
{
    const double pi = 3.14159265358979323846;
    double radius = (double)count * (double)spacing / (2.0 * pi), cosine, sine;
    turn(index, count, &cosine, &sine);
    return (slot){(float)(cosine * radius), (float)(sine * radius)};
}

static slot slot_of(kn_formation_shape shape, uint32_t index, uint32_t count, float spacing)
{
    float middle = (float)(count - 1) / 2.0f;
    if (count == 1) {
        return (slot){0.0f, 0.0f};
    }
    switch (shape) {
    case KN_FORMATION_BLOCK:
        return block_slot(index, count, spacing);
    case KN_FORMATION_LINE:
        return (slot){0.0f, ((float)index - middle) * spacing};
    case KN_FORMATION_COLUMN:
        return (slot){(middle - (float)index) * spacing, 0.0f};
    case KN_FORMATION_WEDGE:
        return wedge_slot(index, count, spacing);
    case KN_FORMATION_RING:
        return ring_slot(index, count, spacing);
    default:
        return (slot){0.0f, 0.0f};
    }
}

void kn_formation_slots(
    kn_formation_shape shape, uint32_t count, float spacing, kn_vec3 from, kn_vec3 to, kn_vec3 *out)
{
    float x = to.x - from.x, y = to.y - from.y;
    float length = sqrtf(x * x + y * y);
    bool has_direction = length > 0.0f && isfinite(length);
    x = has_direction ? x / length : 1.0f;
    y = has_direction ? y / length : 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        slot s = slot_of(shape, i, count, spacing);
        out[i] =
            (kn_vec3){to.x + s.forward * x - s.side * y, to.y + s.forward * y + s.side * x, to.z};
    }
}

// Who gets which ------------------------------------------------------------------------

static kn_vec3 mean(const kn_vec3 *points, uint32_t count)
{
    double x = 0.0, y = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        x += (double)points[i].x;
        y += (double)points[i].y;
    }
    return (kn_vec3){(float)(x / (double)count), (float)(y / (double)count), 0.0f};
}

typedef struct assignment {
    const kn_vec3 *units;
    const int32_t *ranks;
    const kn_vec3 *points;
    kn_vec3 start, goal;
    uint32_t count;
    const uint32_t *first; // with ranks: of each unit the first point for its rank, and how many
    const uint32_t *room;
    uint32_t *unit_of; // of each point
    const kn_hooks *hooks;
} assignment;

// A unit without a point yet: where it is in the group.
typedef struct candidate {
    double x, y;
    int32_t rank;
    uint32_t unit;
} candidate;

// Higher ranks first, equal ones as the caller has them.
static void candidates_fill(const assignment *a, candidate *left)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const candidate next = {(double)a->units[i].x - (double)a->start.x,
            (double)a->units[i].y - (double)a->start.y, a->ranks != NULL ? a->ranks[i] : 0, i};
        uint32_t at = i;
        for (; at > 0 && left[at - 1].rank < next.rank; at--) {
            left[at] = left[at - 1];
        }
        left[at] = next;
    }
}

// Point after point, the most similar one of the highest rank that is left; the first of equals.
static kn_result assign_greedy(const assignment *a)
{
    candidate *left = kn_memory_resize(a->hooks, NULL, 0, a->count * sizeof(*left));
    if (left == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    candidates_fill(a, left);
    for (uint32_t point = 0; point < a->count; point++) {
        const double x = (double)a->points[point].x - (double)a->goal.x;
        const double y = (double)a->points[point].y - (double)a->goal.y;
        const uint32_t left_count = a->count - point;
        double best_cost = DBL_MAX;
        uint32_t best = 0;
        for (uint32_t i = 0; i < left_count && left[i].rank == left[0].rank; i++) {
            double dx = left[i].x - x, dy = left[i].y - y;
            double cost = dx * dx + dy * dy;
            if (cost < best_cost) {
                best = i;
                best_cost = cost;
            }
        }
        a->unit_of[point] = left[best].unit;
        memmove(&left[best], &left[best + 1], (left_count - best - 1) * sizeof(*left));
    }
    kn_memory_free(a->hooks, left, a->count * sizeof(*left));
    return KN_OK;
}

// What the cheapest assignment needs: prices of points and units, and the way to a free point.
typedef struct matching {
    double *unit_price, *point_price, *least;
    uint32_t *unit_of, *way;
    uint8_t *is_used;
} matching;

#define WRONG_RANK 1e15 // more than any way costs

// Units of higher ranks come to the first points at any price.
static double match_cost(const assignment *a, uint32_t unit, uint32_t point)
{
    if (a->first != NULL && point - a->first[unit] >= a->room[unit]) {
        return WRONG_RANK;
    }
    double x = (double)a->units[unit].x - (double)a->points[point].x;
    double y = (double)a->units[unit].y - (double)a->points[point].y;
    return x * x + y * y;
}

// Finds a point for one more unit, and moves others if that is cheaper; 1-based, 0 is nobody.
static void match_one(const assignment *a, matching *m, uint32_t unit1)
{
    uint32_t n = a->count, at = 0;
    for (uint32_t j = 0; j <= n; j++) {
        m->least[j] = DBL_MAX;
        m->is_used[j] = 0;
    }
    m->unit_of[0] = unit1;
    do {
        uint32_t unit = m->unit_of[at], next = 0;
        double delta = DBL_MAX;
        m->is_used[at] = 1;
        for (uint32_t j = 1; j <= n; j++) {
            if (m->is_used[j] != 0) {
                continue;
            }
            double cost = match_cost(a, unit - 1, j - 1) - m->unit_price[unit] - m->point_price[j];
            if (cost < m->least[j]) {
                m->least[j] = cost;
                m->way[j] = at;
            }
            if (m->least[j] < delta) {
                delta = m->least[j];
                next = j;
            }
        }
        for (uint32_t j = 0; j <= n; j++) {
            if (m->is_used[j] != 0) {
                m->unit_price[m->unit_of[j]] += delta;
                m->point_price[j] -= delta;
            } else {
                m->least[j] -= delta;
            }
        }
        at = next;
    } while (m->unit_of[at] != 0);
    while (at != 0) {
        uint32_t before = m->way[at];
        m->unit_of[at] = m->unit_of[before];
        at = before;
    }
}

// Which points belong to the rank of each unit.
static void ranks_place(const assignment *a, uint32_t *first, uint32_t *room)
{
    for (uint32_t i = 0; i < a->count; i++) {
        first[i] = room[i] = 0;
        for (uint32_t j = 0; j < a->count; j++) {
            first[i] += a->ranks[j] > a->ranks[i];
            room[i] += a->ranks[j] == a->ranks[i];
        }
    }
}

// The cheapest assignment as a whole, in n^3 steps.
static kn_result assign_shortest(const assignment *a)
{
    const size_t n1 = (size_t)a->count + 1;
    const size_t size = n1 * (3 * sizeof(double) + 2 * sizeof(uint32_t) + 1);
    double *memory = kn_memory_resize(a->hooks, NULL, 0, size);
    if (memory == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(memory, 0, size);
    matching m = {.unit_price = memory, .point_price = memory + n1, .least = memory + n1 * 2};
    m.unit_of = (uint32_t *)(memory + n1 * 3);
    m.way = m.unit_of + n1;
    m.is_used = (uint8_t *)(m.way + n1);
    for (uint32_t i = 1; i <= a->count; i++) {
        match_one(a, &m, i);
    }
    for (uint32_t j = 1; j <= a->count; j++) {
        a->unit_of[j - 1] = m.unit_of[j] - 1;
    }
    kn_memory_free(a->hooks, memory, size);
    return KN_OK;
}

kn_result knc_formation_assign(const kn_hooks *hooks, kn_formation_rule rule, const kn_vec3 *units,
    const int32_t *ranks, uint32_t count, kn_vec3 center, kn_vec3 *points)
{
    if ((uint32_t)rule >= KN_FORMATION_RULE_COUNT ||
        (count > 0 && (units == NULL || points == NULL))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (count < 2) {
        return KN_OK;
    }
    const size_t size = (size_t)count * (3 * sizeof(uint32_t) + sizeof(kn_vec3));
    uint32_t *numbers = kn_memory_resize(hooks, NULL, 0, size);
    if (numbers == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_vec3 *sorted = (kn_vec3 *)(numbers + (size_t)count * 3);
    assignment a = {.units = units,
        .ranks = ranks,
        .points = points,
        .start = mean(units, count),
        .goal = center,
        .count = count,
        .unit_of = numbers,
        .hooks = hooks};
    kn_result result;
    if (rule == KN_FORMATION_SHORTEST) {
        if (ranks != NULL) {
            ranks_place(&a, numbers + count, numbers + (size_t)count * 2);
            a.first = numbers + count;
            a.room = numbers + (size_t)count * 2;
        }
        result = assign_shortest(&a);
    } else {
        result = assign_greedy(&a);
    }
    if (result == KN_OK) {
        for (uint32_t i = 0; i < count; i++) {
            sorted[numbers[i]] = points[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            points[i] = sorted[i];
        }
    }
    kn_memory_free(hooks, numbers, size);
    return result;
}

kn_result kn_formation_assign(kn_formation_rule rule, const kn_vec3 *units, const int32_t *ranks,
    uint32_t count, kn_vec3 center, kn_vec3 *points)
{
    return knc_formation_assign(NULL, rule, units, ranks, count, center, points);
}
