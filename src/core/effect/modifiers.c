// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Modifiers that act: their entries in the lists of the values they change, and their magnitudes
// there. Lists are sorted by creation number, which is the order of evaluation.

#include "effect/effect.h"

#include <math.h>
#include <string.h>

bool kni_owned_meets(const kn_world *world, uint32_t effect, uint32_t component)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
    return (type->flags & KNI_EFFECT_OWNED) == 0 ||
           kni_component_meets(world, component, &type->def.owned);
}

static uint32_t mod_find(const kn_world *world, const kni_aggregator *aggregator, uint64_t number,
    uint32_t modifier, bool *found)
{
    uint32_t begin = 0, index = aggregator->mods.count;
    *found = false;
    while (index - begin > 32) { // mostly the latest is wanted, and lists are short
        uint32_t middle = begin + (index - begin) / 2;
        if (KNI_SPAN_AT(world, aggregator->mods, kni_mod, middle)->number <= number) {
            begin = middle;
        } else {
            index = middle;
        }
    }
    while (index > 0) {
        const kni_mod *mod = KNI_SPAN_AT(world, aggregator->mods, kni_mod, index - 1);
        if (mod->number < number || (mod->number == number && mod->modifier < modifier)) {
            break;
        }
        index--;
        if (mod->number == number && mod->modifier == modifier) {
            *found = true;
            break;
        }
    }
    return index;
}

// The magnitude stored at application, else computed from constants.
static float stored_magnitude(const kn_world *world, const kni_effect *effect, uint32_t modifier)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if (effect->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, effect->rare1);
        if (modifier < rare->magnitudes.count) {
            return *KNI_SPAN_AT(world, rare->magnitudes, float, modifier);
        }
    }
    return type->modifiers[modifier].constant;
}

static bool modifier_is_off(const kn_world *world, const kni_effect *effect, uint32_t modifier)
{
    return effect->rare1 != 0 &&
           (kni_rare_at(world, effect->rare1)->off_modifiers >> modifier & 1) != 0;
}

static uint8_t mod_flags(kn_world *world, uint32_t slot, uint32_t modifier, uint32_t component)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_modifier *m = &kni_type_at(world, effect->type)->modifiers[modifier];
    uint8_t flags = 0;
    if (modifier_is_off(world, effect, modifier)) {
        flags |= KNI_MOD_UNMET;
    }
    if (m->has_requirement && m->def->when == KN_REQUIREMENT_TIME_CONTINUOUS) {
        kn_spec_view spec;
        kni_view_of_effect(world, slot, &spec);
        spec.target_component = component;
        flags |= kni_modifier_requirement(&spec, modifier) ? 0 : KNI_MOD_UNMET;
    }
    if (m->def->has_limit_min || m->def->has_limit_max) {
        flags |= KNI_MOD_LIMITED;
    }
    if (m->def->condition.index1 != 0 || !kn_tag_requirement_is_empty(&m->def->event)) {
        flags |= KNI_MOD_CONDITION;
    }
    return flags;
}

kni_mod kni_modifier_entry(kn_world *world, uint32_t slot, uint32_t index, uint32_t component)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_modifier *modifier = &type->modifiers[index];
    kn_spec_view spec = {.world = world, .type = type};
    kni_mod mod = {
        .number = effect->number,
        .effect = slot,
        .magnitude = kni_modifier_scaled(
            &spec, index, stored_magnitude(world, effect, index), effect->stacks),
        .modifier = (uint16_t)index,
        .op = modifier->op,
        .channel = modifier->channel,
        .flags = mod_flags(world, slot, index, component),
        .group_rule = modifier->group_rule,
        .group = modifier->group,
        .priority = modifier->def->priority,
    };
    return mod;
}

// Adds one modifier to its list if it is not there; the caller evaluates.
static uint32_t modifier_attach(kn_world *world, uint32_t slot, uint32_t index, uint32_t component)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_modifier *modifier = &type->modifiers[index];
    uint32_t aggregator;
    if (modifier->attribute == KNI_NONE) {
        aggregator = kni_transient_ensure(world, component, modifier->value);
    } else {
        uint32_t position = kni_position_keyed(
            world, kni_component_at(world, component), modifier->attribute, modifier->key);
        if (position == KNI_NONE) {
            return KNI_NONE; // it waits for its attribute
        }
        aggregator = kni_aggregator_ensure(world, component, position);
    }
    if (aggregator == KNI_NONE) {
        return KNI_NONE;
    }
    bool found;
    uint32_t at =
        mod_find(world, kni_aggregator_at(world, aggregator), effect->number, index, &found);
    if (found) {
        return KNI_NONE;
    }
    kni_mod mod = kni_modifier_entry(world, slot, index, component);
    kni_mod *place = kni_span_insert(&world->heap, &world->memory,
        &kni_aggregator_at(world, aggregator)->mods, at, sizeof(kni_mod));
    if (place == NULL) {
        kni_break(world);
        return KNI_NONE;
    }
    *place = mod;
    kni_mods_changed(kni_aggregator_at(world, aggregator), at);
    return aggregator;
}

