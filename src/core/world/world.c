// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What every public call does first, and queries about the world itself: statistics, time, random
// numbers.

#include "world/state_tables.h"

// Calls ---------------------------------------------------------------------

static uint32_t headroom_wanted(const kn_world *world)
{
    uint32_t size = world->entities.count + world->effects.count, records = KNI_HEADROOM_FIRST;
    while (records < KNI_HEADROOM && 4 * records < size) {
        records *= 2;
    }
    // No more than a world reserves beyond its capacities: filling them must not make it grow.
    return records < KNI_HEADROOM ? records : KNI_HEADROOM;
}

// In the pools from `first` to before `end`.
static inline bool pools_headroom(kn_world *world, uint32_t first, uint32_t end, uint32_t headroom)
{
    for (uint32_t i = first; i < end; i++) {
        kni_pool *pool = kni_world_pool(world, i);
        // Half as much again, so that growing stays rare.
        if (pool->capacity - pool->count < headroom &&
            !kni_pool_reserve(pool, &world->memory, pool->count + pool->count / 2 + headroom)) {
            return false;
        }
    }
    return true;
}

bool kni_headroom(kn_world *world, uint32_t records)
{
    kni_memory *memory = &world->memory;
    kni_event_buffer *pending = &world->pending;
    // Every other call takes a plain record. Later kinds are added by calls that fail cleanly
    // without memory.
    return pools_headroom(world, 0, KNI_POOL_FIRST_PLAIN, records) &&
           pools_headroom(world, KNI_POOL_FIRST_PLAIN, KNI_POOL_FIRST_LATER, records / 2) &&
           kni_tag_bits_reserve(world) &&
           kni_heap_reserve(&world->heap, memory, (size_t)records * KNI_HEADROOM_BYTES) &&
           kni_wheel_reserve(&world->wheel, memory, 2 * records) &&
           kni_grow(memory, &pending->events, &pending->capacity, pending->count + 4 * records,
               sizeof(kn_event)) &&
           kni_grow(memory, &pending->causes, &pending->cause_capacity,
               pending->cause_count + records, sizeof(kni_cause_record)) &&
           kni_grow(memory, &pending->cues, &pending->cue_capacity,
               pending->cue_count + records / 4, sizeof(kni_cue_params)) &&
           kni_grow(memory, &pending->changes, &pending->change_capacity,
               pending->change_count + records / 4, sizeof(kni_cue_change)) &&
           kni_grow(memory, &pending->bytes, &pending->byte_capacity,
               pending->byte_count + 32 * records, 1) &&
           kni_grow(memory, &world->reactions, &world->reaction_capacity,
               world->reaction_count + records, sizeof(kni_queued)) &&
           kni_grow(memory, &world->nodes, &world->node_capacity, world->node_count + records,
               sizeof(kni_visit));
}

static void memory_move(kn_world *world)
{
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        kni_pool_move(kni_world_pool(world, i), &world->memory);
    }
    for (uint32_t i = 0; i < world->library->registries[KN_DEF_COMPONENT].count; i++) {
        kni_pool_move(&world->extensions[i].pool, &world->memory);
    }
    kni_heap_move(&world->heap, &world->memory);
}

void kn_world_set_moving(kn_world *world, bool is_moving)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return;
    }
    world->is_moving = is_moving;
    world->headroom_calls = 0; // the next call checks again
}

kn_result kni_enter_slow(kn_world *world)
{
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    if (world->depth == 0) {
        kni_heap_settle(&world->heap, &world->memory); // no view of it is in use any more
    }
    if (world->is_moving) {
        memory_move(world);
    }
    uint32_t records = headroom_wanted(world);
    if (kni_headroom(world, records)) {
        world->headroom_calls = world->is_moving ? 1 : records / KNI_HEADROOM_PER_CALL;
        return KN_OK;
    }
    // A nested call continues with the room there is; only a block that is really needed and cannot
    // be allocated breaks the world.
    if (world->depth == 0) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    world->headroom_calls = 1;
    return KN_OK;
}

