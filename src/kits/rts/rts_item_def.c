// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of items and inventories.

#include "item_parts.h"

#include <math.h>
#include <stdlib.h>

#define ITEM_COOKIE 0x69746d31u
#define INVENTORY_COOKIE 0x696e7631u

// Prices --------------------------------------------------------------------------------

static const kn_def_field price_fields[] = {
    KN_DEF_F_REF(kn_product_cost, attribute, KN_DEF_ATTRIBUTE,
        "What is paid with: an attribute of the player; required."),
    KN_DEF_F(kn_product_cost, amount, KN_FIELD_F32, "How much, 0 or more; default 0."),
};
const kn_def_table knc_rts_price_table = {
    "rts_price", sizeof(kn_product_cost), price_fields, COUNT(price_fields), NULL};

const char *knc_rts_price_fault(const kn_product_cost *price, uint32_t count)
{
    if (count > KN_RTS_PRICE_MAX) {
        return "`price` must have at most 8 parts";
    }
    for (uint32_t i = 0; i < count; i++) {
        if (price[i].attribute.index1 == 0 || !isfinite(price[i].amount) ||
            price[i].amount < 0.0f) {
            return "each part of `price` must have an `attribute`, and an `amount` of 0 or more";
        }
        for (uint32_t j = 0; j < i; j++) {
            if (price[j].attribute.index1 == price[i].attribute.index1) {
                return "an attribute is twice in `price`; add the two up";
            }
        }
    }
    return NULL;
}

// Items ---------------------------------------------------------------------------------

kn_rts_item_def kn_rts_item_def_default(void)
{
    kn_rts_item_def def = {.level = 1.0f,
        .is_droppable = true,
        .is_sellable = true,
        .resale = -1.0f,
        .radius = 0.5f,
        .layers = 1,
        .cookie = ITEM_COOKIE};
    return def;
}

static void item_init(void *def)
{
    *(kn_rts_item_def *)def = kn_rts_item_def_default();
}

static const char *const loss_words[KN_RTS_LOSS_COUNT] = {
    [KN_RTS_LOSS_DEFAULT] = "",
    [KN_RTS_LOSS_KEEP] = "keep",
    [KN_RTS_LOSS_DROP] = "drop",
    [KN_RTS_LOSS_DESTROY] = "destroy",
};
static const char *const target_words[KN_ORDER_TARGET_COUNT] = {
    [KN_ORDER_TARGET_NONE] = "none",
    [KN_ORDER_TARGET_ENTITY] = "entity",
    [KN_ORDER_TARGET_LOCATION] = "location",
    [KN_ORDER_TARGET_DIRECTION] = "direction",
    [KN_ORDER_TARGET_PASSIVE] = "passive",
};

