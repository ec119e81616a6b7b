// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands: registered kinds, the queue, the order, who may send what, batches, bytes and text.

#include "scenario/ability_fixture.h"
#include "scenario/world_copies.h"

#include <math.h>

// A kind of a game: an order with a payload of every sort.
typedef struct order {
    uint64_t serial;
    kn_entity_id at;
    kn_vec3 place;
    float strength;
    kn_tag stance;
    uint8_t count;
    bool is_queued;
    uint8_t padding[2];
    int mood;
    uint32_t unused;
} order;

static const kn_field order_fields[] = {
    {.name = "serial", .kind = KN_FIELD_U64, .offset = offsetof(order, serial), .count = 1},
    {.name = "at", .kind = KN_FIELD_ENTITY, .offset = offsetof(order, at), .count = 1},
    {.name = "place", .kind = KN_FIELD_VEC3, .offset = offsetof(order, place), .count = 1},
    {.name = "strength", .kind = KN_FIELD_F32, .offset = offsetof(order, strength), .count = 1},
    {.name = "stance", .kind = KN_FIELD_TAG, .offset = offsetof(order, stance), .count = 1},
    {.name = "count", .kind = KN_FIELD_U8, .offset = offsetof(order, count), .count = 1},
    {.name = "is_queued", .kind = KN_FIELD_BOOL, .offset = offsetof(order, is_queued), .count = 1},
    {.name = "padding", .kind = KN_FIELD_U8, .offset = offsetof(order, padding), .count = 2},
    {.name = "mood",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(order, mood),
        .words = "calm brave wild"},
    {.name = "unused", .kind = KN_FIELD_U32, .offset = offsetof(order, unused)},
};

typedef struct game {
    fixture *f;
    kn_command_type_id order, again;
    kn_ability_type_id bolt, guard, aim;
    kn_ability_id bolt_id, guard_id;
    kn_entity_id other; // of another player
    kn_targeting_id near_by;
} game;

// Notes what arrives and keeps it in the state of the world: the strength becomes the hero's mana.
static kn_result order_run(void *user, kn_world *world, const kn_command *command)
{
    const game *g = user;
    const order *o = command->payload;
    note(g->f, "order %u of %u/%u. ", (unsigned)o->serial, command->connection, command->sequence);
    if (o->count == 99) {
        return KN_REFUSED_CUSTOM;
    }
    kn_attribute_id mana = attribute_of(g->f, "Vitals", "Mana");
    return kn_attribute_set_base(world, command->entity, mana, 0, o->strength);
}

// Issues a command from inside a step.
static kn_result again_run(void *user, kn_world *world, const kn_command *command)
{
    game *g = user;
    order o = {.serial = 77, .strength = 5.0f};
    kn_command next = {
        .type = g->order, .entity = command->entity, .payload = &o, .size = sizeof(o)};
    note(g->f, "again. ");
    return kn_world_command(world, &next, NULL);
}

static bool mana_is_low(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    const fixture *f = call->user;
    return kn_attribute_value(call->world, call->owner, attribute_of(f, "Vitals", "Mana")) > 1.0f;
}

static kn_result note_event(const kn_ability_call *call, const kn_event_record *event)
{
    kn_target_view view = {event->data, event->data_size};
    note(call->user, "%s by event: %g, %u tags, %u targets, object %u. ", ability_name(call),
        (double)event->magnitude, event->tags.count, kn_target_count(view),
        (unsigned)event->object);
    return KN_OK;
}

static kn_result aim_activate(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = kn_targeting_find(kn_world_library(call->world), "Near");
    def.confirm = KN_CONFIRM_USER;
    kn_task_id task;
    kn_result result = kn_task_create(call->world, call->activation, &def, &task);
    return result == KN_OK ? kn_task_start(call->world, task) : result;
}

static void aim_done(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "aimed at %u, %s. ", kn_target_count(result->data.targets),
        result->output == KN_TASK_CANCELLED ? "cancelled" : "confirmed");
    (void)kn_activation_end(call->world, call->activation);
}

static void command_kinds(game *g)
{
    kn_command_def def = kn_command_def_default();
    def.name = "Order";
    def.size = sizeof(order);
    def.fields = order_fields;
    def.field_count = 10;
    def.has_targets = true;
    def.function = order_run;
    def.user = g;
    assert_int_equal(kn_command_register(g->f->library, &def, &g->order, NULL), KN_OK);
    def = kn_command_def_default();
    def.name = "Again";
    def.function = again_run;
    def.user = g;
    assert_int_equal(kn_command_register(g->f->library, &def, &g->again, NULL), KN_OK);
}

static int game_setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    void *made;
    setup(&made);
    fixture *f = made;
    g->f = f;
    (void)tag_of(f, "Stance.Bold");
    (void)tag_of(f, "Kind.Attack");
    command_kinds(g);
    kn_ability_def def = ability_def(f, "Bolt");
    def.activate_by_event = note_event;
    def.tags = tags_of(f, "Kind.Attack");
    def.can_activate = mana_is_low;
    def.input = 3;
    g->bolt = ability_register(f, &def);
    def = ability_def(f, "Guard");
    def.tags = tags_of(f, "Kind.Attack");
    g->guard = ability_register(f, &def);
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Near";
    targeting.shape = KN_SHAPE_SELF;
    targeting.includes_self = true;
    assert_int_equal(kn_targeting_register(f->library, &targeting, &g->near_by, NULL), KN_OK);
    def = ability_def(f, "Aim");
    def.activate = aim_activate;
    def.task_done = aim_done;
    g->aim = ability_register(f, &def);
    *state = g;
    return 0;
}

static void game_begin(game *g)
{
    kn_world_def def = kn_world_def_default();
    def.connection = 1; // the hero's player is at this machine, the other one is not
    begin_with(g->f, def);
    g->bolt_id = grant(g->f, g->bolt);
    g->guard_id = grant(g->f, g->guard);
    g->other = entity_create(g->f);
    assert_int_equal(kn_entity_set_connection(g->f->world, g->f->hero, 1), KN_OK);
    assert_int_equal(kn_entity_set_connection(g->f->world, g->other, 2), KN_OK);
}

