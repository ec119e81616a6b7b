// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues that are added, executed and removed by calls, and the list of cues active on an entity,
// including those of effects.

#include "ability/actor.h"

#include <math.h>

// Tags ----------------------------------------------------------------------

kn_result kn_cue_root_set(kn_library *library, kn_tag root)
{
    if (library == NULL || root.index1 > kn_tag_count(library)) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    library->cue_root = root;
    return KN_OK;
}

kn_tag kn_cue_root(const kn_library *library)
{
    return library->cue_root;
}

kn_result kn_cue_init_set(kn_library *library, kn_cue_init_fn *function, void *user)
{
    if (library == NULL) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    library->cue_init = function;
    library->cue_user = user;
    return KN_OK;
}

// Cues of calls --------------------------------------------------------------

static kn_result cue_check(
    const kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params)
{
    if (world == NULL || (params != NULL && params->cookie != KN_COOKIE) ||
        (params != NULL &&
            params->payload_type.index1 > world->library->registries[KN_DEF_CONTEXT].count)) {
        KN_ASSERT(world != NULL);
        if (params != NULL) {
            KN_ASSERT_DEF(params, kn_cue_params);
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kn_cue_tag_is_valid(world->library, tag)) {
        return KN_REFUSED_REQUIREMENT;
    }
    if (params != NULL && params->targets.size > 0 &&
        !kn_target_is_valid(world->library, params->targets)) {
        return KN_ERROR_BAD_DATA;
    }
    return params == NULL || kni_cue_params_are_finite(params) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// The caller's parameters, with the level of the ability if one is named.
static kn_cue_params params_complete(const kn_world *world, const kn_cue_params *given)
{
    kn_cue_params params = given != NULL ? *given : kn_cue_params_default();
    if (params.activation.index1 != 0 && params.ability_level == 0.0f) {
        params.ability_level =
            kn_ability_level(world, kn_activation_ability(world, params.activation));
    }
    return params;
}

kn_result kn_cue_execute(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *given)
{
    kn_result result = cue_check(world, entity, tag, given);
    kn_cue_params params;
    if (result == KN_OK) {
        params = params_complete(world, given);
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    if (component == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_cue_event(world, component, tag, KN_CUE_EXECUTED, &params, false);
    return kni_leave(world, KN_OK);
}

// The first record with this tag, or of those that end with an activation.
static uint32_t cue_find_of(
    const kn_world *world, uint32_t component, uint32_t tag, const kn_activation_id *activation)
{
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->cues.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->cues, uint32_t, i);
        const kni_cue *cue = kni_cue_at(world, slot);
        if (cue->tag == tag &&
            (activation == NULL || kn_activation_id_equal(cue->activation, *activation))) {
            return slot;
        }
    }
    return KNI_NONE;
}

static uint32_t cue_find(const kn_world *world, uint32_t component, uint32_t tag)
{
    return cue_find_of(world, component, tag, NULL);
}

// How often a cue was added by calls.
static uint32_t cue_count(const kn_world *world, uint32_t component, uint32_t tag)
{
    const kni_actor *actor = kni_actor_of(world, component);
    uint32_t count = 0;
    for (uint32_t i = 0; actor != NULL && i < actor->cues.count; i++) {
        const kni_cue *cue = kni_cue_at(world, *KNI_SPAN_AT(world, actor->cues, uint32_t, i));
        count += cue->tag == tag ? cue->count : 0;
    }
    return count;
}

static bool cue_fill(kn_world *world, kni_cue *cue, const kn_cue_params *params)
{
    cue->instigator = params->instigator;
    cue->causer = params->causer;
    cue->activation = params->activation;
    cue->source_object = params->source_object;
    cue->location = params->location;
    cue->normal = params->normal;
    cue->flags = (params->has_location ? KNI_CUE_HAS_LOCATION : 0u) |
                 (params->has_normal ? KNI_CUE_HAS_NORMAL : 0u);
    cue->magnitude = params->magnitude;
    cue->change = params->change;
    cue->normalised = params->normalised;
    cue->effect_level = params->effect_level;
    cue->ability_level = params->ability_level;
    cue->stacks = params->stacks;
    if (params->targets.size > 0) {
        if (!kni_span_reserve(
                &world->heap, &world->memory, &cue->targets, params->targets.size, 1)) {
            return false;
        }
        memcpy(kni_heap_at(&world->heap, cue->targets.ref), params->targets.data,
            params->targets.size);
        cue->targets.count = params->targets.size;
    }
    uint32_t size =
        params->payload != NULL ? kni_payload_size_of(world, params->payload_type.index1) : 0;
    if (size == 0) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, &cue->payload, size, 1)) {
        return false;
    }
    memcpy(kni_heap_at(&world->heap, cue->payload.ref), params->payload, size);
    cue->payload.count = size;
    cue->payload_type = params->payload_type.index1;
    return true;
}

