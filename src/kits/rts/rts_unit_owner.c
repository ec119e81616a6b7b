// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What units have from the player who owns them: copies of its tags, and abilities that rise with
// them. There is a rule for each tag of players that some type of unit names; units are found by
// the index of their owner, so that nothing is polled.

#include "parts.h"

#include <stdio.h>
#include <string.h>

static kn_component_type_id owners_of(const kn_world *world)
{
    return knc_rts_kit_of_world(world)->units.owners;
}

// The place of a tag among what a unit has from its owner; UINT32_MAX for none.
static uint32_t item_find(const kn_world *world, kn_entity_id unit, kn_tag tag, bool is_ability)
{
    uint32_t count = 0;
    const owner_item *items = kn_component_read_items(world, owners_of(world), unit, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].tag.index1 == tag.index1 && (items[i].is_ability != 0) == is_ability) {
            return i;
        }
    }
    return UINT32_MAX;
}

static bool item_add(kn_world *world, kn_entity_id unit, kn_tag tag, bool is_ability)
{
    uint32_t count = 0;
    (void)kn_component_read_items(world, owners_of(world), unit, &count);
    owner_item *items = kn_component_resize(world, owners_of(world), unit, count + 1);
    if (items != NULL) {
        items[count] = (owner_item){tag, is_ability};
    }
    return items != NULL;
}

static void item_remove(kn_world *world, kn_entity_id unit, uint32_t place)
{
    uint32_t count = 0;
    owner_item *items = kn_component_items(world, owners_of(world), unit, &count);
    memmove(items + place, items + place + 1, (count - place - 1) * sizeof(*items));
    (void)kn_component_resize(world, owners_of(world), unit, count - 1);
}

static bool is_copied(const kn_rts_unit_def *def, kn_tag tag)
{
    return kn_tags_has_exact(def->player_tags, tag);
}

