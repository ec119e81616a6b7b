// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Threat tables, targets, and combat between pairs. The foe is the monster, the others fight it.

#include "combat_hit_test.h"

// A started arena in which the foe keeps a table.
static void begin(arena *a)
{
    arena_begin(a);
}

static void start(arena *a)
{
    arena_start(a);
    expect_ok(kn_threat_begin(a->world, a->foe));
}

static kn_hit hit_by(
    arena *a, kn_entity_id source, kn_entity_id target, kn_hit_kind kind, float amount)
{
    kn_hit_def def = kn_hit_def_default();
    kn_hit hit;
    def.source = source;
    def.target = target;
    def.kind = kind;
    def.amount = amount;
    expect_ok(kn_hit_run(a->world, &def, &hit));
    return hit;
}

static float threat_of(const arena *a, kn_entity_id entity)
{
    return kn_threat_get(a->world, a->foe, entity);
}

static void expect_target(const arena *a, kn_entity_id wanted)
{
    expect_entity(kn_threat_target(a->world, a->foe), wanted);
}

// Tables ----------------------------------------------------------------------------

// BEY-075
static void damage_makes_threat_and_the_first_attacker_the_target(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 100.0f);
    assert_true(threat_of(&a, a.hero) == 100.0f);
    expect_target(&a, a.hero);
    assert_false(kn_threat_has(a.world, a.foe, a.ally));
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 50.0f);
    assert_true(threat_of(&a, a.hero) == 150.0f);
    // Only health that is really lost counts.
    (void)hit_by(&a, a.ally, a.foe, KN_HIT_DAMAGE, 2000.0f);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    settle(&a);
    kn_entity_id entity = {0};
    const kn_target_changed *event = published(&a, "Knack.TargetChanged", 0, &entity);
    expect_entity(entity, a.foe);
    expect_entity(event->target, a.hero);
    assert_int_equal(event->old_target.index1, 0);
    arena_end(&a);
}

static void a_hit_that_misses_brings_its_source_into_the_table(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    kn_outcome_def missed = kn_outcome_def_default();
    kn_error error = {0};
    missed.name = "Missed";
    missed.chance = kn_magnitude_constant(1.0f);
    missed.factor = kn_magnitude_constant(0.0f);
    expect_ok(kn_outcome_register(a.library, &missed, NULL, &error));
    start(&a);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 100.0f);
    assert_true(kn_threat_has(a.world, a.foe, a.hero) && threat_of(&a, a.hero) == 0.0f);
    expect_target(&a, a.hero);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    arena_end(&a);
}

// BEY-075: 1.1 times the threat of the target nearby, 1.3 times far away.
static void the_target_changes_when_somebody_has_clearly_more_threat(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 100.0f));
    expect_ok(kn_threat_add(a.world, a.foe, a.ally, 110.0f));
    expect_target(&a, a.hero); // 1.1 times is not more than 1.1 times
    expect_ok(kn_threat_add(a.world, a.foe, a.ally, 0.5f));
    expect_target(&a, a.ally);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 15.0f));
    expect_target(&a, a.ally);
    settle(&a);
    assert_int_equal(published_count(&a, "Knack.TargetChanged"), 2);
    const kn_target_changed *event = published(&a, "Knack.TargetChanged", 1, NULL);
    expect_entity(event->target, a.ally);
    expect_entity(event->old_target, a.hero);
    arena_end(&a);
}

// Rules with a far tag and a table for every entity with a tag.
static void far_begin(arena *a, kn_combat_def *rules)
{
    *a = (arena){0};
    *rules = kn_combat_def_default();
    arena_begin(a);
}

static bool position_of(void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    const float *place = user;
    (void)world;
    *position = (kn_vec3){place[entity.index1 & 15u], 0.0f, 0.0f};
    return true;
}

// BEY-075
static void somebody_far_away_needs_more_threat_to_become_the_target(void **state)
{
    arena a;
    float places[16] = {0};
    (void)state;
    begin(&a);
    start(&a);
    kn_space space = {.user = places, .position = position_of};
    kn_world_set_space(a.world, &space);
    places[a.ally.index1 & 15u] = 5.5f; // beyond near_distance, 5
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 100.0f));
    expect_ok(kn_threat_add(a.world, a.foe, a.ally, 130.0f));
    expect_target(&a, a.hero);
    places[a.ally.index1 & 15u] = 4.5f;
    expect_target(&a, a.hero); // nothing has happened
    expect_ok(kn_threat_update(a.world, a.foe));
    expect_target(&a, a.ally);
    places[a.hero.index1 & 15u] = -20.0f;
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 69.0f)); // 169 is 1.3 times 130
    expect_target(&a, a.ally);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 1.0f));
    expect_target(&a, a.hero);
    arena_end(&a);
}

static void the_list_is_sorted_by_threat_then_by_age(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    kn_entity_id fifth = arena_spawn(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 50.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 70.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 50.0f));
    expect_ok(kn_threat_set(a.world, a.foe, fifth, 90.0f));
    expect_ok(kn_threat_suppress(a.world, a.foe, fifth, KN_TIME_INFINITE));
    kn_threat_entry list[8];
    assert_int_equal(kn_threat_list(a.world, a.foe, list, 8), 4);
    expect_entity(list[0].entity, a.ally);
    expect_entity(list[1].entity, a.hero);
    expect_entity(list[2].entity, a.lord);
    expect_entity(list[3].entity, fifth);
    assert_true(list[0].threat == 70.0f && list[0].is_target && !list[0].is_suppressed);
    assert_true(list[3].threat == 90.0f && list[3].is_suppressed && !list[3].is_target);
    assert_false(list[0].is_taunting || list[0].is_fixed || list[1].is_target);
    list[2] = (kn_threat_entry){0};
    assert_int_equal(kn_threat_list(a.world, a.foe, list, 2), 4);
    expect_entity(list[0].entity, a.ally);
    expect_entity(list[1].entity, a.hero);
    assert_int_equal(list[2].entity.index1, 0);
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 4);
    assert_int_equal(kn_threat_list(a.world, a.hero, list, 8), 0);
    arena_end(&a);
}

