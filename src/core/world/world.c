// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Creating and stepping a world, and what every call does first and last.

#include "ability/actor.h"
#include "ability/task.h"
#include "world/state_tables.h"

#include "base/text.h"

_Static_assert(sizeof(float) == 4, "attributes are 32-bit floats");
#include <float.h>
#if defined(FLT_EVAL_METHOD)
_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated as floats");
#endif

// Creation ------------------------------------------------------------------

kn_world_def kn_world_def_default(void)
{
    kn_world_def def = {
        .seed = 1,
        .chain_limit = 64,
        .reaction_limit = 1000000,
        .random_stream_count = 8,
        .event_mask = ~(UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED |
                        UINT64_C(1) << KN_EVENT_TAG_COUNT | UINT64_C(1) << KN_EVENT_ABILITY_STATUS),
        .cookie = KNI_COOKIE,
    };
    return def;
}

static void world_seed(kn_world *world)
{
    for (uint32_t i = 0; i < KNI_STREAM_COUNT; i++) {
        kni_random_seed(&world->streams[i], world->def.seed, i);
    }
    world->seed = world->def.seed;
}

static uint32_t headroom_wanted(const kn_world *world)
{
    uint32_t size = world->entities.count + world->effects.count, records = KNI_HEADROOM_FIRST;
    while (records < KNI_HEADROOM && 4 * records < size) {
        records *= 2;
    }
    return records;
}

static bool buffer_reserve(kn_world *world, kni_event_buffer *buffer, uint32_t events)
{
    kni_memory *memory = &world->memory;
    return kni_grow(memory, &buffer->events, &buffer->capacity, events, sizeof(kn_event)) &&
           kni_grow(
               memory, &buffer->causes, &buffer->cause_capacity, events, sizeof(kni_cause_record));
}

// What the host asked for, and beyond that what a call finds.
static bool world_reserve(kn_world *world, const kn_world_def *def)
{
    kni_memory *memory = &world->memory;
    bool is_small = def->entity_capacity == 0 && def->effect_capacity == 0;
    uint32_t spare = is_small ? KNI_HEADROOM_FIRST : KNI_HEADROOM;
    return kni_pool_reserve(&world->entities, memory, def->entity_capacity + spare) &&
           kni_pool_reserve(&world->components, memory, def->component_capacity + spare) &&
           kni_pool_reserve(&world->effects, memory, def->effect_capacity + spare) &&
           kni_heap_reserve(
               &world->heap, memory, def->heap_capacity + spare * KNI_HEADROOM_BYTES) &&
           kni_wheel_reserve_entries(&world->wheel, memory, def->effect_capacity) &&
           buffer_reserve(world, &world->pending, def->event_capacity) &&
           buffer_reserve(world, &world->published, def->event_capacity) &&
           kni_headroom(world, spare);
}

static bool world_types_init(kn_world *world)
{
    uint32_t count = world->library->registries[KN_DEF_EFFECT].count;
    if (!kni_grow(&world->memory, &world->types, &world->type_capacity, count + 1,
            sizeof(*world->types))) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        world->types[i] = KNI_ITEM(world->library, KN_DEF_EFFECT, const kni_effect_type, i);
        world->keeps_source_tags |= kni_type_filters_sources(world->types[i]);
    }
    world->type_count = count;
    return true;
}

