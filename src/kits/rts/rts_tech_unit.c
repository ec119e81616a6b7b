// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What units give their owners: tags and population. A record beside the unit says what was given
// and who has it, and removing the record ends it, whatever the reason.

#include "tech_parts.h"

static const unit_gift *gift_read(const kn_world *world, kn_entity_id unit)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    return kit != NULL ? kn_component_read(world, kit->gifts, unit) : NULL;
}

static bool def_gives(const kn_rts_unit_def *def)
{
    return def != NULL &&
           (def->provides.count > 0 || def->population > 0.0f || def->population_cap > 0.0f);
}

static bool is_finished(const kn_world *world, kn_entity_id unit)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    kn_site_info site;
    return !kn_entity_has_tag(world, unit, kit->rts->tags[KN_RTS_UNDER_CONSTRUCTION]) &&
           !(kn_order_produce_is_there(kn_world_library(world)) &&
               kn_site_get_info(world, unit, &site));
}

// Who gets something from a unit now; null: nobody.
static kn_entity_id receiver_of(const kn_world *world, kn_entity_id unit)
{
    const unit_state *state = knc_rts_unit_read(world, unit);
    const kn_entity_id owner = kn_entity_owner(world, unit);
    const bool gives = state != NULL && state->is_dead == 0 &&
                       def_gives(knc_rts_unit_def(world, state->type)) &&
                       kn_entity_is_alive(world, owner) && !kn_entity_is_dying(world, owner) &&
                       !kn_entity_is_dying(world, unit) && is_finished(world, unit);
    return gives ? owner : (kn_entity_id){0};
}

// The record of what this owner gets. NULL if hooks have ended it, or given it to somebody else.
static unit_gift *gift_get(kn_world *world, kn_entity_id unit, kn_entity_id owner)
{
    unit_gift *gift = kn_component_get(world, knc_rts_tech_of_world(world)->gifts, unit);
    return gift != NULL && kn_entity_id_equal(gift->owner, owner) ? gift : NULL;
}

// Counts the population of a unit, or what it adds to the cap, and writes it down; false if that is
// not for us any more.
static bool population_give(kn_world *world, kn_entity_id unit, kn_entity_id owner, bool is_cap)
{
    const kn_rts_population_def *population = knc_rts_tech_of_world(world)->population;
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    const kn_attribute_id attribute = is_cap ? population->cap : population->used;
    if (def == NULL || gift_get(world, unit, owner) == NULL) {
        return false;
    }
    const float added =
        knc_rts_base_add(world, owner, attribute, is_cap ? def->population_cap : def->population);
    unit_gift *gift = gift_get(world, unit, owner);
    float *noted = gift == NULL ? NULL : is_cap ? &gift->cap : &gift->population;
    if (noted == NULL || *noted != 0.0f) {
        (void)knc_rts_base_add(world, owner, attribute, -added);
        return false;
    }
    *noted = added;
    return true;
}

