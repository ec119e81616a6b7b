// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Queries of a grid. Each gathers the bodies in the cells around its bounds, tests them exactly and
// sorts the results. Without memory for the index it tests every body.

#include "extra/grid.h"
#include "extra/history.h"

#include <float.h>
#include <math.h>

// Gathering -----------------------------------------------------------------

// Cells that are looked up before the first of them is searched: fetching from memory is most of
// the work, and this way it overlaps.
#define SEARCH_CELLS 32

typedef struct grid_search {
    const kn_grid *grid;
    kni_extent bounds;
    const kni_segment *segment; // narrows the rows of cells, or NULL
    uint32_t layers;
    uint32_t *found; // places; room for every body and a chunk more
    uint32_t count;
    uint32_t cells[SEARCH_CELLS]; // first chunks + 1 of cells still to be searched
    uint32_t cell_count;
} grid_search;

static uint32_t filter_layers(const kn_space_filter *filter)
{
    return filter != NULL ? filter->layers : UINT32_MAX;
}

// Not an initialiser, which would clear the list of cells too.
static inline void search_begin(
    grid_search *search, const kn_grid *grid, const kn_space_filter *filter)
{
    search->grid = grid;
    search->segment = NULL;
    search->layers = filter_layers(filter);
    search->found = grid->list + grid->list_base;
    search->count = 0;
    search->cell_count = 0;
}

// Which lanes of a chunk are inside the bounds: UINT32_MAX for those, 0 for the others.
#if defined(KNI_LANES)
_Static_assert(KNI_LANES == KNI_GRID_LANES, "a chunk is one operation");

// Compilers do not find by themselves that four lanes are one operation.
static inline void search_lanes(
    const grid_search *search, const kni_grid_chunk *chunk, uint32_t inside[KNI_GRID_LANES])
{
    kni_lanes_float radius, at;
    kni_lanes_bits result;
    memcpy(&radius, chunk->radius, sizeof(radius));
    memcpy(&result, chunk->layers, sizeof(result));
    result = (kni_lanes_bits)((result & search->layers) != 0);
    for (uint32_t axis = 0; axis < 3; axis++) {
        memcpy(&at, chunk->at[axis], sizeof(at));
        result &= (kni_lanes_bits)(at + radius >= search->bounds.min[axis]);
        result &= (kni_lanes_bits)(at - radius <= search->bounds.max[axis]);
    }
    memcpy(inside, &result, sizeof(result));
}
#else
static inline void search_lanes(
    const grid_search *search, const kni_grid_chunk *chunk, uint32_t inside[KNI_GRID_LANES])
{
    for (uint32_t i = 0; i < KNI_GRID_LANES; i++) {
        kn_body body = {.position = {chunk->at[0][i], chunk->at[1][i], chunk->at[2][i]},
            .radius = chunk->radius[i]};
        bool is_inside =
            (chunk->layers[i] & search->layers) != 0 && kni_extent_touches(&search->bounds, &body);
        inside[i] = is_inside ? UINT32_MAX : 0;
    }
}
#endif

// Without branches on the outcome: about one body in three is inside.
static inline void search_chunk(grid_search *search, uint32_t index)
{
    uint32_t inside[KNI_GRID_LANES];
    search_lanes(search, &search->grid->chunks[index], inside);
    uint32_t count = search->count;
    for (uint32_t i = 0; i < KNI_GRID_LANES; i++) {
        search->found[count] = index * KNI_GRID_LANES + i;
        count += inside[i] & 1;
    }
    search->count = count;
}

static inline void search_chain(grid_search *search, uint32_t first1)
{
    for (uint32_t chunk1 = first1; chunk1 != 0; chunk1 = search->grid->chunks[chunk1 - 1].next1) {
        search_chunk(search, chunk1 - 1);
    }
}

static inline void search_prefetch(const grid_search *search, uint32_t first1)
{
    const char *chunk = (const char *)&search->grid->chunks[first1 - 1];
    KNI_LANES_PREFETCH(chunk);
    KNI_LANES_PREFETCH(chunk + 64);
}

static void search_cells(grid_search *search)
{
    for (uint32_t i = 0; i < search->cell_count; i++) {
        search_chain(search, search->cells[i]);
    }
    search->cell_count = 0;
}

