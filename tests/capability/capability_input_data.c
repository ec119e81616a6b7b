// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Input as designers write it: actions, contexts and bindings in data files, handlers in Lua.

#include "group.h"

#include "knack/capability.h"
#include "knack/data.h"
#include "knack/script.h"

#include <stdio.h>
#include <string.h>

#define expect_ok(call) assert_int_equal(call, KN_OK)

static char printed[1024];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static const char script[] =
    "capability 'Walk' {\n"
    "  controller_attached = function(self, args) print('attached', args.controller_number) end,\n"
    "  input = function(self, args)\n"
    "    print(self.name, args.action, args.on, args.value.x, args.value.y)\n"
    "    return {consumed = args.on == 'started' and 1 or 0}\n"
    "  end,\n"
    "}\n"
    "capability 'Echo' {\n"
    "  bind = function(self, args)\n"
    "    self.entity:bind_action(args.number, 'Charge', 'started')\n"
    "    print(self.entity:bind_context(args.number, 'Menu'), self.entity:stop_input(99))\n"
    "  end,\n"
    "  input = function(self, args)\n"
    "    print(self.name, args.action, args.on, self.entity:action_value('Move').y)\n"
    "    if args.action == 'Charge' then\n"
    "      self.entity:stop_input(args.number)\n"
    "      self.entity:set_controller(4)\n"
    "    end\n"
    "  end,\n"
    "}\n";

static const char content[] = "kits: [capability]\n"
                              "input_actions:\n"
                              "  Move: {kind: axis2, deadzone: 0.25, limit: 1}\n"
                              "  Charge: {hold: 0.5, repeat: 0.25}\n"
                              "  Jump: {kind: button, once: true}\n"
                              "input_contexts:\n"
                              "  OnFoot:\n"
                              "    priority: -3\n"
                              "    mappings:\n"
                              "      - {key: W, action: Move, axis: y}\n"
                              "      - {key: S, action: Move, axis: y, scale: -1, deadzone: 0.5}\n"
                              "      - {number: 32, action: Jump}\n"
                              "  Menu: {mappings: [{key: C, action: Charge}]}\n"
                              "capabilities:\n"
                              "  Walk:\n"
                              "    script: Walk\n"
                              "    inputs: [{action: Move}, {action: Jump, on: started}]\n"
                              "    contexts: [OnFoot]\n"
                              "  Echo:\n"
                              "    script: Echo\n"
                              "    inputs: [{action: Jump, on: started}, {action: Jump}]\n"
                              "    hears_input_always: true\n"
                              "capability_sets:\n"
                              "  Hero: {capabilities: [Walk, Echo], rate: 10}\n";

