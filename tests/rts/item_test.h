// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of items and shops share: a library with items of all sorts, heroes and a shop.
#ifndef KNACK_RTS_ITEM_TEST_H
#define KNACK_RTS_ITEM_TEST_H

#include "knack/rts_card.h"
#include "knack/rts_item.h"
#include "rts/rts_test.h"

typedef struct items {
    fixture f;
    kn_attribute_id damage, armour, health, gold, lumber;
    kn_attribute_set_id stats, stock;
    kn_tag weapon, potion_key, hero_tag, heavy, cursed;
    kn_effect_type_id power, plate, venom, heal;
    kn_ability_type_id slash, drink, zap, channel;
    kn_rts_item_type_id sword, armor, potion, wand, boots, horn, relic, token;
    kn_rts_inventory_type_id pack;
    kn_rts_shop_type_id market;
    kn_rts_unit_type_id hero_type;
    kn_rts_item_event heard; // by the latest hook
    uint32_t gained, lost, used;
    kn_rts_item_def defs[16]; // to change before the library is finished
    kn_rts_inventory_def pack_def;
} items;

static inline kn_effect_type_id infinite_add(fixture *f, const char *name,
    kn_attribute_id attribute, float amount, const char *ability, bool stacks)
{
    const kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    kn_grant_def grant = kn_grant_def_default();
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id effect;
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    if (ability != NULL) {
        assert_int_equal(kn_name_register(f->library, ability, &grant.ability, NULL), KN_OK);
        def.grants = &grant;
        def.grant_count = 1;
    }
    if (stacks) {
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.limit = kn_constant(2);
    }
    assert_int_equal(kn_effect_register(f->library, &def, &effect, NULL), KN_OK);
    return effect;
}

static inline kn_result item_hook(void *user, const kn_hook_call *call)
{
    items *i = user;
    i->heard = *(const kn_rts_item_event *)call->arguments;
    return KN_OK;
}

static inline kn_result gained_hook(void *user, const kn_hook_call *call)
{
    ((items *)user)->gained++;
    return item_hook(user, call);
}

static inline kn_result lost_hook(void *user, const kn_hook_call *call)
{
    ((items *)user)->lost++;
    return item_hook(user, call);
}

static inline kn_result used_hook(void *user, const kn_hook_call *call)
{
    ((items *)user)->used++;
    return item_hook(user, call);
}

