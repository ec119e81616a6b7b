// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The population of players: two of their attributes, which are counted up and down. What is
// reserved is written down beside the producer, with who has it, so that exactly that is given back
// whatever has changed since.

#include "tech_parts.h"

#include <math.h>
#include <string.h>

#define PRODUCED "Knack.Event.Produced" // what production sends to a new entity

bool kn_rts_population(const kn_world *world, kn_entity_id player, kn_rts_population_info *info)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_rts_population_def *def = kit != NULL ? kit->population : NULL;
    *info = (kn_rts_population_info){0};
    if (def == NULL || !kn_attribute_exists(world, player, def->used, 0)) {
        return false;
    }
    info->used = kn_attribute_value(world, player, def->used);
    info->cap = def->cap.index1 != 0 ? kn_attribute_value(world, player, def->cap) : INFINITY;
    if (def->limit > 0.0f && info->cap > def->limit) {
        info->cap = def->limit;
    }
    info->room = info->cap > info->used ? info->cap - info->used : 0.0f;
    return true;
}

// Whether there is no room for a product.
static bool is_full(const kn_world *world, kn_entity_id player, kn_product_id product)
{
    const float needed = kn_rts_product_population(kn_world_library(world), product);
    kn_rts_population_info info;
    return needed > 0.0f && kn_rts_population(world, player, &info) && needed > info.room;
}

kn_result knc_rts_population_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    if (kit->population == NULL || kit->population->queues_without_room ||
        !is_full(world, one->payer, one->product)) {
        return KN_OK;
    }
    kn_rts_population_info info;
    (void)kn_rts_population(world, one->payer, &info);
    const float needed = kn_rts_product_population(kn_world_library(world), one->product);
    const float limit = kit->population->limit;
    const bool is_final = limit > 0.0f && info.used + needed > limit;
    kn_order_errors_add(
        &answer->errors, kit->tags[is_final ? TECH_TAG_POPULATION_LIMIT : TECH_TAG_POPULATION]);
    return KN_REFUSED_LIMIT;
}

// Whose population a product counts for: whoever will own what it becomes.
static kn_entity_id player_of(const kn_world *world, const kn_product_case *one)
{
    return kn_product_payer(world, one->maker);
}

bool knc_rts_population_may_begin(const kn_world *world, const kn_product_case *one)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    return kit->population == NULL || kit->population->reserve == KN_RTS_RESERVE_QUEUE ||
           !is_full(world, player_of(world, one), one->product);
}

// Reserving -------------------------------------------------------------------------

// Counts something that is written down with an amount of 0, and writes down how much it was. Hooks
// may have ended it meanwhile: then it is given back.
static void reserved_count(kn_world *world, kn_entity_id maker, const reserved_item *item)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_attribute_id used = kit->population->used;
    const float amount = kn_rts_product_population(kn_world_library(world), item->product);
    const float added = knc_rts_base_add(world, item->player, used, amount);
    uint32_t count = 0;
    reserved_item *items = kn_component_items(world, kit->reservations, maker, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].product.index1 == item->product.index1 && items[i].amount == 0.0f &&
            items[i].is_birth == item->is_birth &&
            kn_entity_id_equal(items[i].player, item->player)) {
            items[i].amount = added;
            return;
        }
    }
    (void)knc_rts_base_add(world, item->player, used, -added);
}

static void reserve(kn_world *world, const kn_product_case *one)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_component_type_id type = kit->reservations;
    const reserved_item item = {.product = one->product, .player = player_of(world, one)};
    uint32_t count = 0;
    if (kn_rts_product_population(kn_world_library(world), one->product) == 0.0f ||
        kn_component_add(world, type, one->maker) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, one->maker, &count);
    reserved_item *items = kn_component_resize(world, type, one->maker, count + 1);
    if (items != NULL) {
        items[count] = item;
        reserved_count(world, one->maker, &item);
    }
}

static void release_at(kn_world *world, kn_entity_id maker, uint32_t place)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    uint32_t count = 0;
    reserved_item *items = kn_component_items(world, kit->reservations, maker, &count);
    const reserved_item item = items[place];
    memmove(items + place, items + place + 1, (count - place - 1) * sizeof(*items));
    (void)kn_component_resize(world, kit->reservations, maker, count - 1);
    if (count == 1) {
        (void)kn_component_remove(world, kit->reservations, maker);
    }
    if (kit->population != NULL) {
        (void)knc_rts_base_add(world, item.player, kit->population->used, -item.amount);
    }
}

