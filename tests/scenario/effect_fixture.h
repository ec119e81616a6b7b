// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The fixture of effects: what the hero does to the foe, while an ally stands by.
#ifndef EFFECT_FIXTURE_H
#define EFFECT_FIXTURE_H

#include "scenario/fixture.h"

static inline int setup_with(void **state, bool is_limited)
{
    kn_attribute_def attributes[] = {
        attribute_def("Health", 100),
        attribute_def("MaxHealth", 200),
        attribute_def("Mana", 60),
        attribute_def("MaxMana", 100),
        attribute_def("Power", 10),
        attribute_def("Speed", 600),
        attribute_def("Haste", 1),
        attribute_def("Attack", 10),
        attribute_def("Armor", 5),
        attribute_def("Damage", 0),
    };
    if (is_limited) {
        attributes[0].base_min = kn_limit_constant(0.0f);
        attributes[0].base_max = kn_limit_attribute("MaxHealth");
    }
    fixture *f = fixture_create(3);
    fixture_set(f, "Unit", attributes, COUNT(attributes));
    *state = f;
    return 0;
}

static inline int setup(void **state)
{
    return setup_with(state, false);
}

// Health stays between 0 and MaxHealth.
static inline int setup_limited(void **state)
{
    return setup_with(state, true);
}

#define LIMITED(test) cmocka_unit_test_setup_teardown(test, setup_limited, teardown)

// Definitions ---------------------------------------------------------------

// An effect with one constant modifier.
static inline kn_effect_type_id simple(fixture *f, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return effect_register(f, &def);
}

// An infinite effect whose one modifier adds a magnitude to an attribute.
static inline kn_effect_type_id adding(
    fixture *f, const char *name, kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.magnitude = magnitude;
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    return effect_register(f, &def);
}

static inline kn_execution_id execution_of(fixture *f, const char *name, const kn_capture *captures,
    uint32_t count, kn_tags transients, kn_execution_fn *function, void *user)
{
    kn_execution_def def = kn_execution_def_default();
    def.name = name;
    def.captures = captures;
    def.capture_count = count;
    def.transients = transients;
    def.function = function;
    def.user = user;
    kn_execution_id execution = {0};
    kn_error error = {0};
    if (kn_execution_register(f->library, &def, &execution, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return execution;
}

static inline kn_effect_type_id executing(fixture *f, const char *name, kn_execution_id execution,
    const kn_calculation_modifier *modifiers, uint32_t count)
{
    kn_execution_use use = {
        .execution = execution, .modifiers = modifiers, .modifier_count = count};
    kn_effect_def def = effect_def(name, KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    return effect_register(f, &def);
}

// Adds 10 to Power with each stack.
static inline kn_effect_def stacking_def(
    fixture *f, const char *name, kn_stacking_kind kind, float limit)
{
    static kn_modifier_def modifier; // copied by registration
    modifier = kn_modifier_constant(f->power, KN_OP_ADD, 10.0f);
    kn_effect_def def = infinite(name);
    def.stacking.kind = kind;
    def.stacking.limit = kn_constant(limit);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return def;
}

// The result of registering what is not KN_OK.
static inline kn_result refused_def(fixture *f, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {77};
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    assert_int_equal(error.code, result);
    assert_int_equal(type.index1, 0);
    return result;
}

// Applying to the foe -------------------------------------------------------

static inline kn_effect_apply_def from_hero(const fixture *f, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = f->hero;
    def.target = f->foe;
    return def;
}

static inline kn_effect_id apply_from(const fixture *f, kn_effect_type_id type, kn_entity_id source)
{
    return apply_from_to(f, type, source, f->foe, 1.0f);
}

static inline kn_effect_id apply_level(const fixture *f, kn_effect_type_id type, float level)
{
    return apply_from_to(f, type, f->hero, f->foe, level);
}

static inline kn_effect_id apply(const fixture *f, kn_effect_type_id type)
{
    return apply_from(f, type, f->hero);
}

// What is not applied has no id.
static inline kn_result try_apply_from(
    const fixture *f, kn_effect_type_id type, kn_entity_id source, float level)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(f->world, type, source, f->foe, level, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static inline kn_result try_apply(const fixture *f, kn_effect_type_id type)
{
    return try_apply_from(f, type, f->hero, 1.0f);
}

static inline kn_spec_id spec_of(fixture *f, kn_effect_type_id type)
{
    kn_effect_apply_def def = from_hero(f, type);
    kn_spec_id spec = {0};
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    return spec;
}

// What there is of the foe --------------------------------------------------

static inline float current(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->foe, attribute);
}

static inline float base(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_base(f->world, f->foe, attribute);
}

static inline kn_effect_info info_of(const fixture *f, kn_effect_id effect)
{
    kn_effect_info info = {0};
    assert_true(kn_effect_get(f->world, effect, &info));
    return info;
}

// What the first modifier adds at a level; the effect is gone again.
static inline float magnitude_at(fixture *f, kn_effect_type_id type, float level)
{
    kn_effect_id effect = apply_level(f, type, level);
    float magnitude = kn_effect_magnitude(f->world, effect, 0);
    remove_effect(f, effect);
    return magnitude;
}

// The effects of a type on the foe.
static inline uint32_t find_all(
    fixture *f, kn_effect_type_id type, kn_effect_id *out, uint32_t capacity)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = type;
    return kn_effects_find(f->world, f->foe, &query, out, capacity);
}

#endif
