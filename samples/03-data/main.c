// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A game whose rules are data: YAML and Lua are loaded, a knight and a wolf fight, and while they
// do, the numbers change. Run it in its folder; it reads rules/ and a folder for each day.

#include "knack/data.h"
#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct game {
    kn_library *library;
    kn_world *world;
    kn_entity_id knight, wolf;
    // Ids of the library, looked up again when it is replaced.
    kn_tag attack, cooldown;
    kn_attribute_id health;
} game;

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// NULL if there are errors; all of them are printed, with file, line and column.
static kn_library *load(const char *folder)
{
    kn_script_loader *loader;
    must(kn_script_loader_create(NULL, &loader), "scripts");
    kn_data_def def = kn_data_def_default();
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    must(kn_data_create(&def, &data), "data");
    must(kn_data_add_folder(data, "rules"), "rules");
    must(kn_data_add_folder(data, folder), folder);

    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        kn_data_message_print(data, i, line, sizeof(line));
        printf("%s\n", line);
    }
    kn_data_destroy(data);
    kn_script_loader_destroy(loader); // the library keeps its scripts
    if (result != KN_ERROR_BAD_DATA) {
        must(result, folder);
    }
    return library;
}

static void look_up(game *g, kn_library *library)
{
    g->library = library;
    g->attack = kn_tag_find(library, "Event.Attack");
    g->cooldown = kn_tag_find(library, "Cooldown.Strike");
    g->health = kn_attribute_find(library, "Unit.Health");
}

static kn_entity_id spawn(const game *g, const char *archetype)
{
    kn_entity_id entity;
    kn_archetype_id type = kn_archetype_find(g->library, archetype);
    must(kn_archetype_spawn(g->world, type, 1, &entity), archetype);
    return entity;
}

// Events refer to things by id; the library has the names of types, the game those of entities.
static void tell(const game *g, const kn_event *event)
{
    const char *who = kn_entity_id_equal(event->entity, g->knight) ? "knight" : "wolf";
    double at = (double)event->time / 1e6;
    switch (event->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
        printf("%5.1f s  %-6s  %s %g -> %g\n", at, who,
            kn_attribute_name(g->library, event->data.attribute.attribute),
            (double)event->data.attribute.old_value, (double)event->data.attribute.new_value);
        break;
    case KN_EVENT_ABILITY_ACTIVATED:
        printf("%5.1f s  %-6s  %s\n", at, who,
            kn_ability_type_name(g->library, event->data.ability.type));
        break;
    case KN_EVENT_EFFECT_APPLIED:
    case KN_EVENT_EFFECT_REMOVED:
        printf("%5.1f s  %-6s  %s %s\n", at, who,
            kn_effect_type_name(g->world, event->data.effect.type),
            event->type == KN_EVENT_EFFECT_APPLIED ? "begins" : "ends");
        break;
    default:
        break;
    }
}

// A second of the game: both attack if they can, and then come sixty frames.
static void play_second(game *g)
{
    for (int i = 0; i < 2; i++) {
        kn_event_record record = kn_event_record_default();
        record.instigator = i == 0 ? g->knight : g->wolf;
        record.target = i == 0 ? g->wolf : g->knight;
        must(kn_event_send(g->world, record.instigator, g->attack, &record), "attack");
    }
    for (int frame = 0; frame < 60; frame++) {
        must(kn_world_step(g->world, KN_S(frame + 1) / 60 - KN_S(frame) / 60), "step");
        kn_events events = kn_world_events(g->world);
        for (uint32_t i = 0; i < events.count; i++) {
            tell(g, &events.data[i]);
        }
    }
}

static void show(const game *g, const char *name, kn_entity_id entity)
{
    kn_time remaining, total;
    (void)kn_cooldown_remaining(g->world, entity, (kn_tags){&g->cooldown, 1}, &remaining, &total);
    printf("%s: health %g, strikes again in %g s\n", name,
        (double)kn_attribute_value(g->world, entity, g->health), (double)remaining / 1e6);
}

// The world continues with what the folder says now, or with what it had.
static void reload(game *g, const char *folder)
{
    printf("\n%s:\n", folder);
    kn_library *fresh = load(folder);
    if (fresh == NULL) {
        return;
    }
    kn_error error;
    if (kn_world_reload(g->world, fresh, &error) != KN_OK) {
        printf("refused: %s\n", error.message);
        kn_library_destroy(fresh);
        return;
    }
    kn_library_destroy(g->library);
    look_up(g, fresh);
    show(g, "knight", g->knight);
    show(g, "wolf", g->wolf);
}

int main(void)
{
    game g = {0};
    kn_library *library = load("monday");
    if (library == NULL) {
        return 1;
    }
    look_up(&g, library);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    must(kn_world_create(&def, &g.world), "world");
    g.knight = spawn(&g, "Knight");
    g.wolf = spawn(&g, "Wolf");

    play_second(&g);
    reload(&g, "tuesday"); // in the middle of a bleeding and of two cooldowns
    play_second(&g);
    play_second(&g);
    reload(&g, "wednesday"); // errors
    reload(&g, "thursday");  // no error, but Bleeding is gone while a fighter bleeds
    play_second(&g);

    kn_world_destroy(g.world);
    kn_library_destroy(g.library);
    return 0;
}
