// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every way for applications of one effect to add up, on four targets from four sources: timers
// per stack, caps, refresh and expiration rules, exclusive groups, overflow and threshold effects.

#include "scene_tools.h"

#include <stdio.h>
#include <string.h>

#define ACTORS 8 // four throw, four catch

enum {
    TIMER_THROW = 1,
    TIMER_TRIM,
};

enum {
    STREAM_THROW,
    STREAM_TRIM,
};

#define KINDS 24
#define MEMBERS 10 // of the exclusive groups

static void kind_name(char *text, size_t size, const char *prefix, uint32_t index)
{
    (void)snprintf(text, size, "%s%u", prefix, index);
}

static kn_time throw_one(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    char name[16];
    uint32_t kind = kn_random_below(world, STREAM_THROW, KINDS + MEMBERS);
    if (kind < KINDS) {
        kind_name(name, sizeof name, "Stack", kind);
    } else {
        kind_name(name, sizeof name, "Group", kind - KINDS);
    }
    kn_effect_context context = {.source_object = kn_random_below(world, STREAM_THROW, 2)};
    kn_tag amount = rule_tag(world, "Data.Amount");
    kn_caller_value value = {amount, (float)(1 + kn_random_below(world, STREAM_THROW, 9))};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = rule_effect(world, name);
    apply.source = rule_entity(world, kn_random_below(world, STREAM_THROW, ACTORS / 2));
    apply.target =
        rule_entity(world, ACTORS / 2 + kn_random_below(world, STREAM_THROW, ACTORS / 2));
    apply.level = (float)(1 + kn_random_below(world, STREAM_THROW, 3));
    apply.stacks = kn_random_below(world, STREAM_THROW, 3);
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    apply.context = &context;
    (void)!kn_effect_apply(world, &apply, NULL);
    return KN_MS(7) + KN_US(kn_random_below(world, STREAM_THROW, 9001));
}

static kn_time trim_one(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    kn_entity_id target =
        rule_entity(world, ACTORS / 2 + kn_random_below(world, STREAM_TRIM, ACTORS / 2));
    kn_effect_id effect = rule_random_effect(world, target, STREAM_TRIM);
    switch (kn_random_below(world, STREAM_TRIM, 6)) {
    case 0:
        (void)kn_effect_set_stacks(world, effect, kn_random_below(world, STREAM_TRIM, 5));
        break;
    case 1:
        (void)kn_effect_set_level(
            world, effect, (float)(1 + kn_random_below(world, STREAM_TRIM, 4)));
        break;
    case 2:
        (void)kn_effect_add_remaining(world, effect, KN_MS(500), KN_S(6));
        break;
    case 3:
        (void)kn_effect_scale_remaining(world, effect, 0.5f);
        break;
    default:
        (void)kn_effect_remove(world, effect, 1, KN_REMOVED_DISPELLED);
        break;
    }
    return KN_MS(113);
}

// The first kinds vary refresh and expiration, the others timers per stack, keys and merging.
static kn_stacking stacking_of(uint32_t kind)
{
    kn_stacking stacking = kn_effect_def_default().stacking;
    stacking.kind = kind % 2 == 0 ? KN_STACK_BY_TARGET : KN_STACK_BY_SOURCE;
    stacking.limit = kn_constant((float)(2 + kind % 4));
    if (kind < 7) {
        stacking.refresh = (kn_refresh)kind;
        stacking.period_reset = kind % 3 == 0 ? KN_PERIOD_RESET : KN_PERIOD_KEEP;
    } else if (kind < 10) {
        stacking.expiration = (kn_expiration)(kind - 7);
        stacking.tick_on_stack = kind == 8;
    } else if (kind < 16) {
        stacking.own_timers = true;
        stacking.at_cap = (kn_stack_cap)(kind % 3);
        stacking.common_timer = kind >= 14;
        if (stacking.kind == KN_STACK_BY_TARGET && kind < 14) {
            stacking.limit_per_source = kn_constant(2.0f);
        }
    } else if (kind < 20) {
        stacking.merge = (kn_merge)(kind - 16);
        stacking.key_level = kind == 17;
        stacking.key_object = kind == 18;
    } else {
        stacking.kind = KN_STACK_BY_TARGET;
        stacking.on_lower_level = (kn_stack_rule)(kind - 20);
        stacking.on_higher_level = (kn_stack_rule)((kind - 19) % 4);
        stacking.on_other_source = (kn_stack_rule)((kind - 18) % 4);
        stacking.deny_overflow = kind >= 22;
        stacking.clear_on_overflow = kind == 23;
    }
    return stacking;
}

