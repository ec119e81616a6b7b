// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Behaviours: who acts in which order, and what blocks which.

#include "kit_test.h"

static behaviour_id named(const game *g, const char *name)
{
    behaviour_id id = behaviour_find(g->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static void add(game *g, kn_entity_id entity, const char *name)
{
    expect_ok(behaviour_add(g->world, entity, named(g, name)));
}

static behaviour_state state_of(const game *g, kn_entity_id entity, const char *name)
{
    behaviour_state state;
    assert_true(behaviour_read(g->world, entity, named(g, name), &state, NULL));
    return state;
}

static void behaviours_act_at_their_rate_whatever_the_step(void **state)
{
    game *g = *state;
    add(g, g->caster, "Walk");
    step(g, 0.099999);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 0.0f);
    step(g, 0.000001);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 1.0f);
    step(g, 10.0);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 101.0f);
    assert_true(attribute(g, g->target, "Vitals.Walked") == 0.0f);
}

static void one_may_act_in_every_nth_run_only_while_its_condition_holds(void **state)
{
    game *g = *state;
    add(g, g->caster, "Heal");
    step(g, 3.0);
    assert_int_equal(state_of(g, g->caster, "Heal"), BEHAVIOUR_IDLE);
    attribute_set(g, g->caster, "Vitals.Health", 85.0f);
    step(g, 0.4);
    assert_true(attribute(g, g->caster, "Vitals.Health") == 85.0f);
    step(g, 0.1);
    assert_true(attribute(g, g->caster, "Vitals.Health") == 87.0f);
    step(g, 5.0);
    assert_true(attribute(g, g->caster, "Vitals.Health") == 91.0f); // no longer wounded
}

static void the_first_in_order_claims_and_the_others_wait(void **state)
{
    game *g = *state;
    add(g, g->caster, "Wander"); // added first, but behind the other
    add(g, g->caster, "Walk");
    step(g, 1.0);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_ACTING);
    assert_int_equal(state_of(g, g->caster, "Wander"), BEHAVIOUR_WAITING);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 10.0f);
    assert_true(attribute(g, g->caster, "Vitals.Wandered") == 0.0f);
    attribute_set(g, g->caster, "Vitals.Health", 40.0f); // too weak to walk
    step(g, 1.0);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_IDLE);
    assert_int_equal(state_of(g, g->caster, "Wander"), BEHAVIOUR_ACTING);
    assert_true(attribute(g, g->caster, "Vitals.Wandered") == 10.0f);
    expect_event(g, "BehaviourChanged", "entity 2  Wander is acting");
    assert_int_equal(event_count(g, "BehaviourChanged"), 2); // only what changes is published
}

static void a_block_stops_what_has_its_tag_or_one_below(void **state)
{
    game *g = *state;
    add(g, g->caster, "Walk");
    add(g, g->caster, "Heal");
    expect_ok(behaviour_block_add(g->world, g->caster, tag_of(g, "Behaviour.Legs"), g->rival));
    attribute_set(g, g->caster, "Vitals.Health", 80.0f);
    step(g, 1.0);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_BLOCKED);
    assert_int_equal(state_of(g, g->caster, "Heal"), BEHAVIOUR_ACTING);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 0.0f);
    assert_true(behaviour_is_blocked(g->world, g->caster, tag_of(g, "Behaviour.Legs.Walk")));
    assert_false(behaviour_is_blocked(g->world, g->caster, tag_of(g, "Behaviour.Body.Heal")));
    assert_false(behaviour_is_blocked(g->world, g->target, tag_of(g, "Behaviour.Legs.Walk")));
}

static void a_block_of_one_source_is_not_lifted_by_another(void **state)
{
    game *g = *state;
    kn_tag legs = tag_of(g, "Behaviour.Legs");
    kn_entity_id nobody = {0};
    add(g, g->caster, "Walk");
    expect_ok(behaviour_block_add(g->world, g->caster, legs, g->rival));
    expect_ok(behaviour_block_add(g->world, g->caster, legs, g->target));
    expect_ok(behaviour_block_add(g->world, g->caster, legs, nobody));
    assert_int_equal(
        behaviour_block_add(g->world, g->caster, legs, g->rival), KN_REFUSED_DUPLICATE);
    assert_true(behaviour_block_remove(g->world, g->caster, legs, g->target));
    assert_false(behaviour_block_remove(g->world, g->caster, legs, g->target));
    assert_true(behaviour_block_remove(g->world, g->caster, legs, nobody));
    step(g, 0.1);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_BLOCKED);
    assert_int_equal(behaviour_blocks_by(g->world, g->rival), 1);
    assert_true(behaviour_block_remove(g->world, g->caster, legs, g->rival));
    step(g, 0.1);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_ACTING);
}

