// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Forty wolves on fire. Fire jumps from wolf to wolf and stacks; rain puts it out; wolves that
// burn too hard panic; dead ones come back after a while.

#include "scene_tools.h"

#define WOLVES 40

enum {
    TIMER_FIRE = 1,
    TIMER_RAIN,
};

enum {
    STREAM_FIRE,
    STREAM_RAIN,
};

static kn_time spread_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    kn_entity_id from = rule_random_entity(world, STREAM_FIRE);
    kn_entity_id to = rule_random_entity(world, STREAM_FIRE);
    float level = (float)(1 + kn_random_below(world, STREAM_FIRE, 3));
    (void)rule_apply(world, "Burn", from, to, level);
    return KN_MS(40) + KN_US(kn_random_below(world, STREAM_FIRE, 30011));
}

static kn_time let_it_rain(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    uint32_t drops = 0;
    kn_entity_id wolf = kn_entity_next(world, (kn_entity_id){0});
    for (; !kn_entity_id_is_null(wolf); wolf = kn_entity_next(world, wolf)) {
        if (kn_random_below(world, STREAM_RAIN, 4) == 0) {
            (void)rule_apply(world, "Wet", (kn_entity_id){0}, wolf, 1.0f);
            drops++;
        }
    }
    uint32_t all;
    rule_recall(&all, data, sizeof all);
    all += drops;
    rule_keep(data, &all, sizeof all);
    return KN_MS(2900);
}

// A wolf without health falls.
static void fall(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (reaction->new_value <= 0.0f && reaction->old_value > 0.0f) {
        (void)rule_apply(world, "Dead", reaction->entity, reaction->entity, 1.0f);
    }
}

static void howl(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)rule_apply(world, "Howl", reaction->entity, reaction->entity, 1.0f);
}

static void declare_burn(scene_builder *builder, kn_curve_id heat)
{
    kn_tag fire = scene_tag(builder, "Element.Fire");
    kn_tag burning = scene_tag(builder, "State.Burning");
    kn_tag flames = scene_tag(builder, "Cue.Flames");

    kn_modifier_def scorch = kn_modifier_def_default();
    scorch.attribute = scene_find_attribute(builder, "Wolf.Health");
    scorch.op = KN_OP_ADD;
    scorch.magnitude = kn_magnitude_by_level(-1.5f, heat);
    kn_child_def panic = kn_child_def_default();
    panic.type_name = "Panic";
    panic.when = KN_CHILD_COUNT_HELD;
    panic.count = 3;
    panic.remove_with_parent = true;

    kn_effect_def burn = scene_effect_def("Burn", KN_DURATION_TIMED, 4.0f);
    scene_every(&burn, 0.5f);
    burn.modifiers = &scorch;
    burn.modifier_count = 1;
    burn.asset_tags = ONE_TAG(fire);
    burn.granted_tags = ONE_TAG(burning);
    burn.cue_tags = ONE_TAG(flames);
    burn.children = &panic;
    burn.child_count = 1;
    burn.stacking.kind = KN_STACK_BY_TARGET;
    burn.stacking.limit = kn_constant(5.0f);
    burn.stacking.period_reset = KN_PERIOD_KEEP;
    burn.stacking.merge = KN_MERGE_HIGHEST_LEVEL;
    burn.stacking.expiration = KN_EXPIRE_ONE_AND_REFRESH;
    scene_effect(builder, &burn);
}

