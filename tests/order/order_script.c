// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders and trees in Lua: each function that the kit gives to scripts is called, hooks of order
// types and tree actions are scripts, and natives of kinds of the kit are named in data files.

#include "group.h"

#include "knack/data.h"
#include "knack/script.h"
#include "knack/tree.h"

#include <stdio.h>
#include <string.h>

static char printed[2048];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static void expect_ok(kn_result result)
{
    assert_string_equal(kn_result_name(result), kn_result_name(KN_OK));
}

static const kn_kit order_kit = {"order", kn_order_register};

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

typedef struct scripted {
    kn_script_loader *loader;
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id unit, mate, foe, player, rival;
} scripted;

static kn_library *library_of(kn_data *data)
{
    kn_library *library;
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    return library;
}

static kn_entity_id place(scripted *s, float x)
{
    kn_entity_id entity;
    kn_body body = kn_body_default();
    body.position.x = x;
    expect_ok(kn_entity_create(s->world, &entity));
    expect_ok(kn_grid_set_body(s->grid, entity, &body));
    return entity;
}

static void enlist(scripted *s, kn_entity_id entity, kn_entity_id owner)
{
    static const char *const tags[] = {"Knack.Status.Alive", "Unit.Soldier"};
    expect_ok(kn_entity_set_owner(s->world, entity, owner));
    for (uint32_t i = 0; i < 2; i++) {
        kn_tag tag = kn_tag_find(s->library, tags[i]);
        expect_ok(kn_entity_add_tag(s->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1));
    }
}

static scripted scripted_begin(void)
{
    scripted s = {0};
    kn_script_def script_def = kn_script_def_default();
    script_def.hooks.log_fn = log_line;
    expect_ok(kn_script_loader_create(&script_def, &s.loader));
    kn_data_def data_def = kn_data_def_default();
    data_def.prepare = prepare;
    data_def.kits = &order_kit;
    data_def.kit_count = 1;
    data_def.scripts = kn_script_loader_scripts(s.loader);
    expect_ok(kn_data_create(&data_def, &s.data));
    expect_ok(kn_data_add_folder(s.data, ORDER_CONTENT));
    s.library = library_of(s.data);
    kn_world_def def = kn_world_def_default();
    kn_grid_def grid_def = kn_grid_def_default();
    def.library = s.library;
    expect_ok(kn_world_create(&def, &s.world));
    grid_def.world = s.world;
    expect_ok(kn_grid_create(&grid_def, &s.grid));
    kn_world_set_space(s.world, kn_grid_space(s.grid));
    s.unit = place(&s, 0.0f);
    s.mate = place(&s, 1.0f);
    s.foe = place(&s, 5.0f);
    s.player = place(&s, 100.0f);
    s.rival = place(&s, 200.0f);
    expect_ok(kn_entity_set_connection(s.world, s.player, 1));
    enlist(&s, s.unit, s.player);
    enlist(&s, s.mate, s.player);
    enlist(&s, s.foe, s.rival);
    expect_ok(kn_world_step(s.world, 0));
    printed[0] = 0;
    return s;
}

static void scripted_end(scripted *s)
{
    kn_world_destroy(s->world);
    kn_grid_destroy(s->grid);
    kn_library_destroy(s->library);
    kn_data_destroy(s->data);
    kn_script_loader_destroy(s->loader);
}

// Commands are carried out by the next step.
static void run(const scripted *s, const char *name, uint32_t sequence)
{
    kn_command command = {.type = {kn_def_find(s->library, KN_DEF_COMMAND, name)},
        .entity = s->unit,
        .sequence = sequence};
    printed[0] = 0;
    expect_ok(kn_world_command(s->world, &command, NULL));
    expect_ok(kn_world_step(s->world, 0));
}

// ORD-012: the bodies of order types are scripts.
static void scripts_call_every_function_of_the_kit(void **state)
{
    (void)state;
    static const char *const expected[] = {"wave;attack true ticket;done;",
        "attack true ticket;cancelled;attack true ticket;cancelled;done;", "done;",
        "attack true ticket;cancelled;done;", "done;",
        "reload 3.0 false;reload 3.0 true;reload 3.0 true;aborted;done;", "end;"};
    scripted s = scripted_begin();
    for (uint32_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        run(&s, "Run", i + 1);
        assert_string_equal(printed, expected[i]);
    }
    assert_int_equal(kn_script_error_count(kn_script_loader_script(s.loader)), 0);
    // All of them are called above: what is added to the kit is added here.
    static char script[32768];
    FILE *file = fopen(ORDER_CONTENT "/functions.lua", "rb");
    assert_non_null(file);
    assert_in_range(fread(script, 1, sizeof(script) - 1, file), 1, sizeof(script) - 2);
    (void)fclose(file);
    const kn_function_def *def;
    for (uint32_t i = 0; (def = kn_function_get_def(s.library, i)) != NULL; i++) {
        char call[80];
        const char *name = strncmp(def->name, "entity", 6) == 0 ? def->name + 6 : def->name;
        (void)snprintf(call, sizeof(call), "%s(", name);
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
        "there is no order type `Fly`",
        "`target` takes an id of kind entity, got string",
        "`location` takes",
        "`result` does not take `done`",
        "`units` takes an array of entities",
        "`units` takes an array of entities",
        "`units` has too many entities",
        "get_int_key",
        "there is no tree `Nap`",
    };
    scripted s = scripted_begin();
    for (uint32_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
        run(&s, "Bad", i + 1);
        if (strstr(printed, messages[i]) == NULL || strstr(printed, "not refused") != NULL) {
            fail_msg("%u: %s", i + 1, printed);
        }
    }
    kn_unit_info info;
    assert_true(kn_unit_get_info(s.world, s.unit, &info));
    assert_true(info.is_idle);
    scripted_end(&s);
}

