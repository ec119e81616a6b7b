// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A captain and eight soldiers in a chain: each soldier's Power follows the one before, Order
// follows Power, and periods and durations follow Haste. Auras act on all that are owned. When a
// soldier falls, what was read from it freezes, and a recruit takes the place.

#include "scene_tools.h"

#define SOLDIERS 8

enum {
    TIMER_DRUM = 1,
    TIMER_ORDERS,
    TIMER_FALL,
};

enum {
    STREAM_DRUM,
    STREAM_ORDERS,
    STREAM_FALL,
};

static float discipline(void *user, const kn_calculation *calculation)
{
    (void)user;
    float power = kn_calculation_capture(calculation, 0);
    float base = kn_calculation_capture(calculation, 1);
    return base + power * 0.125f;
}

// Only the two largest count.
static void two_largest(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies)
{
    (void)user;
    (void)base;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t larger = 0;
        for (uint32_t other = 0; other < count; other++) {
            larger += modifiers[other].magnitude > modifiers[i].magnitude ||
                      (modifiers[other].magnitude == modifiers[i].magnitude && other < i);
        }
        qualifies[i] = larger < 2;
    }
}

// The drum changes the captain's own numbers, and with them everybody's.
static kn_time drum(void *user, kn_world *world, kn_entity_id captain, void *data)
{
    (void)user;
    (void)data;
    static const char *const beats[] = {"Rally", "Hurry", "Slow", "Bold"};
    // One draw a statement: the order of arguments is the compiler's choice.
    uint32_t beat = kn_random_below(world, STREAM_DRUM, COUNT_OF(beats));
    float level = (float)(1 + kn_random_below(world, STREAM_DRUM, 3));
    (void)rule_apply(world, beats[beat], captain, captain, level);
    return KN_MS(290) + KN_US(kn_random_below(world, STREAM_DRUM, 40009));
}

static kn_time give_orders(void *user, kn_world *world, kn_entity_id captain, void *data)
{
    (void)user;
    (void)data;
    static const char *const orders[] = {
        "March", "Drill", "Watch", "Slow", "Hurry", "Vigil", "Salute"};
    kn_entity_id soldier = rule_random_entity(world, STREAM_ORDERS);
    uint32_t order = kn_random_below(world, STREAM_ORDERS, COUNT_OF(orders));
    float level = (float)(1 + kn_random_below(world, STREAM_ORDERS, 3));
    (void)rule_apply(world, orders[order], captain, soldier, level);
    return KN_MS(170);
}

static void enlist(kn_world *world, kn_entity_id captain, kn_entity_id before)
{
    kn_entity_id recruit;
    if (kn_entity_create(world, &recruit) != KN_OK) {
        return;
    }
    kn_attribute_set_id set = kn_attribute_set_find(kn_world_library(world), "Soldier");
    (void)!kn_attribute_set_add(world, recruit, set, 0);
    (void)kn_entity_set_owner(world, recruit, captain);
    (void)rule_apply(world, "Follow", before, recruit, 1.0f);
    (void)rule_apply(world, "Order", recruit, recruit, 1.0f);
    (void)rule_apply(world, "Calm", recruit, recruit, 1.0f);
}

// Somebody falls now and then: never the captain.
static kn_time fall(void *user, kn_world *world, kn_entity_id captain, void *data)
{
    (void)user;
    (void)data;
    kn_entity_id fallen = rule_random_entity(world, STREAM_FALL);
    if (!kn_entity_id_equal(fallen, captain)) {
        kn_entity_destroy(world, fallen);
        enlist(world, captain, rule_random_entity(world, STREAM_FALL));
    }
    return KN_MS(2300);
}

static kn_modifier_def follow(kn_attribute_id target, kn_attribute_id source, kn_capture_from from,
    kn_op op, float coefficient)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = target;
    modifier.op = op;
    modifier.magnitude = kn_magnitude_attribute(source, from, false, coefficient);
    return modifier;
}

