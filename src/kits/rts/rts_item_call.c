// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Changes of items, one after the other: what a hook asks for while one is under way waits in a
// component of the world until that is complete.

#include "item_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MAX 256 // calls of hooks that may wait, and that run after one call

// Giving --------------------------------------------------------------------------------

// Joins charges of an item with another one of its type. Returns how many went over.
static uint32_t charges_join(kn_world *world, kn_entity_id item, kn_entity_id with)
{
    item_state *from = knc_rts_item_get(world, item);
    const uint32_t room = knc_rts_item_stack_room(world, with, from->type);
    const uint32_t moved = from->charges < room ? from->charges : room;
    from->charges -= moved;
    item_state *to = knc_rts_item_get(world, with);
    to->charges += moved;
    if (moved > 0) {
        knc_rts_item_cooldown_share(world, item, with);
    }
    return moved;
}

static uint32_t charges_of(const kn_world *world, kn_entity_id item)
{
    const item_state *state = knc_rts_item_read(world, item);
    return state != NULL ? state->charges : 0;
}

static void charges_gained(kn_world *world, kn_entity_id unit, kn_entity_id item, kn_entity_id from,
    uint32_t charges, kn_rts_item_reason reason)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const item_state *state = knc_rts_item_read(world, item);
    const kn_rts_item_event event = {
        item, from, state->type, state->slot, charges, (uint32_t)reason};
    knc_rts_item_notify(
        world, unit, &event, kit->gained, &knc_rts_item_def(world, state->type)->gained);
}

static uint32_t slot_find(const kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    const kn_rts_inventory_def *def = knc_rts_inventory_def(world, unit);
    const uint32_t count = kn_rts_slot_count(world, unit);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_rts_slot_item(world, unit, i).index1 == 0 &&
            knc_rts_item_slot_fits(world, def, i, item)) {
            return i;
        }
    }
    return UINT32_MAX;
}

// Puts an item down where a unit is.
static void item_lay(kn_world *world, kn_entity_id item, kn_entity_id unit)
{
    kn_vec3 at;
    const bool is_placed = kn_space_position(kn_world_space(world), world, unit, &at);
    knc_rts_item_place(world, item, is_placed ? &at : NULL);
}

kn_result knc_rts_item_make_for(
    kn_world *world, kn_entity_id unit, kn_rts_item_type_id type, kn_entity_id *item)
{
    kn_rts_item_answer answer;
    kn_result result = knc_rts_item_make(world, type, knc_rts_item_def(world, type)->charges, item);
    if (result == KN_OK && !kn_rts_can_carry(world, unit, *item, -1, &answer)) {
        (void)kn_entity_destroy(world, *item);
        *item = (kn_entity_id){0};
        result = kn_rts_item_result(&answer);
    }
    return result;
}

void knc_rts_item_give(kn_world *world, kn_entity_id unit, kn_entity_id *item, int32_t slot,
    kn_entity_id shop, kn_rts_item_reason reason)
{
    const item_state *state = knc_rts_item_read(world, *item);
    const kn_entity_id holder = state->holder, given = *item;
    const kn_entity_id from = holder.index1 != 0 ? holder : shop;
    const kn_rts_item_type_id type = state->type;
    const bool joins = slot < 0 && knc_rts_item_def(world, state->type)->stack > 0;
    const uint32_t count = joins ? kn_rts_slot_count(world, unit) : 0;
    if (holder.index1 != 0) {
        knc_rts_item_take(world, given, unit, reason);
        knc_rts_items_settle(world, holder);
    }
    for (uint32_t i = 0; i < count && charges_of(world, given) > 0; i++) {
        const kn_entity_id with = kn_rts_slot_item(world, unit, i);
        if (knc_rts_item_stack_room(world, with, type) > 0) {
            const uint32_t moved = charges_join(world, given, with);
            charges_gained(world, unit, with, from, moved, reason);
            *item = with;
        }
    }
    if (joins && charges_of(world, given) == 0) {
        (void)kn_entity_destroy(world, given);
        return;
    }
    *item = given;
    if (knc_rts_item_read(world, given) == NULL) {
        return; // a hook took its state away
    }
    const uint32_t free = slot >= 0 ? (uint32_t)slot : slot_find(world, unit, given);
    if (free == UINT32_MAX) {
        item_lay(world, given, unit); // a hook took its slot away
        return;
    }
    knc_rts_item_put(world, unit, given, free, from, reason);
    knc_rts_items_settle(world, unit);
}

