// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Data files and scripts together: definitions in YAML, bodies in Lua.

#include "data_fixture.h"

#include "knack/script.h"

static const char content[] =
    "tags: [Ability.Bolt, Data.Power, Event.Hot]\n"
    "attribute_sets:\n"
    "  Vitals:\n"
    "    script: clamp\n"
    "    attributes: {Health: 100, Mana: {default_value: 50, base_min: 0}}\n"
    "executions:\n"
    "  Blast: {script: blast}\n"
    "calculations:\n"
    "  Wrath: {script: wrath}\n"
    "requirements:\n"
    "  Living: {script: Living}\n"
    "effects:\n"
    "  Hit: {executions: [Blast], requirement: Living}\n"
    "  Rage: {duration: infinite, modifiers: {Vitals.Mana: {magnitude: {calculation: Wrath}}}}\n"
    "abilities:\n"
    "  Bolt: {script: Bolt, tags: [Ability.Bolt], costs: {Vitals.Mana: 20}}\n"
    "archetypes:\n"
    "  Mage: {sets: [Vitals], abilities: [Bolt], effects: [Rage]}\n";

static const char chunk[] =
    "attributes 'clamp' { pre_change = function(change) return math.min(change.new_value, 120) end "
    "}\n"
    "execution 'blast' { execute = function(self) self:output('Vitals.Health', 'add', -30) end }\n"
    "calculation 'wrath' { calculate = function(self) return 10 * self.level end }\n"
    "requirement 'Living' {\n"
    "    allow = function(self) return self.target:value('Vitals.Health') > 0 end\n"
    "}\n"
    "ability 'Bolt' {\n"
    "    state = { shots = kn.u32 },\n"
    "    activate = function(self)\n"
    "        if not self:commit() then return false, 'cost' end\n"
    "        self:wait(0.5, 'land')\n"
    "    end,\n"
    "    land = function(self)\n"
    "        self.state.shots = self.state.shots + 1\n"
    "        self:apply('Hit', self.owner)\n"
    "        self:finish()\n"
    "    end,\n"
    "}\n";

static kn_data *scripted(kn_script_loader **loader)
{
    assert_int_equal(kn_script_loader_create(NULL, loader), KN_OK);
    kn_data_def def = kn_data_def_default();
    def.scripts = kn_script_loader_scripts(*loader);
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    return data;
}

