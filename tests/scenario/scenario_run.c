// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Running scenarios: exact times, names, failures with their reasons, checks, recordings.

#include "scenario_fixture.h"

static void a_failure_says_what_was_expected_and_what_was_there_and_why(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "timeline:\n"
        "  - at: 0.5 s\n"
        "    do: [{apply: {effect: Hit, from: hero, to: foe}}]\n"
        "  - at: 1 s\n"
        "    expect:\n"
        "      - {entity: foe, attribute: Vitals.Health, value: 58, tolerance: 0.5}\n"
        "      - {entity: foe, attribute: Vitals.Health, base: 100}\n",
        "18:9: at 1 s: expected: Vitals.Health of foe is 58 (give or take 0.5), but it is 90\n"
        "    Vitals.Health 90 (base 90)\n"
        "      base  90\n"
        "    last: 0.500 s  foe  Vitals.Health 100 -> 90  (Hit applied)\n"
        "      because: Hit applied by hero on foe <- host\n"
        "19:9: at 1 s: expected: the base of Vitals.Health of foe is 100, but it is 90\n"
        "    Vitals.Health 90 (base 90)\n"
        "      base  90\n"
        "    last: 0.500 s  foe  Vitals.Health 100 -> 90  (Hit applied)\n"
        "      because: Hit applied by hero on foe <- host\n");
}

static void every_kind_of_expectation_can_fail(void **state)
{
    (void)state;
    static const struct {
        const char *expectation;
        const char *failure;
    } cases[] = {
        {"{entity: foe, attribute: Vitals.Health, above: 100}",
            "Vitals.Health of foe is above 100, but it is 97"},
        {"{entity: foe, attribute: Vitals.Health, below: 97}",
            "Vitals.Health of foe is below 97, but it is 97"},
        {"{entity: foe, attribute: Vitals.Health, above: 97}",
            "Vitals.Health of foe is above 97, but it is 97"},
        {"{entity: foe, attribute: Vitals.Health, at_least: 98}",
            "Vitals.Health of foe is at least 98, but it is 97"},
        {"{entity: foe, attribute: Vitals.Health, at_most: 96}",
            "Vitals.Health of foe is at most 96, but it is 97"},
        {"{entity: foe, attributes: {Vitals.Mana: 50, Vitals.Health: 1}}",
            "Vitals.Health of foe is 1, but it is 97"},
        {"{entity: foe, tags: [State.Stunned, Data.Damage]}",
            "foe has Data.Damage, but it does not"},
        {"{entity: foe, tags: {State: 2}}", "foe has State 2 times, but it has it 1 times"},
        {"{entity: foe, exact_tags: {State: 1}}", "foe has State 1 times, but it has it 0 times"},
        {"{entity: foe, no_tags: [State]}", "foe has no State, but it has it 1 times"},
        {"{entity: foe, query: 'all_tags(Data.Damage)'}",
            "foe matches all_tags(Data.Damage), but it has State.Stunned"},
        {"{entity: hero, query: 'all_tags(Data.Damage)'}",
            "hero matches all_tags(Data.Damage), but it has no tags"},
        {"{entity: foe, exact_tags: [State]}", "foe has State, but it does not"},
        {"{entity: foe, effect: Burn, exists: false}", "Burn on foe is not active, but it is"},
        {"{entity: foe, effect: Burn, count: 0}", "Burn on foe is not active, but it is"},
        {"{entity: hero, effect: Burn, count: 1}", "Burn on hero is active, but it is not"},
        {"{entity: hero, effect: Burn}", "Burn on hero is active, but it is not"},
        {"{entity: foe, effect: Burn, stacks: 3}", "stacks of Burn on foe is 3, but it is 1"},
        {"{entity: foe, effect: Burn, remaining: 1 s}",
            "the time left of Burn on foe is 1 s, but it is 5 s"},
        {"{entity: foe, effect: Burn, duration: 1 s}",
            "the duration of Burn on foe is 1 s, but it is 5 s"},
        {"{entity: foe, effect: Burn, period: 2 s}",
            "the period of Burn on foe is 2 s, but it is 1 s"},
        {"{entity: foe, effect: Burn, executions: 9}",
            "executions of Burn on foe is 9, but it is 1"},
        {"{entity: foe, effect: Burn, level: 2}", "the level of Burn on foe is 2, but it is 1"},
        {"{entity: foe, effect: Burn, inhibited: true}",
            "Burn on foe is inhibited, but it is not inhibited"},
        {"{entity: foe, effect: Burn, count: 2}",
            "the number of effects of Burn on foe is 2, but it is 1"},
        {"{entity: foe, effect: Burn, magnitude: 2}",
            "the magnitude of Burn on foe is 2, but it is -3"},
        {"{effect: burn, stacks: 2}", "stacks of burn is 2, but it is 1"},
        {"{entity: foe, effects: 7}", "the number of effects of foe is 7, but it is 2"},
        {"{entity: foe, alive: false}", "foe is not alive, but it is alive"},
        {"{entity: foe, user: 3}", "user of foe is 3, but it is 0"},
        {"{entity: hero, ability: Bolt, granted: false}", "Bolt of hero is not granted, but it is"},
        {"{entity: foe, ability: Bolt}", "Bolt of foe is granted, but it is not"},
        {"{entity: hero, ability: Bolt, active: true}",
            "Bolt of hero is active, but it is not active"},
        {"{entity: hero, ability: Bolt, ready: true}",
            "Bolt of hero is ready, but it is not ready"},
        {"{entity: hero, ability: Bolt, refused: [cost]}",
            "Bolt of hero is refused: cost, but the reasons are: cooldown"},
        {"{entity: hero, ability: Bolt, charges: 1}", "charges of Bolt of hero is 1, but it is 0"},
        {"{entity: hero, ability: Bolt, cooldown: 3 s}",
            "the cooldown of Bolt of hero is 3 s, but it is 4 s"},
        {"{entity: hero, ability: Bolt, total: 3 s}",
            "the whole cooldown of Bolt of hero is 3 s, but it is 4 s"},
        {"{entity: hero, ability: Bolt, level: 3}", "the level of Bolt of hero is 3, but it is 1"},
        {"{activation: bolt, active: true}", "bolt is active, but it is over"},
        {"{entity: foe, cue: GameplayCue.Hit}",
            "the count of cue GameplayCue.Hit is not 0 for foe, but it is 0"},
        {"{entity: foe, cooldown_tags: [Cooldown.Bolt], exists: true}",
            "foe has such a cooldown, but it has no such cooldown"},
        {"{entity: foe, ability_tags: [State], count: 1}",
            "the number of such abilities of foe is 1, but it is 0"},
        {"{event: effect applied, effect: Burn, happened: 2}",
            "`effect applied`, Burn happened 2 times, but it happened 1 times"},
        {"{event: ability failed}", "`ability failed` happened, but it did not"},
        {"{event: reticle, entity: hero, target: foe}",
            "`reticle` of hero, on foe happened, but it did not"},
        {"{event: reticle, valid: false}", "`reticle`, not valid happened, but it did not"},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[4096];
        (void)snprintf(text, sizeof(text),
            KIT "timeline:\n"
                "  - do:\n"
                "    - apply: {effect: Burn, to: foe, as: burn}\n"
                "    - apply: {effect: Stun, to: foe}\n"
                "    - activate: {entity: hero, ability: Bolt, as: bolt}\n"
                "    expect: %s\n",
            cases[i].expectation);
        kn_scenario *scenario = scenario_of(text);
        kn_scenario_run_def def = kn_scenario_run_def_default();
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_int_equal(kn_scenario_failure_count(run), 1);
        kn_scenario_failure failure = kn_scenario_failure_at(run, 0);
        char told[1024];
        (void)snprintf(told, sizeof(told), "%s, but %s", failure.expected, failure.found);
        assert_string_equal(told, cases[i].failure);
        assert_int_equal(failure.line, 18);
        assert_int_equal(failure.column, 13);
        kn_scenario_run_destroy(run);
        kn_scenario_destroy(scenario);
    }
}

// Every difference is reported, not just the first, each with its own explanation.
static void all_that_differs_is_told(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "expect:\n"
        "  - {entity: foe, attributes: {Vitals.Health: 1, Vitals.Mana: 2}, tags: [State],\n"
        "     user: 4, connection: 5}\n",
        "14:5: at 0 s: expected: user of foe is 4, but it is 0\n"
        "14:5: at 0 s: expected: the connection of foe is 5, but it is 0\n"
        "14:5: at 0 s: expected: Vitals.Health of foe is 1, but it is 100\n"
        "    Vitals.Health 100 (base 100)\n"
        "      base  100\n"
        "14:5: at 0 s: expected: Vitals.Mana of foe is 2, but it is 50\n"
        "    Vitals.Mana 50 (base 50)\n"
        "      base  50\n"
        "14:5: at 0 s: expected: foe has State, but it does not\n");
    EXPECT_FAILURES(KIT
        "timeline:\n"
        "  - do: [{apply: {effect: Burn, to: foe}}]\n"
        "    expect: {entity: foe, effect: Burn, stacks: 2, period: 2 s, level: 3}\n",
        "15:13: at 0 s: expected: stacks of Burn on foe is 2, but it is 1\n"
        "    last: 0.000 s  foe  Burn #4 executed  (tick of Burn)\n"
        "      because: tick of Burn #4 on foe <- Burn applied on foe <- host\n"
        "15:13: at 0 s: expected: the period of Burn on foe is 2 s, but it is 1 s\n"
        "15:13: at 0 s: expected: the level of Burn on foe is 3, but it is 1\n");
}

