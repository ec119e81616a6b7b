// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Listeners are in one array in order of registration. New ones are appended; removed ones leave a
// dead entry behind until no listener is being called and most entries are dead. So the index in an
// id may be too high, never too low, and the generation identifies the right entry.
//
// Publishing sorts the listeners into chains by event type and entity, so that an event is only
// compared with those that may want it.

#include "world/world.h"

#define CHAIN_COUNT 256

kn_listener_def kn_listener_def_default(void)
{
    kn_listener_def def = {.cookie = KN_COOKIE};
    return def;
}

// Adding and removing -------------------------------------------------------

static uint64_t listener_bits(const kn_listener_def *def)
{
    uint64_t bits = UINT64_C(1) << def->type;
    if (def->owner.index1 != 0) {
        bits |= UINT64_C(1) << KN_EVENT_ENTITY_DESTROYED; // it is removed with its owner
    }
    return bits;
}

// One bit for kinds of custom events that it names, shared by several kinds.
static uint64_t listener_kind_bits(const kn_listener_def *def)
{
    return def->type == KN_EVENT_CUSTOM && def->custom.index1 != 0
               ? UINT64_C(1) << def->custom.index1 % 64
               : 0;
}

static void listener_set_mask(kn_world *world, uint64_t mask, uint64_t kinds)
{
    world->listener_mask = mask;
    world->listener_kinds = kinds;
    world->wanted = world->event_mask | mask | world->log.mask;
}

// Removes from the masks what no live listener wants any more.
static void listener_mask_update(kn_world *world)
{
    uint64_t mask = 0, kinds = 0;
    for (uint32_t i = 0; i < world->listener_count &&
                         (mask != world->listener_mask || kinds != world->listener_kinds);
         i++) {
        if (world->listeners[i].generation != 0) {
            mask |= listener_bits(&world->listeners[i].def);
            kinds |= listener_kind_bits(&world->listeners[i].def);
        }
    }
    listener_set_mask(world, mask, kinds);
}

void kni_listeners_renumbered(kn_world *world)
{
    world->listener_kinds = UINT64_MAX;
    listener_mask_update(world);
}

bool kn_custom_event_is_wanted(const kn_world *world, kn_custom_event_id kind)
{
    if (world == NULL || kind.index1 == 0 || (world->listener_kinds >> kind.index1 % 64 & 1) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < world->listener_count; i++) {
        const kn_listener_def *def = &world->listeners[i].def;
        if (world->listeners[i].generation != 0 && def->type == KN_EVENT_CUSTOM &&
            kn_custom_event_id_equal(def->custom, kind)) {
            return true;
        }
    }
    return false;
}

// Only while no listener is being called, since entries move.
static void listener_compact(kn_world *world)
{
    if (world->listener_live >= world->listener_count / 2 && world->listener_live > 0) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->listener_count; i++) {
        if (world->listeners[i].generation != 0) {
            world->listeners[count++] = world->listeners[i];
        }
    }
    world->listener_count = count;
}

static bool listener_def_is_good(const kn_world *world, const kn_listener_def *def)
{
    return def->cookie == KN_COOKIE && def->function != NULL &&
           (uint32_t)def->type < KN_EVENT_TYPE_COUNT &&
           def->tag.index1 <= kn_tag_count(world->library) &&
           def->attribute.index1 <= kn_attribute_count(world->library) &&
           def->effect_type.index1 <= world->type_count &&
           def->custom.index1 <= world->library->registries[KN_DEF_CUSTOM_EVENT].count;
}

