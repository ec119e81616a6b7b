// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A note has the bytes "KNSV", a kind, and what the kind needs.

#include "arena.h"

#include "knack/tools.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_MAGIC 0x56534e4bu // "KNSV" in little-endian order
#define NOTE_NAME_MAX 256
#define NOTE_SIZE_MAX (64 + NOTE_NAME_MAX)
#define ROW_DISTANCE 200.0f // between the two rows
#define ROW_SPACING 60.0f   // between neighbours
#define GRID_CELL_SIZE 300.0f

typedef enum note_kind {
    NOTE_BEGIN, // of a recording
    NOTE_JOIN,
    NOTE_LEAVE,
} note_kind;

// Worlds --------------------------------------------------------------------

static kn_result content_prepare(void *user, kn_library *library, kn_error *error)
{
    kn_result result = kn_grid_register(library, NULL, error);
    return result == KN_OK ? cli_prepare(user, library, error) : result;
}

cli_code arena_content(const cli *call, content *out)
{
    *out = (content){.prepare = content_prepare};
    cli_code code = content_load(call, call->arguments, 1, out);
    out->log.is_deaf = false;
    return code;
}

kn_grid *arena_grid(kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    def.cell_size = GRID_CELL_SIZE;
    kn_grid *grid;
    if (kn_grid_create(&def, &grid) != KN_OK) {
        return NULL;
    }
    kn_world_set_space(world, kn_grid_space(grid));
    return grid;
}

bool arena_create(const kn_library *library, uint64_t seed, arena *out)
{
    *out = (arena){0};
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.seed = seed;
    if (kn_world_create(&def, &out->world) != KN_OK) {
        return false;
    }
    out->grid = arena_grid(out->world);
    return out->grid != NULL;
}

void arena_destroy(arena *from)
{
    kn_recording_destroy(from->recording);
    kn_grid_destroy(from->grid);
    kn_world_destroy(from->world);
    *from = (arena){0};
}

// Archetypes ----------------------------------------------------------------

static bool archetype_has_abilities(const kn_library *library, kn_archetype_id archetype)
{
    const kn_archetype_def *def = kn_archetype_get_def(library, archetype);
    while (def != NULL) {
        if (def->ability_set_count > 0 || def->ability_count > 0) {
            return true;
        }
        def = kn_archetype_get_def(library, def->parent);
    }
    return false;
}

static const char *archetype_word(const void *user, uint32_t index)
{
    const kn_library *library = user;
    return index < kn_def_count(library, KN_DEF_ARCHETYPE)
               ? kn_def_name(library, KN_DEF_ARCHETYPE, index + 1)
               : NULL;
}

static void cast_add(cast *to, const char *name)
{
    to->names = cli_resize(to->names, (to->count + 1) * sizeof(*to->names));
    to->names[to->count++] = name;
}

static void archetypes_list(const kn_library *library, text *out)
{
    const char *name;
    for (uint32_t i = 0; (name = archetype_word(library, i)) != NULL; i++) {
        text_format(out, "%s%s", i > 0 ? ", " : "", name);
    }
}

static cli_code cast_check(const cli *call, const kn_library *library, const char *name)
{
    if (kn_def_find(library, KN_DEF_ARCHETYPE, name) != 0) {
        return CLI_GOOD;
    }
    text names = {0};
    archetypes_list(library, &names);
    cli_tell(call, "there is no archetype `%s`; there are: %s", name, text_of(&names));
    text_free(&names);
    return CLI_USAGE;
}

cli_code cast_find(const cli *call, const kn_library *library, cast *out)
{
    const char *name;
    *out = (cast){0};
    for (uint32_t i = 0; (name = cli_nth_of(call, "archetype", i)) != NULL; i++) {
        if (cast_check(call, library, name) != CLI_GOOD) {
            return CLI_USAGE;
        }
        cast_add(out, name);
    }
    bool is_chosen = out->count > 0;
    for (uint32_t i = 0; !is_chosen && (name = archetype_word(library, i)) != NULL; i++) {
        if (archetype_has_abilities(library, (kn_archetype_id){i + 1})) {
            cast_add(out, name);
        }
    }
    if (out->count > 0) {
        return CLI_GOOD;
    }
    text names = {0};
    archetypes_list(library, &names);
    if (names.length > 0) {
        cli_tell(
            call, "no archetype has abilities; choose one with --archetype: %s", text_of(&names));
    } else {
        cli_tell(
            call, "%s has no archetypes: players need one to get an entity", call->arguments[0]);
    }
    text_free(&names);
    return CLI_USAGE;
}

void cast_free(cast *from)
{
    free(from->names);
    *from = (cast){0};
}

