// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues as events, and the cues of effects. Parameters are stored beside the events, in a buffer of
// their own, since most events are not cues.

#include "effect/effect.h"

#include <math.h>

kn_cue_params kn_cue_params_default(void)
{
    kn_cue_params params = {.stacks = 1, .cookie = KN_COOKIE};
    return params;
}

uint32_t kni_payload_size_of(const kn_world *world, uint32_t type1)
{
    return type1 == 0 ? 0
                      : KNI_ITEM(world->library, KN_DEF_CONTEXT, kni_context_type, type1 - 1)->size;
}

// Stores the tags an entity shows now.
static uint32_t tags_store(kn_world *world, kn_entity_id entity, uint32_t *offset)
{
    uint32_t count = kn_entity_tags(world, entity, NULL, 0);
    if (count == 0 || !kni_bytes_room(world, count * (uint32_t)sizeof(kn_tag), offset)) {
        return 0;
    }
    kn_tag *out = (kn_tag *)(void *)(world->pending.bytes + *offset);
    return kn_entity_tags(world, entity, out, count);
}

// Adds a record of parameters; NULL when out of memory.
static kni_cue_params *params_push(kn_world *world)
{
    kni_event_buffer *buffer = &world->pending;
    if (!kni_grow(&world->memory, &buffer->cues, &buffer->cue_capacity, buffer->cue_count + 1,
            sizeof(kni_cue_params))) {
        kni_break(world);
        return NULL;
    }
    kni_cue_params *params = &buffer->cues[buffer->cue_count++];
    memset(params, 0, sizeof(*params));
    return params;
}

static void payload_push(
    kn_world *world, kni_cue_params *params, uint32_t type1, const void *payload)
{
    uint32_t size = kni_payload_size_of(world, type1);
    if (size > 0 && payload != NULL && kni_bytes_room(world, size, &params->payload)) {
        memcpy(world->pending.bytes + params->payload, payload, size);
        params->payload_type = type1;
    }
}

static void targets_push(kn_world *world, kni_cue_params *params, kn_target_view targets)
{
    if (targets.size > 0 && kni_bytes_room(world, targets.size, &params->targets)) {
        memcpy(world->pending.bytes + params->targets, targets.data, targets.size);
        params->target_size = targets.size;
    }
}

// Finds the parameters of an event, published or of the running step.
bool kn_cue_event_params(const kn_world *world, const kn_event *event, kn_cue_params *out)
{
    if (world == NULL || event == NULL || event->type != KN_EVENT_CUE || out == NULL) {
        return false;
    }
    *out = kn_cue_params_default();
    out->magnitude = event->data.cue.magnitude;
    const kni_event_buffer *buffer = &world->published;
    uint32_t index = event->data.cue.params1 - 1;
    if (index >= buffer->cue_count) {
        return false;
    }
    const kni_cue_params *params = &buffer->cues[index];
    const uint8_t *bytes = buffer->bytes;
    out->instigator = params->instigator;
    out->causer = params->causer;
    out->source_object = params->source_object;
    out->location = params->location;
    out->normal = params->normal;
    out->has_location = params->has_location;
    out->has_normal = params->has_normal;
    out->change = params->change;
    out->normalised = params->normalised;
    out->effect_level = params->effect_level;
    out->ability_level = params->ability_level;
    out->stacks = params->stacks;
    if (params->source_tag_count > 0) {
        out->source_tags.data = (const kn_tag *)(const void *)(bytes + params->source_tags);
        out->source_tags.count = params->source_tag_count;
    }
    if (params->target_tag_count > 0) {
        out->target_tags.data = (const kn_tag *)(const void *)(bytes + params->target_tags);
        out->target_tags.count = params->target_tag_count;
    }
    out->payload_type.index1 = params->payload_type;
    out->payload = params->payload_type != 0 ? bytes + params->payload : NULL;
    if (params->target_size > 0) {
        out->targets = (kn_target_view){bytes + params->targets, params->target_size};
    }
    return true;
}

bool kni_cues_are_suppressed(const kn_world *world, uint32_t component)
{
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    return actor != NULL && (actor->flags & KNI_ACTOR_NO_CUES) != 0;
}

// The magnitude that cues show: of the modifier on the cue attribute, else of the first.
static float effect_magnitude(const kn_spec_view *spec)
{
    const kni_effect_type *type = spec->type;
    uint32_t attribute1 = type->def.cue_attribute.index1;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        float magnitude;
        if ((attribute1 == 0 || type->modifiers[i].attribute + 1 == attribute1) &&
            kni_modifier_magnitude(spec, i, &magnitude) == KN_OK) {
            return kni_modifier_scaled(spec, i, magnitude, spec->stacks);
        }
    }
    return 0.0f;
}

