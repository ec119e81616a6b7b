// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a test of abilities compares: the future after a snapshot, and after a save.
#ifndef ABILITY_REPLAY_H
#define ABILITY_REPLAY_H

#include "scenario/ability_fixture.h"

static inline uint64_t hash_after(kn_world *world, kn_time dt)
{
    assert_int_equal(kn_world_step(world, dt), KN_OK);
    assert_true(kn_world_validate(world));
    return kn_world_hash(world);
}

// The status of every ability is what a check without hooks finds; kn_ability_status() asserts it.
static inline void check_statuses(kn_world *world)
{
    kn_entity_id entity = {0};
    while ((entity = kn_entity_next(world, entity)).index1 != 0) {
        kn_ability_id ids[64];
        uint32_t count = kn_abilities_find(world, entity, NULL, ids, 64);
        for (uint32_t i = 0; i < count && i < 64; i++) {
            (void)kn_ability_status(world, ids[i]);
        }
    }
}

// A second world from a save of the first: equal now, and after a step.
static inline void check_save(fixture *f, kn_world_def def, kn_time dt, uint64_t expected)
{
    kn_world *copy = world_loaded(f, def);
    check_statuses(copy);
    assert_int_equal(hash_after(copy, dt), expected);
    kn_world_destroy(copy);
}

// Steps, goes back, steps again; the same from a save. Leaves world and log as they were.
static inline void check_replay_with(fixture *f, kn_world_def def, kn_time dt)
{
    char log[LOG_SIZE];
    memcpy(log, f->log, LOG_SIZE);
    uint64_t now = kn_world_hash(f->world);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    check_statuses(f->world);
    uint64_t then = hash_after(f->world, dt);
    snapshot_restore(f->world, snapshot, size);
    assert_int_equal(kn_world_hash(f->world), now);
    check_save(f, def, dt, then);
    assert_int_equal(hash_after(f->world, dt), then);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    memcpy(f->log, log, LOG_SIZE);
}

static inline void check_replay(fixture *f, kn_time dt)
{
    check_replay_with(f, kn_world_def_default(), dt);
}

static inline uint32_t ability_count(const fixture *f)
{
    return kn_abilities_find(f->world, f->hero, NULL, NULL, 0);
}

#endif
