// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attacks as a part of the kit: the attribute set with its limits, the rules, and what the other
// sources share.

#include "attack_parts.h"

#include <math.h>
#include <stdlib.h>

#define RULES_COOKIE 0x41545255u

static const char key; // only its address counts

attack_kit *knc_rts_attack_of(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

const attack_kit *knc_rts_attack_of_world(const kn_world *world)
{
    return world != NULL ? knc_rts_attack_of(kn_world_library(world)) : NULL;
}

kn_result knc_rts_attack_may_change(const kn_world *world, kn_entity_id entity)
{
    if (knc_rts_attack_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_entity_is_dying(world, entity) ? KN_REFUSED_DYING : KN_OK;
}

float knc_rts_number(const kn_world *world, const kn_magnitude *magnitude, kn_entity_id source,
    kn_entity_id target, float level)
{
    float value;
    if (magnitude->kind == KN_MAGNITUDE_SCALABLE && magnitude->scale.curve.index1 == 0 &&
        magnitude->scale.parameter.index1 == 0 && magnitude->final_curve.index1 == 0) {
        return magnitude->scale.value; // almost all of them
    }
    return kn_magnitude_evaluate(world, magnitude, source, target, level, &value) == KN_OK ? value
                                                                                           : 0.0f;
}

bool knc_rts_luck(kn_world *world, float chance, uint32_t *failures)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    if (!(chance > 0.0f)) {
        return false;
    }
    if (failures != NULL && kit->rules->luck == KN_RTS_LUCK_ACCUMULATING) {
        const bool is_lucky =
            kn_random_float(world, kit->stream) < kn_random_accumulating(chance, *failures);
        *failures = is_lucky ? 0 : *failures + 1;
        return is_lucky;
    }
    return kn_random_float(world, kit->stream) < chance;
}

bool knc_rts_position(const kn_world *world, kn_entity_id entity, kn_vec3 *at)
{
    return kn_space_position(kn_world_space(world), world, entity, at);
}

float knc_rts_distance(kn_vec3 a, kn_vec3 b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrtf(x * x + y * y + z * z);
}

kn_result knc_rts_attack_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
    kn_rule_fn *function, void *user, kn_error *error)
{
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.tag = tag;
    def.function = function;
    def.user = user;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}

// The attribute set ---------------------------------------------------------------------

kn_attribute_set_id kn_rts_attack_set(const kn_library *library)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    return kit != NULL ? kit->set : (kn_attribute_set_id){0};
}

kn_attribute_id kn_rts_attack_get_attribute(
    const kn_library *library, kn_rts_attack_attribute which)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    return kit != NULL && (uint32_t)which < KN_RTS_ATTACK_ATTRIBUTE_COUNT ? kit->attributes[which]
                                                                          : (kn_attribute_id){0};
}

static kn_rts_limits limits_of(const attack_kit *kit, kn_attribute_id attribute)
{
    const kn_rts_attack_rules_def *rules = kit->rules;
    const kn_rts_limits all[KN_RTS_ATTACK_ATTRIBUTE_COUNT] = {
        [KN_RTS_ATTACK_DAMAGE] = rules->damage,
        [KN_RTS_ATTACK_COOLDOWN] = rules->cooldown,
        [KN_RTS_ATTACK_RANGE] = rules->range,
        [KN_RTS_ATTACK_MULTIPLIER] = rules->multiplier,
        [KN_RTS_ATTACK_SPEED] = rules->speed,
    };
    for (uint32_t i = 0; i < COUNT(all); i++) {
        if (kit->attributes[i].index1 == attribute.index1) {
            return all[i];
        }
    }
    return (kn_rts_limits){-INFINITY, INFINITY}; // of a set that inherits from it
}

static float limited(const kn_rts_limits *limits, bool is_literal, float value)
{
    value = value < limits->max ? value : limits->max;
    return value > limits->min || is_literal ? value : limits->min;
}

static float base_limit(void *user, const kn_attribute_change *change)
{
    const attack_kit *kit = user;
    const kn_rts_limits limits = limits_of(kit, change->attribute);
    return limited(&limits, kit->rules->literal_limits, change->new_value);
}

