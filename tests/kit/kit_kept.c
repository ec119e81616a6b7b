// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a kit keeps is as good as what the library keeps: saved, rolled back, compared, dumped,
// reloaded from changed files, recorded and replayed.

#include "kit_test.h"

// Sends the command of a player; it is carried out by the next step.
static kn_command order_sent(const game *g, order_command *payload, const char *order,
    kn_entity_id target, order_place place)
{
    *payload = (order_command){target, order_find(g->library, order), place};
    kn_command command = {.type = kn_command_find(g->library, "order"),
        .entity = g->caster,
        .payload = payload,
        .size = sizeof(*payload)};
    return command;
}

static void send(game *g, const char *order, kn_entity_id target, order_place place)
{
    order_command payload;
    kn_command command = order_sent(g, &payload, order, target, place);
    expect_ok(kn_world_command(g->world, &command, NULL));
}

// In the middle of everything: the caster attacks, with two orders and a command that wait; it
// heals and is blocked from walking by the rival; the target casts and was hit; the rival is locked
// out.
static int setup(void **state)
{
    game *g = game_create();
    static const char *const names[] = {"Heal", "Walk", "Wander"};
    for (uint32_t i = 0; i < 3; i++) {
        expect_ok(behaviour_add(g->world, g->caster, behaviour_find(g->library, names[i])));
    }
    expect_ok(behaviour_block_add(g->world, g->caster, tag_of(g, "Behaviour.Legs.Walk"), g->rival));
    expect_ok(behaviour_block_add(g->world, g->caster, tag_of(g, "Behaviour.Body"), g->target));
    expect_ok(use(g, g->rival, "Fireball", g->target));
    step(g, 0.25);
    expect_ok(use(g, g->target, "Kick", g->rival));
    expect_ok(use(g, g->target, "Fireball", g->caster));
    step(g, 0.5);
    apply(g, "Hit", g->rival, g->target);
    send(g, "Attack", g->target, ORDER_LAST);
    send(g, "Guard", g->rival, ORDER_LAST);
    send(g, "Walk", g->rival, ORDER_LAST);
    step(g, 0.5);
    send(g, "Finish", g->target, ORDER_NEXT);
    *state = g;
    return 0;
}

#define MIDDLE(test) cmocka_unit_test_setup_teardown(test, setup, game_teardown)

static void *save_of(const kn_world *world, size_t *size)
{
    expect_ok(kn_save_write(world, NULL, 0, size));
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    expect_ok(kn_save_write(world, bytes, *size, size));
    return bytes;
}

static void save_load(kn_world *world, const void *bytes, size_t size)
{
    kn_error error = {0};
    if (kn_save_read(world, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(kn_world_validate(world));
}

static void expect_same(const kn_world *a, const kn_world *b)
{
    char text[256] = "";
    if (kn_world_difference(a, b, text, sizeof(text)) || kn_world_hash(a) != kn_world_hash(b)) {
        fail_msg("worlds differ: %s", text);
    }
}

static void a_save_continues_as_if_nothing_had_happened(void **state)
{
    game *g = *state;
    kn_world *loaded = world_create(g->library);
    size_t size;
    for (uint32_t i = 0; i < 60; i++) { // heavy: a save before every step
        void *bytes = save_of(g->world, &size);
        save_load(loaded, bytes, size);
        free(bytes);
        expect_same(g->world, loaded);
        step(g, 0.1);
        expect_ok(kn_world_step(loaded, KN_MS(100)));
        expect_same(g->world, loaded);
    }
    orders_info info;
    assert_true(orders_read(loaded, g->caster, &info));
    assert_int_equal(info.waiting, 0);
    assert_true(info.done >= 3);
    kn_world_destroy(loaded);
}

static void a_snapshot_takes_everything_back(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < 60; i++) {
        size_t size = kn_snapshot_size(g->world);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        expect_ok(kn_snapshot_take(g->world, bytes, size, &size));
        uint64_t before = kn_world_hash(g->world);
        step(g, 0.1);
        uint64_t after = kn_world_hash(g->world);
        expect_ok(kn_snapshot_restore(g->world, bytes, size));
        assert_true(kn_world_hash(g->world) == before);
        step(g, 0.1);
        assert_true(kn_world_hash(g->world) == after);
        free(bytes);
    }
}

static void a_difference_names_the_field(void **state)
{
    game *g = *state;
    kn_world *other = world_create(g->library);
    size_t size;
    void *bytes = save_of(g->world, &size);
    char text[256];
    save_load(other, bytes, size);
    free(bytes);
    orders_clear(other, g->caster, true);
    assert_true(kn_world_difference(g->world, other, text, sizeof(text)));
    assert_string_equal(text, "entity 2, component Kit.Orders, items has 2 entries against 0");
    kn_world_destroy(other);
}

// Dumps -------------------------------------------------------------------------------

#define DUMP_SIZE 32768

static char *dump_of(
    const game *g, uint32_t (*dump)(const kn_world *, kn_entity_id, char *, uint32_t))
{
    char *text = malloc(DUMP_SIZE);
    assert_non_null(text);
    assert_true(dump(g->world, g->caster, text, DUMP_SIZE) < DUMP_SIZE);
    return text;
}

static void expect_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no \"%s\" in:\n%s", part, text);
    }
}

