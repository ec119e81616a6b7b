// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The fixture of attributes: a hero that has no set yet, and acts on itself.
#ifndef ATTRIBUTE_FIXTURE_H
#define ATTRIBUTE_FIXTURE_H

#include "scenario/fixture.h"

static inline int setup(void **state)
{
    *state = fixture_create(1);
    return 0;
}

static const kn_attribute_set_id no_parent = {0};

static inline kn_attribute_set_id set_derive(fixture *f, const char *name,
    kn_attribute_set_id parent, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.parent = parent;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set = {0};
    kn_error error = {0};
    kn_result result = kn_attribute_set_register(f->library, &def, &set, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return set;
}

static inline void begin_with_set(fixture *f, kn_attribute_set_id set)
{
    f->set = set;
    begin(f);
}

// Adds an amount; for 5 seconds if it is timed.
static inline kn_effect_type_id effect_add(
    fixture *f, const char *name, kn_duration_kind kind, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    def.duration = kn_magnitude_constant(5.0f);
    return effect_register(f, &def);
}

static inline kn_effect_id apply(fixture *f, kn_effect_type_id type)
{
    return apply_from_to(f, type, f->hero, f->hero, 1.0f);
}

static inline kn_attribute_id find(fixture *f, const char *name)
{
    kn_attribute_id attribute = kn_attribute_find(f->library, name);
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

static inline void assert_values(fixture *f, kn_attribute_id attribute, float base, float current)
{
    assert_float_equal(kn_attribute_base(f->world, f->hero, attribute), base, 1e-5f);
    assert_float_equal(kn_attribute_value(f->world, f->hero, attribute), current, 1e-5f);
}

// Publishes, and counts the events of a type about an attribute (null: any).
static inline uint32_t published_of(
    fixture *f, kn_event_type type, kn_attribute_id attribute, kn_event *last)
{
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == type &&
            (attribute.index1 == 0 || event->data.attribute.attribute.index1 == attribute.index1)) {
            *last = *event;
            count++;
        }
    }
    return count;
}

#endif