// Dropping ------------------------------------------------------------------------------

static void item_drop(
    kn_world *world, kn_entity_id item, const kn_vec3 *at, kn_rts_item_reason reason)
{
    const kn_entity_id unit = knc_rts_item_read(world, item)->holder;
    kn_vec3 place = {0};
    const bool is_placed =
        at != NULL || kn_space_position(kn_world_space(world), world, unit, &place);
    place = at != NULL ? *at : place;
    knc_rts_item_take(world, item, (kn_entity_id){0}, reason);
    knc_rts_item_place(world, item, is_placed ? &place : NULL);
}

typedef enum loss_cause {
    LOSS_DEATH,
    LOSS_DESTRUCTION,
    LOSS_REMOVAL,
} loss_cause;

// What becomes of an item whose holder dies or ends.
static kn_rts_item_loss loss_of(
    const kn_world *world, kn_entity_id unit, const kn_rts_item_def *def, loss_cause cause)
{
    const kn_rts_inventory_def *inventory = knc_rts_inventory_def(world, unit);
    if (cause == LOSS_REMOVAL) {
        return def->is_droppable ? KN_RTS_LOSS_DROP : KN_RTS_LOSS_DESTROY;
    }
    kn_rts_item_loss loss = def->on_death;
    if (loss == KN_RTS_LOSS_DEFAULT && inventory != NULL &&
        (def->is_droppable || inventory->on_death != KN_RTS_LOSS_DROP)) {
        loss = inventory->on_death;
    }
    if (cause == LOSS_DESTRUCTION) {
        return loss == KN_RTS_LOSS_DROP ? KN_RTS_LOSS_DROP : KN_RTS_LOSS_DESTROY;
    }
    return loss;
}

static void items_lose(
    kn_world *world, kn_entity_id unit, loss_cause cause, kn_rts_item_reason reason)
{
    const uint32_t count = kn_rts_slot_count(world, unit);
    for (uint32_t i = 0; i < count; i++) {
        const kn_entity_id item = kn_rts_slot_item(world, unit, i);
        const item_state *state = knc_rts_item_read(world, item);
        const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
        if (def == NULL) {
            continue;
        }
        const kn_rts_item_loss loss = loss_of(world, unit, def, cause);
        if (loss == KN_RTS_LOSS_DROP) {
            item_drop(world, item, NULL, reason);
        } else if (loss == KN_RTS_LOSS_DESTROY) {
            knc_rts_item_end(world, item, reason);
        }
    }
    knc_rts_items_settle(world, unit);
}

// Inventories ---------------------------------------------------------------------------

