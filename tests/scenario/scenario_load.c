// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bad scenarios: one clear message each, with its place and the nearest known word.

#include "scenario_fixture.h"

static void what_is_no_scenario_is_refused(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("", "1:1: error: a scenario must be a mapping of sections such as "
                                 "`timeline`, but this is nothing\n");
    EXPECT_SCENARIO_MESSAGES("- 1\n", "1:1: error: a scenario must be a mapping of sections such "
                                      "as `timeline`, but this is a list\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timelime: []\n",
        "13:1: error: there is no section `timelime`; did you mean `timeline`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "xyz: 1\n",
        "13:1: error: there is no section `xyz`; expected one of: scenario, "
        "comment, libraries, library, world, check, tolerance, machines, entities, timeline, "
        "end, expect, always, never, events, cues, hash, measure, variants\n");
    EXPECT_SCENARIO_MESSAGES("entities: [\n", "2:1: error: a value is missing here\n");
}

static void every_section_says_what_it_expects(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(
        KIT "timeline: {}\n", "13:11: error: expected a list, but this is a mapping\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "timeline: [now]\n", "13:12: error: expected a mapping, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "expect: yes\n", "13:9: error: expected a list, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "events: {}\n", "13:9: error: expected a list, but this is a mapping\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "measure: []\n", "13:10: error: expected a mapping, but this is a list\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "variants: 1\n", "13:11: error: expected a mapping, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "world: fast\n", "13:8: error: expected a mapping, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "check: sync\n", "13:8: error: expected a list, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(KIT "check: [sink]\n",
        "13:9: error: there is no check `sink`; expected one of: sync, heavy\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "scenario: []\n", "13:11: error: expected a text, but this is a list\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "hash: 17\n", "13:7: error: expected a hash such as 0x1234abcd5678ef90\n");
}

static void settings_of_the_world_are_checked(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "world: {sed: 1}\n",
        "13:9: error: there is no setting of a world called `sed`; did you mean `seed`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "world: {step: 1/0 s}\n",
        "13:15: error: expected a step such as `1/60 s` or `20 ms`\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "world: {step: 0}\n", "13:15: error: a step must be longer than 0\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "world: {grid: maybe}\n", "13:15: error: expected true, false or the size of a cell\n");
    EXPECT_SCENARIO_MESSAGES(KIT "world: {task_limit: -1}\n",
        "13:21: error: expected a whole number from 0 to 4294967295, not `-1`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "end: 100 h\nworld: {step: 1 ms}\n",
        "13:6: error: a run would take more than 1000000 steps\n");
}

static void actions_are_known_by_name(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{aply: {effect: Burn, to: foe}}]}]\n",
        "13:19: error: there is no action `aply`; did you mean `apply`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: {effect: Burn, tp: foe}}]}]\n",
        "13:41: error: there is no key of `apply` called `tp`\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "timeline: [{do: [{apply: {effect: Burn}}]}]\n", "13:26: error: `apply` needs `to`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: {to: foe}}]}]\n",
        "13:26: error: `apply` needs `effect` or `spec`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{remove: {effect: Burn}}]}]\n",
        "13:27: error: `remove` needs `entity`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: foe}]}]\n",
        "13:26: error: expected a mapping, but this is a text\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "timeline: [{do: [{set_tags: {entity: foe, tags: [State], origin: ability}}]}]\n",
        "13:66: error: there is no origin of such tags `ability`; expected one of: loose, "
        "synced\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{when: 1}]\n",
        "13:13: error: there is no key of a timeline called `when`; expected one of: at, after, "
        "every, "
        "from, until, do, expect, "
        "comment\n");
}

