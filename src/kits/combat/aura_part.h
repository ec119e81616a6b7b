// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What aura.c has registered, and what buff.c asks of it.
#ifndef KNACK_AURA_PART_H
#define KNACK_AURA_PART_H

#include "knack/aura.h"

typedef struct aura_ids {
    kn_def_kind kind;
    kn_component_type_id auras, lingering;
    uint32_t member_reference; // index of the reference to members
    kn_timer_type_id look, linger;
    kn_cause_type_id cause;
    uint32_t effect_count, aura_count;
    uint32_t *by_effect; // first aura of each effect of a bearer, or 0
    uint32_t *next;      // the next aura of the same effect, or 0
} aura_ids;

// Rules about effects, called by buff.c for those that have auras.
void knc_aura_effect_began(kn_world *world, const kn_reaction *reaction);
void knc_aura_effect_inhibited(kn_world *world, const kn_reaction *reaction);
void knc_aura_effect_ended(kn_world *world, const kn_reaction *reaction);

#endif