static inline kn_rts_item_type_id item_add(items *i, const kn_rts_item_def *def)
{
    kn_rts_item_type_id type;
    kn_error error = {0};
    if (kn_rts_item_register(i->f.library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static inline kn_ability_type_id use_add(items *i, const char *name, kn_effect_type_id effect,
    kn_apply_to to, kn_tag key, float cooldown, kn_ability_body body)
{
    const kn_ability_apply_def apply = {.effect = effect, .to = to};
    kn_cooldown_def cool = kn_cooldown_seconds(cooldown);
    kn_ability_def def = kn_ability_def_default();
    kn_ability_type_id type;
    kn_error error = {0};
    cool.key = key;
    def.name = name;
    def.body = body;
    def.lasts = kn_constant(body == KN_BODY_TIMED ? 2.0f : 0.0f);
    def.applies = &apply;
    def.apply_count = 1;
    def.cooldowns = &cool;
    def.cooldown_count = cooldown > 0.0f;
    if (kn_ability_register(i->f.library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// The library; `prepare` may change definitions before they are registered.
static inline void items_library(items *i)
{
    fixture *f = &i->f;
    *i = (items){0};
    fixture_open(f);
    i->stats = set_add(f, "Stats", "Damage Armour Health");
    i->stock = set_add(f, "Stock", "Gold Lumber");
    i->damage = attribute_named(f, "Stats.Damage");
    i->armour = attribute_named(f, "Stats.Armour");
    i->health = attribute_named(f, "Stats.Health");
    i->gold = attribute_named(f, "Stock.Gold");
    i->lumber = attribute_named(f, "Stock.Lumber");
    i->weapon = tag_named(f, "Item.Weapon");
    i->potion_key = tag_named(f, "Cooldown.Potion");
    i->hero_tag = tag_named(f, "Unit.Hero");
    i->heavy = tag_named(f, "Item.Heavy");
    i->cursed = tag_named(f, "State.Cursed");
    i->slash = ability_add(f, "Slash", 1);
    i->power = infinite_add(f, "Power", i->damage, 10, "Slash", false);
    i->plate = infinite_add(f, "Plate", i->armour, 5, NULL, true);
    i->heal = instant_add(f, "Heal", i->health, KN_OP_ADD, 50);
    i->venom = instant_add(f, "Venom", i->health, KN_OP_ADD, -20);
    i->drink = use_add(i, "Drink", i->heal, KN_APPLY_TO_OWNER, i->potion_key, 5, KN_BODY_USE);
    i->zap = use_add(i, "Zap", i->venom, KN_APPLY_TO_TARGET, (kn_tag){0}, 10, KN_BODY_USE);
    i->channel = use_add(i, "Channel", i->heal, KN_APPLY_TO_OWNER, (kn_tag){0}, 0, KN_BODY_TIMED);
}

static inline void items_types(items *i)
{
    const kn_product_cost swords[] = {{i->gold, 100}, {i->lumber, 10}};
    const kn_product_cost cheap = {i->gold, 50};
    const kn_hook gained = {gained_hook, i}, lost = {lost_hook, i}, used = {used_hook, i};
    kn_rts_item_def def = kn_rts_item_def_default();
    def.gained = gained;
    def.lost = lost;
    def.used = used;
    const kn_rts_item_def plain = def;
    def.name = "Sword";
    def.tags = (kn_tags){&i->weapon, 1};
    def.effect = i->power;
    def.price = swords;
    def.price_count = 2;
    i->sword = item_add(i, &def);
    def = plain;
    def.name = "Armor";
    def.effect = i->plate;
    i->armor = item_add(i, &def);
    def = plain;
    def.name = "Potion";
    def.ability = i->drink;
    def.charges = 1;
    def.stack = 5;
    def.price = &cheap;
    def.price_count = 1;
    def.description = "Heals 50. {charges} left.";
    i->potion = item_add(i, &def);
    def = plain;
    def.name = "Wand";
    def.ability = i->zap;
    def.charges = 2;
    def.keeps_empty = true;
    def.target_kind = KN_ORDER_TARGET_ENTITY;
    def.use_range = 3;
    i->wand = item_add(i, &def);
    def = plain;
    def.name = "Boots";
    def.limit = 1;
    def.required_level = 2;
    i->boots = item_add(i, &def);
    def = plain;
    def.name = "Horn";
    def.ability = i->channel;
    def.charges = 1;
    i->horn = item_add(i, &def);
    def = plain;
    def.name = "Relic";
    def.owner_only = true;
    def.is_droppable = false;
    def.is_sellable = false;
    def.attached = true;
    def.tags = (kn_tags){&i->heavy, 1};
    i->relic = item_add(i, &def);
    def = plain;
    def.name = "Token";
    def.charges = 1;
    def.stack = 3;
    def.on_death = KN_RTS_LOSS_DROP;
    i->token = item_add(i, &def);
}

// Four slots, one for weapons alone, and two of a stash.
static inline void items_pack(items *i)
{
    const kn_tag_requirement weapons = {.required = {&i->weapon, 1}};
    const kn_rts_slot_def slots[] = {
        {.count = 1, .accepts = weapons}, {.count = 3}, {.count = 2, .is_stash = true}};
    kn_rts_inventory_def def =
        i->pack_def.cookie != 0 ? i->pack_def : kn_rts_inventory_def_default();
    kn_error error = {0};
    def.name = "Pack";
    def.slots = slots;
    def.slot_count = (uint32_t)(sizeof(slots) / sizeof(*slots));
    if (kn_rts_inventory_register(i->f.library, &def, &i->pack, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static inline void items_hero(items *i)
{
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Hero";
    def.sets = &i->stats;
    def.set_count = 1;
    def.can_level = true;
    def.max_level = 5;
    def.experience_per_level = kn_constant(100);
    i->hero_type = unit_type_add(&i->f, &def);
}

static inline void items_shop(items *i)
{
    kn_rts_good goods[] = {kn_rts_good_default(), kn_rts_good_default(), kn_rts_good_default()};
    kn_rts_shop_def def = kn_rts_shop_def_default();
    kn_error error = {0};
    goods[0].item = i->sword;
    goods[0].stock = 2;
    goods[0].restock = KN_S(10);
    goods[1].item = i->potion;
    goods[2].item = i->boots;
    goods[2].price = &(const kn_product_cost){i->gold, 30};
    goods[2].price_count = 1;
    goods[2].buyer.ignored = (kn_tags){&i->cursed, 1};
    def.name = "Market";
    def.goods = goods;
    def.good_count = (uint32_t)(sizeof(goods) / sizeof(*goods));
    if (kn_rts_shop_register(i->f.library, &def, &i->market, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static inline void items_open(items *i)
{
    items_library(i);
    items_types(i);
    items_pack(i);
    items_hero(i);
    items_shop(i);
    world_begin(&i->f);
}

static inline kn_entity_id hero_at(items *i, kn_entity_id owner, float x)
{
    const kn_entity_id hero = unit_create(&i->f, i->hero_type, owner);
    place(&i->f, hero, x, 0);
    assert_int_equal(kn_rts_inventory_add(i->f.world, hero, i->pack), KN_OK);
    return hero;
}

static inline kn_entity_id item_at(items *i, kn_rts_item_type_id type, float x)
{
    const kn_vec3 at = {x, 0, 0};
    kn_entity_id item;
    assert_int_equal(kn_rts_item_create(i->f.world, type, &at, &item), KN_OK);
    return item;
}

static inline kn_entity_id item_for(items *i, kn_rts_item_type_id type, kn_entity_id unit)
{
    kn_entity_id item;
    assert_int_equal(kn_rts_item_create(i->f.world, type, NULL, &item), KN_OK);
    assert_int_equal(kn_rts_give_item(i->f.world, unit, item, -1), KN_OK);
    return item;
}

static inline kn_rts_item_info info_of(const items *i, kn_entity_id item)
{
    kn_rts_item_info info;
    (void)kn_rts_item_get_info(i->f.world, item, &info);
    return info;
}

static inline float value_of(const items *i, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_value(i->f.world, entity, attribute);
}

#endif
