// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "loader.h"

#include <stdalign.h>
#include <string.h>

#define ARENA_BLOCK_SIZE ((size_t)64 * 1024)

struct kni_arena_block {
    kni_arena_block *before;
    size_t size;
    size_t used;
    alignas(max_align_t) uint8_t bytes[];
};

void *kni_arena_take(kni_arena *arena, size_t size)
{
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    kni_arena_block *block = arena->last;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > ARENA_BLOCK_SIZE ? size : ARENA_BLOCK_SIZE;
        block = kn_memory_resize(&arena->hooks, NULL, 0, sizeof(*block) + room);
        if (block == NULL) {
            arena->failed = true;
            return NULL;
        }
        block->before = arena->last;
        block->size = room;
        block->used = 0;
        arena->last = block;
    }
    void *at = block->bytes + block->used;
    block->used += size;
    memset(at, 0, size);
    return at;
}

const char *kni_arena_text(kni_arena *arena, const char *text, size_t length)
{
    char *copy = kni_arena_take(arena, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

kni_arena_mark kni_arena_here(const kni_arena *arena)
{
    kni_arena_mark mark = {arena->last, arena->last != NULL ? arena->last->used : 0};
    return mark;
}

void kni_arena_release(kni_arena *arena, kni_arena_mark mark)
{
    while (arena->last != mark.block) {
        kni_arena_block *block = arena->last;
        arena->last = block->before;
        kn_memory_free(&arena->hooks, block, sizeof(*block) + block->size);
    }
    if (arena->last != NULL) {
        arena->last->used = mark.used;
    }
}
