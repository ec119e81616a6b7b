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

// A command of the kind Afflict.
static kn_result recorded(
    kn_recording *recording, uint32_t connection, uint8_t effect, uint8_t entity)
{
    rich_afflict afflict = {effect, entity};
    kn_command command = {.type = {kn_command_type_tolerance().index1 +
                                   1}, // the first after those that every library has
        .connection = connection,
        .payload = &afflict,
        .size = sizeof(afflict)};
    return kn_recording_command(recording, &command, NULL);
}

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static kn_recording *record(fixture *f, rich_log *l, uint32_t steps)
{
    kn_recording *recording;
    *rich_log_now() = l;
    assert_int_equal(kn_recording_begin(f->world, &recording), KN_OK);
    for (uint32_t i = 0; i < steps; i++) {
        uint8_t effect = (uint8_t)i, entity = (uint8_t)(i * 7);
        if (i % 3 == 0) {
            assert_int_equal(recorded(recording, 9, effect, entity), KN_OK);
            assert_int_equal(recorded(recording, 2, effect, entity), KN_OK);
            assert_int_equal(recorded(recording, 9, (uint8_t)(effect + 1), entity), KN_OK);
            assert_int_equal(recorded(recording, 4, 255, 0), KN_OK);
            assert_int_equal(kn_recording_note(recording, &i, sizeof(i)), KN_OK);
        }
        assert_int_equal(kn_recording_step(recording, KN_MS(20 + i % 30)), KN_OK);
    }
    return recording;
}

static void a_replay_ends_in_the_recorded_world(void **state)
{
    fixture *f = *state;
    rich_log l = {0}, again = {0};
    kn_recording *recording = record(f, &l, 60);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    kn_replay_report report;
    kn_error error = {0};
    *rich_log_now() = &again;
    assert_int_equal(kn_replay(other, bytes, size, &report, &error), KN_OK);
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
    rich_log l = {0};
    kn_recording_destroy(record(f, &l, 1));
    assert_int_equal(l.count, 4);
    assert_int_equal(l.connections[0], 2);
    assert_int_equal(l.connections[1], 4);
    assert_int_equal(l.connections[2], 9);
    assert_int_equal(l.connections[3], 9);
    assert_int_equal(l.effects[2], 0); // as it came
    assert_int_equal(l.effects[3], 1);
}

