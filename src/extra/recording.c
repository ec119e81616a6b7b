// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Recordings: "KNRC", version, hash of the library, a save with its length, a checksum. Then a
// record per step: its length, dt, the commands in the order they are issued, each with its length,
// and notes of the host among them, the hash after the step, a checksum. Each checksum continues
// the one before, so that a recording that was cut between two steps is a shorter recording and any
// other damage is detected.

#include "knack/knack.h"

#define RECORDING_MAGIC 0x43524e4bu // "KNRC" in little-endian order
#define RECORDING_VERSION 2u
#define RECORDING_HEADER_SIZE 24   // up to the save
#define RECORDING_NOTE 0x80000000u // in the length of a note
#define RECORDING_STEP_SIZE 28     // length, dt, command count, hash; without commands and checksum

struct kn_recording {
    kn_hooks hooks;
    kn_world *world;
    uint8_t *bytes;
    size_t size, capacity;
    uint64_t checksum;
    uint32_t command_count;
    uint8_t *waiting; // the commands for the next step, each with its length
    size_t waiting_size, waiting_capacity;
    size_t issued; // bytes of it that the world has
    bool is_stepping;
    bool is_lost; // a step failed after its commands were issued
};

static bool bytes_reserve(const kn_hooks *hooks, uint8_t **bytes, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t larger = *capacity + *capacity / 2;
    size_t new_capacity = larger > wanted ? larger : wanted;
    uint8_t *grown = kn_memory_resize(hooks, *bytes, *capacity, new_capacity);
    if (grown == NULL) {
        return false;
    }
    *bytes = grown;
    *capacity = new_capacity;
    return true;
}

// Recording -----------------------------------------------------------------

