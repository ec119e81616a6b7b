// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A datagram, all numbers little-endian:
//
//   u32 checksum      of all that follows; only with has_checksum
//   u8  flags         bits 0 to 2: number of pieces; then has ack, has gaps, has limit; 0, 0
//   u16 sequence      the lowest bits of it
//   u16 ack           the highest sequence received; this and the next only with "has ack"
//   u16 held          how long ago that was, in units of 16 µs; 0xffff for longer
//   u8  gaps          only with "has gaps": which bytes follow of the 64 bits that say which of the
//                     sequences before `ack` arrived, beginning with the one right before it; bytes
//                     that do not follow are 0xff
//   u32 limit         up to which byte messages may be sent, the lowest bits; only with "has limit"
//   pieces            u32 first byte, the lowest bits; u16 size; bytes
//   payload           the rest
//
// Each datagram has one form only; others are refused.

#include "knack/link.h"

#include "knack/tools.h"

#include "link_flight.h"
#include "link_stream.h"

#include <string.h>

#define LINK_PIECES 0x07u
#define LINK_HAS_ACK 0x08u
#define LINK_HAS_GAPS 0x10u
#define LINK_HAS_LIMIT 0x20u
#define LINK_RESERVED 0xc0u

#define LINK_CHECKSUM_SIZE 4
#define LINK_PIECE_HEADER 6
#define LINK_PIECE_MIN 8  // shorter ones are sent only if that is all there is
#define LINK_SHARE_MIN 16 // room for a short piece
#define LINK_HELD_UNIT 16
#define LINK_HELD_LONG 0xffffu
#define LINK_ACK_BITS 64

struct kn_net_link {
    kn_net_link_def def;
    kn_time now;
    kn_time heard;        // -1 before the first datagram
    kn_time newest_heard; // when the datagram before `next_in` arrived
    uint64_t next_in;     // one more than the highest sequence received
    uint64_t arrived;     // bit i: whether sequence next_in - 2 - i arrived
    uint32_t unanswered;
    bool is_broken;
    kni_flight flight;
    kni_stream_out out;
    kni_stream_in in;
    kn_net_link_stats stats; // what is counted here
};

// Creation --------------------------------------------------------------------

kn_net_link_def kn_net_link_def_default(void)
{
    return (kn_net_link_def){
        .has_checksum = true,
        .datagram_bytes = 1200,
        .message_bytes = (size_t)1 << 20,
        .send_bytes = (size_t)2 << 20,
        .receive_bytes = (size_t)2 << 20,
        .message_share = 300,
        .flight_limit = 256,
        .reorder_limit = 3,
        .resend_min = KN_MS(50),
        .resend_max = KN_S(2),
        .first_round_trip = KN_MS(200),
        .cookie = KN_COOKIE,
    };
}

static bool link_is_window(size_t bytes, size_t message_bytes)
{
    return bytes <= KN_NET_LINK_WINDOW_MAX && bytes >= message_bytes + KN_NET_LINK_MESSAGE_EXTRA;
}

static bool link_def_is_valid(const kn_net_link_def *def)
{
    return def->datagram_bytes >= KN_NET_LINK_DATAGRAM_MIN &&
           def->datagram_bytes <= KN_NET_LINK_DATAGRAM_MAX &&
           def->message_bytes <= KN_NET_LINK_MESSAGE_MAX &&
           link_is_window(def->send_bytes, def->message_bytes) &&
           link_is_window(def->receive_bytes, def->message_bytes) &&
           def->receive_bytes >= KN_NET_LINK_WINDOW_MIN &&
           (def->message_share == 0 || def->message_share >= LINK_SHARE_MIN) &&
           def->message_share <= def->datagram_bytes / 2 && def->flight_limit >= LINK_ACK_BITS &&
           def->flight_limit <= 4096 && def->reorder_limit >= 1 &&
           def->reorder_limit <= LINK_ACK_BITS && def->resend_min > 0 &&
           def->resend_max >= def->resend_min && def->resend_max <= KN_TIME_MAX &&
           def->first_round_trip > 0 && def->first_round_trip <= KN_TIME_MAX &&
           def->first_sequence <= (uint64_t)1 << 62;
}

