// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "skirmish.h"

#define UNITS 12
#define STREAM 0

// Registers one thing after the other; after the first failure nothing more.
typedef struct builder {
    kn_library *library;
    kn_error *error;
    kn_result result;
} builder;

static kn_tag tag(builder *b, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    kn_tag found = {0};
    def.name = name;
    if (b->result == KN_OK) {
        b->result = kn_tag_register(b->library, &def, &found, b->error);
    }
    return found;
}

static kn_effect_type_id effect(builder *b, const kn_effect_def *def)
{
    kn_effect_type_id type = {0};
    if (b->result == KN_OK) {
        b->result = kn_effect_register(b->library, def, &type, b->error);
    }
    return type;
}

static kn_effect_type_id instant(builder *b, const char *name, const char *attribute, float amount)
{
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(b->library, attribute), KN_OP_ADD, amount);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect(b, &def);
}

static kn_ability_type_id ability(builder *b, const kn_ability_def *def)
{
    kn_ability_type_id type = {0};
    if (b->result == KN_OK) {
        b->result = kn_ability_register(b->library, def, &type, b->error);
    }
    return type;
}

static kn_condition_id condition(builder *b, const char *name, const char *expression)
{
    kn_condition_id id = {0};
    if (b->result == KN_OK) {
        b->result = kn_condition_register_expression(b->library, name, expression, &id, b->error);
    }
    return id;
}

