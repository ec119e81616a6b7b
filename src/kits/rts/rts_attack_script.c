// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about weapons, damage and projectiles. All of them have the arguments of
// one struct, of which each names those it takes.

#include "attack_parts.h"
#include "script_parts.h"

typedef struct attack_args {
    kn_entity_id entity, target;
    kn_rts_weapon_id weapon;
    float amount;
    kn_tag type;
    kn_vec3 location;
} attack_args;

#define ARG(name_, member, kind_, of_, text_)                                                      \
    {                                                                                              \
        name_, (uint8_t)(kind_), 0, (uint32_t)offsetof(attack_args, member), 1, 0, NULL, NULL,     \
            of_, text_                                                                             \
    }
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, NULL, NULL)
#define WEAPON ARG("weapon", weapon, KN_DEF_FIELD_REF, "rts weapon", "The weapon.")
#define TARGET ARG("target", target, KN_FIELD_ENTITY, NULL, "The target.")

static const kn_def_field self_args[] = {SELF};
static const kn_def_field weapon_args[] = {SELF, WEAPON};
static const kn_def_field target_args[] = {SELF, TARGET};
static const kn_def_field damage_args[] = {SELF, TARGET,
    ARG("amount", amount, KN_FIELD_F32, NULL, "How much, before its multiplier."),
    ARG("type", type, KN_FIELD_TAG, NULL, "Type of the damage; default none.")};
static const kn_def_field launch_args[] = {SELF, WEAPON,
    ARG("target", target, KN_FIELD_ENTITY, NULL, "What it is aimed at; default a point."),
    ARG("amount", amount, KN_FIELD_F32, NULL, "Its damage; default as the weapon says."),
    ARG("location", location, KN_FIELD_VEC3, NULL, "The point, without a target.")};

#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result = {                                                    \
        #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(damage, float, KN_FIELD_F32);
ONE_RESULT(doomed, bool, KN_FIELD_BOOL);
ONE_RESULT(position, kn_vec3, KN_FIELD_VEC3);
ONE_RESULT(projectile, kn_entity_id, KN_FIELD_ENTITY);

static const kn_def_field dealt_fields[] = {
    KN_DEF_F(kn_rts_damage, asked, KN_FIELD_F32, "With the multiplier of the source."),
    KN_DEF_F(kn_rts_damage, mitigated, KN_FIELD_F32, "What was taken away from it."),
    KN_DEF_F(kn_rts_damage, absorbed, KN_FIELD_F32, "What was kept from health."),
    KN_DEF_F(kn_rts_damage, overkill, KN_FIELD_F32, "What there was no health for."),
    KN_DEF_F(kn_rts_damage, dealt, KN_FIELD_F32, "Health that it took."),
};
static const kn_def_table dealt_result = {
    "rts_damage", sizeof(kn_rts_damage), dealt_fields, COUNT(dealt_fields), NULL};

static const char *const phase_words[] = {"idle", "windup", "backswing"};
static const kn_def_field weapon_result_fields[] = {
    KN_DEF_F_KIND(kn_rts_weapon_info, weapon, "rts weapon", "The weapon."),
    KN_DEF_F(kn_rts_weapon_info, ability, KN_FIELD_ABILITY, "The ability that it gives."),
    KN_DEF_F_ENUM(kn_rts_weapon_info, phase, phase_words, "What it is doing."),
    KN_DEF_F(kn_rts_weapon_info, target, KN_FIELD_ENTITY, "Its target, or the last one."),
    KN_DEF_F(kn_rts_weapon_info, remaining, KN_FIELD_TIME, "Of its cooldown; 0: ready."),
    KN_DEF_F(kn_rts_weapon_info, cooldown, KN_FIELD_TIME, "Whole length of its cooldown."),
};
static const kn_def_table weapon_result = {"rts_weapon_info", sizeof(kn_rts_weapon_info),
    weapon_result_fields, COUNT(weapon_result_fields), NULL};

