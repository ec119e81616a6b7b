// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How attributes change, and what follows.
//
// A change of a current value is propagated in topological order: the aggregators that depend on it
// are sorted depth-first, and each is evaluated once, only if one of its modifiers really changed.

#include "base/text.h"
#include "effect/effect.h"

#include <math.h>

float kni_value_settle_slow(const kn_world *world, uint32_t component,
    const kni_attribute *attribute, uint32_t key, bool is_base, float value, float base)
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

// The aggregator that an effect with a kni_plain_follow acts on, or KNI_NONE.
static uint32_t follower_aggregator(
    const kn_world *world, const kni_effect *effect, const kni_effect_type *type)
{
    const kni_component *target = kni_component_at(world, effect->component);
    uint32_t position = kni_position(world, target, type->modifiers->attribute);
    return position == KNI_NONE ? KNI_NONE : kni_values_of(world, target)[position].aggregator1 - 1;
}

// Depth-first, children before parents; the list is then walked backwards.
static void propagation_sort(kn_world *world, uint32_t aggregator, uint32_t depth)
{
    kni_aggregator *node = kni_aggregator_at(world, aggregator);
    if (node->stamp == world->visiting || depth > 1024) {
        return;
    }
    kni_visit visit = {aggregator, node->stamp};
    node->stamp = world->visiting;
    for (uint32_t i = 0; i < kni_aggregator_at(world, aggregator)->dependents.count; i++) {
        kni_dependent dependent = dependent_at(world, aggregator, i);
        if ((dependent.kinds & KNI_DEPENDS_CAPTURE) == 0) {
            continue;
        }
        const kni_effect *effect = kni_effect_at(world, dependent.effect);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        if ((type->flags & (KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED)) != 0) {
            continue;
        }
        if (type->plain_follow.attribute1 != 0) { // it has one capture: that of this value
            uint32_t next = follower_aggregator(world, effect, type);
            if (effect->rare1 != 0) {
                KNI_PREFETCH(&kni_rare_at(world, effect->rare1)->magnitudes);
            }
            if (next != KNI_NONE) {
                KNI_PREFETCH(kni_heap_at(&world->heap, kni_aggregator_at(world, next)->mods.ref));
                propagation_sort(world, next, depth + 1);
            }
            continue;
        }
        kn_spec_view view;
        kni_view_of_effect(world, dependent.effect, &view);
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
    if (world->node_count == world->node_capacity &&
        !kni_grow(&world->memory, &world->nodes, &world->node_capacity, world->node_count + 1,
            sizeof(kni_visit))) {
        kni_break(world);
        return;
    }
    world->nodes[world->node_count++] = visit;
}

// Updates the effects that read the value of this aggregator.
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

// The value that current_store() looked at, and what it was before.
typedef struct stored_value {
    const kni_attribute *attribute;
    uint32_t index, key; // of the attribute
    float old;
} stored_value;

static bool current_store(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, stored_value *stored);

// Whether the attribute gets a value in the same call that moves its limit.
static bool is_set_too(const kn_world *world, uint32_t component, uint32_t attribute, uint32_t key)
{
    const kni_init *init = world->init;
    bool is_set = false;
    if (init != NULL && init->component == component && init->key == key) {
        for (uint32_t i = 0; i < init->count && !is_set; i++) {
            is_set = init->items[i].attribute == attribute;
        }
    }
    return is_set;
}

// Adapts an attribute to one of its limits, which has moved.
static void link_apply(kn_world *world, uint32_t component, uint32_t attribute, uint32_t key,
    uint32_t limiter, float old_limit, float new_limit, uint32_t effect)
{
    const kni_component *c = kni_component_at(world, component);
    uint32_t position = kni_position_keyed(world, c, attribute, key);
    if (position == KNI_NONE || is_set_too(world, component, attribute, key)) {
        return;
    }
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    float base = kni_values_of(world, c)[position].base;
    if (info->def.link == KN_LINK_KEEP) {
        return;
    }
    if (info->def.link == KN_LINK_PROPORTION) {
        // The range that the value is a proportion of: that of the base if it is linked, else of
        // the current value.
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
    // Other instances that use the default instance as their limit.
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

static void changed_publish(kn_world *world, kn_entity_id entity, const stored_value *stored,
    float current, uint32_t effect)
{
    kn_event *event = kni_emit(world, KN_EVENT_ATTRIBUTE_CHANGED, entity);
    event->data.attribute.attribute.index1 = stored->index + 1;
    event->data.attribute.key = stored->key;
    event->data.attribute.old_value = stored->old;
    event->data.attribute.new_value = current;
    event->data.attribute.effect =
        effect != KNI_NONE ? kni_effect_id_of(world, effect) : (kn_effect_id){0};
}

// Whether a modifier simply adds.
static inline bool mod_is_plain(const kni_mod *mod)
{
    const uint8_t wrong = KNI_MOD_CONDITION | KNI_MOD_UNMET;
    return mod->op == KN_OP_ADD && mod->channel == 0 && mod->group == 0 &&
           (mod->flags & wrong) == 0;
}

// Adds the sum of modifiers that all simply add. False if one of them does anything else.
static inline bool mods_sum(const kn_world *world, uint32_t slot, float *value)
{
    const kni_aggregator *aggregator = kni_aggregator_at(world, slot);
    const kni_mod *mods = KNI_SPAN_AT(world, aggregator->mods, const kni_mod, 0);
    uint32_t count = aggregator->mods.count;
    float add = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        if (!mod_is_plain(&mods[i])) {
            return false;
        }
        add += mods[i].magnitude;
    }
    *value += add;
    return count < KNI_SUMS_STEP; // the sums of a long list are kept
}

// Whether only modifiers and constant limits matter in an evaluation: its other stages do nothing.
static inline bool value_is_plain(const kni_component *component, const kni_attribute *attribute)
{
    return (attribute->flags & KNI_ATTRIBUTE_PLAIN) != 0 &&
           attribute->def.qualify == KN_QUALIFY_ALL &&
           (component->flags & KNI_COMPONENT_WATCHED) == 0;
}

// Stores the current value of an attribute that is plain. True if it changed.
static inline bool current_write(kn_world *world, uint32_t slot, uint32_t position, float current,
    uint32_t effect, const stored_value *stored)
{
    kni_component *component = kni_component_at(world, slot);
    world->evaluations++;
    if (current == stored->old) {
        return false;
    }
    kni_values_of(world, component)[position].current = current;
    if (world->marks != NULL) {
        kni_mark_slow(world, component->entity, KN_PART_ATTRIBUTES);
    }
    if (kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        changed_publish(world, kni_component_entity(world, slot), stored, current, effect);
    }
    kni_touch_component(world, component);
    return true;
}

// The effect that follows a value and changes another, where both are as simple as most are.
typedef struct chain_link {
    uint32_t follower; // slot of the effect
    uint32_t to;       // aggregator of the value that it changes
    uint32_t at;       // of its modifier in the list of that value
    float value;       // that it reads now
    float magnitude;   // that follows from it
    stored_value stored;
    float current; // what the other value becomes
} chain_link;

// The modifier of an effect in a list of modifiers that all simply add, and their sum once it has
// another magnitude. False if there is something else in the list, or no such modifier.
static inline bool chain_sum(
    const kn_world *world, const kni_aggregator *to, chain_link *link, float *sum)
{
    const kni_mod *mods = KNI_SPAN_AT(world, to->mods, const kni_mod, 0);
    uint32_t count = to->mods.count;
    link->at = KNI_NONE;
    *sum = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        bool is_own = mods[i].effect == link->follower;
        if (!mod_is_plain(&mods[i])) {
            return false;
        }
        link->at = is_own ? i : link->at;
        *sum += is_own ? link->magnitude : mods[i].magnitude;
    }
    return link->at != KNI_NONE && count < KNI_SUMS_STEP;
}

// Finds what follows the value of an aggregator. False if that is more than one effect, or anything
// that needs the general path; nothing has changed then.
static inline bool chain_find(const kn_world *world, const kni_aggregator *from, chain_link *link)
{
    const kni_dependent *dependent = KNI_SPAN_AT(world, from->dependents, kni_dependent, 0);
    if (from->dependents.count != 1 || dependent->kinds != KNI_DEPENDS_CAPTURE) {
        return false;
    }
    link->follower = dependent->effect;
    const kni_effect *effect = kni_effect_at(world, link->follower);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_plain_follow *follow = &type->plain_follow;
    if (follow->attribute1 == 0 || effect->rare1 == 0 || effect->stacks != 1 ||
        (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return false;
    }
    const kni_rare *rare = kni_rare_at(world, effect->rare1);
    const kni_component *c = kni_component_at(world, effect->component);
    uint32_t index = type->modifiers->attribute;
    uint32_t position = kni_position(world, c, index);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    if (rare->captures.count != 1 || rare->magnitudes.count != 1 || position == KNI_NONE ||
        !value_is_plain(c, attribute) || attribute->limit_count != 0) {
        return false;
    }
    // It has one capture: that of this value.
    link->value =
        kni_values_of(world, kni_component_at(world, from->component))[from->position].current;
    link->magnitude = follow->scale * (follow->pre + link->value) + follow->post;
    const kni_value *value = &kni_values_of(world, c)[position];
    float sum;
    if (value->aggregator1 == 0) {
        return false;
    }
    link->to = value->aggregator1 - 1;
    if (!isfinite(link->magnitude) ||
        !chain_sum(world, kni_aggregator_at(world, link->to), link, &sum)) {
        return false;
    }
    link->stored = (stored_value){attribute, index, 0, value->current};
    link->current = kni_bounded(value->base + sum, attribute->const_min, attribute->const_max);
    return isfinite(link->current);
}

// Propagates a change along values that each have one simple follower: a chain needs no sorting.
// Returns the aggregator where the chain ends, whose dependents take the general path, or KNI_NONE
// if nothing changed there. After some links the general path goes on, which notices circles: other
// definitions may have closed one around effects that were active before.
static uint32_t chain_run(kn_world *world, uint32_t aggregator, uint32_t effect)
{
    chain_link link;
    for (uint32_t i = 0; i < KNI_PROPAGATION_MAX; i++) {
        if (!chain_find(world, kni_aggregator_at(world, aggregator), &link)) {
            break;
        }
        const kni_effect *follower = kni_effect_at(world, link.follower);
        const kni_rare *rare = kni_rare_at(world, follower->rare1);
        float *captured = KNI_SPAN_AT(world, rare->captures, float, 0);
        float *magnitude = KNI_SPAN_AT(world, rare->magnitudes, float, 0);
        bool is_same = *captured == link.value;
        *captured = link.value; // perhaps another zero
        if (is_same) {
            return KNI_NONE;
        }
        kni_mark_effect(world, link.follower);
        is_same = *magnitude == link.magnitude;
        *magnitude = link.magnitude;
        if (is_same) {
            return KNI_NONE;
        }
        kni_aggregator *to = kni_aggregator_at(world, link.to);
        KNI_SPAN_AT(world, to->mods, kni_mod, link.at)->magnitude = link.magnitude;
        kni_mods_changed(to, link.at);
        to->is_dirty = 0;
        to->is_divisor_told = 0;
        if (!current_write(
                world, to->component, to->position, link.current, effect, &link.stored)) {
            return KNI_NONE;
        }
        aggregator = link.to;
    }
    return aggregator;
}

// Propagates a change of the value of an aggregator to all that follow, each evaluated once.
static void propagate_sorted(kn_world *world, uint32_t aggregator, uint32_t effect)
{
    uint32_t first = world->node_count, outer = world->visiting;
    world->stamp += world->stamp < UINT32_MAX ? 1 : 3; // 0 and 1 are those of none
    world->visiting = world->stamp;
    propagation_sort(world, aggregator, 0);
    uint32_t end = world->node_count;
    for (uint32_t i = end; i-- > first && !world->is_broken;) {
        uint32_t node = world->nodes[i].aggregator;
        if (kni_pool_is_live(&world->aggregators, node)) {
            kni_aggregator_at(world, node)->stamp = world->nodes[i].stamp;
        }
        if (i == end - 1) {
            dependents_update(world, node);
            continue;
        }
        // A hook may have removed the value that the node belonged to.
        if (!kni_pool_is_live(&world->aggregators, node) ||
            !kni_aggregator_at(world, node)->is_dirty) {
            continue;
        }
        kni_aggregator_at(world, node)->is_dirty = 0;
        uint32_t at = kni_aggregator_at(world, node)->component;
        uint32_t place = kni_aggregator_at(world, node)->position;
        stored_value stored;
        if (current_store(world, at, place, effect, &stored)) {
            if (kni_pool_is_live(&world->aggregators, node)) {
                dependents_update(world, node);
            }
            if (stored.attribute->limit_count > 0) {
                links_update(world, at, place, stored.attribute, stored.index, stored.key,
                    stored.old, effect);
            }
        }
    }
    world->node_count = first;
    world->visiting = outer;
}

void kni_propagate(
    kn_world *world, uint32_t component, uint32_t position, float old_value, uint32_t effect)
{
    uint32_t key;
    uint32_t index =
        kni_attribute_at_position(world, kni_component_at(world, component), position, &key);
    const kni_attribute *attribute = kni_attribute_at(world->library, index);
    uint32_t aggregator1 =
        kni_values_of(world, kni_component_at(world, component))[position].aggregator1;
    bool is_followed =
        aggregator1 != 0 && kni_aggregator_at(world, aggregator1 - 1)->dependents.count > 0;
    if (!is_followed && attribute->limit_count == 0) {
        return;
    }
    if (world->propagation_depth >= KNI_PROPAGATION_MAX) {
        kni_emit_error(world, KN_REFUSED_LIMIT, kni_component_entity(world, component), 0,
            index + 1, KNI_PROPAGATION_MAX);
        return;
    }
    world->propagation_depth++;
    if (is_followed) {
        // Inside of another propagation it may be a circle, for which the depth has a limit.
        uint32_t last = world->propagation_depth == 1 ? chain_run(world, aggregator1 - 1, effect)
                                                      : aggregator1 - 1;
        if (last != KNI_NONE && kni_aggregator_at(world, last)->dependents.count > 0) {
            propagate_sorted(world, last, effect);
        }
    }
    if (attribute->limit_count > 0) {
        links_update(world, component, position, attribute, index, key, old_value, effect);
    }
    world->propagation_depth--;
}

const kni_set *kni_set_at_position(
    const kn_world *world, const kni_component *component, uint32_t position)
{
    return kni_set_at(world->library, kni_instance_at_position(world, component, position)->set);
}

bool kni_value_has_hook(const kn_world *world, const kni_component *component, uint32_t position)
{
    return kni_set_at_position(world, component, position)->hooks.pre_change != NULL;
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

bool kni_pre_change(kn_world *world, const kni_set *set, uint32_t component, uint32_t position,
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

// current_store() with all that an attribute can have.
KNI_SLOW static bool current_store_general(kn_world *world, uint32_t component, uint32_t position,
    uint32_t effect, const kni_set *set, stored_value *stored)
{
    const kni_component *c = kni_component_at(world, component);
    uint32_t key = stored->key, index = stored->index;
    const kni_attribute *attribute = stored->attribute;
    float *old_value = &stored->old;
    kn_entity_id entity = kni_component_entity(world, component);
    if (kni_values_of(world, c)[position].aggregator1 != 0) {
        kni_sums_extend(world, kni_values_of(world, c)[position].aggregator1 - 1, attribute);
    }
    kni_value *value = &kni_values_of(world, c)[position];
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
        if (!kni_pre_change(world, set, component, position, attribute, &change, &raw)) {
            return false;
        }
        value = &kni_values_of(world, kni_component_at(world, component))[position];
    }
    float current = kni_value_settle(world, component, attribute, key, false, raw, value->base);
    if (!isfinite(current)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, index + 1, 0);
        return false;
    }
    *old_value = value->current;
    if (current == value->current) {
        return false;
    }
    value->current = current;
    kni_mark(world, component, KN_PART_ATTRIBUTES);
    change.old_value = *old_value;
    change.new_value = current;
    if (set->hooks.post_change != NULL && hook_begin(world, entity, index)) {
        set->hooks.post_change(set->users[KNI_HOOK_POST_CHANGE], &change);
        hook_end(world);
    }
    if (kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED)) {
        changed_publish(world, entity, stored, current, effect);
    }
    kni_component *watched = kni_component_at(world, component);
    kni_touch(world, component);
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
            world->above->rates_changed(world, component, index);
        }
    }
    if ((attribute->flags & KNI_ATTRIBUTE_COUNTS_CHARGES) != 0) {
        world->above->maximum_changed(world, component, index);
    }
    return true;
}

