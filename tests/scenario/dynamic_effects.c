// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects made at run time, for one world.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kn_tag tag_of(stage *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_tags one(const kn_tag *tag)
{
    kn_tags tags = {tag, 1};
    return tags;
}

static kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static kn_effect_type_id add_effect(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// An effect with one constant modifier.
static kn_effect_type_id simple(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return add_effect(s, &def);
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result try_apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static void step(stage *s, kn_time dt)
{
    assert_int_equal(kn_world_step(s->world, dt), KN_OK);
}

static void near(float found, float expected)
{
    float tolerance = 1e-5f * fmaxf(1.0f, fabsf(expected));
    if (!(fabsf(found - expected) <= tolerance)) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// Current and base value of the foe.
static float current(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_value(s->world, s->foe, attribute);
}

static float base(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, s->foe, attribute);
}

static void set_base(stage *s, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, entity, attribute, 0, value), KN_OK);
}

static bool quiet_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static kn_effect_type_id make(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_world_effect_register(s->world, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// DYN-001, TVE-093: built from scratch and applied.
static void instant_effect_made_at_run_time_overrides_a_base(void **state)
{
    stage *s = *state;
    begin(s);
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_OVERRIDE, 42);
    kn_effect_def def = effect_def("Forty-two", KN_DURATION_INSTANT, &modifier, 1);

    apply(s, make(s, &def));

    near(base(s, s->health), 42);
    near(current(s, s->health), 42);
}

// DYN-003, TVE-092: two Add modifiers, applied by and to the killer at level 1.
static void bounty_made_at_run_time_pays_the_killer(void **state)
{
    stage *s = *state;
    begin(s);
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(s->attack, KN_OP_ADD, 25),
        kn_modifier_constant(s->mana, KN_OP_ADD, 7),
    };
    kn_effect_def def = effect_def("Bounty", KN_DURATION_INSTANT, modifiers, COUNT(modifiers));
    kn_effect_type_id type = make(s, &def);

    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->hero, 1, NULL), KN_OK);

    near(kn_attribute_base(s->world, s->hero, s->attack), 35);
    near(kn_attribute_base(s->world, s->hero, s->mana), 67);
    near(base(s, s->attack), 10);
}

// DYN-001, DYN-005, GAPE-018: every duration kind.
static void lasting_and_periodic_effects_can_be_made_at_run_time(void **state)
{
    stage *s = *state;
    kn_tag granted = tag_of(s, "State.Made");
    begin(s);
    kn_modifier_def boost = kn_modifier_constant(s->speed, KN_OP_ADD, 50);
    kn_effect_def timed = effect_def("Timed", KN_DURATION_TIMED, &boost, 1);
    timed.granted_tags = one(&granted);
    kn_effect_def infinite = effect_def("Infinite", KN_DURATION_INFINITE, &boost, 1);
    kn_modifier_def hit = kn_modifier_constant(s->health, KN_OP_ADD, -5);
    kn_effect_def periodic = effect_def("Periodic", KN_DURATION_TIMED, &hit, 1);
    periodic.is_periodic = true;
    periodic.skip_first_tick = true;
    periodic.period = kn_magnitude_constant(1);

    apply(s, make(s, &timed));
    kn_effect_id lasting = apply(s, make(s, &infinite));
    apply(s, make(s, &periodic));
    near(current(s, s->speed), 700);
    assert_true(kn_entity_has_tag(s->world, s->foe, granted));
    step(s, KN_S(10));

    near(current(s, s->speed), 650);
    near(base(s, s->health), 50);
    assert_false(kn_entity_has_tag(s->world, s->foe, granted));
    assert_true(kn_effect_is_alive(s->world, lasting));
}

// DYN-004: a spec of a made type keeps its modifiers, whatever becomes of the def.
static void spec_of_a_made_type_keeps_the_definition(void **state)
{
    stage *s = *state;
    begin(s);
    kn_spec_id spec = {0};
    {
        char name[] = "Made";
        kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_OVERRIDE, 42);
        kn_effect_def def = effect_def(name, KN_DURATION_INSTANT, &modifier, 1);
        kn_effect_apply_def apply_def = from_hero(s, make(s, &def));
        assert_int_equal(kn_spec_create(s->world, &apply_def, &spec), KN_OK);
        memset(name, 'x', sizeof(name) - 1);
        memset(&modifier, 0xff, sizeof(modifier));
    }
    step(s, KN_S(1));

    assert_int_equal(kn_spec_apply(s->world, spec, s->foe, NULL), KN_OK);

    near(base(s, s->health), 42);
}

