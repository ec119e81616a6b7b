// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of the capability kit share: capabilities whose hooks write what happens as the traces
// of the specification do: SL start of life, SU set-up, SA and SD what should be, ON, OFF, TK, EC
// end of the capability, EL end of life. Frames are updates by the host unless a test says so.
#ifndef KNACK_CAPABILITY_TEST_H
#define KNACK_CAPABILITY_TEST_H

#include "group.h"

#include "knack/capability.h"

#include <stdarg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPABILITIES_MAX 16
#define HOST_MS(ms) KN_MS(ms)

typedef struct fixture fixture;

// What a capability of a test answers and does. Changed between frames.
typedef struct script {
    fixture *f;
    char name[8];
    kn_capability_def def;
    kn_capability_id id;
    bool starts, stops; // answers of the predicates
    void (*on)(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number);
    void (*off)(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number);
    void (*tick)(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number);
    void (*setup)(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number);
} script;

struct fixture {
    kn_library *library;
    kn_world *world;
    kn_entity_id hero, foe, ally, gadget;
    kn_tag x, move, fly, look, stunned;
    script scripts[CAPABILITIES_MAX];
    uint32_t script_count;
    bool shows_predicates, shows_names;
    char log[4096];
};

static inline void trace(fixture *f, const char *format, ...)
{
    size_t length = strlen(f->log);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(f->log + length, sizeof(f->log) - length, format, arguments);
    va_end(arguments);
}

static inline void trace_hook(const script *s, const char *hook, const char *more)
{
    trace(s->f, "%s%s%s%s%s", s->f->log[0] != 0 ? " " : "", hook, s->f->shows_names ? "_" : "",
        s->f->shows_names ? s->name : "", more);
}

#define EXPECT(f, text)                                                                            \
    do {                                                                                           \
        assert_string_equal((f)->log, text);                                                       \
        (f)->log[0] = 0;                                                                           \
    } while (0)

#define TEST_HOOK(name_, letters_, member_)                                                        \
    static kn_result name_(void *user, const kn_hook_call *call)                                   \
    {                                                                                              \
        const script *s = user;                                                                    \
        const kn_capability_call *c = call->arguments;                                             \
        trace_hook(s, letters_, "");                                                               \
        if (s->member_ != NULL) {                                                                  \
            s->member_(s->f, call->writable, call->entity, c->number);                             \
        }                                                                                          \
        return KN_OK;                                                                              \
    }
TEST_HOOK(hook_on, "ON", on)
TEST_HOOK(hook_off, "OFF", off)
TEST_HOOK(hook_setup, "SU", setup)

static kn_result hook_tick(void *user, const kn_hook_call *call)
{
    const script *s = user;
    const kn_capability_call *c = call->arguments;
    char more[32] = "";
    if (s->f->shows_predicates) {
        (void)snprintf(more, sizeof(more), "(%d)", (int)(c->dt / 1000));
    }
    trace_hook(s, "TK", more);
    if (s->tick != NULL) {
        s->tick(s->f, call->writable, call->entity, c->number);
    }
    return KN_OK;
}

static kn_result hook_start_life(void *user, const kn_hook_call *call)
{
    (void)call;
    trace_hook(user, "SL", "");
    return KN_OK;
}

static kn_result hook_end(void *user, const kn_hook_call *call)
{
    (void)call;
    trace_hook(user, "EC", "");
    return KN_OK;
}

static kn_result hook_end_life(void *user, const kn_hook_call *call)
{
    (void)call;
    trace_hook(user, "EL", "");
    return KN_OK;
}

