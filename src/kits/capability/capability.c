// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit as a whole: what a program registers.

#include "parts.h"

#include <stdlib.h>

static const char key; // only its address counts

capability_kit *knc_capability_kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const capability_kit *knc_capability_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_capability_kit_of(kn_world_library(world)) : NULL;
}

bool kn_capability_is_there(const kn_library *library)
{
    return library != NULL && knc_capability_kit_of(library) != NULL;
}

void knc_capability_report(
    kn_world *world, kn_entity_id entity, const kn_capability_problem *problem)
{
    (void)kn_world_publish(world, entity, knc_capability_kit_of_world(world)->problem, problem);
}

static kn_result events_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    const kn_field changed_fields[] = {
        KN_FIELD_TO(kn_capability_changed, capability, "capability"),
        KN_FIELD(kn_capability_changed, number, KN_FIELD_U32),
        KN_FIELD(kn_capability_changed, is_active, KN_FIELD_U32),
        KN_FIELD_WORDS(
            kn_capability_changed, reason, "setup condition request blocked disabled side removed"),
    };
    kn_field kind =
        KN_FIELD_WORDS(kn_capability_blocked, source.kind, "key entity member set effect");
    kind.name = "kind";
    const kn_field blocked_fields[] = {
        KN_FIELD(kn_capability_blocked, tag, KN_FIELD_TAG),
        KN_FIELD(kn_capability_blocked, is_blocked, KN_FIELD_U32),
        kind,
        KN_FIELD_INIT("number", KN_FIELD_U32, offsetof(kn_capability_blocked, source.number), 1),
        KN_FIELD_INIT("source", KN_FIELD_ENTITY, offsetof(kn_capability_blocked, source.entity), 1),
        KN_FIELD_INIT("effect", KN_FIELD_EFFECT, offsetof(kn_capability_blocked, source.effect), 1),
        KN_FIELD_INIT("key", KN_FIELD_U64, offsetof(kn_capability_blocked, source.key), 1),
    };
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.CapabilityChanged";
    def.size = sizeof(kn_capability_changed);
    def.fields = changed_fields;
    def.field_count = sizeof(changed_fields) / sizeof(*changed_fields);
    def.text = "capability {capability}: active {is_active} ({reason})";
    kn_result result = kn_custom_event_register(library, &def, &kit->changed, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.CapabilityBlocked";
    def.size = sizeof(kn_capability_blocked);
    def.fields = blocked_fields;
    def.field_count = sizeof(blocked_fields) / sizeof(*blocked_fields);
    def.text = "capabilities with {tag}: blocked {is_blocked}";
    result = kn_custom_event_register(library, &def, &kit->blocked, error);
    if (result != KN_OK) {
        return result;
    }
    const kn_field problem_fields[] = {
        KN_FIELD_WORDS(kn_capability_problem, fault, "flips answers waits loop binding"),
        KN_FIELD_TO(kn_capability_problem, capability, "capability"),
        KN_FIELD_TO(kn_capability_problem, set, "capability set"),
        KN_FIELD_TO(kn_capability_problem, component, "component"),
    };
    def.name = "Knack.CapabilityProblem";
    def.size = sizeof(kn_capability_problem);
    def.fields = problem_fields;
    def.field_count = sizeof(problem_fields) / sizeof(*problem_fields);
    def.text = "capability {capability}, set {set}, component {component}: {fault}";
    return kn_custom_event_register(library, &def, &kit->problem, error);
}

static void gaps_release(gap *first)
{
    while (first != NULL) {
        gap *next = first->next;
        free(first);
        first = next;
    }
}

static void kit_release(void *user)
{
    capability_kit *kit = user;
    knc_capability_plans_release(kit);
    knc_capability_hearings_release(kit);
    gaps_release(kit->gaps);
    gaps_release(kit->context_gaps);
    free(kit);
}

kn_result kn_capability_register(kn_library *library, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, capability_kit *, kn_error *) = {
        knc_capability_input_kinds_register,
        knc_capability_kind_register,
        knc_capability_sets_register,
        knc_capability_components_register,
        knc_capability_input_register,
        knc_capability_input_functions_register,
        events_register,
        knc_capability_calls_register,
        knc_capability_messages_register,
        knc_capability_rules_of_life_register,
    };
    kn_error ignored;
    if (library == NULL || kn_capability_is_there(library)) {
        return library == NULL ? KN_ERROR_INVALID_ARGUMENT : KN_REFUSED_DUPLICATE;
    }
    capability_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->default_rules = kn_capability_rules_def_default();
    kit->rules = &kit->default_rules;
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < sizeof(parts) / sizeof(*parts); i++) {
        result = parts[i](library, kit, error != NULL ? error : &ignored);
    }
    return result;
}
