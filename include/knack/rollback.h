// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Rollback sessions: 2 to 8 players; every machine simulates everything, and only commands travel.
/// For fighting games and small matches. Part of knack::net. docs/rollback.md is the guide.
///
/// Like all sessions (session.h) a rollback session is a state machine: datagrams and the present
/// time go in, datagrams come out; there is no socket, thread or clock inside. Each player creates
/// the same world with the same library, and a session for it:
///
///   kn_rollback_def def = kn_rollback_def_default();
///   def.world = world;
///   def.player_count = 2;
///   def.player = 1; // the other machine has 2
///   result = kn_rollback_create(&def, &rollback);
///   result = kn_rollback_open(rollback, now, 2); // the line to player 2
///
/// and once per frame:
///
///   while (receive(&peer, buffer, &size)) {
///       (void)kn_rollback_receive(rollback, now, peer, buffer, size);
///   }
///   result = kn_rollback_command(rollback, &command, NULL); // what the player does
///   result = kn_rollback_update(rollback, now);
///   while (kn_rollback_next_event(rollback, &event)) { ... } // what happened, or did not after
///   all for each open peer:
///       while (kn_rollback_write(rollback, now, peer, buffer, capacity, &size) == KN_OK) {
///           send(peer, buffer, size);
///       }
///
/// **Lines.** Either every player opens a line to every other (a mesh), or each opens one line to a
/// relay (KN_ROLLBACK_RELAY) and some server runs a `kn_relay`, which forwards commands and has no
/// world. Spectators open a line to the relay, or to one of the players.
///
/// **Time.** Tick n is at n * 1,000,000 / rate microseconds, rounded down, on all machines; tick 0
/// is the world as it was given. A command that is given while kn_rollback_tick() is n is carried
/// out in tick n + `input_delay` on all machines, in the order of players, then of the commands of
/// each. Machines run up to 5 % faster or slower, so that none is ahead of the others for long.
///
/// **Prediction.** Commands say what changes: a button is pressed, a button is released. That it is
/// held is state of the world. So "no command" is what continues the last input of a player, and
/// this is what is predicted for every player whose commands for a tick have not arrived yet. When
/// commands arrive for a tick that was simulated without them, the session restores its snapshot of
/// the tick before, and simulates again. A machine stops (KN_ROLLBACK_STALLED) rather than simulate
/// more than `window` ticks beyond the last one of which it has the commands of all players.
///
/// **The world** belongs to the host and must not be changed but by commands: change it, and the
/// machines differ, which the session notices by hashes and reports as KN_ROLLBACK_DESYNC. Create
/// it with the defaults of `is_client` and `connection` on all machines, and give each player's
/// entities the number of the player with kn_entity_set_connection(). Its listeners hear every tick
/// that is simulated, those that are simulated again too: use kn_rollback_next_event().
///
/// **Trust.** Every player knows the whole state. What players say is checked for sizes, ticks and
/// numbers; commands are carried out for the player on whose line they came. But a modified program
/// may simulate what it likes on its own machine, and in a mesh any player can say that another one
/// is silent. Among strangers use a relay, or a server that decides (session.h).
#ifndef KNACK_ROLLBACK_H
#define KNACK_ROLLBACK_H

#include "knack/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rollback session of a player or spectator. Created by kn_rollback_create(). It belongs to one
/// thread at a time.
typedef struct kn_rollback kn_rollback;
/// Forwards the commands of a rollback session. Created by kn_relay_create(). It belongs to one
/// thread at a time.
typedef struct kn_relay kn_relay;

/// Version of the protocol between players, spectators and relays. Others are refused.
#define KN_ROLLBACK_VERSION 2
/// The most players of a session.
#define KN_ROLLBACK_PLAYERS_MAX 8
/// The most spectators of a player or relay.
#define KN_ROLLBACK_SPECTATORS_MAX 64
/// The longest `input_delay`, in ticks.
#define KN_ROLLBACK_DELAY_MAX 15
/// The largest `window`, in ticks.
#define KN_ROLLBACK_WINDOW_MAX 60
/// The most commands of a player in one tick.
#define KN_ROLLBACK_COMMANDS_MAX 16
/// The number of the relay among the peers of a session.
#define KN_ROLLBACK_RELAY 0

/// Called before the first tick that lacks a player who has left, so that all machines do the same
/// about it in the same tick: remove its hero, give it to a bot. Called again whenever that tick is
/// simulated again. A rule: it may change the world, must be deterministic, and keeps no state
/// outside the world.
typedef void kn_rollback_left_fn(void *user, kn_world *world, uint32_t player);

