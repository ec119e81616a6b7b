// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands that scripts carry out and issue.

#include "scenario/script_fixture.h"

typedef struct dash {
    kn_vec3 to;
    float speed;
    kn_entity_id past;
    kn_tag tags[2];
} dash;

static const kn_field dash_fields[] = {
    {.name = "to", .kind = KN_FIELD_VEC3, .offset = offsetof(dash, to)},
    {.name = "speed", .kind = KN_FIELD_F32, .offset = offsetof(dash, speed)},
    {.name = "past", .kind = KN_FIELD_ENTITY, .offset = offsetof(dash, past)},
    {.name = "tags", .kind = KN_FIELD_TAG, .offset = offsetof(dash, tags), .count = 2},
};

static const char text[] =
    "command 'Dash' {\n"
    "  run = function(command)\n"
    "    local p = command.payload\n"
    "    print(command.kind, command.connection, command.sequence, command.entity ~= nil,\n"
    "      p.to.y, p.speed, p.past == command.entity, p.tags[1], p.tags[2], #command.targets)\n"
    "    if p.speed > 100 then return false end\n"
    "    command.entity:set_base('Vitals.Mana', p.speed)\n"
    "  end,\n"
    "  check = function(command) return command.payload.speed >= 0 end,\n"
    "}\n"
    "ability 'Order' {\n"
    "  activate = function(self)\n"
    "    print(world.command('Dash', self.owner,\n"
    "      { to = { x = 1, y = 2, z = 3 }, speed = 7, past = self.owner, tags = { 'Way.Fast' } },\n"
    "      { connection = 0, sequence = 5, targets = { self.owner } }))\n"
    "    world.command('press', self.owner, { input = 4 })\n"
    "  end,\n"
    "}\n"
    "ability 'Wrong' {\n"
    "  activate = function(self) world.command('Dash', self.owner, { pace = 1 }) end,\n"
    "}\n"
    "ability 'Unknown' {\n"
    "  activate = function(self) world.command('Dish', self.owner) end,\n"
    "}\n"
    "ability 'Pressed' { activate = function(self) print('pressed') end }\n";

static kn_command_type_id dash_type;