static const kn_def_field item_fields[] = {
    KN_DEF_F(kn_rts_item_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F(kn_rts_item_def, tags, KN_DEF_FIELD_TAGS,
        "Tags that such items have; inventories sort items into slots by them."),
    KN_DEF_F_REF(kn_rts_item_def, archetype, KN_DEF_ARCHETYPE,
        "What such items begin with: attributes, tags and so on; default nothing."),
    KN_DEF_F(kn_rts_item_def, level, KN_FIELD_F32,
        "Level of the archetype, the effect and the ability; default 1."),
    KN_DEF_F_REF(kn_rts_item_def, effect, KN_DEF_EFFECT,
        "The holder has this effect while it carries the item; must not be instant; default none."),
    KN_DEF_F_REF(kn_rts_item_def, ability, KN_DEF_ABILITY,
        "The holder has this ability while it carries the item; default none."),
    KN_DEF_F_ENUM(kn_rts_item_def, target_kind, target_words,
        "What the ability is aimed at, for orders; default none."),
    KN_DEF_F(kn_rts_item_def, use_range, KN_FIELD_F32,
        "How near to its target it is used, for orders; default 0."),
    KN_DEF_F(kn_rts_item_def, charges, KN_FIELD_U32,
        "Charges of a new item; each use takes one; default 0: it can be used forever."),
    KN_DEF_F(kn_rts_item_def, stack, KN_FIELD_U32,
        "Most charges of one item: items of this type join in one slot up to that; default 0: they "
        "do not join."),
    KN_DEF_F(kn_rts_item_def, keeps_empty, KN_FIELD_BOOL,
        "It stays when its last charge is gone; default false: it is destroyed."),
    KN_DEF_F(kn_rts_item_def, ability_finishes, KN_FIELD_BOOL,
        "Its ability may finish when the item leaves its holder while it runs; default false: it "
        "is cancelled."),
    KN_DEF_F(kn_rts_item_def, attached, KN_FIELD_BOOL,
        "Its tags count for its holder while it acts; default false."),
    KN_DEF_F(kn_rts_item_def, limit, KN_FIELD_U32,
        "Most items of this type that one unit carries; default 0: any number."),
    KN_DEF_F_PART(kn_rts_item_def, holder, "kn_tag_requirement",
        "Tags that holders must have, or must not have; default any."),
    KN_DEF_F(
        kn_rts_item_def, required_level, KN_FIELD_U32, "Level that holders must have; default 0."),
    KN_DEF_F(kn_rts_item_def, owner_only, KN_FIELD_BOOL,
        "It belongs for good to the owner of the first unit that carries it; default false."),
    KN_DEF_F(kn_rts_item_def, is_droppable, KN_FIELD_BOOL,
        "It can be dropped, and handed to others; default true."),
    KN_DEF_F(kn_rts_item_def, is_sellable, KN_FIELD_BOOL, "Shops buy it; default true."),
    KN_DEF_F_ENUM(kn_rts_item_def, on_death, loss_words,
        "What becomes of it when its holder dies: `keep`, `drop` or `destroy`; default as the "
        "inventory says."),
    KN_DEF_F_ARRAY(
        kn_rts_item_def, price, price_count, &knc_rts_price_table, "What it costs in shops."),
    KN_DEF_F(kn_rts_item_def, resale, KN_FIELD_F32,
        "Share of the price that shops pay for it; below 0: as the shop says; default -1."),
    KN_DEF_F(
        kn_rts_item_def, radius, KN_FIELD_F32, "Radius of its body in the world; default 0.5."),
    KN_DEF_F(kn_rts_item_def, layers, KN_FIELD_U32, "Layers of that body; default 1."),
    KN_DEF_F(kn_rts_item_def, title, KN_DEF_FIELD_STRING,
        "For the player; default that of its ability or effect, or its name."),
    KN_DEF_F(kn_rts_item_def, description, KN_DEF_FIELD_STRING,
        "For the player, with `{charges}` and `{level}`; default that of its ability or effect."),
    KN_DEF_F(kn_rts_item_def, icon, KN_DEF_FIELD_STRING, "Name of its picture."),
    KN_DEF_F_HOOK(kn_rts_item_def, can_carry, "Whether the entity may carry it; must only read."),
    KN_DEF_F_HOOK(kn_rts_item_def, gained, "Called when somebody got it."),
    KN_DEF_F_HOOK(kn_rts_item_def, lost, "Called when somebody lost it."),
    KN_DEF_F_HOOK(kn_rts_item_def, used, "Called when its ability was committed."),
    KN_DEF_F(kn_rts_item_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table item_table = {
    "rts_item_def", sizeof(kn_rts_item_def), item_fields, COUNT(item_fields), item_init};

static kn_result item_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_item_def *def = item;
    const char *fault = knc_rts_price_fault(def->price, def->price_count);
    (void)user;
    (void)library;
    if (fault == NULL && !isfinite(def->level)) {
        fault = "`level` must be a number";
    }
    if (fault == NULL && (!isfinite(def->use_range) || def->use_range < 0.0f ||
                             !isfinite(def->radius) || def->radius < 0.0f)) {
        fault = "`use_range` and `radius` must be 0 or more";
    }
    if (fault == NULL && !isfinite(def->resale)) {
        fault = "`resale` must be a number";
    }
    if (fault == NULL && def->stack > 0 && (def->charges == 0 || def->charges > def->stack)) {
        fault = "with `stack`, `charges` must be from 1 to that";
    }
    return fault == NULL
               ? KN_OK
               : kn_error_set(error, KN_ERROR_BAD_DATA, "item `%s`: %s", def->name, fault);
}

static kn_result item_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)user;
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const kn_rts_item_def *def = kn_def_get(library, kind, i);
        const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, def->effect.index1);
        if (effect != NULL && effect->duration_kind == KN_DURATION_INSTANT) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "item `%s`: its effect `%s` is instant; write `duration: infinite` there",
                def->name, effect->name);
        }
    }
    return KN_OK;
}

