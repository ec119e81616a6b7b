// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Answers of the built-in grid are part of the simulation: thousands of them, points, normals and
// distances included, have the same bits on every compiler, optimisation level and processor.

#include "knack/knack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 1000
#define QUESTIONS 2000
#define EXPECTED UINT64_C(0x92f3deb22c16ddd9)

static uint64_t random_state = 1;
static uint64_t hash = UINT64_C(0xcbf29ce484222325);

static void must(kn_result result)
{
    if (result != KN_OK) {
        fprintf(stderr, "space: %s\n", kn_result_name(result));
        exit(1);
    }
}

// From -size to size.
static float random_float(float size)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((float)(z >> 40) / 8388608.0f - 1.0f) * size;
}

static kn_vec3 random_vec3(float size)
{
    kn_vec3 v = {0.0f, 0.0f, 0.0f};
    v.x = random_float(size);
    v.y = random_float(size);
    v.z = random_float(size);
    return v;
}

// Numbers of 4 bytes, the lowest byte of each first.
static void hash_bits(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        uint32_t number;
        memcpy(&number, (const char *)data + i, sizeof number);
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ (number >> shift & 255)) * UINT64_C(0x100000001b3);
        }
    }
}

static void hash_entities(uint32_t count, const kn_entity_id *entities)
{
    hash_bits(&count, sizeof count);
    for (uint32_t i = 0; i < count && i < BODIES; i++) {
        hash_bits(&entities[i].index1, sizeof entities[i].index1);
    }
}

static void hash_hits(uint32_t count, const kn_space_hit *hits)
{
    hash_bits(&count, sizeof count);
    for (uint32_t i = 0; i < count && i < BODIES; i++) {
        hash_bits(&hits[i].entity.index1, sizeof hits[i].entity.index1);
        hash_bits(&hits[i].point, sizeof hits[i].point);
        hash_bits(&hits[i].normal, sizeof hits[i].normal);
        hash_bits(&hits[i].distance, sizeof hits[i].distance);
    }
}

static float positive(float size)
{
    float value = random_float(size);
    return value < 0.0f ? -value : value;
}

static void ask(const kn_space *space, const kn_world *world)
{
    static kn_entity_id out[BODIES];
    static kn_space_hit hits[BODIES];
    kn_sphere sphere = {random_vec3(100.0f), positive(40.0f)};
    hash_entities(kn_space_sphere(space, world, &sphere, NULL, out, BODIES), out);
    hash_hits(kn_space_nearest(space, world, &sphere, NULL, hits, 10), hits);
    kn_box box = {sphere.center, {positive(30.0f), positive(30.0f), positive(30.0f)},
        random_vec3(1.0f), random_vec3(1.0f)};
    hash_entities(kn_space_box(space, world, &box, NULL, out, BODIES), out);
    kn_cone cone = {sphere.center, random_vec3(1.0f), random_float(1.0f), positive(60.0f)};
    hash_entities(kn_space_cone(space, world, &cone, NULL, out, BODIES), out);
    kn_ray ray = {sphere.center, random_vec3(1.0f), positive(200.0f), positive(2.0f)};
    hash_hits(kn_space_ray(space, world, &ray, NULL, hits, BODIES), hits);
}

int main(void)
{
    kn_library *library;
    kn_library_def library_def = kn_library_def_default();
    must(kn_library_create(&library_def, &library));
    must(kn_grid_register(library, NULL, NULL));
    must(kn_library_finish(library, NULL));
    kn_world *world;
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    must(kn_world_create(&world_def, &world));
    kn_grid *grid;
    kn_grid_def grid_def = kn_grid_def_default();
    grid_def.world = world;
    must(kn_grid_create(&grid_def, &grid));
    for (uint32_t i = 0; i < BODIES; i++) {
        kn_entity_id entity;
        must(kn_entity_create(world, &entity));
        kn_body body = kn_body_default();
        body.position = random_vec3(100.0f);
        body.radius = positive(4.0f);
        must(kn_grid_set_body(grid, entity, &body));
        must(kn_world_step(world, 0));
    }
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        ask(kn_grid_space(grid), world);
    }
    kn_grid_destroy(grid);
    kn_world_destroy(world);
    kn_library_destroy(library);
    if (hash != EXPECTED) {
        fprintf(stderr,
            "space: other answers. If that is meant, space.c needs\n"
            "    #define EXPECTED UINT64_C(0x%016" PRIx64 ")\n",
            hash);
        return 1;
    }
    return 0;
}
