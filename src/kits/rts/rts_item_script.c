// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about items, inventories and shops. All of them have the arguments of one
// struct, of which each names those it takes.

#include "item_parts.h"
#include "script_parts.h"

typedef struct item_args {
    kn_entity_id entity, other;
    kn_rts_item_type_id type;
    kn_effect_type_id effect;
    kn_vec3 location;
    int32_t number;
} item_args;

#define ARG(name_, member, kind_, limit_, of_, text_)                                              \
    {                                                                                              \
        name_, (uint8_t)(kind_), (uint32_t)(limit_), (uint32_t)offsetof(item_args, member), 1, 0,  \
            NULL, NULL, of_, text_                                                                 \
    }
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, 0, NULL, NULL)
#define ITEM ARG("item", other, KN_FIELD_ENTITY, 0, NULL, "The item.")
#define TYPE ARG("type", type, KN_DEF_FIELD_REF, 0, "rts item", "The type of item.")
#define SHOP ARG("shop", other, KN_FIELD_ENTITY, 0, NULL, "The shop.")

static const kn_def_field self_args[] = {SELF};
static const kn_def_field type_args[] = {SELF, TYPE};
static const kn_def_field item_args_[] = {SELF, ITEM};
static const kn_def_field create_args[] = {
    SELF, TYPE, ARG("location", location, KN_FIELD_VEC3, 0, NULL, "Where; default at the entity.")};
static const kn_def_field give_args[] = {
    SELF, ITEM, ARG("slot", number, KN_FIELD_I32, 0, NULL, "A free slot, from 0; default any.")};
static const kn_def_field place_args[] = {
    SELF, ARG("location", location, KN_FIELD_VEC3, 0, NULL, "Where; default at the holder.")};
static const kn_def_field to_args[] = {
    SELF, ARG("to", other, KN_FIELD_ENTITY, 0, NULL, "The unit that gets it.")};
static const kn_def_field slot_args[] = {
    SELF, ARG("slot", number, KN_FIELD_I32, 0, NULL, "The slot, from 0.")};
static const kn_def_field charge_args[] = {
    SELF, ARG("charges", number, KN_FIELD_I32, 0, NULL, "How many charges.")};
static const kn_def_field use_args[] = {SELF,
    ARG("target", other, KN_FIELD_ENTITY, 0, NULL, "What it is aimed at; default nothing."),
    ARG("location", location, KN_FIELD_VEC3, 0, NULL, "Where it is aimed at; default nowhere.")};
static const kn_def_field buy_args[] = {SELF, SHOP, TYPE};
static const kn_def_field sell_args[] = {SELF, SHOP};
static const kn_def_field stock_args[] = {
    SELF, TYPE, ARG("stock", number, KN_FIELD_I32, 0, NULL, "How many it has from now on.")};
static const kn_def_field effect_args[] = {
    SELF, ARG("effect", effect, KN_DEF_FIELD_REF, KN_DEF_EFFECT, NULL, "The effect.")};

#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result = {                                                    \
        "rts_" #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(item, kn_entity_id, KN_FIELD_ENTITY);
ONE_RESULT(number, uint32_t, KN_FIELD_U32);
ONE_RESULT(made, kn_entity_id, KN_FIELD_ENTITY);

static const kn_def_field info_fields[] = {
    KN_DEF_F_KIND(kn_rts_item_info, type, "rts item", "Its type."),
    KN_DEF_F(kn_rts_item_info, holder, KN_FIELD_ENTITY, "Who carries it."),
    KN_DEF_F(kn_rts_item_info, slot, KN_FIELD_U32, "Its slot, from 0."),
    KN_DEF_F(kn_rts_item_info, charges, KN_FIELD_U32, "Charges that are left."),
    KN_DEF_F(kn_rts_item_info, acts, KN_FIELD_BOOL, "It is carried, and not in a stash."),
    KN_DEF_F(kn_rts_item_info, is_placed, KN_FIELD_BOOL, "It lies in the world."),
    KN_DEF_F(kn_rts_item_info, location, KN_FIELD_VEC3, "Where it lies."),
    KN_DEF_F(kn_rts_item_info, effect, KN_FIELD_EFFECT, "The effect that its holder has of it."),
    KN_DEF_F(kn_rts_item_info, ability, KN_FIELD_ABILITY, "The ability that its holder has of it."),
};
static const kn_def_table info_result = {
    "rts_item_info", sizeof(kn_rts_item_info), info_fields, COUNT(info_fields), NULL};

