// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The types of the fight, each effect a few lines of data, and its script.

#include "fight.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

const char *const fighter_names[FIGHTER_COUNT] = {"Ayla", "Gnoll", "Troll"};

void must(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", kn_result_name(result), error != NULL ? error->message : "");
        exit(1);
    }
}

// Attributes ----------------------------------------------------------------

// Damage is a meta attribute: effects write it, this hook spends it on Shield, then Health, and
// the library sets it back to 0. Poison ignores armour.
static void spend_damage(void *user, const kn_execute_data *data)
{
    const demo_types *types = user;
    if (!kn_attribute_id_equal(data->attribute, types->damage)) {
        return;
    }
    kn_world *world = data->world;
    float left = data->new_base;
    if (data->spec == NULL || !kn_spec_view_has_asset_tag(data->spec, types->poison)) {
        left -= kn_attribute_value(world, data->entity, types->armour);
        left = left > 0 ? left : 0;
    }
    float shield = kn_attribute_value(world, data->entity, types->shield);
    float absorbed = shield < left ? shield : left;
    float health = kn_attribute_base(world, data->entity, types->health);
    (void)kn_attribute_set_base(world, data->entity, types->shield, 0, shield - absorbed);
    (void)kn_attribute_set_base(world, data->entity, types->health, 0, health - (left - absorbed));
}

static void register_attributes(demo_types *types, kn_error *error)
{
    enum { MAX_HEALTH, HEALTH, SHIELD, ARMOUR, HASTE, DAMAGE, ATTRIBUTE_COUNT };
    static const char *const names[] = {
        "MaxHealth", "Health", "Shield", "Armour", "Haste", "Damage"};
    kn_attribute_def defs[ATTRIBUTE_COUNT];
    for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
    }
    // Limits hold on every path: hits, regeneration, buffs, setters.
    defs[HEALTH].base_min = defs[HEALTH].min = kn_limit_constant(0);
    defs[HEALTH].base_max = defs[HEALTH].max = kn_limit_attribute("MaxHealth");
    defs[SHIELD].base_min = kn_limit_constant(0);
    defs[HASTE].default_value = 1;
    defs[DAMAGE].is_meta = true;

    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = defs;
    set.attribute_count = ATTRIBUTE_COUNT;
    set.hooks.post_execute = spend_damage;
    set.hooks.user = types;
    must(kn_attribute_set_register(types->library, &set, &types->vitals, error), error);
    types->max_health = kn_attribute_find(types->library, "Vitals.MaxHealth");
    types->health = kn_attribute_find(types->library, "Vitals.Health");
    types->shield = kn_attribute_find(types->library, "Vitals.Shield");
    types->armour = kn_attribute_find(types->library, "Vitals.Armour");
    types->haste = kn_attribute_find(types->library, "Vitals.Haste");
    types->damage = kn_attribute_find(types->library, "Vitals.Damage");

    // Starting values by group and level.
    static const kn_attribute_row rows[] = {
        {"Ayla", "Vitals.MaxHealth", 1, 100},
        {"Ayla", "Vitals.Health", 1, 100},
        {"Ayla", "Vitals.Armour", 1, 3},
        {"Gnoll", "Vitals.MaxHealth", 1, 60},
        {"Gnoll", "Vitals.Health", 1, 60},
        {"Gnoll", "Vitals.Armour", 1, 2},
        {"Troll", "Vitals.MaxHealth", 1, 84},
        {"Troll", "Vitals.Health", 1, 84},
    };
    must(kn_attribute_table_register(types->library, rows, COUNT(rows), error), error);
}

// Effects -------------------------------------------------------------------

// One effect with at most one modifier, one tag that describes it and one child that it starts.
typedef struct effect_parts {
    const char *name;
    float seconds; // 0: instant; below 0: until removed
    float period;  // 0: none
    kn_attribute_id attribute;
    kn_op op;
    float magnitude;
    kn_tag asset;
    const char *child;
} effect_parts;

static void register_effect(
    demo_types *types, uint32_t index, const effect_parts *parts, kn_effect_def *def)
{
    kn_error error = {0};
    def->name = parts->name;
    def->duration_kind = parts->seconds == 0  ? KN_INSTANT
                         : parts->seconds > 0 ? KN_DURATION
                                              : KN_INFINITE;
    def->duration = kn_magnitude_constant(parts->seconds);
    def->is_periodic = parts->period > 0;
    def->period = kn_magnitude_constant(parts->period);
    def->skip_first_tick = true;
    kn_modifier_def modifier = kn_modifier_constant(parts->attribute, parts->op, parts->magnitude);
    if (!kn_attribute_id_is_null(parts->attribute)) {
        def->modifiers = &modifier;
        def->modifier_count = 1;
    }
    if (!kn_tag_is_null(parts->asset)) {
        def->asset_tags = (kn_tags){&parts->asset, 1};
    }
    kn_child_def child = kn_child_def_default();
    child.type_name = parts->child;
    child.when = KN_CHILD_APPLIED;
    if (parts->child != NULL) {
        def->children = &child;
        def->child_count = 1;
    }
    must(kn_effect_register(types->library, def, &types->effects[index], &error), &error);
}