static void threat_is_scaled_removed_and_cleared(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 100.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 80.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 60.0f));
    expect_ok(kn_threat_scale(a.world, a.foe, a.hero, 0.5f));
    assert_true(threat_of(&a, a.hero) == 50.0f);
    expect_target(&a, a.ally);
    expect_ok(kn_threat_add(a.world, a.foe, a.ally, -500.0f));
    assert_true(threat_of(&a, a.ally) == 0.0f);
    expect_target(&a, a.lord);
    settle(&a);
    expect_ok(kn_threat_remove(a.world, a.foe, a.lord));
    assert_false(kn_threat_has(a.world, a.foe, a.lord));
    expect_target(&a, a.hero);
    settle(&a);
    kn_entity_id entity = {0};
    const kn_threat_cleared *event = published(&a, "Knack.ThreatCleared", 0, &entity);
    expect_entity(entity, a.foe);
    expect_entity(event->entity, a.lord);
    expect_result(kn_threat_remove(a.world, a.foe, a.lord), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_scale(a.world, a.foe, a.lord, 2.0f), KN_REFUSED_NOT_FOUND);
    expect_ok(kn_threat_clear(a.world, a.foe));
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 0);
    expect_target(&a, (kn_entity_id){0});
    settle(&a);
    assert_int_equal(published_count(&a, "Knack.ThreatCleared"), 1);
    event = published(&a, "Knack.ThreatCleared", 0, NULL);
    assert_int_equal(event->entity.index1, 0);
    assert_int_equal(published_count(&a, "Knack.TargetChanged"), 1);
    // Combat goes on for its time.
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    expect_ok(kn_world_step(a.world, KN_MS(6000)));
    assert_false(kn_combat_is_fighting(a.world, a.hero, a.foe));
    arena_end(&a);
}

static void leaving_removes_an_entity_from_every_table(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_begin(a.world, a.ally));
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 10.0f));
    expect_ok(kn_threat_set(a.world, a.ally, a.hero, 20.0f));
    kn_entity_id owners[4];
    assert_int_equal(kn_threat_owners(a.world, a.hero, owners, 4), 2);
    expect_entity(owners[0], a.foe);
    expect_entity(owners[1], a.ally);
    expect_ok(kn_threat_leave(a.world, a.hero));
    assert_int_equal(kn_threat_owners(a.world, a.hero, owners, 4), 0);
    expect_ok(kn_threat_leave(a.world, a.hero));
    arena_end(&a);
}

// Modifiers and gates -----------------------------------------------------------------

// MAP-034, RSTR-001, RSTR-009
static void modifiers_change_threat_and_gates_refuse_what_is_left(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    kn_effect_type_id stance =
        value_effect(&a, "Stance", "Knack.ThreatDone", KN_OP_MULTIPLY, 3.0f, (kn_tags){0});
    kn_effect_type_id hot =
        value_effect(&a, "Hot", "Knack.ThreatDone", KN_OP_ADD, 5.0f, (kn_tags){&a.fire, 1});
    kn_effect_type_id dull = gate_effect(
        &a, "Dull", "Knack.Threat", arena_condition(&a, "Much", "event.magnitude > 100"));
    start(&a);
    (void)arena_apply(&a, stance, a.hero, a.hero);
    (void)arena_apply(&a, hot, a.hero, a.hero);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    assert_true(threat_of(&a, a.hero) == 30.0f);
    kn_hit_def def = hit_of(&a, 10.0f);
    def.tags = (kn_tags){&a.fire, 1};
    expect_ok(kn_hit_run(a.world, &def, NULL));
    assert_true(threat_of(&a, a.hero) == 75.0f);
    (void)arena_apply(&a, dull, a.lord, a.foe);
    expect_result(kn_threat_add(a.world, a.foe, a.hero, 40.0f), KN_REFUSED_BLOCKED);
    assert_true(threat_of(&a, a.hero) == 75.0f);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 30.0f)); // 90 when the gate sees it
    assert_true(threat_of(&a, a.hero) == 165.0f);
    def.flags = KN_HIT_NO_THREAT;
    expect_ok(kn_hit_run(a.world, &def, NULL));
    assert_true(threat_of(&a, a.hero) == 165.0f);
    arena_end(&a);
}

// Taunts ------------------------------------------------------------------------------

// BEY-075
static void a_taunt_makes_its_caster_the_target_for_a_time(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 1000.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 10.0f));
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_MS(3000)));
    expect_target(&a, a.ally);
    assert_true(threat_of(&a, a.ally) == 1000.0f);
    kn_threat_entry list[2];
    (void)kn_threat_list(a.world, a.foe, list, 2);
    assert_true(list[1].is_taunting && list[1].is_target);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 5000.0f));
    expect_target(&a, a.ally);
    arena_until(&a, 2999);
    expect_target(&a, a.ally);
    arena_until(&a, 3000);
    expect_target(&a, a.hero);
    (void)kn_threat_list(a.world, a.foe, list, 2);
    assert_false(list[0].is_taunting || list[1].is_taunting);
    arena_end(&a);
}

static void a_new_taunt_replaces_an_older_one(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 500.0f));
    expect_ok(kn_threat_taunt(a.world, a.foe, a.hero, KN_MS(3000)));
    arena_until(&a, 1000);
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_MS(3000))); // not in the table before
    expect_target(&a, a.ally);
    assert_true(threat_of(&a, a.ally) == 500.0f);
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 900.0f));
    arena_until(&a, 3500);
    expect_target(&a, a.ally);
    arena_until(&a, 4000);
    expect_target(&a, a.lord);
    // One that is gone taunts no longer.
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_TIME_INFINITE));
    expect_target(&a, a.ally);
    expect_ok(kn_combat_kill(a.world, a.ally, a.foe));
    expect_target(&a, a.lord);
    arena_end(&a);
}

