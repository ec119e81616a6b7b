// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Dispels, and what else combat knows of effects: who sees and restricts them, and when they end.

#include "combat_copies.h"

typedef struct curse {
    const char *name;
    kn_tag type;
    kn_polarity polarity;
    float strength, resistance;
    int32_t priority;
} curse;

static kn_effect_type_id curse_register(arena *a, const curse *c)
{
    kn_effect_def effect = kn_effect_def_default();
    effect.name = c->name;
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(20.0f);
    effect.stacking.kind = KN_STACK_BY_SOURCE;
    effect.asset_tags = (kn_tags){&a->fire, 1};
    kn_effect_type_id type = arena_effect(a, &effect);
    kn_buff_def def = kn_buff_def_default();
    def.name = c->name;
    def.polarity = c->polarity;
    def.dispel_type = c->type;
    def.strength = c->strength;
    def.resistance = kn_magnitude_constant(c->resistance);
    def.priority = c->priority;
    expect_ok(kn_buff_register(a->library, &def, NULL, NULL));
    return type;
}

static kn_dispel_id dispel_register(arena *a, kn_dispel_def *def, const char *name)
{
    kn_dispel_id dispel;
    kn_error error = {0};
    def->name = name;
    kn_result result = kn_dispel_register(a->library, def, &dispel, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return dispel;
}

static kn_dispel_result dispel(arena *a, kn_dispel_id id)
{
    kn_dispel_result result;
    expect_ok(kn_dispel(a->world, id, a->ally, a->foe, &result));
    return result;
}

// BEY-072
static void a_dispel_takes_its_types_polarity_and_strength(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag magic = arena_tag(&a, "Dispel.Magic"), poison = arena_tag(&a, "Dispel.Poison");
    curse curses[] = {
        {"Hex", magic, KN_POLARITY_DEBUFF, 0.0f, 0.0f, 0},
        {"Venom", poison, KN_POLARITY_DEBUFF, 0.0f, 0.0f, 0},
        {"Bless", magic, KN_POLARITY_BUFF, 0.0f, 0.0f, 0},
        {"Doom", magic, KN_POLARITY_DEBUFF, 5.0f, 0.0f, 0},
        {"Secret", magic, KN_POLARITY_HIDDEN, 0.0f, 0.0f, 0},
        {"Wound", {0}, KN_POLARITY_DEBUFF, 0.0f, 0.0f, 0},
    };
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        types[i] = curse_register(&a, &curses[i]);
    }
    kn_effect_def plain = kn_effect_def_default();
    plain.name = "Plain";
    plain.duration_kind = KN_DURATION_INFINITE;
    kn_effect_type_id unknown = arena_effect(&a, &plain);
    kn_dispel_def def = kn_dispel_def_default();
    def.types = (kn_tags){&magic, 1};
    def.count = kn_magnitude_constant(10.0f);
    kn_dispel_id weak = dispel_register(&a, &def, "Weak");
    def.strength = 5.0f;
    kn_dispel_id strong = dispel_register(&a, &def, "Strong");
    def.types = (kn_tags){0};
    def.polarity = KN_POLARITY_BITS;
    kn_dispel_id all = dispel_register(&a, &def, "All");
    arena_start(&a);
    kn_effect_id effects[6];
    for (uint32_t i = 0; i < 6; i++) {
        effects[i] = arena_apply(&a, types[i], a.hero, a.foe);
    }
    (void)arena_apply(&a, unknown, a.hero, a.foe);
    kn_effect_id found[8];
    assert_int_equal(kn_dispel_candidates(a.world, strong, a.ally, a.foe, found, 8), 2);
    assert_true(kn_effect_id_equal(found[0], effects[0]));
    assert_true(kn_effect_id_equal(found[1], effects[3]));
    assert_int_equal(kn_dispel_candidates(a.world, strong, a.ally, a.foe, NULL, 0), 2);
    kn_dispel_result result = dispel(&a, weak);
    assert_true(result.attempts == 1 && result.removed == 1 && result.resisted == 0);
    assert_false(kn_effect_is_alive(a.world, effects[0]));
    assert_true(kn_effect_is_alive(a.world, effects[3]));
    expect_ok(kn_world_step(a.world, 0));
    const kn_dispelled *event = arena_event(&a, "Knack.Dispelled", NULL);
    assert_true(kn_entity_id_equal(event->source, a.ally));
    assert_true(kn_effect_id_equal(event->effect, effects[0]));
    assert_true(event->type.index1 == types[0].index1 && event->dispel.index1 == weak.index1);
    assert_true(event->outcome == KN_DISPEL_REMOVED && event->stacks == 1);
    kn_events events = kn_world_events(a.world);
    bool is_said = false;
    for (uint32_t i = 0; i < events.count; i++) { // BUFF-026
        is_said |= events.data[i].type == KN_EVENT_EFFECT_REMOVED &&
                   events.data[i].data.effect.reason == KN_REMOVED_DISPELLED;
    }
    assert_true(is_said);
    assert_int_equal(dispel(&a, strong).removed, 1);
    assert_false(kn_effect_is_alive(a.world, effects[3]));
    result = dispel(&a, all);
    assert_true(result.attempts == 4 && result.removed == 4);
    assert_int_equal(kn_effects_count(a.world, a.foe), 1); // what combat knows nothing of
    result = dispel(&a, all);
    assert_true(result.attempts == 0 && result.removed == 0);
    arena_end(&a);
}