static int game_teardown(void **state)
{
    game *g = *state;
    bool ok = fixture_destroy(g->f);
    free(g);
    return ok ? 0 : 1;
}

static void issue(const game *g, const kn_command *command)
{
    kn_error error = {0};
    if (kn_world_command(g->f->world, command, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static void order_issue(const game *g, uint32_t connection, uint32_t sequence, uint32_t serial)
{
    order o = {.serial = serial, .strength = 50.0f + (float)serial};
    kn_command command = {.type = g->order,
        .connection = connection,
        .sequence = sequence,
        .entity = g->f->hero,
        .payload = &o,
        .size = sizeof(o)};
    issue(g, &command);
}

// The event of the only command of the last step.
static kn_event outcome(const game *g)
{
    assert_int_equal(event_count(g->f, KN_EVENT_COMMAND), 1);
    return *first_event(g->f, KN_EVENT_COMMAND);
}

static kn_event carried_out(const game *g, const kn_command *command)
{
    issue(g, command);
    step(g->f, KN_MS(10));
    return outcome(g);
}

// The order -----------------------------------------------------------------

static void commands_run_by_connection_then_sequence_then_arrival(void **state)
{
    game *g = *state;
    game_begin(g);
    order_issue(g, 1, 7, 1);
    order_issue(g, 0, 9, 2);
    order_issue(g, 1, 5, 3);
    order_issue(g, 1, 7, 4);
    order_issue(g, 0, 8, 5);
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 5);
    EXPECT_LOG(g->f, "");
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, "order 5 of 0/8. order 2 of 0/9. order 3 of 1/5. order 1 of 1/7. "
                     "order 4 of 1/7. ");
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 0);
    assert_int_equal(event_count(g->f, KN_EVENT_COMMAND), 5);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, "");
}

static void commands_come_before_timers(void **state)
{
    game *g = *state;
    kn_attribute_id mana = attribute_of(g->f, "Vitals", "Mana");
    kn_effect_def drain = timed("Drain", 1.0f);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = mana;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(0.5f);
    drain.modifiers = &modifier;
    drain.modifier_count = 1;
    drain.period = kn_magnitude_constant(0.25f);
    drain.skip_first_tick = true;
    kn_effect_type_id type = effect_register(g->f, &drain);
    game_begin(g);
    (void)apply_to(g->f, type, g->f->hero);
    order_issue(g, 1, 1, 10);
    step_seconds(g->f, 0.25);
    assert_near(value_of(g->f, mana), 30.0f); // 60, then halved
}

static void a_command_issued_in_a_step_waits_for_the_next(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_command command = {.type = g->again, .entity = g->f->hero};
    issue(g, &command);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, "again. ");
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 1);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, "order 77 of 0/0. ");
}

static void a_lost_connection_takes_its_commands_along(void **state)
{
    game *g = *state;
    game_begin(g);
    order_issue(g, 1, 1, 1);
    order_issue(g, 2, 1, 2);
    order_issue(g, 1, 2, 3);
    assert_int_equal(kn_world_drop_commands(g->f->world, 1), 2);
    assert_true(kn_world_validate(g->f->world));
    kn_command left;
    assert_int_equal(kn_world_commands(g->f->world, &left, 1), 1);
    assert_int_equal(left.connection, 2);
    assert_int_equal(((const order *)left.payload)->serial, 2);
}

// Who may -------------------------------------------------------------------

static void only_the_owner_may_send_what_is_for_owners(void **state)
{
    game *g = *state;
    game_begin(g);
    order o = {.serial = 1, .strength = 10.0f};
    kn_command command = {.type = g->order,
        .connection = 2,
        .sequence = 4,
        .entity = g->f->hero,
        .payload = &o,
        .size = sizeof(o)};
    kn_event event = carried_out(g, &command);
    EXPECT_LOG(g->f, "");
    assert_int_equal(event.data.command.result, KN_REFUSED_BLOCKED);
    assert_int_equal(event.data.command.type.index1, g->order.index1);
    assert_int_equal(event.data.command.connection, 2);
    assert_int_equal(event.data.command.sequence, 4);
    assert_true(kn_entity_id_equal(event.entity, g->f->hero));
    command.connection = 1;
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    command.connection = 0; // this machine
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    command.connection = 1;
    command.entity = (kn_entity_id){99, 99};
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_STALE_ID);
}

static kn_result nothing_while_paused(void *user, const kn_world *world, const kn_command *command)
{
    const bool *paused = user;
    (void)world;
    return *paused && command->connection != 0 ? KN_REFUSED_REQUIREMENT : KN_OK;
}

static void a_check_decides_about_predefined_kinds_too(void **state)
{
    game *g = *state;
    bool paused = true;
    assert_int_equal(
        kn_command_set_check(g->f->library, kn_command_type_press(), nothing_while_paused, &paused),
        KN_OK);
    game_begin(g);
    kn_command_press press = {.input = 3};
    kn_command command = {.type = kn_command_type_press(),
        .connection = 1,
        .entity = g->f->hero,
        .payload = &press,
        .size = sizeof(press)};
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_REQUIREMENT);
    EXPECT_LOG(g->f, "");
    paused = false;
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    EXPECT_LOG(g->f, "Bolt activates. ");
    assert_int_equal(kn_command_set_check(g->f->library, kn_command_type_press(), NULL, NULL),
        KN_ERROR_WORLD_LOCKED);
}

// The predefined kinds --------------------------------------------------------

static kn_command activate_command(const game *g, const kn_command_activate *payload)
{
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g->f->hero,
        .payload = payload,
        .size = sizeof(*payload)};
    return command;
}

