// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Fields as little-endian bytes. Readers and writers are those of knack/tools.h, under short names
// of the core.
#ifndef KNI_BYTES_H
#define KNI_BYTES_H

#include "knack/tools.h"

typedef kn_writer kni_writer;
typedef kn_reader kni_reader;

#define kni_write_bytes kn_write_bytes
#define kni_write_uint kn_write_uint
#define kni_write_u8 kn_write_u8
#define kni_write_u32 kn_write_u32
#define kni_write_u64 kn_write_u64
#define kni_write_str kn_write_str
#define kni_read_bytes kn_read_bytes
#define kni_read_uint kn_read_uint
#define kni_read_u8 kn_read_u8
#define kni_read_u32 kn_read_u32
#define kni_read_u64 kn_read_u64
#define kni_read_str kn_read_str

#endif
