// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The functions that the kit gives to scripts: each is called from Lua, with three entities that
// have different parts to play, and what makes no sense is refused with a message.

#include "combat_content.h"

#define LUA_FOLDER COMBAT_CONTENT

typedef struct scripted {
    kn_script_loader *loader;
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_entity_id hero, ally, boss;
} scripted;

static kn_entity_id spawn(scripted *s, const char *archetype)
{
    kn_entity_id entity;
    expect_ok(
        kn_archetype_spawn(s->world, kn_archetype_find(s->library, archetype), 1.0f, &entity));
    return entity;
}

static scripted scripted_begin(void)
{
    scripted s = {.loader = loader_create()};
    kn_data_def data_def = kn_data_def_default();
    data_def.prepare = prepare;
    data_def.scripts = kn_script_loader_scripts(s.loader);
    expect_ok(kn_data_create(&data_def, &s.data));
    expect_ok(kn_data_add_folder(s.data, LUA_FOLDER));
    s.library = library_of(s.data);
    kn_world_def def = kn_world_def_default();
    def.library = s.library;
    expect_ok(kn_world_create(&def, &s.world));
    s.hero = spawn(&s, "Unit");
    s.ally = spawn(&s, "Unit");
    s.boss = spawn(&s, "Monster");
    printed[0] = 0;
    return s;
}

static void scripted_end(scripted *s)
{
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    kn_data_destroy(s->data);
    kn_script_loader_destroy(s->loader);
}

// Commands are carried out by the next step.
static void run(const scripted *s, const char *name, uint32_t sequence)
{
    kn_command command = {.type = {kn_def_find(s->library, KN_DEF_COMMAND, name)},
        .entity = s->hero,
        .sequence = sequence};
    printed[0] = 0;
    expect_ok(kn_world_command(s->world, &command, NULL));
    expect_ok(kn_world_step(s->world, 0));
}

static void scripts_call_every_function_of_the_kit(void **state)
{
    (void)state;
    scripted s = scripted_begin();
    for (uint32_t i = 1; strcmp(printed, "end;") != 0; i++) {
        run(&s, "Run", i);
        if (strcmp(printed, "wait;done;") == 0) {
            expect_ok(kn_world_step(s.world, KN_MS(1900)));
        } else if (strcmp(printed, "end;") != 0) {
            assert_string_equal(printed, "done;");
        }
    }
    assert_int_equal(kn_script_error_count(kn_script_loader_script(s.loader)), 0);
    // All of them are called above: what is added to the kit is added here.
    static char script[32768];
    FILE *file = fopen(LUA_FOLDER "/functions.lua", "rb");
    assert_non_null(file);
    assert_in_range(fread(script, 1, sizeof(script) - 1, file), 1, sizeof(script) - 2);
    (void)fclose(file);
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(s.library, i)) != NULL; i++) {
        char call[80];
        (void)snprintf(call, sizeof(call), ":%s(", strchr(def->name, ':') + 1);
        if (strstr(script, call) == NULL) {
            fail_msg("no script calls %s", def->name);
        }
    }
    scripted_end(&s);
}

static void bad_arguments_are_refused_with_a_message(void **state)
{
    (void)state;
    static const char *const messages[] = {
        "`amount` takes a value, got nil",
        "`of` takes an id of kind entity, got string",
        "`amount` takes a number, got string",
        "there is no option `sorce`",
        "there is no tag `School.Ice`",
        "`options` takes a table, got number",
        "there is no resource `Rage`",
        "`resource` takes the name of a resource, got number",
        "`on` does not take `hit_taking`",
        "`last_tick` takes an integer from 0 to 4294967295",
        "`ability` takes an id of kind ability, got number",
        "`dispel` takes a value, got nil",
        "`seconds` takes a number of seconds, got number",
        "an id of kind entity has no `treat`",
    };
    scripted s = scripted_begin();
    for (uint32_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
        run(&s, "Bad", i + 1);
        if (strstr(printed, messages[i]) == NULL || strstr(printed, "not refused") != NULL) {
            fail_msg("%u: %s", i + 1, printed);
        }
    }
    assert_int_equal(kn_threat_get(s.world, s.boss, s.hero), 0);
    assert_true(kn_attribute_value(
                    s.world, s.boss, kn_attribute_find(s.library, "Vitals.Health")) == 100.0f);
    scripted_end(&s);
}

static void what_may_only_read_cannot_change_anything(void **state)
{
    (void)state;
    scripted s = scripted_begin();
    expect_ok(kn_threat_set(s.world, s.boss, s.hero, 7.0f));
    run(&s, "Look", 1);
    assert_non_null(strstr(printed, "7.0;"));
    assert_non_null(strstr(printed, "`set_threat` changes the world, but this call may only read"));
    assert_true(kn_threat_get(s.world, s.boss, s.hero) == 7.0f);
    scripted_end(&s);
}

static void find_message(const char *text, const kn_data *data)
{
    char line[512];
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        (void)kn_data_message_print(data, i, line, sizeof(line));
        if (strstr(line, text) != NULL) {
            return;
        }
    }
    fail_msg("nothing says: %s", text);
}

static void lints_know_the_functions_of_the_kit(void **state)
{
    (void)state;
    static const char wrong[] = "command 'Run' {\n"
                                "    run = function(command)\n"
                                "        local boss = command.entity\n"
                                "        boss:ad_threat(boss, 1)\n"
                                "        boss:resource('Manna')\n"
                                "        boss:damage(1, { sorce = boss })\n"
                                "        boss:run_procs('hit_take')\n"
                                "        local cast = boss:cast()\n"
                                "        print(cast.lenght, cast.total)\n"
                                "        for _, entry in ipairs(boss:threat_list()) do\n"
                                "            print(entry.treat, entry.threat)\n"
                                "        end\n"
                                "    end,\n"
                                "}\n";
    static const char yaml[] =
        "attribute_sets: {Vitals: {attributes: {Health: 9, Mana: {base_min: 0}}}}\n"
        "combat: {Rules: {health: Vitals.Health}}\n"
        "resources: {Mana: {attribute: Vitals.Mana}}\n"
        "commands: {Run: {script: Run}}\n";
    kn_script_loader *loader = loader_create();
    kn_data *data = data_of(loader, wrong, yaml);
    kn_library *library = library_of(data);
    find_message("kn.entity has no `ad_threat`; did you mean `add_threat`?", data);
    find_message("there is no resource `Manna`; did you mean `Mana`?", data);
    find_message("there is no option `sorce`; did you mean `source`?", data);
    find_message(
        "`hit_take` is not one of the words allowed here; did you mean `hit_taken`?", data);
    find_message("kn.cast_info has no `lenght`", data);
    find_message("kn.threat_entry has no `treat`; did you mean `threat`?", data);
    assert_int_equal(kn_data_message_count(data), 6);
    kn_library_destroy(library);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(scripts_call_every_function_of_the_kit),
    cmocka_unit_test(bad_arguments_are_refused_with_a_message),
    cmocka_unit_test(what_may_only_read_cannot_change_anything),
    cmocka_unit_test(lints_know_the_functions_of_the_kit),
};

TEST_GROUP(combat_lua, tests, NULL, NULL);
