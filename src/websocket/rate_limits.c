// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// No address is stored, so that none can displace another. Each has a counter in each of two rows,
// chosen by a hash with a secret, and shares it with others; the lower one decides. A counter is
// the time at which the next connection would be due at the steady rate: it needs no upkeep.

#include "rate_limits.h"

#include <libwebsockets.h>

#define LIMITS_ROWS 2
#define LIMITS_COLUMNS 4096 // a power of two
#define LIMITS_BYTES (LIMITS_ROWS * LIMITS_COLUMNS * sizeof(kn_time))

bool kni_websocket_limits_init(
    kni_websocket_limits *limits, const kn_hooks *hooks, uint32_t per_second, uint32_t burst)
{
    *limits = (kni_websocket_limits){0};
    if (per_second == 0) {
        return true;
    }
    limits->counters = kn_memory_resize(hooks, NULL, 0, LIMITS_BYTES);
    if (limits->counters == NULL) {
        return false;
    }
    memset(limits->counters, 0, LIMITS_BYTES);
    kn_time interval = KN_S(1) / per_second;
    limits->interval = interval > 0 ? interval : 1;
    limits->tolerance = limits->interval * (burst > 0 ? burst - 1 : 0);
    return true;
}

void kni_websocket_limits_free(kni_websocket_limits *limits, const kn_hooks *hooks)
{
    kn_memory_free(hooks, limits->counters, limits->counters != NULL ? LIMITS_BYTES : 0);
    *limits = (kni_websocket_limits){0};
}

// Hosts may begin at any time, while counters begin at 0: a counter is never further ahead than a
// full burst.
static kn_time limits_start(const kni_websocket_limits *limits, kn_time next, kn_time now)
{
    bool is_ahead = next > now && next - now <= limits->tolerance + limits->interval;
    return is_ahead ? next : now;
}

static kn_time *limits_counter(
    const kni_websocket_limits *limits, uint32_t row, const uint8_t *hash)
{
    uint32_t column = ((uint32_t)hash[0] << 8 | hash[1]) % LIMITS_COLUMNS;
    return &limits->counters[row * LIMITS_COLUMNS + column];
}

bool kni_websocket_limits_take(
    kni_websocket_limits *limits, const kni_websocket_network *network, kn_time now)
{
    if (limits->interval == 0) {
        return true;
    }
    uint8_t input[sizeof limits->secret + sizeof network->bytes];
    uint8_t hash[20];
    memcpy(input, limits->secret, sizeof limits->secret);
    memcpy(input + sizeof limits->secret, network->bytes, sizeof network->bytes);
    (void)lws_SHA1(input, sizeof input, hash);
    kn_time *first = limits_counter(limits, 0, hash);
    kn_time *second = limits_counter(limits, 1, hash + 2);
    kn_time a = limits_start(limits, *first, now);
    kn_time b = limits_start(limits, *second, now);
    kn_time lower = a < b ? a : b;
    if (lower - now > limits->tolerance) {
        return false;
    }
    // A counter that others have moved further is left alone.
    lower += limits->interval;
    *first = a > lower ? a : lower;
    *second = b > lower ? b : lower;
    return true;
}
