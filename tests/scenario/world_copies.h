// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves, snapshots and projections of a world, and the question whether two worlds are the same.
#ifndef WORLD_COPIES_H
#define WORLD_COPIES_H

#include "group.h"

#include "knack/knack.h"

#include <stdlib.h>
#include <string.h>

// A save of the world, to be freed.
static inline void *save_of(const kn_world *world, size_t *size)
{
    size_t written;
    assert_int_equal(kn_save_write(world, NULL, 0, size), KN_OK);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(world, bytes, *size, &written), KN_OK);
    assert_int_equal(written, *size);
    return bytes;
}

static inline void save_load(kn_world *world, const void *bytes, size_t size)
{
    kn_error error = {0};
    if (kn_save_read(world, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(kn_world_validate(world));
}

// A snapshot of the world, to be freed.
static inline void *snapshot_of(const kn_world *world, size_t *size)
{
    *size = kn_snapshot_size(world);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(kn_snapshot_take(world, bytes, *size, size), KN_OK);
    return bytes;
}

static inline void snapshot_restore(kn_world *world, const void *bytes, size_t size)
{
    assert_int_equal(kn_snapshot_restore(world, bytes, size), KN_OK);
    assert_true(kn_world_validate(world));
}

// Writes entities into another world, as a viewer may see them.
static inline void project(const kn_world *from, kn_world *to, const kn_entity_id *entities,
    uint32_t count, kn_viewer viewer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = viewer;
    size_t size, written;
    assert_int_equal(kn_projection_take(from, entities, count, &filter, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(
        kn_projection_take(from, entities, count, &filter, bytes, size, &written), KN_OK);
    kn_error error = {0};
    if (kn_projection_write(to, bytes, written, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    assert_true(kn_world_validate(to));
}

static inline void assert_same_worlds(const kn_world *a, const kn_world *b)
{
    char text[256] = "";
    bool differ = kn_world_difference(a, b, text, sizeof(text));
    if (differ || kn_world_hash(a) != kn_world_hash(b)) {
        fail_msg("worlds differ: %s", differ ? text : "only in their hash");
    }
}

#endif
