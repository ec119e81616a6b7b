// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The command card of a selection: twelve heroes with twelve buttons each.

#include "bench.h"

#include "knack/rts_card.h"

#include <stdio.h>

#define UNITS 12
#define BUTTONS 12
#define TURNS 2000

typedef struct card_scene {
    kn_library *library;
    kn_world *world;
    kn_attribute_id mana;
    kn_ability_type_id abilities[BUTTONS];
    kn_order_type_id orders[BUTTONS];
    kn_rts_unit_type_id type;
    kn_entity_id units[UNITS];
} card_scene;

static kn_attribute_set_id set_add(card_scene *scene)
{
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    kn_attribute_set_id set;
    kn_error error = {0};
    attributes[0].name = "Mana";
    attributes[0].default_value = 1000;
    attributes[1].name = "Rage";
    def.name = "Vitals";
    def.attributes = attributes;
    def.attribute_count = 2;
    bench_check(kn_attribute_set_register(scene->library, &def, &set, &error), error.message);
    scene->mana = kn_attribute_find(scene->library, "Vitals.Mana");
    return set;
}

// Abilities with a cost and a cooldown of 10 s; the last one costs what nobody has.
static void abilities_add(card_scene *scene)
{
    for (uint32_t i = 0; i < BUTTONS; i++) {
        char name[32], title[32];
        kn_error error = {0};
        kn_ability_def def = kn_ability_def_default();
        kn_order_type_def order = kn_order_type_def_default();
        kn_rts_display_def display = kn_rts_display_def_default();
        kn_cost_def cost = kn_cost_def_default();
        const kn_cooldown_def cooldown = kn_cooldown_seconds(10);
        (void)snprintf(name, sizeof(name), "Ability%u", (unsigned)i);
        (void)snprintf(title, sizeof(title), "Ability %u", (unsigned)i);
        cost.attribute =
            i == BUTTONS - 1 ? kn_attribute_find(scene->library, "Vitals.Rage") : scene->mana;
        cost.amount = kn_constant(10);
        def.name = name;
        def.costs = &cost;
        def.cost_count = 1;
        def.cooldowns = &cooldown;
        def.cooldown_count = 1;
        def.body = KN_BODY_USE;
        bench_check(
            kn_ability_register(scene->library, &def, &scene->abilities[i], &error), error.message);
        display.name = name;
        display.title = title;
        display.icon = name;
        display.button = (int32_t)i;
        display.description = "Costs {cost.Mana} mana every {cooldown} s";
        display.description = i == BUTTONS - 1 ? NULL : display.description;
        display.ability = scene->abilities[i];
        bench_check(kn_rts_display_register(scene->library, &display, &error), error.message);
        order.name = name;
        order.policy = KN_ORDER_INSTANT;
        order.ability = scene->abilities[i];
        bench_check(kn_order_type_register(scene->library, &order, &scene->orders[i], &error),
            error.message);
    }
}

static void library_create(card_scene *scene)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    kn_rts_unit_def unit = kn_rts_unit_def_default();
    kn_unit_type_def obeys = kn_unit_type_def_default();
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    bench_check(kn_rts_register(scene->library, &error), error.message);
    const kn_attribute_set_id set = set_add(scene);
    abilities_add(scene);
    obeys.name = "Hero";
    obeys.commands = scene->orders;
    obeys.command_count = BUTTONS;
    obeys.auto_interval = 0;
    bench_check(
        kn_unit_type_register(scene->library, &obeys, &unit.order_unit, &error), error.message);
    unit.name = "Hero";
    unit.sets = &set;
    unit.set_count = 1;
    unit.abilities = scene->abilities;
    unit.ability_count = BUTTONS;
    unit.can_level = true;
    unit.max_level = 10;
    unit.experience_per_level = kn_constant(100);
    bench_check(kn_rts_unit_register(scene->library, &unit, &scene->type, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

// Each third ability cools down on every unit.
static void scene_create(card_scene *scene)
{
    kn_world_def def = kn_world_def_default();
    library_create(scene);
    def.library = scene->library;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    for (uint32_t i = 0; i < UNITS; i++) {
        bench_check(kn_entity_create(scene->world, &scene->units[i]), "kn_entity_create");
        bench_check(kn_rts_unit_add(scene->world, scene->units[i], scene->type), "unit");
        for (uint32_t k = 0; k < BUTTONS; k += 3) {
            const kn_result result =
                kn_ability_activate_type(scene->world, scene->units[i], scene->abilities[k], NULL);
            bench_check(result == KN_REFUSED_COST ? KN_OK : result, "kn_ability_activate_type");
        }
    }
    bench_check(kn_world_step(scene->world, KN_MS(16)), "kn_world_step");
}

// One query for all of them; then the text of one button.
void bench_command_card(bench_report *bench)
{
    card_scene scene = {0};
    kn_rts_button buttons[BUTTONS * 2];
    char text[128];
    uint64_t sum = 0;
    scene_create(&scene);
    const uint64_t before = kn_world_get_stats(scene.world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < TURNS; i++) {
        sum += kn_rts_card(scene.world, scene.units, UNITS, buttons, BUTTONS * 2);
        sum += buttons[1].is_ready;
    }
    bench_note(bench, "op_ns", (bench_now_ns() - start) / TURNS, "ns");
    start = bench_now_ns();
    for (uint32_t i = 0; i < TURNS; i++) {
        sum += kn_rts_describe_button(scene.world, &buttons[1], text, sizeof(text));
    }
    bench_note(bench, "describe_ns", (bench_now_ns() - start) / TURNS, "ns");
    bench_note(bench, "allocations", (double)(kn_world_get_stats(scene.world).allocations - before),
        "count");
    bench_use(sum);
    if (kn_rts_card(scene.world, scene.units, UNITS, buttons, BUTTONS * 2) != BUTTONS ||
        !buttons[1].is_ready || buttons[0].is_ready || buttons[0].cooldown == 0 ||
        buttons[BUTTONS - 1].is_ready || buttons[1].unit_count != UNITS) {
        bench_check(KN_ERROR_BAD_DATA, "command card");
    }
    kn_world_destroy(scene.world);
    kn_library_destroy(scene.library);
}
