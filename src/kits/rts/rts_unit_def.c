// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of units and of their parts; and what follows from them once the library is finished:
// the rows that a type of unit reads, and the experience of its levels.

#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_COOKIE 0x52545356u
#define PART_COOKIE 0x52545358u

float knc_rts_scalable(const kn_library *library, const kn_scalable *scalable, float level)
{
    return scalable->value * kn_curve_at(library, scalable->curve, level);
}

// Parts -----------------------------------------------------------------------------

kn_rts_part_def kn_rts_part_def_default(void)
{
    kn_rts_part_def def = {.cookie = PART_COOKIE};
    return def;
}

static void part_init(void *def)
{
    *(kn_rts_part_def *)def = kn_rts_part_def_default();
}

#define INITIALIZED_TEXT                                                                           \
    "Called when attributes were read from tables, with `level` and `is_initial`."
#define PROVIDE_TEXT "Adds tags that the unit begins with; it must change nothing."

static const kn_def_field part_fields[] = {
    KN_DEF_F(kn_rts_part_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_part_def, set, KN_DEF_ATTRIBUTE_SET,
        "For units with this attribute set; default: any."),
    KN_DEF_F_REF(kn_rts_part_def, component, KN_DEF_COMPONENT,
        "For units with this component; default: any."),
    KN_DEF_F(kn_rts_part_def, status_tags, KN_DEF_FIELD_TAGS, "Tags that such units begin with."),
    KN_DEF_F_HOOK(kn_rts_part_def, provide, PROVIDE_TEXT),
    KN_DEF_F_REFS(kn_rts_part_def, initial_only, initial_only_count, KN_DEF_ATTRIBUTE,
        "Attributes that are read from tables only when the unit begins."),
    KN_DEF_F_REFS(kn_rts_part_def, never, never_count, KN_DEF_ATTRIBUTE,
        "Attributes that are never read from tables."),
    KN_DEF_F_REFS(kn_rts_part_def, filled, filled_count, KN_DEF_ATTRIBUTE,
        "Attributes that begin at their upper limit, such as health."),
    KN_DEF_F_HOOK(kn_rts_part_def, may_initialize,
        "Answers in `answer` whether `attribute` is read from the tables, 1 or 0; it must change "
        "nothing."),
    KN_DEF_F_HOOK(kn_rts_part_def, initialized, INITIALIZED_TEXT),
    KN_DEF_F(kn_rts_part_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table part_table = {
    "rts_part_def", sizeof(kn_rts_part_def), part_fields, COUNT(part_fields), part_init};

static const kn_field init_fields[] = {
    KN_FIELD(kn_rts_init_call, level, KN_FIELD_U32),
    KN_FIELD(kn_rts_init_call, is_initial, KN_FIELD_U32),
};

// Scripts write `tag1` and so on.
static const char *const provide_names[KN_RTS_PROVIDE_MAX] = {"tag1", "tag2", "tag3", "tag4",
    "tag5", "tag6", "tag7", "tag8", "tag9", "tag10", "tag11", "tag12", "tag13", "tag14", "tag15",
    "tag16"};

static void provide_fields(kn_field *fields)
{
    for (uint32_t i = 0; i < KN_RTS_PROVIDE_MAX; i++) {
        fields[i] = (kn_field)KN_FIELD_INIT(provide_names[i], KN_FIELD_TAG, i * sizeof(kn_tag), 1);
    }
    fields[KN_RTS_PROVIDE_MAX] = (kn_field)KN_FIELD(kn_rts_provide_call, count, KN_FIELD_U32);
}

static kn_result parts_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field filter_fields[] = {
        KN_FIELD(kn_rts_filter_call, attribute, KN_FIELD_ATTRIBUTE),
        KN_FIELD(kn_rts_filter_call, is_initial, KN_FIELD_U32),
        KN_FIELD(kn_rts_filter_call, answer, KN_FIELD_U32),
    };
    kn_field provide[KN_RTS_PROVIDE_MAX + 1];
    provide_fields(provide);
    const kn_kind_hook hooks[] = {
        {"provide", sizeof(kn_rts_provide_call), provide, COUNT(provide), NULL},
        {"may_initialize", sizeof(kn_rts_filter_call), filter_fields, COUNT(filter_fields), NULL},
        {"initialized", sizeof(kn_rts_init_call), init_fields, COUNT(init_fields), NULL},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts part";
    kind.section = "rts_parts";
    kind.table = &part_table;
    kind.text = "What an attribute set or a component means for the units that have it.";
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->units.part_kind, error);
}

kn_result kn_rts_part_register(kn_library *library, const kn_rts_part_def *def, kn_error *error)
{
    uint32_t ignored;
    return def != NULL && kn_rts_is_there(library)
               ? kn_def_register(
                     library, knc_rts_kit_of(library)->units.part_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

// Units -----------------------------------------------------------------------------

kn_rts_unit_def kn_rts_unit_def_default(void)
{
    kn_rts_unit_def def = {
        .begins_alive = true, .level = 1, .points_per_level = 1, .cookie = UNIT_COOKIE};
    return def;
}

static void unit_init(void *def)
{
    *(kn_rts_unit_def *)def = kn_rts_unit_def_default();
}

static void ability_level_init(void *def)
{
    *(kn_rts_ability_level *)def = (kn_rts_ability_level){.level = 1};
}

static const kn_def_field ability_level_fields[] = {
    KN_DEF_F_REF(kn_rts_ability_level, ability, KN_DEF_ABILITY, "The ability; required."),
    KN_DEF_F(kn_rts_ability_level, level, KN_FIELD_U32, "Its level, at least 1; default 1."),
};
static const kn_def_table ability_level_table = {"rts_ability_level", sizeof(kn_rts_ability_level),
    ability_level_fields, COUNT(ability_level_fields), ability_level_init};

static const kn_def_field player_ability_fields[] = {
    KN_DEF_F_REF(kn_rts_player_ability, tag, KN_DEF_TAG, "The tag of the player; required."),
    KN_DEF_F_REF(kn_rts_player_ability, ability, KN_DEF_ABILITY,
        "The ability of the unit that rises by one level; required."),
};
static const kn_def_table player_ability_table = {"rts_player_ability",
    sizeof(kn_rts_player_ability), player_ability_fields, COUNT(player_ability_fields), NULL};

static const kn_def_field unit_fields[] = {
    KN_DEF_F(kn_rts_unit_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_unit_def, name_tag, KN_DEF_TAG,
        "What kind of unit it is: entities that gain this tag become such units, and its last part "
        "is the group of the unit in tables; default: by call alone, and the group is the name."),
    KN_DEF_F_KIND(kn_rts_unit_def, order_unit, "order unit",
        "How it obeys orders; default: it obeys none by itself."),
    KN_DEF_F_REFS(kn_rts_unit_def, sets, set_count, KN_DEF_ATTRIBUTE_SET,
        "Attribute sets that it gets, unless it has them."),
    KN_DEF_F_REFS(kn_rts_unit_def, abilities, ability_count, KN_DEF_ABILITY,
        "Abilities that it begins with, at level 1."),
    KN_DEF_F_REFS(kn_rts_unit_def, unlockable_abilities, unlockable_ability_count, KN_DEF_ABILITY,
        "Abilities that it may learn."),
    KN_DEF_F_ARRAY(kn_rts_unit_def, initial_levels, initial_level_count, &ability_level_table,
        "Abilities that begin at other levels."),
    KN_DEF_F(kn_rts_unit_def, initial_tags, KN_DEF_FIELD_TAGS, "Tags that it begins with."),
    KN_DEF_F(kn_rts_unit_def, begins_alive, KN_FIELD_BOOL,
        "It begins with the tag of the living; default true."),
    KN_DEF_F(kn_rts_unit_def, death_tags_added, KN_DEF_FIELD_TAGS,
        "Tags that it gains when it dies, until it lives again."),
    KN_DEF_F(kn_rts_unit_def, death_tags_removed, KN_DEF_FIELD_TAGS,
        "Tags that it loses when it dies, beside that of the living."),
    KN_DEF_F(kn_rts_unit_def, can_level, KN_FIELD_BOOL,
        "It gains experience and levels; default false."),
    KN_DEF_F(kn_rts_unit_def, level, KN_FIELD_U32,
        "The level that it begins with, at least 1; default 1."),
    KN_DEF_F(kn_rts_unit_def, max_level, KN_FIELD_U32,
        "Highest level, 1 to 1000; required with `can_level`."),
    KN_DEF_F_PART(kn_rts_unit_def, experience_per_level, "kn_scalable",
        "Experience from a level to the next, by the level; required with `can_level`."),
    KN_DEF_F_REF(kn_rts_unit_def, level_effect, KN_DEF_EFFECT,
        "Effect that the unit applies to itself when its level rises; default none."),
    KN_DEF_F(kn_rts_unit_def, level_effect_last, KN_FIELD_BOOL,
        "The effect is applied when attributes have been read for the new level; default false: "
        "before."),
    KN_DEF_F(kn_rts_unit_def, ability_points, KN_FIELD_U32,
        "Ability points that it begins with; default 0."),
    KN_DEF_F(kn_rts_unit_def, points_per_level, KN_FIELD_U32,
        "Ability points for each new level; default 1."),
    KN_DEF_F_PART(kn_rts_unit_def, granted_experience, "kn_scalable",
        "Experience for killing it, by its level; default 0."),
    KN_DEF_F(kn_rts_unit_def, player_tags, KN_DEF_FIELD_TAGS,
        "Tags that it has as long as its owner has them."),
    KN_DEF_F_ARRAY(kn_rts_unit_def, player_abilities, player_ability_count, &player_ability_table,
        "Abilities that rise by one level with tags of its owner."),
    KN_DEF_F(kn_rts_unit_def, provides, KN_DEF_FIELD_TAGS,
        "Tags that its owner has for it while it lives and is finished, such as technologies."),
    KN_DEF_F(kn_rts_unit_def, population, KN_FIELD_F32,
        "What it takes of the population of its owner, in steps of 0.125; default 0."),
    KN_DEF_F(kn_rts_unit_def, population_cap, KN_FIELD_F32,
        "For how much more population of its owner it has room, in steps of 0.125; default 0."),
    KN_DEF_F(kn_rts_unit_def, logs_tags, KN_FIELD_BOOL,
        "Tags that are added and removed by the kit are logged; default false."),
    KN_DEF_F_HOOK(kn_rts_unit_def, provide, PROVIDE_TEXT),
    KN_DEF_F_HOOK(kn_rts_unit_def, initialized, INITIALIZED_TEXT),
    KN_DEF_F_HOOK(kn_rts_unit_def, experience_changed,
        "Called when experience changes, before the level does, with `before` and `after`."),
    KN_DEF_F_HOOK(kn_rts_unit_def, level_changed,
        "Called when the level has changed, with `before` and `after`."),
    KN_DEF_F_HOOK(kn_rts_unit_def, killed,
        "Called when it dies, before experience is given; it may change `experience`."),
    KN_DEF_F(kn_rts_unit_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table unit_table = {
    "rts_unit_def", sizeof(kn_rts_unit_def), unit_fields, COUNT(unit_fields), unit_init};

static kn_result levels_check(const kn_rts_unit_def *def, kn_error *error)
{
    if (def->level < 1 || def->level > KN_RTS_LEVEL_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "rts unit `%s`: `level` must be 1 to %u",
            def->name, (unsigned)KN_RTS_LEVEL_MAX);
    }
    if (!def->can_level) {
        return KN_OK;
    }
    if (def->max_level < 1 || def->max_level > KN_RTS_LEVEL_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts unit `%s`: a unit that can level needs a `max_level` of 1 to %u", def->name,
            (unsigned)KN_RTS_LEVEL_MAX);
    }
    if (def->level > def->max_level) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts unit `%s`: `level` %u is above `max_level` %u", def->name, (unsigned)def->level,
            (unsigned)def->max_level);
    }
    return KN_OK;
}

static kn_result lists_check(const kn_rts_unit_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->initial_level_count; i++) {
        if (def->initial_levels[i].ability.index1 == 0 || def->initial_levels[i].level < 1) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts unit `%s`: each of the `initial_levels` needs an `ability`, and a `level` of "
                "at least 1",
                def->name);
        }
    }
    for (uint32_t i = 0; i < def->player_ability_count; i++) {
        if (def->player_abilities[i].tag.index1 == 0 ||
            def->player_abilities[i].ability.index1 == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts unit `%s`: each of the `player_abilities` needs a `tag` and an `ability`",
                def->name);
        }
    }
    return KN_OK;
}

