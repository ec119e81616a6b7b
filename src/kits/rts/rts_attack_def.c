// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of weapons and attack modifiers.

#include "attack_parts.h"

#include <math.h>
#include <stdlib.h>

#define WEAPON_COOKIE 0x57454150u
#define MODIFIER_COOKIE 0x4d4f4449u
#define NOT_FRIENDS (KN_ORDER_HOSTILE | KN_ORDER_NEUTRAL)
#define RELATIONS (KN_ORDER_FRIENDLY | KN_ORDER_HOSTILE | KN_ORDER_NEUTRAL | KN_ORDER_SELF)
#define TIME_MAX KN_S(1000000)

static const char *const kind_words[] = {"melee", "ranged"};
static const char *const guide_words[] = {"homing", "timed", "location"};
static const char *const lost_words[] = {"vanishes", "lands", "turns"};
static const char *const shape_words[] = {"none", "circle", "cone", "line"};
static const char *const relation_words[] = {"friendly", "hostile", "neutral", "self"};

// Weapons -------------------------------------------------------------------------------

static kn_rts_splash splash_default(void)
{
    kn_rts_splash splash = {.width = 1.0f,
        .cos_half_angle = 0.5f,
        .share = 1.0f,
        .relations = NOT_FRIENDS,
        .lands = true};
    return splash;
}

kn_rts_weapon_def kn_rts_weapon_def_default(void)
{
    kn_rts_weapon_def def = {
        .range_slack = 1.0f,
        .relations = NOT_FRIENDS,
        .needs_sight = true,
        .critical_factor = kn_magnitude_constant(2.0f),
        .evadable = true,
        .splash = splash_default(),
        .bounce = {.share = 1.0f},
        .hit_radius = 0.5f,
        .is_blockable = true,
        .cookie = WEAPON_COOKIE,
    };
    return def;
}

static void splash_init(void *def)
{
    *(kn_rts_splash *)def = splash_default();
}

static void bounce_init(void *def)
{
    *(kn_rts_bounce *)def = (kn_rts_bounce){.share = 1.0f};
}

static void weapon_init(void *def)
{
    *(kn_rts_weapon_def *)def = kn_rts_weapon_def_default();
}

static const kn_def_field splash_fields[] = {
    KN_DEF_F_ENUM(kn_rts_splash, shape, shape_words,
        "Its area: `circle` around the hit, `cone` or `line` from the attacker to the hit; default "
        "none."),
    KN_DEF_F(kn_rts_splash, radius, KN_FIELD_F32,
        "Radius of a circle, length of a cone or line; default 0."),
    KN_DEF_F(kn_rts_splash, width, KN_FIELD_F32, "Width of a line; default 1."),
    KN_DEF_F(kn_rts_splash, cos_half_angle, KN_FIELD_F32,
        "Of a cone: cosine of the angle to each side, -1 to 1; default 0.5."),
    KN_DEF_F(kn_rts_splash, share, KN_FIELD_F32,
        "Share of the damage that others get, 0 or more; default 1."),
    KN_DEF_F_REF(kn_rts_splash, falloff, KN_DEF_CURVE,
        "Curve by which the share is multiplied, looked up at the distance from the hit, or from "
        "where a cone or line begins; default none."),
    KN_DEF_F_FLAGS(kn_rts_splash, relations, relation_words,
        "Who is hit, as seen by the attacker; default hostile and neutral."),
    KN_DEF_F_PART(kn_rts_splash, tags, "kn_tag_requirement",
        "Tags that those who are hit must have, or must not have; default any."),
    KN_DEF_F(
        kn_rts_splash, limit, KN_FIELD_U32, "Most who are hit; default 0: any number, up to 256."),
    KN_DEF_F(kn_rts_splash, lands, KN_FIELD_BOOL,
        "Projectiles deal it where they end without a hit, too; default true."),
};
static const kn_def_table splash_table = {
    "rts_splash", sizeof(kn_rts_splash), splash_fields, COUNT(splash_fields), splash_init};

