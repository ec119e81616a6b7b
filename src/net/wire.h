// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What clients and servers say to each other. Numbers are written by kni_write_number().
//
// Messages begin with their kind. A payload of a client: the tick it simulated last, the last of
// its commands that it knows to be answered, then its commands since what the server has: sequence
// of the first, count, and for each tick, size and bytes.
//
// A payload of a server begins with the number of the book that it is packed with (pack.h), and the
// size it had before; or with 0, and is not packed. It says: its tick; the time from the arrival of
// the client's latest payload to the tick it was for, in units of MARGIN_UNIT; the last command
// that arrived; count of answers, and for each sequence, ticks ago, and result * 2, plus 1 if
// reasons follow (reasons.h); then entities up to the end: index, flags, generation or ticks since
// the base, the key of its creation if it has one and is sent whole, with WIRE_HAS_DONOR the index
// and ticks since the state of another entity that stands behind the base, and the difference
// from the base (delta.c). With WIRE_HAS_CUES there are cues in front of the difference: all that
// happened on the entity in the latest ticks. The size of that comes first, and the number of
// ticks, not counting the present one; then the count of cues, and each as in cue_wire.c. Without
// it nothing happened on the entity since the base.
//
// With WIRE_IS_CHECK, and no other flag, nothing of an entity is sent but four bytes of a hash of
// what the client should have of it at this tick, the base being the last state that it got. They
// stand behind the entities.
#ifndef KNI_WIRE_H
#define KNI_WIRE_H

#include "delta.h"

#include "knack/session.h"

enum {
    WIRE_HELLO = 1, // version, hash of the library, hello
    WIRE_RESYNC,    // index of an entity that has to be sent again, tick of what came, is whole
    WIRE_LEAVE,
    WIRE_WELCOME, // connection, rate, ticks between sends, time of tick 0, WELCOME_*, view delay
    WIRE_CLOSE,   // reason, text
    WIRE_ENTITY,  // tick, and an entity as in a payload, too large for one
    WIRE_USER,    // bytes of the host
    WIRE_COMPARE, // a question about the client's library (compare.h)
    WIRE_LIBRARY, // the answer
    WIRE_PAUSE,   // whether the game is paused
    WIRE_BOOK,    // number, and frequencies as in pack.c
};

enum {
    WELCOME_SPECTATOR = 1 << 0,
    WELCOME_PAUSED = 1 << 1,
    WELCOME_FLAGS = 3,
};

enum {
    WIRE_HAS_BASE = 1 << 0,
    WIRE_IS_LEFT = 1 << 1, // out of sight
    WIRE_HAS_KEY = 1 << 2, // the key of its creation follows
    WIRE_HAS_CUES = 1 << 3,
    WIRE_HAS_DONOR = 1 << 4,
    WIRE_IS_CHECK = 1 << 5,
    WIRE_FLAGS = 63,
};

#define MARGIN_UNIT 100         // microseconds
#define COMMANDS_UNANSWERED 256 // most commands of a client that wait for their answer
#define MESSAGE_SHARE 300       // bytes of a datagram for messages
#define RESYNC_ALL UINT32_MAX   // index that stands for all entities
#define URGE_TIME 50000         // microseconds until a link looks again after messages

// The checksum of an entity's bytes.
static inline uint32_t kni_checksum(const void *bytes, size_t size)
{
    return (uint32_t)kn_hash_bytes(1, bytes, size);
}

// Room for messages in datagrams of this size.
static inline uint32_t kni_message_share(uint32_t datagram_bytes)
{
    return datagram_bytes / 4 < MESSAGE_SHARE ? datagram_bytes / 4 : MESSAGE_SHARE;
}

// Whether messages wait so long that the link has to look whether they were lost.
static inline bool kni_link_is_idle(const kn_net_link_state *state, kn_time written_at, kn_time now)
{
    return state->waiting_bytes > 0 && now - written_at >= URGE_TIME;
}

// Time that never goes back, whatever the clock of the host does.
typedef struct session_clock {
    kn_time now;
    kn_time shift; // from the clock of the host
} session_clock;

static inline kn_time kni_clock(session_clock *clock, kn_time now)
{
    const kn_time most = KN_TIME_MAX / 4;
    now = now > most ? most : now < -most ? -most : now;
    if (now + clock->shift < clock->now) {
        clock->shift = clock->now - now;
    }
    clock->now = now + clock->shift < 2 * most ? now + clock->shift : 2 * most;
    return clock->now;
}

// The time of a tick.
static inline kn_time kni_tick_time(uint64_t tick, uint32_t rate)
{
    return (kn_time)(tick / rate * 1000000 + tick % rate * 1000000 / rate);
}

#endif
