// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damaged scenarios. The first byte says whether the rest is a text as it is, or edits of a good
// scenario, of one world or with machines: words exchanged, put in and taken out. Whatever comes of
// it is refused with messages, or is a scenario that runs, rolled back and saved at every step, and
// stays the same.

#include "fuzz_input.h"

#include "knack/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 8192
#define EDITS_MAX 12
#define STEPS_MAX 150

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_scenario: %s\n", what);
        abort();
    }
}

static const char good[] =
    "scenario: everything\n"
    "library:\n"
    "  tags: [State.Stunned, Data.Damage, Event.Hit, Cool.A, GameplayCue.Hit]\n"
    "  attribute_sets: {V: {attributes: {Health: {default_value: 100, min: 0}, Mana: 50}}}\n"
    "  effects:\n"
    "    Hit: {modifiers: {V.Health: {magnitude: {caller_tag: Data.Damage, default_value: -5}}},"
    " cue_tags: [GameplayCue.Hit]}\n"
    "    Burn: {duration: 2, period: 0.5, modifiers: {V.Health: -3},"
    " stacking: {kind: by_target, limit: 3}}\n"
    "    Stun: {duration: 1, granted_tags: [State.Stunned]}\n"
    "    Weak: {duration: infinite, parameters: {By: 2}, modifiers: {V.Mana: $By}}\n"
    "  abilities:\n"
    "    Bolt: {costs: {V.Mana: 5}, cooldowns: [{duration: 1, charges: 2}], commit: at_use,"
    " tags: [Event.Hit], input: 1}\n"
    "  archetypes: {Hero: {sets: [V], abilities: [Bolt]}}\n"
    "world: {seed: 3, step: 1/20 s, grid: true}\n"
    "check: [sync, heavy]\n"
    "entities:\n"
    "  hero: {archetype: Hero, level: 2, position: [1, 2, 3]}\n"
    "  foe: {sets: [V], tags: {Event.Hit: 2}, attributes: {V.Health: 50}, owner: hero}\n"
    "timeline:\n"
    "  - at: 0.1 s\n"
    "    do:\n"
    "      - apply: {effect: Burn, from: hero, to: foe, as: burn, times: 2, level: 2}\n"
    "      - activate: {entity: hero, ability: Bolt, as: bolt}\n"
    "      - end: {activation: bolt}\n"
    "      - expect: {effect: burn, stacks: 2}\n"
    "  - after: 0.2 s\n"
    "    do:\n"
    "      - spec: {effect: Hit, from: hero, as: spec, caller_values: {Data.Damage: -7}}\n"
    "      - apply: {spec: spec, to: foe}\n"
    "      - change: {effect: burn, add: 1 s, stacks: 3}\n"
    "      - press: {entity: hero, input: 1}\n"
    "      - cancel: {entity: hero, tags: [Event.Hit]}\n"
    "      - grant: {entity: foe, ability: Bolt, as: second}\n"
    "      - set_level: {ability: second, level: 3}\n"
    "      - charges: {ability: second, charges: -1}\n"
    "      - send: {to: foe, tag: Event.Hit, magnitude: 3, targets: [hero, foe]}\n"
    "      - cue: {entity: foe, cue: GameplayCue.Hit, action: added}\n"
    "      - set: {entity: hero, attributes: {V.Mana: 33}}\n"
    "      - add_tags: {entity: foe, tags: [State.Stunned]}\n"
    "      - spawn: {as: third, archetype: Hero}\n"
    "      - move: {entity: third, position: [4, 5, 6]}\n"
    "      - advance: 0.3 s\n"
    "      - destroy: third\n"
    "      - remove: {effect: burn}\n"
    "  - every: 0.25 s\n"
    "    until: 1 s\n"
    "    expect: {entity: hero, alive: true}\n"
    "end: 1.5 s\n"
    "always: [{entity: foe, attribute: V.Health, at_least: 0}]\n"
    "never: [{event: error}, {entity: foe, query: 'all_tags(Cool.A)'}]\n"
    "events: [{event: effect applied, effect: Burn, at: 0.1 s}, {event: effect removed}]\n"
    "cues: [{cue: GameplayCue.Hit, entity: foe}]\n"
    "measure: {dps: {entity: foe, attribute: V.Health, take: lost, per_second: true}}\n"
    "variants: {tough: {entities: {foe: {attributes: {V.Health: 500}}}}}\n";

