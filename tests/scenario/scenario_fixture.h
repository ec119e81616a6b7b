// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenarios from texts: their messages, their runs, their failures.
#ifndef SCENARIO_FIXTURE_H
#define SCENARIO_FIXTURE_H

#include "group.h"

#include "scenario_files/natives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A library that most texts begin with: 12 lines.
#define KIT                                                                                        \
    "library:\n"                                                                                   \
    "  tags: [State.Stunned, Data.Damage, Cooldown.Bolt, GameplayCue.Hit]\n"                       \
    "  attribute_sets: {Vitals: {attributes: {Health: 100, Mana: 50}}}\n"                          \
    "  effects:\n"                                                                                 \
    "    Hit: {modifiers: {Vitals.Health: -10}, cue_tags: [GameplayCue.Hit]}\n"                    \
    "    Burn: {duration: 5, period: 1, modifiers: {Vitals.Health: -3}, stacking: {kind: "         \
    "by_target}}\n"                                                                                \
    "    Stun: {duration: 2, granted_tags: [State.Stunned]}\n"                                     \
    "  abilities:\n"                                                                               \
    "    Bolt: {costs: {Vitals.Mana: 20}, cooldowns: [{duration: 4}], native: Use}\n"              \
    "    Aim: {activation: {ignored: [State.Stunned]}}\n"                                          \
    "  archetypes: {Hero: {sets: [Vitals], abilities: [Bolt]}}\n"                                  \
    "entities: {hero: {archetype: Hero}, foe: {sets: [Vitals]}}\n"

static inline kn_scenario_def scenario_def(void)
{
    kn_scenario_def def = kn_scenario_def_default();
    def.add = natives_add;
    return def;
}

// All messages, one line each, without the name of the file.
static inline void scenario_messages(const kn_scenario *scenario, char *out, size_t size)
{
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < kn_scenario_message_count(scenario); i++) {
        char line[1024];
        (void)kn_scenario_message_print(scenario, i, line, sizeof(line));
        int added = snprintf(out + length, size - length, "%s\n",
            strncmp(line, "t.yaml:", 7) == 0 ? line + 7 : line);
        length += added > 0 && (size_t)added < size - length ? (size_t)added : 0;
    }
}

static inline kn_scenario *scenario_of(const char *text)
{
    kn_scenario_def def = scenario_def();
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario);
    if (result != KN_OK) {
        char messages[8192] = "";
        if (scenario != NULL) {
            scenario_messages(scenario, messages, sizeof(messages));
        }
        fail_msg("%s\n%s", kn_result_name(result), messages);
    }
    return scenario;
}

static inline kn_scenario_run *run_of(const kn_scenario *scenario, const kn_scenario_run_def *def)
{
    kn_scenario_run *run;
    assert_int_equal(kn_scenario_run_create(scenario, def, &run), KN_OK);
    return run;
}

// All failures of a run, without the name of the file.
static inline void scenario_failures(const kn_scenario_run *run, char *out, size_t size)
{
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < kn_scenario_failure_count(run); i++) {
        char text[4096];
        (void)kn_scenario_failure_print(run, i, text, sizeof(text));
        int added = snprintf(out + length, size - length, "%s\n",
            strncmp(text, "t.yaml:", 7) == 0 ? text + 7 : text);
        length += added > 0 && (size_t)added < size - length ? (size_t)added : 0;
    }
}

#define EXPECT_SCENARIO_MESSAGES(text, expected)                                                   \
    do {                                                                                           \
        char messages_[8192];                                                                      \
        kn_scenario_def def_ = scenario_def();                                                     \
        kn_scenario *scenario_;                                                                    \
        assert_int_equal(kn_scenario_load_text(&def_, "t.yaml", text, strlen(text), &scenario_),   \
            KN_ERROR_BAD_DATA);                                                                    \
        scenario_messages(scenario_, messages_, sizeof(messages_));                                \
        assert_string_equal(messages_, expected);                                                  \
        kn_scenario_destroy(scenario_);                                                            \
    } while (0)

#define EXPECT_FAILURES(text, expected)                                                            \
    do {                                                                                           \
        char failures_[16384];                                                                     \
        kn_scenario *scenario_ = scenario_of(text);                                                \
        kn_scenario_run_def def_ = kn_scenario_run_def_default();                                  \
        kn_scenario_run *run_ = run_of(scenario_, &def_);                                          \
        assert_int_equal(kn_scenario_run_finish(run_), KN_OK);                                     \
        scenario_failures(run_, failures_, sizeof(failures_));                                     \
        assert_string_equal(failures_, expected);                                                  \
        assert_int_equal(kn_scenario_run_passed(run_), (expected)[0] == 0);                        \
        kn_scenario_run_destroy(run_);                                                             \
        kn_scenario_destroy(scenario_);                                                            \
    } while (0)

#define EXPECT_PASS(text) EXPECT_FAILURES(text, "")

#endif
