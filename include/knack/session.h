// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Sessions: a server that decides, and clients that run the same rules a little ahead of it and
/// correct themselves. Part of knack::net.
///
/// Both are state machines. Datagrams and the present time go in, datagrams come out; there is no
/// socket, thread or clock inside. What carries the datagrams is up to the host: knack::udp,
/// knack::websocket, a relay of a store, or a simulated network (net_sim.h). A server, once per
/// turn of its host:
///
///   while (receive(&connection, buffer, &size)) {
///       (void)kn_server_receive(server, now, connection, buffer, size);
///   }
///   result = kn_server_update(server, now);
///   while (kn_server_next_event(server, &event)) { ... } // players come and go
///   for each connection:
///       while (kn_server_write(server, now, connection, buffer, capacity, &size) == KN_OK) {
///           send(connection, buffer, size);
///       }
///
/// and a client, once per frame:
///
///   while (receive(buffer, &size)) {
///       (void)kn_client_receive(client, now, buffer, size);
///   }
///   result = kn_client_update(client, now);
///   while (kn_client_next_event(client, &event)) { ... } // what happened, or did not after all
///   while (kn_client_write(client, now, buffer, capacity, &size) == KN_OK) {
///       send(buffer, size);
///   }
///
/// The host keeps connections apart: a datagram for one must not reach another, such as that of a
/// player who left and came back. Clocks of hosts may jump: time that goes back counts as none.
///
/// Time is divided into ticks: tick n is at n * 1,000,000 / rate microseconds, rounded down, on
/// both sides. A client is ahead of its server by as much as its commands need to arrive in time.
/// It keeps what the server confirmed, and its commands since; when the server's state for a tick
/// differs from its own, it goes back there, takes what the server says, and simulates forward
/// again.
///
/// The server sends an entity when it changed in a way that a client cannot compute by itself;
/// ticks and ends of effects, and cooldowns, are not sent.
#ifndef KNACK_SESSION_H
#define KNACK_SESSION_H

#include "knack/knack.h"
#include "knack/link.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A server session. Created by kn_server_create(). It belongs to one thread at a time.
typedef struct kn_server kn_server;
/// A client session. Created by kn_client_create(). It belongs to one thread at a time.
typedef struct kn_client kn_client;

/// Version of the protocol between clients and servers. Others are refused.
#define KN_SESSION_VERSION 3
/// Most bytes that a client may say about itself when it joins.
#define KN_SESSION_HELLO_MAX 1024
/// The lowest number of ticks per second.
#define KN_SESSION_RATE_MIN 10
/// The highest number of ticks per second.
#define KN_SESSION_RATE_MAX 128

/// Who receives the effects of an entity. Attributes, tags and cues go to everybody who may see
/// them, in every mode.
typedef enum kn_sync_mode {
    KN_SYNC_MODE_FULL,    ///< everybody
    KN_SYNC_MODE_MIXED,   ///< the connection that controls the entity
    KN_SYNC_MODE_MINIMAL, ///< nobody
    KN_SYNC_MODE_COUNT,   ///< number of the values above
} kn_sync_mode;

/// Why a connection ended.
typedef enum kn_close_reason {
    KN_CLOSE_NONE,      ///< it has not ended
    KN_CLOSE_HOST,      ///< the host of this side closed it
    KN_CLOSE_LEFT,      ///< the other side closed it
    KN_CLOSE_TIMEOUT,   ///< nothing was heard for too long
    KN_CLOSE_VERSION,   ///< the other side speaks another version of the protocol
    KN_CLOSE_LIBRARY,   ///< the other side has another library
    KN_CLOSE_FULL,      ///< the server has no room
    KN_CLOSE_REFUSED,   ///< the host of the server did not let the player in
    KN_CLOSE_ABUSE,     ///< the other side sent too much that makes no sense
    KN_CLOSE_REPLACED,  ///< another connection of the same player took over
    KN_CLOSE_DUPLICATE, ///< the player is connected already
    KN_CLOSE_SETTINGS,  ///< the other side of a rollback session has other settings
    KN_CLOSE_WORLD,     ///< the other side of a rollback session begins with another world
    KN_CLOSE_COUNT,     ///< number of the values above
} kn_close_reason;

/// Most bytes of the text that goes along with a reason, with its final zero.
#define KN_CLOSE_TEXT_MAX 160

/// A reason as a word, such as "timeout". Valid forever.
KN_API const char *kn_close_reason_name(kn_close_reason reason);

// The server -----------------------------------------------------------------

/// Decides who may play. `hello` is what the client says about itself (kn_client_def.hello); it
/// comes from outside and is not trusted.
/// @return true to let it in
typedef bool kn_server_accept_fn(
    void *user, uint32_t connection, const void *hello, uint32_t hello_size);
