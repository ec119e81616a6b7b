// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What expectations are tested with. Each test of a key holds where the key is not given.
#ifndef SCENARIO_EXPECT_H
#define SCENARIO_EXPECT_H

#include "scenario_run.h"
#include "scenario_tables.h"

// One expectation that is looked at.
typedef struct kni_look {
    const kn_scenario_run *run;
    const kni_part *part;
    kni_differences *out;
} kni_look;

bool kni_look_has(const kni_look *at, kni_key key);
// The name of the entity it is about.
const char *kni_look_entity(const kni_look *at);

// The next difference, to be filled.
kni_difference *kni_differ(const kni_look *at);
// The explanation of the first difference since `count`; NULL if none is reported.
kni_line *kni_why_since(const kni_look *at, uint32_t count);
// Adds the last event of one of these types; `about` is a tag, attribute or type, 0 for any. `why`
// may be NULL.
void kni_why_event(const kn_scenario_run *run, kni_line *why, kn_entity_id entity,
    kn_event_type first, kn_event_type last, uint32_t about);
void kni_found_float(kni_line *found, float value);
void kni_line_tolerance(kni_line *line, const kni_tolerance *tolerance);
// Numbers that differ in their last digits: says how to allow that.
void kni_propose_tolerance(kni_difference *difference, float value, float wanted);

// `what` of `whose` is `wanted`.
void kni_test_bounds(const kni_look *at, const kni_bounds *bounds, float value, const char *what);
void kni_test_whole(const kni_look *at, kni_key key, uint64_t wanted, uint64_t found,
    const char *what, const char *whose);
void kni_test_time(const kni_look *at, kni_key key, kn_time wanted, kn_time found, const char *what,
    const char *whose);
void kni_test_f32(const kni_look *at, kni_key key, float wanted, float found, const char *what,
    const char *whose);
bool kni_test_bool(const kni_look *at, kni_key key, bool wanted, bool found, const char *whose,
    const char *yes, const char *no);
void kni_test_name(const kni_look *at, kni_key key, uint32_t wanted, kn_entity_id found,
    const char *what, const char *whose);
void kni_test_vector(const kni_look *at, kni_key key, kn_vec3 wanted, bool exists, kn_vec3 found,
    const char *what, const char *whose);
void kni_test_explanation(const kni_look *at, const char *text, const char *what);
void kni_test_state(const kni_look *at, kni_fields_of of, const void *block, const char *whose);
void kni_test_targets(
    const kni_look *at, const kni_part *part, kn_target_view view, const char *whose);

// In scenario_expect_ability.c.
void kni_test_ability(const kni_look *at);
void kni_test_ability_tags(const kni_look *at);
void kni_test_activation(const kni_look *at);

#endif