static void attributes(builder *b)
{
    static const struct {
        const char *name;
        float value;
    } all[] = {{"Health", 100}, {"Mana", 100}, {"Rage", 50}, {"Walked", 0}};
    kn_attribute_def defs[4];
    for (uint32_t i = 0; i < 4; i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = all[i].name;
        defs[i].default_value = all[i].value;
        defs[i].min = kn_limit_constant(0.0f);
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    set.name = "Vitals";
    set.attributes = defs;
    set.attribute_count = 4;
    if (b->result == KN_OK) {
        b->result = kn_attribute_set_register(b->library, &set, &id, b->error);
    }
}

// Two spells, and a kick that interrupts them.
static void casts(builder *b)
{
    kn_tag fire = tag(b, "School.Fire"), frost = tag(b, "School.Frost");
    kn_effect_def lockout = kn_effect_def_default();
    lockout.name = "Fire Lockout";
    lockout.duration_kind = KN_DURATION_TIMED;
    lockout.duration = kn_magnitude_set_by_caller(tag(b, "Kit.Lockout"));
    lockout.blocked_ability_tags = (kn_tags){&fire, 1};
    kn_raise_def raise = {.tag = tag(b, "Kit.Interrupt"), .magnitude = kn_magnitude_constant(2.0f)};
    kn_effect_def kicked = kn_effect_def_default();
    kicked.name = "Kicked";
    kicked.raises = &raise;
    kicked.raise_count = 1;
    kn_ability_apply_def applies = kn_ability_apply_def_default();
    applies.effect = effect(b, &kicked);
    applies.to = KN_APPLY_TO_TARGET;
    kn_ability_def kick = kn_ability_def_default();
    kick.name = "Kick";
    kick.body = KN_BODY_USE;
    kick.applies = &applies;
    kick.apply_count = 1;
    (void)ability(b, &kick);
    if (b->result != KN_OK) {
        return;
    }
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = kn_attribute_find(b->library, "Vitals.Mana");
    cost.amount = kn_constant(5.0f);
    kn_cooldown_def cooldowns[2] = {
        global_cooldown_def(b->library, 0.5f), kn_cooldown_seconds(3.0f)};
    kn_ability_def spell = cast_ability_def();
    spell.name = "Fireball";
    spell.tags = (kn_tags){&fire, 1};
    spell.costs = &cost;
    spell.cost_count = 1;
    spell.cooldowns = cooldowns;
    spell.cooldown_count = 2;
    cast_def cast = cast_def_default();
    cast.name = "Fireball";
    cast.ability = ability(b, &spell);
    cast.length = kn_magnitude_constant(1.2f);
    cast.pushed_by = kn_attribute_find(b->library, "Vitals.Health");
    cast.effect = instant(b, "Burnt", "Vitals.Health", -9.0f);
    cast.school = fire;
    cast.lockout = effect(b, &lockout);
    b->result = b->result != KN_OK ? b->result : cast_register(b->library, &cast, b->error);
    spell.name = "Frostbolt";
    spell.tags = (kn_tags){&frost, 1};
    spell.cooldown_count = 1;
    cast.name = "Frostbolt";
    cast.ability = ability(b, &spell);
    cast.length = kn_magnitude_constant(0.7f);
    cast.effect = instant(b, "Chilled", "Vitals.Health", -4.0f);
    cast.school = frost;
    cast.lockout.index1 = 0;
    b->result = b->result != KN_OK ? b->result : cast_register(b->library, &cast, b->error);
}

static void behaviours(builder *b)
{
    behaviour_def def = behaviour_def_default();
    behaviour_id id = {0};
    def.name = "Heal";
    def.every = 4;
    def.tag = tag(b, "Behaviour.Heal");
    def.when = condition(b, "Wounded", "target.Vitals.Health < 70");
    def.effect = instant(b, "Mended", "Vitals.Health", 3.0f);
    b->result =
        b->result != KN_OK ? b->result : behaviour_register(b->library, &def, &id, b->error);
    def = behaviour_def_default();
    def.name = "Rest";
    def.order = -1;
    def.claims = tag(b, "Claim.Legs");
    def.when = condition(b, "Tired", "target.Vitals.Mana < 20");
    def.effect = instant(b, "Rested", "Vitals.Mana", 2.0f);
    b->result =
        b->result != KN_OK ? b->result : behaviour_register(b->library, &def, &id, b->error);
    def = behaviour_def_default();
    def.name = "Roam";
    def.tag = tag(b, "Behaviour.Legs.Roam");
    def.claims = tag(b, "Claim.Legs");
    def.effect = instant(b, "Roamed", "Vitals.Walked", 0.25f);
    b->result =
        b->result != KN_OK ? b->result : behaviour_register(b->library, &def, &id, b->error);
}

static void orders(builder *b)
{
    kn_tag ordered = tag(b, "Kit.Ordered");
    kn_ability_apply_def applies = kn_ability_apply_def_default();
    applies.effect = instant(b, "Struck", "Vitals.Health", -6.0f);
    applies.to = KN_APPLY_TO_TARGET;
    kn_ability_def strike = kn_ability_def_default();
    strike.name = "Strike";
    strike.tags = (kn_tags){&ordered, 1};
    strike.body = KN_BODY_TIMED;
    strike.lasts = kn_constant(0.8f);
    strike.applies = &applies;
    strike.apply_count = 1;
    order_def def = order_def_default();
    order_id id = {0};
    def.name = "Cheer";
    kn_ability_def shout = kn_ability_def_default();
    shout.name = "Shout";
    shout.body = KN_BODY_USE;
    def.ability = ability(b, &shout);
    b->result = b->result != KN_OK ? b->result : order_register(b->library, &def, &id, b->error);
    def.next = id;
    def.name = "Attack";
    def.aim = ORDER_AIM_UNIT;
    def.ability = ability(b, &strike);
    def.tag = tag(b, "Unit.Busy");
    def.when = condition(b, "Weaker", "target.Vitals.Health <= instigator.Vitals.Health + 20");
    b->result = b->result != KN_OK ? b->result : order_register(b->library, &def, &id, b->error);
    def = order_def_default();
    def.name = "Burn";
    def.aim = ORDER_AIM_UNIT;
    def.ability = kn_ability_type_find(b->library, "Fireball");
    def.patience = kn_magnitude_constant(1.5f);
    b->result = b->result != KN_OK ? b->result : order_register(b->library, &def, &id, b->error);
    kn_effect_def guarded = kn_effect_def_default();
    guarded.name = "Guarded";
    guarded.duration_kind = KN_DURATION_INFINITE;
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(b->library, "Vitals.Rage"), KN_OP_ADD, 5.0f);
    guarded.modifiers = &modifier;
    guarded.modifier_count = 1;
    def = order_def_default();
    def.name = "Guard";
    def.aim = ORDER_AIM_ANY;
    def.effect = effect(b, &guarded);
    def.insists = true;
    def.patience = kn_magnitude_attribute(
        kn_attribute_find(b->library, "Vitals.Health"), KN_CAPTURE_FROM_SOURCE, false, 0.01f);
    b->result = b->result != KN_OK ? b->result : order_register(b->library, &def, &id, b->error);
}

// Play --------------------------------------------------------------------------------

