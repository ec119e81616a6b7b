// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Secure connections over UDP: the public protocol netcode 1.02 with the cryptography of
/// libsodium. Part of knack::udp; docs/udp.md is the guide. It needs no world.
///
/// A back end that players trust makes a *token* for one client and sends it over a channel of its
/// own, such as HTTPS. The client shows the token to a server, proves that it receives at its
/// address, and gets a *slot*. From then on both exchange encrypted *payloads* of 1 to 1200 bytes,
/// which may get lost or arrive out of order, but never twice, forged or changed.
///
/// Client and server are state machines without sockets, threads or clocks. Datagrams go in with
/// the address they came from and the time; datagrams come out with the address they go to:
///
///     kn_udp_client_receive(client, &from, bytes, size, now); // for each datagram that arrived
///     kn_udp_client_update(client, now);
///     while (kn_udp_client_next_datagram(client, &datagram)) {
///         // send datagram.bytes to datagram.address
///     }
///     while (kn_udp_client_next_payload(client, &payload)) {
///         // payload.bytes is what the server sent
///     }
///
/// kn_udp_socket does the first part for real sockets, in one call. Times are those of a monotonic
/// clock of your choice, in microseconds, which never runs backwards and stays within KN_TIME_MAX
/// of 0. Each object belongs to one thread at a time. All memory is allocated at creation.
#ifndef KNACK_UDP_H
#define KNACK_UDP_H

#include "knack/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of every key.
#define KN_UDP_KEY_SIZE 32
/// Bytes of the number that makes the encryption of a token unique.
#define KN_UDP_NONCE_SIZE 24
/// Bytes of the data that a token carries from the back end to the server.
#define KN_UDP_USER_DATA_SIZE 256
/// Bytes of a token.
#define KN_UDP_TOKEN_SIZE 2048
/// Most addresses of servers in a token.
#define KN_UDP_TOKEN_ADDRESSES 32
/// Most bytes of a payload.
#define KN_UDP_PAYLOAD_MAX 1200
/// Most bytes of a datagram that this protocol sends or accepts.
#define KN_UDP_DATAGRAM_MAX 1225
/// Most slots of a server.
#define KN_UDP_SLOTS_MAX 4096

// Addresses -------------------------------------------------------------------

/// Bytes that are enough for any address as text, with its final zero.
#define KN_ADDRESS_TEXT_SIZE 56

/// The family of an address.
typedef enum kn_address_kind {
    KN_ADDRESS_NONE = 0, ///< no address
    KN_ADDRESS_IPV4 = 1, ///< four bytes and a port
    KN_ADDRESS_IPV6 = 2, ///< sixteen bytes and a port
} kn_address_kind;

/// An address of the internet with its port. All-zero means "no address".
typedef struct kn_address {
    kn_address_kind kind; ///< the family; KN_ADDRESS_NONE makes the rest meaningless
    uint16_t port;        ///< the port, 0 to 65535
    uint8_t bytes[16];    ///< the address in its usual order; IPv4 uses the first four bytes
} kn_address;

/// True if kind, address and port are equal. An IPv4 address never equals an IPv6 one.
KN_API bool kn_address_equal(const kn_address *a, const kn_address *b);

/// Reads an address as text: "127.0.0.1:40000" or "[2001:db8::1]:40000". Without a port, as in
/// "127.0.0.1", "2001:db8::1" or "[2001:db8::1]", the port is 0. Names are not looked up.
/// @return KN_OK; KN_ERROR_BAD_DATA if it is not an address, with `*address` zeroed
KN_API KN_MUST_USE kn_result kn_address_parse(
    const char *text, kn_address *address, kn_error *error);

/// Prints an address as kn_address_parse() reads it, with its port unless that is 0, and IPv6 in
/// its shortest form. "none" for no address. Returns the full length; the text is truncated to
/// `size` bytes including the final zero.
KN_API uint32_t kn_address_print(const kn_address *address, char *text, uint32_t size);

// Tokens ----------------------------------------------------------------------

/// As the lifetime of a token: it never expires. For development.
#define KN_TOKEN_NEVER_EXPIRES UINT64_MAX