static const char *const why_words[] = {"no_item", "no_holder", "dead", "carried", "others",
    "bad_tags", "level_too_low", "too_many", "no_room", "too_far", "fixed", "no_ability", "stashed",
    "empty", "not_ready", "not_traded", "out_of_stock", "too_expensive", "refused"};
static const kn_def_field why_fields[] = {KN_DEF_F_FLAGS(
    kn_rts_item_answer, why_not, why_words, "Why it cannot be done; empty if it can.")};
static const kn_def_table why_result = {
    "rts_item_answer", sizeof(kn_rts_item_answer), why_fields, COUNT(why_fields), NULL};

typedef struct good_row {
    kn_rts_item_type_id item;
    uint32_t stock;
    float price;
} good_row;

static const kn_def_field good_fields[] = {
    KN_DEF_F_KIND(good_row, item, "rts item", "What it is."),
    KN_DEF_F(good_row, stock, KN_FIELD_U32, "How many are left; 4294967295: any number."),
    KN_DEF_F(good_row, price, KN_FIELD_F32, "The first part of its price."),
};
static const kn_def_table good_result = {
    "rts_good_info", sizeof(good_row), good_fields, COUNT(good_fields), NULL};

static void args_init(void *arguments)
{
    item_args *a = arguments;
    a->number = -1;
}

static const kn_vec3 *place_of(const kn_function_call *call, const kn_vec3 *location, uint32_t at)
{
    return (call->given & (1u << at)) != 0 ? location : NULL;
}

// Reading -------------------------------------------------------------------------------

static kn_result items_list(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    kn_entity_id found[KN_RTS_SLOTS_MAX];
    (void)user;
    const uint32_t count = kn_rts_items(call->world, a->entity, found, COUNT(found));
    for (uint32_t i = 0; i < count && i < COUNT(found); i++) {
        kn_function_add(call, &found[i]);
    }
    return KN_OK;
}

static kn_result goods_list(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    kn_rts_good_info info;
    (void)user;
    for (uint32_t i = 0; kn_rts_good_get_info(call->world, a->entity, i, &info); i++) {
        const good_row row = {
            info.item, info.stock, info.price_count > 0 ? info.price[0].amount : 0.0f};
        kn_function_add(call, &row);
    }
    return KN_OK;
}

static kn_result info_get(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    (void)user;
    return kn_rts_item_get_info(call->world, a->entity, call->results) ? KN_OK
                                                                       : KN_REFUSED_NOT_FOUND;
}

static uint32_t good_of(const kn_world *world, kn_entity_id shop, kn_rts_item_type_id type)
{
    return (uint32_t)kn_rts_good_of(world, shop, type); // -1 is past the end
}

#define READS(name, expression)                                                                    \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const item_args *a = call->arguments;                                                      \
        (void)user;                                                                                \
        expression;                                                                                \
        return KN_OK;                                                                              \
    }
READS(count_get, *(uint32_t *)call->results = kn_rts_count_items(call->world, a->entity, a->type))
READS(carried_get,
    *(kn_entity_id *)call->results = kn_rts_carried_item(call->world, a->entity, a->type))
READS(slot_get,
    *(kn_entity_id *)call->results = kn_rts_slot_item(call->world, a->entity, (uint32_t)a->number))
READS(pick_up_why, (void)kn_rts_can_pick_up(call->world, a->entity, a->other, call->results))
READS(use_why, (void)kn_rts_can_use(call->world, a->entity, a->other,
                   place_of(call, &a->location, 2), call->results))
READS(buy_why, (void)kn_rts_can_buy(call->world, a->other, a->entity,
                   good_of(call->world, a->other, a->type), call->results))

// Changing ------------------------------------------------------------------------------

static kn_result create_at(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    kn_vec3 at = a->location;
    (void)user;
    const bool is_placed =
        (call->given & (1u << 2)) != 0 ||
        kn_space_position(kn_world_space(call->world), call->world, a->entity, &at);
    return kn_rts_item_create(call->writable, a->type, is_placed ? &at : NULL, call->results);
}

static kn_result give_new(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    (void)user;
    return kn_rts_give_new_item(call->writable, a->entity, a->type, call->results);
}

static kn_result split(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    (void)user;
    return kn_rts_split_item(
        call->writable, a->entity, a->number > 0 ? (uint32_t)a->number : 0, call->results);
}