// Failures beyond the limit are counted.
static void many_differences_are_counted(void **state)
{
    (void)state;
    char text[8192] = "library:\n  tags: [";
    for (uint32_t i = 0; i < 30; i++) {
        (void)snprintf(text + strlen(text), 16, "%sT%u", i > 0 ? ", " : "", i);
    }
    (void)strcat(text, "]\nentities: {a: }\nexpect: {entity: a, tags: [");
    for (uint32_t i = 0; i < 30; i++) {
        (void)snprintf(text + strlen(text), 16, "%sT%u", i > 0 ? ", " : "", i);
    }
    (void)strcat(text, "]}\n");
    kn_scenario *scenario = scenario_of(text);
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_failed(run), 30);
    assert_int_equal(kn_scenario_failure_count(run), 12);
    assert_string_equal(kn_scenario_failure_at(run, 11).expected, "a has T11");
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void tolerances_are_absolute_relative_or_of_the_file(void **state)
{
    (void)state;
    // 10 is allowed to be 0.5 off, 100 to be 1 off.
    EXPECT_PASS(KIT "expect:\n"
                    "  - {entity: foe, attribute: Vitals.Health, value: 99.5, tolerance: 0.5}\n"
                    "  - {entity: foe, attribute: Vitals.Health, value: 101, tolerance: 1%}\n"
                    "  - {entity: foe, attribute: Vitals.Health, base: 101, tolerance: 1 %}\n"
                    "  - {entity: foe, attributes: {Vitals.Health: {value: 99, tolerance: 2%},\n"
                    "      Vitals.Mana: 52}, tolerance: 2}\n");
    EXPECT_PASS(
        KIT "tolerance: 2%\n"
            "timeline: [{do: [{apply: {effect: Burn, to: foe}}], expect: {entity: foe,\n"
            "  effect: Burn, remaining: 5.1 s}}]\n"
            "expect: {entity: foe, attributes: {Vitals.Health: 98.9, Vitals.Mana: 49.5}}\n");
    EXPECT_FAILURES(KIT "tolerance: 2\n"
                        "expect:\n"
                        "  - {entity: foe, attribute: Vitals.Mana, value: 47}\n"
                        "  - {entity: foe, attribute: Vitals.Mana, value: 48}\n"
                        "  - {entity: foe, attribute: Vitals.Mana, value: 49, tolerance: 0}\n"
                        "  - {entity: foe, attribute: Vitals.Mana, value: 49, tolerance: 2%}\n"
                        "  - {entity: foe, attribute: Vitals.Mana, value: 49, tolerance: 3%}\n",
        "15:5: at 0 s: expected: Vitals.Mana of foe is 47 (give or take 2), but it is 50\n"
        "    Vitals.Mana 50 (base 50)\n"
        "      base  50\n"
        "17:5: at 0 s: expected: Vitals.Mana of foe is 49, but it is 50\n"
        "    Vitals.Mana 50 (base 50)\n"
        "      base  50\n"
        "18:5: at 0 s: expected: Vitals.Mana of foe is 49 (give or take 2%), but it is 50\n"
        "    Vitals.Mana 50 (base 50)\n"
        "      base  50\n");
}

static void a_tolerance_is_proposed_where_only_rounding_differs(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "timeline: [{do: [{set: {entity: foe, attributes: {Vitals.Health: 16.800001,\n"
        "  Vitals.Mana: 30000.01}}}]}]\n"
        "expect: {entity: foe, attributes: {Vitals.Health: 16.8, Vitals.Mana: 30000}}\n",
        "15:9: at 0 s: expected: Vitals.Health of foe is 16.8, but it is 16.800001\n"
        "    the difference is a rounding error: `tolerance: 0.00001` allows it, here or for the "
        "whole file\n"
        "    Vitals.Health 16.800001 (base 16.800001)\n"
        "      base  16.800001\n"
        "    last: 0.000 s  foe  Vitals.Health 100 -> 16.800001\n"
        "15:9: at 0 s: expected: Vitals.Mana of foe is 30000, but it is 30000.01\n"
        "    the difference is a rounding error: `tolerance: 0.01` allows it, here or for the "
        "whole file\n"
        "    Vitals.Mana 30000.01 (base 30000.01)\n"
        "      base  30000.01\n"
        "    last: 0.000 s  foe  Vitals.Mana 50 -> 30000.01\n");
}

// A share is one of the size of what is wanted, whatever its sign, and reaches to both sides.
static void shares_are_of_the_size_of_a_number(void **state)
{
    (void)state;
    EXPECT_PASS(KIT
        "timeline: [{do: [{set: {entity: foe, attributes: {Vitals.Health: -100}}}]}]\n"
        "expect:\n"
        "  - {entity: foe, attribute: Vitals.Health, value: -99, tolerance: 2%}\n"
        "  - {entity: foe, attribute: Vitals.Health, value: -101, tolerance: 2%}\n"
        "  - {entity: foe, attribute: Vitals.Health, above: -100.5, below: -99.5, at_least: -100,\n"
        "     at_most: -100}\n");
    EXPECT_FAILURES(KIT
        "timeline: [{do: [{set: {entity: foe, attributes: {Vitals.Health: -100}}}]}]\n"
        "expect:\n"
        "  - {entity: foe, attributes: {Vitals.Health: {value: -97, tolerance: 2%}}, tolerance: "
        "9}\n"
        "  - {entity: foe, attributes: {Vitals.Health: -103}, tolerance: 2%}\n",
        "15:5: at 0 s: expected: Vitals.Health of foe is -97 (give or take 2%), but it is -100\n"
        "    Vitals.Health -100 (base -100)\n"
        "      base  -100\n"
        "    last: 0.000 s  foe  Vitals.Health 100 -> -100\n"
        "16:5: at 0 s: expected: Vitals.Health of foe is -103 (give or take 2%), but it is -100\n"
        "    Vitals.Health -100 (base -100)\n"
        "      base  -100\n"
        "    last: 0.000 s  foe  Vitals.Health 100 -> -100\n");
}

// The event that explains a failure is the last one of this entity and this thing.
static void failures_are_explained_by_their_own_events(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "timeline:\n"
        "  - at: 1 s\n"
        "    do: [{apply: {effect: Hit, from: hero, to: foe}}, {apply: {effect: Stun, to: foe}},\n"
        "      {apply: {effect: Burn, to: hero}}]\n"
        "  - at: 2 s\n"
        "    do: [{apply: {effect: Hit, from: foe, to: hero}},\n"
        "      {set: {entity: foe, attributes: {Vitals.Mana: 4}}},\n"
        "      {add_tags: {entity: foe, tags: [Data.Damage]}},\n"
        "      {add_tags: {entity: hero, tags: [State.Stunned]}}]\n"
        "  - at: 3 s\n"
        "    expect:\n"
        "      - {entity: foe, attribute: Vitals.Health, value: 1}\n"
        "      - {entity: foe, no_tags: [Data.Damage]}\n"
        "      - {entity: foe, tags: {State.Stunned: 1}}\n"
        "      - {entity: foe, effect: Stun}\n",
        "24:9: at 3 s: expected: Vitals.Health of foe is 1, but it is 90\n"
        "    Vitals.Health 90 (base 90)\n"
        "      base  90\n"
        "    last: 1.000 s  foe  Vitals.Health 100 -> 90  (Hit applied)\n"
        "      because: Hit applied by hero on foe <- host\n"
        "25:9: at 3 s: expected: foe has no Data.Damage, but it has it 1 times\n"
        "    last: 2.000 s  foe  gains Data.Damage\n"
        "26:9: at 3 s: expected: foe has State.Stunned 1 times, but it has it 0 times\n"
        "    last: 3.000 s  foe  loses State.Stunned  (expiry of Stun)\n"
        "      because: expiry of Stun #4 on foe <- host\n"
        "27:9: at 3 s: expected: Stun on foe is active, but it is not\n"
        "    last: 3.000 s  foe  Stun #4 removed: expired  (expiry of Stun)\n"
        "      because: expiry of Stun #4 on foe <- host\n");
}

// An ability's own reasons explain what differs about its use, once.
static void failures_of_abilities_say_why_they_cannot_be_used(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline:\n"
                        "  - do: [{activate: {entity: hero, ability: Bolt}}]\n"
                        "  - at: 1 s\n"
                        "    expect:\n"
                        "      - {entity: hero, ability: Bolt, cooldown: 1 s, total: 9 s}\n"
                        "      - {entity: hero, ability: Bolt, charges: 1}\n"
                        "      - {entity: hero, ability: Bolt, ready: true}\n"
                        "      - {entity: hero, ability: Bolt, refused: [cost]}\n",
        "17:9: at 1 s: expected: the cooldown of Bolt of hero is 1 s, but it is 3 s\n"
        "    Bolt: on cooldown for 3.0 of 4 s\n"
        "17:9: at 1 s: expected: the whole cooldown of Bolt of hero is 9 s, but it is 4 s\n"
        "18:9: at 1 s: expected: charges of Bolt of hero is 1, but it is 0\n"
        "    Bolt: on cooldown for 3.0 of 4 s\n"
        "19:9: at 1 s: expected: Bolt of hero is ready, but it is not ready\n"
        "    Bolt: on cooldown for 3.0 of 4 s\n"
        "20:9: at 1 s: expected: Bolt of hero is refused: cost, but the reasons are: cooldown\n"
        "    Bolt: on cooldown for 3.0 of 4 s\n");
}

// An attribute of a set with several instances is named with its key.
static void keys_tell_instances_of_a_set_apart(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline:\n"
                        "  - do: [{add_sets: {entity: foe, sets: [Vitals], key: 7}},\n"
                        "      {remove_sets: {entity: foe, sets: [Vitals]}}]\n"
                        "    expect:\n"
                        "      - {entity: foe, attribute: Vitals.Health, key: 7, value: 100}\n"
                        "      - {entity: foe, attribute: Vitals.Health, exists: false}\n"
                        "      - {entity: foe, attribute: Vitals.Health, key: 7, base: 99}\n"
                        "      - {entity: foe, attribute: Vitals.Health, key: 6, value: 100}\n",
        "19:9: at 0 s: expected: the base of Vitals.Health of foe is 99, but it is 100\n"
        "    Vitals.Health[7] 100 (base 100)\n"
        "      base  100\n"
        "20:9: at 0 s: expected: a number for Vitals.Health of foe, but foe has no such "
        "attribute\n");
}

// As it is written: before `do` is before it.
static void what_is_expected_before_do_is_tested_before_it(void **state)
{
    (void)state;
    EXPECT_PASS(KIT "timeline:\n"
                    "  - expect: {entity: foe, attribute: Vitals.Health, value: 100}\n"
                    "    do: [{apply: {effect: Hit, to: foe}}]\n"
                    "  - do: [{apply: {effect: Hit, to: foe}}]\n"
                    "    expect: {entity: foe, attribute: Vitals.Health, value: 80}\n");
    // Again and again, too.
    EXPECT_PASS(KIT "timeline:\n"
                    "  - every: 1 s\n"
                    "    until: 2 s\n"
                    "    expect: {entity: foe, effect: Burn, exists: false}\n"
                    "    do: [{apply: {effect: Burn, to: foe, duration: 0.5 s}}]\n");
}

