// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server over UDP: a world, the session and the transport, once around per tick.
#ifndef NET_HOST_H
#define NET_HOST_H

#include "arena.h"
#include "net_key.h"
#include "net_samples.h"

#include "knack/session.h"

// Somebody who has a slot of the transport.
typedef struct host_player {
    uint32_t connection; // of the session; 0: none
    bool is_joined;
    kn_time leaves;    // when the transport lets it go, once its session has ended; 0: not yet
    uint64_t up, down; // payload bytes from and to it
    uint64_t old_up, old_down; // for those who show rates
} host_player;

typedef struct host_def {
    const kn_library *library;
    const cast *cast;
    const net_key *key;
    kn_address address; // where to listen; port 0: any
    uint32_t rate, send_every, players;
    uint64_t seed;
    bool records;
    double sight;          // players see what is at most so far away; 0: everything
    uint64_t refuse_until; // as kn_udp_server_def.refuse_expiring_until
    // Called when somebody joins or leaves; may be NULL.
    void (*said)(void *user, const char *line);
    void *user;
} host_def;

typedef struct host {
    host_def def;
    arena arena;
    kn_server *server;
    kn_udp_server *udp;
    kn_udp_socket *socket;
    uint16_t port;
    host_player *players;        // by slot
    uint32_t *slot_of;           // by connection
    uint32_t joined, left, lost; // so far; of those who left, those who fell silent
    uint64_t up, down;           // payload bytes of all
    uint64_t unsent;             // datagrams that found no room
    samples ticks, recent; // milliseconds of processor time for a tick; since somebody cleared it
    samples walls;         // milliseconds from its start to its end
} host;

// By --address, --port, --rate, --send-every, --players, --sight, --seed. CLI_USAGE with a message.
cli_code host_options(const cli *call, host_def *out);
// CLI_UNREADABLE with a message. To be closed in any case.
cli_code host_open(const cli *call, const host_def *def, host *out);
// Receives, runs the ticks that are due, sends. False with a message when the world fails.
bool host_turn(const cli *call, host *on, kn_time now);
// Players that have joined and not left.
uint32_t host_count(const host *on);
// Disconnects all.
void host_close(host *on);

// Monotonic, in microseconds; and a pause until a time, which a signal may end early.
kn_time host_clock(void);
void host_sleep(kn_time now, kn_time until);
// Processor time that this thread has used, in milliseconds.
double host_work_ms(void);

#endif
