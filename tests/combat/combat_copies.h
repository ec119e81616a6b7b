// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves and snapshots in the middle of a test: the copy must go on exactly as the world does.
#ifndef COMBAT_COPIES_H
#define COMBAT_COPIES_H

#include "combat_test.h"

static inline void expect_same_worlds(const kn_world *a, const kn_world *b)
{
    char text[256] = "";
    if (kn_world_difference(a, b, text, sizeof(text)) || kn_world_hash(a) != kn_world_hash(b)) {
        fail_msg("worlds differ: %s", text);
    }
}

// A second world that was loaded from a save of the first; the caller destroys it.
static inline kn_world *arena_loaded(const arena *a)
{
    size_t size;
    expect_ok(kn_save_write(a->world, NULL, 0, &size));
    void *bytes = malloc(size);
    assert_non_null(bytes);
    expect_ok(kn_save_write(a->world, bytes, size, &size));
    kn_world_def def = kn_world_def_default();
    kn_world *loaded;
    kn_error error = {0};
    def.library = a->library;
    def.space = kn_world_space(a->world);
    expect_ok(kn_world_create(&def, &loaded));
    if (kn_save_read(loaded, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    assert_true(kn_world_validate(loaded));
    expect_same_worlds(a->world, loaded);
    return loaded;
}

// Plays `play` in the world, in a world that was loaded from a save, and again after a snapshot was
// restored: all three end in the same state.
static inline void expect_copies_go_on(arena *a, void (*play)(arena *a))
{
    kn_world *world = a->world;
    kn_world *loaded = arena_loaded(a);
    size_t size = kn_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    expect_ok(kn_snapshot_take(world, bytes, size, &size));
    play(a);
    uint64_t hash = kn_world_hash(world);
    a->world = loaded;
    play(a);
    a->world = world;
    expect_same_worlds(world, loaded);
    expect_ok(kn_snapshot_restore(world, bytes, size));
    assert_true(kn_world_validate(world));
    play(a);
    assert_true(kn_world_hash(world) == hash);
    kn_world_destroy(loaded);
    free(bytes);
}

// The payload of the last custom event of a name among those of the last step; NULL if there is
// none. `count` receives how many there are; may be NULL.
static inline const void *arena_event(const arena *a, const char *name, uint32_t *count)
{
    kn_events events = kn_world_events(a->world);
    kn_custom_event_id kind = kn_custom_event_find(a->library, name);
    const void *payload = NULL;
    uint32_t found = 0, size;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUSTOM && event->data.custom.kind.index1 == kind.index1) {
            payload = kn_event_payload(a->world, event, &size);
            found++;
        }
    }
    if (count != NULL) {
        *count = found;
    }
    return payload;
}

#endif
