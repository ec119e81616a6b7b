// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Death, who gets the credit for it, and who the experience.

#include "rts/rts_test.h"

#include <math.h>

typedef struct game {
    fixture f;
    kn_rts_rules_def rules;
    kn_attribute_id health;
    kn_attribute_set_id vitals;
    kn_effect_type_id hit, mend, poison; // 40 at once, and 10 each second
    kn_ability_type_id strike;
    kn_tag alive, corpse, shield;
    kn_rts_unit_def hero_def, minion_def;
    kn_rts_unit_type_id hero_type, minion_type;
    kn_entity_id hero, other, enemy, victim;
    float changed_to; // by the hook; below 0: not at all
    kn_rts_killed_call told;
} game;

static kn_result on_killed(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_killed_call *c = call->arguments;
    g->told = *c;
    assert_false(kn_entity_has_tag(call->world, call->entity, g->alive));
    assert_true(kn_entity_has_tag(call->world, call->entity, g->corpse));
    if (g->changed_to >= 0) {
        c->experience = g->changed_to;
    }
    return KN_OK;
}

static kn_result strike(const kn_ability_call *call)
{
    game *g = call->user;
    // Not by an effect: the ability itself is behind it.
    (void)kn_attribute_set_base(call->world, g->victim, g->health, 0, 0);
    (void)kn_activation_end(call->world, call->activation);
    return KN_OK;
}

static game *game_open(void)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    fixture_open(&g->f);
    g->changed_to = -1;
    kn_attribute_def health = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    health.name = "Health";
    health.default_value = 100;
    health.base_min = kn_limit_constant(0);
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(g->f.library, &set, &g->vitals, NULL), KN_OK);
    g->health = attribute_named(&g->f, "Vitals.Health");
    g->mend = instant_add(&g->f, "Mend", g->health, KN_OP_ADD, 5);
    g->hit = instant_add(&g->f, "Hit", g->health, KN_OP_ADD, -40);
    const kn_modifier_def modifier = kn_modifier_constant(g->health, KN_OP_ADD, -10);
    kn_effect_def poison = kn_effect_def_default();
    poison.name = "Poison";
    poison.duration_kind = KN_DURATION_INFINITE;
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(1);
    poison.modifiers = &modifier;
    poison.modifier_count = 1;
    assert_int_equal(kn_effect_register(g->f.library, &poison, &g->poison, NULL), KN_OK);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.activate = strike;
    ability.user = g;
    assert_int_equal(kn_ability_register(g->f.library, &ability, &g->strike, NULL), KN_OK);
    g->alive = kn_rts_tag(g->f.library, KN_RTS_ALIVE);
    g->corpse = tag_named(&g->f, "Test.Corpse");
    g->shield = tag_named(&g->f, "Test.Shield");
    g->hero_def = kn_rts_unit_def_default();
    g->hero_def.name = "Hero";
    g->hero_def.can_level = true;
    g->hero_def.max_level = 5;
    g->hero_def.experience_per_level = kn_constant(100);
    g->hero_def.sets = &g->vitals;
    g->hero_def.set_count = 1;
    g->minion_def = kn_rts_unit_def_default();
    g->minion_def.name = "Minion";
    g->minion_def.sets = &g->vitals;
    g->minion_def.set_count = 1;
    g->minion_def.granted_experience = kn_constant(60);
    g->minion_def.initial_tags = (kn_tags){&g->shield, 1};
    g->minion_def.death_tags_added = (kn_tags){&g->corpse, 1};
    g->minion_def.death_tags_removed = (kn_tags){&g->shield, 1};
    g->minion_def.killed = (kn_hook){on_killed, g};
    g->rules = kn_rts_rules_def_default();
    g->rules.name = "Rules";
    g->rules.health = g->health;
    return g;
}

