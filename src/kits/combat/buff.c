// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What combat knows of effects: definitions, the items that bearers keep for them, and the rules
// that create and remove these. Effects that no definition is about cost a look into a table.

#include "parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUFF_COOKIE 0x6666626bu
#define ENDING_MAX 256 // effects of one bearer that its death ends at a time

// The definition --------------------------------------------------------------------

kn_absorb_def kn_absorb_def_default(void)
{
    kn_absorb_def def = {
        .amount = kn_magnitude_constant(0.0f), .share = 1.0f, .bypass = 1.0f, .points = 1.0f};
    return def;
}

kn_share_def kn_share_def_default(void)
{
    kn_share_def def = {.part = kn_magnitude_constant(0.0f), .to = KN_RECIPIENT_SOURCE};
    return def;
}

kn_reflect_def kn_reflect_def_default(void)
{
    kn_reflect_def def = {.part = kn_magnitude_constant(0.0f)};
    return def;
}

kn_buff_def kn_buff_def_default(void)
{
    kn_buff_def def = {
        .resistance = kn_magnitude_constant(0.0f),
        .removed_on_death = true,
        .breaks_after = kn_magnitude_constant(-1.0f),
        .absorb = kn_absorb_def_default(),
        .shares = kn_share_def_default(),
        .reflects = kn_reflect_def_default(),
        .cookie = BUFF_COOKIE,
    };
    return def;
}

static void absorb_init(void *def)
{
    *(kn_absorb_def *)def = kn_absorb_def_default();
}

static void share_init(void *def)
{
    *(kn_share_def *)def = kn_share_def_default();
}

static void reflect_init(void *def)
{
    *(kn_reflect_def *)def = kn_reflect_def_default();
}

static void buff_init(void *def)
{
    *(kn_buff_def *)def = kn_buff_def_default();
}

static const char *const polarity_words[] = {"buff", "debuff", "hidden"};
static const char *const again_words[] = {"larger", "sum", "replace", "keep"};
static const char *const recipient_words[] = {"target", "source", "instigator"};

static const kn_def_field absorb_fields[] = {
    KN_DEF_F_PART(kn_absorb_def, amount, "kn_magnitude",
        "What the pool absorbs in all, evaluated when the effect is applied; 0, the default: "
        "nothing, or without limit if there is `pays`."),
    KN_DEF_F_ENUM_OF(kn_absorb_def, kind, "kn_hit_kind",
        "What the pool absorbs: damage or healing; default damage."),
    KN_DEF_F_PART(kn_absorb_def, hits, "kn_tag_requirement",
        "Tags that a hit must have, or must not have; default: all hits."),
    KN_DEF_F(kn_absorb_def, priority, KN_FIELD_I32,
        "Pools with a higher priority come first, then older ones; default 0."),
    KN_DEF_F(kn_absorb_def, share, KN_FIELD_F32,
        "The part of each hit that the pool takes at most, 0 to 1; default 1: all of it."),
    KN_DEF_F(kn_absorb_def, bypassed_by, KN_DEF_FIELD_TAGS,
        "Hits with any of these tags pass, as far as `bypass` says."),
    KN_DEF_F(kn_absorb_def, bypass, KN_FIELD_F32,
        "The part of a hit with a tag of `bypassed_by` that passes, 0 to 1; default 1: all of it."),
    KN_DEF_F(kn_absorb_def, pays, KN_FIELD_ATTRIBUTE,
        "Attribute of the bearer that pays for what is absorbed, such as mana: without it nothing "
        "is absorbed; default none."),
    KN_DEF_F(kn_absorb_def, points, KN_FIELD_F32,
        "Points that one unit of `pays` absorbs, above 0; default 1."),
    KN_DEF_F_ENUM(kn_absorb_def, again, again_words,
        "What a further application does to the pool: `larger` keeps what is left or the new "
        "amount, whichever is larger, `sum` adds it, `replace` takes it, `keep` ignores it; "
        "default larger."),
};
static const kn_def_table absorb_table = {"absorb_def", sizeof(kn_absorb_def), absorb_fields,
    sizeof(absorb_fields) / sizeof(*absorb_fields), absorb_init};

