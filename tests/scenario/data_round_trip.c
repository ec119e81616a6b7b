// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What is written of a library builds the same library: equal hash, and equal text when written
// again.

#include "data_generator.h"
#include "data_written.h"

#include "scenes/scene.h"

static void check_case(const field_case *c, void *user)
{
    uint32_t *bad = user;
    static uint32_t cases;
    for (uint32_t i = cases++ % SHARE(6); i < c->value_count; i += SHARE(6)) {
        kn_library *library = case_is_good(c, i) ? case_build(c, i) : NULL;
        *bad += library != NULL && !round_trips(library, c->path);
        kn_library_destroy(library);
    }
}

static void every_field_survives_being_written_and_read(void **state)
{
    (void)state;
    uint32_t bad = 0;
    each_field_case(check_case, &bad);
    assert_int_equal(bad, 0);
}

static void scenes_written_in_c_survive_being_written_and_read(void **state)
{
    (void)state;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < scene_count; i++) {
        kn_library *library;
        assert_int_equal(scene_create_library(scene_list[i], NULL, &library, NULL), KN_OK);
        bad += !round_trips(library, scene_list[i]->name);
        kn_library_destroy(library);
    }
    assert_int_equal(bad, 0);
}

// Everything that is not a def, short forms, formulas.
static const char rich_sections[] =
    "module: Core\n"
    "tags:\n"
    "  - State.Stunned\n"
    "  - State.Rooted: cannot walk\n"
    "  - Damage: {comment: \"of any \\\"kind\\\": fire, ice\", source: Combat}\n"
    "  - Damage.Fire\n"
    "  - Secret: {restricted: true, source: Combat}\n"
    "  - GameplayCue.Hit\n"
    "  - Cues.Hit\n"
    "  - Fail.Cost\n"
    "redirects:\n"
    "  tags: {Status.Stun: State.Stunned, Old.Stun: Status.Stun}\n"
    "  attributes: {Vitals.HP: Vitals.Health}\n"
    "common_tags: [State.Rooted, State.Stunned]\n"
    "names: [Zed, Alpha]\n"
    "settings:\n"
    "  fail_tags: {cost: Fail.Cost, dead: State}\n"
    "  dead_tag: State.Stunned\n"
    "  cue_root: Cues\n"
    "contexts: {Blow: 24}\n"
    "curves:\n"
    "  Growth: [[1, 10], [2, 0.1], [3, -1e-20]]\n"
    "  Steps: {kind: step, points: [{x: 0, y: 1}, [1, 2]]}\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes:\n"
    "      Health: {default_value: 100, min: 0, max: MaxHealth, link: proportion}\n"
    "      MaxHealth: 100\n"
    "      Mana: {random_min: 1, random_max: 9, base_max: 50}\n"
    "  More:\n"
    "    parent: Vitals\n"
    "    attributes: {Rage: 5}\n"
    "requirements: {Weak: {expression: target.Vitals.Health < 10}}\n"
    "conditions: {Big: {expression: event.magnitude > 50}}\n"
    "values: {Speed: {min: 0, factor: Vitals.Mana}}\n"
    "components:\n"
    "  Ammo: {fields: {rounds: u32, place: {kind: vec3, count: 3}}, item_fields: [{name: x, kind: "
    "tag}]}\n"
    "  More Ammo: {parent: Ammo, fields: {add: {more: u8}}}\n"
    "animations: {Swing: {length: 1.5, sections: {start: 0, end: 1}, notifies: {Damage: 0.5}, "
    "user: 9007199254740993}}\n"
    "targetings: {Near: {shape: sphere, radius: 5, interval: 250ms, offset: [0, 1, -2.5], tags: "
    "{ignored: State.Stunned}}}\n"
    "starting_values:\n"
    "  Hero: {Vitals.Health: [80, 90, 100], Vitals.Mana: 3}\n"
    "  Minion: {Vitals.Health: 7}\n";

