// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes of entities: where they are, how they change, and who follows.
//
// A change of a current value is handed on in topological order: the aggregators that depend on it
// are sorted depth-first, each is evaluated once, and only if one of its modifiers really changed.

#include "ability/actor.h"

#include "base/text.h"

#include <math.h>

// Layouts -------------------------------------------------------------------

uint32_t kni_position_keyed(
    const kn_world *world, const kni_component *component, uint32_t attribute, uint32_t key)
{
    if (key == 0) {
        return kni_position(world, component, attribute);
    }
    const kni_layout *layout = &world->layouts[component->layout];
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (layout->sets[i].key != key) {
            continue;
        }
        // The declaring set may be a parent of the one that is there; its attributes come first.
        for (uint32_t set = layout->sets[i].set; set != KNI_NONE;
             set = kni_set_at(world->library, set)->parent) {
            if (set == info->set) {
                return layout->sets[i].first + info->set_index;
            }
        }
    }
    return KNI_NONE;
}

uint32_t kni_attribute_at_position(
    const kn_world *world, const kni_component *component, uint32_t position, uint32_t *key)
{
    const kni_layout *layout = &world->layouts[component->layout];
    uint32_t i = layout->set_count - 1;
    while (layout->sets[i].first > position) {
        i--;
    }
    *key = layout->sets[i].key;
    return kni_set_at(world->library, layout->sets[i].set)
        ->attributes[position - layout->sets[i].first];
}

uint32_t kni_layout_find(kn_world *world, const kni_set_instance *sets, uint32_t count)
{
    for (uint32_t i = 0; i < world->layout_count; i++) {
        const kni_layout *layout = &world->layouts[i];
        bool same = layout->set_count == count;
        for (uint32_t j = 0; same && j < count; j++) {
            same = layout->sets[j].set == sets[j].set && layout->sets[j].key == sets[j].key;
        }
        if (same) {
            return i;
        }
    }
    kni_memory *memory = &world->memory;
    uint32_t attributes = kn_attribute_count(world->library) + 1;
    if (!kni_grow(memory, &world->layouts, &world->layout_capacity, world->layout_count + 1,
            sizeof(kni_layout))) {
        return KNI_NONE;
    }
    kni_layout layout = {.set_count = count};
    layout.positions = kni_realloc(memory, NULL, 0, attributes * sizeof(uint16_t));
    layout.sets = count > 0 ? kni_realloc(memory, NULL, 0, count * sizeof(kni_set_instance)) : NULL;
    if (layout.positions == NULL || (count > 0 && layout.sets == NULL)) {
        kni_free(
            memory, layout.positions, layout.positions != NULL ? attributes * sizeof(uint16_t) : 0);
        kni_free(memory, layout.sets, layout.sets != NULL ? count * sizeof(kni_set_instance) : 0);
        return KNI_NONE;
    }
    memset(layout.positions, 0xff, attributes * sizeof(uint16_t));
    for (uint32_t i = 0; i < count; i++) {
        const kni_set *set = kni_set_at(world->library, sets[i].set);
        layout.sets[i] = (kni_set_instance){sets[i].set, sets[i].key, layout.value_count};
        for (uint32_t j = 0; sets[i].key == 0 && j < set->count; j++) {
            layout.positions[set->attributes[j]] = (uint16_t)(layout.value_count + j);
        }
        layout.value_count += set->count;
    }
    world->layouts[world->layout_count] = layout;
    return world->layout_count++;
}

// Aggregators ---------------------------------------------------------------

uint32_t kni_aggregator_ensure(kn_world *world, uint32_t component, uint32_t position)
{
    kni_value *value = &kni_values_of(world, kni_component_at(world, component))[position];
    if (value->aggregator1 != 0) {
        return value->aggregator1 - 1;
    }
    uint32_t slot = kni_pool_acquire(&world->aggregators, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return KNI_NONE;
    }
    kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    aggregator->component = component;
    aggregator->position = position;
    value->aggregator1 = slot + 1;
    return slot;
}

uint32_t kni_transient_find(const kn_world *world, const kni_component *component, uint32_t value)
{
    for (uint32_t i = 0; i < component->transients.count; i++) {
        const kni_value_link *link = KNI_SPAN_AT(world, component->transients, kni_value_link, i);
        if (link->value == value) {
            return link->aggregator;
        }
    }
    return KNI_NONE;
}

uint32_t kni_transient_ensure(kn_world *world, uint32_t component, uint32_t value)
{
    uint32_t found = kni_transient_find(world, kni_component_at(world, component), value);
    if (found != KNI_NONE) {
        return found;
    }
    uint32_t slot = kni_pool_acquire(&world->aggregators, &world->memory);
    kni_value_link *link = slot == KNI_NONE ? NULL
                                            : kni_span_push(&world->heap, &world->memory,
                                                  &kni_component_at(world, component)->transients,
                                                  sizeof(kni_value_link));
    if (link == NULL) {
        kni_break(world);
        return KNI_NONE;
    }
    *link = (kni_value_link){value, slot};
    kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    aggregator->component = component;
    aggregator->position = value;
    aggregator->is_transient = 1;
    return slot;
}

void kni_aggregator_drop_if_empty(kn_world *world, uint32_t slot)
{
    kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    if (aggregator->mods.count > 0 || aggregator->dependents.count > 0) {
        return;
    }
    kni_component *component = kni_component_at(world, aggregator->component);
    if (aggregator->is_transient) {
        for (uint32_t i = 0; i < component->transients.count; i++) {
            if (KNI_SPAN_AT(world, component->transients, kni_value_link, i)->aggregator == slot) {
                kni_span_remove(&world->heap, &component->transients, i, sizeof(kni_value_link));
                break;
            }
        }
    } else {
        kni_values_of(world, component)[aggregator->position].aggregator1 = 0;
    }
    kni_span_clear(&world->heap, &aggregator->mods, sizeof(kni_mod));
    kni_span_clear(&world->heap, &aggregator->dependents, sizeof(kni_dependent));
    kni_pool_release(&world->aggregators, slot);
}

void kni_dependent_add(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, uint32_t kinds)
{
    uint32_t slot = kni_aggregator_ensure(world, component, position);
    if (slot == KNI_NONE) {
        return;
    }
    kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    uint64_t number = kni_effect_at(world, effect)->number;
    uint32_t index = aggregator->dependents.count;
    while (index > 0) {
        kni_dependent *other = KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, index - 1);
        if (other->number == number) {
            other->kinds |= kinds;
            return;
        }
        if (other->number < number) {
            break;
        }
        index--;
    }
    kni_dependent *dependent = kni_span_insert(
        &world->heap, &world->memory, &aggregator->dependents, index, sizeof(kni_dependent));
    if (dependent == NULL) {
        kni_break(world);
        return;
    }
    *dependent = (kni_dependent){number, effect, kinds};
}

