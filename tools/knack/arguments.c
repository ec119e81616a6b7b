// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reads the words of a command line by the table of a command.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

const cli_option *cli_option_at(const cli_command *command, uint32_t index)
{
    if (index < command->option_count) {
        return &command->options[index];
    }
    index -= command->option_count;
    return index < cli_common_count ? &cli_common[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            return &cli_commands[i];
        }
    }
    return NULL;
}

// Did you mean? -------------------------------------------------------------

#define NEAREST_LENGTH 40

// Edits between two words; neighbours that changed places are one.
static uint32_t distance(const char *a, const char *b)
{
    uint32_t rows[3][NEAREST_LENGTH + 1];
    uint32_t length_a = (uint32_t)strlen(a), length_b = (uint32_t)strlen(b);
    if (length_a > NEAREST_LENGTH || length_b > NEAREST_LENGTH) {
        return UINT32_MAX;
    }
    for (uint32_t j = 0; j <= length_b; j++) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= length_a; i++) {
        uint32_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= length_b; j++) {
            uint32_t best = before[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = older[j - 2] + 1 < best ? older[j - 2] + 1 : best;
            }
            row[j] = best;
        }
    }
    return rows[length_a % 3][length_b];
}

const char *cli_nearest(const char *word, cli_word_fn *words, const void *user)
{
    const char *nearest = NULL;
    uint32_t least = (uint32_t)strlen(word) / 3 + 2; // further off is another word
    const char *candidate;
    for (uint32_t i = 0; (candidate = words(user, i)) != NULL; i++) {
        uint32_t far = distance(word, candidate);
        bool begins = strlen(word) >= 3 && strncmp(word, candidate, strlen(word)) == 0;
        if (begins || far < least) {
            nearest = candidate;
            least = begins ? 0 : far;
        }
    }
    return nearest;
}

static const char *option_name(const void *user, uint32_t index)
{
    const cli_option *option = cli_option_at(user, index);
    return option != NULL ? option->name : NULL;
}

// Values --------------------------------------------------------------------

bool cli_time_parse(const char *text, kn_time *time)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}};
    char number[64];
    size_t length = strspn(text, "0123456789.eE+-");
    // A number ends before the unit.
    while (length > 0 && (text[length - 1] == 'e' || text[length - 1] == 'E')) {
        length--;
    }
    if (length == 0 || length >= sizeof(number)) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = 0;
    char *end;
    double seconds = strtod(number, &end);
    const char *unit = text + length + strspn(text + length, " ");
    double factor = *unit == 0 ? 1 : 0;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        factor = strcmp(unit, units[i].name) == 0 ? units[i].factor : factor;
    }
    *time = kn_time_from_seconds(seconds * factor);
    return *end == 0 && factor > 0 && *time >= 0;
}

static bool number_parse(const char *text, uint64_t *number)
{
    *number = 0;
    for (const char *at = text; *at != 0; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*at < '0' || *at > '9' || *number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return *text != 0;
}

static bool word_is_one_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; at != NULL; at = strchr(at, '|')) {
        at += *at == '|' ? 1 : 0;
        if (length > 0 && strncmp(at, word, length) == 0 &&
            (at[length] == '|' || at[length] == 0)) {
            return true;
        }
    }
    return false;
}

static bool value_read(const cli *call, cli_given *given)
{
    const cli_option *option = given->option;
    if (option->kind == CLI_NUMBER &&
        (!number_parse(given->text, &given->number) || given->number < option->min ||
            given->number > option->max)) {
        cli_tell(call, "--%s takes a whole number from %llu to %llu, not `%s`", option->name,
            (unsigned long long)option->min, (unsigned long long)option->max, given->text);
        return false;
    }
    if (option->kind == CLI_TIME && !cli_time_parse(given->text, &given->time)) {
        cli_tell(
            call, "--%s takes a time such as 2.5s or 250ms, not `%s`", option->name, given->text);
        return false;
    }
    if (option->kind == CLI_WORD && !word_is_one_of(given->text, option->value)) {
        cli_tell(call, "--%s is one of %s, not `%s`", option->name, option->value, given->text);
        return false;
    }
    return true;
}

// Words ---------------------------------------------------------------------

typedef struct word_list {
    char **words;
    int count, at;
} word_list;

static const cli_option *option_find(const cli_command *command, const char *name, size_t length)
{
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) {
            return option;
        }
    }
    return NULL;
}

static const cli_option *letter_find(const cli_command *command, char letter)
{
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (option->letter == letter && letter != 0) {
            return option;
        }
    }
    return NULL;
}

