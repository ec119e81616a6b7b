// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Effects of different types that do not get along, and modifiers of which only the best counts.

#include "scenario/effect_fixture.h"

static kn_effect_type_id member(fixture *f, const char *name, kn_exclusive_rule rule, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, amount);
    kn_effect_def def = timed(name, 10);
    def.exclusive_group = tag_of(f, "Group.Blessing");
    def.exclusive_rule = rule;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static kn_effect_type_id grouped(
    fixture *f, const char *name, kn_op op, float amount, const char *group, kn_group_rule rule)
{
    kn_modifier_def modifier = kn_modifier_constant(f->speed, op, amount);
    modifier.group = group != NULL ? tag_of(f, group) : (kn_tag){0};
    modifier.group_rule = rule;
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static void removed_as(fixture *f, kn_effect_id effect, kn_removal_reason reason)
{
    assert_false(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_non_null(event);
    assert_true(kn_effect_id_equal(event->data.effect.effect, effect));
    assert_int_equal(event->data.effect.reason, reason);
}

// BEY-006
static void the_newest_member_replaces_all_others(void **state)
{
    fixture *f = *state;
    kn_effect_type_id a = member(f, "A", KN_EXCLUSIVE_NEWEST, 5);
    kn_effect_type_id b = member(f, "B", KN_EXCLUSIVE_NEWEST, 3);
    begin(f);
    kn_effect_id elsewhere = apply_from_to(f, a, f->hero, f->ally, 1.0f);
    kn_effect_id first = apply(f, a);
    kn_effect_id second = apply_from(f, b, f->ally);
    removed_as(f, first, KN_REMOVED_OVERWRITTEN);
    assert_true(kn_effect_is_alive(f->world, elsewhere)); // a group is of one target
    assert_near(current(f, f->power), 13.0f);
    kn_effect_id third = apply_from(f, b, f->ally); // its own type too
    removed_as(f, second, KN_REMOVED_OVERWRITTEN);
    assert_true(kn_effect_is_alive(f->world, third));
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
}

// BEY-006
static void the_newest_member_may_replace_only_those_of_its_source(void **state)
{
    fixture *f = *state;
    kn_effect_type_id a = member(f, "A", KN_EXCLUSIVE_NEWEST_PER_SOURCE, 5);
    kn_effect_type_id b = member(f, "B", KN_EXCLUSIVE_NEWEST_PER_SOURCE, 3);
    begin(f);
    kn_effect_id of_source = apply(f, a);
    kn_effect_id of_other = apply_from(f, a, f->ally);
    apply(f, b);
    removed_as(f, of_source, KN_REMOVED_OVERWRITTEN);
    assert_true(kn_effect_is_alive(f->world, of_other));
    assert_near(current(f, f->power), 18.0f);
}

// BEY-006
static void the_strongest_stays_and_a_weaker_newcomer_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id five = member(f, "Five", KN_EXCLUSIVE_STRONGEST, 5);
    kn_effect_type_id three = member(f, "Three", KN_EXCLUSIVE_STRONGEST, 3);
    kn_effect_type_id same = member(f, "Same", KN_EXCLUSIVE_STRONGEST, 5);
    kn_effect_type_id minus = member(f, "MinusEight", KN_EXCLUSIVE_STRONGEST, -8);
    begin(f);
    kn_effect_id effect = apply(f, five);
    assert_int_equal(try_apply(f, three), KN_REFUSED_EXCLUSIVE);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->power), 15.0f);
    kn_effect_id equal = apply(f, same); // equal: the newcomer replaces
    removed_as(f, effect, KN_REMOVED_OVERWRITTEN);
    apply(f, minus); // by absolute value
    removed_as(f, equal, KN_REMOVED_OVERWRITTEN);
    assert_near(current(f, f->power), 2.0f);
    assert_int_equal(try_apply(f, five), KN_REFUSED_EXCLUSIVE);
}

// BEY-006
static void strength_counts_the_stacks_a_newcomer_starts_with(void **state)
{
    fixture *f = *state;
    kn_effect_type_id five = member(f, "Five", KN_EXCLUSIVE_STRONGEST, 5);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 2.0f);
    kn_effect_def def = infinite("ThreeTimesTwo");
    def.exclusive_group = tag_of(f, "Group.Blessing");
    def.exclusive_rule = KN_EXCLUSIVE_STRONGEST;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.initial = kn_constant(3);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id six = effect_register(f, &def);
    begin(f);
    apply(f, five);
    apply(f, six);
    assert_near(current(f, f->power), 16.0f);
}

