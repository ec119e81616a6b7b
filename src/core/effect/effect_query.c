// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finding, removing and changing active effects, stacks that belong to holders, and effect types
// registered at run time.

#include "effect/effect.h"

#include <math.h>

// Removing one --------------------------------------------------------------

// Updates an effect after `count` timers of its stacks were removed.
static void timers_removed(kn_world *world, uint32_t slot, uint32_t count, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if (count >= effect->stacks) {
        kni_effect_end(world, slot, reason);
        return;
    }
    kni_stacks_reschedule(world, slot);
    kni_effect_set_count(world, slot, effect->stacks - count, reason);
}

static void remove_stacks(kn_world *world, uint32_t slot, uint32_t stacks, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if (stacks == 0 || stacks >= effect->stacks) {
        kni_effect_end(world, slot, reason);
        return;
    }
    if (kni_is_held(world)) {
        (void)kni_postpone(world, &(kni_call){.kind = KNI_CALL_EFFECT_REMOVE,
                                      .index1 = slot + 1,
                                      .generation = (uint32_t)effect->number,
                                      .number = stacks,
                                      .reason = (uint32_t)reason});
        return;
    }
    if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWN_TIMERS) != 0) {
        // The oldest are removed first.
        kni_mark_effect(world, slot);
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        for (uint32_t i = 0; i < stacks; i++) {
            kni_span_remove(&world->heap, &rare->stacks, 0, sizeof(kni_stack));
        }
        timers_removed(world, slot, stacks, reason);
        return;
    }
    kni_effect_set_count(world, slot, effect->stacks - stacks, reason);
}

// Stacks of holders ----------------------------------------------------------

void kni_claim_begin(kn_world *world, kn_effect_id id, const kni_put *put)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return;
    }
    uint32_t flags = kni_type_at(world, kni_effect_at(world, slot)->type)->flags;
    if ((flags & (KNI_EFFECT_STACKS | KNI_EFFECT_OWN_TIMERS)) != KNI_EFFECT_STACKS ||
        !kni_effect_rare_ensure(world, slot)) {
        return; // it does not share stacks, or knows each stack's holder
    }
    kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    rare->held += put->claim.stacks;
    rare->spare += put->spare;
}

// For stacks with timers of their own: removes those that are held and still run.
static void timers_let_go(kn_world *world, uint32_t slot, const kni_claim *hold, uint32_t *count)
{
    kni_mark_effect(world, slot);
    kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    for (uint32_t i = 0; i < rare->stacks.count && *count < hold->stacks;) {
        const kni_stack *stack = KNI_SPAN_AT(world, rare->stacks, kni_stack, i);
        if (stack->start == hold->start && kn_entity_id_equal(stack->source, hold->source)) {
            kni_span_remove(&world->heap, &rare->stacks, i, sizeof(kni_stack));
            (*count)++;
        } else {
            i++;
        }
    }
}

void kni_claim_end(
    kn_world *world, kn_effect_id id, const kni_claim *hold, kn_removal_reason reason)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return;
    }
    if (kni_is_held(world)) {
        kni_queued *queued = kni_react(world, KNI_REACT_LET_GO);
        queued->effect.id = id;
        queued->effect.hold = *hold;
        queued->effect.reason = reason;
        return;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    uint32_t flags = kni_type_at(world, effect->type)->flags;
    uint32_t take = hold->stacks != 0 ? hold->stacks : 1;
    if ((flags & KNI_EFFECT_STACKS) == 0) {
        kni_effect_end(world, slot, reason);
        return;
    }
    if ((flags & KNI_EFFECT_OWN_TIMERS) != 0 && hold->stacks != 0) {
        uint32_t count = 0;
        timers_let_go(world, slot, hold, &count);
        timers_removed(world, slot, count, reason);
        return;
    }
    if (effect->rare1 != 0) {
        // Stacks that the limit had no room for go first. Others may hold all that is left.
        kni_mark_effect(world, slot);
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        rare->held -= take < rare->held ? take : rare->held;
        uint32_t spare = take < rare->spare ? take : rare->spare;
        rare->spare -= spare;
        take -= spare;
        uint32_t free =
            effect->stacks - (rare->held < effect->stacks ? rare->held : effect->stacks);
        take = take < free ? take : free;
    }
    if (take > 0) {
        remove_stacks(world, slot, take, reason);
    }
}

