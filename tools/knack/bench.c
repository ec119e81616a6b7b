// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack bench: how long a scenario takes. The best of several runs counts: whatever else the
// machine does can only make one slower.

#include "stage.h"

#include <time.h>

typedef struct timing {
    uint32_t steps;
    double best_ns;
} timing;

static double now_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static cli_code time_once(const cli *call, stage *on, timing *to)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    cli_code code = stage_run(call, on, &def);
    if (code != CLI_GOOD) {
        return code;
    }
    double begin = now_ns();
    kn_result result = kn_scenario_run_finish(on->run);
    double taken = now_ns() - begin;
    to->best_ns = to->best_ns == 0 || taken < to->best_ns ? taken : to->best_ns;
    to->steps = kn_scenario_run_counts(on->run).steps;
    bool good = result == KN_OK && kn_scenario_run_passed(on->run);
    if (!stage_scripts_good(call, on) || !good) {
        cli_tell(call, "some expectations failed; run `knack run` for details");
        code = CLI_BAD;
    }
    kn_scenario_run_destroy(on->run);
    on->run = NULL;
    return code;
}

static void timing_print(const cli *call, const char *path, const timing *from, uint64_t repeat)
{
    double per_step = from->steps > 0 ? from->best_ns / from->steps : 0;
    double per_second = from->best_ns > 0 ? 1e9 * from->steps / from->best_ns : 0;
    if (!cli_has(call, "json")) {
        (void)printf("%s: %u steps in %.3f ms: %.0f steps per second, %.0f ns per step, best of "
                     "%llu\n",
            path, from->steps, from->best_ns / 1e6, per_second, per_step,
            (unsigned long long)repeat);
        return;
    }
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "file", path);
    json_count(&out, "steps", from->steps);
    json_count(&out, "repeat", repeat);
    json_number(&out, "best_ms", from->best_ns / 1e6);
    json_number(&out, "steps_per_second", per_second);
    json_number(&out, "ns_per_step", per_step);
    json_end(&out, '}');
    json_print(&out);
}

cli_code bench_main(const cli *call)
{
    uint64_t repeat = cli_number_of(call, "repeat", 7);
    stage on;
    timing to = {0};
    cli_code code = stage_load(call, call->arguments[0], &on);
    cli_catch_interrupt();
    for (uint64_t i = 0; code == CLI_GOOD && i < repeat && cli_interrupted == 0; i++) {
        code = time_once(call, &on, &to);
    }
    if (code == CLI_GOOD && cli_interrupted != 0) {
        cli_tell(call, "interrupted");
        code = CLI_INTERRUPTED;
    }
    if (code == CLI_GOOD) {
        timing_print(call, call->arguments[0], &to, repeat);
    }
    stage_free(&on);
    return code;
}