static void declare_soldier(scene_builder *builder)
{
    kn_policy_id policy = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_policy_register(builder->library, "TwoLargest", two_largest, NULL,
                                &policy, &builder->error));
    }
    kn_attribute_def attributes[] = {
        scene_attribute("Power", 10.0f),
        scene_attribute("Order", 5.0f),
        scene_attribute("Haste", 1.0f),
        scene_attribute("Speed", 4.0f),
        scene_attribute("Courage", 20.0f),
        scene_attribute("Steps", 0.0f),
        scene_attribute("Nerve", 3.0f),
        scene_attribute("Pride", 2.0f),
    };
    attributes[0].max = kn_limit_constant(400.0f);
    attributes[2].min = kn_limit_constant(0.25f);
    attributes[2].max = kn_limit_constant(4.0f);
    attributes[3].qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    attributes[4].qualify = KN_QUALIFY_CUSTOM;
    attributes[4].policy = policy;
    attributes[6].qualify = KN_QUALIFY_GREATEST_ABSOLUTE;
    attributes[7].qualify = KN_QUALIFY_MOST_POSITIVE;
    attributes[7].rounding = KN_ROUND_HALF_AWAY;
    scene_set(builder, "Soldier", attributes, COUNT_OF(attributes), NULL);
}

static void declare_chain(scene_builder *builder)
{
    kn_attribute_id power = scene_find_attribute(builder, "Soldier.Power");
    kn_attribute_id order = scene_find_attribute(builder, "Soldier.Order");
    kn_attribute_id courage = scene_find_attribute(builder, "Soldier.Courage");
    kn_attribute_id nerve = scene_find_attribute(builder, "Soldier.Nerve");
    kn_attribute_id pride = scene_find_attribute(builder, "Soldier.Pride");

    kn_modifier_def from_before[] = {
        follow(power, power, KN_CAPTURE_FROM_SOURCE, KN_OP_ADD, 0.5f),
        follow(courage, order, KN_CAPTURE_FROM_SOURCE, KN_OP_ADD, 0.25f),
        follow(pride, power, KN_CAPTURE_FROM_SOURCE, KN_OP_ADD_FINAL, 0.1f),
    };
    from_before[2].magnitude.capture.value = KN_CAPTURE_BONUS;
    from_before[2].channel = 1;
    kn_effect_def def = scene_effect_def("Follow", KN_DURATION_INFINITE, 0.0f);
    def.modifiers = from_before;
    def.modifier_count = COUNT_OF(from_before);
    scene_effect(builder, &def);

    const kn_capture captures[2] = {
        {.attribute = power, .from = KN_CAPTURE_FROM_TARGET},
        {.attribute = courage, .from = KN_CAPTURE_FROM_TARGET, .value = KN_CAPTURE_BASE},
    };
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Discipline";
    calculation.captures = captures;
    calculation.capture_count = COUNT_OF(captures);
    calculation.function = discipline;
    kn_calculation_id disciplined = {0};
    if (builder->result == KN_OK) {
        scene_note(builder,
            kn_calculation_register(builder->library, &calculation, &disciplined, &builder->error));
    }
    kn_modifier_def own = kn_modifier_def_default();
    own.attribute = order;
    own.op = KN_OP_ADD;
    own.magnitude = kn_magnitude_calculation(disciplined);
    scene_simple_effect(builder, "Order", KN_DURATION_INFINITE, 0.0f, own);

    kn_modifier_def calm[] = {
        follow(nerve, order, KN_CAPTURE_FROM_TARGET, KN_OP_MULTIPLY, 0.05f),
        follow(nerve, courage, KN_CAPTURE_FROM_TARGET, KN_OP_ADD, 0.2f),
    };
    calm[0].magnitude.post_add = kn_constant(1.0f);
    kn_effect_def calmness = scene_effect_def("Calm", KN_DURATION_INFINITE, 0.0f);
    calmness.modifiers = calm;
    calmness.modifier_count = COUNT_OF(calm);
    scene_effect(builder, &calmness);
}

