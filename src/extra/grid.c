// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bodies as components of the world, and the index over them. The index has room for the worst
// case, every body alone in its cell, before it takes a body in: a move never needs memory. It
// knows whether it is in step by the number of changes of its component type, whose list of the
// latest ones says where it is not.

#include "extra/grid.h"
#include "extra/history.h"

#include "knack/def.h"

#include <string.h>

// The key of bodies that are in no cell.
static const kni_grid_key key_large = {INT32_MIN, INT32_MIN};

static bool key_equal(kni_grid_key a, kni_grid_key b)
{
    return a.a == b.a && a.b == b.b;
}

// Memory --------------------------------------------------------------------

static bool refs_reserve(kn_grid *grid, uint32_t slots)
{
    uint32_t old = grid->ref_capacity;
    if (!kn_memory_grow(
            &grid->hooks, &grid->refs, &grid->ref_capacity, slots, sizeof(*grid->refs))) {
        return false;
    }
    if (grid->ref_capacity > old) {
        memset(grid->refs + old, 0, (grid->ref_capacity - old) * sizeof(*grid->refs));
    }
    return true;
}

static bool marks_reserve(kn_grid *grid, uint32_t slots)
{
    uint32_t words = slots / 64 + 1, tops = words / 64 + 1;
    if (words <= grid->mark_words) {
        return true;
    }
    size_t old_size = ((size_t)grid->mark_words + grid->mark_tops) * sizeof(uint64_t);
    size_t size = ((size_t)words + tops) * sizeof(uint64_t);
    uint64_t *marks = kn_memory_resize(&grid->hooks, grid->marks, old_size, size);
    if (marks == NULL) {
        return false;
    }
    memset(marks, 0, size);
    grid->marks = marks;
    grid->mark_words = words;
    grid->mark_tops = tops;
    return true;
}

// Only as many rows are used as there are cells for, to keep them together in memory.
#define CELL_ROWS_MIN 16

static bool cells_reserve(kn_grid *grid, uint32_t bodies)
{
    if (bodies > UINT32_MAX / 8) {
        return false;
    }
    uint32_t capacity = grid->cell_capacity > 0 ? grid->cell_capacity : CELL_ROWS_MIN;
    while (capacity < bodies * 2) {
        capacity *= 2;
    }
    if (!kn_memory_grow(
            &grid->hooks, &grid->cells, &grid->cell_capacity, capacity, sizeof(*grid->cells))) {
        return false;
    }
    if (grid->cell_rows == 0) {
        grid->cell_rows = CELL_ROWS_MIN;
        memset(grid->cells, 0, grid->cell_rows * sizeof(*grid->cells));
    }
    return true;
}

bool kni_grid_list_reserve(kn_grid *grid)
{
    uint64_t wanted = (uint64_t)grid->list_base + grid->body_count + KNI_GRID_LANES;
    return wanted <= grid->list_capacity ||
           (wanted <= UINT32_MAX && kn_memory_grow(&grid->hooks, &grid->list, &grid->list_capacity,
                                        (uint32_t)wanted, sizeof(*grid->list)));
}

bool kni_grid_past_reserve(kn_grid *grid, uint32_t slots, uint32_t extra)
{
    uint64_t wanted = (uint64_t)grid->list_base + grid->body_count + extra + KNI_GRID_LANES;
    return marks_reserve(grid, slots) && wanted <= UINT32_MAX &&
           kn_memory_grow(&grid->hooks, &grid->list, &grid->list_capacity, (uint32_t)wanted,
               sizeof(*grid->list));
}

// Room for this many bodies, of entities in slots below `slots`. Without memory some of it
// may have been reserved; that does no harm.
static bool index_reserve(kn_grid *grid, uint32_t slots, uint32_t bodies)
{
    if (slots <= grid->ref_capacity && slots / 64 < grid->mark_words &&
        bodies <= grid->chunk_capacity && bodies <= grid->cell_capacity / 2 &&
        bodies + KNI_GRID_LANES <= grid->list_capacity) {
        return true;
    }
    return refs_reserve(grid, slots) && marks_reserve(grid, grid->ref_capacity) &&
           kn_memory_grow(
               &grid->hooks, &grid->chunks, &grid->chunk_capacity, bodies, sizeof(*grid->chunks)) &&
           cells_reserve(grid, bodies) &&
           kn_memory_grow(&grid->hooks, &grid->list, &grid->list_capacity, bodies + KNI_GRID_LANES,
               sizeof(*grid->list));
}