static void a_dump_names_every_field(void **state)
{
    game *g = *state;
    char *text = dump_of(g, kn_entity_dump);
    expect_in(text, "Kit.Orders");
    expect_in(text, "current     Attack");
    expect_in(text, "target      entity 3");
    expect_in(text, "held        Unit.Busy");
    expect_in(text, "Kit.Behaviours");
    expect_in(text, "Kit.Block");
    expect_in(text, "Behaviour.Legs.Walk");
    expect_in(text, "blocked");
    free(text);
    text = dump_of(g, kn_entity_dump_json);
    expect_in(text, "\"Kit.Orders\"");
    expect_in(text, "\"current\":\"Attack\"");
    expect_in(text, "\"order\":\"Guard\"");
    expect_in(text, "\"state\":\"blocked\"");
    expect_in(text, "\"behaviour\":\"Heal\"");
    expect_in(text, "\"tag\":\"Behaviour.Legs.Walk\"");
    free(text);
}

static void a_command_is_printed_with_its_words(void **state)
{
    game *g = *state;
    kn_command commands[2];
    char text[512];
    assert_int_equal(kn_world_commands(g->world, commands, 2), 1);
    (void)kn_command_print(g->world, &commands[0], text, sizeof(text));
    assert_string_equal(text, "order of entity 2: target entity 3; order Finish; place next");
    (void)kn_command_json(g->world, &commands[0], text, sizeof(text));
    expect_in(text, "\"order\":\"Finish\"");
    expect_in(text, "\"place\":\"next\"");
    // As a network would carry it.
    kn_command_data *data = malloc(sizeof(*data));
    uint8_t bytes[256];
    assert_non_null(data);
    uint32_t size = kn_command_write(g->library, &commands[0], bytes, sizeof(bytes));
    assert_true(size > 0 && size <= sizeof(bytes));
    expect_ok(kn_command_read(g->library, bytes, size, data, NULL));
    const order_command *payload = data->command.payload;
    assert_true(kn_entity_id_equal(payload->target, g->target));
    assert_int_equal(payload->order.index1, order_find(g->library, "Finish").index1);
    assert_int_equal(payload->place, ORDER_NEXT);
    assert_int_equal(kn_command_read(g->library, bytes, size - 1, data, NULL), KN_ERROR_BAD_DATA);
    free(data);
}

// Recordings --------------------------------------------------------------------------

