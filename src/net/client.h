// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The state of a client session.
#ifndef KNI_CLIENT_H
#define KNI_CLIENT_H

#include "compare.h"
#include "creation.h"
#include "cue_wire.h"
#include "pack.h"
#include "queue.h"
#include "reasons.h"
#include "reports.h"

// The bytes of an entity at a tick, as the server sent them.
typedef struct client_blob {
    uint64_t tick;
    uint8_t *bytes;
    uint32_t size;
} client_blob;

#define CLIENT_BOOKS 4  // the latest books of frequencies
#define CLIENT_BLOBS 64 // most states of one entity that differences may be made from

typedef struct client_entity {
    uint32_t generation;
    uint32_t key;       // of its creation; 0: none
    client_blob *blobs; // by tick
    uint32_t count, capacity;
    uint64_t applied;    // tick of the state that got into the world last
    uint64_t asked_at;   // tick of the check that failed last
    uint32_t mismatches; // checks that failed since one did not
} client_entity;

// A checksum of an entity that the server sent.
typedef struct client_check {
    uint64_t tick;
    uint64_t base; // tick of the state that was sent last
    uint32_t index, sum;
} client_check;

#define CLIENT_CHECKS 64 // that wait for their tick

// An entity that arrived and is not in the world yet.
typedef struct arrival {
    uint64_t tick;
    uint32_t index;
    bool is_left;
    bool is_late; // the state is of no use any more, its cues are
    bool has_cues;
    kn_entity_id entity;
    uint64_t cues_from; // these are all cues of it from this tick on
    wire_cue *cues;     // owned
    uint32_t cue_count;
    bool has_donor;
    uint32_t donor; // an entity whose state stands behind the base
    uint64_t donor_tick;
} arrival;

// A command of the player, until it is settled: the server answered, and the answer is confirmed.
typedef struct client_command {
    uint32_t sequence;
    uint32_t size;
    uint8_t *bytes;
    uint64_t tick;         // it is for this one
    uint64_t done;         // it is carried out here in this one; 0: not yet
    kn_result done_result; // and gives this
    bool is_answered;
    uint64_t answer_tick; // the server carried it out in this one
    kn_result answer;
    bool is_signal; // of a sync point: the host does not know of it
} client_command;

// A snapshot of the world.
typedef struct kept_state {
    uint8_t *data;
    size_t capacity;
    size_t size;
} kept_state;

// What an entity shows, to find out what a correction changed.
typedef struct shown_effect {
    kn_effect_id id;
    kn_effect_type_id type;
    kn_entity_id source;
    uint32_t stacks;
    float level;
} shown_effect;

typedef struct shown_value {
    kn_attribute_id attribute;
    uint32_t key;
    float value;
} shown_value;

typedef struct shown_cue {
    kn_cue_active active;
    kn_effect_type_id type; // of its effect
    kept_params *params;
    struct shown_cue *other; // what it was before, or became
} shown_cue;

typedef struct shown {
    kn_entity_id entity;
    bool is_alive;
    shown_effect *effects;
    uint32_t effect_count, effect_capacity;
    shown_value *values;
    uint32_t value_count, value_capacity;
    kn_tag *tags;
    uint32_t tag_count, tag_capacity;
    shown_cue *cues;
    uint32_t cue_count, cue_capacity;
} shown;

// An entity that the client created itself.
typedef struct own_entity {
    uint32_t key; // of its creation
    bool is_matched;
    kn_entity_id id; // once matched, that of the server
    uint64_t tick;   // of its creation
} own_entity;

typedef struct own_list {
    own_entity *data;
    uint32_t count, capacity;
} own_list;

// A projection that takes an entity out of the world.
typedef struct gone_bytes {
    uint8_t bytes[256];
    size_t size;
} gone_bytes;

// Bodies as the server said they are at a tick, by slot.
typedef struct view_frame {
    uint64_t tick;
    struct view_entry *entries;
    uint32_t count, capacity;
} view_frame;

#define VIEW_FRAMES 64

// What is shown, and when. Times are from tick 0 on.
typedef struct client_views {
    kn_time delay;
    kn_time passed; // since the times below advanced
    bool has_begun;
    kn_time render, others;
    uint64_t heard;                 // the latest tick that the server spoke of
    kn_time heard_at;               // and when
    view_frame frames[VIEW_FRAMES]; // by tick; their memory goes around
    uint32_t first, count;
} client_views;

typedef enum client_state {
    CLIENT_JOINING,
    CLIENT_JOINED,
    CLIENT_CLOSED,
} client_state;