static const kn_def_field share_fields[] = {
    KN_DEF_F_PART(kn_share_def, part, "kn_magnitude",
        "The part of each hit that somebody else takes, 0 to 1; default 0: nothing."),
    KN_DEF_F_ENUM(kn_share_def, to, recipient_words,
        "Who takes it: the source of the effect, or its instigator; default source."),
    KN_DEF_F_PART(kn_share_def, hits, "kn_tag_requirement",
        "Tags that a hit must have, or must not have; default: all hits."),
};
static const kn_def_table share_table = {"share_def", sizeof(kn_share_def), share_fields,
    sizeof(share_fields) / sizeof(*share_fields), share_init};

static const kn_def_field reflect_fields[] = {
    KN_DEF_F_PART(kn_reflect_def, part, "kn_magnitude",
        "The part of what the bearer lost and absorbed that the one who dealt it takes too; "
        "default 0: nothing."),
    KN_DEF_F_PART(kn_reflect_def, hits, "kn_tag_requirement",
        "Tags that a hit must have, or must not have; default: all hits."),
    KN_DEF_F(kn_reflect_def, tags, KN_DEF_FIELD_TAGS,
        "Tags of the reflected hit; default: those of the hit."),
    KN_DEF_F(kn_reflect_def, reflected, KN_FIELD_BOOL,
        "Reflected hits are reflected again; default false."),
};
static const kn_def_table reflect_table = {"reflect_def", sizeof(kn_reflect_def), reflect_fields,
    sizeof(reflect_fields) / sizeof(*reflect_fields), reflect_init};

static const kn_def_field buff_fields[] = {
    KN_DEF_F(kn_buff_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_buff_def, effect, KN_DEF_EFFECT,
        "The effect that the buff is about; default: the one with the same name."),
    KN_DEF_F_ENUM_OF(kn_buff_def, polarity, "kn_polarity",
        "Whether the effect helps or harms its bearer, or is hidden; default buff."),
    KN_DEF_F_REF(kn_buff_def, dispel_type, KN_DEF_TAG,
        "What dispels the effect, such as `Dispel.Magic`; default: only dispels of every type."),
    KN_DEF_F(kn_buff_def, strength, KN_FIELD_F32,
        "A dispel needs at least this strength to remove the effect; default 0."),
    KN_DEF_F_PART(kn_buff_def, resistance, "kn_magnitude",
        "Chance that a dispel of the effect fails, 0 to 1; at 1 dispels pass it over; default 0."),
    KN_DEF_F(kn_buff_def, priority, KN_FIELD_I32,
        "Dispels take effects with a higher priority first; default 0."),
    KN_DEF_F(kn_buff_def, removed_on_death, KN_FIELD_BOOL,
        "The effect ends when its bearer dies; default true."),
    KN_DEF_F_PART(kn_buff_def, breaks_after, "kn_magnitude",
        "Damage taken since the effect was applied that breaks it: 0 any damage, below 0 none; "
        "default -1."),
    KN_DEF_F_PART(kn_buff_def, breaks_on, "kn_tag_requirement",
        "Tags of the hits that count towards `breaks_after`; default: all hits."),
    KN_DEF_F(kn_buff_def, breaks_by_periodic, KN_FIELD_BOOL,
        "Ticks of periodic effects count towards `breaks_after` too; default false."),
    KN_DEF_F_KIND(kn_buff_def, diminishing, "diminishing",
        "Group with diminishing returns that the effect belongs to; the effect needs "
        "`duration_value: Knack.Duration`; default none."),
    KN_DEF_F_STRUCT(kn_buff_def, absorb, &absorb_table, "What the effect absorbs."),
    KN_DEF_F_STRUCT(kn_buff_def, shares, &share_table, "What somebody else takes for the bearer."),
    KN_DEF_F_STRUCT(
        kn_buff_def, reflects, &reflect_table, "What those who hit the bearer take too."),
    KN_DEF_F(kn_buff_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table buff_table = {"buff_def", sizeof(kn_buff_def), buff_fields,
    sizeof(buff_fields) / sizeof(*buff_fields), buff_init};

static bool is_part(float number)
{
    return number >= 0.0f && number <= 1.0f;
}

static kn_result buff_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_buff_def *def = item;
    (void)user;
    (void)library;
    if (!isfinite(def->strength)) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "buff `%s`: its strength must be a number", def->name);
    }
    if (!is_part(def->absorb.share) || !is_part(def->absorb.bypass)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "buff `%s`: share and bypass of its absorb must lie between 0 and 1", def->name);
    }
    if (!(def->absorb.points > 0.0f) || !isfinite(def->absorb.points)) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "buff `%s`: points of its absorb must be above 0", def->name);
    }
    if (def->shares.to == KN_RECIPIENT_TARGET) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "buff `%s` shares with its own bearer; write shares: {to: source} or {to: instigator}",
            def->name);
    }
    return KN_OK;
}

