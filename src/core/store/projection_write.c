// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projections, written into a world. The input is hostile: whatever the running simulation relies
// on is checked, here or when the edit ends.

#include "store/projection.h"

#include <math.h>

// A slot may be this high whatever the number of records, and higher if there are many.
#define SLOTS_FREE (1u << 18)
#define SLOTS_PER_RECORD 64
// The same for bytes of items.
#define ITEMS_FREE (1u << 20)
#define ITEMS_PER_BYTE 64
#define NUMBER_MAX (UINT64_MAX / 2) // creation numbers stay far below

// The records that an entity had before, for projections that name them by places.
typedef struct former {
    kni_places places;
    bool *is_taken; // by record: it is kept
} former;

// What the projections of one call replace, by index of the entity; 0: the world itself.
typedef struct replaced {
    uint32_t *parts; // a bit for each kn_part, and IS_READ
    uint32_t count;
} replaced;

#define IS_READ (1u << 31) // it was read already: what it has may be new

typedef struct placer {
    kni_load load;
    replaced *replaced;
    kn_projection_filter filter;
    kn_reader ids;        // of the entities
    uint32_t count;       // of the entities
    uint64_t next_number; // above all creation numbers that were read
    bool has_world;       // the world itself is among them
    former *formers;      // by entity of the projection, with KN_IDENTITY_PLACES
    uint32_t former_count;
    uint32_t index;               // of the entity that is being read
    kni_places places;            // its records
    uint32_t at[KNI_PLACE_COUNT]; // how many of them were read, by kind
} placer;

static const kn_entity_id nobody;

static uint32_t read_u32(placer *p)
{
    return kn_read_u32(&p->load.in);
}

static kn_entity_id read_id(kn_reader *in)
{
    kn_entity_id id = {kn_read_u32(in), 0};
    id.generation = kn_read_u32(in);
    return id;
}

static bool fail(placer *p, const char *what)
{
    return kni_load_fail(&p->load, what);
}

// The component of an entity, if it has one of its own here.
static uint32_t component_of(const kn_world *world, uint32_t entity)
{
    uint32_t slot = kni_entity_at(world, entity)->component1 - 1;
    return kni_pool_is_live(&world->components, slot) &&
                   kni_component_at(world, slot)->entity == entity
               ? slot
               : KNI_NONE;
}

// Slots ---------------------------------------------------------------------

static bool slot_take(placer *p, kni_pool *pool, uint32_t slot)
{
    if (slot >= KNI_POOL_MAX || (slot >= SLOTS_FREE && slot / SLOTS_PER_RECORD >= pool->count)) {
        return fail(p, "a slot is far beyond those in use");
    }
    return kni_pool_acquire_at(pool, &p->load.world->memory, slot) || kni_load_no_memory(&p->load);
}

// The slot that stands in an id: what has it here is out of date.
static bool slot_claim(placer *p, uint32_t pool, uint32_t *slot)
{
    kn_world *world = p->load.world;
    *slot = read_u32(p);
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    if (kni_pool_is_live(kni_world_pool(world, pool), *slot)) {
        kni_forget(world, pool, *slot);
    }
    return slot_take(p, kni_world_pool(world, pool), *slot);
}

// The same slot if it is free, or any.
static bool slot_prefer(placer *p, uint32_t pool_index, uint32_t wanted, uint32_t *slot)
{
    kn_world *world = p->load.world;
    kni_pool *pool = kni_world_pool(world, pool_index);
    *slot = wanted;
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    if (wanted < SLOTS_FREE && !kni_pool_is_live(pool, wanted)) {
        return slot_take(p, pool, wanted);
    }
    *slot = kni_pool_acquire(pool, &world->memory);
    return *slot != KNI_NONE || kni_load_no_memory(&p->load);
}

static bool has_ids(const placer *p)
{
    return p->filter.identity == KN_IDENTITY_IDS;
}

// Any slot, for a record that nothing refers to by its slot.
static bool slot_any(placer *p, uint32_t pool, uint32_t *slot)
{
    *slot = kni_pool_acquire(kni_world_pool(p->load.world, pool), &p->load.world->memory);
    return *slot != KNI_NONE || kni_load_no_memory(&p->load);
}

// The slot that the directory gave to the next record of a kind.
static bool slot_placed(placer *p, uint32_t kind, uint32_t *slot, uint64_t *number)
{
    uint32_t index = p->places.first[kind] + p->at[kind];
    if (index >= p->places.first[kind + 1]) {
        return fail(p, "its directory is wrong");
    }
    *slot = p->places.all[index].slot;
    *number = p->places.all[index].number;
    p->at[kind]++;
    return kni_load_ok(&p->load);
}

static bool number_note(placer *p, uint64_t number)
{
    if (number == 0 || number > NUMBER_MAX) {
        return fail(p, "a creation number is out of range");
    }
    p->next_number = number >= p->next_number ? number + 1 : p->next_number;
    return true;
}

// Every record but those of entities and actors begins with its creation number.
static bool record_read(placer *p, const kn_def_table *table, void *record)
{
    uint64_t number;
    if (!kni_load_record(&p->load, table, record, NULL, false)) {
        return false;
    }
    memcpy(&number, record, sizeof(number));
    return number_note(p, number);
}

// A slot for a record of a pool, and the record: under the slot and number it has where the
// projection is from, or under those of its place. `kind` is KNI_PLACE_COUNT for records that
// nothing refers to; `is_named` then says whether their slots are kept all the same.
static bool record_place(placer *p, uint32_t pool, uint32_t kind, bool is_named, uint32_t *slot)
{
    kn_world *world = p->load.world;
    const kn_def_table *table = pool == KNI_POOL_EFFECTS  ? &kni_effect_table
                                : pool == KNI_POOL_TIMERS ? &kni_rule_timer_table
                                                          : kni_pools[pool].table;
    if (has_ids(p)) {
        return (is_named ? slot_claim(p, pool, slot) : slot_prefer(p, pool, read_u32(p), slot)) &&
               record_read(p, table, kni_pool_at(kni_world_pool(world, pool), *slot));
    }
    uint64_t number = 0;
    bool ok =
        kind != KNI_PLACE_COUNT ? slot_placed(p, kind, slot, &number) : slot_any(p, pool, slot);
    if (!ok) {
        return false;
    }
    void *record = kni_pool_at(kni_world_pool(world, pool), *slot);
    memset(record, 0, table->size);
    if (!kni_load_record(&p->load, table, record, NULL, false)) {
        return false;
    }
    number = number != 0 ? number : kni_number_next(world);
    memcpy(record, &number, sizeof(number));
    return true;
}

// Places --------------------------------------------------------------------

