// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The heroes of the ability tests with a script in their library. What scripts print is noted in
// the fixture's log; errors are kept apart.
#ifndef SCRIPT_FIXTURE_H
#define SCRIPT_FIXTURE_H

#include "knack/script.h"
#include "scenario/ability_fixture.h"

static kn_script *the_script;
static char last_error[2048];
static uint32_t error_lines;

static inline void script_log(void *user, const kn_log_entry *entry)
{
    if (entry->level == KN_LOG_ERROR) {
        (void)snprintf(last_error, sizeof(last_error), "%s", entry->message);
        error_lines++;
    } else {
        note(user, "%s. ", entry->message);
    }
}

static inline kn_script *script_begin(fixture *f, const kn_script_def *def)
{
    kn_script_def own = def != NULL ? *def : kn_script_def_default();
    own.hooks.log_fn = script_log;
    own.hooks.log_user = f;
    kn_error error = {0};
    last_error[0] = 0;
    error_lines = 0;
    if (kn_script_create(f->library, &own, &the_script, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return the_script;
}

static inline void load(const char *text)
{
    kn_error error = {0};
    if (kn_script_load(the_script, "test.lua", text, strlen(text), &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

// Loads what must be refused; the message is in last_error, the line is returned.
static inline uint32_t load_refused(const char *text)
{
    kn_error error = {0};
    assert_int_equal(
        kn_script_load(the_script, "test.lua", text, strlen(text), &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    (void)snprintf(last_error, sizeof(last_error), "%s", error.message);
    return error.line;
}

#define EXPECT_ERROR(part)                                                                         \
    do {                                                                                           \
        if (strstr(last_error, part) == NULL) {                                                    \
            fail_msg("expected \"%s\" in \"%s\"", part, last_error);                               \
        }                                                                                          \
    } while (0)

// An ability whose body is in the script; per execution unless set otherwise.
static inline kn_ability_type_id bound(fixture *f, const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    kn_error error = {0};
    if (kn_script_bind_ability(the_script, name, &def, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return ability_register(f, &def);
}

static inline void expect_no_error(void)
{
    if (kn_script_error_count(the_script) != 0) {
        fail_msg("%s", last_error);
    }
}

static inline void register_tag(fixture *f, const char *name)
{
    (void)tag_of(f, name);
}

// Runs a body inside an activation; what it prints is in the log.
static inline kn_result run_body(fixture *f, const char *before, const char *body)
{
    char text[8192];
    (void)snprintf(
        text, sizeof(text), "%s\nability 'T' { activate = function(self)\n%s\nend }", before, body);
    load(text);
    kn_ability_type_id type = bound(f, "T");
    begin(f);
    return kn_ability_activate(f->world, grant(f, type), NULL, NULL);
}

static inline void run(fixture *f, const char *body)
{
    kn_result result = run_body(f, "", body);
    if (result != KN_OK || kn_script_error_count(the_script) > 0) {
        fail_msg("%s", last_error);
    }
}

// Runs a body that must fail with a message; the world continues.
static inline void run_fails(fixture *f, const char *before, const char *body, const char *message)
{
    assert_int_equal(run_body(f, before, body), KN_ERROR_BAD_DATA);
    EXPECT_ERROR(message);
    assert_int_equal(kn_script_error_count(the_script), 1);
    step(f, KN_MS(10));
}

static inline int setup_script(void **state)
{
    (void)setup(state);
    (void)script_begin(*state, NULL);
    return 0;
}

static inline int teardown_script(void **state)
{
    kn_script_destroy(the_script);
    the_script = NULL;
    return teardown(state);
}

#define SCRIPTED(test) cmocka_unit_test_setup_teardown(test, setup_script, teardown_script)

#endif
