// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities and the components that belong to them. An entity is a slot and a generation; its
// component, created when first needed, holds everything else. An avatar shares its owner's
// component, and the tags of a component also count for its parent.

#include "world/world.h"

// Says that an entity was created.
static void entity_announce(kn_world *world, kn_entity_id made)
{
    if (world->marks != NULL) {
        kni_mark_life(world, made.index1 - 1);
    }
    if (kni_wants(world, KN_EVENT_ENTITY_CREATED)) {
        kni_emit(world, KN_EVENT_ENTITY_CREATED, made);
    }
    if ((world->heard >> KN_TRIGGER_ENTITY_CREATED & 1) != 0) {
        kn_reaction reaction = {.trigger = KN_TRIGGER_ENTITY_CREATED, .entity = made};
        kni_react_entity(world, &reaction);
    }
}

kn_result kn_entity_create(kn_world *world, kn_entity_id *out)
{
    if (world == NULL || out == NULL) {
        KN_ASSERT(world != NULL && out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = (kn_entity_id){0};
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t first = world->def.own_entities;
    uint32_t slot = first == 0 ? kni_pool_acquire(&world->entities, &world->memory)
                               : kni_pool_acquire_from(&world->entities, &world->memory, first - 1);
    if (slot == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_entity_at(world, slot)->generation = kni_number_take(world);
    kn_entity_id made = kni_entity_id_of(world, slot);
    entity_announce(world, made);
    result = kni_leave(world, KN_OK);
    if (result == KN_OK) {
        *out = made;
    }
    return result;
}

// A slot may be this high whatever the number of entities, and higher if there are many.
#define CREATE_SLOTS_FREE (1u << 20)
#define CREATE_SLOTS_PER_ENTITY 64

kn_result kn_entity_create_as(kn_world *world, kn_entity_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || id.index1 == 0 || id.generation == 0) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (slot >= KNI_POOL_MAX || kni_pool_is_live(&world->entities, slot) ||
        (slot >= CREATE_SLOTS_FREE && slot / CREATE_SLOTS_PER_ENTITY >= world->entities.count)) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    if (!kni_pool_acquire_at(&world->entities, &world->memory, slot)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_entity_at(world, slot)->generation = id.generation;
    kni_numbers_above(world, id.generation);
    entity_announce(world, id);
    return kni_leave(world, KN_OK);
}

kn_result kn_world_set_own_entities(kn_world *world, uint32_t first1)
{
    if (world == NULL || first1 > KN_OWN_ENTITIES_MAX) {
        KN_ASSERT(world != NULL && first1 <= KN_OWN_ENTITIES_MAX);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_world_is_locked(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    world->def.own_entities = first1;
    return KN_OK;
}

bool kn_entity_is_own(const kn_world *world, kn_entity_id entity)
{
    return world != NULL && world->def.own_entities != 0 &&
           entity.index1 >= world->def.own_entities;
}

bool kn_entity_is_alive(const kn_world *world, kn_entity_id entity)
{
    return kni_entity_find(world, entity) != KNI_NONE;
}

uint32_t kn_entity_count(const kn_world *world)
{
    return world != NULL ? world->entities.count : 0;
}

kn_entity_id kn_entity_next(const kn_world *world, kn_entity_id entity)
{
    if (world == NULL) {
        return (kn_entity_id){0};
    }
    uint32_t slot = kni_pool_next(&world->entities, entity.index1);
    return slot == KNI_NONE ? (kn_entity_id){0} : kni_entity_id_of(world, slot);
}

kn_result kn_entity_set_user(kn_world *world, kn_entity_id entity, uint64_t user)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kni_entity_at(world, slot)->user = user;
    kni_mark_entity(world, entity, KN_PART_ENTITY);
    return KN_OK;
}

uint64_t kn_entity_user(const kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    return slot == KNI_NONE ? 0 : kni_entity_at(world, slot)->user;
}

// Components ----------------------------------------------------------------

// A row of bits for every component there is room for. The row before the first stays empty and is
// used for entities without a component.
bool kni_tag_bits_reserve(kn_world *world)
{
    uint32_t capacity = world->components.capacity;
    if (world->tag_bits != NULL && world->tag_bits_capacity >= capacity) {
        return true;
    }
    size_t row = world->tag_words * sizeof(uint64_t);
    uint64_t *old = world->tag_bits != NULL ? world->tag_bits - world->tag_words : NULL;
    size_t old_size = old != NULL ? ((size_t)world->tag_bits_capacity + 1) * row : 0;
    uint64_t *rows = kni_realloc(&world->memory, old, old_size, ((size_t)capacity + 1) * row);
    if (rows == NULL) {
        return false;
    }
    if (world->tag_scratch == NULL) {
        world->tag_scratch = kni_realloc(&world->memory, NULL, 0, 3 * row);
        if (world->tag_scratch == NULL) {
            // The rows are kept: they are just more room than needed.
            world->tag_bits = rows + world->tag_words;
            world->tag_bits_capacity = capacity;
            memset(rows, 0, row);
            return false;
        }
    }
    memset(rows, 0, row);
    world->tag_bits = rows + world->tag_words;
    world->tag_bits_capacity = capacity;
    return true;
}

// An entity without a component has no flag that says it is dying, but is in the queue.
static bool is_to_be_destroyed(const kn_world *world, uint32_t entity_slot)
{
    for (uint32_t i = world->reaction_first; i < world->reaction_count; i++) {
        const kni_queued *queued = &world->reactions[i];
        if (queued->kind == KNI_REACT_DESTROY && queued->entity.index1 == entity_slot + 1) {
            return true;
        }
    }
    return false;
}

bool kn_entity_is_dying(const kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return false;
    }
    uint32_t component = kni_component_find(world, entity);
    if (component != KNI_NONE &&
        kn_entity_id_equal(kni_component_entity(world, component), entity)) {
        return (kni_component_at(world, component)->flags & KNI_COMPONENT_DYING) != 0;
    }
    return world->ending1 == slot + 1 || is_to_be_destroyed(world, slot);
}

uint32_t kni_component_ensure(kn_world *world, uint32_t entity_slot)
{
    kni_entity *entity = kni_entity_at(world, entity_slot);
    if (entity->component1 != 0) {
        return entity->component1 - 1;
    }
    // Room for its first effects and tags is allocated together.
    kni_span effects = {0}, tags = {0};
    uint32_t slot = kni_pool_acquire(&world->components, &world->memory);
    if (slot == KNI_NONE || !kni_tag_bits_reserve(world) ||
        !kni_span_reserve(
            &world->heap, &world->memory, &effects, KNI_FIRST_EFFECTS, sizeof(uint32_t)) ||
        !kni_span_reserve(
            &world->heap, &world->memory, &tags, KNI_FIRST_TAGS, sizeof(kni_tag_row))) {
        if (slot != KNI_NONE) {
            kni_span_clear(&world->heap, &effects, sizeof(uint32_t));
            kni_pool_release(&world->components, slot);
        }
        return KNI_NONE;
    }
    memset(
        world->tag_bits + (size_t)slot * world->tag_words, 0, world->tag_words * sizeof(uint64_t));
    kni_component *component = kni_component_at(world, slot);
    component->effects = effects;
    component->tags = tags;
    component->entity = entity_slot;
    component->generation = entity->generation;
    component->avatar = kni_entity_id_of(world, entity_slot);
    entity->component1 = slot + 1;
    kni_mark_entity(world, kni_entity_id_of(world, entity_slot), KN_PART_ENTITY);
    if (world->reaction_count > 0 && is_to_be_destroyed(world, entity_slot)) {
        component->flags |= KNI_COMPONENT_DYING;
    }
    return slot;
}

kn_result kn_entity_make_actor(kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_ensure(world, slot);
    return kni_leave(world, component == KNI_NONE ? KN_ERROR_OUT_OF_MEMORY : KN_OK);
}

bool kn_entity_is_actor(const kn_world *world, kn_entity_id entity)
{
    return kni_component_find(world, entity) != KNI_NONE;
}

kn_entity_id kn_entity_actor(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return kn_entity_is_alive(world, entity) ? entity : (kn_entity_id){0};
    }
    return kni_component_entity(world, component);
}

kn_result kni_component_own(kn_world *world, kn_entity_id entity, uint32_t *component)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    *component = kni_component_ensure(world, slot);
    if (*component == KNI_NONE) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return KN_OK;
}

kn_result kni_relation_postpone(
    kn_world *world, kni_call_kind kind, kn_entity_id entity, kn_entity_id other)
{
    if (!kn_entity_is_alive(world, entity) ||
        (other.index1 != 0 && !kn_entity_is_alive(world, other))) {
        return KN_REFUSED_STALE_ID;
    }
    // Refusals that would be the same after waiting.
    uint32_t mine = kni_component_find(world, entity), its = kni_component_find(world, other);
    bool is_same = kn_entity_id_equal(entity, other) || (mine != KNI_NONE && mine == its);
    if (kind == KNI_CALL_PARENT && is_same) {
        return KN_REFUSED_CYCLE;
    }
    if (kind == KNI_CALL_AVATAR && !is_same && its != KNI_NONE &&
        kn_entity_id_equal(kni_component_entity(world, its), other)) {
        return KN_REFUSED_DUPLICATE;
    }
    return kni_postpone(world, &(kni_call){.kind = kind, .entity = entity, .other = other});
}

kn_entity_id kn_entity_avatar(const kn_world *world, kn_entity_id owner)
{
    uint32_t component = kni_component_find(world, owner);
    if (component == KNI_NONE) {
        return kn_entity_is_alive(world, owner) ? owner : (kn_entity_id){0};
    }
    return kni_component_at(world, component)->avatar;
}

bool kn_world_is_client(const kn_world *world)
{
    return world != NULL && world->def.is_client;
}

bool kn_world_is_dedicated(const kn_world *world)
{
    return world != NULL && world->def.is_dedicated;
}

uint32_t kn_world_connection(const kn_world *world)
{
    return world->def.connection;
}

void kn_world_set_connection(kn_world *world, uint32_t connection)
{
    world->def.connection = connection;
}

kn_result kn_entity_set_connection(kn_world *world, kn_entity_id entity, uint32_t connection)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component;
    result = kni_component_own(world, entity, &component);
    if (result == KN_OK && kni_component_at(world, component)->connection != connection) {
        kn_reaction reaction = {.trigger = KN_TRIGGER_CONNECTION_CHANGED,
            .entity = kni_component_entity(world, component),
            .old_count = kni_component_at(world, component)->connection,
            .new_count = connection};
        kni_component_at(world, component)->connection = connection;
        kni_mark(world, component, KN_PART_ENTITY);
        kni_touch(world, component);
        kni_react_all(world, component, &reaction);
    }
    return kni_leave(world, result);
}

