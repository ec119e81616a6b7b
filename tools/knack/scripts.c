// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "scripts.h"

#include <stdlib.h>
#include <string.h>

// The log -------------------------------------------------------------------

void script_log_clear(script_log *log)
{
    for (uint32_t i = 0; i < log->error_count; i++) {
        text_free(&log->errors[i].file);
        text_free(&log->errors[i].words);
    }
    free(log->errors);
    log->errors = NULL;
    log->error_count = 0;
}

void script_log_forgive(script_log *log, const kn_scenario_run *run)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; run != NULL && i < log->error_count; i++) {
        if (kn_scenario_run_expected_error(run, log->errors[i].line)) {
            text_free(&log->errors[i].file);
            text_free(&log->errors[i].words);
        } else {
            log->errors[kept++] = log->errors[i];
        }
    }
    log->error_count = run != NULL ? kept : log->error_count;
}

void script_log_free(script_log *log)
{
    script_log_clear(log);
    for (uint32_t i = 0; i < log->name_count; i++) {
        text_free(&log->names[i]);
    }
    free(log->names);
    *log = (script_log){0};
}

// The next line of a text: its length, and `*next` is what follows it.
static int line_length(const char *line, const char **next)
{
    size_t length = strcspn(line, "\n");
    *next = line + length + (line[length] == '\n' ? 1 : 0);
    return (int)length;
}

void script_log_print(const cli *call, const script_log *log, const char *indent, FILE *out)
{
    for (uint32_t i = 0; i < log->error_count; i++) {
        const script_error *error = &log->errors[i];
        const char *next;
        int length = line_length(text_of(&error->words), &next);
        (void)fprintf(out, "%s", indent);
        if (error->line > 0) {
            (void)fprintf(out, "%s:%u: ", text_of(&error->file), error->line);
        }
        (void)fprintf(out, "%serror:%s %.*s\n", cli_paint_on(call, out, CLI_RED),
            cli_paint_on(call, out, CLI_PLAIN), length, text_of(&error->words));
        for (const char *line = next; *line != 0; line = next) {
            length = line_length(line, &next);
            (void)fprintf(out, "%s  %s%.*s\n", indent, *line == '\t' ? "  " : "",
                length - (*line == '\t' ? 1 : 0), line + (*line == '\t' ? 1 : 0));
        }
    }
}