// Sums of such numbers are exact, so that nothing is lost by counting up and down.
static bool is_population(float number)
{
    return number >= 0.0f && number <= 100000.0f && number * 8.0f == floorf(number * 8.0f);
}

static kn_result unit_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_unit_def *def = item;
    (void)user;
    (void)library;
    if (!is_population(def->population) || !is_population(def->population_cap)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts unit `%s`: `population` and `population_cap` must be from 0 to 100000, in steps "
            "of 0.125",
            def->name);
    }
    if (def->experience_per_level.parameter.index1 != 0 ||
        def->granted_experience.parameter.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts unit `%s`: `experience_per_level` and `granted_experience` must be numbers or "
            "curves",
            def->name);
    }
    kn_result result = levels_check(def, error);
    return result != KN_OK ? result : lists_check(def, error);
}

static kn_result unit_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    kn_result result = knc_rts_units_expand(library, user, error);
    result = result != KN_OK ? result : knc_rts_owners_expand(library, user, error);
    result = result != KN_OK ? result : knc_rts_kills_expand(library, user, error);
    return result != KN_OK ? result : knc_rts_lint_expand(library, user, error);
}

// Plans -----------------------------------------------------------------------------

static void plan_release(unit_plan *plan)
{
    free(plan->rows);
    free(plan->totals);
    *plan = (unit_plan){0};
}

