// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Parts from nodes, by the tables of forms: which keys they have, and which they need.

#include "scenario_call.h"
#include "scenario_on.h"
#include "scenario_run.h"
#include "scenario_tables.h"

#include <stdio.h>
#include <string.h>

// Forms ---------------------------------------------------------------------

kni_name_kind kni_action_names(const char *verb)
{
    uint32_t found = kni_verb_find(verb);
    return found < KNI_VERB_COUNT ? kni_verbs[found].names : KNI_NAME_KIND_COUNT;
}

static void form_unknown(kn_scenario *scenario, const kni_form_info *form, kni_node node)
{
    const char *words[sizeof(form->keys) + KNI_FUNCTION_WORDS_MAX];
    uint32_t count = 0;
    if (form == &kni_forms[KNI_FORM_EXPECTATION] &&
        kni_function_find(scenario->library, kni_node_key(node), true) != NULL) {
        kni_scenario_key_error(scenario, node,
            "`%s` changes the world: it is an action, and cannot be expected", kni_node_key(node));
        return;
    }
    while (form->keys[count] != KNI_KEYS_END) {
        words[count] = kni_keys[form->keys[count]].name;
        count++;
    }
    if (form == &kni_forms[KNI_FORM_EXPECTATION]) {
        kni_function_words(scenario->library, false, words, &count, sizeof(words) / sizeof(*words));
    }
    if (form == &kni_forms[KNI_FORM_EXPECTATION] &&
        kni_function_may_be(scenario, kni_node_key(node), words, count)) {
        return;
    }
    char what[64];
    (void)snprintf(what, sizeof(what), "key of `%s` called", form->name);
    kni_place place = kni_node_key_place(node);
    if (form->keys[0] == KNI_KEY_EVENT_TYPE) {
        kni_scenario_unknown_of(scenario, &place, what, kni_node_key(node), words, count);
    } else {
        kni_scenario_unknown(scenario, &place, what, kni_node_key(node), words, count);
    }
}

// Whether the keys are there that are needed.
static bool form_is_whole(
    kn_scenario *scenario, const kni_form_info *form, kni_node node, const kni_part *part)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (form->required[i] != KNI_KEYS_END && !kni_part_has(part, (kni_key)form->required[i])) {
            kni_scenario_error(
                scenario, node, "`%s` needs `%s`", form->name, kni_keys[form->required[i]].name);
            return false;
        }
    }
    char text[192] = "";
    size_t length = 0;
    if (part->calls.count > 0) {
        return true;
    }
    for (uint32_t i = 0; form->any[i] != KNI_KEYS_END && length < sizeof(text); i++) {
        if (kni_part_has(part, (kni_key)form->any[i])) {
            return true;
        }
        const char *before = i == 0 ? "" : form->any[i + 1] == KNI_KEYS_END ? " or " : ", ";
        int added = snprintf(
            text + length, sizeof(text) - length, "%s`%s`", before, kni_keys[form->any[i]].name);
        length += added > 0 ? (size_t)added : 0;
    }
    if (length > 0) {
        kni_scenario_error(scenario, node, "`%s` needs %s", form->name, text);
    }
    return length == 0;
}

