// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues as the simulation sees them: events with parameters, and what was added and not removed.
// Parameters stand beside the events, in a buffer of their own: most events are no cues.

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

// Parameters ----------------------------------------------------------------

kn_cue_params kn_cue_params_default(void)
{
    kn_cue_params params = {.stacks = 1, .cookie = KNI_COOKIE};
    return params;
}

static uint32_t context_size(const kn_world *world, uint32_t type1)
{
    return type1 == 0 ? 0
                      : KNI_ITEM(world->library, KN_DEF_CONTEXT, kni_context_type, type1 - 1)->size;
}

// Tags an entity shows now.
static uint32_t tags_store(kn_world *world, kn_entity_id entity, uint32_t *offset)
{
    uint32_t count = kn_entity_tags(world, entity, NULL, 0);
    if (count == 0 || !kni_bytes_room(world, count * (uint32_t)sizeof(kn_tag), offset)) {
        return 0;
    }
    kn_tag *out = (kn_tag *)(void *)(world->pending.bytes + *offset);
    return kn_entity_tags(world, entity, out, count);
}

// A new record of parameters; NULL when out of memory.
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
    uint32_t size = context_size(world, type1);
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

// Which parameters an event of the last step has, from the published events; or of the running
// one.
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

// Telling -------------------------------------------------------------------

static bool is_suppressed(const kn_world *world, uint32_t component)
{
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    return actor != NULL && (actor->flags & KNI_ACTOR_NO_CUES) != 0;
}

// The magnitude cues see: of the modifier on the cue attribute, else of the first.
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

static float normalised(const kn_effect_def *def, float magnitude)
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

static bool params_are_finite(const kn_cue_params *params)
{
    return isfinite(params->magnitude) && isfinite(params->change) &&
           isfinite(params->normalised) && isfinite(params->effect_level) &&
           isfinite(params->ability_level) && vector_is_finite(&params->location) &&
           vector_is_finite(&params->normal);
}

// What the game makes of the parameters. Whom it cannot use in an event it may not hand out.
static void params_init(const kn_spec_view *spec, kn_cue_params *params)
{
    const kn_library *library = spec->world->library;
    kn_cue_params own = *params;
    library->cue_init(library->cue_user, spec, &own);
    bool has_payload = own.payload_type.index1 != 0;
    if (own.cookie == KNI_COOKIE && params_are_finite(&own) &&
        own.payload_type.index1 <= library->registries[KN_DEF_CONTEXT].count &&
        has_payload == (own.payload != NULL) &&
        (own.targets.size == 0 || kn_target_is_valid(library, own.targets))) {
        *params = own;
    }
}

// The parameters of an effect's cues, but for the tags.
static void spec_params(const kn_world *world, const kn_spec_view *spec, kn_cue_params *params)
{
    const kni_rare *rare = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1) : NULL;
    *params = kn_cue_params_default();
    params->magnitude = effect_magnitude(spec);
    params->normalised = normalised(&spec->type->def, params->magnitude);
    params->instigator =
        rare != NULL && rare->instigator.index1 != 0 ? rare->instigator : spec->source;
    params->effect_level = spec->level;
    params->stacks = spec->stacks;
    if (rare != NULL) {
        params->causer = rare->causer;
        params->source_object = rare->source_object;
        params->location = rare->origin;
        params->has_location = rare->has_origin != 0;
        params->ability_level = kn_ability_level(world, rare->ability);
        params->payload_type.index1 = rare->payload_type;
        params->payload = rare->payload_type != 0 ? kni_heap_at(&world->heap, rare->payload) : NULL;
        params->targets = kni_targets_view(world, &rare->targets);
    }
    if (world->library->cue_init != NULL) {
        params_init(spec, params);
    }
}

// Puts parameters beside the events; 0 when out of memory.
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

