// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A simulated network: datagrams between peers of one process, with latency, jitter, loss, bursts
/// of loss, duplicates, reordering, limited bandwidth and corruption. For tests, and for games that
/// want to feel a bad connection at home. Part of knack::net.
///
/// There is no clock inside: every call passes the time. The same calls with the same seed give the
/// same results on every machine. A network belongs to one thread at a time.
///
///   kn_net_sim_def def = kn_net_sim_def_default();
///   kn_net_sim *sim;
///   kn_result result = kn_net_sim_create(&def, &sim);
///   ...
///   kn_net_conditions wifi;
///   result = kn_net_conditions_find("wifi", &wifi);
///   result = kn_net_sim_set_all(sim, &wifi);
///   result = kn_net_sim_send(sim, now, 0, 1, bytes, size);
///   ...
///   while (kn_net_sim_receive(sim, now, 1, &from, buffer, sizeof(buffer), &size) == KN_OK) {
///       ...
///   }
#ifndef KNACK_NET_SIM_H
#define KNACK_NET_SIM_H

#include "knack/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulated network. Created by kn_net_sim_create().
typedef struct kn_net_sim kn_net_sim;

/// The most peers of a network.
#define KN_NET_SIM_PEERS_MAX 256
/// The longest datagram of a network, in bytes: what UDP can carry.
#define KN_NET_SIM_DATAGRAM_MAX 65507

/// What one direction between two peers does to datagrams. All-zero is a perfect network: nothing
/// is lost, and all arrives at once. Probabilities are shares of datagrams, from 0 to 1.
typedef struct kn_net_conditions {
    /// Microseconds that each datagram travels, from 0 to one hour.
    kn_time latency;
    /// Microseconds by which the latency varies, from 0 to one hour: each datagram takes between 0
    /// and this time longer. Datagrams wait for those before them; only `reorder` changes their
    /// order.
    kn_time jitter;
    /// Probability that a datagram is lost, from 0 to 1, outside of bursts.
    float loss;
    /// Probability that a burst of loss begins with a datagram, from 0 to 1.
    float burst_enter;
    /// Probability that a burst of loss is over before the next datagram, from 0 to 1. A burst
    /// hits 1 / `burst_leave` datagrams on average; with 0 it never ends.
    float burst_leave;
    /// Probability that a datagram in a burst is lost, from 0 to 1.
    float burst_loss;
    /// Probability that a datagram arrives twice, from 0 to 1. The copy has a delay of its own.
    float duplicate;
    /// Probability that a datagram arrives later than others that were sent after it, from 0 to 1.
    float reorder;
    /// Microseconds that a reordered datagram takes longer, from 0 to one hour.
    kn_time reorder_delay;
    /// Probability that some bits of a datagram change on the way, from 0 to 1.
    float corrupt;
    /// Bytes that are carried in a second; 0 for no limit. Datagrams wait in a queue for their
    /// turn.
    uint32_t bytes_per_second;
    /// Bytes that may wait for their turn; a datagram for which there is no room is lost. 0 for no
    /// limit. Only with `bytes_per_second`.
    uint32_t queue_bytes;
} kn_net_conditions;

/// Finds conditions by name: "perfect", "lan", "wifi", "mobile" or "awful".
/// @param conditions receives them; all-zero if there are none of that name
/// @return KN_OK; KN_REFUSED_NOT_FOUND for another name
KN_API KN_MUST_USE kn_result kn_net_conditions_find(
    const char *name, kn_net_conditions *conditions);

/// The name of a set of conditions, for menus; NULL from the number of names on. Valid forever.
KN_API const char *kn_net_conditions_name(uint32_t index);