kn_result kn_net_link_create(const kn_net_link_def *def, kn_net_link **link)
{
    KN_ASSERT_DEF(def, kn_net_link_def);
    KN_ASSERT(link != NULL);
    if (link == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *link = NULL;
    if (def == NULL || def->cookie != KN_COOKIE || !link_def_is_valid(def)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_net_link *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*made));
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *made = (kn_net_link){
        .def = *def, .heard = -1, .next_in = def->first_sequence, .arrived = UINT64_MAX};
    kni_stream_out_init(&made->out, def->first_sequence, def->send_bytes);
    kni_stream_in_init(&made->in, def->first_sequence, def->receive_bytes, def->message_bytes);
    kn_result result = kni_flight_init(&made->flight, def);
    if (result != KN_OK) {
        kn_memory_free(&def->hooks, made, sizeof(*made));
        return result;
    }
    *link = made;
    return KN_OK;
}

void kn_net_link_destroy(kn_net_link *link)
{
    if (link == NULL) {
        return;
    }
    kn_hooks hooks = link->def.hooks;
    kni_flight_free(&link->flight, &hooks);
    kni_stream_buffer_free(&hooks, &link->out.buffer);
    kni_stream_buffer_free(&hooks, &link->in.buffer);
    kn_memory_free(&hooks, link, sizeof(*link));
}

// Moves the time forward. False if it would go back.
static bool link_advance(kn_net_link *link, kn_time now)
{
    if (now < link->now || now > KN_TIME_MAX) {
        return false;
    }
    link->now = now;
    return true;
}

static uint32_t link_checksum(const kn_net_link *link, const uint8_t *bytes, size_t size)
{
    uint64_t hash = kn_hash_bytes(link->def.protocol_id, bytes, size);
    return (uint32_t)(hash ^ hash >> 32);
}

// What became of datagrams ----------------------------------------------------

// The whole number that has these lowest bits and is closest to one that is known.
static uint64_t link_whole_u32(uint32_t bits, uint64_t known)
{
    return known + (uint64_t)(int64_t)(int32_t)(bits - (uint32_t)known);
}

static uint64_t link_whole_u16(uint32_t bits, uint64_t known)
{
    return known + (uint64_t)(int64_t)(int16_t)(uint16_t)(bits - (uint32_t)known);
}

static void link_record_is_lost(void *user, const kni_flight_record *record)
{
    kn_net_link *link = user;
    for (uint32_t i = 0; i < record->piece_count; i++) {
        uint64_t begin = link_whole_u32(record->piece_begins[i], link->out.acked);
        kni_stream_piece_lost(&link->out, begin, begin + record->piece_sizes[i]);
    }
}

static void link_record_is_received(kn_net_link *link, const kni_flight_record *record)
{
    for (uint32_t i = 0; i < record->piece_count; i++) {
        uint64_t begin = link_whole_u32(record->piece_begins[i], link->out.acked);
        kni_stream_piece_arrived(&link->out, begin, begin + record->piece_sizes[i]);
    }
    if (record->limit > link->in.limit_known) {
        link->in.limit_known = record->limit;
    }
}

static bool link_acknowledge(kn_net_link *link, uint64_t sequence)
{
    if (!kni_flight_acknowledge(&link->flight, sequence, link->now)) {
        return false;
    }
    link_record_is_received(link, kni_flight_at(&link->flight, sequence));
    return true;
}

bool kn_net_link_next_result(kn_net_link *link, uint64_t *sequence, bool *was_received)
{
    KN_ASSERT(link != NULL && sequence != NULL && was_received != NULL);
    if (link == NULL || sequence == NULL || was_received == NULL) {
        return false;
    }
    return kni_flight_report(&link->flight, sequence, was_received);
}

// Writing ---------------------------------------------------------------------

// Which of the bytes with acknowledgements are not 0xff.
static uint32_t link_gaps(uint64_t arrived, size_t *count)
{
    uint32_t gaps = 0;
    *count = 0;
    for (uint32_t i = 0; i < LINK_ACK_BITS / 8; i++) {
        bool has_gap = (arrived >> (8 * i) & 0xff) != 0xff;
        gaps |= (uint32_t)has_gap << i;
        *count += has_gap;
    }
    return gaps;
}

