// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities as bytes, cut to what a viewer may see.

#include "store/projection.h"

#include "effect/effect.h"

#define FILTER_COOKIE 0x50524a46u
#define RECORD_WORDS_MAX 32 // a record that begins with a creation number is at most this large

typedef struct taker {
    kni_saver saver;
    const kn_projection_filter *filter;
    kni_places places; // of the entity that is being written
} taker;

kn_projection_filter kn_projection_filter_default(void)
{
    return (kn_projection_filter){.viewer = KN_VIEWER_ALL,
        .parts = KN_PARTS_ALL,
        .groups = UINT32_MAX,
        .identity = KN_IDENTITY_IDS,
        .cookie = FILTER_COOKIE};
}

static void write_u32(taker *t, uint32_t value)
{
    kn_write_u32(&t->saver.out, value);
}

static void write_id(taker *t, kn_entity_id id)
{
    write_u32(t, id.index1);
    write_u32(t, id.generation);
}

static bool has_ids(const taker *t)
{
    return t->filter->identity == KN_IDENTITY_IDS;
}

// Where a record is, if that is to be the same in the other world.
static void write_slot(taker *t, uint32_t slot)
{
    if (has_ids(t)) {
        write_u32(t, slot);
    }
}

// A record of a pool that begins with its creation number, which is part of its id.
static void take_record(taker *t, const kn_def_table *table, const void *record)
{
    uint64_t copy[RECORD_WORDS_MAX];
    KN_ASSERT(table->size <= sizeof(copy));
    if (!has_ids(t)) {
        memcpy(copy, record, table->size);
        copy[0] = 0;
        record = copy;
    }
    kni_save_record(&t->saver, table, record, NULL);
}

// Attributes and tags -------------------------------------------------------

// Without its effects, an attribute is what it is now.
static void take_values(taker *t, const kni_component *component)
{
    const kn_world *world = t->saver.world;
    const kni_layout *layout = &world->layouts[component->layout];
    bool has_effects = kni_has_part(t->filter, KN_PART_EFFECTS);
    write_u32(t, layout->set_count);
    for (uint32_t i = 0; i < layout->set_count; i++) {
        kni_save_ref(&t->saver, KN_DEF_ATTRIBUTE_SET, layout->sets[i].set + 1);
        write_u32(t, layout->sets[i].key);
    }
    for (uint32_t i = 0; i < layout->set_count; i++) {
        const kni_set *set = kni_set_at(world->library, layout->sets[i].set);
        for (uint32_t j = 0; j < set->count; j++) {
            const kn_attribute_def *def =
                &kni_attribute_at(world->library, set->attributes[j])->def;
            if (!kni_is_attribute_shown(t->filter, def)) {
                continue;
            }
            kni_value value = kni_values_of(world, component)[layout->sets[i].first + j];
            value.base = has_effects ? value.base : value.current;
            kni_save_record(&t->saver, &kni_value_table, &value, NULL);
        }
    }
}

// How often effects grant a tag.
static uint32_t effect_tag_count(
    const kn_world *world, const kni_component *component, const kni_tag_row *row)
{
    uint32_t slot = (uint32_t)(component - kni_component_at(world, 0));
    uint32_t count = kni_row_count(world, slot, row);
    for (uint32_t i = 0; i < component->origins.count; i++) {
        const kni_origin_row *origin = KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        count -= origin->tag == row->tag ? origin->count : 0;
    }
    return count;
}

static void take_row(taker *t, const kni_origin_row *row, uint32_t *count, bool is_real)
{
    *count += 1;
    if (is_real) {
        kni_save_record(&t->saver, &kni_origin_row_table, row, NULL);
    }
}

static uint32_t take_rows(taker *t, const kni_component *component, bool is_real)
{
    const kn_world *world = t->saver.world;
    bool has_effects = kni_has_part(t->filter, KN_PART_EFFECTS);
    uint32_t count = 0;
    for (uint32_t i = 0; i < component->origins.count; i++) {
        kni_origin_row row = *KNI_SPAN_AT(world, component->origins, kni_origin_row, i);
        row.count = kni_count_shown(t->filter, &row);
        if (row.count > 0 && (has_effects || row.origin != KN_TAG_ORIGIN_MINIMAL)) {
            take_row(t, &row, &count, is_real);
        }
    }
    for (uint32_t i = 0; !has_effects && i < component->tags.count; i++) {
        const kni_tag_row *tag = KNI_SPAN_AT(world, component->tags, kni_tag_row, i);
        uint32_t granted = effect_tag_count(world, component, tag);
        for (uint32_t j = 0; j < component->origins.count; j++) {
            const kni_origin_row *row = KNI_SPAN_AT(world, component->origins, kni_origin_row, j);
            granted +=
                row->tag == tag->tag && row->origin == KN_TAG_ORIGIN_MINIMAL ? row->count : 0;
        }
        kni_origin_row row = {.tag = tag->tag, .origin = KN_TAG_ORIGIN_MINIMAL, .count = granted};
        if (granted > 0) {
            take_row(t, &row, &count, is_real);
        }
    }
    return count;
}