static inline void search_cell(grid_search *search, kni_grid_key key)
{
    uint32_t first1 = kni_grid_find(search->grid, key)->first1;
    if (first1 == 0) {
        return;
    }
    search_prefetch(search, first1);
    search->cells[search->cell_count++] = first1;
    if (search->cell_count == SEARCH_CELLS) {
        search_cells(search);
    }
}

// Free chunks have no layers.
static void search_all(grid_search *search)
{
    search->count = 0;
    search->cell_count = 0;
    for (uint32_t i = 0; i < search->grid->chunk_used; i++) {
        search_chunk(search, i);
    }
}

// The cells whose bodies may reach into an interval.
static void search_interval(
    const kn_grid *grid, float low, float high, int32_t *first, int32_t *last)
{
    float slack = (fabsf(low) + fabsf(high) + grid->margin) * 1e-6f;
    *first = kni_grid_coordinate(grid, low - grid->margin - slack);
    *last = kni_grid_coordinate(grid, high + grid->margin + slack);
}

// Of a row of cells, only those near the part of the ray that passes it.
static void search_narrow(const grid_search *search, int32_t row, int32_t *first, int32_t *last)
{
    const kn_grid *grid = search->grid;
    const kni_segment *segment = search->segment;
    double size = (double)grid->cell_size;
    double a = segment->origin[grid->axis_a], b = segment->origin[grid->axis_b];
    double da = segment->direction[grid->axis_a], db = segment->direction[grid->axis_b];
    double reach = segment->radius + (double)grid->margin;
    reach += (fabs(a) + fabs(b) + segment->length + reach + size) * 1e-6;
    double from = 0.0, to = segment->length;
    if (db != 0.0 && row > -KNI_GRID_FAR && row < KNI_GRID_FAR) {
        double low = ((double)row * size - reach - b) / db;
        double high = (((double)row + 1.0) * size + reach - b) / db;
        double enter = low < high ? low : high, leave = low < high ? high : low;
        from = enter > from ? enter : from;
        to = leave < to ? leave : to;
        if (from > to) {
            *last = *first - 1;
            return;
        }
    }
    double one = a + da * from, other = a + da * to;
    double low = (one < other ? one : other) - reach, high = (one < other ? other : one) + reach;
    // No body lies beyond the largest float either.
    float start = low > -(double)FLT_MAX ? (float)low : -FLT_MAX;
    float end = high < (double)FLT_MAX ? (float)high : FLT_MAX;
    int32_t start_cell = kni_grid_coordinate(grid, start);
    int32_t end_cell = kni_grid_coordinate(grid, end);
    *first = start_cell > *first ? start_cell : *first;
    *last = end_cell < *last ? end_cell : *last;
}

// Leaves the places of bodies inside the bounds in `found`. Goes through all chunks when that is
// less work than looking for all the cells.
static void search_run(grid_search *search)
{
    const kn_grid *grid = search->grid;
    const kni_extent *bounds = &search->bounds;
    int32_t a0, a1, b0, b1;
    search_interval(grid, bounds->min[grid->axis_a], bounds->max[grid->axis_a], &a0, &a1);
    search_interval(grid, bounds->min[grid->axis_b], bounds->max[grid->axis_b], &b0, &b1);
    uint64_t columns = (uint64_t)((int64_t)a1 - a0) + 1, rows = (uint64_t)((int64_t)b1 - b0) + 1;
    if ((search->segment == NULL ? columns * rows : rows) > grid->cell_count) {
        search_all(search);
        return;
    }
    search_chain(search, grid->large1);
    uint64_t budget = grid->cell_count;
    for (int32_t b = b0; b <= b1; b++) {
        int32_t first = a0, last = a1;
        if (search->segment != NULL) {
            search_narrow(search, b, &first, &last);
            uint64_t cells = last >= first ? (uint64_t)((int64_t)last - first) + 1 : 0;
            if (cells > budget) {
                search_all(search);
                return;
            }
            budget -= cells;
        }
        for (int32_t a = first; a <= last; a++) {
            search_cell(search, (kni_grid_key){a, b});
        }
    }
    search_cells(search);
}

// The index can be used: up to date, and with room for results.
static bool grid_ready(kn_grid *grid)
{
    return kni_grid_update(grid) && kni_grid_list_reserve(grid);
}

static bool grid_is_mine(const kn_grid *grid, const kn_world *world)
{
    KN_ASSERT(world == grid->world && "a grid serves one world");
    return world == grid->world;
}

