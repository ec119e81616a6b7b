// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about teams and vision. All of them have the arguments of one struct, of
// which each names those it takes.

#include "script_parts.h"
#include "team_parts.h"

typedef struct team_args {
    kn_entity_id entity;
    kn_entity_id other;
    kn_vec3 place;
    uint32_t team;
    kn_rts_stance stance;
    bool flag;
} team_args;

#define ARG_OF(name_, member, kind_, of_, text_)                                                   \
    {                                                                                              \
        name_, (uint8_t)(kind_), 0, (uint32_t)offsetof(team_args, member), 1, 0, NULL, NULL, of_,  \
            text_                                                                                  \
    }
#define ARG(name_, member, kind_, text_) ARG_OF(name_, member, kind_, NULL, text_)
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, NULL)
#define OTHER(text_) ARG("other", other, KN_FIELD_ENTITY, text_)

static const kn_def_field self_args[] = {SELF};
static const kn_def_field other_args[] = {SELF, OTHER("The other one.")};
static const kn_def_field team_fields[] = {
    SELF, ARG("team", team, KN_FIELD_U32, "Any number; 0: no team.")};
static const kn_def_field stance_args[] = {SELF, OTHER("The other player."),
    ARG_OF("stance", stance, KN_DEF_FIELD_ENUM, "rts_stance", "How it stands to the other.")};
static const kn_def_field sharing_args[] = {SELF, OTHER("The player who sees it, too."),
    ARG("shares", flag, KN_FIELD_BOOL, "Whether it sees it; default true.")};
static const kn_def_field place_args[] = {SELF, ARG("place", place, KN_FIELD_VEC3, "The place.")};

#define ONE_RESULT(name, type, kind, of)                                                           \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, of, NULL}};                               \
    static const kn_def_table name##_result = {                                                    \
        #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(value, float, KN_FIELD_F32, NULL);
ONE_RESULT(count, uint32_t, KN_FIELD_U32, NULL);
ONE_RESULT(flag, bool, KN_FIELD_BOOL, NULL);
ONE_RESULT(player, kn_entity_id, KN_FIELD_ENTITY, NULL);
ONE_RESULT(stance, kn_rts_stance, KN_DEF_FIELD_ENUM, "rts_stance");

typedef struct seen_info {
    kn_vec3 position;
    uint32_t is_known;
    kn_time time;
} seen_info;

static const kn_def_field seen_fields[] = {
    KN_DEF_F(seen_info, is_known, KN_FIELD_U32, "1: it is seen or remembered; 0: neither."),
    KN_DEF_F(seen_info, position, KN_FIELD_VEC3, "Where it was."),
    KN_DEF_F(seen_info, time, KN_FIELD_TIME, "When it went out of sight; now while it is seen."),
};
static const kn_def_table seen_result = {
    "rts_seen_info", sizeof(seen_info), seen_fields, COUNT(seen_fields), NULL};

// Reading ---------------------------------------------------------------------------

#define READS(name, type, expression)                                                              \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const team_args *a = call->arguments;                                                      \
        (void)user;                                                                                \
        *(type *)call->results = expression;                                                       \
        return KN_OK;                                                                              \
    }
READS(player_get, kn_entity_id, kn_rts_player_of(call->world, a->entity))
READS(team_get, uint32_t, kn_rts_team_of(call->world, a->entity))
READS(stance_get, kn_rts_stance, kn_rts_get_stance(call->world, a->entity, a->other))
READS(shares_get, bool, kn_rts_shares_vision(call->world, a->entity, a->other))
READS(is_visible, bool, kn_rts_is_visible(call->world, a->entity, a->other))
READS(sees_place, bool, kn_rts_sees_place(call->world, a->entity, a->place))
READS(sight_get, float, kn_rts_sight(call->world, a->entity))
READS(ghosts_get, uint32_t, kn_rts_ghosts(call->world, a->entity, NULL, 0))

static kn_result last_seen(void *user, const kn_function_call *call)
{
    const team_args *a = call->arguments;
    kn_rts_ghost ghost;
    (void)user;
    const bool is_known = kn_rts_last_seen(call->world, a->entity, a->other, &ghost);
    *(seen_info *)call->results = (seen_info){ghost.position, is_known, ghost.time};
    return KN_OK;
}

// Changing --------------------------------------------------------------------------

#define CHANGES(name, expression)                                                                  \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const team_args *a = call->arguments;                                                      \
        kn_world *world = call->writable;                                                          \
        (void)user;                                                                                \
        return expression;                                                                         \
    }
CHANGES(player_add, kn_rts_player_add(world, a->entity))
CHANGES(team_set, kn_rts_player_set_team(world, a->entity, a->team))
CHANGES(stance_set, kn_rts_set_stance(world, a->entity, a->other, a->stance))
CHANGES(mutual_set, kn_rts_set_mutual_stance(world, a->entity, a->other, a->stance))
CHANGES(stance_clear, kn_rts_clear_stance(world, a->entity, a->other))
CHANGES(shares_set, kn_rts_set_shares_vision(world, a->entity, a->other, a->flag))
CHANGES(vision_add, kn_rts_vision_add(world, a->entity))
CHANGES(vision_remove, kn_rts_vision_remove(world, a->entity))

static void args_init(void *arguments)
{
    *(team_args *)arguments = (team_args){.flag = true};
}

kn_result knc_rts_team_functions_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_player", "The player that an entity belongs to; null for none.", player_get,
            ARGS(self_args, 1), &player_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_team", "The team of the player that an entity belongs to; 0 for none.",
            team_get, ARGS(self_args, 1), &count_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_stance", "How the player of an entity stands to that of another.", stance_get,
            ARGS(other_args, 2), &stance_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_shares_vision", "Whether a player lets another one see what it sees.",
            shares_get, ARGS(other_args, 2), &flag_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_is_visible", "Whether the player of the entity sees the other.", is_visible,
            ARGS(other_args, 2), &flag_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_sees_place", "Whether the player of the entity sees a place.", sees_place,
            ARGS(place_args, 2), &flag_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_sight", "How far a unit sees; 0 without vision.", sight_get,
            ARGS(self_args, 1), &value_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_ghosts", "How many units a player remembers and does not see.", ghosts_get,
            ARGS(self_args, 1), &count_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_last_seen", "Where the player of the entity saw another unit last.", last_seen,
            ARGS(other_args, 2), &seen_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_add_player", "Makes an entity a player.", player_add, ARGS(self_args, 1), NULL,
            KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_team", "Puts a player into a team.", team_set, ARGS(team_fields, 2), NULL,
            KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_stance", "Sets how a player stands to another.", stance_set,
            ARGS(stance_args, 3), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_mutual_stance", "Sets how two players stand to each other.", mutual_set,
            ARGS(stance_args, 3), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_clear_stance", "Lets teams and rules decide again how a player stands.",
            stance_clear, ARGS(other_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_set_shares_vision", "Lets a player see what another one sees, or not.",
            shares_set, ARGS(sharing_args, 2), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_add_vision", "Gives an entity vision: it looks, and is hidden by fog.",
            vision_add, ARGS(self_args, 1), NULL, KN_FUNCTION_VALUES, 0},
        {"entity:rts_remove_vision", "Takes vision from an entity: everybody sees it.",
            vision_remove, ARGS(self_args, 1), NULL, KN_FUNCTION_VALUES, 0},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(team_args), args_init, error);
}
