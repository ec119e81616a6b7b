// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A range with a hero who aims: the hero of the ability fixture at the origin, looking along x, and
// others around. One ability, "Aim", runs a targeting task and notes its results.
#ifndef TARGET_FIXTURE_H
#define TARGET_FIXTURE_H

#include "scenario/ability_fixture.h"

enum { CONFIRM_INPUT = 7, CANCEL_INPUT = 8 };

typedef struct range {
    fixture *f;
    kn_grid *grid;
    kn_targeting_id targeting; // of the task
    kn_confirm confirm;
    kn_time timeout;
    kn_name name;
    bool confirms_again; // from its own hook, up to three times
    bool confirms_at_once;
    kn_ability_type_id aim;
    kn_ability_id ability;
    kn_activation_id activation;
    kn_task_id task;
    uint32_t looks; // of the counting shape
    kn_result refused;
} range;

static inline int range_setup(void **state)
{
    range *r = calloc(1, sizeof(*r));
    void *inner = NULL;
    (void)setup(&inner);
    r->f = inner;
    assert_int_equal(kn_grid_register(r->f->library, NULL, NULL), KN_OK);
    assert_int_equal(kn_name_register(r->f->library, "AimTask", &r->name, NULL), KN_OK);
    *state = r;
    return 0;
}

static inline int range_teardown(void **state)
{
    range *r = *state;
    void *inner = r->f;
    kn_grid_destroy(r->grid);
    (void)teardown(&inner);
    free(r);
    return 0;
}

#define RANGE(test) cmocka_unit_test_setup_teardown(test, range_setup, range_teardown)

static inline const char *output_name(kn_task_output output)
{
    switch (output) {
    case KN_TASK_FIRED:
        return "fired";
    case KN_TASK_CANCELLED:
        return "cancelled";
    case KN_TASK_TIMED_OUT:
        return "timed out";
    default:
        return "?";
    }
}

// "fired 2 3. " for a result that names the entities in slots 2 and 3.
static inline void aim_told(const kn_ability_call *call, const kn_task_result *result)
{
    range *r = call->user;
    kn_entity_id entities[8];
    uint32_t count = kn_target_entities(result->data.targets, entities, 8);
    note(r->f, "%s", output_name(result->output));
    for (uint32_t i = 0; i < count && i < 8; i++) {
        note(r->f, " %u", entities[i].index1);
    }
    note(r->f, ". ");
    if (r->confirms_again && kn_task_is_alive(call->world, result->task) && r->looks++ < 3) {
        assert_int_equal(kn_target_confirm(call->world, result->task), KN_OK);
    }
}

static inline kn_result aim_activate(const kn_ability_call *call)
{
    range *r = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = r->targeting;
    def.confirm = r->confirm;
    def.timeout = r->timeout;
    def.name = r->name;
    r->refused = kn_task_run(call->world, call->activation, &def, &r->task);
    if (r->confirms_at_once && r->refused == KN_OK) {
        assert_int_equal(kn_target_confirm(call->world, r->task), KN_OK);
    }
    return r->refused;
}

static inline kn_targeting_def targeting_def(const char *name, kn_target_shape shape)
{
    kn_targeting_def def = kn_targeting_def_default();
    def.name = name;
    def.shape = shape;
    def.range = 20.0f;
    def.radius = shape == KN_SHAPE_SPHERE || shape == KN_SHAPE_NEAREST ? 20.0f : 0.0f;
    def.cosine = 0.9f;
    return def;
}

static inline kn_targeting_id targeting_register(range *r, const kn_targeting_def *def)
{
    kn_targeting_id id;
    kn_error error = {0};
    if (kn_targeting_register(r->f->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static inline void aim_register(range *r)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = "Aim";
    def.activate = aim_activate;
    def.task_done = aim_told;
    def.user = r;
    r->aim = ability_register(r->f, &def);
}

static inline kn_grid *grid_over(kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    kn_grid *grid;
    assert_int_equal(kn_grid_create(&def, &grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(grid));
    return grid;
}

static inline void place(range *r, kn_entity_id entity, float x, float y)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0.0f};
    body.radius = 0.5f;
    assert_int_equal(kn_grid_set_body(r->grid, entity, &body), KN_OK);
}

static inline kn_entity_id spawn(range *r, float x, float y)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(r->f->world, &entity), KN_OK);
    place(r, entity, x, y);
    return entity;
}