/// What the host of a server decides about somebody who wants to play.
typedef struct kn_server_admission {
    bool is_accepted; ///< let it in; default true
    /// Watches only: it sees what is relevant to it, and its commands are refused; default false.
    bool is_spectator;
    /// Who it is, as the host knows its players, from something that was proved, such as the token
    /// of knack::udp: a player who comes back is recognised by it. Default 0: nobody in particular.
    uint64_t player;
    /// If it is not accepted: why, for its player; default "".
    char text[KN_CLOSE_TEXT_MAX];
} kn_server_admission;
/// Decides who may play, and who it is. `hello` comes from outside and is not trusted. `admission`
/// has its defaults, and is to be changed. Called after `accept`, if there is one.
typedef void kn_server_admit_fn(void *user, uint32_t connection, const void *hello,
    uint32_t hello_size, kn_server_admission *admission);

/// What happens when a player who is connected connects once more.
typedef enum kn_second_connection {
    /// The new connection gets everything, and the old one ends with KN_CLOSE_REPLACED.
    KN_SECOND_REPLACES,
    KN_SECOND_REFUSED, ///< the new connection ends with KN_CLOSE_DUPLICATE
    KN_SECOND_COUNT,   ///< number of the values above
} kn_second_connection;

/// Decides whether a player sees an entity. Must be pure. Entities that the connection controls are
/// always seen, and so are avatars and parents of what is seen.
typedef bool kn_server_relevant_fn(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity);

/// The team of an entity, 1 to 2^31 - 1; 0: none. Must be pure.
typedef uint32_t kn_relevance_team_fn(void *user, const kn_world *world, kn_entity_id entity);
/// How important an entity is to a player, from 0 to 1, when not everything fits into the bytes
/// that may be sent: what has 1 comes up to a second before what has 0. Must be pure.
typedef float kn_server_importance_fn(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity);

/// Who sees what, by distance, ownership and team. A player sees what it controls, what belongs to
/// a team of something it controls, what everybody sees (kn_server_set_always()), and what is near
/// to something that it controls. `is_relevant` of the server, if there is one, is asked as well,
/// and both must agree. Spectators see from kn_server_set_eye(), and without it everything.
///
/// The cost of a look is that of what there is to see: the space is asked what is near. Teams, and
/// whether an entity has a position, are asked again when the entity changes.
typedef struct kn_relevance_rules {
    /// Distance within which an entity comes into sight; default 0: there is no such rule.
    float enter_radius;
    /// Distance beyond which it goes out of sight again, at least `enter_radius`: with some room
    /// between them, nothing comes and goes all the time.
    float leave_radius;
    /// Answers where entities are; NULL: the space of the world (kn_world_set_space()).
    const struct kn_space *space;
    kn_relevance_team_fn *team; ///< says to which team an entity belongs; may be NULL
    /// Entities without a position are seen by their owner and team only; default false: by
    /// everybody.
    bool hides_unplaced;
} kn_relevance_rules;

