// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the buffs of a bearer do to its hits: pools absorb, others take a part, the one who dealt it
// gets a part back, and effects break. Items are copied before each call that may move them.

#include "parts.h"

#include <float.h>
#include <math.h>

// One item of a bearer, with what is known of it.
typedef struct item_view {
    buff_item item;
    const kn_buff_def *def;
    kn_effect_info info;
} item_view;

// The bearer of what happens to an entity, if its items take part in `acts`; null otherwise.
static kn_entity_id bearer_of(const kn_world *world, kn_entity_id entity, uint32_t acts)
{
    kn_entity_id bearer = kn_entity_actor(world, entity);
    const buffs *own = kn_component_read(world, knc_combat_of_world(world)->buff.buffs, bearer);
    return own != NULL && (own->acts & acts) != 0 ? bearer : (kn_entity_id){0};
}

// Copies one item that takes part in `acts`. False at the end of the list; without a def the item
// does not count: its effect is gone, inhibited, or of another kind.
static bool item_at(
    const kn_world *world, kn_entity_id bearer, uint32_t index, uint32_t acts, item_view *view)
{
    const kn_library *library = kn_world_library(world);
    uint32_t count;
    const buff_item *items =
        kn_component_read_items(world, knc_combat_of(library)->buff.buffs, bearer, &count);
    if (items == NULL || index >= count) {
        return false;
    }
    view->item = items[index];
    view->def = kn_buff_get_def(library, view->item.buff);
    if (view->def != NULL &&
        ((knc_buff_acts(view->def) & acts) == 0 ||
            !kn_effect_get(world, view->item.effect, &view->info) || view->info.is_inhibited)) {
        view->def = NULL;
    }
    return true;
}

// Absorbing -------------------------------------------------------------------------

static bool pool_is_unlimited(const item_view *view)
{
    return view->item.full <= 0.0f && view->def->absorb.pays.index1 != 0;
}

// What the attribute that pays for a pool can absorb.
static float pool_can_pay(const kn_world *world, kn_entity_id bearer, const kn_absorb_def *def)
{
    if (def->pays.index1 == 0) {
        return INFINITY;
    }
    float least, most;
    kn_attribute_bounds(world, bearer, def->pays, 0, &least, &most);
    float units = kn_attribute_base(world, bearer, def->pays) - (isfinite(least) ? least : 0.0f);
    return units > 0.0f ? units * def->points : 0.0f;
}

// How much of `rest` a pool takes.
static float pool_takes(const kn_world *world, kn_entity_id bearer, const item_view *view,
    const kn_hit_def *hit, float rest)
{
    const kn_absorb_def *def = &view->def->absorb;
    if (def->kind != hit->kind || !knc_buff_meets(world, &def->hits, hit->tags)) {
        return 0.0f;
    }
    float takes = rest * def->share;
    if (kn_tags_has_any(kn_world_library(world), hit->tags, def->bypassed_by)) {
        takes *= 1.0f - def->bypass;
    }
    if (!pool_is_unlimited(view) && takes > view->item.left) {
        takes = view->item.left;
    }
    float most = pool_can_pay(world, bearer, def);
    return takes < most ? takes : most;
}

static float pool_pay(
    kn_world *world, kn_entity_id bearer, const kn_absorb_def *def, float absorbed)
{
    if (def->pays.index1 == 0) {
        return 0.0f;
    }
    float paid = absorbed / def->points;
    float base = kn_attribute_base(world, bearer, def->pays);
    return kn_attribute_set_base(world, bearer, def->pays, 0, base - paid) == KN_OK ? paid : 0.0f;
}

static void pool_use(
    kn_world *world, kn_entity_id bearer, const item_view *view, const kn_hit_def *hit, float takes)
{
    const buff_ids *ids = &knc_combat_of_world(world)->buff;
    kn_absorbed event = {.source = hit->source,
        .by = view->info.source,
        .effect = view->item.effect,
        .type = view->info.type,
        .amount = takes};
    event.paid = pool_pay(world, bearer, &view->def->absorb, takes);
    buff_item *item = knc_buff_item_find(world, bearer, view->item.effect);
    bool is_empty = false;
    if (item != NULL && !pool_is_unlimited(view)) {
        item->left -= takes;
        is_empty = !(item->left > 0.0f);
        event.left = is_empty ? 0.0f : item->left;
        item->left = event.left;
    }
    (void)kn_world_publish(world, bearer, ids->absorbed, &event);
    if (is_empty) {
        (void)kn_effect_remove(world, view->item.effect, 0, KN_REMOVED_CHARGES_USED);
    }
}

float knc_buff_absorb(kn_world *world, const kn_hit_def *def, float amount)
{
    kn_entity_id bearer = bearer_of(world, def->target, BUFF_ABSORBS);
    float rest = amount;
    item_view view;
    if (bearer.index1 == 0) {
        return 0.0f;
    }
    for (uint32_t i = 0; rest > 0.0f && item_at(world, bearer, i, BUFF_ABSORBS, &view); i++) {
        if (view.def == NULL) {
            continue;
        }
        float takes = pool_takes(world, bearer, &view, def, rest);
        if (takes > 0.0f) {
            pool_use(world, bearer, &view, def, takes);
            rest -= takes;
        }
    }
    return amount - rest;
}