static void a_fixation_comes_before_taunts_and_gates_refuse_both(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    kn_tag taunt = kn_tag_find(a.library, "Knack.Taunt");
    kn_gate_def gate = kn_gate_def_default();
    gate.kind = kn_event_kind_find(a.library, "Knack.ThreatAction");
    gate.record.required = (kn_tags){&taunt, 1};
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Stubborn";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.gates = &gate;
    effect.gate_count = 1;
    kn_effect_type_id stubborn = arena_effect(&a, &effect);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 500.0f));
    expect_ok(kn_threat_fixate(a.world, a.foe, a.hero, KN_MS(5000)));
    expect_target(&a, a.hero);
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_MS(20000)));
    expect_target(&a, a.hero);
    kn_threat_entry list[3];
    assert_int_equal(kn_threat_list(a.world, a.foe, list, 3), 3);
    expect_entity(list[2].entity, a.hero);
    assert_true(list[2].is_fixed && !list[2].is_taunting);
    arena_until(&a, 5000);
    expect_target(&a, a.ally);
    expect_ok(kn_threat_fixate(a.world, a.foe, a.hero, KN_TIME_INFINITE));
    expect_target(&a, a.hero);
    expect_ok(kn_threat_fixate(a.world, a.foe, (kn_entity_id){0}, 0));
    expect_target(&a, a.ally);
    (void)arena_apply(&a, stubborn, a.lord, a.foe);
    expect_result(kn_threat_taunt(a.world, a.foe, a.hero, KN_MS(1000)), KN_REFUSED_BLOCKED);
    expect_target(&a, a.ally);
    expect_ok(kn_threat_fixate(a.world, a.foe, a.hero, KN_MS(1000)));
    arena_end(&a);
}

// BEY-075
static void a_suppressed_entity_is_the_last_choice(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 500.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 1.0f));
    expect_ok(kn_threat_suppress(a.world, a.foe, a.hero, KN_MS(2000)));
    expect_target(&a, a.ally);
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 500.0f));
    expect_target(&a, a.ally);
    arena_until(&a, 2000);
    expect_target(&a, a.hero);
    expect_ok(kn_threat_suppress(a.world, a.foe, a.hero, KN_TIME_INFINITE));
    expect_ok(kn_threat_suppress(a.world, a.foe, a.ally, KN_TIME_INFINITE));
    expect_target(&a, a.hero); // nobody else is left
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 0.0f));
    expect_target(&a, a.lord);
    expect_ok(kn_threat_suppress(a.world, a.foe, a.hero, 0));
    expect_target(&a, a.hero);
    expect_result(kn_threat_suppress(a.world, a.lord, a.hero, KN_MS(1)), KN_REFUSED_NOT_FOUND);
    arena_end(&a);
}

// Redirection, assistance ---------------------------------------------------------------

// BEY-075
static void a_share_of_threat_goes_to_somebody_else_for_a_time(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_redirect(a.world, a.hero, a.ally, 0.75f, KN_MS(4000)));
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 100.0f);
    assert_true(threat_of(&a, a.hero) == 25.0f && threat_of(&a, a.ally) == 75.0f);
    assert_true(kn_combat_is_fighting(a.world, a.ally, a.foe));
    arena_until(&a, 4000);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 100.0f);
    assert_true(threat_of(&a, a.hero) == 125.0f && threat_of(&a, a.ally) == 75.0f);
    expect_ok(kn_threat_redirect(a.world, a.hero, a.lord, 1.0f, KN_TIME_INFINITE));
    expect_ok(kn_threat_redirect(a.world, a.hero, a.ally, 1.0f, KN_TIME_INFINITE));
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 10.0f));
    assert_true(threat_of(&a, a.ally) == 85.0f && !kn_threat_has(a.world, a.foe, a.lord));
    // Nothing goes to the dead.
    expect_ok(kn_combat_kill(a.world, a.ally, a.foe));
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 10.0f));
    assert_true(threat_of(&a, a.hero) == 135.0f);
    assert_true(kn_entity_destroy(a.world, a.ally));
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 10.0f));
    assert_true(threat_of(&a, a.hero) == 145.0f);
    expect_ok(kn_threat_redirect(a.world, a.hero, a.lord, 1.0f, KN_TIME_INFINITE));
    expect_ok(kn_threat_redirect(a.world, a.hero, a.lord, 0.0f, 0));
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 10.0f));
    assert_true(threat_of(&a, a.hero) == 155.0f);
    arena_end(&a);
}

// BEY-075
static void threat_of_a_heal_is_divided_among_those_who_fight_the_healed(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    kn_entity_id second = arena_spawn(&a), third = arena_spawn(&a);
    expect_ok(kn_threat_begin(a.world, second));
    expect_ok(kn_threat_begin(a.world, third)); // fights nobody
    (void)hit_by(&a, a.foe, a.hero, KN_HIT_DAMAGE, 300.0f);
    (void)hit_by(&a, second, a.hero, KN_HIT_DAMAGE, 100.0f);
    assert_true(kn_threat_has(a.world, a.foe, a.hero)); // who attacks has its victim in the table
    (void)hit_by(&a, a.ally, a.hero, KN_HIT_HEALING, 200.0f);
    assert_true(threat_of(&a, a.ally) == 50.0f); // half of 200, divided by 2
    assert_true(kn_threat_get(a.world, second, a.ally) == 50.0f);
    assert_false(kn_threat_has(a.world, third, a.ally));
    assert_true(kn_combat_is_fighting(a.world, a.ally, a.foe));
    // What is too much causes nothing.
    (void)hit_by(&a, a.ally, a.hero, KN_HIT_HEALING, 1000.0f);
    assert_true(threat_of(&a, a.ally) == 100.0f);
    (void)hit_by(&a, a.ally, a.hero, KN_HIT_HEALING, 1000.0f);
    assert_true(threat_of(&a, a.ally) == 100.0f);
    // A heal of oneself is one too.
    (void)hit_by(&a, a.foe, a.hero, KN_HIT_DAMAGE, 80.0f);
    (void)hit_by(&a, a.hero, a.hero, KN_HIT_HEALING, 80.0f);
    assert_true(threat_of(&a, a.hero) == 20.0f);
    // And nobody fights somebody who is healed in peace.
    (void)hit_by(&a, a.ally, a.lord, KN_HIT_HEALING, 10.0f);
    assert_true(threat_of(&a, a.ally) == 100.0f);
    arena_end(&a);
}

// Death and destruction -------------------------------------------------------------------

