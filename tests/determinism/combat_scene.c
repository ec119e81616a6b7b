// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A brawl with everything that the combat kit has, as a scene: fighters who press buttons at random
// cast, channel and hold, hit and heal, shield, curse, stun, dispel, kick, taunt, die and rise.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/combat.h"

#include <string.h>

#define FIGHTERS 10
#define MONSTERS 3
#define STREAM 0

// What fighters can do, and what follows: an effect for the target, or for the fighter itself.
static const struct {
    const char *name, *effect;
    bool to_owner;
    kn_cast_kind kind;
    float length; // of its cast; 0: it has none
    uint32_t ticks;
} brawl_abilities[] = {
    {"Bolt", "Bolt Hit", false, KN_CAST_PLAIN, 1.2f, 1},
    {"Drain", "Drain Hit", false, KN_CAST_CHANNEL, 2.0f, 4},
    {"Charge", "Charge Hit", false, KN_CAST_HELD, 1.5f, 3},
    {"Mend", "Mend Hit", true, KN_CAST_PLAIN, 0.9f, 1},
    {"Guard", "Guarded", true, KN_CAST_PLAIN, 0.0f, 0},
    {"Curse", "Cursed", false, KN_CAST_PLAIN, 0.0f, 0},
    {"Bash", "Stunned", false, KN_CAST_PLAIN, 0.0f, 0},
    {"Kick", "Kicked", false, KN_CAST_PLAIN, 0.0f, 0},
    {"Cleanse", "Cleansed", true, KN_CAST_PLAIN, 0.0f, 0},
    {"Jeer", "Jeered", false, KN_CAST_PLAIN, 0.0f, 0},
};

// Declaring -------------------------------------------------------------------------

static void brawl_attributes(scene_builder *b)
{
    kn_attribute_def pools[] = {
        scene_attribute("MaxHealth", 900.0f),
        scene_pool("Health", 900.0f, "MaxHealth", KN_LINK_PROPORTION),
        scene_attribute("MaxMana", 120.0f),
        scene_pool("Mana", 120.0f, "MaxMana", KN_LINK_PROPORTION),
    };
    for (uint32_t i = 1; i < 4; i += 2) {
        pools[i].base_min = pools[i].min;
        pools[i].base_max = pools[i].max;
    }
    (void)scene_set(b, "Vitals", pools, 4, NULL);
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    rules.health = scene_find_attribute(b, "Vitals.Health");
    rules.dead = scene_tag(b, "State.Dead");
    rules.threat_tag = scene_tag(b, "Brawl.Monster");
    (void)scene_note(b, kn_ability_dead_tag_set(b->library, rules.dead));
    (void)scene_note(b, kn_combat_rules_register(b->library, &rules, &b->error));
    kn_resource_def mana = kn_resource_def_default();
    mana.name = "Mana";
    mana.attribute = scene_find_attribute(b, "Vitals.Mana");
    mana.regeneration.amount = kn_magnitude_constant(7.0f);
    mana.regeneration.delay = 0.7f;
    mana.regeneration.in_combat = 0.5f;
    mana.regeneration.while_casting = 0.25f;
    (void)scene_note(b, kn_resource_register(b->library, &mana, NULL, &b->error));
}

static void brawl_outcomes(scene_builder *b)
{
    kn_outcome_def missed = kn_outcome_def_default();
    missed.name = "Missed";
    missed.chance = kn_magnitude_constant(0.1f);
    missed.factor = kn_magnitude_constant(0.0f);
    missed.ends = true;
    (void)scene_note(b, kn_outcome_register(b->library, &missed, NULL, &b->error));
    kn_outcome_def critical = kn_outcome_def_default();
    critical.name = "Critical";
    critical.chance = kn_magnitude_constant(0.25f);
    critical.factor = kn_magnitude_constant(2.0f);
    (void)scene_note(b, kn_outcome_register(b->library, &critical, NULL, &b->error));
}

// An instant effect that deals a hit.
static void brawl_hit(scene_builder *b, const char *name, const char *meta, float amount)
{
    kn_modifier_def modifier =
        kn_modifier_constant(scene_find_attribute(b, meta), KN_OP_ADD, amount);
    (void)scene_simple_effect(b, name, KN_DURATION_INSTANT, 0.0f, modifier);
}

// An instant effect that raises an event.
static void brawl_raise(scene_builder *b, const char *name, const char *tag, float magnitude)
{
    kn_raise_def raise = kn_raise_def_default();
    raise.tag = scene_tag(b, tag);
    raise.magnitude = kn_magnitude_constant(magnitude);
    kn_effect_def def = scene_effect_def(name, KN_DURATION_INSTANT, 0.0f);
    def.raises = &raise;
    def.raise_count = 1;
    (void)scene_effect(b, &def);
}

static void brawl_buff(scene_builder *b, const char *name, kn_buff_def *buff)
{
    buff->name = name;
    (void)scene_note(b, kn_buff_register(b->library, buff, NULL, &b->error));
}

