// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What happens to running orders from outside: tags of both parties, and targets that disappear.
// There is one rule for each tag that some order type needs, so that running orders cost nothing
// until such a tag changes.

#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

// Looks again at the orders that are aimed at an entity.
static void orders_at_look(kn_world *world, kn_entity_id target, bool is_gone)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    kn_component_referrer page[16], last = {0};
    bool is_first = true;
    for (;;) {
        uint32_t count = kn_component_referrers_after(
            world, kit->orders, 0, target, is_first ? NULL : &last, page, COUNT(page));
        uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            knc_order_recheck(world, page[i].entity, is_gone);
        }
        if (count <= COUNT(page)) {
            return;
        }
        is_first = false;
    }
}

static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (kn_world_is_client(world)) {
        return;
    }
    knc_order_recheck(world, reaction->entity, false);
    orders_at_look(world, reaction->entity, false);
}

static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (kn_world_is_client(world)) {
        return;
    }
    knc_order_unit_die(world, reaction->entity);
    orders_at_look(world, reaction->entity, true);
}

// Orders that other orders begin meanwhile may be tested or not: they were tested when they began.
static kn_result relations_look(void *user, kn_world *world)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const kn_entity_id entity = *(const kn_entity_id *)user;
    kn_entity_id unit = {0};
    if (entity.index1 != 0) {
        knc_order_recheck(world, entity, false);
        orders_at_look(world, entity, false);
        return KN_OK;
    }
    while ((unit = kn_component_next(world, kit->orders, unit)).index1 != 0) {
        const unit_orders *orders = kn_component_read(world, kit->orders, unit);
        if (orders->current.target.index1 != 0) {
            knc_order_recheck(world, unit, false);
        }
    }
    return KN_OK;
}

kn_result kn_order_relations_changed(kn_world *world, kn_entity_id entity)
{
    if (knc_order_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    if (entity.index1 != 0 && !kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_world_call(world, relations_look, &entity);
}

kn_result knc_order_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
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

kn_result knc_order_rules_register(kn_library *library, order_kit *kit, kn_error *error)
{
    (void)kit;
    return knc_order_rule(library, "Knack.OrderDestroyed", KN_TRIGGER_ENTITY_DESTROYED, (kn_tag){0},
        destroyed_rule, NULL, error);
}

static bool tag_is_heard(const order_kit *kit, kn_tag tag)
{
    for (uint32_t i = 0; i < kit->heard_count; i++) {
        if (kit->heard[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

static kn_result tag_hear(kn_library *library, order_kit *kit, kn_tag tag, kn_error *error)
{
    char name[64];
    if (tag.index1 == 0 || tag_is_heard(kit, tag)) {
        return KN_OK;
    }
    if (!kn_memory_grow(
            NULL, &kit->heard, &kit->heard_capacity, kit->heard_count + 1, sizeof(*kit->heard))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->heard[kit->heard_count++] = tag;
    (void)snprintf(name, sizeof(name), "Knack.OrderGains.%u", tag.index1);
    kn_result result =
        knc_order_rule(library, name, KN_TRIGGER_TAG_ADDED, tag, tag_rule, kit, error);
    (void)snprintf(name, sizeof(name), "Knack.OrderLoses.%u", tag.index1);
    return result != KN_OK
               ? result
               : knc_order_rule(library, name, KN_TRIGGER_TAG_REMOVED, tag, tag_rule, kit, error);
}

static kn_result tags_hear(kn_library *library, order_kit *kit, kn_tags tags, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < tags.count; i++) {
        result = tag_hear(library, kit, tags.data[i], error);
    }
    return result;
}

// Any ability may be that of a variant.
static kn_result abilities_hear(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, KN_DEF_ABILITY); i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        const kn_tags lists[] = {
            def->source.required, def->source.ignored, def->target.required, def->target.ignored};
        for (uint32_t j = 0; result == KN_OK && j < COUNT(lists); j++) {
            result = tags_hear(library, kit, lists[j], error);
        }
    }
    return result;
}

kn_result knc_order_watch_expand(kn_library *library, order_kit *kit, kn_error *error)
{
    const kn_order_rules_def *rules = kn_def_get(library, kit->rules_kind, 1);
    bool is_named = rules != NULL && rules->alive.index1 != 0, has_variants = false;
    kn_result result =
        tag_hear(library, kit, is_named ? rules->alive : kit->own_tags[TAG_ALIVE], error);
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->type_kind); i++) {
        const kn_order_type_def *def = kn_def_get(library, kit->type_kind, i);
        const kn_tags lists[] = {def->tags.source_required, def->tags.source_blocked,
            def->tags.target_required, def->tags.target_blocked, def->watched_tags};
        kit->has_found_tags |= def->find_tags.function != NULL;
        has_variants |= def->find_variant.function != NULL;
        for (uint32_t j = 0; result == KN_OK && j < COUNT(lists); j++) {
            result = tags_hear(library, kit, lists[j], error);
        }
    }
    return has_variants && result == KN_OK ? abilities_hear(library, kit, error) : result;
}

// Entities become units by a tag ---------------------------------------------------------

static void unit_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    uint32_t index1 = (uint32_t)(uintptr_t)user;
    const kn_unit_type_def *def = kn_def_get(kn_world_library(world), kit->unit_kind, index1);
    if (def != NULL && kn_entity_has_tag(world, reaction->entity, def->tag)) {
        (void)kn_unit_add(world, reaction->entity, (kn_unit_type_id){index1});
    }
}

kn_result knc_order_units_expand(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->unit_kind); i++) {
        const kn_unit_type_def *def = kn_def_get(library, kit->unit_kind, i);
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.OrderUnit.%u", i);
        if (def->tag.index1 != 0) {
            result = knc_order_rule(library, name, KN_TRIGGER_TAG_ADDED, def->tag, unit_rule,
                (void *)(uintptr_t)i, error);
        }
    }
    return result;
}