static void stored_params(const kn_world *world, const kni_cue *cue, kn_cue_params *params)
{
    *params = kn_cue_params_default();
    params->instigator = cue->instigator;
    params->causer = cue->causer;
    params->activation = cue->activation;
    params->source_object = cue->source_object;
    params->location = cue->location;
    params->normal = cue->normal;
    params->has_location = (cue->flags & KNI_CUE_HAS_LOCATION) != 0;
    params->has_normal = (cue->flags & KNI_CUE_HAS_NORMAL) != 0;
    params->magnitude = cue->magnitude;
    params->change = cue->change;
    params->normalised = cue->normalised;
    params->effect_level = cue->effect_level;
    params->ability_level = cue->ability_level;
    params->stacks = cue->stacks;
    params->payload_type.index1 = cue->payload_type;
    params->payload = cue->payload_type != 0 ? kni_heap_at(&world->heap, cue->payload.ref) : NULL;
    params->targets = kni_targets_view(world, &cue->targets);
}

static kn_result cue_add(
    kn_world *world, uint32_t component, kn_tag tag, const kn_cue_params *params)
{
    uint32_t first = cue_find(world, component, tag.index1);
    uint32_t same = cue_find_of(world, component, tag.index1, &params->activation);
    if (same != KNI_NONE) {
        kni_cue_at(world, same)->count++;
        kni_mark(world, component, KN_PART_CUES);
        return KN_OK;
    }
    kni_actor *actor = kni_actor_ensure(world, component);
    uint32_t slot = actor == NULL ? KNI_NONE : kni_pool_acquire(&world->cues, &world->memory);
    uint32_t *place = slot == KNI_NONE ? NULL
                                       : kni_span_push(&world->heap, &world->memory, &actor->cues,
                                             sizeof(uint32_t));
    if (place == NULL) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *place = slot;
    kni_cue *cue = kni_cue_at(world, slot);
    cue->number = kni_number_next(world);
    cue->component = component;
    cue->tag = tag.index1;
    cue->count = 1;
    kni_mark(world, cue->component, KN_PART_CUES);
    if (!cue_fill(world, cue, params)) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (params->activation.index1 != 0) {
        kni_activation *activation = kni_activation_at(world, params->activation.index1 - 1);
        activation->flags |= KNI_ACTIVATION_CUES;
        kni_mark_activation(world, activation);
        place = kni_span_push(&world->heap, &world->memory, &activation->cues, sizeof(uint32_t));
        if (place == NULL) {
            kni_break(world);
            return KN_ERROR_OUT_OF_MEMORY;
        }
        *place = slot;
    }
    if (first == KNI_NONE) {
        kni_cue_event(world, component, tag, KN_CUE_ADDED, params, false);
    }
    return KN_OK;
}