// The index -----------------------------------------------------------------

static uint32_t chunk_take(kn_grid *grid)
{
    uint32_t chunk = grid->chunk_free1 - 1;
    if (grid->chunk_free1 != 0) {
        grid->chunk_free1 = grid->chunks[chunk].next1;
    } else {
        KN_ASSERT(grid->chunk_used < grid->chunk_capacity);
        chunk = grid->chunk_used++;
    }
    memset(&grid->chunks[chunk], 0, sizeof(kni_grid_chunk));
    return chunk;
}

static void lane_write(kn_grid *grid, uint32_t place, uint32_t slot, const kn_body *body)
{
    kni_grid_chunk *chunk = &grid->chunks[place / KNI_GRID_LANES];
    uint32_t lane = place % KNI_GRID_LANES;
    chunk->at[0][lane] = body->position.x;
    chunk->at[1][lane] = body->position.y;
    chunk->at[2][lane] = body->position.z;
    chunk->radius[lane] = body->radius;
    chunk->layers[lane] = body->layers;
    chunk->slot[lane] = slot;
}

static void lane_copy(
    kni_grid_chunk *to, uint32_t to_lane, const kni_grid_chunk *from, uint32_t lane)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        to->at[axis][to_lane] = from->at[axis][lane];
    }
    to->radius[to_lane] = from->radius[lane];
    to->layers[to_lane] = from->layers[lane];
    to->slot[to_lane] = from->slot[lane];
}

// Twice as many rows. The list, which no query uses now, has room for a number per cell.
static void cells_spread(kn_grid *grid)
{
    KN_ASSERT(grid->list_base == 0 && grid->cell_rows * 2 <= grid->cell_capacity);
    uint32_t count = 0;
    for (uint32_t i = 0; i < grid->cell_rows; i++) {
        if (grid->cells[i].first1 != 0) {
            grid->list[count++] = grid->cells[i].first1;
        }
    }
    grid->cell_rows *= 2;
    memset(grid->cells, 0, grid->cell_rows * sizeof(*grid->cells));
    for (uint32_t i = 0; i < count; i++) {
        kni_grid_key key = grid->refs[grid->chunks[grid->list[i] - 1].slot[0]].key;
        *kni_grid_find(grid, key) = (kni_grid_cell){key, grid->list[i]};
    }
}

// Closes the gap that a cell leaves, so that no chain of probes is broken.
static void cell_erase(kn_grid *grid, kni_grid_cell *cell)
{
    uint32_t mask = grid->cell_rows - 1;
    uint32_t gap = (uint32_t)(cell - grid->cells);
    for (uint32_t at = (gap + 1) & mask; grid->cells[at].first1 != 0; at = (at + 1) & mask) {
        uint32_t home = kni_grid_hash(grid->cells[at].key) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            grid->cells[gap] = grid->cells[at];
            gap = at;
        }
    }
    grid->cells[gap] = (kni_grid_cell){0};
    grid->cell_count--;
}

static void index_insert(kn_grid *grid, uint32_t slot, kni_grid_key key, const kn_body *body)
{
    kni_grid_cell *cell = key_equal(key, key_large) ? NULL : kni_grid_find(grid, key);
    if (cell != NULL && cell->first1 == 0) {
        if ((grid->cell_count + 1) * 2 > grid->cell_rows) {
            cells_spread(grid);
            cell = kni_grid_find(grid, key);
        }
        cell->key = key;
        grid->cell_count++;
    }
    uint32_t *first1 = cell != NULL ? &cell->first1 : &grid->large1;
    if (*first1 == 0 || grid->chunks[*first1 - 1].count == KNI_GRID_LANES) {
        uint32_t chunk = chunk_take(grid);
        grid->chunks[chunk].next1 = *first1;
        *first1 = chunk + 1;
    }
    uint32_t place = (*first1 - 1) * KNI_GRID_LANES + grid->chunks[*first1 - 1].count++;
    lane_write(grid, place, slot, body);
    grid->refs[slot].key = key;
    grid->refs[slot].place1 = place + 1;
    grid->body_count++;
}