// BEY-006
static void all_may_stay_listed_while_only_the_best_counts(void **state)
{
    fixture *f = *state;
    kn_effect_type_id five = member(f, "Five", KN_EXCLUSIVE_BEST_COUNTS, 5);
    kn_effect_type_id three = member(f, "Three", KN_EXCLUSIVE_BEST_COUNTS, 3);
    kn_effect_type_id minus_two = member(f, "MinusTwo", KN_EXCLUSIVE_BEST_COUNTS, -2);
    kn_effect_type_id minus_four = member(f, "MinusFour", KN_EXCLUSIVE_BEST_COUNTS, -4);
    begin(f);
    apply(f, three);
    step_seconds(f, 1);
    kn_effect_id best = apply(f, five);
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
    assert_near(current(f, f->power), 15.0f);
    apply(f, minus_two);
    assert_near(current(f, f->power), 13.0f); // signed: one up, one down
    apply(f, minus_four);
    assert_near(current(f, f->power), 11.0f);

    kn_effect_remove(f->world, best, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->power), 9.0f); // the next takes over at once
    step_seconds(f, 9);                      // 10: own times
    assert_near(current(f, f->power), 6.0f);
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
}

// BEY-006
static void the_best_of_a_group_is_per_channel(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[3];
    const float amounts[3] = {5, 3, 4};
    const uint8_t channels[3] = {0, 0, 1};
    const char *names[3] = {"A", "B", "C"};
    for (int i = 0; i < 3; i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, amounts[i]);
        modifier.channel = channels[i];
        kn_effect_def def = infinite(names[i]);
        def.exclusive_group = tag_of(f, "Group.Blessing");
        def.exclusive_rule = KN_EXCLUSIVE_BEST_COUNTS;
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    begin(f);
    for (int i = 0; i < 3; i++) {
        apply(f, types[i]);
    }
    assert_near(current(f, f->power), 19.0f); // 10 + 5, then + 4
}

// BEY-006
static void a_name_counts_once(void **state)
{
    fixture *f = *state;
    kn_effect_type_id a = member(f, "A", KN_EXCLUSIVE_NAME_ONCE, 5);
    kn_effect_type_id b = member(f, "B", KN_EXCLUSIVE_NAME_ONCE, 3);
    begin(f);
    kn_effect_id first = apply(f, a);
    apply_from(f, a, f->ally);
    apply(f, b);
    assert_int_equal(kn_effects_count(f->world, f->foe), 3);
    assert_near(current(f, f->power), 18.0f);
    kn_effect_remove(f->world, first, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->power), 18.0f);
}

// BEY-006
static void a_refused_stack_application_removes_nobody_of_its_group(void **state)
{
    fixture *f = *state;
    kn_effect_type_id u = member(f, "U", KN_EXCLUSIVE_NEWEST_PER_SOURCE, 3);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 1.0f);
    kn_effect_def def = infinite("T");
    def.exclusive_group = tag_of(f, "Group.Blessing");
    def.exclusive_rule = KN_EXCLUSIVE_NEWEST_PER_SOURCE;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1);
    def.stacking.deny_overflow = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id t = effect_register(f, &def);
    begin(f);
    apply(f, t);
    kn_effect_id kept = apply_from(f, u, f->ally);

    assert_int_equal(try_apply_from(f, t, f->ally, 1.0f), KN_REFUSED_STACK_DENIED);
    assert_true(kn_effect_is_alive(f->world, kept));
    assert_near(current(f, f->power), 14.0f);
}

// BEY-006
static void a_blocked_member_replaces_nobody(void **state)
{
    fixture *f = *state;
    kn_tag needed = tag_of(f, "State.Ready");
    kn_effect_type_id a = member(f, "A", KN_EXCLUSIVE_NEWEST, 5);
    kn_effect_def def = infinite("B");
    def.exclusive_group = tag_of(f, "Group.Blessing");
    def.application.target.required = (kn_tags){&needed, 1};
    kn_effect_type_id b = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, a);
    assert_int_equal(try_apply(f, b), KN_REFUSED_REQUIREMENT);
    assert_true(kn_effect_is_alive(f->world, effect));
}