// Hero and other are ours and at 0 and 3, enemy is theirs, and so is the victim, at 10.
static void game_begin(game *g)
{
    kn_error error = {0};
    if (kn_rts_rules_register(g->f.library, &g->rules, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    g->hero_type = unit_type_add(&g->f, &g->hero_def);
    g->minion_type = unit_type_add(&g->f, &g->minion_def);
    world_begin(&g->f);
    g->hero = unit_create(&g->f, g->hero_type, g->f.us);
    g->other = unit_create(&g->f, g->hero_type, g->f.us);
    g->enemy = unit_create(&g->f, g->hero_type, g->f.them);
    g->victim = unit_create(&g->f, g->minion_type, g->f.them);
    place(&g->f, g->hero, 0, 0);
    place(&g->f, g->other, 3, 0);
    place(&g->f, g->enemy, 9, 0);
    place(&g->f, g->victim, 10, 0);
}

static game *game_create(void)
{
    game *g = game_open();
    game_begin(g);
    return g;
}

static void game_destroy(game *g)
{
    fixture_close(&g->f);
    free(g);
}

static void apply(game *g, kn_effect_type_id effect, kn_entity_id source, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        assert_int_equal(
            kn_effect_apply_simple(g->f.world, effect, source, g->victim, 1, NULL), KN_OK);
    }
}

static float experience(const game *g, kn_entity_id unit)
{
    return kn_rts_experience(g->f.world, unit);
}

#define KILLED(g, by, for_, with)                                                                  \
    do {                                                                                           \
        char expected_[64];                                                                        \
        (void)snprintf(expected_, sizeof(expected_), "killed by %u for %g with %u",                \
            (unsigned)(by).index1, (double)(for_), (unsigned)(with));                              \
        assert_string_equal(events_of(&(g)->f, (g)->victim), expected_);                           \
    } while (0)

// RTS-010, RTS-043, RTS-044, RTS-064: health at 0 is death, and the killer gets what it gives.
static void units_die_without_health(void **state)
{
    game *g = game_create();
    (void)state;
    apply(g, g->hit, g->hero, 2);
    assert_false(kn_rts_is_dead(g->f.world, g->victim));
    assert_true(experience(g, g->hero) == 0);
    apply(g, g->hit, g->hero, 1);
    assert_true(kn_rts_is_dead(g->f.world, g->victim));
    assert_false(kn_entity_has_tag(g->f.world, g->victim, g->alive));
    assert_true(kn_entity_has_tag(g->f.world, g->victim, g->corpse));
    assert_false(kn_entity_has_tag(g->f.world, g->victim, g->shield));
    assert_true(experience(g, g->hero) == 60);
    assert_true(experience(g, g->other) == 0);
    assert_true(experience(g, g->enemy) == 0);
    KILLED(g, g->hero, 60, 0);
    apply(g, g->hit, g->hero, 1); // once is enough
    assert_true(experience(g, g->hero) == 60);
    assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_REFUSED_DUPLICATE);
    assert_string_equal(events_of(&g->f, g->victim), "");
    game_destroy(g);
}

// The chain of causes leads from a tick to who applied the effect long ago.
static void ticks_count_for_who_applied_the_effect(void **state)
{
    game *g = game_create();
    (void)state;
    apply(g, g->poison, g->hero, 1);
    step_ms(&g->f, 5000);
    assert_false(kn_rts_is_dead(g->f.world, g->victim));
    for (uint32_t i = 0; i < 60 && !kn_rts_is_dead(g->f.world, g->victim); i++) {
        step_ms(&g->f, 100);
    }
    assert_true(kn_rts_is_dead(g->f.world, g->victim));
    assert_true(experience(g, g->hero) == 60);
    game_destroy(g);
}

