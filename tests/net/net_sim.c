// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The simulated network does what its conditions say, and nothing else.

#include "knack/net_sim.h"

#include "net_test.h"

static kn_net_sim *sim_new(const kn_net_conditions *conditions, uint64_t seed)
{
    kn_net_sim_def def = kn_net_sim_def_default();
    def.seed = seed;
    def.conditions = *conditions;
    kn_net_sim *sim;
    assert_int_equal(kn_net_sim_create(&def, &sim), KN_OK);
    return sim;
}

// Sends a datagram of `size` bytes that begins with its number.
static void send_number(kn_net_sim *sim, kn_time now, uint32_t number, size_t size)
{
    uint8_t bytes[2000] = {(uint8_t)number, (uint8_t)(number >> 8)};
    assert_int_equal(kn_net_sim_send(sim, now, 0, 1, bytes, size), KN_OK);
}

// The number of the next datagram at peer 1; UINT32_MAX if there is none.
static uint32_t receive_number(kn_net_sim *sim, kn_time now)
{
    uint8_t bytes[2000];
    size_t size;
    uint32_t from;
    kn_result result = kn_net_sim_receive(sim, now, 1, &from, bytes, sizeof(bytes), &size);
    if (result == KN_REFUSED_NOT_FOUND) {
        assert_int_equal(size, 0);
        return UINT32_MAX;
    }
    assert_int_equal(result, KN_OK);
    assert_int_equal(from, 0);
    return (uint32_t)(bytes[0] | bytes[1] << 8);
}

static void a_perfect_network_delivers_at_once_and_in_order(void **state)
{
    (void)state;
    kn_net_sim *sim = sim_new(&(kn_net_conditions){0}, 1);
    for (uint32_t i = 0; i < 100; i++) {
        send_number(sim, 5, i, 100);
    }
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(kn_net_sim_next_arrival(sim, 1), 5);
        assert_int_equal(receive_number(sim, 5), i);
    }
    assert_int_equal(receive_number(sim, 5), UINT32_MAX);
    assert_int_equal(kn_net_sim_next_arrival(sim, 1), KN_TIME_INFINITE);
    kn_net_sim_counts counts = kn_net_sim_count(sim, 0, 1);
    assert_int_equal(counts.sent, 100);
    assert_int_equal(counts.sent_bytes, 10000);
    assert_int_equal(counts.received, 100);
    assert_int_equal(
        counts.lost + counts.overflowed + counts.duplicated + counts.reordered + counts.corrupted,
        0);
    kn_net_sim_destroy(sim);
}

static void latency_and_jitter_delay_but_keep_the_order(void **state)
{
    (void)state;
    kn_net_conditions conditions = {.latency = KN_MS(30), .jitter = KN_MS(20)};
    kn_net_sim *sim = sim_new(&conditions, 3);
    kn_time shortest = KN_S(1), longest = 0;
    for (uint32_t i = 0; i < 500; i++) {
        kn_time now = KN_MS(i * 50);
        send_number(sim, now, i, 50);
        kn_time arrival = kn_net_sim_next_arrival(sim, 1);
        assert_in_range(arrival - now, KN_MS(30), KN_MS(50));
        shortest = arrival - now < shortest ? arrival - now : shortest;
        longest = arrival - now > longest ? arrival - now : longest;
        assert_int_equal(receive_number(sim, arrival - 1), UINT32_MAX);
        assert_int_equal(receive_number(sim, arrival), i);
    }
    assert_true(shortest < KN_MS(31) && longest > KN_MS(49));
    for (uint32_t i = 0; i < 500; i++) { // all at once
        send_number(sim, KN_S(100) + KN_MS(i), i, 50);
    }
    for (uint32_t i = 0; i < 500; i++) {
        assert_int_equal(receive_number(sim, KN_S(200)), i);
    }
    kn_net_sim_destroy(sim);
}

static void loss_is_a_share_of_the_datagrams(void **state)
{
    (void)state;
    kn_net_sim *sim = sim_new(&(kn_net_conditions){.loss = 0.2f}, 4);
    uint32_t arrived = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        send_number(sim, i, i, 4);
        arrived += receive_number(sim, i) == i;
    }
    assert_in_range(arrived, 7850, 8150);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).lost, 10000 - arrived);
    assert_int_equal(kn_net_sim_set(sim, 0, 1, &(kn_net_conditions){.loss = 1.0f}), KN_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(sim, 10000, i, 4);
    }
    assert_int_equal(receive_number(sim, 10000), UINT32_MAX);
    kn_net_sim_destroy(sim);
}

