// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How much too early uses of cooldowns may come, and the book about it. What a tolerance does to a
// cooldown is in charge.c.

#include "knack/prediction.h"

#include "ability/actor.h"

#define LIMIT_SHARE 0.5 // of the round trip

kn_tolerance kn_tolerance_of(kn_time round_trip, float factor, kn_time cap)
{
    kn_time ping = round_trip < cap ? round_trip : cap;
    if (ping <= 0 || !(factor > 0.0f)) {
        return (kn_tolerance){0, 0};
    }
    kn_time limit = kn_time_from_seconds(kn_time_to_seconds(ping) * LIMIT_SHARE);
    return (kn_tolerance){
        .early = kn_time_from_seconds(kn_time_to_seconds(ping) * (double)factor),
        .limit = limit > KN_TOLERANCE_LIMIT_MIN ? limit : KN_TOLERANCE_LIMIT_MIN,
    };
}

kn_time kn_ledger_early(const kn_ledger *ledger, kn_time now)
{
    kn_time early = ledger->early + ledger->length - (now - ledger->used);
    return early > 0 ? early : 0;
}

bool kn_ledger_use(kn_ledger *ledger, kn_time now, kn_time length, kn_time limit)
{
    kn_time early = kn_ledger_early(ledger, now);
    if (early > limit) {
        return false;
    }
    *ledger = (kn_ledger){.early = early, .used = now, .length = length};
    return true;
}

static bool time_is_good(kn_time time)
{
    return time >= 0 && time <= KN_TIME_MAX;
}

kn_result kn_entity_set_tolerance(kn_world *world, kn_entity_id entity, kn_tolerance tolerance)
{
    if (!time_is_good(tolerance.early) || !time_is_good(tolerance.limit)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result;
    kni_actor *actor = kni_actor_enter(world, entity, &result);
    if (actor == NULL) {
        return result;
    }
    if (actor->tolerance != tolerance.early || actor->early_limit != tolerance.limit) {
        uint32_t component = actor->component;
        kni_charges_unschedule(world, component);
        actor->tolerance = tolerance.early;
        actor->early_limit = tolerance.limit;
        kni_mark(world, component, KN_PART_ENTITY);
        kni_charges_schedule(world, component);
    }
    return kni_leave(world, KN_OK);
}

kn_tolerance kn_entity_tolerance(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = world != NULL ? kni_component_find(world, entity) : KNI_NONE;
    const kni_actor *actor = component != KNI_NONE ? kni_actor_of(world, component) : NULL;
    return actor != NULL ? (kn_tolerance){actor->tolerance, actor->early_limit}
                         : (kn_tolerance){0, 0};
}
