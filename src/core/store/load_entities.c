// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sections of a save about who is there: the world itself, entities, ability components with their
// attributes, and counts of tags.

#include "store/store.h"

#include <math.h>

#define LOAD_SETS_MAX 64 // of one component

static bool load_stream(kni_load *r, kni_random *stream)
{
    return kni_load_record(r, &kni_random_table, stream, NULL, false) &&
           ((stream->increment & 1) != 0 || kni_load_fail(r, "a random stream is invalid"));
}

// Streams of the library, by name. Those that the save lacks begin with its seed.
static bool load_own_streams(kni_load *r)
{
    kn_world *world = r->world;
    uint32_t own = world->library->stream_count;
    for (uint32_t i = 0; i < own; i++) {
        kni_own_stream_seed(world, i);
    }
    uint32_t count = r->in.at < r->in.size ? kn_read_u32(&r->in) : 0;
    uint32_t found = 0; // a bit for each
    for (uint32_t i = 0; i < count && kni_load_ok(r); i++) {
        char name[KN_TAG_NAME_MAX + 1];
        kn_read_str(&r->in, name, sizeof(name));
        uint32_t index = kn_stream_find(world->library, name) - (KN_STREAM_INIT + 1);
        if (!kni_load_ok(r)) {
            return false;
        }
        if (index >= own) {
            return kni_load_changed(r, "the library has no random stream `%s`, which %s has", name);
        }
        if ((found >> index & 1) != 0) {
            return kni_load_fail(r, "a random stream appears twice");
        }
        found |= 1u << index;
        if (!load_stream(r, &world->streams[KNI_STREAM_COUNT + index])) {
            return false;
        }
    }
    return kni_load_ok(r);
}

bool kni_load_world(kni_load *r)
{
    if (!kni_load_section(r, SAVE_WORLD)) {
        return false;
    }
    kn_world *world = r->world;
    world->now = (kn_time)kn_read_u64(&r->in);
    world->next_number = kn_read_u64(&r->in);
    world->targeting_now = r->version >= 2 ? (kn_time)kn_read_u64(&r->in) : 0;
    uint32_t streams = kn_read_u32(&r->in);
    if (world->now < 0 || world->now > KN_TIME_MAX || world->next_number == 0 ||
        world->targeting_now < 0 || world->targeting_now > KN_TIME_MAX ||
        streams != KNI_STREAM_COUNT) {
        return kni_load_fail(r, "its time or its numbers are out of range");
    }
    for (uint32_t i = 0; i < KNI_STREAM_COUNT; i++) {
        if (!load_stream(r, &world->streams[i])) {
            return false;
        }
    }
    if (r->version >= 4) {
        world->seed = kn_read_u64(&r->in);
    }
    return load_own_streams(r) && kni_load_section_end(r);
}

bool kni_load_entities(kni_load *r)
{
    if (!kni_load_section(r, SAVE_ENTITIES)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = kni_load_count(r, 4 + kni_load_size_min(r, &kni_entity_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_slot(r, &world->entities, count, &previous1, &slot) ||
            !kni_load_record(r, &kni_entity_table, kni_entity_at(world, slot), NULL, false)) {
            return false;
        }
        if (!kni_load_accept(r, kni_entity_problem(world, slot))) {
            return false;
        }
    }
    return kni_load_section_end(r);
}

// Components ----------------------------------------------------------------

bool kni_load_layout(kni_load *r, kni_component *component)
{
    kn_world *world = r->world;
    kni_set_instance sets[LOAD_SETS_MAX] = {{0}};
    uint32_t count = kni_load_count(r, 8);
    if (!kni_load_ok(r)) {
        return false;
    }
    if (count > LOAD_SETS_MAX) {
        return kni_load_fail(r, "an entity has too many attribute sets");
    }
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        sets[i].set = kni_load_ref_needed(r, KN_DEF_ATTRIBUTE_SET) - 1;
        sets[i].key = kn_read_u32(&r->in);
        if (!kni_load_ok(r)) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (sets[j].key == sets[i].key &&
                kni_sets_overlap(world->library, sets[j].set, sets[i].set)) {
                return kni_load_fail(r, "an entity has an attribute set twice");
            }
        }
        values += kni_set_at(world->library, sets[i].set)->count;
        if (values >= KNI_NO_POSITION) {
            return kni_load_fail(r, "an entity has too many attributes");
        }
    }
    uint32_t layout = kni_layout_find(world, sets, count);
    if (layout == KNI_NONE) {
        return kni_load_no_memory(r);
    }
    component->layout = layout;
    if (values > 0) {
        component->values =
            kni_heap_acquire(&world->heap, &world->memory, values * sizeof(kni_value));
        if (component->values == 0) {
            return kni_load_no_memory(r);
        }
    }
    // NaN stands for "the save does not have it".
    for (uint32_t i = 0; i < values; i++) {
        kni_values_of(world, component)[i] = (kni_value){NAN, NAN, 0};
    }
    return true;
}