kn_result kn_cue_add(kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *given)
{
    kn_result result = cue_check(world, entity, tag, given);
    if (result == KN_OK && given != NULL && given->activation.index1 != 0 &&
        (!kn_activation_is_alive(world, given->activation) ||
            (kni_activation_at(world, given->activation.index1 - 1)->flags &
                KNI_ACTIVATION_ENDING) != 0)) {
        result = KN_REFUSED_STALE_ID;
    }
    kn_cue_params params;
    if (result == KN_OK) {
        params = params_complete(world, given);
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    if (component == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    if ((kni_component_at(world, component)->flags & KNI_COMPONENT_DYING) != 0) {
        return kni_leave(world, KN_REFUSED_DYING);
    }
    return kni_leave(world, cue_add(world, component, tag, &params));
}

// Removes a record from a list; most that go came last.
static void cue_leave(kn_world *world, kni_span *cues, uint32_t slot)
{
    for (uint32_t i = cues->count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, *cues, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, cues, i, sizeof(uint32_t));
            return;
        }
    }
}

// Publishes the removal of a tag if it was the last.
static void cue_release(kn_world *world, uint32_t slot, bool interrupted)
{
    kni_cue *cue = kni_cue_at(world, slot);
    uint32_t component = cue->component;
    cue->count = 0;
    kni_mark(world, cue->component, KN_PART_CUES);
    if (cue_count(world, component, cue->tag) == 0) {
        kn_cue_params params;
        stored_params(world, cue, &params);
        kni_cue_event(world, component, (kn_tag){cue->tag}, KN_CUE_REMOVED, &params, interrupted);
    }
    cue_leave(world, &kni_actor_of(world, component)->cues, slot);
    uint32_t activation = kni_activation_find(world, kni_cue_at(world, slot)->activation);
    if (activation != KNI_NONE) {
        cue_leave(world, &kni_activation_at(world, activation)->cues, slot);
    }
    kni_span_clear(&world->heap, &kni_cue_at(world, slot)->payload, 1);
    kni_span_clear(&world->heap, &kni_cue_at(world, slot)->targets, 1);
    kni_pool_release(&world->cues, slot);
}

kn_result kn_cue_remove(kn_world *world, kn_entity_id entity, kn_tag tag)
{
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t component = kni_component_find(world, entity);
    uint32_t slot = cue_find_of(world, component, tag.index1, &(kn_activation_id){0});
    slot = slot != KNI_NONE ? slot : cue_find(world, component, tag.index1);
    if (slot == KNI_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    if (kni_cue_at(world, slot)->count > 1) {
        kni_cue_at(world, slot)->count--;
        kni_mark(world, component, KN_PART_CUES);
    } else {
        cue_release(world, slot, false);
    }
    return kni_leave(world, KN_OK);
}

void kni_cues_end(kn_world *world, uint32_t component, bool interrupted)
{
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor != NULL ? actor->cues.count : 0; i-- > 0;) {
        cue_release(world, *KNI_SPAN_AT(world, actor->cues, uint32_t, i), interrupted);
        actor = kni_actor_of(world, component);
    }
}

// The newest first.
void kni_cues_end_with(kn_world *world, uint32_t activation, bool interrupted)
{
    const kni_span *cues = &kni_activation_at(world, activation)->cues;
    while (cues->count > 0) {
        cue_release(world, *KNI_SPAN_AT(world, *cues, uint32_t, cues->count - 1), interrupted);
        cues = &kni_activation_at(world, activation)->cues;
    }
}

uint32_t kn_cues_remove_all(kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    uint32_t count = 0;
    for (uint32_t i = 0; actor != NULL && i < actor->cues.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->cues, uint32_t, i);
        count += cue_find(world, component, kni_cue_at(world, slot)->tag) == slot;
    }
    if (count == 0 || kni_enter(world) != KN_OK) {
        return 0;
    }
    kni_cues_end(world, component, false);
    (void)kni_leave(world, KN_OK);
    return count;
}

// Reading -------------------------------------------------------------------