// A record that has a slot and nothing else belongs to nobody: whatever is removed meanwhile does
// not find it.
static void record_disown(kn_world *world, uint32_t kind, uint32_t slot)
{
    void *record = kni_pool_at(kni_world_pool(world, kni_place_pool(kind)), slot);
    const kn_entity_id nowhere = {UINT32_MAX, UINT32_MAX};
    switch (kind) {
    case KNI_PLACE_EFFECT:
        ((kni_effect *)record)->component = KNI_NONE;
        break;
    case KNI_PLACE_ABILITY:
        ((kni_ability *)record)->component = KNI_NONE;
        break;
    case KNI_PLACE_ACTIVATION:
        ((kni_activation *)record)->ability = KNI_NONE;
        break;
    case KNI_PLACE_TASK:
        ((kni_task *)record)->activation = KNI_NONE;
        break;
    case KNI_PLACE_TIMER:
        ((kni_rule_timer *)record)->entity = nowhere;
        break;
    default:
        ((kni_watch *)record)->entity = nowhere;
        ((kni_watch *)record)->owner = nowhere;
        break;
    }
}

// What the entities of the projection have, before anything is changed.
static bool formers_find(placer *p, uint32_t count)
{
    kn_world *world = p->load.world;
    kn_reader ids = p->ids;
    p->formers = kni_realloc(&world->memory, NULL, 0, count * sizeof(former));
    if (p->formers == NULL) {
        return kni_load_no_memory(&p->load);
    }
    memset(p->formers, 0, count * sizeof(former));
    p->former_count = count;
    for (uint32_t i = 0; i < count; i++) {
        former *f = &p->formers[i];
        kn_entity_id id = read_id(&ids);
        uint32_t slot = kni_entity_find(world, id);
        if (slot == KNI_NONE && id.index1 != 0) {
            continue;
        }
        uint32_t component = slot != KNI_NONE ? component_of(world, slot) : KNI_NONE;
        if (!kni_places_find(&f->places, &world->memory, world, component, slot, KN_PARTS_ALL)) {
            return kni_load_no_memory(&p->load);
        }
        uint32_t size = f->places.first[KNI_PLACE_COUNT];
        f->is_taken = kni_realloc(&world->memory, NULL, 0, size + 1);
        if (f->is_taken == NULL) {
            return kni_load_no_memory(&p->load);
        }
        memset(f->is_taken, 0, size + 1);
    }
    return true;
}

// Calls `visit` for the records that the projection replaces.
static void formers_each(
    placer *p, void (*visit)(placer *p, const former *f, uint32_t kind, uint32_t i))
{
    for (uint32_t i = 0; i < p->former_count; i++) {
        const former *f = &p->formers[i];
        for (uint32_t kind = 0; kind < KNI_PLACE_COUNT; kind++) {
            bool is_replaced = kni_has_part(&p->filter, kni_place_part(kind));
            for (uint32_t j = f->places.first[kind]; j < f->places.first[kind + 1] && is_replaced;
                 j++) {
                visit(p, f, kind, j);
            }
        }
    }
}

static void former_keep(placer *p, const former *f, uint32_t kind, uint32_t i)
{
    kn_world *world = p->load.world;
    uint32_t slot = f->places.all[i].slot;
    kni_pool *pool = kni_world_pool(world, kni_place_pool(kind));
    if (kni_pool_is_live(pool, slot)) {
        f->is_taken[i] = true; // the entity is there twice
        return;
    }
    bool ok = kni_pool_acquire_at(pool, &world->memory, slot);
    KN_ASSERT(ok); // there was room for it before
    (void)ok;
    record_disown(world, kind, slot);
}

static void former_release(placer *p, const former *f, uint32_t kind, uint32_t i)
{
    kn_world *world = p->load.world;
    if (!f->is_taken[i]) {
        kni_pool_release(kni_world_pool(world, kni_place_pool(kind)), f->places.all[i].slot);
    }
}

static void formers_free(placer *p)
{
    kni_memory *memory = &p->load.world->memory;
    for (uint32_t i = 0; i < p->former_count; i++) {
        former *f = &p->formers[i];
        kni_free(memory, f->is_taken, f->places.first[KNI_PLACE_COUNT] + 1);
        kni_places_free(&f->places, memory);
    }
    kni_free(memory, p->formers, p->former_count * sizeof(former));
    kni_places_free(&p->places, memory);
}

// The first record of a type that the entity had and that was not taken yet.
static const kni_placed *former_take(former *f, uint32_t kind, uint32_t type)
{
    for (uint32_t i = f->places.first[kind]; i < f->places.first[kind + 1]; i++) {
        if (!f->is_taken[i] && f->places.all[i].type == type) {
            f->is_taken[i] = true;
            return &f->places.all[i];
        }
    }
    return NULL;
}

// Creation numbers for the records of a kind, in ascending order: those that they had, if that is
// possible. A new one in front of a former one goes between the numbers that the world gives out.
static void numbers_place(kn_world *world, kni_placed *placed, uint32_t count)
{
    uint64_t above = 0;     // the number of the next record that keeps its own; 0: none does
    uint32_t fresh = count; // from here on all get new numbers
    for (uint32_t i = count; i > 0; i--) {
        uint64_t number = placed[i - 1].number;
        if (number != 0 && (above == 0 || number < above)) {
            above = number;
        } else if (above == 0) {
            fresh = i - 1;
        } else if ((above - 1) % world->def.number_step != 0) {
            above = placed[i - 1].number = above - 1;
        } else {
            fresh = i - 1;
            above = 0;
        }
    }
    for (uint32_t i = fresh; i < count; i++) {
        placed[i].number = kni_number_next(world);
    }
}

static bool directory_read_kind(placer *p, uint32_t kind)
{
    kn_world *world = p->load.world;
    former *f = &p->formers[p->index];
    bool is_read = kni_has_part(&p->filter, kni_place_part(kind));
    uint32_t former_count = f->places.first[kind + 1] - f->places.first[kind];
    uint32_t count = is_read ? kni_load_count(&p->load, 4) : former_count;
    uint32_t first = p->places.first[kind];
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    if (!kni_grow(&world->memory, &p->places.all, &p->places.capacity, first + count,
            sizeof(kni_placed))) {
        return kni_load_no_memory(&p->load);
    }
    p->places.first[kind + 1] = first + count;
    p->at[kind] = is_read ? 0 : count;
    if (count == 0) {
        return true; // there may be no memory to point to
    }
    kni_placed *placed = p->places.all + first;
    if (!is_read) {
        memcpy(placed, f->places.all + f->places.first[kind], count * sizeof(*placed));
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t type = read_u32(p);
        const kni_placed *old = former_take(f, kind, type);
        placed[i] = (kni_placed){0, KNI_NONE, type};
        if (old != NULL) {
            placed[i] = *old;
        } else if (!slot_any(p, kni_place_pool(kind), &placed[i].slot)) {
            return false;
        } else {
            record_disown(world, kind, placed[i].slot);
        }
    }
    numbers_place(world, placed, count);
    return true;
}

