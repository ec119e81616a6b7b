// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What is legal but surely not meant: each warning has a place, a text that brings it and one that
// does not, and each lint can be switched off.

#include "data_generator.h"

static const char base[] =
    "tags: [State.Low, State.Never, Ability.A]\n"
    "attribute_sets:\n"
    "  Vitals: {attributes: {Health: {default_value: 100, max: Top}, Top: 100,\n"
    "    Mana: {default_value: 10, max: 50}, Rage: 5, Slow: 1}}\n"
    "effects:\n"
    "  Hit: {modifiers: {Vitals.Health: -1}}\n"
    "  Low: {duration: 5, granted_tags: [State.Low]}\n"
    "containers: {All: {effects: [Hit, Low]}}\n";

static kn_result load_any(
    void *user, const char *name, const char *text, size_t size, kn_error *error)
{
    (void)user;
    (void)name;
    (void)text;
    (void)size;
    (void)error;
    return KN_OK;
}

// How many warnings have the word. `line` receives that of the last.
static uint32_t warnings_with(
    const char *text, const char *off, const char *script, const char *word, uint32_t *line)
{
    kn_data_def def = kn_data_def_default();
    def.lints_off = off;
    def.scripts.load = load_any;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    case_add_native(data, KN_DEF_ABILITY, "any");
    case_add_native(data, KN_DEF_RULE, "any");
    case_add_native(data, KN_DEF_EFFECT_LOGIC, "any");
    kn_effect_logic_def lasting = kn_effect_logic_def_default(); // nothing for instant effects
    assert_int_equal(kn_data_add_native(data, KN_DEF_EFFECT_LOGIC, "lasting", &lasting), KN_OK);
    data_add(data, "base.yaml", base);
    data_add(data, "lint.yaml", text);
    data_add(data, "script.lua", script);
    kn_library_destroy(data_build(data));
    uint32_t count = 0;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        assert_false(message.is_error);
        if (strstr(message.text, word) != NULL) {
            assert_string_equal(message.file, "lint.yaml");
            *line = message.line;
            count++;
        }
    }
    kn_data_destroy(data);
    return count;
}

typedef struct lint_example {
    const char *lint;
    uint32_t line;
    const char *bad, *good;
} lint_example;

