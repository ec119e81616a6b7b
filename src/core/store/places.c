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

// By creation.
static void places_sort(place_search *s, uint32_t kind, uint32_t end)
{
    _Static_assert(offsetof(kni_placed, number) == offsetof(kni_sort_item, key) &&
                       offsetof(kni_placed, slot) == offsetof(kni_sort_item, value) &&
                       sizeof(kni_placed) == sizeof(kni_sort_item),
        "what is sorted is laid out like a kni_sort_item");
    uint32_t first = s->places->first[kind];
    if (end - first > 1) {
        kni_sort_by_key(s->places->all + first, sizeof(kni_placed), end - first);
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
        if (kind == KNI_PLACE_TIMER) { // their list has no order
            places_sort(&s, kind, places->first[KNI_PLACE_COUNT]);
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

// Commands ------------------------------------------------------------------

typedef struct place_swap {
    const kn_world *world;
    kni_memory memory;
    kni_places places;
    bool is_reading; // places become ids
} place_swap;

static void field_swap(const place_swap *swap, const kn_def_field *field, uint8_t *at)
{
    uint8_t bytes[8] = {0};
    kn_writer out = {bytes, sizeof(bytes), 0};
    if (!swap->is_reading) {
        kni_place_write(&swap->places, field, at, &out);
        kn_reader written = {.data = bytes, .size = sizeof(bytes)};
        uint32_t id[2] = {kn_read_u32(&written), 0};
        memcpy(at, id, sizeof(id));
        return;
    }
    uint32_t id[2];
    memcpy(id, at, sizeof(id));
    kn_write_u32(&out, id[0]);
    kn_write_u32(&out, 0);
    kn_reader in = {.data = bytes, .size = sizeof(bytes)};
    if (!kni_place_read(&swap->places, field, at, &in)) {
        memset(at, 0, sizeof(id));
    }
}

static kn_result command_swap(place_swap *swap, const kn_command *command, kn_entity_id entity)
{
    const kn_library *library = swap->world->library;
    uint32_t slot = kni_entity_find(swap->world, entity);
    uint32_t component1 = slot != KNI_NONE ? kni_entity_at(swap->world, slot)->component1 : 0;
    const kni_command_type *type =
        KNI_ITEM(library, KN_DEF_COMMAND, kni_command_type, command->type.index1 - 1);
    const kn_def_table *table = &type->payload.table;
    uint8_t *payload = (uint8_t *)(uintptr_t)command->payload; // in the data of the caller
    for (uint32_t i = 0; i < table->field_count && payload != NULL; i++) {
        const kn_def_field *field = &table->fields[i];
        if (!kni_place_is_for(field)) {
            continue;
        }
        if (!kni_places_find(&swap->places, &swap->memory, swap->world, component1 - 1, slot,
                slot != KNI_NONE ? KN_PARTS_ALL : 0)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < field->count; j++) {
            field_swap(swap, field, payload + field->offset + kni_field_size(field) * j);
        }
    }
    return KN_OK;
}

static kn_result places_swap(const kn_world *world, kn_command_data *data, bool is_reading)
{
    if (world == NULL || data == NULL) {
        KN_ASSERT(world != NULL && data != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    place_swap swap = {.world = world, .is_reading = is_reading};
    kni_memory_init(&swap.memory, &world->hooks);
    const kn_command *command = &data->command;
    kn_result result = command->type.index1 != 0 ? command_swap(&swap, command, command->entity)
                                                 : KN_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < command->part_count && result == KN_OK; i++) {
        kn_entity_id entity = data->parts[i].entity;
        result =
            command_swap(&swap, &data->parts[i], entity.index1 != 0 ? entity : command->entity);
    }
    kni_places_free(&swap.places, &swap.memory);
    return result;
}

kn_result kn_command_to_places(const kn_world *world, kn_command_data *data)
{
    return places_swap(world, data, false);
}

kn_result kn_command_from_places(const kn_world *world, kn_command_data *data)
{
    return places_swap(world, data, true);
}
