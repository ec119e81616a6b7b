// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hits: what is asked for, what is dealt, and where the rest goes.

#include "combat_test.h"

static kn_hit_def hit_of(const arena *a, float amount)
{
    kn_hit_def def = kn_hit_def_default();
    def.source = a->hero;
    def.target = a->foe;
    def.amount = amount;
    return def;
}

static void damage_takes_health_and_reports_what_is_too_much(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    arena_start(&a);
    kn_hit_def def = hit_of(&a, 300.0f);
    kn_hit hit;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(health_of(&a, a.foe) == 700.0f);
    assert_true(hit.dealt == 300.0f && hit.over == 0.0f);
    def.amount = 800.0f;
    expect_ok(kn_hit_run(a.world, &def, &hit));
    assert_true(health_of(&a, a.foe) == 0.0f);
    assert_true(hit.dealt == 700.0f && hit.over == 100.0f);
    arena_end(&a);
}

static void an_effect_that_changes_the_meta_attribute_deals_a_hit(void **state)
{
    arena a;
    (void)state;
    arena_begin(&a);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(a.library, "Hit.Damage"), KN_OP_ADD, 30.0f);
    kn_effect_def burn = kn_effect_def_default();
    burn.name = "Burn";
    burn.modifiers = &modifier;
    burn.modifier_count = 1;
    kn_effect_type_id type = arena_effect(&a, &burn);
    arena_start(&a);
    (void)arena_apply(&a, type, a.hero, a.foe);
    assert_true(health_of(&a, a.foe) == 970.0f);
    arena_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_takes_health_and_reports_what_is_too_much),
        cmocka_unit_test(an_effect_that_changes_the_meta_attribute_deals_a_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
