// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What rules see does not depend on who is watching: events that are wanted and verbose logs take
// no other path. tests/determinism/observers.c runs the scenes; here are the single places.

#include "scenario/effect_fixture.h"

typedef enum watching { NOBODY, A_MASK, A_LOG, WATCHING_COUNT } watching;

// A world that somebody watches, with a hero and a foe as begin() makes them.
static void begin_watched(fixture *f, watching how)
{
    kn_world_def def = kn_world_def_default();
    def.event_mask = how == A_MASK ? UINT64_MAX : 0;
    f->world = world_of(f, def);
    for (uint32_t i = 0; how == A_LOG && i < KN_LOG_CATEGORY_COUNT; i++) {
        assert_int_equal(kn_log_set_level(f->world, (kn_log_category)i, KN_LOG_VERBOSE), KN_OK);
    }
    entities_create(f);
}

static void end_watched(fixture *f)
{
    kn_world_destroy(f->world);
    f->world = NULL;
}

static kn_attribute_id seen; // where rules write what they see

// Notes how often the effect that hits has ticked.
static void note_executions(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id effect = {0};
    kn_effect_info info = {0};
    if (kn_effects_find(world, reaction->entity, &query, &effect, 1) == 1 &&
        kn_effect_get(world, effect, &info)) {
        assert_int_equal(
            kn_attribute_set_base(world, reaction->entity, seen, 0,
                kn_attribute_base(world, reaction->entity, seen) * 10.0f + (float)info.executions),
            KN_OK);
    }
}

static kn_effect_type_id dot(fixture *f, const char *name, bool is_plain)
{
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def def = timed(name, 3.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.keeps_tally = !is_plain; // keeps more, so it takes the longer path
    return effect_register(f, &def);
}

static void rule(fixture *f, kn_rule_fn *function)
{
    kn_rule_def def = kn_rule_def_default();
    def.name = "Note";
    def.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    def.attribute = f->health;
    def.function = function;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &def, &id, NULL), KN_OK);
}

static void post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    if (data->spec == NULL || data->attribute.index1 == seen.index1) {
        return;
    }
    kn_reaction reaction = {.entity = data->entity};
    note_executions(NULL, data->world, &reaction);
}

// A tick counts from its beginning, whatever the effect is made of and whoever watches.
static void the_running_tick_counts(void **state)
{
    fixture *f = *state;
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Life";
    attributes[0].default_value = 100.0f;
    attributes[1].name = "Seen";
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Body";
    def.attributes = attributes;
    def.attribute_count = 2;
    def.hooks.post_execute = post_execute;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    seen = kn_attribute_find(f->library, "Body.Seen");
    f->health = kn_attribute_find(f->library, "Body.Life");
    kn_effect_type_id types[2] = {dot(f, "Plain", true), dot(f, "Tallied", false)};
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (uint32_t type = 0; type < 2; type++) {
        uint64_t hashes[WATCHING_COUNT];
        for (watching how = NOBODY; how < WATCHING_COUNT; how++) {
            begin_watched(f, how);
            add_set(f, f->foe, set);
            assert_int_equal(
                kn_effect_apply_simple(f->world, types[type], f->hero, f->foe, 1.0f, NULL), KN_OK);
            step(f, KN_MS(2500));
            assert_float_equal(kn_attribute_value(f->world, f->foe, seen), 12.0f, 0.0f);
            hashes[how] = kn_world_hash(f->world);
            end_watched(f);
        }
        assert_true(hashes[A_MASK] == hashes[NOBODY] && hashes[A_LOG] == hashes[NOBODY]);
    }
}

// Notes the source of the application behind a change.
static void note_cause(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_cause_info own, parent;
    assert_true(kn_cause_get(world, reaction->cause, &own));
    assert_true(kn_cause_get(world, own.parent, &parent));
    assert_int_equal(parent.kind, KN_CAUSE_APPLY);
    assert_int_equal(
        kn_attribute_set_base(world, reaction->entity, seen, 0, (float)parent.entity.index1),
        KN_OK);
}

// Of an effect on a body, causes name whose body it is.
static void a_cause_names_the_owner_of_a_body(void **state)
{
    fixture *f = *state;
    seen = f->armor;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Hit";
    def.duration_kind = KN_DURATION_INSTANT;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &def);
    rule(f, note_cause);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (watching how = NOBODY; how < WATCHING_COUNT; how++) {
        begin_watched(f, how);
        kn_entity_id body = entity_create(f);
        assert_int_equal(kn_entity_set_avatar(f->world, f->foe, body), KN_OK);
        assert_int_equal(kn_effect_apply_simple(f->world, hit, f->hero, body, 1.0f, NULL), KN_OK);
        assert_float_equal(kn_attribute_value(f->world, f->foe, seen), (float)f->foe.index1, 0.0f);
        end_watched(f);
    }
}

// The short way for plain hits knows of stacks that the caller gives.
static void an_instant_effect_takes_the_stacks_it_is_given(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Hit";
    def.duration_kind = KN_DURATION_INSTANT;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id hit = effect_register(f, &def);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (watching how = NOBODY; how < WATCHING_COUNT; how++) {
        begin_watched(f, how);
        kn_effect_apply_def apply = kn_effect_apply_def_default();
        apply.type = hit;
        apply.source = f->hero;
        apply.target = f->foe;
        apply.stacks = 3;
        assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
        assert_float_equal(kn_attribute_value(f->world, f->foe, f->health), 85.0f, 0.0f);
        end_watched(f);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(the_running_tick_counts, setup, teardown),
    cmocka_unit_test_setup_teardown(a_cause_names_the_owner_of_a_body, setup, teardown),
    cmocka_unit_test_setup_teardown(
        an_instant_effect_takes_the_stacks_it_is_given, setup, teardown),
};

TEST_GROUP(observer_paths, tests, NULL, NULL);
