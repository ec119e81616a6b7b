// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A message is put together where it will wait, so it is copied once. Nothing is read unless there
// is room for the longest one; until then the other side waits, as TCP has it.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "connection.h"

#if !defined(_WIN32)
#include <sys/socket.h>
#endif

// A reason of our own: libwebsockets only wants some number.
#define CONNECTION_TIMEOUT PENDING_TIMEOUT_USER_REASON_BASE

const char *kn_websocket_end_name(kn_websocket_end end)
{
    static const char *const names[] = {"none", "closed by this side", "closed by the other side",
        "lost", "timed out", "text received", "message too large", "failed to connect"};
    _Static_assert(sizeof names / sizeof *names == KN_WEBSOCKET_END_COUNT, "a name for each");
    return (uint32_t)end < KN_WEBSOCKET_END_COUNT ? names[end] : "unknown";
}

void kni_websocket_copy_text(char *to, const char *text, size_t size)
{
    if (size > KN_WEBSOCKET_TEXT_MAX) {
        size = KN_WEBSOCKET_TEXT_MAX;
        while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) {
            size--; // not in the middle of a character
        }
    }
    if (size > 0) {
        memcpy(to, text, size);
    }
    to[size] = '\0';
}

bool kni_websocket_connection_init(
    kni_websocket_connection *connection, kni_websocket_shared *shared, struct lws *wsi)
{
    kni_websocket_queue received, to_send;
    if (!kni_websocket_queue_init(&received, &shared->hooks, shared->receive_capacity)) {
        return false;
    }
    if (!kni_websocket_queue_init(&to_send, &shared->hooks, shared->send_capacity)) {
        kni_websocket_queue_free(&received, &shared->hooks);
        return false;
    }
    *connection = (kni_websocket_connection){.shared = shared,
        .wsi = wsi,
        .state = KNI_WEBSOCKET_OPENING,
        .received = received,
        .to_send = to_send};
    return true;
}

void kni_websocket_connection_free(kni_websocket_connection *connection)
{
    if (connection->state != KNI_WEBSOCKET_FREE) {
        kni_websocket_queue_free(&connection->received, &connection->shared->hooks);
        kni_websocket_queue_free(&connection->to_send, &connection->shared->hooks);
        *connection = (kni_websocket_connection){0};
    }
}

// Small buffers of the system keep what waits in our queue, where it is counted.
static void connection_set_buffer(const kni_websocket_connection *connection)
{
    int bytes = (int)connection->shared->system_buffer;
    if (bytes > 0) {
        (void)setsockopt(lws_get_socket_fd(connection->wsi), SOL_SOCKET, SO_SNDBUF,
            (const char *)&bytes, sizeof bytes);
    }
}

void kni_websocket_connection_open(kni_websocket_connection *connection)
{
    connection->state = KNI_WEBSOCKET_OPEN;
    connection->has_connected = true;
    connection->heard = connection->shared->now;
    connection->shared->stats.connected++;
    connection_set_buffer(connection);
}

void kni_websocket_connection_cut(kni_websocket_connection *connection)
{
    if (connection->wsi != NULL) {
        lws_set_timeout(connection->wsi, CONNECTION_TIMEOUT, LWS_TO_KILL_ASYNC);
    }
}

// Receiving -------------------------------------------------------------------

static void connection_hear(kni_websocket_connection *connection)
{
    connection->heard = connection->shared->now;
    connection->is_pinged = false;
    connection->wants_ping = false;
}

// The other side broke a rule: nothing that waits is sent any more.
static int connection_fail(
    kni_websocket_connection *connection, kn_websocket_end end, enum lws_close_status status)
{
    connection->shared->stats.bad++;
    connection->end = end;
    connection->state = KNI_WEBSOCKET_CLOSING;
    connection->deadline = connection->shared->now + connection->shared->close_timeout;
    connection->partial = NULL;
    connection->is_close_sent = true;
    lws_close_reason(connection->wsi, status, NULL, 0);
    return -1;
}

static void connection_finish_message(kni_websocket_connection *connection)
{
    kni_websocket_shared *shared = connection->shared;
    if (connection->partial_size > 0) { // an empty one says nothing
        kni_websocket_queue_commit(&connection->received, connection->partial_size);
        shared->stats.received++;
        shared->stats.received_bytes += connection->partial_size;
    }
    connection->partial = NULL;
    if (!kni_websocket_queue_has_room(&connection->received, shared->message_max)) {
        connection->is_paused = true;
        (void)lws_rx_flow_control(connection->wsi, 0);
    }
}