static void plans_free(unit_ids *ids)
{
    for (uint32_t i = 0; i < ids->plan_count; i++) {
        plan_release(&ids->plans[i]);
    }
    free(ids->plans);
    ids->plans = NULL;
    ids->plan_count = 0;
}

void knc_rts_unit_plans_release(rts_kit *kit)
{
    plans_free(&kit->units);
    free(kit->units.ability_defs);
    free(kit->units.heard);
}

static bool row_add(unit_plan *plan, const table_row *row)
{
    if (!kn_memory_grow(
            NULL, &plan->rows, &plan->row_capacity, plan->row_count + 1, sizeof(*plan->rows))) {
        return false;
    }
    plan->rows[plan->row_count++] = *row;
    return true;
}

static uint32_t curve_of(const kn_library *library, const char *group, const char *attribute)
{
    char name[2 * KN_TAG_NAME_MAX + 2];
    (void)snprintf(name, sizeof(name), "%s.%s", group, attribute);
    return kn_def_find(library, KN_DEF_CURVE, name);
}

// The rows of one attribute: those for a level, then the curve for all other levels.
static bool attribute_plan(
    const kn_library *library, unit_plan *plan, const char *group, uint32_t attribute)
{
    const char *full = kn_def_name(library, KN_DEF_ATTRIBUTE, attribute);
    const char *dot = strrchr(full, '.');
    kn_attribute_row row;
    bool is_good = true;
    for (uint32_t i = 0; is_good && kn_attribute_row_at(library, i, &row); i++) {
        if (strcmp(row.group, group) == 0 &&
            kn_def_find(library, KN_DEF_ATTRIBUTE, row.attribute) == attribute) {
            const table_row found = {{attribute}, row.level, {0}, row.value};
            is_good = row.level == 0 || row_add(plan, &found);
        }
    }
    uint32_t curve = curve_of(library, group, full);
    if (curve == 0 && dot != NULL) {
        curve = curve_of(library, group, dot + 1);
    }
    const table_row by_curve = {{attribute}, 0, {curve}, 0.0f};
    return is_good && (curve == 0 || row_add(plan, &by_curve));
}

