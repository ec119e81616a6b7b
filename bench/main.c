// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Runs the benchmark scenes and prints the best of several runs, as text and as CSV; then how the
// cost of a unit of work grows with their number and, on request, how all compares with earlier
// numbers.
// usage: bench [--list] [--huge-pages] [--scene NAME] [--repeat N] [--csv FILE] [--compare FILE]
//
// Under callgrind, --collect-atstart=no counts the instructions of the measured parts only.

#define _POSIX_C_SOURCE 200809L

#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif

#define METRICS_MAX 16
#define BARS_MAX 8
#define REPEAT_DEFAULT 5
#define REPEAT_MAX 1000
#define VALUES_MAX 64 // of a metric that are kept, for its spread

typedef struct bench_metric {
    const char *name;
    const char *unit;
    double value; // the best
    double values[VALUES_MAX];
    uint32_t value_count;
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
    bench_bar bars[BARS_MAX];
} bench_scene;

static const bench_scene scenes[] = {
    {"dot_10k", bench_dot_10k, {{"frame_ms", 0.04}, {"allocations", 0}}},
    {"dot_idle_100k", bench_dot_idle_100k, {{"frame_ms", 0.00005}, {"allocations", 0}}},
    {"dot_1m", bench_dot_1m, {{"frame_ms", 0.8}, {"allocations", 0}}},
    {"dot_scale", bench_dot_scale, {{0}}},
    {"apply_remove", bench_apply_remove, {{"apply_ns", 90}, {"remove_ns", 50}}},
    {"instant", bench_instant, {{"op_ns", 16}}},
    {"buff_apply", bench_buff_apply, {{"op_ns", 110}}},
    {"tag_test", bench_tag_test, {{"op_ns", 1.5}}},
    {"bytes", bench_bytes,
        {{"effect_bytes", 96}, {"actor16_bytes", 512}, {"actor_empty_bytes", 64},
            {"world_empty_kb", 64}}},
    {"snapshot_1k", bench_snapshot_1k, {{"round_trip_ms", 0.09}}},
    {"resim_8", bench_resim_8, {{"total_ms", 0.12}}},
    {"hash_1k", bench_hash_1k, {{"total_ms", 0.06}}},
    {"save_load_1k", bench_save_load_1k, {{"round_trip_ms", 3}}},
    {"project_1k", bench_project_1k, {{0}}},
    {"project_scale", bench_project_scale, {{0}}},
    {"stack_10k", bench_stack_10k, {{"frame_ms", 0.45}, {"allocations", 0}}},
    {"stack_scale", bench_stack_scale, {{0}}},
    {"derived_chain", bench_derived_chain, {{"op_ns", 300}}},
    {"apply_many_of_one", bench_apply_many_of_one, {{0}}},
    {"end_many", bench_end_many, {{0}}},
    {"end_many_of_one", bench_end_many_of_one, {{0}}},
    {"destroy", bench_destroy, {{"one_1x_ns", 1000}, {"one_4x_ns", 1000}, {"one_16x_ns", 1000}}},
    {"expression", bench_expression, {{"op_ns", 40}}},
    {"activate", bench_activate, {{"op_ns", 180}}},
    {"refuse", bench_refuse, {{"op_ns", 25}}},
    {"command", bench_command, {{"allocations", 0}}},
    {"command_scale", bench_command_scale, {{0}}},
#if defined(KNACK_BENCH_SCRIPT)
    {"script_activate", bench_script_activate, {{"op_ns", 3000}, {"allocations", 0}}},
    {"script_magnitude", bench_script_magnitude, {{"magnitude_ns", 270}}},
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
    {"movers_10k", bench_movers_10k, {{"allocations", 0}}},
    {"movers_scale", bench_movers_scale, {{0}}},
    {"path_find", bench_path_find, {{0}}},
    {"skirmish_2k", bench_skirmish_2k, {{"frame_ms", 2.0}, {"allocations", 0}}},
    {"skirmish_scale", bench_skirmish_scale, {{0}}},
#endif
#ifdef KNACK_BENCH_RTS
    {"projectiles_10k", bench_projectiles_10k, {{"frame_ms", 0.2}, {"allocations", 0}}},
    {"projectiles_scale", bench_projectiles_scale, {{0}}},
    {"vision_2k", bench_vision_2k, {{"frame_ms", 0.5}, {"allocations", 0}}},
    {"vision_scale", bench_vision_scale, {{0}}},
#endif
#ifdef KNACK_BENCH_RTS
    {"command_card", bench_command_card, {{"op_ns", 5000}, {"allocations", 0}}},
    {"upgrade_5k", bench_upgrade_5k, {{"total_ms", 2}}},
#endif
#if defined(KNACK_BENCH_COMBAT)
    {"cast_10k", bench_cast_10k, {{"frame_ms", 0.3}, {"allocations", 0}}},
    {"cast_scale", bench_cast_scale, {{0}}},
#endif
    {"hero_kit_1k", bench_hero_kit_1k, {{"frame_ms", 0.2}, {"allocations", 0}}},
    {"hero_kit_4k", bench_hero_kit_4k, {{"frame_ms", 1.0}, {"allocations", 0}}},
    {"hero_kit_scale", bench_hero_kit_scale, {{0}}},
    {"target_grid", bench_target_grid, {{"op_ns", 1000}}},
    {"rewind", bench_rewind, {{"op_ns", 5000}, {"keep_ms", 0.5}}},
    {"cue_burst", bench_cue_burst, {{"op_ns", 150}, {"allocations", 0}}},
#ifdef KNACK_BENCH_COMBAT
    {"proc_storm", bench_proc_storm, {{"op_ns", 500}, {"allocations", 0}}},
    {"proc_scale", bench_proc_scale, {{0}}},
    {"threat_100", bench_threat_100, {{"op_ns", 200}, {"allocations", 0}}},
    {"raid_40", bench_raid_40, {{"frame_ms", 1.0}, {"allocations", 0}}},
    {"raid_scale", bench_raid_scale, {{0}}},
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
            if (metric->value_count < VALUES_MAX) {
                metric->values[metric->value_count++] = value;
            }
            return;
        }
    }
    if (bench->metric_count == METRICS_MAX) {
        fprintf(stderr, "bench: too many metrics\n");
        exit(1);
    }
    bench->metrics[bench->metric_count++] = (bench_metric){name, unit, value, {value}, 1};
}