static void take_tags(taker *t, const kni_component *component)
{
    write_u32(t, take_rows(t, component, false));
    (void)take_rows(t, component, true);
}

// Records in lists ----------------------------------------------------------

static void take_effects(taker *t, const kni_component *component)
{
    const kn_world *world = t->saver.world;
    write_u32(t, component->effects.count);
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        write_slot(t, slot);
        take_record(t, &kni_effect_table, effect);
        kni_save_rare(&t->saver, effect->rare1, kni_type_at(world, effect->type));
    }
}

// Records of a pool by a list of slots.
static void take_list(taker *t, uint32_t pool, const kni_span *slots)
{
    const kn_world *world = t->saver.world;
    write_u32(t, slots->count);
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, *slots, uint32_t, i);
        write_slot(t, slot);
        take_record(t, kni_pools[pool].table, kni_pool_at(kni_world_pool(world, pool), slot));
    }
}

// How many activations share an event is counted where it is read.
static void take_event(taker *t, uint32_t slot)
{
    kni_payload event = *kni_payload_at(t->saver.world, slot);
    event.references = has_ids(t) ? event.references : 1;
    take_record(t, &kni_payload_table, &event);
}

// Each with its event and its tasks. An event may belong to several: it is written with each.
static void take_activations(taker *t, const kni_actor *actor)
{
    const kn_world *world = t->saver.world;
    write_u32(t, actor->activations.count);
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        write_slot(t, slot);
        take_record(t, &kni_activation_table, activation);
        if (activation->payload1 != 0) {
            take_event(t, activation->payload1 - 1);
        }
        take_list(t, KNI_POOL_TASKS, &activation->tasks);
    }
}

// Cues ----------------------------------------------------------------------

// A cue of an effect, as if a call had added it.
static kni_cue minimal_cue(const kn_world *world, uint32_t effect, kn_tag tag)
{
    kn_world *same; // a view for reading only
    memcpy(&same, &world, sizeof(same));
    kn_spec_view spec;
    kn_cue_params params;
    kni_view_of_effect(same, effect, &spec);
    kni_effect_cue_params(world, &spec, &params);
    return (kni_cue){.tag = tag.index1,
        .count = 1,
        .flags = (params.has_location ? KNI_CUE_HAS_LOCATION : 0u) |
                 (params.has_normal ? KNI_CUE_HAS_NORMAL : 0u),
        .instigator = params.instigator,
        .causer = params.causer,
        .source_object = params.source_object,
        .location = params.location,
        .normal = params.normal,
        .magnitude = params.magnitude,
        .change = params.change,
        .normalised = params.normalised,
        .effect_level = params.effect_level,
        .ability_level = params.ability_level,
        .stacks = params.stacks};
}

// The cues of effects, for a viewer who does not get the effects; each effect's by itself. Without
// payloads and target data, which are part of the effects. Returns how many there are.
static uint32_t take_minimal_cues(taker *t, const kni_component *component, bool is_real)
{
    const kn_world *world = t->saver.world;
    uint32_t count = 0;
    if (has_ids(t) || kni_has_part(t->filter, KN_PART_EFFECTS) ||
        !kni_has_part(t->filter, KN_PART_CUES)) {
        return 0;
    }
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        kn_tags tags = kni_type_at(world, kni_effect_at(world, slot)->type)->def.cue_tags;
        for (uint32_t j = 0; j < tags.count && kni_effect_shows_cues(world, slot); j++) {
            count++;
            if (is_real) {
                kni_cue cue = minimal_cue(world, slot, tags.data[j]);
                take_record(t, &kni_cue_table, &cue);
            }
        }
    }
    return count;
}