static void names_and_types_are_looked_up(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: {effect: Brun, to: fo}}]}]\n",
        "13:35: error: there is no effect `Brun`; did you mean `Burn`?\n"
        "13:45: error: there is no entity `fo`; expected one of: hero, foe\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: heros, attribute: Vitals.Helth, value: 1}]\n",
        "13:19: error: there is no entity `heros`; did you mean `hero`?\n"
        "13:37: error: there is no attribute `Vitals.Helth`; did you mean `Vitals.Health`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, tags: [State.Stuned]}]\n",
        "13:32: error: there is no tag `State.Stuned`; did you mean `State.Stunned`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, tags: {State.Stuned: 1}}]\n",
        "13:32: error: there is no tag `State.Stuned`; did you mean `State.Stunned`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "events: [{event: ability failled}]\n",
        "13:18: error: there is no type of event `ability failled`; did you mean `ability "
        "failed`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, ability: Bolt, refused: [coldown]}]\n",
        "13:50: error: there is no reason `coldown`; expected one of: stale, networking, dead, "
        "blocked, "
        "missing_tags, cooldown, cost, active, custom, not_ready, no_target\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "timeline: [{do: [{apply: {effect: Burn, to: foe, expect: blokked}}]}]\n",
        "13:58: error: there is no result `blokked`; did you mean `blocked`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: {effect: Burn, to: foe, as: hero}}]}]\n",
        "13:54: error: `hero` is already the name of an entity\n");
}

static void expectations_must_expect_something(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(
        KIT "expect: [{entity: hero}]\n", "13:10: error: it does not say what is expected\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{attribute: Vitals.Health, value: 1}]\n",
        "13:10: error: `expectation` needs `entity`, `effect`, `ability`, `activation`, `timer`, "
        "`component`, `measure`, `hash`, `joined`, `closed` or `counts`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{effect: Burn, stacks: 1}]\n",
        "13:10: error: an expectation needs `entity`, or `event`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, attribute: Vitals.Health}]\n",
        "13:10: error: expected a number to compare with, such as `value: 50`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, value: 3}]\n",
        "13:10: error: the number needs an `attribute` or a `measure`\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "expect: [{entity: hero, attribute: Vitals.Health, value: many}]\n",
        "13:58: error: expected a number, not `many`\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "expect: [{entity: hero, attribute: Vitals.Health, value: 1, tolerance: -1}]\n",
        "13:72: error: a tolerance is 0 or more\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: hero, atribute: Vitals.Health, value: 1}]\n",
        "13:25: error: there is no key of `expectation` called `atribute`; did you mean "
        "`attribute`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "expect: [{entity: hero, attributes: {Vitals.Health: {val: 1}}}]\n",
        "13:54: error: there is no key of `attributes` called `val`; expected one of: value, base, "
        "above, "
        "below, at_least, at_most, tolerance\n");
}

static void times_are_checked(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{at: soon}]\n",
        "13:17: error: expected a time such as 1.5 (seconds), 250 ms or 2 min, not `soon`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{at: 1, every: 2}]\n",
        "13:12: error: use only one of `at`, `after` and `every`\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "timeline: [{at: 1, until: 2}]\n", "13:12: error: `from` and `until` need `every`\n");
    EXPECT_SCENARIO_MESSAGES(
        KIT "timeline: [{every: 0}]\n", "13:20: error: `every` needs a time above 0\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{every: 1, do: [{advance: 1}]}]\n",
        "13:29: error: `advance` is not allowed in a repeated entry\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{at: 5, expect: {entity: hero, alive: true}}]\n"
                                 "end: 3\n",
        "14:6: error: the timeline continues after the end\n");
    EXPECT_SCENARIO_MESSAGES(KIT "world: {start: 5}\ntimeline: [{at: 1}]\n",
        "14:17: error: the world does not start before `start`\n");
}

