// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat log: rows. An observer that reads published events.

#include "log_rows.h"
#include "parts.h"

#include <string.h>

#define LOG_COOKIE 0x676f6c6bu
#define ROWS_MAX (1u << 20)
#define CELLS_MAX (1u << 16)

kn_result knc_log_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

// Creation ----------------------------------------------------------------------------

kn_combat_log_def kn_combat_log_def_default(void)
{
    kn_combat_log_def def = {.row_capacity = 1024, .cell_capacity = 1024, .cookie = LOG_COOKIE};
    return def;
}

static void *log_allocate(kn_combat_log *log, size_t count, size_t size)
{
    void *memory = kn_memory_resize(&log->def.hooks, NULL, 0, count * size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

// Twice as many slots as cells, a power of two.
static uint32_t log_slots_for(uint32_t cells)
{
    uint32_t count = 16;
    while (count < cells * 2) {
        count *= 2;
    }
    return count;
}

kn_result kn_combat_log_create(const kn_combat_log_def *def, kn_combat_log **out)
{
    if (out == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def == NULL || def->cookie != LOG_COOKIE || def->row_capacity - 1u >= ROWS_MAX ||
        def->cell_capacity - 1u >= CELLS_MAX) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_combat_log *log = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*log));
    if (log == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *log = (kn_combat_log){.def = *def, .slot_count = log_slots_for(def->cell_capacity)};
    log->group_capacity =
        def->row_capacity > log_cell_room(log) ? def->row_capacity : log_cell_room(log);
    log->rows = log_allocate(log, def->row_capacity, sizeof(*log->rows));
    log->cells = log_allocate(log, log_cell_room(log), sizeof(*log->cells));
    log->slots = log_allocate(log, log->slot_count, sizeof(*log->slots));
    log->groups = log_allocate(log, log->group_capacity, sizeof(*log->groups));
    if (log->rows == NULL || log->cells == NULL || log->slots == NULL || log->groups == NULL) {
        kn_combat_log_destroy(log);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = log;
    return KN_OK;
}

static void log_free(const kn_combat_log *log, void *memory, size_t count, size_t size)
{
    if (memory != NULL) {
        kn_memory_free(&log->def.hooks, memory, count * size);
    }
}

void kn_combat_log_destroy(kn_combat_log *log)
{
    if (log == NULL) {
        return;
    }
    kn_hooks hooks = log->def.hooks;
    log_free(log, log->rows, log->def.row_capacity, sizeof(*log->rows));
    log_free(log, log->cells, log_cell_room(log), sizeof(*log->cells));
    log_free(log, log->slots, log->slot_count, sizeof(*log->slots));
    log_free(log, log->groups, log->group_capacity, sizeof(*log->groups));
    kn_memory_free(&hooks, log, sizeof(*log));
}

void kn_combat_log_clear(kn_combat_log *log)
{
    log->total = 0;
    kn_combat_meter_reset(log);
}

// Reading -------------------------------------------------------------------------------

static bool field_is(const kn_field *field, const char *name, kn_field_kind kind)
{
    return field->kind == kind && field->count <= 1 && strcmp(field->name, name) == 0;
}

// Other events of the kit tell who, at what and by which ability under the same names.
static void row_read_field(kn_combat_row *row, const kn_field *field, const uint8_t *payload)
{
    const uint8_t *bytes = payload + field->offset;
    if (field_is(field, "source", KN_FIELD_ENTITY) || field_is(field, "by", KN_FIELD_ENTITY) ||
        field_is(field, "instigator", KN_FIELD_ENTITY)) {
        memcpy(&row->source, bytes, sizeof(row->source));
    } else if (field_is(field, "target", KN_FIELD_ENTITY) ||
               field_is(field, "other", KN_FIELD_ENTITY)) {
        memcpy(&row->target, bytes, sizeof(row->target));
    } else if (field_is(field, "ability", KN_FIELD_REF) &&
               strcmp(field->refers_to, "ability") == 0) {
        memcpy(&row->ability, bytes, sizeof(row->ability));
    } else if (field_is(field, "effect", KN_FIELD_REF) && strcmp(field->refers_to, "effect") == 0) {
        memcpy(&row->effect, bytes, sizeof(row->effect));
    }
}

static void row_read(
    kn_combat_row *row, const kn_custom_event_def *def, const void *payload, uint32_t size)
{
    if (payload == NULL || size != def->size) {
        return;
    }
    for (uint32_t i = 0; i < def->field_count; i++) {
        row_read_field(row, &def->fields[i], payload);
    }
    if (row->kind == KN_COMBAT_ROW_HIT) {
        memcpy(&row->hit, payload, sizeof(row->hit));
    }
}

// What kind of row an event is; KN_COMBAT_ROW_KIND_COUNT if it is none.
static kn_combat_row_kind row_kind_of(
    const kn_combat_log *log, const kn_library *library, kn_custom_event_id event)
{
    const hit_ids *ids = &knc_combat_of(library)->hit;
    if (event.index1 == ids->event.index1) {
        return KN_COMBAT_ROW_HIT;
    }
    if (event.index1 == ids->died_event.index1) {
        return KN_COMBAT_ROW_DIED;
    }
    if (event.index1 == ids->resurrected_event.index1) {
        return KN_COMBAT_ROW_RESURRECTED;
    }
    bool is_ours = strncmp(kn_custom_event_name(library, event), "Knack.", 6) == 0;
    return is_ours && !log->def.only_hits ? KN_COMBAT_ROW_OTHER : KN_COMBAT_ROW_KIND_COUNT;
}

bool kn_combat_log_add(kn_combat_log *log, const kn_world *world, const kn_event *event)
{
    if (log == NULL || world == NULL || event == NULL || event->type != KN_EVENT_CUSTOM ||
        !kn_combat_is_there(kn_world_library(world))) {
        return false;
    }
    const kn_library *library = kn_world_library(world);
    kn_custom_event_id kind = event->data.custom.kind;
    kn_combat_row row = {
        .time = event->time, .event = kind, .entity = event->entity, .target = event->entity};
    row.kind = row_kind_of(log, library, kind);
    if (row.kind == KN_COMBAT_ROW_KIND_COUNT) {
        return false;
    }
    uint32_t size;
    const void *payload = kn_event_payload(world, event, &size);
    row_read(&row, kn_custom_event_get_def(library, kind), payload, size);
    log->rows[log->total % log->def.row_capacity] = row;
    log->total++;
    if (row.kind == KN_COMBAT_ROW_HIT) {
        knc_meter_count(log, world, &row);
    }
    return true;
}

uint32_t kn_combat_log_read(kn_combat_log *log, const kn_world *world)
{
    uint32_t added = 0;
    if (log == NULL || world == NULL) {
        return 0;
    }
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        added += kn_combat_log_add(log, world, &events.data[i]);
    }
    return added;
}

// Rows --------------------------------------------------------------------------------

uint32_t kn_combat_log_count(const kn_combat_log *log)
{
    return log->total < log->def.row_capacity ? (uint32_t)log->total : log->def.row_capacity;
}

uint64_t kn_combat_log_total(const kn_combat_log *log)
{
    return log->total;
}

bool kn_combat_log_row(const kn_combat_log *log, uint32_t index, kn_combat_row *row)
{
    uint32_t count = kn_combat_log_count(log);
    *row = (kn_combat_row){0};
    if (index >= count) {
        return false;
    }
    *row = log->rows[(log->total - count + index) % log->def.row_capacity];
    return true;
}

static void text_reason(kn_text *out, const kn_world *world, const kn_combat_row *row)
{
    if (row->ability.index1 != 0) {
        kn_text_add(out, " (%s)", kn_ability_type_name(kn_world_library(world), row->ability));
    } else if (row->effect.index1 != 0) {
        kn_text_add(out, " (%s)", kn_effect_type_name(world, row->effect));
    }
}

static void text_row(
    kn_text *out, const kn_world *world, text_names names, const kn_combat_row *row)
{
    if (row->kind == KN_COMBAT_ROW_HIT) {
        knc_text_hit(out, world, names, &row->hit);
        return;
    }
    knc_text_entity(out, world, names, row->entity);
    if (row->kind == KN_COMBAT_ROW_OTHER) {
        kn_text_add(out, ": %s", kn_custom_event_name(kn_world_library(world), row->event) + 6);
    } else {
        kn_text_add(out, row->kind == KN_COMBAT_ROW_DIED ? " dies" : " lives again");
    }
    text_reason(out, world, row);
    if (row->source.index1 != 0) {
        kn_text_add(out, " by ");
        knc_text_entity(out, world, names, row->source);
    }
    if (row->target.index1 != 0 && !kn_entity_id_equal(row->target, row->entity)) {
        kn_text_add(out, " with ");
        knc_text_entity(out, world, names, row->target);
    }
}

uint32_t kn_combat_log_print(
    const kn_combat_log *log, const kn_world *world, uint32_t index, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    kn_combat_row row;
    if (world == NULL || !kn_combat_log_row(log, index, &row)) {
        return 0;
    }
    knc_text_number(&out, "", (float)kn_time_to_seconds(row.time), " s  ");
    text_row(&out, world, (text_names){log->def.name, log->def.name_user}, &row);
    return out.length;
}
