// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reading the machines of a scenario: settings of the server, of its clients, and of the network
// between them.

#include "scenario_machines.h"

#include "scenario_load.h"
#include "scenario_on.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TIME_MAX KN_S(3600)

// Conditions ------------------------------------------------------------------

typedef enum condition_kind { CONDITION_TIME, CONDITION_SHARE, CONDITION_COUNT } condition_kind;

#define CONDITION(field, member, kind)                                                             \
    {                                                                                              \
        KNI_FIELD_CONDITION_##field, CONDITION_##kind, offsetof(kn_net_conditions, member),        \
            sizeof(((kn_net_conditions *)NULL)->member)                                            \
    }

static const struct {
    kni_field field;
    condition_kind kind;
    size_t offset, size;
} conditions[] = {
    CONDITION(LATENCY, latency, TIME),
    CONDITION(JITTER, jitter, TIME),
    CONDITION(LOSS, loss, SHARE),
    CONDITION(BURST_ENTER, burst_enter, SHARE),
    CONDITION(BURST_LEAVE, burst_leave, SHARE),
    CONDITION(BURST_LOSS, burst_loss, SHARE),
    CONDITION(DUPLICATE, duplicate, SHARE),
    CONDITION(REORDER, reorder, SHARE),
    CONDITION(REORDER_DELAY, reorder_delay, TIME),
    CONDITION(CORRUPT, corrupt, SHARE),
    CONDITION(BYTES_PER_SECOND, bytes_per_second, COUNT),
    CONDITION(QUEUE_BYTES, queue_bytes, COUNT),
};

_Static_assert(
    (int)KN_SESSION_RATE_MIN == 10 && (int)KN_SESSION_RATE_MAX == 128, "see kni_field_range()");

#define CONDITIONS_COUNT (sizeof(conditions) / sizeof(*conditions))
#define CONDITIONS_ALL ((UINT32_C(1) << CONDITIONS_COUNT) - 1)

void kni_link_apply(const kni_link_change *change, kni_way way, kn_net_conditions *out)
{
    for (uint32_t i = 0; i < CONDITIONS_COUNT; i++) {
        if ((change->given[way] >> i & 1) != 0) {
            memcpy((uint8_t *)out + conditions[i].offset,
                (const uint8_t *)&change->values[way] + conditions[i].offset, conditions[i].size);
        }
    }
}

static bool value_accepted(
    kn_scenario *scenario, kn_result result, kni_node node, const kn_error *error)
{
    if (result != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error->message);
    }
    return result == KN_OK;
}

static void read_timeout(kn_scenario *scenario, kni_node node, kn_time least, kn_time *out)
{
    kn_time time;
    if (!kni_scenario_load_time(scenario, node, &time)) {
        return;
    }
    if (time < least || time > TIME_MAX) {
        kni_scenario_error(scenario, node, "`%s` is at least %d ms and at most 1 hour",
            kni_node_key(node), (int)(least / 1000));
        return;
    }
    *out = time;
}

static void read_preset(
    kn_scenario *scenario, kni_node node, uint32_t *given, kn_net_conditions *out)
{
    uint32_t word;
    if (!kni_word_read(scenario, KNI_WORDS_PRESET, node, &word)) {
        return;
    }
    kni_words words;
    kni_words_of(KNI_WORDS_PRESET, &words);
    if (kn_net_conditions_find(words.items[word], out) != KN_OK) {
        kni_scenario_error(scenario, node, "there is no preset `%s`", words.items[word]);
        return;
    }
    *given = CONDITIONS_ALL;
}

