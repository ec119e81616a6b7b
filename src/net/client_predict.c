// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Going back and forth in time. The client keeps its world as the server confirmed it, at a tick in
// the past. When news arrive, it goes on from there to the tick they are for, with the commands
// that the server carried out meanwhile, and compares. Only if something differs, it takes what the
// server says and simulates the ticks up to the present again.

#include "client.h"

#include <stdlib.h>

// Snapshots -----------------------------------------------------------------

static kn_result state_keep(kn_client *client, kept_state *kept)
{
    size_t size = kn_snapshot_size(client->world);
    if (size > kept->capacity) {
        size_t capacity = size + size / 2;
        uint8_t *data = kn_memory_resize(&client->def.hooks, kept->data, kept->capacity, capacity);
        if (data == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        kept->data = data;
        kept->capacity = capacity;
    }
    return kn_snapshot_take(client->world, kept->data, kept->capacity, &kept->size);
}

static kn_result state_restore(kn_client *client, const kept_state *kept)
{
    return kn_snapshot_restore(client->world, kept->data, kept->size);
}

// Commands ------------------------------------------------------------------

static kn_result command_issue(kn_client *client, client_command *command, uint64_t tick)
{
    kn_command_data *data = &client->command;
    kn_result result =
        kn_command_read(client->def.library, command->bytes, command->size, data, NULL);
    result = result == KN_OK ? kn_command_from_places(client->world, data) : result;
    if (result == KN_OK) {
        data->command.connection = client->connection;
        data->command.sequence = command->sequence;
        result = kn_world_command(client->world, &data->command, NULL);
    }
    command->done = tick;
    command->done_result = result;
    return result == KN_ERROR_OUT_OF_MEMORY ? result : KN_OK;
}

// What became of the commands of the last step.
static void results_note(kn_client *client)
{
    kn_events events = kn_world_events(client->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type != KN_EVENT_COMMAND || event->data.command.part != 0) {
            continue;
        }
        for (uint32_t j = 0; j < client->command_count; j++) {
            if (client->commands[j].sequence == event->data.command.sequence) {
                client->commands[j].done_result = event->data.command.result;
            }
        }
    }
}

// One step of the world, up to the time of a tick.
static kn_result tick_step(kn_client *client, uint64_t tick)
{
    kn_time due = client->base + kni_tick_time(tick, client->rate);
    kn_time dt = due - kn_world_now(client->world);
    kn_result result = kn_world_step(client->world, dt > 0 ? dt : 0);
    if (result == KN_OK) {
        results_note(client);
    }
    return result;
}

// A tick that the server has run: with what it carried out in it.
static kn_result tick_confirmed(kn_client *client, uint64_t tick)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < client->command_count && result == KN_OK; i++) {
        client_command *command = &client->commands[i];
        if (command->is_answered && command->answer == KN_OK && command->answer_tick == tick) {
            result = command_issue(client, command, tick);
        }
    }
    result = result == KN_OK ? tick_step(client, tick) : result;
    return result == KN_OK ? kni_reports_add(client, &client->fresh, tick) : result;
}

// A tick of the future: with all commands for it, and those that the server has not carried out yet
// though their tick has passed.
static kn_result tick_predicted(kn_client *client, uint64_t tick, report_list *list)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < client->command_count && result == KN_OK; i++) {
        client_command *command = &client->commands[i];
        bool is_settled = command->is_answered && command->answer_tick <= client->confirmed;
        bool is_refused = command->is_answered && command->answer != KN_OK;
        uint64_t due = command->is_answered ? command->answer_tick : command->tick;
        if (!is_settled && !is_refused && command->done == 0 && due <= tick) {
            result = command_issue(client, command, tick);
        }
    }
    result = result == KN_OK ? tick_step(client, tick) : result;
    return result == KN_OK ? kni_reports_add(client, list, tick) : result;
}

// Whether the commands went here as the server says they did, up to the tick it speaks of.
static bool commands_agree(const kn_client *client, uint64_t tick)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        const client_command *command = &client->commands[i];
        if (command->is_answered) {
            bool is_same = command->answer == KN_OK
                               ? command->done == command->answer_tick
                               : command->done == 0 || command->done_result == command->answer;
            if (!is_same) {
                return false;
            }
        } else if (command->done != 0 && command->done <= tick) {
            return false; // it has not arrived there yet
        }
    }
    return true;
}

