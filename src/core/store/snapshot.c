// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Snapshots: a header, then block copies. Restoring first makes room for everything, so that
// nothing can fail once copying has begun; only the wheel makes its own room, so it goes first.
//
// Components name their attributes' places by the index of a layout. Layouts are a cache that every
// world fills in its own order, so a snapshot brings the list of those it uses.

#include "world/state_tables.h"

#define SNAPSHOT_MAGIC 0x6b6e5350u
#define SNAPSHOT_VERSION 1u
#define SNAPSHOT_SETS_MAX 64 // of one component

typedef struct snapshot_header {
    uint32_t magic;
    uint32_t version;
    const kn_library *library;
    uint64_t library_hash;
    uint64_t type_hash; // of the types made at run time
    uint64_t size;      // of the whole snapshot
    size_t heap_used;
    kn_time now;
    kn_time targeting_now;
    uint64_t next_number;
    uint64_t seed;
    uint32_t pool_used[KNI_POOL_COUNT];
    uint32_t type_count;
    uint32_t layout_count;
    uint32_t set_count; // of all layouts together
    uint32_t denied_count;
    uint32_t unstarted_tasks;
    kni_span targeting_tasks;
    kni_span priced;
    uint32_t touch_last;
    uint32_t stamp;
    uint32_t event_count;
    uint32_t cue_count;
    uint32_t change_count;
    uint32_t byte_count;
    uint32_t note_last1;
    uint32_t cause_count;
    uint32_t cause_base;
    kni_random streams[KNI_STREAM_COUNT];
} snapshot_header;

typedef struct snapshot_extension {
    uint32_t pool_used;
    uint32_t world_slot1;
    uint32_t entity_count; // entries of by_entity
} snapshot_extension;

static uint32_t extension_count(const kn_world *world)
{
    return world->library->registries[KN_DEF_COMPONENT].count;
}

static uint32_t by_entity_count(const kn_world *world, const kni_extension *extension)
{
    return extension->by_entity_capacity < world->entities.used ? extension->by_entity_capacity
                                                                : world->entities.used;
}

static size_t tag_bits_size(const kn_world *world, uint32_t components)
{
    return (size_t)components * world->tag_words * sizeof(uint64_t);
}

static size_t own_streams_size(const kn_world *world)
{
    return world->library->stream_count * sizeof(kni_random);
}

size_t kn_snapshot_size(const kn_world *world)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return 0;
    }
    size_t size = sizeof(snapshot_header) + tag_bits_size(world, world->components.used) +
                  kni_heap_snapshot_size(&world->heap) + kni_wheel_snapshot_size(&world->wheel) +
                  world->pending.count * sizeof(kn_event) +
                  world->pending.cause_count * sizeof(kni_cause_record) +
                  world->pending.cue_count * sizeof(kni_cue_params) + world->pending.byte_count +
                  world->pending.change_count * sizeof(kni_cue_change) + own_streams_size(world);
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        size += kni_pool_snapshot_size(kni_world_pool(world, i));
    }
    for (uint32_t i = 0; i < extension_count(world); i++) {
        const kni_extension *extension = &world->extensions[i];
        size += sizeof(snapshot_extension) + kni_pool_snapshot_size(&extension->pool) +
                by_entity_count(world, extension) * sizeof(uint32_t);
    }
    for (uint32_t i = 0; i < world->layout_count; i++) {
        size += sizeof(uint32_t) + world->layouts[i].set_count * sizeof(kni_set_instance);
    }
    return size;
}

// Taking --------------------------------------------------------------------

static uint8_t *bytes_put(uint8_t *out, const void *data, size_t size)
{
    if (size > 0) {
        memcpy(out, data, size);
    }
    return out + size;
}

static snapshot_header header_of(const kn_world *world)
{
    snapshot_header header;
    memset(&header, 0, sizeof(header));
    header.magic = SNAPSHOT_MAGIC;
    header.version = SNAPSHOT_VERSION;
    header.library = world->library;
    header.library_hash = world->library->hash;
    header.type_hash = kni_dynamic_types_hash(world, world->type_count);
    header.heap_used = world->heap.used;
    header.now = world->now;
    header.targeting_now = world->targeting_now;
    header.next_number = world->next_number;
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        header.pool_used[i] = kni_world_pool(world, i)->used;
    }
    header.type_count = world->type_count;
    header.layout_count = world->layout_count;
    for (uint32_t i = 0; i < world->layout_count; i++) {
        header.set_count += world->layouts[i].set_count;
    }
    header.denied_count = world->denied_count;
    header.unstarted_tasks = world->unstarted_tasks;
    header.targeting_tasks = world->targeting_tasks;
    header.priced = world->priced;
    header.touch_last = world->touch_last;
    header.stamp = world->stamp;
    header.event_count = world->pending.count;
    header.cue_count = world->pending.cue_count;
    header.change_count = world->pending.change_count;
    header.byte_count = world->pending.byte_count;
    header.note_last1 = world->pending.note_last1;
    header.cause_count = world->pending.cause_count;
    header.cause_base = world->pending.cause_base;
    header.seed = world->seed;
    memcpy(header.streams, world->streams, sizeof(header.streams));
    return header;
}

