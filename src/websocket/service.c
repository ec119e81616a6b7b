// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "service.h"

#include <stdatomic.h>
#include <stdio.h>

// Rounds of service in one update, so that a flood does not keep it busy. In one round each socket
// is read once.
#define SERVICE_ROUNDS 64
// Bytes that are read at once.
#define SERVICE_BUFFER 16384

// libwebsockets has one log for the process, and its hook takes no user pointer.
static _Thread_local char service_log[160];
static _Thread_local bool service_is_logging;

bool kni_websocket_shared_is_valid(const kni_websocket_shared *shared)
{
    uint64_t least = (uint64_t)shared->message_max + KN_WEBSOCKET_MESSAGE_EXTRA;
    return shared->message_max >= 1 && shared->message_max <= KN_WEBSOCKET_MESSAGE_MAX &&
           shared->send_capacity >= least && shared->send_capacity <= KN_WEBSOCKET_QUEUE_MAX &&
           shared->receive_capacity >= least &&
           shared->receive_capacity <= KN_WEBSOCKET_QUEUE_MAX &&
           shared->system_buffer <= INT32_MAX && shared->ping_every > 0 &&
           shared->ping_every <= KN_TIME_MAX && shared->timeout > shared->ping_every &&
           shared->timeout <= KN_TIME_MAX && shared->close_timeout > 0 &&
           shared->close_timeout <= KN_S(3600);
}

bool kni_websocket_is_word(const char *text)
{
    size_t length = 0;
    for (; text != NULL && text[length] != '\0'; length++) {
        if (text[length] <= ' ' || text[length] > '~' || text[length] == ',' || length == 63) {
            return false;
        }
    }
    return length > 0;
}

static void service_keep_line(int level, const char *line)
{
    (void)level;
    // That no proxy is wanted is an error for libwebsockets.
    if (service_is_logging && service_log[0] == '\0' && strstr(line, "http_proxy") == NULL) {
        (void)snprintf(service_log, sizeof service_log, "%s", line);
        service_log[strcspn(service_log, "\r\n")] = '\0';
    }
}

void kni_websocket_log_begin(bool keep_log)
{
    service_log[0] = '\0';
    service_is_logging = !keep_log;
    if (!keep_log) {
        lws_set_log_level(LLL_ERR, service_keep_line);
    }
}

bool kni_websocket_log_has_error(void)
{
    return service_log[0] != '\0';
}

void kni_websocket_log_end(void)
{
    service_is_logging = false;
}

kn_result kni_websocket_log_fail(kn_error *error, const char *what)
{
    const char *why = service_log[0] != '\0' ? service_log : "libwebsockets does not say why";
    return kn_error_set(error, KN_ERROR_IO, "%s: %s", what, why);
}

bool kni_websocket_can_read(const char *path, const char *what, kn_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)kn_error_set(error, KN_ERROR_IO, "cannot read the %s '%s'", what, path);
        return false;
    }
    (void)fclose(file);
    return true;
}

// With every context that initialises TLS, libwebsockets 4.1 takes another number for its pointers
// in objects of OpenSSL, and finds those of older contexts no more: they leak, and handshakes that
// are under way fail. So only the first one does. Vhosts still say that they want TLS.
static uint64_t service_tls_once(uint64_t options)
{
    static atomic_flag is_done = ATOMIC_FLAG_INIT;
    bool wants = (options & LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) != 0;
    if (wants && atomic_flag_test_and_set(&is_done)) {
        options &= ~(uint64_t)LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    }
    return options;
}

// Pings and timeouts are ours, by the time of the host.
static const lws_retry_bo_t service_no_pings = {0};

static unsigned int service_seconds(kn_time time)
{
    return (unsigned int)(time / KN_S(1));
}

struct lws_context *kni_websocket_context_create(
    uint32_t fd_limit, uint64_t options, kn_time timeout, void *user)
{
    struct lws_context_creation_info info = {0};
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.options = service_tls_once(options) | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.user = user;
    info.fd_limit_per_thread = fd_limit;
    info.pt_serv_buf_size = SERVICE_BUFFER;
    info.retry_and_idle_policy = &service_no_pings;
    info.timeout_secs = service_seconds(timeout) + 10; // ours comes first
    return lws_create_context(&info);
}

struct lws_context_creation_info kni_websocket_vhost_info(
    const struct lws_protocols *protocols, uint64_t options)
{
    struct lws_context_creation_info info = {0};
    info.protocols = protocols;
    info.options = options;
    info.vhost_name = "knack";
    info.alpn = "http/1.1"; // WebSocket over HTTP/2 is another protocol
    info.retry_and_idle_policy = &service_no_pings;
    info.keepalive_timeout = 5;
    info.http_proxy_address = ""; // not that of the environment
    return info;
}

void kni_websocket_protocol_init(struct lws_protocols *protocol, const char *name,
    lws_callback_function *callback, const kni_websocket_shared *shared)
{
    *protocol = (struct lws_protocols){.name = name, .callback = callback};
    protocol->rx_buffer_size =
        shared->message_max < SERVICE_BUFFER ? shared->message_max : SERVICE_BUFFER;
}

void kni_websocket_serve(struct lws_context *context, kni_websocket_shared *shared)
{
    for (uint32_t i = 0; i < SERVICE_ROUNDS; i++) {
        uint64_t before = shared->activity;
        (void)lws_service(context, -1); // below 0: does not wait
        if (shared->activity == before) {
            return;
        }
    }
}

// libwebsockets waits for sockets and its own timers only.
static void service_wake(lws_sorted_usec_list_t *timer)
{
    (void)timer;
}

void kni_websocket_wait(struct lws_context *context, kn_time timeout)
{
    lws_sorted_usec_list_t timer = {0};
    timeout = timeout < KN_S(3600) ? timeout : KN_S(3600);
    if (timeout >= KN_MS(1)) {
        lws_sul_schedule(context, 0, &timer, service_wake, timeout);
        (void)lws_service(context, 0);
        lws_sul_cancel(&timer);
    }
}

void kni_websocket_set_now(kni_websocket_shared *shared, kn_time now)
{
    shared->now = now > shared->now ? now : shared->now;
}

char *kni_websocket_text_copy(const kn_hooks *hooks, const char *text)
{
    text = text != NULL ? text : "";
    size_t size = strlen(text) + 1;
    char *copy = kn_memory_resize(hooks, NULL, 0, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void kni_websocket_text_free(const kn_hooks *hooks, char *text)
{
    if (text != NULL) {
        kn_memory_free(hooks, text, strlen(text) + 1);
    }
}
