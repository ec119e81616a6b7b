// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Worlds with equal hashes have equal futures: whatever decides the future is saved and hashed.

#include "knack/knack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct stage {
    kn_library *library;
    kn_world_def def;
    kn_world *world;
    kn_attribute_set_id set;
    kn_attribute_id count;
    kn_tag event;
    kn_timer_type_id timer;
    kn_ability_type_id roll;
    kn_entity_id hero;
} stage;

static stage *playing;

static void count_up(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    float old = kn_attribute_base(world, reaction->entity, playing->count);
    (void)kn_attribute_set_base(world, reaction->entity, playing->count, 0, old + 1.0f);
}

static kn_time send_two(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    assert_int_equal(kn_event_send(world, entity, playing->event, NULL), KN_OK);
    assert_int_equal(kn_event_send(world, entity, playing->event, NULL), KN_OK);
    return 0;
}

static kn_result stay(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static int setup(void **state)
{
    stage *s = calloc(1, sizeof(*s));
    playing = s;
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &s->library), KN_OK);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Event";
    assert_int_equal(kn_tag_register(s->library, &tag, &s->event, NULL), KN_OK);
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Count";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Set";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &s->set, NULL), KN_OK);
    s->count = kn_attribute_find(s->library, "Set.Count");
    for (uint32_t i = 0; i < 4; i++) {
        char name[] = {'R', (char)('0' + i), 0};
        kn_rule_def rule = kn_rule_def_default();
        rule.name = name;
        rule.trigger = KN_TRIGGER_EVENT;
        rule.tag = s->event;
        rule.function = count_up;
        kn_rule_id id;
        assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
    }
    assert_int_equal(
        kn_timer_type_register(s->library, "Two", send_two, NULL, &s->timer, NULL), KN_OK);
    kn_ability_def roll = kn_ability_def_default();
    roll.name = "Roll";
    roll.activate = stay;
    roll.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_ability_register(s->library, &roll, &s->roll, NULL), KN_OK);
    assert_int_equal(kn_library_finish(s->library, NULL), KN_OK);
    s->def = kn_world_def_default();
    s->def.library = s->library;
    s->def.reaction_limit = 10;
    s->def.seed = 42;
    assert_int_equal(kn_world_create(&s->def, &s->world), KN_OK);
    assert_int_equal(kn_entity_create(s->world, &s->hero), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->hero, s->set, 0), KN_OK);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    stage *s = *state;
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    free(s);
    return 0;
}

// A world of another seed with the state of the first.
static kn_world *saved_and_loaded(const stage *s)
{
    size_t size;
    assert_int_equal(kn_save_write(s->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_int_equal(kn_save_write(s->world, bytes, size, &size), KN_OK);
    kn_world_def def = s->def;
    def.seed++;
    kn_world *copy;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    assert_int_equal(kn_save_read(copy, bytes, size, NULL), KN_OK);
    free(bytes);
    return copy;
}

static kn_world *restored(const stage *s)
{
    size_t size = kn_snapshot_size(s->world);
    void *bytes = malloc(size);
    assert_int_equal(kn_snapshot_take(s->world, bytes, size, &size), KN_OK);
    kn_world_def def = s->def;
    def.seed++;
    kn_world *copy;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    assert_int_equal(kn_snapshot_restore(copy, bytes, size), KN_OK);
    free(bytes);
    return copy;
}

typedef kn_world *copy_fn(const stage *s);
static copy_fn *const copies[2] = {saved_and_loaded, restored};

static kn_ability_id grant(const stage *s)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = s->roll;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(s->world, s->hero, &def, &ability), KN_OK);
    return ability;
}

static kn_activation_id activate(kn_world *world, kn_ability_id ability)
{
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(world, ability, NULL, &activation), KN_OK);
    return activation;
}

