// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of an active effect after it was stored: putting its modifiers, tags and gates in force
// and taking them out, switching off and on, counting stacks, executing, ending.

#include "ability/actor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Modifiers in force --------------------------------------------------------

static bool owned_meets(const kn_world *world, uint32_t effect, uint32_t component)
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
    while (index - begin > 32) { // most look for the latest, and lists are short
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

// Magnitude as stored at application, else computed from constants.
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

// Adds one modifier to its list if it is not there; evaluating is the caller's.
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
            return KNI_NONE; // parked
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
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0 || !owned_meets(world, slot, component)) {
        return;
    }
    if (type->modifier_count == 1) {
        uint32_t aggregator = modifier_attach(world, slot, 0, component);
        if (aggregator != KNI_NONE) {
            aggregator_update(world, aggregator, slot);
        }
        return;
    }
    // All of an effect's modifiers first, so that two on one attribute make one change.
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

void kni_modifiers_detach(kn_world *world, uint32_t slot, uint32_t component)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return;
    }
    uint64_t number = effect->number;
    uint32_t positions[64];
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
        bool known = a->is_transient != 0;
        for (uint32_t j = 0; j < count; j++) {
            known |= positions[j] == a->position;
        }
        if (!known) {
            positions[count++] = a->position;
        }
        kni_aggregator_drop_if_empty(world, aggregator);
    }
    for (uint32_t i = 0; i < count && !world->is_broken; i++) {
        kni_current_update(world, component, positions[i], slot);
    }
}

// Takes entries of effects with KNI_ACTIVE_LOOSE out of a list on one value; true if there were
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

// Calls a function for every component an effect's modifiers act on.
static void targets_walk(kn_world *world, uint32_t slot,
    void (*function)(kn_world *world, uint32_t effect, uint32_t component))
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWNED) == 0) {
        function(world, slot, effect->component);
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_entity_id owner = kni_component_entity(world, effect->component);
    for (uint32_t i = kni_pool_next(&world->components, 0);
         i != KNI_NONE && kni_effect_find(world, id) != KNI_NONE;
         i = kni_pool_next(&world->components, i + 1)) {
        if (kn_entity_id_equal(kni_component_at(world, i)->owner, owner)) {
            function(world, slot, i);
        }
    }
}

// New magnitudes, stack counts or requirements into the lists. `update`: evaluate at once; else
// the lists that the running propagation still comes to are only marked.
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
        a->is_dirty = 1;
        changed[count++] = aggregator;
    }
    uint32_t stamp =
        world->stamp; // of the running propagation; what it will not come to is due now
    for (uint32_t i = 0; i < count; i++) {
        if (kni_effect_find(world, id) != KNI_NONE &&
            kni_pool_is_live(&world->aggregators, changed[i]) &&
            kni_aggregator_at(world, changed[i])->is_dirty &&
            (update || kni_aggregator_at(world, changed[i])->stamp != stamp)) {
            kni_aggregator_at(world, changed[i])->is_dirty = 0;
            aggregator_update(world, changed[i], slot);
        }
    }
}

void kni_modifiers_refresh(kn_world *world, uint32_t slot, uint32_t component)
{
    modifiers_refresh(world, slot, component, true);
}

static void modifiers_mark(kn_world *world, uint32_t slot, uint32_t component)
{
    modifiers_refresh(world, slot, component, false);
}

// Recomputes the stored magnitudes. An unusable number leaves the old one and is reported.
// `captured_only`: those that read attributes; the others would change lists that nobody who
// propagates looks at.
static bool magnitudes_compute(kn_world *world, uint32_t slot, bool captured_only)
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
        *stored = value;
    }
    return changed;
}

bool kni_magnitudes_compute(kn_world *world, uint32_t slot)
{
    return magnitudes_compute(world, slot, false);
}

bool kni_effect_refresh_all(kn_world *world, uint32_t slot)
{
    bool changed = kni_magnitudes_compute(world, slot);
    targets_walk(world, slot, kni_modifiers_refresh);
    return changed;
}

// Captures ------------------------------------------------------------------

static void dependent_change(kn_world *world, const kn_spec_view *spec, uint32_t component,
    uint32_t attribute, uint32_t key, uint32_t kinds, bool add)
{
    if (component == KNI_NONE) {
        return;
    }
    uint32_t position =
        kni_position_keyed(world, kni_component_at(world, component), attribute, key);
    if (position == KNI_NONE) {
        return;
    }
    if (add) {
        kni_dependent_add(world, component, position, spec->effect, kinds);
    } else {
        kni_dependent_remove(world, component, position, spec->effect);
    }
}

static void conditions_register(
    kn_world *world, const kn_spec_view *spec, const kn_conditions *conditions, bool add)
{
    for (uint32_t i = 0; i < conditions->attribute_count; i++) {
        const kn_attribute_condition *condition = &conditions->attributes[i];
        uint32_t component = condition->from == KN_CAPTURE_FROM_SOURCE ? spec->source_component
                                                                       : spec->target_component;
        dependent_change(world, spec, component, condition->attribute.index1 - 1, condition->key,
            KNI_DEPENDS_CONDITION, add);
        if (condition->relative_to.index1 != 0) {
            dependent_change(world, spec, component, condition->relative_to.index1 - 1,
                condition->key, KNI_DEPENDS_CONDITION, add);
        }
    }
}

