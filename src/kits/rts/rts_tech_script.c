// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about upgrades, requirements, population and resources.

#include "script_parts.h"
#include "tech_parts.h"

typedef struct tech_args {
    kn_entity_id entity;
    kn_entity_id other;
    kn_rts_upgrade_id upgrade;
    kn_rts_requirement_id requirement;
    kn_attribute_id attribute;
    float number;
    int32_t whole;
} tech_args;

#define ARG(name_, member, kind_, of_, text_)                                                      \
    {                                                                                              \
        name_, (uint8_t)(kind_), 0, (uint32_t)offsetof(tech_args, member), 1, 0, NULL, NULL, of_,  \
            text_                                                                                  \
    }
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, NULL, NULL)
#define UPGRADE ARG("upgrade", upgrade, KN_DEF_FIELD_REF, "rts upgrade", "The upgrade.")
#define ATTRIBUTE ARG("attribute", attribute, KN_FIELD_ATTRIBUTE, NULL, "What is paid with.")
#define AMOUNT ARG("amount", number, KN_FIELD_F32, NULL, "How much.")

static const kn_def_field self_args[] = {SELF};
static const kn_def_field upgrade_args[] = {SELF, UPGRADE};
static const kn_def_field set_args[] = {
    SELF, UPGRADE, ARG("level", whole, KN_FIELD_I32, NULL, "The new level; 0: none.")};
static const kn_def_field requirement_args[] = {
    SELF, ARG("requirement", requirement, KN_DEF_FIELD_REF, "rts requirement", "The requirement.")};
static const kn_def_field pay_args[] = {SELF, ATTRIBUTE, AMOUNT};
static const kn_def_field transfer_args[] = {
    SELF, ARG("to", other, KN_FIELD_ENTITY, NULL, "Who gets it."), ATTRIBUTE, AMOUNT};

#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result = {                                                    \
        #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(count, uint32_t, KN_FIELD_U32);
ONE_RESULT(flag, bool, KN_FIELD_BOOL);

typedef struct research_result {
    uint32_t why_not, level, max_level;
    float seconds;
} research_result;

static const char *const why_words[] = {
    "not_here", "at_maximum", "runs", "requirement", "cost", "queue", "other"};
static const kn_def_field research_fields[] = {
    KN_DEF_F_FLAGS(research_result, why_not, why_words,
        "The first reason why it cannot be researched; nil: it can be."),
    KN_DEF_F(research_result, level, KN_FIELD_U32, "The level that the player has."),
    KN_DEF_F(research_result, max_level, KN_FIELD_U32, "Highest level of the upgrade."),
    KN_DEF_F(research_result, seconds, KN_FIELD_F32, "Time to research the next level."),
};
static const kn_def_table research_table = {
    "rts_research", sizeof(research_result), research_fields, COUNT(research_fields), NULL};

static const kn_def_field population_fields[] = {
    KN_DEF_F(kn_rts_population_info, used, KN_FIELD_F32, "By units and products in work."),
    KN_DEF_F(kn_rts_population_info, cap, KN_FIELD_F32, "For how much there is room in all."),
    KN_DEF_F(kn_rts_population_info, room, KN_FIELD_F32, "What is left, 0 or more."),
};
static const kn_def_table population_table = {"rts_population", sizeof(kn_rts_population_info),
    population_fields, COUNT(population_fields), NULL};

// Reading ---------------------------------------------------------------------------

static kn_result level_get(void *user, const kn_function_call *call)
{
    const tech_args *a = call->arguments;
    (void)user;
    *(uint32_t *)call->results = kn_rts_upgrade_level_of(call->world, a->entity, a->upgrade);
    return KN_OK;
}

static kn_result meets(void *user, const kn_function_call *call)
{
    const tech_args *a = call->arguments;
    (void)user;
    *(bool *)call->results = kn_rts_requirement_check(call->world, a->entity, a->requirement, NULL);
    return KN_OK;
}

static kn_result population_get(void *user, const kn_function_call *call)
{
    const tech_args *a = call->arguments;
    (void)user;
    (void)kn_rts_population(call->world, a->entity, call->results);
    return KN_OK;
}

static kn_result research_get(void *user, const kn_function_call *call)
{
    const tech_args *a = call->arguments;
    research_result *out = call->results;
    kn_rts_research_info info;
    (void)user;
    (void)kn_rts_can_research(call->world, a->entity, a->upgrade, &info);
    out->why_not = info.why_not;
    out->level = info.level;
    out->max_level = info.max_level;
    out->seconds = (float)info.terms.time / 1e6f;
    return KN_OK;
}

// Changing --------------------------------------------------------------------------

#define CHANGES(name, expression)                                                                  \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const tech_args *a = call->arguments;                                                      \
        kn_world *world = call->writable;                                                          \
        (void)user;                                                                                \
        return expression;                                                                         \
    }
CHANGES(upgrade_set,
    kn_rts_set_upgrade(world, a->entity, a->upgrade, a->whole > 0 ? (uint32_t)a->whole : 0))
CHANGES(research, kn_rts_research(world, a->entity, a->upgrade))
CHANGES(cancel, kn_rts_cancel_research(world, a->entity, a->upgrade))
CHANGES(transfer, kn_rts_transfer(world, a->entity, a->other, a->attribute, a->number))

static kn_result pay(void *user, const kn_function_call *call)
{
    const tech_args *a = call->arguments;
    const kn_product_cost cost = {a->attribute, a->number};
    (void)user;
    return kn_rts_pay(call->writable, a->entity, &cost, 1);
}

kn_result knc_rts_tech_functions_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_upgrade_level", "The level of an upgrade of a player; 0 without it.",
            level_get, ARGS(upgrade_args, COUNT(upgrade_args)), &count_result, KN_FUNCTION_VALUES,
            0},
        {"entity:rts_meets", "Whether a player meets a requirement.", meets,
            ARGS(requirement_args, COUNT(requirement_args)), &flag_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_population", "The population of a player.", population_get,
            ARGS(self_args, COUNT(self_args)), &population_table, KN_FUNCTION_TABLE, 0},
        {"entity:rts_research_info",
            "Whether a building can research the next level of an upgrade, and why not.",
            research_get, ARGS(upgrade_args, COUNT(upgrade_args)), &research_table,
            KN_FUNCTION_TABLE, 0},
        {"entity:rts_set_upgrade", "Sets the level of an upgrade of a player without a price.",
            upgrade_set, ARGS(set_args, COUNT(set_args)), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_research", "Puts the next level of an upgrade into the queue of a building.",
            research, ARGS(upgrade_args, COUNT(upgrade_args)), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_cancel_research", "Cancels the research of an upgrade of a player.", cancel,
            ARGS(upgrade_args, COUNT(upgrade_args)), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_pay", "Takes a price from a player: all of it, or nothing.", pay,
            ARGS(pay_args, COUNT(pay_args)), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_transfer", "Gives something of a player to another one.", transfer,
            ARGS(transfer_args, COUNT(transfer_args)), NULL, KN_FUNCTION_VALUES, 0},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(tech_args), NULL, error);
}
