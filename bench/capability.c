// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about capabilities: many that sleep, many that are asked, and many that tick.

#include "fixture.h"

#include "knack/capability.h"

#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 8

typedef struct capability_scene {
    bench_fixture fixture; // with a library of its own
    kn_capability_set_id set;
    kn_tag alarm;
} capability_scene;

typedef struct stamina {
    float left;
    uint32_t ticks;
} stamina;

// What a game would ask: whether the entity is alarmed.
static kn_result is_alarmed(void *user, const kn_hook_call *call)
{
    const kn_tag *alarm = user;
    return kn_entity_has_tag(call->world, call->entity, *alarm) ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result is_calm(void *user, const kn_hook_call *call)
{
    return is_alarmed(user, call) == KN_OK ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result spend(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    stamina *state = c->writable_state;
    (void)user;
    state->left -= (float)c->dt * 1e-6f;
    state->ticks++;
    return KN_OK;
}

static void library_create(capability_scene *scene, uint32_t members, bool sleeps, bool ticks)
{
    static const char *const names[MEMBERS_MAX] = {"A", "B", "C", "D", "E", "F", "G", "H"};
    static const kn_field fields[] = {
        {.name = "left", .kind = KN_FIELD_F32},
        {.name = "ticks", .kind = KN_FIELD_U32},
    };
    kn_library *library;
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    kn_tag_def tag = kn_tag_def_default();
    bench_check(kn_library_create(&def, &scene->fixture.library), "kn_library_create");
    library = scene->fixture.library;
    bench_check(kn_capability_register(library, &error), error.message);
    tag.name = "State.Alarmed";
    bench_check(kn_tag_register(library, &tag, &scene->alarm, NULL), "kn_tag_register");
    kn_capability_id ids[MEMBERS_MAX];
    for (uint32_t i = 0; i < members; i++) {
        kn_capability_def capability = kn_capability_def_default();
        capability.name = names[i];
        capability.sleeps = sleeps;
        capability.hears_tags = sleeps ? (kn_tags){&scene->alarm, 1} : (kn_tags){NULL, 0};
        if (ticks) {
            capability.state = fields;
            capability.state_count = 2;
            capability.tick.function = spend;
        } else {
            capability.should_activate = (kn_hook){is_alarmed, &scene->alarm};
            capability.should_deactivate = (kn_hook){is_calm, &scene->alarm};
        }
        bench_check(
            kn_capability_def_register(library, &capability, &ids[i], &error), error.message);
    }
    kn_capability_set_def set = kn_capability_set_def_default();
    set.name = "Behaviour";
    set.capabilities = ids;
    set.capability_count = members;
    bench_check(kn_capability_set_register(library, &set, &scene->set, &error), error.message);
    bench_check(kn_library_finish(library, &error), error.message);
}

static void scene_create(
    capability_scene *scene, uint32_t entities, uint32_t members, bool sleeps, bool ticks)
{
    bench_fixture *fixture = &scene->fixture;
    memset(scene, 0, sizeof(*scene));
    library_create(scene, members, sleeps, ticks);
    fixture->entity_count = entities;
    fixture->entities = malloc(entities * sizeof(*fixture->entities));
    kn_world_def def = fixture_world_def(fixture, entities, 0);
    bench_check(kn_world_create(&def, &fixture->world), "kn_world_create");
    for (uint32_t i = 0; i < entities; i++) {
        bench_check(kn_entity_create(fixture->world, &fixture->entities[i]), "kn_entity_create");
        bench_check(kn_capability_set_add(fixture->world, fixture->entities[i], scene->set, NULL),
            "kn_capability_set_add");
    }
}

// Milliseconds of a frame of 1/60 s, in which every set runs once.
static double frames(capability_scene *scene, uint64_t *allocations)
{
    const bench_fixture *fixture = &scene->fixture;
    for (uint32_t i = 0; i < 60; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
    }
    uint64_t before = kn_world_get_stats(fixture->world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < 300; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
    }
    double total = bench_now_ns() - start;
    *allocations = kn_world_get_stats(fixture->world).allocations - before;
    return total / 300 / 1e6;
}

static double scene_ms(
    uint32_t entities, uint32_t members, bool sleeps, bool ticks, uint64_t *allocations)
{
    capability_scene scene;
    scene_create(&scene, entities, members, sleeps, ticks);
    double spent = frames(&scene, allocations);
    fixture_free(&scene.fixture);
    return spent;
}

static void scene_run(
    bench_report *bench, uint32_t entities, uint32_t members, bool sleeps, bool ticks)
{
    uint64_t allocations;
    bench_note(bench, "frame_ms", scene_ms(entities, members, sleeps, ticks, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
}

// Ten thousand entities with eight capabilities each, all inactive, that wait for a tag.
void bench_capability_event_10k(bench_report *bench)
{
    scene_run(bench, 10000, 8, true, false);
}

// The same, asked in every run.
void bench_capability_poll_10k(bench_report *bench)
{
    scene_run(bench, 10000, 8, false, false);
}

// A thousand entities with six active capabilities each, whose ticks change their state.
void bench_capability_tick_1k(bench_report *bench)
{
    scene_run(bench, 1000, 6, false, true);
}

// What a frame costs for each entity, among more and more of them.
void bench_capability_scale(bench_report *bench)
{
    static const char *const metrics[3][BENCH_SIZES] = {
        {"sleeper_1x_ns", "sleeper_4x_ns", "sleeper_16x_ns"},
        {"poll_1x_ns", "poll_4x_ns", "poll_16x_ns"},
        {"tick_1x_ns", "tick_4x_ns", "tick_16x_ns"},
    };
    for (uint32_t kind = 0; kind < 3; kind++) {
        for (uint32_t i = 0; i < BENCH_SIZES; i++) {
            uint64_t allocations;
            uint32_t entities = 1000 * bench_sizes[i].times;
            double spent = scene_ms(entities, 6, kind == 0, kind == 2, &allocations);
            bench_note(bench, metrics[kind][i], spent * 1e6 / entities, "ns");
        }
    }
}
