// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of the RTS kit share: a library with the kit, a world with a grid, two players and
// short words for what tests do with them.
#ifndef KNACK_RTS_TEST_H
#define KNACK_RTS_TEST_H

#include "group.h"

#include "knack/rts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id us, them; // players
} fixture;

#include "kit_test.h"

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

static inline void step_ms(fixture *f, int64_t ms)
{
    assert_int_equal(kn_world_step(f->world, KN_MS(ms)), KN_OK);
}

// Definitions -----------------------------------------------------------------------------

static inline kn_attribute_id attribute_named(const fixture *f, const char *name)
{
    const kn_attribute_id attribute = {kn_def_find(f->library, KN_DEF_ATTRIBUTE, name)};
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

// A set with plain attributes, given as "Damage Speed".
static inline kn_attribute_set_id set_add(fixture *f, const char *name, const char *words)
{
    kn_attribute_def attributes[8];
    char text[8][32];
    uint32_t count = 0;
    kn_attribute_set_def def = kn_attribute_set_def_default();
    kn_attribute_set_id set;
    for (int used = 0; sscanf(words, "%31s%n", text[count], &used) == 1; words += used) {
        attributes[count] = kn_attribute_def_default();
        attributes[count].name = text[count];
        count++;
    }
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    return set;
}

static inline kn_ability_type_id ability_add(fixture *f, const char *name, uint32_t max_level)
{
    kn_ability_def def = kn_ability_def_default();
    kn_rts_ability_def rise = kn_rts_ability_def_default();
    kn_ability_type_id type;
    def.name = name;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_OK);
    rise.name = name;
    rise.max_level = max_level;
    assert_int_equal(kn_rts_ability_register(f->library, &rise, NULL), KN_OK);
    return type;
}

// A curve with y for x from 1 on.
static inline kn_curve_id curve_add(fixture *f, const char *name, const float *y, uint32_t count)
{
    kn_curve_def def = kn_curve_def_default();
    kn_curve_point points[16];
    kn_curve_id curve;
    kn_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        points[i] = (kn_curve_point){(float)(i + 1), y[i]};
    }
    def.name = name;
    def.points = points;
    def.point_count = count;
    if (kn_curve_register(f->library, &def, &curve, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return curve;
}

static inline kn_effect_type_id instant_add(
    fixture *f, const char *name, kn_attribute_id attribute, kn_op op, float magnitude)
{
    const kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id effect;
    def.name = name;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    assert_int_equal(kn_effect_register(f->library, &def, &effect, NULL), KN_OK);
    return effect;
}

static inline kn_rts_unit_type_id unit_type_add(fixture *f, const kn_rts_unit_def *def)
{
    kn_rts_unit_type_id type;
    kn_error error = {0};
    if (kn_rts_unit_register(f->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// What happens ------------------------------------------------------------------------------

static inline kn_entity_id unit_create(fixture *f, kn_rts_unit_type_id type, kn_entity_id owner)
{
    kn_entity_id unit;
    assert_int_equal(kn_entity_create(f->world, &unit), KN_OK);
    own(f, unit, owner);
    assert_int_equal(kn_rts_unit_add(f->world, unit, type), KN_OK);
    return unit;
}

// The custom events of the kit about an entity since the last step, such as "experience 0->100@1
// points 0->1 level 1->2".
static inline const char *events_of(fixture *f, kn_entity_id entity)
{
    static char text[2048];
    size_t length = 0;
    step_ms(f, 10);
    text[0] = 0;
    const kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM || !kn_entity_id_equal(event->entity, entity)) {
            continue;
        }
        const char *name = kn_custom_event_name(f->library, event->data.custom.kind);
        const void *payload = kn_event_payload(f->world, event, &size);
        char word[128] = "";
        if (strcmp(name, "Knack.RtsExperience") == 0) {
            const kn_rts_experience_event *e = payload;
            (void)snprintf(word, sizeof(word), "experience %g->%g@%u", (double)e->before,
                (double)e->after, (unsigned)e->level);
        } else if (strcmp(name, "Knack.RtsLevel") == 0 || strcmp(name, "Knack.RtsPoints") == 0) {
            const kn_rts_change_event *e = payload;
            (void)snprintf(word, sizeof(word), "%s %u->%u",
                strcmp(name, "Knack.RtsLevel") == 0 ? "level" : "points", (unsigned)e->before,
                (unsigned)e->after);
        } else if (strcmp(name, "Knack.RtsAbility") == 0) {
            const kn_rts_ability_event *e = payload;
            (void)snprintf(word, sizeof(word), "%s %u->%u%s",
                kn_ability_type_name(f->library, e->ability), (unsigned)e->before,
                (unsigned)e->after, e->is_paid != 0 ? "" : " free");
        } else if (strcmp(name, "Knack.RtsKilled") == 0) {
            const kn_rts_killed_event *e = payload;
            (void)snprintf(word, sizeof(word), "killed by %u for %g with %u",
                (unsigned)e->killer.index1, (double)e->experience, (unsigned)e->assists);
        } else if (strcmp(name, "Knack.RtsAssist") == 0) {
            const kn_rts_assist_event *e = payload;
            (void)snprintf(
                word, sizeof(word), "assist %g for %g", (double)e->damage, (double)e->experience);
        }
        if (word[0] != 0) {
            length += (size_t)snprintf(
                text + length, sizeof(text) - length, "%s%s", length > 0 ? " " : "", word);
        }
    }
    return text;
}

#endif
