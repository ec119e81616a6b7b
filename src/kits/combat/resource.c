// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Resources: what regenerates and decays. An entity has a component with an item for each of its
// resources. A timer runs for an item only while there is something to gain or to lose; everything
// that may change that is a reaction: the attribute, its limits, sets that come and go, combat.

#include "parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct resources {
    uint32_t ticks; // amounts that regeneration and decay have brought so far
} resources;

typedef struct resource_item {
    kn_time regenerates; // not before
    kn_time decays;      // not before
    kn_timer_id timer;   // of `flow`
    kn_resource_id resource;
    float minimum, maximum; // as last seen, to tell what limits do from what others do
    uint32_t flow;          // what the timer is for: 0, KN_RESOURCE_REGENERATION or _DECAY
} resource_item;

static const kn_field resources_fields[] = {KN_FIELD(resources, ticks, KN_FIELD_U32)};
static const kn_field item_fields[] = {
    KN_FIELD(resource_item, regenerates, KN_FIELD_TIME),
    KN_FIELD(resource_item, decays, KN_FIELD_TIME),
    KN_FIELD(resource_item, timer, KN_FIELD_TIMER),
    KN_FIELD_TO(resource_item, resource, "resource"),
    KN_FIELD(resource_item, minimum, KN_FIELD_F32),
    KN_FIELD(resource_item, maximum, KN_FIELD_F32),
    KN_FIELD(resource_item, flow, KN_FIELD_U32),
};

#define ITEM_NONE UINT32_MAX

static const resource_ids *ids_of(const kn_world *world)
{
    return &knc_combat_of_world(world)->resource;
}

static const kn_resource_def *def_of(const kn_world *world, kn_resource_id resource)
{
    return kn_def_get(kn_world_library(world), ids_of(world)->kind, resource.index1);
}

static uint32_t item_find(const kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    uint32_t count = 0;
    const resource_item *items =
        kn_component_read_items(world, ids_of(world)->component, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].resource.index1 == resource.index1) {
            return i;
        }
    }
    return ITEM_NONE;
}

// Valid until the next call that may create something.
static resource_item *item_at(kn_world *world, kn_entity_id entity, uint32_t at)
{
    return (resource_item *)kn_component_items(world, ids_of(world)->component, entity, NULL) + at;
}

static float limit_of(const kn_world *world, kn_entity_id entity, const kn_limit *limit,
    kn_attribute_id attribute, float none)
{
    if (!limit->is_set ||
        (attribute.index1 != 0 && !kn_attribute_exists(world, entity, attribute, 0))) {
        return none;
    }
    return limit->value +
           (attribute.index1 != 0 ? kn_attribute_value(world, entity, attribute) : 0.0f);
}

// The limits of the base value that are in force. A maximum below the minimum counts as equal to
// it.
static void bounds_of(const kn_world *world, kn_entity_id entity, kn_resource_id resource,
    float *minimum, float *maximum)
{
    const resource_limits *limits = &ids_of(world)->limits[resource.index1];
    const kn_attribute_def *attribute =
        kn_attribute_get_def(kn_world_library(world), def_of(world, resource)->attribute);
    *minimum = limit_of(world, entity, &attribute->base_min, limits->minimum, 0.0f);
    *maximum = limit_of(world, entity, &attribute->base_max, limits->maximum, FLT_MAX);
    *minimum = *minimum > 0.0f ? *minimum : 0.0f;
    *maximum = *maximum < FLT_MAX ? *maximum : FLT_MAX; // state holds finite numbers
    *maximum = *maximum > *minimum ? *maximum : *minimum;
}

// Flows ---------------------------------------------------------------------------

static bool flow_is_there(const kn_resource_flow *flow)
{
    return flow->amount.kind != KN_MAGNITUDE_SCALABLE || flow->amount.scale.value != 0.0f ||
           flow->amount.scale.parameter.index1 != 0;
}

static const kn_resource_flow *flow_of(const kn_resource_def *def, uint32_t why)
{
    return why == KN_RESOURCE_DECAY ? &def->decay : &def->regeneration;
}

