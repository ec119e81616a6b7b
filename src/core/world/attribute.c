// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes of entities: their positions, their limits, and the records that hold the modifiers
// and followers of a value. How they change is in effect/attribute_change.c.

#include "world/world.h"

#include "base/text.h"

#include <math.h>

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
    // The limiting attribute of the same set instance, else that of the default instance.
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
        *maximum = *minimum; // if limits cross, the minimum wins
    }
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
        // The declaring set may be a parent of one in the layout; a parent's attributes come first.
        for (uint32_t set = layout->sets[i].set; set != KNI_NONE;
             set = kni_set_at(world->library, set)->parent) {
            if (set == info->set) {
                return layout->sets[i].first + info->set_index;
            }
        }
    }
    return KNI_NONE;
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

void kni_aggregator_release(kn_world *world, uint32_t slot)
{
    kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    kni_span_clear(&world->heap, &aggregator->mods, sizeof(kni_mod));
    kni_span_clear(&world->heap, &aggregator->dependents, sizeof(kni_dependent));
    kni_span_clear(&world->heap, &aggregator->sums, sizeof(kni_sums));
    kni_pool_release(&world->aggregators, slot);
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
    kni_aggregator_release(world, slot);
}

// Where the effect with a number is, or would be.
static uint32_t dependent_place(
    const kn_world *world, const kni_aggregator *aggregator, uint64_t number)
{
    uint32_t begin = 0, end = aggregator->dependents.count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, middle)->number < number) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
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
    uint32_t index = dependent_place(world, aggregator, number);
    if (index < aggregator->dependents.count) {
        kni_dependent *other = KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, index);
        if (other->number == number) {
            other->kinds |= kinds;
            return;
        }
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
    uint64_t number = kni_effect_at(world, effect)->number;
    uint32_t index = dependent_place(world, aggregator, number);
    if (index < aggregator->dependents.count &&
        KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, index)->number == number) {
        kni_span_remove(&world->heap, &aggregator->dependents, index, sizeof(kni_dependent));
    }
    kni_aggregator_drop_if_empty(world, aggregator1 - 1);
}
