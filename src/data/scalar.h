// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One value of a data file as text, and what it means as a number, a time or a truth value.
// The reader of a field knows its type, so nothing is guessed: an unquoted `no`, `012` or `1:30` is
// just text.
#ifndef KNI_SCALAR_H
#define KNI_SCALAR_H

#include "report.h"

// A view; the texts belong to the document or table it came from.
typedef struct kni_scalar {
    const char *text; // zero-terminated, no zero inside
    uint32_t length;
    bool quoted; // written in quotes, or as a block of text
    kni_place place;
} kni_scalar;

// `~`, `null` or nothing at all, unquoted.
bool kni_scalar_is_null(const kni_scalar *scalar);

// An unquoted number as the functions below read it, whatever its size.
bool kni_scalar_is_number(const kni_scalar *scalar);
// How `120%` and `6 seconds` are to be written: "1.2", "6". False for anything else.
bool kni_scalar_plain(const kni_scalar *scalar, char *text, size_t size);

// Each gives KN_OK and the value, or KN_ERROR_BAD_DATA, a zero, and in *error, which may be NULL,
// the place and a sentence such as "expected a whole number from 1 to 10, not `many`". Numbers are
// finite, decimal, without leading zeros, blanks or digit groups, and never quoted. They are read
// exactly and rounded once, whatever the host's locale.

// `true` or `false`, unquoted.
KN_MUST_USE kn_result kni_scalar_bool(const kni_scalar *scalar, bool *value, kn_error *error);

// Digits with a sign in front, without point or exponent; `min` and `max` are allowed.
KN_MUST_USE kn_result kni_scalar_i64(
    const kni_scalar *scalar, int64_t min, int64_t max, int64_t *value, kn_error *error);
KN_MUST_USE kn_result kni_scalar_u64(
    const kni_scalar *scalar, uint64_t min, uint64_t max, uint64_t *value, kn_error *error);

// Pass -FLT_MAX and FLT_MAX for no limit.
KN_MUST_USE kn_result kni_scalar_f32(
    const kni_scalar *scalar, float min, float max, float *value, kn_error *error);

// A number of seconds, or a number with a unit: us, ms, s, min or h, as in "250 ms" and 1.5s. With
// a unit it may be quoted, as JSON wants. Rounded to whole microseconds, halves away from zero.
// `forever` is KN_TIME_INFINITE, if `max` is that; any other time is at most KN_TIME_MAX.
KN_MUST_USE kn_result kni_scalar_time(
    const kni_scalar *scalar, kn_time min, kn_time max, kn_time *value, kn_error *error);

// The seconds of a time, exactly and without zeros at the end: the form kni_scalar_time() reads. 32
// bytes are enough.
void kni_scalar_print_time(kn_time time, char *text, size_t size);

// Fills *error, if it is not NULL, with KN_ERROR_BAD_DATA, the place of the scalar and "expected
// <what>, not `<text>`", and returns KN_ERROR_BAD_DATA. For fields with a meaning of their own.
kn_result kni_scalar_refuse(const kni_scalar *scalar, const char *what, kn_error *error);

#endif