static void declare_states(scene_builder *builder)
{
    kn_tag fire = scene_tag(builder, "Element.Fire");
    kn_tag burning = scene_tag(builder, "State.Burning");
    kn_tag panicking = scene_tag(builder, "State.Panic");
    kn_tag wet = scene_tag(builder, "State.Wet");
    kn_tag dead = scene_tag(builder, "State.Dead");
    kn_attribute_id speed = scene_find_attribute(builder, "Wolf.Speed");

    kn_modifier_def faster = kn_modifier_constant(speed, KN_OP_MULTIPLY, 1.5f);
    kn_effect_def panic = scene_effect_def("Panic", KN_DURATION_INFINITE, 0.0f);
    panic.modifiers = &faster;
    panic.modifier_count = 1;
    panic.granted_tags = ONE_TAG(panicking);
    scene_effect(builder, &panic);

    // Water puts fire out and keeps it out for a while.
    kn_gate_def damp = {0};
    damp.record.required = ONE_TAG(fire);
    kn_modifier_def slower = kn_modifier_constant(speed, KN_OP_MULTIPLY, 0.8f);
    kn_effect_def soaked = scene_effect_def("Wet", KN_DURATION_TIMED, 1.25f);
    soaked.modifiers = &slower;
    soaked.modifier_count = 1;
    soaked.granted_tags = ONE_TAG(wet);
    soaked.remove_effects_with = ONE_TAG(fire);
    soaked.gates = &damp;
    soaked.gate_count = 1;
    soaked.stacking.kind = KN_STACK_BY_TARGET;
    soaked.stacking.limit = kn_constant(1.0f);
    scene_effect(builder, &soaked);

    // A calm wolf runs with the pack: the bonus sleeps while it burns.
    kn_modifier_def pack = kn_modifier_constant(speed, KN_OP_ADD, 2.0f);
    kn_effect_def calm = scene_effect_def("Pack", KN_DURATION_INFINITE, 0.0f);
    calm.modifiers = &pack;
    calm.modifier_count = 1;
    calm.ongoing.target.ignored = ONE_TAG(burning);
    scene_effect(builder, &calm);

    kn_child_def revive = kn_child_def_default();
    revive.type_name = "Revive";
    revive.when = KN_CHILD_EXPIRED;
    kn_gate_def no_more = {0};
    no_more.record.required = ONE_TAG(fire);
    kn_effect_def fallen = scene_effect_def("Dead", KN_DURATION_TIMED, 3.0f);
    fallen.granted_tags = ONE_TAG(dead);
    fallen.remove_effects_with = ONE_TAG(fire);
    fallen.gates = &no_more;
    fallen.gate_count = 1;
    fallen.children = &revive;
    fallen.child_count = 1;
    fallen.application.target.ignored = ONE_TAG(dead);
    scene_effect(builder, &fallen);
}

static void declare(scene_builder *builder)
{
    static const kn_curve_point points[] = {{1.0f, 1.0f}, {3.0f, 2.5f}};
    kn_curve_id heat = scene_curve(builder, "Heat", points, COUNT_OF(points));
    kn_attribute_def attributes[] = {
        scene_attribute("MaxHealth", 60.0f),
        scene_pool("Health", 60.0f, "MaxHealth", KN_LINK_CLAMP),
        scene_attribute("Speed", 10.0f),
    };
    attributes[0].has_random = true;
    attributes[0].random_min = 40.0f;
    attributes[0].random_max = 80.0f;
    scene_set(builder, "Wolf", attributes, COUNT_OF(attributes), NULL);
    kn_attribute_id health = scene_find_attribute(builder, "Wolf.Health");

    declare_burn(builder, heat);
    declare_states(builder);
    kn_modifier_def full = kn_modifier_def_default();
    full.attribute = health;
    full.op = KN_OP_OVERRIDE;
    full.magnitude = kn_magnitude_attribute(
        scene_find_attribute(builder, "Wolf.MaxHealth"), KN_CAPTURE_FROM_TARGET, false, 1.0f);
    scene_simple_effect(builder, "Revive", KN_DURATION_INSTANT, 0.0f, full);
    scene_simple_effect(
        builder, "Howl", KN_DURATION_INSTANT, 0.0f, kn_modifier_constant(health, KN_OP_ADD, 5.0f));

    kn_rule_def falls = scene_rule_def("Fall", KN_TRIGGER_ATTRIBUTE_CHANGED, fall);
    falls.attribute = health;
    scene_rule(builder, &falls);
    kn_rule_def howls = scene_rule_def("Howl", KN_TRIGGER_TAG_REMOVED, howl);
    howls.tag = scene_tag(builder, "State.Burning");
    scene_rule(builder, &howls);
    scene_timer(builder, TIMER_FIRE, "Fire", spread_fire);
    scene_timer(builder, TIMER_RAIN, "Rain", let_it_rain);
}

static void populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < WOLVES; i++) {
        kn_entity_id wolf = scene_actor(stage, "Wolf");
        scene_apply(stage, "Pack", wolf, wolf, 1.0f);
        scene_apply(stage, "Burn", wolf, wolf, 1.0f);
    }
    scene_start_timer(stage, TIMER_FIRE, (kn_entity_id){0}, KN_MS(50));
    scene_start_timer(stage, TIMER_RAIN, (kn_entity_id){0}, KN_MS(1700));
}

const scene_info scene_wolves = {
    .name = "wolves",
    .summary = "forty wolves on fire",
    .declare = declare,
    .populate = populate,
    .seconds = 20,
};