static float rest_of(const kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    const kn_resource_def *def = def_of(world, resource);
    float rest, minimum, maximum;
    bounds_of(world, entity, resource, &minimum, &maximum);
    if (kn_magnitude_evaluate(world, &def->rest, entity, entity, 1.0f, &rest) != KN_OK) {
        return minimum;
    }
    return rest < minimum ? minimum : rest > maximum ? maximum : rest;
}

// Whether combat keeps a flow from doing anything. Casts are short: a flow just goes on meanwhile.
static bool flow_is_held(const kn_world *world, kn_entity_id entity, const kn_resource_flow *flow)
{
    return flow->in_combat == 0.0f && kn_entity_has_tag(world, entity, ids_of(world)->in_combat);
}

// What there is to do for a resource: 0, KN_RESOURCE_REGENERATION or KN_RESOURCE_DECAY.
static uint32_t flow_wanted(const kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    const kn_resource_def *def = def_of(world, resource);
    float value = kn_attribute_value(world, entity, def->attribute), minimum, goal;
    bounds_of(world, entity, resource, &minimum, &goal);
    bool decays = flow_is_there(&def->decay);
    goal = decays ? rest_of(world, entity, resource) : goal;
    uint32_t why = 0;
    if (value < goal && flow_is_there(&def->regeneration)) {
        why = KN_RESOURCE_REGENERATION;
    } else if (value > goal && decays) {
        why = KN_RESOURCE_DECAY;
    }
    return why != 0 && flow_is_held(world, entity, flow_of(def, why)) ? 0 : why;
}

static float flow_amount(const kn_world *world, kn_entity_id entity, const kn_resource_flow *flow)
{
    float amount;
    if (kn_magnitude_evaluate(world, &flow->amount, entity, entity, 1.0f, &amount) != KN_OK) {
        return 0.0f; // what it reads is not there
    }
    amount *= kn_entity_has_tag(world, entity, ids_of(world)->in_combat) ? flow->in_combat : 1.0f;
    amount *= knc_cast_is_casting(world, entity) ? flow->while_casting : 1.0f;
    return isfinite(amount) && amount > 0.0f ? amount : 0.0f;
}

static kn_time span_of(float seconds)
{
    kn_time span = kn_time_from_seconds((double)seconds);
    return span > 0 ? span : 1;
}

// Starts, keeps or stops the timer of an item, as things are now.
static void item_plan(kn_world *world, kn_entity_id entity, uint32_t at, bool begins_anew)
{
    resource_item item = *item_at(world, entity, at);
    const kn_resource_def *def = def_of(world, item.resource);
    uint32_t why = def != NULL ? flow_wanted(world, entity, item.resource) : 0;
    if (why == item.flow && !begins_anew && (why == 0 || kn_timer_is_alive(world, item.timer))) {
        return;
    }
    (void)kn_timer_cancel(world, item.timer);
    item.timer = (kn_timer_id){0};
    item.flow = 0;
    if (why != 0) {
        kn_time now = kn_world_now(world);
        kn_time from = why == KN_RESOURCE_DECAY ? item.decays : item.regenerates;
        kn_time wait = (from > now ? from - now : 0) + span_of(flow_of(def, why)->interval);
        kn_result result =
            kn_timer_start(world, ids_of(world)->timer, entity, wait, NULL, &item.timer);
        item.flow = result == KN_OK ? why : 0;
    }
    resource_item *own = item_at(world, entity, at);
    own->timer = item.timer;
    own->flow = item.flow;
}

static void items_plan(kn_world *world, kn_entity_id entity)
{
    uint32_t count = 0;
    (void)kn_component_read_items(world, ids_of(world)->component, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        item_plan(world, entity, i, false);
    }
}

// Changes -------------------------------------------------------------------------

typedef struct change {
    kn_entity_id entity, source;
    kn_resource_id resource;
    kn_resource_why why;
    float amount;
    float low, high; // how far it may go, besides the limits
    kn_tags tags;
    uint64_t object;
    bool ignore_modifiers;
    float changed; // what really happened
} change;

static void change_hook(
    kn_world *world, kn_entity_id entity, const kn_resource_def *def, kn_resource_changed event)
{
    (void)kn_hook_run(
        world, ids_of(world)->kind, event.resource.index1, &def->changed, entity, &event);
}