static const lint_example lint_examples[] = {
    {"child-removal", 3,
        "effects:\n  E: {duration: 5,\n    children: [{type: Hit, remove_with_parent: true}]}\n"
        "containers: {C: {effects: [E]}}\n",
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, remove_with_parent: true}]}\n"
        "containers: {C: {effects: [E]}}\n"},
    {"child-removal", 3,
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, when: ended, "
        "remove_with_parent: true}]}\ncontainers: {C: {effects: [E]}}\n",
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, when: ended}]}\n"
        "containers: {C: {effects: [E]}}\n"},
    {"default-limits", 2, "attribute_sets:\n  Bad: {attributes: {A: {default_value: 5, max: 4}}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 5, max: 5}}}\n"},
    {"default-limits", 2,
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 5, base_max: B}, B: 4}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 5, base_max: B}, B: 4}}\n"
        "starting_values: {Hero: {Bad.B: 9}}\n"},
    {"default-limits", 2, "attribute_sets:\n  Bad: {attributes: {A: {default_value: 0, min: 1}}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 1, min: 1}}}\n"},
    {"instant-logic", 2, "effects:\n  E: {logic: Mind}\neffect_logics: {Mind: {native: lasting}}\n",
        "effects:\n  E: {duration: 5, logic: Mind}\neffect_logics: {Mind: {native: lasting}}\n"},
    {"instant-logic", 2, "effects:\n  E: {logic: Mind}\neffect_logics: {Mind: {native: lasting}}\n",
        "effects:\n  E: {logic: Mind}\neffect_logics: {Mind: {native: any}}\n"},
    {"instant-effect", 2, "effects:\n  E: {granted_tags: [State.Low]}\n",
        "effects:\n  E: {duration: 5, granted_tags: [State.Low]}\n"},
    {"stack-limit", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 2, initial: 3}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 3, initial: 3}}\n"},
    {"tick-options", 2, "effects:\n  E: {duration: 5, skip_first_tick: true}\n",
        "effects:\n  E: {duration: 5, period: 1, skip_first_tick: true}\n"},
    {"unreachable-threshold", 3,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 3},\n"
        "    children: [{type: Hit, when: count_reached, count: 4}]}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 4},\n"
        "    children: [{type: Hit, when: count_reached, count: 4}]}\n"},
    {"unreachable-threshold", 2,
        "effects:\n  E: {application: {attributes: [{attribute: Vitals.Mana, above: 50}]}}\n",
        "effects:\n  E: {application: {attributes: [{attribute: Vitals.Mana, min: 50}]}}\n"},
    {"biased-factors", 3,
        "attribute_sets:\n  Move:\n    {attributes: {Speed: 5}}\n"
        "effects:\n  A: {duration: 5, modifiers: [{attribute: Move.Speed, op: multiply, magnitude: "
        "0.5}],\n    stacking: {kind: by_target}}\n"
        "  B: {duration: 5, parent: A}\n",
        "tags: [Slow]\nattribute_sets:\n  Move:\n    {attributes: {Speed: 5}}\n"
        "effects:\n  A: {duration: 5, modifiers: [{attribute: Move.Speed, op: multiply, magnitude: "
        "0.5}],\n    exclusive_group: Slow}\n"
        "  B: {duration: 5, parent: A}\n"},
    {"child-removal", 3,
        "effects:\n  E: {duration: 5,\n"
        "    children: [{type: Low, when: removed_early, remove_with_parent: true}]}\n"
        "containers: {C: {effects: [E]}}\n",
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, when: removed_early}]}\n"
        "containers: {C: {effects: [E]}}\n"},
    {"own-condition", 3,
        "effects:\n  E: {duration: 5, granted_tags: [State.Low],\n    ongoing: {target: "
        "[State]}}\n",
        "effects:\n  E: {duration: 5, granted_tags: [State.Low],\n"
        "    ongoing: {target: [Ability.A]}}\n"},
    {"empty-query", 2, "effects:\n  E: {application: {target: {query: \"\"}}}\n",
        "effects:\n  E: {application: {target: {query: no_tags(State.Low)}}}\n"},
    {"endless", 3,
        "effects:\n  E: {duration_kind: infinite,\n    grants: [{ability: A}]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: E}]}}\n",
        "effects:\n  E: {duration_kind: infinite,\n    grants: [{ability: A}]}\n"
        "  F: {duration: 5, grants: [A]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: Low}]}}\n"},
    {"endless", 3,
        "effects:\n  E: {duration: 5,\n    grants: [A], children: [{type: Low}]}\n"
        "  G: {duration: 5, children: [{type: E}]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: G}]}}\n",
        "effects:\n  E: {duration: 5,\n    grants: [A], children: [{type: Low}]}\n"
        "  G: {duration: 5, children: [{type: E}]}\n"
        "abilities: {A: {body: use, applies: [{effect: G}]}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_lower_level: refuse,\n"
        "    on_other_source: take_over}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_lower_level: refuse,\n"
        "    on_higher_level: take_over}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_source, on_other_source: take_over}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_other_source: take_over}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, key_level: true,\n"
        "    on_lower_level: refuse}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, key_level: true,\n"
        "    on_equal_level: refuse}}\n"},
    {"tag-never-granted", 2, "effects:\n  E: {duration: 5, ongoing: {target: [State.Never]}}\n",
        "effects:\n  E: {duration: 5, ongoing: {target: [State.Low, State]}}\n"},
    {"tag-never-granted", 2, "abilities:\n  A: {native: any, activation: [State.Never]}\n",
        "abilities:\n  A: {native: any, activation: {ignored: [State.Never]}}\n"},
    {"unpayable-ability", 2, "abilities:\n  A: {native: any, costs: {Vitals.Mana: 51}}\n",
        "abilities:\n  A: {native: any, costs: {Vitals.Mana: 50}}\n"},
    {"unpayable-ability", 2, "abilities:\n  A: {native: any, costs: {Vitals.Health: 101}}\n",
        "abilities:\n  A: {native: any, costs: {Vitals.Health: 101}}\n"
        "effects: {Grow: {duration: 5, modifiers: {Vitals.Top: 5}}}\n"},
    {"unpayable-ability", 3,
        "effects: {Price: {modifiers: {Vitals.Rage: -6}}}\n"
        "abilities:\n  A: {native: any, cost_effect: Price}\n",
        "effects: {Price: {modifiers: {Vitals.Rage: -6}}}\n"
        "abilities:\n  A: {native: any, cost_effect: Price}\n"
        "starting_values: {Hero: {Vitals.Rage: 7}}\n"},
    {"unused-ability", 2, "abilities:\n  A: {native: any}\n",
        "abilities:\n  A: {native: any}\n  B: {native: any}\n  C: {native: any}\n"
        "  D: {native: any, parent: C}\n"
        "ability_sets: {S: {entries: [A]}}\narchetypes: {X: {sets: Vitals, abilities: [B, D]}}\n"},
    {"unused-ability", 2, "abilities:\n  A: {native: any}\neffects: {E: {duration: 5}}\n",
        "abilities:\n  A: {native: any}\neffects: {E: {duration: 5, grants: [A]}}\n"},
    {"unused-effect", 2,
        "effects:\n  E: {duration: 5}\n"
        "rules: {R: {native: any, trigger: effect_applied, effect_type: E}}\n",
        "effects: {A: {duration: 5}, B: {parent: A}, C: {duration: 5, children: [B]},\n"
        "  P: {modifiers: {Vitals.Mana: -1}}}\n"
        "abilities: {X: {native: any, cost_effect: P}}\n"
        "archetypes: {X: {sets: Vitals, effects: [C]}}\n"},
    {"unused-effect", 1, "effects: {E: {duration: 5}}\nabilities: {A: {body: use}}\n",
        "effects: {E: {duration: 5}, F: {duration: 5}}\n"
        "abilities: {A: {body: use, applies: [E, {container: C}]}}\n"
        "containers: {C: {effects: [F]}}\n"},
    // Each of these has one neighbour above: another field, another moment, the number beside.
    {"child-removal", 3,
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, when: expired, "
        "remove_with_parent: true}]}\ncontainers: {C: {effects: [E]}}\n",
        "effects:\n  E: {duration: 5,\n    children: [{type: Low, when: expired}, {type: Hit}]}\n"
        "containers: {C: {effects: [E]}}\n"},
    {"default-limits", 2,
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 5, base_min: B}, B: 6}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 6, base_min: B}, B: 6}}\n"},
    {"default-limits", 2,
        "attribute_sets:\n  Bad: {attributes: {A: {has_random: true, random_min: 1, random_max: "
        "9, min: 2}}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {has_random: true, random_min: 2, random_max: "
        "9, min: 2, max: 9}}}\n"},
    {"default-limits", 2,
        "attribute_sets:\n  Bad: {attributes: {A: {has_random: true, random_min: 1, random_max: "
        "9, base_max: 8}}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 9, max: B}, B: {has_random: "
        "true, random_min: 1, random_max: 8}}}\n"},
    {"default-limits", 2,
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 101, max: Vitals.Top}}}\n",
        "attribute_sets:\n  Bad: {attributes: {A: {default_value: 101, max: Vitals.Top}}}\n"
        "archetypes: {X: {sets: [Bad], values: {Bad.A: 3}}}\n"},
    {"unreachable-threshold", 3,
        "effects:\n  E: {duration: 5, stacking: {kind: by_source, limit: 3},\n"
        "    children: [{type: Low, when: count_held, count: 4}]}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_source},\n"
        "    children: [{type: Low, when: count_held, count: 4}]}\n"},
    {"unreachable-threshold", 2,
        "effects:\n  E: {duration: 5, ongoing: {attributes: [{attribute: Vitals.Mana, min: "
        "50.5}]}}\n",
        "effects:\n  E: {duration: 5, ongoing: {attributes: [{attribute: Vitals.Mana, above: "
        "49.5, max: 60, below: 70}]}}\n"},
    {"unreachable-threshold", 3,
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2}}}}\n"
        "effects:\n  E: {duration: 5, removal: {attributes: [{attribute: Low.A, max: 1.5}]}}\n",
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2}}}}\n"
        "effects:\n  E: {duration: 5, removal: {attributes: [{attribute: Low.A, max: 2}]}}\n"},
    {"unreachable-threshold", 3,
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2}}}}\n"
        "effects:\n  E: {duration: 5, removal: {attributes: [{attribute: Low.A, below: 2}]}}\n",
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2}}}}\n"
        "effects:\n  E: {duration: 5, removal: {attributes: [{attribute: Low.A, below: 2.5, min: "
        "0, above: 0}]}}\n"},
    // A share of another attribute may be any number, and a base may be exceeded.
    {"unreachable-threshold", 3,
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2}}}}\n"
        "effects:\n  E: {application: {attributes: [{attribute: Low.A, max: 0.5}]}}\n",
        "attribute_sets: {Low: {attributes: {A: {default_value: 5, min: 2, base_max: 9}}}}\n"
        "effects:\n  E: {application: {attributes: [{attribute: Low.A, max: 0.5, relative_to: "
        "Vitals.Top}, {attribute: Low.A, min: 10}]}}\n"},
    {"endless", 3,
        "effects:\n  E: {duration: 5,\n    grants: [A]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: Low}, {effect: "
        "E, to: owner}]}}\n",
        "effects:\n  E: {duration: 5,\n    grants: [A]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: Low}, {effect: "
        "E, to: target}]}}\n"},
    {"endless", 3,
        "effects:\n  E: {duration: 5,\n    grants: [B, A]}\n"
        "  F: {duration: 5, children: [{type: Low, when: ended}, {type: G}]}\n"
        "  G: {duration: 5, children: [{type: E}]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: F}]},\n"
        "  B: {body: use}}\n",
        "effects:\n  E: {duration: 5,\n    grants: [A]}\n"
        "  F: {duration: 5, children: [{type: E, when: ended}, {type: E, to: source}]}\n"
        "abilities: {A: {activates_on_grant: true, body: use, applies: [{effect: F}]}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_equal_level: take_over,\n"
        "    on_same_source: refuse}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_other_source: take_over,\n"
        "    on_same_source: refuse}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_higher_level: refuse,\n"
        "    on_same_source: take_over}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_source, on_higher_level: take_over,\n"
        "    on_same_source: take_over}}\n"},
    {"stack-rules", 2,
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, key_level: true,\n"
        "    on_higher_level: take_over}}\n",
        "effects:\n  E: {duration: 5, stacking: {kind: by_target, on_lower_level: refuse,\n"
        "    on_higher_level: refuse}}\n"},
    {"tag-never-granted", 2, "effects:\n  E: {application: {target: [State.Never]}}\n",
        "effects:\n  E: {application: {target: [State.Never]}}\n"
        "archetypes: {X: {tags: [State.Never]}}\n"},
    {"tag-never-granted", 2, "effects:\n  E: {application: {target: [State.Low, State.Never]}}\n",
        "effects:\n  E: {application: {target: [State.Low, State.Never]}}\n"
        "abilities: {A: {native: any, owned_tags: [State.Never]}}\n"},
    {"unpayable-ability", 2,
        "abilities:\n  A: {native: any, costs: {Vitals.Rage: 1, Vitals.Slow: 2}}\n",
        "abilities:\n  A: {native: any, costs: [{attribute: Vitals.Slow, amount: 2, up_to: true},\n"
        "    {attribute: Vitals.Rage, amount: 6, share_of: Vitals.Top}]}\n"},
    {"unpayable-ability", 3,
        "attribute_sets: {Purse: {attributes: {Gold: {default_value: 1, base_max: 3}}}}\n"
        "abilities:\n  A: {native: any, costs: {Purse.Gold: 4}}\n",
        "attribute_sets: {Purse: {attributes: {Gold: {default_value: 1, base_max: 3}}}}\n"
        "abilities:\n  A: {native: any, costs: {Purse.Gold: 3}}\n"},
    {"unpayable-ability", 3,
        "attribute_sets: {Purse: {attributes: {Gold: {has_random: true, random_max: 3}}}}\n"
        "abilities:\n  A: {native: any, costs: {Purse.Gold: 4}}\n",
        "attribute_sets: {Purse: {attributes: {Gold: {has_random: true, random_max: 3}}}}\n"
        "abilities:\n  A: {native: any, costs: {Purse.Gold: 3}}\n"},
    {"unpayable-ability", 4,
        "effects: {Price: {modifiers: {Vitals.Slow: -1, Vitals.Rage: -6}},\n"
        "  Less: {duration: 5, modifiers: {Vitals.Rage: -1}}}\n"
        "abilities:\n  A: {native: any, cost_effect: Price}\n",
        "effects: {Price: {modifiers: {Vitals.Slow: -1, Vitals.Rage: -6}},\n"
        "  More: {duration: 5, modifiers: {Vitals.Rage: {op: multiply, magnitude: 0.5}}}}\n"
        "abilities:\n  A: {native: any, cost_effect: Price}\n"},
};

