// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Addresses as text. No function of the system is used, so that all systems agree.

#include "knack/tools.h"
#include "knack/udp.h"

bool kn_address_equal(const kn_address *a, const kn_address *b)
{
    KN_ASSERT(a != NULL && b != NULL);
    if (a->kind != b->kind || a->kind == KN_ADDRESS_NONE) {
        return a->kind == b->kind;
    }
    size_t size = a->kind == KN_ADDRESS_IPV4 ? 4 : 16;
    return a->port == b->port && memcmp(a->bytes, b->bytes, size) == 0;
}

// Reading ---------------------------------------------------------------------

// Reads a number of at most `digits` digits; moves `*text` behind it.
static bool address_number(
    const char **text, uint32_t base, uint32_t digits, uint32_t max, uint32_t *number)
{
    uint32_t value = 0, count = 0;
    for (; count < digits; count++) {
        char c = (*text)[count];
        uint32_t digit = 16;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (uint32_t)(c - 'a') + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = (uint32_t)(c - 'A') + 10;
        }
        if (digit >= base) {
            break;
        }
        value = value * base + digit;
    }
    *text += count;
    *number = value;
    return count > 0 && value <= max;
}

static bool address_ipv4(const char **text, uint8_t bytes[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t number;
        if (i > 0 && **text != '.') {
            return false;
        }
        *text += i > 0;
        const char *start = *text;
        if (!address_number(text, 10, 3, 255, &number) || (*start == '0' && *text - start > 1)) {
            return false; // "010" is eight to some and ten to others
        }
        bytes[i] = (uint8_t)number;
    }
    return true;
}

// Reads groups until something else comes. `*gap` receives the place of "::", or 8.
static bool address_groups(const char **text, uint8_t bytes[16], uint32_t *count, uint32_t *gap)
{
    *count = 0;
    *gap = 8;
    if ((*text)[0] == ':' && (*text)[1] == ':') {
        *gap = 0;
        *text += 2;
    }
    while (*count < 8 && **text != ']' && **text != 0) {
        const char *start = *text;
        uint32_t number;
        if (!address_number(text, 16, 4, 0xffff, &number)) {
            return false;
        }
        if (**text == '.' && *count <= 6) { // the last 32 bits as IPv4
            *text = start;
            if (!address_ipv4(text, bytes + (size_t)2 * *count)) {
                return false;
            }
            *count += 2;
            return true;
        }
        bytes[2 * *count] = (uint8_t)(number >> 8);
        bytes[2 * *count + 1] = (uint8_t)number;
        ++*count;
        if ((*text)[0] == ':' && (*text)[1] == ':' && *gap == 8) {
            *gap = *count;
            *text += 2;
        } else if (**text == ':' && (*text)[1] != ']' && (*text)[1] != 0) {
            ++*text;
        } else {
            break;
        }
    }
    return true;
}

static bool address_ipv6(const char **text, uint8_t bytes[16])
{
    uint32_t count, gap;
    if (!address_groups(text, bytes, &count, &gap)) {
        return false;
    }
    if (gap == 8) {
        return count == 8;
    }
    if (count > 7) {
        return false; // "::" stands for at least one group
    }
    size_t moved = (size_t)2 * (count - gap);
    memmove(bytes + 16 - moved, bytes + (size_t)2 * gap, moved);
    memset(bytes + (size_t)2 * gap, 0, (size_t)2 * (8 - count));
    return true;
}

static bool address_port(const char **text, uint16_t *port)
{
    uint32_t number;
    if (**text != ':') {
        return true;
    }
    ++*text;
    if (!address_number(text, 10, 5, 65535, &number)) {
        return false;
    }
    *port = (uint16_t)number;
    return true;
}

static bool address_read(const char *text, kn_address *address)
{
    const char *colon = strchr(text, ':');
    bool has_bracket = text[0] == '[';
    if (!has_bracket && (colon == NULL || strchr(colon + 1, ':') == NULL)) {
        address->kind = KN_ADDRESS_IPV4;
        return address_ipv4(&text, address->bytes) && address_port(&text, &address->port) &&
               *text == 0;
    }
    address->kind = KN_ADDRESS_IPV6;
    text += has_bracket;
    if (!address_ipv6(&text, address->bytes)) {
        return false;
    }
    if (has_bracket && *text != ']') {
        return false;
    }
    text += has_bracket;
    return (!has_bracket || address_port(&text, &address->port)) && *text == 0;
}

kn_result kn_address_parse(const char *text, kn_address *address, kn_error *error)
{
    KN_ASSERT(text != NULL && address != NULL);
    if (address == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *address = (kn_address){0};
    if (text == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!address_read(text, address)) {
        *address = (kn_address){0};
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "'%s' is not an address: write 127.0.0.1:40000 or [2001:db8::1]:40000", text);
    }
    return KN_OK;
}

// Printing --------------------------------------------------------------------

typedef struct address_text {
    char *text;
    uint32_t size;
    uint32_t length;
} address_text;

static void address_put(address_text *out, char c)
{
    if (out->length + 1 < out->size) {
        out->text[out->length] = c;
        out->text[out->length + 1] = 0;
    }
    out->length++;
}

static void address_put_number(address_text *out, uint32_t number, uint32_t base)
{
    char digits[8];
    uint32_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    while (count > 0) {
        address_put(out, digits[--count]);
    }
}

static uint32_t address_group(const kn_address *address, uint32_t i)
{
    return (uint32_t)address->bytes[2 * i] << 8 | address->bytes[2 * i + 1];
}

// The first of the longest runs of at least two zero groups, as RFC 5952 wants it.
static uint32_t address_zeros(const kn_address *address, uint32_t *length)
{
    uint32_t best = 8;
    *length = 1;
    for (uint32_t start = 0; start < 8; start++) {
        uint32_t end = start;
        while (end < 8 && address_group(address, end) == 0) {
            end++;
        }
        if (end - start > *length) {
            best = start;
            *length = end - start;
        }
    }
    return best;
}

static void address_put_ipv6(address_text *out, const kn_address *address)
{
    uint32_t length;
    uint32_t zeros = address_zeros(address, &length);
    for (uint32_t i = 0; i < 8; i++) {
        if (i == zeros) {
            address_put(out, ':');
            address_put(out, ':');
            i += length - 1;
            continue;
        }
        if (i > 0 && i != zeros + length) {
            address_put(out, ':');
        }
        address_put_number(out, address_group(address, i), 16);
    }
}

static void address_put_ipv4(address_text *out, const kn_address *address)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0) {
            address_put(out, '.');
        }
        address_put_number(out, address->bytes[i], 10);
    }
}

uint32_t kn_address_print(const kn_address *address, char *text, uint32_t size)
{
    KN_ASSERT(address != NULL && (text != NULL || size == 0));
    address_text out = {text, size, 0};
    if (size > 0) {
        text[0] = 0;
    }
    bool has_brackets = address->kind == KN_ADDRESS_IPV6 && address->port != 0;
    if (has_brackets) {
        address_put(&out, '[');
    }
    if (address->kind == KN_ADDRESS_IPV4) {
        address_put_ipv4(&out, address);
    } else if (address->kind == KN_ADDRESS_IPV6) {
        address_put_ipv6(&out, address);
    } else {
        for (const char *c = "none"; *c != 0; c++) {
            address_put(&out, *c);
        }
        return out.length;
    }
    if (has_brackets) {
        address_put(&out, ']');
    }
    if (address->port != 0) {
        address_put(&out, ':');
        address_put_number(&out, address->port, 10);
    }
    return out.length;
}