static void the_dead_and_the_gone_leave_all_tables(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 30.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 20.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 10.0f));
    expect_ok(kn_combat_kill(a.world, a.hero, a.foe));
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    expect_target(&a, a.ally);
    assert_false(kn_combat_in_combat(a.world, a.hero));
    expect_result(kn_threat_add(a.world, a.foe, a.hero, 10.0f), KN_REFUSED_DYING);
    expect_result(kn_threat_set(a.world, a.foe, a.hero, 10.0f), KN_REFUSED_DYING);
    expect_result(kn_threat_taunt(a.world, a.foe, a.hero, KN_MS(1)), KN_REFUSED_DYING);
    settle(&a);
    assert_true(kn_entity_destroy(a.world, a.ally));
    expect_target(&a, a.lord);
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 1);
    expect_ok(kn_combat_kill(a.world, a.foe, a.lord));
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 0);
    assert_false(kn_combat_in_combat(a.world, a.lord));
    assert_false(kn_combat_in_combat(a.world, a.foe));
    expect_target(&a, (kn_entity_id){0});
    expect_result(kn_threat_add(a.world, a.foe, a.lord, 10.0f), KN_REFUSED_DYING);
    assert_true(kn_entity_destroy(a.world, a.foe));
    assert_true(kn_world_validate(a.world));
    arena_end(&a);
}

static void the_owner_of_a_table_may_be_destroyed(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 30.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 20.0f));
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_MS(500)));
    assert_true(kn_combat_in_combat(a.world, a.hero));
    assert_true(kn_entity_destroy(a.world, a.foe));
    assert_false(kn_combat_in_combat(a.world, a.hero));
    assert_false(kn_entity_has_tag(a.world, a.ally, kn_tag_find(a.library, "Knack.InCombat")));
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 0);
    arena_until(&a, 10000);
    assert_true(kn_world_validate(a.world));
    arena_end(&a);
}

// An arena whose rules differ.
static void begin_with(arena *a, kn_combat_def *rules);

static void with_rules_the_dead_keep_their_threat(void **state)
{
    arena a;
    kn_combat_def rules;
    (void)state;
    far_begin(&a, &rules);
    rules.dead_keep_threat = true;
    begin_with(&a, &rules);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 30.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 20.0f));
    expect_ok(kn_combat_kill(a.world, a.hero, a.foe));
    assert_true(threat_of(&a, a.hero) == 30.0f);
    expect_target(&a, a.ally);
    expect_ok(kn_combat_kill(a.world, a.ally, a.foe));
    expect_target(&a, (kn_entity_id){0});
    expect_ok(kn_combat_resurrect(a.world, a.hero, a.lord, 1.0f));
    expect_ok(kn_threat_update(a.world, a.foe));
    expect_target(&a, a.hero);
    arena_end(&a);
}

// The dead hold nobody's attention, however long their taunt lasts.
static void a_taunt_of_the_dead_does_not_keep_others_from_being_the_target(void **state)
{
    arena a;
    kn_combat_def rules;
    (void)state;
    far_begin(&a, &rules);
    rules.dead_keep_threat = true;
    begin_with(&a, &rules);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.ally, 30.0f));
    expect_ok(kn_threat_set(a.world, a.foe, a.lord, 20.0f));
    expect_ok(kn_threat_taunt(a.world, a.foe, a.hero, KN_TIME_INFINITE));
    expect_target(&a, a.hero);
    expect_ok(kn_combat_kill(a.world, a.hero, a.foe));
    expect_target(&a, a.ally);
    expect_ok(kn_threat_add(a.world, a.foe, a.lord, 100.0f));
    expect_target(&a, a.lord);
    arena_end(&a);
}

// The longest duration that is not infinite does not wrap around.
static void the_longest_durations_end_after_everything_else(void **state)
{
    static const kn_time spans[] = {KN_TIME_MAX, KN_TIME_MAX + 1, KN_TIME_INFINITE - 1};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        arena a;
        begin(&a);
        start(&a);
        arena_until(&a, 1000);
        expect_ok(kn_threat_set(a.world, a.foe, a.ally, 30.0f));
        expect_ok(kn_threat_set(a.world, a.foe, a.lord, 20.0f));
        expect_ok(kn_threat_taunt(a.world, a.foe, a.hero, spans[i]));
        expect_target(&a, a.hero);
        arena_until(&a, 1000000);
        expect_target(&a, a.hero);
        expect_ok(kn_threat_fixate(a.world, a.foe, a.lord, spans[i]));
        expect_ok(kn_threat_suppress(a.world, a.foe, a.ally, spans[i]));
        expect_ok(kn_threat_redirect(a.world, a.hero, a.lord, 0.5f, spans[i]));
        (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
        assert_true(threat_of(&a, a.lord) == 25.0f);
        arena_until(&a, 2000000);
        expect_target(&a, a.lord);
        assert_true(kn_world_validate(a.world));
        arena_end(&a);
    }
}

static void combat_may_last_longer_than_any_timer(void **state)
{
    arena a;
    kn_combat_def rules;
    (void)state;
    far_begin(&a, &rules);
    rules.combat_lasts = 1e30f;
    begin_with(&a, &rules);
    start(&a);
    arena_until(&a, 1000);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    assert_true(threat_of(&a, a.hero) == 10.0f);
    expect_ok(kn_threat_remove(a.world, a.foe, a.hero));
    assert_true(kn_combat_remaining(a.world, a.hero, a.foe) == KN_TIME_INFINITE);
    arena_until(&a, 1000000);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    expect_ok(kn_combat_end(a.world, a.hero, a.foe));
    assert_true(kn_world_validate(a.world));
    arena_end(&a);
}

static void a_tag_gives_tables_and_another_says_who_is_far(void **state)
{
    arena a;
    kn_combat_def rules;
    (void)state;
    far_begin(&a, &rules);
    rules.threat_tag = a.frost;
    rules.far = a.fire;
    rules.switch_far = 2.0f;
    rules.threat_per_damage = 3.0f;
    begin_with(&a, &rules);
    arena_start(&a);
    expect_ok(kn_entity_add_tag(a.world, a.foe, a.frost, KN_TAG_ORIGIN_LOOSE, 1));
    expect_ok(kn_entity_add_tag(a.world, a.ally, a.fire, KN_TAG_ORIGIN_LOOSE, 1));
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    (void)hit_by(&a, a.ally, a.foe, KN_HIT_DAMAGE, 20.0f);
    assert_true(kn_threat_has_table(a.world, a.foe) && threat_of(&a, a.hero) == 30.0f);
    assert_false(kn_threat_has_table(a.world, a.hero));
    expect_target(&a, a.hero);
    (void)hit_by(&a, a.ally, a.foe, KN_HIT_DAMAGE, 1.0f);
    expect_target(&a, a.ally);
    arena_end(&a);
}

// Combat ------------------------------------------------------------------------------

