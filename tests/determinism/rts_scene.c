// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A war of heroes as a scene: units of two sides strike, shoot, die, rise again and change sides,
// gain levels, and carry items; a warlord of each gives experience, points, abilities, items and
// upgrades at random and takes them back, and may make peace.

#include "determinism.h"
#include "scenes/scene_tools.h"

#include "knack/rts_attack.h"
#include "knack/rts_item.h"
#include "knack/rts_team.h"
#include "knack/rts_tech.h"

#define STREAM 0
#define SIDES 2
#define UNITS 6 // of each side

static uint32_t dice(kn_world *world, uint32_t sides)
{
    return kn_random_below(world, STREAM, sides);
}

// A unit, dead or alive; the warlords are entities as well, but no units.
static kn_entity_id one_unit(kn_world *world)
{
    const kn_component_type_id bodies =
        kn_component_find(kn_world_library(world), KN_GRID_BODY_NAME);
    kn_entity_id found = {0};
    uint32_t skip = dice(world, SIDES * UNITS);
    for (uint32_t i = 0; i <= skip; i++) {
        kn_entity_id next = kn_component_next(world, bodies, found);
        found = next.index1 != 0 ? next : found;
    }
    return found;
}

static void body_set(kn_world *world, kn_entity_id entity, float x, float y)
{
    const kn_component_type_id bodies =
        kn_component_find(kn_world_library(world), KN_GRID_BODY_NAME);
    kn_body *body = kn_component_add(world, bodies, entity);
    if (body != NULL) {
        *body = kn_body_default();
        body->position = (kn_vec3){x, y, 0};
    }
}

static void unit_spawn(kn_world *world, const char *archetype, kn_entity_id owner, float x, float y)
{
    const kn_archetype_id id = kn_archetype_find(kn_world_library(world), archetype);
    kn_entity_id unit;
    if (kn_archetype_spawn(world, id, 1, &unit) == KN_OK) {
        body_set(world, unit, x, y);
        (void)kn_entity_set_owner(world, unit, owner);
    }
}

// Acts ----------------------------------------------------------------------------------

static void hurt(kn_world *world, kn_entity_id source, kn_entity_id target)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    def.source = source;
    def.target = target;
    def.type = rule_tag(world, "Damage.Fire");
    def.amount = (float)dice(world, 60) * 0.75f;
    (void)kn_rts_damage_deal(world, &def, NULL);
}

static void study(kn_world *world, kn_entity_id unit)
{
    static const char *const names[] = {"Smite", "Ward", "Roar"};
    const kn_ability_type_id ability =
        kn_ability_type_find(kn_world_library(world), names[dice(world, COUNT_OF(names))]);
    switch (dice(world, 6)) {
    case 0:
        (void)kn_rts_raise_ability(world, unit, ability, dice(world, 2) == 0);
        break;
    case 1:
        (void)kn_rts_refund_ability(world, unit, ability);
        break;
    case 2:
        (void)(dice(world, 4) == 0 ? kn_rts_reset_abilities(world, unit) : KN_OK);
        break;
    default:
        (void)kn_rts_learn(world, unit, ability);
        break;
    }
}