static void read_condition(
    kn_scenario *scenario, kni_field field, kni_node node, uint32_t *given, kn_net_conditions *out)
{
    uint32_t i = 0;
    while (i < CONDITIONS_COUNT && conditions[i].field != field) {
        i++;
    }
    if (i == CONDITIONS_COUNT) {
        return;
    }
    kn_error error = {0};
    kn_time time = 0;
    float share = 0.0f;
    uint64_t number = 0;
    uint32_t count;
    bool ok;
    const void *from = &time;
    switch (conditions[i].kind) {
    case CONDITION_TIME:
        time = -1;
        read_timeout(scenario, node, 0, &time);
        ok = time >= 0;
        break;
    case CONDITION_SHARE:
        ok = kni_share_read(scenario, node, &share);
        from = &share;
        break;
    default:
        ok = value_accepted(
            scenario, kni_node_u64(node, 0, UINT32_MAX, &number, &error), node, &error);
        count = (uint32_t)number;
        from = &count;
        break;
    }
    if (ok) {
        memcpy((uint8_t *)out + conditions[i].offset, from, conditions[i].size);
        *given |= UINT32_C(1) << i;
    }
}

// One way. The preset comes first, wherever it is written.
static void read_conditions(
    kn_scenario *scenario, kni_node node, uint32_t *given, kn_net_conditions *out)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_node preset = kni_field_get(node, KNI_FIELD_CONDITION_PRESET);
    if (kni_node_exists(preset)) {
        read_preset(scenario, preset, given, out);
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_field field = kni_field_find(scenario, KNI_GROUP_CONDITIONS, child);
        read_condition(scenario, field, child, given, out);
    }
}

// Both ways, and what is different for one.
static void read_ways(kn_scenario *scenario, kni_node node, kni_link_change *link)
{
    static const kni_field ways[KNI_WAY_COUNT] = {KNI_FIELD_MACHINE_UP, KNI_FIELD_MACHINE_DOWN};
    kni_node preset = kni_field_get(node, KNI_FIELD_CONDITION_PRESET);
    if (kni_node_exists(preset)) {
        read_preset(scenario, preset, &link->given[0], &link->values[0]);
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
            if (kni_fields[i].group == KNI_GROUP_CONDITIONS &&
                strcmp(kni_fields[i].name, kni_node_key(child)) == 0) {
                read_condition(scenario, (kni_field)i, child, &link->given[0], &link->values[0]);
            }
        }
    }
    link->given[1] = link->given[0];
    link->values[1] = link->values[0];
    for (uint32_t i = 0; i < KNI_WAY_COUNT; i++) {
        kni_node way = kni_field_get(node, ways[i]);
        if (kni_node_exists(way)) {
            read_conditions(scenario, way, &link->given[i], &link->values[i]);
        }
    }
}

static uint32_t machine_find(const kn_scenario *scenario, const char *name)
{
    uint32_t i = 0;
    while (i < scenario->machine_count && strcmp(scenario->machine_names[i], name) != 0) {
        i++;
    }
    return i < scenario->machine_count ? i + 1 : 0;
}

bool kni_links_read(kn_scenario *scenario, kni_node node, kni_part *part)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    if (scenario->machine_count == 0) {
        kni_scenario_error(scenario, node, "`network` needs a section `machines`");
        return false;
    }
    uint32_t capacity = kni_node_count(node) + 1;
    kni_link_changes *links = kni_arena_take(&scenario->arena, sizeof(*links));
    kni_link_change *data = kni_arena_take(&scenario->arena, capacity * sizeof(*data));
    if (links == NULL || data == NULL) {
        return false;
    }
    *links = (kni_link_changes){data, 0};
    part->links = links;
    bool ok = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_link_change *link = &data[links->count];
        *link = (kni_link_change){.machine = machine_find(scenario, kni_node_key(child))};
        if (link->machine == 0) {
            kni_place place = kni_node_key_place(child);
            kni_scenario_unknown(scenario, &place, "client", kni_node_key(child),
                scenario->machine_names, scenario->machine_count);
            ok = false;
        } else if (kni_scenario_mapping(scenario, child)) {
            kni_children settings = kni_node_children(child);
            for (kni_node setting; kni_children_next(&settings, &setting);) {
                kni_field field = kni_field_find(scenario, KNI_GROUP_MACHINE, setting);
                if (field < KNI_FIELD_COUNT && kni_fields[field].group == KNI_GROUP_MACHINE &&
                    field != KNI_FIELD_MACHINE_UP && field != KNI_FIELD_MACHINE_DOWN) {
                    kni_scenario_key_error(scenario, setting,
                        "`%s` is set in `machines`, and does not change", kni_node_key(setting));
                }
            }
            read_ways(scenario, child, link);
            links->count++;
        }
    }
    return ok;
}

