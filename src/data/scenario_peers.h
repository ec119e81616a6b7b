// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The sessions of a run, for the sources that know of the network.
#ifndef SCENARIO_PEERS_H
#define SCENARIO_PEERS_H

#include "scenario_machines.h"
#include "scenario_on.h"
#include "scenario_sessions.h"

#define KNI_SLOTS_MAX 4 // times that a machine may join

// One time that a machine joined. An old one goes on until it has said that it leaves.
typedef struct kni_slot {
    kn_client *client;
    kn_grid *grid;
    const kn_scenario_run *run; // for `setup`
    uint32_t connection;
    bool is_joined; // the server let it in
} kni_slot;

// A command whose answer is expected.
typedef struct kni_question {
    uint32_t sequence;
    const kni_part *part;
} kni_question;

typedef struct kni_peer {
    kni_slot slots[KNI_SLOTS_MAX]; // the last one counts
    uint32_t slot_count;
    kn_net_conditions ways[KNI_WAY_COUNT];
    kn_time frozen_until;
    uint64_t command_tick; // at which the last command was given; UINT64_MAX: none
    bool *hidden;          // by name
    uint64_t accepted, refused, out_of_sight;
    kni_question *questions;
    uint32_t question_count, question_capacity;
    kni_past_event *history;
    uint32_t history_count;
} kni_peer;

// An entity and the machine that controls it.
typedef struct kni_control {
    kn_entity_id entity;
    uint32_t machine;
} kni_control;

// An entity with a sync mode of its own.
typedef struct kni_own_mode {
    kn_entity_id entity;
    kn_sync_mode mode;
} kni_own_mode;

#define KNI_COMPARED (KN_PART_COUNT + 1) // all parts together, and each by itself

// What a client had of an entity at a tick, until the server has come there.
typedef struct kni_comparison {
    const kni_part *part;
    kn_entity_id entity;
    uint64_t tick;
    kn_time asked;
    kn_projection_filter filter;
    kni_buffer bytes; // one projection after the other, then lines of text
    uint32_t sizes[KNI_COMPARED];
    uint32_t lines; // where they begin
} kni_comparison;

struct kni_sessions {
    kn_server *server;
    kn_net_sim *net;
    kni_peer *peers; // as many as the scenario has machines
    kni_control *controls;
    uint32_t control_count, control_capacity;
    kni_own_mode *own_modes;
    uint32_t mode_count, mode_capacity;
    kni_comparison *comparisons;
    uint32_t comparison_count, comparison_capacity;
};

// The slot that counts; NULL before a machine has joined.
kni_slot *kni_peer_slot(kni_peer *peer);
// The run as a client sees it: its world, and what happened there.
kn_scenario_run kni_peer_view(const kn_scenario_run *run, uint32_t machine);

// Comparisons, in scenario_as_server.c.
// Notes what a client has now. KN_ERROR_OUT_OF_MEMORY.
kn_result kni_compare_begin(kn_scenario_run *run, const kni_part *part);
// Tests those that the server has come to.
void kni_compare_tick(kn_scenario_run *run);
void kni_compare_free(kn_scenario_run *run);
kn_sync_mode kni_sessions_mode(const kn_scenario_run *run, kn_entity_id entity);

#endif
