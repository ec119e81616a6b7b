// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts see a kit in C as they see the library: they read its definitions and components, issue
// its commands and react to its reasons.

#include "kit_test.h"

#include <knack/script.h>

static char printed[4096];

static void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s%s\n",
        entry->level == KN_LOG_ERROR ? "ERROR " : "", entry->message);
}

static void expect_printed(const char *expected)
{
    assert_string_equal(printed, expected);
    printed[0] = 0;
}

static void a_script_reads_and_drives_the_kit(void **state)
{
    (void)state;
    game g = {0};
    kn_script_def script_def = kn_script_def_default();
    kn_script_loader *loader;
    script_def.hooks.log_fn = log_line;
    expect_ok(kn_script_loader_create(&script_def, &loader));
    kn_data_def def = kn_data_def_default();
    def.prepare = kit_prepare;
    def.scripts = kn_script_loader_scripts(loader);
    expect_ok(kn_data_create(&def, &g.data));
    expect_ok(kit_add_natives(g.data));
    expect_ok(kn_data_add_folder(g.data, KIT_CONTENT));
    expect_ok(kn_data_add_folder(g.data, KIT_CONTENT "/../scripts"));
    g.library = kit_library(g.data);
    g.world = world_create(g.library);
    game_populate(&g);
    printed[0] = 0;

    step(&g, 0.5);
    expect_printed("unit\tStrike\tUnit.Busy\tWeaker\n"
                   "2.0\ttrue\n"
                   "true\n");
    cast_bar bar;
    assert_true(cast_bar_of(g.world, g.target, &bar));
    step(&g, 0.5); // commands first
    expect_event(&g, "CastEnded", "entity 3  ends Fireball: interrupted");
    expect_printed("Attack\ttrue\t2\ttrue\n"
                   "acting\tblocked\n"
                   "1\t1\n"
                   "Fireball\t1.5\t1\tnil\tnot_found\n"
                   "interrupted\tSchool.Fire\t3.0\tend\n");
    step(&g, 0.5);
    expect_printed("Meteor: blocked by School.Fire (effect Fire Lockout)\n");
    assert_false(kn_entity_is_alive(g.world, g.rival));
    step(&g, 0.5);
    expect_printed("0\tWalk\n");
    step(&g, 0.5);
    expect_printed("0\tacting\n");
    kn_world_destroy(g.world);
    kn_library_destroy(g.library);
    kn_data_destroy(g.data);
    kn_script_loader_destroy(loader);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_script_reads_and_drives_the_kit),
};

TEST_GROUP(kit_script, tests, NULL, NULL);
