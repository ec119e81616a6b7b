// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sections of a save about what acts: actors, abilities, activations, cooldowns, events, tasks,
// cues.

#include "store/store.h"

// Records that belong together. Each kind is checked when those it refers to are.
typedef kni_problem problem_fn(const kn_world *world, uint32_t slot);

static bool pool_accept(kni_load *r, uint32_t index, problem_fn *problem)
{
    const kni_pool *pool = kni_world_pool(r->world, index);
    KNI_POOL_EACH(i, pool) {
        if (!kni_load_accept(r, problem(r->world, i))) {
            return false;
        }
    }
    return true;
}

// Components learn of their actors.
static bool actors_bind(kni_load *r)
{
    kn_world *world = r->world;
    KNI_POOL_EACH(i, &world->actors) {
        const kni_actor *actor = kni_actor_at(world, i);
        if (!kni_pool_is_live(&world->components, actor->component) ||
            kni_component_at(world, actor->component)->actor1 != 0 ||
            actor->flags > KNI_ACTOR_FLAGS) {
            return kni_load_fail(r, "an actor has the wrong owner");
        }
        kni_component_at(world, actor->component)->actor1 = i + 1;
    }
    return true;
}

// Adds to what abilities and events count of their activations.
static void activations_count(kn_world *world, uint32_t change)
{
    KNI_POOL_EACH(i, &world->activations) {
        const kni_activation *activation = kni_activation_at(world, i);
        kni_ability_at(world, activation->ability)->active_count += change;
        if (activation->payload1 != 0) {
            kni_payload_at(world, activation->payload1 - 1)->references += change;
        }
    }
}

// Without their activations the counts are 0.
static const char *counts_problem(const kn_world *world)
{
    KNI_POOL_EACH(i, &world->abilities) {
        if (kni_ability_at(world, i)->active_count != 0) {
            return "activations are missing";
        }
    }
    KNI_POOL_EACH(i, &world->payloads) {
        if (kni_payload_at(world, i)->references != 0) {
            return "an event has an invalid number, or no owner";
        }
    }
    return NULL;
}

static bool counts_accept(kni_load *r)
{
    activations_count(r->world, UINT32_MAX); // that is one less
    const char *problem = counts_problem(r->world);
    activations_count(r->world, 1);
    return problem == NULL || kni_load_fail(r, problem);
}

static void abilities_sort(kni_load *r)
{
    KNI_POOL_EACH(i, &r->world->abilities) {
        const kni_ability *ability = kni_ability_at(r->world, i);
        kni_load_sort(r, &ability->tags, sizeof(uint32_t));
        kni_load_sort(r, &ability->caller, sizeof(kni_pair));
        kni_load_sort(r, &ability->named, sizeof(kni_pair));
    }
}

bool kni_load_actors_accept(kni_load *r)
{
    abilities_sort(r);
    return actors_bind(r) && pool_accept(r, KNI_POOL_ABILITIES, kni_ability_problem) &&
           pool_accept(r, KNI_POOL_ACTIVATIONS, kni_activation_problem) && counts_accept(r) &&
           pool_accept(r, KNI_POOL_PAYLOADS, kni_payload_problem) &&
           pool_accept(r, KNI_POOL_CHARGES, kni_charge_problem) &&
           pool_accept(r, KNI_POOL_CUES, kni_cue_problem) &&
           pool_accept(r, KNI_POOL_TASKS, kni_task_problem) &&
           pool_accept(r, KNI_POOL_COMMANDS, kni_command_problem) &&
           pool_accept(r, KNI_POOL_WATCHES, kni_watch_problem) &&
           pool_accept(r, KNI_POOL_TAG_BLOCKS, kni_tag_block_problem) &&
           pool_accept(r, KNI_POOL_SWITCHES, kni_switch_problem) &&
           (kni_systems_restore(r->world) || kni_load_fail(r, "a system is switched twice"));
}

// What saves did not have before version 4: seeds of what runs, and what makes those to come.
static void seeds_make(kn_world *world)
{
    const kni_pool *abilities = &world->abilities, *activations = &world->activations;
    KNI_POOL_EACH(i, abilities) {
        kni_ability_at(world, i)->salt = i; // unlike any other of its owner
    }
    KNI_POOL_EACH(i, activations) {
        kni_activation *activation = kni_activation_at(world, i);
        activation->seed = kni_activation_seed_take(world, activation->ability, activation->start);
    }
}

// What acts. The first version of the format did not have it.
bool kni_load_actors(kni_load *r)
{
    kn_world *world = r->world;
    for (uint32_t p = KNI_POOL_FIRST_PLAIN; p < KNI_POOL_COUNT; p++) {
        const kn_def_table *table = kni_pools[p].table;
        if (r->version < kni_pools[p].since) {
            continue;
        }
        if (!kni_load_section(r, kni_pools[p].mark)) {
            return false;
        }
        uint32_t count = kni_load_count(r, 4 + kni_load_size_min(r, table));
        uint32_t previous1 = 0, slot;
        for (uint32_t i = 0; i < count; i++) {
            kni_pool *pool = kni_world_pool(world, p);
            if (!kni_load_slot(r, pool, count, &previous1, &slot) ||
                !kni_load_record(r, table, kni_pool_at(pool, slot), NULL, false)) {
                return false;
            }
        }
        if (!kni_load_section_end(r)) {
            return false;
        }
    }
    if (!kni_load_actors_accept(r)) {
        return false;
    }
    if (r->version < 4) {
        seeds_make(world);
    }
    return true;
}