kn_result kn_effect_remove(
    kn_world *world, kn_effect_id id, uint32_t stacks, kn_removal_reason reason)
{
    if (reason < KN_REMOVED_EXPIRED || reason >= KN_REMOVAL_REASON_COUNT) {
        KN_ASSERT(reason >= KN_REMOVED_EXPIRED && reason < KN_REMOVAL_REASON_COUNT);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_cause previous;
    bool has_cause =
        kni_cause_begin(world, KN_CAUSE_REMOVE, kni_component_entity(world, effect->component), id,
            kni_type_id(kni_type_at(world, effect->type)), 0, &previous);
    remove_stacks(world, slot, stacks, reason);
    if (has_cause) {
        kni_cause_end(world, previous);
    }
    return kni_leave(world, KN_OK);
}

// Queries -------------------------------------------------------------------

static bool query_is_empty(const kn_effect_query *query)
{
    return query->type.index1 == 0 && query->any_tags.count == 0 && query->all_tags.count == 0 &&
           query->asset_tags.count == 0 && query->granted_tags.count == 0 &&
           query->tag_query == NULL && kn_tag_requirement_is_empty(&query->source_tags) &&
           query->source.index1 == 0 && !query->has_source_object && query->modifies.index1 == 0 &&
           query->ignore_count == 0 && query->predicate == NULL;
}

static bool view_has_tag(const void *subject, uint32_t tag, bool exact)
{
    return kni_spec_has_tag(subject, tag, exact, true, true);
}

// Reading only, but a view of a spec contains its world in the form that rules get.
static void view_of_effect(const kn_world *world, uint32_t slot, kn_spec_view *view)
{
    kn_world *same;
    memcpy(&same, &world, sizeof(same));
    kni_view_of_effect(same, slot, view);
}

// Whether a type is the wanted one or descends from it, over any number of generations.
static bool type_is(const kn_world *world, uint32_t type1, uint32_t wanted1)
{
    for (uint32_t i = 0; type1 != 0 && i < 64; i++) {
        if (type1 == wanted1) {
            return true;
        }
        type1 = kni_type_at(world, type1 - 1)->parent1;
    }
    return false;
}

static bool query_matches(const kn_world *world, const kn_effect_query *query, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if (query->type.index1 != 0 && !type_is(world, effect->type + 1u, query->type.index1)) {
        return false;
    }
    if (query->source.index1 != 0 && !kn_entity_id_equal(query->source, effect->source)) {
        return false;
    }
    for (uint32_t i = 0; i < query->ignore_count; i++) {
        if (kn_effect_id_equal(query->ignore[i], kni_effect_id_of(world, slot))) {
            return false;
        }
    }
    kn_spec_view view;
    view_of_effect(world, slot, &view);
    if (query->has_source_object && query->source_object != kn_spec_view_source_object(&view)) {
        return false;
    }
    if (query->any_tags.count > 0 && !kni_spec_has_any_tag(&view, query->any_tags, true, true)) {
        return false;
    }
    for (uint32_t i = 0; i < query->all_tags.count; i++) {
        if (!kni_spec_has_tag(&view, query->all_tags.data[i].index1, false, true, true)) {
            return false;
        }
    }
    if (query->asset_tags.count > 0 &&
        !kni_spec_has_any_tag(&view, query->asset_tags, true, false)) {
        return false;
    }
    if (query->granted_tags.count > 0 &&
        !kni_spec_has_any_tag(&view, query->granted_tags, false, true)) {
        return false;
    }
    if (query->tag_query != NULL && !kni_tag_query_eval(query->tag_query, view_has_tag, &view)) {
        return false;
    }
    if (!kn_tag_requirement_is_empty(&query->source_tags) &&
        !kni_source_meets(&view, &query->source_tags)) {
        return false;
    }
    if (query->modifies.index1 != 0) {
        bool found = false;
        for (uint32_t i = 0; i < view.type->modifier_count && !found; i++) {
            found = view.type->modifiers[i].attribute + 1 == query->modifies.index1;
        }
        if (!found) {
            return false;
        }
    }
    return query->predicate == NULL ||
           query->predicate(query->user, world, kni_effect_id_of(world, slot));
}

bool kn_effect_matches(const kn_world *world, kn_effect_id effect, const kn_effect_query *query)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE || query == NULL || query->cookie != KN_COOKIE) {
        KN_ASSERT_DEF(query, kn_effect_query);
        return false;
    }
    return query_matches(world, query, slot);
}

