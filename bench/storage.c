// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about the size of a world and about keeping it: snapshots, hashes, saves.

#include "fixture.h"

#include <stdlib.h>

// Bytes ---------------------------------------------------------------------

// A world to weigh: a number of entities, with or without attributes, each with a number of
// effects.
typedef struct world_shape {
    uint32_t entities;
    bool has_attributes;
    uint32_t effects; // per entity
} world_shape;

static kn_world_stats weigh_with(
    const bench_fixture *fixture, const world_shape *shape, size_t heap)
{
    struct bench_fixture actors = *fixture;
    kn_world_def def =
        fixture_world_def(fixture, shape->entities, shape->entities * shape->effects);
    def.actor_capacity = shape->has_attributes ? shape->entities : 0;
    def.heap_capacity = heap;
    if (shape->has_attributes) {
        fixture_populate(&actors, &def, shape->entities);
        if (shape->effects > 0) {
            fixture_spread(&actors, fixture->slow_dots, shape->effects, KN_S(1));
        }
    } else {
        bench_check(kn_world_create(&def, &actors.world), "kn_world_create");
        for (uint32_t i = 0; i < shape->entities; i++) {
            kn_entity_id entity;
            bench_check(kn_entity_create(actors.world, &entity), "kn_entity_create");
            if (i % 256 == 255) {
                fixture_step(&actors, 0);
            }
        }
    }
    kn_world_stats stats = kn_world_get_stats(actors.world);
    kn_world_destroy(actors.world);
    free(actors.entities);
    return stats;
}

// Bytes of the world when its heap has just the room it needs: the least capacity that makes it
// allocate no more often than plenty does.
static double weigh(const bench_fixture *fixture, const world_shape *shape)
{
    size_t low = 0, high = 64u << 20;
    uint64_t fewest = weigh_with(fixture, shape, high).allocations;
    while (high - low > 256) {
        size_t middle = low + (high - low) / 2;
        if (weigh_with(fixture, shape, middle).allocations > fewest) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (double)weigh_with(fixture, shape, high).bytes;
}

// Kilobytes of a world that was given no capacities.
static double weigh_small(const bench_fixture *fixture, uint32_t entities, uint32_t effects)
{
    struct bench_fixture actors = *fixture;
    kn_world_def def = kn_world_def_default();
    def.library = fixture->library;
    fixture_populate(&actors, &def, entities);
    if (entities > 0) {
        fixture_spread(&actors, fixture->slow_dots, effects, KN_S(1));
    }
    fixture_step(&actors, FIXTURE_FRAME);
    double bytes = (double)kn_world_get_stats(actors.world).bytes;
    kn_world_destroy(actors.world);
    free(actors.entities);
    return bytes / 1024;
}

void bench_bytes(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    const uint32_t count = 10000;
    const world_shape bare = {.entities = count}, bare_twice = {.entities = 2 * count};
    const world_shape actors = {.entities = count, .has_attributes = true};
    const world_shape actors_twice = {.entities = 2 * count, .has_attributes = true};
    const world_shape effects = {
        .entities = count, .has_attributes = true, .effects = FIXTURE_DOTS};
    double actor_bytes = weigh(&fixture, &actors);
    bench_note(bench, "effect_bytes",
        (weigh(&fixture, &effects) - actor_bytes) / ((double)count * FIXTURE_DOTS), "bytes");
    bench_note(
        bench, "actor16_bytes", (weigh(&fixture, &actors_twice) - actor_bytes) / count, "bytes");
    bench_note(bench, "actor_empty_bytes",
        (weigh(&fixture, &bare_twice) - weigh(&fixture, &bare)) / count, "bytes");
    bench_note(bench, "world_empty_kb", weigh_small(&fixture, 0, 0), "KB");
    bench_note(bench, "world_10_actors_kb", weigh_small(&fixture, 10, 5), "KB");
    fixture_free(&fixture);
}

// Keeping a world -----------------------------------------------------------

// Actors with ten effects each, in the middle of things.
static void prepare_many(bench_fixture *fixture, uint32_t actors)
{
    fixture_init(fixture);
    kn_world_def def = fixture_world_def(fixture, actors, actors * FIXTURE_DOTS);
    fixture_populate(fixture, &def, actors);
    fixture_spread(fixture, fixture->dots, FIXTURE_DOTS, KN_S(1));
    for (uint32_t i = 0; i < 60; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
    }
}

static void prepare(bench_fixture *fixture)
{
    prepare_many(fixture, 1000);
}

static void *allocate(size_t size)
{
    void *block = malloc(size);
    if (block == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "malloc");
    }
    return block;
}

void bench_snapshot_1k(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    size_t size = kn_snapshot_size(fixture.world);
    void *buffer = allocate(size);
    const uint32_t rounds = 50;
    double total = 0.0;
    for (uint32_t i = 0; i <= rounds; i++) {
        size_t written;
        double start = bench_now_ns();
        bench_check(kn_snapshot_take(fixture.world, buffer, size, &written), "kn_snapshot_take");
        bench_check(kn_snapshot_restore(fixture.world, buffer, written), "kn_snapshot_restore");
        double end = bench_now_ns();
        total += i > 0 ? end - start : 0.0; // the first one touches the buffer
    }
    bench_note(bench, "round_trip_ms", total / rounds * 1e-6, "ms");
    bench_note(bench, "bytes", (double)size, "bytes");
    free(buffer);
    fixture_free(&fixture);
}

