// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The global cooldown: one record of charges that many abilities share under a key. It starts with
// an activation, before anything is paid, so that it also covers the time of a cast.

#include "parts.h"

kn_tag kn_global_cooldown_key(const kn_library *library)
{
    return kn_combat_is_there(library) ? knc_combat_of(library)->cast.tags[CAST_TAG_GLOBAL]
                                       : (kn_tag){0};
}

kn_cooldown_def kn_global_cooldown_def(const kn_library *library, float seconds)
{
    kn_cooldown_def def = kn_cooldown_seconds(seconds);
    def.key = kn_global_cooldown_key(library);
    def.starts = KN_COOLDOWN_AT_ACTIVATION;
    if (kn_combat_is_there(library)) {
        def.value = knc_combat_of(library)->cast.global;
    }
    return def;
}

bool kn_global_cooldown(const kn_world *world, kn_entity_id entity, kn_time *left, kn_time *total)
{
    kn_tag key = kn_global_cooldown_key(kn_world_library(world));
    kn_time unused_left, unused_total;
    return kn_cooldown_remaining(world, entity, (kn_tags){&key, 1},
        left != NULL ? left : &unused_left, total != NULL ? total : &unused_total);
}

// An ability of the entity that has the global cooldown, through which its record can be reached.
static kn_ability_id global_ability(const kn_world *world, kn_entity_id entity, kn_tag key)
{
    kn_ability_id abilities[64];
    uint32_t count = kn_abilities_find(world, entity, NULL, abilities, 64);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        kn_cooldown_info info;
        if (kn_ability_charges(world, abilities[i], key, &info)) {
            return abilities[i];
        }
    }
    return (kn_ability_id){0};
}

kn_result kn_global_cooldown_end(kn_world *world, kn_entity_id entity)
{
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_tag key = kn_global_cooldown_key(kn_world_library(world));
    if (!kn_global_cooldown(world, entity, NULL, NULL)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_ability_id ability = global_ability(world, entity, key);
    return ability.index1 != 0 ? kn_ability_reset_cooldown(world, ability, key)
                               : KN_REFUSED_NOT_FOUND;
}

void knc_global_free(kn_world *world, kn_ability_id ability, kn_activation_id activation)
{
    kn_tag key = kn_global_cooldown_key(kn_world_library(world));
    kn_cooldown_info info;
    if (!kn_ability_charges(world, ability, key, &info) || info.remaining <= 0) {
        return;
    }
    // One that another use started later has another start.
    kn_time start = kn_world_now(world) + info.remaining - info.total;
    if (start == kn_activation_start(world, activation)) {
        (void)kn_ability_reset_cooldown(world, ability, key);
    }
}

// One that starts at the commit would let a cast begin while it runs, and refuse it at its end.
static kn_result global_check_one(
    const kn_ability_def *def, const kn_cooldown_def *cooldown, kn_error *error)
{
    if (cooldown->starts != KN_COOLDOWN_AT_ACTIVATION) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "ability `%s`: its global cooldown must start with the activation; write starts: "
            "at_activation",
            def->name);
    }
    if (cooldown->charges.value != 1.0f || cooldown->charges.curve.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "ability `%s`: its global cooldown must have one charge; leave out `charges`",
            def->name);
    }
    return KN_OK;
}

kn_result knc_global_check(const kn_library *library, const cast_ids *ids, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; i <= kn_def_count(library, KN_DEF_ABILITY); i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        for (uint32_t k = 0; result == KN_OK && k < def->cooldown_count; k++) {
            if (kn_tag_equal(def->cooldowns[k].key, ids->tags[CAST_TAG_GLOBAL])) {
                result = global_check_one(def, &def->cooldowns[k], error);
            }
        }
    }
    return result;
}
