// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// One end of a connection over datagrams that may be lost, doubled, reordered or damaged on their
/// way. Part of knack::net.
///
/// A link builds datagrams and reads those of its peer; sending them is up to the host, by sockets,
/// a relay, or a simulated network (net_sim.h). A link has no clock, socket
/// or thread: you pass the time to every call, and the same calls give the same results on every
/// machine.
///
/// A datagram carries two kinds of data:
///
/// - a **payload**, such as the newest state of a world. It arrives once or never. The sender
///   learns which datagrams arrived, by their sequence (kn_net_link_next_result()).
/// - pieces of **messages**, which arrive all, once, in order and whole, whatever happens on the
///   way (kn_net_link_send(), kn_net_link_next_message()).
///
/// One turn of a host, at a steady rate such as 60 times a second:
///
///   while (receive(socket, buffer, &size)) {
///       kn_net_link_view view;
///       if (kn_net_link_read(link, now, buffer, size, &view) == KN_OK && view.size > 0) {
///           ... // use the payload
///       }
///       kn_net_link_message message;
///       while (kn_net_link_next_message(link, &message)) { ... }
///   }
///   size = write_state(state, kn_net_link_space(link));
///   if (kn_net_link_write(link, now, state, size, buffer, sizeof(buffer), &written, &sequence) ==
///       KN_OK) {
///       send(socket, buffer, written);
///   }
///   while (kn_net_link_next_result(link, &sequence, &was_received)) { ... }
///
/// A link does not encrypt and does not know who sends. The checksum detects damage and foreign
/// datagrams, not attackers; over the open network put an encrypted transport below. Whatever
/// arrives, a link uses no more memory than its def allows.
#ifndef KNACK_LINK_H
#define KNACK_LINK_H

#include "knack/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One end of a connection. Created by kn_net_link_create(). It belongs to one thread at a time.
typedef struct kn_net_link kn_net_link;

/// The shortest limit for datagrams, in bytes.
#define KN_NET_LINK_DATAGRAM_MIN 64
/// The longest limit for datagrams, in bytes: what UDP can carry.
#define KN_NET_LINK_DATAGRAM_MAX 65507
/// The most bytes of a datagram that are neither payload nor pieces of messages. Most datagrams
/// have 12 of them or fewer; the others say in detail which ones were lost.
#define KN_NET_LINK_HEADER_MAX 24
/// The longest message that a def can allow, in bytes.
#define KN_NET_LINK_MESSAGE_MAX ((size_t)1 << 28)
/// The most bytes that a def can allow for messages, in one direction.
#define KN_NET_LINK_WINDOW_MAX ((size_t)1 << 30)
/// The fewest bytes that a def can allow for received messages: what a peer may send before it
/// knows more.
#define KN_NET_LINK_WINDOW_MIN ((size_t)16384)
/// Bytes that a message takes in the windows besides its own.
#define KN_NET_LINK_MESSAGE_EXTRA 5

/// How to create a link. Start from kn_net_link_def_default(); copied by kn_net_link_create(). Both
/// ends need the same `protocol_id`, `has_checksum`, `datagram_bytes`, `message_bytes` and
/// `first_sequence`.
typedef struct kn_net_link_def {
    kn_hooks hooks; ///< memory of the link; all-zero for malloc
    /// Number that names the game and the version of its protocol; default 0. Datagrams of another
    /// one have a wrong checksum.
    uint64_t protocol_id;
    /// Whether each datagram begins with a checksum of 4 bytes; default true. An encrypted
    /// transport has a better one already.
    bool has_checksum;
    /// Largest datagram in bytes, KN_NET_LINK_DATAGRAM_MIN to KN_NET_LINK_DATAGRAM_MAX; default
    /// 1200, which every network carries unbroken.
    uint32_t datagram_bytes;
    /// Largest message in bytes, 0 to KN_NET_LINK_MESSAGE_MAX; default 1 MiB.
    size_t message_bytes;
    /// Bytes of messages that wait to be sent and acknowledged, at most KN_NET_LINK_WINDOW_MAX;
    /// default 2 MiB. At least KN_NET_LINK_MESSAGE_EXTRA more than `message_bytes`. Memory grows as
    /// it is needed, up to twice this number.
    size_t send_bytes;
    /// Bytes of messages that have arrived and wait for others or for kn_net_link_next_message(),
    /// KN_NET_LINK_WINDOW_MIN to KN_NET_LINK_WINDOW_MAX; default 2 MiB. At least
    /// KN_NET_LINK_MESSAGE_EXTRA more than `message_bytes`. Memory grows as it is needed, up to
    /// twice this number.
    size_t receive_bytes;
    /// Bytes of each datagram that are kept free for messages while some wait, 0 or 16 to half of
    /// `datagram_bytes`; default 300. The payload may take all others, so that neither waits for
    /// the other without end; with 0 messages have only what payloads leave.
    uint32_t message_share;
    /// Datagrams whose result may be outstanding, 64 to 4096; default 256, four seconds at 60 Hz.
    /// No more are built until the oldest one is reported. Choose more than what you send in the
    /// longest round trip, or acknowledgements come too late to be of use.
    uint32_t flight_limit;
    /// A datagram counts as lost once one that was sent this much later has arrived, 1 to 64;
    /// default 3.
    uint32_t reorder_limit;
    /// Least time after which a datagram without any answer counts as lost, in microseconds, above
    /// 0; default 50 ms. Otherwise the time follows from the round trips that were measured.
    kn_time resend_min;
    /// Greatest time after which a datagram without any answer counts as lost, in microseconds, not
    /// below `resend_min`; default 2 s.
    kn_time resend_max;
    /// Round trip to expect before one is measured, in microseconds, above 0; default 200 ms.
    kn_time first_round_trip;
    /// Sequence of the first datagram, and number of the first byte of messages, at most 2^62;
    /// default 0. For tests: on the wire both wrap.
    uint64_t first_sequence;
    uint32_t cookie; ///< set by kn_net_link_def_default(); do not change it
} kn_net_link_def;

