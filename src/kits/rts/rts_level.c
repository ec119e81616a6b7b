// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Experience and levels. The level always follows from the experience, so that clients can compute
// it. Calls that hooks of a unit make about it wait until they are done.

#include "parts.h"

#include <math.h>
#include <string.h>

#define TURNS_MAX 256 // calls that hooks of one unit may make before its turn is over

static const unit_ids *ids_of(const kn_world *world)
{
    return &knc_rts_kit_of_world(world)->units;
}

const unit_levels *knc_rts_levels_read(const kn_world *world, kn_entity_id unit)
{
    return knc_rts_unit_read(world, unit) != NULL
               ? kn_component_read(world, ids_of(world)->levels, unit)
               : NULL;
}

static const unit_plan *plan_of(const kn_world *world, kn_entity_id unit)
{
    return knc_rts_unit_plan(kn_world_library(world), kn_rts_unit_get_type(world, unit));
}

// The highest level whose experience is there; the table of totals only grows.
uint32_t knc_rts_level_for(const unit_plan *plan, float experience)
{
    uint32_t low = 0, high = plan->total_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (experience >= plan->totals[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + 1;
}

// Reading ---------------------------------------------------------------------------

uint32_t kn_rts_level(const kn_world *world, kn_entity_id unit)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    if (def == NULL || levels == NULL) {
        return def != NULL ? def->level : 0;
    }
    return kn_world_is_client(world) ? knc_rts_level_for(plan_of(world, unit), levels->experience)
                                     : levels->level;
}

float kn_rts_experience(const kn_world *world, kn_entity_id unit)
{
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    return levels != NULL ? levels->experience : 0.0f;
}

bool kn_rts_can_level(const kn_world *world, kn_entity_id unit)
{
    return knc_rts_levels_read(world, unit) != NULL;
}

static float total_of(const kn_world *world, kn_entity_id unit, uint32_t level)
{
    return kn_rts_experience_for_level(
        kn_world_library(world), kn_rts_unit_get_type(world, unit), level);
}

float kn_rts_level_experience(const kn_world *world, kn_entity_id unit)
{
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    return levels != NULL ? levels->experience - total_of(world, unit, kn_rts_level(world, unit))
                          : 0.0f;
}

float kn_rts_next_level_experience(const kn_world *world, kn_entity_id unit)
{
    const uint32_t level = kn_rts_level(world, unit);
    return knc_rts_levels_read(world, unit) != NULL
               ? total_of(world, unit, level + 1) - total_of(world, unit, level)
               : 0.0f;
}

float kn_rts_level_progress(const kn_world *world, kn_entity_id unit)
{
    const float next = kn_rts_next_level_experience(world, unit);
    const float share = next > 0.0f ? kn_rts_level_experience(world, unit) / next : 1.0f;
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

float kn_rts_granted_experience(const kn_world *world, kn_entity_id unit)
{
    const unit_state *state = knc_rts_unit_read(world, unit);
    const kn_rts_unit_def *def = state != NULL ? knc_rts_unit_def(world, state->type) : NULL;
    if (def == NULL || state->granted >= 0.0f) {
        return def != NULL ? state->granted : 0.0f;
    }
    return knc_rts_scalable(
        kn_world_library(world), &def->granted_experience, (float)kn_rts_level(world, unit));
}

kn_result kn_rts_set_granted_experience(kn_world *world, kn_entity_id unit, float experience)
{
    kn_result result = knc_rts_unit_check(world, unit);
    if (result != KN_OK || !isfinite(experience)) {
        return result != KN_OK ? result : KN_REFUSED_BAD_NUMBER;
    }
    unit_state *state = kn_component_get(world, ids_of(world)->state, unit);
    state->granted = experience >= 0.0f ? experience : -1.0f;
    return KN_OK;
}

// Changing --------------------------------------------------------------------------

static unit_levels *levels_get(kn_world *world, kn_entity_id unit)
{
    return kn_component_get(world, ids_of(world)->levels, unit);
}

static void experience_write(kn_world *world, kn_entity_id unit, float experience)
{
    unit_levels *levels = levels_get(world, unit);
    const kn_rts_unit_type_id type = kn_rts_unit_get_type(world, unit);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    kn_rts_experience_call call = {levels->experience, experience};
    if (call.before == call.after) {
        return;
    }
    levels->experience = experience;
    const kn_rts_experience_event event = {
        .before = call.before, .after = call.after, .level = levels->level};
    (void)kn_world_publish(world, unit, ids_of(world)->experience, &event);
    (void)kn_hook_run(
        world, ids_of(world)->unit_kind, type.index1, &def->experience_changed, unit, &call);
}

static void effect_apply(
    kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def, uint32_t level)
{
    if (def->level_effect.index1 != 0) {
        (void)kn_effect_apply_simple(world, def->level_effect, unit, unit, (float)level, NULL);
    }
}

// Each level gives its points once, however often it is reached.
static void points_give(
    kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def, uint32_t level)
{
    unit_levels *levels = levels_get(world, unit);
    if (level <= levels->paid) {
        return;
    }
    const uint64_t points =
        levels->points + (uint64_t)(level - levels->paid) * def->points_per_level;
    levels->paid = level;
    knc_rts_points_write(world, unit, points < UINT32_MAX ? (uint32_t)points : UINT32_MAX);
}

// The level itself changes last. False if a hook made the unit end.
static bool level_change(kn_world *world, kn_entity_id unit, uint32_t level)
{
    const kn_rts_unit_type_id type = kn_rts_unit_get_type(world, unit);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    kn_rts_level_call call = {levels_get(world, unit)->level, level};
    const bool rises = call.after > call.before;
    if (call.before == call.after) {
        return true;
    }
    if (rises && !def->level_effect_last) {
        effect_apply(world, unit, def, level);
    }
    if (!knc_rts_unit_initialize(world, unit, level, false)) {
        return false;
    }
    if (rises && def->level_effect_last) {
        effect_apply(world, unit, def, level);
    }
    if (levels_get(world, unit) == NULL) {
        return false;
    }
    if (rises) {
        points_give(world, unit, def, level);
    }
    levels_get(world, unit)->level = level;
    const kn_rts_change_event event = {call.before, call.after};
    (void)kn_world_publish(world, unit, ids_of(world)->level, &event);
    (void)kn_hook_run(
        world, ids_of(world)->unit_kind, type.index1, &def->level_changed, unit, &call);
    return levels_get(world, unit) != NULL;
}

static kn_result experience_add(kn_world *world, kn_entity_id unit, float amount)
{
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    const unit_plan *plan = plan_of(world, unit);
    const float sum = levels->experience + amount;
    if (levels->level >= plan->total_count) {
        return KN_REFUSED_LIMIT;
    }
    if (!isfinite(sum)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    experience_write(world, unit, sum);
    levels = knc_rts_levels_read(world, unit);
    if (levels != NULL) {
        // After a reload with other tables the level may be higher: then it stays.
        const uint32_t level = knc_rts_level_for(plan, levels->experience);
        (void)level_change(world, unit, level > levels->level ? level : levels->level);
    }
    return KN_OK;
}

static void level_set(kn_world *world, kn_entity_id unit, int32_t level)
{
    const uint32_t most = plan_of(world, unit)->total_count;
    const uint32_t highest = most > 1 ? most : 1;
    const uint32_t wanted = level < 1 ? 1 : (uint32_t)level > highest ? highest : (uint32_t)level;
    if (wanted != knc_rts_levels_read(world, unit)->level && level_change(world, unit, wanted)) {
        experience_write(world, unit, total_of(world, unit, wanted));
    }
}

static kn_result call_run(kn_world *world, kn_entity_id unit, const level_call *call)
{
    switch ((level_call_kind)call->kind) {
    case LEVEL_CALL_ADD:
        return experience_add(world, unit, call->amount);
    case LEVEL_CALL_SET:
        level_set(world, unit, call->number);
        return KN_OK;
    default:
        return knc_rts_points_run(world, unit, call);
    }
}

// Turns -----------------------------------------------------------------------------

static bool call_take(kn_world *world, kn_entity_id unit, level_call *out)
{
    const kn_component_type_id type = ids_of(world)->turns;
    uint32_t count = 0;
    level_call *calls = kn_component_items(world, type, unit, &count);
    if (count == 0) {
        return false;
    }
    *out = calls[0];
    memmove(calls, calls + 1, (count - 1) * sizeof(*calls));
    (void)kn_component_resize(world, type, unit, count - 1);
    return true;
}

typedef struct turn_call {
    kn_entity_id unit;
    const level_call *call;
} turn_call;

static kn_result turn_run(void *user, kn_world *world)
{
    const turn_call *c = user;
    const kn_component_type_id type = ids_of(world)->turns;
    unit_turn *turn = kn_component_add(world, type, c->unit);
    level_call next;
    if (turn == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (turn->busy == knc_rts_busy_now(world)) {
        uint32_t count = 0;
        (void)kn_component_read_items(world, type, c->unit, &count);
        level_call *calls =
            count < TURNS_MAX ? kn_component_resize(world, type, c->unit, count + 1) : NULL;
        if (calls != NULL) {
            calls[count] = *c->call;
        }
        return calls != NULL ? KN_OK : KN_REFUSED_LIMIT;
    }
    turn->busy = knc_rts_busy_now(world);
    (void)kn_component_resize(world, type, c->unit, 0); // a damaged save may have some
    kn_result result = call_run(world, c->unit, c->call);
    for (uint32_t i = 0; i < TURNS_MAX && call_take(world, c->unit, &next); i++) {
        // Abilities can rise without levels; all other calls need them.
        if (knc_rts_unit_read(world, c->unit) != NULL &&
            (next.kind == LEVEL_CALL_RAISE || knc_rts_levels_read(world, c->unit) != NULL)) {
            (void)call_run(world, c->unit, &next);
        }
    }
    if (call_take(world, c->unit, &next)) {
        const kn_event_error error = {.code = KN_REFUSED_LIMIT};
        (void)kn_world_report(world, c->unit, &error);
    }
    (void)kn_component_remove(world, type, c->unit);
    return result;
}

kn_result knc_rts_level_do(kn_world *world, kn_entity_id unit, const level_call *call)
{
    turn_call c = {unit, call};
    return kn_world_call(world, turn_run, &c);
}

static kn_result levels_check(const kn_world *world, kn_entity_id unit)
{
    kn_result result = knc_rts_unit_check(world, unit);
    if (result != KN_OK) {
        return result;
    }
    return knc_rts_levels_read(world, unit) != NULL ? KN_OK : KN_REFUSED_REQUIREMENT;
}

kn_result kn_rts_add_experience(kn_world *world, kn_entity_id unit, float amount)
{
    kn_result result = levels_check(world, unit);
    if (result != KN_OK) {
        return result;
    }
    if (!isfinite(amount) || amount < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const level_call call = {.kind = LEVEL_CALL_ADD, .amount = amount};
    return knc_rts_level_do(world, unit, &call);
}

kn_result kn_rts_set_level(kn_world *world, kn_entity_id unit, int32_t level)
{
    kn_result result = levels_check(world, unit);
    const level_call call = {.kind = LEVEL_CALL_SET, .number = level};
    return result != KN_OK ? result : knc_rts_level_do(world, unit, &call);
}

kn_result kn_rts_set_points(kn_world *world, kn_entity_id unit, uint32_t points)
{
    kn_result result = levels_check(world, unit);
    const level_call call = {
        .kind = LEVEL_CALL_POINTS, .number = points < INT32_MAX ? (int32_t)points : INT32_MAX};
    return result != KN_OK ? result : knc_rts_level_do(world, unit, &call);
}

bool knc_rts_levels_begin(kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def)
{
    if (!def->can_level) {
        return true;
    }
    unit_levels *levels = kn_component_add(world, ids_of(world)->levels, unit);
    if (levels == NULL) {
        return false;
    }
    *levels = (unit_levels){.experience = total_of(world, unit, def->level),
        .points = def->ability_points,
        .level = def->level,
        .paid = def->level};
    return true;
}

// Registering -----------------------------------------------------------------------------

static kn_result components_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field spent[] = {
        KN_FIELD_TO(spent_item, ability, "ability"),
        KN_FIELD(spent_item, points, KN_FIELD_U32),
    };
    static const kn_field turn[] = {KN_FIELD(unit_turn, busy, KN_FIELD_U32)};
    static const kn_field calls[] = {
        KN_FIELD(level_call, kind, KN_FIELD_U32),
        KN_FIELD(level_call, amount, KN_FIELD_F32),
        KN_FIELD(level_call, number, KN_FIELD_I32),
        KN_FIELD_TO(level_call, ability, "ability"),
    };
    kn_field levels[] = {
        KN_FIELD(unit_levels, experience, KN_FIELD_F32),
        KN_FIELD(unit_levels, points, KN_FIELD_U32),
        KN_FIELD(unit_levels, level, KN_FIELD_U32),
        KN_FIELD(unit_levels, paid, KN_FIELD_U32),
    };
    levels[2].sync = KN_SYNC_NONE;
    levels[3].sync = KN_SYNC_NONE;
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsLevels";
    def.size = sizeof(unit_levels);
    def.fields = levels;
    def.field_count = COUNT(levels);
    def.item_size = sizeof(spent_item);
    def.item_fields = spent;
    def.item_field_count = COUNT(spent);
    kn_result result = kn_component_register(library, &def, &kit->units.levels, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.RtsTurn";
    def.size = sizeof(unit_turn);
    def.fields = turn;
    def.field_count = COUNT(turn);
    def.item_size = sizeof(level_call);
    def.item_fields = calls;
    def.item_field_count = COUNT(calls);
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->units.turns, error);
}

static kn_result events_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field experience[] = {
        KN_FIELD(kn_rts_experience_event, before, KN_FIELD_F32),
        KN_FIELD(kn_rts_experience_event, after, KN_FIELD_F32),
        KN_FIELD(kn_rts_experience_event, level, KN_FIELD_U32),
        KN_FIELD(kn_rts_experience_event, unused, KN_FIELD_U32),
    };
    static const kn_field change[] = {
        KN_FIELD(kn_rts_change_event, before, KN_FIELD_U32),
        KN_FIELD(kn_rts_change_event, after, KN_FIELD_U32),
    };
    static const kn_field ability[] = {
        KN_FIELD_TO(kn_rts_ability_event, ability, "ability"),
        KN_FIELD(kn_rts_ability_event, before, KN_FIELD_U32),
        KN_FIELD(kn_rts_ability_event, after, KN_FIELD_U32),
        KN_FIELD(kn_rts_ability_event, is_paid, KN_FIELD_U32),
    };
    static const kn_field killed[] = {
        KN_FIELD(kn_rts_killed_event, killer, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_killed_event, experience, KN_FIELD_F32),
        KN_FIELD(kn_rts_killed_event, assists, KN_FIELD_U32),
    };
    static const kn_field assist[] = {
        KN_FIELD(kn_rts_assist_event, killed, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_assist_event, damage, KN_FIELD_F32),
        KN_FIELD(kn_rts_assist_event, experience, KN_FIELD_F32),
    };
    unit_ids *ids = &kit->units;
    const struct {
        const char *name, *text;
        const kn_field *fields;
        uint32_t count, size;
        kn_custom_event_id *id;
    } rows[] = {
        {"Knack.RtsExperience", "experience {before} -> {after}", experience, COUNT(experience),
            sizeof(kn_rts_experience_event), &ids->experience},
        {"Knack.RtsLevel", "level {before} -> {after}", change, COUNT(change),
            sizeof(kn_rts_change_event), &ids->level},
        {"Knack.RtsPoints", "ability points {before} -> {after}", change, COUNT(change),
            sizeof(kn_rts_change_event), &ids->points},
        {"Knack.RtsAbility", "{ability} level {before} -> {after}", ability, COUNT(ability),
            sizeof(kn_rts_ability_event), &ids->ability},
        {"Knack.RtsKilled", "is killed by {killer}", killed, COUNT(killed),
            sizeof(kn_rts_killed_event), &ids->killed},
        {"Knack.RtsAssist", "helped to kill {killed}", assist, COUNT(assist),
            sizeof(kn_rts_assist_event), &ids->assist},
    };
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        result = knc_rts_event_register(library, rows[i].name, rows[i].size, rows[i].fields,
            rows[i].count, rows[i].text, rows[i].id, error);
    }
    return result;
}

kn_result knc_rts_levels_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_result result = components_register(library, kit, error);
    return result != KN_OK ? result : events_register(library, kit, error);
}