static void an_ability_is_activated_by_id_type_tag_and_input(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_command_activate by[] = {{.ability = g->bolt_id}, {.type = g->guard},
        {.tag = tag_of(g->f, "Kind.Attack")}, {.input = 3}};
    const char *const logs[] = {
        "Bolt activates. ", "Guard activates. ", "Bolt activates. ", "Bolt activates. "};
    for (uint32_t i = 0; i < 4; i++) {
        kn_command command = activate_command(g, &by[i]);
        kn_event event = carried_out(g, &command);
        assert_int_equal(event.data.command.result, KN_OK);
        assert_true(kn_activation_is_alive(g->f->world, event.data.command.activation));
        EXPECT_LOG(g->f, logs[i]);
        assert_int_equal(kn_abilities_cancel(g->f->world, g->f->hero, NULL), 1);
        g->f->log[0] = 0;
    }
    kn_command_activate all = {.tag = tag_of(g->f, "Kind.Attack"), .all = 1};
    kn_command command = activate_command(g, &all);
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    EXPECT_LOG(g->f, "Bolt activates. Guard activates. ");
    // Neither one that the entity does not have, nor none at all.
    kn_command_activate none = {0};
    command = activate_command(g, &none);
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_NOT_FOUND);
    none.ability = g->guard_id;
    command.entity = g->other;
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_NOT_FOUND);
    none.ability = (kn_ability_id){77, 77};
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_STALE_ID);
}

static void an_event_and_targets_go_along(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_target_data targets = {0};
    kn_target_entity record = {g->f->foe};
    assert_int_equal(
        kn_target_add(g->f->library, &targets, kn_target_type_entity(), &record), KN_OK);
    kn_command_activate payload = {.ability = g->bolt_id,
        .event = {.magnitude = 2.5f, .object = 8, .tags = {{0}, tag_of(g->f, "Stance.Bold")}}};
    kn_command command = activate_command(g, &payload);
    command.targets = kn_target_data_view(&targets);
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    EXPECT_LOG(g->f, "Bolt by event: 2.5, 1 tags, 1 targets, object 8. ");
}

static void a_refused_activation_has_all_its_reasons(void **state)
{
    game *g = *state;
    game_begin(g);
    set_base(g->f, g->f->hero, attribute_of(g->f, "Vitals", "Mana"), 0.0f);
    kn_command_activate payload = {.type = g->bolt};
    kn_command command = activate_command(g, &payload);
    kn_event event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_REFUSED_CUSTOM);
    assert_int_equal(event.data.command.reasons, KN_FAIL_CUSTOM);
    assert_true(kn_activation_id_is_null(event.data.command.activation));
    kn_cause_info cause;
    assert_true(kn_cause_get(g->f->world, event.cause, &cause));
    assert_int_equal(cause.kind, KN_CAUSE_COMMAND);
    assert_int_equal(cause.command.index1, kn_command_type_activate().index1);
    char text[256];
    kn_event_print(g->f->world, &event, text, sizeof(text));
    assert_non_null(strstr(text, "command activate refused: "));
    assert_non_null(strstr(text, ": own condition"));
}

// All that an entity has is looked at, however many there are.
static void an_ability_is_found_among_hundreds(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_ability_id guards[600];
    for (uint32_t i = 0; i < COUNT(guards); i++) {
        guards[i] = grant(g->f, g->guard);
        assert_int_equal(kn_ability_set_input(g->f->world, guards[i], 7), KN_OK);
    }
    kn_ability_id last = grant(g->f, g->guard);
    assert_int_equal(kn_ability_set_input(g->f->world, last, 9), KN_OK);
    kn_command_activate payload = {.type = g->guard, .input = 9};
    kn_command command = activate_command(g, &payload);
    kn_event event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_OK);
    assert_true(kn_ability_id_equal(
        kn_activation_ability(g->f->world, event.data.command.activation), last));
    // All but the last one are active already: it is the first that can be activated.
    kn_command_activate all = {.input = 7, .all = 1};
    command = activate_command(g, &all);
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    assert_int_equal(kn_activations(g->f->world, g->f->hero, NULL, 0), COUNT(guards) + 1);
    assert_int_equal(kn_ability_cancel(g->f->world, guards[COUNT(guards) - 1]), KN_OK);
    all.all = 0;
    event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_OK);
    assert_true(
        kn_ability_id_equal(kn_activation_ability(g->f->world, event.data.command.activation),
            guards[COUNT(guards) - 1]));
    // The task that waits for targets belongs to the last activation of all.
    kn_activation_id aiming;
    assert_int_equal(kn_ability_activate(g->f->world, grant(g->f, g->aim), NULL, &aiming), KN_OK);
    kn_command_task task = {0};
    kn_command targets = {.type = kn_command_type_targets(),
        .entity = g->f->hero,
        .payload = &task,
        .size = sizeof(task)};
    kn_target_data data = {0};
    kn_target_entity record = {g->f->foe};
    assert_int_equal(kn_target_add(g->f->library, &data, kn_target_type_entity(), &record), KN_OK);
    targets.targets = kn_target_data_view(&data);
    g->f->log[0] = 0;
    assert_int_equal(carried_out(g, &targets).data.command.result, KN_OK);
    EXPECT_LOG(g->f, "aimed at 1, confirmed. Aim: ended. ");
}

// Why a kit refuses ----------------------------------------------------------

static kn_fail poor;

// What an order costs is its strength; wild ones are refused by the check.
static kn_result order_check(void *user, const kn_world *world, const kn_command *command)
{
    const game *g = user;
    const order *o = command->payload;
    (void)world;
    if (o->mood == 2) {
        kn_refusal_line line = {.reason = poor, .need = 3.0f, .have = 1.0f};
        kn_check_refuse(command->answer, &line);
        line = (kn_refusal_line){.reason = KN_FAIL_BLOCKED, .tag = tag_of(g->f, "Stance.Bold")};
        kn_check_refuse(command->answer, &line);
    }
    return KN_OK; // the lines are enough
}

static kn_result order_pay(void *user, kn_world *world, const kn_command *command)
{
    const order *o = command->payload;
    (void)user;
    (void)world;
    if (o->strength > 20.0f) {
        kn_refusal_line line = {.reason = poor, .need = o->strength, .have = 20.0f};
        (void)snprintf(line.text, sizeof(line.text), "costs {need} gold, there are {have}");
        kn_check_refuse(command->answer, &line);
        return KN_REFUSED_COST;
    }
    return KN_OK;
}