// The effect in the list of those that read from a component elsewhere.
static void reader_change(kn_world *world, uint32_t effect, uint32_t component, bool add)
{
    if (component == KNI_NONE || component == kni_effect_at(world, effect)->component) {
        return;
    }
    kni_component *c = kni_component_at(world, component);
    uint64_t number = kni_effect_at(world, effect)->number;
    uint32_t index = c->dependents.count;
    while (index > 0) {
        uint32_t other = *KNI_SPAN_AT(world, c->dependents, uint32_t, index - 1);
        if (other == effect) {
            if (!add) {
                kni_span_remove(&world->heap, &c->dependents, index - 1, sizeof(uint32_t));
            }
            return;
        }
        if (add && kni_effect_at(world, other)->number < number) {
            break;
        }
        index--;
    }
    if (add) {
        uint32_t *place =
            kni_span_insert(&world->heap, &world->memory, &c->dependents, index, sizeof(uint32_t));
        if (place == NULL) {
            kni_break(world);
            return;
        }
        *place = effect;
    }
}

void kni_captures_register(kn_world *world, uint32_t slot, bool add)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    const uint32_t interesting = KNI_EFFECT_LIVE | KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL |
                                 KNI_EFFECT_SOURCE_WATCH | KNI_EFFECT_ENDS_WITH_SOURCE;
    if ((type->flags & interesting) == 0) {
        return;
    }
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    bool reads_source =
        (type->flags & (KNI_EFFECT_SOURCE_WATCH | KNI_EFFECT_ENDS_WITH_SOURCE)) != 0;
    bool reads_causer = false;
    for (uint32_t i = 0; i < type->capture_count; i++) {
        if (type->captures[i].is_live) {
            const kn_capture *capture = type->captures[i].capture;
            reads_source |= capture->from == KN_CAPTURE_FROM_SOURCE;
            reads_causer |= capture->from == KN_CAPTURE_FROM_CAUSER;
            dependent_change(world, &spec, kni_capture_component(&spec, capture->from),
                capture->attribute.index1 - 1, capture->key, KNI_DEPENDS_CAPTURE, add);
        }
    }
    const kn_conditions *conditions[2] = {&type->def.ongoing, &type->def.removal};
    for (uint32_t i = 0; i < 2; i++) {
        conditions_register(world, &spec, conditions[i], add);
        for (uint32_t j = 0; j < conditions[i]->attribute_count; j++) {
            reads_source |= conditions[i]->attributes[j].from == KN_CAPTURE_FROM_SOURCE;
        }
    }
    if (reads_source) {
        // A source without a component gets one: somebody must know its readers.
        uint32_t source = kni_entity_find(world, spec.source);
        if (add && source != KNI_NONE && spec.source_component == KNI_NONE) {
            spec.source_component = kni_component_ensure(world, source);
        }
        reader_change(world, slot, spec.source_component, add);
    }
    if (reads_causer) {
        reader_change(world, slot, kni_capture_component(&spec, KN_CAPTURE_FROM_CAUSER), add);
    }
}

// Something a live capture reads has changed. Lists are only marked: whoever propagates evaluates
// them in order.
void kni_captures_changed(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_LIVE) == 0 || effect->rare1 == 0) {
        return;
    }
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    float cue = kni_cue_magnitude(world, slot);
    bool changed = false;
    for (uint32_t i = 0; i < type->capture_count; i++) {
        float value;
        const kn_capture *capture = type->captures[i].capture;
        if (!type->captures[i].is_live || kni_capture_component(&spec, capture->from) == KNI_NONE ||
            kni_capture_read(&spec, capture, &value) != KN_OK) {
            continue; // gone: what was read last stays
        }
        float *stored = KNI_SPAN_AT(world, kni_rare_at(world, effect->rare1)->captures, float, i);
        changed |= !(*stored == value);
        *stored = value;
    }
    if (!changed) {
        return;
    }
    if (magnitudes_compute(world, slot, true)) {
        bool is_owned = (type->flags & KNI_EFFECT_OWNED) != 0; // not part of any propagation
        targets_walk(world, slot, is_owned ? kni_modifiers_refresh : modifiers_mark);
    }
    if (kni_cue_magnitude(world, slot) != cue) {
        kni_effect_cues_changed(world, slot, true);
    }
    kni_effect_times_follow(world, slot);
}

// In force and out of it ----------------------------------------------------

static void tags_change(kn_world *world, uint32_t slot, int32_t change)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t component = effect->component;
    bool edits = (type->flags & KNI_EFFECT_EDITS) != 0;
    if (edits && change < 0) {
        kni_tags_show(world, component); // what it hid comes back before its own tags go
    }
    for (uint32_t i = 0; i < type->granted_count; i++) {
        kni_tag_change(world, component, type->granted[i].index1, KN_TAG_ORIGIN_EFFECT, change);
    }
    uint32_t rare1 = kni_effect_at(world, slot)->rare1;
    for (uint32_t i = 0; rare1 != 0 && i < kni_rare_at(world, rare1)->granted.count; i++) {
        uint32_t tag = *KNI_SPAN_AT(world, kni_rare_at(world, rare1)->granted, uint32_t, i);
        kni_tag_change(world, component, tag, KN_TAG_ORIGIN_EFFECT, change);
    }
    for (uint32_t i = 0; i < type->def.blocked_ability_tags.count; i++) {
        kni_blocked_change(world, component, type->def.blocked_ability_tags.data[i].index1, change);
    }
    if (edits && change > 0) {
        kni_tags_show(world, component);
    }
}

static void owned_count_change(kn_world *world, uint32_t slot, int32_t change)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kni_component *component = kni_component_at(world, effect->component);
    if ((type->flags & KNI_EFFECT_OWNED) != 0) {
        component->owned_count += (uint32_t)change;
    }
    if ((type->flags & KNI_EFFECT_GATES) != 0) {
        component->gate_count += (uint32_t)change;
    }
    if ((type->flags & KNI_EFFECT_EDITS) != 0) {
        component->edit_count += (uint32_t)change;
    }
}