static kn_result hook_starts(void *user, const kn_hook_call *call)
{
    const script *s = user;
    assert_null(call->writable);
    if (s->f->shows_predicates) {
        trace_hook(s, "SA", s->starts ? "(t)" : "(f)");
    }
    return s->starts ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result hook_stops(void *user, const kn_hook_call *call)
{
    const script *s = user;
    assert_null(call->writable);
    if (s->f->shows_predicates) {
        trace_hook(s, "SD", s->stops ? "(t)" : "(f)");
    }
    return s->stops ? KN_OK : KN_REFUSED_CUSTOM;
}

static inline kn_tag tag_of(fixture *f, const char *name)
{
    kn_tag tag;
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    assert_int_equal(kn_tag_register(f->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static inline fixture *fixture_create(void)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    kn_error error = {0};
    if (kn_capability_register(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    f->x = tag_of(f, "X");
    f->move = tag_of(f, "Move");
    f->fly = tag_of(f, "Move.Fly");
    f->look = tag_of(f, "Look");
    f->stunned = tag_of(f, "State.Stunned");
    f->shows_predicates = true;
    return f;
}

// Forgets what was traced so far.
static inline void hush(fixture *f)
{
    f->log[0] = 0;
}

// A capability whose hooks are traced, with the answers of the defaults.
static inline script *capability(fixture *f, const char *name)
{
    script *s = &f->scripts[f->script_count++];
    assert_true(f->script_count <= CAPABILITIES_MAX);
    s->f = f;
    s->starts = true;
    (void)snprintf(s->name, sizeof(s->name), "%s", name);
    s->def = kn_capability_def_default();
    s->def.name = s->name;
    s->def.start_life = (kn_hook){hook_start_life, s};
    s->def.setup = (kn_hook){hook_setup, s};
    s->def.should_activate = (kn_hook){hook_starts, s};
    s->def.should_deactivate = (kn_hook){hook_stops, s};
    s->def.activated = (kn_hook){hook_on, s};
    s->def.deactivated = (kn_hook){hook_off, s};
    s->def.tick = (kn_hook){hook_tick, s};
    s->def.end_capability = (kn_hook){hook_end, s};
    s->def.end_life = (kn_hook){hook_end_life, s};
    return s;
}

static inline void capability_done(script *s)
{
    kn_error error = {0};
    if (kn_capability_def_register(s->f->library, &s->def, &s->id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

// Capabilities with one letter each, traced with their names and without predicates. They are
// registered by capabilities_done().
static inline script *capabilities(fixture *f, const char *letters)
{
    script *first = &f->scripts[f->script_count];
    f->shows_names = true;
    f->shows_predicates = false;
    for (; *letters != 0; letters++) {
        const char name[] = {*letters, 0};
        (void)capability(f, name);
    }
    return first;
}

static inline void capabilities_done(fixture *f)
{
    for (uint32_t i = 0; i < f->script_count; i++) {
        capability_done(&f->scripts[i]);
    }
}

// A set of registered capabilities, by their names in one string: "ABC" is A, B and C.
static inline kn_capability_set_id set_at(
    fixture *f, const char *name, const char *members, uint32_t rate)
{
    kn_capability_id ids[CAPABILITIES_MAX];
    kn_capability_set_id id;
    kn_error error = {0};
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = name;
    def.rate = rate;
    def.capabilities = ids;
    for (; members[def.capability_count] != 0; def.capability_count++) {
        const char one[] = {members[def.capability_count], 0};
        ids[def.capability_count] = kn_capability_find(f->library, one);
    }
    if (kn_capability_set_register(f->library, &def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

// The same, driven by the host.
static inline kn_capability_set_id set_of(fixture *f, const char *name, const char *members)
{
    return set_at(f, name, members, 0);
}

static inline void begin_with(fixture *f, kn_world_def def)
{
    kn_error error = {0};
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_world_set_moving(f->world, true);
    kn_entity_id *const all[] = {&f->hero, &f->foe, &f->ally, &f->gadget};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(f->world, all[i]), KN_OK);
    }
}

static inline void begin(fixture *f)
{
    begin_with(f, kn_world_def_default());
}

// The usual beginning: all capabilities are registered, these are in a set, and the world is there.
static inline kn_capability_set_id begin_set(fixture *f, const char *members)
{
    capabilities_done(f);
    kn_capability_set_id set = set_of(f, "S", members);
    begin(f);
    return set;
}

static inline void add(fixture *f, kn_capability_set_id set)
{
    assert_int_equal(kn_capability_set_add(f->world, f->hero, set, NULL), KN_OK);
}

static inline void take(fixture *f, kn_capability_set_id set)
{
    assert_int_equal(kn_capability_set_remove(f->world, f->hero, set), KN_OK);
}

// The same, and the hero has the set already.
static inline kn_capability_set_id begin_added(fixture *f, const char *members)
{
    kn_capability_set_id set = begin_set(f, members);
    add(f, set);
    hush(f);
    return set;
}

// A frame of so many milliseconds.
static inline void frame(fixture *f, int ms)
{
    assert_int_equal(kn_world_step(f->world, HOST_MS(ms)), KN_OK);
    assert_int_equal(kn_capabilities_update(f->world, (kn_entity_id){0}, HOST_MS(ms)), KN_OK);
}

static inline uint32_t number_of(const fixture *f, const script *s)
{
    uint32_t number = kn_capability_number(f->world, f->hero, s->id, 0);
    assert_int_not_equal(number, 0);
    return number;
}

static inline bool is_active(const fixture *f, const script *s)
{
    return kn_capability_is_active(f->world, f->hero, s->id);
}

static inline kn_capability_source key_source(uint64_t key)
{
    kn_capability_source source = {.kind = KN_CAPABILITY_SOURCE_KEY, .key = key};
    return source;
}

static inline void block_by(fixture *f, kn_tag tag, uint64_t key)
{
    const kn_capability_block block = {.tag = tag, .source = key_source(key)};
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_OK);
}

static inline void unblock_by(fixture *f, kn_tag tag, uint64_t key)
{
    const kn_capability_source source = key_source(key);
    assert_int_equal(kn_capability_block_remove(f->world, f->hero, tag, &source), KN_OK);
}

static inline void give_tag(fixture *f, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(f->world, f->hero, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void lose_tag(fixture *f, kn_tag tag)
{
    assert_int_equal(kn_entity_remove_tag(f->world, f->hero, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

// How many problems were reported since the last step. All of them are of this kind, and about this
// capability.
static inline uint32_t problems(fixture *f, kn_capability_fault fault, const script *s)
{
    const kn_custom_event_id kind = kn_custom_event_find(f->library, "Knack.CapabilityProblem");
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0, size;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUSTOM &&
            events.data[i].data.custom.kind.index1 == kind.index1) {
            const kn_capability_problem *problem =
                kn_event_payload(f->world, &events.data[i], &size);
            assert_int_equal(size, sizeof(*problem));
            assert_int_equal(problem->fault, fault);
            assert_int_equal(problem->capability.index1, s->id.index1);
            count++;
        }
    }
    return count;
}

static inline int setup_fixture(void **state)
{
    *state = fixture_create();
    return 0;
}

static inline void fixture_destroy(fixture *f)
{
    if (f->world != NULL) {
        assert_true(kn_world_validate(f->world));
    }
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
}

static inline int teardown_fixture(void **state)
{
    fixture_destroy(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)

#endif
