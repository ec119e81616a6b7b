// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rollback sessions over a simulated network: players in a mesh or around a relay, and spectators.
#ifndef ROLLBACK_MATCH_H
#define ROLLBACK_MATCH_H

#include "net_test.h"

#include "knack/net.h"
#include "knack/tools.h"

#include <inttypes.h>

#define MATCH_PLAYERS 8
#define MATCH_SPECTATORS 2
#define MATCH_SEATS (1 + MATCH_PLAYERS + MATCH_SPECTATORS)
#define MATCH_FRAME KN_MS(5)
#define MATCH_EVENTS 64

typedef struct match match;

// A player or spectator; its number is its place in the network, 0 is the relay's.
typedef struct seat {
    kn_rollback *rollback;
    kn_world *world;
    kn_grid *grid;
    uint32_t watches; // a spectator: the peer it has a line to
    bool is_frozen, is_cut;
    uint64_t random;
    uint32_t held; // a bit for each input that is pressed
    uint32_t happened, late, revoked, stalled, resumed, started, desyncs;
    uint64_t sum;                           // of all that happened and was not revoked
    kn_rollback_event events[MATCH_EVENTS]; // those that are not about the world
    char text[512];                         // of the last blame
    uint32_t event_count;
} seat;

struct match {
    kn_library *library;
    kn_relay *relay;
    kn_net_sim *net;
    kn_time now;
    uint32_t player_count;
    uint32_t hash_every; // of all sessions; 0: the default
    kn_time timeout;     // likewise
    seat seats[MATCH_SEATS];
    uint32_t relay_left, relay_joined, relay_silent;
    void (*play)(match *m, uint32_t number); // gives commands; may be NULL
    void (*heard)(match *m, uint32_t number, const kn_rollback_event *event); // may be NULL
    purse *purse; // of a player that may run out of memory; NULL: nobody may fail
    uint32_t failures;
};

// Whether a seat talks to another.
static inline bool match_has_line(const match *m, uint32_t from, uint32_t to)
{
    const seat *s = &m->seats[from];
    if (from == to || s->rollback == NULL) {
        return false;
    }
    if (from > m->player_count) {
        return to == s->watches;
    }
    if (m->relay != NULL) {
        return to == 0;
    }
    return to > 0 && (to <= m->player_count ||
                         (m->seats[to].rollback != NULL && m->seats[to].watches == from));
}

// What an event says, as a number.
static inline uint64_t match_event_hash(const kn_event *event)
{
    uint64_t parts[] = {(uint64_t)event->type, kn_entity_id_pack(event->entity), 0, 0};
    if (event->type == KN_EVENT_ATTRIBUTE_CHANGED) {
        parts[2] = event->data.attribute.attribute.index1;
        memcpy(&parts[3], &event->data.attribute.new_value, sizeof(float));
    } else if (event->type == KN_EVENT_COMMAND) {
        parts[2] = event->data.command.connection;
        parts[3] = event->data.command.sequence;
    } else if (event->type == KN_EVENT_EFFECT_APPLIED || event->type == KN_EVENT_EFFECT_REMOVED) {
        parts[2] = event->data.effect.type.index1;
        parts[3] = kn_entity_id_pack(event->data.effect.source);
    }
    return kn_hash_bytes(1, parts, sizeof(parts));
}

static inline void match_hear(match *m, uint32_t number)
{
    seat *s = &m->seats[number];
    kn_rollback_event event;
    while (kn_rollback_next_event(s->rollback, &event)) {
        s->happened += event.kind == KN_ROLLBACK_HAPPENED;
        s->late += event.kind == KN_ROLLBACK_HAPPENED && event.is_late;
        s->revoked += event.kind == KN_ROLLBACK_REVOKED;
        s->stalled += event.kind == KN_ROLLBACK_STALLED;
        s->resumed += event.kind == KN_ROLLBACK_RESUMED;
        s->started += event.kind == KN_ROLLBACK_STARTED;
        s->desyncs += event.kind == KN_ROLLBACK_DESYNC;
        if (event.kind == KN_ROLLBACK_HAPPENED) {
            s->sum += match_event_hash(&event.event);
        } else if (event.kind == KN_ROLLBACK_REVOKED) {
            s->sum -= match_event_hash(&event.event);
        }
        if (event.text != NULL) {
            snprintf(s->text, sizeof(s->text), "%s", event.text);
        }
        bool is_kept = event.kind != KN_ROLLBACK_HAPPENED && event.kind != KN_ROLLBACK_REVOKED;
        if (is_kept && s->event_count < MATCH_EVENTS) {
            s->events[s->event_count++] = event;
        }
        if (m->heard != NULL) {
            m->heard(m, number, &event);
        }
    }
}

// The first event of a kind about a peer; NULL if there was none.
static inline const kn_rollback_event *match_event(
    const match *m, uint32_t number, kn_rollback_event_kind kind, uint32_t peer)
{
    const seat *s = &m->seats[number];
    for (uint32_t i = 0; i < s->event_count; i++) {
        if (s->events[i].kind == kind && s->events[i].peer == peer) {
            return &s->events[i];
        }
    }
    return NULL;
}