void kni_effect_attach(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) != 0) {
        return;
    }
    effect->flags |= KNI_ACTIVE_ATTACHED;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    // Modifiers last: their hooks may end the effect.
    owned_count_change(world, slot, 1);
    tags_change(world, slot, 1);
    if (type->modifier_count > 0) {
        targets_walk(world, slot, kni_modifiers_attach);
    }
}

void kni_effect_detach(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return;
    }
    effect->flags &= (uint16_t)~KNI_ACTIVE_ATTACHED;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    owned_count_change(world, slot, -1);
    tags_change(world, slot, -1);
    if (type->modifier_count > 0) {
        targets_walk(world, slot, kni_modifiers_detach);
    }
}

static void effect_event(kn_world *world, kn_event_type type, uint32_t slot, uint32_t old_count,
    uint32_t count, kn_removal_reason reason)
{
    if (!kni_wants(world, type)) {
        return;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_event *event = kni_emit(world, type, kni_component_entity(world, effect->component));
    event->data.effect.effect = kni_effect_id_of(world, slot);
    event->data.effect.type.index1 = (uint32_t)effect->type + 1;
    event->data.effect.count = count;
    event->data.effect.old_count = old_count;
    event->data.effect.reason = reason;
    event->data.effect.source = effect->source;
    event->data.effect.by = (kn_effect_id){0};
    event->data.effect.level = effect->level;
}

// The next tick of an effect that is on again: after what a pause left, or a full period.
static void tick_resume(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_time rest = kni_effect_period(world, effect);
    if (effect->rare1 != 0) {
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        rare->last_tick = rare->paused >= 0 ? world->now - rare->last_tick : world->now;
        rest = rare->paused >= 0 ? rare->paused : rest;
        rare->paused = -1;
    }
    kni_effect_schedule_tick(world, slot, world->now + rest);
}

// Switches an effect off or on.
static void inhibit(kn_world *world, uint32_t slot, bool off)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kn_effect_id id = kni_effect_id_of(world, slot);
    bool is_periodic = (type->flags & KNI_EFFECT_PERIODIC) != 0;
    kn_inhibit_period policy = type->def.inhibit_period;
    if (off) {
        effect->flags |= KNI_ACTIVE_INHIBITED;
        if (is_periodic && policy != KN_INHIBIT_NEVER_RESET) {
            if (policy == KN_INHIBIT_PAUSE && effect->next_tick != KN_TIME_INFINITE) {
                kni_rare *rare = kni_rare_at(world, effect->rare1);
                rare->paused = effect->next_tick - world->now;
                rare->last_tick = world->now - rare->last_tick;
            }
            kni_effect_schedule_tick(world, slot, KN_TIME_INFINITE);
        }
        kni_effect_detach(world, slot);
    } else {
        effect->flags &= (uint16_t)~KNI_ACTIVE_INHIBITED;
        kni_effect_attach(world, slot);
    }
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    effect_event(world, KN_EVENT_EFFECT_INHIBITED, slot, off, !off, (kn_removal_reason)0);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if (off) {
        kni_effect_cues_end(world, slot, true);
    } else {
        kni_effect_cues_begin(world, slot);
    }
    if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
        kni_logic_call call = {.kind = KNI_LOGIC_INHIBITED, .is_inhibited = off};
        kni_logic_notify(world, &spec, &call);
    }
    if ((type->flags & KNI_EFFECT_GRANTS) != 0 && kni_effect_find(world, id) != KNI_NONE) {
        kni_grants_follow(world, slot, off);
    }
    if (off || !is_periodic || kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    if (policy == KN_INHIBIT_EXECUTE_AND_RESET && !kni_tick(world, slot)) {
        return;
    }
    if (policy != KN_INHIBIT_NEVER_RESET) {
        tick_resume(world, slot);
    }
}

// An owned entity may have come under, or out of, the filter of an owner-wide effect.
static void owned_refilter(kn_world *world, uint32_t slot, uint32_t component)
{
    if (owned_meets(world, slot, component)) {
        kni_modifiers_attach(world, slot, component);
    } else {
        kni_modifiers_detach(world, slot, component);
    }
}

static void effect_recheck(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    effect->flags &= (uint16_t)~KNI_ACTIVE_QUEUED;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((kni_component_at(world, effect->component)->flags & KNI_COMPONENT_DYING) != 0) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if ((type->flags & KNI_EFFECT_REMOVAL) != 0 && kni_conditions_met(&spec, &type->def.removal)) {
        kni_effect_end(world, slot, KN_REMOVED_REQUIREMENT);
        return;
    }
    if ((type->flags & KNI_EFFECT_ONGOING) != 0) {
        bool off = !kni_conditions_met(&spec, &type->def.ongoing);
        if (off != ((effect->flags & KNI_ACTIVE_INHIBITED) != 0)) {
            inhibit(world, slot, off);
        }
    }
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    if ((type->flags & (KNI_EFFECT_CONTINUOUS | KNI_EFFECT_LIVE)) != 0) {
        targets_walk(world, slot, kni_modifiers_refresh);
    }
    if ((type->flags & KNI_EFFECT_OWNED) != 0 && kni_effect_find(world, id) != KNI_NONE &&
        (kni_effect_at(world, slot)->flags & KNI_ACTIVE_ATTACHED) != 0) {
        targets_walk(world, slot, owned_refilter);
    }
}

