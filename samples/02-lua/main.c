// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules in Lua: an ability that waits, a ticker and a magnitude. While the meteor is in the air the
// world is rolled back, and loaded from a save; all three futures are the same to the bit.

#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>

static void must(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", kn_result_name(result), error != NULL ? error->message : "");
        exit(1);
    }
}

// What scripts print is logged, and so are their errors.
static void script_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    printf("       %s\n", entry->message);
}

static void load(kn_script *script, const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    size_t size = fread(text, 1, sizeof(text), file);
    fclose(file);
    kn_error error = {0};
    must(kn_script_load(script, "meteor.lua", text, size, &error), &error);
}

static void register_vitals(kn_library *library)
{
    kn_attribute_def attributes[3];
    const char *const names[3] = {"Health", "Mana", "Power"};
    const float values[3] = {100, 30, 8};
    for (int i = 0; i < 3; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
        attributes[i].default_value = values[i];
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 3;
    kn_attribute_set_id id;
    kn_error error = {0};
    must(kn_attribute_set_register(library, &set, &id, &error), &error);
}

// Numbers, costs and captures are ordinary defs; a bind call adds what the script defines.
static void register_rules(kn_library *library, kn_script *script)
{
    kn_error error = {0};
    kn_capture power = {
        .attribute = kn_attribute_find(library, "Vitals.Power"), .from = KN_CAPTURE_FROM_SOURCE};
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.captures = &power;
    calculation.capture_count = 1;
    must(kn_script_bind_calculation(script, "Impact", &calculation, &error), &error);
    kn_calculation_id impact;
    must(kn_calculation_register(library, &calculation, &impact, &error), &error);

    kn_modifier_def hurt = kn_modifier_def_default();
    hurt.attribute = kn_attribute_find(library, "Vitals.Health");
    hurt.op = KN_OP_ADD;
    hurt.magnitude = kn_magnitude_calculation(impact);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Impact";
    effect.modifiers = &hurt;
    effect.modifier_count = 1;
    kn_effect_type_id effect_type;
    must(kn_effect_register(library, &effect, &effect_type, &error), &error);

    kn_cost_def cost = {
        .attribute = kn_attribute_find(library, "Vitals.Mana"), .amount = kn_constant(20)};
    kn_ability_def ability = kn_ability_def_default();
    ability.costs = &cost;
    ability.cost_count = 1;
    must(kn_script_bind_ability(script, "Meteor", &ability, &error), &error);
    kn_ability_type_id ability_type;
    must(kn_ability_register(library, &ability, &ability_type, &error), &error);

    kn_timer_type_id ticker;
    must(kn_script_bind_ticker(script, "Regeneration", &ticker, &error), &error);
}

static kn_world *world_create(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    must(kn_world_create(&def, &world), NULL);
    return world;
}

static kn_entity_id hero_create(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    kn_entity_id hero;
    must(kn_entity_create(world, &hero), NULL);
    must(kn_attribute_set_add(world, hero, kn_attribute_set_find(library, "Vitals"), 0), NULL);
    return hero;
}

// Steps on to a second and a half and prints what happened.
static uint64_t play_on(kn_world *world, kn_entity_id mage)
{
    kn_attribute_id mana = kn_attribute_find(kn_world_library(world), "Vitals.Mana");
    while (kn_world_now(world) < KN_MS(1500)) {
        must(kn_world_step(world, KN_MS(250)), NULL);
        printf("%.2f s mana %g%s\n", kn_time_to_seconds(kn_world_now(world)),
            (double)kn_attribute_value(world, mage, mana),
            kn_script_ticker_runs(world, mage, "Regeneration") ? ", regenerating" : "");
    }
    return kn_world_hash(world);
}

int main(int argc, char **argv)
{
    kn_error error = {0};
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    must(kn_library_create(&library_def, &library), NULL);
    kn_script_def script_def = kn_script_def_default();
    script_def.hooks.log_fn = script_log;
    kn_script *script;
    must(kn_script_create(library, &script_def, &script, &error), &error);
    load(script, argc > 1 ? argv[1] : SAMPLE_DIR "/meteor.lua");
    register_vitals(library);
    register_rules(library, script);
    kn_script_destroy(script); // the library keeps it as long as it needs it
    must(kn_library_finish(library, &error), &error);

    kn_world *world = world_create(library);
    kn_entity_id mage = hero_create(world), foe = hero_create(world);
    must(kn_script_ticker_start(world, mage, "Regeneration"), NULL);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = kn_ability_type_find(library, "Meteor");
    kn_ability_id meteor;
    must(kn_ability_grant(world, mage, &grant, &meteor), NULL);
    kn_event_record at_foe = kn_event_record_default();
    at_foe.target = foe;
    must(kn_ability_activate(world, meteor, &at_foe, NULL), NULL);
    must(kn_world_step(world, KN_MS(250)), NULL);

    // The meteor is in the air: a snapshot for going back, a save for another process.
    static char snapshot[65536], save[65536];
    size_t snapshot_size, save_size;
    must(kn_snapshot_take(world, snapshot, sizeof(snapshot), &snapshot_size), NULL);
    must(kn_save_write(world, save, sizeof(save), &save_size), NULL);
    uint64_t first = play_on(world, mage);

    printf("\nonce more, rolled back\n");
    must(kn_snapshot_restore(world, snapshot, snapshot_size), NULL);
    uint64_t second = play_on(world, mage);

    printf("\nonce more, from a save\n");
    kn_world *loaded = world_create(library);
    must(kn_save_read(loaded, save, save_size, &error), &error);
    uint64_t third = play_on(loaded, mage);

    printf("\nthe same world: %s, %s\n", first == second ? "yes" : "no",
        first == third ? "yes" : "no");
    kn_world_destroy(loaded);
    kn_world_destroy(world);
    kn_library_destroy(library);
    return 0;
}