// The tables by effect type, once everything is registered.
static kn_result buff_tables_create(buff_ids *ids, const kn_library *library)
{
    ids->effect_count = kn_def_count(library, KN_DEF_EFFECT);
    free(ids->by_effect);
    free(ids->wanted);
    ids->by_effect = calloc(ids->effect_count + 1u, sizeof(*ids->by_effect));
    ids->wanted = calloc(ids->effect_count + 1u, sizeof(*ids->wanted));
    return ids->by_effect != NULL && ids->wanted != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

uint32_t knc_combat_effect_named(
    const kn_library *library, kn_effect_type_id effect, const char *name)
{
    return effect.index1 != 0 ? effect.index1 : kn_def_find(library, KN_DEF_EFFECT, name);
}

static kn_result buff_check_effect(const buff_ids *ids, const kn_library *library,
    const kn_buff_def *def, uint32_t effect1, kn_error *error)
{
    const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, effect1);
    if (effect == NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "there is no effect `%s` for the buff of this name; write effect: and a name",
            def->name);
    }
    if (effect->duration_kind == KN_DURATION_INSTANT) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "buff `%s` is about the instant effect `%s`; give that a duration, or leave out the "
            "buff",
            def->name, effect->name);
    }
    if (def->diminishing.index1 != 0 && effect->duration_value.index1 != ids->duration.index1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "buff `%s` has diminishing returns, so its effect `%s` needs duration_value: "
            "Knack.Duration",
            def->name, effect->name);
    }
    if (ids->by_effect[effect1] != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "buff `%s` has the same effect as `%s`; leave out one of them", def->name,
            kn_def_name(library, ids->kind, ids->by_effect[effect1]));
    }
    return KN_OK;
}

static kn_result buff_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    buff_ids *ids = user;
    kn_result result = buff_tables_create(ids, library);
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kind); i++) {
        const kn_buff_def *def = kn_def_get(library, kind, i);
        uint32_t effect1 = knc_combat_effect_named(library, def->effect, def->name);
        result = buff_check_effect(ids, library, def, effect1, error);
        if (result == KN_OK) {
            ids->by_effect[effect1] = i;
            ids->wanted[effect1] |=
                knc_buff_acts(def) != 0 || def->diminishing.index1 != 0 ? EFFECT_BUFF : 0;
        }
    }
    return result;
}

kn_result kn_buff_register(
    kn_library *library, const kn_buff_def *def, kn_buff_id *buff, kn_error *error)
{
    kn_buff_id ignored;
    buff = buff != NULL ? buff : &ignored;
    buff->index1 = 0;
    if (!kn_combat_is_there(library) || def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(library, knc_combat_of(library)->buff.kind, def, &buff->index1, error);
}

uint32_t knc_buff_number_of(const buff_ids *ids, kn_effect_type_id type)
{
    return type.index1 <= ids->effect_count && ids->by_effect != NULL ? ids->by_effect[type.index1]
                                                                      : 0;
}

kn_buff_id kn_buff_of(const kn_library *library, kn_effect_type_id type)
{
    kn_buff_id buff = {0};
    if (kn_combat_is_there(library)) {
        buff.index1 = knc_buff_number_of(&knc_combat_of(library)->buff, type);
    }
    return buff;
}

const kn_buff_def *kn_buff_get_def(const kn_library *library, kn_buff_id buff)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->buff.kind, buff.index1)
               : NULL;
}

bool knc_buff_magnitude_is_zero(const kn_magnitude *magnitude)
{
    return magnitude->kind == KN_MAGNITUDE_SCALABLE && magnitude->scale.value == 0.0f &&
           magnitude->scale.parameter.index1 == 0 && magnitude->final_curve.index1 == 0;
}

static bool buff_breaks(const kn_magnitude *after)
{
    return after->kind != KN_MAGNITUDE_SCALABLE || !(after->scale.value < 0.0f) ||
           after->scale.parameter.index1 != 0 || after->scale.curve.index1 != 0;
}

