// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Connections over WebSocket, for browsers and programs, with libwebsockets. Part of
/// knack::websocket; docs/websocket.md is the guide. It needs no world and no other module.
///
/// One binary message is one datagram: what a session of knack::net writes goes out as it is, and
/// comes in as it was. Unlike datagrams, messages arrive in order, and none is lost while the
/// connection lasts. A slow reader therefore makes them wait; what does not fit into the queue of
/// its connection is refused, so memory stays bounded.
///
/// Server and client are driven by the host. There are no threads inside, and no call waits, except
/// that a client looks up the name of its server (see kn_websocket_client_def.address):
///
///     kn_websocket_server_update(server, now);
///     while (kn_websocket_server_next_event(server, &event)) {
///         // a connection opened or closed, or event.bytes arrived
///     }
///     result = kn_websocket_server_send(server, connection, bytes, size);
///
/// Messages to send wait for the next update. Times are those of a monotonic clock of your choice,
/// in microseconds; time that goes back counts as none. Each object belongs to one thread at a
/// time; create objects on one thread at a time, too.
///
/// Queues come from the allocator of the hooks. libwebsockets and the TLS library under it allocate
/// by themselves, and have state of the whole process: creating an object makes the process ignore
/// SIGPIPE, initialises TLS, and silences the log of libwebsockets (see `keep_log`).
#ifndef KNACK_WEBSOCKET_H
#define KNACK_WEBSOCKET_H

#include "knack/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most connections of a server.
#define KN_WEBSOCKET_CONNECTIONS_MAX 4096
/// The highest limit for the bytes of a message.
#define KN_WEBSOCKET_MESSAGE_MAX 1048576
/// Most bytes of a queue.
#define KN_WEBSOCKET_QUEUE_MAX (1u << 28)
/// Bytes by which a message in a queue may count more than it has.
#define KN_WEBSOCKET_MESSAGE_EXTRA 40
/// Most bytes of the text that explains a close.
#define KN_WEBSOCKET_TEXT_MAX 123

// Events ----------------------------------------------------------------------

/// Why a connection closed.
typedef enum kn_websocket_end {
    KN_WEBSOCKET_END_NONE,      ///< it did not
    KN_WEBSOCKET_END_BY_HOST,   ///< the host of this side closed it
    KN_WEBSOCKET_END_BY_PEER,   ///< the other side closed it; see `status` and `text`
    KN_WEBSOCKET_END_LOST,      ///< it broke, or the other side broke the rules of WebSocket
    KN_WEBSOCKET_END_TIMED_OUT, ///< nothing was heard from the other side for too long
    KN_WEBSOCKET_END_TEXT,      ///< the other side sent text; only binary messages are accepted
    KN_WEBSOCKET_END_TOO_LARGE, ///< the other side sent a message above `message_max`
    /// A client only: no connection came about. `text` says why; `status` is that of HTTP, or 0.
    KN_WEBSOCKET_END_FAILED,
    KN_WEBSOCKET_END_COUNT, ///< number of the values above; not a value itself
} kn_websocket_end;

/// The name of a reason for logs, such as "timed out"; "unknown" for any other number. Valid
/// forever.
KN_API const char *kn_websocket_end_name(kn_websocket_end end);

/// Kinds of kn_websocket_event.
typedef enum kn_websocket_event_kind {
    KN_WEBSOCKET_CONNECTED, ///< a connection opened
    KN_WEBSOCKET_MESSAGE,   ///< a message arrived
    /// A connection closed. Each one that opened gives this once, after its messages, whoever
    /// closed it.
    KN_WEBSOCKET_CLOSED,
} kn_websocket_event_kind;

/// Something for the host of a server or client.
typedef struct kn_websocket_event {
    kn_websocket_event_kind kind; ///< what happened
    /// Number of the connection, from 0 and below `connection_limit`; always 0 for a client. It
    /// stays the same until KN_WEBSOCKET_CLOSED is taken; then another connection may get it.
    uint32_t connection;
    /// KN_WEBSOCKET_MESSAGE: what arrived. Valid until the next call for the same server or client;
    /// not trusted.
    const uint8_t *bytes;
    size_t size;          ///< KN_WEBSOCKET_MESSAGE: number of bytes, 1 to `message_max`
    kn_websocket_end end; ///< KN_WEBSOCKET_CLOSED: why
    /// KN_WEBSOCKET_CLOSED: the number that the other side gave for closing, such as 1000 or 1001;
    /// for KN_WEBSOCKET_END_FAILED that of HTTP, such as 403; 0 if there is none.
    uint16_t status;
    /// KN_WEBSOCKET_CLOSED: the words that the other side gave, at most KN_WEBSOCKET_TEXT_MAX
    /// bytes, or why no connection came about; "" if there are none. Valid as `bytes`; not trusted.
    const char *text;
} kn_websocket_event;

