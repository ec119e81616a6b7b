// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Two hundred entities in a storm of random calls: effects of many kinds come and go, tags churn,
// entities are attached, owned, embodied, created and destroyed. What the storm does is drawn from
// the world's random stream.

#include "scene_tools.h"

#include <stdio.h>

#define ENTITIES 200
#define ENTITIES_MAX 260
#define KINDS 48
#define TAGS_PER_BRANCH 8
#define ATTRIBUTES 6
#define STREAM 0

enum {
    TIMER_STORM = 1,
};

static void numbered(char *text, size_t size, const char *prefix, uint32_t index)
{
    (void)snprintf(text, size, "%s%u", prefix, index);
}

static kn_tag random_tag(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    return (kn_tag){1 + kn_random_below(world, STREAM, kn_tag_count(library))};
}

static kn_attribute_id random_attribute(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    return (kn_attribute_id){1 + kn_random_below(world, STREAM, kn_attribute_count(library))};
}

// What the storm does -------------------------------------------------------

static void gust_apply(kn_world *world, kn_entity_id entity)
{
    char name[16];
    numbered(name, sizeof name, "Kind", kn_random_below(world, STREAM, KINDS));
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_tag granted = random_tag(world);
    apply.type = rule_effect(world, name);
    apply.source = rule_random_entity(world, STREAM);
    apply.target = entity;
    apply.level = 0.5f + 0.25f * (float)kn_random_below(world, STREAM, 8);
    apply.stacks = kn_random_below(world, STREAM, 3);
    if (kn_random_below(world, STREAM, 8) == 0) {
        apply.dynamic_granted_tags = ONE_TAG(granted);
    }
    if (kn_random_below(world, STREAM, 8) == 0) {
        apply.duration = KN_MS(1 + kn_random_below(world, STREAM, 4000));
    }
    (void)!kn_effect_apply(world, &apply, NULL);
}

static void gust_remove(kn_world *world, kn_entity_id entity)
{
    kn_effect_id effect = rule_random_effect(world, entity, STREAM);
    (void)kn_effect_remove(world, effect, kn_random_below(world, STREAM, 3), KN_REMOVED_DISPELLED);
}

static void gust_query(kn_world *world, kn_entity_id entity)
{
    kn_tag tag = random_tag(world);
    kn_effect_query query = kn_effect_query_default();
    query.any_tags = ONE_TAG(tag);
    (void)kn_effects_remove(world, entity, &query, 1, KN_REMOVED_BY_CALL, NULL);
}

static void gust_tag(kn_world *world, kn_entity_id entity)
{
    kn_tag tag = random_tag(world);
    if (kn_random_below(world, STREAM, 2) == 0) {
        (void)kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1);
    } else {
        (void)kn_entity_set_tag_count(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 0);
    }
}

static void gust_base(kn_world *world, kn_entity_id entity)
{
    kn_attribute_id attribute = random_attribute(world);
    float value = (float)kn_random_below(world, STREAM, 200) - 50.0f;
    (void)kn_attribute_set_base(world, entity, attribute, 0, value);
}

static void gust_set(kn_world *world, kn_entity_id entity)
{
    kn_attribute_set_id set = kn_attribute_set_find(
        kn_world_library(world), kn_random_below(world, STREAM, 2) == 0 ? "Body" : "Mind");
    if (kn_attribute_set_has(world, entity, set, 0)) {
        (void)kn_attribute_set_remove(world, entity, set, 0);
    } else {
        (void)!kn_attribute_set_add(world, entity, set, 0);
    }
}

static void gust_time(kn_world *world, kn_entity_id entity)
{
    kn_effect_id effect = rule_random_effect(world, entity, STREAM);
    switch (kn_random_below(world, STREAM, 8)) {
    case 0:
        (void)kn_effect_set_remaining(world, effect, KN_MS(kn_random_below(world, STREAM, 900)));
        break;
    case 1:
        (void)kn_effect_add_remaining(world, effect, KN_MS(300), -1);
        break;
    case 2:
        (void)kn_effect_scale_remaining(world, effect, 1.5f);
        break;
    case 3:
        (void)kn_effect_set_total(world, effect, KN_S(2));
        break;
    case 4:
        (void)kn_effect_restart(world, effect, KN_MS(1500));
        break;
    case 5:
        (void)kn_effect_set_level(world, effect, 2.0f);
        break;
    case 6:
        (void)kn_effect_set_stacks(world, effect, kn_random_below(world, STREAM, 4));
        break;
    default:
        (void)kn_effect_execute(world, effect);
        break;
    }
}

static void gust_bind(kn_world *world, kn_entity_id entity)
{
    kn_entity_id other = rule_random_entity(world, STREAM);
    kn_entity_id nobody = {0};
    switch (kn_random_below(world, STREAM, 6)) {
    case 0:
        (void)kn_entity_set_parent(world, entity, other);
        break;
    case 1:
        (void)kn_entity_set_parent(world, entity, nobody);
        break;
    case 2:
        (void)kn_entity_set_owner(world, entity, other);
        break;
    case 3:
        (void)kn_entity_set_avatar(world, entity, other);
        break;
    case 4:
        (void)kn_entity_set_avatar(world, entity, nobody);
        break;
    default:
        (void)kn_entity_set_connection(world, entity, kn_random_below(world, STREAM, 4));
        break;
    }
}