uint32_t kn_entity_connection(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE ? 0 : kni_component_at(world, component)->connection;
}

// Changed components --------------------------------------------------------

void kni_touch_note(kn_world *world, kni_component *c)
{
    c->touched = world->touch_stamp;
    if (world->touch_stamp == 0) {
        return;
    }
    // Room for all at once; more when some of them went, and others came in their place.
    uint32_t all = world->components.used, listed = world->touched_count + 1;
    if (!kni_grow(&world->memory, &world->touched, &world->touched_capacity,
            all > listed ? all : listed, sizeof(*world->touched))) {
        kni_touch_stop(world);
        return;
    }
    world->touched[world->touched_count++] = (uint32_t)(c - kni_component_at(world, 0));
}

void kni_touch_begin(kn_world *world)
{
    world->touched_count = 0;
    if (world->touch_last == UINT32_MAX) { // begin again, with no stamp anywhere
        for (uint32_t i = kni_pool_next(&world->components, 0); i != KNI_NONE;
             i = kni_pool_next(&world->components, i + 1)) {
            kni_component_at(world, i)->touched = 0;
        }
        world->touch_last = 0;
    }
    world->touch_stamp = ++world->touch_last;
}

void kni_touch_stop(kn_world *world)
{
    world->touched_count = 0;
    world->touch_stamp = 0;
}

