// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack bots: many clients over UDP that play at random, each on a line with latency and loss. They
// run on threads of their own; a server within the process runs on the first one.

#include "bots.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define JOINS_PER_SECOND 100
#define RETURN_TIME KN_S(30)
#define QUIET_TIME KN_S(3)
#define CATCH_UP_SECONDS 20
#define FILES_MORE 64 // than bots

kn_time bots_clock(const bots *on)
{
    return host_clock() - on->paused;
}

bot_counts bots_counts(const bot *of, kn_time now)
{
    kn_client_stats stats = kn_client_get_stats(of->client);
    return (bot_counts){.up = of->up,
        .down = of->down,
        .corrections = of->corrections + stats.corrections,
        .corrected = of->corrected + stats.corrected,
        .resimulated = of->resimulated + stats.resimulated,
        .revoked = of->revoked + stats.revoked,
        .commands = of->commands,
        .refused = of->refused,
        .played = of->played + (of->was_joined ? now - of->joined_at : 0)};
}

// Threads -------------------------------------------------------------------

typedef struct worker {
    bots *on;
    uint32_t first, step; // every `step`th bot from the first on
    kn_time until;
    bool acts;
    uint64_t random;
    uint32_t killed;
    samples ticks, leads, trips;
} worker;

static void bot_measure(worker *by, const bot *of)
{
    kn_client_stats stats = kn_client_get_stats(of->client);
    samples_add(&by->leads, (float)stats.lead * 1000.0f / (float)by->on->rate);
    samples_add(&by->trips, (float)stats.link.round_trip / 1000.0f);
}

static void worker_churn(worker *by, kn_time now)
{
    uint32_t mine = (by->on->count - by->first + by->step - 1) / by->step;
    by->random = by->random * 6364136223846793005u + 1442695040888963407u;
    bot *of = &by->on->all[by->first + by->step * ((uint32_t)(by->random >> 33) % mine)];
    if (of->state == BOT_PLAYING) {
        bot_kill(of, now, now + KN_MS(200));
        by->killed++;
    }
}

// False when none of its bots will ever play again.
static bool worker_frame(worker *by, kn_time now, bool is_second)
{
    bool goes_on = false;
    kn_time frame = 1000000 / by->on->rate;
    for (uint32_t i = by->first; i < by->on->count; i += by->step) {
        bot *of = &by->on->all[i];
        double before = host_work_ms();
        bot_turn(of, now, by->acts, frame);
        if (by->acts && bot_is_in(of)) {
            samples_add(&by->ticks, (float)(host_work_ms() - before));
        }
        if (by->acts && is_second && bot_is_in(of)) {
            bot_measure(by, of);
        }
        goes_on = goes_on || of->state != BOT_ENDED;
    }
    return goes_on;
}

static void *worker_run(void *user)
{
    worker *by = user;
    bots *on = by->on;
    kn_time start = bots_clock(on), now = start;
    kn_time churn = on->churn > 0 && by->acts ? on->churn * by->step : 0;
    kn_time next = churn > 0 ? start + churn : KN_TIME_INFINITE;
    bool goes_on = true;
    for (uint64_t frame = 1; goes_on && now < by->until && cli_interrupted == 0; frame++) {
        if (now >= next) {
            worker_churn(by, now);
            next += churn;
        }
        goes_on = worker_frame(by, now, frame % on->rate == 0);
        now = bots_clock(on);
        host_sleep(now, start + (kn_time)(frame * 1000000 / on->rate));
        now = bots_clock(on);
    }
    return NULL;
}

static bool host_run(bots *on, kn_time until)
{
    kn_time start = bots_clock(on), now = start;
    bool is_good = true;
    for (uint64_t turn = 1; is_good && now < until && cli_interrupted == 0; turn++) {
        is_good = host_turn(on->call, &on->host, now);
        now = bots_clock(on);
        host_sleep(now, start + (kn_time)(turn * 1000000 / on->rate));
        now = bots_clock(on);
    }
    return is_good;
}

static void worker_join(bots *on, worker *by)
{
    samples_join(&on->client_ticks, &by->ticks);
    samples_join(&on->leads, &by->leads);
    samples_join(&on->trips, &by->trips);
    on->killed += by->killed;
    samples_free(&by->ticks);
    samples_free(&by->leads);
    samples_free(&by->trips);
}

