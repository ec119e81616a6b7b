// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ability points: what units learn for them, and take back. The points that were spent on an
// ability are kept beside the free ones, so that none is lost or won by learning and refunding.

#include "parts.h"

#include <string.h>

static const unit_ids *ids_of(const kn_world *world)
{
    return &knc_rts_kit_of_world(world)->units;
}

// Abilities ---------------------------------------------------------------------------

kn_ability_id knc_rts_ability_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id found[64];
    query.type = ability;
    const uint32_t count = kn_abilities_find(world, unit, &query, found, COUNT(found));
    for (uint32_t i = 0; i < count && i < COUNT(found); i++) {
        kn_ability_info info;
        // Those that descend from the type are found as well.
        if (kn_ability_get(world, found[i], &info) && info.type.index1 == ability.index1 &&
            !info.is_removing) {
            return found[i];
        }
    }
    return (kn_ability_id){0};
}

static uint32_t level_number(float level)
{
    return level >= 1.0f ? (uint32_t)level : 0;
}

// What a client knows of a unit that somebody else controls.
static float level_seen(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    uint32_t count = 0;
    const ability_item *items =
        kn_component_read_items(world, ids_of(world)->abilities, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].ability.index1 == ability.index1) {
            return items[i].level;
        }
    }
    return 0.0f;
}

uint32_t kn_rts_ability_level_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    if (world == NULL || ability.index1 == 0) {
        return 0;
    }
    const kn_ability_id found = knc_rts_ability_of(world, unit, ability);
    const bool is_seen =
        found.index1 == 0 && kn_world_is_client(world) && knc_rts_unit_read(world, unit) != NULL;
    return level_number(
        is_seen ? level_seen(world, unit, ability) : kn_ability_level(world, found));
}

// Writes down the abilities of a unit as they are now.
void knc_rts_abilities_note(kn_world *world, kn_entity_id unit)
{
    const kn_component_type_id type = ids_of(world)->abilities;
    kn_ability_id found[64];
    ability_item now[COUNT(found)];
    uint32_t count = kn_abilities_find(world, unit, NULL, found, COUNT(found)), before = 0;
    count = count < COUNT(found) ? count : COUNT(found);
    for (uint32_t i = 0; i < count; i++) {
        kn_ability_info info = {0};
        (void)kn_ability_get(world, found[i], &info);
        now[i] = (ability_item){info.type, info.level};
    }
    const ability_item *old = kn_component_read_items(world, type, unit, &before);
    if (count == before && (count == 0 || memcmp(old, now, count * sizeof(*now)) == 0)) {
        return;
    }
    ability_item *items = kn_component_add(world, type, unit) != NULL
                              ? kn_component_resize(world, type, unit, count)
                              : NULL;
    if (items != NULL) {
        memcpy(items, now, count * sizeof(*now));
    }
}

static void abilities_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world) && knc_rts_unit_read(world, reaction->entity) != NULL &&
        !kn_entity_is_dying(world, reaction->entity)) {
        knc_rts_abilities_note(world, reaction->entity);
    }
}

static bool is_unlockable(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    for (uint32_t i = 0; def != NULL && i < def->unlockable_ability_count; i++) {
        if (def->unlockable_abilities[i].index1 == ability.index1) {
            return true;
        }
    }
    return false;
}

// Points ------------------------------------------------------------------------------

uint32_t kn_rts_points(const kn_world *world, kn_entity_id unit)
{
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    return levels != NULL ? levels->points : 0;
}

void knc_rts_points_write(kn_world *world, kn_entity_id unit, uint32_t points)
{
    unit_levels *levels = kn_component_get(world, ids_of(world)->levels, unit);
    const kn_rts_change_event event = {levels->points, points};
    if (event.before != event.after) {
        levels->points = points;
        (void)kn_world_publish(world, unit, ids_of(world)->points, &event);
    }
}

static uint32_t spent_find(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    uint32_t count = 0;
    const spent_item *items = kn_component_read_items(world, ids_of(world)->levels, unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].ability.index1 == ability.index1) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint32_t kn_rts_points_spent(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    uint32_t count = 0;
    if (knc_rts_levels_read(world, unit) == NULL) {
        return 0;
    }
    const uint32_t place = spent_find(world, unit, ability);
    const spent_item *items = kn_component_read_items(world, ids_of(world)->levels, unit, &count);
    return place != UINT32_MAX ? items[place].points : 0;
}

static bool spent_add(kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    const kn_component_type_id type = ids_of(world)->levels;
    const uint32_t place = spent_find(world, unit, ability);
    uint32_t count = 0;
    spent_item *items = kn_component_items(world, type, unit, &count);
    if (place != UINT32_MAX) {
        items[place].points++;
        return true;
    }
    items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = (spent_item){ability, 1};
    }
    return items != NULL;
}

