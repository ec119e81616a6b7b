// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Everything that is said about the commands, from their table: help, the manual page, docs/cli.md
// and completion for three shells.

#include "text.h"

#include "knack/data.h"

#include <ctype.h>
#include <string.h>

#define ABOUT "reads, checks, plays and explains content for knack, a gameplay ability system"
#define HELP_WIDTH 80

static const struct {
    const char *code;
    const char *meaning;
} exit_codes[] = {
    {"0", "good"},
    {"1", "problems were found, or something failed"},
    {"2", "the command line is invalid"},
    {"3", "a file cannot be read or written"},
    {"130", "interrupted, for example by Ctrl-C"},
};
#define EXIT_CODE_COUNT (sizeof(exit_codes) / sizeof(*exit_codes))

// Help ----------------------------------------------------------------------

// Words of a text in lines, each but the first indented. An empty line is kept.
static void wrap(FILE *out, const char *words, int indent)
{
    int column = indent;
    while (*words != 0) {
        int length = (int)strcspn(words, " \n");
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            (void)fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        (void)fprintf(out, "%s%.*s", column > indent ? " " : "", length, words);
        column += length + (column > indent ? 1 : 0);
        words += length;
        bool is_paragraph = words[0] == '\n' && words[1] == '\n';
        if (is_paragraph) {
            (void)fprintf(out, "\n\n%*s", indent, "");
            column = indent;
        }
        words += strspn(words, " \n");
    }
    (void)fprintf(out, "\n");
}

static void usage_line(FILE *out, const cli_command *command)
{
    (void)fprintf(out, "knack %s [options]%s%s", command->name,
        command->arguments[0] != 0 ? " " : "", command->arguments);
}

// "-o, --output FILE"
static void option_form(const cli_option *option, char *out, size_t size)
{
    char letter[8] = "";
    if (option->letter != 0) {
        (void)snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    }
    (void)snprintf(out, size, "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
        option->value != NULL ? option->value : "");
}

static void lines_with_prefix(FILE *out, const char *lines, const char *prefix)
{
    while (*lines != 0) {
        int length = (int)strcspn(lines, "\n");
        (void)fprintf(out, "%s%.*s\n", prefix, length, lines);
        lines += length + (lines[length] == '\n' ? 1 : 0);
    }
}

void cli_help(const cli_command *command, FILE *out)
{
    (void)fprintf(out, "usage: ");
    usage_line(out, command);
    (void)fprintf(out, "\n\n");
    wrap(out, command->details, 0);
    (void)fprintf(out, "\nOptions:\n");
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        char form[80];
        option_form(option, form, sizeof(form));
        int shift = option->letter != 0 ? 0 : 4; // names stand below each other
        int used = shift + (int)strlen(form);
        (void)fprintf(out, "  %*s%s", shift, "", form);
        if (used > 24) {
            (void)fprintf(out, "\n%*s", 28, "");
        } else {
            (void)fprintf(out, "%*s", 26 - used, "");
        }
        wrap(out, option->help, 28);
    }
    (void)fprintf(out, "\nExamples:\n");
    lines_with_prefix(out, command->examples, "  ");
    (void)fprintf(out, "\nExit codes:\n");
    for (size_t i = 0; i < EXIT_CODE_COUNT; i++) {
        (void)fprintf(out, "  %-3s  %s\n", exit_codes[i].code, exit_codes[i].meaning);
    }
}

void cli_overview(FILE *out)
{
    (void)fprintf(out, "usage: knack COMMAND [options] ...\n\nCommands:\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "  %-9s %s\n", cli_commands[i].name, cli_commands[i].summary);
    }
    (void)fprintf(
        out, "\nRun `knack COMMAND --help` for details, `knack --version` for the version.\n");
}

// docs/cli.md ---------------------------------------------------------------

static void markdown_option(FILE *out, const cli_option *option)
{
    char form[80];
    option_form(option, form, sizeof(form));
    (void)fprintf(out, "| `");
    for (const char *at = form; *at != 0; at++) {
        (void)fprintf(out, "%s%c", *at == '|' ? "\\" : "", *at);
    }
    (void)fprintf(out, "` | %s |\n", option->help);
}

