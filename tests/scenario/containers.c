// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Containers: effects and the rule for their targets under one name.

#include "scenario/effect_fixture.h"

static kn_container_id container_of(fixture *f, const char *name, kn_container_target target,
    const kn_effect_type_id *effects, uint32_t count)
{
    kn_container_def def = kn_container_def_default();
    def.name = name;
    def.target = target;
    def.effects = effects;
    def.effect_count = count;
    kn_container_id container = {0};
    kn_error error = {0};
    if (kn_container_register(f->library, &def, &container, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return container;
}

static kn_container_apply_def by_hero(const fixture *f, kn_container_id container)
{
    kn_container_apply_def def = kn_container_apply_def_default();
    def.container = container;
    def.source = f->hero;
    return def;
}

// CON-001, CON-005: several effects on several targets in one go.
static void container_applies_every_effect_to_every_target(void **state)
{
    fixture *f = *state;
    kn_effect_type_id effects[] = {
        simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10),
        simple(f, "Slow", KN_DURATION_TIMED, f->speed, KN_OP_ADD, -100),
    };
    kn_container_id container =
        container_of(f, "Blast", KN_CONTAINER_GIVEN, effects, COUNT(effects));
    begin(f);
    kn_entity_id third = entity_create(f);
    add_set(f, third, f->set);
    const kn_entity_id targets[] = {f->foe, third};
    kn_container_apply_def def = by_hero(f, container);
    def.targets = targets;
    def.target_count = COUNT(targets);
    uint32_t applied = 0;

    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_OK);

    assert_int_equal(applied, 4);
    assert_near(current(f, f->health), 90);
    assert_near(current(f, f->speed), 500);
    assert_near(kn_attribute_value(f->world, third, f->health), 90);
    assert_near(kn_attribute_value(f->world, third, f->speed), 500);
    assert_near(kn_attribute_value(f->world, f->hero, f->health), 100);
}

// CON-001: it makes the specs itself and fills in source, level and context.
static void container_fills_in_source_level_and_context(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {3, 5}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Row";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_effect_type_id type = adding(f, "ByLevel", f->speed, kn_magnitude_by_level(10, curve));
    kn_container_id container = container_of(f, "One", KN_CONTAINER_GIVEN, &type, 1);
    begin(f);
    kn_effect_context context = {.source_object = 77};
    kn_container_apply_def def = by_hero(f, container);
    def.targets = &f->foe;
    def.target_count = 1;
    def.level = 3;
    def.context = &context;

    assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_OK);

    kn_effect_id effect;
    kn_effect_query query = kn_effect_query_default();
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &effect, 1), 1);
    kn_effect_info info;
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_true(kn_entity_id_equal(info.source, f->hero));
    assert_true(kn_entity_id_equal(info.instigator, f->hero));
    assert_near(info.level, 3);
    assert_true(info.source_object == 77);
    assert_near(current(f, f->speed), 650);
}

typedef struct projectile {
    kn_container_id container;
    kn_entity_id shooter;
} projectile;

// CON-002: a plain id that a projectile carries to whatever it hits.
static void projectile_carries_a_container(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    container_of(f, "Arrow", KN_CONTAINER_GIVEN, &type, 1);
    begin(f);
    projectile arrow = {kn_container_find(f->library, "Arrow"), f->hero};
    step(f, KN_S(2));

    kn_container_apply_def def = kn_container_apply_def_default();
    def.container = arrow.container;
    def.source = arrow.shooter;
    def.targets = &f->foe;
    def.target_count = 1;
    assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_OK);

    assert_near(base(f, f->health), 90);
}

// CON-003, GAPE-017, TGT-037: values are addressed by effect, not by position.
static void caller_values_are_addressed_by_effect_type(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Amount");
    kn_effect_type_id effects[] = {
        adding(f, "Speed", f->speed, kn_magnitude_set_by_caller(key)),
        adding(f, "Armor", f->armor, kn_magnitude_set_by_caller(key)),
        adding(f, "Attack", f->attack, kn_magnitude_set_by_caller(key)),
    };
    kn_container_id container =
        container_of(f, "Mixed", KN_CONTAINER_GIVEN, effects, COUNT(effects));
    begin(f);
    const kn_container_value values[] = {
        {{0}, {key, 1}}, // for all
        {effects[1], {key, 20}},
        {effects[0], {key, 10}},
    };
    kn_container_apply_def def = by_hero(f, container);
    def.targets = &f->foe;
    def.target_count = 1;
    def.values = values;
    def.value_count = COUNT(values);

    assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_OK);

    assert_near(current(f, f->speed), 610);
    assert_near(current(f, f->armor), 25);
    assert_near(current(f, f->attack), 11);
}