void kni_dependent_remove(kn_world *world, uint32_t component, uint32_t position, uint32_t effect)
{
    uint32_t aggregator1 =
        kni_values_of(world, kni_component_at(world, component))[position].aggregator1;
    if (aggregator1 == 0) {
        return;
    }
    kni_aggregator *aggregator = kni_aggregator_at(world, aggregator1 - 1);
    for (uint32_t i = 0; i < aggregator->dependents.count; i++) {
        if (KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, i)->effect == effect) {
            kni_span_remove(&world->heap, &aggregator->dependents, i, sizeof(kni_dependent));
            break;
        }
    }
    kni_aggregator_drop_if_empty(world, aggregator1 - 1);
}

// Bounds --------------------------------------------------------------------

static float bound_value(const kn_world *world, const kni_component *component,
    const kni_limit *limit, uint32_t key, float open)
{
    if (!limit->is_set) {
        return open;
    }
    if (limit->attribute == KNI_NONE) {
        return limit->value;
    }
    // A limit within the same set instance, else in the default one.
    uint32_t position = kni_position_keyed(world, component, limit->attribute, key);
    if (position == KNI_NONE && key != 0) {
        position = kni_position(world, component, limit->attribute);
    }
    return position == KNI_NONE ? open
                                : kni_values_of(world, component)[position].current + limit->value;
}

void kni_bounds(const kn_world *world, const kni_component *component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float *minimum, float *maximum)
{
    const kni_limit *min = is_base ? &attribute->base_min : &attribute->min;
    const kni_limit *max = is_base ? &attribute->base_max : &attribute->max;
    *minimum = bound_value(world, component, min, key, -INFINITY);
    *maximum = bound_value(world, component, max, key, INFINITY);
    if (attribute->def.profile.clamp_product && *minimum < 0.0f) {
        *minimum = 0.0f;
    }
    if (*maximum < *minimum) {
        *maximum = *minimum; // crossed limits: the minimum holds
    }
}

static float settle_value(const kn_world *world, uint32_t component, const kni_attribute *attribute,
    uint32_t key, bool is_base, float value, float base)
{
    float minimum = -INFINITY, maximum = INFINITY;
    if ((attribute->flags & KNI_ATTRIBUTE_HAS_LIMITS) != 0 ||
        attribute->def.profile.clamp_product) {
        kni_bounds(
            world, kni_component_at(world, component), attribute, key, is_base, &minimum, &maximum);
        value = kni_bounded(value, minimum, maximum);
    }
    if (attribute->def.rounding != KN_ROUND_NONE) {
        value = kni_round(attribute->def.rounding, attribute->def.minimum_one, value, base);
        value = kni_bounded(value, minimum, maximum);
    }
    return value;
}

// Propagation ---------------------------------------------------------------

static kni_dependent dependent_at(const kn_world *world, uint32_t aggregator, uint32_t index)
{
    return *KNI_SPAN_AT(
        world, kni_aggregator_at(world, aggregator)->dependents, kni_dependent, index);
}

// The aggregator a modifier of an effect acts on, or KNI_NONE.
static uint32_t modifier_aggregator(
    const kn_world *world, uint32_t effect, uint32_t modifier, uint32_t component)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
    const kni_modifier *m = &type->modifiers[modifier];
    const kni_component *target = kni_component_at(world, component);
    if (m->attribute == KNI_NONE) {
        return kni_transient_find(world, target, m->value);
    }
    uint32_t position = kni_position_keyed(world, target, m->attribute, m->key);
    return position == KNI_NONE ? KNI_NONE : kni_values_of(world, target)[position].aggregator1 - 1;
}

// Depth-first, children before parents; the list is then walked backwards.
static void propagation_sort(kn_world *world, uint32_t aggregator, uint32_t depth)
{
    kni_aggregator *node = kni_aggregator_at(world, aggregator);
    if (node->stamp == world->stamp || depth > 1024) {
        return;
    }
    node->stamp = world->stamp;
    for (uint32_t i = 0; i < kni_aggregator_at(world, aggregator)->dependents.count; i++) {
        kni_dependent dependent = dependent_at(world, aggregator, i);
        if ((dependent.kinds & KNI_DEPENDS_CAPTURE) == 0) {
            continue;
        }
        kn_spec_view view;
        kni_view_of_effect(world, dependent.effect, &view);
        if ((view.type->flags & (KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED)) != 0) {
            continue;
        }
        const kni_aggregator *from = kni_aggregator_at(world, aggregator);
        for (uint32_t m = 0; m < view.type->modifier_count; m++) {
            if (!kni_modifier_reads(&view, m, from->component, from->position)) {
                continue;
            }
            uint32_t next = modifier_aggregator(world, dependent.effect, m, view.target_component);
            if (next != KNI_NONE && !kni_aggregator_at(world, next)->is_transient) {
                propagation_sort(world, next, depth + 1);
            }
        }
    }
    if (!kni_grow(&world->memory, &world->nodes, &world->node_capacity, world->node_count + 1,
            sizeof(uint32_t))) {
        kni_break(world);
        return;
    }
    world->nodes[world->node_count++] = aggregator;
}

// Effects that read the value of this aggregator take note.
static void dependents_update(kn_world *world, uint32_t aggregator)
{
    for (uint32_t i = 0; i < kni_aggregator_at(world, aggregator)->dependents.count; i++) {
        kni_dependent dependent = dependent_at(world, aggregator, i);
        if ((dependent.kinds & KNI_DEPENDS_CAPTURE) != 0) {
            kni_captures_changed(world, dependent.effect);
        }
        if ((dependent.kinds & KNI_DEPENDS_CONDITION) != 0) {
            kni_effect_queue_recheck(world, dependent.effect);
        }
    }
}

static bool current_store(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, float *old_value);