static void gust_life(kn_world *world, kn_entity_id entity)
{
    uint32_t count = kn_entity_count(world);
    if (count >= ENTITIES_MAX || (count > ENTITIES / 2 && kn_random_below(world, STREAM, 2) == 0)) {
        (void)kn_entity_destroy(world, entity);
        return;
    }
    kn_entity_id born;
    if (kn_entity_create(world, &born) == KN_OK) {
        kn_attribute_set_id set = kn_attribute_set_find(kn_world_library(world), "Body");
        (void)!kn_attribute_set_add(world, born, set, 0);
        (void)kn_entity_set_user(world, born, kn_random_u32(world, STREAM));
    }
}

static kn_time blow(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    (void)data;
    typedef void gust_fn(kn_world * world, kn_entity_id entity);
    static gust_fn *const gusts[] = {gust_apply, gust_apply, gust_apply, gust_apply, gust_apply,
        gust_remove, gust_query, gust_tag, gust_tag, gust_base, gust_set, gust_time, gust_time,
        gust_bind, gust_life, gust_life};
    for (uint32_t i = 1 + kn_random_below(world, STREAM, 6); i > 0; i--) {
        gust_fn *gust = gusts[kn_random_below(world, STREAM, COUNT_OF(gusts))];
        gust(world, rule_random_entity(world, STREAM));
    }
    return KN_US(3000 + kn_random_below(world, STREAM, 4001));
}

// A tag that comes to an entity now and then strikes back.
static void thunder(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (kn_random_below(world, STREAM, 4) == 0) {
        gust_apply(world, reaction->entity);
    }
}

// Declaration ---------------------------------------------------------------

static void declare_sets(scene_builder *builder)
{
    kn_attribute_def body[ATTRIBUTES] = {
        scene_attribute("Limit", 100.0f),
        scene_pool("Life", 100.0f, "Limit", KN_LINK_PROPORTION),
        scene_attribute("Pace", 10.0f),
        scene_attribute("Haste", 1.0f),
        scene_attribute("Grip", 5.0f),
        scene_attribute("Bulk", 3.0f),
    };
    body[2].qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    body[3].min = kn_limit_constant(0.5f);
    body[3].max = kn_limit_constant(3.0f);
    body[5].profile = kn_value_profile_combat();
    body[5].rounding = KN_ROUND_UP;
    scene_set(builder, "Body", body, ATTRIBUTES, NULL);
    kn_attribute_def mind[] = {
        scene_attribute("Wit", 7.0f),
        scene_attribute("Will", 4.0f),
    };
    mind[0].has_random = true;
    mind[0].random_min = 1.0f;
    mind[0].random_max = 9.0f;
    scene_set(builder, "Mind", mind, COUNT_OF(mind), NULL);
}

static kn_modifier_def modifier_of(const scene_builder *builder, uint32_t kind, uint32_t index)
{
    static const char *const names[] = {"Body.Limit", "Body.Life", "Body.Pace", "Body.Haste",
        "Body.Grip", "Body.Bulk", "Mind.Wit", "Mind.Will"};
    static const float sizes[] = {-3.0f, 2.0f, 0.75f, 1.25f, -1.0f};
    static const kn_op ops[] = {KN_OP_ADD, KN_OP_MULTIPLY, KN_OP_ADD, KN_OP_MULTIPLY_COMPOUND};
    uint32_t mix = kind * 7 + index * 3;
    kn_attribute_id attribute = scene_find_attribute(builder, names[mix % COUNT_OF(names)]);
    kn_op op = ops[mix % COUNT_OF(ops)];
    float size = op == KN_OP_ADD ? sizes[mix % 5] : 0.75f + 0.125f * (float)(mix % 5);
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, size);
    // One in four follows an attribute of another set, of the source or the target.
    if (kind % 4 == 1 && index == 0) {
        static const char *const sources[] = {"Mind.Wit", "Mind.Will", "Body.Bulk"};
        modifier.attribute =
            scene_find_attribute(builder, kind % 8 == 1 ? "Body.Grip" : "Body.Pace");
        modifier.op = KN_OP_ADD;
        modifier.magnitude = kn_magnitude_attribute(
            scene_find_attribute(builder, sources[kind % 3]),
            kind % 8 == 1 ? KN_CAPTURE_FROM_SOURCE : KN_CAPTURE_FROM_TARGET, kind % 3 == 0, 0.2f);
        modifier.magnitude.capture.has_default = true;
        modifier.magnitude.capture.default_value = 1.0f;
    }
    return modifier;
}