// BEY-075
static void a_pair_is_in_combat_until_its_time_is_over(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    arena_start(&a); // nobody has a table
    kn_tag in_combat = kn_tag_find(a.library, "Knack.InCombat");
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    assert_true(kn_combat_is_fighting(a.world, a.foe, a.hero));
    assert_false(kn_combat_is_fighting(a.world, a.hero, a.ally));
    assert_true(kn_entity_has_tag(a.world, a.foe, in_combat));
    assert_true(kn_combat_remaining(a.world, a.foe, a.hero) == KN_MS(6000));
    settle(&a);
    kn_entity_id entities[2] = {{0}, {0}};
    const kn_combat_pair *first = published(&a, "Knack.CombatStarted", 0, &entities[0]);
    const kn_combat_pair *second = published(&a, "Knack.CombatStarted", 1, &entities[1]);
    expect_entity(entities[0], a.hero);
    expect_entity(first->other, a.foe);
    expect_entity(entities[1], a.foe);
    expect_entity(second->other, a.hero);
    arena_until(&a, 4000);
    (void)hit_by(&a, a.foe, a.hero, KN_HIT_DAMAGE, 10.0f); // renews it, from the other side
    (void)hit_by(&a, a.ally, a.foe, KN_HIT_DAMAGE, 10.0f);
    assert_int_equal(kn_combat_opponents(a.world, a.foe, NULL, 0), 2);
    arena_until(&a, 9999);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    assert_true(kn_combat_in_combat(a.world, a.ally));
    arena_until(&a, 10000);
    assert_false(kn_combat_is_fighting(a.world, a.hero, a.foe));
    assert_false(kn_combat_in_combat(a.world, a.hero) || kn_combat_in_combat(a.world, a.foe));
    assert_false(kn_entity_has_tag(a.world, a.foe, in_combat));
    assert_true(kn_combat_remaining(a.world, a.foe, a.hero) == 0);
    assert_int_equal(published_count(&a, "Knack.CombatEnded"), 4);
    arena_end(&a);
}

static void each_pair_has_a_time_of_its_own(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    arena_start(&a);
    expect_ok(kn_combat_start(a.world, a.hero, a.foe));
    arena_until(&a, 2000);
    expect_ok(kn_combat_start(a.world, a.hero, a.ally));
    arena_until(&a, 3000);
    expect_ok(kn_combat_start(a.world, a.lord, a.hero));
    kn_entity_id list[4];
    assert_int_equal(kn_combat_opponents(a.world, a.hero, list, 4), 3);
    expect_entity(list[0], a.foe);
    expect_entity(list[1], a.ally);
    expect_entity(list[2], a.lord);
    arena_until(&a, 6000);
    assert_false(kn_combat_in_combat(a.world, a.foe));
    assert_true(kn_combat_in_combat(a.world, a.hero) && kn_combat_in_combat(a.world, a.ally));
    arena_until(&a, 8000);
    assert_false(kn_combat_in_combat(a.world, a.ally));
    assert_true(kn_combat_in_combat(a.world, a.hero));
    arena_until(&a, 9000);
    assert_false(kn_combat_in_combat(a.world, a.hero));
    arena_end(&a);
}

static void a_threat_table_keeps_combat_up(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    assert_true(kn_combat_remaining(a.world, a.foe, a.hero) == KN_TIME_INFINITE);
    arena_until(&a, 60000);
    assert_true(kn_combat_is_fighting(a.world, a.hero, a.foe));
    expect_ok(kn_threat_remove(a.world, a.foe, a.hero)); // the time is long over
    assert_false(kn_combat_is_fighting(a.world, a.hero, a.foe));
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    expect_ok(kn_combat_leave(a.world, a.foe));
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    assert_false(kn_combat_in_combat(a.world, a.hero));
    expect_target(&a, (kn_entity_id){0});
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    expect_ok(kn_combat_end(a.world, a.foe, a.hero));
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    expect_result(kn_combat_end(a.world, a.foe, a.hero), KN_REFUSED_NOT_FOUND);
    arena_end(&a);
}

static void with_rules_the_end_of_combat_clears_threat(void **state)
{
    arena a;
    kn_combat_def rules;
    (void)state;
    far_begin(&a, &rules);
    rules.threat_keeps_combat = false;
    rules.combat_lasts = 2.0f;
    begin_with(&a, &rules);
    start(&a);
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    arena_until(&a, 1999);
    assert_true(threat_of(&a, a.hero) == 10.0f);
    arena_until(&a, 2000);
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    expect_target(&a, (kn_entity_id){0});
    arena_end(&a);
}

static void a_hit_without_combat_begins_none(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    kn_hit_def def = hit_of(&a, 10.0f);
    def.flags = KN_HIT_NO_COMBAT;
    expect_ok(kn_hit_run(a.world, &def, NULL));
    assert_false(kn_combat_in_combat(a.world, a.hero));
    assert_false(kn_threat_has(a.world, a.foe, a.hero));
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 1.0f));
    expect_ok(kn_hit_run(a.world, &def, NULL)); // in the table already
    assert_true(threat_of(&a, a.hero) == 11.0f);
    def.source = a.foe; // of itself
    def.flags = 0;
    expect_ok(kn_hit_run(a.world, &def, NULL));
    assert_int_equal(kn_combat_opponents(a.world, a.foe, NULL, 0), 1);
    arena_end(&a);
}

// By effects ----------------------------------------------------------------------------

