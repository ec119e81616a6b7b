// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which command is behind something, and what a client leaves to its server.

#include "knack/prediction.h"

#include "world/world.h"

static kn_prediction_key key_at(kni_key key, kn_time time)
{
    bool is_null = (key.connection | key.sequence) == 0;
    return (kn_prediction_key){key.connection, key.sequence, is_null ? 0 : time};
}

kn_prediction_key kn_cause_key(const kn_world *world, kn_cause cause)
{
    return key_at(world != NULL ? kni_cause_key(world, cause) : (kni_key){0, 0}, 0);
}

kn_prediction_key kn_world_key(const kn_world *world)
{
    if (world == NULL) {
        return (kn_prediction_key){0, 0, 0};
    }
    return key_at(kni_cause_key(world, world->cause), world->now);
}

kn_prediction_key kn_event_key(const kn_world *world, const kn_event *event)
{
    if (world == NULL || event == NULL) {
        return (kn_prediction_key){0, 0, 0};
    }
    return key_at(kni_cause_key(world, event->cause), event->time);
}

kn_prediction_key kn_activation_key(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = world != NULL ? kni_activation_find(world, id) : KNI_NONE;
    if (slot == KNI_NONE) {
        return (kn_prediction_key){0, 0, 0};
    }
    const kni_activation *activation = kni_activation_at(world, slot);
    return key_at(kni_activation_key(activation), activation->start);
}

kn_prediction_key kn_effect_key(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = world != NULL ? kni_effect_find(world, id) : KNI_NONE;
    if (slot == KNI_NONE) {
        return (kn_prediction_key){0, 0, 0};
    }
    return key_at(kni_effect_key(world, id), kni_effect_at(world, slot)->start);
}

// What clients do not predict -----------------------------------------------

bool kn_world_is_predicting(const kn_world *world)
{
    return world != NULL && world->is_predicting;
}

kn_result kn_world_set_predicting(kn_world *world, bool is_predicting)
{
    if (world == NULL || !world->def.is_client) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_is_outside(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    world->is_predicting = is_predicting;
    return KN_OK;
}

bool kn_world_leaves_out(kn_world *world)
{
    return world != NULL && kni_leaves_out(world);
}

uint64_t kn_world_unpredicted(const kn_world *world)
{
    return world != NULL ? world->unpredicted : 0;
}