static void mistakes_of_a_library_within_have_their_own_place(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("library:\n"
                             "  effects:\n"
                             "    Burn:\n"
                             "      durration: 5\n"
                             "      modifiers:\n"
                             "        - attribute: Vitals.Health\n"
                             "          magnitude: max(1, 2\n"
                             "entities: {a: }\n",
        "4:7: error: there is no field `durration` here; did you mean `duration`?\n"
        "6:22: error: there is no attribute `Vitals.Health`\n"
        "7:30: error: calculation `effect Burn 1`: expected `)`, not the end\n");
    // In quotes and without, as a block, and behind an alias.
    EXPECT_SCENARIO_MESSAGES(
        "library:\n"
        "  attribute_sets: {V: {attributes: {H: 1}}}\n"
        "  effects: {A: {modifiers: {V.H: \"max(1, 2\"}}, B: {modifiers: {V.H: 1 + }}}\n"
        "  abilities: &some {X: {levl: 1}}\n"
        "  executions: *some\n"
        "entities: {a: }\n",
        "3:43: error: calculation `effect A 1`: expected `)`, not the end\n"
        "3:72: error: calculation `effect B 1`: expected a value, not the end\n"
        "4:25: error: there is no field `levl` here; expected one of: captures, transients, "
        "predict\n"
        "4:25: error: there is no field `levl` here; docs/data-fields.md lists the fields under "
        "\"ability\"\n");
    EXPECT_SCENARIO_MESSAGES("{\"scenario\": \"x\", \"library\": {\"effects\": {\"Burn\": "
                             "{\"duratio\": 5}}}, \"entities\": {}}",
        "1:52: error: there is no field `duratio` here; did you mean `duration`?\n");
    EXPECT_SCENARIO_MESSAGES("library: [1]\n", "1:10: error: a data file must be a mapping of "
                                               "sections such as `effects`, but this is a list\n");
}

static void files_that_are_not_there_are_named(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("libraries: [nowhere/at.yaml, t.txt]\n",
        "1:13: error: there is no file or folder `nowhere/at.yaml`\n"
        "1:30: error: there is no file or folder `t.txt`\n");
    EXPECT_SCENARIO_MESSAGES(
        "libraries: [{}]\n", "1:13: error: expected a text, but this is a mapping\n");
    const char *plain = "scenario_load_plain.txt";
    FILE *file = fopen(plain, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    EXPECT_SCENARIO_MESSAGES("libraries: scenario_load_plain.txt\n",
        "1:12: error: `scenario_load_plain.txt` is not a data file: its name must end in .yaml, "
        ".yml, .json or .lua\n");
    assert_int_equal(remove(plain), 0);
    kn_scenario_def def = scenario_def();
    kn_scenario *scenario;
    assert_int_equal(kn_scenario_load_file(&def, "no/such.yaml", &scenario), KN_ERROR_IO);
    assert_non_null(scenario);
    assert_int_equal(kn_scenario_message_count(scenario), 1);
    kn_data_message message = kn_scenario_message_at(scenario, 0);
    assert_true(message.is_error);
    assert_string_equal(message.file, "no/such.yaml");
    assert_string_equal(kn_scenario_message_at(scenario, 1).text, "");
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    kn_scenario_run *run;
    assert_int_equal(kn_scenario_run_create(scenario, &run_def, &run), KN_ERROR_BAD_DATA);
    assert_null(run);
    kn_scenario_destroy(scenario);
}

static void places_need_a_grid(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("entities: {a: {position: [1, 2, 3]}}\n",
        "1:15: error: a position needs `world: {grid: true}`\n");
    EXPECT_SCENARIO_MESSAGES("world: {grid: true}\nentities: {a: {position: [1, 2]}}\n",
        "2:26: error: expected a list of three numbers [x, y, z]\n");
    kn_scenario *scenario = scenario_of("world: {grid: 4}\n"
                                        "entities: {a: {position: [1, 2, 3], radius: 2}}\n");
    assert_int_not_equal(
        kn_component_find(kn_scenario_library(scenario), KN_GRID_BODY_NAME).index1, 0);
    kn_scenario_destroy(scenario);
}

static void variants_and_measures_are_checked(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {entities: {her: {level: 2}}}}\n",
        "13:30: error: there is no entity `her`; did you mean `hero`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {entity: {}}}\n",
        "13:19: error: there is no key of a variant called "
        "`entity`; expected one of: entities, world, expect\n");
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {expect: [{hash: 0x1}]}}\n",
        "13:28: error: a variant cannot have a `hash`: it is the hash of the scenario without a "
        "variant\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{hash: yes}]\n",
        "13:17: error: expected a hash such as 0x1234abcd5678ef90\n");
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {world: {start: 1}}}\n",
        "13:27: error: there is no setting of a variant called `start`; expected one of: seed, "
        "step\n");
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {world: {step: 0}}}\n",
        "13:33: error: a step must be longer than 0\n");
    EXPECT_SCENARIO_MESSAGES(KIT "end: 5 s\nvariants: {fast: {world: {step: 1/0 s}}}\n",
        "14:33: error: expected a step such as `1/60 s` or `20 ms`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "end: 5 s\nvariants: {fast: {world: {step: 1 us}}}\n",
        "14:33: error: a run would take more than 1000000 steps\n");
    EXPECT_SCENARIO_MESSAGES(KIT "measure: {dps: {entity: foe, attribute: Vitals.Health}}\n",
        "13:16: error: `measure` needs `take`\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "measure: {dps: {entity: foe, attribute: Vitals.Health, take: count}}\n",
        "13:62: error: there is no number to measure of an attribute `count`; expected one of: "
        "value, "
        "base, lost, gained, lowest, highest\n");
    EXPECT_SCENARIO_MESSAGES(KIT "measure: {dps: {entity: foe, take: lost}}\n",
        "13:16: error: a measure needs `event`, or `attribute` and `entity`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "measure: {dps: {attribute: Vitals.Health, take: lost}}\n",
        "13:16: error: `measure` needs `entity`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "measure: {dps: {event: tag changed, take: lost}}\n",
        "13:43: error: there is no number to measure of events `lost`; did you mean `last`?\n");
    EXPECT_SCENARIO_MESSAGES(KIT "measure: {dps: {event: tag changed, take: sum}}\n",
        "13:16: error: `tag changed` has no magnitude to sum up\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "measure: {won: {event: tag changed, take: happened, per_second: true}}\n",
        "13:16: error: `happened` is 1 or 0, and cannot be measured `per_second`\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "measure: {dps: {entity: foe, attribute: Vitals.Health, effect: Burn, take: lost}}\n",
        "13:56: error: there is no key of `measure` called `effect`; expected one of: entity, "
        "attribute, "
        "key, take, per_second\n");
}