static void markdown_page(FILE *out)
{
    (void)fprintf(out,
        "# The program knack\n\n"
        "`knack` %s.\n"
        "It is built with `KNACK_TOOLS` and installed with a manual page and completion for bash, "
        "zsh and fish.\n"
        "Results go to stdout, messages to stderr. This page is printed by `knack print-page "
        "markdown`.\n\n"
        "| Command | What it does |\n| --- | --- |\n",
        ABOUT);
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "| [%s](#knack-%s) | %s |\n", cli_commands[i].name, cli_commands[i].name,
            cli_commands[i].summary);
    }
    (void)fprintf(out,
        "\nEvery command exits with one of these codes:\n\n| Code | Meaning |\n| --- | --- |\n");
    for (size_t i = 0; i < EXIT_CODE_COUNT; i++) {
        (void)fprintf(out, "| %s | %s |\n", exit_codes[i].code, exit_codes[i].meaning);
    }
    (void)fprintf(out, "\nIn addition to its own options, every command takes these:\n\n| Option | "
                       "Meaning |\n| --- | --- |\n");
    for (uint32_t i = 0; i < cli_common_count; i++) {
        markdown_option(out, &cli_common[i]);
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = &cli_commands[i];
        (void)fprintf(out, "\n## knack %s\n\n%s\n\n```sh\n", command->name, command->details);
        lines_with_prefix(out, command->examples, "");
        (void)fprintf(out, "```\n");
        if (command->option_count > 0) {
            (void)fprintf(out, "\n`");
            usage_line(out, command);
            (void)fprintf(out, "`\n\n| Option | Meaning |\n| --- | --- |\n");
        }
        for (uint32_t k = 0; k < command->option_count; k++) {
            markdown_option(out, &command->options[k]);
        }
    }
}

// The manual page -----------------------------------------------------------

// Text for troff: '-' and '\' have a meaning there, and so has a dot in front of a line.
static void man_text(FILE *out, const char *words)
{
    bool begins = true;
    for (const char *at = words; *at != 0; at++) {
        if (begins && (*at == '.' || *at == '\'')) {
            (void)fprintf(out, "\\&");
        }
        begins = *at == '\n';
        if (*at == '\\') {
            (void)fprintf(out, "\\e");
        } else if (*at == '-') {
            (void)fprintf(out, "\\-");
        } else if (at[0] == '\n' && at[1] == '\n') {
            (void)fprintf(out, "\n.PP\n");
            at++;
        } else {
            (void)fputc(*at, out);
        }
    }
}

static void man_option(FILE *out, const cli_option *option)
{
    char form[80];
    option_form(option, form, sizeof(form));
    (void)fprintf(out, ".TP\n.B ");
    man_text(out, form);
    (void)fprintf(out, "\n");
    man_text(out, option->help);
    (void)fprintf(out, "\n");
}

static void man_page(FILE *out)
{
    (void)fprintf(out,
        ".TH KNACK 1 \"\" \"knack %d.%d.%d\" \"User Commands\"\n.SH NAME\nknack \\- ",
        KN_VERSION_MAJOR, KN_VERSION_MINOR, KN_VERSION_PATCH);
    man_text(out, ABOUT);
    (void)fprintf(out, "\n.SH SYNOPSIS\n.B knack\n.I COMMAND\n[options] ...\n.SH COMMANDS\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const cli_command *command = &cli_commands[i];
        (void)fprintf(out, ".SS knack %s [options] ", command->name);
        man_text(out, command->arguments);
        (void)fprintf(out, "\n");
        man_text(out, command->details);
        (void)fprintf(out, "\n");
        for (uint32_t k = 0; k < command->option_count; k++) {
            man_option(out, &command->options[k]);
        }
        (void)fprintf(out, ".PP\n.EX\n");
        man_text(out, command->examples);
        (void)fprintf(out, "\n.EE\n");
    }
    (void)fprintf(out, ".SH OPTIONS\nEvery command has these.\n");
    for (uint32_t i = 0; i < cli_common_count; i++) {
        man_option(out, &cli_common[i]);
    }
    (void)fprintf(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < EXIT_CODE_COUNT; i++) {
        (void)fprintf(out, ".TP\n.B %s\n%s\n", exit_codes[i].code, exit_codes[i].meaning);
    }
    (void)fprintf(out, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, no colours.\n");
}

// Completion ----------------------------------------------------------------

static bool takes_files(const cli_option *option)
{
    return option->kind == CLI_FILE;
}

static bool has_words(const cli_option *option)
{
    return option->kind == CLI_WORD || option->kind == CLI_LINTS;
}

// The words an option takes, with blanks between them.
static void words_print(FILE *out, const cli_option *option)
{
    const char *lint;
    for (uint32_t i = 0; option->kind == CLI_LINTS && (lint = kn_data_lint_name(i)) != NULL; i++) {
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", lint);
    }
    for (const char *at = option->value; option->kind == CLI_WORD && *at != 0; at++) {
        (void)fputc(*at == '|' ? ' ' : *at, out);
    }
}

static void bash_values(FILE *out, const cli_command *command)
{
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (has_words(option)) {
            (void)fprintf(
                out, "    %s:--%s) COMPREPLY=($(compgen -W \"", command->name, option->name);
            words_print(out, option);
            (void)fprintf(out, "\" -- \"$word\")); return ;;\n");
        } else if (option->kind != CLI_FLAG && !takes_files(option)) {
            (void)fprintf(out, "    %s:--%s) return ;;\n", command->name, option->name);
        }
    }
}

