// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What can be done with items, and why not. Nothing here changes anything.

#include "item_parts.h"

#include <math.h>

// Reasons -------------------------------------------------------------------------------

kn_result kn_rts_item_result(const kn_rts_item_answer *answer)
{
    static const struct {
        uint32_t bits;
        kn_result result;
    } rows[] = {
        {KN_RTS_ITEM_NO_ITEM | KN_RTS_ITEM_NO_HOLDER, KN_REFUSED_NOT_FOUND},
        {KN_RTS_ITEM_DEAD, KN_REFUSED_REQUIREMENT},
        {KN_RTS_ITEM_CARRIED | KN_RTS_ITEM_OTHERS, KN_REFUSED_EXCLUSIVE},
        {KN_RTS_ITEM_BAD_TAGS | KN_RTS_ITEM_LEVEL_TOO_LOW, KN_REFUSED_REQUIREMENT},
        {KN_RTS_ITEM_TOO_MANY | KN_RTS_ITEM_NO_ROOM, KN_REFUSED_LIMIT},
        {KN_RTS_ITEM_TOO_FAR, KN_REFUSED_REQUIREMENT},
        {KN_RTS_ITEM_FIXED, KN_REFUSED_BLOCKED},
        {KN_RTS_ITEM_NO_ABILITY, KN_REFUSED_NOT_FOUND},
        {KN_RTS_ITEM_STASHED, KN_REFUSED_REQUIREMENT},
        {KN_RTS_ITEM_EMPTY, KN_REFUSED_COST},
        {KN_RTS_ITEM_NOT_READY, KN_OK},
        {KN_RTS_ITEM_NOT_TRADED, KN_REFUSED_NOT_FOUND},
        {KN_RTS_ITEM_OUT_OF_STOCK, KN_REFUSED_LIMIT},
        {KN_RTS_ITEM_TOO_EXPENSIVE, KN_REFUSED_COST},
        {KN_RTS_ITEM_REFUSED, KN_REFUSED_CUSTOM},
    };
    for (uint32_t i = 0; answer != NULL && i < COUNT(rows); i++) {
        if ((answer->why_not & rows[i].bits) != 0) {
            return rows[i].result != KN_OK ? rows[i].result : kn_fail_result(answer->fails);
        }
    }
    return KN_OK;
}

bool knc_rts_item_answer(const kn_rts_item_answer *answer, kn_rts_item_answer *out)
{
    if (out != NULL) {
        *out = *answer;
    }
    return answer->why_not == 0;
}

// The state of an item that is not about to end; NULL for anything else.
static const item_state *item_living(const kn_world *world, kn_entity_id item)
{
    return kn_entity_is_dying(world, item) ? NULL : knc_rts_item_read(world, item);
}

static uint32_t dead_bit(const kn_world *world, kn_entity_id unit)
{
    return kn_rts_is_dead(world, unit) || kn_entity_is_dying(world, unit) ? KN_RTS_ITEM_DEAD : 0;
}

// Carrying ------------------------------------------------------------------------------

bool knc_rts_item_slot_fits(
    const kn_world *world, const kn_rts_inventory_def *def, uint32_t slot, kn_entity_id item)
{
    const kn_rts_slot_def *found = knc_rts_slot_def(def, slot);
    return found != NULL && kn_entity_meets(world, item, &found->accepts);
}