// Writes the header but for the number of pieces; without a buffer it only counts.
static void link_write_header(const kn_net_link *link, kn_writer *writer)
{
    size_t gap_count;
    uint32_t gaps = link_gaps(link->arrived, &gap_count);
    bool has_ack = link->heard >= 0;
    bool has_limit = kni_stream_limit_is_news(&link->in);
    if (link->def.has_checksum) {
        kn_write_u32(writer, 0); // later
    }
    kn_write_u8(writer,
        (uint8_t)((has_ack ? LINK_HAS_ACK : 0) | (has_ack && gaps != 0 ? LINK_HAS_GAPS : 0) |
                  (has_limit ? LINK_HAS_LIMIT : 0)));
    kn_write_uint(writer, link->flight.next, 2);
    if (has_ack) {
        kn_time held = (link->now - link->newest_heard) / LINK_HELD_UNIT;
        kn_write_uint(writer, link->next_in - 1, 2);
        kn_write_uint(writer, held < LINK_HELD_LONG ? (uint64_t)held : LINK_HELD_LONG, 2);
        if (gaps != 0) {
            kn_write_u8(writer, (uint8_t)gaps);
        }
        for (uint32_t i = 0; i < LINK_ACK_BITS / 8; i++) {
            if ((gaps >> i & 1) != 0) {
                kn_write_u8(writer, (uint8_t)(link->arrived >> (8 * i)));
            }
        }
    }
    if (has_limit) {
        kn_write_uint(writer, kni_stream_limit(&link->in), 4);
    }
}

size_t kn_net_link_space(const kn_net_link *link)
{
    KN_ASSERT(link != NULL);
    if (link == NULL) {
        return 0;
    }
    kn_writer counter = {0};
    link_write_header(link, &counter);
    uint64_t work = kni_stream_work(&link->out);
    uint64_t wanted = work > 0 ? work + LINK_PIECE_HEADER * KNI_PIECES_MAX : 0;
    uint64_t kept = wanted < link->def.message_share ? wanted : link->def.message_share;
    return link->def.datagram_bytes - counter.length - (size_t)kept;
}

// Adds pieces of messages as long as they fit into `room` bytes.
static void link_write_pieces(
    kn_net_link *link, kn_writer *writer, size_t room, kni_flight_record *record)
{
    size_t end = writer->length + room;
    while (record->piece_count < KNI_PIECES_MAX) {
        size_t left = end - writer->length;
        kni_piece piece;
        if (left <= LINK_PIECE_HEADER ||
            (left < LINK_PIECE_HEADER + LINK_PIECE_MIN &&
                kni_stream_work(&link->out) > left - LINK_PIECE_HEADER) ||
            !kni_stream_take(&link->out, (uint32_t)(left - LINK_PIECE_HEADER), &piece)) {
            return;
        }
        record->piece_begins[record->piece_count] = (uint32_t)piece.begin;
        record->piece_sizes[record->piece_count] = (uint16_t)piece.size;
        record->piece_count++;
        kn_write_uint(writer, piece.begin, 4);
        kn_write_uint(writer, piece.size, 2);
        kn_write_bytes(writer, piece.bytes, piece.size);
    }
}