// Which records the entity has, and where they go.
static bool directory_read(placer *p)
{
    if (has_ids(p)) {
        return true;
    }
    memset(p->places.first, 0, sizeof(p->places.first));
    for (uint32_t kind = 0; kind < KNI_PLACE_COUNT; kind++) {
        if (!directory_read_kind(p, kind)) {
            return false;
        }
    }
    p->load.by_place = &p->places;
    return true;
}

// Every record of the directory has to be there.
static bool directory_is_done(placer *p)
{
    for (uint32_t kind = 0; kind < KNI_PLACE_COUNT && !has_ids(p); kind++) {
        if (p->at[kind] != p->places.first[kind + 1] - p->places.first[kind]) {
            return fail(p, "its directory is wrong");
        }
    }
    return true;
}

// Attributes and tags -------------------------------------------------------

// A value that the viewer does not see stays as it is here.
static kni_value value_before(
    const kn_world *world, const kni_component *old, uint32_t set, uint32_t key, uint32_t index)
{
    const kni_layout *layout = &world->layouts[old->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        if (layout->sets[i].set == set && layout->sets[i].key == key) {
            return kni_values_of(world, old)[layout->sets[i].first + index];
        }
    }
    return (kni_value){NAN, NAN, 0};
}

static bool values_read(placer *p, uint32_t slot)
{
    kn_world *world = p->load.world;
    kni_component *component = kni_component_at(world, slot);
    kni_component old = *component;
    component->values = 0;
    bool ok = kni_load_layout(&p->load, component);
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t i = 0; i < layout->set_count && ok; i++) {
        const kni_set_instance *instance = &layout->sets[i];
        const kni_set *set = kni_set_at(world->library, instance->set);
        for (uint32_t j = 0; j < set->count && ok; j++) {
            const kn_attribute_def *def =
                &kni_attribute_at(world->library, set->attributes[j])->def;
            kni_value value = value_before(world, &old, instance->set, instance->key, j);
            if (kni_is_attribute_shown(&p->filter, def)) {
                value = (kni_value){0};
                ok = kni_load_record(&p->load, &kni_value_table, &value, NULL, false);
            }
            kni_values_of(world, component)[instance->first + j] = value;
        }
    }
    uint32_t count = world->layouts[old.layout].value_count;
    kni_heap_release(&world->heap, old.values, count * sizeof(kni_value));
    return ok;
}

static bool tags_read(placer *p, uint32_t slot)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, kni_load_size_min(&p->load, &kni_origin_row_table));
    kni_span *rows = &kni_component_at(world, slot)->origins;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows->count && p->filter.viewer != KN_VIEWER_ALL; i++) {
        kni_origin_row row = *KNI_SPAN_AT(world, *rows, kni_origin_row, i);
        if (row.origin == KN_TAG_ORIGIN_LOOSE) { // of this machine alone
            *KNI_SPAN_AT(world, *rows, kni_origin_row, kept++) = row;
        }
    }
    rows->count = kept;
    for (uint32_t i = 0; i < count; i++) {
        kni_origin_row row = {0};
        if (!kni_load_record(&p->load, &kni_origin_row_table, &row, NULL, false)) {
            return false;
        }
        if (!kni_save_has_origin(row.origin)) {
            return fail(p, "a tag has an invalid count");
        }
        kni_origin_row *place =
            kni_span_push(&world->heap, &world->memory, rows, sizeof(kni_origin_row));
        if (place == NULL) {
            return kni_load_no_memory(&p->load);
        }
        *place = row;
    }
    return kni_load_ok(&p->load);
}

// Effects and abilities -----------------------------------------------------

static bool effects_read(placer *p, uint32_t component)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, 1 + kni_load_size_min(&p->load, &kni_effect_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!record_place(p, KNI_POOL_EFFECTS, KNI_PLACE_EFFECT, true, &slot)) {
            return false;
        }
        kni_effect_at(world, slot)->component = component;
        uint32_t rare1 =
            kni_load_rare(&p->load, kni_type_at(world, kni_effect_at(world, slot)->type));
        kni_effect_at(world, slot)->rare1 = rare1;
        if (!kni_load_ok(&p->load)) {
            return false;
        }
    }
    return kni_load_ok(&p->load);
}

// The component of a record that has one.
static void component_set(uint32_t pool, void *record, uint32_t component)
{
    switch (pool) {
    case KNI_POOL_ABILITIES:
        ((kni_ability *)record)->component = component;
        break;
    case KNI_POOL_CHARGES:
        ((kni_charge *)record)->component = component;
        break;
    case KNI_POOL_CUES:
        ((kni_cue *)record)->component = component;
        break;
    default:
        break;
    }
}

// Whether a record that names its entity names this one.
static bool entity_is_right(uint32_t pool, const void *record, kn_entity_id entity)
{
    switch (pool) {
    case KNI_POOL_TIMERS:
        return kn_entity_id_equal(((const kni_rule_timer *)record)->entity, entity);
    case KNI_POOL_WATCHES:
        return kn_entity_id_equal(((const kni_watch *)record)->entity, entity);
    case KNI_POOL_TAG_BLOCKS:
        return kn_entity_id_equal(((const kni_tag_block *)record)->entity, entity);
    default:
        return true;
    }
}

// The kind of place of the records of a pool.
static uint32_t place_kind(uint32_t pool)
{
    uint32_t kind = 0;
    while (kind < KNI_PLACE_COUNT && kni_place_pool(kind) != pool) {
        kind++;
    }
    return kind;
}

// A list of records of one pool. `is_named`: their slots are in ids.
static bool list_read(placer *p, uint32_t pool, const kn_def_table *table, uint32_t component,
    kn_entity_id entity, bool is_named)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, kni_load_size_min(&p->load, table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!record_place(p, pool, place_kind(pool), is_named, &slot)) {
            return false;
        }
        void *record = kni_pool_at(kni_world_pool(world, pool), slot);
        if (!entity_is_right(pool, record, entity)) {
            return fail(p, "a timer, watch or block is of another entity");
        }
        component_set(pool, record, component);
    }
    return kni_load_ok(&p->load);
}

// An event that several activations share is there once.
static bool event_read(placer *p, uint32_t activation)
{
    kn_world *world = p->load.world;
    uint32_t slot = KNI_NONE, wanted = kni_activation_at(world, activation)->payload1 - 1;
    if (!has_ids(p)) {
        bool ok = record_place(p, KNI_POOL_PAYLOADS, KNI_PLACE_COUNT, false, &slot);
        kni_activation_at(world, activation)->payload1 = slot + 1;
        return ok;
    }
    if (!slot_prefer(p, KNI_POOL_PAYLOADS, wanted, &slot) ||
        !record_read(p, &kni_payload_table, kni_payload_at(world, slot))) {
        return false;
    }
    uint64_t number = kni_payload_at(world, slot)->number;
    if (slot != wanted && kni_pool_is_live(&world->payloads, wanted) &&
        kni_payload_at(world, wanted)->number == number) {
        kni_forget(world, KNI_POOL_PAYLOADS, slot);
        slot = wanted;
    }
    kni_activation_at(world, activation)->payload1 = slot + 1;
    return true;
}

