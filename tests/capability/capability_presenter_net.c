// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Presenters beside the worlds of clients, which follow a server, predict and are corrected.

#include "capability/capability_match.h"

#include "knack/capability_presenter.h"

#define LATENCY KN_MS(40)
#define SETTLED KN_MS(400)

// What the presenter of a client has done.
typedef struct screen {
    kn_capability_presenter *presenter;
    uint32_t ticks;
    char log[512];
} screen;

static void screen_say(const kn_hook_call *call, const part *p, const char *letters)
{
    screen *s = ((const kn_capability_call *)call->arguments)->user;
    size_t length = strlen(s->log);
    (void)snprintf(s->log + length, sizeof(s->log) - length, "%s%s_%s", length > 0 ? " " : "",
        letters, p->name);
}

#define SCREEN_HOOK(name_, letters_)                                                               \
    static kn_result name_(void *user, const kn_hook_call *call)                                   \
    {                                                                                              \
        screen_say(call, user, letters_);                                                          \
        return KN_OK;                                                                              \
    }
SCREEN_HOOK(screen_start_life, "SL")
SCREEN_HOOK(screen_setup, "SU")
SCREEN_HOOK(screen_on, "ON")
SCREEN_HOOK(screen_off, "OFF")
SCREEN_HOOK(screen_end, "EC")
SCREEN_HOOK(screen_end_life, "EL")

static kn_result screen_tick(void *user, const kn_hook_call *call)
{
    (void)user;
    ((screen *)((const kn_capability_call *)call->arguments)->user)->ticks++;
    return KN_OK;
}

static void shown_part(match *m, const char *name, kn_capability_side side)
{
    part *p = part_of(m, name, side);
    p->def.presents = true;
    p->def.start_life = (kn_hook){screen_start_life, p};
    p->def.setup = (kn_hook){screen_setup, p};
    p->def.activated = (kn_hook){screen_on, p};
    p->def.deactivated = (kn_hook){screen_off, p};
    p->def.tick = (kn_hook){screen_tick, p};
    p->def.end_capability = (kn_hook){screen_end, p};
    p->def.end_life = (kn_hook){screen_end_life, p};
    part_done(p);
}

static void screens_begin(match *m, screen *screens)
{
    for (uint32_t i = 0; i <= OBSERVER; i++) {
        kn_capability_presenter_def def = kn_capability_presenter_def_default();
        def.library = m->library;
        def.user = &screens[i];
        expect_ok(kn_capability_presenter_create(&def, &screens[i].presenter));
    }
}

static void screens_end(match *m, screen *screens)
{
    for (uint32_t i = 0; i <= OBSERVER; i++) {
        expect_ok(kn_capability_presenter_clear(screens[i].presenter, client_world(m, i)));
        kn_capability_presenter_destroy(screens[i].presenter);
    }
}

// A frame of the screens for each of the network.
static void screens_run(match *m, screen *screens, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end;) {
        match_run(m, FRAME);
        for (uint32_t i = 0; i <= OBSERVER; i++) {
            expect_ok(kn_capability_present(screens[i].presenter, client_world(m, i), FRAME));
        }
    }
}

static void expect_log(screen *s, const char *expected)
{
    assert_string_equal(s->log, expected);
    s->log[0] = 0;
}

// A client's commands are carried out ahead of the server: 1 adds a set, 2 adds the next one on the
// server, 3 adds it on the client alone.
static kn_result wish_run(void *user, kn_world *world, const kn_command *command)
{
    const wish_data *wish = command->payload;
    kn_capability_set_id set = {wish->number};
    (void)user;
    set.index1 += wish->what == 2 && !kn_world_is_client(world);
    return wish->what == 3 && !kn_world_is_client(world)
               ? KN_REFUSED_CUSTOM
               : kn_capability_set_add(world, command->entity, set, NULL);
}

// CAP-153, CAP-155, CAPV-053
static void clients_present_the_sets_of_the_server(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    screen screens[2] = {0};
    shown_part(m, "A", KN_SIDE_LOCAL);
    shown_part(m, "B", KN_SIDE_CLIENTS);
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    screens_begin(m, screens);
    expect_ok(kn_capability_set_add(m->world, m->hero, set, NULL));
    screens_run(m, screens, SETTLED);
    expect_log(&screens[OWNER], "SL_A SL_B SU_A ON_A SU_B ON_B");
    expect_log(&screens[OBSERVER], "SL_A SL_B SU_B ON_B");
    // Corrections begin nothing anew.
    uint32_t ticks = screens[OWNER].ticks;
    for (int i = 0; i < 5; i++) {
        expect_ok(kn_entity_add_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE, 1));
        screens_run(m, screens, KN_MS(100));
    }
    assert_int_equal(screens[OWNER].ticks - ticks, 2 * 100);
    expect_log(&screens[OWNER], "");
    expect_log(&screens[OBSERVER], "");
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connections[OBSERVER]));
    screens_run(m, screens, SETTLED);
    expect_log(&screens[OWNER], "OFF_A EC_A");
    expect_log(&screens[OBSERVER], "SU_A ON_A");
    expect_ok(kn_capability_set_remove(m->world, m->hero, set));
    screens_run(m, screens, SETTLED);
    expect_log(&screens[OWNER], "OFF_B EC_B EL_B EL_A");
    expect_log(&screens[OBSERVER], "OFF_B EC_B EL_B OFF_A EC_A EL_A");
    screens_end(m, screens);
    match_end(m);
}

// CAP-166
static void what_was_predicted_right_goes_on(void **state)
{
    (void)state;
    match *m = match_create(wish_run);
    screen screens[2] = {0};
    shown_part(m, "A", KN_SIDE_LOCAL);
    shown_part(m, "B", KN_SIDE_LOCAL);
    shown_part(m, "C", KN_SIDE_LOCAL);
    kn_capability_set_id set = plain_set(m, "S", "A"), next = plain_set(m, "T", "B");
    (void)plain_set(m, "U", "C");
    match_begin(m, LATENCY);
    screens_begin(m, screens);
    match_wish(m, OWNER, m->hero, 1, set.index1);
    screens_run(m, screens, KN_MS(30)); // less than a way to the server
    assert_int_equal(kn_capability_set_number(m->world, m->hero, set), 0);
    expect_log(&screens[OWNER], "SL_A SU_A ON_A");
    screens_run(m, screens, SETTLED);
    assert_int_not_equal(kn_capability_set_number(m->world, m->hero, set), 0);
    expect_log(&screens[OWNER], "");
    // Predicted wrong: the server added another, with the same number.
    match_wish(m, OWNER, m->hero, 2, next.index1);
    screens_run(m, screens, KN_MS(30));
    expect_log(&screens[OWNER], "SL_B SU_B ON_B");
    screens_run(m, screens, SETTLED);
    expect_log(&screens[OWNER], "OFF_B EC_B EL_B SL_C SU_C ON_C");
    // The server refused it.
    match_wish(m, OWNER, m->hero, 3, next.index1);
    screens_run(m, screens, KN_MS(30));
    expect_log(&screens[OWNER], "SL_B SU_B ON_B");
    screens_run(m, screens, SETTLED);
    expect_log(&screens[OWNER], "OFF_B EC_B EL_B");
    assert_int_equal(kn_capability_presenter_count(screens[OWNER].presenter, m->hero).active, 2);
    screens_end(m, screens);
    match_end(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clients_present_the_sets_of_the_server),
    cmocka_unit_test(what_was_predicted_right_goes_on),
};

TEST_GROUP(capability_presenter_net, tests, NULL, NULL);
