// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Real sockets, for POSIX and Windows. Nothing here knows the protocol: datagrams go to a state
// machine and come from it.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "knack/tools.h"
#include "knack/udp.h"

#include <errno.h>

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>

typedef SOCKET socket_handle;
typedef int socket_length;
typedef WSAPOLLFD socket_poll_entry;
#define SOCKET_NONE INVALID_SOCKET
#else
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int socket_handle;
typedef socklen_t socket_length;
typedef struct pollfd socket_poll_entry;
#define SOCKET_NONE (-1)
#endif

// IPv4 and IPv6, in this order.
#define SOCKET_FAMILIES 2

struct kn_udp_socket {
    kn_hooks hooks;
    socket_handle handles[SOCKET_FAMILIES];
    uint16_t ports[SOCKET_FAMILIES];
    uint32_t receive_budget;
    uint32_t next_family; // that is read first, so that a flood of one does not starve the other
};

// What the systems do differently ---------------------------------------------

#if defined(_WIN32)

static bool socket_start(void)
{
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

static void socket_finish(void)
{
    (void)WSACleanup();
}

static void socket_close_handle(socket_handle handle)
{
    (void)closesocket(handle);
}

static bool socket_set_nonblocking(socket_handle handle)
{
    u_long on = 1;
    return ioctlsocket(handle, (long)FIONBIO, &on) == 0;
}

static bool socket_would_block(void)
{
    int error = WSAGetLastError();
    return error == WSAEWOULDBLOCK || error == WSAENOBUFS;
}

// A datagram that was too long, or news that an earlier one could not be delivered: there may be
// more behind it.
static bool socket_should_retry(void)
{
    int error = WSAGetLastError();
    return error == WSAECONNRESET || error == WSAENETRESET || error == WSAEMSGSIZE;
}

static int socket_poll(socket_poll_entry *entries, uint32_t count, int milliseconds)
{
    return WSAPoll(entries, count, milliseconds);
}

#else

static bool socket_start(void)
{
    return true;
}

static void socket_finish(void)
{
}

static void socket_close_handle(socket_handle handle)
{
    (void)close(handle);
}

static bool socket_set_nonblocking(socket_handle handle)
{
    int flags = fcntl(handle, F_GETFL, 0);
    return flags >= 0 && fcntl(handle, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(handle, F_SETFD, FD_CLOEXEC) == 0;
}

static bool socket_would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
}

static bool socket_should_retry(void)
{
    return errno == EINTR || errno == ECONNREFUSED;
}

static int socket_poll(socket_poll_entry *entries, uint32_t count, int milliseconds)
{
    return poll(entries, count, milliseconds);
}

#endif

// Addresses -------------------------------------------------------------------

typedef union socket_address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
} socket_address;

static socket_length socket_write_address(const kn_address *address, socket_address *out)
{
    memset(out, 0, sizeof *out);
    if (address->kind == KN_ADDRESS_IPV4) {
        out->ipv4.sin_family = AF_INET;
        out->ipv4.sin_port = htons(address->port);
        memcpy(&out->ipv4.sin_addr, address->bytes, 4);
        return sizeof out->ipv4;
    }
    out->ipv6.sin6_family = AF_INET6;
    out->ipv6.sin6_port = htons(address->port);
    memcpy(&out->ipv6.sin6_addr, address->bytes, 16);
    return sizeof out->ipv6;
}

static kn_address socket_read_address(const socket_address *in)
{
    kn_address address = {0};
    if (in->any.sa_family == AF_INET) {
        address.kind = KN_ADDRESS_IPV4;
        address.port = ntohs(in->ipv4.sin_port);
        memcpy(address.bytes, &in->ipv4.sin_addr, 4);
    } else if (in->any.sa_family == AF_INET6) {
        address.kind = KN_ADDRESS_IPV6;
        address.port = ntohs(in->ipv6.sin6_port);
        memcpy(address.bytes, &in->ipv6.sin6_addr, 16);
    }
    return address;
}

