// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts, channels and held casts in a world that is alone.

#include "cast_test.h"

// CAST-001, CAST-004, CAST-006, CAST-007, CAST-008
static void a_cast_takes_its_time_and_applies_at_its_end(void **state)
{
    stage s;
    (void)state;
    stage_begin(&s);
    kn_ability_type_id type = stage_plain(&s, "Fireball", 2.5f);
    arena_start(&s.a);
    kn_ability_id ability = arena_grant(&s.a, s.a.hero, type);
    arena_until(&s.a, 100);
    expect_ok(use(&s, ability));
    kn_cast_info info = info_of(&s.a, s.a.hero);
    assert_int_equal(info.ability.index1, type.index1);
    assert_int_equal(info.cast.index1, kn_cast_find(s.a.library, "Fireball").index1);
    assert_int_equal(info.kind, KN_CAST_PLAIN);
    assert_int_equal(info.start, KN_MS(100));
    assert_int_equal(info.end, KN_MS(2600));
    assert_int_equal(info.total, KN_MS(2500));
    assert_int_equal(info.next, KN_MS(2600));
    assert_int_equal(info.tick, 0);
    assert_int_equal(info.ticks, 1);
    assert_int_equal(info.stages, 0);
    assert_true(info.is_interruptible && info.pushed == 0 && info.progress == 0.0f);
    assert_true(kn_activation_is_alive(s.a.world, info.activation));
    arena_until(&s.a, 1350);
    const kn_cast_started *started = last_event(&s.a, "Knack.CastStarted", s.a.hero);
    assert_int_equal(started->length, KN_MS(2500));
    assert_int_equal(started->ability.index1, type.index1);
    assert_int_equal(started->ticks, 1);
    expect_near(info_of(&s.a, s.a.hero).progress, 0.5f);
    arena_until(&s.a, 2599);
    assert_true(health_of(&s.a, s.a.foe) == 1000.0f);
    arena_until(&s.a, 2600);
    assert_true(health_of(&s.a, s.a.foe) == 990.0f);
    assert_true(health_of(&s.a, s.a.ally) == 1000.0f);
    assert_false(is_casting(&s.a, s.a.hero));
    assert_false(kn_ability_is_active(s.a.world, ability));
    const kn_cast_ticked *ticked = last_event(&s.a, "Knack.CastTick", s.a.hero);
    assert_int_equal(ticked->tick, 1);
    assert_int_equal(ticked->ticks, 1);
    assert_int_equal(ticked->late, 0);
    const kn_cast_ended *ended = last_event(&s.a, "Knack.CastEnded", s.a.hero);
    assert_int_equal(ended->outcome, KN_CAST_DONE);
    assert_int_equal(ended->tick, 1);
    assert_int_equal(ended->left, 0);
    assert_int_equal(ended->start, KN_MS(100));
    arena_end(&s.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cast_takes_its_time_and_applies_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