static void aggregator_update(kn_world *world, uint32_t aggregator, uint32_t effect)
{
    kni_aggregator a = *kni_aggregator_at(world, aggregator);
    if (!a.is_transient) {
        kni_current_update(world, a.component, a.position, effect);
    }
}

void kni_modifiers_attach(kn_world *world, uint32_t slot, uint32_t component)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0 || !kni_owned_meets(world, slot, component)) {
        return;
    }
    if (type->modifier_count == 1) {
        uint32_t aggregator = modifier_attach(world, slot, 0, component);
        if (aggregator != KNI_NONE) {
            aggregator_update(world, aggregator, slot);
        }
        return;
    }
    // First all modifiers of an effect, so that two on one attribute cause one change.
    kn_effect_id id = kni_effect_id_of(world, slot);
    uint32_t changed[64];
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        changed[i] = modifier_attach(world, slot, i, component);
        for (uint32_t j = 0; j < i; j++) {
            changed[i] = changed[i] == changed[j] ? KNI_NONE : changed[i];
        }
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        if (changed[i] != KNI_NONE && kni_effect_find(world, id) != KNI_NONE &&
            kni_pool_is_live(&world->aggregators, changed[i])) {
            aggregator_update(world, changed[i], slot);
        }
    }
}

static void position_note(kn_world *world, uint32_t position, kni_positions *noted)
{
    for (uint32_t i = 0; i < noted->count; i++) {
        if (noted->data[i] == position) {
            return;
        }
    }
    if (!kni_grow(&world->memory, &noted->data, &noted->capacity, noted->count + 1,
            sizeof(*noted->data))) {
        kni_break(world);
        return;
    }
    noted->data[noted->count++] = position;
}

void kni_modifiers_link(kn_world *world, uint32_t slot, uint32_t component, kni_positions *noted)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0 || !kni_owned_meets(world, slot, component)) {
        return;
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        uint32_t aggregator = modifier_attach(world, slot, i, component);
        if (aggregator != KNI_NONE && !kni_aggregator_at(world, aggregator)->is_transient) {
            position_note(world, kni_aggregator_at(world, aggregator)->position, noted);
        }
    }
}

static uint32_t modifier_list(
    const kn_world *world, const kni_modifier *modifier, uint32_t component)
{
    const kni_component *c = kni_component_at(world, component);
    if (modifier->attribute == KNI_NONE) {
        return kni_transient_find(world, c, modifier->value);
    }
    uint32_t position = kni_position_keyed(world, c, modifier->attribute, modifier->key);
    return position == KNI_NONE ? KNI_NONE : kni_values_of(world, c)[position].aggregator1 - 1;
}

#define MODIFIERS_MAX 64

// Removes the modifiers of an effect from their lists. Writes the positions of the values that have
// to be evaluated and returns how many there are.
KNI_FAST uint32_t modifiers_remove(
    kn_world *world, uint32_t slot, uint32_t component, uint32_t positions[MODIFIERS_MAX])
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return 0;
    }
    uint64_t number = effect->number;
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        uint32_t aggregator = modifier_list(world, &type->modifiers[i], component);
        if (aggregator == KNI_NONE) {
            continue;
        }
        bool found;
        kni_aggregator *a = kni_aggregator_at(world, aggregator);
        uint32_t at = mod_find(world, a, number, i, &found);
        if (!found) {
            continue;
        }
        kni_span_remove(&world->heap, &a->mods, at, sizeof(kni_mod));
        kni_mods_changed(a, at);
        bool known = a->is_transient != 0;
        for (uint32_t j = 0; j < count; j++) {
            known |= positions[j] == a->position;
        }
        if (!known) {
            positions[count++] = a->position;
        }
        kni_aggregator_drop_if_empty(world, aggregator);
    }
    return count;
}