static void take_cues(taker *t, const kni_component *component, const kni_span *slots)
{
    const kn_world *world = t->saver.world;
    write_u32(t, slots->count + take_minimal_cues(t, component, false));
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, *slots, uint32_t, i);
        write_slot(t, slot);
        take_record(t, &kni_cue_table, kni_cue_at(world, slot));
    }
    (void)take_minimal_cues(t, component, true);
}

// Whether there is something of an actor for the viewer. One with nothing in it is as good as none:
// whether it is there depends on what happened before.
static bool actor_is_shown(taker *t, const kni_component *component, const kni_actor *actor)
{
    bool has_own = actor->confirm != 0 || actor->cancel != 0 || actor->flags != 0 ||
                   actor->tolerance != 0 || actor->early_limit != 0;
    bool has_abilities = kni_has_part(t->filter, KN_PART_ABILITIES) &&
                         (actor->abilities.count > 0 || actor->charges.count > 0);
    bool has_cues = kni_has_part(t->filter, KN_PART_CUES) && actor->cues.count > 0;
    return has_own || has_abilities || has_cues || take_minimal_cues(t, component, false) > 0;
}

// The part that abilities and cues hang on; whoever gets cues of effects needs one.
static void take_actor(taker *t, const kni_component *component)
{
    const kni_actor none = {0};
    const kni_actor *actor =
        component->actor1 != 0 ? kni_actor_at(t->saver.world, component->actor1 - 1) : &none;
    bool is_there = has_ids(t) ? actor != &none : actor_is_shown(t, component, actor);
    write_u32(t, has_ids(t) ? component->actor1 : is_there);
    if (!is_there) {
        return;
    }
    kni_save_record(&t->saver, &kni_actor_table, actor, NULL);
    if (kni_has_part(t->filter, KN_PART_ABILITIES)) {
        take_list(t, KNI_POOL_ABILITIES, &actor->abilities);
        take_list(t, KNI_POOL_CHARGES, &actor->charges);
        take_activations(t, actor);
    }
    if (kni_has_part(t->filter, KN_PART_CUES)) {
        take_cues(t, component, &actor->cues);
    }
}

static void take_component(taker *t, uint32_t slot)
{
    const kni_component *component = kni_component_at(t->saver.world, slot);
    write_slot(t, slot);
    kni_save_record(&t->saver, &kni_component_table, component, NULL);
    if (kni_has_part(t->filter, KN_PART_ATTRIBUTES)) {
        take_values(t, component);
    }
    if (kni_has_part(t->filter, KN_PART_TAGS)) {
        take_tags(t, component);
    }
    if (kni_has_part(t->filter, KN_PART_EFFECTS)) {
        take_effects(t, component);
    }
    take_actor(t, component);
}

// Timers, watches, blocks --------------------------------------------------------

// Slot + 1 of the next timer of an entity, or of the world. Those of the world have no list.
uint32_t kni_timer_next1(const kn_world *world, uint32_t entity1, uint32_t slot1)
{
    if (entity1 != 0) {
        if (slot1 != 0) {
            return ((const kni_rule_timer *)kni_pool_at(&world->timers, slot1 - 1))->next1;
        }
        return entity1 <= world->timer_firsts_capacity ? world->timer_firsts[entity1 - 1] : 0;
    }
    uint32_t slot = kni_pool_next(&world->timers, slot1);
    while (slot != KNI_NONE &&
           ((const kni_rule_timer *)kni_pool_at(&world->timers, slot))->entity.index1 != 0) {
        slot = kni_pool_next(&world->timers, slot + 1);
    }
    return slot + 1;
}

uint32_t kni_watch_next1(const kn_world *world, uint32_t entity1, uint32_t slot1)
{
    if (slot1 != 0) {
        return ((const kni_watch *)kni_pool_at(&world->watches, slot1 - 1))->next1;
    }
    return entity1 < world->watch_list_capacity ? world->watch_lists[entity1].first1 : 0;
}

uint32_t kni_tag_block_next1(const kn_world *world, uint32_t entity1, uint32_t slot1)
{
    if (slot1 != 0) {
        return kni_tag_block_at(world, slot1 - 1)->next1;
    }
    return entity1 < world->tag_block_list_capacity ? world->tag_block_lists[entity1].first1 : 0;
}

typedef uint32_t next1_fn(const kn_world *world, uint32_t entity1, uint32_t slot1);

static uint32_t chain_count(const kn_world *world, uint32_t entity1, next1_fn *next1)
{
    uint32_t count = 0;
    for (uint32_t at1 = next1(world, entity1, 0); at1 != 0; at1 = next1(world, entity1, at1)) {
        count++;
    }
    return count;
}