/// What a back end puts into a token. Start from kn_token_def_default(). Everything is copied.
typedef struct kn_token_def {
    /// The key that back end and servers share: KN_UDP_KEY_SIZE bytes. It must never reach clients.
    const uint8_t *private_key;
    /// Names your game and its version: token, client and server must have the same one.
    uint64_t protocol_id;
    /// Names the player. A server has each client id connected at most once.
    uint64_t client_id;
    /// The addresses that the client tries, in this order. 1 to KN_UDP_TOKEN_ADDRESSES.
    const kn_address *addresses;
    /// The addresses by which the servers know themselves, as many and in the same order, where
    /// address translation lies between; NULL: the same as `addresses`.
    const kn_address *private_addresses;
    /// Number of addresses.
    uint32_t address_count;
    /// When the token is made, in seconds since 1970-01-01 00:00 UTC.
    uint64_t create_time;
    /// Seconds until the token expires. Keep it short: the client has to begin within this time.
    /// Default 45.
    uint64_t lifetime;
    /// Seconds of silence after which either side gives up; negative turns timeouts off, which is
    /// for debugging. 0 is refused. Default 5.
    int32_t timeout;
    /// KN_UDP_USER_DATA_SIZE bytes for the server, which the client cannot read; NULL: zeros.
    const uint8_t *user_data;
    /// KN_UDP_NONCE_SIZE bytes that are never used twice; NULL, the default: random ones. For
    /// tests.
    const uint8_t *nonce;
    /// The key for packets to the server; NULL, the default: a random one. For tests.
    const uint8_t *client_to_server_key;
    /// The key for packets to the client; NULL, the default: a random one. For tests.
    const uint8_t *server_to_client_key;
    /// Set by kn_token_def_default().
    uint32_t cookie;
} kn_token_def;

/// A def with the defaults named at its fields.
KN_API kn_token_def kn_token_def_default(void);

/// A token as it is sent to a client. It holds the keys of the connection in the clear: send it
/// only over a channel that others cannot read.
typedef struct kn_token {
    uint8_t bytes[KN_UDP_TOKEN_SIZE]; ///< the token itself
} kn_token;

/// Makes a token for one connection of one client. A client needs a new one for every attempt.
/// @return KN_OK; KN_ERROR_BAD_DATA if the number or kind of addresses, the timeout, or the sum of
///         `create_time` and `lifetime` is out of range; KN_ERROR_IO if the system has no random
///         numbers
KN_API KN_MUST_USE kn_result kn_token_make(
    const kn_token_def *def, kn_token *token, kn_error *error);

/// What everybody who holds a token can read in it.
typedef struct kn_token_info {
    uint64_t protocol_id;   ///< names the game and its version
    uint64_t create_time;   ///< when it was made, in seconds since 1970-01-01 00:00 UTC
    uint64_t expire_time;   ///< when it expires, in the same unit; UINT64_MAX: never
    int32_t timeout;        ///< seconds of silence before giving up; 0 and below: never
    uint32_t address_count; ///< number of addresses, 1 to KN_UDP_TOKEN_ADDRESSES
    kn_address addresses[KN_UDP_TOKEN_ADDRESSES]; ///< the servers, in the order to try them
} kn_token_info;

/// Reads the public part of a token, with the checks of a client. It does not look at a clock.
/// @return KN_OK; KN_ERROR_BAD_DATA if it is not a token of this protocol, with `*info` zeroed
KN_API KN_MUST_USE kn_result kn_token_read(
    const void *token, size_t size, kn_token_info *info, kn_error *error);

/// What only the holder of the private key can read in a token.
typedef struct kn_token_secret {
    uint64_t client_id;     ///< names the player
    int32_t timeout;        ///< seconds of silence before giving up; 0 and below: never
    uint32_t address_count; ///< number of addresses, 1 to KN_UDP_TOKEN_ADDRESSES
    kn_address addresses[KN_UDP_TOKEN_ADDRESSES];  ///< how the servers know themselves
    uint8_t client_to_server_key[KN_UDP_KEY_SIZE]; ///< key of packets to the server
    uint8_t server_to_client_key[KN_UDP_KEY_SIZE]; ///< key of packets to the client
    uint8_t user_data[KN_UDP_USER_DATA_SIZE];      ///< from the back end for the server
} kn_token_secret;