// Evaluates and stores a current value, with hooks and event, but without propagating it. True if
// it changed.
static bool current_store(
    kn_world *world, uint32_t component, uint32_t position, uint32_t effect, stored_value *stored)
{
    const kni_component *c = kni_component_at(world, component);
    const kni_set_instance *instance = kni_instance_at_position(world, c, position);
    const kni_set *set = kni_set_at(world->library, instance->set);
    stored->key = instance->key;
    stored->index = set->attributes[position - instance->first];
    const kni_attribute *attribute = kni_attribute_at(world->library, stored->index);
    stored->attribute = attribute;
    kni_value *value = &kni_values_of(world, c)[position];
    float raw = value->base;
    // Mostly there is nothing but modifiers that add.
    bool is_plain = value_is_plain(c, attribute) &&
                    (value->aggregator1 == 0 || mods_sum(world, value->aggregator1 - 1, &raw));
    float current = kni_bounded(raw, attribute->const_min, attribute->const_max);
    if (!is_plain || !isfinite(current)) {
        return current_store_general(world, component, position, effect, set, stored);
    }
    if (value->aggregator1 != 0) {
        kni_aggregator_at(world, value->aggregator1 - 1)->is_divisor_told = 0;
    }
    stored->old = value->current;
    return current_write(world, component, position, current, effect, stored);
}