void kni_effect_recheck(kn_world *world, uint32_t slot)
{
    // Effects that inhibit each other forever make a chain, and chains are cut.
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_TAG, kni_component_entity(world, effect->component),
            kni_effect_id_of(world, slot), kni_type_id(kni_type_at(world, effect->type)), 0,
            &previous)) {
        kni_effect_at(world, slot)->flags &= (uint16_t)~KNI_ACTIVE_QUEUED;
        // The effect stays as it is; its modifiers still follow the tags, which cannot go on for
        // ever.
        if ((kni_effect_at(world, slot)->flags & KNI_ACTIVE_ATTACHED) != 0) {
            targets_walk(world, slot, kni_modifiers_refresh);
        }
        return;
    }
    effect_recheck(world, slot);
    kni_cause_end(world, previous);
}

// Logic, cues, events, children ---------------------------------------------

static void logic_call(const kn_effect_logic_def *logic, kn_world *world, const kn_spec_view *spec,
    void *state, const kni_logic_call *call)
{
    switch (call->kind) {
    case KNI_LOGIC_APPLIED:
        logic->applied(logic->user, world, spec, state);
        break;
    case KNI_LOGIC_TICKED:
        logic->ticked(logic->user, world, spec, state);
        break;
    case KNI_LOGIC_STACKS:
        logic->stacks_changed(logic->user, world, spec, state, call->old_count, call->new_count);
        break;
    case KNI_LOGIC_INHIBITED:
        logic->inhibited(logic->user, world, spec, state, call->is_inhibited);
        break;
    default:
        logic->removed(logic->user, world, spec, state, call->reason);
        break;
    }
}

static bool logic_has(const kn_effect_logic_def *logic, kni_logic_kind kind)
{
    switch (kind) {
    case KNI_LOGIC_APPLIED:
        return logic->applied != NULL;
    case KNI_LOGIC_TICKED:
        return logic->ticked != NULL;
    case KNI_LOGIC_STACKS:
        return logic->stacks_changed != NULL;
    case KNI_LOGIC_INHIBITED:
        return logic->inhibited != NULL;
    default:
        return logic->removed != NULL;
    }
}

const kni_logic_frame *kni_logic_running(const kn_world *world, kn_effect_id effect)
{
    const kni_logic_frame *frame = world->logic;
    while (frame != NULL && !kn_effect_id_equal(frame->effect, effect)) {
        frame = frame->outer;
    }
    return frame;
}

void kni_logic_notify(kn_world *world, const kn_spec_view *spec, const kni_logic_call *call)
{
    const kn_effect_logic_def *logic =
        &KNI_ITEM(world->library, KN_DEF_EFFECT_LOGIC, kni_logic, spec->type->def.logic.index1 - 1)
             ->def;
    if (!logic_has(logic, call->kind)) {
        return;
    }
    uint64_t state[4096 / sizeof(uint64_t)];
    kni_ref ref = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->state : 0;
    kni_logic_frame frame = {world->logic, kn_spec_view_effect(spec), state};
    const kni_logic_frame *outer = kni_logic_running(world, frame.effect);
    if (outer != NULL) {
        frame.state = outer->state;
    } else if (ref != 0) {
        memcpy(state, kni_heap_at(&world->heap, ref), logic->state_size);
    }
    world->logic = &frame;
    kni_hold(world);
    logic_call(logic, world, spec, frame.state, call);
    kni_release(world);
    world->logic = frame.outer;
    if (outer == NULL && ref != 0) {
        memcpy(kni_heap_at(&world->heap, ref), state, logic->state_size);
    }
}

static kn_entity_id recipient(const kn_spec_view *spec, kn_recipient to)
{
    switch (to) {
    case KN_RECIPIENT_SOURCE:
        return spec->source;
    case KN_RECIPIENT_INSTIGATOR: {
        kn_entity_id instigator = spec->rare1 != 0
                                      ? kni_rare_at(spec->world, spec->rare1)->instigator
                                      : (kn_entity_id){0};
        return instigator.index1 != 0 ? instigator : spec->source;
    }
    default:
        return spec->target;
    }
}

void kni_effect_cancels(kn_world *world, const kn_spec_view *spec, bool on_tick)
{
    for (uint32_t i = 0; i < spec->type->def.cancel_count; i++) {
        const kn_cancel_def *cancel = &spec->type->def.cancels[i];
        if (cancel->on_tick == on_tick) {
            kn_ability_query query = kn_ability_query_default();
            query.any_tags = cancel->with;
            query.no_tags = cancel->without;
            (void)kn_abilities_cancel(world, spec->target, &query);
        }
    }
}

// Asset tags of an effect, dynamic ones after those of the def.
static kn_tags asset_tags(const kn_spec_view *spec, kn_tag *room, uint32_t capacity)
{
    kn_tags own = spec->type->def.asset_tags;
    kni_span dynamic = {0};
    if (spec->rare1 != 0) {
        dynamic = kni_rare_at(spec->world, spec->rare1)->asset;
    }
    if (dynamic.count == 0) {
        return own;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < own.count && count < capacity; i++) {
        room[count++] = own.data[i];
    }
    for (uint32_t i = 0; i < dynamic.count && count < capacity; i++) {
        room[count++] = (kn_tag){*KNI_SPAN_AT(spec->world, dynamic, uint32_t, i)};
    }
    return (kn_tags){room, count};
}