/// Decrypts the private part of a token, for tools of a back end. Servers do this by themselves.
/// @param private_key KN_UDP_KEY_SIZE bytes
/// @return KN_OK; KN_ERROR_BAD_DATA if it is not a token, or another key made it, with `*secret`
///         zeroed
KN_API KN_MUST_USE kn_result kn_token_open(const void *token, size_t size,
    const uint8_t *private_key, kn_token_secret *secret, kn_error *error);

/// Fills a buffer with random bytes that are good enough for keys.
/// @return KN_OK; KN_ERROR_IO if the system has no random numbers, with the buffer zeroed
KN_API KN_MUST_USE kn_result kn_udp_random(void *bytes, size_t size);

// Datagrams and payloads ------------------------------------------------------

/// A datagram to send.
typedef struct kn_udp_datagram {
    kn_address address;   ///< where to send it
    const uint8_t *bytes; ///< what to send; valid until the next call for the same object
    size_t size;          ///< number of bytes, at most KN_UDP_DATAGRAM_MAX
} kn_udp_datagram;

/// A payload that arrived.
typedef struct kn_udp_payload {
    const uint8_t *bytes; ///< what was sent; valid until the same object receives a datagram
    size_t size;          ///< number of bytes, 1 to KN_UDP_PAYLOAD_MAX
} kn_udp_payload;

// Client ----------------------------------------------------------------------

/// The state of a client. Negative ones say why it is not connected.
typedef enum kn_udp_client_state {
    KN_UDP_CLIENT_TOKEN_EXPIRED = -6,      ///< the token expired before a server answered
    KN_UDP_CLIENT_INVALID_TOKEN = -5,      ///< what was given to connect is not a token
    KN_UDP_CLIENT_TIMED_OUT = -4,          ///< connected, but the server fell silent
    KN_UDP_CLIENT_RESPONSE_TIMED_OUT = -3, ///< the last server did not confirm the response
    KN_UDP_CLIENT_REQUEST_TIMED_OUT = -2,  ///< the last server did not answer the request
    KN_UDP_CLIENT_DENIED = -1,             ///< the last server is full
    KN_UDP_CLIENT_DISCONNECTED = 0,        ///< never connected, or either side disconnected
    KN_UDP_CLIENT_SENDING_REQUEST = 1,     ///< shows the token to a server
    KN_UDP_CLIENT_SENDING_RESPONSE = 2,    ///< answers the challenge of a server
    KN_UDP_CLIENT_CONNECTED = 3,           ///< has a slot; payloads may be sent and received
} kn_udp_client_state;

/// The name of a state for logs, such as "request timed out". Valid forever.
KN_API const char *kn_udp_client_state_name(kn_udp_client_state state);

/// One end of a connection. Opaque; see kn_udp_client_create().
typedef struct kn_udp_client kn_udp_client;

/// Limits of a client. Start from kn_udp_client_def_default().
typedef struct kn_udp_client_def {
    /// Memory; nothing is logged.
    kn_hooks hooks;
    /// Most payloads that wait for kn_udp_client_next_payload(); more are dropped. Default 256.
    uint32_t receive_capacity;
    /// Most bytes of datagrams that wait for kn_udp_client_next_datagram(), at least 4096; each
    /// counts up to 32 bytes more than it has. Default 65536.
    uint32_t send_capacity;
    /// Set by kn_udp_client_def_default().
    uint32_t cookie;
} kn_udp_client_def;

/// A def with the defaults named at its fields.
KN_API kn_udp_client_def kn_udp_client_def_default(void);

/// Creates a client that is disconnected.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_INVALID_ARGUMENT if a capacity is out of range;
///         KN_ERROR_IO if libsodium cannot start
KN_API KN_MUST_USE kn_result kn_udp_client_create(
    const kn_udp_client_def *def, kn_udp_client **client);

