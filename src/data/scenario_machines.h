// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Machines of a scenario as they are written. Only where there is a network: scenario_no_net.c
// stands in for this otherwise.
#ifndef SCENARIO_MACHINES_H
#define SCENARIO_MACHINES_H

#include "scenario_types.h"

#include "knack/net_sim.h"
#include "knack/session.h"

#define KNI_MACHINES_MAX 32 // clients

// The two ways of a datagram.
typedef enum kni_way {
    KNI_WAY_UP, // to the server
    KNI_WAY_DOWN,
    KNI_WAY_COUNT,
} kni_way;

// What is set of the conditions of a client, each way.
typedef struct kni_link_change {
    uint32_t machine;              // from 1
    uint32_t given[KNI_WAY_COUNT]; // a bit for each condition
    kn_net_conditions values[KNI_WAY_COUNT];
} kni_link_change;

struct kni_link_changes {
    kni_link_change *data;
    uint32_t count;
};

typedef struct kni_machine {
    kni_place place;
    kni_link_change link;
    kn_client_def def; // times; no library
    kni_ids hide;
    bool has_join; // an action lets it join, and not the beginning
} kni_machine;

struct kni_machines {
    kn_server_def server; // settings; no world
    kni_machine *clients; // as many as the scenario has machines
};

// Sets what a change says.
void kni_link_apply(const kni_link_change *change, kni_way way, kn_net_conditions *conditions);

#endif