kn_result kn_world_create(const kn_world_def *def, kn_world **out)
{
    if (out == NULL || def == NULL || def->cookie != KNI_COOKIE) {
        KN_ASSERT(out != NULL);
        KNI_ASSERT_DEF(def, kn_world_def);
        if (out != NULL) {
            *out = NULL;
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def->library == NULL || !def->library->finished) {
        kni_log_hooks(&def->hooks, KN_LOG_WORLD, KN_ERROR_INVALID_ARGUMENT,
            def->library == NULL
                ? "a world needs a library: set `library` of kn_world_def"
                : "a world needs a finished library: call kn_library_finish() first");
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (def->start < 0 || def->start > KN_TIME_MAX || def->random_stream_count > KNI_STREAM_MAX ||
        def->entity_capacity > KNI_POOL_MAX / 2 || def->component_capacity > KNI_POOL_MAX / 2 ||
        def->effect_capacity > KNI_POOL_MAX / 2) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_memory memory;
    kni_memory_init(&memory, &def->hooks);
    kn_world *world = kni_realloc(&memory, NULL, 0, sizeof(*world));
    if (world == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(world, 0, sizeof(*world));
    world->memory = memory;
    world->def = *def;
    world->reports = &world->reports_told;
    world->work = &world->work_done;
    world->hooks = def->hooks;
    world->library = def->library;
    kni_library_retain(world->library);
    world->now = def->start;
    world->next_number = 1;
    world->stamp = 1; // 0 is of no propagation
    world->deferred_component = KNI_NONE;
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        kni_pool_init(kni_world_pool(world, i), kni_pools[i].record_size);
    }
    kni_heap_init(&world->heap);
    kni_wheel_init(&world->wheel);
    kni_wheel_reset(&world->wheel, world->now);
    world->tag_words = kn_tag_count(world->library) / 64 + 1;
    world->tag_limit = 64 * world->tag_words;
    world->event_mask = def->event_mask;
    world->wanted = def->event_mask;
    kni_log_init(world);
    world_seed(world);
    if (!world_types_init(world) || !kni_extensions_init(world) || !world_reserve(world, def) ||
        kni_layout_find(world, NULL, 0) == KNI_NONE) {
        kn_world_destroy(world);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = world;
    return KN_OK;
}

void kn_world_destroy(kn_world *world)
{
    if (world == NULL) {
        return;
    }
    kni_memory *memory = &world->memory;
    uint32_t library_types = world->library->registries[KN_DEF_EFFECT].count;
    for (uint32_t i = library_types; i < world->type_count; i++) {
        kni_effect_type *type;
        memcpy(&type, &world->types[i], sizeof(type));
        kni_effect_type_free(memory, type);
        kni_strfree(memory, type->name);
        kni_free(memory, type, sizeof(*type));
    }
    kni_free(memory, world->types, world->type_capacity * sizeof(*world->types));
    for (uint32_t i = 0; i < world->layout_count; i++) {
        kni_layout *layout = &world->layouts[i];
        kni_free(memory, layout->sets, layout->set_count * sizeof(kni_set_instance));
        kni_free(
            memory, layout->positions, (kn_attribute_count(world->library) + 1) * sizeof(uint16_t));
    }
    kni_free(memory, world->layouts, world->layout_capacity * sizeof(kni_layout));
    kni_extensions_free(world);
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        kni_pool_free(kni_world_pool(world, i), memory);
    }
    kni_free(memory, world->timer_firsts, world->timer_firsts_capacity * sizeof(uint32_t));
    kni_heap_free(&world->heap, memory);
    kni_wheel_free(&world->wheel, memory);
    if (world->tag_bits != NULL) {
        kni_free(memory, world->tag_bits - world->tag_words,
            ((size_t)world->tag_bits_capacity + 1) * world->tag_words * sizeof(uint64_t));
    }
    kni_free(memory, world->tag_scratch,
        world->tag_scratch != NULL ? 3 * world->tag_words * sizeof(uint64_t) : 0);
    kni_event_buffer *buffers[2] = {&world->pending, &world->published};
    for (uint32_t i = 0; i < 2; i++) {
        kni_free(memory, buffers[i]->events, buffers[i]->capacity * sizeof(kn_event));
        kni_free(memory, buffers[i]->causes, buffers[i]->cause_capacity * sizeof(kni_cause_record));
        kni_free(memory, buffers[i]->cues, buffers[i]->cue_capacity * sizeof(kni_cue_params));
        kni_free(memory, buffers[i]->changes, buffers[i]->change_capacity * sizeof(kni_cue_change));
        kni_free(memory, buffers[i]->bytes, buffers[i]->byte_capacity);
    }
    kni_free(memory, world->reactions, world->reaction_capacity * sizeof(kni_queued));
    kni_free(memory, world->nodes, world->node_capacity * sizeof(uint32_t));
    kni_free(memory, world->deferred, world->deferred_capacity * sizeof(uint32_t));
    kni_free(memory, world->listeners, world->listener_capacity * sizeof(kni_listener));
    kni_log_free(world);
    kn_library *library;
    memcpy(&library, &world->library, sizeof(library));
    kni_memory last = *memory;
    kni_free(&last, world, sizeof(*world));
    kn_library_destroy(library);
}

const kn_library *kn_world_library(const kn_world *world)
{
    return world != NULL ? world->library : NULL;
}

// Calls ---------------------------------------------------------------------

static bool pool_headroom(kn_world *world, kni_pool *pool, uint32_t headroom)
{
    if (pool->capacity - pool->count >= headroom) {
        return true;
    }
    // Half as much again, so that growing stays rare.
    return kni_pool_reserve(pool, &world->memory, pool->count + pool->count / 2 + headroom);
}

bool kni_headroom(kn_world *world, uint32_t records)
{
    kni_memory *memory = &world->memory;
    kni_event_buffer *pending = &world->pending;
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        if (!pool_headroom(world, kni_world_pool(world, i), records / kni_pools[i].rarity)) {
            return false;
        }
    }
    return kni_tag_bits_reserve(world) &&
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
               sizeof(uint32_t));
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
    world->headroom_calls = 0; // the next call looks again
}

