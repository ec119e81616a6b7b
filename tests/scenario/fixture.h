// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What all scenario tests share: a library to fill, a world with a hero and others in it, and short
// ways to use them. A test registers what it needs, calls begin(), acts and asserts. The fixtures
// of effects, abilities, attributes and so on build on this one and add words of their own. A
// program that needs fields of its own defines them as FIXTURE_OWN before it includes a fixture.
#ifndef FIXTURE_H
#define FIXTURE_H

#include "group.h"

#include "scenario/world_copies.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#define LOG_SIZE 8192

#ifndef FIXTURE_OWN
#define FIXTURE_OWN
#endif

typedef struct fixture {
    kn_library *library;
    kn_world *world; // NULL until begin()
    kn_entity_id hero, foe, ally;
    uint32_t entity_count;   // how many of the three begin() creates
    kn_attribute_set_id set; // which they all have; null: none
    kn_attribute_id health, max_health, mana, max_mana, stamina, power, speed, haste, attack, armor,
        damage;         // of the set; null where it has none of this name
    uint32_t log_count; // lines that library and world logged
    char log[LOG_SIZE]; // what note() wrote
    FIXTURE_OWN
} fixture;

// Setup and teardown --------------------------------------------------------

static inline void fixture_log(void *user, const kn_log_entry *entry)
{
    (void)entry;
    ((fixture *)user)->log_count++;
}

static inline fixture *fixture_create(uint32_t entity_count)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->entity_count = entity_count;
    kn_library_def def = kn_library_def_default();
    def.hooks.log_fn = fixture_log;
    def.hooks.log_user = f;
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    return f;
}

// False if the world was not sound.
static inline bool fixture_destroy(fixture *f)
{
    bool is_valid = f->world == NULL || kn_world_validate(f->world);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return is_valid;
}

static inline int teardown(void **state)
{
    return fixture_destroy(*state) ? 0 : -1;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static inline void library_finish(fixture *f)
{
    kn_error error = {0};
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

// A world of the fixture's library; its lines are counted unless the def logs elsewhere.
static inline kn_world *world_of(fixture *f, kn_world_def def)
{
    def.library = f->library;
    if (def.hooks.log_fn == NULL) {
        def.hooks.log_fn = fixture_log;
        def.hooks.log_user = f;
    }
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static inline void entities_create(fixture *f)
{
    kn_entity_id *entities[] = {&f->hero, &f->foe, &f->ally};
    for (uint32_t i = 0; i < f->entity_count; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        if (f->set.index1 != 0) {
            assert_int_equal(kn_attribute_set_add(f->world, *entities[i], f->set, 0), KN_OK);
        }
    }
}

// Finishes the library and creates a world with the fixture's entities.
static inline void begin_with(fixture *f, kn_world_def def)
{
    library_finish(f);
    f->world = world_of(f, def);
    entities_create(f);
}

static inline void begin(fixture *f)
{
    begin_with(f, kn_world_def_default());
}

// Asserts -------------------------------------------------------------------

static inline void assert_near(float found, float expected)
{
    if (!(fabsf(found - expected) <= 1e-5f * fmaxf(1.0f, fabsf(expected)))) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// An assert handler for tests that break contracts on purpose.
static inline bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// Adds to the log of the fixture, which hooks may write to and only tests read.
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

// Definitions ---------------------------------------------------------------

// The tag of a name, registered if it is new and the library still open.
static inline kn_tag tag_of(const fixture *f, const char *name)
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

static inline kn_tags one(const kn_tag *tag)
{
    kn_tags tags = {tag, 1};
    return tags;
}

static inline kn_name name_of(const fixture *f, const char *text)
{
    kn_name name = kn_name_find(f->library, text);
    if (name.index1 == 0) {
        assert_int_equal(kn_name_register(f->library, text, &name, NULL), KN_OK);
    }
    return name;
}

static inline kn_attribute_def attribute_def(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    return def;
}

static inline kn_attribute_set_id set_register(
    fixture *f, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set = {0};
    kn_error error = {0};
    if (kn_attribute_set_register(f->library, &def, &set, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return set;
}

static inline kn_attribute_id attribute_of(const fixture *f, const char *set, const char *name)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "%s.%s", set, name);
    return kn_attribute_find(f->library, text);
}

// Registers the set that all entities of begin() have.
static inline void fixture_set(
    fixture *f, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    f->set = set_register(f, name, attributes, count);
    f->health = attribute_of(f, name, "Health");
    f->max_health = attribute_of(f, name, "MaxHealth");
    f->mana = attribute_of(f, name, "Mana");
    f->max_mana = attribute_of(f, name, "MaxMana");
    f->stamina = attribute_of(f, name, "Stamina");
    f->power = attribute_of(f, name, "Power");
    f->speed = attribute_of(f, name, "Speed");
    f->haste = attribute_of(f, name, "Haste");
    f->attack = attribute_of(f, name, "Attack");
    f->armor = attribute_of(f, name, "Armor");
    f->damage = attribute_of(f, name, "Damage");
}

static inline kn_effect_def instant(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    return def;
}

static inline kn_effect_def infinite(const char *name)
{
    kn_effect_def def = instant(name);
    def.duration_kind = KN_DURATION_INFINITE;
    return def;
}

static inline kn_effect_def timed(const char *name, float seconds)
{
    kn_effect_def def = instant(name);
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(seconds);
    return def;
}

static inline kn_effect_type_id effect_register(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id type = {0};
    kn_error error = {0};
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return type;
}

// 10 seconds if it is timed.
static inline kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = instant(name);
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static inline kn_effect_type_id effect_of(fixture *f, const char *name, kn_duration_kind kind,
    const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = effect_def(name, kind, modifiers, count);
    return effect_register(f, &def);
}

static inline kn_condition_id condition_of(fixture *f, const char *name, kn_condition_fn *function)
{
    kn_condition_id condition = {0};
    assert_int_equal(kn_condition_register(f->library, name, function, f, &condition, NULL), KN_OK);
    return condition;
}

static inline kn_curve_id curve_of(
    fixture *f, const char *name, kn_curve_kind kind, const kn_curve_point *points, uint32_t count)
{
    kn_curve_def def = kn_curve_def_default();
    def.name = name;
    def.kind = kind;
    def.points = points;
    def.point_count = count;
    kn_curve_id curve = {0};
    assert_int_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_OK);
    return curve;
}

// Acting --------------------------------------------------------------------

static inline void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
    assert_true(kn_world_validate(f->world));
}

static inline void step_seconds(fixture *f, double seconds)
{
    step(f, kn_time_from_seconds(seconds));
}

static inline kn_entity_id entity_create(fixture *f)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    return entity;
}

static inline void add_set(fixture *f, kn_entity_id entity, kn_attribute_set_id set)
{
    assert_int_equal(kn_attribute_set_add(f->world, entity, set, 0), KN_OK);
}

static inline void set_base(
    const fixture *f, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(f->world, entity, attribute, 0, value), KN_OK);
}