/// Frees a client and wipes its keys. It sends nothing: disconnect first, and send what that gives.
/// NULL is ignored.
KN_API void kn_udp_client_destroy(kn_udp_client *client);

/// Begins to connect with a token, which is copied. A client that is connecting or connected
/// disconnects first. The first request is sent by the next update.
/// @return KN_OK; KN_ERROR_BAD_DATA if it is not a token: the state says so, too
KN_API KN_MUST_USE kn_result kn_udp_client_connect(
    kn_udp_client *client, const void *token, size_t size, kn_time now);

/// Ends the connection, or the attempt, and notifies the server with several datagrams. Payloads
/// that were not taken are dropped. Does nothing in states 0 and below.
KN_API void kn_udp_client_disconnect(kn_udp_client *client);

/// Passes a datagram that arrived. Whatever is not a valid packet of the server is ignored.
KN_API void kn_udp_client_receive(
    kn_udp_client *client, const kn_address *from, const void *bytes, size_t size, kn_time now);

/// Sends what is due and checks all timeouts. Call it at least ten times a second, after the
/// datagrams that arrived.
KN_API void kn_udp_client_update(kn_udp_client *client, kn_time now);

/// Takes the next datagram to send. Take all of them after each update.
/// @return false if there is none, with `*datagram` zeroed
KN_API bool kn_udp_client_next_datagram(kn_udp_client *client, kn_udp_datagram *datagram);

/// Sends a payload: it becomes a datagram at once.
/// @return KN_OK; KN_REFUSED_BLOCKED if the client is not connected; KN_REFUSED_LIMIT if too many
///         datagrams wait to be taken; KN_ERROR_INVALID_ARGUMENT if `size` is 0 or above
///         KN_UDP_PAYLOAD_MAX
KN_API KN_MUST_USE kn_result kn_udp_client_send(
    kn_udp_client *client, const void *bytes, size_t size, kn_time now);

/// Takes the next payload that arrived, in order of arrival.
/// @return false if there is none, with `*payload` zeroed
KN_API bool kn_udp_client_next_payload(kn_udp_client *client, kn_udp_payload *payload);

/// The state of a client.
KN_API kn_udp_client_state kn_udp_client_state_of(const kn_udp_client *client);

/// The address of the server that the client tries or is connected to; none in states 0 and below.
KN_API kn_address kn_udp_client_server(const kn_udp_client *client);

/// The slot of a connected client, as the server said; 0 for others.
KN_API uint32_t kn_udp_client_slot(const kn_udp_client *client);

/// The number of slots of the server of a connected client, as the server said; 0 for others.
KN_API uint32_t kn_udp_client_slot_count(const kn_udp_client *client);

// Server ----------------------------------------------------------------------

/// The other end of many connections. Opaque; see kn_udp_server_create().
typedef struct kn_udp_server kn_udp_server;

