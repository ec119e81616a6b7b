// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A world that goes on with another library: saved and read, listeners and all.

#include "store/store.h"

// The number that a name of the old library has in the new one; false when it is gone.
static bool reload_number(const kn_library *from, const kn_library *to, kn_def_kind kind,
    uint32_t *index1, kn_error *error)
{
    if (*index1 == 0) {
        return true;
    }
    const char *name = kn_def_name(from, kind, *index1);
    *index1 = kn_def_find(to, kind, name);
    if (*index1 == 0) {
        (void)kni_error(error, KN_REFUSED_NOT_FOUND,
            "a listener waits for the %s `%s`, which is not in the new library",
            kn_def_kind_name(kind), name);
    }
    return *index1 != 0;
}

static bool reload_listener(
    const kn_library *from, const kn_library *to, kn_listener_def *def, kn_error *error)
{
    return reload_number(from, to, KN_DEF_TAG, &def->tag.index1, error) &&
           reload_number(from, to, KN_DEF_ATTRIBUTE, &def->attribute.index1, error) &&
           reload_number(from, to, KN_DEF_EFFECT, &def->effect_type.index1, error) &&
           reload_number(from, to, KN_DEF_ABILITY, &def->ability_type.index1, error) &&
           reload_number(from, to, KN_DEF_CUSTOM_EVENT, &def->custom.index1, error);
}

// Listeners of the new library: all, or none if one waits for what is gone.
static bool reload_listeners(
    kn_world *world, const kn_library *library, bool write, kn_error *error)
{
    for (uint32_t i = 0; i < world->listener_count; i++) {
        kn_listener_def def = world->listeners[i].def;
        if (world->listeners[i].generation == 0) {
            continue;
        }
        if (!reload_listener(world->library, library, &def, error)) {
            return false;
        }
        if (write) {
            world->listeners[i].def = def;
        }
    }
    return true;
}

kn_result kn_world_reload(kn_world *world, const kn_library *library, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (world == NULL || library == NULL || !library->finished) {
        KN_ASSERT(world != NULL && library != NULL && library->finished);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT,
            "the world is missing, or the library is missing or not finished");
    }
    kn_result result = kni_load_allowed(world, error);
    if (result == KN_OK && !reload_listeners(world, library, false, error)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    size_t size = 0;
    if (result == KN_OK) {
        result = kn_save_write(world, NULL, 0, &size);
        result = result == KN_ERROR_BUFFER_TOO_SMALL ? KN_OK : result;
    }
    if (result != KN_OK) {
        return result;
    }
    kni_memory memory = world->memory;
    void *buffer = kni_realloc(&memory, NULL, 0, size);
    kn_world *fresh = NULL;
    if (buffer == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory while reloading the world");
    }
    result = kn_save_write(world, buffer, size, &size);
    if (result == KN_OK) {
        kn_world_def def = world->def;
        def.library = library;
        result = kni_load_fresh(&def, buffer, size, true, &fresh, error);
    }
    kni_free(&memory, buffer, size);
    if (result == KN_OK && fresh != NULL) {
        (void)reload_listeners(world, library, true, NULL);
        kni_listeners_renumbered(world);
        kni_world_exchange(world, fresh);
        kni_bodies_follow(world, fresh);
        kni_validate_call(world);
    }
    kn_world_destroy(fresh);
    return result;
}
