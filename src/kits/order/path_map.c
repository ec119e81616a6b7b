// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Maps: what never changes is a plan of the library, a bit for each cell. What the world blocks is
// kept twice: as rectangles, which are components of those who block, and as bits for all maps in a
// component of the world, which searches read. The bits follow from the rectangles.

#include "path_parts.h"

#include <math.h>
#include <stdlib.h>

typedef struct map_block {
    kn_map_id map;
    kn_vec3 min, max;
} map_block;

// The items are words of bits, those of all maps one after the other.
typedef struct map_cells {
    uint32_t version;
    uint32_t shape; // of the maps that it was made for
} map_cells;

static const kn_entity_id nobody;

// Definitions ---------------------------------------------------------------------------

kn_map_def kn_map_def_default(void)
{
    kn_map_def def = {.cell_size = 1.0f, .cookie = KN_COOKIE};
    return def;
}

static void map_init(void *def)
{
    *(kn_map_def *)def = kn_map_def_default();
}

static const kn_def_field map_fields[] = {
    KN_DEF_F(kn_map_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_map_def, rows, KN_DEF_FIELD_STRING,
        "The cells: a line for each row, all of the same length, with `.` for a free cell and `#` "
        "for a blocked one; required. The first row has the lowest y."),
    KN_DEF_F(kn_map_def, cell_size, KN_FIELD_F32, "Edge of a cell, above 0; default 1."),
    KN_DEF_F(kn_map_def, origin, KN_FIELD_VEC3,
        "Corner of the first cell of the first row, with the lowest x and y; default zero."),
    KN_DEF_F(kn_map_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table map_table = {
    "map_def", sizeof(kn_map_def), map_fields, COUNT(map_fields), map_init};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next row of a text, without blanks around it; false at the end.
static bool row_next(const char **text, const char **row, uint32_t *length)
{
    const char *at = *text;
    while (is_blank(*at) || *at == '\n') {
        at++;
    }
    *row = at;
    while (*at != 0 && *at != '\n') {
        at++;
    }
    *text = at;
    while (at > *row && is_blank(at[-1])) {
        at--;
    }
    *length = (uint32_t)(at - *row);
    return *length > 0;
}

static kn_result bad(const kn_map_def *def, kn_error *error, const char *sentence)
{
    return kn_error_set(error, KN_ERROR_BAD_DATA, "map `%s`: %s", def->name, sentence);
}

static kn_result map_check(void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_map_def *def = item;
    const char *text = def->rows != NULL ? def->rows : "", *row;
    uint32_t length, width = 0, height = 0;
    (void)user;
    (void)library;
    if (!isfinite(def->cell_size) || def->cell_size <= 0.0f) {
        return bad(def, error, "`cell_size` must be above 0");
    }
    if (!isfinite(def->origin.x) || !isfinite(def->origin.y) || !isfinite(def->origin.z)) {
        return bad(def, error, "`origin` must be finite");
    }
    for (; row_next(&text, &row, &length); height++) {
        width = height == 0 ? length : width;
        if (length != width) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "map `%s`: row %u has %u cells, and those before it have %u", def->name, height + 1,
                length, width);
        }
        for (uint32_t i = 0; i < length; i++) {
            if (row[i] != '.' && row[i] != '#') {
                return kn_error_set(error, KN_ERROR_BAD_DATA,
                    "map `%s`: cell %u of row %u is neither `.` nor `#`", def->name, i + 1,
                    height + 1);
            }
        }
        if (width > KN_MAP_SIDE_MAX || height >= KN_MAP_SIDE_MAX) {
            return bad(def, error, "it has more than 1024 cells along a side");
        }
    }
    return height > 0 ? KN_OK : bad(def, error, "it needs `rows`");
}

// Plans ---------------------------------------------------------------------------------

void knc_path_maps_release(mover_kit *kit)
{
    for (uint32_t i = 0; i < kit->map_count; i++) {
        free(kit->maps[i].bits);
    }
    free(kit->maps);
    kit->maps = NULL;
    kit->map_count = kit->word_count = 0;
}

static bool plan_make(map_plan *plan, const kn_map_def *def)
{
    const char *text = def->rows, *row;
    uint32_t length;
    plan->def = def;
    while (row_next(&text, &row, &length)) {
        plan->width = length;
        plan->height++;
    }
    plan->stride = (plan->width + 31) / 32;
    const size_t words = (size_t)plan->stride * plan->height;
    plan->bits = calloc(words > 0 ? words : 1, sizeof(*plan->bits));
    if (plan->bits == NULL) {
        return false;
    }
    text = def->rows;
    for (uint32_t y = 0; row_next(&text, &row, &length); y++) {
        for (uint32_t x = 0; x < length; x++) {
            plan->bits[y * plan->stride + x / 32] |= (row[x] == '#' ? 1u : 0u) << (x % 32);
        }
        for (uint32_t x = length; x < plan->stride * 32; x++) {
            plan->bits[y * plan->stride + x / 32] |= 1u << (x % 32);
        }
    }
    return true;
}