// BEY-072
static void a_success_removes_one_stack_and_leaves_the_time(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    curse c = {.name = "Hex", .polarity = KN_POLARITY_DEBUFF};
    kn_effect_type_id hex = curse_register(&a, &c);
    kn_dispel_def def = kn_dispel_def_default();
    def.count = kn_magnitude_constant(2.0f);
    kn_dispel_id two = dispel_register(&a, &def, "Two");
    def.whole = true;
    kn_dispel_id whole = dispel_register(&a, &def, "Whole");
    arena_start(&a);
    kn_effect_id effect = {0};
    for (uint32_t i = 0; i < 5; i++) {
        effect = arena_apply(&a, hex, a.hero, a.foe);
    }
    arena_until(&a, 4000);
    assert_int_equal(dispel(&a, two).removed, 2);
    assert_int_equal(kn_effect_stacks(a.world, effect), 3);
    assert_true(kn_effect_remaining(a.world, effect) == KN_S(16));
    kn_dispel_result result = dispel(&a, whole);
    assert_true(result.removed == 1 && result.attempts == 1);
    assert_false(kn_effect_is_alive(a.world, effect));
    arena_end(&a);
}

// BEY-072
static void those_with_a_higher_priority_go_first_and_equals_are_drawn(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    curse curses[] = {{.name = "A", .polarity = KN_POLARITY_DEBUFF},
        {.name = "B", .polarity = KN_POLARITY_DEBUFF},
        {.name = "C", .polarity = KN_POLARITY_DEBUFF},
        {.name = "First", .polarity = KN_POLARITY_DEBUFF, .priority = 3}};
    kn_effect_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        types[i] = curse_register(&a, &curses[i]);
    }
    kn_dispel_def def = kn_dispel_def_default();
    kn_dispel_id one = dispel_register(&a, &def, "One");
    arena_start(&a);
    uint32_t drawn[3] = {0};
    for (uint32_t turn = 0; turn < 90; turn++) {
        kn_effect_id effects[4];
        for (uint32_t i = 0; i < 4; i++) {
            effects[i] = arena_apply(&a, types[i], a.hero, a.foe);
        }
        assert_int_equal(dispel(&a, one).removed, 1);
        assert_false(kn_effect_is_alive(a.world, effects[3]));
        assert_int_equal(dispel(&a, one).removed, 1);
        for (uint32_t i = 0; i < 3; i++) {
            drawn[i] += !kn_effect_is_alive(a.world, effects[i]);
            (void)kn_effect_remove(a.world, effects[i], 0, KN_REMOVED_BY_CALL);
        }
    }
    assert_int_equal(drawn[0] + drawn[1] + drawn[2], 90);
    assert_true(drawn[0] > 15 && drawn[1] > 15 && drawn[2] > 15);
    arena_end(&a);
}

// BEY-072
static void a_resisted_attempt_is_used_up_and_full_resistance_is_never_drawn(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    curse curses[] = {{.name = "Half", .polarity = KN_POLARITY_DEBUFF, .resistance = 0.5f},
        {.name = "Full", .polarity = KN_POLARITY_DEBUFF, .resistance = 1.0f, .priority = 9}};
    kn_effect_type_id half = curse_register(&a, &curses[0]);
    kn_effect_type_id full = curse_register(&a, &curses[1]);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = kn_value_find(a.library, "Knack.DispelResistance");
    modifier.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Stubborn";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id stubborn = arena_effect(&a, &effect);
    kn_dispel_def def = kn_dispel_def_default();
    kn_dispel_id one = dispel_register(&a, &def, "One");
    arena_start(&a);
    kn_effect_id never = arena_apply(&a, full, a.hero, a.foe);
    uint32_t removed = 0, resisted = 0;
    for (uint32_t turn = 0; turn < 100; turn++) {
        kn_effect_id own = arena_apply(&a, half, a.hero, a.foe);
        kn_dispel_result result = dispel(&a, one);
        assert_int_equal(result.attempts, 1);
        assert_int_equal(result.removed + result.resisted, 1);
        assert_true(kn_effect_is_alive(a.world, own) == (result.resisted == 1));
        removed += result.removed;
        resisted += result.resisted;
        (void)kn_effect_remove(a.world, own, 0, KN_REMOVED_BY_CALL);
    }
    assert_true(removed > 30 && resisted > 30);
    assert_true(kn_effect_is_alive(a.world, never));
    // A modifier of the bearer makes 0.5 to 1.
    (void)arena_apply(&a, half, a.hero, a.foe);
    (void)arena_apply(&a, stubborn, a.foe, a.foe);
    assert_int_equal(dispel(&a, one).attempts, 0);
    arena_end(&a);
}