void kni_modifiers_detach(kn_world *world, uint32_t slot, uint32_t component)
{
    uint32_t positions[MODIFIERS_MAX];
    uint32_t count = modifiers_remove(world, slot, component, positions);
    for (uint32_t i = 0; i < count && !world->is_broken; i++) {
        kni_current_update(world, component, positions[i], slot);
    }
}

void kni_modifiers_unlink(kn_world *world, uint32_t slot, uint32_t component, kni_positions *noted)
{
    uint32_t positions[MODIFIERS_MAX];
    uint32_t count = modifiers_remove(world, slot, component, positions);
    for (uint32_t i = 0; i < count; i++) {
        position_note(world, positions[i], noted);
    }
}

// Removes the entries of effects with KNI_ACTIVE_LOOSE from a list on one value; true if there were
// any.
static bool loose_remove(kn_world *world, kni_span *list, size_t size, size_t effect_at)
{
    uint8_t *items = kni_heap_at(&world->heap, list->ref);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t effect;
        memcpy(&effect, items + i * size + effect_at, sizeof(effect));
        if ((kni_effect_at(world, effect)->flags & KNI_ACTIVE_LOOSE) == 0) {
            memmove(items + kept++ * size, items + i * size, size);
        }
    }
    bool any = kept < list->count;
    list->count = kept;
    return any;
}

static bool loose_leave(kn_world *world, uint32_t aggregator)
{
    kni_aggregator *a = kni_aggregator_at(world, aggregator);
    bool any = loose_remove(world, &a->mods, sizeof(kni_mod), offsetof(kni_mod, effect));
    kni_mods_changed(a, 0);
    (void)loose_remove(
        world, &a->dependents, sizeof(kni_dependent), offsetof(kni_dependent, effect));
    kni_aggregator_drop_if_empty(world, aggregator);
    return any;
}

void kni_modifiers_let_go(kn_world *world, uint32_t component)
{
    for (uint32_t i = kni_component_at(world, component)->transients.count; i-- > 0;) {
        const kni_component *c = kni_component_at(world, component);
        (void)loose_leave(world, KNI_SPAN_AT(world, c->transients, kni_value_link, i)->aggregator);
    }
    uint32_t count = world->layouts[kni_component_at(world, component)->layout].value_count;
    for (uint32_t i = 0; i < count && !world->is_broken; i++) {
        uint32_t aggregator1 =
            kni_values_of(world, kni_component_at(world, component))[i].aggregator1;
        if (aggregator1 != 0 && loose_leave(world, aggregator1 - 1)) {
            kni_current_update(world, component, i, KNI_NONE);
        }
    }
}

void kni_targets_walk(kn_world *world, uint32_t slot,
    void (*function)(kn_world *world, uint32_t effect, uint32_t component))
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWNED) == 0) {
        function(world, slot, effect->component);
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    uint32_t owner = effect->component;
    for (uint32_t i = kni_owned_next(world, owner, 0);
         i != KNI_NONE && kni_effect_find(world, id) != KNI_NONE;
         i = kni_owned_next(world, owner, i + 1)) {
        function(world, slot, i);
    }
}

// Writes new magnitudes, stack counts or requirements into the lists. With `update` the values are
// evaluated at once; otherwise those that the running propagation has still to visit are only
// marked.
static void modifiers_refresh(kn_world *world, uint32_t slot, uint32_t component, bool update)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view spec = {.world = world, .type = type};
    uint32_t changed[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        uint32_t aggregator = modifier_list(world, &type->modifiers[i], component);
        bool found = false;
        uint32_t at = aggregator == KNI_NONE ? 0
                                             : mod_find(world, kni_aggregator_at(world, aggregator),
                                                   effect->number, i, &found);
        if (!found) {
            continue;
        }
        float magnitude =
            kni_modifier_scaled(&spec, i, stored_magnitude(world, effect, i), effect->stacks);
        uint8_t flags = mod_flags(world, slot, i, component);
        effect = kni_effect_at(world, slot);
        kni_aggregator *a = kni_aggregator_at(world, aggregator);
        kni_mod *mod = KNI_SPAN_AT(world, a->mods, kni_mod, at);
        if (mod->magnitude == magnitude && mod->flags == flags && !a->is_dirty) {
            continue;
        }
        mod->magnitude = magnitude;
        mod->flags = flags;
        kni_mods_changed(a, at);
        a->is_dirty = 1;
        changed[count++] = aggregator;
    }
    // What the running propagation will not visit is evaluated now.
    for (uint32_t i = 0; i < count; i++) {
        if (kni_effect_find(world, id) != KNI_NONE &&
            kni_pool_is_live(&world->aggregators, changed[i]) &&
            kni_aggregator_at(world, changed[i])->is_dirty &&
            (update || kni_aggregator_at(world, changed[i])->stamp != world->visiting)) {
            kni_aggregator_at(world, changed[i])->is_dirty = 0;
            aggregator_update(world, changed[i], slot);
        }
    }
}

