// SPDX-License-Identifier: MIT

// A small game with rules in YAML and Lua: the folder `content` of the current one.

#include "knack/data.h"
#include "knack/scenario.h"
#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

static kn_library *load(void)
{
    kn_script_loader *loader;
    must(kn_script_loader_create(NULL, &loader), "scripts");
    kn_data_def def = kn_data_def_default();
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    kn_library *library;
    must(kn_data_create(&def, &data), "data");
    must(kn_data_add_folder(data, "content"), "content");
    must(kn_data_build(data, &library), "library");
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
    return library;
}

// A match of a server and a client, where the data module has a network; else a message.
static bool play_match(void)
{
    static const char text[] = "machines: {a: {latency: 20 ms}}\n"
                               "library: {attribute_sets: {Vitals: {attributes: {Health: 5}}}}\n"
                               "entities: {hero: {sets: [Vitals], connection: a}}\n"
                               "end: 1 s\n"
                               "expect: [{on: a, entity: hero, as_server: true}]\n";
    kn_scenario_def def = kn_scenario_def_default();
    kn_scenario *scenario;
    kn_result result = kn_scenario_load_text(&def, "match.yaml", text, strlen(text), &scenario);
    bool passed = result == KN_ERROR_BAD_DATA &&
                  strstr(kn_scenario_message_at(scenario, 0).text, "knack::net") != NULL;
    if (result == KN_OK) {
        kn_scenario_run_def run_def = kn_scenario_run_def_default();
        kn_scenario_run *run;
        must(kn_scenario_run_create(scenario, &run_def, &run), "match");
        must(kn_scenario_run_finish(run), "match");
        passed = kn_scenario_run_passed(run);
        kn_scenario_run_destroy(run);
    }
    kn_scenario_destroy(scenario);
    return passed;
}

int main(void)
{
    kn_library *library = load();
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    kn_entity_id hero;
    kn_ability_id poke;
    must(kn_world_create(&def, &world), "world");
    must(kn_archetype_spawn(world, kn_archetype_find(library, "Hero"), 1, &hero), "hero");
    (void)kn_abilities_find(world, hero, NULL, &poke, 1);
    must(kn_ability_activate(world, poke, NULL, NULL), "poke");

    float health = kn_attribute_value(world, hero, kn_attribute_find(library, "Vitals.Health"));
    kn_world_destroy(world);
    kn_library_destroy(library);
    if (health < 93 || health > 93) {
        fprintf(stderr, "the script did not run: health is %g\n", (double)health);
        return 1;
    }
    if (!play_match()) {
        fprintf(stderr, "the match did not come to its end\n");
        return 1;
    }
    return 0;
}