/// How to create a server. Start from kn_server_def_default(); copied by kn_server_create().
typedef struct kn_server_def {
    kn_hooks hooks; ///< memory and log of the server; all-zero for malloc and stderr
    /// The world that the server steps; required. It belongs to the host, who may change it between
    /// updates, and must outlive the server. Only one server may have it.
    kn_world *world;
    /// A recording of that world, or NULL, the default: commands and ticks go through it, so that
    /// kn_replay() can repeat them. Note what you do to the world between updates yourself
    /// (kn_recording_note()), and what the server gives to players who come back: take its events
    /// before each update as well. It must outlive the server.
    kn_recording *recording;
    uint64_t protocol_id; ///< number that names the game and its version; default 0
    uint32_t rate;        ///< ticks per second, KN_SESSION_RATE_MIN to _MAX; default 60
    uint32_t send_every;  ///< ticks from one datagram of state to the next, 1 to 16; default 2
    /// Most connections at once, 1 to 65535; default 64. Places that are kept for players who may
    /// come back do not count; there are at most as many.
    uint32_t connection_limit;
    uint32_t datagram_bytes; ///< largest datagram, 256 to KN_NET_LINK_DATAGRAM_MAX; default 1200
    /// Most bytes of state per second and connection, at least 1000; default 60,000. What does not
    /// fit is sent first the next time.
    uint32_t bytes_per_second;
    /// Bytes of state that may be sent at once after a quiet time, such as to a player who joins;
    /// at least `datagram_bytes`; default 120,000.
    uint32_t burst_bytes;
    /// A connection ends when nothing was heard for so long, or when it has not joined by then;
    /// default 10 s.
    kn_time timeout;
    /// Most commands per second of a connection, with bursts of as many; default 50. Those above
    /// are refused and counted.
    uint32_t command_rate;
    /// A command whose tick was longer ago when it arrives is refused; default 2 s.
    kn_time command_age;
    /// Most checksums of entities per second and connection, 0 to 1000; default 8, which costs some
    /// 60 bytes a second; 0: none. A client whose world differs, because it could not know why
    /// something went otherwise than it computed, asks for the entity again. What commands name is
    /// checked first, the rest in turn.
    uint32_t checks_per_second;
    kn_sync_mode mode; ///< of entities without one of their own; default KN_SYNC_MODE_FULL
    /// A bit for each random stream of the world that clients must not know, besides those of the
    /// library (kn_library_def.hidden_streams); default none. What draws from them cannot be
    /// predicted.
    uint64_t hidden_streams;
    /// How much later than necessary clients show others (KN_CLIENT_VIEW_DELAYED), so that there is
    /// a next place to move to, 0 to 1 s; default 100 ms. About twice the time between two
    /// datagrams of state, and the jitter, is enough.
    kn_time view_delay;
    /// How far into the past a command may see (kn_command.view), 0 to 10 s; default 250 ms; 0: no
    /// command does. The space of the world must keep it, see kn_history.
    kn_time rewind_max;
    /// How much further into the past a client may claim to have seen than is explained by its
    /// round trip with twice the deviation, `view_delay` and `send_every` + 2 ticks, 0 to 1 s;
    /// default 25 ms. What is beyond is cut and counted.
    kn_time rewind_tolerance;
    /// Commands that come after their tick are carried out late. So that the next use, which the
    /// player spaces as his own world says, is not refused, his entities get a kn_tolerance: as
    /// much as the command was late, but at most this share of the median round trip, 0 to 1; 0:
    /// none; default 0.5.
    float tolerance_factor;
    kn_time tolerance_cap; ///< longest round trip that counts for that; default KN_TOLERANCE_CAP
    kn_server_accept_fn *accept; ///< decides who may play; NULL: everybody
    kn_server_admit_fn *admit;   ///< decides who may play, and who it is; may be NULL
    /// What happens when a player who is connected connects once more; default
    /// KN_SECOND_REPLACES. kn_server_admission.player says who is who.
    kn_second_connection second_connection;
    /// How long the place of a player is kept whose connection was lost or left; default 30 s. A
    /// player without a number, or one that the host closed, has no place that is kept.
    kn_time keep_time;
    kn_server_relevant_fn *is_relevant; ///< decides who sees what; NULL: everybody everything
    kn_relevance_rules relevance;       ///< decides who sees what by distance and team; default off
    /// Ticks between two looks for what a player sees; default 10. New entities are decided about
    /// at once.
    uint32_t relevance_every;
    /// Says how important entities are to players. NULL: what is nearer is more important, with
    /// `relevance`; otherwise all are alike. What a player controls comes first in any case.
    kn_server_importance_fn *importance;
    void *user;      ///< passed to the functions above
    uint32_t cookie; ///< set by kn_server_def_default(); do not change it
} kn_server_def;

/// A def with the defaults named above, and no world.
KN_API kn_server_def kn_server_def_default(void);
/// Creates a server. The present time of its world becomes tick 0.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, without a world, or
///         with a number out of range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_server_create(const kn_server_def *def, kn_server **server);
/// Destroys a server without a word to its clients; the world stays. NULL is ignored.
KN_API void kn_server_destroy(kn_server *server);

/// Opens a connection: the transport has a new peer. It becomes a player when its hello has arrived
/// (KN_SERVER_JOINED).
/// @param connection receives its number, from 1, for kn_entity_set_connection() too
/// @return KN_OK; KN_REFUSED_LIMIT if the server is full; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_server_open(kn_server *server, kn_time now, uint32_t *connection);
/// Closes a connection, and tells its client why. It stays until the client has heard it or the
/// time is up; then its number is free again. False for one that is not open.
KN_API bool kn_server_close(kn_server *server, uint32_t connection, kn_close_reason reason);
/// Closes a connection as kn_server_close() does, with a text for the player, which is truncated to
/// KN_CLOSE_TEXT_MAX - 1 bytes.
KN_API bool kn_server_close_with(
    kn_server *server, uint32_t connection, kn_close_reason reason, const char *text);
/// Takes a datagram of a connection.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown connection; what kn_net_link_read() returns
///         for a bad datagram, which is counted and changes nothing; KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_server_receive(
    kn_server *server, kn_time now, uint32_t connection, const void *bytes, size_t size);
/// Runs the ticks that are due. After a long pause it runs a few and lets the clock slip: simulated
/// time then falls behind, and clients follow.
/// @return KN_OK; what kn_world_step() returned
KN_API KN_MUST_USE kn_result kn_server_update(kn_server *server, kn_time now);
/// Gives the next datagram for a connection.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is nothing to send now, or no such connection;
///         KN_ERROR_BUFFER_TOO_SMALL for a capacity below `datagram_bytes`; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_server_write(kn_server *server, kn_time now, uint32_t connection,
    void *buffer, size_t capacity, size_t *size);

/// Kinds of kn_server_event.
typedef enum kn_server_event_kind {
    /// A client is let in: give it something to control, unless `is_back`. A player who is back
    /// controls what it controlled before: the server has given it to the new connection.
    KN_SERVER_JOINED,
    /// A connection has ended, see `reason` and `text`; its commands that wait are dropped. Unless
    /// `is_kept`, take from it what it controls (kn_entity_set_connection()): somebody else may get
    /// its number.
    KN_SERVER_LEFT,
    KN_SERVER_MESSAGE, ///< a message of the client's host
    /// Somebody was not let in because of another version or library; `reason`, and `text` with the
    /// first definition that differs.
    KN_SERVER_REFUSED,
    /// A player has not come back in time (`is_kept` of KN_SERVER_LEFT): take from it what it
    /// controls. Somebody else may get its number.
    KN_SERVER_EXPIRED,
    /// A command of kn_server_command() was carried out or refused: `sequence`, `result`.
    KN_SERVER_ANSWER,
} kn_server_event_kind;

