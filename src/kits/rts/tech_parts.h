// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about technology share. State is plain data without padding.
#ifndef KNACK_RTS_TECH_PARTS_H
#define KNACK_RTS_TECH_PARTS_H

#include "knack/rts_tech.h"
#include "parts.h"

// State -----------------------------------------------------------------------------

// A player with upgrades: the items are these.
typedef struct tech_player {
    uint32_t unused;
} tech_player;

typedef struct upgrade_item {
    kn_rts_upgrade_id upgrade;
    uint32_t level;
    uint32_t target; // the level that is researched; 0: none
    uint32_t busy;   // its hook runs; see knc_rts_busy_now()
    uint32_t wanted; // a level that the hook asks for, plus 1; 0: none
    uint32_t unused;
    kn_effect_id effect;   // that the player has for it
    kn_entity_id building; // where it is researched
} upgrade_item;

// What a unit gives its owner. The items are tags.
typedef struct unit_gift {
    kn_entity_id owner;
    float population;
    float cap;
} unit_gift;

typedef struct gift_item {
    kn_tag tag;
} gift_item;

// Population that is reserved for the products of a producer, for a site, or for a new entity until
// it is a unit: the items.
typedef struct reservation {
    uint32_t unused;
} reservation;

typedef struct reserved_item {
    kn_product_id product;
    float amount;
    kn_entity_id player;
    uint32_t is_birth; // for the entity itself, which was made of the product
    uint32_t unused;
} reserved_item;

// A producer that waits for room.
typedef struct held_producer {
    kn_entity_id player;
} held_producer;

// What follows from definitions -----------------------------------------------------

typedef enum tech_tag {
    TECH_TAG_TECHNOLOGY,
    TECH_TAG_AT_MAXIMUM,
    TECH_TAG_RESEARCHING,
    TECH_TAG_POPULATION,
    TECH_TAG_POPULATION_LIMIT,
    TECH_TAG_COUNT,
} tech_tag;

// What requirements are for.
typedef enum tech_what {
    TECH_PRODUCT,
    TECH_UPGRADE,
    TECH_ABILITY,
    TECH_ORDER,
    TECH_WHAT_COUNT,
} tech_what;

typedef struct product_plan {
    kn_rts_upgrade_id upgrade;
    float population;
} product_plan;

typedef struct tech_kit {
    rts_kit *rts;
    kn_def_kind upgrade_kind, requirement_kind, population_kind;
    kn_component_type_id players, gifts, reservations, held;
    kn_custom_event_id upgraded;
    kn_tag tags[TECH_TAG_COUNT];
    kn_tag constructing;                     // that sites have
    const kn_rts_population_def *population; // NULL: there is none
    product_plan *products;                  // by number of the product - 1
    uint32_t product_count;
    uint32_t *upgrade_products; // by number of the upgrade - 1
    uint32_t upgrade_count;
    uint32_t *first[TECH_WHAT_COUNT]; // by number - 1: number of its first requirement, or 0
    uint32_t first_count[TECH_WHAT_COUNT];
    bool asks_learners; // some ability has a requirement
    uint32_t *next;     // by number of the requirement - 1: the next one for the same thing, or 0
} tech_kit;

// rts_tech.c
tech_kit *knc_rts_tech_of(const kn_library *library);
const tech_kit *knc_rts_tech_of_world(const kn_world *world);
// Registers the gates, and the rules that follow from definitions.
kn_result knc_rts_tech_expand(kn_library *library, tech_kit *kit, kn_error *error);
void knc_rts_missing_add(kn_order_errors *errors, kn_tag tag);
void knc_rts_blocking_add(kn_order_errors *errors, kn_tag tag);

// rts_tech_def.c
kn_result knc_rts_tech_kinds_register(kn_library *library, tech_kit *kit, kn_error *error);
void knc_rts_tech_plans_release(tech_kit *kit);
// Null for other products.
kn_rts_upgrade_id knc_rts_upgrade_of(const tech_kit *kit, kn_product_id product);

// rts_tech_requirement.c
typedef struct tech_question {
    kn_tags required, blocked;
    const kn_tag_query *query;
} tech_question;
bool knc_rts_tech_holds(const kn_world *world, kn_entity_id player, const tech_question *question,
    kn_order_errors *errors);
// All requirements for something, at a level of it; every reason is added.
bool knc_rts_tech_meets(const kn_world *world, kn_entity_id player, tech_what what, uint32_t index1,
    uint32_t level, kn_order_errors *errors);
bool knc_rts_tech_order_gate(void *user, const kn_world *world, kn_entity_id unit,
    kn_order_type_id type, int32_t index, kn_order_errors *errors);

// rts_tech_upgrade.c
kn_result knc_rts_upgrades_register(kn_library *library, tech_kit *kit, kn_error *error);
void knc_rts_upgrade_quote(
    const kn_world *world, const kn_product_case *one, kn_product_terms *terms);
kn_result knc_rts_upgrade_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer);
void knc_rts_upgrade_note(kn_world *world, const kn_product_case *one, kn_product_stage stage);
// Cancels all research in the queue of a building.
void knc_rts_research_leave(kn_world *world, kn_entity_id building);

// rts_tech_population.c
kn_result knc_rts_population_state_register(kn_library *library, tech_kit *kit, kn_error *error);
kn_result knc_rts_population_expand(kn_library *library, tech_kit *kit, kn_error *error);
kn_result knc_rts_population_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer);
bool knc_rts_population_may_begin(const kn_world *world, const kn_product_case *one);
void knc_rts_population_note(kn_world *world, const kn_product_case *one, kn_product_stage stage);
// Gives back what is reserved for a new entity, which counts by itself from now on.
void knc_rts_birth_end(kn_world *world, kn_entity_id unit);
// Adds to the base of an attribute of a player; returns what was really added.
float knc_rts_base_add(
    kn_world *world, kn_entity_id player, kn_attribute_id attribute, float amount);

// rts_tech_unit.c: what units give their owners.
kn_result knc_rts_gifts_register(kn_library *library, tech_kit *kit, kn_error *error);
kn_result knc_rts_gifts_expand(kn_library *library, tech_kit *kit, kn_error *error);

// rts_tech_script.c
kn_result knc_rts_tech_functions_register(kn_library *library, tech_kit *kit, kn_error *error);

#endif
