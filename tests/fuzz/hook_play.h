// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Plays calls on twins of a world whose hooks do anything (hook_library.h). One twin is plain; the
// other has memory that moves all the time, every event, a log of everything and many listeners.
// After each call both are valid and equal. In between steps are cut in two, made again after a
// rollback, and made by a world that was loaded from a save; libraries are reloaded.
#ifndef KNACK_HOOK_PLAY_H
#define KNACK_HOOK_PLAY_H

#include "hook_library.h"

#include <inttypes.h>

enum {
    PLAIN,
    WATCHED,
    TWINS,
    CALLS_MAX = 80,
    SAVES_MAX = 2,
    RELOADS_MAX = 2,
};

typedef struct play {
    fuzz_input in;
    kn_library *libraries[2]; // equal ones
    uint32_t library;         // in use
    kn_world_def def;
    kn_world *worlds[TWINS];
    uint32_t saves, reloads;
} play;

// Every block moves whenever it changes its size, and what is given back is not as it was.
static void *move_always(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    void *moved = NULL;
    if (new_size > 0) {
        moved = malloc(new_size);
        must(moved != NULL, "memory");
        memset(moved, 0xa5, new_size);
        if (block != NULL) {
            memcpy(moved, block, old_size < new_size ? old_size : new_size);
        }
    }
    if (block != NULL) {
        memset(block, 0x5a, old_size);
        free(block);
    }
    return moved;
}

static void listen(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    char text[160];
    (void)kn_event_print(world, event, text, sizeof text);
}

static void watch(kn_world *world)
{
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        must(kn_log_set_level(world, (kn_log_category)i, KN_LOG_VERBOSE) == KN_OK, "log");
    }
    for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i += 2) {
        kn_listener_def def = kn_listener_def_default();
        def.type = (kn_event_type)i;
        def.function = listen;
        kn_listener_id listener;
        must(kn_listener_add(world, &def, &listener) == KN_OK, "listener");
    }
}

static kn_world *world_create(const kn_world_def *def)
{
    kn_world *world;
    must(kn_world_create(def, &world) == KN_OK, "world");
    return world;
}

static void play_begin(play *p)
{
    fuzz_input again = p->in;
    p->libraries[0] = hook_library_create(&p->in);
    p->libraries[1] = hook_library_create(&again);
    must(kn_library_hash(p->libraries[0]) == kn_library_hash(p->libraries[1]), "equal libraries");
    p->def = kn_world_def_default();
    p->def.library = p->libraries[0];
    p->def.hooks.log_fn = say_nothing;
    p->def.seed = take_u32(&p->in);
    p->def.grant_fn = hook_grant;
    p->def.chain_limit = 16;
    kn_world_def watched = p->def;
    watched.hooks.realloc_fn = move_always;
    watched.event_mask = UINT64_MAX;
    p->worlds[PLAIN] = world_create(&p->def);
    p->worlds[WATCHED] = world_create(&watched);
    watch(p->worlds[WATCHED]);
}

static void play_end(play *p)
{
    for (uint32_t i = 0; i < TWINS; i++) {
        kn_world_destroy(p->worlds[i]);
        kn_library_destroy(p->libraries[i]);
    }
}

// Checks -------------------------------------------------------------------------

static void must_be_same(const kn_world *expected, const kn_world *found, const char *what)
{
    if (kn_world_hash(expected) != kn_world_hash(found)) {
        char text[512] = "";
        (void)kn_world_difference(expected, found, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        must(false, what);
    }
}

// pre_change hooks return what they were given, so that none may show in an explanation.
static void values_check(const kn_world *world)
{
    for (kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0}); entity.index1 != 0;
         entity = kn_entity_next(world, entity)) {
        for (uint32_t i = 1; i <= ATTRIBUTES; i++) {
            if (kn_attribute_get_def(kn_world_library(world), (kn_attribute_id){i})->is_meta) {
                continue; // 0 again, whatever acts on it
            }
            kn_explain_line lines[32];
            uint32_t count =
                kn_attribute_explain(world, entity, (kn_attribute_id){i}, 0, lines, 32);
            for (uint32_t n = 0; n < count && n < 32; n++) {
                if (lines[n].kind == KN_EXPLAIN_HOOK) {
                    char text[1024];
                    (void)kn_attribute_explain_text(
                        world, entity, (kn_attribute_id){i}, 0, text, sizeof text);
                    fprintf(stderr, "entity %u: %s\n", entity.index1, text);
                    must(false, "a value is not what its modifiers make it");
                }
            }
        }
    }
}

static void check(play *p)
{
    for (uint32_t i = 0; i < TWINS; i++) {
        must(!kn_world_is_broken(p->worlds[i]), "a world is broken");
        must(kn_world_validate(p->worlds[i]), "validation");
    }
    must_be_same(p->worlds[PLAIN], p->worlds[WATCHED], "twins differ");
    values_check(p->worlds[PLAIN]);
}

// Steps --------------------------------------------------------------------------

static void step(kn_world *world, kn_time dt)
{
    must(kn_world_step(world, dt) == KN_OK, "step");
}