static void brawl_lasting(scene_builder *b)
{
    kn_diminishing_def group = kn_diminishing_def_default();
    kn_buff_def guarded = kn_buff_def_default(), cursed = kn_buff_def_default(),
                stunned = kn_buff_def_default();
    group.name = "Stuns";
    group.reset = 6.0f;
    kn_effect_def def = scene_effect_def("Guarded", KN_DURATION_TIMED, 5.0f);
    (void)scene_effect(b, &def);
    guarded.absorb.amount = kn_magnitude_constant(90.0f);
    guarded.reflects.part = kn_magnitude_constant(0.1f);
    brawl_buff(b, "Guarded", &guarded);
    kn_modifier_def tick =
        kn_modifier_constant(scene_find_attribute(b, "Hit.Damage"), KN_OP_ADD, 6.0f);
    def = scene_effect_def("Cursed", KN_DURATION_TIMED, 7.0f);
    scene_every(&def, 0.9f);
    def.modifiers = &tick;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(4.0f);
    (void)scene_effect(b, &def);
    cursed.polarity = KN_POLARITY_DEBUFF;
    cursed.resistance = kn_magnitude_constant(0.3f);
    brawl_buff(b, "Cursed", &cursed);
    kn_tag stun = scene_tag(b, "State.Stunned"), all = scene_tag(b, "Brawl.Ability");
    def = scene_effect_def("Stunned", KN_DURATION_TIMED, 2.0f);
    def.duration_value = kn_value_find(b->library, "Knack.Duration");
    def.granted_tags = ONE_TAG(stun);
    def.blocked_ability_tags = ONE_TAG(all);
    (void)scene_effect(b, &def);
    (void)scene_note(
        b, kn_diminishing_register(b->library, &group, &stunned.diminishing, &b->error));
    stunned.polarity = KN_POLARITY_DEBUFF;
    stunned.breaks_after = kn_magnitude_constant(70.0f);
    brawl_buff(b, "Stunned", &stunned);
}

// Everybody has a temper: critical hits make the next casts short, for a while.
static void brawl_temper(scene_builder *b)
{
    kn_modifier_def shorter = kn_modifier_def_default();
    shorter.value = kn_value_find(b->library, "Knack.CastLength");
    shorter.op = KN_OP_MULTIPLY;
    shorter.magnitude = kn_magnitude_constant(0.5f);
    kn_proc_action_def action = kn_proc_action_def_default();
    action.effect = scene_simple_effect(b, "Fury", KN_DURATION_TIMED, 4.0f, shorter);
    kn_effect_def temper = scene_effect_def("Temper", KN_DURATION_INFINITE, 0.0f);
    (void)scene_effect(b, &temper);
    kn_tag critical = kn_tag_find(b->library, "Knack.Outcome.Critical");
    kn_proc_def proc = kn_proc_def_default();
    proc.name = "Temper";
    proc.on = KN_PROC_HIT_DONE | KN_PROC_HIT_TAKEN;
    proc.outcomes = ONE_TAG(critical);
    proc.chance = kn_magnitude_constant(0.4f);
    proc.random = KN_PROC_ACCUMULATING;
    proc.cooldown = kn_magnitude_constant(1.5f);
    proc.actions = &action;
    proc.action_count = 1;
    (void)scene_note(b, kn_proc_register(b->library, &proc, NULL, &b->error));
    kn_dispel_def cleanse = kn_dispel_def_default();
    cleanse.name = "Cleanse";
    cleanse.on = scene_tag(b, "Knack.Dispel.Cleanse");
    cleanse.count = kn_magnitude_constant(2.0f);
    (void)scene_note(b, kn_dispel_register(b->library, &cleanse, NULL, &b->error));
}

static void brawl_ability(scene_builder *b, uint32_t index)
{
    bool is_cast = brawl_abilities[index].length > 0.0f;
    kn_tag all = scene_tag(b, "Brawl.Ability");
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = kn_effect_type_find(b->library, brawl_abilities[index].effect);
    apply.to = brawl_abilities[index].to_owner ? KN_APPLY_TO_OWNER : KN_APPLY_TO_TARGET;
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = scene_find_attribute(b, "Vitals.Mana");
    cost.amount = kn_constant(9.0f);
    kn_cooldown_def cooldowns[] = {
        kn_global_cooldown_def(b->library, 0.8f), kn_cooldown_seconds(1.1f + (float)index * 0.3f)};
    kn_ability_def def = kn_ability_def_default();
    def.name = brawl_abilities[index].name;
    def.tags = ONE_TAG(all);
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    def.body = is_cast ? KN_BODY_NONE : KN_BODY_USE;
    def.applies = &apply;
    def.apply_count = is_cast ? 0 : 1;
    kn_ability_type_id type;
    if (!scene_note(b, kn_ability_register(b->library, &def, &type, &b->error)) || !is_cast) {
        return;
    }
    kn_cast_def cast = kn_cast_def_default();
    cast.name = brawl_abilities[index].name;
    cast.kind = brawl_abilities[index].kind;
    cast.length = kn_magnitude_constant(brawl_abilities[index].length);
    cast.ticks = cast.kind == KN_CAST_CHANNEL ? brawl_abilities[index].ticks : 1;
    cast.initial_tick = cast.kind == KN_CAST_CHANNEL;
    cast.stages = cast.kind == KN_CAST_HELD ? brawl_abilities[index].ticks : 1;
    cast.hold = cast.kind == KN_CAST_HELD ? 0.4f : 0.0f;
    cast.applies = &apply;
    cast.apply_count = 1;
    (void)scene_note(b, kn_cast_register(b->library, &cast, NULL, &b->error));
}