#define LINT_EXAMPLES (sizeof(lint_examples) / sizeof(*lint_examples))

// BEY-095
static void each_lint_has_its_place_and_can_be_switched_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINT_EXAMPLES; i++) {
        const lint_example *example = &lint_examples[i];
        char word[64];
        (void)snprintf(word, sizeof(word), "[%s]", example->lint);
        uint32_t line = 0;
        if (warnings_with(example->bad, NULL, "", word, &line) != 1 || line != example->line) {
            fail_msg("%s, line %u: %s", word, line, example->bad);
        }
        if (warnings_with(example->good, NULL, "", word, &line) != 0) {
            fail_msg("%s: %s", word, example->good);
        }
        assert_int_equal(warnings_with(example->bad, example->lint, "", word, &line), 0);
    }
}

static void there_is_an_example_for_every_lint(void **state)
{
    (void)state;
    for (uint32_t i = 0; kn_data_lint_name(i) != NULL; i++) {
        // Those of scripts are looked at where there are scripts: data_scripts.c; those of kits in
        // tests/cli/combat.txt.
        bool found = strncmp(kn_data_lint_name(i), "script-", 7) == 0 ||
                     strcmp(kn_data_lint_name(i), "idle-setting") == 0;
        for (size_t j = 0; j < LINT_EXAMPLES; j++) {
            found |= strcmp(lint_examples[j].lint, kn_data_lint_name(i)) == 0;
        }
        if (!found) {
            fail_msg("%s", kn_data_lint_name(i));
        }
        assert_true(strlen(kn_data_lint_text(i)) > 0);
    }
    assert_null(kn_data_lint_text(UINT32_MAX));
}

