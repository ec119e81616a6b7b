// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Watches outside of activations (knack/watch.h). Each is in the list of the entity it watches, in
// order of creation; entry 0 has those for any entity. Another list has those that end with an
// owner, or with a component of it; entry 0 has those of components of the world. How many wait for
// each trigger is counted, so that what nobody waits for costs nothing.

#include "world/world.h"

#include <math.h>

static kni_watch *watch_at(const kn_world *world, uint32_t slot)
{
    return kni_pool_at(&world->watches, slot);
}

static const kn_watch_def *watch_def(const kn_world *world, const kni_watch *watch)
{
    return &KNI_ITEM(world->library, KN_DEF_WATCH, const kni_watch_type, watch->type)->def;
}

static const kni_watch_type *watch_type(const kn_world *world, const kni_watch *watch)
{
    return KNI_ITEM(world->library, KN_DEF_WATCH, const kni_watch_type, watch->type);
}

// Whether it is in the list of an owner.
static bool watch_is_owned(const kni_watch *watch)
{
    return watch->owner.index1 != 0 || watch->component_type.index1 != 0;
}

static uint32_t watch_find(const kn_world *world, kn_watch_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->watches.used || watch_at(world, slot)->number == 0 ||
        (uint32_t)watch_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

// The triggers that a type of watch waits for.
static uint32_t watch_triggers(const kn_watch_def *def)
{
    switch (def->kind) {
    case KN_WATCH_QUERY:
        return 1u << KN_TRIGGER_TAG_ADDED | 1u << KN_TRIGGER_TAG_REMOVED;
    case KN_WATCH_THRESHOLD:
        return 1u << KN_TRIGGER_ATTRIBUTE_CHANGED;
    default:
        return 1u << def->trigger;
    }
}

static bool watch_follows_attribute(const kn_watch_def *def)
{
    return (watch_triggers(def) >> KN_TRIGGER_ATTRIBUTE_CHANGED & 1) != 0;
}

// Lists -----------------------------------------------------------------------

bool kni_watches_reserve(kn_world *world, uint32_t entities)
{
    uint32_t old = world->watch_list_capacity;
    if (!kni_grow(&world->memory, &world->watch_lists, &world->watch_list_capacity, entities + 1,
            sizeof(*world->watch_lists))) {
        return false;
    }
    if (world->watch_list_capacity > old) {
        memset(world->watch_lists + old, 0,
            (world->watch_list_capacity - old) * sizeof(*world->watch_lists));
    }
    return true;
}

static void watch_count(kn_world *world, const kni_watch *watch, uint32_t change)
{
    uint32_t triggers = watch_triggers(watch_def(world, watch));
    world->heard |= triggers;
    for (uint32_t i = 0; i < KN_TRIGGER_COUNT; i++) {
        world->watch_counts[i] += (triggers >> i & 1) != 0 ? change : 0;
    }
}

void kni_watch_link(kn_world *world, uint32_t slot)
{
    kni_watch *watch = watch_at(world, slot);
    kni_mark_entity(world, watch->entity, KN_PART_WATCHES);
    kni_watch_list *list = &world->watch_lists[watch->entity.index1];
    watch->next1 = 0;
    watch->back1 = list->last1;
    *(list->last1 != 0 ? &watch_at(world, list->last1 - 1)->next1 : &list->first1) = slot + 1;
    list->last1 = slot + 1;
    if (watch_is_owned(watch)) {
        list = &world->watch_lists[watch->owner.index1];
        watch->own_next1 = 0;
        watch->own_back1 = list->own_last1;
        *(list->own_last1 != 0 ? &watch_at(world, list->own_last1 - 1)->own_next1
                               : &list->own_first1) = slot + 1;
        list->own_last1 = slot + 1;
    }
    watch_count(world, watch, 1);
}

void kni_watches_clear(kn_world *world)
{
    memset(world->watch_counts, 0, sizeof(world->watch_counts));
    if (world->watch_list_capacity > 0) {
        memset(world->watch_lists, 0, world->watch_list_capacity * sizeof(*world->watch_lists));
    }
}

void kni_watches_link_all(kn_world *world)
{
    kni_watches_clear(world);
    // The records of a snapshot have their neighbours; only the ends are missing.
    KNI_POOL_EACH(slot, &world->watches) {
        const kni_watch *watch = watch_at(world, slot);
        kni_watch_list *list = &world->watch_lists[watch->entity.index1];
        list->first1 = watch->back1 == 0 ? slot + 1 : list->first1;
        list->last1 = watch->next1 == 0 ? slot + 1 : list->last1;
        if (watch_is_owned(watch)) {
            list = &world->watch_lists[watch->owner.index1];
            list->own_first1 = watch->own_back1 == 0 ? slot + 1 : list->own_first1;
            list->own_last1 = watch->own_next1 == 0 ? slot + 1 : list->own_last1;
        }
        watch_count(world, watch, 1);
    }
}

bool kni_watches_follow(const kn_world *world, uint32_t entity_slot)
{
    uint32_t at1 = entity_slot + 1 < world->watch_list_capacity
                       ? world->watch_lists[entity_slot + 1].first1
                       : 0;
    while (at1 != 0) {
        const kni_watch *watch = watch_at(world, at1 - 1);
        if (watch_follows_attribute(watch_def(world, watch))) {
            return true;
        }
        at1 = watch->next1;
    }
    return false;
}

static void watch_release(kn_world *world, uint32_t slot)
{
    kni_watch *watch = watch_at(world, slot);
    kni_mark_entity(world, watch->entity, KN_PART_WATCHES);
    kni_watch_list *list = &world->watch_lists[watch->entity.index1];
    *(watch->back1 != 0 ? &watch_at(world, watch->back1 - 1)->next1 : &list->first1) = watch->next1;
    *(watch->next1 != 0 ? &watch_at(world, watch->next1 - 1)->back1 : &list->last1) = watch->back1;
    if (watch_is_owned(watch)) {
        list = &world->watch_lists[watch->owner.index1];
        *(watch->own_back1 != 0 ? &watch_at(world, watch->own_back1 - 1)->own_next1
                                : &list->own_first1) = watch->own_next1;
        *(watch->own_next1 != 0 ? &watch_at(world, watch->own_next1 - 1)->own_back1
                                : &list->own_last1) = watch->own_back1;
    }
    watch_count(world, watch, UINT32_MAX); // that is one less
    bool followed = watch_follows_attribute(watch_def(world, watch));
    uint32_t component = kni_component_find(world, watch->entity);
    kni_span_clear(&world->heap, &watch->state, 1);
    kni_pool_release(&world->watches, slot);
    if (followed && component != KNI_NONE) {
        kni_followed_update(world, component);
    }
}

void kni_watches_remove(kn_world *world, kn_entity_id entity)
{
    if (entity.index1 >= world->watch_list_capacity) {
        return;
    }
    while (world->watch_lists[entity.index1].first1 != 0) {
        watch_release(world, world->watch_lists[entity.index1].first1 - 1);
    }
    while (world->watch_lists[entity.index1].own_first1 != 0) {
        watch_release(world, world->watch_lists[entity.index1].own_first1 - 1);
    }
}

void kni_watches_component_removed(
    kn_world *world, kn_entity_id entity, uint32_t type, kn_component_id component)
{
    uint32_t at1 = entity.index1 < world->watch_list_capacity
                       ? world->watch_lists[entity.index1].own_first1
                       : 0;
    while (at1 != 0) {
        const kni_watch *watch = watch_at(world, at1 - 1);
        uint32_t next1 = watch->own_next1;
        if (watch->component_type.index1 == type + 1 &&
            kn_component_id_equal(watch->component, component)) {
            watch_release(world, at1 - 1);
        }
        at1 = next1;
    }
}

// Conditions ------------------------------------------------------------------

bool kni_compare(kn_compare how, float a, float b)
{
    switch (how) {
    case KN_COMPARE_LESS:
        return a < b;
    case KN_COMPARE_LESS_EQUAL:
        return a <= b;
    case KN_COMPARE_EQUAL:
        return a == b;
    case KN_COMPARE_NOT_EQUAL:
        return a != b;
    case KN_COMPARE_GREATER_EQUAL:
        return a >= b;
    default:
        return a > b;
    }
}

static bool watch_holds(
    const kn_world *world, const kni_watch *watch, const kn_watch_def *def, float value)
{
    return def->kind == KN_WATCH_QUERY ? kn_entity_matches_query(world, watch->entity, def->query)
                                       : kni_compare(def->compare, value, watch->value);
}

// Calls -----------------------------------------------------------------------

kn_watch_start_def kn_watch_start_def_default(void)
{
    kn_watch_start_def def = {.cookie = KN_COOKIE};
    return def;
}

static bool component_is_there(
    const kn_world *world, kn_component_type_id type, kn_component_id component, kn_entity_id owner)
{
    if (type.index1 == 0) {
        return component.index1 == 0;
    }
    const kn_component_def *def = kn_component_get_def(world->library, type);
    if (def == NULL || !def->several) {
        return def != NULL && component.index1 == 0 &&
               kn_component_read(world, type, owner) != NULL;
    }
    return kn_component_instance_is_alive(world, type, component) &&
           kn_entity_id_equal(kn_component_instance_entity(world, type, component), owner);
}

bool kni_watch_component_is_there(const kn_world *world, const kni_watch *watch)
{
    return component_is_there(world, watch->component_type, watch->component, watch->owner);
}

static kn_result start_check(const kn_world *world, const kn_watch_start_def *start)
{
    if (world == NULL || start == NULL || start->cookie != KN_COOKIE ||
        start->type.index1 - 1 >= world->library->registries[KN_DEF_WATCH].count) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_watch_def *def =
        &KNI_ITEM(world->library, KN_DEF_WATCH, const kni_watch_type, start->type.index1 - 1)->def;
    if (start->entity.index1 == 0 &&
        (def->kind != KN_WATCH_TRIGGER || watch_follows_attribute(def))) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if ((start->entity.index1 != 0 && kni_entity_find(world, start->entity) == KNI_NONE) ||
        (start->owner.index1 != 0 && kni_entity_find(world, start->owner) == KNI_NONE)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!component_is_there(world, start->component_type, start->component, start->owner)) {
        return KN_REFUSED_NOT_FOUND;
    }
    return start->has_value && !isfinite(start->value) ? KN_REFUSED_BAD_NUMBER : KN_OK;
}

static kn_result watch_begin(
    kn_world *world, const kn_watch_start_def *start, kn_entity_id entity, kn_watch_id *made)
{
    const kn_watch_def *def =
        &KNI_ITEM(world->library, KN_DEF_WATCH, const kni_watch_type, start->type.index1 - 1)->def;
    bool follows = watch_follows_attribute(def);
    uint32_t component = follows ? kni_component_ensure(world, entity.index1 - 1)
                                 : kni_component_find(world, entity);
    uint32_t slot =
        (!follows || component != KNI_NONE) && kni_watches_reserve(world, world->entities.used)
            ? kni_pool_acquire(&world->watches, &world->memory)
            : KNI_NONE;
    if (slot == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_watch *watch = watch_at(world, slot);
    if (!kni_span_reserve(&world->heap, &world->memory, &watch->state, def->state_size, 1)) {
        kni_pool_release(&world->watches, slot);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    watch->state.count = def->state_size;
    if (def->state_size > 0 && start->state != NULL) {
        memcpy(kni_heap_at(&world->heap, watch->state.ref), start->state, def->state_size);
    } else if (def->state_size > 0) {
        memset(kni_heap_at(&world->heap, watch->state.ref), 0, def->state_size);
    }
    watch->component_type = start->component_type;
    watch->component = start->component;
    watch->number = kni_number_next(world);
    watch->entity = entity;
    watch->owner = start->owner;
    watch->type = start->type.index1 - 1;
    watch->value = start->has_value ? start->value : def->value;
    watch->flags = start->once ? KNI_WATCH_ONCE : 0;
    if (start->data != NULL) {
        memcpy(watch->data, start->data, KN_WATCH_DATA_SIZE);
    }
    kni_watch_link(world, slot);
    if (follows) {
        kni_followed_update(world, component);
    }
    if (def->kind != KN_WATCH_TRIGGER &&
        watch_holds(world, watch, def, kn_attribute_value(world, entity, def->attribute))) {
        watch->flags |= KNI_WATCH_HOLDS;
    }
    *made = (kn_watch_id){slot + 1, (uint32_t)watch->number};
    return KN_OK;
}

kn_result kn_watch_start(kn_world *world, const kn_watch_start_def *def, kn_watch_id *out)
{
    kn_watch_id made = {0};
    kn_result result = start_check(world, def);
    if (out != NULL) {
        *out = made;
    }
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_entity_id entity =
        def->entity.index1 != 0 ? kn_entity_actor(world, def->entity) : def->entity;
    result = kni_leave(world, watch_begin(world, def, entity, &made));
    if (out != NULL && result == KN_OK) {
        *out = made;
    }
    return result;
}

bool kn_watch_stop(kn_world *world, kn_watch_id watch)
{
    uint32_t slot = watch_find(world, watch);
    if (slot == KNI_NONE || world->is_broken) {
        return false;
    }
    watch_release(world, slot);
    return true;
}

uint32_t kn_watches_stop(kn_world *world, kn_watch_type_id type, kn_entity_id entity)
{
    if (world == NULL || type.index1 == 0 || world->is_broken ||
        (entity.index1 != 0 && kni_entity_find(world, entity) == KNI_NONE)) {
        return 0;
    }
    kn_entity_id watched = entity.index1 != 0 ? kn_entity_actor(world, entity) : entity;
    uint32_t stopped = 0;
    uint32_t at1 =
        watched.index1 < world->watch_list_capacity ? world->watch_lists[watched.index1].first1 : 0;
    while (at1 != 0) {
        uint32_t next1 = watch_at(world, at1 - 1)->next1;
        if (watch_at(world, at1 - 1)->type == type.index1 - 1) {
            watch_release(world, at1 - 1);
            stopped++;
        }
        at1 = next1;
    }
    return stopped;
}

bool kn_watch_is_alive(const kn_world *world, kn_watch_id watch)
{
    return watch_find(world, watch) != KNI_NONE;
}

const void *kn_watch_read_state(const kn_world *world, kn_watch_id watch)
{
    uint32_t slot = watch_find(world, watch);
    const kni_span *state = slot != KNI_NONE ? &watch_at(world, slot)->state : NULL;
    return state != NULL && state->count > 0 ? kni_heap_at(&world->heap, state->ref) : NULL;
}

uint32_t kn_watch_count(const kn_world *world)
{
    return world != NULL ? world->watches.count : 0;
}

// Reactions -------------------------------------------------------------------

static bool watch_hears_ability(
    const kn_world *world, const kn_watch_def *def, const kn_reaction *reaction)
{
    uint32_t ability = kni_ability_find(world, reaction->ability);
    if (def->ability_type.index1 == 0 && def->tag.index1 == 0) {
        return true;
    }
    return ability != KNI_NONE &&
           (def->ability_type.index1 == 0 ||
               kni_ability_at(world, ability)->type + 1u == def->ability_type.index1) &&
           (def->tag.index1 == 0 || kni_ability_has_tag(world, ability, def->tag.index1));
}

static bool watch_hears_effect(
    const kn_world *world, const kni_watch_type *type, const kn_reaction *reaction)
{
    const kn_watch_def *def = &type->def;
    return (def->effect_type.index1 == 0 ||
               def->effect_type.index1 == reaction->effect_type.index1) &&
           (def->tag.index1 == 0 ||
               kn_tags_has(world->library,
                   kni_type_at(world, reaction->effect_type.index1 - 1)->def.asset_tags,
                   def->tag)) &&
           (!type->has_query ||
               world->above->effect_matches(world, reaction->effect, &def->effects));
}

static bool watch_hears(
    const kn_world *world, const kni_watch_type *type, const kn_reaction *reaction)
{
    const kn_watch_def *def = &type->def;
    if ((watch_triggers(def) >> reaction->trigger & 1) == 0) {
        return false;
    }
    if (def->kind == KN_WATCH_QUERY) {
        return true;
    }
    switch (reaction->trigger) {
    case KN_TRIGGER_EVENT:
        return def->tag.index1 == 0 ||
               kni_tag_matches(&world->library->tags, reaction->tag.index1, def->tag.index1);
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return reaction->tag.index1 == def->tag.index1;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return reaction->attribute.index1 == def->attribute.index1 &&
               (def->kind == KN_WATCH_TRIGGER || reaction->key == 0);
    case KN_TRIGGER_EFFECT_APPLIED:
    case KN_TRIGGER_EFFECT_REMOVED:
    case KN_TRIGGER_EFFECT_STACKS:
    case KN_TRIGGER_EFFECT_EXECUTED:
    case KN_TRIGGER_EFFECT_INHIBITED:
        return watch_hears_effect(world, type, reaction);
    case KN_TRIGGER_ABILITY_ACTIVATED:
    case KN_TRIGGER_ABILITY_COMMITTED:
    case KN_TRIGGER_ABILITY_ENDED:
    case KN_TRIGGER_ABILITY_FAILED:
    case KN_TRIGGER_ABILITY_GRANTED:
    case KN_TRIGGER_ABILITY_REMOVED:
        return watch_hears_ability(world, def, reaction);
    default:
        return true;
    }
}

void kni_watches_react(kn_world *world, const kn_reaction *reaction)
{
    const kn_event_record *record = NULL;
    uint32_t lists[2] = {reaction->entity.index1, 0};
    for (uint32_t i = lists[0] == 0; i < 2; i++) {
        uint32_t at1 =
            lists[i] < world->watch_list_capacity ? world->watch_lists[lists[i]].first1 : 0;
        for (; at1 != 0 && !world->is_broken; at1 = watch_at(world, at1 - 1)->next1) {
            const kni_watch *watch = watch_at(world, at1 - 1);
            if (!watch_hears(world, watch_type(world, watch), reaction)) {
                continue;
            }
            if (reaction->record != NULL && record == NULL) {
                record = kni_record_keep(world, reaction->record, reaction->record->tag);
            }
            kni_queued *queued = kni_react(world, KNI_REACT_NOTICE);
            queued->entity = reaction->entity;
            queued->notice.watch = (kn_watch_id){at1, (uint32_t)watch->number};
            queued->notice.reaction = *reaction;
            queued->notice.reaction.record = record;
        }
    }
}

// Whether a change of a condition is one that the watch waits for.
static bool edge_is_met(kn_world *world, kni_watch *watch, const kn_watch_def *def,
    const kn_reaction *reaction, bool *is_true)
{
    if (def->kind == KN_WATCH_TRIGGER) {
        return true;
    }
    bool was = (watch->flags & KNI_WATCH_HOLDS) != 0;
    *is_true = watch_holds(world, watch, def, reaction->new_value);
    watch->flags = (watch->flags & KNI_WATCH_ONCE) | (*is_true ? KNI_WATCH_HOLDS : 0);
    kni_mark_entity(world, watch->entity, KN_PART_WATCHES);
    return was != *is_true &&
           (def->edge == KN_WATCH_CHANGES || *is_true == (def->edge == KN_WATCH_BECOMES_TRUE));
}

void kni_watch_notice(kn_world *world, const kni_queued *queued)
{
    uint32_t slot = watch_find(world, queued->notice.watch);
    if (slot == KNI_NONE) {
        return; // stopped in the meantime
    }
    kni_watch watch = *watch_at(world, slot);
    const kn_watch_def *def = watch_def(world, &watch);
    kn_reaction reaction = queued->notice.reaction;
    bool is_true = false;
    if (!edge_is_met(world, watch_at(world, slot), def, &reaction, &is_true)) {
        return;
    }
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_RULE, reaction.entity, reaction.effect,
            reaction.effect_type, reaction.tag.index1, &previous)) {
        return;
    }
    uint64_t data[KN_WATCH_DATA_SIZE / sizeof(uint64_t)]; // aligned for any type
    uint64_t state[KN_WATCH_STATE_MAX / sizeof(uint64_t)];
    memcpy(data, watch.data, KN_WATCH_DATA_SIZE);
    if (watch.state.count > 0) {
        memcpy(state, kni_heap_at(&world->heap, watch.state.ref), watch.state.count);
    }
    if ((watch.flags & KNI_WATCH_ONCE) != 0) {
        watch_release(world, slot);
    }
    reaction.cause = world->cause;
    kn_watch_call call = {.watch = queued->notice.watch,
        .type = {watch.type + 1},
        .entity = reaction.entity,
        .owner = watch.owner,
        .is_true = is_true,
        .reaction = &reaction,
        .data = data,
        .state = watch.state.count > 0 ? state : NULL};
    def->function(def->user, world, &call);
    kni_cause_end(world, previous);
    if (watch_find(world, queued->notice.watch) == slot) {
        kni_mark_entity(world, watch.entity, KN_PART_WATCHES);
        memcpy(watch_at(world, slot)->data, data, KN_WATCH_DATA_SIZE);
        if (watch.state.count > 0) {
            memcpy(kni_heap_at(&world->heap, watch_at(world, slot)->state.ref), state,
                watch.state.count);
        }
    }
}
