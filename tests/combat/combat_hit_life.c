// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Death and resurrection.

#include "combat_hit_test.h"

static void a_hit_that_uses_up_health_kills(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_def plain = kn_effect_def_default();
    plain.name = "Plain";
    kn_effect_type_id effect = arena_effect(&a, &plain);
    kn_ability_def simple = kn_ability_def_default();
    simple.name = "Simple";
    kn_ability_type_id ability = arena_ability(&a, &simple);
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 1250.0f);
    def.effect = effect;
    def.ability = ability;
    def.flags = KN_HIT_NO_PROCS;
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true((hit.flags & KN_HIT_KILLED) != 0);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    assert_true(kn_entity_has_tag(a.world, a.foe, a.dead));
    assert_false(kn_combat_is_dead(a.world, a.hero));
    settle(&a);
    kn_entity_id entity = {0};
    const kn_life_change *death = published(&a, "Knack.Died", 0, &entity);
    assert_non_null(death);
    expect_entity(entity, a.foe);
    expect_entity(death->entity, a.foe);
    expect_entity(death->by, a.hero);
    assert_int_equal(death->effect.index1, effect.index1);
    assert_int_equal(death->ability.index1, ability.index1);
    assert_true(death->amount == 250.0f);
    assert_int_equal(death->flags, KN_HIT_NO_PROCS | KN_HIT_KILLED);
    assert_int_equal(published_count(&a, "Knack.Died"), 1);
    arena_end(&a);
}

static void the_dead_are_neither_hit_nor_healed(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    (void)strike(&a, 1000.0f);
    settle(&a);
    kn_hit_def def = hit_of(&a, 10.0f);
    expect_result(kn_hit_run(a.world, &def, NULL), KN_REFUSED_DYING);
    def.kind = KN_HIT_HEALING;
    expect_result(kn_hit_run(a.world, &def, NULL), KN_REFUSED_DYING);
    assert_true(health_of(&a, a.foe) == 0.0f);
    expect_result(kn_combat_kill(a.world, a.foe, a.hero), KN_REFUSED_DYING);
    settle(&a);
    assert_int_equal(published_count(&a, "Knack.Hit"), 0);
    assert_int_equal(published_count(&a, "Knack.Died"), 0);
    arena_end(&a);
}

typedef struct seen {
    uint32_t died, killed;
    kn_entity_id entity, by;
    float magnitude;
    bool was_dead;
} seen;

static void see_death(void *user, kn_world *world, const kn_reaction *reaction)
{
    seen *own = user;
    own->died++;
    own->entity = reaction->entity;
    own->by = reaction->instigator;
    own->magnitude = reaction->magnitude;
    own->was_dead = kn_combat_is_dead(world, reaction->entity);
}

static void see_kill(void *user, kn_world *world, const kn_reaction *reaction)
{
    seen *own = user;
    (void)world;
    own->killed++;
    assert_true(kn_entity_id_equal(reaction->record->target, own->entity));
    assert_true(kn_entity_id_equal(reaction->entity, own->by));
}

static void arena_rule(arena *a, const char *name, const char *tag, kn_rule_fn *function, seen *own)
{
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    kn_error error = {0};
    rule.name = name;
    rule.tag = kn_tag_find(a->library, tag);
    rule.function = function;
    rule.user = own;
    expect_ok(kn_rule_register(a->library, &rule, &id, &error));
}

static void rules_react_to_a_death_when_it_is_complete(void **state)
{
    arena a;
    seen own = {0};
    (void)state;
    arena_begin(&a);
    arena_rule(&a, "SeeDeath", "Knack.Died", see_death, &own);
    arena_rule(&a, "SeeKill", "Knack.Killed", see_kill, &own);
    arena_start(&a);
    (void)strike(&a, 1007.0f);
    assert_int_equal(own.died, 1);
    assert_int_equal(own.killed, 1);
    assert_true(own.was_dead && own.magnitude == 7.0f);
    expect_entity(own.entity, a.foe);
    expect_entity(own.by, a.hero);
    expect_ok(kn_combat_kill(a.world, a.ally, a.lord));
    assert_int_equal(own.died, 2);
    assert_int_equal(own.killed, 2);
    expect_entity(own.entity, a.ally);
    expect_entity(own.by, a.lord);
    assert_true(health_of(&a, a.ally) == 0.0f);
    expect_ok(kn_combat_kill(a.world, a.hero, (kn_entity_id){0})); // by nobody
    assert_int_equal(own.died, 3);
    assert_int_equal(own.killed, 2);
    arena_end(&a);
}