uint32_t kn_effects_find(const kn_world *world, kn_entity_id entity, const kn_effect_query *query,
    kn_effect_id *out, uint32_t capacity)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || query == NULL || query->cookie != KN_COOKIE) {
        KN_ASSERT_DEF(query, kn_effect_query);
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < kni_component_at(world, slot)->effects.count; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, kni_component_at(world, slot)->effects, uint32_t, i);
        if (query_matches(world, query, effect)) {
            if (count < capacity) {
                out[count] = kni_effect_id_of(world, effect);
            }
            count++;
        }
    }
    return count;
}

// Removes the modifiers of many effects, which are about to be removed, from their target at once.
// Otherwise each value would be evaluated with all the others after each removal. False if they are
// few.
static bool many_let_go(kn_world *world, uint32_t slot, const kn_effect_query *query)
{
    kni_span effects = kni_component_at(world, slot)->effects;
    if (effects.count <= KNI_EFFECTS_MANY) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < effects.count; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, effects, uint32_t, i);
        if (query_matches(world, query, effect)) {
            kni_effect_at(world, effect)->flags |= KNI_ACTIVE_LOOSE;
            count++;
        }
    }
    if (count > KNI_EFFECTS_MANY) {
        kni_modifiers_let_go(world, slot);
        return true;
    }
    for (uint32_t i = 0; i < effects.count; i++) {
        kni_effect_at(world, *KNI_SPAN_AT(world, effects, uint32_t, i))->flags &=
            (uint16_t)~KNI_ACTIVE_LOOSE;
    }
    return false;
}

kn_result kn_effects_remove(kn_world *world, kn_entity_id entity, const kn_effect_query *query,
    uint32_t stacks, kn_removal_reason reason, uint32_t *removed)
{
    if (removed != NULL) {
        *removed = 0;
    }
    if (query == NULL || query->cookie != KN_COOKIE || query_is_empty(query) ||
        reason < KN_REMOVED_EXPIRED || reason >= KN_REMOVAL_REASON_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE) {
        return KN_OK;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    bool are_many = stacks == 0 && !kni_is_held(world) && many_let_go(world, slot, query);
    // From newest to oldest: a removal may remove others too, so the list shrinks from the end.
    for (uint32_t i = kni_component_at(world, slot)->effects.count; i-- > 0;) {
        const kni_component *component = kni_component_at(world, slot);
        if (i >= component->effects.count) {
            continue;
        }
        uint32_t effect = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        if (are_many ? (kni_effect_at(world, effect)->flags & KNI_ACTIVE_LOOSE) != 0
                     : query_matches(world, query, effect)) {
            remove_stacks(world, effect, stacks, reason);
            if (removed != NULL) {
                (*removed)++;
            }
        }
    }
    return kni_leave(world, KN_OK);
}

uint32_t kn_effects_count(const kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_component_find(world, entity);
    return slot == KNI_NONE ? 0 : kni_component_at(world, slot)->effects.count;
}

static kn_time effect_remaining(const kn_world *world, const kni_effect *effect)
{
    if (effect->duration == KN_TIME_INFINITE) {
        return KN_TIME_INFINITE;
    }
    kn_time end = kni_effect_end_time(effect);
    if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWN_TIMERS) != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        for (uint32_t i = 0; i < rare->stacks.count; i++) {
            kn_time stack = KNI_SPAN_AT(world, rare->stacks, kni_stack, i)->end;
            end = stack > end ? stack : end;
        }
        if (kni_type_at(world, effect->type)->def.stacking.common_timer &&
            rare->base_duration < end) {
            end = rare->base_duration;
        }
    }
    return end == KN_TIME_INFINITE ? end : end - world->now;
}

