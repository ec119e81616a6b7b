// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A small kit, written as somebody outside of the library would write it: on public headers alone.
// Its parts are casts that hits push back and others interrupt, a global cooldown, behaviours that
// tick in order, and a queue of orders. Everything it keeps is part of the world, so that it is
// saved, rolled back, hashed and dumped like the rest; everything it defines can be written in data
// files.
//
// A program registers the kit before its own definitions:
//
//   kn_data_def def = kn_data_def_default();
//   def.prepare = kit_prepare;
//   kn_result result = kn_data_create(&def, &data);
//   result = kit_add_natives(data);
#ifndef KIT_H
#define KIT_H

#include <knack/knack.h>

typedef struct kn_data kn_data;

// What the kit has registered in a library.
typedef struct kit kit;

// Registers everything the kit consists of. The library must not be finished.
KN_MUST_USE kn_result kit_register(kn_library *library, kn_error *error);
// The same, as kn_data_def.prepare.
kn_result kit_prepare(void *user, kn_library *library, kn_error *error);
// Offers the functions of the kit to data files: `native: cast` in an ability.
KN_MUST_USE kn_result kit_add_natives(kn_data *data);
// What the kit has registered; NULL for a library without the kit.
const kit *kit_of(const kn_library *library);

// Casts -----------------------------------------------------------------------
//
// A cast is an ability that takes time: its bar runs, then it pays and acts on the target of its
// event. An ability becomes a cast by the functions `cast` and a definition in the section `casts`.
// A hit moves the end of the bar. An interrupt ends it, and the caster cannot use the school of the
// spell for some time.

typedef struct cast_def {
    const char *name;
    kn_ability_type_id ability; // which ability is cast; required
    kn_magnitude length;        // seconds, by level of the ability; at least 0
    kn_attribute_id pushed_by;  // losing some of this is a hit; null: hits do not matter
    float pushback;             // seconds that a hit adds
    uint32_t pushbacks;         // most hits that count
    kn_effect_type_id effect;   // what the target of the event gets; null: nothing
    kn_tag school;              // what an interrupt is about
    // What the caster gets when it is interrupted; it reads the seconds under Kit.Lockout.
    kn_effect_type_id lockout;
    kn_tag spent_by_interrupt; // key of a cooldown that starts even so; null: none
    uint32_t cookie;
} cast_def;

cast_def cast_def_default(void);
// An ability def with the functions of a cast, for abilities that are registered in C.
kn_ability_def cast_ability_def(void);
// Registers a cast.
KN_MUST_USE kn_result cast_register(kn_library *library, const cast_def *def, kn_error *error);

// A bar, for user interfaces.
typedef struct cast_bar {
    kn_activation_id activation;
    kn_ability_type_id ability;
    kn_time length; // from its begin to its end, with all pushbacks
    kn_time remaining;
    uint32_t pushed; // hits that counted
} cast_bar;

// The bar of the oldest cast that an entity has running; false if there is none.
bool cast_bar_of(const kn_world *world, kn_entity_id entity, cast_bar *bar);
// Interrupts all casts of an entity, as an event `Kit.Interrupt` with this magnitude does. Returns
// how many there were.
uint32_t cast_interrupt(kn_world *world, kn_entity_id entity, kn_entity_id by, float seconds);

// How a cast ended, as its event says.
typedef enum cast_outcome {
    CAST_DONE,
    CAST_REFUSED, // it could not pay in the end
    CAST_INTERRUPTED,
    CAST_CANCELLED,
} cast_outcome;

// The global cooldown ------------------------------------------------------------
//
// One cooldown that abilities share under the key Kit.GlobalCooldown. It starts when one of them is
// activated, and refuses the others while it runs, but not the commit of the one that started it.

// A global cooldown, for abilities that are registered in C. In data files:
//
//   cooldowns: [{key: Kit.GlobalCooldown, duration: 1.5, starts: at_activation}]
kn_cooldown_def global_cooldown_def(const kn_library *library, float seconds);
// Time left of the global cooldown of an entity, and its whole length; false when none runs.
bool global_cooldown_of(const kn_world *world, kn_entity_id entity, kn_time *left, kn_time *total);

#endif