// What an attribute's limits did to another when they moved.
static void link_apply(kn_world *world, uint32_t component, uint32_t attribute, uint32_t key,
    uint32_t limiter, float old_limit, float new_limit, uint32_t effect)
{
    const kni_component *c = kni_component_at(world, component);
    uint32_t position = kni_position_keyed(world, c, attribute, key);
    if (position == KNI_NONE) {
        return;
    }
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    float base = kni_values_of(world, c)[position].base;
    if (info->def.link == KN_LINK_KEEP) {
        return;
    }
    if (info->def.link == KN_LINK_PROPORTION) {
        // Which range the value lives in: that of its base if it has one, else of its current.
        bool base_linked = (info->base_max.is_set && info->base_max.attribute == limiter) ||
                           (info->base_min.is_set && info->base_min.attribute == limiter);
        const kni_limit *max = base_linked ? &info->base_max : &info->max;
        const kni_limit *min = base_linked ? &info->base_min : &info->min;
        float minimum, maximum;
        kni_bounds(world, c, info, key, base_linked, &minimum, &maximum);
        float old_minimum =
            min->is_set && min->attribute == limiter ? old_limit + min->value : minimum;
        float old_maximum =
            max->is_set && max->attribute == limiter ? old_limit + max->value : maximum;
        (void)new_limit;
        if (isfinite(old_minimum) && isfinite(old_maximum) && isfinite(minimum) &&
            isfinite(maximum) && old_maximum > old_minimum) {
            base =
                minimum + (base - old_minimum) / (old_maximum - old_minimum) * (maximum - minimum);
        }
    }
    (void)kni_base_write(world, component, position, attribute, key, base, effect);
}

static void links_update(kn_world *world, uint32_t component, uint32_t position,
    const kni_attribute *attribute, uint32_t index, uint32_t key, float old_value, uint32_t effect)
{
    float new_value = kni_values_of(world, kni_component_at(world, component))[position].current;
    for (uint32_t i = 0; i < attribute->limit_count; i++) {
        link_apply(
            world, component, attribute->limits[i], key, index, old_value, new_value, effect);
    }
    if (key != 0) {
        return;
    }
    // Other instances that fall back on this one.
    const kni_layout *layout = &world->layouts[kni_component_at(world, component)->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        uint32_t other = layout->sets[i].key;
        for (uint32_t j = 0; other != 0 && j < attribute->limit_count; j++) {
            if (kni_position_keyed(world, kni_component_at(world, component), index, other) ==
                KNI_NONE) {
                link_apply(world, component, attribute->limits[j], other, index, old_value,
                    new_value, effect);
            }
        }
    }
}

// Hands a change of a current value on.
static void propagate(
    kn_world *world, uint32_t component, uint32_t position, float old_value, uint32_t effect)
{
    uint32_t key;
    uint32_t index =
        kni_attribute_at_position(world, kni_component_at(world, component), position, &key);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    if (world->propagation_depth >= KNI_PROPAGATION_MAX) {
        kni_emit_error(world, KN_REFUSED_LIMIT, kni_component_entity(world, component), 0,
            index + 1, KNI_PROPAGATION_MAX);
        return;
    }
    world->propagation_depth++;
    uint32_t aggregator1 =
        kni_values_of(world, kni_component_at(world, component))[position].aggregator1;
    if (aggregator1 != 0 && kni_aggregator_at(world, aggregator1 - 1)->dependents.count > 0) {
        uint32_t first = world->node_count;
        world->stamp++;
        propagation_sort(world, aggregator1 - 1, 0);
        uint32_t end = world->node_count;
        for (uint32_t i = end; i-- > first && !world->is_broken;) {
            uint32_t node = world->nodes[i];
            if (kni_pool_is_live(&world->aggregators, node)) {
                kni_aggregator_at(world, node)->stamp = 0; // its turn has come
            }
            if (i == end - 1) {
                dependents_update(world, node);
                continue;
            }
            // A hook may have removed what the node belonged to.
            if (!kni_pool_is_live(&world->aggregators, node) ||
                !kni_aggregator_at(world, node)->is_dirty) {
                continue;
            }
            kni_aggregator_at(world, node)->is_dirty = 0;
            kni_aggregator at = *kni_aggregator_at(world, node);
            float old;
            if (current_store(world, at.component, at.position, effect, &old)) {
                if (kni_pool_is_live(&world->aggregators, node)) {
                    dependents_update(world, node);
                }
                uint32_t node_key;
                uint32_t node_index = kni_attribute_at_position(
                    world, kni_component_at(world, at.component), at.position, &node_key);
                const kni_attribute *info = kni_attribute_at(world->library, node_index);
                if (info->limit_count > 0) {
                    links_update(
                        world, at.component, at.position, info, node_index, node_key, old, effect);
                }
            }
        }
        world->node_count = first;
    }
    if (attribute->limit_count > 0) {
        links_update(world, component, position, attribute, index, key, old_value, effect);
    }
    world->propagation_depth--;
}

// Changing ------------------------------------------------------------------

static const kni_set *set_at_position(
    const kn_world *world, const kni_component *component, uint32_t position)
{
    const kni_layout *layout = &world->layouts[component->layout];
    uint32_t i = layout->set_count - 1;
    while (layout->sets[i].first > position) {
        i--;
    }
    return kni_set_at(world->library, layout->sets[i].set);
}

bool kni_value_has_hook(const kn_world *world, const kni_component *component, uint32_t position)
{
    return set_at_position(world, component, position)->hooks.pre_change != NULL;
}

static bool hook_begin(kn_world *world, kn_entity_id entity, uint32_t attribute)
{
    if (world->hook_depth >= KNI_HOOK_DEPTH_MAX) {
        kni_emit_error(world, KN_REFUSED_LIMIT, entity, 0, attribute + 1, KNI_HOOK_DEPTH_MAX);
        return false;
    }
    world->hook_depth++;
    kni_hold(world);
    return true;
}

static void hook_end(kn_world *world)
{
    kni_release(world);
    world->hook_depth--;
}

// Asks the pre_change hook. False if the hook changed what the value is made of: then that change
// has stored what there is to store.
static bool pre_change(kn_world *world, const kni_set *set, uint32_t component, uint32_t position,
    const kni_attribute *attribute, kn_attribute_change *change, float *raw)
{
    uint32_t index = change->attribute.index1 - 1;
    if (!hook_begin(world, change->entity, index)) {
        return true;
    }
    uint32_t evaluation = world->evaluations;
    float before = *raw;
    *raw = set->hooks.pre_change(set->users[KNI_HOOK_PRE_CHANGE], change);
    hook_end(world);
    if (world->evaluations == evaluation) {
        return true;
    }
    float base = kni_values_of(world, kni_component_at(world, component))[position].base;
    return kni_attribute_raw(world, component, position, attribute, base, NULL) == before;
}