static void take_chain(
    taker *t, uint32_t pool, const kn_def_table *table, uint32_t entity1, next1_fn *next1)
{
    const kn_world *world = t->saver.world;
    write_u32(t, chain_count(world, entity1, next1));
    for (uint32_t at1 = next1(world, entity1, 0); at1 != 0; at1 = next1(world, entity1, at1)) {
        write_slot(t, at1 - 1);
        take_record(t, table, kni_pool_at(kni_world_pool(world, pool), at1 - 1));
    }
}

// Timers of an entity by slot: the order of their list depends on when the world was loaded, and
// equal states have equal bytes. An entity has few of them.
static void take_timers(taker *t, uint32_t entity1)
{
    const kn_world *world = t->saver.world;
    uint32_t count = chain_count(world, entity1, kni_timer_next1);
    uint32_t last1 = 0;
    write_u32(t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t least1 = UINT32_MAX;
        for (uint32_t at1 = kni_timer_next1(world, entity1, 0); at1 != 0;
             at1 = kni_timer_next1(world, entity1, at1)) {
            least1 = at1 > last1 && at1 < least1 ? at1 : least1;
        }
        last1 = least1;
        write_slot(t, last1 - 1);
        take_record(t, &kni_rule_timer_table, kni_pool_at(&world->timers, last1 - 1));
    }
}

// In the order of the directory.
static void take_placed_timers(taker *t)
{
    uint32_t end = t->places.first[KNI_PLACE_TIMER + 1];
    write_u32(t, end - t->places.first[KNI_PLACE_TIMER]);
    for (uint32_t i = t->places.first[KNI_PLACE_TIMER]; i < end; i++) {
        take_record(
            t, &kni_rule_timer_table, kni_pool_at(&t->saver.world->timers, t->places.all[i].slot));
    }
}

// The component that a watch ends with, of a type with several as its place + 1 among those of the
// entity. One of another entity, or of a part that is left out, is cut.
static void watch_place_component(const taker *t, kni_watch *watch)
{
    if (!kn_entity_id_equal(watch->owner, watch->entity) ||
        !kni_has_part(t->filter, KN_PART_COMPONENTS) ||
        (watch->component_type.index1 != 0 &&
            !kni_is_component_shown(t->filter, kni_component_type_at(t->saver.world->library,
                                                   watch->component_type.index1 - 1)))) {
        watch->component_type.index1 = 0;
        watch->component = (kn_component_id){0};
    }
    if (watch->component.index1 == 0) {
        return;
    }
    const kni_extension *extension = &t->saver.world->extensions[watch->component_type.index1 - 1];
    uint32_t place1 = 1, at1 = kni_extension_first1(extension, watch->owner.index1 - 1);
    while (at1 != 0 && at1 != watch->component.index1) {
        at1 = kni_extension_at(extension, at1 - 1)->next1;
        place1++;
    }
    KN_ASSERT(at1 != 0); // it would have ended with it
    watch->component = (kn_component_id){place1, 0};
}

// In the order of the directory.
static void take_placed_watches(taker *t)
{
    uint32_t end = t->places.first[KNI_PLACE_WATCH + 1];
    write_u32(t, end - t->places.first[KNI_PLACE_WATCH]);
    for (uint32_t i = t->places.first[KNI_PLACE_WATCH]; i < end; i++) {
        kni_watch watch =
            *(const kni_watch *)kni_pool_at(&t->saver.world->watches, t->places.all[i].slot);
        watch_place_component(t, &watch);
        take_record(t, &kni_watch_table, &watch);
    }
}

// Components of games -------------------------------------------------------

// The fields that the viewer may see.
static void take_fields(taker *t, const kni_fields *fields, const uint8_t *record)
{
    for (uint32_t i = 0; i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        if (!kni_is_shown(t->filter, fields->from[i].sync, &fields->from[i].wire)) {
            continue;
        }
        for (uint32_t j = 0; j < field->count; j++) {
            kni_save_field(
                &t->saver, field, record + field->offset + kni_field_size(field) * j, NULL);
        }
    }
}

static void take_extension(taker *t, const kni_component_type *type, const kni_extension_head *head)
{
    take_fields(t, &type->record, (const uint8_t *)(head + 1));
    write_u32(t, head->items.count);
    for (uint32_t i = 0; i < head->items.count; i++) {
        take_fields(t, &type->items,
            kni_span_at(&t->saver.world->heap, &head->items, i, type->items.table.size));
    }
}

