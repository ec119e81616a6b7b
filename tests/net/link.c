// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Links over bad networks: what arrives, what is reported, what is measured.

#include "link_pair.h"

static kn_net_conditions conditions_of(const char *name)
{
    kn_net_conditions conditions;
    assert_int_equal(kn_net_conditions_find(name, &conditions), KN_OK);
    return conditions;
}

static link_pair *pair_on(const char *network, uint64_t seed)
{
    kn_net_conditions conditions = conditions_of(network);
    kn_net_link_def def = kn_net_link_def_default();
    return pair_new(&def, &conditions, seed);
}

// Datagrams that were reported as lost although they had arrived, in thousandths of all.
static uint32_t pair_wrong_reports(const pair_end *end)
{
    uint64_t lost = 0;
    for (uint64_t i = 0; i < end->reported; i++) {
        lost += !end->has_arrived[i];
    }
    return (uint32_t)((end->reported - end->reported_received - lost) * 1000 / end->reported);
}

// Long runs -------------------------------------------------------------------

static void every_message_arrives_once_in_order_and_unharmed(void **state)
{
    (void)state;
    static const char *const networks[] = {"perfect", "lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 5; i++) {
        link_pair *pair = pair_on(networks[i], 11 + i);
        pair_run(pair, 3000);
        pair_finish(pair, 2000);
        assert_true(pair->ends[0].arrived_messages > 2000);
        assert_true(pair->ends[1].payloads > 1500);
        pair_free(pair);
    }
}

static void results_are_reported_soon_and_are_mostly_right(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        uint32_t wrong, open; // thousandths at most; turns at most
    } cases[] = {
        {"perfect", 0, 3}, {"lan", 0, 4}, {"wifi", 5, 10}, {"mobile", 10, 40}, {"awful", 50, 80}};
    for (uint32_t i = 0; i < 5; i++) {
        link_pair *pair = pair_on(cases[i].network, 5);
        for (uint32_t turn = 0; turn < 2000; turn++) {
            pair_turn(pair);
            for (uint32_t side = 0; side < 2; side++) {
                const pair_end *end = &pair->ends[side];
                assert_true(turn < 50 || end->sent_datagrams - end->reported <= cases[i].open);
            }
        }
        assert_in_range(pair_wrong_reports(&pair->ends[0]), 0, cases[i].wrong);
        assert_in_range(pair_wrong_reports(&pair->ends[1]), 0, cases[i].wrong);
        pair_free(pair);
    }
}

// Any def over any network.
static float any_share(uint64_t *random, uint32_t most_percent)
{
    return any_below(random, 2) == 0 ? 0.0f : (float)any_below(random, most_percent + 1) * 0.01f;
}

static kn_net_conditions any_conditions(uint64_t *random)
{
    return (kn_net_conditions){
        .latency = KN_MS(any_below(random, 300)),
        .jitter = KN_MS(any_below(random, 100)),
        .loss = any_share(random, 50),
        .burst_enter = any_share(random, 10),
        .burst_leave = 0.1f + any_share(random, 50),
        .burst_loss = any_share(random, 100),
        .duplicate = any_share(random, 30),
        .reorder = any_share(random, 30),
        .reorder_delay = KN_MS(any_below(random, 200)),
        .corrupt = any_share(random, 20),
        .bytes_per_second = any_below(random, 3) == 0 ? 20000 + any_below(random, 100000) : 0,
        .queue_bytes = 3000 + any_below(random, 50000),
    };
}

