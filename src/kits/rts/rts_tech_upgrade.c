// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Upgrades of players, and research in the queues of production. What an upgrade does is an effect
// and tags of the player; units follow these by themselves.

#include "tech_parts.h"

#include <string.h>

#define TURNS_MAX 256 // levels that the hook of an upgrade may ask for before its turn is over

static const upgrade_item *items_read(const kn_world *world, kn_entity_id player, uint32_t *count)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    *count = 0;
    return kit != NULL ? kn_component_read_items(world, kit->players, player, count) : NULL;
}

static uint32_t item_find(const kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    uint32_t count;
    const upgrade_item *items = items_read(world, player, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].upgrade.index1 == upgrade.index1) {
            return i;
        }
    }
    return UINT32_MAX;
}

// NULL without one.
static const upgrade_item *item_read(
    const kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    uint32_t count;
    const uint32_t place = upgrade.index1 != 0 ? item_find(world, player, upgrade) : UINT32_MAX;
    const upgrade_item *items = items_read(world, player, &count);
    return place != UINT32_MAX ? &items[place] : NULL;
}

static upgrade_item *item_get(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    const uint32_t place = item_find(world, player, upgrade);
    upgrade_item *items =
        kn_component_items(world, knc_rts_tech_of_world(world)->players, player, NULL);
    return place != UINT32_MAX ? &items[place] : NULL;
}

// NULL without memory, and for a player who ends.
static upgrade_item *item_add(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    const kn_component_type_id type = knc_rts_tech_of_world(world)->players;
    upgrade_item *item = item_get(world, player, upgrade);
    uint32_t count;
    if (item != NULL || kn_component_add(world, type, player) == NULL) {
        return item;
    }
    (void)items_read(world, player, &count);
    upgrade_item *items = kn_component_resize(world, type, player, count + 1);
    if (items != NULL) {
        items[count].upgrade = upgrade;
    }
    return items != NULL ? &items[count] : NULL;
}

static bool is_busy(const kn_world *world, const upgrade_item *item)
{
    return item->busy == knc_rts_busy_now(world);
}

// Forgets an upgrade that the player neither has nor researches.
static void item_clean(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    const kn_component_type_id type = knc_rts_tech_of_world(world)->players;
    const upgrade_item *item = item_read(world, player, upgrade);
    if (item == NULL || item->level != 0 || item->target != 0 || is_busy(world, item)) {
        return;
    }
    const uint32_t place = item_find(world, player, upgrade);
    uint32_t count = 0;
    upgrade_item *items = kn_component_items(world, type, player, &count);
    memmove(items + place, items + place + 1, (count - place - 1) * sizeof(*items));
    (void)kn_component_resize(world, type, player, count - 1);
    if (count == 1) {
        (void)kn_component_remove(world, type, player);
    }
}

// Reading ---------------------------------------------------------------------------

uint32_t kn_rts_upgrade_level_of(
    const kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    const upgrade_item *item = item_read(world, player, upgrade);
    return item != NULL ? item->level : 0;
}

uint32_t kn_rts_upgrades(
    const kn_world *world, kn_entity_id player, kn_rts_upgrade_info *out, uint32_t capacity)
{
    uint32_t count;
    const upgrade_item *items = items_read(world, player, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = (kn_rts_upgrade_info){
            items[i].upgrade, items[i].level, items[i].target, items[i].building};
    }
    return count;
}

// Levels ----------------------------------------------------------------------------

static void tags_change(kn_world *world, kn_entity_id player, kn_tags tags, bool is_gain)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (is_gain) {
            (void)kn_entity_add_tag(world, player, tags.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        } else {
            (void)kn_entity_remove_tag(world, player, tags.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        }
    }
}

static void tags_follow(kn_world *world, kn_entity_id player, const kn_rts_upgrade_def *def,
    uint32_t before, uint32_t after)
{
    if ((before == 0) != (after == 0)) {
        tags_change(world, player, def->tags, after > 0);
    }
    for (uint32_t i = before; i < after && i < def->level_count; i++) {
        tags_change(world, player, def->levels[i].tags, true);
    }
    for (uint32_t i = before < def->level_count ? before : def->level_count; i > after; i--) {
        tags_change(world, player, def->levels[i - 1].tags, false);
    }
}

