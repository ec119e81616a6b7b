// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The scripted fight: the same hash from every compiler, from every machine of a script, after
// going back at every step, and after a save that a new script goes on with.

#include "scenario/script_arena.h"

#define STEPS 1200
#define FRAME KN_US(16667)

// When it changes on purpose, the commit says why.
static const uint64_t golden = UINT64_C(0xb382ab62a69025dd);

static int failures;

static void expect(bool holds, const char *what, uint32_t at)
{
    if (!holds) {
        (void)fprintf(stderr, "script_fight: %s, step %u\n", what, at);
        failures++;
    }
}

// Steps, goes back, steps again.
static void step_twice(arena *a, void *buffer, size_t capacity, uint32_t at)
{
    size_t size;
    arena_check(kn_snapshot_take(a->world, buffer, capacity, &size), NULL, "snapshot");
    arena_check(kn_world_step(a->world, FRAME), NULL, "step");
    uint64_t hash = kn_world_hash(a->world);
    arena_check(kn_snapshot_restore(a->world, buffer, size), NULL, "restore");
    arena_check(kn_world_step(a->world, FRAME), NULL, "step");
    expect(kn_world_hash(a->world) == hash, "another hash after going back", at);
}

// Another library, another script, the same text: reads the save and goes on alike.
static void go_on_elsewhere(const arena *a, uint64_t then, uint32_t steps, uint32_t at)
{
    size_t size;
    kn_error error = {0};
    arena_check(kn_save_write(a->world, NULL, 0, &size), NULL, "save");
    void *bytes = malloc(size);
    arena_check(kn_save_write(a->world, bytes, size, &size), NULL, "save");
    arena other;
    arena_open(&other);
    arena_world(&other, 99);
    arena_check(kn_save_read(other.world, bytes, size, &error), &error, "load");
    free(bytes);
    expect(kn_world_hash(other.world) == kn_world_hash(a->world), "another hash after loading", at);
    for (uint32_t i = 0; i < steps; i++) {
        arena_check(kn_world_step(other.world, FRAME), NULL, "step");
    }
    expect(then == 0 || kn_world_hash(other.world) == then, "another future after loading", at);
    expect(other.errors == 0, "errors of the script", at);
    arena_close(&other);
}

int main(void)
{
    static uint8_t buffer[1 << 22];
    arena a, b;
    arena_open(&a);
    arena_world(&a, 7);
    arena_populate(&a);
    arena_open(&b);
    arena_world(&b, 7);
    arena_populate(&b);
    for (uint32_t i = 0; i < STEPS; i++) {
        step_twice(&a, buffer, sizeof(buffer), i);
        if (i % 300 == 150) {
            go_on_elsewhere(&a, 0, 0, i);
        }
        arena_check(kn_world_step(b.world, FRAME), NULL, "step");
        expect(kn_world_hash(a.world) == kn_world_hash(b.world), "two worlds differ", i);
    }
    expect(a.errors == 0 && b.errors == 0, "errors of the script", STEPS);
    uint64_t calls = kn_script_get_stats(b.script).calls;
    float armour = 0.0f;
    for (uint32_t i = 0; i < b.count; i++) {
        armour += kn_attribute_value(
            b.world, b.fighters[i], kn_attribute_find(b.library, "Vitals.Armour"));
    }
    if (calls < 2000 || armour > 9.0f * ARENA_FIGHTERS) {
        (void)fprintf(stderr, "script_fight: nobody fights: %u calls, %g armour left\n",
            (unsigned)calls, (double)armour);
        failures++;
    }
    uint64_t hash = kn_world_hash(a.world);
    if (hash != golden) {
        (void)fprintf(stderr, "script_fight: the hash is 0x%016llx\n", (unsigned long long)hash);
        failures++;
    }
    // The last second once more, from a save.
    for (uint32_t i = 0; i < 60; i++) {
        arena_check(kn_world_step(a.world, FRAME), NULL, "step");
    }
    go_on_elsewhere(&b, kn_world_hash(a.world), 60, STEPS);
    arena_close(&a);
    arena_close(&b);
    return failures == 0 ? 0 : 1;
}
