// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the server share.
#ifndef KNI_UDP_SERVER_H
#define KNI_UDP_SERVER_H

#include "challenge.h"
#include "index.h"
#include "packet.h"
#include "queue.h"
#include "rate_limits.h"
#include "token.h"
#include "used.h"

#define KNI_UDP_SEND_INTERVAL KN_MS(100)
#define KNI_UDP_DISCONNECT_PACKETS 10
/// Denied and challenge packets count from here, so that under one key they never have the number
/// of a packet of a slot.
#define KNI_UDP_GLOBAL_SEQUENCE ((uint64_t)1 << 63)
#define KNI_UDP_PENDING_MAX (1u << 20)

/// A client that showed a token and has no slot yet.
typedef struct kni_udp_pending {
    kn_address address;
    kn_time renewed; ///< when its last valid request came
    kn_time timeout;
    kn_time response_next; ///< for the rate of its responses
    uint8_t client_to_server_key[KN_UDP_KEY_SIZE];
    uint8_t server_to_client_key[KN_UDP_KEY_SIZE];
    uint8_t tag[KNI_UDP_TAG_SIZE]; ///< of its token
    kni_udp_challenge client;      ///< who it is; its response has to say the same
} kni_udp_pending;

typedef struct kni_udp_slot {
    bool is_connected, is_confirmed;
    kn_address address;
    uint64_t session;
    uint64_t sequence; ///< of the next packet
    kn_time timeout;
    kn_time last_send, last_receive;
    kn_time receive_next; ///< for the rate of its datagrams
    kni_udp_replay window;
    uint8_t client_to_server_key[KN_UDP_KEY_SIZE];
    uint8_t server_to_client_key[KN_UDP_KEY_SIZE];
    kni_udp_challenge client;
    kni_udp_inbox inbox;
    /// The connection that events have reported and not yet ended; session 0: none.
    kn_udp_event reported;
} kni_udp_slot;

struct kn_udp_server {
    kn_hooks hooks;
    kn_address address, second_address;
    uint64_t protocol_id;
    uint8_t private_key[KN_UDP_KEY_SIZE];
    uint8_t challenge_key[KN_UDP_KEY_SIZE];
    uint64_t challenge_sequence;
    uint64_t global_sequence;
    uint64_t next_session;
    uint64_t refuse_expiring_until;
    bool refuse_spent_tokens;
    bool is_stopped;
    kni_udp_slot *slots;
    kni_udp_index slot_index;
    uint32_t slot_count;
    uint32_t client_count;
    kni_udp_pending *pending;
    kni_udp_index pending_index;
    uint32_t pending_capacity;
    kni_udp_used used;
    kni_udp_limits limits;  ///< for strangers
    kni_udp_rate slot_rate; ///< for each slot
    kni_udp_outbox outbox;
    kn_udp_server_stats stats;
};

/// Adds a datagram to the outbox, or counts it as dropped.
bool kni_udp_server_write(
    kn_udp_server *server, const kn_address *to, const uint8_t *bytes, size_t size);
/// The slot of an address; NULL if it has none.
kni_udp_slot *kni_udp_server_slot_at(kn_udp_server *server, const kn_address *address);
/// The live pending client of an address; NULL if there is none.
kni_udp_pending *kni_udp_server_pending_at(
    kn_udp_server *server, const kn_address *address, kn_time now);
/// Sends a keep-alive to a slot.
void kni_udp_server_keep_alive(kn_udp_server *server, kni_udp_slot *slot, kn_time now);

/// Handles a datagram that begins like a connection request. False if it is ignored.
bool kni_udp_server_request(kn_udp_server *server, const kn_address *from, const uint8_t *bytes,
    size_t size, kn_time now, uint64_t wall);
/// Handles a datagram of a pending client. False if it is ignored.
bool kni_udp_server_response(kn_udp_server *server, kni_udp_pending *pending, const uint8_t *bytes,
    size_t size, kn_time now);

#endif