// Evaluates and stores a current value, with hooks and event, but hands nothing on. True if it
// changed.
static bool current_store(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, float *old_value)
{
    const kni_component *c = kni_component_at(world, component);
    kni_value *value = &kni_values_of(world, c)[position];
    uint32_t key;
    uint32_t index = kni_attribute_at_position(world, c, position, &key);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    const kni_set *set = set_at_position(world, c, position);
    kn_entity_id entity = kni_component_entity(world, component);
    *old_value = value->current;
    float raw = value->base;
    if (value->aggregator1 != 0) {
        bool skipped = false;
        raw = kni_attribute_raw(world, component, position, attribute, value->base, &skipped);
        kni_aggregator *aggregator = kni_aggregator_at(world, value->aggregator1 - 1);
        if (skipped && !aggregator->is_divisor_told) {
            kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, index + 1, 0);
        }
        aggregator->is_divisor_told = skipped;
    }
    world->evaluations++;
    kn_attribute_change change = {world, entity, {index + 1}, key, value->current, raw};
    if (set->hooks.pre_change != NULL) {
        if (!pre_change(world, set, component, position, attribute, &change, &raw)) {
            return false;
        }
        value = &kni_values_of(world, kni_component_at(world, component))[position];
    }
    float current = settle_value(world, component, attribute, key, false, raw, value->base);
    if (!isfinite(current)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, index + 1, 0);
        return false;
    }
    *old_value = value->current;
    if (current == value->current) {
        return false;
    }
    value->current = current;
    change.old_value = *old_value;
    change.new_value = current;
    if (set->hooks.post_change != NULL && hook_begin(world, entity, index)) {
        set->hooks.post_change(set->users[KNI_HOOK_POST_CHANGE], &change);
        hook_end(world);
    }
    if (kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_ATTRIBUTE_CHANGED, entity);
        event->data.attribute.attribute.index1 = index + 1;
        event->data.attribute.key = key;
        event->data.attribute.old_value = *old_value;
        event->data.attribute.new_value = current;
        event->data.attribute.effect =
            effect != KNI_NONE ? kni_effect_id_of(world, effect) : (kn_effect_id){0};
    }
    kni_component *watched = kni_component_at(world, component);
    watched->version++;
    if ((attribute->flags & KNI_ATTRIBUTE_HAS_RULES) != 0 ||
        (watched->flags & KNI_COMPONENT_WATCHED) != 0) {
        kn_reaction reaction = {.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED,
            .entity = entity,
            .attribute = {index + 1},
            .key = key,
            .old_value = *old_value,
            .new_value = current};
        kni_react_all(world, component, &reaction);
        if ((watched->flags & KNI_COMPONENT_WATCHED) != 0) {
            kni_charges_rate_changed(world, component, index);
        }
    }
    return true;
}

void kni_defer_begin(kn_world *world, uint32_t component)
{
    world->deferred_component = component;
    world->deferred_count = 0;
}

void kni_defer_end(kn_world *world)
{
    uint32_t component = world->deferred_component;
    world->deferred_component = KNI_NONE;
    for (uint32_t i = 0; i < world->deferred_count && !world->is_broken; i++) {
        kni_current_update(world, component, world->deferred[i], KNI_NONE);
    }
    world->deferred_count = 0;
}

static void defer(kn_world *world, uint32_t position)
{
    for (uint32_t i = 0; i < world->deferred_count; i++) {
        if (world->deferred[i] == position) {
            return;
        }
    }
    if (!kni_grow(&world->memory, &world->deferred, &world->deferred_capacity,
            world->deferred_count + 1, sizeof(uint32_t))) {
        kni_break(world);
        return;
    }
    world->deferred[world->deferred_count++] = position;
}

void kni_current_update(kn_world *world, uint32_t component, uint32_t position, uint32_t effect)
{
    if (component == world->deferred_component) {
        defer(world, position);
        return;
    }
    float old_value;
    if (current_store(world, component, position, effect, &old_value)) {
        propagate(world, component, position, old_value, effect);
    }
}

// Writes a base value with its hooks and the current value that follows from it, but hands nothing
// on.
static kn_result base_store(kn_world *world, uint32_t component, uint32_t position,
    uint32_t attribute, uint32_t key, float value, uint32_t effect, bool *changed,
    float *old_current)
{
    *changed = false;
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    const kni_component *c = kni_component_at(world, component);
    const kni_set *set = set_at_position(world, c, position);
    kn_entity_id entity = kni_component_entity(world, component);
    float old_base = kni_values_of(world, c)[position].base;
    kn_attribute_change change = {world, entity, {attribute + 1}, key, old_base, value};
    if (set->hooks.pre_base_change != NULL) {
        if (!hook_begin(world, entity, attribute)) {
            return KN_REFUSED_LIMIT;
        }
        value = set->hooks.pre_base_change(set->users[KNI_HOOK_PRE_BASE_CHANGE], &change);
        hook_end(world);
    }
    value = settle_value(world, component, info, key, true, value, value);
    if (!isfinite(value)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, attribute + 1, 0);
        return KN_REFUSED_BAD_NUMBER;
    }
    kni_values_of(world, kni_component_at(world, component))[position].base = value;
    kni_component_at(world, component)->version++; // prices look at base values
    *changed = current_store(world, component, position, effect, old_current);
    if (set->hooks.post_base_change != NULL && hook_begin(world, entity, attribute)) {
        change.new_value = value;
        set->hooks.post_base_change(set->users[KNI_HOOK_POST_BASE_CHANGE], &change);
        hook_end(world);
    }
    return KN_OK;
}

kn_result kni_base_write(kn_world *world, uint32_t component, uint32_t position, uint32_t attribute,
    uint32_t key, float value, uint32_t effect)
{
    bool changed;
    float old_current;
    kn_result result = base_store(
        world, component, position, attribute, key, value, effect, &changed, &old_current);
    if (changed) {
        propagate(world, component, position, old_current, effect);
    }
    return result;
}

// The record of what is written to a meta attribute with an event kind.
static kn_event_record meta_record(const kni_attribute *attribute, const kn_execute_data *data)
{
    kn_event_record record = kn_event_record_default();
    record.kind.index1 = attribute->event_kind;
    record.instigator = data->spec != NULL ? data->spec->source : (kn_entity_id){0};
    record.target = data->entity;
    record.magnitude = data->magnitude;
    record.effect = data->spec;
    if (data->spec != NULL) {
        record.tags = data->spec->type->def.asset_tags;
    }
    return record;
}

