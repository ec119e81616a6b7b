// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the scenarios of the tests need from C: abilities that do something by themselves, damage
// that goes to a shield first, and a filter for targets.
#ifndef NATIVES_H
#define NATIVES_H

#include "knack/scenario.h"

// `native: Stay`: active until it is ended.
static inline kn_result native_stay(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

// `native: Use`: pays, and is over.
static inline kn_result native_use(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

// `native: Damage`: what arrives in Vitals.Damage is taken from Vitals.Shield, if there is one,
// then from Vitals.Health.
static inline void native_take_damage(void *user, const kn_execute_data *data)
{
    (void)user;
    const kn_library *library = kn_world_library(data->world);
    kn_attribute_id damage = kn_attribute_find(library, "Vitals.Damage");
    if (!kn_attribute_id_equal(data->attribute, damage)) {
        return;
    }
    kn_attribute_id shield = kn_attribute_find(library, "Vitals.Shield");
    kn_attribute_id health = kn_attribute_find(library, "Vitals.Health");
    float hit = data->new_base;
    float held = kn_attribute_base(data->world, data->entity, shield);
    float absorbed = hit < held ? hit : held;
    (void)kn_attribute_set_base(data->world, data->entity, shield, 0, held - absorbed);
    (void)kn_attribute_set_base(data->world, data->entity, health, 0,
        kn_attribute_base(data->world, data->entity, health) - (hit - absorbed));
}

// `native: Wounded`: only those with less than half of their health are targets.
static inline bool native_is_wounded(void *user, const kn_world *world, kn_entity_id entity)
{
    (void)user;
    kn_attribute_id health = kn_attribute_find(kn_world_library(world), "Vitals.Health");
    return kn_attribute_value(world, entity, health) < 50.0f;
}

static inline kn_result natives_add(void *user, kn_data *data)
{
    (void)user;
    kn_attribute_set_def damage = kn_attribute_set_def_default();
    damage.name = "Damage";
    damage.hooks.post_execute = native_take_damage;
    kn_ability_def stay = kn_ability_def_default();
    stay.name = "Stay";
    stay.activate = native_stay;
    kn_ability_def use = kn_ability_def_default();
    use.name = "Use";
    use.activate = native_use;
    kn_targeting_def wounded = kn_targeting_def_default();
    wounded.name = "Wounded";
    wounded.accept = native_is_wounded;
    kn_result result = kn_data_add_native(data, KN_DEF_ABILITY, "Stay", &stay);
    if (result == KN_OK) {
        result = kn_data_add_native(data, KN_DEF_ABILITY, "Use", &use);
    }
    if (result == KN_OK) {
        result = kn_data_add_native(data, KN_DEF_ATTRIBUTE_SET, "Damage", &damage);
    }
    if (result == KN_OK) {
        result = kn_data_add_native(data, KN_DEF_TARGETING, "Wounded", &wounded);
    }
    return result;
}

#endif
