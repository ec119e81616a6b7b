// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of the kit share: its content in a library, a world with four units, and short
// words.
#ifndef KIT_TEST_H
#define KIT_TEST_H

#include "group.h"

#include "kit.h"

#include <knack/data.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A game with the kit. `caster` acts, `target` is what it acts on, `rival` interferes, and `lord`
// owns all of them.
typedef struct game {
    kn_data *data;
    kn_library *library;
    kn_world *world;
    kn_entity_id caster, target, rival, lord;
} game;

static inline void expect_ok(kn_result result)
{
    assert_string_equal(kn_result_name(result), "KN_OK");
}

static inline kn_data *kit_data(void)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = kit_prepare;
    kn_data *data;
    expect_ok(kn_data_create(&def, &data));
    expect_ok(kit_add_natives(data));
    return data;
}

// The library of everything that was added; fails with the messages.
static inline kn_library *kit_library(kn_data *data)
{
    kn_library *library;
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    return library;
}

// Tests that go too far on purpose do not write to the terminal.
static inline void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static inline kn_world *world_create(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = library;
    def.hooks.log_fn = log_nothing;
    expect_ok(kn_world_create(&def, &world));
    return world;
}

static inline kn_entity_id unit_create(game *g)
{
    kn_entity_id unit;
    expect_ok(kn_archetype_spawn(g->world, kn_archetype_find(g->library, "Unit"), 1.0f, &unit));
    return unit;
}

static inline void game_populate(game *g)
{
    expect_ok(kn_entity_create(g->world, &g->lord));
    g->caster = unit_create(g);
    g->target = unit_create(g);
    g->rival = unit_create(g);
    expect_ok(kn_entity_set_owner(g->world, g->caster, g->lord));
}

static inline game *game_create(void)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->data = kit_data();
    expect_ok(kn_data_add_folder(g->data, KIT_CONTENT));
    g->library = kit_library(g->data);
    g->world = world_create(g->library);
    game_populate(g);
    return g;
}

static inline int game_setup(void **state)
{
    *state = game_create();
    return 0;
}

static inline int game_teardown(void **state)
{
    game *g = *state;
    bool is_valid = kn_world_validate(g->world);
    kn_world_destroy(g->world);
    kn_library_destroy(g->library);
    kn_data_destroy(g->data);
    free(g);
    return is_valid ? 0 : -1;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, game_setup, game_teardown)

static inline void step(game *g, double seconds)
{
    expect_ok(kn_world_step(g->world, kn_time_from_seconds(seconds)));
    assert_true(kn_world_validate(g->world));
}

static inline float attribute(const game *g, kn_entity_id entity, const char *name)
{
    return kn_attribute_value(g->world, entity, kn_attribute_find(g->library, name));
}

static inline void attribute_set(game *g, kn_entity_id entity, const char *name, float value)
{
    expect_ok(
        kn_attribute_set_base(g->world, entity, kn_attribute_find(g->library, name), 0, value));
}

static inline void apply(game *g, const char *effect, kn_entity_id from, kn_entity_id to)
{
    expect_ok(kn_effect_apply_simple(
        g->world, kn_effect_type_find(g->library, effect), from, to, 1.0f, NULL));
}

static inline kn_ability_id ability_of(const game *g, kn_entity_id entity, const char *name)
{
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability = {0};
    query.type = kn_ability_type_find(g->library, name);
    assert_int_equal(kn_abilities_find(g->world, entity, &query, &ability, 1), 1);
    return ability;
}

// Activates an ability of `entity` on `target`.
static inline kn_result use(game *g, kn_entity_id entity, const char *name, kn_entity_id target)
{
    kn_event_record event = kn_event_record_default();
    event.instigator = entity;
    event.target = target;
    return kn_ability_activate(g->world, ability_of(g, entity, name), &event, NULL);
}

static inline kn_tag tag_of(const game *g, const char *name)
{
    kn_tag tag = kn_tag_find(g->library, name);
    assert_int_not_equal(tag.index1, 0);
    return tag;
}

// The last event of a kit of the last step, as it is printed, without its time and cause.
static inline void expect_event(const game *g, const char *kind, const char *expected)
{
    kn_custom_event_id wanted = kn_custom_event_find(g->library, kind);
    kn_events events = kn_world_events(g->world);
    char text[256], *end;
    assert_int_not_equal(wanted.index1, 0);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == KN_EVENT_CUSTOM &&
            events.data[i].data.custom.kind.index1 == wanted.index1) {
            (void)kn_event_print(g->world, &events.data[i], text, sizeof(text));
            end = strstr(text, "  (");
            if (end != NULL) {
                *end = 0;
            }
            assert_non_null(strstr(text, "entity"));
            assert_string_equal(strstr(text, "entity"), expected);
            return;
        }
    }
    fail_msg("no event %s", kind);
}

static inline uint32_t event_count(const game *g, const char *kind)
{
    kn_custom_event_id wanted = kn_custom_event_find(g->library, kind);
    kn_events events = kn_world_events(g->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUSTOM &&
                 events.data[i].data.custom.kind.index1 == wanted.index1;
    }
    return count;
}

static inline const kn_event *last_event(const game *g, kn_event_type type)
{
    kn_events events = kn_world_events(g->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    fail_msg("no event %s", kn_event_type_name(type));
    return NULL;
}

// The first message of a text that must be refused.
static inline void expect_message(const char *text, const char *expected)
{
    kn_data *data = kit_data();
    kn_library *library;
    char line[512];
    expect_ok(kn_data_add_text(data, "t.yaml", text, strlen(text)));
    assert_int_equal(kn_data_build(data, &library), KN_ERROR_BAD_DATA);
    (void)kn_data_message_print(data, 0, line, sizeof(line));
    assert_string_equal(line, expected);
    kn_data_destroy(data);
}

#endif
