// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Running out of memory is a loop: the first allocation fails, then the second, and so on, until
// whole scenes succeed. Each time the right error comes back and nothing is leaked; a call outside
// a step leaves the world as it was.

#include "group.h"

#include "scenes/scene.h"

#include <stdlib.h>
#include <string.h>

#define HERTZ 10
#define EACH_UNTIL 300 // from this allocation on only some fail
#define TRIES_MAX 60   // of those

// An allocator that fails once, at the `fail_at`th request for more, and counts what is out.
typedef struct failing_memory {
    uint64_t requests;
    uint64_t fail_at; // 0: never
    size_t bytes;
    uint32_t blocks;
} failing_memory;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing_memory *memory = user;
    assert_true((ptr == NULL) == (old_size == 0));
    if (new_size > old_size && ++memory->requests == memory->fail_at) {
        return NULL;
    }
    void *block = NULL;
    if (new_size > 0) {
        block = malloc(new_size);
        assert_non_null(block);
        memory->blocks++;
        if (ptr != NULL) {
            memcpy(block, ptr, old_size < new_size ? old_size : new_size);
        }
    }
    if (ptr != NULL) {
        free(ptr);
        memory->blocks--;
    }
    memory->bytes = memory->bytes - old_size + new_size;
    return block;
}

static kn_hooks hooks_of(failing_memory *memory)
{
    kn_hooks hooks = {.realloc_fn = failing_realloc, .realloc_user = memory};
    return hooks;
}

static void expect_all_freed(const failing_memory *memory)
{
    assert_int_equal(memory->blocks, 0);
    assert_int_equal(memory->bytes, 0);
}

// The next allocation to fail: one by one at first, then in strides that reach the end.
static uint64_t next_failure(uint64_t index, uint64_t total)
{
    if (index < EACH_UNTIL) {
        return index + SHARE(3);
    }
    uint64_t stride = (total - EACH_UNTIL) / TRIES_MAX;
    return index + (stride > 0 ? stride : 1);
}

static kn_library *make_library(const scene_info *scene)
{
    kn_library *library;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    return library;
}

static void libraries_fail_cleanly(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scene_count; i++) {
        failing_memory memory = {0};
        kn_hooks hooks = hooks_of(&memory);
        kn_library *library;
        kn_error error;
        assert_int_equal(scene_create_library(scene_list[i], &hooks, &library, &error), KN_OK);
        kn_library_destroy(library);
        expect_all_freed(&memory);
        uint64_t total = memory.requests;
        for (uint64_t fail = 1; fail <= total; fail = next_failure(fail, total)) {
            memory = (failing_memory){.fail_at = fail};
            kn_result result = scene_create_library(scene_list[i], &hooks, &library, &error);
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(library);
            expect_all_freed(&memory);
        }
    }
}

static void worlds_fail_cleanly(void **state)
{
    (void)state;
    kn_library *library = make_library(scene_find("economy"));
    failing_memory memory = {0};
    kn_hooks hooks = hooks_of(&memory);
    kn_world *world;
    assert_int_equal(scene_create_empty_world(library, &hooks, &world), KN_OK);
    kn_world_destroy(world);
    expect_all_freed(&memory);
    uint64_t total = memory.requests;
    for (uint64_t fail = 1; fail <= total; fail++) {
        memory = (failing_memory){.fail_at = fail};
        assert_int_equal(scene_create_empty_world(library, &hooks, &world), KN_ERROR_OUT_OF_MEMORY);
        assert_null(world);
        expect_all_freed(&memory);
    }
    kn_library_destroy(library);
}

static void say_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

// A world with as little room as possible, so that almost every call has to ask for more.
static kn_world *make_tight_world(const kn_library *library, const kn_hooks *hooks)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.hooks = *hooks;
    def.hooks.log_fn = say_nothing;
    def.entity_capacity = 0;
    def.actor_capacity = 0;
    def.effect_capacity = 0;
    def.event_capacity = 0;
    def.heap_capacity = 0;
    kn_world *world;
    kn_result result = kn_world_create(&def, &world);
    assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
    return world;
}