void kni_raise(kn_world *world, const kn_spec_view *spec, kn_raise_when when)
{
    kn_tag room[KN_TAG_SET_MAX];
    for (uint32_t i = 0; i < spec->type->def.raise_count; i++) {
        const kn_raise_def *raise = &spec->type->def.raises[i];
        kn_entity_id to = recipient(spec, raise->to);
        if (raise->when != when || !kn_entity_is_alive(world, to)) {
            continue;
        }
        // Whoever receives it, the event concerns the target of the effect.
        kn_event_record record = kn_event_record_default();
        record.tags = asset_tags(spec, room, KN_TAG_SET_MAX);
        record.instigator = spec->source;
        record.target = spec->target;
        record.object = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->source_object : 0;
        (void)kni_magnitude(spec, &raise->magnitude, KNI_NONE, &record.magnitude);
        kni_send(world, to, record.kind, raise->tag, record.instigator, record.magnitude, &record);
    }
}

// Makes a spec for a child and queues its application.
static void child_start(kn_world *world, const kn_spec_view *spec, uint32_t index)
{
    const kn_child_def *child = &spec->type->def.children[index];
    kn_entity_id to = recipient(spec, child->to);
    if (!kn_entity_is_alive(world, to)) {
        return;
    }
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = child->type;
    def.source = child->inherit_source ? spec->source : spec->target;
    def.level = child->inherit_level ? spec->level : 1.0f;
    def.stacks = child->stacks;
    kn_spec_id id;
    if (kn_spec_create(world, &def, &id) != KN_OK) {
        return;
    }
    if (child->copy_caller_values && spec->rare1 != 0) {
        for (uint32_t i = 0; i < kni_rare_at(world, spec->rare1)->caller.count; i++) {
            kni_pair pair =
                *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->caller, kni_pair, i);
            kn_tag tag = {pair.key};
            (void)kn_spec_set_caller_value(world, id, tag, pair.value);
        }
    }
    if (spec->rare1 != 0) {
        const kni_rare *rare = kni_rare_at(world, spec->rare1);
        kn_effect_context context = {.instigator = rare->instigator,
            .causer = rare->causer,
            .source_object = rare->source_object,
            .origin = rare->origin,
            .has_origin = rare->has_origin != 0,
            .targets = kni_targets_view(world, &rare->targets).data,
            .target_size = rare->targets.count};
        (void)kn_spec_set_context(world, id, &context, true);
    }
    kni_queued *queued = kni_react(world, KNI_REACT_SPEC);
    queued->index = id.index1;
    queued->effect.generation = id.generation;
    queued->entity = to;
    queued->reaction.effect = kn_spec_view_effect(spec);
    bool is_tied = child->remove_with_parent || child->when == KN_CHILD_COUNT_HELD;
    queued->reaction.key = is_tied && spec->effect != KNI_NONE ? index + 1 : 0;
}

void kni_children_start(kn_world *world, const kn_spec_view *spec, kn_child_when when,
    uint32_t old_count, uint32_t count)
{
    for (uint32_t i = 0; i < spec->type->def.child_count; i++) {
        const kn_child_def *child = &spec->type->def.children[i];
        if (child->when != when || (!kn_tag_requirement_is_empty(&child->source) &&
                                       !kni_source_meets(spec, &child->source))) {
            continue;
        }
        uint32_t times = 1;
        if (when == KN_CHILD_COUNT_REACHED) {
            times = child->every ? count / child->count - old_count / child->count
                                 : (old_count < child->count && count >= child->count);
            times = count > old_count ? times : 0;
        } else if (when == KN_CHILD_COUNT_HELD) {
            times = old_count < child->count && count >= child->count;
        }
        for (uint32_t n = 0; n < times && n < 64; n++) {
            child_start(world, spec, i);
        }
    }
}

// Lets go of children that are tied to an effect: all of them, or those of one def.
void kni_children_end(kn_world *world, uint32_t slot, uint32_t child, bool all)
{
    uint32_t rare1 = kni_effect_at(world, slot)->rare1;
    if (rare1 == 0) {
        return;
    }
    for (uint32_t i = kni_rare_at(world, rare1)->children.count; i-- > 0;) {
        kni_child_link link =
            *KNI_SPAN_AT(world, kni_rare_at(world, rare1)->children, kni_child_link, i);
        if (!all && link.child != child) {
            continue;
        }
        kni_span_remove(
            &world->heap, &kni_rare_at(world, rare1)->children, i, sizeof(kni_child_link));
        kni_queued *queued = kni_react(world, KNI_REACT_LET_GO);
        queued->effect = link.effect;
        queued->hold = (kni_claim){link.stacks, link.start, link.source};
        queued->reason = KN_REMOVED_PARENT_ENDED;
    }
}

static void rules_about_effect(kn_world *world, kn_trigger trigger, uint32_t slot,
    uint32_t old_count, uint32_t count, kn_removal_reason reason)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    uint32_t component = effect->component;
    if ((world->library->trigger_mask >> trigger & 1) == 0 &&
        kni_component_at(world, component)->actor1 == 0) {
        return;
    }
    kn_reaction reaction = {.trigger = trigger,
        .entity = kni_component_entity(world, effect->component),
        .old_count = old_count,
        .new_count = count,
        .effect = kni_effect_id_of(world, slot),
        .effect_type = {(uint32_t)effect->type + 1},
        .reason = reason,
        .instigator = effect->source};
    kni_react_all(world, component, &reaction);
}

// Tells everybody that an effect became active.
void kni_effect_announce(kn_world *world, uint32_t slot)
{
    uint32_t stacks = kni_effect_at(world, slot)->stacks;
    effect_event(world, KN_EVENT_EFFECT_APPLIED, slot, 0, stacks, (kn_removal_reason)0);
    rules_about_effect(world, KN_TRIGGER_EFFECT_APPLIED, slot, 0, stacks, (kn_removal_reason)0);
}

// Stacks --------------------------------------------------------------------