// What a stored spec will do is part of the world, as long as it is stored.
static void spec_of_a_made_type_counts_in_the_hash(void **state)
{
    stage *s = *state;
    begin(s);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = s->library;
    kn_world *worlds[2];
    kn_spec_id specs[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_world_create(&world_def, &worlds[i]), KN_OK);
        kn_modifier_def modifier =
            kn_modifier_constant(s->health, KN_OP_OVERRIDE, 42.0f + (float)i);
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
    stage *s = *state;
    kn_tag key = tag_of(s, "Data.Amount"), granted = tag_of(s, "State.Custom");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->speed;
    modifier.magnitude = kn_magnitude_set_by_caller(key);
    kn_effect_def def = effect_def("Archetype", KN_DURATION_TIMED, &modifier, 1);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    kn_caller_value value = {key, -200};
    kn_effect_apply_def apply_def = from_hero(s, type);
    apply_def.caller_values = &value;
    apply_def.caller_value_count = 1;
    apply_def.duration = KN_S(2);
    apply_def.dynamic_granted_tags = one(&granted);

    assert_int_equal(kn_effect_apply(s->world, &apply_def, NULL), KN_OK);
    near(current(s, s->speed), 400);
    assert_true(kn_entity_has_tag(s->world, s->foe, granted));
    step(s, KN_S(2));

    near(current(s, s->speed), 600);
}

// DYN-005: registered with an id; an equal def gives the same one, another is refused.
static void equal_definition_gives_the_same_type(void **state)
{
    stage *s = *state;
    begin(s);
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, 1);
    kn_effect_def def = effect_def("Made", KN_DURATION_INSTANT, &modifier, 1);

    kn_effect_type_id first = make(s, &def);
    kn_effect_type_id second = make(s, &def);
    assert_int_equal(first.index1, second.index1);
    assert_string_equal(kn_effect_type_name(s->world, first), "Made");
    near(kn_effect_type_get_def(s->world, first)->modifiers[0].magnitude.scale.value, 1);

    modifier.magnitude = kn_magnitude_constant(2);
    kn_effect_type_id third = {77};
    kn_error error = {0};
    assert_int_equal(
        kn_world_effect_register(s->world, &def, &third, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "the world already has a different effect `Made`");
    assert_int_equal(third.index1, 0);
}

// DYN-005: a name of the library is taken.
static void made_type_cannot_take_a_name_of_the_library(void **state)
{
    stage *s = *state;
    simple(s, "Taken", KN_DURATION_INSTANT, s->health, KN_OP_ADD, 1);
    begin(s);
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, 99);
    kn_effect_def def = effect_def("Taken", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_type_id type = {77};
    kn_error error = {0};

    assert_int_equal(kn_world_effect_register(s->world, &def, &type, &error), KN_REFUSED_DUPLICATE);

    assert_string_equal(error.message, "the library already has an effect `Taken`");
    assert_int_equal(type.index1, 0);
}