static kn_result buy(void *user, const kn_function_call *call)
{
    const item_args *a = call->arguments;
    (void)user;
    return kn_rts_buy(call->writable, a->other, a->entity, good_of(call->world, a->other, a->type),
        call->results);
}

#define CHANGES(name, expression)                                                                  \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const item_args *a = call->arguments;                                                      \
        kn_world *world = call->writable;                                                          \
        (void)user;                                                                                \
        return expression;                                                                         \
    }
CHANGES(give, kn_rts_give_item(world, a->entity, a->other, a->number))
CHANGES(pick_up, kn_rts_pick_up(world, a->entity, a->other))
CHANGES(drop, kn_rts_drop_item(world, a->entity, place_of(call, &a->location, 1)))
CHANGES(hand, kn_rts_hand_item(world, a->entity, a->other))
CHANGES(move, kn_rts_move_item(world, a->entity, (uint32_t)a->number))
CHANGES(charges_set, kn_rts_set_charges(world, a->entity, a->number > 0 ? (uint32_t)a->number : 0))
CHANGES(use, kn_rts_use_item(world, a->entity, a->other, place_of(call, &a->location, 2), NULL))
CHANGES(sell, kn_rts_sell(world, a->other, a->entity))
CHANGES(stock_set, kn_rts_set_stock(world, a->entity, good_of(world, a->entity, a->type),
                       a->number > 0 ? (uint32_t)a->number : 0))
CHANGES(ability_add, kn_rts_add_item_ability(world, a->entity, a->effect, NULL))
CHANGES(ability_remove, kn_rts_remove_item_ability(world, a->entity, a->effect))

kn_result knc_rts_item_functions_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_items", "The items that a unit carries, in the order of their slots.",
            items_list, ARGS(self_args, 1), &item_result, KN_FUNCTION_VALUE_LIST, 0},
        {"entity:rts_slot_item", "The item in a slot of a unit.", slot_get, ARGS(slot_args, 2),
            &item_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_carried_item", "The first item of a type that a unit carries.", carried_get,
            ARGS(type_args, 2), &item_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_count_items",
            "How many items of a type a unit carries; of those that join in one slot, all charges.",
            count_get, ARGS(type_args, 2), &number_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_item_info", "An item as it is now.", info_get, ARGS(self_args, 1),
            &info_result, KN_FUNCTION_TABLE, KN_FUNCTION_REFUSES},
        {"entity:rts_pick_up_info", "Why a unit cannot pick up an item.", pick_up_why,
            ARGS(item_args_, 2), &why_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_use_info", "Why an item cannot be used.", use_why, ARGS(use_args, 1),
            &why_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_buy_info", "Why a unit cannot buy a type of item in a shop.", buy_why,
            ARGS(buy_args, 3), &why_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_goods", "What a shop sells.", goods_list, ARGS(self_args, 1), &good_result,
            KN_FUNCTION_LIST, 0},
        {"entity:rts_create_item", "Creates an item that lies where an entity is, or elsewhere.",
            create_at, ARGS(create_args, 2), &made_result, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_give_new_item", "Creates an item and gives it to a unit.", give_new,
            ARGS(type_args, 2), &made_result, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_give_item", "Gives an item to a unit, from wherever it is.", give,
            ARGS(give_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_pick_up", "Lets a unit pick up an item.", pick_up, ARGS(item_args_, 2), NULL,
            KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_drop_item", "Lets the holder of an item drop it.", drop, ARGS(place_args, 1),
            NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_hand_item", "Lets the holder of an item hand it to another unit.", hand,
            ARGS(to_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_move_item", "Moves an item to another slot of its holder.", move,
            ARGS(slot_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_split_item", "Splits charges off an item.", split, ARGS(charge_args, 2),
            &made_result, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_set_charges", "Sets the charges of an item.", charges_set,
            ARGS(charge_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_use_item", "Lets the holder of an item use it.", use, ARGS(use_args, 1), NULL,
            KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_buy", "Lets a unit buy a type of item in a shop.", buy, ARGS(buy_args, 3),
            &made_result, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_sell_item", "Lets the holder of an item sell it to a shop.", sell,
            ARGS(sell_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_set_stock", "Sets how many of a type of item a shop has.", stock_set,
            ARGS(stock_args, 3), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_add_item_ability",
            "Applies an effect to a unit and lists the abilities that it grants.", ability_add,
            ARGS(effect_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_remove_item_ability", "Takes back what rts_add_item_ability() gave.",
            ability_remove, ARGS(effect_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(item_args), args_init, error);
}