static void a_recording_of_commands_is_replayed(void **state)
{
    game *g = *state;
    kn_recording *recording;
    expect_ok(kn_recording_begin(g->world, &recording));
    static const struct {
        const char *order;
        order_place place;
    } orders[] = {{"Attack", ORDER_LAST}, {"Walk", ORDER_NOW}, {"Guard", ORDER_NEXT},
        {"Finish", ORDER_LAST}, {"Pray", ORDER_NEXT}};
    for (uint32_t i = 0; i < 50; i++) {
        order_command payload;
        kn_command command = order_sent(g, &payload, orders[i % 5].order,
            i % 2 == 0 ? g->target : g->rival, orders[i % 5].place);
        if (i % 4 == 0) {
            expect_ok(kn_recording_command(recording, &command, NULL));
        }
        expect_ok(kn_recording_step(recording, KN_MS(150)));
    }
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = world_create(g->library);
    kn_replay_report report;
    kn_error error = {0};
    expect_ok(kn_replay(other, bytes, size, &report, &error));
    assert_false(report.diverged);
    assert_int_equal(report.steps, 50);
    assert_int_equal(report.commands, 13);
    expect_same(g->world, other);
    kn_recording_destroy(recording);
    kn_world_destroy(other);
}

// Changed files -----------------------------------------------------------------------

// The text of a file of the content, with one part replaced by another.
static char *text_changed(const char *file, const char *part, const char *other)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", KIT_CONTENT, file);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 16384), *changed = calloc(1, 16384);
    assert_non_null(text);
    assert_non_null(changed);
    size_t size = fread(text, 1, 16383, in);
    assert_true(size > 0 && size < 16383);
    assert_int_equal(fclose(in), 0);
    char *at = strstr(text, part);
    assert_non_null(at);
    (void)snprintf(changed, 16384, "%.*s%s%s", (int)(at - text), text, other, at + strlen(part));
    free(text);
    return changed;
}

// A library of the content with one part of one file changed.
static kn_library *library_changed(const char *changed, const char *part, const char *other)
{
    static const char *const files[] = {
        "behaviours.yaml", "casts.yaml", "orders.yaml", "units.yaml"};
    kn_data *data = kit_data();
    for (uint32_t i = 0; i < 4; i++) {
        bool is_changed = strcmp(files[i], changed) == 0;
        char *text = text_changed(files[i], is_changed ? part : "#", is_changed ? other : "#");
        expect_ok(kn_data_add_text(data, files[i], text, strlen(text)));
        free(text);
    }
    kn_library *library = kit_library(data);
    kn_data_destroy(data);
    return library;
}

