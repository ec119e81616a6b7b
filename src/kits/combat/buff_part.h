// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What buff.c, absorb.c, dispel.c and diminishing.c have registered, and what they ask of each
// other.
#ifndef KNACK_BUFF_PART_H
#define KNACK_BUFF_PART_H

#include "knack/buff.h"

// Which parts want to hear of an effect, as bits by type: one rule for all of them.
enum { EFFECT_BUFF = 1, EFFECT_PROC = 2, EFFECT_AURA = 4 };

typedef struct buff_ids {
    kn_def_kind kind, dispel_kind, diminishing_kind;
    kn_component_type_id buffs, levels;
    kn_custom_event_id absorbed, broken, dispelled, diminished;
    kn_event_kind_id dispel_event;
    kn_tag dispel_tag; // Knack.Dispel, above those of all dispels
    kn_value_id duration, dispel_resistance;
    kn_cause_type_id cause;
    kn_fail immune; // by diminishing returns
    uint32_t dispel_stream;
    uint32_t effect_count;
    uint8_t *wanted;     // EFFECT_* bits of each effect type
    uint32_t *by_effect; // number of the buff of each effect type, or 0
    uint32_t tag_count;
    uint32_t *dispel_on; // number of the dispel that each tag sets off, or 0
} buff_ids;

// The component of a bearer. Items are ordered by the priority of their pools, then by age.
typedef struct buffs {
    uint32_t acts; // BUFF_* bits of all items together
} buffs;

// What an item takes part in, as bits.
enum { BUFF_ABSORBS = 1, BUFF_SHARES = 2, BUFF_REFLECTS = 4, BUFF_BREAKS = 8 };

typedef struct buff_item {
    kn_effect_id effect;
    kn_buff_id buff;
    float left, full;       // of its pool
    float taken, breaks_at; // damage towards breaking it
    uint32_t counts;        // 1: for diminishing returns
} buff_item;

struct combat;
kn_result knc_dispel_part_register(kn_library *library, struct combat *kit, kn_error *error);
kn_result knc_diminishing_part_register(kn_library *library, struct combat *kit, kn_error *error);

// Number of the thing of `kind` that an item of a finished library has for a type, by its own
// table.
uint32_t knc_buff_number_of(const buff_ids *ids, kn_effect_type_id type);
// True for a magnitude that is the number 0.
bool knc_buff_magnitude_is_zero(const kn_magnitude *magnitude);
// What combat does with an effect: BUFF_* bits of its def.
uint32_t knc_buff_acts(const kn_buff_def *def);
// Whether the tags of a hit meet a requirement.
bool knc_buff_meets(const kn_world *world, const kn_tag_requirement *requirement, kn_tags tags);
// The item of an effect on its bearer, which must be an actor; NULL if there is none.
buff_item *knc_buff_item_find(kn_world *world, kn_entity_id bearer, kn_effect_id effect);

// Whether the rules about an effect that a buff is about have run, and keep something for it.
bool knc_buff_has_item(const kn_world *world, kn_entity_id bearer, kn_effect_id effect);
// Called when an effect of a group begins or is applied again; `counts` if it does so already.
// Returns whether it counts from now on.
bool knc_diminishing_began(
    kn_world *world, kn_entity_id target, kn_diminishing_id group, bool counts);
// Called when an effect that counts ends.
void knc_diminishing_ended(kn_world *world, kn_entity_id target, kn_diminishing_id group);

#endif
