// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every allocation of a library or world, by the host's realloc hook or by the C library. Bytes and
// calls are counted here, which is where statistics and tests of warm steps read them.

#include "base/memory.h"

#include "knack/tools.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY_FIRST_CAPACITY 8

static void *memory_default_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

void kni_memory_init(kni_memory *memory, const kn_hooks *hooks)
{
    *memory = (kni_memory){.realloc_fn = memory_default_realloc};
    if (hooks != NULL && hooks->realloc_fn != NULL) {
        memory->realloc_fn = hooks->realloc_fn;
        memory->user = hooks->realloc_user;
    }
}

void *kni_realloc(kni_memory *memory, void *ptr, size_t old_size, size_t new_size)
{
    KN_ASSERT((ptr == NULL) == (old_size == 0));
    KN_ASSERT(memory->bytes >= old_size);
    if (new_size == 0) {
        kni_free(memory, ptr, old_size);
        return NULL;
    }
    void *block = memory->realloc_fn(memory->user, ptr, old_size, new_size);
    if (block == NULL) {
        if (new_size > old_size) {
            return NULL;
        }
        block = ptr; // a host that cannot even shrink keeps its block; only our count shrinks
    }
    if (new_size > old_size) {
        memory->allocations++;
    }
    memory->bytes = memory->bytes - old_size + new_size;
    return block;
}

void kni_free(kni_memory *memory, void *ptr, size_t size)
{
    if (ptr == NULL) {
        return;
    }
    KN_ASSERT(memory->bytes >= size);
    memory->realloc_fn(memory->user, ptr, size, 0);
    memory->bytes -= size;
}

bool kni_grow_slow(
    kni_memory *memory, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size)
{
    KN_ASSERT(element_size > 0 && wanted > *capacity);
    uint32_t new_capacity = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (new_capacity < MEMORY_FIRST_CAPACITY) {
        new_capacity = MEMORY_FIRST_CAPACITY;
    }
    if (new_capacity < wanted) {
        new_capacity = wanted;
    }
    if (new_capacity > SIZE_MAX / element_size) {
        return false;
    }
    // The pointer behind `array` may have any object type, so it is read and written as bytes.
    void *block;
    memcpy(&block, array, sizeof block);
    block = kni_realloc(memory, block, *capacity * element_size, new_capacity * element_size);
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    *capacity = new_capacity;
    return true;
}

char *kni_strdup(kni_memory *memory, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = kni_realloc(memory, NULL, 0, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void kni_strfree(kni_memory *memory, char *text)
{
    if (text != NULL) {
        kni_free(memory, text, strlen(text) + 1);
    }
}

// Public --------------------------------------------------------------------

// The memory behind hooks, with a block that is about to change.
static kni_memory memory_of_hooks(const kn_hooks *hooks, size_t bytes)
{
    kni_memory memory;
    kni_memory_init(&memory, hooks);
    memory.bytes = bytes;
    return memory;
}

void *kn_memory_resize(const kn_hooks *hooks, void *ptr, size_t old_size, size_t new_size)
{
    kni_memory memory = memory_of_hooks(hooks, old_size);
    return kni_realloc(&memory, ptr, old_size, new_size);
}

void kn_memory_free(const kn_hooks *hooks, void *ptr, size_t size)
{
    kni_memory memory = memory_of_hooks(hooks, size);
    kni_free(&memory, ptr, size);
}

bool kn_memory_grow(
    const kn_hooks *hooks, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size)
{
    if (wanted <= *capacity) {
        return true;
    }
    kni_memory memory = memory_of_hooks(hooks, *capacity * element_size);
    return kni_grow(&memory, array, capacity, wanted, element_size);
}
