// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#define _DEFAULT_SOURCE

#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__)
#include <sys/mman.h>
#endif

static void register_check(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static kn_tag register_tag(bench_fixture *fixture, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag;
    kn_error error;
    register_check(kn_tag_register(fixture->library, &def, &tag, &error), &error);
    return tag;
}

static kn_effect_type_id register_effect(bench_fixture *fixture, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error;
    register_check(kn_effect_register(fixture->library, def, &type, &error), &error);
    return type;
}

static kn_attribute_set_id register_set(
    bench_fixture *fixture, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set;
    kn_error error;
    register_check(kn_attribute_set_register(fixture->library, &def, &set, &error), &error);
    return set;
}

static void register_tags(bench_fixture *fixture)
{
    fixture->status = register_tag(fixture, "Status.Dot");
    for (uint32_t i = 0; i < FIXTURE_DOTS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "Status.Dot.Kind%u", i);
        fixture->dot_tags[i] = register_tag(fixture, name);
    }
    fixture->absent = register_tag(fixture, "Status.Stun");
}

static void register_attributes(bench_fixture *fixture)
{
    static const char *const names[FIXTURE_ATTRIBUTES] = {"Health", "MaxHealth", "Mana", "MaxMana",
        "Speed", "Armour", "Power", "Haste", "Crit", "Dodge", "Resist", "Regen", "Luck", "Range",
        "Sight", "Weight"};
    kn_attribute_def attributes[FIXTURE_ATTRIBUTES];
    for (uint32_t i = 0; i < FIXTURE_ATTRIBUTES; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = 100.0f;
    }
    // So much of it that no run comes near the limit: every tick is a change.
    attributes[0].default_value = 1000000.0f;
    attributes[0].base_min = kn_limit_constant(0.0f);
    attributes[0].min = kn_limit_constant(0.0f);
    fixture->vitals = register_set(fixture, "Vitals", attributes, FIXTURE_ATTRIBUTES);
    fixture->health = kn_attribute_find(fixture->library, "Vitals.Health");
    fixture->speed = kn_attribute_find(fixture->library, "Vitals.Speed");

    char link_names[FIXTURE_CHAIN + 1][16];
    for (uint32_t i = 0; i <= FIXTURE_CHAIN; i++) {
        (void)snprintf(link_names[i], sizeof link_names[i], "Link%u", i);
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = link_names[i];
        attributes[i].default_value = 1.0f;
    }
    fixture->links = register_set(fixture, "Chain", attributes, FIXTURE_CHAIN + 1);
    for (uint32_t i = 0; i <= FIXTURE_CHAIN; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "Chain.%s", link_names[i]);
        fixture->link[i] = kn_attribute_find(fixture->library, name);
    }
}

static kn_effect_type_id register_dot(
    bench_fixture *fixture, const char *prefix, uint32_t kind, float period)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s%u", prefix, kind);
    kn_modifier_def damage =
        kn_modifier_constant(fixture->health, KN_OP_ADD, -(1.0f + 0.25f * (float)kind));
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.is_periodic = true;
    def.period = kn_magnitude_constant(period);
    def.modifiers = &damage;
    def.modifier_count = 1;
    def.granted_tags = (kn_tags){&fixture->dot_tags[kind], 1};
    return register_effect(fixture, &def);
}

static kn_effect_type_id register_stacking(bench_fixture *fixture, uint32_t kind)
{
    char name[32];
    (void)snprintf(name, sizeof name, "Stacking%u", kind);
    kn_modifier_def slow = kn_modifier_constant(fixture->speed, KN_OP_ADD, -0.5f);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(4.0f);
    def.modifiers = &slow;
    def.modifier_count = 1;
    def.granted_tags = (kn_tags){&fixture->dot_tags[kind], 1};
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.own_timers = true;
    def.stacking.limit = kn_constant(5.0f);
    return register_effect(fixture, &def);
}

static kn_effect_type_id register_follow(bench_fixture *fixture, uint32_t index)
{
    char name[32];
    (void)snprintf(name, sizeof name, "Follow%u", index);
    kn_modifier_def follow = kn_modifier_def_default();
    follow.attribute = fixture->link[index + 1];
    follow.op = KN_OP_ADD;
    follow.magnitude =
        kn_magnitude_attribute(fixture->link[index], KN_CAPTURE_FROM_TARGET, false, 0.5f);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &follow;
    def.modifier_count = 1;
    return register_effect(fixture, &def);
}

static void register_effects(bench_fixture *fixture)
{
    for (uint32_t i = 0; i < FIXTURE_DOTS; i++) {
        fixture->dots[i] = register_dot(fixture, "Dot", i, 1.0f);
        fixture->slow_dots[i] = register_dot(fixture, "SlowDot", i, 3600.0f);
    }
    for (uint32_t i = 0; i < FIXTURE_STACKINGS; i++) {
        fixture->stackings[i] = register_stacking(fixture, i);
    }
    for (uint32_t i = 0; i < FIXTURE_CHAIN; i++) {
        fixture->follow[i] = register_follow(fixture, i);
    }

    kn_modifier_def damage = kn_modifier_constant(fixture->health, KN_OP_ADD, -1.0f);
    kn_effect_def hit = kn_effect_def_default();
    hit.name = "Hit";
    hit.duration_kind = KN_DURATION_INSTANT;
    hit.modifiers = &damage;
    hit.modifier_count = 1;
    fixture->hit = register_effect(fixture, &hit);

    kn_modifier_def haste = kn_modifier_constant(fixture->speed, KN_OP_ADD, 10.0f);
    kn_effect_def buff = kn_effect_def_default();
    buff.name = "Buff";
    buff.duration_kind = KN_DURATION_TIMED;
    buff.duration = kn_magnitude_constant(10.0f);
    buff.modifiers = &haste;
    buff.modifier_count = 1;
    fixture->buff = register_effect(fixture, &buff);

    kn_effect_def mark = kn_effect_def_default();
    mark.name = "Mark";
    mark.duration_kind = KN_DURATION_INFINITE;
    fixture->mark = register_effect(fixture, &mark);
}

