// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The index of a kn_grid. Bodies lie in chunks of a few, coordinate by coordinate, so that one
// chunk is compared with bounds at once. Each cell is a chain of chunks, of which only the first
// has room; cells are found by hash. A body is in the cell of its center; those larger than a cell
// are in a chain of their own, so that a query looks only a bounded distance beyond its bounds.
//
// The index never decides a result: bodies are found, tested, and then sorted by slot.
#ifndef KNI_GRID_H
#define KNI_GRID_H

#include "knack/component.h"
#include "knack/history.h"
#include "knack/space.h"
#include "knack/tools.h"
#include "knack/world.h"

#include "extra/lanes.h"
#include "extra/shape.h"

#define KNI_GRID_LANES 4

// 104 bytes. Unused lanes have no layers, so no query matches them.
typedef struct kni_grid_chunk {
    float at[3][KNI_GRID_LANES];
    float radius[KNI_GRID_LANES];
    uint32_t layers[KNI_GRID_LANES];
    uint32_t slot[KNI_GRID_LANES]; // of the entity
    uint32_t count;
    uint32_t next1; // chunk + 1, in a chain or among the free ones
} kni_grid_chunk;

// Coordinates along the two axes that are cut.
typedef struct kni_grid_key {
    int32_t a, b;
} kni_grid_key;

typedef struct kni_grid_cell {
    kni_grid_key key;
    uint32_t first1; // chunk + 1; 0: no cell here
} kni_grid_cell;

// Where the body of an entity is.
typedef struct kni_grid_ref {
    kni_grid_key key;
    uint32_t place1; // chunk * KNI_GRID_LANES + lane + 1; 0: nowhere
    uint32_t generation;
} kni_grid_ref;

struct kn_grid {
    kn_hooks hooks;
    kn_world *world;
    kn_component_type_id type; // of bodies
    float cell_size;
    uint32_t axis_a, axis_b;
    kn_space space;

    uint64_t changes;   // of the components, as far as the index knows them
    kni_grid_ref *refs; // by entity slot
    uint32_t ref_capacity;
    uint64_t *marks; // a bit per entity slot, then a bit per word of those; clear between queries
    uint32_t mark_words, mark_tops;
    kni_grid_chunk *chunks;
    uint32_t chunk_capacity, chunk_used, chunk_free1;
    kni_grid_cell *cells;                          // open addressing, at most half full
    uint32_t cell_capacity, cell_rows, cell_count; // room; rows in use, a power of two; cells
    uint32_t large1;                               // chain of bodies larger than a cell
    float margin;                                  // no body in a cell has a larger radius
    uint32_t body_count;
    uint32_t *list; // results of queries; a query made by a filter works above list_base
    uint32_t list_capacity, list_base;
    kn_history *history;    // that keeps its past, or NULL
    const kn_history *past; // the same while the past is shown, otherwise NULL
};

// No coordinate of a cell is further out: what lies beyond shares the last cells.
#define KNI_GRID_FAR (1 << 30)

// How often bodies have changed.
static inline uint64_t kni_grid_changes(const kn_grid *grid)
{
    return kn_component_change_count(grid->world, grid->type);
}

// The entity that the index shows in a slot.
static inline kn_entity_id kni_grid_id(const kn_grid *grid, uint32_t slot)
{
    kn_entity_id id = {slot + 1, grid->refs[slot].generation};
    return id;
}

// False if one of the numbers is NaN or infinite.
static inline bool kni_grid_is_finite(kn_vec3 v)
{
    return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
}

// A component may have been filled with anything; an invalid one touches nothing.
static inline bool kni_body_is_good(const kn_body *body)
{
    return kni_grid_is_finite(body->position) && body->radius >= 0.0f &&
           body->radius - body->radius == 0.0f;
}

// Monotonic, so that an interval of coordinates is an interval of cells.
static inline int32_t kni_grid_coordinate(const kn_grid *grid, float value)
{
    float cell = value / grid->cell_size;
    if (!(cell > -(float)KNI_GRID_FAR)) {
        return -KNI_GRID_FAR;
    }
    if (cell >= (float)KNI_GRID_FAR) {
        return KNI_GRID_FAR;
    }
    int32_t whole = (int32_t)cell;
    return whole - ((float)whole > cell);
}

static inline uint32_t kni_grid_hash(kni_grid_key key)
{
    uint64_t hash = (uint64_t)(uint32_t)key.a << 32 | (uint32_t)key.b;
    hash *= 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(hash >> 32);
}

// Where a cell is, or where it would be.
static inline kni_grid_cell *kni_grid_find(const kn_grid *grid, kni_grid_key key)
{
    uint32_t mask = grid->cell_rows - 1;
    uint32_t at = kni_grid_hash(key) & mask;
    while (grid->cells[at].first1 != 0 &&
           (grid->cells[at].key.a != key.a || grid->cells[at].key.b != key.b)) {
        at = (at + 1) & mask;
    }
    return &grid->cells[at];
}

// Brings the index up to date. False without memory for it, or while a filter runs.
bool kni_grid_update(kn_grid *grid);
// Room for the results of a query, beyond what is in use.
bool kni_grid_list_reserve(kn_grid *grid);
// The same for a query of the past, which may find `extra` bodies that the index does not have, and
// marks for slots below `slots`.
bool kni_grid_past_reserve(kn_grid *grid, uint32_t slots, uint32_t extra);
bool kni_grid_validate(const kn_grid *grid);

// The functions of its space (grid_query.c).
kn_space kni_grid_space_of(kn_grid *grid);

#endif