static void declare_kind(scene_builder *builder, uint32_t kind, const kn_tag *tags)
{
    char name[16], child_name[16];
    numbered(name, sizeof name, "Kind", kind);
    numbered(child_name, sizeof child_name, "Kind", kind / 2);
    kn_modifier_def modifiers[2] = {modifier_of(builder, kind, 0), modifier_of(builder, kind, 1)};
    kn_duration_kind duration = kind % 5 == 0   ? KN_DURATION_INSTANT
                                : kind % 5 == 1 ? KN_DURATION_INFINITE
                                                : KN_DURATION_TIMED;
    kn_effect_def def = scene_effect_def(name, duration, 0.5f + 0.25f * (float)(kind % 13));
    def.modifiers = modifiers;
    def.modifier_count = 1 + kind % 2;
    def.asset_tags = (kn_tags){&tags[kind % TAGS_PER_BRANCH], 1};
    if (kind % 3 == 0 && duration != KN_DURATION_INSTANT) {
        scene_every(&def, 0.2f + 0.1f * (float)(kind % 7));
        def.skip_first_tick = kind % 2 == 0;
        def.inhibit_period = (kn_inhibit_period)(kind % 4);
        if (kind % 9 == 0) {
            def.has_haste = true;
            def.haste = kn_magnitude_attribute(
                scene_find_attribute(builder, "Body.Haste"), KN_CAPTURE_FROM_TARGET, false, 1.0f);
            def.haste.capture.has_default = true;
            def.haste.capture.default_value = 1.0f;
            def.live_period = KN_LIVE_RESCALE;
        }
    }
    if (duration != KN_DURATION_INSTANT) {
        def.granted_tags = (kn_tags){&tags[TAGS_PER_BRANCH + kind % TAGS_PER_BRANCH], 1};
        if (kind % 4 == 3) {
            def.ongoing.target.ignored =
                (kn_tags){&tags[TAGS_PER_BRANCH + (kind + 1) % TAGS_PER_BRANCH], 1};
        }
        if (kind % 4 == 2) {
            def.stacking.kind = kind % 8 == 2 ? KN_STACK_BY_TARGET : KN_STACK_BY_SOURCE;
            def.stacking.limit = kn_constant((float)(1 + kind % 5));
            def.stacking.refresh = (kn_refresh)(kind % 5);
            def.stacking.own_timers = kind % 16 == 2 && duration == KN_DURATION_TIMED;
        }
        if (kind % 11 == 7) {
            def.exclusive_group = tags[2 * TAGS_PER_BRANCH];
            def.exclusive_rule = (kn_exclusive_rule)(kind % 5);
        }
        def.ends_with_source = kind % 6 == 4;
        def.acts_on_owned = kind % 12 == 8;
    }
    kn_gate_def gate = {0};
    if (kind % 16 == 13 && duration != KN_DURATION_INSTANT) {
        gate.record.required = (kn_tags){&tags[(kind + 3) % TAGS_PER_BRANCH], 1};
        def.gates = &gate;
        def.gate_count = 1;
    }
    if (kind % 10 == 9) {
        def.remove_effects_with = (kn_tags){&tags[(kind + 2) % TAGS_PER_BRANCH], 1};
    }
    kn_child_def child = kn_child_def_default();
    if (kind >= 16 && kind % 4 == 0) {
        child.type_name = child_name;
        child.when = duration == KN_DURATION_INSTANT ? KN_CHILD_APPLIED : KN_CHILD_ENDED;
        child.to = kind % 8 == 0 ? KN_RECIPIENT_SOURCE : KN_RECIPIENT_TARGET;
        def.children = &child;
        def.child_count = 1;
    }
    if (kind % 13 == 5) {
        def.chance = kn_magnitude_constant(0.5f);
    }
    scene_effect(builder, &def);
}

static void declare(scene_builder *builder)
{
    kn_tag tags[2 * TAGS_PER_BRANCH + 1];
    for (uint32_t i = 0; i < TAGS_PER_BRANCH; i++) {
        char name[32];
        numbered(name, sizeof name, i % 2 == 0 ? "Sky.Cloud" : "Sky.Cloud0.Deep", i);
        tags[i] = scene_tag(builder, name);
        numbered(name, sizeof name, "Ground.Stone", i);
        tags[TAGS_PER_BRANCH + i] = scene_tag(builder, name);
    }
    tags[2 * TAGS_PER_BRANCH] = scene_tag(builder, "Only.One");
    declare_sets(builder);
    for (uint32_t i = 0; i < KINDS; i++) {
        declare_kind(builder, i, tags);
    }
    kn_rule_def rule = scene_rule_def("Thunder", KN_TRIGGER_TAG_ADDED, thunder);
    rule.tag = tags[3];
    scene_rule(builder, &rule);
    scene_timer(builder, TIMER_STORM, "Storm", blow);
}

static void populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        kn_entity_id entity = scene_actor(stage, i % 4 == 3 ? NULL : "Body");
        if (i % 3 == 0 && stage->result == KN_OK) {
            scene_act(stage, kn_attribute_set_add(stage->world, entity,
                                 kn_attribute_set_find(stage->library, "Mind"), 0));
        }
    }
    scene_start_timer(stage, TIMER_STORM, (kn_entity_id){0}, KN_MS(5));
}

const scene_info scene_storm = {
    .name = "storm",
    .summary = "two hundred entities in a storm of random calls",
    .declare = declare,
    .populate = populate,
    .seconds = 20,
};