static void declare_times(scene_builder *builder)
{
    kn_attribute_id haste = scene_find_attribute(builder, "Soldier.Haste");
    kn_attribute_id order = scene_find_attribute(builder, "Soldier.Order");
    kn_modifier_def step =
        kn_modifier_constant(scene_find_attribute(builder, "Soldier.Steps"), KN_OP_ADD, 1.0f);
    kn_magnitude by_haste = kn_magnitude_attribute(haste, KN_CAPTURE_FROM_TARGET, false, 1.0f);

    // Haste divides duration and period; a new haste moves the running tick.
    kn_effect_def march = scene_effect_def("March", KN_DURATION_TIMED, 3.0f);
    scene_every(&march, 0.4f);
    march.has_haste = true;
    march.haste = by_haste;
    march.live_period = KN_LIVE_RESCALE;
    march.live_duration = KN_LIVE_NEXT;
    march.modifiers = &step;
    march.modifier_count = 1;
    scene_effect(builder, &march);

    // A new haste counts from the tick after next.
    kn_effect_def drill = scene_effect_def("Drill", KN_DURATION_TIMED, 2.0f);
    scene_every(&drill, 0.3f);
    drill.period = kn_magnitude_attribute(haste, KN_CAPTURE_FROM_TARGET, false, 0.3f);
    drill.live_period = KN_LIVE_NEXT;
    drill.modifiers = &step;
    drill.modifier_count = 1;
    drill.stacking.kind = KN_STACK_BY_TARGET;
    drill.stacking.limit = kn_constant(3.0f);
    drill.stacking.refresh = KN_REFRESH_COMPLETE_PERIOD;
    drill.stacking.period_reset = KN_PERIOD_KEEP;
    scene_effect(builder, &drill);

    // Lasts as long as there is order.
    kn_effect_def watch = scene_effect_def("Watch", KN_DURATION_TIMED, 1.0f);
    watch.duration = kn_magnitude_attribute(order, KN_CAPTURE_FROM_TARGET, false, 0.1f);
    watch.live_duration = KN_LIVE_NEXT;
    kn_modifier_def firm =
        kn_modifier_constant(scene_find_attribute(builder, "Soldier.Nerve"), KN_OP_ADD, 6.0f);
    watch.modifiers = &firm;
    watch.modifier_count = 1;
    scene_effect(builder, &watch);

    // Read once: the source's power when the vigil began.
    kn_modifier_def vow = kn_modifier_def_default();
    vow.attribute = scene_find_attribute(builder, "Soldier.Pride");
    vow.op = KN_OP_ADD;
    vow.magnitude = kn_magnitude_attribute(
        scene_find_attribute(builder, "Soldier.Power"), KN_CAPTURE_FROM_SOURCE, true, 0.05f);
    kn_effect_def vigil = scene_effect_def("Vigil", KN_DURATION_TIMED, 4.0f);
    vigil.modifiers = &vow;
    vigil.modifier_count = 1;
    vigil.ends_with_source = true;
    scene_effect(builder, &vigil);
}