static kn_result item_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    item_kit *kit = user;
    (void)kind;
    kit->bodies.index1 = kn_def_find(library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME);
    kn_result result = knc_rts_item_rules_expand(library, kit, error);
    return result == KN_OK ? knc_rts_item_lists_expand(library, kit, error) : result;
}

kn_result kn_rts_item_register(
    kn_library *library, const kn_rts_item_def *def, kn_rts_item_type_id *type, kn_error *error)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_item_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->item_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_item_type_id kn_rts_item_find(const kn_library *library, const char *name)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_item_type_id type = {0};
    if (kit != NULL) {
        type.index1 = kn_def_find(library, kit->item_kind, name);
    }
    return type;
}

const kn_rts_item_def *kn_rts_item_get_def(const kn_library *library, kn_rts_item_type_id type)
{
    const item_kit *kit = knc_rts_items_of(library);
    return kit != NULL && type.index1 != 0 ? kn_def_get(library, kit->item_kind, type.index1)
                                           : NULL;
}

// Inventories ---------------------------------------------------------------------------

kn_rts_slot_def kn_rts_slot_def_default(void)
{
    kn_rts_slot_def def = {.count = 1};
    return def;
}

kn_rts_inventory_def kn_rts_inventory_def_default(void)
{
    kn_rts_inventory_def def = {.range = 2.0f, .cookie = INVENTORY_COOKIE};
    return def;
}

static void slot_init(void *def)
{
    *(kn_rts_slot_def *)def = kn_rts_slot_def_default();
}

static void inventory_init(void *def)
{
    *(kn_rts_inventory_def *)def = kn_rts_inventory_def_default();
}

static const kn_def_field slot_fields[] = {
    KN_DEF_F(
        kn_rts_slot_def, count, KN_FIELD_U32, "How many slots like this there are; default 1."),
    KN_DEF_F_PART(kn_rts_slot_def, accepts, "kn_tag_requirement",
        "Tags that items must have, or must not have, to fit; default any."),
    KN_DEF_F(kn_rts_slot_def, is_stash, KN_FIELD_BOOL,
        "Items in it give nothing and cannot be used; default false."),
};
static const kn_def_table slot_table = {
    "rts_slot_def", sizeof(kn_rts_slot_def), slot_fields, COUNT(slot_fields), slot_init};

