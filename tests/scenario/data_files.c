// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Libraries written as text: short forms, inheritance, order, messages.

#include "data_fixture.h"

static const char vitals[] = "tags: [Status.Burning, Damage.Fire, Ability.Fireball]\n"
                             "attribute_sets:\n"
                             "  Vitals:\n"
                             "    attributes:\n"
                             "      Health: {default_value: 100, min: 0, max: MaxHealth}\n"
                             "      MaxHealth: 100\n"
                             "      Mana: 50\n"
                             "      Power: 10\n";

static kn_library *with_vitals(const char *text)
{
    kn_data *data = data_create();
    data_add(data, "vitals.yaml", vitals);
    data_add(data, "test.yaml", text);
    kn_library *library = data_build(data);
    kn_data_destroy(data);
    return library;
}

static const kn_effect_def *effect_of(const kn_library *library, const char *name)
{
    return kn_def_get(library, KN_DEF_EFFECT, kn_def_find(library, KN_DEF_EFFECT, name));
}

static void an_attribute_set_has_limits_and_defaults(void **state)
{
    (void)state;
    kn_library *library = with_vitals("{}");
    const kn_attribute_def *health =
        kn_attribute_get_def(library, kn_attribute_find(library, "Vitals.Health"));
    assert_true(health->default_value == 100.0f);
    assert_true(health->min.is_set && health->min.value == 0.0f);
    assert_string_equal(health->max.attribute, "MaxHealth");
    kn_library_destroy(library);
}

static void an_effect_says_by_its_duration_what_it_is(void **state)
{
    (void)state;
    kn_library *library = with_vitals("effects:\n"
                                      "  Burn: {duration: 5 s, period: 1000 ms}\n"
                                      "  Hit: {modifiers: {Vitals.Health: -5}}\n"
                                      "  Zap: {duration: instant}\n"
                                      "  Curse: {duration: infinite}\n");
    const kn_effect_def *burn = effect_of(library, "Burn");
    assert_int_equal(burn->duration_kind, KN_DURATION_TIMED);
    assert_true(burn->duration.scale.value == 5.0f);
    assert_true(burn->period.scale.value == 1.0f);
    assert_true(burn->is_periodic);
    assert_int_equal(effect_of(library, "Hit")->duration_kind, KN_DURATION_INSTANT);
    assert_int_equal(effect_of(library, "Zap")->duration_kind, KN_DURATION_INSTANT);
    assert_int_equal(effect_of(library, "Curse")->duration_kind, KN_DURATION_INFINITE);
    assert_false(effect_of(library, "Curse")->is_periodic);
    kn_library_destroy(library);
}

static void magnitudes_have_short_forms(void **state)
{
    (void)state;
    kn_library *library = with_vitals(
        "curves: {Damage: [[1, 10], [5, 50]]}\n"
        "effects:\n"
        "  Hit:\n"
        "    parameters: {Bonus: 3}\n"
        "    modifiers:\n"
        "      - {attribute: Vitals.Health, magnitude: -5}\n"
        "      - {attribute: Vitals.Health, magnitude: {value: -1, curve: Damage}}\n"
        "      - {attribute: Vitals.Health, magnitude: $Bonus}\n"
        "      - {attribute: Vitals.Health, magnitude: {capture: source.Vitals.Power, scale: -2}}\n"
        "      - {attribute: Vitals.Health, magnitude: {caller_tag: Damage.Fire}}\n"
        "      - {attribute: Vitals.Health, magnitude: 2 * level}\n");
    const kn_modifier_def *modifiers = effect_of(library, "Hit")->modifiers;
    assert_true(modifiers[0].magnitude.scale.value == -5.0f);
    assert_int_not_equal(modifiers[1].magnitude.scale.curve.index1, 0);
    assert_string_equal(kn_name_text(library, modifiers[2].magnitude.scale.parameter), "Bonus");
    assert_int_equal(modifiers[3].magnitude.kind, KN_MAGNITUDE_ATTRIBUTE);
    assert_int_equal(modifiers[3].magnitude.capture.from, KN_CAPTURE_FROM_SOURCE);
    assert_true(modifiers[3].magnitude.scale.value == -2.0f);
    assert_int_equal(modifiers[4].magnitude.kind, KN_MAGNITUDE_SET_BY_CALLER);
    assert_true(modifiers[4].magnitude.scale.value == 1.0f);
    assert_int_equal(modifiers[5].magnitude.kind, KN_MAGNITUDE_CALCULATION);
    kn_library_destroy(library);
}