kn_result kn_snapshot_take(const kn_world *world, void *buffer, size_t size, size_t *written)
{
    if (written != NULL) {
        *written = 0;
    }
    if (world == NULL || buffer == NULL) {
        KN_ASSERT(world != NULL && buffer != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (world->depth > 0 || world->is_stepping) {
        return KN_ERROR_WORLD_LOCKED;
    }
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    size_t needed = kn_snapshot_size(world);
    if (written != NULL) {
        *written = needed;
    }
    if (size < needed) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    snapshot_header header = header_of(world);
    header.size = needed;
    uint8_t *out = bytes_put(buffer, &header, sizeof(header));
    for (uint32_t i = 0; i < world->layout_count; i++) {
        const kni_layout *layout = &world->layouts[i];
        out = bytes_put(out, &layout->set_count, sizeof(layout->set_count));
        out = bytes_put(out, layout->sets, layout->set_count * sizeof(kni_set_instance));
    }
    for (uint32_t i = 0; i < extension_count(world); i++) {
        const kni_extension *extension = &world->extensions[i];
        snapshot_extension info = {
            extension->pool.used, extension->world_slot1, by_entity_count(world, extension)};
        out = bytes_put(out, &info, sizeof(info));
    }
    out = kni_wheel_snapshot(&world->wheel, out);
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        out = kni_pool_snapshot(kni_world_pool(world, i), out);
    }
    out = kni_heap_snapshot(&world->heap, out);
    out = bytes_put(out, world->tag_bits, tag_bits_size(world, world->components.used));
    for (uint32_t i = 0; i < extension_count(world); i++) {
        const kni_extension *extension = &world->extensions[i];
        out = kni_pool_snapshot(&extension->pool, out);
        out = bytes_put(out, extension->by_entity,
            by_entity_count(world, extension) * sizeof(*extension->by_entity));
    }
    out = bytes_put(out, world->pending.events, world->pending.count * sizeof(kn_event));
    out = bytes_put(
        out, world->pending.causes, world->pending.cause_count * sizeof(kni_cause_record));
    out = bytes_put(out, world->pending.cues, world->pending.cue_count * sizeof(kni_cue_params));
    out = bytes_put(
        out, world->pending.changes, world->pending.change_count * sizeof(kni_cue_change));
    out = bytes_put(out, world->pending.bytes, world->pending.byte_count);
    out = bytes_put(out, &world->streams[KNI_STREAM_COUNT], own_streams_size(world));
    KN_ASSERT(out == (uint8_t *)buffer + needed);
    return KN_OK;
}

// Restoring -----------------------------------------------------------------

// Where the parts after the header begin.
typedef struct snapshot_parts {
    const uint8_t *layouts;
    const uint8_t *extensions;
    const uint8_t *wheel;
} snapshot_parts;

static bool header_is_ours(const kn_world *world, const snapshot_header *header, size_t size)
{
    return header->magic == SNAPSHOT_MAGIC && header->version == SNAPSHOT_VERSION &&
           header->size <= size && header->library == world->library &&
           header->library_hash == world->library->hash &&
           header->type_count <= world->type_count &&
           header->type_hash == kni_dynamic_types_hash(world, header->type_count);
}

static snapshot_parts parts_of(
    const kn_world *world, const snapshot_header *header, const uint8_t *buffer)
{
    snapshot_parts parts = {.layouts = buffer + sizeof(*header)};
    parts.extensions = parts.layouts + header->layout_count * sizeof(uint32_t) +
                       header->set_count * sizeof(kni_set_instance);
    parts.wheel = parts.extensions + extension_count(world) * sizeof(snapshot_extension);
    return parts;
}

static bool layout_is(const kni_layout *layout, const kni_set_instance *sets, uint32_t count)
{
    bool same = layout->set_count == count;
    for (uint32_t i = 0; same && i < count; i++) {
        same = layout->sets[i].set == sets[i].set && layout->sets[i].key == sets[i].key;
    }
    return same;
}

// Finds or makes one of the snapshot's layouts here; mostly it has the same index. KNI_NONE when
// out of memory.
static uint32_t layout_read(kn_world *world, uint32_t index, const uint8_t **in)
{
    kni_set_instance sets[SNAPSHOT_SETS_MAX];
    uint32_t count;
    memcpy(&count, *in, sizeof(count));
    *in += sizeof(count);
    KN_ASSERT(count <= SNAPSHOT_SETS_MAX);
    if (count > 0) {
        memcpy(sets, *in, count * sizeof(*sets));
        *in += count * sizeof(*sets);
    }
    if (index < world->layout_count && layout_is(&world->layouts[index], sets, count)) {
        return index;
    }
    return kni_layout_find(world, sets, count);
}

static bool layouts_ensure(
    kn_world *world, const snapshot_header *header, const uint8_t *in, bool *same)
{
    *same = true;
    for (uint32_t i = 0; i < header->layout_count; i++) {
        uint32_t here = layout_read(world, i, &in);
        if (here == KNI_NONE) {
            return false;
        }
        *same &= here == i;
    }
    return true;
}

static bool reserve_extensions(kn_world *world, const uint8_t *in)
{
    for (uint32_t i = 0; i < extension_count(world); i++) {
        kni_extension *extension = &world->extensions[i];
        snapshot_extension info;
        memcpy(&info, in + i * sizeof(info), sizeof(info));
        uint32_t old = extension->by_entity_capacity;
        if (!kni_pool_reserve(&extension->pool, &world->memory, info.pool_used) ||
            !kni_grow(&world->memory, &extension->by_entity, &extension->by_entity_capacity,
                info.entity_count, sizeof(*extension->by_entity))) {
            return false;
        }
        if (extension->by_entity_capacity > old) {
            memset(extension->by_entity + old, 0,
                (extension->by_entity_capacity - old) * sizeof(*extension->by_entity));
        }
    }
    return true;
}

static bool reserve_all(kn_world *world, const snapshot_header *header, const snapshot_parts *parts)
{
    kni_memory *memory = &world->memory;
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        if (!kni_pool_reserve(kni_world_pool(world, i), memory, header->pool_used[i])) {
            return false;
        }
    }
    if (header->heap_used > world->heap.capacity &&
        !kni_heap_reserve(&world->heap, memory, header->heap_used - world->heap.used)) {
        return false;
    }
    uint32_t with_timers =
        header->pool_used[KNI_POOL_TIMERS] > 0 ? header->pool_used[KNI_POOL_ENTITIES] : 0;
    return kni_tag_bits_reserve(world) && reserve_extensions(world, parts->extensions) &&
           kni_timers_reserve(world, with_timers) &&
           (header->pool_used[KNI_POOL_WATCHES] == 0 ||
               kni_watches_reserve(world, header->pool_used[KNI_POOL_ENTITIES])) &&
           (header->pool_used[KNI_POOL_TAG_BLOCKS] == 0 ||
               kni_tag_blocks_reserve(world, header->pool_used[KNI_POOL_ENTITIES])) &&
           kni_commands_reserve(world, header->pool_used[KNI_POOL_COMMANDS]) &&
           kni_grow(memory, &world->pending.events, &world->pending.capacity, header->event_count,
               sizeof(kn_event)) &&
           kni_grow(memory, &world->pending.causes, &world->pending.cause_capacity,
               header->cause_count, sizeof(kni_cause_record)) &&
           kni_grow(memory, &world->pending.cues, &world->pending.cue_capacity, header->cue_count,
               sizeof(kni_cue_params)) &&
           kni_grow(memory, &world->pending.changes, &world->pending.change_capacity,
               header->change_count, sizeof(kni_cue_change)) &&
           kni_grow(
               memory, &world->pending.bytes, &world->pending.byte_capacity, header->byte_count, 1);
}