bool bots_play(bots *on, kn_time length, bool acts)
{
    pthread_t *threads = cli_resize(NULL, on->threads * sizeof(*threads));
    worker *workers = cli_resize(NULL, on->threads * sizeof(*workers));
    kn_time until = bots_clock(on) + length;
    uint32_t started = 0;
    for (; started < on->threads; started++) {
        workers[started] = (worker){.on = on,
            .first = started,
            .step = on->threads,
            .until = until,
            .acts = acts,
            .random = on->def.seed + started};
        if (pthread_create(&threads[started], NULL, worker_run, &workers[started]) != 0) {
            cli_tell(on->call, "a thread cannot be started");
            break;
        }
    }
    bool is_good = started == on->threads && (!on->has_host || host_run(on, until));
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
        worker_join(on, &workers[i]);
    }
    free(threads);
    free(workers);
    return is_good;
}

// Options -------------------------------------------------------------------

static bool share_parse(const char *words, float *out)
{
    char *end;
    double value = strtod(words, &end);
    if (*end == '%') {
        value /= 100;
        end++;
    }
    *out = (float)value;
    return *words != 0 && *end == 0 && value >= 0 && value <= 1;
}

static cli_code conditions_find(const cli *call, kn_net_conditions *out)
{
    *out = (kn_net_conditions){0};
    if (kn_net_conditions_find(cli_text_of(call, "network", "perfect"), out) != KN_OK) {
        return CLI_USAGE; // one of the words of the option
    }
    out->latency = cli_time_of(call, "latency", out->latency);
    out->jitter = cli_time_of(call, "jitter", out->jitter);
    const char *loss = cli_text_of(call, "loss", NULL);
    if (loss != NULL && !share_parse(loss, &out->loss)) {
        cli_tell(call, "--loss takes a share such as 5%% or 0.05, not `%s`", loss);
        return CLI_USAGE;
    }
    if (out->latency > KN_S(3600) || out->jitter > KN_S(3600)) {
        cli_tell(call, "--latency and --jitter take at most an hour");
        return CLI_USAGE;
    }
    return CLI_GOOD;
}

// Each bot has a socket.
static cli_code files_allow(const bots *on)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)on->count + FILES_MORE;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return CLI_GOOD;
    }
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
        cli_tell(on->call,
            "%u bots need %llu open files, which the system does not allow; see "
            "`ulimit -n`",
            on->count, (unsigned long long)wanted);
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

static uint32_t thread_count(const bots *on)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t fallback = cores > 2 ? (uint64_t)cores - 1 : 1; // one is for the server
    uint64_t count = cli_number_of(on->call, "threads", fallback);
    return (uint32_t)(count < on->count ? count : on->count);
}

// Those that vanished keep their slots until the server notices.
static uint32_t slots_wanted(const bots *on)
{
    kn_time silent = KN_S(2 * NET_TIMEOUT_SECONDS);
    kn_time slots = on->count + 8 + (on->churn > 0 ? silent / on->churn : 0);
    return slots < KN_UDP_SLOTS_MAX ? (uint32_t)slots : KN_UDP_SLOTS_MAX;
}

static cli_code server_find(bots *on, const cast *with)
{
    const char *connect = cli_text_of(on->call, "connect", NULL);
    kn_error error;
    if (connect != NULL) {
        if (kn_address_parse(connect, &on->def.server, &error) != KN_OK ||
            on->def.server.port == 0) {
            cli_tell(on->call,
                "--connect takes an address with a port such as 127.0.0.1:40000, not `%s`",
                connect);
            return CLI_USAGE;
        }
        return net_key_find(on->call, false, &on->def.key);
    }
    host_def def = {.library = on->def.library, .cast = with, .key = &on->def.key};
    def.address = net_key_server(0);
    def.rate = on->rate;
    def.send_every = (uint32_t)cli_number_of(on->call, "send-every", 2);
    def.players = slots_wanted(on);
    def.seed = on->def.seed;
    def.sight = (double)cli_number_of(on->call, "sight", 0);
    on->has_host = true;
    cli_code code = net_key_random(on->call, &on->def.key) ? CLI_GOOD : CLI_UNREADABLE;
    code = code == CLI_GOOD ? host_open(on->call, &def, &on->host) : code;
    on->def.server = net_key_server(on->host.port);
    return code;
}