static kn_net_link_def any_def(uint64_t *random)
{
    static const uint64_t firsts[] = {0, 65536 - 50, ((uint64_t)1 << 32) - 5000,
        ((uint64_t)1 << 62) - 7, (uint64_t)1 << 62, 12345678901u};
    kn_net_link_def def = kn_net_link_def_default();
    def.protocol_id = any_u64(random);
    def.datagram_bytes =
        any_below(random, 4) == 0 ? KN_NET_LINK_DATAGRAM_MIN : 64 + any_below(random, 1500);
    def.message_bytes = any_below(random, 20000);
    def.send_bytes = def.message_bytes + KN_NET_LINK_MESSAGE_EXTRA + any_below(random, 30000);
    def.receive_bytes = def.message_bytes + KN_NET_LINK_MESSAGE_EXTRA + any_below(random, 30000);
    def.receive_bytes =
        def.receive_bytes < KN_NET_LINK_WINDOW_MIN ? KN_NET_LINK_WINDOW_MIN : def.receive_bytes;
    def.message_share = 16 + any_below(random, def.datagram_bytes / 2 - 15);
    def.flight_limit = 64 + any_below(random, 300);
    def.reorder_limit = 1 + any_below(random, 64);
    def.resend_min = KN_MS(1 + any_below(random, 200));
    def.resend_max = def.resend_min + KN_MS(any_below(random, 3000));
    def.first_round_trip = KN_MS(1 + any_below(random, 500));
    def.first_sequence = firsts[any_below(random, 6)];
    return def;
}

static void messages_arrive_with_any_def_over_any_network(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t random = seed;
        kn_net_conditions conditions = any_conditions(&random);
        kn_net_link_def def = any_def(&random);
        def.has_checksum = conditions.corrupt > 0.0f || any_below(&random, 2) == 0;
        link_pair *pair = pair_new(&def, &conditions, seed);
        // No faster than acknowledgements can follow.
        pair->turn = KN_S(4) / def.flight_limit + KN_MS(any_below(&random, 60));
        pair->ends[1].message_chance = any_below(&random, 90);
        pair->ends[0].payload_chance = any_below(&random, 101);
        pair_run(pair, 400);
        kn_net_conditions others = any_conditions(&random);
        others.corrupt = def.has_checksum ? others.corrupt : 0.0f;
        assert_int_equal(kn_net_sim_set(pair->sim, 0, 1, &others), KN_OK);
        pair_run(pair, 400);
        pair_finish(pair, 40000);
        pair_free(pair);
    }
}

static void sequences_wrap_without_a_trace(void **state)
{
    (void)state;
    kn_net_conditions conditions = conditions_of("wifi");
    kn_net_link_def def = kn_net_link_def_default();
    def.first_sequence = ((uint64_t)1 << 32) - 66000; // 16 bits twice, 32 bits once
    link_pair *pair = pair_new(&def, &conditions, 3);
    pair->ends[0].message_chance = pair->ends[1].message_chance = 20;
    pair_run(pair, 68000);
    pair_finish(pair, 2000);
    kn_net_link_state end = kn_net_link_get_state(pair->ends[0].link);
    assert_true(end.next_sequence > (uint64_t)1 << 32);
    assert_true(end.newest > (uint64_t)1 << 32);
    assert_in_range(pair_wrong_reports(&pair->ends[0]), 0, 5);
    pair_free(pair);
}

static void a_long_message_arrives_whole_among_payloads(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.send_bytes = def.receive_bytes = def.message_bytes + KN_NET_LINK_MESSAGE_EXTRA;
    kn_net_conditions conditions = conditions_of("mobile");
    link_pair *pair = pair_new(&def, &conditions, 9);
    pair->ends[0].message_chance = pair->ends[1].message_chance = 0;
    uint8_t *bytes = malloc(def.message_bytes);
    assert_non_null(bytes);
    for (uint32_t round = 0; round < 2; round++) { // the second one needs the window of the first
        pair_fill(bytes, def.message_bytes, round, 9);
        assert_int_equal(kn_net_link_send(pair->ends[0].link, bytes, def.message_bytes), KN_OK);
        assert_int_equal(kn_net_link_send(pair->ends[0].link, bytes, 2), KN_REFUSED_LIMIT);
        kn_net_link_message message = {0};
        uint64_t payloads = pair->ends[1].payloads;
        for (uint32_t turn = 0; message.size == 0; turn++) {
            assert_true(turn < 4000);
            pair_write(pair, 0);
            pair_write(pair, 1);
            pair_receive(pair, 0);
            size_t size;
            while (message.size == 0 && kn_net_sim_receive(pair->sim, pair->now, 1, NULL,
                                            pair->buffer, PAIR_BUFFER, &size) == KN_OK) {
                kn_net_link_view view;
                if (kn_net_link_read(pair->ends[1].link, pair->now, pair->buffer, size, &view) ==
                    KN_OK) {
                    pair->ends[0].has_arrived[view.sequence] = 1;
                    pair->ends[1].payloads += view.size > 0;
                }
                (void)kn_net_link_next_message(pair->ends[1].link, &message);
            }
            pair_take_results(pair, 1);
            pair->now += pair->turn;
        }
        assert_int_equal(message.size, def.message_bytes);
        assert_memory_equal(message.bytes, bytes, def.message_bytes);
        assert_true(pair->ends[1].payloads > payloads + 500);
        while (kn_net_link_get_state(pair->ends[0].link).waiting_bytes > 0) {
            pair_turn(pair);
        }
    }
    free(bytes);
    pair_free(pair);
}

