// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of attributes share: a small library, a world, and short ways to use them.
#ifndef KNACK_SCENARIO_ATTRIBUTE_SCENE_H
#define KNACK_SCENARIO_ATTRIBUTE_SCENE_H

#include "knack/knack.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
} scene;

static scene the_scene;

static int setup(void **state)
{
    memset(&the_scene, 0, sizeof the_scene);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the_scene.library), KN_OK);
    *state = &the_scene;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    if (s->world != NULL) {
        assert_true(kn_world_validate(s->world));
        kn_world_destroy(s->world);
    }
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

// Finishes the library, and makes a world with one entity.
static void begin(scene *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = entity_create(s);
}

static kn_attribute_def declare(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    return def;
}

#endif
