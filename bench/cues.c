// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A burst of cues: a thousand entities, twenty cues each in one step, through a player that merges
// equal ones.

#include "bench.h"

#include <stdlib.h>

#define ENTITIES 1000
#define TAGS 4
#define CUES_PER_TAG 5
#define CUES (ENTITIES * TAGS * CUES_PER_TAG)
#define WARM_STEPS 4
#define STEPS 16

typedef struct burst {
    kn_library *library;
    kn_world *world;
    kn_cue_player *player;
    kn_entity_id entities[ENTITIES];
    kn_tag tags[TAGS];
    uint64_t allocations;
    uint64_t calls;
    uint64_t cues;
} burst;

static void *counting_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    burst *scene = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    scene->allocations += new_size > old_size;
    return realloc(ptr, new_size);
}

static void count_executed(const kn_cue_call *call)
{
    burst *scene = call->user;
    scene->calls++;
    scene->cues += call->count;
}

static void burst_player_init(burst *scene)
{
    kn_cue_player_def def = kn_cue_player_def_default();
    def.library = scene->library;
    def.hooks = (kn_hooks){.realloc_fn = counting_realloc, .realloc_user = scene};
    def.merges = true;
    bench_check(kn_cue_player_create(&def, &scene->player), "kn_cue_player_create");
    for (uint32_t i = 0; i < TAGS; i++) {
        kn_cue_handler_def handler = kn_cue_handler_def_default();
        handler.tag = scene->tags[i];
        handler.executed = count_executed;
        handler.user = scene;
        bench_check(kn_cue_handler_add(scene->player, &handler), "kn_cue_handler_add");
    }
}

static void burst_init(burst *scene)
{
    static const char *const names[TAGS] = {
        "GameplayCue.Hit", "GameplayCue.Spark", "GameplayCue.Number", "GameplayCue.Shout"};
    kn_library_def library_def = kn_library_def_default();
    bench_check(kn_library_create(&library_def, &scene->library), "kn_library_create");
    for (uint32_t i = 0; i < TAGS; i++) {
        kn_tag_def tag = kn_tag_def_default();
        tag.name = names[i];
        bench_check(
            kn_tag_register(scene->library, &tag, &scene->tags[i], NULL), "kn_tag_register");
    }
    bench_check(kn_library_finish(scene->library, NULL), "kn_library_finish");
    kn_world_def world_def = kn_world_def_default();
    world_def.library = scene->library;
    world_def.entity_capacity = ENTITIES;
    world_def.event_capacity = CUES;
    bench_check(kn_world_create(&world_def, &scene->world), "kn_world_create");
    for (uint32_t i = 0; i < ENTITIES; i++) {
        bench_check(kn_entity_create(scene->world, &scene->entities[i]), "kn_entity_create");
        bench_check(kn_entity_make_actor(scene->world, scene->entities[i]), "kn_entity_make_actor");
    }
    burst_player_init(scene);
}

// Everybody's cues, one after the other; returns the nanoseconds of the world's part.
static double burst_tell(burst *scene)
{
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = 1.0f;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < ENTITIES; i++) {
        for (uint32_t cue = 0; cue < TAGS * CUES_PER_TAG; cue++) {
            (void)kn_cue_execute(
                scene->world, scene->entities[i], scene->tags[cue % TAGS], &params);
        }
    }
    double end = bench_now_ns();
    bench_check(kn_world_step(scene->world, KN_US(16667)), "kn_world_step");
    return end - start;
}

// The nanoseconds of the player's part.
static double burst_play(burst *scene)
{
    double start = bench_now_ns();
    kn_cue_player_update(scene->player, scene->world);
    double end = bench_now_ns();
    kn_cue_player_confirm(scene->player, kn_world_now(scene->world));
    return end - start;
}

void bench_cue_burst(bench_report *bench)
{
    burst *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "calloc");
        return;
    }
    burst_init(scene);
    double told = 0.0, played = 0.0;
    for (uint32_t i = 0; i < WARM_STEPS + STEPS; i++) {
        if (i == WARM_STEPS) {
            scene->allocations = scene->calls = scene->cues = 0;
            told = played = 0.0;
        }
        told += burst_tell(scene);
        played += burst_play(scene);
    }
    bench_note(bench, "op_ns", played / STEPS / CUES, "ns");
    bench_note(bench, "execute_ns", told / STEPS / CUES, "ns");
    bench_note(bench, "allocations", (double)scene->allocations, "");
    bench_note(bench, "cues_per_call", (double)scene->cues / (double)scene->calls, "");
    kn_cue_player_destroy(scene->player);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene);
}
