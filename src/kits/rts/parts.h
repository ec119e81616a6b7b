// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the RTS kit share. A part keeps its ids in a struct of its own inside
// rts_kit and registers itself in the table of kn_rts_register(). State is plain data without
// padding; ids of the state are checked whenever it is read from a save.
#ifndef KNACK_RTS_PARTS_H
#define KNACK_RTS_PARTS_H

#include "knack/rts.h"
#include "knack/tools.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

// State of units ----------------------------------------------------------------

typedef struct unit_state {
    kn_rts_unit_type_id type;
    uint32_t is_dead;
    float granted; // experience for killing it; below 0: as the type says
    uint32_t unused;
} unit_state;

// Units that gain levels. The items are abilities that points were spent on.
typedef struct unit_levels {
    float experience;
    uint32_t points;
    uint32_t level; // clients compute theirs
    uint32_t paid;  // highest level that points were given for
} unit_levels;

typedef struct spent_item {
    kn_ability_type_id ability;
    uint32_t points;
} spent_item;

// What `busy` of a state holds while a call about it is carried out. No call lasts longer than an
// instant, so that a damaged save, which has it from another one, holds nothing up.
static inline uint32_t knc_rts_busy_now(const kn_world *world)
{
    return (uint32_t)kn_world_now(world) | 1u;
}

// Calls of hooks about their own unit wait here until the hooks are done.
typedef struct unit_turn {
    uint32_t busy; // see knc_rts_busy_now()
} unit_turn;

typedef enum level_call_kind {
    LEVEL_CALL_ADD,
    LEVEL_CALL_SET,
    LEVEL_CALL_POINTS,
    LEVEL_CALL_RAISE,
    LEVEL_CALL_LEARN,
    LEVEL_CALL_REFUND,
    LEVEL_CALL_RESET,
    LEVEL_CALL_COUNT,
} level_call_kind;

typedef struct level_call {
    uint32_t kind; // level_call_kind
    float amount;
    int32_t number;
    kn_ability_type_id ability;
} level_call;

// What a unit has from its owner.
typedef struct unit_owner {
    kn_entity_id owner;
} unit_owner;

typedef struct owner_item {
    kn_tag tag;
    uint32_t is_ability; // an ability has risen for it; otherwise it was copied
} owner_item;

// Who has damaged a unit: items are kn_rts_hit.
typedef struct unit_hits {
    uint32_t unused;
} unit_hits;

// The abilities of a unit, for those who do not control it: servers send them no grants.
typedef struct unit_abilities {
    uint32_t unused;
} unit_abilities;

typedef struct ability_item {
    kn_ability_type_id ability;
    float level;
} ability_item;

// What a client has seen of the levels of a unit.
typedef struct unit_seen {
    float experience;
    uint32_t points;
    uint32_t level;
} unit_seen;

// What follows from definitions ---------------------------------------------------

// A value that tables have for an attribute: at one level, or by a curve for all of them.
typedef struct table_row {
    kn_attribute_id attribute;
    uint32_t level; // 0: by `curve`
    kn_curve_id curve;
    float value;
} table_row;

typedef struct unit_plan {
    table_row *rows; // sorted by attribute; rows of a level come before those of a curve
    uint32_t row_count, row_capacity;
    float *totals; // experience for level i + 1 in all
    uint32_t total_count;
} unit_plan;

typedef struct unit_ids {
    kn_def_kind unit_kind, ability_kind, part_kind;
    kn_component_type_id state, levels, turns, owners, hits, seen, abilities;
    kn_custom_event_id experience, level, points, ability, killed, assist;
    kn_command_type_id learn;
    unit_plan *plans; // by number of the type - 1
    uint32_t plan_count;
    uint32_t *ability_defs; // by number of the ability type - 1: number of its rts ability, or 0
    uint32_t ability_def_count;
    kn_rts_ability_def plain_ability; // for abilities without a definition
    kn_tag *heard;                    // tags of players that concern units
    uint32_t heard_count, heard_capacity;
} unit_ids;

typedef struct rts_kit {
    kn_def_kind rules_kind;
    const kn_rts_rules_def *rules; // once finished, those of the library or the defaults
    kn_rts_rules_def default_rules;
    kn_tag tags[KN_RTS_TAG_COUNT]; // as the rules say, once definitions are expanded
    unit_ids units;
} rts_kit;

// rts.c
rts_kit *knc_rts_kit_of(const kn_library *library);
const rts_kit *knc_rts_kit_of_world(const kn_world *world);
kn_result knc_rts_event_register(kn_library *library, const char *name, uint32_t size,
    const kn_field *fields, uint32_t count, const char *text, kn_custom_event_id *id,
    kn_error *error);
// A rule of the kit; one that is there already, when a library is finished again, is fine.
kn_result knc_rts_rule_register(kn_library *library, const char *name, kn_trigger trigger,
    kn_tag tag, kn_attribute_id attribute, kn_rule_fn *function, void *user, kn_error *error);
// Whether this machine may change something of an entity in a world with the kit.
kn_result knc_rts_may_change(const kn_world *world, kn_entity_id entity);