static kn_result inventory_begin(kn_world *world, kn_entity_id unit, kn_rts_inventory_type_id type)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_inventory_def *def = kn_rts_inventory_get_def(kn_world_library(world), type);
    if (knc_rts_inventory_read(world, unit, NULL) != NULL) {
        return KN_REFUSED_DUPLICATE;
    }
    if (kn_entity_is_dying(world, unit)) {
        return KN_REFUSED_DYING;
    }
    const kn_component_type_id component = kit->inventories[def->is_public ? 1 : 0];
    inventory_state *own = kn_component_add(world, component, unit);
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    own->type = type;
    if (kn_component_resize(world, component, unit, knc_rts_slots_of(def)) == NULL) {
        (void)kn_component_remove(world, component, unit);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_entity_add_tag(
        world, unit, kit->rts->tags[KN_RTS_HAS_INVENTORY], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    for (uint32_t i = 0; i < def->item_count; i++) {
        const kn_rts_item_type_id wanted = def->items[i];
        const uint32_t charges = knc_rts_item_def(world, wanted)->charges;
        kn_entity_id item = {0};
        if (knc_rts_item_carry_bits(world, unit, item, wanted, charges, -1) == 0 &&
            knc_rts_item_make_for(world, unit, wanted, &item) == KN_OK) {
            knc_rts_item_give(world, unit, &item, -1, (kn_entity_id){0}, KN_RTS_ITEM_GIVEN);
        }
    }
    return KN_OK;
}

static kn_result inventory_end(kn_world *world, kn_entity_id unit)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_tag tag = kit->rts->tags[KN_RTS_HAS_INVENTORY];
    kn_component_type_id type;
    if (knc_rts_inventory_read(world, unit, &type) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    items_lose(world, unit, LOSS_REMOVAL, KN_RTS_ITEM_ENDED);
    (void)kn_component_remove(world, type, unit);
    if (kn_entity_tag_count_origin(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED) > 0) {
        (void)kn_entity_remove_tag(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    }
    return KN_OK;
}

// Items follow the owner and the connection of their holder.
static void owner_changed(kn_world *world, kn_entity_id unit)
{
    const kn_rts_inventory_def *inventory = knc_rts_inventory_def(world, unit);
    const kn_entity_id owner = kn_entity_owner(world, unit);
    const uint32_t count = kn_rts_slot_count(world, unit);
    for (uint32_t i = 0; i < count; i++) {
        const kn_entity_id item = kn_rts_slot_item(world, unit, i);
        const item_state *state = knc_rts_item_read(world, item);
        const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
        const kn_entity_id before = kn_entity_owner(world, item);
        if (def == NULL) {
            continue;
        }
        if (!kn_entity_id_equal(before, owner)) {
            const bool drops = inventory != NULL && inventory->drops_on_owner_change;
            if (before.index1 != 0 && (drops || def->owner_only)) {
                item_drop(world, item, NULL, KN_RTS_ITEM_OWNER);
                continue;
            }
            (void)kn_entity_set_owner(world, item, owner);
        }
        if (kn_entity_connection(world, item) != kn_entity_connection(world, unit)) {
            (void)kn_entity_set_connection(world, item, kn_entity_connection(world, unit));
        }
    }
    knc_rts_items_settle(world, unit);
}

// Charges -------------------------------------------------------------------------------

static kn_result item_move(kn_world *world, kn_entity_id item, uint32_t slot)
{
    const item_state *state = knc_rts_item_read(world, item);
    const kn_entity_id unit = state != NULL ? state->holder : (kn_entity_id){0};
    const kn_rts_inventory_def *def = knc_rts_inventory_def(world, unit);
    if (state == NULL || kn_entity_is_dying(world, item) ||
        slot >= kn_rts_slot_count(world, unit)) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kn_entity_id other = kn_rts_slot_item(world, unit, slot);
    const uint32_t from = state->slot;
    if (slot == from) {
        return KN_OK;
    }
    if (state->charges > 0 && knc_rts_item_stack_room(world, other, state->type) > 0) {
        (void)charges_join(world, item, other);
        if (charges_of(world, item) == 0) {
            knc_rts_item_end(world, item, KN_RTS_ITEM_STACKED);
        }
        knc_rts_items_settle(world, unit);
        return KN_OK;
    }
    if (!knc_rts_item_slot_fits(world, def, slot, item) ||
        (other.index1 != 0 && !knc_rts_item_slot_fits(world, def, from, other))) {
        return KN_REFUSED_REQUIREMENT;
    }
    knc_rts_item_swap(world, unit, from, slot);
    knc_rts_items_settle(world, unit);
    return KN_OK;
}

static kn_result item_split(
    kn_world *world, kn_entity_id item, uint32_t charges, kn_entity_id *part)
{
    const item_state *state = knc_rts_item_read(world, item);
    const kn_entity_id unit = state != NULL ? state->holder : (kn_entity_id){0};
    if (state == NULL || unit.index1 == 0 || kn_entity_is_dying(world, item)) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kn_rts_item_type_id type = state->type;
    const kn_rts_item_def *def = knc_rts_item_def(world, type);
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (def->stack == 0 || charges == 0 || charges >= state->charges) {
        return KN_REFUSED_COST;
    }
    const uint32_t slot = slot_find(world, unit, item);
    uint32_t same = 0;
    for (uint32_t i = 0; i < kn_rts_slot_count(world, unit); i++) {
        const item_state *there = knc_rts_item_read(world, kn_rts_slot_item(world, unit, i));
        same += there != NULL && there->type.index1 == type.index1;
    }
    if (slot == UINT32_MAX || (def->limit > 0 && same >= def->limit)) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = knc_rts_item_make(world, type, charges, part);
    if (result != KN_OK) {
        return result;
    }
    knc_rts_item_get(world, item)->charges -= charges;
    knc_rts_item_cooldown_share(world, item, *part);
    knc_rts_item_put(world, unit, *part, slot, unit, KN_RTS_ITEM_SPLIT);
    knc_rts_items_settle(world, unit);
    return KN_OK;
}

static kn_result charges_set(kn_world *world, kn_entity_id item, uint32_t charges)
{
    item_state *state = kn_entity_is_dying(world, item) ? NULL : knc_rts_item_get(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL || def->charges == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (charges > (def->stack > def->charges ? def->stack : def->charges)) {
        return KN_REFUSED_LIMIT;
    }
    const kn_entity_id holder = state->holder;
    state->charges = charges;
    if (charges == 0 && !def->keeps_empty) {
        knc_rts_item_end(world, item, KN_RTS_ITEM_USED_UP);
        knc_rts_items_settle(world, holder);
    }
    return KN_OK;
}

// The ability of an item was committed.
static kn_result charge_spend(kn_world *world, kn_entity_id item)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    item_state *state = knc_rts_item_get(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL || state->holder.index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    state->charges -= state->charges > 0;
    const kn_entity_id holder = state->holder;
    const kn_rts_item_event event = {
        item, (kn_entity_id){0}, state->type, state->slot, state->charges, KN_RTS_ITEM_USED};
    const bool is_empty = def->charges > 0 && state->charges == 0 && !def->keeps_empty;
    knc_rts_item_notify(world, holder, &event, kit->used, &def->used);
    if (is_empty) {
        knc_rts_item_end(world, item, KN_RTS_ITEM_USED_UP);
        knc_rts_items_settle(world, holder);
    }
    return KN_OK;
}

// Running -------------------------------------------------------------------------------

static kn_result give_run(kn_world *world, const item_call *call)
{
    kn_rts_item_answer answer;
    kn_rts_item_reason reason = KN_RTS_ITEM_GIVEN;
    kn_entity_id item = call->item;
    int32_t slot = -1;
    if (call->kind == ITEM_CALL_PICK_UP) {
        (void)kn_rts_can_pick_up(world, call->unit, item, &answer);
        reason = KN_RTS_ITEM_PICKED_UP;
    } else if (call->kind == ITEM_CALL_HAND) {
        (void)kn_rts_can_hand(world, item, call->unit, &answer);
        reason = KN_RTS_ITEM_HANDED;
    } else {
        (void)kn_rts_can_carry(world, call->unit, item, call->number, &answer);
        slot = call->number;
    }
    if (answer.why_not == 0) {
        knc_rts_item_give(world, call->unit, &item, slot, (kn_entity_id){0}, reason);
    }
    return kn_rts_item_result(&answer);
}

static kn_result give_new_run(kn_world *world, const item_call *call, kn_entity_id *out)
{
    const kn_rts_item_type_id type = {(uint32_t)call->number};
    const uint32_t charges = knc_rts_item_def(world, type)->charges;
    const kn_rts_item_answer answer = {.why_not = knc_rts_item_carry_bits(world, call->unit,
                                           (kn_entity_id){0}, type, charges, -1)};
    kn_result result = kn_rts_item_result(&answer);
    if (result == KN_OK) {
        result = knc_rts_item_make_for(world, call->unit, type, out);
    }
    if (result == KN_OK) {
        knc_rts_item_give(world, call->unit, out, -1, (kn_entity_id){0}, KN_RTS_ITEM_GIVEN);
    }
    return result;
}

static kn_result drop_run(kn_world *world, const item_call *call)
{
    const kn_vec3 *at = call->has_at != 0 ? &call->at : NULL;
    kn_rts_item_answer answer;
    if (kn_rts_can_drop(world, call->item, at, &answer)) {
        const kn_entity_id unit = knc_rts_item_read(world, call->item)->holder;
        item_drop(world, call->item, at, KN_RTS_ITEM_DROPPED);
        knc_rts_items_settle(world, unit);
    }
    return kn_rts_item_result(&answer);
}

static kn_result create_run(kn_world *world, const item_call *call, kn_entity_id *out)
{
    const kn_rts_item_type_id type = {(uint32_t)call->number};
    kn_result result = knc_rts_item_make(world, type, knc_rts_item_def(world, type)->charges, out);
    if (result == KN_OK) {
        knc_rts_item_place(world, *out, call->has_at != 0 ? &call->at : NULL);
    }
    return result;
}

static kn_result destroy_run(kn_world *world, const item_call *call)
{
    const item_state *state = knc_rts_item_read(world, call->unit);
    if (state != NULL && state->holder.index1 != 0) {
        const kn_entity_id holder = state->holder;
        knc_rts_item_take(world, call->unit, (kn_entity_id){0}, KN_RTS_ITEM_ENDED);
        knc_rts_items_settle(world, holder);
    }
    items_lose(world, call->unit, LOSS_DESTRUCTION, KN_RTS_ITEM_ENDED);
    return KN_OK;
}

static kn_result call_run(kn_world *world, const item_call *call, kn_entity_id *out)
{
    switch ((item_call_kind)call->kind) {
    case ITEM_CALL_CREATE:
        return create_run(world, call, out);
    case ITEM_CALL_GIVE_NEW:
        return give_new_run(world, call, out);
    case ITEM_CALL_GIVE:
    case ITEM_CALL_PICK_UP:
    case ITEM_CALL_HAND:
        return give_run(world, call);
    case ITEM_CALL_DROP:
        return drop_run(world, call);
    case ITEM_CALL_MOVE:
        return item_move(world, call->item, (uint32_t)call->number);
    case ITEM_CALL_SPLIT:
        return item_split(world, call->item, (uint32_t)call->number, out);
    case ITEM_CALL_CHARGES:
        return charges_set(world, call->item, (uint32_t)call->number);
    case ITEM_CALL_SPEND:
        return charge_spend(world, call->item);
    case ITEM_CALL_BEGIN:
        return inventory_begin(
            world, call->unit, (kn_rts_inventory_type_id){(uint32_t)call->number});
    case ITEM_CALL_END:
        return inventory_end(world, call->unit);
    case ITEM_CALL_DIE:
        items_lose(world, call->unit, LOSS_DEATH, KN_RTS_ITEM_DIED);
        return KN_OK;
    case ITEM_CALL_OWNER:
        owner_changed(world, call->unit);
        return KN_OK;
    case ITEM_CALL_DESTROY:
        return destroy_run(world, call);
    default:
        return knc_rts_shop_run(world, call, out);
    }
}

static bool call_take(kn_world *world, item_call *out)
{
    const kn_component_type_id type = knc_rts_items_of_world(world)->turns;
    uint32_t count = 0;
    item_call *calls = kn_component_items(world, type, (kn_entity_id){0}, &count);
    if (count == 0) {
        return false;
    }
    *out = calls[0];
    memmove(calls, calls + 1, (count - 1) * sizeof(*calls));
    (void)kn_component_resize(world, type, (kn_entity_id){0}, count - 1);
    return true;
}

typedef struct turn_call {
    const item_call *call;
    kn_entity_id *out;
    bool may_wait; // the world is in a call, which may be one about items
} turn_call;

static kn_result turn_run(void *user, kn_world *world)
{
    const turn_call *c = user;
    const kn_component_type_id type = knc_rts_items_of_world(world)->turns;
    const kn_entity_id nobody = {0};
    item_turn *turn = kn_component_add(world, type, nobody);
    item_call next;
    if (turn == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (c->may_wait && turn->busy == knc_rts_busy_now(world)) {
        uint32_t count = 0;
        (void)kn_component_read_items(world, type, nobody, &count);
        item_call *calls =
            count < TURNS_MAX ? kn_component_resize(world, type, nobody, count + 1) : NULL;
        if (calls != NULL) {
            calls[count] = *c->call;
        }
        return calls != NULL ? KN_OK : KN_REFUSED_LIMIT;
    }
    turn->busy = knc_rts_busy_now(world);
    (void)kn_component_resize(world, type, nobody, 0); // no call of a save waits
    kn_result result = call_run(world, c->call, c->out);
    for (uint32_t i = 0; i < TURNS_MAX && call_take(world, &next); i++) {
        kn_entity_id ignored;
        (void)call_run(world, &next, &ignored);
    }
    if (call_take(world, &next)) {
        const kn_event_error error = {.code = KN_REFUSED_LIMIT};
        (void)kn_world_report(world, next.unit, &error);
    }
    (void)kn_component_remove(world, type, nobody);
    return result;
}

kn_result knc_rts_item_do(kn_world *world, const item_call *call, kn_entity_id *out)
{
    kn_entity_id made = {0};
    turn_call c = {call, &made, kn_world_is_locked(world)};
    kn_result result = kn_world_call(world, turn_run, &c);
    if (out != NULL) {
        *out = result == KN_OK ? made : (kn_entity_id){0};
    }
    return result;
}

// Calls ---------------------------------------------------------------------------------

static kn_result may_change(const kn_world *world)
{
    if (knc_rts_items_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_world_is_client(world) ? KN_REFUSED_BLOCKED : KN_OK;
}

static bool is_place(const kn_vec3 *at)
{
    return at == NULL || (isfinite(at->x) && isfinite(at->y) && isfinite(at->z));
}

kn_result kn_rts_item_create(
    kn_world *world, kn_rts_item_type_id type, const kn_vec3 *at, kn_entity_id *item)
{
    const item_call call = {.kind = ITEM_CALL_CREATE,
        .number = (int32_t)type.index1,
        .at = at != NULL ? *at : (kn_vec3){0},
        .has_at = at != NULL};
    kn_result result = may_change(world);
    if (item != NULL) {
        *item = (kn_entity_id){0};
    }
    if (result != KN_OK) {
        return result;
    }
    if (knc_rts_item_def(world, type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return is_place(at) ? knc_rts_item_do(world, &call, item) : KN_REFUSED_BAD_NUMBER;
}

static kn_result plain_do(kn_world *world, const item_call *call)
{
    kn_result result = may_change(world);
    return result != KN_OK ? result : knc_rts_item_do(world, call, NULL);
}

kn_result kn_rts_give_item(kn_world *world, kn_entity_id unit, kn_entity_id item, int32_t slot)
{
    const item_call call = {.kind = ITEM_CALL_GIVE, .unit = unit, .item = item, .number = slot};
    return plain_do(world, &call);
}

kn_result kn_rts_give_new_item(
    kn_world *world, kn_entity_id unit, kn_rts_item_type_id type, kn_entity_id *item)
{
    const item_call call = {
        .kind = ITEM_CALL_GIVE_NEW, .unit = unit, .number = (int32_t)type.index1};
    kn_result result = may_change(world);
    if (item != NULL) {
        *item = (kn_entity_id){0};
    }
    if (result != KN_OK) {
        return result;
    }
    return knc_rts_item_def(world, type) != NULL ? knc_rts_item_do(world, &call, item)
                                                 : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_rts_pick_up(kn_world *world, kn_entity_id unit, kn_entity_id item)
{
    const item_call call = {.kind = ITEM_CALL_PICK_UP, .unit = unit, .item = item};
    return plain_do(world, &call);
}

kn_result kn_rts_drop_item(kn_world *world, kn_entity_id item, const kn_vec3 *at)
{
    const item_call call = {.kind = ITEM_CALL_DROP,
        .item = item,
        .at = at != NULL ? *at : (kn_vec3){0},
        .has_at = at != NULL};
    return is_place(at) ? plain_do(world, &call) : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_rts_hand_item(kn_world *world, kn_entity_id item, kn_entity_id to)
{
    const item_call call = {.kind = ITEM_CALL_HAND, .unit = to, .item = item};
    return plain_do(world, &call);
}

kn_result kn_rts_move_item(kn_world *world, kn_entity_id item, uint32_t slot)
{
    const item_call call = {.kind = ITEM_CALL_MOVE, .item = item, .number = (int32_t)slot};
    return plain_do(world, &call);
}

kn_result kn_rts_split_item(
    kn_world *world, kn_entity_id item, uint32_t charges, kn_entity_id *part)
{
    const item_call call = {.kind = ITEM_CALL_SPLIT, .item = item, .number = (int32_t)charges};
    kn_result result = may_change(world);
    if (part != NULL) {
        *part = (kn_entity_id){0};
    }
    return result != KN_OK ? result : knc_rts_item_do(world, &call, part);
}

kn_result kn_rts_set_charges(kn_world *world, kn_entity_id item, uint32_t charges)
{
    const item_call call = {.kind = ITEM_CALL_CHARGES, .item = item, .number = (int32_t)charges};
    return plain_do(world, &call);
}

kn_result kn_rts_inventory_add(kn_world *world, kn_entity_id entity, kn_rts_inventory_type_id type)
{
    const item_call call = {
        .kind = ITEM_CALL_BEGIN, .unit = entity, .number = (int32_t)type.index1};
    kn_result result = knc_rts_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    return kn_rts_inventory_get_def(kn_world_library(world), type) != NULL
               ? knc_rts_item_do(world, &call, NULL)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_rts_inventory_remove(kn_world *world, kn_entity_id entity)
{
    const item_call call = {.kind = ITEM_CALL_END, .unit = entity};
    kn_result result = knc_rts_may_change(world, entity);
    return result != KN_OK ? result : knc_rts_item_do(world, &call, NULL);
}

// Rules ---------------------------------------------------------------------------------

static void unit_call(kn_world *world, kn_entity_id unit, item_call_kind kind)
{
    const item_call call = {.kind = (uint32_t)kind, .unit = unit};
    const bool is_item = kind == ITEM_CALL_DESTROY && knc_rts_item_read(world, unit) != NULL;
    if (!kn_world_is_client(world) &&
        (is_item || knc_rts_inventory_read(world, unit, NULL) != NULL)) {
        (void)knc_rts_item_do(world, &call, NULL);
    }
}

void knc_rts_items_die(kn_world *world, kn_entity_id unit)
{
    unit_call(world, unit, ITEM_CALL_DIE);
}

static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    unit_call(world, reaction->entity, ITEM_CALL_DESTROY);
}

static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_entity_is_dying(world, reaction->entity)) {
        unit_call(world, reaction->entity, ITEM_CALL_OWNER);
    }
}

// Units die by rules of their own.
static void alive_lost_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (knc_rts_unit_read(world, reaction->entity) == NULL &&
        !kn_entity_has_tag(world, reaction->entity, reaction->tag)) {
        unit_call(world, reaction->entity, ITEM_CALL_DIE);
    }
}

static void committed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_ability_info info;
    (void)user;
    if (kn_world_is_client(world) || !kn_ability_get(world, reaction->ability, &info)) {
        return;
    }
    const item_state *state = knc_rts_item_read(world, info.source);
    if (state != NULL && kn_ability_id_equal(state->ability, reaction->ability)) {
        const item_call call = {.kind = ITEM_CALL_SPEND, .item = info.source};
        (void)knc_rts_item_do(world, &call, NULL);
    }
}

static bool committed_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const item_kit *kit = user;
    const uint32_t type = reaction->ability_type.index1;
    (void)library;
    return type != 0 && type <= kit->ability_count && kit->abilities[type - 1] != ITEM_USE_NONE;
}

static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_rts_inventory_type_id type = {(uint32_t)(uintptr_t)user};
    const kn_rts_inventory_def *def = kn_rts_inventory_get_def(kn_world_library(world), type);
    if (def != NULL && kn_entity_has_tag_exact(world, reaction->entity, def->tag)) {
        (void)kn_rts_inventory_add(world, reaction->entity, type);
    }
}

// An item without charges that was kept cannot be used.
static bool charges_check(const kn_ability_call *call, const kn_event_record *event)
{
    const item_kit *kit = call->user;
    kn_ability_info info;
    (void)event;
    if (!kn_ability_get(call->world, call->ability, &info)) {
        return true;
    }
    const item_state *state = knc_rts_item_read(call->world, info.source);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(call->world, state->type) : NULL;
    if (def != NULL && def->charges > 0 && state->charges == 0 &&
        kn_ability_id_equal(state->ability, call->ability)) {
        kn_refusal_line line = {.reason = kit->no_charges, .need = 1.0f};
        kn_check_refuse(call->answer, &line);
    }
    return true;
}

static kn_result abilities_expand(kn_library *library, item_kit *kit, kn_error *error)
{
    const uint32_t count = kn_def_count(library, KN_DEF_ABILITY);
    kn_result result = KN_OK;
    free(kit->abilities);
    kit->ability_count = 0;
    kit->abilities = calloc(count + 1, 1);
    if (kit->abilities == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->ability_count = count;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->item_kind); i++) {
        const kn_rts_item_def *def = kn_def_get(library, kit->item_kind, i);
        if (def->ability.index1 == 0 ||
            kit->abilities[def->ability.index1 - 1] == ITEM_USE_CHARGES) {
            continue;
        }
        kit->abilities[def->ability.index1 - 1] = ITEM_USE_FREE;
        if (def->charges > 0) {
            kn_check_def check = kn_check_def_default();
            kn_check_id id;
            char name[64];
            kit->abilities[def->ability.index1 - 1] = ITEM_USE_CHARGES;
            (void)snprintf(
                name, sizeof(name), "Knack.RtsItemCharges.%u", (unsigned)def->ability.index1);
            check.name = name;
            check.ability = def->ability;
            check.check = charges_check;
            check.user = kit;
            result = kn_check_register(library, &check, &id, error);
            result = result == KN_REFUSED_DUPLICATE ? KN_OK : result;
        }
    }
    return result;
}

kn_result knc_rts_item_rules_expand(kn_library *library, item_kit *kit, kn_error *error)
{
    const struct {
        const char *name;
        kn_trigger trigger;
        kn_tag tag;
        kn_rule_fn *function;
    } rows[] = {
        {"Knack.RtsItemDestroyed", KN_TRIGGER_ENTITY_DESTROYED, {0}, destroyed_rule},
        {"Knack.RtsItemOwner", KN_TRIGGER_OWNER_CHANGED, {0}, owner_rule},
        {"Knack.RtsItemConnection", KN_TRIGGER_CONNECTION_CHANGED, {0}, owner_rule},
        {"Knack.RtsItemDies", KN_TRIGGER_TAG_REMOVED, kit->rts->tags[KN_RTS_ALIVE],
            alive_lost_rule},
    };
    kn_result result = abilities_expand(library, kit, error);
    const bool is_used = kn_def_count(library, kit->item_kind) > 0;
    for (uint32_t i = 0; result == KN_OK && is_used && i < COUNT(rows); i++) {
        result = knc_rts_rule_register(library, rows[i].name, rows[i].trigger, rows[i].tag,
            (kn_attribute_id){0}, rows[i].function, NULL, error);
    }
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->inventory_kind); i++) {
        const kn_rts_inventory_def *def = kn_def_get(library, kit->inventory_kind, i);
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.RtsInventory.%u", (unsigned)i);
        if (def->tag.index1 != 0) {
            result = knc_rts_rule_register(library, name, KN_TRIGGER_TAG_ADDED, def->tag,
                (kn_attribute_id){0}, tag_rule, (void *)(uintptr_t)i, error);
        }
    }
    if (result == KN_OK && is_used) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = "Knack.RtsItemUsed";
        rule.trigger = KN_TRIGGER_ABILITY_COMMITTED;
        rule.function = committed_rule;
        rule.wants = committed_wants;
        rule.user = kit;
        result = kn_rule_register(library, &rule, &id, error);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
    }
    return result;
}