// A line of an explanation for what an effect takes of a hit.
static kn_hit_line preview_line(const item_view *view, float takes)
{
    return (kn_hit_line){.effect = view->item.effect,
        .type = view->info.type,
        .source = view->info.source,
        .delta = takes};
}

uint32_t knc_buff_preview_absorb(const kn_world *world, const kn_hit_def *def, float amount,
    kn_hit_line *lines, uint32_t capacity)
{
    uint32_t count = 0;
    item_view view;
    kn_entity_id bearer = bearer_of(world, def->target, BUFF_ABSORBS);
    for (uint32_t i = 0;
         bearer.index1 != 0 && amount > 0.0f && item_at(world, bearer, i, BUFF_ABSORBS, &view);
         i++) {
        float takes = view.def != NULL ? pool_takes(world, bearer, &view, def, amount) : 0.0f;
        if (takes > 0.0f) {
            amount -= takes;
            if (count < capacity) {
                lines[count] = preview_line(&view, takes);
            }
            count++;
        }
    }
    return count;
}

float kn_absorb_left(const kn_world *world, kn_entity_id entity)
{
    float left = 0.0f;
    item_view view;
    if (!kn_combat_is_there(kn_world_library(world))) {
        return 0.0f;
    }
    kn_entity_id bearer = bearer_of(world, entity, BUFF_ABSORBS);
    for (uint32_t i = 0; bearer.index1 != 0 && item_at(world, bearer, i, BUFF_ABSORBS, &view);
         i++) {
        if (view.def != NULL && view.def->absorb.kind == KN_HIT_DAMAGE) {
            left += view.item.left;
        }
    }
    return left;
}

typedef struct absorb_call {
    kn_effect_id effect;
    float left;
} absorb_call;

static kn_result absorb_set_call(void *user, kn_world *world)
{
    const absorb_call *call = user;
    kn_effect_info info;
    if (!kn_effect_get(world, call->effect, &info)) {
        return KN_REFUSED_STALE_ID;
    }
    buff_item *item = knc_buff_item_find(world, info.target, call->effect);
    if (item == NULL || !(item->full > 0.0f)) {
        return KN_REFUSED_NOT_FOUND;
    }
    item->left = call->left;
    item->full = call->left > item->full ? call->left : item->full;
    return call->left > 0.0f ? KN_OK
                             : kn_effect_remove(world, call->effect, 0, KN_REMOVED_CHARGES_USED);
}