// Whether the body the index shows is still there: a filter may have removed it.
static bool grid_shows_living(const kn_grid *grid, const kn_space_filter *filter, uint32_t slot)
{
    return filter == NULL || filter->accept == NULL || grid->changes == kni_grid_changes(grid) ||
           kn_component_read(grid->world, grid->type, kni_grid_id(grid, slot)) != NULL;
}

// The next body of the world after an entity that the layers let through, or NULL.
static const kn_body *plain_next(const kn_grid *grid, uint32_t layers, kn_entity_id *at)
{
    while ((*at = kn_component_next(grid->world, grid->type, *at)).index1 != 0) {
        const kn_body *body = kn_component_read(grid->world, grid->type, *at);
        if (body != NULL && (body->layers & layers) != 0 && kni_body_is_good(body)) {
            return body;
        }
    }
    return NULL;
}

// Overlaps ------------------------------------------------------------------

static uint32_t overlap_plain(const kn_grid *grid, const kni_shape *shape,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    kni_extent bounds = kni_shape_bounds(shape);
    uint32_t count = 0;
    kn_entity_id id = {0};
    const kn_body *body;
    while ((body = plain_next(grid, filter_layers(filter), &id)) != NULL) {
        if (!kni_extent_touches(&bounds, body) ||
            !kni_shape_touches(shape->kind, shape, body->position.x, body->position.y,
                body->position.z, body->radius) ||
            !kn_space_filter_passes(filter, grid->world, id)) {
            continue;
        }
        if (count < capacity) {
            out[count] = id;
        }
        count++;
    }
    return count;
}

// Marks the slots of those found that touch the shape, which is of this kind.
static inline void overlap_mark(
    const grid_search *search, const kni_shape *shape, kni_shape_kind kind)
{
    const kn_grid *grid = search->grid;
    uint64_t *marks = grid->marks, *tops = grid->marks + grid->mark_words;
    for (uint32_t i = 0; i < search->count; i++) {
        const kni_grid_chunk *chunk = &grid->chunks[search->found[i] / KNI_GRID_LANES];
        uint32_t lane = search->found[i] % KNI_GRID_LANES;
        uint64_t touches = kni_shape_touches(kind, shape, chunk->at[0][lane], chunk->at[1][lane],
            chunk->at[2][lane], chunk->radius[lane]);
        uint32_t slot = chunk->slot[lane];
        marks[slot >> 6] |= touches << (slot & 63);
        tops[slot >> 12] |= touches << (slot >> 6 & 63);
    }
}

// Takes the marks away again; their slots, in order, take the place of what was found.
static void overlap_collect(grid_search *search)
{
    const kn_grid *grid = search->grid;
    uint64_t *marks = grid->marks, *tops = grid->marks + grid->mark_words;
    uint32_t count = 0;
    for (uint32_t top = 0; top < grid->mark_tops; top++) {
        uint64_t words = tops[top];
        tops[top] = 0;
        for (; words != 0; words &= words - 1) {
            uint32_t word = top * 64 + kni_lanes_lowest(words);
            uint64_t bits = marks[word];
            marks[word] = 0;
            for (; bits != 0; bits &= bits - 1) {
                search->found[count++] = word * 64 + kni_lanes_lowest(bits);
            }
        }
    }
    search->count = count;
}

// A filter may ask this grid again, which works behind what was found here.
static uint32_t overlap_filter(kn_grid *grid, uint32_t found, const kn_space_filter *filter,
    kn_entity_id *out, uint32_t capacity)
{
    uint32_t base = grid->list_base, count = 0;
    grid->list_base = base + found;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t slot = grid->list[base + i];
        kn_entity_id id = kni_grid_id(grid, slot);
        if (!grid_shows_living(grid, filter, slot) ||
            !kn_space_filter_passes(filter, grid->world, id)) {
            continue;
        }
        if (count < capacity) {
            out[count] = id;
        }
        count++;
    }
    grid->list_base = base;
    return count;
}

// The past ------------------------------------------------------------------
//
// A body that was in a place is not far from it now, or it is listed. So the places around are
// searched, and of each body found there it is looked up where it was.

static void slot_mark(const kn_grid *grid, uint32_t slot)
{
    grid->marks[slot >> 6] |= UINT64_C(1) << (slot & 63);
    grid->marks[grid->mark_words + (slot >> 12)] |= UINT64_C(1) << (slot >> 6 & 63);
}