static void a_refusal_of_a_kit_has_numbers_and_text(void **state)
{
    game *g = *state;
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "poor";
    fail.text = "needs {need} wood, has {have}";
    assert_int_equal(kn_fail_register(g->f->library, &fail, &poor, NULL), KN_OK);
    kn_command_def def = kn_command_def_default();
    def.name = "Build";
    def.size = sizeof(order);
    def.fields = order_fields;
    def.field_count = 10;
    def.check = order_check;
    def.function = order_pay;
    def.user = g;
    kn_command_type_id build;
    assert_int_equal(kn_command_register(g->f->library, &def, &build, NULL), KN_OK);
    game_begin(g);
    order o = {.strength = 50.0f};
    kn_command command = {
        .type = build, .entity = g->f->hero, .payload = &o, .size = sizeof(o), .answer = NULL};
    kn_event event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_REFUSED_COST);
    assert_int_equal(event.data.command.reasons, poor);
    kn_refusal_line lines[KN_COMMAND_LINES_MAX];
    assert_int_equal(kn_command_event_lines(g->f->world, &event, lines, KN_COMMAND_LINES_MAX), 1);
    assert_int_equal(lines[0].reason, poor);
    assert_near(lines[0].need, 50.0f);
    assert_near(lines[0].have, 20.0f);
    assert_string_equal(lines[0].text, "costs {need} gold, there are {have}");
    char text[256];
    (void)kn_event_print(g->f->world, &event, text, sizeof(text));
    assert_non_null(strstr(text, "command Build refused: "));
    assert_non_null(strstr(text, ": costs 50 gold, there are 20"));

    o.mood = 2; // the check comes first
    event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_REFUSED_BLOCKED);
    assert_int_equal(event.data.command.reasons, (uint32_t)poor | KN_FAIL_BLOCKED);
    assert_int_equal(kn_command_event_lines(g->f->world, &event, lines, 1), 2);
    (void)kn_event_print(g->f->world, &event, text, sizeof(text));
    assert_non_null(strstr(text, ": needs 3 wood, has 1; blocked by Stance.Bold"));
    o = (order){.strength = 1.0f};
    event = carried_out(g, &command);
    assert_int_equal(event.data.command.result, KN_OK);
    assert_int_equal(kn_command_event_lines(g->f->world, &event, lines, 1), 0);
    kn_event other = {.type = KN_EVENT_TAG_CHANGED};
    assert_int_equal(kn_command_event_lines(g->f->world, &other, lines, 1), 0);
}

static void inputs_are_pressed_and_released(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_command_press press = {.input = 3, .event = {.magnitude = 4.0f}};
    kn_command command = {.type = kn_command_type_press(),
        .entity = g->f->hero,
        .payload = &press,
        .size = sizeof(press)};
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    EXPECT_LOG(g->f, "Bolt by event: 4, 0 tags, 0 targets, object 0. ");
    kn_ability_info info;
    assert_true(kn_ability_get(g->f->world, g->bolt_id, &info));
    assert_true(info.is_pressed);
    kn_command_release release = {.input = 3};
    command = (kn_command){.type = kn_command_type_release(),
        .entity = g->f->hero,
        .payload = &release,
        .size = sizeof(release)};
    assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
    assert_true(kn_ability_get(g->f->world, g->bolt_id, &info));
    assert_false(info.is_pressed);
    command.payload = NULL; // no input
    command.size = 0;
    assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_NOT_FOUND);
}

static void aiming_is_confirmed_cancelled_and_given_targets(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_ability_id aim = grant(g->f, g->aim);
    kn_target_data targets = {0};
    kn_target_entity record = {g->f->hero};
    assert_int_equal(
        kn_target_add(g->f->library, &targets, kn_target_type_entity(), &record), KN_OK);
    const kn_command_type_id types[] = {
        kn_command_type_confirm(), kn_command_type_cancel(), kn_command_type_targets()};
    const char *const logs[] = {
        "aimed at 1, confirmed. ", "aimed at 0, cancelled. ", "aimed at 1, confirmed. "};
    for (uint32_t i = 0; i < 6; i++) {
        kn_activation_id activation = activate(g->f, aim);
        kn_command_task payload = {.ability = aim};
        if (i >= 3) { // by the id of the task
            assert_int_equal(kn_tasks(g->f->world, activation, &payload.task, 1), 1);
        }
        kn_command command = {.type = types[i % 3],
            .entity = g->f->hero,
            .payload = &payload,
            .size = sizeof(payload)};
        if (i % 3 == 2) {
            command.targets = kn_target_data_view(&targets);
        }
        g->f->log[0] = 0;
        assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
        assert_memory_equal(g->f->log, logs[i % 3], strlen(logs[i % 3]));
        g->f->log[0] = 0;
        assert_int_equal(carried_out(g, &command).data.command.result,
            i >= 3 ? KN_REFUSED_STALE_ID : KN_REFUSED_NOT_FOUND);
    }
}

static void activations_end_and_are_cancelled(void **state)
{
    game *g = *state;
    game_begin(g);
    const kn_command_type_id types[] = {kn_command_type_end(), kn_command_type_cancel_ability()};
    const char *const logs[] = {"Guard: ended. ", "Guard: cancelled. "};
    for (uint32_t i = 0; i < 4; i++) {
        kn_activation_id activation = activate(g->f, g->guard_id);
        kn_command_end payload = {0};
        if (i < 2) {
            payload.activation = activation;
        } else {
            payload.ability = g->guard_id;
        }
        kn_command command = {
            .type = types[i % 2], .entity = g->other, .payload = &payload, .size = sizeof(payload)};
        g->f->log[0] = 0;
        assert_int_equal(carried_out(g, &command).data.command.result, KN_REFUSED_NOT_FOUND);
        command.entity = g->f->hero;
        assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
        EXPECT_LOG(g->f, logs[i % 2]);
        assert_false(kn_ability_is_active(g->f->world, g->guard_id));
    }
}