static void effects_act_on_threat(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    kn_effect_type_id add = raise_effect(&a, "Add", "Knack.AddThreat", 500.0f);
    kn_effect_type_id scale = raise_effect(&a, "Scale", "Knack.ScaleThreat", 0.5f);
    kn_effect_type_id drop = raise_effect(&a, "Drop", "Knack.DropThreat", 0.0f);
    kn_effect_type_id taunt = raise_effect(&a, "Taunt", "Knack.Taunt", 3.0f);
    kn_effect_type_id fixate = raise_effect(&a, "Fixate", "Knack.Fixate", 2.0f);
    kn_effect_type_id suppress = raise_effect(&a, "Suppress", "Knack.SuppressThreat", 1.0f);
    kn_effect_type_id redirect = raise_effect(&a, "Redirect", "Knack.RedirectThreat", 30.0f);
    kn_effect_type_id leave = raise_effect(&a, "Leave", "Knack.LeaveCombat", 0.0f);
    kn_effect_type_id odd = raise_effect(&a, "Odd", "Knack.ScaleThreat", -1.0f);
    start(&a);
    (void)arena_apply(&a, add, a.hero, a.foe);
    assert_true(threat_of(&a, a.hero) == 500.0f);
    (void)arena_apply(&a, scale, a.hero, a.foe); // the table of the target
    assert_true(threat_of(&a, a.hero) == 250.0f);
    (void)arena_apply(&a, scale, a.hero, a.hero); // all tables that the target is in
    assert_true(threat_of(&a, a.hero) == 125.0f);
    settle(&a);
    (void)arena_apply(&a, odd, a.hero, a.hero);
    settle(&a);
    assert_int_equal(error_count(&a), 1);
    (void)arena_apply(&a, taunt, a.ally, a.foe);
    expect_target(&a, a.ally);
    (void)arena_apply(&a, fixate, a.lord, a.foe);
    expect_target(&a, a.lord);
    arena_until(&a, 2000);
    expect_target(&a, a.ally);
    arena_until(&a, 3000);
    (void)arena_apply(&a, suppress, a.hero, a.ally);
    expect_target(&a, a.hero);
    (void)arena_apply(&a, redirect, a.lord, a.ally);
    (void)arena_apply(&a, add, a.lord, a.foe);
    assert_true(threat_of(&a, a.ally) == 625.0f && threat_of(&a, a.lord) == 0.0f);
    (void)arena_apply(&a, drop, a.ally, a.ally);
    assert_false(kn_threat_has(a.world, a.foe, a.ally));
    (void)arena_apply(&a, drop, a.lord, a.foe);
    assert_false(kn_threat_has(a.world, a.foe, a.lord));
    (void)arena_apply(&a, leave, a.lord, a.foe);
    assert_int_equal(kn_threat_list(a.world, a.foe, NULL, 0), 0);
    assert_false(kn_combat_in_combat(a.world, a.foe));
    arena_end(&a);
}

// Bad input -----------------------------------------------------------------------------

static void bad_calls_about_threat_are_refused(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    kn_entity_id gone;
    expect_ok(kn_entity_create(a.world, &gone));
    assert_true(kn_entity_destroy(a.world, gone));
    expect_result(kn_threat_begin(a.world, gone), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_begin(NULL, a.foe), KN_ERROR_INVALID_ARGUMENT);
    expect_ok(kn_threat_begin(a.world, a.foe)); // has one
    expect_result(kn_threat_add(a.world, gone, a.hero, 1.0f), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_add(a.world, a.foe, gone, 1.0f), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_add(a.world, a.foe, a.foe, 1.0f), KN_REFUSED_DUPLICATE);
    expect_result(kn_threat_add(a.world, a.hero, a.foe, 1.0f), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_add(a.world, a.foe, a.hero, NAN), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_add(NULL, a.foe, a.hero, 1.0f), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_threat_set(a.world, a.foe, a.hero, -1.0f), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_scale(a.world, a.foe, a.hero, -1.0f), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_scale(a.world, a.foe, a.hero, INFINITY), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_remove(a.world, gone, a.hero), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_remove(a.world, a.foe, gone), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_clear(a.world, a.hero), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_update(a.world, a.hero), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_leave(a.world, gone), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_taunt(a.world, a.foe, a.hero, -1), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_taunt(a.world, a.foe, gone, 1), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_fixate(a.world, a.foe, a.hero, 0), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_fixate(a.world, a.hero, a.foe, 1), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_suppress(a.world, a.foe, a.hero, -1), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_suppress(a.world, a.foe, a.hero, 1), KN_REFUSED_NOT_FOUND);
    expect_result(kn_threat_redirect(a.world, a.hero, a.hero, 1.0f, 1), KN_REFUSED_DUPLICATE);
    expect_result(kn_threat_redirect(a.world, a.hero, gone, 1.0f, 1), KN_REFUSED_STALE_ID);
    expect_result(kn_threat_redirect(a.world, a.hero, a.foe, 1.5f, 1), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_redirect(a.world, a.hero, a.foe, 1.0f, 0), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_redirect(a.world, a.hero, a.foe, NAN, 1), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_threat_redirect(NULL, a.hero, a.foe, 1.0f, 1), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_start(a.world, a.hero, gone), KN_REFUSED_STALE_ID);
    expect_result(kn_combat_start(a.world, a.hero, a.hero), KN_REFUSED_DUPLICATE);
    expect_result(kn_combat_start(NULL, a.hero, a.foe), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_end(a.world, a.hero, gone), KN_REFUSED_STALE_ID);
    expect_result(kn_combat_end(NULL, a.hero, gone), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_leave(a.world, gone), KN_REFUSED_STALE_ID);
    expect_ok(kn_combat_leave(a.world, a.hero));
    assert_true(kn_threat_get(a.world, gone, a.hero) == 0.0f);
    assert_false(kn_threat_has(NULL, a.foe, a.hero) || kn_threat_has_table(a.world, gone));
    assert_int_equal(kn_threat_target(a.world, gone).index1, 0);
    assert_int_equal(kn_threat_owners(a.world, gone, NULL, 0), 0);
    assert_false(kn_combat_is_fighting(a.world, gone, a.hero));
    assert_false(kn_combat_in_combat(a.world, gone) || kn_combat_in_combat(NULL, a.hero));
    assert_int_equal(kn_combat_opponents(a.world, gone, NULL, 0), 0);
    arena_end(&a);
}

// Threat beyond what a float holds stays there.
static void threat_does_not_overflow(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_set(a.world, a.foe, a.hero, 3e38f));
    expect_ok(kn_threat_add(a.world, a.foe, a.hero, 3e38f));
    assert_true(isfinite(threat_of(&a, a.hero)) && threat_of(&a, a.hero) > 3.1e38f);
    expect_ok(kn_threat_scale(a.world, a.foe, a.hero, 2.0f));
    assert_true(isfinite(threat_of(&a, a.hero)));
    arena_end(&a);
}

// Everything together ---------------------------------------------------------------------

static uint32_t draw(uint64_t *seed, uint32_t bound)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % bound;
}

#define CROWD 10

