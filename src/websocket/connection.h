// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One connection, as servers and clients have it: queues, timeouts and its end.
#ifndef KNI_WEBSOCKET_CONNECTION_H
#define KNI_WEBSOCKET_CONNECTION_H

#include "queue.h"

#include <libwebsockets.h>

/// What all connections of a server or client have in common.
typedef struct kni_websocket_shared {
    kn_hooks hooks;
    uint32_t message_max;
    uint32_t send_capacity;
    uint32_t receive_capacity;
    uint32_t system_buffer;
    kn_time ping_every;
    kn_time timeout;
    kn_time close_timeout; ///< how long closing may take
    kn_time now;
    uint64_t activity; ///< counts what libwebsockets reports, to see whether there may be more
    kn_websocket_stats stats;
} kni_websocket_shared;

/// Where a connection is.
typedef enum kni_websocket_state {
    KNI_WEBSOCKET_FREE,    ///< nothing is allocated
    KNI_WEBSOCKET_OPENING, ///< the handshake is not complete
    KNI_WEBSOCKET_OPEN,
    KNI_WEBSOCKET_CLOSING, ///< nothing is received any more; the end is written down
    KNI_WEBSOCKET_CLOSED,  ///< libwebsockets has forgotten it; events may wait
} kni_websocket_state;

/// One connection.
typedef struct kni_websocket_connection {
    kni_websocket_shared *shared;
    struct lws *wsi; ///< NULL if libwebsockets does not have it
    kni_websocket_state state;
    bool has_connected; ///< KN_WEBSOCKET_CONNECTED is due
    bool is_paused;     ///< libwebsockets does not read, since the queue is full
    bool is_pinged;     ///< a ping was sent since something was heard
    bool wants_ping;
    bool is_close_sent;
    uint8_t *partial; ///< the message that is arriving, in `received`; NULL: none
    uint32_t partial_size;
    kni_websocket_queue received, to_send;
    kn_time heard;    ///< when something was heard last
    kn_time pinged;   ///< when a ping was due
    kn_time deadline; ///< closing, opening of a client: when it is cut
    kn_websocket_end end;
    uint16_t status;       ///< why the other side closed, or why this side does
    uint16_t close_status; ///< for the other side
    char text[KN_WEBSOCKET_TEXT_MAX + 1];
    char close_text[KN_WEBSOCKET_TEXT_MAX + 1];
} kni_websocket_connection;

/// Allocates queues for a connection that is free, which is opening then. False when out of memory.
bool kni_websocket_connection_init(
    kni_websocket_connection *connection, kni_websocket_shared *shared, struct lws *wsi);
/// Frees the queues; it is free then. libwebsockets must have forgotten it.
void kni_websocket_connection_free(kni_websocket_connection *connection);

/// The handshake is complete.
void kni_websocket_connection_open(kni_websocket_connection *connection);
/// Passes what libwebsockets reports about an open connection, whether of a server or a client.
/// @return what libwebsockets wants: not 0 to close the connection
int kni_websocket_connection_callback(kni_websocket_connection *connection,
    enum lws_callback_reasons reason, const uint8_t *bytes, size_t size);
/// libwebsockets has forgotten the connection.
void kni_websocket_connection_lose(kni_websocket_connection *connection);
/// Timeouts, and reading again when there is room. To call once before each service.
void kni_websocket_connection_update(kni_websocket_connection *connection);

/// As kn_websocket_server_send().
kn_result kni_websocket_connection_send(
    kni_websocket_connection *connection, const void *bytes, size_t size);
/// Begins to close; what waits is sent. False unless it is open.
bool kni_websocket_connection_close(
    kni_websocket_connection *connection, kn_websocket_end end, uint16_t status, const char *text);
/// Cuts the connection with the next service.
void kni_websocket_connection_cut(kni_websocket_connection *connection);

/// True if there is an event to take.
bool kni_websocket_connection_has_event(const kni_websocket_connection *connection);
/// Takes the next event; false if there is none. After KN_WEBSOCKET_CLOSED the connection is to be
/// freed before the next call.
bool kni_websocket_connection_next_event(
    kni_websocket_connection *connection, kn_websocket_event *event);

/// Copies a text of `size` bytes, truncated to whole characters of UTF-8, into
/// KN_WEBSOCKET_TEXT_MAX + 1 bytes.
void kni_websocket_copy_text(char *to, const char *text, size_t size);

#endif