// Server ----------------------------------------------------------------------

/// Accepts connections. Opaque; see kn_websocket_server_create().
typedef struct kn_websocket_server kn_websocket_server;

/// What a server is and its limits. Start from kn_websocket_server_def_default(). Everything is
/// copied.
typedef struct kn_websocket_server_def {
    /// Memory of the queues; nothing is logged.
    kn_hooks hooks;
    /// Local address to listen at: an IPv4 or IPv6 address as text, or the name of a network
    /// interface. NULL or "": all addresses of the machine. Default "127.0.0.1".
    const char *address;
    /// Port to listen at; 0: any free one, see kn_websocket_server_port(). Default 0.
    uint16_t port;
    /// Path that clients must ask for, beginning with "/"; a query after "?" is ignored. Others get
    /// HTTP status 404. Default "/".
    const char *path;
    /// Subprotocol that clients must offer, 1 to 63 printable characters; those without get HTTP
    /// status 400. Default "knack".
    const char *protocol;
    /// Origins that browsers may come from, such as "https://play.example", compared as they are
    /// sent; others get HTTP status 403. Programs send none and are let in. NULL: every origin.
    const char *const *origins;
    /// Number of origins. 0, the default: every origin.
    uint32_t origin_count;
    /// File with the certificate chain in PEM, and with it TLS; NULL or "", the default: plain.
    const char *certificate_file;
    /// File with the private key of the certificate in PEM. Required with a certificate.
    const char *key_file;
    /// Most connections at a time, 1 to KN_WEBSOCKET_CONNECTIONS_MAX. More get HTTP status 503.
    /// Default 64.
    uint32_t connection_limit;
    /// Most sockets that are not connections yet, 1 to 4096: their handshake is not complete. More
    /// are closed at once. Default 64.
    uint32_t pending_limit;
    /// How long a handshake may take before its socket is closed. Default 5 s.
    kn_time handshake_timeout;
    /// New sockets a second from one network address: one IPv4 address, or the 64 bits that name an
    /// IPv6 network. More are closed at once. 0: no limit, as behind a proxy, where all come from
    /// its address. Default 10.
    uint32_t connect_rate;
    /// How many of them may come at once. Default 40.
    uint32_t connect_burst;
    /// Most bytes of a message, 1 to KN_WEBSOCKET_MESSAGE_MAX. Who sends a longer one, in one piece
    /// or in many, is disconnected. Default 16384.
    uint32_t message_max;
    /// Bytes of messages that may wait to be sent to one connection; each counts up to
    /// KN_WEBSOCKET_MESSAGE_EXTRA bytes more than it has. At least `message_max` plus that.
    /// Allocated when it opens. Default 131072.
    uint32_t send_capacity;
    /// Bytes of messages of one connection that may wait for kn_websocket_server_next_event(),
    /// counted likewise. Nothing more is read from it until there is room for the longest message.
    /// Default 65536.
    uint32_t receive_capacity;
    /// Bytes that the system may hold for sending to one connection, a hint; 0: as the system
    /// likes, often megabytes, all of which a slow reader has to read first. Default 65536.
    uint32_t system_buffer;
    /// A connection of which nothing was heard for so long is asked for a sign of life. Browsers
    /// answer by themselves. Default 5 s.
    kn_time ping_every;
    /// A connection of which nothing was heard for so long is closed; above `ping_every`. After a
    /// pause without updates it is asked first. Default 15 s.
    kn_time timeout;
    /// Leaves the log of libwebsockets, which belongs to the whole process, as it is: for hosts
    /// that use libwebsockets themselves. Errors then say less. Default false: silence.
    bool keep_log;
    /// Set by kn_websocket_server_def_default().
    uint32_t cookie;
} kn_websocket_server_def;

/// A def with the defaults named at its fields.
KN_API kn_websocket_server_def kn_websocket_server_def_default(void);

/// Creates a server and listens.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or with a value out of
///         range; KN_ERROR_IO if it cannot listen there, or cannot read or use the certificate or
///         key; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_websocket_server_create(
    const kn_websocket_server_def *def, kn_websocket_server **server, kn_error *error);

/// Closes all connections without a word, and frees the server. NULL is ignored.
KN_API void kn_websocket_server_destroy(kn_websocket_server *server);

/// The port at which the server listens.
KN_API uint16_t kn_websocket_server_port(const kn_websocket_server *server);

