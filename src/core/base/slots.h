// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A list of slots in a heap, each at most once, by slot: uint32_t[]. It is walked by asking for the
// next one, so that it may change meanwhile.
#ifndef KNI_SLOTS_H
#define KNI_SLOTS_H

#include "base/heap.h"

// False when out of memory, with the list untouched. The slot must not be in it.
bool kni_slots_add(kni_heap *heap, kni_memory *memory, kni_span *slots, uint32_t slot);
// Nothing happens if the slot is not in it.
void kni_slots_remove(kni_heap *heap, kni_span *slots, uint32_t slot);
// The first one at or after `slot`, or KNI_NONE.
uint32_t kni_slots_next(const kni_heap *heap, const kni_span *slots, uint32_t slot);

#endif
