// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finds the command, reads its options, runs it.

#include "messages.h"

#if KNACK_HAS_CAPABILITY
#include "knack/capability.h"
#endif
#if KNACK_HAS_COMBAT
#include "knack/combat.h"
#endif
#if KNACK_HAS_ORDER
#include "knack/order.h"
#include "knack/order_produce.h"
#include "knack/order_ready.h"
#endif
#if KNACK_HAS_RTS
#include "knack/rts.h"
#endif

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_int cli_interrupted;

static void on_interrupt(int number)
{
    (void)number;
    cli_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_interrupt; // without SA_RESTART: what sleeps wakes up
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

void *cli_resize(void *block, size_t size)
{
    void *resized = realloc(block, size > 0 ? size : 1);
    if (resized == NULL) {
        (void)fprintf(stderr, "knack: out of memory\n");
        exit(CLI_UNREADABLE);
    }
    return resized;
}

const char *cli_paint(const cli *call, cli_color color)
{
    return cli_paint_on(call, stdout, color);
}

const char *cli_paint_on(const cli *call, const FILE *out, cli_color color)
{
    static const char *const codes[] = {
        "\033[31m", "\033[32m", "\033[33m", "\033[1m", "\033[2m", "\033[0m"};
    bool is_on = out == stderr ? call->has_color_on_stderr : call->has_color;
    return is_on ? codes[color] : "";
}

static bool wants_color(const cli *call, int stream)
{
    const char *when = cli_text_of(call, "color", "auto");
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (strcmp(when, "auto") != 0) {
        return strcmp(when, "always") == 0;
    }
    return isatty(stream) == 1 && (no_color == NULL || no_color[0] == 0) && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

static const char *command_name(const void *user, uint32_t index)
{
    (void)user;
    return index < cli_command_count ? cli_commands[index].name : NULL;
}

static cli_code unknown_command(const char *name)
{
    const char *nearest = cli_nearest(name, command_name, NULL);
    (void)fprintf(stderr, "knack: there is no command `%s`%s%s%s\n", name,
        nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
        nearest != NULL ? "`?" : "; `knack --help` lists the commands");
    return CLI_USAGE;
}

// With --json even usage errors are printed as JSON.
static bool wants_json(const cli_command *command, int count, char **words)
{
    bool found = false;
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        found = found || strcmp(words[i], "--json") == 0;
    }
    const cli_option *option = NULL;
    for (uint32_t i = 0; found && (option = cli_option_at(command, i)) != NULL; i++) {
        if (strcmp(option->name, "json") == 0) {
            return true;
        }
    }
    return false;
}

static void failure_json(cli_code code)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_bool(&out, "good", false);
    json_count(&out, "exit_code", (uint64_t)code);
    messages_json(&out, "messages", 0);
    json_end(&out, '}');
    json_print(&out);
}

static cli_code call_command(const cli_command *command, int count, char **words)
{
    cli call = {0};
    cli_code code = cli_parse(&call, command, count, words);
    if (code == CLI_GOOD && cli_has(&call, "help")) {
        cli_help(command, stdout);
    } else if (code == CLI_GOOD) {
        call.has_color = wants_color(&call, STDOUT_FILENO);
        call.has_color_on_stderr = wants_color(&call, STDERR_FILENO);
        code = command->run(&call);
    } else {
        (void)fprintf(stderr, "run `knack %s --help` for help\n", command->name);
    }
    if (code != CLI_GOOD && !json_was_printed() && wants_json(command, count, words)) {
        failure_json(code);
    }
    messages_free();
    cli_free(&call);
    return code;
}

static cli_code dispatch(int count, char **words)
{
    if (count < 2) {
        cli_overview(stderr);
        return CLI_USAGE;
    }
    const char *name = words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        const cli_command *about = count > 2 ? cli_command_find(words[2]) : NULL;
        if (count > 2 && about == NULL) {
            return unknown_command(words[2]);
        }
        about != NULL ? cli_help(about, stdout) : cli_overview(stdout);
        return CLI_GOOD;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        (void)printf("knack %d.%d.%d\n", KN_VERSION_MAJOR, KN_VERSION_MINOR, KN_VERSION_PATCH);
        return CLI_GOOD;
    }
    // For the build: the pages that are made from the table of commands.
    if (strcmp(name, "print-page") == 0 && count == 3) {
        return cli_page(words[2], stdout) ? CLI_GOOD : CLI_USAGE;
    }
    const cli_command *command = cli_command_find(name);
    return command != NULL ? call_command(command, count - 2, words + 2) : unknown_command(name);
}

// The kits that files may name. The row at the end is none.
static const kn_kit kits[] = {
#if KNACK_HAS_CAPABILITY
    {"capability", kn_capability_register},
#endif
#if KNACK_HAS_COMBAT
    {"combat", kn_combat_register},
#endif
#if KNACK_HAS_ORDER
    {"order", kn_order_register},
    {"ready_orders", kn_order_ready_register},
    {"production", kn_order_produce_register},
#endif
#if KNACK_HAS_RTS
    {"rts", kn_rts_register},
#endif
    {NULL, NULL},
};

const kn_kit *cli_kits(uint32_t *count)
{
    *count = (uint32_t)(sizeof(kits) / sizeof(kits[0])) - 1;
    return kits;
}

static kn_result (*prepare_library)(kn_library *library, kn_error *error);

kn_result cli_prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return prepare_library != NULL ? prepare_library(library, error) : KN_OK;
}

int cli_main(int count, char **words, kn_result (*prepare)(kn_library *library, kn_error *error))
{
    prepare_library = prepare;
    cli_code code = dispatch(count, words);
    // What could not be printed is not a result. A reader that went away wanted no more.
    bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    if (failed && errno != EPIPE) {
        (void)fprintf(stderr, "knack: the output cannot be written: %s\n", strerror(errno));
    }
    return failed ? CLI_UNREADABLE : (int)code;
}