void kni_effect_joined_tell(kn_world *world, uint32_t slot)
{
    uint32_t stacks = kni_effect_at(world, slot)->stacks;
    effect_event(world, KN_EVENT_EFFECT_STACKS, slot, stacks, stacks, (kn_removal_reason)0);
}

void kni_effect_set_count(kn_world *world, uint32_t slot, uint32_t count, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    uint32_t old = effect->stacks;
    if (count == old) {
        return;
    }
    kn_effect_id id = kni_effect_id_of(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    float cue = kni_cue_magnitude(world, slot);
    effect->stacks = count;
    kni_magnitudes_compute(world, slot);
    targets_walk(world, slot, kni_modifiers_refresh);
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    effect_event(world, KN_EVENT_EFFECT_STACKS, slot, old, count, reason);
    rules_about_effect(world, KN_TRIGGER_EFFECT_STACKS, slot, old, count, reason);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
        kni_logic_call call = {.kind = KNI_LOGIC_STACKS, .old_count = old, .new_count = count};
        kni_logic_notify(world, &spec, &call);
        if (kni_effect_find(world, id) == KNI_NONE) {
            return;
        }
    }
    if ((type->flags & KNI_EFFECT_RAISES) != 0) {
        kni_raise(world, &spec, count > old ? KN_RAISE_STACK_GAINED : KN_RAISE_STACK_LOST);
    }
    if (!type->def.no_cue_on_stack) {
        kni_effect_cues_changed(world, slot, kni_cue_magnitude(world, slot) != cue);
    }
    if ((type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kni_children_start(world, &spec, KN_CHILD_COUNT_REACHED, old, count);
        kni_children_start(world, &spec, KN_CHILD_COUNT_HELD, old, count);
        for (uint32_t i = 0; i < type->def.child_count; i++) {
            const kn_child_def *child = &type->def.children[i];
            if (child->when == KN_CHILD_COUNT_HELD && old >= child->count && count < child->count) {
                kni_children_end(world, slot, i, false);
            }
        }
    }
}

// Ending --------------------------------------------------------------------

// A hook asks for it: until the queue comes to it the effect stays in force, but nothing joins it.
static void end_later(kn_world *world, uint32_t slot, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_LEAVING) == 0) {
        effect->flags |= KNI_ACTIVE_LEAVING;
        kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
        queued->effect = kni_effect_id_of(world, slot);
        queued->reason = reason;
    }
}

// Where an effect stands in the list of its component, which is in order of creation; KNI_NONE if
// it does not. A long list is halved, then looked through from the end.
static uint32_t effect_place(const kn_world *world, const kni_component *component, uint32_t slot)
{
    const uint32_t *list = KNI_SPAN_AT(world, component->effects, const uint32_t, 0);
    uint64_t number = kni_effect_at(world, slot)->number;
    uint32_t begin = 0, end = component->effects.count;
    while (end - begin > 32) {
        uint32_t middle = begin + (end - begin) / 2;
        if (kni_effect_at(world, list[middle])->number <= number) {
            begin = middle;
        } else {
            end = middle;
        }
    }
    while (end-- > begin) {
        if (list[end] == slot) {
            return end;
        }
    }
    return KNI_NONE;
}

void kni_effect_end(kn_world *world, uint32_t slot, kn_removal_reason reason)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_REMOVING) != 0) {
        return;
    }
    if (kni_is_held(world)) {
        end_later(world, slot, reason);
        return;
    }
    effect->flags |= KNI_ACTIVE_REMOVING;
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t component = effect->component;
    uint32_t stacks = effect->stacks;
    if (effect->next_tick != KN_TIME_INFINITE) {
        effect->next_tick = KN_TIME_INFINITE;
        kni_wheel_cancelled(&world->wheel);
    }
    kni_effect_end_cancelled(world, effect);
    kni_captures_register(world, slot, false);
    kni_effect_detach(world, slot);

    // Out of the component's list.
    kni_component *c = kni_component_at(world, component);
    uint32_t place = effect_place(world, c, slot);
    if (place != KNI_NONE) { // else it has left with others, see kni_entity_destroy_now()
        kni_span_remove(&world->heap, &c->effects, place, sizeof(uint32_t));
    }
    if ((type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
        c->watch_count--;
    }
    effect_event(world, KN_EVENT_EFFECT_REMOVED, slot, stacks, 0, reason);
    rules_about_effect(world, KN_TRIGGER_EFFECT_REMOVED, slot, stacks, 0, reason);

    const uint32_t tells = KNI_EFFECT_LOGIC | KNI_EFFECT_CUES | KNI_EFFECT_RAISES |
                           KNI_EFFECT_CHILDREN | KNI_EFFECT_GRANTS;
    if ((type->flags & tells) != 0) {
        bool early = kn_removal_is_premature(reason);
        kn_spec_view spec;
        kni_view_of_effect(world, slot, &spec);
        if ((type->flags & KNI_EFFECT_GRANTS) != 0) {
            kni_grants_end(world, slot);
        }
        if ((type->flags & KNI_EFFECT_LOGIC) != 0) {
            kni_logic_call call = {.kind = KNI_LOGIC_REMOVED, .reason = reason};
            kni_logic_notify(world, &spec, &call);
        }
        if ((kni_effect_at(world, slot)->flags & KNI_ACTIVE_INHIBITED) == 0) {
            kni_effect_cues_end(world, slot, early);
        }
        if ((type->flags & KNI_EFFECT_RAISES) != 0) {
            kni_raise(world, &spec, early ? KN_RAISE_REMOVED_EARLY : KN_RAISE_EXPIRED);
        }
        if ((type->flags & KNI_EFFECT_CHILDREN) != 0) {
            kni_children_end(world, slot, 0, true);
            kni_children_start(
                world, &spec, early ? KN_CHILD_REMOVED_EARLY : KN_CHILD_EXPIRED, stacks, 0);
            kni_children_start(world, &spec, KN_CHILD_ENDED, stacks, 0);
        }
    }
    if (kni_effect_at(world, slot)->rare1 != 0) {
        kni_rare_release(world, kni_effect_at(world, slot)->rare1, type);
    }
    kni_pool_release(&world->effects, slot);
}

