// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Stack rules by level, source and item; numbers by level; actions at a count.

#include "scenario/effect_fixture.h"

// BEY-001
static void a_newcomer_of_another_level_may_be_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 0);
    def.stacking.on_lower_level = KN_STACK_REFUSE;
    kn_effect_type_id buff = effect_register(f, &def);
    def.name = "Other";
    def.stacking.on_lower_level = KN_STACK_JOIN;
    def.stacking.on_higher_level = KN_STACK_REFUSE;
    kn_effect_type_id other = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply_from(f, buff, f->hero, 3.0f), KN_OK);
    assert_int_equal(try_apply_from(f, other, f->hero, 3.0f), KN_OK);

    assert_int_equal(try_apply_from(f, buff, f->hero, 2.0f), KN_REFUSED_STACK_DENIED);
    assert_int_equal(try_apply_from(f, buff, f->hero, 3.0f), KN_OK);
    assert_int_equal(try_apply_from(f, buff, f->hero, 4.0f), KN_OK);
    assert_int_equal(try_apply_from(f, other, f->hero, 4.0f), KN_REFUSED_STACK_DENIED);
    assert_int_equal(try_apply_from(f, other, f->hero, 2.0f), KN_OK);

    kn_effect_id effect;
    find_all(f, buff, &effect, 1);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    find_all(f, other, &effect, 1);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
}

// BEY-001
static void a_newcomer_may_take_over_with_the_count_going_on_or_starting_again(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "GoesOn", KN_STACK_BY_TARGET, 0);
    def.stacking.on_higher_level = KN_STACK_TAKE_OVER;
    def.stacking.merge = KN_MERGE_FIRST;
    kn_effect_type_id goes_on = effect_register(f, &def);
    def.name = "Restarts";
    def.stacking.on_higher_level = KN_STACK_RESTART;
    kn_effect_type_id restarts = effect_register(f, &def);
    begin(f);
    kn_effect_id a = {0}, b = {0};
    for (int i = 0; i < 3; i++) {
        a = apply(f, goes_on);
        b = apply(f, restarts);
    }

    assert_int_equal(try_apply_from(f, goes_on, f->ally, 2.0f), KN_OK);
    assert_int_equal(try_apply_from(f, restarts, f->ally, 2.0f), KN_OK);

    kn_effect_info went_on = info_of(f, a), restarted = info_of(f, b);
    assert_int_equal(went_on.stacks, 4);
    assert_true(kn_entity_id_equal(went_on.source, f->ally));
    assert_near(went_on.level, 2.0f);
    assert_int_equal(restarted.stacks, 1);
    assert_true(kn_entity_id_equal(restarted.source, f->ally));
    assert_near(restarted.level, 2.0f);
}

// BEY-001
static void a_newcomer_of_another_source_may_be_refused_or_take_over(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Closed", KN_STACK_BY_TARGET, 0);
    def.stacking.on_other_source = KN_STACK_REFUSE;
    kn_effect_type_id closed = effect_register(f, &def);
    def.name = "Open";
    def.stacking.on_other_source = KN_STACK_TAKE_OVER;
    kn_effect_type_id open = effect_register(f, &def);
    def.name = "Joined";
    def.stacking.on_other_source = KN_STACK_JOIN;
    def.stacking.merge = KN_MERGE_FIRST;
    kn_effect_type_id joined = effect_register(f, &def);
    begin(f);
    apply(f, closed);
    kn_effect_id effect = apply(f, open);
    kn_effect_id third = apply(f, joined);

    assert_int_equal(try_apply_from(f, closed, f->ally, 1.0f), KN_REFUSED_STACK_DENIED);
    apply_from(f, open, f->ally);
    apply_from(f, joined, f->ally);

    assert_true(kn_entity_id_equal(info_of(f, effect).source, f->ally));
    assert_int_equal(info_of(f, effect).stacks, 2);
    assert_true(kn_entity_id_equal(info_of(f, third).source, f->hero));
    assert_int_equal(info_of(f, third).stacks, 2);
}

