// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions of games and kits (knack/function.h) in scenarios: those that change the world are
// actions, those that only read are expectations.
#ifndef SCENARIO_CALL_H
#define SCENARIO_CALL_H

#include "scenario_expect.h"

#define KNI_FUNCTION_WORDS_MAX 256 // that a message looks at

// The function with this name: as it is registered, or what comes behind the colon. NULL for none,
// and for one that changes something if `changes` is false, or the other way round.
const kn_function_def *kni_function_find(const kn_library *library, const char *name, bool changes);
// The name of a function in a scenario.
const char *kni_function_word(const kn_function_def *function);
// Adds the names of such functions to `words`, which has room for `capacity`.
void kni_function_words(const kn_library *library, bool changes, const char **words,
    uint32_t *count, uint32_t capacity);

// Whether a name may be that of a function of a library that could not be built, which has reported
// why: it is not like any of `words`.
bool kni_function_may_be(
    const kn_scenario *scenario, const char *name, const char *const *words, uint32_t count);

// Reading; false with messages. An action becomes a part with KNI_VERB_CALL.
bool kni_call_read_action(
    kn_scenario *scenario, const kn_function_def *function, kni_node node, kni_part *part);
bool kni_call_read_expectation(
    kn_scenario *scenario, const kn_function_def *function, kni_node node, kni_part *part);
// Checks the calls of an expectation, once it is known what it is about.
bool kni_calls_check(kn_scenario *scenario, kni_node node, const kni_part *part);

kn_result kni_call_act(kn_scenario_run *run, const kni_part *part);
void kni_test_calls(const kni_look *at);
// "issue_order of soldier (order Move)"
void kni_call_print(
    const kn_scenario_run *run, const kni_part *part, const kni_call *call, kni_line *line);

#endif