static bool tasks_read(placer *p, uint32_t activation)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, kni_load_size_min(&p->load, &kni_task_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!record_place(p, KNI_POOL_TASKS, KNI_PLACE_TASK, true, &slot)) {
            return false;
        }
        kni_task_at(world, slot)->activation = activation;
    }
    return kni_load_ok(&p->load);
}

// A slot that the projection names must hold an ability of the entity that is being read.
static bool is_own_ability(const kn_world *world, uint32_t slot, uint32_t component)
{
    return kni_pool_is_live(&world->abilities, slot) &&
           kni_ability_at(world, slot)->component == component;
}

static bool activations_read(placer *p, uint32_t component)
{
    kn_world *world = p->load.world;
    uint32_t count =
        kni_load_count(&p->load, 4 + kni_load_size_min(&p->load, &kni_activation_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!record_place(p, KNI_POOL_ACTIVATIONS, KNI_PLACE_ACTIVATION, true, &slot)) {
            return false;
        }
        if (!is_own_ability(world, kni_activation_at(world, slot)->ability, component)) {
            return fail(p, "an activation has an invalid number or ability");
        }
        bool has_event = kni_activation_at(world, slot)->payload1 != 0;
        if ((has_event && !event_read(p, slot)) || !tasks_read(p, slot)) {
            return false;
        }
    }
    return kni_load_ok(&p->load);
}

static bool actor_read(placer *p, uint32_t component)
{
    kn_world *world = p->load.world;
    uint32_t actor1 = read_u32(p), slot = kni_component_at(world, component)->actor1 - 1;
    if (!kni_load_ok(&p->load) || actor1 == 0) {
        // Parts that were cut stay, and need theirs.
        bool is_bare =
            kni_has_part(&p->filter, KN_PART_ABILITIES) && kni_has_part(&p->filter, KN_PART_CUES);
        if (slot != KNI_NONE && is_bare) {
            kni_pool_release(&world->actors, slot);
            kni_component_at(world, component)->actor1 = 0;
        } else if (slot != KNI_NONE) {
            kni_actor *actor = kni_actor_at(world, slot);
            actor->confirm = actor->cancel = actor->flags = 0;
            actor->tolerance = actor->early_limit = 0;
        }
        return kni_load_ok(&p->load);
    }
    if (slot == KNI_NONE &&
        !slot_prefer(p, KNI_POOL_ACTORS, has_ids(p) ? actor1 - 1 : KNI_NONE, &slot)) {
        return false;
    }
    if (!kni_load_record(&p->load, &kni_actor_table, kni_actor_at(world, slot), NULL, false)) {
        return false;
    }
    kni_actor_at(world, slot)->component = component;
    kni_component_at(world, component)->actor1 = slot + 1;
    if (kni_has_part(&p->filter, KN_PART_ABILITIES) &&
        (!list_read(p, KNI_POOL_ABILITIES, &kni_ability_table, component, nobody, true) ||
            !list_read(p, KNI_POOL_CHARGES, &kni_charge_table, component, nobody, false) ||
            !activations_read(p, component))) {
        return false;
    }
    return !kni_has_part(&p->filter, KN_PART_CUES) ||
           list_read(p, KNI_POOL_CUES, &kni_cue_table, component, nobody, false);
}

static bool component_read(placer *p, uint32_t entity)
{
    kn_world *world = p->load.world;
    uint32_t wanted = has_ids(p) ? read_u32(p) : KNI_NONE, slot = component_of(world, entity);
    if (slot == KNI_NONE) {
        if (!slot_prefer(p, KNI_POOL_COMPONENTS, wanted, &slot)) {
            return false;
        }
        uint32_t layout = kni_layout_find(world, NULL, 0);
        if (layout == KNI_NONE) {
            return kni_load_no_memory(&p->load);
        }
        kni_component_at(world, slot)->layout = layout;
    }
    if (!kni_load_record(
            &p->load, &kni_component_table, kni_component_at(world, slot), NULL, false)) {
        return false;
    }
    kni_component_at(world, slot)->entity = entity;
    kni_entity_at(world, entity)->component1 = slot + 1;
    return (!kni_has_part(&p->filter, KN_PART_ATTRIBUTES) || values_read(p, slot)) &&
           (!kni_has_part(&p->filter, KN_PART_TAGS) || tags_read(p, slot)) &&
           (!kni_has_part(&p->filter, KN_PART_EFFECTS) || effects_read(p, slot)) &&
           actor_read(p, slot);
}

// Components of games -------------------------------------------------------

// The fields that the viewer may see; others stay as they are.
static bool fields_read(placer *p, const kni_fields *fields, uint8_t *record)
{
    for (uint32_t i = 0; i < fields->table.field_count; i++) {
        if (!kni_is_shown(&p->filter, fields->from[i].sync, &fields->from[i].wire)) {
            continue;
        }
        const kn_def_table one = {
            fields->table.name, fields->table.size, &fields->fields[i], 1, NULL};
        if (!kni_load_record(&p->load, &one, record, NULL, true)) {
            return false;
        }
    }
    return true;
}

static bool items_read(placer *p, const kni_fields *fields, kni_span *items)
{
    kn_world *world = p->load.world;
    uint32_t count = read_u32(p), size = fields->size, kept = items->count;
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    // Items of which the viewer sees nothing take no bytes.
    uint64_t bytes = (uint64_t)count * size;
    if (count > 0 &&
        (size == 0 || (bytes > ITEMS_FREE && bytes / ITEMS_PER_BYTE > p->load.in.size))) {
        return fail(p, "a component has items that it cannot have");
    }
    if (count > 0 && !kni_span_reserve(&world->heap, &world->memory, items, count, size)) {
        return kni_load_no_memory(&p->load);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *item = kni_span_at(&world->heap, items, i, size);
        if (i >= kept) {
            memset(item, 0, size);
        }
        if (!fields_read(p, fields, item)) {
            return false;
        }
    }
    items->count = count;
    return true;
}

// A component by its place: the one that is there, or a new one. Those that were placed stand
// behind the others.
static bool extension_place_next(
    placer *p, uint32_t type, kn_entity_id entity, bool has_former, uint32_t *out)
{
    kn_world *world = p->load.world;
    kni_extension *extension = &world->extensions[type];
    if (has_former) {
        *out = kni_extension_first1(extension, entity.index1 - 1) - 1;
        if (!extension->is_several) {
            return true;
        }
        kni_extension_unlink(extension, *out);
    } else {
        *out = kni_pool_acquire(&extension->pool, &world->memory);
        if (*out == KNI_NONE) {
            return kni_load_no_memory(&p->load);
        }
        kni_extension_head *head = kni_extension_at(extension, *out);
        head->entity = entity;
        head->generation = extension->is_several ? kni_number_take(world) : 0;
    }
    return kni_extension_link(world, extension, *out) || kni_load_no_memory(&p->load);
}