static cli_code bots_options(bots *on)
{
    const cli *call = on->call;
    on->count = (uint32_t)cli_number_of(call, "count", 10);
    on->rate = (uint32_t)cli_number_of(call, "rate", 60);
    on->threads = thread_count(on);
    on->churn = cli_time_of(call, "churn", 0);
    on->def.seed = cli_number_of(call, "seed", 1);
    on->def.actions = (double)cli_number_of(call, "actions", 2);
    on->def.reconnects = cli_has(call, "reconnect") || on->churn > 0;
    cli_code code = conditions_find(call, &on->def.conditions);
    return code == CLI_GOOD ? files_allow(on) : code;
}

// Playing -------------------------------------------------------------------

static uint32_t count_in(const bots *on)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < on->count; i++) {
        count += bot_is_in(&on->all[i]);
    }
    return count;
}

static uint32_t count_ended(const bots *on)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < on->count; i++) {
        count += on->all[i].state == BOT_ENDED;
    }
    return count;
}

static bool all_join(bots *on)
{
    kn_time now = bots_clock(on);
    kn_time ramp = KN_S(on->count) / JOINS_PER_SECOND;
    kn_time wait = cli_time_of(on->call, "wait", KN_S(60));
    kn_time end = wait < KN_TIME_MAX - now - ramp ? now + ramp + wait : KN_TIME_MAX;
    on->all = cli_resize(NULL, on->count * sizeof(*on->all));
    on->counts = cli_resize(NULL, on->count * sizeof(*on->counts));
    for (uint32_t i = 0; i < on->count; i++) {
        bot_begin(&on->all[i], &on->def, i, now + KN_S(i) / JOINS_PER_SECOND);
    }
    bool is_good = true;
    while (is_good && count_in(on) < on->count && count_ended(on) < on->count &&
           bots_clock(on) < end && cli_interrupted == 0) {
        is_good = bots_play(on, KN_MS(200), false);
    }
    return is_good;
}

static bot_counts counts_since(bot_counts now, const bot_counts *then)
{
    now.up -= then->up;
    now.down -= then->down;
    now.corrections -= then->corrections;
    now.corrected -= then->corrected;
    now.resimulated -= then->resimulated;
    now.revoked -= then->revoked;
    now.commands -= then->commands;
    now.refused -= then->refused;
    now.played -= then->played;
    return now;
}

static bool measured_play(bots *on)
{
    kn_time length = cli_time_of(on->call, "for", KN_S(10));
    kn_time start = bots_clock(on);
    for (uint32_t i = 0; i < on->count; i++) {
        on->counts[i] = bots_counts(&on->all[i], start);
    }
    samples_clear(&on->host.ticks);
    samples_clear(&on->host.walls);
    bool is_good = bots_play(on, length, true);
    kn_time now = bots_clock(on);
    on->seconds = (double)(now - start) / 1e6;
    for (uint32_t i = 0; i < on->count; i++) {
        bot_counts then = on->counts[i];
        on->counts[i] = counts_since(bots_counts(&on->all[i], now), &then);
    }
    on->server_ticks = on->host.ticks;
    on->server_walls = on->host.walls;
    on->host.ticks = on->host.walls = (samples){0};
    return is_good;
}

static cli_code bots_judge(const bots *on)
{
    uint32_t dropped = 0, absent = 0; // lost, and never there
    for (uint32_t i = 0; i < on->count; i++) {
        bool is_in_trouble = (on->all[i].drops > 0 && !on->def.reconnects) || on->all[i].joins == 0;
        if (is_in_trouble && dropped + absent == 0 && on->all[i].drop[0] != 0) {
            cli_tell(on->call, "bot %u: %s", i, on->all[i].drop);
        }
        dropped += on->all[i].drops > 0;
        absent += on->all[i].joins == 0;
    }
    if (absent > 0) {
        cli_tell(on->call, "%u of %u bots never got in", absent, on->count);
    }
    if (dropped > 0 && !on->def.reconnects) {
        cli_tell(on->call, "%u of %u bots lost their connection", dropped, on->count);
    }
    if (absent == 0 && on->absent > 0 && on->def.reconnects) {
        cli_tell(on->call, "%u of %u bots did not come back", on->absent, on->count);
    }
    if (on->differing > 0) {
        cli_tell(on->call, "%u of %u clients differ from the server; %s", on->differing,
            on->checked, text_of(&on->difference));
    }
    bool is_bad =
        absent > 0 || on->absent > 0 || (dropped > 0 && !on->def.reconnects) || on->differing > 0;
    return on->was_interrupted ? CLI_INTERRUPTED : is_bad ? CLI_BAD : CLI_GOOD;
}