// BUFF-027, BUFF-031, RSTR-003
static void a_gate_protects_effects_from_dispels(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    curse c = {.name = "Hex", .polarity = KN_POLARITY_DEBUFF};
    kn_effect_type_id hex = curse_register(&a, &c);
    kn_gate_def gate = kn_gate_def_default();
    gate.kind = kn_event_kind_find(a.library, "Knack.Dispel");
    gate.record.required = (kn_tags){&a.fire, 1};
    kn_effect_def ward = kn_effect_def_default();
    ward.name = "Ward";
    ward.duration_kind = KN_DURATION_INFINITE;
    ward.gates = &gate;
    ward.gate_count = 1;
    kn_effect_type_id warded = arena_effect(&a, &ward);
    kn_dispel_def def = kn_dispel_def_default();
    kn_dispel_id one = dispel_register(&a, &def, "One");
    arena_start(&a);
    kn_effect_id effect = arena_apply(&a, hex, a.hero, a.foe);
    kn_effect_id own = arena_apply(&a, warded, a.hero, a.foe);
    kn_dispel_result result = dispel(&a, one);
    assert_true(result.attempts == 0 && result.removed == 0 && result.blocked == 1);
    assert_true(kn_effect_is_alive(a.world, effect));
    expect_ok(kn_world_step(a.world, 0));
    const kn_dispelled *event = arena_event(&a, "Knack.Dispelled", NULL);
    assert_true(event->outcome == KN_DISPEL_BLOCKED && event->stacks == 0);
    kn_events events = kn_world_events(a.world);
    bool is_seen = false;
    for (uint32_t i = 0; i < events.count; i++) {
        is_seen |= events.data[i].type == KN_EVENT_RESTRICTED &&
                   kn_effect_id_equal(events.data[i].data.record.by, own);
    }
    assert_true(is_seen);
    expect_ok(kn_effect_remove(a.world, own, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(dispel(&a, one).removed, 1); // RSTR-011: it stayed, and is open again
    arena_end(&a);
}

// BEY-072
static void an_effect_sets_off_a_dispel_and_a_thief_gets_what_it_takes(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_tag on = arena_tag(&a, "Knack.Dispel.Steal");
    curse c = {.name = "Bless", .polarity = KN_POLARITY_BUFF};
    kn_effect_type_id bless = curse_register(&a, &c);
    kn_dispel_def def = kn_dispel_def_default();
    def.polarity = KN_POLARITY_BIT_BUFF;
    def.steals = true;
    def.on = on;
    (void)dispel_register(&a, &def, "Steal");
    kn_raise_def raise = kn_raise_def_default();
    raise.tag = on;
    raise.magnitude = kn_magnitude_constant(2.0f); // instead of the count of 1
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Spellsteal";
    effect.raises = &raise;
    effect.raise_count = 1;
    kn_effect_type_id spell = arena_effect(&a, &effect);
    arena_start(&a);
    kn_effect_id own = {0};
    for (uint32_t i = 0; i < 3; i++) {
        own = arena_apply(&a, bless, a.ally, a.foe);
    }
    arena_until(&a, 5000);
    (void)arena_apply(&a, spell, a.hero, a.foe);
    assert_int_equal(kn_effect_stacks(a.world, own), 1);
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id stolen;
    query.type = bless;
    assert_int_equal(kn_effects_find(a.world, a.hero, &query, &stolen, 1), 1);
    kn_effect_info info;
    assert_true(kn_effect_get(a.world, stolen, &info));
    assert_true(info.remaining == KN_S(15) && info.stacks == 2);
    assert_true(kn_entity_id_equal(info.source, a.hero));
    expect_ok(kn_world_step(a.world, 0));
    const kn_dispelled *event = arena_event(&a, "Knack.Dispelled", NULL);
    assert_true(event->outcome == KN_DISPEL_STOLEN);
    arena_end(&a);
}

static void play_dispels(arena *a)
{
    kn_dispel_id one = {1};
    for (uint32_t i = 0; i < 6; i++) {
        kn_dispel_result result;
        expect_ok(kn_dispel(a->world, one, a->ally, a->foe, &result));
        expect_ok(kn_world_step(a->world, KN_MS(300)));
    }
}

static void draws_of_dispels_are_kept_by_saves_and_snapshots(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    curse curses[] = {{.name = "A", .polarity = KN_POLARITY_DEBUFF, .resistance = 0.5f},
        {.name = "B", .polarity = KN_POLARITY_DEBUFF, .resistance = 0.3f},
        {.name = "C", .polarity = KN_POLARITY_DEBUFF}};
    kn_dispel_def def = kn_dispel_def_default();
    (void)dispel_register(&a, &def, "One");
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        types[i] = curse_register(&a, &curses[i]);
    }
    arena_start(&a);
    for (uint32_t i = 0; i < 12; i++) {
        (void)arena_apply(&a, types[i % 3], i % 2 == 0 ? a.hero : a.lord, a.foe);
    }
    expect_copies_go_on(&a, play_dispels);
    arena_end(&a);
}

static void expect_bad(arena *a, kn_dispel_def *def, const char *words)
{
    kn_error error = {0};
    def->name = "Bad";
    assert_int_equal(kn_dispel_register(a->library, def, NULL, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
}

static void bad_dispels_are_refused(void **state)
{
    arena a;
    kn_error error = {0};
    (void)state;
    arena_begin(&a);
    kn_dispel_def def = kn_dispel_def_default();
    def.on = a.fire;
    expect_bad(&a, &def, "Knack.Dispel.Bad");
    def = kn_dispel_def_default();
    def.polarity = 0;
    expect_bad(&a, &def, "polarity: buff");
    def.polarity = 64;
    expect_bad(&a, &def, "polarity: buff");
    def = kn_dispel_def_default();
    def.strength = INFINITY;
    expect_bad(&a, &def, "strength");
    assert_int_equal(kn_dispel_register(a.library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    def = kn_dispel_def_default();
    def.on = kn_tag_find(a.library, "Knack.Dispel");
    (void)dispel_register(&a, &def, "One");
    (void)dispel_register(&a, &def, "Two");
    assert_int_equal(kn_library_finish(a.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "same event"));
    kn_library_destroy(a.library);
}

static void dispels_of_nothing_are_answered(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_dispel_def def = kn_dispel_def_default();
    kn_dispel_id one = dispel_register(&a, &def, "One");
    def.count = kn_magnitude_attribute(a.power, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    kn_dispel_id by_power = dispel_register(&a, &def, "ByPower");
    arena_start(&a);
    kn_dispel_result result = {9, 9, 9, 9, 9};
    assert_int_equal(
        kn_dispel(a.world, (kn_dispel_id){9}, a.ally, a.foe, &result), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(result.attempts, 0);
    expect_ok(kn_dispel(a.world, one, (kn_entity_id){0}, a.foe, NULL));
    kn_entity_id bare;
    expect_ok(kn_entity_create(a.world, &bare));
    assert_int_equal(kn_dispel(a.world, by_power, bare, a.foe, NULL), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_true(kn_entity_destroy(a.world, a.foe));
    assert_int_equal(kn_dispel(a.world, one, a.ally, a.foe, &result), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_dispel_candidates(a.world, one, a.ally, a.foe, NULL, 0), 0);
    assert_int_equal(kn_dispel_candidates(a.world, (kn_dispel_id){9}, a.ally, a.lord, NULL, 0), 0);
    arena_end(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_dispel_takes_its_types_polarity_and_strength),
    cmocka_unit_test(a_success_removes_one_stack_and_leaves_the_time),
    cmocka_unit_test(those_with_a_higher_priority_go_first_and_equals_are_drawn),
    cmocka_unit_test(a_resisted_attempt_is_used_up_and_full_resistance_is_never_drawn),
    cmocka_unit_test(a_gate_protects_effects_from_dispels),
    cmocka_unit_test(an_effect_sets_off_a_dispel_and_a_thief_gets_what_it_takes),
    cmocka_unit_test(draws_of_dispels_are_kept_by_saves_and_snapshots),
    cmocka_unit_test(bad_dispels_are_refused),
    cmocka_unit_test(dispels_of_nothing_are_answered),
};

TEST_GROUP(combat_buff_dispels, tests, NULL, NULL);
