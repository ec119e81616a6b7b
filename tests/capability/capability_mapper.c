// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// From keys to commands: mappers with contexts, priorities and other keys.

#include "capability/capability_test.h"

#include <math.h>

#define MAPPINGS(array) (array), (uint32_t)(sizeof(array) / sizeof(*(array)))

typedef struct desk {
    fixture *f;
    kn_input_action_id move, look, jump, use, back;
    kn_input_context_id foot, menu;
    kn_capability_set_id walk, screen;
    kn_input_mapper *mapper;
    char sent[512];
} desk;

static kn_result hook_nothing(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_input_action_id action(fixture *f, const char *name, kn_input_kind kind, float deadzone)
{
    kn_input_action_id id;
    kn_input_action_def def = kn_input_action_def_default();
    def.name = name;
    def.kind = kind;
    def.deadzone = deadzone;
    assert_int_equal(kn_input_action_register(f->library, &def, &id, NULL), KN_OK);
    return id;
}

static kn_input_context_id context(fixture *f, const char *name, int32_t priority,
    const kn_input_mapping *mappings, uint32_t count)
{
    kn_input_context_id id;
    kn_error error = {0};
    kn_input_context_def def = kn_input_context_def_default();
    def.name = name;
    def.priority = priority;
    def.mappings = mappings;
    def.mapping_count = count;
    if (kn_input_context_register(f->library, &def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static kn_capability_set_id set_with(fixture *f, const char *name, kn_input_context_id of)
{
    kn_capability_def def = kn_capability_def_default();
    kn_capability_set_def set = kn_capability_set_def_default();
    kn_capability_id id;
    kn_capability_set_id set_id;
    def.name = set.name = name;
    def.can_tick = false;
    def.contexts = &of;
    def.context_count = 1;
    def.input = (kn_hook){hook_nothing, NULL};
    assert_int_equal(kn_capability_def_register(f->library, &def, &id, NULL), KN_OK);
    set.capabilities = &id;
    set.capability_count = 1;
    assert_int_equal(kn_capability_set_register(f->library, &set, &set_id, NULL), KN_OK);
    return set_id;
}

static void serve(desk *d, const kn_entity_id *entities, uint32_t count)
{
    assert_int_equal(kn_input_mapper_serve(d->mapper, d->f->world, entities, count), KN_OK);
}

// Walking and looking with a pitch that is inverted by its mapping, and a screen above it that
// shares a key.
static desk *desk_create(void)
{
    desk *d = calloc(1, sizeof(*d));
    fixture *f = d->f = fixture_create();
    d->move = action(f, "Move", KN_INPUT_KIND_AXIS2, 0.0f);
    d->look = action(f, "Look", KN_INPUT_KIND_AXIS2, 0.1f);
    d->jump = action(f, "Jump", KN_INPUT_KIND_BUTTON, 0.0f);
    d->use = action(f, "Use", KN_INPUT_KIND_BUTTON, 0.0f);
    d->back = action(f, "Back", KN_INPUT_KIND_BUTTON, 0.0f);
    const kn_input_mapping foot[] = {
        {"W", 0, d->move, KN_INPUT_AXIS_Y, 1.0f, 0.0f},
        {"S", 0, d->move, KN_INPUT_AXIS_Y, -1.0f, 0.0f},
        {"D", 0, d->move, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {"StickX", 0, d->move, KN_INPUT_AXIS_X, 1.0f, 0.2f},
        {"MouseX", 0, d->look, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {"MouseY", 0, d->look, KN_INPUT_AXIS_Y, -1.0f, 0.0f},
        {"Space", 0, d->jump, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {NULL, 17, d->use, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {NULL, 0, d->use, KN_INPUT_AXIS_X, 1.0f, 0.0f},
    };
    const kn_input_mapping menu[] = {
        {"Space", 0, d->back, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {"W", 0, d->look, KN_INPUT_AXIS_Y, 1.0f, 0.0f},
    };
    d->foot = context(f, "OnFoot", 10, MAPPINGS(foot));
    d->menu = context(f, "Menu", 20, MAPPINGS(menu));
    d->walk = set_with(f, "Walk", d->foot);
    d->screen = set_with(f, "Screen", d->menu);
    begin(f);
    kn_input_mapper_def def = kn_input_mapper_def_default();
    def.library = f->library;
    def.connection = 4;
    assert_int_equal(kn_input_mapper_create(&def, &d->mapper), KN_OK);
    add(f, d->walk);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    assert_int_equal(
        kn_capability_set_controller(f->world, f->hero, (kn_controller){.number = 1}), KN_OK);
    serve(d, &f->hero, 1);
    return d;
}

static void desk_destroy(desk *d)
{
    void *f = d->f;
    kn_input_mapper_destroy(d->mapper);
    (void)teardown_fixture(&f);
    free(d);
}

static void key(desk *d, const char *name, float value)
{
    assert_int_equal(kn_input_key_named(d->mapper, name, value), KN_OK);
}

// What is sent now, as text; it is carried out as well.
static const char *sent(desk *d)
{
    kn_command commands[8];
    d->sent[0] = 0;
    uint32_t count = kn_input_mapper_commands(d->mapper, commands, 8);
    for (uint32_t i = 0; i < count; i++) {
        const kn_action_command *payload = commands[i].payload;
        size_t length = strlen(d->sent);
        (void)snprintf(d->sent + length, sizeof(d->sent) - length, "%s%s(%g,%g)",
            length > 0 ? " " : "", kn_input_action_get_def(d->f->library, payload->action)->name,
            (double)payload->value.x, (double)payload->value.y);
        assert_int_equal(commands[i].connection, 4);
        assert_true(kn_entity_id_equal(commands[i].entity, d->f->hero));
        assert_int_equal(kn_world_command(d->f->world, &commands[i], NULL), KN_OK);
    }
    assert_int_equal(kn_world_step(d->f->world, KN_MS(10)), KN_OK);
    const kn_events events = kn_world_events(d->f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        assert_true(
            events.data[i].type != KN_EVENT_COMMAND || events.data[i].data.command.result == KN_OK);
    }
    return d->sent;
}

// CAP-192, CAP-196
static void keys_become_values_and_only_changes_are_sent(void **state)
{
    desk *d = desk_create();
    assert_string_equal(sent(d), "");
    key(d, "W", 1.0f);
    key(d, "D", 0.5f);
    assert_string_equal(sent(d), "Move(0.5,1)");
    assert_string_equal(sent(d), "");
    assert_true(kn_capability_action_value(d->f->world, d->f->hero, d->move).y == 1.0f);
    key(d, "S", 1.0f); // both: they cancel each other out
    assert_string_equal(sent(d), "Move(0.5,0)");
    key(d, "W", 0.0f);
    assert_string_equal(sent(d), "Move(0.5,-1)");
    key(d, "MouseX", 2.0f);
    key(d, "MouseY", 3.0f);
    assert_string_equal(sent(d), "Look(2,-3)"); // the sign is that of the mapping
    key(d, "MouseX", 0.0f);
    key(d, "MouseY", 0.05f);
    assert_string_equal(sent(d), "Look(0,0)"); // the deadzone of the action
    kn_input_release_keys(d->mapper);
    assert_string_equal(sent(d), "Move(0,0)");
    desk_destroy(d);
    (void)state;
}

static void deadzones_of_keys_grow_from_their_end(void **state)
{
    desk *d = desk_create();
    key(d, "StickX", 0.2f);
    assert_string_equal(sent(d), "");
    key(d, "StickX", 0.6f);
    assert_string_equal(sent(d), "Move(0.5,0)");
    key(d, "StickX", -1.0f);
    assert_string_equal(sent(d), "Move(-1,0)");
    key(d, "StickX", -0.1f);
    assert_string_equal(sent(d), "Move(0,0)");
    desk_destroy(d);
    (void)state;
}

static void the_higher_context_takes_its_keys(void **state)
{
    desk *d = desk_create();
    fixture *f = d->f;
    key(d, "Space", 1.0f);
    key(d, "D", 1.0f);
    key(d, "W", 1.0f);
    assert_string_equal(sent(d), "Move(1,1) Jump(1,0)");
    add(f, d->screen);
    serve(d, &f->hero, 1);
    // The button waits for a new press; what was held below ends; other keys go on.
    assert_string_equal(sent(d), "Move(1,0) Look(0,1) Jump(0,0)");
    key(d, "Space", 0.0f);
    assert_string_equal(sent(d), "");
    key(d, "Space", 1.0f);
    assert_string_equal(sent(d), "Back(1,0)");
    assert_int_equal(
        kn_capability_stop_input(f->world, f->hero,
            kn_capability_number(f->world, f->hero, kn_capability_find(f->library, "Screen"), 0)),
        KN_OK);
    serve(d, &f->hero, 1);
    assert_string_equal(sent(d), "Move(1,1) Look(0,0) Back(0,0)"); // that press was the menu's
    key(d, "Space", 0.0f);
    assert_string_equal(sent(d), "");
    key(d, "Space", 1.0f);
    assert_string_equal(sent(d), "Jump(1,0)");
    desk_destroy(d);
    (void)state;
}

static void a_mapper_follows_who_is_controlled(void **state)
{
    desk *d = desk_create();
    fixture *f = d->f;
    key(d, "D", 1.0f);
    assert_string_equal(sent(d), "Move(1,0)");
    // Another controller: the simulation has forgotten it, and it is sent again.
    assert_int_equal(
        kn_capability_set_controller(f->world, f->hero, (kn_controller){.number = 2}), KN_OK);
    assert_true(kn_capability_action_value(f->world, f->hero, d->move).x == 0.0f);
    serve(d, &f->hero, 1);
    assert_string_equal(sent(d), "Move(1,0)");
    // Nobody: nothing to send, though keys are let go of.
    assert_int_equal(kn_capability_remove_controller(f->world, f->hero), KN_OK);
    serve(d, &f->hero, 1);
    key(d, "D", 0.0f);
    assert_string_equal(sent(d), "");
    assert_int_equal(
        kn_capability_set_controller(f->world, f->hero, (kn_controller){.number = 2}), KN_OK);
    serve(d, &f->hero, 1);
    key(d, "D", 1.0f);
    assert_string_equal(sent(d), "Move(1,0)");
    serve(d, NULL, 0); // not ours any more
    key(d, "D", 0.0f);
    assert_string_equal(sent(d), "");
    desk_destroy(d);
    (void)state;
}

static void what_does_not_fit_comes_later(void **state)
{
    desk *d = desk_create();
    kn_command command;
    key(d, "D", 1.0f);
    key(d, "Space", 1.0f);
    assert_int_equal(kn_input_mapper_commands(d->mapper, &command, 0), 0);
    assert_int_equal(kn_input_mapper_commands(d->mapper, &command, 1), 1);
    assert_int_equal(((const kn_action_command *)command.payload)->action.index1, d->move.index1);
    assert_int_equal(kn_input_mapper_commands(d->mapper, &command, 1), 1);
    assert_int_equal(((const kn_action_command *)command.payload)->action.index1, d->jump.index1);
    assert_int_equal(kn_input_mapper_commands(d->mapper, &command, 1), 0);
    desk_destroy(d);
    (void)state;
}

static void keys_are_changed_listed_and_reset(void **state)
{
    desk *d = desk_create();
    const uint32_t shift = kn_input_key_number(d->mapper, "Left Shift");
    assert_true(shift >= KN_INPUT_KEYS_NAMED);
    assert_int_equal(kn_input_key_number(d->mapper, "Left Shift"), shift);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->jump, 0, shift), KN_OK);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->use, 1, 99), KN_OK);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->move, 1, 0), KN_OK); // no key for S
    kn_input_mapping_info infos[9];
    assert_int_equal(kn_input_mappings(d->mapper, d->foot, infos, 9), 9);
    assert_string_equal(infos[1].key_name, "");
    assert_int_equal(infos[1].index, 1);
    assert_string_equal(infos[6].key_name, "Left Shift");
    assert_int_equal(infos[6].default_key, kn_input_key_number(d->mapper, "Space"));
    assert_string_equal(infos[7].key_name, "#17");
    assert_int_equal(infos[8].key, 99);
    assert_int_equal(infos[8].default_key, 0);
    assert_true(infos[5].scale == -1.0f);
    key(d, "Space", 1.0f);
    key(d, "S", 1.0f);
    assert_string_equal(sent(d), "");
    key(d, "Left Shift", 1.0f);
    assert_int_equal(kn_input_key(d->mapper, 99, 1.0f), KN_OK);
    assert_string_equal(sent(d), "Jump(1,0) Use(1,0)");
    // The menu keeps its own.
    assert_int_equal(kn_input_mappings(d->mapper, d->menu, infos, 1), 2);
    assert_string_equal(infos[0].key_name, "Space");
    kn_input_reset(d->mapper, d->menu);
    assert_string_equal(sent(d), "");
    kn_input_reset(d->mapper, d->foot);
    assert_string_equal(sent(d), "Move(0,-1) Use(0,0)"); // Space is down already
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->jump, 1, shift), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->back, 0, shift), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_input_rebind(d->mapper, d->foot, d->jump, 0, UINT32_MAX), KN_ERROR_INVALID_ARGUMENT);
    desk_destroy(d);
    (void)state;
}

