// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of effects share: a small library, a world, and short ways to use them.
#ifndef KNACK_SCENARIO_EFFECT_STAGE_H
#define KNACK_SCENARIO_EFFECT_STAGE_H

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

// A library being filled, then a world in which a hero does things to a foe.
typedef struct stage {
    kn_library *library;
    kn_world *world;
    kn_attribute_set_id unit;
    kn_attribute_id health, mana, max_mana, speed, attack, armor, damage;
    kn_entity_id hero, foe;
    uint32_t log_count;
} stage;

static void stage_log(void *user, const kn_log_entry *entry)
{
    (void)entry;
    ((stage *)user)->log_count++;
}

static int setup(void **state)
{
    static const struct {
        const char *name;
        float value;
    } attributes[] = {{"Health", 100}, {"Mana", 60}, {"MaxMana", 100}, {"Speed", 600},
        {"Attack", 10}, {"Armor", 5}, {"Damage", 0}};
    stage *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    kn_library_def library = kn_library_def_default();
    library.hooks.log_fn = stage_log;
    library.hooks.log_user = s;
    assert_int_equal(kn_library_create(&library, &s->library), KN_OK);
    kn_attribute_def defs[COUNT(attributes)];
    for (uint32_t i = 0; i < COUNT(attributes); i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = attributes[i].name;
        defs[i].default_value = attributes[i].value;
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Unit";
    set.attributes = defs;
    set.attribute_count = COUNT(defs);
    assert_int_equal(kn_attribute_set_register(s->library, &set, &s->unit, NULL), KN_OK);
    s->health = kn_attribute_find(s->library, "Unit.Health");
    s->mana = kn_attribute_find(s->library, "Unit.Mana");
    s->max_mana = kn_attribute_find(s->library, "Unit.MaxMana");
    s->speed = kn_attribute_find(s->library, "Unit.Speed");
    s->attack = kn_attribute_find(s->library, "Unit.Attack");
    s->armor = kn_attribute_find(s->library, "Unit.Armor");
    s->damage = kn_attribute_find(s->library, "Unit.Damage");
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    stage *s = *state;
    bool is_valid = s->world == NULL || kn_world_validate(s->world);
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    free(s);
    return is_valid ? 0 : -1;
}

// Freezes the library and puts hero and foe into a world.
static inline void begin(stage *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    def.hooks.log_fn = stage_log;
    def.hooks.log_user = s;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    kn_entity_id *entities[] = {&s->hero, &s->foe};
    for (uint32_t i = 0; i < COUNT(entities); i++) {
        assert_int_equal(kn_entity_create(s->world, entities[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(s->world, *entities[i], s->unit, 0), KN_OK);
    }
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
}

#endif