void kni_client_commands_settle(kn_client *client)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < client->command_count; i++) {
        client_command *command = &client->commands[i];
        if (command->is_answered && command->answer_tick <= client->confirmed &&
            command->sequence <= client->answered) {
            kn_memory_free(&client->def.hooks, command->bytes, command->size);
        } else {
            client->commands[kept++] = *command;
        }
    }
    client->command_count = kept;
}

// Entities ------------------------------------------------------------------

static int arrival_compare(const void *a, const void *b)
{
    const arrival *first = a, *second = b;
    if (first->tick != second->tick) {
        return first->tick < second->tick ? -1 : 1;
    }
    return first->index < second->index ? -1 : first->index > second->index;
}

static void arrivals_sort(kn_client *client)
{
    if (client->arrival_count > 1) {
        qsort(client->arrivals, client->arrival_count, sizeof(arrival), arrival_compare);
    }
}

// Writes what differs; one by one if something is wrong with one of them.
static kn_result entities_write(
    kn_client *client, const kn_projection *list, uint32_t count, uint64_t tick)
{
    kn_error error;
    kn_result result = kn_projections_write(client->world, list, count, &error);
    if (result != KN_ERROR_BAD_DATA) {
        return result;
    }
    for (uint32_t i = 0; i < count; i++) {
        result = kn_projection_write(client->world, list[i].bytes, list[i].size, &error);
        if (result == KN_ERROR_BAD_DATA) {
            kn_entity_id id = {0};
            (void)kn_projection_entities(list[i].bytes, list[i].size, &id, 1);
            client->stats.bad++;
            kni_client_resync(client, id.index1, tick, true);
        } else if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

// What the corrections of one tick change, for the host.
static kn_result entities_write_reported(
    kn_client *client, const kn_projection *list, uint32_t count, uint64_t tick)
{
    size_t size = count * sizeof(shown);
    shown *before = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (before == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(before, 0, size);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        kn_entity_id id = {0};
        (void)kn_projection_entities(list[i].bytes, list[i].size, &id, 1);
        result = kni_shown_take(client, &before[i], id);
    }
    result = result == KN_OK ? entities_write(client, list, count, tick) : result;
    uint32_t from = client->fresh.count;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        result = kni_shown_take(client, &client->after, before[i].entity);
        if (result == KN_OK) {
            result = kni_shown_compare(client, &before[i], &client->after);
        }
    }
    for (uint32_t i = from; i < client->fresh.count; i++) {
        client->fresh.data[i].tick = tick;
    }
    for (uint32_t i = 0; i < count; i++) {
        kni_shown_free(client, &before[i]);
    }
    kn_memory_free(&client->def.hooks, before, size);
    return result;
}

// The arrivals of one tick, which the world is at. Says how many of them differed; cues of one
// count too.
static kn_result arrivals_take(
    kn_client *client, const arrival *list, uint32_t count, uint32_t *differing, bool *is_clean)
{
    size_t size = count * sizeof(kn_projection);
    kn_projection *write = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (write == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = KN_OK;
    *differing = 0;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        bool differs = false;
        result = kni_cues_settle(client, &list[i], &differs);
        *is_clean = *is_clean && !differs;
        const client_blob *blob = kni_client_blob(client, list[i].index, list[i].tick);
        if (blob == NULL || list[i].is_late) {
            continue; // newer ones took its place
        }
        kn_entity_id id = list[i].entity;
        bool was_alive = kn_entity_is_alive(client->world, id);
        if (!kn_projection_matches(client->world, blob->bytes, blob->size)) {
            write[(*differing)++] = (kn_projection){blob->bytes, blob->size};
        }
        if (list[i].is_left && was_alive) {
            result = kni_client_event(client,
                (kn_client_event){.kind = KN_CLIENT_LEFT, .tick = list[i].tick, .entity = id}, NULL,
                0);
        }
    }
    if (result == KN_OK && *differing > 0) {
        result = entities_write_reported(client, write, *differing, list[0].tick);
    }
    kn_memory_free(&client->def.hooks, write, size);
    return result;
}

// The world ------------------------------------------------------------------

static kn_result world_create(kn_client *client, uint64_t tick)
{
    kn_world_def def = kn_world_def_default();
    def.hooks = client->def.hooks;
    def.library = client->def.library;
    def.start = client->base + kni_tick_time(tick, client->rate);
    def.is_client = true;
    def.connection = client->connection;
    def.event_mask = client->def.event_mask;
    def.number_step = 16;
    kn_result result = kn_world_create(&def, &client->world);
    if (result != KN_OK) {
        return result;
    }
    if (client->def.setup != NULL) {
        client->def.setup(client->def.user, client->world);
    }
    client->tick = client->confirmed = tick;
    kn_net_link_stats link = kn_net_link_get_stats(client->link);
    client->clock = kni_tick_time(tick, client->rate) + link.round_trip + client->def.margin +
                    1000000 / (kn_time)client->rate;
    return KN_OK;
}

// From what is confirmed to the latest tick that the server spoke of. Says whether something
// differed on the way.
static kn_result confirm(kn_client *client, bool *is_clean)
{
    kn_result result = KN_OK;
    uint32_t at = 0;
    arrivals_sort(client);
    while (result == KN_OK && (at < client->arrival_count || client->confirmed < client->latest)) {
        uint64_t next = at < client->arrival_count ? client->arrivals[at].tick : client->latest;
        while (client->confirmed < next && result == KN_OK) {
            client->confirmed++;
            result = tick_confirmed(client, client->confirmed);
        }
        uint32_t end = at, differing = 0;
        while (end < client->arrival_count && client->arrivals[end].tick == next) {
            end++;
        }
        if (end > at && result == KN_OK) {
            result = arrivals_take(client, client->arrivals + at, end - at, &differing, is_clean);
        }
        client->stats.corrected += differing;
        *is_clean = *is_clean && differing == 0;
        at = end;
    }
    return result;
}

// Simulates the ticks from what is confirmed to the present again.
static kn_result resimulate(kn_client *client)
{
    kn_result result = KN_OK;
    for (uint64_t tick = client->confirmed + 1; tick <= client->tick && result == KN_OK; tick++) {
        result = tick_predicted(client, tick, &client->fresh);
        client->stats.resimulated++;
    }
    return result;
}

// Commands that were not carried out yet at the confirmed tick will be, again.
static void commands_undo(kn_client *client)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        client_command *command = &client->commands[i];
        bool is_confirmed = command->is_answered && command->answer == KN_OK &&
                            command->answer_tick <= client->confirmed;
        command->done = is_confirmed ? command->done : 0;
    }
}