kn_result kn_net_link_write(kn_net_link *link, kn_time now, const void *payload, size_t size,
    void *out, size_t capacity, size_t *written, uint64_t *sequence)
{
    bool is_valid = link != NULL && out != NULL && written != NULL &&
                    (payload != NULL || size == 0) && now >= link->now && now <= KN_TIME_MAX;
    KN_ASSERT(is_valid);
    if (written != NULL) {
        *written = 0;
    }
    if (sequence != NULL) {
        *sequence = 0;
    }
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (capacity < link->def.datagram_bytes) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    // Before the time counts: what is found lost now may not take space that was promised.
    if (size > kn_net_link_space(link)) {
        return KN_REFUSED_LIMIT;
    }
    (void)link_advance(link, now);
    kni_flight_settle(&link->flight, now, link_record_is_lost, link);
    if (kni_flight_is_full(&link->flight)) {
        return KN_REFUSED_LIMIT;
    }

    uint8_t *bytes = out;
    kn_writer writer = {bytes, link->def.datagram_bytes, 0};
    kni_flight_record record = {.sent = now, .fate = KNI_FLIGHT_OPEN};
    link_write_header(link, &writer);
    record.limit = kni_stream_limit_is_news(&link->in) ? kni_stream_limit(&link->in) : 0;
    link_write_pieces(link, &writer, writer.size - writer.length - size, &record);
    kn_write_bytes(&writer, payload, size);
    KN_ASSERT(writer.length <= writer.size);
    size_t begin = link->def.has_checksum ? LINK_CHECKSUM_SIZE : 0;
    bytes[begin] |= record.piece_count;
    if (link->def.has_checksum) {
        kn_writer front = {bytes, LINK_CHECKSUM_SIZE, 0};
        kn_write_u32(&front, link_checksum(link, bytes + begin, writer.length - begin));
    }

    *kni_flight_at(&link->flight, link->flight.next) = record;
    *written = writer.length;
    if (sequence != NULL) {
        *sequence = link->flight.next;
    }
    link->flight.next++;
    link->unanswered = 0;
    link->stats.sent++;
    link->stats.sent_bytes += writer.length;
    return KN_OK;
}

// Reading ---------------------------------------------------------------------

// A datagram taken apart.
typedef struct link_parts {
    uint64_t sequence;
    bool has_ack, has_limit;
    uint64_t ack, arrived;
    kn_time held; // -1 if it is too long to tell
    uint64_t limit;
    uint32_t piece_count;
    kni_piece pieces[KNI_PIECES_MAX];
    const uint8_t *payload;
    size_t payload_size;
} link_parts;

static void link_read_ack(
    const kn_net_link *link, kn_reader *reader, bool has_gaps, link_parts *parts)
{
    const kni_flight *flight = &link->flight;
    uint32_t behind = (uint16_t)(flight->next - 1 - kn_read_uint(reader, 2));
    uint64_t held = kn_read_uint(reader, 2);
    parts->held = held < LINK_HELD_LONG ? (kn_time)held * LINK_HELD_UNIT : -1;
    if (flight->next - flight->first <= behind) {
        reader->failed = true; // never sent
        return;
    }
    parts->ack = flight->next - 1 - behind;
    parts->arrived = UINT64_MAX;
    uint32_t gaps = has_gaps ? kn_read_u8(reader) : 0;
    if (has_gaps && gaps == 0) {
        reader->failed = true;
    }
    for (uint32_t i = 0; i < LINK_ACK_BITS / 8; i++) {
        if ((gaps >> i & 1) != 0) {
            uint64_t byte = kn_read_u8(reader);
            parts->arrived ^= (byte ^ 0xff) << (8 * i);
            reader->failed = reader->failed || byte == 0xff;
        }
    }
}

static void link_read_pieces(const kn_net_link *link, kn_reader *reader, link_parts *parts)
{
    for (uint32_t i = 0; i < parts->piece_count && !reader->failed; i++) {
        kni_piece *piece = &parts->pieces[i];
        piece->begin = link_whole_u32(kn_read_u32(reader), link->in.end);
        piece->size = (uint32_t)kn_read_uint(reader, 2);
        piece->bytes = kn_read_bytes(reader, piece->size);
        // A number before the first byte wraps to one above all others.
        bool is_before = piece->begin < link->def.first_sequence ||
                         piece->begin > link->in.end + ((uint64_t)1 << 32);
        reader->failed = reader->failed || piece->size == 0 || is_before;
    }
}

// False for anything that an honest peer does not send.
static bool link_parse(
    const kn_net_link *link, const uint8_t *bytes, size_t size, link_parts *parts)
{
    kn_reader reader = {bytes, size, 0, false, false};
    *parts = (link_parts){0};
    uint32_t flags = kn_read_u8(&reader);
    parts->sequence = link_whole_u16((uint32_t)kn_read_uint(&reader, 2), link->next_in);
    parts->has_ack = (flags & LINK_HAS_ACK) != 0;
    parts->has_limit = (flags & LINK_HAS_LIMIT) != 0;
    parts->piece_count = flags & LINK_PIECES;
    bool has_gaps = (flags & LINK_HAS_GAPS) != 0;
    // A number before the first sequence wraps to one above all others.
    bool is_before =
        parts->sequence < link->def.first_sequence || parts->sequence > link->next_in + UINT16_MAX;
    if (is_before || (flags & LINK_RESERVED) != 0 || parts->piece_count > KNI_PIECES_MAX ||
        (has_gaps && !parts->has_ack)) {
        return false;
    }
    if (parts->has_ack) {
        link_read_ack(link, &reader, has_gaps, parts);
    }
    if (parts->has_limit) {
        parts->limit = link_whole_u32(kn_read_u32(&reader), link->out.limit);
    }
    link_read_pieces(link, &reader, parts);
    if (reader.failed) {
        return false;
    }
    parts->payload_size = size - reader.at;
    parts->payload = parts->payload_size > 0 ? bytes + reader.at : NULL;
    return true;
}

