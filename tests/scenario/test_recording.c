// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Recordings and replays.

#include "rich_world.h"

typedef struct fixture {
    kn_library *library;
    kn_world *world;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->world = rich_world_create(f->library, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

// What the handler saw, in order.
typedef struct log {
    uint32_t connections[256];
    uint8_t first_bytes[256];
    uint32_t count;
    float bonus; // a host that is not deterministic adds this to what it does
} log;

// A command is the index of an effect name and of an entity.
static void carry_out(
    void *user, kn_world *world, uint32_t connection, const void *bytes, uint32_t size)
{
    log *l = user;
    if (l->count < 256) {
        l->first_bytes[l->count] = size > 0 ? *(const uint8_t *)bytes : 255;
        l->connections[l->count++] = connection;
    }
    const uint8_t *command = bytes;
    if (size < 2) {
        return;
    }
    const char *names[4] = {"Haste", "Burn", "Venom", "Bleed"};
    kn_entity_id target = {0};
    for (uint32_t i = 0; i <= command[1] % 4u; i++) {
        target = kn_entity_next(world, target);
    }
    kn_effect_type_id type = kn_effect_type_find(kn_world_library(world), names[command[0] % 4u]);
    (void)kn_effect_apply_simple(world, type, target, target, 1.0f + l->bonus, NULL);
}

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static kn_recording *record(fixture *f, log *l, uint32_t steps)
{
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(f->world, carry_out, l, &recording), KN_OK);
    for (uint32_t i = 0; i < steps; i++) {
        uint8_t command[2] = {(uint8_t)i, (uint8_t)(i * 7)};
        if (i % 3 == 0) {
            assert_int_equal(kn_recording_command(recording, 9, command, 2), KN_OK);
            assert_int_equal(kn_recording_command(recording, 2, command, 2), KN_OK);
            command[0]++;
            assert_int_equal(kn_recording_command(recording, 9, command, 2), KN_OK);
            assert_int_equal(kn_recording_command(recording, 4, NULL, 0), KN_OK);
        }
        assert_int_equal(kn_recording_step(recording, KN_MS(20 + i % 30)), KN_OK);
    }
    return recording;
}

static void a_replay_ends_in_the_recorded_world(void **state)
{
    fixture *f = *state;
    log l = {0}, again = {0};
    kn_recording *recording = record(f, &l, 60);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    kn_replay_report report;
    kn_error error = {0};
    assert_int_equal(kn_replay(other, bytes, size, carry_out, &again, &report, &error), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(report.steps, 60);
    assert_int_equal(report.commands, 80);
    assert_same_worlds(f->world, other);
    assert_int_equal(again.count, l.count);
    assert_memory_equal(again.connections, l.connections, sizeof(l.connections));
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

static void commands_run_by_connection_then_arrival(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording_destroy(record(f, &l, 1));
    assert_int_equal(l.count, 4);
    assert_int_equal(l.connections[0], 2);
    assert_int_equal(l.connections[1], 4);
    assert_int_equal(l.connections[2], 9);
    assert_int_equal(l.connections[3], 9);
    assert_int_equal(l.first_bytes[2], 0); // as it came
    assert_int_equal(l.first_bytes[3], 1);
}

static void the_first_divergence_is_found(void **state)
{
    fixture *f = *state;
    log l = {0}, other_log = {.bonus = 1.0f};
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(f->world, carry_out, &l, &recording), KN_OK);
    for (uint32_t i = 0; i < 10; i++) {
        uint8_t command[2] = {0, 1};
        if (i == 6) {
            assert_int_equal(kn_recording_command(recording, 1, command, 2), KN_OK);
        }
        assert_int_equal(kn_recording_step(recording, KN_MS(10)), KN_OK);
    }
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    kn_replay_report report;
    assert_int_equal(kn_replay(other, bytes, size, carry_out, &other_log, &report, NULL), KN_OK);
    assert_true(report.diverged);
    assert_int_equal(report.diverged_step, 6);
    assert_int_equal(report.steps, 7);
    assert_int_not_equal(report.expected, report.found);
    assert_int_equal(report.found, kn_world_hash(other));
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

static void a_recording_of_another_library_is_refused(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording *recording = record(f, &l, 3);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_library *library = rich_library(1);
    kn_world *other = rich_empty_world(library, NULL);
    uint64_t hash = kn_world_hash(other);
    kn_error error = {0};
    kn_replay_report report;
    assert_int_equal(
        kn_replay(other, bytes, size, carry_out, &l, &report, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "library"));
    assert_int_equal(report.steps, 0);
    assert_int_equal(kn_world_hash(other), hash);
    kn_recording_destroy(recording);
    kn_world_destroy(other);
    kn_library_destroy(library);
}

static void damage_is_refused_before_anything_changes(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording *recording = record(f, &l, 12);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    kn_world *other = rich_empty_world(f->library, NULL);
    uint64_t hash = kn_world_hash(other);
    log none = {0};
    for (size_t i = 0; i < size; i++) {
        copy[i] ^= 0x40;
        assert_int_equal(
            kn_replay(other, copy, size, carry_out, &none, NULL, NULL), KN_ERROR_BAD_DATA);
        copy[i] ^= 0x40;
    }
    assert_int_equal(none.count, 0);
    assert_int_equal(kn_world_hash(other), hash);
    free(copy);
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

// What is wrong with it is said: another file, another version, too short, a changed byte.
static void damage_is_told_by_its_kind(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording *recording = record(f, &l, 3);
    size_t size;
    const uint8_t *bytes = kn_recording_bytes(recording, &size);
    const struct {
        size_t at;
        uint8_t value;
        const char *message;
    } cases[] = {
        {0, 'X', "this is not a recording"},
        {4, 0, "the recording has version 0, this library reads up to version 1"},
        {4, 2, "the recording has version 2, this library reads up to version 1"},
        {22, 1, "the recording is truncated"}, // the length of the save at its begin
        {40, (uint8_t)~bytes[40], "the recording is damaged: wrong checksum"},
        {size - 1, (uint8_t)~bytes[size - 1], "the recording is damaged in step 2"},
    };
    kn_world *other = rich_empty_world(f->library, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        copy[cases[i].at] = cases[i].value;
        kn_error error;
        assert_int_equal(
            kn_replay(other, copy, size, carry_out, &l, NULL, &error), KN_ERROR_BAD_DATA);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        free(copy);
    }
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

// Cut between two steps it is a shorter recording, cut anywhere else it is refused.
static void a_recording_that_was_cut_is_shorter_or_refused(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording *recording = record(f, &l, 4);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    uint32_t accepted = 0;
    for (size_t length = 0; length < size; length++) {
        uint8_t *cut = malloc(length + 1);
        assert_non_null(cut);
        memcpy(cut, bytes, length);
        kn_world *other = rich_empty_world(f->library, NULL);
        kn_replay_report report;
        log none = {0};
        kn_result result = kn_replay(other, cut, length, carry_out, &none, &report, NULL);
        if (result == KN_OK) {
            assert_int_equal(report.steps, accepted++);
            assert_false(report.diverged);
        } else {
            assert_int_equal(result, KN_ERROR_BAD_DATA);
        }
        kn_world_destroy(other);
        free(cut);
    }
    assert_int_equal(accepted, 4);
    kn_recording_destroy(recording);
}

static void nested_steps_and_bad_times_are_refused(void **state)
{
    fixture *f = *state;
    log l = {0};
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(f->world, carry_out, &l, &recording), KN_OK);
    assert_int_equal(kn_recording_step(recording, -1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_recording_step(recording, KN_TIME_INFINITE), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_recording_step(recording, KN_MS(5)), KN_OK);
    kn_recording_destroy(recording);
    kn_recording_destroy(NULL);
}

// Every pointer that may not be NULL, and those that may.
static void missing_pointers_are_refused(void **state)
{
    fixture *f = *state;
    log l = {0};
    uint64_t before = kn_world_hash(f->world);
    kn_recording *recording = record(f, &l, 3), *none = recording;
    size_t size = 7, taken;
    const uint8_t *bytes = kn_recording_bytes(recording, &size);
    uint64_t after = kn_world_hash(f->world);
    assert_int_not_equal(after, before);
    assert_ptr_equal(kn_recording_bytes(recording, NULL), bytes);
    const kn_result bad = KN_ERROR_INVALID_ARGUMENT;
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_recording_begin(NULL, carry_out, &l, &none), bad);
    assert_null(none);
    none = recording;
    assert_int_equal(kn_recording_begin(f->world, NULL, &l, &none), bad);
    assert_null(none);
    assert_int_equal(kn_recording_begin(f->world, carry_out, &l, NULL), bad);
    uint8_t command[2] = {1, 1};
    assert_int_equal(kn_recording_command(NULL, 1, command, 2), bad);
    assert_int_equal(kn_recording_command(recording, 1, NULL, 2), bad);
    assert_int_equal(kn_recording_step(NULL, KN_MS(1)), bad);
    taken = 7;
    assert_null(kn_recording_bytes(NULL, &taken));
    assert_int_equal(taken, 0);
    assert_null(kn_recording_bytes(NULL, NULL));

    kn_error error;
    size_t at = 0;
    kn_recorded_step step;
    assert_false(kn_recording_next(bytes, size, NULL, &step, &error));
    assert_int_equal(error.code, bad);
    assert_false(kn_recording_next(bytes, size, &at, NULL, &error));
    assert_int_equal(error.code, bad);
    assert_false(kn_recording_next(NULL, size, &at, &step, &error));
    assert_int_equal(error.code, bad);
    at = size + 1;
    assert_false(kn_recording_next(bytes, size, &at, &step, &error));
    assert_int_equal(error.code, bad);
    assert_false(kn_recording_next(bytes, size, &at, &step, NULL));
    at = 0;
    assert_false(kn_recording_next(NULL, 0, &at, &step, &error)); // nothing is no recording
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    assert_true(kn_recording_next(bytes, size, &at, &step, NULL));

    kn_world *other = rich_empty_world(f->library, NULL);
    uint64_t empty = kn_world_hash(other);
    kn_replay_report report = {.steps = 9};
    log again = {0};
    assert_int_equal(kn_replay(NULL, bytes, size, carry_out, &again, &report, &error), bad);
    assert_int_equal(error.code, bad);
    assert_int_equal(report.steps, 0);
    assert_int_equal(kn_replay(other, bytes, size, NULL, &again, &report, &error), bad);
    assert_int_equal(kn_replay(other, NULL, size, carry_out, &again, &report, NULL), bad);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_replay(other, NULL, 0, carry_out, &again, NULL, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(again.count, 0);
    assert_int_equal(kn_world_hash(other), empty);
    assert_int_equal(kn_replay(other, bytes, size, carry_out, &again, NULL, NULL), KN_OK);
    assert_int_equal(kn_world_hash(other), after);
    // None of it is in the recording.
    assert_int_equal(kn_recording_step(recording, 0), KN_OK);
    assert_int_equal(l.count, 4);
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

static void recording_without_memory_fails_cleanly(void **state)
{
    fixture *f = *state;
    rich_memory memory = {0};
    kn_world *world = rich_world_create(f->library, &memory);
    log l = {0};
    size_t blocks = memory.blocks;
    kn_recording *recording = NULL;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    for (uint64_t at = 1; result != KN_OK; at++) {
        memory.calls = 0;
        memory.fail_at = at;
        result = kn_recording_begin(world, carry_out, &l, &recording);
        memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(recording);
            assert_int_equal(memory.blocks, blocks);
        }
    }
    memory.calls = 0;
    memory.fail_at = 1;
    uint8_t command[2] = {1, 1};
    assert_int_equal(kn_recording_command(recording, 1, command, 2), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_recording_step(recording, KN_MS(1)), KN_ERROR_OUT_OF_MEMORY);
    memory.fail_at = 0;
    assert_int_equal(kn_recording_command(recording, 1, command, 2), KN_OK);
    assert_int_equal(kn_recording_step(recording, KN_MS(1)), KN_OK);
    assert_int_equal(l.count, 1);
    kn_recording_destroy(recording);
    kn_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_replay_ends_in_the_recorded_world, setup, teardown),
        cmocka_unit_test_setup_teardown(commands_run_by_connection_then_arrival, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_divergence_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(a_recording_of_another_library_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_refused_before_anything_changes, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_told_by_its_kind, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_recording_that_was_cut_is_shorter_or_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(nested_steps_and_bad_times_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_pointers_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(recording_without_memory_fails_cleanly, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
