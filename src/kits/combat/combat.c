// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit as a whole: what a program registers, and the rules of combat.

#include "parts.h"

#include <math.h>
#include <stdlib.h>

static const char key; // only its address counts

const combat *knc_combat_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const combat *knc_combat_of_world(const kn_world *world)
{
    return knc_combat_of(kn_world_library(world));
}

bool kn_combat_is_there(const kn_library *library)
{
    return library != NULL && knc_combat_of(library) != NULL;
}

kn_result knc_combat_tags_register(
    kn_library *library, const char *const *names, uint32_t count, kn_tag *tags, kn_error *error)
{
    return kn_tag_register_module(library, "Knack", names, count, tags, error);
}

// The rules ---------------------------------------------------------------------

#define COMBAT_COOKIE 0x7462636bu

kn_combat_def kn_combat_def_default(void)
{
    kn_combat_def def = {
        .combat_lasts = 6.0f,
        .threat_per_damage = 1.0f,
        .threat_per_healing = 0.5f,
        .switch_near = 1.1f,
        .switch_far = 1.3f,
        .near_distance = 5.0f,
        .threat_keeps_combat = true,
        .cookie = COMBAT_COOKIE,
    };
    return def;
}

static void rules_init(void *def)
{
    *(kn_combat_def *)def = kn_combat_def_default();
}

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_combat_def, name, KN_DEF_FIELD_STRING, "Unique name, such as `Rules`; required."),
    KN_DEF_F(kn_combat_def, health, KN_FIELD_ATTRIBUTE,
        "The attribute that damage takes from; required."),
    KN_DEF_F_REF(kn_combat_def, dead, KN_DEF_TAG,
        "Tag that an entity gets when a hit uses up its health, and loses when it is resurrected; "
        "default none."),
    KN_DEF_F(kn_combat_def, combat_lasts, KN_FIELD_F32,
        "Seconds after the last hostile act between two entities until they are out of combat "
        "with each other; default 6."),
    KN_DEF_F(kn_combat_def, threat_per_damage, KN_FIELD_F32,
        "Threat for each point of damage dealt; default 1."),
    KN_DEF_F(kn_combat_def, threat_per_healing, KN_FIELD_F32,
        "Threat for each point of healing that was not wasted, divided among those who fight the "
        "one who was healed; default 0.5."),
    KN_DEF_F(kn_combat_def, switch_near, KN_FIELD_F32,
        "How much more threat than the present target somebody nearby needs to become the "
        "target; default 1.1."),
    KN_DEF_F(kn_combat_def, switch_far, KN_FIELD_F32,
        "How much more threat than the present target somebody far away needs to become the "
        "target; default 1.3."),
    KN_DEF_F(kn_combat_def, near_distance, KN_FIELD_F32,
        "How far from the owner of a threat table somebody is nearby, by the space of the world; "
        "of entities without a position the `far` tag decides; default 5."),
    KN_DEF_F_REF(kn_combat_def, far, KN_DEF_TAG,
        "Tag of entities without a position that count as far away; default none."),
    KN_DEF_F_REF(kn_combat_def, threat_tag, KN_DEF_TAG,
        "Tag of entities that keep a threat table, such as monsters; default none."),
    KN_DEF_F(kn_combat_def, dead_keep_threat, KN_FIELD_BOOL,
        "The dead stay in threat tables, and in combat with their owners, until those are "
        "cleared; they are never the target. Default false."),
    KN_DEF_F(kn_combat_def, threat_keeps_combat, KN_FIELD_BOOL,
        "Combat of a pair does not end by time while one has the other in its threat table; "
        "false: it does, and its end removes them from the table. Default true."),
    KN_DEF_F(kn_combat_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {"combat_def", sizeof(kn_combat_def), rules_fields,
    sizeof(rules_fields) / sizeof(*rules_fields), rules_init};

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_combat_def *def = item;
    const combat *kit = user;
    const float numbers[] = {def->combat_lasts, def->threat_per_damage, def->threat_per_healing,
        def->switch_near, def->switch_far, def->near_distance};
    if (kn_def_count(library, kit->rules_kind) > 0) {
        (void)kn_error_set(error, KN_ERROR_BAD_DATA,
            "there are combat rules already: `%s`; a library has one set",
            kn_def_name(library, kit->rules_kind, 1));
        return KN_REFUSED_DUPLICATE;
    }
    if (def->health.index1 == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "combat rules `%s` must name the attribute of health: health: Vitals.Health",
            def->name);
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (!(numbers[i] >= 0.0f) || !isfinite(numbers[i])) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "combat rules `%s`: its numbers must be at least 0", def->name);
        }
    }
    return KN_OK;
}

// Hits look at the rules many times: the kit keeps where they are.
static kn_result rules_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    combat *kit = user;
    (void)error;
    kit->rules = kn_def_get(library, kind, 1);
    return KN_OK;
}

static kn_result rules_register_kind(kn_library *library, combat *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "combat rules";
    kind.section = "combat";
    kind.table = &rules_table;
    kind.text = "The rules of combat: one definition for the whole library.";
    kind.check = rules_check;
    kind.expand = knc_lint_expand;
    kind.finish = rules_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->rules_kind, error);
}

kn_result kn_combat_rules_register(kn_library *library, const kn_combat_def *def, kn_error *error)
{
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t index1;
    return kn_def_register(library, knc_combat_of(library)->rules_kind, def, &index1, error);
}

const kn_combat_def *kn_combat_rules(const kn_library *library)
{
    return kn_combat_is_there(library) ? kn_def_get(library, knc_combat_of(library)->rules_kind, 1)
                                       : NULL;
}

const kn_combat_def *knc_combat_rules_of(const kn_world *world)
{
    const combat *kit = world != NULL ? knc_combat_of_world(world) : NULL;
    return kit != NULL ? kit->rules : NULL;
}

kn_tag knc_combat_dead_tag(const kn_library *library)
{
    const kn_combat_def *rules = kn_combat_rules(library);
    kn_tag dead = kn_ability_dead_tag(library);
    return dead.index1 == 0 && rules != NULL ? rules->dead : dead;
}

// Registration --------------------------------------------------------------------

static void combat_release(void *user)
{
    combat *kit = user;
    knc_cast_part_release(kit);
    knc_input_part_release(kit);
    knc_resource_part_release(kit);
    knc_hit_part_release(kit);
    knc_buff_part_release(kit);
    knc_proc_part_release(kit);
    knc_aura_part_release(kit);
    free(kit);
}

kn_result kn_combat_register(kn_library *library, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, combat *, kn_error *) = {
        rules_register_kind,
        knc_cast_part_register,
        knc_input_part_register,
        knc_resource_part_register,
        knc_hit_part_register,
        knc_buff_part_register,
        knc_proc_part_register,
        knc_threat_part_register,
        knc_aura_part_register,
        knc_log_part_register,
        knc_script_part_register,
    };
    kn_error ignored;
    if (library == NULL || kn_combat_is_there(library)) {
        return library == NULL ? KN_ERROR_INVALID_ARGUMENT : KN_REFUSED_DUPLICATE;
    }
    combat *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_library_set_data(library, &key, kit, combat_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < sizeof(parts) / sizeof(*parts); i++) {
        result = parts[i](library, kit, error != NULL ? error : &ignored);
    }
    return result;
}