// What a resource does by itself, and how it starts, has a cause of its own: so the reaction to the
// attribute can tell it from what others do.
static kn_result cause_open(kn_world *world, kn_cause_type_id type, kn_entity_id entity,
    kn_resource_id resource, kn_cause *previous)
{
    kn_cause_link link = {.type = type,
        .entity = entity,
        .def_kind = (uint32_t)ids_of(world)->kind,
        .def1 = resource.index1};
    return kn_cause_open(world, &link, previous);
}

// The amount after modifiers, which act on it without its sign.
static float change_modified(
    const kn_world *world, const change *c, const kn_resource_def *def, kn_tags tags)
{
    const resource_ids *ids = ids_of(world);
    bool is_gain = c->amount >= 0.0f;
    kn_value_id value = is_gain ? def->gain_value : def->loss_value;
    value = value.index1 != 0 ? value : is_gain ? ids->gain : ids->loss;
    kn_event_record record = kn_event_record_default();
    record.tags = tags;
    record.instigator = c->source;
    record.target = c->entity;
    record.magnitude = c->amount;
    record.object = c->object;
    float size =
        kn_value_evaluate(world, c->entity, value, fabsf(c->amount), &record, c->ignore_modifiers);
    size = size > 0.0f && isfinite(size) ? size : 0.0f;
    return is_gain ? size : -size;
}

static kn_result change_tags(
    const kn_world *world, const change *c, const kn_resource_def *def, kn_tag_set *set)
{
    const resource_ids *ids = ids_of(world);
    const kn_tag own[] = {def->tag, c->why == KN_RESOURCE_REGENERATION ? ids->regeneration
                                    : c->why == KN_RESOURCE_DECAY      ? ids->decay
                                                                       : (kn_tag){0}};
    for (uint32_t i = 0; i < c->tags.count + 2; i++) {
        kn_tag tag = i < c->tags.count ? c->tags.data[i] : own[i - c->tags.count];
        if (i < c->tags.count &&
            (tag.index1 == 0 || tag.index1 > kn_tag_count(kn_world_library(world)))) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        kn_result result = tag.index1 != 0 ? kn_tag_set_add(set, tag) : KN_OK;
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

// Sets the attribute.
static kn_result change_store(kn_world *world, change *c, const kn_resource_def *def, float amount,
    kn_resource_changed *event)
{
    float minimum, maximum;
    float old = kn_attribute_value(world, c->entity, def->attribute);
    float base = kn_attribute_base(world, c->entity, def->attribute);
    bounds_of(world, c->entity, c->resource, &minimum, &maximum);
    float low = minimum > c->low ? minimum : c->low, high = maximum < c->high ? maximum : c->high;
    float wanted = old + amount;
    wanted = wanted > high ? (old > high ? old : high) : wanted;
    wanted = wanted < low ? (old < low ? old : low) : wanted;
    if (wanted == old) {
        return KN_OK;
    }
    kn_result result =
        kn_attribute_set_base(world, c->entity, def->attribute, 0, base + (wanted - old));
    float now = kn_attribute_value(world, c->entity, def->attribute);
    c->changed = result == KN_OK ? now - old : 0.0f;
    if (c->changed != 0.0f) {
        *event = (kn_resource_changed){c->source, c->resource, c->why, c->amount, old, now};
        (void)kn_world_publish(world, c->entity, ids_of(world)->changed, event);
    }
    return result;
}

// In a rule: changes a resource with a cause of its own.
static kn_result change_run(kn_world *world, change *c)
{
    const resource_ids *ids = ids_of(world);
    const kn_resource_def *def = def_of(world, c->resource);
    kn_tag_set tags = {0};
    kn_result result = change_tags(world, c, def, &tags);
    if (result != KN_OK) {
        return result;
    }
    float amount = change_modified(world, c, def, kn_tag_set_view(&tags));
    kn_cause_type_id type = c->why == KN_RESOURCE_CHANGE ? ids->change_cause : ids->flow_cause;
    kn_cause previous;
    kn_resource_changed event = {0};
    result = cause_open(world, type, c->entity, c->resource, &previous);
    if (result == KN_OK) {
        result = change_store(world, c, def, amount, &event);
        kn_cause_close(world, previous);
    }
    if (result == KN_OK && c->changed != 0.0f) { // what the hook does is not our doing
        change_hook(world, c->entity, def, event);
    }
    return result;
}

// By itself -----------------------------------------------------------------------

static uint32_t item_of_timer(const kn_world *world, kn_entity_id entity, kn_timer_id timer)
{
    uint32_t count = 0;
    const resource_item *items =
        kn_component_read_items(world, ids_of(world)->component, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_timer_id_equal(items[i].timer, timer)) {
            return i;
        }
    }
    return ITEM_NONE;
}

static void item_tick(kn_world *world, kn_entity_id entity, const resource_item *item)
{
    const kn_resource_def *def = def_of(world, item->resource);
    float amount = flow_amount(world, entity, flow_of(def, item->flow));
    change c = {.entity = entity,
        .resource = item->resource,
        .why = (kn_resource_why)item->flow,
        .amount = item->flow == KN_RESOURCE_DECAY ? -amount : amount,
        .low = 0.0f,
        .high = FLT_MAX};
    if (flow_is_there(&def->decay)) {
        *(item->flow == KN_RESOURCE_DECAY ? &c.low : &c.high) =
            rest_of(world, entity, item->resource);
    }
    resources *own = kn_component_get(world, ids_of(world)->component, entity);
    own->ticks++;
    (void)change_run(world, &c);
}

static kn_time resource_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    kn_timer_id timer = kn_timer_firing(world);
    uint32_t at = item_of_timer(world, entity, timer);
    if (at == ITEM_NONE) {
        return 0;
    }
    resource_item item = *item_at(world, entity, at);
    if (def_of(world, item.resource) == NULL) {
        return 0;
    }
    item_tick(world, entity, &item);
    at = item_of_timer(world, entity, timer); // a hook may have changed everything
    if (at == ITEM_NONE) {
        return 0;
    }
    const kn_resource_def *def = def_of(world, item.resource);
    if (flow_wanted(world, entity, item.resource) == item.flow) {
        return span_of(flow_of(def, item.flow)->interval);
    }
    resource_item *own = item_at(world, entity, at);
    own->timer = (kn_timer_id){0};
    own->flow = 0;
    item_plan(world, entity, at, false);
    return 0;
}