// Plain data, now that it is known what it is of. States of things that only have a name are looked
// at when they are there.
static bool data_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool ok = true;
    const kn_library *library = scenario->library;
    bool is_batch = part->verb == KNI_VERB_ISSUE && kni_part_has(part, KNI_KEY_COMMAND) &&
                    part->command == kn_command_type_batch().index1;
    if (library == NULL) { // then nothing is known of kinds
        return true;
    }
    if (kni_part_has(part, KNI_KEY_PARTS) != is_batch) {
        kni_scenario_error(
            scenario, node, is_batch ? "a `batch` needs `parts`" : "only a `batch` has `parts`");
        return false;
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && part->component > 0) {
        kn_component_type_id type = {part->component};
        const kn_component_def *def = kn_component_get_def(library, type);
        kni_fields_of of = {.name = def->name, .fields = def->fields, .count = def->field_count};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && part->command > 0) {
        const kn_command_def *def = kn_def_get(library, KN_DEF_COMMAND, part->command);
        kni_fields_of of = {.name = def->name,
            .fields = def->fields,
            .count = def->field_count,
            .has_owner = kni_part_has(part, KNI_KEY_ENTITY)};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && kni_part_has(part, KNI_KEY_EVENT_TYPE)) {
        const kn_custom_event_def *def = kn_def_get(library, KN_DEF_CUSTOM_EVENT, part->custom);
        if (def == NULL) {
            kni_scenario_error(scenario, part->fields, "`fields` of an event need `custom`");
            return false;
        }
        kni_fields_of of = {.name = def->name, .fields = def->fields, .count = def->field_count};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_STATE) && part->effect.name + part->ability.name == 0) {
        const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, part->effect.type);
        const kn_ability_def *ability = kn_def_get(library, KN_DEF_ABILITY, part->ability.type);
        const kn_effect_logic_def *logic =
            effect != NULL ? kn_def_get(library, KN_DEF_EFFECT_LOGIC, effect->logic.index1) : NULL;
        kni_fields_of of = {0};
        if (effect != NULL) {
            of.name = effect->name;
            of.fields = logic != NULL ? logic->state_fields : NULL;
            of.count = logic != NULL ? logic->state_field_count : 0;
        } else if (ability != NULL) {
            of = (kni_fields_of){.name = ability->name,
                .fields = ability->state_fields,
                .count = ability->state_field_count};
        }
        ok &= of.name == NULL || kni_fields_check(scenario, &of, part->state);
    }
    if (kni_part_has(part, KNI_KEY_TARGET_DATA)) {
        ok &= kni_records_check(scenario, part->target_data);
    }
    if (kni_part_has(part, KNI_KEY_CONTEXT) != kni_part_has(part, KNI_KEY_PAYLOAD)) {
        kni_scenario_error(scenario, node, "`context` and `payload` need each other");
        return false;
    }
    if (kni_part_has(part, KNI_KEY_PAYLOAD)) {
        kni_node wrong;
        kn_error error = {0};
        kn_result result =
            kni_payload_read(scenario, NULL, part->context, part->payload, NULL, &wrong, &error);
        if (result != KN_OK) {
            kni_scenario_error(scenario, wrong, "%s", error.message);
            ok = false;
        }
    }
    return ok;
}

static bool form_read(
    kn_scenario *scenario, const kni_form_info *form, kni_node node, kni_part *part)
{
    bool ok = true;
    part->bounds.tolerance = scenario->tolerance;
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && form->scalar != KNI_KEYS_END) {
        return kni_key_read(scenario, form->scalar, node, part);
    }
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint8_t key = kni_form_key(form, kni_node_key(child));
        const kn_function_def *function =
            key == KNI_KEYS_END && form == &kni_forms[KNI_FORM_EXPECTATION]
                ? kni_function_find(scenario->library, kni_node_key(child), false)
                : NULL;
        if (function != NULL) {
            ok &= kni_call_read_expectation(scenario, function, child, part);
        } else if (key == KNI_KEYS_END) {
            form_unknown(scenario, form, child);
            ok = false;
        } else {
            ok &= kni_key_read(scenario, key, child, part);
        }
    }
    return ok && form_is_whole(scenario, form, node, part) && data_check(scenario, node, part) &&
           kni_calls_check(scenario, node, part);
}

bool kni_part_read(kn_scenario *scenario, kni_form form, kni_node node, kni_part *part)
{
    part->place = kni_node_place(node);
    return form_read(scenario, &kni_forms[form], node, part);
}