static void take_extensions(taker *t, uint32_t entity)
{
    const kn_world *world = t->saver.world;
    uint32_t types = kni_ref_count(world->library, KN_DEF_COMPONENT), used = 0;
    for (uint32_t i = 0; i < types; i++) {
        used += kni_extension_first1(&world->extensions[i], entity) != 0 &&
                kni_is_component_shown(t->filter, kni_component_type_at(world->library, i));
    }
    write_u32(t, used);
    for (uint32_t i = 0; i < types; i++) {
        const kni_extension *extension = &world->extensions[i];
        uint32_t first1 = kni_extension_first1(extension, entity), count = 0;
        if (!kni_is_component_shown(t->filter, kni_component_type_at(world->library, i))) {
            continue;
        }
        for (uint32_t at1 = first1; at1 != 0; at1 = kni_extension_at(extension, at1 - 1)->next1) {
            count++;
        }
        if (count == 0) {
            continue;
        }
        kni_save_ref(&t->saver, KN_DEF_COMPONENT, i + 1);
        write_u32(t, count);
        for (uint32_t at1 = first1; at1 != 0; at1 = kni_extension_at(extension, at1 - 1)->next1) {
            const kni_extension_head *head = kni_extension_at(extension, at1 - 1);
            // Of a type without `several`, the slot is not a part of what names the component.
            write_slot(t, extension->is_several ? at1 - 1 : KNI_NONE);
            write_slot(t, head->generation);
            take_extension(t, kni_component_type_at(world->library, i), head);
        }
    }
}

// Entities and the world ----------------------------------------------------

static void take_rest(taker *t, uint32_t entity1)
{
    if (kni_has_part(t->filter, KN_PART_TIMERS) && !has_ids(t)) {
        take_placed_timers(t);
    } else if (kni_has_part(t->filter, KN_PART_TIMERS) && entity1 != 0) {
        take_timers(t, entity1);
    } else if (kni_has_part(t->filter, KN_PART_TIMERS)) {
        take_chain(t, KNI_POOL_TIMERS, &kni_rule_timer_table, 0, kni_timer_next1);
    }
    if (kni_has_part(t->filter, KN_PART_WATCHES) && !has_ids(t)) {
        take_placed_watches(t);
    } else if (kni_has_part(t->filter, KN_PART_WATCHES)) {
        take_chain(t, KNI_POOL_WATCHES, &kni_watch_table, entity1, kni_watch_next1);
    }
    if (kni_has_part(t->filter, KN_PART_ABILITIES)) {
        take_chain(t, KNI_POOL_TAG_BLOCKS, &kni_tag_block_table, entity1, kni_tag_block_next1);
    }
    if (kni_has_part(t->filter, KN_PART_COMPONENTS)) {
        take_extensions(t, entity1 == 0 ? KNI_NONE : entity1 - 1);
    }
}

static void take_pool(taker *t, uint32_t pool, const kn_def_table *table)
{
    const kni_pool *records = kni_world_pool(t->saver.world, pool);
    write_u32(t, records->count);
    KNI_POOL_EACH(i, records) {
        write_slot(t, i);
        kni_save_record(&t->saver, table, kni_pool_at(records, i), NULL);
        if (pool == KNI_POOL_SPECS) {
            const kni_spec *spec = kni_pool_at(records, i);
            kni_save_rare(&t->saver, spec->rare1, kni_type_at(t->saver.world, spec->type));
        }
    }
}

// Which records there are, so that others can refer to them before they come.
static void take_directory(taker *t, uint32_t component, uint32_t entity)
{
    if (has_ids(t)) {
        return;
    }
    if (!kni_places_find(
            &t->places, &t->saver.memory, t->saver.world, component, entity, t->filter->parts)) {
        t->saver.has_no_memory = true;
        return;
    }
    t->saver.by_place = &t->places;
    for (uint32_t kind = 0; kind < KNI_PLACE_COUNT; kind++) {
        if (!kni_has_part(t->filter, kni_place_part(kind))) {
            continue;
        }
        write_u32(t, t->places.first[kind + 1] - t->places.first[kind]);
        for (uint32_t i = t->places.first[kind]; i < t->places.first[kind + 1]; i++) {
            write_u32(t, t->places.all[i].type);
        }
    }
}