// Whether a sequence is new, or why it is not.
static bool link_is_new(const kn_net_link *link, uint64_t sequence, kn_net_link_refusal *refusal)
{
    if (sequence >= link->next_in) {
        return true;
    }
    uint64_t behind = link->next_in - sequence; // 1 is the newest
    if (behind > LINK_ACK_BITS + 1) {
        *refusal = KN_NET_LINK_REFUSED_LATE;
        return false;
    }
    *refusal = KN_NET_LINK_REFUSED_DUPLICATE;
    return behind > 1 && (link->arrived >> (behind - 2) & 1) == 0;
}

static void link_note_sequence(kn_net_link *link, uint64_t sequence)
{
    if (sequence < link->next_in) {
        link->arrived |= (uint64_t)1 << (link->next_in - sequence - 2);
        return;
    }
    uint64_t steps = sequence + 1 - link->next_in;
    uint64_t shifted = steps < LINK_ACK_BITS ? link->arrived << steps : 0;
    link->arrived = shifted | (steps <= LINK_ACK_BITS ? (uint64_t)1 << (steps - 1) : 0);
    link->next_in = sequence + 1;
    link->newest_heard = link->now;
}

static void link_use_ack(kn_net_link *link, const link_parts *parts)
{
    uint64_t known = kni_flight_known(&link->flight);
    for (uint32_t i = LINK_ACK_BITS; i > 0; i--) { // those sent first come first
        if (parts->ack >= known + i && (parts->arrived >> (i - 1) & 1) != 0) {
            (void)link_acknowledge(link, parts->ack - i);
        }
    }
    if (link_acknowledge(link, parts->ack) && parts->held >= 0) {
        kn_time since = link->now - kni_flight_at(&link->flight, parts->ack)->sent;
        if (since >= parts->held) {
            kni_flight_measure(&link->flight, since - parts->held);
        }
    }
}

static kn_result link_refuse(kn_net_link *link, kn_net_link_refusal refusal, kn_result result)
{
    link->stats.refused[refusal]++;
    return result;
}

// The refusal of a datagram, or KN_OK if it was taken.
static kn_result link_take(kn_net_link *link, const link_parts *parts)
{
    kn_net_link_refusal refusal;
    if (!link_is_new(link, parts->sequence, &refusal)) {
        return link_refuse(link, refusal, KN_REFUSED_DUPLICATE);
    }
    kn_result result =
        kni_stream_store(&link->in, &link->def.hooks, parts->pieces, parts->piece_count);
    if (result != KN_OK) {
        return link_refuse(link,
            result == KN_REFUSED_LIMIT ? KN_NET_LINK_REFUSED_WINDOW : KN_NET_LINK_REFUSED_MEMORY,
            result);
    }
    link_note_sequence(link, parts->sequence);
    if (parts->has_ack) {
        link_use_ack(link, parts);
    }
    if (parts->has_limit && parts->limit > link->out.limit) {
        link->out.limit = parts->limit;
    }
    link->heard = link->now;
    link->unanswered++;
    link->is_broken = kni_stream_next_message(&link->in, NULL, NULL) == KNI_STREAM_BAD;
    return KN_OK;
}