static const kn_def_field bounce_fields[] = {
    KN_DEF_F(kn_rts_bounce, count, KN_FIELD_U32, "How often, at most 16; default 0."),
    KN_DEF_F(kn_rts_bounce, radius, KN_FIELD_F32,
        "How far the next one may be from the last; default 0."),
    KN_DEF_F(kn_rts_bounce, share, KN_FIELD_F32,
        "Share of the damage that is left each time, 0 or more; default 1."),
    KN_DEF_F(kn_rts_bounce, may_return, KN_FIELD_BOOL,
        "It may hit the same one again, but not twice in a row; default false."),
};
static const kn_def_table bounce_table = {
    "rts_bounce", sizeof(kn_rts_bounce), bounce_fields, COUNT(bounce_fields), bounce_init};

static const kn_def_field weapon_fields[] = {
    KN_DEF_F(kn_rts_weapon_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_weapon_def, tag, KN_DEF_TAG,
        "Entities with this tag have the weapon; default: by call alone."),
    KN_DEF_F_ENUM(kn_rts_weapon_def, kind, kind_words,
        "How it reaches its target: `melee` strikes, `ranged` launches a projectile; default "
        "melee."),
    KN_DEF_F_REF(kn_rts_weapon_def, damage_attribute, KN_DEF_ATTRIBUTE,
        "Attribute of the bearer that is its damage; default `Knack.Rts.Attack.Damage`."),
    KN_DEF_F_REF(kn_rts_weapon_def, cooldown_attribute, KN_DEF_ATTRIBUTE,
        "Attribute of the bearer that is its cooldown in seconds; default "
        "`Knack.Rts.Attack.Cooldown`."),
    KN_DEF_F_REF(kn_rts_weapon_def, range_attribute, KN_DEF_ATTRIBUTE,
        "Attribute of the bearer that is its range; default `Knack.Rts.Attack.Range`."),
    KN_DEF_F(kn_rts_weapon_def, range_slack, KN_FIELD_F32,
        "How much further the target may be, at the strike too; default 1."),
    KN_DEF_F(kn_rts_weapon_def, windup, KN_FIELD_TIME,
        "Seconds from the beginning to the strike or launch; default 0."),
    KN_DEF_F(kn_rts_weapon_def, backswing, KN_FIELD_TIME,
        "Seconds from there to the end of the attack; default 0."),
    KN_DEF_F_REF(kn_rts_weapon_def, damage_type, KN_DEF_TAG,
        "Type of its damage, for `rts_damage_tables`; default none."),
    KN_DEF_F(kn_rts_weapon_def, spread, KN_FIELD_F32,
        "Its damage varies by up to this share of it, 0 to 1; default 0."),
    KN_DEF_F_FLAGS(kn_rts_weapon_def, relations, relation_words,
        "Which targets it may attack, as seen by its bearer; default hostile and neutral."),
    KN_DEF_F(kn_rts_weapon_def, needs_sight, KN_FIELD_BOOL,
        "Its bearer must see the target; default true."),
    KN_DEF_F_PART(kn_rts_weapon_def, target, "kn_tag_requirement",
        "Tags that a target must have, or must not have; default any."),
    KN_DEF_F_PART(kn_rts_weapon_def, activation, "kn_tag_requirement",
        "Tags that its bearer must have, or must not have, to attack; default any."),
    KN_DEF_F(kn_rts_weapon_def, ability_tags, KN_DEF_FIELD_TAGS,
        "Tags of its ability beside `Knack.Ability.Attack`."),
    KN_DEF_F_PARTS(
        kn_rts_weapon_def, costs, cost_count, "kn_cost_def", "What an attack costs; default none."),
    KN_DEF_F_PART(kn_rts_weapon_def, critical_chance, "kn_magnitude",
        "Chance of a critical hit, 0 to 1; default 0."),
    KN_DEF_F_PART(kn_rts_weapon_def, critical_factor, "kn_magnitude",
        "Factor of the damage of a critical hit; default 2."),
    KN_DEF_F(kn_rts_weapon_def, evadable, KN_FIELD_BOOL, "Targets may evade it; default true."),
    KN_DEF_F_PART(kn_rts_weapon_def, life_steal, "kn_magnitude",
        "Share of the damage dealt that heals its bearer; default 0."),
    KN_DEF_F_REFS(kn_rts_weapon_def, effects, effect_count, KN_DEF_EFFECT,
        "Effects that are applied to who is hit, without splash."),
    KN_DEF_F_STRUCT(kn_rts_weapon_def, splash, &splash_table, "Damage to others around."),
    KN_DEF_F_STRUCT(kn_rts_weapon_def, bounce, &bounce_table, "Whether it goes on to others."),
    KN_DEF_F(kn_rts_weapon_def, speed, KN_FIELD_F32,
        "Speed of its projectiles; default 0: they arrive at once."),
    KN_DEF_F_ENUM(kn_rts_weapon_def, guide, guide_words,
        "How its projectiles find their target: `homing` at their speed; `timed`, in the time that "
        "the way took at the launch; `location`, where the target was; default homing."),
    KN_DEF_F(kn_rts_weapon_def, hit_radius, KN_FIELD_F32,
        "How near its projectiles must get to the target; default 0.5."),
    KN_DEF_F_ENUM(kn_rts_weapon_def, target_lost, lost_words,
        "What its projectiles do when the target is dead or gone: `vanishes`; `lands`, with its "
        "splash; `turns` to another one; default vanishes."),
    KN_DEF_F(kn_rts_weapon_def, turn_radius, KN_FIELD_F32,
        "How far they look for another one; default 0."),
    KN_DEF_F(kn_rts_weapon_def, ends_with_source, KN_FIELD_BOOL,
        "Its projectiles do nothing if the attacker is dead or gone; default false."),
    KN_DEF_F(
        kn_rts_weapon_def, lifetime, KN_FIELD_TIME, "Longest flight in seconds; default 0: any."),
    KN_DEF_F(kn_rts_weapon_def, is_blockable, KN_FIELD_BOOL,
        "The hook `find_obstacle` of `rts_attack_rules` is asked; default true."),
    KN_DEF_F_HOOK(kn_rts_weapon_def, hit, "Called when it has hit, splash included."),
    KN_DEF_F(kn_rts_weapon_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table weapon_table = {
    "rts_weapon_def", sizeof(kn_rts_weapon_def), weapon_fields, COUNT(weapon_fields), weapon_init};

static bool is_positive(float number)
{
    return isfinite(number) && number >= 0.0f;
}

static bool is_time(kn_time time)
{
    return time >= 0 && time <= TIME_MAX;
}

static const char *splash_fault(const kn_rts_splash *splash)
{
    if (!is_positive(splash->radius) || !is_positive(splash->width) ||
        !is_positive(splash->share)) {
        return "`radius`, `width` and `share` of `splash` must be 0 or more";
    }
    if (!(splash->cos_half_angle >= -1.0f && splash->cos_half_angle <= 1.0f)) {
        return "`cos_half_angle` of `splash` must be from -1 to 1";
    }
    return NULL;
}

static const char *weapon_fault(const kn_rts_weapon_def *def)
{
    if (!is_time(def->windup) || !is_time(def->backswing) || !is_time(def->lifetime)) {
        return "`windup`, `backswing` and `lifetime` must be from 0 to 1e6 seconds";
    }
    if (!is_positive(def->range_slack) || !is_positive(def->speed) ||
        !is_positive(def->hit_radius) || !is_positive(def->turn_radius)) {
        return "`range_slack`, `speed`, `hit_radius` and `turn_radius` must be 0 or more";
    }
    if (!(def->spread >= 0.0f && def->spread <= 1.0f)) {
        return "`spread` must be from 0 to 1";
    }
    if (def->bounce.count > BOUNCES_MAX || !is_positive(def->bounce.radius) ||
        !is_positive(def->bounce.share)) {
        return "`bounce` must have a `count` of at most 16, and `radius` and `share` of 0 or more";
    }
    if ((def->relations & ~(uint32_t)RELATIONS) != 0 ||
        (def->splash.relations & ~(uint32_t)RELATIONS) != 0) {
        return "`relations` are friendly, hostile, neutral and self";
    }
    if (def->cost_count > KN_RTS_WEAPON_COSTS_MAX) {
        return "it must have at most 8 `costs`";
    }
    return splash_fault(&def->splash);
}

static bool effects_are_set(const kn_effect_type_id *effects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (effects[i].index1 == 0) {
            return false;
        }
    }
    return true;
}

static kn_result weapon_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_weapon_def *def = item;
    const char *fault = weapon_fault(def);
    (void)user;
    (void)library;
    if (fault == NULL && !effects_are_set(def->effects, def->effect_count)) {
        fault = "one of its `effects` is not an effect";
    }
    return fault == NULL
               ? KN_OK
               : kn_error_set(error, KN_ERROR_BAD_DATA, "weapon `%s`: %s", def->name, fault);
}

