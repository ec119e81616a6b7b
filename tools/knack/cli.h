// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What all sub-commands share: the table of commands, the arguments of one call, and how to report
// somebody something. Results go to stdout, messages to stderr. Running out of memory ends the
// program.
#ifndef CLI_H
#define CLI_H

#include "knack/knack.h"

#include <stdatomic.h>
#include <stdio.h>

// Exit codes.
typedef enum cli_code {
    CLI_GOOD = 0,
    CLI_BAD = 1, // problems were found, or something failed
    CLI_USAGE = 2,
    CLI_UNREADABLE = 3, // something cannot be read or written
    CLI_INTERRUPTED = 130,
} cli_code;

// The program ---------------------------------------------------------------

// The program with what a game or kit registers in every library before files are read, such as own
// kinds; `prepare` may be NULL. The result of main().
int cli_main(int count, char **words, kn_result (*prepare)(kn_library *library, kn_error *error));
// What `prepare` registers, in the form that data and scenario defs take; `user` is not used.
kn_result cli_prepare(void *user, kn_library *library, kn_error *error);

// The kits that files may name.
const kn_kit *cli_kits(uint32_t *count);

// The table -----------------------------------------------------------------

typedef enum cli_option_kind {
    CLI_FLAG,
    CLI_TEXT,
    CLI_FILE,   // a text that completion offers files for
    CLI_NUMBER, // a whole number from `min` to `max`
    CLI_TIME,   // "2.5", "2.5s", "250ms"
    CLI_WORD,   // one of the words in `value`, separated by '|'
    CLI_LINTS,  // a text that completion offers lints for
} cli_option_kind;

typedef struct cli_option {
    const char *name; // without dashes
    char letter;      // 0: none
    cli_option_kind kind;
    const char *value; // what help calls it; NULL for a flag
    const char *help;
    uint64_t min, max; // CLI_NUMBER; a CLI_FLAG with `min` 1 needs no arguments
} cli_option;

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *arguments; // what help calls them
    uint32_t least, most;  // how many
    const char *summary;   // half a sentence
    const char *details;   // paragraphs, separated by empty lines
    const char *examples;  // lines
    const cli_option *options;
    uint32_t option_count;
    cli_code (*run)(const cli *call);
} cli_command;

extern const cli_command cli_commands[];
extern const uint32_t cli_command_count;
// Options that every command has.
extern const cli_option cli_common[];
extern const uint32_t cli_common_count;

// Option number `index` of a command, the common ones last; NULL beyond.
const cli_option *cli_option_at(const cli_command *command, uint32_t index);

// One call ------------------------------------------------------------------

typedef struct cli_given {
    const cli_option *option;
    const char *text;
    uint64_t number;
    kn_time time;
} cli_given;

struct cli {
    const cli_command *command;
    cli_given *given;
    uint32_t given_count;
    const char **arguments;
    uint32_t argument_count;
    bool has_color, has_color_on_stderr;
};

// Options by name; the last one counts. The name is one of the command's.
bool cli_has(const cli *call, const char *name);
const char *cli_text_of(const cli *call, const char *name, const char *fallback);
uint64_t cli_number_of(const cli *call, const char *name, uint64_t fallback);
kn_time cli_time_of(const cli *call, const char *name, kn_time fallback);
// An option that may be given several times; NULL beyond the last.
const char *cli_nth_of(const cli *call, const char *name, uint32_t index);

// Reads the words after the command. CLI_GOOD, or CLI_USAGE with a message.
cli_code cli_parse(cli *call, const cli_command *command, int count, char **words);
void cli_free(cli *call);
const cli_command *cli_command_find(const char *name);
// The nearest of some words, or NULL if none is near.
typedef const char *cli_word_fn(const void *user, uint32_t index);
const char *cli_nearest(const char *word, cli_word_fn *words, const void *user);
// "2.5s", "2.5 s", "250ms", "2.5", "10us".
bool cli_time_parse(const char *text, kn_time *time);

// Telling -------------------------------------------------------------------

typedef enum cli_color {
    CLI_RED,
    CLI_GREEN,
    CLI_YELLOW,
    CLI_BOLD,
    CLI_DIM,
    CLI_PLAIN,
} cli_color;

// For stdout; "" without colours.
const char *cli_paint(const cli *call, cli_color color);
const char *cli_paint_on(const cli *call, const FILE *out, cli_color color);
// "knack check: ..." on stderr.
void cli_tell(const cli *call, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void *cli_resize(void *block, size_t size);

void cli_help(const cli_command *command, FILE *out);
void cli_overview(FILE *out);
// Prints a page made from the table: "markdown", "man", "bash", "zsh", "fish". False if unknown.
bool cli_page(const char *name, FILE *out);

// Set by SIGINT and SIGTERM, for what runs long; threads may look at it.
extern atomic_int cli_interrupted;
void cli_catch_interrupt(void);

// The commands --------------------------------------------------------------

cli_code bench_main(const cli *call);
cli_code bots_main(const cli *call);
cli_code check_main(const cli *call);
cli_code diff_main(const cli *call);
cli_code docs_main(const cli *call);
cli_code dump_main(const cli *call);
cli_code explain_main(const cli *call);
cli_code new_main(const cli *call);
cli_code record_main(const cli *call);
cli_code replay_main(const cli *call);
cli_code run_main(const cli *call);
cli_code schema_main(const cli *call);
cli_code serve_main(const cli *call);
cli_code sim_main(const cli *call);
cli_code watch_main(const cli *call);
cli_code write_main(const cli *call);

#endif