static void register_simple(demo_types *types, uint32_t index, const effect_parts *parts)
{
    kn_effect_def def = kn_effect_def_default();
    register_effect(types, index, parts, &def);
}

static void register_effects(demo_types *types)
{
    kn_attribute_id damage = types->damage, health = types->health;
    kn_tag none = {0};
    register_simple(types, FIREBALL,
        &(effect_parts){"Fireball", 0, 0, damage, KN_OP_ADD, 26, types->fire, "Burn"});
    register_simple(types, CLAW, &(effect_parts){"Claw", 0, 0, damage, KN_OP_ADD, 14, none, NULL});
    register_simple(
        types, SMASH, &(effect_parts){"Smash", 0, 0, damage, KN_OP_ADD, 30, none, NULL});
    register_simple(
        types, BLADE, &(effect_parts){"Blade", 0, 0, damage, KN_OP_ADD, 9, none, "Venom"});
    register_simple(
        types, HAMMER, &(effect_parts){"Hammer", 0, 0, damage, KN_OP_ADD, 8, none, "Stun"});
    register_simple(
        types, BARRIER, &(effect_parts){"Barrier", 0, 0, types->shield, KN_OP_ADD, 25, none, NULL});
    register_simple(types, TRANCE,
        &(effect_parts){"Trance", 3, 0, types->haste, KN_OP_MULTIPLY, 2, none, NULL});
    register_simple(
        types, RALLY, &(effect_parts){"Rally", 3, 0, health, KN_OP_ADD, 24, none, NULL});
    register_simple(types, WITHERED,
        &(effect_parts){"Withered", -1, 0, types->max_health, KN_OP_MULTIPLY, 0.75f, none, NULL});

    // Burn ticks faster while its caster is hasted, from the moment that changes.
    kn_effect_def burn = kn_effect_def_default();
    burn.has_haste = true;
    burn.haste = kn_magnitude_attribute(types->haste, KN_FROM_SOURCE, false, 1);
    burn.live_period = KN_LIVE_RESCALE;
    register_effect(
        types, BURN, &(effect_parts){"Burn", 4, 1, damage, KN_OP_ADD, 8, types->fire, NULL}, &burn);

    // Venom stacks up to three times, each stack with a timer of its own. While there are three,
    // the victim is withered.
    kn_child_def withered = kn_child_def_default();
    withered.type_name = "Withered";
    withered.when = KN_CHILD_COUNT_HELD;
    withered.count = 3;
    kn_effect_def venom = kn_effect_def_default();
    venom.stacking.kind = KN_STACK_BY_TARGET;
    venom.stacking.own_timers = true;
    venom.stacking.limit = kn_constant(3);
    venom.stacking.period_reset = KN_PERIOD_KEEP;
    venom.children = &withered;
    venom.child_count = 1;
    register_effect(types, VENOM,
        &(effect_parts){"Venom", 4, 1, damage, KN_OP_ADD, 2, types->poison, NULL}, &venom);

    // Ward: immunity to poison.
    kn_gate_def no_poison = {.record = {.required = {&types->poison, 1}}};
    kn_effect_def ward = kn_effect_def_default();
    ward.gates = &no_poison;
    ward.gate_count = 1;
    register_effect(types, WARD, &(effect_parts){.name = "Ward", .seconds = 5}, &ward);

    // A stunned troll does not regenerate: the effect stays and is switched off.
    kn_effect_def stun = kn_effect_def_default();
    stun.granted_tags = (kn_tags){&types->stunned, 1};
    register_effect(types, STUN, &(effect_parts){.name = "Stun", .seconds = 1.5f}, &stun);
    kn_effect_def regeneration = kn_effect_def_default();
    regeneration.ongoing.target.ignored = (kn_tags){&types->stunned, 1};
    regeneration.inhibit_period = KN_INHIBIT_RESET;
    register_effect(types, REGENERATION,
        &(effect_parts){"Regeneration", -1, 1, health, KN_OP_ADD, 3, none, NULL}, &regeneration);
}