// What a client asks for passes the rules of the network.
static void a_command_of_a_client_is_a_request_of_a_peer(void **state)
{
    game *g = *state;
    kn_ability_def def = ability_def(g->f, "Secret");
    def.net_security = KN_NET_SECURITY_SERVER_ONLY_ALL;
    def.input = 5;
    kn_ability_type_id secret = ability_register(g->f, &def);
    def = ability_def(g->f, "Open");
    def.respects_remote_cancel = true;
    def.input = 6;
    kn_ability_type_id open = ability_register(g->f, &def);
    game_begin(g);
    kn_ability_grant_def grant_def = kn_ability_grant_def_default();
    kn_ability_id abilities[2];
    grant_def.type = secret;
    assert_int_equal(kn_ability_grant(g->f->world, g->other, &grant_def, &abilities[0]), KN_OK);
    grant_def.type = open;
    assert_int_equal(kn_ability_grant(g->f->world, g->other, &grant_def, &abilities[1]), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_result expected = i == 0 ? KN_REFUSED_BLOCKED : KN_OK;
        kn_command_activate activate_it = {.ability = abilities[i]};
        kn_command command = activate_command(g, &activate_it);
        command.entity = g->other;
        command.connection = 2;
        assert_int_equal(carried_out(g, &command).data.command.result, expected);
        EXPECT_LOG(g->f, i == 0 ? "" : "Open activates. ");
        kn_command_end end = {.ability = abilities[i]};
        command.type = kn_command_type_end();
        command.payload = &end;
        command.size = sizeof(end);
        assert_int_equal(
            carried_out(g, &command).data.command.result, i == 0 ? KN_REFUSED_NOT_FOUND : KN_OK);
        EXPECT_LOG(g->f, i == 0 ? "" : "Open: remote. ");
        kn_command_press press = {.input = 5 + i};
        command.type = kn_command_type_press();
        command.payload = &press;
        command.size = sizeof(press);
        assert_int_equal(carried_out(g, &command).data.command.result, KN_OK);
        EXPECT_LOG(g->f, i == 0 ? "" : "Open activates. ");
    }
}

// Batches -------------------------------------------------------------------

static void a_batch_is_carried_out_in_order_each_part_by_itself(void **state)
{
    game *g = *state;
    game_begin(g);
    order first = {.serial = 1, .strength = 20.0f};
    order refused = {.serial = 2, .count = 99};
    kn_command_activate bolt = {.ability = g->bolt_id};
    kn_command_end end = {.ability = g->bolt_id};
    kn_command parts[] = {
        {.type = g->order, .payload = &first, .size = sizeof(first)},
        {.type = g->order, .payload = &refused, .size = sizeof(refused)},
        {.type = kn_command_type_activate(), .payload = &bolt, .size = sizeof(bolt)},
        {.type = kn_command_type_end(), .payload = &end, .size = sizeof(end)},
    };
    kn_command batch = {.type = kn_command_type_batch(),
        .connection = 1,
        .sequence = 6,
        .entity = g->f->hero,
        .parts = parts,
        .part_count = 4};
    order_issue(g, 1, 7, 9);
    issue(g, &batch);
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 6);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, "order 1 of 1/6. order 2 of 1/6. Bolt activates. Bolt: ended. "
                     "order 9 of 1/7. ");
    kn_events events = kn_world_events(g->f->world);
    const kn_result results[] = {KN_OK, KN_REFUSED_CUSTOM, KN_OK, KN_OK, KN_REFUSED_CUSTOM, KN_OK};
    const uint32_t numbers[] = {1, 2, 3, 4, 0, 0};
    uint32_t seen = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_COMMAND) {
            assert_int_equal(events.data[i].data.command.result, results[seen]);
            assert_int_equal(events.data[i].data.command.part, numbers[seen]);
            seen++;
        }
    }
    assert_int_equal(seen, 6);
}

static void a_batch_of_a_stranger_does_nothing(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_command part = {.type = g->again, .entity = g->other};
    kn_command batch = {.type = kn_command_type_batch(),
        .connection = 2,
        .entity = g->f->hero,
        .parts = &part,
        .part_count = 1};
    assert_int_equal(carried_out(g, &batch).data.command.result, KN_REFUSED_BLOCKED);
    EXPECT_LOG(g->f, "");
    assert_true(kn_world_validate(g->f->world));
}

// Bad input -----------------------------------------------------------------

static void expect_refused(const game *g, const kn_command *command, const char *message)
{
    kn_error error = {0};
    uint64_t hash = kn_world_hash(g->f->world);
    assert_int_equal(kn_world_command(g->f->world, command, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, message);
    assert_int_equal(kn_command_write(g->f->library, command, NULL, 0), 0);
    assert_int_equal(kn_world_hash(g->f->world), hash);
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 0);
}

static void what_is_not_valid_is_refused_when_it_is_issued(void **state)
{
    game *g = *state;
    game_begin(g);
    order o = {.serial = 1};
    kn_command good = {.type = g->order, .entity = g->f->hero, .payload = &o, .size = sizeof(o)};
    kn_command command = good;
    command.type.index1 = 400;
    expect_refused(g, &command, "command kind 400 is not registered");
    command.type.index1 = 0;
    expect_refused(g, &command, "command kind 0 is not registered");
    command = good;
    command.size--;
    expect_refused(g, &command, "command `Order`: its payload has 47 bytes, but the kind has 48");
    command = good;
    command.payload = NULL;
    expect_refused(g, &command, "command `Order`: its payload has 0 bytes, but the kind has 48");
    o.strength = NAN;
    expect_refused(g, &good, "command `Order`, field `strength`: a number is not finite");
    o.strength = 0.0f;
    o.place.z = INFINITY;
    expect_refused(g, &good, "command `Order`, field `place`: a number is not finite");
    o.place.z = 0.0f;
    o.stance.index1 = 60000;
    expect_refused(
        g, &good, "command `Order`, field `stance`: it refers to something that is not registered");
    o.stance.index1 = 0;
    memset(&o.is_queued, 2, 1);
    expect_refused(g, &good, "command `Order`, field `is_queued`: a choice is unknown");
    memset(&o.is_queued, 0, 1);
    o.mood = 3;
    expect_refused(g, &good, "command `Order`, field `mood`: a choice is unknown");
    o.mood = 0;
    o.at.generation = 3;
    expect_refused(g, &good, "command `Order`, field `at`: half of the id is missing");
    o.at.generation = 0;
    command = good;
    command.entity = (kn_entity_id){0, 4};
    expect_refused(g, &command, "command `Order`: half of the id of its entity is missing");
    command = good;
    uint8_t bytes[16] = {9};
    command.targets = (kn_target_view){bytes, sizeof(bytes)};
    expect_refused(g, &command, "command `Order`: its target data is malformed");
    command.type = kn_command_type_confirm();
    command.payload = NULL;
    command.size = 0;
    expect_refused(g, &command, "command `confirm` does not carry target data");
    command = (kn_command){.type = kn_command_type_batch()};
    expect_refused(g, &command, "a batch has 1 to 16 parts");
    kn_command many[17] = {0};
    for (uint32_t i = 0; i < 17; i++) {
        many[i] = good;
    }
    command.parts = many;
    command.part_count = 17;
    expect_refused(g, &command, "a batch has 1 to 16 parts");
    command.part_count = 2;
    many[1].type = kn_command_type_batch();
    many[1].payload = NULL;
    many[1].size = 0;
    expect_refused(g, &command, "part 2 of a batch is a batch itself");
    command.type = g->again;
    expect_refused(g, &command, "only a batch has parts, at most 16");
}