static const uint8_t *bytes_take(const uint8_t *in, void *data, size_t size)
{
    if (size > 0) {
        memcpy(data, in, size);
    }
    return in + size;
}

static const uint8_t *restore_extensions(kn_world *world, const uint8_t *infos, const uint8_t *in)
{
    for (uint32_t i = 0; i < extension_count(world); i++) {
        kni_extension *extension = &world->extensions[i];
        snapshot_extension info;
        memcpy(&info, infos + i * sizeof(info), sizeof(info));
        in = kni_pool_restore(&extension->pool, &world->memory, in);
        in =
            bytes_take(in, extension->by_entity, info.entity_count * sizeof(*extension->by_entity));
        if (extension->by_entity_capacity > info.entity_count) {
            memset(extension->by_entity + info.entity_count, 0,
                (extension->by_entity_capacity - info.entity_count) *
                    sizeof(*extension->by_entity));
        }
        extension->world_slot1 = info.world_slot1;
    }
    return in;
}

// Another world's indices of layouts become ours.
static void layouts_translate(kn_world *world, const snapshot_header *header, const uint8_t *in)
{
    // The lowest index is translated first, and none twice: what is done is marked.
    const uint32_t done = 0x80000000u;
    for (uint32_t i = 0; i < header->layout_count; i++) {
        uint32_t here = layout_read(world, i, &in);
        KNI_POOL_EACH(c, &world->components) {
            if (kni_component_at(world, c)->layout == i) {
                kni_component_at(world, c)->layout = here | done;
            }
        }
    }
    KNI_POOL_EACH(c, &world->components) {
        kni_component_at(world, c)->layout &= ~done;
    }
}