// Worlds that have the same bits for the same cells have the same shape.
static uint32_t plan_shape(uint32_t shape, const map_plan *plan)
{
    uint8_t bytes[64];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    const float numbers[] = {plan->def->origin.x, plan->def->origin.y, plan->def->cell_size};
    kn_write_u32(&writer, shape);
    kn_write_u32(&writer, plan->width);
    kn_write_u32(&writer, plan->height);
    for (uint32_t i = 0; i < COUNT(numbers); i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof(bits));
        kn_write_u32(&writer, bits);
    }
    uint64_t hash = kn_hash_bytes(0, bytes, writer.length);
    return (uint32_t)kn_hash_bytes(hash, plan->def->name, strlen(plan->def->name));
}

static kn_result maps_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    mover_kit *kit = user;
    const uint32_t count = kn_def_count(library, kind);
    (void)error;
    knc_path_maps_release(kit);
    kit->shape = 0;
    kit->maps = count > 0 ? calloc(count, sizeof(*kit->maps)) : NULL;
    if (count > 0 && kit->maps == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        map_plan *plan = &kit->maps[i];
        kit->map_count++;
        if (!plan_make(plan, kn_def_get(library, kind, i + 1))) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        plan->first = kit->word_count;
        kit->word_count += plan->stride * plan->height;
        kit->shape = plan_shape(kit->shape, plan);
    }
    return KN_OK;
}

static const map_plan *plan_of(const mover_kit *kit, kn_map_id map)
{
    return map.index1 - 1 < kit->map_count ? &kit->maps[map.index1 - 1] : NULL;
}

// What the world blocks -------------------------------------------------------------------

typedef struct span {
    uint32_t x0, y0, x1, y1; // cells from and up to
} span;

// The first cell along an axis, and the one after the last, on the map.
static void span_set(
    float min, float max, float origin, float size, uint32_t cells, uint32_t *from, uint32_t *to)
{
    const float first = floorf((min - origin) / size), end = ceilf((max - origin) / size);
    const float last = end > first ? end : first + 1.0f;
    *from = first > 0.0f ? (first < (float)cells ? (uint32_t)first : cells) : 0;
    *to = last > 0.0f ? (last < (float)cells ? (uint32_t)last : cells) : 0;
}

static span span_of(const map_plan *map, const map_block *block)
{
    span s;
    const kn_map_def *def = map->def;
    span_set(block->min.x, block->max.x, def->origin.x, def->cell_size, map->width, &s.x0, &s.x1);
    span_set(block->min.y, block->max.y, def->origin.y, def->cell_size, map->height, &s.y0, &s.y1);
    return s;
}

static void span_fill(uint32_t *words, const map_plan *map, const span *s, bool is_blocked)
{
    for (uint32_t y = s->y0; y < s->y1; y++) {
        uint32_t *row = words + map->first + (size_t)y * map->stride;
        for (uint32_t x = s->x0; x < s->x1; x++) {
            const uint32_t bit = 1u << (x % 32);
            row[x / 32] = is_blocked ? row[x / 32] | bit : row[x / 32] & ~bit;
        }
    }
}

static span span_common(const span *a, const span *b)
{
    return (span){a->x0 > b->x0 ? a->x0 : b->x0, a->y0 > b->y0 ? a->y0 : b->y0,
        a->x1 < b->x1 ? a->x1 : b->x1, a->y1 < b->y1 ? a->y1 : b->y1};
}

// Fills in the blocks that an entity has, or the world itself, as far as they are in an area of one
// map; with NULL on all maps.
static void blocks_fill(const kn_world *world, const mover_kit *kit, kn_entity_id entity,
    kn_component_id without, const map_plan *map, const span *area, uint32_t *words)
{
    kn_component_id id = {0};
    for (;;) {
        id = kn_component_instance_next(world, kit->blocks, entity, id);
        if (id.index1 == 0) {
            return;
        }
        const map_block *block = kn_component_instance_read(world, kit->blocks, id);
        const map_plan *own = plan_of(kit, block->map);
        const bool is_gone = id.index1 == without.index1 && id.generation == without.generation;
        if (own == NULL || is_gone || (map != NULL && own != map)) {
            continue;
        }
        span s = span_of(own, block);
        s = area != NULL ? span_common(&s, area) : s;
        span_fill(words, own, &s, true);
    }
}

