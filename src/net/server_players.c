// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Connections of a server and the players behind them: how they come, join, are replaced, leave,
// and come back to their place.

#include "server.h"

#define CLOSE_TIME 1000000 // a connection that is being closed stays so long
#define BAD_MAX 200        // things that make no sense, until a connection is closed

// Connections ---------------------------------------------------------------

connection *kni_connection_find(const kn_server *server, uint32_t number)
{
    connection *c = server != NULL && number - 1 < server->connection_count
                        ? &server->connections[number - 1]
                        : NULL;
    return c != NULL && c->state != CONNECTION_FREE && c->state != CONNECTION_KEPT ? c : NULL;
}

uint32_t kni_connection_number(const kn_server *server, const connection *c)
{
    return (uint32_t)(c - server->connections) + 1;
}

void kni_connection_free(kn_server *server, connection *c)
{
    const kn_hooks *hooks = &server->def.hooks;
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        kn_memory_free(hooks, c->waiting[i].bytes, c->waiting[i].size);
    }
    kn_memory_free(hooks, c->waiting, c->waiting_capacity * sizeof(waiting_command));
    kni_answers_free(server, c);
    kni_connection_views_free(server, c);
    kn_net_link_destroy(c->link);
    *c = (connection){0};
}

static kn_result link_make(const kn_server *server, kn_net_link **link)
{
    kn_net_link_def def = kn_net_link_def_default();
    def.hooks = server->def.hooks;
    def.protocol_id = server->def.protocol_id;
    def.datagram_bytes = server->def.datagram_bytes;
    def.message_share = kni_message_share(def.datagram_bytes);
    return kn_net_link_create(&def, link);
}

// The host hears that a player has not come back. False when out of memory.
static bool place_expire(kn_server *server, connection *c)
{
    kn_server_event event = {.kind = KN_SERVER_EXPIRED,
        .connection = kni_connection_number(server, c),
        .player = c->player};
    if (kni_server_event(server, event, NULL, 0) != KN_OK) {
        return false;
    }
    *c = (connection){0};
    return true;
}

// A place for a connection: one that is free, or the one that was kept for the longest time. NULL
// if there are as many as allowed.
static connection *place_find(kn_server *server)
{
    connection *found = NULL, *oldest = NULL;
    uint32_t used = 0;
    for (uint32_t i = 0; i < server->connection_count; i++) {
        connection *c = &server->connections[i];
        if (c->state == CONNECTION_FREE) {
            found = found == NULL ? c : found;
        } else if (c->state != CONNECTION_KEPT) {
            used++;
        } else if (oldest == NULL || c->keep_until < oldest->keep_until) {
            oldest = c;
        }
    }
    if (used >= server->def.connection_limit) {
        return NULL;
    }
    found = found != NULL ? found : oldest != NULL && place_expire(server, oldest) ? oldest : NULL;
    uint32_t number = found != NULL ? kni_connection_number(server, found) : 0;
    server->connection_top = number > server->connection_top ? number : server->connection_top;
    return found;
}