// One step is as good as two halves, and as the same again after a rollback.
static void step_again(play *p, kn_time dt)
{
    kn_world *world = p->worlds[PLAIN];
    size_t size = kn_snapshot_size(world), written = 0;
    void *snapshot = malloc(size);
    must(
        snapshot != NULL && kn_snapshot_take(world, snapshot, size, &written) == KN_OK, "snapshot");
    step(world, dt);
    uint64_t hash = kn_world_hash(world);
    must(kn_snapshot_restore(world, snapshot, written) == KN_OK, "restore");
    must(kn_world_validate(world), "validation after a restore");
    step(world, dt / 2);
    step(world, dt - dt / 2);
    must(kn_world_hash(world) == hash, "two halves of a step end in another state");
    must(kn_snapshot_restore(world, snapshot, written) == KN_OK, "restore");
    step(world, dt);
    must(kn_world_hash(world) == hash, "a repeated step ends in another state");
    free(snapshot);
    step(p->worlds[WATCHED], dt);
}

// A loaded world has the same future.
static void save_and_load(play *p)
{
    kn_world *world = p->worlds[PLAIN];
    size_t size;
    must(kn_save_write(world, NULL, 0, &size) == KN_OK, "size of a save");
    void *save = malloc(size);
    must(save != NULL && kn_save_write(world, save, size, &size) == KN_OK, "save");
    p->def.library = p->libraries[p->library];
    kn_world *copy = world_create(&p->def);
    kn_error error;
    if (kn_save_read(copy, save, size, &error) != KN_OK) {
        fprintf(stderr, "%s\n", error.message);
        must(false, "load");
    }
    free(save);
    must(kn_world_validate(copy), "validation after a load");
    must_be_same(world, copy, "a save loads into another state");
    for (uint32_t i = 0; i < 3; i++) {
        step(copy, KN_MS(60));
        step(world, KN_MS(60));
        step(p->worlds[WATCHED], KN_MS(60));
        must_be_same(world, copy, "a loaded world goes another way");
    }
    kn_world_destroy(copy);
}

static void reload(play *p)
{
    uint64_t hash = kn_world_hash(p->worlds[PLAIN]);
    p->library = 1 - p->library;
    for (uint32_t i = 0; i < TWINS; i++) {
        kn_error error;
        if (kn_world_reload(p->worlds[i], p->libraries[p->library], &error) != KN_OK) {
            fprintf(stderr, "%s\n", error.message);
            must(false, "reload");
        }
    }
    must(kn_world_hash(p->worlds[PLAIN]) == hash, "an equal library makes another state");
}

// Calls --------------------------------------------------------------------------

static void deed_on_twins(play *p)
{
    uint32_t place = take_u8(&p->in);
    for (uint32_t i = 0; i < TWINS; i++) {
        kn_world *world = p->worlds[i];
        kn_entity_id entity = {0};
        for (uint32_t n = place % (kn_entity_count(world) + 1); n > 0; n--) {
            entity = kn_entity_next(world, entity);
        }
        fuel_fill(world);
        deed(world, entity);
    }
}

static void spawn_on_twins(play *p)
{
    for (uint32_t i = 0; i < TWINS; i++) {
        kn_entity_id entity;
        fuel_fill(p->worlds[i]);
        if (kn_entity_count(p->worlds[i]) < ENTITIES_MAX) {
            done(kn_archetype_spawn(p->worlds[i], (kn_archetype_id){1}, 1.0f, &entity));
            done(kn_input_bind(p->worlds[i], entity, 1, 2));
        }
    }
}

static void play_call(play *p)
{
    uint32_t byte = take_u8(&p->in);
    kn_time dt = KN_MS(byte & 31) * 10;
    // Moving all memory takes long: now and then is often enough.
    kn_world_set_moving(p->worlds[WATCHED], byte % 8 == 7);
    switch (byte >> 5) {
    case 0:
        spawn_on_twins(p);
        break;
    case 1:
        step_again(p, dt);
        break;
    case 2:
        if ((byte & 7) == 0 && p->saves++ < SAVES_MAX) {
            save_and_load(p);
        } else if ((byte & 7) == 1 && p->reloads++ < RELOADS_MAX) {
            reload(p);
        } else {
            for (uint32_t i = 0; i < TWINS; i++) {
                must(kn_targeting_step(p->worlds[i], dt) == KN_OK, "targeting");
                step(p->worlds[i], dt);
            }
        }
        break;
    default:
        deed_on_twins(p);
        break;
    }
}

// Plays an input to its end. Returns the hash of the last state.
static uint64_t hooks_play(const uint8_t *data, size_t size)
{
    play p = {.in = {data, size}};
    play_begin(&p);
    spawn_on_twins(&p);
    spawn_on_twins(&p);
    check(&p);
    for (uint32_t i = 0; i < CALLS_MAX && p.in.size > 0; i++) {
        play_call(&p);
        check(&p);
    }
    step_again(&p, KN_MS(500));
    check(&p);
    uint64_t hash = kn_world_hash(p.worlds[PLAIN]);
    play_end(&p);
    return hash;
}

#endif
