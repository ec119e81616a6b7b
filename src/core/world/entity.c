// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "ability/actor.h"

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
    uint32_t slot = kni_pool_acquire(&world->entities, &world->memory);
    if (slot == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_entity *entity = kni_entity_at(world, slot);
    uint32_t generation = (uint32_t)world->next_number++;
    if (generation == 0) { // the low half wrapped: 0 means "free"
        generation = (uint32_t)world->next_number++;
    }
    entity->generation = generation;
    kn_entity_id made = kni_entity_id_of(world, slot);
    if (kni_wants(world, KN_EVENT_ENTITY_CREATED)) {
        kni_emit(world, KN_EVENT_ENTITY_CREATED, made);
    }
    result = kni_leave(world, KN_OK);
    if (result == KN_OK) {
        *out = made;
    }
    return result;
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
    return KN_OK;
}

uint64_t kn_entity_user(const kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    return slot == KNI_NONE ? 0 : kni_entity_at(world, slot)->user;
}

// Components ----------------------------------------------------------------

// A row of bits for every component there is room for. The row before the first stays empty: it
// stands for entities without a component.
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
            // The rows stay: only more room than asked for.
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

// An entity without a component cannot note that it is dying; its place in the queue does.
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

uint32_t kni_component_ensure(kn_world *world, uint32_t entity_slot)
{
    kni_entity *entity = kni_entity_at(world, entity_slot);
    if (entity->component1 != 0) {
        return entity->component1 - 1;
    }
    // Its first effects and tags find room already, side by side.
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

// The component an entity owns itself, not as an avatar, made if need be.
static kn_result component_own(kn_world *world, kn_entity_id entity, uint32_t *component)
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

static kn_result relation_postpone(
    kn_world *world, kni_call_kind kind, kn_entity_id entity, kn_entity_id other)
{
    if (!kn_entity_is_alive(world, entity) ||
        (other.index1 != 0 && !kn_entity_is_alive(world, other))) {
        return KN_REFUSED_STALE_ID;
    }
    // What no call that waits can mend.
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

static kn_result set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar)
{
    if (kni_is_held(world)) {
        return relation_postpone(world, KNI_CALL_AVATAR, owner, avatar);
    }
    uint32_t component;
    kn_result result = component_own(world, owner, &component);
    if (result != KN_OK) {
        return result;
    }
    uint32_t owner_slot = kni_component_at(world, component)->entity;
    kn_entity_id real_owner = kni_entity_id_of(world, owner_slot);
    if (avatar.index1 == 0) {
        avatar = real_owner;
    }
    uint32_t avatar_slot = kni_entity_find(world, avatar);
    if (avatar_slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_entity_id old = kni_component_at(world, component)->avatar;
    if (kn_entity_id_equal(old, avatar)) {
        return KN_OK;
    }
    kni_entity *body = kni_entity_at(world, avatar_slot);
    if (avatar_slot != owner_slot && body->component1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    uint32_t old_slot = kni_entity_find(world, old);
    if (old_slot != KNI_NONE && old_slot != owner_slot) {
        kni_entity_at(world, old_slot)->component1 = 0;
    }
    body->component1 = component + 1;
    kni_component_at(world, component)->avatar = avatar;
    if (kni_wants(world, KN_EVENT_AVATAR_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_AVATAR_CHANGED, real_owner);
        event->data.avatar.avatar = avatar;
        event->data.avatar.old_avatar = old;
    }
    kni_actor_avatar_changed(world, component);
    return KN_OK;
}

kn_result kn_entity_set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_avatar(world, owner, avatar));
}

kn_entity_id kn_entity_avatar(const kn_world *world, kn_entity_id owner)
{
    uint32_t component = kni_component_find(world, owner);
    if (component == KNI_NONE) {
        return kn_entity_is_alive(world, owner) ? owner : (kn_entity_id){0};
    }
    return kni_component_at(world, component)->avatar;
}

kn_result kn_entity_set_connection(kn_world *world, kn_entity_id entity, uint32_t connection)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t component;
    result = component_own(world, entity, &component);
    if (result == KN_OK) {
        kni_component_at(world, component)->connection = connection;
        kni_component_at(world, component)->version++;
    }
    return kni_leave(world, result);
}

