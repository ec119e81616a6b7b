// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about maps and paths share.
#ifndef KNACK_ORDER_PATH_PARTS_H
#define KNACK_ORDER_PATH_PARTS_H

#include "mover_parts.h"

// Points of a way that a mover keeps. A longer one is looked for again at the end of its part.
#define PATH_POINTS 64

// A map, worked out when the library is finished: a bit for each cell, 32 cells a word. Bits after
// the end of a row are set.
typedef struct map_plan {
    const kn_map_def *def;
    uint32_t width, height;
    uint32_t stride; // words of a row
    uint32_t first;  // of its words among those of all maps
    uint32_t *bits;  // 1: blocked
} map_plan;

// A map as it is now in a world.
typedef struct map_view {
    const map_plan *map;    // NULL: unknown
    const uint32_t *blocks; // cells that something blocks; NULL: nothing does
} map_view;

typedef struct cell {
    int32_t x, y;
} cell;

static inline bool cell_is_free(const map_view *view, int32_t x, int32_t y)
{
    const map_plan *map = view->map;
    if ((uint32_t)x >= map->width || (uint32_t)y >= map->height) {
        return false;
    }
    const uint32_t word = (uint32_t)y * map->stride + (uint32_t)x / 32;
    const uint32_t bits = map->bits[word] | (view->blocks != NULL ? view->blocks[word] : 0);
    return (bits >> ((uint32_t)x % 32) & 1) == 0;
}

// 32 cells of a row, from the lowest bit on; all are blocked outside of the map.
static inline uint32_t row_word(const map_view *view, int32_t y, int32_t word)
{
    const map_plan *map = view->map;
    if ((uint32_t)y >= map->height || (uint32_t)word >= map->stride) {
        return UINT32_MAX;
    }
    const uint32_t at = (uint32_t)y * map->stride + (uint32_t)word;
    return map->bits[at] | (view->blocks != NULL ? view->blocks[at] : 0);
}

// path_map.c
kn_result knc_path_maps_register(kn_library *library, mover_kit *kit, kn_error *error);
void knc_path_maps_release(mover_kit *kit);
map_view knc_path_view(const kn_world *world, kn_map_id map);
// Rises whenever something is blocked, or no more.
uint32_t knc_path_version(const kn_world *world);
// After a save was loaded, the maps may be others than those it was written with.
void knc_path_refresh(kn_world *world);

// path_line.c
cell knc_path_cell(const map_plan *map, kn_vec3 point);
kn_vec3 knc_path_center(const map_plan *map, cell at, float z);
// Whether a line touches only free cells.
bool knc_path_sees(const map_view *view, kn_vec3 from, kn_vec3 to);
// The free cell nearest to one, not further away than `reach` cells along x or y; false if there is
// none. Of those that are equally far the one with the lowest y, then x.
bool knc_path_free_near(const map_view *view, cell to, int32_t reach, cell *out);

#endif
