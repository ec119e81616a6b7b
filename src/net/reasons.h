// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a command was refused, as the server says it and the client hears it.
//
// On the wire: reasons as bits; type of the ability; count of lines, and for each its reason as the
// number of a bit, a bit for each field that is set, and these fields. Entities, effects and
// abilities behind a line stay on the server: the player may not know them.
#ifndef KNI_REASONS_H
#define KNI_REASONS_H

#include "delta.h"

#include "knack/knack.h"

#define REASON_LINES_MAX KN_COMMAND_LINES_MAX
#define REASON_HEAD_MAX 12 // bytes of reasons without lines, at most
#define REASON_BYTES_MAX 256

typedef struct refusal {
    uint32_t reasons; // kn_fail bits
    kn_ability_type_id ability;
    kn_refusal_line lines[REASON_LINES_MAX];
    uint32_t line_count;
} refusal;

// Adds a line if there is room, and if it does not say the same as another.
void kni_refusal_add(refusal *why, const kn_refusal_line *line);
// Writes the head, with the number of lines that follow.
void kni_refusal_write_head(kn_writer *out, const refusal *why, uint32_t line_count);
// Writes the first lines, as many as fit into `size` bytes. Returns how many.
uint32_t kni_refusal_write_lines(kn_writer *out, const refusal *why, size_t size);
// Reads what the two above wrote. What makes no sense sets `failed` of the reader.
void kni_refusal_read(kn_reader *in, const kn_library *library, refusal *why);

#endif
