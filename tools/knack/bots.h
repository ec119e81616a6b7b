// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Many bots, and the report about them.
#ifndef BOTS_H
#define BOTS_H

#include "net_bot.h"
#include "net_host.h"

// What was counted of a bot up to some time.
typedef struct bot_counts {
    uint64_t up, down, corrections, corrected, resimulated, revoked, commands, refused;
    kn_time played;
} bot_counts;

typedef struct bots {
    const cli *call;
    bot_def def;
    bot *all;
    bot_counts *counts; // by bot: in the time that is measured; until its end, before it
    uint32_t count, threads;
    uint32_t rate;
    bool has_host; // the server is in this process
    host host;
    kn_time paused;                     // time that does not count
    kn_time churn;                      // between two bots that vanish; 0: none does
    uint32_t killed;                    // that vanished
    uint32_t absent;                    // in the end
    samples server_ticks, client_ticks; // milliseconds of processor time
    samples server_walls;               // milliseconds from start to end
    samples leads, trips;               // milliseconds: how far ahead, and there and back
    double seconds;                     // that were measured
    uint32_t checked, differing;        // clients that were compared, and those that differ
    text difference;                    // what is different at the first
    bool was_interrupted;
} bots;

// Plays for a time: all bots on their threads, the server on this one. False if the server failed.
bool bots_play(bots *on, kn_time length, bool acts);
kn_time bots_clock(const bots *on);
bot_counts bots_counts(const bot *of, kn_time now);

// After a quiet time: whether clients have what the server has. Fills `checked` and `differing`.
// False if the server failed.
bool bots_check(bots *on);

void bots_print(const bots *from);
void bots_json(const bots *from, const script_log *log);
void bots_svg(const bots *from, text *out);

#endif
