// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Slots keep their numbers until the host has taken the end of their connection. Those with events
// stand in a ring: each gives one event and goes to the back.

#include "server.h"

#define SERVER_NONE UINT32_MAX
// Sockets of libwebsockets itself: the one that listens, and one to wake it up.
#define SERVER_OWN_SOCKETS 4

kn_websocket_server_def kn_websocket_server_def_default(void)
{
    return (kn_websocket_server_def){.address = "127.0.0.1",
        .path = "/",
        .protocol = "knack",
        .connection_limit = 64,
        .pending_limit = 64,
        .handshake_timeout = KN_S(5),
        .connect_rate = 10,
        .connect_burst = 40,
        .message_max = 16384,
        .send_capacity = 131072,
        .receive_capacity = 65536,
        .system_buffer = 65536,
        .ping_every = KN_S(5),
        .timeout = KN_S(15),
        .cookie = KN_COOKIE};
}

static bool server_has(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static kni_websocket_shared server_shared(const kn_websocket_server_def *def)
{
    return (kni_websocket_shared){.hooks = def->hooks,
        .message_max = def->message_max,
        .send_capacity = def->send_capacity,
        .receive_capacity = def->receive_capacity,
        .system_buffer = def->system_buffer,
        .ping_every = def->ping_every,
        .timeout = def->timeout,
        .close_timeout = def->handshake_timeout,
        .now = -KN_TIME_MAX};
}

static bool server_def_is_valid(const kn_websocket_server_def *def)
{
    if (def == NULL || def->cookie != KN_COOKIE || def->path == NULL || def->path[0] != '/' ||
        !kni_websocket_is_word(def->protocol) || (def->origins == NULL && def->origin_count > 0) ||
        def->connection_limit < 1 || def->connection_limit > KN_WEBSOCKET_CONNECTIONS_MAX ||
        def->pending_limit < 1 || def->pending_limit > 4096 ||
        server_has(def->certificate_file) != server_has(def->key_file)) {
        return false;
    }
    for (uint32_t i = 0; i < def->origin_count; i++) {
        if (!server_has(def->origins[i])) {
            return false;
        }
    }
    kni_websocket_shared shared = server_shared(def);
    return kni_websocket_shared_is_valid(&shared);
}

// Slots and events ------------------------------------------------------------

static uint32_t server_number(const kn_websocket_server *server, const kni_websocket_slot *slot)
{
    return (uint32_t)(slot - server->slots);
}

void kni_websocket_server_notice(kn_websocket_server *server, kni_websocket_slot *slot)
{
    if (!slot->is_ready && kni_websocket_connection_has_event(&slot->connection)) {
        uint32_t place = (server->ready_first + server->ready_count++) % server->slot_count;
        server->ready[place] = server_number(server, slot);
        slot->is_ready = true;
    }
}

void kni_websocket_server_release(kn_websocket_server *server, kni_websocket_slot *slot)
{
    kni_websocket_connection_free(&slot->connection);
    server->free_slots[server->free_count++] = server_number(server, slot);
}

// What the last event showed stays until another call.
static void server_forget_taken(kn_websocket_server *server)
{
    if (server->to_free != SERVER_NONE) {
        kni_websocket_server_release(server, &server->slots[server->to_free]);
        server->to_free = SERVER_NONE;
    }
}

static kni_websocket_slot *server_ready_slot(kn_websocket_server *server)
{
    kni_websocket_slot *slot = &server->slots[server->ready[server->ready_first]];
    server->ready_first = (server->ready_first + 1) % server->slot_count;
    server->ready_count--;
    slot->is_ready = false;
    return slot;
}

bool kn_websocket_server_next_event(kn_websocket_server *server, kn_websocket_event *event)
{
    KN_ASSERT(server != NULL && event != NULL);
    server_forget_taken(server);
    *event = (kn_websocket_event){0};
    while (server->ready_count > 0) {
        kni_websocket_slot *slot = server_ready_slot(server);
        if (!kni_websocket_connection_next_event(&slot->connection, event)) {
            continue; // the host closed it in the meantime
        }
        event->connection = server_number(server, slot);
        if (event->kind == KN_WEBSOCKET_CLOSED) {
            server->to_free = event->connection;
        } else {
            kni_websocket_server_notice(server, slot);
        }
        return true;
    }
    return false;
}

// Callbacks -------------------------------------------------------------------

static int server_established(kn_websocket_server *server, struct lws *wsi)
{
    kni_websocket_slot *slot = lws_get_opaque_user_data(wsi);
    server->shared.activity++;
    if (slot == NULL) {
        return -1;
    }
    kni_websocket_server_unwatch(server, wsi);
    slot->session = ++server->session;
    kni_websocket_connection_open(&slot->connection);
    kni_websocket_server_notice(server, slot);
    return 0;
}

static void server_destroyed(kn_websocket_server *server, struct lws *wsi)
{
    server->shared.activity++;
    kni_websocket_server_unwatch(server, wsi);
    kni_websocket_slot *slot = lws_get_opaque_user_data(wsi);
    if (slot == NULL) {
        return;
    }
    lws_set_opaque_user_data(wsi, NULL);
    if (slot->session == 0) { // the handshake failed after all
        kni_websocket_server_release(server, slot);
        return;
    }
    kni_websocket_connection_lose(&slot->connection);
    kni_websocket_server_notice(server, slot);
}

static int server_on_connection(kn_websocket_server *server, struct lws *wsi,
    enum lws_callback_reasons reason, const void *bytes, size_t size)
{
    kni_websocket_slot *slot = lws_get_opaque_user_data(wsi);
    if (slot == NULL || slot->session == 0) {
        return 0;
    }
    int result = kni_websocket_connection_callback(&slot->connection, reason, bytes, size);
    kni_websocket_server_notice(server, slot);
    return result;
}

static int server_callback(
    struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
    (void)user;
    kn_websocket_server *server = lws_context_user(lws_get_context(wsi));
    if (server == NULL || server->is_ending) {
        return 0;
    }
    switch ((int)reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return kni_websocket_server_accept(server, (lws_sockfd_type)(intptr_t)in);
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        kni_websocket_server_watch(server, wsi);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return kni_websocket_server_confirm(server, wsi, in);
    case LWS_CALLBACK_HTTP:
        return kni_websocket_server_refuse_http(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return server_established(server, wsi);
    case LWS_CALLBACK_WSI_DESTROY:
        server_destroyed(server, wsi);
        return 0;
    case LWS_CALLBACK_RAW_ADOPT: // a request to become a tunnel
    case LWS_CALLBACK_RAW_RX:
    case LWS_CALLBACK_HTTP_BODY:
        return -1;
    default:
        return server_on_connection(server, wsi, reason, in, len);
    }
}

// Creation --------------------------------------------------------------------

static void *server_array(const kn_hooks *hooks, size_t count, size_t size)
{
    void *array = kn_memory_resize(hooks, NULL, 0, count * size);
    if (array != NULL) {
        memset(array, 0, count * size);
    }
    return array;
}

static bool server_copy_texts(kn_websocket_server *server, const kn_websocket_server_def *def)
{
    const kn_hooks *hooks = &def->hooks;
    server->path = kni_websocket_text_copy(hooks, def->path);
    server->protocol = kni_websocket_text_copy(hooks, def->protocol);
    if (server->path == NULL || server->protocol == NULL) {
        return false;
    }
    if (def->origin_count == 0) {
        return true;
    }
    server->origins = server_array(hooks, def->origin_count, sizeof *server->origins);
    if (server->origins == NULL) {
        return false;
    }
    server->origin_count = def->origin_count;
    for (uint32_t i = 0; i < def->origin_count; i++) {
        server->origins[i] = kni_websocket_text_copy(hooks, def->origins[i]);
        if (server->origins[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool server_allocate(kn_websocket_server *server, const kn_websocket_server_def *def)
{
    const kn_hooks *hooks = &def->hooks;
    uint32_t count = def->connection_limit;
    server->slot_count = count;
    server->pending_limit = def->pending_limit;
    server->to_free = SERVER_NONE;
    server->slots = server_array(hooks, count, sizeof *server->slots);
    server->free_slots = server_array(hooks, count, sizeof *server->free_slots);
    server->ready = server_array(hooks, count, sizeof *server->ready);
    server->pending = server_array(hooks, def->pending_limit, sizeof *server->pending);
    if (server->slots == NULL || server->free_slots == NULL || server->ready == NULL ||
        server->pending == NULL || !server_copy_texts(server, def) ||
        !kni_websocket_limits_init(&server->limits, hooks, def->connect_rate, def->connect_burst)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        server->free_slots[server->free_count++] = count - 1 - i; // low numbers first
    }
    return true;
}

static void server_release_texts(kn_websocket_server *server, const kn_hooks *hooks)
{
    kni_websocket_text_free(hooks, server->path);
    kni_websocket_text_free(hooks, server->protocol);
    for (uint32_t i = 0; i < server->origin_count; i++) {
        kni_websocket_text_free(hooks, server->origins[i]);
    }
    kn_memory_free(hooks, server->origins, server->origin_count * sizeof *server->origins);
}

static void server_free_array(const kn_hooks *hooks, void *array, size_t count, size_t size)
{
    kn_memory_free(hooks, array, array != NULL ? count * size : 0);
}

void kn_websocket_server_destroy(kn_websocket_server *server)
{
    if (server == NULL) {
        return;
    }
    kn_hooks hooks = server->shared.hooks;
    server->is_ending = true;
    if (server->context != NULL) {
        lws_context_destroy(server->context);
    }
    for (uint32_t i = 0; server->slots != NULL && i < server->slot_count; i++) {
        kni_websocket_connection_free(&server->slots[i].connection);
    }
    server_release_texts(server, &hooks);
    kni_websocket_limits_free(&server->limits, &hooks);
    server_free_array(&hooks, server->slots, server->slot_count, sizeof *server->slots);
    server_free_array(&hooks, server->free_slots, server->slot_count, sizeof *server->free_slots);
    server_free_array(&hooks, server->ready, server->slot_count, sizeof *server->ready);
    server_free_array(&hooks, server->pending, server->pending_limit, sizeof *server->pending);
    kn_memory_free(&hooks, server, sizeof *server);
}

// Options of libwebsockets. Without IPv6 an address is looked up as IPv4 only.
static uint64_t server_options(const kn_websocket_server_def *def, bool has_ipv6)
{
    uint64_t options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    if (!has_ipv6) {
        options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    }
    if (server_has(def->certificate_file)) {
        options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    }
    return options;
}

static bool server_listen(
    kn_websocket_server *server, const kn_websocket_server_def *def, bool has_ipv6)
{
    struct lws_context_creation_info info =
        kni_websocket_vhost_info(server->protocols, server_options(def, has_ipv6));
    info.port = def->port;
    info.iface = server_has(def->address) ? def->address : NULL;
    if (server_has(def->certificate_file)) {
        info.ssl_cert_filepath = def->certificate_file;
        info.ssl_private_key_filepath = def->key_file;
    }
    server->vhost = lws_create_vhost(server->context, &info);
    return server->vhost != NULL;
}

// Fails with what libwebsockets logged.
static kn_result server_start(
    kn_websocket_server *server, const kn_websocket_server_def *def, kn_error *error)
{
    bool is_ipv6 = server_has(def->address) && strchr(def->address, ':') != NULL;
    bool is_any = !server_has(def->address);
    kni_websocket_protocol_init(
        &server->protocols[0], server->protocol, server_callback, &server->shared);
    server->context = kni_websocket_context_create(
        def->connection_limit + def->pending_limit + SERVER_OWN_SOCKETS,
        server_options(def, is_ipv6 || is_any), def->handshake_timeout, server);
    if (server->context == NULL) {
        return kni_websocket_log_fail(error, "libwebsockets does not start");
    }
    // A system may have no IPv6.
    if (!server_listen(server, def, is_ipv6 || is_any) &&
        !(is_any && server_listen(server, def, false))) {
        return kni_websocket_log_fail(error, "cannot listen");
    }
    (void)lws_get_random(server->context, server->limits.secret, sizeof server->limits.secret);
    server->port = (uint16_t)lws_get_vhost_listen_port(server->vhost);
    return KN_OK;
}

kn_result kn_websocket_server_create(
    const kn_websocket_server_def *def, kn_websocket_server **server, kn_error *error)
{
    KN_ASSERT(server != NULL);
    *server = NULL;
    KN_ASSERT_DEF(def, kn_websocket_server_def);
    if (!server_def_is_valid(def)) {
        return kn_error_set(
            error, KN_ERROR_INVALID_ARGUMENT, "the def is incomplete or out of range");
    }
    if (server_has(def->certificate_file) &&
        (!kni_websocket_can_read(def->certificate_file, "certificate", error) ||
            !kni_websocket_can_read(def->key_file, "key", error))) {
        return KN_ERROR_IO;
    }
    kn_websocket_server *made = server_array(&def->hooks, 1, sizeof *made);
    if (made == NULL) {
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    made->shared = server_shared(def);
    if (!server_allocate(made, def)) {
        kn_websocket_server_destroy(made);
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    kni_websocket_log_begin(def->keep_log);
    kn_result result = server_start(made, def, error);
    kni_websocket_log_end();
    if (result != KN_OK) {
        kn_websocket_server_destroy(made);
        return result;
    }
    *server = made;
    return KN_OK;
}

// The rest --------------------------------------------------------------------

uint16_t kn_websocket_server_port(const kn_websocket_server *server)
{
    KN_ASSERT(server != NULL);
    return server->port;
}

void kn_websocket_server_update(kn_websocket_server *server, kn_time now)
{
    KN_ASSERT(server != NULL);
    server_forget_taken(server);
    kni_websocket_set_now(&server->shared, now);
    kni_websocket_server_cut_pending(server);
    for (uint32_t i = 0; i < server->slot_count; i++) {
        if (server->slots[i].session != 0 && server->slots[i].connection.wsi != NULL) {
            kni_websocket_connection_update(&server->slots[i].connection);
        }
    }
    kni_websocket_serve(server->context, &server->shared);
}

void kn_websocket_server_wait(kn_websocket_server *server, kn_time timeout)
{
    KN_ASSERT(server != NULL);
    server_forget_taken(server);
    if (server->ready_count == 0) {
        kni_websocket_wait(server->context, timeout);
    }
}

// A connection that the host knows about, or NULL.
static kni_websocket_slot *server_slot(const kn_websocket_server *server, uint32_t connection)
{
    if (connection >= server->slot_count || connection == server->to_free) {
        return NULL;
    }
    kni_websocket_slot *slot = &server->slots[connection];
    return slot->connection.state >= KNI_WEBSOCKET_OPEN ? slot : NULL;
}

kn_result kn_websocket_server_send(
    kn_websocket_server *server, uint32_t connection, const void *bytes, size_t size)
{
    KN_ASSERT(server != NULL && bytes != NULL);
    server_forget_taken(server);
    kni_websocket_slot *slot = server_slot(server, connection);
    if (slot == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    return kni_websocket_connection_send(&slot->connection, bytes, size);
}

bool kn_websocket_server_close(
    kn_websocket_server *server, uint32_t connection, uint16_t status, const char *text)
{
    KN_ASSERT(server != NULL);
    server_forget_taken(server);
    kni_websocket_slot *slot = server_slot(server, connection);
    return slot != NULL && kni_websocket_connection_close(
                               &slot->connection, KN_WEBSOCKET_END_BY_HOST, status, text);
}

kn_websocket_peer kn_websocket_server_peer(const kn_websocket_server *server, uint32_t connection)
{
    KN_ASSERT(server != NULL);
    kn_websocket_peer peer = {0};
    const kni_websocket_slot *slot = server_slot(server, connection);
    if (slot != NULL) {
        peer.is_connected = true;
        peer.session = slot->session;
        memcpy(peer.address, slot->address, sizeof peer.address);
        peer.send_waiting = kni_websocket_queue_used(&slot->connection.to_send);
    }
    return peer;
}

uint32_t kn_websocket_server_connection_count(const kn_websocket_server *server)
{
    KN_ASSERT(server != NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        count += server_slot(server, i) != NULL;
    }
    return count;
}

kn_websocket_stats kn_websocket_server_stats(const kn_websocket_server *server)
{
    KN_ASSERT(server != NULL);
    return server->shared.stats;
}