static void bursts_lose_many_in_a_row(void **state)
{
    (void)state;
    kn_net_conditions conditions = {.burst_enter = 0.01f, .burst_leave = 0.1f, .burst_loss = 1.0f};
    kn_net_sim *sim = sim_new(&conditions, 5);
    uint32_t bursts = 0, lost = 0;
    bool was_lost = false;
    for (uint32_t i = 0; i < 50000; i++) {
        send_number(sim, i, i, 4);
        bool is_lost = receive_number(sim, i) != i;
        bursts += is_lost && !was_lost;
        lost += is_lost;
        was_lost = is_lost;
    }
    assert_in_range(lost / bursts, 8, 12); // 1 / burst_leave
    assert_in_range(bursts, 380, 520);     // one in 110 datagrams
    conditions.burst_loss = 0.5f;
    conditions.burst_leave = 0.0f;
    conditions.burst_enter = 1.0f;
    assert_int_equal(kn_net_sim_set(sim, 0, 1, &conditions), KN_OK);
    uint64_t before = kn_net_sim_count(sim, 0, 1).lost;
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(sim, 50000, i, 4);
    }
    assert_in_range(kn_net_sim_count(sim, 0, 1).lost - before, 440, 560);
    kn_net_sim_destroy(sim);
}

static void some_datagrams_arrive_twice(void **state)
{
    (void)state;
    kn_net_conditions conditions = {.latency = 10, .jitter = 100, .duplicate = 0.25f};
    kn_net_sim *sim = sim_new(&conditions, 6);
    uint32_t copies[1000] = {0}, total = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(sim, i, i, 4);
    }
    uint32_t newest = 0;
    for (uint32_t number; (number = receive_number(sim, 5000)) != UINT32_MAX; total++) {
        assert_true(copies[number] > 0 || number >= newest); // copies alone are late
        newest = number > newest ? number : newest;
        copies[number]++;
        assert_true(copies[number] <= 2);
    }
    assert_in_range(total, 1200, 1300);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).duplicated, total - 1000);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).received, total);
    kn_net_sim_destroy(sim);
}

static void some_datagrams_are_overtaken(void **state)
{
    (void)state;
    kn_net_conditions conditions = {
        .latency = KN_MS(10), .reorder = 0.1f, .reorder_delay = KN_MS(5)};
    kn_net_sim *sim = sim_new(&conditions, 7);
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(sim, KN_MS(i), i, 4);
    }
    uint32_t newest = 0, overtaken = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t number = receive_number(sim, KN_S(10));
        overtaken += number < newest;
        assert_true(number + 5 >= newest);
        newest = number > newest ? number : newest;
    }
    assert_in_range(kn_net_sim_count(sim, 0, 1).reordered, 70, 130);
    assert_in_range(overtaken, 60, 130);
    kn_net_sim_destroy(sim);
}

static void some_datagrams_are_corrupted_in_a_few_bits(void **state)
{
    (void)state;
    kn_net_sim *sim = sim_new(&(kn_net_conditions){.corrupt = 0.5f, .duplicate = 0.1f}, 8);
    uint32_t corrupted = 0, most = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        uint8_t bytes[64] = {0}, got[64];
        size_t size;
        assert_int_equal(kn_net_sim_send(sim, i, 0, 1, bytes, sizeof(bytes)), KN_OK);
        uint32_t flipped = 0;
        while (kn_net_sim_receive(sim, i, 1, NULL, got, sizeof(got), &size) == KN_OK) {
            assert_int_equal(size, 64);
            flipped = 0;
            for (uint32_t bit = 0; bit < 512; bit++) {
                flipped += got[bit / 8] >> bit % 8 & 1;
            }
        }
        assert_true(flipped <= 4);
        most = flipped > most ? flipped : most;
        corrupted += flipped > 0;
    }
    assert_int_equal(most, 4);
    assert_in_range(corrupted, 440, 560);
    assert_in_range(kn_net_sim_count(sim, 0, 1).corrupted, corrupted, corrupted + 5);
    // Without bytes there is nothing to corrupt.
    assert_int_equal(kn_net_sim_set(sim, 0, 1, &(kn_net_conditions){.corrupt = 1.0f}), KN_OK);
    assert_int_equal(kn_net_sim_send(sim, 1000, 0, 1, NULL, 0), KN_OK);
    size_t size = 1;
    assert_int_equal(kn_net_sim_receive(sim, 1000, 1, NULL, NULL, 0, &size), KN_OK);
    assert_int_equal(size, 0);
    kn_net_sim_destroy(sim);
}

