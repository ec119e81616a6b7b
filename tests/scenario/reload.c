// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A live world gets another library: state is matched by name, or everything stays as it was.

#include "rich_world.h"

static void count_event(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    (*(uint32_t *)user)++;
}

static kn_attribute_id health_of(const kn_library *library)
{
    return kn_attribute_find(library, "Vitals.Health");
}

static void a_world_goes_on_with_a_library_that_numbers_things_differently(void **state)
{
    (void)state;
    kn_library *old = rich_library(0);
    kn_library *other = rich_library(70);
    kn_world *world = rich_world_create(old, NULL);
    kn_world *witness = rich_world_create(other, NULL);
    rich_step(world, 3);
    rich_step(witness, 3);
    kn_entity_id first = kn_entity_next(world, (kn_entity_id){0});
    float health = kn_attribute_value(world, first, health_of(old));
    kn_error error;
    assert_int_equal(kn_world_reload(world, other, &error), KN_OK);
    assert_ptr_equal(kn_world_library(world), other);
    kn_library_destroy(old); // nothing refers to it any more
    assert_true(kn_entity_is_alive(world, first));
    assert_true(kn_attribute_value(world, first, health_of(other)) == health);
    assert_same_worlds(world, witness);
    rich_step(world, 5);
    rich_step(witness, 5);
    assert_same_worlds(world, witness);
    kn_world_destroy(world);
    kn_world_destroy(witness);
    kn_library_destroy(other);
}

static void listeners_follow_what_they_wait_for_by_name(void **state)
{
    (void)state;
    kn_library *old = rich_library(0);
    kn_library *other = rich_library(70);
    kn_world *world = rich_world_create(old, NULL);
    uint32_t heard = 0;
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.attribute = health_of(old);
    def.function = count_event;
    def.user = &heard;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(world, &def, &listener), KN_OK);
    assert_int_equal(kn_world_reload(world, other, NULL), KN_OK);
    kn_entity_id first = kn_entity_next(world, (kn_entity_id){0});
    float health = kn_attribute_base(world, first, health_of(other));
    assert_int_equal(
        kn_attribute_set_base(world, first, health_of(other), 0, health - 1.0f), KN_OK);
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    assert_int_equal(heard, 1);
    kn_world_destroy(world);
    kn_library_destroy(old);
    kn_library_destroy(other);
}

static void what_cannot_be_matched_leaves_world_and_library_as_they_were(void **state)
{
    (void)state;
    kn_library *old = rich_library(0);
    kn_library_def library_def = kn_library_def_default();
    kn_library *empty;
    assert_int_equal(kn_library_create(&library_def, &empty), KN_OK);
    assert_int_equal(kn_library_finish(empty, NULL), KN_OK);
    kn_world *world = rich_world_create(old, NULL);
    rich_step(world, 2);
    uint64_t hash = kn_world_hash(world);
    kn_error error = {0};
    assert_int_equal(kn_world_reload(world, empty, &error), KN_ERROR_BAD_DATA);
    assert_true(error.message[0] != 0);
    assert_ptr_equal(kn_world_library(world), old);
    assert_true(kn_world_hash(world) == hash);

    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.attribute = health_of(old);
    uint32_t heard = 0;
    def.function = count_event;
    def.user = &heard;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(world, &def, &listener), KN_OK);
    assert_int_equal(kn_world_reload(world, empty, &error), KN_REFUSED_NOT_FOUND);
    assert_non_null(strstr(error.message, "Vitals.Health"));
    assert_true(kn_world_hash(world) == hash);
    kn_world_destroy(world);
    kn_library_destroy(old);
    kn_library_destroy(empty);
}

static void a_reload_without_memory_changes_nothing(void **state)
{
    (void)state;
    kn_library *old = rich_library(0);
    kn_library *other = rich_library(3);
    rich_memory memory = {0};
    kn_world *world = rich_world_create(old, &memory);
    rich_step(world, 2);
    uint64_t hash = kn_world_hash(world);
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint64_t failures = 0;
    while (result != KN_OK) {
        memory.calls = 0;
        memory.fail_at = ++failures;
        result = kn_world_reload(world, other, NULL);
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_ptr_equal(kn_world_library(world), old);
            assert_true(kn_world_hash(world) == hash);
        }
    }
    assert_true(failures > 10);
    memory.fail_at = 0;
    kn_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
    kn_library_destroy(old);
    kn_library_destroy(other);
}

static kn_library *body_library(kn_ability_body body, float lasts)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "A";
    ability.body = body;
    ability.lasts = kn_constant(lasts);
    ability.input = 1;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(library, &ability, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

// Half a second with one body, then another.
static void what_stayed_ends_as_its_new_body_says_and_the_rest_as_before(void **state)
{
    (void)state;
    enum { STAY, TIMED, USE, HELD, SHORT, BODIES };
    kn_library *libraries[BODIES] = {body_library(KN_BODY_STAY, 0), body_library(KN_BODY_TIMED, 2),
        body_library(KN_BODY_USE, 0), body_library(KN_BODY_HELD, 0),
        body_library(KN_BODY_TIMED, 0.25f)};
    const struct {
        uint32_t from, to;
        float ends; // seconds after the start; 0: when the input is released
    } changes[] = {{STAY, TIMED, 2}, {STAY, USE, 0.5f}, {STAY, HELD, 0}, {STAY, SHORT, 0.5f},
        {TIMED, STAY, 2}, {TIMED, HELD, 2}, {TIMED, USE, 2}, {HELD, TIMED, 0}, {HELD, STAY, 0}};
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        kn_world_def def = kn_world_def_default();
        def.library = libraries[changes[i].from];
        kn_world *world;
        kn_entity_id entity;
        assert_int_equal(kn_world_create(&def, &world), KN_OK);
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = kn_ability_type_find(def.library, "A");
        kn_ability_id ability;
        assert_int_equal(kn_ability_grant(world, entity, &grant, &ability), KN_OK);
        assert_int_equal(kn_input_press(world, entity, 1), KN_OK);
        kn_activation_id running;
        assert_int_equal(kn_activations(world, entity, &running, 1), 1);
        assert_int_equal(kn_world_step(world, KN_MS(500)), KN_OK);
        assert_int_equal(kn_world_reload(world, libraries[changes[i].to], NULL), KN_OK);
        assert_true(kn_world_validate(world));
        for (uint32_t half = 1; half < 10; half++) {
            bool is_over = changes[i].ends > 0.0f && 0.5f * (float)half >= changes[i].ends;
            assert_int_equal(kn_activation_is_alive(world, running), !is_over);
            assert_int_equal(kn_world_step(world, KN_MS(500)), KN_OK);
        }
        assert_int_equal(kn_input_release(world, entity, 1), KN_OK);
        assert_false(kn_activation_is_alive(world, running));
        kn_world_destroy(world);
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        kn_library_destroy(libraries[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_world_goes_on_with_a_library_that_numbers_things_differently),
    cmocka_unit_test(listeners_follow_what_they_wait_for_by_name),
    cmocka_unit_test(what_cannot_be_matched_leaves_world_and_library_as_they_were),
    cmocka_unit_test(a_reload_without_memory_changes_nothing),
    cmocka_unit_test(what_stayed_ends_as_its_new_body_says_and_the_rest_as_before),
};

TEST_GROUP(reload, tests, NULL, NULL);
