// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The global cooldown, which abilities share and which starts before anything is paid.

#include "kit_test.h"

static void a_cast_starts_it_and_is_not_refused_by_it(void **state)
{
    game *g = *state;
    kn_time left, total;
    assert_false(global_cooldown_of(g->world, g->caster, &left, &total));
    attribute_set(g, g->caster, "Vitals.Haste", 2.0f); // the cast takes 1 s, the cooldown 1.5 s
    expect_ok(use(g, g->caster, "Fireball", g->target));
    assert_true(global_cooldown_of(g->world, g->caster, &left, &total));
    assert_int_equal(left, KN_MS(1500));
    assert_int_equal(total, KN_MS(1500));
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 100.0f); // nothing is paid yet
    step(g, 1.0);
    expect_event(g, "CastEnded", "entity 2  ends Fireball: done"); // committed while it runs
    assert_true(attribute(g, g->caster, "Vitals.Mana") == 80.0f);
    assert_true(global_cooldown_of(g->world, g->caster, &left, &total));
    assert_int_equal(left, KN_MS(500)); // the commit did not start it again
}

static void it_refuses_everything_else_that_shares_it(void **state)
{
    game *g = *state;
    expect_ok(use(g, g->caster, "Frostbolt", g->target));
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_COOLDOWN);
    assert_int_equal(use(g, g->caster, "Blink", g->caster), KN_REFUSED_COOLDOWN);
    char text[256];
    (void)kn_ability_explain_print(
        g->world, ability_of(g, g->caster, "Blink"), NULL, text, sizeof(text));
    assert_string_equal(text, "Blink: on cooldown for 1.5 of 1.5 s (Kit.GlobalCooldown)");
    kn_refusal_line line;
    assert_int_equal(
        kn_ability_explain(g->world, ability_of(g, g->caster, "Blink"), NULL, &line, 1), 1);
    assert_true(kn_tag_equal(line.tag, tag_of(g, "Kit.GlobalCooldown")));
    expect_ok(use(g, g->caster, "Meteor", g->target)); // not one of them
    expect_ok(use(g, g->target, "Blink", g->target));  // everybody has their own
    step(g, 1.5);
    expect_ok(use(g, g->caster, "Blink", g->caster));
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_COOLDOWN);
}

static void a_cast_that_is_interrupted_has_started_it(void **state)
{
    game *g = *state;
    kn_time left, total;
    expect_ok(use(g, g->caster, "Frostbolt", g->target));
    step(g, 0.5);
    expect_ok(use(g, g->rival, "Kick", g->caster));
    assert_true(global_cooldown_of(g->world, g->caster, &left, &total));
    assert_int_equal(left, KN_S(1));
    assert_int_equal(use(g, g->caster, "Blink", g->caster), KN_REFUSED_COOLDOWN);
    step(g, 1.0);
    expect_ok(use(g, g->caster, "Frostbolt", g->target));
}

static void a_refused_activation_does_not_start_it(void **state)
{
    game *g = *state;
    kn_time left, total;
    attribute_set(g, g->caster, "Vitals.Mana", 0.0f);
    assert_int_equal(use(g, g->caster, "Fireball", g->target), KN_REFUSED_COST);
    assert_false(global_cooldown_of(g->world, g->caster, &left, &total));
}

static void one_that_starts_at_the_commit_is_a_mistake(void **state)
{
    (void)state;
    expect_message("abilities:\n"
                   "  A: {native: cast, cooldowns: [{key: Kit.GlobalCooldown, duration: 1}]}\n",
        "t.yaml:2:3: error: ability `A`: its global cooldown must start with the activation; "
        "write starts: at_activation");
}

static void it_can_be_registered_in_c(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    expect_ok(kn_library_create(&library_def, &library));
    expect_ok(kit_register(library, &error));
    kn_cooldown_def cooldown = global_cooldown_def(library, 2.0f);
    kn_ability_def def = cast_ability_def();
    def.name = "Bolt";
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id bolt;
    expect_ok(kn_ability_register(library, &def, &bolt, &error));
    cast_def cast = cast_def_default();
    cast.name = "Bolt";
    cast.ability = bolt;
    expect_ok(cast_register(library, &cast, &error));
    expect_ok(kn_library_finish(library, &error));
    kn_world *world = world_create(library);
    kn_entity_id caster;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = bolt;
    kn_ability_id ability;
    kn_time left, total;
    expect_ok(kn_entity_create(world, &caster));
    expect_ok(kn_ability_grant(world, caster, &grant, &ability));
    expect_ok(kn_ability_activate(world, ability, NULL, NULL));
    expect_ok(kn_world_step(world, KN_MS(1500)));
    assert_true(global_cooldown_of(world, caster, &left, &total));
    assert_int_equal(left, KN_MS(500));
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    TEST(a_cast_starts_it_and_is_not_refused_by_it),
    TEST(it_refuses_everything_else_that_shares_it),
    TEST(a_cast_that_is_interrupted_has_started_it),
    TEST(a_refused_activation_does_not_start_it),
    cmocka_unit_test(one_that_starts_at_the_commit_is_a_mistake),
    cmocka_unit_test(it_can_be_registered_in_c),
};

TEST_GROUP(kit_global, tests, NULL, NULL);
