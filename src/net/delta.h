// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bytes as their difference from other bytes that both sides have: runs that are copied from there,
// and what is new in between.
#ifndef KNI_DELTA_H
#define KNI_DELTA_H

#include "knack/tools.h"

// A number in groups of seven bits, the lowest first: small ones are short.
void kni_write_number(kn_writer *out, uint64_t number);
uint64_t kni_read_number(kn_reader *in);
// The same for numbers on both sides of 0.
void kni_write_signed(kn_writer *out, int64_t number);
int64_t kni_read_signed(kn_reader *in);

// Writes `data` as its difference from `base`, which may be empty. A size that both sides expect
// takes fewer bytes than others; where the base has two parts, the second has that size.
void kni_delta_write(kn_writer *out, const uint8_t *base, size_t base_size, size_t expected,
    const uint8_t *data, size_t size);
// How many bytes the data has that kni_delta_read() will give; SIZE_MAX if that cannot be.
size_t kni_delta_size(const kn_reader *in, size_t expected);
// Writes the data into `out`, which has room for kni_delta_size() bytes. False, with the reader
// failed, for a difference that makes no sense with this base; anything may stand in `out` then.
// With NULL for `out` it only skips the difference.
bool kni_delta_read(
    const uint8_t *base, size_t base_size, size_t expected, kn_reader *in, uint8_t *out);

#endif
