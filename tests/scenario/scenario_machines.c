// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenarios with machines: what is wrong with them, what they report, and how they are run. What
// they can do is in tests/scenario_files/net_*.yaml.

#include "scenario_fixture.h"

// Ends the line of entities of KIT and gives them to a machine.
#define MACHINES                                                                                   \
    "library:\n"                                                                                   \
    "  tags: [State.Stunned, State.Warded, GameplayCue.Hit]\n"                                     \
    "  attribute_sets: {Vitals: {attributes: {Health: 100, Mana: 50}}}\n"                          \
    "  effects:\n"                                                                                 \
    "    Hit: {modifiers: {Vitals.Health: -10}, cue_tags: [GameplayCue.Hit]}\n"                    \
    "    Burn: {duration: 5, period: 1, modifiers: {Vitals.Health: -3}}\n"                         \
    "    Guard: {duration: 3, granted_tags: [State.Stunned]}\n"                                    \
    "  abilities:\n"                                                                               \
    "    Bolt: {body: use, costs: {Vitals.Mana: 20}, cooldowns: [{duration: 4}], applies: "        \
    "[{effect: Guard}]}\n"                                                                         \
    "  archetypes: {Hero: {sets: [Vitals], abilities: [Bolt]}}\n"                                  \
    "machines: {server: {rate: 30}, a: {latency: 50 ms}, b: {join: 1 s}}\n"                        \
    "entities: {hero: {archetype: Hero, connection: a}, foe: {archetype: Hero}}\n"

// Loading -------------------------------------------------------------------

static void settings_of_machines_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *machines, *message;
    } cases[] = {
        {"[a]", "13:11: error: expected a mapping, but this is a list\n"},
        {"{}", "13:11: error: `machines` needs a client, such as `a: {latency: 50 ms}`, and has at "
               "most 32\n"},
        {"{server: {}}", "13:11: error: `machines` needs a client, such as `a: {latency: 50 ms}`, "
                         "and has at most 32\n"},
        {"{a: 5}", "13:15: error: expected a mapping, but this is a text\n"},
        {"{a: {latncy: 5 ms}}",
            "13:16: error: there is no setting of a client called `latncy`; did you mean "
            "`latency`?\n"},
        {"{a: {latency: -5 ms}}", "13:25: error: expected a time of at least 0 s, not `-5 ms`\n"},
        {"{a: {latency: 2 h}}", "13:25: error: `latency` is at least 0 ms and at most 1 hour\n"},
        {"{a: {timeout: 5 ms}}", "13:25: error: `timeout` is at least 100 ms and at most 1 hour\n"},
        {"{a: {loss: 101 %}}", "13:22: error: a share is from 0 % to 100 %, but this is 101 %\n"},
        {"{a: {loss: 5}}", "13:22: error: a share is from 0 % to 100 %, but this is 5\n"},
        {"{a: {loss: -1 %}}", "13:22: error: a share is from 0 % to 100 %, but this is -1 %\n"},
        {"{a: {loss: much}}", "13:22: error: expected a number, not `much`\n"},
        {"{a: {preset: wfi}}",
            "13:24: error: there is no preset of a network `wfi`; did you mean `wifi`?\n"},
        {"{a: {up: {jitter: 1 ms, join: 1 s}}}",
            "13:35: error: there is no condition of a network called `join`; expected one of: "
            "preset, latency, jitter, loss, burst_enter, burst_leave, burst_loss, duplicate, "
            "reorder, reorder_delay, corrupt, bytes_per_second, queue_bytes\n"},
        {"{a: {hide: [him]}}",
            "13:23: error: there is no entity `him`; expected one of: hero, foe\n"},
        {"{a: , server: {latency: 5 ms}}",
            "13:26: error: the server has no `latency`: it belongs to a client, and is between "
            "the two\n"},
        {"{a: , server: {rat: 5}}",
            "13:26: error: there is no setting of a server called `rat`; did you mean `rate`?\n"},
        {"{a: , server: {rate: 5}}",
            "13:32: error: expected a whole number from 10 to 128, not `5`\n"},
        {"{a: , server: {send_every: 17}}",
            "13:38: error: expected a whole number from 1 to 16, not `17`\n"},
        {"{a: , server: {mode: half}}",
            "13:32: error: there is no sync mode `half`; expected one of: full, mixed, "
            "minimal\n"},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[4096];
        (void)snprintf(text, sizeof(text), KIT "machines: %s\n", cases[i].machines);
        EXPECT_SCENARIO_MESSAGES(text, cases[i].message);
    }
    EXPECT_SCENARIO_MESSAGES(KIT "check: [sync]\nmachines: {a: }\n",
        "14:11: error: a scenario with machines cannot have `check`\n");
}

