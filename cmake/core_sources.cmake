# SPDX-License-Identifier: MIT

# The sources of the core, sorted.
set(KNACK_CORE_SOURCES
    src/core/base.c
    src/core/hash.c
    src/core/heap.c
    src/core/memory.c
    src/core/pool.c
    src/core/random.c
    src/core/text.c
    src/core/wheel.c)