static void bodies_in_lua_serve_definitions_in_files(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "mage.yaml", content);
    data_add(data, "mage.lua", chunk);
    kn_library *library = data_build(data);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader); // the library keeps the script
    kn_entity_id mage;
    assert_int_equal(
        kn_archetype_spawn(world, kn_archetype_find(library, "Mage"), 1.0f, &mage), KN_OK);
    kn_attribute_id health = kn_attribute_find(library, "Vitals.Health");
    kn_attribute_id mana = kn_attribute_find(library, "Vitals.Mana");
    assert_true(kn_attribute_value(world, mage, mana) == 60.0f);
    kn_ability_type_id bolt = kn_ability_type_find(library, "Bolt");
    assert_int_equal(kn_ability_activate_type(world, mage, bolt, NULL), KN_OK);
    assert_true(kn_attribute_base(world, mage, mana) == 30.0f);
    assert_true(kn_attribute_value(world, mage, health) == 100.0f);
    assert_int_equal(kn_world_step(world, KN_S(1)), KN_OK);
    assert_true(kn_attribute_value(world, mage, health) == 70.0f);
    assert_int_equal(kn_attribute_set_base(world, mage, health, 0, 500.0f), KN_OK);
    assert_true(kn_attribute_value(world, mage, health) == 120.0f);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void a_policy_in_lua_serves_an_attribute_in_a_file(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "move.yaml",
        "policies: {Weakest: {script: Weakest}}\n"
        "attribute_sets:\n"
        "  Move: {attributes: {Speed: {default_value: 600, qualify: custom, policy: Weakest}}}\n"
        "effects:\n"
        "  Mud: {duration: infinite, modifiers: {Move.Speed: -50}}\n"
        "  Ice: {duration: infinite, modifiers: {Move.Speed: -80}}\n"
        "archetypes: {Runner: {sets: [Move], effects: [Ice, Mud]}}\n");
    data_add(data, "move.lua",
        "policy 'Weakest' { qualify = function(self, modifiers)\n"
        "    local least\n"
        "    for _, m in ipairs(modifiers) do\n"
        "        if not least or m.influence > least.influence then least = m end\n"
        "    end\n"
        "    return {least}\n"
        "end }\n");
    kn_library *library = data_build(data);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id runner;
    assert_int_equal(
        kn_archetype_spawn(world, kn_archetype_find(library, "Runner"), 1.0f, &runner), KN_OK);
    kn_attribute_id speed = kn_attribute_find(library, "Move.Speed");
    assert_true(kn_attribute_value(world, runner, speed) == 550.0f);
    assert_int_equal(kn_script_error_count(kn_script_loader_script(loader)), 0);
    kn_world_destroy(world);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void an_archetype_in_a_file_starts_a_ticker(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "regen.yaml",
        "attribute_sets: {Vitals: {attributes: {Health: 10}}}\n"
        "timers: {Regen: {script: Regen}, Ping: {script: Ping}}\n"
        "archetypes:\n"
        "  Troll: {sets: [Vitals], timers: [Regen]}\n"
        "  OldTroll: {parent: Troll, timers: {Ping: 0.5}}\n");
    data_add(data, "regen.lua",
        "ticker 'Regen' { interval = 0.25, tick = function(self, dt)\n"
        "    self.entity:set_base('Vitals.Health', self.entity:base('Vitals.Health') + 4 * dt)\n"
        "end }\n"
        "timer 'Ping' { fired = function(self)\n"
        "    self.entity:stop_ticker('Regen')\n"
        "end }\n");
    kn_library *library = data_build(data);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id young, old;
    kn_archetype_id troll = kn_archetype_find(library, "Troll");
    assert_int_equal(kn_archetype_spawn(world, troll, 1.0f, &young), KN_OK);
    troll = kn_archetype_find(library, "OldTroll");
    assert_int_equal(kn_archetype_spawn(world, troll, 1.0f, &old), KN_OK);
    assert_int_equal(kn_world_step(world, KN_S(1)), KN_OK);
    kn_attribute_id health = kn_attribute_find(library, "Vitals.Health");
    assert_true(kn_attribute_value(world, young, health) == 14.0f);
    assert_true(kn_script_ticker_runs(world, young, "Regen"));
    float value = kn_attribute_value(world, old, health);
    assert_true(value == 11.0f); // at 0.5 s its end comes before the tick: that timer is older
    assert_false(kn_script_ticker_is_there(world, old, "Regen"));
    assert_int_equal(kn_script_error_count(kn_script_loader_script(loader)), 0);
    kn_world_destroy(world);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void what_a_script_lacks_or_says_wrong_has_a_place(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "a.yaml", "abilities: {Jump: {script: Jmp}}\n");
    data_add(data, "a.lua", "ability 'Jump' {\n    activate = function(self) end\n}\n");
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_null(library);
    assert_int_equal(kn_data_message_count(data), 1);
    kn_data_message first = kn_data_message_at(data, 0);
    assert_string_equal(first.file, "a.yaml");
    assert_int_equal(first.line, 1);
    assert_non_null(strstr(first.text, "Jmp"));
    // What a script that cannot be read would have defined is not missed.
    data_add(data, "b.lua", "local x =\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_data_message_count(data), 1);
    kn_data_message second = kn_data_message_at(data, 0);
    assert_string_equal(second.file, "b.lua");
    assert_true(second.line >= 1);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

// Lua reports only the end of a long name; the message has the place once, whatever its length.
static void the_place_of_an_error_is_told_once(void **state)
{
    (void)state;
    for (size_t length = 50; length < 75; length++) {
        char name[96] = "";
        memset(name, 'x', length - 4);
        (void)snprintf(name + length - 4, 5, ".lua");
        kn_script_loader *loader;
        kn_data *data = scripted(&loader);
        data_add(data, name, "\nlocal x = = 1\n");
        kn_library *library;
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        assert_int_equal(kn_data_message_count(data), 1);
        kn_data_message message = kn_data_message_at(data, 0);
        assert_string_equal(message.file, name);
        assert_int_equal(message.line, 2);
        assert_string_equal(message.text, "unexpected symbol near '='");
        kn_data_destroy(data);
        kn_script_loader_destroy(loader);
    }
}

typedef struct lint_example {
    const char *lint;
    const char *line;    // of the body; the rest is fine
    const char *message; // as far as it matters
    uint32_t column;
} lint_example;

static const lint_example lint_examples[] = {
    {"script-name", "self.owner:apply('Brun')", "there is no effect `Brun`; did you mean `Burn`?",
        18},
    {"script-name", "self.owner:has_tag('Ded')", "there is no tag `Ded`; did you mean `Dead`?", 20},
    {"script-name", "self.owner:value('V.Helth')",
        "there is no attribute `V.Helth`; did you mean `V.Health`?", 18},
    {"script-api", "self:fnish()", "kn.running has no `fnish`; did you mean `finish`?", 6},
    {"script-api", "world.nwo()", "world has no `nwo`; did you mean `now`?", 7},
    {"script-api", "local i = self.ability:info() print(i.levle)",
        "kn.ability_info has no `levle`; did you mean `level`?", 39},
    {"script-global", "hits = 1", "`hits` is a global, and a rule cannot assign to it", 1},
    {"script-global", "pritn(1)", "there is no variable `pritn`; did you mean `print`?", 1},
    {"script-hook", "self:wait(1, 'lnd')",
        "ability `Jump` has no function `lnd`; did you mean `land`?", 14},
    {"script-hook", "end, canActivate = function() return true", "did you mean `can_activate`?", 6},
};

// One warning, or none when its lint is off.
static void expect_lint(const lint_example *example, bool is_off)
{
    kn_data_def def = kn_data_def_default();
    kn_script_loader *loader;
    assert_int_equal(kn_script_loader_create(NULL, &loader), KN_OK);
    def.scripts = kn_script_loader_scripts(loader);
    def.lints_off = is_off ? example->lint : NULL;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    data_add(data, "a.yaml",
        "tags: [Dead]\nattribute_sets: {V: {attributes: {Health: 1}}}\n"
        "effects: {Burn: {duration: 1}}\nabilities: {Jump: {script: Jump}}\n"
        "archetypes: {X: {abilities: [Jump], effects: [Burn]}}\n");
    char text[512];
    (void)snprintf(text, sizeof(text),
        "ability 'Jump' {\n  activate = function(self) self:wait(1, 'land')\n%s\nend,\n"
        "  land = function(self) self:finish() end }\n",
        example->line);
    data_add(data, "a.lua", text);
    kn_library *library;
    assert_int_equal(kn_data_build(data, &library), KN_OK);
    assert_int_equal(kn_data_message_count(data), is_off ? 0 : 1);
    if (!is_off) {
        kn_data_message message = kn_data_message_at(data, 0);
        char lint[64];
        (void)snprintf(lint, sizeof(lint), " [%s]", example->lint);
        assert_string_equal(message.file, "a.lua");
        assert_int_equal(message.line, 3);
        assert_int_equal(message.column, example->column);
        if (strstr(message.text, example->message) == NULL || strstr(message.text, lint) == NULL) {
            fail_msg("%s", message.text);
        }
    }
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void lints_look_into_scripts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lint_examples) / sizeof(lint_examples[0]); i++) {
        expect_lint(&lint_examples[i], false);
        expect_lint(&lint_examples[i], true);
    }
}

