// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a peer does for the comparison: actors with a health and a speed, effects that take one
// health each second, hits that take one at once, and buffs that add ten to the speed while they
// last. Nothing else: no tags, no events, no causes, no stacking.
#ifndef KNACK_BENCH_PEER_H
#define KNACK_BENCH_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer peer;

extern const char *const peer_name;

// A world with that many actors, of 1,000,000 health each.
peer *peer_create(uint32_t actors);
void peer_destroy(peer *p);

// An effect that ticks each second, the first time after `phase` seconds; returns its handle.
uint64_t peer_dot_apply(peer *p, uint32_t actor, float phase);
uint64_t peer_buff_apply(peer *p, uint32_t actor);
void peer_dot_remove(peer *p, uint64_t effect);
void peer_buff_remove(peer *p, uint64_t effect);
void peer_hit(peer *p, uint32_t actor);
// One frame: every effect counts down, those that are due tick.
void peer_step(peer *p, float dt);

float peer_health(peer *p, uint32_t actor);

#ifdef __cplusplus
}
#endif

#endif