static float current_limit(void *user, const kn_attribute_change *change)
{
    const attack_kit *kit = user;
    const kn_rts_limits limits = limits_of(kit, change->attribute);
    return kit->rules->literal_limits ? change->new_value
                                      : limited(&limits, false, change->new_value);
}

static kn_result set_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const struct {
        const char *name, *full;
        float value;
    } rows[KN_RTS_ATTACK_ATTRIBUTE_COUNT] = {
        [KN_RTS_ATTACK_DAMAGE] = {"Damage", KN_RTS_ATTACK_SET_NAME ".Damage", 0.0f},
        [KN_RTS_ATTACK_COOLDOWN] = {"Cooldown", KN_RTS_ATTACK_SET_NAME ".Cooldown", 1.0f},
        [KN_RTS_ATTACK_RANGE] = {"Range", KN_RTS_ATTACK_SET_NAME ".Range", 1.0f},
        [KN_RTS_ATTACK_MULTIPLIER] = {"OutgoingDamageMultiplier",
            KN_RTS_ATTACK_SET_NAME ".OutgoingDamageMultiplier", 1.0f},
        [KN_RTS_ATTACK_SPEED] = {"Speed", KN_RTS_ATTACK_SET_NAME ".Speed", 1.0f},
    };
    kn_attribute_def attributes[COUNT(rows)];
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = rows[i].name;
        attributes[i].default_value = rows[i].value;
        attributes[i].decimals = i == KN_RTS_ATTACK_DAMAGE ? 0 : 2;
    }
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = KN_RTS_ATTACK_SET_NAME;
    def.attributes = attributes;
    def.attribute_count = COUNT(attributes);
    def.hooks.user = kit;
    def.hooks.pre_base_change = base_limit;
    def.hooks.pre_change = current_limit;
    kn_result result = kn_attribute_set_register(library, &def, &kit->set, error);
    for (uint32_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        kit->attributes[i] = kn_attribute_find(library, rows[i].full);
    }
    return result;
}

// Units begin with a multiplier of 1, whatever tables say; later it is theirs.
static kn_result part_initialized(void *user, const kn_hook_call *call)
{
    const attack_kit *kit = user;
    const kn_rts_init_call *c = call->arguments;
    return c->is_initial != 0 ? kn_attribute_set_base(call->writable, call->entity,
                                    kit->attributes[KN_RTS_ATTACK_MULTIPLIER], 0, 1.0f)
                              : KN_OK;
}

static kn_result part_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    kn_rts_part_def def = kn_rts_part_def_default();
    def.name = KN_RTS_ATTACK_SET_NAME;
    def.set = kit->set;
    def.never = &kit->attributes[KN_RTS_ATTACK_MULTIPLIER];
    def.never_count = 1;
    def.initialized = (kn_hook){part_initialized, kit};
    return kn_rts_part_register(library, &def, error);
}