bool kn_effects_remaining(const kn_world *world, kn_entity_id entity, const kn_effect_query *query,
    kn_time *remaining, kn_time *duration)
{
    *remaining = 0;
    *duration = 0;
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || query == NULL || query->cookie != KN_COOKIE || query_is_empty(query)) {
        return false;
    }
    bool found = false;
    const kni_component *component = kni_component_at(world, slot);
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t index = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        if (!query_matches(world, query, index)) {
            continue;
        }
        const kni_effect *effect = kni_effect_at(world, index);
        kn_time left = effect_remaining(world, effect);
        if (!found || left > *remaining) {
            *remaining = left;
            *duration = effect->duration;
            found = true;
        }
    }
    return found;
}

// Reading one ---------------------------------------------------------------

bool kn_effect_is_alive(const kn_world *world, kn_effect_id effect)
{
    return kni_effect_find(world, effect) != KNI_NONE;
}

uint32_t kn_effect_stacks(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    return slot == KNI_NONE ? 0 : kni_effect_at(world, slot)->stacks;
}

kn_time kn_effect_remaining(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    return slot == KNI_NONE ? 0 : effect_remaining(world, kni_effect_at(world, slot));
}

bool kn_effect_get(const kn_world *world, kn_effect_id id, kn_effect_info *info)
{
    if (info == NULL) {
        return false;
    }
    memset(info, 0, sizeof(*info));
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return false;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    *info = (kn_effect_info){
        .type = {effect->type + 1u},
        .target = kni_component_entity(world, effect->component),
        .source = effect->source,
        .instigator = effect->source,
        .level = effect->level,
        .stacks = effect->stacks,
        .start = effect->start,
        .duration = effect->duration,
        .remaining = effect_remaining(world, effect),
        .period = kni_effect_period(world, effect),
        .next_tick =
            effect->next_tick > kni_effect_end_time(effect) ? KN_TIME_INFINITE : effect->next_tick,
        .executions = effect->executions,
        .is_inhibited = (effect->flags & KNI_ACTIVE_INHIBITED) != 0,
    };
    if (effect->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        info->instigator = rare->instigator.index1 != 0 ? rare->instigator : effect->source;
        info->causer = rare->causer;
        info->origin = rare->origin;
        info->has_origin = rare->has_origin != 0;
        info->source_object = rare->source_object;
        info->tally_loss = rare->tally_loss;
        info->tally_gain = rare->tally_gain;
    }
    return true;
}

float kn_effect_magnitude(const kn_world *world, kn_effect_id id, uint32_t modifier)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return 0.0f;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if (modifier >= type->modifier_count) {
        return 0.0f;
    }
    float magnitude = type->modifiers[modifier].constant;
    if (effect->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        if (modifier < rare->magnitudes.count) {
            magnitude = *KNI_SPAN_AT(world, rare->magnitudes, float, modifier);
        }
    }
    kn_spec_view view;
    view_of_effect(world, slot, &view);
    return kni_modifier_scaled(&view, modifier, magnitude, effect->stacks);
}

float kn_effect_caller_value(const kn_world *world, kn_effect_id id, kn_tag tag, float fallback)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE || kni_effect_at(world, slot)->rare1 == 0) {
        return fallback;
    }
    const kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    const kni_pair *pair = kni_pairs_find(world, &rare->caller, tag.index1);
    return pair != NULL ? pair->value : fallback;
}

const void *kn_effect_state(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE || kni_effect_at(world, slot)->rare1 == 0) {
        return NULL;
    }
    kni_ref ref = kni_rare_at(world, kni_effect_at(world, slot)->rare1)->state;
    const kni_logic_frame *running = kni_logic_running(world, id);
    return ref != 0 && running != NULL ? running->state
           : ref != 0                  ? kni_heap_at(&world->heap, ref)
                                       : NULL;
}