static void reload(game *g, kn_library *fresh)
{
    kn_error error = {0};
    if (kn_world_reload(g->world, fresh, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(g->library);
    g->library = fresh;
    assert_true(kn_world_validate(g->world));
}

static void a_running_order_follows_changed_files(void **state)
{
    game *g = *state;
    orders_info before, after;
    assert_true(orders_read(g->world, g->caster, &before));
    // Other numbers for all orders, another target of what comes next, another tag.
    reload(g, library_changed("orders.yaml", "orders:\n",
                  "orders:\n  Aim: {ability: Shout}\n  Zeal: {ability: Shout}\n"));
    assert_true(orders_read(g->world, g->caster, &after));
    assert_int_not_equal(after.current.index1, before.current.index1);
    assert_string_equal(order_get(g->library, after.current)->name, "Attack");
    assert_int_equal(after.waiting, before.waiting);
    assert_true(kn_activation_id_equal(after.activation, before.activation));
    step(g, 1.0);
    expect_event(g, "OrderEnded", "entity 2  ends the order Attack: done");
    step(g, 1.0);
    expect_event(g, "OrderEnded", "entity 2  ends the order Cheer: done"); // after Finish
}

static void a_changed_tag_of_a_running_order_is_not_forgotten(void **state)
{
    game *g = *state;
    assert_true(kn_entity_has_tag(g->world, g->caster, tag_of(g, "Unit.Busy")));
    reload(g, library_changed("orders.yaml", "    tag: Unit.Busy\n", "    tag: Unit.Guarding\n"));
    assert_true(kn_entity_has_tag(g->world, g->caster, tag_of(g, "Unit.Busy")));
    orders_clear(g->world, g->caster, false);
    assert_false(kn_entity_has_tag(g->world, g->caster, tag_of(g, "Unit.Busy")));
    assert_false(kn_entity_has_tag(g->world, g->caster, tag_of(g, "Unit.Guarding")));
}

static void behaviours_follow_a_changed_order_and_casts_a_changed_length(void **state)
{
    game *g = *state;
    behaviour_state walk, wander;
    assert_true(
        behaviour_block_remove(g->world, g->caster, tag_of(g, "Behaviour.Legs.Walk"), g->rival));
    step(g, 0.1);
    reload(g, library_changed("behaviours.yaml", "order: 20", "order: 5"));
    step(g, 0.1);
    assert_true(
        behaviour_read(g->world, g->caster, behaviour_find(g->library, "Walk"), &walk, NULL));
    assert_true(
        behaviour_read(g->world, g->caster, behaviour_find(g->library, "Wander"), &wander, NULL));
    assert_int_equal(walk, BEHAVIOUR_WAITING); // the other one is first now
    assert_int_equal(wander, BEHAVIOUR_ACTING);
    cast_bar bar;
    assert_true(cast_bar_of(g->world, g->target, &bar));
    kn_time length = bar.length;
    reload(g, library_changed("casts.yaml", "length: 2 /", "length: 9 /"));
    assert_true(cast_bar_of(g->world, g->target, &bar));
    assert_int_equal(bar.length, length); // what runs goes on
    step(g, 15.0);
    expect_ok(use(g, g->target, "Fireball", g->caster));
    assert_true(cast_bar_of(g->world, g->target, &bar));
    assert_int_equal(bar.length, KN_S(9));
}

static void files_without_what_the_world_needs_are_refused(void **state)
{
    game *g = *state;
    kn_error error = {0};
    uint64_t before = kn_world_hash(g->world);
    kn_library *fresh = library_changed("orders.yaml", "  Guard:  ", "  Watch:  ");
    assert_int_equal(kn_world_reload(g->world, fresh, &error), KN_ERROR_BAD_DATA);
    expect_in(error.message, "Guard");
    kn_library_destroy(fresh);
    assert_true(kn_world_hash(g->world) == before);
    assert_ptr_equal(kn_world_library(g->world), g->library);
    step(g, 5.0);
}

// What tools see ----------------------------------------------------------------------

static char *written(const kn_library *library,
    kn_result (*write)(const kn_library *library, char *text, size_t size, size_t *written))
{
    size_t size;
    assert_int_equal(write(library, NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    expect_ok(write(library, text, size, &size));
    return text;
}

static void definitions_of_the_kit_are_written_and_described_like_others(void **state)
{
    game *g = *state;
    char *schema = written(g->library, kn_data_write_library_schema);
    expect_in(schema, "\"casts\"");
    expect_in(schema, "\"behaviours\"");
    expect_in(schema, "\"orders\"");
    expect_in(schema, "Only an order that insists may replace it; default false.");
    free(schema);
    char *text = written(g->library, kn_data_write);
    const char *orders = strstr(text, "\norders:\n");
    assert_non_null(orders);
    expect_in(orders, "  Attack:\n    aim: unit\n    ability: Strike\n    tag: Unit.Busy\n");
    expect_in(strstr(text, "\ncasts:\n"), "    pushed_by: Vitals.Health\n");
    expect_in(strstr(text, "\nbehaviours:\n"), "    order: 20\n");
    free(text);
}

static const struct CMUnitTest tests[] = {
    MIDDLE(a_save_continues_as_if_nothing_had_happened),
    MIDDLE(a_snapshot_takes_everything_back),
    MIDDLE(a_difference_names_the_field),
    MIDDLE(a_dump_names_every_field),
    MIDDLE(a_command_is_printed_with_its_words),
    MIDDLE(a_recording_of_commands_is_replayed),
    MIDDLE(a_running_order_follows_changed_files),
    MIDDLE(a_changed_tag_of_a_running_order_is_not_forgotten),
    MIDDLE(behaviours_follow_a_changed_order_and_casts_a_changed_length),
    MIDDLE(files_without_what_the_world_needs_are_refused),
    MIDDLE(definitions_of_the_kit_are_written_and_described_like_others),
};

TEST_GROUP(kit_kept, tests, NULL, NULL);