// A record of an entity: the one it has, or a new one.
static bool extension_place(placer *p, uint32_t type, kn_entity_id entity, uint32_t *out)
{
    kn_world *world = p->load.world;
    kni_extension *extension = &world->extensions[type];
    uint32_t slot = read_u32(p), generation = read_u32(p);
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    uint32_t first1 = kni_extension_first1(extension, entity.index1 - 1);
    if (!extension->is_several && first1 != 0) {
        *out = first1 - 1;
        return true;
    }
    bool is_live = kni_pool_is_live(&extension->pool, slot);
    kni_extension_head *head = is_live ? kni_extension_at(extension, slot) : NULL;
    bool is_it = extension->is_several && head != NULL && head->generation == generation &&
                 kn_entity_id_equal(head->entity, entity);
    if (is_it) {
        kni_extension_unlink(extension, slot); // it comes last, so that the order is right
    } else {
        if (is_live && extension->is_several) {
            kni_extension_release(world, type, slot);
            is_live = false;
        }
        if (is_live || slot >= SLOTS_FREE) {
            slot = kni_pool_acquire(&extension->pool, &world->memory);
            if (slot == KNI_NONE) {
                return kni_load_no_memory(&p->load);
            }
        } else if (!slot_take(p, &extension->pool, slot)) {
            return false;
        }
    }
    head = kni_extension_at(extension, slot);
    head->entity = entity;
    head->generation = extension->is_several ? generation : 0;
    if (extension->is_several && !number_note(p, generation)) {
        return false;
    }
    *out = slot;
    return kni_extension_link(world, extension, slot) || kni_load_no_memory(&p->load);
}

static bool extension_read(placer *p, uint32_t type, kn_entity_id entity, uint32_t count)
{
    kn_world *world = p->load.world;
    kni_extension *extension = &world->extensions[type];
    const kni_component_type *item = kni_component_type_at(world->library, type);
    uint32_t first1 = 0, former_count = 0;
    for (uint32_t at1 = kni_extension_first1(extension, entity.index1 - 1); at1 != 0;
         at1 = kni_extension_at(extension, at1 - 1)->next1) {
        former_count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!(has_ids(p) ? extension_place(p, type, entity, &slot)
                         : extension_place_next(p, type, entity, i < former_count, &slot))) {
            return false;
        }
        first1 = i == 0 ? slot + 1 : first1;
        kni_extension_head *head = kni_extension_at(extension, slot);
        if (!fields_read(p, &item->record, (uint8_t *)(head + 1)) ||
            !items_read(p, &item->items, &head->items)) {
            return false;
        }
    }
    // What was there before and was not named stands in front.
    uint32_t at1 = kni_extension_first1(extension, entity.index1 - 1);
    while (at1 != 0 && at1 != first1) {
        kni_extension_release(world, type, at1 - 1);
        at1 = kni_extension_first1(extension, entity.index1 - 1);
    }
    return true;
}

// An entity that was not sent with a component does not have it, unless nobody is sent it.
static void extension_leave_out(placer *p, uint32_t type, kn_entity_id entity)
{
    if (kni_is_component_shown(&p->filter, kni_component_type_at(p->load.world->library, type))) {
        (void)extension_read(p, type, entity, 0);
    }
}

static bool extensions_read(placer *p, kn_entity_id entity)
{
    const kn_world *world = p->load.world;
    uint32_t types = kni_ref_count(world->library, KN_DEF_COMPONENT);
    uint32_t count = kni_load_count(&p->load, 8), next = 0;
    for (uint32_t i = 0; i < count && kni_load_ok(&p->load); i++) {
        uint32_t type = kni_load_ref_needed(&p->load, KN_DEF_COMPONENT) - 1;
        uint32_t records = kni_load_count(&p->load, has_ids(p) ? 12 : 4);
        if (!kni_load_ok(&p->load)) {
            return false;
        }
        if (type < next || records == 0 || (records > 1 && !world->extensions[type].is_several)) {
            return fail(p, "components are out of order");
        }
        if (!kni_is_component_shown(&p->filter, kni_component_type_at(world->library, type))) {
            return fail(p, "a component is not for this viewer");
        }
        for (; next < type; next++) {
            extension_leave_out(p, next, entity);
        }
        next = type + 1;
        if (!extension_read(p, type, entity, records)) {
            return false;
        }
    }
    for (; next < types && kni_load_ok(&p->load); next++) {
        extension_leave_out(p, next, entity);
    }
    return kni_load_ok(&p->load);
}

// Entities and the world ----------------------------------------------------

// The components that watches end with, by their places among those of the owner.
static bool watches_settle(placer *p)
{
    const kn_world *world = p->load.world;
    if (has_ids(p) || !kni_has_part(&p->filter, KN_PART_WATCHES)) {
        return true;
    }
    uint32_t end = p->places.first[KNI_PLACE_WATCH + 1];
    for (uint32_t i = p->places.first[KNI_PLACE_WATCH]; i < end; i++) {
        kni_watch *watch = kni_pool_at(&world->watches, p->places.all[i].slot);
        uint32_t type = watch->component_type.index1 - 1, place1 = watch->component.index1;
        if (type >= kni_ref_count(world->library, KN_DEF_COMPONENT) ||
            !world->extensions[type].is_several) {
            continue; // whoever accepts the record looks at it
        }
        const kni_extension *extension = &world->extensions[type];
        uint32_t at1 = kni_extension_first1(extension, watch->owner.index1 - 1);
        for (; at1 != 0 && place1 > 1; place1--) {
            at1 = kni_extension_at(extension, at1 - 1)->next1;
        }
        if (at1 == 0 || place1 == 0 || watch->component.generation != 0 ||
            !kn_entity_id_equal(watch->owner, watch->entity)) {
            return fail(p, "a watch belongs to a component that is not there");
        }
        watch->component = (kn_component_id){at1, kni_extension_at(extension, at1 - 1)->generation};
    }
    return true;
}

static bool rest_read(placer *p, kn_entity_id entity)
{
    return (!kni_has_part(&p->filter, KN_PART_TIMERS) ||
               list_read(p, KNI_POOL_TIMERS, &kni_rule_timer_table, KNI_NONE, entity, true)) &&
           (!kni_has_part(&p->filter, KN_PART_WATCHES) ||
               list_read(p, KNI_POOL_WATCHES, &kni_watch_table, KNI_NONE, entity, true)) &&
           (!kni_has_part(&p->filter, KN_PART_ABILITIES) ||
               list_read(p, KNI_POOL_TAG_BLOCKS, &kni_tag_block_table, KNI_NONE, entity, false)) &&
           (!kni_has_part(&p->filter, KN_PART_COMPONENTS) || extensions_read(p, entity)) &&
           watches_settle(p);
}