/// What a server is and its limits. Start from kn_udp_server_def_default().
typedef struct kn_udp_server_def {
    /// Memory; nothing is logged.
    kn_hooks hooks;
    /// The key that back end and servers share: KN_UDP_KEY_SIZE bytes. Copied.
    const uint8_t *private_key;
    /// Names your game and its version; other ones are ignored.
    uint64_t protocol_id;
    /// The address by which tokens name this server, with its port.
    kn_address address;
    /// A second one, mostly of the other family; none by default.
    kn_address second_address;
    /// Number of clients at a time, 1 to KN_UDP_SLOTS_MAX. Default 64.
    uint32_t slot_count;
    /// Most payloads of one slot that wait for kn_udp_server_next_payload(); more are dropped.
    /// Each takes about 1200 bytes from the start. Default 256.
    uint32_t receive_capacity;
    /// Most bytes of datagrams that wait for kn_udp_server_next_datagram(), at least 4096; each
    /// counts up to 32 bytes more than it has. kn_udp_server_stop() wants about 500 for each
    /// client. Default 1048576.
    uint32_t send_capacity;
    /// Most clients that have shown a token and have no slot yet. Default 1024.
    uint32_t pending_capacity;
    /// Most used tokens to remember. Make it larger than the number of tokens that the back end
    /// makes within the lifetime of one: a token that is forgotten before it expires can be used
    /// from another address. Default 2048.
    uint32_t used_capacity;
    /// Refuses a token that already led to a slot, even from the same address; the standard lets it
    /// through. Numbers that must be unique under the keys of a token would repeat; docs/udp.md
    /// says more. Default true.
    bool refuse_spent_tokens;
    /// Ignores tokens that expire at this time or before, in seconds since 1970. A server that
    /// starts again and lost its used tokens sets it to the current time plus the lifetime of
    /// tokens: then no token made before the start is accepted. Default 0.
    uint64_t refuse_expiring_until;
    /// Most connection requests and responses a second from one network address, whatever the port,
    /// before anything is decrypted: one IPv4 address, or the 64 bits that name an IPv6 network. 0:
    /// no limit. Default 50.
    uint32_t handshake_rate;
    /// How many of them may come at once. Default 100.
    uint32_t handshake_burst;
    /// Counters that all network addresses share by a secret hash; rounded up to a power of two.
    /// Addresses are not stored, so a flood of invented ones cannot displace any. Default 4096.
    uint32_t handshake_counters;
    /// Most datagrams a second from the address of one connected client before anything is
    /// decrypted. 0: no limit. Default 2000.
    uint32_t slot_rate;
    /// How many of them may come at once. Default 2000.
    uint32_t slot_burst;
    /// The key of challenges, KN_UDP_KEY_SIZE bytes; NULL, the default: a random one. For tests.
    const uint8_t *challenge_key;
    /// Set by kn_udp_server_def_default().
    uint32_t cookie;
} kn_udp_server_def;

/// A def with the defaults named at its fields.
KN_API kn_udp_server_def kn_udp_server_def_default(void);

/// Creates a server whose slots are all free.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_INVALID_ARGUMENT if the address or key is
///         missing, or a capacity is out of range; KN_ERROR_IO if the system has no random numbers
KN_API KN_MUST_USE kn_result kn_udp_server_create(
    const kn_udp_server_def *def, kn_udp_server **server);

/// Frees a server and wipes its keys. It sends nothing: stop it first, and send what that gives.
/// NULL is ignored.
KN_API void kn_udp_server_destroy(kn_udp_server *server);

/// Disconnects all clients and forgets pending ones, used tokens and the challenge key. From then
/// on the server ignores every datagram; create another one to start again. Take and send the
/// datagrams that this gives.
KN_API void kn_udp_server_stop(kn_udp_server *server);

/// Passes a datagram that arrived. Whatever is not a valid packet is ignored.
/// @param wall the current time in seconds since 1970-01-01 00:00 UTC, against which tokens expire
KN_API void kn_udp_server_receive(kn_udp_server *server, const kn_address *from, const void *bytes,
    size_t size, kn_time now, uint64_t wall);

/// Sends what is due and frees the slots of silent clients. Call it at least ten times a second,
/// after the datagrams that arrived.
KN_API void kn_udp_server_update(kn_udp_server *server, kn_time now);

/// Takes the next datagram to send. Take all of them after each update.
/// @return false if there is none, with `*datagram` zeroed
KN_API bool kn_udp_server_next_datagram(kn_udp_server *server, kn_udp_datagram *datagram);

/// Sends a payload to the client in a slot: it becomes a datagram at once.
/// @return KN_OK; KN_REFUSED_STALE_ID if the slot is free or out of range; KN_REFUSED_LIMIT if too
///         many datagrams wait to be taken; KN_ERROR_INVALID_ARGUMENT if `size` is 0 or above
///         KN_UDP_PAYLOAD_MAX
KN_API KN_MUST_USE kn_result kn_udp_server_send(
    kn_udp_server *server, uint32_t slot, const void *bytes, size_t size, kn_time now);

/// Takes the next payload of the client in a slot, in order of arrival.
/// @return false if there is none, or the slot is free or out of range, with `*payload` zeroed
KN_API bool kn_udp_server_next_payload(
    kn_udp_server *server, uint32_t slot, kn_udp_payload *payload);

/// Disconnects the client in a slot, notifies it with several datagrams, and frees the slot.
/// Payloads that were not taken are dropped. Does nothing if the slot is free or out of range.
KN_API void kn_udp_server_disconnect(kn_udp_server *server, uint32_t slot);

