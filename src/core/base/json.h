// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Writes JSON into a buffer of the caller, with the contract of kni_text. Commas are written
// automatically; whatever is opened must be closed. `key` is NULL inside arrays.
#ifndef KNI_JSON_H
#define KNI_JSON_H

#include "base/text.h"

typedef struct kni_json {
    kni_text text;
    bool needs_comma; // before the next key or element
} kni_json;

void kni_json_init(kni_json *json, char *buffer, uint32_t size);

void kni_json_object(kni_json *json, const char *key);
void kni_json_object_end(kni_json *json);
void kni_json_array(kni_json *json, const char *key);
void kni_json_array_end(kni_json *json);

// Anything that is not UTF-8 becomes U+FFFD. NULL is null.
void kni_json_str(kni_json *json, const char *key, const char *value);
void kni_json_null(kni_json *json, const char *key);
void kni_json_bool(kni_json *json, const char *key, bool value);
// Readers may hold numbers as doubles, so whatever needs more than 53 bits is written as text,
// below.
void kni_json_u32(kni_json *json, const char *key, uint32_t value);
void kni_json_i32(kni_json *json, const char *key, int32_t value);
// Reads back to the same bits; "nan", "inf" and "-inf" are text.
void kni_json_float(kni_json *json, const char *key, float value);
// Seconds, exact; null for KN_TIME_INFINITE.
void kni_json_time(kni_json *json, const char *key, kn_time value);
// As text: decimal.
void kni_json_u64(kni_json *json, const char *key, uint64_t value);
void kni_json_i64(kni_json *json, const char *key, int64_t value);
// As text: "index:generation"; null for the null id.
void kni_json_id(kni_json *json, const char *key, uint32_t index1, uint32_t generation);

#endif
