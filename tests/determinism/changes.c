// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Marks of changes: after every step, each part of an entity whose projection differs from before
// must be marked, and the world must be as if nobody had asked.

#include "determinism.h"

#include <string.h>

#define HERTZ 30
#define STEPS_MAX (200 / SHARE(2))

static const char *const part_names[KN_PART_COUNT] = {"entity", "attributes", "tags", "effects",
    "abilities", "cues", "timers", "watches", "components"};

// What was there before: a hash of every part of every entity.
typedef struct shadow {
    kn_entity_id *entities;
    uint64_t (*hashes)[KN_PART_COUNT];
    uint32_t count;
} shadow;

static uint64_t bytes_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t part_hash(const scene_info *scene, const kn_world *world, kn_entity_id entity,
    uint32_t part, buffer *block)
{
    if (part == KN_PART_ATTRIBUTES) { // without effects, projections have no base values
        uint64_t hash = 0;
        kn_state_ref ref = {KN_STATE_NONE, 0, 0};
        while (kn_state_next(world, entity, &ref)) {
            kn_state_view view;
            if (ref.kind == KN_STATE_ATTRIBUTE && kn_state_get(world, ref, &view)) {
                hash = hash * 31 + bytes_hash(view.record, 2 * sizeof(float));
            }
        }
        return hash;
    }
    size_t size = 0;
    kn_projection_filter filter = kn_projection_filter_default();
    filter.parts = 1u << part;
    expect_ok(scene->name, "ask", kn_projection_take(world, &entity, 1, &filter, NULL, 0, &size));
    buffer_reserve(block, size);
    expect_ok(scene->name, "take",
        kn_projection_take(world, &entity, 1, &filter, block->data, block->size, &size));
    return bytes_hash(block->data, size);
}

static shadow shadow_of(const scene_info *scene, const kn_world *world)
{
    shadow s = {calloc(kn_entity_count(world) + 1, sizeof(kn_entity_id)),
        calloc(kn_entity_count(world) + 1, sizeof(*s.hashes)), 0};
    buffer block = {0};
    for (kn_entity_id at = kn_entity_next(world, (kn_entity_id){0}); at.index1 != 0;
         at = kn_entity_next(world, at)) {
        s.entities[s.count] = at;
        for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
            s.hashes[s.count][part] = part_hash(scene, world, at, part, &block);
        }
        s.count++;
    }
    free(block.data);
    return s;
}

static void shadow_free(shadow *s)
{
    free(s->entities);
    free(s->hashes);
}

typedef struct tally {
    uint64_t marked, changed, computed;
} tally;

static bool compare(const scene_info *scene, const kn_world *world, const shadow *before,
    uint64_t version, uint32_t step, tally *t)
{
    buffer block = {0};
    bool passed = true;
    for (uint32_t i = 0; i < before->count; i++) {
        kn_entity_id entity = before->entities[i];
        kn_changes changes = kn_changes_since(world, entity, version);
        if (!kn_entity_is_alive(world, entity)) {
            passed = passed && changes.changed == KN_PARTS_ALL;
            continue;
        }
        bool is_relinked = part_hash(scene, world, entity, KN_PART_ENTITY, &block) !=
                           before->hashes[i][KN_PART_ENTITY];
        for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
            if (is_relinked && part != KN_PART_ENTITY && part != KN_PART_ATTRIBUTES) {
                continue; // the links are in the bytes of every part
            }
            bool differs = part_hash(scene, world, entity, part, &block) != before->hashes[i][part];
            bool is_marked = ((changes.changed | changes.computed) >> part & 1) != 0;
            t->changed += differs;
            t->marked += is_marked;
            t->computed +=
                (changes.computed >> part & 1) != 0 && (changes.changed >> part & 1) == 0;
            if (differs && !is_marked) {
                fprintf(stderr, "%s: step %" PRIu32 ": entity %" PRIu32 ": %s changed unmarked\n",
                    scene->name, step, entity.index1, part_names[part]);
                passed = false;
            }
        }
    }
    free(block.data);
    return passed;
}

// Every marked entity is in the walk, once.
static bool walk(const scene_info *scene, const kn_world *world, uint64_t version, uint32_t step)
{
    uint32_t in_walk = 0, marked = 0;
    for (kn_entity_id at = kn_changes_next(world, version, (kn_entity_id){0}); at.index1 != 0;
         at = kn_changes_next(world, version, at)) {
        in_walk += kn_entity_is_alive(world, at);
        if (in_walk > kn_entity_count(world)) {
            break;
        }
    }
    for (kn_entity_id at = kn_entity_next(world, (kn_entity_id){0}); at.index1 != 0;
         at = kn_entity_next(world, at)) {
        kn_changes changes = kn_changes_since(world, at, version);
        marked += (changes.changed | changes.computed) != 0;
    }
    if (in_walk != marked) {
        fprintf(stderr, "%s: step %" PRIu32 ": %" PRIu32 " in the walk, %" PRIu32 " marked\n",
            scene->name, step, in_walk, marked);
    }
    return in_walk == marked;
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *witness = open_world(scene, library), *world = open_world(scene, library);
    bool passed = true;
    tally t = {0};
    uint32_t count = scene_step_count(scene, HERTZ);
    expect_ok(scene->name, "follow", kn_changes_follow(world, true));
    for (uint32_t i = 0; i < count && i < STEPS_MAX && passed; i++) {
        shadow before = shadow_of(scene, world);
        uint64_t version = kn_changes_version(world);
        expect_ok(scene->name, "step", scene_step(witness, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(world, i, HERTZ));
        passed = expect_same(scene, "followed against straight,", i, witness, world);
        passed = compare(scene, world, &before, version, i, &t) && passed;
        passed = walk(scene, world, version, i) && passed;
        shadow_free(&before);
    }
    if (getenv("VERBOSE") != NULL) {
        printf("%s: %" PRIu64 " parts changed, %" PRIu64 " marked, %" PRIu64 " of them computed\n",
            scene->name, t.changed, t.marked, t.computed);
    }
    kn_world_destroy(world);
    kn_world_destroy(witness);
    kn_library_destroy(library);
    return passed;
}

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < scene_count; i++) {
        passed = check(scene_list[i]) && passed;
    }
    return passed ? 0 : 1;
}