// DYN-005: it belongs to its world.
static void made_type_belongs_to_one_world(void **state)
{
    stage *s = *state;
    begin(s);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = s->library;
    kn_world *other;
    assert_int_equal(kn_world_create(&world_def, &other), KN_OK);
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(other, &entity), KN_OK);
    kn_effect_def def = effect_def("Made", KN_DURATION_INFINITE, NULL, 0);
    kn_effect_type_id type = make(s, &def);
    kn_assert_set_handler(quiet_assert);

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
    stage *s = *state;
    begin(s);
    kn_modifier_def boost = kn_modifier_constant(s->speed, KN_OP_ADD, 50);
    kn_effect_def timed = effect_def("Timed", KN_DURATION_TIMED, &boost, 1);
    kn_effect_type_id timed_type = make(s, &timed);
    kn_effect_id effect = apply(s, timed_type);
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_OVERRIDE, 42);
    kn_effect_def instant = effect_def("Instant", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_apply_def apply_def = from_hero(s, make(s, &instant));
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(s->world, &apply_def, &spec), KN_OK);
    step(s, KN_S(4));
    size_t size = 0;
    assert_int_equal(kn_save_write(s->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(s->world, bytes, size, &size), KN_OK);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = s->library;
    kn_world *other;
    assert_int_equal(kn_world_create(&world_def, &other), KN_OK);

    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_OK);

    free(bytes);
    assert_true(kn_world_hash(other) == kn_world_hash(s->world));
    assert_string_equal(kn_effect_type_name(other, timed_type), "Timed");
    near(kn_effect_type_get_def(other, timed_type)->modifiers[0].magnitude.scale.value, 50);
    near(kn_attribute_value(other, s->foe, s->speed), 650);
    assert_int_equal(kn_spec_apply(other, spec, s->foe, NULL), KN_OK);
    near(kn_attribute_base(other, s->foe, s->health), 42);
    assert_int_equal(kn_world_step(other, KN_S(6)), KN_OK);
    assert_false(kn_effect_is_alive(other, effect));
    near(kn_attribute_value(other, s->foe, s->speed), 600);
    kn_effect_type_id again = {0};
    assert_int_equal(kn_world_effect_register(other, &timed, &again, NULL), KN_OK);
    assert_int_equal(again.index1, timed_type.index1);
    kn_world_destroy(other);
}

// DYN-005: children may be types of the library.
static void made_effect_may_have_children(void **state)
{
    stage *s = *state;
    kn_effect_type_id slow = simple(s, "Slow", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, -100);
    begin(s);
    kn_child_def child = kn_child_def_default();
    child.type = slow;
    kn_effect_def def = effect_def("Made", KN_DURATION_INSTANT, NULL, 0);
    def.children = &child;
    def.child_count = 1;

    apply(s, make(s, &def));

    near(current(s, s->speed), 500);
}

static uint32_t made_in_hook;

static void make_and_apply(void *user, const kn_execute_data *data)
{
    stage *s = user;
    if (kn_attribute_base(data->world, data->entity, s->mana) <= 0) {
        return;
    }
    kn_modifier_def modifier = kn_modifier_constant(s->mana, KN_OP_ADD, -60);
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
    stage *s = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Hooked";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.post_execute = make_and_apply;
    set.hooks.user = s;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &set_id, NULL), KN_OK);
    kn_effect_type_id type = simple(s, "Poke", KN_DURATION_INSTANT,
        kn_attribute_find(s->library, "Hooked.Value"), KN_OP_ADD, 1);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set_id, 0), KN_OK);
    made_in_hook = 0;

    apply(s, type);
    near(base(s, s->mana), 0);
    set_base(s, s->foe, s->mana, 60);
    apply(s, type);

    near(base(s, s->mana), 0);
    assert_int_equal(made_in_hook, 2);
}

// A cost that is refused changes nothing and says so, so that the caller can
// stop there.
static void refused_cost_changes_nothing_and_says_why(void **state)
{
    stage *s = *state;
    begin(s);
    kn_attribute_condition afford = {
        .from = KN_CAPTURE_FROM_TARGET, .attribute = s->mana, .has_min = true, .min = 50};
    kn_modifier_def modifier = kn_modifier_constant(s->mana, KN_OP_ADD, -50);
    kn_effect_def def = effect_def("Cost", KN_DURATION_INSTANT, &modifier, 1);
    def.application.attributes = &afford;
    def.application.attribute_count = 1;
    kn_effect_type_id cost = make(s, &def);

    apply(s, cost);
    near(base(s, s->mana), 10);
    assert_int_equal(try_apply(s, cost), KN_REFUSED_REQUIREMENT);

    near(base(s, s->mana), 10);
}

// DYN-005
static void malformed_definitions_are_refused_at_run_time(void **state)
{
    stage *s = *state;
    begin(s);
    kn_assert_set_handler(quiet_assert);
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
            kn_world_effect_register(s->world, cases[i].def, &type, &error), cases[i].result);
        assert_int_equal(error.code, cases[i].result);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(type.index1, 0);
    }
    kn_assert_set_handler(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