// The last body of the chain takes the place that becomes free.
static void index_remove(kn_grid *grid, uint32_t slot)
{
    kni_grid_ref *ref = &grid->refs[slot];
    kni_grid_cell *cell = key_equal(ref->key, key_large) ? NULL : kni_grid_find(grid, ref->key);
    uint32_t *first1 = cell != NULL ? &cell->first1 : &grid->large1;
    uint32_t place = ref->place1 - 1;
    kni_grid_chunk *first = &grid->chunks[*first1 - 1];
    uint32_t last = --first->count;
    lane_copy(&grid->chunks[place / KNI_GRID_LANES], place % KNI_GRID_LANES, first, last);
    grid->refs[first->slot[last]].place1 = place + 1;
    first->layers[last] = 0;
    if (first->count == 0) {
        uint32_t chunk1 = *first1;
        *first1 = first->next1;
        first->next1 = grid->chunk_free1;
        grid->chunk_free1 = chunk1;
        if (*first1 == 0 && cell != NULL) {
            cell_erase(grid, cell);
        }
    }
    *ref = (kni_grid_ref){0};
    grid->body_count--;
}

static kni_grid_key key_of(const kn_grid *grid, const kn_body *body)
{
    if (body->radius > grid->cell_size) {
        return key_large;
    }
    const float at[3] = {body->position.x, body->position.y, body->position.z};
    kni_grid_key key = {
        kni_grid_coordinate(grid, at[grid->axis_a]), kni_grid_coordinate(grid, at[grid->axis_b])};
    return key;
}

// The index shows the body of an entity as it is now. There must be room.
static void index_put(kn_grid *grid, uint32_t slot, uint32_t generation, const kn_body *body)
{
    kni_grid_ref *ref = &grid->refs[slot];
    if (!kni_body_is_good(body)) {
        if (ref->place1 != 0) {
            index_remove(grid, slot);
        }
        return;
    }
    kni_grid_key key = key_of(grid, body);
    if (ref->place1 != 0 && key_equal(ref->key, key)) {
        lane_write(grid, ref->place1 - 1, slot, body);
    } else {
        if (ref->place1 != 0) {
            index_remove(grid, slot);
        }
        index_insert(grid, slot, key, body);
    }
    ref->generation = generation;
    if (body->radius > grid->margin && !key_equal(key, key_large)) {
        grid->margin = body->radius;
    }
}

// Takes a body that is gone out of the index. All of these go before others come in: there is room
// for as many as there are.
static void index_drop(kn_grid *grid, uint32_t slot)
{
    if (slot < grid->ref_capacity && grid->refs[slot].place1 != 0 &&
        kn_component_read(grid->world, grid->type, kni_grid_id(grid, slot)) == NULL) {
        index_remove(grid, slot);
    }
}

static void index_follow(kn_grid *grid, kn_entity_id entity)
{
    // The null id would name the world's own component.
    const kn_body *body =
        entity.index1 != 0 ? kn_component_read(grid->world, grid->type, entity) : NULL;
    if (body != NULL) {
        index_put(grid, entity.index1 - 1, entity.generation, body);
    }
}

// Looks at every body. False without memory for them.
static bool index_follow_all(kn_grid *grid, const kn_component_changes *changes)
{
    uint32_t slots = 0;
    kn_entity_id at = {0};
    while ((at = kn_component_next(grid->world, grid->type, at)).index1 != 0) {
        slots = at.index1;
    }
    if (!index_reserve(grid, slots, changes->components)) {
        return false;
    }
    for (uint32_t slot = 0; slot < grid->ref_capacity; slot++) {
        index_drop(grid, slot);
    }
    grid->margin = 0.0f;
    while ((at = kn_component_next(grid->world, grid->type, at)).index1 != 0) {
        index_follow(grid, at);
    }
    kn_component_follow(grid->world, grid->type);
    return true;
}