// A meta attribute runs its event kind before it is written.
static bool execute_meta(kn_world *world, const kni_attribute *attribute, kn_execute_data *data)
{
    if (attribute->event_kind == 0) {
        return true;
    }
    kn_event_record record = meta_record(attribute, data);
    kn_event_outcome outcome;
    if (kni_event_modify_and_gate(world, &record, &outcome) != KN_OK) {
        return false;
    }
    data->magnitude = outcome.magnitude;
    return true;
}

KNI_SLOW static bool execute_slow(kn_world *world, uint32_t component, uint32_t position,
    uint32_t attribute, uint32_t key, kn_op op, float magnitude, const kn_spec_view *spec)
{
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    const kni_set *set = set_at_position(world, kni_component_at(world, component), position);
    uint32_t effect = spec != NULL ? spec->effect : KNI_NONE;
    kn_entity_id entity = kni_component_entity(world, component);
    kn_execute_data data = {.world = world,
        .entity = entity,
        .attribute = {attribute + 1},
        .key = key,
        .op = op,
        .magnitude = magnitude,
        .spec = spec};
    bool is_meta = (info->flags & KNI_ATTRIBUTE_META) != 0;
    if (is_meta && !execute_meta(world, info, &data)) {
        return false;
    }
    if (set->hooks.pre_execute != NULL) {
        if (!hook_begin(world, entity, attribute)) {
            return false;
        }
        bool keep = set->hooks.pre_execute(set->users[KNI_HOOK_PRE_EXECUTE], &data);
        hook_end(world);
        if (!keep) {
            return false;
        }
    }
    float old_base = kni_values_of(world, kni_component_at(world, component))[position].base;
    float new_base = kni_apply_op(op, is_meta ? 0.0f : old_base, data.magnitude);
    if (!isfinite(data.magnitude) || !isfinite(new_base)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, spec != NULL ? spec->type->index1 : 0,
            attribute + 1, 0);
        return false;
    }
    bool changed;
    float old_current;
    if (base_store(world, component, position, attribute, key, new_base, effect, &changed,
            &old_current) != KN_OK) {
        return false;
    }
    float stored = kni_values_of(world, kni_component_at(world, component))[position].base;
    if (spec != NULL && spec->rare1 != 0 && (spec->type->flags & KNI_EFFECT_TALLY) != 0) {
        kni_rare *rare = kni_rare_at(world, spec->rare1);
        if (stored > old_base) {
            rare->tally_gain = kni_saturated(rare->tally_gain + (stored - old_base));
        } else {
            rare->tally_loss = kni_saturated(rare->tally_loss + (old_base - stored));
        }
    }
    if (set->hooks.post_execute != NULL && hook_begin(world, entity, attribute)) {
        data.old_base = old_base;
        data.new_base = kni_values_of(world, kni_component_at(world, component))[position].base;
        set->hooks.post_execute(set->users[KNI_HOOK_POST_EXECUTE], &data);
        hook_end(world);
    }
    if (changed) {
        propagate(world, component, position, old_current, effect);
    }
    if (is_meta) {
        // Consumed: the attribute publishes nothing, the next effect finds 0. The event has
        // happened.
        kni_value *value = &kni_values_of(world, kni_component_at(world, component))[position];
        value->base = 0.0f;
        value->current = 0.0f;
        if (info->event_kind != 0) {
            const kni_event_kind *kind =
                KNI_ITEM(world->library, KN_DEF_EVENT_KIND, kni_event_kind, info->event_kind - 1);
            kn_event_record record = meta_record(info, &data);
            kni_send(world, entity, record.kind, kind->def.tag, record.instigator, record.magnitude,
                &record);
        }
    }
    return stored != old_base;
}

bool kni_execute(kn_world *world, uint32_t component, uint32_t attribute, uint32_t key, kn_op op,
    float magnitude, const kn_spec_view *spec)
{
    kni_component *c = kni_component_at(world, component);
    uint32_t position =
        key == 0 ? kni_position(world, c, attribute) : kni_position_keyed(world, c, attribute, key);
    if (position == KNI_NONE) {
        kni_emit_error(world, KN_REFUSED_MISSING_ATTRIBUTE, kni_component_entity(world, component),
            spec != NULL ? spec->type->index1 : 0, attribute + 1, 0);
        kni_log_missing(world, spec != NULL ? spec->type->index1 : 0, attribute, component);
        return false;
    }
    bool tallies = spec != NULL && (spec->type->flags & KNI_EFFECT_TALLY) != 0;
    kn_effect_id effect = spec != NULL ? kn_spec_view_effect(spec) : (kn_effect_id){0};
    float old_base = kni_values_of(world, c)[position].base;
    if (!tallies && key == 0 &&
        kni_execute_plain(world, c, kni_attribute_at(world->library, attribute), attribute, op,
            magnitude, kni_component_entity(world, component), effect)) {
        return kni_values_of(world, c)[position].base != old_base;
    }
    return execute_slow(world, component, position, attribute, key, op, magnitude, spec);
}

// Sets ----------------------------------------------------------------------

static float start_value(kn_world *world, const kni_attribute *attribute)
{
    const kn_attribute_def *def = &attribute->def;
    if (!def->has_random) {
        return def->default_value;
    }
    float share = kn_random_float(world, KN_STREAM_INIT);
    return def->random_min + (def->random_max - def->random_min) * share;
}

// True if a set shares an attribute with one that is there under the same key.
static bool sets_overlap(const kn_library *library, uint32_t a, uint32_t b)
{
    for (uint32_t x = a; x != KNI_NONE; x = kni_set_at(library, x)->parent) {
        for (uint32_t y = b; y != KNI_NONE; y = kni_set_at(library, y)->parent) {
            if (x == y) {
                return true;
            }
        }
    }
    return false;
}

