// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What can be done, and looked at, on which machine.

#include "scenario_on.h"

#include <stdio.h>
#include <string.h>

#define END KNI_KEYS_END
#define K(name) KNI_KEY_##name

static const char *machine_name(const kn_scenario *scenario, uint32_t machine)
{
    return machine > 0 ? scenario->machine_names[machine - 1] : "server";
}

// Actions that a client sends as commands, with the keys that such a command has.
static const struct {
    kni_verb verb;
    uint8_t keys[16];
} commands[] = {
    {KNI_VERB_ACTIVATE, {K(ENTITY), K(ABILITY), K(TAGS), K(EVENT), K(TIMES), END}},
    {KNI_VERB_CANCEL, {K(ENTITY), K(ABILITY), END}},
    {KNI_VERB_CANCEL_INPUT, {K(ENTITY), END}},
    {KNI_VERB_CONFIRM, {K(ENTITY), END}},
    {KNI_VERB_END, {K(ENTITY), K(ABILITY), END}},
    {KNI_VERB_ISSUE, {K(COMMAND), K(ENTITY), K(FIELDS), K(TARGETS), K(TARGET_DATA), K(PARTS), END}},
    {KNI_VERB_PRESS, {K(ENTITY), K(INPUT), K(EVENT), END}},
    {KNI_VERB_PROVIDE, {K(ENTITY), K(ABILITY), K(TARGETS), K(TARGET_DATA), END}},
    {KNI_VERB_RELEASE, {K(ENTITY), K(INPUT), END}},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

static bool keys_have(const uint8_t *keys, uint8_t key)
{
    while (*keys != END && *keys != key) {
        keys++;
    }
    return *keys != END;
}

static bool needs_client(uint32_t verb)
{
    return verb == KNI_VERB_FREEZE || verb == KNI_VERB_JOIN || verb == KNI_VERB_LEAVE ||
           verb == KNI_VERB_SIGHT;
}

// Names of what an action made stand for something in the server's world.
static bool check_names(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    uint32_t name = part->effect.name > 0    ? part->effect.name
                    : part->ability.name > 0 ? part->ability.name
                    : part->activation > 0   ? part->activation
                                             : part->timer;
    if (name > 0) {
        kni_scenario_error(scenario, node,
            "`%s` is a name of the server: on `%s` give the type and `entity`",
            scenario->names[name - 1].text, machine_name(scenario, part->machine));
    }
    return name == 0;
}

// What of a command is decided on its way, or known to the server only.
static bool check_command(
    kn_scenario *scenario, kni_node node, const kni_part *part, const uint8_t *keys)
{
    static const uint8_t always[] = {K(MACHINE), K(EXPECT), K(ANSWER), END};
    bool ok = check_names(scenario, node, part);
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint8_t key = kni_form_key(&kni_verbs[part->verb], kni_node_key(child));
        if (key != END && !keys_have(always, key) && !keys_have(keys, key)) {
            kni_scenario_key_error(scenario, child,
                "a client cannot say `%s` with `%s`; it is for the server", kni_node_key(child),
                kni_verb_name(part->verb));
            ok = false;
        }
    }
    if (ok && part->verb == KNI_VERB_ACTIVATE && kni_part_has(part, K(TAGS)) &&
        part->tags.count != 1) {
        kni_scenario_error(scenario, node, "a client activates by one tag");
        return false;
    }
    if (ok && part->verb == KNI_VERB_CANCEL && !kni_part_has(part, K(ABILITY))) {
        kni_scenario_error(scenario, node, "a client cancels an ability: name it");
        return false;
    }
    return ok;
}

static void refuse_action(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    char text[256] = "";
    kni_line line = {text, sizeof(text), 0};
    for (uint32_t i = 0; i < COMMAND_COUNT; i++) {
        kni_line_add(&line, "%s%s", i > 0 ? ", " : "", kni_verb_name(commands[i].verb));
    }
    kni_scenario_key_error(scenario, node,
        "`%s` cannot be done on `%s`: a client sends commands, which are %s",
        kni_verb_name(part->verb), machine_name(scenario, part->machine), text);
}