static kn_data *data_of(kn_script_loader *loader, const char *lua, const char *yaml)
{
    static const kn_kit kits[] = {{"capability", kn_capability_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    def.kits = kits;
    def.kit_count = 1;
    def.warn = false;
    def.scripts = kn_script_loader_scripts(loader);
    expect_ok(kn_data_create(&def, &data));
    expect_ok(kn_data_add_text(data, "hooks.lua", lua, strlen(lua)));
    expect_ok(kn_data_add_text(data, "input.yaml", yaml, strlen(yaml)));
    return data;
}

static kn_script_loader *loader_create(void)
{
    kn_script_def def = kn_script_def_default();
    kn_script_loader *loader;
    def.hooks.log_fn = log_line;
    expect_ok(kn_script_loader_create(&def, &loader));
    return loader;
}

// CAP-017, CAP-182, CAP-193
static void input_is_written_in_data_files_and_heard_in_lua(void **state)
{
    (void)state;
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, script, content);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        print_error("%s\n", kn_data_message_at(data, i).text);
    }
    expect_ok(result);
    const kn_input_action_def *charge =
        kn_input_action_get_def(library, kn_input_action_find(library, "Charge"));
    assert_true(charge->hold == KN_MS(500) && charge->repeat == KN_MS(250) && !charge->once);
    const kn_input_context_def *foot =
        kn_input_context_get_def(library, kn_input_context_find(library, "OnFoot"));
    assert_int_equal(foot->priority, -3);
    assert_int_equal(foot->mapping_count, 3);
    assert_true(foot->mappings[0].scale == 1.0f && foot->mappings[1].scale == -1.0f);
    assert_true(foot->mappings[1].deadzone == 0.5f);
    assert_int_equal(foot->mappings[1].axis, KN_INPUT_AXIS_Y);
    assert_int_equal(foot->mappings[2].number, 32);
    const kn_capability_def *walk =
        kn_capability_get_def(library, kn_capability_find(library, "Walk"));
    assert_int_equal(walk->inputs[0].on, KN_INPUT_TRIGGER_TRIGGERED);
    assert_int_equal(walk->inputs[1].on, KN_INPUT_TRIGGER_STARTED);

    kn_world_def world_def = kn_world_def_default();
    kn_world *world;
    kn_entity_id hero;
    kn_input_mapper *mapper;
    kn_input_mapper_def mapper_def = kn_input_mapper_def_default();
    world_def.library = mapper_def.library = library;
    expect_ok(kn_world_create(&world_def, &world));
    expect_ok(kn_entity_create(world, &hero));
    expect_ok(kn_capability_set_add(world, hero, kn_capability_set_find(library, "Hero"), NULL));
    expect_ok(kn_capability_set_controller(world, hero, (kn_controller){.number = 3}));
    expect_ok(kn_input_mapper_create(&mapper_def, &mapper));
    expect_ok(kn_input_mapper_serve(mapper, world, &hero, 1));
    expect_ok(kn_input_key_named(mapper, "S", 1.0f));
    expect_ok(kn_input_key(mapper, 32, 1.0f));
    kn_command commands[4];
    uint32_t count = kn_input_mapper_commands(mapper, commands, 4);
    assert_int_equal(count, 2);
    for (uint32_t i = 0; i < count; i++) {
        expect_ok(kn_world_command(world, &commands[i], NULL));
    }
    expect_ok(kn_world_step(world, KN_MS(100)));
    // Walk keeps the start of the jump for itself.
    assert_string_equal(printed,
        "attached\t3;true\tnil\tnot_found;Walk\tMove\ttriggered\t0.0\t-1.0;"
        "Walk\tJump\tstarted\t1.0\t0.0;Echo\tJump\ttriggered\t-1.0;");
    printed[0] = 0;
    assert_int_equal(kn_capability_contexts(world, hero, NULL, 0), 2);
    expect_ok(kn_input_mapper_serve(mapper, world, &hero, 1));
    expect_ok(kn_input_key_named(mapper, "C", 1.0f));
    expect_ok(kn_input_key_named(mapper, "S", 0.0f));
    expect_ok(kn_input_key(mapper, 32, 0.0f));
    count = kn_input_mapper_commands(mapper, commands, 4);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        expect_ok(kn_world_command(world, &commands[i], NULL));
    }
    expect_ok(kn_world_step(world, KN_MS(100)));
    assert_string_equal(printed, "Echo\tCharge\tstarted\t0.0;attached\t4;true\tnil\tnot_found;");
    kn_input_mapper_destroy(mapper);
    kn_world_destroy(world);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static void mistakes_have_a_place_and_a_remedy(void **state)
{
    static const struct {
        const char *yaml, *words;
    } rows[] = {
        {"capabilities: {Walk: {script: Walk, inputs: [{action: Moev}]}}\n", "Moev"},
        {"capabilities: {Walk: {script: Walk, contexts: [Nowhere]}}\n", "Nowhere"},
        {"input_actions: {Move: {deadzone: -1}}\n", "`deadzone` and `limit` must be at least 0"},
        {"input_actions: {Move: {}}\n"
         "input_contexts: {Foot: {mappings: [{key: W, action: Move, axis: z}]}}\n",
            "choose another `kind` for the action"},
        {"input_actions: {Move: {}}\n"
         "capabilities: {Bare: {inputs: [{action: Move}]}}\n",
            "no function `input`"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char yaml[512];
        kn_script_loader *loader = loader_create();
        (void)snprintf(yaml, sizeof(yaml), "kits: [capability]\n%s", rows[i].yaml);
        kn_data *data = data_of(loader, script, yaml);
        kn_library *library;
        bool is_said = false;
        assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
        for (uint32_t j = 0; j < kn_data_message_count(data); j++) {
            is_said |= strstr(kn_data_message_at(data, j).text, rows[i].words) != NULL;
        }
        if (!is_said) {
            fail_msg("%s: %s", rows[i].words, kn_data_message_at(data, 0).text);
        }
        kn_data_destroy(data);
        kn_script_loader_destroy(loader);
    }
}

// The first block of a language in the guide.
static void read_block(const char *fence, char *text, size_t size)
{
    FILE *file = fopen(CAPABILITY_DOCS "/input.md", "r");
    char line[512];
    bool is_open = false;
    assert_non_null(file);
    text[0] = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (is_open && strncmp(line, "```", 3) == 0) {
            break;
        }
        if (is_open) {
            assert_true(strlen(text) + strlen(line) < size);
            memcpy(text + strlen(text), line, strlen(line) + 1);
        }
        is_open = is_open || strcmp(line, fence) == 0;
    }
    assert_int_equal(fclose(file), 0);
    assert_true(text[0] != 0);
}

static void the_guide_can_be_loaded(void **state)
{
    char yaml[2048], lua[1024];
    (void)state;
    read_block("```yaml\n", yaml, sizeof(yaml));
    read_block("```lua\n", lua, sizeof(lua));
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, lua, yaml);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        print_error("%s\n", kn_data_message_at(data, i).text);
    }
    expect_ok(result);
    assert_int_not_equal(kn_input_context_find(library, "OnFoot").index1, 0);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(input_is_written_in_data_files_and_heard_in_lua),
    cmocka_unit_test(mistakes_have_a_place_and_a_remedy),
    cmocka_unit_test(the_guide_can_be_loaded),
};

TEST_GROUP(capability_input_data, tests, NULL, NULL);