/// How to create a network. Start from kn_net_sim_def_default(); copied by kn_net_sim_create().
typedef struct kn_net_sim_def {
    kn_hooks hooks;      ///< memory of the network; all-zero for malloc
    uint64_t seed;       ///< seed of all that happens by chance; default 1
    uint32_t peer_count; ///< number of peers, 1 to KN_NET_SIM_PEERS_MAX; default 2
    /// Bytes of datagrams that may be on their way at once, all directions together, with 64 more
    /// for each datagram; default 16 MiB. What is sent beyond that is lost.
    size_t byte_limit;
    /// Conditions in every direction at the beginning; default all-zero, a perfect network.
    kn_net_conditions conditions;
    uint32_t cookie; ///< set by kn_net_sim_def_default(); do not change it
} kn_net_sim_def;

/// A def with the defaults named above.
KN_API kn_net_sim_def kn_net_sim_def_default(void);

/// Creates a network.
/// @param sim receives the network; destroy it with kn_net_sim_destroy()
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a number out of its range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_net_sim_create(const kn_net_sim_def *def, kn_net_sim **sim);

/// Destroys a network with all that is on its way. NULL is ignored.
KN_API void kn_net_sim_destroy(kn_net_sim *sim);

/// Changes the conditions in one direction. Datagrams on their way arrive as if nothing had
/// changed.
/// @param conditions copied
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown peer, or a number out of its range
KN_API KN_MUST_USE kn_result kn_net_sim_set(
    kn_net_sim *sim, uint32_t from, uint32_t to, const kn_net_conditions *conditions);

/// Changes the conditions in all directions. Results as kn_net_sim_set().
KN_API KN_MUST_USE kn_result kn_net_sim_set_all(
    kn_net_sim *sim, const kn_net_conditions *conditions);

/// The conditions in one direction; all-zero for an unknown peer.
KN_API kn_net_conditions kn_net_sim_conditions(const kn_net_sim *sim, uint32_t from, uint32_t to);

/// Sends a datagram. What the network does to it is decided now; the sender does not learn it.
/// @param now microseconds, not negative, and not before the `now` of an earlier call
/// @param bytes copied; may be NULL if `size` is 0
/// @param size  at most KN_NET_SIM_DATAGRAM_MAX
/// @return KN_OK, even if the datagram is lost; KN_ERROR_INVALID_ARGUMENT for an unknown peer, a
///         longer datagram or a time that goes back; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_net_sim_send(
    kn_net_sim *sim, kn_time now, uint32_t from, uint32_t to, const void *bytes, size_t size);

/// Gives the next datagram that has arrived at a peer, in the order of arrival.
/// @param now    as of kn_net_sim_send()
/// @param from   receives the sender; may be NULL
/// @param buffer receives the bytes
/// @param size   receives the number of bytes
/// @return KN_OK; KN_REFUSED_NOT_FOUND if nothing has arrived; KN_ERROR_BUFFER_TOO_SMALL with the
///         `size` it needs, and the datagram stays; KN_ERROR_INVALID_ARGUMENT for an unknown peer
///         or a time that goes back
KN_API KN_MUST_USE kn_result kn_net_sim_receive(kn_net_sim *sim, kn_time now, uint32_t to,
    uint32_t *from, void *buffer, size_t capacity, size_t *size);

/// When the next datagram arrives at a peer, for programs that jump in time; KN_TIME_INFINITE if
/// none is on its way, or the peer is unknown.
KN_API kn_time kn_net_sim_next_arrival(const kn_net_sim *sim, uint32_t to);

/// What happened to the datagrams in one direction so far.
typedef struct kn_net_sim_counts {
    uint64_t sent;       ///< datagrams that were sent
    uint64_t sent_bytes; ///< bytes that were sent
    uint64_t received;   ///< datagrams that were received, copies included
    uint64_t lost;       ///< datagrams that were lost by chance
    uint64_t overflowed; ///< datagrams that were lost because a queue or the network was full
    uint64_t duplicated; ///< datagrams that arrive twice
    uint64_t reordered;  ///< datagrams that were delayed by `reorder_delay`
    uint64_t corrupted;  ///< datagrams that were changed
} kn_net_sim_counts;

/// The counts of one direction; all-zero for an unknown peer.
KN_API kn_net_sim_counts kn_net_sim_count(const kn_net_sim *sim, uint32_t from, uint32_t to);

#ifdef __cplusplus
}
#endif

#endif