static kn_result unit_spawn(kn_world *world)
{
    static const char *const names[] = {"Heal", "Rest", "Roam"};
    const kn_library *library = kn_world_library(world);
    kn_entity_id unit;
    kn_result result = kn_archetype_spawn(world, kn_archetype_find(library, "Unit"), 1.0f, &unit);
    for (uint32_t i = 0; result == KN_OK && i < 3; i++) {
        result = behaviour_add(world, unit, behaviour_find(library, names[i]));
    }
    return result;
}

// One of the units, drawn from the world's random numbers.
static kn_entity_id unit_draw(kn_world *world)
{
    kn_entity_id unit = {0};
    uint32_t index = kn_random_below(world, STREAM, kn_entity_count(world));
    for (uint32_t i = 0; i <= index; i++) {
        unit = kn_entity_next(world, unit);
    }
    return unit;
}

// Somebody gives an order, casts, kicks, blocks or lifts a block.
static void act(kn_world *world)
{
    const kn_library *library = kn_world_library(world);
    kn_entity_id unit = unit_draw(world), other = unit_draw(world);
    uint32_t what = kn_random_below(world, STREAM, 16);
    order_id order = {
        1 + kn_random_below(world, STREAM, kn_def_count(library, kn_kind_find(library, "order")))};
    kn_tag legs = kn_tag_find(library, "Behaviour.Legs");
    kn_event_record event = kn_event_record_default();
    event.instigator = unit;
    event.target = other;
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id found;
    kn_result result = KN_OK;
    if (what < 8) {
        result = order_issue(world, unit, order, other, (order_place)(what % 3));
    } else if (what < 10) {
        orders_clear(world, unit, what == 8);
    } else if (what == 10) {
        result = behaviour_block_add(world, unit, legs, other);
    } else if (what == 11) {
        (void)behaviour_block_remove(world, unit, legs, other);
    } else {
        query.type = kn_ability_type_find(library, what == 12 ? "Frostbolt" : "Kick");
        if (kn_abilities_find(world, unit, &query, &found, 1) == 1) {
            result = kn_ability_activate(world, found, &event, NULL);
        }
    }
    (void)result; // what is refused is refused
}

static void lord_system(void *user, kn_world *world, const kn_system_run *run)
{
    const kn_library *library = kn_world_library(world);
    (void)user;
    for (uint32_t i = 0; i < 3; i++) {
        act(world);
    }
    if (run->index % 5 == 0) {
        kn_result result = unit_spawn(world);
        (void)result;
        (void)kn_entity_destroy(world, unit_draw(world)); // with everything it has to do with
    }
    for (kn_entity_id unit = kn_entity_next(world, (kn_entity_id){0}); unit.index1 != 0;
         unit = kn_entity_next(world, unit)) {
        if (kn_attribute_value(world, unit, kn_attribute_find(library, "Vitals.Health")) <= 0.0f) {
            (void)kn_attribute_set_base(
                world, unit, kn_attribute_find(library, "Vitals.Health"), 0, 100.0f);
        }
    }
}

kn_result skirmish_declare(kn_library *library, kn_error *error)
{
    builder b = {library, error, kit_register(library, error)};
    attributes(&b);
    casts(&b);
    behaviours(&b);
    orders(&b);
    static const char *const abilities[] = {"Fireball", "Frostbolt", "Kick", "Strike", "Shout"};
    kn_ability_set_entry entries[5];
    for (uint32_t i = 0; i < 5; i++) {
        entries[i] = (kn_ability_set_entry){.type = kn_ability_type_find(library, abilities[i]),
            .level = 1.0f,
            .input = KN_INPUT_FROM_DEF};
    }
    kn_attribute_set_id set = kn_attribute_set_find(library, "Vitals");
    kn_archetype_def unit = kn_archetype_def_default();
    kn_archetype_id archetype;
    unit.name = "Unit";
    unit.sets = &set;
    unit.set_count = 1;
    unit.abilities = entries;
    unit.ability_count = 5;
    kn_system_def system = kn_system_def_default();
    kn_system_id id;
    system.name = "Lord";
    system.rate = 7;
    system.group = KN_SYSTEM_GROUP_INPUT;
    system.function = lord_system;
    b.result =
        b.result != KN_OK ? b.result : kn_archetype_register(library, &unit, &archetype, error);
    return b.result != KN_OK ? b.result : kn_system_register(library, &system, &id, error);
}

kn_result skirmish_populate(kn_world *world)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < UNITS; i++) {
        result = unit_spawn(world);
    }
    return result;
}