/// A def with the defaults named above.
KN_API kn_net_link_def kn_net_link_def_default(void);

/// Creates a link. It begins with about 16 KB, most of it for `flight_limit`.
/// @param link receives the link; destroy it with kn_net_link_destroy()
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a number out of its range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_net_link_create(const kn_net_link_def *def, kn_net_link **link);

/// Destroys a link. NULL is ignored.
KN_API void kn_net_link_destroy(kn_net_link *link);

// Datagrams -------------------------------------------------------------------

/// The largest payload that kn_net_link_write() takes now, in bytes. Valid until the link is
/// changed by another call.
KN_API size_t kn_net_link_space(const kn_net_link *link);

/// Builds the next datagram: acknowledgements, as many pieces of messages as fit, and the payload.
/// Call it at a steady rate even without a payload: acknowledgements and messages travel only in
/// datagrams.
/// @param now      microseconds, not negative, and not before the `now` of an earlier call
/// @param payload  copied; may be NULL if `size` is 0
/// @param size     at most kn_net_link_space(); 0 for no payload
/// @param out      receives the datagram; must not overlap the payload
/// @param capacity at least the `datagram_bytes` of the def
/// @param written  receives the size of the datagram
/// @param sequence receives the number under which kn_net_link_next_result() reports the datagram;
/// may
///                 be NULL
/// @return KN_OK; KN_REFUSED_LIMIT if the payload is too large, or if `flight_limit` datagrams wait
///         for their result, or for kn_net_link_next_result(); KN_ERROR_BUFFER_TOO_SMALL;
///         KN_ERROR_INVALID_ARGUMENT for a time that goes back
KN_API KN_MUST_USE kn_result kn_net_link_write(kn_net_link *link, kn_time now, const void *payload,
    size_t size, void *out, size_t capacity, size_t *written, uint64_t *sequence);

/// What a datagram brought.
typedef struct kn_net_link_view {
    const void *payload; ///< the payload, inside the datagram and valid as long; NULL for none
    size_t size;         ///< bytes of the payload; 0 for none
    uint64_t sequence;   ///< sequence of the datagram at its sender
    bool is_newest;      ///< whether no datagram with a higher sequence arrived before it
} kn_net_link_view;

/// Reads a datagram of the peer. It is checked whole before anything of it is used: a datagram that
/// is refused has changed nothing but the statistics, and its sender will count it as lost.
/// @param now  as of kn_net_link_write()
/// @param view receives the payload; all-zero unless the result is KN_OK
/// @return KN_OK; KN_REFUSED_DUPLICATE if it arrived before, or is so late that it may have;
///         KN_REFUSED_LIMIT if it brings more of messages than there is room for;
///         KN_ERROR_BAD_DATA if it is damaged, foreign or malformed, or if the link is broken
///         (kn_net_link_state); KN_ERROR_INVALID_ARGUMENT for a time that goes back;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_net_link_read(
    kn_net_link *link, kn_time now, const void *bytes, size_t size, kn_net_link_view *view);

/// Gives the result of the next datagram that kn_net_link_write() built. Each datagram is reported
/// once, in the order they were built, as soon as its result and those of all before it are known.
/// Call it until it returns false after each kn_net_link_read() and kn_net_link_write().
/// @param sequence     receives the sequence of the datagram
/// @param was_received receives whether the peer acknowledged it: true is certain. False means that
///                     it counts as lost: it may still be on its way, or have arrived while the
///                     acknowledgement was lost
/// @return true; false, with 0 and false, if the next result is not known yet
KN_API bool kn_net_link_next_result(kn_net_link *link, uint64_t *sequence, bool *was_received);

// Messages --------------------------------------------------------------------