// ATS-046
static void everything_about_an_attribute_is_declared_in_a_file(void **state)
{
    (void)state;
    kn_library *library = library_of("attribute_sets:\n"
                                     "  Purse:\n"
                                     "    attributes:\n"
                                     "      Gold:\n"
                                     "        default_value: 5\n"
                                     "        sync: owner\n"
                                     "        is_hidden: true\n"
                                     "        min: 1\n"
                                     "        max: Limit\n"
                                     "        base_max: 50\n"
                                     "      Limit: 99\n"
                                     "      Damage: {is_meta: true, sync: none}\n");
    const kn_attribute_def *gold =
        kn_attribute_get_def(library, kn_attribute_find(library, "Purse.Gold"));
    assert_true(gold->default_value == 5.0f);
    assert_int_equal(gold->sync, KN_SYNC_OWNER);
    assert_true(gold->is_hidden && !gold->is_meta);
    assert_true(gold->min.is_set && gold->min.value == 1.0f);
    assert_true(gold->max.is_set);
    assert_string_equal(gold->max.attribute, "Limit");
    assert_true(gold->base_max.is_set && gold->base_max.value == 50.0f);
    assert_false(gold->base_min.is_set);
    const kn_attribute_def *limit =
        kn_attribute_get_def(library, kn_attribute_find(library, "Purse.Limit"));
    assert_true(limit->default_value == 99.0f);
    assert_int_equal(limit->sync, KN_SYNC_ALL);
    assert_false(limit->is_hidden);
    const kn_attribute_def *damage =
        kn_attribute_get_def(library, kn_attribute_find(library, "Purse.Damage"));
    assert_true(damage->is_meta);
    assert_int_equal(damage->sync, KN_SYNC_NONE);
    kn_library_destroy(library);
}

// ETG-001, TVE-106
static void a_child_inherits_everything_and_changes_tags_by_adding_and_removing(void **state)
{
    (void)state;
    kn_library *library = library_of("tags: [P, Q, R]\n"
                                     "effects:\n"
                                     "  Child:\n"
                                     "    parent: Base\n"
                                     "    granted_tags: {add: [R], remove: [Q]}\n"
                                     "    period: null\n"
                                     "  Base: {duration: 7, period: 2, granted_tags: [P, Q]}\n");
    const kn_effect_def *child = effect_of(library, "Child");
    assert_true(child->duration.scale.value == 7.0f);
    assert_false(child->is_periodic);
    assert_string_equal(child->parent, "Base");
    assert_int_equal(child->granted_tags.count, 2);
    assert_string_equal(kn_tag_name(library, child->granted_tags.data[0]), "P");
    assert_string_equal(kn_tag_name(library, child->granted_tags.data[1]), "R");
    assert_true(effect_of(library, "Base")->is_periodic);
    kn_library_destroy(library);
}

static void expect_tag(const kn_library *library, kn_tags tags, const char *only)
{
    assert_int_equal(tags.count, 1);
    assert_string_equal(kn_tag_name(library, tags.data[0]), only);
}