// An inventory that somebody removes as a component drops its items as well.
void knc_rts_inventory_removed(void *user, const kn_component_call *call)
{
    (void)user;
    if (!kn_world_is_client(call->world) && kn_entity_is_alive(call->world, call->entity)) {
        items_lose(call->world, call->entity, LOSS_REMOVAL, KN_RTS_ITEM_ENDED);
    }
}

kn_result knc_rts_item_calls_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field turn[] = {KN_FIELD(item_turn, busy, KN_FIELD_U32)};
    static const kn_field calls[] = {
        KN_FIELD(item_call, kind, KN_FIELD_U32),
        KN_FIELD(item_call, number, KN_FIELD_I32),
        KN_FIELD(item_call, unit, KN_FIELD_ENTITY),
        KN_FIELD(item_call, item, KN_FIELD_ENTITY),
        KN_FIELD(item_call, other, KN_FIELD_ENTITY),
        KN_FIELD(item_call, at, KN_FIELD_VEC3),
        KN_FIELD(item_call, has_at, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    kn_fail_def fail = kn_fail_def_default();
    def.name = "Knack.RtsItemTurn";
    def.size = sizeof(item_turn);
    def.fields = turn;
    def.field_count = COUNT(turn);
    def.item_size = sizeof(item_call);
    def.item_fields = calls;
    def.item_field_count = COUNT(calls);
    def.sync = KN_SYNC_NONE;
    fail.name = "no_item_charges";
    fail.text = "the item has no charges left";
    kn_result result = kn_component_register(library, &def, &kit->turns, error);
    return result != KN_OK ? result : kn_fail_register(library, &fail, &kit->no_charges, error);
}