// The effect that a player has for an upgrade rises with it, so that its units change once.
static void effect_follow(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade,
    uint32_t before, uint32_t after)
{
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(kn_world_library(world), upgrade);
    const kn_effect_id old = item_read(world, player, upgrade)->effect;
    const bool is_active = kn_effect_is_alive(world, old);
    kn_effect_id effect = {0};
    if (def->effect.index1 == 0) {
        return;
    }
    if (is_active && after > 0) {
        (void)kn_effect_set_level(world, old, (float)after);
        return;
    }
    if (is_active) {
        (void)kn_effect_remove(world, old, 0, KN_REMOVED_BY_CALL);
    } else if (after > before) {
        (void)kn_effect_apply_simple(world, def->effect, player, player, (float)after, &effect);
    }
    upgrade_item *item = item_get(world, player, upgrade);
    if (item != NULL) {
        item->effect = effect;
    }
}

// Cancels what a building has queued of an upgrade.
static bool research_cancel(
    kn_world *world, kn_entity_id building, kn_rts_upgrade_id upgrade, kn_entity_id player)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    kn_product_item items[64];
    const uint32_t count = kn_producer_queue(world, building, items, COUNT(items));
    for (uint32_t i = 0; i < count && i < COUNT(items); i++) {
        const kn_rts_upgrade_id own = knc_rts_upgrade_of(kit, items[i].product);
        if (own.index1 == upgrade.index1 && kn_entity_id_equal(items[i].payer, player)) {
            return kn_product_cancel(world, building, (int32_t)i) == KN_OK;
        }
    }
    return false;
}

static void level_write(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade,
    uint32_t after, kn_entity_id building)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(kn_world_library(world), upgrade);
    upgrade_item *item = item_get(world, player, upgrade);
    const uint32_t before = item->level;
    const upgrade_item research = *item;
    if (before == after) {
        return;
    }
    item->level = after;
    tags_follow(world, player, def, before, after);
    effect_follow(world, player, upgrade, before, after);
    const kn_rts_upgrade_event event = {upgrade, before, after, building};
    (void)kn_world_publish(world, player, kit->upgraded, &event);
    if (research.target != 0 && research.target <= after) {
        (void)research_cancel(world, research.building, upgrade, player);
    }
    kn_rts_upgrade_call call = {before, after};
    (void)kn_hook_run(world, kit->upgrade_kind, upgrade.index1, &def->changed, player, &call);
}

typedef struct upgrade_call {
    kn_entity_id player, building;
    kn_rts_upgrade_id upgrade;
    uint32_t level;
} upgrade_call;

static kn_result set_run(void *user, kn_world *world)
{
    const upgrade_call *c = user;
    upgrade_item *item = item_add(world, c->player, c->upgrade);
    if (item == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    item->wanted = c->level + 1;
    if (is_busy(world, item)) {
        return KN_OK; // when the hook is done
    }
    item->busy = knc_rts_busy_now(world);
    for (uint32_t turn = 0; turn < TURNS_MAX && item != NULL && item->wanted != 0; turn++) {
        const uint32_t level = item->wanted - 1;
        item->wanted = 0;
        level_write(
            world, c->player, c->upgrade, level, turn == 0 ? c->building : (kn_entity_id){0});
        item = item_get(world, c->player, c->upgrade);
    }
    if (item != NULL) {
        item->wanted = 0;
        item->busy = 0;
    }
    item_clean(world, c->player, c->upgrade);
    return KN_OK;
}

static kn_result level_set(kn_world *world, const upgrade_call *call)
{
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(kn_world_library(world), call->upgrade);
    upgrade_call c = *call;
    c.level = c.level < def->max_level ? c.level : def->max_level;
    const upgrade_item *item = item_read(world, c.player, c.upgrade);
    const bool is_same = (item != NULL ? item->level : 0) == c.level;
    return is_same && (item == NULL || !is_busy(world, item)) ? KN_OK
                                                              : kn_world_call(world, set_run, &c);
}

kn_result kn_rts_set_upgrade(
    kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade, uint32_t level)
{
    kn_result result = knc_rts_may_change(world, player);
    if (result != KN_OK) {
        return result;
    }
    if (kn_rts_upgrade_get_def(kn_world_library(world), upgrade) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_entity_is_dying(world, player)) {
        return KN_REFUSED_DYING;
    }
    const upgrade_call c = {.player = player, .upgrade = upgrade, .level = level};
    return level_set(world, &c);
}

// Research --------------------------------------------------------------------------

void knc_rts_upgrade_quote(
    const kn_world *world, const kn_product_case *one, kn_product_terms *terms)
{
    const kn_library *library = kn_world_library(world);
    const kn_rts_upgrade_id upgrade = knc_rts_upgrade_of(knc_rts_tech_of(library), one->product);
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(library, upgrade);
    if (def == NULL) {
        return;
    }
    const uint32_t next = kn_rts_upgrade_level_of(world, one->payer, upgrade) + 1;
    const float level = (float)(next < def->max_level ? next : def->max_level);
    if (def->time.value > 0.0f) {
        const double seconds = (double)knc_rts_scalable(library, &def->time, level);
        terms->time = seconds >= 1e9   ? KN_S(1000000000)
                      : seconds >= 0.0 ? (kn_time)(seconds * 1e6 + 0.5)
                                       : 0;
    }
    if (def->cost_count > 0) {
        terms->cost_count = def->cost_count;
    }
    for (uint32_t i = 0; i < def->cost_count; i++) {
        terms->costs[i].attribute = def->costs[i].attribute;
        terms->costs[i].amount = knc_rts_scalable(library, &def->costs[i].amount, level);
    }
}

kn_result knc_rts_upgrade_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    const kn_library *library = kn_world_library(world);
    const tech_kit *kit = knc_rts_tech_of(library);
    const kn_rts_upgrade_id upgrade = knc_rts_upgrade_of(kit, one->product);
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(library, upgrade);
    if (def == NULL) {
        return KN_OK;
    }
    const upgrade_item *item = item_read(world, one->payer, upgrade);
    const uint32_t level = item != NULL ? item->level : 0;
    if (level >= def->max_level) { // what it would need does not matter any more
        kn_order_errors_add(&answer->errors, kit->tags[TECH_TAG_AT_MAXIMUM]);
        return KN_REFUSED_LIMIT;
    }
    bool meets = knc_rts_tech_meets(
        world, one->payer, TECH_UPGRADE, upgrade.index1, level + 1, &answer->errors);
    if (level < def->level_count) {
        const kn_rts_upgrade_level *next = &def->levels[level];
        const tech_question question = {next->required, next->blocked, next->query};
        meets = knc_rts_tech_holds(world, one->payer, &question, &answer->errors) && meets;
    }
    if (item != NULL && item->target != 0) {
        kn_order_errors_add(&answer->errors, kit->tags[TECH_TAG_RESEARCHING]);
        return !meets ? KN_REFUSED_REQUIREMENT : KN_REFUSED_EXCLUSIVE;
    }
    return !meets ? KN_REFUSED_REQUIREMENT : KN_OK;
}

