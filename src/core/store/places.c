// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Records by their places on an entity, for projections that name them so.

#include "store/store.h"

typedef struct place_kind {
    uint8_t pool;
    uint8_t part;
} place_kind;

static const place_kind place_kinds[KNI_PLACE_COUNT] = {
    [KNI_PLACE_EFFECT] = {KNI_POOL_EFFECTS, KN_PART_EFFECTS},
    [KNI_PLACE_ABILITY] = {KNI_POOL_ABILITIES, KN_PART_ABILITIES},
    [KNI_PLACE_ACTIVATION] = {KNI_POOL_ACTIVATIONS, KN_PART_ABILITIES},
    [KNI_PLACE_TASK] = {KNI_POOL_TASKS, KN_PART_ABILITIES},
    [KNI_PLACE_TIMER] = {KNI_POOL_TIMERS, KN_PART_TIMERS},
    [KNI_PLACE_WATCH] = {KNI_POOL_WATCHES, KN_PART_WATCHES},
};

uint32_t kni_place_pool(uint32_t kind)
{
    return place_kinds[kind].pool;
}

kn_part kni_place_part(uint32_t kind)
{
    return (kn_part)place_kinds[kind].part;
}

// Finding -------------------------------------------------------------------

// What a record is, so that it can be recognised in another world.
static uint32_t place_type(const kn_world *world, uint32_t kind, uint32_t slot)
{
    switch (kind) {
    case KNI_PLACE_EFFECT:
        return kni_effect_at(world, slot)->type;
    case KNI_PLACE_ABILITY:
        return kni_ability_at(world, slot)->type;
    case KNI_PLACE_ACTIVATION:
        return kni_ability_at(world, kni_activation_at(world, slot)->ability)->type;
    case KNI_PLACE_TASK:
        return kni_task_at(world, slot)->kind;
    case KNI_PLACE_TIMER:
        return ((const kni_rule_timer *)kni_pool_at(&world->timers, slot))->type;
    default:
        return ((const kni_watch *)kni_pool_at(&world->watches, slot))->type;
    }
}

typedef struct place_search {
    kni_places *places;
    kni_memory *memory;
    const kn_world *world;
    bool has_no_memory;
} place_search;

static void place_add(place_search *s, uint32_t kind, uint32_t slot)
{
    uint32_t *count = &s->places->first[KNI_PLACE_COUNT];
    if (!kni_grow(
            s->memory, &s->places->all, &s->places->capacity, *count + 1, sizeof(kni_placed))) {
        s->has_no_memory = true;
        return;
    }
    kni_placed *placed = &s->places->all[(*count)++];
    placed->slot = slot;
    placed->type = place_type(s->world, kind, slot);
    memcpy(&placed->number, kni_pool_at(kni_world_pool(s->world, place_kinds[kind].pool), slot),
        sizeof(placed->number));
}

static void places_add_list(place_search *s, uint32_t kind, const kni_span *slots)
{
    for (uint32_t i = 0; i < slots->count && !s->has_no_memory; i++) {
        place_add(s, kind, *KNI_SPAN_AT(s->world, *slots, uint32_t, i));
    }
}

static void places_add_tasks(place_search *s, const kni_actor *actor)
{
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(s->world, actor->activations, uint32_t, i);
        places_add_list(s, KNI_PLACE_TASK, &kni_activation_at(s->world, slot)->tasks);
    }
}

static void places_add_kind(
    place_search *s, uint32_t kind, const kni_component *component, uint32_t entity1)
{
    const kni_actor *actor = component != NULL && component->actor1 != 0
                                 ? kni_actor_at(s->world, component->actor1 - 1)
                                 : NULL;
    switch (kind) {
    case KNI_PLACE_EFFECT:
        if (component != NULL) {
            places_add_list(s, kind, &component->effects);
        }
        break;
    case KNI_PLACE_ABILITY:
    case KNI_PLACE_ACTIVATION:
        if (actor != NULL) {
            places_add_list(
                s, kind, kind == KNI_PLACE_ABILITY ? &actor->abilities : &actor->activations);
        }
        break;
    case KNI_PLACE_TASK:
        if (actor != NULL) {
            places_add_tasks(s, actor);
        }
        break;
    default:
        for (uint32_t at1 = 0;;) {
            at1 = kind == KNI_PLACE_TIMER ? kni_timer_next1(s->world, entity1, at1)
                                          : kni_watch_next1(s->world, entity1, at1);
            if (at1 == 0) {
                break;
            }
            place_add(s, kind, at1 - 1);
        }
        break;
    }
}