uint32_t kn_entity_connection(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE ? 0 : kni_component_at(world, component)->connection;
}

// Parents -------------------------------------------------------------------

// Adds or takes the tags of a component to or from its parent's.
static void parent_tags(kn_world *world, uint32_t component, uint32_t parent, int32_t sign)
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
    if (parent != KNI_NONE) {
        component->sibling1 = kni_component_at(world, parent)->child1;
        kni_component_at(world, parent)->child1 = slot + 1;
    }
}

static void component_unlink(kn_world *world, uint32_t slot, uint32_t parent)
{
    uint32_t *place = &kni_component_at(world, parent)->child1;
    while (*place != slot + 1) {
        place = &kni_component_at(world, *place - 1)->sibling1;
    }
    *place = kni_component_at(world, slot)->sibling1;
    kni_component_at(world, slot)->sibling1 = 0;
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

static kn_result set_parent(kn_world *world, kn_entity_id entity, kn_entity_id parent)
{
    if (kni_is_held(world)) {
        return relation_postpone(world, KNI_CALL_PARENT, entity, parent);
    }
    uint32_t component, parent_component = KNI_NONE;
    kn_result result = component_own(world, entity, &component);
    if (result == KN_OK && parent.index1 != 0) {
        result = component_own(world, parent, &parent_component);
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
    uint32_t old = kni_component_find(world, kni_component_at(world, component)->parent);
    if (old == parent_component) {
        return KN_OK;
    }
    if (old != KNI_NONE) {
        parent_tags(world, component, old, -1);
        component_unlink(world, component, old);
    }
    kni_component_at(world, component)->parent =
        parent_component == KNI_NONE ? (kn_entity_id){0}
                                     : kni_component_entity(world, parent_component);
    kni_component_link(world, component);
    if (parent_component != KNI_NONE) {
        parent_tags(world, component, parent_component, 1);
    }
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

// Ownership -----------------------------------------------------------------

// Effects of `owner` that act on everything it owns begin or cease to act on `component`.
static void owner_effects(kn_world *world, kn_entity_id owner, uint32_t component, bool attach)
{
    uint32_t from = kni_component_find(world, owner);
    if (from == KNI_NONE || kni_component_at(world, from)->owned_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < kni_component_at(world, from)->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, kni_component_at(world, from)->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWNED) == 0 ||
            (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
            continue;
        }
        if (attach) {
            kni_modifiers_attach(world, slot, component);
        } else {
            kni_modifiers_detach(world, slot, component);
        }
    }
}

static kn_result set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner)
{
    if (kni_is_held(world)) {
        return relation_postpone(world, KNI_CALL_OWNER, entity, owner);
    }
    uint32_t component, owner_component = KNI_NONE;
    kn_result result = component_own(world, entity, &component);
    if (result == KN_OK && owner.index1 != 0) {
        result = component_own(world, owner, &owner_component);
    }
    if (result != KN_OK) {
        return result;
    }
    if (owner.index1 != 0) {
        owner = kni_component_entity(world, owner_component); // of a body: whose body it is
    }
    kn_entity_id old = kni_component_at(world, component)->owner;
    if (kn_entity_id_equal(old, owner)) {
        return KN_OK;
    }
    kni_defer_begin(world, component);
    owner_effects(world, old, component, false);
    kni_component_at(world, component)->owner = owner;
    owner_effects(world, owner, component, true);
    kni_defer_end(world);
    if (kni_wants(world, KN_EVENT_OWNER_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_OWNER_CHANGED, entity);
        event->data.avatar.avatar = owner;
        event->data.avatar.old_avatar = old;
    }
    return KN_OK;
}

kn_result kn_entity_set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_owner(world, entity, owner));
}