uint32_t knc_buff_acts(const kn_buff_def *def)
{
    uint32_t acts = 0;
    bool absorbs = !knc_buff_magnitude_is_zero(&def->absorb.amount) || def->absorb.pays.index1 != 0;
    acts |= absorbs ? BUFF_ABSORBS : 0;
    acts |= knc_buff_magnitude_is_zero(&def->shares.part) ? 0 : BUFF_SHARES;
    acts |= knc_buff_magnitude_is_zero(&def->reflects.part) ? 0 : BUFF_REFLECTS;
    return acts | (buff_breaks(&def->breaks_after) ? BUFF_BREAKS : 0);
}

bool knc_buff_meets(const kn_world *world, const kn_tag_requirement *requirement, kn_tags tags)
{
    return kn_tag_requirement_is_met(kn_world_library(world), requirement, tags);
}

// Items -----------------------------------------------------------------------------

static const kn_field buffs_fields[] = {KN_FIELD(buffs, acts, KN_FIELD_U32)};
static const kn_field buff_item_fields[] = {
    KN_FIELD(buff_item, effect, KN_FIELD_EFFECT),
    KN_FIELD_TO(buff_item, buff, "buff"),
    KN_FIELD(buff_item, left, KN_FIELD_F32),
    KN_FIELD(buff_item, full, KN_FIELD_F32),
    KN_FIELD(buff_item, taken, KN_FIELD_F32),
    KN_FIELD(buff_item, breaks_at, KN_FIELD_F32),
    KN_FIELD(buff_item, counts, KN_FIELD_U32),
};

static uint32_t item_index(const buff_item *items, uint32_t count, kn_effect_id effect)
{
    uint32_t i = 0;
    while (i < count && !kn_effect_id_equal(items[i].effect, effect)) {
        i++;
    }
    return i;
}

buff_item *knc_buff_item_find(kn_world *world, kn_entity_id bearer, kn_effect_id effect)
{
    uint32_t count;
    buff_item *items =
        kn_component_items(world, knc_combat_of_world(world)->buff.buffs, bearer, &count);
    uint32_t i = items != NULL ? item_index(items, count, effect) : 0;
    return items != NULL && i < count ? &items[i] : NULL;
}

static float evaluated(const kn_world *world, kn_effect_id effect, const kn_magnitude *magnitude)
{
    float value;
    return kn_effect_evaluate(world, effect, magnitude, &value) == KN_OK ? value : 0.0f;
}

static int32_t item_priority(const kn_library *library, const buff_item *item)
{
    const kn_buff_def *def = kn_buff_get_def(library, item->buff);
    return def != NULL ? def->absorb.priority : 0;
}

// Puts an item behind those of the same priority, so that the oldest comes first.
static void item_insert(kn_world *world, kn_entity_id bearer, const buff_item *item)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = knc_combat_of(library)->buff.buffs;
    uint32_t count = 0;
    const kn_buff_def *def = kn_buff_get_def(library, item->buff);
    if (kn_component_add(world, type, bearer) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, bearer, &count);
    buff_item *items = kn_component_resize(world, type, bearer, count + 1);
    if (items == NULL) {
        return;
    }
    uint32_t at = count;
    while (at > 0 && item_priority(library, &items[at - 1]) < def->absorb.priority) {
        items[at] = items[at - 1];
        at--;
    }
    items[at] = *item;
    ((buffs *)kn_component_get(world, type, bearer))->acts |= knc_buff_acts(def);
}

static void item_remove(kn_world *world, kn_entity_id bearer, kn_effect_id effect)
{
    const kn_library *library = kn_world_library(world);
    kn_component_type_id type = knc_combat_of(library)->buff.buffs;
    uint32_t count;
    buff_item *items = kn_component_items(world, type, bearer, &count);
    uint32_t at = items != NULL ? item_index(items, count, effect) : 0;
    if (items == NULL || at == count) {
        return;
    }
    if (count == 1) {
        (void)kn_component_remove(world, type, bearer);
        return;
    }
    memmove(&items[at], &items[at + 1], (count - at - 1) * sizeof(*items));
    items = kn_component_resize(world, type, bearer, count - 1);
    uint32_t acts = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const kn_buff_def *def = kn_buff_get_def(library, items[i].buff);
        acts |= def != NULL ? knc_buff_acts(def) : 0;
    }
    ((buffs *)kn_component_get(world, type, bearer))->acts = acts;
}