/// Something for the host of a server.
typedef struct kn_server_event {
    kn_server_event_kind kind; ///< what happened
    uint32_t connection;       ///< whose
    uint64_t player;           ///< the player's number; 0: none
    bool is_spectator;         ///< KN_SERVER_JOINED: watches only
    bool is_back;              ///< KN_SERVER_JOINED: it takes the place that it had before
    bool is_kept;              ///< KN_SERVER_LEFT: its place is kept, until KN_SERVER_EXPIRED
    uint32_t former;           ///< KN_SERVER_JOINED with `is_back`: the connection it had before
    kn_close_reason reason;    ///< KN_SERVER_LEFT, KN_SERVER_REFUSED: why
    /// KN_SERVER_LEFT, KN_SERVER_REFUSED: more about that; otherwise "". Valid until the next call
    /// of the session.
    const char *text;
    /// KN_SERVER_JOINED: its hello; KN_SERVER_MESSAGE: the message. Valid until the next call of
    /// the session; not trusted.
    const void *bytes;
    uint32_t size;                ///< how many bytes
    uint32_t sequence;            ///< KN_SERVER_ANSWER: number of the command
    kn_result result;             ///< KN_SERVER_ANSWER: KN_OK or why it was refused
    uint32_t reasons;             ///< KN_SERVER_ANSWER: all reasons against it, as kn_fail bits
    kn_ability_type_id ability;   ///< KN_SERVER_ANSWER: the first ability that was refused
    const kn_refusal_line *lines; ///< KN_SERVER_ANSWER: as in kn_client_event
    uint32_t line_count;          ///< KN_SERVER_ANSWER: number of `lines`
} kn_server_event;

/// Gives the next event. False if there is none.
KN_API bool kn_server_next_event(kn_server *server, kn_server_event *event);
/// Sends a message to the host of a client: it arrives once, in order and whole.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown connection; KN_REFUSED_LIMIT, try again
///         later; KN_ERROR_INVALID_ARGUMENT for one that is too long; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_server_send(
    kn_server *server, uint32_t connection, const void *bytes, uint32_t size);
/// Gives an entity a sync mode of its own.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for another number;
///         KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_server_set_mode(kn_server *server, kn_entity_id entity, kn_sync_mode mode);
/// Lets everybody see an entity wherever it is, or not any more; for kn_relevance_rules.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_server_set_always(kn_server *server, kn_entity_id entity, bool is_always);
/// Sets from where a connection sees besides from what it controls, such as the camera of a
/// spectator; NULL: from nowhere else. For kn_relevance_rules. False for an unknown connection, and
/// for a position that is not finite.
KN_API bool kn_server_set_eye(kn_server *server, uint32_t connection, const kn_vec3 *position);
/// The number of the player behind a connection; 0 for none, and for an unknown connection.
KN_API uint64_t kn_server_player(const kn_server *server, uint32_t connection);

/// Stops the game, or lets it go on. While it is stopped no ticks are run, and the clients hear of
/// it: they stop too (KN_CLIENT_PAUSED). Commands that are on their way wait. Players may join,
/// leave and send messages; what the host changes in the world is seen when the game goes on,
/// except for new entities. False for NULL.
KN_API bool kn_server_pause(kn_server *server, bool is_paused);
/// Whether the game is stopped by kn_server_pause(); false for NULL.
KN_API bool kn_server_is_paused(const kn_server *server);

/// Opens a connection for a player at this machine, who needs no client: it plays in the world of
/// the server. Such a player sees everything at once and exactly once, through the events and
/// listeners of the world. The first one becomes the world's own (kn_world_set_connection()), so
/// that abilities that only run locally work for it. Publishes KN_SERVER_JOINED.
/// @param player the player's number; 0: none
/// @param connection receives its number, for kn_entity_set_connection() and kn_server_command();
///                   kn_server_close() ends it
/// @return KN_OK; KN_REFUSED_LIMIT if the server is full; KN_REFUSED_DUPLICATE if the player is
///         connected already; KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_server_open_local(
    kn_server *server, kn_time now, uint64_t player, uint32_t *connection);
/// Gives a command of a player at this machine: it is carried out in the next tick, in the same
/// order as those of clients, and answered by KN_SERVER_ANSWER. Its connection and sequence are
/// filled in.
/// @param sequence receives its number; may be NULL
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a connection that is not local; what kn_world_command()
///         returns, with nothing queued
KN_API KN_MUST_USE kn_result kn_server_command(kn_server *server, uint32_t connection,
    const kn_command *command, uint32_t *sequence, kn_error *error);