static kni_extent extent_widen(const kni_extent *bounds, float reach)
{
    kni_extent wide;
    for (uint32_t axis = 0; axis < 3; axis++) {
        wide.min[axis] = bounds->min[axis] - reach - fabsf(bounds->min[axis]) * 1e-6f;
        wide.max[axis] = bounds->max[axis] + reach + fabsf(bounds->max[axis]) * 1e-6f;
    }
    return wide;
}

// Leaves the slots of all who may have been inside the bounds in the list, each once, by slot.
// False without memory for it.
static bool past_gather(
    kn_grid *grid, const kni_extent *bounds, const kni_segment *segment, uint32_t *count)
{
    const kn_history *past = grid->past;
    uint32_t extra = past->is_quick ? kni_history_extra(past, NULL, 0) : UINT32_MAX;
    if (extra == UINT32_MAX || !grid_ready(grid)) {
        return false;
    }
    uint32_t slots =
        past->slot_capacity > grid->ref_capacity ? past->slot_capacity : grid->ref_capacity;
    if (!kni_grid_past_reserve(grid, slots, extra)) {
        return false;
    }
    grid_search search;
    search_begin(&search, grid, NULL);
    search.bounds = extent_widen(bounds, past->reach);
    kni_segment wide;
    if (segment != NULL) {
        wide = *segment;
        wide.radius += (double)past->reach;
        search.segment = &wide;
    }
    search_run(&search);
    for (uint32_t i = 0; i < search.count; i++) {
        uint32_t place = search.found[i];
        slot_mark(grid, grid->chunks[place / KNI_GRID_LANES].slot[place % KNI_GRID_LANES]);
    }
    (void)kni_history_extra(past, search.found, extra);
    for (uint32_t i = 0; i < extra; i++) {
        slot_mark(grid, search.found[i]);
    }
    overlap_collect(&search);
    *count = search.count;
    return true;
}

// A walk over who may have been inside the bounds: the slots that were gathered, or else all.
typedef struct past_walk {
    kn_grid *grid;
    uint32_t base, count, at; // in the list
    bool is_plain;
    kn_entity_id id;
} past_walk;

static past_walk past_begin(kn_grid *grid, const kni_extent *bounds, const kni_segment *segment)
{
    past_walk walk = {.grid = grid, .base = grid->list_base};
    walk.is_plain = !past_gather(grid, bounds, segment, &walk.count);
    grid->list_base = walk.base + walk.count; // a filter may ask this grid again
    return walk;
}

// The next entity that has a body, or had one.
static bool past_next(past_walk *walk)
{
    const kn_grid *grid = walk->grid;
    if (!walk->is_plain) {
        if (walk->at == walk->count) {
            return false;
        }
        uint32_t slot = grid->list[walk->base + walk->at++];
        walk->id = slot < grid->ref_capacity && grid->refs[slot].place1 != 0
                       ? kni_grid_id(grid, slot)
                       : kni_history_id(grid->past, slot);
        return true;
    }
    kn_entity_id was = kni_history_next(grid->past, walk->id);
    kn_entity_id is = kn_component_next(grid->world, grid->type, walk->id);
    walk->id = is.index1 == 0 || (was.index1 != 0 && was.index1 < is.index1) ? was : is;
    return walk->id.index1 != 0;
}

// The next one that was inside the bounds, and where it was.
static bool past_find(
    past_walk *walk, const kni_extent *bounds, const kn_space_filter *filter, kn_body *body)
{
    while (past_next(walk)) {
        if (kni_history_shows(walk->grid->past, walk->id, body) &&
            (body->layers & filter_layers(filter)) != 0 && kni_extent_touches(bounds, body)) {
            return true;
        }
    }
    return false;
}

static uint32_t overlap_past(kn_grid *grid, const kni_shape *shape, const kn_space_filter *filter,
    kn_entity_id *out, uint32_t capacity)
{
    kni_extent bounds = kni_shape_bounds(shape);
    past_walk walk = past_begin(grid, &bounds, NULL);
    uint32_t count = 0;
    kn_body body;
    while (past_find(&walk, &bounds, filter, &body)) {
        if (kni_shape_touches(shape->kind, shape, body.position.x, body.position.y, body.position.z,
                body.radius) &&
            kn_space_filter_passes(filter, grid->world, walk.id)) {
            if (count < capacity) {
                out[count] = walk.id;
            }
            count++;
        }
    }
    grid->list_base = walk.base;
    return count;
}