// What must hold whatever has happened.
static void expect_consistent(const arena *a, const kn_entity_id *all)
{
    kn_tag in_combat = kn_tag_find(a->library, "Knack.InCombat");
    for (uint32_t i = 0; i < CROWD; i++) {
        kn_entity_id list[CROWD];
        uint32_t fights = 0;
        for (uint32_t j = 0; j < CROWD; j++) {
            bool is_fighting = kn_combat_is_fighting(a->world, all[i], all[j]);
            assert_true(is_fighting == kn_combat_is_fighting(a->world, all[j], all[i]));
            fights += is_fighting;
            // Who is in a table is in combat.
            assert_true(is_fighting || !kn_threat_has(a->world, all[i], all[j]));
        }
        assert_int_equal(kn_combat_opponents(a->world, all[i], list, CROWD), fights);
        assert_true(kn_combat_in_combat(a->world, all[i]) == (fights > 0));
        assert_true(kn_entity_has_tag(a->world, all[i], in_combat) == (fights > 0));
        assert_true(fights == 0 || !kn_combat_is_dead(a->world, all[i]));
        kn_entity_id target = kn_threat_target(a->world, all[i]);
        assert_true((target.index1 != 0) == (kn_threat_list(a->world, all[i], NULL, 0) > 0));
        assert_true(target.index1 == 0 || kn_threat_has(a->world, all[i], target));
    }
}

static void play_crowd(arena *a, kn_entity_id *all, uint64_t *seed)
{
    kn_entity_id x = all[draw(seed, CROWD)], y = all[draw(seed, CROWD)];
    switch (draw(seed, 14)) {
    case 0:
        (void)kn_threat_taunt(a->world, x, y, KN_MS(draw(seed, 3000)));
        break;
    case 1:
        (void)kn_threat_fixate(a->world, x, y, KN_MS(draw(seed, 3000)));
        break;
    case 2:
        (void)kn_threat_suppress(a->world, x, y, KN_MS(draw(seed, 3000)));
        break;
    case 3:
        (void)kn_threat_remove(a->world, x, y);
        break;
    case 4:
        (void)kn_threat_scale(a->world, x, y, (float)draw(seed, 20) / 10.0f);
        break;
    case 5:
        (void)kn_combat_end(a->world, x, y);
        break;
    case 6:
        (void)(draw(seed, 4) == 0 ? kn_combat_leave(a->world, x) : kn_threat_clear(a->world, x));
        break;
    case 7:
        (void)kn_threat_redirect(a->world, x, y, 0.5f, KN_MS(2000));
        break;
    case 8:
        if (draw(seed, 4) == 0) {
            assert_true(kn_entity_destroy(a->world, x));
            for (uint32_t i = 0; i < CROWD; i++) {
                if (kn_entity_id_equal(all[i], x)) {
                    all[i] = arena_spawn(a);
                    (void)(i % 2 == 0 ? kn_threat_begin(a->world, all[i]) : KN_OK);
                }
            }
        }
        break;
    case 9:
        (void)(kn_combat_is_dead(a->world, x) ? kn_combat_resurrect(a->world, x, y, 1.0f)
                                              : kn_combat_kill(a->world, x, y));
        break;
    default: {
        kn_hit_def def = kn_hit_def_default();
        def.source = x;
        def.target = y;
        def.kind = (kn_hit_kind)(draw(seed, 3) == 0);
        def.amount = (float)draw(seed, 400);
        (void)kn_hit_run(a->world, &def, NULL);
    }
    }
    expect_ok(kn_world_step(a->world, KN_MS(draw(seed, 300))));
}

static void random_fights_keep_tables_pairs_and_tags_consistent(void **state)
{
    arena a;
    uint64_t seed = 2026;
    kn_entity_id all[CROWD];
    (void)state;
    begin(&a);
    arena_start(&a);
    for (uint32_t i = 0; i < CROWD; i++) {
        all[i] = arena_spawn(&a);
        if (i % 2 == 0) {
            expect_ok(kn_threat_begin(a.world, all[i]));
        }
    }
    for (uint32_t i = 0; i < 1500; i++) {
        play_crowd(&a, all, &seed);
        if (i % 5 == 0) {
            expect_consistent(&a, all);
        }
    }
    assert_true(kn_world_validate(a.world));
    // Everything ends by itself once the tables are cleared.
    for (uint32_t i = 0; i < CROWD; i++) {
        (void)kn_threat_clear(a.world, all[i]);
    }
    expect_ok(kn_world_step(a.world, KN_MS(10000)));
    expect_consistent(&a, all);
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_false(kn_combat_in_combat(a.world, all[i]));
    }
    arena_end(&a);
}

static void play_on(arena *a)
{
    uint64_t seed = 7;
    kn_entity_id all[] = {a->hero, a->foe, a->ally, a->lord};
    for (uint32_t i = 0; i < 60; i++) {
        kn_hit_def def = kn_hit_def_default();
        def.source = all[draw(&seed, 4)];
        def.target = all[draw(&seed, 4)];
        def.kind = (kn_hit_kind)(draw(&seed, 3) == 0);
        def.amount = (float)draw(&seed, 60);
        (void)kn_hit_run(a->world, &def, NULL);
        expect_ok(kn_world_step(a->world, KN_MS(250)));
    }
    expect_ok(kn_threat_clear(a->world, a->foe));
    expect_ok(kn_world_step(a->world, KN_MS(3000)));
}