bool kni_places_find(kni_places *places, kni_memory *memory, const kn_world *world,
    uint32_t component, uint32_t entity, uint32_t parts)
{
    place_search s = {.places = places, .memory = memory, .world = world};
    const kni_component *c = component != KNI_NONE ? kni_component_at(world, component) : NULL;
    places->first[KNI_PLACE_COUNT] = 0;
    for (uint32_t kind = 0; kind < KNI_PLACE_COUNT; kind++) {
        places->first[kind] = places->first[KNI_PLACE_COUNT];
        if ((parts >> place_kinds[kind].part & 1) != 0) {
            places_add_kind(&s, kind, c, entity + 1); // none + 1 is 0, the world
        }
        uint32_t count = places->first[KNI_PLACE_COUNT] - places->first[kind];
        if (kind == KNI_PLACE_TIMER && count > 1) { // their list has no order
            kni_sort_by_key(places->all + places->first[kind], sizeof(kni_placed), count);
        }
    }
    return !s.has_no_memory;
}

void kni_places_free(kni_places *places, kni_memory *memory)
{
    kni_free(memory, places->all, places->capacity * sizeof(kni_placed));
    *places = (kni_places){0};
}

// Fields --------------------------------------------------------------------

// The kind of place that a field holds; KNI_PLACE_COUNT for slots that follow from where the record
// stands, and for prepared effects, which projections do not have.
static uint32_t field_place_kind(const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_EFFECT:
        return KNI_PLACE_EFFECT;
    case KN_FIELD_ABILITY:
        return KNI_PLACE_ABILITY;
    case KN_FIELD_ACTIVATION:
        return KNI_PLACE_ACTIVATION;
    case KN_FIELD_TASK:
        return KNI_PLACE_TASK;
    case KN_FIELD_TIMER:
        return KNI_PLACE_TIMER;
    case KN_STATE_FIELD_SLOT:
    case KN_STATE_FIELD_SLOT1:
        return field->limit == KN_STATE_ABILITY ? KNI_PLACE_ABILITY : KNI_PLACE_COUNT;
    default:
        return KNI_PLACE_COUNT;
    }
}

static bool field_is_slot(const kn_def_field *field)
{
    return field->kind == KN_STATE_FIELD_SLOT || field->kind == KN_STATE_FIELD_SLOT1;
}

bool kni_place_is_for(const kn_def_field *field)
{
    return field_place_kind(field) != KNI_PLACE_COUNT || field->kind == KN_FIELD_SPEC ||
           field_is_slot(field);
}

// The place + 1 of a record; 0 if it is not among them. With an id, `generation` has to be right,
// too.
static uint32_t place_find1(
    const kni_places *places, uint32_t kind, uint32_t slot, const uint32_t *generation)
{
    for (uint32_t i = places->first[kind]; i < places->first[kind + 1]; i++) {
        const kni_placed *placed = &places->all[i];
        if (placed->slot == slot &&
            (generation == NULL || (uint32_t)placed->number == *generation)) {
            return i - places->first[kind] + 1;
        }
    }
    return 0;
}

void kni_place_write(
    const kni_places *places, const kn_def_field *field, const uint8_t *at, kn_writer *out)
{
    uint32_t kind = field_place_kind(field);
    if (field_is_slot(field)) {
        uint32_t slot = (uint32_t)kni_field_load(at, 4) - (field->kind == KN_STATE_FIELD_SLOT1);
        kn_write_u32(out, slot == KNI_NONE          ? 0
                          : kind != KNI_PLACE_COUNT ? place_find1(places, kind, slot, NULL)
                                                    : 1);
        return;
    }
    uint32_t id[2];
    memcpy(id, at, sizeof(id));
    bool is_known = id[0] != 0 && kind != KNI_PLACE_COUNT;
    kn_write_u32(out, is_known ? place_find1(places, kind, id[0] - 1, &id[1]) : 0);
    kn_write_u32(out, 0);
}

bool kni_place_read(const kni_places *places, const kn_def_field *field, uint8_t *at, kn_reader *in)
{
    uint32_t kind = field_place_kind(field), place1 = kn_read_u32(in);
    uint32_t most = kind != KNI_PLACE_COUNT ? places->first[kind + 1] - places->first[kind] : 1;
    const kni_placed *placed = kind != KNI_PLACE_COUNT && place1 != 0 && place1 <= most
                                   ? &places->all[places->first[kind] + place1 - 1]
                                   : NULL;
    if (!field_is_slot(field)) {
        bool is_right = kn_read_u32(in) == 0 && (placed != NULL || place1 == 0);
        uint32_t id[2] = {
            placed != NULL ? placed->slot + 1 : 0, placed != NULL ? (uint32_t)placed->number : 0};
        memcpy(at, id, sizeof(id));
        return is_right;
    }
    if (kind == KNI_PLACE_COUNT) { // whoever reads the record knows the slot
        kni_field_store(at, 4, place1);
        return place1 <= most;
    }
    uint32_t is_slot1 = field->kind == KN_STATE_FIELD_SLOT1;
    kni_field_store(at, 4, placed != NULL ? placed->slot + is_slot1 : is_slot1 - 1);
    return placed != NULL || (is_slot1 == 1 && place1 == 0);
}