static void pool_forget(kn_world *world, uint32_t pool)
{
    KNI_POOL_EACH(i, kni_world_pool(world, pool)) {
        kni_forget(world, pool, i);
    }
}

static bool specs_read(placer *p)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, 5 + kni_load_size_min(&p->load, &kni_spec_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        if (!slot_claim(p, KNI_POOL_SPECS, &slot)) {
            return false;
        }
        kni_spec *spec = kni_pool_at(&world->specs, slot);
        if (!record_read(p, &kni_spec_table, spec)) {
            return false;
        }
        spec->rare1 = kni_load_rare(&p->load, kni_type_at(world, spec->type));
        if (!kni_load_ok(&p->load)) {
            return false;
        }
    }
    return kni_load_ok(&p->load);
}

static bool switches_read(placer *p)
{
    kn_world *world = p->load.world;
    uint32_t count = kni_load_count(&p->load, kni_load_size_min(&p->load, &kni_switch_table));
    pool_forget(world, KNI_POOL_SWITCHES);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = KNI_NONE;
        bool ok = has_ids(p) ? slot_claim(p, KNI_POOL_SWITCHES, &slot)
                             : slot_any(p, KNI_POOL_SWITCHES, &slot);
        if (!ok || !kni_load_record(&p->load, &kni_switch_table,
                       kni_pool_at(&world->switches, slot), NULL, false)) {
            return false;
        }
    }
    return kni_load_ok(&p->load);
}

static bool streams_read(placer *p)
{
    kn_world *world = p->load.world;
    for (uint32_t i = 0; i < kni_stream_count(world); i++) {
        if (!kni_stream_is_shown(&p->filter, world->library, i)) {
            continue;
        }
        if (!kni_load_record(&p->load, &kni_random_table, &world->streams[i], NULL, false)) {
            return false;
        }
        if ((world->streams[i].increment & 1) == 0) {
            return fail(p, "a random stream is invalid");
        }
    }
    return true;
}

// The parts that the projection brings, and those of which nothing may stay.
static uint32_t replaced_parts(const placer *p)
{
    return p->filter.parts | p->filter.empty_parts;
}

// The parts that the projection replaces, of an entity that is there twice. Everything else went
// before anything was read.
static void former_parts_forget(const placer *p, uint32_t component, uint32_t entity1)
{
    uint32_t *parts = entity1 < p->replaced->count ? &p->replaced->parts[entity1] : NULL;
    if (parts != NULL && (*parts & IS_READ) == 0) {
        *parts |= IS_READ;
        return;
    }
    for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
        if ((replaced_parts(p) >> part & 1) != 0) {
            kni_part_forget(p->load.world, (kn_part)part, component, entity1 - 1);
        }
    }
}

// What a client shares of the world itself.
static bool world_shared_read(placer *p)
{
    p->load.world->seed = kn_read_u64(&p->load.in);
    former_parts_forget(p, KNI_NONE, 0);
    return streams_read(p) && switches_read(p) && directory_read(p) && rest_read(p, nobody);
}

static bool world_read(placer *p)
{
    kn_world *world = p->load.world;
    kn_reader *in = &p->load.in;
    world->now = (kn_time)kn_read_u64(in);
    world->targeting_now = (kn_time)kn_read_u64(in);
    uint64_t next_number = kn_read_u64(in);
    world->seed = kn_read_u64(in);
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    if (world->now < 0 || world->now > KN_TIME_MAX || world->targeting_now < 0 ||
        world->targeting_now > KN_TIME_MAX || next_number == 0 || next_number > NUMBER_MAX) {
        return fail(p, "its time or its numbers are out of range");
    }
    p->next_number = next_number > p->next_number ? next_number : p->next_number;
    p->has_world = true;
    if (!streams_read(p)) {
        return false;
    }
    pool_forget(world, KNI_POOL_SPECS);
    pool_forget(world, KNI_POOL_COMMANDS);
    return specs_read(p) &&
           list_read(p, KNI_POOL_COMMANDS, &kni_command_table, KNI_NONE, nobody, true) &&
           switches_read(p) && rest_read(p, nobody);
}

static bool entity_read(placer *p, kn_entity_id id, uint32_t kind)
{
    kn_world *world = p->load.world;
    uint32_t slot = id.index1 - 1;
    bool is_live = kni_pool_is_live(&world->entities, slot);
    bool is_here = is_live && kni_entity_at(world, slot)->generation == id.generation;
    if (is_live && (!is_here || kind == PROJECTION_GONE)) {
        // An entity that is gone where the projection is from may have a successor here.
        if (kind != PROJECTION_GONE || is_here) {
            kni_forget(world, KNI_POOL_ENTITIES, slot);
        }
        is_here = false;
    }
    if (kind == PROJECTION_GONE) {
        return true;
    }
    if (!is_here && !slot_take(p, &world->entities, slot)) {
        return false;
    }
    kni_entity *entity = kni_entity_at(world, slot);
    if (!kni_load_record(&p->load, &kni_entity_table, entity, NULL, false)) {
        return false;
    }
    if (entity->generation != id.generation) {
        return fail(p, "an entity has an invalid number");
    }
    if (p->next_number <= UINT32_MAX && !number_note(p, id.generation)) {
        return false;
    }
    uint32_t component = component_of(world, slot);
    if (kind == PROJECTION_BARE && component != KNI_NONE) {
        kni_forget(world, KNI_POOL_COMPONENTS, component);
        component = KNI_NONE;
    }
    former_parts_forget(p, component, id.index1);
    return directory_read(p) && (kind == PROJECTION_BARE || component_read(p, slot)) &&
           rest_read(p, id) && directory_is_done(p);
}

static bool one_read(placer *p)
{
    kn_entity_id id = read_id(&p->ids);
    if (id.index1 == 0) {
        if (id.generation != 0) {
            return fail(p, "an entity has an invalid number");
        }
        return has_ids(p) ? world_read(p) : world_shared_read(p) && directory_is_done(p);
    }
    uint32_t kind = kn_read_u8(&p->load.in);
    if (!kni_load_ok(&p->load)) {
        return false;
    }
    if (id.generation == 0 || kind > PROJECTION_COMPONENT) {
        return fail(p, "an entity has an invalid number");
    }
    return entity_read(p, id, kind);
}

