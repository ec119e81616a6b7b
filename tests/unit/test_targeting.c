// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Targeting tasks under attack: hostile saves whose checksum is right, and memory that runs out.

#include "damaged_save.h"
#include "scenario/target_fixture.h"

// Two tasks in the middle of it: one persistent, with several targets of two types.
static bool find_mixed(const kn_targeting_call *call, kn_target_data *out)
{
    const range *r = call->user;
    kn_target_entity entity = {r->f->foe};
    kn_target_hit hit = {.entity = r->f->hero, .point = {1, 2, 3}, .distance = 4};
    const kn_library *library = kn_world_library(call->world);
    return kn_target_add(library, out, kn_target_type_entity(), &entity) == KN_OK &&
           kn_target_add(library, out, kn_target_type_hit(), &hit) == KN_OK;
}

static void range_with_mixed(range *r)
{
    kn_targeting_def def = targeting_def("Mixed", KN_SHAPE_CUSTOM);
    def.find = find_mixed;
    def.user = r;
    def.persists = true;
    def.interval = KN_MS(50);
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_CUSTOM_MULTI;
    r->timeout = KN_S(10);
    aim_register(r);
}

// The task of a world that was loaded, wherever it is.
static kn_task_id task_in(const kn_world *world, kn_entity_id hero)
{
    kn_activation_id activation;
    kn_task_id task = {0};
    if (kn_activations(world, hero, &activation, 1) == 1) {
        (void)kn_tasks(world, activation, &task, 1);
    }
    return task;
}

// Everything that reads a task's bytes.
static void exercise(range *r, kn_world *world)
{
    kn_task_id task = task_in(world, r->f->hero);
    kn_reticle reticle;
    (void)kn_task_reticle(world, task, &reticle);
    assert_true(kn_target_is_valid(r->f->library, kn_task_targets(world, task)));
    (void)kn_target_confirm(world, task);
    kn_result result = kn_targeting_step(world, KN_MS(60));
    assert_true(result == KN_OK || result == KN_ERROR_INVALID_ARGUMENT); // at the end of time
    (void)kn_target_provide(world, task, kn_task_targets(world, task));
    (void)kn_target_cancel(world, task);
    assert_int_equal(kn_world_step(world, KN_MS(20)), KN_OK);
    assert_true(kn_world_validate(world));
    r->f->log[0] = 0;
}

static void load_changed(range *r, kn_world *world, uint8_t *bytes, size_t size, size_t at)
{
    const uint8_t kept = bytes[at], values[] = {0, 1, 2, 0x7f, 0xff, kept ^ 1, kept ^ 0x80};
    for (uint32_t i = 0; i < sizeof(values); i++) {
        bytes[at] = values[i];
        repair(bytes, size);
        if (kn_save_read(world, bytes, size, NULL) == KN_OK) {
            assert_true(kn_world_validate(world));
            exercise(r, world);
        }
    }
    bytes[at] = kept;
}

static void a_save_with_any_byte_changed_is_refused_or_sound(void **state)
{
    range *r = *state;
    range_with_mixed(r);
    range_begin(r);
    aim(r);
    target_step(r, KN_MS(20));
    size_t size;
    uint8_t *bytes = save_of(r->f->world, &size);
    kn_world_def def = kn_world_def_default();
    def.library = r->f->library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (size_t at = 24; at < size; at += SHARE(5)) {
        load_changed(r, world, bytes, size, at);
    }
    repair(bytes, size);
    assert_int_equal(kn_save_read(world, bytes, size, NULL), KN_OK);
    assert_true(kn_world_hash(world) == kn_world_hash(r->f->world));
    kn_world_destroy(world);
    free(bytes);
}

// An allocator that fails once.
typedef struct failing_memory {
    uint64_t requests;
    uint64_t fail_at;
} failing_memory;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing_memory *memory = user;
    if (new_size > old_size && ++memory->requests == memory->fail_at) {
        return NULL;
    }
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void keep_quiet(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static void aim_and_shoot(range *r)
{
    kn_world *world = r->f->world;
    (void)kn_ability_activate(world, r->ability, NULL, &r->activation);
    kn_result result = kn_targeting_step(world, KN_MS(60));
    assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || kn_world_is_broken(world));
    (void)kn_target_confirm(world, r->task);
    result = kn_world_step(world, KN_MS(16));
    assert_true(
        result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
    assert_true(kn_world_is_broken(world) || kn_world_validate(world));
}

// A fresh world whose allocator counts.
static void world_renew(range *r, failing_memory *memory)
{
    kn_grid_destroy(r->grid);
    kn_world_destroy(r->f->world);
    kn_world_def def = kn_world_def_default();
    def.library = r->f->library;
    def.hooks.realloc_fn = failing_realloc;
    def.hooks.realloc_user = memory;
    def.hooks.log_fn = keep_quiet;
    assert_int_equal(kn_world_create(&def, &r->f->world), KN_OK);
    assert_int_equal(kn_entity_create(r->f->world, &r->f->hero), KN_OK);
    assert_int_equal(kn_entity_create(r->f->world, &r->f->foe), KN_OK);
    r->grid = grid_over(r->f->world);
    r->ability = grant(r->f, r->aim);
}

// True if memory ran out.
static bool aim_without_memory(range *r, failing_memory *memory, uint64_t fail_at)
{
    kn_world *world = r->f->world;
    size_t size;
    void *before = snapshot_of(world, &size);
    uint64_t hash = kn_world_hash(world);
    memory->fail_at = memory->requests + fail_at;
    aim_and_shoot(r);
    bool failed = memory->requests >= memory->fail_at;
    assert_true(failed || !kn_world_is_broken(world));
    memory->fail_at = 0;
    snapshot_restore(world, before, size);
    assert_true(kn_world_hash(world) == hash);
    r->f->log[0] = 0;
    aim_and_shoot(r);
    EXPECT_LOG(r->f, "fired 2 1. ");
    free(before);
    return failed;
}

static void a_world_without_memory_is_mended_by_a_snapshot(void **state)
{
    range *r = *state;
    failing_memory memory = {0};
    range_with_mixed(r);
    assert_int_equal(kn_library_finish(r->f->library, NULL), KN_OK);
    uint64_t fail_at = 1, end = 0;
    for (bool failed = true; failed; fail_at++) {
        world_renew(r, &memory);
        failed = aim_without_memory(r, &memory, fail_at);
        end = end == 0 ? kn_world_hash(r->f->world) : end;
        assert_true(kn_world_hash(r->f->world) == end);
    }
    assert_true(fail_at > 3);
    kn_grid_destroy(r->grid);
    kn_world_destroy(r->f->world); // before its memory goes
    r->grid = NULL;
    r->f->world = NULL;
}

static const struct CMUnitTest tests[] = {
    RANGE(a_save_with_any_byte_changed_is_refused_or_sound),
    RANGE(a_world_without_memory_is_mended_by_a_snapshot),
};

TEST_GROUP(test_targeting, tests, NULL, NULL);