static void declare_beats(scene_builder *builder)
{
    kn_attribute_id power = scene_find_attribute(builder, "Soldier.Power");
    kn_attribute_id haste = scene_find_attribute(builder, "Soldier.Haste");
    kn_attribute_id speed = scene_find_attribute(builder, "Soldier.Speed");
    kn_attribute_id courage = scene_find_attribute(builder, "Soldier.Courage");
    static const kn_curve_point points[] = {{1.0f, 1.0f}, {2.0f, 1.5f}, {3.0f, 1.75f}};
    kn_curve_id loudness = scene_curve(builder, "Loudness", points, COUNT_OF(points));
    kn_tag drums = scene_tag(builder, "Group.Drums");
    kn_tag marching = scene_tag(builder, "State.Marching");

    kn_modifier_def louder = kn_modifier_def_default();
    louder.attribute = power;
    louder.op = KN_OP_ADD;
    louder.magnitude = kn_magnitude_by_level(4.0f, loudness);
    scene_simple_effect(builder, "Rally", KN_DURATION_TIMED, 1.3f, louder);

    kn_modifier_def quick[] = {
        kn_modifier_constant(haste, KN_OP_ADD, 0.25f),
        kn_modifier_constant(speed, KN_OP_MULTIPLY, 1.2f),
    };
    quick[1].group = drums;
    quick[1].group_rule = KN_GROUP_MAX;
    kn_effect_def hurry = scene_effect_def("Hurry", KN_DURATION_TIMED, 1.7f);
    hurry.modifiers = quick;
    hurry.modifier_count = COUNT_OF(quick);
    hurry.granted_tags = ONE_TAG(marching);
    scene_effect(builder, &hurry);

    kn_modifier_def slower[] = {
        kn_modifier_constant(haste, KN_OP_DIVIDE, 1.5f),
        kn_modifier_constant(speed, KN_OP_MULTIPLY, 0.5f),
        kn_modifier_constant(speed, KN_OP_MULTIPLY, 0.7f),
    };
    slower[2].channel = 2;
    slower[2].target.required = ONE_TAG(marching);
    slower[2].when = KN_REQUIREMENT_TIME_CONTINUOUS;
    kn_effect_def slow = scene_effect_def("Slow", KN_DURATION_TIMED, 0.9f);
    slow.modifiers = slower;
    slow.modifier_count = COUNT_OF(slower);
    scene_effect(builder, &slow);

    // The captain's aura reaches every entity it owns, marching or not.
    kn_modifier_def brave = kn_modifier_constant(courage, KN_OP_ADD, 2.0f);
    kn_effect_def bold = scene_effect_def("Bold", KN_DURATION_TIMED, 2.1f);
    bold.modifiers = &brave;
    bold.modifier_count = 1;
    bold.acts_on_owned = true;
    bold.owned.ignored = ONE_TAG(marching);
    scene_effect(builder, &bold);

    kn_modifier_def bow = kn_modifier_constant(courage, KN_OP_ADD, 0.125f);
    scene_simple_effect(builder, "Salute", KN_DURATION_INSTANT, 0.0f, bow);
}

static void declare(scene_builder *builder)
{
    declare_soldier(builder);
    declare_chain(builder);
    declare_times(builder);
    declare_beats(builder);
    scene_timer(builder, TIMER_DRUM, "Drum", drum);
    scene_timer(builder, TIMER_ORDERS, "Orders", give_orders);
    scene_timer(builder, TIMER_FALL, "Fall", fall);
}

static void populate(scene_stage *stage)
{
    kn_entity_id captain = scene_actor(stage, "Soldier");
    scene_apply(stage, "Order", captain, captain, 1.0f);
    kn_entity_id before = captain;
    for (uint32_t i = 0; i < SOLDIERS; i++) {
        kn_entity_id soldier = scene_actor(stage, "Soldier");
        if (stage->result == KN_OK) {
            scene_act(stage, kn_entity_set_owner(stage->world, soldier, captain));
        }
        scene_apply(stage, "Follow", before, soldier, 1.0f);
        scene_apply(stage, "Order", soldier, soldier, 1.0f);
        scene_apply(stage, "Calm", soldier, soldier, 1.0f);
        before = soldier;
    }
    scene_start_timer(stage, TIMER_DRUM, captain, KN_MS(100));
    scene_start_timer(stage, TIMER_ORDERS, captain, KN_MS(60));
    scene_start_timer(stage, TIMER_FALL, captain, KN_MS(1900));
}

const scene_info scene_derived = {
    .name = "derived",
    .summary = "values that follow other values across entities",
    .declare = declare,
    .populate = populate,
    .seconds = 20,
};