// Rules ---------------------------------------------------------------------

// Who has no health dies. A rule runs inside the simulation, at the very time of the hit.
static void die(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (reaction->new_value <= 0) {
        kn_entity_destroy(world, reaction->entity);
    }
}

void fight_types_create(demo_types *types)
{
    kn_error error = {0};
    *types = (demo_types){0};
    kn_library_def library_def = kn_library_def_default();
    must(kn_library_create(&library_def, &types->library), NULL);

    static const char *const names[] = {"School.Fire", "School.Poison", "State.Stunned"};
    kn_tag tags[COUNT(names)];
    must(kn_tag_register_module(types->library, "demo", names, COUNT(names), tags, &error), &error);
    types->fire = tags[0];
    types->poison = tags[1];
    types->stunned = tags[2];
    register_attributes(types, &error);
    register_effects(types);

    kn_rule_def death = kn_rule_def_default();
    death.name = "Death";
    death.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    death.attribute = types->health;
    death.function = die;
    kn_rule_id rule;
    must(kn_rule_register(types->library, &death, &rule, &error), &error);
    must(kn_library_finish(types->library, &error), &error);
}

// The fight -----------------------------------------------------------------

void fight_world_create(const demo_types *types, kn_world **world)
{
    kn_world_def def = kn_world_def_default();
    def.library = types->library;
    must(kn_world_create(&def, world), NULL);
}

void fight_create(demo_fight *fight, const demo_types *types)
{
    fight->types = types;
    fight_world_create(types, &fight->world);
    for (uint32_t i = 0; i < FIGHTER_COUNT; i++) {
        kn_entity_id *fighter = &fight->fighters[i];
        must(kn_entity_create(fight->world, fighter), NULL);
        must(kn_attribute_set_add(fight->world, *fighter, types->vitals, 0), NULL);
        must(kn_attribute_init_group(fight->world, *fighter, fighter_names[i], 1, 0), NULL);
    }
    must(kn_world_step(fight->world, 0), NULL); // publishes the events of all this
}

// Who does what to whom, and when.
static const struct blow {
    kn_time time;
    uint32_t by, effect, on;
    const char *text;
} script[] = {
    {KN_MS(0), AYLA, BARRIER, AYLA, "Ayla raises a Barrier"},
    {KN_MS(0), TROLL, REGENERATION, TROLL, "The Troll regenerates"},
    {KN_MS(500), AYLA, FIREBALL, GNOLL, "Ayla throws a Fireball at the Gnoll"},
    {KN_MS(1000), GNOLL, CLAW, AYLA, "The Gnoll claws at Ayla"},
    {KN_MS(1250), AYLA, WARD, AYLA, "Ayla wards herself against poison"},
    {KN_MS(1750), GNOLL, VENOM, AYLA, "The Gnoll spits venom at Ayla"},
    {KN_MS(2000), AYLA, TRANCE, AYLA, "Ayla falls into a trance: what she burns burns faster"},
    {KN_MS(2250), AYLA, BLADE, TROLL, "Ayla cuts the Troll with a poisoned blade"},
    {KN_MS(2750), AYLA, BLADE, TROLL, "... and again"},
    {KN_MS(3250), AYLA, BLADE, TROLL, "... and again"},
    {KN_MS(3500), TROLL, SMASH, AYLA, "The Troll smashes Ayla"},
    {KN_MS(3750), AYLA, HAMMER, TROLL, "Ayla hammers the Troll"},
    {KN_MS(4500), TROLL, RALLY, TROLL, "The Troll rallies"},
    {KN_MS(5250), AYLA, FIREBALL, TROLL, "Ayla throws a Fireball at the Troll"},
};

void fight_play(demo_fight *fight, kn_time end, fight_teller *tell)
{
    kn_world *world = fight->world;
    while (kn_world_now(world) < end) {
        for (uint32_t i = 0; i < COUNT(script); i++) {
            const struct blow *blow = &script[i];
            if (blow->time != kn_world_now(world)) {
                continue;
            }
            if (tell != NULL) {
                tell(fight, blow->text);
            }
            // A refusal is ordinary play: the dead neither strike nor are struck, wards block.
            if (kn_entity_is_alive(world, fight->fighters[blow->by])) {
                (void)kn_effect_apply_simple(world, fight->types->effects[blow->effect],
                    fight->fighters[blow->by], fight->fighters[blow->on], 1, NULL);
            }
        }
        must(kn_world_step(world, KN_MS(50)), NULL);
        if (tell != NULL) {
            tell(fight, NULL);
        }
    }
}
