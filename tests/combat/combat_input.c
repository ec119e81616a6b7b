// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The input queue: presses that come early, casts that a new press cancels, automatic use, and what
// a release does. The log of a test has each use with its time in milliseconds.

#include "combat_test.h"

#include "scenario/world_copies.h"

typedef struct pad {
    arena a;
    kn_input_rules_def rules;
    kn_tag item_category;
    kn_ability_id channel, bolt, nova, free, weapon, beam, potion;
    char log[512];
    kn_event_record last; // the event of the last use
    uint32_t last_targets;
} pad;

// Logs an activation by the name of its ability.
static kn_result log_use(const kn_ability_call *call)
{
    pad *p = call->user;
    kn_ability_info info;
    kn_event_record event;
    size_t length = strlen(p->log);
    assert_true(kn_ability_get(call->world, call->ability, &info));
    (void)snprintf(p->log + length, sizeof(p->log) - length, "%s %d, ",
        kn_ability_type_name(p->a.library, info.type), (int)(kn_world_now(call->world) / 1000));
    if (kn_activation_event(call->world, call->activation, &event)) {
        p->last = event;
        kn_target_view view = {event.data, event.data_size};
        p->last_targets = kn_target_entities(view, NULL, 0);
    }
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static void pad_ability(pad *p, const char *name, float global, float cooldown)
{
    kn_cooldown_def cooldowns[2];
    uint32_t count = 0;
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.activate = log_use;
    def.user = p;
    if (global > 0.0f) {
        cooldowns[count++] = kn_global_cooldown_def(p->a.library, global);
    }
    if (cooldown > 0.0f) {
        cooldowns[count++] = kn_cooldown_seconds(cooldown);
    }
    def.cooldowns = cooldowns;
    def.cooldown_count = count;
    (void)arena_ability(&p->a, &def);
}

static void pad_cast(pad *p, const char *name, float seconds, float global)
{
    kn_error error = {0};
    kn_cooldown_def cooldown = kn_global_cooldown_def(p->a.library, global);
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.cooldowns = &cooldown;
    def.cooldown_count = global > 0.0f;
    (void)arena_ability(&p->a, &def);
    kn_cast_def cast = kn_cast_def_default();
    cast.name = name;
    cast.kind = KN_CAST_CHANNEL;
    cast.ticks = 3;
    cast.length = kn_magnitude_constant(seconds);
    expect_ok(kn_cast_register(p->a.library, &cast, NULL, &error));
}

static void pad_input(pad *p, const kn_input_def *def)
{
    kn_error error = {0};
    if (kn_input_register(p->a.library, def, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static kn_ability_id pad_grant(pad *p, const char *name)
{
    return arena_grant(&p->a, p->a.hero, kn_ability_type_find(p->a.library, name));
}

// `Channel` takes 3 s without a global cooldown, `Bolt` and `Nova` are on the global cooldown of
// 1.5 s, `Free` is not, `Weapon` is automatic with a cooldown of 0.4 s, `Beam` is a channel of 3 s
// that a release cancels, `Potion` has a category of its own and a cooldown of 8 s.
static void pad_begin(pad *p)
{
    memset(p, 0, sizeof(*p));
    arena_begin(&p->a);
    p->rules = kn_input_rules_def_default();
    p->rules.name = "Rules";
    p->item_category = arena_tag(&p->a, "Category.Item");
    pad_cast(p, "Channel", 3.0f, 0.0f);
    pad_cast(p, "Beam", 3.0f, 0.0f);
    pad_ability(p, "Bolt", 1.5f, 0.0f);
    pad_ability(p, "Nova", 1.5f, 0.0f);
    pad_ability(p, "Free", 0.0f, 0.0f);
    pad_ability(p, "Weapon", 0.0f, 0.4f);
    pad_ability(p, "Potion", 0.0f, 8.0f);
    kn_input_def input = kn_input_def_default();
    input.name = "Weapon";
    input.automatic = true;
    pad_input(p, &input);
    input = kn_input_def_default();
    input.name = "Release";
    input.ability = kn_ability_type_find(p->a.library, "Beam");
    input.cancel_on_release = true;
    pad_input(p, &input);
    input = kn_input_def_default();
    input.name = "Potion";
    input.category = p->item_category;
    pad_input(p, &input);
}

static void pad_start(pad *p)
{
    kn_error error = {0};
    expect_ok(kn_input_rules_register(p->a.library, &p->rules, &error));
    arena_start(&p->a);
    p->channel = pad_grant(p, "Channel");
    p->beam = pad_grant(p, "Beam");
    p->bolt = pad_grant(p, "Bolt");
    p->nova = pad_grant(p, "Nova");
    p->free = pad_grant(p, "Free");
    p->weapon = pad_grant(p, "Weapon");
    p->potion = pad_grant(p, "Potion");
}

// Presses and gives what became of it; a refusal gives KN_INPUT_REFUSED.
static kn_input_outcome press(pad *p, kn_ability_id ability)
{
    kn_input_press_def def = kn_input_press_def_default();
    kn_input_outcome outcome = KN_INPUT_OUTCOME_COUNT;
    def.ability = ability;
    kn_result result = kn_input_queue_press(p->a.world, p->a.hero, &def, &outcome);
    assert_true((result == KN_OK) == (outcome != KN_INPUT_REFUSED));
    return outcome;
}

static void press_at(pad *p, int64_t ms, kn_ability_id ability, kn_input_outcome wanted)
{
    arena_until(&p->a, ms);
    assert_int_equal(press(p, ability), wanted);
}

static bool is_casting(const pad *p)
{
    kn_cast_info info;
    return kn_cast_get(p->a.world, p->a.hero, &info);
}

static uint32_t waiting(const pad *p)
{
    return kn_input_queue_get(p->a.world, p->a.hero, NULL, 0);
}

static void expect_log(pad *p, const char *wanted)
{
    assert_string_equal(p->log, wanted);
    p->log[0] = 0;
}

// The happenings of the last step: "Bolt queued, ...".
static void expect_happenings(const pad *p, const char *wanted)
{
    static const char *const words[] = {
        "queued", "tried", "replaced", "dropped", "started", "stopped"};
    kn_custom_event_id kind = kn_custom_event_find(p->a.library, "Knack.Input");
    kn_events events = kn_world_events(p->a.world);
    char text[256] = "";
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CUSTOM &&
            events.data[i].data.custom.kind.index1 == kind.index1) {
            uint32_t size;
            const kn_input_event *event = kn_event_payload(p->a.world, &events.data[i], &size);
            kn_ability_info info = {0};
            size_t length = strlen(text);
            (void)kn_ability_get(p->a.world, event->ability, &info);
            (void)snprintf(text + length, sizeof(text) - length, "%s %s, ",
                kn_ability_type_name(p->a.library, info.type), words[event->what]);
        }
    }
    assert_string_equal(text, wanted);
}

// Casts ---------------------------------------------------------------------------

// SAIV-100, INP-001, INP-002, INP-003, USE-068
static void a_press_just_before_the_end_of_a_cast_waits_for_it(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2950, p.bolt, KN_INPUT_WAITS);
    kn_input_waiting entry;
    assert_int_equal(kn_input_queue_get(p.a.world, p.a.hero, &entry, 1), 1);
    assert_true(kn_ability_id_equal(entry.ability, p.bolt) && entry.waits_for_cast);
    assert_int_equal(entry.since, KN_MS(2950));
    assert_int_equal(entry.due, KN_MS(3000));
    arena_until(&p.a, 2999);
    expect_log(&p, "");
    expect_happenings(&p, "Bolt queued, ");
    arena_until(&p.a, 3400);
    expect_log(&p, "Bolt 3000, "); // not at the end of the step
    expect_happenings(&p, "Bolt tried, ");
    assert_int_equal(waiting(&p), 0);
    arena_end(&p.a);
}

// SAIV-101, INP-006: the window includes its limit.
static void a_press_before_the_window_cancels_the_cast(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        pad p;
        pad_begin(&p);
        pad_start(&p);
        press_at(&p, 0, p.channel, KN_INPUT_USED);
        expect_ok(kn_world_step(p.a.world, KN_MS(2800) - (kn_time)i));
        assert_int_equal(press(&p, p.bolt), i == 0 ? KN_INPUT_WAITS : KN_INPUT_USED);
        assert_true(is_casting(&p) == (i == 0));
        arena_until(&p.a, 3000);
        expect_log(&p, i == 0 ? "Bolt 3000, " : "Bolt 2799, ");
        arena_end(&p.a);
    }
}

