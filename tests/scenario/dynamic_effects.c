// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects made at run time, for one world.

#include "scenario/effect_fixture.h"

static kn_effect_type_id make(fixture *f, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_world_effect_register(f->world, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// DYN-001, TVE-093: built from scratch and applied.
static void instant_effect_made_at_run_time_overrides_a_base(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_OVERRIDE, 42);
    kn_effect_def def = effect_def("Forty-two", KN_DURATION_INSTANT, &modifier, 1);

    apply(f, make(f, &def));

    assert_near(base(f, f->health), 42);
    assert_near(current(f, f->health), 42);
}

// DYN-003, TVE-092: two Add modifiers, applied by and to the killer at level 1.
static void bounty_made_at_run_time_pays_the_killer(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->attack, KN_OP_ADD, 25),
        kn_modifier_constant(f->mana, KN_OP_ADD, 7),
    };
    kn_effect_def def = effect_def("Bounty", KN_DURATION_INSTANT, modifiers, COUNT(modifiers));
    kn_effect_type_id type = make(f, &def);

    assert_int_equal(kn_effect_apply_simple(f->world, type, f->hero, f->hero, 1, NULL), KN_OK);

    assert_near(kn_attribute_base(f->world, f->hero, f->attack), 35);
    assert_near(kn_attribute_base(f->world, f->hero, f->mana), 67);
    assert_near(base(f, f->attack), 10);
}

// DYN-001, DYN-005, GAPE-018: every duration kind.
static void lasting_and_periodic_effects_can_be_made_at_run_time(void **state)
{
    fixture *f = *state;
    kn_tag granted = tag_of(f, "State.Made");
    begin(f);
    kn_modifier_def boost = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def timed = effect_def("Timed", KN_DURATION_TIMED, &boost, 1);
    timed.granted_tags = one(&granted);
    kn_effect_def infinite = effect_def("Infinite", KN_DURATION_INFINITE, &boost, 1);
    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def periodic = effect_def("Periodic", KN_DURATION_TIMED, &hit, 1);
    periodic.is_periodic = true;
    periodic.skip_first_tick = true;
    periodic.period = kn_magnitude_constant(1);

    apply(f, make(f, &timed));
    kn_effect_id lasting = apply(f, make(f, &infinite));
    apply(f, make(f, &periodic));
    assert_near(current(f, f->speed), 700);
    assert_true(kn_entity_has_tag(f->world, f->foe, granted));
    step(f, KN_S(10));

    assert_near(current(f, f->speed), 650);
    assert_near(base(f, f->health), 50);
    assert_false(kn_entity_has_tag(f->world, f->foe, granted));
    assert_true(kn_effect_is_alive(f->world, lasting));
}

// DYN-004: a spec of a made type keeps its modifiers, whatever becomes of the def.
static void spec_of_a_made_type_keeps_the_definition(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_spec_id spec = {0};
    {
        char name[] = "Made";
        kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_OVERRIDE, 42);
        kn_effect_def def = effect_def(name, KN_DURATION_INSTANT, &modifier, 1);
        kn_effect_apply_def apply_def = from_hero(f, make(f, &def));
        assert_int_equal(kn_spec_create(f->world, &apply_def, &spec), KN_OK);
        memset(name, 'x', sizeof(name) - 1);
        memset(&modifier, 0xff, sizeof(modifier));
    }
    step(f, KN_S(1));

    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_OK);

    assert_near(base(f, f->health), 42);
}

// What a stored spec will do is part of the world, as long as it is stored.
static void spec_of_a_made_type_counts_in_the_hash(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = f->library;
    kn_world *worlds[2];
    kn_spec_id specs[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_world_create(&world_def, &worlds[i]), KN_OK);
        kn_modifier_def modifier =
            kn_modifier_constant(f->health, KN_OP_OVERRIDE, 42.0f + (float)i);
        kn_effect_def def = effect_def("Made", KN_DURATION_INSTANT, &modifier, 1);
        kn_effect_apply_def apply_def = kn_effect_apply_def_default();
        assert_int_equal(kn_world_effect_register(worlds[i], &def, &apply_def.type, NULL), KN_OK);
        assert_int_equal(kn_spec_create(worlds[i], &apply_def, &specs[i]), KN_OK);
    }
    assert_true(kn_world_hash(worlds[0]) != kn_world_hash(worlds[1]));
    for (uint32_t i = 0; i < 2; i++) {
        kn_spec_destroy(worlds[i], specs[i]);
    }
    assert_true(kn_world_hash(worlds[0]) == kn_world_hash(worlds[1]));
    for (uint32_t i = 0; i < 2; i++) {
        kn_world_destroy(worlds[i]);
    }
}

