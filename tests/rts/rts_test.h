// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of the RTS kit share: a library with the kit, a world with a grid, two players and
// short words for what tests do with them.
#ifndef KNACK_RTS_TEST_H
#define KNACK_RTS_TEST_H

#include "knack/rts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id us, them; // players
} fixture;

static inline kn_tag tag_named(const fixture *f, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    kn_tag tag;
    def.name = name;
    assert_int_equal(kn_tag_register(f->library, &def, &tag, NULL), KN_OK);
    return tag;
}

// A library with both kits, which is not finished.
static inline void fixture_open(fixture *f)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    *f = (fixture){0};
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    assert_int_equal(kn_order_register(f->library, &error), KN_OK);
    if (kn_rts_register(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_grid_register(f->library, NULL, &error), KN_OK);
}

static inline void library_finish(fixture *f)
{
    kn_error error = {0};
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

// A world of a finished library, with a grid and two players.
static inline void world_begin_with(fixture *f, kn_world_def def)
{
    kn_grid_def grid = kn_grid_def_default();
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    grid.world = f->world;
    assert_int_equal(kn_grid_create(&grid, &f->grid), KN_OK);
    kn_world_set_space(f->world, kn_grid_space(f->grid));
    assert_int_equal(kn_entity_create(f->world, &f->us), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &f->them), KN_OK);
}

static inline void world_begin(fixture *f)
{
    library_finish(f);
    world_begin_with(f, kn_world_def_default());
}

static inline void fixture_close(fixture *f)
{
    if (f->world != NULL) {
        assert_true(kn_world_validate(f->world));
    }
    kn_grid_destroy(f->grid);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    *f = (fixture){0};
}

static inline void place(fixture *f, kn_entity_id entity, float x, float y)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_OK);
}

static inline void gain(fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void lose(fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_remove_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void own(fixture *f, kn_entity_id entity, kn_entity_id owner)
{
    assert_int_equal(kn_entity_set_owner(f->world, entity, owner), KN_OK);
}

static inline void step_ms(fixture *f, int64_t ms)
{
    assert_int_equal(kn_world_step(f->world, KN_MS(ms)), KN_OK);
}

#endif