kn_result kni_enter_slow(kn_world *world)
{
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    if (world->depth == 0) {
        kni_heap_settle(&world->heap, &world->memory); // what was handed out is no longer in use
    }
    if (world->is_moving) {
        memory_move(world);
    }
    uint32_t records = headroom_wanted(world);
    if (kni_headroom(world, records)) {
        world->headroom_calls = world->is_moving ? 1 : records / KNI_HEADROOM_PER_CALL;
        return KN_OK;
    }
    // A call from within goes on with the room there is, and only a block that is really needed and
    // cannot be had breaks the world.
    if (world->depth == 0) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    world->headroom_calls = 1;
    return KN_OK;
}

static void drain_one(kn_world *world, const kni_queued *queued)
{
    switch (queued->kind) {
    case KNI_REACT_RULE: {
        const kni_rule *rule = KNI_ITEM(world->library, KN_DEF_RULE, kni_rule, queued->index);
        kn_cause previous;
        if (kni_cause_begin(world, KN_CAUSE_RULE, queued->reaction.entity, queued->reaction.effect,
                queued->reaction.effect_type, queued->reaction.tag.index1, &previous)) {
            kn_reaction reaction = queued->reaction;
            reaction.cause = world->cause;
            rule->def.function(rule->def.user, world, &reaction);
            kni_cause_end(world, previous);
        }
        break;
    }
    case KNI_REACT_RECHECK: {
        uint32_t slot = kni_effect_find(world, queued->effect);
        if (slot != KNI_NONE) {
            kni_effect_recheck(world, slot);
        }
        break;
    }
    case KNI_REACT_SPEC: {
        kn_spec_id spec = {queued->index, queued->effect.generation};
        kn_effect_id child;
        kn_result result = kn_spec_apply(world, spec, queued->entity, &child);
        kn_spec_destroy(world, spec);
        // An effect that is held, or ends with its parent, is noted there.
        uint32_t parent = kni_effect_find(world, queued->reaction.effect);
        if (result == KN_OK && child.index1 != 0 && queued->reaction.key != 0) {
            kni_claim hold;
            kni_claim_begin(world, child, &hold);
            if (parent == KNI_NONE) {
                kni_claim_end(world, child, &hold, KN_REMOVED_PARENT_ENDED);
            } else {
                kni_ext *ext = kni_ext_at(world, kni_effect_at(world, parent)->ext1);
                kni_child_link *link = kni_span_push(
                    &world->heap, &world->memory, &ext->children, sizeof(kni_child_link));
                if (link == NULL) {
                    kni_break(world);
                    break;
                }
                link->effect = child;
                link->child = queued->reaction.key - 1;
                link->stacks = hold.stacks;
                link->start = hold.start;
                link->source = hold.source;
            }
        }
        break;
    }
    case KNI_REACT_DESTROY:
        kni_entity_destroy_now(world, queued->entity);
        break;
    case KNI_REACT_WATCH:
        kni_watch_run(world, queued);
        break;
    case KNI_REACT_ANSWER:
        kni_task_answer(world, queued);
        break;
    case KNI_REACT_CALL:
        kni_postponed_run(world, &queued->call);
        break;
    case KNI_REACT_LET_GO:
        kni_claim_end(world, queued->effect, &queued->hold, queued->reason);
        break;
    case KNI_REACT_REMOVE: {
        uint32_t slot = kni_effect_find(world, queued->effect);
        if (slot != KNI_NONE) {
            kni_effect_end(world, slot, queued->reason);
        }
        break;
    }
    }
}