// BEY-007
static void modifier_groups_mix_freely_on_one_attribute(void **state)
{
    fixture *f = *state;
    kn_effect_type_id types[6] = {
        grouped(f, "Free", KN_OP_ADD, 10, NULL, KN_GROUP_SUM),
        grouped(f, "SumA", KN_OP_ADD, 20, "Group.Sum", KN_GROUP_SUM),
        grouped(f, "SumB", KN_OP_ADD, 30, "Group.Sum", KN_GROUP_SUM),
        grouped(f, "MaxA", KN_OP_ADD, 40, "Group.Max", KN_GROUP_MAX),
        grouped(f, "MaxB", KN_OP_ADD, 70, "Group.Max", KN_GROUP_MAX),
        grouped(f, "MaxC", KN_OP_ADD, 50, "Group.Max", KN_GROUP_MAX),
    };
    kn_effect_type_id slow_a = grouped(f, "SlowA", KN_OP_ADD, -100, "Group.Slow", KN_GROUP_MIN);
    kn_effect_type_id slow_b = grouped(f, "SlowB", KN_OP_ADD, -200, "Group.Slow", KN_GROUP_MIN);
    begin(f);
    kn_effect_id effects[6];
    for (int i = 0; i < 6; i++) {
        effects[i] = apply(f, types[i]);
    }
    assert_near(current(f, f->speed), 730.0f); // 600 + 10 + 50 + 70
    apply(f, slow_a);
    kn_effect_id worst = apply(f, slow_b);
    assert_near(current(f, f->speed), 530.0f);
    kn_effect_remove(f->world, effects[4], 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 510.0f);
    kn_effect_remove(f->world, worst, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 610.0f);
}

// BEY-007
static void a_group_goes_by_influence_across_operations(void **state)
{
    fixture *f = *state;
    kn_effect_type_id add_50 = grouped(f, "Add", KN_OP_ADD, 50, "Group.Max", KN_GROUP_MAX);
    kn_effect_type_id times = grouped(f, "Times", KN_OP_MULTIPLY, 1.2f, "Group.Max", KN_GROUP_MAX);
    begin(f);
    apply(f, add_50);
    apply(f, times); // 600 x 0.2 = 120 moves more
    assert_near(current(f, f->speed), 720.0f);
}

// BEY-007
static void override_goes_by_priority_then_by_the_last_applied(void **state)
{
    fixture *f = *state;
    const float amounts[3] = {100, 200, 300};
    const int32_t priorities[3] = {0, 5, 0};
    const char *names[3] = {"Low", "High", "Late"};
    kn_effect_type_id types[3];
    for (int i = 0; i < 3; i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_OVERRIDE, amounts[i]);
        modifier.priority = priorities[i];
        kn_effect_def def = infinite(names[i]);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    begin(f);
    apply(f, types[0]);
    kn_effect_id high = apply(f, types[1]);
    kn_effect_id late = apply(f, types[2]);
    assert_near(current(f, f->speed), 200.0f);
    kn_effect_remove(f->world, high, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 300.0f);
    kn_effect_remove(f->world, late, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 100.0f);
}

// BEY-007
static void a_limit_acts_on_its_group_strictest_first(void **state)
{
    fixture *f = *state;
    const float maxima[2] = {150, 120};
    const char *names[3] = {"A", "B", "C"};
    kn_effect_type_id types[3];
    for (int i = 0; i < 3; i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 100);
        modifier.group = tag_of(f, "Group.Boots");
        modifier.has_limit_max = i < 2;
        modifier.limit_max = i < 2 ? maxima[i] : 0;
        kn_effect_def def = infinite(names[i]);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    kn_effect_type_id free_one = grouped(f, "Free", KN_OP_ADD, 1000, NULL, KN_GROUP_SUM);
    begin(f);
    apply(f, types[0]);
    apply(f, types[2]);
    assert_near(current(f, f->speed), 750.0f); // 200 cut to 150
    kn_effect_id strict = apply(f, types[1]);
    assert_near(current(f, f->speed), 720.0f); // 300 cut to 120
    apply(f, free_one);                        // others are not touched
    assert_near(current(f, f->speed), 1720.0f);
    kn_effect_remove(f->world, strict, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, f->speed), 1750.0f);
}

