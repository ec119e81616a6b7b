// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What proc.c has registered, and what it shares with proc_run.c and proc_explain.c.
#ifndef KNACK_PROC_PART_H
#define KNACK_PROC_PART_H

#include "knack/proc.h"

typedef struct proc_ids {
    kn_def_kind kind;
    kn_component_type_id procs, cooldowns;
    kn_custom_event_id acted;
    kn_cause_type_id cause;
    kn_tag no_procs;         // tag of causes whose consequences no proc reacts to
    kn_tag event;            // Knack.Proc, above the events that procs react to
    kn_tag normal, absorbed; // outcomes
    kn_tag died;
    kn_value_id rate, chance;
    uint32_t stream, server_stream;
    uint32_t effect_count, ability_count, proc_count;
    uint32_t *by_effect;  // first proc of each effect type, or 0
    uint32_t *by_ability; // first proc of each ability type, or 0
    uint32_t *next;       // the next proc of the same effect or ability, or 0
} proc_ids;

// The component of a bearer: an item for each instance of a proc, by priority, then by age.
typedef struct procs {
    uint32_t on; // what the items react to, all together
} procs;

typedef struct proc_item {
    kn_effect_id effect;        // what brings it along: this
    kn_ability_id ability;      // or this
    kn_activation_id gained_by; // the use that brought it
    kn_time gained_at;
    kn_time ready_at;     // end of its cooldown
    kn_time succeeded_at; // KN_PROC_BAD_LUCK: the last success; at first when it was gained
    kn_proc_id proc;
    uint32_t charges;  // of its own, that are left
    uint32_t spent;    // stacks that were used up and wait to be removed
    uint32_t failures; // KN_PROC_ACCUMULATING: attempts since the last success
    uint32_t cards;    // KN_PROC_DECK: cards that are left
    uint32_t wins;     // KN_PROC_DECK: winning ones among them
} proc_item;

// A cooldown that all instances of a proc on a bearer share.
typedef struct proc_cooldown {
    kn_time ready_at;
    kn_proc_id proc;
    uint32_t unused;
} proc_cooldown;

#define PROC_CHAIN_MAX 32 // procs in a chain of causes that are looked at

// The procs among the causes of what happens.
typedef struct proc_chain {
    uint32_t count;
    uint32_t procs[PROC_CHAIN_MAX];
    bool is_suppressed; // one of them said that no proc reacts
} proc_chain;

// One attempt.
typedef struct proc_try {
    const kn_proc_event *event;
    kn_tags tags;
    kn_entity_id bearer; // an actor
    const proc_chain *chain;
    proc_item item; // a copy
    const kn_proc_def *def;
    bool is_priced; // it has charges of its own
    // Of its effect, once the tests have looked at it.
    kn_effect_type_id type;
    float level;
} proc_try;

proc_chain knc_proc_chain_of(const kn_world *world);
// Copies an item of a bearer. False at the end of the list. A def of NULL means that it is gone.
bool knc_proc_at(const kn_world *world, proc_try *try, uint32_t index);
// The first test that refuses an attempt, and the chance of it otherwise.
kn_proc_answer knc_proc_test(const kn_world *world, proc_try *try, float *chance);
// The state of an attempt, without answer and chance.
kn_proc_line knc_proc_line_of(const kn_world *world, const proc_try *try);
// Logs what became of an attempt: `what`, or NULL for the answer of its line.
void knc_proc_log(
    const kn_world *world, const proc_try *try, const kn_proc_line *told, const char *what);
// The word for one bit of kn_proc_on.
const char *knc_proc_on_word(uint32_t on);
// Charges that are left; UINT32_MAX for any number.
uint32_t knc_proc_charges(const kn_world *world, const proc_try *try);
// When the cooldown of an attempt ends.
kn_time knc_proc_ready_at(const kn_world *world, const proc_try *try);
// The item of the same instance, for writing; NULL if it is gone.
proc_item *knc_proc_item_find(kn_world *world, const proc_try *try);

void knc_proc_part_free(proc_ids *ids);
// Rules.
void knc_proc_event_rule(void *user, kn_world *world, const kn_reaction *reaction);
void knc_proc_death_rule(void *user, kn_world *world, const kn_reaction *reaction);
void knc_proc_interrupt_rule(void *user, kn_world *world, const kn_reaction *reaction);
bool knc_proc_interrupt_wants(void *user, const kn_library *library, const kn_reaction *reaction);

// Rules about effects, called by buff.c for those that have procs.
void knc_proc_effect_began(kn_world *world, const kn_reaction *reaction);
void knc_proc_effect_again(kn_world *world, const kn_reaction *reaction);
void knc_proc_effect_stacks(kn_world *world, const kn_reaction *reaction);
void knc_proc_effect_ended(kn_world *world, const kn_reaction *reaction);

#endif