static void spent_take(kn_world *world, kn_entity_id unit, uint32_t place)
{
    const kn_component_type_id type = ids_of(world)->levels;
    uint32_t count = 0;
    spent_item *items = kn_component_items(world, type, unit, &count);
    if (--items[place].points == 0) {
        memmove(items + place, items + place + 1, (count - place - 1) * sizeof(*items));
        (void)kn_component_resize(world, type, unit, count - 1);
    }
}

// Why not -----------------------------------------------------------------------------

bool kn_rts_can_learn(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, kn_rts_learn_info *info)
{
    kn_rts_learn_info answer = {0};
    const bool is_known =
        world != NULL && kn_ability_type_get_def(kn_world_library(world), ability) != NULL;
    if (knc_rts_unit_read(world, unit) == NULL || !is_known) {
        answer.why_not = is_known ? KN_RTS_NO_UNIT : KN_RTS_NOT_ITS;
    } else {
        const kn_library *library = kn_world_library(world);
        answer.level = kn_rts_ability_level_of(world, unit, ability);
        const bool has = answer.level > 0 || knc_rts_ability_of(world, unit, ability).index1 != 0;
        answer.max_level = kn_rts_ability_get_def(library, ability)->max_level;
        answer.required_level = kn_rts_required_level(library, ability, answer.level);
        answer.why_not |= !has && !is_unlockable(world, unit, ability) ? KN_RTS_NOT_ITS : 0;
        answer.why_not |= kn_rts_points(world, unit) == 0 ? KN_RTS_NO_POINTS : 0;
        answer.why_not |= answer.level >= answer.max_level ? KN_RTS_AT_MAXIMUM : 0;
        answer.why_not |=
            kn_rts_level(world, unit) < answer.required_level ? KN_RTS_LEVEL_TOO_LOW : 0;
        answer.why_not |= !knc_rts_tech_may_learn(world, unit, ability, answer.level + 1)
                              ? KN_RTS_NO_TECHNOLOGY
                              : 0;
    }
    if (info != NULL) {
        *info = answer;
    }
    return answer.why_not == 0;
}

// Changing --------------------------------------------------------------------------------

static void ability_publish(kn_world *world, kn_entity_id unit, kn_ability_type_id ability,
    uint32_t before, uint32_t after, bool is_paid)
{
    const kn_rts_ability_event event = {ability, before, after, is_paid};
    knc_rts_abilities_note(world, unit);
    (void)kn_world_publish(world, unit, ids_of(world)->ability, &event);
}

kn_result knc_rts_ability_grant(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, float level)
{
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    grant.type = type;
    grant.level = level;
    grant.source = unit;
    kn_result result = kn_ability_grant(world, unit, &grant, &ability);
    if (result == KN_OK) {
        (void)kn_ability_activate_by_tag(world, ability, NULL);
    }
    return result;
}

