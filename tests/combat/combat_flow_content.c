// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Resources and inputs as designers write them: in data files, with a hook in Lua, and what is said
// about mistakes.

#include "combat_content.h"

static const char content[] =
    "tags: [State.Dead, Resource.Mana, Category.Item]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    attributes:\n"
    "      Health: {default_value: 1000, min: 0}\n"
    "      MaxMana: 100\n"
    "      Mana: {default_value: 100, base_min: 0, base_max: MaxMana, link: proportion}\n"
    "      Rage: {base_min: 0, base_max: 100}\n"
    "      Spirit: 4\n"
    "      Runes: 2\n"
    "combat: {Rules: {health: Vitals.Health, dead: State.Dead}}\n"
    "values:\n"
    "  ManaGain:\n"
    "  ManaCost: {context_free: true}\n"
    "resources:\n"
    "  Mana:\n"
    "    attribute: Vitals.Mana\n"
    "    tag: Resource.Mana\n"
    "    gain_value: ManaGain\n"
    "    regeneration: {amount: source.Vitals.Spirit * 2, interval: 0.5, delay: 1, in_combat: "
    "0.25, while_casting: 0}\n"
    "  Rage:\n"
    "    attribute: Vitals.Rage\n"
    "    decay: {amount: 2, delay: 1, in_combat: 0}\n"
    "    rest: 10\n"
    "    script: rage\n"
    "effects:\n"
    "  Clear:\n"
    "    duration_kind: infinite\n"
    "    modifiers:\n"
    "      - {value: ManaCost, op: multiply, magnitude: 0.5}\n"
    "      - {value: ManaGain, op: multiply, magnitude: 2}\n"
    "  Strike: {modifiers: {Vitals.Rage: 13}}\n"
    "abilities:\n"
    "  Bolt:\n"
    "    body: use\n"
    "    costs: [{attribute: Vitals.Mana, amount: 40, value: ManaCost}]\n"
    "    cooldowns: [{key: Knack.Cooldown.Global, duration: 1.5, starts: at_activation}]\n"
    "  Potion: {body: use, cooldowns: [{duration: 10, charges_from: Vitals.Runes}]}\n"
    "inputs:\n"
    "  Bolt: {automatic: true, window: 0.3}\n"
    "  Drink: {ability: Potion, category: Category.Item, ignores_itself: true, cancel_on_release: "
    "true}\n"
    "input_rules: {Rules: {window: 0.25, form: one_per_category, cancels_first: true, "
    "waits_for_cooldown: false, retry: 0.2}}\n";

static const char script[] = "resource 'rage' {\n"
                             "    added = function(self) print('added', self.name) end,\n"
                             "    changed = function(self, args)\n"
                             "        print(args.why, args.old_value, args.new_value)\n"
                             "    end,\n"
                             "}\n";

