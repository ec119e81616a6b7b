// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The index over the past of a grid: who moved lately, how far, and who moved too far to be found
// near the place where it is now.

#include "extra/history.h"

#include <math.h>
#include <string.h>

// Memory --------------------------------------------------------------------

static bool words_reserve(kn_history *history, uint32_t slots)
{
    uint32_t words = slots / 64 + 1;
    if (words <= history->words) {
        return true;
    }
    words = words < history->words * 2 ? history->words * 2 : words;
    size_t old_size = history->words * sizeof(uint64_t), size = words * sizeof(uint64_t);
    uint64_t *moving = kn_memory_resize(&history->hooks, history->moving, old_size, size);
    if (moving == NULL) {
        return false;
    }
    history->moving = moving;
    uint64_t *changed = kn_memory_resize(&history->hooks, history->changed, old_size, size);
    if (changed == NULL) { // shrinking never fails
        history->moving = kn_memory_resize(&history->hooks, moving, size, old_size);
        return false;
    }
    history->changed = changed;
    memset(moving + history->words, 0, size - old_size);
    memset(changed + history->words, 0, size - old_size);
    history->words = words;
    return true;
}

static bool slots_reserve(kn_history *history, uint32_t slots)
{
    uint32_t old = history->slot_capacity;
    if (slots <= old) {
        return true;
    }
    if (!words_reserve(history, slots + slots / 2) ||
        !kn_memory_grow(&history->hooks, &history->slots, &history->slot_capacity, slots,
            sizeof(*history->slots))) {
        return false;
    }
    memset(history->slots + old, 0, (history->slot_capacity - old) * sizeof(*history->slots));
    return words_reserve(history, history->slot_capacity);
}

void kni_history_index_free(kn_history *history)
{
    const kn_hooks *hooks = &history->hooks;
    kn_memory_free(hooks, history->slots, history->slot_capacity * sizeof(*history->slots));
    kn_memory_free(hooks, history->moving, history->words * sizeof(uint64_t));
    kn_memory_free(hooks, history->changed, history->words * sizeof(uint64_t));
    kn_memory_free(hooks, history->steps, history->step_capacity * sizeof(*history->steps));
    kn_memory_free(hooks, history->jumps, history->jump_capacity * sizeof(*history->jumps));
}

// Steps and jumps -----------------------------------------------------------

// How far a body moved; infinite if it cannot be found near where it was.
static float sample_distance(const kni_history_sample *from, const kni_history_sample *to)
{
    if (kni_sample_is_absent(from) || kni_sample_is_absent(to) ||
        from->body.layers != to->body.layers) {
        return INFINITY;
    }
    double x = (double)to->body.position.x - (double)from->body.position.x;
    double y = (double)to->body.position.y - (double)from->body.position.y;
    double z = (double)to->body.position.z - (double)from->body.position.z;
    double grown = fabs((double)to->body.radius - (double)from->body.radius);
    return (float)((sqrt(x * x + y * y + z * z) + grown) * 1.000001); // rounded up
}

static bool step_add(kn_history *history, kn_time at, float size)
{
    uint32_t place = history->step_count;
    while (place > 0 && history->steps[place - 1].at > at) {
        place--;
    }
    if (place > 0 && history->steps[place - 1].at == at) {
        kni_history_step *step = &history->steps[place - 1];
        step->size = size > step->size ? size : step->size;
        return true;
    }
    if (!kn_memory_grow(&history->hooks, &history->steps, &history->step_capacity,
            history->step_count + 1, sizeof(*history->steps))) {
        return false;
    }
    memmove(history->steps + place + 1, history->steps + place,
        (history->step_count - place) * sizeof(*history->steps));
    history->steps[place] = (kni_history_step){at, size};
    history->step_count++;
    return true;
}

static bool move_add(kn_history *history, uint32_t slot, const kni_history_sample *from,
    const kni_history_sample *to)
{
    float size = sample_distance(from, to);
    if (size <= history->grid->cell_size) {
        return step_add(history, to->at, size);
    }
    if (!kn_memory_grow(&history->hooks, &history->jumps, &history->jump_capacity,
            history->jump_count + 1, sizeof(*history->jumps))) {
        return false;
    }
    history->jumps[history->jump_count++] = (kni_history_jump){to->at, slot};
    return true;
}

static bool ring_add(
    kn_history *history, kn_entity_id id, const kni_history_ring *ring, uint32_t from)
{
    uint32_t slot = id.index1 - 1, count = ring->head->count;
    if (!slots_reserve(history, id.index1)) {
        return false;
    }
    const kni_history_sample *last = kni_ring_at(ring, count - 1);
    history->slots[slot] = (kni_history_slot){id, last->at};
    if (count > 1 || kni_sample_is_absent(last)) {
        history->moving[slot / 64] |= UINT64_C(1) << slot % 64;
    }
    for (uint32_t i = from > 0 ? from : 1; i < count; i++) {
        if (!move_add(history, slot, kni_ring_at(ring, i - 1), kni_ring_at(ring, i))) {
            return false;
        }
    }
    return true;
}