static void the_same_calls_give_the_same_bytes_everywhere(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (uint32_t run = 0; run < 2; run++) {
        link_pair *pair = pair_on("awful", 21);
        uint64_t hash = 0;
        for (uint32_t turn = 0; turn < 500; turn++) {
            pair_turn(pair);
            uint8_t out[1200];
            size_t written;
            assert_int_equal(kn_net_link_write(pair->ends[0].link, pair->now, NULL, 0, out,
                                 sizeof(out), &written, NULL),
                KN_OK);
            pair->ends[0].sent_datagrams++;
            for (size_t i = 0; i < written; i++) {
                hash = (hash ^ out[i]) * 0x100000001b3u;
            }
        }
        hashes[run] = hash;
        pair_free(pair);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], 0x7a88bd69abbac48eu); // on every compiler and processor
}

// Flow ------------------------------------------------------------------------

static void a_peer_that_takes_no_messages_stops_them_but_not_the_payloads(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.message_bytes = 4000;
    def.send_bytes = 60000;
    def.receive_bytes = KN_NET_LINK_WINDOW_MIN;
    kn_net_conditions conditions = conditions_of("wifi");
    link_pair *pair = pair_new(&def, &conditions, 2);
    pair->ends[1].message_chance = 0;
    pair->ends[0].message_chance = 99;
    for (uint32_t turn = 0; turn < 500; turn++) {
        pair_receive(pair, 0);
        pair_send_messages(pair, 0);
        pair_write(pair, 0);
        size_t size;
        while (kn_net_sim_receive(
                   pair->sim, pair->now, 1, NULL, pair->buffer, PAIR_BUFFER, &size) == KN_OK) {
            kn_net_link_view view;
            if (kn_net_link_read(pair->ends[1].link, pair->now, pair->buffer, size, &view) ==
                KN_OK) {
                pair->ends[0].has_arrived[view.sequence] = 1;
                pair->ends[1].newest = view.sequence + 1;
                pair->ends[1].payloads += view.size > 0;
            }
        }
        pair_write(pair, 1);
        pair->now += pair->turn;
    }
    kn_net_link_stats stats = kn_net_link_get_stats(pair->ends[1].link);
    assert_int_equal(stats.refused[KN_NET_LINK_REFUSED_WINDOW], 0);
    assert_true(pair->ends[1].payloads > 400);
    kn_net_link_state waiting = kn_net_link_get_state(pair->ends[0].link);
    assert_true(waiting.waiting_bytes > 50000);
    assert_true(waiting.send_room < 4000);
    assert_false(waiting.has_work);
    pair->ends[0].message_chance = 50;
    pair_finish(pair, 2000);
    pair_free(pair);
}

static void memory_stays_within_the_windows(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.message_bytes = 20000;
    def.send_bytes = def.receive_bytes = 50000;
    kn_net_conditions conditions = conditions_of("mobile");
    link_pair *pair = pair_new(&def, &conditions, 2);
    size_t begin = pair->memory.bytes;
    assert_in_range(begin / 2, 14000, 18000); // as the header says
    pair->ends[0].message_chance = pair->ends[1].message_chance = 99;
    pair->ends[0].largest_message = pair->ends[1].largest_message = 20000;
    pair_run(pair, 2000);
    assert_in_range(pair->memory.most, 100000, begin + 4 * 2 * 50000);
    size_t most = pair->memory.most;
    pair->memory.left = 0; // and a warm link needs no more
    pair_run(pair, 500);
    assert_int_equal(pair->memory.most, most);
    pair->memory.left = UINT32_MAX;
    pair_finish(pair, 5000);
    pair_free(pair);
}