/// Accepts, receives and sends as much as goes without waiting, and closes what timed out. Call it
/// at least ten times a second.
KN_API void kn_websocket_server_update(kn_websocket_server *server, kn_time now);

/// Waits until a socket of the server needs an update, at most `timeout`, which is rounded down to
/// milliseconds. It may end early. For hosts with nothing else to do; update afterwards.
KN_API void kn_websocket_server_wait(kn_websocket_server *server, kn_time timeout);

/// Takes the next event. Connections take turns, so that one with much to say does not hold up the
/// others. Take all events after each update.
/// @return false if there is none, with `*event` zeroed
KN_API bool kn_websocket_server_next_event(kn_websocket_server *server, kn_websocket_event *event);

/// Sends a message to a connection, with the next update.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the connection is closed or closing, or there is none of
///         this number; KN_REFUSED_LIMIT if too much waits to be sent, which is counted;
///         KN_ERROR_INVALID_ARGUMENT if `size` is 0 or above `message_max`
KN_API KN_MUST_USE kn_result kn_websocket_server_send(
    kn_websocket_server *server, uint32_t connection, const void *bytes, size_t size);

/// Closes a connection: what waits is sent, then `text`, and KN_WEBSOCKET_CLOSED follows. If the
/// other side does not cooperate, the connection is cut when `handshake_timeout` is over. Messages
/// of it that were not taken are dropped.
/// @param status a number from 3000 to 4999 of your choice, or 1000 for an ordinary end
/// @param text words for the other side, at most KN_WEBSOCKET_TEXT_MAX bytes of UTF-8, truncated;
///        NULL: none
/// @return false if the connection is closed or closing, or there is none of this number
KN_API bool kn_websocket_server_close(
    kn_websocket_server *server, uint32_t connection, uint16_t status, const char *text);

/// What a server knows about a connection.
typedef struct kn_websocket_peer {
    bool is_connected;     ///< false: there is none of this number and the rest is zero
    uint64_t session;      ///< number of the connection, from 1, never repeated by this server
    char address[48];      ///< numeric address of the other side, without its port
    uint32_t send_waiting; ///< bytes in its queue, counted as for `send_capacity`
} kn_websocket_peer;

/// Describes a connection; all-zero if there is none of this number.
KN_API kn_websocket_peer kn_websocket_server_peer(
    const kn_websocket_server *server, uint32_t connection);

/// Number of connections, those included whose KN_WEBSOCKET_CLOSED was not taken yet.
KN_API uint32_t kn_websocket_server_connection_count(const kn_websocket_server *server);

/// What happened since a server or client was created.
typedef struct kn_websocket_stats {
    uint64_t connected;          ///< connections that opened
    uint64_t received;           ///< messages that arrived
    uint64_t received_bytes;     ///< bytes of these
    uint64_t sent;               ///< messages passed to the system
    uint64_t sent_bytes;         ///< bytes of these
    uint64_t refused_sends;      ///< messages refused because too much waited to be sent
    uint64_t bad;                ///< connections closed because of text or a message too long
    uint64_t timed_out;          ///< connections closed because nothing was heard
    uint64_t refused_path;       ///< server: handshakes for another path, or without WebSocket
    uint64_t refused_protocol;   ///< server: handshakes without the subprotocol
    uint64_t refused_origin;     ///< server: handshakes from an origin that is not allowed
    uint64_t refused_full;       ///< server: handshakes and sockets for which there was no room
    uint64_t refused_rate;       ///< server: sockets above `connect_rate`
    uint64_t handshake_timeouts; ///< server: sockets closed because their handshake took too long
} kn_websocket_stats;

/// What happened since the server was created.
KN_API kn_websocket_stats kn_websocket_server_stats(const kn_websocket_server *server);

// Client ----------------------------------------------------------------------

/// Connects to a server. Opaque; see kn_websocket_client_create().
typedef struct kn_websocket_client kn_websocket_client;

/// The state of a client.
typedef enum kn_websocket_client_state {
    KN_WEBSOCKET_CLIENT_DISCONNECTED, ///< never connected, or KN_WEBSOCKET_CLOSED was taken
    KN_WEBSOCKET_CLIENT_CONNECTING,   ///< connecting
    KN_WEBSOCKET_CLIENT_CONNECTED,    ///< messages may be sent and received
    KN_WEBSOCKET_CLIENT_CLOSING,      ///< closed, or about to be, with events to take
} kn_websocket_client_state;

