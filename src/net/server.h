// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a server session.
#ifndef KNI_SERVER_H
#define KNI_SERVER_H

#include "compare.h"
#include "creation.h"
#include "cue_wire.h"
#include "pack.h"
#include "queue.h"
#include "reasons.h"

#define BLOB_DELTAS 3 // differences that are kept with what they lead to
#define DONORS 512    // entities by the size of their bytes

// A difference that others may need, too.
typedef struct blob_delta {
    struct blob *base, *donor; // from these; may be NULL
    uint8_t *bytes;            // NULL: none
    uint32_t size;
} blob_delta;

// The bytes of an entity at a tick, for owners or for others. Shared by all connections that have
// it, or may have it.
typedef struct blob {
    uint32_t references;
    uint32_t size;
    uint64_t tick;
    uint64_t version; // of the changes in the world
    bool is_left;     // out of sight
    uint32_t delta_next;
    blob_delta deltas[BLOB_DELTAS];
    uint32_t parts; // that it has
    uint32_t empty; // and those of which nothing may stay
    uint8_t bytes[];
} blob;

// What one connection has of one entity.
typedef struct view {
    kn_entity_id id;   // that it has or is to get; null for none
    blob *acked;       // that it has
    blob *sent;        // that was sent last; may be on its way
    uint64_t dirty_at; // tick at which it became dirty
    uint64_t seen_at;  // tick at which it was last found to be seen
    uint64_t whole_at; // tick at which it was last sent whole
    uint64_t since;    // the first tick whose cues it may not know; 0: it knows all
    uint64_t told_at;  // it was sent as a message: where that ends among all bytes of messages
    uint32_t had;      // parts that it may have something of
    uint32_t emptied;  // parts that were taken from it
    uint64_t rank;     // when it is due among what is dirty; 0: not known yet
    bool is_dirty;     // something has to be sent
    bool is_visible;
    bool is_listed; // among `shown` of its connection
} view;

// An entity that was sent in a datagram.
typedef struct sent_entity {
    uint64_t sequence; // of the datagram
    uint32_t index;
    blob *blob; // NULL: whether it arrives does not matter any more
} sent_entity;

// An entity that a command named: it is to be checked once the client has to have it right.
typedef struct wanted_check {
    uint32_t index;
    uint64_t tick; // of the command
} wanted_check;

#define CHECKS_WANTED 16           // at once
#define CHECKS_PER_SECOND_MAX 1000 // that a host may ask for

#define PINGS 15 // round trips of which the median is taken

// A command that waits for its tick.
typedef struct waiting_command {
    uint64_t tick;
    uint32_t sequence;
    uint32_t size;
    uint8_t *bytes;
    kn_time oldest; // time of the world that its player can have seen
} waiting_command;

// A book of frequencies, and the message with it. Shared by all connections that have it.
typedef struct server_book {
    pack_book book;
    uint64_t worth; // bytes of state until it has saved its own size
    uint32_t size;
    uint8_t bytes[BOOK_BYTES_MAX + 2];
} server_book;

// What became of a command.
typedef struct answer {
    uint32_t sequence;
    uint64_t tick;
    kn_result result;
    uint32_t reasons; // against it, kn_fail bits
    kn_ability_type_id ability;
    uint8_t *lines; // as they are sent
    uint32_t line_bytes, line_count;
} answer;

typedef enum connection_state {
    CONNECTION_FREE,
    CONNECTION_OPEN, // waits for a hello
    CONNECTION_JOINED,
    CONNECTION_CLOSING, // its client has yet to hear of it
    CONNECTION_KEPT,    // nothing is left but the place of a player who may come back
} connection_state;

#define RELEVANCE_POINTS 16 // that a connection sees from