kn_entity_id kn_entity_owner(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE ? (kn_entity_id){0} : kni_component_at(world, component)->owner;
}

// Destruction ---------------------------------------------------------------

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
        kni_component_at(world, component)->version++;
    }
    kni_react(world, KNI_REACT_DESTROY)->entity = entity;
    kni_leave(world, KN_OK);
    return true;
}

// Effects elsewhere that read from this component: what they read is frozen in their capture slots;
// those that end with their source end now, the others judge their conditions without it.
static void dependents_release(kn_world *world, uint32_t slot)
{
    kni_span dependents = kni_component_at(world, slot)->dependents;
    kni_component_at(world, slot)->dependents = (kni_span){0};
    for (uint32_t i = 0; i < dependents.count && !world->is_broken; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, dependents, uint32_t, i);
        const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
        if (kni_effect_at(world, effect)->component == slot) {
            continue; // its own effect: goes with it
        }
        if ((type->flags & KNI_EFFECT_ENDS_WITH_SOURCE) != 0) {
            kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
            queued->effect = kni_effect_id_of(world, effect);
            queued->reason = KN_REMOVED_SOURCE_GONE;
        } else if ((type->flags &
                       (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
            kni_effect_queue_recheck(world, effect);
        }
    }
    kni_span_clear(&world->heap, &dependents, sizeof(uint32_t));
}

// Other entities' references that are structure, not mere ids: parents.
static void links_release(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    while (component->child1 != 0) {
        kni_component *child = kni_component_at(world, component->child1 - 1);
        component->child1 = child->sibling1;
        child->sibling1 = 0;
        child->parent = (kn_entity_id){0};
    }
    uint32_t parent = kni_component_find(world, component->parent);
    if (parent != KNI_NONE) {
        parent_tags(world, slot, parent, -1);
        component_unlink(world, slot, parent);
        kni_component_at(world, slot)->parent = (kn_entity_id){0};
    }
}

static void component_release(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    kni_heap *heap = &world->heap;
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t i = 0; i < layout->value_count; i++) {
        uint32_t aggregator1 = kni_values_of(world, component)[i].aggregator1;
        if (aggregator1 != 0) {
            kni_aggregator *aggregator = kni_aggregator_at(world, aggregator1 - 1);
            kni_span_clear(heap, &aggregator->mods, sizeof(kni_mod));
            kni_span_clear(heap, &aggregator->dependents, sizeof(kni_dependent));
            kni_pool_release(&world->aggregators, aggregator1 - 1);
        }
    }
    kni_heap_release(heap, component->values, layout->value_count * sizeof(kni_value));
    for (uint32_t i = 0; i < component->transients.count; i++) {
        uint32_t index = KNI_SPAN_AT(world, component->transients, kni_value_link, i)->aggregator;
        kni_aggregator *aggregator = kni_aggregator_at(world, index);
        kni_span_clear(heap, &aggregator->mods, sizeof(kni_mod));
        kni_span_clear(heap, &aggregator->dependents, sizeof(kni_dependent));
        kni_pool_release(&world->aggregators, index);
    }
    kni_span_clear(heap, &component->effects, sizeof(uint32_t));
    kni_span_clear(heap, &component->tags, sizeof(kni_tag_row));
    kni_span_clear(heap, &component->origins, sizeof(kni_origin_row));
    kni_span_clear(heap, &component->blocked, sizeof(kni_tag_row));
    kni_span_clear(heap, &component->dependents, sizeof(uint32_t));
    kni_span_clear(heap, &component->transients, sizeof(kni_value_link));
    kni_pool_release(&world->components, slot);
}