static bool header_read(placer *p, uint32_t *count)
{
    kn_world *world = p->load.world;
    kn_reader *in = &p->load.in;
    uint32_t magic = kn_read_u32(in), version = kn_read_u32(in);
    uint64_t library = kn_read_u64(in);
    uint32_t types = kn_read_u32(in);
    uint64_t types_hash = kn_read_u64(in);
    p->filter.viewer = (kn_viewer)kn_read_u8(in);
    uint32_t parts = kn_read_u32(in);
    p->filter.parts = parts & ((1u << PROJECTION_EMPTY_SHIFT) - 1);
    p->filter.empty_parts = parts >> PROJECTION_EMPTY_SHIFT;
    p->filter.groups = kn_read_u32(in);
    p->filter.identity = (kn_identity)kn_read_u8(in);
    p->filter.hidden_streams = kn_read_u64(in);
    *count = kni_load_count(&p->load, 9);
    p->ids = *in;
    (void)kn_read_bytes(in, (size_t)*count * 8);
    if (in->failed || magic != PROJECTION_MAGIC) {
        p->load.result =
            kni_error(p->load.error, KN_ERROR_BAD_DATA, "this is not a projection, or it is cut");
    } else if (version != KN_PROJECTION_VERSION) {
        p->load.result = kni_error(p->load.error, KN_ERROR_BAD_DATA,
            "the projection has version %u, this library reads version %u", version,
            (uint32_t)KN_PROJECTION_VERSION);
    } else if (library != world->library->hash) {
        p->load.result =
            kni_error(p->load.error, KN_ERROR_BAD_DATA, "the projection is of another library");
    } else if (types < kni_library_type_count(world) || types > world->type_count ||
               types_hash != kni_dynamic_types_hash(world, types)) {
        p->load.result = kni_error(p->load.error, KN_ERROR_BAD_DATA,
            "the projection uses effect types that were not registered here");
    } else if ((uint32_t)p->filter.viewer >= KN_VIEWER_COUNT ||
               !kni_parts_are_good(p->filter.parts, p->filter.empty_parts) ||
               (uint32_t)p->filter.identity >= KN_IDENTITY_COUNT) {
        (void)fail(p, "its filter is not one");
    }
    return p->load.result == KN_OK;
}

// The next creation number is above all others; with the world itself it is what it is there.
static void numbers_settle(placer *p)
{
    static const uint8_t pools[] = {KNI_POOL_EFFECTS, KNI_POOL_SPECS, KNI_POOL_TIMERS,
        KNI_POOL_ABILITIES, KNI_POOL_ACTIVATIONS, KNI_POOL_CHARGES, KNI_POOL_PAYLOADS,
        KNI_POOL_TASKS, KNI_POOL_CUES, KNI_POOL_COMMANDS, KNI_POOL_WATCHES, KNI_POOL_TAG_BLOCKS};
    kn_world *world = p->load.world;
    uint64_t next = p->next_number;
    for (uint32_t i = 0; p->has_world && i < sizeof(pools); i++) {
        const kni_pool *pool = kni_world_pool(world, pools[i]);
        KNI_POOL_EACH(slot, pool) {
            uint64_t number;
            memcpy(&number, kni_pool_at(pool, slot), sizeof(number));
            next = number >= next ? number + 1 : next;
        }
    }
    KNI_POOL_EACH(slot, &world->entities) {
        uint64_t generation = kni_entity_at(world, slot)->generation;
        next = p->has_world && next <= generation ? generation + 1 : next;
    }
    if (p->has_world) {
        world->next_number = next;
    } else {
        kni_numbers_above(world, next - 1);
    }
}

// A block may arrive without its source, and a watch without its owner, which is then nobody.
static void sources_settle(kn_world *world)
{
    KNI_POOL_EACH(i, &world->tag_blocks) {
        kni_tag_block *block = kni_tag_block_at(world, i);
        if (kni_entity_find(world, block->source) == KNI_NONE) {
            block->source = (kn_entity_id){0};
        }
    }
    KNI_POOL_EACH(i, &world->watches) {
        kni_watch *watch = kni_pool_at(&world->watches, i);
        if (watch->owner.index1 != 0 && kni_entity_find(world, watch->owner) == KNI_NONE) {
            watch->owner = (kn_entity_id){0};
            watch->component_type.index1 = 0;
            watch->component = (kn_component_id){0};
        }
    }
}

// Room for all entities that there are or may be afterwards.
static bool replaced_reserve(replaced *r, kn_world *world, const placer *all, uint32_t count)
{
    uint32_t highest = world->entities.used;
    for (uint32_t i = 0; i < count; i++) {
        kn_reader ids = all[i].ids;
        for (uint32_t j = 0; j < all[i].count; j++) {
            uint32_t index1 = read_id(&ids).index1;
            highest = index1 > highest && index1 <= SLOTS_FREE ? index1 : highest;
        }
    }
    size_t size = ((size_t)highest + 1) * sizeof(uint32_t);
    r->parts = kni_realloc(&world->memory, NULL, 0, size);
    if (r->parts != NULL) {
        memset(r->parts, 0, size);
        r->count = highest + 1;
    }
    return r->parts != NULL;
}

// Notes what a projection replaces.
static void replaced_note(const placer *p)
{
    const kn_world *world = p->load.world;
    kn_reader ids = p->ids;
    for (uint32_t i = 0; i < p->count; i++) {
        kn_entity_id id = read_id(&ids);
        if (id.index1 == 0 || kni_entity_find(world, id) != KNI_NONE) {
            KN_ASSERT(id.index1 < p->replaced->count);
            p->replaced->parts[id.index1] |= replaced_parts(p);
        }
    }
}

// Reads the headers, and notes what the entities have. False on failure, with its result in
// `failed`.
static bool all_begin(placer *all, uint32_t count, const placer **failed)
{
    for (uint32_t i = 0; i < count; i++) {
        placer *p = &all[i];
        *failed = p;
        if (!header_read(p, &p->count) ||
            (!has_ids(p) && p->count > 0 && !formers_find(p, p->count))) {
            return false;
        }
    }
    return true;
}

// What the projections replace goes before anything is read: so records find the slots free that
// they have where the projections are from.
static void all_forget(placer *all, uint32_t count)
{
    kn_world *world = all->load.world;
    for (uint32_t i = 0; i < count; i++) {
        replaced_note(&all[i]);
    }
    kni_parts_forget(world, all->replaced->parts, all->replaced->count);
    kni_events_forget_unused(world);
    for (uint32_t i = 0; i < count; i++) {
        formers_each(&all[i], former_keep);
    }
}

static bool projection_read(placer *p)
{
    for (p->index = 0; p->index < p->count; p->index++) {
        if (!one_read(p)) {
            return false;
        }
    }
    return p->load.in.at == p->load.in.size || fail(p, "it has extra bytes at its end");
}