kn_result kn_absorb_set(kn_world *world, kn_effect_id effect, float left)
{
    if (!kn_combat_is_there(kn_world_library(world))) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (!(left >= 0.0f) || !isfinite(left)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    absorb_call call = {effect, left};
    return kn_world_call(world, absorb_set_call, &call);
}

// Runs a hit that follows from a buff, with the buff as its cause: chains of them have an end.
static bool hit_as(kn_world *world, const item_view *view, const kn_hit_def *def)
{
    const buff_ids *ids = &knc_combat_of_world(world)->buff;
    kn_cause_link link = {.type = ids->cause,
        .entity = view->info.target,
        .def_kind = (uint32_t)ids->kind,
        .def1 = view->item.buff.index1};
    kn_cause previous;
    if (kn_cause_open(world, &link, &previous) != KN_OK) {
        return false;
    }
    bool is_done = kn_hit_run(world, def, NULL) == KN_OK;
    kn_cause_close(world, previous);
    return is_done;
}

// Sharing ---------------------------------------------------------------------------

static float evaluated_part(
    const kn_world *world, kn_effect_id effect, const kn_magnitude *magnitude)
{
    float part;
    return kn_effect_evaluate(world, effect, magnitude, &part) == KN_OK && part > 0.0f ? part
                                                                                       : 0.0f;
}

// The part of `rest` that somebody takes for the bearer, and who that is; 0 for nobody.
static float share_part(const kn_world *world, const item_view *view, const kn_hit_def *hit,
    float rest, kn_entity_id *taker)
{
    const kn_share_def *def = &view->def->shares;
    *taker = def->to == KN_RECIPIENT_SOURCE ? view->info.source : view->info.instigator;
    if (!knc_buff_meets(world, &def->hits, hit->tags) || taker->index1 == 0 ||
        kn_entity_id_equal(kn_entity_actor(world, *taker), view->info.target)) {
        return 0.0f;
    }
    float part = evaluated_part(world, view->item.effect, &def->part);
    return rest * (part < 1.0f ? part : 1.0f);
}

// Lets the one who shares with the bearer take its part; returns what it took.
static float share_take(kn_world *world, const item_view *view, const kn_hit_def *hit, float rest)
{
    kn_hit_def taken = *hit;
    taken.amount = share_part(world, view, hit, rest, &taken.target);
    taken.flags |= KN_HIT_SHARED | KN_HIT_NO_SHARE | KN_HIT_TRIGGERED | KN_HIT_NO_OUTCOME |
                   KN_HIT_NO_MODIFIERS;
    taken.effect = view->info.type;
    return taken.amount > 0.0f && hit_as(world, view, &taken) ? taken.amount : 0.0f;
}

float knc_buff_share(kn_world *world, const kn_hit_def *def, float amount)
{
    item_view view;
    float rest = amount;
    if (def->kind != KN_HIT_DAMAGE || (def->flags & KN_HIT_SHARED) != 0) {
        return 0.0f;
    }
    kn_entity_id bearer = bearer_of(world, def->target, BUFF_SHARES);
    for (uint32_t i = 0;
         bearer.index1 != 0 && rest > 0.0f && item_at(world, bearer, i, BUFF_SHARES, &view); i++) {
        if (view.def != NULL) {
            rest -= share_take(world, &view, def, rest);
        }
    }
    return amount - rest;
}

uint32_t knc_buff_preview_share(const kn_world *world, const kn_hit_def *def, float amount,
    kn_hit_line *lines, uint32_t capacity)
{
    uint32_t count = 0;
    item_view view;
    kn_entity_id bearer = bearer_of(world, def->target, BUFF_SHARES);
    for (uint32_t i = 0; def->kind == KN_HIT_DAMAGE && bearer.index1 != 0 && amount > 0.0f &&
                         item_at(world, bearer, i, BUFF_SHARES, &view);
         i++) {
        kn_entity_id taker = {0};
        float takes = view.def != NULL ? share_part(world, &view, def, amount, &taker) : 0.0f;
        if (takes > 0.0f && kn_entity_is_alive(world, taker) && !kn_combat_is_dead(world, taker)) {
            amount -= takes;
            if (count < capacity) {
                lines[count] = preview_line(&view, takes);
            }
            count++;
        }
    }
    return count;
}

// Reflecting ------------------------------------------------------------------------

static void reflect(kn_world *world, const item_view *view, const kn_hit *hit)
{
    const kn_reflect_def *reflects = &view->def->reflects;
    bool is_reflected = (hit->flags & KN_HIT_REFLECTED) != 0;
    if ((is_reflected && !reflects->reflected) ||
        !knc_buff_meets(world, &reflects->hits, kn_hit_tags(hit))) {
        return;
    }
    kn_hit_def back = kn_hit_def_default();
    back.source = view->info.target;
    back.target = hit->source;
    back.amount =
        evaluated_part(world, view->item.effect, &reflects->part) * (hit->dealt + hit->absorbed);
    back.tags = reflects->tags.count > 0 ? reflects->tags : kn_hit_tags(hit);
    back.flags = KN_HIT_REFLECTED | KN_HIT_TRIGGERED | KN_HIT_NO_OUTCOME;
    back.effect = view->info.type;
    if (back.amount > 0.0f) {
        (void)hit_as(world, view, &back);
    }
}

static void reflect_all(kn_world *world, const kn_hit *hit)
{
    item_view view;
    kn_entity_id bearer = bearer_of(world, hit->target, BUFF_REFLECTS);
    if (bearer.index1 == 0 || hit->source.index1 == 0 ||
        kn_entity_id_equal(kn_entity_actor(world, hit->source), bearer)) {
        return;
    }
    for (uint32_t i = 0; item_at(world, bearer, i, BUFF_REFLECTS, &view); i++) {
        if (view.def != NULL) {
            reflect(world, &view, hit);
        }
    }
}

// Breaking --------------------------------------------------------------------------

static void break_one(
    kn_world *world, kn_entity_id bearer, const item_view *view, const kn_hit *hit)
{
    bool is_periodic = (hit->flags & KN_HIT_PERIODIC) != 0;
    if (view->item.breaks_at < 0.0f || (is_periodic && !view->def->breaks_by_periodic) ||
        !knc_buff_meets(world, &view->def->breaks_on, kn_hit_tags(hit))) {
        return;
    }
    buff_item *item = knc_buff_item_find(world, bearer, view->item.effect);
    item->taken = item->taken < FLT_MAX - hit->dealt ? item->taken + hit->dealt : FLT_MAX;
    if (item->taken >= item->breaks_at) {
        kn_broken event = {hit->source, view->info.type, item->taken};
        (void)kn_world_publish(world, bearer, knc_combat_of_world(world)->buff.broken, &event);
        (void)kn_effect_remove(world, view->item.effect, 0, KN_REMOVED_RULE);
    }
}

static void break_all(kn_world *world, const kn_hit *hit)
{
    item_view view;
    kn_entity_id bearer = bearer_of(world, hit->target, BUFF_BREAKS);
    for (uint32_t i = 0; bearer.index1 != 0 && item_at(world, bearer, i, BUFF_BREAKS, &view); i++) {
        if (view.def != NULL) {
            break_one(world, bearer, &view, hit);
        }
    }
}

void knc_buff_hit(kn_world *world, const kn_hit *hit)
{
    if (hit->kind != KN_HIT_DAMAGE) {
        return;
    }
    if (hit->dealt > 0.0f) {
        break_all(world, hit);
    }
    if (hit->dealt + hit->absorbed > 0.0f) {
        reflect_all(world, hit);
    }
}