#define CHANGES_AT_ONCE 64

// Looks at those that were handed out or removed since then. False without memory for them.
static bool index_follow_changed(kn_grid *grid, const kn_component_changes *changes)
{
    kn_component_change list[CHANGES_AT_ONCE];
    uint32_t slots = 0, count;
    for (uint64_t at = grid->changes; at < changes->count; at += count) {
        count = kn_component_list_changes(grid->world, grid->type, at, list, CHANGES_AT_ONCE);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index1 = list[i].entity.index1;
            slots = index1 > slots ? index1 : slots;
            if (list[i].component == NULL && index1 != 0 && index1 <= grid->ref_capacity &&
                grid->refs[index1 - 1].place1 != 0) {
                index_remove(grid, index1 - 1);
            }
        }
    }
    if (!index_reserve(grid, slots, changes->components)) {
        return false;
    }
    for (uint64_t at = grid->changes; at < changes->count; at += count) {
        count = kn_component_list_changes(grid->world, grid->type, at, list, CHANGES_AT_ONCE);
        for (uint32_t i = 0; i < count; i++) {
            if (list[i].component != NULL) {
                index_put(
                    grid, list[i].entity.index1 - 1, list[i].entity.generation, list[i].component);
            }
        }
    }
    return true;
}

bool kni_grid_update(kn_grid *grid)
{
    if (grid->changes == kni_grid_changes(grid)) {
        return true;
    }
    if (grid->list_base != 0) {
        return false; // stays out of step
    }
    kn_component_changes changes = kn_component_get_changes(grid->world, grid->type);
    bool is_listed = grid->changes >= changes.first && grid->changes < changes.count;
    if (is_listed ? !index_follow_changed(grid, &changes) : !index_follow_all(grid, &changes)) {
        return false;
    }
    grid->changes = changes.count;
    return true;
}

static bool grid_place_is_right(const kn_grid *grid, uint32_t slot)
{
    const kni_grid_ref *ref = &grid->refs[slot];
    const kni_grid_chunk *chunk = &grid->chunks[(ref->place1 - 1) / KNI_GRID_LANES];
    uint32_t lane = (ref->place1 - 1) % KNI_GRID_LANES;
    const kn_body *body = kn_component_read(grid->world, grid->type, kni_grid_id(grid, slot));
    return body != NULL && lane < chunk->count && chunk->slot[lane] == slot &&
           chunk->at[0][lane] == body->position.x && chunk->at[1][lane] == body->position.y &&
           chunk->at[2][lane] == body->position.z && chunk->radius[lane] == body->radius &&
           chunk->layers[lane] == body->layers && key_equal(ref->key, key_of(grid, body));
}

static uint32_t grid_chain_count(const kn_grid *grid, uint32_t first1)
{
    uint32_t count = 0;
    for (uint32_t chunk1 = first1; chunk1 != 0; chunk1 = grid->chunks[chunk1 - 1].next1) {
        count += grid->chunks[chunk1 - 1].count;
    }
    return count;
}

// For an index that is in step.
bool kni_grid_validate(const kn_grid *grid)
{
    uint32_t placed = 0, chained = grid_chain_count(grid, grid->large1), cells = 0;
    bool good = true;
    for (uint32_t slot = 0; slot < grid->ref_capacity; slot++) {
        if (grid->refs[slot].place1 != 0) {
            placed++;
            good = good && grid_place_is_right(grid, slot);
        }
    }
    for (uint32_t i = 0; i < grid->cell_rows; i++) {
        if (grid->cells[i].first1 != 0) {
            cells++;
            chained += grid_chain_count(grid, grid->cells[i].first1);
            good = good && kni_grid_find(grid, grid->cells[i].key) == &grid->cells[i];
        }
    }
    return good && placed == grid->body_count && chained == placed && cells == grid->cell_count;
}

// Types, creation -----------------------------------------------------------