uint32_t knc_rts_item_stack_room(const kn_world *world, kn_entity_id item, kn_rts_item_type_id type)
{
    const item_state *state = item_living(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    return def != NULL && state->type.index1 == type.index1 && def->stack > state->charges
               ? def->stack - state->charges
               : 0;
}

// Whether a slot takes an item, or one of its type that is created later, as far as its definition
// tells: effects of its archetype may give it tags as well.
static bool slot_takes(const kn_world *world, const kn_rts_inventory_def *def, uint32_t slot,
    kn_entity_id item, const kn_rts_item_def *type)
{
    const kn_library *library = kn_world_library(world);
    const kn_rts_slot_def *found = knc_rts_slot_def(def, slot);
    kn_tag_set tags = {0};
    if (item.index1 != 0 || found == NULL) {
        return knc_rts_item_slot_fits(world, def, slot, item);
    }
    for (uint32_t i = 0; i < type->tags.count; i++) {
        (void)kn_tag_set_add(&tags, type->tags.data[i]);
    }
    const kn_archetype_def *archetype = kn_archetype_get_def(library, type->archetype);
    for (; archetype != NULL; archetype = kn_archetype_get_def(library, archetype->parent)) {
        for (uint32_t i = 0; i < archetype->tags.count; i++) {
            (void)kn_tag_set_add(&tags, archetype->tags.data[i]);
        }
    }
    return kn_tag_requirement_is_met(library, &found->accepts, (kn_tags){tags.data, tags.count});
}

// Whether charges find room, and what is against it.
static uint32_t room_bits(const kn_world *world, kn_entity_id unit, kn_entity_id item,
    kn_rts_item_type_id type, uint32_t charges, int32_t slot)
{
    const kn_rts_inventory_def *def = knc_rts_inventory_def(world, unit);
    const kn_rts_item_def *item_def = knc_rts_item_def(world, type);
    const uint32_t count = kn_rts_slot_count(world, unit);
    uint64_t room = 0;
    uint32_t same = 0;
    bool fits = false, has_free = false;
    for (uint32_t i = 0; i < count; i++) {
        const kn_entity_id there = kn_rts_slot_item(world, unit, i);
        const item_state *state = item_living(world, there);
        same +=
            state != NULL && state->type.index1 == type.index1 && !kn_entity_id_equal(there, item);
        room += slot < 0 ? knc_rts_item_stack_room(world, there, type) : 0;
        if ((slot < 0 || (uint32_t)slot == i) && slot_takes(world, def, i, item, item_def)) {
            fits = true;
            has_free = has_free || there.index1 == 0;
        }
    }
    if (item_def->stack > 0 && room >= charges && charges > 0) {
        return 0;
    }
    uint32_t bits = item_def->limit > 0 && same >= item_def->limit ? KN_RTS_ITEM_TOO_MANY : 0;
    if (!fits && (slot < 0 || (uint32_t)slot < count)) {
        bits |= KN_RTS_ITEM_BAD_TAGS;
    } else if (!has_free) {
        bits |= KN_RTS_ITEM_NO_ROOM;
    }
    return bits;
}

uint32_t knc_rts_item_carry_bits(const kn_world *world, kn_entity_id unit, kn_entity_id item,
    kn_rts_item_type_id type, uint32_t charges, int32_t slot)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_item_def *def = knc_rts_item_def(world, type);
    const kn_entity_id owner = kn_entity_owner(world, item);
    if (def == NULL || knc_rts_inventory_def(world, unit) == NULL) {
        return (def == NULL ? KN_RTS_ITEM_NO_ITEM : 0) |
               (knc_rts_inventory_def(world, unit) == NULL ? KN_RTS_ITEM_NO_HOLDER : 0);
    }
    uint32_t bits = room_bits(world, unit, item, type, charges, slot);
    if (def->owner_only && owner.index1 != 0 &&
        !kn_entity_id_equal(owner, kn_entity_owner(world, unit))) {
        bits |= KN_RTS_ITEM_OTHERS;
    }
    bits |= kn_entity_meets(world, unit, &def->holder) ? 0 : KN_RTS_ITEM_BAD_TAGS;
    bits |= kn_rts_level(world, unit) < def->required_level ? KN_RTS_ITEM_LEVEL_TOO_LOW : 0;
    if (def->can_carry.function != NULL) {
        kn_rts_item_event call = {
            .item = item, .type = type, .slot = UINT32_MAX, .charges = charges};
        const kn_result answer =
            kn_hook_read(world, kit->item_kind, type.index1, &def->can_carry, unit, &call);
        bits |= answer == KN_OK ? 0 : KN_RTS_ITEM_REFUSED;
    }
    return bits;
}