static void abilities_count_for_their_owner(void **state)
{
    game *g = game_create();
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    (void)state;
    grant.type = g->strike;
    assert_int_equal(kn_ability_grant(g->f.world, g->hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(g->f.world, ability, NULL, NULL), KN_OK);
    KILLED(g, g->hero, 60, 0);
    assert_true(experience(g, g->hero) == 60);
    game_destroy(g);
}

// A trap that belongs to a projectile that belongs to the hero.
static void what_is_not_a_unit_counts_for_the_unit_that_owns_it(void **state)
{
    game *g = game_create();
    kn_entity_id arrow, trap;
    (void)state;
    assert_int_equal(kn_entity_create(g->f.world, &arrow), KN_OK);
    assert_int_equal(kn_entity_create(g->f.world, &trap), KN_OK);
    own(&g->f, arrow, g->hero);
    own(&g->f, trap, arrow);
    apply(g, g->hit, trap, 3);
    KILLED(g, g->hero, 60, 0);
    assert_true(experience(g, g->hero) == 60);
    game_destroy(g);
}

// The tag alone may go, by the host or by an effect of somebody.
static void units_die_without_the_tag_of_the_living(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_remove_tags(g->f.world, g->victim, (kn_tags){&g->alive, 1}), KN_OK);
    assert_true(kn_rts_is_dead(g->f.world, g->victim));
    assert_true(kn_entity_has_tag(g->f.world, g->victim, g->corpse));
    KILLED(g, ((kn_entity_id){0, 0}), 60, 0);
    assert_true(experience(g, g->hero) + experience(g, g->other) == 0);
    game_destroy(g);
}

// A unit that lives again may die again.
static void who_lives_again_dies_again(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_OK);
    assert_int_equal(kn_attribute_set_base(g->f.world, g->victim, g->health, 0, 50), KN_OK);
    gain(&g->f, g->victim, g->alive);
    assert_false(kn_rts_is_dead(g->f.world, g->victim));
    assert_false(kn_entity_has_tag(g->f.world, g->victim, g->corpse));
    apply(g, g->hit, g->other, 2);
    assert_true(kn_rts_is_dead(g->f.world, g->victim));
    assert_int_equal(kn_entity_tag_count(g->f.world, g->victim, g->corpse), 1);
    assert_true(experience(g, g->hero) == 60);
    assert_true(experience(g, g->other) == 60);
    game_destroy(g);
}

// RTS-065
static void summoned_units_give_nothing_unless_the_rules_say_so(void **state)
{
    for (uint32_t give = 0; give < 2; give++) {
        game *g = game_open();
        (void)state;
        g->rules.summoned_give_experience = give != 0;
        game_begin(g);
        gain(&g->f, g->victim, kn_rts_tag(g->f.library, KN_RTS_SUMMONED));
        assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_OK);
        assert_true(experience(g, g->hero) == (give != 0 ? 60 : 0));
        game_destroy(g);
    }
}

// RTS-044: a hook may say what a kill is worth.
static void the_hook_of_the_killed_may_change_the_experience(void **state)
{
    game *g = game_create();
    (void)state;
    g->changed_to = 25;
    assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_OK);
    assert_true(g->told.experience == 60);
    assert_int_equal(g->told.killer.index1, g->hero.index1);
    assert_true(experience(g, g->hero) == 25);
    KILLED(g, g->hero, 25, 0);
    game_destroy(g);
    g = game_create(); // a number that makes no sense does not count
    g->changed_to = INFINITY;
    assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_OK);
    KILLED(g, g->hero, 60, 0);
    game_destroy(g);
}

static void only_enemies_gain_unless_the_rules_say_otherwise(void **state)
{
    for (uint32_t all = 0; all < 2; all++) {
        game *g = game_open();
        (void)state;
        g->rules.only_enemies = all == 0;
        game_begin(g);
        assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->enemy), KN_OK);
        assert_true(experience(g, g->enemy) == (all != 0 ? 60 : 0));
        game_destroy(g);
    }
}

