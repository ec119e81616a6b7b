// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Runs scenario files: each as it is written and in every variant, plain, rolled back and saved at
// every step, and recorded and replayed; those with machines twice. Failures are lines on stderr
// and exit code 1.

#include "natives.h"
#include "share.h"

#ifdef KNACK_CAPABILITY
#include <knack/capability.h>
#endif
#ifdef KNACK_COMBAT
#include <knack/combat.h>
#endif
#ifdef KNACK_ORDER
#include <knack/order.h>
#include <knack/order_produce.h>
#include <knack/order_ready.h>
#endif
#ifdef KNACK_RTS
#include <knack/rts.h>
#endif
#ifdef KNACK_SCRIPT
#include "knack/script.h"
#endif

#include <stdio.h>

static void print_messages(const kn_scenario *scenario)
{
    for (uint32_t i = 0; i < kn_scenario_message_count(scenario); i++) {
        char text[1024];
        (void)kn_scenario_message_print(scenario, i, text, sizeof(text));
        fprintf(stderr, "%s\n", text);
    }
}

#ifdef KNACK_SCRIPT

static const kn_script_loader *scripts_now;

// An error in a script ends what it belongs to, but not the scenario.
static bool scripts_are_well(const kn_scenario_run *run)
{
    const kn_script *script = kn_script_loader_script(scripts_now);
    kn_script_error error;
    for (uint32_t i = 0; script != NULL && kn_script_get_error(script, i, &error); i++) {
        if (!kn_scenario_run_expected_error(run, error.line)) {
            fprintf(stderr, "%s:%u: %s: %s\n", error.chunk, error.line, error.definition,
                error.message);
            return false;
        }
    }
    return true;
}

#else

static bool scripts_are_well(const kn_scenario_run *run)
{
    (void)run;
    return true;
}

#endif

static bool finish(kn_scenario_run *run, const char *how)
{
    kn_result result = kn_scenario_run_finish(run);
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", how, kn_result_name(result));
    }
    for (uint32_t i = 0; i < kn_scenario_failure_count(run); i++) {
        char text[4096];
        (void)kn_scenario_failure_print(run, i, text, sizeof(text));
        fprintf(stderr, "%s (%s)\n", text, how);
    }
    return kn_scenario_run_passed(run);
}

static bool replay(const kn_scenario *scenario, uint32_t variant, const kn_scenario_run *run)
{
    size_t size;
    const void *bytes = kn_scenario_run_recording(run, &size);
    kn_replay_report report;
    kn_error error = {0};
    kn_result result = kn_scenario_replay(scenario, variant, bytes, size, &report, &error);
    if (result != KN_OK || report.diverged) {
        fprintf(stderr, "replay: %s, %s, diverged at step %u\n", kn_result_name(result),
            error.message, report.diverged_step);
        return false;
    }
    return true;
}

// Rolling back and saving at every step takes as long as a hundred runs. Scenarios with more steps
// than this are only played in their variants, where what happens is the same but for numbers, and
// only played at all where everything is validated after every call.
#define LONG_STEPS (2000 / SHARE(4))
#ifdef KN_VALIDATE
#define LONG_IS_CHECKED false
#else
#define LONG_IS_CHECKED true
#endif

// Steps of the last run.
static uint32_t steps_played;

static bool play(const kn_scenario *scenario, uint32_t variant, uint32_t checks, bool record)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.variant = variant;
    def.checks = checks;
    def.record = record;
    kn_scenario_run *run;
    kn_result result = kn_scenario_run_create(scenario, &def, &run);
    if (result != KN_OK) {
        fprintf(stderr, "no run: %s\n", kn_result_name(result));
        return false;
    }
    const char *how = record                                        ? "recorded"
                      : checks == (uint32_t)KN_SCENARIO_CHECK_SYNC  ? "rolled back"
                      : checks == (uint32_t)KN_SCENARIO_CHECK_HEAVY ? "saved"
                                                                    : "plain";
    bool passed = finish(run, how);
    passed = scripts_are_well(run) && passed;
    if (record) {
        passed = replay(scenario, variant, run) && passed;
    }
    kn_scenario_counts counts = kn_scenario_run_counts(run);
    steps_played = counts.steps;
    if (passed && counts.actions + counts.expectations == 0) {
        fprintf(stderr, "nothing is done and nothing is expected\n");
        passed = false;
    }
    if (!record && checks == 0) {
        printf("%s%s%s: %u actions, %u expectations, %u steps\n", kn_scenario_title(scenario),
            variant != KN_SCENARIO_BASE ? ", " : "", kn_scenario_variant_name(scenario, variant),
            counts.actions, counts.expectations, counts.steps);
        for (uint32_t i = 0; i < kn_scenario_measure_count(scenario); i++) {
            printf("  %s: %g\n", kn_scenario_measure_name(scenario, i),
                (double)kn_scenario_run_measure(run, i));
        }
    }
    kn_scenario_run_destroy(run);
    return passed;
}