void script_log_json(json *out, const char *key, const script_log *log)
{
    json_begin(out, key, '[');
    for (uint32_t i = 0; i < log->error_count; i++) {
        const script_error *error = &log->errors[i];
        json_begin(out, NULL, '{');
        json_text(out, "file", text_of(&error->file));
        json_count(out, "line", error->line);
        json_text(out, "text", text_of(&error->words));
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void name_note(void *user, const char *name, const char *bytes, size_t size)
{
    script_log *log = user;
    (void)bytes;
    (void)size;
    log->names = cli_resize(log->names, (log->name_count + 1) * sizeof(*log->names));
    log->names[log->name_count] = (text){0};
    text_add(&log->names[log->name_count++], name);
}

#if KNACK_HAS_SCRIPTS

#include "knack/script.h"

#include <pthread.h>

// The message without its place, which is printed in front of it, and without the end of the
// traceback that says nothing: how the program called the script.
static void error_words(const kn_log_entry *entry, text *out)
{
    static const char host[] = "\n\t[C]: in ?";
    char place[96];
    (void)snprintf(place, sizeof(place), "%s:%d: ", entry->file, entry->line);
    const char *at = entry->line > 0 ? strstr(entry->message, place) : NULL;
    if (at != NULL) {
        text_bytes(out, entry->message, (size_t)(at - entry->message));
        text_add(out, at + strlen(place));
    } else {
        text_add(out, entry->message);
    }
    size_t size = strlen(host);
    if (out->length > size && strcmp(out->data + out->length - size, host) == 0) {
        out->length -= size;
        out->data[out->length] = 0;
    }
}

// The script whose name ends like that, if it is only one.
static const char *full_name(const script_log *log, const char *shown)
{
    const char *found = NULL;
    size_t length = strlen(shown);
    if (strncmp(shown, "...", 3) != 0) {
        return shown;
    }
    for (uint32_t i = 0; i < log->name_count; i++) {
        const text *name = &log->names[i];
        if (name->length >= length - 3 &&
            strcmp(name->data + name->length - (length - 3), shown + 3) == 0) {
            found = found == NULL ? name->data : shown;
        }
    }
    return found != NULL ? found : shown;
}

static void log_error(script_log *log, const kn_log_entry *entry)
{
    script_error error = {.line = entry->line > 0 ? (uint32_t)entry->line : 0};
    text_add(&error.file, full_name(log, entry->file != NULL ? entry->file : ""));
    error_words(entry, &error.words);
    for (uint32_t i = 0; i < log->error_count; i++) {
        const script_error *known = &log->errors[i];
        if (known->line == error.line && strcmp(text_of(&known->file), text_of(&error.file)) == 0 &&
            strcmp(text_of(&known->words), text_of(&error.words)) == 0) {
            text_free(&error.file);
            text_free(&error.words);
            return;
        }
    }
    log->errors = cli_resize(log->errors, (log->error_count + 1) * sizeof(*log->errors));
    log->errors[log->error_count++] = error;
}

static void log_entry(void *user, const kn_log_entry *entry)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // worlds on several threads
    script_log *log = user;
    if (log->is_deaf) {
        return;
    }
    (void)pthread_mutex_lock(&lock);
    if (entry->level >= KN_LOG_ERROR) {
        log_error(log, entry);
    } else if (log->has_prints) {
        (void)printf("  %8s  %s\n", "print", entry->message);
    }
    (void)pthread_mutex_unlock(&lock);
}

struct scripts {
    kn_script_loader *loader;
    kn_data_scripts inner; // for who watches
    script_seen_fn *seen;
    void *user;
};

static kn_result watched_begin(void *user, kn_library *library, kn_error *error)
{
    const scripts *from = user;
    return from->inner.begin(from->inner.user, library, error);
}

static kn_result watched_load(
    void *user, const char *name, const char *bytes, size_t size, kn_error *error)
{
    const scripts *from = user;
    from->seen(from->user, name, bytes, size);
    return from->inner.load(from->inner.user, name, bytes, size, error);
}

static kn_result watched_bind(
    void *user, kn_library *library, kn_def_kind kind, const char *name, void *def, kn_error *error)
{
    const scripts *from = user;
    return from->inner.bind(from->inner.user, library, kind, name, def, error);
}

static void watched_lint(void *user, const kn_library *library, const char *bytes, size_t size,
    kn_data_report_fn *tell, void *tell_user)
{
    const scripts *from = user;
    from->inner.lint(from->inner.user, library, bytes, size, tell, tell_user);
}

void scripts_watch(scripts *from, script_seen_fn *seen, void *user, kn_data_scripts *out)
{
    if (from != NULL && seen != NULL) {
        from->inner = *out;
        from->seen = seen;
        from->user = user;
        *out = (kn_data_scripts){from, watched_begin, watched_load, watched_bind, watched_lint};
    }
}

scripts *scripts_open(script_log *log, kn_data_scripts *out)
{
    *out = (kn_data_scripts){0};
    kn_script_def def = kn_script_def_default();
    def.hooks.log_fn = log_entry;
    def.hooks.log_user = log;
    scripts *opened = malloc(sizeof(*opened));
    if (opened != NULL && kn_script_loader_create(&def, &opened->loader) == KN_OK) {
        *out = kn_script_loader_scripts(opened->loader);
        return opened;
    }
    free(opened);
    return NULL;
}

void scripts_close(scripts *from)
{
    if (from != NULL) {
        kn_script_loader_destroy(from->loader); // what was built keeps its script
        free(from);
    }
}

#else

scripts *scripts_open(script_log *log, kn_data_scripts *out)
{
    (void)log;
    *out = (kn_data_scripts){0};
    return NULL;
}

void scripts_close(scripts *from)
{
    (void)from;
}

void scripts_watch(scripts *from, script_seen_fn *seen, void *user, kn_data_scripts *out)
{
    (void)from;
    (void)seen;
    (void)user;
    (void)out;
}

#endif

kn_result scripts_load_scenario(
    const cli *call, const char *path, script_log *log, kn_scenario **scenario)
{
    kn_scenario_def def = kn_scenario_def_default();
    def.prepare = cli_prepare;
    def.kits = cli_kits(&def.kit_count);
    scripts *opened = scripts_open(log, &def.scripts);
    scripts_watch(opened, name_note, log, &def.scripts);
    log->is_deaf = true;
    const text *bytes = strcmp(path, "-") == 0 ? stdin_read(call) : NULL;
    kn_result result = bytes != NULL ? kn_scenario_load_text(&def, STDIN_NAME, text_of(bytes),
                                           bytes->length, scenario)
                                     : kn_scenario_load_file(&def, path, scenario);
    log->is_deaf = false;
    scripts_close(opened);
    return result;
}