static inline void match_receive(match *m, uint32_t number)
{
    seat *s = &m->seats[number];
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (
        kn_net_sim_receive(m->net, m->now, number, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        if (number == 0) {
            (void)kn_relay_receive(m->relay, m->now, from, buffer, size);
        } else {
            (void)kn_rollback_receive(s->rollback, m->now, from, buffer, size);
        }
    }
}

static inline void match_send(match *m, uint32_t number)
{
    const seat *s = &m->seats[number];
    uint8_t buffer[2048];
    size_t size;
    for (uint32_t to = 0; to < MATCH_SEATS; to++) {
        bool has_line =
            number == 0 ? to > 0 && match_has_line(m, to, 0) : match_has_line(m, number, to);
        while (has_line &&
               (number == 0 ? kn_relay_write(m->relay, m->now, to, buffer, sizeof(buffer), &size)
                            : kn_rollback_write(s->rollback, m->now, to, buffer, sizeof(buffer),
                                  &size)) == KN_OK) {
            if (!m->seats[number].is_cut && !m->seats[to].is_cut) {
                assert_int_equal(kn_net_sim_send(m->net, m->now, number, to, buffer, size), KN_OK);
            }
        }
    }
}

static inline void match_relay_turn(match *m)
{
    match_receive(m, 0);
    assert_int_equal(kn_relay_update(m->relay, m->now), KN_OK);
    kn_rollback_event event;
    while (kn_relay_next_event(m->relay, &event)) {
        m->relay_left += event.kind == KN_ROLLBACK_LEFT;
        m->relay_joined += event.kind == KN_ROLLBACK_JOINED;
        m->relay_silent += event.kind == KN_ROLLBACK_SILENT;
    }
    match_send(m, 0);
}

// Without memory an update fails cleanly; then there is memory again.
static inline void match_update(match *m, uint32_t number)
{
    kn_result result = kn_rollback_update(m->seats[number].rollback, m->now);
    if (result != KN_OK && m->purse != NULL) {
        assert_true(result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
        assert_int_equal(m->purse->left, 0);
        m->purse->left = UINT32_MAX;
        m->failures++;
        return;
    }
    assert_int_equal(result, KN_OK);
}

static inline void match_turn(match *m)
{
    if (m->relay != NULL) {
        match_relay_turn(m);
    }
    for (uint32_t i = 1; i < MATCH_SEATS; i++) {
        seat *s = &m->seats[i];
        if (s->rollback == NULL || s->is_frozen) {
            continue;
        }
        match_receive(m, i);
        if (m->play != NULL) {
            m->play(m, i);
        }
        match_update(m, i);
        match_hear(m, i);
        match_send(m, i);
    }
    m->now += MATCH_FRAME;
}

static inline void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end;) {
        match_turn(m);
    }
}

// The def that all sessions of a match begin with.
static inline kn_rollback_def match_def(const match *m, uint32_t number)
{
    kn_rollback_def def = kn_rollback_def_default();
    def.world = m->seats[number].world;
    def.player_count = m->player_count;
    def.player = number <= m->player_count ? number : 0;
    def.spectator_limit = MATCH_SPECTATORS;
    def.hash_every = m->hash_every > 0 ? m->hash_every : def.hash_every;
    def.timeout = m->timeout > 0 ? m->timeout : def.timeout;
    return def;
}

// Opens the lines of a player.
static inline void match_open(match *m, uint32_t number)
{
    for (uint32_t to = 0; to <= m->player_count; to++) {
        if (match_has_line(m, number, to)) {
            assert_int_equal(kn_rollback_open(m->seats[number].rollback, m->now, to), KN_OK);
        }
    }
    if (m->relay != NULL) {
        assert_int_equal(kn_relay_open(m->relay, m->now, number), KN_OK);
    }
}

// A spectator comes, with a world that is not that of the match.
static inline void match_watch(match *m, uint32_t number, kn_world *world, uint32_t peer)
{
    seat *s = &m->seats[number];
    s->world = world;
    s->watches = peer;
    kn_rollback_def def = match_def(m, number);
    assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
    assert_int_equal(kn_rollback_open(s->rollback, m->now, peer), KN_OK);
    if (peer == 0) {
        assert_int_equal(kn_relay_open(m->relay, m->now, number), KN_OK);
    } else {
        assert_int_equal(kn_rollback_open(m->seats[peer].rollback, m->now, number), KN_OK);
    }
}

// The network, and a relay if wanted; then create worlds and sessions, and open the lines.
static inline void match_begin(
    match *m, uint32_t players, bool has_relay, const kn_net_conditions *conditions)
{
    memset(m, 0, sizeof(*m));
    m->player_count = players;
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = MATCH_SEATS;
    net.seed = 11;
    net.conditions = *conditions;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    if (has_relay) {
        kn_relay_def def = kn_relay_def_default();
        def.player_count = players;
        assert_int_equal(kn_relay_create(&def, &m->relay), KN_OK);
    }
}

static inline void match_end(match *m)
{
    for (uint32_t i = 0; i < MATCH_SEATS; i++) {
        kn_rollback_destroy(m->seats[i].rollback);
        kn_world_destroy(m->seats[i].world);
        kn_grid_destroy(m->seats[i].grid);
    }
    kn_relay_destroy(m->relay);
    kn_net_sim_destroy(m->net);
    kn_library_destroy(m->library);
}

#endif