void kni_history_note(kn_history *history, kn_entity_id id, const kni_history_ring *ring)
{
    history->is_indexed = history->is_indexed && ring_add(history, id, ring, ring->head->count - 1);
}

void kni_history_rests(kn_history *history, kn_entity_id id)
{
    uint32_t slot = id.index1 - 1;
    if (slot < history->slot_capacity) {
        history->moving[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    }
}

void kni_history_expire(kn_history *history, kn_time edge)
{
    uint32_t gone = 0, kept = 0;
    while (gone < history->step_count && history->steps[gone].at <= edge) {
        gone++;
    }
    if (gone > 0) {
        history->step_count -= gone;
        memmove(
            history->steps, history->steps + gone, history->step_count * sizeof(*history->steps));
    }
    for (uint32_t i = 0; i < history->jump_count; i++) {
        if (history->jumps[i].at > edge) {
            history->jumps[kept++] = history->jumps[i];
        }
    }
    history->jump_count = kept;
}

// All of it -----------------------------------------------------------------

// Whether nothing happened to samples but that entities were destroyed: a world that was restored
// lists no changes from before.
static bool index_is_valid(const kn_history *history)
{
    kn_component_changes changes = kn_component_get_changes(history->world, history->past_type);
    return history->is_indexed && history->past_seen >= changes.first &&
           history->past_seen <= changes.count;
}

void kni_history_index(kn_history *history)
{
    if (index_is_valid(history)) {
        return;
    }
    history->step_count = history->jump_count = 0;
    if (history->slot_capacity > 0) {
        memset(history->moving, 0, history->words * sizeof(uint64_t));
        memset(history->slots, 0, history->slot_capacity * sizeof(*history->slots));
    }
    kn_component_follow(history->world, history->past_type);
    history->past_seen = kn_component_change_count(history->world, history->past_type);
    history->is_indexed = true;
    kn_entity_id id = {0};
    kni_history_ring ring;
    while (history->is_indexed && (id = kni_history_next(history, id)).index1 != 0) {
        history->is_indexed = !kni_ring_read(history, id, &ring) || ring_add(history, id, &ring, 1);
    }
}

#define CHANGES_AT_ONCE 64

bool kni_history_collect(kn_history *history)
{
    kn_component_type_id type = history->grid->type;
    kn_component_changes changes = kn_component_get_changes(history->world, type);
    if (!history->is_indexed || history->seen < changes.first || history->seen > changes.count) {
        return false;
    }
    kn_component_change list[CHANGES_AT_ONCE];
    uint32_t count;
    for (uint64_t at = history->seen; at < changes.count; at += count) {
        count = kn_component_list_changes(history->world, type, at, list, CHANGES_AT_ONCE);
        for (uint32_t i = 0; i < count; i++) {
            kn_entity_id id = list[i].entity;
            if (id.index1 == 0 || id.generation == 0) {
                continue; // of the world itself, or of an entity that is gone with all it had
            }
            uint32_t slot = id.index1 - 1;
            if (!slots_reserve(history, id.index1)) {
                memset(history->changed, 0, history->words * sizeof(uint64_t));
                return false;
            }
            history->slots[slot].id = id;
            history->changed[slot / 64] |= UINT64_C(1) << slot % 64;
        }
        if (count == 0) {
            break;
        }
    }
    return true;
}

uint32_t kni_history_extra(const kn_history *history, uint32_t *out, uint32_t capacity)
{
    kn_component_type_id type = history->grid->type;
    uint32_t total = 0;
    for (uint32_t i = 0; i < history->jump_count; i++) {
        if (history->jumps[i].at > history->time) {
            if (total < capacity) {
                out[total] = history->jumps[i].slot;
            }
            total++;
        }
    }
    kn_component_changes changes = kn_component_get_changes(history->world, type);
    if (history->seen < changes.first || history->seen > changes.count) {
        return UINT32_MAX;
    }
    kn_component_change list[CHANGES_AT_ONCE];
    uint32_t count;
    for (uint64_t at = history->seen; at < changes.count; at += count) {
        count = kn_component_list_changes(history->world, type, at, list, CHANGES_AT_ONCE);
        for (uint32_t i = 0; i < count; i++) {
            if (list[i].entity.index1 != 0 && list[i].entity.generation != 0) {
                if (total < capacity) {
                    out[total] = list[i].entity.index1 - 1;
                }
                total++;
            }
        }
        if (count == 0) {
            break;
        }
    }
    return total;
}