// Reacting ------------------------------------------------------------------------

// Lets a limit follow the attribute that sets it. At the start the value does not keep its
// proportion.
static void limit_follow(kn_world *world, kn_entity_id entity, kn_attribute_id from,
    kn_attribute_id limit, bool is_start)
{
    if (from.index1 == 0 || !kn_attribute_exists(world, entity, from, 0)) {
        return;
    }
    float value = kn_attribute_value(world, entity, from);
    if (kn_attribute_base(world, entity, limit) == value) {
        return;
    }
    (void)(is_start ? kn_attribute_init(world, entity, limit, 0, value)
                    : kn_attribute_set_base(world, entity, limit, 0, value));
}

static void limits_follow(
    kn_world *world, kn_entity_id entity, kn_resource_id resource, bool is_start)
{
    const kn_resource_def *def = def_of(world, resource);
    const resource_limits *limits = &ids_of(world)->limits[resource.index1];
    limit_follow(world, entity, def->minimum_from, limits->minimum, is_start);
    limit_follow(world, entity, def->maximum_from, limits->maximum, is_start);
}

// The item of a resource that an entity has; a new one if it is the first time.
static uint32_t item_ensure(kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    const resource_ids *ids = ids_of(world);
    const kn_resource_def *def = def_of(world, resource);
    uint32_t at = item_find(world, entity, resource), count = 0;
    if (at != ITEM_NONE || kn_component_add(world, ids->component, entity) == NULL) {
        return at;
    }
    (void)kn_component_read_items(world, ids->component, entity, &count);
    resource_item *items = kn_component_resize(world, ids->component, entity, count + 1);
    if (items == NULL) {
        return ITEM_NONE;
    }
    items[count].resource = resource;
    kn_cause previous;
    if ((def->minimum_from.index1 != 0 || def->maximum_from.index1 != 0) &&
        cause_open(world, ids->flow_cause, entity, resource, &previous) == KN_OK) {
        const kn_attribute_def *attribute =
            kn_attribute_get_def(kn_world_library(world), def->attribute);
        limits_follow(world, entity, resource, true);
        (void)kn_attribute_init(world, entity, def->attribute, 0, attribute->default_value);
        kn_cause_close(world, previous);
    }
    float minimum, maximum;
    bounds_of(world, entity, resource, &minimum, &maximum);
    resource_item *own = item_at(world, entity, count);
    own->minimum = minimum;
    own->maximum = maximum;
    kn_resource_event event = {resource};
    (void)kn_world_publish(world, entity, ids->added, &event);
    (void)kn_hook_run(world, ids->kind, resource.index1, &def->added, entity, NULL);
    return item_find(world, entity, resource);
}