static kn_result commit_and_end(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static void wait_again(const kn_ability_call *call, const kn_task_result *result)
{
    bench_check(
        kn_wait_delay(call->world, call->activation, result->label, KN_S(1)), "kn_wait_delay");
}

static void register_abilities(bench_fixture *fixture)
{
    kn_cost_def cost = {.attribute = fixture->health, .amount = kn_constant(1.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(0.5f);
    kn_ability_def bolt = kn_ability_def_default();
    bolt.name = "Bolt";
    bolt.costs = &cost;
    bolt.cost_count = 1;
    bolt.cooldowns = &cooldown;
    bolt.cooldown_count = 1;
    bolt.activate = commit_and_end;
    kn_ability_def waiter = kn_ability_def_default();
    waiter.name = "Waiter";
    waiter.task_done = wait_again;
    kn_error error;
    register_check(kn_ability_register(fixture->library, &bolt, &fixture->bolt, &error), &error);
    register_check(
        kn_ability_register(fixture->library, &waiter, &fixture->waiter, &error), &error);
}

void fixture_init(bench_fixture *fixture)
{
    *fixture = (struct bench_fixture){0};
    kn_library_def def = kn_library_def_default();
    bench_check(kn_library_create(&def, &fixture->library), "kn_library_create");
    register_tags(fixture);
    register_attributes(fixture);
    register_effects(fixture);
    register_abilities(fixture);
    kn_error error;
    register_check(kn_library_finish(fixture->library, &error), &error);
}

bool fixture_huge_pages;

// Large blocks begin at a huge page and ask the system for such pages. Smaller ones stay with the C
// library, which may also resize and free the large ones.
static void *huge_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    const size_t page = (size_t)2 << 20;
    (void)user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size < page) {
        return realloc(ptr, new_size);
    }
    size_t size = (new_size + page - 1) / page * page;
    void *block = aligned_alloc(page, size);
    if (block == NULL) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(block, size, MADV_HUGEPAGE);
#endif
    if (ptr != NULL) {
        memcpy(block, ptr, old_size < new_size ? old_size : new_size);
        free(ptr);
    }
    return block;
}

kn_world_def fixture_world_def(const bench_fixture *fixture, uint32_t entities, uint32_t effects)
{
    kn_world_def def = kn_world_def_default();
    def.library = fixture->library;
    def.hooks.realloc_fn = fixture_huge_pages ? huge_realloc : NULL;
    def.entity_capacity = entities;
    def.actor_capacity = entities;
    def.effect_capacity = effects;
    return def;
}

void fixture_populate(bench_fixture *fixture, const kn_world_def *def, uint32_t entities)
{
    bench_check(kn_world_create(def, &fixture->world), "kn_world_create");
    fixture->entities = malloc(entities * sizeof *fixture->entities);
    if (fixture->entities == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "malloc");
    }
    fixture->entity_count = entities;
    for (uint32_t i = 0; i < entities; i++) {
        bench_check(kn_entity_create(fixture->world, &fixture->entities[i]), "kn_entity_create");
        bench_check(kn_attribute_set_add(fixture->world, fixture->entities[i], fixture->vitals, 0),
            "kn_attribute_set_add");
        if (i % 256 == 255) {
            fixture_step(fixture, 0);
        }
    }
    fixture_step(fixture, 0);
}

void fixture_clear(bench_fixture *fixture)
{
    free(fixture->entities);
    fixture->entities = NULL;
    kn_world_destroy(fixture->world);
    fixture->world = NULL;
}

void fixture_free(bench_fixture *fixture)
{
    fixture_clear(fixture);
    kn_library_destroy(fixture->library);
}

kn_effect_id fixture_apply(
    const bench_fixture *fixture, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect;
    kn_result result = kn_effect_apply_simple(fixture->world, type, target, target, 1.0f, &effect);
    if (result != KN_OK) {
        bench_check(result, "kn_effect_apply_simple");
    }
    return effect;
}

void fixture_step(const bench_fixture *fixture, kn_time dt)
{
    kn_result result = kn_world_step(fixture->world, dt);
    if (result != KN_OK) {
        bench_check(result, "kn_world_step");
    }
}

void fixture_spread(
    const bench_fixture *fixture, const kn_effect_type_id *types, uint32_t type_count, kn_time span)
{
    uint32_t count = fixture->entity_count * type_count;
    uint32_t *order = malloc(count * sizeof *order);
    if (order == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "malloc");
    }
    uint64_t random = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = bench_random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    kn_time start = kn_world_now(fixture->world);
    for (uint32_t i = 0; i < count; i++) {
        kn_time due = start + span * (i + 1) / count;
        fixture_apply(
            fixture, types[order[i] % type_count], fixture->entities[order[i] / type_count]);
        fixture_step(fixture, due - kn_world_now(fixture->world));
    }
    free(order);
}