// Those that lost their connection, or vanished, get some time to come back.
static bool all_return(bots *on)
{
    bool is_good = true;
    kn_time end = bots_clock(on) + RETURN_TIME;
    while (is_good && on->def.reconnects && count_in(on) < on->count && bots_clock(on) < end &&
           cli_interrupted == 0) {
        is_good = bots_play(on, KN_MS(200), false);
    }
    on->absent = on->count - count_in(on);
    return is_good;
}

// The end of play: nobody does anything, and whoever is behind catches up.
static bool quiet_play(bots *on)
{
    bool is_good = bots_play(on, QUIET_TIME, false);
    for (uint32_t i = 0; is_good && i < CATCH_UP_SECONDS && cli_interrupted == 0; i++) {
        bool is_behind = false;
        for (uint32_t k = 0; k < on->count; k++) {
            is_behind = is_behind ||
                        (bot_is_in(&on->all[k]) &&
                            kn_client_tick(on->all[k].client) < kn_server_tick(on->host.server));
        }
        if (!is_behind) {
            break;
        }
        is_good = bots_play(on, KN_S(1), false);
    }
    return is_good;
}

// The command ---------------------------------------------------------------

static cli_code plot_write(const bots *on)
{
    const char *path = cli_text_of(on->call, "plot", NULL);
    if (path == NULL) {
        return CLI_GOOD;
    }
    text picture = {0};
    bots_svg(on, &picture);
    bool is_good = file_write(on->call, path, text_of(&picture), picture.length);
    text_free(&picture);
    return is_good ? CLI_GOOD : CLI_UNREADABLE;
}

static void bots_free(bots *on)
{
    kn_time now = bots_clock(on);
    for (uint32_t i = 0; on->all != NULL && i < on->count; i++) {
        bot_end(&on->all[i], now);
    }
    host_close(&on->host);
    samples_free(&on->server_ticks);
    samples_free(&on->server_walls);
    samples_free(&on->client_ticks);
    samples_free(&on->leads);
    samples_free(&on->trips);
    text_free(&on->difference);
    free(on->all);
    free(on->counts);
}

static cli_code bots_all(bots *on, const script_log *log)
{
    bool is_good = all_join(on);
    if (is_good && count_in(on) == 0) {
        on->was_interrupted = cli_interrupted != 0;
        return bots_judge(on); // nobody has anything to report
    }
    is_good = is_good && measured_play(on) && all_return(on);
    if (is_good && on->has_host && cli_interrupted == 0) {
        is_good = quiet_play(on) && bots_check(on);
    }
    cli_code code = is_good ? CLI_GOOD : CLI_BAD;
    on->was_interrupted = cli_interrupted != 0;
    if (cli_has(on->call, "json")) {
        bots_json(on, log);
    } else {
        bots_print(on);
    }
    script_log_print(on->call, log, "", stderr);
    cli_code judged = bots_judge(on);
    code = code == CLI_GOOD ? judged : code;
    cli_code plotted = plot_write(on);
    code = code == CLI_GOOD ? plotted : code;
    return code == CLI_GOOD && log->error_count > 0 ? CLI_BAD : code;
}

cli_code bots_main(const cli *call)
{
    content from;
    cast with = {0};
    bots on = {.call = call};
    cli_catch_interrupt();
    cli_code code = arena_content(call, &from);
    on.def.library = from.library;
    code = code == CLI_GOOD ? cast_find(call, from.library, &with) : code;
    code = code == CLI_GOOD ? bots_options(&on) : code;
    code = code == CLI_GOOD ? server_find(&on, &with) : code;
    code = code == CLI_GOOD ? bots_all(&on, &from.log) : code;
    bots_free(&on);
    cast_free(&with);
    content_free(&from);
    return code;
}