// Everybody of the killer's side within the radius: all of it, or equal parts.
static void experience_is_shared_within_a_radius(void **state)
{
    static const struct {
        kn_rts_share share;
        float radius, hero, other;
    } rows[] = {
        {KN_RTS_SHARE_KILLER, 0, 60, 0},
        {KN_RTS_SHARE_ALL, 8, 60, 60},
        {KN_RTS_SHARE_ALL, 5, 60, 0}, // the killer counts wherever it is
        {KN_RTS_SHARE_SPLIT, 8, 30, 30},
        {KN_RTS_SHARE_SPLIT, 5, 60, 0},
    };
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        game *g = game_open();
        (void)state;
        g->rules.share = rows[i].share;
        g->rules.share_radius = rows[i].radius;
        game_begin(g);
        assert_int_equal(kn_rts_kill(g->f.world, g->victim, g->hero), KN_OK);
        assert_true(experience(g, g->hero) == rows[i].hero);
        assert_true(experience(g, g->other) == rows[i].other);
        assert_true(experience(g, g->enemy) == 0);
        game_destroy(g);
    }
}

// A dead killer gains nothing, and neither does one at the highest level: others share its part.
static void those_who_cannot_gain_leave_their_part_to_others(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        game *g = game_open();
        (void)state;
        g->rules.share = KN_RTS_SHARE_SPLIT;
        g->rules.share_radius = 20;
        game_begin(g);
        if (i == 0) {
            assert_int_equal(kn_rts_kill(g->f.world, g->hero, g->enemy), KN_OK);
        } else {
            assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 5), KN_OK);
        }
        const float before = experience(g, g->hero);
        apply(g, g->hit, g->hero, 3);
        KILLED(g, g->hero, 60, 0);
        assert_true(experience(g, g->hero) == before);
        assert_true(experience(g, g->other) == 60);
        game_destroy(g);
    }
}

// A killer that does not exist any more: the credit is nobody's, and nothing breaks.
static void a_killer_that_is_gone_gains_nothing(void **state)
{
    game *g = game_create();
    (void)state;
    apply(g, g->poison, g->hero, 1);
    assert_true(kn_entity_destroy(g->f.world, g->hero));
    for (uint32_t i = 0; i < 120 && !kn_rts_is_dead(g->f.world, g->victim); i++) {
        step_ms(&g->f, 100);
    }
    assert_true(kn_rts_is_dead(g->f.world, g->victim));
    assert_true(experience(g, g->other) == 0);
    game_destroy(g);
}

// Two who damaged it within the window; the third did so too long ago.
static void assists_are_those_who_damaged_it_lately(void **state)
{
    game *g = game_open();
    kn_rts_hit hits[4];
    (void)state;
    g->rules.assist_window = KN_S(10);
    g->rules.assist_share = 0.5f;
    game_begin(g);
    const kn_entity_id third = unit_create(&g->f, g->hero_type, g->f.us);
    assert_int_equal(kn_attribute_set_base(g->f.world, g->victim, g->health, 0, 150), KN_OK);
    apply(g, g->hit, third, 1);
    step_ms(&g->f, 8000);
    apply(g, g->hit, g->other, 1);
    apply(g, g->hit, g->enemy, 1);
    step_ms(&g->f, 2000);
    assert_int_equal(kn_rts_hits(g->f.world, g->victim, hits, 4), 3);
    step_ms(&g->f, 1);
    assert_int_equal(kn_rts_hits(g->f.world, g->victim, hits, 4), 2);
    assert_int_equal(hits[0].attacker.index1, g->other.index1);
    assert_true(hits[0].damage == 40);
    assert_int_equal(kn_rts_hits(g->f.world, g->f.us, hits, 4), 0);
    apply(g, g->hit, g->hero, 1);
    assert_true(experience(g, g->hero) == 60);
    assert_true(experience(g, g->other) == 30);
    assert_true(experience(g, g->enemy) == 0); // of the same side as the killed
    assert_true(experience(g, third) == 0);
    assert_string_equal(events_of(&g->f, g->other), "assist 40 for 30 experience 0->30@1");
    assert_int_equal(kn_rts_hits(g->f.world, g->victim, hits, 4), 0);
    game_destroy(g);
}

