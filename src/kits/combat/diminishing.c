// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Diminishing returns: how many effects of a group have counted on a target, and what that does to
// the duration of the next. The duration of an effect is a value of its target, `Knack.Duration`:
// modifiers change it first, then the group.

#include "parts.h"

#include <math.h>
#include <string.h>

#define DIMINISHING_COOKIE 0x6d69646bu
#define FACTORS_MAX 16

// The definition --------------------------------------------------------------------

kn_diminishing_def kn_diminishing_def_default(void)
{
    kn_diminishing_def def = {.reset = 15.0f, .cookie = DIMINISHING_COOKIE};
    return def;
}

static void diminishing_init(void *def)
{
    *(kn_diminishing_def *)def = kn_diminishing_def_default();
}

static const kn_def_field diminishing_fields[] = {
    KN_DEF_F(kn_diminishing_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_PARTS(kn_diminishing_def, factors, factor_count, "kn_scalable",
        "Factors on the duration of the first effect, the second, and so on; the last one counts "
        "for all that follow; at 0 the target is immune; default 1, 0.5, 0.25, 0."),
    KN_DEF_F(kn_diminishing_def, cap, KN_FIELD_F32,
        "Longest duration in seconds before the factor; 0, the default: no limit."),
    KN_DEF_F(kn_diminishing_def, reset, KN_FIELD_F32,
        "Once more than these seconds have passed since the last effect of the group ended, "
        "durations are full again; default 15."),
    KN_DEF_F_PART(kn_diminishing_def, targets, "kn_tag_requirement",
        "Tags that a target must have, or must not have, for the group to count; default: all "
        "targets."),
    KN_DEF_F(kn_diminishing_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table diminishing_table = {"diminishing_def", sizeof(kn_diminishing_def),
    diminishing_fields, sizeof(diminishing_fields) / sizeof(*diminishing_fields), diminishing_init};

static kn_result diminishing_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_diminishing_def *def = item;
    (void)user;
    (void)library;
    if (def->factor_count > FACTORS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "diminishing `%s` has %u factors; at most %u are possible", def->name,
            def->factor_count, FACTORS_MAX);
    }
    for (uint32_t i = 0; i < def->factor_count; i++) {
        if (!(def->factors[i].value >= 0.0f) || !isfinite(def->factors[i].value)) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "diminishing `%s`: its factors must be at least 0", def->name);
        }
    }
    if (!(def->cap >= 0.0f) || !isfinite(def->cap) || !(def->reset >= 0.0f) ||
        !isfinite(def->reset)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "diminishing `%s`: cap and reset must be at least 0", def->name);
    }
    return KN_OK;
}

kn_result kn_diminishing_register(
    kn_library *library, const kn_diminishing_def *def, kn_diminishing_id *group, kn_error *error)
{
    kn_diminishing_id ignored;
    group = group != NULL ? group : &ignored;
    group->index1 = 0;
    if (!kn_combat_is_there(library) || def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_combat_of(library)->buff.diminishing_kind, def, &group->index1, error);
}

static const kn_diminishing_def *diminishing_def(const kn_library *library, kn_diminishing_id group)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->buff.diminishing_kind, group.index1)
               : NULL;
}

// Levels ----------------------------------------------------------------------------

// The component of a target: an item for each group that has counted.
typedef struct levels {
    uint32_t unused;
} levels;

typedef struct level_item {
    kn_time ended; // when the last effect of the group ended
    kn_diminishing_id group;
    uint32_t level;
    uint32_t active; // effects of the group that the target has
    uint32_t unused;
} level_item;

static const kn_field levels_fields[] = {KN_FIELD(levels, unused, KN_FIELD_U32)};
static const kn_field level_item_fields[] = {
    KN_FIELD(level_item, ended, KN_FIELD_TIME),
    KN_FIELD_TO(level_item, group, "diminishing"),
    KN_FIELD(level_item, level, KN_FIELD_U32),
    KN_FIELD(level_item, active, KN_FIELD_U32),
    KN_FIELD(level_item, unused, KN_FIELD_U32),
};

static bool level_is_over(
    const kn_world *world, const kn_diminishing_def *def, const level_item *item)
{
    return item->active == 0 &&
           kn_world_now(world) - item->ended > kn_time_from_seconds((double)def->reset);
}