static void keys_are_kept_as_text(void **state)
{
    desk *d = desk_create();
    static const char expected[] = "OnFoot / Jump / 0 = Left Shift\n"
                                   "OnFoot / Use / 1 = #99\n"
                                   "Menu / Back / 0 =\n";
    char text[256], again[256];
    assert_int_equal(kn_input_save(d->mapper, text, sizeof(text)), 0);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->jump, 0,
                         kn_input_key_number(d->mapper, "Left Shift")),
        KN_OK);
    assert_int_equal(kn_input_rebind(d->mapper, d->foot, d->use, 1, 99), KN_OK);
    assert_int_equal(kn_input_rebind(d->mapper, d->menu, d->back, 0, 0), KN_OK);
    assert_int_equal(kn_input_save(d->mapper, text, sizeof(text)), strlen(expected));
    assert_string_equal(text, expected);
    assert_int_equal(kn_input_save(d->mapper, again, 8), strlen(expected));
    assert_string_equal(again, "OnFoot ");
    // Bad lines change nothing.
    static const char *const bad[] = {"OnFoot / Jump / 0", "OnFoot / Jump / x = A",
        "OnFoot / Jump / 99999999999 = A", "OnFoot / Jump / 0 = #0", "OnFoot / Jump / 0 = #x",
        "OnFoot - Jump - 0 = A", "OnFoot / Jump / 0 = A\x01"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char lines[128];
        kn_error error = {0};
        (void)snprintf(lines, sizeof(lines), "OnFoot / Jump / 0 = B\n%s\n", bad[i]);
        assert_int_equal(kn_input_load(d->mapper, lines, NULL, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(error.line, 2);
        (void)kn_input_save(d->mapper, again, sizeof(again));
        assert_string_equal(again, expected);
    }
    // Another mapper, with lines of an older version.
    kn_input_mapper *other;
    kn_input_mapper_def def = kn_input_mapper_def_default();
    assert_int_equal(kn_input_mapper_create(&def, &other), KN_ERROR_INVALID_ARGUMENT);
    def.library = d->f->library;
    assert_int_equal(kn_input_mapper_create(&def, &other), KN_OK);
    uint32_t ignored = 9;
    char old[512];
    (void)snprintf(old, sizeof(old), "\r\nGone / Jump / 0 = A\r\n%sOnFoot / Jump / 7 = A", text);
    assert_int_equal(kn_input_load(other, old, &ignored, NULL), KN_OK);
    assert_int_equal(ignored, 2);
    (void)kn_input_save(other, again, sizeof(again));
    assert_string_equal(again, expected);
    assert_int_equal(kn_input_load(other, "", &ignored, NULL), KN_OK);
    assert_int_equal(kn_input_save(other, again, sizeof(again)), 0);
    kn_input_mapper_destroy(other);
    kn_input_mapper_destroy(NULL);
    desk_destroy(d);
    (void)state;
}

static void keys_that_make_no_sense_are_refused(void **state)
{
    desk *d = desk_create();
    key(d, "D", 1.0f);
    assert_string_equal(sent(d), "Move(1,0)");
    assert_int_equal(kn_input_key_named(d->mapper, "D", NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_input_key_named(d->mapper, "D", INFINITY), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_input_key(d->mapper, 0, 1.0f), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_input_key(d->mapper, UINT32_MAX, 1.0f), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_input_key_named(d->mapper, "", 1.0f), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_input_key_number(d->mapper, "#1"), 0);
    assert_int_equal(kn_input_key_number(d->mapper,
                         "0123456789012345678901234567890123456789012345678901234567890123"),
        0);
    assert_string_equal(sent(d), "");
    assert_int_equal(kn_input_mapper_serve(d->mapper, NULL, NULL, 0), KN_ERROR_INVALID_ARGUMENT);
    desk_destroy(d);
    (void)state;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_become_values_and_only_changes_are_sent),
    cmocka_unit_test(deadzones_of_keys_grow_from_their_end),
    cmocka_unit_test(the_higher_context_takes_its_keys),
    cmocka_unit_test(a_mapper_follows_who_is_controlled),
    cmocka_unit_test(what_does_not_fit_comes_later),
    cmocka_unit_test(keys_are_changed_listed_and_reset),
    cmocka_unit_test(keys_are_kept_as_text),
    cmocka_unit_test(keys_that_make_no_sense_are_refused),
};

TEST_GROUP(capability_mapper, tests, NULL, NULL);
