// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Places: an id inside a projection with KN_IDENTITY_PLACES says which of an entity's records it
// means, the first, the second and so on of its kind, by creation. A record of another entity, or
// of a part that the projection does not have, is cut.
#ifndef KNI_PLACES_H
#define KNI_PLACES_H

#include "world/state.h"

// Kinds of records that ids may name.
enum {
    KNI_PLACE_EFFECT,
    KNI_PLACE_ABILITY,
    KNI_PLACE_ACTIVATION,
    KNI_PLACE_TASK,
    KNI_PLACE_TIMER,
    KNI_PLACE_WATCH,
    KNI_PLACE_COUNT,
};

// A record: where it is, and what it is.
typedef struct kni_placed {
    uint64_t number;
    uint32_t slot;
    uint32_t type;
} kni_placed;

// The records of one entity by their places.
typedef struct kni_places {
    kni_placed *all; // all kinds, one after the other
    uint32_t capacity;
    uint32_t first[KNI_PLACE_COUNT + 1]; // where each kind begins, and the end
} kni_places;

// The pool of a kind of places (KNI_POOL_*).
uint32_t kni_place_pool(uint32_t kind);
// The part that the records of a kind belong to.
kn_part kni_place_part(uint32_t kind);

// The records of an entity, or with KNI_NONE for both those of the world itself, as its lists have
// them. Only kinds whose part is among `parts`. False when out of memory.
bool kni_places_find(kni_places *places, kni_memory *memory, const kn_world *world,
    uint32_t component, uint32_t entity, uint32_t parts);
void kni_places_free(kni_places *places, kni_memory *memory);

// Whether a field of this kind holds a slot or an id that has to be a place.
bool kni_place_is_for(const kn_def_field *field);
// Writes the place that stands for what a field holds.
void kni_place_write(
    const kni_places *places, const kn_def_field *field, const uint8_t *at, kn_writer *out);
// Reads a place and stores what it stands for. False for a place that is not there.
bool kni_place_read(
    const kni_places *places, const kn_def_field *field, uint8_t *at, kn_reader *in);

#endif