/// How to create a session. Start from kn_rollback_def_default(); copied by kn_rollback_create().
/// All players and spectators need the same `protocol_id`, `rate`, `player_count`, `hash_every`,
/// `datagram_bytes` and `save_bytes`; the rest is up to each.
typedef struct kn_rollback_def {
    kn_hooks hooks; ///< memory and log of the session; all-zero for malloc and stderr
    /// The world that the session steps, restores and saves; required. It belongs to the host and
    /// must outlive the session. For a player its present state is the start of the match, equal on
    /// all machines; that of a spectator is replaced.
    kn_world *world;
    uint64_t protocol_id;     ///< number that names the game and its version; default 0
    uint32_t rate;            ///< ticks per second, KN_SESSION_RATE_MIN to _MAX; default 60
    uint32_t player_count;    ///< number of players, 2 to KN_ROLLBACK_PLAYERS_MAX; default 2
    uint32_t player;          ///< the player at this machine, from 1; 0: a spectator; default 1
    uint32_t spectator_limit; ///< most spectators with a line to this player; default 4
    /// Ticks from the present one to the one in which commands are carried out, 1 to
    /// KN_ROLLBACK_DELAY_MAX; default 2. 1: in the next tick. More of them hide more of the
    /// latency, so that less has to be simulated again.
    uint32_t input_delay;
    /// Most ticks that are simulated beyond the last one of which all commands are known, 0 to
    /// KN_ROLLBACK_WINDOW_MAX; default 12. 0: nothing is predicted.
    uint32_t window;
    /// Ticks from one comparison of hashes to the next, 1 to 65535; 0: never; default 60.
    uint32_t hash_every;
    /// Whether players whose hashes differ exchange their states, to name the first difference
    /// (KN_ROLLBACK_BLAME); default true.
    bool explains;
    /// Whether players that are silent for `timeout` are waited for, until the host drops them with
    /// kn_rollback_drop(); default false: the others go on without them. With a relay the `waits`
    /// of the relay counts.
    bool waits;
    kn_time timeout;         ///< how long a peer may be silent; default 5 s
    kn_time spectator_delay; ///< how far a spectator stays behind, to play smoothly; default 100 ms
    uint32_t datagram_bytes; ///< largest datagram, 512 to KN_NET_LINK_DATAGRAM_MAX; default 1200
    uint32_t send_every;     ///< ticks from one datagram to the next, 1 to 8; default 1
    size_t save_bytes;       ///< largest save that is sent or accepted, in bytes; default 4 MiB
    kn_rollback_left_fn *left; ///< called when a player has left; may be NULL
    void *user;                ///< passed to `left`
    uint32_t cookie;           ///< set by kn_rollback_def_default(); do not change it
} kn_rollback_def;

/// A def with the defaults named above, and no world.
KN_API kn_rollback_def kn_rollback_def_default(void);
/// Creates a session. The present time of its world becomes tick 0.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, without a world, or
///         with a number out of range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rollback_create(const kn_rollback_def *def, kn_rollback **rollback);
/// Destroys a session without a word to the others; the world stays. NULL is ignored.
KN_API void kn_rollback_destroy(kn_rollback *rollback);

/// Opens the line to a peer.
/// @param peer the number of a player, KN_ROLLBACK_RELAY, or `player_count` + 1 to `player_count` +
///        `spectator_limit` for spectators of this player. A spectator opens one line: to the relay
///        or to a player
/// @return KN_OK; KN_REFUSED_DUPLICATE for a line that is open; KN_REFUSED_BLOCKED for a relay
///         beside players or more than one line of a spectator, and when the session is closed;
///         KN_ERROR_INVALID_ARGUMENT for another number, or the own one; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rollback_open(kn_rollback *rollback, kn_time now, uint32_t peer);
/// Closes the line of a spectator, and tells it. It stays until the spectator has heard it or a
/// second is over; then its number is free again. False if no spectator has this number.
KN_API bool kn_rollback_close(kn_rollback *rollback, uint32_t peer);
/// Takes a datagram of a peer.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a line that is not open; what kn_net_link_read() returns
///         for a bad datagram, which is counted and changes nothing; KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_rollback_receive(
    kn_rollback *rollback, kn_time now, uint32_t peer, const void *bytes, size_t size);
/// Goes on to the present: simulates again what lacked commands that have arrived, and runs the
/// ticks that are due. When it fails, nothing is lost: the next update tries again.
/// @return KN_OK; what kn_world_step(), kn_snapshot_take() and kn_snapshot_restore() returned;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rollback_update(kn_rollback *rollback, kn_time now);
/// Gives the next datagram for a peer.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is nothing to send now, or no such line;
///         KN_ERROR_BUFFER_TOO_SMALL for a capacity below `datagram_bytes`; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rollback_write(
    kn_rollback *rollback, kn_time now, uint32_t peer, void *buffer, size_t capacity, size_t *size);