static void bandwidth_makes_datagrams_wait_and_a_full_queue_loses_them(void **state)
{
    (void)state;
    kn_net_conditions conditions = {
        .latency = KN_MS(10), .bytes_per_second = 100000, .queue_bytes = 5000};
    kn_net_sim *sim = sim_new(&conditions, 9);
    for (uint32_t i = 0; i < 8; i++) {
        send_number(sim, 0, i, 1000); // 10 ms each
    }
    assert_int_equal(kn_net_sim_count(sim, 0, 1).overflowed, 3);
    send_number(sim, KN_MS(10), 8, 1000); // one is gone
    send_number(sim, KN_MS(10), 9, 1000);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).overflowed, 4);
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 8};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(kn_net_sim_next_arrival(sim, 1), KN_MS(10 * (i + 2)));
        assert_int_equal(receive_number(sim, KN_MS(10 * (i + 2))), expected[i]);
    }
    // An idle line saves nothing up.
    send_number(sim, KN_S(5), 10, 1000);
    send_number(sim, KN_S(5), 11, 500);
    assert_int_equal(kn_net_sim_next_arrival(sim, 1), KN_S(5) + KN_MS(20));
    assert_int_equal(receive_number(sim, KN_S(6)), 10);
    assert_int_equal(kn_net_sim_next_arrival(sim, 1), KN_S(5) + KN_MS(25));
    // Without a limit the queue is endless.
    conditions.queue_bytes = 0;
    assert_int_equal(kn_net_sim_set(sim, 0, 1, &conditions), KN_OK);
    for (uint32_t i = 0; i < 100; i++) {
        send_number(sim, KN_S(6), i, 1000);
    }
    assert_int_equal(kn_net_sim_count(sim, 0, 1).overflowed, 4);
    kn_net_sim_destroy(sim);
}

static void the_network_keeps_no_more_bytes_than_its_limit(void **state)
{
    (void)state;
    purse p = {.left = UINT32_MAX};
    kn_net_sim_def def = kn_net_sim_def_default();
    def.hooks = purse_hooks(&p);
    def.byte_limit = 10 * (1000 + 64);
    def.conditions.latency = KN_S(1);
    kn_net_sim *sim;
    assert_int_equal(kn_net_sim_create(&def, &sim), KN_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        send_number(sim, 0, i, 1000);
    }
    assert_int_equal(kn_net_sim_count(sim, 0, 1).overflowed, 990);
    assert_true(p.most < 20000);
    assert_int_equal(receive_number(sim, KN_S(1)), 0);
    send_number(sim, KN_S(1), 77, 900);
    for (uint32_t i = 0; i < 1000; i++) { // not even empty ones
        assert_int_equal(kn_net_sim_send(sim, KN_S(1), 0, 1, NULL, 0), KN_OK);
    }
    assert_int_equal(kn_net_sim_count(sim, 0, 1).overflowed, 990 + 999);
    kn_net_sim_destroy(sim);
    assert_int_equal(p.bytes, 0);
}