static void neither_payloads_nor_messages_starve(void **state)
{
    (void)state;
    for (uint32_t share = 0; share <= 600; share += 200) {
        kn_net_link_def def = kn_net_link_def_default();
        def.message_share = share;
        kn_net_conditions conditions = conditions_of("lan");
        link_pair *pair = pair_new(&def, &conditions, 2);
        uint8_t *bytes = calloc(1, def.message_bytes);
        assert_non_null(bytes);
        assert_int_equal(kn_net_link_send(pair->ends[0].link, bytes, def.message_bytes), KN_OK);
        pair_write(pair, 1);
        pair_receive(pair, 0);
        size_t waiting = kn_net_link_get_state(pair->ends[0].link).waiting_bytes;
        for (uint32_t turn = 0; turn < 100; turn++) {
            size_t space = kn_net_link_space(pair->ends[0].link);
            assert_in_range(space, 1200 - KN_NET_LINK_HEADER_MAX - share, 1200 - 7 - share);
            size_t written;
            memset(pair->other, 0, space);
            assert_int_equal(kn_net_link_write(pair->ends[0].link, pair->now, pair->other, space,
                                 pair->buffer, 1200, &written, NULL),
                KN_OK);
            assert_int_equal(written, 1200);
            kn_net_link_view view;
            assert_int_equal(
                kn_net_link_read(pair->ends[1].link, pair->now, pair->buffer, written, &view),
                KN_OK);
            assert_int_equal(view.size, space);
            assert_int_equal(kn_net_link_write(pair->ends[1].link, pair->now, NULL, 0, pair->buffer,
                                 1200, &written, NULL),
                KN_OK);
            assert_int_equal(
                kn_net_link_read(pair->ends[0].link, pair->now, pair->buffer, written, &view),
                KN_OK);
            pair->now += pair->turn;
        }
        size_t moved = waiting - kn_net_link_get_state(pair->ends[0].link).waiting_bytes;
        assert_int_equal(moved, share == 0 ? 0 : 100 * (share - 6));
        free(bytes);
        pair_free(pair);
    }
}

static void small_messages_leave_the_rest_to_the_payload(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_link *link;
    assert_int_equal(kn_net_link_create(&def, &link), KN_OK);
    size_t before = kn_net_link_space(link);
    assert_int_equal(kn_net_link_send(link, "hello", 5), KN_OK);
    size_t after = kn_net_link_space(link);
    assert_in_range(before - after, 12, 30); // not the whole share
    uint8_t payload[1200] = {0}, out[1200];
    size_t written;
    assert_int_equal(
        kn_net_link_write(link, 0, payload, after + 1, out, sizeof(out), &written, NULL),
        KN_REFUSED_LIMIT);
    assert_int_equal(written, 0);
    assert_int_equal(
        kn_net_link_write(link, 0, payload, after, out, sizeof(out), &written, NULL), KN_OK);
    assert_false(kn_net_link_get_state(link).has_work);
    kn_net_link_destroy(link);
}

static void a_promised_space_holds_when_datagrams_are_found_lost(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    kn_net_link *link;
    assert_int_equal(kn_net_link_create(&def, &link), KN_OK);
    uint8_t payload[1200] = {0}, out[1200];
    size_t written;
    assert_int_equal(kn_net_link_send(link, payload, 1000), KN_OK);
    assert_int_equal(kn_net_link_write(link, 0, NULL, 0, out, sizeof(out), &written, NULL), KN_OK);
    size_t space = kn_net_link_space(link);
    assert_true(space > 1100);

    assert_int_equal(
        kn_net_link_write(link, KN_S(10), payload, space, out, sizeof(out), &written, NULL), KN_OK);

    assert_int_equal(written, 1200);
    assert_true(kn_net_link_get_state(link).has_work);
    assert_true(kn_net_link_space(link) <= 900);
    kn_net_link_destroy(link);
}