// Runs a scene in a tight world; a step that runs out of memory breaks the world and says so, and
// the broken world refuses all further steps. False if memory was missed anywhere.
static bool run_until_broken(const scene_info *scene, kn_world *world)
{
    bool all_well = true;
    kn_result result = scene_populate(scene, world);
    if (result != KN_OK) {
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_false(kn_world_is_broken(world));
        return false;
    }
    for (uint32_t i = 0; i < scene_step_count(scene, HERTZ) / 4; i++) {
        result = scene_step(world, i, HERTZ);
        if (result == KN_OK) {
            continue;
        }
        if (result == KN_ERROR_OUT_OF_MEMORY) { // before it began
            assert_false(kn_world_is_broken(world));
            all_well = false;
            continue;
        }
        assert_int_equal(result, KN_ERROR_WORLD_BROKEN);
        assert_true(kn_world_is_broken(world));
        assert_int_equal(kn_world_step(world, 0), KN_ERROR_WORLD_BROKEN);
        return false;
    }
    return all_well;
}

static void scenes_fail_cleanly(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scene_count; i++) {
        const scene_info *scene = scene_list[i];
        kn_library *library = make_library(scene);
        failing_memory memory = {0};
        kn_hooks hooks = hooks_of(&memory);
        kn_world *world = make_tight_world(library, &hooks);
        assert_true(run_until_broken(scene, world));
        uint64_t hash = kn_world_hash(world);
        kn_world_destroy(world);
        expect_all_freed(&memory);
        uint64_t total = memory.requests;
        for (uint64_t fail = 1; fail <= total; fail = next_failure(fail, total)) {
            memory = (failing_memory){.fail_at = fail};
            world = make_tight_world(library, &hooks);
            // Events that were not published are not lost.
            if (world != NULL && run_until_broken(scene, world)) {
                assert_int_equal(kn_world_hash(world), hash);
            }
            kn_world_destroy(world);
            expect_all_freed(&memory);
        }
        kn_library_destroy(library);
    }
}

// Single calls --------------------------------------------------------------

// One call on the `index`th entity; whatever it does, memory may run out.
typedef kn_result call_fn(kn_world *world, kn_entity_id entity, uint32_t index);

static kn_result call_create(kn_world *world, kn_entity_id entity, uint32_t index)
{
    (void)entity;
    (void)index;
    kn_entity_id created;
    return kn_entity_create(world, &created);
}

static kn_result call_add_tag(kn_world *world, kn_entity_id entity, uint32_t index)
{
    kn_tag tag = {1 + index % kn_tag_count(kn_world_library(world))};
    return kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1);
}

static kn_result call_add_set(kn_world *world, kn_entity_id entity, uint32_t index)
{
    kn_attribute_set_id set = kn_attribute_set_find(kn_world_library(world), "Body");
    return kn_attribute_set_add(world, entity, set, 1 + index % 3);
}

// The first sixteen kinds start no other effects.
static kn_result call_apply(kn_world *world, kn_entity_id entity, uint32_t index)
{
    kn_effect_type_id type = {1 + index % 16};
    return kn_effect_apply_simple(world, type, entity, entity, 1.0f, NULL);
}

static kn_result call_spec(kn_world *world, kn_entity_id entity, uint32_t index)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    kn_tag tag = {1 + index % kn_tag_count(kn_world_library(world))};
    kn_caller_value value = {tag, 2.0f};
    def.type.index1 = 1 + index % 16;
    def.source = entity;
    def.caller_values = &value;
    def.caller_value_count = 1;
    def.dynamic_granted_tags = (kn_tags){&tag, 1};
    kn_spec_id spec;
    return kn_spec_create(world, &def, &spec);
}

static kn_result call_timer(kn_world *world, kn_entity_id entity, uint32_t index)
{
    kn_timer_id timer;
    return kn_timer_start(world, (kn_timer_type_id){1}, entity, KN_S(1 + index), NULL, &timer);
}