// First the ability rises and its instances are notified, then the point is spent.
static kn_result ability_raise(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, bool uses_point)
{
    const uint32_t most = kn_rts_ability_get_def(kn_world_library(world), type)->max_level;
    kn_ability_id ability = knc_rts_ability_of(world, unit, type);
    const uint32_t level = level_number(kn_ability_level(world, ability));
    if (uses_point && kn_rts_points(world, unit) == 0) {
        return KN_REFUSED_COST;
    }
    if (ability.index1 == 0 && !is_unlockable(world, unit, type)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (level >= most) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = ability.index1 != 0
                           ? kn_ability_set_level(world, &ability, (float)(level + 1))
                           : knc_rts_ability_grant(world, unit, type, 1.0f);
    if (result != KN_OK) {
        return result;
    }
    ability_publish(world, unit, type, level, level + 1, uses_point);
    if (uses_point && knc_rts_levels_read(world, unit) != NULL) {
        if (!spent_add(world, unit, type)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        knc_rts_points_write(world, unit, kn_rts_points(world, unit) - 1);
    }
    return KN_OK;
}

static kn_result ability_refund(kn_world *world, kn_entity_id unit, kn_ability_type_id type)
{
    const uint32_t place = spent_find(world, unit, type);
    if (place == UINT32_MAX) {
        return KN_REFUSED_NOT_FOUND;
    }
    // An ability that something else has revoked meanwhile gives its points back all the same.
    kn_ability_id ability = knc_rts_ability_of(world, unit, type);
    const uint32_t level = level_number(kn_ability_level(world, ability));
    spent_take(world, unit, place);
    if (level == 1 && is_unlockable(world, unit, type)) {
        (void)kn_ability_remove(world, ability, KN_GRANT_CANCEL);
    } else if (level > 0) {
        (void)kn_ability_set_level(world, &ability, (float)(level - 1));
    }
    if (level > 0) {
        ability_publish(world, unit, type, level, level - 1, true);
    }
    if (knc_rts_levels_read(world, unit) != NULL) {
        knc_rts_points_write(world, unit, kn_rts_points(world, unit) + 1);
    }
    return KN_OK;
}

// What was learned last goes first.
static void abilities_reset(kn_world *world, kn_entity_id unit)
{
    uint32_t count = 0;
    const spent_item *items = kn_component_read_items(world, ids_of(world)->levels, unit, &count);
    while (count > 0 && ability_refund(world, unit, items[count - 1].ability) == KN_OK) {
        items = kn_component_read_items(world, ids_of(world)->levels, unit, &count);
    }
}

kn_result knc_rts_points_run(kn_world *world, kn_entity_id unit, const level_call *call)
{
    const uint32_t missing = KN_RTS_LEVEL_TOO_LOW | KN_RTS_NO_TECHNOLOGY;
    kn_rts_learn_info info;
    switch ((level_call_kind)call->kind) {
    case LEVEL_CALL_POINTS:
        knc_rts_points_write(world, unit, (uint32_t)call->number);
        return KN_OK;
    case LEVEL_CALL_LEARN:
        (void)kn_rts_can_learn(world, unit, call->ability, &info);
        return info.why_not != 0 && (info.why_not & ~missing) == 0
                   ? KN_REFUSED_REQUIREMENT
                   : ability_raise(world, unit, call->ability, true);
    case LEVEL_CALL_RAISE:
        return ability_raise(world, unit, call->ability, call->number != 0);
    case LEVEL_CALL_REFUND:
        return ability_refund(world, unit, call->ability);
    default:
        abilities_reset(world, unit);
        return KN_OK;
    }
}

static kn_result points_do(
    kn_world *world, kn_entity_id unit, level_call_kind kind, kn_ability_type_id ability, bool paid)
{
    const level_call call = {.kind = kind, .ability = ability, .number = paid};
    kn_result result = knc_rts_unit_check(world, unit);
    if (result != KN_OK) {
        return result;
    }
    if (kind != LEVEL_CALL_RESET &&
        kn_ability_type_get_def(kn_world_library(world), ability) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return knc_rts_level_do(world, unit, &call);
}

kn_result kn_rts_learn(kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    return points_do(world, unit, LEVEL_CALL_LEARN, ability, true);
}

kn_result kn_rts_raise_ability(
    kn_world *world, kn_entity_id unit, kn_ability_type_id ability, bool uses_point)
{
    return points_do(world, unit, LEVEL_CALL_RAISE, ability, uses_point);
}

kn_result kn_rts_refund_ability(kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    return points_do(world, unit, LEVEL_CALL_REFUND, ability, false);
}

kn_result kn_rts_reset_abilities(kn_world *world, kn_entity_id unit)
{
    return points_do(world, unit, LEVEL_CALL_RESET, (kn_ability_type_id){0}, false);
}

// The command of players --------------------------------------------------------------------

static kn_result learn_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_rts_learn_command *payload = command->payload;
    (void)user;
    // A client leaves it to the server.
    return kn_world_is_client(world) ? KN_OK
                                     : kn_rts_learn(world, command->entity, payload->ability);
}

static kn_result abilities_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(unit_abilities, unused, KN_FIELD_U32)};
    static const kn_field items[] = {
        KN_FIELD_TO(ability_item, ability, "ability"),
        KN_FIELD(ability_item, level, KN_FIELD_F32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsAbilities";
    def.size = sizeof(unit_abilities);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(ability_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    kn_result result = kn_component_register(library, &def, &kit->units.abilities, error);
    if (result == KN_OK) {
        result =
            knc_rts_rule_register(library, "Knack.RtsAbilityGranted", KN_TRIGGER_ABILITY_GRANTED,
                (kn_tag){0}, (kn_attribute_id){0}, abilities_rule, NULL, error);
    }
    return result != KN_OK ? result
                           : knc_rts_rule_register(library, "Knack.RtsAbilityRemoved",
                                 KN_TRIGGER_ABILITY_REMOVED, (kn_tag){0}, (kn_attribute_id){0},
                                 abilities_rule, NULL, error);
}

kn_result knc_rts_points_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD_TO(kn_rts_learn_command, ability, "ability")};
    kn_command_def def = kn_command_def_default();
    def.name = "rts_learn";
    def.size = sizeof(kn_rts_learn_command);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.function = learn_command;
    kn_result result = kn_command_register(library, &def, &kit->units.learn, error);
    return result != KN_OK ? result : abilities_register(library, kit, error);
}