// rts_attack.c: attacks, weapons, damage and projectiles (attack_parts.h).
kn_result knc_rts_attack_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_tag.c: tags and rules.
kn_result knc_rts_tags_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_ability.c: definitions of abilities, and the order type that uses them.
kn_result knc_rts_abilities_register(kn_library *library, rts_kit *kit, kn_error *error);
kn_result knc_rts_use_order_register(kn_library *library, rts_kit *kit, kn_error *error);
// As kn_rts_ability_range() at a level; 0: that of the unit.
float knc_rts_ability_range(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, float level);

// rts_unit_def.c: definitions of units, and what follows from them.
kn_result knc_rts_unit_kinds_register(kn_library *library, rts_kit *kit, kn_error *error);
void knc_rts_unit_plans_release(rts_kit *kit);
// NULL for an unknown type.
const kn_rts_unit_def *knc_rts_unit_def(const kn_world *world, kn_rts_unit_type_id type);
const unit_plan *knc_rts_unit_plan(const kn_library *library, kn_rts_unit_type_id type);
float knc_rts_scalable(const kn_library *library, const kn_scalable *scalable, float level);

// rts_unit.c: units from their beginning to their end.
kn_result knc_rts_units_register(kn_library *library, rts_kit *kit, kn_error *error);
kn_result knc_rts_units_expand(kn_library *library, rts_kit *kit, kn_error *error);
// NULL for entities that are not units, and in worlds without the kit.
const unit_state *knc_rts_unit_read(const kn_world *world, kn_entity_id unit);
kn_result knc_rts_unit_check(const kn_world *world, kn_entity_id unit);
// Reads attributes from the tables of a level; false if the unit is none afterwards.
bool knc_rts_unit_initialize(kn_world *world, kn_entity_id unit, uint32_t level, bool is_initial);
void knc_rts_tag_gain(kn_world *world, kn_entity_id unit, kn_tag tag);

// rts_unit_owner.c: tags of players.
kn_result knc_rts_owners_expand(kn_library *library, rts_kit *kit, kn_error *error);
void knc_rts_owner_begin(kn_world *world, kn_entity_id unit);
void knc_rts_owner_end(kn_world *world, kn_entity_id unit);

// rts_unit_kill.c: death, and who gets the credit.
kn_result knc_rts_kills_expand(kn_library *library, rts_kit *kit, kn_error *error);

// rts_lint.c: warnings about units.
kn_result knc_rts_lint_expand(kn_library *library, rts_kit *kit, kn_error *error);

// rts_level.c
kn_result knc_rts_levels_register(kn_library *library, rts_kit *kit, kn_error *error);
const unit_levels *knc_rts_levels_read(const kn_world *world, kn_entity_id unit);
bool knc_rts_levels_begin(kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def);
uint32_t knc_rts_level_for(const unit_plan *plan, float experience);
// Runs a call about the levels of a unit, or lets it wait while hooks of the unit run.
kn_result knc_rts_level_do(kn_world *world, kn_entity_id unit, const level_call *call);

// rts_points.c
kn_result knc_rts_points_register(kn_library *library, rts_kit *kit, kn_error *error);
void knc_rts_points_write(kn_world *world, kn_entity_id unit, uint32_t points);
kn_result knc_rts_points_run(kn_world *world, kn_entity_id unit, const level_call *call);
// The first grant of exactly this type; null for none.
kn_ability_id knc_rts_ability_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
// Writes down the abilities of a unit as they are now, for clients that do not control it.
void knc_rts_abilities_note(kn_world *world, kn_entity_id unit);
// Grants an ability, and tries it if the unit has a tag that triggers it.
kn_result knc_rts_ability_grant(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, float level);

// rts_client.c: what a client publishes of what it sees.
kn_result knc_rts_client_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_script.c
kn_result knc_rts_functions_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_tech.c: technology and population (tech_parts.h).
kn_result knc_rts_tech_register(kn_library *library, rts_kit *kit, kn_error *error);
// rts_tech_unit.c: a unit has begun or ended, died, come to life, or changed sides.
void knc_rts_gift_look(kn_world *world, kn_entity_id unit);
// rts_tech_requirement.c: whether the owner of a unit has what an ability needs at a level.
bool knc_rts_tech_asks_learners(const kn_library *library); // whether any ability needs something
bool knc_rts_tech_may_learn(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, uint32_t level);
// rts_item.c: items, inventories and shops (item_parts.h).
kn_result knc_rts_items_register(kn_library *library, rts_kit *kit, kn_error *error);
// What becomes of the items of a unit that has died.
void knc_rts_items_die(kn_world *world, kn_entity_id unit);
// rts_card_script.c
kn_result knc_rts_card_functions_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_display.c: what players see (text_parts.h).
kn_result knc_rts_displays_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_team.c: teams, alliances and vision (team_parts.h).
kn_result knc_rts_teams_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_vision.c: units see and are seen from their beginning on, if the library has vision.
void knc_rts_vision_begin(kn_world *world, kn_entity_id unit);
void knc_rts_vision_end(kn_world *world, kn_entity_id unit);

#endif