void kni_modifiers_refresh(kn_world *world, uint32_t slot, uint32_t component)
{
    modifiers_refresh(world, slot, component, true);
}

void kni_modifiers_mark(kn_world *world, uint32_t slot, uint32_t component)
{
    modifiers_refresh(world, slot, component, false);
}

bool kni_follow_plain(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_plain_follow *follow = &type->plain_follow;
    kni_rare *rare = kni_rare_at(world, effect->rare1);
    if (effect->stacks != 1 || rare->captures.count != 1 || rare->magnitudes.count != 1) {
        return false;
    }
    uint32_t from =
        follow->from_source ? kni_component_find(world, effect->source) : effect->component;
    uint32_t position = from == KNI_NONE ? KNI_NONE
                                         : kni_position(world, kni_component_at(world, from),
                                               follow->attribute1 - 1);
    if (position == KNI_NONE) {
        return true; // removed: the last value is kept
    }
    float value = kni_values_of(world, kni_component_at(world, from))[position].current;
    float magnitude = follow->scale * (follow->pre + value) + follow->post;
    if (!isfinite(magnitude)) {
        return false; // the general path reports it
    }
    float *captured = KNI_SPAN_AT(world, rare->captures, float, 0);
    if (*captured == value) {
        *captured = value; // perhaps another zero
        return true;
    }
    *captured = value;
    kni_mark_effect(world, slot);
    float *stored = KNI_SPAN_AT(world, rare->magnitudes, float, 0);
    bool changed = *stored != magnitude;
    *stored = magnitude;
    const kni_modifier *modifier = type->modifiers;
    const kni_component *target = kni_component_at(world, effect->component);
    position = kni_position(world, target, modifier->attribute);
    if (!changed || (effect->flags & KNI_ACTIVE_ATTACHED) == 0 || position == KNI_NONE) {
        return true;
    }
    uint32_t aggregator = kni_values_of(world, target)[position].aggregator1 - 1;
    bool found = false;
    uint32_t at = aggregator == KNI_NONE ? 0
                                         : mod_find(world, kni_aggregator_at(world, aggregator),
                                               effect->number, 0, &found);
    if (found) {
        kni_aggregator *a = kni_aggregator_at(world, aggregator);
        KNI_SPAN_AT(world, a->mods, kni_mod, at)->magnitude = magnitude;
        kni_mods_changed(a, at);
        a->is_dirty = a->stamp == world->visiting;
        if (!a->is_dirty) { // the running propagation will not visit it
            aggregator_update(world, aggregator, slot);
        }
    }
    return true;
}

bool kni_magnitudes_compute(kn_world *world, uint32_t slot, bool captured_only)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if (effect->rare1 == 0) {
        return false;
    }
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    bool changed = false;
    for (uint32_t i = 0; i < kni_rare_at(world, effect->rare1)->magnitudes.count; i++) {
        uint32_t first, end;
        kni_modifier_captures(spec.type, i, &first, &end);
        if (captured_only && first == end) {
            continue;
        }
        float value;
        if (kni_modifier_magnitude(&spec, i, &value) != KN_OK) {
            kni_emit_error(world, KN_REFUSED_BAD_NUMBER, spec.target, spec.type->index1, 0, i);
            continue;
        }
        float *stored = KNI_SPAN_AT(world, kni_rare_at(world, effect->rare1)->magnitudes, float, i);
        changed |= *stored != value;
        if (*stored != value || signbit(*stored) != signbit(value)) {
            kni_mark_effect(world, slot); // also for another zero
        }
        *stored = value;
    }
    return changed;
}

bool kni_effect_refresh_all(kn_world *world, uint32_t slot)
{
    bool changed = kni_magnitudes_compute(world, slot, false);
    kni_targets_walk(world, slot, kni_modifiers_refresh);
    return changed;
}