// SAIV-103, INP-007: what cannot be used leaves the cast alone, unless the rules say otherwise.
static void an_ability_without_charges_does_not_cancel_the_cast(void **state)
{
    (void)state;
    for (uint32_t parity = 0; parity < 2; parity++) {
        pad p;
        pad_begin(&p);
        p.rules.cancels_first = parity == 1;
        pad_start(&p);
        expect_ok(kn_ability_activate(p.a.world, p.potion, NULL, NULL));
        press_at(&p, 0, p.channel, KN_INPUT_USED);
        press_at(&p, 2000, p.potion, KN_INPUT_REFUSED);
        assert_true(is_casting(&p) == (parity == 0));
        assert_int_equal(waiting(&p), 0);
        arena_until(&p.a, 2001);
        kn_events events = kn_world_events(p.a.world);
        uint32_t failed = 0;
        for (uint32_t i = 0; i < events.count; i++) {
            failed += events.data[i].type == KN_EVENT_ABILITY_FAILED &&
                      (events.data[i].data.ability.reasons & KN_FAIL_COOLDOWN) != 0;
        }
        assert_int_equal(failed, 1); // it is reported
        arena_end(&p.a);
    }
}

// SAIV-104, SAIV-105, INP-007: during a cast, a press of an ability on the global cooldown.
static void a_cast_goes_on_until_the_global_cooldown_is_over(void **state)
{
    static const struct {
        int64_t pressed;
        uint32_t parity;
        kn_input_outcome outcome;
        bool casts_after;
        const char *log;
    } rows[] = {
        {1400, 0, KN_INPUT_WAITS, true, "Nova 1500, "},
        {1400, 1, KN_INPUT_WAITS, false, "Nova 1500, "},
        {1000, 0, KN_INPUT_REFUSED, true, ""},
        {1000, 1, KN_INPUT_REFUSED, false, ""},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        pad p;
        pad_begin(&p);
        p.rules.cancels_first = rows[i].parity == 1;
        pad_start(&p);
        press_at(&p, 0, p.bolt, KN_INPUT_USED);
        p.log[0] = 0;
        press_at(&p, 0, p.channel, KN_INPUT_USED); // until 3.0; the global cooldown until 1.5
        press_at(&p, rows[i].pressed, p.nova, rows[i].outcome);
        assert_true(is_casting(&p) == rows[i].casts_after);
        arena_until(&p.a, 1499);
        assert_true(is_casting(&p) == rows[i].casts_after);
        arena_until(&p.a, 1600);
        expect_log(&p, rows[i].log);
        assert_true(is_casting(&p) == (rows[i].parity == 0 && rows[i].pressed == 1000));
        arena_end(&p.a);
    }
}

// SAIV-106, INP-009: one after the other, each judged at its own moment.
static void a_press_waits_for_the_cast_and_then_for_the_global_cooldown(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_cast(&p, "Short", 1.35f, 0.0f);
    pad_start(&p);
    kn_ability_id brief = pad_grant(&p, "Short");
    arena_until(&p.a, 650);
    assert_int_equal(press(&p, p.bolt), KN_INPUT_USED); // the global cooldown until 2.15
    assert_int_equal(press(&p, brief), KN_INPUT_USED);  // the cast until 2.0
    p.log[0] = 0;
    press_at(&p, 1900, p.nova, KN_INPUT_WAITS);
    kn_input_waiting entry;
    assert_int_equal(kn_input_queue_get(p.a.world, p.a.hero, &entry, 1), 1);
    assert_int_equal(entry.due, KN_MS(2000));
    arena_until(&p.a, 2050);
    assert_int_equal(kn_input_queue_get(p.a.world, p.a.hero, &entry, 1), 1);
    assert_int_equal(entry.due, KN_MS(2150));
    assert_false(entry.waits_for_cast);
    expect_log(&p, "");
    arena_until(&p.a, 2500);
    expect_log(&p, "Nova 2150, ");
    // What is not on the global cooldown looks at the cast alone.
    press_at(&p, 3000, brief, KN_INPUT_USED);
    press_at(&p, 3000, p.free, KN_INPUT_USED);
    expect_log(&p, "Free 3000, ");
    assert_false(is_casting(&p));
    arena_end(&p.a);
}