static void kinds_that_make_no_sense_are_refused(void **state)
{
    game *g = *state;
    kn_command_def good = kn_command_def_default();
    good.name = "Move";
    good.function = again_run;
    kn_command_def def = good;
    kn_command_type_id type;
    kn_error error;
    def.name = "Order";
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(type.index1, 0);
    def.name = "activate";
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_REFUSED_DUPLICATE);
    def = good;
    def.function = NULL;
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "command `Move` has no function to carry it out");
    def = good;
    def.size = 4;
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.size = KN_COMMAND_SIZE_MAX + 1;
    def.fields = order_fields;
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.size = 8;
    def.field_count = 2;
    assert_int_equal(kn_command_register(g->f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    game_begin(g);
    assert_int_equal(
        kn_command_register(g->f->library, &good, &type, &error), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_command_find(g->f->library, "Order").index1, g->order.index1);
    assert_string_equal(kn_command_name(g->f->library, kn_command_type_batch()), "batch");
    assert_int_equal(kn_command_get_def(g->f->library, g->order)->size, sizeof(order));
    assert_null(kn_command_get_def(g->f->library, (kn_command_type_id){0}));
}

// State ---------------------------------------------------------------------

// Fills the queue with one of each: payload, targets, batch.
static void queue_fill(game *g)
{
    kn_target_data targets = {0};
    kn_target_entity record = {g->f->foe};
    assert_int_equal(
        kn_target_add(g->f->library, &targets, kn_target_type_entity(), &record), KN_OK);
    order o = {.serial = 5,
        .at = g->other,
        .place = {1, 2, 3},
        .strength = 33.0f,
        .stance = tag_of(g->f, "Stance.Bold"),
        .count = 7,
        .is_queued = true,
        .mood = 2};
    kn_command_activate bolt = {.type = g->bolt, .event = {.magnitude = 2.0f}};
    kn_command parts[] = {
        {.type = g->order,
            .payload = &o,
            .size = sizeof(o),
            .targets = kn_target_data_view(&targets)},
        {.type = kn_command_type_activate(), .payload = &bolt, .size = sizeof(bolt)},
    };
    kn_command batch = {.type = kn_command_type_batch(),
        .connection = 1,
        .sequence = 3,
        .entity = g->f->hero,
        .parts = parts,
        .part_count = 2};
    order_issue(g, 1, 4, 8);
    issue(g, &batch);
    order_issue(g, 0, 1, 6);
}

static const char queue_log[] = "order 6 of 0/1. order 5 of 1/3. Bolt by event: 2, 0 tags, "
                                "0 targets, object 0. order 8 of 1/4. ";

static void commands_that_wait_are_saved_and_loaded(void **state)
{
    game *g = *state;
    game_begin(g);
    uint64_t empty = kn_world_hash(g->f->world);
    queue_fill(g);
    assert_int_not_equal(kn_world_hash(g->f->world), empty);
    size_t size;
    void *bytes = save_of(g->f->world, &size);
    kn_world *other = world_of(g->f, kn_world_def_default());
    save_load(other, bytes, size);
    assert_same_worlds(g->f->world, other);
    kn_command found[8];
    assert_int_equal(kn_world_commands(other, found, 8), 5);
    assert_int_equal(found[1].type.index1, kn_command_type_batch().index1);
    assert_int_equal(found[1].part_count, 2);
    const order *o = found[2].payload;
    assert_int_equal(o->serial, 5);
    assert_true(kn_entity_id_equal(o->at, g->other));
    assert_true(o->place.y == 2.0f && o->is_queued && o->count == 7 && o->mood == 2);
    assert_int_equal(((const kn_command_activate *)found[3].payload)->type.index1, g->bolt.index1);
    assert_int_equal(o->stance.index1, tag_of(g->f, "Stance.Bold").index1);
    assert_int_equal(kn_target_count(found[2].targets), 1);
    assert_true(kn_entity_id_equal(found[2].entity, g->f->hero));
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, queue_log);
    assert_int_equal(kn_world_step(other, KN_MS(10)), KN_OK);
    EXPECT_LOG(g->f, queue_log);
    assert_same_worlds(g->f->world, other);
    kn_world_destroy(other);
    free(bytes);
}

static void a_rollback_brings_commands_back(void **state)
{
    game *g = *state;
    game_begin(g);
    size_t size, empty_size;
    void *empty = snapshot_of(g->f->world, &empty_size);
    queue_fill(g);
    void *bytes = snapshot_of(g->f->world, &size);
    step(g->f, KN_MS(10));
    uint64_t hash = kn_world_hash(g->f->world);
    EXPECT_LOG(g->f, queue_log);
    snapshot_restore(g->f->world, bytes, size);
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 5);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, queue_log);
    assert_int_equal(kn_world_hash(g->f->world), hash);
    // Before they were issued: they are issued again.
    snapshot_restore(g->f->world, empty, empty_size);
    assert_int_equal(kn_world_commands(g->f->world, NULL, 0), 0);
    queue_fill(g);
    step(g->f, KN_MS(10));
    EXPECT_LOG(g->f, queue_log);
    assert_int_equal(kn_world_hash(g->f->world), hash);
    free(bytes);
    free(empty);
}