static inline void look(range *r, float x, float y)
{
    assert_int_equal(kn_grid_turn(r->grid, r->f->hero, (kn_vec3){x, y, 0.0f}), KN_OK);
}

// The hero is entity 1 at the origin, the foe entity 2 at x = 10.
static inline void range_begin(range *r)
{
    begin(r->f);
    r->grid = grid_over(r->f->world);
    place(r, r->f->hero, 0.0f, 0.0f);
    place(r, r->f->foe, 10.0f, 0.0f);
    assert_int_equal(kn_input_bind(r->f->world, r->f->hero, CONFIRM_INPUT, CANCEL_INPUT), KN_OK);
    if (r->aim.index1 != 0) {
        r->ability = grant(r->f, r->aim);
    }
}

static inline void aim(range *r)
{
    r->activation = activate(r->f, r->ability);
}

static inline void target_step(range *r, kn_time dt)
{
    assert_int_equal(kn_targeting_step(r->f->world, dt), KN_OK);
    assert_true(kn_world_validate(r->f->world));
}

static inline void expect_query(range *r, kn_targeting_id targeting, const char *expected)
{
    kn_target_data data;
    kn_entity_id entities[8];
    char text[64] = "";
    bool found = kn_targeting_query(r->f->world, targeting, r->f->hero, &data);
    uint32_t count = kn_target_entities(kn_target_data_view(&data), entities, 8);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        (void)snprintf(text + length, sizeof(text) - length, "%u ", entities[i].index1);
    }
    assert_string_equal(text, expected);
    assert_int_equal(found, data.size > 0);
    assert_true(kn_target_is_valid(r->f->library, kn_target_data_view(&data)));
}

// A range whose task looks along the ray.
static inline void range_with_ray(range *r, kn_confirm confirm)
{
    kn_targeting_def def = targeting_def("Ray", KN_SHAPE_RAY);
    def.limit = 1;
    r->targeting = targeting_register(r, &def);
    r->confirm = confirm;
    aim_register(r);
    range_begin(r);
}

static inline uint32_t seen_count(const range *r)
{
    return kn_target_entities(kn_task_targets(r->f->world, r->task), NULL, 0);
}

// Rolling back and loading --------------------------------------------------

static inline void worlds_run(kn_world *world)
{
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_targeting_step(world, KN_MS(40)), KN_OK);
        assert_int_equal(kn_world_step(world, KN_MS(25)), KN_OK);
    }
}

static inline void check_loaded(range *r, const void *save, size_t size, uint64_t now, uint64_t end)
{
    kn_world *world = world_of(r->f, kn_world_def_default());
    kn_grid *grid = grid_over(world);
    save_load(world, save, size);
    assert_true(kn_world_hash(world) == now);
    worlds_run(world);
    assert_true(kn_world_validate(world));
    assert_true(kn_world_hash(world) == end);
    kn_grid_destroy(grid);
    kn_world_destroy(world);
}

// The future is the same after a rollback, and in a world that was loaded; then all is as before.
static inline void check_futures(range *r)
{
    kn_world *world = r->f->world;
    size_t noted = strlen(r->f->log), size, save_size;
    void *before = snapshot_of(world, &size);
    void *save = save_of(world, &save_size);
    uint64_t now = kn_world_hash(world);
    worlds_run(world);
    uint64_t end = kn_world_hash(world);
    snapshot_restore(world, before, size);
    assert_true(kn_world_hash(world) == now);
    worlds_run(world);
    assert_true(kn_world_hash(world) == end);
    check_loaded(r, save, save_size, now, end);
    snapshot_restore(world, before, size);
    r->f->log[noted] = 0;
    free(before);
    free(save);
}

#endif
