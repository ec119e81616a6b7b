// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Containers: effects that are applied together to targets that are given or found.

#include "ability/actor.h"

#include <math.h>

kn_container_apply_def kn_container_apply_def_default(void)
{
    kn_container_apply_def def = {.level = 1.0f, .cookie = KN_COOKIE};
    return def;
}

#define KNI_CONTAINER_VALUES 32

static kn_result container_apply_one(kn_world *world, const kn_container_apply_def *def,
    const kn_effect_context *context, kn_effect_type_id type, kn_entity_id target)
{
    kn_caller_value values[KNI_CONTAINER_VALUES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->value_count && count < KNI_CONTAINER_VALUES; i++) {
        if (def->values[i].type.index1 == 0 || def->values[i].type.index1 == type.index1) {
            values[count++] = def->values[i].value;
        }
    }
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = type;
    apply.source = def->source;
    apply.target = target;
    apply.level = def->level;
    apply.caller_values = values;
    apply.caller_value_count = count;
    apply.context = context;
    return kn_effect_apply(world, &apply, NULL);
}

kn_result kni_container_find(const kn_world *world, const kn_container_def *container,
    const kn_container_apply_def *def, kni_container_reach *reach)
{
    bool needs_source =
        container->target == KN_CONTAINER_SOURCE || container->target == KN_CONTAINER_TARGETING;
    if (needs_source && !kn_entity_is_alive(world, def->source)) {
        return KN_REFUSED_STALE_ID;
    }
    reach->context = def->context != NULL ? *def->context : (kn_effect_context){0};
    reach->has_context = def->context != NULL;
    reach->targets = def->targets;
    reach->count = def->target_count;
    reach->missed = 0;
    if (container->target == KN_CONTAINER_SOURCE) {
        reach->targets = &def->source;
        reach->count = 1;
    } else if (container->target == KN_CONTAINER_CUSTOM) {
        const kn_vec3 *origin = reach->context.has_origin ? &reach->context.origin : NULL;
        reach->count = container->targeting(
            container->user, world, def->source, origin, reach->found, KNI_CONTAINER_TARGETS);
        reach->targets = reach->found;
    } else if (container->target == KN_CONTAINER_TARGETING ||
               container->target == KN_CONTAINER_DATA) {
        kn_target_view view = {def->data, def->data_size};
        if (container->target == KN_CONTAINER_TARGETING) {
            (void)kni_targeting_query(
                world, container->targeting_type, def->source, &reach->data, &reach->missed);
        } else if (kn_target_is_valid(world->library, view)) {
            reach->data.size = view.size;
            memcpy(reach->data.bytes, view.size > 0 ? view.data : "", view.size);
        } else {
            return KN_ERROR_BAD_DATA;
        }
        view = kn_target_data_view(&reach->data);
        if (reach->context.targets == NULL) {
            reach->context.targets = view.size > 0 ? view.data : NULL;
            reach->context.target_size = view.size;
            reach->has_context = reach->has_context || view.size > 0;
        }
        reach->count = kn_target_entities(view, reach->found, KNI_CONTAINER_TARGETS);
        reach->targets = reach->found;
    }
    if (reach->targets == reach->found && reach->count > KNI_CONTAINER_TARGETS) {
        reach->missed = reach->count - KNI_CONTAINER_TARGETS;
        reach->count = KNI_CONTAINER_TARGETS;
    }
    return KN_OK;
}

void kni_container_publish(
    kn_world *world, const kn_container_apply_def *def, const kni_container_reach *reach)
{
    if (reach->missed > 0) {
        kn_event_error error = {.code = KN_REFUSED_LIMIT, .detail = reach->missed};
        (void)kn_world_report(world, def->source, &error);
    }
}

kn_result kn_container_apply(kn_world *world, const kn_container_apply_def *def, uint32_t *applied)
{
    if (applied != NULL) {
        *applied = 0;
    }
    if (world == NULL || def == NULL || def->cookie != KN_COOKIE || def->container.index1 == 0 ||
        def->container.index1 > world->library->registries[KN_DEF_CONTAINER].count ||
        def->value_count > KNI_CONTAINER_VALUES) {
        KN_ASSERT(world != NULL);
        KN_ASSERT_DEF(def, kn_container_apply_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(def->level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const kn_container_def *container =
        &KNI_ITEM(world->library, KN_DEF_CONTAINER, kni_container, def->container.index1 - 1)->def;
    kni_container_reach reach;
    kn_result result = kni_container_find(world, container, def, &reach);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_container_publish(world, def, &reach);
    for (uint32_t t = 0; t < reach.count && !world->is_broken; t++) {
        for (uint32_t e = 0; e < container->effect_count; e++) {
            bool ok = container_apply_one(world, def, reach.has_context ? &reach.context : NULL,
                          container->effects[e], reach.targets[t]) == KN_OK;
            if (ok && applied != NULL) {
                (*applied)++;
            }
        }
    }
    return kni_leave(world, KN_OK);
}