static void all_blocks_fill(const kn_world *world, const mover_kit *kit, kn_component_id without,
    const map_plan *map, const span *area, uint32_t *words)
{
    blocks_fill(world, kit, nobody, without, map, area, words);
    kn_entity_id entity = kn_component_next(world, kit->blocks, nobody);
    while (entity.index1 != 0) {
        blocks_fill(world, kit, entity, without, map, area, words);
        entity = kn_component_next(world, kit->blocks, entity);
    }
}

static const map_cells *cells_read(
    const kn_world *world, const mover_kit *kit, const uint32_t **words)
{
    const void *items;
    uint32_t count = 0;
    const map_cells *cells = kn_component_read_whole(world, kit->cells, nobody, &items, &count);
    const bool fits = cells != NULL && cells->shape == kit->shape && count == kit->word_count;
    *words = fits ? items : NULL;
    return cells;
}

// The bits, for writing, and a new version of them; made anew if they do not fit the maps.
static uint32_t *words_get(kn_world *world, const mover_kit *kit)
{
    const uint32_t *fitting;
    if (kn_component_add(world, kit->cells, nobody) == NULL) {
        return NULL;
    }
    (void)cells_read(world, kit, &fitting);
    map_cells *cells = kn_component_get(world, kit->cells, nobody);
    cells->version++;
    cells->shape = kit->shape;
    if (fitting != NULL) {
        return kn_component_items(world, kit->cells, nobody, NULL);
    }
    uint32_t *words = kn_component_resize(world, kit->cells, nobody, kit->word_count);
    if (words != NULL) {
        memset(words, 0, (size_t)kit->word_count * sizeof(*words));
        all_blocks_fill(world, kit, (kn_component_id){0}, NULL, NULL, words);
    }
    return words;
}

void knc_path_refresh(kn_world *world)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    const uint32_t *words;
    if (cells_read(world, kit, &words) != NULL && words == NULL && kit->word_count > 0) {
        (void)words_get(world, kit);
    }
}

uint32_t knc_path_version(const kn_world *world)
{
    const map_cells *cells = kn_component_read(world, knc_mover_kit_of_world(world)->cells, nobody);
    return cells != NULL ? cells->version : 0;
}

map_view knc_path_view(const kn_world *world, kn_map_id map)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    map_view view = {plan_of(kit, map), NULL};
    (void)cells_read(world, kit, &view.blocks);
    if (view.blocks != NULL && view.map != NULL) {
        view.blocks += view.map->first;
    }
    return view;
}

// Before a block is gone, by a call or with its entity: its cells are free, but for those that
// others block.
static void block_removed(void *user, const kn_component_call *call)
{
    const mover_kit *kit = user;
    const map_block block =
        *(const map_block *)kn_component_instance_read(call->world, kit->blocks, call->component);
    const map_plan *map = plan_of(kit, block.map);
    uint32_t *words = map != NULL ? words_get(call->world, kit) : NULL;
    if (words != NULL) {
        const span area = span_of(map, &block);
        span_fill(words, map, &area, false);
        all_blocks_fill(call->world, kit, call->component, map, &area, words);
    }
}

// Calls ---------------------------------------------------------------------------------

typedef struct block_call {
    kn_entity_id entity;
    map_block block;
    kn_component_id id;
} block_call;

static kn_result block_run(void *user, kn_world *world)
{
    block_call *c = user;
    const mover_kit *kit = knc_mover_kit_of_world(world);
    kn_result result = kn_component_instance_add(world, kit->blocks, c->entity, &c->id);
    if (result != KN_OK) {
        return result;
    }
    *(map_block *)kn_component_instance_get(world, kit->blocks, c->id) = c->block;
    uint32_t *words = words_get(world, kit);
    if (words == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    const map_plan *map = plan_of(kit, c->block.map);
    const span area = span_of(map, &c->block);
    span_fill(words, map, &area, true);
    return KN_OK;
}

static bool is_rectangle(kn_vec3 min, kn_vec3 max)
{
    return isfinite(min.x) && isfinite(min.y) && isfinite(min.z) && isfinite(max.x) &&
           isfinite(max.y) && isfinite(max.z) && min.x <= max.x && min.y <= max.y;
}

kn_result kn_map_block(kn_world *world, kn_entity_id entity, kn_map_id map, kn_vec3 min,
    kn_vec3 max, kn_component_id *block)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    block_call c = {entity, {map, min, max}, {0}};
    kn_result result = KN_OK;
    if (kit == NULL || plan_of(kit, map) == NULL) {
        result = KN_ERROR_INVALID_ARGUMENT;
    } else if (entity.index1 != 0 && !kn_entity_is_alive(world, entity)) {
        result = KN_REFUSED_STALE_ID;
    } else if (kn_world_is_client(world)) {
        result = KN_REFUSED_BLOCKED;
    } else if (kn_entity_is_dying(world, entity)) {
        result = KN_REFUSED_DYING;
    } else if (!is_rectangle(min, max)) {
        result = KN_REFUSED_BAD_NUMBER;
    }
    result = result == KN_OK ? kn_world_call(world, block_run, &c) : result;
    if (block != NULL) {
        *block = result == KN_OK ? c.id : (kn_component_id){0};
    }
    return result;
}