// Results and measurements ----------------------------------------------------

// Two links whose datagrams the test carries by hand.
typedef struct duo {
    kn_net_link *a, *b;
    uint8_t bytes[200][1200];
    size_t sizes[200];
    uint32_t count;
} duo;

static void duo_open(duo *d, const kn_net_link_def *def)
{
    memset(d, 0, sizeof(*d));
    assert_int_equal(kn_net_link_create(def, &d->a), KN_OK);
    assert_int_equal(kn_net_link_create(def, &d->b), KN_OK);
}

static void duo_close(duo *d)
{
    kn_net_link_destroy(d->a);
    kn_net_link_destroy(d->b);
}

// Builds a datagram, and gives its number for duo_read().
static uint32_t duo_write(duo *d, kn_net_link *from, kn_time now)
{
    uint32_t index = d->count++;
    assert_int_equal(kn_net_link_write(from, now, "x", 1, d->bytes[index], sizeof(d->bytes[index]),
                         &d->sizes[index], NULL),
        KN_OK);
    return index;
}

static kn_result duo_read(duo *d, kn_net_link *to, kn_time now, uint32_t index)
{
    kn_net_link_view view;
    return kn_net_link_read(to, now, d->bytes[index], d->sizes[index], &view);
}

static void expect_result(kn_net_link *link, uint64_t sequence, bool was_received)
{
    uint64_t reported;
    bool is_received;
    assert_true(kn_net_link_next_result(link, &reported, &is_received));
    assert_int_equal(reported, sequence);
    assert_int_equal(is_received, was_received);
}

static void expect_no_result(kn_net_link *link)
{
    uint64_t reported = 7;
    bool is_received = true;
    assert_false(kn_net_link_next_result(link, &reported, &is_received));
    assert_int_equal(reported, 0);
    assert_false(is_received);
}

static void a_datagram_is_lost_once_enough_newer_ones_arrived(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    duo d;
    duo_open(&d, &def);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(duo_write(&d, d.a, 0), i);
    }
    for (uint32_t i = 1; i <= 2; i++) { // 0 is missing, two newer ones are not enough
        assert_int_equal(duo_read(&d, d.b, KN_MS(10), i), KN_OK);
        assert_int_equal(duo_read(&d, d.a, KN_MS(20), duo_write(&d, d.b, KN_MS(10))), KN_OK);
        expect_no_result(d.a);
    }
    assert_int_equal(duo_read(&d, d.b, KN_MS(10), 3), KN_OK);
    assert_int_equal(duo_read(&d, d.a, KN_MS(20), duo_write(&d, d.b, KN_MS(10))), KN_OK);
    expect_result(d.a, 0, false);
    expect_result(d.a, 1, true);
    expect_result(d.a, 2, true);
    expect_result(d.a, 3, true);
    expect_no_result(d.a);
    duo_close(&d);
}

static void a_late_acknowledgement_counts_until_the_loss_is_reported(void **state)
{
    (void)state;
    for (uint32_t is_polled = 0; is_polled < 2; is_polled++) {
        kn_net_link_def def = kn_net_link_def_default();
        duo d;
        duo_open(&d, &def);
        for (uint32_t i = 0; i < 5; i++) {
            (void)duo_write(&d, d.a, 0);
        }
        assert_int_equal(duo_read(&d, d.b, 0, 4), KN_OK);
        assert_int_equal(duo_read(&d, d.a, 0, duo_write(&d, d.b, 0)), KN_OK);
        if (is_polled != 0) {
            expect_result(d.a, 0, false);
        }
        assert_int_equal(duo_read(&d, d.b, 0, 0), KN_OK); // late, but it arrives
        assert_int_equal(duo_read(&d, d.a, 0, duo_write(&d, d.b, 0)), KN_OK);
        if (is_polled == 0) {
            expect_result(d.a, 0, true);
        }
        expect_result(d.a, 1, false);
        expect_no_result(d.a);
        assert_int_equal(kn_net_link_get_stats(d.a).acknowledged, 2);
        duo_close(&d);
    }
}