// Owners --------------------------------------------------------------------

uint32_t kni_owned_next(const kn_world *world, uint32_t owner, uint32_t slot)
{
    return kni_slots_next(&world->heap, &kni_component_at(world, owner)->owned, slot);
}

void kni_owned_add(kn_world *world, uint32_t slot)
{
    uint32_t owner = kni_component_find(world, kni_component_at(world, slot)->owner);
    if (owner != KNI_NONE && !kni_slots_add(&world->heap, &world->memory,
                                 &kni_component_at(world, owner)->owned, slot)) {
        kni_break(world);
    }
}

void kni_owned_remove(kn_world *world, uint32_t slot)
{
    uint32_t owner = kni_component_find(world, kni_component_at(world, slot)->owner);
    if (owner != KNI_NONE) {
        kni_slots_remove(&world->heap, &kni_component_at(world, owner)->owned, slot);
    }
}

// Parents -------------------------------------------------------------------

void kni_parent_tags(kn_world *world, uint32_t component, uint32_t parent, int32_t sign)
{
    uint32_t count = kni_component_at(world, component)->tags.count;
    for (uint32_t i = 0; i < count; i++) {
        kni_tag_row row =
            *KNI_SPAN_AT(world, kni_component_at(world, component)->tags, kni_tag_row, i);
        if (row.count > 0) {
            int32_t change = (int32_t)kni_row_count(world, component, &row);
            kni_tag_change(world, parent, row.tag, KN_TAG_ORIGIN_CHILD, sign * change);
        }
    }
}

void kni_component_link(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    uint32_t parent = kni_component_find(world, component->parent);
    if (parent == KNI_NONE) {
        return;
    }
    uint32_t *first1 = &kni_component_at(world, parent)->child1;
    component->sibling1 = *first1;
    if (*first1 != 0) {
        kni_component_at(world, *first1 - 1)->sibling_back1 = slot + 1;
    }
    *first1 = slot + 1;
}

