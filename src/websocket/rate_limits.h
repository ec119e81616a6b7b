// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How often a network address may connect.
#ifndef KNI_WEBSOCKET_RATE_LIMITS_H
#define KNI_WEBSOCKET_RATE_LIMITS_H

#include "knack/tools.h"

#define KNI_WEBSOCKET_NETWORK_SIZE 9

/// The part of an address that one party usually has: its kind, and an IPv4 address, or 64 bits of
/// an IPv6 one. The rest is zero.
typedef struct kni_websocket_network {
    uint8_t bytes[KNI_WEBSOCKET_NETWORK_SIZE];
} kni_websocket_network;

/// Counters that addresses share.
typedef struct kni_websocket_limits {
    kn_time interval;  ///< between two at the steady rate; 0: no limit
    kn_time tolerance; ///< how far ahead of the steady rate a burst may run
    kn_time *counters; ///< rows of columns; NULL without a limit
    uint8_t secret[16];
} kni_websocket_limits;

/// False when out of memory.
bool kni_websocket_limits_init(
    kni_websocket_limits *limits, const kn_hooks *hooks, uint32_t per_second, uint32_t burst);
void kni_websocket_limits_free(kni_websocket_limits *limits, const kn_hooks *hooks);
/// Counts one. False if the limit is reached.
bool kni_websocket_limits_take(
    kni_websocket_limits *limits, const kni_websocket_network *network, kn_time now);

#endif