static kn_result weapon_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_rts_armed_expand(library, user, error);
}

kn_result kn_rts_weapon_register(
    kn_library *library, const kn_rts_weapon_def *def, kn_rts_weapon_id *weapon, kn_error *error)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    kn_rts_weapon_id ignored;
    weapon = weapon != NULL ? weapon : &ignored;
    weapon->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->weapon_kind, def, &weapon->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_weapon_id kn_rts_weapon_find(const kn_library *library, const char *name)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    kn_rts_weapon_id weapon = {0};
    if (kit != NULL) {
        weapon.index1 = kn_def_find(library, kit->weapon_kind, name);
    }
    return weapon;
}

const kn_rts_weapon_def *kn_rts_weapon_get_def(const kn_library *library, kn_rts_weapon_id weapon)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    return kit != NULL ? kn_def_get(library, kit->weapon_kind, weapon.index1) : NULL;
}

const kn_rts_weapon_def *knc_rts_weapon_of(const kn_world *world, kn_rts_weapon_id weapon)
{
    return weapon.index1 != 0 ? kn_rts_weapon_get_def(kn_world_library(world), weapon) : NULL;
}

kn_ability_type_id kn_rts_weapon_ability(const kn_library *library, kn_rts_weapon_id weapon)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    return kit != NULL && weapon.index1 != 0 && weapon.index1 <= kit->plan_count
               ? kit->plans[weapon.index1 - 1].ability
               : (kn_ability_type_id){0};
}

