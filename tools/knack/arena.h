// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The world of a server: players join and get an entity, and leave with it. Each such change is a
// note of the recording and carried out from its bytes, so that a replay does exactly the same.
#ifndef ARENA_H
#define ARENA_H

#include "content.h"

typedef struct arena {
    kn_world *world;
    kn_grid *grid;
    kn_recording *recording; // NULL: nothing is recorded
} arena;

// Reads the content of a call with bodies in it, as kn_grid has them. As content_load().
cli_code arena_content(const cli *call, content *out);
// An empty world with a grid. False when out of memory.
bool arena_create(const kn_library *library, uint64_t seed, arena *out);
void arena_destroy(arena *from);
// A grid for a world, which becomes its space. NULL when out of memory.
kn_grid *arena_grid(kn_world *world);

// Archetypes that players get, in turn.
typedef struct cast {
    const char **names;
    uint32_t count;
} cast;
// By --archetype, or all archetypes with abilities. CLI_USAGE with a message that lists the names.
// To be freed in any case.
cli_code cast_find(const cli *call, const kn_library *library, cast *out);
void cast_free(cast *from);

// Begins a recording and notes that it is one of a server.
kn_result arena_record(arena *on);
// Player `number`, from 0, joins: an entity of an archetype, in one of two rows that face each
// other.
kn_result arena_join(arena *on, const cast *of, uint32_t number, uint32_t connection);
// All that a connection controls is destroyed.
kn_result arena_leave(arena *on, uint32_t connection);

// Whether a recording is one of a server.
bool arena_is_recorded(const void *bytes, size_t size);
// Carries out what a note says. KN_ERROR_BAD_DATA, with an error, for one that makes no sense.
kn_result arena_repeat(arena *on, const void *note, uint32_t size, kn_error *error);

#endif