static kn_result recording_start(kn_recording *recording)
{
    const kn_world *world = recording->world;
    size_t save_size;
    kn_result result = kn_save_write(world, NULL, 0, &save_size);
    if (result != KN_OK) {
        return result;
    }
    size_t size = RECORDING_HEADER_SIZE + save_size + 8;
    if (!bytes_reserve(&recording->hooks, &recording->bytes, &recording->capacity, size)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_writer writer = {recording->bytes, size, 0};
    kn_write_u32(&writer, RECORDING_MAGIC);
    kn_write_u32(&writer, RECORDING_VERSION);
    kn_write_u64(&writer, kn_library_hash(kn_world_library(world)));
    kn_write_u64(&writer, save_size);
    result = kn_save_write(world, recording->bytes + writer.length, save_size, &save_size);
    if (result != KN_OK) {
        return result;
    }
    writer.length += save_size;
    recording->checksum = kn_hash_bytes(0, recording->bytes, writer.length);
    kn_write_u64(&writer, recording->checksum);
    recording->size = size;
    return KN_OK;
}

kn_result kn_recording_begin(kn_world *world, kn_recording **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (world == NULL || out == NULL) {
        KN_ASSERT(world != NULL && out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_hooks hooks = kn_world_hooks(world);
    kn_recording *recording = kn_memory_resize(&hooks, NULL, 0, sizeof(*recording));
    if (recording == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(recording, 0, sizeof(*recording));
    recording->hooks = hooks;
    recording->world = world;
    kn_result result = recording_start(recording);
    if (result != KN_OK) {
        kn_recording_destroy(recording);
        return result;
    }
    *out = recording;
    return KN_OK;
}

// The next command, or the next note, and its length; NULL at the end.
static const uint8_t *entry_next(kn_reader *reader, bool is_note, uint32_t *length)
{
    while (!reader->failed && reader->at < reader->size) {
        uint32_t head = kn_read_u32(reader);
        *length = head & ~RECORDING_NOTE;
        const uint8_t *bytes = kn_read_bytes(reader, *length);
        if (((head & RECORDING_NOTE) != 0) == is_note && !reader->failed) {
            return bytes;
        }
    }
    return NULL;
}

// Issues the commands of a step, which were checked.
static kn_result commands_issue(kn_world *world, const uint8_t *bytes, size_t size)
{
    kn_reader reader = {.data = bytes, .size = size};
    kn_result result = KN_OK;
    uint32_t length;
    for (const uint8_t *from = entry_next(&reader, false, &length); from != NULL && result == KN_OK;
         from = entry_next(&reader, false, &length)) {
        kn_command_data data;
        result = kn_command_read(kn_world_library(world), from, length, &data, NULL);
        if (result == KN_OK) {
            result = kn_world_command(world, &data.command, NULL);
        }
    }
    return result;
}

// Issues what arrived during the last step: it belongs to the next one.
static kn_result late_issue(kn_recording *recording)
{
    size_t from = recording->issued;
    if (recording->is_stepping || from == recording->waiting_size) {
        return KN_OK;
    }
    kn_result result =
        commands_issue(recording->world, recording->waiting + from, recording->waiting_size - from);
    recording->issued = recording->waiting_size;
    recording->is_lost = recording->is_lost || result != KN_OK;
    return result;
}

kn_result kn_recording_command(kn_recording *recording, const kn_command *command, kn_error *error)
{
    if (recording == NULL || command == NULL) {
        KN_ASSERT(recording != NULL && command != NULL);
        return kn_error_set(
            error, KN_ERROR_INVALID_ARGUMENT, "the recording or the command is missing");
    }
    const kn_library *library = kn_world_library(recording->world);
    kn_result result = kn_command_check(library, command, error);
    if (result != KN_OK) {
        return result;
    }
    uint32_t size = kn_command_write(library, command, NULL, 0);
    if (!bytes_reserve(&recording->hooks, &recording->waiting, &recording->waiting_capacity,
            recording->waiting_size + 4 + size)) {
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for a command");
    }
    result = late_issue(recording);
    if (result == KN_OK && !recording->is_stepping) {
        result = kn_world_command(recording->world, command, error);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_writer writer = {recording->waiting, recording->waiting_capacity, recording->waiting_size};
    kn_write_u32(&writer, size);
    (void)kn_command_write(library, command, recording->waiting + writer.length, size);
    recording->waiting_size += 4 + size;
    recording->issued = recording->is_stepping ? recording->issued : recording->waiting_size;
    recording->command_count++;
    return KN_OK;
}

kn_result kn_recording_note(kn_recording *recording, const void *bytes, uint32_t size)
{
    if (recording == NULL || (bytes == NULL && size > 0) || size >= RECORDING_NOTE) {
        KN_ASSERT(recording != NULL && (bytes != NULL || size == 0));
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!bytes_reserve(&recording->hooks, &recording->waiting, &recording->waiting_capacity,
            recording->waiting_size + 4 + size)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = late_issue(recording);
    if (result != KN_OK) {
        return result;
    }
    kn_writer writer = {recording->waiting, recording->waiting_capacity, recording->waiting_size};
    kn_write_u32(&writer, size | RECORDING_NOTE);
    kn_write_bytes(&writer, bytes, size);
    recording->waiting_size += 4 + (size_t)size;
    recording->issued = recording->is_stepping ? recording->issued : recording->waiting_size;
    return KN_OK;
}

kn_result kn_recording_step(kn_recording *recording, kn_time dt)
{
    if (recording == NULL || dt < 0 || dt > KN_TIME_MAX - kn_world_now(recording->world)) {
        KN_ASSERT(recording != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_world *world = recording->world;
    if (recording->is_stepping || kn_world_is_locked(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    if (kn_world_is_broken(world) || recording->is_lost) {
        return KN_ERROR_WORLD_BROKEN;
    }
    uint32_t count = recording->command_count;
    size_t commands_size = recording->waiting_size;
    size_t body = RECORDING_STEP_SIZE + commands_size;
    if (!bytes_reserve(&recording->hooks, &recording->bytes, &recording->capacity,
            recording->size + body + 8)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = late_issue(recording);
    if (result != KN_OK) {
        return result;
    }
    // Beyond the end until the step is done: commands that arrive meanwhile belong to the next
    // step.
    uint8_t *step = recording->bytes + recording->size;
    kn_writer writer = {step, body + 8, 0};
    kn_write_u64(&writer, body);
    kn_write_u64(&writer, (uint64_t)dt);
    kn_write_u32(&writer, count);
    kn_write_bytes(&writer, recording->waiting, commands_size);
    recording->command_count = 0;
    recording->waiting_size = 0;
    recording->issued = 0;
    recording->is_stepping = true;
    result = kn_world_step(world, dt);
    recording->is_stepping = false;
    if (result != KN_OK) {
        recording->is_lost = count > 0;
        return result;
    }
    kn_write_u64(&writer, kn_world_hash(world));
    recording->checksum = kn_hash_bytes(recording->checksum, step, writer.length);
    kn_write_u64(&writer, recording->checksum);
    recording->size += writer.length;
    return KN_OK;
}

const void *kn_recording_bytes(const kn_recording *recording, size_t *size)
{
    if (size != NULL) {
        *size = recording != NULL ? recording->size : 0;
    }
    return recording != NULL ? recording->bytes : NULL;
}

void kn_recording_destroy(kn_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    kn_hooks hooks = recording->hooks;
    kn_memory_free(&hooks, recording->bytes, recording->capacity);
    kn_memory_free(&hooks, recording->waiting, recording->waiting_capacity);
    kn_memory_free(&hooks, recording, sizeof(*recording));
}

// Replaying -----------------------------------------------------------------

typedef struct replay_step {
    kn_time dt;
    uint32_t command_count, note_count;
    const uint8_t *commands;
    size_t commands_size;
    uint64_t hash;
} replay_step;

// Reads one step and advances past it. `checksum` covers everything before it.
static bool step_read(kn_reader *reader, uint64_t *checksum, replay_step *step)
{
    const uint8_t *begin = reader->data + reader->at;
    uint64_t body = kn_read_u64(reader);
    if (reader->failed || body < RECORDING_STEP_SIZE || body - 8 > reader->size - reader->at) {
        return false;
    }
    step->dt = (kn_time)kn_read_u64(reader);
    step->command_count = kn_read_u32(reader);
    step->commands_size = (size_t)body - RECORDING_STEP_SIZE;
    step->commands = kn_read_bytes(reader, step->commands_size);
    step->hash = kn_read_u64(reader);
    *checksum = kn_hash_bytes(*checksum, begin, (size_t)body);
    if (kn_read_u64(reader) != *checksum || reader->failed) {
        return false;
    }
    kn_reader commands = {.data = step->commands, .size = step->commands_size};
    uint32_t count = 0, length;
    while (entry_next(&commands, false, &length) != NULL) {
        count++;
    }
    kn_reader notes = {.data = step->commands, .size = step->commands_size};
    step->note_count = 0;
    while (entry_next(&notes, true, &length) != NULL) {
        step->note_count++;
    }
    return !commands.failed && commands.at == commands.size && count == step->command_count;
}

typedef struct replay_source {
    const uint8_t *save;
    size_t save_size;
    kn_reader steps; // at the first one
    uint64_t checksum;
} replay_source;

// The part before the steps.
static kn_result header_read(
    const void *bytes, size_t size, uint64_t *library_hash, replay_source *source, kn_error *error)
{
    kn_reader reader = {.data = bytes, .size = size};
    uint32_t magic = kn_read_u32(&reader);
    uint32_t version = kn_read_u32(&reader);
    *library_hash = kn_read_u64(&reader);
    uint64_t save_size = kn_read_u64(&reader);
    if (reader.failed || magic != RECORDING_MAGIC) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "this is not a recording");
    }
    if (version == 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "the recording has version 1, whose commands only its game could read: record it anew");
    }
    if (version == 0 || version > RECORDING_VERSION) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "the recording has version %u, this library reads up to version %u", version,
            RECORDING_VERSION);
    }
    if (save_size > size) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "the recording is truncated");
    }
    source->save_size = (size_t)save_size;
    source->save = kn_read_bytes(&reader, source->save_size);
    source->checksum = kn_hash_bytes(0, bytes, reader.failed ? 0 : reader.at);
    if (kn_read_u64(&reader) != source->checksum || reader.failed) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "the recording is damaged: wrong checksum");
    }
    source->steps = reader;
    return KN_OK;
}

static kn_result replay_parse(
    const kn_world *world, const void *bytes, size_t size, replay_source *source, kn_error *error)
{
    uint64_t library_hash;
    kn_result result = header_read(bytes, size, &library_hash, source, error);
    if (result != KN_OK) {
        return result;
    }
    if (library_hash != kn_library_hash(kn_world_library(world))) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "the recording was made with another library: play it with the one it was made with");
    }
    kn_reader reader = source->steps;
    uint64_t checksum = source->checksum;
    for (uint32_t i = 0; reader.at < reader.size; i++) {
        replay_step step;
        if (!step_read(&reader, &checksum, &step) || step.dt < 0 || step.dt > KN_TIME_MAX) {
            return kn_error_set(error, KN_ERROR_BAD_DATA, "the recording is damaged in step %u", i);
        }
        kn_reader commands = {.data = step.commands, .size = step.commands_size};
        for (uint32_t c = 0; c < step.command_count; c++) {
            kn_command_data data;
            kn_error problem;
            uint32_t length = 0;
            const uint8_t *from = entry_next(&commands, false, &length);
            if (kn_command_read(kn_world_library(world), from, length, &data, &problem) != KN_OK) {
                return kn_error_set(error, KN_ERROR_BAD_DATA,
                    "step %u of the recording, command %u: %s", i, c, problem.message);
            }
        }
    }
    return KN_OK;
}

