// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projections. Every few steps all entities go through bytes into an empty world, which takes the
// place of the other: it must go on as the witness does. A mirror is disturbed at random and then
// sent the entities that differ: afterwards it must be the same again.

#include "determinism.h"

#include <string.h>

#define HERTZ 30
#define STEPS_BETWEEN 7

static void fail(const scene_info *scene, uint32_t step, const char *what)
{
    fprintf(stderr, "%s: step %" PRIu32 ": %s\n", scene->name, step, what);
    exit(1);
}

static size_t take(const scene_info *scene, const kn_world *world, kn_identity identity,
    const kn_entity_id *entities, uint32_t count, buffer *block)
{
    size_t size = 0, written = 0;
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = identity;
    expect_ok(
        scene->name, "ask", kn_projection_take(world, entities, count, &filter, NULL, 0, &size));
    buffer_reserve(block, size);
    expect_ok(scene->name, "take",
        kn_projection_take(world, entities, count, &filter, block->data, block->size, &written));
    if (written != size) {
        fail(scene, 0, "a projection has another size than it said");
    }
    return size;
}

static void place(
    const scene_info *scene, uint32_t step, kn_world *world, const buffer *block, size_t size)
{
    kn_error error = {0};
    if (kn_projection_write(world, block->data, size, &error) != KN_OK) {
        fail(scene, step, error.message);
    }
    if (!kn_world_validate(world)) {
        fail(scene, step, "the world is not valid after a projection was written");
    }
}

// The world itself and all entities, to be freed.
static kn_entity_id *everybody(const kn_world *world, uint32_t *count)
{
    kn_entity_id *list = calloc(kn_entity_count(world) + 1, sizeof(*list));
    *count = 1;
    for (kn_entity_id at = kn_entity_next(world, (kn_entity_id){0}); at.index1 != 0;
         at = kn_entity_next(world, at)) {
        list[(*count)++] = at;
    }
    return list;
}

static kn_world *copy(
    const scene_info *scene, const kn_library *library, const kn_world *world, uint32_t step)
{
    buffer block = {0}, again = {0};
    uint32_t count;
    kn_entity_id *list = everybody(world, &count);
    size_t size = take(scene, world, KN_IDENTITY_IDS, list, count, &block);
    kn_world *made;
    expect_ok(scene->name, "world", scene_create_empty_world(library, NULL, &made));
    place(scene, step, made, &block, size);
    size_t size_again = take(scene, made, KN_IDENTITY_IDS, list, count, &again);
    if (size != size_again || memcmp(block.data, again.data, size) != 0) {
        fail(scene, step, "a world made from projections has other projections");
    }
    free(list);
    free(block.data);
    free(again.data);
    return made;
}

// The mirror ----------------------------------------------------------------

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void disturb(kn_world *world, uint64_t *random)
{
    uint32_t count;
    kn_entity_id *list = everybody(world, &count);
    for (uint32_t i = 0; i < 4 && count > 1; i++) {
        kn_entity_id entity = list[1 + random_next(random) % (count - 1)];
        kn_entity_id other = list[1 + random_next(random) % (count - 1)];
        kn_entity_id made;
        kn_effect_query query = kn_effect_query_default();
        switch (random_next(random) % 5) {
        case 0:
            (void)kn_entity_destroy(world, entity);
            break;
        case 1:
            (void)kn_effects_remove(world, entity, &query, 0, KN_REMOVED_RULE, NULL);
            break;
        case 2:
            if (kn_entity_create(world, &made) != KN_OK) {
                exit(1);
            }
            break;
        case 3:
            (void)kn_entity_set_owner(world, entity, other);
            break;
        default:
            (void)kn_abilities_remove(world, entity, NULL, KN_GRANT_CANCEL);
            break;
        }
    }
    free(list);
}

// Whether an entity, or the world itself, is the same in both.
static bool is_same(const scene_info *scene, const kn_world *a, const kn_world *b,
    kn_identity identity, kn_entity_id entity)
{
    buffer first = {0}, second = {0};
    size_t size = take(scene, a, identity, &entity, 1, &first);
    bool same = size == take(scene, b, identity, &entity, 1, &second) &&
                memcmp(first.data, second.data, size) == 0;
    free(first.data);
    free(second.data);
    return same;
}

// Sends what differs: entities of either world.
static void mend(const scene_info *scene, const kn_world *witness, kn_world *mirror,
    kn_identity identity, uint32_t step)
{
    buffer block = {0};
    uint32_t count, here_count, changed_count = 0;
    kn_entity_id *list = everybody(witness, &count), *here = everybody(mirror, &here_count);
    kn_entity_id *changed = calloc(count + here_count, sizeof(*changed));
    for (uint32_t i = 0; i < here_count; i++) { // those that are only there
        if (i > 0 && !kn_entity_is_alive(witness, here[i])) {
            changed[changed_count++] = here[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_same(scene, witness, mirror, identity, list[i])) {
            changed[changed_count++] = list[i];
        }
    }
    size_t size = take(scene, witness, identity, changed, changed_count, &block);
    place(scene, step, mirror, &block, size);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_same(scene, witness, mirror, identity, list[i])) {
            fail(scene, step, "what was sent did not make the entity equal");
        }
    }
    free(changed);
    free(list);
    free(here);
    free(block.data);
}

// A follower that names its records itself: sent what differs by places, it has equal places.
static void follow(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *witness = open_world(scene, library), *follower = open_world(scene, library);
    uint64_t random = 11;
    uint32_t count = scene_step_count(scene, HERTZ) / SHARE(4);
    for (uint32_t i = 0; i < count; i++) {
        expect_ok(scene->name, "step", scene_step(witness, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(follower, i, HERTZ));
        if (i % STEPS_BETWEEN == 3) {
            disturb(follower, &random);
            mend(scene, witness, follower, KN_IDENTITY_PLACES, i);
        }
    }
    kn_world_destroy(follower);
    kn_world_destroy(witness);
    kn_library_destroy(library);
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *witness = open_world(scene, library);
    kn_world *world = open_world(scene, library), *mirror = open_world(scene, library);
    bool passed = true;
    uint64_t random = 5;
    uint32_t count = scene_step_count(scene, HERTZ) / SHARE(4);
    for (uint32_t i = 0; i < count && passed; i++) {
        if (i % STEPS_BETWEEN == 0) {
            kn_world *made = copy(scene, library, world, i);
            kn_world_destroy(world);
            world = made;
            passed = expect_same(scene, "after projections before", i, witness, world);
        }
        expect_ok(scene->name, "step", scene_step(witness, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(world, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(mirror, i, HERTZ));
        passed = expect_same(scene, "projected against straight,", i, witness, world) && passed;
        if (i % STEPS_BETWEEN == 3) {
            disturb(mirror, &random);
            mend(scene, witness, mirror, KN_IDENTITY_IDS, i);
        }
        passed = expect_same(scene, "mirror against straight,", i, witness, mirror) && passed;
    }
    kn_world_destroy(mirror);
    kn_world_destroy(world);
    kn_world_destroy(witness);
    kn_library_destroy(library);
    return passed;
}

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < all_scenes_count(); i++) {
        passed = check(all_scenes_at(i)) && passed;
        follow(all_scenes_at(i));
    }
    return passed ? 0 : 1;
}