uint32_t kn_cues(const kn_world *world, kn_entity_id entity, kn_cue_active *out, uint32_t capacity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || kni_cues_are_suppressed(world, component)) {
        return 0;
    }
    uint32_t count = 0;
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = 0; actor != NULL && i < actor->cues.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->cues, uint32_t, i);
        uint32_t tag = kni_cue_at(world, slot)->tag;
        if (cue_find(world, component, tag) != slot) {
            continue; // counted with the first
        }
        if (count < capacity) {
            out[count] = (kn_cue_active){{tag}, cue_count(world, component, tag), {0, 0}};
        }
        count++;
    }
    const kni_component *c = kni_component_at(world, component);
    for (uint32_t i = 0; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        kn_tags tags = kni_type_at(world, kni_effect_at(world, slot)->type)->def.cue_tags;
        for (uint32_t t = 0; kni_effect_shows_cues(world, slot) && t < tags.count; t++) {
            if (count < capacity) {
                out[count] = (kn_cue_active){tags.data[t], 1, kni_effect_id_of(world, slot)};
            }
            count++;
        }
    }
    return count;
}

uint32_t kn_cue_count(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return 0;
    }
    uint32_t count = cue_count(world, component, tag.index1);
    const kni_component *c = kni_component_at(world, component);
    for (uint32_t i = 0; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        kn_tags tags = kni_type_at(world, kni_effect_at(world, slot)->type)->def.cue_tags;
        count += kni_effect_shows_cues(world, slot) && kn_tags_has_exact(tags, tag);
    }
    return count;
}

bool kn_cue_active_params(
    const kn_world *world, kn_entity_id entity, const kn_cue_active *active, kn_cue_params *params)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || active == NULL || params == NULL) {
        return false;
    }
    if (active->effect.index1 == 0) {
        uint32_t slot = cue_find(world, component, active->tag.index1);
        if (slot != KNI_NONE) {
            stored_params(world, kni_cue_at(world, slot), params);
        }
        return slot != KNI_NONE;
    }
    uint32_t slot = kni_effect_find(world, active->effect);
    if (slot == KNI_NONE) {
        return false;
    }
    kn_world *same; // a view for reading only
    memcpy(&same, &world, sizeof(same));
    kn_spec_view spec;
    kni_view_of_effect(same, slot, &spec);
    kni_effect_cue_params(world, &spec, params);
    return true;
}

// Publishes everything that is active on an entity once more.
static void cues_tell(kn_world *world, uint32_t component, kn_cue_action action)
{
    const kni_actor *actor = kni_actor_of(world, component);
    bool interrupted = action == KN_CUE_REMOVED;
    for (uint32_t i = 0; i < actor->cues.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->cues, uint32_t, i);
        const kni_cue *cue = kni_cue_at(world, slot);
        if (cue_find(world, component, cue->tag) == slot) {
            kn_cue_params params;
            stored_params(world, cue, &params);
            kni_cue_event(world, component, (kn_tag){cue->tag}, action, &params, interrupted);
        }
    }
    const kni_component *c = kni_component_at(world, component);
    for (uint32_t i = 0; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        if (kni_effect_shows_cues(world, slot)) {
            kni_effect_cues_publish(world, slot, action, interrupted);
        }
    }
}

kn_result kn_entity_suppress_cues(kn_world *world, kn_entity_id entity, bool suppressed)
{
    kn_result result;
    kni_actor *actor = kni_actor_enter(world, entity, &result);
    if (actor == NULL) {
        return result;
    }
    bool was_suppressed = (actor->flags & KNI_ACTOR_NO_CUES) != 0;
    if (suppressed != was_suppressed) {
        kni_mark(world, actor->component, KN_PART_ENTITY);
    }
    if (suppressed && !was_suppressed) {
        cues_tell(world, actor->component, KN_CUE_REMOVED);
        actor->flags |= KNI_ACTOR_NO_CUES;
    } else if (!suppressed && was_suppressed) {
        actor->flags &= ~(uint32_t)KNI_ACTOR_NO_CUES;
        cues_tell(world, actor->component, KN_CUE_ADDED);
    }
    return kni_leave(world, KN_OK);
}