// From what is confirmed to the news. If that fails on the way, it can be done again.
static kn_result news_take(kn_client *client, bool *is_clean)
{
    uint64_t confirmed = client->confirmed;
    kn_result result = *is_clean ? state_keep(client, &client->predicted) : KN_OK;
    result = result == KN_OK ? state_restore(client, &client->kept) : result;
    kni_reports_clear(client, &client->fresh);
    result = result == KN_OK ? confirm(client, is_clean) : result;
    result = result == KN_OK ? state_keep(client, &client->kept) : result;
    if (result != KN_OK) {
        client->confirmed = confirmed;
        return result;
    }
    kni_arrivals_clear(client);
    return KN_OK;
}

static kn_result reconcile(kn_client *client)
{
    uint64_t before = client->tick;
    bool is_clean =
        commands_agree(client, client->latest) && client->latest <= before && !client->is_torn;
    kn_result result = news_take(client, &is_clean);
    if (result != KN_OK) {
        return result;
    }
    if (is_clean) {
        result = kni_reports_confirm(client);
        result = result == KN_OK ? state_restore(client, &client->predicted) : result;
    } else {
        client->stats.corrections++;
        client->tick = before > client->confirmed ? before : client->confirmed;
        commands_undo(client);
        result = resimulate(client);
        result = result == KN_OK ? kni_reports_compare(client) : result;
    }
    kni_client_commands_settle(client);
    return result;
}

kn_result kni_client_reconcile(kn_client *client)
{
    kn_result result = KN_OK;
    if (client->world == NULL) {
        if (client->arrival_count == 0) {
            return KN_OK;
        }
        arrivals_sort(client);
        result = world_create(client, client->arrivals[0].tick);
    }
    if (result == KN_OK && client->kept.size == 0) {
        result = state_keep(client, &client->kept);
    }
    bool has_news = client->latest > client->confirmed || client->arrival_count > 0;
    if (result == KN_OK && (has_news || client->is_torn)) {
        result = reconcile(client);
        client->is_torn = result != KN_OK;
    }
    return result;
}

kn_result kni_client_predict(kn_client *client)
{
    uint32_t from = client->reports.count;
    client->tick++;
    kn_result result = tick_predicted(client, client->tick, &client->reports);
    client->is_torn = client->is_torn || result != KN_OK;
    return result == KN_OK ? kni_reports_publish(client, &client->reports, from) : result;
}