// Those who have the set can attack.
static void set_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const attack_kit *kit = user;
    const kn_tag tag = kit->rts->tags[KN_RTS_CAN_ATTACK];
    if (reaction->set.index1 != kit->set.index1 || reaction->key != 0 ||
        kn_world_is_client(world) || !kn_entity_is_alive(world, reaction->entity)) {
        return;
    }
    if (reaction->trigger == KN_TRIGGER_SET_ADDED) {
        (void)kn_entity_add_loose_tag(world, reaction->entity, tag, KN_TAG_SYNC_TAG);
    } else {
        (void)kn_entity_remove_tag(world, reaction->entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
}

// Rules ---------------------------------------------------------------------------------

kn_rts_attack_rules_def kn_rts_attack_rules_def_default(void)
{
    const kn_rts_limits limits = {0.0f, 10000.0f};
    kn_rts_attack_rules_def def = {
        .armour_factor = 0.06f,
        .damage = limits,
        .cooldown = {0.1f, 10000.0f},
        .range = limits,
        .multiplier = limits,
        .speed = {0.01f, 10000.0f},
        .cookie = RULES_COOKIE,
    };
    return def;
}

static void rules_init(void *def)
{
    *(kn_rts_attack_rules_def *)def = kn_rts_attack_rules_def_default();
}

static void limits_init(void *def)
{
    *(kn_rts_limits *)def = (kn_rts_limits){0.0f, 10000.0f};
}

static const char *const luck_words[] = {"accumulating", "plain"};

static const kn_def_field limits_fields[] = {
    KN_DEF_F(kn_rts_limits, min, KN_FIELD_F32, "Lowest value."),
    KN_DEF_F(kn_rts_limits, max, KN_FIELD_F32, "Highest value; default 10000."),
};
static const kn_def_table limits_table = {
    "rts_limits", sizeof(kn_rts_limits), limits_fields, COUNT(limits_fields), limits_init};

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_rts_attack_rules_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_attack_rules_def, health, KN_DEF_ATTRIBUTE,
        "The attribute that damage takes from; default `health` of `rts_rules`; without either "
        "nothing can be damaged."),
    KN_DEF_F_REF(kn_rts_attack_rules_def, armour, KN_DEF_ATTRIBUTE,
        "Attribute of the target that is its armour; default none. Armour a lets 1 / (1 + f a) of "
        "the damage through, f being `armour_factor`."),
    KN_DEF_F(kn_rts_attack_rules_def, armour_factor, KN_FIELD_F32,
        "How much a point of armour counts, 0 or more; default 0.06."),
    KN_DEF_F_PART(kn_rts_attack_rules_def, evasion, "kn_magnitude",
        "Chance that the target of an attack evades it, 0 to 1; the attacker is the source; "
        "default 0."),
    KN_DEF_F_ENUM(kn_rts_attack_rules_def, luck, luck_words,
        "How chances of evasion and critical hits are drawn: `accumulating`, so that long streaks "
        "are rare, or `plain`; default accumulating."),
    KN_DEF_F_STRUCT(
        kn_rts_attack_rules_def, damage, &limits_table, "Limits of `Damage`; default 0 to 10000."),
    KN_DEF_F_STRUCT(kn_rts_attack_rules_def, cooldown, &limits_table,
        "Limits of `Cooldown`; default 0.1 to 10000."),
    KN_DEF_F_STRUCT(
        kn_rts_attack_rules_def, range, &limits_table, "Limits of `Range`; default 0 to 10000."),
    KN_DEF_F_STRUCT(kn_rts_attack_rules_def, multiplier, &limits_table,
        "Limits of `OutgoingDamageMultiplier`; default 0 to 10000."),
    KN_DEF_F_STRUCT(
        kn_rts_attack_rules_def, speed, &limits_table, "Limits of `Speed`; default 0.01 to 10000."),
    KN_DEF_F(kn_rts_attack_rules_def, literal_limits, KN_FIELD_BOOL,
        "Only the upper limits of base values count; default false: both limits, for base and "
        "current values."),
    KN_DEF_F(kn_rts_attack_rules_def, prevents_overkill, KN_FIELD_BOOL,
        "Automatic orders of the type `Knack.Rts.Attack` leave those alone whose health the "
        "projectiles on their way will take; default false."),
    KN_DEF_F_HOOK(kn_rts_attack_rules_def, mitigate,
        "Changes damage after the tables and armour; it must only read."),
    KN_DEF_F_HOOK(kn_rts_attack_rules_def, find_obstacle,
        "Finds what is in the way of a projectile; it must only read."),
    KN_DEF_F(kn_rts_attack_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {"rts_attack_rules_def", sizeof(kn_rts_attack_rules_def),
    rules_fields, COUNT(rules_fields), rules_init};

static bool is_positive(float number)
{
    return isfinite(number) && number >= 0.0f;
}

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_attack_rules_def *def = item;
    const kn_rts_limits all[] = {
        def->damage, def->cooldown, def->range, def->multiplier, def->speed};
    (void)user;
    (void)library;
    if (!is_positive(def->armour_factor)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "attack rules `%s`: `armour_factor` must be 0 or more", def->name);
    }
    for (uint32_t i = 0; i < COUNT(all); i++) {
        if (!(all[i].min <= all[i].max) || !isfinite(all[i].min) || !isfinite(all[i].max)) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "attack rules `%s`: `min` of a limit must be at most its `max`", def->name);
        }
    }
    if (!(def->speed.min > 0.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "attack rules `%s`: `min` of `speed` must be above 0", def->name);
    }
    return KN_OK;
}