/// The last tick that was run; 0 before the first.
KN_API uint64_t kn_server_tick(const kn_server *server);

/// What a server counted of one connection.
typedef struct kn_server_stats {
    bool is_joined;         ///< the client is let in
    bool is_spectator;      ///< it watches only
    bool is_local;          ///< it plays at this machine, see kn_server_open_local()
    kn_net_link_stats link; ///< datagrams and round trips
    uint64_t state_bytes;   ///< bytes of state sent
    uint64_t entities_sent; ///< entities sent, those sent again included
    uint64_t commands;      ///< commands carried out
    uint64_t commands_late; ///< of them, those that came after their tick
    /// Refused: too many, malformed, far from the present, or of a spectator.
    uint64_t commands_refused;
    uint64_t commands_repeated; ///< copies of commands that had arrived already; had no effect
    uint64_t resyncs;           ///< entities that the client asked for again
    uint64_t checks;            ///< checksums of entities sent
    uint64_t bad;               ///< messages and payloads that made no sense
    uint32_t visible;           ///< entities that the client has or is about to get
    uint64_t views;             ///< commands with a view in the past
    uint64_t views_future;      ///< commands with a view after their tick: they got the present
    /// Commands with a view older than the client can have seen: they got the oldest that it can.
    /// Now and then this happens to honest clients, too, when the line gets worse.
    uint64_t views_old;
    uint64_t views_far; ///< commands with a view older than `rewind_max`, which they got
    kn_time rewound;    ///< how far into the past the latest command with a view saw
    kn_time margin;     ///< how long before their tick its latest commands came; may be < 0
} kn_server_stats;

/// What was counted of a connection; all-zero for an unknown one.
KN_API kn_server_stats kn_server_get_stats(const kn_server *server, uint32_t connection);

// The client -----------------------------------------------------------------

/// Called when the client has created its world, before anything is in it: for grids, spaces and
/// scripts.
typedef void kn_client_setup_fn(void *user, kn_world *world);

/// At which time the host shows what other players control, so that commands of the player say what
/// it saw (kn_command.view). docs/networking.md explains the choice.
typedef enum kn_client_view {
    /// As kn_client_world() predicts it, at its tick: for games in which rules move everything, or
    /// aim does not matter. Commands have no view.
    KN_CLIENT_VIEW_PREDICTED,
    /// As kn_client_world() has it, where bodies that only the server can move are as the latest
    /// state from the server says. Commands have the time of that state.
    KN_CLIENT_VIEW_CONFIRMED,
    /// As kn_client_view_body() says: smoothly, `view_delay` of the server later than the latest
    /// state. Commands have that time.
    KN_CLIENT_VIEW_DELAYED,
    KN_CLIENT_VIEW_COUNT, ///< number of the values above; not a value itself
} kn_client_view;

/// How to create a client. Start from kn_client_def_default(); copied by kn_client_create(), and so
/// is the hello.
typedef struct kn_client_def {
    kn_hooks hooks;            ///< memory and log of the client; all-zero for malloc and stderr
    const kn_library *library; ///< required; equal to that of the server (kn_library_hash())
    uint64_t protocol_id;      ///< the same as the server's; default 0
    uint32_t datagram_bytes;   ///< the same as the server's; default 1200
    const void *hello;         ///< what the client says about itself; may be NULL
    uint32_t hello_size;       ///< bytes of it, at most KN_SESSION_HELLO_MAX
    kn_time timeout;  ///< the connection ends when nothing was heard for so long; default 10 s
    kn_time lead_max; ///< most time that the client runs ahead of the server's state; default 1 s
    /// How much earlier than needed commands are to arrive, besides what the measured jitter asks
    /// for; default 5 ms.
    kn_time margin;
    /// How long an entity that was created here by prediction waits for the server's; then it goes.
    /// Default 1 s.
    kn_time predicted_time;
    kn_client_view view; ///< when others are shown; default KN_CLIENT_VIEW_PREDICTED
    uint64_t event_mask; ///< events to report, as kn_world_def.event_mask; default as there
    /// Keep in mind what was corrected, for kn_client_explain_correction(). For those who look for
    /// a mistake: each correction then costs about as much as two snapshots. Default false.
    bool explain;
    kn_client_setup_fn *setup; ///< called with the new world; may be NULL
    void *user;                ///< passed to `setup`
    uint32_t cookie;           ///< set by kn_client_def_default(); do not change it
} kn_client_def;

/// A def with the defaults named above, and no library.
KN_API kn_client_def kn_client_def_default(void);
/// Creates a client, which begins to join with its first datagram.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, without a finished
///         library, or with a number out of range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_client_create(const kn_client_def *def, kn_client **client);
/// Destroys a client with its world, without a word to the server. NULL is ignored.
KN_API void kn_client_destroy(kn_client *client);

