// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What cast.c, cast_def.c, cast_data.c, cast_global.c, interrupt.c and lockout.c have registered,
// and what they share.
#ifndef KNACK_CAST_PART_H
#define KNACK_CAST_PART_H

#include "knack/cast.h"

// Tags of the kit, in the order of cast_tag_names.
typedef enum cast_tag {
    CAST_TAG_INTERRUPT,
    CAST_TAG_GLOBAL,
    CAST_TAG_WHILE_CASTING,
    CAST_TAG_MOVING,
    CAST_TAG_FAIL_CASTING,
    CAST_TAG_FAIL_MOVING,
    CAST_TAG_FAIL_BROKEN,
    CAST_TAG_FAIL_LOCKED,
    CAST_TAG_COUNT,
} cast_tag;

typedef struct cast_ids {
    kn_def_kind kind;
    kn_tag tags[CAST_TAG_COUNT];
    kn_task_type_id task;
    kn_name task_name;
    kn_component_type_id bar, data, count, lockouts, held;
    kn_value_id length, pushback, global, lockout;
    kn_event_kind_id interrupt;
    kn_fail casting, moving, broken, locked_out;
    kn_end_reason interrupted, refused, ended_moving, ended_broken;
    kn_custom_event_id started, ticked, tick_refused, pushed, ended, locked, unlocked, use_held;
    kn_timer_type_id lockout_timer, held_timer;
    uint32_t *by_ability; // number of the cast of each ability type, or 0
    uint32_t ability_count;
} cast_ids;

// The bar of an entity: what it casts in its slot, for everybody to see.
typedef struct cast_bar {
    kn_activation_id activation;
    kn_task_id task;
    kn_time start, end, length;
    kn_ability_type_id ability;
    kn_cast_id cast;
    uint32_t tick, stage, pushed, is_interruptible;
} cast_bar;

// Bits of cast_run.flags.
enum {
    CAST_IN_SLOT = 1 << 0,       // it has the bar of its owner
    CAST_INTERRUPTIBLE = 1 << 1, //
    CAST_CHECKED = 1 << 2,       // what comes before the last tick is done
    CAST_OVER = 1 << 3,          // its end is published; only ticks that wait for data are left
    CAST_COMPLETES = 1 << 4,     // `completes` is still to be applied, with the last tick
    CAST_CUT = 1 << 5,           // it was cancelled: nothing after `last` runs
};

// The state of a cast: that of its task.
typedef struct cast_run {
    kn_time start;       // when it began
    kn_time end;         // when it is over; hits move it
    kn_time length;      // from the start to the last tick, or the last stage
    kn_cast_id cast;     //
    uint32_t tick;       // number of the last tick that was due; the initial one does not count
    uint32_t last;       // number of the last tick that may run
    uint32_t stage;      // stages of a held cast
    uint32_t pushed;     // how often it was pushed back
    uint32_t flags;      //
    uint32_t connection; // who controlled the caster at the start
    uint32_t reasons;    // why it was refused at its end
} cast_run;

// A cast in the hands of a function.
typedef struct cast_at {
    kn_world *world;
    const cast_ids *ids;
    kn_task_id task;
    kn_activation_id activation;
    kn_ability_id ability;
    kn_ability_type_id type;
    kn_entity_id owner;
} cast_at;

// cast.c
const cast_ids *knc_cast_ids_of(const kn_world *world);
// The cast of the slot of an entity; false if it casts nothing.
bool knc_cast_of_entity(kn_world *world, kn_entity_id entity, cast_at *at);
// The cast of an activation; false if it does not cast.
bool knc_cast_of_activation(kn_world *world, kn_activation_id activation, cast_at *at);
// Runs a tick: `late` after its time.
void knc_cast_tick_run(const cast_at *at, uint32_t tick, kn_time late);
// Publishes that a tick does not run.
void knc_cast_tick_lose(const cast_at *at, uint32_t tick, kn_cast_lost reason);
// Does what is due, and sets the timer for the rest.
void knc_cast_proceed(const cast_at *at);
// When a tick is due.
kn_time knc_cast_tick_time(const kn_cast_def *def, const cast_run *run, uint32_t tick);
// Cancels a cast for a reason of the kit.
kn_result knc_cast_stop(
    const cast_at *at, kn_end_reason reason, kn_entity_id by, kn_tag tag, float number);

// cast_data.c
kn_result knc_cast_data_register(kn_library *library, cast_ids *ids, kn_error *error);
// True if the ticks of a cast wait for data here.
bool knc_cast_waits(const cast_at *at, const kn_cast_def *def);
// Runs a tick that is due if its data is there, otherwise it waits.
void knc_cast_tick_due(const cast_at *at, uint32_t tick);
// The first moment at which a tick has waited too long; KN_TIME_INFINITE if none waits.
kn_time knc_cast_data_limit(const cast_at *at, const kn_cast_def *def);
// Gives up those that have waited too long.
void knc_cast_data_expire(const cast_at *at);
// Forgets what is kept for an activation, ticks after `last` or all with 0. Those that waited are
// published as lost if `publishes`.
void knc_cast_data_drop(const cast_at *at, uint32_t last, bool publishes);

// cast_hold.c
kn_result knc_cast_hold_register(kn_library *library, cast_ids *ids, kn_error *error);
// The slot of an entity is free again.
void knc_cast_hold_free(kn_world *world, kn_entity_id entity);

// cast_def.c
kn_result knc_cast_kind_register(kn_library *library, cast_ids *ids, kn_error *error);

// cast_global.c
kn_result knc_global_check(const kn_library *library, const cast_ids *ids, kn_error *error);
// Ends the global cooldown that an activation started.
void knc_global_free(kn_world *world, kn_ability_id ability, kn_activation_id activation);

// interrupt.c, lockout.c
kn_result knc_interrupt_register(kn_library *library, cast_ids *ids, kn_error *error);
kn_result knc_lockout_register(kn_library *library, cast_ids *ids, kn_error *error);
// Refuses an ability that is locked out.
void knc_lockout_check(const kn_ability_call *call, const cast_ids *ids);

#endif
