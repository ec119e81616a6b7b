// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Recordings from strangers: refused before anything changes, or played to an end that the report
// tells, and the world holds together in any case. The first byte says whether the rest is a
// recording or changes to a good one.

#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static kn_library *library;
static uint8_t *good;
static size_t good_size;

static void quiet(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// A command is the number of an entity to destroy.
static void carry_out(
    void *user, kn_world *world, uint32_t connection, const void *bytes, uint32_t size)
{
    (void)user;
    (void)connection;
    uint8_t wanted = 0;
    if (size > 0) {
        memcpy(&wanted, bytes, 1);
    }
    kn_entity_id entity = kn_entity_next(world, (kn_entity_id){wanted, 0});
    (void)kn_entity_destroy(world, entity);
}

static kn_world *world_new(void)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.hooks.log_fn = quiet;
    kn_world *world;
    CHECK(kn_world_create(&def, &world) == KN_OK);
    return world;
}

static void prepare(void)
{
    const scene_info *scene = scene_find("wolves");
    CHECK(scene != NULL && scene_create_library(scene, NULL, &library, NULL) == KN_OK);
    kn_world *world = world_new();
    CHECK(scene_populate(scene, world) == KN_OK);
    kn_recording *recording;
    CHECK(kn_recording_begin(world, carry_out, NULL, &recording) == KN_OK);
    for (uint32_t i = 0; i < 8; i++) {
        uint8_t command = (uint8_t)(3 * i);
        CHECK(kn_recording_command(recording, i % 3, &command, 1) == KN_OK);
        CHECK(kn_recording_step(recording, KN_MS(50)) == KN_OK);
    }
    const void *bytes = kn_recording_bytes(recording, &good_size);
    good = malloc(good_size);
    CHECK(good != NULL);
    memcpy(good, bytes, good_size);
    kn_recording_destroy(recording);
    kn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (library == NULL) {
        prepare();
    }
    if (size == 0) {
        return 0;
    }
    const uint8_t *bytes = data + 1;
    size_t length = size - 1;
    uint8_t *changed = NULL;
    if ((data[0] & 1) == 0) {
        changed = malloc(good_size);
        CHECK(changed != NULL);
        memcpy(changed, good, good_size);
        length = good_size;
        for (size_t i = 1; i + 4 <= size; i += 4) {
            size_t place = (size_t)(data[i] | data[i + 1] << 8 | data[i + 2] << 16);
            if (length > 0) {
                changed[place % length] = data[i + 3];
            }
        }
        if ((data[0] & 2) != 0 && size > 1) {
            length = length * data[1] / 256;
        }
        bytes = changed;
    }
    kn_world *world = world_new();
    uint64_t before = kn_world_hash(world);
    kn_replay_report report;
    kn_error error;
    kn_result result = kn_replay(world, bytes, length, carry_out, NULL, &report, &error);
    if (result == KN_ERROR_BAD_DATA) {
        CHECK(kn_world_hash(world) == before);
    }
    CHECK(kn_world_is_broken(world) || kn_world_validate(world));
    kn_world_destroy(world);
    free(changed);
    return 0;
}
