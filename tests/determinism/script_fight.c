// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The scripted fight: the same hash from every compiler, from every machine of a script, after
// going back at every step, after a save that a new script goes on with, and whoever watches.

#include "scenario/script_arena.h"

#define STEPS 1200
#define FRAME KN_US(16667)

// When it changes on purpose, the commit says why.
static const uint64_t golden = UINT64_C(0xf786d6211cb2460f);

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

// Another library, another script, the same text: reads the save and continues alike.
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

static void hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    *(uint64_t *)user += 1;
}

static void count_line(void *user, const kn_log_entry *entry)
{
    (void)entry;
    *(uint64_t *)user += 1;
}

// The same fight with every event, a verbose log and listeners: what scripts may spend is not for
// observers.
static void watched_world(arena *a, uint64_t seed, uint64_t *lines, uint64_t *heard)
{
    kn_world_def def = kn_world_def_default();
    def.seed = seed;
    def.event_mask = UINT64_MAX;
    def.hooks.log_fn = count_line;
    def.hooks.log_user = lines;
    arena_world_with(a, def);
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        arena_check(kn_log_set_level(a->world, (kn_log_category)i, KN_LOG_VERBOSE), NULL, "log");
    }
    for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i++) {
        kn_listener_def listener = kn_listener_def_default();
        kn_listener_id id;
        listener.type = (kn_event_type)i;
        listener.function = hear;
        listener.user = heard;
        arena_check(kn_listener_add(a->world, &listener, &id), NULL, "listener");
    }
}

int main(void)
{
    static uint8_t buffer[1 << 22];
    arena a, b, c;
    uint64_t lines = 0, heard = 0;
    arena_open(&a);
    arena_world(&a, 7);
    arena_populate(&a);
    arena_open(&b);
    arena_world(&b, 7);
    arena_populate(&b);
    arena_open(&c);
    watched_world(&c, 7, &lines, &heard);
    arena_populate(&c);
    for (uint32_t i = 0; i < STEPS; i++) {
        step_twice(&a, buffer, sizeof(buffer), i);
        if (i % 300 == 150) {
            go_on_elsewhere(&a, 0, 0, i);
        }
        arena_check(kn_world_step(b.world, FRAME), NULL, "step");
        expect(kn_world_hash(a.world) == kn_world_hash(b.world), "two worlds differ", i);
        arena_check(kn_world_step(c.world, FRAME), NULL, "step");
        expect(kn_world_hash(c.world) == kn_world_hash(b.world), "watching changes it", i);
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
    expect(lines > 1000 && heard > 1000, "nobody watches", STEPS);
    arena_close(&a);
    arena_close(&b);
    arena_close(&c);
    return failures == 0 ? 0 : 1;
}
