// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Outcomes of hits: missed, blocked, critical. They are tried in the order of registration, and
// only a chance that is not certain draws a number.

#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OUTCOME_COOKIE 0x6374756fu

kn_outcome_def kn_outcome_def_default(void)
{
    kn_outcome_def def = {.chance = kn_magnitude_constant(0.0f),
        .factor = kn_magnitude_constant(1.0f),
        .cookie = OUTCOME_COOKIE};
    return def;
}

static void outcome_init(void *def)
{
    *(kn_outcome_def *)def = kn_outcome_def_default();
}

static const char *const outcome_of_words[] = {"both", "damage", "healing"};

static const kn_def_field outcome_fields[] = {
    KN_DEF_F(kn_outcome_def, name, KN_DEF_FIELD_STRING,
        "Unique name of the outcome, such as `Critical`; required."),
    KN_DEF_F_REF(kn_outcome_def, tag, KN_DEF_TAG,
        "Tag that a hit with this outcome has; default `Knack.Outcome.` and the name of the "
        "outcome, which must be registered."),
    KN_DEF_F_ENUM(
        kn_outcome_def, of, outcome_of_words, "Which hits can have this outcome; default both."),
    KN_DEF_F_PART(kn_outcome_def, chance, "kn_magnitude",
        "Probability of the outcome, 0 to 1; source and target are those of the hit; default 0."),
    KN_DEF_F_REF(kn_outcome_def, chance_value, KN_DEF_VALUE,
        "Transient value of the source whose modifiers change the chance; default none."),
    KN_DEF_F_PART(kn_outcome_def, factor, "kn_magnitude",
        "What the amount of the hit is multiplied by, at least 0; default 1."),
    KN_DEF_F_REF(kn_outcome_def, factor_value, KN_DEF_VALUE,
        "Transient value of the source whose modifiers change the factor; default none."),
    KN_DEF_F_PART(kn_outcome_def, tags, "kn_tag_requirement",
        "Tags that the hit must have, or must not have; those of earlier outcomes count."),
    KN_DEF_F_REF(kn_outcome_def, when, KN_DEF_CONDITION,
        "Condition that must hold for the hit; default: always."),
    KN_DEF_F(kn_outcome_def, only_direct, KN_FIELD_BOOL,
        "Periodic hits never have this outcome; default false."),
    KN_DEF_F(kn_outcome_def, ends, KN_FIELD_BOOL,
        "No further outcomes are tried once this one has happened; default false."),
    KN_DEF_F(kn_outcome_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table outcome_table = {"outcome_def", sizeof(kn_outcome_def), outcome_fields,
    sizeof(outcome_fields) / sizeof(*outcome_fields), outcome_init};

static bool magnitude_is_constant(const kn_magnitude *magnitude)
{
    return magnitude->kind == KN_MAGNITUDE_SCALABLE && magnitude->scale.curve.index1 == 0 &&
           magnitude->scale.parameter.index1 == 0 && magnitude->final_curve.index1 == 0;
}

// What only an effect that is applied has.
static bool magnitude_needs_effect(const kn_magnitude *magnitude)
{
    return magnitude->kind > KN_MAGNITUDE_CALCULATION || magnitude->scale.parameter.index1 != 0;
}

static kn_result outcome_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_outcome_def *def = item;
    (void)user;
    (void)library;
    if (magnitude_needs_effect(&def->chance) || magnitude_needs_effect(&def->factor)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "outcome `%s`: chance and factor must be numbers, attributes or formulas; an outcome "
            "has no parameters, caller values, stacks or ticks",
            def->name);
    }
    float chance = def->chance.scale.value;
    if (magnitude_is_constant(&def->chance) && !(chance >= 0.0f && chance <= 1.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "outcome `%s`: its chance must be 0 to 1, such as 0.2 for 20 %%", def->name);
    }
    if (magnitude_is_constant(&def->factor) && !(def->factor.scale.value >= 0.0f)) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "outcome `%s`: its factor must be at least 0", def->name);
    }
    return KN_OK;
}

static kn_result outcome_tag_find(
    const kn_library *library, const kn_outcome_def *def, kn_tag *tag, kn_error *error)
{
    char name[KN_TAG_NAME_MAX + 1];
    *tag = def->tag;
    if (tag->index1 != 0) {
        return KN_OK;
    }
    (void)snprintf(name, sizeof(name), "Knack.Outcome.%s", def->name);
    *tag = kn_tag_find(library, name);
    return tag->index1 != 0 ? KN_OK
                            : kn_error_set(error, KN_ERROR_BAD_DATA,
                                  "outcome `%s` needs a tag: register `%s`, or name another one "
                                  "with tag",
                                  def->name, name);
}

static kn_result outcome_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    hit_ids *ids = user;
    uint32_t count = kn_def_count(library, kind);
    free(ids->own_tags);
    ids->own_tag_count = 0;
    ids->own_tags = calloc(count + 1u, sizeof(*ids->own_tags));
    if (ids->own_tags == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        kn_result result =
            outcome_tag_find(library, kn_def_get(library, kind, i + 1), &ids->own_tags[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    ids->own_tag_count = count;
    return knc_hit_check_effects(library, ids, error);
}

kn_result kn_outcome_register(
    kn_library *library, const kn_outcome_def *def, kn_outcome_id *outcome, kn_error *error)
{
    kn_outcome_id ignored;
    outcome = outcome != NULL ? outcome : &ignored;
    *outcome = (kn_outcome_id){0};
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_combat_of(library)->hit.outcome_kind, def, &outcome->index1, error);
}

const kn_outcome_def *kn_outcome_get_def(const kn_library *library, kn_outcome_id outcome)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->hit.outcome_kind, outcome.index1)
               : NULL;
}