// INP-010: an interrupt sets off what waits, and a cast that is pushed back keeps it waiting.
static void an_interrupted_cast_lets_the_press_come_at_once(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2850, p.bolt, KN_INPUT_WAITS);
    kn_interrupt_def interrupt = kn_interrupt_def_default();
    interrupt.target = p.a.hero;
    interrupt.instigator = p.a.foe;
    arena_until(&p.a, 2900);
    expect_ok(kn_cast_interrupt(p.a.world, &interrupt, NULL));
    arena_until(&p.a, 2950);
    expect_log(&p, "Bolt 2900, ");
    arena_end(&p.a);
}

static void a_cast_that_is_pushed_back_keeps_a_press_waiting(void **state)
{
    pad p;
    kn_error error = {0};
    (void)state;
    pad_begin(&p);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Slow";
    (void)arena_ability(&p.a, &def);
    kn_cast_def cast = kn_cast_def_default();
    cast.name = "Slow";
    cast.length = kn_magnitude_constant(2.0f);
    expect_ok(kn_cast_register(p.a.library, &cast, NULL, &error));
    pad_start(&p);
    press_at(&p, 0, pad_grant(&p, "Slow"), KN_INPUT_USED);
    press_at(&p, 1900, p.bolt, KN_INPUT_WAITS);
    expect_ok(kn_cast_push_back(p.a.world, p.a.hero));
    arena_until(&p.a, 2400);
    assert_true(is_casting(&p));
    expect_log(&p, "");
    arena_until(&p.a, 2600);
    expect_log(&p, "Bolt 2500, ");
    arena_end(&p.a);
}

// INP-017
static void pressing_what_is_being_cast_is_like_any_other_press(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    kn_input_def input = kn_input_def_default();
    input.name = "Channel";
    input.ignores_itself = true;
    pad_input(&p, &input);
    pad_start(&p);
    kn_cast_info info;
    press_at(&p, 0, p.beam, KN_INPUT_USED);
    press_at(&p, 1000, p.beam, KN_INPUT_USED); // cancelled and begun anew
    assert_true(kn_cast_get(p.a.world, p.a.hero, &info));
    assert_int_equal(info.start, KN_MS(1000));
    press_at(&p, 3900, p.beam, KN_INPUT_WAITS);
    arena_until(&p.a, 4000);
    assert_true(kn_cast_get(p.a.world, p.a.hero, &info));
    assert_int_equal(info.start, KN_MS(4000));
    press_at(&p, 5000, p.channel, KN_INPUT_USED);
    press_at(&p, 6000, p.channel, KN_INPUT_IGNORED);
    press_at(&p, 7950, p.channel, KN_INPUT_IGNORED);
    assert_true(kn_cast_get(p.a.world, p.a.hero, &info));
    assert_int_equal(info.start, KN_MS(5000));
    arena_until(&p.a, 9000);
    assert_false(is_casting(&p));
    arena_end(&p.a);
}

// Cooldowns -------------------------------------------------------------------------

// SAIV-102, INP-004, INP-005, INP-016
static void a_press_waits_for_a_global_cooldown_within_the_window(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.bolt, KN_INPUT_USED);
    press_at(&p, 1250, p.nova, KN_INPUT_REFUSED);
    press_at(&p, 1299, p.nova, KN_INPUT_REFUSED);
    press_at(&p, 1350, p.nova, KN_INPUT_WAITS);
    arena_until(&p.a, 2000);
    expect_log(&p, "Bolt 0, Nova 1500, ");
    arena_end(&p.a);
}

// BEY-082: also for the cooldown of the ability itself, unless the rules say otherwise.
static void a_press_waits_for_the_cooldown_of_its_ability(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        pad p;
        pad_begin(&p);
        p.rules.waits_for_cooldown = i == 0;
        pad_start(&p);
        press_at(&p, 0, p.potion, KN_INPUT_USED);
        press_at(&p, 7700, p.potion, KN_INPUT_REFUSED);
        press_at(&p, 7900, p.potion, i == 0 ? KN_INPUT_WAITS : KN_INPUT_REFUSED);
        arena_until(&p.a, 9000);
        expect_log(&p, i == 0 ? "Potion 0, Potion 8000, " : "Potion 0, ");
        arena_end(&p.a);
    }
}

// A cooldown that ends early lets it go at once, one that is prolonged beyond the window not at
// all.
static void changed_cooldowns_are_noticed_at_once(void **state)
{
    pad p;
    kn_tag own = {0};
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.potion, KN_INPUT_USED);
    press_at(&p, 7850, p.potion, KN_INPUT_WAITS);
    arena_until(&p.a, 7900);
    expect_ok(kn_ability_reset_cooldown(p.a.world, p.potion, own));
    arena_until(&p.a, 7910);
    expect_log(&p, "Potion 0, Potion 7900, ");
    press_at(&p, 15800, p.potion, KN_INPUT_WAITS);
    expect_ok(kn_ability_change_cooldown(p.a.world, p.potion, own, KN_MS(50), 0));
    arena_until(&p.a, 15949);
    expect_log(&p, "");
    arena_until(&p.a, 15950);
    expect_log(&p, "Potion 15950, ");
    press_at(&p, 23900, p.potion, KN_INPUT_WAITS);
    expect_ok(kn_ability_change_cooldown(p.a.world, p.potion, own, KN_S(3), 0));
    arena_until(&p.a, 23901);
    assert_int_equal(waiting(&p), 0);
    arena_until(&p.a, 30000);
    expect_log(&p, "");
    arena_end(&p.a);
}

// An ability may have a window of its own.
static void an_ability_may_have_a_window_of_its_own(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    kn_input_def input = kn_input_def_default();
    input.name = "Nova";
    input.window = 1.0f;
    pad_input(&p, &input);
    input.name = "Bolt";
    input.window = 0.0f;
    pad_input(&p, &input);
    pad_start(&p);
    press_at(&p, 0, p.bolt, KN_INPUT_USED);
    press_at(&p, 499, p.nova, KN_INPUT_REFUSED);
    press_at(&p, 500, p.nova, KN_INPUT_WAITS);
    arena_until(&p.a, 1500);
    press_at(&p, 2999, p.bolt, KN_INPUT_REFUSED);
    press_at(&p, 3000, p.bolt, KN_INPUT_USED);
    expect_log(&p, "Bolt 0, Nova 1500, Bolt 3000, ");
    arena_end(&p.a);
}

// Places ----------------------------------------------------------------------------

// SAIV-107, INP-008
static void a_newer_press_takes_the_place(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2850, p.bolt, KN_INPUT_WAITS);
    press_at(&p, 2900, p.nova, KN_INPUT_WAITS);
    assert_int_equal(waiting(&p), 1);
    expect_ok(kn_world_step(p.a.world, 0));
    expect_happenings(&p, "Bolt replaced, Nova queued, ");
    arena_until(&p.a, 5000);
    expect_log(&p, "Nova 3000, ");
    arena_end(&p.a);
}

