// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Two links over a simulated network, and all that must hold whatever the network does: messages
// arrive once, in order and unharmed; payloads arrive at most once and unharmed; each datagram gets
// one result, in order; and what is reported as received was.
#ifndef LINK_PAIR_H
#define LINK_PAIR_H

#include "knack/net.h"

#include "net_test.h"

#define PAIR_DATAGRAMS_MAX (1u << 17)
#define PAIR_BUFFER 65536

typedef struct pair_end {
    kn_net_link *link;
    uint64_t sent_messages, arrived_messages; // numbers of the next ones
    uint64_t sent_datagrams, reported;
    uint64_t reported_received;
    uint64_t payloads;       // that arrived here
    uint64_t newest;         // highest sequence that arrived here, + 1
    uint8_t *has_arrived;    // by sequence: our datagrams at the peer
    uint16_t *payload_sizes; // of our datagrams
    size_t largest_message;  // to send
    uint32_t message_chance; // in 100, that a message is sent in a turn
    uint32_t payload_chance; // in 100, that a payload is sent in a turn
    uint64_t message_limit;  // no more messages than these
    uint64_t random;
} pair_end;

typedef struct link_pair {
    kn_net_sim *sim;
    kn_net_link_def def;
    pair_end ends[2];
    kn_time now, turn;
    purse memory;
    uint8_t *buffer, *other;
} link_pair;

// The bytes of a message or payload follow from its number and its sender.
static inline void pair_fill(uint8_t *bytes, size_t size, uint64_t number, uint32_t from)
{
    uint64_t random = number * 2 + from;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t value = any_u64(&random);
        for (size_t k = i; k < size && k < i + 8; k++) {
            bytes[k] = (uint8_t)(value >> 8 * (k - i));
        }
    }
}

static inline size_t pair_message_size(const pair_end *end, uint64_t number, uint32_t from)
{
    uint64_t random = number * 2 + from + 77;
    uint32_t kind = any_below(&random, 10);
    size_t most = kind < 8 && end->largest_message > 60 ? 60 : end->largest_message;
    return (size_t)(any_u64(&random) % (most + 1));
}

static inline link_pair *pair_new(
    const kn_net_link_def *def, const kn_net_conditions *conditions, uint64_t seed)
{
    link_pair *pair = calloc(1, sizeof(*pair));
    assert_non_null(pair);
    pair->memory.left = UINT32_MAX;
    pair->def = *def;
    pair->def.hooks = purse_hooks(&pair->memory);
    pair->turn = KN_MS(16);
    pair->buffer = malloc(PAIR_BUFFER);
    pair->other = malloc(PAIR_BUFFER > def->message_bytes ? PAIR_BUFFER : def->message_bytes);
    kn_net_sim_def sim_def = kn_net_sim_def_default();
    sim_def.seed = seed;
    sim_def.conditions = *conditions;
    assert_int_equal(kn_net_sim_create(&sim_def, &pair->sim), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        pair_end *end = &pair->ends[i];
        assert_int_equal(kn_net_link_create(&pair->def, &end->link), KN_OK);
        end->has_arrived = calloc(PAIR_DATAGRAMS_MAX, 1);
        end->payload_sizes = calloc(PAIR_DATAGRAMS_MAX, sizeof(uint16_t));
        assert_non_null(end->has_arrived);
        assert_non_null(end->payload_sizes);
        end->largest_message = def->message_bytes < 3000 ? def->message_bytes : 3000;
        end->message_chance = 50;
        end->payload_chance = 90;
        end->message_limit = UINT64_MAX;
        end->random = seed * 2 + i;
    }
    return pair;
}

static inline void pair_free(link_pair *pair)
{
    for (uint32_t i = 0; i < 2; i++) {
        kn_net_link_destroy(pair->ends[i].link);
        free(pair->ends[i].has_arrived);
        free(pair->ends[i].payload_sizes);
    }
    kn_net_sim_destroy(pair->sim);
    assert_int_equal(pair->memory.bytes, 0);
    free(pair->buffer);
    free(pair->other);
    free(pair);
}

static inline void pair_take_results(link_pair *pair, uint32_t side)
{
    pair_end *end = &pair->ends[side];
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(end->link, &sequence, &was_received)) {
        assert_int_equal(sequence, pair->def.first_sequence + end->reported);
        assert_true(end->reported < end->sent_datagrams);
        if (was_received) {
            assert_true(end->has_arrived[end->reported]);
            end->reported_received++;
        }
        end->reported++;
    }
}

static inline void pair_take_messages(link_pair *pair, uint32_t side)
{
    pair_end *end = &pair->ends[side];
    const pair_end *peer = &pair->ends[1 - side];
    kn_net_link_message message;
    while (kn_net_link_next_message(end->link, &message)) {
        uint64_t number = end->arrived_messages++;
        assert_true(number < peer->sent_messages);
        size_t size = pair_message_size(peer, number, 1 - side);
        assert_int_equal(message.size, size);
        pair_fill(pair->other, size, number, 1 - side);
        assert_true(size == 0 || memcmp(message.bytes, pair->other, size) == 0);
    }
}