// CON-004: on the one who made it.
static void container_reaches_its_owner(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Rage", KN_DURATION_INFINITE, f->attack, KN_OP_ADD, 5);
    kn_container_id container = container_of(f, "Self", KN_CONTAINER_SOURCE, &type, 1);
    begin(f);
    kn_container_apply_def def = by_hero(f, container);

    assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_OK);

    assert_near(kn_attribute_value(f->world, f->hero, f->attack), 15);
    assert_near(current(f, f->attack), 10);
}

typedef struct sphere {
    uint32_t calls;
    kn_entity_id source;
    kn_vec3 origin;
    bool has_origin;
} sphere;

static uint32_t find_all_others(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity)
{
    sphere *trace = user;
    trace->calls++;
    trace->source = source;
    trace->has_origin = origin != NULL;
    if (origin != NULL) {
        trace->origin = *origin;
    }
    uint32_t count = 0;
    kn_entity_id entity = {0};
    while (entity = kn_entity_next(world, entity), !kn_entity_id_is_null(entity)) {
        if (!kn_entity_id_equal(entity, source) && count < capacity) {
            out[count++] = entity;
        }
    }
    return count;
}

// CON-004: a rule that finds the targets at once, with nothing spawned.
static void container_finds_its_targets_by_a_function(void **state)
{
    fixture *f = *state;
    sphere trace = {0};
    kn_effect_type_id type = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    kn_container_def def = kn_container_def_default();
    def.name = "Sphere";
    def.target = KN_CONTAINER_CUSTOM;
    def.targeting = find_all_others;
    def.user = &trace;
    def.effects = &type;
    def.effect_count = 1;
    kn_container_id container;
    assert_int_equal(kn_container_register(f->library, &def, &container, NULL), KN_OK);
    f->entity_count = 2;
    begin(f);
    uint32_t entities = kn_entity_count(f->world);
    kn_effect_context context = {.origin = {1, 2, 3}, .has_origin = true};
    kn_container_apply_def apply_def = by_hero(f, container);
    apply_def.context = &context;
    uint32_t applied = 0;

    assert_int_equal(kn_container_apply(f->world, &apply_def, &applied), KN_OK);

    assert_int_equal(applied, 1);
    assert_int_equal(trace.calls, 1);
    assert_true(kn_entity_id_equal(trace.source, f->hero));
    assert_true(trace.has_origin && trace.origin.y == 2.0f);
    assert_near(base(f, f->health), 90);
    assert_near(kn_attribute_base(f->world, f->hero, f->health), 100);
    assert_int_equal(kn_entity_count(f->world), entities);
}

static uint32_t find_everybody(void *user, const kn_world *world, kn_entity_id source,
    const kn_vec3 *origin, kn_entity_id *out, uint32_t capacity)
{
    (void)user;
    (void)source;
    (void)origin;
    uint32_t count = 0;
    kn_entity_id entity = {0};
    while (entity = kn_entity_next(world, entity), !kn_entity_id_is_null(entity)) {
        if (count < capacity) {
            out[count] = entity;
        }
        count++;
    }
    return count;
}

// CON-004: those beyond the limit are reported.
static void more_targets_than_there_is_room_for_are_told(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Mark", KN_DURATION_INFINITE, f->health, KN_OP_ADD, -10);
    kn_container_def def = kn_container_def_default();
    def.name = "Everybody";
    def.target = KN_CONTAINER_CUSTOM;
    def.targeting = find_everybody;
    def.effects = &type;
    def.effect_count = 1;
    kn_container_id container;
    assert_int_equal(kn_container_register(f->library, &def, &container, NULL), KN_OK);
    kn_ability_apply_def applies = {.container = container};
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Shout";
    ability.body = KN_BODY_USE;
    ability.applies = &applies;
    ability.apply_count = 1;
    kn_ability_type_id shout;
    assert_int_equal(kn_ability_register(f->library, &ability, &shout, NULL), KN_OK);
    begin(f);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = shout;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, NULL), KN_OK);
    for (uint32_t total = 256; total < 261; total += 4) {
        while (kn_entity_count(f->world) < total) {
            (void)entity_create(f);
        }
        step(f, 0);
        uint32_t applied = 0;
        kn_container_apply_def apply_def = by_hero(f, container);
        assert_int_equal(kn_container_apply(f->world, &apply_def, &applied), KN_OK);
        assert_int_equal(applied, 256);
        assert_int_equal(kn_ability_activate_type(f->world, f->hero, shout, NULL), KN_OK);
        step(f, 0);
        kn_events events = kn_world_events(f->world);
        uint32_t told = 0;
        for (uint32_t i = 0; i < events.count; i++) {
            if (events.data[i].type == KN_EVENT_ERROR &&
                events.data[i].data.error.code == KN_REFUSED_LIMIT) {
                assert_int_equal(events.data[i].data.error.detail, 4);
                assert_true(kn_entity_id_equal(events.data[i].entity, f->hero));
                told++;
            }
        }
        assert_int_equal(told, total == 256 ? 0 : 2); // the container by itself, and the body
    }
}