// A filter that can never match would make `never` pass whatever happens.
static void filters_belong_to_their_events(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "never: [{event: tag changed, attribute: Vitals.Health}]\n",
        "13:30: error: there is no key of `tag changed` called `attribute`; expected one of: "
        "event, at, "
        "entity, tolerance, tag, count, old_count, happened, on, revoked\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{event: ability failed, reason: ended}]\n",
        "13:34: error: there is no key of `ability failed` called `reason`; expected one of: "
        "event, at, "
        "entity, tolerance, ability, activation, refused, happened, on, revoked\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{event: attribute changed, base: 1}]\n",
        "13:37: error: there is no key of `attribute changed` called `base`; expected one of: "
        "event, at, "
        "entity, tolerance, attribute, key, old, value, above, below, at_least, at_most, "
        "magnitude, happened, on, revoked\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{event: effect removed, reason: ended}]\n",
        "13:42: error: there is no reason to remove an effect `ended`; expected one of: expired, "
        "by "
        "call, "
        "dispelled, by effect, overwritten, requirement, target died, source gone, parent "
        "ended, charges used, stack cleared, shortened, mispredicted, rule\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{event: ability ended, reason: expired}]\n",
        "13:41: error: there is no reason to end `expired`; expected one of: ended, cancelled, by "
        "tags, retriggered, removed, owner gone, failed, tag lost, rejected, remote\n");
    EXPECT_SCENARIO_MESSAGES(KIT "events: [{event: cue, happened: 2}]\n",
        "13:23: error: there is no key of `cue` called `happened`; expected one of: event, at, "
        "entity, "
        "tolerance, tag, action, effect, magnitude, instigator, causer, object, location, "
        "interrupted, on\n");
    EXPECT_SCENARIO_MESSAGES(KIT "events: [{entity: foe}]\n", "13:10: error: `event` needs "
                                                              "`event`\n");
}