kn_result kn_listener_add(kn_world *world, const kn_listener_def *def, kn_listener_id *listener)
{
    if (listener != NULL) {
        *listener = (kn_listener_id){0};
    }
    if (world == NULL || def == NULL || !listener_def_is_good(world, def)) {
        KN_ASSERT(world != NULL);
        KN_ASSERT_DEF(def, kn_listener_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (def->owner.index1 != 0 && kni_entity_find(world, def->owner) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!kni_grow(&world->memory, &world->listeners, &world->listener_capacity,
            world->listener_count + 1, sizeof(kni_listener))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    world->listener_generation += world->listener_generation == UINT32_MAX ? 2 : 1; // never 0
    uint32_t index = world->listener_count++;
    world->listeners[index] = (kni_listener){.generation = world->listener_generation, .def = *def};
    world->listener_live++;
    listener_set_mask(world, world->listener_mask | listener_bits(def),
        world->listener_kinds | listener_kind_bits(def));
    if (listener != NULL) {
        *listener = (kn_listener_id){index + 1, world->listener_generation};
    }
    return KN_OK;
}

static uint32_t listener_find(const kn_world *world, kn_listener_id id)
{
    if (id.index1 == 0 || id.generation == 0) {
        return KNI_NONE;
    }
    uint32_t index = id.index1 < world->listener_count ? id.index1 : world->listener_count;
    while (index-- > 0) {
        if (world->listeners[index].generation == id.generation) {
            return index;
        }
    }
    return KNI_NONE;
}

static void listener_kill(kn_world *world, uint32_t index)
{
    world->listeners[index].generation = 0;
    world->listener_live--;
}

bool kn_listener_remove(kn_world *world, kn_listener_id listener)
{
    uint32_t index = listener_find(world, listener);
    if (index == KNI_NONE) {
        return false;
    }
    listener_kill(world, index);
    listener_mask_update(world);
    if (!world->is_publishing) {
        listener_compact(world);
    }
    return true;
}

uint32_t kn_listener_count(const kn_world *world)
{
    return world->listener_live;
}

void kni_listeners_remove_owner(kn_world *world, kn_entity_id owner)
{
    if (owner.index1 == 0) {
        return;
    }
    uint32_t live = world->listener_live;
    for (uint32_t i = 0; i < world->listener_count; i++) {
        const kni_listener *listener = &world->listeners[i];
        if (listener->generation != 0 && kn_entity_id_equal(listener->def.owner, owner)) {
            listener_kill(world, i);
        }
    }
    if (world->listener_live != live) {
        listener_mask_update(world);
        if (!world->is_publishing) {
            listener_compact(world);
        }
    }
}

// Owners that were destroyed without an event, such as in the call of a listener.
static void listeners_drop_orphans(kn_world *world)
{
    uint32_t live = world->listener_live;
    for (uint32_t i = 0; i < world->listener_count; i++) {
        const kni_listener *listener = &world->listeners[i];
        if (listener->generation != 0 && listener->def.owner.index1 != 0 &&
            kni_entity_find(world, listener->def.owner) == KNI_NONE) {
            listener_kill(world, i);
        }
    }
    if (world->listener_live != live) {
        listener_mask_update(world);
    }
}

// Filters -------------------------------------------------------------------

static bool tag_matches(const kn_world *world, const kn_listener_def *def, const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        return kn_tag_equal(event->data.tag.tag, def->tag);
    case KN_EVENT_CUE:
        return kn_tag_equal(event->data.cue.tag, def->tag);
    case KN_EVENT_CHARGES:
    case KN_EVENT_EARLY_USE:
        return kn_tag_equal(event->data.charges.key, def->tag);
    case KN_EVENT_RECORD:
    case KN_EVENT_RESTRICTED:
        return kn_tag_matches(world->library, event->data.record.tag, def->tag);
    default:
        return true;
    }
}

static bool attribute_matches(const kn_listener_def *def, const kn_event *event)
{
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        return kn_attribute_id_equal(event->data.attribute.attribute, def->attribute);
    case KN_EVENT_ERROR:
        return kn_attribute_id_equal(event->data.error.attribute, def->attribute);
    default:
        return true;
    }
}

static bool is_effect_event(kn_event_type type)
{
    return type >= KN_EVENT_EFFECT_APPLIED && type <= KN_EVENT_EFFECT_PART_BLOCKED;
}

static bool type_matches(const kn_listener_def *def, const kn_event *event)
{
    if (is_effect_event(event->type)) {
        return kn_effect_type_id_equal(event->data.effect.type, def->effect_type);
    }
    switch (event->type) {
    case KN_EVENT_CUE:
        return kn_effect_type_id_equal(event->data.cue.type, def->effect_type);
    case KN_EVENT_EFFECT_REFUSED:
        return kn_effect_type_id_equal(event->data.refusal.type, def->effect_type);
    case KN_EVENT_ERROR:
        return kn_effect_type_id_equal(event->data.error.type, def->effect_type);
    default:
        return true;
    }
}

static bool effect_matches(const kn_listener_def *def, const kn_event *event)
{
    if (is_effect_event(event->type)) {
        return kn_effect_id_equal(event->data.effect.effect, def->effect);
    }
    switch (event->type) {
    case KN_EVENT_CUE:
        return kn_effect_id_equal(event->data.cue.effect, def->effect);
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        return kn_effect_id_equal(event->data.attribute.effect, def->effect);
    default:
        return true;
    }
}

static bool ability_matches(const kn_listener_def *def, const kn_event *event)
{
    if (event->type == KN_EVENT_CHARGES || event->type == KN_EVENT_EARLY_USE) {
        return def->ability.index1 == 0 ||
               kn_ability_id_equal(event->data.charges.ability, def->ability);
    }
    if (event->type == KN_EVENT_ERROR) {
        return def->ability_type.index1 == 0 ||
               kn_ability_type_id_equal(event->data.error.ability, def->ability_type);
    }
    if (event->type < KN_EVENT_ABILITY_GRANTED || event->type > KN_EVENT_ABILITY_STATUS) {
        return true;
    }
    return (def->ability_type.index1 == 0 ||
               kn_ability_type_id_equal(event->data.ability.type, def->ability_type)) &&
           (def->ability.index1 == 0 ||
               kn_ability_id_equal(event->data.ability.ability, def->ability));
}

static bool listener_matches(
    const kn_world *world, const kn_listener_def *def, const kn_event *event)
{
    return def->type == event->type &&
           (def->entity.index1 == 0 || kn_entity_id_equal(def->entity, event->entity)) &&
           (def->tag.index1 == 0 || tag_matches(world, def, event)) &&
           (def->attribute.index1 == 0 || attribute_matches(def, event)) &&
           (def->effect_type.index1 == 0 || type_matches(def, event)) &&
           (def->effect.index1 == 0 || effect_matches(def, event)) &&
           (def->custom.index1 == 0 || event->type != KN_EVENT_CUSTOM ||
               kn_custom_event_id_equal(event->data.custom.kind, def->custom)) &&
           ability_matches(def, event);
}

// Calling -------------------------------------------------------------------

// Listeners by event type and entity, each chain in order of registration. Links are index + 1.
typedef struct listener_chains {
    uint32_t first[CHAIN_COUNT];
    uint32_t last[CHAIN_COUNT];
    uint32_t linked; // listeners before this are in a chain
    bool has_owners;
} listener_chains;

static uint32_t chain_of(kn_event_type type, kn_entity_id entity)
{
    return ((uint32_t)type * 37 + entity.index1) % CHAIN_COUNT;
}

// Links the listeners that were added since the last call.
static void chains_update(kn_world *world, listener_chains *chains)
{
    for (; chains->linked < world->listener_count; chains->linked++) {
        kni_listener *listener = &world->listeners[chains->linked];
        if (listener->generation == 0) {
            continue;
        }
        uint32_t chain = chain_of(listener->def.type, listener->def.entity);
        uint32_t place = chains->linked + 1;
        if (chains->last[chain] == 0) {
            chains->first[chain] = place;
        } else {
            world->listeners[chains->last[chain] - 1].next1 = place;
        }
        chains->last[chain] = place;
        listener->next1 = 0;
        chains->has_owners |= listener->def.owner.index1 != 0;
    }
}

static uint32_t chain_next(const kn_world *world, uint32_t place)
{
    return place == 0 ? 0 : world->listeners[place - 1].next1;
}

static void event_call(kn_world *world, const listener_chains *chains, const kn_event *event)
{
    // The chains of this entity and of any entity, merged by order of registration.
    uint32_t own_chain = chain_of(event->type, event->entity);
    uint32_t any_chain = chain_of(event->type, (kn_entity_id){0});
    uint32_t own = own_chain != any_chain ? chains->first[own_chain] : 0;
    uint32_t any = chains->first[any_chain];
    while (own != 0 || any != 0) {
        uint32_t place = any == 0 || (own != 0 && own < any) ? own : any;
        const kni_listener *listener = &world->listeners[place - 1];
        if (listener->generation != 0 && listener_matches(world, &listener->def, event)) {
            kn_listener_fn *function = listener->def.function;
            function(listener->def.user, world, event);
        }
        if (place == own) {
            own = chain_next(world, own);
        } else {
            any = chain_next(world, any);
        }
    }
}

void kni_listeners_call(kn_world *world)
{
    if (world->listener_live == 0) {
        return;
    }
    bool was_publishing = world->is_publishing;
    world->is_publishing = true;
    listener_chains chains;
    memset(&chains, 0, sizeof(chains));
    for (uint32_t i = 0; i < world->published.count; i++) {
        chains_update(world, &chains);
        const kn_event *event = &world->published.events[i];
        if ((world->listener_mask >> event->type & 1) == 0) {
            continue;
        }
        event_call(world, &chains, event);
        if (event->type == KN_EVENT_ENTITY_DESTROYED && chains.has_owners) {
            kni_listeners_remove_owner(world, event->entity);
        }
    }
    chains_update(world, &chains);
    if (chains.has_owners) {
        listeners_drop_orphans(world);
    }
    world->is_publishing = was_publishing;
    listener_compact(world);
}