static const kn_def_field inventory_fields[] = {
    KN_DEF_F(kn_rts_inventory_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_inventory_def, tag, KN_DEF_TAG,
        "Entities that gain this tag get the inventory; default: by call alone."),
    KN_DEF_F_ARRAY(kn_rts_inventory_def, slots, slot_count, &slot_table,
        "Its slots, at most 64 in all; items go to the first free one that fits."),
    KN_DEF_F_KINDS(
        kn_rts_inventory_def, items, item_count, "rts item", "Items that it begins with."),
    KN_DEF_F(kn_rts_inventory_def, range, KN_FIELD_F32,
        "How far it reaches, without the bodies; default 2."),
    KN_DEF_F_ENUM(kn_rts_inventory_def, on_death, loss_words,
        "What becomes of items when the holder dies: `keep`, `drop` or `destroy`; default keep."),
    KN_DEF_F(kn_rts_inventory_def, drops_on_owner_change, KN_FIELD_BOOL,
        "Items are dropped when the holder gets another owner; default false."),
    KN_DEF_F(kn_rts_inventory_def, is_public, KN_FIELD_BOOL,
        "All clients see it; default false: that of its player alone."),
    KN_DEF_F(kn_rts_inventory_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table inventory_table = {"rts_inventory_def", sizeof(kn_rts_inventory_def),
    inventory_fields, COUNT(inventory_fields), inventory_init};

static kn_result inventory_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_inventory_def *def = item;
    uint64_t count = 0;
    const char *fault = NULL;
    (void)user;
    (void)library;
    for (uint32_t i = 0; i < def->slot_count; i++) {
        count += def->slots[i].count;
    }
    if (count == 0 || count > KN_RTS_SLOTS_MAX) {
        fault = "it must have 1 to 64 `slots` in all";
    } else if (!isfinite(def->range) || def->range < 0.0f) {
        fault = "`range` must be 0 or more";
    }
    for (uint32_t i = 0; fault == NULL && i < def->item_count; i++) {
        fault = def->items[i].index1 == 0 ? "one of its `items` is not an item" : NULL;
    }
    return fault == NULL
               ? KN_OK
               : kn_error_set(error, KN_ERROR_BAD_DATA, "inventory `%s`: %s", def->name, fault);
}

kn_result kn_rts_inventory_register(kn_library *library, const kn_rts_inventory_def *def,
    kn_rts_inventory_type_id *type, kn_error *error)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_inventory_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->inventory_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_rts_inventory_type_id kn_rts_inventory_find(const kn_library *library, const char *name)
{
    const item_kit *kit = knc_rts_items_of(library);
    kn_rts_inventory_type_id type = {0};
    if (kit != NULL) {
        type.index1 = kn_def_find(library, kit->inventory_kind, name);
    }
    return type;
}

const kn_rts_inventory_def *kn_rts_inventory_get_def(
    const kn_library *library, kn_rts_inventory_type_id type)
{
    const item_kit *kit = knc_rts_items_of(library);
    return kit != NULL && type.index1 != 0 ? kn_def_get(library, kit->inventory_kind, type.index1)
                                           : NULL;
}

kn_result knc_rts_item_kinds_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_rts_item_event, item, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_item_event, other, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_item_event, type, "rts item"),
        KN_FIELD(kn_rts_item_event, slot, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_event, charges, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_event, reason, KN_FIELD_U32),
    };
    const kn_kind_hook hooks[] = {
        {"can_carry", sizeof(kn_rts_item_event), fields, COUNT(fields),
            "The entity is the unit that would carry it."},
        {"gained", sizeof(kn_rts_item_event), fields, COUNT(fields), "The entity is the holder."},
        {"lost", sizeof(kn_rts_item_event), fields, COUNT(fields),
            "The entity was the holder; `other` has it now."},
        {"used", sizeof(kn_rts_item_event), fields, COUNT(fields), "The entity is the holder."},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts item";
    kind.section = "rts_items";
    kind.table = &item_table;
    kind.text = "Items: what they give to those who carry them, how they are used, and what they "
                "cost.";
    kind.check = item_check;
    kind.expand = item_expand;
    kind.finish = item_finish;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kn_result result = kn_kind_register(library, &kind, &kit->item_kind, error);
    if (result != KN_OK) {
        return result;
    }
    kind = kn_kind_def_default();
    kind.name = "rts inventory";
    kind.section = "rts_inventories";
    kind.table = &inventory_table;
    kind.text = "Slots for items, and what becomes of items when their holder dies.";
    kind.check = inventory_check;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->inventory_kind, error);
}
