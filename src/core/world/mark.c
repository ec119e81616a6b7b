// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Marks of changes, for those who send entities elsewhere: for each entity and part the version of
// the last change, apart for changes that everybody who has the entity computes alike. Entities
// that changed are a list, the latest in front. Nothing of this is state.

#include "world/world.h"

#include "knack/projection.h"

typedef struct mark_entity {
    uint32_t generation; // of the entity it is about; 0 for none so far
    uint32_t next1;      // slot + 1 of the one that changed before it
    uint32_t back1;
    uint32_t unused;
    uint64_t last;    // version of the last change of any part
    uint64_t created; // or destroyed
    uint64_t changed[KN_PART_COUNT];
    uint64_t computed[KN_PART_COUNT];
} mark_entity;

struct kni_marks {
    uint64_t version; // of changes that happen now
    uint64_t all;     // everything changed with this version
    uint32_t first1;  // slot + 1 of the entity that changed last
    uint32_t capacity;
    mark_entity *entities; // by slot
};

static bool marks_reserve(kn_world *world, uint32_t count)
{
    kni_marks *marks = world->marks;
    uint32_t old = marks->capacity;
    if (!kni_grow(&world->memory, &marks->entities, &marks->capacity, count, sizeof(mark_entity))) {
        return false;
    }
    if (marks->capacity > old) {
        memset(marks->entities + old, 0, (marks->capacity - old) * sizeof(mark_entity));
    }
    return true;
}

kn_result kn_changes_follow(kn_world *world, bool is_on)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (world->depth > 0 || world->is_stepping) {
        return KN_ERROR_WORLD_LOCKED;
    }
    kni_marks_free(world);
    if (!is_on) {
        return KN_OK;
    }
    world->marks = kni_realloc(&world->memory, NULL, 0, sizeof(kni_marks));
    if (world->marks == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *world->marks = (kni_marks){.version = 1, .all = 1};
    if (!marks_reserve(world, world->entities.used + 1)) {
        kni_marks_free(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return KN_OK;
}

void kni_marks_free(kn_world *world)
{
    kni_marks *marks = world->marks;
    if (marks != NULL) {
        kni_free(&world->memory, marks->entities, marks->capacity * sizeof(mark_entity));
        kni_free(&world->memory, marks, sizeof(*marks));
        world->marks = NULL;
    }
}

size_t kni_marks_bytes(const kn_world *world)
{
    const kni_marks *marks = world->marks;
    return marks == NULL ? 0 : sizeof(*marks) + marks->capacity * sizeof(mark_entity);
}

void kni_marks_all(kn_world *world)
{
    if (world->marks != NULL) {
        world->marks->all = world->marks->version;
    }
}

static void mark_unlink(kni_marks *marks, const mark_entity *mark)
{
    *(mark->back1 != 0 ? &marks->entities[mark->back1 - 1].next1 : &marks->first1) = mark->next1;
    if (mark->next1 != 0) {
        marks->entities[mark->next1 - 1].back1 = mark->back1;
    }
}

// Puts an entity in front of the list.
static void mark_touch(kni_marks *marks, uint32_t slot)
{
    mark_entity *mark = &marks->entities[slot];
    if (marks->first1 == slot + 1) {
        mark->last = marks->version;
        return;
    }
    if (mark->last != 0) {
        mark_unlink(marks, mark);
    }
    mark->last = marks->version;
    mark->next1 = marks->first1;
    mark->back1 = 0;
    if (marks->first1 != 0) {
        marks->entities[marks->first1 - 1].back1 = slot + 1;
    }
    marks->first1 = slot + 1;
}

// The mark of an entity; NULL when out of memory. Then everything counts as changed.
static mark_entity *mark_at(kn_world *world, uint32_t slot)
{
    if (slot >= world->marks->capacity && !marks_reserve(world, slot + 1)) {
        world->marks->all = world->marks->version;
        return NULL;
    }
    mark_touch(world->marks, slot);
    return &world->marks->entities[slot];
}

void kni_mark_slow(kn_world *world, uint32_t entity, kn_part part)
{
    mark_entity *mark = mark_at(world, entity);
    if (mark != NULL) {
        bool is_computed = world->computing1 == entity + 1 && world->marks->version != 0;
        (is_computed ? mark->computed : mark->changed)[part] = world->marks->version;
        mark->generation = kni_entity_at(world, entity)->generation != 0
                               ? kni_entity_at(world, entity)->generation
                               : mark->generation;
    }
}

void kni_mark_life(kn_world *world, uint32_t entity)
{
    mark_entity *mark = mark_at(world, entity);
    if (mark != NULL) {
        mark->created = world->marks->version;
        mark->generation = kni_entity_at(world, entity)->generation;
    }
}

uint64_t kn_changes_version(kn_world *world)
{
    if (world == NULL || world->marks == NULL) {
        return 0;
    }
    return world->marks->version++;
}

kn_changes kn_changes_since(const kn_world *world, kn_entity_id entity, uint64_t version)
{
    const kni_marks *marks = world != NULL ? world->marks : NULL;
    kn_changes changes = {KN_PARTS_ALL, 0};
    uint32_t slot = entity.index1 - 1;
    if (marks == NULL || version == 0 || marks->all > version) {
        return changes;
    }
    if (slot >= marks->capacity || marks->entities[slot].last <= version) {
        changes.changed = 0;
        return changes;
    }
    const mark_entity *mark = &marks->entities[slot];
    if (mark->created > version || mark->generation != entity.generation) {
        return changes;
    }
    changes.changed = 0;
    for (uint32_t i = 0; i < KN_PART_COUNT; i++) {
        changes.changed |= mark->changed[i] > version ? 1u << i : 0;
        changes.computed |= mark->computed[i] > version ? 1u << i : 0;
    }
    return changes;
}

kn_entity_id kn_changes_next(const kn_world *world, uint64_t version, kn_entity_id entity)
{
    const kni_marks *marks = world != NULL ? world->marks : NULL;
    const kn_entity_id none = {0};
    if (marks == NULL || entity.index1 > marks->capacity) {
        return none;
    }
    if (marks->all > version) { // everybody changed
        return kn_entity_next(world, entity);
    }
    uint32_t at1 = entity.index1 != 0 ? marks->entities[entity.index1 - 1].next1 : marks->first1;
    return at1 != 0 && marks->entities[at1 - 1].last > version
               ? (kn_entity_id){at1, marks->entities[at1 - 1].generation}
               : none;
}
