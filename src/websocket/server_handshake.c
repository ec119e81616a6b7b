// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// From a new socket to a connection: limits first, then the request.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "server.h"

#if !defined(_WIN32)
#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#endif

// Sockets ---------------------------------------------------------------------

// An address of either family.
typedef union handshake_address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_storage storage;
} handshake_address;

static bool handshake_peer(lws_sockfd_type socket_fd, handshake_address *address)
{
    socklen_t size = sizeof *address;
    *address = (handshake_address){0};
    return getpeername(socket_fd, &address->any, &size) == 0;
}

// The first 12 bytes of an IPv4 address in the clothes of IPv6, as a socket for both gives it.
static const uint8_t handshake_mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static kni_websocket_network handshake_network(const handshake_address *address)
{
    kni_websocket_network network = {{4}};
    const uint8_t *ipv6 = (const uint8_t *)&address->ipv6.sin6_addr;
    if (address->any.sa_family == AF_INET) {
        memcpy(network.bytes + 1, &address->ipv4.sin_addr, 4);
    } else if (memcmp(ipv6, handshake_mapped, sizeof handshake_mapped) == 0) {
        memcpy(network.bytes + 1, ipv6 + 12, 4);
    } else {
        network.bytes[0] = 6;
        memcpy(network.bytes + 1, ipv6, 8);
    }
    return network;
}

static void handshake_print(lws_sockfd_type socket_fd, char *text, socklen_t size)
{
    handshake_address address;
    text[0] = '\0';
    if (!handshake_peer(socket_fd, &address)) {
        return;
    }
    const uint8_t *ipv6 = (const uint8_t *)&address.ipv6.sin6_addr;
    if (address.any.sa_family == AF_INET) {
        (void)inet_ntop(AF_INET, &address.ipv4.sin_addr, text, size);
    } else if (memcmp(ipv6, handshake_mapped, sizeof handshake_mapped) == 0) {
        (void)inet_ntop(AF_INET, ipv6 + 12, text, size);
    } else {
        (void)inet_ntop(AF_INET6, ipv6, text, size);
    }
}

int kni_websocket_server_accept(kn_websocket_server *server, lws_sockfd_type socket_fd)
{
    kn_websocket_stats *stats = &server->shared.stats;
    server->shared.activity++;
    handshake_address address;
    if (!handshake_peer(socket_fd, &address)) {
        return -1; // already gone
    }
    kni_websocket_network network = handshake_network(&address);
    if (!kni_websocket_limits_take(&server->limits, &network, server->shared.now)) {
        stats->refused_rate++;
        return -1;
    }
    if (server->pending_count == server->pending_limit) {
        stats->refused_full++;
        return -1;
    }
    return 0;
}

void kni_websocket_server_watch(kn_websocket_server *server, struct lws *wsi)
{
    if (server->pending_count < server->pending_limit) {
        server->pending[server->pending_count++] = (kni_websocket_pending){wsi, server->shared.now};
    }
}

void kni_websocket_server_unwatch(kn_websocket_server *server, const struct lws *wsi)
{
    for (uint32_t i = 0; i < server->pending_count; i++) {
        if (server->pending[i].wsi == wsi) {
            server->pending[i] = server->pending[--server->pending_count];
            return;
        }
    }
}

void kni_websocket_server_cut_pending(kn_websocket_server *server)
{
    kn_time now = server->shared.now;
    for (uint32_t i = 0; i < server->pending_count; i++) {
        if (now - server->pending[i].since >= server->shared.close_timeout) {
            server->shared.stats.handshake_timeouts++;
            server->pending[i].since = now; // once is enough
            lws_set_timeout(
                server->pending[i].wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        }
    }
}

// Requests --------------------------------------------------------------------

// Answers and counts a refusal. The socket is closed then.
static int handshake_refuse(struct lws *wsi, uint64_t *counter, unsigned int status)
{
    (*counter)++;
    (void)lws_return_http_status(wsi, status, NULL);
    return -1;
}

// The path without its query is in a header of its own, by its method.
static bool handshake_has_path(const kn_websocket_server *server, struct lws *wsi)
{
    char path[512];
    int size = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
    return size > 0 && strcmp(path, server->path) == 0;
}

static bool handshake_has_origin(const kn_websocket_server *server, struct lws *wsi)
{
    if (server->origin_count == 0 || lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) {
        return true;
    }
    char origin[512];
    int size = lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    for (uint32_t i = 0; size > 0 && i < server->origin_count; i++) {
        if (strcmp(origin, server->origins[i]) == 0) {
            return true;
        }
    }
    return false;
}

// The header is a list with commas.
static bool handshake_has_protocol(const kn_websocket_server *server, struct lws *wsi)
{
    char list[128];
    if (lws_hdr_copy(wsi, list, sizeof list, WSI_TOKEN_PROTOCOL) <= 0) {
        return false;
    }
    size_t length = strlen(server->protocol);
    for (const char *name = list; *name != '\0';) {
        name += strspn(name, ", \t");
        size_t size = strcspn(name, ", \t");
        if (size == length && memcmp(name, server->protocol, size) == 0) {
            return true;
        }
        name += size;
    }
    return false;
}

// Takes a slot for a connection whose handshake goes on. False if none is free, or out of memory.
static bool handshake_take_slot(kn_websocket_server *server, struct lws *wsi)
{
    if (server->free_count == 0) {
        return false;
    }
    kni_websocket_slot *slot = &server->slots[server->free_slots[server->free_count - 1]];
    if (!kni_websocket_connection_init(&slot->connection, &server->shared, wsi)) {
        return false;
    }
    server->free_count--;
    slot->session = 0;
    slot->is_ready = false;
    handshake_print(lws_get_socket_fd(wsi), slot->address, sizeof slot->address);
    lws_set_opaque_user_data(wsi, slot);
    return true;
}

int kni_websocket_server_confirm(kn_websocket_server *server, struct lws *wsi, const char *upgrade)
{
    kn_websocket_stats *stats = &server->shared.stats;
    server->shared.activity++;
    if (lws_get_opaque_user_data(wsi) != NULL) {
        return -1; // a second request in place of messages
    }
    if (upgrade == NULL || strncasecmp(upgrade, "websocket", 10) != 0) {
        return handshake_refuse(wsi, &stats->refused_path, 400);
    }
    if (!handshake_has_path(server, wsi)) {
        return handshake_refuse(wsi, &stats->refused_path, 404);
    }
    if (!handshake_has_origin(server, wsi)) {
        return handshake_refuse(wsi, &stats->refused_origin, 403);
    }
    if (!handshake_has_protocol(server, wsi)) {
        return handshake_refuse(wsi, &stats->refused_protocol, 400);
    }
    if (!handshake_take_slot(server, wsi)) {
        return handshake_refuse(wsi, &stats->refused_full, 503);
    }
    return 0;
}

int kni_websocket_server_refuse_http(kn_websocket_server *server, struct lws *wsi)
{
    server->shared.activity++;
    return handshake_refuse(wsi, &server->shared.stats.refused_path, 426);
}
