// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack watch: plays scenarios again whenever a file behind them changes. Looks at times and sizes
// now and then, which works on every file system.

#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum ^= value + 0x9e3779b97f4a7c15u + (sum << 6) + (sum >> 2);
    return sum * 0xff51afd7ed558ccdu;
}

static uint64_t text_hash(const char *words)
{
    uint64_t hash = 0;
    for (; *words != 0; words++) {
        hash = mix(hash, (unsigned char)*words);
    }
    return hash;
}

// A number for the state of a file, or of all files below a folder.
static uint64_t fingerprint(const char *path, uint32_t depth)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return 1;
    }
    if (!S_ISDIR(status.st_mode)) {
        uint64_t own = mix((uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec);
        return mix(mix(own, (uint64_t)status.st_size), (uint64_t)status.st_ino);
    }
    // The time of a folder changes with the files of editors, too: only what is in it counts.
    folder below = {0};
    uint64_t sum = 2;
    if (depth < FOLDER_DEPTH_MAX) {
        folder_read(path, &below);
    }
    for (uint32_t i = 0; i < below.count; i++) {
        const char *inner = text_of(&below.paths[i]);
        sum = mix(mix(sum, text_hash(inner)), fingerprint(inner, depth + 1));
    }
    folder_free(&below);
    return sum;
}

// What is watched: the files of every scenario, and what --also names.
typedef struct watched {
    char **paths;
    uint32_t count;
} watched;

static void watched_add(watched *to, const char *path)
{
    for (uint32_t i = 0; i < to->count; i++) {
        if (strcmp(to->paths[i], path) == 0) {
            return;
        }
    }
    to->paths = cli_resize(to->paths, (to->count + 1) * sizeof(*to->paths));
    size_t size = strlen(path) + 1;
    to->paths[to->count] = cli_resize(NULL, size);
    memcpy(to->paths[to->count++], path, size);
}

static void watched_find(const cli *call, watched *to)
{
    const char *path;
    for (uint32_t i = 0; (path = cli_nth_of(call, "also", i)) != NULL; i++) {
        watched_add(to, path);
    }
    for (uint32_t i = 0; i < call->argument_count; i++) {
        watched_add(to, call->arguments[i]);
        kn_scenario *scenario;
        script_log log = {0};
        // One with errors reports its files as well.
        kn_result result = scripts_load_scenario(call, call->arguments[i], &log, &scenario);
        bool has_sources = result != KN_ERROR_OUT_OF_MEMORY && scenario != NULL;
        for (uint32_t k = 0; has_sources && (path = kn_scenario_source(scenario, k)) != NULL; k++) {
            watched_add(to, path);
        }
        kn_scenario_destroy(scenario);
        script_log_free(&log);
    }
}

static uint64_t watched_state(const watched *from)
{
    uint64_t state = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        state = mix(state, fingerprint(from->paths[i], 0));
    }
    return state;
}

static void watched_free(watched *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        free(from->paths[i]);
    }
    free(from->paths);
    *from = (watched){0};
}

static void nap(uint64_t ms)
{
    struct timespec span = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    (void)nanosleep(&span, NULL); // an interrupt ends it early
}

// Returns when something has changed and come to rest: editors write a file in several steps.
static void watched_wait(const watched *files, uint64_t before, uint64_t interval)
{
    uint64_t last = watched_state(files);
    while (cli_interrupted == 0) {
        nap(interval);
        uint64_t now = watched_state(files);
        if (now != before && now == last) {
            return;
        }
        last = now;
    }
}

// One play: finds the scenarios again, since folders may have new ones.
static cli_code watched_play(const cli *call, watched *files, uint64_t *before)
{
    stage_files own;
    cli_code code = stage_find(call, &own);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        watched_add(files, call->arguments[i]);
    }
    watched_find(&own.call, files);
    *before = watched_state(files); // a change while it is played is one, too
    code = code == CLI_GOOD ? run_all(&own.call, true) : code;
    (void)fflush(stdout);
    stage_files_free(&own);
    messages_free();
    return code;
}

cli_code watch_main(const cli *call)
{
    uint64_t interval = cli_number_of(call, "interval", 250);
    uint64_t times = cli_number_of(call, "times", UINT64_MAX);
    bool is_terminal = isatty(STDOUT_FILENO) == 1 && !cli_has(call, "json");
    cli_code code = CLI_GOOD;
    cli_catch_interrupt();
    for (uint64_t played = 0; played < times && cli_interrupted == 0;) {
        watched files = {0};
        uint64_t before;
        if (is_terminal && played > 0) {
            (void)printf(
                "\n%schanged, again:%s\n", cli_paint(call, CLI_DIM), cli_paint(call, CLI_PLAIN));
        }
        code = watched_play(call, &files, &before);
        played++;
        if (is_terminal && played == 1) {
            (void)printf("%swatching; press Ctrl-C to stop%s\n", cli_paint(call, CLI_DIM),
                cli_paint(call, CLI_PLAIN));
            (void)fflush(stdout);
        }
        if (played < times) {
            watched_wait(&files, before, interval);
        }
        watched_free(&files);
        if (ferror(stdout) != 0) {
            break; // the reader is gone
        }
    }
    return code;
}