// What is asked of nothing would be tested never.
static void keys_belong_to_something(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: foe, stacks: 3}]\n",
        "13:24: error: `stacks` belongs to `effect`, which does not exist\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: foe, alive: true, ready: false}]\n",
        "13:37: error: `ready` belongs to `ability`, which does not exist\n");
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{entity: foe, remaining: 1 s}]\n",
        "13:24: error: `remaining` belongs to `effect`, `cooldown_tags`, `timer`, `task` or "
        "`task_name`, which does not exist\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{apply: {effect: Burn, to: foe, as: burn}},\n"
                                 "  {expect: {effect: burn, no_tags: [State]}}]}]\n",
        "14:27: error: `no_tags` belongs to `entity`, which does not exist\n");
    EXPECT_SCENARIO_MESSAGES(KIT
        "timeline: [{do: [{spec: {effect: Burn, as: burn}}, {apply: {spec: burn, to: foe,\n"
        "  level: 3}}]}]\n",
        "14:3: error: a spec already has `level`; use `change_spec` to change it\n");
}

// All mistakes at once: those of the library do not hide those of the timeline.
static void mistakes_of_the_timeline_come_with_all_others(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("library: {effects: {Burn: {durration: 5}}}\n"
                             "entities: {foe: }\n"
                             "timeline:\n"
                             "  - {at: soon, do: [{aply: {effect: Burn, to: foe}}]}\n"
                             "  - {at: 1, do: [{apply: {effect: Burn, to: fo}}]}\n"
                             "expect: [{entity: foe, query: 'any_tags(A)', tgas: [A]}]\n",
        "1:28: error: there is no field `durration` here; did you mean `duration`?\n"
        "4:10: error: expected a time such as 1.5 (seconds), 250 ms or 2 min, not `soon`\n"
        "4:22: error: there is no action `aply`; did you mean `apply`?\n"
        "5:45: error: there is no entity `fo`; expected one of: foe\n"
        "6:46: error: there is no key of `expectation` called `tgas`; did you mean `tags`?\n");
}

static void tolerances_are_numbers_or_shares(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES("tolerance: -1\n", "1:12: error: a tolerance is 0 or more\n");
    EXPECT_SCENARIO_MESSAGES("tolerance: -1%\n", "1:12: error: a tolerance is 0 or more\n");
    EXPECT_SCENARIO_MESSAGES("tolerance: much%\n", "1:12: error: expected a number, not `much`\n");
    EXPECT_SCENARIO_MESSAGES(
        "tolerance: []\n", "1:12: error: expected a number, but this is a list\n");
}

// Every beginning of a good scenario gives a scenario or messages, never anything else.
static void truncated_files_give_messages(void **state)
{
    (void)state;
    static const char text[] =
        KIT "scenario: x\n"
            "timeline:\n"
            "  - at: 1 s\n"
            "    do: [{apply: {effect: Burn, to: foe, as: burn}}]\n"
            "    expect: [{effect: burn, stacks: 1}]\n"
            "expect: [{entity: foe, attribute: Vitals.Health, below: 100}]\n";
    kn_scenario_def def = scenario_def();
    uint32_t bad = 0;
    for (size_t size = 0; size < sizeof(text); size++) {
        kn_scenario *scenario;
        kn_result result = kn_scenario_load_text(&def, "t.yaml", text, size, &scenario);
        assert_non_null(scenario);
        assert_true(result == KN_OK || result == KN_ERROR_BAD_DATA);
        assert_int_equal(result == KN_OK, kn_scenario_message_count(scenario) == 0);
        bad += result != KN_OK;
        kn_scenario_destroy(scenario);
    }
    assert_true(bad > 100);
}

// A text that grows.
typedef struct long_text {
    char *data;
    size_t length, capacity;
} long_text;