static void buff_began(kn_world *world, const kn_reaction *reaction)
{
    buff_item item = {.effect = reaction->effect,
        .buff = kn_buff_of(kn_world_library(world), reaction->effect_type)};
    const kn_buff_def *def = kn_buff_get_def(kn_world_library(world), item.buff);
    bool counts = def->diminishing.index1 != 0 &&
                  knc_diminishing_began(world, reaction->entity, def->diminishing, false);
    if (!kn_effect_is_alive(world, reaction->effect)) { // it ended before this rule
        if (counts) {
            knc_diminishing_ended(world, reaction->entity, def->diminishing);
        }
        return;
    }
    if (knc_buff_acts(def) == 0 && def->diminishing.index1 == 0) {
        return;
    }
    item.counts = counts;
    float amount = evaluated(world, item.effect, &def->absorb.amount);
    item.full = amount > 0.0f ? amount : 0.0f;
    item.left = item.full;
    item.breaks_at = evaluated(world, item.effect, &def->breaks_after);
    item_insert(world, reaction->entity, &item);
}

// Diminishing returns of a further application, which may be the first one that counts.
static void buff_counts_again(kn_world *world, const kn_reaction *reaction, const kn_buff_def *def)
{
    buff_item *item = knc_buff_item_find(world, reaction->entity, reaction->effect);
    bool counted = item != NULL && item->counts != 0;
    if (!knc_diminishing_began(world, reaction->entity, def->diminishing, counted) || counted) {
        return;
    }
    item = knc_buff_item_find(world, reaction->entity, reaction->effect);
    if (item != NULL) {
        item->counts = 1;
        return;
    }
    buff_item fresh = {.effect = reaction->effect,
        .buff = kn_buff_of(kn_world_library(world), reaction->effect_type),
        .breaks_at = -1.0f,
        .counts = 1};
    item_insert(world, reaction->entity, &fresh);
}

static void buff_reapplied(kn_world *world, const kn_reaction *reaction)
{
    const kn_library *library = kn_world_library(world);
    const kn_buff_def *def = kn_buff_get_def(library, kn_buff_of(library, reaction->effect_type));
    if (def->diminishing.index1 != 0) {
        buff_counts_again(world, reaction, def);
    }
    buff_item *item = knc_buff_item_find(world, reaction->entity, reaction->effect);
    if (item == NULL) {
        return;
    }
    float amount = evaluated(world, reaction->effect, &def->absorb.amount);
    item->taken = 0.0f;
    if (!(amount > 0.0f) || def->absorb.again == KN_ABSORB_KEEP) {
        return;
    }
    if (def->absorb.again == KN_ABSORB_SUM) {
        item->left = item->left < FLT_MAX - amount ? item->left + amount : FLT_MAX;
    } else if (def->absorb.again == KN_ABSORB_REPLACE || amount > item->left) {
        item->left = amount;
    }
    item->full = item->left > item->full ? item->left : item->full;
}

static void buff_removed(kn_world *world, const kn_reaction *reaction)
{
    const kn_library *library = kn_world_library(world);
    const kn_buff_def *def = kn_buff_get_def(library, kn_buff_of(library, reaction->effect_type));
    const buff_item *item = knc_buff_item_find(world, reaction->entity, reaction->effect);
    if (def->diminishing.index1 != 0 && item != NULL && item->counts != 0) {
        knc_diminishing_ended(world, reaction->entity, def->diminishing);
    }
    item_remove(world, reaction->entity, reaction->effect);
}

bool knc_buff_has_item(const kn_world *world, kn_entity_id bearer, kn_effect_id effect)
{
    uint32_t count;
    const buff_item *items =
        kn_component_read_items(world, knc_combat_of_world(world)->buff.buffs, bearer, &count);
    return items != NULL && item_index(items, count, effect) < count;
}

// Looking ---------------------------------------------------------------------------

bool kn_buff_get(const kn_world *world, kn_effect_id effect, kn_buff_info *info)
{
    kn_effect_info state;
    *info = (kn_buff_info){0};
    if (!kn_combat_is_there(kn_world_library(world)) || !kn_effect_get(world, effect, &state)) {
        return false;
    }
    const buff_ids *ids = &knc_combat_of_world(world)->buff;
    const kn_buff_def *def =
        kn_buff_get_def(kn_world_library(world), kn_buff_of(kn_world_library(world), state.type));
    if (def == NULL) {
        return false;
    }
    info->buff = kn_buff_of(kn_world_library(world), state.type);
    info->polarity = def->polarity;
    info->breaks_at = -1.0f;
    uint32_t count;
    const buff_item *items = kn_component_read_items(world, ids->buffs, state.target, &count);
    uint32_t i = items != NULL ? item_index(items, count, effect) : 0;
    if (items != NULL && i < count) {
        info->absorb_left = items[i].left;
        info->absorb_full = items[i].full;
        info->taken = items[i].taken;
        info->breaks_at = items[i].breaks_at;
    }
    return true;
}