static void dash_register(fixture *f)
{
    (void)tag_of(f, "Way.Fast");
    load(text);
    kn_command_def def = kn_command_def_default();
    kn_error error = {0};
    def.size = sizeof(dash);
    def.fields = dash_fields;
    def.field_count = 4;
    def.has_targets = true;
    if (kn_script_bind_command(the_script, "Dash", &def, &error) != KN_OK ||
        kn_command_register(f->library, &def, &dash_type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static kn_result dashed(fixture *f, const dash *payload)
{
    kn_command command = {.type = dash_type,
        .sequence = 3,
        .entity = f->hero,
        .payload = payload,
        .size = sizeof(*payload)};
    assert_int_equal(kn_world_command(f->world, &command, NULL), KN_OK);
    step(f, KN_MS(10));
    assert_int_equal(event_count(f, KN_EVENT_COMMAND), 1);
    return first_event(f, KN_EVENT_COMMAND)->data.command.result;
}

static void a_script_carries_out_a_command(void **state)
{
    fixture *f = *state;
    dash_register(f);
    begin(f);
    dash payload = {.to = {4, 5, 6}, .speed = 20.0f, .past = f->hero};
    payload.tags[1] = tag_of(f, "Way.Fast");
    assert_int_equal(dashed(f, &payload), KN_OK);
    EXPECT_LOG(f, "Dash\t0\t3\ttrue\t5.0\t20.0\ttrue\tnil\tWay.Fast\t0. ");
    assert_near(value_of(f, attribute_of(f, "Vitals", "Mana")), 20.0f);
    payload.speed = 200.0f;
    assert_int_equal(dashed(f, &payload), KN_REFUSED_CUSTOM);
    f->log[0] = 0;
    payload.speed = -1.0f; // the check says no
    assert_int_equal(dashed(f, &payload), KN_REFUSED_CUSTOM);
    EXPECT_LOG(f, "");
    expect_no_error();
}

static void a_script_says_why_it_refuses_a_command(void **state)
{
    fixture *f = *state;
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "slow";
    fail.text = "needs {need}, has {have}";
    kn_fail slow;
    assert_int_equal(kn_fail_register(f->library, &fail, &slow, NULL), KN_OK);
    (void)tag_of(f, "Way.Fast");
    load("command 'Dash' {\n"
         "  run = function(command)\n"
         "    return command:refuse('slow', {need = 9, have = command.payload.speed, tag = "
         "'Way.Fast'})\n"
         "  end,\n"
         "}\n");
    kn_command_def def = kn_command_def_default();
    def.size = sizeof(dash);
    def.fields = dash_fields;
    def.field_count = 4;
    assert_int_equal(kn_script_bind_command(the_script, "Dash", &def, NULL), KN_OK);
    assert_int_equal(kn_command_register(f->library, &def, &dash_type, NULL), KN_OK);
    begin(f);
    dash payload = {.speed = 4.0f};
    assert_int_equal(dashed(f, &payload), KN_REFUSED_CUSTOM);
    const kn_event *event = first_event(f, KN_EVENT_COMMAND);
    kn_refusal_line line;
    assert_int_equal(kn_command_event_lines(f->world, event, &line, 1), 1);
    assert_int_equal(line.reason, slow);
    assert_near(line.need, 9.0f);
    assert_near(line.have, 4.0f);
    assert_true(kn_tag_equal(line.tag, tag_of(f, "Way.Fast")));
    char printed[256];
    (void)kn_event_print(f->world, event, printed, sizeof(printed));
    assert_non_null(strstr(printed, "needs 9, has 4"));
    expect_no_error();
}

static void a_script_issues_a_batch(void **state)
{
    fixture *f = *state;
    dash_register(f);
    load("ability 'Both' { activate = function(self)\n"
         "  print(world.batch(self.owner, {\n"
         "    {kind = 'Dash', payload = {speed = 8, past = self.owner}, targets = {self.owner}},\n"
         "    {kind = 'cancel', entity = world.entities()[2]},\n"
         "  }, {connection = 0, sequence = 6}))\n"
         "end }\n"
         "ability 'Empty' { activate = function(self) world.batch(self.owner, {}) end }\n"
         "ability 'Nested' { activate = function(self)\n"
         "  world.batch(self.owner, {{kind = 'batch'}}) end }\n"
         "ability 'Odd' { activate = function(self)\n"
         "  world.batch(self.owner, {{kind = 'Dash', fields = {}}}) end }\n");
    kn_ability_type_id both = bound(f, "Both"), empty = bound(f, "Empty"),
                       nested = bound(f, "Nested"), odd = bound(f, "Odd");
    begin(f);
    (void)entity_create(f);
    (void)kn_ability_activate(f->world, grant(f, both), NULL, NULL);
    expect_no_error();
    EXPECT_LOG(f, "true. ");
    kn_command waiting[4];
    assert_int_equal(kn_world_commands(f->world, waiting, 4), 3);
    assert_int_equal(waiting[0].type.index1, kn_command_type_batch().index1);
    assert_int_equal(waiting[2].entity.index1, 2);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "Dash\t0\t6\ttrue\t0.0\t8.0\ttrue\tnil\tnil\t1. ");
    assert_int_equal(event_count(f, KN_EVENT_COMMAND), 3);
    expect_no_error();
    (void)kn_ability_activate(f->world, grant(f, empty), NULL, NULL);
    EXPECT_ERROR("a batch has a list of 1 to 16 parts");
    (void)kn_ability_activate(f->world, grant(f, nested), NULL, NULL);
    EXPECT_ERROR("batch");
    (void)kn_ability_activate(f->world, grant(f, odd), NULL, NULL);
    EXPECT_ERROR("not `fields`");
    assert_int_equal(kn_world_commands(f->world, waiting, 4), 0);
}

static void a_script_issues_commands_for_the_next_step(void **state)
{
    fixture *f = *state;
    dash_register(f);
    kn_ability_type_id order = bound(f, "Order"), wrong = bound(f, "Wrong"),
                       unknown = bound(f, "Unknown"), pressed = bound(f, "Pressed");
    begin(f);
    kn_ability_grant_def grant_def = kn_ability_grant_def_default();
    grant_def.type = pressed;
    grant_def.input = 4;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant_def, NULL), KN_OK);
    (void)activate(f, grant(f, order));
    EXPECT_LOG(f, "true. ");
    assert_int_equal(kn_world_commands(f->world, NULL, 0), 2);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "pressed. Dash\t0\t5\ttrue\t2.0\t7.0\ttrue\tWay.Fast\tnil\t1. ");
    expect_no_error();
    (void)kn_ability_activate(f->world, grant(f, wrong), NULL, NULL);
    EXPECT_ERROR("command `Dash` has no field `pace`");
    (void)kn_ability_activate(f->world, grant(f, unknown), NULL, NULL);
    EXPECT_ERROR("there is no command `Dish`");
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(a_script_carries_out_a_command),
    SCRIPTED(a_script_says_why_it_refuses_a_command),
    SCRIPTED(a_script_issues_a_batch),
    SCRIPTED(a_script_issues_commands_for_the_next_step),
};

TEST_GROUP(script_commands, tests, NULL, NULL);