static void research_end(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    upgrade_item *item = item_get(world, player, upgrade);
    if (item != NULL) {
        item->target = 0;
        item->building = (kn_entity_id){0};
        item_clean(world, player, upgrade);
    }
}

void knc_rts_upgrade_note(kn_world *world, const kn_product_case *one, kn_product_stage stage)
{
    const kn_rts_upgrade_id upgrade =
        knc_rts_upgrade_of(knc_rts_tech_of_world(world), one->product);
    if (upgrade.index1 == 0 || !kn_entity_is_alive(world, one->payer)) {
        return;
    }
    const upgrade_item *now = item_read(world, one->payer, upgrade);
    if (stage == KN_PRODUCT_QUEUED) {
        upgrade_item *item = item_add(world, one->payer, upgrade);
        if (item != NULL) {
            item->target = item->level + 1;
            item->building = one->maker;
        }
    } else if (stage == KN_PRODUCT_CANCELLED) {
        research_end(world, one->payer, upgrade);
    } else if (stage == KN_PRODUCT_FINISHED && now != NULL) {
        const upgrade_call c = {one->payer, one->maker, upgrade, now->target};
        upgrade_item *item = item_get(world, one->payer, upgrade);
        item->target = 0; // so that the new level does not cancel it
        item->building = (kn_entity_id){0};
        (void)level_set(world, &c);
    }
}

void knc_rts_research_leave(kn_world *world, kn_entity_id building)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    kn_product_item items[64];
    uint32_t count = kn_producer_queue(world, building, items, COUNT(items));
    for (uint32_t i = count < COUNT(items) ? count : COUNT(items); i > 0; i--) {
        if (knc_rts_upgrade_of(kit, items[i - 1].product).index1 != 0) {
            (void)kn_product_cancel(world, building, (int32_t)(i - 1));
        }
    }
}

static uint32_t why_of(const tech_kit *kit, kn_result result, const kn_product_answer *answer)
{
    uint32_t why = 0;
    for (uint32_t i = 0; i < answer->errors.other_count; i++) {
        const kn_tag tag = answer->errors.others[i];
        why |= tag.index1 == kit->tags[TECH_TAG_AT_MAXIMUM].index1    ? KN_RTS_RESEARCH_AT_MAXIMUM
               : tag.index1 == kit->tags[TECH_TAG_RESEARCHING].index1 ? KN_RTS_RESEARCH_RUNS
               : tag.index1 == kit->tags[TECH_TAG_TECHNOLOGY].index1  ? KN_RTS_RESEARCH_REQUIREMENT
                                                                      : 0;
    }
    why |= answer->errors.missing_count + answer->errors.blocking_count > 0
               ? KN_RTS_RESEARCH_REQUIREMENT
               : 0;
    why |= answer->shortage_count > 0 ? KN_RTS_RESEARCH_COST : 0;
    if (result == KN_REFUSED_LIMIT && (why & KN_RTS_RESEARCH_AT_MAXIMUM) == 0) {
        why |= KN_RTS_RESEARCH_QUEUE;
    }
    return result != KN_OK && why == 0 ? KN_RTS_RESEARCH_OTHER : why;
}