// The payload of a context and records of target data, byte for byte.
static void payloads_and_target_data_arrive(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(
        "library:\n"
        "  contexts: {Blow: 24}\n"
        "  target_types: {Spot: {fields: {place: vec3, score: u32, who: entity}}}\n"
        "  effects: {Mark: {duration: 5}}\n"
        "entities: {a: , b: }\n"
        "timeline:\n"
        "  - do:\n"
        "    - apply: {effect: Mark, to: a, as: mark, context: Blow, origin: [7, 8, 9],\n"
        "        payload: [{f32: 1.5}, {u16: 7}, {u8: 3}, {u8: 4}, {i64: -2}, {entity: b}],\n"
        "        target_data: [{Spot: {place: [1, 2, 3], who: b, score: 9}},\n"
        "          {location: {position: [4, 5, 6]}}]}\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_true(kn_scenario_run_passed(run));
    const kn_library *library = kn_scenario_library(scenario);
    const kn_world *world = kn_scenario_run_world(run);
    kn_effect_id mark = kn_scenario_run_effect(run, "mark");
    kn_entity_id b = kn_scenario_run_entity(run, "b");
    struct {
        float a;
        uint16_t b;
        uint8_t c, d;
        int64_t e;
        kn_entity_id f;
    } wanted = {1.5f, 7, 3, 4, -2, b};
    const void *payload = kn_effect_payload(world, mark, kn_context_type_find(library, "Blow"));
    assert_non_null(payload);
    assert_memory_equal(payload, &wanted, 24);
    struct {
        kn_vec3 place;
        uint32_t score;
        kn_entity_id who;
    } spot = {{1, 2, 3}, 9, b};
    kn_target_view view = kn_effect_targets(world, mark);
    assert_int_equal(kn_target_count(view), 2);
    const void *record = kn_target_get(view, 0, kn_target_type_find(library, "Spot"));
    assert_non_null(record);
    assert_memory_equal(record, &spot, sizeof(spot));
    kn_vec3 place;
    assert_true(kn_target_position(view, &place));
    assert_true(place.x == 4.0f && place.y == 5.0f && place.z == 6.0f);
    kn_effect_info info;
    assert_true(kn_effect_get(world, mark, &info));
    assert_true(info.has_origin && info.origin.x == 7.0f && info.origin.z == 9.0f);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    EXPECT_SCENARIO_MESSAGES(
        "library: {contexts: {Blow: 8}, effects: {Mark: {duration: 5}}}\n"
        "entities: {a: }\n"
        "timeline: [{do: [\n"
        "  {apply: {effect: Mark, to: a, context: Blow, payload: [{f32: 1}]}},\n"
        "  {apply: {effect: Mark, to: a, context: Blow, payload: [{f16: 1}]}},\n"
        "  {apply: {effect: Mark, to: a, context: Blow, payload: [{u8: 256}]}},\n"
        "  {apply: {effect: Mark, to: a, context: Blow, payload: [1]}},\n"
        "  {apply: {effect: Mark, to: a, context: Blow}},\n"
        "  {apply: {effect: Mark, to: a, target_data: [{hit: {enttiy: a}}]}},\n"
        "  {apply: {effect: Mark, to: a, target_data: [{hot: }]}}]}]\n",
        "4:57: error: the payload of Blow has 8 bytes, but these are 4\n"
        "5:58: error: there is no kind of value `f16`\n"
        "6:58: error: expected a whole number from 0 to 255, not `256`\n"
        "7:58: error: expected one value with its kind, such as {f32: 1.5}, not `1`\n"
        "8:11: error: `context` and `payload` need each other\n"
        "9:54: error: Knack.Target.Hit has no field `enttiy`; did you mean `entity`?\n"
        "10:48: error: there is no target type `hot`; every library has entity, hit, location and "
        "line\n");
}

static void fields_are_compared_by_their_kind(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(
        "library: {abilities: {Dash: }, components: {Brain: {fields: {mood: {kind: enum, words: "
        "idle "
        "moving}, order: {kind: ref, refers_to: ability}}}}}\n"
        "entities: {a: }\n"
        "expect: [{entity: a, component: Brain, fields: {mood: mving}},\n"
        "  {entity: a, component: Brain, fields: {mood: 1}},\n"
        "  {entity: a, component: Brain, fields: {order: Dsh}},\n"
        "  {entity: a, component: Brain, fields: {order: Dash, mood: moving}}]\n",
        "3:55: error: mood has no word `mving`; it has: idle moving\n"
        "4:48: error: mood has no word `1`; it has: idle moving\n"
        "5:49: error: there is no ability `Dsh`\n");
    EXPECT_SCENARIO_MESSAGES("library: {components: {Ammo: {fields: {rounds: u32, place: vec3}}}}\n"
                             "entities: {a: }\n"
                             "expect: [{entity: a, component: Ammo, fields: {ronds: 1}},\n"
                             "  {entity: a, component: Ammo, fields: {rounds: -1}},\n"
                             "  {entity: a, component: Ammo, fields: {place: 3}},\n"
                             "  {entity: a, fields: {rounds: 1}}]\n",
        "3:48: error: Ammo has no field `ronds`; did you mean `rounds`?\n"
        "4:49: error: expected a whole number from 0 to 4294967295, not `-1`\n"
        "5:48: error: expected a list of three numbers [x, y, z], not `3`\n"
        "6:15: error: `fields` belongs to `component`, which does not exist\n");
    EXPECT_FAILURES(
        "library: {components: {Ammo: {fields: {rounds: u32, place: vec3}}}}\n"
        "world: {grid: true}\n"
        "entities: {a: {position: [1, 2, 3], radius: 4}}\n"
        "expect:\n"
        "  - {entity: a, component: Ammo}\n"
        "  - {component: Ammo, exists: true}\n"
        "  - {entity: a, component: Knack.Grid.Body, exists: false}\n"
        "  - {entity: a, component: Knack.Grid.Body, fields: {position: [1, 2, 4], radius: 5}}\n"
        "  - {entity: a, component: Knack.Grid.Body, fields: {position: [1, 2, 4], radius: 5},\n"
        "     tolerance: 1}\n",
        "5:5: at 0 s: expected: a has the component Ammo, but it does not\n"
        "6:5: at 0 s: expected: the world has the component Ammo, but it does not\n"
        "7:5: at 0 s: expected: a has no component Knack.Grid.Body, but it has one\n"
        "8:5: at 0 s: expected: position of Knack.Grid.Body of a is [1, 2, 4], but it is [1, 2, "
        "3]\n"
        "8:5: at 0 s: expected: radius of Knack.Grid.Body of a is 5, but it is 4\n");
}

static void explanations_and_measures_are_compared(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "timeline:\n"
        "  - do: [{apply: {effect: Hit, to: foe}}]\n"
        "    expect:\n"
        "    - {measure: lost, value: 11}\n"
        "    - {measure: lost, at_most: 10}\n"
        "    - {entity: foe, attribute: Vitals.Health, explanation: [base 90]}\n"
        "    - {entity: foe, attribute: Vitals.Health, explanation: [base 90, base 91]}\n"
        "    - {entity: hero, ability: Bolt, explanation: too tired}\n"
        "measure: {lost: {entity: foe, attribute: Vitals.Health, take: lost}}\n",
        "16:7: at 0 s: expected: lost is 11, but it is 10\n"
        "19:7: at 0 s: expected: the explanation of Vitals.Health has `base 91` after the "
        "previous one, but it does not\n"
        "    Vitals.Health 90 (base 90)\n"
        "      base  90\n"
        "20:7: at 0 s: expected: the explanation of Bolt of hero has `too tired`, but it does not\n"
        "    Bolt: ready\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "expect: {measure: lots, value: 1}\n"
        "measure: {lost: {entity: foe, attribute: Vitals.Health, take: lost}}\n",
        "13:19: error: there is no measure `lots`; did you mean `lost`?\n");
}

// Parts of lines, in their order, each in a line of its own; blanks are as good as one.
static void explanations_are_found_line_by_line(void **state)
{
    (void)state;
#define STRONG                                                                                     \
    "library:\n"                                                                                   \
    "  attribute_sets: {Vitals: {attributes: {Health: 100}}}\n"                                    \
    "  effects:\n"                                                                                 \
    "    Strong: {duration: infinite, modifiers: {Vitals.Health: 5}}\n"                            \
    "    Weak: {duration: infinite, modifiers: {Vitals.Health: -2}}\n"                             \
    "entities: {a: {sets: [Vitals]}}\n"                                                            \
    "timeline: [{do: [{apply: {effect: Strong, to: a}}, {apply: {effect: Weak, to: a}}]}]\n"
    static const struct {
        const char *parts;
        bool is_found;
    } cases[] = {
        {"[base 100, Strong, Weak]", true},
        {"['base   100', '+5']", true},
        {"[Strong]", true},
        {"[Weak, Strong]", false},
        {"[Strong, Strong]", false},
        {"['Vitals.Health 103', '(base 100)']", false},
        {"['Vitals.Health 103 (base 100)']", true},
        {"[base100]", false},
        {"['base 1000']", false},
        {"['100 Strong']", false},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[2048];
        (void)snprintf(text, sizeof(text),
            STRONG "expect: {entity: a, attribute: Vitals.Health, explanation: %s}\n",
            cases[i].parts);
        kn_scenario *scenario = scenario_of(text);
        kn_scenario_run_def def = kn_scenario_run_def_default();
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        if (kn_scenario_run_passed(run) != cases[i].is_found) {
            fail_msg("%s\n%s", cases[i].parts, kn_scenario_failure_at(run, 0).why);
        }
        kn_scenario_run_destroy(run);
        kn_scenario_destroy(scenario);
    }
}

// Pays, waits two seconds with a name, and for a tag.
static kn_result wait_long(const kn_ability_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    kn_result result = kn_activation_commit(call->world, call->activation);
    kn_task_def delay = kn_task_def_default(KN_TASK_DELAY);
    delay.delay = KN_S(2);
    delay.name = kn_name_find(library, "Windup");
    kn_task_def tag = kn_task_def_default(KN_TASK_TAG_ADDED);
    tag.tag = kn_tag_find(library, "State.Stunned");
    result = result == KN_OK ? kn_task_run(call->world, call->activation, &delay, NULL) : result;
    return result == KN_OK ? kn_task_run(call->world, call->activation, &tag, NULL) : result;
}