static void the_dead_are_resurrected_with_a_share_of_their_health(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    expect_result(kn_combat_resurrect(a.world, a.foe, a.ally, 0.3f), KN_REFUSED_NOT_FOUND);
    (void)strike(&a, 1000.0f);
    settle(&a);
    expect_ok(kn_combat_resurrect(a.world, a.foe, a.ally, 0.3f));
    assert_false(kn_combat_is_dead(a.world, a.foe));
    assert_true(health_of(&a, a.foe) == 300.0f);
    settle(&a);
    kn_entity_id entity = {0};
    const kn_life_change *life = published(&a, "Knack.Resurrected", 0, &entity);
    assert_non_null(life);
    expect_entity(entity, a.foe);
    expect_entity(life->entity, a.foe);
    expect_entity(life->by, a.ally);
    assert_true(life->amount == 300.0f && life->flags == 0);
    assert_int_equal(life->effect.index1, 0);
    assert_int_equal(life->ability.index1, 0);
    assert_true(strike(&a, 100.0f).dealt == 100.0f); // can be hit again
    // A tag that the game gave counts as death too.
    expect_ok(kn_entity_add_tag(a.world, a.ally, a.dead, KN_TAG_ORIGIN_LOOSE, 2));
    expect_ok(kn_combat_resurrect(a.world, a.ally, a.hero, 1.0f));
    assert_false(kn_entity_has_tag(a.world, a.ally, a.dead));
    arena_end(&a);
}

static void gates_refuse_death_and_resurrection(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id spirit = gate_effect(&a, "Spirit", "Knack.Death", (kn_condition_id){0});
    kn_effect_type_id curse = gate_effect(&a, "Curse", "Knack.Resurrection", (kn_condition_id){0});
    arena_start(&a);
    kn_effect_id effect = arena_apply(&a, spirit, a.ally, a.foe);
    kn_hit hit = strike(&a, 1500.0f);
    assert_true((hit.flags & KN_HIT_KILLED) == 0 && hit.dealt == 1000.0f && hit.over == 500.0f);
    assert_false(kn_combat_is_dead(a.world, a.foe));
    expect_result(kn_combat_kill(a.world, a.foe, a.hero), KN_REFUSED_BLOCKED);
    expect_ok(kn_effect_remove(a.world, effect, 0, KN_REMOVED_BY_CALL));
    // It has no health left: the next hit kills, however small.
    hit = strike(&a, 1.0f);
    assert_true((hit.flags & KN_HIT_KILLED) != 0 && hit.dealt == 0.0f && hit.over == 1.0f);
    (void)arena_apply(&a, curse, a.hero, a.foe);
    expect_result(kn_combat_resurrect(a.world, a.foe, a.ally, 1.0f), KN_REFUSED_BLOCKED);
    assert_true(kn_combat_is_dead(a.world, a.foe) && health_of(&a, a.foe) == 0.0f);
    arena_end(&a);
}

static void effects_kill_and_resurrect(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_effect_type_id kill = raise_effect(&a, "Kill", "Knack.Kill", 1.0f);
    kn_effect_type_id raise = raise_effect(&a, "Raise", "Knack.Resurrect", 0.5f);
    kn_effect_type_id odd = raise_effect(&a, "Odd", "Knack.Resurrect", 7.0f);
    arena_start(&a);
    (void)arena_apply(&a, kill, a.hero, a.foe);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    settle(&a);
    expect_entity(((const kn_life_change *)published(&a, "Knack.Died", 0, NULL))->by, a.hero);
    (void)arena_apply(&a, odd, a.ally, a.foe);
    settle(&a);
    assert_int_equal(error_count(&a), 1);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    (void)arena_apply(&a, raise, a.ally, a.foe);
    assert_false(kn_combat_is_dead(a.world, a.foe));
    assert_true(health_of(&a, a.foe) == 500.0f);
    arena_end(&a);
}