struct kn_client {
    kn_client_def def;
    uint8_t hello[KN_SESSION_HELLO_MAX];
    kn_net_link *link;
    client_state state;
    kn_close_reason reason;
    char text[KN_CLOSE_TEXT_MAX]; // of the server, about it
    bool is_spectator, is_paused;
    bool is_leaving;
    bool has_greeted;
    uint32_t connection, rate, send_every;
    kn_time base; // simulated time of tick 0

    kn_world *world;
    uint64_t tick;        // simulated last
    uint64_t confirmed;   // the server report the state of this one
    uint64_t latest;      // the latest tick that the server spoke of
    kept_state kept;      // the world at `confirmed`
    bool is_torn;         // going back and forth failed on the way: the world is at neither
    kept_state predicted; // the world at `tick`, while the other is looked at

    session_clock time;
    bool has_clock;
    kn_time now;    // at the last update
    kn_time begun;  // at the first
    kn_time clock;  // from tick 0 on, as it passes here
    kn_time margin; // how early commands arrive, smoothed
    bool has_margin;
    int32_t speed_ppm;
    kn_time written_at; // the last datagram
    uint64_t written_tick;

    client_command *commands; // by sequence
    uint32_t command_count, command_capacity;
    uint32_t next_sequence;
    uint32_t received; // the server has those up to this one
    uint32_t answered; // those up to this one are answered

    client_entity *entities; // by index
    uint32_t entity_capacity;
    uint64_t lost_at; // the last tick of which something could not be kept; 0: none
    arrival *arrivals;
    uint32_t arrival_count, arrival_capacity;
    client_check checks[CLIENT_CHECKS];
    uint32_t check_count;
    uint8_t *take; // a projection
    uint32_t take_capacity;

    uint32_t own_first;  // lowest index of entities that are created here
    own_list own;        // those of the world as it is
    own_list own_kept;   // those of the world at `confirmed`
    own_list own_before; // those that were there before it went back

    report_list reports; // of the ticks after `confirmed`
    report_list fresh;   // of the same ticks, simulated again
    report_list past;    // cues that happened once, in confirmed ticks of late
    shown after;

    client_views views;
    event_queue events; // kn_client_event
    kept_params *given; // of the event that was given last
    uint8_t *scratch;
    uint8_t *unpacked; // a payload
    uint8_t *bases;    // two states that a difference is from
    uint32_t base_capacity;
    pack_book *books[CLIENT_BOOKS];
    kn_command_data command;
    kn_client_stats stats;
    struct client_explain *explain; // NULL: nobody wants to know
};

// Events (client_events.c).
kn_result kni_client_event(
    kn_client *client, kn_client_event event, const void *bytes, uint32_t size);
// The same for something that is reported, or was.
kn_result kni_reports_event(
    kn_client *client, const report *r, kn_client_event_kind kind, bool is_late);
// Adds what the last step of the world published.
kn_result kni_reports_add(kn_client *client, report_list *list, uint64_t tick);
// Reports all of a list.
kn_result kni_reports_publish(kn_client *client, const report_list *list, uint32_t from);
// Reports the difference between what was reported and what is fresh, which takes its place.
kn_result kni_reports_compare(kn_client *client);
// Nothing up to the confirmed tick is simulated again: drops what was reported of it, but keeps
// cues in mind.
kn_result kni_reports_confirm(kn_client *client);
// What an entity shows, and the events that lead from one state to another.
kn_result kni_shown_take(kn_client *client, shown *s, kn_entity_id entity);
kn_result kni_shown_compare(kn_client *client, const shown *before, const shown *after);
// What the server corrects may have been computed here, in ticks that it had not spoken of: then
// that did not happen, and its opposite does not have to be reported. If the host knows of it, it
// is revoked. Says whether there was something of the kind.
bool kni_computed_forget(kn_client *client, const kn_event *wanted);
void kni_shown_free(kn_client *client, shown *s);
void kni_client_events_free(kn_client *client);

// Cues (client_cues.c).

// What an entity shows of cues, and the events that lead from one state to another.
kn_result kni_shown_cues(kn_client *client, shown *s);
void kni_shown_cues_clear(shown *s);
kn_result kni_shown_cues_compare(kn_client *client, const shown *before, const shown *after);
// Reads the cues of an arrival. The reader fails for what makes no sense.
kn_result kni_arrival_cues(kn_client *client, kn_reader *in, arrival *a);
// Frees what an arrival owns.
void kni_arrival_free(const kn_client *client, arrival *a);
// Compares the cues of an arrival with what was computed here. Says whether they differed.
kn_result kni_cues_settle(kn_client *client, const arrival *a, bool *differs);

// Entities that the client creates (client_own.c).