// Moves a component to another layout: values of sets that stay keep their place in the new one.
static bool component_relayout(kn_world *world, uint32_t slot, uint32_t new_layout)
{
    kni_component_at(world, slot)->version++;
    const kni_layout *to = &world->layouts[new_layout];
    kni_ref values = 0;
    if (to->value_count > 0) {
        values =
            kni_heap_acquire(&world->heap, &world->memory, to->value_count * sizeof(kni_value));
        if (values == 0) {
            return false;
        }
    }
    kni_component *component = kni_component_at(world, slot);
    const kni_layout *from = &world->layouts[component->layout];
    kni_value *target = values != 0 ? kni_heap_at(&world->heap, values) : NULL;
    const kni_value *source = kni_values_of(world, component);
    if (target != NULL) {
        memset(target, 0, to->value_count * sizeof(kni_value));
    }
    for (uint32_t i = 0; i < to->set_count && target != NULL; i++) {
        for (uint32_t j = 0; j < from->set_count; j++) {
            if (to->sets[i].set != from->sets[j].set || to->sets[i].key != from->sets[j].key) {
                continue;
            }
            uint32_t count = kni_set_at(world->library, to->sets[i].set)->count;
            memcpy(target + to->sets[i].first, source + from->sets[j].first,
                count * sizeof(kni_value));
            for (uint32_t k = 0; k < count; k++) {
                uint32_t aggregator1 = target[to->sets[i].first + k].aggregator1;
                if (aggregator1 != 0) {
                    kni_aggregator_at(world, aggregator1 - 1)->position = to->sets[i].first + k;
                }
            }
        }
    }
    kni_heap_release(&world->heap, component->values, from->value_count * sizeof(kni_value));
    component->values = values;
    component->layout = new_layout;
    return true;
}

// A modifier that waited for its attribute may turn out to follow itself: the effect goes.
static bool parked_would_cycle(kn_world *world, uint32_t effect)
{
    kn_spec_view view;
    kni_view_of_effect(world, effect, &view);
    if (!kni_would_cycle(&view)) {
        return false;
    }
    kni_emit_error(world, KN_REFUSED_CYCLE, view.target, view.type->index1, 0, 0);
    kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
    queued->effect = kni_effect_id_of(world, effect);
    queued->reason = KN_REMOVED_REQUIREMENT;
    return true;
}

// A set was added or removed: what is limited by attributes of another set is settled again.
static void links_settle(kn_world *world, uint32_t slot)
{
    for (uint32_t i = 0;
         i < world->layouts[kni_component_at(world, slot)->layout].value_count && !world->is_broken;
         i++) {
        const kni_component *component = kni_component_at(world, slot);
        uint32_t key;
        uint32_t index = kni_attribute_at_position(world, component, i, &key);
        const kni_attribute *attribute = kni_attribute_at(world->library, index);
        const kni_limit *limits[4] = {
            &attribute->base_min, &attribute->base_max, &attribute->min, &attribute->max};
        bool is_linked = false;
        for (uint32_t j = 0; j < 4; j++) {
            is_linked |= limits[j]->is_set && limits[j]->attribute != KNI_NONE;
        }
        if (is_linked && attribute->def.link != KN_LINK_KEEP) {
            float base = kni_values_of(world, component)[i].base;
            (void)kni_base_write(world, slot, i, index, key, base, KNI_NONE);
        }
    }
}

// Modifiers of active effects that waited for the set, and captures that read it.
static void set_arrived(kn_world *world, uint32_t slot)
{
    for (uint32_t i = 0; i < kni_component_at(world, slot)->effects.count; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, kni_component_at(world, slot)->effects, uint32_t, i);
        kni_captures_register(world, effect, true);
        kni_captures_changed(world, effect);
        const kni_effect *e = kni_effect_at(world, effect);
        if ((e->flags & KNI_ACTIVE_ATTACHED) != 0 &&
            (kni_type_at(world, e->type)->flags & KNI_EFFECT_OWNED) == 0) {
            if (parked_would_cycle(world, effect)) {
                continue;
            }
            kni_modifiers_attach(world, effect, slot);
        }
        kni_effect_queue_recheck(world, effect);
    }
    for (uint32_t i = 0; i < kni_component_at(world, slot)->dependents.count; i++) {
        uint32_t effect =
            *KNI_SPAN_AT(world, kni_component_at(world, slot)->dependents, uint32_t, i);
        kni_captures_register(world, effect, true);
        kni_captures_changed(world, effect);
        kni_effect_queue_recheck(world, effect);
    }
    uint32_t owner = kni_component_find(world, kni_component_at(world, slot)->owner);
    if (owner != KNI_NONE && kni_component_at(world, owner)->owned_count > 0) {
        for (uint32_t i = 0; i < kni_component_at(world, owner)->effects.count; i++) {
            uint32_t effect =
                *KNI_SPAN_AT(world, kni_component_at(world, owner)->effects, uint32_t, i);
            const kni_effect *e = kni_effect_at(world, effect);
            if ((kni_type_at(world, e->type)->flags & KNI_EFFECT_OWNED) != 0 &&
                (e->flags & KNI_ACTIVE_ATTACHED) != 0) {
                kni_modifiers_attach(world, effect, slot);
            }
        }
    }
}

// Settles a run of fresh values without publishing anything. A limit may itself be limited, in any
// order of declaration, but not in a circle: after as many rounds as there are values all is still.
static void settle_all(kn_world *world, uint32_t slot, uint32_t first, uint32_t count)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round <= count; round++) {
        changed = false;
        for (uint32_t i = first; i < first + count; i++) {
            const kni_component *component = kni_component_at(world, slot);
            uint32_t key;
            uint32_t index = kni_attribute_at_position(world, component, i, &key);
            const kni_attribute *attribute = kni_attribute_at(world->library, index);
            kni_value *value = &kni_values_of(world, component)[i];
            float base = settle_value(world, slot, attribute, key, true, value->base, value->base);
            float raw = value->aggregator1 != 0
                            ? kni_attribute_raw(world, slot, i, attribute, base, NULL)
                            : base;
            float current = settle_value(world, slot, attribute, key, false, raw, base);
            changed |= base != value->base || current != value->current;
            value->base = base;
            value->current = current;
        }
    }
}

// Values were added, removed or replaced without being published one by one.
static void values_replaced(kn_world *world, uint32_t component)
{
    kni_component_at(world, component)->version++;
    if ((kni_component_at(world, component)->flags & KNI_COMPONENT_WATCHED) != 0) {
        kni_charges_rate_changed(world, component, KNI_NONE);
    }
}

// Whether an entity has attributes of a set under that key, by this set or another.
static bool overlap_is_there(const kn_world *world, kn_entity_id entity, uint32_t set, uint32_t key)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE) {
        return false;
    }
    const kni_layout *layout = &world->layouts[kni_component_at(world, slot)->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (layout->sets[i].key == key && sets_overlap(world->library, layout->sets[i].set, set)) {
            return true;
        }
    }
    return false;
}

