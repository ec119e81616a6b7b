// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Runs the benchmark scenes and prints the best of several runs, as text and as CSV.
// usage: bench [--list] [--scene NAME] [--repeat N] [--csv FILE]

#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define METRICS_MAX 8
#define REPEAT_DEFAULT 5

typedef struct bench_metric {
    const char *name;
    const char *unit;
    double value;
} bench_metric;

struct bench_report {
    bench_metric metrics[METRICS_MAX];
    uint32_t metric_count;
};

// What a metric must not exceed.
typedef struct bench_bar {
    const char *metric;
    double value;
} bench_bar;

typedef struct bench_scene {
    const char *name;
    void (*run)(bench_report *bench);
    bench_bar bars[METRICS_MAX];
} bench_scene;

static const bench_scene scenes[] = {
    {"dot_10k", bench_dot_10k, {{"frame_ms", 0.1}, {"allocations", 0}}},
    {"dot_idle_100k", bench_dot_idle_100k, {{"frame_ms", 0.005}, {"allocations", 0}}},
    {"dot_1m", bench_dot_1m, {{"frame_ms", 1.0}, {"allocations", 0}}},
    {"dot_scale", bench_dot_scale, {{0}}},
    {"apply_remove", bench_apply_remove, {{"apply_ns", 150}, {"remove_ns", 80}}},
    {"instant", bench_instant, {{"op_ns", 30}}},
    {"buff_apply", bench_buff_apply, {{"op_ns", 180}}},
    {"tag_test", bench_tag_test, {{"op_ns", 2}}},
    {"bytes", bench_bytes,
        {{"effect_bytes", 96}, {"actor16_bytes", 512}, {"actor_empty_bytes", 64},
            {"world_empty_kb", 64}}},
    {"snapshot_1k", bench_snapshot_1k, {{"round_trip_ms", 0.2}}},
    {"resim_8", bench_resim_8, {{"total_ms", 1.0}}},
    {"hash_1k", bench_hash_1k, {{"total_ms", 0.1}}},
    {"save_load_1k", bench_save_load_1k, {{0}}},
    {"project_1k", bench_project_1k, {{0}}},
    {"stack_10k", bench_stack_10k, {{"allocations", 0}}},
    {"stack_scale", bench_stack_scale, {{0}}},
    {"derived_chain", bench_derived_chain, {{0}}},
    {"apply_many_of_one", bench_apply_many_of_one, {{0}}},
    {"end_many", bench_end_many, {{0}}},
    {"end_many_of_one", bench_end_many_of_one, {{0}}},
    {"destroy", bench_destroy, {{"one_1x_ns", 1000}, {"one_4x_ns", 1000}, {"one_16x_ns", 1000}}},
    {"expression", bench_expression, {{"op_ns", 40}}},
    {"activate", bench_activate, {{"op_ns", 300}}},
    {"refuse", bench_refuse, {{"op_ns", 50}}},
    {"command", bench_command, {{"allocations", 0}}},
    {"command_scale", bench_command_scale, {{0}}},
#if defined(KNACK_BENCH_SCRIPT)
    {"script_activate", bench_script_activate, {{"op_ns", 3000}, {"allocations", 0}}},
    {"script_magnitude", bench_script_magnitude, {{"magnitude_ns", 500}}},
#endif
    {"task_100k", bench_task_100k, {{"allocations", 0}}},
    {"task_scale", bench_task_scale, {{0}}},
#ifdef KNACK_BENCH_CAPABILITY
    {"capability_event_10k", bench_capability_event_10k, {{"frame_ms", 0.02}, {"allocations", 0}}},
    {"capability_poll_10k", bench_capability_poll_10k, {{"frame_ms", 2.0}, {"allocations", 0}}},
    {"capability_tick_1k", bench_capability_tick_1k, {{"frame_ms", 0.3}, {"allocations", 0}}},
    {"capability_scale", bench_capability_scale, {{0}}},
#endif
#ifdef KNACK_BENCH_ORDER
    {"orders_10k", bench_orders_10k, {{"frame_ms", 0.5}, {"allocations", 0}}},
    {"orders_scale", bench_orders_scale, {{0}}},
    {"orders_idle_100k", bench_orders_idle_100k, {{"frame_ms", 0.02}, {"allocations", 0}}},
    {"orders_idle_scale", bench_orders_idle_scale, {{0}}},
    {"auto_orders_10k", bench_auto_orders_10k, {{"frame_ms", 1.0}, {"allocations", 0}}},
    {"auto_orders_scale", bench_auto_orders_scale, {{0}}},
    {"formation_200", bench_formation_200, {{"op_ns", 50000}}},
    {"tree_step", bench_tree_step, {{"op_ns", 250}, {"allocations", 0}}},
#endif
#if defined(KNACK_BENCH_COMBAT)
    {"cast_10k", bench_cast_10k, {{"frame_ms", 0.3}, {"allocations", 0}}},
    {"cast_scale", bench_cast_scale, {{0}}},
#endif
    {"hero_kit_1k", bench_hero_kit_1k, {{"frame_ms", 0.5}, {"allocations", 0}}},
    {"hero_kit_4k", bench_hero_kit_4k, {{"frame_ms", 1.2}, {"allocations", 0}}},
    {"hero_kit_scale", bench_hero_kit_scale, {{0}}},
    {"target_grid", bench_target_grid, {{"op_ns", 1000}}},
    {"rewind", bench_rewind, {{"op_ns", 5000}, {"keep_ms", 0.5}}},
    {"cue_burst", bench_cue_burst, {{"op_ns", 150}, {"allocations", 0}}},
#ifdef KNACK_BENCH_COMBAT
    {"proc_storm", bench_proc_storm, {{"op_ns", 500}, {"allocations", 0}}},
    {"proc_scale", bench_proc_scale, {{0}}},
    {"threat_100", bench_threat_100, {{"op_ns", 200}, {"allocations", 0}}},
    {"raid_40", bench_raid_40, {{"frame_ms", 1.0}, {"allocations", 0}}},
#endif
#ifdef KNACK_BENCH_NET
    {"net_100", bench_net_100,
        {{"down_bytes_s", 6000}, {"server_tick_ms", 2}, {"client_tick_ms", 1}}},
    {"net_quiet", bench_net_quiet, {{"down_bytes_s", 300}}},
    {"net_join", bench_net_join, {{0}}},
    {"net_packet", bench_net_packet, {{0}}},
    {"rollback_8", bench_rollback_8,
        {{"tick_ms", 1}, {"mesh_bytes_s", 16000}, {"relay_bytes_s", 4000}}},
#endif
#ifdef KNACK_BENCH_DATA
    {"data_load_10k", bench_data_load_10k, {{"op_ns", 50000}}},
#endif
};

