// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about attacks share. State is plain data without padding; ids of the state are
// checked whenever it is read from a save.
#ifndef KNACK_RTS_ATTACK_PARTS_H
#define KNACK_RTS_ATTACK_PARTS_H

#include "knack/rts_attack.h"
#include "parts.h"

#define MODIFIERS_MAX 16 // of one attack
#define BOUNCES_MAX 16
#define SHOT_ITEMS_MAX (MODIFIERS_MAX + BOUNCES_MAX + 1)
#define AREA_MAX 256  // who splash can reach at once
#define LEGS_MAX 1000 // parts of the way of one projectile

// State -----------------------------------------------------------------------

// The weapons of an entity are the items of its component; each has an ability.
typedef struct armed {
    uint32_t unused;
} armed;

typedef struct armed_item {
    kn_ability_id ability;
    kn_effect_id cooldown; // that the latest attack started
    kn_entity_id target;
    kn_time began, until; // of the phase
    kn_rts_weapon_id weapon;
    uint32_t phase;    // kn_rts_attack_phase
    uint32_t failures; // since the last critical hit
    uint32_t unused;
} armed_item;

// How often somebody has not evaded an attack since the last time that it did.
typedef struct evader {
    uint32_t failures;
} evader;

// A projectile. The items are what its shot has met.
typedef struct projectile {
    kn_entity_id source, target;
    kn_entity_id owner; // of the source at the launch; may be null
    kn_vec3 from, to;
    kn_time began, until, launched;
    kn_rts_weapon_id weapon;
    uint32_t flags; // kn_rts_damage_flag
    kn_tag type;
    float amount, expected, life_steal, level;
    uint32_t bounces; // that are left
    uint32_t legs;
    uint32_t blocked; // 1: something is in the way, at `to`
} projectile;

typedef struct shot_item {
    kn_entity_id hit; // a target that the attack has hit already; null: none
    kn_rts_attack_modifier_id modifier;
    uint32_t unused;
} shot_item;

// An attack from its strike or launch on.
typedef struct shot {
    kn_entity_id source, target, causer, owner;
    kn_rts_weapon_id weapon;
    const kn_rts_weapon_def *def;
    kn_tag type;
    float amount; // with everything of the attacker
    float life_steal, level;
    uint32_t flags, bounces;
    kn_vec3 from, at; // where it comes from, and where it hits
    shot_item items[SHOT_ITEMS_MAX];
    uint32_t item_count;
} shot;

// The part of a library -------------------------------------------------------

typedef struct weapon_plan {
    kn_ability_type_id ability;
    kn_effect_type_id cooldown;
} weapon_plan;

typedef struct attack_kit {
    rts_kit *rts;
    kn_def_kind rules_kind, table_kind, weapon_kind, modifier_kind;
    const kn_rts_attack_rules_def *rules; // once finished, those of the library or the defaults
    kn_rts_attack_rules_def default_rules;
    kn_attribute_id health; // of these rules, or of those for units; null: none
    kn_attribute_set_id set;
    kn_attribute_id attributes[KN_RTS_ATTACK_ATTRIBUTE_COUNT];
    kn_component_type_id armed, evaders, projectiles;
    uint32_t target_reference; // of projectiles
    kn_timer_type_id arrival;
    kn_custom_event_id damaged, attacked, launched, ended;
    kn_cause_type_id cause;
    uint32_t stream;
    kn_tag value_tag, cooldown_tag; // of numbers for effects, above all tags of cooldowns
    kn_name damage_name;            // of the parameter
    kn_effect_type_id hit, heal;    // null without health
    kn_rts_damage_row *rows;        // of all tables
    uint32_t row_count;
    weapon_plan *plans; // by number of the weapon - 1
    uint32_t plan_count;
    uint32_t *modifiers; // numbers of all, those with higher priorities first
    uint32_t modifier_count;
    kn_hook plain_score; // of the ready order type for attacks
} attack_kit;

// rts_attack.c: the attribute set, rules and registration.
attack_kit *knc_rts_attack_of(const kn_library *library);
const attack_kit *knc_rts_attack_of_world(const kn_world *world);
kn_result knc_rts_attack_may_change(const kn_world *world, kn_entity_id entity);
float knc_rts_number(const kn_world *world, const kn_magnitude *magnitude, kn_entity_id source,
    kn_entity_id target, float level);
// Draws with a chance; with `failures` it accumulates, if the rules say so.
bool knc_rts_luck(kn_world *world, float chance, uint32_t *failures);
bool knc_rts_position(const kn_world *world, kn_entity_id entity, kn_vec3 *at);
float knc_rts_distance(kn_vec3 a, kn_vec3 b);
// A rule of this part; one that is there already, when a library is finished again, is fine.
kn_result knc_rts_attack_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
    kn_rule_fn *function, void *user, kn_error *error);

// rts_damage.c
kn_result knc_rts_damage_register(kn_library *library, attack_kit *kit, kn_error *error);
kn_result knc_rts_damage_expand(kn_library *library, attack_kit *kit, kn_error *error);
// The fields of a kn_rts_damage.
#define DAMAGE_FIELDS 11
extern const kn_field knc_rts_damage_fields[DAMAGE_FIELDS];
// Publishes damage that was not dealt at all.
void knc_rts_damage_avoided(kn_world *world, const kn_rts_damage_def *def, uint32_t flag);

// rts_attack_def.c: weapons and modifiers.
kn_result knc_rts_weapon_kinds_register(kn_library *library, attack_kit *kit, kn_error *error);
// NULL for an unknown one.
const kn_rts_weapon_def *knc_rts_weapon_of(const kn_world *world, kn_rts_weapon_id weapon);
const kn_rts_attack_modifier_def *knc_rts_modifier_of(
    const kn_world *world, kn_rts_attack_modifier_id modifier);

// rts_attack_weapon.c: weapons of entities, and attacks up to the strike.
kn_result knc_rts_armed_register(kn_library *library, attack_kit *kit, kn_error *error);
kn_result knc_rts_armed_expand(kn_library *library, attack_kit *kit, kn_error *error);

// rts_attack_hit.c: from the strike on.
// What an attack of somebody has from now on; `failures` is of its critical hits and may be NULL.
// An amount below 0: as the weapon says.
void knc_rts_shot_make(
    kn_world *world, kn_rts_weapon_id weapon, float amount, uint32_t *failures, shot *s);
// Whether an attack of `party` may go at an entity by itself: splash, bounces, other targets.
bool knc_rts_may_reach(const kn_world *world, kn_entity_id party, kn_entity_id entity,
    uint32_t relations, const kn_tag_requirement *tags);
// The one in whose name a shot acts: its source, or its projectile if that is gone.
kn_entity_id knc_rts_shot_party(const kn_world *world, const shot *s);
// Hits `target` at `at`, or just lands there without one. Returns how that ended.
kn_rts_projectile_end knc_rts_shot_hit(kn_world *world, shot *s);
// The nearest one that a shot may go on to; null for none.
kn_entity_id knc_rts_shot_next(const kn_world *world, const shot *s, float radius, bool may_return);

// rts_projectile.c
kn_result knc_rts_projectiles_register(kn_library *library, attack_kit *kit, kn_error *error);
// Sends a shot on its way from `from`; the projectile is null if it has arrived already.
kn_result knc_rts_projectile_send(kn_world *world, shot *s, kn_entity_id *projectile);

// rts_attack_order.c
kn_result knc_rts_attack_orders_register(kn_library *library, attack_kit *kit, kn_error *error);

// rts_attack_script.c
kn_result knc_rts_attack_functions_register(kn_library *library, attack_kit *kit, kn_error *error);

#endif
