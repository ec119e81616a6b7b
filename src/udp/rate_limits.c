// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A table of addresses can be flooded with invented ones until honest ones are pushed out, or until
// those who flood are forgotten. So no address is stored here. Each one has a counter in each of
// two rows, chosen by a hash with a secret key, and shares it with others. The lower counter
// decides: to block somebody, a flood has to fill both, and cannot know which they are. Filling all
// of them takes as many datagrams a second as there are counters times the rate, and is at the same
// time the most that the server ever decrypts for strangers.
//
// A counter is the time at which the next datagram would be due at the steady rate. It needs no
// upkeep: time passes by itself.

#include "rate_limits.h"

kni_udp_rate kni_udp_rate_of(uint32_t per_second, uint32_t burst)
{
    if (per_second == 0) {
        return (kni_udp_rate){0};
    }
    kn_time interval = KN_S(1) / per_second;
    interval = interval > 0 ? interval : 1;
    return (kni_udp_rate){interval, interval * (burst > 0 ? burst - 1 : 0)};
}

// Hosts may begin at any time, also below 0, while counters begin at 0: a counter is never further
// ahead than a full burst.
static kn_time limits_start(const kni_udp_rate *rate, kn_time next, kn_time now)
{
    if (next < now) {
        return now;
    }
    kn_time most = now + rate->tolerance + rate->interval;
    return next > most ? now : next;
}

bool kni_udp_rate_take(const kni_udp_rate *rate, kn_time *next, kn_time now)
{
    if (rate->interval == 0) {
        return true;
    }
    kn_time start = limits_start(rate, *next, now);
    if (start - now > rate->tolerance) {
        return false;
    }
    *next = start + rate->interval;
    return true;
}

bool kni_udp_limits_init(kni_udp_limits *limits, const kn_hooks *hooks, uint32_t columns)
{
    *limits = (kni_udp_limits){.columns = 1};
    while (limits->columns < columns) {
        limits->columns *= 2;
    }
    size_t size = (size_t)limits->columns * KNI_UDP_LIMITS_ROWS * sizeof *limits->counters;
    limits->counters = kn_memory_resize(hooks, NULL, 0, size);
    if (limits->counters == NULL) {
        return false;
    }
    memset(limits->counters, 0, size);
    randombytes_buf(limits->secret, sizeof limits->secret);
    return true;
}

void kni_udp_limits_free(kni_udp_limits *limits, const kn_hooks *hooks)
{
    kn_memory_free(hooks, limits->counters,
        (size_t)limits->columns * KNI_UDP_LIMITS_ROWS * sizeof *limits->counters);
    *limits = (kni_udp_limits){0};
}

// The network is what one party usually has: an IPv4 address, or 64 bits of an IPv6 one.
static uint64_t limits_hash(const kni_udp_limits *limits, const kn_address *address)
{
    uint8_t network[9] = {(uint8_t)address->kind};
    memcpy(network + 1, address->bytes, address->kind == KN_ADDRESS_IPV4 ? 4 : 8);
    uint8_t hash[crypto_shorthash_BYTES];
    (void)crypto_shorthash(hash, network, sizeof network, limits->secret);
    kn_reader reader = {hash, sizeof hash, 0, false, false};
    return kn_read_u64(&reader);
}

bool kni_udp_limits_take(kni_udp_limits *limits, const kn_address *address, kn_time now)
{
    if (limits->rate.interval == 0) {
        return true;
    }
    uint64_t hash = limits_hash(limits, address);
    uint32_t mask = limits->columns - 1;
    kn_time *first = &limits->counters[(uint32_t)hash & mask];
    kn_time *second = &limits->counters[limits->columns + ((uint32_t)(hash >> 32) & mask)];
    kn_time a = limits_start(&limits->rate, *first, now);
    kn_time b = limits_start(&limits->rate, *second, now);
    kn_time lower = a < b ? a : b;
    if (!kni_udp_rate_take(&limits->rate, &lower, now)) {
        return false;
    }
    // A counter that others have moved further is left alone.
    *first = a > lower ? a : lower;
    *second = b > lower ? b : lower;
    return true;
}