// The server --------------------------------------------------------------------

static void read_limited(kn_scenario *scenario, kni_node node, kni_field field, uint32_t *out)
{
    kn_error error = {0};
    uint64_t number;
    kni_range range = kni_field_range(field);
    if (value_accepted(
            scenario, kni_node_u64(node, range.least, range.most, &number, &error), node, &error)) {
        *out = (uint32_t)number;
    }
}

static void read_server_setting(kn_scenario *scenario, kni_node node, kn_server_def *def)
{
    uint32_t mode;
    switch (kni_field_find(scenario, KNI_GROUP_SERVER, node)) {
    case KNI_FIELD_SERVER_RATE:
        read_limited(scenario, node, KNI_FIELD_SERVER_RATE, &def->rate);
        break;
    case KNI_FIELD_SERVER_SEND_EVERY:
        read_limited(scenario, node, KNI_FIELD_SERVER_SEND_EVERY, &def->send_every);
        break;
    case KNI_FIELD_SERVER_MODE:
        if (kni_word_read(scenario, KNI_WORDS_SYNC_MODE, node, &mode)) {
            def->mode = (kn_sync_mode)mode;
        }
        break;
    case KNI_FIELD_SERVER_RELEVANCE_EVERY:
        read_limited(scenario, node, KNI_FIELD_SERVER_RELEVANCE_EVERY, &def->relevance_every);
        break;
    case KNI_FIELD_SERVER_COMMAND_RATE:
        read_limited(scenario, node, KNI_FIELD_SERVER_COMMAND_RATE, &def->command_rate);
        break;
    case KNI_FIELD_SERVER_BYTES_PER_SECOND:
        read_limited(scenario, node, KNI_FIELD_SERVER_BYTES_PER_SECOND, &def->bytes_per_second);
        break;
    case KNI_FIELD_SERVER_BURST_BYTES:
        read_limited(scenario, node, KNI_FIELD_SERVER_BURST_BYTES, &def->burst_bytes);
        break;
    case KNI_FIELD_SERVER_TIMEOUT:
        read_timeout(scenario, node, KN_MS(100), &def->timeout);
        break;
    default:
        break;
    }
}