static inline void pair_receive(link_pair *pair, uint32_t side)
{
    pair_end *end = &pair->ends[side];
    pair_end *peer = &pair->ends[1 - side];
    size_t size;
    while (kn_net_sim_receive(pair->sim, pair->now, side, NULL, pair->buffer, PAIR_BUFFER, &size) ==
           KN_OK) {
        kn_net_link_view view;
        uint8_t *exact = malloc(size + 1); // so that reads beyond it are noticed
        assert_non_null(exact);
        memcpy(exact, pair->buffer, size);
        kn_result result = kn_net_link_read(end->link, pair->now, exact, size, &view);
        if (result == KN_OK) {
            uint64_t index = view.sequence - pair->def.first_sequence;
            assert_true(index < peer->sent_datagrams);
            assert_false(peer->has_arrived[index]); // once
            peer->has_arrived[index] = 1;
            assert_int_equal(view.is_newest, index >= end->newest);
            end->newest = view.is_newest ? index + 1 : end->newest;
            assert_int_equal(view.size, peer->payload_sizes[index]);
            pair_fill(pair->other, view.size, index ^ 0xabcdef, 1 - side);
            assert_true(view.size == 0 || memcmp(view.payload, pair->other, view.size) == 0);
            end->payloads += view.size > 0;
        } else {
            assert_null(view.payload);
        }
        free(exact);
        pair_take_messages(pair, side);
        pair_take_results(pair, side);
    }
}

static inline void pair_send_messages(link_pair *pair, uint32_t side)
{
    pair_end *end = &pair->ends[side];
    while (end->sent_messages < end->message_limit &&
           any_below(&end->random, 100) < end->message_chance) {
        size_t size = pair_message_size(end, end->sent_messages, side);
        pair_fill(pair->other, size, end->sent_messages, side);
        size_t room = kn_net_link_get_state(end->link).send_room;
        kn_result result = kn_net_link_send(end->link, pair->other, size);
        if (result == KN_REFUSED_LIMIT) {
            assert_true(size > room || size == 0);
            return;
        }
        assert_int_equal(result, KN_OK);
        end->sent_messages++;
    }
}

static inline void pair_write(link_pair *pair, uint32_t side)
{
    pair_end *end = &pair->ends[side];
    size_t space = kn_net_link_space(end->link);
    size_t size = any_below(&end->random, 100) < end->payload_chance
                      ? (size_t)(any_u64(&end->random) % (space + 1))
                      : 0;
    size = any_below(&end->random, 4) == 0 && size > 0 ? space : size;
    assert_true(end->sent_datagrams < PAIR_DATAGRAMS_MAX);
    pair_fill(pair->other, size, end->sent_datagrams ^ 0xabcdef, side);
    end->payload_sizes[end->sent_datagrams] = (uint16_t)size;
    size_t written;
    uint64_t sequence;
    bool is_full = end->sent_datagrams - end->reported == pair->def.flight_limit;
    kn_result result = kn_net_link_write(end->link, pair->now, pair->other, size, pair->buffer,
        pair->def.datagram_bytes, &written, &sequence);
    assert_int_equal(result, is_full ? KN_REFUSED_LIMIT : KN_OK);
    if (is_full) {
        pair_take_results(pair, side);
        return;
    }
    assert_int_equal(sequence, pair->def.first_sequence + end->sent_datagrams);
    assert_true(written <= pair->def.datagram_bytes);
    end->sent_datagrams++;
    assert_int_equal(
        kn_net_sim_send(pair->sim, pair->now, side, 1 - side, pair->buffer, written), KN_OK);
    pair_take_results(pair, side);
}

static inline void pair_turn(link_pair *pair)
{
    for (uint32_t side = 0; side < 2; side++) {
        pair_receive(pair, side);
        pair_send_messages(pair, side);
        pair_write(pair, side);
    }
    pair->now += pair->turn;
}

static inline void pair_run(link_pair *pair, uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        pair_turn(pair);
    }
}

// No new messages, until all have arrived and all results are known.
static inline void pair_finish(link_pair *pair, uint32_t turns_max)
{
    for (uint32_t side = 0; side < 2; side++) {
        pair->ends[side].message_limit = pair->ends[side].sent_messages;
    }
    for (uint32_t i = 0; i < turns_max; i++) {
        pair_turn(pair);
        if (pair->ends[0].arrived_messages == pair->ends[1].sent_messages &&
            pair->ends[1].arrived_messages == pair->ends[0].sent_messages &&
            kn_net_link_get_state(pair->ends[0].link).waiting_bytes == 0 &&
            kn_net_link_get_state(pair->ends[1].link).waiting_bytes == 0) {
            return;
        }
    }
    fail_msg("messages did not arrive: %u of %u, %u of %u",
        (unsigned)pair->ends[0].arrived_messages, (unsigned)pair->ends[1].sent_messages,
        (unsigned)pair->ends[1].arrived_messages, (unsigned)pair->ends[0].sent_messages);
}

#endif