// Notes ---------------------------------------------------------------------

static void note_begin(kn_writer *writer, note_kind kind)
{
    kn_write_u32(writer, NOTE_MAGIC);
    kn_write_u8(writer, (uint8_t)kind);
}

static void float_write(kn_writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    kn_write_u32(writer, bits);
}

static float float_read(kn_reader *reader)
{
    uint32_t bits = kn_read_u32(reader);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static kn_result join_repeat(arena *on, kn_reader *reader, kn_error *error)
{
    char name[NOTE_NAME_MAX];
    uint32_t connection = kn_read_u32(reader);
    kn_read_str(reader, name, sizeof(name));
    kn_body body = kn_body_default();
    body.position.x = float_read(reader);
    body.position.y = float_read(reader);
    body.facing.x = float_read(reader);
    const kn_library *library = kn_world_library(on->world);
    kn_archetype_id archetype = {reader->failed ? 0 : kn_def_find(library, KN_DEF_ARCHETYPE, name)};
    if (archetype.index1 == 0) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "a player joins as `%s`, which is not an archetype", name);
    }
    kn_entity_id entity;
    kn_result result = kn_archetype_spawn(on->world, archetype, 1, &entity);
    result = result == KN_OK ? kn_grid_set_body(on->grid, entity, &body) : result;
    return result == KN_OK ? kn_entity_set_connection(on->world, entity, connection) : result;
}

static void leave_repeat(arena *on, uint32_t connection)
{
    kn_entity_id next = kn_entity_next(on->world, (kn_entity_id){0});
    while (!kn_entity_id_is_null(next)) {
        kn_entity_id entity = next;
        next = kn_entity_next(on->world, entity);
        if (connection != 0 && kn_entity_connection(on->world, entity) == connection) {
            (void)kn_entity_destroy(on->world, entity);
        }
    }
}

kn_result arena_repeat(arena *on, const void *note, uint32_t size, kn_error *error)
{
    kn_reader reader = {.data = note, .size = size};
    uint32_t magic = kn_read_u32(&reader);
    uint8_t kind = kn_read_u8(&reader);
    if (reader.failed || magic != NOTE_MAGIC || kind > NOTE_LEAVE) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "a note is not one of a server");
    }
    if (kind == NOTE_JOIN) {
        return join_repeat(on, &reader, error);
    }
    if (kind == NOTE_LEAVE) {
        leave_repeat(on, kn_read_u32(&reader));
    }
    return KN_OK;
}

// Records a note first: what cannot be recorded does not happen.
static kn_result note_do(arena *on, const kn_writer *writer)
{
    kn_result result = KN_OK;
    if (on->recording != NULL) {
        result = kn_recording_note(on->recording, writer->data, (uint32_t)writer->length);
    }
    return result == KN_OK ? arena_repeat(on, writer->data, (uint32_t)writer->length, NULL)
                           : result;
}

kn_result arena_record(arena *on)
{
    uint8_t bytes[NOTE_SIZE_MAX];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    note_begin(&writer, NOTE_BEGIN);
    kn_result result = kn_recording_begin(on->world, &on->recording);
    return result == KN_OK ? note_do(on, &writer) : result;
}

kn_result arena_join(arena *on, const cast *of, uint32_t number, uint32_t connection)
{
    uint8_t bytes[NOTE_SIZE_MAX];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    float side = number % 2 == 0 ? -1.0f : 1.0f;
    uint32_t place = number / 2;
    note_begin(&writer, NOTE_JOIN);
    kn_write_u32(&writer, connection);
    kn_write_str(&writer, of->names[number % of->count]);
    float_write(&writer, side * ROW_DISTANCE / 2);
    float_write(&writer, ROW_SPACING * (float)place);
    float_write(&writer, -side);
    return writer.length <= writer.size ? note_do(on, &writer) : KN_REFUSED_LIMIT;
}

kn_result arena_leave(arena *on, uint32_t connection)
{
    uint8_t bytes[NOTE_SIZE_MAX];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    note_begin(&writer, NOTE_LEAVE);
    kn_write_u32(&writer, connection);
    return note_do(on, &writer);
}

bool arena_is_recorded(const void *bytes, size_t size)
{
    size_t at = 0, note_at = 0;
    uint32_t note_size = 0;
    kn_recorded_step step;
    const uint8_t *note = NULL;
    if (kn_recording_next(bytes, size, &at, &step, NULL)) {
        note = kn_recording_next_note(bytes, size, &step, &note_at, &note_size);
    }
    kn_reader reader = {.data = note, .size = note != NULL ? note_size : 0};
    return kn_read_u32(&reader) == NOTE_MAGIC && !reader.failed;
}