static const char good_machines[] =
    "library:\n"
    "  tags: [State.Stunned, Cool.A, Event.Hit, GameplayCue.Hit]\n"
    "  attribute_sets: {V: {attributes: {Health: 100, Mana: {default_value: 50, sync: owner}}}}\n"
    "  effects:\n"
    "    Hit: {modifiers: {V.Health: -5}, cue_tags: [GameplayCue.Hit]}\n"
    "    Burn: {duration: 2, period: 0.1, granted_tags: [State.Stunned], modifiers: {V.Health: "
    "-3}}\n"
    "  abilities:\n"
    "    Bolt: {body: use, costs: {V.Mana: 5}, cooldowns: {Cool.A: 0.2}, input: 1,"
    " applies: [{effect: Hit, to: target}]}\n"
    "    Stay: {body: stay, respects_remote_cancel: true}\n"
    "  archetypes: {Hero: {sets: [V], abilities: [Bolt, Stay]}}\n"
    "world: {seed: 3, step: 1/20 s, grid: true}\n"
    "machines:\n"
    "  server: {rate: 20, send_every: 1, mode: full, relevance_every: 2, timeout: 1 s}\n"
    "  a: {latency: 20 ms, jitter: 5 ms, loss: 5 %, duplicate: 10 %, up: {loss: 0.02}}\n"
    "  b: {preset: awful, join: 0.2 s, leave: 0.8 s, hide: [foe], margin: 1 ms}\n"
    "entities:\n"
    "  hero: {archetype: Hero, connection: a, position: [1, 2, 3]}\n"
    "  foe: {sets: [V], connection: b, sync: mixed, effects: [Burn]}\n"
    "timeline:\n"
    "  - at: 0.6 s\n"
    "    do:\n"
    "      - activate: {on: a, entity: hero, ability: Bolt, event: {target: foe}, answer: ok}\n"
    "      - press: {on: a, entity: hero, input: 1, answer: cooldown}\n"
    "      - expect: {on: a, entity: foe, attribute: V.Health, as_server: true}\n"
    "      - activate: {on: a, entity: hero, ability: Stay}\n"
    "      - end: {on: a, entity: hero, ability: Stay}\n"
    "      - issue: {on: a, command: release, entity: hero, fields: {input: 1}}\n"
    "      - network: {a: {loss: 100 %}, b: {preset: lan, down: {latency: 1 ms}}}\n"
    "      - sight: {on: b, show: [foe], hide: [hero]}\n"
    "      - sync: {entity: foe, mode: minimal}\n"
    "      - relate: {entity: foe, connection: a}\n"
    "      - freeze: {on: a, duration: 0.1 s}\n"
    "      - spawn: {as: third, archetype: Hero, connection: b}\n"
    "      - destroy: third\n"
    "  - every: 0.1 s\n"
    "    until: 0.8 s\n"
    "    expect: {on: a, joined: true, closed: none, counts: {corrections: {at_most: 9}}}\n"
    "  - at: 0.95 s\n"
    "    do: [{join: b}, {leave: a}]\n"
    "end: 1.1 s\n"
    "always: [{on: a, entity: hero, alive: true}]\n"
    "never: [{on: b, event: error}, {on: a, event: effect applied, revoked: true}]\n"
    "events: [{on: a, event: entity created, entity: hero}, {event: effect executed}]\n"
    "cues: [{on: a, cue: GameplayCue.Hit, entity: foe}]\n"
    "expect: [{on: b, entity: hero, as_server: [attributes, tags]}]\n";

static const char *const words[] = {"hero", "foe", "burn", "bolt", "Burn", "Hit", "Bolt", "V.Mana",
    "V.Health", "State.Stunned", "Event.Hit", "GameplayCue.Hit", "apply", "remove", "activate",
    "commit", "refund", "revoke", "grant_once", "relate", "init", "set", "set_tags", "remove_sets",
    "overlap", "movement", "bind", "confirm", "suppress_cues", "container", "run", "entity",
    "effect", "ability", "to", "from", "as", "level", "stacks", "count", "times", "duration",
    "remaining", "tags", "expect", "refused", "cooldown", "[", "]", "{", "}", ": ", ", ", "\n",
    "\n    ", "- ", "0", "-1", "1e30", "65536", "4294967295", "forever", "infinite", "null", "true",
    "\"", "'", "&a ", "*a", "<<: ", "every", "at", "do", "timeline", "0.001 s", "1 us", "library",
    "world", "owner", "parent", "avatar", "Stun", "Weak", "By", "#", "on", "a", "b", "server",
    "machines", "join", "leave", "freeze", "network", "sight", "sync", "as_server", "answer",
    "revoked", "joined", "counts", "lead", "latency", "loss", "5 %", "preset", "wifi", "mode",
    "mixed", "minimal", "connection", "hide", "show"};