static void what_may_only_read_cannot_give_orders(void **state)
{
    (void)state;
    scripted s = scripted_begin();
    run(&s, "Look", 1);
    assert_non_null(strstr(printed, "can;"));
    assert_non_null(
        strstr(printed, "`issue_order` changes the world, but this call may only read"));
    kn_unit_info info;
    assert_true(kn_unit_get_info(s.world, s.unit, &info));
    assert_true(info.is_idle);
    scripted_end(&s);
}

// Natives ---------------------------------------------------------------------------------

static uint32_t dug;

static kn_result dig(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    assert_ptr_equal(user, &dug);
    dug++;
    return kn_order_end(call->writable, call->entity, c->ticket, KN_ORDER_SUCCEEDED);
}

static kn_result refuse(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_REFUSED_CUSTOM;
}

static kn_data *data_with_natives(const char *text)
{
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    def.kits = &order_kit;
    def.kit_count = 1;
    expect_ok(kn_data_create(&def, &data));
    kn_order_type_def digs = kn_order_type_def_default();
    digs.execute = (kn_hook){dig, &dug};
    kn_tree_action_def never = kn_tree_action_def_default();
    never.test = (kn_hook){refuse, NULL};
    expect_ok(kn_data_add_kind_native(data, "order type", "Digs", &digs, sizeof(digs)));
    expect_ok(kn_data_add_kind_native(data, "tree action", "Never", &never, sizeof(never)));
    assert_int_equal(kn_data_add_kind_native(data, "order type", "Digs", &digs, sizeof(digs)),
        KN_REFUSED_DUPLICATE);
    expect_ok(kn_data_add_kind_native(data, "order unit", "Digs", &digs, sizeof(digs)));
    expect_ok(kn_data_add_text(data, "t.yaml", text, strlen(text)));
    return data;
}

// ORD-012: the bodies of order types are functions in C that data files name.
static void data_files_name_functions_in_c(void **state)
{
    (void)state;
    kn_data *data = data_with_natives("kits: [order]\n"
                                      "tags: [Event.Never]\n"
                                      "tree_actions: {Never: {native: Never}}\n"
                                      "trees:\n"
                                      "  Wait: {root: {kind: wait_event, tag: Event.Never,\n"
                                      "    conditions: [{action: Never}]}}\n"
                                      "order_types:\n"
                                      "  Dig: {native: Digs, needs_life: false}\n"
                                      "order_units: {Miner: {}}\n");
    kn_library *library = library_of(data);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id unit;
    def.library = library;
    dug = 0;
    expect_ok(kn_world_create(&def, &world));
    expect_ok(kn_entity_create(world, &unit));
    expect_ok(kn_unit_add(world, unit, kn_unit_type_find(library, "Miner")));
    kn_order order = kn_order_of(kn_order_type_find(library, "Dig"));
    expect_ok(kn_order_issue(world, unit, &order, NULL));
    assert_int_equal(dug, 1);
    expect_ok(kn_tree_start(world, unit, kn_tree_find(library, "Wait")));
    kn_tree_info info;
    assert_true(kn_tree_get_info(world, unit, &info));
    assert_int_equal(info.result, KN_TREE_FAILED);
    kn_world_destroy(world);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void expect_message(const char *text, const char *message)
{
    kn_data *data = data_with_natives(text);
    kn_library *library;
    char line[512];
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    assert_true(kn_data_message_count(data) > 0);
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    if (strstr(line, message) == NULL) {
        fail_msg("%s", line);
    }
    kn_data_destroy(data);
}

static void unknown_natives_are_refused_with_a_hint(void **state)
{
    (void)state;
    expect_message("kits: [order]\norder_types:\n  Dig: {native: Dugs}\n",
        "t.yaml:3:17: error: there are no C functions called `Dugs`; did you mean `Digs`?");
    expect_message("kits: [order]\norder_types:\n  Dig: {native: Never}\n",
        "there are no C functions called `Never`");
    expect_message("kits: [order]\norder_units:\n  Miner: {native: Digs}\n",
        "the C functions called `Digs` are in a struct of ");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(scripts_call_every_function_of_the_kit),
    cmocka_unit_test(bad_arguments_are_refused_with_a_message),
    cmocka_unit_test(what_may_only_read_cannot_give_orders),
    cmocka_unit_test(data_files_name_functions_in_c),
    cmocka_unit_test(unknown_natives_are_refused_with_a_hint),
};

TEST_GROUP(order_script, tests, NULL, NULL);