static kn_result call_register(kn_world *world, kn_entity_id entity, uint32_t index)
{
    (void)entity;
    char name[8] = {'T', (char)('A' + index % 26), (char)('A' + index / 26 % 26), '\0'};
    kn_modifier_def modifier = kn_modifier_constant(
        kn_attribute_find(kn_world_library(world), "Body.Grip"), KN_OP_ADD, 1.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type;
    return kn_world_effect_register(world, &def, &type, NULL);
}

static kn_result call_base(kn_world *world, kn_entity_id entity, uint32_t index)
{
    return kn_attribute_set_base(world, entity,
        kn_attribute_find(kn_world_library(world), "Body.Limit"), 0, (float)(50 + index % 100));
}

static kn_result call_parent(kn_world *world, kn_entity_id entity, uint32_t index)
{
    (void)index;
    return kn_entity_set_parent(world, entity, kn_entity_next(world, entity));
}

static call_fn *const calls[] = {call_create, call_add_tag, call_add_set, call_apply, call_apply,
    call_spec, call_timer, call_register, call_base, call_parent};

// Makes many calls. Before each, memory is set to fail at the call's first request, then at its
// second, and so on until it gets through: every failure leaves the world as it was.
static void failed_calls_change_nothing(void **state)
{
    (void)state;
    kn_library *library = make_library(scene_find("storm"));
    failing_memory memory = {0};
    kn_hooks hooks = hooks_of(&memory);
    kn_world *world = make_tight_world(library, &hooks);
    uint32_t failures = 0;
    kn_entity_id entity = {0};
    for (uint32_t i = 0; i < 600; i++) {
        if (i % 8 == 0 || kn_entity_id_is_null(entity)) {
            assert_int_equal(kn_entity_create(world, &entity), KN_OK);
            assert_int_equal(
                kn_attribute_set_add(world, entity, kn_attribute_set_find(library, "Body"), 0),
                KN_OK);
        }
        uint64_t hash = kn_world_hash(world);
        for (uint64_t fail = 1;; fail++) {
            memory.requests = 0;
            memory.fail_at = fail;
            kn_result result = calls[i % (sizeof calls / sizeof calls[0])](world, entity, i);
            memory.fail_at = 0;
            if (kn_world_is_broken(world)) {
                fail_msg("call %u broke the world at request %u", i, (unsigned)fail);
            }
            if (result != KN_ERROR_OUT_OF_MEMORY) {
                assert_true(memory.requests < fail || result == KN_OK);
                break;
            }
            failures++;
            assert_true(kn_world_hash(world) == hash);
        }
        if (i % 50 == 49) {
            assert_true(kn_world_validate(world));
            assert_int_equal(kn_world_step(world, KN_MS(20)), KN_OK);
        }
    }
    assert_true(failures > 20);
    kn_world_destroy(world);
    expect_all_freed(&memory);
    kn_library_destroy(library);
}

// Reading a save or a snapshot that does not fit leaves the world as it was.
static void failed_loads_change_nothing(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("stacks");
    kn_library *library = make_library(scene);
    kn_world *source;
    assert_int_equal(scene_create_world(scene, library, NULL, &source), KN_OK);
    assert_int_equal(kn_world_step(source, KN_S(3)), KN_OK);
    size_t size = 0, written = 0;
    assert_int_equal(kn_save_write(source, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_int_equal(kn_save_write(source, save, size, &written), KN_OK);
    size_t snapshot_size = kn_snapshot_size(source);
    void *snapshot = malloc(snapshot_size);
    assert_int_equal(kn_snapshot_take(source, snapshot, snapshot_size, &snapshot_size), KN_OK);

    failing_memory memory = {0};
    kn_hooks hooks = hooks_of(&memory);
    for (uint32_t form = 0; form < 2; form++) {
        kn_result result = KN_ERROR_OUT_OF_MEMORY;
        for (uint64_t fail = 1; result != KN_OK; fail++) {
            memory = (failing_memory){0};
            kn_world *world = make_tight_world(library, &hooks);
            uint64_t hash = kn_world_hash(world);
            memory.requests = 0;
            memory.fail_at = fail;
            result = form == 0 ? kn_save_read(world, save, size, NULL)
                               : kn_snapshot_restore(world, snapshot, snapshot_size);
            memory.fail_at = 0;
            if (result != KN_OK) {
                assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
                assert_true(kn_world_hash(world) == hash);
            } else {
                assert_true(kn_world_hash(world) == kn_world_hash(source));
            }
            kn_world_destroy(world);
            expect_all_freed(&memory);
        }
    }
    free(save);
    free(snapshot);
    kn_world_destroy(source);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(libraries_fail_cleanly),
    cmocka_unit_test(worlds_fail_cleanly),
    cmocka_unit_test(scenes_fail_cleanly),
    cmocka_unit_test(failed_calls_change_nothing),
    cmocka_unit_test(failed_loads_change_nothing),
};

TEST_GROUP(out_of_memory, tests, NULL, NULL);
