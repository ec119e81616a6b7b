// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damaged recordings. The first byte picks a scene, the second says whether the checksums are
// mended after the edits that follow. A recording that is refused leaves the world as it was; a
// replay that begins ends with a valid world, wherever it went.

#include "fuzz_edit.h"
#include "scenes/scene.h"

#include <stdio.h>

#define STEPS 6
#define EDITS_MAX 16
#define HEADER_SIZE 24     // mark, version, hash of the library, size of the save
#define STEP_SIZE_MIN 28u  // length, time, number of commands, hash
#define STEP_TIME_MAX 4000 // a damaged time must not make the replay endless

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_recording: %s\n", what);
        abort();
    }
}

// A command applies an effect to an entity; any bytes will do.
static void carry_out(
    void *user, kn_world *world, uint32_t connection, const void *bytes, uint32_t size)
{
    (void)user;
    const uint8_t *command = bytes;
    if (size < 2) {
        return;
    }
    kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0});
    for (uint32_t i = command[0] % 8; i > 0; i--) {
        entity = kn_entity_next(world, entity);
    }
    kn_effect_type_id type = {1 + command[1] % 8u};
    (void)kn_effect_apply_simple(world, type, entity, entity, 1.0f + (float)(connection % 3), NULL);
}

typedef struct subject {
    kn_library *library;
    fuzz_block recording;
} subject;

static kn_world *new_world(const kn_library *library)
{
    kn_world *world;
    must(scene_create_empty_world(library, NULL, &world) == KN_OK, "no world");
    return world;
}

static void record(subject *made, const scene_info *scene)
{
    kn_world *world = new_world(made->library);
    must(scene_populate(scene, world) == KN_OK, "no actors");
    kn_recording *recording;
    must(kn_recording_begin(world, carry_out, NULL, &recording) == KN_OK, "no recording");
    for (uint32_t i = 0; i < STEPS; i++) {
        uint8_t command[3] = {(uint8_t)i, (uint8_t)(i * 3), 0};
        must(kn_recording_command(recording, i % 3, command, 3 - i % 2) == KN_OK, "no command");
        must(kn_recording_command(recording, 1, command, 2) == KN_OK, "no command");
        must(kn_recording_step(recording, KN_US(STEP_TIME_MAX)) == KN_OK, "no step");
    }
    const void *bytes = kn_recording_bytes(recording, &made->recording.size);
    made->recording.data = malloc(made->recording.size);
    must(made->recording.data != NULL, "no memory");
    memcpy(made->recording.data, bytes, made->recording.size);
    kn_recording_destroy(recording);
    kn_world_destroy(world);
}

static const subject *subject_of(uint32_t index)
{
    static subject subjects[16];
    subject *found = &subjects[index];
    if (found->library == NULL) {
        kn_error error = {0};
        if (scene_create_library(scene_list[index], NULL, &found->library, &error) != KN_OK) {
            must(false, error.message);
        }
        record(found, scene_list[index]);
    }
    return found;
}

// Makes the checksums right again, as far as the lengths make sense, and keeps times short.
static void mend(fuzz_block *block)
{
    if (block->size < HEADER_SIZE + 8) {
        return;
    }
    uint64_t save_size = load_u64(block->data + 16);
    if (save_size > block->size - HEADER_SIZE - 8) {
        return;
    }
    size_t at = HEADER_SIZE + (size_t)save_size;
    uint8_t *save = block->data + HEADER_SIZE;
    if (save_size >= 24) {
        store_u64(save + 8, save_size);
        store_u64(save + 16, checksum(0, save + 24, (size_t)save_size - 24));
    }
    uint64_t sum = checksum(0, block->data, at);
    store_u64(block->data + at, sum);
    at += 8;
    while (block->size - at >= STEP_SIZE_MIN + 8) {
        uint64_t length = load_u64(block->data + at);
        if (length < STEP_SIZE_MIN || length > block->size - at - 8) {
            return;
        }
        if (load_u64(block->data + at + 8) > STEP_TIME_MAX) {
            store_u64(block->data + at + 8, STEP_TIME_MAX);
        }
        sum = checksum(sum, block->data + at, (size_t)length);
        store_u64(block->data + at + length, sum);
        at += (size_t)length + 8;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const subject *good = subject_of(take_below(&input, scene_count));
    bool mends = take_u8(&input) < 240;
    size_t room = good->recording.size * 2;
    fuzz_block block = {malloc(room), good->recording.size};
    must(block.data != NULL, "no memory");
    memcpy(block.data, good->recording.data, block.size);
    bool is_edited = input.size > 0;
    for (uint32_t i = 0; i < EDITS_MAX && input.size > 0; i++) {
        fuzz_edit(&block, room, &input);
    }
    if (mends) {
        mend(&block);
    }

    uint8_t *exact = malloc(block.size > 0 ? block.size : 1);
    must(exact != NULL, "no memory");
    memcpy(exact, block.data, block.size);
    kn_world *world = new_world(good->library);
    uint64_t before = kn_world_hash(world);
    kn_replay_report report = {0};
    kn_error error;
    kn_result result = kn_replay(world, exact, block.size, carry_out, NULL, &report, &error);
    if (result == KN_OK) {
        must(kn_world_validate(world), "a replay gives a world that is not valid");
        must(is_edited || (!report.diverged && report.steps == STEPS), "a good recording diverged");
    } else if (report.steps == 0) {
        must(kn_world_hash(world) == before, "a refused recording changed the world");
    }
    kn_world_destroy(world);
    free(exact);
    free(block.data);
    return 0;
}