void kni_cues(kn_world *world, const kn_spec_view *spec, kn_cue_action action, bool interrupted)
{
    if (!kni_wants(world, KN_EVENT_CUE) || is_suppressed(world, spec->target_component)) {
        return;
    }
    kn_cue_params params;
    uint64_t *work = world->work; // of rules, which observers must not use up
    world->work = &world->observer_work;
    spec_params(world, spec, &params);
    world->work = work;
    params.change = world->cue_change;
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

static void cue_event(kn_world *world, uint32_t component, kn_tag tag, kn_cue_action action,
    const kn_cue_params *given, bool interrupted)
{
    if (!kni_wants(world, KN_EVENT_CUE) || is_suppressed(world, component)) {
        return;
    }
    kn_entity_id entity = kni_component_entity(world, component);
    uint32_t index1 = params_store(world, given, given->instigator, entity);
    if (index1 == 0) {
        return;
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

// By themselves -------------------------------------------------------------

static kn_result cue_check(
    const kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params)
{
    if (world == NULL || (params != NULL && params->cookie != KNI_COOKIE) ||
        (params != NULL &&
            params->payload_type.index1 > world->library->registries[KN_DEF_CONTEXT].count)) {
        KN_ASSERT(world != NULL);
        if (params != NULL) {
            KNI_ASSERT_DEF(params, kn_cue_params);
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kni_cue_tag_is_good(world->library, tag.index1)) {
        return KN_REFUSED_REQUIREMENT;
    }
    if (params != NULL && params->targets.size > 0 &&
        !kn_target_is_valid(world->library, params->targets)) {
        return KN_ERROR_BAD_DATA;
    }
    return params == NULL || params_are_finite(params) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// What the caller gave, and the level of the ability if one is named.
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
    cue_event(world, component, tag, KN_CUE_EXECUTED, &params, false);
    return kni_leave(world, KN_OK);
}

// The first of a tag, or of those that end with an activation.
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

// How often a cue was added by itself.
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
    uint32_t size = params->payload != NULL ? context_size(world, params->payload_type.index1) : 0;
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
    cue->number = world->next_number++;
    cue->component = component;
    cue->tag = tag.index1;
    cue->count = 1;
    if (!cue_fill(world, cue, params)) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (params->activation.index1 != 0) {
        kni_activation_at(world, params->activation.index1 - 1)->flags |= KNI_ACTIVATION_CUES;
    }
    if (first == KNI_NONE) {
        cue_event(world, component, tag, KN_CUE_ADDED, params, false);
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

// The last removal of a tag is published.
static void cue_release(kn_world *world, uint32_t slot, bool interrupted)
{
    kni_cue *cue = kni_cue_at(world, slot);
    uint32_t component = cue->component;
    cue->count = 0;
    if (cue_count(world, component, cue->tag) == 0) {
        kn_cue_params params;
        stored_params(world, cue, &params);
        cue_event(world, component, (kn_tag){cue->tag}, KN_CUE_REMOVED, &params, interrupted);
    }
    kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor->cues.count; i-- > 0;) {
        if (*KNI_SPAN_AT(world, actor->cues, uint32_t, i) == slot) {
            kni_span_remove(&world->heap, &actor->cues, i, sizeof(uint32_t));
        }
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

// The youngest that ends with an activation.
static uint32_t cue_of_activation(const kn_world *world, kn_activation_id activation)
{
    uint32_t found = KNI_NONE;
    for (uint32_t i = kni_pool_next(&world->cues, 0); i != KNI_NONE;
         i = kni_pool_next(&world->cues, i + 1)) {
        const kni_cue *cue = kni_cue_at(world, i);
        if (kn_activation_id_equal(cue->activation, activation) &&
            (found == KNI_NONE || cue->number > kni_cue_at(world, found)->number)) {
            found = i;
        }
    }
    return found;
}

void kni_cues_end_with(kn_world *world, kn_activation_id activation, bool interrupted)
{
    uint32_t slot;
    while ((slot = cue_of_activation(world, activation)) != KNI_NONE) {
        cue_release(world, slot, interrupted);
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

// Looking at it -------------------------------------------------------------

// Whether the cues of an effect were added.
static bool effect_shows(const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool needs_success = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0;
    return (type->flags & KNI_EFFECT_CUES) != 0 &&
           (effect->flags & (needs_success ? KNI_ACTIVE_CUES : KNI_ACTIVE_INHIBITED)) ==
               (needs_success ? KNI_ACTIVE_CUES : 0);
}

uint32_t kn_cues(const kn_world *world, kn_entity_id entity, kn_cue_active *out, uint32_t capacity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || is_suppressed(world, component)) {
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
        for (uint32_t t = 0; effect_shows(world, slot) && t < tags.count; t++) {
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
        count += effect_shows(world, slot) && kn_tags_has_exact(tags, tag);
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
    kn_world *same; // a view for reading
    memcpy(&same, &world, sizeof(same));
    kn_spec_view spec;
    kni_view_of_effect(same, slot, &spec);
    spec_params(world, &spec, params);
    return true;
}

static void cues_of_effect(kn_world *world, uint32_t slot, kn_cue_action action, bool interrupted)
{
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    kni_cues(world, &spec, action, interrupted);
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

// Whether one of its modifiers is in force.
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
    cues_of_effect(world, slot, KN_CUE_ADDED, false);
}

void kni_effect_cues_end(kn_world *world, uint32_t slot, bool interrupted)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    bool needs_success = (type->def.cue_needs_success & KN_CUE_PHASE_ADDED) != 0;
    bool was_added = !needs_success || (effect->flags & KNI_ACTIVE_CUES) != 0;
    effect->flags &= (uint16_t)~KNI_ACTIVE_CUES;
    if ((type->flags & KNI_EFFECT_CUES) != 0 && was_added) {
        cues_of_effect(world, slot, KN_CUE_REMOVED, interrupted);
    }
}

void kni_effect_cues_changed(kn_world *world, uint32_t slot, bool is_magnitude)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_CUES) == 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return; // not yet in force, or not any more
    }
    if (!effect_shows(world, slot)) {
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

void kni_cue_changes_tell(kn_world *world)
{
    kn_cause cause = world->cause;
    for (uint32_t i = 0; i < world->pending.change_count; i++) {
        kni_cue_change change = world->pending.changes[i];
        uint32_t slot = kni_effect_find(world, change.effect);
        if (slot == KNI_NONE) {
            continue;
        }
        kni_effect_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVE_CHANGED;
        if (effect_shows(world, slot)) {
            world->cause = change.cause;
            cues_of_effect(world, slot, KN_CUE_UPDATED, false);
        }
    }
    world->cause = cause;
    world->pending.change_count = 0;
}

// Tells everything that is active on an entity once more.
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
            cue_event(world, component, (kn_tag){cue->tag}, action, &params, interrupted);
        }
    }
    const kni_component *c = kni_component_at(world, component);
    for (uint32_t i = 0; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        if (effect_shows(world, slot)) {
            cues_of_effect(world, slot, action, interrupted);
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
    if (suppressed && !was_suppressed) {
        cues_tell(world, actor->component, KN_CUE_REMOVED);
        actor->flags |= KNI_ACTOR_NO_CUES;
    } else if (!suppressed && was_suppressed) {
        actor->flags &= ~(uint32_t)KNI_ACTOR_NO_CUES;
        cues_tell(world, actor->component, KN_CUE_ADDED);
    }
    return kni_leave(world, KN_OK);
}