static void without_an_answer_a_datagram_is_lost_after_a_time_that_doubles(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.first_round_trip = KN_MS(100);
    def.resend_max = KN_MS(1000);
    duo d;
    duo_open(&d, &def);
    assert_int_equal(kn_net_link_get_stats(d.a).resend_time, KN_MS(300)); // 100 and four times 50
    (void)duo_write(&d, d.a, 0);
    (void)duo_write(&d, d.a, 0); // sent with it: the wait doubles only once
    (void)duo_write(&d, d.a, KN_MS(300) - 1);
    expect_no_result(d.a);
    (void)duo_write(&d, d.a, KN_MS(300));
    expect_result(d.a, 0, false);
    expect_result(d.a, 1, false);
    expect_no_result(d.a);
    assert_int_equal(kn_net_link_get_stats(d.a).resend_time, KN_MS(600));
    (void)duo_write(&d, d.a, KN_MS(900) - 2);
    expect_no_result(d.a);
    (void)duo_write(&d, d.a, KN_MS(900) - 1);
    expect_result(d.a, 2, false); // sent before it doubled: it does not double again
    assert_int_equal(kn_net_link_get_stats(d.a).resend_time, KN_MS(600));
    (void)duo_write(&d, d.a, KN_MS(900));
    expect_result(d.a, 3, false);
    assert_int_equal(kn_net_link_get_stats(d.a).resend_time, KN_MS(1000)); // resend_max
    kn_time now = KN_MS(1100);

    // An answer makes it short again.
    uint32_t last = duo_write(&d, d.a, now);
    assert_int_equal(kn_net_link_get_stats(d.a).resend_time, KN_MS(1000));
    assert_int_equal(duo_read(&d, d.b, now, last), KN_OK);
    assert_int_equal(duo_read(&d, d.a, now + KN_MS(100), duo_write(&d, d.b, now)), KN_OK);
    assert_true(kn_net_link_get_stats(d.a).resend_time <= KN_MS(300));
    duo_close(&d);
}

static void results_that_are_not_taken_stop_the_writing(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.flight_limit = 64;
    duo d;
    duo_open(&d, &def);
    for (uint32_t i = 0; i < 64; i++) {
        (void)duo_write(&d, d.a, i);
    }
    uint8_t out[1200];
    size_t written = 5;
    uint64_t sequence = 5;
    assert_int_equal(kn_net_link_write(d.a, 100, "x", 1, out, sizeof(out), &written, &sequence),
        KN_REFUSED_LIMIT);
    assert_int_equal(written, 0);
    assert_int_equal(sequence, 0);
    expect_no_result(d.a);
    kn_time later = KN_MS(600) + 1; // two of them are lost by now
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_net_link_write(d.a, later, "x", 1, out, sizeof(out), &written, NULL),
            KN_REFUSED_LIMIT);
    }
    expect_result(d.a, 0, false);
    (void)duo_write(&d, d.a, later);
    assert_int_equal(
        kn_net_link_write(d.a, later, "x", 1, out, sizeof(out), &written, NULL), KN_REFUSED_LIMIT);
    expect_result(d.a, 1, false);
    expect_no_result(d.a);
    duo_close(&d);
}

static void the_round_trip_leaves_out_the_time_a_datagram_was_held(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    duo d;
    duo_open(&d, &def);
    kn_time now = 0;
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t there = duo_write(&d, d.a, now);
        assert_int_equal(duo_read(&d, d.b, now + KN_MS(20), there), KN_OK);
        uint32_t back = duo_write(&d, d.b, now + KN_MS(320)); // held for 300 ms
        kn_time extra = i == 30 ? KN_MS(8) : 0;
        assert_int_equal(duo_read(&d, d.a, now + KN_MS(340) + extra, back), KN_OK);
        kn_net_link_stats stats = kn_net_link_get_stats(d.a);
        assert_in_range(stats.round_trip_latest, KN_MS(40) + extra, KN_MS(40) + extra + 16);
        if (i < 30) {
            assert_in_range(stats.jitter, 0, 16);
        }
        if (i == 30) {
            assert_in_range(stats.round_trip, KN_MS(41), KN_MS(41) + 20);
            assert_in_range(stats.jitter, 500, 520); // one part in sixteen
        }
        now += KN_MS(400);
        while (kn_net_link_next_result(d.a, &(uint64_t){0}, &(bool){false})) {
        }
        d.count = 0;
    }
    kn_net_link_stats stats = kn_net_link_get_stats(d.a);
    assert_in_range(stats.round_trip, KN_MS(40), KN_MS(40) + 100);
    assert_in_range(stats.round_trip_min, KN_MS(40), KN_MS(40) + 16);
    assert_true(stats.deviation < KN_MS(1));
    assert_true(stats.resend_time >= KN_MS(340)); // answers take that long
    duo_close(&d);
}