// The owner has a tag.
static void tag_gained(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    if (def == NULL) {
        return;
    }
    if (is_copied(def, tag) && item_find(world, unit, tag, false) == UINT32_MAX &&
        item_add(world, unit, tag, false)) {
        (void)kn_entity_add_tag(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    // Once for each tag and owner: the level stays when the tag goes.
    const bool is_new = item_find(world, unit, tag, true) == UINT32_MAX;
    bool is_noted = !is_new;
    for (uint32_t i = 0; is_new && i < def->player_ability_count; i++) {
        if (def->player_abilities[i].tag.index1 == tag.index1) {
            is_noted = is_noted || item_add(world, unit, tag, true);
            (void)kn_rts_raise_ability(world, unit, def->player_abilities[i].ability, false);
        }
    }
}

static void tag_lost(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    const uint32_t place = item_find(world, unit, tag, false);
    if (place != UINT32_MAX) {
        item_remove(world, unit, place);
        (void)kn_entity_remove_tag(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
}

static bool def_hears(const kn_rts_unit_def *def)
{
    return def != NULL && (def->player_tags.count > 0 || def->player_ability_count > 0);
}

void knc_rts_owner_begin(kn_world *world, kn_entity_id unit)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    const kn_entity_id owner = kn_entity_owner(world, unit);
    if (!def_hears(def) || !kn_entity_is_alive(world, owner) || kn_entity_is_dying(world, owner)) {
        return;
    }
    unit_owner *record = kn_component_add(world, owners_of(world), unit);
    if (record == NULL) {
        return;
    }
    record->owner = owner;
    for (uint32_t i = 0; i < def->player_tags.count; i++) {
        if (kn_entity_has_tag(world, owner, def->player_tags.data[i])) {
            tag_gained(world, unit, def->player_tags.data[i]);
        }
    }
    for (uint32_t i = 0; i < def->player_ability_count; i++) {
        if (kn_entity_has_tag(world, owner, def->player_abilities[i].tag)) {
            tag_gained(world, unit, def->player_abilities[i].tag);
        }
    }
}

void knc_rts_owner_end(kn_world *world, kn_entity_id unit)
{
    uint32_t count = 0;
    const owner_item *items = kn_component_read_items(world, owners_of(world), unit, &count);
    while (count > 0) {
        const owner_item item = items[count - 1];
        (void)kn_component_resize(world, owners_of(world), unit, count - 1);
        if (item.is_ability == 0) {
            (void)kn_entity_remove_tag(world, unit, item.tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        }
        items = kn_component_read_items(world, owners_of(world), unit, &count);
    }
    (void)kn_component_remove(world, owners_of(world), unit);
}

// Rules -----------------------------------------------------------------------------

static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (kn_world_is_client(world) || knc_rts_unit_read(world, reaction->entity) == NULL) {
        return;
    }
    const unit_owner *record = kn_component_read(world, owners_of(world), reaction->entity);
    const kn_entity_id owner = kn_entity_owner(world, reaction->entity);
    if (record != NULL && kn_entity_id_equal(record->owner, owner)) {
        return; // it came back before anything was done
    }
    knc_rts_owner_end(world, reaction->entity);
    knc_rts_owner_begin(world, reaction->entity);
}

typedef void unit_fn(kn_world *world, kn_entity_id unit, kn_tag tag);

static void units_of_each(kn_world *world, kn_entity_id owner, unit_fn *function, kn_tag tag)
{
    kn_component_referrer page[16], last = {0};
    bool is_first = true;
    for (;;) {
        const uint32_t count = kn_component_referrers_after(
            world, owners_of(world), 0, owner, is_first ? NULL : &last, page, COUNT(page));
        const uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            function(world, page[i].entity, tag);
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
    if (!kn_world_is_client(world)) {
        const bool has = kn_entity_has_tag(world, reaction->entity, reaction->tag);
        units_of_each(world, reaction->entity, has ? tag_gained : tag_lost, reaction->tag);
    }
}

static void unit_leave(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    (void)tag;
    knc_rts_owner_end(world, unit);
}

static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world)) {
        units_of_each(world, reaction->entity, unit_leave, (kn_tag){0});
    }
}

static kn_result tag_hear(kn_library *library, rts_kit *kit, kn_tag tag, kn_error *error)
{
    unit_ids *ids = &kit->units;
    char name[64];
    if (kn_tags_has_exact((kn_tags){ids->heard, ids->heard_count}, tag)) {
        return KN_OK;
    }
    if (!kn_memory_grow(
            NULL, &ids->heard, &ids->heard_capacity, ids->heard_count + 1, sizeof(*ids->heard))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    ids->heard[ids->heard_count++] = tag;
    (void)snprintf(name, sizeof(name), "Knack.RtsPlayerGains.%u", (unsigned)tag.index1);
    kn_result result = knc_rts_rule_register(
        library, name, KN_TRIGGER_TAG_ADDED, tag, (kn_attribute_id){0}, tag_rule, NULL, error);
    (void)snprintf(name, sizeof(name), "Knack.RtsPlayerLoses.%u", (unsigned)tag.index1);
    return result != KN_OK ? result
                           : knc_rts_rule_register(library, name, KN_TRIGGER_TAG_REMOVED, tag,
                                 (kn_attribute_id){0}, tag_rule, NULL, error);
}

kn_result knc_rts_owners_expand(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    bool is_heard = false;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->units.unit_kind); i++) {
        const kn_rts_unit_def *def = kn_def_get(library, kit->units.unit_kind, i);
        is_heard = is_heard || def_hears(def);
        for (uint32_t j = 0; result == KN_OK && j < def->player_tags.count; j++) {
            result = tag_hear(library, kit, def->player_tags.data[j], error);
        }
        for (uint32_t j = 0; result == KN_OK && j < def->player_ability_count; j++) {
            result = tag_hear(library, kit, def->player_abilities[j].tag, error);
        }
    }
    if (result == KN_OK && is_heard) {
        result = knc_rts_rule_register(library, "Knack.RtsOwnerChanged", KN_TRIGGER_OWNER_CHANGED,
            (kn_tag){0}, (kn_attribute_id){0}, owner_rule, NULL, error);
    }
    if (result == KN_OK && is_heard) {
        result =
            knc_rts_rule_register(library, "Knack.RtsOwnerDestroyed", KN_TRIGGER_ENTITY_DESTROYED,
                (kn_tag){0}, (kn_attribute_id){0}, destroyed_rule, NULL, error);
    }
    return result;
}
