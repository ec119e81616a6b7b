// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack check: all mistakes of a library, and what is suspicious.

#include "content.h"

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
        json_begin(&out, NULL, '{');
        json_text(&out, "severity", message.is_error ? "error" : "warning");
        json_text(&out, "file", message.file);
        json_count(&out, "line", message.line);
        json_count(&out, "column", message.column);
        json_text(&out, "text", message.text);
        json_end(&out, '}');
    }
    json_end(&out, ']');
    if (checked->library != NULL) {
        json_begin(&out, "library", '{');
        for (size_t i = 0; i < COUNTED; i++) {
            json_count(&out, counted[i].many, kn_def_count(checked->library, counted[i].kind));
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
        content_message_print(call, &message, stdout);
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
        (void)printf("\n");
    }
    (void)printf("%u %s, %u %s\n", errors, errors == 1 ? "error" : "errors", warnings,
        warnings == 1 ? "warning" : "warnings");
}

cli_code check_main(const cli *call)
{
    content checked;
    cli_code code = content_read(call, call->arguments, call->argument_count, true, &checked);
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
