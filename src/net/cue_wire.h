// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues that happened once, as a server sends them with the entity they happened on.
#ifndef KNI_CUE_WIRE_H
#define KNI_CUE_WIRE_H

#include "reports.h"
#include "wire.h"

#define CUE_SPAN 600 // ticks that both sides remember cues of
#define CUES_MAX 128 // most cues with one entity

// One cue. The views of its parameters are empty; what it has of them is kept beside.
typedef struct wire_cue {
    uint64_t tick;
    uint32_t generation; // of the entity; not sent
    kn_tag tag;
    kn_effect_type_id type;
    kn_cue_params params; // entities in it have no generation once they were sent
    kept_params *more;    // payload and target data, owned; NULL: none
} wire_cue;

// Entities that a viewer does not see are left out.
typedef bool cue_sees_fn(const void *user, kn_entity_id entity);

typedef struct cue_viewer {
    const kn_library *library;
    cue_sees_fn *sees;
    const void *user; // passed to it
} cue_viewer;

void kni_cue_write(kn_writer *out, const wire_cue *cue, uint64_t now, const cue_viewer *viewer);
// The reader fails for what cannot be a cue of this library. KN_ERROR_OUT_OF_MEMORY, with a cue
// that owns nothing.
kn_result kni_cue_read(
    const kn_hooks *hooks, kn_reader *in, const kn_library *library, uint64_t now, wire_cue *cue);
// Drops what cues own.
void kni_cues_drop(wire_cue *cues, uint32_t count);

#endif