static float cue_normalised(const kn_effect_def *def, float magnitude)
{
    if (def->cue_max == def->cue_min) {
        return 0.0f;
    }
    float share = (magnitude - def->cue_min) / (def->cue_max - def->cue_min);
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

static bool vector_is_finite(const kn_vec3 *vector)
{
    return isfinite(vector->x) && isfinite(vector->y) && isfinite(vector->z);
}

bool kni_cue_params_are_finite(const kn_cue_params *params)
{
    return isfinite(params->magnitude) && isfinite(params->change) &&
           isfinite(params->normalised) && isfinite(params->effect_level) &&
           isfinite(params->ability_level) && vector_is_finite(&params->location) &&
           vector_is_finite(&params->normal);
}

// Lets the game's hook adapt the parameters. What an event could not hold is discarded.
static void params_init(const kn_spec_view *spec, kn_cue_params *params)
{
    const kn_library *library = spec->world->library;
    kn_cue_params own = *params;
    library->cue_init(library->cue_user, spec, &own);
    bool has_payload = own.payload_type.index1 != 0;
    if (own.cookie == KN_COOKIE && kni_cue_params_are_finite(&own) &&
        own.payload_type.index1 <= library->registries[KN_DEF_CONTEXT].count &&
        has_payload == (own.payload != NULL) &&
        (own.targets.size == 0 || kn_target_is_valid(library, own.targets))) {
        *params = own;
    }
}

void kni_effect_cue_params(const kn_world *world, const kn_spec_view *spec, kn_cue_params *params)
{
    const kni_rare *rare = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1) : NULL;
    *params = kn_cue_params_default();
    params->magnitude = effect_magnitude(spec);
    params->normalised = cue_normalised(&spec->type->def, params->magnitude);
    params->instigator =
        rare != NULL && rare->instigator.index1 != 0 ? rare->instigator : spec->source;
    params->effect_level = spec->level;
    params->stacks = spec->stacks;
    if (rare != NULL) {
        params->causer = rare->causer;
        params->source_object = rare->source_object;
        params->location = rare->origin;
        params->has_location = rare->has_origin != 0;
        uint32_t ability = kni_ability_find(world, rare->ability);
        params->ability_level = ability != KNI_NONE ? kni_ability_at(world, ability)->level : 0.0f;
        params->payload_type.index1 = rare->payload_type;
        params->payload = rare->payload_type != 0 ? kni_heap_at(&world->heap, rare->payload) : NULL;
        params->targets = kni_targets_view(world, &rare->targets);
    }
    if (world->library->cue_init != NULL) {
        params_init(spec, params);
    }
}

// Stores parameters beside the events; 0 when out of memory.
static uint32_t params_store(
    kn_world *world, const kn_cue_params *given, kn_entity_id source, kn_entity_id target)
{
    kni_cue_params *params = params_push(world);
    if (params == NULL) {
        return 0;
    }
    uint32_t index1 = world->pending.cue_count;
    params->instigator = given->instigator;
    params->causer = given->causer;
    params->source_object = given->source_object;
    params->location = given->location;
    params->normal = given->normal;
    params->has_location = given->has_location;
    params->has_normal = given->has_normal;
    params->change = given->change;
    params->normalised = given->normalised;
    params->effect_level = given->effect_level;
    params->ability_level = given->ability_level;
    params->stacks = given->stacks;
    payload_push(world, params, given->payload_type.index1, given->payload);
    targets_push(world, params, given->targets);
    params->source_tag_count = tags_store(world, source, &params->source_tags);
    params->target_tag_count = tags_store(world, target, &params->target_tags);
    return index1;
}

void kni_cues(
    kn_world *world, const kn_spec_view *spec, kn_cue_action action, bool interrupted, float change)
{
    if (!kni_wants(world, KN_EVENT_CUE) || kni_cues_are_suppressed(world, spec->target_component)) {
        return;
    }
    kn_cue_params params;
    uint64_t *work = world->work; // counts the work of rules, which observers must not use up
    world->work = &world->observer_work;
    kni_effect_cue_params(world, spec, &params);
    world->work = work;
    params.change = change;
    if (action == KN_CUE_EXECUTED) { // who has the effects knows of their ticks
        kni_mark_entity(world, spec->target, KN_PART_EFFECTS);
    }
    uint32_t params1 = params_store(world, &params, spec->source, spec->target);
    for (uint32_t i = 0; i < spec->type->def.cue_tags.count; i++) {
        kn_event *event = kni_emit(world, KN_EVENT_CUE, spec->target);
        event->data.cue.tag = spec->type->def.cue_tags.data[i];
        event->data.cue.action = action;
        event->data.cue.effect = kn_spec_view_effect(spec);
        event->data.cue.type = kni_type_id(spec->type);
        event->data.cue.magnitude = params.magnitude;
        event->data.cue.interrupted = interrupted;
        event->data.cue.params1 = params1;
    }
}

