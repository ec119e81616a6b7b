// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of casts share: an arena with hits, abilities with casts, and what was published.
#ifndef CAST_TEST_H
#define CAST_TEST_H

#include "combat_test.h"

#include <knack/prediction.h>
#include <knack/save.h>

// An ability with a cast of the same name, whose ticks hit the target of the event.
typedef struct stage {
    arena a;
    kn_effect_type_id hit;   // takes 10 health from its target
    kn_effect_type_id blast; // takes 100
    kn_ability_apply_def applies, completes;
    char log[4096]; // of hooks
} stage;

static inline void stage_begin(stage *s)
{
    memset(s, 0, sizeof(*s));
    arena_begin(&s->a);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(s->a.library, "Hit.Damage"), KN_OP_ADD, 10.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Sting";
    def.modifiers = &modifier;
    def.modifier_count = 1;
    s->hit = arena_effect(&s->a, &def);
    modifier.magnitude = kn_magnitude_constant(100.0f);
    def.name = "Blast";
    s->blast = arena_effect(&s->a, &def);
    s->applies = kn_ability_apply_def_default();
    s->applies.effect = s->hit;
    s->applies.to = KN_APPLY_TO_TARGET;
    s->completes = s->applies;
    s->completes.effect = s->blast;
}

static inline kn_cast_def stage_cast(stage *s, const char *name, float seconds)
{
    kn_cast_def def = kn_cast_def_default();
    def.name = name;
    def.length = kn_magnitude_constant(seconds);
    def.applies = &s->applies;
    def.apply_count = 1;
    return def;
}

static inline kn_cast_id stage_register(stage *s, const kn_cast_def *def)
{
    kn_cast_id id;
    kn_error error = {0};
    kn_result result = kn_cast_register(s->a.library, def, &id, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return id;
}

// An ability and its cast; both may be changed before.
static inline kn_ability_type_id stage_add(
    stage *s, const kn_ability_def *ability, const kn_cast_def *cast)
{
    kn_ability_type_id type = arena_ability(&s->a, ability);
    (void)stage_register(s, cast);
    return type;
}

static inline kn_ability_def plain_ability(const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    return def;
}

// A plain ability with a cast of this many seconds.
static inline kn_ability_type_id stage_plain(stage *s, const char *name, float seconds)
{
    kn_ability_def ability = plain_ability(name);
    kn_cast_def cast = stage_cast(s, name, seconds);
    return stage_add(s, &ability, &cast);
}

static inline kn_event_record at_target(const arena *a, kn_entity_id target)
{
    kn_event_record event = kn_event_record_default();
    event.instigator = a->hero;
    event.target = target;
    return event;
}

// Activates an ability of the hero on the foe.
static inline kn_result use(stage *s, kn_ability_id ability)
{
    kn_event_record event = at_target(&s->a, s->a.foe);
    return kn_ability_activate(s->a.world, ability, &event, NULL);
}

static inline kn_custom_event_id event_kind(const arena *a, const char *name)
{
    kn_custom_event_id kind = kn_custom_event_find(a->library, name);
    assert_int_not_equal(kind.index1, 0);
    return kind;
}

// How many events of a kind the last step published.
static inline uint32_t events_of(const arena *a, const char *name)
{
    kn_custom_event_id kind = event_kind(a, name);
    kn_events events = kn_world_events(a->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUSTOM &&
                 events.data[i].data.custom.kind.index1 == kind.index1;
    }
    return count;
}

// The payload of the last event of a kind of the last step; fails if there is none.
static inline const void *last_event(const arena *a, const char *name, kn_entity_id entity)
{
    kn_custom_event_id kind = event_kind(a, name);
    kn_events events = kn_world_events(a->world);
    for (uint32_t i = events.count; i-- > 0;) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_CUSTOM && event->data.custom.kind.index1 == kind.index1) {
            uint32_t size;
            assert_true(kn_entity_id_equal(event->entity, entity));
            return kn_event_payload(a->world, event, &size);
        }
    }
    fail_msg("no event %s", name);
    return NULL;
}

static inline kn_cast_info info_of(const arena *a, kn_entity_id entity)
{
    kn_cast_info info;
    assert_true(kn_cast_get(a->world, entity, &info));
    return info;
}

static inline bool is_casting(const arena *a, kn_entity_id entity)
{
    kn_cast_info info;
    return kn_cast_get(a->world, entity, &info);
}

#endif