bool kn_rts_can_carry(const kn_world *world, kn_entity_id unit, kn_entity_id item, int32_t slot,
    kn_rts_item_answer *answer)
{
    const item_state *state = item_living(world, item);
    kn_rts_item_answer a = {.why_not = KN_RTS_ITEM_NO_ITEM};
    if (state != NULL) {
        a.why_not = knc_rts_item_carry_bits(world, unit, item, state->type, state->charges, slot) |
                    (kn_entity_id_equal(state->holder, unit) ? KN_RTS_ITEM_CARRIED : 0);
        a.why_not |= kn_entity_is_dying(world, unit) ? KN_RTS_ITEM_DEAD : 0;
    }
    return knc_rts_item_answer(&a, answer);
}

bool kn_rts_can_pick_up(
    const kn_world *world, kn_entity_id unit, kn_entity_id item, kn_rts_item_answer *answer)
{
    const item_state *state = item_living(world, item);
    const kn_rts_inventory_def *def = knc_rts_inventory_def(world, unit);
    kn_rts_item_answer a;
    (void)kn_rts_can_carry(world, unit, item, -1, &a);
    if (state != NULL && def != NULL) {
        a.why_not |= dead_bit(world, unit);
        a.why_not |= state->holder.index1 != 0 ? KN_RTS_ITEM_CARRIED : 0;
        a.why_not |=
            knc_rts_item_reaches(world, unit, item, NULL, def->range) ? 0 : KN_RTS_ITEM_TOO_FAR;
    }
    return knc_rts_item_answer(&a, answer);
}

// Of somebody who carries it ------------------------------------------------------------

// Reasons against anything that a holder does with an item; NULL in `def` with one.
static uint32_t held_bits(const kn_world *world, kn_entity_id item, const item_state **state,
    const kn_rts_item_def **def, const kn_rts_inventory_def **inventory)
{
    *state = item_living(world, item);
    *def = *state != NULL ? knc_rts_item_def(world, (*state)->type) : NULL;
    *inventory = *state != NULL ? knc_rts_inventory_def(world, (*state)->holder) : NULL;
    if (*def == NULL || *inventory == NULL) {
        const uint32_t bit = *def == NULL ? KN_RTS_ITEM_NO_ITEM : KN_RTS_ITEM_NO_HOLDER;
        *def = NULL;
        return bit;
    }
    return dead_bit(world, (*state)->holder);
}

bool kn_rts_can_drop(
    const kn_world *world, kn_entity_id item, const kn_vec3 *at, kn_rts_item_answer *answer)
{
    const item_state *state;
    const kn_rts_item_def *def;
    const kn_rts_inventory_def *inventory;
    kn_rts_item_answer a = {.why_not = held_bits(world, item, &state, &def, &inventory)};
    if (def != NULL) {
        a.why_not |= def->is_droppable ? 0 : KN_RTS_ITEM_FIXED;
        if (at != NULL &&
            !knc_rts_item_reaches(world, state->holder, (kn_entity_id){0}, at, inventory->range)) {
            a.why_not |= KN_RTS_ITEM_TOO_FAR;
        }
    }
    return knc_rts_item_answer(&a, answer);
}

bool kn_rts_can_hand(
    const kn_world *world, kn_entity_id item, kn_entity_id to, kn_rts_item_answer *answer)
{
    const item_state *state;
    const kn_rts_item_def *def;
    const kn_rts_inventory_def *inventory;
    kn_rts_item_answer a = {.why_not = held_bits(world, item, &state, &def, &inventory)};
    if (def != NULL) {
        kn_rts_item_answer carry;
        (void)kn_rts_can_carry(world, to, item, -1, &carry);
        a.why_not |= carry.why_not | dead_bit(world, to);
        a.why_not |= def->is_droppable ? 0 : KN_RTS_ITEM_FIXED;
        a.why_not |= (kn_order_get_relation(world, state->holder, to) & KN_ORDER_FRIENDLY) == 0
                         ? KN_RTS_ITEM_OTHERS
                         : 0;
        a.why_not |= knc_rts_item_reaches(world, state->holder, to, NULL, inventory->range)
                         ? 0
                         : KN_RTS_ITEM_TOO_FAR;
    }
    return knc_rts_item_answer(&a, answer);
}