// Who is dead lives again, or is replaced.
static void revive(kn_world *world, kn_entity_id warlord, kn_entity_id unit)
{
    if (!kn_rts_is_dead(world, unit)) {
        (void)kn_rts_kill(world, unit, one_unit(world));
    } else if (dice(world, 2) == 0) {
        (void)kn_entity_set_tag_count(
            world, unit, rule_tag(world, "Knack.Status.Alive"), KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    } else {
        float x = (float)dice(world, 12), y = (float)dice(world, 12);
        (void)kn_entity_destroy(world, unit);
        unit_spawn(world, dice(world, 2) == 0 ? "Hero" : "Archer", warlord, x, y);
    }
}

// The first item of somebody who has one.
static kn_entity_id carried(const kn_world *world, kn_entity_id unit)
{
    kn_entity_id item = {0};
    (void)kn_rts_items(world, unit, &item, 1);
    return item;
}

static void trade(kn_world *world, kn_entity_id unit, kn_entity_id other)
{
    const kn_library *library = kn_world_library(world);
    const kn_rts_item_type_id type =
        kn_rts_item_find(library, dice(world, 2) == 0 ? "Sword" : "Potion");
    const kn_entity_id item = carried(world, unit);
    kn_entity_id made;
    switch (dice(world, 6)) {
    case 0:
    case 1:
        if (kn_rts_item_create(world, type, NULL, &made) == KN_OK) {
            (void)(dice(world, 2) == 0 ? kn_rts_give_item(world, unit, made, -1)
                                       : kn_rts_pick_up(world, unit, made));
        }
        break;
    case 2:
        (void)kn_rts_drop_item(world, item, NULL);
        break;
    case 3:
        (void)kn_rts_hand_item(world, item, other);
        break;
    case 4:
        (void)kn_rts_use_item(world, item, other, NULL, NULL);
        break;
    default:
        (void)(dice(world, 3) == 0 ? kn_entity_destroy(world, item)
                                   : kn_rts_move_item(world, item, dice(world, 3)));
        break;
    }
}

static void politics(kn_world *world, kn_entity_id warlord, kn_entity_id unit)
{
    const kn_library *library = kn_world_library(world);
    const kn_rts_upgrade_id steel = kn_rts_upgrade_find(library, "Steel");
    const kn_entity_id owner = kn_entity_owner(world, unit);
    if (dice(world, 2) == 0) {
        (void)kn_rts_set_upgrade(world, warlord, steel, dice(world, 4));
    } else {
        (void)kn_rts_set_stance(
            world, warlord, owner, (kn_rts_stance)dice(world, KN_RTS_STANCE_COUNT));
    }
}

static kn_time warlord_acts(void *user, kn_world *world, kn_entity_id warlord, void *data)
{
    const kn_entity_id unit = one_unit(world), other = one_unit(world);
    const uint32_t chance = dice(world, 52);
    (void)user;
    (void)data;
    if (chance < 18) {
        (void)kn_rts_attack(world, unit, other);
    } else if (chance < 24) {
        study(world, unit);
    } else if (chance < 28) {
        hurt(world, unit, other);
    } else if (chance < 32) {
        (void)kn_rts_add_experience(world, unit, (float)dice(world, 90));
    } else if (chance < 34) {
        (void)kn_rts_set_level(world, unit, (int32_t)dice(world, 7));
    } else if (chance < 35) {
        (void)kn_entity_set_owner(world, unit, warlord);
    } else if (chance < 36) {
        (void)kn_rts_set_points(world, unit, dice(world, 5));
    } else if (chance < 46) {
        trade(world, unit, other);
    } else if (chance < 48) {
        politics(world, warlord, unit);
    } else if (chance < 50) {
        (void)rule_apply(world, "Frenzy", unit, other, 1);
    } else {
        revive(world, warlord, unit);
    }
    return KN_MS(20 + dice(world, 60));
}

// Definitions ---------------------------------------------------------------------------

static kn_ability_type_id spell(scene_builder *b, const char *name, kn_effect_type_id effect)
{
    kn_ability_type_id id = {0};
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    kn_ability_def def = kn_ability_def_default();
    apply.effect = effect;
    apply.to = KN_APPLY_TO_OWNER;
    def.name = name;
    def.body = KN_BODY_USE;
    def.applies = &apply;
    def.apply_count = 1;
    (void)scene_note(b, kn_ability_register(b->library, &def, &id, &b->error));
    return id;
}

static void rules_declare(scene_builder *b, kn_attribute_id health)
{
    kn_rts_rules_def rules = kn_rts_rules_def_default();
    rules.name = "Rules";
    rules.health = health;
    rules.assist_window = KN_MS(3000);
    rules.assist_share = 0.25f;
    (void)scene_note(b, kn_rts_rules_register(b->library, &rules, &b->error));
    kn_rts_attack_rules_def attacks = kn_rts_attack_rules_def_default();
    attacks.name = "Attacks";
    attacks.armour = scene_find_attribute(b, "Vitals.Armour");
    (void)scene_note(b, kn_rts_attack_rules_register(b->library, &attacks, &b->error));
    const kn_rts_damage_row rows[] = {
        {scene_tag(b, "Damage.Fire"), scene_tag(b, "Armour.Wood"), 1.75f},
        {scene_tag(b, "Damage.Fire"), {0}, 0.8f},
    };
    kn_rts_damage_table_def table = kn_rts_damage_table_def_default();
    table.name = "Types";
    table.rows = rows;
    table.row_count = COUNT_OF(rows);
    (void)scene_note(b, kn_rts_damage_table_register(b->library, &table, &b->error));
}

static void weapons_declare(scene_builder *b)
{
    kn_rts_weapon_def sword = kn_rts_weapon_def_default();
    sword.name = "Sword";
    sword.tag = scene_tag(b, "Unit.Hero");
    sword.windup = KN_MS(150);
    sword.backswing = KN_MS(100);
    sword.spread = 0.3f;
    sword.range_slack = 20;
    sword.critical_chance = kn_magnitude_constant(0.2f);
    sword.life_steal = kn_magnitude_constant(0.1f);
    (void)scene_note(b, kn_rts_weapon_register(b->library, &sword, NULL, &b->error));
    kn_rts_weapon_def bow = kn_rts_weapon_def_default();
    bow.name = "Bow";
    bow.kind = KN_RTS_WEAPON_RANGED;
    bow.tag = scene_tag(b, "Unit.Archer");
    bow.windup = KN_MS(90);
    bow.speed = 13;
    bow.spread = 0.2f;
    bow.range_slack = 20;
    bow.damage_type = scene_tag(b, "Damage.Fire");
    (void)scene_note(b, kn_rts_weapon_register(b->library, &bow, NULL, &b->error));
}

static void items_declare(scene_builder *b, kn_effect_type_id effect)
{
    kn_rts_item_def sword = kn_rts_item_def_default();
    sword.name = "Sword";
    sword.effect = effect;
    sword.limit = 2;
    (void)scene_note(b, kn_rts_item_register(b->library, &sword, NULL, &b->error));
    kn_rts_item_def potion = kn_rts_item_def_default();
    potion.name = "Potion";
    potion.ability = kn_ability_type_find(b->library, "Roar");
    potion.charges = 1;
    potion.stack = 3;
    potion.on_death = KN_RTS_LOSS_DROP;
    (void)scene_note(b, kn_rts_item_register(b->library, &potion, NULL, &b->error));
    kn_rts_slot_def slots[] = {kn_rts_slot_def_default(), kn_rts_slot_def_default()};
    slots[0].count = 2;
    slots[1].is_stash = true;
    kn_rts_inventory_def bag = kn_rts_inventory_def_default();
    bag.name = "Bag";
    bag.tag = scene_tag(b, "Unit.Hero");
    bag.slots = slots;
    bag.slot_count = COUNT_OF(slots);
    bag.range = 100;
    (void)scene_note(b, kn_rts_inventory_register(b->library, &bag, NULL, &b->error));
}

static void politics_declare(scene_builder *b)
{
    kn_rts_team_rules_def teams = kn_rts_team_rules_def_default();
    teams.name = "Teams";
    teams.has_vision = false; // nobody looks for others here
    (void)scene_note(b, kn_rts_team_rules_register(b->library, &teams, &b->error));
    kn_effect_def def = scene_effect_def("Steel", KN_DURATION_INFINITE, 0);
    const kn_modifier_def damage = kn_modifier_constant(
        kn_rts_attack_get_attribute(b->library, KN_RTS_ATTACK_DAMAGE), KN_OP_ADD, 3);
    def.acts_on_owned = true;
    def.modifiers = &damage;
    def.modifier_count = 1;
    kn_rts_upgrade_def steel = kn_rts_upgrade_def_default();
    steel.name = "Steel";
    steel.max_level = 3;
    steel.effect = scene_effect(b, &def);
    (void)scene_note(b, kn_rts_upgrade_register(b->library, &steel, NULL, &b->error));
}

static void unit_declare(scene_builder *b, const char *name, const char *tag_name, bool is_hero)
{
    const kn_ability_type_id learns[] = {
        kn_ability_type_find(b->library, "Smite"),
        kn_ability_type_find(b->library, "Roar"),
    };
    const kn_ability_type_id ward = kn_ability_type_find(b->library, "Ward");
    const kn_attribute_set_id sets[] = {
        kn_attribute_set_find(b->library, "Vitals"),
        kn_rts_attack_set(b->library),
    };
    const kn_tag tag = scene_tag(b, tag_name), wood = scene_tag(b, "Armour.Wood");
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = name;
    def.name_tag = tag;
    def.sets = sets;
    def.set_count = COUNT_OF(sets);
    def.abilities = &ward;
    def.ability_count = 1;
    def.unlockable_abilities = learns;
    def.unlockable_ability_count = COUNT_OF(learns);
    def.initial_tags = is_hero ? (kn_tags){0} : ONE_TAG(wood);
    def.can_level = is_hero;
    def.max_level = 6;
    def.ability_points = is_hero ? 1 : 0;
    def.experience_per_level.value = 70;
    def.granted_experience.value = is_hero ? 60 : 25;
    (void)scene_note(b, kn_rts_unit_register(b->library, &def, NULL, &b->error));
    kn_archetype_def archetype = kn_archetype_def_default();
    kn_archetype_id id;
    archetype.name = name;
    archetype.tags = ONE_TAG(tag);
    (void)scene_note(b, kn_archetype_register(b->library, &archetype, &id, &b->error));
}

static void war_declare(scene_builder *b)
{
    kn_timer_type_id timer;
    if (!scene_note(b, kn_order_register(b->library, &b->error)) ||
        !scene_note(b, kn_rts_register(b->library, &b->error))) {
        return;
    }
    (void)scene_note(b, kn_grid_register(b->library, NULL, &b->error));
    const kn_attribute_def vitals[] = {
        scene_pool("Health", 90, "MaxHealth", KN_LINK_CLAMP),
        scene_attribute("MaxHealth", 90),
        scene_attribute("Armour", 2),
    };
    (void)scene_set(b, "Vitals", vitals, COUNT_OF(vitals), NULL);
    rules_declare(b, scene_find_attribute(b, "Vitals.Health"));
    const kn_effect_type_id armour = scene_simple_effect(b, "Warded", KN_DURATION_TIMED, 2,
        kn_modifier_constant(scene_find_attribute(b, "Vitals.Armour"), KN_OP_ADD, 5));
    const kn_effect_type_id frenzy = scene_simple_effect(b, "Frenzy", KN_DURATION_TIMED, 1.5f,
        kn_modifier_constant(
            kn_rts_attack_get_attribute(b->library, KN_RTS_ATTACK_SPEED), KN_OP_ADD, 0.5f));
    (void)spell(b, "Smite", frenzy);
    (void)spell(b, "Ward", armour);
    (void)spell(b, "Roar", frenzy);
    const kn_effect_type_id edge = scene_simple_effect(b, "Edge", KN_DURATION_INFINITE, 0,
        kn_modifier_constant(
            kn_rts_attack_get_attribute(b->library, KN_RTS_ATTACK_DAMAGE), KN_OP_ADD, 4));
    items_declare(b, edge);
    politics_declare(b);
    weapons_declare(b);
    unit_declare(b, "Hero", "Unit.Hero", true);
    unit_declare(b, "Archer", "Unit.Archer", false);
    (void)scene_note(
        b, kn_timer_type_register(b->library, "Warlord", warlord_acts, NULL, &timer, &b->error));
}

static void war_populate(scene_stage *stage)
{
    kn_world *world = stage->world;
    for (uint32_t i = 0; i < SIDES && stage->result == KN_OK; i++) {
        kn_entity_id warlord;
        (void)scene_act(stage, kn_entity_create(world, &warlord));
        (void)scene_act(stage, kn_timer_start(world, kn_timer_type_find(stage->library, "Warlord"),
                                   warlord, KN_MS(10 + 13 * (int)i), NULL, NULL));
        for (uint32_t j = 0; j < UNITS; j++) {
            unit_spawn(world, j % 3 == 0 ? "Hero" : "Archer", warlord, (float)(2 * j),
                3.0f + 4.0f * (float)i);
        }
    }
}

const scene_info scene_rts = {
    .name = "rts",
    .summary = "heroes and archers of two sides that fight, rise and learn by chance",
    .declare = war_declare,
    .populate = war_populate,
    .seconds = 20,
};