static void what_needs_machines_says_so(void **state)
{
    (void)state;
    EXPECT_SCENARIO_MESSAGES(KIT "expect: [{on: a, entity: hero, alive: true}]\n",
        "13:15: error: `a` is a machine, which needs a section `machines`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{join: a}]}]\n",
        "13:25: error: `a` is a machine, which needs a section `machines`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{network: {a: }}]}]\n",
        "13:28: error: `network` needs a section `machines`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{sync: {entity: foe, mode: full}}]}]\n",
        "13:25: error: `sync` needs a section `machines`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{spawn: {as: x, sync: full}}]}]\n",
        "13:26: error: `sync` needs a section `machines`\n");
    EXPECT_SCENARIO_MESSAGES(KIT "timeline: [{do: [{relate: {entity: foe, connection: a}}]}]\n",
        "13:53: error: `a` is a machine, which needs a section `machines`\n");
}

static void actions_of_clients_are_commands(void **state)
{
    (void)state;
    static const struct {
        const char *action, *message;
    } cases[] = {
        {"activate: {on: c, entity: hero, ability: Bolt}",
            "13:41: error: there is no machine `c`; expected one of: server, a, b\n"},
        {"apply: {on: a, effect: Hit, to: hero}",
            "13:26: error: `apply` cannot be done on `a`: a client sends commands, which are "
            "activate, cancel, cancel_input, confirm, end, issue, press, provide, release\n"},
        {"activate: {on: a, entity: hero, ability: Bolt, as: x}",
            "13:73: error: a client cannot say `as` with `activate`; it is for the server\n"},
        {"activate: {on: a, entity: hero, ability: Bolt, refused: [cost]}",
            "13:73: error: a client cannot say `refused` with `activate`; it is for the server\n"},
        {"activate: {on: a, entity: hero, tags: [State, State.Stunned]}",
            "13:36: error: a client activates by one tag\n"},
        {"cancel: {on: a, entity: hero}", "13:34: error: a client cancels an ability: name it\n"},
        {"issue: {on: a, command: press, entity: hero, connection: a}",
            "13:71: error: a client cannot say `connection` with `issue`; it is for the server\n"},
        {"activate: {entity: hero, ability: Bolt, answer: ok}",
            "13:36: error: only a client gets an answer: name it with `on`\n"},
        {"join: server", "13:32: error: `join` is for clients: the server is always there\n"},
        {"freeze: {on: server, duration: 1}",
            "13:34: error: `freeze` is for clients: the server is always there\n"},
        {"network: {server: {loss: 1}}",
            "13:36: error: there is no client `server`; expected one of: a, b\n"},
        {"network: {a: {join: 1}}",
            "13:40: error: `join` is set in `machines`, and does not change\n"},
        {"network: {a: {losss: 1}}",
            "13:40: error: there is no setting of a client called `losss`; did you mean `loss`?\n"},
        {"press: {on: b, entity: hero, input: 1}", "13:26: error: `b` joins at 1 s\n"},
        {"sight: {on: a}", "13:33: error: `sight` needs `hide` or `show`\n"},
        {"relate: {entity: hero, connection: 1}",
            "13:61: error: the numbers of connections are given at run time: name a machine, such "
            "as `a`\n"},
        {"relate: {entity: hero, connection: c}",
            "13:61: error: there is no machine `c`; expected one of: server, a, b\n"},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[4096];
        (void)snprintf(
            text, sizeof(text), MACHINES "timeline: [{at: 0, do: [{%s}]}]\n", cases[i].action);
        EXPECT_SCENARIO_MESSAGES(text, cases[i].message);
    }
}