static kn_result set_add(kn_world *world, kn_entity_id entity, kn_attribute_set_id id, uint32_t key)
{
    if (id.index1 == 0 || id.index1 > world->library->registries[KN_DEF_ATTRIBUTE_SET].count) {
        KN_ASSERT(id.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t entity_slot = kni_entity_find(world, entity);
    if (entity_slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t set_index = id.index1 - 1;
    if (kni_is_held(world)) {
        bool may_go = kni_call_waits(world, KNI_CALL_SET_REMOVE, entity);
        if (!may_go && overlap_is_there(world, entity, set_index, key)) {
            return KN_REFUSED_DUPLICATE;
        }
        return kni_postpone(world,
            &(kni_call){
                .kind = KNI_CALL_SET_ADD, .entity = entity, .set1 = id.index1, .number = key});
    }
    uint32_t slot = kni_component_ensure(world, entity_slot);
    if (slot == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (overlap_is_there(world, entity, set_index, key)) {
        return KN_REFUSED_DUPLICATE;
    }
    const kni_layout *layout = &world->layouts[kni_component_at(world, slot)->layout];
    const kni_set *set = kni_set_at(world->library, set_index);
    kni_set_instance sets[64];
    if (layout->set_count >= 64 || layout->value_count + set->count >= KNI_NO_POSITION) {
        return KN_REFUSED_LIMIT;
    }
    for (uint32_t i = 0; i < layout->set_count; i++) {
        sets[i] = layout->sets[i];
    }
    uint32_t count = layout->set_count;
    uint32_t first = layout->value_count;
    sets[count] = (kni_set_instance){set_index, key, first};
    uint32_t new_layout = kni_layout_find(world, sets, count + 1);
    if (new_layout == KNI_NONE || !component_relayout(world, slot, new_layout)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const kni_attribute *attribute = kni_attribute_at(world->library, set->attributes[i]);
        kni_value *value = &kni_values_of(world, kni_component_at(world, slot))[first + i];
        value->base = start_value(world, attribute);
        value->current = value->base;
    }
    settle_all(world, slot, first, set->count);
    if (kni_wants(world, KN_EVENT_SET_ADDED)) {
        kn_event *event = kni_emit(world, KN_EVENT_SET_ADDED, entity);
        event->data.set.set = id;
        event->data.set.key = key;
    }
    set_arrived(world, slot);
    links_settle(world, slot);
    values_replaced(world, slot);
    return KN_OK;
}

kn_result kn_attribute_set_add(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_add(world, entity, set, key));
}

static uint32_t instance_find(const kni_layout *layout, uint32_t set, uint32_t key)
{
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (layout->sets[i].set == set && layout->sets[i].key == key) {
            return i;
        }
    }
    return KNI_NONE;
}

// An attribute goes with its set: what modifiers gave is published as taken back, as it was
// published when they came, so that the changes of an attribute add up.
static void modifiers_left_tell(kn_world *world, uint32_t component, uint32_t position)
{
    const kni_component *c = kni_component_at(world, component);
    const kni_value *value = &kni_values_of(world, c)[position];
    uint32_t key;
    uint32_t index = kni_attribute_at_position(world, c, position, &key);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    float plain = settle_value(world, component, attribute, key, false, value->base, value->base);
    if (plain != value->current && kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        kn_event *event =
            kni_emit(world, KN_EVENT_ATTRIBUTE_CHANGED, kni_component_entity(world, component));
        event->data.attribute.attribute.index1 = index + 1;
        event->data.attribute.key = key;
        event->data.attribute.old_value = value->current;
        event->data.attribute.new_value = plain;
        event->data.attribute.effect = (kn_effect_id){0};
    }
}

static kn_result set_remove(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id id, uint32_t key)
{
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    bool is_held = kni_is_held(world);
    bool may_come = is_held && kni_call_waits(world, KNI_CALL_SET_ADD, entity);
    if (!may_come && !kn_attribute_set_has(world, entity, id, key)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (is_held) {
        return kni_postpone(world,
            &(kni_call){
                .kind = KNI_CALL_SET_REMOVE, .entity = entity, .set1 = id.index1, .number = key});
    }
    uint32_t slot = kni_component_find(world, entity);
    const kni_layout *layout = &world->layouts[kni_component_at(world, slot)->layout];
    uint32_t index = instance_find(layout, id.index1 - 1, key);
    kni_set_instance sets[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (i != index) {
            sets[count++] = layout->sets[i];
        }
    }
    uint32_t new_layout = kni_layout_find(world, sets, count);
    if (new_layout == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    layout = &world->layouts[kni_component_at(world, slot)->layout];
    uint32_t first = layout->sets[index].first;
    uint32_t attributes = kni_set_at(world->library, id.index1 - 1)->count;
    // What acted on or followed these attributes lets go; the captures keep what they last read.
    for (uint32_t i = 0; i < attributes; i++) {
        kni_value *value = &kni_values_of(world, kni_component_at(world, slot))[first + i];
        if (value->aggregator1 != 0) {
            uint32_t aggregator = value->aggregator1 - 1;
            kni_aggregator *a = kni_aggregator_at(world, aggregator);
            for (uint32_t j = 0; j < a->dependents.count; j++) {
                kni_effect_queue_recheck(
                    world, KNI_SPAN_AT(world, a->dependents, kni_dependent, j)->effect);
                a = kni_aggregator_at(world, aggregator);
            }
            kni_span_clear(&world->heap, &a->mods, sizeof(kni_mod));
            kni_span_clear(&world->heap, &a->dependents, sizeof(kni_dependent));
            kni_pool_release(&world->aggregators, aggregator);
            value->aggregator1 = 0;
            modifiers_left_tell(world, slot, first + i);
        }
    }
    if (!component_relayout(world, slot, new_layout)) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (kni_wants(world, KN_EVENT_SET_REMOVED)) {
        kn_event *event = kni_emit(world, KN_EVENT_SET_REMOVED, entity);
        event->data.set.set = id;
        event->data.set.key = key;
    }
    links_settle(world, slot);
    values_replaced(world, slot);
    return KN_OK;
}

kn_result kn_attribute_set_remove(
    kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_remove(world, entity, set, key));
}

bool kn_attribute_set_has(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_id set, uint32_t key)
{
    uint32_t slot = kni_component_find(world, entity);
    return slot != KNI_NONE && set.index1 != 0 &&
           instance_find(&world->layouts[kni_component_at(world, slot)->layout], set.index1 - 1,
               key) != KNI_NONE;
}

uint32_t kn_attribute_sets(
    const kn_world *world, kn_entity_id entity, kn_attribute_set_instance *out, uint32_t capacity)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE) {
        return 0;
    }
    const kni_layout *layout = &world->layouts[kni_component_at(world, slot)->layout];
    for (uint32_t i = 0; i < layout->set_count && i < capacity; i++) {
        out[i] = (kn_attribute_set_instance){{layout->sets[i].set + 1}, layout->sets[i].key};
    }
    return layout->set_count;
}

// Reading and writing -------------------------------------------------------

static const kni_value *value_find(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || attribute.index1 - 1 >= kn_attribute_count(world->library)) {
        return NULL;
    }
    const kni_component *component = kni_component_at(world, slot);
    uint32_t position = kni_position_keyed(world, component, attribute.index1 - 1, key);
    return position == KNI_NONE ? NULL : &kni_values_of(world, component)[position];
}

