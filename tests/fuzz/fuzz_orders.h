// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the fuzz targets of the order kit share: a world with a grid, its copies, and what must be
// true of it at any moment. Hooks choose what they do by the state of the world alone, since copies
// of a world must go the same way.
#ifndef KNACK_FUZZ_ORDERS_H
#define KNACK_FUZZ_ORDERS_H

#include "fuzz_input.h"

#include "knack/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

enum {
    ENTITIES = 6, // the first two own the others
    OWNERS = 2,
    TAGS = 6,
    DEEDS = 32, // what hooks do, by input
    CALLS_MAX = 80,
    COPIES_MAX = 4, // saves and rollbacks of one run each
};

typedef struct game {
    fuzz_input *in;
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id entities[ENTITIES];
    kn_tag tags[TAGS];
    uint8_t deeds[DEEDS];
    uint32_t saves, rollbacks;
} game;

static inline void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

// What a call may return, whatever it is given.
static inline kn_result sane(kn_result result)
{
    must(result == KN_OK || kn_result_is_refused(result) || result == KN_ERROR_INVALID_ARGUMENT,
        kn_result_name(result));
    return result;
}

// Chains that are cut say so; there are many of them.
static inline void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static inline void library_begin(game *g)
{
    static const char *const names[TAGS] = {
        "A", "A.Deep", "B", "B.Deep", "C", "Knack.Status.Alive"};
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    def.hooks.log_fn = log_nothing;
    must(kn_library_create(&def, &g->library) == KN_OK, "no library");
    must(kn_order_register(g->library, &error) == KN_OK, error.message);
    must(kn_grid_register(g->library, NULL, &error) == KN_OK, error.message);
    for (uint32_t i = 0; i < TAGS; i++) {
        kn_tag_def tag = kn_tag_def_default();
        tag.name = names[i];
        g->tags[i] = kn_tag_find(g->library, names[i]);
        must(g->tags[i].index1 != 0 ||
                 kn_tag_register(g->library, &tag, &g->tags[i], &error) == KN_OK,
            error.message);
    }
}

static inline void grid_begin(game *g)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = g->world;
    must(kn_grid_create(&def, &g->grid) == KN_OK, "no grid");
    kn_world_set_space(g->world, kn_grid_space(g->grid));
}

static inline void world_begin(game *g, uint32_t seed)
{
    kn_world_def def = kn_world_def_default();
    def.library = g->library;
    def.hooks.log_fn = log_nothing;
    def.seed = seed;
    must(kn_world_create(&def, &g->world) == KN_OK, "no world");
    grid_begin(g);
}

static inline void game_end(game *g)
{
    kn_grid_destroy(g->grid);
    kn_world_destroy(g->world);
    kn_library_destroy(g->library);
}

// Choices -------------------------------------------------------------------------------

static inline kn_entity_id take_entity(game *g)
{
    uint32_t byte = take_u8(g->in);
    return byte >= 250 ? (kn_entity_id){byte - 250, 1} : g->entities[byte % ENTITIES];
}

static inline kn_tag take_tag(game *g)
{
    return g->tags[take_below(g->in, TAGS)];
}

// None, one or two; they stay where they are until the library is finished.
static inline kn_tags take_tags(game *g, kn_tag out[2])
{
    uint32_t count = take_below(g->in, 8);
    count = count < 5 ? 0 : count < 7 ? 1 : 2;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = take_tag(g);
    }
    return (kn_tags){out, count};
}

static inline kn_vec3 take_place(game *g)
{
    return (kn_vec3){take_small_float(g->in), take_small_float(g->in), 0};
}

static inline void take_deeds(game *g)
{
    for (uint32_t i = 0; i < DEEDS; i++) {
        g->deeds[i] = (uint8_t)take_u8(g->in);
    }
}

// What a hook does: by what it is about, and by the time.
static inline uint32_t deed_of(const game *g, const kn_world *world, uint32_t about)
{
    uint64_t mixed = (uint64_t)kn_world_now(world) / KN_MS(5) + about;
    return g->deeds[mixed * UINT64_C(0x9e3779b97f4a7c15) >> 59];
}

// The world as it is -------------------------------------------------------------------

static inline uint32_t item_count(const game *g, kn_entity_id entity, const char *component)
{
    uint32_t count = 0;
    kn_component_type_id type = kn_component_find(g->library, component);
    (void)kn_component_read_items(g->world, type, entity, &count);
    return count;
}