kn_result kn_world_call(kn_world *world, kn_world_call_fn *function, void *user)
{
    KN_ASSERT(function != NULL);
    if (function == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, function(user, world));
}

// Queries --------------------------------------------------------------------

const kn_library *kn_world_library(const kn_world *world)
{
    return world != NULL ? world->library : NULL;
}

kn_hooks kn_world_hooks(const kn_world *world)
{
    return world != NULL ? world->hooks : (kn_hooks){0};
}

bool kn_world_is_locked(const kn_world *world)
{
    return world != NULL && !kni_is_outside(world);
}

uint64_t kn_world_count_work(const kn_world *world, uint64_t amount)
{
    if (world == NULL || world->depth == 0) {
        return amount;
    }
    *world->work += amount;
    return *world->work;
}

kn_time kn_world_now(const kn_world *world)
{
    return world != NULL ? world->now : 0;
}

bool kn_world_is_broken(const kn_world *world)
{
    return world != NULL && world->is_broken;
}

kn_world_stats kn_world_get_stats(const kn_world *world)
{
    if (world == NULL) {
        return (kn_world_stats){0};
    }
    kn_world_stats stats = {
        .bytes = world->memory.bytes,
        .allocations = world->memory.allocations,
        .entities = world->entities.count,
        .actors = world->components.count,
        .effects = world->effects.count,
        .timers = world->wheel.count - world->wheel.dead,
    };
    KNI_POOL_EACH(i, &world->aggregators) {
        stats.modifiers += kni_aggregator_at(world, i)->mods.count;
    }
    KNI_POOL_EACH(i, &world->effects) {
        const kni_effect *effect = kni_effect_at(world, i);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        const kni_component *component = kni_component_at(world, effect->component);
        for (uint32_t m = 0; m < type->modifier_count; m++) {
            const kni_modifier *modifier = &type->modifiers[m];
            bool waits = modifier->attribute != KNI_NONE &&
                         (type->flags & (KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED)) == 0 &&
                         kni_position_keyed(world, component, modifier->attribute, modifier->key) ==
                             KNI_NONE;
            stats.parked_modifiers += waits;
        }
    }
    return stats;
}

// Random numbers ------------------------------------------------------------

void kni_own_stream_seed(kn_world *world, uint32_t index)
{
    kni_hash name = kni_hash_begin(KN_STREAM_INIT);
    kni_hash_str(&name, world->library->streams[index].name);
    uint64_t secret = world->library->streams[index].hidden ? world->def.secret : 0;
    kni_random_seed(
        &world->streams[KNI_STREAM_COUNT + index], world->seed ^ secret, kni_hash_end(&name));
}

static kni_random *world_stream(kn_world *world, uint32_t stream)
{
    if (world == NULL) {
        return NULL;
    }
    if (stream == KN_STREAM_CHANCE) {
        return &world->streams[KNI_STREAM_MAX];
    }
    if (stream == KN_STREAM_INIT) {
        return &world->streams[KNI_STREAM_MAX + 1];
    }
    uint32_t own = stream - (KN_STREAM_INIT + 1);
    if (own < world->library->stream_count) {
        return &world->streams[KNI_STREAM_COUNT + own];
    }
    return stream < world->def.random_stream_count ? &world->streams[stream] : NULL;
}

uint32_t kn_random_u32(kn_world *world, uint32_t stream)
{
    kni_random *random = world_stream(world, stream);
    return random != NULL ? kni_random_u32(random) : 0;
}

uint32_t kn_random_below(kn_world *world, uint32_t stream, uint32_t bound)
{
    kni_random *random = world_stream(world, stream);
    return random != NULL && bound > 0 ? kni_random_below(random, bound) : 0;
}

float kn_random_float(kn_world *world, uint32_t stream)
{
    kni_random *random = world_stream(world, stream);
    return random != NULL ? kni_random_float(random) : 0.0f;
}