// The order of a later version of the game: another layout, one field more, one less.
typedef struct later_order {
    kn_tag stance;
    float strength;
    kn_entity_id at;
    uint32_t colour;
    kn_vec3 place;
    uint64_t serial;
} later_order;

static const kn_field later_fields[] = {
    {.name = "stance", .kind = KN_FIELD_TAG, .offset = offsetof(later_order, stance)},
    {.name = "strength", .kind = KN_FIELD_F32, .offset = offsetof(later_order, strength)},
    {.name = "at", .kind = KN_FIELD_ENTITY, .offset = offsetof(later_order, at)},
    {.name = "colour", .kind = KN_FIELD_U32, .offset = offsetof(later_order, colour)},
    {.name = "place", .kind = KN_FIELD_VEC3, .offset = offsetof(later_order, place)},
    {.name = "serial", .kind = KN_FIELD_U64, .offset = offsetof(later_order, serial)},
};

static kn_result later_run(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    (void)world;
    (void)command;
    return KN_OK;
}

static void commands_that_wait_move_to_another_version_of_the_library(void **state)
{
    game *g = *state;
    game_begin(g);
    order o = {.serial = 5,
        .at = g->other,
        .place = {1, 2, 3},
        .strength = 33.0f,
        .stance = tag_of(g->f, "Stance.Bold"),
        .count = 7};
    kn_command command = {.type = g->order, .entity = g->f->foe, .payload = &o, .size = sizeof(o)};
    kn_world *world;
    kn_world_def world_def = kn_world_def_default();
    world_def.library = g->f->library;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    assert_int_equal(kn_world_command(world, &command, NULL), KN_OK);

    kn_library_def library_def = kn_library_def_default();
    kn_library *later, *without;
    assert_int_equal(kn_library_create(&library_def, &later), KN_OK);
    assert_int_equal(kn_library_create(&library_def, &without), KN_OK);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Another.First"; // tags have other numbers
    assert_int_equal(kn_tag_register(later, &tag, NULL, NULL), KN_OK);
    tag.name = "Stance.Bold";
    assert_int_equal(kn_tag_register(later, &tag, NULL, NULL), KN_OK);
    assert_int_equal(kn_tag_register(without, &tag, NULL, NULL), KN_OK);
    kn_command_def def = kn_command_def_default();
    kn_command_type_id type;
    def.function = later_run;
    def.name = "Retreat";
    assert_int_equal(kn_command_register(later, &def, &type, NULL), KN_OK);
    def.name = "Order";
    def.size = sizeof(later_order);
    def.fields = later_fields;
    def.field_count = 6;
    assert_int_equal(kn_command_register(later, &def, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(later, NULL), KN_OK);
    assert_int_equal(kn_library_finish(without, NULL), KN_OK);

    kn_error error = {0};
    assert_int_equal(kn_world_reload(world, without, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Order"));
    assert_int_equal(kn_world_commands(world, NULL, 0), 1);
    if (kn_world_reload(world, later, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_command found;
    assert_int_equal(kn_world_commands(world, &found, 1), 1);
    assert_int_equal(found.type.index1, type.index1);
    assert_int_equal(found.size, sizeof(later_order));
    const later_order *read = found.payload;
    assert_int_equal(read->serial, 5);
    assert_true(kn_entity_id_equal(read->at, g->other));
    assert_true(read->place.z == 3.0f && read->strength == 33.0f);
    assert_int_equal(read->colour, 0);
    assert_string_equal(kn_tag_name(later, read->stance), "Stance.Bold");
    assert_int_equal(kn_world_step(world, KN_MS(10)), KN_OK);
    kn_world_destroy(world);
    kn_library_destroy(later);
    kn_library_destroy(without);
}

static void two_worlds_differ_by_their_commands(void **state)
{
    game *g = *state;
    game_begin(g);
    queue_fill(g);
    kn_world *other = world_loaded(g->f, kn_world_def_default());
    assert_same_worlds(g->f->world, other);
    assert_int_equal(kn_world_drop_commands(other, 0), 1);
    char text[256];
    assert_true(kn_world_difference(g->f->world, other, text, sizeof(text)));
    assert_string_equal(text, "entity 1, command Order is only in the first world");
    kn_world_destroy(other);
}

static void a_warm_step_with_commands_allocates_nothing(void **state)
{
    game *g = *state;
    game_begin(g);
    for (uint32_t i = 0; i < 8; i++) {
        queue_fill(g);
        step(g->f, KN_MS(10));
        (void)kn_abilities_cancel(g->f->world, g->f->hero, NULL);
        g->f->log[0] = 0;
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t before = kn_world_get_stats(g->f->world).allocations;
        queue_fill(g);
        step(g->f, KN_MS(10));
        assert_int_equal(kn_world_get_stats(g->f->world).allocations, before);
        (void)kn_abilities_cancel(g->f->world, g->f->hero, NULL);
        g->f->log[0] = 0;
    }
}

// Bytes and text ------------------------------------------------------------

static void a_command_survives_being_written_and_read(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_target_data targets = {0};
    kn_target_location place = {{4, 5, 6}, {0, 1, 0}};
    assert_int_equal(
        kn_target_add(g->f->library, &targets, kn_target_type_location(), &place), KN_OK);
    order o = {.serial = 1ull << 40, .at = g->f->foe, .place = {1, -2, 3}, .count = 3};
    kn_command_release release = {.input = 2};
    kn_command parts[] = {
        {.type = g->order,
            .entity = g->other,
            .payload = &o,
            .size = sizeof(o),
            .targets = kn_target_data_view(&targets)},
        {.type = kn_command_type_release(), .payload = &release, .size = sizeof(release)},
        {.type = kn_command_type_confirm()},
    };
    kn_command batch = {.type = kn_command_type_batch(),
        .connection = 3,
        .sequence = 70000,
        .entity = g->f->hero,
        .parts = parts,
        .part_count = 3};
    uint8_t bytes[512], again[512];
    uint32_t size = kn_command_write(g->f->library, &batch, NULL, 0);
    assert_in_range(size, 20, sizeof(bytes));
    assert_int_equal(kn_command_write(g->f->library, &batch, bytes, size - 1), size);
    assert_int_equal(kn_command_write(g->f->library, &batch, bytes, sizeof(bytes)), size);
    kn_command_data *data = malloc(sizeof(*data));
    assert_non_null(data);
    kn_error error;
    assert_int_equal(kn_command_read(g->f->library, bytes, size, data, &error), KN_OK);
    const kn_command *read = &data->command;
    assert_int_equal(read->type.index1, batch.type.index1);
    assert_int_equal(read->connection, 3);
    assert_int_equal(read->sequence, 70000);
    assert_true(kn_entity_id_equal(read->entity, g->f->hero));
    assert_int_equal(read->part_count, 3);
    assert_memory_equal(read->parts[0].payload, &o, sizeof(o));
    assert_true(kn_entity_id_equal(read->parts[0].entity, g->other));
    assert_int_equal(read->parts[0].targets.size, targets.size);
    assert_memory_equal(read->parts[0].targets.data, targets.bytes, targets.size);
    assert_memory_equal(read->parts[1].payload, &release, sizeof(release));
    assert_true(kn_entity_id_is_null(read->parts[1].entity));
    assert_int_equal(kn_command_write(g->f->library, read, again, sizeof(again)), size);
    assert_memory_equal(again, bytes, size);
    // Cut anywhere it is no command, nor with something behind it.
    for (uint32_t length = 0; length < size; length++) {
        assert_int_equal(
            kn_command_read(g->f->library, bytes, length, data, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(data->command.type.index1, 0);
    }
    assert_int_equal(
        kn_command_read(g->f->library, bytes, size + 1, data, &error), KN_ERROR_BAD_DATA);
    free(data);
}

static void expect_text(const game *g, const kn_command *command, const char *expected)
{
    char text[256];
    uint32_t length = kn_command_print(g->f->world, command, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void commands_are_printed(void **state)
{
    game *g = *state;
    game_begin(g);
    kn_target_data targets = {0};
    kn_target_entity record = {g->f->foe};
    assert_int_equal(
        kn_target_add(g->f->library, &targets, kn_target_type_entity(), &record), KN_OK);
    kn_command_activate activate = {.ability = g->bolt_id};
    kn_command command = activate_command(g, &activate);
    command.targets = kn_target_data_view(&targets);
    expect_text(g, &command, "activate Bolt of entity 1 on entity 2");
    activate = (kn_command_activate){
        .tag = tag_of(g->f, "Kind.Attack"), .all = 1, .input = 3, .event = {.target = g->other}};
    command.targets = (kn_target_view){0};
    expect_text(
        g, &command, "activate all with tag Kind.Attack at input 3 of entity 1 on entity 3");
    kn_command_press press = {.input = 2};
    kn_command pressed = {.type = kn_command_type_press(),
        .entity = g->f->hero,
        .payload = &press,
        .size = sizeof(press)};
    expect_text(g, &pressed, "press input 2 of entity 1");
    kn_command_end end = {.ability = g->guard_id};
    kn_command ended = {.type = kn_command_type_cancel_ability(),
        .entity = g->f->hero,
        .payload = &end,
        .size = sizeof(end)};
    expect_text(g, &ended, "cancel_ability Guard of entity 1");
    kn_command parts[] = {pressed, ended};
    kn_command batch = {
        .type = kn_command_type_batch(), .entity = g->f->hero, .parts = parts, .part_count = 2};
    expect_text(g, &batch,
        "batch 2 commands of entity 1: press input 2 of entity 1; cancel_ability Guard of entity "
        "1");
    char text[1024];
    kn_command_json(g->f->world, &ended, text, sizeof(text));
    assert_string_equal(text,
        "{\"command\":\"cancel_ability\",\"connection\":0,\"sequence\":0,\"entity\":\"1:1\","
        "\"payload\":{\"activation\":null,\"ability\":\"2:4\"}}");
    // Those that wait are in dumps.
    order_issue(g, 1, 9, 4);
    kn_entity_dump(g->f->world, g->f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "commands\n  Order of entity 1: serial 4; "));
    assert_non_null(strstr(text, ", connection 1, sequence 9\n"));
    static char whole[16384];
    assert_in_range(kn_world_dump_json(g->f->world, whole, sizeof(whole)), 100, sizeof(whole));
    assert_non_null(strstr(whole, "\"commands\":[{\"command\":\"Order\",\"connection\":1"));
}

#define GAME(test) cmocka_unit_test_setup_teardown(test, game_setup, game_teardown)

static const struct CMUnitTest tests[] = {
    GAME(commands_run_by_connection_then_sequence_then_arrival),
    GAME(commands_come_before_timers),
    GAME(a_command_issued_in_a_step_waits_for_the_next),
    GAME(a_lost_connection_takes_its_commands_along),
    GAME(only_the_owner_may_send_what_is_for_owners),
    GAME(a_check_decides_about_predefined_kinds_too),
    GAME(an_ability_is_activated_by_id_type_tag_and_input),
    GAME(an_event_and_targets_go_along),
    GAME(a_refused_activation_has_all_its_reasons),
    GAME(an_ability_is_found_among_hundreds),
    GAME(a_refusal_of_a_kit_has_numbers_and_text),
    GAME(inputs_are_pressed_and_released),
    GAME(aiming_is_confirmed_cancelled_and_given_targets),
    GAME(activations_end_and_are_cancelled),
    GAME(a_command_of_a_client_is_a_request_of_a_peer),
    GAME(a_batch_is_carried_out_in_order_each_part_by_itself),
    GAME(a_batch_of_a_stranger_does_nothing),
    GAME(what_is_not_valid_is_refused_when_it_is_issued),
    GAME(kinds_that_make_no_sense_are_refused),
    GAME(commands_that_wait_are_saved_and_loaded),
    GAME(a_rollback_brings_commands_back),
    GAME(commands_that_wait_move_to_another_version_of_the_library),
    GAME(two_worlds_differ_by_their_commands),
    GAME(a_warm_step_with_commands_allocates_nothing),
    GAME(a_command_survives_being_written_and_read),
    GAME(commands_are_printed),
};

TEST_GROUP(commands, tests, NULL, NULL);