// Death -----------------------------------------------------------------------------

static bool buff_ends_with_life(void *user, const kn_world *world, kn_effect_id effect)
{
    kn_effect_info info;
    (void)user;
    if (!kn_effect_get(world, effect, &info)) {
        return false;
    }
    const kn_library *library = kn_world_library(world);
    const kn_buff_def *def = kn_buff_get_def(library, kn_buff_of(library, info.type));
    return def != NULL && def->removed_on_death;
}

void knc_buff_died(kn_world *world, kn_entity_id entity)
{
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id ending[ENDING_MAX];
    query.predicate = buff_ends_with_life;
    uint32_t count, before = UINT32_MAX;
    // Further ones follow as long as fewer are left than before.
    while ((count = kn_effects_find(world, entity, &query, ending, ENDING_MAX)) < before) {
        for (uint32_t i = 0; i < count && i < ENDING_MAX; i++) {
            (void)kn_effect_remove(world, ending[i], 0, KN_REMOVED_TARGET_DIED);
        }
        before = count > ENDING_MAX ? count : 0;
    }
}

// Rules -----------------------------------------------------------------------------

static bool effect_is_wanted(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const combat *kit = user;
    uint32_t type = reaction->effect_type.index1;
    uint32_t by = EFFECT_BUFF | EFFECT_PROC | EFFECT_AURA;
    (void)library;
    by = reaction->trigger == KN_TRIGGER_EFFECT_STACKS ? EFFECT_PROC : by;
    by = reaction->trigger == KN_TRIGGER_EFFECT_INHIBITED ? EFFECT_AURA : by;
    return type <= kit->buff.effect_count && (kit->buff.wanted[type] & by) != 0;
}

static void effect_began(kn_world *world, const kn_reaction *reaction, uint32_t wanted)
{
    if ((wanted & EFFECT_BUFF) != 0) {
        buff_began(world, reaction);
    }
    if ((wanted & EFFECT_PROC) != 0) {
        knc_proc_effect_began(world, reaction);
    }
    if ((wanted & EFFECT_AURA) != 0) {
        knc_aura_effect_began(world, reaction);
    }
}

static void effect_again(kn_world *world, const kn_reaction *reaction, uint32_t wanted)
{
    if ((wanted & EFFECT_BUFF) != 0) {
        buff_reapplied(world, reaction);
    }
    if ((wanted & EFFECT_PROC) != 0) {
        knc_proc_effect_again(world, reaction);
    }
}

static void effect_ended(kn_world *world, const kn_reaction *reaction, uint32_t wanted)
{
    if ((wanted & EFFECT_BUFF) != 0) {
        buff_removed(world, reaction);
    }
    if ((wanted & EFFECT_PROC) != 0) {
        knc_proc_effect_ended(world, reaction);
    }
    if ((wanted & EFFECT_AURA) != 0) {
        knc_aura_effect_ended(world, reaction);
    }
}

static void effect_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const combat *kit = knc_combat_of_world(world);
    uint32_t wanted = kit->buff.wanted[reaction->effect_type.index1];
    (void)user;
    switch (reaction->trigger) {
    case KN_TRIGGER_EFFECT_APPLIED:
        effect_began(world, reaction, wanted);
        break;
    case KN_TRIGGER_EFFECT_REAPPLIED:
        effect_again(world, reaction, wanted);
        break;
    case KN_TRIGGER_EFFECT_STACKS:
        knc_proc_effect_stacks(world, reaction);
        break;
    case KN_TRIGGER_EFFECT_INHIBITED:
        knc_aura_effect_inhibited(world, reaction);
        break;
    default:
        effect_ended(world, reaction, wanted);
        break;
    }
}

