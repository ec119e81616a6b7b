// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The bytes of a datagram, and everything that a link refuses: damaged, foreign, malformed, hostile
// and repeated datagrams, calls that break the contract, and memory that runs out.

#include "link_pair.h"

// A link that gets datagrams written by hand, without a checksum.
typedef struct bench {
    kn_net_link_def def;
    kn_net_link *link;
    purse memory;
} bench;

static int bench_open(void **state)
{
    bench *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    b->memory.left = UINT32_MAX;
    b->def = kn_net_link_def_default();
    b->def.hooks = purse_hooks(&b->memory);
    b->def.has_checksum = false;
    b->def.message_bytes = 1000;
    b->def.send_bytes = b->def.receive_bytes = KN_NET_LINK_WINDOW_MIN;
    assert_int_equal(kn_net_link_create(&b->def, &b->link), KN_OK);
    *state = b;
    return 0;
}

static int bench_close(void **state)
{
    bench *b = *state;
    kn_assert_set_handler(NULL);
    kn_net_link_destroy(b->link);
    assert_int_equal(b->memory.bytes, 0);
    free(b);
    return 0;
}

// Reads a copy of exactly these bytes.
static kn_result bench_read(bench *b, const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    kn_net_link_view view;
    memset(&view, 0xee, sizeof(view));
    kn_result result = kn_net_link_read(b->link, 0, exact, size, &view);
    if (result != KN_OK) {
        assert_null(view.payload);
        assert_int_equal(view.size, 0);
        assert_int_equal(view.sequence, 0);
        assert_false(view.is_newest);
    }
    free(exact);
    return result;
}

