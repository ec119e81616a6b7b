// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about units, levels and ability points. All of them have the arguments of
// one struct, of which each names those it takes.

#include "script_parts.h"

typedef struct unit_args {
    kn_entity_id entity;
    kn_entity_id other;
    kn_ability_type_id ability;
    float number;
    int32_t whole;
    bool flag;
} unit_args;

#define ARG(name_, member, kind_, limit_, text_)                                                   \
    {                                                                                              \
        name_, (uint8_t)(kind_), (uint32_t)(limit_), (uint32_t)offsetof(unit_args, member), 1, 0,  \
            NULL, NULL, NULL, text_                                                                \
    }
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, 0, NULL)
#define ABILITY ARG("ability", ability, KN_DEF_FIELD_REF, KN_DEF_ABILITY, "The ability.")

static const kn_def_field self_args[] = {SELF};
static const kn_def_field ability_args[] = {SELF, ABILITY};
static const kn_def_field raise_args[] = {SELF, ABILITY,
    ARG("is_free", flag, KN_FIELD_BOOL, 0, "It costs no ability point; default false.")};
static const kn_def_field number_args[] = {
    SELF, ARG("amount", number, KN_FIELD_F32, 0, "How much.")};
static const kn_def_field whole_args[] = {
    SELF, ARG("number", whole, KN_FIELD_I32, 0, "The new number.")};
static const kn_def_field killer_args[] = {
    SELF, ARG("killer", other, KN_FIELD_ENTITY, 0,
              "Who gets the credit; default: who is behind it by the chain of causes.")};

#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result = {                                                    \
        #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(value, float, KN_FIELD_F32);
ONE_RESULT(count, uint32_t, KN_FIELD_U32);
ONE_RESULT(flag, bool, KN_FIELD_BOOL);

static const char *const why_words[] = {
    "no_unit", "not_its", "no_points", "at_maximum", "level_too_low", "no_technology"};
static const kn_def_field learn_fields[] = {
    KN_DEF_F_FLAGS(kn_rts_learn_info, why_not, why_words,
        "Why it cannot be learned or raised; empty if it can."),
    KN_DEF_F(kn_rts_learn_info, level, KN_FIELD_U32, "Its level now; 0: not learned."),
    KN_DEF_F(kn_rts_learn_info, max_level, KN_FIELD_U32, "Its highest level."),
    KN_DEF_F(kn_rts_learn_info, required_level, KN_FIELD_U32,
        "Level that the unit needs for the next one."),
};
static const kn_def_table learn_result = {
    "rts_learn_info", sizeof(kn_rts_learn_info), learn_fields, COUNT(learn_fields), NULL};

// Reading ---------------------------------------------------------------------------

#define READS(name, type, expression)                                                              \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const unit_args *a = call->arguments;                                                      \
        (void)user;                                                                                \
        *(type *)call->results = expression;                                                       \
        return KN_OK;                                                                              \
    }
READS(level_get, uint32_t, kn_rts_level(call->world, a->entity))
READS(experience_get, float, kn_rts_experience(call->world, a->entity))
READS(progress_get, float, kn_rts_level_progress(call->world, a->entity))
READS(granted_get, float, kn_rts_granted_experience(call->world, a->entity))
READS(points_get, uint32_t, kn_rts_points(call->world, a->entity))
READS(is_dead, bool, kn_rts_is_dead(call->world, a->entity))
READS(ability_level, uint32_t, kn_rts_ability_level_of(call->world, a->entity, a->ability))

static kn_result learn_info(void *user, const kn_function_call *call)
{
    const unit_args *a = call->arguments;
    (void)user;
    (void)kn_rts_can_learn(call->world, a->entity, a->ability, call->results);
    return KN_OK;
}

// Changing --------------------------------------------------------------------------

#define CHANGES(name, expression)                                                                  \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const unit_args *a = call->arguments;                                                      \
        kn_world *world = call->writable;                                                          \
        (void)user;                                                                                \
        return expression;                                                                         \
    }
CHANGES(experience_add, kn_rts_add_experience(world, a->entity, a->number))
CHANGES(granted_set, kn_rts_set_granted_experience(world, a->entity, a->number))
CHANGES(level_set, kn_rts_set_level(world, a->entity, a->whole))
CHANGES(points_set, kn_rts_set_points(world, a->entity, a->whole > 0 ? (uint32_t)a->whole : 0))
CHANGES(learn, kn_rts_learn(world, a->entity, a->ability))
CHANGES(raise, kn_rts_raise_ability(world, a->entity, a->ability, !a->flag))
CHANGES(refund, kn_rts_refund_ability(world, a->entity, a->ability))
CHANGES(reset, kn_rts_reset_abilities(world, a->entity))
CHANGES(kill, kn_rts_kill(world, a->entity, a->other))

kn_result knc_rts_functions_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_level", "The level of a unit; 0 for entities that are not units.", level_get,
            ARGS(self_args, 1), &count_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_experience", "All experience that a unit has collected.", experience_get,
            ARGS(self_args, 1), &value_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_level_progress", "How much of the present level is done, 0 to 1.",
            progress_get, ARGS(self_args, 1), &value_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_granted_experience", "Experience for killing a unit.", granted_get,
            ARGS(self_args, 1), &value_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_points", "Free ability points of a unit.", points_get, ARGS(self_args, 1),
            &count_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_is_dead", "Whether a unit has died and does not live again.", is_dead,
            ARGS(self_args, 1), &flag_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_ability_level", "The level of an ability; 0 without it.", ability_level,
            ARGS(ability_args, 2), &count_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_learn_info", "Whether a unit can learn or raise an ability, and why not.",
            learn_info, ARGS(ability_args, 2), &learn_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_add_experience", "Gives experience to a unit.", experience_add,
            ARGS(number_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_granted_experience", "Sets what killing a unit gives from now on.",
            granted_set, ARGS(number_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_level", "Sets the level of a unit, and its experience with it.", level_set,
            ARGS(whole_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_points", "Sets the free ability points of a unit.", points_set,
            ARGS(whole_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_learn", "Learns or raises an ability for a point, if the unit may.", learn,
            ARGS(ability_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_raise", "Raises an ability, whatever the level of the unit.", raise,
            ARGS(raise_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_refund", "Takes back one level of an ability that was paid for.", refund,
            ARGS(ability_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_reset", "Takes back all levels of abilities that were paid for.", reset,
            ARGS(self_args, 1), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_kill", "Lets a unit die.", kill, ARGS(killer_args, 1), NULL,
            KN_FUNCTION_VALUES, 0},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(unit_args), NULL, error);
}

kn_result knc_rts_functions_add(kn_library *library, const function_row *rows, uint32_t count,
    uint32_t size, void (*init)(void *arguments), kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        const function_row *row = &rows[i];
        const kn_def_table arguments = {"arguments", size, row->fields, row->field_count, init};
        kn_function_def def = kn_function_def_default();
        def.name = row->name;
        def.text = row->text;
        def.arguments = &arguments;
        def.required = row->required;
        def.results = row->results;
        def.form = row->form;
        def.flags = row->flags | (row->results == NULL ? MAY_CHANGE : 0);
        def.function = row->function;
        result = kn_function_register(library, &def, error);
    }
    return result;
}