typedef struct connection {
    connection_state state;
    kn_net_link *link;
    kn_time opened;
    kn_close_reason reason;
    char text[KN_CLOSE_TEXT_MAX]; // about it
    uint64_t player;              // 0: nobody in particular
    bool is_spectator;
    bool is_local;         // plays at this machine: it has no link
    bool is_kept;          // what it controls is for its player to come back to
    kn_time keep_until;    // then no more
    bool knows_pause;      // what was sent to the client about a pause
    comparison compare;    // with the library of the client
    uint32_t resync_work;  // what it cost in this tick to send things again
    bool is_told;          // its client has heard that it is closed
    bool owes_left;        // there was no memory to tell the host that it has ended
    bool has_seen;         // it was decided about all entities whether it sees them
    uint64_t told_bytes;   // of messages, so far
    kn_time written_at;    // the last datagram
    uint64_t written_tick; // of the last datagram of state
    bool is_flushed;       // nothing is left to send for that tick
    bool has_heard;        // a payload arrived that was not answered by a margin
    kn_time margin;
    uint32_t received; // sequence of the last command that arrived
    uint32_t answered; // the client knows the answers up to this one
    waiting_command *waiting;
    uint32_t waiting_count, waiting_capacity;
    answer *answers;
    uint32_t answer_count, answer_capacity; // by sequence
    kn_time command_time; // for the rate of commands: commands are allowed from here on
    kn_time pings[PINGS]; // recent round trips, the oldest is replaced next
    uint32_t ping_count;
    kn_time ping_at;    // when the last one was noted
    int64_t bytes_left; // of the budget
    view *views;        // by index of the entity; 0: the world itself
    uint32_t view_capacity;
    uint32_t *dirty;
    uint32_t dirty_count, dirty_capacity;
    uint32_t *shown; // with relevance: entities that are in sight, and some that were
    uint32_t shown_count, shown_capacity;
    uint32_t *own; // with relevance: entities that it controls
    uint32_t own_count, own_capacity;
    uint64_t own_version;             // of the controllers
    kn_vec3 points[RELEVANCE_POINTS]; // where it sees from
    uint32_t point_count;
    bool has_eye;
    kn_vec3 eye;       // where else it sees from
    sent_entity *sent; // in order of sequence
    uint32_t sent_first, sent_count, sent_capacity;
    wanted_check wanted[CHECKS_WANTED]; // by tick
    uint32_t wanted_count;
    uint32_t check_at;      // the next entity to be checked in turn
    uint32_t check_turn;    // what is wanted and what is in turn alternate
    uint64_t check_tick;    // up to which checks were allowed
    uint64_t check_budget;  // in ticks: each check costs as many as a second has
    server_book *book;      // that its payloads are packed with; NULL: not at all
    server_book *next_book; // that is on its way
    uint64_t next_book_at;  // where that ends among all bytes of messages
    uint64_t book_bytes;    // of state, when the latest was sent
    kn_server_stats stats;
} connection;

// What the server knows of an entity.
typedef struct server_entity {
    kn_entity_id id;
    uint32_t controller; // connection that controls it, itself or by its owner
    uint32_t key;        // of the creation of an entity with `key_generation`; 0: none
    uint32_t key_generation;
    uint8_t mode;   // kn_sync_mode + 1; 0: that of the server
    bool is_always; // everybody sees it
    bool is_alive;
    blob *now[KN_VIEWER_COUNT]; // the latest, by viewer; may be older than the tick
    wire_cue *cues;             // the latest that happened on it, by tick
    uint32_t cue_count, cue_capacity;
    uint64_t cue_lost; // the last tick of which there were too many
} server_entity;

#define LISTENERS 4 // to commands, refusals, creations and cues

struct kn_server {
    kn_server_def def;
    kn_listener_id listeners[LISTENERS];
    creation_counter creations;
    refusal why; // what was said so far against the command that is being answered
    session_clock time;
    uint64_t tick;
    kn_time base;  // simulated time of tick 0
    kn_time clock; // time of the host at tick 0; moves when the host was late
    bool has_clock;
    bool is_paused;
    kn_time paused_after; // from tick 0, by the clock of the host
    kn_time pause_budget; // what is left of the time that budgets were filled for
    bool has_kind_hashes; // of the library, for comparisons
    uint32_t kind_hashes[KN_DEF_KIND_END];
    uint64_t version;        // of the changes that were looked at
    uint64_t looked;         // the last tick before those that are looked at
    uint64_t world_hash;     // of the bytes of the world itself
    server_entity *entities; // by index; 0: the world itself
    uint32_t entity_capacity;
    uint32_t *fresh; // indexes of entities that are new in this tick
    uint32_t fresh_count, fresh_capacity;
    bool has_new_controllers;     // somebody got or lost control of an entity
    uint64_t controllers_version; // changes with them
    uint32_t *marks;              // with relevance, by index: 1 if everybody sees it, 2 * team
    uint32_t mark_capacity;
    kn_entity_id *found; // by the space
    uint32_t found_capacity;
    bool has_warned_mixed;   // of an entity in mode Mixed that nobody controls
    connection *connections; // by number - 1
    uint32_t connection_count;
    uint32_t connection_top; // those from here on were never used
    event_queue events;      // kn_server_event
    uint8_t *scratch;        // a payload
    uint8_t *packed;         // the same in fewer bytes
    uint32_t donors[DONORS]; // the latest entity with that many bytes
    uint8_t *bases;          // two of them
    uint32_t base_capacity;
    pack_counts *counts;
    server_book *book;    // the latest
    uint64_t book_tick;   // when the latest was made
    uint64_t book_wanted; // bytes that have to be counted for the next one
    uint8_t *take;        // a projection
    uint32_t take_capacity;
    kn_command_data command;
};