static void the_first_divergence_is_found(void **state)
{
    fixture *f = *state;
    rich_log l = {0}, other_log = {.bonus = 1.0f};
    kn_recording *recording;
    *rich_log_now() = &l;
    assert_int_equal(kn_recording_begin(f->world, &recording), KN_OK);
    for (uint32_t i = 0; i < 10; i++) {
        if (i == 6) {
            assert_int_equal(recorded(recording, 1, 0, 1), KN_OK);
        }
        assert_int_equal(kn_recording_step(recording, KN_MS(10)), KN_OK);
    }
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    kn_replay_report report;
    *rich_log_now() = &other_log;
    assert_int_equal(kn_replay(other, bytes, size, &report, NULL), KN_OK);
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
    rich_log l = {0};
    kn_recording *recording = record(f, &l, 3);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_library *library = rich_library(1);
    kn_world *other = rich_empty_world(library, NULL);
    uint64_t hash = kn_world_hash(other);
    kn_error error = {0};
    kn_replay_report report;
    assert_int_equal(kn_replay(other, bytes, size, &report, &error), KN_ERROR_BAD_DATA);
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
    rich_log l = {0};
    kn_recording *recording = record(f, &l, 12);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    kn_world *other = rich_empty_world(f->library, NULL);
    uint64_t hash = kn_world_hash(other);
    rich_log none = {0};
    *rich_log_now() = &none;
    for (size_t i = 0; i < size; i++) {
        copy[i] ^= 0x40;
        assert_int_equal(kn_replay(other, copy, size, NULL, NULL), KN_ERROR_BAD_DATA);
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
    rich_log l = {0};
    kn_recording *recording = record(f, &l, 3);
    size_t size;
    const uint8_t *bytes = kn_recording_bytes(recording, &size);
    const struct {
        size_t at;
        uint8_t value;
        const char *message;
    } cases[] = {
        {0, 'X', "this is not a recording"},
        {4, 0, "the recording has version 0, this library reads up to version 2"},
        {4, 1,
            "the recording has version 1, whose commands only its game could read: record it anew"},
        {4, 3, "the recording has version 3, this library reads up to version 2"},
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
        assert_int_equal(kn_replay(other, copy, size, NULL, &error), KN_ERROR_BAD_DATA);
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
    rich_log l = {0};
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
        rich_log none = {0};
        *rich_log_now() = &none;
        kn_result result = kn_replay(other, cut, length, &report, NULL);
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
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(f->world, &recording), KN_OK);
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
    rich_log l = {0};
    uint64_t before = kn_world_hash(f->world);
    kn_recording *recording = record(f, &l, 3), *none = recording;
    size_t size = 7, taken;
    const uint8_t *bytes = kn_recording_bytes(recording, &size);
    uint64_t after = kn_world_hash(f->world);
    assert_int_not_equal(after, before);
    assert_ptr_equal(kn_recording_bytes(recording, NULL), bytes);
    const kn_result bad = KN_ERROR_INVALID_ARGUMENT;
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_recording_begin(NULL, &none), bad);
    assert_null(none);
    assert_int_equal(kn_recording_begin(f->world, NULL), bad);
    kn_command command = {.type = kn_command_type_confirm()};
    assert_int_equal(kn_recording_command(NULL, &command, NULL), bad);
    assert_int_equal(kn_recording_command(recording, NULL, NULL), bad);
    assert_int_equal(kn_recording_note(NULL, "note", 4), bad);
    assert_int_equal(kn_recording_note(recording, NULL, 4), bad);
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
    rich_log again = {0};
    assert_int_equal(kn_replay(NULL, bytes, size, &report, &error), bad);
    assert_int_equal(error.code, bad);
    assert_int_equal(report.steps, 0);
    assert_int_equal(kn_replay(other, NULL, size, &report, NULL), bad);
    assert_int_equal(kn_recording_restore(NULL, bytes, size, &error), bad);
    assert_int_equal(kn_recording_restore(other, NULL, size, &error), bad);
    kn_assert_set_handler(NULL);
    *rich_log_now() = &again;
    assert_int_equal(kn_replay(other, NULL, 0, NULL, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(again.count, 0);
    assert_int_equal(kn_world_hash(other), empty);
    assert_int_equal(kn_replay(other, bytes, size, NULL, NULL), KN_OK);
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
    rich_log l = {0};
    *rich_log_now() = &l;
    size_t blocks = memory.blocks;
    kn_recording *recording = NULL;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    for (uint64_t at = 1; result != KN_OK; at++) {
        memory.calls = 0;
        memory.fail_at = at;
        result = kn_recording_begin(world, &recording);
        memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(recording);
            assert_int_equal(memory.blocks, blocks);
        }
    }
    memory.calls = 0;
    memory.fail_at = 1;
    assert_int_equal(recorded(recording, 1, 1, 1), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_recording_note(recording, "note", 4), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_recording_step(recording, KN_MS(1)), KN_ERROR_OUT_OF_MEMORY);
    memory.fail_at = 0;
    assert_int_equal(recorded(recording, 1, 1, 1), KN_OK);
    assert_int_equal(kn_recording_step(recording, KN_MS(1)), KN_OK);
    assert_int_equal(l.count, 1);
    kn_recording_destroy(recording);
    kn_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
}

// Commands and notes can be read without playing anything.
static void a_recording_lists_its_commands_and_notes(void **state)
{
    fixture *f = *state;
    rich_log l = {0};
    kn_recording *recording = record(f, &l, 4);
    size_t size, at = 0, entry = 0;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_recorded_step step;
    kn_command_data data;
    kn_error error;
    char text[128];
    assert_true(kn_recording_next(bytes, size, &at, &step, NULL));
    assert_int_equal(step.commands, 4);
    assert_true(kn_recording_next_command(bytes, size, &step, &entry, f->library, &data, &error));
    assert_int_equal(data.command.connection, 9);
    kn_command_print(f->world, &data.command, text, sizeof(text));
    assert_string_equal(text, "Afflict: effect 0; entity 0");
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(
            kn_recording_next_command(bytes, size, &step, &entry, f->library, &data, &error));
    }
    assert_int_equal(data.command.connection, 4);
    assert_false(kn_recording_next_command(bytes, size, &step, &entry, f->library, &data, &error));
    assert_int_equal(error.code, KN_OK);
    uint32_t note_size = 9, number = 9;
    entry = 0;
    const void *note = kn_recording_next_note(bytes, size, &step, &entry, &note_size);
    assert_non_null(note);
    assert_int_equal(note_size, sizeof(number));
    memcpy(&number, note, sizeof(number));
    assert_int_equal(number, 0);
    assert_null(kn_recording_next_note(bytes, size, &step, &entry, &note_size));
    assert_int_equal(note_size, 0);
    // The second step has neither.
    entry = 0;
    assert_true(kn_recording_next(bytes, size, &at, &step, NULL));
    assert_int_equal(step.commands, 0);
    assert_false(kn_recording_next_command(bytes, size, &step, &entry, f->library, &data, &error));
    kn_recording_destroy(recording);
}

// What is not a command is refused when it is recorded.
static void a_command_that_is_not_valid_is_not_recorded(void **state)
{
    fixture *f = *state;
    kn_recording *recording;
    kn_error error;
    assert_int_equal(kn_recording_begin(f->world, &recording), KN_OK);
    uint8_t few = 1;
    kn_command command = {
        .type = {kn_command_type_tolerance().index1 + 1}, .payload = &few, .size = 1};
    assert_int_equal(kn_recording_command(recording, &command, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "command `Afflict`: its payload has 1 bytes, but the kind has 2");
    assert_int_equal(kn_recording_step(recording, KN_MS(1)), KN_OK);
    size_t size, at = 0;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_recorded_step step;
    assert_true(kn_recording_next(bytes, size, &at, &step, NULL));
    assert_int_equal(step.commands, 0);
    kn_recording_destroy(recording);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_replay_ends_in_the_recorded_world, setup, teardown),
    cmocka_unit_test_setup_teardown(commands_run_by_connection_then_arrival, setup, teardown),
    cmocka_unit_test_setup_teardown(the_first_divergence_is_found, setup, teardown),
    cmocka_unit_test_setup_teardown(a_recording_of_another_library_is_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(damage_is_refused_before_anything_changes, setup, teardown),
    cmocka_unit_test_setup_teardown(damage_is_told_by_its_kind, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_recording_that_was_cut_is_shorter_or_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(a_recording_lists_its_commands_and_notes, setup, teardown),
    cmocka_unit_test_setup_teardown(a_command_that_is_not_valid_is_not_recorded, setup, teardown),
    cmocka_unit_test_setup_teardown(nested_steps_and_bad_times_are_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(missing_pointers_are_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(recording_without_memory_fails_cleanly, setup, teardown),
};

TEST_GROUP(test_recording, tests, NULL, NULL);
