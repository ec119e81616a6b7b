// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the recipes of docs/recipes share: the hero and the foe of the ability fixture, attributes
// of a recipe's own, and effects in a few words.
#ifndef RECIPE_H
#define RECIPE_H

#include "scenario/ability_fixture.h"

// Registers a set with these attributes.
static inline kn_attribute_set_id recipe_set(
    fixture *f, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    return set;
}

static inline kn_attribute_def recipe_attribute(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    return def;
}

// Gives a set to the hero and the foe.
static inline void recipe_begin(fixture *f, kn_attribute_set_id set)
{
    begin(f);
    if (set.index1 != 0) {
        assert_int_equal(kn_attribute_set_add(f->world, f->hero, set, 0), KN_OK);
        assert_int_equal(kn_attribute_set_add(f->world, f->foe, set, 0), KN_OK);
    }
}

static inline kn_effect_def recipe_effect(const char *name, kn_duration_kind kind, float seconds)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(seconds);
    return def;
}

static inline kn_effect_id apply_to(fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, target, 1.0f, &effect), KN_OK);
    return effect;
}

// The world after a snapshot, some steps, the way back and the same steps is the world it was.
static inline void recipe_check_rollback(fixture *f)
{
    size_t noted = strlen(f->log), size = kn_snapshot_size(f->world), written;
    void *before = malloc(size);
    assert_int_equal(kn_snapshot_take(f->world, before, size, &written), KN_OK);
    uint64_t now = kn_world_hash(f->world), ends[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_world_step(f->world, KN_MS(700)), KN_OK);
        ends[i] = kn_world_hash(f->world);
        assert_int_equal(kn_snapshot_restore(f->world, before, size), KN_OK);
        assert_true(kn_world_hash(f->world) == now);
    }
    assert_true(ends[0] == ends[1]);
    f->log[noted] = 0;
    free(before);
}

#endif
