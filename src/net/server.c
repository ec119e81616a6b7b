// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The server session: connections, the clock, commands and their answers.

#include "server.h"

#define SERVER_COOKIE 0x4b4e5356u
#define CATCH_UP_MAX 8 // ticks in one update
#define DATAGRAM_MIN 256
#define RESYNC_WORK_MAX 512 // entities that a client may ask for again in a tick
#define PAUSE_SEND 100000   // microseconds between datagrams while the game is paused
#define UNANSWERED_MAX 12   // datagrams of a client that wait for their acknowledgement
#define QUIET_RATE 6        // datagrams per second while there is nothing to say

kn_server_def kn_server_def_default(void)
{
    return (kn_server_def){
        .rate = 60,
        .send_every = 2,
        .connection_limit = 64,
        .datagram_bytes = 1200,
        .bytes_per_second = 60000,
        .burst_bytes = 120000,
        .timeout = 10000000,
        .command_rate = 50,
        .command_age = 2000000,
        .checks_per_second = 8,
        .keep_time = 30000000,
        .relevance_every = 10,
        .view_delay = 100000,
        .rewind_max = 250000,
        .rewind_tolerance = 25000,
        .tolerance_factor = 0.5f,
        .tolerance_cap = KN_TOLERANCE_CAP,
        .cookie = SERVER_COOKIE,
    };
}

const char *kn_close_reason_name(kn_close_reason reason)
{
    static const char *const names[KN_CLOSE_COUNT] = {"none", "host", "left", "timeout", "version",
        "library", "full", "refused", "abuse", "replaced", "duplicate", "settings", "world"};
    return (uint32_t)reason < KN_CLOSE_COUNT ? names[reason] : "unknown";
}

static bool def_is_good(const kn_server_def *def)
{
    return def != NULL && def->cookie == SERVER_COOKIE && def->world != NULL &&
           def->rate >= KN_SESSION_RATE_MIN && def->rate <= KN_SESSION_RATE_MAX &&
           def->send_every >= 1 && def->send_every <= 16 && def->connection_limit >= 1 &&
           def->connection_limit <= 65535 && def->datagram_bytes >= DATAGRAM_MIN &&
           def->datagram_bytes <= KN_NET_LINK_DATAGRAM_MAX && def->bytes_per_second >= 1000 &&
           def->burst_bytes >= def->datagram_bytes && def->timeout > 0 && def->command_rate > 0 &&
           def->relevance_every > 0 && def->tolerance_factor >= 0.0f &&
           def->tolerance_factor <= 1.0f && def->tolerance_cap >= 0 &&
           def->tolerance_cap <= KN_TIME_MAX && (uint32_t)def->mode < KN_SYNC_MODE_COUNT &&
           def->checks_per_second <= CHECKS_PER_SECOND_MAX && def->command_age > 0 &&
           def->keep_time >= 0 && kni_relevance_rules_are_good(&def->relevance) &&
           (uint32_t)def->second_connection < KN_SECOND_COUNT && kni_rewind_is_good(def);
}

// Events --------------------------------------------------------------------

kn_result kni_server_event(
    kn_server *server, kn_server_event event, const void *bytes, uint32_t size)
{
    return kni_queue_add(&server->events, &server->def.hooks, &event, sizeof(event), bytes, size);
}

bool kn_server_next_event(kn_server *server, kn_server_event *event)
{
    *event = (kn_server_event){.text = ""};
    queue_bytes bytes;
    if (server == NULL ||
        !kni_queue_next(&server->events, &server->def.hooks, event, sizeof(*event), &bytes)) {
        return false;
    }
    event->text = "";
    if (event->kind == KN_SERVER_ANSWER) {
        event->lines = (const kn_refusal_line *)(const void *)bytes.data;
    } else if (event->kind == KN_SERVER_LEFT || event->kind == KN_SERVER_REFUSED) {
        event->text = (const char *)bytes.data;
    } else {
        event->bytes = bytes.data;
        event->size = bytes.size;
    }
    return true;
}

// Messages ------------------------------------------------------------------