static inline void add_tag(const fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void remove_tag(const fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_remove_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline kn_effect_id apply_from_to(
    const fixture *f, kn_effect_type_id type, kn_entity_id source, kn_entity_id target, float level)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(f->world, type, source, target, level, &effect), KN_OK);
    return effect;
}

static inline void remove_effect(const fixture *f, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

// Another world with what a save of this one holds.
static inline kn_world *world_loaded(fixture *f, kn_world_def def)
{
    size_t size;
    void *bytes = save_of(f->world, &size);
    kn_world *world = world_of(f, def);
    save_load(world, bytes, size);
    free(bytes);
    assert_same_worlds(f->world, world);
    return world;
}

// Events of the last step ---------------------------------------------------

static inline uint32_t event_count(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

// Of an effect type; a null one means any.
static inline uint32_t effect_event_count(
    const fixture *f, kn_event_type type, kn_effect_type_id effect)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type &&
                 (effect.index1 == 0 || events.data[i].data.effect.type.index1 == effect.index1);
    }
    return count;
}

static inline uint32_t cue_count(const fixture *f, kn_cue_action action)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUE && events.data[i].data.cue.action == action;
    }
    return count;
}

static inline uint32_t error_count(const fixture *f, kn_result code)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR && events.data[i].data.error.code == code;
    }
    return count;
}

// The first event of a type, which must be there.
static inline const kn_event *first_event(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    fail_msg("no event %s", kn_event_type_name(type));
    return NULL;
}

// The last event of a type, or NULL.
static inline const kn_event *last_event(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    return NULL;
}

// Counts the events of a type after a step of no length, and copies the last; `last` may be NULL.
static inline uint32_t published(fixture *f, kn_event_type type, kn_event *last)
{
    if (last != NULL) {
        memset(last, 0, sizeof(*last));
    }
    step(f, 0);
    const kn_event *event = last_event(f, type);
    if (event != NULL && last != NULL) {
        *last = *event;
    }
    return event_count(f, type);
}

// The last event of a type after a step of no length; it must be there.
static inline kn_event published_event(fixture *f, kn_event_type type)
{
    step(f, 0);
    const kn_event *event = last_event(f, type);
    if (event == NULL) {
        fail_msg("no event %s", kn_event_type_name(type));
        return (kn_event){0};
    }
    return *event;
}

#endif