// The place of a family in the arrays; SOCKET_FAMILIES for none.
static uint32_t socket_family(kn_address_kind kind)
{
    switch (kind) {
    case KN_ADDRESS_IPV4:
        return 0;
    case KN_ADDRESS_IPV6:
        return 1;
    default:
        return SOCKET_FAMILIES;
    }
}

// Opening ---------------------------------------------------------------------

kn_udp_socket_def kn_udp_socket_def_default(void)
{
    return (kn_udp_socket_def){.ipv4.kind = KN_ADDRESS_IPV4,
        .ipv6.kind = KN_ADDRESS_IPV6,
        .receive_budget = 4096,
        .system_buffer = 1u << 20,
        .cookie = KN_COOKIE};
}

static void socket_set_options(socket_handle handle, const kn_udp_socket_def *def)
{
    // Systems may grant less, which does no harm.
    int size = def->system_buffer <= INT32_MAX ? (int)def->system_buffer : INT32_MAX;
    (void)setsockopt(handle, SOL_SOCKET, SO_RCVBUF, (const void *)&size, sizeof size);
    (void)setsockopt(handle, SOL_SOCKET, SO_SNDBUF, (const void *)&size, sizeof size);
}

static bool socket_bind(kn_udp_socket *udp_socket, uint32_t family, const kn_address *local)
{
    socket_handle handle = udp_socket->handles[family];
    socket_address address;
    socket_length length = socket_write_address(local, &address);
    if (bind(handle, &address.any, length) != 0) {
        return false;
    }
    length = sizeof address;
    if (getsockname(handle, &address.any, &length) != 0) {
        return false;
    }
    udp_socket->ports[family] = socket_read_address(&address).port;
    return true;
}

static bool socket_open_family(
    kn_udp_socket *udp_socket, const kn_udp_socket_def *def, const kn_address *local)
{
    uint32_t family = socket_family(local->kind);
    bool is_ipv6 = local->kind == KN_ADDRESS_IPV6;
    socket_handle handle = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    if (handle == SOCKET_NONE) {
        return false;
    }
    udp_socket->handles[family] = handle;
    socket_set_options(handle, def);
    int on = 1;
    bool is_open = socket_set_nonblocking(handle) &&
                   (!is_ipv6 || setsockopt(handle, IPPROTO_IPV6, IPV6_V6ONLY, (const void *)&on,
                                    sizeof on) == 0) &&
                   socket_bind(udp_socket, family, local);
    if (!is_open) {
        socket_close_handle(handle);
        udp_socket->handles[family] = SOCKET_NONE;
    }
    return is_open;
}

static bool socket_def_is_valid(const kn_udp_socket_def *def)
{
    return def != NULL && def->cookie == KN_COOKIE && def->receive_budget > 0 &&
           (def->ipv4.kind == KN_ADDRESS_IPV4 || def->ipv4.kind == KN_ADDRESS_NONE) &&
           (def->ipv6.kind == KN_ADDRESS_IPV6 || def->ipv6.kind == KN_ADDRESS_NONE) &&
           (def->ipv4.kind != KN_ADDRESS_NONE || def->ipv6.kind != KN_ADDRESS_NONE);
}

// Opens what is wanted. False, with the reason in `error`, if it is not enough.
static bool socket_open_all(
    kn_udp_socket *udp_socket, const kn_udp_socket_def *def, kn_error *error)
{
    const kn_address *locals[SOCKET_FAMILIES] = {&def->ipv4, &def->ipv6};
    uint32_t wanted = 0, opened = 0;
    for (uint32_t i = 0; i < SOCKET_FAMILIES; i++) {
        if (locals[i]->kind == KN_ADDRESS_NONE) {
            continue;
        }
        wanted++;
        if (socket_open_family(udp_socket, def, locals[i])) {
            opened++;
        } else {
            char text[KN_ADDRESS_TEXT_SIZE];
            (void)kn_address_print(locals[i], text, sizeof text);
            (void)kn_error_set(error, KN_ERROR_IO,
                "no socket can be opened on %s: is the port taken, or the address of another "
                "machine?",
                text);
        }
    }
    return def->require_both ? opened == wanted : opened > 0;
}