typedef struct text {
    char data[TEXT_MAX];
    size_t size;
} text;

// Puts `word` in place of `length` bytes at `at`.
static void splice(text *to, size_t at, size_t length, const char *word)
{
    size_t added = strlen(word);
    length = length > to->size - at ? to->size - at : length;
    if (to->size - length + added > TEXT_MAX) {
        return;
    }
    memmove(to->data + at + added, to->data + at + length, to->size - at - length);
    memcpy(to->data + at, word, added);
    to->size = to->size - length + added;
}

static size_t word_length(const text *from, size_t at)
{
    size_t end = at;
    while (end < from->size && strchr(" ,:{}[]\n", from->data[end]) == NULL) {
        end++;
    }
    return end - at;
}

static void edit(text *to, fuzz_input *input)
{
    size_t at = (take_u8(input) | take_u8(input) << 8) % (to->size > 0 ? to->size : 1);
    const char *word = words[take_below(input, sizeof(words) / sizeof(*words))];
    while (at > 0 && strchr(" ,:{}[]\n", to->data[at - 1]) == NULL) {
        at--;
    }
    switch (take_below(input, 4)) {
    case 0:
        splice(to, at, 0, word);
        break;
    case 1:
        splice(to, at, take_below(input, 40), "");
        break;
    case 2:
        to->size = take_rarely(input, 8) ? at : to->size;
        break;
    default:
        splice(to, at, word_length(to, at), word);
        break;
    }
}

static void quiet_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static void run_scenario(const kn_scenario *scenario, uint32_t variant)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.hooks.log_fn = quiet_log;
    def.variant = variant;
    def.checks = (uint32_t)KN_SCENARIO_CHECK_SYNC | (uint32_t)KN_SCENARIO_CHECK_HEAVY;
    kn_scenario_run *run;
    must(kn_scenario_run_create(scenario, &def, &run) == KN_OK, "a good scenario has no run");
    must(kn_scenario_run_finish(run) == KN_OK, "a run broke");
    must(kn_world_validate(kn_scenario_run_world(run)), "the world is not valid");
    for (uint32_t i = 0; i < kn_scenario_failure_count(run); i++) {
        kn_scenario_failure failure = kn_scenario_failure_at(run, i);
        char line[512];
        must(kn_scenario_failure_print(run, i, line, sizeof(line)) > 0, "no text");
        if (strstr(failure.expected, "rolled back") != NULL ||
            strstr(failure.expected, "saved and loaded") != NULL) {
            must(false, line);
        }
    }
    for (uint32_t i = 0; i < kn_scenario_measure_count(scenario); i++) {
        (void)kn_scenario_run_measure(run, i);
    }
    kn_scenario_run_destroy(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static text source;
    uint32_t way = take_u8(&input) % 8;
    if (way == 7) {
        source.size = input.size < TEXT_MAX ? input.size : TEXT_MAX;
        memcpy(source.data, input.data, source.size);
    } else {
        source.size = way == 6 ? sizeof(good_machines) - 1 : sizeof(good) - 1;
        memcpy(source.data, way == 6 ? good_machines : good, source.size);
        for (uint32_t i = 0; i < EDITS_MAX && input.size > 0; i++) {
            edit(&source, &input);
        }
    }
    // A block of its own size, so that reading behind the end is noticed.
    char *exact = malloc(source.size > 0 ? source.size : 1);
    must(exact != NULL, "no memory");
    memcpy(exact, source.data, source.size);
    kn_scenario_def def = kn_scenario_def_default();
    def.step_limit = STEPS_MAX;
    def.hooks.log_fn = quiet_log;
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_text(&def, "f.yaml", exact, source.size, &scenario);
    must(scenario != NULL, "neither a scenario nor messages");
    if (result == KN_OK) {
        run_scenario(scenario, KN_SCENARIO_BASE);
        for (uint32_t i = 0; i < kn_scenario_variant_count(scenario) && i < 2; i++) {
            run_scenario(scenario, i);
        }
    } else {
        must(kn_scenario_message_count(scenario) > 0, "refused without a word");
    }
    kn_scenario_destroy(scenario);
    free(exact);
    return 0;
}