#define SCENE_COUNT (sizeof scenes / sizeof scenes[0])

// What scenes call ----------------------------------------------------------

void bench_note(bench_report *bench, const char *name, double value, const char *unit)
{
    for (uint32_t i = 0; i < bench->metric_count; i++) {
        bench_metric *metric = &bench->metrics[i];
        if (strcmp(metric->name, name) == 0) {
            metric->value = value < metric->value ? value : metric->value;
            return;
        }
    }
    if (bench->metric_count == METRICS_MAX) {
        fprintf(stderr, "bench: too many metrics\n");
        exit(1);
    }
    bench->metrics[bench->metric_count++] = (bench_metric){name, unit, value};
}

void bench_check(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

double bench_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

uint32_t bench_random_below(uint64_t *state, uint32_t bound)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % bound);
}

void bench_use(uint64_t value)
{
    static volatile uint64_t sink;
    sink = sink + value;
}

// Running and printing ------------------------------------------------------

static const bench_bar *find_bar(const bench_scene *scene, const char *metric)
{
    for (uint32_t i = 0; i < METRICS_MAX && scene->bars[i].metric != NULL; i++) {
        if (strcmp(scene->bars[i].metric, metric) == 0) {
            return &scene->bars[i];
        }
    }
    return NULL;
}

static void print_number(char *text, size_t size, double value)
{
    int decimals = value >= 100.0 || value == 0.0 ? 0 : value >= 1.0 ? 2 : value >= 0.01 ? 4 : 6;
    (void)snprintf(text, size, "%.*f", decimals, value);
}

static void run_scene(const bench_scene *scene, uint32_t repeat, FILE *csv)
{
    bench_report bench = {0};
    for (uint32_t i = 0; i < repeat; i++) {
        scene->run(&bench);
    }
    for (uint32_t i = 0; i < bench.metric_count; i++) {
        const bench_metric *metric = &bench.metrics[i];
        const bench_bar *bar = find_bar(scene, metric->name);
        char value[32], limit[32] = "";
        print_number(value, sizeof value, metric->value);
        if (bar != NULL) {
            print_number(limit, sizeof limit, bar->value);
        }
        const char *verdict = bar == NULL ? "" : metric->value <= bar->value ? "met" : "MISSED";
        printf("%-14s %-18s %12s %-6s %10s  %s\n", i == 0 ? scene->name : "", metric->name, value,
            metric->unit, limit, verdict);
        if (csv != NULL) {
            fprintf(csv, "%s,%s,%.6g,%s\n", scene->name, metric->name, metric->value, metric->unit);
        }
    }
    (void)fflush(stdout);
}

static int run_scenes(const char *wanted, uint32_t repeat, FILE *csv)
{
    printf("%-14s %-18s %12s %-6s %10s\n", "scene", "metric", "value", "unit", "bar");
    if (csv != NULL) {
        fprintf(csv, "scene,metric,value,unit\n");
    }
    bool found = false;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        if (wanted == NULL || strcmp(wanted, scenes[i].name) == 0) {
            run_scene(&scenes[i], repeat, csv);
            found = true;
        }
    }
    if (!found) {
        fprintf(stderr, "bench: no scene is called %s; see --list\n", wanted);
        return 2;
    }
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: bench [--list] [--scene NAME] [--repeat N] [--csv FILE]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *wanted = NULL;
    const char *csv_path = NULL;
    uint32_t repeat = REPEAT_DEFAULT;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--list") == 0) {
            for (size_t scene = 0; scene < SCENE_COUNT; scene++) {
                printf("%s\n", scenes[scene].name);
            }
            return 0;
        }
        if (i + 1 == argc) {
            return usage();
        }
        const char *value = argv[++i];
        if (strcmp(argument, "--scene") == 0) {
            wanted = value;
        } else if (strcmp(argument, "--csv") == 0) {
            csv_path = value;
        } else if (strcmp(argument, "--repeat") == 0) {
            char *end;
            unsigned long count = strtoul(value, &end, 10);
            if (*end != '\0' || count == 0 || count > 1000) {
                return usage();
            }
            repeat = (uint32_t)count;
        } else {
            return usage();
        }
    }

    FILE *csv = NULL;
    if (csv_path != NULL) {
        csv = fopen(csv_path, "w");
        if (csv == NULL) {
            fprintf(stderr, "bench: %s: %s\n", csv_path, strerror(errno));
            return 1;
        }
    }
    int status = run_scenes(wanted, repeat, csv);
    if (csv != NULL && fclose(csv) != 0) {
        fprintf(stderr, "bench: %s: %s\n", csv_path, strerror(errno));
        return 1;
    }
    return status;
}