static uint32_t level_index(const level_item *items, uint32_t count, kn_diminishing_id group)
{
    uint32_t i = 0;
    while (i < count && items[i].group.index1 != group.index1) {
        i++;
    }
    return i;
}

typedef struct pending_search {
    kn_diminishing_id group;
    kn_entity_id target;
} pending_search;

// Whether an effect of a group has not been counted yet: rules about it run when the operation is
// complete, and leave an item.
static bool effect_is_pending(void *user, const kn_world *world, kn_effect_id effect)
{
    const pending_search *search = user;
    const kn_library *library = kn_world_library(world);
    kn_effect_info info;
    if (!kn_effect_get(world, effect, &info)) {
        return false;
    }
    const kn_buff_def *buff = kn_buff_get_def(library, kn_buff_of(library, info.type));
    return buff != NULL && buff->diminishing.index1 == search->group.index1 &&
           !knc_buff_has_item(world, search->target, effect);
}

static uint32_t pending_count(const kn_world *world, const kn_diminishing_def *def,
    kn_entity_id target, kn_diminishing_id group)
{
    if (!kn_entity_meets(world, target, &def->targets)) {
        return 0;
    }
    pending_search search = {group, target};
    kn_effect_query query = kn_effect_query_default();
    query.predicate = effect_is_pending;
    query.user = &search;
    return kn_effects_find(world, target, &query, NULL, 0);
}

uint32_t kn_diminishing_level(const kn_world *world, kn_entity_id entity, kn_diminishing_id group)
{
    kn_entity_id target = kn_entity_actor(world, entity);
    const kn_diminishing_def *def = diminishing_def(kn_world_library(world), group);
    if (def == NULL) {
        return 0;
    }
    uint32_t count;
    const level_item *items =
        kn_component_read_items(world, knc_combat_of_world(world)->buff.levels, target, &count);
    uint32_t i = items != NULL ? level_index(items, count, group) : 0;
    bool counts = items != NULL && i < count && !level_is_over(world, def, &items[i]);
    return (counts ? items[i].level : 0) + pending_count(world, def, target, group);
}

static float factor_at(
    const kn_library *library, const kn_diminishing_def *def, uint32_t level, float effect_level)
{
    static const float usual[] = {1.0f, 0.5f, 0.25f, 0.0f};
    if (def->factor_count == 0) {
        return usual[level < 3 ? level : 3];
    }
    const kn_scalable *factor =
        &def->factors[level < def->factor_count ? level : def->factor_count - 1];
    return factor->curve.index1 != 0
               ? factor->value * kn_curve_at(library, factor->curve, effect_level)
               : factor->value;
}

// What an effect of a group at some level gets on a target.
static float factor_of(const kn_world *world, kn_entity_id target, kn_diminishing_id group,
    const kn_diminishing_def *def, float effect_level)
{
    if (!kn_entity_meets(world, target, &def->targets)) {
        return 1.0f;
    }
    return factor_at(
        kn_world_library(world), def, kn_diminishing_level(world, target, group), effect_level);
}

float kn_diminishing_factor(const kn_world *world, kn_entity_id entity, kn_diminishing_id group)
{
    const kn_diminishing_def *def = diminishing_def(kn_world_library(world), group);
    return def != NULL && kn_entity_is_alive(world, entity)
               ? factor_of(world, entity, group, def, 1.0f)
               : 1.0f;
}

// The item of a group, for writing; created if need be.
static level_item *level_get(kn_world *world, kn_entity_id target, kn_diminishing_id group)
{
    kn_component_type_id type = knc_combat_of_world(world)->buff.levels;
    uint32_t count = 0;
    if (kn_component_add(world, type, target) == NULL) {
        return NULL;
    }
    level_item *items = kn_component_items(world, type, target, &count);
    uint32_t i = items != NULL ? level_index(items, count, group) : count;
    if (items != NULL && i < count) {
        return &items[i];
    }
    items = kn_component_resize(world, type, target, count + 1);
    if (items == NULL) {
        return NULL;
    }
    items[count].group = group;
    return &items[count];
}

