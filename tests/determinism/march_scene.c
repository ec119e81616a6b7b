// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units on the march as a scene: they go to points and after each other on a map, by calls and by
// trees, while walls are built and torn down, speeds change, and some of them die and are replaced.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/mover.h"
#include "knack/tree.h"

#define UNITS 16
#define STREAM 0

static const char field[] = "........................\n"
                            ".####.....#######.......\n"
                            ".#..#...........#..##...\n"
                            ".#..#######.....#..##...\n"
                            ".#........#.....#.......\n"
                            ".####.###.#..####.......\n"
                            "......#...#.....#..###..\n"
                            "..##..#####..........#..\n"
                            "..##............##...#..\n"
                            "......####......##...#..\n"
                            "...........###.......#..\n"
                            "........................\n";

static kn_vec3 random_point(kn_world *world)
{
    const float x = (float)kn_random_below(world, STREAM, 2600) * 0.01f - 1.0f;
    const float y = (float)kn_random_below(world, STREAM, 1400) * 0.01f - 1.0f;
    return (kn_vec3){x, y, 0.0f};
}

// A unit, by chance.
static kn_entity_id somebody(kn_world *world)
{
    kn_entity_id found = {0};
    uint32_t skip = kn_random_below(world, STREAM, UNITS);
    kn_component_type_id moves = kn_component_find(kn_world_library(world), "Knack.Move");
    for (uint32_t i = 0; i <= skip; i++) {
        kn_entity_id next = kn_component_next(world, moves, found);
        found = next.index1 != 0 ? next : found;
    }
    return found;
}

