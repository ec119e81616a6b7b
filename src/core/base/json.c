// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Strings are checked as UTF-8 and escaped; each value writes its own comma and key, so that
// callers need not know whether it is the first of its object or array.

#include "base/json.h"

#include <math.h>
#include <string.h>

void kni_json_init(kni_json *json, char *buffer, uint32_t size)
{
    kni_text_init(&json->text, buffer, size);
    json->needs_comma = false;
}

// Strings -------------------------------------------------------------------

// Length of the UTF-8 sequence that begins here, or 0 if none does.
static uint32_t utf8_length(const uint8_t *at)
{
    uint32_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] > 0xf4) {
        return 0;
    }
    for (uint32_t i = 1; i < length; i++) { // the final zero ends it as well
        uint8_t low = 0x80, high = 0xbf;
        if (i == 1) { // no overlong forms, no surrogates, nothing above U+10FFFF
            low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : low;
            high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : high;
        }
        if (at[i] < low || at[i] > high) {
            return 0;
        }
    }
    return length;
}

static void json_control(kni_text *text, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    kni_text_str(text, "\\u00");
    kni_text_char(text, digits[c >> 4]);
    kni_text_char(text, digits[c & 15]);
}

static void json_quoted(kni_text *text, const char *value)
{
    kni_text_char(text, '"');
    const uint8_t *at = (const uint8_t *)value;
    while (*at != 0) {
        uint32_t length = utf8_length(at);
        if (length == 0) {
            kni_text_str(text, "\\ufffd");
            length = 1;
        } else if (*at < 0x20 || *at == 0x7f) {
            json_control(text, *at);
        } else {
            kni_text_str(text, *at == '"' || *at == '\\' ? "\\" : "");
            for (uint32_t i = 0; i < length; i++) {
                kni_text_char(text, (char)at[i]);
            }
        }
        at += length;
    }
    kni_text_char(text, '"');
}

// Values --------------------------------------------------------------------

// Everything before a value: the comma and the key.
static kni_text *json_value(kni_json *json, const char *key)
{
    kni_text_str(&json->text, json->needs_comma ? "," : "");
    if (key != NULL) {
        json_quoted(&json->text, key);
        kni_text_char(&json->text, ':');
    }
    json->needs_comma = true;
    return &json->text;
}

void kni_json_object(kni_json *json, const char *key)
{
    kni_text_char(json_value(json, key), '{');
    json->needs_comma = false;
}

void kni_json_object_end(kni_json *json)
{
    kni_text_char(&json->text, '}');
    json->needs_comma = true;
}

void kni_json_array(kni_json *json, const char *key)
{
    kni_text_char(json_value(json, key), '[');
    json->needs_comma = false;
}

void kni_json_array_end(kni_json *json)
{
    kni_text_char(&json->text, ']');
    json->needs_comma = true;
}

void kni_json_str(kni_json *json, const char *key, const char *value)
{
    if (value == NULL) {
        kni_json_null(json, key);
    } else {
        json_quoted(json_value(json, key), value);
    }
}

void kni_json_null(kni_json *json, const char *key)
{
    kni_text_str(json_value(json, key), "null");
}

void kni_json_bool(kni_json *json, const char *key, bool value)
{
    kni_text_str(json_value(json, key), value ? "true" : "false");
}

void kni_json_u32(kni_json *json, const char *key, uint32_t value)
{
    kni_text_u64(json_value(json, key), value);
}

void kni_json_i32(kni_json *json, const char *key, int32_t value)
{
    kni_text_i64(json_value(json, key), value);
}

void kni_json_float(kni_json *json, const char *key, float value)
{
    kni_text *text = json_value(json, key);
    const char *quote = isfinite(value) ? "" : "\"";
    kni_text_str(text, quote);
    kni_text_float(text, value);
    kni_text_str(text, quote);
}

void kni_json_time(kni_json *json, const char *key, kn_time value)
{
    if (value == KN_TIME_INFINITE) {
        kni_json_null(json, key);
    } else {
        kni_text_time_exact(json_value(json, key), value);
    }
}

void kni_json_u64(kni_json *json, const char *key, uint64_t value)
{
    kni_text *text = json_value(json, key);
    kni_text_char(text, '"');
    kni_text_u64(text, value);
    kni_text_char(text, '"');
}

void kni_json_i64(kni_json *json, const char *key, int64_t value)
{
    kni_text *text = json_value(json, key);
    kni_text_char(text, '"');
    kni_text_i64(text, value);
    kni_text_char(text, '"');
}

void kni_json_id(kni_json *json, const char *key, uint32_t index1, uint32_t generation)
{
    if (index1 == 0) {
        kni_json_null(json, key);
        return;
    }
    kni_text *text = json_value(json, key);
    kni_text_char(text, '"');
    kni_text_u64(text, index1);
    kni_text_char(text, ':');
    kni_text_u64(text, generation);
    kni_text_char(text, '"');
}
