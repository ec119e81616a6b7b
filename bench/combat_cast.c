// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about casts: thousands at once, of which a few are due in a frame.

#include "fixture.h"

#include "knack/combat.h"

#include <stdlib.h>
#include <string.h>

#define CASTERS 10000
#define CHANNEL_TICKS 8

typedef struct cast_scene {
    bench_fixture fixture; // with a library of its own
    kn_ability_id *abilities;
    kn_ability_type_id bolt, storm, siege;
} cast_scene;

static kn_cast_def cast_of(kn_cast_kind kind, const char *name, float seconds, uint32_t ticks,
    const kn_ability_apply_def *applies)
{
    kn_cast_def def = kn_cast_def_default();
    def.name = name;
    def.kind = kind;
    def.length = kn_magnitude_constant(seconds);
    def.ticks = ticks;
    def.applies = applies;
    def.apply_count = 1;
    return def;
}

static kn_ability_type_id cast_register(cast_scene *scene, const kn_cast_def *cast)
{
    kn_library *library = scene->fixture.library;
    kn_cooldown_def global = kn_global_cooldown_def(library, 1.0f);
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id type;
    kn_cast_id id;
    def.name = cast->name;
    def.cooldowns = &global;
    def.cooldown_count = 1;
    bench_check(kn_ability_register(library, &def, &type, NULL), "kn_ability_register");
    bench_check(kn_cast_register(library, cast, &id, NULL), "kn_cast_register");
    return type;
}

static void library_create(cast_scene *scene)
{
    bench_fixture *fixture = &scene->fixture;
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    bench_check(kn_library_create(&def, &fixture->library), "kn_library_create");
    bench_check(kn_combat_register(fixture->library, &error), error.message);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 1e6f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    bench_check(kn_attribute_set_register(fixture->library, &set, &fixture->vitals, NULL), "set");
    kn_modifier_def modifier = kn_modifier_constant(
        kn_attribute_find(fixture->library, "Vitals.Health"), KN_OP_ADD, -1.0f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Sting";
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    bench_check(kn_effect_register(fixture->library, &effect, &fixture->hit, NULL), "effect");
    kn_ability_apply_def applies = kn_ability_apply_def_default();
    applies.effect = fixture->hit;
    applies.to = KN_APPLY_TO_TARGET;
    kn_cast_def cast = cast_of(KN_CAST_PLAIN, "Bolt", 2.5f, 1, &applies);
    scene->bolt = cast_register(scene, &cast);
    cast = cast_of(KN_CAST_CHANNEL, "Storm", (float)CHANNEL_TICKS, CHANNEL_TICKS, &applies);
    scene->storm = cast_register(scene, &cast);
    cast = cast_of(KN_CAST_PLAIN, "Siege", 36000.0f, 1, &applies);
    scene->siege = cast_register(scene, &cast);
    bench_check(kn_library_finish(fixture->library, &error), error.message);
}

// Casters, `idle` of which cast something that takes hours; the others cast and channel.
static void casters_create(cast_scene *scene, uint32_t busy, uint32_t idle)
{
    bench_fixture *fixture = &scene->fixture;
    memset(scene, 0, sizeof(*scene));
    library_create(scene);
    fixture->entity_count = busy + idle;
    fixture->entities = malloc((busy + idle) * sizeof(*fixture->entities));
    scene->abilities = malloc((busy + idle) * sizeof(*scene->abilities));
    kn_world_def def = fixture_world_def(fixture, busy + idle, 0);
    bench_check(kn_world_create(&def, &fixture->world), "kn_world_create");
    for (uint32_t i = 0; i < busy + idle; i++) {
        kn_entity_id *entity = &fixture->entities[i];
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = i >= busy ? scene->siege : i % 2 == 0 ? scene->bolt : scene->storm;
        bench_check(kn_entity_create(fixture->world, entity), "kn_entity_create");
        bench_check(
            kn_attribute_set_add(fixture->world, *entity, fixture->vitals, 0), "attributes");
        bench_check(kn_ability_grant(fixture->world, *entity, &grant, &scene->abilities[i]),
            "kn_ability_grant");
    }
}

static void cast_again(const cast_scene *scene, uint32_t i)
{
    const bench_fixture *fixture = &scene->fixture;
    kn_event_record event = kn_event_record_default();
    event.instigator = fixture->entities[i];
    event.target = fixture->entities[(i + 1) % fixture->entity_count];
    bench_check(kn_ability_activate(fixture->world, scene->abilities[i], &event, NULL),
        "kn_ability_activate");
}

// Those whose cast has ended in the last frame cast again.
static void cast_frame(const cast_scene *scene, kn_custom_event_id ended)
{
    const bench_fixture *fixture = &scene->fixture;
    fixture_step(fixture, FIXTURE_FRAME);
    kn_events events = kn_world_events(fixture->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUSTOM && event->data.custom.kind.index1 == ended.index1) {
            cast_again(scene, event->entity.index1 - fixture->entities[0].index1);
        }
    }
}

// Milliseconds of a frame, the casts that begin in it included.
static double cast_frames(cast_scene *scene, uint32_t busy, uint64_t *allocations)
{
    const bench_fixture *fixture = &scene->fixture;
    kn_custom_event_id ended = kn_custom_event_find(fixture->library, "Knack.CastEnded");
    for (uint32_t i = 0; i < fixture->entity_count; i++) {
        cast_again(scene, i);
        if (i < busy && i % (busy / 480 + 1) == 0) {
            cast_frame(scene, ended); // spread over eight seconds
        } else if (i % 256 == 255) {
            fixture_step(fixture, 0);
        }
    }
    for (uint32_t i = 0; i < 1200; i++) {
        cast_frame(scene, ended);
    }
    uint64_t before = kn_world_get_stats(fixture->world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < 600; i++) {
        cast_frame(scene, ended);
    }
    double total = bench_now_ns() - start;
    *allocations = kn_world_get_stats(fixture->world).allocations - before;
    return total / 600 / 1e6;
}

void bench_cast_10k(bench_report *bench)
{
    cast_scene scene;
    uint64_t allocations;
    casters_create(&scene, CASTERS, 0);
    bench_note(bench, "frame_ms", cast_frames(&scene, CASTERS, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
    free(scene.abilities);
    fixture_free(&scene.fixture);
}

// As many are due in each world; then more.
void bench_cast_scale(bench_report *bench)
{
    static const char *const casts[BENCH_SIZES] = {"caster_1x_ns", "caster_4x_ns", "caster_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        cast_scene scene;
        uint64_t allocations;
        casters_create(&scene, 1000, 1000 * (bench_sizes[i].times - 1));
        bench_note(bench, bench_sizes[i].metric, cast_frames(&scene, 1000, &allocations), "ms");
        free(scene.abilities);
        fixture_free(&scene.fixture);
    }
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        cast_scene scene;
        uint64_t allocations;
        uint32_t casters = 1000 * bench_sizes[i].times;
        casters_create(&scene, casters, 0);
        double spent = cast_frames(&scene, casters, &allocations);
        bench_note(bench, casts[i], spent * 1e6 / casters, "ns");
        free(scene.abilities);
        fixture_free(&scene.fixture);
    }
}
