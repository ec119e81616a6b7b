// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The fixture of abilities: a hero with mana, and abilities that note what happens to them. Hooks
// keep no state outside the world except this log, which only the tests read.
#ifndef ABILITY_FIXTURE_H
#define ABILITY_FIXTURE_H

#include "scenario/fixture.h"

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

static inline int setup(void **state)
{
    const char *const names[] = {"Health", "MaxHealth", "Mana", "Stamina", "Haste"};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = attribute_def(names[i], i == 4 ? 1.0f : 100.0f);
        attributes[i].base_min = kn_limit_constant(0.0f);
    }
    fixture *f = fixture_create(2);
    assert_int_equal(kn_ability_fail_tags_register(f->library, NULL), KN_OK);
    fixture_set(f, "Vitals", attributes, 5);
    *state = f;
    return 0;
}

static inline kn_ability_id grant_to(fixture *f, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, entity, &def, &ability), KN_OK);
    return ability;
}

static inline kn_ability_id grant(fixture *f, kn_ability_type_id type)
{
    return grant_to(f, f->hero, type);
}

static inline kn_activation_id activate(fixture *f, kn_ability_id ability)
{
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
    return activation;
}

static inline float value_of(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->hero, attribute);
}

// The foe applies an effect.
static inline kn_effect_id apply_to(const fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    return apply_from_to(f, type, f->foe, target, 1.0f);
}

// The foe applies an effect to the hero.
static inline kn_effect_id afflict(const fixture *f, kn_effect_type_id type)
{
    return apply_to(f, type, f->hero);
}

#endif