const void *kn_effect_payload(const kn_world *world, kn_effect_id id, kn_context_type_id type)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE || kni_effect_at(world, slot)->rare1 == 0) {
        return NULL;
    }
    const kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    return type.index1 != 0 && rare->payload_type == type.index1
               ? kni_heap_at(&world->heap, rare->payload)
               : NULL;
}

kn_target_view kn_effect_targets(const kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    uint32_t rare1 = slot != KNI_NONE ? kni_effect_at(world, slot)->rare1 : 0;
    return rare1 != 0 ? kni_targets_view(world, &kni_rare_at(world, rare1)->targets)
                      : (kn_target_view){NULL, 0};
}

// Changing one --------------------------------------------------------------

// Recomputes everything that depends on level and values. Cues are updated if their magnitude
// changed; `cue` is the magnitude they had before, NaN if it is not known.
static void effect_refresh(kn_world *world, uint32_t slot, bool is_level, float cue)
{
    if (is_level) {
        kni_mark_effect(world, slot); // other changes are marked where they are found
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    bool changed = kni_effect_refresh_all(world, slot);
    if (kni_effect_find(world, id) != KNI_NONE) {
        kni_effect_times_follow(world, slot);
        if (changed || is_level) {
            kni_effect_cues_changed(world, slot, kni_cue_magnitude(world, slot) != cue);
        }
    }
}

kn_result kn_effect_set_level(kn_world *world, kn_effect_id id, float level)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!isfinite(level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    result = kni_effect_times_check(world, slot, level);
    if (result == KN_OK) {
        bool is_new = kni_effect_at(world, slot)->level != level;
        float cue = kni_cue_magnitude(world, slot);
        kni_effect_at(world, slot)->level = level;
        effect_refresh(world, slot, is_new, cue);
    }
    return kni_leave(world, result);
}

kn_result kn_effect_set_stacks(kn_world *world, kn_effect_id id, uint32_t stacks)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if (stacks == 0 || stacks > UINT32_MAX / 2 ||
        ((type->flags & KNI_EFFECT_OWN_TIMERS) != 0 && stacks > effect->stacks)) {
        return KN_REFUSED_LIMIT; // each stack would need a timer
    }
    float limit = 0.0f;
    kn_spec_view view;
    kni_view_of_effect(world, slot, &view);
    if (kni_scalable(&view, &type->def.stacking.limit, &limit) == KN_OK && limit > 0.0f &&
        (float)stacks > limit) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    effect = kni_effect_at(world, slot);
    if (kni_is_held(world)) {
        (void)kni_postpone(world, &(kni_call){.kind = KNI_CALL_EFFECT_STACKS,
                                      .index1 = id.index1,
                                      .generation = id.generation,
                                      .number = stacks});
    } else if (stacks < effect->stacks) {
        remove_stacks(world, slot, effect->stacks - stacks, KN_REMOVED_BY_CALL);
    } else {
        kni_effect_set_count(world, slot, stacks, (kn_removal_reason)0);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_effect_set_caller_value(kn_world *world, kn_effect_id id, kn_tag tag, float value)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    if (!kni_effect_rare_ensure(world, slot)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    const kni_pair *pair = kni_pairs_find(world, &rare->caller, tag.index1);
    bool was_there = pair != NULL;
    float old = was_there ? pair->value : 0.0f;
    float cue = kni_cue_magnitude(world, slot);
    if (!kni_pairs_set(world, &rare->caller, tag.index1, value)) {
        kni_break(world);
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    result = kni_effect_times_check(world, slot, kni_effect_at(world, slot)->level);
    if (result == KN_OK) {
        effect_refresh(world, slot, false, cue);
    } else if (was_there) {
        (void)kni_pairs_set(world, &rare->caller, tag.index1, old);
    } else {
        kni_pairs_remove(world, &rare->caller, tag.index1);
    }
    return kni_leave(world, result);
}

kn_result kn_effect_refresh(kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    effect_refresh(world, slot, false, NAN);
    return kni_leave(world, KN_OK);
}

kn_result kn_effect_execute(kn_world *world, kn_effect_id id)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_PERIODIC) == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if ((effect->flags & KNI_ACTIVE_INHIBITED) != 0) {
        return KN_REFUSED_REQUIREMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_tick(world, slot);
    return kni_leave(world, KN_OK);
}

// Types made at run time ----------------------------------------------------

// The same def is the same type, so that "build, apply, forget" does not accumulate types.
static uint32_t dynamic_find(const kn_world *world, const kn_effect_def *def)
{
    kni_hash hash = kni_hash_begin(7);
    kni_def_hash(world->library, &kni_effect_def_table, def, &hash);
    uint64_t wanted = kni_hash_end(&hash);
    for (uint32_t i = world->library->registries[KN_DEF_EFFECT].count; i < world->type_count; i++) {
        kni_hash other = kni_hash_begin(7);
        kni_def_hash(world->library, &kni_effect_def_table, &world->types[i]->def, &other);
        if (kni_hash_end(&other) == wanted) {
            return i;
        }
    }
    return KNI_NONE;
}

kn_result kni_dynamic_type_add(
    kn_world *world, const kn_effect_def *def, uint32_t *index, kn_error *error)
{
    kni_memory *memory = &world->memory;
    if (world->type_count >= UINT16_MAX) {
        return kni_error(error, KN_REFUSED_LIMIT, "a world has at most 65534 effect types");
    }
    if (!kni_grow(memory, &world->types, &world->type_capacity, world->type_count + 1,
            sizeof(*world->types))) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for effect `%s`", def->name);
    }
    kni_effect_type *type = kni_realloc(memory, NULL, 0, sizeof(*type));
    if (type == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for effect `%s`", def->name);
    }
    memset(type, 0, sizeof(*type));
    type->name = kni_strdup(memory, def->name);
    type->index1 = world->type_count + 1;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    if (type->name != NULL && kni_def_copy(memory, &kni_effect_def_table, &type->def, def)) {
        result = kni_effect_type_compile(world->library, memory, type, error);
    }
    if (result != KN_OK) {
        kni_effect_type_free(memory, type);
        kni_strfree(memory, type->name);
        kni_free(memory, type, sizeof(*type));
        return kni_error(error, result, "out of memory for effect `%s`", def->name);
    }
    world->keeps_source_tags |= kni_type_filters_sources(type);
    world->types[world->type_count] = type;
    *index = world->type_count++;
    return KN_OK;
}

kn_result kn_world_effect_register(
    kn_world *world, const kn_effect_def *def, kn_effect_type_id *out, kn_error *error)
{
    out->index1 = 0;
    if (world == NULL || def == NULL || def->cookie != KN_COOKIE || def->name == NULL ||
        def->name[0] == 0) {
        KN_ASSERT(world != NULL);
        KN_ASSERT_DEF(def, kn_effect_def);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "start an effect def from kn_effect_def_default() and give it a name");
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        if (def->children != NULL && def->children[i].type.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: in a finished library, refer to children by id", def->name);
        }
    }
    kn_result result = kni_effect_type_check(world->library, def, error);
    if (result != KN_OK) {
        return result;
    }
    uint32_t index = dynamic_find(world, def);
    if (index == KNI_NONE) {
        if (kni_ref_find(world->library, KN_DEF_EFFECT, def->name) != 0) {
            return kni_error(
                error, KN_REFUSED_DUPLICATE, "the library already has an effect `%s`", def->name);
        }
        for (uint32_t i = world->library->registries[KN_DEF_EFFECT].count; i < world->type_count;
             i++) {
            if (strcmp(world->types[i]->name, def->name) == 0) {
                return kni_error(error, KN_REFUSED_DUPLICATE,
                    "the world already has a different effect `%s`", def->name);
            }
        }
        result = kni_dynamic_type_add(world, def, &index, error);
        if (result != KN_OK) {
            return result;
        }
    }
    out->index1 = index + 1;
    return KN_OK;
}

const kn_effect_def *kn_effect_type_get_def(const kn_world *world, kn_effect_type_id type)
{
    return world == NULL || type.index1 == 0 || type.index1 > world->type_count
               ? NULL
               : &world->types[type.index1 - 1]->def;
}