static void what_is_expected_belongs_to_its_machine(void **state)
{
    (void)state;
    static const struct {
        const char *expectation, *message;
    } cases[] = {
        {"{entity: hero, joined: true}",
            "13:28: error: `joined` is of a client: name it with `on`\n"},
        {"{counts: {corrections: 0}}",
            "13:28: error: `counts` is of a client: name it with `on`\n"},
        {"{entity: hero, as_server: true}",
            "13:28: error: `as_server` is of a client: name it with `on`\n"},
        {"{on: a, as_server: true}",
            "13:28: error: `expectation` needs `entity`, `effect`, `ability`, `activation`, "
            "`timer`, `component`, `measure`, `hash`, `joined`, `closed` or `counts`\n"},
        {"{on: a, entity: hero, as_server: false}",
            "13:61: error: expected true, or a list of parts\n"},
        {"{on: a, entity: hero, as_server: [attribute]}",
            "13:62: error: there is no part of an entity `attribute`; did you mean "
            "`attributes`?\n"},
        {"{on: a, counts: {correctoins: 0}}",
            "13:45: error: there is no number that a client counts called `correctoins`; expected "
            "one of: accepted, refused, corrections, corrected, resimulated, revoked, resyncs, "
            "late, bad, lead, visible, out_of_sight, messages_sent, messages_received, bytes_sent, "
            "bytes_received, state_bytes\n"},
        {"{on: a, closed: gone}",
            "13:44: error: there is no reason of a connection to end `gone`; did you mean "
            "`none`?\n"},
        {"{on: a, hash: 0x1}", "13:28: error: `hash` is of the server, not of `a`\n"},
        {"{on: a, entity: hero}", "13:28: error: it does not say what is expected\n"},
        {"{on: b, entity: hero, alive: true}", "13:28: error: `b` joins at 1 s\n"},
        {"{event: tag changed, revoked: true}",
            "13:28: error: only a client takes something back: name it with `on`\n"},
        {"{on: a, event: cue, causer: hero}",
            "13:28: error: `causer` is not known any more when a client reports an event\n"},
        {"{on: a, effect: burn, stacks: 1}",
            "13:28: error: `burn` is a name of the server: on `a` give the type and `entity`\n"},
        {"{on: a, event: effect applied, effect: burn}",
            "13:28: error: `burn` is a name of the server: on `a` give the type and `entity`\n"},
    };
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[4096];
        (void)snprintf(text, sizeof(text),
            MACHINES "timeline: [{at: 0, expect: %s}, {at: 3, do: [{apply: {effect: Burn, to: "
                     "hero, as: burn}}]}]\n",
            cases[i].expectation);
        EXPECT_SCENARIO_MESSAGES(text, cases[i].message);
    }
    EXPECT_SCENARIO_MESSAGES(MACHINES "always: [{on: a, entity: hero, as_server: true}]\n",
        "13:10: error: `as_server` is for the timeline and for `expect`: it waits for the "
        "server\n");
    // Before it joins one may say that it has not.
    EXPECT_PASS(MACHINES "timeline: [{at: 0, expect: {on: b, joined: false}}]\n");
}