static bool give(cli *call, word_list *list, const cli_option *option, const char *attached)
{
    cli_given given = {.option = option, .text = attached};
    if (option->kind == CLI_FLAG) {
        if (attached != NULL) {
            cli_tell(call, "--%s takes no value", option->name);
            return false;
        }
    } else if (attached == NULL) {
        if (list->at >= list->count) {
            cli_tell(
                call, "--%s needs a value: --%s %s", option->name, option->name, option->value);
            return false;
        }
        given.text = list->words[list->at++];
    }
    if (!value_read(call, &given)) {
        return false;
    }
    call->given[call->given_count++] = given;
    return true;
}

static bool long_option(cli *call, word_list *list, const char *word)
{
    size_t length = strcspn(word, "=");
    const cli_option *option = option_find(call->command, word, length);
    if (option == NULL) {
        char name[NEAREST_LENGTH + 2];
        (void)snprintf(name, sizeof(name), "%.*s", (int)(length < 255 ? length : 255), word);
        const char *nearest = cli_nearest(name, option_name, call->command);
        cli_tell(call, "there is no option --%.*s%s%s%s", (int)length, word,
            nearest != NULL ? "; did you mean --" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "?" : "");
        return false;
    }
    return give(call, list, option, word[length] == '=' ? word + length + 1 : NULL);
}

static bool letters(cli *call, word_list *list, const char *word)
{
    for (const char *at = word; *at != 0; at++) {
        const cli_option *option = letter_find(call->command, *at);
        if (option == NULL) {
            cli_tell(call, "there is no option -%c", *at);
            return false;
        }
        bool takes_rest = option->kind != CLI_FLAG && at[1] != 0;
        if (!give(call, list, option, takes_rest ? at + 1 : NULL)) {
            return false;
        }
        if (takes_rest) {
            break;
        }
    }
    return true;
}

static bool count_is_right(const cli *call)
{
    const cli_command *command = call->command;
    bool is_alone = false;
    for (uint32_t i = 0; i < call->given_count; i++) {
        const cli_option *option = call->given[i].option;
        is_alone = is_alone || (option->kind == CLI_FLAG && option->min > 0);
    }
    if (call->argument_count < command->least && !is_alone) {
        cli_tell(call, "an argument is missing: knack %s %s", command->name, command->arguments);
        return false;
    }
    if (call->argument_count > command->most) {
        cli_tell(call, "unexpected argument `%s`: knack %s%s%s", call->arguments[command->most],
            command->name, command->arguments[0] != 0 ? " " : "", command->arguments);
        return false;
    }
    return true;
}

cli_code cli_parse(cli *call, const cli_command *command, int count, char **words)
{
    word_list list = {words, count, 0};
    size_t letters_total = 0;
    for (int i = 0; i < count; i++) {
        letters_total += strlen(words[i]) + 1; // -vvv is several options
    }
    *call = (cli){.command = command};
    call->given = cli_resize(NULL, (letters_total + 1) * sizeof(*call->given));
    call->arguments = cli_resize(NULL, ((size_t)count + 1) * sizeof(*call->arguments));
    bool good = true, only_arguments = false;
    while (good && list.at < list.count) {
        const char *word = list.words[list.at++];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && word[0] == '-' && word[1] == '-') {
            good = long_option(call, &list, word + 2);
        } else if (!only_arguments && word[0] == '-' && word[1] != 0) {
            good = letters(call, &list, word + 1);
        } else {
            call->arguments[call->argument_count++] = word;
        }
    }
    good = good && count_is_right(call);
    return good ? CLI_GOOD : CLI_USAGE;
}

void cli_free(cli *call)
{
    free(call->given);
    free(call->arguments);
}

// What was given ------------------------------------------------------------

static const cli_given *given_last(const cli *call, const char *name)
{
    for (uint32_t i = call->given_count; i > 0; i--) {
        if (strcmp(call->given[i - 1].option->name, name) == 0) {
            return &call->given[i - 1];
        }
    }
    return NULL;
}

bool cli_has(const cli *call, const char *name)
{
    return given_last(call, name) != NULL;
}

const char *cli_text_of(const cli *call, const char *name, const char *fallback)
{
    const cli_given *given = given_last(call, name);
    return given != NULL ? given->text : fallback;
}

uint64_t cli_number_of(const cli *call, const char *name, uint64_t fallback)
{
    const cli_given *given = given_last(call, name);
    return given != NULL ? given->number : fallback;
}

kn_time cli_time_of(const cli *call, const char *name, kn_time fallback)
{
    const cli_given *given = given_last(call, name);
    return given != NULL ? given->time : fallback;
}

const char *cli_nth_of(const cli *call, const char *name, uint32_t index)
{
    for (uint32_t i = 0; i < call->given_count; i++) {
        if (strcmp(call->given[i].option->name, name) == 0 && index-- == 0) {
            return call->given[i].text;
        }
    }
    return NULL;
}
