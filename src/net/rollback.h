// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a rollback session.
#ifndef KNI_ROLLBACK_H
#define KNI_ROLLBACK_H

#include "reports.h"
#include "rollback_inputs.h"

#define HASHES 128     // own hashes that are kept
#define CHECKPOINTS 8  // states that are kept for comparisons
#define HASHES_EARLY 8 // hashes of a player that wait for ours
#define LINES_MAX (1 + PLAYERS + KN_ROLLBACK_SPECTATORS_MAX)

// A snapshot of the world.
typedef struct roll_state {
    uint64_t tick;
    bool is_kept;
    uint8_t *data;
    size_t capacity, size;
} roll_state;

typedef struct tick_hash {
    uint64_t tick; // 0: none
    uint64_t hash;
} tick_hash;

// What is known of a player, whichever line it comes by.
typedef struct roll_player {
    input_stream inputs;
    bool has_clock;
    uint64_t tick;          // that it has simulated, as far as is known
    int64_t ahead;          // ticks that we were ahead of that when it came
    int64_t offset;         // ticks that we are ahead of it, smoothed, in thousandths
    kn_close_reason reason; // why it is gone
    bool is_ended;          // the host knows that it has left
    tick_hash early[HASHES_EARLY];
    uint32_t early_count;
    bool is_desynced;
    uint64_t dump_wanted; // tick; 0: none
    uint64_t dump_given;
} roll_player;

// What a player said about who is gone.
typedef struct roll_view {
    uint32_t mask;
    uint64_t have[PLAYERS];
} roll_view;

typedef enum roll_phase {
    ROLL_WAITING,
    ROLL_PLAYING,
    ROLL_CLOSED,
} roll_phase;

struct kn_rollback {
    kn_rollback_def def;
    roll_phase phase;
    kn_close_reason reason;
    bool is_leaving;
    roll_hello hello;
    kn_time base; // simulated time of tick 0
    roll_line lines[LINES_MAX];
    roll_player players[PLAYERS]; // by number - 1
    input_stream *streams[PLAYERS];

    session_clock time;
    kn_time begun; // at the first call
    kn_time now;   // at the last update
    kn_time clock; // from tick 0 on, as it passes here
    int32_t speed_ppm;

    uint64_t tick;      // simulated last
    uint64_t confirmed; // up to here all commands are known
    uint64_t changed;   // commands arrived for this tick, which was simulated without; UINT64_MAX
    bool is_torn;       // the world is not at `tick`
    roll_state *ring;   // by tick
    uint32_t ring_count;
    uint32_t next_sequence;
    tick_hash hashes[HASHES];
    roll_state checkpoints[CHECKPOINTS];
    roll_state blamed; // the state at the tick of a difference

    uint32_t gone; // mask of players who left, or are about to
    kn_time gone_at;
    roll_view views[PLAYERS];
    uint32_t owes_view;             // mask of players
    uint32_t owes_end[LINES_MAX];   // to spectators, by line: mask of players
    bool wants_start[LINES_MAX];    // spectators that need a state
    uint32_t saves_wanted[PLAYERS]; // by a relay, for these spectators
    uint32_t save_wanted_count;

    report_list reports; // of the ticks after `confirmed`
    report_list fresh;   // of the same ticks, simulated again
    roll_events events;
    uint8_t *scratch;
    kn_command_data command;
    uint8_t plain[COMMAND_BYTES]; // a command that is not packed
    kn_rollback_stats stats;
};

static inline bool kni_roll_is_spectator(const kn_rollback *r)
{
    return r->def.player == 0;
}

static inline bool kni_roll_has_relay(const kn_rollback *r)
{
    return r->lines[KN_ROLLBACK_RELAY].state != LINE_FREE;
}

// Whether a line leads to a spectator of this player.
static inline bool kni_roll_is_watched(const kn_rollback *r, uint32_t peer)
{
    return peer > r->def.player_count;
}

static inline bool kni_roll_is_gone(const kn_rollback *r, uint32_t player)
{
    return (r->gone >> (player - 1) & 1) != 0;
}

// Running (rollback_run.c).
kn_result kni_state_keep(kn_rollback *r, roll_state *state, uint64_t tick);
kn_result kni_state_restore(kn_rollback *r, const roll_state *state);
roll_state *kni_roll_state(kn_rollback *r, uint64_t tick);
// The last tick of which the commands of all others are known; with those of the own player.
uint64_t kni_roll_known(const kn_rollback *r, bool with_own);
// How many commands from a tick on make no sense.
uint32_t kni_roll_senseless(kn_rollback *r, const input_stream *inputs, uint64_t from);
// Simulates again what lacked commands.
kn_result kni_roll_back(kn_rollback *r);
// Simulates the next tick.
kn_result kni_roll_forward(kn_rollback *r);
// Notes up to where all commands are known, and sends hashes.
void kni_roll_confirm(kn_rollback *r);
// The state of a snapshot as a save; free it with kn_memory_free().
kn_result kni_roll_save(
    kn_rollback *r, const roll_state *state, size_t front, uint8_t **bytes, size_t *size);
void kni_state_free(kn_rollback *r, roll_state *state);

// Who is gone (rollback_peers.c).
void kni_roll_gone(kn_rollback *r, uint32_t player, kn_close_reason reason);
void kni_view_read(kn_rollback *r, uint32_t player, kn_reader *in);
// Sends what is owed, and decides about those who are gone.
kn_result kni_roll_agree(kn_rollback *r, kn_time now);
// A player has left, with its last tick.
kn_result kni_roll_ended(kn_rollback *r, uint32_t player, uint64_t tick, kn_close_reason reason);
void kni_end_read(kn_rollback *r, kn_reader *in);

// Comparing states (rollback_hash.c).
void kni_hash_send(kn_rollback *r, uint64_t tick, uint64_t hash);
void kni_hash_read(kn_rollback *r, uint32_t peer, kn_reader *in);
void kni_hash_check(kn_rollback *r, uint64_t tick, uint64_t hash);
kn_result kni_dump_wanted_read(kn_rollback *r, uint32_t peer, kn_reader *in);
kn_result kni_dump_read(kn_rollback *r, uint32_t peer, kn_reader *in);

// Spectators (rollback_watch.c).
kn_result kni_watch_feed(kn_rollback *r);
kn_result kni_start_read(kn_rollback *r, kn_reader *in);
void kni_save_wanted_read(kn_rollback *r, kn_reader *in);

// The session itself (rollback.c).
void kni_roll_event(kn_rollback *r, kn_rollback_event event, const char *text);
void kni_roll_close(kn_rollback *r, kn_close_reason reason);
void kni_roll_bad(kn_rollback *r, uint32_t peer);
// The line of a spectator of this player ends.
void kni_spectator_close(kn_rollback *r, uint32_t peer, kn_close_reason reason);

#endif