// BEY-001: rules of level and of source at once: a refusal is always heard; otherwise the rule of
// the source counts, and that of the level where the source just joins.
static void rules_of_level_and_source_cross(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name;
        kn_stack_rule higher, other; // for a newcomer that is both
        bool is_refused, takes_over;
        uint32_t stacks;
    } cases[] = {
        {"A", KN_STACK_REFUSE, KN_STACK_JOIN, true, false, 2},
        {"B", KN_STACK_JOIN, KN_STACK_REFUSE, true, false, 2},
        {"C", KN_STACK_REFUSE, KN_STACK_RESTART, true, false, 2},
        {"D", KN_STACK_RESTART, KN_STACK_REFUSE, true, false, 2},
        {"E", KN_STACK_TAKE_OVER, KN_STACK_JOIN, false, true, 3},
        {"F", KN_STACK_JOIN, KN_STACK_TAKE_OVER, false, true, 3},
        {"G", KN_STACK_RESTART, KN_STACK_TAKE_OVER, false, true, 3},
        {"H", KN_STACK_TAKE_OVER, KN_STACK_RESTART, false, true, 1},
        {"I", KN_STACK_JOIN, KN_STACK_JOIN, false, false, 3},
    };
    kn_effect_type_id types[COUNT(cases)];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_def def = stacking_def(f, cases[i].name, KN_STACK_BY_TARGET, 0);
        def.stacking.on_higher_level = cases[i].higher;
        def.stacking.on_other_source = cases[i].other;
        def.stacking.merge = KN_MERGE_FIRST;
        types[i] = effect_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_id effect = apply(f, types[i]);
        apply(f, types[i]);
        assert_int_equal(try_apply_from(f, types[i], f->ally, 2.0f),
            cases[i].is_refused ? KN_REFUSED_STACK_DENIED : KN_OK);
        kn_effect_info info = info_of(f, effect);
        assert_int_equal(info.stacks, cases[i].stacks);
        assert_near(info.level, cases[i].takes_over ? 2.0f : 1.0f);
        assert_true(kn_entity_id_equal(info.source, cases[i].takes_over ? f->ally : f->hero));
    }
}

// BEY-001
static void level_and_source_object_may_be_part_of_the_stack_key(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "ByLevel", KN_STACK_BY_TARGET, 0);
    def.stacking.key_level = true;
    kn_effect_type_id by_level = effect_register(f, &def);
    def.name = "ByItem";
    def.stacking.key_level = false;
    def.stacking.key_object = true;
    kn_effect_type_id by_item = effect_register(f, &def);
    begin(f);

    const float levels[4] = {1, 2, 1, 2};
    const uint64_t items[5] = {7, 8, 7, 0, 0};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(try_apply_from(f, by_level, f->hero, levels[i]), KN_OK);
    }
    for (int i = 0; i < 5; i++) {
        kn_effect_context context = {.source_object = items[i]};
        kn_effect_apply_def request = kn_effect_apply_def_default();
        request.type = by_item;
        request.target = f->foe;
        request.context = items[i] != 0 ? &context : NULL;
        assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    }

    kn_effect_id found[4];
    assert_int_equal(find_all(f, by_level, found, 4), 2);
    assert_int_equal(kn_effect_stacks(f->world, found[0]), 2);
    assert_int_equal(kn_effect_stacks(f->world, found[1]), 2);
    assert_int_equal(find_all(f, by_item, found, 4), 3);
    assert_int_equal(kn_effect_stacks(f->world, found[0]), 2);
    assert_int_equal(kn_effect_stacks(f->world, found[1]), 1);
    assert_int_equal(kn_effect_stacks(f->world, found[2]), 2);
}

// BEY-002
static void initial_stacks_stacks_per_application_and_limit_are_numbers_by_level(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[3] = {{1, 1}, {2, 2}, {3, 3}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Level";
    curve.points = points;
    curve.point_count = 3;
    kn_curve_id by_level;
    assert_int_equal(kn_curve_register(f->library, &curve, &by_level, NULL), KN_OK);
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 0);
    def.stacking.initial = kn_by_level(2, by_level);
    def.stacking.per_application = kn_by_level(1, by_level);
    def.stacking.limit = kn_by_level(5, by_level);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    kn_effect_id effect;
    assert_int_equal(try_apply_from(f, buff, f->hero, 2.0f), KN_OK);
    find_all(f, buff, &effect, 1);
    assert_int_equal(kn_effect_stacks(f->world, effect), 4);
    assert_int_equal(try_apply_from(f, buff, f->hero, 3.0f), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 7);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(try_apply_from(f, buff, f->hero, 2.0f), KN_OK);
    }
    assert_int_equal(kn_effect_stacks(f->world, effect), 10);
    // A lower limit of a newcomer leaves what is there.
    assert_int_equal(try_apply(f, buff), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 10);
    assert_int_equal(try_apply_from(f, buff, f->hero, 3.0f), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 13);
}

