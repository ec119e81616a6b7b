// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Writes text into a buffer of the caller, independent of the host's locale: numbers are printed
// and read by our own code. kn_float_print() and kn_float_parse() are implemented here as well.
#ifndef KNI_TEXT_H
#define KNI_TEXT_H

#include "knack/tools.h"

// Text that does not fit is truncated but always zero-terminated, and `length` counts what would
// have been written, so that a first pass without a buffer gives the size.
typedef struct kni_text {
    char *data;
    uint32_t size; // of the buffer, the final zero included
    uint32_t length;
} kni_text;

// `buffer` may be NULL when `size` is 0.
void kni_text_init(kni_text *text, char *buffer, uint32_t size);

void kni_text_char(kni_text *text, char c);
void kni_text_str(kni_text *text, const char *str);
void kni_text_u64(kni_text *text, uint64_t value);
void kni_text_i64(kni_text *text, int64_t value);

// As kn_float_print().
void kni_text_float(kni_text *text, float value);

// With exactly `decimals` digits, 17 at most, after the point; rounded to nearest, halves to even.
// For people: what rounds to zero has no sign.
void kni_text_fixed(kni_text *text, double value, uint32_t decimals);

// "1.25": seconds, exact, without trailing zeros.
void kni_text_time_exact(kni_text *text, kn_time time);

// "1.25 s", without trailing zeros; "forever" for KN_TIME_INFINITE.
void kni_text_seconds(kni_text *text, kn_time time);

// True when everything written so far fits.
static inline bool kni_text_fits(const kni_text *text)
{
    return text->length < text->size;
}

// A short name for what every check ends with.
#define kni_error kn_error_set

#endif
