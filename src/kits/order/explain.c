// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a unit obeys an order or does not, as text. All of it only reads.

#include "parts.h"

float knc_order_radius(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, float radius)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_order_type_def *def = knc_order_type_of(world, type);
    const kn_unit_type_def *own = kit != NULL ? kn_def_get(kn_world_library(world), kit->unit_kind,
                                                    kn_unit_get_type(world, unit).index1)
                                              : NULL;
    if (radius >= 0.0f || def == NULL) {
        return radius;
    }
    return def->acquisition_radius >= 0.0f ? def->acquisition_radius
           : own != NULL                   ? own->acquisition_radius
                                           : 0.0f;
}