// What the library itself warns about comes once, with the place of the definition.
// BEY-095, MOD-025
static void warnings_of_the_library_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *word, *bad, *good;
    } examples[] = {
        {"granted tags", "effects:\n  E: {granted_tags: [State.Low]}\n",
            "effects:\n  E: {duration: 5, granted_tags: [State.Low]}\n"},
        {"ongoing", "effects:\n  E: {ongoing: {target: [State.Low]}}\n",
            "effects:\n  E: {duration: 5, ongoing: {target: [State.Low]}}\n"},
        {"gates", "effects:\n  E: {gates: [{source_any: [State.Low]}]}\n",
            "effects:\n  E: {duration: 5, gates: [{source_any: [State.Low]}]}\n"},
        {"blocks", "effects:\n  E: {blocked_ability_tags: [State.Low]}\n",
            "effects:\n  E: {duration: 5, blocked_ability_tags: [State.Low]}\n"},
        {"children at its end", "effects:\n  E: {children: [{type: Hit, when: ended}]}\n",
            "effects:\n  E: {duration: 5, children: [{type: Hit, when: ended}]}\n"},
        {"tick options", "effects:\n  E: {duration: 5, skip_first_tick: true}\n",
            "effects:\n  E: {duration: 5, period: 1, skip_first_tick: true}\n"},
        {"more stacks than",
            "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 2, initial: 3}}\n",
            "effects:\n  E: {duration: 5, stacking: {kind: by_target, limit: 3, initial: 3}}\n"},
    };
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
        uint32_t line = 0;
        assert_int_equal(warnings_with(examples[i].bad, NULL, "", examples[i].word, &line), 1);
        assert_int_equal(line, 2);
        assert_int_equal(warnings_with(examples[i].good, NULL, "", examples[i].word, &line), 0);
    }
    uint32_t line = 0;
    const char *set = "attribute_sets:\n  Move:\n    attributes:\n      Speed: 5\n"
                      "effects: {E: {duration: 5, modifiers: [{attribute: Move.Speed, op: %s,\n"
                      "  magnitude: 0.5}]}}\n";
    char text[512];
    (void)snprintf(text, sizeof(text), set, "multiply");
    assert_int_equal(warnings_with(text, NULL, "", "several factors below 1", &line), 1);
    assert_int_equal(line, 4);
    (void)snprintf(text, sizeof(text), set, "multiply_compound");
    assert_int_equal(warnings_with(text, NULL, "", "several factors below 1", &line), 0);
}

