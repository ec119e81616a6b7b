// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "net_key.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEY_DIGITS (2 * KN_UDP_KEY_SIZE)

static bool key_parse(const char *digits, net_key *out)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < KEY_DIGITS; i++) {
        const char *at = digits[i] != 0 ? strchr(hex, digits[i]) : NULL;
        if (at == NULL) {
            return false;
        }
        uint8_t *byte = &out->bytes[i / 2];
        *byte = (uint8_t)(*byte << 4 | (uint8_t)(at - hex));
    }
    return digits[KEY_DIGITS] == '\n' && digits[KEY_DIGITS + 1] == 0;
}

static cli_code key_read(const cli *call, const char *path, int file, net_key *out)
{
    char digits[KEY_DIGITS + 3] = {0};
    struct stat status;
    ssize_t size = read(file, digits, sizeof(digits) - 1);
    if (fstat(file, &status) != 0 || size < 0) {
        cli_tell(call, "%s: %s", path, strerror(errno));
        return CLI_UNREADABLE;
    }
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        cli_tell(call, "%s: others may read this key; run `chmod 600 %s`", path, path);
        return CLI_UNREADABLE;
    }
    if (size != KEY_DIGITS + 1 || !key_parse(digits, out)) {
        cli_tell(call, "%s: not a key: it must have %d digits from 0 to f in one line", path,
            KEY_DIGITS);
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

static cli_code key_write(const cli *call, const char *path, int file, net_key *out)
{
    char digits[KEY_DIGITS + 2];
    if (!net_key_random(call, out)) {
        return CLI_UNREADABLE;
    }
    for (size_t i = 0; i < KN_UDP_KEY_SIZE; i++) {
        (void)snprintf(digits + 2 * i, 3, "%02x", out->bytes[i]);
    }
    digits[KEY_DIGITS] = '\n';
    if (write(file, digits, KEY_DIGITS + 1) != KEY_DIGITS + 1) {
        cli_tell(call, "%s: %s", path, strerror(errno));
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

cli_code net_key_find(const cli *call, bool creates, net_key *out)
{
    const char *path = cli_text_of(call, "key-file", NULL);
    *out = (net_key){.is_public = path == NULL};
    if (path == NULL) {
        return CLI_GOOD;
    }
    cli_code code = CLI_GOOD;
    int file = creates ? open(path, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR) : -1;
    if (file >= 0) {
        code = key_write(call, path, file, out);
    } else {
        file = open(path, O_RDONLY);
        if (file < 0) {
            cli_tell(call, "%s: %s%s", path, strerror(errno),
                errno == ENOENT && !creates ? "; `knack serve --key-file` creates it" : "");
            return CLI_UNREADABLE;
        }
        code = key_read(call, path, file, out);
        out->is_old = true;
    }
    (void)close(file);
    return code;
}

bool net_key_random(const cli *call, net_key *out)
{
    *out = (net_key){0};
    if (kn_udp_random(out->bytes, sizeof(out->bytes)) != KN_OK) {
        cli_tell(call, "the system has no random numbers");
        return false;
    }
    return true;
}

kn_address net_key_server(uint16_t port)
{
    return (kn_address){.kind = KN_ADDRESS_IPV4, .port = port, .bytes = {127, 0, 0, 1}};
}

bool net_key_is_local(const kn_address *address)
{
    static const uint8_t one[16] = {[15] = 1};
    return address->kind == KN_ADDRESS_IPV4   ? address->bytes[0] == 127
           : address->kind == KN_ADDRESS_IPV6 ? memcmp(address->bytes, one, sizeof(one)) == 0
                                              : false;
}

bool net_key_token(
    const net_key *key, const kn_address *server, uint64_t client_id, kn_token *token)
{
    kn_address own = net_key_server(server->port);
    kn_token_def def = kn_token_def_default();
    def.private_key = key->bytes;
    def.protocol_id = NET_PROTOCOL_ID;
    def.client_id = client_id;
    def.addresses = server;
    def.private_addresses = &own;
    def.address_count = 1;
    def.create_time = (uint64_t)time(NULL);
    def.lifetime = NET_TOKEN_SECONDS;
    def.timeout = NET_TIMEOUT_SECONDS;
    return kn_token_make(&def, token, NULL) == KN_OK;
}