void bench_check(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// Scenes call this in pairs, before and after what they measure. Processor time: what other
// programs do meanwhile does not count.
double bench_now_ns(void)
{
#ifdef CALLGRIND_TOGGLE_COLLECT
    CALLGRIND_TOGGLE_COLLECT;
#endif
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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
    for (uint32_t i = 0; i < BARS_MAX && scene->bars[i].metric != NULL; i++) {
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

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// How far the middle of the runs is from the best, as a part of the best.
static double metric_spread(bench_metric *metric)
{
    if (metric->value <= 0.0) {
        return 0.0;
    }
    qsort(metric->values, metric->value_count, sizeof(double), compare_doubles);
    return (metric->values[metric->value_count / 2] - metric->value) / metric->value;
}

// A number of this run, or of an earlier one.
typedef struct bench_row {
    char scene[32], metric[32];
    double value, spread;
} bench_row;

typedef struct bench_rows {
    bench_row *data;
    size_t count, capacity;
} bench_rows;

static bench_row *rows_add(bench_rows *rows)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity == 0 ? 256 : rows->capacity * 2;
        bench_row *data = realloc(rows->data, rows->capacity * sizeof(*data));
        if (data == NULL) {
            bench_check(KN_ERROR_OUT_OF_MEMORY, "realloc");
        }
        rows->data = data;
    }
    return &rows->data[rows->count++];
}

static const bench_row *rows_find(const bench_rows *rows, const char *scene, const char *metric)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->data[i].scene, scene) == 0 && strcmp(rows->data[i].metric, metric) == 0) {
            return &rows->data[i];
        }
    }
    return NULL;
}