// Where an attribute stands in a set, or KNI_NONE.
static uint32_t set_place(const kni_set *set, uint32_t attribute, uint32_t guess)
{
    if (guess < set->count && set->attributes[guess] == attribute) {
        return guess;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->attributes[i] == attribute) {
            return i;
        }
    }
    return KNI_NONE;
}

static bool load_values(kni_load *r, const kni_component *component)
{
    kn_world *world = r->world;
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t i = 0; i < layout->set_count; i++) {
        const kni_set *set = kni_set_at(world->library, layout->sets[i].set);
        uint32_t count = kni_load_count(r, 12);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t attribute = kni_load_ref_needed(r, KN_DEF_ATTRIBUTE) - 1;
            kni_value value = {0};
            if (!kni_load_record(r, &kni_value_table, &value, NULL, false)) {
                return false;
            }
            uint32_t place = set_place(set, attribute, j);
            if (place == KNI_NONE) {
                return kni_load_changed(r, "%s is no longer in the set that has it in %s",
                    kni_attribute_at(world->library, attribute)->name);
            }
            kni_value *target = &kni_values_of(world, component)[layout->sets[i].first + place];
            if (!isnan(target->base)) {
                return kni_load_fail(r, "an attribute appears twice");
            }
            *target = value;
        }
    }
    return kni_load_ok(r);
}

bool kni_load_components(kni_load *r)
{
    if (!kni_load_section(r, SAVE_COMPONENTS)) {
        return false;
    }
    kn_world *world = r->world;
    uint32_t count = kni_load_count(r, 8 + kni_load_size_min(r, &kni_component_table));
    uint32_t previous1 = 0, slot;
    for (uint32_t i = 0; i < count; i++) {
        if (!kni_load_slot(r, &world->components, count, &previous1, &slot)) {
            return false;
        }
        kni_component *component = kni_component_at(world, slot);
        if (!kni_load_record(r, &kni_component_table, component, NULL, false) ||
            !kni_load_layout(r, component) || !load_values(r, component)) {
            return false;
        }
    }
    if (!kni_tag_bits_reserve(world)) {
        return kni_load_no_memory(r);
    }
    memset(
        world->tag_bits, 0, (size_t)world->components.used * world->tag_words * sizeof(uint64_t));
    return kni_load_section_end(r);
}

// Owners and parents --------------------------------------------------------

// Binds an entity to the component that answers for it.
static bool component_bind(kni_load *r, uint32_t entity, uint32_t component)
{
    if (!kni_pool_is_live(&r->world->entities, entity) ||
        kni_entity_at(r->world, entity)->component1 != 0) {
        return kni_load_fail(r, "a component has the wrong owner");
    }
    kni_entity_at(r->world, entity)->component1 = component + 1;
    return true;
}

