// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the recipes of docs/recipes share: the hero and the foe of the ability fixture, attributes
// of a recipe's own, and the way back.
#ifndef RECIPE_H
#define RECIPE_H

#include "scenario/ability_fixture.h"

// Gives a set to the hero and the foe.
static inline void recipe_begin(fixture *f, kn_attribute_set_id set)
{
    begin(f);
    if (set.index1 != 0) {
        add_set(f, f->hero, set);
        add_set(f, f->foe, set);
    }
}

// The world after a snapshot, some steps, the way back and the same steps is the world it was.
static inline void recipe_check_rollback(fixture *f)
{
    size_t noted = strlen(f->log), size;
    void *before = snapshot_of(f->world, &size);
    uint64_t now = kn_world_hash(f->world), ends[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_world_step(f->world, KN_MS(700)), KN_OK);
        ends[i] = kn_world_hash(f->world);
        snapshot_restore(f->world, before, size);
        assert_true(kn_world_hash(f->world) == now);
    }
    assert_true(ends[0] == ends[1]);
    f->log[noted] = 0;
    free(before);
}

#endif
