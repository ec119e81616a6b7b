// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the kit logs of hits and procs while they happen, and that nothing changes by it.

#include "combat_hit_test.h"

#define LINES_MAX 64

typedef struct told {
    char lines[LINES_MAX][512];
    uint32_t count;
} told;

static void told_log(void *user, const kn_log_entry *entry)
{
    told *t = user;
    assert_int_equal(entry->category, KN_LOG_GAME);
    assert_int_equal(entry->level, KN_LOG_VERBOSE);
    assert_int_equal(entry->code, KN_OK);
    assert_null(strchr(entry->message, '\n'));
    assert_true(t->count < LINES_MAX);
    (void)snprintf(t->lines[t->count++], sizeof(t->lines[0]), "%s", entry->message);
}

static void arena_start_told(arena *a, told *t)
{
    *t = (told){.count = 0};
    arena_start_with(a, (kn_hooks){.log_fn = told_log, .log_user = t});
    expect_ok(kn_log_set_level(a->world, KN_LOG_GAME, KN_LOG_VERBOSE));
}

static void arena_outcome(arena *a, const char *name, float chance, float factor)
{
    kn_outcome_def def = kn_outcome_def_default();
    def.name = name;
    def.chance = kn_magnitude_constant(chance);
    def.factor = kn_magnitude_constant(factor);
    expect_ok(kn_outcome_register(a->library, &def, NULL, NULL));
}

static kn_effect_type_id lasting(arena *a, const char *name)
{
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.duration_kind = KN_DURATION_INFINITE;
    return arena_effect(a, &effect);
}

// Where a hit went is written down while it goes there, with the outcomes that were drawn.
static void a_hit_is_logged_with_every_stage_as_it_happened(void **state)
{
    arena a;
    told t;
    (void)state;
    arena_begin(&a);
    arena_outcome(&a, "Blocked", 0.999999f, 0.5f);
    arena_outcome(&a, "Critical", 0.999999f, 4.0f);
    arena_outcome(&a, "Missed", 0.000001f, 0.0f);
    kn_effect_type_id sharp =
        value_effect(&a, "Sharp", "Knack.DamageDone", KN_OP_ADD, 20.0f, (kn_tags){0});
    kn_effect_type_id armour = value_effect(
        &a, "Armour", "Knack.DamageTaken", KN_OP_MULTIPLY_COMPOUND, 0.5f, (kn_tags){0});
    kn_effect_type_id ward = lasting(&a, "Ward");
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Ward";
    buff.absorb.amount = kn_magnitude_constant(30.0f);
    expect_ok(kn_buff_register(a.library, &buff, NULL, NULL));
    arena_start_told(&a, &t);
    (void)arena_apply(&a, sharp, a.lord, a.hero);
    (void)arena_apply(&a, armour, a.ally, a.foe);
    (void)arena_apply(&a, ward, a.ally, a.foe);
    expect_ok(kn_attribute_set_base(a.world, a.foe, a.health, 0, 80.0f));
    arena_until(&a, 1250);
    kn_hit hit = strike(&a, 100.0f);
    // The pool is used up and the health is gone: afterwards nobody could tell.
    assert_true(hit.dealt == 80.0f && hit.absorbed == 30.0f && hit.over == 10.0f);
    assert_int_equal(t.count, 1);
    assert_string_equal(t.lines[0],
        "1.250 s  entity 3  damage: 100  asked for; 120  Sharp of the source: Add 20; 60  "
        "Blocked: x 0.5; 240  Critical: x 4; 120  Armour of the target: Multiply Compound 0.5; 90  "
        "absorbed by Ward; 80  10 too much; 80  dealt");
    arena_end(&a);
}