void kni_component_unlink(kn_world *world, uint32_t slot, uint32_t parent)
{
    kni_component *component = kni_component_at(world, slot);
    uint32_t next1 = component->sibling1, back1 = component->sibling_back1;
    *(back1 != 0 ? &kni_component_at(world, back1 - 1)->sibling1
                 : &kni_component_at(world, parent)->child1) = next1;
    if (next1 != 0) {
        kni_component_at(world, next1 - 1)->sibling_back1 = back1;
    }
    component->sibling1 = 0;
    component->sibling_back1 = 0;
}

// The longest chain of parts below a component. Chains have a limit, and so has the recursion.
static uint32_t parts_height(const kn_world *world, uint32_t slot)
{
    uint32_t height = 0;
    for (uint32_t child1 = kni_component_at(world, slot)->child1; child1 != 0;
         child1 = kni_component_at(world, child1 - 1)->sibling1) {
        uint32_t below = 1 + parts_height(world, child1 - 1);
        height = below > height ? below : height;
    }
    return height;
}

void kni_parent_react(kn_world *world, uint32_t component, kn_entity_id old)
{
    kni_mark(world, component, KN_PART_ENTITY);
    kn_reaction reaction = {.trigger = KN_TRIGGER_PARENT_CHANGED,
        .entity = kni_component_entity(world, component),
        .other = kni_component_at(world, component)->parent,
        .old_other = old};
    kni_react_all(world, component, &reaction);
}

static kn_result set_parent(kn_world *world, kn_entity_id entity, kn_entity_id parent)
{
    if (kni_is_held(world)) {
        return kni_relation_postpone(world, KNI_CALL_PARENT, entity, parent);
    }
    uint32_t component, parent_component = KNI_NONE;
    kn_result result = kni_component_own(world, entity, &component);
    if (result == KN_OK && parent.index1 != 0) {
        result = kni_component_own(world, parent, &parent_component);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t chain = 1; // entities from the top down to this one
    for (uint32_t at = parent_component; at != KNI_NONE;
         at = kni_component_find(world, kni_component_at(world, at)->parent)) {
        if (at == component) {
            return KN_REFUSED_CYCLE;
        }
        chain++;
    }
    // Refuse before anything changes.
    if (chain > 1 && chain + parts_height(world, component) > KNI_PARENT_CHAIN_MAX) {
        return KN_REFUSED_LIMIT;
    }
    for (uint32_t at = parent_component; at != KNI_NONE;
         at = kni_component_find(world, kni_component_at(world, at)->parent)) {
        const kni_component *from = kni_component_at(world, component);
        for (uint32_t i = 0; i < from->tags.count; i++) {
            const kni_tag_row *row = KNI_SPAN_AT(world, from->tags, kni_tag_row, i);
            int32_t change = (int32_t)kni_row_count(world, component, row);
            if (!kni_tag_can_change(world, at, row->tag, change)) {
                return KN_REFUSED_LIMIT;
            }
        }
    }
    kn_entity_id old_parent = kni_component_at(world, component)->parent;
    uint32_t old = kni_component_find(world, old_parent);
    if (old == parent_component) {
        return KN_OK;
    }
    if (old != KNI_NONE) {
        kni_parent_tags(world, component, old, -1);
        kni_component_unlink(world, component, old);
    }
    kni_component_at(world, component)->parent =
        parent_component == KNI_NONE ? (kn_entity_id){0}
                                     : kni_component_entity(world, parent_component);
    kni_component_link(world, component);
    if (parent_component != KNI_NONE) {
        kni_parent_tags(world, component, parent_component, 1);
    }
    kni_parent_react(world, component, old_parent);
    return KN_OK;
}

kn_result kn_entity_set_parent(kn_world *world, kn_entity_id entity, kn_entity_id parent)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_parent(world, entity, parent));
}

kn_entity_id kn_entity_parent(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE ? (kn_entity_id){0} : kni_component_at(world, component)->parent;
}

bool kn_entity_destroy(kn_world *world, kn_entity_id entity)
{
    if (kni_entity_find(world, entity) == KNI_NONE || kni_enter(world) != KN_OK) {
        return false;
    }
    uint32_t component = kni_component_find(world, entity);
    if (component != KNI_NONE &&
        kn_entity_id_equal(kni_component_entity(world, component), entity)) {
        if ((kni_component_at(world, component)->flags & KNI_COMPONENT_DYING) != 0) {
            kni_leave(world, KN_OK);
            return false;
        }
        kni_component_at(world, component)->flags |= KNI_COMPONENT_DYING;
        kni_touch(world, component);
    }
    kni_react(world, KNI_REACT_DESTROY)->entity = entity;
    kni_leave(world, KN_OK);
    return true;
}
