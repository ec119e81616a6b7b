// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Worlds with equal hashes have equal futures: whatever decides the future is saved and hashed.

#define FIXTURE_OWN                                                                                \
    kn_world_def def;                                                                              \
    kn_attribute_id count;                                                                         \
    kn_tag event;                                                                                  \
    kn_timer_type_id timer;                                                                        \
    kn_ability_type_id roll;

#include "scenario/fixture.h"

static fixture *playing;

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
    fixture *f = fixture_create(1);
    playing = f;
    f->event = tag_of(f, "Event");
    kn_attribute_def attribute = attribute_def("Count", 0.0f);
    fixture_set(f, "Set", &attribute, 1);
    f->count = kn_attribute_find(f->library, "Set.Count");
    for (uint32_t i = 0; i < 4; i++) {
        char name[] = {'R', (char)('0' + i), 0};
        kn_rule_def rule = kn_rule_def_default();
        rule.name = name;
        rule.trigger = KN_TRIGGER_EVENT;
        rule.tag = f->event;
        rule.function = count_up;
        kn_rule_id id;
        assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    }
    assert_int_equal(
        kn_timer_type_register(f->library, "Two", send_two, NULL, &f->timer, NULL), KN_OK);
    kn_ability_def roll = kn_ability_def_default();
    roll.name = "Roll";
    roll.activate = stay;
    roll.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_ability_register(f->library, &roll, &f->roll, NULL), KN_OK);
    f->def = kn_world_def_default();
    f->def.reaction_limit = 10;
    f->def.seed = 42;
    f->def.library = f->library;
    begin_with(f, f->def);
    *state = f;
    return 0;
}

// A world of another seed with the state of the first.
static kn_world *saved_and_loaded(fixture *f)
{
    kn_world_def def = f->def;
    def.seed++;
    return world_loaded(f, def);
}

static kn_world *restored(fixture *f)
{
    kn_world_def def = f->def;
    def.seed++;
    kn_world *copy = world_of(f, def);
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    snapshot_restore(copy, bytes, size);
    free(bytes);
    return copy;
}

typedef kn_world *copy_fn(fixture *f);
static copy_fn *const copies[2] = {saved_and_loaded, restored};

static kn_ability_id grant(const fixture *f)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = f->roll;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
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
    fixture *f = *state;
    for (uint32_t i = 0; i < 2; i++) {
        kn_timer_id timer;
        assert_int_equal(kn_timer_start(f->world, f->timer, f->hero, 0, NULL, &timer), KN_OK);
        float before = kn_attribute_base(f->world, f->hero, f->count);
        step(f, KN_MS(16)); // eight of ten
        kn_world *copy = copies[i](f);
        assert_true(kn_world_hash(copy) == kn_world_hash(f->world));
        assert_int_equal(kn_event_send(f->world, f->hero, f->event, NULL), KN_OK);
        assert_int_equal(kn_event_send(copy, f->hero, f->event, NULL), KN_OK);
        assert_true(kn_attribute_base(f->world, f->hero, f->count) == before + 12.0f);
        assert_true(kn_world_hash(copy) == kn_world_hash(f->world));
        kn_world_destroy(copy);
    }
}

static void activations_to_come_have_the_same_seeds_in_a_copy(void **state)
{
    fixture *f = *state;
    kn_ability_id ability = grant(f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_activation_id running = activate(f->world, ability);
        kn_world *copy = copies[i](f);
        assert_true(kn_world_hash(copy) == kn_world_hash(f->world));
        assert_true(kn_activation_seed(copy, running) == kn_activation_seed(f->world, running));
        assert_true(
            kn_activation_random(copy, running, 3) == kn_activation_random(f->world, running, 3));
        kn_activation_id next = activate(f->world, ability);
        assert_true(kn_activation_id_equal(activate(copy, ability), next));
        assert_true(kn_activation_seed(copy, next) == kn_activation_seed(f->world, next));
        assert_true(kn_world_hash(copy) == kn_world_hash(f->world));
        kn_world_destroy(copy);
    }
}

static void worlds_of_different_seeds_have_different_hashes(void **state)
{
    fixture *f = *state;
    kn_world_def def = f->def;
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
    fixture *f = *state;
    kn_ability_id abilities[3] = {grant(f), grant(f), grant(f)};
    // A gap among the grants does not bring back a number that is in use.
    assert_int_equal(kn_ability_remove(f->world, abilities[0], KN_GRANT_CANCEL), KN_OK);
    abilities[0] = grant(f);
    uint64_t seeds[12];
    for (uint32_t i = 0; i < 12; i++) {
        kn_activation_id activation = activate(f->world, abilities[i % 3]);
        seeds[i] = kn_activation_seed(f->world, activation);
        for (uint32_t j = 0; j < i; j++) {
            assert_true(seeds[i] != seeds[j]);
        }
        if (i % 2 != 0) { // whether the one before still runs
            assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
        }
    }
}

static void the_seed_of_an_activation_stays_when_others_end(void **state)
{
    fixture *f = *state;
    kn_ability_id ability = grant(f);
    kn_activation_id first = activate(f->world, ability), second = activate(f->world, ability);
    uint64_t seed = kn_activation_seed(f->world, second);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_true(kn_activation_seed(f->world, second) == seed);
    step(f, KN_S(1));
    assert_true(kn_activation_seed(f->world, second) == seed);
    assert_true(kn_activation_seed(f->world, first) == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        reactions_of_a_step_do_not_count_in_the_call_after_it, setup, teardown),
    cmocka_unit_test_setup_teardown(
        activations_to_come_have_the_same_seeds_in_a_copy, setup, teardown),
    cmocka_unit_test_setup_teardown(
        worlds_of_different_seeds_have_different_hashes, setup, teardown),
    cmocka_unit_test_setup_teardown(every_activation_of_a_moment_has_its_own_seed, setup, teardown),
    cmocka_unit_test_setup_teardown(
        the_seed_of_an_activation_stays_when_others_end, setup, teardown),
};

TEST_GROUP(futures, tests, NULL, NULL);