/// Takes a datagram of the server.
/// @return KN_OK; what kn_net_link_read() returns for a bad datagram, which changes nothing;
///         KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_client_receive(kn_client *client, kn_time now, const void *bytes, size_t size);
/// Goes on to the present: takes what the server said, corrects what was predicted wrong, and runs
/// the ticks that are due.
/// @return KN_OK; what kn_world_step() returned
KN_API KN_MUST_USE kn_result kn_client_update(kn_client *client, kn_time now);
/// Gives the next datagram for the server.
/// @return as kn_server_write()
KN_API KN_MUST_USE kn_result kn_client_write(
    kn_client *client, kn_time now, void *buffer, size_t capacity, size_t *size);
/// Leaves the server, and tells it. The client goes on until the server has heard it.
KN_API void kn_client_leave(kn_client *client);

/// The world as the client predicts it, at tick kn_client_tick(); NULL before the first state has
/// come. It belongs to the client: read it, and change it by commands only. Its listeners hear
/// every tick that is simulated, those that are simulated again too: use kn_client_next_event().
KN_API kn_world *kn_client_world(kn_client *client);
/// Gives a command of the player: it is carried out here in the next tick, and by the server in the
/// same one. Its connection and sequence are filled in, and so is its view, if it is 0, by
/// kn_client_def.view. What the server says to it comes as an
/// event (KN_CLIENT_ANSWER).
/// @param sequence receives its number; may be NULL
/// @return KN_OK; KN_REFUSED_BLOCKED before the client has joined, for a spectator, and while the
///         game is paused; KN_REFUSED_LIMIT when too many are unanswered, or for one that does not
///         fit into a datagram; what kn_command_check() returns; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_client_command(
    kn_client *client, const kn_command *command, uint32_t *sequence, kn_error *error);
/// Sends a message to the host of the server: it arrives once, in order and whole.
/// @return as kn_server_send(); KN_REFUSED_BLOCKED before the client has joined
KN_API KN_MUST_USE kn_result kn_client_send(kn_client *client, const void *bytes, uint32_t size);

// Showing it -----------------------------------------------------------------
//
// Times are those of kn_client_world(). They never go back, and they stay smooth while the client
// runs faster or slower, and when it corrects itself; after a long pause they jump ahead.

/// The time to show now, between the last two ticks that were simulated: show what the player
/// controls there, on the way from where it was at the first to where it is at the second. 0 before
/// the first state has come.
KN_API kn_time kn_client_render_time(const kn_client *client);
/// How far kn_client_render_time() is from the tick before the last one to the last one, 0 to 1.
KN_API float kn_client_render_fraction(const kn_client *client);
/// The time at which others are to be shown now, by kn_client_def.view: the predicted tick, the
/// latest state of the server, or a delayed one. Commands given now have it as their view. 0 before
/// the first state has come.
KN_API kn_time kn_client_view_time(const kn_client *client);
/// Where to show an entity with a body of the grid (KN_GRID_BODY_NAME). With
/// KN_CLIENT_VIEW_DELAYED, what others control is where it was at kn_client_view_time(), on a line
/// between two states from the server; everything else, and with other views all, is as in
/// kn_client_world(). False, and all zero, if it is not to be shown.
KN_API bool kn_client_view_body(const kn_client *client, kn_entity_id entity, kn_body *body);

/// Where a body was at a time of the world, as far as the server said: for a kn_history of the
/// client's grid (kn_history_def.source), so that the client predicts hits of what it shows. Only
/// with KN_CLIENT_VIEW_DELAYED, up to kn_client_view_time(), and about a second back. False, and
/// all zero, if it had none, or it is not known.
KN_API bool kn_client_body_at(
    const kn_client *client, kn_entity_id entity, kn_time time, kn_body *body);

/// Kinds of kn_client_event.
typedef enum kn_client_event_kind {
    KN_CLIENT_JOINED, ///< the server let us in; kn_client_connection() is our number
    KN_CLIENT_CLOSED, ///< the connection has ended, see `reason` and `text`
    /// Something happened in the world, at `tick`: `event` says what. Each thing is reported once,
    /// however often its tick is simulated. `is_late`: it belongs to a tick that was reported
    /// before, since the server said so only now.
    KN_CLIENT_HAPPENED,
    /// What was reported as KN_CLIENT_HAPPENED was predicted wrong: it did not happen. The latest
    /// comes first, and all of them come before what happened instead.
    KN_CLIENT_REVOKED,
    /// The server carried out, or refused, a command: `sequence`, `result`, `reasons` and what is
    /// behind them. If an ability was refused that had been activated here, it also comes as a
    /// KN_CLIENT_HAPPENED with a KN_EVENT_ABILITY_FAILED.
    KN_CLIENT_ANSWER,
    /// An entity that was created here by prediction has another id now: `entity` instead of
    /// `old_entity`. Mostly the server's entity has come and taken its place. Comes before events
    /// that have the new id.
    KN_CLIENT_RENAMED,
    KN_CLIENT_LEFT,    ///< `entity` went out of sight; it is not in the world any more
    KN_CLIENT_MESSAGE, ///< a message of the server's host
    KN_CLIENT_PAUSED,  ///< the server stopped the game: no ticks are run, commands are refused
    KN_CLIENT_RESUMED, ///< the game goes on
} kn_client_event_kind;