static int connection_receive(
    kni_websocket_connection *connection, const uint8_t *bytes, size_t size)
{
    kni_websocket_shared *shared = connection->shared;
    if (connection->state != KNI_WEBSOCKET_OPEN) {
        return 0; // closing: ignored
    }
    connection_hear(connection);
    if (!lws_frame_is_binary(connection->wsi)) {
        return connection_fail(
            connection, KN_WEBSOCKET_END_TEXT, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE);
    }
    if (connection->partial == NULL) {
        connection->partial_size = 0;
        connection->partial =
            kni_websocket_queue_reserve(&connection->received, shared->message_max);
    }
    // There is room, since reading stops before there is none.
    size_t room = connection->partial != NULL ? shared->message_max - connection->partial_size : 0;
    size_t rest = lws_remaining_packet_payload(connection->wsi);
    if (size > room || rest > room - size) {
        return connection_fail(
            connection, KN_WEBSOCKET_END_TOO_LARGE, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    if (size > 0) {
        memcpy(connection->partial + connection->partial_size, bytes, size);
        connection->partial_size += (uint32_t)size;
    }
    if (rest == 0 && lws_is_final_fragment(connection->wsi)) {
        connection_finish_message(connection);
    }
    return 0;
}

// The two bytes of a status, and words.
static void connection_peer_closes(
    kni_websocket_connection *connection, const uint8_t *bytes, size_t size)
{
    if (connection->state != KNI_WEBSOCKET_OPEN) {
        return; // the answer to our close
    }
    connection->end = KN_WEBSOCKET_END_BY_PEER;
    if (size >= 2) {
        connection->status = (uint16_t)(bytes[0] << 8 | bytes[1]);
        kni_websocket_copy_text(connection->text, (const char *)bytes + 2, size - 2);
    }
    connection->state = KNI_WEBSOCKET_CLOSING;
    connection->deadline = connection->shared->now + connection->shared->close_timeout;
}

// Sending ---------------------------------------------------------------------

static int connection_write_ping(kni_websocket_connection *connection)
{
    uint8_t frame[LWS_PRE + 1] = {0}; // an answer without any byte is not reported
    connection->wants_ping = false;
    return lws_write(connection->wsi, frame + LWS_PRE, 1, LWS_WRITE_PING) < 0 ? -1 : 0;
}

static int connection_write_close(kni_websocket_connection *connection)
{
    if (connection->is_close_sent) {
        return 0; // the other side has to answer
    }
    connection->is_close_sent = true;
    uint8_t text[KN_WEBSOCKET_TEXT_MAX + 1];
    memcpy(text, connection->close_text, sizeof text);
    lws_close_reason(connection->wsi, (enum lws_close_status)connection->close_status, text,
        strlen(connection->close_text));
    return -1;
}

static int connection_write(kni_websocket_connection *connection)
{
    kni_websocket_shared *shared = connection->shared;
    uint32_t size;
    uint8_t *bytes;
    if (connection->end == KN_WEBSOCKET_END_BY_PEER || connection->is_close_sent) {
        return 0; // nobody reads any more
    }
    while ((bytes = kni_websocket_queue_peek(&connection->to_send, &size)) != NULL) {
        if (lws_send_pipe_choked(connection->wsi)) {
            lws_callback_on_writable(connection->wsi);
            return 0;
        }
        if (lws_write(connection->wsi, bytes, size, LWS_WRITE_BINARY) < 0) {
            return -1;
        }
        shared->stats.sent++;
        shared->stats.sent_bytes += size;
        kni_websocket_queue_drop(&connection->to_send);
    }
    if (connection->state == KNI_WEBSOCKET_CLOSING) {
        return connection_write_close(connection);
    }
    return connection->wants_ping ? connection_write_ping(connection) : 0;
}

kn_result kni_websocket_connection_send(
    kni_websocket_connection *connection, const void *bytes, size_t size)
{
    if (connection->state != KNI_WEBSOCKET_OPEN) {
        return KN_REFUSED_NOT_FOUND;
    }
    kni_websocket_shared *shared = connection->shared;
    if (size == 0 || size > shared->message_max) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    bool was_empty = kni_websocket_queue_is_empty(&connection->to_send);
    uint8_t *place = kni_websocket_queue_reserve(&connection->to_send, (uint32_t)size);
    if (place == NULL) {
        shared->stats.refused_sends++;
        return KN_REFUSED_LIMIT;
    }
    memcpy(place, bytes, size);
    kni_websocket_queue_commit(&connection->to_send, (uint32_t)size);
    if (was_empty) {
        lws_callback_on_writable(connection->wsi);
    }
    return KN_OK;
}

// The end ---------------------------------------------------------------------

bool kni_websocket_connection_close(
    kni_websocket_connection *connection, kn_websocket_end end, uint16_t status, const char *text)
{
    if (connection->state != KNI_WEBSOCKET_OPEN) {
        return false;
    }
    connection->state = KNI_WEBSOCKET_CLOSING;
    connection->end = end;
    connection->close_status = status;
    kni_websocket_copy_text(
        connection->close_text, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
    connection->deadline = connection->shared->now + connection->shared->close_timeout;
    if (connection->is_paused) { // the answer has to be read
        connection->is_paused = false;
        (void)lws_rx_flow_control(connection->wsi, 1);
    }
    lws_callback_on_writable(connection->wsi);
    return true;
}

void kni_websocket_connection_lose(kni_websocket_connection *connection)
{
    if (connection->end == KN_WEBSOCKET_END_NONE) {
        connection->end = KN_WEBSOCKET_END_LOST;
    }
    connection->wsi = NULL;
    connection->partial = NULL;
    connection->state = KNI_WEBSOCKET_CLOSED;
}

int kni_websocket_connection_callback(kni_websocket_connection *connection,
    enum lws_callback_reasons reason, const uint8_t *bytes, size_t size)
{
    connection->shared->activity++;
    switch ((int)reason) {
    case LWS_CALLBACK_RECEIVE:
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return connection_receive(connection, bytes, size);
    case LWS_CALLBACK_RECEIVE_PONG:
    case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
        connection_hear(connection);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return connection_write(connection);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        connection_peer_closes(connection, bytes, size);
        return 0;
    default:
        return 0;
    }
}

void kni_websocket_connection_update(kni_websocket_connection *connection)
{
    kni_websocket_shared *shared = connection->shared;
    if (connection->state == KNI_WEBSOCKET_CLOSING && shared->now >= connection->deadline) {
        kni_websocket_connection_cut(connection);
    }
    if (connection->state != KNI_WEBSOCKET_OPEN) {
        return;
    }
    if (connection->is_paused &&
        kni_websocket_queue_has_room(&connection->received, shared->message_max)) {
        connection->is_paused = false;
        connection_hear(connection);
        (void)lws_rx_flow_control(connection->wsi, 1);
    }
    if (connection->is_paused) {
        return; // nothing can be heard
    }
    // A host that did not update for long asks first.
    if (connection->is_pinged &&
        shared->now - connection->pinged >= shared->timeout - shared->ping_every) {
        shared->stats.timed_out++;
        (void)kni_websocket_connection_close(connection, KN_WEBSOCKET_END_TIMED_OUT, 1001, NULL);
        kni_websocket_connection_cut(connection); // nobody would answer
    } else if (!connection->is_pinged && shared->now - connection->heard >= shared->ping_every) {
        connection->is_pinged = true;
        connection->pinged = shared->now;
        connection->wants_ping = true;
        lws_callback_on_writable(connection->wsi);
    }
}

// Events ----------------------------------------------------------------------

// What this side closed has nothing more to say; what the other side closed, or lost, has.
static bool connection_gives_messages(const kni_websocket_connection *connection)
{
    return connection->end != KN_WEBSOCKET_END_BY_HOST &&
           !kni_websocket_queue_is_empty(&connection->received);
}

bool kni_websocket_connection_has_event(const kni_websocket_connection *connection)
{
    return connection->has_connected || connection->state == KNI_WEBSOCKET_CLOSED ||
           (connection->state != KNI_WEBSOCKET_FREE && connection_gives_messages(connection));
}

bool kni_websocket_connection_next_event(
    kni_websocket_connection *connection, kn_websocket_event *event)
{
    *event = (kn_websocket_event){0};
    if (!kni_websocket_connection_has_event(connection)) {
        return false;
    }
    if (connection->has_connected) {
        connection->has_connected = false;
        event->kind = KN_WEBSOCKET_CONNECTED;
    } else if (connection_gives_messages(connection)) {
        uint32_t size;
        event->kind = KN_WEBSOCKET_MESSAGE;
        event->bytes = kni_websocket_queue_peek(&connection->received, &size);
        event->size = size;
        kni_websocket_queue_drop(&connection->received);
    } else {
        event->kind = KN_WEBSOCKET_CLOSED;
        event->end = connection->end;
        event->status = connection->status;
        event->text = connection->text;
    }
    return true;
}