kn_body kn_body_default(void)
{
    kn_body body = {.facing = {1.0f, 0.0f, 0.0f}, .layers = 1};
    return body;
}

kn_result kn_grid_register(kn_library *library, kn_component_type_id *type, kn_error *error)
{
    kn_component_type_id made = {0};
    if (type != NULL) {
        *type = made;
    }
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    made.index1 = kn_def_find(library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME);
    kn_result result = KN_OK;
    if (made.index1 == 0) {
        const kn_field fields[] = {
            KN_FIELD_INIT("position", KN_FIELD_VEC3, offsetof(kn_body, position), 1),
            KN_FIELD_INIT("radius", KN_FIELD_F32, offsetof(kn_body, radius), 1),
            KN_FIELD_INIT("facing", KN_FIELD_VEC3, offsetof(kn_body, facing), 1),
            KN_FIELD_INIT("layers", KN_FIELD_U32, offsetof(kn_body, layers), 1),
        };
        kn_component_def def = kn_component_def_default();
        def.name = KN_GRID_BODY_NAME;
        def.size = sizeof(kn_body);
        def.fields = fields;
        def.field_count = sizeof(fields) / sizeof(fields[0]);
        result = kn_component_register(library, &def, &made, error);
    }
    if (type != NULL) {
        *type = made;
    }
    return result;
}

kn_grid_def kn_grid_def_default(void)
{
    kn_grid_def def = {.cell_size = 8.0f, .up = KN_GRID_UP_Z, .cookie = KN_COOKIE};
    return def;
}

#define GRID_BODIES_MAX (1u << 25)

static bool grid_def_is_good(const kn_grid_def *def)
{
    return def != NULL && def->cookie == KN_COOKIE && def->world != NULL && def->cell_size > 0.0f &&
           def->cell_size - def->cell_size == 0.0f && (uint32_t)def->up <= KN_GRID_UP_Z &&
           def->body_capacity <= GRID_BODIES_MAX;
}