// USE-006: everything that a definition has comes from data.
static void definitions_are_read_from_data(void **state)
{
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, script, content);
    kn_library *library = library_of(data);
    (void)state;
    const kn_resource_def *mana = kn_resource_get_def(library, kn_resource_find(library, "Mana"));
    assert_non_null(mana);
    assert_true(mana->regeneration.interval == 0.5f && mana->regeneration.delay == 1.0f);
    assert_true(mana->regeneration.in_combat == 0.25f && mana->regeneration.while_casting == 0.0f);
    assert_true(mana->decay.interval == 1.0f && mana->decay.in_combat == 1.0f); // defaults
    assert_int_equal(mana->gain_value.index1, kn_value_find(library, "ManaGain").index1);
    assert_string_equal(kn_tag_name(library, mana->tag), "Resource.Mana");
    const kn_resource_def *rage = kn_resource_get_def(library, kn_resource_find(library, "Rage"));
    assert_true(rage->rest.scale.value == 10.0f && rage->decay.amount.scale.value == 2.0f);
    const kn_input_def *bolt = kn_input_of_ability(library, kn_ability_type_find(library, "Bolt"));
    assert_true(bolt->automatic && bolt->window == 0.3f && !bolt->ignores_itself);
    const kn_input_def *drink =
        kn_input_of_ability(library, kn_ability_type_find(library, "Potion"));
    assert_string_equal(drink->name, "Drink");
    assert_true(drink->ignores_itself && drink->cancel_on_release && drink->window < 0.0f);
    const kn_input_rules_def *rules = kn_input_rules(library);
    assert_true(rules->window == 0.25f && rules->retry == 0.2f);
    assert_true(rules->form == KN_INPUT_ONE_PER_CATEGORY && rules->cancels_first);
    assert_false(rules->waits_for_cooldown);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void content_plays_and_scripts_hear_of_it(void **state)
{
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, script, content);
    kn_library *library = library_of(data);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id hero;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id bolt, potion;
    (void)state;
    printed[0] = 0;
    def.library = library;
    def.hooks.log_fn = log_line;
    expect_ok(kn_world_create(&def, &world));
    expect_ok(kn_entity_create(world, &hero));
    expect_ok(kn_attribute_set_add(world, hero, kn_attribute_set_find(library, "Vitals"), 0));
    grant.type = kn_ability_type_find(library, "Bolt");
    expect_ok(kn_ability_grant(world, hero, &grant, &bolt));
    grant.type = kn_ability_type_find(library, "Potion");
    expect_ok(kn_ability_grant(world, hero, &grant, &potion));
    expect_ok(kn_effect_apply_simple(
        world, kn_effect_type_find(library, "Clear"), hero, hero, 1.0f, NULL));
    expect_ok(kn_effect_apply_simple(
        world, kn_effect_type_find(library, "Strike"), hero, hero, 1.0f, NULL));
    kn_input_press_def press = kn_input_press_def_default();
    kn_input_outcome outcome;
    press.ability = bolt;
    expect_ok(kn_input_queue_press(world, hero, &press, &outcome));
    assert_int_equal(outcome, KN_INPUT_USED);
    kn_attribute_id mana = kn_attribute_find(library, "Vitals.Mana");
    assert_true(kn_attribute_value(world, hero, mana) == 80.0f); // 40 halved
    expect_ok(kn_world_step(world, KN_MS(1499)));
    assert_true(kn_attribute_value(world, hero, mana) == 80.0f);
    // Regeneration and the next automatic use come at the same time, in the order of their timers.
    expect_ok(kn_world_step(world, KN_MS(1)));
    float value = kn_attribute_value(world, hero, mana); // + 16 - 20
    assert_true(value == 76.0f);
    expect_ok(kn_input_queue_release(world, hero, bolt));
    expect_ok(kn_world_step(world, KN_MS(2500)));
    assert_string_equal(printed, "added\tRage;other\t0.0\t13.0;decay\t13.0\t11.0;"
                                 "decay\t11.0\t10.0;");
    kn_cooldown_info info;
    assert_true(kn_ability_charges(world, potion, (kn_tag){0}, &info));
    assert_int_equal(info.max_charges, 2);
    kn_world_destroy(world);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void mistakes_in_files_have_a_place_and_a_remedy(void **state)
{
    static const struct {
        const char *yaml, *message;
    } rows[] = {
        {"attribute_sets: {V: {attributes: {A: 1}}}\nresources: {R: {attribute: V.A}}\n",
            "t.yaml:2:13: error: resource `R`: the base value of its attribute V.A must have a "
            "minimum of at least 0: base_min: 0"},
        {"resources: {R: }\n",
            "t.yaml:1:13: error: resource `R` must name its attribute: attribute: Vitals.Mana"},
        {"input_rules: {R: {window: -1}}\n",
            "t.yaml:1:15: error: input rules `R`: their window must be at least 0"},
        {"inputs: {Nothing: }\n",
            "t.yaml:1:10: error: input `Nothing` must have the name of an ability, or name "
            "one: ability: Fireball"},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        kn_script_loader *loader = loader_create();
        kn_data *data = data_of(loader, script, rows[i].yaml);
        kn_library *library;
        char line[512];
        expect_result(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        (void)kn_data_message_print(data, 0, line, sizeof(line));
        assert_string_equal(line, rows[i].message);
        kn_data_destroy(data);
        kn_script_loader_destroy(loader);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(definitions_are_read_from_data),
    cmocka_unit_test(content_plays_and_scripts_hear_of_it),
    cmocka_unit_test(mistakes_in_files_have_a_place_and_a_remedy),
};

TEST_GROUP(combat_flow_content, tests, NULL, NULL);