static bool is_near(float a, float b)
{
    return fabsf(a - b) <= 1e-5f * (fabsf(a) + fabsf(b));
}

// Whether a change is what new limits did to the value, as the link of the attribute says.
static bool is_by_limit(const kn_world *world, kn_entity_id entity, const kn_resource_def *def,
    const resource_item *item, const kn_reaction *reaction)
{
    float minimum, maximum, wanted = reaction->old_value;
    bounds_of(world, entity, item->resource, &minimum, &maximum);
    if (minimum == item->minimum && maximum == item->maximum) {
        return false;
    }
    kn_link link = kn_attribute_get_def(kn_world_library(world), def->attribute)->link;
    float range = item->maximum - item->minimum;
    if (link == KN_LINK_PROPORTION && range > 0.0f) {
        wanted = minimum + (wanted - item->minimum) / range * (maximum - minimum);
    }
    wanted = wanted < minimum ? minimum : wanted > maximum ? maximum : wanted;
    return link != KN_LINK_KEEP && is_near(wanted, reaction->new_value);
}

// What changed a resource: regeneration and decay say so in their cause.
static kn_resource_why value_why(const kn_world *world, kn_entity_id entity,
    const kn_resource_def *def, const resource_item *item, const kn_reaction *reaction)
{
    const resource_ids *ids = ids_of(world);
    kn_cause_info info;
    bool is_known = kn_cause_get(world, reaction->cause, &info);
    if (is_known && info.kind == KN_CAUSE_RULE) { // this rule itself
        is_known = kn_cause_get(world, info.parent, &info);
    }
    if (is_known && info.kind == KN_CAUSE_CUSTOM && info.def1 == item->resource.index1) {
        if (info.custom.index1 == ids->change_cause.index1) {
            return KN_RESOURCE_CHANGE;
        }
        if (info.custom.index1 == ids->flow_cause.index1) {
            return KN_RESOURCE_REGENERATION; // or decay: it makes no difference here
        }
    }
    return is_by_limit(world, entity, def, item, reaction) ? KN_RESOURCE_LIMIT : KN_RESOURCE_OTHER;
}

static void value_changed(
    kn_world *world, kn_entity_id entity, kn_resource_id resource, const kn_reaction *reaction)
{
    const kn_resource_def *def = def_of(world, resource);
    uint32_t at = item_ensure(world, entity, resource);
    if (at == ITEM_NONE) {
        return;
    }
    resource_item *item = item_at(world, entity, at);
    kn_resource_why why = value_why(world, entity, def, item, reaction);
    float difference = reaction->new_value - reaction->old_value;
    bool begins_anew = false;
    bounds_of(world, entity, resource, &item->minimum, &item->maximum);
    if (why == KN_RESOURCE_OTHER || why == KN_RESOURCE_CHANGE) {
        bool is_loss = difference < 0.0f;
        const kn_resource_flow *flow = is_loss ? &def->regeneration : &def->decay;
        if (flow->delay > 0.0f) {
            *(is_loss ? &item->regenerates : &item->decays) =
                kn_world_now(world) + span_of(flow->delay);
            begins_anew = item->flow == (is_loss ? KN_RESOURCE_REGENERATION : KN_RESOURCE_DECAY);
        }
    }
    item_plan(world, entity, at, begins_anew);
    if (why == KN_RESOURCE_OTHER || why == KN_RESOURCE_LIMIT) { // the others have published theirs
        kn_resource_changed event = {
            {0}, resource, why, difference, reaction->old_value, reaction->new_value};
        (void)kn_world_publish(world, entity, ids_of(world)->changed, &event);
        change_hook(world, entity, def, event);
    }
}

static void limit_changed(kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    uint32_t at = item_find(world, entity, resource);
    if (at != ITEM_NONE) {
        limits_follow(world, entity, resource, false);
        item_plan(world, entity, at, false);
    }
}