// Owners and bodies first, then what leads from component to component.
bool kni_load_links(kni_load *r)
{
    kn_world *world = r->world;
    KNI_POOL_EACH(i, &world->components) {
        kni_component *component = kni_component_at(world, i);
        if (!component_bind(r, component->entity, i)) {
            return false;
        }
        component->generation = kni_entity_at(world, component->entity)->generation;
    }
    KNI_POOL_EACH(i, &world->components) {
        uint32_t body = kni_entity_find(world, kni_component_at(world, i)->avatar);
        if (body == KNI_NONE) {
            return kni_load_fail(r, "a component has no body");
        }
        if (body != kni_component_at(world, i)->entity && !component_bind(r, body, i)) {
            return false;
        }
    }
    KNI_POOL_EACH(i, &world->components) {
        if (!kni_load_accept(r, kni_parents_problem(world, i))) {
            return false;
        }
    }
    return true;
}

// Tags ----------------------------------------------------------------------

static void origin_set_sync(
    const kn_world *world, const kni_component *component, const kni_origin_row *from)
{
    for (uint32_t i = 0; i < component->origins.count; i++) {
        kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        if (row->tag == from->tag && row->origin == from->origin) {
            row->sync = from->sync;
        }
    }
}

bool kni_load_tag(kni_load *r, uint32_t component, const kni_origin_row *row)
{
    kn_world *world = r->world;
    if (!kni_pool_is_live(&world->components, component) || !kni_save_has_origin(row->origin) ||
        row->count == 0 ||
        !kni_rebuild_tag(world, component, row->tag, (kn_tag_origin)row->origin, row->count)) {
        return kni_load_fail(r, "a tag has an invalid count");
    }
    if (world->is_broken) {
        return kni_load_no_memory(r);
    }
    origin_set_sync(world, kni_component_at(world, component), row);
    return true;
}

bool kni_load_tags(kni_load *r)
{
    if (!kni_load_section(r, SAVE_TAGS)) {
        return false;
    }
    uint32_t count = kni_load_count(r, 4 + kni_load_size_min(r, &kni_origin_row_table));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t component = kn_read_u32(&r->in);
        kni_origin_row row = {0};
        if (!kni_load_record(r, &kni_origin_row_table, &row, NULL, false)) {
            return false;
        }
        if (!kni_load_tag(r, component, &row)) {
            return false;
        }
    }
    return kni_load_section_end(r);
}

// Values --------------------------------------------------------------------

// One value: true if it was not what it should be. An attribute that its set did not have when the
// save was written begins at its default.
static bool value_settle(kn_world *world, const kni_value_place *place)
{
    const kni_component *component = kni_component_at(world, place->component);
    kni_value *value = &kni_values_of(world, component)[place->position];
    bool is_new = isnan(value->base);
    if (is_new) {
        float minimum, maximum;
        kni_bounds(world, component, place->attribute, place->key, true, &minimum, &maximum);
        value->base = kni_bounded(place->attribute->def.default_value, minimum, maximum);
        value->current = value->base;
    } else if (!kni_value_is_derivable(place)) {
        return false;
    }
    float current = kni_value_expected(world, place);
    if (!isfinite(current) || current == value->current) {
        return is_new;
    }
    value->current = current;
    return true;
}

#define LOAD_PASSES_MAX 16

// In a save of this library there is nothing to do. In one of an older library a value may move,
// and with it those it limits.
bool kni_load_values_settle(kni_load *r)
{
    kn_world *world = r->world;
    for (uint32_t pass = 0; pass < LOAD_PASSES_MAX; pass++) {
        bool changed = false;
        KNI_POOL_EACH(i, &world->components) {
            const kni_layout *layout = &world->layouts[kni_component_at(world, i)->layout];
            for (uint32_t s = 0; s < layout->set_count; s++) {
                uint32_t count = kni_set_at(world->library, layout->sets[s].set)->count;
                for (uint32_t j = 0; j < count; j++) {
                    kni_value_place place = kni_value_place_of(world, i, &layout->sets[s], j);
                    changed |= value_settle(world, &place);
                }
            }
        }
        if (!changed) {
            return true;
        }
    }
    return kni_load_fail(r, "its attributes do not settle");
}