// Experience of all levels, which must grow with each of them.
static kn_result totals_plan(
    const kn_library *library, const kn_rts_unit_def *def, unit_plan *plan, kn_error *error)
{
    plan->totals = calloc(def->max_level, sizeof(*plan->totals));
    if (plan->totals == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    plan->total_count = def->max_level;
    for (uint32_t level = 1; level < def->max_level; level++) {
        const float next = knc_rts_scalable(library, &def->experience_per_level, (float)level);
        const float total = plan->totals[level - 1] + next;
        if (!isfinite(total) || total <= plan->totals[level - 1]) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts unit `%s`: `experience_per_level` at level %u must be above 0, and not so "
                "small or large that the sum of all levels cannot hold it",
                def->name, (unsigned)level);
        }
        plan->totals[level] = total;
    }
    return KN_OK;
}

static kn_result plan_make(
    const kn_library *library, kn_rts_unit_type_id type, unit_plan *plan, kn_error *error)
{
    const kn_rts_unit_def *def = kn_rts_unit_get_def(library, type);
    const char *group = kn_rts_unit_group(library, type);
    for (uint32_t i = 1; i <= kn_def_count(library, KN_DEF_ATTRIBUTE); i++) {
        if (!attribute_plan(library, plan, group, i)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    return def->can_level ? totals_plan(library, def, plan, error) : KN_OK;
}

// One that gains the tag of the living when it dies would live again, and die again, for ever.
static kn_result death_check(
    const kn_library *library, const rts_kit *kit, const kn_rts_unit_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->death_tags_added.count; i++) {
        if (kn_tag_matches(library, def->death_tags_added.data[i], kit->tags[KN_RTS_ALIVE])) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts unit `%s`: `death_tags_added` must not have the tag of the living", def->name);
        }
    }
    return KN_OK;
}