bool kn_recording_next(
    const void *bytes, size_t size, size_t *at, kn_recorded_step *out, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (out == NULL || at == NULL || (bytes == NULL && size > 0) || *at > size) {
        KN_ASSERT(out != NULL && at != NULL && (bytes != NULL || size == 0) && *at <= size);
        (void)kn_error_set(error, KN_ERROR_INVALID_ARGUMENT, "a path or a buffer is missing");
        return false;
    }
    memset(out, 0, sizeof(*out));
    replay_source source = {0};
    uint64_t library_hash;
    if (*at == 0 && header_read(bytes, size, &library_hash, &source, error) != KN_OK) {
        return false;
    }
    kn_reader reader =
        *at == 0 ? source.steps : (kn_reader){.data = bytes, .size = size, .at = *at};
    uint64_t checksum = source.checksum;
    if (*at >= 8) {
        kn_reader before = {.data = bytes, .size = size, .at = *at - 8};
        checksum = kn_read_u64(&before); // the checksum of a step continues in the next
    }
    if (reader.at == reader.size) {
        *at = size;
        return false;
    }
    size_t begin = reader.at;
    replay_step step;
    if (!step_read(&reader, &checksum, &step) || step.dt < 0 || step.dt > KN_TIME_MAX) {
        (void)kn_error_set(
            error, KN_ERROR_BAD_DATA, "the recording is damaged, or truncated within a step");
        return false;
    }
    *at = reader.at;
    *out = (kn_recorded_step){
        step.dt, step.command_count, step.note_count, step.hash, begin, reader.at};
    return true;
}