// Commands that come late (server_late.c).

// Notes the round trip now and then, as it was measured.
void kni_connection_ping(connection *c, kn_time now);
// A command for an entity is carried out `late` after its tick.
kn_result kni_server_late(
    kn_server *server, const connection *c, uint32_t number, kn_entity_id entity, kn_time late);

// Entities and what connections have of them (server_views.c).

// An entity was created in the last step.
void kni_server_created(kn_server *server, const kn_event *event);
// Notes what changed in the world since the last look.
kn_result kni_server_look(kn_server *server);
// Decides what a connection sees: of everything when a player joins, of what is new in every tick,
// and of the rest now and then.
kn_result kni_server_see(kn_server *server, connection *c, uint32_t number);
// A datagram arrived or was lost.
void kni_connection_result(kn_server *server, connection *c, uint64_t sequence, bool was_received);
// A datagram was not sent after all.
void kni_connection_unsend(kn_server *server, connection *c, uint64_t sequence);
// The client asks for an entity again: what it got for a tick was of no use, or came too late.
void kni_connection_resync(
    kn_server *server, connection *c, uint32_t index, uint64_t tick, bool is_whole);
// Writes as much of what has to be sent as fits.
kn_result kni_server_state(
    kn_server *server, connection *c, uint32_t number, kn_writer *out, uint64_t sequence);
// Gives an entity a sync mode; everybody who sees it is sent what that changes.
kn_result kni_server_mode(kn_server *server, kn_entity_id entity, kn_sync_mode mode);
void kni_connection_views_free(kn_server *server, connection *c);
void kni_server_entities_free(kn_server *server);

// Shows an entity, with the bodies and parents that it needs. False when out of memory.
bool kni_view_show(kn_server *server, connection *c, kn_entity_id id);
// Hides what was in sight and was not shown in this tick.
void kni_views_hide(kn_server *server, connection *c);
// Lets everybody see an entity, wherever it is.
kn_result kni_server_always(kn_server *server, kn_entity_id entity, bool is_always);

// The bytes of an entity that the client must have at this tick as well: nothing of it has to be
// sent or is on its way. `*base` receives the tick of what it got last. NULL if there are none.
const blob *kni_view_settled(
    kn_server *server, const connection *c, uint32_t number, uint32_t index, uint64_t *base);

// Checksums of entities (server_checks.c).

// A command is about to be carried out: what it names is to be checked.
void kni_checks_want(kn_server *server, connection *c, const kn_command *command);
// Writes as many checksums as are due.
void kni_server_checks(kn_server *server, connection *c, uint32_t number, kn_writer *out);

// Relevance (server_relevance.c).

bool kni_relevance_rules_are_good(const kn_relevance_rules *def);
bool kni_relevance_is_on(const kn_server *server);
// Makes room for the marks of all entities. False when out of memory.
bool kni_relevance_reserve(kn_server *server);
// An entity changed.
void kni_relevance_note(kn_server *server, const server_entity *entity);
// Whether a connection sees an entity that is new.
bool kni_relevance_sees(const kn_server *server, const connection *c, kn_entity_id id);
// Decides about everything that a connection sees or may see. False when out of memory.
bool kni_relevance_look(kn_server *server, connection *c, uint32_t number);
// How many ticks an entity may have to wait behind others that are more important.
uint32_t kni_relevance_delay(
    const kn_server *server, const connection *c, uint32_t number, uint32_t index);
