// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The list of abilities that a unit has from items. Entries go when the effect behind them goes,
// whoever removes it, so that the list always tells what there is. An effect that grants nothing
// has an entry without an ability, which nobody sees: it says who applied the effect.

#include "item_parts.h"

#include "knack/rts_card.h"

#include <stdlib.h>
#include <string.h>

#define GRANTS_MAX 16

static kn_component_type_id lists_of(const kn_world *world)
{
    return knc_rts_items_of_world(world)->lists;
}

static void entry_add(kn_world *world, kn_entity_id unit, kn_rts_item_ability entry)
{
    const kn_component_type_id type = lists_of(world);
    uint32_t count = 0;
    if (kn_component_add(world, type, unit) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, unit, &count);
    kn_rts_item_ability *items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = entry;
    }
}

static void entry_remove(kn_world *world, kn_entity_id unit, uint32_t place)
{
    const kn_component_type_id type = lists_of(world);
    uint32_t count = 0;
    kn_rts_item_ability *items = kn_component_items(world, type, unit, &count);
    memmove(items + place, items + place + 1, (count - place - 1) * sizeof(*items));
    (void)kn_component_resize(world, type, unit, count - 1);
    if (count == 1) {
        (void)kn_component_remove(world, type, unit);
    }
}

static const kn_rts_item_ability *entries(const kn_world *world, kn_entity_id unit, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, lists_of(world), unit, count);
}

void knc_rts_item_list_ability(
    kn_world *world, kn_entity_id unit, kn_ability_type_id ability, kn_entity_id item)
{
    entry_add(world, unit, (kn_rts_item_ability){.ability = ability, .item = item});
}

static void effect_list(kn_world *world, kn_entity_id unit, kn_effect_type_id type,
    kn_effect_id effect, kn_entity_id item, uint32_t stacks)
{
    kn_ability_type_id granted[GRANTS_MAX] = {{0}};
    uint32_t count = kn_rts_granted_abilities(world, type, granted, GRANTS_MAX);
    count = count < 1 ? 1 : count < GRANTS_MAX ? count : GRANTS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        entry_add(world, unit, (kn_rts_item_ability){granted[i], stacks, effect, item});
    }
}

void knc_rts_item_list_effect(kn_world *world, kn_entity_id unit, kn_effect_type_id type,
    kn_effect_id effect, kn_entity_id item)
{
    effect_list(world, unit, type, effect, item, 0);
}

void knc_rts_item_unlist(kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    uint32_t count;
    const kn_rts_item_ability *items = entries(world, unit, &count);
    for (uint32_t i = count; i > 0; i--) {
        if (kn_entity_id_equal(items[i - 1].item, item)) {
            entry_remove(world, unit, i - 1);
            items = entries(world, unit, &count);
        }
    }
}

uint32_t kn_rts_item_ability_list(
    const kn_world *world, kn_entity_id unit, kn_rts_item_ability *out, uint32_t capacity)
{
    uint32_t count = 0, found = 0;
    const kn_rts_item_ability *items = knc_rts_items_of_world(world) != NULL && unit.index1 != 0
                                           ? entries(world, unit, &count)
                                           : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].ability.index1 != 0) {
            if (found < capacity) {
                out[found] = items[i];
            }
            found++;
        }
    }
    return found;
}

// Effects -------------------------------------------------------------------------------

typedef struct stack_count {
    kn_effect_id effect;
    uint32_t stacks;
} stack_count;

kn_result knc_rts_item_effect_apply(kn_world *world, kn_entity_id unit, kn_effect_type_id type,
    kn_entity_id item, float level, kn_effect_id *effect, uint32_t *stacks)
{
    const kn_effect_def *def = kn_effect_type_get_def(world, type);
    const bool joins = def->stacking.kind != KN_STACK_NONE;
    const kn_effect_context context = {
        .instigator = unit, .causer = item, .source_object = kn_entity_id_pack(item)};
    kn_effect_id before[64];
    uint32_t counts[COUNT(before)], count = 0;
    if (joins) {
        kn_effect_query query = kn_effect_query_default();
        query.type = type;
        count = kn_effects_find(world, unit, &query, before, COUNT(before));
        count = count < COUNT(before) ? count : COUNT(before);
        for (uint32_t i = 0; i < count; i++) {
            counts[i] = kn_effect_stacks(world, before[i]);
        }
    }
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = type;
    apply.source = unit;
    apply.target = unit;
    apply.level = level;
    apply.context = &context;
    kn_result result = kn_effect_apply(world, &apply, effect);
    *stacks = joins && result == KN_OK ? kn_effect_stacks(world, *effect) : 0;
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        if (kn_effect_id_equal(before[i], *effect)) {
            *stacks = *stacks > counts[i] ? *stacks - counts[i] : 0;
            // At its limit: what it would have added is missing, and nothing is to be taken back.
            result = *stacks > 0 ? KN_OK : KN_REFUSED_STACK_DENIED;
        }
    }
    if (result != KN_OK) {
        *effect = (kn_effect_id){0};
    }
    return result;
}

// Entries of effects that grant nothing and have ended by themselves.
static void entries_purge(kn_world *world, kn_entity_id unit)
{
    uint32_t count;
    const kn_rts_item_ability *items = entries(world, unit, &count);
    for (uint32_t i = count; i > 0; i--) {
        if (items[i - 1].ability.index1 == 0 && !kn_effect_is_alive(world, items[i - 1].effect)) {
            entry_remove(world, unit, i - 1);
            items = entries(world, unit, &count);
        }
    }
}