// The client asks for something again. More of that than an honest one needs is refused.
static void resync_read(kn_server *server, connection *c, kn_reader *in)
{
    uint64_t index = kni_read_number(in), tick = kni_read_number(in);
    bool is_whole = kn_read_u8(in) != 0;
    if (in->failed || index > UINT32_MAX || c->state != CONNECTION_JOINED ||
        c->resync_work > RESYNC_WORK_MAX) {
        kni_connection_bad(server, c);
        return;
    }
    bool is_all = index == RESYNC_ALL;
    c->resync_work += is_all ? RESYNC_WORK_MAX / 4 : 1;
    uint32_t first = is_all ? 0 : (uint32_t)index;
    uint32_t end = is_all ? c->view_capacity : (uint32_t)index + 1;
    for (uint32_t i = first; i < end; i++) {
        kni_connection_resync(server, c, i, tick, is_whole);
    }
}

static kn_result message_read(kn_server *server, connection *c, const kn_net_link_message *message)
{
    kn_reader in = {.data = message->bytes, .size = message->size};
    switch (kn_read_u8(&in)) {
    case WIRE_HELLO:
        return kni_connection_hello(server, c, &in);
    case WIRE_RESYNC:
        resync_read(server, c, &in);
        return KN_OK;
    case WIRE_LEAVE:
        kni_connection_leave(server, c);
        return KN_OK;
    case WIRE_LIBRARY:
        kni_connection_compare(server, c, &in);
        return KN_OK;
    case WIRE_USER:
        if (c->state == CONNECTION_JOINED) {
            return kni_server_event(server,
                (kn_server_event){
                    .kind = KN_SERVER_MESSAGE, .connection = kni_connection_number(server, c)},
                in.data + in.at, (uint32_t)(in.size - in.at));
        }
        return KN_OK;
    default:
        kni_connection_bad(server, c);
        return KN_OK;
    }
}

// Commands ------------------------------------------------------------------

// Whether a connection may send one more command now.
static bool rate_allows(const kn_server *server, connection *c, kn_time now)
{
    kn_time each = 1000000 / (kn_time)server->def.command_rate;
    kn_time earliest = now - 1000000;
    c->command_time = c->command_time > earliest ? c->command_time : earliest;
    if (c->command_time > now) {
        return false;
    }
    c->command_time += each;
    return true;
}