bool kn_rts_can_research(const kn_world *world, kn_entity_id building, kn_rts_upgrade_id upgrade,
    kn_rts_research_info *info)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_library *library = world != NULL ? kn_world_library(world) : NULL;
    const kn_rts_upgrade_def *def = kn_rts_upgrade_get_def(library, upgrade);
    const kn_product_id product = kn_rts_upgrade_product(library, upgrade);
    kn_rts_research_info answer = {.why_not = KN_RTS_RESEARCH_NOT_HERE};
    if (kit != NULL && def != NULL && product.index1 != 0) {
        const kn_result result = kn_product_check(world, building, product, &answer.answer);
        answer.level = kn_rts_upgrade_level_of(world, kn_product_payer(world, building), upgrade);
        answer.max_level = def->max_level;
        (void)kn_product_quote(world, building, product, &answer.terms);
        if (result != KN_REFUSED_NOT_FOUND && result != KN_REFUSED_STALE_ID &&
            result != KN_REFUSED_DYING) {
            answer.why_not = why_of(kit, result, &answer.answer);
        }
    }
    if (info != NULL) {
        *info = answer;
    }
    return answer.why_not == 0;
}

kn_result kn_rts_research(kn_world *world, kn_entity_id building, kn_rts_upgrade_id upgrade)
{
    kn_result result = knc_rts_may_change(world, building);
    if (result != KN_OK) {
        return result;
    }
    const kn_library *library = kn_world_library(world);
    if (kn_rts_upgrade_get_def(library, upgrade) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kn_product_id product = kn_rts_upgrade_product(library, upgrade);
    return product.index1 != 0 ? kn_product_enqueue(world, building, product, NULL)
                               : KN_REFUSED_NOT_FOUND;
}

kn_result kn_rts_cancel_research(kn_world *world, kn_entity_id player, kn_rts_upgrade_id upgrade)
{
    kn_result result = knc_rts_may_change(world, player);
    if (result != KN_OK) {
        return result;
    }
    const upgrade_item *item = item_read(world, player, upgrade);
    if (item == NULL || item->target == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    return research_cancel(world, item->building, upgrade, player) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

// Registering -----------------------------------------------------------------------

kn_result knc_rts_upgrades_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const kn_field payload[] = {
        KN_FIELD_TO(kn_rts_upgrade_event, upgrade, "rts upgrade"),
        KN_FIELD(kn_rts_upgrade_event, before, KN_FIELD_U32),
        KN_FIELD(kn_rts_upgrade_event, after, KN_FIELD_U32),
        KN_FIELD(kn_rts_upgrade_event, building, KN_FIELD_ENTITY),
    };
    static const kn_field fields[] = {KN_FIELD(tech_player, unused, KN_FIELD_U32)};
    kn_field items[] = {
        KN_FIELD_TO(upgrade_item, upgrade, "rts upgrade"),
        KN_FIELD(upgrade_item, level, KN_FIELD_U32),
        KN_FIELD(upgrade_item, target, KN_FIELD_U32),
        KN_FIELD(upgrade_item, busy, KN_FIELD_U32),
        KN_FIELD(upgrade_item, wanted, KN_FIELD_U32),
        KN_FIELD(upgrade_item, unused, KN_FIELD_U32),
        KN_FIELD(upgrade_item, effect, KN_FIELD_EFFECT),
        KN_FIELD(upgrade_item, building, KN_FIELD_ENTITY),
    };
    for (uint32_t i = 3; i <= 6; i++) {
        items[i].sync = KN_SYNC_NONE;
    }
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsUpgrades";
    def.size = sizeof(tech_player);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(upgrade_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_OWNER;
    kn_result result = kn_component_register(library, &def, &kit->players, error);
    return result != KN_OK
               ? result
               : knc_rts_event_register(library, "Knack.RtsUpgrade", sizeof(kn_rts_upgrade_event),
                     payload, COUNT(payload), "has {upgrade} at level {after}, {before} before",
                     &kit->upgraded, error);
}