/// Where a client connects to and its limits. Start from kn_websocket_client_def_default().
/// Everything is copied.
typedef struct kn_websocket_client_def {
    /// Memory of the queues; nothing is logged.
    kn_hooks hooks;
    /// The server: "ws://host:port/path", or "wss://..." with TLS. Without a port it is 80, with
    /// TLS 443; without a path it is "/". IPv6 addresses stand in brackets, and are not possible
    /// with TLS: give a name here and the address below. The host has at most 100 characters, and
    /// the path 510. Required.
    const char *url;
    /// Numeric address to connect to instead of looking up the host of the URL, which makes
    /// kn_websocket_client_connect() wait for the answer. The certificate is still compared with
    /// the host of the URL. NULL or "", the default: look it up.
    const char *address;
    /// Subprotocol to offer, 1 to 63 printable characters. Default "knack".
    const char *protocol;
    /// Origin to send, as browsers do, at most 63 printable characters; NULL or "", the default:
    /// none.
    const char *origin;
    /// File with the certificates to trust in PEM, instead of those of the system; NULL or "", the
    /// default: those of the system.
    const char *ca_file;
    /// Whether the certificate of the server must be valid and have its name. Without, anybody can
    /// pretend to be the server: for development. Default true.
    bool verify;
    /// How long connecting may take. Default 10 s.
    kn_time connect_timeout;
    /// Most bytes of a message, 1 to KN_WEBSOCKET_MESSAGE_MAX. Default 16384.
    uint32_t message_max;
    /// Bytes of messages that may wait to be sent, as in kn_websocket_server_def. Default 131072.
    uint32_t send_capacity;
    /// Bytes of messages that may wait for kn_websocket_client_next_event(), likewise. Default
    /// 131072.
    uint32_t receive_capacity;
    /// Bytes that the system may hold for sending, a hint; 0: as the system likes. Default 65536.
    uint32_t system_buffer;
    /// A server of which nothing was heard for so long is asked for a sign of life. Default 5 s.
    kn_time ping_every;
    /// The connection is closed when nothing was heard for so long, as in kn_websocket_server_def.
    /// Default 15 s.
    kn_time timeout;
    /// Leaves the log of libwebsockets as it is, as in kn_websocket_server_def. Default false.
    bool keep_log;
    /// Set by kn_websocket_client_def_default().
    uint32_t cookie;
} kn_websocket_client_def;

/// A def with the defaults named at its fields.
KN_API kn_websocket_client_def kn_websocket_client_def_default(void);

/// Creates a client, which does not connect yet. Proxies that the environment names are not used.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or with a value out of
///         range; KN_ERROR_BAD_DATA if the URL is malformed; KN_ERROR_IO if `ca_file` cannot be
///         read or used; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_websocket_client_create(
    const kn_websocket_client_def *def, kn_websocket_client **client, kn_error *error);

/// Closes the connection without a word, and frees the client. NULL is ignored.
KN_API void kn_websocket_client_destroy(kn_websocket_client *client);

/// Begins to connect. KN_WEBSOCKET_CONNECTED follows, or KN_WEBSOCKET_CLOSED if it fails. After
/// that it may be called again; wait longer from one failure to the next, so that a server that
/// starts again is not flooded.
/// @return KN_OK; KN_REFUSED_DUPLICATE unless the state is KN_WEBSOCKET_CLIENT_DISCONNECTED;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_websocket_client_connect(kn_websocket_client *client, kn_time now);

/// Receives and sends as much as goes without waiting. Call it every frame.
KN_API void kn_websocket_client_update(kn_websocket_client *client, kn_time now);

/// Waits until the socket of the client needs an update, as kn_websocket_server_wait() does.
KN_API void kn_websocket_client_wait(kn_websocket_client *client, kn_time timeout);

/// Takes the next event. Take all events after each update.
/// @return false if there is none, with `*event` zeroed
KN_API bool kn_websocket_client_next_event(kn_websocket_client *client, kn_websocket_event *event);

/// Sends a message, with the next update.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is no connection; KN_REFUSED_LIMIT if too much
/// waits
///         to be sent, which is counted; KN_ERROR_INVALID_ARGUMENT if `size` is 0 or above
///         `message_max`
KN_API KN_MUST_USE kn_result kn_websocket_client_send(
    kn_websocket_client *client, const void *bytes, size_t size);

/// Closes the connection, as kn_websocket_server_close() does, or gives up connecting;
/// KN_WEBSOCKET_CLOSED follows, after 5 s at the latest.
/// @return false if there is no connection, or it is closing
KN_API bool kn_websocket_client_close(
    kn_websocket_client *client, uint16_t status, const char *text);

/// The state of a client.
KN_API kn_websocket_client_state kn_websocket_client_state_of(const kn_websocket_client *client);

/// What happened since the client was created.
KN_API kn_websocket_stats kn_websocket_client_stats(const kn_websocket_client *client);

#ifdef __cplusplus
}
#endif

#endif