/// Gives a command of the player at this machine. It is carried out in tick kn_rollback_tick() +
/// `input_delay` on all machines; its connection becomes the number of the player, and its sequence
/// is filled in. Ids in it are those of this world: all worlds have the same.
/// @return KN_OK; KN_REFUSED_BLOCKED for a spectator, before the start and after the end;
///         KN_REFUSED_LIMIT for more than KN_ROLLBACK_COMMANDS_MAX in one tick, or more than fit
///         into a datagram; what kn_command_check() returns; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_rollback_command(
    kn_rollback *rollback, const kn_command *command, kn_error *error);
/// Drops a player, as if it had been silent for too long: for hosts that wait (`waits`). The others
/// follow. False for a player who has left, the own one, with a relay (kn_relay_drop()), and for
/// spectators.
KN_API bool kn_rollback_drop(kn_rollback *rollback, uint32_t player);
/// Leaves the match, and tells the others. Go on writing for a second, or until nothing is left to
/// send.
KN_API void kn_rollback_leave(kn_rollback *rollback);

/// Kinds of kn_rollback_event.
typedef enum kn_rollback_event_kind {
    KN_ROLLBACK_JOINED,  ///< `peer` is there and plays the same match; a spectator too
    KN_ROLLBACK_STARTED, ///< all players are there: tick 1 comes. A spectator: it has a state
    /// A player has left: `tick` is the last one with its commands, the same on all machines;
    /// `reason` says why. For a spectator of this player: its line is closed.
    KN_ROLLBACK_LEFT,
    KN_ROLLBACK_SILENT,  ///< `peer` was silent for `timeout`; see kn_rollback_def.waits
    KN_ROLLBACK_STALLED, ///< nothing is simulated until commands of `peer` arrive
    KN_ROLLBACK_RESUMED, ///< the wait is over
    /// Something happened in the world, at `tick`: `event` says what. Each thing is reported once,
    /// however often its tick is simulated. `is_late`: it belongs to a tick that was reported
    /// before, since commands for it arrived late.
    KN_ROLLBACK_HAPPENED,
    /// What was reported as KN_ROLLBACK_HAPPENED was predicted wrong: it did not happen.
    KN_ROLLBACK_REVOKED,
    /// The hashes of this machine and of `peer` differ at `tick`: `hash` and `other_hash`. Reported
    /// once, until they are equal again.
    KN_ROLLBACK_DESYNC,
    /// The first difference between the states at `tick` of this machine and of `peer`, as
    /// kn_world_difference() writes it, is in `text`.
    KN_ROLLBACK_BLAME,
    KN_ROLLBACK_CLOSED, ///< the session has ended for this machine, see `reason`
} kn_rollback_event_kind;

/// Something for the host.
typedef struct kn_rollback_event {
    kn_rollback_event_kind kind; ///< what it is
    uint32_t peer;               ///< the player or spectator it is about; 0 for none
    uint64_t tick;               ///< the tick that it belongs to
    bool is_late;                ///< KN_ROLLBACK_HAPPENED: see there
    kn_event event; ///< KN_ROLLBACK_HAPPENED, _REVOKED; causes of it cannot be looked up any more
    kn_close_reason reason; ///< KN_ROLLBACK_LEFT, _CLOSED: why
    uint64_t hash;          ///< KN_ROLLBACK_DESYNC: hash of this machine
    uint64_t other_hash;    ///< KN_ROLLBACK_DESYNC: hash of the peer
    /// KN_ROLLBACK_BLAME: a sentence; NULL for other kinds. Valid until the next call of the
    /// session.
    const char *text;
} kn_rollback_event;

/// Gives the next event. False if there is none.
KN_API bool kn_rollback_next_event(kn_rollback *rollback, kn_rollback_event *event);

/// The tick that was simulated last; 0 before the first.
KN_API uint64_t kn_rollback_tick(const kn_rollback *rollback);
/// The last simulated tick of which all commands are known: it does not change any more.
KN_API uint64_t kn_rollback_confirmed(const kn_rollback *rollback);
/// Whether the match has started.
KN_API bool kn_rollback_is_started(const kn_rollback *rollback);
/// Why the session has ended; KN_CLOSE_NONE while it has not.
KN_API kn_close_reason kn_rollback_closed(const kn_rollback *rollback);