static void a_script_that_names_a_thing_uses_it(void **state)
{
    (void)state;
    const char *text = "effects:\n  E: {duration: 5, ongoing: {target: State.Never}}\n"
                       "abilities: {A: {native: any}}\n";
    uint32_t line;
    assert_int_equal(warnings_with(text, NULL, "apply(E, A)", "[", &line), 3);
    assert_int_equal(
        warnings_with(text, NULL, "apply('E'); add(\"State.Never\"); give(\"A\")", "[", &line), 0);
}

static void a_lint_that_does_not_exist_is_told(void **state)
{
    (void)state;
    kn_data_def def = kn_data_def_default();
    def.lints_off = " unused-effekt  unused-ability ";
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    kn_library_destroy(data_build(data));
    assert_int_equal(kn_data_message_count(data), 1);
    assert_string_equal(
        kn_data_message_at(data, 0).text, "there is no lint `unused-effekt` to turn off");
    kn_data_destroy(data);
}

static void without_warnings_there_are_no_lints(void **state)
{
    (void)state;
    kn_data_def def = kn_data_def_default();
    def.warn = false;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "a.yaml", "effects: {E: {skip_first_tick: true}}\n");
    kn_library_destroy(data_build(data));
    assert_int_equal(kn_data_message_count(data), 0);
    kn_data_destroy(data);
}