void kni_cue_event(kn_world *world, uint32_t component, kn_tag tag, kn_cue_action action,
    const kn_cue_params *given, bool interrupted)
{
    if (!kni_wants(world, KN_EVENT_CUE) || kni_cues_are_suppressed(world, component)) {
        return;
    }
    kn_entity_id entity = kni_component_entity(world, component);
    uint32_t index1 = params_store(world, given, given->instigator, entity);
    if (index1 == 0) {
        return;
    }
    if (action == KN_CUE_EXECUTED) {
        kni_mark(world, component, KN_PART_CUES);
    }
    kn_event *event = kni_emit(world, KN_EVENT_CUE, entity);
    event->data.cue.tag = tag;
    event->data.cue.action = action;
    event->data.cue.effect = (kn_effect_id){0};
    event->data.cue.type = (kn_effect_type_id){0};
    event->data.cue.magnitude = given->magnitude;
    event->data.cue.interrupted = interrupted;
    event->data.cue.params1 = index1;
}

bool kni_effect_shows_cues(const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool needs_success = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0;
    return (type->flags & KNI_EFFECT_CUES) != 0 &&
           (effect->flags & (needs_success ? KNI_ACTIVE_CUES : KNI_ACTIVE_INHIBITED)) ==
               (needs_success ? KNI_ACTIVE_CUES : 0);
}

void kni_effect_cues_publish(kn_world *world, uint32_t slot, kn_cue_action action, bool interrupted)
{
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    kni_cues(world, &spec, action, interrupted, 0.0f);
}

float kni_cue_magnitude(kn_world *world, uint32_t slot)
{
    kn_spec_view spec;
    if ((kni_type_at(world, kni_effect_at(world, slot)->type)->flags & KNI_EFFECT_CUES) == 0) {
        return 0.0f;
    }
    kni_view_of_effect(world, slot, &spec);
    return effect_magnitude(&spec);
}

// Whether one of its modifiers acts.
static bool effect_succeeds(kn_world *world, uint32_t slot)
{
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    const kni_component *target = kni_component_at(world, spec.target_component);
    uint64_t off = spec.rare1 != 0 ? kni_rare_at(world, spec.rare1)->off_modifiers : 0;
    for (uint32_t i = 0; i < spec.type->modifier_count; i++) {
        const kni_modifier *modifier = &spec.type->modifiers[i];
        bool is_there =
            modifier->attribute == KNI_NONE ||
            kni_position_keyed(world, target, modifier->attribute, modifier->key) != KNI_NONE;
        if ((off >> i & 1) == 0 && is_there &&
            (!modifier->has_requirement || kni_modifier_requirement(&spec, i))) {
            return true;
        }
    }
    return false;
}

void kni_effect_cues_begin(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool needs_success = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0;
    if ((type->flags & KNI_EFFECT_CUES) == 0 || (effect->flags & KNI_ACTIVE_INHIBITED) != 0 ||
        (needs_success && !effect_succeeds(world, slot))) {
        return;
    }
    effect->flags |= needs_success ? KNI_ACTIVE_CUES : 0;
    kni_mark_effect(world, slot);
    kni_effect_cues_publish(world, slot, KN_CUE_ADDED, false);
}

void kni_effect_cues_end(kn_world *world, uint32_t slot, bool interrupted)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool needs_success = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0;
    bool was_added = !needs_success || (effect->flags & KNI_ACTIVE_CUES) != 0;
    effect->flags &= (uint16_t)~KNI_ACTIVE_CUES;
    kni_mark_effect(world, slot);
    if ((type->flags & KNI_EFFECT_CUES) != 0 && was_added) {
        kni_effect_cues_publish(world, slot, KN_CUE_REMOVED, interrupted);
    }
}

void kni_effect_cues_changed(kn_world *world, uint32_t slot, bool is_magnitude)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_CUES) == 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return; // does not act yet, or no more
    }
    if (!kni_effect_shows_cues(world, slot)) {
        if ((type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0) {
            kni_effect_cues_begin(world, slot); // it may succeed now
        }
        return;
    }
    if ((!is_magnitude && (type->def.cue_needs_success & KN_CUE_PHASE_UPDATED) != 0) ||
        (effect->flags & KNI_ACTIVE_CHANGED) != 0 || !kni_wants(world, KN_EVENT_CUE)) {
        return;
    }
    kni_event_buffer *buffer = &world->pending;
    if (!kni_grow(&world->memory, &buffer->changes, &buffer->change_capacity,
            buffer->change_count + 1, sizeof(kni_cue_change))) {
        kni_break(world);
        return;
    }
    effect->flags |= KNI_ACTIVE_CHANGED;
    buffer->changes[buffer->change_count++] =
        (kni_cue_change){kni_effect_id_of(world, slot), world->cause};
}

void kni_cue_changes_publish(kn_world *world)
{
    kn_cause cause = world->cause;
    for (uint32_t i = 0; i < world->pending.change_count; i++) {
        kni_cue_change change = world->pending.changes[i];
        uint32_t slot = kni_effect_find(world, change.effect);
        if (slot == KNI_NONE) {
            continue;
        }
        kni_effect_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVE_CHANGED;
        if (kni_effect_shows_cues(world, slot)) {
            world->cause = change.cause;
            kni_effect_cues_publish(world, slot, KN_CUE_UPDATED, false);
        }
    }
    world->cause = cause;
    world->pending.change_count = 0;
}