bool knc_diminishing_began(
    kn_world *world, kn_entity_id target, kn_diminishing_id group, bool counts)
{
    const kn_diminishing_def *def = diminishing_def(kn_world_library(world), group);
    if (def == NULL || !kn_entity_meets(world, target, &def->targets)) {
        return counts;
    }
    level_item *item = level_get(world, target, group);
    if (item == NULL) {
        return counts;
    }
    if (level_is_over(world, def, item)) {
        item->level = 0;
    }
    item->level += item->level < UINT32_MAX;
    item->active += counts ? 0 : 1;
    kn_diminished event = {group, item->level};
    (void)kn_world_publish(world, target, knc_combat_of_world(world)->buff.diminished, &event);
    return true;
}

void knc_diminishing_ended(kn_world *world, kn_entity_id target, kn_diminishing_id group)
{
    uint32_t count;
    level_item *items =
        kn_component_items(world, knc_combat_of_world(world)->buff.levels, target, &count);
    uint32_t i = items != NULL ? level_index(items, count, group) : 0;
    if (items != NULL && i < count && items[i].active > 0) {
        items[i].active--;
        items[i].ended = kn_world_now(world);
    }
}

kn_result kn_diminishing_reset(kn_world *world, kn_entity_id entity, kn_diminishing_id group)
{
    if (diminishing_def(kn_world_library(world), group) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t count;
    level_item *items = kn_component_items(
        world, knc_combat_of_world(world)->buff.levels, kn_entity_actor(world, entity), &count);
    uint32_t i = items != NULL ? level_index(items, count, group) : 0;
    if (items != NULL && i < count) {
        items[i].level = 0;
    }
    return KN_OK;
}

// What a group makes of the duration of an effect that is being applied.
static float diminishing_adjust(void *user, const kn_world *world, kn_entity_id target,
    const kn_event_record *record, float seconds)
{
    const kn_library *library = kn_world_library(world);
    (void)user;
    if (record == NULL || record->effect == NULL) {
        return seconds;
    }
    const kn_buff_def *buff =
        kn_buff_get_def(library, kn_buff_of(library, kn_spec_view_type(record->effect)));
    kn_diminishing_id group = buff != NULL ? buff->diminishing : (kn_diminishing_id){0};
    const kn_diminishing_def *def = diminishing_def(library, group);
    if (def == NULL || !kn_entity_meets(world, target, &def->targets)) {
        return seconds;
    }
    float factor = factor_of(world, target, group, def, kn_spec_view_level(record->effect));
    if (!(factor > 0.0f)) {
        kn_effect_refusal why = {.fail = (uint32_t)knc_combat_of(library)->buff.immune};
        kn_spec_view_refuse(record->effect, &why);
    }
    return factor * (def->cap > 0.0f && seconds > def->cap ? def->cap : seconds);
}

// Registration ----------------------------------------------------------------------

static const kn_field diminished_fields[] = {
    KN_FIELD_TO(kn_diminished, group, "diminishing"),
    KN_FIELD(kn_diminished, level, KN_FIELD_U32),
};

static kn_result levels_register(kn_library *library, buff_ids *ids, kn_error *error)
{
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Diminishing";
    def.size = sizeof(levels);
    def.fields = levels_fields;
    def.field_count = 1;
    def.item_size = sizeof(level_item);
    def.item_fields = level_item_fields;
    def.item_field_count = sizeof(level_item_fields) / sizeof(*level_item_fields);
    return kn_component_register(library, &def, &ids->levels, error);
}

kn_result knc_diminishing_part_register(kn_library *library, combat *kit, kn_error *error)
{
    buff_ids *ids = &kit->buff;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "diminishing";
    kind.section = "diminishing";
    kind.table = &diminishing_table;
    kind.text = "Groups of effects that last shorter each time one follows another.";
    kind.check = diminishing_check;
    kn_value_def value = kn_value_def_default();
    value.name = "Knack.Duration";
    value.adjust = diminishing_adjust;
    kn_fail_def immune = kn_fail_def_default();
    immune.name = "diminished";
    immune.text = "immune by diminishing returns";
    kn_result result = kn_kind_register(library, &kind, &ids->diminishing_kind, error);
    result = result != KN_OK ? result : kn_fail_register(library, &immune, &ids->immune, error);
    result = result != KN_OK ? result : levels_register(library, ids, error);
    result = result != KN_OK ? result : kn_value_register(library, &value, &ids->duration, error);
    return result != KN_OK ? result
                           : knc_combat_event_register(library, "Knack.Diminished",
                                 sizeof(kn_diminished), diminished_fields, 2,
                                 "has had {level} effects of {group}", &ids->diminished, error);
}