static kn_result add_waiting(void *user, kn_data *data)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = "Wait";
    def.activate = wait_long;
    kn_result result = natives_add(user, data);
    return result == KN_OK ? kn_data_add_native(data, KN_DEF_ABILITY, "Wait", &def) : result;
}

#define STAGE                                                                                      \
    "library:\n"                                                                                   \
    "  names: [Windup, Other]\n"                                                                   \
    "  tags: [State.Stunned, Go.Now, Data.Damage, GameplayCue.Hit]\n"                              \
    "  attribute_sets: {Vitals: {attributes: {Health: 100, Mana: 50}}, Bare: {attributes: {X: "    \
    "1}}}\n"                                                                                       \
    "  effects: {Burn: {duration: 5, period: 2, modifiers: {Vitals.Health: -3}}}\n"                \
    "  abilities: {Swing: {costs: {Vitals.Mana: 20}, native: Wait, triggers: [{tag: Go}]}}\n"      \
    "world: {grid: true}\n"                                                                        \
    "entities:\n"                                                                                  \
    "  hero: {sets: [Vitals], abilities: {Swing: {input: 3}}, position: [1, 2, 3], user: 9}\n"     \
    "  foe: {sets: [Vitals], owner: hero, parent: hero, connection: 2}\n"                          \
    "  body:\n  arrow:\n"                                                                          \
    "timeline:\n"                                                                                  \
    "  - do:\n"                                                                                    \
    "    - relate: {entity: hero, avatar: body}\n"                                                 \
    "    - apply: {effect: Burn, to: foe, from: hero, instigator: hero, causer: arrow, object: "   \
    "7,\n"                                                                                         \
    "        caller_values: {Data.Damage: 4}}\n"                                                   \
    "    - activate: {entity: hero, ability: Swing, as: swing,\n"                                  \
    "        event: {tag: Go.Now, magnitude: 5, instigator: foe, target: hero, object: 8,\n"       \
    "          tags: [Data.Damage], targets: [foe, hero]}}\n"                                      \
    "    - cue: {entity: foe, cue: GameplayCue.Hit, causer: arrow, instigator: hero, object: 5,\n" \
    "        location: [1, 2, 3]}\n"

static kn_scenario *stage_of(const char *rest)
{
    char text[8192];
    (void)snprintf(text, sizeof(text), "%s%s", STAGE, rest);
    kn_scenario_def def = kn_scenario_def_default();
    def.add = add_waiting;
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario);
    if (result != KN_OK) {
        char messages[4096];
        scenario_messages(scenario, messages, sizeof(messages));
        fail_msg("%s", messages);
    }
    return scenario;
}

static void what_is_there_can_be_looked_at(void **state)
{
    (void)state;
    kn_scenario *scenario = stage_of(
        "    expect:\n"
        "    - {entity: foe, owner: hero, parent: hero, connection: 2, sets: [Vitals]}\n"
        "    - {entity: hero, avatar: body, position: [1, 2, 3], user: 9}\n"
        "    - {entity: hero, attribute: Bare.X, exists: false}\n"
        "    - {entity: hero, attribute: Vitals.Mana, exists: true, value: 30}\n"
        "    - {entity: foe, effect: Burn, instigator: hero, causer: arrow, object: 7,\n"
        "        caller_values: {Data.Damage: 4}, next: 2 s}\n"
        "    - {entity: hero, ability: Swing, input: 3, pressed: false, costs: {Vitals.Mana: 20}}\n"
        "    - {activation: swing, tasks: 2, age: 0 s, paid: {Vitals.Mana: 20}, mode: authority}\n"
        "    - {activation: swing, task: delay, remaining: 2 s}\n"
        "    - {activation: swing, task: delay, task_name: Windup, tasks: 1}\n"
        "    - {activation: swing, task: tag_added, remaining: forever}\n"
        "    - {activation: swing, task: cue, tasks: 0}\n"
        "    - {entity: hero, ability: Swing, tasks: 2}\n"
        "    - {activation: swing, started_with: {tag: Go.Now, magnitude: 5, instigator: foe,\n"
        "        target: hero, object: 8, tags: [Data.Damage], targets: [foe, hero]}}\n"
        "  - {at: 1.5 s, do: [{press: {entity: hero, input: 3}}, {move: {entity: hero,\n"
        "      position: [4, 5, 6]}}], expect: [{activation: swing, age: 1.5 s, task: delay,\n"
        "      remaining: 0.5 s}, {entity: hero, ability: Swing, pressed: true},\n"
        "      {entity: hero, position: [4, 5.1, 6], tolerance: 0.2},\n"
        "      {entity: foe, effect: Burn, next: 0.5 s}]}\n"
        "  - {at: 2 s, expect: {activation: swing, tasks: 1}}\n"
        "  - {at: 3 s, do: [{end: {activation: swing}}], expect: [{activation: swing, active: "
        "false},\n"
        "      {entity: hero, ability: Swing, active: false}]}\n"
        "events:\n"
        "  - {event: ability activated, activation: swing}\n"
        "  - {event: cue, causer: arrow, instigator: hero, object: 5, location: [1, 2, 3]}\n"
        "  - {event: ability ended, activation: swing, reason: ended}\n"
        "cues: [{cue: GameplayCue.Hit, causer: arrow, location: [1, 2, 3], interrupted: false}]\n"
        "never: [{event: error}, {event: cue, location: [9, 9, 9]},\n"
        "  {event: ability ended, reason: cancelled}]\n");
    for (uint32_t i = 0; i < 5; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.checks = i < 4 ? i : 0;
        def.record = i == 4;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        char failures[8192];
        scenario_failures(run, failures, sizeof(failures));
        assert_string_equal(failures, "");
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

static void what_is_not_there_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *expectation;
        const char *failure;
    } cases[] = {
        {"{entity: foe, owner: body}", "the owner of foe is body, but it is hero"},
        {"{entity: hero, parent: foe}", "the parent of hero is foe, but it is nobody"},
        {"{entity: hero, avatar: hero}", "the avatar of hero is hero, but it is body"},
        {"{entity: foe, connection: 1}", "the connection of foe is 1, but it is 2"},
        {"{entity: foe, sets: [Vitals, Bare]}", "foe has the set Bare, but it does not"},
        {"{entity: hero, position: [1, 2, 4]}",
            "the position of hero is [1, 2, 4], but it is [1, 2, 3]"},
        {"{entity: foe, position: [1, 2, 4]}",
            "the position of foe is [1, 2, 4], but there is none"},
        {"{entity: foe, attribute: Bare.X, exists: true}",
            "Bare.X of foe is there, but it is not there"},
        {"{entity: foe, effect: Burn, causer: foe}",
            "the causer of Burn on foe is foe, but it is arrow"},
        {"{entity: foe, effect: Burn, instigator: foe}",
            "the instigator of Burn on foe is foe, but it is hero"},
        {"{entity: foe, effect: Burn, object: 1}", "the object of Burn on foe is 1, but it is 7"},
        {"{entity: foe, effect: Burn, next: 1 s}",
            "the time until the next execution of Burn on foe is 1 s, but it is 2 s"},
        {"{entity: foe, effect: Burn, lost: 1}", "what was lost of Burn on foe is 1, but it is 0"},
        {"{entity: foe, effect: Burn, gained: 1}",
            "what was gained of Burn on foe is 1, but it is 0"},
        {"{entity: foe, effect: Burn, caller_values: {Data.Damage: 5}}",
            "Data.Damage of Burn on foe is 5, but it is 4"},
        {"{entity: foe, effect: Burn, caller_values: {Go.Now: 5}}",
            "Go.Now of Burn on foe is 5, but it has none"},
        {"{entity: hero, ability: Swing, pressed: true}",
            "Swing of hero is held down, but it is not held down"},
        {"{entity: hero, ability: Swing, input: 4}",
            "the input of Swing of hero is 4, but it is 3"},
        {"{entity: hero, ability: Swing, costs: {Vitals.Health: 1}}",
            "the cost in Vitals.Health of Swing of hero is 1, but it is 0"},
        {"{activation: swing, tasks: 1}", "the number of tasks of swing is 1, but it is 2"},
        {"{activation: swing, task: repeat}", "swing has such a task, but it has 2 others"},
        {"{activation: swing, task_name: Other}", "swing has such a task, but it has 2 others"},
        {"{activation: swing, task: delay, remaining: 1 s}",
            "the time left of that task of swing is 1 s, but it is 2 s"},
        {"{activation: swing, age: 1 s}", "the age of swing is 1 s, but it is 0 s"},
        {"{activation: swing, mode: predicting}",
            "the mode of swing is predicting, but it is authority"},
        {"{activation: swing, paid: {Vitals.Mana: 1}}",
            "what was paid in Vitals.Mana of swing is 1, but it is 20"},
        {"{activation: swing, started_with: {tag: State.Stunned}}",
            "the tag of the event of swing is State.Stunned, but it is Go.Now"},
        {"{activation: swing, started_with: {magnitude: 4}}",
            "the magnitude of the event of swing is 4, but it is 5"},
        {"{activation: swing, started_with: {instigator: hero}}",
            "the instigator of the event of swing is hero, but it is foe"},
        {"{activation: swing, started_with: {target: foe}}",
            "the target of the event of swing is foe, but it is hero"},
        {"{activation: swing, started_with: {object: 7}}",
            "the object of the event of swing is 7, but it is 8"},
        {"{activation: swing, started_with: {tags: [Data.Damage, Go.Now]}}",
            "the tags of the event of swing are Data.Damage, Go.Now, but they are Data.Damage"},
        {"{activation: swing, started_with: {tags: [Go.Now]}}",
            "the tags of the event of swing are Go.Now, but they are Data.Damage"},
        {"{activation: swing, started_with: {targets: [foe]}}",
            "the targets of the event of swing are foe, but they are foe hero"},
        {"{entity: foe, effect: Burn, targets: [foe]}",
            "the targets of Burn on foe are foe, but there are none"},
        {"{entity: hero, cooldown_tags: [Go], exists: true}",
            "hero has such a cooldown, but it has no such cooldown"},
        {"{activation: swing, active: false}", "swing is over, but it is active"},
        {"{entity: hero, position: [2, 2, 3]}",
            "the position of hero is [2, 2, 3], but it is [1, 2, 3]"},
        {"{entity: hero, position: [1, 3, 3]}",
            "the position of hero is [1, 3, 3], but it is [1, 2, 3]"},
        {"{activation: swing, started_with: {tags: []}}",
            "the tags of the event of swing are none, but they are Data.Damage"},
        {"{activation: swing, started_with: {targets: [hero, foe]}}",
            "the targets of the event of swing are hero foe, but they are foe hero"},
        {"{entity: foe, ability: Swing, granted: false, tasks: 0}",
            "the activation is active, but it is over"},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[1024], told[1024];
        (void)snprintf(text, sizeof(text), "    expect: %s\n", cases[i].expectation);
        kn_scenario *scenario = stage_of(text);
        kn_scenario_run_def def = kn_scenario_run_def_default();
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        kn_scenario_failure failure = kn_scenario_failure_at(run, 0);
        (void)snprintf(told, sizeof(told), "%s, but %s", failure.expected, failure.found);
        assert_string_equal(told, cases[i].failure);
        assert_int_equal(kn_scenario_failure_count(run), 1);
        kn_scenario_run_destroy(run);
        kn_scenario_destroy(scenario);
    }
}

