// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts: how long they take, what pushes them back, and who interrupts them.

#include "kit_test.h"

static cast_bar bar_of(const game *g, kn_entity_id entity)
{
    cast_bar bar = {0};
    assert_true(cast_bar_of(g->world, entity, &bar));
    return bar;
}

static void a_cast_pays_and_acts_when_its_bar_is_full(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    cast_bar bar = bar_of(g, g->caster);
    assert_int_equal(bar.length, KN_S(2));
    assert_int_equal(bar.remaining, KN_S(2));
    assert_string_equal(kn_ability_type_name(g->library, bar.ability), "Fireball");
    step(g, 1.5);
    expect_event(g, "CastStarted", "entity 2  begins Fireball, 2 s");
    assert_int_equal(bar_of(g, g->caster).remaining, KN_MS(500));
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 100.0f);
    step(g, 0.5);
    expect_event(g, "CastEnded", "entity 2  ends Fireball: done");
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 80.0f);
    assert_true(attribute(g, g->target, "Vitals.Health") == 70.0f);
    assert_false(cast_bar_of(g->world, g->caster, &bar));
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_COOLDOWN);
}

static void the_length_is_a_formula(void **state)
{
    game *g = *state;
    attribute_set(g, g->caster, "Vitals.Haste", 4.0f);
    expect_ok(use(g, g->caster, "Fireball", g->target));
    assert_int_equal(bar_of(g, g->caster).length, KN_MS(500));
    step(g, 0.5);
    assert_true(attribute(g, g->target, "Vitals.Health") == 70.0f);
}

static void a_hit_pushes_the_bar_back(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 1.0);
    apply(g, "Hit", g->rival, g->caster);
    cast_bar bar = bar_of(g, g->caster);
    assert_int_equal(bar.remaining, KN_MS(1500));
    assert_int_equal(bar.length, KN_MS(2500));
    assert_int_equal(bar.pushed, 1);
    step(g, 0.0);
    expect_event(g, "CastPushed", "entity 2  is hit while casting Fireball: 1.5 s left");
    attribute_set(g, g->caster, "Vitals.Health", 500.0f); // a gain is not a hit
    assert_int_equal(bar_of(g, g->caster).pushed, 1);
    step(g, 1.4);
    assert_true(attribute(g, g->target, "Vitals.Health") == 100.0f);
    step(g, 0.1);
    assert_true(attribute(g, g->target, "Vitals.Health") == 70.0f);
}

static void only_a_few_hits_count_and_none_restarts_the_bar(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 0.2);
    apply(g, "Hit", g->rival, g->caster);
    assert_int_equal(bar_of(g, g->caster).remaining, KN_S(2)); // not more than the whole length
    step(g, 1.0);
    apply(g, "Hit", g->rival, g->caster);
    apply(g, "Hit", g->rival, g->caster);
    cast_bar bar = bar_of(g, g->caster);
    assert_int_equal(bar.pushed, 2);
    assert_int_equal(bar.remaining, KN_MS(1500));
}

static void a_hit_at_the_last_moment_still_counts(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 1.999999);
    apply(g, "Hit", g->rival, g->caster);
    step(g, 0.499999);
    assert_true(attribute(g, g->target, "Vitals.Health") == 100.0f);
    step(g, 0.000002);
    assert_true(attribute(g, g->target, "Vitals.Health") == 70.0f);
}

static void a_cast_that_cannot_pay_in_the_end_does_nothing(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 1.0);
    attribute_set(g, g->caster, "Vitals.Mana", 5.0f);
    step(g, 1.0);
    expect_event(g, "CastEnded", "entity 2  ends Fireball: refused");
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 5.0f);
    assert_true(attribute(g, g->target, "Vitals.Health") == 100.0f);
}

static void another_unit_interrupts_and_the_school_is_locked(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 1.0);
    expect_ok(use(g, g->rival, "Kick", g->caster));
    step(g, 0.5); // until the global cooldown is over
    expect_event(g, "CastEnded", "entity 2  ends Fireball: interrupted");
    const kn_event *ended = NULL;
    kn_events events = kn_world_events(g->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ABILITY_ENDED &&
            kn_entity_id_equal(events.data[i].entity, g->caster)) {
            ended = &events.data[i];
        }
    }
    assert_non_null(ended);
    assert_string_equal(
        kn_library_end_reason_name(g->library, ended->data.ability.end_reason), "interrupted");
    assert_true(kn_entity_id_equal(ended->data.ability.instigator, g->rival));
    assert_true(kn_tag_equal(ended->data.ability.tag, tag_of(g, "School.Fire")));
    assert_true(ended->data.ability.number == 4.0f);
    // Both spells of the school are locked for 4 seconds, the other school is open.
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_BLOCKED);
    assert_int_equal(use(g, g->caster, "Meteor", g->target), KN_REFUSED_BLOCKED);
    expect_ok(use(g, g->caster, "Frostbolt", g->target));
    char text[256];
    (void)kn_ability_explain_print(
        g->world, ability_of(g, g->caster, "Meteor"), NULL, text, sizeof(text));
    assert_non_null(strstr(text, "Fire Lockout"));
    kn_effect_id lockout;
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_effect_type_find(g->library, "Fire Lockout");
    assert_int_equal(kn_effects_find(g->world, g->caster, &query, &lockout, 1), 1);
    kn_effect_info info;
    assert_true(kn_effect_get(g->world, lockout, &info));
    assert_true(kn_entity_id_equal(info.source, g->rival));
    step(g, 3.499);
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_BLOCKED);
    step(g, 0.001);
    expect_ok(use(g, g->caster, "Fireball", g->target)); // nothing was paid: no cooldown
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 100.0f);
}