void knc_resource_attribute_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const resource_ids *ids = user;
    kn_entity_id entity = kn_entity_actor(world, reaction->entity);
    for (uint32_t i = 0; i < ids->use_count && reaction->key == 0; i++) {
        const resource_use *use = &ids->uses[i];
        kn_resource_id resource = {use->resource1};
        if (use->attribute1 != reaction->attribute.index1 || kn_entity_is_dying(world, entity) ||
            !kn_attribute_exists(world, entity, def_of(world, resource)->attribute, 0)) {
            continue;
        }
        if (use->is_value) {
            value_changed(world, entity, resource, reaction);
        } else {
            limit_changed(world, entity, resource);
        }
    }
}

static bool resource_set_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    (void)library;
    return reaction->key == 0 && ((const resource_ids *)user)->resource_count > 0;
}

static void resource_added_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const resource_ids *ids = user;
    kn_entity_id entity = kn_entity_actor(world, reaction->entity);
    for (uint32_t i = 1; i <= ids->resource_count; i++) {
        kn_resource_id resource = {i};
        if (kn_entity_is_dying(world, entity) ||
            !kn_attribute_exists(world, entity, def_of(world, resource)->attribute, 0)) {
            continue;
        }
        uint32_t at = item_find(world, entity, resource);
        if (at != ITEM_NONE) {
            limits_follow(world, entity, resource, false);
        } else {
            at = item_ensure(world, entity, resource);
        }
        if (at != ITEM_NONE) {
            item_plan(world, entity, at, false);
        }
    }
}

static void resource_removed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const resource_ids *ids = user;
    kn_entity_id entity = kn_entity_actor(world, reaction->entity);
    uint32_t count = 0;
    (void)kn_component_read_items(world, ids->component, entity, &count);
    for (uint32_t i = count; i-- > 0;) {
        resource_item *items = kn_component_items(world, ids->component, entity, &count);
        resource_item item = items[i];
        const kn_resource_def *def = def_of(world, item.resource);
        if (def != NULL && kn_attribute_exists(world, entity, def->attribute, 0)) {
            continue;
        }
        memmove(&items[i], &items[i + 1], (count - i - 1) * sizeof(*items));
        (void)kn_component_resize(world, ids->component, entity, count - 1);
        (void)kn_timer_cancel(world, item.timer);
        kn_resource_event event = {item.resource};
        (void)kn_world_publish(world, entity, ids->removed, &event);
    }
}

static void resource_combat_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    items_plan(world, kn_entity_actor(world, reaction->entity));
}

// Looking and changing --------------------------------------------------------------

bool kn_resource_get(
    const kn_world *world, kn_entity_id entity, kn_resource_id resource, kn_resource_info *info)
{
    if (world == NULL || info == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return false;
    }
    const kn_resource_def *def = def_of(world, resource);
    entity = kn_entity_actor(world, entity);
    if (def == NULL || !kn_attribute_exists(world, entity, def->attribute, 0)) {
        return false;
    }
    *info = (kn_resource_info){.resource = resource, .next = KN_TIME_INFINITE};
    info->value = kn_attribute_value(world, entity, def->attribute);
    bounds_of(world, entity, resource, &info->minimum, &info->maximum);
    info->maximum = info->maximum < FLT_MAX ? info->maximum : INFINITY;
    uint32_t at = item_find(world, entity, resource);
    if (at == ITEM_NONE) {
        return true;
    }
    const resource_item *item = (const resource_item *)kn_component_read_items(
                                    world, ids_of(world)->component, entity, NULL) +
                                at;
    if (item->flow != 0 && kn_timer_is_alive(world, item->timer)) {
        info->is_regenerating = item->flow == KN_RESOURCE_REGENERATION;
        info->is_decaying = !info->is_regenerating;
        info->next = kn_timer_remaining(world, item->timer);
        info->next_amount = flow_amount(world, entity, flow_of(def, item->flow));
        info->next_amount = info->is_decaying ? -info->next_amount : info->next_amount;
    }
    return true;
}

uint32_t kn_resources(
    const kn_world *world, kn_entity_id entity, kn_resource_id *out, uint32_t capacity)
{
    uint32_t count = 0;
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return 0;
    }
    for (uint32_t i = 1; i <= ids_of(world)->resource_count; i++) {
        kn_resource_id resource = {i};
        if (kn_attribute_exists(world, entity, def_of(world, resource)->attribute, 0)) {
            if (count < capacity) {
                out[count] = resource;
            }
            count++;
        }
    }
    return count;
}