static void added_cues_are_removed_at_once(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline:\n"
                        "  - do:\n"
                        "    - cue: {entity: foe, cue: GameplayCue.Hit, action: added}\n"
                        "    - expect: {entity: foe, cue: GameplayCue.Hit, count: 1}\n"
                        "    - remove_cues: {entity: foe, count: 1}\n"
                        "    - expect: {entity: foe, cue: GameplayCue.Hit, count: 0}\n"
                        "    - remove_cues: {entity: foe, count: 1}\n"
                        "    - destroy: foe\n"
                        "    - remove_cues: {entity: foe, expect: stale_id}\n",
        "19:7: at 0 s: expected: 1 of: remove_cues of foe, but there were 0\n");
}

static void actions_tell_when_they_are_refused(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline:\n"
                        "  - do:\n"
                        "    - activate: {entity: hero, ability: Bolt, times: 2}\n"
                        "    - activate: {entity: hero, ability: Bolt, refused: [cost]}\n"
                        "    - activate: {entity: foe, ability: Bolt, expect: not_found}\n"
                        "    - apply: {effect: Burn, to: foe, expect: blocked}\n"
                        "    - remove: {entity: foe, effect: Burn, count: 2}\n"
                        "    - destroy: foe\n"
                        "    - destroy: foe\n"
                        "    - aim: 1 s\n"
                        "    - aim: -1 s\n",
        "15:7: at 0 s: expected: activate Bolt of hero is ok, but the result is cooldown\n"
        "    Bolt: on cooldown for 4.0 of 4 s\n"
        "16:7: at 0 s: expected: activate Bolt of hero is refused: cost, but the reasons are "
        "cooldown\n"
        "    Bolt: on cooldown for 4.0 of 4 s\n"
        "18:7: at 0 s: expected: apply Burn to foe is blocked, but the result is ok\n"
        "19:7: at 0 s: expected: 2 of: remove Burn of foe, but there were 1\n"
        "21:7: at 0 s: expected: destroy of foe is ok, but the result is stale_id\n"
        "23:7: at 0 s: expected: aim -1 s is ok, but the result is invalid_argument\n");
}

static void actions_happen_at_their_exact_time(void **state)
{
    (void)state;
    EXPECT_PASS(KIT "world: {step: 1/3 s}\n"
                    "timeline:\n"
                    "  - {at: 0.25 s, do: [{apply: {effect: Burn, to: foe, as: burn}}]}\n"
                    "  - {at: 1.249999 s, expect: {entity: foe, attribute: Vitals.Health, value: "
                    "97}}\n"
                    "  - {at: 1.25 s, expect: {entity: foe, attribute: Vitals.Health, value: 94}}\n"
                    "  - {after: 1 us, expect: {effect: burn, remaining: 3999999 us}}\n"
                    "end: 2 s\n"
                    "events:\n"
                    "  - {event: effect applied, effect: burn, at: 0.25 s}\n"
                    "  - {event: attribute changed, entity: foe, value: 94, at: 1250 ms}\n");
}

static void thirds_of_a_second_make_a_second(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(KIT "world: {step: 1/3 s, start: 2 s}\nend: 5 s\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_now(run), KN_S(2));
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_counts(run).steps, 9 + 2); // and to publish, first and last
    assert_int_equal(kn_scenario_run_now(run), KN_S(5));
    assert_int_equal(kn_world_now(kn_scenario_run_world(run)), KN_S(5));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void what_comes_again_comes_until_its_end(void **state)
{
    (void)state;
    EXPECT_PASS(KIT "timeline:\n"
                    "  - {every: 0.5 s, from: 1 s, until: 2 s, do: [{apply: {effect: Hit, to: "
                    "foe}}]}\n"
                    "  - {every: 1 s, expect: {entity: hero, alive: true}}\n"
                    "end: 4 s\n"
                    "expect: [{entity: foe, attribute: Vitals.Health, value: 70}]\n");
}

static void a_run_stops_where_it_is_asked_to(void **state)
{
    (void)state;
    kn_scenario *scenario =
        scenario_of(KIT "timeline:\n"
                        "  - {at: 1 s, do: [{apply: {effect: Burn, to: foe, as: burn}}]}\n"
                        "  - {at: 9 s, do: [{spawn: {archetype: Hero, as: second}}]}\n"
                        "measure: {lost: {entity: foe, attribute: Vitals.Health, take: lost},\n"
                        "  low: {entity: foe, attribute: Vitals.Health, take: lowest}}\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_true(kn_effect_id_is_null(kn_scenario_run_effect(run, "burn")));
    assert_int_equal(kn_scenario_run_until(run, KN_MS(3500)), KN_OK);
    assert_int_equal(kn_scenario_run_now(run), KN_MS(3500));
    assert_true(
        kn_effect_is_alive(kn_scenario_run_world(run), kn_scenario_run_effect(run, "burn")));
    assert_true(kn_scenario_run_measure(run, 0) == 9.0f);
    assert_true(kn_scenario_run_measure(run, 1) == 91.0f);
    assert_true(kn_scenario_run_measure(run, 2) == 0.0f);
    kn_entity_id foe = kn_scenario_run_entity(run, "foe");
    assert_string_equal(kn_scenario_run_name(run, foe), "foe");
    assert_null(kn_scenario_run_name(run, (kn_entity_id){0}));
    assert_true(kn_entity_id_is_null(kn_scenario_run_entity(run, "burn")));
    assert_int_equal(kn_scenario_run_until(run, KN_S(1)), KN_OK);
    assert_int_equal(kn_scenario_run_now(run), KN_MS(3500));
    assert_int_equal(kn_scenario_run_until(run, KN_S(99)), KN_OK);
    assert_int_equal(kn_scenario_run_now(run), KN_S(9));
    assert_false(kn_entity_id_is_null(kn_scenario_run_entity(run, "second")));
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_counts(run).actions, 2);
    assert_string_equal(kn_scenario_entity_name(scenario, 2), "second");
    assert_null(kn_scenario_entity_name(scenario, 3));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void always_and_never_are_told_once_with_what_came_before(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline: [{at: 1 s, do: [{apply: {effect: Burn, to: foe}}]}]\n"
                        "end: 6 s\n"
                        "always: [{entity: foe, attribute: Vitals.Health, at_least: 97}]\n"
                        "never: [{event: effect applied}, {entity: foe, no_tags: [State]}]\n",
        "16:34: at 0 s: expected: this never holds, but it does\n"
        "    before: 0.000 s  foe  gets set Vitals\n"
        "    before: 0.000 s  foe  created\n"
        "    before: 0.000 s  hero  Bolt granted\n"
        "16:9: at 1.016666 s: expected: `effect applied` never happens, but it did\n"
        "    before: 1.000 s  foe  Burn #4 executed  (tick of Burn)\n"
        "    before: 1.000 s  foe  Vitals.Health 100 -> 97  (tick of Burn)\n"
        "    before: 1.000 s  foe  Burn #4 applied\n"
        "15:10: at 2 s: expected: Vitals.Health of foe is at least 97, but it is 94\n"
        "    Vitals.Health 94 (base 94)\n"
        "      base  94\n"
        "    last: 2.000 s  foe  Vitals.Health 97 -> 94  (tick of Burn)\n"
        "      because: tick of Burn #4 on foe <- host\n");
}

// Makes a task that it never starts, which the world reports as an error.
static kn_result forget_task(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1);
    kn_task_id task;
    return kn_task_create(call->world, call->activation, &def, &task);
}

#define MANY_TASKS 300

static kn_result wait_often(const kn_ability_call *call)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < MANY_TASKS && result == KN_OK; i++) {
        result = kn_wait_delay(call->world, call->activation, 0, KN_S(MANY_TASKS - i));
    }
    return result;
}

static kn_result add_often(void *user, kn_data *data)
{
    (void)user;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Often";
    def.activate = wait_often;
    return kn_data_add_native(data, KN_DEF_ABILITY, "Often", &def);
}

static void all_tasks_of_an_activation_count(void **state)
{
    (void)state;
    static const char text[] =
        "library: {abilities: {Often: {native: Often}}}\n"
        "entities: {a: {abilities: [Often]}}\n"
        "timeline: [{at: 0, do: [{activate: {entity: a, ability: Often, as: it}}]}]\n"
        "end: 0.5 s\n"
        "expect: [{activation: it, tasks: 300}, {activation: it, task: delay, remaining: 0.5}]\n";
    kn_scenario_def def = kn_scenario_def_default();
    def.add = add_often;
    kn_scenario *scenario;
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_OK);
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &run_def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    if (kn_scenario_failure_count(run) != 0) {
        fail_msg("%s", kn_scenario_failure_at(run, 0).found);
    }
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static kn_result add_forgetting(void *user, kn_data *data)
{
    (void)user;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Forget";
    def.activate = forget_task;
    return kn_data_add_native(data, KN_DEF_ABILITY, "Forget", &def);
}