// The next entry of a step at *at, which is advanced past it.
static const uint8_t *step_entry_next(const void *bytes, size_t size, const kn_recorded_step *step,
    size_t *at, bool is_note, uint32_t *length)
{
    if (step->end > size || step->begin > step->end ||
        step->end - step->begin < RECORDING_STEP_SIZE + 8) {
        KN_ASSERT(step->end <= size);
        return NULL;
    }
    // Behind length, dt and count; before hash and checksum.
    size_t first = step->begin + 20, end = step->end - 16;
    kn_reader reader = {.data = bytes, .size = end, .at = *at == 0 ? first : *at};
    if (reader.at < first || reader.at > end) {
        return NULL;
    }
    const uint8_t *found = entry_next(&reader, is_note, length);
    *at = reader.at;
    return found;
}

bool kn_recording_next_command(const void *bytes, size_t size, const kn_recorded_step *step,
    size_t *at, const kn_library *library, kn_command_data *command, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (bytes == NULL || step == NULL || at == NULL || library == NULL || command == NULL) {
        KN_ASSERT(bytes != NULL && step != NULL && at != NULL && library != NULL);
        KN_ASSERT(command != NULL);
        (void)kn_error_set(error, KN_ERROR_INVALID_ARGUMENT, "an argument is missing");
        return false;
    }
    memset(&command->command, 0, sizeof(command->command));
    uint32_t length;
    const uint8_t *from = step_entry_next(bytes, size, step, at, false, &length);
    return from != NULL && kn_command_read(library, from, length, command, error) == KN_OK;
}