// What the first such product has reserved; UINT32_MAX for nothing.
static uint32_t reserved_find(const kn_world *world, const kn_product_case *one)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    uint32_t count = 0;
    const reserved_item *items =
        kn_component_read_items(world, kit->reservations, one->maker, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].product.index1 == one->product.index1 && items[i].is_birth == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void release(kn_world *world, const kn_product_case *one)
{
    const uint32_t place = reserved_find(world, one);
    if (place != UINT32_MAX) {
        release_at(world, one->maker, place);
    }
}

// The new entity becomes a unit when rules run. Until then its population stays reserved, or the
// next product could begin in its place.
static void bear(kn_world *world, const kn_product_case *one)
{
    const kn_component_type_id type = knc_rts_tech_of_world(world)->reservations;
    uint32_t place = reserved_find(world, one), count = 0;
    if (place == UINT32_MAX) {
        return;
    }
    if (one->created.index1 == 0 || kn_component_add(world, type, one->created) == NULL) {
        release_at(world, one->maker, place);
        return;
    }
    (void)kn_component_read_items(world, type, one->created, &count);
    reserved_item *items = kn_component_resize(world, type, one->created, count + 1);
    if (items == NULL) {
        return; // the world is broken
    }
    reserved_item *old = kn_component_items(world, type, one->maker, NULL);
    items = kn_component_items(world, type, one->created, NULL);
    items[count] = old[place];
    items[count].is_birth = 1;
    old[place].amount = 0.0f; // it has moved
    release_at(world, one->maker, place);
}

void knc_rts_birth_end(kn_world *world, kn_entity_id unit)
{
    const kn_component_type_id type = knc_rts_tech_of_world(world)->reservations;
    uint32_t count = 0;
    const reserved_item *items =
        type.index1 != 0 ? kn_component_read_items(world, type, unit, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].is_birth != 0) {
            release_at(world, unit, i);
            return;
        }
    }
}

// What is left when an entity ends, whatever the reason.
static void reservations_removed(void *user, const kn_component_call *call)
{
    uint32_t count = 0;
    const tech_kit *kit = user;
    const reserved_item *items =
        kn_component_read_items(call->world, call->type, call->entity, &count);
    for (uint32_t i = 0; kit->population != NULL && i < count; i++) {
        (void)knc_rts_base_add(
            call->world, items[i].player, kit->population->used, -items[i].amount);
        items = kn_component_read_items(call->world, call->type, call->entity, &count);
    }
}

static void hold(kn_world *world, const kn_product_case *one)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    const kn_entity_id player = player_of(world, one);
    held_producer *held = kn_component_add(world, kit->held, one->maker);
    if (held != NULL) {
        held->player = player;
    }
}

void knc_rts_population_note(kn_world *world, const kn_product_case *one, kn_product_stage stage)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    if (kit->population == NULL) {
        return;
    }
    const bool is_early = kit->population->reserve == KN_RTS_RESERVE_QUEUE && !one->is_site;
    switch (stage) {
    case KN_PRODUCT_QUEUED:
        if (is_early) {
            reserve(world, one);
        }
        break;
    case KN_PRODUCT_HELD:
        hold(world, one);
        break;
    case KN_PRODUCT_BEGUN:
        (void)kn_component_remove(world, kit->held, one->maker);
        if (!is_early) {
            reserve(world, one);
        }
        break;
    case KN_PRODUCT_FINISHED:
        bear(world, one);
        break;
    default:
        if (is_early || one->is_begun) {
            release(world, one);
        }
        break;
    }
}

// Rules -----------------------------------------------------------------------------

// There may be room now: those who wait for it try again.
static void room_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const tech_kit *kit = user;
    kn_component_referrer page[16], last = {0};
    bool is_first = true;
    kn_rts_population_info info;
    if (kn_world_is_client(world) || reaction->key != 0 ||
        !kn_rts_population(world, reaction->entity, &info) || info.room == 0.0f) {
        return;
    }
    for (;;) {
        const uint32_t count = kn_component_referrers_after(
            world, kit->held, 0, reaction->entity, is_first ? NULL : &last, page, COUNT(page));
        const uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            if (kn_producer_retry(world, page[i].entity) == KN_REFUSED_NOT_FOUND) {
                (void)kn_component_remove(world, kit->held, page[i].entity); // it was cancelled
            }
        }
        if (count <= COUNT(page)) {
            return;
        }
        is_first = false;
    }
}

