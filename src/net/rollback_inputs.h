// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The commands of players by tick, and how they travel.
#ifndef KNI_ROLLBACK_INPUTS_H
#define KNI_ROLLBACK_INPUTS_H

#include "wire.h"

#include "knack/rollback.h"

#define INPUT_HISTORY 512 // ticks that are kept
#define INPUT_SPARE 64
#define COMMAND_BYTES (KN_COMMAND_BYTES_MAX + 256) // at most, of one command
#define PLAYERS KN_ROLLBACK_PLAYERS_MAX
#define LINE_BAD_MAX 200        // things that make no sense, until a line is closed
#define LINE_FOREIGN_MAX 2000   // parts that speak for others, until a line is closed
#define LINE_CLOSE_TIME 1000000 // a line that is being closed is written to for so long
#define LINE_BURST_MAX 4        // datagrams with commands in one turn
#define LINE_JUMP_MAX 250000    // most time that passes between two calls: then the host slept
#define LINE_HEADER_MAX 192     // bytes of a datagram besides commands and messages
#define LINE_DATAGRAM_MIN 512
#define AHEAD_UNKNOWN INPUT_HISTORY // in place of how far somebody is ahead
#define TICK_MAX ((uint64_t)1 << 40)

// The commands of one player in one tick, as they travel: size and bytes of each.
typedef struct input_slot {
    uint8_t *bytes;
    uint32_t size, capacity;
    uint32_t sequence; // of the first
    uint32_t count;
} input_slot;

// The commands of one player. The slot behind `have` is open: it is empty, or those of the own
// player are put into it.
typedef struct input_stream {
    uint64_t from;     // ticks after this one were never kept here
    uint64_t have;     // all ticks up to this one are known
    uint64_t end;      // the last tick that the player has commands for; UINT64_MAX while it plays
    uint32_t slot_max; // most bytes of one tick
    input_slot slots[INPUT_HISTORY];
    input_slot spare[INPUT_SPARE]; // memory of slots that are empty again
    uint32_t spare_count;
} input_stream;

// Most bytes of the commands of one tick, so that they fit into a datagram with all else.
static inline uint32_t kni_slot_max(uint32_t datagram_bytes)
{
    return datagram_bytes - kni_message_share(datagram_bytes) - LINE_HEADER_MAX;
}

// Makes a stream begin behind a tick; what was there is forgotten.
void kni_stream_begin(input_stream *stream, uint64_t tick);
void kni_stream_free(const kn_hooks *hooks, input_stream *stream);
// The last tick that is known: UINT64_MAX once all up to the end are.
uint64_t kni_stream_known(const input_stream *stream);
// The first tick that is kept.
uint64_t kni_stream_first(const input_stream *stream);
// The slot of a tick; NULL if it is not known, not kept or without commands.
const input_slot *kni_stream_slot(const input_stream *stream, uint64_t tick);
// Adds a command to the open slot.
kn_result kni_stream_add(const kn_hooks *hooks, input_stream *stream, const uint8_t *bytes,
    uint32_t size, uint32_t sequence);
// Bytes of commands in the open slot, and how many commands.
uint32_t kni_stream_open_size(const input_stream *stream);
uint32_t kni_stream_open_count(const input_stream *stream);
// The open slot is complete.
void kni_stream_close(input_stream *stream);

// Writes as many ticks as fit, from `first` to at most `last`. Returns the last that was written;
// `first` - 1 for none, and then nothing was written.
uint64_t kni_stream_write(
    const input_stream *stream, kn_writer *out, uint64_t reference, uint64_t first, uint64_t last);

// What kni_stream_read() found.
typedef struct stream_news {
    uint64_t first;    // tick of the first command that is new; UINT64_MAX for none
    uint64_t commands; // that are new
} stream_news;

// Reads ticks into a stream, those that follow what it has, up to `limit`; others are skipped. A
// NULL stream skips all. What makes no sense fails the reader.
kn_result kni_stream_read(const kn_hooks *hooks, input_stream *stream, kn_reader *in,
    uint64_t reference, uint64_t limit, stream_news *news);

// Messages ------------------------------------------------------------------------

enum {
    ROLL_HELLO = 1,   // see roll_hello
    ROLL_CLOSE,       // reason
    ROLL_LEAVE,       //
    ROLL_BEGIN,       // of a relay: all players are there
    ROLL_START,       // to a spectator: tick, mask of players that have left, their ticks, save
    ROLL_VIEW,        // mask of players that are gone, and for each reason and last tick known here
    ROLL_END,         // a player has left: player, last tick, reason
    ROLL_HASH,        // player, tick, hash
    ROLL_DUMP_WANTED, // to, from, tick
    ROLL_DUMP,        // to, from, tick, save
    ROLL_SAVE_WANTED, // of a relay: number of the spectator
    ROLL_SAVE,        // number of the spectator, tick, save
};

