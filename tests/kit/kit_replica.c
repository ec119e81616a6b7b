// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A second world gets units by projection, as a client would, and goes on alike: what a kit keeps
// travels like the rest, and what is for the owner alone stays there.

#include "kit_test.h"
#include "skirmish.h"

#include <knack/projection.h>

static void *taken(const kn_world *world, const kn_entity_id *entities, uint32_t count,
    const kn_projection_filter *filter, size_t *size)
{
    expect_ok(kn_projection_take(world, entities, count, filter, NULL, 0, size));
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    expect_ok(kn_projection_take(world, entities, count, filter, bytes, *size, size));
    return bytes;
}

static void write_to(kn_world *world, const void *bytes, size_t size)
{
    kn_error error = {0};
    if (kn_projection_write(world, bytes, size, &error) != KN_OK) {
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

#define KNOWN_MAX 256

// The world itself, what only the other world still has, and everything that lives.
static uint32_t entities_of(const kn_world *world, const kn_world *other, kn_entity_id *out)
{
    uint32_t count = 1;
    kn_entity_id entity = {0};
    out[0] = entity;
    while ((entity = kn_entity_next(other, entity)).index1 != 0) {
        if (!kn_entity_is_alive(world, entity)) {
            assert_true(count < KNOWN_MAX);
            out[count++] = entity;
        }
    }
    while ((entity = kn_entity_next(world, entity)).index1 != 0) {
        assert_true(count < KNOWN_MAX);
        out[count++] = entity;
    }
    return count;
}

static void a_skirmish_is_followed_by_another_world(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    expect_ok(kn_library_create(&def, &library));
    expect_ok(skirmish_declare(library, &error));
    expect_ok(kn_library_finish(library, &error));
    kn_world *world = world_create(library), *other = world_create(library);
    expect_ok(skirmish_populate(world));
    for (uint32_t i = 0; i < 300; i++) {
        if (i % 7 == 0) { // what happened in between is caught up
            kn_entity_id all[KNOWN_MAX];
            size_t size;
            void *bytes = taken(world, all, entities_of(world, other, all), NULL, &size);
            write_to(other, bytes, size);
            free(bytes);
            expect_same(world, other);
        }
        expect_ok(kn_world_step(world, KN_MS(50)));
        if (i % 7 < 3) { // it goes on by itself for a while
            expect_ok(kn_world_step(other, KN_MS(50)));
            expect_same(world, other);
        }
    }
    kn_world_destroy(world);
    kn_world_destroy(other);
    kn_library_destroy(library);
}

// The caster attacks with orders that wait, walks, and is blocked; the target casts.
static int setup(void **state)
{
    game *g = game_create();
    kn_entity_id nobody = {0};
    expect_ok(behaviour_add(g->world, g->caster, behaviour_find(g->library, "Walk")));
    expect_ok(behaviour_block_add(g->world, g->caster, tag_of(g, "Behaviour.Legs"), g->rival));
    expect_ok(use(g, g->target, "Fireball", g->rival));
    expect_ok(
        order_issue(g->world, g->caster, order_find(g->library, "Attack"), g->target, ORDER_NOW));
    expect_ok(
        order_issue(g->world, g->caster, order_find(g->library, "Guard"), g->rival, ORDER_LAST));
    expect_ok(order_issue(g->world, g->caster, order_find(g->library, "Walk"), nobody, ORDER_LAST));
    step(g, 0.25);
    *state = g;
    return 0;
}

#define MIDDLE(test) cmocka_unit_test_setup_teardown(test, setup, game_teardown)

static void others_do_not_see_what_waits(void **state)
{
    game *g = *state;
    kn_world *other = world_create(g->library);
    const kn_entity_id all[] = {{0}, g->lord, g->caster, g->target, g->rival};
    kn_projection_filter filter = kn_projection_filter_default();
    orders_info info;
    const struct {
        kn_entity_id target;
        order_id order;
        uint32_t unused;
    } * items;
    kn_component_type_id type = kn_component_find(g->library, "Kit.Orders");
    uint32_t count;
    size_t size;
    filter.viewer = KN_VIEWER_OTHERS;
    void *bytes = taken(g->world, all, 5, &filter, &size);
    write_to(other, bytes, size);
    free(bytes);
    assert_true(orders_read(other, g->caster, &info)); // what everybody can see
    assert_string_equal(order_get(g->library, info.current)->name, "Attack");
    assert_true(kn_entity_id_equal(info.target, g->target));
    items = kn_component_read_items(other, type, g->caster, &count);
    assert_int_equal(count, 2);
    assert_int_equal(items[0].order.index1, 0);
    assert_int_equal(items[0].target.index1, 0);
    cast_bar bar;
    assert_true(cast_bar_of(other, g->target, &bar));
    assert_int_equal(bar.remaining, KN_MS(1750));
    assert_true(behaviour_is_blocked(other, g->caster, tag_of(g, "Behaviour.Legs.Walk")));
    assert_int_equal(behaviour_blocks_by(other, g->rival), 1);
    assert_int_equal(orders_against(other, g->target), 1);
    expect_ok(kn_world_step(other, KN_S(5))); // orders without a name are dropped
    assert_true(kn_world_validate(other));

    filter.viewer = KN_VIEWER_OWNER;
    kn_world *owner = world_create(g->library);
    bytes = taken(g->world, all, 5, &filter, &size);
    write_to(owner, bytes, size);
    free(bytes);
    items = kn_component_read_items(owner, type, g->caster, &count);
    assert_int_equal(count, 2);
    assert_string_equal(order_get(g->library, items[0].order)->name, "Guard");
    assert_true(kn_entity_id_equal(items[0].target, g->rival));
    assert_string_equal(order_get(g->library, items[1].order)->name, "Walk");
    expect_same(g->world, owner); // nothing of the kit is for nobody
    kn_world_destroy(other);
    kn_world_destroy(owner);
}

static void a_projection_that_is_cut_or_changed_is_refused_or_sound(void **state)
{
    game *g = *state;
    kn_world *other = world_create(g->library);
    const kn_entity_id all[] = {{0}, g->lord, g->caster, g->target, g->rival};
    size_t size;
    uint8_t *bytes = taken(g->world, all, 5, NULL, &size);
    kn_error error = {0};
    uint64_t before = kn_world_hash(other);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16) {
        assert_int_equal(kn_projection_write(other, bytes, cut, &error), KN_ERROR_BAD_DATA);
        assert_true(error.message[0] != 0);
        assert_true(kn_world_hash(other) == before);
    }
    for (size_t at = 0; at < size; at += 7) {
        bytes[at] ^= 0x41;
        kn_result result = kn_projection_write(other, bytes, size, &error);
        bytes[at] ^= 0x41;
        assert_true(result == KN_OK || result == KN_ERROR_BAD_DATA);
        assert_true(kn_world_validate(other));
        if (result == KN_OK) {
            kn_world_destroy(other);
            other = world_create(g->library);
        }
    }
    free(bytes);
    kn_world_destroy(other);
}

// What an inspector sees -------------------------------------------------------------

static bool record_find(
    const game *g, kn_entity_id entity, const char *component, kn_state_ref *found)
{
    kn_state_ref ref = {0};
    kn_component_type_id type = kn_component_find(g->library, component);
    while (kn_state_next(g->world, entity, &ref)) {
        if (ref.kind == KN_STATE_COMPONENT && ref.of == type.index1) {
            *found = ref;
            return true;
        }
    }
    return false;
}

static void an_inspector_walks_and_edits_what_the_kit_keeps(void **state)
{
    game *g = *state;
    kn_state_ref ref;
    kn_state_view view;
    kn_error error = {0};
    char text[512];
    assert_true(record_find(g, g->caster, "Kit.Block", &ref));
    assert_true(record_find(g, g->caster, "Kit.Behaviours", &ref));
    assert_true(record_find(g, g->caster, "Kit.Orders", &ref));
    assert_true(kn_state_get(g->world, ref, &view));
    assert_true(kn_entity_id_equal(view.entity, g->caster));
    const kn_def_field *field = kn_def_field_find(view.table, "done");
    assert_non_null(field);
    (void)kn_state_print(g->world, ref, text, sizeof(text));
    assert_non_null(strstr(text, "current Attack"));
    assert_non_null(strstr(text, "held Unit.Busy"));
    const void *items;
    const kn_def_table *table;
    assert_int_equal(kn_state_items(g->world, ref, &items, &table), 2);
    assert_non_null(kn_def_field_find(table, "order"));
    uint32_t done = 41;
    expect_ok(
        kn_state_set(g->world, ref, (uint32_t)(field - view.table->fields), 0, &done, &error));
    step(g, 1.0);
    orders_info info;
    assert_true(orders_read(g->world, g->caster, &info));
    assert_int_equal(info.done, 42);
    // An order that does not exist is not accepted.
    assert_true(record_find(g, g->caster, "Kit.Orders", &ref));
    assert_true(kn_state_get(g->world, ref, &view));
    field = kn_def_field_find(view.table, "current");
    uint32_t none = 1000;
    assert_int_equal(
        kn_state_set(g->world, ref, (uint32_t)(field - view.table->fields), 0, &none, &error),
        KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_skirmish_is_followed_by_another_world),
    MIDDLE(others_do_not_see_what_waits),
    MIDDLE(a_projection_that_is_cut_or_changed_is_refused_or_sound),
    MIDDLE(an_inspector_walks_and_edits_what_the_kit_keeps),
};

TEST_GROUP(kit_replica, tests, NULL, NULL);