static void fights_go_on_alike_after_a_save_and_a_snapshot(void **state)
{
    arena a;
    (void)state;
    begin(&a);
    start(&a);
    expect_ok(kn_threat_begin(a.world, a.lord));
    (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
    (void)hit_by(&a, a.foe, a.ally, KN_HIT_DAMAGE, 10.0f);
    (void)hit_by(&a, a.ally, a.lord, KN_HIT_DAMAGE, 30.0f);
    expect_ok(kn_threat_taunt(a.world, a.foe, a.ally, KN_MS(1500)));
    expect_ok(kn_threat_fixate(a.world, a.lord, a.hero, KN_MS(2500)));
    expect_ok(kn_threat_suppress(a.world, a.foe, a.hero, KN_MS(900)));
    expect_ok(kn_threat_redirect(a.world, a.hero, a.ally, 0.5f, KN_MS(5000)));
    expect_ok(kn_combat_start(a.world, a.hero, a.ally));
    arena_until(&a, 300);
    expect_same_future(&a, play_on);
    arena_end(&a);
}

// Pointers to components do not survive calls that create something: memory that moves finds it.
static void fights_are_the_same_in_a_world_that_moves_its_memory(void **state)
{
    uint64_t hashes[2];
    (void)state;
    for (uint32_t pass = 0; pass < 2; pass++) {
        arena a;
        begin(&a);
        start(&a);
        kn_world_set_moving(a.world, pass == 1);
        (void)hit_by(&a, a.hero, a.foe, KN_HIT_DAMAGE, 10.0f);
        (void)hit_by(&a, a.ally, a.foe, KN_HIT_DAMAGE, 30.0f);
        expect_ok(kn_threat_taunt(a.world, a.foe, a.lord, KN_MS(800)));
        play_on(&a);
        hashes[pass] = kn_world_hash(a.world);
        arena_end(&a);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Memory -----------------------------------------------------------------------------------

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    uint32_t *left = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && (*left == 0 || --*left == 0)) {
        return NULL;
    }
    return realloc(ptr, new_size);
}

// A fight in a world that may run out of memory anywhere.
static kn_result fight_once(arena *a)
{
    kn_entity_id all[6];
    kn_hit_def def = kn_hit_def_default();
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 6 && result == KN_OK; i++) {
        result = kn_entity_create(a->world, &all[i]);
        result = result != KN_OK ? result : kn_attribute_set_add(a->world, all[i], a->vitals, 0);
    }
    result = result != KN_OK ? result : kn_threat_begin(a->world, all[0]);
    def.amount = 10.0f;
    for (uint32_t i = 1; i < 6 && result == KN_OK; i++) {
        def.source = all[i];
        def.target = all[0];
        def.kind = KN_HIT_DAMAGE;
        result = kn_hit_run(a->world, &def, NULL);
        def.target = all[1];
        def.kind = KN_HIT_HEALING;
        result = result != KN_OK ? result : kn_hit_run(a->world, &def, NULL);
        result = result != KN_OK ? result : kn_threat_taunt(a->world, all[0], all[i], KN_MS(100));
        result = result != KN_OK
                     ? result
                     : kn_threat_redirect(a->world, all[i], all[1 + i % 5], 0.5f, KN_MS(50));
        result = result != KN_OK ? result : kn_world_step(a->world, KN_MS(40));
    }
    result = result != KN_OK ? result : kn_combat_kill(a->world, all[0], all[2]);
    return result != KN_OK ? result : kn_world_step(a->world, KN_MS(100));
}

static void a_fight_without_memory_fails_and_nothing_else(void **state)
{
    arena a;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    (void)state;
    begin(&a);
    arena_start(&a);
    kn_world *own = a.world;
    for (uint32_t first = 1; result != KN_OK && first < 2000; first++) {
        uint32_t left = 0;
        kn_world_def def = kn_world_def_default();
        def.library = a.library;
        def.hooks.realloc_fn = limited;
        def.hooks.realloc_user = &left;
        left = UINT32_MAX;
        expect_ok(kn_world_create(&def, &a.world));
        left = first;
        result = fight_once(&a);
        assert_true(
            result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
        left = UINT32_MAX;
        assert_true(kn_world_is_broken(a.world) || kn_world_validate(a.world));
        kn_world_destroy(a.world);
    }
    assert_int_equal(result, KN_OK);
    a.world = own;
    arena_end(&a);
}

// arena_begin() with other rules: those of the tag and attribute that it registers are kept.
static void begin_with(arena *a, kn_combat_def *rules)
{
    // The library has rules already; a new one gets the same tags and attributes in the same order.
    kn_library_destroy(a->library);
    arena_begin_with(a, rules);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(damage_makes_threat_and_the_first_attacker_the_target),
    cmocka_unit_test(a_hit_that_misses_brings_its_source_into_the_table),
    cmocka_unit_test(the_target_changes_when_somebody_has_clearly_more_threat),
    cmocka_unit_test(somebody_far_away_needs_more_threat_to_become_the_target),
    cmocka_unit_test(the_list_is_sorted_by_threat_then_by_age),
    cmocka_unit_test(threat_is_scaled_removed_and_cleared),
    cmocka_unit_test(leaving_removes_an_entity_from_every_table),
    cmocka_unit_test(modifiers_change_threat_and_gates_refuse_what_is_left),
    cmocka_unit_test(a_taunt_makes_its_caster_the_target_for_a_time),
    cmocka_unit_test(a_new_taunt_replaces_an_older_one),
    cmocka_unit_test(a_fixation_comes_before_taunts_and_gates_refuse_both),
    cmocka_unit_test(a_suppressed_entity_is_the_last_choice),
    cmocka_unit_test(a_share_of_threat_goes_to_somebody_else_for_a_time),
    cmocka_unit_test(threat_of_a_heal_is_divided_among_those_who_fight_the_healed),
    cmocka_unit_test(the_dead_and_the_gone_leave_all_tables),
    cmocka_unit_test(the_owner_of_a_table_may_be_destroyed),
    cmocka_unit_test(with_rules_the_dead_keep_their_threat),
    cmocka_unit_test(a_taunt_of_the_dead_does_not_keep_others_from_being_the_target),
    cmocka_unit_test(the_longest_durations_end_after_everything_else),
    cmocka_unit_test(combat_may_last_longer_than_any_timer),
    cmocka_unit_test(a_tag_gives_tables_and_another_says_who_is_far),
    cmocka_unit_test(a_pair_is_in_combat_until_its_time_is_over),
    cmocka_unit_test(each_pair_has_a_time_of_its_own),
    cmocka_unit_test(a_threat_table_keeps_combat_up),
    cmocka_unit_test(with_rules_the_end_of_combat_clears_threat),
    cmocka_unit_test(a_hit_without_combat_begins_none),
    cmocka_unit_test(effects_act_on_threat),
    cmocka_unit_test(bad_calls_about_threat_are_refused),
    cmocka_unit_test(threat_does_not_overflow),
    cmocka_unit_test(random_fights_keep_tables_pairs_and_tags_consistent),
    cmocka_unit_test(fights_go_on_alike_after_a_save_and_a_snapshot),
    cmocka_unit_test(a_fight_without_memory_fails_and_nothing_else),
    cmocka_unit_test(fights_are_the_same_in_a_world_that_moves_its_memory),
};

TEST_GROUP(combat_threat, tests, NULL, NULL);
