// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities that come and go in worlds of different sizes. Whatever the size, the end of one must
// cost the same.

#include "bench.h"

#include <stdlib.h>

#define ENTITIES 2500 // of the smallest world
#define GROUP 10      // entities with the same parent and owner, the first of them
#define ROUNDS 2000

typedef struct lives {
    kn_library *library;
    kn_world *world;
    kn_attribute_set_id vitals;
    kn_attribute_id health, speed;
    kn_tag marked, hurt;
    kn_effect_type_id poison;  // ticks
    kn_effect_type_id bond;    // follows an attribute of its source, on another entity
    kn_effect_type_id command; // acts on all that its target owns
    kn_ability_type_id sentry; // watches another entity
    kn_component_type_id place;
    kn_timer_type_id alarm;
    kn_entity_id *entities;
    uint32_t count;
    uint64_t random;
} lives;

typedef struct lives_place {
    float x, y;
} lives_place;

static void check(kn_result result, const char *what)
{
    if (result != KN_OK) {
        bench_check(result, what);
    }
}

// Registration --------------------------------------------------------------

static kn_time alarm_rings(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static kn_tag register_tag(lives *scene, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag;
    check(kn_tag_register(scene->library, &def, &tag, NULL), name);
    return tag;
}

static void register_attributes(lives *scene)
{
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Health";
    attributes[0].default_value = 1000000.0f;
    attributes[1].name = "Speed";
    attributes[1].default_value = 100.0f;
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Vitals";
    def.attributes = attributes;
    def.attribute_count = 2;
    check(kn_attribute_set_register(scene->library, &def, &scene->vitals, NULL), def.name);
    scene->health = kn_attribute_find(scene->library, "Vitals.Health");
    scene->speed = kn_attribute_find(scene->library, "Vitals.Speed");
}

static void register_effects(lives *scene)
{
    kn_modifier_def damage = kn_modifier_constant(scene->health, KN_OP_ADD, -1.0f);
    kn_effect_def poison = kn_effect_def_default();
    poison.name = "Poison";
    poison.duration_kind = KN_DURATION_INFINITE;
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(3600.0f);
    poison.modifiers = &damage;
    poison.modifier_count = 1;
    poison.granted_tags = (kn_tags){&scene->hurt, 1};
    check(kn_effect_register(scene->library, &poison, &scene->poison, NULL), poison.name);

    kn_modifier_def follow = kn_modifier_def_default();
    follow.attribute = scene->speed;
    follow.op = KN_OP_ADD;
    follow.magnitude = kn_magnitude_attribute(scene->speed, KN_CAPTURE_FROM_SOURCE, false, 0.01f);
    kn_effect_def bond = kn_effect_def_default();
    bond.name = "Bond";
    bond.duration_kind = KN_DURATION_INFINITE;
    bond.modifiers = &follow;
    bond.modifier_count = 1;
    bond.ends_with_source = true;
    check(kn_effect_register(scene->library, &bond, &scene->bond, NULL), bond.name);

    kn_modifier_def haste = kn_modifier_constant(scene->speed, KN_OP_ADD, 10.0f);
    kn_effect_def command = kn_effect_def_default();
    command.name = "Command";
    command.duration_kind = KN_DURATION_INFINITE;
    command.modifiers = &haste;
    command.modifier_count = 1;
    command.acts_on_owned = true;
    check(kn_effect_register(scene->library, &command, &scene->command, NULL), command.name);
}

static void register_rest(lives *scene)
{
    kn_ability_def sentry = kn_ability_def_default();
    sentry.name = "Sentry";
    check(kn_ability_register(scene->library, &sentry, &scene->sentry, NULL), sentry.name);
    const kn_field fields[] = {KN_FIELD_INIT("x", KN_FIELD_F32, offsetof(lives_place, x), 1),
        KN_FIELD_INIT("y", KN_FIELD_F32, offsetof(lives_place, y), 1)};
    kn_component_def place = kn_component_def_default();
    place.name = "Place";
    place.size = sizeof(lives_place);
    place.fields = fields;
    place.field_count = 2;
    check(kn_component_register(scene->library, &place, &scene->place, NULL), place.name);
    check(kn_timer_type_register(scene->library, "Alarm", alarm_rings, NULL, &scene->alarm, NULL),
        "Alarm");
}

static void lives_init(lives *scene)
{
    *scene = (lives){.random = 1};
    kn_library_def def = kn_library_def_default();
    check(kn_library_create(&def, &scene->library), "kn_library_create");
    scene->marked = register_tag(scene, "State.Marked");
    scene->hurt = register_tag(scene, "State.Hurt");
    register_attributes(scene);
    register_effects(scene);
    register_rest(scene);
    check(kn_library_finish(scene->library, NULL), "kn_library_finish");
}

// Lives ---------------------------------------------------------------------

// One that ticks and belongs to another, with a component and a timer. A leader commands all that
// it owns.
static kn_entity_id life_begin(const lives *scene, kn_entity_id leader)
{
    kn_world *world = scene->world;
    kn_entity_id entity;
    check(kn_entity_create(world, &entity), "kn_entity_create");
    check(kn_attribute_set_add(world, entity, scene->vitals, 0), "kn_attribute_set_add");
    if (kn_component_add(world, scene->place, entity) == NULL) {
        check(KN_ERROR_OUT_OF_MEMORY, "kn_component_add");
    }
    check(kn_timer_start(world, scene->alarm, entity, KN_S(3600), NULL, NULL), "kn_timer_start");
    check(kn_effect_apply_simple(world, scene->poison, entity, entity, 1.0f, NULL), "poison");
    if (leader.index1 == 0) {
        check(kn_effect_apply_simple(world, scene->command, entity, entity, 1.0f, NULL), "command");
    } else {
        check(kn_entity_set_parent(world, entity, leader), "kn_entity_set_parent");
        check(kn_entity_set_owner(world, entity, leader), "kn_entity_set_owner");
    }
    return entity;
}

// It acts on another, which follows it, and watches that one.
static void life_bind(const lives *scene, kn_entity_id entity, kn_entity_id other)
{
    kn_world *world = scene->world;
    check(kn_effect_apply_simple(world, scene->bond, entity, other, 1.0f, NULL), "bond");
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = scene->sentry;
    kn_ability_id ability;
    check(kn_ability_grant(world, entity, &grant, &ability), "kn_ability_grant");
    kn_activation_id activation;
    check(kn_ability_activate(world, ability, NULL, &activation), "kn_ability_activate");
    kn_task_def task = kn_task_def_default(KN_TASK_TAG_ADDED);
    task.entity = other;
    task.tag = scene->marked;
    check(kn_task_run(world, activation, &task, NULL), "kn_task_run");
}

static kn_entity_id leader_of(const lives *scene, uint32_t index)
{
    return index % GROUP == 0 ? (kn_entity_id){0} : scene->entities[index / GROUP * GROUP];
}

static void lives_populate(lives *scene, uint32_t count)
{
    kn_world_def def = kn_world_def_default();
    def.library = scene->library;
    def.entity_capacity = count;
    def.actor_capacity = count;
    def.effect_capacity = count * 2;
    check(kn_world_create(&def, &scene->world), "kn_world_create");
    scene->entities = calloc(count, sizeof *scene->entities);
    if (scene->entities == NULL) {
        check(KN_ERROR_OUT_OF_MEMORY, "calloc");
        return;
    }
    scene->count = count;
    for (uint32_t i = 0; i < count; i++) {
        kn_entity_id leader = leader_of(scene, i);
        scene->entities[i] = life_begin(scene, leader);
        if (leader.index1 != 0) {
            life_bind(scene, scene->entities[i], leader);
        }
        if (i % 64 == 63) {
            check(kn_world_step(scene->world, 0), "kn_world_step");
        }
    }
    check(kn_world_step(scene->world, 0), "kn_world_step");
}

static void lives_clear(lives *scene)
{
    kn_world_destroy(scene->world);
    free(scene->entities);
    scene->world = NULL;
    scene->entities = NULL;
}

// Nanoseconds to destroy an entity, each in a step of its own: one that has just come to be, or any
// of those that are bound to their leaders.
static double measure_destroy(lives *scene, bool is_bound)
{
    double spent = 0.0;
    for (uint32_t round = 0; round < ROUNDS + ROUNDS / 10; round++) {
        uint32_t index = bench_random_below(&scene->random, scene->count / GROUP) * GROUP + 1 +
                         bench_random_below(&scene->random, GROUP - 1);
        kn_entity_id leader = leader_of(scene, index);
        kn_entity_id entity = is_bound ? scene->entities[index] : life_begin(scene, leader);
        double start = bench_now_ns();
        (void)kn_entity_destroy(scene->world, entity);
        double end = bench_now_ns();
        if (is_bound) {
            scene->entities[index] = life_begin(scene, leader);
            life_bind(scene, scene->entities[index], leader);
        }
        check(kn_world_step(scene->world, KN_US(1)), "kn_world_step");
        spent += round >= ROUNDS / 10 ? end - start : 0.0; // those before warm up
    }
    return spent / ROUNDS;
}

// In worlds of three sizes. An entity that is bound to others takes what it gave them with it.
void bench_destroy(bench_report *bench)
{
    static const struct {
        const char *one, *bound;
    } metrics[BENCH_SIZES] = {
        {"one_1x_ns", "bound_1x_ns"}, {"one_4x_ns", "bound_4x_ns"}, {"one_16x_ns", "bound_16x_ns"}};
    lives scene;
    lives_init(&scene);
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        lives_populate(&scene, ENTITIES * bench_sizes[i].times);
        bench_note(bench, metrics[i].one, measure_destroy(&scene, false), "ns");
        bench_note(bench, metrics[i].bound, measure_destroy(&scene, true), "ns");
        lives_clear(&scene);
    }
    kn_library_destroy(scene.library);
}