static kn_result command_take(kn_server *server, connection *c, kn_time now, uint64_t tick,
    const uint8_t *bytes, uint32_t size)
{
    const kn_hooks *hooks = &server->def.hooks;
    uint32_t sequence = c->received + 1; // without memory it comes again
    if (!kn_memory_grow(
            hooks, &c->answers, &c->answer_capacity, sequence - c->answered, sizeof(answer))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint64_t age = server->tick > tick ? server->tick - tick : 0;
    bool is_old = kni_tick_time(age, server->def.rate) > server->def.command_age;
    bool is_far = tick > server->tick + 2 * (uint64_t)server->def.rate;
    if (c->is_spectator || is_old || is_far || !rate_allows(server, c, now)) {
        kn_result refused = c->is_spectator ? KN_REFUSED_BLOCKED : KN_REFUSED_LIMIT;
        c->received = sequence;
        c->stats.commands_refused++;
        return kni_answer_add(server, c, sequence, refused, NULL);
    }
    uint8_t *copy = kn_memory_resize(hooks, NULL, 0, size);
    if (copy == NULL || !kn_memory_grow(hooks, &c->waiting, &c->waiting_capacity,
                            c->waiting_count + 1, sizeof(waiting_command))) {
        kn_memory_free(hooks, copy, size);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, bytes, size);
    kn_time oldest = kni_view_oldest(server, c, now);
    c->waiting[c->waiting_count++] = (waiting_command){tick, sequence, size, copy, oldest};
    c->received = sequence;
    return KN_OK;
}

static kn_result commands_read(kn_server *server, connection *c, kn_time now, kn_reader *in)
{
    uint64_t sequence = kni_read_number(in), count = kni_read_number(in);
    kn_result result = KN_OK;
    for (uint64_t i = 0; i < count && result == KN_OK && !in->failed; i++, sequence++) {
        uint64_t tick = kni_read_number(in), size = kni_read_number(in);
        in->failed = in->failed || size == 0 || size > KN_COMMAND_BYTES_MAX + 256;
        const uint8_t *bytes = in->failed ? NULL : kn_read_bytes(in, (size_t)size);
        in->failed = in->failed || sequence == 0 || sequence > (uint64_t)c->received + 1;
        if (in->failed || sequence <= c->received) { // malformed, or known already
            c->stats.commands_repeated += !in->failed;
            continue;
        }
        if (sequence - c->answered > COMMANDS_UNANSWERED) {
            in->failed = true; // more than a client can have
        } else {
            result = command_take(server, c, now, tick, bytes, (uint32_t)size);
        }
    }
    return result;
}

static kn_result payload_read(
    kn_server *server, connection *c, kn_time now, const kn_net_link_view *news)
{
    kn_reader in = {.data = news->payload, .size = news->size};
    uint64_t tick = kni_read_number(&in), answered = kni_read_number(&in);
    if (in.failed || answered > c->received) {
        kni_connection_bad(server, c);
        return KN_OK;
    }
    if (news->is_newest) {
        kn_time due =
            server->clock + kni_tick_time(tick < server->tick + 10000 ? tick : 0, server->def.rate);
        c->margin = due - now;
        c->stats.margin = c->margin;
        c->has_heard = true;
        kni_connection_ping(c, now);
    }
    kni_answers_drop(server, c, (uint32_t)answered);
    kn_result result = commands_read(server, c, now, &in);
    if (in.failed || (result == KN_OK && in.at != in.size)) {
        kni_connection_bad(server, c);
    }
    return result;
}

kn_result kn_server_receive(
    kn_server *server, kn_time now, uint32_t number, const void *bytes, size_t size)
{
    connection *c = kni_connection_find(server, number);
    if (c == NULL || c->is_local) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_net_link_view news;
    now = kni_clock(&server->time, now);
    kn_result result = kn_net_link_read(c->link, now, bytes, size, &news);
    if (result != KN_OK) {
        return result;
    }
    kn_net_link_message message;
    while (result == KN_OK && c->state != CONNECTION_CLOSING &&
           kn_net_link_next_message(c->link, &message)) {
        result = message_read(server, c, &message);
    }
    if (result == KN_OK && c->state == CONNECTION_JOINED && news.size > 0) {
        result = payload_read(server, c, now, &news);
    }
    return result;
}

kn_result kni_server_command(kn_server *server, const kn_command *command)
{
    kn_recording *recording = server->def.recording;
    return recording != NULL ? kn_recording_command(recording, command, NULL)
                             : kn_world_command(server->def.world, command, NULL);
}

// Gives the world one command. What cannot be a command is answered at once.
static kn_result command_issue(kn_server *server, connection *c, const waiting_command *waiting)
{
    kn_command_data *data = &server->command;
    kn_result result = kn_command_read(
        kn_world_library(server->def.world), waiting->bytes, waiting->size, data, NULL);
    result = result == KN_OK ? kn_command_from_places(server->def.world, data) : result;
    if (result == KN_OK) {
        data->command.connection = kni_connection_number(server, c);
        data->command.sequence = waiting->sequence;
        data->command.view = kni_view_limit(server, c, data->command.view, waiting->oldest);
        kn_time late = kni_tick_time(server->tick, server->def.rate) -
                       kni_tick_time(waiting->tick, server->def.rate);
        result = late > 0 ? kni_server_late(
                                server, c, data->command.connection, data->command.entity, late)
                          : KN_OK;
    }
    if (result == KN_OK) {
        result = kni_server_command(server, &data->command);
    }
    if (result == KN_OK) {
        kni_checks_want(server, c, &data->command);
        c->stats.commands++;
        c->stats.commands_late += waiting->tick < server->tick;
    } else if (result == KN_ERROR_BAD_DATA) {
        c->stats.commands_refused++;
        result = kni_answer_add(server, c, waiting->sequence, result, NULL);
        kni_connection_bad(server, c);
    }
    return result;
}

// Gives the world the commands of a connection for this tick.
static kn_result commands_issue(kn_server *server, connection *c)
{
    uint32_t done = 0;
    kn_result result = KN_OK;
    while (done < c->waiting_count && c->waiting[done].tick <= server->tick &&
           c->state == CONNECTION_JOINED) {
        waiting_command *waiting = &c->waiting[done];
        result = command_issue(server, c, waiting);
        if (result != KN_OK) {
            break; // it waits for better times
        }
        kn_memory_free(&server->def.hooks, waiting->bytes, waiting->size);
        done++;
    }
    c->waiting_count -= done;
    if (done > 0) {
        memmove(c->waiting, c->waiting + done, c->waiting_count * sizeof(waiting_command));
    }
    return result;
}

static void entity_created(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    kni_server_created(user, event);
}

// Ticks ---------------------------------------------------------------------

static kn_result tick_run(kn_server *server)
{
    kn_result result = KN_OK;
    server->tick++;
    server->why = (refusal){0};
    for (uint32_t i = 0; i < server->connection_top && result == KN_OK; i++) {
        server->connections[i].resync_work = 0;
        if (server->connections[i].state == CONNECTION_JOINED) {
            result = commands_issue(server, &server->connections[i]);
        }
    }
    kn_time due = server->base + kni_tick_time(server->tick, server->def.rate);
    kn_time dt = due - kn_world_now(server->def.world);
    if (result == KN_OK) {
        kn_recording *recording = server->def.recording;
        dt = dt > 0 ? dt : 0;
        result = recording != NULL ? kn_recording_step(recording, dt)
                                   : kn_world_step(server->def.world, dt);
    }
    return result;
}

// The bytes that each connection may send grow with time.
static void budgets_fill(kn_server *server, uint64_t ticks)
{
    int64_t more = (int64_t)(ticks * server->def.bytes_per_second / server->def.rate);
    for (uint32_t i = 0; i < server->connection_top; i++) {
        connection *c = &server->connections[i];
        c->bytes_left += more;
        if (c->bytes_left > (int64_t)server->def.burst_bytes) {
            c->bytes_left = server->def.burst_bytes;
        }
    }
}

// What is new, for all players.
static kn_result connections_look(kn_server *server)
{
    kn_result result = kni_server_look(server);
    for (uint32_t i = 0; i < server->connection_top && result == KN_OK; i++) {
        connection *c = &server->connections[i];
        if (c->state == CONNECTION_JOINED && !c->is_local) {
            result = kni_server_see(server, c, i + 1);
        }
    }
    for (uint32_t i = 0; i < server->connection_top && result != KN_OK; i++) {
        server->connections[i].has_seen = false; // all of it again, next time
    }
    server->fresh_count = 0;
    return result;
}

// The game stands still, but players may come and go.
static kn_result pause_update(kn_server *server, kn_time now)
{
    kn_time passed = now - server->paused_after - server->clock;
    server->clock += passed;
    server->pause_budget += passed > 0 ? passed * server->def.rate : 0;
    budgets_fill(server, (uint64_t)(server->pause_budget / 1000000));
    server->pause_budget %= 1000000;
    return connections_look(server);
}

kn_result kn_server_update(kn_server *server, kn_time now)
{
    if (server == NULL) {
        KN_ASSERT(server != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    now = kni_clock(&server->time, now);
    if (!server->has_clock) {
        server->has_clock = true;
        server->clock = now;
    }
    kni_connections_check(server, now);
    if (server->is_paused) {
        return pause_update(server, now);
    }
    uint64_t before = server->tick;
    kn_result result = KN_OK;
    while (result == KN_OK && server->tick < before + CATCH_UP_MAX &&
           now - server->clock >= kni_tick_time(server->tick + 1, server->def.rate)) {
        result = tick_run(server);
    }
    if (server->tick == before + CATCH_UP_MAX) { // too late to catch up
        server->clock = now - kni_tick_time(server->tick, server->def.rate);
    }
    if (result != KN_OK || server->tick == before) {
        return result;
    }
    budgets_fill(server, server->tick - before);
    result = connections_look(server);
    server->looked = result == KN_OK ? server->tick : server->looked;
    return result;
}

// Datagrams -----------------------------------------------------------------

static void payload_begin(const kn_server *server, connection *c, kn_writer *out)
{
    kni_write_number(out, server->tick);
    kni_write_signed(out, c->has_heard ? c->margin / MARGIN_UNIT : INT32_MIN);
    c->has_heard = false;
    kni_write_number(out, c->received);
    kni_answers_write(server, c, out);
}

static void results_take(kn_server *server, connection *c)
{
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(c->link, &sequence, &was_received)) {
        kni_connection_result(server, c, sequence, was_received);
    }
}

// Whether a datagram of state is due, or more of one that did not fit.
static bool state_is_due(const kn_server *server, const connection *c, kn_time now)
{
    if (server->is_paused && c->state == CONNECTION_JOINED && c->view_capacity > 0) {
        return c->dirty_count > 0 && c->bytes_left > 0 &&
               (!c->is_flushed || now - c->written_at >= PAUSE_SEND);
    }
    if (c->state != CONNECTION_JOINED || c->view_capacity == 0) {
        return false;
    }
    if (c->written_tick == server->tick) {
        return !c->is_flushed && c->dirty_count > 0 && c->bytes_left > 0;
    }
    bool is_quiet = c->dirty_count == 0 && c->answer_count == 0;
    uint64_t every = is_quiet ? server->def.rate / QUIET_RATE : 0;
    return server->tick >=
           c->written_tick + (every > server->def.send_every ? every : server->def.send_every);
}

static kn_result state_write(
    kn_server *server, connection *c, uint32_t number, kn_writer *out, uint64_t sequence)
{
    uint32_t before = c->dirty_count;
    bool may_send = c->bytes_left > 0;
    payload_begin(server, c, out);
    kn_result result = may_send ? kni_server_state(server, c, number, out, sequence) : KN_OK;
    if (may_send && result == KN_OK && !server->is_paused) {
        kni_server_checks(server, c, number, out);
    }
    c->is_flushed = c->dirty_count == 0 || c->dirty_count == before;
    c->written_tick = server->tick;
    return result;
}

kn_result kn_server_write(
    kn_server *server, kn_time now, uint32_t number, void *buffer, size_t capacity, size_t *size)
{
    connection *c = kni_connection_find(server, number);
    *size = 0;
    if (c == NULL || c->is_local) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (capacity < server->def.datagram_bytes) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    now = kni_clock(&server->time, now);
    results_take(server, c);
    kni_connection_pause(server, c);
    kn_net_link_state state = kn_net_link_get_state(c->link);
    bool is_due = state_is_due(server, c, now);
    bool is_silent = server->is_paused && c->state == CONNECTION_JOINED &&
                     now - c->written_at >= server->def.timeout / 8;
    bool has_left = c->state == CONNECTION_CLOSING && !c->is_told; // and waits to be heard
    bool is_steady = c->state == CONNECTION_JOINED && c->written_tick != 0;
    uint32_t patience = has_left ? 1 : is_steady ? UNANSWERED_MAX : 2;
    if (!is_due && !is_silent && !state.has_work && state.unanswered < patience &&
        !kni_link_is_idle(&state, c->written_at, now)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (is_due) {
        kni_connection_book(server, c);
    }
    size_t space = kn_net_link_space(c->link), length = 0;
    kn_result result = KN_OK;
    if (is_due && space >= DATAGRAM_MIN / 2) {
        kn_writer out = {server->scratch, space - 1, 0}; // and how it is packed
        result = state_write(server, c, number, &out, state.next_sequence);
        length = kni_connection_pack(server, c, server->scratch, out.length, server->packed);
    }
    if (result == KN_OK) {
        result =
            kn_net_link_write(c->link, now, server->packed, length, buffer, capacity, size, NULL);
    }
    if (result == KN_OK) {
        c->written_at = now;
        c->bytes_left -= (int64_t)length;
        c->stats.state_bytes += length;
    } else {
        kni_connection_unsend(server, c, state.next_sequence);
    }
    results_take(server, c);
    return result == KN_REFUSED_LIMIT ? KN_REFUSED_NOT_FOUND : result;
}

kn_result kn_server_send(kn_server *server, uint32_t number, const void *bytes, uint32_t size)
{
    connection *c = kni_connection_find(server, number);
    if (c == NULL || c->is_local || c->state != CONNECTION_JOINED) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (bytes == NULL && size > 0) {
        KN_ASSERT(bytes != NULL || size == 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint8_t *copy = kn_memory_resize(&server->def.hooks, NULL, 0, (size_t)size + 1);
    if (copy == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    copy[0] = WIRE_USER;
    if (size > 0) {
        memcpy(copy + 1, bytes, size);
    }
    kn_result result = kni_connection_send(c, copy, (size_t)size + 1);
    kn_memory_free(&server->def.hooks, copy, (size_t)size + 1);
    return result;
}

// The server ----------------------------------------------------------------

static bool listeners_add(kn_server *server)
{
    static const struct {
        kn_event_type type;
        kn_listener_fn *function;
    } wanted[LISTENERS] = {{KN_EVENT_COMMAND, kni_server_command_done},
        {KN_EVENT_ABILITY_FAILED, kni_server_ability_failed},
        {KN_EVENT_ENTITY_CREATED, entity_created}, {KN_EVENT_CUE, kni_server_cue}};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < LISTENERS && result == KN_OK; i++) {
        kn_listener_def listener = kn_listener_def_default();
        listener.type = wanted[i].type;
        listener.function = wanted[i].function;
        listener.user = server;
        result = kn_listener_add(server->def.world, &listener, &server->listeners[i]);
    }
    return result == KN_OK;
}

kn_result kn_server_create(const kn_server_def *def, kn_server **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || !def_is_good(def)) {
        KN_ASSERT(out != NULL && def != NULL && def->world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_server *server = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*server));
    if (server == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(server, 0, sizeof(*server));
    server->def = *def;
    server->base = kn_world_now(def->world);
    server->connection_count = 2 * def->connection_limit; // with those that are kept
    size_t size = server->connection_count * sizeof(connection);
    server->connections = kn_memory_resize(&def->hooks, NULL, 0, size);
    server->scratch = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    server->packed = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    if (server->connections == NULL || server->scratch == NULL || server->packed == NULL ||
        kn_changes_follow(def->world, true) != KN_OK || !listeners_add(server)) {
        server->connection_count = server->connections != NULL ? server->connection_count : 0;
        if (server->connections != NULL) {
            memset(server->connections, 0, size);
        }
        kn_server_destroy(server);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(server->connections, 0, size);
    *out = server;
    return KN_OK;
}

void kn_server_destroy(kn_server *server)
{
    if (server == NULL) {
        return;
    }
    kn_hooks hooks = server->def.hooks;
    for (uint32_t i = 0; i < server->connection_count; i++) {
        if (server->connections[i].state != CONNECTION_FREE) {
            kni_connection_free(server, &server->connections[i]);
        }
    }
    for (uint32_t i = 0; i < LISTENERS; i++) {
        (void)kn_listener_remove(server->def.world, server->listeners[i]);
    }
    kn_result result = kn_changes_follow(server->def.world, false);
    (void)result; // it goes on noting, then
    kni_server_entities_free(server);
    kni_queue_free(&server->events, &hooks, sizeof(kn_server_event));
    kn_memory_free(
        &hooks, server->connections, 2 * (size_t)server->def.connection_limit * sizeof(connection));
    kn_memory_free(&hooks, server->scratch, server->def.datagram_bytes);
    kn_memory_free(&hooks, server->packed, server->def.datagram_bytes);
    kn_memory_free(&hooks, server->bases, server->base_capacity);
    kni_server_books_free(server);
    kn_memory_free(&hooks, server->take, server->take_capacity);
    kn_memory_free(&hooks, server, sizeof(*server));
}

kn_result kn_server_set_mode(kn_server *server, kn_entity_id entity, kn_sync_mode mode)
{
    if (server == NULL || (uint32_t)mode >= KN_SYNC_MODE_COUNT) {
        KN_ASSERT(server != NULL && (uint32_t)mode < KN_SYNC_MODE_COUNT);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(server->def.world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kni_server_mode(server, entity, mode);
}

kn_result kn_server_set_always(kn_server *server, kn_entity_id entity, bool is_always)
{
    if (server == NULL) {
        KN_ASSERT(server != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(server->def.world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kni_server_always(server, entity, is_always);
}

uint64_t kn_server_tick(const kn_server *server)
{
    return server != NULL ? server->tick : 0;
}

kn_server_stats kn_server_get_stats(const kn_server *server, uint32_t number)
{
    const connection *c = kni_connection_find(server, number);
    if (c == NULL) {
        return (kn_server_stats){0};
    }
    kn_server_stats stats = c->stats;
    stats.link = c->is_local ? stats.link : kn_net_link_get_stats(c->link);
    stats.visible = kni_connection_visible(server, c);
    return stats;
}