/// Something for the host of a client.
typedef struct kn_client_event {
    kn_client_event_kind kind; ///< what it is
    uint64_t tick;             ///< the tick that it belongs to
    bool is_late;              ///< KN_CLIENT_HAPPENED: see there
    /// KN_CLIENT_HAPPENED, KN_EVENT_CUE: it was active already when its entity came into sight.
    bool is_found;
    kn_event event; ///< KN_CLIENT_HAPPENED, _REVOKED; causes of it cannot be looked up any more
    /// KN_EVENT_CUE: its parameters, instead of kn_cue_event_params(); else NULL. Valid until the
    /// next call of kn_client_next_event(). Cues that only the server computed come without
    /// payload, target data and tags.
    const kn_cue_params *cue;
    /// KN_CLIENT_HAPPENED, _REVOKED: the command behind it; null for what the server did by itself,
    /// and for what a correction brought.
    kn_prediction_key key;
    uint32_t sequence; ///< KN_CLIENT_ANSWER: number of the command
    kn_result result;  ///< KN_CLIENT_ANSWER: KN_OK or why it was refused
    /// KN_CLIENT_ANSWER: all reasons against the command, or against an ability that it would have
    /// activated, as kn_fail bits; 0: none. A `press` may be carried out, with KN_OK, while the
    /// ability behind it is refused.
    uint32_t reasons;
    kn_ability_type_id
        ability; ///< KN_CLIENT_ANSWER: the first ability that was refused; null: none
    /// KN_CLIENT_ANSWER: what stands behind the reasons, as far as the player may know it: tags,
    /// attributes, numbers, times and texts; effects, abilities and sources are null. Valid until
    /// the next call of the session; NULL for none.
    const kn_refusal_line *lines;
    uint32_t line_count;     ///< KN_CLIENT_ANSWER: number of `lines`, at most KN_COMMAND_LINES_MAX
    kn_entity_id entity;     ///< KN_CLIENT_LEFT, _RENAMED: which
    kn_entity_id old_entity; ///< KN_CLIENT_RENAMED: what its id was
    kn_close_reason reason;  ///< KN_CLIENT_CLOSED: why
    /// KN_CLIENT_CLOSED: what the server says about it, such as the first definition that differs
    /// (KN_CLOSE_LIBRARY); otherwise "". Valid as long as the client.
    const char *text;
    const void *bytes; ///< KN_CLIENT_MESSAGE: valid until the next call of the session; not trusted
    uint32_t size;     ///< bytes of it
} kn_client_event;

/// Gives the next event. False if there is none.
KN_API bool kn_client_next_event(kn_client *client, kn_client_event *event);

/// A command whose outcome is predicted: the server has not said yet what became of it.
typedef struct kn_client_pending {
    uint32_t sequence; ///< number of the command; with kn_client_connection() its prediction key
    uint64_t tick;     ///< the tick that it is for
    bool is_received;  ///< the server has it
} kn_client_pending;

/// The commands that are not answered yet, in the order of their sequences. What follows from them
/// (kn_prediction_key) is predicted, and undone if the server refuses them. Returns how many there
/// are; at most `capacity` are written.
KN_API uint32_t kn_client_pending_commands(
    const kn_client *client, kn_client_pending *out, uint32_t capacity);

/// The number of this connection, as the server's world has it; 0 before the client has joined.
KN_API uint32_t kn_client_connection(const kn_client *client);
/// The tick that was simulated last; 0 before the first state has come.
KN_API uint64_t kn_client_tick(const kn_client *client);
/// Why the connection has ended; KN_CLOSE_NONE while it has not.
KN_API kn_close_reason kn_client_closed(const kn_client *client);

/// Whether the server lets this client watch only.
KN_API bool kn_client_is_spectator(const kn_client *client);
/// Whether the server has stopped the game.
KN_API bool kn_client_is_paused(const kn_client *client);

// Why it was corrected --------------------------------------------------------

/// Why something had to be corrected, as far as a client can know it.
typedef enum kn_correction_cause {
    /// Something that the client does not know: a command of another player, a call of the host of
    /// the server, or chance.
    KN_CORRECTION_OTHERS,
    /// A command of the player that was carried out here did something else on the server: such as
    /// by a hidden random stream, or by values that the client must not know.
    KN_CORRECTION_OUTCOME,
    KN_CORRECTION_REFUSED,   ///< a command that was carried out here was refused by the server
    KN_CORRECTION_LATE,      ///< a command came too late to the server for the tick it was for
    KN_CORRECTION_NEW,       ///< an entity that was not known came into sight
    KN_CORRECTION_GONE,      ///< an entity was destroyed by the server, or went out of sight
    KN_CORRECTION_MATCHED,   ///< the server's entity took the place of one that was created here
    KN_CORRECTION_UNMATCHED, ///< an entity was created here, and the server did not send it in time
    KN_CORRECTION_COUNT,     ///< number of the values above
} kn_correction_cause;