static void refused_hits_and_healing_are_logged_too(void **state)
{
    arena a;
    told t;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id shell = gate_effect(&a, "Shell", "Knack.Damage", (kn_condition_id){0});
    arena_start_told(&a, &t);
    (void)arena_apply(&a, shell, a.ally, a.foe);
    kn_hit_def def = hit_of(&a, 40.0f);
    expect_result(kn_hit_run(a.world, &def, NULL), KN_REFUSED_BLOCKED);
    expect_ok(kn_attribute_set_base(a.world, a.hero, a.health, 0, 990.0f));
    def.kind = KN_HIT_HEALING;
    def.source = a.ally;
    def.target = a.hero;
    expect_ok(kn_hit_run(a.world, &def, NULL));
    def.amount = -1.0f; // never was a hit
    expect_result(kn_hit_run(a.world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(t.count, 2);
    assert_string_equal(
        t.lines[0], "0.000 s  entity 3  damage: 40  asked for; 0  refused by Shell");
    assert_string_equal(
        t.lines[1], "0.000 s  entity 2  healing: 40  asked for; 10  30 too much; 10  dealt");
    arena_end(&a);
}

// Lines come in the order of the events: a share is a hit within a hit.
static void hits_are_logged_in_the_order_of_their_events(void **state)
{
    arena a;
    told t;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id bond = lasting(&a, "Bond");
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Bond";
    buff.shares.part = kn_magnitude_constant(0.25f);
    buff.reflects.part = kn_magnitude_constant(0.5f);
    expect_ok(kn_buff_register(a.library, &buff, NULL, NULL));
    arena_start_told(&a, &t);
    (void)arena_apply(&a, bond, a.ally, a.foe);
    (void)strike(&a, 40.0f);
    settle(&a);
    const kn_entity_id order[] = {a.ally, a.foe, a.hero}; // the share, the hit, the reflection
    assert_int_equal(t.count, 3);
    assert_int_equal(published_count(&a, "Knack.Hit"), 3);
    for (uint32_t i = 0; i < 3; i++) {
        char begin[64];
        kn_entity_id entity = {0};
        const kn_hit *hit = published(&a, "Knack.Hit", i, &entity);
        assert_non_null(hit);
        expect_entity(entity, order[i]);
        (void)snprintf(begin, sizeof(begin), "0.000 s  entity %u  damage: %g  asked for",
            entity.index1, (double)hit->amount);
        assert_true(strncmp(t.lines[i], begin, strlen(begin)) == 0);
    }
    assert_string_equal(
        t.lines[1], "0.000 s  entity 3  damage: 40  asked for; 30  shared by Bond; 30  dealt");
    arena_end(&a);
}

// An effect with a proc that applies `Gain`, which does nothing, to the other party.
static kn_effect_type_id proc_effect(arena *a, kn_proc_def *def, const char *name)
{
    kn_proc_action_def action = kn_proc_action_def_default();
    action.effect = kn_effect_type_find(a->library, "Gain");
    action.to = KN_PROC_TO_OTHER;
    kn_effect_type_id type = lasting(a, name);
    def->name = name;
    def->actions = &action;
    def->action_count = 1;
    expect_ok(kn_proc_register(a->library, def, NULL, NULL));
    return type;
}

static kn_proc_def proc_on(uint32_t on)
{
    kn_proc_def def = kn_proc_def_default();
    def.on = on;
    return def;
}

static void told_hits_forget(told *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (strstr(t->lines[i], "  proc ") != NULL) {
            memmove(t->lines[kept++], t->lines[i], sizeof(t->lines[0]));
        }
    }
    t->count = kept;
}

// Attempts are logged with the first test that refuses them, or with their luck; procs for other
// events are not worth a line.
static void every_attempt_of_a_proc_is_logged(void **state)
{
    arena a;
    told t;
    (void)state;
    arena_begin(&a);
    (void)lasting(&a, "Gain");
    kn_proc_def def = proc_on(KN_PROC_HIT_DONE);
    def.cooldown = kn_magnitude_constant(3.25f);
    kn_effect_type_id echo = proc_effect(&a, &def, "Echo");
    def = proc_on(KN_PROC_HIT_TAKEN);
    def.chance = kn_magnitude_constant(0.000001f);
    kn_effect_type_id thorns = proc_effect(&a, &def, "Thorns");
    def = proc_on(KN_PROC_HIT_DONE);
    def.tags.required = (kn_tags){&a.frost, 1};
    kn_effect_type_id chill = proc_effect(&a, &def, "Chill");
    arena_start_told(&a, &t);
    (void)arena_apply(&a, echo, a.lord, a.hero);
    (void)arena_apply(&a, chill, a.lord, a.hero);
    (void)arena_apply(&a, thorns, a.lord, a.foe);
    (void)arena_apply(&a, thorns, a.lord, a.hero); // nobody hits the hero
    arena_until(&a, 500);
    (void)strike(&a, 10.0f);
    arena_until(&a, 1500);
    kn_hit_def hit = hit_of(&a, 10.0f);
    hit.flags = KN_HIT_NO_OUTCOME;
    hit.effect = kn_effect_type_find(a.library, "Gain");
    expect_ok(kn_hit_run(a.world, &hit, NULL));
    arena_until(&a, 1600);
    told_hits_forget(&t);
    static const char *const wanted[] = {
        "0.500 s  entity 2  proc Echo: hit_done with entity 3: acts",
        ("0.500 s  entity 2  proc Chill: hit_done with entity 3: the tags of the event do not meet "
         "its requirement"),
        "0.500 s  entity 3  proc Thorns: hit_taken with entity 2: no luck, with a chance of 0 %",
        "1.500 s  entity 2  proc Echo: hit_done with entity 3 (Gain): on cooldown for 2.3 s",
    };
    assert_true(t.count >= 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(t.lines[i], wanted[i]);
    }
    assert_int_equal(t.count, 6); // Chill and Thorns again
    arena_end(&a);
}

// KN_LOG_GAME is off at first, and a fight ends with the same bits with and without it.
static void nothing_changes_when_it_is_logged(void **state)
{
    uint64_t hashes[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        arena a;
        told t;
        arena_begin(&a);
        arena_outcome(&a, "Critical", 0.4f, 2.0f);
        (void)lasting(&a, "Gain");
        kn_proc_def def = proc_on(KN_PROC_HIT_DONE);
        def.chance = kn_magnitude_constant(0.3f);
        def.random = KN_PROC_ACCUMULATING;
        kn_effect_type_id echo = proc_effect(&a, &def, "Echo");
        arena_start_told(&a, &t);
        assert_int_equal(kn_log_category_find("game"), KN_LOG_GAME);
        if (i == 0) {
            kn_log_reset(a.world);
        }
        (void)arena_apply(&a, echo, a.lord, a.hero);
        for (uint32_t k = 0; k < 20; k++) {
            (void)strike(&a, 10.0f);
        }
        settle(&a);
        assert_int_equal(t.count, i == 0 ? 0 : 40); // a hit and an attempt each
        hashes[i] = kn_world_hash(a.world);
        arena_end(&a);
    }
    assert_true(hashes[0] == hashes[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hit_is_logged_with_every_stage_as_it_happened),
    cmocka_unit_test(refused_hits_and_healing_are_logged_too),
    cmocka_unit_test(hits_are_logged_in_the_order_of_their_events),
    cmocka_unit_test(every_attempt_of_a_proc_is_logged),
    cmocka_unit_test(nothing_changes_when_it_is_logged),
};

TEST_GROUP(combat_told, tests, NULL, NULL);
