// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "library/types.h"

#include <math.h>

#define ARCHETYPE_DEPTH_MAX 64u

// Registration --------------------------------------------------------------

kn_archetype_def kn_archetype_def_default(void)
{
    kn_archetype_def def = {.cookie = KNI_COOKIE};
    return def;
}

static const kn_archetype_def *archetype_def(const kn_library *library, kn_archetype_id archetype)
{
    return kn_def_get(library, KN_DEF_ARCHETYPE, archetype.index1);
}

static bool archetype_has_attribute(
    const kn_library *library, const kn_archetype_def *def, kn_attribute_id attribute)
{
    for (; def != NULL; def = archetype_def(library, def->parent)) {
        for (uint32_t i = 0; i < def->set_count; i++) {
            const kni_set *set = kni_set_at(library, def->sets[i].index1 - 1);
            for (uint32_t j = 0; j < set->count; j++) {
                if (set->attributes[j] == attribute.index1 - 1) {
                    return true;
                }
            }
        }
    }
    return false;
}

static kn_result archetype_check(kn_library *library, const kn_archetype_def *def, kn_error *error)
{
    kn_result result =
        kni_register_check(library, KN_DEF_ARCHETYPE, def->name, def->cookie, "archetype", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_archetype_def_table, def, error);
    }
    if (result == KN_OK && kni_def_has_parameter(&kni_archetype_def_table, def)) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "archetype `%s`: one of its numbers is a parameter; only effects have parameters",
            def->name);
    }
    uint32_t depth = 0;
    for (const kn_archetype_def *at = def; result == KN_OK && at != NULL; depth++) {
        at = archetype_def(library, at->parent);
    }
    if (result == KN_OK && depth > ARCHETYPE_DEPTH_MAX) {
        result = kni_error(error, KN_ERROR_BAD_DATA, "archetype `%s` has more than %u ancestors",
            def->name, ARCHETYPE_DEPTH_MAX - 1);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->value_count; i++) {
        kn_attribute_id attribute = def->values[i].attribute;
        if (!archetype_has_attribute(library, def, attribute)) {
            result = kni_error(error, KN_ERROR_BAD_DATA,
                "archetype `%s` has a value for %s, but none of its sets has that attribute",
                def->name,
                attribute.index1 != 0 ? kn_attribute_name(library, attribute) : "nothing");
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->ability_count; i++) {
        if (def->abilities[i].type.index1 == 0) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "archetype `%s`: ability %u has no type", def->name, i);
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->effect_count; i++) {
        if (def->effects[i].type.index1 == 0) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "archetype `%s`: effect %u has no type", def->name, i);
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->timer_count; i++) {
        if (def->timers[i].type.index1 == 0 || def->timers[i].delay < 0) {
            result = kni_error(error, KN_ERROR_BAD_DATA,
                "archetype `%s`: timer %u has no type, or a negative delay", def->name, i);
        }
    }
    return result;
}

kn_result kn_archetype_register(
    kn_library *library, const kn_archetype_def *def, kn_archetype_id *archetype, kn_error *error)
{
    archetype->index1 = 0;
    if (library == NULL || def == NULL) {
        KN_ASSERT(library != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = archetype_check(library, def, error);
    if (result != KN_OK) {
        return result;
    }
    return kni_register_def(library, KN_DEF_ARCHETYPE, &kni_archetype_def_table,
        offsetof(kni_archetype, def), def, def->name, def->cookie, "archetype", &archetype->index1,
        error);
}

kn_archetype_id kn_archetype_find(const kn_library *library, const char *name)
{
    kn_archetype_id archetype = {kni_find_told(library, KN_DEF_ARCHETYPE, name)};
    return archetype;
}

const char *kn_archetype_name(const kn_library *library, kn_archetype_id archetype)
{
    return kn_def_name(library, KN_DEF_ARCHETYPE, archetype.index1);
}

// Spawning ------------------------------------------------------------------

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

// A set that is there already, through the parent or another set, is not an error.
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

static kn_result spawn_values(const spawn *s, const kn_archetype_def *def)
{
    if (def->group != NULL) {
        uint32_t row = s->level < 0.0f ? 0 : s->level > 1e9f ? 1000000000u : (uint32_t)s->level;
        kn_result result = kn_attribute_init_group(s->world, s->entity, def->group, row, 0);
        if (result != KN_OK && result != KN_REFUSED_NOT_FOUND) {
            return result;
        }
    }
    for (uint32_t i = 0; i < def->value_count; i++) {
        float value = spawn_number(s, def->values[i].value);
        kn_result result =
            kn_attribute_init(s->world, s->entity, def->values[i].attribute, 0, value);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

static kn_result spawn_tags(const spawn *s, const kn_archetype_def *def)
{
    for (uint32_t i = 0; i < def->tags.count; i++) {
        kn_result result =
            kn_entity_add_tag(s->world, s->entity, def->tags.data[i], KN_ORIGIN_LOOSE_SYNCED, 1);
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
    const kn_archetype_def *parent = archetype_def(s->library, def->parent);
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
    const kn_archetype_def *def = archetype_def(library, archetype);
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