// The lowest index of own entities, if the server has entities up to an index.
uint32_t kni_own_first(uint32_t server_index);
// Keeps own entities out of the way of those of the server up to an index.
void kni_own_make_room(kn_client *client, uint32_t server_index);
// Notes what the last step created.
kn_result kni_own_note(kn_client *client, uint64_t tick);
// The own entity whose place one of the server takes; NULL for none.
own_entity *kni_own_match(kn_client *client, kn_entity_id entity);
// The bytes that take an own entity away.
kn_result kni_own_gone(const kn_client *client, kn_entity_id entity, gone_bytes *gone);
// Own entities that the server should have sent by now. Returns how many, at most `capacity`.
uint32_t kni_own_overdue(const kn_client *client, kn_entity_id *out, uint32_t capacity);
// The world went back to what is confirmed; is confirmed as it is; is at the present again,
// unchanged; or was simulated again up to the present: reports the ids that changed.
kn_result kni_own_go_back(kn_client *client);
kn_result kni_own_keep(kn_client *client);
void kni_own_restore(kn_client *client);
kn_result kni_own_rename(kn_client *client);
void kni_own_free(kn_client *client);

// What is shown, and when (client_view.c).

// The view of a command that is given now; 0: the present.
kn_time kni_views_stamp(const kn_client *client);
// Keeps where bodies are in the world, which is at the confirmed tick. Without memory that tick is
// left out.
void kni_views_keep(kn_client *client);
void kni_views_advance(kn_client *client);
void kni_views_free(kn_client *client);

// Entities as they arrive (client_state.c).
kn_result kni_client_book(kn_client *client, kn_reader *in);
kn_result kni_client_payload(kn_client *client, kn_reader *in, bool is_newest);
kn_result kni_client_entity(kn_client *client, kn_reader *in, uint64_t tick);
// The entity that has an index, as far as is known; null for none.
kn_entity_id kni_client_entity_id(const kn_client *client, uint32_t index);
client_blob *kni_client_blob(kn_client *client, uint32_t index, uint64_t tick);
// Asks for an entity again: whole, or as a difference from what came too late for its tick.
void kni_client_resync(kn_client *client, uint32_t index, uint64_t tick, bool is_whole);
// Something of a tick arrived and could not be kept.
void kni_client_lost(kn_client *client, uint64_t tick);
// Asks for everything again if something was lost.
void kni_client_resync_lost(kn_client *client);
void kni_client_entities_free(kn_client *client);
void kni_arrivals_clear(kn_client *client);

// Checksums of entities (client_checks.c).

// Reads one that was made at a tick. The reader fails for what makes no sense.
void kni_check_read(
    kn_client *client, kn_reader *in, uint64_t tick, uint32_t index, uint64_t since_base);
// The first tick after the confirmed one that has a checksum, or `tick` if that is sooner.
uint64_t kni_checks_next(const kn_client *client, uint64_t tick);
// Compares those of the confirmed tick, which the world is at, and asks for what differs.
void kni_checks_run(kn_client *client);

// Adds a command of the player for a tick (client.c). Gives its record in `*added`.
kn_result kni_client_command_add(kn_client *client, const kn_command *command, uint64_t tick,
    client_command **added, kn_error *error);
// Sends what the last step of the world, for a tick, has to say to the server by itself: that sync
// points were reached (client_sync.c).
kn_result kni_client_signals(kn_client *client, uint64_t tick, bool is_predicted);

// Why something was corrected (client_explain.c). Nothing of it changes the client or fails:
// without memory, lines are missing.

// An entity that was replaced.
typedef struct replaced {
    kn_entity_id entity, was; // `was`: the own entity whose place it took; null for none
    bool was_alive, is_alive;
} replaced;

bool kni_explain_create(kn_client *client);
void kni_explain_free(kn_client *client);
// The client is about to go back: keeps what is predicted, if commands went otherwise.
void kni_explain_begin(kn_client *client);
// Entities are about to be replaced: keeps what is there, if it is needed.
void kni_explain_keep(kn_client *client, const shown *list, uint32_t count);
// One was replaced: counts the cause and notes what is different.
void kni_explain_entity(kn_client *client, const replaced *r, uint64_t tick);
// Ticks were simulated again: notes what is different because of commands.
void kni_explain_commands(kn_client *client);
// The correction is done, or has to be done again later.
void kni_explain_end(kn_client *client, bool is_done);

// Going back and forth in time (client_predict.c).

// Whether a command went here as the server says it did, up to the tick it speaks of.
bool kni_command_agrees(const client_command *command, uint64_t tick);
kn_result kni_client_reconcile(kn_client *client);
kn_result kni_client_predict(kn_client *client);
void kni_client_commands_settle(kn_client *client);

#endif
