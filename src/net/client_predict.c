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
        result = kni_own_note(client, tick);
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
    (void)kn_world_set_predicting(client->world, false);
    result = result == KN_OK ? tick_step(client, tick) : result;
    (void)kn_world_set_predicting(client->world, true);
    result = result == KN_OK ? kni_client_signals(client, tick, false) : result;
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
    result = result == KN_OK ? kni_client_signals(client, tick, true) : result;
    return result == KN_OK ? kni_reports_add(client, list, tick) : result;
}

bool kni_command_agrees(const client_command *command, uint64_t tick)
{
    if (!command->is_answered) {
        return command->done == 0 || command->done > tick; // else it has not arrived there yet
    }
    return command->answer == KN_OK ? command->done == command->answer_tick
                                    : command->done == 0 || command->done_result == command->answer;
}

// Whether the commands went here as the server says they did, up to the tick it speaks of.
static bool commands_agree(const kn_client *client, uint64_t tick)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        if (!kni_command_agrees(&client->commands[i], tick)) {
            return false;
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

// What is written into the world in one tick: entities as the server has them, then those that go.
typedef struct corrections {
    kn_projection *list;
    kn_entity_id *was; // for each: the own entity whose place it takes; null for none
    bool *has_left;    // which go because they are out of sight
    gone_bytes *gone;  // bytes of those that go
    uint32_t count;    // of all
    uint32_t reported; // the first of them, about which the host hears what they change
    uint32_t gone_count;
    uint32_t capacity;
} corrections;

// Room for a number of entities, each of which may take the place of another.
static bool corrections_create(const kn_client *client, corrections *c, uint32_t capacity)
{
    const kn_hooks *hooks = &client->def.hooks;
    *c = (corrections){.capacity = capacity};
    c->list = kn_memory_resize(hooks, NULL, 0, 2 * (size_t)capacity * sizeof(kn_projection));
    c->was = kn_memory_resize(hooks, NULL, 0, capacity * sizeof(kn_entity_id));
    c->has_left = kn_memory_resize(hooks, NULL, 0, capacity * sizeof(bool));
    c->gone = kn_memory_resize(hooks, NULL, 0, capacity * sizeof(gone_bytes));
    return c->list != NULL && c->was != NULL && c->has_left != NULL && c->gone != NULL;
}

static void corrections_free(const kn_client *client, corrections *c)
{
    const kn_hooks *hooks = &client->def.hooks;
    kn_memory_free(hooks, c->list, 2 * (size_t)c->capacity * sizeof(kn_projection));
    kn_memory_free(hooks, c->was, c->capacity * sizeof(kn_entity_id));
    kn_memory_free(hooks, c->has_left, c->capacity * sizeof(bool));
    kn_memory_free(hooks, c->gone, c->capacity * sizeof(gone_bytes));
}

static void corrections_add(corrections *c, const void *bytes, size_t size, kn_entity_id was)
{
    c->was[c->count] = was;
    c->has_left[c->count] = false;
    c->list[c->count++] = (kn_projection){bytes, size};
    c->reported = c->count;
}

// Those that go because others take their place.
static kn_result corrections_add_gone(const kn_client *client, corrections *c)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < c->reported && result == KN_OK; i++) {
        if (c->was[i].index1 != 0) {
            gone_bytes *gone = &c->gone[c->gone_count++];
            result = kni_own_gone(client, c->was[i], gone);
            c->list[c->count++] = (kn_projection){gone->bytes, gone->size};
        }
    }
    return result;
}

static kn_entity_id projection_entity(const kn_projection *projection)
{
    kn_entity_id id = {0};
    (void)kn_projection_entities(projection->bytes, projection->size, &id, 1);
    return id;
}

// Writes corrections, and reports to the host what they change.
static kn_result corrections_write(kn_client *client, const corrections *c, uint64_t tick)
{
    size_t size = c->reported * sizeof(shown);
    shown *before = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (before == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(before, 0, size);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < c->reported && result == KN_OK; i++) {
        kn_entity_id id = projection_entity(&c->list[i]);
        result = kni_shown_take(client, &before[i], c->was[i].index1 != 0 ? c->was[i] : id);
        before[i].entity = id;
    }
    kni_explain_keep(client, before, c->reported);
    result = result == KN_OK ? entities_write(client, c->list, c->count, tick) : result;
    for (uint32_t i = 0; i < c->reported && result == KN_OK; i++) {
        result = kni_shown_take(client, &client->after, before[i].entity);
        replaced r = {before[i].entity, c->was[i], before[i].is_alive, client->after.is_alive};
        kni_explain_entity(client, &r, tick);
        if (result == KN_OK) { // out of sight is not its end, except for its cues
            result = c->has_left[i] ? kni_shown_cues_compare(client, &before[i], &client->after)
                                    : kni_shown_compare(client, &before[i], &client->after);
        }
    }
    for (uint32_t i = 0; i < client->fresh.count; i++) { // 0: it was added just now
        report *r = &client->fresh.data[i];
        r->tick = r->tick != 0 ? r->tick : tick;
    }
    for (uint32_t i = 0; i < c->reported; i++) {
        kni_shown_free(client, &before[i]);
    }
    kn_memory_free(&client->def.hooks, before, size);
    return result;
}

