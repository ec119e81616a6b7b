// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What servers and clients share besides connections: libwebsockets itself.
#ifndef KNI_WEBSOCKET_SERVICE_H
#define KNI_WEBSOCKET_SERVICE_H

#include "connection.h"

/// Checks the limits that servers and clients share.
bool kni_websocket_shared_is_valid(const kni_websocket_shared *shared);

/// True for a text that fits into a header of HTTP as one item: 1 to 63 printable characters
/// without blanks and commas.
bool kni_websocket_is_word(const char *text);

/// Keeps the first error that libwebsockets logs from here to kni_websocket_log_end(), unless
/// `keep_log`; silences it for the whole process otherwise.
void kni_websocket_log_begin(bool keep_log);
/// True if libwebsockets has logged an error since then.
bool kni_websocket_log_has_error(void);
/// Sets an error of KN_ERROR_IO with what libwebsockets logged, if anything.
kn_result kni_websocket_log_fail(kn_error *error, const char *what);
void kni_websocket_log_end(void);

/// True if a file can be read; sets an error otherwise.
bool kni_websocket_can_read(const char *path, const char *what, kn_error *error);

/// Creates a context without a vhost. `user` is what lws_context_user() gives.
struct lws_context *kni_websocket_context_create(
    uint32_t fd_limit, uint64_t options, kn_time timeout, void *user);
/// What all vhosts have in common.
struct lws_context_creation_info kni_websocket_vhost_info(
    const struct lws_protocols *protocols, uint64_t options);
/// Fills in the only subprotocol.
void kni_websocket_protocol_init(struct lws_protocols *protocol, const char *name,
    lws_callback_function *callback, const kni_websocket_shared *shared);

/// Serves what is ready, without waiting.
void kni_websocket_serve(struct lws_context *context, kni_websocket_shared *shared);
/// Serves what becomes ready within `timeout`.
void kni_websocket_wait(struct lws_context *context, kn_time timeout);
/// Advances the time; one that goes back counts as none.
void kni_websocket_set_now(kni_websocket_shared *shared, kn_time now);

/// Copies a text by the allocator of `hooks`; NULL as "". NULL when out of memory.
char *kni_websocket_text_copy(const kn_hooks *hooks, const char *text);
void kni_websocket_text_free(const kn_hooks *hooks, char *text);

#endif