// The type of an event decides what else can be asked of it: a key that can never match is a
// mistake, above all where the event must not happen.
bool kni_pattern_read(kn_scenario *scenario, kni_pattern_use use, kni_node node, kni_part *part)
{
    part->place = kni_node_place(node);
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    kni_node event = kni_node_get(node, kni_keys[KNI_KEY_EVENT_TYPE].name);
    if (!kni_node_exists(event)) {
        kni_scenario_error(scenario, node, "`event` needs `event`");
        return false;
    }
    uint32_t type;
    if (!kni_word_read(scenario, KNI_WORDS_EVENT_TYPE, event, &type)) {
        return false;
    }
    kni_form_info form = kni_event_form(kni_event_row_of(type), use);
    form.name = kn_event_type_name((kn_event_type)type);
    return form_read(scenario, &form, node, part);
}

// A type needs somebody who has it, which a table of keys cannot say.
static bool action_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    if (part->verb == KNI_VERB_APPLY && part->spec > 0) {
        // What a spec was made with, it has.
        const uint8_t spec[] = {
            KNI_KEY_SPEC, KNI_KEY_TO, KNI_KEY_TIMES, KNI_KEY_AS, KNI_KEY_EXPECT, KNI_KEY_WHY};
        kni_children children = kni_node_children(node);
        for (kni_node child; kni_children_next(&children, &child);) {
            bool found = false;
            for (uint32_t i = 0; i < sizeof(spec); i++) {
                found |= strcmp(kni_keys[spec[i]].name, kni_node_key(child)) == 0;
            }
            if (!found) {
                kni_scenario_key_error(scenario, child,
                    "a spec already has `%s`; use `change_spec` to change it", kni_node_key(child));
                return false;
            }
        }
    }
    bool has_remaining = kni_part_has(part, KNI_KEY_REMAINING);
    if (part->verb == KNI_VERB_RESCHEDULE && has_remaining == kni_part_has(part, KNI_KEY_ADD)) {
        kni_scenario_error(scenario, node, "`reschedule` needs either `remaining` or `add`");
        return false;
    }
    bool is_named = part->effect.name > 0 || part->ability.name > 0 || part->activation > 0;
    bool may_lack = part->verb == KNI_VERB_START_TIMER || part->verb == KNI_VERB_GRANT;
    bool needs_entity =
        kni_form_key(&kni_verbs[part->verb], "entity") != KNI_KEYS_END && !is_named && !may_lack;
    if (needs_entity && !kni_part_has(part, KNI_KEY_ENTITY)) {
        kni_scenario_error(scenario, node, "`%s` needs `entity`", kni_verb_name(part->verb));
        return false;
    }
    return true;
}

// An effect that says what it takes takes nothing else.
static bool parameters_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    const kn_effect_def *def = scenario->library != NULL && part->effect.type > 0
                                   ? kn_def_get(scenario->library, KN_DEF_EFFECT, part->effect.type)
                                   : NULL;
    const char *words[64];
    uint32_t count = 0;
    for (uint32_t i = 0; def != NULL && i < def->parameter_count && i < 64; i++) {
        words[count++] = kn_name_text(scenario->library, def->parameters[i].name);
    }
    bool ok = true;
    kni_children children = kni_node_children(kni_node_get(node, "parameters"));
    for (kni_node child; count > 0 && kni_children_next(&children, &child);) {
        bool is_known = false;
        for (uint32_t i = 0; i < count; i++) {
            is_known |= strcmp(words[i], kni_node_key(child)) == 0;
        }
        if (!is_known) {
            char what[KN_TAG_NAME_MAX + 32];
            kni_place place = kni_node_key_place(child);
            (void)snprintf(what, sizeof(what), "parameter of `%s` called", def->name);
            kni_scenario_unknown(scenario, &place, what, kni_node_key(child), words, count);
            ok = false;
        }
    }
    return ok;
}

bool kni_action_read(kn_scenario *scenario, uint32_t verb, kni_node node, kni_part *part)
{
    *part = (kni_part){.place = kni_node_key_place(node), .verb = verb};
    if (verb == KNI_VERB_NETWORK) {
        return kni_links_read(scenario, node, part);
    }
    return form_read(scenario, &kni_verbs[verb], node, part) &&
           action_check(scenario, node, part) && parameters_check(scenario, node, part);
}
