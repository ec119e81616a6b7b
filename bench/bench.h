// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the benchmark scenes share. A scene is one function: it builds its world, measures, and
// notes its metrics; the program runs it several times and keeps the best of each.
#ifndef KNACK_BENCH_H
#define KNACK_BENCH_H

#include "knack/knack.h"

typedef struct bench_report bench_report;

// Notes one number of the scene that is running; less is better.
void bench_note(bench_report *bench, const char *metric, double value, const char *unit);

// Ends the program with a message unless the result is KN_OK.
void bench_check(kn_result result, const char *what);

double bench_now_ns(void);

// A stream of its own, the same in every run.
uint32_t bench_random_below(uint64_t *state, uint32_t bound);

// Keeps the compiler from leaving out what is measured.
void bench_use(uint64_t value);

// Sizes of a world that a scene is measured with. With `metric`, the cost of a frame in which as
// much happens in each of them is noted. Where the work grows with the world, the cost of a unit of
// it is, with names of the same form: WHAT_1x_ns. The program prints both as a table.
#define BENCH_SIZES 3
typedef struct bench_size {
    const char *metric;
    uint32_t times;
} bench_size;
extern const bench_size bench_sizes[BENCH_SIZES];

// The scenes, by file.
void bench_command(bench_report *bench);
void bench_command_scale(bench_report *bench);

void bench_cue_burst(bench_report *bench);

#ifdef KNACK_BENCH_CAPABILITY
void bench_capability_event_10k(bench_report *bench);
void bench_capability_poll_10k(bench_report *bench);
void bench_capability_tick_1k(bench_report *bench);
void bench_capability_scale(bench_report *bench);
#endif
#ifdef KNACK_BENCH_ORDER
void bench_orders_10k(bench_report *bench);
void bench_orders_scale(bench_report *bench);
void bench_orders_idle_100k(bench_report *bench);
void bench_orders_idle_scale(bench_report *bench);
void bench_auto_orders_10k(bench_report *bench);
void bench_auto_orders_scale(bench_report *bench);
void bench_formation_200(bench_report *bench);
void bench_tree_step(bench_report *bench);
void bench_movers_10k(bench_report *bench);
void bench_movers_scale(bench_report *bench);
void bench_path_find(bench_report *bench);
void bench_skirmish_2k(bench_report *bench);
void bench_skirmish_scale(bench_report *bench);
#endif
#ifdef KNACK_BENCH_RTS
void bench_projectiles_10k(bench_report *bench);
void bench_projectiles_scale(bench_report *bench);
void bench_vision_2k(bench_report *bench);
void bench_vision_scale(bench_report *bench);
#endif
#ifdef KNACK_BENCH_RTS
void bench_command_card(bench_report *bench);
void bench_upgrade_5k(bench_report *bench);
#endif
#ifdef KNACK_BENCH_COMBAT
void bench_proc_storm(bench_report *bench);
void bench_proc_scale(bench_report *bench);
void bench_cast_10k(bench_report *bench);
void bench_cast_scale(bench_report *bench);
#endif

#ifdef KNACK_BENCH_DATA
void bench_data_load_10k(bench_report *bench);
#endif

void bench_destroy(bench_report *bench);

void bench_expression(bench_report *bench);

void bench_dot_10k(bench_report *bench);
void bench_dot_idle_100k(bench_report *bench);
void bench_dot_1m(bench_report *bench);
void bench_dot_scale(bench_report *bench);
void bench_stack_10k(bench_report *bench);
void bench_stack_scale(bench_report *bench);

void bench_activate(bench_report *bench);
void bench_refuse(bench_report *bench);
void bench_task_100k(bench_report *bench);
void bench_task_scale(bench_report *bench);

void bench_apply_remove(bench_report *bench);
void bench_instant(bench_report *bench);
void bench_buff_apply(bench_report *bench);
void bench_tag_test(bench_report *bench);
void bench_derived_chain(bench_report *bench);
void bench_apply_many_of_one(bench_report *bench);
void bench_end_many(bench_report *bench);
void bench_end_many_of_one(bench_report *bench);

void bench_bytes(bench_report *bench);
void bench_snapshot_1k(bench_report *bench);
void bench_resim_8(bench_report *bench);
void bench_hash_1k(bench_report *bench);
void bench_project_1k(bench_report *bench);
void bench_project_scale(bench_report *bench);
void bench_save_load_1k(bench_report *bench);

#ifdef KNACK_BENCH_NET
void bench_net_100(bench_report *bench);
void bench_net_quiet(bench_report *bench);
void bench_net_join(bench_report *bench);
void bench_net_packet(bench_report *bench);
void bench_rollback_8(bench_report *bench);
#endif

void bench_script_activate(bench_report *bench);
void bench_script_magnitude(bench_report *bench);

void bench_rewind(bench_report *bench);

void bench_target_grid(bench_report *bench);

#ifdef KNACK_BENCH_COMBAT
void bench_threat_100(bench_report *bench);
void bench_raid_40(bench_report *bench);
void bench_raid_scale(bench_report *bench);
#endif

void bench_hero_kit_1k(bench_report *bench);
void bench_hero_kit_4k(bench_report *bench);
void bench_hero_kit_scale(bench_report *bench);

#endif