// A file may say what the state of a script holds, as written libraries do, but nothing else.
static void a_script_says_what_its_state_holds(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "a.lua",
        "ability 'Jump' {\n    state = { hits = kn.u32(3), who = kn.entity },\n"
        "    activate = function(self) end\n}\n");
    data_add(data, "a.yaml",
        "abilities:\n  Jump: {script: Jump}\n"
        "  Leap: {script: Jump, state_fields: {who: entity, hits: u32, hits.set: bool}}\n");
    kn_library *library = data_build(data);
    for (uint32_t i = 1; i <= 2; i++) {
        const kn_ability_def *def = kn_ability_type_get_def(library, (kn_ability_type_id){i});
        assert_int_equal(def->state_size, 13);
        assert_int_equal(def->state_field_count, 3);
        assert_string_equal(def->state_fields[2].name, "hits.set");
    }
    kn_library_destroy(library);
    data_add(data, "b.yaml", "abilities: {Hop: {script: Jump, state_fields: {who: entity}}}\n");
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_string_equal(kn_data_message_at(data, 0).text,
        "the functions of `Hop` declare a different state; leave this out");
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void a_second_build_has_a_script_of_its_own(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_data *data = scripted(&loader);
    data_add(data, "mage.yaml", content);
    data_add(data, "mage.lua", chunk);
    kn_library *first = data_build(data);
    kn_library *second = data_build(data);
    assert_true(kn_library_hash(first) == kn_library_hash(second));
    assert_non_null(kn_script_loader_script(loader));
    kn_library_destroy(first);
    kn_library_destroy(second);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void where_files_lie_makes_no_difference(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_script_loader *loader;
        kn_data *data = scripted(&loader);
        data_add(data, i == 0 ? "mage.yaml" : "far/away/mage.yaml", content);
        data_add(data, i == 0 ? "mage.lua" : "far/away/mage.lua", chunk);
        kn_library *library = data_build(data);
        hashes[i] = kn_library_hash(library);
        kn_library_destroy(library);
        kn_data_destroy(data);
        kn_script_loader_destroy(loader);
    }
    assert_true(hashes[0] == hashes[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_in_lua_serve_definitions_in_files),
    cmocka_unit_test(a_policy_in_lua_serves_an_attribute_in_a_file),
    cmocka_unit_test(an_archetype_in_a_file_starts_a_ticker),
    cmocka_unit_test(what_a_script_lacks_or_says_wrong_has_a_place),
    cmocka_unit_test(the_place_of_an_error_is_told_once),
    cmocka_unit_test(lints_look_into_scripts),
    cmocka_unit_test(a_script_says_what_its_state_holds),
    cmocka_unit_test(a_second_build_has_a_script_of_its_own),
    cmocka_unit_test(where_files_lie_makes_no_difference),
};

TEST_GROUP(data_scripts, tests, NULL, NULL);