static void run_scene(const bench_scene *scene, uint32_t repeat, FILE *csv, bench_rows *rows)
{
    static bench_report bench;
    bench.metric_count = 0;
    for (uint32_t i = 0; i < repeat; i++) {
        scene->run(&bench);
    }
    for (uint32_t i = 0; i < bench.metric_count; i++) {
        bench_metric *metric = &bench.metrics[i];
        const bench_bar *bar = find_bar(scene, metric->name);
        char value[32], limit[32] = "";
        print_number(value, sizeof value, metric->value);
        if (bar != NULL) {
            print_number(limit, sizeof limit, bar->value);
        }
        const char *verdict = bar == NULL ? "" : metric->value <= bar->value ? "met" : "MISSED";
        printf("%-14s %-18s %12s %-6s %10s  %s\n", i == 0 ? scene->name : "", metric->name, value,
            metric->unit, limit, verdict);
        bench_row *row = rows_add(rows);
        row->value = metric->value;
        row->spread = metric_spread(metric);
        (void)snprintf(row->scene, sizeof(row->scene), "%s", scene->name);
        (void)snprintf(row->metric, sizeof(row->metric), "%s", metric->name);
        if (csv != NULL) {
            fprintf(csv, "%s,%s,%.6g,%s,%.3f\n", scene->name, metric->name, metric->value,
                metric->unit, row->spread);
        }
    }
    (void)fflush(stdout);
}

static int run_scenes(const char *wanted, uint32_t repeat, FILE *csv, bench_rows *rows)
{
    printf("%-14s %-18s %12s %-6s %10s\n", "scene", "metric", "value", "unit", "bar");
    if (csv != NULL) {
        fprintf(csv, "scene,metric,value,unit,spread\n");
    }
    bool found = false;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        if (wanted == NULL || strcmp(wanted, scenes[i].name) == 0) {
            run_scene(&scenes[i], repeat, csv, rows);
            found = true;
        }
    }
    if (!found) {
        fprintf(stderr, "bench: no scene is called %s; see --list\n", wanted);
        return 2;
    }
    return 0;
}

// Scaling -------------------------------------------------------------------

// The metrics WHAT_1x_UNIT, WHAT_4x_UNIT and WHAT_16x_UNIT are the cost of one unit of work where
// there is 1, 4 and 16 times as much of it, or of one frame in a world 1, 4 and 16 times as large.
static void print_scaling(const bench_rows *rows)
{
    bool is_first = true;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->data[i];
        const char *at = strstr(row->metric, "_1x_");
        if (at == NULL) {
            continue;
        }
        int length = (int)(at - row->metric);
        const bench_row *sizes[BENCH_SIZES] = {row};
        double most = row->value;
        for (uint32_t size = 1; size < BENCH_SIZES; size++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%.*s_%ux_%s", length, row->metric,
                (unsigned)bench_sizes[size].times, at + strlen("_1x_"));
            sizes[size] = rows_find(rows, row->scene, name);
            if (sizes[size] != NULL && sizes[size]->value > most) {
                most = sizes[size]->value;
            }
        }
        if (sizes[1] == NULL || sizes[2] == NULL) {
            continue;
        }
        if (is_first) {
            printf("\n%-18s %-10s %10s %10s %10s %7s\n", "scaling", "a", "1x", "4x", "16x", "most");
            is_first = false;
        }
        char numbers[BENCH_SIZES][32];
        for (uint32_t size = 0; size < BENCH_SIZES; size++) {
            print_number(numbers[size], sizeof numbers[size], sizes[size]->value);
        }
        printf("%-18s %-10.*s %10s %10s %10s %7.2f  %s\n", row->scene, length, row->metric,
            numbers[0], numbers[1], numbers[2], most / row->value,
            most >= 2.0 * row->value ? "GROWS" : "");
    }
}

// Comparing -----------------------------------------------------------------