// Executing -----------------------------------------------------------------

#define KNI_OUTPUT_MAX 64

typedef struct execution_output {
    uint32_t attribute;
    uint32_t key;
    kn_op op;
    float magnitude;
} execution_output;

struct kn_execution {
    kn_world *world;
    const kn_spec_view *spec;
    const kn_execution_use *use;
    const kn_execution_def *def;
    uint32_t index; // of the use
    execution_output outputs[KNI_OUTPUT_MAX];
    uint32_t output_count;
    bool handles_cues;
    bool handles_stacks;
    bool triggers_children;
};

kn_world *kn_execution_world(const kn_execution *execution)
{
    return execution->world;
}

const kn_spec_view *kn_execution_spec(const kn_execution *execution)
{
    return execution->spec;
}

kn_entity_id kn_execution_target(const kn_execution *execution)
{
    return execution->spec->target;
}

kn_entity_id kn_execution_source(const kn_execution *execution)
{
    return execution->spec->source;
}

static float calculation_modifiers(
    const kn_execution *execution, uint32_t capture, uint32_t transient, float value)
{
    for (uint32_t i = 0; i < execution->use->modifier_count; i++) {
        const kn_calculation_modifier *modifier = &execution->use->modifiers[i];
        bool mine = transient != 0
                        ? modifier->transient.index1 == transient
                        : modifier->transient.index1 == 0 && modifier->capture == capture;
        float magnitude;
        if (mine && kni_scalable(execution->spec, &modifier->magnitude, &magnitude) == KN_OK) {
            value = kni_apply_op(modifier->op, value, magnitude);
        }
    }
    return value;
}

float kn_execution_capture(const kn_execution *execution, uint32_t index)
{
    if (index >= execution->def->capture_count) {
        kni_emit_error(execution->world, KN_ERROR_INVALID_ARGUMENT, execution->spec->target,
            execution->spec->type->index1, 0, index);
        return 0.0f;
    }
    const kni_rare *rare = kni_rare_at(execution->world, execution->spec->rare1);
    uint32_t slot = execution->spec->type->execution_capture[execution->index] + index;
    float value = *KNI_SPAN_AT(execution->world, rare->captures, float, slot);
    return calculation_modifiers(execution, index, 0, isnan(value) ? 0.0f : value);
}

bool kn_execution_transient(const kn_execution *execution, kn_tag tag, float *value)
{
    *value = 0.0f;
    if (!kn_tags_has_exact(execution->def->transients, tag)) {
        return false;
    }
    *value = calculation_modifiers(execution, 0, tag.index1, 0.0f);
    return true;
}

void kn_execution_output(
    kn_execution *execution, kn_attribute_id attribute, uint32_t key, kn_op op, float magnitude)
{
    bool is_known = attribute.index1 != 0 &&
                    attribute.index1 <= kn_attribute_count(execution->world->library) &&
                    (uint32_t)op < KN_OP_COUNT;
    if (!is_known || execution->output_count == KNI_OUTPUT_MAX || !isfinite(magnitude)) {
        kn_result code = !is_known              ? KN_ERROR_INVALID_ARGUMENT
                         : !isfinite(magnitude) ? KN_REFUSED_BAD_NUMBER
                                                : KN_REFUSED_LIMIT;
        kni_emit_error(execution->world, code, execution->spec->target,
            execution->spec->type->index1, attribute.index1, execution->output_count);
        return;
    }
    execution->outputs[execution->output_count++] =
        (execution_output){attribute.index1 - 1, key, op, magnitude};
}

void kn_execution_handle_cues(kn_execution *execution)
{
    execution->handles_cues = true;
}

void kn_execution_handle_stacks(kn_execution *execution)
{
    execution->handles_stacks = true;
}

void kn_execution_trigger_children(kn_execution *execution)
{
    execution->triggers_children = true;
}

// Returns false if a capture is absent: then the execution does nothing.
static bool execution_captures(kn_world *world, const kn_spec_view *spec, uint32_t index)
{
    const kn_execution_def *def = &KNI_ITEM(world->library, KN_DEF_EXECUTION, kni_execution_type,
        spec->type->def.executions[index].execution.index1 - 1)
                                       ->def;
    uint32_t first = spec->type->execution_capture[index];
    for (uint32_t i = 0; i < def->capture_count; i++) {
        float *stored =
            KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->captures, float, first + i);
        float value;
        // What is followed live has seen the modifiers of this very execute.
        if (!def->captures[i].snapshot &&
            kni_capture_read(spec, &def->captures[i], &value) == KN_OK) {
            *stored = value;
        }
        if (isnan(*stored)) {
            return false;
        }
    }
    return true;
}