static kn_result units_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    rts_kit *kit = user;
    unit_ids *ids = &kit->units;
    const uint32_t count = kn_def_count(library, kind);
    kn_result result = KN_OK;
    plans_free(ids);
    ids->plans = calloc(count + 1, sizeof(*ids->plans));
    if (ids->plans == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    ids->plan_count = count;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        const kn_rts_unit_type_id type = {i + 1};
        result = death_check(library, kit, kn_rts_unit_get_def(library, type), error);
        result = result != KN_OK ? result : plan_make(library, type, &ids->plans[i], error);
    }
    return result;
}

const unit_plan *knc_rts_unit_plan(const kn_library *library, kn_rts_unit_type_id type)
{
    const rts_kit *kit = library != NULL ? knc_rts_kit_of(library) : NULL;
    return kit != NULL && type.index1 - 1 < kit->units.plan_count
               ? &kit->units.plans[type.index1 - 1]
               : NULL;
}

static kn_result units_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field experience_fields[] = {
        KN_FIELD(kn_rts_experience_call, before, KN_FIELD_F32),
        KN_FIELD(kn_rts_experience_call, after, KN_FIELD_F32),
    };
    static const kn_field level_fields[] = {
        KN_FIELD(kn_rts_level_call, before, KN_FIELD_U32),
        KN_FIELD(kn_rts_level_call, after, KN_FIELD_U32),
    };
    static const kn_field killed_fields[] = {
        KN_FIELD(kn_rts_killed_call, killer, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_killed_call, experience, KN_FIELD_F32),
        KN_FIELD(kn_rts_killed_call, assists, KN_FIELD_U32),
    };
    kn_field provide[KN_RTS_PROVIDE_MAX + 1];
    provide_fields(provide);
    const kn_kind_hook hooks[] = {
        {"provide", sizeof(kn_rts_provide_call), provide, COUNT(provide), NULL},
        {"initialized", sizeof(kn_rts_init_call), init_fields, COUNT(init_fields), NULL},
        {"experience_changed", sizeof(kn_rts_experience_call), experience_fields,
            COUNT(experience_fields), NULL},
        {"level_changed", sizeof(kn_rts_level_call), level_fields, COUNT(level_fields), NULL},
        {"killed", sizeof(kn_rts_killed_call), killed_fields, COUNT(killed_fields), NULL},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts unit";
    kind.section = "rts_units";
    kind.table = &unit_table;
    kind.text = "A type of unit: attributes, abilities and tags that it begins with, and how it "
                "gains levels.";
    kind.check = unit_check;
    kind.expand = unit_expand;
    kind.finish = units_finish;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    return kn_kind_register(library, &kind, &kit->units.unit_kind, error);
}