static void a_datagram_that_was_held_too_long_measures_nothing(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    duo d;
    duo_open(&d, &def);
    assert_int_equal(duo_read(&d, d.b, 0, duo_write(&d, d.a, 0)), KN_OK);
    assert_int_equal(duo_read(&d, d.a, KN_S(2), duo_write(&d, d.b, KN_S(2))), KN_OK);
    assert_int_equal(kn_net_link_get_stats(d.a).round_trip_latest, 0);
    assert_int_equal(kn_net_link_get_stats(d.a).round_trip, KN_MS(200)); // first_round_trip
    expect_result(d.a, 0, true);
    duo_close(&d);
}

static void loss_is_measured(void **state)
{
    (void)state;
    kn_net_conditions conditions = {.latency = KN_MS(20), .loss = 0.25f};
    kn_net_link_def def = kn_net_link_def_default();
    link_pair *pair = pair_new(&def, &conditions, 4);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        pair_turn(pair);
        sum += i >= 2000 ? kn_net_link_get_stats(pair->ends[0].link).loss_ppm : 0;
    }
    assert_in_range(sum / 2000, 230000, 270000);
    kn_net_link_stats mine = kn_net_link_get_stats(pair->ends[0].link);
    kn_net_link_stats peer = kn_net_link_get_stats(pair->ends[1].link);
    kn_net_sim_counts counts = kn_net_sim_count(pair->sim, 0, 1);
    assert_int_equal(mine.sent, 4000);
    assert_int_equal(mine.sent, counts.sent);
    assert_int_equal(mine.sent_bytes, counts.sent_bytes);
    assert_int_equal(peer.received, counts.received);
    assert_in_range(peer.missing, counts.lost - 5, counts.lost);
    assert_in_range(mine.lost, counts.lost - 10, counts.lost + 20);
    assert_in_range(mine.acknowledged, counts.received - 20, counts.received);
    assert_true(mine.resent_bytes > 10000);
    assert_int_equal(mine.messages_sent, pair->ends[0].sent_messages);
    assert_int_equal(peer.messages_arrived, pair->ends[1].arrived_messages);
    pair_free(pair);
}

static void the_state_says_what_a_session_needs(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.first_sequence = 500;
    duo d;
    duo_open(&d, &def);
    kn_net_link_state s = kn_net_link_get_state(d.a);
    assert_int_equal(s.heard, -1);
    assert_int_equal(s.next_sequence, 500);
    assert_int_equal(s.newest, 0);
    assert_int_equal(s.send_room, def.message_bytes);
    assert_false(s.has_work);

    assert_int_equal(kn_net_link_send(d.b, "0123456789", 10), KN_OK);
    assert_true(kn_net_link_get_state(d.b).has_work);
    uint32_t first = duo_write(&d, d.b, KN_MS(5));
    assert_false(kn_net_link_get_state(d.b).has_work);
    assert_int_equal(kn_net_link_get_state(d.b).waiting_bytes, 11);
    uint32_t second = duo_write(&d, d.b, KN_MS(6));
    assert_int_equal(duo_read(&d, d.a, KN_MS(7), second), KN_OK);
    assert_int_equal(duo_read(&d, d.a, KN_MS(8), first), KN_OK);
    s = kn_net_link_get_state(d.a);
    assert_int_equal(s.heard, KN_MS(8));
    assert_int_equal(s.newest, 501);
    assert_int_equal(s.unanswered, 2);
    uint32_t answer = duo_write(&d, d.a, KN_MS(9));
    assert_int_equal(kn_net_link_get_state(d.a).unanswered, 0);
    assert_int_equal(kn_net_link_get_state(d.a).next_sequence, 501);
    assert_int_equal(duo_read(&d, d.b, KN_MS(9), answer), KN_OK);
    assert_int_equal(kn_net_link_get_state(d.b).waiting_bytes, 0);
    duo_close(&d);
}

