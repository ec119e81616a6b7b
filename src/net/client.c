// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The client session: joining and leaving, the clock, commands on their way.

#include "client.h"

#define CLIENT_COOKIE 0x4b4e434cu
#define CATCH_UP_MAX 16       // ticks in one update
#define COMMANDS_SENT_MAX 32  // in one datagram
#define COMMAND_HEADER_MAX 96 // bytes of a datagram with one command, besides it
#define DATAGRAM_MIN 256
#define CONNECTION_MAX (2u * 65535) // numbers of connections

kn_client_def kn_client_def_default(void)
{
    return (kn_client_def){
        .datagram_bytes = 1200,
        .timeout = 10000000,
        .lead_max = 1000000,
        .margin = 5000,
        .predicted_time = 1000000,
        .event_mask = kn_world_def_default().event_mask,
        .cookie = CLIENT_COOKIE,
    };
}

static bool def_is_good(const kn_client_def *def)
{
    return def != NULL && def->cookie == CLIENT_COOKIE && def->library != NULL &&
           kn_library_is_finished(def->library) && def->datagram_bytes >= DATAGRAM_MIN &&
           def->datagram_bytes <= KN_NET_LINK_DATAGRAM_MAX &&
           def->hello_size <= KN_SESSION_HELLO_MAX &&
           (def->hello != NULL || def->hello_size == 0) && def->timeout > 0 && def->lead_max > 0 &&
           def->margin >= 0 && (uint32_t)def->view < KN_CLIENT_VIEW_COUNT &&
           def->predicted_time >= 0 && def->predicted_time <= KN_TIME_MAX / 256;
}