static void errors_are_events_too(void **state)
{
    (void)state;
    static const char text[] =
        "library: {abilities: {Bad: {native: Forget}}}\n"
        "entities: {a: {abilities: [Bad]}}\n"
        "timeline: [{at: 1 s, do: [{activate: {entity: a, ability: Bad}}]}]\n"
        "end: 2 s\n"
        "expect: [{event: error, error: not_found, happened: 1}, {event: error, error: limit,\n"
        "  happened: 0}]\n"
        "events: [{event: ability activated}, {event: error, error: not_found}]\n"
        "always: [{event: error, happened: 0}]\n"
        "never: [{event: error}, {event: error, error: limit}]\n";
    kn_scenario_def def = kn_scenario_def_default();
    def.add = add_forgetting;
    kn_scenario *scenario;
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_OK);
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &run_def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_failure_count(run), 2);
    static const char *const expected[] = {"`error` happened 0 times", "`error` never happens"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_scenario_failure failure = kn_scenario_failure_at(run, i);
        assert_string_equal(failure.expected, expected[i]);
        assert_int_equal(failure.line, 8 + i);
    }
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void sequences_must_come_in_order(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT "timeline: [{at: 1 s, do: [{apply: {effect: Stun, to: foe}}]}]\n"
                        "end: 4 s\n"
                        "events:\n"
                        "  - {event: effect removed, effect: Stun}\n"
                        "  - {event: effect applied, effect: Stun}\n"
                        "cues: [{cue: GameplayCue.Hit}]\n",
        "17:5: at 4 s: expected: `effect applied`, Stun, after `effect removed`, Stun, but it "
        "did not happen; 1 of 2 happened\n"
        "    there was: 1.000 s  foe  Stun #4 applied\n"
        "18:8: at 4 s: expected: cue GameplayCue.Hit, but it did not happen; 0 of 1 happened\n");
}