// DYN-001: the other way: an archetype, customised in the spec.
static void archetype_is_customised_by_its_spec(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount"), granted = tag_of(f, "State.Custom");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->speed;
    modifier.magnitude = kn_magnitude_set_by_caller(key);
    kn_effect_def def = effect_def("Archetype", KN_DURATION_TIMED, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_caller_value value = {key, -200};
    kn_effect_apply_def apply_def = from_hero(f, type);
    apply_def.caller_values = &value;
    apply_def.caller_value_count = 1;
    apply_def.duration = KN_S(2);
    apply_def.dynamic_granted_tags = one(&granted);

    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
    assert_near(current(f, f->speed), 400);
    assert_true(kn_entity_has_tag(f->world, f->foe, granted));
    step(f, KN_S(2));

    assert_near(current(f, f->speed), 600);
}

// DYN-005: registered with an id; an equal def gives the same one, another is refused.
static void equal_definition_gives_the_same_type(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 1);
    kn_effect_def def = effect_def("Made", KN_DURATION_INSTANT, &modifier, 1);

    kn_effect_type_id first = make(f, &def);
    kn_effect_type_id second = make(f, &def);
    assert_int_equal(first.index1, second.index1);
    assert_string_equal(kn_effect_type_name(f->world, first), "Made");
    assert_near(kn_effect_type_get_def(f->world, first)->modifiers[0].magnitude.scale.value, 1);

    modifier.magnitude = kn_magnitude_constant(2);
    kn_effect_type_id third = {77};
    kn_error error = {0};
    assert_int_equal(
        kn_world_effect_register(f->world, &def, &third, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "the world already has a different effect `Made`");
    assert_int_equal(third.index1, 0);
}

// DYN-005: a name of the library is taken.
static void made_type_cannot_take_a_name_of_the_library(void **state)
{
    fixture *f = *state;
    simple(f, "Taken", KN_DURATION_INSTANT, f->health, KN_OP_ADD, 1);
    begin(f);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 99);
    kn_effect_def def = effect_def("Taken", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_type_id type = {77};
    kn_error error = {0};

    assert_int_equal(kn_world_effect_register(f->world, &def, &type, &error), KN_REFUSED_DUPLICATE);

    assert_string_equal(error.message, "the library already has an effect `Taken`");
    assert_int_equal(type.index1, 0);
}

// DYN-005: it belongs to its world.
static void made_type_belongs_to_one_world(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_world *other = world_of(f, kn_world_def_default());
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(other, &entity), KN_OK);
    kn_effect_def def = effect_def("Made", KN_DURATION_INFINITE, NULL, 0);
    kn_effect_type_id type = make(f, &def);
    kn_assert_set_handler(ignore_assert);

    assert_int_equal(
        kn_effect_apply_simple(other, type, entity, entity, 1, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_null(kn_effect_type_get_def(other, type));
    assert_string_equal(kn_effect_type_name(other, type), "");
    kn_assert_set_handler(NULL);
    kn_world_destroy(other);
}

// DYN-005: whoever gets the world gets the definitions in full, those of specs too.
static void made_types_go_with_the_world(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_modifier_def boost = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def timed = effect_def("Timed", KN_DURATION_TIMED, &boost, 1);
    kn_effect_type_id timed_type = make(f, &timed);
    kn_effect_id effect = apply(f, timed_type);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_OVERRIDE, 42);
    kn_effect_def instant = effect_def("Instant", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_apply_def apply_def = from_hero(f, make(f, &instant));
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &apply_def, &spec), KN_OK);
    step(f, KN_S(4));
    size_t size = 0;
    void *bytes = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());

    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_OK);

    free(bytes);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    assert_string_equal(kn_effect_type_name(other, timed_type), "Timed");
    assert_near(kn_effect_type_get_def(other, timed_type)->modifiers[0].magnitude.scale.value, 50);
    assert_near(kn_attribute_value(other, f->foe, f->speed), 650);
    assert_int_equal(kn_spec_apply(other, spec, f->foe, NULL), KN_OK);
    assert_near(kn_attribute_base(other, f->foe, f->health), 42);
    assert_int_equal(kn_world_step(other, KN_S(6)), KN_OK);
    assert_false(kn_effect_is_alive(other, effect));
    assert_near(kn_attribute_value(other, f->foe, f->speed), 600);
    kn_effect_type_id again = {0};
    assert_int_equal(kn_world_effect_register(other, &timed, &again, NULL), KN_OK);
    assert_int_equal(again.index1, timed_type.index1);
    kn_world_destroy(other);
}

