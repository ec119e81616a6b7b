// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loads everything in content/, lets a hero throw a fireball at a goblin that heals itself
// afterwards, and prints what happens.

#include "knack/data.h"
#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// Reads the .yaml, .json, .csv and .lua files of a folder.
static kn_library *load(const char *folder)
{
    kn_script_loader *loader;
    must(kn_script_loader_create(NULL, &loader), "scripts");
    kn_data_def def = kn_data_def_default();
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    kn_library *library;
    must(kn_data_create(&def, &data), "data");
    must(kn_data_add_folder(data, folder), folder);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[1024];
        kn_data_message_print(data, i, line, sizeof(line));
        fprintf(stderr, "%s\n", line);
    }
    kn_data_destroy(data);
    kn_script_loader_destroy(loader); // the library keeps its scripts
    must(result, "content");
    return library;
}

static kn_entity_id spawn(kn_world *world, const char *archetype)
{
    kn_entity_id entity;
    const kn_library *library = kn_world_library(world);
    must(kn_archetype_spawn(world, kn_archetype_find(library, archetype), 1, &entity), archetype);
    return entity;
}

static void activate(kn_world *world, kn_entity_id entity, const char *name, kn_entity_id target)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(kn_world_library(world), name);
    kn_ability_id ability = {0};
    (void)kn_abilities_find(world, entity, &query, &ability, 1);
    kn_event_record at = kn_event_record_default();
    at.target = target;
    must(kn_ability_activate(world, ability, &at, NULL), name);
}

// Plays 60 frames a second.
static void play(kn_world *world, int seconds)
{
    for (int frame = 0; frame < seconds * 60; frame++) {
        must(kn_world_step(world, KN_S(1) / 60), "step");
        kn_events events = kn_world_events(world);
        for (uint32_t i = 0; i < events.count; i++) {
            char line[256];
            kn_event_print(world, &events.data[i], line, sizeof(line));
            printf("%s\n", line);
        }
    }
}

int main(void)
{
    kn_library *library = load(CONTENT);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    must(kn_world_create(&def, &world), "world");

    kn_entity_id hero = spawn(world, "Hero");
    kn_entity_id goblin = spawn(world, "Goblin");

    activate(world, hero, "Fireball", goblin);
    play(world, 5);
    activate(world, goblin, "Mend", goblin);
    play(world, 6);

    char why[1024];
    kn_attribute_id health = kn_attribute_find(library, "Vitals.Health");
    kn_attribute_explain_text(world, goblin, health, 0, why, sizeof(why));
    printf("\nWhy does the goblin have this much health?\n%s\n", why);

    kn_world_destroy(world);
    kn_library_destroy(library);
    return 0;
}