// MOD-025
static void factors_below_one_are_fine_above_a_floor(void **state)
{
    (void)state;
    EXPECT_MESSAGES(
        "lints_off: [unused-effect]\n"
        "attribute_sets: {Body: {attributes: {Speed: {default_value: 9, min: 1}}}}\n"
        "effects:\n"
        "  Mud: {duration: 1, modifiers: {Body.Speed: {op: multiply, magnitude: 0.5}}}\n",
        "");
    EXPECT_MESSAGES(
        "lints_off: [unused-effect]\n"
        "attribute_sets: {Body: {attributes: {Speed: {default_value: 9, min: 0}}}}\n"
        "effects:\n"
        "  Mud: {duration: 1, modifiers: {Body.Speed: {op: multiply, magnitude: 0.5}}}\n",
        "2:38: warning: Body.Speed: several factors below 1 may act together (Mud); in a biased "
        "sum they can reach 0 and less: use compound factors, a group or an exclusive group "
        "[biased-factors]\n");
}

static void a_file_switches_lints_off_for_the_library(void **state)
{
    (void)state;
    EXPECT_MESSAGES("lints_off: [unused-effect]\neffects: {Mud: {duration: 1}}\n", "");
    EXPECT_MESSAGES("lints_off: [unused-effekt]\n",
        "1:13: error: there is no lint `unused-effekt`; did you mean `unused-effect`?\n");
    EXPECT_MESSAGES(
        "lints_off: none\n", "1:12: error: expected a list of lints, but this is a text\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(factors_below_one_are_fine_above_a_floor),
    cmocka_unit_test(a_file_switches_lints_off_for_the_library),
    cmocka_unit_test(each_lint_has_its_place_and_can_be_switched_off),
    cmocka_unit_test(there_is_an_example_for_every_lint),
    cmocka_unit_test(warnings_of_the_library_have_places),
    cmocka_unit_test(a_script_that_names_a_thing_uses_it),
    cmocka_unit_test(a_lint_that_does_not_exist_is_told),
    cmocka_unit_test(without_warnings_there_are_no_lints),
};

TEST_GROUP(data_lints, tests, NULL, NULL);