kn_result kn_grid_create(const kn_grid_def *def, kn_grid **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    kn_component_type_id type = {0};
    if (grid_def_is_good(def)) {
        type.index1 =
            kn_def_find(kn_world_library(def->world), KN_DEF_COMPONENT, KN_GRID_BODY_NAME);
    }
    if (out == NULL || type.index1 == 0) {
        KN_ASSERT(out != NULL && type.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_grid *grid = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*grid));
    if (grid == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    static const uint32_t axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    *grid = (kn_grid){.hooks = def->hooks,
        .world = def->world,
        .type = type,
        .cell_size = def->cell_size,
        .axis_a = axes[def->up][0],
        .axis_b = axes[def->up][1]};
    grid->space = kni_grid_space_of(grid);
    grid->changes = UINT64_MAX; // nothing seen yet
    if (!index_reserve(grid, def->body_capacity, def->body_capacity) || !kni_grid_update(grid)) {
        kn_grid_destroy(grid);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = grid;
    return KN_OK;
}

void kn_grid_destroy(kn_grid *grid)
{
    if (grid == NULL) {
        return;
    }
    kn_hooks hooks = grid->hooks;
    if (grid->history != NULL) {
        kni_history_lose(grid->history);
    }
    kn_memory_free(&hooks, grid->refs, grid->ref_capacity * sizeof(*grid->refs));
    kn_memory_free(
        &hooks, grid->marks, ((size_t)grid->mark_words + grid->mark_tops) * sizeof(*grid->marks));
    kn_memory_free(&hooks, grid->chunks, grid->chunk_capacity * sizeof(*grid->chunks));
    kn_memory_free(&hooks, grid->cells, grid->cell_capacity * sizeof(*grid->cells));
    kn_memory_free(&hooks, grid->list, grid->list_capacity * sizeof(*grid->list));
    kn_memory_free(&hooks, grid, sizeof(*grid));
}

const kn_space *kn_grid_space(const kn_grid *grid)
{
    KN_ASSERT(grid != NULL);
    return grid != NULL ? &grid->space : NULL;
}

// Bodies --------------------------------------------------------------------

// The index may follow a change: it is up to date and no query is in progress (a filter must not
// change anything, but one that does should not crash).
static bool grid_is_in_step(const kn_grid *grid)
{
    return grid->changes == kni_grid_changes(grid) && grid->list_base == 0;
}

// The component was just written through the world, by us. An index that was in step follows, if
// there is room; otherwise the next query brings it up to date.
static void grid_follow(kn_grid *grid, kn_entity_id entity, bool was_in_step, const kn_body *body)
{
    uint32_t slot = entity.index1 - 1;
    bool has_place = slot < grid->ref_capacity && grid->refs[slot].place1 != 0;
    if (was_in_step && (has_place || index_reserve(grid, entity.index1, grid->body_count + 1))) {
        index_put(grid, slot, entity.generation, body);
        grid->changes = kni_grid_changes(grid);
    }
}

kn_result kn_grid_set_body(kn_grid *grid, kn_entity_id entity, const kn_body *body)
{
    if (grid == NULL || body == NULL) {
        KN_ASSERT(grid != NULL && body != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(grid->world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kni_body_is_good(body) || !kni_grid_is_finite(body->facing)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    bool was_in_step = grid_is_in_step(grid);
    kn_body *own = kn_component_add(grid->world, grid->type, entity);
    if (own == NULL) {
        return kn_world_is_broken(grid->world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    *own = *body;
    grid_follow(grid, entity, was_in_step, own);
    return KN_OK;
}

// The body for a small change, with everything that refuses one.
static kn_result grid_body_for(kn_grid *grid, kn_entity_id entity, kn_vec3 value, kn_body **body)
{
    *body = NULL;
    if (grid == NULL) {
        KN_ASSERT(grid != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_world_is_broken(grid->world)) {
        return KN_ERROR_WORLD_BROKEN;
    }
    if (!kn_entity_is_alive(grid->world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kni_grid_is_finite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (kn_component_read(grid->world, grid->type, entity) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    *body = kn_component_get(grid->world, grid->type, entity);
    return KN_OK;
}

kn_result kn_grid_move(kn_grid *grid, kn_entity_id entity, kn_vec3 position)
{
    bool was_in_step = grid != NULL && grid_is_in_step(grid);
    kn_body *body;
    kn_result result = grid_body_for(grid, entity, position, &body);
    if (result == KN_OK) {
        body->position = position;
        grid_follow(grid, entity, was_in_step, body);
    }
    return result;
}

kn_result kn_grid_turn(kn_grid *grid, kn_entity_id entity, kn_vec3 facing)
{
    bool was_in_step = grid != NULL && grid_is_in_step(grid);
    kn_body *body;
    kn_result result = grid_body_for(grid, entity, facing, &body);
    if (result == KN_OK) {
        body->facing = facing;
        grid_follow(grid, entity, was_in_step, body);
    }
    return result;
}

bool kn_grid_get_body(const kn_grid *grid, kn_entity_id entity, kn_body *body)
{
    if (grid == NULL || body == NULL) {
        KN_ASSERT(grid != NULL && body != NULL);
        return false;
    }
    // The null id would name the world's own component.
    const kn_body *own = kn_entity_is_alive(grid->world, entity)
                             ? kn_component_read(grid->world, grid->type, entity)
                             : NULL;
    *body = own != NULL ? *own : (kn_body){0};
    return own != NULL;
}

bool kn_grid_remove(kn_grid *grid, kn_entity_id entity)
{
    if (grid == NULL) {
        KN_ASSERT(grid != NULL);
        return false;
    }
    bool was_in_step = grid_is_in_step(grid);
    if (!kn_entity_is_alive(grid->world, entity) ||
        !kn_component_remove(grid->world, grid->type, entity)) {
        return false;
    }
    if (was_in_step) {
        index_drop(grid, entity.index1 - 1);
        grid->changes = kni_grid_changes(grid);
    }
    return true;
}

void kn_grid_sync(kn_grid *grid)
{
    if (grid == NULL) {
        KN_ASSERT(grid != NULL);
        return;
    }
    (void)kni_grid_update(grid);
}