static void reactions_of_a_step_do_not_count_in_the_call_after_it(void **state)
{
    stage *s = *state;
    for (uint32_t i = 0; i < 2; i++) {
        kn_timer_id timer;
        assert_int_equal(kn_timer_start(s->world, s->timer, s->hero, 0, NULL, &timer), KN_OK);
        float before = kn_attribute_base(s->world, s->hero, s->count);
        assert_int_equal(kn_world_step(s->world, KN_MS(16)), KN_OK); // eight of ten
        kn_world *copy = copies[i](s);
        assert_true(kn_world_hash(copy) == kn_world_hash(s->world));
        assert_int_equal(kn_event_send(s->world, s->hero, s->event, NULL), KN_OK);
        assert_int_equal(kn_event_send(copy, s->hero, s->event, NULL), KN_OK);
        assert_true(kn_attribute_base(s->world, s->hero, s->count) == before + 12.0f);
        assert_true(kn_world_hash(copy) == kn_world_hash(s->world));
        kn_world_destroy(copy);
    }
}

static void activations_to_come_have_the_same_seeds_in_a_copy(void **state)
{
    stage *s = *state;
    kn_ability_id ability = grant(s);
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id running = activate(s->world, ability);
        kn_world *copy = copies[i](s);
        assert_true(kn_world_hash(copy) == kn_world_hash(s->world));
        assert_true(kn_activation_seed(copy, running) == kn_activation_seed(s->world, running));
        assert_true(
            kn_activation_random(copy, running, 3) == kn_activation_random(s->world, running, 3));
        kn_activation_id next = activate(s->world, ability);
        assert_true(kn_activation_id_equal(activate(copy, ability), next));
        assert_true(kn_activation_seed(copy, next) == kn_activation_seed(s->world, next));
        assert_true(kn_world_hash(copy) == kn_world_hash(s->world));
        kn_world_destroy(copy);
    }
}

static void worlds_of_different_seeds_have_different_hashes(void **state)
{
    stage *s = *state;
    kn_world_def def = s->def;
    kn_world *worlds[2];
    for (uint32_t i = 0; i < 2; i++) {
        def.seed = i;
        assert_int_equal(kn_world_create(&def, &worlds[i]), KN_OK);
    }
    assert_true(kn_world_hash(worlds[0]) != kn_world_hash(worlds[1]));
    kn_world_destroy(worlds[0]);
    kn_world_destroy(worlds[1]);
}

static void every_activation_of_a_moment_has_its_own_seed(void **state)
{
    stage *s = *state;
    kn_ability_id abilities[3] = {grant(s), grant(s), grant(s)};
    // A gap among the grants does not bring back a number that is in use.
    assert_int_equal(kn_ability_remove(s->world, abilities[0], KN_GRANT_CANCEL), KN_OK);
    abilities[0] = grant(s);
    uint64_t seeds[12];
    for (uint32_t i = 0; i < 12; i++) {
        kn_activation_id activation = activate(s->world, abilities[i % 3]);
        seeds[i] = kn_activation_seed(s->world, activation);
        for (uint32_t j = 0; j < i; j++) {
            assert_true(seeds[i] != seeds[j]);
        }
        if (i % 2 != 0) { // whether the one before still runs
            assert_int_equal(kn_activation_end(s->world, activation), KN_OK);
        }
    }
}

static void the_seed_of_an_activation_stays_when_others_end(void **state)
{
    stage *s = *state;
    kn_ability_id ability = grant(s);
    kn_activation_id first = activate(s->world, ability), second = activate(s->world, ability);
    uint64_t seed = kn_activation_seed(s->world, second);
    assert_int_equal(kn_activation_end(s->world, first), KN_OK);
    assert_true(kn_activation_seed(s->world, second) == seed);
    assert_int_equal(kn_world_step(s->world, KN_S(1)), KN_OK);
    assert_true(kn_activation_seed(s->world, second) == seed);
    assert_true(kn_activation_seed(s->world, first) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            reactions_of_a_step_do_not_count_in_the_call_after_it, setup, teardown),
        cmocka_unit_test_setup_teardown(
            activations_to_come_have_the_same_seeds_in_a_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(
            worlds_of_different_seeds_have_different_hashes, setup, teardown),
        cmocka_unit_test_setup_teardown(
            every_activation_of_a_moment_has_its_own_seed, setup, teardown),
        cmocka_unit_test_setup_teardown(
            the_seed_of_an_activation_stays_when_others_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
