// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "service.h"
#include "url.h"

// The connection, and sockets of libwebsockets itself.
#define CLIENT_SOCKETS 8

struct kn_websocket_client {
    kni_websocket_shared shared;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[2]; // the second one is the end
    kni_websocket_url url;
    char *address;
    char *protocol;
    char *origin;
    kni_websocket_connection connection;
    kn_time connect_timeout;
    bool verify;
    bool is_taken;  // the end of the connection was taken
    bool is_ending; // libwebsockets is being destroyed: nothing counts any more
};

kn_websocket_client_def kn_websocket_client_def_default(void)
{
    return (kn_websocket_client_def){.protocol = "knack",
        .verify = true,
        .connect_timeout = KN_S(10),
        .message_max = 16384,
        .send_capacity = 131072,
        .receive_capacity = 131072,
        .system_buffer = 65536,
        .ping_every = KN_S(5),
        .timeout = KN_S(15),
        .cookie = KN_COOKIE};
}

static bool client_has(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static kni_websocket_shared client_shared(const kn_websocket_client_def *def)
{
    return (kni_websocket_shared){.hooks = def->hooks,
        .message_max = def->message_max,
        .send_capacity = def->send_capacity,
        .receive_capacity = def->receive_capacity,
        .system_buffer = def->system_buffer,
        .ping_every = def->ping_every,
        .timeout = def->timeout,
        .close_timeout = KN_S(5),
        .now = -KN_TIME_MAX};
}

static bool client_def_is_valid(const kn_websocket_client_def *def)
{
    if (def == NULL || def->cookie != KN_COOKIE || !client_has(def->url) ||
        !kni_websocket_is_word(def->protocol) ||
        (client_has(def->origin) && !kni_websocket_is_word(def->origin)) ||
        def->connect_timeout <= 0 || def->connect_timeout > KN_S(3600)) {
        return false;
    }
    kni_websocket_shared shared = client_shared(def);
    return kni_websocket_shared_is_valid(&shared);
}

// Callbacks -------------------------------------------------------------------

// No connection came about. It may be that the host, or time, had ended it before.
static void client_failed(
    kn_websocket_client *client, struct lws *wsi, const char *why, size_t size)
{
    kni_websocket_connection *connection = &client->connection;
    client->shared.activity++;
    if (connection->state != KNI_WEBSOCKET_OPENING) {
        return;
    }
    if (connection->end == KN_WEBSOCKET_END_NONE) {
        unsigned int status = wsi != NULL ? lws_http_client_http_response(wsi) : 0;
        connection->end = KN_WEBSOCKET_END_FAILED;
        connection->status = (uint16_t)(status <= 999 ? status : 0);
        kni_websocket_copy_text(connection->text, why, why != NULL ? size : 0);
    }
    kni_websocket_connection_lose(connection);
}

static int client_established(kn_websocket_client *client)
{
    client->shared.activity++;
    if (client->connection.state != KNI_WEBSOCKET_OPENING ||
        client->connection.end != KN_WEBSOCKET_END_NONE) {
        return -1; // given up in the meantime
    }
    kni_websocket_connection_open(&client->connection);
    return 0;
}

static void client_destroyed(kn_websocket_client *client, const struct lws *wsi)
{
    client->shared.activity++;
    if (client->connection.wsi == wsi && client->connection.state != KNI_WEBSOCKET_FREE) {
        kni_websocket_connection_lose(&client->connection);
    }
}

static int client_callback(
    struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
    (void)user;
    kn_websocket_client *client = lws_context_user(lws_get_context(wsi));
    if (client == NULL || client->is_ending) {
        return 0;
    }
    switch ((int)reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        client_failed(client, wsi, in, len);
        return 0;
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT:
        return -1; // the host names the server, nobody else
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        return client_established(client);
    case LWS_CALLBACK_WSI_DESTROY:
        client_destroyed(client, wsi);
        return 0;
    default:
        if (client->connection.wsi != wsi || client->connection.state < KNI_WEBSOCKET_OPEN) {
            return 0;
        }
        return kni_websocket_connection_callback(&client->connection, reason, in, len);
    }
}

// Creation --------------------------------------------------------------------

void kn_websocket_client_destroy(kn_websocket_client *client)
{
    if (client == NULL) {
        return;
    }
    kn_hooks hooks = client->shared.hooks;
    client->is_ending = true;
    if (client->context != NULL) {
        lws_context_destroy(client->context);
    }
    kni_websocket_connection_free(&client->connection);
    kni_websocket_text_free(&hooks, client->address);
    kni_websocket_text_free(&hooks, client->protocol);
    kni_websocket_text_free(&hooks, client->origin);
    kn_memory_free(&hooks, client, sizeof *client);
}

static bool client_allocate(kn_websocket_client *client, const kn_websocket_client_def *def)
{
    client->shared = client_shared(def);
    client->connect_timeout = def->connect_timeout;
    client->verify = def->verify;
    const char *address = client_has(def->address) ? def->address : client->url.host;
    client->address = kni_websocket_text_copy(&def->hooks, address);
    client->protocol = kni_websocket_text_copy(&def->hooks, def->protocol);
    client->origin = kni_websocket_text_copy(&def->hooks, def->origin);
    return client->address != NULL && client->protocol != NULL && client->origin != NULL;
}

static kn_result client_start(
    kn_websocket_client *client, const kn_websocket_client_def *def, kn_error *error)
{
    uint64_t options = LWS_SERVER_OPTION_JUST_USE_RAW_ORIGIN;
    if (client->url.is_secure) {
        options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    }
    if (client_has(def->ca_file)) {
        options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    }
    kni_websocket_protocol_init(
        &client->protocols[0], client->protocol, client_callback, &client->shared);
    client->context =
        kni_websocket_context_create(CLIENT_SOCKETS, options, def->connect_timeout, client);
    if (client->context == NULL) {
        return kni_websocket_log_fail(error, "libwebsockets does not start");
    }
    struct lws_context_creation_info info = kni_websocket_vhost_info(client->protocols, options);
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.client_ssl_ca_filepath = client_has(def->ca_file) ? def->ca_file : NULL;
    client->vhost = lws_create_vhost(client->context, &info);
    // It goes on without a CA file that it cannot use, and would refuse every server.
    if (client->vhost == NULL || (client_has(def->ca_file) && kni_websocket_log_has_error())) {
        return kni_websocket_log_fail(error, "cannot prepare connections");
    }
    return KN_OK;
}

kn_result kn_websocket_client_create(
    const kn_websocket_client_def *def, kn_websocket_client **client, kn_error *error)
{
    KN_ASSERT(client != NULL);
    *client = NULL;
    KN_ASSERT_DEF(def, kn_websocket_client_def);
    if (!client_def_is_valid(def)) {
        return kn_error_set(
            error, KN_ERROR_INVALID_ARGUMENT, "the def is incomplete or out of range");
    }
    kni_websocket_url url;
    kn_result result = kni_websocket_url_parse(def->url, &url, error);
    if (result != KN_OK) {
        return result;
    }
    if (client_has(def->ca_file) && !kni_websocket_can_read(def->ca_file, "CA file", error)) {
        return KN_ERROR_IO;
    }
    kn_websocket_client *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof *made);
    if (made == NULL) {
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    *made = (kn_websocket_client){.url = url};
    if (!client_allocate(made, def)) {
        kn_websocket_client_destroy(made);
        return kn_error_set(error, KN_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    kni_websocket_log_begin(def->keep_log);
    result = client_start(made, def, error);
    kni_websocket_log_end();
    if (result != KN_OK) {
        kn_websocket_client_destroy(made);
        return result;
    }
    *client = made;
    return KN_OK;
}

// Connecting ------------------------------------------------------------------

// What the last event showed stays until another call.
static void client_forget_taken(kn_websocket_client *client)
{
    if (client->is_taken) {
        client->is_taken = false;
        kni_websocket_connection_free(&client->connection);
    }
}

static struct lws_client_connect_info client_connect_info(kn_websocket_client *client)
{
    struct lws_client_connect_info info = {0};
    info.context = client->context;
    info.vhost = client->vhost;
    info.address = client->address;
    info.host = client->url.host;
    info.port = client->url.port;
    info.path = client->url.path;
    info.protocol = client->protocol;
    info.local_protocol_name = client->protocol;
    info.origin = client->origin[0] != '\0' ? client->origin : NULL;
    info.alpn = "http/1.1";
    info.pwsi = &client->connection.wsi;
    info.ietf_version_or_minus_one = -1;
    if (client->url.is_secure) {
        info.ssl_connection = LCCSCF_USE_SSL;
        if (!client->verify) {
            info.ssl_connection |= LCCSCF_ALLOW_SELFSIGNED | LCCSCF_ALLOW_INSECURE |
                                   LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK | LCCSCF_ALLOW_EXPIRED;
        }
    }
    return info;
}

kn_result kn_websocket_client_connect(kn_websocket_client *client, kn_time now)
{
    KN_ASSERT(client != NULL);
    client_forget_taken(client);
    kni_websocket_connection *connection = &client->connection;
    if (connection->state != KNI_WEBSOCKET_FREE) {
        return KN_REFUSED_DUPLICATE;
    }
    if (!kni_websocket_connection_init(connection, &client->shared, NULL)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_websocket_set_now(&client->shared, now);
    connection->deadline = client->shared.now + client->connect_timeout;
    struct lws_client_connect_info info = client_connect_info(client);
    if (lws_client_connect_via_info(&info) == NULL) {
        static const char why[] = "cannot begin to connect";
        client_failed(client, NULL, why, sizeof why - 1); // unless it was reported already
    }
    return KN_OK;
}

static void client_check_connecting(kn_websocket_client *client)
{
    kni_websocket_connection *connection = &client->connection;
    if (connection->state == KNI_WEBSOCKET_OPENING && connection->end == KN_WEBSOCKET_END_NONE &&
        client->shared.now >= connection->deadline) {
        static const char why[] = "the server does not answer";
        connection->end = KN_WEBSOCKET_END_FAILED;
        kni_websocket_copy_text(connection->text, why, sizeof why - 1);
        kni_websocket_connection_cut(connection);
    }
}

void kn_websocket_client_update(kn_websocket_client *client, kn_time now)
{
    KN_ASSERT(client != NULL);
    client_forget_taken(client);
    kni_websocket_set_now(&client->shared, now);
    client_check_connecting(client);
    if (client->connection.state >= KNI_WEBSOCKET_OPEN && client->connection.wsi != NULL) {
        kni_websocket_connection_update(&client->connection);
    }
    kni_websocket_serve(client->context, &client->shared);
}

void kn_websocket_client_wait(kn_websocket_client *client, kn_time timeout)
{
    KN_ASSERT(client != NULL);
    client_forget_taken(client);
    if (!kni_websocket_connection_has_event(&client->connection)) {
        kni_websocket_wait(client->context, timeout);
    }
}

// The rest --------------------------------------------------------------------

bool kn_websocket_client_next_event(kn_websocket_client *client, kn_websocket_event *event)
{
    KN_ASSERT(client != NULL && event != NULL);
    client_forget_taken(client);
    bool has_event = kni_websocket_connection_next_event(&client->connection, event);
    client->is_taken = has_event && event->kind == KN_WEBSOCKET_CLOSED;
    return has_event;
}

kn_result kn_websocket_client_send(kn_websocket_client *client, const void *bytes, size_t size)
{
    KN_ASSERT(client != NULL && bytes != NULL);
    client_forget_taken(client);
    return kni_websocket_connection_send(&client->connection, bytes, size);
}

bool kn_websocket_client_close(kn_websocket_client *client, uint16_t status, const char *text)
{
    KN_ASSERT(client != NULL);
    client_forget_taken(client);
    kni_websocket_connection *connection = &client->connection;
    if (connection->state != KNI_WEBSOCKET_OPENING) {
        return kni_websocket_connection_close(connection, KN_WEBSOCKET_END_BY_HOST, status, text);
    }
    if (connection->end != KN_WEBSOCKET_END_NONE) {
        return false;
    }
    connection->end = KN_WEBSOCKET_END_BY_HOST;
    kni_websocket_connection_cut(connection);
    return true;
}

kn_websocket_client_state kn_websocket_client_state_of(const kn_websocket_client *client)
{
    KN_ASSERT(client != NULL);
    const kni_websocket_connection *connection = &client->connection;
    switch (connection->state) {
    case KNI_WEBSOCKET_OPENING:
        return connection->end == KN_WEBSOCKET_END_NONE ? KN_WEBSOCKET_CLIENT_CONNECTING
                                                        : KN_WEBSOCKET_CLIENT_CLOSING;
    case KNI_WEBSOCKET_OPEN:
        return KN_WEBSOCKET_CLIENT_CONNECTED;
    case KNI_WEBSOCKET_CLOSING:
    case KNI_WEBSOCKET_CLOSED:
        return client->is_taken ? KN_WEBSOCKET_CLIENT_DISCONNECTED : KN_WEBSOCKET_CLIENT_CLOSING;
    default:
        return KN_WEBSOCKET_CLIENT_DISCONNECTED;
    }
}

kn_websocket_stats kn_websocket_client_stats(const kn_websocket_client *client)
{
    KN_ASSERT(client != NULL);
    return client->shared.stats;
}