// BEY-082: one of each category, first in first out.
static void categories_have_places_of_their_own(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    p.rules.form = KN_INPUT_ONE_PER_CATEGORY;
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2810, p.bolt, KN_INPUT_WAITS);
    press_at(&p, 2850, p.potion, KN_INPUT_WAITS);
    press_at(&p, 2900, p.nova, KN_INPUT_WAITS); // takes the place of the bolt
    kn_input_waiting entries[4];
    assert_int_equal(kn_input_queue_get(p.a.world, p.a.hero, entries, 4), 2);
    assert_true(kn_ability_id_equal(entries[0].ability, p.potion));
    assert_true(kn_tag_equal(entries[0].category, p.item_category));
    assert_true(kn_ability_id_equal(entries[1].ability, p.nova));
    arena_until(&p.a, 3500);
    expect_log(&p, "Potion 3000, Nova 3000, ");
    arena_end(&p.a);
}

// SAIV-110, INP-010, INP-018: what makes a press be dropped.
static void presses_are_dropped_when_they_make_no_sense_any_more(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    for (uint32_t i = 0; i < 3; i++) {
        int64_t start = 5000 * (int64_t)i;
        press_at(&p, start, p.channel, KN_INPUT_USED);
        press_at(&p, start + 2900, p.bolt, KN_INPUT_WAITS);
        if (i == 0) { // the player cancels, or the buttons mean something else
            expect_ok(kn_input_queue_clear(p.a.world, p.a.hero));
        } else if (i == 1) { // it dies, and is back before the time comes
            expect_ok(
                kn_entity_add_tag(p.a.world, p.a.hero, p.a.dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
            expect_ok(
                kn_entity_remove_tag(p.a.world, p.a.hero, p.a.dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
        } else { // the ability is gone
            expect_ok(kn_ability_remove(p.a.world, p.bolt, KN_GRANT_CANCEL));
        }
        assert_int_equal(waiting(&p), 0);
        arena_until(&p.a, start + 2950);
        expect_happenings(&p, i == 2 ? " queued, " : "Bolt queued, Bolt dropped, ");
        arena_until(&p.a, start + 4000);
        expect_log(&p, "");
    }
    press_at(&p, 20000, p.weapon, KN_INPUT_USED);
    expect_ok(kn_input_queue_clear(p.a.world, p.a.hero)); // automatic use ends too
    arena_until(&p.a, 23000);
    expect_log(&p, "Weapon 20000, ");
    arena_end(&p.a);
}

// INP-010: the rules of combat say what death is, where the library does not.
static void death_drops_presses_by_the_rules_of_combat_too(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    expect_ok(kn_ability_dead_tag_set(p.a.library, (kn_tag){0}));
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2900, p.bolt, KN_INPUT_WAITS);
    expect_ok(kn_entity_add_tag(p.a.world, p.a.hero, p.a.dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    assert_int_equal(waiting(&p), 0);
    arena_until(&p.a, 4000);
    expect_log(&p, "");
    arena_end(&p.a);
}

// Automatic use ---------------------------------------------------------------------

// INP-011, SAIG-017, BEY-083: at the exact end of each cooldown, whatever the length of a step.
static void a_held_weapon_is_used_at_the_end_of_each_cooldown(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 100, p.weapon, KN_INPUT_USED);
    assert_true(kn_ability_id_equal(kn_input_queue_automatic(p.a.world, p.a.hero), p.weapon));
    arena_until(&p.a, 1350); // one long step
    expect_log(&p, "Weapon 100, Weapon 500, Weapon 900, Weapon 1300, ");
    assert_int_equal(waiting(&p), 0);
    expect_ok(kn_input_queue_release(p.a.world, p.a.hero, p.weapon));
    assert_int_equal(kn_input_queue_automatic(p.a.world, p.a.hero).index1, 0);
    arena_until(&p.a, 3000);
    expect_log(&p, "");
    arena_end(&p.a);
}

// SAIV-109, INP-013: another press ends it, though the first button is still held.
static void another_press_ends_automatic_use(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.weapon, KN_INPUT_USED);
    press_at(&p, 600, p.bolt, KN_INPUT_USED);
    arena_until(&p.a, 2000);
    expect_log(&p, "Weapon 0, Weapon 400, Bolt 600, ");
    press_at(&p, 2000, p.weapon, KN_INPUT_USED); // a fresh press resumes it
    arena_until(&p.a, 2500);
    expect_log(&p, "Weapon 2000, Weapon 2400, ");
    press_at(&p, 2500, p.channel, KN_INPUT_USED);
    arena_until(&p.a, 9000);
    expect_log(&p, "");
    arena_end(&p.a);
}

// INP-011, SAIV-110: while a press waits there are no automatic attempts.
static void automatic_use_waits_while_a_press_waits(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_cast(&p, "Long", 1.0f, 0.0f);
    pad_start(&p);
    kn_ability_id cast = pad_grant(&p, "Long");
    press_at(&p, 0, cast, KN_INPUT_USED);
    // Its own press waits for the cast; it begins with that and goes on by itself.
    press_at(&p, 850, p.weapon, KN_INPUT_WAITS);
    arena_until(&p.a, 1900);
    expect_log(&p, "Weapon 1000, Weapon 1400, Weapon 1800, ");
    expect_ok(kn_ability_activate(p.a.world, cast, NULL, NULL)); // not by the player
    arena_until(&p.a, 2950);
    expect_log(&p, "Weapon 2900, "); // not while something is cast, and at once at its end
    arena_end(&p.a);
}

// INP-012, INP-019: failed attempts are silent, and there is a least time between two.
static void automatic_attempts_are_silent_and_spaced(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = p.a.mana;
    cost.amount = kn_constant(30.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Gun";
    def.activate = log_use;
    def.user = &p;
    def.costs = &cost;
    def.cost_count = 1;
    (void)arena_ability(&p.a, &def);
    kn_input_def input = kn_input_def_default();
    input.name = "Gun";
    input.automatic = true;
    pad_input(&p, &input);
    pad_start(&p);
    kn_ability_id gun = pad_grant(&p, "Gun");
    press_at(&p, 0, gun, KN_INPUT_USED);
    arena_until(&p.a, 1000);
    expect_log(&p, "Gun 0, Gun 100, Gun 200, "); // then the mana is short
    kn_events events = kn_world_events(p.a.world);
    for (uint32_t i = 0; i < events.count; i++) {
        assert_int_not_equal(events.data[i].type, KN_EVENT_ABILITY_FAILED);
    }
    expect_ok(kn_attribute_set_base(p.a.world, p.a.hero, p.a.mana, 0, 35.0f));
    arena_until(&p.a, 1100);
    expect_log(&p, "Gun 1100, ");
    expect_ok(kn_ability_remove(p.a.world, gun, KN_GRANT_CANCEL));
    arena_until(&p.a, 1300);
    assert_int_equal(kn_input_queue_automatic(p.a.world, p.a.hero).index1, 0);
    arena_end(&p.a);
}

// Releasing -------------------------------------------------------------------------

// SAIV-108, INP-014
static void a_release_cancels_the_cast_unless_it_is_about_to_end(void **state)
{
    static const struct {
        int64_t released;
        bool casts_after;
    } rows[] = {{2500, false}, {2799, false}, {2800, true}, {2850, true}};
    (void)state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        pad p;
        pad_begin(&p);
        pad_start(&p);
        press_at(&p, 0, p.beam, KN_INPUT_USED);
        arena_until(&p.a, rows[i].released);
        expect_ok(kn_input_queue_release(p.a.world, p.a.hero, p.channel)); // another button
        assert_true(is_casting(&p));
        expect_ok(kn_input_queue_release(p.a.world, p.a.hero, p.beam));
        assert_true(is_casting(&p) == rows[i].casts_after);
        arena_end(&p.a);
    }
}

// INP-015: a cast without a known end is outside of the window; a held cast is released.
static void a_release_of_what_has_no_end_takes_effect_at_once(void **state)
{
    pad p;
    kn_error error = {0};
    (void)state;
    pad_begin(&p);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Stance";
    def.body = KN_BODY_STAY;
    (void)arena_ability(&p.a, &def);
    def = kn_ability_def_default();
    def.name = "Bow";
    (void)arena_ability(&p.a, &def);
    kn_cast_def bow = kn_cast_def_default();
    bow.name = "Bow";
    bow.kind = KN_CAST_HELD;
    bow.length = kn_magnitude_constant(1.0f);
    bow.stages = 2;
    bow.hold = 5.0f;
    expect_ok(kn_cast_register(p.a.library, &bow, NULL, &error));
    kn_input_def input = kn_input_def_default();
    input.name = "Stance";
    input.cancel_on_release = true;
    pad_input(&p, &input);
    pad_start(&p);
    kn_ability_id stance = pad_grant(&p, "Stance"), held = pad_grant(&p, "Bow");
    press_at(&p, 0, stance, KN_INPUT_USED);
    assert_true(kn_ability_is_active(p.a.world, stance));
    expect_ok(kn_input_queue_release(p.a.world, p.a.hero, stance));
    assert_false(kn_ability_is_active(p.a.world, stance));
    press_at(&p, 0, held, KN_INPUT_USED);
    arena_until(&p.a, 700);
    expect_ok(kn_input_queue_release(p.a.world, p.a.hero, held));
    assert_false(is_casting(&p));
    arena_end(&p.a);
}

// A press that waits and would be cancelled by its own release is dropped.
static void a_release_drops_the_press_of_a_held_cast_but_no_other(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    press_at(&p, 2900, p.beam, KN_INPUT_WAITS);
    expect_ok(kn_input_queue_release(p.a.world, p.a.hero, p.beam));
    assert_int_equal(waiting(&p), 0);
    press_at(&p, 2950, p.bolt, KN_INPUT_WAITS);
    expect_ok(kn_input_queue_release(p.a.world, p.a.hero, p.bolt)); // a tap
    arena_until(&p.a, 3100);
    expect_log(&p, "Bolt 3000, ");
    assert_false(is_casting(&p));
    arena_end(&p.a);
}

// What goes along ---------------------------------------------------------------------

static void command(
    pad *p, const char *name, const void *payload, uint32_t size, kn_target_view targets)
{
    kn_error error = {0};
    kn_command c = {.type = kn_command_find(p->a.library, name),
        .entity = p->a.hero,
        .payload = payload,
        .size = size,
        .targets = targets};
    kn_result result = kn_world_command(p->a.world, &c, &error);
    if (result != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static kn_result command_result(const pad *p)
{
    kn_events events = kn_world_events(p->a.world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_COMMAND) {
            return events.data[i].data.command.result;
        }
    }
    fail_msg("no command");
    return KN_OK;
}

// The event and its target data wait with the press, also across a save.
static void events_and_targets_wait_with_the_press(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    press_at(&p, 0, p.channel, KN_INPUT_USED);
    arena_until(&p.a, 2900);
    kn_target_data targets = {0};
    kn_target_entity record = {p.a.ally};
    expect_ok(kn_target_add(p.a.library, &targets, kn_target_type_entity(), &record));
    kn_input_press_command payload = {.ability = p.bolt};
    payload.event = (kn_command_event){.object = 7,
        .object2 = 8,
        .instigator = p.a.lord,
        .target = p.a.foe,
        .magnitude = 2.5f,
        .tags = {p.a.fire, {0}, p.a.direct}};
    command(&p, "Knack.Press", &payload, sizeof(payload), kn_target_data_view(&targets));
    arena_until(&p.a, 2901);
    expect_ok(command_result(&p));
    assert_int_equal(waiting(&p), 1);
    size_t size;
    void *save = save_of(p.a.world, &size);
    kn_world_def def = kn_world_def_default();
    kn_world *other;
    def.library = p.a.library;
    expect_ok(kn_world_create(&def, &other));
    save_load(other, save, size);
    assert_same_worlds(p.a.world, other);
    arena_until(&p.a, 3100);
    expect_log(&p, "Bolt 3000, ");
    assert_true(kn_entity_id_equal(p.last.instigator, p.a.lord));
    assert_true(kn_entity_id_equal(p.last.target, p.a.foe));
    assert_true(p.last.magnitude == 2.5f && p.last.object == 7 && p.last.object2 == 8);
    assert_int_equal(p.last.tags.count, 2);
    assert_int_equal(p.last_targets, 1);
    expect_ok(kn_world_step(other, KN_MS(3100) - kn_world_now(other)));
    expect_log(&p, "Bolt 3000, ");
    assert_same_worlds(p.a.world, other);
    kn_world_destroy(other);
    free(save);
    arena_end(&p.a);
}

static void commands_press_release_and_clear(void **state)
{
    pad p;
    kn_target_view none = {0};
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    kn_input_press_command weapon = {.ability = p.weapon};
    kn_input_release_command release = {p.weapon};
    command(&p, "Knack.Press", &weapon, sizeof(weapon), none);
    arena_until(&p.a, 500);
    command(&p, "Knack.Release", &release, sizeof(release), none);
    arena_until(&p.a, 2000);
    expect_log(&p, "Weapon 0, Weapon 400, ");
    command(&p, "Knack.Press", &weapon, sizeof(weapon), none);
    arena_until(&p.a, 2100);
    command(&p, "Knack.ClearQueue", NULL, 0, none);
    arena_until(&p.a, 4000);
    expect_log(&p, "Weapon 2000, ");
    weapon.ability = p.potion; // refused: the result of the command says why
    command(&p, "Knack.Press", &weapon, sizeof(weapon), none);
    arena_until(&p.a, 4100);
    expect_ok(command_result(&p));
    command(&p, "Knack.Press", &weapon, sizeof(weapon), none);
    arena_until(&p.a, 4200);
    expect_result(command_result(&p), KN_REFUSED_COOLDOWN);
    command(&p, "Knack.Press", NULL, 0, none);
    arena_until(&p.a, 4300);
    expect_result(command_result(&p), KN_REFUSED_STALE_ID);
    arena_end(&p.a);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_act(pad *p, kn_world *world, uint32_t act, uint32_t which)
{
    const kn_ability_id all[] = {
        p->channel, p->bolt, p->nova, p->free, p->weapon, p->beam, p->potion};
    kn_ability_id ability = all[which % 7];
    kn_input_press_def def = kn_input_press_def_default();
    def.ability = ability;
    switch (act % 6) {
    case 0:
        (void)kn_input_queue_release(world, p->a.hero, ability);
        break;
    case 1:
        if (which % 5 == 0) {
            (void)kn_input_queue_clear(world, p->a.hero);
        }
        break;
    default:
        (void)kn_input_queue_press(world, p->a.hero, &def, NULL);
        break;
    }
}

static void take_log(pad *p, char *text, size_t size)
{
    assert_true(strlen(text) + strlen(p->log) < size);
    strcat(text, p->log);
    p->log[0] = 0;
}

// Steps, is set back, and steps again.
static void step_twice(pad *p, kn_time dt)
{
    size_t size;
    void *snapshot = snapshot_of(p->a.world, &size);
    expect_ok(kn_world_step(p->a.world, dt));
    p->log[0] = 0; // what it did is undone
    snapshot_restore(p->a.world, snapshot, size);
    free(snapshot);
    expect_ok(kn_world_step(p->a.world, dt));
}

// Random presses: two worlds that are stepped in different lengths, one of them saved and restored
// in between, use the same abilities at the same times.
static void random_presses_are_exact_and_survive_copies(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 6; round++) {
        pad p;
        uint32_t seed = 5 + round;
        char first[8192] = "";
        pad_begin(&p);
        p.rules.form = round % 2 == 0 ? KN_INPUT_ONE_PLACE : KN_INPUT_ONE_PER_CATEGORY;
        pad_start(&p);
        size_t size;
        void *save = save_of(p.a.world, &size);
        uint64_t hash = 0;
        for (uint32_t pass = 0; pass < 2; pass++) {
            uint32_t own = seed;
            char text[8192] = "";
            save_load(p.a.world, save, size);
            for (uint32_t i = 0; i < 120; i++) {
                uint32_t act = next_random(&own), which = next_random(&own);
                kn_time dt = KN_MS(1 + next_random(&own) % 350);
                random_act(&p, p.a.world, act, which);
                take_log(&p, text, sizeof(text));
                if (pass == 1) {
                    step_twice(&p, dt / 3);
                    dt -= dt / 3;
                }
                expect_ok(kn_world_step(p.a.world, dt));
                take_log(&p, text, sizeof(text));
                kn_input_waiting entries[4];
                uint32_t count = kn_input_queue_get(p.a.world, p.a.hero, entries, 4);
                assert_true(count <= (round % 2 == 0 ? 1u : 2u));
                for (uint32_t k = 0; k < count; k++) { // nothing waits longer than the window
                    assert_true(entries[k].due > kn_world_now(p.a.world));
                    assert_true(entries[k].due - entries[k].since <= KN_MS(400));
                }
            }
            assert_true(kn_world_validate(p.a.world));
            if (pass == 0) {
                strcpy(first, text);
                hash = kn_world_hash(p.a.world);
            } else {
                assert_string_equal(text, first);
                assert_true(kn_world_hash(p.a.world) == hash);
            }
        }
        free(save);
        arena_end(&p.a);
    }
}

// Others do not see what a player has pressed.
static void the_queue_is_for_its_owner_alone(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    expect_ok(kn_entity_set_connection(p.a.world, p.a.hero, 3));
    kn_world_set_connection(p.a.world, 3);
    press_at(&p, 0, p.bolt, KN_INPUT_USED);
    press_at(&p, 1400, p.nova, KN_INPUT_WAITS);
    const kn_entity_id all[] = {{0}, p.a.lord, p.a.hero};
    for (uint32_t i = 0; i < 2; i++) {
        kn_world_def def = kn_world_def_default();
        kn_world *viewer;
        def.library = p.a.library;
        def.is_client = true;
        def.connection = i == 0 ? 3 : 4;
        expect_ok(kn_world_create(&def, &viewer));
        project(p.a.world, viewer, all, 3, i == 0 ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS);
        kn_input_waiting entry;
        uint32_t count = kn_input_queue_get(viewer, p.a.hero, &entry, 1);
        assert_int_equal(count, i == 0 ? 1 : 0);
        kn_world_destroy(viewer);
    }
    arena_end(&p.a);
}

// Memory ----------------------------------------------------------------------------

typedef struct purse {
    uint32_t left;   // allocations that succeed
    uint32_t blocks; // in use
} purse;

static void *purse_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    purse *own = user;
    if (new_size == 0) {
        own->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && own->left == 0) {
        return NULL;
    }
    own->left -= new_size > old_size;
    own->blocks += ptr == NULL;
    return realloc(ptr, new_size);
}

// A player acts; false when memory has run out.
static bool play(pad *p, kn_world *world)
{
    kn_entity_id hero;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_input_press_def def = kn_input_press_def_default();
    kn_ability_id bolt = {0}, weapon = {0};
    bool ok = kn_entity_create(world, &hero) == KN_OK &&
              kn_attribute_set_add(world, hero, p->a.vitals, 0) == KN_OK;
    grant.type = kn_ability_type_find(p->a.library, "Bolt");
    ok = ok && kn_ability_grant(world, hero, &grant, &bolt) == KN_OK;
    grant.type = kn_ability_type_find(p->a.library, "Weapon");
    ok = ok && kn_ability_grant(world, hero, &grant, &weapon) == KN_OK;
    def.ability = bolt;
    ok = ok && kn_input_queue_press(world, hero, &def, NULL) == KN_OK &&
         kn_world_step(world, KN_MS(1400)) == KN_OK;
    ok = ok && kn_input_queue_press(world, hero, &def, NULL) == KN_OK &&
         kn_world_step(world, KN_MS(200)) == KN_OK;
    def.ability = weapon;
    ok = ok && kn_input_queue_press(world, hero, &def, NULL) == KN_OK &&
         kn_world_step(world, KN_S(1)) == KN_OK;
    ok = ok && kn_input_queue_release(world, hero, weapon) == KN_OK;
    return ok && kn_world_step(world, KN_S(1)) == KN_OK;
}

static void memory_that_runs_out_breaks_nothing_else(void **state)
{
    pad p;
    bool is_done = false;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    for (uint32_t i = 0; i < 2000 && !is_done; i++) {
        purse own = {.left = i};
        kn_world_def def = kn_world_def_default();
        kn_world *world;
        def.library = p.a.library;
        def.hooks.realloc_fn = purse_realloc;
        def.hooks.realloc_user = &own;
        p.log[0] = 0;
        if (kn_world_create(&def, &world) == KN_OK) {
            is_done = play(&p, world);
            assert_true(is_done || own.left == 0);
            kn_world_destroy(world);
        }
        assert_int_equal(own.blocks, 0);
    }
    assert_true(is_done);
    expect_log(&p, "Bolt 0, Bolt 1500, Weapon 1600, Weapon 2000, Weapon 2400, ");
    arena_end(&p.a);
}

// A warm step allocates nothing.
static void warm_presses_need_no_memory(void **state)
{
    pad p;
    uint64_t before = 0;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    kn_world_set_moving(p.a.world, false); // which allocates on purpose
    for (uint32_t round = 0; round < 8; round++) {
        int64_t start = 10000 * (int64_t)round;
        press_at(&p, start, p.weapon, KN_INPUT_USED);
        press_at(&p, start + 1000, p.bolt, KN_INPUT_USED);
        press_at(&p, start + 2400, p.nova, KN_INPUT_WAITS);
        arena_until(&p.a, start + 5000);
        p.log[0] = 0;
        before = round == 5 ? kn_world_get_stats(p.a.world).allocations : before;
    }
    assert_int_equal(kn_world_get_stats(p.a.world).allocations, before);
    arena_end(&p.a);
}

// Bad input -----------------------------------------------------------------------

static void bad_calls_are_refused(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    kn_world *world = p.a.world;
    kn_input_press_def def = kn_input_press_def_default();
    kn_input_outcome outcome = KN_INPUT_USED;
    const kn_entity_id nobody = {0};
    const kn_ability_id stale = {99, 99};
    uint64_t hash = kn_world_hash(world);
    expect_result(kn_input_queue_press(world, p.a.hero, &def, &outcome), KN_REFUSED_STALE_ID);
    assert_int_equal(outcome, KN_INPUT_REFUSED);
    def.ability = p.bolt;
    expect_result(kn_input_queue_press(world, nobody, &def, NULL), KN_REFUSED_STALE_ID);
    expect_result(kn_input_queue_press(world, p.a.foe, &def, NULL), KN_REFUSED_NOT_FOUND);
    const uint64_t garbage[4] = {~0ull, ~0ull, ~0ull, ~0ull};
    def.targets = (kn_target_view){garbage, sizeof(garbage)};
    expect_result(kn_input_queue_press(world, p.a.hero, &def, NULL), KN_ERROR_BAD_DATA);
    kn_target_data large = {0};
    kn_target_entity record = {p.a.foe};
    for (uint32_t i = 0; i < 100; i++) {
        expect_ok(kn_target_add(p.a.library, &large, kn_target_type_entity(), &record));
    }
    def.targets = kn_target_data_view(&large);
    expect_result(kn_input_queue_press(world, p.a.hero, &def, NULL), KN_REFUSED_LIMIT);
    def.cookie = 0;
    expect_result(kn_input_queue_press(world, p.a.hero, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_input_queue_press(world, p.a.hero, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_input_queue_press(NULL, p.a.hero, &def, NULL), KN_ERROR_INVALID_ARGUMENT);
    expect_ok(kn_input_queue_release(world, p.a.hero, stale)); // it is gone, and so is all it did
    expect_ok(kn_input_queue_release(world, p.a.foe, p.bolt));
    expect_result(kn_input_queue_release(world, nobody, p.bolt), KN_REFUSED_STALE_ID);
    expect_result(kn_input_queue_release(NULL, p.a.hero, p.bolt), KN_ERROR_INVALID_ARGUMENT);
    expect_ok(kn_input_queue_clear(world, p.a.hero));
    expect_result(kn_input_queue_clear(world, nobody), KN_REFUSED_STALE_ID);
    expect_result(kn_input_queue_clear(NULL, p.a.hero), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_input_queue_get(world, nobody, NULL, 0), 0);
    assert_int_equal(kn_input_queue_get(NULL, nobody, NULL, 0), 0);
    assert_int_equal(kn_input_queue_automatic(world, nobody).index1, 0);
    assert_true(kn_world_hash(world) == hash);
    arena_end(&p.a);
}

static void bad_definitions_are_refused(void **state)
{
    pad p;
    kn_error error = {0};
    (void)state;
    pad_begin(&p);
    kn_library *library = p.a.library;
    kn_input_rules_def rules = p.rules;
    rules.window = -0.1f;
    expect_result(kn_input_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "input rules `Rules`: their window must be at least 0");
    rules = p.rules;
    rules.retry = 0.0f;
    expect_result(kn_input_rules_register(library, &rules, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "input rules `Rules`: their retry must be above 0");
    rules.cookie = 0;
    expect_result(kn_input_rules_register(library, &rules, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_input_rules_register(library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_input_rules(library)->window == 0.2f); // the usual ones
    expect_ok(kn_input_rules_register(library, &p.rules, &error));
    rules = p.rules;
    rules.name = "More";
    expect_result(kn_input_rules_register(library, &rules, &error), KN_REFUSED_DUPLICATE);
    kn_input_def input = kn_input_def_default();
    input.name = "Nothing";
    expect_result(kn_input_register(NULL, &input, &error), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_input_register(library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    input.window = NAN;
    expect_result(kn_input_register(library, &input, &error), KN_ERROR_BAD_DATA);
    input.window = 0.1f;
    expect_ok(kn_input_register(library, &input, &error));
    expect_result(kn_library_finish(library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "input `Nothing` must have the name of an ability, or name one: ability: Fireball");
    arena_end(&p.a);
    pad_begin(&p);
    input = kn_input_def_default();
    input.name = "Again";
    input.ability = kn_ability_type_find(p.a.library, "Weapon");
    pad_input(&p, &input);
    expect_result(kn_library_finish(p.a.library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "input `Again` has the same ability as `Weapon`; leave out one of them");
    arena_end(&p.a);
}

// Zero and infinite lengths, and an owner that goes while something waits.
static void strange_lengths_do_not_hang_the_queue(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_ability(&p, "Instant", 0.0f, 0.0f);
    pad_ability(&p, "Frozen", 0.0f, 5.0f);
    kn_input_def input = kn_input_def_default();
    input.name = "Instant";
    input.automatic = true;
    pad_input(&p, &input);
    pad_start(&p);
    kn_ability_id instant = pad_grant(&p, "Instant");
    press_at(&p, 0, instant, KN_INPUT_USED);
    arena_until(&p.a, 350); // nothing limits it but the rules
    expect_log(&p, "Instant 0, Instant 100, Instant 200, Instant 300, ");
    press_at(&p, 400, p.channel, KN_INPUT_USED);
    press_at(&p, 3300, p.bolt, KN_INPUT_WAITS);
    assert_true(kn_entity_destroy(p.a.world, p.a.hero));
    expect_ok(kn_world_step(p.a.world, KN_S(2)));
    assert_true(kn_world_validate(p.a.world));
    assert_int_equal(kn_world_get_stats(p.a.world).timers, 0);
    arena_end(&p.a);
}

// An ability with functions of its own begins a cast that another one names.
static kn_result read_scroll(const kn_ability_call *call)
{
    return kn_cast_start(
        call->world, call->activation, kn_cast_find(kn_world_library(call->world), "Channel"));
}

static void casts_that_a_function_began_wake_what_waits_for_them(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Scroll";
    def.activate = read_scroll;
    (void)arena_ability(&p.a, &def);
    pad_start(&p);
    kn_ability_id scroll = pad_grant(&p, "Scroll");
    assert_int_equal(press(&p, p.weapon), KN_INPUT_USED); // at 0, and every 0.4 s
    expect_ok(kn_ability_activate(p.a.world, scroll, NULL, NULL));
    arena_until(&p.a, 2900);
    assert_string_equal(p.log, "Weapon 0, ");
    arena_until(&p.a, 3500);
    assert_string_equal(p.log, "Weapon 0, Weapon 3000, Weapon 3400, ");
    arena_end(&p.a);
}

static void a_press_with_a_number_that_is_none_is_refused(void **state)
{
    pad p;
    (void)state;
    pad_begin(&p);
    pad_start(&p);
    assert_int_equal(press(&p, p.channel), KN_INPUT_USED);
    arena_until(&p.a, 2900);
    kn_input_press_def def = kn_input_press_def_default();
    def.ability = p.bolt;
    def.event.magnitude = NAN;
    kn_input_outcome outcome;
    expect_result(kn_input_queue_press(p.a.world, p.a.hero, &def, &outcome), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(outcome, KN_INPUT_REFUSED);
    assert_int_equal(kn_input_queue_get(p.a.world, p.a.hero, NULL, 0), 0);
    arena_end(&p.a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_press_just_before_the_end_of_a_cast_waits_for_it),
    cmocka_unit_test(a_press_before_the_window_cancels_the_cast),
    cmocka_unit_test(an_ability_without_charges_does_not_cancel_the_cast),
    cmocka_unit_test(a_cast_goes_on_until_the_global_cooldown_is_over),
    cmocka_unit_test(a_press_waits_for_the_cast_and_then_for_the_global_cooldown),
    cmocka_unit_test(an_interrupted_cast_lets_the_press_come_at_once),
    cmocka_unit_test(a_cast_that_is_pushed_back_keeps_a_press_waiting),
    cmocka_unit_test(pressing_what_is_being_cast_is_like_any_other_press),
    cmocka_unit_test(a_press_waits_for_a_global_cooldown_within_the_window),
    cmocka_unit_test(a_press_waits_for_the_cooldown_of_its_ability),
    cmocka_unit_test(changed_cooldowns_are_noticed_at_once),
    cmocka_unit_test(an_ability_may_have_a_window_of_its_own),
    cmocka_unit_test(a_newer_press_takes_the_place),
    cmocka_unit_test(categories_have_places_of_their_own),
    cmocka_unit_test(presses_are_dropped_when_they_make_no_sense_any_more),
    cmocka_unit_test(death_drops_presses_by_the_rules_of_combat_too),
    cmocka_unit_test(a_held_weapon_is_used_at_the_end_of_each_cooldown),
    cmocka_unit_test(another_press_ends_automatic_use),
    cmocka_unit_test(automatic_use_waits_while_a_press_waits),
    cmocka_unit_test(automatic_attempts_are_silent_and_spaced),
    cmocka_unit_test(a_release_cancels_the_cast_unless_it_is_about_to_end),
    cmocka_unit_test(a_release_of_what_has_no_end_takes_effect_at_once),
    cmocka_unit_test(a_release_drops_the_press_of_a_held_cast_but_no_other),
    cmocka_unit_test(events_and_targets_wait_with_the_press),
    cmocka_unit_test(commands_press_release_and_clear),
    cmocka_unit_test(random_presses_are_exact_and_survive_copies),
    cmocka_unit_test(the_queue_is_for_its_owner_alone),
    cmocka_unit_test(memory_that_runs_out_breaks_nothing_else),
    cmocka_unit_test(warm_presses_need_no_memory),
    cmocka_unit_test(bad_calls_are_refused),
    cmocka_unit_test(bad_definitions_are_refused),
    cmocka_unit_test(strange_lengths_do_not_hang_the_queue),
    cmocka_unit_test(casts_that_a_function_began_wake_what_waits_for_them),
    cmocka_unit_test(a_press_with_a_number_that_is_none_is_refused),
};

TEST_GROUP(combat_input, tests, NULL, NULL);