// Overlaps of the present or the past ---------------------------------------

static bool filter_is_plain(const kn_space_filter *filter)
{
    return filter == NULL || (filter->ignore.index1 == 0 && filter->only.index1 == 0 &&
                                 filter->tags == NULL && filter->accept == NULL);
}

static uint32_t grid_overlap(kn_grid *grid, const kn_world *world, const kni_shape *shape,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    if (!grid_is_mine(grid, world)) {
        return 0;
    }
    if (grid->past != NULL) {
        return overlap_past(grid, shape, filter, out, capacity);
    }
    if (!grid_ready(grid)) {
        return overlap_plain(grid, shape, filter, out, capacity);
    }
    grid_search search;
    search_begin(&search, grid, filter);
    search.bounds = kni_shape_bounds(shape);
    search_run(&search);
    if (shape->kind == KNI_SHAPE_SPHERE) { // the usual one gets a loop of its own
        overlap_mark(&search, shape, KNI_SHAPE_SPHERE);
    } else {
        overlap_mark(&search, shape, shape->kind);
    }
    overlap_collect(&search);
    if (!filter_is_plain(filter)) {
        return overlap_filter(grid, search.count, filter, out, capacity);
    }
    uint32_t written = search.count < capacity ? search.count : capacity;
    for (uint32_t i = 0; i < written; i++) {
        out[i] = kni_grid_id(grid, search.found[i]);
    }
    return search.count;
}

static uint32_t grid_sphere(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    kni_shape shape = kni_shape_of_sphere(sphere);
    return grid_overlap(user, world, &shape, filter, out, capacity);
}

static uint32_t grid_box(void *user, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    kni_shape shape = kni_shape_of_box(box);
    return grid_overlap(user, world, &shape, filter, out, capacity);
}

static uint32_t grid_cone(void *user, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    kni_shape shape = kni_shape_of_cone(cone);
    return grid_overlap(user, world, &shape, filter, out, capacity);
}

// Rays and nearest ----------------------------------------------------------

// What turns bodies into hits: a ray, or the sphere of a nearest question.
typedef struct hit_question {
    const kni_segment *segment; // or NULL
    const kni_shape *shape;     // or NULL
    kn_vec3 center;
    float limit; // a nearest question: only hits nearer than this, unless negative
    kni_extent bounds;
    const kn_space_filter *filter;
    kn_space_hits hits;
} hit_question;

static bool hit_find(const hit_question *question, const kn_body *body, kn_space_hit *hit)
{
    if (question->segment != NULL) {
        return kni_segment_hit(question->segment, body, hit);
    }
    if (!kni_shape_touches(KNI_SHAPE_SPHERE, question->shape, body->position.x, body->position.y,
            body->position.z, body->radius)) {
        return false;
    }
    kni_nearest_hit(&question->center, body, hit);
    return question->limit < 0.0f || hit->distance < question->limit;
}

static void hit_offer(
    const kn_grid *grid, hit_question *question, kn_entity_id id, const kn_body *body)
{
    kn_space_hit hit = {.entity = id};
    if (hit_find(question, body, &hit) &&
        kn_space_filter_passes(question->filter, grid->world, id)) {
        kn_space_hits_push(&question->hits, &hit);
    }
}

static void hits_plain(const kn_grid *grid, hit_question *question)
{
    kn_entity_id id = {0};
    const kn_body *body;
    while ((body = plain_next(grid, filter_layers(question->filter), &id)) != NULL) {
        if (kni_extent_touches(&question->bounds, body)) {
            hit_offer(grid, question, id, body);
        }
    }
}

static void hits_indexed(kn_grid *grid, hit_question *question)
{
    uint32_t base = grid->list_base;
    grid_search search;
    search_begin(&search, grid, question->filter);
    search.bounds = question->bounds;
    search.segment = question->segment;
    search_run(&search);
    grid->list_base = base + search.count; // a filter may ask this grid again
    for (uint32_t i = 0; i < search.count; i++) {
        uint32_t place = grid->list[base + i], lane = place % KNI_GRID_LANES;
        const kni_grid_chunk *chunk = &grid->chunks[place / KNI_GRID_LANES];
        if (grid_shows_living(grid, question->filter, chunk->slot[lane])) {
            kn_body body = {
                .position = {chunk->at[0][lane], chunk->at[1][lane], chunk->at[2][lane]},
                .radius = chunk->radius[lane]};
            hit_offer(grid, question, kni_grid_id(grid, chunk->slot[lane]), &body);
        }
    }
    grid->list_base = base;
}

