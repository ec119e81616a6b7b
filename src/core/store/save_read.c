// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reading saves fills a world of its own and exchanges it with the target when everything was good.
// The input is hostile: whatever the running simulation relies on is checked on the way.

#include "store/store.h"

// The components that watches belong to, whose types may have lost or got `several`.
static bool load_watched_components(kni_load *r)
{
    KNI_POOL_EACH(slot, &r->world->watches) {
        kni_watch *watch = kni_pool_at(&r->world->watches, slot);
        const kn_component_def *def =
            kn_component_get_def(r->world->library, watch->component_type);
        if (def != NULL && !def->several) {
            watch->component = (kn_component_id){0};
        } else if (def != NULL && watch->component.index1 == 0) {
            watch->component = kn_component_instance_next(
                r->world, watch->component_type, watch->owner, watch->component);
        }
        bool is_there = kni_watch_component_is_there(r->world, watch);
        if (!is_there && r->is_direct) { // a projection left it out, and with it what ends with it
            kni_forget(r->world, KNI_POOL_WATCHES, slot);
        } else if (!is_there) {
            return kni_load_fail(r, "a watch belongs to a component that is not there");
        }
    }
    return true;
}

bool kni_load_derived(kni_load *r)
{
    if (!load_watched_components(r)) {
        return false;
    }
    kn_result result = kni_rebuild(r->world);
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        return kni_load_no_memory(r);
    }
    if (result != KN_OK) {
        return kni_load_fail(r, "two effects share a number, or a tag count is too high");
    }
    const char *problem = kni_commands_problem(r->world);
    return problem != NULL ? kni_load_fail(r, problem) : kni_load_values_settle(r);
}

static kn_result load_header(kn_reader *reader, uint32_t *out, kn_error *error)
{
    uint32_t magic = kn_read_u32(reader);
    uint32_t version = kn_read_u32(reader);
    *out = version;
    uint64_t length = kn_read_u64(reader);
    uint64_t checksum = kn_read_u64(reader);
    if (reader->failed || magic != SAVE_MAGIC) {
        return kni_error(error, KN_ERROR_BAD_DATA, "this is not a save");
    }
    if (version == 0 || version > KN_SAVE_VERSION) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "the save has version %u, this library reads up to version %u", version,
            (uint32_t)KN_SAVE_VERSION);
    }
    if (length != reader->size) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "the save is truncated, or has extra bytes at its end");
    }
    if (checksum != kni_save_checksum(reader->data, reader->size)) {
        return kni_error(error, KN_ERROR_BAD_DATA, "the save is damaged: wrong checksum");
    }
    return KN_OK;
}

static bool load_all(kni_load *r)
{
    (void)kn_read_u64(&r->all); // the hash of the library that wrote it: for people
    return kni_load_names(r) && kni_load_layouts(r) && kni_load_types(r) && kni_load_world(r) &&
           kni_load_entities(r) && kni_load_components(r) && kni_load_links(r) &&
           kni_load_effects(r) && kni_load_tags(r) && kni_load_specs(r) && kni_load_timers(r) &&
           kni_load_actors(r) && kni_load_extensions(r) &&
           (r->all.at == r->all.size || kni_load_fail(r, "it has extra bytes at its end")) &&
           kni_load_derived(r);
}

// Exchanges everything but what belongs to observers and host.
void kni_world_exchange(kn_world *world, kn_world *fresh)
{
    kn_world old = *world;
    size_t listeners = old.listener_capacity * sizeof(kni_listener);
    *world = *fresh;
    world->reports = &world->reports_told;
    world->work = &world->work_done;
    world->commands_ordered = &world->ordered_count;
    world->index_memory = &world->memory;
    kni_extensions_replaced(world, &old);
    world->marks = old.marks;
    old.marks = NULL;
    kni_marks_all(world);
    world->def = old.def;
    world->def.library = world->library;
    world->event_mask = old.event_mask;
    world->listener_mask = old.listener_mask;
    world->listener_kinds = old.listener_kinds;
    world->wanted = old.wanted;
    world->listeners = old.listeners;
    world->listener_count = old.listener_count;
    world->listener_capacity = old.listener_capacity;
    world->listener_live = old.listener_live;
    world->listener_generation = old.listener_generation;
    size_t marks = kni_marks_bytes(world);
    world->memory.bytes += listeners + marks;
    world->memory.allocations += old.memory.allocations;
    kni_log_move(world, &old);
    world->pending.cause_base = old.pending.cause_base + old.pending.cause_count;
    old.listeners = NULL;
    old.listener_capacity = 0;
    old.memory.bytes -= listeners + marks;
    *fresh = old;
    fresh->reports = &fresh->reports_told;
    fresh->work = &fresh->work_done;
    fresh->commands_ordered = &fresh->ordered_count;
    fresh->index_memory = &fresh->memory;
}

// What a host may ask for between steps only.
kn_result kni_load_allowed(const kn_world *world, kn_error *error)
{
    if (!kni_is_outside(world)) {
        return kni_error(
            error, KN_ERROR_WORLD_LOCKED, "a world cannot be loaded from inside the simulation");
    }
    return KN_OK;
}

// A new world with the state of a save.
kn_result kni_load_fresh(const kn_world_def *def, const void *buffer, size_t size, bool is_reload,
    kn_world **fresh, kn_error *error)
{
    *fresh = NULL;
    kni_load r = {.all = {.data = buffer, .size = size}, .is_reload = is_reload, .error = error};
    kn_result result = load_header(&r.all, &r.version, error);
    if (result != KN_OK) {
        return result;
    }
    result = kn_world_create(def, &r.world);
    if (result != KN_OK) {
        (void)kni_load_no_memory(&r);
        return result;
    }
    r.world->wanted = 0;
    bool ok = load_all(&r);
    kni_free(&r.world->memory, r.places, r.place_count * sizeof(*r.places));
    kni_free(&r.world->memory, r.layouts, r.layout_capacity * sizeof(*r.layouts));
    kni_free(&r.world->memory, r.fields, r.field_capacity * sizeof(*r.fields));
    if (ok) {
        *fresh = r.world;
    } else {
        kn_world_destroy(r.world);
    }
    return r.result;
}

kn_result kn_save_read(kn_world *world, const void *buffer, size_t size, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || (buffer == NULL && size > 0)) {
        KN_ASSERT(world != NULL && (buffer != NULL || size == 0));
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the world or the buffer is missing");
    }
    kn_world *fresh = NULL;
    kn_result result = kni_load_allowed(world, error);
    if (result == KN_OK) {
        result = kni_load_fresh(&world->def, buffer, size, false, &fresh, error);
    }
    if (result == KN_OK && fresh != NULL) {
        kni_world_exchange(world, fresh);
        kni_validate_call(world);
    }
    kn_world_destroy(fresh);
    return result;
}