/// A cause as a word, such as "refused"; "unknown" for a number that is not one. Valid forever.
KN_API const char *kn_correction_cause_name(kn_correction_cause cause);

/// Most lines that a client keeps of its corrections.
#define KN_CORRECTIONS_MAX 64
/// Most bytes of the name in a kn_correction, with its final zero.
#define KN_CORRECTION_NAME_MAX 96
/// Most bytes of a value in a kn_correction, with its final zero.
#define KN_CORRECTION_TEXT_MAX 48

/// One thing that a correction changed.
typedef struct kn_correction {
    uint64_t number; ///< which correction it belongs to, as kn_client_stats.corrections counts
    /// The tick at which both values are: that of the server's state. If nothing but commands that
    /// were refused or late made a difference, the present of the client, kn_client_tick().
    uint64_t tick;
    kn_entity_id entity;       ///< what was corrected; null: the world itself
    kn_correction_cause cause; ///< why
    /// KN_CORRECTION_OUTCOME, _REFUSED, _LATE: number of the command; 0: it is not known.
    uint32_t sequence;
    kn_result result;     ///< KN_CORRECTION_REFUSED: what the server says to the command
    uint64_t wanted_tick; ///< KN_CORRECTION_LATE: the tick that the command was for
    /// KN_CORRECTION_LATE: the tick in which the server carried it out; 0: it has not yet.
    uint64_t done_tick;
    kn_entity_id old_entity; ///< KN_CORRECTION_MATCHED: what its id was; otherwise null
    /// The kind of record (kn_state_kind_name()) that it is in. KN_STATE_NONE for a difference that
    /// no field of a record shows.
    kn_state_kind kind;
    /// Name of the value: of an attribute or tag alone, as in "Body.Health", otherwise with kind
    /// and field, as in "effect Burning stacks" or "component Body x". A part of the entity, as in
    /// "abilities", if no field of a record shows the difference. "" if the entity itself came or
    /// went.
    char name[KN_CORRECTION_NAME_MAX];
    /// The value that was predicted, as kn_state_print() writes it; "none" where there was none.
    char predicted_text[KN_CORRECTION_TEXT_MAX];
    char actual_text[KN_CORRECTION_TEXT_MAX]; ///< the value that the server has
    /// The values as numbers, times in seconds; 0 for those that are not numbers. Of a record, and
    /// of the entity itself: whether it is there, 0 or 1.
    double predicted, actual;
} kn_correction;

/// What was corrected last, the latest first. With kn_client_def.explain; otherwise there is
/// nothing. Lines are dropped without memory for them. Several lines of one correction have the
/// same `number`; if it changed more than KN_CORRECTIONS_MAX values, the first ones are kept.
/// @param out receives at most `capacity` lines; may be NULL if that is 0
/// @return how many lines there are, at most KN_CORRECTIONS_MAX
KN_API uint32_t kn_client_explain_correction(
    const kn_client *client, kn_correction *out, uint32_t capacity);
/// Writes a line as text, such as "tick 512: entity 3: Body.Health 70 -> 100 (own command 12 was
/// refused: cooldown)". Returns the full length; the text is truncated to `size` bytes including
/// the final zero.
KN_API uint32_t kn_correction_print(const kn_correction *line, char *text, uint32_t size);

/// What a client measured so far.
typedef struct kn_client_stats {
    kn_net_link_stats link; ///< datagrams and round trips
    uint64_t confirmed;     ///< the latest tick of which the server told the state
    uint32_t lead;          ///< ticks from there to kn_client_tick()
    kn_time margin;         ///< how long before their tick our commands arrive; may be below 0
    int32_t speed_ppm;      ///< how much faster than the clock ticks run, in millionths
    uint64_t states;        ///< ticks of which state arrived
    uint64_t entities;      ///< entities received
    uint64_t corrections;   ///< times that something was predicted wrong, or was not known
    uint64_t corrected;     ///< entities that were replaced
    /// How often each kn_correction_cause was seen: entities that were replaced; for
    /// KN_CORRECTION_REFUSED and _LATE commands, each once, when the server answered.
    uint64_t causes[KN_CORRECTION_COUNT];
    uint64_t resimulated; ///< ticks that were simulated again
    uint64_t revoked;     ///< events that were revoked
    uint64_t matched;     ///< entities created here in whose place the server's came
    uint64_t unmatched;   ///< entities created here that the server did not send in time
    uint64_t resyncs;     ///< entities that had to be asked for again
    uint64_t bad;         ///< payloads and messages that made no sense
    uint64_t checks;      ///< entities that were compared with a checksum of the server
    /// Of them, those that differed, and were asked for again: something happened otherwise than
    /// this client could know. Now and then this is all right; if it is many, something that the
    /// client predicts depends on what it may not see.
    uint64_t mismatches;
    kn_entity_id mismatched; ///< the latest of them; null for none, and for the world itself
} kn_client_stats;

/// What was measured so far; all-zero for NULL.
KN_API kn_client_stats kn_client_get_stats(const kn_client *client);

#ifdef __cplusplus
}
#endif

#endif
