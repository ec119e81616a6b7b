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
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    kn_world *copy;
    kn_error error = {0};
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    if (kn_save_read(copy, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    char text[256];
    if (kn_world_difference(f->world, copy, text, sizeof(text))) {
        fail_msg("%s", text);
    }
    assert_int_equal(kn_world_hash(copy), kn_world_hash(f->world));
    assert_true(kn_world_validate(copy));
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
    size_t size = kn_snapshot_size(f->world);
    void *snapshot = malloc(size);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, &size), KN_OK);
    check_statuses(f->world);
    uint64_t then = hash_after(f->world, dt);
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    assert_true(kn_world_validate(f->world));
    assert_int_equal(kn_world_hash(f->world), now);
    check_save(f, def, dt, then);
    assert_int_equal(hash_after(f->world, dt), then);
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    free(snapshot);
    memcpy(f->log, log, LOG_SIZE);
}

static inline void check_replay(fixture *f, kn_time dt)
{
    check_replay_with(f, kn_world_def_default(), dt);
}

// Publishes and counts the events of a type.
static inline uint32_t events_of(fixture *f, kn_event_type type)
{
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

// The last published event of a type, after a step of no length.
static inline kn_event last_event(fixture *f, kn_event_type type)
{
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return events.data[i];
        }
    }
    fail_msg("no event %s", kn_event_type_name(type));
    return (kn_event){0};
}

static inline void silent_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// A world that does not print what tests of limits provoke.
static inline kn_world_def silent_world(void)
{
    kn_world_def def = kn_world_def_default();
    def.hooks.log_fn = silent_log;
    return def;
}

// An effect that lasts until it is removed.
static inline kn_effect_def lasting(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    return def;
}

static inline kn_effect_id apply(fixture *f, kn_effect_type_id type)
{
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->foe, f->hero, 1.0f, &effect), KN_OK);
    return effect;
}

static inline void unapply(fixture *f, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static inline void add_tag(fixture *f, kn_entity_id entity, const char *name)
{
    assert_int_equal(
        kn_entity_add_tag(f->world, entity, tag_of(f, name), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void remove_tag(fixture *f, kn_entity_id entity, const char *name)
{
    assert_int_equal(
        kn_entity_remove_tag(f->world, entity, tag_of(f, name), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline uint32_t ability_count(const fixture *f)
{
    return kn_abilities_find(f->world, f->hero, NULL, NULL, 0);
}

static inline bool no_trap(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

#endif
