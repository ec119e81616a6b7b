// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef EFFECT_EVENTS_H
#define EFFECT_EVENTS_H

#include "knack/knack.h"

// Events of the last step about an effect; a null effect type means any.
static inline uint32_t effect_events(
    const kn_world *world, kn_event_type type, kn_effect_type_id effect)
{
    kn_events all = kn_world_events(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        count += all.data[i].type == type &&
                 (effect.index1 == 0 || all.data[i].data.effect.type.index1 == effect.index1);
    }
    return count;
}

#endif