// A rollback: the snapshot of eight frames ago comes back, and the frames are stepped again.
void bench_resim_8(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    size_t size = kn_snapshot_size(fixture.world) * 2;
    void *buffer = allocate(size);
    const uint32_t rounds = 50;
    double total = 0.0;
    for (uint32_t i = 0; i <= rounds; i++) {
        size_t written;
        bench_check(kn_snapshot_take(fixture.world, buffer, size, &written), "kn_snapshot_take");
        for (uint32_t frame = 0; frame < 8; frame++) {
            fixture_step(&fixture, FIXTURE_FRAME);
        }
        double start = bench_now_ns();
        bench_check(kn_snapshot_restore(fixture.world, buffer, written), "kn_snapshot_restore");
        for (uint32_t frame = 0; frame < 8; frame++) {
            fixture_step(&fixture, FIXTURE_FRAME);
        }
        double end = bench_now_ns();
        total += i > 0 ? end - start : 0.0;
    }
    bench_note(bench, "total_ms", total / rounds * 1e-6, "ms");
    free(buffer);
    fixture_free(&fixture);
}

void bench_hash_1k(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    const uint32_t rounds = 50;
    uint64_t sum = kn_world_hash(fixture.world);
    double start = bench_now_ns();
    for (uint32_t i = 0; i < rounds; i++) {
        sum += kn_world_hash(fixture.world);
    }
    double end = bench_now_ns();
    bench_use(sum);
    bench_note(bench, "total_ms", (end - start) / rounds * 1e-6, "ms");
    fixture_free(&fixture);
}

void bench_save_load_1k(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    size_t size;
    bench_check(kn_save_write(fixture.world, NULL, 0, &size), "kn_save_write");
    void *buffer = allocate(size);
    const uint32_t rounds = 10;
    double total = 0.0;
    for (uint32_t i = 0; i <= rounds; i++) {
        size_t written;
        double start = bench_now_ns();
        bench_check(kn_save_write(fixture.world, buffer, size, &written), "kn_save_write");
        bench_check(kn_save_read(fixture.world, buffer, written, NULL), "kn_save_read");
        double end = bench_now_ns();
        total += i > 0 ? end - start : 0.0;
    }
    bench_note(bench, "round_trip_ms", total / rounds * 1e-6, "ms");
    bench_note(bench, "bytes", (double)size, "bytes");
    free(buffer);
    fixture_free(&fixture);
}

static double followed_frame_ms(const bench_fixture *fixture, bool follows)
{
    bench_check(kn_changes_follow(fixture->world, follows), "kn_changes_follow");
    fixture_step(fixture, FIXTURE_FRAME);
    double start = bench_now_ns();
    for (uint32_t i = 0; i < 120; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
        (void)kn_changes_version(fixture->world);
    }
    return (bench_now_ns() - start) / 120 * 1e-6;
}

// A hundred of the 1,000 actors as bytes, and back into the world; and what it costs to follow
// changes of all of them for a frame.
void bench_project_1k(bench_report *bench)
{
    bench_fixture fixture;
    prepare(&fixture);
    const uint32_t count = 100, rounds = 20;
    size_t size;
    bench_check(kn_projection_take(fixture.world, fixture.entities, count, NULL, NULL, 0, &size),
        "kn_projection_take");
    void *buffer = allocate(size);
    double take = 0.0, write = 0.0;
    for (uint32_t i = 0; i <= rounds; i++) {
        size_t written;
        double start = bench_now_ns();
        bench_check(kn_projection_take(
                        fixture.world, fixture.entities, count, NULL, buffer, size, &written),
            "kn_projection_take");
        double taken = bench_now_ns() - start;
        start = bench_now_ns();
        bench_check(
            kn_projection_write(fixture.world, buffer, written, NULL), "kn_projection_write");
        double end = bench_now_ns();
        take += i > 0 ? taken : 0.0;
        write += i > 0 ? end - start : 0.0;
    }
    bench_note(bench, "take_us", take / rounds / count * 1e-3, "us");
    bench_note(bench, "write_ms", write / rounds * 1e-6, "ms");
    bench_note(bench, "entity_bytes", (double)size / count, "bytes");
    bench_note(bench, "frame_ms", followed_frame_ms(&fixture, false), "ms");
    bench_note(bench, "frame_followed_ms", followed_frame_ms(&fixture, true), "ms");
    free(buffer);
    fixture_free(&fixture);
}

// What following the changes of an actor costs a frame, among more and more of them.
void bench_project_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {"actor_1x_ns", "actor_4x_ns", "actor_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        bench_fixture fixture;
        uint32_t actors = 1000 * bench_sizes[i].times;
        prepare_many(&fixture, actors);
        bench_note(bench, metrics[i], followed_frame_ms(&fixture, true) * 1e6 / actors, "ns");
        fixture_free(&fixture);
    }
}