static void directions_are_independent(void **state)
{
    (void)state;
    kn_net_sim_def def = kn_net_sim_def_default();
    def.peer_count = KN_NET_SIM_PEERS_MAX;
    kn_net_sim *sim;
    assert_int_equal(kn_net_sim_create(&def, &sim), KN_OK);
    kn_net_conditions slow = {.latency = KN_S(1)};
    assert_int_equal(kn_net_sim_set(sim, 7, 255, &slow), KN_OK);
    assert_int_equal(kn_net_sim_conditions(sim, 7, 255).latency, KN_S(1));
    assert_int_equal(kn_net_sim_conditions(sim, 255, 7).latency, 0);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(kn_net_sim_send(sim, 0, i, 255, &(uint8_t){(uint8_t)i}, 1), KN_OK);
    }
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t expected = i < 7 ? i : i + 1;
        expected = i == 255 ? 7 : expected;
        uint32_t from;
        uint8_t byte;
        size_t size;
        assert_int_equal(
            kn_net_sim_receive(sim, i == 255 ? KN_S(1) : 0, 255, &from, &byte, 1, &size), KN_OK);
        assert_int_equal(from, expected);
        assert_int_equal(byte, expected);
        assert_int_equal(kn_net_sim_count(sim, expected, 255).received, 1);
    }
    kn_net_sim_destroy(sim);
}

// A hash of all that arrives in a long run.
static uint64_t run_hash(const kn_net_conditions *conditions, uint64_t seed, uint32_t *fates)
{
    kn_net_sim *sim = sim_new(conditions, seed);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        uint64_t doubled = kn_net_sim_count(sim, 0, 1).duplicated;
        send_number(sim, KN_MS(i), i, 100);
        fates[i] = kn_net_sim_count(sim, 0, 1).duplicated > doubled;
        uint8_t bytes[100];
        size_t size;
        while (kn_net_sim_receive(sim, KN_MS(i), 1, NULL, bytes, sizeof(bytes), &size) == KN_OK) {
            for (size_t k = 0; k < size; k++) {
                hash = (hash ^ bytes[k]) * 0x100000001b3u;
            }
            hash = (hash ^ i) * 0x100000001b3u;
        }
    }
    kn_net_sim_destroy(sim);
    return hash;
}

static void the_same_seed_gives_the_same_network_everywhere(void **state)
{
    (void)state;
    static uint32_t fates[2000], others[2000];
    kn_net_conditions awful;
    assert_int_equal(kn_net_conditions_find("awful", &awful), KN_OK);
    uint64_t hash = run_hash(&awful, 42, fates);
    assert_int_equal(run_hash(&awful, 42, fates), hash);
    assert_int_equal(hash, 0xa5f09f225046b062u); // on every compiler and processor
    assert_int_not_equal(run_hash(&awful, 43, fates), hash);

    // Another delay or corruption leaves the other chances alone.
    kn_net_conditions other = awful;
    other.latency = other.jitter = 0;
    other.corrupt = 0.0f;
    other.reorder = 0.9f;
    (void)run_hash(&awful, 42, fates);
    (void)run_hash(&other, 42, others);
    assert_memory_equal(fates, others, sizeof(fates));
}

static void conditions_have_names(void **state)
{
    (void)state;
    kn_net_conditions conditions;
    uint32_t count = 0;
    kn_time latency = 0;
    for (const char *name; (name = kn_net_conditions_name(count)) != NULL; count++) {
        assert_int_equal(kn_net_conditions_find(name, &conditions), KN_OK);
        assert_true(conditions.latency >= latency); // from good to bad
        latency = conditions.latency;
        kn_net_sim_destroy(sim_new(&conditions, 1));
    }
    assert_int_equal(count, 5);
    static const char *const names[] = {"perfect", "lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(kn_net_conditions_name(i), names[i]);
    }
    assert_int_equal(kn_net_conditions_find("moon", &conditions), KN_REFUSED_NOT_FOUND);
    assert_int_equal(conditions.latency, 0);
}

static void the_ends_of_the_ranges_are_allowed(void **state)
{
    (void)state;
    kn_net_conditions most = {.latency = KN_S(3600),
        .jitter = KN_S(3600),
        .loss = 1.0f,
        .burst_enter = 1.0f,
        .burst_leave = 1.0f,
        .burst_loss = 1.0f,
        .duplicate = 1.0f,
        .reorder = 1.0f,
        .reorder_delay = KN_S(3600),
        .corrupt = 1.0f,
        .bytes_per_second = UINT32_MAX,
        .queue_bytes = UINT32_MAX};
    kn_net_sim *sim = sim_new(&most, 1);
    send_number(sim, 0, 1, 10);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).lost, 1);
    most.loss = most.burst_loss = 0.0f;
    most.bytes_per_second = 1;
    assert_int_equal(kn_net_sim_set_all(sim, &most), KN_OK);
    assert_int_equal(kn_net_sim_conditions(sim, 1, 0).bytes_per_second, 1);
    send_number(sim, 0, 1, 10);
    assert_in_range(kn_net_sim_next_arrival(sim, 1), KN_S(7210), KN_S(10810));
    assert_int_equal(kn_net_sim_count(sim, 0, 1).duplicated, 1);
    kn_net_sim_destroy(sim);
}