// Hooks of attributes may end the gift while it begins: what is counted is written down at once,
// and given back if there is no record any more.
static void gift_begin(kn_world *world, kn_entity_id unit, kn_entity_id owner)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    unit_gift *gift = kn_component_add(world, kit->gifts, unit);
    gift_item *items = gift != NULL && def->provides.count > 0
                           ? kn_component_resize(world, kit->gifts, unit, def->provides.count)
                           : NULL;
    if (gift == NULL || (items == NULL && def->provides.count > 0)) {
        return; // the world is broken
    }
    for (uint32_t i = 0; i < def->provides.count; i++) {
        items[i].tag = def->provides.data[i];
    }
    gift = kn_component_get(world, kit->gifts, unit);
    gift->owner = owner;
    for (uint32_t i = 0; i < def->provides.count; i++) { // what follows from them comes later
        (void)kn_entity_add_tag(world, owner, def->provides.data[i], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    if (kit->population != NULL) {
        knc_rts_birth_end(world, unit);
        if (population_give(world, unit, owner, true)) {
            (void)population_give(world, unit, owner, false);
        }
    }
}

// Called before the record of a unit goes, with the unit or without it.
static void gift_removed(void *user, const kn_component_call *call)
{
    const tech_kit *kit = user;
    kn_world *world = call->world;
    const unit_gift gift = *(const unit_gift *)kn_component_read(world, call->type, call->entity);
    uint32_t count = 0;
    if (kn_world_is_client(world) || !kn_entity_is_alive(world, gift.owner)) {
        return;
    }
    const gift_item *items = kn_component_read_items(world, call->type, call->entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        (void)kn_entity_remove_tag(world, gift.owner, items[i].tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        items = kn_component_read_items(world, call->type, call->entity, &count);
    }
    if (kit->population != NULL) {
        (void)knc_rts_base_add(world, gift.owner, kit->population->used, -gift.population);
        (void)knc_rts_base_add(world, gift.owner, kit->population->cap, -gift.cap);
    }
}

void knc_rts_gift_look(kn_world *world, kn_entity_id unit)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const unit_gift *gift = gift_read(world, unit);
    kn_entity_id receiver = receiver_of(world, unit);
    if (gift != NULL && kn_entity_id_equal(gift->owner, receiver)) {
        return;
    }
    if (gift != NULL) {
        if (!kn_component_remove(world, kit->gifts, unit)) {
            return; // it is being removed: a hook of that asks
        }
        receiver = receiver_of(world, unit);
    }
    if (receiver.index1 != 0) {
        gift_begin(world, unit, receiver);
    }
}

float kn_rts_population_of(const kn_world *world, kn_entity_id unit)
{
    const unit_gift *gift = unit.index1 != 0 ? gift_read(world, unit) : NULL;
    return gift != NULL ? gift->population : 0.0f;
}

// Rules -----------------------------------------------------------------------------

static void look_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world) && knc_rts_unit_read(world, reaction->entity) != NULL) {
        knc_rts_gift_look(world, reaction->entity);
    }
}

kn_result knc_rts_gifts_expand(kn_library *library, tech_kit *kit, kn_error *error)
{
    const kn_def_kind units = kit->rts->units.unit_kind;
    const kn_tag under = kit->rts->tags[KN_RTS_UNDER_CONSTRUCTION];
    const struct {
        const char *name;
        kn_trigger trigger;
        kn_tag tag;
    } rules[] = {
        {"Knack.RtsGiftOwner", KN_TRIGGER_OWNER_CHANGED, {0}},
        {"Knack.RtsGiftBegun", KN_TRIGGER_TAG_ADDED, under},
        {"Knack.RtsGiftFinished", KN_TRIGGER_TAG_REMOVED, under},
        {"Knack.RtsGiftSite", KN_TRIGGER_TAG_ADDED, kit->constructing},
        {"Knack.RtsGiftBuilt", KN_TRIGGER_TAG_REMOVED, kit->constructing},
    };
    bool is_needed = false;
    for (uint32_t i = 1; i <= kn_def_count(library, units); i++) {
        is_needed = is_needed || def_gives(kn_def_get(library, units, i));
    }
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && is_needed && i < COUNT(rules); i++) {
        if (i == 0 || rules[i].tag.index1 != 0) {
            result = knc_rts_rule_register(library, rules[i].name, rules[i].trigger, rules[i].tag,
                (kn_attribute_id){0}, look_rule, kit, error);
        }
    }
    return result;
}

kn_result knc_rts_gifts_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(unit_gift, owner, KN_FIELD_ENTITY),
        KN_FIELD(unit_gift, population, KN_FIELD_F32),
        KN_FIELD(unit_gift, cap, KN_FIELD_F32),
    };
    static const kn_field items[] = {KN_FIELD(gift_item, tag, KN_FIELD_TAG)};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsGift";
    def.size = sizeof(unit_gift);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(gift_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_NONE;
    def.removed = gift_removed;
    def.user = kit;
    return kn_component_register(library, &def, &kit->gifts, error);
}