/// Why a client lost its slot.
typedef enum kn_udp_end {
    KN_UDP_END_NONE,      ///< it did not
    KN_UDP_END_TIMED_OUT, ///< it fell silent
    KN_UDP_END_BY_CLIENT, ///< the client disconnected
    KN_UDP_END_BY_SERVER, ///< kn_udp_server_disconnect() or kn_udp_server_stop()
} kn_udp_end;

/// A client that gained or lost a slot.
typedef struct kn_udp_event {
    bool is_connected;  ///< true: it gained the slot; false: it lost the slot
    kn_udp_end end;     ///< why it lost the slot; KN_UDP_END_NONE if it gained it
    uint32_t slot;      ///< the slot
    uint64_t client_id; ///< names the player
    uint64_t session;   ///< number of the connection, from 1, never repeated by this server
} kn_udp_event;

/// Takes the next change of a slot since the last call. A slot that one client lost and another
/// gained gives two events, in this order. A client that came and went between two calls gives
/// none. Take events after each update and before anything else: slots that changed hands keep
/// their numbers.
/// @return false if there is none, with `*event` zeroed
KN_API bool kn_udp_server_next_event(kn_udp_server *server, kn_udp_event *event);

/// What a server knows about a slot.
typedef struct kn_udp_slot {
    bool is_connected;        ///< false: the slot is free and the rest is zero
    bool is_confirmed;        ///< the client has sent something since it got the slot
    uint64_t session;         ///< number of the connection, from 1, never repeated by this server
    uint64_t client_id;       ///< names the player
    kn_address address;       ///< where the client is
    const uint8_t *user_data; ///< KN_UDP_USER_DATA_SIZE bytes from the back end; valid as long as
                              ///< the client has the slot
} kn_udp_slot;

/// Describes a slot; all-zero if it is free or out of range.
KN_API kn_udp_slot kn_udp_server_slot(const kn_udp_server *server, uint32_t slot);

/// Number of slots that are taken.
KN_API uint32_t kn_udp_server_client_count(const kn_udp_server *server);

/// What happened since the server was created.
typedef struct kn_udp_server_stats {
    uint64_t received;         ///< datagrams that arrived
    uint64_t accepted;         ///< those of them that were valid and had an effect
    uint64_t limited;          ///< those ignored because of a rate limit
    uint64_t denied;           ///< clients that found no free slot
    uint64_t dropped_sends;    ///< datagrams that were not sent because too many waited
    uint64_t dropped_payloads; ///< payloads that were dropped because too many waited
    uint64_t forgotten_tokens; ///< used tokens forgotten before they expired: raise used_capacity
} kn_udp_server_stats;

/// What happened since the server was created.
KN_API kn_udp_server_stats kn_udp_server_stats_of(const kn_udp_server *server);

/// Writes the used tokens that have not expired, so that a server that starts again still refuses
/// them. Call it before kn_udp_server_stop(). The bytes are for kn_udp_server_import_used() on any
/// machine; they hold no keys.
/// @param wall the current time in seconds since 1970-01-01 00:00 UTC
/// @param bytes may be NULL if `size` is 0, to learn the length
/// @param length receives the number of bytes needed, also when they do not fit
/// @return KN_OK; KN_ERROR_BUFFER_TOO_SMALL
KN_API KN_MUST_USE kn_result kn_udp_server_export_used(
    const kn_udp_server *server, uint64_t wall, void *bytes, size_t size, size_t *length);

/// Adds used tokens that another server wrote. They are refused from every address, the one that
/// used them included. If there is no room for all, those that expire last are kept.
/// @return KN_OK; KN_ERROR_BAD_DATA if the bytes are not what kn_udp_server_export_used() writes
KN_API KN_MUST_USE kn_result kn_udp_server_import_used(
    kn_udp_server *server, const void *bytes, size_t size, kn_error *error);

// Sockets ---------------------------------------------------------------------

/// One or two UDP sockets, for IPv4 and IPv6. Opaque; see kn_udp_socket_open().
typedef struct kn_udp_socket kn_udp_socket;