static void a_datagram_that_is_too_large_for_the_buffer_stays(void **state)
{
    (void)state;
    kn_net_sim *sim = sim_new(&(kn_net_conditions){0}, 1);
    send_number(sim, 0, 77, 100);
    uint8_t bytes[100];
    size_t size;
    uint32_t from = 9;
    assert_int_equal(
        kn_net_sim_receive(sim, 0, 1, &from, bytes, 99, &size), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(size, 100);
    assert_int_equal(from, 0);
    assert_int_equal(kn_net_sim_receive(sim, 0, 1, &from, bytes, 100, &size), KN_OK);
    kn_net_sim_destroy(sim);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    kn_assert_set_handler(ignore_assert);
    kn_net_sim *sim = sim_new(&(kn_net_conditions){0}, 1);
    float not_a_number = 0.0f;
    not_a_number /= not_a_number;
    const kn_net_conditions bad[] = {{.latency = -1}, {.latency = KN_S(3600) + 1}, {.jitter = -1},
        {.jitter = KN_S(3601)}, {.reorder_delay = -1}, {.reorder_delay = KN_S(3601)},
        {.loss = -0.1f}, {.loss = 1.1f}, {.loss = not_a_number}, {.burst_enter = 2.0f},
        {.burst_leave = -1.0f}, {.burst_loss = 2.0f}, {.duplicate = 2.0f}, {.reorder = 2.0f},
        {.corrupt = 2.0f}};
    kn_net_sim *made;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kn_net_sim_def def = kn_net_sim_def_default();
        def.conditions = bad[i];
        assert_int_equal(kn_net_sim_create(&def, &made), KN_ERROR_INVALID_ARGUMENT);
        assert_null(made);
        assert_int_equal(kn_net_sim_set(sim, 0, 1, &bad[i]), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_net_sim_set_all(sim, &bad[i]), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_net_sim_conditions(sim, 0, 1).latency, 0);
    }
    kn_net_sim_def def = kn_net_sim_def_default();
    def.peer_count = 0;
    assert_int_equal(kn_net_sim_create(&def, &made), KN_ERROR_INVALID_ARGUMENT);
    def.peer_count = KN_NET_SIM_PEERS_MAX + 1;
    assert_int_equal(kn_net_sim_create(&def, &made), KN_ERROR_INVALID_ARGUMENT);
    def = kn_net_sim_def_default();
    def.cookie = 0;
    assert_int_equal(kn_net_sim_create(&def, &made), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_create(NULL, &made), KN_ERROR_INVALID_ARGUMENT);
    def = kn_net_sim_def_default();
    assert_int_equal(kn_net_sim_create(&def, NULL), KN_ERROR_INVALID_ARGUMENT);

    kn_net_conditions good = {.latency = 5};
    assert_int_equal(kn_net_sim_set(sim, 2, 0, &good), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_set(sim, 0, 2, &good), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_set(sim, 0, 1, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_set(NULL, 0, 1, &good), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_set_all(NULL, &good), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_set_all(sim, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_conditions(sim, 0, 2).latency, 0);
    assert_int_equal(kn_net_sim_count(sim, 2, 0).sent, 0);
    assert_int_equal(kn_net_sim_next_arrival(sim, 2), KN_TIME_INFINITE);
    assert_int_equal(kn_net_sim_next_arrival(NULL, 0), KN_TIME_INFINITE);
    assert_int_equal(kn_net_conditions_find(NULL, &good), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_conditions_find("lan", NULL), KN_ERROR_INVALID_ARGUMENT);

    static uint8_t large[KN_NET_SIM_DATAGRAM_MAX + 1];
    size_t size = 1;
    uint32_t from = 1;
    assert_int_equal(kn_net_sim_send(sim, 10, 0, 1, large, KN_NET_SIM_DATAGRAM_MAX), KN_OK);
    assert_int_equal(kn_net_sim_send(sim, 10, 0, 1, large, KN_NET_SIM_DATAGRAM_MAX + 1),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_send(sim, 9, 0, 1, large, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_net_sim_send(sim, KN_TIME_MAX + 1, 0, 1, large, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_send(sim, 10, 0, 1, NULL, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_send(sim, 10, 0, 2, large, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_send(sim, 10, 2, 0, large, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_send(NULL, 10, 0, 1, large, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_net_sim_receive(sim, 9, 1, &from, large, 9, &size), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(size, 0);
    assert_int_equal(from, 0);
    assert_int_equal(
        kn_net_sim_receive(sim, 10, 2, &from, large, 9, &size), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_net_sim_receive(sim, 10, 1, &from, NULL, 9, &size), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_net_sim_receive(sim, 10, 1, &from, large, 9, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_net_sim_count(sim, 0, 1).sent, 1);
    kn_net_sim_destroy(sim);
    kn_net_sim_destroy(NULL);
    kn_assert_set_handler(NULL);
}

static void without_memory_nothing_happens(void **state)
{
    (void)state;
    purse p = {0};
    kn_net_sim_def def = kn_net_sim_def_default();
    def.hooks = purse_hooks(&p);
    assert_int_equal(kn_net_conditions_find("awful", &def.conditions), KN_OK);
    kn_net_sim *sim;
    uint32_t blocks = 0;
    for (; p.left = blocks, kn_net_sim_create(&def, &sim) != KN_OK; blocks++) {
        assert_null(sim);
        assert_int_equal(p.bytes, 0);
    }
    assert_int_equal(blocks, 3);
    kn_net_sim *plain = sim_new(&def.conditions, 1);
    for (uint32_t i = 0; i < 500; i++) {
        const uint8_t bytes[] = {(uint8_t)i, (uint8_t)(i >> 8)};
        for (blocks = 0;; blocks++) {
            p.left = blocks;
            kn_net_sim_counts before = kn_net_sim_count(sim, 0, 1);
            size_t before_bytes = p.bytes;
            kn_result result = kn_net_sim_send(sim, KN_MS(i), 0, 1, bytes, 2);
            if (result == KN_OK) {
                break;
            }
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            kn_net_sim_counts after = kn_net_sim_count(sim, 0, 1);
            assert_memory_equal(&before, &after, sizeof(before));
            assert_in_range(p.bytes - before_bytes, 0, 100000); // the heap may have grown
        }
        assert_int_equal(kn_net_sim_send(plain, KN_MS(i), 0, 1, bytes, 2), KN_OK);
        assert_int_equal(kn_net_sim_next_arrival(sim, 1), kn_net_sim_next_arrival(plain, 1));
        uint32_t a = receive_number(sim, KN_MS(i)), b;
        b = receive_number(plain, KN_MS(i));
        assert_int_equal(a, b);
    }
    kn_net_sim_destroy(plain);
    kn_net_sim_destroy(sim);
    assert_int_equal(p.bytes, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_perfect_network_delivers_at_once_and_in_order),
    cmocka_unit_test(latency_and_jitter_delay_but_keep_the_order),
    cmocka_unit_test(loss_is_a_share_of_the_datagrams),
    cmocka_unit_test(bursts_lose_many_in_a_row),
    cmocka_unit_test(some_datagrams_arrive_twice),
    cmocka_unit_test(some_datagrams_are_overtaken),
    cmocka_unit_test(some_datagrams_are_corrupted_in_a_few_bits),
    cmocka_unit_test(bandwidth_makes_datagrams_wait_and_a_full_queue_loses_them),
    cmocka_unit_test(the_network_keeps_no_more_bytes_than_its_limit),
    cmocka_unit_test(directions_are_independent),
    cmocka_unit_test(the_same_seed_gives_the_same_network_everywhere),
    cmocka_unit_test(conditions_have_names),
    cmocka_unit_test(the_ends_of_the_ranges_are_allowed),
    cmocka_unit_test(a_datagram_that_is_too_large_for_the_buffer_stays),
    cmocka_unit_test(numbers_out_of_range_are_refused),
    cmocka_unit_test(without_memory_nothing_happens),
};

TEST_GROUP(net_sim, tests, NULL, NULL);