static void take_streams(taker *t)
{
    const kn_world *world = t->saver.world;
    for (uint32_t i = 0; i < kni_stream_count(world); i++) {
        if (kni_stream_is_shown(t->filter, world->library, i)) {
            kni_save_record(&t->saver, &kni_random_table, &world->streams[i], NULL);
        }
    }
}

static void take_world(taker *t)
{
    const kn_world *world = t->saver.world;
    if (has_ids(t)) {
        kn_write_u64(&t->saver.out, (uint64_t)world->now);
        kn_write_u64(&t->saver.out, (uint64_t)world->targeting_now);
        kn_write_u64(&t->saver.out, world->next_number);
    }
    kn_write_u64(&t->saver.out, world->seed);
    take_streams(t);
    if (has_ids(t)) {
        take_pool(t, KNI_POOL_SPECS, &kni_spec_table);
        take_pool(t, KNI_POOL_COMMANDS, &kni_command_table);
    }
    take_pool(t, KNI_POOL_SWITCHES, &kni_switch_table);
    take_directory(t, KNI_NONE, KNI_NONE);
    take_rest(t, 0);
}

static void take_entity(taker *t, kn_entity_id entity)
{
    const kn_world *world = t->saver.world;
    if (entity.index1 == 0) {
        take_world(t);
        return;
    }
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE || t->filter->is_gone) {
        kn_write_u8(&t->saver.out, PROJECTION_GONE);
        return;
    }
    uint32_t component1 = kni_entity_at(world, slot)->component1;
    bool is_own = component1 != 0 && kni_component_at(world, component1 - 1)->entity == slot;
    kn_write_u8(&t->saver.out, is_own ? PROJECTION_COMPONENT : PROJECTION_BARE);
    kni_save_record(&t->saver, &kni_entity_table, kni_entity_at(world, slot), NULL);
    take_directory(t, is_own ? component1 - 1 : KNI_NONE, slot);
    if (is_own) {
        take_component(t, component1 - 1);
    }
    take_rest(t, slot + 1);
}

static void take_all(taker *t, const kn_entity_id *entities, uint32_t count)
{
    const kn_world *world = t->saver.world;
    kn_writer *out = &t->saver.out;
    kn_write_u32(out, PROJECTION_MAGIC);
    kn_write_u32(out, KN_PROJECTION_VERSION);
    kn_write_u64(out, world->library->hash);
    uint32_t types = kni_types_used(world);
    kn_write_u32(out, types);
    kn_write_u64(out, kni_dynamic_types_hash(world, types));
    kn_write_u8(out, (uint8_t)t->filter->viewer);
    kn_write_u32(out, t->filter->parts | t->filter->empty_parts << PROJECTION_EMPTY_SHIFT);
    kn_write_u32(out, t->filter->groups);
    kn_write_u8(out, (uint8_t)t->filter->identity);
    kn_write_u64(out, t->filter->hidden_streams);
    kn_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++) {
        write_id(t, entities[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        take_entity(t, entities[i]);
    }
}

kn_result kn_projection_take(const kn_world *world, const kn_entity_id *entities, uint32_t count,
    const kn_projection_filter *filter, void *buffer, size_t size, size_t *written)
{
    kn_projection_filter all = kn_projection_filter_default();
    filter = filter != NULL ? filter : &all;
    if (world == NULL || written == NULL || (entities == NULL && count > 0) ||
        filter->cookie != FILTER_COOKIE || (uint32_t)filter->viewer >= KN_VIEWER_COUNT ||
        !kni_parts_are_good(filter->parts, filter->empty_parts) ||
        (uint32_t)filter->identity >= KN_IDENTITY_COUNT) {
        KN_ASSERT(world != NULL && written != NULL && (entities != NULL || count == 0));
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *written = 0;
    if (world->depth > 0 || world->is_stepping) {
        return KN_ERROR_WORLD_LOCKED;
    }
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    taker t = {.filter = filter};
    kni_saver_init(&t.saver, world);
    t.saver.is_direct = true;
    t.saver.out = (kn_writer){buffer, buffer != NULL ? size : 0, 0};
    take_all(&t, entities, count);
    kni_free(&t.saver.memory, t.saver.scratch, t.saver.scratch_capacity);
    kni_places_free(&t.places, &t.saver.memory);
    if (t.saver.has_no_memory) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *written = t.saver.out.length;
    return buffer != NULL && size < *written ? KN_ERROR_BUFFER_TOO_SMALL : KN_OK;
}