// Without a cause that names somebody, who damaged it last has killed it.
static void the_last_one_who_damaged_it_has_killed_it(void **state)
{
    game *g = game_open();
    (void)state;
    g->rules.assist_window = KN_S(10);
    game_begin(g);
    apply(g, g->hit, g->other, 1);
    step_ms(&g->f, 1000);
    apply(g, g->hit, g->hero, 1);
    step_ms(&g->f, 1000);
    apply(g, g->mend, g->enemy, 1); // not damage
    assert_int_equal(kn_rts_hits(g->f.world, g->victim, NULL, 0), 2);
    assert_int_equal(kn_attribute_set_base(g->f.world, g->victim, g->health, 0, 0), KN_OK);
    KILLED(g, g->hero, 60, 1);
    assert_true(experience(g, g->hero) == 60);
    assert_true(experience(g, g->other) == 0);
    game_destroy(g);
}

// Who hurts itself has nobody else to thank.
static void nobody_gains_from_their_own_death(void **state)
{
    game *g = game_open();
    (void)state;
    g->rules.assist_window = KN_S(10);
    g->rules.only_enemies = false;
    g->hero_def.granted_experience = kn_constant(50);
    game_begin(g);
    assert_int_equal(kn_attribute_set_base(g->f.world, g->hero, g->health, 0, 80), KN_OK);
    assert_int_equal(kn_effect_apply_simple(g->f.world, g->hit, g->hero, g->hero, 1, NULL), KN_OK);
    assert_int_equal(kn_rts_hits(g->f.world, g->hero, NULL, 0), 0);
    assert_int_equal(kn_effect_apply_simple(g->f.world, g->hit, g->hero, g->hero, 1, NULL), KN_OK);
    assert_true(kn_rts_is_dead(g->f.world, g->hero));
    assert_true(experience(g, g->hero) == 0);
    assert_int_equal(kn_rts_hits(g->f.world, g->hero, NULL, 0), 0);
    game_destroy(g);
}

static void rules_that_make_no_sense_are_refused(void **state)
{
    game *g = game_open();
    kn_error error = {0};
    (void)state;
    g->rules.share = KN_RTS_SHARE_ALL;
    assert_int_equal(kn_rts_rules_register(g->f.library, &g->rules, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "above 0 with `share: all`"));
    g->rules.share = KN_RTS_SHARE_KILLER;
    g->rules.assist_share = 1.5f;
    assert_int_equal(kn_rts_rules_register(g->f.library, &g->rules, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`assist_share` must be 0 to 1"));
    game_destroy(g);
}

static void killing_what_is_not_a_unit_is_refused(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_kill(g->f.world, g->f.us, g->hero), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_kill(g->f.world, (kn_entity_id){77, 1}, g->hero), KN_REFUSED_STALE_ID);
    assert_false(kn_rts_is_dead(g->f.world, g->f.us));
    game_destroy(g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(units_die_without_health),
    cmocka_unit_test(ticks_count_for_who_applied_the_effect),
    cmocka_unit_test(abilities_count_for_their_owner),
    cmocka_unit_test(what_is_not_a_unit_counts_for_the_unit_that_owns_it),
    cmocka_unit_test(units_die_without_the_tag_of_the_living),
    cmocka_unit_test(who_lives_again_dies_again),
    cmocka_unit_test(summoned_units_give_nothing_unless_the_rules_say_so),
    cmocka_unit_test(the_hook_of_the_killed_may_change_the_experience),
    cmocka_unit_test(only_enemies_gain_unless_the_rules_say_otherwise),
    cmocka_unit_test(experience_is_shared_within_a_radius),
    cmocka_unit_test(those_who_cannot_gain_leave_their_part_to_others),
    cmocka_unit_test(a_killer_that_is_gone_gains_nothing),
    cmocka_unit_test(assists_are_those_who_damaged_it_lately),
    cmocka_unit_test(the_last_one_who_damaged_it_has_killed_it),
    cmocka_unit_test(nobody_gains_from_their_own_death),
    cmocka_unit_test(rules_that_make_no_sense_are_refused),
    cmocka_unit_test(killing_what_is_not_a_unit_is_refused),
};

TEST_GROUP(rts_kills, tests, NULL, NULL);