#define INIT_COOKIE 0x696e6974u
#define CHANGE_COOKIE 0x6368676eu

kn_resource_init_def kn_resource_init_def_default(void)
{
    kn_resource_init_def def = {.cookie = INIT_COOKIE};
    return def;
}

kn_resource_change_def kn_resource_change_def_default(void)
{
    kn_resource_change_def def = {.cookie = CHANGE_COOKIE};
    return def;
}

// Whether an entity has a resource, for both calls.
static kn_result resource_find_on(
    const kn_world *world, kn_entity_id entity, kn_resource_id resource)
{
    const kn_resource_def *def = def_of(world, resource);
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    return kn_attribute_exists(world, entity, def->attribute, 0) ? KN_OK
                                                                 : KN_REFUSED_MISSING_ATTRIBUTE;
}

static kn_result change_call(void *user, kn_world *world)
{
    return change_run(world, user);
}

kn_result kn_resource_change(kn_world *world, const kn_resource_change_def *def, float *changed)
{
    if (changed != NULL) {
        *changed = 0.0f;
    }
    if (world == NULL || def == NULL || def->cookie != CHANGE_COOKIE ||
        !kn_combat_is_there(kn_world_library(world))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = resource_find_on(world, def->entity, def->resource);
    if (result == KN_OK && !isfinite(def->amount)) {
        result = KN_REFUSED_BAD_NUMBER;
    }
    if (result != KN_OK) {
        return result;
    }
    change c = {.entity = kn_entity_actor(world, def->entity),
        .source = def->source,
        .resource = def->resource,
        .why = KN_RESOURCE_CHANGE,
        .amount = def->amount,
        .low = 0.0f,
        .high = FLT_MAX,
        .tags = def->tags,
        .object = def->object,
        .ignore_modifiers = def->ignore_modifiers};
    result = kn_world_call(world, change_call, &c);
    if (changed != NULL && result == KN_OK) {
        *changed = c.changed;
    }
    return result;
}

typedef struct init_call {
    kn_entity_id entity;
    const kn_resource_init_def *def;
} init_call;

// Limits first, then the value within them.
static kn_result init_values(kn_world *world, const init_call *call)
{
    const kn_resource_init_def *init = call->def;
    const kn_resource_def *def = def_of(world, init->resource);
    const resource_limits *limits = &ids_of(world)->limits[init->resource.index1];
    kn_result result = KN_OK;
    if (init->has_minimum) {
        result = kn_attribute_init(world, call->entity, limits->minimum, 0, init->minimum);
    }
    if (result == KN_OK && init->has_maximum) {
        result = kn_attribute_init(world, call->entity, limits->maximum, 0, init->maximum);
    }
    if (result != KN_OK) {
        return result;
    }
    limits_follow(world, call->entity, init->resource, true);
    float value =
        init->has_value
            ? init->value
            : kn_attribute_get_def(kn_world_library(world), def->attribute)->default_value;
    return kn_attribute_init(world, call->entity, def->attribute, 0, value);
}

static kn_result init_run(void *user, kn_world *world)
{
    const init_call *call = user;
    kn_resource_id resource = call->def->resource;
    kn_cause previous;
    uint32_t at = item_ensure(world, call->entity, resource);
    kn_result result =
        cause_open(world, ids_of(world)->flow_cause, call->entity, resource, &previous);
    if (result != KN_OK) {
        return result;
    }
    result = init_values(world, call);
    kn_cause_close(world, previous);
    if (result == KN_OK && at != ITEM_NONE) {
        resource_item *item = item_at(world, call->entity, at);
        bounds_of(world, call->entity, resource, &item->minimum, &item->maximum);
        item->regenerates = item->decays = 0;
        item_plan(world, call->entity, at, true);
    }
    return result;
}

static bool is_start_value(bool is_there, float value)
{
    return !is_there || (isfinite(value) && value >= 0.0f);
}

kn_result kn_resource_init(kn_world *world, kn_entity_id entity, const kn_resource_init_def *def)
{
    if (world == NULL || def == NULL || def->cookie != INIT_COOKIE ||
        !kn_combat_is_there(kn_world_library(world))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = resource_find_on(world, entity, def->resource);
    if (result != KN_OK) {
        return result;
    }
    if (!is_start_value(def->has_minimum, def->minimum) ||
        !is_start_value(def->has_maximum, def->maximum) ||
        !is_start_value(def->has_value, def->value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const resource_limits *limits = &ids_of(world)->limits[def->resource.index1];
    if ((def->has_minimum && limits->minimum.index1 == 0) ||
        (def->has_maximum && limits->maximum.index1 == 0)) {
        return KN_REFUSED_REQUIREMENT;
    }
    init_call call = {kn_entity_actor(world, entity), def};
    return kn_world_call(world, init_run, &call);
}

// Registration ------------------------------------------------------------------------

static kn_result resource_state_register(kn_library *library, resource_ids *ids, kn_error *error)
{
    kn_component_def component = kn_component_def_default();
    component.name = "Knack.Resources";
    component.size = sizeof(resources);
    component.fields = resources_fields;
    component.field_count = 1;
    component.item_size = sizeof(resource_item);
    component.item_fields = item_fields;
    component.item_field_count = sizeof(item_fields) / sizeof(*item_fields);
    kn_result result = kn_component_register(library, &component, &ids->component, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.Resource", resource_timer, NULL,
                                 &ids->timer, error);
}

static kn_result resource_values_register(kn_library *library, resource_ids *ids, kn_error *error)
{
    static const char *const tags[] = {"Knack.InCombat", "Knack.Regeneration", "Knack.Decay"};
    kn_tag registered[3];
    kn_result result = knc_combat_tags_register(library, tags, 3, registered, error);
    ids->in_combat = registered[0];
    ids->regeneration = registered[1];
    ids->decay = registered[2];
    kn_value_def value = kn_value_def_default();
    value.name = "Knack.ResourceGain";
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->gain, error);
    value.name = "Knack.ResourceLoss";
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->loss, error);
    result = result != KN_OK ? result
                             : kn_cause_type_register(library, "resource by itself",
                                   "{def} of {entity} by itself", &ids->flow_cause, error);
    return result != KN_OK ? result
                           : kn_cause_type_register(library, "resource change",
                                 "change of {def} of {entity}", &ids->change_cause, error);
}

static kn_result resource_rules_register(kn_library *library, resource_ids *ids, kn_error *error)
{
    const struct {
        const char *name;
        kn_trigger trigger;
        kn_tag tag;
        kn_rule_fn *function;
        kn_rule_wants_fn *wants;
    } rows[] = {
        {"Knack.ResourceAdded", KN_TRIGGER_SET_ADDED, {0}, resource_added_rule, resource_set_wants},
        {"Knack.ResourceRemoved", KN_TRIGGER_SET_REMOVED, {0}, resource_removed_rule,
            resource_set_wants},
        {"Knack.ResourceCombatBegins", KN_TRIGGER_TAG_ADDED, ids->in_combat, resource_combat_rule,
            NULL},
        {"Knack.ResourceCombatEnds", KN_TRIGGER_TAG_REMOVED, ids->in_combat, resource_combat_rule,
            NULL},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < sizeof(rows) / sizeof(*rows); i++) {
        kn_rule_def def = kn_rule_def_default();
        kn_rule_id rule;
        def.name = rows[i].name;
        def.trigger = rows[i].trigger;
        def.tag = rows[i].tag;
        def.function = rows[i].function;
        def.wants = rows[i].wants;
        def.user = ids;
        result = kn_rule_register(library, &def, &rule, error);
    }
    return result;
}

kn_result knc_resource_part_register(kn_library *library, combat *kit, kn_error *error)
{
    resource_ids *ids = &kit->resource;
    kn_result result = knc_resource_kind_register(library, ids, error);
    result = result != KN_OK ? result : knc_resource_events_register(library, ids, error);
    result = result != KN_OK ? result : resource_state_register(library, ids, error);
    result = result != KN_OK ? result : resource_values_register(library, ids, error);
    return result != KN_OK ? result : resource_rules_register(library, ids, error);
}

void knc_resource_part_release(combat *kit)
{
    free(kit->resource.uses);
    free(kit->resource.limits);
}