static void machines_have_names_and_worlds(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(MACHINES "end: 2 s\n");
    assert_int_equal(kn_scenario_machine_count(scenario), 2);
    assert_string_equal(kn_scenario_machine_name(scenario, 0), "a");
    assert_string_equal(kn_scenario_machine_name(scenario, 1), "b");
    assert_string_equal(kn_scenario_machine_name(scenario, 2), "");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_until(run, KN_MS(900)), KN_OK);
    assert_non_null(kn_scenario_run_machine_world(run, 0));
    assert_null(kn_scenario_run_machine_world(run, 1));
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_non_null(kn_scenario_run_machine_world(run, 1));
    assert_null(kn_scenario_run_machine_world(run, 2));
    // The server is at the wall clock, and its clients ahead of it.
    assert_int_equal(kn_world_now(kn_scenario_run_world(run)), KN_S(2));
    assert_true(kn_world_now(kn_scenario_run_machine_world(run, 0)) > KN_S(2));
    assert_int_equal(kn_scenario_run_now(run), KN_S(2));
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void machines_are_neither_recorded_nor_rolled_back(void **state)
{
    (void)state;
    kn_scenario *scenario = scenario_of(MACHINES "end: 1 s\n");
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run;
    def.record = true;
    assert_int_equal(kn_scenario_run_create(scenario, &def, &run), KN_ERROR_INVALID_ARGUMENT);
    assert_null(run);
    def.record = false;
    def.checks = (uint32_t)KN_SCENARIO_CHECK_SYNC | (uint32_t)KN_SCENARIO_CHECK_HEAVY;
    run = run_of(scenario, &def);
    kn_world *world = kn_scenario_run_world(run);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    assert_ptr_equal(kn_scenario_run_world(run), world);
    kn_replay_report report;
    kn_error error;
    assert_int_equal(
        kn_scenario_run_replay(run, "", 0, &report, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.message, "a scenario with machines has no recordings");
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void the_ticks_of_all_machines_count_as_steps(void **state)
{
    (void)state;
    kn_scenario_def def = scenario_def();
    char messages[1024];
    const char *text = MACHINES "end: 10 s\n";
    def.step_limit = 10 * 60 + 10 * 30 * 3;
    kn_scenario *scenario;
    assert_int_equal(
        kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_ERROR_BAD_DATA);
    scenario_messages(scenario, messages, sizeof(messages));
    assert_string_equal(messages, "13:6: error: a run would take more than 1500 steps\n");
    kn_scenario_destroy(scenario);
    def.step_limit += 10; // and what is in the timeline
    assert_int_equal(kn_scenario_load_text(&def, "t.yaml", text, strlen(text), &scenario), KN_OK);
    kn_scenario_destroy(scenario);
}

// Failures ------------------------------------------------------------------

// How far ahead a client is, and when something arrives, is up to the sessions: leaves such numbers
// out.
static void mask_numbers(const char *text, char *out)
{
    static const char *const before[] = {"tick ", "last: ", "at 1.1", "at 2.1"};
    size_t length = 0;
    while (*text != 0) {
        size_t skipped = 0;
        for (uint32_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
            size_t size = strlen(before[i]);
            if (strncmp(text, before[i], size) == 0) {
                memcpy(out + length, before[i], size);
                length += size;
                out[length++] = '#';
                skipped = size + strspn(text + size, "0123456789.");
                break;
            }
        }
        if (skipped == 0) {
            out[length++] = *text;
        }
        text += skipped > 0 ? skipped : 1;
    }
    out[length] = 0;
}

static void expect_masked(const char *text, const char *expected)
{
    char failures[8192], masked[8192];
    kn_scenario *scenario = scenario_of(text);
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_scenario_run *run = run_of(scenario, &def);
    assert_int_equal(kn_scenario_run_finish(run), KN_OK);
    scenario_failures(run, failures, sizeof(failures));
    mask_numbers(failures, masked);
    assert_string_equal(masked, expected);
    kn_scenario_run_destroy(run);
    kn_scenario_destroy(scenario);
}

static void failures_name_their_machine(void **state)
{
    (void)state;
    expect_masked(MACHINES
        "timeline:\n"
        "  - at: 0 s\n"
        "    expect: {on: a, entity: hero, attribute: Vitals.Health, value: 100}\n"
        "    do: [{activate: {on: a, entity: hero, ability: Bolt}}]\n"
        "  - at: 1 s\n"
        "    expect:\n"
        "      - {on: a, entity: hero, attribute: Vitals.Health, value: 90}\n"
        "      - {on: a, joined: false, closed: left, counts: {refused: 1, bad: {above: 3}}}\n"
        "      - {on: a, event: effect applied, happened: 1}\n"
        "      - {on: a, event: effect applied, revoked: true}\n"
        "      - {entity: hero, connection: b}\n",
        "15:13: at 0 s: expected: there is a world to look at on a, but the client has not "
        "joined\n"
        "16:11: at 0 s: expected: activate Bolt of hero on a is ok, but the result is blocked\n"
        "19:9: at 1 s: expected: Vitals.Health of hero is 90 on a, but it is 100\n"
        "    Vitals.Health 100 (base 100)\n"
        "      base  100\n"
        "    last: # s  hero  Vitals.Health 0 -> 100\n"
        "20:9: at 1 s: expected: the client has not joined on a, but it has joined\n"
        "20:9: at 1 s: expected: the reason why the connection ended is left on a, but it is none\n"
        "20:9: at 1 s: expected: refused is 1 on a, but it is 0\n"
        "20:9: at 1 s: expected: bad is above 3 on a, but it is 0\n"
        "21:9: at 1 s: expected: `effect applied` happened 1 times on a, but it happened 0 times\n"
        "22:9: at 1 s: expected: `effect applied` and was taken back, happened on a, but it did "
        "not\n"
        "23:9: at 1 s: expected: the connection of hero is 0, but it is 1\n");
}

static void answers_are_waited_for(void **state)
{
    (void)state;
    expect_masked(MACHINES
        "timeline:\n"
        "  - at: 1 s\n"
        "    do:\n"
        "      - activate: {on: a, entity: hero, ability: Bolt, answer: cooldown}\n"
        "      - advance: 1 s\n"
        "      - activate: {on: a, entity: hero, ability: Bolt, answer: ok}\n",
        "16:9: at 1.1# s: expected: the server answers cooldown to activate Bolt of hero on a, "
        "but it is ok\n"
        "18:9: at 2.1# s: expected: the server answers ok to activate Bolt of hero on a, but "
        "it is cooldown\n");
    // Nobody hears it.
    expect_masked(MACHINES "timeline:\n"
                           "  - at: 1 s\n"
                           "    do:\n"
                           "      - network: {a: {up: {loss: 100 %}}}\n"
                           "      - activate: {on: a, entity: hero, ability: Bolt, answer: ok}\n",
        "17:9: at 6 s: expected: the server answers ok to activate Bolt of hero on a, but there is "
        "no answer\n");
}

// What the server changes after the client was looked at is not in the client's world.
static void comparisons_say_what_differs_first(void **state)
{
    (void)state;
    expect_masked(MACHINES
        "timeline:\n"
        "  - at: 1 s\n"
        "    expect:\n"
        "      - {on: a, entity: hero, as_server: true}\n"
        "      - {on: a, entity: hero, as_server: [tags]}\n"
        "      - {on: a, entity: hero, attribute: Vitals.Mana, as_server: true}\n"
        "      - {on: a, entity: hero, attribute: Vitals.Health, as_server: true}\n"
        "      - {on: a, entity: foe, as_server: true}\n"
        "      - {on: a, entity: foe, effect: Burn, exists: false, as_server: true}\n"
        "      - {on: a, entity: foe, no_tags: [State], as_server: [attributes]}\n"
        "    do:\n"
        "      - set: {entity: hero, attributes: {Vitals.Mana: 30}}\n"
        "      - apply: {effect: Burn, to: foe, duration: 9 s}\n"
        "  - at: 3 s\n"
        "    do: [{destroy: foe}]\n"
        "    expect: [{on: a, entity: foe, as_server: true}]\n",
        "16:9: at 1 s: expected: hero is on a as on the server at tick #, but a has Vitals.Mana "
        "is 50 (base 50) and the server has Vitals.Mana is 30 (base 30)\n"
        "18:9: at 1 s: expected: hero is on a as on the server at tick #, but a has Vitals.Mana "
        "is 50 (base 50) and the server has Vitals.Mana is 30 (base 30)\n"
        "20:9: at 1 s: expected: foe is on a as on the server at tick #, but a has Vitals.Health "
        "is 100 (base 100) and the server has Vitals.Health is 97 (base 97)\n"
        "21:9: at 1 s: expected: foe is on a as on the server at tick #, but a has nothing and "
        "the server has Burn with 1 stacks, 8.9 s left\n"
        "22:9: at 1 s: expected: foe is on a as on the server at tick #, but a has Vitals.Health "
        "is 100 (base 100) and the server has Vitals.Health is 97 (base 97)\n"
        "28:14: at 3 s: expected: foe is on a as on the server at tick #, but a has Vitals.Health "
        "is 91 (base 91) and the server has nothing\n");
}

static void a_client_behind_the_server_is_not_compared(void **state)
{
    (void)state;
    expect_masked(MACHINES "timeline:\n"
                           "  - at: 1 s\n"
                           "    do: [{freeze: {on: a, duration: 9 s}}]\n"
                           "  - at: 2 s\n"
                           "    expect: [{on: a, entity: hero, as_server: true}]\n",
        "17:14: at 2 s: expected: hero is on a as on the server at tick #, but the server is at "
        "tick # already\n");
}

// Memory --------------------------------------------------------------------

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

static const char short_text[] =
    MACHINES "world: {grid: true}\n"
             "timeline:\n"
             "  - at: 0.5 s\n"
             "    do:\n"
             "      - activate: {on: a, entity: hero, ability: Bolt, answer: ok}\n"
             "      - apply: {effect: Burn, to: foe}\n"
             "      - network: {a: {latency: 20 ms}}\n"
             "      - sync: {entity: foe, mode: mixed}\n"
             "      - sight: {on: a, hide: [foe]}\n"
             "      - relate: {entity: foe, connection: b}\n"
             "    expect: {on: a, entity: hero, as_server: true}\n"
             "  - at: 0.7 s\n"
             "    do: [{leave: a}]\n"
             "  - at: 0.9 s\n"
             "    do: [{join: a}]\n"
             "end: 1.2 s\n"
             "expect: [{on: a, joined: true}]\n";

// True when it got through without the failure.
static bool load_and_run(failing_memory *memory)
{
    kn_scenario_def def = scenario_def();
    def.hooks = (kn_hooks){.realloc_fn = failing_realloc, .realloc_user = memory};
    kn_scenario *scenario;
    kn_result result =
        kn_scenario_load_text(&def, "t.yaml", short_text, strlen(short_text), &scenario);
    kn_scenario_run *run = NULL;
    if (result == KN_OK) {
        kn_scenario_run_def run_def = kn_scenario_run_def_default();
        run_def.hooks = def.hooks;
        result = kn_scenario_run_create(scenario, &run_def, &run);
    }
    if (result == KN_OK) {
        result = kn_scenario_run_finish(run);
    }
    if (result == KN_OK && memory->requests < memory->fail_at) {
        char failures[4096];
        scenario_failures(run, failures, sizeof(failures));
        assert_string_equal(failures, "");
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
    failing_memory memory = {.fail_at = 1};
    while (!load_and_run(&memory)) {
        memory = (failing_memory){.fail_at = memory.fail_at + 1 + memory.fail_at / 40};
    }
    assert_true(memory.fail_at > 500);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(settings_of_machines_are_checked),
    cmocka_unit_test(what_needs_machines_says_so),
    cmocka_unit_test(actions_of_clients_are_commands),
    cmocka_unit_test(what_is_expected_belongs_to_its_machine),
    cmocka_unit_test(machines_have_names_and_worlds),
    cmocka_unit_test(machines_are_neither_recorded_nor_rolled_back),
    cmocka_unit_test(the_ticks_of_all_machines_count_as_steps),
    cmocka_unit_test(failures_name_their_machine),
    cmocka_unit_test(answers_are_waited_for),
    cmocka_unit_test(comparisons_say_what_differs_first),
    cmocka_unit_test(a_client_behind_the_server_is_not_compared),
    cmocka_unit_test(running_out_of_memory_leaks_nothing),
};

TEST_GROUP(scenario_machines, tests, NULL, NULL);