static void restore_rest(
    kn_world *world, const snapshot_header *header, const snapshot_parts *parts, const uint8_t *in)
{
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        in = kni_pool_restore(kni_world_pool(world, i), &world->memory, in);
    }
    in = kni_heap_restore(&world->heap, &world->memory, in);
    in = bytes_take(in, world->tag_bits, tag_bits_size(world, world->components.used));
    in = restore_extensions(world, parts->extensions, in);
    kni_extensions_replaced(world, world);
    in = bytes_take(in, world->pending.events, header->event_count * sizeof(kn_event));
    in = bytes_take(in, world->pending.causes, header->cause_count * sizeof(kni_cause_record));
    in = bytes_take(in, world->pending.cues, header->cue_count * sizeof(kni_cue_params));
    in = bytes_take(in, world->pending.changes, header->change_count * sizeof(kni_cue_change));
    in = bytes_take(in, world->pending.bytes, header->byte_count);
    in = bytes_take(in, &world->streams[KNI_STREAM_COUNT], own_streams_size(world));
    KN_ASSERT((size_t)(in - parts->layouts) + sizeof(*header) == header->size);
    world->pending.cue_count = header->cue_count;
    world->pending.change_count = header->change_count;
    world->pending.byte_count = header->byte_count;
    world->pending.note_last1 = header->note_last1;
    world->published.cue_count = 0;
    world->published.byte_count = 0;
    world->published.note_last1 = 0;
    world->pending.count = header->event_count;
    world->log.told = 0;
    world->pending.cause_count = header->cause_count;
    world->pending.cause_base = header->cause_base;
    world->published.count = 0;
    world->published.cause_count = 0;
    kni_timers_link_all(world);
    kni_watches_link_all(world);
    kni_tag_blocks_link_all(world);
    kni_commands_order_all(world);
    world->seed = header->seed;
    memcpy(world->streams, header->streams, sizeof(header->streams));
    world->now = header->now;
    (void)kni_systems_restore(world);
    KNI_POOL_EACH(i, &world->actors) { // of another world, perhaps
        world->heard |= kni_actor_at(world, i)->watch_mask;
    }
    world->targeting_now = header->targeting_now;
    world->next_number = header->next_number;
    world->denied_count = header->denied_count;
    world->unstarted_tasks = header->unstarted_tasks;
    world->targeting_tasks = header->targeting_tasks;
    world->priced = header->priced;
    // Marks of past propagations and publications must stay in the past.
    world->stamp = header->stamp > world->stamp ? header->stamp : world->stamp;
    world->touch_last =
        header->touch_last > world->touch_last ? header->touch_last : world->touch_last;
    kni_touch_stop(world);
    world->depth = 0;
    world->held = 0;
    world->hook_depth = 0;
    world->logic = NULL;
    world->is_stepping = false;
    world->is_broken = false;
    world->batch = (kni_batch){.parts = 0};
    world->chain_root = 0; // a cause may come again under the same number
    world->cause = 0;
    world->reaction_total = 0;
    world->work_done = 0;
    world->reaction_first = 0;
    world->reaction_count = 0;
    kni_records_reset(world);
    world->node_count = 0;
}

kn_result kn_snapshot_restore(kn_world *world, const void *buffer, size_t size)
{
    if (world == NULL || buffer == NULL) {
        KN_ASSERT(world != NULL && buffer != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_is_outside(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    snapshot_header header;
    if (size < sizeof(header)) {
        return KN_ERROR_BAD_DATA;
    }
    memcpy(&header, buffer, sizeof(header));
    if (!header_is_ours(world, &header, size)) {
        return KN_ERROR_BAD_DATA;
    }
    snapshot_parts parts = parts_of(world, &header, buffer);
    bool same_layouts;
    if (!layouts_ensure(world, &header, parts.layouts, &same_layouts) ||
        !reserve_all(world, &header, &parts)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    const uint8_t *in = kni_wheel_restore(&world->wheel, &world->memory, parts.wheel);
    if (in == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    restore_rest(world, &header, &parts, in);
    kni_marks_all(world);
    if (!same_layouts) {
        layouts_translate(world, &header, parts.layouts);
    }
    kni_validate_call(world);
    return KN_OK;
}