// Modifiers -----------------------------------------------------------------------------

kn_rts_attack_modifier_def kn_rts_attack_modifier_def_default(void)
{
    kn_rts_attack_modifier_def def = {.chance = kn_magnitude_constant(1.0f),
        .factor = kn_magnitude_constant(1.0f),
        .cookie = MODIFIER_COOKIE};
    return def;
}

static void modifier_init(void *def)
{
    *(kn_rts_attack_modifier_def *)def = kn_rts_attack_modifier_def_default();
}

static const kn_def_field modifier_fields[] = {
    KN_DEF_F(kn_rts_attack_modifier_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_attack_modifier_def, tag, KN_DEF_TAG,
        "It counts for attackers with this tag; required."),
    KN_DEF_F_REF(kn_rts_attack_modifier_def, group, KN_DEF_TAG,
        "Of those of one group only the first by priority counts; default none."),
    KN_DEF_F(kn_rts_attack_modifier_def, priority, KN_FIELD_I32,
        "Modifiers with higher priorities come first, then the earlier one; default 0."),
    KN_DEF_F_PART(kn_rts_attack_modifier_def, chance, "kn_magnitude",
        "Chance of each attack to have it, 0 to 1; default 1."),
    KN_DEF_F_PART(
        kn_rts_attack_modifier_def, add, "kn_magnitude", "Damage that is added; default 0."),
    KN_DEF_F_PART(kn_rts_attack_modifier_def, factor, "kn_magnitude",
        "Factor of the damage, after all that is added; default 1."),
    KN_DEF_F_PART(kn_rts_attack_modifier_def, life_steal, "kn_magnitude",
        "Added to the life steal of the weapon; default 0."),
    KN_DEF_F_PART(kn_rts_attack_modifier_def, critical_chance, "kn_magnitude",
        "Added to the chance of the weapon; default 0."),
    KN_DEF_F_REF(kn_rts_attack_modifier_def, damage_type, KN_DEF_TAG,
        "The damage is of this type instead; default as before."),
    KN_DEF_F_REFS(kn_rts_attack_modifier_def, effects, effect_count, KN_DEF_EFFECT,
        "Effects that are applied to who is hit, without splash."),
    KN_DEF_F(kn_rts_attack_modifier_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table modifier_table = {"rts_attack_modifier_def",
    sizeof(kn_rts_attack_modifier_def), modifier_fields, COUNT(modifier_fields), modifier_init};

static kn_result modifier_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_attack_modifier_def *def = item;
    (void)user;
    (void)library;
    if (def->tag.index1 == 0 || !effects_are_set(def->effects, def->effect_count)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "attack modifier `%s`: `tag` is missing, or one of its `effects` is not an effect",
            def->name);
    }
    return KN_OK;
}

