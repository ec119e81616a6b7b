// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Adding and removing attribute sets, and writing base values. A component moves to another layout;
// active effects that waited for an attribute begin to act on it, and those whose attributes are
// removed stop.

#include "base/text.h"
#include "effect/effect.h"

#include <math.h>

static float start_value(kn_world *world, const kni_attribute *attribute)
{
    const kn_attribute_def *def = &attribute->def;
    if (!def->has_random) {
        return def->default_value;
    }
    float share = kn_random_float(world, KN_STREAM_INIT);
    return def->random_min + (def->random_max - def->random_min) * share;
}

// Moves a component to another layout. Values of sets in both are kept.
static bool component_relayout(kn_world *world, uint32_t slot, uint32_t new_layout)
{
    kni_mark(world, slot, KN_PART_ATTRIBUTES);
    kni_touch(world, slot);
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

// A modifier that waited for its attribute may turn out to follow itself: then the effect is
// removed.
static bool parked_would_cycle(kn_world *world, uint32_t effect)
{
    kn_spec_view view;
    kni_view_of_effect(world, effect, &view);
    if (!kni_would_cycle(&view)) {
        return false;
    }
    kni_emit_error(world, KN_REFUSED_CYCLE, view.target, view.type->index1, 0, 0);
    kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
    queued->effect.id = kni_effect_id_of(world, effect);
    queued->effect.reason = KN_REMOVED_REQUIREMENT;
    return true;
}

// A set was added or removed: values limited by attributes of another set are limited again.
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

// Attaches modifiers of active effects that waited for the set, and captures that read it.
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

// Brings a run of new values within their limits without publishing anything. A limit may itself be
// limited, in any order of declaration, but not in a circle: after as many rounds as there are
// values, nothing changes any more.
static void settle_all(kn_world *world, uint32_t slot, uint32_t first, uint32_t count)
{
    kni_mark(world, slot, KN_PART_ATTRIBUTES);
    bool changed = true;
    for (uint32_t round = 0; changed && round <= count; round++) {
        changed = false;
        for (uint32_t i = first; i < first + count; i++) {
            const kni_component *component = kni_component_at(world, slot);
            uint32_t key;
            uint32_t index = kni_attribute_at_position(world, component, i, &key);
            const kni_attribute *attribute = kni_attribute_at(world->library, index);
            kni_value *value = &kni_values_of(world, component)[i];
            float base =
                kni_value_settle(world, slot, attribute, key, true, value->base, value->base);
            float raw = value->aggregator1 != 0
                            ? kni_attribute_raw(world, slot, i, attribute, base, NULL)
                            : base;
            float current = kni_value_settle(world, slot, attribute, key, false, raw, base);
            changed |= base != value->base || current != value->current;
            value->base = base;
            value->current = current;
        }
    }
}

// Values were added, removed or replaced without an event for each.
static void values_replaced(kn_world *world, uint32_t component)
{
    kni_touch(world, component);
    if ((kni_component_at(world, component)->flags & KNI_COMPONENT_WATCHED) != 0) {
        world->above->rates_changed(world, component, KNI_NONE);
    }
}

// Whether an entity has attributes of a set under that key, through this set or another.
static bool overlap_is_there(const kn_world *world, kn_entity_id entity, uint32_t set, uint32_t key)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE) {
        return false;
    }
    const kni_layout *layout = &world->layouts[kni_component_at(world, slot)->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (layout->sets[i].key == key &&
            kni_sets_overlap(world->library, layout->sets[i].set, set)) {
            return true;
        }
    }
    return false;
}

static void set_publish(
    kn_world *world, kn_event_type type, kn_entity_id entity, kn_attribute_set_id set, uint32_t key)
{
    if (kni_wants(world, type)) {
        kn_event *event = kni_emit(world, type, entity);
        event->data.set.set = set;
        event->data.set.key = key;
    }
}