static const char rich_definitions[] =
    "effects:\n"
    "  Grandchild:\n"
    "    parent: Child\n"
    "    duration: null\n"
    "    modifiers: {add: [{attribute: Vitals.Mana, op: override, magnitude: $Bonus}]}\n"
    "    stacking: {limit: {value: 2, curve: Growth}, kind: by_source}\n"
    "    ongoing: null\n"
    "    granted_tags: {remove: [Damage.Fire]}\n"
    "  Child:\n"
    "    parent: Base\n"
    "    duration: infinite\n"
    "    period: null\n"
    "    parameters: {Bonus: 3}\n"
    "    granted_tags: {add: [State.Rooted]}\n"
    "    ongoing: {target: {required: []}}\n"
    "    children: []\n"
    "    stacking: {kind: none, limit: null}\n"
    "  Base:\n"
    "    duration: 5 + 0.5 * level\n"
    "    period: {value: 0.5, curve: Growth}\n"
    "    haste: {capture: {attribute: Vitals.Mana, from: source, default_value: 1}}\n"
    "    granted_tags: [Damage.Fire]\n"
    "    modifiers:\n"
    "      - {attribute: Vitals.Health, magnitude: -(2 * level)}\n"
    "      - {attribute: Vitals.Health, magnitude: {caller_tag: Damage, default_value: 4}, "
    "limit_max: 3}\n"
    "      - {attribute: Vitals.Mana, magnitude: {capture: target.Vitals.Mana, scale: 0.5, "
    "pre_add: 1}}\n"
    "    ongoing:\n"
    "      target: {required: [State], query: \"all(any_tags(State.Stunned, Damage), "
    "no_tags(Secret))\"}\n"
    "      attributes: [{attribute: Vitals.Health, max: 0.5, relative_to: Vitals.MaxHealth}]\n"
    "    stacking: {kind: by_target, limit: 4}\n"
    "    children: [{type: Child, when: expired, to: source}]\n"
    "    raises: {Damage: 4}\n"
    "    requirement: Weak\n"
    "    gates: [{source_any: [Damage], condition: Big}]\n"
    "    chance: 0.75\n"
    "  Toll: {modifiers: {Vitals.Mana: -1}}\n"
    "abilities:\n"
    "  Strike:\n"
    "    parent: Attack\n"
    "    costs: {add: {Vitals.Mana: 5}}\n"
    "    triggers: {Damage: tag_added}\n"
    "    activation: {required: [State], ignored: {add: State.Rooted}}\n"
    "  Attack:\n"
    "    native: any\n"
    "    tags: [Damage]\n"
    "    activation: {ignored: [State.Stunned]}\n"
    "    costs: {Vitals.Health: {amount: 1, up_to: true}}\n"
    "    cooldowns: {Damage: 3}\n"
    "    cost_effect: Toll\n"
    "ability_sets: {Kit: {entries: {Strike: 2, Attack: {input: 4}}}}\n"
    "containers: {Hit: {tag: Damage, target: targeting, targeting_type: Near, effects: [Base, "
    "Child]}}\n"
    "rules: {React: {native: any, trigger: attribute_changed, attribute: Vitals.Health, priority: "
    "-3}}\n"
    "archetypes:\n"
    "  Boss: {parent: Hero, values: {Vitals.Mana: {value: {value: 2, curve: Growth}}}}\n"
    "  Hero: {sets: [Vitals], group: Hero, tags: [State], ability_sets: Kit, abilities: [Strike],\n"
    "    effects: {Child: 3}, timers: {A: 0.5, B: }}\n";

static kn_library *rich_library(void)
{
    kn_data *data = case_data();
    data_add(data, "definitions.yaml", rich_definitions);
    data_add(data, "sections.yaml", rich_sections);
    kn_library *library = data_build(data);
    kn_data_destroy(data);
    return library;
}

// ETG-001
static void inheritance_and_short_forms_survive_being_written_and_read(void **state)
{
    (void)state;
    kn_library *library = rich_library();
    const kn_effect_def *grandchild =
        kn_def_get(library, KN_DEF_EFFECT, kn_def_find(library, KN_DEF_EFFECT, "Grandchild"));
    assert_int_equal(grandchild->modifier_count, 4);
    assert_int_equal(grandchild->granted_tags.count, 1);
    assert_false(grandchild->is_periodic);
    assert_int_equal(kn_def_count(library, KN_DEF_CONTEXT), 3);
    const kn_archetype_def *hero =
        kn_def_get(library, KN_DEF_ARCHETYPE, kn_def_find(library, KN_DEF_ARCHETYPE, "Hero"));
    assert_int_equal(hero->timer_count, 2);
    assert_true(hero->timers[0].delay == KN_MS(500) && hero->timers[1].delay == 0);
    assert_true(round_trips(library, "rich"));
    kn_library_destroy(library);
}

static void a_query_of_any_length_is_written(void **state)
{
    (void)state;
    static char text[64 * 1024];
    case_text out = {text, sizeof(text), 0};
    char name[201];
    memset(name, 'a', 200);
    name[200] = 0;
    case_put(&out, "tags: [X");
    for (uint32_t i = 0; i < 100; i++) {
        case_put(&out, ", %s.T%u", name, i);
    }
    case_put(&out, "]\neffects: {E: {application: {target: {query: \"any_tags(X");
    for (uint32_t i = 0; i < 100; i++) {
        case_put(&out, ", %s.T%u", name, i);
    }
    case_put(&out, ")\"}}}}\n");
    kn_library *library = library_of(text);
    assert_true(round_trips(library, "query"));
    kn_library_destroy(library);
}

static uint64_t hash_with_display_name(char last)
{
    static char text[8192];
    case_text out = {text, sizeof(text), 0};
    case_put(&out, "attribute_sets: {S: {attributes: {A: {display_name: \"");
    for (uint32_t i = 0; i < 5000; i++) {
        case_put(&out, "x");
    }
    case_put(&out, "%c\"}}}}\n", last);
    kn_library *library = library_of(text);
    uint64_t hash = kn_library_hash(library);
    kn_library_destroy(library);
    return hash;
}

static void a_long_text_counts_to_its_last_letter(void **state)
{
    (void)state;
    assert_true(hash_with_display_name('a') == hash_with_display_name('a'));
    assert_true(hash_with_display_name('a') != hash_with_display_name('b'));
}

// A def made in C can hold what no file says in its short forms.
static void a_limit_that_is_not_set_stays_so(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "A";
    attribute.min.value = -0.0f;
    attribute.max.value = 5.0f;
    attribute.has_random = false;
    attribute.random_max = 7.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Set";
    set.attributes = &attribute;
    set.attribute_count = 1;
    kn_attribute_set_id id;
    assert_int_equal(kn_attribute_set_register(library, &set, &id, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_true(round_trips(library, "limit"));
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_field_survives_being_written_and_read),
    cmocka_unit_test(scenes_written_in_c_survive_being_written_and_read),
    cmocka_unit_test(inheritance_and_short_forms_survive_being_written_and_read),
    cmocka_unit_test(a_query_of_any_length_is_written),
    cmocka_unit_test(a_long_text_counts_to_its_last_letter),
    cmocka_unit_test(a_limit_that_is_not_set_stays_so),
};

TEST_GROUP(data_round_trip, tests, NULL, NULL);