static void hits_past(kn_grid *grid, hit_question *question)
{
    past_walk walk = past_begin(grid, &question->bounds, question->segment);
    kn_body body;
    while (past_find(&walk, &question->bounds, question->filter, &body)) {
        hit_offer(grid, question, walk.id, &body);
    }
    grid->list_base = walk.base;
}

static void hits_find(kn_grid *grid, hit_question *question)
{
    if (grid->past != NULL) {
        hits_past(grid, question);
    } else if (grid_ready(grid)) {
        hits_indexed(grid, question);
    } else {
        hits_plain(grid, question);
    }
}

static uint32_t grid_ray(void *user, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    kn_grid *grid = user;
    if (!grid_is_mine(grid, world)) {
        return 0;
    }
    kni_segment segment = kni_segment_of_ray(ray);
    hit_question question = {.segment = &segment,
        .bounds = kni_segment_bounds(&segment),
        .filter = filter,
        .hits = {.data = out, .capacity = capacity}};
    hits_find(grid, &question);
    kn_space_hits_sort(&question.hits);
    return question.hits.count;
}

// One round of a nearest question. With a limit below the radius it finds only those nearer than
// the limit; who is not found is not nearer, so if they are enough, they are the answer.
static uint32_t nearest_round(kn_grid *grid, const kn_sphere *sphere, const kn_space_filter *filter,
    float limit, kn_space_hits *hits)
{
    bool is_last = !(limit < sphere->radius);
    kn_sphere part = {sphere->center, is_last ? sphere->radius : limit};
    kni_shape shape = kni_shape_of_sphere(&part);
    hit_question question = {.shape = &shape,
        .center = sphere->center,
        .limit = is_last ? -1.0f : limit,
        .bounds = kni_shape_bounds(&shape),
        .filter = filter,
        .hits = *hits};
    hits_find(grid, &question);
    *hits = question.hits;
    return is_last ? UINT32_MAX : question.hits.count;
}

static uint32_t grid_nearest(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    kn_grid *grid = user;
    if (!grid_is_mine(grid, world)) {
        return 0;
    }
    // Search wider and wider until enough are found.
    bool has_enough = kn_component_get_changes(grid->world, grid->type).components > capacity;
    float limit = has_enough ? grid->cell_size : sphere->radius;
    float widest = grid->cell_size * 64.0f;
    kn_space_hits hits = {.data = out, .capacity = capacity};
    while (nearest_round(grid, sphere, filter, limit, &hits) < capacity) {
        limit = limit < widest ? limit * 2.0f : sphere->radius;
        hits = (kn_space_hits){.data = out, .capacity = capacity};
    }
    kn_space_hits_sort(&hits);
    return hits.kept;
}

// Where ---------------------------------------------------------------------

static bool body_shown(const kn_grid *grid, kn_entity_id entity, kn_body *body)
{
    return grid->past != NULL ? kni_history_shows(grid->past, entity, body)
                              : kn_grid_get_body(grid, entity, body);
}

static bool grid_position(void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    const kn_grid *grid = user;
    kn_body body;
    if (!grid_is_mine(grid, world) || !body_shown(grid, entity, &body)) {
        return false;
    }
    *position = body.position;
    return true;
}

static bool grid_view(void *user, const kn_world *world, kn_entity_id entity, kn_view_point *view)
{
    const kn_grid *grid = user;
    kn_body body;
    if (!grid_is_mine(grid, world) || !body_shown(grid, entity, &body)) {
        return false;
    }
    view->origin = body.position;
    view->direction = body.facing;
    return true;
}

kn_space kni_grid_space_of(kn_grid *grid)
{
    kn_space space = {
        .user = grid,
        .position = grid_position,
        .view = grid_view,
        .sphere = grid_sphere,
        .box = grid_box,
        .cone = grid_cone,
        .ray = grid_ray,
        .nearest = grid_nearest,
    };
    return space;
}