void kni_relevance_free(kn_server *server);

// Answers to commands (server_answers.c).

// `why` may be NULL.
kn_result kni_answer_add(
    kn_server *server, connection *c, uint32_t sequence, kn_result result, const refusal *why);
// The client knows the answers up to this one.
void kni_answers_drop(kn_server *server, connection *c, uint32_t answered);
void kni_answers_write(const kn_server *server, const connection *c, kn_writer *out);
void kni_answers_free(kn_server *server, connection *c);
// Listeners: an ability was refused, a command was carried out.
void kni_server_ability_failed(void *user, kn_world *world, const kn_event *event);
void kni_server_command_done(void *user, kn_world *world, const kn_event *event);

// Connections and players (server_players.c).

// The connection with this number; NULL if there is none.
connection *kni_connection_find(const kn_server *server, uint32_t number);
uint32_t kni_connection_number(const kn_server *server, const connection *c);
void kni_connection_free(kn_server *server, connection *c);
// Closes a connection, and tells its client; `text` may be NULL.
void kni_connection_close(
    kn_server *server, connection *c, kn_close_reason reason, const char *text);
// Counts something that makes no sense.
void kni_connection_bad(kn_server *server, connection *c);
// What clients say: that they want to join, what is in their library, that they leave.
kn_result kni_connection_hello(kn_server *server, connection *c, kn_reader *in);
void kni_connection_compare(kn_server *server, connection *c, kn_reader *in);
void kni_connection_leave(kn_server *server, connection *c);
// Tells the client whether the game is paused, unless it knows.
void kni_connection_pause(const kn_server *server, connection *c);
// Ends what is over: connections that nobody hears any more, places that were kept long enough.
void kni_connections_check(kn_server *server, kn_time now);
// Room for an entity with this index. False when out of memory.
bool kni_server_reserve(kn_server *server, uint32_t index);

// Cues that happened once (server_cues.c). The first is a listener.
void kni_server_cue(void *user, kn_world *world, const kn_event *event);
// Whether something happened on an entity since what the client has.
bool kni_view_has_cues(const kn_server *server, const view *v, uint32_t index);
void kni_view_cues_write(
    const kn_server *server, const connection *c, const view *v, uint32_t index, kn_writer *out);

// Differences (server_delta.c). A client has this state of an entity.
void kni_server_donor(kn_server *server, uint32_t index, const blob *b);
// A second base for a difference, and its entity; NULL for none.
const blob *kni_view_donor(
    const kn_server *server, const connection *c, const view *v, const blob *b, uint32_t *index);
// Writes a difference; false when out of memory.
bool kni_delta_send(
    kn_server *server, kn_writer *out, const blob *base, const blob *donor, blob *b);
void kni_blob_deltas_free(kn_server *server, blob *b);
void kni_blob_drop(kn_server *server, blob *b);

// Payloads in fewer bytes (server_pack.c). Chooses the book for the next one; may send a message.
void kni_connection_book(kn_server *server, connection *c);
// Gives the size; there is room for one more byte than there were.
size_t kni_connection_pack(
    kn_server *server, connection *c, const uint8_t *bytes, size_t size, uint8_t *packed);
void kni_connection_books_free(kn_server *server, connection *c);
void kni_server_books_free(kn_server *server);

// Entities that a connection sees.
uint32_t kni_connection_visible(const kn_server *server, const connection *c);

// What players claim to have seen (server_rewind.c).

bool kni_rewind_is_good(const kn_server_def *def);
// The oldest time of the world that can have been shown when a command that arrives now was given.
kn_time kni_view_oldest(const kn_server *server, const connection *c, kn_time now);
// The view that a command gets which is about to be carried out, and counts what was claimed.
kn_time kni_view_limit(const kn_server *server, connection *c, kn_time claim, kn_time oldest);

// Sends a message to the client.
kn_result kni_connection_send(connection *c, const void *bytes, size_t size);
// Gives the world a command, through the recording if there is one.
kn_result kni_server_command(kn_server *server, const kn_command *command);
// Adds an event for the host; `bytes` are copied.
kn_result kni_server_event(
    kn_server *server, kn_server_event event, const void *bytes, uint32_t size);

#endif
