// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about behaviour trees.

#include "fixture.h"

#include "knack/tree.h"

#include <string.h>

#define ROUNDS 200000

typedef struct tree_scene {
    bench_fixture fixture; // with a library of its own
    kn_tree_id tree;
    uint32_t ticket;
} tree_scene;

static kn_result leaf_run(void *user, const kn_hook_call *call)
{
    tree_scene *scene = user;
    kn_tree_call *c = call->arguments;
    scene->ticket = c->ticket;
    c->result = KN_TREE_RUNNING;
    return KN_OK;
}

// A tree of 20 nodes: repeat, and selectors and sequences inside each other, of which some have a
// condition that fails first, down to a task that waits.
static void scene_create(tree_scene *scene)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    memset(scene, 0, sizeof(*scene));
    bench_check(kn_library_create(&def, &scene->fixture.library), "kn_library_create");
    kn_library *library = scene->fixture.library;
    bench_check(kn_order_register(library, &error), error.message);
    const kn_blackboard_key_def key = {"Foe", KN_BLACKBOARD_ENTITY, 0};
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_tree_def tree = kn_tree_def_default();
    board.name = "Board";
    board.keys = &key;
    board.key_count = 1;
    bench_check(kn_blackboard_register(library, &board, &tree.blackboard, &error), error.message);
    kn_tree_action_def action = kn_tree_action_def_default();
    kn_tree_action_id leaf;
    action.name = "Leaf";
    action.run = (kn_hook){leaf_run, scene};
    bench_check(kn_tree_action_register(library, &action, &leaf, &error), error.message);
    const kn_tree_condition foe = {.key = "Foe"};
    kn_tree_node levels[7][3];
    for (uint32_t i = 7; i-- > 0;) { // six levels of a selector with a branch that is not taken
        for (uint32_t j = 0; j < 3; j++) {
            levels[i][j] = kn_tree_node_default();
        }
        levels[i][0].kind = KN_TREE_TASK;
        levels[i][0].action = leaf;
        levels[i][0].conditions = &foe;
        levels[i][0].condition_count = 1;
        if (i == 6) {
            levels[i][0].condition_count = 0;
            continue;
        }
        levels[i][1].kind = KN_TREE_SELECTOR;
        levels[i][1].children = levels[i + 1];
        levels[i][1].child_count = i == 5 ? 1 : 3;
        levels[i][2] = levels[i][0];
    }
    kn_tree_node all = kn_tree_node_default();
    all.kind = KN_TREE_SELECTOR;
    all.children = levels[0];
    all.child_count = 2;
    tree.name = "Tree";
    tree.root.kind = KN_TREE_REPEAT;
    tree.root.children = &all;
    tree.root.child_count = 1;
    bench_check(kn_tree_register(library, &tree, &scene->tree, &error), error.message);
    bench_check(kn_library_finish(library, &error), error.message);
    kn_world_def world = kn_world_def_default();
    world.library = library;
    bench_check(kn_world_create(&world, &scene->fixture.world), "kn_world_create");
}

static void scene_destroy(tree_scene *scene)
{
    kn_world_destroy(scene->fixture.world);
    kn_library_destroy(scene->fixture.library);
}

void bench_tree_step(bench_report *bench)
{
    tree_scene scene;
    kn_entity_id entity;
    kn_tree_info info;
    scene_create(&scene);
    kn_world *world = scene.fixture.world;
    bench_check(kn_entity_create(world, &entity), "kn_entity_create");
    bench_check(kn_tree_start(world, entity, scene.tree), "kn_tree_start");
    (void)kn_tree_get_info(world, entity, &info);
    bench_check(kn_tree_finish_task(world, entity, scene.ticket, KN_TREE_SUCCEEDED), "warm-up");
    uint64_t before = kn_world_get_stats(world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        bench_check(kn_tree_finish_task(world, entity, scene.ticket, KN_TREE_SUCCEEDED),
            "kn_tree_finish_task");
    }
    double end = bench_now_ns();
    bench_note(bench, "op_ns", (end - start) / ROUNDS, "ns");
    bench_note(bench, "nodes", info.node_count, "");
    bench_note(bench, "allocations", (double)(kn_world_get_stats(world).allocations - before), "");
    scene_destroy(&scene);
}