typedef struct list_call {
    kn_entity_id unit;
    kn_effect_type_id type;
    kn_effect_id effect;
} list_call;

static kn_result add_run(void *user, kn_world *world)
{
    list_call *c = user;
    uint32_t stacks;
    kn_result result = knc_rts_item_effect_apply(
        world, c->unit, c->type, (kn_entity_id){0}, 1.0f, &c->effect, &stacks);
    entries_purge(world, c->unit);
    if (result == KN_OK && kn_effect_is_alive(world, c->effect)) {
        effect_list(world, c->unit, c->type, c->effect, (kn_entity_id){0}, stacks);
    }
    return result;
}

kn_result kn_rts_add_item_ability(
    kn_world *world, kn_entity_id unit, kn_effect_type_id effect, kn_effect_id *applied)
{
    list_call c = {.unit = unit, .type = effect};
    kn_result result = knc_rts_may_change(world, unit);
    if (result == KN_OK && kn_effect_type_get_def(world, effect) == NULL) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    result = result != KN_OK ? result : kn_world_call(world, add_run, &c);
    if (applied != NULL) {
        *applied = result == KN_OK ? c.effect : (kn_effect_id){0};
    }
    return result;
}

static kn_result remove_run(void *user, kn_world *world)
{
    const list_call *c = user;
    kn_ability_type_id granted[GRANTS_MAX];
    uint32_t left = kn_rts_granted_abilities(world, c->type, granted, GRANTS_MAX), count;
    left = left < 1 ? 1 : left < GRANTS_MAX ? left : GRANTS_MAX;
    kn_effect_id effect = {0};
    uint32_t stacks = 0;
    const kn_rts_item_ability *items = entries(world, c->unit, &count);
    // Entries of one application follow each other.
    for (uint32_t i = count; i > 0 && left > 0; i--) {
        const kn_rts_item_ability entry = items[i - 1];
        kn_effect_info info;
        if (entry.item.index1 != 0 || !kn_effect_get(world, entry.effect, &info) ||
            info.type.index1 != c->type.index1) {
            continue;
        }
        effect = entry.effect;
        stacks = entry.stacks;
        left--;
        entry_remove(world, c->unit, i - 1);
        items = entries(world, c->unit, &count);
    }
    return effect.index1 != 0 ? kn_effect_remove(world, effect, stacks, KN_REMOVED_BY_CALL)
                              : KN_REFUSED_NOT_FOUND;
}

kn_result kn_rts_remove_item_ability(kn_world *world, kn_entity_id unit, kn_effect_type_id effect)
{
    list_call c = {.unit = unit, .type = effect};
    kn_result result = knc_rts_may_change(world, unit);
    if (result == KN_OK && kn_effect_type_get_def(world, effect) == NULL) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    return result != KN_OK ? result : kn_world_call(world, remove_run, &c);
}

// Rules ---------------------------------------------------------------------------------

static void removed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    uint32_t count;
    (void)user;
    if (kn_world_is_client(world)) {
        return;
    }
    const kn_rts_item_ability *items = entries(world, reaction->entity, &count);
    for (uint32_t i = count; i > 0; i--) {
        if (kn_effect_id_equal(items[i - 1].effect, reaction->effect)) {
            entry_remove(world, reaction->entity, i - 1);
            items = entries(world, reaction->entity, &count);
        }
    }
}

// Entries of effects that grant nothing are found when the next one comes.
static bool removed_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const item_kit *kit = user;
    const uint32_t type = reaction->effect_type.index1;
    (void)library;
    return type == 0 || type > kit->effect_count || kit->effects[type - 1] != 0;
}

kn_result knc_rts_item_lists_expand(kn_library *library, item_kit *kit, kn_error *error)
{
    const uint32_t count = kn_def_count(library, KN_DEF_EFFECT);
    free(kit->effects);
    kit->effect_count = 0;
    kit->effects = calloc(count + 1, 1);
    if (kit->effects == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->effect_count = count;
    for (uint32_t i = 1; i <= count; i++) {
        const kn_effect_def *def = kn_def_get(library, KN_DEF_EFFECT, i);
        kit->effects[i - 1] = def->grant_count > 0;
    }
    for (uint32_t i = 1; i <= kn_def_count(library, kit->item_kind); i++) {
        const kn_rts_item_def *def = kn_def_get(library, kit->item_kind, i);
        if (def->effect.index1 != 0) {
            kit->effects[def->effect.index1 - 1] = 1;
        }
    }
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    rule.name = "Knack.RtsItemEffectRemoved";
    rule.trigger = KN_TRIGGER_EFFECT_REMOVED;
    rule.function = removed_rule;
    rule.wants = removed_wants;
    rule.user = kit;
    kn_result result = kn_rule_register(library, &rule, &id, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}

kn_result knc_rts_item_lists_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(ability_list, unused, KN_FIELD_U32)};
    static const kn_field items[] = {
        KN_FIELD_TO(kn_rts_item_ability, ability, "ability"),
        KN_FIELD(kn_rts_item_ability, stacks, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_ability, effect, KN_FIELD_EFFECT),
        KN_FIELD(kn_rts_item_ability, item, KN_FIELD_ENTITY),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsItemAbilities";
    def.size = sizeof(ability_list);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kn_rts_item_ability);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    return kn_component_register(library, &def, &kit->lists, error);
}
