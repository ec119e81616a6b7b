// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the combat kit share: the ids of what they have registered, which the library
// keeps, and the few calls from one part to another. Each part has a struct of ids and registers
// itself; combat.c holds them together. Names that cross files begin with knc_, so that a game that
// links the kit has all others for itself.
#ifndef KNACK_COMBAT_PARTS_H
#define KNACK_COMBAT_PARTS_H

#include "knack/combat.h"

#include "aura_part.h"
#include "buff_part.h"
#include "cast_part.h"
#include "hit_part.h"
#include "input_part.h"
#include "log_part.h"
#include "proc_part.h"
#include "resource_part.h"
#include "threat_part.h"

#include "knack/tools.h"

struct combat {
    kn_def_kind rules_kind;
    const kn_combat_def *rules; // once the library is finished; NULL: it has none
    cast_ids cast;
    input_ids input;
    resource_ids resource;
    hit_ids hit;
    buff_ids buff;
    proc_ids proc;
    threat_ids threat;
    aura_ids aura;
    log_ids log;
};
typedef struct combat combat;

// The kit of a library; NULL if it has none.
const combat *knc_combat_of(const kn_library *library);
// The kit of the library of a world, which must have it.
const combat *knc_combat_of_world(const kn_world *world);

// The rules of a finished library, from its kit; NULL if it has none, or no kit.
const kn_combat_def *knc_combat_rules_of(const kn_world *world);

// The tag that ends casts and presses of those who die: the library's, otherwise that of the rules.
kn_tag knc_combat_dead_tag(const kn_library *library);

// Every part registers what it needs; they are called in the order of the struct above.
kn_result knc_cast_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_input_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_resource_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_hit_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_buff_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_proc_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_threat_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_aura_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_log_part_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_script_part_register(kn_library *library, combat *kit, kn_error *error);
// Each part frees what its ids hold in memory of its own.
void knc_cast_part_release(combat *kit);
void knc_input_part_release(combat *kit);
void knc_resource_part_release(combat *kit);
void knc_hit_part_release(combat *kit);
void knc_buff_part_release(combat *kit);
void knc_proc_part_release(combat *kit);
void knc_aura_part_release(combat *kit);

// What a hit sets off, called by hit.c in this order once health has changed and the event is
// published. Each is called for every hit that was not refused, and looks at the flags itself.
void knc_cast_hit(kn_world *world, const kn_hit *hit);   // pushes casts back
void knc_buff_hit(kn_world *world, const kn_hit *hit);   // breaks what damage breaks, and reflects
void knc_threat_hit(kn_world *world, const kn_hit *hit); // threat, and who is in combat
void knc_proc_hit(kn_world *world, const kn_hit *hit);   // procs of both sides

// What death means for threat and combat.
void knc_threat_died(kn_world *world, kn_entity_id entity);

// What hit.c asks of buff.c: how much effects of the target absorb of `amount`, and who takes a
// part of it. Both change the world, and return what they took.
float knc_buff_absorb(kn_world *world, const kn_hit_def *def, float amount);
float knc_buff_share(kn_world *world, const kn_hit_def *def, float amount);
// What they would take, for explanations: a line for each effect with its `delta`, the amount that
// it takes. Return how many there are; at most `capacity` are written.
uint32_t knc_buff_preview_absorb(const kn_world *world, const kn_hit_def *def, float amount,
    kn_hit_line *lines, uint32_t capacity);
uint32_t knc_buff_preview_share(const kn_world *world, const kn_hit_def *def, float amount,
    kn_hit_line *lines, uint32_t capacity);

// Ends what ends with the life of its bearer, for proc_run.c.
void knc_buff_died(kn_world *world, kn_entity_id entity);

// What cast.c and the rules about abilities tell procs: a use begins, and is over.
void knc_proc_use_begins(kn_world *world, kn_activation_id activation);
void knc_proc_use_ends(kn_world *world, kn_ability_id ability, kn_entity_id owner, bool is_done);
// What dispel.c asks of procs: to take a charge of an effect, and to react to a dispel. The first
// is false if no proc of the effect has charges of its own, or the last one is left.
bool knc_proc_take_charge(kn_world *world, kn_entity_id bearer, kn_effect_id effect);
void knc_proc_dispelled(
    kn_world *world, kn_entity_id source, kn_entity_id target, const kn_dispel_result *result);

// Whether an entity is in combat with anybody, for resources.
bool knc_threat_is_in_combat(const kn_world *world, kn_entity_id entity);
// Whether an entity casts, for resources and inputs.
bool knc_cast_is_casting(const kn_world *world, kn_entity_id entity);

// Parts of the part about hits.
kn_result knc_outcome_kind_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_life_register(kn_library *library, combat *kit, kn_error *error);
kn_result knc_threat_rules_register(kn_library *library, combat *kit, kn_error *error);

// Warns of settings that can never act, for kn_kind_def.expand; `user` is the kit.
kn_result knc_lint_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error);

// Registers a list of tags below `Knack.`.
kn_result knc_combat_tags_register(
    kn_library *library, const char *const *names, uint32_t count, kn_tag *tags, kn_error *error);
// Registers a custom event with its payload.
kn_result knc_combat_event_register(kn_library *library, const char *name, uint32_t size,
    const kn_field *fields, uint32_t field_count, const char *text, kn_custom_event_id *id,
    kn_error *error);
// The number of the effect that a definition names, or of the one with its name; 0 for none.
uint32_t knc_combat_effect_named(
    const kn_library *library, kn_effect_type_id effect, const char *name);

#endif