static inline void unit_check(const game *g, kn_entity_id unit)
{
    kn_unit_info info;
    char text[512];
    kn_order_auto_info autos[4];
    if (!kn_unit_get_info(g->world, unit, &info)) {
        return;
    }
    must(item_count(g, unit, "Knack.OrderMind") == 0, "calls wait and no hook runs");
    must(kn_unit_queue(g->world, unit, NULL, 0) == info.queue_count, "another queue");
    const kn_order_type_def *def = kn_order_type_get_def(g->library, info.current.type);
    must(info.current.type.index1 == 0 || def != NULL, "an order of no type");
    // Orders that are not aimed at entities may be given with one, and do not care.
    must(info.is_idle || def->target_kind != KN_ORDER_TARGET_ENTITY ||
             def->find_target_kind.function != NULL ||
             kn_entity_is_alive(g->world, info.current.target),
        "an order at somebody who is gone");
    (void)kn_order_print(g->world, &info.current, NULL, NULL, text, sizeof(text));
    (void)kn_order_autos(g->world, unit, autos, 4);
}

static inline void tree_check(const game *g, kn_entity_id entity)
{
    static char text[8192];
    kn_tree_info info;
    kn_tree_node_info node;
    bool runs[KN_TREE_DEPTH_MAX + 1] = {false};
    if (!kn_tree_get_info(g->world, entity, &info)) {
        return;
    }
    must(item_count(g, entity, "Knack.TreeCalls") == 0, "calls wait and the tree rests");
    for (uint32_t i = 0; kn_tree_get_node(g->world, entity, i, &node); i++) {
        runs[node.depth] = node.state == KN_TREE_STATE_RUNNING;
        must(
            !runs[node.depth] || info.result == KN_TREE_RUNNING, "a node of a tree that has ended");
        must(!runs[node.depth] || node.depth == 0 || runs[node.depth - 1],
            "a node inside one that does not run");
        must(i != 0 || runs[0] == (info.result == KN_TREE_RUNNING), "a tree without its root");
    }
    must(kn_tree_print(g->world, entity, text, sizeof(text)) > 0, "no drawing");
}

static inline void game_check(const game *g)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        unit_check(g, g->entities[i]);
        tree_check(g, g->entities[i]);
    }
    must(kn_world_validate(g->world), "the world is not valid");
}

// Steps and copies ----------------------------------------------------------------------

static inline void world_step(kn_world *world, kn_time time)
{
    kn_result result = kn_world_step(world, time);
    must(result == KN_OK, kn_result_name(result));
}

static inline void save_and_load(game *g)
{
    size_t size;
    kn_error error = {0};
    must(kn_save_write(g->world, NULL, 0, &size) == KN_OK, "no size");
    uint8_t *bytes = malloc(size);
    must(bytes != NULL && kn_save_write(g->world, bytes, size, &size) == KN_OK, "no save");
    game loaded = *g;
    world_begin(&loaded, 0);
    must(kn_save_read(loaded.world, bytes, size, &error) == KN_OK, error.message);
    must(kn_world_hash(loaded.world) == kn_world_hash(g->world), "the save is another world");
    free(bytes);
    kn_time time = KN_MS(10 * (1 + take_u8(g->in)));
    world_step(g->world, time);
    world_step(loaded.world, time);
    must(kn_world_hash(loaded.world) == kn_world_hash(g->world), "the copy went elsewhere");
    kn_grid_destroy(g->grid);
    kn_world_destroy(g->world);
    g->world = loaded.world;
    g->grid = loaded.grid;
}

static inline void roll_back(game *g)
{
    size_t size = kn_snapshot_size(g->world);
    void *bytes = malloc(size);
    must(bytes != NULL && kn_snapshot_take(g->world, bytes, size, &size) == KN_OK, "no snapshot");
    uint64_t before = kn_world_hash(g->world);
    kn_time time = KN_MS(10 * (1 + take_u8(g->in)));
    world_step(g->world, time);
    uint64_t after = kn_world_hash(g->world);
    must(kn_snapshot_restore(g->world, bytes, size) == KN_OK, "not restored");
    must(kn_world_hash(g->world) == before, "restored to another state");
    world_step(g->world, time);
    must(kn_world_hash(g->world) == after, "made again it ends differently");
    free(bytes);
}

static inline void play_step(game *g)
{
    uint32_t byte = take_u8(g->in);
    if (byte >= 240 && g->saves < COPIES_MAX) {
        g->saves++;
        save_and_load(g);
    } else if (byte >= 225 && g->rollbacks < COPIES_MAX) {
        g->rollbacks++;
        roll_back(g);
    } else {
        world_step(g->world, KN_MS(byte * 5));
    }
}

static inline void tag_change(game *g, kn_world *world, kn_entity_id entity, uint32_t choice)
{
    kn_tag tag = g->tags[choice / 2 % TAGS];
    (void)sane(kn_entity_set_tag_count(world, entity, tag, KN_TAG_ORIGIN_LOOSE, choice % 2 == 0));
}

#endif