// Ends the effects of a dying entity in order of creation. Very many let go of its values
// together, which would be evaluated with all that are left after each of them, and the first of
// them leave the list together, which would move down for each of them.
static void effects_end(kn_world *world, uint32_t slot)
{
    kni_span *effects = &kni_component_at(world, slot)->effects;
    if (effects->count > KNI_EFFECTS_MANY) {
        for (uint32_t i = 0; i < effects->count; i++) {
            kni_effect_at(world, *KNI_SPAN_AT(world, *effects, uint32_t, i))->flags |=
                KNI_ACTIVE_LOOSE;
        }
        kni_modifiers_let_go(world, slot);
        effects = &kni_component_at(world, slot)->effects;
    }
    while (effects->count > KNI_EFFECTS_MANY && !world->is_broken) {
        kn_effect_id first[KNI_EFFECTS_MANY];
        for (uint32_t i = 0; i < KNI_EFFECTS_MANY; i++) {
            first[i] = kni_effect_id_of(world, *KNI_SPAN_AT(world, *effects, uint32_t, i));
        }
        effects->count -= KNI_EFFECTS_MANY;
        uint32_t *list = KNI_SPAN_AT(world, *effects, uint32_t, 0);
        memmove(list, list + KNI_EFFECTS_MANY, effects->count * sizeof(*list));
        for (uint32_t i = 0; i < KNI_EFFECTS_MANY && !world->is_broken; i++) {
            uint32_t effect = kni_effect_find(world, first[i]);
            if (effect != KNI_NONE) {
                kni_effect_end(world, effect, KN_REMOVED_TARGET_DIED);
            }
        }
        effects = &kni_component_at(world, slot)->effects;
    }
    while (effects->count > 0 && !world->is_broken) {
        kni_effect_end(world, *KNI_SPAN_AT(world, *effects, uint32_t, 0), KN_REMOVED_TARGET_DIED);
        effects = &kni_component_at(world, slot)->effects;
    }
}

void kni_entity_destroy_now(kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return;
    }
    kn_cause previous;
    bool has_cause = kni_cause_begin(
        world, KN_CAUSE_DESTROY, entity, (kn_effect_id){0}, (kn_effect_type_id){0}, 0, &previous);
    uint32_t component = kni_entity_at(world, slot)->component1 - 1;
    bool owns = component != KNI_NONE && kni_component_at(world, component)->entity == slot;
    if (owns) {
        kni_actor_end(world, component);
        owner_effects(world, kni_component_at(world, component)->owner, component, false);
        effects_end(world, component);
        dependents_release(world, component);
        links_release(world, component);
        kn_entity_id avatar = kni_component_at(world, component)->avatar;
        uint32_t avatar_slot = kni_entity_find(world, avatar);
        if (avatar_slot != KNI_NONE) {
            kni_entity_at(world, avatar_slot)->component1 = 0;
        }
        if (!world->is_broken) {
            kni_actor_release(world, component);
            component_release(world, component);
        }
    } else if (component != KNI_NONE) {
        // A body goes: its owner is its own body again.
        kni_component *shared = kni_component_at(world, component);
        kn_entity_id owner = kni_component_entity(world, component);
        shared->avatar = owner;
        if (kni_wants(world, KN_EVENT_AVATAR_CHANGED)) {
            kn_event *event = kni_emit(world, KN_EVENT_AVATAR_CHANGED, owner);
            event->data.avatar.avatar = owner;
            event->data.avatar.old_avatar = entity;
        }
    }
    kni_extensions_remove(world, slot);
    kni_timers_remove(world, entity);
    if (kni_wants(world, KN_EVENT_ENTITY_DESTROYED)) {
        kni_emit(world, KN_EVENT_ENTITY_DESTROYED, entity);
    }
    kni_pool_release(&world->entities, slot);
    if (component != KNI_NONE && !owns && !world->is_broken) {
        kni_actor_avatar_changed(world, component);
    }
    if (has_cause) {
        kni_cause_end(world, previous);
    }
}