kn_result knc_rts_unit_kinds_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_result result = knc_rts_abilities_register(library, kit, error);
    result = result != KN_OK ? result : parts_register(library, kit, error);
    return result != KN_OK ? result : units_register(library, kit, error);
}

// Finding ---------------------------------------------------------------------------

kn_result kn_rts_unit_register(
    kn_library *library, const kn_rts_unit_def *def, kn_rts_unit_type_id *type, kn_error *error)
{
    kn_rts_unit_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kn_rts_is_there(library)
               ? kn_def_register(
                     library, knc_rts_kit_of(library)->units.unit_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_unit_type_id kn_rts_unit_find(const kn_library *library, const char *name)
{
    kn_rts_unit_type_id type = {0};
    if (kn_rts_is_there(library)) {
        type.index1 = kn_def_find_expected(library, knc_rts_kit_of(library)->units.unit_kind, name);
    }
    return type;
}

const kn_rts_unit_def *kn_rts_unit_get_def(const kn_library *library, kn_rts_unit_type_id type)
{
    return kn_rts_is_there(library) && type.index1 != 0
               ? kn_def_get(library, knc_rts_kit_of(library)->units.unit_kind, type.index1)
               : NULL;
}

const kn_rts_unit_def *knc_rts_unit_def(const kn_world *world, kn_rts_unit_type_id type)
{
    return world != NULL ? kn_rts_unit_get_def(kn_world_library(world), type) : NULL;
}

const char *kn_rts_tag_last_part(const kn_library *library, kn_tag tag)
{
    const char *name = kn_tag_name(library, tag);
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

const char *kn_rts_unit_group(const kn_library *library, kn_rts_unit_type_id type)
{
    const kn_rts_unit_def *def = kn_rts_unit_get_def(library, type);
    if (def == NULL) {
        return "";
    }
    return def->name_tag.index1 != 0 ? kn_rts_tag_last_part(library, def->name_tag) : def->name;
}

bool kn_rts_unit_table_value(const kn_library *library, kn_rts_unit_type_id type,
    kn_attribute_id attribute, uint32_t level, float *value)
{
    const unit_plan *plan = knc_rts_unit_plan(library, type);
    *value = 0.0f;
    for (uint32_t i = 0; plan != NULL && i < plan->row_count; i++) {
        const table_row *row = &plan->rows[i];
        if (row->attribute.index1 == attribute.index1 && (row->level == 0 || row->level == level)) {
            *value = row->level == 0 ? kn_curve_at(library, row->curve, (float)level) : row->value;
            return true;
        }
    }
    return false;
}

kn_ability_type_id kn_rts_unit_ability(
    const kn_library *library, kn_rts_unit_type_id type, uint32_t place)
{
    const kn_rts_unit_def *def = kn_rts_unit_get_def(library, type);
    if (def == NULL || place >= def->ability_count + def->unlockable_ability_count) {
        return (kn_ability_type_id){0};
    }
    return place < def->ability_count ? def->abilities[place]
                                      : def->unlockable_abilities[place - def->ability_count];
}

float kn_rts_experience_for_level(
    const kn_library *library, kn_rts_unit_type_id type, uint32_t level)
{
    const unit_plan *plan = knc_rts_unit_plan(library, type);
    if (plan == NULL || plan->total_count == 0 || level <= 1) {
        return 0.0f;
    }
    return plan->totals[level <= plan->total_count ? level - 1 : plan->total_count - 1];
}