bool kni_on_check_action(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    if (part->machine == 0) {
        if (needs_client(part->verb)) {
            kni_scenario_error(scenario, node, "`%s` is for clients: the server is always there",
                kni_verb_name(part->verb));
            return false;
        }
        if (kni_part_has(part, K(ANSWER))) {
            kni_scenario_error(scenario, node, "only a client gets an answer: name it with `on`");
            return false;
        }
        if (part->verb == KNI_VERB_SYNC && scenario->machine_count == 0) {
            kni_scenario_error(scenario, node, "`sync` needs a section `machines`");
            return false;
        }
        return true;
    }
    if (needs_client(part->verb)) {
        return true;
    }
    for (uint32_t i = 0; i < COMMAND_COUNT; i++) {
        if ((uint32_t)commands[i].verb == part->verb) {
            return check_command(scenario, node, part, commands[i].keys);
        }
    }
    refuse_action(scenario, node, part);
    return false;
}

// The first of some keys that is given.
static uint8_t key_first(const kni_part *part, const uint8_t *keys)
{
    while (*keys != END && !kni_part_has(part, (kni_key)*keys)) {
        keys++;
    }
    return *keys;
}

bool kni_on_check_expectation(
    kn_scenario *scenario, kni_node node, const kni_part *part, bool is_lasting)
{
    static const uint8_t of_clients[] = {K(JOINED), K(CLOSED), K(COUNTS), K(AS_SERVER), END};
    static const uint8_t of_server[] = {K(MEASURE), K(HASH), END};
    uint8_t key = key_first(part, of_clients);
    if (part->machine == 0 && key != END) {
        kni_scenario_error(
            scenario, node, "`%s` is of a client: name it with `on`", kni_keys[key].name);
        return false;
    }
    if (part->machine == 0) {
        return true;
    }
    if (is_lasting && kni_part_has(part, K(AS_SERVER))) {
        kni_scenario_error(scenario, node,
            "`as_server` is for the timeline and for `expect`: it waits for the server");
        return false;
    }
    key = key_first(part, of_server);
    if (key != END) {
        kni_scenario_error(scenario, node, "`%s` is of the server, not of `%s`", kni_keys[key].name,
            machine_name(scenario, part->machine));
        return false;
    }
    return check_names(scenario, node, part);
}

bool kni_on_check_pattern(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    static const uint8_t lost[] = {
        K(INSTIGATOR), K(CAUSER), K(OBJECT), K(LOCATION), K(FIELDS), END};
    if (part->machine == 0 && kni_part_has(part, K(REVOKED))) {
        kni_scenario_error(scenario, node, "only a client takes something back: name it with `on`");
        return false;
    }
    if (part->machine == 0) {
        return true;
    }
    bool is_record =
        kni_part_has(part, K(EVENT_TYPE)) && (part->event_type == (uint32_t)KN_EVENT_RECORD ||
                                                 part->event_type == (uint32_t)KN_EVENT_RESTRICTED);
    uint8_t key = is_record ? END : key_first(part, lost);
    if (key != END) {
        kni_scenario_error(scenario, node,
            "`%s` is not known any more when a client reports an event", kni_keys[key].name);
        return false;
    }
    return check_names(scenario, node, part);
}

bool kni_on_check_time(kn_scenario *scenario, const kni_part *part, kn_time time)
{
    if (part->machine == 0 || kni_part_has(part, K(JOINED)) || part->verb == KNI_VERB_JOIN ||
        time >= scenario->machine_joins[part->machine - 1]) {
        return true;
    }
    char text[64] = "";
    kni_line line = {text, sizeof(text), 0};
    kni_line_time(&line, scenario->machine_joins[part->machine - 1]);
    kni_report_add(scenario->report, KNI_SEVERITY_ERROR, &part->place, "`%s` joins at %s",
        machine_name(scenario, part->machine), text);
    return false;
}