// Reads what --csv wrote, today's form or the one without a spread.
static bool rows_read(bench_rows *rows, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    char line[256];
    unsigned number = 0;
    bool is_good = true;
    while (is_good && fgets(line, sizeof line, file) != NULL) {
        bench_row row = {0};
        int end = 0;
        if (++number > 1) { // the first line has the names of the columns
            is_good = sscanf(line, "%31[^,],%31[^,],%lf,%n", row.scene, row.metric, &row.value,
                          &end) == 3 &&
                      end > 0;
            const char *comma = is_good ? strchr(line + end, ',') : NULL;
            row.spread = comma != NULL ? strtod(comma + 1, NULL) : 0.0;
            if (is_good) {
                *rows_add(rows) = row;
            }
        }
    }
    if (!is_good || number == 0) {
        fprintf(
            stderr, "bench: %s:%u: not a row of scene,metric,value,unit,spread\n", path, number);
        is_good = false;
    }
    (void)fclose(file);
    return is_good;
}

// A ratio below 1 is better. The runs of both sides spread: a difference within that says nothing.
static void print_comparison(const bench_rows *now, const bench_rows *earlier)
{
    printf("\n%-18s %-18s %12s %12s %7s %8s\n", "compared", "metric", "earlier", "now", "ratio",
        "spread");
    for (size_t i = 0; i < now->count; i++) {
        const bench_row *row = &now->data[i];
        const bench_row *old = rows_find(earlier, row->scene, row->metric);
        char value[32], before[32] = "-";
        print_number(value, sizeof value, row->value);
        if (old != NULL) {
            print_number(before, sizeof before, old->value);
        }
        printf("%-18s %-18s %12s %12s", row->scene, row->metric, before, value);
        if (old == NULL) {
            printf(" %7s %8s  new\n", "-", "-");
        } else if (old->value <= 0.0) {
            printf(" %7s %8s  %s\n", "-", "-", row->value > 0.0 ? "MORE" : "");
        } else {
            double ratio = row->value / old->value;
            double spread = row->spread > old->spread ? row->spread : old->spread;
            const char *verdict = ratio > 1.0 + spread && ratio > 1.02   ? "MORE"
                                  : ratio < 1.0 - spread && ratio < 0.98 ? "less"
                                                                         : "";
            printf(" %7.3f %7.1f%%  %s\n", ratio, spread * 100.0, verdict);
        }
    }
}

static int usage(void)
{
    fprintf(stderr,
        "usage: bench [--list] [--huge-pages] [--scene NAME] [--repeat N] [--csv FILE]\n"
        "             [--compare FILE]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *wanted = NULL;
    const char *csv_path = NULL;
    const char *compare_path = NULL;
    uint32_t repeat = REPEAT_DEFAULT;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--list") == 0) {
            for (size_t scene = 0; scene < SCENE_COUNT; scene++) {
                printf("%s\n", scenes[scene].name);
            }
            return 0;
        }
        if (strcmp(argument, "--huge-pages") == 0) {
            fixture_huge_pages = true;
            continue;
        }
        if (i + 1 == argc) {
            return usage();
        }
        const char *value = argv[++i];
        if (strcmp(argument, "--scene") == 0) {
            wanted = value;
        } else if (strcmp(argument, "--csv") == 0) {
            csv_path = value;
        } else if (strcmp(argument, "--compare") == 0) {
            compare_path = value;
        } else if (strcmp(argument, "--repeat") == 0) {
            char *end;
            unsigned long count = strtoul(value, &end, 10);
            if (*end != '\0' || count == 0 || count > REPEAT_MAX) {
                return usage();
            }
            repeat = (uint32_t)count;
        } else {
            return usage();
        }
    }

    bench_rows earlier = {0}, rows = {0};
    if (compare_path != NULL && !rows_read(&earlier, compare_path)) {
        free(earlier.data);
        return 1;
    }
    FILE *csv = NULL;
    if (csv_path != NULL) {
        csv = fopen(csv_path, "w");
        if (csv == NULL) {
            fprintf(stderr, "bench: %s: %s\n", csv_path, strerror(errno));
            free(earlier.data);
            return 1;
        }
    }
    int status = run_scenes(wanted, repeat, csv, &rows);
    if (csv != NULL && fclose(csv) != 0) {
        fprintf(stderr, "bench: %s: %s\n", csv_path, strerror(errno));
        status = 1;
    }
    print_scaling(&rows);
    if (status == 0 && compare_path != NULL) {
        print_comparison(&rows, &earlier);
    }
    free(rows.data);
    free(earlier.data);
    return status;
}