#define READ(b, ...)                                                                               \
    bench_read(b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// The datagram is refused for this reason and changes nothing else.
static void expect_refusal(
    bench *b, kn_net_link_refusal refusal, kn_result expected, const uint8_t *bytes, size_t size)
{
    kn_net_link_state before = kn_net_link_get_state(b->link);
    kn_net_link_stats stats = kn_net_link_get_stats(b->link);
    assert_int_equal(bench_read(b, bytes, size), expected);
    stats.refused[refusal]++;
    kn_net_link_state after = kn_net_link_get_state(b->link);
    kn_net_link_stats stats_after = kn_net_link_get_stats(b->link);
    assert_memory_equal(stats.refused, stats_after.refused, sizeof(stats.refused));
    assert_int_equal(stats.received, stats_after.received);
    assert_int_equal(stats.received_bytes, stats_after.received_bytes);
    assert_int_equal(stats.missing, stats_after.missing);
    assert_int_equal(stats.acknowledged, stats_after.acknowledged);
    assert_int_equal(stats.round_trip_latest, stats_after.round_trip_latest);
    assert_int_equal(before.heard, after.heard);
    assert_int_equal(before.newest, after.newest);
    assert_int_equal(before.unanswered, after.unanswered);
    assert_int_equal(before.waiting_bytes, after.waiting_bytes);
    assert_int_equal(before.is_broken, after.is_broken);
}

#define REFUSED(b, refusal, expected, ...)                                                         \
    expect_refusal(b, refusal, expected, (const uint8_t[]){__VA_ARGS__},                           \
        sizeof((const uint8_t[]){__VA_ARGS__}))
#define MALFORMED(b, ...) REFUSED(b, KN_NET_LINK_REFUSED_FORMAT, KN_ERROR_BAD_DATA, __VA_ARGS__)

static void bench_write(bench *b, kn_time now)
{
    uint8_t out[1200];
    size_t written;
    assert_int_equal(
        kn_net_link_write(b->link, now, NULL, 0, out, sizeof(out), &written, NULL), KN_OK);
}

// The wire --------------------------------------------------------------------

static void datagrams_have_the_documented_bytes(void **state)
{
    bench *b = *state;
    uint8_t out[1200];
    size_t written;
    uint64_t sequence = 9;
    assert_int_equal(kn_net_link_send(b->link, "abc", 3), KN_OK);
    assert_int_equal(
        kn_net_link_write(b->link, 0, "xy", 2, out, sizeof(out), &written, &sequence), KN_OK);
    const uint8_t first[] = {1, 0, 0, 0, 0, 0, 0, 4, 0, 3, 'a', 'b', 'c', 'x', 'y'};
    assert_int_equal(sequence, 0);
    assert_int_equal(written, sizeof(first));
    assert_memory_equal(out, first, sizeof(first));

    // 0 and 2 arrive, 1 and 3 to 9 do not, 10 does; 1.6 ms later:
    assert_int_equal(READ(b, 0, 0, 0), KN_OK);
    assert_int_equal(READ(b, 0, 2, 0), KN_OK);
    assert_int_equal(READ(b, 0, 10, 0), KN_OK);
    assert_int_equal(
        kn_net_link_write(b->link, 1600, NULL, 0, out, sizeof(out), &written, &sequence), KN_OK);
    const uint8_t second[] = {0x18, 1, 0, 10, 0, 100, 0, 3, 0x80, 0xfe};
    assert_int_equal(sequence, 1);
    assert_int_equal(written, sizeof(second));
    assert_memory_equal(out, second, sizeof(second));
}

static void a_quiet_datagram_is_short(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_conditions perfect = {0};
    link_pair *pair = pair_new(&def, &perfect, 1);
    pair->ends[0].payload_chance = pair->ends[1].payload_chance = 0;
    pair->ends[0].message_chance = pair->ends[1].message_chance = 0;
    pair_run(pair, 100);
    uint8_t out[1200];
    size_t written;
    assert_int_equal(
        kn_net_link_write(pair->ends[0].link, pair->now, NULL, 0, out, sizeof(out), &written, NULL),
        KN_OK);
    assert_int_equal(written, 11);
    pair_free(pair);
}

static void the_largest_header_is_as_long_as_the_header_file_says(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_link *from, *to;
    assert_int_equal(kn_net_link_create(&def, &from), KN_OK);
    assert_int_equal(kn_net_link_create(&def, &to), KN_OK);
    size_t written;
    uint8_t out[1200];
    for (uint32_t i = 0; i < 80; i++) { // every other one arrives
        assert_int_equal(
            kn_net_link_write(from, 0, NULL, 0, out, sizeof(out), &written, NULL), KN_OK);
        kn_net_link_view view;
        assert_true(i % 2 != 0 || kn_net_link_read(to, KN_S(i > 40), out, written, &view) == KN_OK);
    }
    assert_int_equal(
        kn_net_link_write(to, KN_S(3), NULL, 0, out, sizeof(out), &written, NULL), KN_OK);
    assert_int_equal(written, KN_NET_LINK_HEADER_MAX);
    assert_int_equal(kn_net_link_space(to), 1200 - KN_NET_LINK_HEADER_MAX);
    kn_net_link_destroy(from);
    kn_net_link_destroy(to);
}

// Damage ----------------------------------------------------------------------

static void damaged_and_foreign_datagrams_are_refused(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.protocol_id = 0x1122334455667788u;
    kn_net_link *from, *to;
    assert_int_equal(kn_net_link_create(&def, &from), KN_OK);
    assert_int_equal(kn_net_link_create(&def, &to), KN_OK);
    uint8_t out[1201] = {0};
    size_t written;
    assert_int_equal(kn_net_link_send(from, "a message", 9), KN_OK);
    assert_int_equal(
        kn_net_link_write(from, 0, "a payload", 9, out, sizeof(out), &written, NULL), KN_OK);
    kn_net_link_view view;
    for (size_t bit = 0; bit < written * 8; bit++) {
        out[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(kn_net_link_read(to, 0, out, written, &view), KN_ERROR_BAD_DATA);
        out[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t size = 0; size < written; size++) {
        assert_int_equal(kn_net_link_read(to, 0, out, size, &view), KN_ERROR_BAD_DATA);
    }
    assert_int_equal(kn_net_link_read(to, 0, out, written + 1, &view), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_net_link_read(to, 0, out, 1201, &view), KN_ERROR_BAD_DATA);
    kn_net_link_stats stats = kn_net_link_get_stats(to);
    assert_int_equal(stats.refused[KN_NET_LINK_REFUSED_SIZE], 8);
    assert_int_equal(stats.refused[KN_NET_LINK_REFUSED_CHECKSUM], written * 8 + written - 7 + 1);
    assert_int_equal(stats.received, 0);
    assert_int_equal(kn_net_link_get_state(to).heard, -1);

    kn_net_link_def other_def = def;
    other_def.protocol_id++;
    kn_net_link *other;
    assert_int_equal(kn_net_link_create(&other_def, &other), KN_OK);
    assert_int_equal(kn_net_link_read(other, 0, out, written, &view), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_net_link_get_stats(other).refused[KN_NET_LINK_REFUSED_CHECKSUM], 1);
    kn_net_link_destroy(other);

    assert_int_equal(kn_net_link_read(to, 0, out, written, &view), KN_OK); // unharmed
    assert_int_equal(view.size, 9);
    kn_net_link_destroy(from);
    kn_net_link_destroy(to);
}

static void malformed_datagrams_are_refused(void **state)
{
    bench *b = *state;
    REFUSED(b, KN_NET_LINK_REFUSED_SIZE, KN_ERROR_BAD_DATA, 0, 0);
    MALFORMED(b, 0x40, 0, 0);                                  // reserved bits
    MALFORMED(b, 0x80, 0, 0);                                  //
    MALFORMED(b, 0x05, 0, 0);                                  // too many pieces
    MALFORMED(b, 0x10, 0, 0, 1, 0xfe);                         // gaps without an ack
    MALFORMED(b, 0x00, 0xff, 0xff);                            // a sequence before the first
    MALFORMED(b, 0x08, 0, 0, 0, 0, 0, 0);                      // acknowledges what was never sent
    MALFORMED(b, 0x20, 0, 0, 1, 2, 3);                         // half a limit
    MALFORMED(b, 0x01, 0, 0, 0, 0, 0, 0, 0);                   // half the header of a piece
    MALFORMED(b, 0x01, 0, 0, 0, 0, 0, 0, 0, 0);                // an empty piece
    MALFORMED(b, 0x01, 0, 0, 0, 0, 0, 0, 2, 0, 1);             // a piece beyond the end
    MALFORMED(b, 0x01, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1); // bytes before the first
    bench_write(b, 0);
    MALFORMED(b, 0x08, 0, 0, 1, 0, 0, 0);             // the next one, not sent yet
    MALFORMED(b, 0x08, 0, 0, 0, 0, 0);                // half a time
    MALFORMED(b, 0x18, 0, 0, 0, 0, 0, 0, 0);          // gaps, but none
    MALFORMED(b, 0x18, 0, 0, 0, 0, 0, 0, 0x01, 0xff); // a gap without a gap
    MALFORMED(b, 0x18, 0, 0, 0, 0, 0, 0, 0x81, 0xfe); // a byte of two
    assert_int_equal(READ(b, 0x18, 0, 0, 0, 0, 0, 0, 0x01, 0xfe), KN_OK);
    uint64_t sequence;
    bool was_received;
    assert_true(kn_net_link_next_result(b->link, &sequence, &was_received));
    assert_true(was_received);
}

static void datagrams_that_arrive_again_are_refused(void **state)
{
    bench *b = *state;
    assert_int_equal(READ(b, 0, 100, 0), KN_OK);
    REFUSED(b, KN_NET_LINK_REFUSED_DUPLICATE, KN_REFUSED_DUPLICATE, 0, 100, 0);
    assert_int_equal(READ(b, 0, 99, 0), KN_OK);
    assert_int_equal(READ(b, 0, 36, 0), KN_OK); // 64 behind, the last one that can be told
    for (uint8_t i = 0; i < 36; i++) {
        REFUSED(b, KN_NET_LINK_REFUSED_LATE, KN_REFUSED_DUPLICATE, 0, i, 0);
    }
    for (uint8_t i = 37; i < 99; i++) {
        assert_int_equal(READ(b, 0, i, 0), KN_OK);
    }
    for (uint8_t i = 36; i <= 100; i++) {
        REFUSED(b, KN_NET_LINK_REFUSED_DUPLICATE, KN_REFUSED_DUPLICATE, 0, i, 0);
    }
    // Steps of every length keep what is known of those before.
    for (uint32_t step = 1; step <= 70; step++) {
        kn_net_link *link;
        kn_net_link_view view;
        assert_int_equal(kn_net_link_create(&b->def, &link), KN_OK);
        const uint8_t first[] = {0, 10, 0}, second[] = {0, (uint8_t)(10 + step), 0};
        assert_int_equal(kn_net_link_read(link, 0, first, 3, &view), KN_OK);
        assert_int_equal(kn_net_link_read(link, 0, second, 3, &view), KN_OK);
        assert_int_equal(kn_net_link_read(link, 0, first, 3, &view), KN_REFUSED_DUPLICATE);
        kn_net_link_stats stats = kn_net_link_get_stats(link);
        assert_int_equal(stats.refused[KN_NET_LINK_REFUSED_DUPLICATE], step <= 64);
        assert_int_equal(stats.missing, 10 + step - 1);
        const uint8_t before[] = {0, (uint8_t)(10 + step - 1), 0};
        assert_int_equal(
            kn_net_link_read(link, 0, before, 3, &view), step == 1 ? KN_REFUSED_DUPLICATE : KN_OK);
        assert_int_equal(view.is_newest, false);
        kn_net_link_destroy(link);
    }
}

// Hostile peers ---------------------------------------------------------------

static void no_peer_gets_more_memory_than_the_windows(void **state)
{
    bench *b = *state;
    uint64_t random = 5;
    size_t begin = b->memory.bytes;
    for (uint32_t i = 0; i < 60000; i++) {
        uint8_t bytes[200] = {(uint8_t)(any_below(&random, 5)), (uint8_t)i, (uint8_t)(i >> 8)};
        size_t at = 3;
        for (uint32_t piece = 0; piece < (bytes[0] & 7u); piece++) {
            uint32_t place = any_below(&random, 40000);
            uint32_t size = 1 + any_below(&random, 30);
            bytes[at++] = (uint8_t)place;
            bytes[at++] = (uint8_t)(place >> 8);
            at += 2;
            bytes[at++] = (uint8_t)size;
            at++;
            memset(bytes + at, 1, size); // messages of one byte
            at += size;
        }
        (void)bench_read(b, bytes, at);
        kn_net_link_message message;
        while (any_below(&random, 50) == 0 && kn_net_link_next_message(b->link, &message)) {
        }
        assert_in_range(b->memory.most, 0, begin + 2 * b->def.receive_bytes);
    }
    kn_net_link_stats stats = kn_net_link_get_stats(b->link);
    assert_true(stats.refused[KN_NET_LINK_REFUSED_WINDOW] > 100);
    assert_true(stats.received > 100);
    assert_true(b->memory.most > begin);
}

static void bytes_beyond_the_window_are_refused(void **state)
{
    bench *b = *state;
    REFUSED(b, KN_NET_LINK_REFUSED_WINDOW, KN_REFUSED_LIMIT, 1, 0, 0, 0, 0x40, 0, 0, 1, 0, 0);
    REFUSED(b, KN_NET_LINK_REFUSED_WINDOW, KN_REFUSED_LIMIT, 1, 0, 0, 0xff, 0x3f, 0, 0, 2, 0, 0, 0);
    assert_int_equal(READ(b, 1, 0, 0, 0xff, 0x3f, 0, 0, 1, 0, 0), KN_OK); // the last byte of it
}

static void a_piece_that_starts_one_gap_too_many_is_refused_but_the_first_gap_can_be_filled(
    void **state)
{
    bench *b = *state;
    uint8_t next = 0;
    for (; next < 64; next++) { // a byte, and a gap before each
        uint8_t place = (uint8_t)(2 * next + 1);
        assert_int_equal(READ(b, 1, next, 0, place, 0, 0, 0, 1, 0, 0), KN_OK);
    }
    REFUSED(b, KN_NET_LINK_REFUSED_WINDOW, KN_REFUSED_LIMIT, 1, next, 0, 200, 0, 0, 0, 1, 0, 0);
    // All or nothing: the second piece has no place, so the first is not taken either.
    REFUSED(b, KN_NET_LINK_REFUSED_WINDOW, KN_REFUSED_LIMIT, 2, next, 0, 127, 0, 0, 0, 1, 0, 0, 200,
        0, 0, 0, 1, 0, 0);
    // With the first gap filled there is one for it.
    assert_int_equal(READ(b, 2, next, 0, 0, 0, 0, 0, 1, 0, 0, 200, 0, 0, 0, 1, 0, 0), KN_OK);
    kn_net_link_message message;
    assert_true(kn_net_link_next_message(b->link, &message)); // of no bytes
    assert_true(kn_net_link_next_message(b->link, &message));
    assert_false(kn_net_link_next_message(b->link, &message));
}

static void one_piece_may_close_several_gaps(void **state)
{
    bench *b = *state;
    assert_int_equal(
        READ(b, 3, 0, 0, 2, 0, 0, 0, 1, 0, 'b', 4, 0, 0, 0, 2, 0, 'd', 'e', 7, 0, 0, 0, 1, 0, 'g'),
        KN_OK);
    kn_net_link_message message;
    assert_false(kn_net_link_next_message(b->link, &message));
    assert_int_equal(READ(b, 1, 1, 0, 0, 0, 0, 0, 5, 0, 6, 'a', 'b', 'c', 'd'),
        KN_OK); // up to the middle of one
    assert_false(kn_net_link_next_message(b->link, &message));
    assert_int_equal(READ(b, 1, 2, 0, 3, 0, 0, 0, 4, 0, 'c', 'd', 'e', 'f'), KN_OK);
    assert_true(kn_net_link_next_message(b->link, &message));
    assert_int_equal(message.size, 6);
    assert_memory_equal(message.bytes, "abcdef", 6);
    assert_false(
        kn_net_link_next_message(b->link, &message)); // 'g' is a length, and 103 bytes follow
}

static void a_message_that_is_too_long_breaks_the_link(void **state)
{
    bench *b = *state;
    // 1001 as a length, when 1000 is the most.
    assert_int_equal(READ(b, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0xe8, 0x07), KN_OK);
    assert_false(kn_net_link_get_state(b->link).is_broken);
    kn_net_link *other;
    assert_int_equal(kn_net_link_create(&b->def, &other), KN_OK);
    kn_net_link_destroy(b->link);
    b->link = other;
    assert_int_equal(READ(b, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0xe9, 0x07), KN_OK);
    assert_true(kn_net_link_get_state(b->link).is_broken);
    kn_net_link_message message;
    assert_false(kn_net_link_next_message(b->link, &message));
    REFUSED(b, KN_NET_LINK_REFUSED_BROKEN, KN_ERROR_BAD_DATA, 0, 1, 0);
    bench_write(b, 0); // a last word is possible
}

static void a_malformed_length_breaks_the_link_when_it_is_reached(void **state)
{
    bench *b = *state;
    // A message "a", then a length of 1 in two bytes.
    assert_int_equal(READ(b, 1, 0, 0, 0, 0, 0, 0, 4, 0, 1, 'a', 0x81, 0x00), KN_OK);
    assert_false(kn_net_link_get_state(b->link).is_broken);
    kn_net_link_message message;
    assert_true(kn_net_link_next_message(b->link, &message));
    assert_memory_equal(message.bytes, "a", 1);
    assert_false(kn_net_link_next_message(b->link, &message));
    assert_true(kn_net_link_get_state(b->link).is_broken);
}

static void the_limit_of_a_peer_only_grows(void **state)
{
    bench *b = *state;
    uint8_t message[1000] = {0};
    while (kn_net_link_send(b->link, message, 1000) == KN_OK) {
    }
    for (uint32_t i = 0; i < 20; i++) {
        bench_write(b, 0);
    }
    assert_false(kn_net_link_get_state(b->link).has_work); // the first 16 KiB are on their way
    assert_int_equal(READ(b, 0x20, 0, 0, 0xff, 0x3f, 0, 0), KN_OK);
    assert_int_equal(READ(b, 0x20, 1, 0, 0, 0, 0, 0xc0), KN_OK); // far before
    assert_false(kn_net_link_get_state(b->link).has_work);
}

static void a_held_time_that_cannot_be_is_ignored(void **state)
{
    bench *b = *state;
    bench_write(b, 0);
    assert_int_equal(READ(b, 0x08, 0, 0, 0, 0, 1, 0), KN_OK); // held 16 µs, 0 µs after it was sent
    kn_net_link_stats stats = kn_net_link_get_stats(b->link);
    assert_int_equal(stats.round_trip_latest, 0);
    assert_int_equal(stats.round_trip, b->def.first_round_trip);
    assert_int_equal(stats.acknowledged, 1);
}

// Contracts -------------------------------------------------------------------

static void a_def_out_of_range_is_refused(void **state)
{
    (void)state;
    kn_assert_set_handler(ignore_assert);
    kn_net_link_def good = kn_net_link_def_default();
    kn_net_link *link;
#define REFUSED_DEF(field, value)                                                                  \
    do {                                                                                           \
        kn_net_link_def def = good;                                                                \
        def.field = (value);                                                                       \
        link = (kn_net_link *)&def;                                                                \
        assert_int_equal(kn_net_link_create(&def, &link), KN_ERROR_INVALID_ARGUMENT);              \
        assert_null(link);                                                                         \
    } while (0)
    REFUSED_DEF(cookie, 0);
    REFUSED_DEF(datagram_bytes, KN_NET_LINK_DATAGRAM_MIN - 1);
    REFUSED_DEF(datagram_bytes, KN_NET_LINK_DATAGRAM_MAX + 1);
    REFUSED_DEF(message_bytes, KN_NET_LINK_MESSAGE_MAX + 1);
    REFUSED_DEF(message_bytes, good.send_bytes - KN_NET_LINK_MESSAGE_EXTRA + 1);
    REFUSED_DEF(send_bytes, good.message_bytes + KN_NET_LINK_MESSAGE_EXTRA - 1);
    REFUSED_DEF(send_bytes, KN_NET_LINK_WINDOW_MAX + 1);
    REFUSED_DEF(receive_bytes, good.message_bytes + KN_NET_LINK_MESSAGE_EXTRA - 1);
    REFUSED_DEF(receive_bytes, KN_NET_LINK_WINDOW_MAX + 1);
    REFUSED_DEF(message_share, good.datagram_bytes / 2 + 1);
    REFUSED_DEF(message_share, 15);
    REFUSED_DEF(message_share, 1);
    REFUSED_DEF(flight_limit, 63);
    REFUSED_DEF(flight_limit, 4097);
    REFUSED_DEF(reorder_limit, 0);
    REFUSED_DEF(reorder_limit, 65);
    REFUSED_DEF(resend_min, 0);
    REFUSED_DEF(resend_min, good.resend_max + 1);
    REFUSED_DEF(resend_max, KN_TIME_MAX + 1);
    REFUSED_DEF(first_round_trip, 0);
    REFUSED_DEF(first_round_trip, KN_TIME_MAX + 1);
    REFUSED_DEF(first_sequence, ((uint64_t)1 << 62) + 1);
    good.message_bytes = 10;
    REFUSED_DEF(receive_bytes, KN_NET_LINK_WINDOW_MIN - 1);
    assert_int_equal(kn_net_link_create(NULL, &link), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_create(&good, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void the_limits_of_a_def_are_allowed(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.message_bytes = KN_NET_LINK_MESSAGE_MAX;
    def.send_bytes = def.receive_bytes = KN_NET_LINK_WINDOW_MAX;
    def.datagram_bytes = KN_NET_LINK_DATAGRAM_MAX;
    def.message_share = def.datagram_bytes / 2;
    def.flight_limit = 4096;
    def.reorder_limit = 64;
    def.resend_min = def.resend_max = def.first_round_trip = KN_TIME_MAX;
    def.first_sequence = (uint64_t)1 << 62;
    kn_net_link *link;
    assert_int_equal(kn_net_link_create(&def, &link), KN_OK);
    uint8_t *out = calloc(2, KN_NET_LINK_DATAGRAM_MAX);
    assert_non_null(out);
    assert_int_equal(kn_net_link_send(link, out, KN_NET_LINK_DATAGRAM_MAX), KN_OK);
    size_t written;
    uint64_t sequence;
    assert_int_equal(kn_net_link_write(link, KN_TIME_MAX, NULL, 0, out, KN_NET_LINK_DATAGRAM_MAX,
                         &written, &sequence),
        KN_OK);
    assert_int_equal(sequence, (uint64_t)1 << 62);
    assert_true(written > 16000);
    assert_int_equal(kn_net_link_get_stats(link).resend_time, KN_TIME_MAX);
    free(out);
    kn_net_link_destroy(link);
}

static void calls_that_break_the_contract_are_refused(void **state)
{
    bench *b = *state;
    kn_assert_set_handler(ignore_assert);
    uint8_t out[1200];
    size_t written = 1;
    uint64_t sequence = 1;
    kn_net_link_view view;
    bench_write(b, 1000);
    assert_int_equal(
        kn_net_link_write(b->link, 999, NULL, 0, out, sizeof(out), &written, &sequence),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(written, 0);
    assert_int_equal(sequence, 0);
    assert_int_equal(
        kn_net_link_write(b->link, KN_TIME_MAX + 1, NULL, 0, out, sizeof(out), &written, &sequence),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_write(b->link, 1000, NULL, 1, out, sizeof(out), &written, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_write(b->link, 1000, NULL, 0, NULL, 1200, &written, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_write(b->link, 1000, NULL, 0, out, 1200, NULL, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_write(NULL, 1000, NULL, 0, out, 1200, &written, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_write(b->link, 1000, NULL, 0, out, 1199, &written, NULL),
        KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(kn_net_link_read(b->link, 999, "\0\0\0", 3, &view), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_read(b->link, 1000, NULL, 3, &view), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_read(b->link, 1000, "\0\0\0", 3, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_read(NULL, 1000, "\0\0\0", 3, &view), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_send(b->link, out, 1001), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_send(b->link, NULL, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_link_send(NULL, out, 1), KN_ERROR_INVALID_ARGUMENT);
    kn_net_link_message message;
    bool was_received;
    assert_false(kn_net_link_next_message(NULL, &message));
    assert_false(kn_net_link_next_message(b->link, NULL));
    assert_false(kn_net_link_next_result(NULL, &sequence, &was_received));
    assert_false(kn_net_link_next_result(b->link, NULL, &was_received));
    assert_false(kn_net_link_next_result(b->link, &sequence, NULL));
    assert_int_equal(kn_net_link_space(NULL), 0);
    assert_int_equal(kn_net_link_get_stats(NULL).round_trip, 0);
    assert_int_equal(kn_net_link_get_state(NULL).next_sequence, 0);
    kn_net_link_destroy(NULL);
    assert_int_equal(kn_net_link_get_state(b->link).next_sequence, 1);
    assert_int_equal(kn_net_link_get_state(b->link).waiting_bytes, 0);
    assert_int_equal(kn_net_link_get_stats(b->link).sent, 1);
}

static void a_full_window_refuses_messages_until_some_arrive(void **state)
{
    bench *b = *state;
    uint8_t bytes[1000] = {0};
    uint32_t count = 0;
    while (kn_net_link_send(b->link, bytes, 1000) == KN_OK) {
        count++;
    }
    assert_int_equal(count, KN_NET_LINK_WINDOW_MIN / 1002);
    size_t waiting = kn_net_link_get_state(b->link).waiting_bytes;
    assert_int_equal(kn_net_link_send(b->link, bytes, 1000), KN_REFUSED_LIMIT);
    assert_int_equal(kn_net_link_get_state(b->link).waiting_bytes, waiting);
    assert_int_equal(kn_net_link_get_stats(b->link).messages_sent, count);
    bench_write(b, 0);
    assert_int_equal(READ(b, 0x08, 0, 0, 0, 0, 0, 0), KN_OK);
    assert_int_equal(kn_net_link_send(b->link, bytes, 1000), KN_OK);
}

// Memory ----------------------------------------------------------------------

static void creation_may_run_out_of_memory(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    purse p = {0};
    def.hooks = purse_hooks(&p);
    kn_net_link *link;
    uint32_t blocks = 0;
    for (;; blocks++) {
        p.left = blocks;
        kn_result result = kn_net_link_create(&def, &link);
        if (result == KN_OK) {
            break;
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_null(link);
        assert_int_equal(p.bytes, 0);
    }
    assert_int_equal(blocks, 2);
    kn_net_link_destroy(link);
    assert_int_equal(p.bytes, 0);
}

static void without_memory_a_message_is_refused_and_a_datagram_counts_as_lost(void **state)
{
    bench *b = *state;
    b->memory.left = 0;
    assert_int_equal(kn_net_link_send(b->link, "abc", 3), KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_net_link_get_state(b->link).waiting_bytes, 0);
    assert_int_equal(kn_net_link_get_stats(b->link).messages_sent, 0);
    REFUSED(
        b, KN_NET_LINK_REFUSED_MEMORY, KN_ERROR_OUT_OF_MEMORY, 1, 0, 0, 0, 0, 0, 0, 2, 0, 1, 'a');
    b->memory.left = UINT32_MAX;
    assert_int_equal(READ(b, 1, 0, 0, 0, 0, 0, 0, 2, 0, 1, 'a'), KN_OK); // sent again
    kn_net_link_message message;
    assert_true(kn_net_link_next_message(b->link, &message));
}

static void messages_survive_a_host_that_is_often_out_of_memory(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_conditions conditions;
    assert_int_equal(kn_net_conditions_find("wifi", &conditions), KN_OK);
    link_pair *pair = pair_new(&def, &conditions, 8);
    pair->ends[0].message_chance = pair->ends[1].message_chance = 0;
    uint32_t sent = 0, failed = 0;
    for (uint32_t turn = 0; turn < 4000; turn++) {
        pair->memory.left = turn % 7 == 0 ? UINT32_MAX : 0;
        pair_end *end = &pair->ends[0];
        size_t size = pair_message_size(end, end->sent_messages, 0);
        pair_fill(pair->other, size, end->sent_messages, 0);
        kn_result result = kn_net_link_send(end->link, pair->other, size);
        assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        end->sent_messages += result == KN_OK;
        sent += result == KN_OK;
        failed += result != KN_OK;
        pair_turn(pair);
    }
    pair->memory.left = UINT32_MAX;
    pair_finish(pair, 2000);
    assert_true(sent > 1000);
    assert_true(failed > 0);
    assert_true(kn_net_link_get_stats(pair->ends[1].link).refused[KN_NET_LINK_REFUSED_MEMORY] > 0);
    pair_free(pair);
}

#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_open, bench_close)

static const struct CMUnitTest tests[] = {
    BENCH_TEST(datagrams_have_the_documented_bytes),
    cmocka_unit_test(a_quiet_datagram_is_short),
    cmocka_unit_test(the_largest_header_is_as_long_as_the_header_file_says),
    cmocka_unit_test(damaged_and_foreign_datagrams_are_refused),
    BENCH_TEST(malformed_datagrams_are_refused),
    BENCH_TEST(datagrams_that_arrive_again_are_refused),
    BENCH_TEST(no_peer_gets_more_memory_than_the_windows),
    BENCH_TEST(bytes_beyond_the_window_are_refused),
    BENCH_TEST(a_piece_that_starts_one_gap_too_many_is_refused_but_the_first_gap_can_be_filled),
    BENCH_TEST(one_piece_may_close_several_gaps),
    BENCH_TEST(a_message_that_is_too_long_breaks_the_link),
    BENCH_TEST(a_malformed_length_breaks_the_link_when_it_is_reached),
    BENCH_TEST(the_limit_of_a_peer_only_grows),
    BENCH_TEST(a_held_time_that_cannot_be_is_ignored),
    cmocka_unit_test(a_def_out_of_range_is_refused),
    cmocka_unit_test(the_limits_of_a_def_are_allowed),
    BENCH_TEST(calls_that_break_the_contract_are_refused),
    BENCH_TEST(a_full_window_refuses_messages_until_some_arrive),
    cmocka_unit_test(creation_may_run_out_of_memory),
    BENCH_TEST(without_memory_a_message_is_refused_and_a_datagram_counts_as_lost),
    cmocka_unit_test(messages_survive_a_host_that_is_often_out_of_memory),
};

TEST_GROUP(link_refusals, tests, NULL, NULL);