// BEY-002
static void removing_stacks_never_touches_the_remaining_time(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 0);
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(10);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = {0};
    for (int i = 0; i < 5; i++) {
        effect = apply(f, buff);
    }
    step_seconds(f, 3);

    assert_int_equal(kn_effect_remove(f->world, effect, 2, KN_REMOVED_BY_CALL), KN_OK);

    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(7));
    assert_near(current(f, f->power), 40.0f);
    assert_int_equal(kn_effect_remove(f->world, effect, 99, KN_REMOVED_BY_CALL), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-005
static void a_tick_on_each_further_stack_is_off_by_default_and_can_be_asked_for(void **state)
{
    fixture *f = *state;
    kn_modifier_def burn = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    burn.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = timed("Plain", 10);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(5);
    def.skip_first_tick = true;
    def.modifiers = &burn;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(3);
    def.stacking.deny_overflow = true;
    kn_effect_type_id plain = effect_register(f, &def);
    def.name = "Eager";
    def.stacking.tick_on_stack = true;
    kn_effect_type_id eager = effect_register(f, &def);
    begin(f);

    for (int i = 0; i < 3; i++) {
        apply(f, plain);
    }
    assert_near(current(f, f->health), 100.0f);
    for (int i = 0; i < 3; i++) {
        apply(f, eager);
    }
    assert_near(current(f, f->health), 98.0f);
    assert_int_equal(try_apply(f, eager), KN_REFUSED_STACK_DENIED);
    assert_near(current(f, f->health), 98.0f);
}

// BEY-005, BEY-022
static void actions_come_at_a_count_once_or_every_n(void **state)
{
    fixture *f = *state;
    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def burst = instant("Once");
    burst.modifiers = &hit;
    burst.modifier_count = 1;
    kn_modifier_def gain = kn_modifier_constant(f->speed, KN_OP_ADD, 1.0f);
    kn_effect_def gift = instant("Every");
    gift.modifiers = &gain;
    gift.modifier_count = 1;
    kn_child_def children[2] = {kn_child_def_default(), kn_child_def_default()};
    children[0].type = effect_register(f, &burst);
    children[0].when = KN_CHILD_COUNT_REACHED;
    children[0].count = 3;
    children[1].type = effect_register(f, &gift);
    children[1].when = KN_CHILD_COUNT_REACHED;
    children[1].count = 2;
    children[1].every = true;
    kn_effect_def def = stacking_def(f, "Combo", KN_STACK_BY_TARGET, 0);
    def.children = children;
    def.child_count = 2;
    kn_effect_type_id combo = effect_register(f, &def);
    begin(f);

    const float health[6] = {100, 100, 99, 99, 99, 99};
    const float speed[6] = {600, 601, 601, 602, 602, 603};
    for (int i = 0; i < 6; i++) {
        apply(f, combo);
        assert_near(current(f, f->health), health[i]);
        assert_near(current(f, f->speed), speed[i]);
    }
}

// BEY-005, BEY-022
static void an_effect_is_held_while_the_count_is_at_or_above_n(void **state)
{
    fixture *f = *state;
    kn_tag enraged = tag_of(f, "State.Enraged");
    kn_effect_def rage = infinite("Rage");
    rage.granted_tags = (kn_tags){&enraged, 1};
    kn_child_def child = kn_child_def_default();
    child.type = effect_register(f, &rage);
    child.when = KN_CHILD_COUNT_HELD;
    child.count = 3;
    kn_effect_def def = stacking_def(f, "Fury", KN_STACK_BY_TARGET, 0);
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id fury = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, fury);
    apply(f, fury);
    assert_false(kn_entity_has_tag(f->world, f->foe, enraged));
    apply(f, fury);
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, enraged), 1);
    apply(f, fury);
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, enraged), 1);
    kn_effect_remove(f->world, effect, 2, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->foe, enraged));
    apply(f, fury);
    assert_true(kn_entity_has_tag(f->world, f->foe, enraged));
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_false(kn_entity_has_tag(f->world, f->foe, enraged));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// BEY-001
static void a_newcomer_of_equal_level_or_the_same_source_has_rules_too(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Equal", KN_STACK_BY_TARGET, 0);
    def.stacking.on_equal_level = KN_STACK_REFUSE;
    kn_effect_type_id equal = effect_register(f, &def);
    def = stacking_def(f, "Same", KN_STACK_BY_TARGET, 0);
    def.stacking.on_same_source = KN_STACK_RESTART;
    def.stacking.merge = KN_MERGE_FIRST; // else the stack is that of the one who came last
    kn_effect_type_id same = effect_register(f, &def);
    begin(f);
    kn_effect_id a = apply(f, equal);
    kn_effect_id b = apply(f, same);

    assert_int_equal(try_apply(f, equal), KN_REFUSED_STACK_DENIED);
    assert_int_equal(try_apply_from(f, equal, f->hero, 2.0f), KN_OK);
    assert_int_equal(info_of(f, a).stacks, 2);
    apply_from(f, same, f->ally); // joins
    assert_int_equal(info_of(f, b).stacks, 2);
    apply(f, same); // starts again
    assert_int_equal(info_of(f, b).stacks, 1);
}

static const struct CMUnitTest tests[] = {
    TEST(a_newcomer_of_another_level_may_be_refused),
    TEST(a_newcomer_may_take_over_with_the_count_going_on_or_starting_again),
    TEST(a_newcomer_of_equal_level_or_the_same_source_has_rules_too),
    TEST(a_newcomer_of_another_source_may_be_refused_or_take_over),
    TEST(rules_of_level_and_source_cross),
    TEST(level_and_source_object_may_be_part_of_the_stack_key),
    TEST(initial_stacks_stacks_per_application_and_limit_are_numbers_by_level),
    TEST(removing_stacks_never_touches_the_remaining_time),
    TEST(a_tick_on_each_further_stack_is_off_by_default_and_can_be_asked_for),
    TEST(actions_come_at_a_count_once_or_every_n),
    TEST(an_effect_is_held_while_the_count_is_at_or_above_n),
};

TEST_GROUP(stack_rules, tests, NULL, NULL);