// ETG-001
static void every_list_of_tags_is_changed_by_adding_and_removing(void **state)
{
    (void)state;
    kn_library *library =
        library_of("tags: [P, R]\n"
                   "effects:\n"
                   "  Child:\n"
                   "    parent: Base\n"
                   "    asset_tags: {add: [R], remove: [P]}\n"
                   "    granted_tags: {add: [R], remove: [P]}\n"
                   "    blocked_ability_tags: {add: [R], remove: [P]}\n"
                   "    remove_effects_with: {add: [R], remove: [P]}\n"
                   "    ongoing: {target: {ignored: {add: [P], remove: [R]}}}\n"
                   "    application: {target: {required: {add: [R], remove: [P]}}}\n"
                   "    removal: {target: {required: {add: [P], remove: [R]}}}\n"
                   "  Base:\n"
                   "    duration: 7\n"
                   "    asset_tags: [P]\n"
                   "    granted_tags: [P]\n"
                   "    blocked_ability_tags: [P]\n"
                   "    remove_effects_with: [P]\n"
                   "    ongoing: {target: {ignored: [R]}}\n"
                   "    application: {target: {required: [P]}}\n"
                   "    removal: {target: {required: [R]}}\n");
    const char *const names[] = {"Base", "Child"};
    for (uint32_t i = 0; i < 2; i++) {
        const kn_effect_def *def = effect_of(library, names[i]);
        const char *tag = i == 0 ? "P" : "R";
        expect_tag(library, def->asset_tags, tag);
        expect_tag(library, def->granted_tags, tag);
        expect_tag(library, def->blocked_ability_tags, tag);
        expect_tag(library, def->remove_effects_with, tag);
        expect_tag(library, def->application.target.required, tag);
        const char *other = i == 0 ? "R" : "P"; // what an effect grants must not end it
        expect_tag(library, def->ongoing.target.ignored, other);
        expect_tag(library, def->removal.target.required, other);
    }
    kn_library_destroy(library);
}

static void definitions_may_name_each_other_in_any_order_and_over_files(void **state)
{
    (void)state;
    kn_data *data = data_create();
    data_add(data, "abilities.yaml",
        "archetypes: {Mage: {sets: [Vitals], abilities: [Fireball], values: {Vitals.Mana: 80}}}\n"
        "abilities: {Fireball: {cost_effect: Price, costs: {Vitals.Mana: 20}, cooldowns: "
        "[{duration: 4}]}}\n");
    data_add(data, "effects.json",
        "{\"effects\": {\"Price\": {\"modifiers\": {\"Vitals.Mana\": -1}},"
        " \"A\": {\"duration\": 1, \"children\": [\"B\"]},"
        " \"B\": {\"duration\": 1, \"children\": [{\"type\": \"A\", \"when\": \"expired\"}]}}}");
    data_add(data, "vitals.yaml", vitals);
    kn_library *library = data_build(data);
    kn_ability_type_id fireball = kn_ability_type_find(library, "Fireball");
    const kn_ability_def *def = kn_ability_type_get_def(library, fireball);
    assert_int_equal(def->cost_effect.index1, kn_effect_type_find(library, "Price").index1);
    assert_true(def->costs[0].amount.value == 20.0f);
    assert_true(def->cooldowns[0].duration.value == 4.0f);
    const char *file;
    uint32_t line, column;
    assert_true(kn_data_where(data, KN_DEF_ABILITY, "fireball", &file, &line, &column));
    assert_string_equal(file, "abilities.yaml");
    assert_int_equal(line, 2);
    assert_int_equal(column, 13);
    assert_false(kn_data_where(data, KN_DEF_ABILITY, "Iceball", &file, &line, &column));
    kn_data_destroy(data);
    kn_library_destroy(library);
}

