// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The reaction queue: what happens because of something else, when that is done. It is emptied by
// the step room.

#include "world/world.h"

kni_queued *kni_react(kn_world *world, kni_reaction_kind kind)
{
    if (!kni_grow(&world->memory, &world->reactions, &world->reaction_capacity,
            world->reaction_count + 1, sizeof(kni_queued))) {
        kni_break(world);
        return &world->lost_reaction;
    }
    kni_queued *queued = &world->reactions[world->reaction_count++];
    memset(queued, 0, sizeof(*queued));
    queued->kind = kind;
    queued->cause = world->cause;
    return queued;
}

void kni_effect_queue_recheck(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const uint32_t conditional = KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS |
                                 KNI_EFFECT_OWNED | KNI_EFFECT_LIVE;
    if ((effect->flags & (KNI_ACTIVE_QUEUED | KNI_ACTIVE_REMOVING)) != 0 ||
        (kni_type_at(world, effect->type)->flags & conditional) == 0) {
        return;
    }
    effect->flags |= KNI_ACTIVE_QUEUED;
    kni_queued *queued = kni_react(world, KNI_REACT_RECHECK);
    queued->effect.id = kni_effect_id_of(world, slot);
}

// Calls that wait: see step/postpone.c.

kn_result kni_postpone(kn_world *world, const kni_call *call)
{
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        kni_react(world, KNI_REACT_CALL)->call = *call;
        result = kni_leave(world, KN_OK);
    }
    return result;
}

bool kni_call_waits(const kn_world *world, kni_call_kind kind, kn_entity_id entity)
{
    for (uint32_t i = world->reaction_first; i < world->reaction_count; i++) {
        const kni_queued *queued = &world->reactions[i];
        if (queued->kind == KNI_REACT_CALL && queued->call.kind == kind &&
            kn_entity_id_equal(queued->call.entity, entity)) {
            return true;
        }
    }
    return false;
}

bool kni_call_only_removes(const kni_call *call)
{
    return call->kind >= KNI_CALL_EFFECT_REMOVE;
}
