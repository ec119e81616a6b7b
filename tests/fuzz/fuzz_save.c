// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves from strangers. The first byte picks a scene and a way to read the rest: as a save of its
// own, or as changes to a good one, with the checksum put right. Whatever is accepted must hold
// together, go on, and be written and read again to the same hash; whatever is refused must leave
// the world as it was.

#include "scenes/scene.h"

#include "save_format.h"

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

typedef struct subject {
    kn_library *library;
    uint8_t *save;
    size_t size;
} subject;

static const char *const names[] = {"derived", "duel", "economy", "stacks"};
#define SUBJECTS (sizeof(names) / sizeof(*names))
static subject subjects[SUBJECTS];

static void quiet(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static kn_world *world_of(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.hooks.log_fn = quiet;
    kn_world *world;
    CHECK(kn_world_create(&def, &world) == KN_OK);
    return world;
}

// A library and a save from the middle of the scene, made once.
static const subject *subject_of(uint32_t index)
{
    subject *s = &subjects[index];
    if (s->library != NULL) {
        return s;
    }
    const scene_info *scene = scene_find(names[index]);
    CHECK(scene != NULL);
    CHECK(scene_create_library(scene, NULL, &s->library, NULL) == KN_OK);
    kn_world *world = world_of(s->library);
    CHECK(scene_populate(scene, world) == KN_OK);
    for (uint32_t i = 0; i < 45; i++) {
        CHECK(scene_step(world, i, 30) == KN_OK);
    }
    CHECK(kn_save_write(world, NULL, 0, &s->size) == KN_ERROR_BUFFER_TOO_SMALL || s->size > 0);
    s->save = malloc(s->size);
    CHECK(s->save != NULL);
    CHECK(kn_save_write(world, s->save, s->size, &s->size) == KN_OK);
    kn_world_destroy(world);
    return s;
}

// Four bytes make one change: a place and a value, or a cut.
static size_t mutate(uint8_t *bytes, size_t size, const uint8_t *data, size_t data_size)
{
    for (size_t i = 0; i + 4 <= data_size; i += 4) {
        size_t place = (size_t)(data[i] | data[i + 1] << 8 | (data[i + 2] & 0x7f) << 16);
        if ((data[i + 2] & 0x80) != 0 && data[i + 3] == 0) {
            size = size > 0 ? place % size : 0;
        } else if (size > 0) {
            bytes[place % size] = data[i + 3];
        }
    }
    return size;
}

// The length and the checksum of the header made to fit.
static void repair(uint8_t *bytes, size_t size)
{
    if (size >= SAVE_HEADER_SIZE) {
        kni_writer writer = {bytes + 8, 16, 0};
        kni_write_u64(&writer, size);
        kni_write_u64(&writer, kni_save_checksum(bytes, size));
    }
}

static void read_back(const kn_library *library, const uint8_t *bytes, size_t size)
{
    kn_world *world = world_of(library);
    uint64_t before = kn_world_hash(world);
    kn_error error;
    if (kn_save_read(world, bytes, size, &error) != KN_OK) {
        CHECK(error.message[0] != 0);
        CHECK(kn_world_hash(world) == before);
        CHECK(kn_world_validate(world));
        kn_world_destroy(world);
        return;
    }
    CHECK(kn_world_validate(world));
    size_t written = 0;
    (void)!kn_save_write(world, NULL, 0, &written);
    uint8_t *again = malloc(written > 0 ? written : 1);
    CHECK(again != NULL && kn_save_write(world, again, written, &written) == KN_OK);
    kn_world *copy = world_of(library);
    CHECK(kn_save_read(copy, again, written, &error) == KN_OK);
    CHECK(kn_world_hash(copy) == kn_world_hash(world));
    free(again);
    kn_world_destroy(copy);
    (void)!kn_world_step(world, KN_MS(100));
    kn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const subject *s = subject_of(data[0] % SUBJECTS);
    if ((data[0] & 0x80) != 0) {
        read_back(s->library, data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes = malloc(s->size);
    CHECK(bytes != NULL);
    memcpy(bytes, s->save, s->size);
    size_t length = mutate(bytes, s->size, data + 1, size - 1);
    repair(bytes, length);
    read_back(s->library, bytes, length);
    free(bytes);
    return 0;
}
