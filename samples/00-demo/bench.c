// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A few measurements in about a second. `make bench` is the thorough version.

#include "fight.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ACTORS 10000
#define EFFECTS_EACH 10

typedef struct bench_scene {
    kn_library *library;
    kn_attribute_set_id set;
    kn_effect_type_id dot;
    kn_world *world;
    kn_entity_id *actors;
} bench_scene;

static double now_ms(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void bench_library(bench_scene *bench)
{
    kn_error error = {0};
    kn_library_def library_def = kn_library_def_default();
    must(kn_library_create(&library_def, &bench->library), NULL);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 1e6f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = &health;
    set.attribute_count = 1;
    must(kn_attribute_set_register(bench->library, &set, &bench->set, &error), &error);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "State.Burning";
    kn_tag burning;
    must(kn_tag_register(bench->library, &tag_def, &burning, &error), &error);

    kn_modifier_def hurt =
        kn_modifier_constant(kn_attribute_find(bench->library, "Body.Health"), KN_OP_ADD, -1);
    kn_effect_def dot = kn_effect_def_default();
    dot.name = "Dot";
    dot.duration_kind = KN_DURATION_INFINITE;
    dot.is_periodic = true;
    dot.period = kn_magnitude_constant(1);
    dot.skip_first_tick = true;
    dot.modifiers = &hurt;
    dot.modifier_count = 1;
    dot.granted_tags = (kn_tags){&burning, 1};
    must(kn_effect_register(bench->library, &dot, &bench->dot, &error), &error);
    must(kn_library_finish(bench->library, &error), &error);
}

// A world of `count` actors without effects.
static void bench_world(bench_scene *bench, uint32_t count)
{
    kn_world_def def = kn_world_def_default();
    def.library = bench->library;
    def.entity_capacity = def.actor_capacity = count;
    def.effect_capacity = count * EFFECTS_EACH;
    def.event_capacity = count * EFFECTS_EACH * 3;
    def.heap_capacity = count * (size_t)1024;
    must(kn_world_create(&def, &bench->world), NULL);
    bench->actors = malloc(count * sizeof(kn_entity_id));
    must(bench->actors != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, NULL);
    for (uint32_t i = 0; i < count; i++) {
        must(kn_entity_create(bench->world, &bench->actors[i]), NULL);
        must(kn_attribute_set_add(bench->world, bench->actors[i], bench->set, 0), NULL);
    }
}

// Applies all effects, spread over a second and in no order of the actors, so that ticks come mixed
// as in a game. Returns the milliseconds spent applying.
static double bench_fill(bench_scene *bench, uint32_t count)
{
    double spent = 0;
    for (uint32_t round = 0; round < EFFECTS_EACH * 6; round++) {
        double before = now_ms();
        for (uint32_t i = round % 6; i < count; i += 6) {
            kn_entity_id actor = bench->actors[i * 7919 % count];
            must(
                kn_effect_apply_simple(bench->world, bench->dot, (kn_entity_id){0}, actor, 1, NULL),
                NULL);
        }
        spent += now_ms() - before;
        must(kn_world_step(bench->world, KN_US(16667)), NULL);
    }
    return spent;
}

static void bench_end(bench_scene *bench)
{
    kn_world_destroy(bench->world);
    free(bench->actors);
}

static void bench_frames(bench_scene *bench)
{
    bench_world(bench, ACTORS);
    double applying = bench_fill(bench, ACTORS);
    uint64_t allocations = kn_world_get_stats(bench->world).allocations;
    double before = now_ms();
    for (uint32_t i = 0; i < 60; i++) {
        must(kn_world_step(bench->world, KN_US(16667)), NULL);
    }
    double frame = (now_ms() - before) / 60;
    allocations = kn_world_get_stats(bench->world).allocations - allocations;
    printf("  a frame with 100,000 periodic effects on 10,000 actors  %8.3f ms\n", frame);
    printf(
        "    allocations in 60 such frames                         %8.0f\n", (double)allocations);
    printf("  applying a periodic effect                              %8.0f ns\n",
        applying * 1e6 / (ACTORS * EFFECTS_EACH));
    bench_end(bench);
}

static void bench_snapshot(bench_scene *bench)
{
    enum { ROUNDS = 100 };
    bench_world(bench, ACTORS / 10);
    (void)bench_fill(bench, ACTORS / 10);
    size_t size = kn_snapshot_size(bench->world);
    void *snapshot = malloc(size);
    must(snapshot != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, NULL);
    double before = now_ms();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        must(kn_snapshot_take(bench->world, snapshot, size, &size), NULL);
        must(kn_snapshot_restore(bench->world, snapshot, size), NULL);
    }
    printf("  snapshot and restore, 10,000 effects on 1,000 actors    %8.3f ms\n",
        (now_ms() - before) / ROUNDS);
    before = now_ms();
    uint64_t hash = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        hash ^= kn_world_hash(bench->world);
    }
    printf("  hash of that world                                      %8.3f ms\n",
        (now_ms() - before) / ROUNDS + (double)(hash & 0)); // keeps the loop
    free(snapshot);
    bench_end(bench);
}

void bench_run(void)
{
    bench_scene bench;
    bench_library(&bench);
    bench_frames(&bench);
    bench_snapshot(&bench);
    kn_library_destroy(bench.library);
    printf("\n  `make bench` measures more, and more carefully.\n");
}