static void declare_kind(scene_builder *builder, uint32_t kind)
{
    char name[16], tag_text[32];
    kind_name(name, sizeof name, "Stack", kind);
    kind_name(tag_text, sizeof tag_text, "Stack.Kind", kind);
    kn_tag tag = scene_tag(builder, tag_text);
    kn_tag amount = scene_tag(builder, "Data.Amount");
    kn_attribute_id might = scene_find_attribute(builder, "Dummy.Might");
    kn_attribute_id pain = scene_find_attribute(builder, "Dummy.Pain");

    kn_modifier_def modifier = kn_modifier_constant(might, KN_OP_ADD, 1.0f);
    bool is_periodic = kind % 2 == 0 || kind == 19;
    if (is_periodic) {
        modifier = kn_modifier_def_default();
        modifier.attribute = pain;
        modifier.op = KN_OP_ADD;
        if (kind == 19) {
            modifier.magnitude = kn_magnitude_of(KN_MAGNITUDE_POOL);
        } else if (kind % 4 == 0) {
            modifier.magnitude = kn_magnitude_set_by_caller(amount);
        } else {
            modifier.magnitude = kn_magnitude_of(KN_MAGNITUDE_STACKS);
        }
    }
    kn_child_def children[3] = {
        kn_child_def_default(), kn_child_def_default(), kn_child_def_default()};
    children[0].type_name = "Overflow";
    children[0].when = KN_CHILD_OVERFLOW;
    children[1].type_name = "Reached";
    children[1].when = KN_CHILD_COUNT_REACHED;
    children[1].count = 2;
    children[1].every = kind % 3 == 0;
    children[2].type_name = "Held";
    children[2].when = KN_CHILD_COUNT_HELD;
    children[2].count = 2;
    children[2].remove_with_parent = true;
    kn_raise_def raises[2] = {kn_raise_def_default(), kn_raise_def_default()};
    raises[0].when = KN_RAISE_STACK_GAINED;
    raises[0].tag = scene_tag(builder, "Event.Gained");
    raises[0].magnitude = kn_magnitude_of(KN_MAGNITUDE_STACKS);
    raises[1].when = KN_RAISE_STACK_LOST;
    raises[1].tag = scene_tag(builder, "Event.Lost");
    raises[1].magnitude = kn_magnitude_constant(1.0f);

    kn_effect_def def = scene_effect_def(name, KN_DURATION_TIMED, 1.0f + 0.13f * (float)kind);
    if (is_periodic) {
        scene_every(&def, 0.31f);
    }
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.granted_tags = ONE_TAG(tag);
    def.children = children;
    def.child_count = COUNT_OF(children);
    def.raises = raises;
    def.raise_count = COUNT_OF(raises);
    def.stacking = stacking_of(kind);
    scene_effect(builder, &def);
}

// Two members for each rule of exclusive groups.
static void declare_member(scene_builder *builder, uint32_t member)
{
    char name[16], group_text[32];
    kind_name(name, sizeof name, "Group", member);
    kind_name(group_text, sizeof group_text, "Group.Rule", member / 2);
    kn_modifier_def modifier = kn_modifier_constant(scene_find_attribute(builder, "Dummy.Speed"),
        member % 4 < 2 ? KN_OP_ADD : KN_OP_MULTIPLY, member % 2 == 0 ? 0.5f : 2.0f);
    static const kn_curve_point points[] = {{1.0f, 1.0f}, {3.0f, 1.5f}};
    modifier.magnitude.scale.curve =
        member == 0 ? scene_curve(builder, "Growth", points, 2) : (kn_curve_id){1};
    kn_effect_def def = scene_effect_def(name, KN_DURATION_TIMED, 2.5f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.exclusive_group = scene_tag(builder, group_text);
    def.exclusive_rule = (kn_exclusive_rule)(member / 2);
    scene_effect(builder, &def);
}

static void count_events(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_attribute_id tally = rule_attribute(world, "Dummy.Tally");
    float value = kn_attribute_base(world, reaction->entity, tally);
    (void)kn_attribute_set_base(world, reaction->entity, tally, 0, value + reaction->magnitude);
}

static void declare(scene_builder *builder)
{
    kn_attribute_def attributes[] = {
        scene_attribute("Might", 10.0f),
        scene_attribute("Pain", 0.0f),
        scene_attribute("Speed", 5.0f),
        scene_attribute("Tally", 0.0f),
    };
    attributes[1].base_max = kn_limit_constant(1000000.0f);
    scene_set(builder, "Dummy", attributes, COUNT_OF(attributes), NULL);
    kn_attribute_id pain = scene_find_attribute(builder, "Dummy.Pain");

    scene_simple_effect(builder, "Overflow", KN_DURATION_INSTANT, 0.0f,
        kn_modifier_constant(pain, KN_OP_ADD, 3.0f));
    scene_simple_effect(builder, "Reached", KN_DURATION_TIMED, 0.4f,
        kn_modifier_constant(pain, KN_OP_MULTIPLY, 1.1f));
    scene_simple_effect(
        builder, "Held", KN_DURATION_INFINITE, 0.0f, kn_modifier_constant(pain, KN_OP_ADD, 7.0f));
    for (uint32_t i = 0; i < KINDS; i++) {
        declare_kind(builder, i);
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        declare_member(builder, i);
    }
    kn_rule_def rule = scene_rule_def("Count", KN_TRIGGER_EVENT, count_events);
    rule.tag = scene_tag(builder, "Event");
    scene_rule(builder, &rule);
    scene_timer(builder, TIMER_THROW, "Throw", throw_one);
    scene_timer(builder, TIMER_TRIM, "Trim", trim_one);
}

static void populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < ACTORS; i++) {
        (void)scene_actor(stage, "Dummy");
    }
    scene_start_timer(stage, TIMER_THROW, (kn_entity_id){0}, KN_MS(10));
    scene_start_timer(stage, TIMER_TRIM, (kn_entity_id){0}, KN_MS(100));
}

const scene_info scene_stacks = {
    .name = "stacks",
    .summary = "every way for effects to stack",
    .declare = declare,
    .populate = populate,
    .seconds = 20,
};