// The clock of targeting is moved by `aim` alone.
static void aiming_takes_no_time_of_the_world(void **state)
{
    (void)state;
    kn_scenario *scenario =
        scenario_of(KIT "timeline:\n"
                        "  - {at: 1 s, do: [{aim: {duration: 20 ms, times: 3}}]}\n"
                        "  - {after: 1 s, do: [{aim: 0}, {aim: 5 ms}]}\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_true(kn_scenario_run_passed(run));
    assert_int_equal(kn_world_now(kn_scenario_run_world(run)), KN_S(2));
    assert_int_equal(kn_targeting_now(kn_scenario_run_world(run)), KN_MS(65));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    EXPECT_FAILURES(KIT "timeline:\n"
                        "  - do: [{aim: -20 ms}]\n",
        "14:11: at 0 s: expected: aim -0.02 s is ok, but the result is invalid_argument\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline:\n"
                                 "  - do: [{aim: {times: 3}}]\n",
        "14:16: error: `aim` needs `duration`\n");
}

static void charges_and_reticles_are_told_by_whose_they_are(void **state)
{
    (void)state;
    EXPECT_FAILURES(KIT
        "timeline:\n"
        "  - do:\n"
        "    - grant: {entity: hero, ability: Aim}\n"
        "    - activate: {entity: hero, ability: Bolt}\n"
        "end: 5 s\n"
        "events:\n"
        "  - {event: charges, entity: hero, ability: Bolt, count: 0, old_count: 1}\n"
        "  - {event: charges, entity: hero, ability: Bolt, count: 1, at: 4 s}\n"
        "  - {event: reticle, entity: hero, target: foe}\n"
        "never:\n"
        "  - {event: charges, ability: Aim}\n",
        "21:5: at 5 s: expected: `reticle` of hero, on foe, after `charges` of hero, Bolt at 4 "
        "s, but it did not happen; 2 of 3 happened\n");
}

static void a_hash_is_compared_at_the_end(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(KIT "hash: 0x1\nend: 1 s\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_run_failed(run), 1);
    char text[512], good[4096];
    unsigned long long hash = kn_world_hash(kn_scenario_run_world(run));
    (void)snprintf(text, sizeof(text), "it is 0x%016llx", hash);
    assert_string_equal(kn_scenario_failure_at(run, 0).found, text);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    (void)snprintf(good, sizeof(good), KIT "hash: 0x%016llx\nend: 1 s\n", hash);
    EXPECT_PASS(good);
}

// Every hash of a text with `%s` in place of hashes, as its failures report them.
static uint32_t hashes_of(const char *format, char hashes[4][32])
{
    char text[4096];
    (void)snprintf(text, sizeof(text), format, "0x0", "0x0", "0x0", "0x0");
    kn_scenario *scenario = scenario_of(text);
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    uint32_t count = kn_scenario_failure_count(run);
    for (uint32_t i = 0; i < count && i < 4; i++) {
        kn_scenario_failure failure = kn_scenario_failure_at(run, i);
        assert_string_equal(failure.expected, "the hash is 0x0000000000000000");
        assert_int_equal(sscanf(failure.found, "it is %31s", hashes[i]), 1);
    }
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    return count;
}

static void a_hash_is_compared_at_any_time(void **state)
{
    (void)state;
    static const char format[] =
        KIT "timeline:\n"
            "  - {at: 1 s, expect: {hash: %s}}\n"
            "  - at: 2 s\n"
            "    do:\n"
            "      - apply: {effect: Burn, to: foe}\n"
            "      - expect: {hash: %s}\n"
            "      - apply: {effect: Hit, to: foe}\n"
            "      - advance: 1.5 s\n"
            "    expect: [{entity: foe, alive: true, hash: %s}]\n"
            "end: 8 s\n"
            "hash: %s\n"
            "variants: {weak: {entities: {foe: {attributes: {Vitals.Health: 20}}}}}\n";
    char hashes[4][32], text[4096];
    assert_int_equal(hashes_of(format, hashes), 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_not_equal(hashes[i], hashes[i + 1]);
    }
    (void)snprintf(text, sizeof(text), format, hashes[0], hashes[1], hashes[2], hashes[3]);
    kn_scenario *scenario = scenario_of(text);
    // Plain, rolled back, saved, both; recorded; then another seed and a variant, without compare.
    for (uint32_t i = 0; i < 7; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.checks = i < 4 ? i : 0;
        def.record = i == 4;
        def.has_seed = i == 5;
        def.seed = 99;
        def.variant = i == 6 ? 0 : KN_SCENARIO_BASE;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_passed(run));
        assert_int_equal(kn_scenario_run_counts(run).expectations, 4);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

static void variants_change_entities_and_seeds(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(
        KIT "timeline: [{do: [{apply: {effect: Hit, to: foe}}]}]\n"
            "measure: {health: {entity: foe, attribute: Vitals.Health, take: value}}\n"
            "variants:\n"
            "  tough: {entities: {foe: {attributes: {Vitals.Health: 500}}}, expect: [{entity: foe, "
            "attribute: Vitals.Health, value: 490}]}\n"
            "  wrong: {world: {seed: 4}, expect: [{entity: foe, alive: false}]}\n");
    assert_int_equal(kn_scenario_variant_count(scenario), 2);
    assert_int_equal(kn_scenario_variant_find(scenario, "wrong"), 1);
    assert_int_equal(kn_scenario_variant_find(scenario, "none"), KN_SCENARIO_BASE);
    assert_string_equal(kn_scenario_measure_name(scenario, 0), "health");
    static const float health[3] = {90.0f, 490.0f, 90.0f};
    for (uint32_t i = 0; i < 3; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.variant = i == 0 ? KN_SCENARIO_BASE : i - 1;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_measure(run, 0) == health[i]);
        assert_int_equal(kn_scenario_run_passed(run), i < 2);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

// A measure of whether something happened is 1 or 0, however often it did; the mean is a rate.
static void whether_something_happened_is_a_rate(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(
        KIT "timeline: [{do: [{apply: {effect: Hit, to: foe}}, {apply: {effect: Hit, to: foe}}]}]\n"
            "measure:\n"
            "  hit: {event: effect executed, entity: foe, effect: Hit, take: happened}\n"
            "  hits: {event: effect executed, entity: foe, effect: Hit, take: count}\n"
            "  fell: {event: entity destroyed, entity: foe, take: happened}\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_true(kn_scenario_measure_is_rate(scenario, 0));
    assert_false(kn_scenario_measure_is_rate(scenario, 1));
    assert_true(kn_scenario_measure_is_rate(scenario, 2));
    assert_false(kn_scenario_measure_is_rate(scenario, 3));
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_true(kn_scenario_run_measure(run, 0) == 1.0f);
    assert_true(kn_scenario_run_measure(run, 1) == 2.0f);
    assert_true(kn_scenario_run_measure(run, 2) == 0.0f);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

// The archetype's maximum cuts the default of 100 to 60 before the first action.
static void what_an_entity_was_made_by_is_not_measured(void **state)
{
    (void)state;
    kn_scenario *scenario =
        scenario_of("library:\n"
                    "  attribute_sets: {Vitals: {attributes: {Health: {default_value: 100, max: "
                    "MaxHealth}, MaxHealth: 100}}}\n"
                    "  effects: {Hit: {modifiers: {Vitals.Health: -10}}}\n"
                    "  archetypes: {Imp: {sets: [Vitals], values: {Vitals.MaxHealth: 60, "
                    "Vitals.Health: 60}}}\n"
                    "entities: {imp: {archetype: Imp}}\n"
                    "timeline: [{do: [{apply: {effect: Hit, to: imp}}]}]\n"
                    "measure:\n"
                    "  lost: {entity: imp, attribute: Vitals.Health, take: lost}\n"
                    "  gained: {entity: imp, attribute: Vitals.Health, take: gained}\n"
                    "  highest: {entity: imp, attribute: Vitals.Health, take: highest}\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_true(kn_scenario_run_measure(run, 0) == 10.0f);
    assert_true(kn_scenario_run_measure(run, 1) == 0.0f);
    assert_true(kn_scenario_run_measure(run, 2) == 60.0f);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void entities_carry_bits_of_the_host(void **state)
{
    (void)state;
    kn_scenario *scenario =
        scenario_of("entities: {a: {user: 18446744073709551615}, b: }\n"
                    "timeline:\n"
                    "  - do: [{spawn: {as: c, user: 7}}]\n"
                    "    expect: [{entity: a, user: 18446744073709551615}, {entity: c, user: 7}]\n"
                    "variants: {other: {entities: {a: {user: 5}, b: {user: 6}}}}\n");
    for (uint32_t i = 0; i < 2; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.variant = i == 0 ? KN_SCENARIO_BASE : 0;
        def.checks = (uint32_t)KN_SCENARIO_CHECK_SYNC | (uint32_t)KN_SCENARIO_CHECK_HEAVY;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_int_equal(kn_scenario_run_passed(run), i == 0);
        kn_entity_id b = kn_scenario_run_entity(run, "b");
        assert_int_equal(kn_entity_user(kn_scenario_run_world(run), b), i == 0 ? 0 : 6);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

static void count_steps(void *user, const kn_log_entry *entry)
{
    assert_int_equal(entry->category, KN_LOG_GAME);
    ++*(uint32_t *)user;
}

static kn_time chatter_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    kn_log_entry entry = {KN_LOG_WARNING, KN_LOG_GAME, KN_OK, "tick", __FILE__, __LINE__};
    (void)user;
    (void)entity;
    (void)data;
    kn_log_write(world, &entry);
    return KN_S(1);
}

static kn_result add_chatter(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    kn_timer_type_id timer;
    return kn_timer_type_register(library, "Chatter", chatter_fire, NULL, &timer, error);
}

// What is logged in a step that is made twice is logged twice, unless the run leaves out checks.
static void a_run_may_leave_out_the_checks_of_its_scenario(void **state)
{
    static const char text[] =
        "library: {archetypes: {Clock: {timers: [{type: Chatter, delay: 1}]}}}\n"
        "check: [sync, heavy]\n"
        "entities: {a: {archetype: Clock}}\n"
        "end: 3 s\n";
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        kn_scenario_def scenario_def = kn_scenario_def_default();
        kn_scenario *scenario;
        scenario_def.prepare = add_chatter;
        assert_int_equal(
            kn_scenario_load_text(&scenario_def, "clock.yaml", text, strlen(text), &scenario),
            KN_OK);
        kn_scenario_run_def def = kn_scenario_run_def_default();
        uint32_t lines = 0;
        def.hooks.log_fn = count_steps;
        def.hooks.log_user = &lines;
        def.no_checks = i == 1;
        kn_scenario_run *run = run_of(scenario, &def);
        const kn_world *world = kn_scenario_run_world(run);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_passed(run));
        assert_int_equal(lines, i == 0 ? 6 : 3);
        if (i == 1) {
            assert_ptr_equal(kn_scenario_run_world(run), world);
        }
        kn_scenario_run_destroy(run);
        kn_scenario_destroy(scenario);
    }
}

// Hurts its entity, or nobody, every second for three times.
static kn_time bomb_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    uint8_t *count = data;
    kn_attribute_id health = kn_attribute_find(kn_world_library(world), "Vitals.Health");
    if (kn_entity_is_alive(world, entity)) {
        float base = kn_attribute_base(world, entity, health);
        (void)kn_attribute_set_base(world, entity, health, 0, base - 10.0f);
    }
    return ++*count < 3 ? KN_S(1) : 0;
}

static kn_result add_bomb(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    kn_timer_type_id timer;
    return kn_timer_type_register(library, "Bomb", bomb_fire, NULL, &timer, error);
}

static const char timers_text[] = KIT
    "timeline:\n"
    "  - do:\n"
    "      - start_timer: {timer: Bomb, entity: foe, delay: 2 s, as: bomb}\n"
    "      - start_timer: {timer: Bomb, delay: 0, as: free}\n"
    "      - start_timer: {timer: Bomb, entity: ghost, delay: 1 s, as: none, expect: stale_id}\n"
    "      - start_timer: {timer: Bomb, delay: -1 s, as: none, expect: bad_number}\n"
    "      - start_timer: {timer: Bomb, entity: hero, delay: 5 s, as: heros}\n"
    "    expect:\n"
    "      - {timer: bomb, remaining: 2 s}\n"
    "      - {timer: free, exists: true}\n"
    "      - {timer: none, exists: false}\n"
    "  - {at: 2.25 s, expect: [{timer: bomb, remaining: 0.75 s},\n"
    "      {entity: foe, attribute: Vitals.Health, value: 90}, {timer: free, exists: false}]}\n"
    "  - {at: 2.5 s, do: [{destroy: hero}], expect: {timer: heros, exists: false}}\n"
    "  - at: 3.5 s\n"
    "    do: [{stop_timer: bomb}, {stop_timer: {timer: bomb, expect: stale_id}},\n"
    "      {spawn: {as: ghost}}]\n"
    "    expect: {timer: bomb, exists: false}\n"
    "end: 6 s\n"
    "expect: [{entity: foe, attribute: Vitals.Health, value: 80}]\n";

static void timers_are_started_stopped_and_looked_at(void **state)
{
    (void)state;
    kn_scenario_def def = scenario_def();
    def.prepare = add_bomb;
    kn_scenario *scenario;
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", timers_text, strlen(timers_text), &scenario), KN_OK);
    for (uint32_t i = 0; i < 5; i++) {
        kn_scenario_run_def run_def = kn_scenario_run_def_default();
        run_def.checks = i < 4 ? i : 0;
        run_def.record = i == 4;
        kn_scenario_run *run = run_of(scenario, &run_def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        char failures[4096];
        scenario_failures(run, failures, sizeof(failures));
        assert_string_equal(failures, "");
        assert_true(kn_scenario_run_passed(run));
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
    static const char bad[] =
        KIT "timeline: [{do: [{start_timer: {timer: Bomb, delay: 2 s, as: bomb}}],\n"
            "  expect: [{timer: bomb, remaining: 1 s}, {timer: bomb, exists: false}]}]\n"
            "expect: [{timer: bomb, exists: false}]\n"
            "end: 1 s\n";
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", bad, strlen(bad), &scenario), KN_OK);
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &run_def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    char failures[4096];
    scenario_failures(run, failures, sizeof(failures));
    assert_string_equal(failures,
        "14:12: at 0 s: expected: the time left of bomb is 1 s, but it is 2 s\n"
        "14:43: at 0 s: expected: bomb is over, but it runs\n"
        "15:10: at 1 s: expected: bomb is over, but it runs\n");
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml",
            "timeline: [{do: [{start_timer: {timer: Bom, delay: 1}}]}]\n", 58, &scenario),
        KN_ERROR_BAD_DATA);
    assert_string_equal(
        kn_scenario_message_at(scenario, 0).text, "there is no timer `Bom`; did you mean `Bomb`?");
    kn_scenario_destroy(scenario);
}

static void seeds_make_other_runs(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(
        "library: {attribute_sets: {A: {attributes: {X: {has_random: true, random_min: 0, "
        "random_max: 1000}}}}}\n"
        "entities: {a: {sets: [A]}}\n"
        "measure: {x: {entity: a, attribute: A.X, take: value}}\n");
    float values[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.has_seed = true;
        def.seed = i < 2 ? 1 : 2;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        values[i] = kn_scenario_run_measure(run, 0);
        kn_scenario_run_destroy(run);
    }
    assert_true(values[0] == values[1]);
    assert_true(values[0] != values[2]);
    kn_scenario_destroy(scenario);
}

// Starting values and effects of entities are not measured.
static void measures_begin_with_the_timeline(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(
        "library:\n"
        "  attribute_sets: {Vitals: {attributes: {Health: 100, Mana: 50}}}\n"
        "  effects: {Hit: {modifiers: {Vitals.Health: -10}}, Calm: {modifiers: {Vitals.Mana: 5}}}\n"
        "entities: {a: {sets: [Vitals], attributes: {Vitals.Health: 40}, effects: [Hit, Calm]}}\n"
        "timeline: [{do: [{apply: {effect: Hit, to: a}}]}]\n"
        "end: 2 s\n"
        "expect: [{event: effect executed, entity: a, effect: Hit, happened: 2}]\n"
        "measure:\n"
        "  lost: {entity: a, attribute: Vitals.Health, take: lost}\n"
        "  gained: {entity: a, attribute: Vitals.Mana, take: gained}\n"
        "  highest: {entity: a, attribute: Vitals.Health, take: highest}\n"
        "  lowest: {entity: a, attribute: Vitals.Health, take: lowest}\n"
        "  hits: {event: effect executed, entity: a, effect: Hit, take: count}\n"
        "  calms: {event: effect executed, entity: a, effect: Calm, take: first}\n"
        "  calmed: {event: effect executed, entity: a, effect: Calm, take: last}\n"
        "  first: {event: effect executed, entity: a, effect: Hit, take: first}\n"
        "  last: {event: effect executed, entity: a, effect: Hit, take: last}\n");
    static const float expected[] = {
        10.0f, 0.0f, 30.0f, 20.0f, 1.0f, -1.0f, -1.0f, 0.0f, 0.0f}; // -1: never
    for (uint32_t checks = 0; checks < 4; checks++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.checks = checks;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_passed(run));
        for (uint32_t i = 0; i < 9; i++) {
            assert_true(kn_scenario_run_measure(run, i) == expected[i]);
        }
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

// The events an observer received, in short.
typedef struct trace_log {
    char text[4096];
    size_t length;
} trace_log;

static void trace_note(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    static const char marks[] = "asf";
    trace_log *log = user;
    (void)run;
    assert_non_null(trace->world);
    if (trace->kind == KN_SCENARIO_TRACE_STEP && kn_world_events(trace->world).count == 0) {
        return;
    }
    int added = snprintf(log->text + log->length, sizeof(log->text) - log->length, "%c %lld %s%s\n",
        marks[trace->kind], (long long)trace->time, trace->text,
        trace->result != KN_OK ? " refused" : "");
    log->length += added > 0 ? (size_t)added : 0;
}

static void an_observer_is_told_actions_steps_and_failures(void **state)
{
    (void)state;
    kn_scenario *scenario =
        scenario_of(KIT "world: {step: 1 s}\n"
                        "timeline: [{at: 1 s, do: [{apply: {effect: Hit, from: hero, to: foe}},"
                        " {activate: {entity: foe, ability: Bolt, expect: not_found}}],"
                        " expect: {entity: foe, alive: false}}]\n"
                        "end: 3 s\n");
    trace_log log = {0};
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.trace = trace_note;
    def.user = &log;
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_string_equal(log.text, "s 0 \n"
                                  "a 1000000 apply Hit from hero to foe\n"
                                  "a 1000000 activate Bolt of foe refused\n"
                                  "s 1000000 \n"
                                  "f 1000000 foe is not alive\n");
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

// An ability that remembers outside the world how often it ran.
static int forbidden_memory;

static kn_result forget_nothing(const kn_ability_call *call)
{
    kn_attribute_id health = kn_attribute_find(kn_world_library(call->world), "Vitals.Health");
    return kn_attribute_set_base(call->world, call->owner, health, 0, (float)++forbidden_memory);
}

static kn_result add_forgetful(void *user, kn_data *data)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = "Cheat";
    def.activate = forget_nothing;
    kn_result result = natives_add(user, data);
    return result == KN_OK ? kn_data_add_native(data, KN_DEF_ABILITY, "Cheat", &def) : result;
}

static void a_rollback_finds_state_outside_the_world(void **state)
{
    (void)state;
    static const char text[] =
        "library:\n"
        "  attribute_sets: {Vitals: {attributes: {Health: 100}}}\n"
        "  abilities: {Bad: {native: Cheat}}\n"
        "check: [sync]\n"
        "entities: {a: {sets: [Vitals], abilities: [Bad]}}\n"
        "timeline: [{at: 1 s, do: [{activate: {entity: a, ability: Bad}}]}]\n"
        "end: 2 s\n";
    kn_scenario_def def = kn_scenario_def_default();
    def.add = add_forgetful;
    kn_scenario *scenario;
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_OK);
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &run_def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_int_equal(kn_scenario_failure_count(run), 1);
    kn_scenario_failure failure = kn_scenario_failure_at(run, 0);
    assert_string_equal(
        failure.expected, "a step that is rolled back ends the same when it is repeated");
    assert_non_null(strstr(failure.found, "Vitals.Health"));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static const char long_text[] = KIT
    "world: {grid: true}\n"
    "timeline:\n"
    "  - {at: 0.1 s, do: [{apply: {effect: Burn, from: hero, to: foe, as: burn}}]}\n"
    "  - {at: 0.2 s, do: [{aim: 30 ms}]}\n"
    "  - {at: 0.3 s, do: [{spawn: {archetype: Hero, as: friend, position: [1, 2, 3]}}]}\n"
    "  - {at: 0.4 s, do: [{activate: {entity: friend, ability: Bolt}}, {move: {entity: friend, "
    "position: [4, 5, 6]}}]}\n"
    "  - {at: 0.5 s, do: [{change: {effect: burn, add: 1 s}}, {destroy: hero}]}\n"
    "  - {at: 0.6 s, expect: [{entity: hero, alive: false}, {effect: burn, remaining: 5.5 s}]}\n"
    "end: 8 s\n"
    "expect: [{entity: foe, attribute: Vitals.Health, value: 79}]\n"
    "always: [{entity: foe, alive: true}]\n"
    "never: [{event: error}]\n"
    "events: [{event: effect applied, effect: Burn}]\n"
    "cues: []\n"
    "measure: {lost: {entity: foe, attribute: Vitals.Health, take: lost}}\n";

static void every_way_to_run_ends_in_the_same_world(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(long_text);
    uint64_t hashes[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.checks = i;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_passed(run));
        hashes[i] = kn_world_hash(kn_scenario_run_world(run));
        assert_int_equal(hashes[i], hashes[0]);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

// An action after a command has a higher creation number, recorded or not.
static void a_recorded_run_gives_the_same_creation_numbers(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of("scenario: numbers\n"
                                        "library: {effects: {Aura: {duration: infinite}}}\n"
                                        "entities: {hero: {}}\n"
                                        "timeline:\n"
                                        "  - at: 1\n"
                                        "    do:\n"
                                        "      - apply: {effect: Aura, to: hero}\n"
                                        "      - issue: {command: cancel, entity: hero}\n"
                                        "      - apply: {effect: Aura, to: hero}\n"
                                        "      - issue:\n"
                                        "          command: batch\n"
                                        "          entity: hero\n"
                                        "          parts: [confirm, cancel]\n"
                                        "      - apply: {effect: Aura, to: hero}\n"
                                        "    expect: {entity: hero, effect: Aura, count: 3}\n");
    uint64_t hashes[4];
    for (uint32_t i = 0; i < 4; i++) { // plain, recorded, both with rollbacks
        kn_scenario_run_def def = kn_scenario_run_def_default();
        def.record = i % 2 == 1;
        def.checks = i / 2 == 1 ? KN_SCENARIO_CHECK_SYNC : 0;
        kn_scenario_run *run = run_of(scenario, &def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        assert_true(kn_scenario_run_passed(run));
        hashes[i] = kn_world_hash(kn_scenario_run_world(run));
        assert_true(hashes[i] == hashes[0]);
        if (def.record) {
            size_t size;
            const void *bytes = kn_scenario_run_recording(run, &size);
            kn_replay_report report;
            kn_error error;
            assert_int_equal(
                kn_scenario_replay(scenario, KN_SCENARIO_BASE, bytes, size, &report, &error),
                KN_OK);
            assert_false(report.diverged);
            assert_int_equal(report.commands, 2);
            assert_int_equal(report.notes, 3);
        }
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
}

static void a_recording_plays_again(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(long_text);
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.record = true;
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_true(kn_scenario_run_passed(run));
    size_t size;
    const uint8_t *bytes = kn_scenario_run_recording(run, &size);
    kn_replay_report report;
    kn_error error;
    assert_int_equal(
        kn_scenario_replay(scenario, KN_SCENARIO_BASE, bytes, size, &report, &error), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(report.commands, 0);
    assert_int_equal(report.notes, 7); // the actions
    assert_true(report.steps > 480);
    assert_int_equal(
        kn_scenario_replay(scenario, 7, bytes, size, &report, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_scenario_replay(scenario, KN_SCENARIO_BASE, bytes, 20, &report, &error),
        KN_ERROR_BAD_DATA);
    kn_scenario_run_destroy(run);
    def.record = false;
    run = run_of(scenario, &def);
    assert_null(kn_scenario_run_recording(run, &size));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

// Fails once, at the `fail_at`th request for more, and counts what is out.
typedef struct failing_memory {
    uint64_t requests, fail_at;
    size_t bytes;
} failing_memory;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing_memory *memory = user;
    if (new_size > old_size && ++memory->requests == memory->fail_at) {
        return NULL;
    }
    memory->bytes = memory->bytes - old_size + new_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

// True when it got through without the failure.
static bool load_and_run(failing_memory *memory)
{
    kn_scenario_def def = scenario_def();
    def.hooks = (kn_hooks){.realloc_fn = failing_realloc, .realloc_user = memory};
    kn_scenario *scenario;
    kn_result result =
        kn_scenario_load_text(&def, "t.yaml", long_text, strlen(long_text), &scenario);
    kn_scenario_run *run = NULL;
    if (result == KN_OK) {
        kn_scenario_run_def run_def = kn_scenario_run_def_default();
        run_def.hooks = def.hooks;
        run_def.checks = (uint32_t)KN_SCENARIO_CHECK_SYNC | (uint32_t)KN_SCENARIO_CHECK_HEAVY;
        result = kn_scenario_run_create(scenario, &run_def, &run);
    }
    if (result == KN_OK) {
        result = kn_scenario_run_until(run, KN_MS(700));
    }
    if (result == KN_OK && memory->requests < memory->fail_at) {
        assert_true(kn_scenario_run_passed(run));
    }
    assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY ||
                result == KN_ERROR_WORLD_BROKEN || result == KN_ERROR_BAD_DATA);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
    assert_int_equal(memory->bytes, 0);
    return memory->requests < memory->fail_at;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    uint64_t stride = 1;
    failing_memory memory = {.fail_at = 1};
    while (!load_and_run(&memory)) {
        stride = memory.fail_at > 400 ? 97 : 1;
        memory = (failing_memory){.fail_at = memory.fail_at + stride};
    }
    assert_true(memory.fail_at > 500);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_failure_says_what_was_expected_and_what_was_there_and_why),
    cmocka_unit_test(every_kind_of_expectation_can_fail),
    cmocka_unit_test(payloads_and_target_data_arrive),
    cmocka_unit_test(fields_are_compared_by_their_kind),
    cmocka_unit_test(explanations_and_measures_are_compared),
    cmocka_unit_test(explanations_are_found_line_by_line),
    cmocka_unit_test(what_is_expected_before_do_is_tested_before_it),
    cmocka_unit_test(failures_are_explained_by_their_own_events),
    cmocka_unit_test(failures_of_abilities_say_why_they_cannot_be_used),
    cmocka_unit_test(keys_tell_instances_of_a_set_apart),
    cmocka_unit_test(a_tolerance_is_proposed_where_only_rounding_differs),
    cmocka_unit_test(shares_are_of_the_size_of_a_number),
    cmocka_unit_test(tolerances_are_absolute_relative_or_of_the_file),
    cmocka_unit_test(many_differences_are_counted),
    cmocka_unit_test(all_that_differs_is_told),
    cmocka_unit_test(what_is_there_can_be_looked_at),
    cmocka_unit_test(what_is_not_there_is_told),
    cmocka_unit_test(added_cues_are_removed_at_once),
    cmocka_unit_test(actions_tell_when_they_are_refused),
    cmocka_unit_test(actions_happen_at_their_exact_time),
    cmocka_unit_test(thirds_of_a_second_make_a_second),
    cmocka_unit_test(what_comes_again_comes_until_its_end),
    cmocka_unit_test(a_run_stops_where_it_is_asked_to),
    cmocka_unit_test(always_and_never_are_told_once_with_what_came_before),
    cmocka_unit_test(errors_are_events_too),
    cmocka_unit_test(all_tasks_of_an_activation_count),
    cmocka_unit_test(sequences_must_come_in_order),
    cmocka_unit_test(aiming_takes_no_time_of_the_world),
    cmocka_unit_test(charges_and_reticles_are_told_by_whose_they_are),
    cmocka_unit_test(a_hash_is_compared_at_the_end),
    cmocka_unit_test(a_hash_is_compared_at_any_time),
    cmocka_unit_test(variants_change_entities_and_seeds),
    cmocka_unit_test(whether_something_happened_is_a_rate),
    cmocka_unit_test(what_an_entity_was_made_by_is_not_measured),
    cmocka_unit_test(entities_carry_bits_of_the_host),
    cmocka_unit_test(a_run_may_leave_out_the_checks_of_its_scenario),
    cmocka_unit_test(timers_are_started_stopped_and_looked_at),
    cmocka_unit_test(seeds_make_other_runs),
    cmocka_unit_test(measures_begin_with_the_timeline),
    cmocka_unit_test(an_observer_is_told_actions_steps_and_failures),
    cmocka_unit_test(a_rollback_finds_state_outside_the_world),
    cmocka_unit_test(every_way_to_run_ends_in_the_same_world),
    cmocka_unit_test(a_recorded_run_gives_the_same_creation_numbers),
    cmocka_unit_test(a_recording_plays_again),
    cmocka_unit_test(running_out_of_memory_leaks_nothing),
};

TEST_GROUP(scenario_run, tests, NULL, NULL);
