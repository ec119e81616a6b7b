// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack serve: a server over UDP with content of files. On a terminal a table shows how it does.

#include "net_host.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX 20
#define TABLE_TIME KN_S(1)
#define LINE_TIME KN_S(10)

typedef struct serve {
    const cli *call;
    host host;
    FILE *record; // NULL: nothing is recorded
    size_t recorded;
    kn_time start, shown;
    bool is_live, is_silent; // a table on a terminal; nothing but the report
    uint32_t rows;           // of the table that is on the terminal
    const script_log *log;
} serve;

static void line_print(void *user, const char *line)
{
    const serve *on = user;
    if (!on->is_live && !on->is_silent) {
        (void)printf("%s\n", line);
        (void)fflush(stdout);
    }
}

// The recording -------------------------------------------------------------

static cli_code record_open(serve *on)
{
    const char *path = cli_text_of(on->call, "record", NULL);
    if (path == NULL) {
        return CLI_GOOD;
    }
    on->record = fopen(path, "wb");
    if (on->record == NULL) {
        cli_tell(on->call, "%s: %s", path, strerror(errno));
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

// Appends what is new: a recording without its last steps is a shorter recording.
static cli_code record_write(serve *on)
{
    size_t size = 0;
    const uint8_t *bytes = kn_recording_bytes(on->host.arena.recording, &size);
    if (on->record == NULL || size == on->recorded) {
        return CLI_GOOD;
    }
    size_t more = size - on->recorded;
    if (fwrite(bytes + on->recorded, 1, more, on->record) != more || fflush(on->record) != 0) {
        cli_tell(on->call, "%s: %s", cli_text_of(on->call, "record", ""), strerror(errno));
        return CLI_UNREADABLE;
    }
    on->recorded = size;
    return CLI_GOOD;
}

// The table -----------------------------------------------------------------

static void head_print(serve *on, kn_time now)
{
    percentiles ticks = samples_percentiles(&on->host.recent);
    (void)printf("tick %llu  %.0f s  players %u of %u  CPU of a tick p50 %.3f ms  p99 %.3f ms  max "
                 "%.3f ms\n",
        (unsigned long long)kn_server_tick(on->host.server), (double)(now - on->start) / 1e6,
        host_count(&on->host), on->host.def.players, ticks.p50, ticks.p99, ticks.most);
    samples_clear(&on->host.recent);
}

static void row_print(const serve *on, host_player *player, double seconds)
{
    kn_server_stats stats = kn_server_get_stats(on->host.server, player->connection);
    (void)printf("%8u %8.1f %7.1f%% %9.0f %9.0f %9llu %6llu %8u\n", player->connection,
        (double)stats.link.round_trip / 1e3, (double)stats.link.loss_ppm / 1e4,
        (double)(player->up - player->old_up) / seconds,
        (double)(player->down - player->old_down) / seconds, (unsigned long long)stats.commands,
        (unsigned long long)stats.commands_late, stats.visible);
}

// Draws over the table that is there.
static void table_print(serve *on, kn_time now)
{
    double seconds = (double)(now - on->shown) / 1e6;
    uint32_t rows = 2, others = 0;
    if (on->rows > 0) {
        (void)printf("\033[%uA\033[J", on->rows);
    }
    head_print(on, now);
    (void)printf("%s%8s %8s %8s %9s %9s %9s %6s %8s%s\n", cli_paint(on->call, CLI_BOLD), "player",
        "rtt ms", "loss", "up B/s", "down B/s", "commands", "late", "entities",
        cli_paint(on->call, CLI_PLAIN));
    for (uint32_t i = 0; i < on->host.def.players; i++) {
        host_player *player = &on->host.players[i];
        if (player->is_joined && rows < ROWS_MAX + 2) {
            row_print(on, player, seconds);
            rows++;
        } else if (player->is_joined) {
            others++;
        }
        player->old_up = player->up;
        player->old_down = player->down;
    }
    if (others > 0) {
        (void)printf("and %u more\n", others);
        rows++;
    }
    on->rows = rows;
    (void)fflush(stdout);
}

static void progress_show(serve *on, kn_time now)
{
    if (on->is_silent || now - on->shown < (on->is_live ? TABLE_TIME : LINE_TIME)) {
        return;
    }
    if (on->is_live) {
        table_print(on, now);
    } else {
        head_print(on, now);
        (void)fflush(stdout);
    }
    on->shown = now;
}

// The report ----------------------------------------------------------------

static void report_print(const serve *on, double seconds)
{
    const host *from = &on->host;
    percentiles ticks = samples_percentiles(&from->ticks);
    percentiles walls = samples_percentiles(&from->walls);
    (void)printf("%llu ticks in %.1f s, %u joined, %u left, %u of them fell silent\n",
        (unsigned long long)kn_server_tick(from->server), seconds, from->joined, from->left,
        from->lost);
    (void)printf("%llu bytes received, %llu bytes sent\n", (unsigned long long)from->up,
        (unsigned long long)from->down);
    percentiles_head("", 12);
    percentiles_print("tick, CPU", "ms", 12, &ticks);
    percentiles_print("tick, wall", "ms", 12, &walls);
    if (on->record != NULL) {
        (void)printf("recorded: knack replay %s %s\n", on->call->arguments[0],
            cli_text_of(on->call, "record", ""));
    }
}

static void report_json(const serve *on, double seconds)
{
    const host *from = &on->host;
    percentiles ticks = samples_percentiles(&from->ticks);
    percentiles walls = samples_percentiles(&from->walls);
    json out = {0};
    json_begin(&out, NULL, '{');
    json_count(&out, "ticks", kn_server_tick(from->server));
    json_number(&out, "seconds", seconds);
    json_count(&out, "joined", from->joined);
    json_count(&out, "left", from->left);
    json_count(&out, "silent", from->lost);
    json_count(&out, "bytes_received", from->up);
    json_count(&out, "bytes_sent", from->down);
    percentiles_json(&out, "tick_ms", &ticks);
    percentiles_json(&out, "wall_ms", &walls);
    script_log_json(&out, "script_errors", on->log);
    json_end(&out, '}');
    json_print(&out);
}

// The command ---------------------------------------------------------------

static cli_code serve_loop(serve *on)
{
    kn_time length = cli_time_of(on->call, "for", KN_TIME_INFINITE);
    kn_time now = host_clock();
    cli_code code = CLI_GOOD;
    on->start = on->shown = now;
    for (uint64_t turn = 1; code == CLI_GOOD && cli_interrupted == 0 && now - on->start < length;
         turn++) {
        if (!host_turn(on->call, &on->host, now)) {
            code = CLI_BAD;
        } else if (turn % on->host.def.rate == 0) {
            code = record_write(on);
        }
        progress_show(on, now);
        now = host_clock();
        host_sleep(now, on->start + (kn_time)(turn * 1000000 / on->host.def.rate));
        now = host_clock();
    }
    cli_code written = record_write(on);
    return code == CLI_GOOD ? written : code;
}

static void begin_tell(const serve *on, const cast *with, const net_key *key)
{
    char address[KN_ADDRESS_TEXT_SIZE];
    kn_address at = on->host.def.address;
    at.port = on->host.port;
    (void)kn_address_print(&at, address, sizeof(address));
    (void)printf("listening on %s, players are", address);
    for (uint32_t i = 0; i < with->count; i++) {
        (void)printf("%s %s", i > 0 ? "," : "", with->names[i]);
    }
    (void)printf("\n");
    if (key->is_public) {
        (void)printf("there is no --key-file: everybody on this machine can join\n");
    }
    (void)fflush(stdout);
}

static cli_code serve_run(serve *on, const kn_library *library, const cast *with)
{
    net_key key = {0};
    host_def def = {.library = library, .cast = with, .key = &key};
    def.records = cli_has(on->call, "record");
    def.said = line_print;
    def.user = on;
    cli_code code = host_options(on->call, &def);
    code = code == CLI_GOOD ? net_key_find(on->call, true, &key) : code;
    if (code == CLI_GOOD && key.is_public && !net_key_is_local(&def.address)) {
        cli_tell(on->call, "other machines can reach this address: choose who may join with "
                           "--key-file FILE, which is created if it is missing");
        code = CLI_USAGE;
    }
    // Which tokens an earlier server has seen is not known: none of them counts.
    def.refuse_until = key.is_old ? (uint64_t)time(NULL) + NET_TOKEN_SECONDS : 0;
    code = code == CLI_GOOD ? host_open(on->call, &def, &on->host) : code;
    code = code == CLI_GOOD ? record_open(on) : code;
    if (code == CLI_GOOD && !on->is_silent) {
        begin_tell(on, with, &key);
    }
    return code == CLI_GOOD ? serve_loop(on) : code;
}

cli_code serve_main(const cli *call)
{
    content from;
    cast with = {0};
    serve on = {.call = call};
    on.is_silent = cli_has(call, "json");
    on.is_live = !on.is_silent && isatty(STDOUT_FILENO) == 1;
    cli_catch_interrupt();
    cli_code code = arena_content(call, &from);
    on.log = &from.log;
    code = code == CLI_GOOD ? cast_find(call, from.library, &with) : code;
    code = code == CLI_GOOD ? serve_run(&on, from.library, &with) : code;
    if (on.start != 0) {
        double seconds = (double)(host_clock() - on.start) / 1e6;
        on.is_silent ? report_json(&on, seconds) : report_print(&on, seconds);
        script_log_print(call, &from.log, "", stderr);
        code = code == CLI_GOOD && from.log.error_count > 0 ? CLI_BAD : code;
    }
    if (on.record != NULL) {
        (void)fclose(on.record);
    }
    host_close(&on.host);
    cast_free(&with);
    content_free(&from);
    return code;
}
