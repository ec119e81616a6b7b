// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A strict reader of JSON (RFC 8259) for tests: says whether a text is one value and nothing else,
// no key stands twice in an object, and finds a value by a path such as "effects[1].modifiers[0]".
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DEPTH_MAX 32

static inline bool json_skip_value(const char **at, uint32_t depth);

static inline bool json_skip_string(const char **at)
{
    const uint8_t *s = (const uint8_t *)*at;
    if (*s++ != '"') {
        return false;
    }
    for (; *s != '"'; s++) {
        if (*s < 0x20) {
            return false; // the end of the text as well
        }
        if (*s == '\\') {
            s++;
            if (*s == 'u') {
                for (uint32_t i = 0; i < 4; i++) {
                    s++;
                    if (strchr("0123456789abcdefABCDEF", *s) == NULL || *s == 0) {
                        return false;
                    }
                }
            } else if (*s == 0 || strchr("\"\\/bfnrt", *s) == NULL) {
                return false;
            }
        } else if (*s >= 0x80) {
            uint32_t more = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : 1;
            if (*s < 0xc2 || *s > 0xf4) {
                return false;
            }
            for (; more > 0; more--) {
                s++;
                if ((*s & 0xc0) != 0x80) {
                    return false;
                }
            }
        }
    }
    *at = (const char *)(s + 1);
    return true;
}

static inline uint32_t json_skip_digits(const char **at)
{
    uint32_t count = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        count++;
    }
    return count;
}

static inline bool json_skip_number(const char **at)
{
    *at += **at == '-';
    bool has_zero = **at == '0';
    uint32_t digits = json_skip_digits(at);
    if (digits == 0 || (has_zero && digits > 1)) {
        return false;
    }
    if (**at == '.') {
        (*at)++;
        if (json_skip_digits(at) == 0) {
            return false;
        }
    }
    if (**at == 'e' || **at == 'E') {
        (*at)++;
        *at += **at == '+' || **at == '-';
        return json_skip_digits(at) > 0;
    }
    return true;
}

static inline bool json_skip_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool is_it = strncmp(*at, word, length) == 0;
    *at += is_it ? length : 0;
    return is_it;
}

// Whether the key that ends at `end` stood before it in the object that begins at `object`.
static inline bool json_key_is_new(const char *object, const char *key, size_t length)
{
    const char *at = object + 1;
    while (at < key) {
        const char *other = at;
        if (!json_skip_string(&at)) {
            return false;
        }
        if ((size_t)(at - other) == length && memcmp(other, key, length) == 0) {
            return false;
        }
        at++; // the colon
        if (!json_skip_value(&at, 0)) {
            return false;
        }
        at++; // the comma
    }
    return true;
}

// The writer sets no blanks: neither does this reader allow them.
static inline bool json_skip_list(const char **at, uint32_t depth, char end, bool has_keys)
{
    const char *begin = *at;
    (*at)++;
    if (**at == end) {
        (*at)++;
        return true;
    }
    for (;;) {
        if (has_keys) {
            const char *key = *at;
            if (!json_skip_string(at) || !json_key_is_new(begin, key, (size_t)(*at - key)) ||
                **at != ':') {
                return false;
            }
            (*at)++;
        }
        if (!json_skip_value(at, depth + 1)) {
            return false;
        }
        char next = *(*at)++;
        if (next == end) {
            return true;
        }
        if (next != ',') {
            return false;
        }
    }
}

static inline bool json_skip_value(const char **at, uint32_t depth)
{
    switch (**at) {
    case '{':
    case '[':
        return depth < JSON_DEPTH_MAX &&
               json_skip_list(at, depth, **at == '{' ? '}' : ']', **at == '{');
    case '"':
        return json_skip_string(at);
    case 't':
        return json_skip_word(at, "true");
    case 'f':
        return json_skip_word(at, "false");
    case 'n':
        return json_skip_word(at, "null");
    default:
        return json_skip_number(at);
    }
}

static inline bool json_is_valid(const char *text)
{
    return json_skip_value(&text, 0) && *text == 0;
}

// The value of a member, or NULL.
static inline const char *json_member(const char *object, const char *key, size_t length)
{
    const char *at = object;
    if (at == NULL || *at++ != '{') {
        return NULL;
    }
    while (*at == '"') {
        const char *name = at + 1;
        (void)json_skip_string(&at);
        bool is_it = (size_t)(at - name) == length + 1 && memcmp(name, key, length) == 0;
        at++;
        if (is_it) {
            return at;
        }
        (void)json_skip_value(&at, 0);
        at += *at == ',';
    }
    return NULL;
}

static inline const char *json_element_at(const char *array, uint32_t index)
{
    const char *at = array;
    if (at == NULL || *at++ != '[' || *at == ']') {
        return NULL;
    }
    for (; index > 0; index--) {
        (void)json_skip_value(&at, 0);
        if (*at++ != ',') {
            return NULL;
        }
    }
    return at;
}

// Where the value at a path begins, or NULL.
static inline const char *json_find(const char *text, const char *path)
{
    while (text != NULL && *path != 0) {
        if (*path == '[') {
            char *end;
            text = json_element_at(text, (uint32_t)strtoul(path + 1, &end, 10));
            path = end + 1;
        } else {
            path += *path == '.';
            size_t length = strcspn(path, ".[");
            text = json_member(text, path, length);
            path += length;
        }
    }
    return text;
}

static inline uint32_t json_count(const char *array)
{
    uint32_t count = 0;
    while (json_element_at(array, count) != NULL) {
        count++;
    }
    return count;
}

// A copy of the value at a path as it is written, in a buffer that the next call writes over; "" if
// there is none.
static inline const char *json_at(const char *text, const char *path)
{
    static char copy[4096];
    const char *begin = json_find(text, path), *end = begin;
    copy[0] = 0;
    if (begin != NULL && json_skip_value(&end, 0) && (size_t)(end - begin) < sizeof(copy)) {
        memcpy(copy, begin, (size_t)(end - begin));
        copy[end - begin] = 0;
    }
    return copy;
}

#endif