kn_result kn_client_create(const kn_client_def *def, kn_client **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || !def_is_good(def)) {
        KN_ASSERT(out != NULL && def != NULL && def->library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_client *client = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*client));
    if (client == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(client, 0, sizeof(*client));
    client->def = *def;
    if (def->hello_size > 0) {
        memcpy(client->hello, def->hello, def->hello_size);
    }
    kn_net_link_def link = kn_net_link_def_default();
    link.hooks = def->hooks;
    link.protocol_id = def->protocol_id;
    link.datagram_bytes = def->datagram_bytes;
    link.message_share = kni_message_share(def->datagram_bytes);
    client->scratch = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    client->unpacked = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    if (client->scratch == NULL || client->unpacked == NULL ||
        kn_net_link_create(&link, &client->link) != KN_OK || !kni_explain_create(client)) {
        kn_client_destroy(client);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = client;
    return KN_OK;
}

void kn_client_destroy(kn_client *client)
{
    if (client == NULL) {
        return;
    }
    kn_hooks hooks = client->def.hooks;
    for (uint32_t i = 0; i < client->command_count; i++) {
        kn_memory_free(&hooks, client->commands[i].bytes, client->commands[i].size);
    }
    kn_memory_free(&hooks, client->commands, client->command_capacity * sizeof(client_command));
    kni_client_entities_free(client);
    kni_own_free(client);
    kni_views_free(client);
    kni_explain_free(client);
    kni_client_events_free(client);
    kn_memory_free(&hooks, client->kept.data, client->kept.capacity);
    kn_memory_free(&hooks, client->predicted.data, client->predicted.capacity);
    kn_memory_free(&hooks, client->scratch, client->def.datagram_bytes);
    kn_memory_free(&hooks, client->unpacked, client->def.datagram_bytes);
    kn_memory_free(&hooks, client->bases, client->base_capacity);
    for (uint32_t i = 0; i < CLIENT_BOOKS; i++) {
        kn_memory_free(&hooks, client->books[i], sizeof(pack_book));
    }
    kn_net_link_destroy(client->link);
    kn_world_destroy(client->world);
    kn_memory_free(&hooks, client, sizeof(*client));
}

// Messages ------------------------------------------------------------------

static kn_result client_close(kn_client *client, kn_close_reason reason)
{
    if (client->state == CLIENT_CLOSED) {
        return KN_OK;
    }
    client->state = CLIENT_CLOSED;
    client->reason = reason;
    return kni_client_event(
        client, (kn_client_event){.kind = KN_CLIENT_CLOSED, .reason = reason}, NULL, 0);
}

static kn_result hello_send(kn_client *client)
{
    uint8_t bytes[KN_SESSION_HELLO_MAX + 32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_HELLO);
    kni_write_number(&out, KN_SESSION_VERSION);
    kn_write_u64(&out, kn_library_hash(client->def.library));
    kn_write_bytes(&out, client->hello, client->def.hello_size);
    return kn_net_link_send(client->link, bytes, out.length);
}

static kn_result welcome_read(kn_client *client, kn_reader *in)
{
    uint64_t connection = kni_read_number(in), rate = kni_read_number(in);
    uint64_t send_every = kni_read_number(in), base = kn_read_u64(in);
    uint8_t flags = kn_read_u8(in);
    uint64_t view_delay = kni_read_number(in);
    if (in->failed || client->state != CLIENT_JOINING || connection == 0 ||
        connection > CONNECTION_MAX || (flags & ~WELCOME_FLAGS) != 0 ||
        rate < KN_SESSION_RATE_MIN || rate > KN_SESSION_RATE_MAX || send_every == 0 ||
        send_every > 16 || base > KN_TIME_MAX / 2 || view_delay > 1000000) {
        client->stats.bad++;
        return KN_OK;
    }
    client->state = CLIENT_JOINED;
    client->connection = (uint32_t)connection;
    client->rate = (uint32_t)rate;
    client->send_every = (uint32_t)send_every;
    client->base = (kn_time)base;
    client->is_spectator = (flags & WELCOME_SPECTATOR) != 0;
    client->is_paused = (flags & WELCOME_PAUSED) != 0;
    client->views.delay = (kn_time)view_delay;
    return kni_client_event(client, (kn_client_event){.kind = KN_CLIENT_JOINED}, NULL, 0);
}

// The server says why it is over.
static kn_result close_read(kn_client *client, kn_reader *in)
{
    uint8_t reason = kn_read_u8(in);
    size_t size = in->failed ? 0 : in->size - in->at;
    bool is_known = !in->failed && reason > KN_CLOSE_NONE && reason < KN_CLOSE_COUNT;
    for (size_t i = 0; i < size && i < KN_CLOSE_TEXT_MAX - 1 && client->state != CLIENT_CLOSED;
         i++) {
        uint8_t c = kn_read_u8(in);
        client->text[i] = (char)(c < ' ' || c == 127 ? '?' : c); // it ends up in logs
    }
    return client_close(client, !is_known                 ? KN_CLOSE_LEFT
                                : reason == KN_CLOSE_HOST ? KN_CLOSE_LEFT
                                                          : (kn_close_reason)reason);
}

static kn_result pause_read(kn_client *client, kn_reader *in)
{
    uint8_t is_paused = kn_read_u8(in);
    if (in->failed || is_paused > 1 || client->state != CLIENT_JOINED) {
        client->stats.bad++;
        return KN_OK;
    }
    if (client->is_paused == (is_paused != 0)) {
        return KN_OK;
    }
    client->is_paused = is_paused != 0;
    kn_client_event event = {
        .kind = client->is_paused ? KN_CLIENT_PAUSED : KN_CLIENT_RESUMED, .tick = client->tick};
    return kni_client_event(client, event, NULL, 0);
}

// The server wants to know where the libraries differ.
static kn_result compare_read(kn_client *client, const kn_reader *in)
{
    kn_writer count = {0};
    if (client->state != CLIENT_JOINING || !kni_compare_answer(client->def.library, *in, &count)) {
        client->stats.bad++;
        return KN_OK;
    }
    size_t size = count.length + 1;
    uint8_t *bytes = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (bytes == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_writer out = {bytes, size, 0};
    kn_write_u8(&out, WIRE_LIBRARY);
    (void)kni_compare_answer(client->def.library, *in, &out);
    kn_result result = kn_net_link_send(client->link, bytes, size);
    kn_memory_free(&client->def.hooks, bytes, size);
    return result == KN_REFUSED_LIMIT ? KN_OK : result;
}

static kn_result message_read(kn_client *client, const kn_net_link_message *message)
{
    kn_reader in = {.data = message->bytes, .size = message->size};
    switch (kn_read_u8(&in)) {
    case WIRE_WELCOME:
        return welcome_read(client, &in);
    case WIRE_CLOSE:
        return close_read(client, &in);
    case WIRE_COMPARE:
        return compare_read(client, &in);
    case WIRE_PAUSE:
        return pause_read(client, &in);
    case WIRE_ENTITY: {
        uint64_t tick = kni_read_number(&in);
        kn_result result = KN_OK;
        if (client->state == CLIENT_JOINED) {
            result = kni_client_entity(client, &in, tick);
            client->stats.bad += in.failed;
        }
        return result;
    }
    case WIRE_USER:
        if (client->state != CLIENT_JOINED) {
            return KN_OK;
        }
        return kni_client_event(client, (kn_client_event){.kind = KN_CLIENT_MESSAGE},
            in.data + in.at, (uint32_t)(in.size - in.at));
    case WIRE_BOOK:
        return kni_client_book(client, &in);
    default:
        client->stats.bad++;
        return KN_OK;
    }
}

kn_result kn_client_receive(kn_client *client, kn_time now, const void *bytes, size_t size)
{
    if (client == NULL) {
        KN_ASSERT(client != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_net_link_view view;
    now = kni_clock(&client->time, now);
    kn_result result = kn_net_link_read(client->link, now, bytes, size, &view);
    if (result != KN_OK) {
        return result;
    }
    kn_net_link_message message;
    while (result == KN_OK && kn_net_link_next_message(client->link, &message)) {
        result = message_read(client, &message);
    }
    if (result == KN_OK && client->state != CLIENT_CLOSED && view.size > 0) {
        kn_reader in = {.data = view.payload, .size = view.size};
        if (client->state == CLIENT_JOINED) {
            result = kni_client_payload(client, &in, view.is_newest);
        } else { // the welcome was lost
            uint8_t book = kn_read_u8(&in);
            kni_client_lost(client, book == 0 ? kni_read_number(&in) : 0);
        }
    }
    return result;
}

// The clock -----------------------------------------------------------------

static void clock_advance(kn_client *client, kn_time now)
{
    if (!client->has_clock) {
        client->has_clock = true;
        client->begun = now;
        client->now = now;
    }
    kn_time passed = now > client->now ? now - client->now : 0;
    client->now = now;
    client->views.passed += passed;
    if (!client->is_paused) {
        client->clock += passed + passed / 1000 * client->speed_ppm / 1000;
    }
}

// Runs the ticks that are due, but not too far ahead of what the server said.
static kn_result ticks_run(kn_client *client)
{
    kn_result result = KN_OK;
    uint64_t ahead = (uint64_t)client->def.lead_max * client->rate / 1000000;
    uint64_t limit = client->confirmed + (ahead > 0 ? ahead : 1);
    uint32_t count = 0;
    while (result == KN_OK && count < CATCH_UP_MAX && client->tick < limit && !client->is_paused &&
           client->clock >= kni_tick_time(client->tick + 1, client->rate)) {
        result = kni_client_predict(client);
        count++;
    }
    kn_time most = kni_tick_time(client->tick + 1, client->rate);
    if (client->tick >= limit && client->clock > most) { // it has to wait for the server
        client->clock = most;
    }
    return result;
}

kn_result kn_client_update(kn_client *client, kn_time now)
{
    if (client == NULL) {
        KN_ASSERT(client != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    now = kni_clock(&client->time, now);
    clock_advance(client, now);
    kn_time heard = kn_net_link_get_state(client->link).heard;
    heard = heard > client->begun ? heard : client->begun;
    if (client->state != CLIENT_CLOSED && now - heard > client->def.timeout) {
        return client_close(client, KN_CLOSE_TIMEOUT);
    }
    if (client->state != CLIENT_JOINED) {
        return KN_OK;
    }
    kni_client_resync_lost(client);
    uint64_t before = client->tick;
    kn_result result = kni_client_reconcile(client);
    if (result == KN_OK && client->world != NULL) {
        kn_time least = kni_tick_time(client->tick, client->rate);
        if (client->tick > before && client->clock < least) { // the server was ahead
            client->clock = least;
        }
        result = ticks_run(client);
        kni_views_advance(client);
    }
    return result;
}

// Datagrams -----------------------------------------------------------------

static void payload_write(const kn_client *client, kn_writer *out)
{
    kni_write_number(out, client->tick);
    kni_write_number(out, client->answered);
    uint32_t first = 0, count = 0;
    while (first < client->command_count && client->commands[first].sequence <= client->received) {
        first++;
    }
    size_t size = out->length + 16;
    while (first + count < client->command_count && count < COMMANDS_SENT_MAX &&
           size + client->commands[first + count].size + 16 <= out->size) {
        size += client->commands[first + count].size + 16;
        count++;
    }
    kni_write_number(out, count > 0 ? client->commands[first].sequence : 0);
    kni_write_number(out, count);
    for (uint32_t i = first; i < first + count; i++) {
        const client_command *command = &client->commands[i];
        kni_write_number(out, command->tick);
        kni_write_number(out, command->size);
        kn_write_bytes(out, command->bytes, command->size);
    }
}

// Whether a client that is closed still has something to say: that it leaves, or that it heard.
static bool closed_writes(const kn_client *client, const kn_net_link_state *state, kn_time now)
{
    kn_time heard = state->heard > client->begun ? state->heard : client->begun;
    if (client->reason == KN_CLOSE_HOST) {
        return state->waiting_bytes > 0 && now - heard <= client->def.timeout;
    }
    return client->reason != KN_CLOSE_TIMEOUT && state->unanswered > 0;
}

kn_result kn_client_write(
    kn_client *client, kn_time now, void *buffer, size_t capacity, size_t *size)
{
    *size = 0;
    if (client == NULL) {
        KN_ASSERT(client != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!client->has_greeted) {
        kn_result result = hello_send(client);
        if (result != KN_OK) {
            return result;
        }
        client->has_greeted = true;
    }
    now = kni_clock(&client->time, now);
    kn_net_link_state state = kn_net_link_get_state(client->link);
    if (client->state == CLIENT_CLOSED && !closed_writes(client, &state, now)) {
        return KN_REFUSED_NOT_FOUND;
    }
    bool is_due = client->state == CLIENT_JOINED && client->world != NULL &&
                  client->tick > client->written_tick;
    uint32_t patience = client->state == CLIENT_CLOSED && client->reason != KN_CLOSE_HOST ? 1 : 2;
    bool is_silent = client->is_paused && client->state == CLIENT_JOINED &&
                     now - client->written_at >= client->def.timeout / 8;
    if (!is_due && !is_silent && !state.has_work && state.unanswered < patience &&
        !kni_link_is_idle(&state, client->written_at, now)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_writer out = {client->scratch, kn_net_link_space(client->link), 0};
    if (is_due && out.size >= 64) {
        payload_write(client, &out);
        client->written_tick = client->tick;
    }
    if (out.length > out.size) {
        out.length = 0;
    }
    kn_result result = kn_net_link_write(
        client->link, now, client->scratch, out.length, buffer, capacity, size, NULL);
    client->written_at = result == KN_OK ? now : client->written_at;
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(client->link, &sequence, &was_received)) {
    }
    return result == KN_REFUSED_LIMIT ? KN_REFUSED_NOT_FOUND : result;
}

// The player ----------------------------------------------------------------

// A command as bytes, with places instead of ids that only this machine knows.
static kn_result command_encode(
    kn_client *client, const kn_command *command, uint8_t **bytes, uint32_t *size, kn_error *error)
{
    const kn_library *library = client->def.library;
    const kn_hooks *hooks = &client->def.hooks;
    kn_result result = kn_command_check(library, command, error);
    if (result != KN_OK) {
        return result;
    }
    kn_command plain = *command;
    plain.connection = plain.sequence = 0;
    plain.view = plain.view != 0 ? plain.view : kni_views_stamp(client);
    *size = kn_command_write(library, &plain, NULL, 0);
    uint32_t share = kni_message_share(client->def.datagram_bytes);
    if (*size + share + COMMAND_HEADER_MAX > client->def.datagram_bytes) {
        return kn_error_set(error, KN_REFUSED_LIMIT, "the command does not fit into a datagram");
    }
    *bytes = kn_memory_resize(hooks, NULL, 0, *size);
    if (*bytes == NULL) {
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory: no command");
    }
    (void)kn_command_write(library, &plain, *bytes, *size);
    kn_command_data *data = &client->command;
    result = kn_command_read(library, *bytes, *size, data, error);
    result = result == KN_OK ? kn_command_to_places(client->world, data) : result;
    uint32_t placed = result == KN_OK ? kn_command_write(library, &data->command, NULL, 0) : 0;
    uint8_t *exact = placed > 0 ? kn_memory_resize(hooks, *bytes, *size, placed) : NULL;
    if (exact == NULL) {
        kn_memory_free(hooks, *bytes, *size);
        return result != KN_OK ? result : KN_ERROR_OUT_OF_MEMORY;
    }
    *bytes = exact;
    *size = kn_command_write(library, &data->command, exact, placed);
    return KN_OK;
}

kn_result kni_client_command_add(kn_client *client, const kn_command *command, uint64_t tick,
    client_command **added, kn_error *error)
{
    *added = NULL;
    if (client->command_count >= COMMANDS_UNANSWERED) {
        return kn_error_set(error, KN_REFUSED_LIMIT, "too many commands wait for the server");
    }
    uint8_t *bytes = NULL;
    uint32_t size = 0;
    kn_result result = command_encode(client, command, &bytes, &size, error);
    if (result != KN_OK) {
        return result;
    }
    const kn_hooks *hooks = &client->def.hooks;
    if (!kn_memory_grow(hooks, &client->commands, &client->command_capacity,
            client->command_count + 1, sizeof(client_command))) {
        kn_memory_free(hooks, bytes, size);
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory: no command");
    }
    *added = &client->commands[client->command_count++];
    **added = (client_command){
        .sequence = ++client->next_sequence, .size = size, .bytes = bytes, .tick = tick};
    return KN_OK;
}

kn_result kn_client_command(
    kn_client *client, const kn_command *command, uint32_t *sequence, kn_error *error)
{
    if (sequence != NULL) {
        *sequence = 0;
    }
    if (client == NULL || command == NULL) {
        KN_ASSERT(client != NULL && command != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (client->state != CLIENT_JOINED || client->world == NULL) {
        return kn_error_set(error, KN_REFUSED_BLOCKED, "the client has not joined");
    }
    if (client->is_spectator) {
        return kn_error_set(error, KN_REFUSED_BLOCKED, "the client is a spectator");
    }
    if (client->is_paused) {
        return kn_error_set(error, KN_REFUSED_BLOCKED, "the game is paused");
    }
    client_command *added;
    kn_result result = kni_client_command_add(client, command, client->tick + 1, &added, error);
    if (added != NULL && sequence != NULL) {
        *sequence = added->sequence;
    }
    return result;
}

uint32_t kn_client_pending_commands(
    const kn_client *client, kn_client_pending *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; client != NULL && i < client->command_count; i++) {
        const client_command *command = &client->commands[i];
        if (command->is_answered) {
            continue;
        }
        if (count < capacity) {
            out[count] = (kn_client_pending){
                command->sequence, command->tick, command->sequence <= client->received};
        }
        count++;
    }
    return count;
}

kn_result kn_client_send(kn_client *client, const void *bytes, uint32_t size)
{
    if (client == NULL || (bytes == NULL && size > 0)) {
        KN_ASSERT(client != NULL && (bytes != NULL || size == 0));
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (client->state != CLIENT_JOINED) {
        return KN_REFUSED_BLOCKED;
    }
    uint8_t *copy = kn_memory_resize(&client->def.hooks, NULL, 0, (size_t)size + 1);
    if (copy == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    copy[0] = WIRE_USER;
    if (size > 0) {
        memcpy(copy + 1, bytes, size);
    }
    kn_result result = kn_net_link_send(client->link, copy, (size_t)size + 1);
    kn_memory_free(&client->def.hooks, copy, (size_t)size + 1);
    return result;
}

void kn_client_leave(kn_client *client)
{
    if (client == NULL || client->is_leaving || client->state == CLIENT_CLOSED) {
        return;
    }
    uint8_t message = WIRE_LEAVE;
    client->is_leaving = true;
    kn_result result = kn_net_link_send(client->link, &message, sizeof(message));
    (void)result; // without room for it, silence says the same later
    (void)client_close(client, KN_CLOSE_HOST);
}

// Looking at it --------------------------------------------------------------

kn_world *kn_client_world(kn_client *client)
{
    return client != NULL ? client->world : NULL;
}

uint32_t kn_client_connection(const kn_client *client)
{
    return client != NULL ? client->connection : 0;
}

uint64_t kn_client_tick(const kn_client *client)
{
    return client != NULL ? client->tick : 0;
}

kn_close_reason kn_client_closed(const kn_client *client)
{
    return client != NULL ? client->reason : KN_CLOSE_NONE;
}

bool kn_client_is_spectator(const kn_client *client)
{
    return client != NULL && client->is_spectator;
}

bool kn_client_is_paused(const kn_client *client)
{
    return client != NULL && client->is_paused;
}

kn_client_stats kn_client_get_stats(const kn_client *client)
{
    if (client == NULL) {
        return (kn_client_stats){0};
    }
    kn_client_stats stats = client->stats;
    stats.link = kn_net_link_get_stats(client->link);
    stats.confirmed = client->confirmed;
    stats.lead = (uint32_t)(client->tick - client->confirmed);
    stats.margin = client->margin;
    stats.speed_ppm = client->speed_ppm;
    return stats;
}
