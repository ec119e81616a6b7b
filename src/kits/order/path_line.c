// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cells, points and lines. Lines are followed in whole numbers, 1024 for each cell, so that it does
// not depend on rounding which cells they touch.

#include "path_parts.h"

#define PARTS 1024
#define FAR (1 << 30)

// A coordinate in parts of a cell, rounded down. Far away is far enough.
static int64_t parts_of(float value, float origin, float size)
{
    double parts = ((double)value - (double)origin) / (double)size * PARTS;
    if (!(parts > -FAR)) {
        return -FAR;
    }
    if (parts > FAR) {
        return FAR;
    }
    int64_t whole = (int64_t)parts;
    return (double)whole > parts ? whole - 1 : whole;
}

static int32_t cell_of(int64_t parts)
{
    return (int32_t)((parts + FAR) / PARTS) - FAR / PARTS; // rounded down
}

cell knc_path_cell(const map_plan *map, kn_vec3 point)
{
    const kn_map_def *def = map->def;
    return (cell){
        cell_of(parts_of(point.x, def->origin.x, def->cell_size)),
        cell_of(parts_of(point.y, def->origin.y, def->cell_size)),
    };
}

kn_vec3 knc_path_center(const map_plan *map, cell at, float z)
{
    const kn_map_def *def = map->def;
    return (kn_vec3){def->origin.x + ((float)at.x + 0.5f) * def->cell_size,
        def->origin.y + ((float)at.y + 0.5f) * def->cell_size, z};
}

// One coordinate of a point that moves along a line.
typedef struct axis {
    int32_t at, end; // cells
    int32_t step;
    int64_t next;   // parts from the start to the next border
    int64_t length; // parts from the start to the end
} axis;

static axis axis_of(int64_t from, int64_t to)
{
    axis a = {.at = cell_of(from), .end = cell_of(to), .step = to < from ? -1 : 1};
    const int64_t low = (int64_t)a.at * PARTS;
    a.next = to < from ? from - low : low + PARTS - from;
    a.length = to < from ? from - to : to - from;
    return a;
}

static void axis_step(axis *a)
{
    a->at += a->step;
    a->next += PARTS;
}

bool knc_path_sees(const map_view *view, kn_vec3 from, kn_vec3 to)
{
    const kn_map_def *def = view->map->def;
    axis x = axis_of(parts_of(from.x, def->origin.x, def->cell_size),
        parts_of(to.x, def->origin.x, def->cell_size));
    axis y = axis_of(parts_of(from.y, def->origin.y, def->cell_size),
        parts_of(to.y, def->origin.y, def->cell_size));
    if (!cell_is_free(view, x.at, y.at) || !cell_is_free(view, x.end, y.end)) {
        return false;
    }
    while (x.at != x.end || y.at != y.end) {
        const int64_t to_x = x.next * y.length, to_y = y.next * x.length;
        bool steps_x = x.at != x.end && (y.at == y.end || to_x <= to_y);
        bool steps_y = y.at != y.end && (x.at == x.end || to_y <= to_x);
        if (steps_x && steps_y &&
            (!cell_is_free(view, x.at + x.step, y.at) ||
                !cell_is_free(view, x.at, y.at + y.step))) {
            return false; // through a corner
        }
        if (steps_x) {
            axis_step(&x);
        }
        if (steps_y) {
            axis_step(&y);
        }
        if (!cell_is_free(view, x.at, y.at)) {
            return false;
        }
    }
    return true;
}

// Takes a cell if it is free and nearer than the one before.
static void near_try(const map_view *view, cell to, int32_t x, int32_t y, int64_t *best, cell *out)
{
    const int64_t dx = x - to.x, dy = y - to.y, square = dx * dx + dy * dy;
    bool is_better =
        square < *best || (square == *best && (y < out->y || (y == out->y && x < out->x)));
    if (is_better && cell_is_free(view, x, y)) {
        *best = square;
        *out = (cell){x, y};
    }
}

static int32_t limit(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

// Ring by ring, as long as a ring can hold a nearer one. Of a ring only what is on the map.
bool knc_path_free_near(const map_view *view, cell to, int32_t reach, cell *out)
{
    const int32_t width = (int32_t)view->map->width, height = (int32_t)view->map->height;
    int64_t best = INT64_MAX;
    *out = (cell){INT32_MAX, INT32_MAX};
    const cell nearest = {limit(to.x, 0, width - 1), limit(to.y, 0, height - 1)};
    const int32_t away_x = nearest.x > to.x ? nearest.x - to.x : to.x - nearest.x;
    const int32_t away_y = nearest.y > to.y ? nearest.y - to.y : to.y - nearest.y;
    for (int32_t r = away_x > away_y ? away_x : away_y; r <= reach && (int64_t)r * r <= best; r++) {
        if (to.x + r >= width && to.y + r >= height && to.x - r < 0 && to.y - r < 0) {
            break; // the map is inside of it
        }
        const int32_t x0 = limit(to.x - r, 0, width), x1 = limit(to.x + r, -1, width - 1);
        const int32_t y0 = limit(to.y - r + 1, 0, height), y1 = limit(to.y + r - 1, -1, height - 1);
        for (int32_t x = x0; x <= x1; x++) {
            near_try(view, to, x, to.y - r, &best, out);
            near_try(view, to, x, to.y + r, &best, out);
        }
        for (int32_t y = y0; y <= y1; y++) {
            near_try(view, to, to.x - r, y, &best, out);
            near_try(view, to, to.x + r, y, &best, out);
        }
    }
    return best != INT64_MAX;
}