kn_result kn_udp_socket_open(
    const kn_udp_socket_def *def, kn_udp_socket **udp_socket, kn_error *error)
{
    KN_ASSERT_DEF(def, kn_udp_socket_def);
    KN_ASSERT(udp_socket != NULL);
    if (udp_socket == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *udp_socket = NULL;
    if (!socket_def_is_valid(def)) {
        return kn_error_set(error, KN_ERROR_INVALID_ARGUMENT,
            "give an IPv4 or an IPv6 address to listen on, each in its own field");
    }
    if (!socket_start()) {
        return kn_error_set(error, KN_ERROR_IO, "the system has no sockets");
    }
    kn_udp_socket *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof *made);
    if (made == NULL) {
        socket_finish();
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    *made = (kn_udp_socket){.hooks = def->hooks,
        .handles = {SOCKET_NONE, SOCKET_NONE},
        .receive_budget = def->receive_budget};
    if (!socket_open_all(made, def, error)) {
        kn_udp_socket_close(made);
        return KN_ERROR_IO;
    }
    *udp_socket = made;
    return KN_OK;
}

void kn_udp_socket_close(kn_udp_socket *udp_socket)
{
    if (udp_socket == NULL) {
        return;
    }
    for (uint32_t i = 0; i < SOCKET_FAMILIES; i++) {
        if (udp_socket->handles[i] != SOCKET_NONE) {
            socket_close_handle(udp_socket->handles[i]);
        }
    }
    kn_hooks hooks = udp_socket->hooks;
    kn_memory_free(&hooks, udp_socket, sizeof *udp_socket);
    socket_finish();
}

uint16_t kn_udp_socket_port(const kn_udp_socket *udp_socket, kn_address_kind kind)
{
    uint32_t family = socket_family(kind);
    return family < SOCKET_FAMILIES ? udp_socket->ports[family] : 0;
}

// Waiting, receiving and sending ----------------------------------------------

bool kn_udp_socket_wait(kn_udp_socket *udp_socket, kn_time timeout)
{
    socket_poll_entry entries[SOCKET_FAMILIES];
    uint32_t count = 0;
    memset(entries, 0, sizeof entries);
    for (uint32_t i = 0; i < SOCKET_FAMILIES; i++) {
        if (udp_socket->handles[i] != SOCKET_NONE) {
            entries[count].fd = udp_socket->handles[i];
            entries[count++].events = POLLIN;
        }
    }
    kn_time milliseconds = timeout > 0 ? (timeout - 1) / KN_MS(1) + 1 : 0;
    if (milliseconds > INT32_MAX) {
        milliseconds = INT32_MAX;
    }
    return socket_poll(entries, count, (int)milliseconds) > 0;
}

static bool socket_receive_family(kn_udp_socket *udp_socket, uint32_t family, kn_address *from,
    void *bytes, size_t capacity, size_t *size)
{
    if (udp_socket->handles[family] == SOCKET_NONE) {
        return false;
    }
    for (uint32_t tries = 0; tries < 16; tries++) {
        socket_address address;
        socket_length length = sizeof address;
        memset(&address, 0, sizeof address);
#if defined(_WIN32)
        int got =
            recvfrom(udp_socket->handles[family], bytes, (int)capacity, 0, &address.any, &length);
#else
        ssize_t got =
            recvfrom(udp_socket->handles[family], bytes, capacity, 0, &address.any, &length);
#endif
        if (got >= 0) {
            *from = socket_read_address(&address);
            *size = (size_t)got;
            return true;
        }
        if (!socket_should_retry()) {
            return false;
        }
    }
    return false;
}

bool kn_udp_socket_receive(kn_udp_socket *udp_socket, kn_address_kind kind, kn_address *from,
    void *bytes, size_t capacity, size_t *size)
{
    KN_ASSERT(udp_socket != NULL && from != NULL && bytes != NULL && size != NULL);
    *from = (kn_address){0};
    *size = 0;
    capacity = capacity <= INT32_MAX ? capacity : INT32_MAX;
    uint32_t family = socket_family(kind);
    if (family < SOCKET_FAMILIES) {
        return socket_receive_family(udp_socket, family, from, bytes, capacity, size);
    }
    for (uint32_t i = 0; i < SOCKET_FAMILIES; i++) {
        family = udp_socket->next_family;
        udp_socket->next_family = (family + 1) % SOCKET_FAMILIES;
        if (socket_receive_family(udp_socket, family, from, bytes, capacity, size)) {
            return true;
        }
    }
    return false;
}

kn_result kn_udp_socket_send(
    kn_udp_socket *udp_socket, const kn_address *to, const void *bytes, size_t size)
{
    KN_ASSERT(udp_socket != NULL && to != NULL && bytes != NULL);
    uint32_t family = socket_family(to->kind);
    if (family >= SOCKET_FAMILIES || udp_socket->handles[family] == SOCKET_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (size > UINT16_MAX) {
        return KN_ERROR_IO; // no datagram is so long
    }
    socket_address address;
    socket_length length = socket_write_address(to, &address);
#if defined(_WIN32)
    int sent = sendto(udp_socket->handles[family], bytes, (int)size, 0, &address.any, length);
#else
    ssize_t sent = sendto(udp_socket->handles[family], bytes, size, 0, &address.any, length);
#endif
    if (sent >= 0) {
        return KN_OK;
    }
    return socket_would_block() ? KN_REFUSED_LIMIT : KN_ERROR_IO;
}

// Running state machines ------------------------------------------------------

// One byte more than a valid datagram has: what is longer is seen to be.
#define SOCKET_BUFFER (KN_UDP_DATAGRAM_MAX + 1)

void kn_udp_socket_flush_client(kn_udp_socket *udp_socket, kn_udp_client *client)
{
    kn_udp_datagram datagram;
    while (kn_udp_client_next_datagram(client, &datagram)) {
        (void)!kn_udp_socket_send(udp_socket, &datagram.address, datagram.bytes, datagram.size);
    }
}

void kn_udp_socket_flush_server(kn_udp_socket *udp_socket, kn_udp_server *server)
{
    kn_udp_datagram datagram;
    while (kn_udp_server_next_datagram(server, &datagram)) {
        (void)!kn_udp_socket_send(udp_socket, &datagram.address, datagram.bytes, datagram.size);
    }
}

void kn_udp_socket_run_client(kn_udp_socket *udp_socket, kn_udp_client *client, kn_time now)
{
    uint8_t bytes[SOCKET_BUFFER];
    kn_address from;
    size_t size;
    for (uint32_t i = 0; i < udp_socket->receive_budget; i++) {
        kn_address_kind kind = kn_udp_client_server(client).kind;
        if (kind == KN_ADDRESS_NONE ||
            !kn_udp_socket_receive(udp_socket, kind, &from, bytes, sizeof bytes, &size)) {
            break;
        }
        kn_udp_client_receive(client, &from, bytes, size, now);
    }
    kn_udp_client_update(client, now);
    kn_udp_socket_flush_client(udp_socket, client);
}

void kn_udp_socket_run_server(
    kn_udp_socket *udp_socket, kn_udp_server *server, kn_time now, uint64_t wall)
{
    uint8_t bytes[SOCKET_BUFFER];
    kn_address from;
    size_t size;
    for (uint32_t i = 0; i < udp_socket->receive_budget; i++) {
        if (!kn_udp_socket_receive(
                udp_socket, KN_ADDRESS_NONE, &from, bytes, sizeof bytes, &size)) {
            break;
        }
        kn_udp_server_receive(server, &from, bytes, size, now, wall);
    }
    kn_udp_server_update(server, now);
    kn_udp_socket_flush_server(udp_socket, server);
}