kn_tag kn_outcome_tag(const kn_library *library, kn_outcome_id outcome)
{
    const hit_ids *ids = kn_combat_is_there(library) ? &knc_combat_of(library)->hit : NULL;
    if (ids == NULL || outcome.index1 - 1u >= ids->own_tag_count) {
        return (kn_tag){0};
    }
    return ids->own_tags[outcome.index1 - 1];
}

bool knc_outcome_exists(const kn_library *library, kn_tag tag)
{
    const hit_ids *ids = &knc_combat_of(library)->hit;
    for (uint32_t i = 0; i < ids->own_tag_count; i++) {
        if (ids->own_tags[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

// Drawing -------------------------------------------------------------------------

static bool outcome_is_for(
    const kn_world *world, const hit_call *call, const kn_outcome_def *def, float amount)
{
    const kn_hit_def *hit = &call->def;
    if (def->of != KN_OUTCOME_OF_BOTH &&
        (def->of == KN_OUTCOME_OF_DAMAGE) != (hit->kind == KN_HIT_DAMAGE)) {
        return false;
    }
    if (def->only_direct && (hit->flags & KN_HIT_PERIODIC) != 0) {
        return false;
    }
    if (!kn_tag_requirement_is_met(kn_world_library(world), &def->tags, hit->tags)) {
        return false;
    }
    if (def->when.index1 == 0) {
        return true;
    }
    kn_event_record record = knc_hit_record(call, amount);
    return kn_condition_holds(world, def->when, &record);
}

// A number of an outcome, and what modifiers of the source make of it; false if it cannot be
// evaluated.
static bool outcome_number(const kn_world *world, const hit_call *call,
    const kn_magnitude *magnitude, kn_value_id value, float amount, float *number)
{
    const kn_hit_def *hit = &call->def;
    if (kn_magnitude_evaluate(world, magnitude, hit->source, hit->target, hit->level, number) !=
        KN_OK) {
        return false;
    }
    if (value.index1 != 0) {
        kn_event_record record = knc_hit_record(call, amount);
        *number = kn_value_evaluate(world, hit->source, value, *number, &record, false);
    }
    return true;
}

bool knc_outcome_odds_of(
    const kn_world *world, const hit_call *call, uint32_t index1, float amount, outcome_odds *odds)
{
    const hit_ids *ids = &call->kit->hit;
    odds->def = kn_def_get(kn_world_library(world), ids->outcome_kind, index1);
    odds->tag = ids->own_tags[index1 - 1];
    if (call->def.outcome.index1 != 0) {
        odds->chance = 1.0f;
        return call->def.outcome.index1 == odds->tag.index1;
    }
    if (!outcome_is_for(world, call, odds->def, amount) ||
        !outcome_number(
            world, call, &odds->def->chance, odds->def->chance_value, amount, &odds->chance)) {
        return false;
    }
    odds->chance = odds->chance > 1.0f ? 1.0f : odds->chance;
    return odds->chance > 0.0f;
}

float knc_outcome_factor(
    const kn_world *world, const hit_call *call, const outcome_odds *odds, float amount)
{
    float factor;
    if (!outcome_number(
            world, call, &odds->def->factor, odds->def->factor_value, amount, &factor)) {
        return 1.0f;
    }
    return factor > 0.0f ? factor : 0.0f;
}

float knc_outcomes_draw(kn_world *world, hit_call *call, float amount)
{
    const hit_ids *ids = &call->kit->hit;
    for (uint32_t i = 1; i <= ids->own_tag_count; i++) {
        outcome_odds odds;
        if (!knc_outcome_odds_of(world, call, i, amount, &odds)) {
            continue;
        }
        if (odds.chance < 1.0f && kn_random_float(world, ids->stream) >= odds.chance) {
            continue;
        }
        float factor = knc_outcome_factor(world, call, &odds, amount);
        amount *= factor;
        knc_hit_add_outcome(call, odds.tag);
        knc_hit_note_outcome(call, odds.tag, factor, amount);
        if (odds.def->ends) {
            break;
        }
    }
    return amount;
}

// Registration ------------------------------------------------------------------------

kn_result knc_outcome_kind_register(kn_library *library, combat *kit, kn_error *error)
{
    static const char *const names[HIT_OUTCOME_TAGS] = {"Knack.Outcome.Missed",
        "Knack.Outcome.Dodged", "Knack.Outcome.Parried", "Knack.Outcome.Blocked",
        "Knack.Outcome.Critical", "Knack.Outcome.Absorbed", "Knack.Outcome.Immune"};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "outcome";
    kind.section = "outcomes";
    kind.table = &outcome_table;
    kind.text = "What may become of a hit, such as a miss or a critical hit, tried in this order.";
    kind.check = outcome_check;
    kind.finish = outcome_finish;
    kind.user = &kit->hit;
    kn_result result =
        knc_combat_tags_register(library, names, HIT_OUTCOME_TAGS, kit->hit.outcome_tags, error);
    result = result != KN_OK
                 ? result
                 : kn_stream_register(library, "Knack.Hits", false, &kit->hit.stream, error);
    return result != KN_OK ? result
                           : kn_kind_register(library, &kind, &kit->hit.outcome_kind, error);
}
