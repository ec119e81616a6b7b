// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Creating and destroying a world. This is where the rooms are connected.

#include "base/log_entry.h"
#include "step/step.h"
#include "world/log.h"
#include "world/state_tables.h"

_Static_assert(sizeof(float) == 4, "attributes are 32-bit floats");
#include <float.h>
#if defined(FLT_EVAL_METHOD)
_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated as floats");
#endif

kn_world_def kn_world_def_default(void)
{
    kn_world_def def = {
        .seed = 1,
        .chain_limit = 64,
        .reaction_limit = 1000000,
        .random_stream_count = 8,
        .number_step = 1,
        .event_mask = ~(UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED |
                        UINT64_C(1) << KN_EVENT_TAG_COUNT | UINT64_C(1) << KN_EVENT_ABILITY_STATUS),
        .cookie = KN_COOKIE,
    };
    return def;
}

static const kni_above rooms_above = {
    .drain = kni_drain,
    .effect_matches = kn_effect_matches,
    .log_events = kni_log_events,
    .rates_changed = kni_charges_rate_changed,
    .maximum_changed = kni_charges_maximum_changed,
    .abilities_hold = kni_abilities_hold,
    .grants_begin = kni_grants_begin,
    .grants_end = kni_grants_end,
    .grants_follow = kni_grants_follow,
    .effect_cancels = kni_effect_cancels,
};

static void world_seed(kn_world *world)
{
    for (uint32_t i = 0; i < KNI_STREAM_COUNT; i++) {
        bool is_hidden = i < KNI_STREAM_MAX && (world->library->hidden_streams >> i & 1) != 0;
        uint64_t secret = is_hidden ? world->def.secret : 0;
        kni_random_seed(&world->streams[i], world->def.seed ^ secret, i);
    }
    world->seed = world->def.seed;
    for (uint32_t i = 0; i < world->library->stream_count; i++) {
        kni_own_stream_seed(world, i);
    }
}

static bool buffer_reserve(kn_world *world, kni_event_buffer *buffer, uint32_t events)
{
    kni_memory *memory = &world->memory;
    return kni_grow(memory, &buffer->events, &buffer->capacity, events, sizeof(kn_event)) &&
           kni_grow(
               memory, &buffer->causes, &buffer->cause_capacity, events, sizeof(kni_cause_record));
}

// Reserves what the host asked for, and the headroom of a call on top.
static bool world_reserve(kn_world *world, const kn_world_def *def)
{
    kni_memory *memory = &world->memory;
    bool is_small = def->entity_capacity == 0 && def->effect_capacity == 0;
    uint32_t spare = is_small ? KNI_HEADROOM_FIRST : KNI_HEADROOM;
    return kni_pool_reserve(&world->entities, memory, def->entity_capacity + spare) &&
           kni_pool_reserve(&world->components, memory, def->actor_capacity + spare) &&
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
    if (out == NULL || def == NULL || def->cookie != KN_COOKIE) {
        KN_ASSERT(out != NULL);
        KN_ASSERT_DEF(def, kn_world_def);
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
        def->entity_capacity > KNI_POOL_MAX / 2 || def->actor_capacity > KNI_POOL_MAX / 2 ||
        def->effect_capacity > KNI_POOL_MAX / 2 || def->number_step == 0 ||
        def->number_step > KNI_NUMBER_STEP_MAX || def->own_entities > KN_OWN_ENTITIES_MAX) {
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
    world->is_predicting = def->is_client;
    world->reports = &world->reports_told;
    world->work = &world->work_done;
    world->commands_ordered = &world->ordered_count;
    world->index_memory = &world->memory;
    world->hooks = def->hooks;
    world->library = def->library;
    kni_library_retain(world->library);
    world->now = def->start;
    world->next_number = def->number_step;
    world->stamp = 1; // no aggregator has it: the first propagation gets the next one
    world->visiting = world->stamp;
    world->above = &rooms_above;
    world->heard = world->library->trigger_mask;
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
    if (!world_types_init(world) || !kni_extensions_init(world) || !kni_systems_init(world) ||
        !world_reserve(world, def) || kni_layout_find(world, NULL, 0) == KNI_NONE) {
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
    kni_marks_free(world);
    kni_extensions_free(world);
    kni_systems_free(world);
    kni_records_free(world);
    kni_free(memory, world->watch_lists, world->watch_list_capacity * sizeof(*world->watch_lists));
    kni_free(memory, world->tag_block_lists,
        world->tag_block_list_capacity * sizeof(*world->tag_block_lists));
    for (uint32_t i = 0; i < KNI_POOL_COUNT; i++) {
        kni_pool_free(kni_world_pool(world, i), memory);
    }
    kni_free(memory, world->timer_firsts, world->timer_firsts_capacity * sizeof(uint32_t));
    kni_free(memory, world->command_order, world->command_capacity * sizeof(uint32_t));
    kni_free(memory, world->commands_running, world->running_capacity * sizeof(uint32_t));
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
    kni_free(memory, world->touched, world->touched_capacity * sizeof(*world->touched));
    kni_free(
        memory, world->ability_marks, world->ability_mark_words * sizeof(*world->ability_marks));
    kni_free(memory, world->reactions, world->reaction_capacity * sizeof(kni_queued));
    kni_free(memory, world->nodes, world->node_capacity * sizeof(kni_visit));
    kni_free(memory, world->noted.data, world->noted.capacity * sizeof(uint32_t));
    kni_free(memory, world->listeners, world->listener_capacity * sizeof(kni_listener));
    kni_log_free(world);
    kn_library *library;
    memcpy(&library, &world->library, sizeof(library));
    kni_memory last = *memory;
    kni_free(&last, world, sizeof(*world));
    kn_library_destroy(library);
}