static kn_result effect_rules_register(kn_library *library, combat *kit, kn_error *error)
{
    static const struct {
        const char *name;
        kn_trigger trigger;
    } rules[] = {
        {"Knack.Effect.Applied", KN_TRIGGER_EFFECT_APPLIED},
        {"Knack.Effect.Reapplied", KN_TRIGGER_EFFECT_REAPPLIED},
        {"Knack.Effect.Stacks", KN_TRIGGER_EFFECT_STACKS},
        {"Knack.Effect.Inhibited", KN_TRIGGER_EFFECT_INHIBITED},
        {"Knack.Effect.Removed", KN_TRIGGER_EFFECT_REMOVED},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < sizeof(rules) / sizeof(*rules); i++) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = rules[i].name;
        rule.trigger = rules[i].trigger;
        rule.wants = effect_is_wanted;
        rule.function = effect_rule;
        rule.user = kit;
        result = kn_rule_register(library, &rule, &id, error);
    }
    return result;
}

// Registration ----------------------------------------------------------------------

static const kn_field absorbed_fields[] = {
    KN_FIELD(kn_absorbed, source, KN_FIELD_ENTITY),
    KN_FIELD(kn_absorbed, by, KN_FIELD_ENTITY),
    KN_FIELD(kn_absorbed, effect, KN_FIELD_EFFECT),
    KN_FIELD_TO(kn_absorbed, type, "effect"),
    KN_FIELD(kn_absorbed, amount, KN_FIELD_F32),
    KN_FIELD(kn_absorbed, left, KN_FIELD_F32),
    KN_FIELD(kn_absorbed, paid, KN_FIELD_F32),
};
static const kn_field broken_fields[] = {
    KN_FIELD(kn_broken, source, KN_FIELD_ENTITY),
    KN_FIELD_TO(kn_broken, type, "effect"),
    KN_FIELD(kn_broken, taken, KN_FIELD_F32),
};

kn_result knc_combat_event_register(kn_library *library, const char *name, uint32_t size,
    const kn_field *fields, uint32_t field_count, const char *text, kn_custom_event_id *id,
    kn_error *error)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = name;
    def.size = size;
    def.fields = fields;
    def.field_count = field_count;
    def.text = text;
    return kn_custom_event_register(library, &def, id, error);
}

static kn_result buff_component_register(kn_library *library, buff_ids *ids, kn_error *error)
{
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Buffs";
    def.size = sizeof(buffs);
    def.fields = buffs_fields;
    def.field_count = 1;
    def.item_size = sizeof(buff_item);
    def.item_fields = buff_item_fields;
    def.item_field_count = sizeof(buff_item_fields) / sizeof(*buff_item_fields);
    return kn_component_register(library, &def, &ids->buffs, error);
}

static kn_result buff_kind_register(kn_library *library, buff_ids *ids, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "buff";
    kind.section = "buffs";
    kind.table = &buff_table;
    kind.text = "What combat knows of effects: whether they help or harm, and what they absorb, "
                "share, reflect and break by.";
    kind.check = buff_check;
    kind.finish = buff_finish;
    kind.user = ids;
    kn_result result = kn_enum_register(library, "kn_polarity", polarity_words, 3, error);
    return result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
}

kn_result knc_buff_part_register(kn_library *library, combat *kit, kn_error *error)
{
    buff_ids *ids = &kit->buff;
    kn_result result = knc_diminishing_part_register(library, kit, error);
    result = result != KN_OK ? result : buff_kind_register(library, ids, error);
    result = result != KN_OK ? result : buff_component_register(library, ids, error);
    result = result != KN_OK ? result
                             : kn_cause_type_register(
                                   library, "buff", "buff {def} of {entity}", &ids->cause, error);
    result = result != KN_OK
                 ? result
                 : knc_combat_event_register(library, "Knack.Absorbed", sizeof(kn_absorbed),
                       absorbed_fields, 7, "absorbs {amount} of a hit of {source} with {type}",
                       &ids->absorbed, error);
    result = result != KN_OK
                 ? result
                 : knc_combat_event_register(library, "Knack.Broken", sizeof(kn_broken),
                       broken_fields, 3, "loses {type} after {taken} damage", &ids->broken, error);
    result = result != KN_OK ? result : knc_dispel_part_register(library, kit, error);
    return result != KN_OK ? result : effect_rules_register(library, kit, error);
}

void knc_buff_part_release(combat *kit)
{
    free(kit->buff.by_effect);
    free(kit->buff.wanted);
    free(kit->buff.dispel_on);
}
