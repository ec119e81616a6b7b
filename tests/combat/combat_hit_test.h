// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests about hits, threat and the log share.
#ifndef COMBAT_HIT_TEST_H
#define COMBAT_HIT_TEST_H

#include "combat_test.h"

static inline kn_hit_def hit_of(const arena *a, float amount)
{
    kn_hit_def def = kn_hit_def_default();
    def.source = a->hero;
    def.target = a->foe;
    def.amount = amount;
    return def;
}

// Runs a hit of the hero on the foe and returns what became of it.
static inline kn_hit strike(arena *a, float amount)
{
    kn_hit_def def = hit_of(a, amount);
    kn_hit hit;
    expect_ok(kn_hit_run(a->world, &def, &hit));
    return hit;
}

// Publishes what happened.
static inline void settle(arena *a)
{
    expect_ok(kn_world_step(a->world, 0));
}

// The payload of custom event number `index` of a kind among those just published; NULL if there
// are not so many. `entity` receives the entity it happened to; may be NULL.
static inline const void *published(
    const arena *a, const char *name, uint32_t index, kn_entity_id *entity)
{
    kn_events events = kn_world_events(a->world);
    kn_custom_event_id kind = kn_custom_event_find(a->library, name);
    assert_true(kind.index1 != 0);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUSTOM && event->data.custom.kind.index1 == kind.index1 &&
            index-- == 0) {
            if (entity != NULL) {
                *entity = event->entity;
            }
            uint32_t size;
            return kn_event_payload(a->world, event, &size);
        }
    }
    return NULL;
}

static inline uint32_t published_count(const arena *a, const char *name)
{
    uint32_t count = 0;
    while (published(a, name, count, NULL) != NULL) {
        count++;
    }
    return count;
}

// Number of errors just published.
static inline uint32_t error_count(const arena *a)
{
    kn_events events = kn_world_events(a->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR;
    }
    return count;
}

static inline void expect_entity(kn_entity_id entity, kn_entity_id wanted)
{
    assert_true(kn_entity_id_equal(entity, wanted));
}

// An infinite effect with one modifier on a transient value.
static inline kn_effect_type_id value_effect(
    arena *a, const char *name, const char *value, kn_op op, float magnitude, kn_tags event)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = kn_value_find(a->library, value);
    modifier.op = op;
    modifier.magnitude = kn_magnitude_constant(magnitude);
    modifier.event.required = event;
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    return arena_effect(a, &effect);
}

static inline kn_condition_id arena_condition(arena *a, const char *name, const char *expression)
{
    kn_condition_id condition;
    kn_error error = {0};
    kn_result result =
        kn_condition_register_expression(a->library, name, expression, &condition, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return condition;
}

// An infinite effect with a gate on a kind of events, with a condition or for all of them.
static inline kn_effect_type_id gate_effect(
    arena *a, const char *name, const char *kind, kn_condition_id condition)
{
    kn_gate_def gate = kn_gate_def_default();
    gate.kind = kn_event_kind_find(a->library, kind);
    gate.condition =
        condition.index1 != 0 ? condition : arena_condition(a, name, "event.magnitude >= 0");
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.gates = &gate;
    effect.gate_count = 1;
    return arena_effect(a, &effect);
}

// An instant effect that raises one event on its target.
static inline kn_effect_type_id raise_effect(
    arena *a, const char *name, const char *tag, float magnitude)
{
    kn_raise_def raise = kn_raise_def_default();
    raise.tag = kn_tag_find(a->library, tag);
    raise.magnitude = kn_magnitude_constant(magnitude);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.raises = &raise;
    effect.raise_count = 1;
    return arena_effect(a, &effect);
}

// Plays on in the world itself, in a copy from a save and after a restored snapshot: all end in the
// same state.
static inline void expect_same_future(arena *a, void (*play)(arena *a))
{
    size_t size = kn_snapshot_size(a->world), save_size = 0;
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    expect_ok(kn_snapshot_take(a->world, snapshot, size, &size));
    expect_ok(kn_save_write(a->world, NULL, 0, &save_size));
    void *save = malloc(save_size);
    assert_non_null(save);
    expect_ok(kn_save_write(a->world, save, save_size, &save_size));
    play(a);
    uint64_t hash = kn_world_hash(a->world);
    expect_ok(kn_snapshot_restore(a->world, snapshot, size));
    play(a);
    assert_true(kn_world_hash(a->world) == hash);
    kn_world *world = a->world;
    kn_world_def def = kn_world_def_default();
    def.library = a->library;
    expect_ok(kn_world_create(&def, &a->world));
    kn_error error = {0};
    expect_ok(kn_save_read(a->world, save, save_size, &error));
    play(a);
    assert_true(kn_world_hash(a->world) == hash);
    assert_true(kn_world_validate(a->world));
    kn_world_destroy(a->world);
    a->world = world;
    free(save);
    free(snapshot);
}

#endif