/// Where to listen. Start from kn_udp_socket_def_default().
typedef struct kn_udp_socket_def {
    /// Memory; nothing is logged.
    kn_hooks hooks;
    /// Local IPv4 address. All-zero bytes: all addresses of the machine; port 0: any free port;
    /// kind KN_ADDRESS_NONE: no IPv4 socket. Default 0.0.0.0 with any port.
    kn_address ipv4;
    /// Local IPv6 address, likewise. The socket takes IPv6 only. Default :: with any port.
    kn_address ipv6;
    /// Fails unless both sockets open, if both are wanted. Otherwise one is enough, as on machines
    /// without IPv6. Default false.
    bool require_both;
    /// Most datagrams that one call of kn_udp_socket_run_client() or kn_udp_socket_run_server()
    /// receives, so that a flood does not keep it busy. The rest waits in the system. Default 4096.
    uint32_t receive_budget;
    /// Bytes that the system may hold for each socket and direction. Default 1048576.
    uint32_t system_buffer;
    /// Set by kn_udp_socket_def_default().
    uint32_t cookie;
} kn_udp_socket_def;

/// A def with the defaults named at its fields.
KN_API kn_udp_socket_def kn_udp_socket_def_default(void);

/// Opens sockets. They never block.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY; KN_ERROR_IO if a socket cannot be opened or bound;
///         KN_ERROR_INVALID_ARGUMENT if neither family is wanted, or an address is of the other one
KN_API KN_MUST_USE kn_result kn_udp_socket_open(
    const kn_udp_socket_def *def, kn_udp_socket **udp_socket, kn_error *error);

/// Closes sockets. NULL is ignored.
KN_API void kn_udp_socket_close(kn_udp_socket *udp_socket);

/// The port on which the socket of a family listens; 0 if there is no such socket.
KN_API uint16_t kn_udp_socket_port(const kn_udp_socket *udp_socket, kn_address_kind kind);

/// Waits until a datagram can be received, at most `timeout`, which is rounded up to milliseconds;
/// 0 only looks. Returns whether there is one. A signal may end it early.
KN_API bool kn_udp_socket_wait(kn_udp_socket *udp_socket, kn_time timeout);

/// Receives one datagram from the socket of a family, or of either with KN_ADDRESS_NONE.
/// @param size receives the number of bytes; one of more than `capacity` bytes is
///        truncated, or on some systems dropped
/// @return false if there is none, with `*from` and `*size` zeroed
KN_API bool kn_udp_socket_receive(kn_udp_socket *udp_socket, kn_address_kind kind, kn_address *from,
    void *bytes, size_t capacity, size_t *size);

/// Sends one datagram from the socket of the family of `to`.
/// @return KN_OK; KN_REFUSED_LIMIT if the system has no room for it now; KN_REFUSED_NOT_FOUND if
///         there is no socket of that family; KN_ERROR_IO for any other failure. Datagrams may get
///         lost anyway, so none of them is fatal
KN_API KN_MUST_USE kn_result kn_udp_socket_send(
    kn_udp_socket *udp_socket, const kn_address *to, const void *bytes, size_t size);

/// Receives for a client, updates it and sends what it gives. Only the socket of the family of its
/// server is read.
KN_API void kn_udp_socket_run_client(kn_udp_socket *udp_socket, kn_udp_client *client, kn_time now);

/// Receives for a server, updates it and sends what it gives.
/// @param wall the current time in seconds since 1970-01-01 00:00 UTC
KN_API void kn_udp_socket_run_server(
    kn_udp_socket *udp_socket, kn_udp_server *server, kn_time now, uint64_t wall);

/// Sends what a client gives, without receiving or updating: after sends, or a last disconnect.
KN_API void kn_udp_socket_flush_client(kn_udp_socket *udp_socket, kn_udp_client *client);

/// Sends what a server gives, without receiving or updating: after sends, or a stop.
KN_API void kn_udp_socket_flush_server(kn_udp_socket *udp_socket, kn_udp_server *server);

#ifdef __cplusplus
}
#endif

#endif