static bool is_condition(const char *key)
{
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        bool is_one =
            kni_fields[i].group == KNI_GROUP_CONDITIONS || kni_fields[i].group == KNI_GROUP_MACHINE;
        if (is_one && strcmp(kni_fields[i].name, key) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_server_setting(const char *key)
{
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        if (kni_fields[i].group == KNI_GROUP_SERVER && strcmp(kni_fields[i].name, key) == 0) {
            return true;
        }
    }
    return false;
}

static void read_server(kn_scenario *scenario, kni_node node, kn_server_def *def)
{
    if (kni_node_is_null(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        if (is_condition(kni_node_key(child)) && !is_server_setting(kni_node_key(child))) {
            kni_scenario_key_error(scenario, child,
                "the server has no `%s`: it belongs to a client, and is between the two",
                kni_node_key(child));
        } else {
            read_server_setting(scenario, child, def);
        }
    }
}

// Clients -----------------------------------------------------------------------

static void add_moment(kn_scenario *scenario, kni_node node, kni_verb verb, uint32_t machine)
{
    kni_part part = {.place = kni_node_key_place(node), .verb = verb, .machine = machine};
    kn_time time;
    if (!kni_scenario_load_time(scenario, node, &time)) {
        return;
    }
    if (time < scenario->start) {
        kni_scenario_error(scenario, node, "the world does not start before `start`");
        return;
    }
    if (kni_part_add(scenario, &scenario->actions, &part)) {
        kni_scenario_load_item(scenario, time, scenario->actions.count - 1);
    }
}

static void read_client_setting(
    kn_scenario *scenario, kni_node node, uint32_t index, kni_machine *machine, kn_time *join)
{
    switch (kni_field_find(scenario, KNI_GROUP_MACHINE, node)) {
    case KNI_FIELD_MACHINE_JOIN:
        (void)kni_scenario_load_time(scenario, node, join);
        break;
    case KNI_FIELD_MACHINE_LEAVE:
        add_moment(scenario, node, KNI_VERB_LEAVE, index + 1);
        break;
    case KNI_FIELD_MACHINE_HIDE:
        (void)kni_names_read(scenario, node, &machine->hide);
        break;
    case KNI_FIELD_MACHINE_MARGIN:
        read_timeout(scenario, node, 0, &machine->def.margin);
        break;
    case KNI_FIELD_MACHINE_LEAD_MAX:
        read_timeout(scenario, node, KN_MS(10), &machine->def.lead_max);
        break;
    case KNI_FIELD_MACHINE_TIMEOUT:
        read_timeout(scenario, node, KN_MS(100), &machine->def.timeout);
        break;
    default:
        break;
    }
}

static void read_client(kn_scenario *scenario, kni_node node, uint32_t index, kn_time *join)
{
    kni_machine *machine = &scenario->machines->clients[index];
    machine->place = kni_node_key_place(node);
    machine->def = kn_client_def_default();
    *join = scenario->start;
    if (kni_node_is_null(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        read_client_setting(scenario, child, index, machine, join);
    }
    read_ways(scenario, node, &machine->link);
    kni_node at = kni_field_get(node, KNI_FIELD_MACHINE_JOIN);
    machine->has_join = kni_node_exists(at);
    if (machine->has_join) {
        add_moment(scenario, at, KNI_VERB_JOIN, index + 1);
    }
}

static bool take_machines(kn_scenario *scenario, uint32_t count, kn_time **joins)
{
    kni_arena *arena = &scenario->arena;
    scenario->machines = kni_arena_take(arena, sizeof(*scenario->machines));
    scenario->machine_names = kni_arena_take(arena, count * sizeof(*scenario->machine_names));
    kni_machine *clients = kni_arena_take(arena, count * sizeof(*clients));
    *joins = kni_arena_take(arena, count * sizeof(**joins));
    if (scenario->machines == NULL || scenario->machine_names == NULL || clients == NULL ||
        *joins == NULL) {
        return false;
    }
    memset(clients, 0, count * sizeof(*clients));
    scenario->machine_joins = *joins;
    *scenario->machines = (kni_machines){kn_server_def_default(), clients};
    return true;
}

bool kni_scenario_load_machines(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return !kni_node_exists(node);
    }
    kni_node server = kni_node_get(node, "server");
    uint32_t count = kni_node_count(node) - kni_node_exists(server);
    kn_time *joins;
    if (count == 0 || count > KNI_MACHINES_MAX) {
        kni_scenario_error(scenario, node,
            "`machines` needs a client, such as `a: {latency: 50 ms}`, and has at most %d",
            KNI_MACHINES_MAX);
        return false;
    }
    if (scenario->checks != 0) {
        kni_scenario_error(scenario, node, "a scenario with machines cannot have `check`");
    }
    if (!take_machines(scenario, count, &joins)) {
        return false;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        if (strcmp(kni_node_key(child), "server") != 0) {
            scenario->machine_names[scenario->machine_count++] = kni_node_key(child);
        }
    }
    if (kni_node_exists(server)) {
        read_server(scenario, server, &scenario->machines->server);
    }
    scenario->machine_rate = scenario->machines->server.rate;
    uint32_t index = 0;
    children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        if (strcmp(kni_node_key(child), "server") != 0) {
            read_client(scenario, child, index, &joins[index]);
            index++;
        }
    }
    return true;
}