/// What a session measured so far.
typedef struct kn_rollback_stats {
    uint64_t rollbacks;       ///< times that ticks were simulated again
    uint64_t resimulated;     ///< ticks that were simulated again
    uint32_t depth_max;       ///< most ticks that were simulated again at once
    uint64_t stalls;          ///< times that there was nothing to simulate for lack of commands
    kn_time stalled_time;     ///< how long these took together
    bool is_stalled;          ///< whether it waits now
    int32_t speed_ppm;        ///< how much faster than the clock ticks run, in millionths
    int32_t ahead_milliticks; ///< ticks that this machine is ahead of the others' mean, thousandths
    uint64_t revoked;         ///< events that were revoked
    uint64_t hashes;          ///< hashes of others that were compared
    uint64_t desyncs;         ///< of them, those that differed
    uint64_t commands;        ///< commands of all players that arrived, or were given here
    uint64_t resyncs;         ///< times that a spectator got another state, because it fell behind
    uint64_t foreign;         ///< parts of payloads that spoke for somebody else; dropped
    uint64_t bad;             ///< payloads, messages and commands that made no sense
} kn_rollback_stats;

/// What was measured so far; all-zero for NULL.
KN_API kn_rollback_stats kn_rollback_get_stats(const kn_rollback *rollback);
/// Datagrams and round trips on the line to a peer; all-zero for a line that is not open.
KN_API kn_net_link_stats kn_rollback_get_link_stats(const kn_rollback *rollback, uint32_t peer);

// The relay --------------------------------------------------------------------

/// How to create a relay. Start from kn_relay_def_default(); copied by kn_relay_create().
typedef struct kn_relay_def {
    kn_hooks hooks;           ///< memory and log of the relay; all-zero for malloc and stderr
    uint64_t protocol_id;     ///< the same as the players'; default 0
    uint32_t rate;            ///< the same as the players'; default 60
    uint32_t player_count;    ///< the same as the players'; default 2
    uint32_t spectator_limit; ///< most spectators, at most KN_ROLLBACK_SPECTATORS_MAX; default 16
    bool waits; ///< whether silent players are waited for, until kn_relay_drop(); default false
    kn_time timeout;         ///< how long a player may be silent; default 5 s
    uint32_t datagram_bytes; ///< the same as the players'; default 1200
    uint32_t send_every;     ///< ticks from one datagram to the next, 1 to 8; default 1
    size_t save_bytes;       ///< largest save that is passed on, in bytes; default 4 MiB
    uint32_t cookie;         ///< set by kn_relay_def_default(); do not change it
} kn_relay_def;

/// A def with the defaults named above.
KN_API kn_relay_def kn_relay_def_default(void);
/// Creates a relay. It needs no world and no library: it forwards commands unread.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or with a number out of
///         range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_relay_create(const kn_relay_def *def, kn_relay **relay);
/// Destroys a relay without a word to the players. NULL is ignored.
KN_API void kn_relay_destroy(kn_relay *relay);

/// Opens the line to a player, or a spectator. Who is which player is up to the host, such as by
/// what its matchmaking put into a token: the number that a player gives itself has to be the same.
/// @param peer 1 to `player_count` for players, `player_count` + 1 to `player_count` +
///        `spectator_limit` for spectators
/// @return KN_OK; KN_REFUSED_DUPLICATE for a line that is open; KN_REFUSED_BLOCKED for a player who
///         has left; KN_ERROR_INVALID_ARGUMENT for another number; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_relay_open(kn_relay *relay, kn_time now, uint32_t peer);
/// Takes a datagram of a peer. Results as kn_rollback_receive().
KN_API kn_result kn_relay_receive(
    kn_relay *relay, kn_time now, uint32_t peer, const void *bytes, size_t size);
/// Notices who is silent, and closes lines that are over.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY, and the next update tries again
KN_API KN_MUST_USE kn_result kn_relay_update(kn_relay *relay, kn_time now);
/// Gives the next datagram for a peer. Results as kn_rollback_write().
KN_API KN_MUST_USE kn_result kn_relay_write(
    kn_relay *relay, kn_time now, uint32_t peer, void *buffer, size_t capacity, size_t *size);
/// Drops a player, or closes the line of a spectator, and tells everybody. False if it is not
/// there.
KN_API bool kn_relay_drop(kn_relay *relay, uint32_t peer);
/// Gives the next event: KN_ROLLBACK_JOINED, _STARTED, _LEFT and _SILENT only. False if there is
/// none.
KN_API bool kn_relay_next_event(kn_relay *relay, kn_rollback_event *event);

/// What a relay counted of one peer.
typedef struct kn_relay_stats {
    bool is_joined;         ///< it is there
    kn_net_link_stats link; ///< datagrams and round trips
    uint64_t received;      ///< for players: the last tick of which its commands have arrived
    uint64_t resyncs;       ///< for spectators: states that it got, beside the first
    uint64_t bad;           ///< messages and payloads that made no sense, or spoke for others
} kn_relay_stats;

/// What was counted of a peer; all-zero for a line that is not open.
KN_API kn_relay_stats kn_relay_get_stats(const kn_relay *relay, uint32_t peer);

#ifdef __cplusplus
}
#endif

#endif
