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

// Applies an effect to an entity; any numbers will do.
typedef struct afflict {
    uint8_t entity;
    uint8_t effect;
} afflict;

static kn_result carry_out(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    const afflict *what = command->payload;
    kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0});
    for (uint32_t i = what->entity % 8; i > 0; i--) {
        entity = kn_entity_next(world, entity);
    }
    kn_effect_type_id type = {1 + what->effect % 8u};
    float level = 1.0f + (float)(command->connection % 3);
    return kn_effect_apply_simple(world, type, entity, entity, level, NULL);
}

static kn_library *new_library(const scene_info *scene)
{
    static const kn_field fields[] = {
        {.name = "entity", .kind = KN_FIELD_U8, .offset = offsetof(afflict, entity), .count = 1},
        {.name = "effect", .kind = KN_FIELD_U8, .offset = offsetof(afflict, effect), .count = 1}};
    kn_library_def def = kn_library_def_default();
    scene_builder builder = {0};
    must(kn_library_create(&def, &builder.library) == KN_OK, "no library");
    scene->declare(&builder);
    kn_command_def kind = kn_command_def_default();
    kind.name = "Afflict";
    kind.size = sizeof(afflict);
    kind.fields = fields;
    kind.field_count = 2;
    kind.owner_only = false;
    kind.function = carry_out;
    kn_command_type_id type;
    must(builder.result == KN_OK, builder.error.message);
    must(kn_command_register(builder.library, &kind, &type, NULL) == KN_OK, "no command");
    must(kn_library_finish(builder.library, NULL) == KN_OK, "no library");
    return builder.library;
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
    must(kn_recording_begin(world, &recording) == KN_OK, "no recording");
    for (uint32_t i = 0; i < STEPS; i++) {
        afflict what = {(uint8_t)i, (uint8_t)(i * 3)};
        kn_command parts[2] = {{.type = kn_command_find(made->library, "Afflict"),
                                   .payload = &what,
                                   .size = sizeof(what)},
            {.type = kn_command_type_confirm(),
                .entity = kn_entity_next(world, (kn_entity_id){0})}};
        kn_command batch = {.type = kn_command_type_batch(),
            .connection = i % 3,
            .sequence = i,
            .parts = parts,
            .part_count = 2};
        must(kn_recording_command(recording, &parts[0], NULL) == KN_OK, "no command");
        must(kn_recording_command(recording, &batch, NULL) == KN_OK, "no batch");
        must(kn_recording_note(recording, &i, i % 4) == KN_OK, "no note");
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
        found->library = new_library(scene_list[index]);
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
    kn_result result = kn_replay(world, exact, block.size, &report, &error);
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