// What everybody says first.
typedef struct roll_hello {
    uint64_t version, library, start;
    uint64_t rate, player_count, hash_every;
    uint64_t player; // 0: a spectator
} roll_hello;

void kni_hello_write(kn_writer *out, const roll_hello *hello);
void kni_hello_read(kn_reader *in, roll_hello *hello);

// Payloads -------------------------------------------------------------------------

// How far somebody is. On the line to a player: the tick of the sender, and how many ticks it was
// ahead of what it had heard of the receiver. To a relay: the same for each player. From a relay:
// what each player said about the receiver.
typedef struct roll_clock {
    uint64_t tick;
    int64_t ahead;
} roll_clock;

// All of a payload but the commands. Masks have a bit for each player, from player 1.
typedef struct roll_payload {
    uint64_t reference; // others are written as the difference from this tick
    uint32_t acks, clocks;
    uint64_t have[PLAYERS];
    roll_clock clock[PLAYERS];
} roll_payload;

void kni_roll_payload_write(kn_writer *out, const roll_payload *payload);
// Fails the reader for what makes no sense.
void kni_roll_payload_read(kn_reader *in, roll_payload *payload);

// Lines ----------------------------------------------------------------------------

typedef enum line_state {
    LINE_FREE,
    LINE_OPEN, // waits for a hello
    LINE_JOINED,
    LINE_CLOSING, // the other side has yet to hear of it
} line_state;

// The line to a player, a spectator or a relay.
typedef struct roll_line {
    line_state state;
    kn_net_link *link;
    kn_time opened; // or when it began to close
    kn_time written_at;
    uint64_t written_tick;
    uint32_t burst;  // datagrams since
    bool is_partial; // not all commands fitted
    kn_close_reason reason;
    bool owes_close; // there was no room for the message
    bool is_silent;  // and the host knows
    uint32_t bad, foreign;
    uint64_t acked[PLAYERS];  // it has the commands up to this tick
    uint64_t cursor[PLAYERS]; // written in this turn up to this tick
} roll_line;

typedef struct line_def {
    kn_hooks hooks;
    uint64_t protocol_id;
    uint32_t datagram_bytes;
    size_t save_bytes;
} line_def;

kn_result kni_line_open(roll_line *line, const line_def *def, kn_time now);
void kni_line_free(roll_line *line);
// Closes a line; the other side is sent the reason, unless it is KN_CLOSE_LEFT.
void kni_line_close(roll_line *line, kn_time now, kn_close_reason reason);
// Sends a message of a kind.
kn_result kni_line_send(roll_line *line, const void *bytes, size_t size);
// When something was last heard.
kn_time kni_line_heard(const roll_line *line);
// Whether a datagram has to be written now. `tick` and `interval` say when commands are due.
bool kni_line_is_due(roll_line *line, kn_time now, uint64_t tick, uint32_t send_every,
    kn_time interval, bool *has_payload);
// Writes the commands of the streams in `mask`, each up to `last`, and notes what did not fit.
void kni_line_inputs(roll_line *line, kn_writer *out, input_stream *const *streams, uint32_t mask,
    const uint64_t *last, uint64_t reference);
kn_result kni_line_write(roll_line *line, kn_time now, const void *payload, size_t payload_size,
    void *buffer, size_t capacity, size_t *size);
// Takes acknowledgements. False if they make no sense: only of the players in `shared` the other
// side can have more than we have.
bool kni_line_acked(roll_line *line, const roll_payload *payload, input_stream *const *streams,
    uint32_t count, uint32_t shared);

// Time of the session: neither back nor far forward at once, so that a machine that slept does not
// take the others for silent.
kn_time kni_roll_clock(session_clock *clock, kn_time now);

// Events ---------------------------------------------------------------------------

typedef struct roll_event {
    kn_rollback_event event;
    char *text;
    uint32_t text_size;
} roll_event;

typedef struct roll_events {
    roll_event *data;
    uint32_t first, count, capacity;
    roll_event given; // the last that was given out
} roll_events;

// Makes room for events, so that adding them cannot fail.
kn_result kni_events_reserve(const kn_hooks *hooks, roll_events *events, uint32_t count);
kn_result kni_events_add(
    const kn_hooks *hooks, roll_events *events, kn_rollback_event event, const char *text);
bool kni_events_next(const kn_hooks *hooks, roll_events *events, kn_rollback_event *event);
void kni_events_free(const kn_hooks *hooks, roll_events *events);

#endif
