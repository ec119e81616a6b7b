// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands of players: issued, ordered, carried out and published. Whatever their number, one must
// cost the same.

#include "bench.h"

#include <stddef.h>
#include <string.h>

#define ENTITIES 1000
#define COMMANDS 100000
#define CONNECTIONS 16
#define ROUNDS 5

typedef struct march {
    kn_vec3 to;
    uint32_t speed;
} march;

typedef struct troops {
    kn_library *library;
    kn_world *world;
    kn_command_type_id march;
    kn_entity_id entities[ENTITIES];
    uint64_t sum; // of what arrived
} troops;

static kn_result march_run(void *user, kn_world *world, const kn_command *command)
{
    troops *scene = user;
    (void)world;
    scene->sum += ((const march *)command->payload)->speed;
    return KN_OK;
}

static void troops_init(troops *scene)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("to", KN_FIELD_VEC3, offsetof(march, to), 1),
        KN_FIELD_INIT("speed", KN_FIELD_U32, offsetof(march, speed), 1),
    };
    memset(scene, 0, sizeof *scene);
    kn_library_def library_def = kn_library_def_default();
    bench_check(kn_library_create(&library_def, &scene->library), "kn_library_create");
    kn_command_def def = kn_command_def_default();
    def.name = "March";
    def.size = sizeof(march);
    def.fields = fields;
    def.field_count = 2;
    def.function = march_run;
    def.user = scene;
    bench_check(kn_command_register(scene->library, &def, &scene->march, NULL), def.name);
    bench_check(kn_library_finish(scene->library, NULL), "kn_library_finish");
    kn_world_def world_def = kn_world_def_default();
    world_def.library = scene->library;
    bench_check(kn_world_create(&world_def, &scene->world), "kn_world_create");
    for (uint32_t i = 0; i < ENTITIES; i++) {
        bench_check(kn_entity_create(scene->world, &scene->entities[i]), "kn_entity_create");
        bench_check(kn_entity_set_connection(scene->world, scene->entities[i], 1 + i % CONNECTIONS),
            "kn_entity_set_connection");
    }
}

static void troops_free(troops *scene)
{
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
}

// All of them in one step. Those of several players arrive mixed.
static void troops_march(troops *scene, uint32_t count, bool is_mixed)
{
    march payload = {{1.0f, 2.0f, 3.0f}, 0};
    for (uint32_t i = 0; i < count; i++) {
        payload.speed = i;
        kn_command command = {.type = scene->march,
            .connection = is_mixed ? 1 + i % CONNECTIONS : 0,
            .sequence = i,
            .entity = scene->entities[i % ENTITIES],
            .payload = &payload,
            .size = sizeof(payload)};
        bench_check(kn_world_command(scene->world, &command, NULL), "kn_world_command");
    }
    bench_check(kn_world_step(scene->world, KN_MS(20)), "kn_world_step");
}

// Nanoseconds for each of `count` commands, and how often memory was allocated.
static double measure(troops *scene, uint32_t count, bool is_mixed, uint64_t *allocations)
{
    troops_march(scene, count, is_mixed); // warms up, twice: both event buffers are used in turn
    troops_march(scene, count, is_mixed);
    uint64_t before = kn_world_get_stats(scene->world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        troops_march(scene, count, is_mixed);
    }
    double spent = bench_now_ns() - start;
    *allocations = kn_world_get_stats(scene->world).allocations - before;
    bench_use(scene->sum);
    return spent / ROUNDS / count;
}

void bench_command(bench_report *bench)
{
    troops scene;
    uint64_t one, mixed;
    troops_init(&scene);
    bench_note(bench, "command_ns", measure(&scene, COMMANDS, false, &one), "ns");
    bench_note(bench, "mixed_ns", measure(&scene, COMMANDS, true, &mixed), "ns");
    bench_note(bench, "allocations", (double)(one + mixed), "count");
    troops_free(&scene);
}

void bench_command_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {"mixed_1x_ns", "mixed_4x_ns", "mixed_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        troops scene;
        uint64_t allocations;
        troops_init(&scene);
        uint32_t count = COMMANDS / 16 * bench_sizes[i].times;
        bench_note(bench, metrics[i], measure(&scene, count, true, &allocations), "ns");
        troops_free(&scene);
    }
}