// The strictest limits count, in whatever order they come, at either end.
static void the_strictest_limit_counts_whoever_comes_first(void **state)
{
    fixture *f = *state;
    // Least and most of the sum; each adds 100.
    const float limits[3][2] = {{250, 280}, {200, 300}, {260, 290}};
    const char *names[3] = {"Strict", "Lax", "Middle"};
    kn_effect_type_id types[3];
    for (int i = 0; i < 3; i++) {
        kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 100);
        modifier.group = tag_of(f, "Group.Boots");
        modifier.has_limit_min = modifier.has_limit_max = true;
        modifier.limit_min = limits[i][0];
        modifier.limit_max = limits[i][1];
        kn_effect_def def = infinite(names[i]);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        types[i] = effect_register(f, &def);
    }
    begin(f);
    static const int orders[3][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    for (int i = 0; i < 3; i++) {
        kn_effect_id effects[4];
        effects[0] = apply(f, types[orders[i][0]]);
        assert_near(current(f, f->speed), 600.0f + limits[orders[i][0]][0]);
        effects[1] = apply(f, types[orders[i][1]]);
        effects[2] = apply(f, types[orders[i][2]]);
        assert_near(current(f, f->speed), 880.0f); // 300 cut to 280
        kn_effect_remove(f->world, effects[2], 0, KN_REMOVED_BY_CALL);
        kn_effect_remove(f->world, effects[1], 0, KN_REMOVED_BY_CALL);
        kn_effect_remove(f->world, effects[0], 0, KN_REMOVED_BY_CALL);
        assert_near(current(f, f->speed), 600.0f);
        effects[0] = apply(f, types[orders[i][0]]);
        effects[1] = apply(f, types[orders[i][1]]);
        float least = limits[orders[i][0]][0] > limits[orders[i][1]][0] ? limits[orders[i][0]][0]
                                                                        : limits[orders[i][1]][0];
        assert_near(current(f, f->speed), 600.0f + least); // 200 raised
        kn_effect_remove(f->world, effects[0], 0, KN_REMOVED_BY_CALL);
        kn_effect_remove(f->world, effects[1], 0, KN_REMOVED_BY_CALL);
    }
}

// BEY-007
static void the_explanation_names_who_is_passed_over_by_the_group(void **state)
{
    fixture *f = *state;
    kn_effect_type_id a = grouped(f, "MaxA", KN_OP_ADD, 40, "Group.Max", KN_GROUP_MAX);
    kn_effect_type_id b = grouped(f, "MaxB", KN_OP_ADD, 70, "Group.Max", KN_GROUP_MAX);
    begin(f);
    kn_effect_id weaker = apply(f, a);
    apply(f, b);
    kn_explain_line lines[8];
    uint32_t count = kn_attribute_explain(f->world, f->foe, f->speed, 0, lines, 8);
    assert_in_range(count, 3, 8);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].kind == KN_EXPLAIN_MODIFIER && kn_effect_id_equal(lines[i].effect, weaker)) {
            found = lines[i].qualification == KN_QUALIFICATION_GROUP;
        }
    }
    assert_true(found);
    assert_near(lines[count - 1].result, 670.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(the_newest_member_replaces_all_others),
    TEST(the_newest_member_may_replace_only_those_of_its_source),
    TEST(the_strongest_stays_and_a_weaker_newcomer_is_refused),
    TEST(strength_counts_the_stacks_a_newcomer_starts_with),
    TEST(all_may_stay_listed_while_only_the_best_counts),
    TEST(the_best_of_a_group_is_per_channel),
    TEST(a_name_counts_once),
    TEST(a_refused_stack_application_removes_nobody_of_its_group),
    TEST(a_blocked_member_replaces_nobody),
    TEST(modifier_groups_mix_freely_on_one_attribute),
    TEST(a_group_goes_by_influence_across_operations),
    TEST(override_goes_by_priority_then_by_the_last_applied),
    TEST(a_limit_acts_on_its_group_strictest_first),
    TEST(the_strictest_limit_counts_whoever_comes_first),
    TEST(the_explanation_names_who_is_passed_over_by_the_group),
};

TEST_GROUP(exclusive_groups, tests, NULL, NULL);