const void *kn_recording_next_note(
    const void *bytes, size_t size, const kn_recorded_step *step, size_t *at, uint32_t *note_size)
{
    if (note_size != NULL) {
        *note_size = 0;
    }
    if (bytes == NULL || step == NULL || at == NULL || note_size == NULL) {
        KN_ASSERT(bytes != NULL && step != NULL && at != NULL && note_size != NULL);
        return NULL;
    }
    uint32_t length = 0;
    const uint8_t *note = step_entry_next(bytes, size, step, at, true, &length);
    *note_size = note != NULL ? length : 0;
    return note;
}

static kn_result replay_restore(
    kn_world *world, const void *bytes, size_t size, replay_source *source, kn_error *error)
{
    kn_result result = replay_parse(world, bytes, size, source, error);
    return result == KN_OK ? kn_save_read(world, source->save, source->save_size, error) : result;
}

kn_result kn_recording_restore(kn_world *world, const void *bytes, size_t size, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || (bytes == NULL && size > 0)) {
        KN_ASSERT(world != NULL && (bytes != NULL || size == 0));
        return kn_error_set(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    replay_source source = {0};
    return replay_restore(world, bytes, size, &source, error);
}

static kn_result replay_steps(
    kn_world *world, replay_source *source, kn_replay_report *report, kn_error *error)
{
    while (source->steps.at < source->steps.size) {
        replay_step step;
        if (!step_read(&source->steps, &source->checksum, &step)) {
            return kn_error_set(
                error, KN_ERROR_BAD_DATA, "the recording changed while it was being played");
        }
        kn_result result = commands_issue(world, step.commands, step.commands_size);
        if (result == KN_OK) {
            result = kn_world_step(world, step.dt);
        }
        if (result != KN_OK) {
            return kn_error_set(error, result, "step %u could not be played: %s", report->steps,
                kn_result_name(result));
        }
        report->commands += step.command_count;
        report->notes += step.note_count;
        uint64_t found = kn_world_hash(world);
        if (found != step.hash) {
            report->diverged = true;
            report->diverged_step = report->steps;
            report->expected = step.hash;
            report->found = found;
            report->steps++;
            return KN_OK;
        }
        report->steps++;
    }
    return KN_OK;
}

kn_result kn_replay(
    kn_world *world, const void *bytes, size_t size, kn_replay_report *out, kn_error *error)
{
    kn_replay_report report;
    memset(&report, 0, sizeof(report));
    if (out != NULL) {
        *out = report;
    }
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || (bytes == NULL && size > 0)) {
        KN_ASSERT(world != NULL && (bytes != NULL || size == 0));
        return kn_error_set(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    replay_source source = {0};
    kn_result result = replay_restore(world, bytes, size, &source, error);
    if (result == KN_OK) {
        result = replay_steps(world, &source, &report, error);
    }
    if (out != NULL) {
        *out = report;
    }
    return result;
}