void kni_current_update(kn_world *world, uint32_t component, uint32_t position, uint32_t effect)
{
    stored_value stored;
    if (current_store(world, component, position, effect, &stored)) {
        kni_propagate(world, component, position, stored.old, effect);
    }
}

// Writes a base value with its hooks and the current value that follows from it, but without
// propagating it.
static kn_result base_store(kn_world *world, uint32_t component, uint32_t position,
    uint32_t attribute, uint32_t key, float value, uint32_t effect, bool *changed,
    float *old_current)
{
    *changed = false;
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    const kni_component *c = kni_component_at(world, component);
    const kni_set *set = kni_set_at_position(world, c, position);
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
    value = kni_value_settle(world, component, info, key, true, value, value);
    if (!isfinite(value)) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, entity, 0, attribute + 1, 0);
        return KN_REFUSED_BAD_NUMBER;
    }
    kni_values_of(world, kni_component_at(world, component))[position].base = value;
    kni_mark(world, component, KN_PART_ATTRIBUTES);
    kni_touch(world, component); // costs are checked against base values
    stored_value stored;
    *changed = current_store(world, component, position, effect, &stored);
    *old_current = stored.old;
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
        kni_propagate(world, component, position, old_current, effect);
    }
    return result;
}

// The event record for what is written to a meta attribute with an event kind. `room` has space for
// KN_TAG_SET_MAX tags.
static kn_event_record meta_record(
    const kni_attribute *attribute, const kn_execute_data *data, kn_tag *room)
{
    kn_event_record record = kn_event_record_default();
    record.kind.index1 = attribute->event_kind;
    record.instigator = data->spec != NULL ? data->spec->source : (kn_entity_id){0};
    record.target = data->entity;
    record.magnitude = data->magnitude;
    record.effect = data->spec;
    if (data->spec != NULL) {
        record.tags = kni_asset_tags(data->spec, room, KN_TAG_SET_MAX);
    }
    return record;
}

// Runs the event kind of a meta attribute before it is written.
static bool execute_meta(kn_world *world, const kni_attribute *attribute, kn_execute_data *data)
{
    if (attribute->event_kind == 0) {
        return true;
    }
    kn_tag room[KN_TAG_SET_MAX];
    kn_event_record record = meta_record(attribute, data, room);
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
    const kni_set *set = kni_set_at_position(world, kni_component_at(world, component), position);
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
        kni_propagate(world, component, position, old_current, effect);
    }
    if (is_meta) {
        // A meta attribute is consumed: it publishes nothing and the next effect finds 0. Its event
        // has happened, so it is sent.
        kni_value *value = &kni_values_of(world, kni_component_at(world, component))[position];
        value->base = 0.0f;
        value->current = 0.0f;
        kni_mark(world, component, KN_PART_ATTRIBUTES);
        if (info->event_kind != 0) {
            const kni_event_kind *kind =
                KNI_ITEM(world->library, KN_DEF_EVENT_KIND, kni_event_kind, info->event_kind - 1);
            kn_tag room[KN_TAG_SET_MAX];
            kn_event_record record = meta_record(info, &data, room);
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