static void long_add(long_text *text, const char *format, ...) KN_PRINTF(2, 3);
static void long_add(long_text *text, const char *format, ...)
{
    if (text->capacity - text->length < 256) {
        text->capacity = 2 * text->capacity + 4096;
        text->data = realloc(text->data, text->capacity);
        assert_non_null(text->data);
    }
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text->data + text->length, 256, format, arguments);
    va_end(arguments);
    assert_true(added >= 0 && added < 256);
    text->length += (size_t)added;
}

#define MANY (100000 / SHARE(5))

// Loads, and plays if it is good. Returns how many messages there were.
static uint32_t play_long(long_text *text, uint32_t variant, uint32_t *failed)
{
    kn_scenario_def def = scenario_def();
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_text(&def, "t.yaml", text->data, text->length, &scenario);
    uint32_t messages = kn_scenario_message_count(scenario);
    *failed = 0;
    if (result == KN_OK) {
        kn_scenario_run_def run_def = kn_scenario_run_def_default();
        run_def.variant = variant;
        kn_scenario_run *run = run_of(scenario, &run_def);
        assert_int_equal(kn_scenario_run_finish(run), KN_OK);
        *failed = kn_scenario_run_failed(run);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
    free(text->data);
    *text = (long_text){0};
    return messages;
}

// Each of these took minutes when anything was searched for, or sorted in, one after the other.
static void long_files_take_time_by_their_length(void **state)
{
    (void)state;
    long_text text = {0};
    uint32_t failed;
    long_add(&text, "entities: {a: }\ntimeline:\n");
    for (uint32_t i = 0; i < MANY / 2; i++) {
        long_add(&text, "- {at: %u ms, expect: {entity: a, alive: true}}\n", MANY / 2 - i);
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 0);
    assert_int_equal(failed, 0);

    long_add(&text, "timeline:\n- do:\n");
    for (uint32_t i = 0; i < MANY / 2; i++) {
        long_add(&text, "  - spawn: {as: e%u}\n  - expect: {entity: e%u, alive: true}\n", i, i);
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 0);
    assert_int_equal(failed, 0);

    long_add(&text, "entities:\n");
    for (uint32_t i = 0; i < 1000; i++) {
        long_add(&text, "  e%u:\n", i);
    }
    long_add(&text, "variants:\n");
    for (uint32_t i = 0; i < 1000; i++) {
        long_add(&text, "  v%u: {entities: {e%u: {user: 3}}, expect: {entity: e%u, user: 3}}\n", i,
            i, i);
    }
    assert_int_equal(play_long(&text, 999, &failed), 0);
    assert_int_equal(failed, 0);
}

static void many_mistakes_are_not_all_told(void **state)
{
    (void)state;
    long_text text = {0};
    uint32_t failed;
    long_add(&text, "timeline:\n- do:\n");
    for (uint32_t i = 0; i < MANY; i++) {
        long_add(&text, "  - {spown%u: {as: e%u}}\n", i, i);
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 100);

    long_add(&text, "library: {tags: [T0");
    for (uint32_t i = 1; i < 10000; i++) {
        long_add(&text, ", T%u", i);
    }
    long_add(&text, "]}\nentities: {a: }\nexpect:\n");
    for (uint32_t i = 0; i < MANY / 2; i++) {
        long_add(&text, "- {entity: a, tags: [X%u]}\n", i);
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 100);
}

static void depth_doubles_and_circles_are_one_mistake(void **state)
{
    (void)state;
    long_text text = {0};
    uint32_t failed;
    long_add(&text, "expect: ");
    for (uint32_t i = 0; i < 5000; i++) {
        long_add(&text, "[");
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 1);
    EXPECT_SCENARIO_MESSAGES("entities: {a: &x {effects: *x}}\n",
        "1:28: error: `*x` refers to `&x`, which contains it\n");
    EXPECT_SCENARIO_MESSAGES("entities: {a: , b: , a: }\n",
        "1:22: error: the key `a` appears twice in this mapping, first on line 1\n");
    EXPECT_SCENARIO_MESSAGES(KIT "variants: {fast: {}, fast: {}}\n",
        "13:22: error: the key `fast` appears twice in this mapping, first on line 13\n");
    // Aliases of aliases, eight times each.
    long_add(&text, "comment:\n  - &a0 [1]\n");
    for (uint32_t i = 1; i < 20; i++) {
        long_add(&text, "  - &a%u [", i);
        for (uint32_t k = 0; k < 8; k++) {
            long_add(&text, "*a%u, ", i - 1);
        }
        long_add(&text, "]\n");
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 1);
    // A circle of parents is refused where it closes.
    long_add(&text, "entities:\n");
    for (uint32_t i = 0; i < 250; i++) {
        long_add(&text, "  e%u: {parent: e%u}\n", i, (i + 1) % 250);
    }
    assert_int_equal(play_long(&text, KN_SCENARIO_BASE, &failed), 0);
    assert_int_equal(failed, 1);
}

static bool no_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    kn_assert_set_handler(no_assert);
    kn_scenario_def def = {0};
    kn_scenario *scenario;
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", "", 0, &scenario), KN_ERROR_INVALID_ARGUMENT);
    assert_null(scenario);
    assert_int_equal(kn_scenario_load_file(&def, "t.yaml", &scenario), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    scenario = scenario_of(KIT);
    kn_scenario_run_def run_def = kn_scenario_run_def_default();
    run_def.variant = 3;
    kn_scenario_run *run;
    assert_int_equal(kn_scenario_run_create(scenario, &run_def, &run), KN_ERROR_INVALID_ARGUMENT);
    assert_null(run);
    kn_scenario_destroy(scenario);
    kn_scenario_destroy(NULL);
    kn_scenario_run_destroy(NULL);
}

static void a_program_may_bring_its_own_library(void **state)
{
    (void)state;
    kn_library *library;
    kn_error error;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    kn_scenario_def def = kn_scenario_def_default();
    def.library = library;
    kn_scenario *scenario;
    const char *good = "entities: {a: }\nexpect: [{entity: a, alive: true}]\n";
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", good, strlen(good), &scenario), KN_OK);
    assert_ptr_equal(kn_scenario_library(scenario), library);
    kn_scenario_destroy(scenario);
    char messages[512];
    const char *bad = "library: {}\n";
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", bad, strlen(bad), &scenario), KN_ERROR_BAD_DATA);
    scenario_messages(scenario, messages, sizeof(messages));
    assert_string_equal(
        messages, "1:1: error: the program brings its own library for this scenario\n");
    kn_scenario_destroy(scenario);
    bad = "world: {grid: true}\n";
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", bad, strlen(bad), &scenario), KN_ERROR_BAD_DATA);
    kn_scenario_destroy(scenario);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_no_scenario_is_refused),
    cmocka_unit_test(every_section_says_what_it_expects),
    cmocka_unit_test(settings_of_the_world_are_checked),
    cmocka_unit_test(actions_are_known_by_name),
    cmocka_unit_test(names_and_types_are_looked_up),
    cmocka_unit_test(expectations_must_expect_something),
    cmocka_unit_test(times_are_checked),
    cmocka_unit_test(mistakes_of_a_library_within_have_their_own_place),
    cmocka_unit_test(files_that_are_not_there_are_named),
    cmocka_unit_test(places_need_a_grid),
    cmocka_unit_test(variants_and_measures_are_checked),
    cmocka_unit_test(filters_belong_to_their_events),
    cmocka_unit_test(keys_belong_to_something),
    cmocka_unit_test(mistakes_of_the_timeline_come_with_all_others),
    cmocka_unit_test(tolerances_are_numbers_or_shares),
    cmocka_unit_test(truncated_files_give_messages),
    cmocka_unit_test(long_files_take_time_by_their_length),
    cmocka_unit_test(many_mistakes_are_not_all_told),
    cmocka_unit_test(depth_doubles_and_circles_are_one_mistake),
    cmocka_unit_test(wrong_arguments_are_refused),
    cmocka_unit_test(a_program_may_bring_its_own_library),
};

TEST_GROUP(scenario_load, tests, NULL, NULL);