// DYN-005: children may be types of the library.
static void made_effect_may_have_children(void **state)
{
    fixture *f = *state;
    kn_effect_type_id slow = simple(f, "Slow", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, -100);
    begin(f);
    kn_child_def child = kn_child_def_default();
    child.type = slow;
    kn_effect_def def = effect_def("Made", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;

    apply(f, make(f, &def));

    assert_near(current(f, f->speed), 500);
}

static uint32_t made_in_hook;

static void make_and_apply(void *user, const kn_execute_data *data)
{
    fixture *f = user;
    if (kn_attribute_base(data->world, data->entity, f->mana) <= 0) {
        return;
    }
    kn_modifier_def modifier = kn_modifier_constant(f->mana, KN_OP_ADD, -60);
    kn_effect_def def = effect_def("FromHook", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_type_id type = {0};
    if (kn_world_effect_register(data->world, &def, &type, NULL) == KN_OK &&
        kn_effect_apply_simple(data->world, type, data->entity, data->entity, 1.0f, NULL) ==
            KN_OK) {
        made_in_hook++;
    }
}

// DYN-003: inside the simulation, at once.
static void hook_may_make_and_apply_an_effect(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Hooked";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.post_execute = make_and_apply;
    set.hooks.user = f;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &set_id, NULL), KN_OK);
    kn_effect_type_id type = simple(f, "Poke", KN_DURATION_INSTANT,
        kn_attribute_find(f->library, "Hooked.Value"), KN_OP_ADD, 1);
    begin(f);
    add_set(f, f->foe, set_id);
    made_in_hook = 0;

    apply(f, type);
    assert_near(base(f, f->mana), 0);
    set_base(f, f->foe, f->mana, 60);
    apply(f, type);

    assert_near(base(f, f->mana), 0);
    assert_int_equal(made_in_hook, 2);
}

// A cost that is refused changes nothing and says so, so that the caller can
// stop there.
static void refused_cost_changes_nothing_and_says_why(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_attribute_condition afford = {
        .from = KN_CAPTURE_FROM_TARGET, .attribute = f->mana, .has_min = true, .min = 50};
    kn_modifier_def modifier = kn_modifier_constant(f->mana, KN_OP_ADD, -50);
    kn_effect_def def = effect_def("Cost", KN_DURATION_INSTANT, &modifier, 1);
    def.application.attributes = &afford;
    def.application.attribute_count = 1;
    kn_effect_type_id cost = make(f, &def);

    apply(f, cost);
    assert_near(base(f, f->mana), 10);
    assert_int_equal(try_apply(f, cost), KN_REFUSED_REQUIREMENT);

    assert_near(base(f, f->mana), 10);
}

// DYN-005
static void malformed_definitions_are_refused_at_run_time(void **state)
{
    fixture *f = *state;
    begin(f);
    kn_assert_set_handler(ignore_assert);
    kn_modifier_def unknown = kn_modifier_constant((kn_attribute_id){999}, KN_OP_ADD, 1);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Nobody";
    kn_effect_def nameless = effect_def(NULL, KN_DURATION_INSTANT, NULL, 0);
    kn_effect_def bad_modifier = effect_def("Bad", KN_DURATION_INSTANT, &unknown, 1);
    kn_effect_def bad_child = effect_def("Bad", KN_DURATION_INSTANT, NULL, 0);
    bad_child.children = &child;
    bad_child.child_count = 1;
    kn_effect_def no_period = effect_def("Bad", KN_DURATION_INFINITE, NULL, 0);
    no_period.is_periodic = true;
    kn_effect_def loop = effect_def("Loop", KN_DURATION_INSTANT, NULL, 0);
    kn_child_def itself = kn_child_def_default();
    itself.type_name = "Loop";
    loop.children = &itself;
    loop.child_count = 1;
    const struct {
        const kn_effect_def *def;
        kn_result result;
        const char *message;
    } cases[] = {
        {&nameless, KN_ERROR_INVALID_ARGUMENT,
            "start an effect def from kn_effect_def_default() and give it a name"},
        {&bad_modifier, KN_ERROR_BAD_DATA,
            "kn_modifier_def.attribute does not name anything that is registered"},
        {&bad_child, KN_ERROR_BAD_DATA,
            "effect `Bad`: in a finished library, refer to children by id"},
        {&no_period, KN_ERROR_BAD_DATA, "effect `Bad`: its period must be above 0"},
        {&loop, KN_ERROR_BAD_DATA, "effect `Loop`: in a finished library, refer to children by id"},
    };

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_type_id type = {77};
        kn_error error = {0};
        assert_int_equal(
            kn_world_effect_register(f->world, cases[i].def, &type, &error), cases[i].result);
        assert_int_equal(error.code, cases[i].result);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(type.index1, 0);
    }
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(instant_effect_made_at_run_time_overrides_a_base),
    TEST(bounty_made_at_run_time_pays_the_killer),
    TEST(lasting_and_periodic_effects_can_be_made_at_run_time),
    TEST(spec_of_a_made_type_keeps_the_definition),
    TEST(spec_of_a_made_type_counts_in_the_hash),
    TEST(archetype_is_customised_by_its_spec),
    TEST(equal_definition_gives_the_same_type),
    TEST(made_type_cannot_take_a_name_of_the_library),
    TEST(made_type_belongs_to_one_world),
    TEST(made_types_go_with_the_world),
    TEST(made_effect_may_have_children),
    TEST(hook_may_make_and_apply_an_effect),
    TEST(refused_cost_changes_nothing_and_says_why),
    TEST(malformed_definitions_are_refused_at_run_time),
};

TEST_GROUP(dynamic_effects, tests, NULL, NULL);