// Using ---------------------------------------------------------------------------------

// The event that a use is activated with; false: with none.
static bool aim(const kn_world *world, kn_entity_id holder, kn_entity_id target,
    const kn_vec3 *location, kn_target_data *data, kn_event_record *event)
{
    *event = kn_event_record_default();
    *data = (kn_target_data){0};
    event->instigator = holder;
    event->target = target;
    if (location != NULL) {
        const kn_target_location place = {.position = *location};
        (void)kn_target_add(kn_world_library(world), data, kn_target_type_location(), &place);
        event->data = data->bytes;
        event->data_size = data->size;
    }
    return target.index1 != 0 || location != NULL;
}

// A slot that a changed definition does not have any more gives nothing, either.
static bool is_stash(const kn_rts_inventory_def *def, uint32_t slot)
{
    const kn_rts_slot_def *found = knc_rts_slot_def(def, slot);
    return found == NULL || found->is_stash;
}

bool kn_rts_can_use(const kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, kn_rts_item_answer *answer)
{
    const item_state *state;
    const kn_rts_item_def *def;
    const kn_rts_inventory_def *inventory;
    kn_rts_item_answer a = {.why_not = held_bits(world, item, &state, &def, &inventory)};
    if (def != NULL && def->ability.index1 == 0) {
        a.why_not |= KN_RTS_ITEM_NO_ABILITY;
    } else if (def != NULL && is_stash(inventory, state->slot)) {
        a.why_not |= KN_RTS_ITEM_STASHED;
    } else if (def != NULL) {
        kn_event_record event;
        kn_target_data data;
        const bool is_aimed = aim(world, state->holder, target, location, &data, &event);
        a.why_not |= def->charges > 0 && state->charges == 0 ? KN_RTS_ITEM_EMPTY : 0;
        a.fails = kn_ability_check(world, state->ability, is_aimed ? &event : NULL);
        a.why_not |= a.fails != 0 ? KN_RTS_ITEM_NOT_READY : 0;
    }
    return knc_rts_item_answer(&a, answer);
}

kn_result knc_rts_item_use(kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, uint32_t connection, kn_activation_id *activation)
{
    const kn_activation_id none = {0};
    kn_rts_item_answer answer;
    kn_event_record event;
    kn_target_data data;
    if (activation != NULL) {
        *activation = none;
    }
    kn_result result = knc_rts_may_change(world, item);
    if (result != KN_OK) {
        return result;
    }
    if (location != NULL &&
        (!isfinite(location->x) || !isfinite(location->y) || !isfinite(location->z))) {
        return KN_REFUSED_BAD_NUMBER;
    }
    (void)kn_rts_can_use(world, item, target, location, &answer);
    answer.why_not &= ~(uint32_t)KN_RTS_ITEM_NOT_READY; // its activation says so, and publishes it
    result = kn_rts_item_result(&answer);
    if (result != KN_OK) {
        return result;
    }
    const item_state *state = knc_rts_item_read(world, item);
    const bool is_aimed = aim(world, state->holder, target, location, &data, &event);
    const kn_event_record *with = is_aimed ? &event : NULL;
    return connection != 0 ? kn_peer_activate(world, connection, state->ability, with, activation)
                           : kn_ability_activate(world, state->ability, with, activation);
}

kn_result kn_rts_use_item(kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, kn_activation_id *activation)
{
    return knc_rts_item_use(world, item, target, location, 0, activation);
}
