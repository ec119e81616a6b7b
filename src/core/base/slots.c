// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/slots.h"

static uint32_t slot_at(const kni_heap *heap, const kni_span *slots, uint32_t index)
{
    return *(const uint32_t *)kni_span_at(heap, slots, index, sizeof(uint32_t));
}

// Where a slot is, or would be.
static uint32_t slots_place(const kni_heap *heap, const kni_span *slots, uint32_t slot)
{
    uint32_t begin = 0, end = slots->count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (slot_at(heap, slots, middle) < slot) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

bool kni_slots_add(kni_heap *heap, kni_memory *memory, kni_span *slots, uint32_t slot)
{
    uint32_t place = slots_place(heap, slots, slot);
    KN_ASSERT(place == slots->count || slot_at(heap, slots, place) != slot);
    uint32_t *made = kni_span_insert(heap, memory, slots, place, sizeof(uint32_t));
    if (made == NULL) {
        return false;
    }
    *made = slot;
    return true;
}

void kni_slots_remove(kni_heap *heap, kni_span *slots, uint32_t slot)
{
    uint32_t place = slots_place(heap, slots, slot);
    if (place < slots->count && slot_at(heap, slots, place) == slot) {
        kni_span_remove(heap, slots, place, sizeof(uint32_t));
    }
}

uint32_t kni_slots_next(const kni_heap *heap, const kni_span *slots, uint32_t slot)
{
    uint32_t place = slots_place(heap, slots, slot);
    return place < slots->count ? slot_at(heap, slots, place) : KNI_NONE;
}