static void execution_run(kn_world *world, kn_spec_view *spec, uint32_t index, float part,
    bool *handles_cues, bool *did_something)
{
    const kn_execution_use *use = &spec->type->def.executions[index];
    if (spec->type->capture_count > 0 && !execution_captures(world, spec, index)) {
        return;
    }
    kn_execution execution;
    execution.world = world;
    execution.spec = spec;
    execution.use = use;
    execution.def =
        &KNI_ITEM(world->library, KN_DEF_EXECUTION, kni_execution_type, use->execution.index1 - 1)
             ->def;
    execution.index = index;
    execution.output_count = 0;
    execution.handles_cues = false;
    execution.handles_stacks = false;
    execution.triggers_children = false;
    kni_hold(world);
    execution.def->function(execution.def->user, &execution);
    kni_release(world);
    *handles_cues |= execution.handles_cues;
    kn_effect_id id = kn_spec_view_effect(spec);
    for (uint32_t i = 0; i < execution.output_count; i++) {
        const execution_output *output = &execution.outputs[i];
        float magnitude = output->magnitude;
        if (!execution.handles_stacks) {
            magnitude = kni_scale_by_stacks(output->op, magnitude, spec->stacks);
        }
        if (part != 1.0f) {
            bool is_sum = output->op == KN_OP_ADD || output->op == KN_OP_ADD_FINAL;
            magnitude = is_sum                         ? magnitude * part
                        : output->op == KN_OP_OVERRIDE ? magnitude
                                                       : 1.0f + (magnitude - 1.0f) * part;
        }
        *did_something |= kni_execute(world, spec->target_component, output->attribute, output->key,
            output->op, magnitude, spec);
        if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
            return;
        }
    }
    if (execution.triggers_children && (spec->type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kni_children_start(world, spec, KN_CHILD_EXECUTED, 0, spec->stacks);
    }
}

void kni_executed_tell(kn_world *world, const kn_spec_view *spec)
{
    kn_event *event = kni_emit(world, KN_EVENT_EFFECT_EXECUTED, spec->target);
    memset(&event->data, 0, sizeof(event->data));
    event->data.effect.effect = kn_spec_view_effect(spec);
    event->data.effect.type = kni_type_id(spec->type);
    event->data.effect.count = spec->stacks;
    event->data.effect.old_count = spec->tick;
    event->data.effect.source = spec->source;
    event->data.effect.level = spec->level;
}

void kni_effect_execute_all(kn_world *world, kn_spec_view *spec, float part)
{
    float cue_before = kn_attribute_base(world, spec->target, spec->type->def.cue_attribute);
    const kni_effect_type *type = spec->type;
    kn_effect_id id = kn_spec_view_effect(spec);
    uint64_t off = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->off_modifiers : 0;
    bool did_something = false, handles_cues = false;
    // Applying an instant effect asked for all magnitudes just now. The first is still right,
    // unless members of a group had to go in between; later functions may see what earlier
    // modifiers did.
    bool is_known =
        id.index1 == 0 && (type->flags & (KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_EXCLUSIVE)) == 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if ((off >> i & 1) != 0 || modifier->attribute == KNI_NONE) {
            continue;
        }
        if (modifier->has_requirement && modifier->def->when != KN_REQUIREMENT_TIME_APPLIED &&
            !kni_modifier_requirement(spec, i)) {
            continue;
        }
        float magnitude;
        kn_result result = KN_OK;
        if (i == 0 && is_known) {
            magnitude = *KNI_SPAN_AT(world, kni_rare_at(world, spec->rare1)->magnitudes, float, 0);
        } else {
            result = kni_modifier_magnitude(spec, i, &magnitude);
        }
        if (result != KN_OK) {
            kni_emit_error(world, result, spec->target, type->index1, modifier->attribute + 1, i);
            continue;
        }
        magnitude = kni_modifier_scaled(spec, i, magnitude, spec->stacks);
        if (part != 1.0f) {
            bool is_sum = modifier->op == KN_OP_ADD || modifier->op == KN_OP_ADD_FINAL;
            magnitude = is_sum                           ? magnitude * part
                        : modifier->op == KN_OP_OVERRIDE ? magnitude
                                                         : 1.0f + (magnitude - 1.0f) * part;
        }
        did_something |= kni_execute(world, spec->target_component, modifier->attribute,
            modifier->key, (kn_op)modifier->op, magnitude, spec);
        if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
            return; // a hook ended it
        }
        if (modifier->def->magnitude.kind == KN_MAGNITUDE_POOL && spec->rare1 != 0) {
            float share;
            (void)kni_magnitude(spec, &modifier->def->magnitude, KNI_NONE, &share);
            float scale = modifier->def->magnitude.scale.value;
            kni_rare *rare = kni_rare_at(world, spec->rare1);
            rare->pool = kni_saturated(rare->pool - (scale != 0.0f ? share / scale * part : 0.0f));
        }
    }
    uint64_t off_executions =
        spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->off_executions : 0;
    for (uint32_t i = 0; i < type->def.execution_count; i++) {
        if ((off_executions >> i & 1) == 0) {
            execution_run(world, spec, i, part, &handles_cues, &did_something);
            if (id.index1 != 0 && kni_effect_find(world, id) == KNI_NONE) {
                return;
            }
        }
    }
    if (kni_wants(world, KN_EVENT_EFFECT_EXECUTED)) {
        kni_executed_tell(world, spec);
    }
    bool plays = !handles_cues &&
                 (did_something || (type->def.cue_needs_success & KN_CUE_PHASE_EXECUTED) == 0);
    if ((type->flags & KNI_EFFECT_CUES) != 0 && plays) {
        world->cue_change =
            kn_attribute_base(world, spec->target, type->def.cue_attribute) - cue_before;
        kni_cues(world, spec, KN_CUE_EXECUTED, false);
        world->cue_change = 0.0f;
    }
    if ((type->flags & KNI_EFFECT_RAISES) != 0) {
        kni_raise(world, spec, KN_RAISE_EXECUTED);
    }
}
