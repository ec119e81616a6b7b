// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where a client connects to.
#ifndef KNI_WEBSOCKET_URL_H
#define KNI_WEBSOCKET_URL_H

#include "knack/tools.h"

/// The parts of a URL.
typedef struct kni_websocket_url {
    bool is_secure;
    uint16_t port;
    char host[101]; ///< without the brackets of IPv6; libwebsockets has no room for more
    char path[512]; ///< with its query, from "/" on
} kni_websocket_url;

/// KN_OK or KN_ERROR_BAD_DATA.
kn_result kni_websocket_url_parse(const char *text, kni_websocket_url *url, kn_error *error);

#endif
