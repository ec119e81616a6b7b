// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Shorthands for writing scenes. Types are found by name wherever they are needed: scenes keep
// nothing outside the world.
#ifndef KNACK_SCENE_TOOLS_H
#define KNACK_SCENE_TOOLS_H

#include "scene_list.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
// The view of an array of tags.
#define TAGS(array) ((kn_tags){(array), COUNT_OF(array)})
// The view of one tag that is a variable.
#define ONE_TAG(tag) ((kn_tags){&(tag), 1})

// While declaring -----------------------------------------------------------

// Notes a result; true while all is well.
bool scene_note(scene_builder *builder, kn_result result);
kn_tag scene_tag(scene_builder *builder, const char *name);
kn_name scene_name(scene_builder *builder, const char *text);
kn_curve_id scene_curve(
    scene_builder *builder, const char *name, const kn_curve_point *points, uint32_t count);
// An attribute with a starting value, to be refined and handed to scene_set().
kn_attribute_def scene_attribute(const char *name, float value);
// A pool such as Health: from 0 to the current value of `maximum`.
kn_attribute_def scene_pool(const char *name, float value, const char *maximum, kn_link link);
kn_attribute_set_id scene_set(scene_builder *builder, const char *name,
    const kn_attribute_def *attributes, uint32_t count, const kn_attribute_hooks *hooks);
kn_attribute_id scene_find_attribute(const scene_builder *builder, const char *name);
kn_effect_def scene_effect_def(const char *name, kn_duration_kind kind, float seconds);
// Makes a def periodic.
void scene_every(kn_effect_def *def, float seconds);
kn_effect_type_id scene_effect(scene_builder *builder, const kn_effect_def *def);
// A whole effect with one modifier.
kn_effect_type_id scene_simple_effect(scene_builder *builder, const char *name,
    kn_duration_kind kind, float seconds, kn_modifier_def modifier);
// Timer types are known by their number: 1 for the first one declared.
void scene_timer(scene_builder *builder, uint32_t timer, const char *name, kn_timer_fn *function);
// A rule for one trigger; what it listens to is filled in by the caller.
kn_rule_def scene_rule_def(const char *name, kn_trigger trigger, kn_rule_fn *function);
void scene_rule(scene_builder *builder, const kn_rule_def *def);

// While populating ----------------------------------------------------------

bool scene_act(scene_stage *stage, kn_result result);
// An entity with a set.
kn_entity_id scene_actor(scene_stage *stage, const char *set);
void scene_apply(
    scene_stage *stage, const char *effect, kn_entity_id source, kn_entity_id target, float level);
void scene_start_timer(scene_stage *stage, uint32_t timer, kn_entity_id entity, kn_time delay);

// In rules: refusals are part of the game -----------------------------------

kn_effect_type_id rule_effect(const kn_world *world, const char *name);
kn_attribute_id rule_attribute(const kn_world *world, const char *name);
kn_tag rule_tag(const kn_world *world, const char *name);
kn_effect_id rule_apply(
    kn_world *world, const char *effect, kn_entity_id source, kn_entity_id target, float level);
// The `index`th live entity, counted around.
kn_entity_id rule_entity(const kn_world *world, uint32_t index);
// Keep a struct of 4-byte numbers in bytes whose fields the library does not know, and get it back.
// In one order, so that saves and hashes are the same on every machine.
void rule_keep(void *bytes, const void *numbers, size_t size);
void rule_recall(void *numbers, const void *bytes, size_t size);
// A live entity drawn from a stream.
kn_entity_id rule_random_entity(kn_world *world, uint32_t stream);
// An effect of the entity drawn from a stream, or null.
kn_effect_id rule_random_effect(kn_world *world, kn_entity_id entity, uint32_t stream);

#endif
