// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rate limits: for one source, and for all sources of a network that nobody has authenticated.
#ifndef KNI_UDP_RATE_LIMITS_H
#define KNI_UDP_RATE_LIMITS_H

#include "wire.h"

#include <sodium.h>

/// How much is allowed. All-zero allows everything.
typedef struct kni_udp_rate {
    kn_time interval;  ///< between two at a steady rate; 0: no limit
    kn_time tolerance; ///< how far ahead of the steady rate a burst may run
} kni_udp_rate;

/// A rate per second, with `burst` at once.
kni_udp_rate kni_udp_rate_of(uint32_t per_second, uint32_t burst);
/// Counts one against a rate. `*next` is when the next one would be due at the steady rate; 0 at
/// first. False, with `*next` unchanged, if the limit is reached.
bool kni_udp_rate_take(const kni_udp_rate *rate, kn_time *next, kn_time now);

#define KNI_UDP_LIMITS_ROWS 2
#define KNI_UDP_LIMITS_MAX (1u << 24)

/// Limits for addresses that are not stored.
typedef struct kni_udp_limits {
    kni_udp_rate rate;
    kn_time *counters; ///< KNI_UDP_LIMITS_ROWS rows
    uint32_t columns;  ///< a power of two
    uint8_t secret[crypto_shorthash_KEYBYTES];
} kni_udp_limits;

bool kni_udp_limits_init(kni_udp_limits *limits, const kn_hooks *hooks, uint32_t columns);
void kni_udp_limits_free(kni_udp_limits *limits, const kn_hooks *hooks);
/// Counts one for the network of an address, whatever its port. False if the limit is reached.
bool kni_udp_limits_take(kni_udp_limits *limits, const kn_address *address, kn_time now);

#endif