// Rules that make a unit of a new entity have run: what did not become one takes nothing.
static void produced_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world)) {
        knc_rts_birth_end(world, reaction->entity);
    }
}

// Lets something that is reserved for another player count for this one; false if there is none.
static bool reserved_pass(kn_world *world, kn_entity_id maker, kn_entity_id player)
{
    const tech_kit *kit = knc_rts_tech_of_world(world);
    uint32_t count = 0, place = 0;
    reserved_item *items = kn_component_items(world, kit->reservations, maker, &count);
    while (place < count && kn_entity_id_equal(items[place].player, player)) {
        place++;
    }
    if (place == count) {
        return false;
    }
    const reserved_item old = items[place];
    items[place].player = player;
    items[place].amount = 0.0f;
    const reserved_item now = items[place];
    (void)knc_rts_base_add(world, old.player, kit->population->used, -old.amount);
    reserved_count(world, maker, &now);
    return true;
}

// What is reserved goes to the new owner, with what waits; research is cancelled.
static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const tech_kit *kit = user;
    const kn_entity_id maker = reaction->entity;
    if (kn_world_is_client(world)) {
        return;
    }
    kn_producer_info producer;
    if (kn_producer_get_info(world, maker, &producer)) {
        knc_rts_research_leave(world, maker);
    }
    const kn_entity_id player = kn_product_payer(world, maker);
    while (kit->population != NULL && reserved_pass(world, maker, player)) {
        // Hooks may change what is reserved, so each time it is looked for from the beginning.
    }
    held_producer *held = kn_component_get(world, kit->held, maker);
    if (held != NULL) {
        held->player = player;
        (void)kn_producer_retry(world, maker);
    }
}

// Its items name products, which a library without production does not have.
static kn_result reservations_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(reservation, unused, KN_FIELD_U32)};
    const kn_field items[] = {
        KN_FIELD_TO(reserved_item, product, "product"),
        KN_FIELD(reserved_item, amount, KN_FIELD_F32),
        KN_FIELD(reserved_item, player, KN_FIELD_ENTITY),
        KN_FIELD(reserved_item, is_birth, KN_FIELD_U32),
        KN_FIELD(reserved_item, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsReserved";
    def.size = sizeof(reservation);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(reserved_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_NONE;
    def.removed = reservations_removed;
    def.user = kit;
    return kit->reservations.index1 != 0 // finished for a second time
               ? KN_OK
               : kn_component_register(library, &def, &kit->reservations, error);
}

kn_result knc_rts_population_expand(kn_library *library, tech_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    if (kn_order_produce_is_there(library)) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = "Knack.RtsProducerOwner";
        rule.trigger = KN_TRIGGER_OWNER_CHANGED;
        rule.priority = -1; // behind production, which may cancel the queue
        rule.function = owner_rule;
        rule.user = kit;
        result = kn_rule_register(library, &rule, &id, error);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
        result = result == KN_OK ? reservations_register(library, kit, error) : result;
        result = result == KN_OK ? knc_rts_rule_register(library, "Knack.RtsProduced",
                                       KN_TRIGGER_EVENT, kn_tag_find(library, PRODUCED),
                                       (kn_attribute_id){0}, produced_rule, kit, error)
                                 : result;
    }
    if (kn_def_count(library, kit->population_kind) == 0) {
        return result;
    }
    const kn_rts_population_def *def = kn_def_get(library, kit->population_kind, 1);
    if (result == KN_OK) {
        result = knc_rts_rule_register(library, "Knack.RtsUsed", KN_TRIGGER_ATTRIBUTE_CHANGED,
            (kn_tag){0}, def->used, room_rule, kit, error);
    }
    if (result == KN_OK && def->cap.index1 != 0) {
        result = knc_rts_rule_register(library, "Knack.RtsCap", KN_TRIGGER_ATTRIBUTE_CHANGED,
            (kn_tag){0}, def->cap, room_rule, kit, error);
    }
    return result;
}

kn_result knc_rts_population_state_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const kn_field held[] = {KN_FIELD(held_producer, player, KN_FIELD_ENTITY)};
    static const kn_component_reference of_player = {
        .field = "player", .when_destroyed = KN_REFERENCE_LEAVE};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsHeld";
    def.size = sizeof(held_producer);
    def.fields = held;
    def.field_count = COUNT(held);
    def.references = &of_player;
    def.reference_count = 1;
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->held, error);
}