// Playing -----------------------------------------------------------------------------

static void brawl_press(kn_world *world, kn_entity_id entity)
{
    kn_ability_id abilities[16];
    uint32_t count = kn_abilities_find(world, entity, NULL, abilities, 16);
    kn_input_press_def press = kn_input_press_def_default();
    press.ability = abilities[kn_random_below(world, STREAM, count)];
    press.event.by_event = 1;
    press.event.instigator = entity;
    press.event.target = rule_random_entity(world, STREAM);
    if (kn_random_below(world, STREAM, 3) == 0) {
        kn_entity_id angry = kn_threat_target(world, entity);
        press.event.target = angry.index1 != 0 ? angry : press.event.target;
    }
    (void)kn_input_queue_press(world, entity, &press, NULL);
}

static kn_time brawl_mind(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    uint32_t roll = kn_random_below(world, STREAM, 20);
    if (kn_combat_is_dead(world, entity)) {
        if (roll < 3) {
            (void)kn_combat_resurrect(world, entity, (kn_entity_id){0}, 0.6f);
        }
    } else if (roll < 14) {
        brawl_press(world, entity);
    } else if (roll < 17) {
        (void)kn_cast_release(world, entity);
    } else if (roll == 17) {
        (void)kn_cast_cancel(world, entity, 0);
    }
    return KN_MS(90) + (kn_time)kn_random_below(world, STREAM, 130) * 1000;
}

static void brawl_declare(scene_builder *b)
{
    if (!scene_note(b, kn_combat_register(b->library, &b->error))) {
        return;
    }
    brawl_attributes(b);
    brawl_outcomes(b);
    brawl_hit(b, "Bolt Hit", "Hit.Damage", 45.0f);
    brawl_hit(b, "Drain Hit", "Hit.Damage", 16.0f);
    brawl_hit(b, "Charge Hit", "Hit.Damage", 70.0f);
    brawl_hit(b, "Mend Hit", "Hit.Healing", 60.0f);
    brawl_raise(b, "Kicked", "Knack.Interrupt", 2.0f);
    brawl_raise(b, "Jeered", "Knack.Taunt", 3.0f);
    brawl_raise(b, "Cleansed", "Knack.Dispel.Cleanse", 0.0f);
    brawl_lasting(b);
    brawl_temper(b);
    for (uint32_t i = 0; i < COUNT_OF(brawl_abilities); i++) {
        brawl_ability(b, i);
    }
    kn_timer_type_id mind;
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Brawl.Mind", brawl_mind, NULL, &mind, &b->error));
}

static void brawl_populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < FIGHTERS && stage->result == KN_OK; i++) {
        kn_entity_id fighter = scene_actor(stage, "Vitals");
        (void)scene_act(stage, kn_attribute_set_add(stage->world, fighter,
                                   kn_attribute_set_find(stage->library, "Hit"), 0));
        if (i < MONSTERS) {
            (void)scene_act(
                stage, kn_entity_add_tag(stage->world, fighter,
                           kn_tag_find(stage->library, "Brawl.Monster"), KN_TAG_ORIGIN_LOOSE, 1));
        }
        scene_apply(stage, "Temper", fighter, fighter, 1.0f);
        for (uint32_t k = 0; k < COUNT_OF(brawl_abilities) && stage->result == KN_OK; k++) {
            kn_ability_grant_def grant = kn_ability_grant_def_default();
            grant.type = kn_ability_type_find(stage->library, brawl_abilities[k].name);
            (void)scene_act(stage, kn_ability_grant(stage->world, fighter, &grant, NULL));
        }
        kn_timer_type_id mind = kn_timer_type_find(stage->library, "Brawl.Mind");
        (void)scene_act(stage, kn_timer_start(stage->world, mind, fighter,
                                   KN_MS(50) + (kn_time)i * KN_MS(37), NULL, NULL));
    }
}

const scene_info scene_combat = {
    .name = "combat",
    .summary = "fighters with casts, hits, buffs, procs, threat and resources of the combat kit",
    .declare = brawl_declare,
    .populate = brawl_populate,
    .seconds = 20,
};
