// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about threat and combat between pairs have registered, and what they share.
#ifndef KNACK_THREAT_PART_H
#define KNACK_THREAT_PART_H

#include "knack/combat.h"

// Events that effects raise to act on threat.
enum {
    THREAT_EVENT_ADD,
    THREAT_EVENT_SCALE,
    THREAT_EVENT_DROP,
    THREAT_EVENT_TAUNT,
    THREAT_EVENT_FIXATE,
    THREAT_EVENT_SUPPRESS,
    THREAT_EVENT_REDIRECT,
    THREAT_EVENT_LEAVE,
    THREAT_EVENTS,
};

typedef struct threat_ids {
    kn_component_type_id table;    // Knack.Threat: a threat table
    kn_component_type_id redirect; // Knack.ThreatRedirect: where somebody's threat goes
    kn_component_type_id pairs;    // Knack.Combat: combat of an entity
    kn_timer_type_id table_timer, pairs_timer;
    kn_value_id done; // modifiers of threat
    kn_event_kind_id kind, action;
    kn_tag in_combat;
    kn_tag events[THREAT_EVENTS];
    kn_custom_event_id target_changed, cleared, started, ended;
} threat_ids;

// The calls below are made inside of one operation of the world.

// When a span from now ends; what is longer than a timer can run never does.
kn_time knc_pair_until(const kn_world *world, kn_time duration);
// Brings two entities into combat, or renews it. A new pair is kept with `a`.
kn_result knc_pair_start(kn_world *world, kn_entity_id a, kn_entity_id b);
// A threat table begins and ceases to keep a pair in combat.
void knc_pair_hold(kn_world *world, kn_entity_id a, kn_entity_id b);
void knc_pair_release(kn_world *world, kn_entity_id a, kn_entity_id b);
// Ends all combat of an entity.
void knc_pairs_end(kn_world *world, kn_entity_id entity);
kn_result knc_pairs_register(kn_library *library, threat_ids *ids, kn_error *error);
// Whether an entity can fight: it is neither gone nor dead.
bool knc_pair_can_fight(const kn_world *world, const kn_combat_def *rules, kn_entity_id entity);
// Whether both can fight each other: KN_OK, or why not.
kn_result knc_pair_check(const kn_world *world, kn_entity_id a, kn_entity_id b);

// Removes an entry without touching the pair; true if it was there.
bool knc_threat_forget(kn_world *world, kn_entity_id owner, kn_entity_id entity);

// Walks over those who have an entity in their table.
typedef struct knc_owner_walk {
    kn_entity_id entity;
    kn_component_referrer page[32];
    uint32_t next, count; // in the page
} knc_owner_walk;

bool knc_owner_next(const kn_world *world, knc_owner_walk *walk, kn_entity_id *owner);

#endif