// Machines play the same match again.
static bool play_again(const kn_scenario *scenario, uint32_t variant)
{
    uint64_t hashes[2] = {0};
    bool passed = true;
    for (uint32_t i = 0; i < 2 && passed; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.variant = variant;
        kn_scenario_run *run;
        passed = kn_scenario_run_create(scenario, &def, &run) == KN_OK;
        passed = passed && finish(run, "again");
        hashes[i] = passed ? kn_world_hash(kn_scenario_run_world(run)) : 0;
        for (uint32_t k = 0; passed && k < kn_scenario_machine_count(scenario); k++) {
            const kn_world *world = kn_scenario_run_machine_world(run, k);
            hashes[i] = hashes[i] * 31 + (world != NULL ? kn_world_hash(world) : 0);
        }
        kn_scenario_run_destroy(run);
    }
    if (passed && hashes[0] != hashes[1]) {
        fprintf(stderr, "two runs end in different worlds\n");
    }
    return passed && hashes[0] == hashes[1];
}

static bool run_file(const char *path, const kn_data_scripts *scripts)
{
    static const kn_kit kits[] = {
#ifdef KNACK_CAPABILITY
        {"capability", kn_capability_register},
#endif
#ifdef KNACK_COMBAT
        {"combat", kn_combat_register},
#endif
#ifdef KNACK_ORDER
        {"order", kn_order_register}, {"ready_orders", kn_order_ready_register},
        {"production", kn_order_produce_register},
#endif
#ifdef KNACK_RTS
        {"rts", kn_rts_register},
#endif
        {NULL, NULL}, // ends the list
    };
    kn_scenario_def def = kn_scenario_def_default();
    def.kits = kits;
    def.kit_count = (uint32_t)(sizeof(kits) / sizeof(*kits)) - 1;
    def.add = natives_add;
    def.scripts = *scripts;
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_file(&def, path, &scenario);
    bool passed = result == KN_OK;
    if (!passed && scenario != NULL) {
        print_messages(scenario);
    }
    uint32_t variants = passed ? kn_scenario_variant_count(scenario) : 0;
    for (uint32_t i = 0; passed && i <= variants; i++) {
        uint32_t variant = i == 0 ? KN_SCENARIO_BASE : i - 1;
        if (kn_scenario_machine_count(scenario) > 0) {
            passed = play(scenario, variant, 0, false) && play_again(scenario, variant);
            continue;
        }
        passed = play(scenario, variant, 0, false);
        bool is_long = steps_played > LONG_STEPS;
        if (passed && (!is_long || (LONG_IS_CHECKED && i == 0))) {
            passed = play(scenario, variant, KN_SCENARIO_CHECK_SYNC, false) &&
                     play(scenario, variant, KN_SCENARIO_CHECK_HEAVY, false);
        }
        if (passed && (!is_long || (LONG_IS_CHECKED && i == 0))) {
            passed = play(scenario, variant, 0, true);
        }
    }
    kn_scenario_destroy(scenario);
    return passed;
}

#ifdef KNACK_SCRIPT

static bool run_scripted(const char *path)
{
    kn_script_loader *loader;
    if (kn_script_loader_create(NULL, &loader) != KN_OK) {
        fprintf(stderr, "no scripts\n");
        return false;
    }
    kn_data_scripts scripts = kn_script_loader_scripts(loader);
    scripts_now = loader;
    bool passed = run_file(path, &scripts);
    scripts_now = NULL;
    kn_script_loader_destroy(loader);
    return passed;
}

#else

static bool run_scripted(const char *path)
{
    return run_file(path, &(kn_data_scripts){0});
}

#endif

int main(int argc, char **argv)
{
    bool passed = argc > 1;
    for (int i = 1; i < argc; i++) {
        if (!run_scripted(argv[i])) {
            fprintf(stderr, "failed; to run it alone: %s %s\n", argv[0], argv[i]);
            passed = false;
        }
    }
    return passed ? 0 : 1;
}