// Those with higher priorities first; equal ones stay in their order.
static kn_result modifiers_expand(
    void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    attack_kit *kit = user;
    const uint32_t count = kn_def_count(library, kind);
    (void)error;
    free(kit->modifiers);
    kit->modifier_count = 0;
    kit->modifiers = malloc((count + 1) * sizeof(*kit->modifiers));
    if (kit->modifiers == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= count; i++) {
        const kn_rts_attack_modifier_def *def = kn_def_get(library, kind, i);
        uint32_t at = kit->modifier_count++;
        for (; at > 0; at--) {
            const kn_rts_attack_modifier_def *other =
                kn_def_get(library, kind, kit->modifiers[at - 1]);
            if (other->priority >= def->priority) {
                break;
            }
            kit->modifiers[at] = kit->modifiers[at - 1];
        }
        kit->modifiers[at] = i;
    }
    return KN_OK;
}

kn_result kn_rts_attack_modifier_register(kn_library *library,
    const kn_rts_attack_modifier_def *def, kn_rts_attack_modifier_id *modifier, kn_error *error)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    kn_rts_attack_modifier_id ignored;
    modifier = modifier != NULL ? modifier : &ignored;
    modifier->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->modifier_kind, def, &modifier->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

const kn_rts_attack_modifier_def *knc_rts_modifier_of(
    const kn_world *world, kn_rts_attack_modifier_id modifier)
{
    return modifier.index1 != 0
               ? kn_def_get(kn_world_library(world), knc_rts_attack_of_world(world)->modifier_kind,
                     modifier.index1)
               : NULL;
}

kn_result knc_rts_weapon_kinds_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    const kn_kind_hook hook = {"hit", sizeof(kn_rts_damage), knc_rts_damage_fields, DAMAGE_FIELDS,
        "The entity is the attacker, or null if it is gone."};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts weapon";
    kind.section = "rts_weapons";
    kind.table = &weapon_table;
    kind.text = "How units attack: by hand or from a distance, how fast, and what a hit does.";
    kind.check = weapon_check;
    kind.expand = weapon_expand;
    kind.user = kit;
    kind.hooks = &hook;
    kind.hook_count = 1;
    kn_result result = kn_kind_register(library, &kind, &kit->weapon_kind, error);
    if (result != KN_OK) {
        return result;
    }
    kind = kn_kind_def_default();
    kind.name = "rts attack modifier";
    kind.section = "rts_attack_modifiers";
    kind.table = &modifier_table;
    kind.text = "What changes the attacks of those who have a tag.";
    kind.check = modifier_check;
    kind.expand = modifiers_expand;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->modifier_kind, error);
}