static void a_block_ends_with_its_source(void **state)
{
    game *g = *state;
    kn_tag legs = tag_of(g, "Behaviour.Legs");
    add(g, g->caster, "Walk");
    expect_ok(behaviour_block_add(g->world, g->caster, legs, g->rival));
    expect_ok(behaviour_block_add(g->world, g->target, legs, g->rival));
    expect_ok(behaviour_block_add(g->world, g->target, legs, g->caster));
    assert_int_equal(behaviour_blocks_by(g->world, g->rival), 2);
    assert_true(kn_entity_destroy(g->world, g->rival));
    step(g, 0.1);
    assert_int_equal(state_of(g, g->caster, "Walk"), BEHAVIOUR_ACTING);
    assert_true(behaviour_is_blocked(g->world, g->target, legs)); // by somebody else
    assert_int_equal(behaviour_block_add(g->world, g->caster, legs, g->rival), KN_REFUSED_STALE_ID);
}

static void bad_arguments_are_refused_and_change_nothing(void **state)
{
    game *g = *state;
    kn_entity_id nobody = {0};
    uint64_t before = kn_world_hash(g->world);
    assert_int_equal(behaviour_add(g->world, nobody, named(g, "Walk")), KN_REFUSED_STALE_ID);
    assert_int_equal(behaviour_add(g->world, g->caster, (behaviour_id){0}), KN_REFUSED_NOT_FOUND);
    assert_int_equal(behaviour_add(g->world, g->caster, (behaviour_id){99}), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        behaviour_block_add(g->world, g->caster, (kn_tag){0}, nobody), KN_ERROR_INVALID_ARGUMENT);
    assert_false(behaviour_remove(g->world, g->caster, named(g, "Walk")));
    assert_false(behaviour_read(g->world, g->caster, named(g, "Walk"), NULL, NULL));
    assert_true(kn_world_hash(g->world) == before);
    add(g, g->caster, "Walk");
    assert_int_equal(behaviour_add(g->world, g->caster, named(g, "Walk")), KN_REFUSED_DUPLICATE);
    assert_true(behaviour_remove(g->world, g->caster, named(g, "Walk")));
    step(g, 1.0);
    assert_true(attribute(g, g->caster, "Vitals.Walked") == 0.0f);
    expect_message("behaviours: {Walk: {every: 0}}\n",
        "t.yaml:1:14: error: behaviour `Walk`: `every` must be at least 1");
}

static void what_a_behaviour_does_has_it_as_its_cause(void **state)
{
    game *g = *state;
    char text[256];
    add(g, g->caster, "Walk");
    step(g, 0.1);
    (void)kn_cause_print(
        g->world, last_event(g, KN_EVENT_ATTRIBUTE_CHANGED)->cause, text, sizeof(text));
    assert_string_equal(text, "Walked applied by entity 2 on entity 2 <- behaviour Walk of entity "
                              "2 <- system Kit.Behaviours <- host");
}

// A behaviour in C that changes the list it stands in.
static behaviour_id other;

static void act_on_the_list(kn_world *world, kn_entity_id entity)
{
    behaviour_id own = behaviour_find(kn_world_library(world), "Own");
    if (!behaviour_remove(world, entity, other)) {
        kn_result result = behaviour_add(world, entity, other);
        assert_int_equal(result, KN_OK);
        assert_true(behaviour_remove(world, entity, own));
    }
}

static void a_behaviour_may_change_the_list_it_stands_in(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    expect_ok(kn_library_create(&library_def, &library));
    expect_ok(kit_register(library, &error));
    behaviour_def def = behaviour_def_default();
    behaviour_id own;
    def.name = "Own";
    def.act = act_on_the_list;
    expect_ok(behaviour_register(library, &def, &own, &error));
    def.name = "Other";
    def.act = NULL;
    expect_ok(behaviour_register(library, &def, &other, &error));
    expect_ok(kn_library_finish(library, &error));
    kn_world *world = world_create(library);
    kn_entity_id entity;
    uint32_t acts;
    kn_world_set_moving(world, true);
    expect_ok(kn_entity_create(world, &entity));
    expect_ok(behaviour_add(world, entity, other));
    expect_ok(behaviour_add(world, entity, own));
    expect_ok(kn_world_step(world, KN_MS(100))); // removes the other one before its turn
    assert_false(behaviour_read(world, entity, other, NULL, &acts));
    expect_ok(kn_world_step(world, KN_MS(100))); // adds it again, and itself is gone
    assert_true(behaviour_read(world, entity, other, NULL, &acts));
    assert_int_equal(acts, 1); // behind it, so still in the same run
    assert_false(behaviour_read(world, entity, own, NULL, NULL));
    expect_ok(kn_world_step(world, KN_MS(100)));
    assert_true(kn_world_validate(world));
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    TEST(behaviours_act_at_their_rate_whatever_the_step),
    TEST(one_may_act_in_every_nth_run_only_while_its_condition_holds),
    TEST(the_first_in_order_claims_and_the_others_wait),
    TEST(a_block_stops_what_has_its_tag_or_one_below),
    TEST(a_block_of_one_source_is_not_lifted_by_another),
    TEST(a_block_ends_with_its_source),
    TEST(bad_arguments_are_refused_and_change_nothing),
    TEST(what_a_behaviour_does_has_it_as_its_cause),
    cmocka_unit_test(a_behaviour_may_change_the_list_it_stands_in),
};

TEST_GROUP(kit_behaviour, tests, NULL, NULL);
