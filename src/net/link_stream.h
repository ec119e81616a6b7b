// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages as a stream of bytes: each message is its length, in groups of seven bits, and its
// bytes. Datagrams carry pieces of the stream, which need not respect messages. Bytes are numbered
// with 64 bits, of which 32 travel.
//
//   going out:    acked <= sent <= end       acked: the peer has all before it
//                                            sent: all before it was sent at least once
//   coming in:    read <= end <= limit       read: all before it was handed out
//                                            end: all before it has arrived
//                                            limit: the peer may send up to here
//
// Between acked and sent, `held` is what the peer has, and `lost` what has to be sent again; what
// is in neither is on its way. Behind the end of what came in, `held` is what arrived early.
#ifndef KNI_LINK_STREAM_H
#define KNI_LINK_STREAM_H

#include "link_ranges.h"

// Bytes from the number `base` on, in a block that moves and grows.
typedef struct kni_stream_buffer {
    uint8_t *data;
    size_t capacity;
    uint64_t base;
} kni_stream_buffer;

typedef struct kni_stream_out {
    kni_stream_buffer buffer;
    uint64_t acked, sent, end;
    uint64_t limit; // the peer takes nothing from here on
    uint64_t resent_bytes;
    size_t window;
    kni_ranges held, lost;
} kni_stream_out;

typedef struct kni_stream_in {
    kni_stream_buffer buffer;
    uint64_t read, end;
    uint64_t limit_known; // the limit that the peer is known to know
    size_t window, slack, message_bytes;
    kni_ranges held;
} kni_stream_in;

// A piece of the stream.
typedef struct kni_piece {
    uint64_t begin;
    uint32_t size;
    const uint8_t *bytes;
} kni_piece;

typedef enum kni_stream_next {
    KNI_STREAM_WAITS, // the next message is not complete
    KNI_STREAM_READY,
    KNI_STREAM_BAD, // longer than allowed, or malformed
} kni_stream_next;

void kni_stream_out_init(kni_stream_out *out, uint64_t first, size_t window);
void kni_stream_in_init(kni_stream_in *in, uint64_t first, size_t window, size_t message_bytes);
void kni_stream_buffer_free(const kn_hooks *hooks, kni_stream_buffer *buffer);

// Appends a message: KN_OK, KN_REFUSED_LIMIT or KN_ERROR_OUT_OF_MEMORY.
kn_result kni_stream_append(
    kni_stream_out *out, const kn_hooks *hooks, const void *bytes, size_t size);
// The longest message for which there is room; 0 if there is none at all.
size_t kni_stream_room(const kni_stream_out *out);
// Bytes that could be sent now.
uint64_t kni_stream_work(const kni_stream_out *out);
// Takes the next piece of at most `most` bytes, above 0. False if there is none.
bool kni_stream_take(kni_stream_out *out, uint32_t most, kni_piece *piece);
// What became of a piece that was taken.
void kni_stream_piece_arrived(kni_stream_out *out, uint64_t begin, uint64_t end);
void kni_stream_piece_lost(kni_stream_out *out, uint64_t begin, uint64_t end);

// Stores pieces, all or none: KN_OK, KN_REFUSED_LIMIT for what does not fit the window, or
// KN_ERROR_OUT_OF_MEMORY.
kn_result kni_stream_store(
    kni_stream_in *in, const kn_hooks *hooks, const kni_piece *pieces, uint32_t count);
// The limit for the peer.
uint64_t kni_stream_limit(const kni_stream_in *in);
// Whether the peer should hear of the limit.
bool kni_stream_limit_is_news(const kni_stream_in *in);
// Looks at the next message, and hands it out. Both may be NULL, to look only.
kni_stream_next kni_stream_next_message(kni_stream_in *in, const uint8_t **bytes, size_t *size);

#endif
