// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders that use an ability: who may obey, whether they can be cancelled now, and how the ability
// is activated. Costs and cooldowns are the ability's own matter.

#include "parts.h"

// Of one type that a unit has, and that are tried.
#define ABILITIES_MAX 8

// Those that a unit has and has learned. Returns how many were written.
static uint32_t abilities_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id type, kn_ability_id *out)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = type;
    uint32_t found = kn_abilities_find(world, unit, &query, out, ABILITIES_MAX), count = 0;
    for (uint32_t i = 0; i < found && i < ABILITIES_MAX; i++) {
        if (kn_ability_level(world, out[i]) > 0.0f) {
            out[count++] = out[i];
        }
    }
    return count;
}

bool knc_order_ability_agrees(const kn_world *world, kn_entity_id unit, kn_ability_type_id type,
    kn_entity_id target, kn_order_errors *errors)
{
    kn_ability_id abilities[ABILITIES_MAX];
    const uint32_t count = abilities_of(world, unit, type, abilities);
    uint32_t reasons = 0;
    if (count == 0) {
        kn_order_errors_add(errors, knc_order_kit_of_world(world)->tags[TAG_NO_ABILITY]);
        return false;
    }
    kn_event_record event = kn_event_record_default();
    event.instigator = unit;
    event.target = target;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = kn_ability_check(world, abilities[i], target.index1 != 0 ? &event : NULL);
        if (target.index1 == 0) {
            found &= ~(uint32_t)KN_FAIL_NO_TARGET; // the target is tested for itself
        }
        if (found == 0) {
            return true;
        }
        reasons = i == 0 ? found : reasons;
    }
    kn_tag tags[KN_ORDER_ERRORS_MAX];
    uint32_t tag_count = kn_ability_fail_tags(world, reasons, tags, COUNT(tags));
    for (uint32_t i = 0; i < tag_count && i < COUNT(tags); i++) {
        kn_order_errors_add(errors, tags[i]);
    }
    return false;
}

bool kn_order_ability_runs_task(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    kn_activation_id running[32];
    if (knc_order_kit_of_world(world) == NULL || ability.index1 == 0) {
        return false;
    }
    uint32_t count = kn_activations(world, unit, running, COUNT(running));
    for (uint32_t i = 0; i < count && i < COUNT(running); i++) {
        kn_ability_info info;
        if (kn_ability_get(world, kn_activation_ability(world, running[i]), &info) &&
            info.type.index1 == ability.index1 && kn_tasks(world, running[i], NULL, 0) > 0) {
            return true;
        }
    }
    return false;
}

kn_order_policy kn_order_ability_policy(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, kn_order_policy policy, kn_order_target_kind target_kind)
{
    if (policy == KN_ORDER_INSTANT) {
        return target_kind == KN_ORDER_TARGET_NONE || target_kind == KN_ORDER_TARGET_PASSIVE
                   ? KN_ORDER_INSTANT
                   : KN_ORDER_CANCELABLE;
    }
    if (policy != KN_ORDER_UNCANCELABLE_IN_TASKS) {
        return policy;
    }
    const kn_ability_def *def = kn_ability_type_get_def(kn_world_library(world), ability);
    return def != NULL && def->instancing == KN_INSTANCING_PER_ACTOR &&
                   kn_order_ability_runs_task(world, unit, ability)
               ? KN_ORDER_UNCANCELABLE
               : KN_ORDER_CANCELABLE;
}

kn_result knc_order_activate(kn_world *world, kn_entity_id unit, const kn_ability_id *abilities,
    uint32_t count, const kn_order *at, kn_activation_id *activation)
{
    const kn_library *library = kn_world_library(world);
    const bool is_aimed = at->target.index1 != 0 || at->uses_location != 0;
    kn_event_record event = kn_event_record_default();
    kn_target_data data = {0};
    event.instigator = unit;
    event.target = at->target;
    if (at->uses_location != 0) {
        const kn_target_location place = {.position = at->location};
        (void)kn_target_add(library, &data, kn_target_type_location(), &place);
        event.data = data.bytes;
        event.data_size = data.size;
    }
    kn_result result = KN_REFUSED_NOT_FOUND;
    for (uint32_t i = 0; i < count; i++) {
        kn_result tried =
            kn_ability_activate(world, abilities[i], is_aimed ? &event : NULL, activation);
        if (tried == KN_OK) {
            return KN_OK;
        }
        result = i == 0 ? tried : result;
    }
    return result;
}

kn_result knc_order_ability_use(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, const kn_order *order)
{
    kn_ability_id abilities[ABILITIES_MAX];
    const uint32_t count = abilities_of(world, unit, type, abilities);
    return knc_order_activate(world, unit, abilities, count, order, NULL);
}