// An entity that arrived, if it differs from what is in the world.
static kn_result arrival_compare_with(
    kn_client *client, const arrival *a, const client_blob *blob, corrections *c)
{
    kn_entity_id id = a->entity, none = {0};
    bool was_alive = kn_entity_is_alive(client->world, id);
    if (a->is_left && was_alive) {
        kn_client_event event = {.kind = KN_CLIENT_LEFT, .tick = a->tick, .entity = id};
        kn_result result = kni_client_event(client, event, NULL, 0);
        if (result != KN_OK) {
            return result;
        }
    }
    if (kn_projection_matches(client->world, blob->bytes, blob->size)) {
        return KN_OK;
    }
    own_entity *own = a->is_left || id.index1 == 0 ? NULL : kni_own_match(client, id);
    corrections_add(c, blob->bytes, blob->size, own != NULL ? own->id : none);
    c->has_left[c->count - 1] = a->is_left;
    if (own != NULL) { // from now on, and in what happened before, it is the server's
        kni_reported_rename(&client->fresh, own->id, id);
        own->id = id;
        own->is_matched = true;
        client->stats.matched++;
    }
    return KN_OK;
}

// The arrivals of one tick, which the world is at. Says how many of them differed, and whether
// cues did.
static kn_result arrivals_take(
    kn_client *client, const arrival *list, uint32_t count, uint32_t *differing, bool *is_clean)
{
    corrections c;
    kn_result result = corrections_create(client, &c, count) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        bool differs = false;
        result = kni_cues_settle(client, &list[i], &differs);
        *is_clean = *is_clean && !differs;
        const client_blob *blob = kni_client_blob(client, list[i].index, list[i].tick);
        if (blob != NULL && !list[i].is_late && result == KN_OK) { // else newer took its place
            kni_own_make_room(client, list[i].index);
            result = arrival_compare_with(client, &list[i], blob, &c);
            client->entities[list[i].index].applied = list[i].tick;
        }
    }
    result = result == KN_OK ? corrections_add_gone(client, &c) : result;
    if (result == KN_OK && c.count > 0) {
        result = corrections_write(client, &c, list[0].tick);
    }
    *differing = c.reported;
    corrections_free(client, &c);
    return result;
}

#define OVERDUE_MAX 32 // own entities that go at once

// Takes away own entities that the server should have sent by now. Says how many.
static kn_result overdue_remove(kn_client *client, uint32_t *count)
{
    kn_entity_id overdue[OVERDUE_MAX], none = {0};
    *count = kni_own_overdue(client, overdue, OVERDUE_MAX);
    if (*count == 0) {
        return KN_OK;
    }
    corrections c;
    kn_result result = corrections_create(client, &c, *count) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < *count && result == KN_OK; i++) {
        result = kni_own_gone(client, overdue[i], &c.gone[i]);
        corrections_add(&c, c.gone[i].bytes, c.gone[i].size, none);
    }
    result = result == KN_OK ? corrections_write(client, &c, client->confirmed) : result;
    client->stats.unmatched += *count;
    corrections_free(client, &c);
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
    def.event_mask = client->def.event_mask | UINT64_C(1) << KN_EVENT_ENTITY_CREATED |
                     UINT64_C(1) << KN_EVENT_COMMAND | UINT64_C(1) << KN_EVENT_CUSTOM |
                     UINT64_C(1) << KN_EVENT_REQUEST; // which the client itself has to see
    def.number_step = 16;
    def.own_entities = client->own_first = kni_own_first(0);
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
    uint64_t unpredicted = kn_world_unpredicted(client->world);
    arrivals_sort(client);
    while (result == KN_OK && (at < client->arrival_count || client->confirmed < client->latest)) {
        uint64_t next = at < client->arrival_count ? client->arrivals[at].tick : client->latest;
        next = kni_checks_next(client, next);
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
        if (result == KN_OK && next == client->confirmed) {
            kni_checks_run(client);
        }
        if (result == KN_OK) {
            kni_views_keep(client);
        }
        client->stats.corrected += differing;
        *is_clean = *is_clean && differing == 0;
        at = end;
    }
    uint32_t overdue = 0;
    result = result == KN_OK ? overdue_remove(client, &overdue) : result;
    *is_clean = *is_clean && overdue == 0 && kn_world_unpredicted(client->world) == unpredicted;
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
    result = result == KN_OK ? kni_own_go_back(client) : result;
    result = result == KN_OK ? state_restore(client, &client->kept) : result;
    kni_reports_clear(&client->fresh);
    result = result == KN_OK ? confirm(client, is_clean) : result;
    result = result == KN_OK ? state_keep(client, &client->kept) : result;
    result = result == KN_OK ? kni_own_keep(client) : result;
    if (result != KN_OK) {
        client->confirmed = confirmed;
        return result;
    }
    kni_arrivals_clear(client);
    client->check_count = 0;
    return KN_OK;
}

static kn_result reconcile(kn_client *client)
{
    uint64_t before = client->tick;
    bool is_clean =
        commands_agree(client, client->latest) && client->latest <= before && !client->is_torn;
    kni_explain_begin(client);
    kn_result result = news_take(client, &is_clean);
    if (result != KN_OK) {
        kni_explain_end(client, false);
        return result;
    }
    if (is_clean) {
        result = kni_reports_confirm(client);
        result = result == KN_OK ? state_restore(client, &client->predicted) : result;
        kni_own_restore(client);
    } else {
        client->stats.corrections++;
        client->tick = before > client->confirmed ? before : client->confirmed;
        commands_undo(client);
        result = resimulate(client);
        kni_explain_commands(client);
        result = result == KN_OK ? kni_own_rename(client) : result;
        result = result == KN_OK ? kni_reports_compare(client) : result;
    }
    kni_explain_end(client, true);
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
