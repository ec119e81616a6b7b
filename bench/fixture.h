// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One library and one kind of world for all benchmark scenes: actors with 16 attributes, damage
// over time that grants tags, buffs, and stacks with timers of their own.
#ifndef KNACK_BENCH_FIXTURE_H
#define KNACK_BENCH_FIXTURE_H

#include "bench.h"

#define FIXTURE_DOTS 10     // kinds of damage over time, each with a tag of its own
#define FIXTURE_STACKINGS 5 // kinds of stacking effects
#define FIXTURE_CHAIN 8     // derived attributes that follow each other
#define FIXTURE_ATTRIBUTES 16

typedef struct bench_fixture {
    kn_library *library;
    kn_attribute_set_id vitals; // 16 attributes
    kn_attribute_set_id links;  // the chain
    kn_attribute_id health, speed;
    kn_attribute_id link[FIXTURE_CHAIN + 1];
    kn_tag status;                 // parent of what effects grant
    kn_tag dot_tags[FIXTURE_DOTS]; // below it
    kn_tag absent;                 // no actor has it
    kn_effect_type_id dots[FIXTURE_DOTS];
    kn_effect_type_id slow_dots[FIXTURE_DOTS]; // the same with a period of an hour
    kn_effect_type_id stackings[FIXTURE_STACKINGS];
    kn_effect_type_id follow[FIXTURE_CHAIN]; // link i + 1 follows link i
    kn_effect_type_id hit;                   // instant, one modifier
    kn_effect_type_id buff;                  // ten seconds, one modifier
    kn_effect_type_id mark;                  // no end, no modifier
    kn_ability_type_id bolt;   // pays health, starts a cooldown of half a second, ends
    kn_ability_type_id waiter; // its delays of a second begin again when they are over

    kn_world *world;
    kn_entity_id *entities;
    uint32_t entity_count;
} bench_fixture;

// Whether worlds get their memory in huge pages.
extern bool fixture_huge_pages;

// Registers everything; no world yet.
void fixture_init(bench_fixture *fixture);
// Capacities of a world for a number of actors and effects.
kn_world_def fixture_world_def(const bench_fixture *fixture, uint32_t entities, uint32_t effects);
// Makes the world and its actors, each with the 16 attributes.
void fixture_populate(bench_fixture *fixture, const kn_world_def *def, uint32_t entities);
// Ends the world; fixture_populate() makes another.
void fixture_clear(bench_fixture *fixture);
void fixture_free(bench_fixture *fixture);

kn_effect_id fixture_apply(
    const bench_fixture *fixture, kn_effect_type_id type, kn_entity_id target);
void fixture_step(const bench_fixture *fixture, kn_time dt);

// Gives every actor one effect of each of the types, in random order, evenly spread over `span`,
// so that the effects of one actor have random phases.
void fixture_spread(const bench_fixture *fixture, const kn_effect_type_id *types,
    uint32_t type_count, kn_time span);

#define FIXTURE_FRAME KN_US(16667) // 60 Hz

// One frame of a scene: what the host does, then the step.
typedef void frame_fn(bench_fixture *fixture, uint32_t frame);

void step_only(bench_fixture *fixture, uint32_t frame);
// The mean of a frame, in milliseconds, after some to warm up.
double frame_ms(bench_fixture *fixture, frame_fn *run, uint32_t warm_frames, uint32_t frames);
// Warms up, then notes the mean of a frame over whole seconds and the allocations of all of them.
void measure_frames(bench_report *bench, bench_fixture *fixture, frame_fn *run,
    uint32_t warm_frames, uint32_t frames);

#endif
