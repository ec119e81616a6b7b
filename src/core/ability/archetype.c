// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Spawning an entity from an archetype, part by part.

#include "effect/effect.h"

#include <math.h>

typedef struct spawn {
    kn_world *world;
    const kn_library *library;
    kn_entity_id entity;
    float level;
} spawn;

static float spawn_number(const spawn *s, kn_scalable scalable)
{
    return scalable.value * kni_curve_value(s->library, scalable.curve, s->level);
}

// A set that the entity already has, through the parent or another set, is not an error.
static kn_result spawn_sets(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->set_count; i++) {
        kn_result result = kn_attribute_set_add(s->world, s->entity, def->sets[i], 0);
        if (result != KN_OK && result != KN_REFUSED_DUPLICATE) {
            return result;
        }
    }
    return KN_OK;
}

typedef struct spawned_values {
    const spawn *spawn;
    const kn_archetype_def *def;
} spawned_values;

static bool value_next(const void *user, uint32_t *at, uint32_t *attribute, float *value)
{
    const spawned_values *values = user;
    if (*at == values->def->value_count) {
        return false;
    }
    const kn_archetype_value *next = &values->def->values[(*at)++];
    *attribute = next->attribute.index1 - 1;
    *value = spawn_number(values->spawn, next->value);
    return true;
}

static kn_result spawn_values(const spawn *s, const kn_archetype_def *def)
{
    if (def->group != NULL) {
        uint32_t row = s->level < 0.0f ? 0 : s->level > 1e9f ? 1000000000u : (uint32_t)s->level;
        kn_result result = kn_attribute_init_group(s->world, s->entity, def->group, row, 0);
        if (result != KN_OK && result != KN_REFUSED_NOT_FOUND) {
            return result;
        }
    }
    if (def->value_count == 0) {
        return KN_OK;
    }
    uint32_t component = kni_component_find(s->world, s->entity);
    if (component == KNI_NONE) {
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    kn_result result = kni_enter(s->world);
    if (result != KN_OK) {
        return result;
    }
    spawned_values values = {s, def};
    return kni_leave(s->world, kni_attributes_init(s->world, component, 0, value_next, &values));
}

static kn_result spawn_tags(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->tags.count; i++) {
        kn_result result = kn_entity_add_tag(
            s->world, s->entity, def->tags.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

static kn_result spawn_abilities(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->ability_set_count; i++) {
        kn_result result = kn_ability_set_grant(s->world, s->entity, def->ability_sets[i], NULL, 0);
        if (result != KN_OK && result != KN_REFUSED_DUPLICATE) {
            return result;
        }
    }
    for (uint32_t i = 0; i < def->ability_count; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = def->abilities[i].type;
        grant.level = def->abilities[i].level;
        grant.input = def->abilities[i].input;
        grant.parameters = def->abilities[i].parameters;
        grant.parameter_count = def->abilities[i].parameter_count;
        kn_ability_id ability;
        kn_result result = kn_ability_grant(s->world, s->entity, &grant, &ability);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

static kn_result spawn_effects(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->effect_count; i++) {
        kn_effect_apply_def apply = kn_effect_apply_def_default();
        apply.type = def->effects[i].type;
        apply.source = s->entity;
        apply.target = s->entity;
        apply.level = spawn_number(s, def->effects[i].level);
        kn_result result = kn_effect_apply(s->world, &apply, NULL);
        if (result != KN_OK && !kn_result_is_refused(result)) {
            return result;
        }
    }
    return KN_OK;
}

static kn_result spawn_timers(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->timer_count; i++) {
        kn_result result = kn_timer_start(
            s->world, def->timers[i].type, s->entity, def->timers[i].delay, NULL, NULL);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

typedef kn_result spawn_part(const spawn *s, const kn_archetype_def *def);

// Parents first. A parent is registered before its children, so there is no cycle.
static kn_result spawn_chain(const spawn *s, const kn_archetype_def *def, spawn_part *part)
{
    const kn_archetype_def *parent = kn_def_get(s->library, KN_DEF_ARCHETYPE, def->parent.index1);
    kn_result result = parent != NULL ? spawn_chain(s, parent, part) : KN_OK;
    return result == KN_OK ? part(s, def) : result;
}

kn_result kn_archetype_spawn(
    kn_world *world, kn_archetype_id archetype, float level, kn_entity_id *entity)
{
    static spawn_part *const parts[] = {
        spawn_sets, spawn_values, spawn_tags, spawn_abilities, spawn_effects, spawn_timers};
    *entity = (kn_entity_id){0};
    const kn_library *library = kn_world_library(world);
    const kn_archetype_def *def = kn_def_get(library, KN_DEF_ARCHETYPE, archetype.index1);
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!isfinite(level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    spawn s = {.world = world, .library = library, .level = level};
    kn_result result = kn_entity_create(world, &s.entity);
    for (size_t i = 0; result == KN_OK && i < sizeof(parts) / sizeof(*parts); i++) {
        result = spawn_chain(&s, def, parts[i]);
    }
    if (result != KN_OK) {
        kn_entity_destroy(world, s.entity);
        return result;
    }
    *entity = s.entity;
    return KN_OK;
}