static void bash_page(FILE *out)
{
    (void)fprintf(out,
        "# bash completion of knack\n\n_knack()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local command=${COMP_WORDS[1]} options=\n    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)) || [[ COMP_CWORD -eq 2 && $command == help ]]; then\n        "
        "COMPREPLY=($(compgen -W \"");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "%s ", cli_commands[i].name);
    }
    (void)fprintf(out, "help --help --version\" -- \"$word\"))\n        return\n    fi\n"
                       "    case $command:$before in\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        bash_values(out, &cli_commands[i]);
    }
    (void)fprintf(out, "    esac\n    case $command in\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "    %s) options=\"", cli_commands[i].name);
        const cli_option *option;
        for (uint32_t k = 0; (option = cli_option_at(&cli_commands[i], k)) != NULL; k++) {
            (void)fprintf(out, "%s--%s", k > 0 ? " " : "", option->name);
        }
        (void)fprintf(out, "\" ;;\n");
    }
    (void)fprintf(out, "    esac\n    if [[ $word == -* ]]; then\n"
                       "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n    else\n"
                       "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
                       "complete -o filenames -F _knack knack\n");
}

// A help text between quotes of zsh or fish; brackets and colons mean something in zsh.
static void quoted_help(FILE *out, const char *help, const char *special)
{
    for (const char *at = help; *at != 0; at++) {
        if (*at == '\'') {
            (void)fprintf(out, "'\\''");
        } else {
            (void)fprintf(out, "%s%c", strchr(special, *at) != NULL ? "\\" : "", *at);
        }
    }
}

static void zsh_option(FILE *out, const cli_option *option)
{
    (void)fprintf(out, " \\\n            '*--%s[", option->name);
    quoted_help(out, option->help, "[]:");
    (void)fprintf(out, "]");
    if (has_words(option)) {
        (void)fprintf(out, ":value:(");
        words_print(out, option);
        (void)fprintf(out, ")");
    } else if (option->kind != CLI_FLAG) {
        (void)fprintf(out, ":%s:%s", option->value, takes_files(option) ? "_files" : " ");
    }
    (void)fprintf(out, "'");
}

static void zsh_page(FILE *out)
{
    (void)fprintf(out, "#compdef knack\n\n_knack()\n{\n    local -a commands\n    commands=(\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "        '%s:", cli_commands[i].name);
        quoted_help(out, cli_commands[i].summary, ":");
        (void)fprintf(out, "'\n");
    }
    (void)fprintf(out, "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n"
                       "        return\n    fi\n    local command=$words[2]\n    shift words\n"
                       "    ((CURRENT--))\n    case $command in\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(out, "    %s)\n        _arguments", cli_commands[i].name);
        const cli_option *option;
        for (uint32_t k = 0; (option = cli_option_at(&cli_commands[i], k)) != NULL; k++) {
            zsh_option(out, option);
        }
        (void)fprintf(out, " \\\n            '*:path:_files'\n        ;;\n");
    }
    (void)fprintf(out, "    esac\n}\n\n_knack \"$@\"\n");
}

static void fish_page(FILE *out)
{
    (void)fprintf(out, "# fish completion of knack\n\n");
    for (uint32_t i = 0; i < cli_command_count; i++) {
        (void)fprintf(
            out, "complete -c knack -n __fish_use_subcommand -f -a %s -d '", cli_commands[i].name);
        quoted_help(out, cli_commands[i].summary, "\\");
        (void)fprintf(out, "'\n");
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const cli_option *option;
        for (uint32_t k = 0; (option = cli_option_at(&cli_commands[i], k)) != NULL; k++) {
            (void)fprintf(out, "complete -c knack -n '__fish_seen_subcommand_from %s' -l %s",
                cli_commands[i].name, option->name);
            if (option->letter != 0) {
                (void)fprintf(out, " -s %c", option->letter);
            }
            if (has_words(option)) {
                (void)fprintf(out, " -x -a '");
                words_print(out, option);
                (void)fprintf(out, "'");
            } else if (option->kind != CLI_FLAG) {
                (void)fprintf(out, takes_files(option) ? " -r -F" : " -x");
            }
            (void)fprintf(out, " -d '");
            quoted_help(out, option->help, "\\");
            (void)fprintf(out, "'\n");
        }
    }
}

bool cli_page(const char *name, FILE *out)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } pages[] = {{"markdown", markdown_page}, {"man", man_page}, {"bash", bash_page},
        {"zsh", zsh_page}, {"fish", fish_page}};
    for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
        if (strcmp(pages[i].name, name) == 0) {
            pages[i].print(out);
            return true;
        }
    }
    return false;
}