float kn_attribute_value(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_value_keyed(world, entity, attribute, 0);
}

float kn_attribute_base(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_base_keyed(world, entity, attribute, 0);
}

float kn_attribute_value_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key)
{
    const kni_value *value = value_find(world, entity, attribute, key);
    return value != NULL ? value->current : 0.0f;
}

float kn_attribute_base_keyed(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key)
{
    const kni_value *value = value_find(world, entity, attribute, key);
    return value != NULL ? value->base : 0.0f;
}

bool kn_attribute_exists(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key)
{
    return value_find(world, entity, attribute, key) != NULL;
}

void kn_attribute_bounds(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute,
    uint32_t key, float *minimum, float *maximum)
{
    *minimum = -INFINITY;
    *maximum = INFINITY;
    uint32_t slot = kni_component_find(world, entity);
    if (value_find(world, entity, attribute, key) != NULL) {
        kni_bounds(world, kni_component_at(world, slot),
            kni_attribute_at(world->library, attribute.index1 - 1), key, false, minimum, maximum);
    }
}

static kn_result write_check(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute,
    uint32_t key, float value, uint32_t *component, uint32_t *position)
{
    if (world == NULL || attribute.index1 == 0 ||
        attribute.index1 > kn_attribute_count(world->library)) {
        KN_ASSERT(world != NULL && attribute.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!isfinite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    *component = kni_component_find(world, entity);
    *position = *component == KNI_NONE
                    ? KNI_NONE
                    : kni_position_keyed(
                          world, kni_component_at(world, *component), attribute.index1 - 1, key);
    return *position == KNI_NONE ? KN_REFUSED_MISSING_ATTRIBUTE : KN_OK;
}

kn_result kn_attribute_set_base(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component, position;
    result = write_check(world, entity, attribute, key, value, &component, &position);
    if (result == KN_OK && (kni_attribute_at(world->library, attribute.index1 - 1)->flags &
                               KNI_ATTRIBUTE_STATIC) != 0) {
        result = KN_REFUSED_BLOCKED;
    }
    if (result == KN_OK) {
        result =
            kni_base_write(world, component, position, attribute.index1 - 1, key, value, KNI_NONE);
    }
    return kni_leave(world, result);
}

static void init_one(kn_world *world, uint32_t component, uint32_t position, uint32_t index,
    uint32_t key, float value, float old)
{
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    kn_entity_id entity = kni_component_entity(world, component);
    kni_value *slot = &kni_values_of(world, kni_component_at(world, component))[position];
    slot->base = settle_value(world, component, attribute, key, true, value, value);
    kni_component_at(world, component)->version++;
    float raw = kni_attribute_raw(world, component, position, attribute, slot->base, NULL);
    const kni_set *set = set_at_position(world, kni_component_at(world, component), position);
    world->evaluations++;
    if (set->hooks.pre_change != NULL) {
        kn_attribute_change change = {world, entity, {index + 1}, key, old, raw};
        if (!pre_change(world, set, component, position, attribute, &change, &raw)) {
            return;
        }
        slot = &kni_values_of(world, kni_component_at(world, component))[position];
    }
    float current = settle_value(world, component, attribute, key, false, raw, slot->base);
    if (!isfinite(current)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, index + 1, 0);
        return;
    }
    slot->current = current;
    if (kni_wants(world, KN_EVENT_ATTRIBUTE_INITIALISED)) {
        kn_event *event = kni_emit(world, KN_EVENT_ATTRIBUTE_INITIALISED, entity);
        event->data.attribute.attribute.index1 = index + 1;
        event->data.attribute.key = key;
        event->data.attribute.old_value = old;
        event->data.attribute.new_value = current;
        event->data.attribute.effect = (kn_effect_id){0};
    }
    if (current != old) {
        propagate(world, component, position, old, KNI_NONE);
    }
}

kn_result kn_attribute_init(
    kn_world *world, kn_entity_id entity, kn_attribute_id attribute, uint32_t key, float value)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component, position;
    result = write_check(world, entity, attribute, key, value, &component, &position);
    if (result == KN_OK) {
        float old = kni_values_of(world, kni_component_at(world, component))[position].current;
        init_one(world, component, position, attribute.index1 - 1, key, value, old);
        values_replaced(world, component);
    }
    return kni_leave(world, result);
}

kn_result kn_attribute_init_group(
    kn_world *world, kn_entity_id entity, const char *group, uint32_t level, uint32_t key)
{
    if (group == NULL) {
        KN_ASSERT(group != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    // Raw values of all rows first, since one may limit another; then each is settled.
    result = KN_REFUSED_NOT_FOUND;
    float old[256];
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        if (pass == 1) {
            settle_all(world, component, 0,
                world->layouts[kni_component_at(world, component)->layout].value_count);
        }
        for (uint32_t i = 0; i < world->library->start_row_count; i++) {
            const kni_start_row *row = &world->library->start_rows[i];
            const kni_component *c = kni_component_at(world, component);
            uint32_t position = row->level == level && strcmp(row->group, group) == 0
                                    ? kni_position_keyed(world, c, row->attribute, key)
                                    : KNI_NONE;
            if (position == KNI_NONE) {
                continue;
            }
            kni_value *value = &kni_values_of(world, c)[position];
            if (pass == 0) {
                old[count % 256] = value->current;
                value->base = row->value;
                value->current = row->value;
            } else {
                init_one(
                    world, component, position, row->attribute, key, row->value, old[count % 256]);
                result = KN_OK;
            }
            count++;
        }
    }
    values_replaced(world, component);
    return kni_leave(world, result);
}
