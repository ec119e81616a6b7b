// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenarios without machines, where knack::net is not built.

#include "scenario_on.h"
#include "scenario_sessions.h"

bool kni_scenario_load_machines(kn_scenario *scenario, kni_node node)
{
    if (kni_node_exists(node)) {
        kni_scenario_key_error(scenario, node,
            "`machines` needs knack::net, which this library was built without (KNACK_NET)");
    }
    return !kni_node_exists(node);
}

bool kni_links_read(kn_scenario *scenario, kni_node node, kni_part *part)
{
    (void)part;
    kni_scenario_error(scenario, node, "`network` needs a section `machines`");
    return false;
}

kn_result kni_sessions_create(kn_scenario_run *run)
{
    (void)run;
    return KN_OK;
}

void kni_sessions_destroy(kn_scenario_run *run)
{
    (void)run;
}

kn_result kni_sessions_begin(kn_scenario_run *run)
{
    (void)run;
    return KN_OK;
}

kn_result kni_sessions_turn(kn_scenario_run *run)
{
    (void)run;
    return KN_OK;
}

kn_time kni_sessions_next_tick(const kn_scenario_run *run)
{
    (void)run;
    return KN_TIME_INFINITE;
}

bool kni_sessions_wait(const kn_scenario_run *run, const kni_part *part)
{
    (void)run;
    (void)part;
    return false;
}

kn_result kni_sessions_act(kn_scenario_run *run, const kni_part *part)
{
    (void)run;
    (void)part;
    return KN_ERROR_INVALID_ARGUMENT;
}

kn_result kni_sessions_control(kn_scenario_run *run, kn_entity_id entity, uint32_t machine)
{
    (void)run;
    (void)entity;
    (void)machine;
    return KN_OK;
}

uint32_t kni_sessions_connection(const kn_scenario_run *run, uint32_t machine)
{
    (void)run;
    (void)machine;
    return 0;
}

kn_result kni_sessions_set_mode(kn_scenario_run *run, kn_entity_id entity, uint32_t mode)
{
    (void)run;
    (void)entity;
    (void)mode;
    return KN_OK;
}

bool kni_sessions_holds(kn_scenario_run *run, const kni_part *part, kni_differences *out)
{
    (void)run;
    (void)part;
    out->count = 0;
    return true;
}

bool kni_sessions_has_world(const kn_scenario_run *run, uint32_t machine)
{
    (void)run;
    (void)machine;
    return false;
}

bool kni_sessions_are_open(const kn_scenario_run *run)
{
    (void)run;
    return false;
}

void kni_sessions_end(kn_scenario_run *run)
{
    (void)run;
}

kn_world *kni_sessions_world(const kn_scenario_run *run, uint32_t machine)
{
    (void)run;
    (void)machine;
    return NULL;
}
