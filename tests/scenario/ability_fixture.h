// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A hero with mana, and abilities that note what happens to them. Hooks keep no state outside the
// world except this log, which only the tests read.
#ifndef ABILITY_FIXTURE_H
#define ABILITY_FIXTURE_H

#include "knack/knack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOG_SIZE 8192

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_entity_id hero;
    kn_entity_id foe;
    kn_attribute_set_id vitals;
    kn_attribute_id health, max_health, mana, stamina, haste;
    char log[LOG_SIZE];
} fixture;

static inline void note(fixture *f, const char *format, ...)
{
    size_t length = strlen(f->log);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(f->log + length, LOG_SIZE - length, format, arguments);
    va_end(arguments);
}

// Compares what was noted with what was expected, and forgets it.
#define EXPECT_LOG(f, expected)                                                                    \
    do {                                                                                           \
        assert_string_equal((f)->log, expected);                                                   \
        (f)->log[0] = 0;                                                                           \
    } while (0)

static inline kn_tag tag_of(fixture *f, const char *name)
{
    kn_tag tag = kn_tag_find(f->library, name);
    if (tag.index1 == 0 && !kn_library_is_finished(f->library)) {
        kn_tag_def def = kn_tag_def_default();
        def.name = name;
        assert_int_equal(kn_tag_register(f->library, &def, &tag, NULL), KN_OK);
    }
    assert_int_not_equal(tag.index1, 0);
    return tag;
}

// A view of one tag, kept for the rest of the process: registration copies it, queries may not.
static inline kn_tags tags_of(fixture *f, const char *name)
{
    static kn_tag kept[256];
    static uint32_t count;
    kn_tag *tag = &kept[count++ % 256];
    *tag = tag_of(f, name);
    kn_tags tags = {tag, 1};
    return tags;
}

static inline const char *ability_name(const kn_ability_call *call)
{
    kn_ability_info info;
    if (!kn_ability_get(call->world, call->ability, &info)) {
        return "?";
    }
    return kn_ability_type_name(kn_world_library(call->world), info.type);
}

static inline kn_result note_activate(const kn_ability_call *call)
{
    note(call->user, "%s activates. ", ability_name(call));
    return KN_OK;
}

static inline void note_ended(const kn_ability_call *call, kn_end_reason reason)
{
    note(call->user, "%s: %s. ", ability_name(call), kn_end_reason_name(reason));
}

// An ability that notes its activation and its end, and runs until it is ended.
static inline kn_ability_def ability_def(fixture *f, const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.activate = note_activate;
    def.ended = note_ended;
    def.user = f;
    return def;
}

static inline kn_ability_type_id ability_register(fixture *f, const kn_ability_def *def)
{
    kn_ability_type_id type;
    kn_error error = {0};
    kn_result result = kn_ability_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static inline kn_effect_type_id effect_register(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error = {0};
    if (kn_effect_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    assert_int_equal(kn_ability_fail_tags_register(f->library, NULL), KN_OK);
    const char *const names[] = {"Health", "MaxHealth", "Mana", "Stamina", "Haste"};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = i == 4 ? 1.0f : 100.0f;
        attributes[i].base_min = kn_limit_constant(0.0f);
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 5;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->max_health = kn_attribute_find(f->library, "Vitals.MaxHealth");
    f->mana = kn_attribute_find(f->library, "Vitals.Mana");
    f->stamina = kn_attribute_find(f->library, "Vitals.Stamina");
    f->haste = kn_attribute_find(f->library, "Vitals.Haste");
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

// Finishes the library and makes a world with a hero and a foe.
static inline void begin_with(fixture *f, kn_world_def def)
{
    kn_error error = {0};
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_entity_id *entities[2] = {&f->hero, &f->foe};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(f->world, *entities[i], f->vitals, 0), KN_OK);
    }
}

static inline void begin(fixture *f)
{
    begin_with(f, kn_world_def_default());
}

static inline kn_ability_id grant(fixture *f, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
    return ability;
}

static inline kn_activation_id activate(fixture *f, kn_ability_id ability)
{
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
    return activation;
}

static inline void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
    assert_true(kn_world_validate(f->world));
}

static inline float value_of(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->hero, attribute);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
