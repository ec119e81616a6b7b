// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who fights, and the script: which inputs are pressed and released, and when.

#include "fight.h"

#include "scenes/hero_kit.h"

#include <stdio.h>
#include <stdlib.h>

const char *const fighter_names[FIGHTER_COUNT] = {"Ayla", "Korg", "Imp", "Gnoll"};

void must(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", kn_result_name(result), error != NULL ? error->message : "");
        exit(1);
    }
}

// Who -----------------------------------------------------------------------

kn_library *fight_library_create(void)
{
    kn_library *library;
    kn_error error = {0};
    must(scene_create_library(scene_find("hero_kit"), NULL, &library, &error), &error);
    return library;
}

kn_world *fight_world_create(const kn_library *library)
{
    kn_world *world;
    must(scene_create_empty_world(library, NULL, &world), NULL);
    return world;
}

kn_ability_id fight_ability(const demo_fight *fight, uint32_t fighter, uint32_t input)
{
    kn_ability_query query = kn_ability_query_default();
    query.input = input;
    kn_ability_id ability = {0};
    (void)kn_abilities_find(fight->world, fight->fighters[fighter], &query, &ability, 1);
    return ability;
}

static kn_attribute_id hero_attribute(const demo_fight *fight, const char *attribute)
{
    char name[64];
    snprintf(name, sizeof(name), "Hero.%s", attribute);
    return kn_attribute_find(fight->library, name);
}

float fight_value(const demo_fight *fight, uint32_t fighter, const char *attribute)
{
    return kn_attribute_value(
        fight->world, fight->fighters[fighter], hero_attribute(fight, attribute));
}

// What is different from the kit's defaults: who is hurt, tired, or well armoured.
static void set_values(demo_fight *fight)
{
    static const struct {
        uint32_t fighter;
        const char *attribute;
        float value;
    } values[] = {
        {AYLA, "Mana", 64},
        {KORG, "Armour", 26},
        {KORG, "MaxHealth", 80},
        {KORG, "Health", 80},
        {IMP, "MaxHealth", 50},
        {IMP, "Health", 50},
        {GNOLL, "MaxHealth", 85},
        {GNOLL, "Health", 85},
    };
    for (uint32_t i = 0; i < COUNT_OF(values); i++) {
        must(kn_attribute_init(fight->world, fight->fighters[values[i].fighter],
                 hero_attribute(fight, values[i].attribute), 0, values[i].value),
            NULL);
    }
}

void fight_create(demo_fight *fight, const kn_library *library)
{
    fight->library = library;
    fight->world = fight_world_create(library);
    scene_stage stage = {fight->world, library, KN_OK};
    kn_entity_id *fighters = fight->fighters;
    fighters[AYLA] = hero_kit_add_hero(&stage, HERO_SIDE_LEFT, (kn_vec3){0, 0, 0}, false);
    fighters[KORG] = hero_kit_add_hero(&stage, HERO_SIDE_RIGHT, (kn_vec3){520, 0, 0}, false);
    fighters[IMP] =
        hero_kit_add_minion(&stage, HERO_SIDE_RIGHT, (kn_vec3){420, 120, 0}, true, true);
    fighters[GNOLL] =
        hero_kit_add_minion(&stage, HERO_SIDE_RIGHT, (kn_vec3){300, -60, 0}, false, true);
    scene_apply(&stage, "GE_Armour", fighters[KORG], fighters[KORG], 1); // grown before the fight
    scene_apply(&stage, "GE_Armour", fighters[KORG], fighters[KORG], 1);
    must(stage.result, NULL);
    set_values(fight);

    kn_body *korg = kn_component_get(
        fight->world, kn_component_find(library, KN_GRID_BODY_NAME), fighters[KORG]);
    korg->facing = (kn_vec3){-1, 0, 0};
    must(kn_ability_set_caller_value(fight->world, fight_ability(fight, AYLA, HERO_INPUT_METEOR),
             kn_tag_find(library, "Data.Damage"), 63),
        NULL);
    must(kn_world_step(fight->world, 0), NULL); // publishes the events of all this
}

// The script ----------------------------------------------------------------

typedef enum action { TAP, HOLD, LET_GO } action;

static const struct order {
    kn_time time;
    uint32_t fighter;
    action action;
    uint32_t input;
} script[] = {
    {KN_MS(300), KORG, TAP, HERO_INPUT_DASH},
    {KN_MS(500), AYLA, TAP, HERO_INPUT_METEOR},
    {KN_MS(800), AYLA, TAP, HERO_INPUT_CONFIRM},
    {KN_MS(1000), KORG, TAP, HERO_INPUT_FIRE},
    {KN_MS(1700), KORG, TAP, HERO_INPUT_METEOR},
    {KN_MS(2100), KORG, TAP, HERO_INPUT_DASH},
    {KN_MS(2200), AYLA, HOLD, HERO_INPUT_AIM},
    {KN_MS(2300), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(2750), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(2800), AYLA, TAP, HERO_INPUT_METEOR},
    {KN_MS(3200), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(3600), KORG, TAP, HERO_INPUT_FIRE},
    {KN_MS(3700), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(4150), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(4300), KORG, HOLD, HERO_INPUT_SPRINT},
    {KN_MS(4600), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(5050), AYLA, TAP, HERO_INPUT_FIRE},
    {KN_MS(5300), AYLA, LET_GO, HERO_INPUT_AIM},
    {KN_MS(5400), AYLA, HOLD, HERO_INPUT_SPRINT},
};

// The world decides what an input does; a refusal is ordinary play and published as an event.
static void carry_out(demo_fight *fight, const struct order *order)
{
    kn_entity_id fighter = fight->fighters[order->fighter];
    if (order->action != LET_GO) {
        must(kn_input_press(fight->world, fighter, order->input), NULL);
    }
    if (order->action != HOLD) {
        must(kn_input_release(fight->world, fighter, order->input), NULL);
    }
}

void fight_play(demo_fight *fight, kn_time end, fight_teller *tell)
{
    while (kn_world_now(fight->world) < end) {
        for (uint32_t i = 0; i < COUNT_OF(script); i++) {
            if (script[i].time == kn_world_now(fight->world)) {
                carry_out(fight, &script[i]);
            }
        }
        must(kn_world_step(fight->world, KN_MS(50)), NULL);
        if (tell != NULL) {
            tell(fight);
        }
    }
}
