// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands that the rules of the client's world ask for.
//
// Sync points: when an activation reaches one on which the server waits, the client sends a command
// for the tick in which that happened. The server carries it out at the beginning of that tick, and
// so finds the signal when it reaches the point itself: both go on at the same simulated time.
//
// Custom events with a command: it is for the tick after the event, as if the player had given it.

#include "client.h"

// Whether the same signal is on its way: a tick that is simulated again reaches its points again.
static bool signal_is_known(const kn_client *client, const client_command *signal)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        const client_command *command = &client->commands[i];
        if (command != signal && command->is_signal && command->size == signal->size &&
            memcmp(command->bytes, signal->bytes, signal->size) == 0) {
            return true;
        }
    }
    return false;
}

// Adds a command of the rules, unless it is on its way.
static kn_result signal_add(
    kn_client *client, const kn_command *command, uint64_t tick, client_command **added)
{
    kn_result result = kni_client_command_add(client, command, tick, added, NULL);
    if (result != KN_OK) {
        return result;
    }
    (*added)->is_signal = true;
    if (signal_is_known(client, *added)) {
        kn_memory_free(&client->def.hooks, (*added)->bytes, (*added)->size);
        client->command_count--;
        client->next_sequence--;
        *added = NULL;
    }
    return KN_OK;
}

static kn_result signal_send(
    kn_client *client, const kn_event *event, uint64_t tick, bool is_predicted)
{
    kn_command_sync sync = {.ability = event->data.request.ability,
        .use = event->data.request.use,
        .point = event->data.request.point};
    kn_command command = {.type = kn_command_type_sync(),
        .entity = event->entity,
        .payload = &sync,
        .size = sizeof(sync)};
    client_command *added;
    kn_result result = signal_add(client, &command, tick, &added);
    if (result == KN_OK && added != NULL && is_predicted) {
        added->done = tick; // the world has gone on as if it had been carried out
    }
    // What cannot be sent ends with the time limit of the server.
    return result == KN_ERROR_OUT_OF_MEMORY ? result : KN_OK;
}

static kn_result event_send(kn_client *client, const kn_event *event, uint64_t tick)
{
    const kn_custom_event_def *def =
        kn_custom_event_get_def(client->def.library, event->data.custom.kind);
    if (def->command.index1 == 0 || client->state != CLIENT_JOINED || client->is_spectator) {
        return KN_OK;
    }
    kn_command command = {.type = def->command, .entity = event->entity};
    command.payload = kn_event_payload(client->world, event, &command.size);
    client_command *added;
    kn_result result = signal_add(client, &command, tick + 1, &added);
    return result == KN_ERROR_OUT_OF_MEMORY ? result : KN_OK;
}

kn_result kni_client_signals(kn_client *client, uint64_t tick, bool is_predicted)
{
    kn_events events = kn_world_events(client->world);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < events.count && result == KN_OK; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_REQUEST &&
            (event->data.request.parts & KN_REQUEST_PART_SYNC) != 0) {
            result = signal_send(client, event, tick, is_predicted);
        } else if (event->type == KN_EVENT_CUSTOM) {
            result = event_send(client, event, tick);
        }
    }
    return result;
}