// CON-001: single refusals are not errors.
static void refused_applications_are_counted_out(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -10);
    kn_effect_def picky = effect_def("Picky", KN_DURATION_INSTANT, &modifier, 1);
    picky.application.target.required = one(&wet);
    kn_effect_type_id effects[] = {
        effect_register(f, &picky),
        simple(f, "Slow", KN_DURATION_TIMED, f->speed, KN_OP_ADD, -100),
    };
    kn_container_id container =
        container_of(f, "Blast", KN_CONTAINER_GIVEN, effects, COUNT(effects));
    begin(f);
    const kn_entity_id targets[] = {{0}, f->foe, {999, 1}};
    kn_container_apply_def def = by_hero(f, container);
    def.targets = targets;
    def.target_count = COUNT(targets);
    uint32_t applied = 77;

    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_OK);

    assert_int_equal(applied, 1);
    assert_near(base(f, f->health), 100);
    assert_near(current(f, f->speed), 500);
}

// CON-001, CON-004
static void malformed_containers_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_effect_type_id type = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    kn_effect_type_id unknown = {999};
    kn_container_def nameless = kn_container_def_default();
    nameless.effects = &type;
    nameless.effect_count = 1;
    kn_container_def bad_type = nameless;
    bad_type.name = "BadType";
    bad_type.effects = &unknown;
    kn_container_def no_function = nameless;
    no_function.name = "NoFunction";
    no_function.target = KN_CONTAINER_CUSTOM;
    const kn_container_def cases[] = {nameless, bad_type, no_function};
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_container_id container = {77};
        kn_result result = kn_container_register(f->library, &cases[i], &container, NULL);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("case %u gives %s", i, kn_result_name(result));
        }
        assert_int_equal(container.index1, 0);
    }
    kn_assert_set_handler(NULL);
}

// CON-001, CON-004
static void bad_uses_of_containers_change_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Hit", KN_DURATION_INSTANT, f->health, KN_OP_ADD, -10);
    kn_container_id given = container_of(f, "Given", KN_CONTAINER_GIVEN, &type, 1);
    kn_container_id self = container_of(f, "Self", KN_CONTAINER_SOURCE, &type, 1);
    begin(f);
    kn_assert_set_handler(ignore_assert);
    const kn_container_id unknown[] = {{0}, {999}};
    for (uint32_t i = 0; i < COUNT(unknown); i++) {
        kn_container_apply_def def = by_hero(f, unknown[i]);
        assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    }
    kn_container_apply_def def = by_hero(f, self);
    def.source = (kn_entity_id){0};
    assert_int_equal(kn_container_apply(f->world, &def, NULL), KN_REFUSED_STALE_ID);
    def = by_hero(f, given);
    def.targets = &f->foe;
    def.target_count = 1;
    def.level = NAN;
    uint32_t applied = 77;
    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(applied, 0);
    assert_near(base(f, f->health), 100);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(container_applies_every_effect_to_every_target),
    TEST(container_fills_in_source_level_and_context),
    TEST(projectile_carries_a_container),
    TEST(caller_values_are_addressed_by_effect_type),
    TEST(container_reaches_its_owner),
    TEST(container_finds_its_targets_by_a_function),
    TEST(more_targets_than_there_is_room_for_are_told),
    TEST(refused_applications_are_counted_out),
    TEST(malformed_containers_are_refused),
    TEST(bad_uses_of_containers_change_nothing),
};

TEST_GROUP(containers, tests, NULL, NULL);