bool kn_map_unblock(kn_world *world, kn_component_id block)
{
    const mover_kit *kit = knc_mover_kit_of_world(world);
    return kit != NULL && !kn_world_is_client(world) &&
           kn_component_instance_remove(world, kit->blocks, block);
}

bool kn_map_is_blocked(const kn_world *world, kn_map_id map, kn_vec3 point)
{
    if (knc_mover_kit_of_world(world) == NULL) {
        return true;
    }
    const map_view view = knc_path_view(world, map);
    if (view.map == NULL) {
        return true;
    }
    const cell at = knc_path_cell(view.map, point);
    return !cell_is_free(&view, at.x, at.y);
}

bool kn_map_line_is_free(const kn_world *world, kn_map_id map, kn_vec3 from, kn_vec3 to)
{
    if (knc_mover_kit_of_world(world) == NULL) {
        return false;
    }
    const map_view view = knc_path_view(world, map);
    return view.map != NULL && knc_path_sees(&view, from, to);
}

// Registering -----------------------------------------------------------------------------

static kn_result components_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    static const kn_field block_fields[] = {
        KN_FIELD_TO(map_block, map, "map"),
        KN_FIELD(map_block, min, KN_FIELD_VEC3),
        KN_FIELD(map_block, max, KN_FIELD_VEC3),
    };
    static const kn_field cells_fields[] = {
        KN_FIELD(map_cells, version, KN_FIELD_U32),
        KN_FIELD(map_cells, shape, KN_FIELD_U32),
    };
    static const kn_field word_fields[] = {KN_FIELD_INIT("cells", KN_FIELD_U32, 0, 1)};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.MapBlock";
    def.size = sizeof(map_block);
    def.fields = block_fields;
    def.field_count = COUNT(block_fields);
    def.several = true;
    def.sync = KN_SYNC_NONE;
    def.removed = block_removed;
    def.user = kit;
    kn_result result = kn_component_register(library, &def, &kit->blocks, error);
    if (result != KN_OK) {
        return result;
    }
    def = kn_component_def_default();
    def.name = "Knack.MapCells";
    def.size = sizeof(map_cells);
    def.fields = cells_fields;
    def.field_count = COUNT(cells_fields);
    def.item_size = sizeof(uint32_t);
    def.item_fields = word_fields;
    def.item_field_count = COUNT(word_fields);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->cells, error);
}

kn_result knc_path_maps_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "map";
    kind.section = "maps";
    kind.table = &map_table;
    kind.text = "Where units can go and where they cannot, in squares.";
    kind.check = map_check;
    kind.finish = maps_finish;
    kind.user = kit;
    kn_result result = kn_kind_register(library, &kind, &kit->map_kind, error);
    return result != KN_OK ? result : components_register(library, kit, error);
}

kn_result kn_map_register(
    kn_library *library, const kn_map_def *def, kn_map_id *map, kn_error *error)
{
    kn_map_id ignored;
    map = map != NULL ? map : &ignored;
    map->index1 = 0;
    return def != NULL && kn_order_is_there(library)
               ? kn_def_register(
                     library, knc_mover_kit_of(library)->map_kind, def, &map->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_map_id kn_map_find(const kn_library *library, const char *name)
{
    kn_map_id map = {0};
    if (kn_order_is_there(library)) {
        map.index1 = kn_def_find_expected(library, knc_mover_kit_of(library)->map_kind, name);
    }
    return map;
}

const kn_map_def *kn_map_get_def(const kn_library *library, kn_map_id map)
{
    return kn_order_is_there(library)
               ? kn_def_get(library, knc_mover_kit_of(library)->map_kind, map.index1)
               : NULL;
}