kn_result kn_net_link_read(
    kn_net_link *link, kn_time now, const void *bytes, size_t size, kn_net_link_view *view)
{
    bool is_valid =
        link != NULL && view != NULL && (bytes != NULL || size == 0) && link_advance(link, now);
    KN_ASSERT(is_valid);
    if (view != NULL) {
        *view = (kn_net_link_view){0};
    }
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (link->is_broken) {
        return link_refuse(link, KN_NET_LINK_REFUSED_BROKEN, KN_ERROR_BAD_DATA);
    }
    size_t begin = link->def.has_checksum ? LINK_CHECKSUM_SIZE : 0;
    if (size < begin + 3 || size > link->def.datagram_bytes) {
        return link_refuse(link, KN_NET_LINK_REFUSED_SIZE, KN_ERROR_BAD_DATA);
    }
    const uint8_t *data = bytes;
    kn_reader front = {data, begin, 0, false, false};
    if (begin > 0 && kn_read_u32(&front) != link_checksum(link, data + begin, size - begin)) {
        return link_refuse(link, KN_NET_LINK_REFUSED_CHECKSUM, KN_ERROR_BAD_DATA);
    }
    link_parts parts;
    if (!link_parse(link, data + begin, size - begin, &parts)) {
        return link_refuse(link, KN_NET_LINK_REFUSED_FORMAT, KN_ERROR_BAD_DATA);
    }
    kn_result result = link_take(link, &parts);
    if (result != KN_OK) {
        return result;
    }
    kni_flight_settle(&link->flight, now, link_record_is_lost, link);
    link->stats.received++;
    link->stats.received_bytes += size;
    *view = (kn_net_link_view){.payload = parts.payload,
        .size = parts.payload_size,
        .sequence = parts.sequence,
        .is_newest = parts.sequence + 1 == link->next_in};
    return KN_OK;
}

// Messages --------------------------------------------------------------------

kn_result kn_net_link_send(kn_net_link *link, const void *bytes, size_t size)
{
    bool is_valid = link != NULL && (bytes != NULL || size == 0) && size <= link->def.message_bytes;
    KN_ASSERT(is_valid);
    if (!is_valid) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_stream_append(&link->out, &link->def.hooks, bytes, size);
    link->stats.messages_sent += result == KN_OK;
    return result;
}

bool kn_net_link_next_message(kn_net_link *link, kn_net_link_message *message)
{
    KN_ASSERT(link != NULL && message != NULL);
    if (message == NULL) {
        return false;
    }
    *message = (kn_net_link_message){0};
    if (link == NULL || link->is_broken) {
        return false;
    }
    const uint8_t *bytes;
    size_t size;
    kni_stream_next next = kni_stream_next_message(&link->in, &bytes, &size);
    link->is_broken = next == KNI_STREAM_BAD;
    if (next != KNI_STREAM_READY) {
        return false;
    }
    *message = (kn_net_link_message){bytes, size};
    link->stats.messages_arrived++;
    return true;
}

// Looking at a link -----------------------------------------------------------

kn_net_link_stats kn_net_link_get_stats(const kn_net_link *link)
{
    if (link == NULL) {
        return (kn_net_link_stats){0};
    }
    const kni_flight *flight = &link->flight;
    kn_net_link_stats stats = link->stats;
    stats.round_trip = flight->round_trip;
    stats.round_trip_min = flight->round_trip_min;
    stats.round_trip_latest = flight->round_trip_latest;
    stats.deviation = flight->deviation;
    stats.jitter = flight->jitter;
    stats.resend_time = kni_flight_resend_time(flight);
    stats.loss_ppm = flight->loss_ppm;
    stats.acknowledged = flight->acknowledged;
    stats.lost = flight->lost;
    stats.missing = link->next_in - link->def.first_sequence - stats.received;
    stats.resent_bytes = link->out.resent_bytes;
    return stats;
}

kn_net_link_state kn_net_link_get_state(const kn_net_link *link)
{
    if (link == NULL) {
        return (kn_net_link_state){0};
    }
    size_t room = kni_stream_room(&link->out);
    return (kn_net_link_state){
        .heard = link->heard,
        .next_sequence = link->flight.next,
        .newest = link->heard >= 0 ? link->next_in - 1 : 0,
        .unanswered = link->unanswered,
        .waiting_bytes = (size_t)(link->out.end - link->out.acked),
        .send_room = room < link->def.message_bytes ? room : link->def.message_bytes,
        .has_work = kni_stream_work(&link->out) > 0,
        .is_broken = link->is_broken,
    };
}
