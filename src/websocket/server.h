// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Inside a server.
#ifndef KNI_WEBSOCKET_SERVER_H
#define KNI_WEBSOCKET_SERVER_H

#include "rate_limits.h"
#include "service.h"

/// A connection of a server. First member: what lws_get_opaque_user_data() gives is its address.
typedef struct kni_websocket_slot {
    kni_websocket_connection connection;
    uint64_t session;
    char address[48];
    bool is_ready; ///< it is in `ready`
} kni_websocket_slot;

/// A socket whose handshake is not complete.
typedef struct kni_websocket_pending {
    struct lws *wsi;
    kn_time since;
} kni_websocket_pending;

struct kn_websocket_server {
    kni_websocket_shared shared;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[2]; ///< the second one is the end
    char *path;
    char *protocol;
    char **origins;
    uint32_t origin_count;
    kni_websocket_slot *slots;
    uint32_t *free_slots; ///< a stack
    uint32_t *ready;      ///< a ring of slots with events, each at most once
    uint32_t slot_count, free_count, ready_first, ready_count;
    uint32_t to_free; ///< slot whose end was taken; UINT32_MAX: none
    kni_websocket_pending *pending;
    uint32_t pending_limit, pending_count;
    kni_websocket_limits limits;
    uint64_t session; ///< number of the latest connection
    uint16_t port;
    bool is_ending; ///< libwebsockets is being destroyed: nothing counts any more
};

/// Puts a slot into the ring if it has an event.
void kni_websocket_server_notice(kn_websocket_server *server, kni_websocket_slot *slot);
/// Frees a slot.
void kni_websocket_server_release(kn_websocket_server *server, kni_websocket_slot *slot);

/// A new socket: not 0 to close it.
int kni_websocket_server_accept(kn_websocket_server *server, lws_sockfd_type socket_fd);
/// A socket begins, or ends, being watched until its handshake is complete.
void kni_websocket_server_watch(kn_websocket_server *server, struct lws *wsi);
void kni_websocket_server_unwatch(kn_websocket_server *server, const struct lws *wsi);
/// Cuts handshakes that take too long.
void kni_websocket_server_cut_pending(kn_websocket_server *server);
/// A request to become a WebSocket: 0 to allow it, with a slot; else the answer is sent.
int kni_websocket_server_confirm(kn_websocket_server *server, struct lws *wsi, const char *upgrade);
/// Any other request: it is answered and refused.
int kni_websocket_server_refuse_http(kn_websocket_server *server, struct lws *wsi);

#endif