static void bad_calls_about_life_are_refused(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    kn_entity_id bare, gone;
    expect_ok(kn_entity_create(a.world, &bare));
    expect_ok(kn_entity_create(a.world, &gone));
    assert_true(kn_entity_destroy(a.world, gone));
    expect_result(kn_combat_kill(NULL, a.foe, a.hero), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_kill(a.world, gone, a.hero), KN_REFUSED_STALE_ID);
    expect_result(kn_combat_kill(a.world, bare, a.hero), KN_REFUSED_MISSING_ATTRIBUTE);
    expect_result(kn_combat_resurrect(NULL, a.foe, a.hero, 1.0f), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_combat_resurrect(a.world, gone, a.hero, 1.0f), KN_REFUSED_STALE_ID);
    expect_result(kn_combat_resurrect(a.world, bare, a.hero, 1.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    expect_ok(kn_combat_kill(a.world, a.foe, gone));
    expect_result(kn_combat_resurrect(a.world, a.foe, a.hero, 0.0f), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_combat_resurrect(a.world, a.foe, a.hero, 1.1f), KN_REFUSED_BAD_NUMBER);
    expect_result(kn_combat_resurrect(a.world, a.foe, a.hero, NAN), KN_REFUSED_BAD_NUMBER);
    assert_false(kn_combat_is_dead(NULL, a.foe));
    assert_false(kn_combat_is_dead(a.world, gone));
    arena_end(&a);
}

// Rules without a dead tag, and health without limits: death is the moment when health is used up.
static void without_a_dead_tag_death_is_an_event(void **state)
{
    kn_library *library;
    kn_world *world;
    kn_library_def library_def = kn_library_def_default();
    kn_error error = {0};
    (void)state;
    expect_ok(kn_library_create(&library_def, &library));
    expect_ok(kn_combat_register(library, &error));
    kn_attribute_def attribute = arena_attribute("Health", 80.0f);
    attribute.profile = kn_value_profile_gas();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    set.name = "Body";
    set.attributes = &attribute;
    set.attribute_count = 1;
    expect_ok(kn_attribute_set_register(library, &set, &id, &error));
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    rules.health = kn_attribute_find(library, "Body.Health");
    expect_ok(kn_combat_rules_register(library, &rules, &error));
    expect_ok(kn_library_finish(library, &error));
    kn_world_def def = kn_world_def_default();
    def.library = library;
    expect_ok(kn_world_create(&def, &world));
    kn_hit_def hit = kn_hit_def_default();
    kn_hit result;
    expect_ok(kn_entity_create(world, &hit.target));
    expect_ok(kn_attribute_set_add(world, hit.target, id, 0));
    hit.amount = 100.0f;
    expect_ok(kn_hit_run(world, &hit, &result));
    assert_true(result.dealt == 80.0f && result.over == 20.0f);
    assert_true((result.flags & KN_HIT_KILLED) != 0);
    assert_true(kn_attribute_value(world, hit.target, rules.health) == 0.0f);
    expect_ok(kn_hit_run(world, &hit, &result)); // not dead, and dies no second time
    assert_true(result.dealt == 0.0f && result.over == 100.0f);
    assert_true((result.flags & KN_HIT_KILLED) == 0);
    expect_result(kn_combat_resurrect(world, hit.target, hit.target, 1.0f), KN_REFUSED_NOT_FOUND);
    hit.kind = KN_HIT_HEALING;
    expect_ok(kn_hit_run(world, &hit, &result)); // no maximum
    assert_true(result.dealt == 100.0f && result.over == 0.0f);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void play_life(arena *a)
{
    kn_hit_def def = hit_of(a, 120.0f);
    for (uint32_t i = 0; i < 20; i++) {
        if (kn_hit_run(a->world, &def, NULL) == KN_REFUSED_DYING && i % 3 == 0) {
            expect_ok(kn_combat_resurrect(a->world, a->foe, a->ally, 0.25f));
        }
        expect_ok(kn_world_step(a->world, KN_MS(500)));
    }
}

static void the_dead_stay_dead_in_saves_and_snapshots(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    (void)strike(&a, 1000.0f);
    assert_true(kn_combat_is_dead(a.world, a.foe));
    expect_same_future(&a, play_life);
    arena_end(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_hit_that_uses_up_health_kills),
    cmocka_unit_test(the_dead_are_neither_hit_nor_healed),
    cmocka_unit_test(rules_react_to_a_death_when_it_is_complete),
    cmocka_unit_test(the_dead_are_resurrected_with_a_share_of_their_health),
    cmocka_unit_test(gates_refuse_death_and_resurrection),
    cmocka_unit_test(effects_kill_and_resurrect),
    cmocka_unit_test(bad_calls_about_life_are_refused),
    cmocka_unit_test(without_a_dead_tag_death_is_an_event),
    cmocka_unit_test(the_dead_stay_dead_in_saves_and_snapshots),
};

TEST_GROUP(combat_hit_life, tests, NULL, NULL);
