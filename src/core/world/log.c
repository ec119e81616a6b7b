// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Writing log entries, from a world to its hooks: levels by category, warnings that are logged
// once, and the counts of created tasks. Lines about events are in report/event_log.c.

#include "world/world.h"

#include "base/log_entry.h"
#include "world/names.h"

#include <stdio.h>

// Entries -------------------------------------------------------------------

static void entry_write(const kn_world *world, const kn_log_entry *entry)
{
    kni_log_entry(&world->hooks, entry);
}

void kni_log_line(const kn_world *world, kn_log_category category, kn_log_level level,
    kn_result code, const char *message)
{
    if (kni_log_wants(world, category, level)) {
        kn_log_entry entry = {level, category, code, message, __FILE__, __LINE__};
        entry_write(world, &entry);
    }
}

void kni_log_once(const kn_world *world, uint32_t report, kn_log_category category, kn_result code,
    const char *message)
{
    if ((*world->reports & report) == 0 && kni_log_wants(world, category, KN_LOG_WARNING)) {
        *world->reports |= report;
        kni_log_line(world, category, KN_LOG_WARNING, code, message);
    }
}

bool kn_log_wants(const kn_world *world, kn_log_category category, kn_log_level level)
{
    return world != NULL && (uint32_t)category < KN_LOG_CATEGORY_COUNT &&
           (uint32_t)level < KN_LOG_OFF && kni_log_wants(world, category, level);
}

void kn_log_write(const kn_world *world, const kn_log_entry *entry)
{
    if (entry == NULL || entry->message == NULL ||
        !kn_log_wants(world, entry->category, entry->level)) {
        KN_ASSERT(world != NULL && entry != NULL && entry->message != NULL);
        return;
    }
    entry_write(world, entry);
}

void kni_log_begin(kn_world *world, kni_text *text, char *buffer, kn_entity_id entity)
{
    if (world->log.mask != 0) {
        world->above->log_events(world);
    }
    kni_text_init(text, buffer, KNI_LOG_LINE_SIZE);
    kni_text_time(text, world->now);
    kni_text_str(text, "  ");
    kni_text_entity(text, entity);
    kni_text_str(text, "  ");
}

// Lines ---------------------------------------------------------------------

void kni_log_missing(kn_world *world, uint32_t type1, uint32_t attribute, uint32_t component)
{
    const kni_component *c = kni_component_at(world, component);
    uint32_t bit = (type1 * 2654435761u ^ c->layout * 40503u) >> 7 & 1023;
    uint64_t *told = &world->log.missing_told[bit / 64];
    if (type1 == 0 || (*told >> bit % 64 & 1) != 0 ||
        !kni_log_wants(world, KN_LOG_EFFECTS, KN_LOG_WARNING)) {
        return;
    }
    *told |= UINT64_C(1) << bit % 64;
    char line[KNI_LOG_LINE_SIZE];
    kni_text text;
    kni_text_init(&text, line, sizeof(line));
    kni_text_str(&text, kni_type_at(world, type1 - 1)->name);
    kni_text_str(&text, " changes ");
    kni_text_str(&text, kn_attribute_name(world->library, (kn_attribute_id){attribute + 1}));
    kni_text_str(&text, ", which ");
    kni_text_entity(&text, kni_component_entity(world, component));
    kni_text_str(&text, " does not have: add its attribute set");
    kni_log_line(world, KN_LOG_EFFECTS, KN_LOG_WARNING, KN_REFUSED_MISSING_ATTRIBUTE, line);
}

// Levels --------------------------------------------------------------------

size_t kni_log_idle_size(const kn_world *world)
{
    return (kni_ref_count(world->library, KN_DEF_ABILITY) / 64 + 1) * sizeof(uint64_t);
}

static size_t made_size(const kn_world *world)
{
    return (KN_TASK_KIND_COUNT + kni_ref_count(world->library, KN_DEF_TASK)) * sizeof(uint64_t);
}

uint64_t *kni_log_block(kn_world *world, size_t size)
{
    uint64_t *block = kni_realloc(&world->memory, NULL, 0, size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

// Life cycle ----------------------------------------------------------------

void kni_log_init(kn_world *world)
{
    memset(world->log.levels, KN_LOG_WARNING, sizeof(world->log.levels));
}

void kni_log_free(kn_world *world)
{
    kni_free(&world->memory, world->log.idle_told, kni_log_idle_size(world));
    kni_free(&world->memory, world->log.task_made, made_size(world));
    world->log.idle_told = NULL;
    world->log.task_made = NULL;
}

void kni_log_move(kn_world *to, kn_world *from)
{
    size_t bytes = (from->log.idle_told != NULL ? kni_log_idle_size(from) : 0) +
                   (from->log.task_made != NULL ? made_size(from) : 0);
    to->log = from->log;
    to->log.told = 0;
    to->memory.bytes += bytes;
    from->memory.bytes -= bytes;
    from->log.idle_told = NULL;
    from->log.task_made = NULL;
}

// Task counts ---------------------------------------------------------------

void kni_log_task_made(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    uint32_t place =
        task->kind != KN_TASK_CUSTOM ? task->kind : KN_TASK_KIND_COUNT + task->type1 - 1;
    world->log.task_made[place]++;
}

kn_result kn_task_tally_record(kn_world *world, bool recording)
{
    if (world == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (recording == (world->log.task_made != NULL)) {
        return KN_OK;
    }
    if (!recording) {
        kni_free(&world->memory, world->log.task_made, made_size(world));
        world->log.task_made = NULL;
        return KN_OK;
    }
    world->log.task_made = kni_log_block(world, made_size(world));
    return world->log.task_made != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

bool kn_task_tally_is_recording(const kn_world *world)
{
    return world != NULL && world->log.task_made != NULL;
}