static void a_library_of_files_plays(void **state)
{
    (void)state;
    kn_library *library = with_vitals(
        "effects:\n"
        "  Burn: {duration: 5, period: 1, modifiers: {Vitals.Health: -3}, granted_tags: "
        "[Status.Burning]}\n"
        "  Hit: {modifiers: [{attribute: Vitals.Health, magnitude: "
        "\"-(10 * level + source.Vitals.Power * 0.5)\"}], children: [Burn]}\n"
        "archetypes: {Mage: {sets: [Vitals]}}\n");
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id mage;
    assert_int_equal(
        kn_archetype_spawn(world, kn_archetype_find(library, "Mage"), 1.0f, &mage), KN_OK);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = kn_effect_type_find(library, "Hit");
    apply.source = mage;
    apply.target = mage;
    apply.level = 3.0f;
    assert_int_equal(kn_effect_apply(world, &apply, NULL), KN_OK);
    assert_int_equal(kn_world_step(world, KN_S(2)), KN_OK);
    kn_attribute_id health = kn_attribute_find(library, "Vitals.Health");
    assert_true(kn_attribute_value(world, mage, health) == 100.0f - 35.0f - 9.0f);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// BEY-049
static void all_mistakes_are_told_with_place_and_remedy(void **state)
{
    (void)state;
    EXPECT_MESSAGES("tags: [A.B, \"bad tag!\"]\n"
                    "efects: {}\n"
                    "effects:\n"
                    "  Burn:\n"
                    "    duration: 5\n"
                    "    perod: 1\n"
                    "    modifiers:\n"
                    "      - {attribute: Vitals.Helth, op: ovveride, magnitude: -1}\n"
                    "    granted_tags: [A.C]\n"
                    "  BURN: {duration: 1}\n"
                    "  One: {parent: Two}\n"
                    "  Two: {parent: One}\n"
                    "  Formula: {modifiers: {Vitals.Health: 1 + source.Vitals.Helth}}\n"
                    "abilities:\n"
                    "  Jump: {activate: jump}\n"
                    "attribute_sets:\n"
                    "  Vitals: {attributes: {Health: 100}}\n",
        "1:13: error: `bad tag!` is not a tag name: parts are letters, digits, `_` and `-`; did "
        "you mean `bad_tag`?\n"
        "2:1: error: there is no section `efects`; did you mean `effects`?\n"
        "6:5: error: there is no field `perod` here; did you mean `period`?\n"
        "8:21: error: there is no attribute `Vitals.Helth`; did you mean `Vitals.Health`?\n"
        "8:39: error: `ovveride` is not a value of `op`; did you mean `override`?\n"
        "9:20: error: there is no tag `A.C`; did you mean `A.B`?\n"
        "10:3: error: effect `BURN` is defined twice; first in t.yaml, line 4\n"
        "12:17: error: these definitions need each other in a cycle: One -> Two -> One; break it "
        "at one of them\n"
        "13:51: error: calculation `effect Formula 1`: unknown attribute `Vitals.Helth`; did you "
        "mean `Vitals.Health`?\n"
        "15:10: error: `activate` is a function; give it with `script` or `native`\n");
}

static kn_result jump(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static void hooks_come_from_c_by_name(void **state)
{
    (void)state;
    kn_data *data = data_create();
    kn_ability_def hooks = kn_ability_def_default();
    hooks.activate = jump;
    hooks.state_size = 12;
    hooks.user = data;
    assert_int_equal(kn_data_add_native(data, KN_DEF_ABILITY, "jump", &hooks), KN_OK);
    assert_int_equal(
        kn_data_add_native(data, KN_DEF_ABILITY, "jump", &hooks), KN_REFUSED_DUPLICATE);
    data_add(data, "a.yaml", "abilities: {Jump: {native: jump, input: 3}}");
    kn_library *library = data_build(data);
    const kn_ability_def *def =
        kn_ability_type_get_def(library, kn_ability_type_find(library, "Jump"));
    assert_true(def->activate == jump);
    assert_int_equal(def->state_size, 12);
    assert_int_equal(def->input, 3);
    kn_library_destroy(library);

    data_add(data, "b.yaml", "abilities: {Dash: {native: jmp}}");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_null(library);
    assert_string_equal(kn_data_message_at(data, 0).text,
        "there are no C functions called `jmp`; did you mean `jump`?");
    kn_data_destroy(data);
}

static void a_child_goes_without_the_functions_of_its_parent(void **state)
{
    (void)state;
    kn_data *data = data_create();
    kn_ability_def hooks = kn_ability_def_default();
    hooks.activate = jump;
    assert_int_equal(kn_data_add_native(data, KN_DEF_ABILITY, "cast", &hooks), KN_OK);
    data_add(data, "game.yaml",
        "abilities:\n"
        "  Cast: {native: cast, input: 2}\n"
        "  Same: {parent: Cast}\n"
        "  Plain: {parent: Cast, native: ~, body: use}\n"
        "  Plainer: {parent: Cast, script: ~}\n");
    kn_library *library = data_build(data);
    static const char *const names[] = {"Same", "Plain", "Plainer"};
    for (uint32_t i = 0; i < 3; i++) {
        const kn_ability_def *def =
            kn_ability_type_get_def(library, kn_ability_type_find(library, names[i]));
        assert_int_equal(def->input, 2);
        assert_int_equal(def->activate != NULL, i == 0);
    }
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void a_section_may_still_be_empty(void **state)
{
    (void)state;
    EXPECT_MESSAGES("module:\ntags:\nredirects:\ncommon_tags:\nnames:\nsettings:\nlints_off:\n"
                    "starting_values:\neffects:\nabilities: ~\n",
        "");
}

static void components_lay_themselves_out(void **state)
{
    (void)state;
    kn_library *library = library_of(
        "components: {Ammo: {fields: {rounds: u32, is_loaded: bool, target: entity}}}\n");
    const kn_component_def *def = kn_def_get(library, KN_DEF_COMPONENT, 1);
    assert_int_equal(def->size, 13);
    assert_int_equal(def->fields[2].offset, 5);
    kn_library_destroy(library);
}

static void fields_refer_to_definitions_and_take_words(void **state)
{
    (void)state;
    kn_library *library =
        library_of("components:\n"
                   "  Brain:\n"
                   "    fields:\n"
                   "      mood: {kind: enum, words: idle moving attacking, count: 2}\n"
                   "      order: {kind: ref, refers_to: ability}\n"
                   "    item_fields: {seen: {kind: ref, refers_to: archetype}}\n"
                   "target_types: {Spot: {fields: {use: {kind: enum, words: sit stand}}}}\n");
    const kn_component_def *brain = kn_def_get(library, KN_DEF_COMPONENT, 1);
    assert_int_equal(brain->size, 12);
    assert_int_equal(brain->fields[0].kind, KN_FIELD_ENUM);
    assert_int_equal(brain->fields[0].count, 2);
    assert_string_equal(brain->fields[0].words, "idle moving attacking");
    assert_null(brain->fields[0].refers_to);
    assert_int_equal(brain->fields[1].kind, KN_FIELD_REF);
    assert_string_equal(brain->fields[1].refers_to, "ability");
    assert_string_equal(brain->item_fields[0].refers_to, "archetype");
    kn_library_destroy(library);
    EXPECT_MESSAGES("components:\n"
                    "  A: {fields: {x: {kind: ref, refers_to: abilty}}}\n"
                    "  B: {fields: {x: ref}}\n"
                    "  C: {fields: {x: enum}}\n"
                    "  D: {fields: {x: {kind: enum, words: a b a}}}\n"
                    "  E: {fields: {x: {kind: u8, words: a b}}}\n",
        "2:3: error: component `A`: field x refers to `abilty`, which is not a kind of definition; "
        "did you mean `ability`?\n"
        "3:3: error: component `B`: field x needs `refers_to`: a kind of definition, such as "
        "effect\n"
        "4:3: error: component `C`: field x needs 1 to 256 `words`, separated by blanks\n"
        "5:3: error: component `D`: field x has the word `a` twice\n"
        "6:3: error: component `E`: field x has `words`, which only fields of the kind enum "
        "have\n");
}

static void states_lay_themselves_out(void **state)
{
    (void)state;
    kn_data *data = data_create();
    kn_task_type_def plain = kn_task_type_def_default();
    plain.state_size = 12;
    assert_int_equal(kn_data_add_native(data, KN_DEF_TASK, "plain", &plain), KN_OK);
    static const kn_field fields[] = {
        KN_FIELD_INIT("who", KN_FIELD_ENTITY, 0, 1), KN_FIELD_INIT("hits", KN_FIELD_U32, 8, 1)};
    kn_effect_logic_def named = kn_effect_logic_def_default();
    named.state_size = 12;
    named.state_fields = fields;
    named.state_field_count = 2;
    assert_int_equal(kn_data_add_native(data, KN_DEF_EFFECT_LOGIC, "named", &named), KN_OK);
    data_add(data, "a.yaml",
        "abilities:\n"
        "  Dash: {state_fields: {target: entity, hits: u32, seen: {kind: tag, count: 3}}}\n"
        "  Leap: {parent: Dash, state_fields: {add: {height: f32}}}\n"
        "  Walk: {parent: Dash, state_fields: {steps: u16}}\n"
        "tasks: {Chase: {native: plain, state_fields: {target: entity, hits: u32}}}\n"
        "effect_logics:\n"
        "  Shield: {native: named}\n"
        "  Ward: {native: named, state_fields: {who: entity, hits: u32}}\n");
    kn_library *library = data_build(data);
    const kn_ability_def *dash =
        kn_ability_type_get_def(library, kn_ability_type_find(library, "Dash"));
    assert_int_equal(dash->state_size, 24);
    assert_int_equal(dash->state_field_count, 3);
    assert_string_equal(dash->state_fields[2].name, "seen");
    assert_int_equal(dash->state_fields[2].kind, KN_FIELD_TAG);
    assert_int_equal(dash->state_fields[2].offset, 12);
    assert_int_equal(dash->state_fields[2].count, 3);
    const kn_ability_def *leap =
        kn_ability_type_get_def(library, kn_ability_type_find(library, "Leap"));
    assert_int_equal(leap->state_size, 28);
    assert_int_equal(leap->state_fields[3].offset, 24);
    const kn_ability_def *walk =
        kn_ability_type_get_def(library, kn_ability_type_find(library, "Walk"));
    assert_int_equal(walk->state_size, 2);
    assert_int_equal(walk->state_field_count, 1);
    const kn_task_type_def *chase = kn_def_get(library, KN_DEF_TASK, 1);
    assert_int_equal(chase->state_size, 12);
    assert_int_equal(chase->state_field_count, 2);
    for (uint32_t i = 1; i <= 2; i++) {
        const kn_effect_logic_def *logic = kn_def_get(library, KN_DEF_EFFECT_LOGIC, i);
        assert_int_equal(logic->state_size, 12);
        assert_int_equal(logic->state_field_count, 2);
        assert_string_equal(logic->state_fields[1].name, "hits");
    }
    kn_library_destroy(library);

    data_add(data, "b.yaml",
        "tasks: {Less: {native: plain, state_fields: {target: entity}}}\n"
        "effect_logics: {Other: {native: named, state_fields: {who: entity, hits: i32}}}\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_message_count(data), 2);
    assert_string_equal(kn_data_message_at(data, 0).text,
        "task `Less`: its fields cover 8 of 12 bytes; name the padding too");
    assert_string_equal(kn_data_message_at(data, 1).text,
        "the functions of `Other` declare a different state; leave this out");
    kn_data_destroy(data);
}

static void tables_of_starting_values_have_levels(void **state)
{
    (void)state;
    kn_library *library = with_vitals("starting_values:\n"
                                      "  Hero: {Vitals.Health: [80, 120], Vitals.Mana: 33}\n"
                                      "archetypes: {Hero: {sets: [Vitals], group: Hero}}\n");
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id hero;
    assert_int_equal(
        kn_archetype_spawn(world, kn_archetype_find(library, "Hero"), 1.0f, &hero), KN_OK);
    assert_true(
        kn_attribute_value(world, hero, kn_attribute_find(library, "Vitals.Health")) == 80.0f);
    assert_true(
        kn_attribute_value(world, hero, kn_attribute_find(library, "Vitals.Mana")) == 33.0f);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// Bits have words, alone or in a list; they are written by them.
static void bits_are_words(void **state)
{
    (void)state;
    kn_library *library = library_of("targetings:\n"
                                     "  One: {shape: sphere, radius: 1, confirms: user}\n"
                                     "  Two: {shape: sphere, radius: 1, confirms: [user, custom]}\n"
                                     "  Bits: {shape: sphere, radius: 1, confirms: 9}\n"
                                     "effects:\n"
                                     "  None: {cue_needs_success: []}\n"
                                     "  Some: {cue_needs_success: [executed, updated]}\n");
    static const struct {
        const char *name;
        uint32_t bits;
    } cases[] = {{"One", 2}, {"Two", 6}, {"Bits", 9}};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t found = kn_def_find(library, KN_DEF_TARGETING, cases[i].name);
        const kn_targeting_def *def = kn_def_get(library, KN_DEF_TARGETING, found);
        assert_int_equal(def->confirms, cases[i].bits);
    }
    const kn_effect_def *effect =
        kn_def_get(library, KN_DEF_EFFECT, kn_def_find(library, KN_DEF_EFFECT, "Some"));
    assert_int_equal(effect->cue_needs_success,
        (uint32_t)KN_CUE_PHASE_EXECUTED | (uint32_t)KN_CUE_PHASE_UPDATED);
    static char text[16384];
    size_t written;
    assert_int_equal(kn_data_write(library, text, sizeof(text), &written), KN_OK);
    assert_non_null(strstr(text, "- custom_multi"));
    kn_library *again = library_of(text);
    assert_true(kn_library_hash(again) == kn_library_hash(library));
    kn_library_destroy(again);
    kn_library_destroy(library);
    EXPECT_MESSAGES("targetings: {T: {shape: sphere, radius: 1, confirms: [user, custum]}}\n",
        "1:61: error: `custum` is not a value of `confirms`; did you mean `custom`?\n");
    EXPECT_MESSAGES("targetings: {T: {shape: sphere, radius: 1, confirms: {user: true}}}\n",
        "1:54: error: expected a text, but this is a mapping\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_attribute_set_has_limits_and_defaults),
    cmocka_unit_test(an_effect_says_by_its_duration_what_it_is),
    cmocka_unit_test(magnitudes_have_short_forms),
    cmocka_unit_test(everything_about_an_attribute_is_declared_in_a_file),
    cmocka_unit_test(a_child_inherits_everything_and_changes_tags_by_adding_and_removing),
    cmocka_unit_test(every_list_of_tags_is_changed_by_adding_and_removing),
    cmocka_unit_test(definitions_may_name_each_other_in_any_order_and_over_files),
    cmocka_unit_test(a_library_of_files_plays),
    cmocka_unit_test(all_mistakes_are_told_with_place_and_remedy),
    cmocka_unit_test(hooks_come_from_c_by_name),
    cmocka_unit_test(a_child_goes_without_the_functions_of_its_parent),
    cmocka_unit_test(a_section_may_still_be_empty),
    cmocka_unit_test(components_lay_themselves_out),
    cmocka_unit_test(fields_refer_to_definitions_and_take_words),
    cmocka_unit_test(states_lay_themselves_out),
    cmocka_unit_test(tables_of_starting_values_have_levels),
    cmocka_unit_test(bits_are_words),
};

TEST_GROUP(data_files, tests, NULL, NULL);