// Reads them all. Returns the one that failed, or the last one.
static placer *all_read(placer *all, uint32_t count)
{
    placer *p = all;
    for (uint32_t i = 0; i < count; i++) {
        p = &all[i];
        p->next_number = i > 0 ? all[i - 1].next_number : p->next_number;
        p->has_world = i > 0 && all[i - 1].has_world;
        if (!projection_read(p)) {
            break;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        formers_each(&all[i], former_release);
    }
    return p;
}

static kn_result all_write(kn_world *world, placer *all, uint32_t count, kn_error *error)
{
    const placer *failed;
    kni_edit edit;
    if (!all_begin(all, count, &failed)) {
        return failed->load.result;
    }
    if (!replaced_reserve(all->replaced, world, all, count)) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory: cannot write projections");
    }
    kn_result result = kni_edit_begin(&edit, world, error);
    if (result != KN_OK) {
        return result;
    }
    all_forget(all, count);
    placer *last = all_read(all, count);
    numbers_settle(last);
    sources_settle(world);
    return kni_edit_end(&edit, &last->load);
}

kn_result kn_projections_write(
    kn_world *world, const kn_projection *projections, uint32_t count, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || (projections == NULL && count > 0)) {
        KN_ASSERT(world != NULL && (projections != NULL || count == 0));
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    if (count == 0) {
        return KN_OK;
    }
    kn_result result = kni_load_allowed(world, error);
    if (result != KN_OK) {
        return result;
    }
    replaced known = {0};
    placer *all = kni_realloc(&world->memory, NULL, 0, count * sizeof(placer));
    if (all == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory: cannot write projections");
    }
    for (uint32_t i = 0; i < count; i++) {
        all[i] =
            (placer){.load = {.in = {.data = projections[i].bytes, .size = projections[i].size},
                         .world = world,
                         .version = KN_SAVE_VERSION,
                         .is_direct = true,
                         .error = error},
                .replaced = &known,
                .next_number = 1};
    }
    result = all_write(world, all, count, error);
    for (uint32_t i = 0; i < count; i++) {
        formers_free(&all[i]);
    }
    kni_free(&world->memory, all, count * sizeof(placer));
    kni_free(&world->memory, known.parts, known.count * sizeof(uint32_t));
    return result;
}

kn_result kn_projection_write(kn_world *world, const void *buffer, size_t size, kn_error *error)
{
    kn_projection projection = {buffer, size};
    if (buffer == NULL && size > 0) {
        KN_ASSERT(buffer != NULL || size == 0);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    return kn_projections_write(world, &projection, 1, error);
}

// Whether nothing is there of the parts of which nothing may be there.
static bool parts_are_empty(const placer *p, kn_entity_id id)
{
    const kn_world *world = p->load.world;
    uint32_t slot = id.index1 == 0 ? KNI_NONE : kni_entity_find(world, id);
    if (p->filter.empty_parts == 0 || (slot == KNI_NONE && id.index1 != 0)) {
        return true;
    }
    uint32_t component = slot != KNI_NONE ? component_of(world, slot) : KNI_NONE;
    for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
        if ((p->filter.empty_parts >> part & 1) != 0 &&
            !kni_part_is_empty(world, (kn_part)part, component, slot)) {
            return false;
        }
    }
    return true;
}

bool kn_projection_matches(const kn_world *world, const void *buffer, size_t size)
{
    if (world == NULL || buffer == NULL) {
        KN_ASSERT(world != NULL && buffer != NULL);
        return false;
    }
    kn_world *same = (kn_world *)(uintptr_t)world; // only its numbers are looked at
    placer p = {.load = {.in = {.data = buffer, .size = size}, .world = same, .is_direct = true}};
    if (!header_read(&p, &p.count)) {
        return false;
    }
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = p.filter.viewer;
    filter.parts = p.filter.parts;
    filter.empty_parts = p.filter.empty_parts;
    filter.groups = p.filter.groups;
    filter.identity = p.filter.identity;
    filter.hidden_streams = p.filter.hidden_streams;
    kni_memory memory;
    kni_memory_init(&memory, &world->hooks);
    size_t written = 0, bytes = p.count * sizeof(kn_entity_id);
    kn_entity_id *entities = kni_realloc(&memory, NULL, 0, bytes + 1);
    uint8_t *own = kni_realloc(&memory, NULL, 0, size);
    bool is_same = entities != NULL && own != NULL;
    for (uint32_t i = 0; i < p.count && is_same; i++) {
        entities[i] = read_id(&p.ids);
        is_same = parts_are_empty(&p, entities[i]);
    }
    is_same = is_same &&
              kn_projection_take(world, entities, p.count, &filter, own, size, &written) == KN_OK &&
              written == size && memcmp(own, buffer, size) == 0;
    kni_free(&memory, entities, bytes + 1);
    kni_free(&memory, own, size);
    return is_same;
}

uint32_t kn_projection_entities(
    const void *buffer, size_t size, kn_entity_id *entities, uint32_t capacity)
{
    kn_reader in = {.data = buffer, .size = buffer != NULL ? size : 0};
    uint32_t magic = kn_read_u32(&in), version = kn_read_u32(&in);
    (void)kn_read_bytes(&in, 8 + 4 + 8 + 1 + 4 + 4 + 1 + 8);
    uint32_t count = kn_read_u32(&in);
    if (in.failed || magic != PROJECTION_MAGIC || version != KN_PROJECTION_VERSION ||
        count > (in.size - in.at) / 8) {
        return 0;
    }
    for (uint32_t i = 0; i < count && entities != NULL && i < capacity; i++) {
        entities[i] = read_id(&in);
    }
    return count;
}

bool kn_projection_filter_of(const void *buffer, size_t size, kn_projection_filter *filter)
{
    if (filter == NULL) {
        KN_ASSERT(filter != NULL);
        return false;
    }
    *filter = kn_projection_filter_default();
    kn_reader in = {.data = buffer, .size = buffer != NULL ? size : 0};
    uint32_t magic = kn_read_u32(&in), version = kn_read_u32(&in);
    (void)kn_read_bytes(&in, 8 + 4 + 8);
    kn_projection_filter read = *filter;
    read.viewer = (kn_viewer)kn_read_u8(&in);
    uint32_t parts = kn_read_u32(&in);
    read.parts = parts & ((1u << PROJECTION_EMPTY_SHIFT) - 1);
    read.empty_parts = parts >> PROJECTION_EMPTY_SHIFT;
    read.groups = kn_read_u32(&in);
    read.identity = (kn_identity)kn_read_u8(&in);
    read.hidden_streams = kn_read_u64(&in);
    if (in.failed || magic != PROJECTION_MAGIC || version != KN_PROJECTION_VERSION ||
        (uint32_t)read.viewer >= KN_VIEWER_COUNT ||
        !kni_parts_are_good(read.parts, read.empty_parts) ||
        (uint32_t)read.identity >= KN_IDENTITY_COUNT) {
        return false;
    }
    *filter = read;
    return true;
}