/// Sends a message: it waits until kn_net_link_write() takes it along, in pieces if it has to, and
/// is kept until all of it is acknowledged.
/// @param bytes copied; may be NULL if `size` is 0
/// @param size  at most the `message_bytes` of the def
/// @return KN_OK; KN_REFUSED_LIMIT if `send_bytes` is exhausted: try again when some of it has been
///         acknowledged; KN_ERROR_INVALID_ARGUMENT for a longer message; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_net_link_send(kn_net_link *link, const void *bytes, size_t size);

/// A message of the peer.
typedef struct kn_net_link_message {
    /// The bytes of the message, valid until the next kn_net_link_read(); NULL if it is empty.
    const void *bytes;
    size_t size; ///< bytes of the message; may be 0
} kn_net_link_message;

/// Gives the next message of the peer, in the order they were sent. Call it until it returns false
/// after each kn_net_link_read(): the peer waits while `receive_bytes` are not taken.
/// @return true; false, and all-zero, if the next message has not arrived whole
KN_API bool kn_net_link_next_message(kn_net_link *link, kn_net_link_message *message);

// Looking at a link -----------------------------------------------------------

/// Why a datagram was refused.
typedef enum kn_net_link_refusal {
    KN_NET_LINK_REFUSED_SIZE,      ///< too short or too long to be one of the peer
    KN_NET_LINK_REFUSED_CHECKSUM,  ///< damaged, or of another protocol
    KN_NET_LINK_REFUSED_FORMAT,    ///< malformed, or acknowledges what was never sent
    KN_NET_LINK_REFUSED_DUPLICATE, ///< arrived before
    KN_NET_LINK_REFUSED_LATE,      ///< more than 64 datagrams late: it may have arrived before
    KN_NET_LINK_REFUSED_WINDOW,    ///< brings more of messages than there is room for
    KN_NET_LINK_REFUSED_MEMORY,    ///< there was no memory for what it brings
    KN_NET_LINK_REFUSED_BROKEN,    ///< the link is broken
    KN_NET_LINK_REFUSAL_COUNT,     ///< number of the values above; not a value itself
} kn_net_link_refusal;

/// What a link measured so far. Times are microseconds.
typedef struct kn_net_link_stats {
    /// Time a datagram takes to the peer and back, without the time the peer held it; smoothed over
    /// about eight measurements. `first_round_trip` before the first.
    kn_time round_trip;
    kn_time round_trip_min;    ///< shortest round trip; 0 before the first measurement
    kn_time round_trip_latest; ///< latest round trip; 0 before the first measurement
    kn_time deviation;         ///< mean deviation of round trips from `round_trip`, smoothed
    kn_time jitter;            ///< mean difference of a round trip and the one before, smoothed
    kn_time resend_time;       ///< time after which a datagram without any answer counts as lost
    /// Share of our datagrams that was lost, smoothed over about 64 of them, in millionths.
    uint32_t loss_ppm;
    uint64_t sent;             ///< datagrams built
    uint64_t sent_bytes;       ///< bytes of the datagrams built
    uint64_t acknowledged;     ///< datagrams that the peer acknowledged, in time or too late
    uint64_t lost;             ///< datagrams reported as lost by kn_net_link_next_result()
    uint64_t received;         ///< datagrams read
    uint64_t received_bytes;   ///< bytes of the datagrams read
    uint64_t missing;          ///< datagrams of the peer below the newest that were never read
    uint64_t resent_bytes;     ///< bytes of messages sent again
    uint64_t messages_sent;    ///< messages that kn_net_link_send() took
    uint64_t messages_arrived; ///< messages that kn_net_link_next_message() gave
    uint64_t refused[KN_NET_LINK_REFUSAL_COUNT]; ///< datagrams refused, by kn_net_link_refusal
} kn_net_link_stats;

/// What a link measured so far; all-zero for NULL.
KN_API kn_net_link_stats kn_net_link_get_stats(const kn_net_link *link);

/// What decides about the future of a link.
typedef struct kn_net_link_state {
    /// When the last good datagram arrived, in microseconds; -1 before the first. What silence is
    /// too long is up to the host.
    kn_time heard;
    uint64_t next_sequence; ///< sequence of the next datagram that kn_net_link_write() builds
    uint64_t newest;        ///< highest sequence received; 0 before the first datagram, see `heard`
    uint32_t unanswered;    ///< datagrams read since the last one was built
    size_t waiting_bytes;   ///< bytes of messages that are not acknowledged
    size_t send_room;       ///< largest message that kn_net_link_send() takes now
    /// Whether messages wait that the next datagram could carry, for the first time or again.
    bool has_work;
    bool is_broken; ///< the peer sent a message that is too long: nothing is read any more
} kn_net_link_state;

/// The state of a link; all-zero for NULL.
KN_API kn_net_link_state kn_net_link_get_state(const kn_net_link *link);

#ifdef __cplusplus
}
#endif

#endif
