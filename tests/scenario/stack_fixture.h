// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of stacks, times and reactions share: a library, a world, two entities.
#ifndef KNACK_SCENARIO_STACK_FIXTURE_H
#define KNACK_SCENARIO_STACK_FIXTURE_H

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    kn_library *library;
    kn_world *world; // NULL until begin()
    kn_attribute_set_id vitals;
    kn_attribute_id health, max_health, power, speed, haste;
    kn_entity_id target, source, other;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &f->library), KN_OK);
    kn_attribute_def attributes[5];
    const char *names[5] = {"Health", "MaxHealth", "Power", "Speed", "Haste"};
    const float values[5] = {100.0f, 200.0f, 10.0f, 600.0f, 1.0f};
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = values[i];
    }
    attributes[0].base_min = kn_limit_constant(0.0f);
    attributes[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 5;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->max_health = kn_attribute_find(f->library, "Vitals.MaxHealth");
    f->power = kn_attribute_find(f->library, "Vitals.Power");
    f->speed = kn_attribute_find(f->library, "Vitals.Speed");
    f->haste = kn_attribute_find(f->library, "Vitals.Haste");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    bool is_valid = f->world == NULL || kn_world_validate(f->world);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return is_valid ? 0 : -1;
}

#endif
