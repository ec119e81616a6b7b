// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "scene_tools.h"

#include <string.h>

// While declaring -----------------------------------------------------------

bool scene_note(scene_builder *builder, kn_result result)
{
    if (builder->result == KN_OK) {
        builder->result = result;
    }
    return builder->result == KN_OK;
}

kn_tag scene_tag(scene_builder *builder, const char *name)
{
    kn_tag tag = {0};
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_tag_register(builder->library, &def, &tag, &builder->error));
    }
    return tag;
}

kn_name scene_name(scene_builder *builder, const char *text)
{
    kn_name name = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_name_register(builder->library, text, &name, &builder->error));
    }
    return name;
}

kn_curve_id scene_curve(
    scene_builder *builder, const char *name, const kn_curve_point *points, uint32_t count)
{
    kn_curve_id curve = {0};
    kn_curve_def def = kn_curve_def_default();
    def.name = name;
    def.points = points;
    def.point_count = count;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_curve_register(builder->library, &def, &curve, &builder->error));
    }
    return curve;
}

kn_attribute_def scene_attribute(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    return def;
}

kn_attribute_def scene_pool(const char *name, float value, const char *maximum, kn_link link)
{
    kn_attribute_def def = scene_attribute(name, value);
    def.base_min = kn_limit_constant(0.0f);
    def.base_max = kn_limit_attribute(maximum);
    def.min = kn_limit_constant(0.0f);
    def.max = kn_limit_attribute(maximum);
    def.link = link;
    return def;
}

kn_attribute_set_id scene_set(scene_builder *builder, const char *name,
    const kn_attribute_def *attributes, uint32_t count, const kn_attribute_hooks *hooks)
{
    kn_attribute_set_id set = {0};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    if (hooks != NULL) {
        def.hooks = *hooks;
    }
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_attribute_set_register(builder->library, &def, &set, &builder->error));
    }
    return set;
}

kn_attribute_id scene_find_attribute(const scene_builder *builder, const char *name)
{
    kn_attribute_id null = {0};
    return builder->result == KN_OK ? kn_attribute_find(builder->library, name) : null;
}

kn_effect_def scene_effect_def(const char *name, kn_duration_kind kind, float seconds)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    if (kind == KN_DURATION_TIMED) {
        def.duration = kn_magnitude_constant(seconds);
    }
    return def;
}

void scene_every(kn_effect_def *def, float seconds)
{
    def->is_periodic = true;
    def->period = kn_magnitude_constant(seconds);
}

kn_effect_type_id scene_effect(scene_builder *builder, const kn_effect_def *def)
{
    kn_effect_type_id type = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_effect_register(builder->library, def, &type, &builder->error));
    }
    return type;
}

kn_effect_type_id scene_simple_effect(scene_builder *builder, const char *name,
    kn_duration_kind kind, float seconds, kn_modifier_def modifier)
{
    kn_effect_def def = scene_effect_def(name, kind, seconds);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return scene_effect(builder, &def);
}

void scene_timer(scene_builder *builder, uint32_t timer, const char *name, kn_timer_fn *function)
{
    kn_timer_type_id type = {timer};
    if (builder->result == KN_OK) {
        scene_note(builder,
            kn_timer_type_register(builder->library, name, function, NULL, &type, &builder->error));
    }
    if (builder->result == KN_OK && type.index1 != timer) {
        scene_note(builder, KN_ERROR_INVALID_ARGUMENT);
    }
}

kn_rule_def scene_rule_def(const char *name, kn_trigger trigger, kn_rule_fn *function)
{
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.function = function;
    return def;
}

void scene_rule(scene_builder *builder, const kn_rule_def *def)
{
    kn_rule_id rule;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_rule_register(builder->library, def, &rule, &builder->error));
    }
}

// While populating ----------------------------------------------------------

bool scene_act(scene_stage *stage, kn_result result)
{
    if (stage->result == KN_OK) {
        stage->result = result;
    }
    return stage->result == KN_OK;
}

kn_entity_id scene_actor(scene_stage *stage, const char *set)
{
    kn_entity_id entity = {0};
    if (stage->result != KN_OK) {
        return entity;
    }
    if (scene_act(stage, kn_entity_create(stage->world, &entity)) && set != NULL) {
        scene_act(stage, kn_attribute_set_add(
                             stage->world, entity, kn_attribute_set_find(stage->library, set), 0));
    }
    return entity;
}

void scene_apply(
    scene_stage *stage, const char *effect, kn_entity_id source, kn_entity_id target, float level)
{
    if (stage->result == KN_OK) {
        kn_effect_type_id type = kn_effect_type_find(stage->library, effect);
        scene_act(stage, kn_effect_apply_simple(stage->world, type, source, target, level, NULL));
    }
}

void scene_start_timer(scene_stage *stage, uint32_t timer, kn_entity_id entity, kn_time delay)
{
    if (stage->result == KN_OK) {
        kn_timer_id started;
        scene_act(stage,
            kn_timer_start(stage->world, (kn_timer_type_id){timer}, entity, delay, NULL, &started));
    }
}

// In rules ------------------------------------------------------------------

void rule_keep(void *bytes, const void *numbers, size_t size)
{
    uint8_t *to = bytes;
    for (size_t at = 0; at < size; at += 4) {
        uint32_t number;
        memcpy(&number, (const uint8_t *)numbers + at, 4);
        for (uint32_t i = 0; i < 4; i++) {
            to[at + i] = (uint8_t)(number >> (8 * i));
        }
    }
}

void rule_recall(void *numbers, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t at = 0; at < size; at += 4) {
        uint32_t number = 0;
        for (uint32_t i = 0; i < 4; i++) {
            number |= (uint32_t)from[at + i] << (8 * i);
        }
        memcpy((uint8_t *)numbers + at, &number, 4);
    }
}

kn_effect_type_id rule_effect(const kn_world *world, const char *name)
{
    return kn_effect_type_find(kn_world_library(world), name);
}

kn_attribute_id rule_attribute(const kn_world *world, const char *name)
{
    return kn_attribute_find(kn_world_library(world), name);
}

kn_tag rule_tag(const kn_world *world, const char *name)
{
    return kn_tag_find(kn_world_library(world), name);
}

kn_effect_id rule_apply(
    kn_world *world, const char *effect, kn_entity_id source, kn_entity_id target, float level)
{
    kn_effect_id id;
    (void)kn_effect_apply_simple(world, rule_effect(world, effect), source, target, level, &id);
    return id;
}

kn_entity_id rule_entity(const kn_world *world, uint32_t index)
{
    uint32_t count = kn_entity_count(world);
    kn_entity_id entity = kn_entity_next(world, (kn_entity_id){0});
    for (uint32_t i = count > 0 ? index % count : 0; i > 0; i--) {
        entity = kn_entity_next(world, entity);
    }
    return entity;
}

kn_entity_id rule_random_entity(kn_world *world, uint32_t stream)
{
    return rule_entity(world, kn_random_below(world, stream, kn_entity_count(world)));
}

kn_effect_id rule_random_effect(kn_world *world, kn_entity_id entity, uint32_t stream)
{
    kn_effect_id effects[32];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(world, entity, &query, effects, COUNT_OF(effects));
    if (count == 0) {
        return (kn_effect_id){0};
    }
    count = count < COUNT_OF(effects) ? count : COUNT_OF(effects);
    return effects[kn_random_below(world, stream, count)];
}
