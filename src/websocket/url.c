// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "url.h"

#include <string.h>

static kn_result url_fail(const char *text, const char *what, kn_error *error)
{
    return kn_error_set(
        error, KN_ERROR_BAD_DATA, "the URL '%.120s' %s; write ws://host:port/path", text, what);
}

// Blanks and control characters would let a URL add headers to the request.
static bool url_is_printable(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

static bool url_take_scheme(const char **text, kni_websocket_url *url)
{
    url->is_secure = strncmp(*text, "wss://", 6) == 0;
    if (!url->is_secure && strncmp(*text, "ws://", 5) != 0) {
        return false;
    }
    *text += url->is_secure ? 6 : 5;
    url->port = url->is_secure ? 443 : 80;
    return true;
}

static bool url_take_host(const char **text, kni_websocket_url *url)
{
    bool is_ipv6 = **text == '[';
    *text += is_ipv6;
    size_t size = strcspn(*text, is_ipv6 ? "]/?#" : ":/?#@[]");
    if (size == 0 || size >= sizeof url->host) {
        return false;
    }
    memcpy(url->host, *text, size);
    *text += size;
    if (is_ipv6 && **text != ']') {
        return false;
    }
    *text += is_ipv6;
    return true;
}

static bool url_take_port(const char **text, kni_websocket_url *url)
{
    if (**text != ':') {
        return true;
    }
    uint32_t port = 0, digits = 0;
    for (++*text; **text >= '0' && **text <= '9' && digits < 6; ++*text, digits++) {
        port = port * 10 + (uint32_t)(**text - '0');
    }
    url->port = (uint16_t)port;
    return port >= 1 && port <= UINT16_MAX;
}

static bool url_take_path(const char *text, kni_websocket_url *url)
{
    size_t size = strlen(text);
    bool has_slash = *text == '/';
    if ((!has_slash && *text != '\0' && *text != '?') || strchr(text, '#') != NULL ||
        size + 2 > sizeof url->path) {
        return false;
    }
    url->path[0] = '/';
    memcpy(url->path + 1, text + has_slash, size - has_slash + 1);
    return true;
}

kn_result kni_websocket_url_parse(const char *text, kni_websocket_url *url, kn_error *error)
{
    *url = (kni_websocket_url){0};
    const char *rest = text;
    if (!url_is_printable(text)) {
        return url_fail(text, "has a character that is not allowed", error);
    }
    if (!url_take_scheme(&rest, url)) {
        return url_fail(text, "does not begin with ws:// or wss://", error);
    }
    if (!url_take_host(&rest, url)) {
        return url_fail(text, "has no host, or a malformed one", error);
    }
    if (!url_take_port(&rest, url)) {
        return url_fail(text, "has a port that is not 1 to 65535", error);
    }
    if (!url_take_path(rest, url)) {
        return url_fail(text, "has a malformed path", error);
    }
    // libwebsockets takes what follows a colon for a port, and would then not compare any name.
    if (url->is_secure && strchr(url->host, ':') != NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "the URL '%.120s' has TLS and an IPv6 address; write a name, and the address into "
            "`address`",
            text);
    }
    return KN_OK;
}