static void the_room_for_messages_is_exact(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.message_bytes = 1000;
    for (size_t window = 1005; window < 1300; window++) {
        def.send_bytes = window;
        kn_net_link *link;
        uint8_t bytes[1001] = {0};
        assert_int_equal(kn_net_link_create(&def, &link), KN_OK);
        assert_int_equal(kn_net_link_send(link, bytes, 1000), KN_OK);
        size_t room = kn_net_link_get_state(link).send_room;
        assert_int_equal(kn_net_link_send(link, bytes, room + 1), KN_REFUSED_LIMIT);
        assert_int_equal(
            kn_net_link_send(link, bytes, room), window > 1002 ? KN_OK : KN_REFUSED_LIMIT);
        assert_in_range(window - kn_net_link_get_state(link).waiting_bytes, 0, 1);
        kn_net_link_destroy(link);
    }
}

static void empty_messages_arrive(void **state)
{
    (void)state;
    kn_net_link_def def = kn_net_link_def_default();
    def.message_bytes = 0;
    duo d;
    duo_open(&d, &def);
    assert_int_equal(kn_net_link_send(d.a, NULL, 0), KN_OK);
    assert_int_equal(kn_net_link_send(d.a, NULL, 0), KN_OK);
    kn_net_link_message message = {"x", 1};
    assert_false(kn_net_link_next_message(d.b, &message));
    assert_null(message.bytes);
    assert_int_equal(message.size, 0);
    assert_int_equal(duo_read(&d, d.b, 0, duo_write(&d, d.a, 0)), KN_OK);
    assert_true(kn_net_link_next_message(d.b, &message));
    assert_true(kn_net_link_next_message(d.b, &message));
    assert_null(message.bytes);
    assert_false(kn_net_link_next_message(d.b, &message));
    duo_close(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_message_arrives_once_in_order_and_unharmed),
    cmocka_unit_test(results_are_reported_soon_and_are_mostly_right),
    cmocka_unit_test(messages_arrive_with_any_def_over_any_network),
    cmocka_unit_test(sequences_wrap_without_a_trace),
    cmocka_unit_test(a_long_message_arrives_whole_among_payloads),
    cmocka_unit_test(the_same_calls_give_the_same_bytes_everywhere),
    cmocka_unit_test(a_peer_that_takes_no_messages_stops_them_but_not_the_payloads),
    cmocka_unit_test(memory_stays_within_the_windows),
    cmocka_unit_test(neither_payloads_nor_messages_starve),
    cmocka_unit_test(small_messages_leave_the_rest_to_the_payload),
    cmocka_unit_test(a_promised_space_holds_when_datagrams_are_found_lost),
    cmocka_unit_test(a_datagram_is_lost_once_enough_newer_ones_arrived),
    cmocka_unit_test(a_late_acknowledgement_counts_until_the_loss_is_reported),
    cmocka_unit_test(without_an_answer_a_datagram_is_lost_after_a_time_that_doubles),
    cmocka_unit_test(results_that_are_not_taken_stop_the_writing),
    cmocka_unit_test(the_round_trip_leaves_out_the_time_a_datagram_was_held),
    cmocka_unit_test(a_datagram_that_was_held_too_long_measures_nothing),
    cmocka_unit_test(loss_is_measured),
    cmocka_unit_test(the_state_says_what_a_session_needs),
    cmocka_unit_test(the_room_for_messages_is_exact),
    cmocka_unit_test(empty_messages_arrive),
};

TEST_GROUP(link, tests, NULL, NULL);
