// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Recordings step by step: walked without playing, cut, and played into a run that stays.

#include "group.h"

#include "knack/scenario.h"

#include <stdlib.h>
#include <string.h>

static const char source[] = "scenario: Two hits\n"
                             "library:\n"
                             "  attribute_sets: {Vitals: {attributes: {Health: 100}}}\n"
                             "  effects: {Hit: {modifiers: {Vitals.Health: -10}}}\n"
                             "entities: {foe: {sets: [Vitals]}}\n"
                             "timeline:\n"
                             "  - {at: 1 s, do: [{apply: {effect: Hit, to: foe}}]}\n"
                             "  - {at: 2 s, do: [{apply: {effect: Hit, to: foe}}]}\n"
                             "end: 3 s\n";

typedef struct fixture {
    kn_scenario *scenario;
    uint8_t *bytes;
    size_t size;
} fixture;

static kn_scenario_run *run_new(const fixture *at, bool record)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.record = record;
    kn_scenario_run *run;
    assert_int_equal(kn_scenario_run_create(at->scenario, &def, &run), KN_OK);
    return run;
}

static int setup(void **state)
{
    fixture *at = calloc(1, sizeof(*at));
    assert_non_null(at);
    kn_scenario_def def = kn_scenario_def_default();
    assert_int_equal(
        kn_scenario_load_text(&def, "two.yaml", source, strlen(source), &at->scenario), KN_OK);
    kn_scenario_run *run = run_new(at, true);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    const void *bytes = kn_scenario_run_recording(run, &at->size);
    at->bytes = malloc(at->size);
    assert_non_null(at->bytes);
    memcpy(at->bytes, bytes, at->size);
    kn_scenario_run_destroy(run);
    *state = at;
    return 0;
}

static int teardown(void **state)
{
    fixture *at = *state;
    kn_scenario_destroy(at->scenario);
    free(at->bytes);
    free(at);
    return 0;
}

static void walking_tells_every_step_as_a_replay_counts_them(void **state)
{
    const fixture *at = *state;
    kn_recorded_step step;
    kn_error error;
    size_t place = 0, end_before = 0;
    uint32_t steps = 0, commands = 0, notes = 0;
    kn_time length = 0;
    while (kn_recording_next(at->bytes, at->size, &place, &step, &error)) {
        assert_int_equal(step.end, place);
        assert_true(step.begin < step.end);
        assert_true(steps == 0 || step.begin == end_before);
        end_before = step.end;
        steps++;
        commands += step.commands;
        notes += step.notes;
        length += step.dt;
    }
    assert_int_equal(error.code, KN_OK);
    assert_int_equal(place, at->size);
    assert_int_equal(length, KN_S(3));
    kn_replay_report report;
    assert_int_equal(
        kn_scenario_replay(at->scenario, KN_SCENARIO_BASE, at->bytes, at->size, &report, &error),
        KN_OK);
    assert_int_equal(report.steps, steps);
    assert_int_equal(report.commands, commands);
    assert_int_equal(report.notes, notes);
    assert_int_equal(commands, 0);
    assert_int_equal(notes, 2); // the actions of the scenario
    // Asking on gives the same answer.
    assert_false(kn_recording_next(at->bytes, at->size, &place, &step, &error));
    assert_int_equal(error.code, KN_OK);
}

static void a_recording_cut_before_a_step_shows_the_world_at_that_time(void **state)
{
    const fixture *at = *state;
    kn_recorded_step step;
    kn_error error;
    size_t place = 0;
    kn_time now = 0;
    while (kn_recording_next(at->bytes, at->size, &place, &step, &error) && now < KN_MS(1500)) {
        now += step.dt;
    }
    kn_scenario_run *run = run_new(at, false);
    kn_replay_report report;
    assert_int_equal(kn_scenario_run_replay(run, at->bytes, step.begin, &report, &error), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(kn_scenario_run_now(run), now);
    const kn_world *world = kn_scenario_run_world(run);
    kn_attribute_id health = kn_attribute_find(kn_scenario_library(at->scenario), "Vitals.Health");
    kn_entity_id foe = kn_scenario_run_entity(run, "foe");
    assert_true(kn_attribute_value(world, foe, health) == 90.0f);
    // It has been played: there is nothing to go on with.
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_now(run), now);
    kn_scenario_run_destroy(run);
}

static void a_damaged_byte_anywhere_ends_the_walk_with_an_error(void **state)
{
    const fixture *at = *state;
    for (size_t i = 0; i < at->size; i += 7) {
        at->bytes[i] ^= 0x55;
        kn_recorded_step step;
        kn_error error;
        size_t place = 0;
        while (kn_recording_next(at->bytes, at->size, &place, &step, &error)) {
        }
        // The hash of the library is not needed for walking.
        assert_true(error.code == KN_ERROR_BAD_DATA || (i >= 8 && i < 16));
        at->bytes[i] ^= 0x55;
    }
}

static void a_recording_cut_anywhere_is_shorter_or_an_error(void **state)
{
    const fixture *at = *state;
    for (size_t size = 0; size < at->size; size++) {
        kn_recorded_step step;
        kn_error error;
        size_t place = 0, end = 0;
        while (kn_recording_next(at->bytes, size, &place, &step, &error)) {
            end = step.end;
        }
        assert_true(end <= size);
        assert_true(error.code == KN_ERROR_BAD_DATA || place == size);
    }
}

static void a_scenario_names_the_files_behind_it(void **state)
{
    const fixture *at = *state;
    assert_string_equal(kn_scenario_source(at->scenario, 0), "two.yaml");
    assert_null(kn_scenario_source(at->scenario, 1));

    static const char broken[] = "scenario: x\nlibraries: [kit, more.yaml]\n";
    kn_scenario_def def = kn_scenario_def_default();
    kn_scenario *scenario;
    assert_int_equal(kn_scenario_load_text(&def, "here/x.yaml", broken, strlen(broken), &scenario),
        KN_ERROR_BAD_DATA);
    assert_string_equal(kn_scenario_source(scenario, 0), "here/x.yaml");
    assert_string_equal(kn_scenario_source(scenario, 1), "here/kit");
    assert_string_equal(kn_scenario_source(scenario, 2), "here/more.yaml");
    assert_null(kn_scenario_source(scenario, 3));
    kn_scenario_destroy(scenario);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        walking_tells_every_step_as_a_replay_counts_them, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_recording_cut_before_a_step_shows_the_world_at_that_time, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_damaged_byte_anywhere_ends_the_walk_with_an_error, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_recording_cut_anywhere_is_shorter_or_an_error, setup, teardown),
    cmocka_unit_test_setup_teardown(a_scenario_names_the_files_behind_it, setup, teardown),
};

TEST_GROUP(recording_steps, tests, NULL, NULL);