static void args_init(void *arguments)
{
    attack_args *a = arguments;
    a->amount = -1.0f;
}

// Reading -------------------------------------------------------------------------------

static kn_result weapons_list(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    kn_rts_weapon_info weapons[16];
    (void)user;
    uint32_t count = kn_rts_weapons(call->world, a->entity, weapons, COUNT(weapons));
    for (uint32_t i = 0; i < count && i < COUNT(weapons); i++) {
        kn_function_add(call, &weapons[i]);
    }
    return KN_OK;
}

static kn_result pending_get(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    *(float *)call->results = kn_rts_pending_damage(call->world, a->entity);
    return KN_OK;
}

static kn_result doomed_get(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    *(bool *)call->results = kn_rts_is_doomed(call->world, a->entity);
    return KN_OK;
}

static kn_result position_get(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    return kn_rts_projectile_position(call->world, a->entity, call->results) ? KN_OK
                                                                             : KN_REFUSED_NOT_FOUND;
}

static kn_rts_damage_def damage_def(const attack_args *a)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    def.source = a->entity;
    def.target = a->target;
    def.amount = a->amount;
    def.type = a->type;
    return def;
}

static kn_result damage_quote(void *user, const kn_function_call *call)
{
    const kn_rts_damage_def def = damage_def(call->arguments);
    (void)user;
    return kn_rts_damage_quote(call->world, &def, call->results);
}

// Changing ------------------------------------------------------------------------------

static kn_result weapon_add(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    return kn_rts_weapon_add(call->writable, a->entity, a->weapon);
}

static kn_result weapon_remove(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    return kn_rts_weapon_remove(call->writable, a->entity, a->weapon);
}

static kn_result attack(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    (void)user;
    return kn_rts_attack(call->writable, a->entity, a->target);
}

static kn_result damage_deal(void *user, const kn_function_call *call)
{
    const kn_rts_damage_def def = damage_def(call->arguments);
    (void)user;
    return kn_rts_damage_deal(call->writable, &def, call->results);
}

static kn_result launch(void *user, const kn_function_call *call)
{
    const attack_args *a = call->arguments;
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    (void)user;
    def.source = a->entity;
    def.weapon = a->weapon;
    def.target = a->target;
    def.amount = a->amount;
    def.to = a->location;
    return kn_rts_projectile_launch(call->writable, &def, call->results);
}

kn_result knc_rts_attack_functions_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_weapons", "The weapons of an entity, at most 16.", weapons_list,
            ARGS(self_args, 1), &weapon_result, KN_FUNCTION_LIST, 0},
        {"entity:rts_add_weapon", "Gives a weapon to an entity.", weapon_add, ARGS(weapon_args, 2),
            NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_remove_weapon", "Takes a weapon from an entity.", weapon_remove,
            ARGS(weapon_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_attack", "Attacks now, with the first weapon that can.", attack,
            ARGS(target_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_deal_damage", "Deals damage to somebody.", damage_deal, ARGS(damage_args, 3),
            &dealt_result, KN_FUNCTION_TABLE, MAY_CHANGE},
        {"entity:rts_quote_damage", "What damage to somebody would do now.", damage_quote,
            ARGS(damage_args, 3), &dealt_result, KN_FUNCTION_TABLE, KN_FUNCTION_REFUSES},
        {"entity:rts_launch", "Launches a projectile of a weapon; nil if it arrives at once.",
            launch, ARGS(launch_args, 2), &projectile_result, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_projectile_position", "Where a projectile is now.", position_get,
            ARGS(self_args, 1), &position_result, KN_FUNCTION_VALUES, KN_FUNCTION_REFUSES},
        {"entity:rts_pending_damage",
            "Damage that projectiles on their way are expected to deal to an entity.", pending_get,
            ARGS(self_args, 1), &damage_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_is_doomed", "Whether projectiles on their way will take all of its health.",
            doomed_get, ARGS(self_args, 1), &doomed_result, KN_FUNCTION_VALUES, 0},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(attack_args), args_init, error);
}