static void an_interrupt_may_start_a_cooldown_by_its_key(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Meteor", g->target));
    step(g, 1.0);
    assert_int_equal(cast_interrupt(g->world, g->caster, g->rival, 2.0f), 1);
    step(g, 2.0);
    assert_int_equal(use(g, g->caster, "Meteor", g->target), KN_REFUSED_COOLDOWN);
    step(g, 18.0);
    expect_ok(use(g, g->caster, "Meteor", g->target));
}

static void nothing_is_interrupted_where_nothing_is_cast(void **state)
{
    game *g = *state;
    assert_int_equal(cast_interrupt(g->world, g->caster, g->rival, 2.0f), 0);
    expect_ok(use(g, g->rival, "Kick", g->caster));
    step(g, 0.0);
    assert_int_equal(event_count(g, "CastEnded"), 0);
    expect_ok(use(g, g->caster, "Fireball", g->target));
    assert_int_equal(cast_interrupt(g->world, (kn_entity_id){0}, g->rival, 2.0f), 0);
}

static void a_cast_that_is_cancelled_by_its_owner_locks_nothing(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    expect_ok(kn_activation_cancel(g->world, bar_of(g, g->caster).activation));
    step(g, 0.0);
    expect_event(g, "CastEnded", "entity 2  ends Fireball: cancelled");
    step(g, 1.5);
    expect_ok(use(g, g->caster, "Fireball", g->target));
}

static void the_end_of_a_cast_names_its_chain(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Fireball", g->target));
    step(g, 1.0);
    expect_ok(use(g, g->rival, "Kick", g->caster));
    step(g, 0.0);
    char text[512];
    (void)kn_cause_print(
        g->world, last_event(g, KN_EVENT_EFFECT_APPLIED)->cause, text, sizeof(text));
    assert_string_equal(text,
        "Fire Lockout applied by entity 4 on entity 2 <- end of Fireball on entity 2 <- rule about "
        "Kit.Interrupt on entity 2 <- Kicked applied by entity 4 on entity 2 <- Kick on entity 4 "
        "<- host");
}

static void mistakes_in_casts_are_reported_with_their_place(void **state)
{
    (void)state;
    expect_message("casts: {Fireball: {length: 2}}\n",
        "t.yaml:1:9: error: cast `Fireball` must name its ability: ability: Fireball");
    expect_message("abilities: {A: {native: cast}}\ncasts: {A: {ability: A, pushback: -1}}\n",
        "t.yaml:2:9: error: cast `A`: its pushback must be at least 0");
    expect_message("casts: {A: {ability: B}}\n", "t.yaml:1:22: error: there is no ability `B`");
    expect_message("abilities: {A: {native: cast}}\ncasts: {A: {ability: A}, B: {ability: A}}\n",
        "t.yaml:2:26: error: cast `B` has the same ability as `A`; leave out one of them");
}

static const struct CMUnitTest tests[] = {
    TEST(a_cast_pays_and_acts_when_its_bar_is_full),
    TEST(the_length_is_a_formula),
    TEST(a_hit_pushes_the_bar_back),
    TEST(only_a_few_hits_count_and_none_restarts_the_bar),
    TEST(a_hit_at_the_last_moment_still_counts),
    TEST(a_cast_that_cannot_pay_in_the_end_does_nothing),
    TEST(another_unit_interrupts_and_the_school_is_locked),
    TEST(an_interrupt_may_start_a_cooldown_by_its_key),
    TEST(nothing_is_interrupted_where_nothing_is_cast),
    TEST(a_cast_that_is_cancelled_by_its_owner_locks_nothing),
    TEST(the_end_of_a_cast_names_its_chain),
    cmocka_unit_test(mistakes_in_casts_are_reported_with_their_place),
};

TEST_GROUP(kit_cast, tests, NULL, NULL);
