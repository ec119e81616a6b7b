// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack check: all mistakes of a library, and what is suspicious.

#include "content.h"

#include <string.h>

// What a library has of the kinds people write.
static const struct {
    kn_def_kind kind;
    const char *one;
    const char *many;
} counted[] = {
    {KN_DEF_TAG, "tag", "tags"},
    {KN_DEF_ATTRIBUTE, "attribute", "attributes"},
    {KN_DEF_EFFECT, "effect", "effects"},
    {KN_DEF_ABILITY, "ability", "abilities"},
    {KN_DEF_ARCHETYPE, "archetype", "archetypes"},
};
#define COUNTED (sizeof(counted) / sizeof(*counted))

static void print_json(const content *checked, bool is_good)
{
    const kn_data *data = checked->data;
    json out = {0};
    json_begin(&out, NULL, '{');
    json_bool(&out, "good", is_good);
    json_count(&out, "errors", kn_data_error_count(data));
    json_count(&out, "warnings", kn_data_warning_count(data));
    json_begin(&out, "messages", '[');
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        message_json(&out, &message);
    }
    json_end(&out, ']');
    if (checked->library != NULL) {
        json_begin(&out, "library", '{');
        for (size_t i = 0; i < COUNTED; i++) {
            json_count(&out, counted[i].many, kn_def_count(checked->library, counted[i].kind));
        }
        for (uint32_t i = 0; i < kn_kind_count(checked->library); i++) {
            kn_def_kind kind = (kn_def_kind)(KN_DEF_KIND_OWN + i);
            json_count(&out, kn_kind_get_def(checked->library, kind)->section,
                kn_def_count(checked->library, kind));
        }
        char hash[20];
        (void)snprintf(
            hash, sizeof(hash), "%016llx", (unsigned long long)kn_library_hash(checked->library));
        json_text(&out, "hash", hash);
        json_end(&out, '}');
    }
    json_end(&out, '}');
    json_print(&out);
}

static void print_text(const cli *call, const content *checked)
{
    const kn_data *data = checked->data;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        message_print(call, &message, stdout);
    }
    uint32_t errors = kn_data_error_count(data), warnings = kn_data_warning_count(data);
    if (cli_has(call, "quiet")) {
        return;
    }
    if (checked->library != NULL) {
        for (size_t i = 0; i < COUNTED; i++) {
            uint32_t count = kn_def_count(checked->library, counted[i].kind);
            (void)printf(
                "%s%u %s", i > 0 ? ", " : "", count, count == 1 ? counted[i].one : counted[i].many);
        }
        for (uint32_t i = 0; i < kn_kind_count(checked->library); i++) {
            kn_def_kind kind = (kn_def_kind)(KN_DEF_KIND_OWN + i);
            (void)printf(", %u in %s", kn_def_count(checked->library, kind),
                kn_kind_get_def(checked->library, kind)->section);
        }
        (void)printf("\n");
    }
    (void)printf("%u %s, %u %s\n", errors, errors == 1 ? "error" : "errors", warnings,
        warnings == 1 ? "warning" : "warnings");
}

// Lints ---------------------------------------------------------------------

static void lints_print(const cli *call)
{
    const char *name;
    json out = {0};
    json_begin(&out, NULL, '[');
    for (uint32_t i = 0; (name = kn_data_lint_name(i)) != NULL; i++) {
        if (!cli_has(call, "json")) {
            (void)printf("%-22s %s\n", name, kn_data_lint_text(i));
        }
        json_begin(&out, NULL, '{');
        json_text(&out, "name", name);
        json_text(&out, "finds", kn_data_lint_text(i));
        json_end(&out, '}');
    }
    json_end(&out, ']');
    if (cli_has(call, "json")) {
        json_print(&out);
    }
    text_free(&out.out);
}

static const char *lint_word(const void *user, uint32_t index)
{
    (void)user;
    return kn_data_lint_name(index);
}

static bool lint_exists(const char *name)
{
    const char *known;
    for (uint32_t i = 0; (known = kn_data_lint_name(i)) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            return true;
        }
    }
    return false;
}

// The names behind --off with blanks between them. False with a message.
static bool lints_off(const cli *call, text *out)
{
    const char *list;
    bool good = true;
    text_add(out, "");
    for (uint32_t i = 0; good && (list = cli_nth_of(call, "off", i)) != NULL; i++) {
        while (good && *(list += strspn(list, ", ")) != 0) {
            text name = {0};
            for (; *list != 0 && strchr(", ", *list) == NULL; list++) {
                text_bytes(&name, list, 1);
            }
            good = lint_exists(text_of(&name));
            if (!good) {
                const char *nearest = cli_nearest(text_of(&name), lint_word, NULL);
                cli_tell(call, "there is no lint `%s`%s%s%s", text_of(&name),
                    nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "`?" : "; `knack check --list-lints` lists them");
            }
            text_format(out, "%s ", text_of(&name));
            text_free(&name);
        }
    }
    return good;
}

cli_code check_main(const cli *call)
{
    if (cli_has(call, "list-lints")) {
        lints_print(call);
        return CLI_GOOD;
    }
    text off = {0};
    if (!lints_off(call, &off)) {
        text_free(&off);
        return CLI_USAGE;
    }
    content checked = {0};
    cli_code code =
        content_read(call, call->arguments, call->argument_count, text_of(&off), &checked);
    text_free(&off);
    if (code != CLI_UNREADABLE) {
        if (cli_has(call, "strict") && kn_data_warning_count(checked.data) > 0) {
            code = CLI_BAD;
        }
        if (cli_has(call, "json")) {
            print_json(&checked, code == CLI_GOOD);
        } else {
            print_text(call, &checked);
        }
    }
    content_free(&checked);
    return code;
}