kn_result kn_server_open(kn_server *server, kn_time now, uint32_t *number)
{
    if (number != NULL) {
        *number = 0;
    }
    if (server == NULL || number == NULL) {
        KN_ASSERT(server != NULL && number != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    connection *c = place_find(server);
    if (c == NULL) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = link_make(server, &c->link);
    if (result == KN_OK) {
        c->state = CONNECTION_OPEN;
        c->opened = kni_clock(&server->time, now);
        c->bytes_left = server->def.burst_bytes;
        *number = kni_connection_number(server, c);
    }
    return result;
}

kn_result kni_connection_send(connection *c, const void *bytes, size_t size)
{
    size_t before = kn_net_link_get_state(c->link).waiting_bytes;
    kn_result result = kn_net_link_send(c->link, bytes, size);
    c->told_bytes += kn_net_link_get_state(c->link).waiting_bytes - before;
    return result;
}

// Leaving -------------------------------------------------------------------

// The host hears of players, and of strangers who speak another language.
static void left_report(kn_server *server, connection *c)
{
    kn_server_event event = {.kind = c->stats.is_joined ? KN_SERVER_LEFT : KN_SERVER_REFUSED,
        .connection = kni_connection_number(server, c),
        .player = c->player,
        .is_kept = c->is_kept,
        .reason = c->reason};
    uint32_t size = (uint32_t)strlen(c->text) + 1;
    c->owes_left = c->owes_left && kni_server_event(server, event, c->text, size) != KN_OK;
}

// Whether a player may come back to its place.
static bool place_is_kept(const kn_server *server, const connection *c, kn_close_reason reason)
{
    bool may_come = reason == KN_CLOSE_TIMEOUT || reason == KN_CLOSE_LEFT;
    return reason == KN_CLOSE_REPLACED ||
           (may_come && c->player != 0 && !c->is_spectator && server->def.keep_time > 0);
}

static void connection_left(kn_server *server, connection *c, kn_close_reason reason)
{
    bool is_strange = reason == KN_CLOSE_VERSION || reason == KN_CLOSE_LIBRARY;
    if (c->state == CONNECTION_JOINED) {
        (void)kn_world_drop_commands(server->def.world, kni_connection_number(server, c));
        c->is_kept = place_is_kept(server, c, reason);
        c->keep_until = server->time.now + server->def.keep_time;
    }
    if (c->is_local && kn_world_connection(server->def.world) == kni_connection_number(server, c)) {
        kn_world_set_connection(server->def.world, 0);
    }
    c->owes_left = c->state == CONNECTION_JOINED || is_strange;
    c->state = CONNECTION_CLOSING;
    c->reason = reason;
    c->opened = server->time.now;
    left_report(server, c);
}

// Tells the client that it is closed. Without room for that it is tried again.
static void close_tell(connection *c)
{
    uint8_t message[2 + KN_CLOSE_TEXT_MAX] = {WIRE_CLOSE, (uint8_t)c->reason};
    size_t length = strlen(c->text);
    memcpy(message + 2, c->text, length);
    c->is_told = c->is_local || kni_connection_send(c, message, 2 + length) == KN_OK;
}

void kni_connection_close(
    kn_server *server, connection *c, kn_close_reason reason, const char *text)
{
    if (c->state == CONNECTION_CLOSING) {
        return;
    }
    size_t length = text != NULL ? strlen(text) : 0;
    length = length < KN_CLOSE_TEXT_MAX - 1 ? length : KN_CLOSE_TEXT_MAX - 1;
    memcpy(c->text, length > 0 ? text : "", length);
    c->text[length] = 0;
    connection_left(server, c, reason);
    close_tell(c);
}

bool kn_server_close_with(
    kn_server *server, uint32_t number, kn_close_reason reason, const char *text)
{
    connection *c = kni_connection_find(server, number);
    if (c == NULL || c->state == CONNECTION_CLOSING || reason == KN_CLOSE_NONE ||
        (uint32_t)reason >= KN_CLOSE_COUNT) {
        return false;
    }
    kni_connection_close(server, c, reason, text);
    return true;
}

bool kn_server_close(kn_server *server, uint32_t number, kn_close_reason reason)
{
    return kn_server_close_with(server, number, reason, NULL);
}

void kni_connection_bad(kn_server *server, connection *c)
{
    if (++c->stats.bad > BAD_MAX) {
        kni_connection_close(server, c, KN_CLOSE_ABUSE, NULL);
    }
}

// The client says that it leaves.
void kni_connection_leave(kn_server *server, connection *c)
{
    if (c->state != CONNECTION_CLOSING) {
        connection_left(server, c, KN_CLOSE_LEFT);
    }
}

// The last of a connection: its number is free, or kept for its player.
static void connection_end(kn_server *server, connection *c)
{
    connection kept = {.state = CONNECTION_KEPT,
        .player = c->player,
        .is_kept = true,
        .keep_until = c->keep_until};
    bool is_kept = c->is_kept;
    kni_connection_free(server, c);
    if (is_kept) {
        *c = kept;
    }
}

static void closing_check(kn_server *server, connection *c, kn_time now)
{
    left_report(server, c);
    if (!c->is_told && c->reason != KN_CLOSE_LEFT) {
        close_tell(c);
    }
    bool is_heard =
        c->is_local || (c->is_told && kn_net_link_get_state(c->link).waiting_bytes == 0);
    if ((is_heard || now - c->opened > CLOSE_TIME) && !c->owes_left) {
        connection_end(server, c);
    }
}

static void open_check(kn_server *server, connection *c, kn_time now)
{
    if (c->is_local) {
        return;
    }
    kn_time heard = kn_net_link_get_state(c->link).heard;
    bool is_late = c->state == CONNECTION_OPEN && now - c->opened > server->def.timeout;
    heard = heard > c->opened ? heard : c->opened;
    if (is_late || now - heard > server->def.timeout) {
        kni_connection_close(server, c, KN_CLOSE_TIMEOUT, NULL);
    }
}

void kni_connections_check(kn_server *server, kn_time now)
{
    for (uint32_t i = 0; i < server->connection_top; i++) {
        connection *c = &server->connections[i];
        if (c->state == CONNECTION_CLOSING) {
            closing_check(server, c, now);
        } else if (c->state == CONNECTION_KEPT && now > c->keep_until) {
            (void)place_expire(server, c);
        } else if (c->state == CONNECTION_OPEN || c->state == CONNECTION_JOINED) {
            open_check(server, c, now);
        }
    }
}

// Joining -------------------------------------------------------------------

// The connection that has the place of a player; NULL for none.
static connection *place_of(const kn_server *server, const connection *c, uint64_t player)
{
    for (uint32_t i = 0; i < server->connection_top && player != 0; i++) {
        connection *other = &server->connections[i];
        if (other != c && other->player == player &&
            (other->state == CONNECTION_JOINED || other->is_kept)) {
            return other;
        }
    }
    return NULL;
}

// What one connection controlled, the other does from now on.
static void place_hand_over(kn_server *server, connection *from, uint32_t to)
{
    kn_world *world = server->def.world;
    uint32_t number = kni_connection_number(server, from);
    for (kn_entity_id id = kn_entity_next(world, (kn_entity_id){0}); id.index1 != 0;
         id = kn_entity_next(world, id)) {
        if (kn_entity_connection(world, id) == number) {
            (void)kn_entity_set_connection(world, id, to); // it has room for the number
        }
    }
    from->is_kept = false;
    if (from->state == CONNECTION_KEPT) {
        *from = (connection){0};
    }
}

static kn_result welcome_send(const kn_server *server, connection *c)
{
    uint8_t bytes[64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_WELCOME);
    kni_write_number(&out, kni_connection_number(server, c));
    kni_write_number(&out, server->def.rate);
    kni_write_number(&out, server->def.send_every);
    kn_write_u64(&out, (uint64_t)server->base);
    kn_write_u8(&out, (uint8_t)((c->is_spectator ? WELCOME_SPECTATOR : 0) |
                                (server->is_paused ? WELCOME_PAUSED : 0)));
    kni_write_number(&out, (uint64_t)server->def.view_delay);
    return kni_connection_send(c, bytes, out.length);
}

// Lets a player in, and tells both sides.
static kn_result connection_join(
    kn_server *server, connection *c, const uint8_t *hello, uint32_t size)
{
    connection *former = c->is_spectator ? NULL : place_of(server, c, c->player);
    if (former != NULL && former->state == CONNECTION_JOINED) {
        kni_connection_close(server, former, KN_CLOSE_REPLACED, NULL);
    }
    kn_server_event event = {.kind = KN_SERVER_JOINED,
        .connection = kni_connection_number(server, c),
        .player = c->player,
        .is_spectator = c->is_spectator,
        .is_back = former != NULL,
        .former = former != NULL ? kni_connection_number(server, former) : 0};
    kn_result result = c->is_local ? KN_OK : welcome_send(server, c);
    if (result == KN_OK) {
        result = kni_server_event(server, event, hello, size);
    }
    if (result != KN_OK) { // nobody would know of it
        return result;
    }
    if (former != NULL) {
        place_hand_over(server, former, event.connection);
    }
    c->state = CONNECTION_JOINED;
    c->stats.is_joined = true;
    c->knows_pause = server->is_paused;
    return KN_OK;
}

static void compare_ask(kn_server *server, connection *c)
{
    uint8_t bytes[32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_COMPARE);
    kni_compare_ask(&c->compare, &out);
    if (kni_connection_send(c, bytes, out.length) != KN_OK) {
        kni_connection_close(server, c, KN_CLOSE_LIBRARY, NULL);
    }
}

void kni_connection_compare(kn_server *server, connection *c, kn_reader *in)
{
    const kn_library *library = kn_world_library(server->def.world);
    char text[KN_CLOSE_TEXT_MAX] = "";
    if (c->state != CONNECTION_OPEN || c->compare.step == COMPARE_NONE) {
        kni_connection_bad(server, c);
        return;
    }
    if (!server->has_kind_hashes) {
        kni_compare_hashes(library, server->kind_hashes);
        server->has_kind_hashes = true;
    }
    kni_compare_take(library, server->kind_hashes, &c->compare, in, text, sizeof(text));
    if (c->compare.step == COMPARE_DONE || c->compare.step == COMPARE_BAD) {
        kni_connection_close(server, c, KN_CLOSE_LIBRARY, text);
    } else {
        compare_ask(server, c);
    }
}

// What the host says to it.
static kn_server_admission connection_admit(
    const kn_server *server, uint32_t number, const uint8_t *hello, uint32_t size)
{
    kn_server_admission admission = {.is_accepted = true};
    if (server->def.accept != NULL) {
        admission.is_accepted = server->def.accept(server->def.user, number, hello, size);
    }
    if (admission.is_accepted && server->def.admit != NULL) {
        server->def.admit(server->def.user, number, hello, size, &admission);
    }
    admission.text[KN_CLOSE_TEXT_MAX - 1] = 0;
    return admission;
}

static kn_result connection_decide(
    kn_server *server, connection *c, const uint8_t *hello, uint32_t size)
{
    kn_server_admission admission =
        connection_admit(server, kni_connection_number(server, c), hello, size);
    if (!admission.is_accepted) {
        kni_connection_close(server, c, KN_CLOSE_REFUSED, admission.text);
        return KN_OK;
    }
    const connection *former = place_of(server, c, admission.player);
    if (former != NULL && former->state == CONNECTION_JOINED &&
        (server->def.second_connection == KN_SECOND_REFUSED || former->is_local)) {
        kni_connection_close(server, c, KN_CLOSE_DUPLICATE, NULL);
        return KN_OK;
    }
    c->player = admission.player;
    c->is_spectator = c->stats.is_spectator = admission.is_spectator;
    kn_result result = connection_join(server, c, hello, size);
    if (result != KN_OK) {
        kni_connection_close(server, c, KN_CLOSE_FULL, NULL);
    }
    return result;
}

kn_result kni_connection_hello(kn_server *server, connection *c, kn_reader *in)
{
    uint64_t version = kni_read_number(in), library = kn_read_u64(in);
    size_t size = in->failed ? 0 : in->size - in->at;
    if (in->failed || size > KN_SESSION_HELLO_MAX || c->state != CONNECTION_OPEN ||
        c->compare.step != COMPARE_NONE) {
        kni_connection_bad(server, c);
        return KN_OK;
    }
    if (version != KN_SESSION_VERSION) {
        kni_connection_close(server, c, KN_CLOSE_VERSION, NULL);
        return KN_OK;
    }
    if (library != kn_library_hash(kn_world_library(server->def.world))) {
        c->compare.step = COMPARE_KINDS;
        compare_ask(server, c);
        return KN_OK;
    }
    return connection_decide(server, c, in->data + in->at, (uint32_t)size);
}

// Players at this machine ----------------------------------------------------

kn_result kn_server_open_local(kn_server *server, kn_time now, uint64_t player, uint32_t *number)
{
    if (number != NULL) {
        *number = 0;
    }
    if (server == NULL || number == NULL) {
        KN_ASSERT(server != NULL && number != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const connection *former = place_of(server, NULL, player);
    if (former != NULL && former->state == CONNECTION_JOINED) {
        return KN_REFUSED_DUPLICATE;
    }
    connection *c = place_find(server);
    if (c == NULL) {
        return KN_REFUSED_LIMIT;
    }
    c->is_local = c->stats.is_local = true;
    c->player = player;
    c->opened = kni_clock(&server->time, now);
    kn_result result = connection_join(server, c, NULL, 0);
    if (result != KN_OK) {
        *c = (connection){0};
        return result;
    }
    *number = kni_connection_number(server, c);
    if (kn_world_connection(server->def.world) == 0) {
        kn_world_set_connection(server->def.world, *number);
    }
    return KN_OK;
}

kn_result kn_server_command(kn_server *server, uint32_t number, const kn_command *command,
    uint32_t *sequence, kn_error *error)
{
    connection *c = kni_connection_find(server, number);
    if (sequence != NULL) {
        *sequence = 0;
    }
    if (c == NULL || !c->is_local || c->state != CONNECTION_JOINED) {
        return kn_error_set(error, KN_REFUSED_NOT_FOUND, "no local player has this connection");
    }
    if (command == NULL) {
        KN_ASSERT(command != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_command copy = *command;
    copy.connection = number;
    copy.sequence = c->received + 1;
    kn_recording *recording = server->def.recording;
    kn_result result = recording != NULL ? kn_recording_command(recording, &copy, error)
                                         : kn_world_command(server->def.world, &copy, error);
    if (result == KN_OK) {
        c->received = copy.sequence;
        c->stats.commands++;
        if (sequence != NULL) {
            *sequence = copy.sequence;
        }
    }
    return result;
}

uint64_t kn_server_player(const kn_server *server, uint32_t number)
{
    const connection *c = kni_connection_find(server, number);
    return c != NULL ? c->player : 0;
}

// Pauses ----------------------------------------------------------------------

// Without room for it, the message is tried again.
void kni_connection_pause(const kn_server *server, connection *c)
{
    uint8_t message[2] = {WIRE_PAUSE, server->is_paused};
    if (c->state == CONNECTION_JOINED && !c->is_local && c->knows_pause != server->is_paused &&
        kni_connection_send(c, message, sizeof(message)) == KN_OK) {
        c->knows_pause = server->is_paused;
    }
}

bool kn_server_pause(kn_server *server, bool is_paused)
{
    if (server == NULL) {
        return false;
    }
    if (is_paused && !server->is_paused) {
        server->paused_after = server->time.now - server->clock;
    }
    server->is_paused = is_paused;
    for (uint32_t i = 0; i < server->connection_top; i++) {
        kni_connection_pause(server, &server->connections[i]);
    }
    return true;
}

bool kn_server_is_paused(const kn_server *server)
{
    return server != NULL && server->is_paused;
}