void kni_drain(kn_world *world)
{
    KN_ASSERT(world->held == 0);
    kn_cause cause = world->cause;
    while (world->reaction_first < world->reaction_count && !world->is_broken) {
        kni_queued queued = world->reactions[world->reaction_first++];
        // What only takes away always comes to an end, and rechecks are cut as chains.
        bool must_run = queued.kind == KNI_REACT_DESTROY || queued.kind == KNI_REACT_REMOVE ||
                        queued.kind == KNI_REACT_LET_GO || queued.kind == KNI_REACT_RECHECK ||
                        (queued.kind == KNI_REACT_CALL && kni_call_only_removes(&queued.call));
        if (++world->reaction_total > world->def.reaction_limit && !must_run) {
            if (queued.kind == KNI_REACT_SPEC) {
                kn_spec_destroy(world, (kn_spec_id){queued.index, queued.effect.generation});
            }
            if (queued.payload1 != 0) {
                kni_payload_release(world, queued.payload1);
            }
            if (world->reaction_total == world->def.reaction_limit + 1) {
                kni_emit_error(world, KN_REFUSED_LIMIT, queued.entity, 0, 0, world->reaction_total);
            }
            continue;
        }
        world->cause = queued.cause;
        drain_one(world, &queued);
    }
    world->cause = cause;
    world->reaction_first = 0;
    world->reaction_count = 0;
    if (!world->is_stepping) {
        world->reaction_total = 0;
    }
}

kni_queued *kni_react(kn_world *world, kni_reaction_kind kind)
{
    if (!kni_grow(&world->memory, &world->reactions, &world->reaction_capacity,
            world->reaction_count + 1, sizeof(kni_queued))) {
        kni_break(world);
        return &world->lost_reaction;
    }
    kni_queued *queued = &world->reactions[world->reaction_count++];
    memset(queued, 0, sizeof(*queued));
    queued->kind = kind;
    queued->cause = world->cause;
    return queued;
}

// Stepping ------------------------------------------------------------------

kn_result kn_world_step(kn_world *world, kn_time dt)
{
    if (world == NULL || dt < 0 || dt > KN_TIME_MAX - world->now) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (world->depth > 0 || world->is_stepping || world->is_publishing) {
        return KN_ERROR_WORLD_LOCKED;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    world->is_stepping = true;
    world->reaction_total = 0;
    world->timers_at_once = 0;
    kn_time end = world->now + dt;
    kni_timer timer;
    bool failed = false;
    while (
        !world->is_broken && kni_wheel_pop(&world->wheel, &world->memory, end, &timer, &failed)) {
        kni_timer_fire(world, &timer);
        if (world->reaction_count > 0) {
            kni_drain(world);
        }
    }
    if (failed) {
        kni_break(world);
    }
    world->cause = 0;
    world->work_done = 0;
    world->reaction_total = 0;
    world->depth = 0;
    world->is_stepping = false;
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    world->now = end;
    kni_heap_settle(&world->heap, &world->memory);
    if (kni_wheel_wants_sweep(&world->wheel)) {
        kni_wheel_sweep(&world->wheel, kni_timer_alive, world);
    }
    kni_publish(world);
    return KN_OK;
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
        .components = world->components.count,
        .effects = world->effects.count,
        .timers = world->wheel.count - world->wheel.dead,
    };
    for (uint32_t i = kni_pool_next(&world->aggregators, 0); i != KNI_NONE;
         i = kni_pool_next(&world->aggregators, i + 1)) {
        stats.modifiers += kni_aggregator_at(world, i)->mods.count;
    }
    for (uint32_t i = kni_pool_next(&world->effects, 0); i != KNI_NONE;
         i = kni_pool_next(&world->effects, i + 1)) {
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

static kni_random *world_stream(kn_world *world, uint32_t stream)
{
    if (world == NULL) {
        return NULL;
    }
    if (stream < world->def.random_stream_count) {
        return &world->streams[stream];
    }
    if (stream == KN_STREAM_CHANCE) {
        return &world->streams[KNI_STREAM_MAX];
    }
    return stream == KN_STREAM_INIT ? &world->streams[KNI_STREAM_MAX + 1] : NULL;
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