static kn_result rules_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    attack_kit *kit = user;
    if (kn_def_count(library, kind) > 1) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "there must be only one of the rts attack rules");
    }
    const kn_rts_attack_rules_def *found = kn_def_get(library, kind, 1);
    kit->rules = found != NULL ? found : &kit->default_rules;
    kit->health = kit->rules->health.index1 != 0 ? kit->rules->health : kit->rts->rules->health;
    kn_result result = knc_rts_damage_expand(library, kit, error);
    if (result == KN_OK) {
        result = knc_rts_attack_rule(library, "Knack.RtsAttackSetAdded", KN_TRIGGER_SET_ADDED,
            (kn_tag){0}, set_rule, kit, error);
    }
    return result == KN_OK ? knc_rts_attack_rule(library, "Knack.RtsAttackSetRemoved",
                                 KN_TRIGGER_SET_REMOVED, (kn_tag){0}, set_rule, kit, error)
                           : result;
}

static kn_result rules_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const kn_field mitigate_fields[] = {
        KN_FIELD(kn_rts_mitigate_call, source, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_mitigate_call, type, KN_FIELD_TAG),
        KN_FIELD_TO(kn_rts_mitigate_call, weapon, "rts weapon"),
        KN_FIELD(kn_rts_mitigate_call, flags, KN_FIELD_U32),
        KN_FIELD(kn_rts_mitigate_call, amount, KN_FIELD_F32),
    };
    static const kn_field flight_fields[] = {
        KN_FIELD(kn_rts_flight_call, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_flight_call, from, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_flight_call, to, KN_FIELD_VEC3),
        KN_FIELD_TO(kn_rts_flight_call, weapon, "rts weapon"),
        KN_FIELD(kn_rts_flight_call, share, KN_FIELD_F32),
    };
    const kn_kind_hook hooks[] = {
        {"mitigate", sizeof(kn_rts_mitigate_call), mitigate_fields, COUNT(mitigate_fields),
            "The entity is the target; `amount` is the answer."},
        {"find_obstacle", sizeof(kn_rts_flight_call), flight_fields, COUNT(flight_fields),
            "The entity is the source; `share` is the answer."},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts attack rules";
    kind.section = "rts_attack_rules";
    kind.table = &rules_table;
    kind.text = "What all attacks have in common: health, armour, luck and limits.";
    kind.check = rules_check;
    kind.expand = rules_expand;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    return kn_kind_register(library, &kind, &kit->rules_kind, error);
}

kn_result kn_rts_attack_rules_register(
    kn_library *library, const kn_rts_attack_rules_def *def, kn_error *error)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    uint32_t ignored;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->rules_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

// Registering ---------------------------------------------------------------------------

static void kit_release(void *user)
{
    attack_kit *kit = user;
    free(kit->rows);
    free(kit->plans);
    free(kit->modifiers);
    free(kit);
}

static kn_result names_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const char *const names[] = {"Knack.Rts.Value", "Knack.Rts.Cooldown"};
    kn_tag tags[COUNT(names)];
    kn_result result = kn_tag_register_module(library, "knack", names, COUNT(names), tags, error);
    if (result != KN_OK) {
        return result;
    }
    kit->value_tag = tags[0];
    kit->cooldown_tag = tags[1];
    result = kn_name_register(library, "Damage", &kit->damage_name, error);
    if (result == KN_OK) {
        result = kn_stream_register(library, "Knack.RtsAttack", true, &kit->stream, error);
    }
    return result == KN_OK ? kn_cause_type_register(library, "attack",
                                 "attack of {entity} with {def}", &kit->cause, error)
                           : result;
}

kn_result knc_rts_attack_register(kn_library *library, rts_kit *rts, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, attack_kit *, kn_error *) = {
        names_register,
        set_register,
        part_register,
        knc_rts_weapon_kinds_register,
        rules_register,
        knc_rts_damage_register,
        knc_rts_armed_register,
        knc_rts_projectiles_register,
        knc_rts_attack_orders_register,
        knc_rts_attack_functions_register,
    };
    attack_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->rts = rts;
    kit->default_rules = kn_rts_attack_rules_def_default();
    kit->rules = &kit->default_rules;
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}