// Notifies rules, watches and tasks.
static void set_react(
    kn_world *world, kn_trigger trigger, uint32_t slot, kn_attribute_set_id set, uint32_t key)
{
    if (kni_is_heard(world, slot, trigger)) {
        kn_reaction reaction = {.trigger = trigger,
            .entity = kni_component_entity(world, slot),
            .key = key,
            .set = set};
        kni_react_all(world, slot, &reaction);
    }
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
    set_publish(world, KN_EVENT_SET_ADDED, entity, id, key);
    set_arrived(world, slot);
    links_settle(world, slot);
    values_replaced(world, slot);
    set_react(world, KN_TRIGGER_SET_ADDED, slot, id, key);
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

// An attribute is removed with its set: what modifiers contributed is published as removed, as it
// was published when they were added, so that the changes of an attribute add up.
static void modifiers_left_tell(kn_world *world, uint32_t component, uint32_t position)
{
    const kni_component *c = kni_component_at(world, component);
    const kni_value *value = &kni_values_of(world, c)[position];
    uint32_t key;
    uint32_t index = kni_attribute_at_position(world, c, position, &key);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    float plain =
        kni_value_settle(world, component, attribute, key, false, value->base, value->base);
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
    // Removes everything that acts on or follows these attributes; captures keep what they last
    // read.
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
            kni_aggregator_release(world, aggregator);
            value->aggregator1 = 0;
            modifiers_left_tell(world, slot, first + i);
        }
    }
    if (!component_relayout(world, slot, new_layout)) {
        kni_break(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    set_publish(world, KN_EVENT_SET_REMOVED, entity, id, key);
    links_settle(world, slot);
    values_replaced(world, slot);
    set_react(world, KN_TRIGGER_SET_REMOVED, slot, id, key);
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
    slot->base = kni_value_settle(world, component, attribute, key, true, value, value);
    kni_touch(world, component);
    kni_mark(world, component, KN_PART_ATTRIBUTES);
    float raw = kni_attribute_raw(world, component, position, attribute, slot->base, NULL);
    const kni_set *set = kni_set_at_position(world, kni_component_at(world, component), position);
    world->evaluations++;
    if (set->hooks.pre_change != NULL) {
        kn_attribute_change change = {world, entity, {index + 1}, key, old, raw};
        if (!kni_pre_change(world, set, component, position, attribute, &change, &raw)) {
            return;
        }
        slot = &kni_values_of(world, kni_component_at(world, component))[position];
    }
    float current = kni_value_settle(world, component, attribute, key, false, raw, slot->base);
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
        kni_propagate(world, component, position, old, KNI_NONE);
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

// All values at once: first the raw ones, since one may limit another; then each is limited. None
// moves another one of them.
static void init_all(kn_world *world, const kni_init *init)
{
    const kni_component *c = kni_component_at(world, init->component);
    for (uint32_t i = 0; i < init->count; i++) {
        kni_init_item *item = &init->items[i];
        kni_value *value = &kni_values_of(world, c)[item->position];
        item->old = value->current;
        value->base = item->value;
        value->current = item->value;
    }
    settle_all(world, init->component, 0, world->layouts[c->layout].value_count);
    const kni_init *outer = world->init;
    for (uint32_t i = 0; i < init->count && !world->is_broken; i++) {
        const kni_init_item *item = &init->items[i];
        // A hook may have removed the set.
        uint32_t position = kni_position_keyed(
            world, kni_component_at(world, init->component), item->attribute, init->key);
        if (position != KNI_NONE) {
            world->init = init;
            init_one(world, init->component, position, item->attribute, init->key, item->value,
                item->old);
        }
    }
    world->init = outer;
    values_replaced(world, init->component);
}

#define INIT_FEW 64

kn_result kni_attributes_init(
    kn_world *world, uint32_t component, uint32_t key, kni_init_next *next, const void *user)
{
    kni_init_item few[INIT_FEW];
    kni_init init = {.component = component, .key = key, .items = few};
    uint32_t attribute, capacity = 0;
    float value;
    for (uint32_t at = 0; next(user, &at, &attribute, &value);) {
        init.count++;
    }
    if (init.count > INIT_FEW) {
        init.items = NULL;
        if (!kni_grow(&world->memory, &init.items, &capacity, init.count, sizeof(*init.items))) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    init.count = 0;
    kn_result result = KN_OK;
    for (uint32_t at = 0; next(user, &at, &attribute, &value) && result == KN_OK;) {
        uint32_t position =
            kni_position_keyed(world, kni_component_at(world, component), attribute, key);
        if (position == KNI_NONE) {
            result = KN_REFUSED_MISSING_ATTRIBUTE;
        } else if (!isfinite(value)) {
            result = KN_REFUSED_BAD_NUMBER;
        } else {
            init.items[init.count++] = (kni_init_item){attribute, position, value, 0.0f};
        }
    }
    if (result == KN_OK && init.count > 0) {
        init_all(world, &init);
    }
    if (init.items != few) {
        kni_free(&world->memory, init.items, capacity * sizeof(*init.items));
    }
    return result == KN_OK && init.count == 0 ? KN_REFUSED_NOT_FOUND : result;
}

// The rows of a group that the entity has attributes for.
typedef struct group_rows {
    const kn_world *world;
    const char *group;
    uint32_t level, component, key;
} group_rows;

static bool group_next(const void *user, uint32_t *at, uint32_t *attribute, float *value)
{
    const group_rows *rows = user;
    const kn_library *library = rows->world->library;
    while (*at < library->start_row_count) {
        const kni_start_row *row = &library->start_rows[(*at)++];
        if (row->level == rows->level && strcmp(row->group, rows->group) == 0 &&
            kni_position_keyed(rows->world, kni_component_at(rows->world, rows->component),
                row->attribute, rows->key) != KNI_NONE) {
            *attribute = row->attribute;
            *value = row->value;
            return true;
        }
    }
    return false;
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
    group_rows rows = {world, group, level, component, key};
    return kni_leave(world, kni_attributes_init(world, component, key, group_next, &rows));
}