static kn_result recruit(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    kn_entity_id unit;
    kn_result result = kn_entity_create(world, &unit);
    if (result != KN_OK) {
        return result;
    }
    kn_body *body = kn_component_add(world, kn_component_find(library, KN_GRID_BODY_NAME), unit);
    if (body == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *body = kn_body_default();
    body->position = random_point(world);
    if (kn_random_below(world, STREAM, 2) == 0) {
        result = kn_attribute_set_add(world, unit, kn_attribute_set_find(library, "Legs"), 0);
    }
    if (result != KN_OK) {
        return result;
    }
    const char *tag = kn_random_below(world, STREAM, 4) == 0 ? "Unit.Fast" : "Unit.Slow";
    return kn_entity_set_tag_count(
        world, unit, kn_tag_find(library, tag), KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
}

static void move_somebody(kn_world *world)
{
    kn_entity_id unit = somebody(world);
    kn_move move = kn_move_to_point(random_point(world), 0.0f);
    move.range = (float)kn_random_below(world, STREAM, 3);
    if (kn_random_below(world, STREAM, 3) == 0) {
        move.target = somebody(world);
    }
    (void)kn_move_start(world, unit, &move, NULL);
}

// Sends a unit on a patrol between where it is and a point.
static void patrol_somebody(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    kn_entity_id unit = somebody(world);
    (void)kn_blackboard_add(world, unit, kn_blackboard_find(library, "Patrol"));
    (void)kn_blackboard_set_vector(world, unit, "Spot", random_point(world));
    (void)kn_blackboard_set_entity(world, unit, "Friend", somebody(world));
    (void)kn_tree_start(world, unit, kn_tree_find(library, "Patrol"));
}

static void build_somewhere(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id blocks = kn_component_find(library, "Knack.MapBlock");
    const kn_vec3 at = random_point(world);
    if (kn_random_below(world, STREAM, 3) == 0) {
        kn_component_id first = {0};
        first = kn_component_instance_next(world, blocks, (kn_entity_id){0}, first);
        (void)kn_map_unblock(world, first);
        return;
    }
    kn_entity_id owner =
        kn_random_below(world, STREAM, 2) == 0 ? somebody(world) : (kn_entity_id){0};
    (void)kn_map_block(world, owner, kn_map_find(library, "Field"), at,
        (kn_vec3){at.x + (float)kn_random_below(world, STREAM, 3), at.y + 1.0f, 0.0f}, NULL);
}

static kn_time marshal_thinks(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const uint32_t chance = kn_random_below(world, STREAM, 20);
    (void)user;
    (void)data;
    (void)entity;
    if (chance < 9) {
        move_somebody(world);
    } else if (chance < 12) {
        patrol_somebody(world);
    } else if (chance < 15) {
        build_somewhere(world);
    } else if (chance < 17) {
        const kn_entity_id unit = somebody(world);
        const float pace = (float)kn_random_below(world, STREAM, 6);
        (void)kn_attribute_set_base(
            world, unit, kn_attribute_find(kn_world_library(world), "Legs.Pace"), 0, pace);
    } else if (chance < 18) {
        (void)kn_move_stop(world, somebody(world));
    } else if (chance < 19) {
        (void)kn_tree_stop(world, somebody(world));
    } else {
        (void)kn_entity_destroy(world, somebody(world));
        (void)recruit(world);
    }
    return KN_MS(30 + kn_random_below(world, STREAM, 90));
}

// To the point, to the friend, and around again.
static void tree_declare(scene_builder *b)
{
    static const kn_blackboard_key_def keys[] = {
        {"Spot", KN_BLACKBOARD_VECTOR, 0.0f},
        {"Friend", KN_BLACKBOARD_ENTITY, 0.0f},
        {"Near", KN_BLACKBOARD_FLOAT, 1.5f},
    };
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_tree_def tree = kn_tree_def_default();
    kn_tree_node parts[4];
    for (uint32_t i = 0; i < 4; i++) {
        parts[i] = kn_tree_node_default();
    }
    parts[0].kind = KN_TREE_MOVE_TO;
    parts[0].location = "Spot";
    parts[1].kind = KN_TREE_FACE;
    parts[1].target = "Friend";
    parts[2].kind = KN_TREE_MOVE_TO;
    parts[2].target = "Friend";
    parts[2].range = "Near";
    parts[3].kind = KN_TREE_WAIT;
    parts[3].duration = KN_MS(120);
    kn_tree_node round = kn_tree_node_default();
    round.children = parts;
    round.child_count = 4;
    board.name = "Patrol";
    board.keys = keys;
    board.key_count = COUNT_OF(keys);
    (void)scene_note(b, kn_blackboard_register(b->library, &board, &tree.blackboard, &b->error));
    tree.name = "Patrol";
    tree.root.kind = KN_TREE_REPEAT;
    tree.root.children = &round;
    tree.root.child_count = 1;
    (void)scene_note(b, kn_tree_register(b->library, &tree, NULL, &b->error));
}

static void march_declare(scene_builder *b)
{
    kn_timer_type_id timer;
    kn_map_def map = kn_map_def_default();
    kn_mover_def mover = kn_mover_def_default();
    if (!scene_note(b, kn_order_register(b->library, &b->error))) {
        return;
    }
    const kn_attribute_def pace = scene_attribute("Pace", 3.0f);
    (void)scene_set(b, "Legs", &pace, 1, NULL);
    map.name = "Field";
    map.rows = field;
    (void)scene_note(b, kn_map_register(b->library, &map, &mover.map, &b->error));
    mover.name = "Slow";
    mover.tag = scene_tag(b, "Unit.Slow");
    mover.speed = 2.5f;
    mover.speed_attribute = scene_find_attribute(b, "Legs.Pace");
    mover.slack = 3.0f;
    mover.search_limit = 24;
    (void)scene_note(b, kn_mover_register(b->library, &mover, NULL, &b->error));
    mover.name = "Fast";
    mover.tag = scene_tag(b, "Unit.Fast");
    mover.speed = 5.3f;
    mover.rate = 33;
    mover.map = (kn_map_id){0};
    (void)scene_note(b, kn_mover_register(b->library, &mover, NULL, &b->error));
    tree_declare(b);
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Marshal", marshal_thinks, NULL, &timer, &b->error));
}

static void march_populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < UNITS && stage->result == KN_OK; i++) {
        (void)scene_act(stage, recruit(stage->world));
    }
    (void)scene_act(
        stage, kn_timer_start(stage->world, kn_timer_type_find(stage->library, "Marshal"),
                   (kn_entity_id){0}, KN_MS(17), NULL, NULL));
}

const scene_info scene_march = {
    .name = "march",
    .summary = "units that go to places and after each other, around walls that come and go",
    .declare = march_declare,
    .populate = march_populate,
    .seconds = 20,
};
