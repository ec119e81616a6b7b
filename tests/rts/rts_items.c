// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items and inventories: what they give and take back, charges, stacks, cooldowns, and everything
// that can happen to an item while it is carried or used.

#include "rts/item_test.h"

#include <math.h>

#define NOBODY ((kn_entity_id){0})

static uint32_t why(const kn_rts_item_answer *answer)
{
    return answer->why_not;
}

// The list of abilities from items, such as "Slash Drink".
static const char *list_of(const items *i, kn_entity_id unit)
{
    static char text[256];
    kn_rts_item_ability list[16];
    const uint32_t count = kn_rts_item_ability_list(i->f.world, unit, list, 16);
    size_t length = 0;
    text[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", k > 0 ? " " : "",
            kn_ability_type_name(i->f.library, list[k].ability));
    }
    return text;
}

static uint32_t grants_of(const items *i, kn_entity_id unit, kn_ability_type_id type)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = type;
    return kn_abilities_find(i->f.world, unit, &query, NULL, 0);
}

// Lists of abilities --------------------------------------------------------------------

// RTS-006, RTS-075, RTSV-I5: an effect is applied, and each ability that it grants is listed.
static void effects_of_items_list_their_abilities(void **state)
{
    items i;
    kn_effect_id first, second;
    kn_rts_item_ability list[4];
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    assert_string_equal(list_of(&i, hero), "");
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, &first), KN_OK);
    assert_string_equal(list_of(&i, hero), "Slash");
    assert_true(value_of(&i, hero, i.damage) == 10);
    assert_int_equal(kn_rts_item_ability_index(i.f.world, hero, i.slash), 0);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, &second), KN_OK);
    assert_int_equal(kn_rts_item_ability_list(i.f.world, hero, list, 4), 2);
    assert_true(kn_effect_id_equal(list[0].effect, first));
    assert_true(kn_effect_id_equal(list[1].effect, second));
    assert_int_equal(list[0].item.index1, 0);
    // One that grants nothing lists nothing, and can be removed all the same.
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.plate, NULL), KN_OK);
    assert_int_equal(kn_rts_item_ability_list(i.f.world, hero, NULL, 0), 2);
    assert_true(value_of(&i, hero, i.armour) == 5);
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, i.plate), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 0);
    fixture_close(&i.f);
}

// RTS-076, RTS-077, RTSV-I6: one entry goes for each ability, and what others gave stays.
static void removing_takes_back_one_entry_for_each_ability(void **state)
{
    items i;
    kn_effect_id mine;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    assert_int_equal(
        kn_effect_apply_simple(i.f.world, i.power, hero, hero, 1, NULL), KN_OK); // somebody else's
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, i.power), KN_REFUSED_NOT_FOUND);
    const kn_entity_id sword = item_for(&i, i.sword, hero);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, NULL), KN_OK);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, &mine), KN_OK);
    assert_string_equal(list_of(&i, hero), "Slash Slash Slash");
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, i.power), KN_OK);
    assert_false(kn_effect_is_alive(i.f.world, mine)); // the latest one
    assert_string_equal(list_of(&i, hero), "Slash Slash");
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, i.power), KN_OK);
    assert_string_equal(list_of(&i, hero), "Slash");
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, i.power), KN_REFUSED_NOT_FOUND);
    assert_true(kn_effect_is_alive(i.f.world, info_of(&i, sword).effect));
    assert_int_equal(grants_of(&i, hero, i.slash), 2);
    // By its id, and by whatever else ends it.
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, &mine), KN_OK);
    assert_int_equal(kn_effect_remove(i.f.world, mine, 0, KN_REMOVED_DISPELLED), KN_OK);
    assert_string_equal(list_of(&i, hero), "Slash");
    assert_true(kn_entity_destroy(i.f.world, sword));
    assert_string_equal(list_of(&i, hero), "");
    assert_int_equal(grants_of(&i, hero, i.slash), 1);
    assert_true(value_of(&i, hero, i.damage) == 10);
    fixture_close(&i.f);
}

// RTS-075, RTS-076: an effect may grant several abilities; each has an entry of its own.
static void effects_may_grant_several_abilities(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_grant_def grants[] = {kn_grant_def_default(), kn_grant_def_default()};
    kn_effect_def effect = kn_effect_def_default();
    kn_effect_type_id both;
    assert_int_equal(kn_name_register(i.f.library, "Zap", &grants[0].ability, NULL), KN_OK);
    assert_int_equal(kn_name_register(i.f.library, "Slash", &grants[1].ability, NULL), KN_OK);
    effect.name = "Both";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.grants = grants;
    effect.grant_count = 2;
    assert_int_equal(kn_effect_register(i.f.library, &effect, &both, NULL), KN_OK);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, both, NULL), KN_OK);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, i.power, NULL), KN_OK);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, hero, both, NULL), KN_OK);
    assert_string_equal(list_of(&i, hero), "Zap Slash Slash Zap Slash");
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, both), KN_OK);
    assert_string_equal(list_of(&i, hero), "Zap Slash Slash");
    assert_int_equal(grants_of(&i, hero, i.zap), 1);
    assert_int_equal(kn_rts_remove_item_ability(i.f.world, hero, both), KN_OK);
    assert_string_equal(list_of(&i, hero), "Slash");
    assert_int_equal(grants_of(&i, hero, i.slash), 1);
    fixture_close(&i.f);
}

// RTS-077: a stack is one effect for several items; each takes its own stacks back.
static void stacked_effects_lose_the_stacks_of_one_item(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id first = item_for(&i, i.armor, hero), second = item_for(&i, i.armor, hero);
    assert_true(value_of(&i, hero, i.armour) == 10);
    const kn_entity_id third = item_for(&i, i.armor, hero); // at the limit of the stack
    assert_true(value_of(&i, hero, i.armour) == 10);
    assert_int_equal(info_of(&i, third).effect.index1, 0);
    assert_int_equal(kn_rts_drop_item(i.f.world, first, NULL), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 10); // the third one has its place
    assert_int_not_equal(info_of(&i, third).effect.index1, 0);
    assert_int_equal(kn_rts_drop_item(i.f.world, second, NULL), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 5);
    assert_int_equal(kn_rts_drop_item(i.f.world, third, NULL), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 0);
    assert_int_equal(kn_effects_count(i.f.world, hero), 0);
    // Handed over, too.
    const kn_entity_id friend = hero_at(&i, i.f.us, 1);
    for (uint32_t k = 0; k < 3; k++) {
        (void)item_for(&i, i.armor, hero);
    }
    assert_int_equal(
        kn_rts_hand_item(i.f.world, kn_rts_slot_item(i.f.world, hero, 1), friend), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 10);
    assert_true(value_of(&i, friend, i.armour) == 5);
    // Stashed, too.
    const kn_entity_id more = item_for(&i, i.armor, hero);
    assert_int_equal(info_of(&i, more).effect.index1, 0);
    assert_int_equal(kn_rts_move_item(i.f.world, kn_rts_slot_item(i.f.world, hero, 2), 4), KN_OK);
    assert_true(value_of(&i, hero, i.armour) == 10);
    assert_int_not_equal(info_of(&i, more).effect.index1, 0);
    fixture_close(&i.f);
}

// No list of abilities has an empty place that could shift the others: the definition is
// refused, and the place is named.
static void empty_places_of_ability_lists_are_refused(void **state)
{
    items i;
    kn_error error = {0};
    kn_rts_unit_type_id type;
    (void)state;
    items_library(&i);
    const kn_ability_type_id list[] = {i.slash, {0}, i.drink};
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Gapped";
    def.abilities = list;
    def.ability_count = 3;
    assert_int_equal(kn_rts_unit_register(i.f.library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "abilities, entry 1"));
    def.ability_count = 1;
    def.unlockable_abilities = list + 1;
    def.unlockable_ability_count = 2;
    assert_int_equal(kn_rts_unit_register(i.f.library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "unlockable_abilities, entry 0"));
    assert_int_equal(kn_rts_unit_find(i.f.library, "Gapped").index1, 0);
    fixture_close(&i.f);
}

// Carrying ------------------------------------------------------------------------------

// ITM-001, ITM-004, RTS-075: an item is an entity; its holder has its effect and ability from it.
static void items_give_while_they_are_carried(void **state)
{
    items i;
    kn_effect_info effect;
    kn_ability_info ability;
    kn_entity_id found[4];
    (void)state;
    items_open(&i);
    const kn_tag is_item = kn_rts_tag(i.f.library, KN_RTS_IS_ITEM);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    assert_true(kn_entity_has_tag(i.f.world, hero, kn_rts_tag(i.f.library, KN_RTS_HAS_INVENTORY)));
    assert_int_equal(kn_rts_slot_count(i.f.world, hero), 6);
    const kn_entity_id sword = item_at(&i, i.sword, 1);
    assert_true(kn_entity_has_tag(i.f.world, sword, is_item));
    assert_true(kn_entity_has_tag(i.f.world, sword, i.weapon));
    assert_true(info_of(&i, sword).is_placed && info_of(&i, sword).location.x == 1);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, sword), KN_OK);
    const kn_rts_item_info info = info_of(&i, sword);
    assert_true(kn_entity_id_equal(info.holder, hero) && info.slot == 0 && info.acts);
    assert_false(kn_entity_has_tag(i.f.world, sword, is_item) || info.is_placed);
    kn_body body;
    assert_false(kn_grid_get_body(i.f.grid, sword, &body));
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, sword), i.f.us));
    assert_true(kn_effect_get(i.f.world, info.effect, &effect));
    assert_true(kn_entity_id_equal(effect.causer, sword) &&
                kn_entity_id_equal(effect.source, hero) &&
                effect.source_object == kn_entity_id_pack(sword));
    assert_true(value_of(&i, hero, i.damage) == 10);
    const kn_entity_id wand = item_for(&i, i.wand, hero);
    assert_true(kn_ability_get(i.f.world, info_of(&i, wand).ability, &ability));
    assert_true(kn_entity_id_equal(ability.source, wand));
    assert_string_equal(list_of(&i, hero), "Slash Zap");
    assert_int_equal(kn_rts_items(i.f.world, hero, found, 4), 2);
    assert_true(kn_entity_id_equal(found[0], sword) && kn_entity_id_equal(found[1], wand));
    assert_true(kn_entity_id_equal(kn_rts_carried_item(i.f.world, hero, i.wand), wand));
    const kn_vec3 there = {1, 1, 0};
    assert_int_equal(kn_rts_drop_item(i.f.world, sword, &there), KN_OK);
    assert_true(value_of(&i, hero, i.damage) == 0);
    assert_int_equal(grants_of(&i, hero, i.slash), 0);
    assert_true(kn_entity_has_tag(i.f.world, sword, is_item));
    assert_true(kn_grid_get_body(i.f.grid, sword, &body) && body.position.y == 1);
    assert_int_equal(kn_entity_owner(i.f.world, sword).index1, 0);
    assert_string_equal(list_of(&i, hero), "Zap");
    fixture_close(&i.f);
}

// ITM-008: items have attributes of their own, however many of a type there are, and keep them.
static void items_keep_attributes_of_their_own(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    items_pack(&i);
    items_hero(&i);
    kn_archetype_def archetype = kn_archetype_def_default();
    archetype.name = "Blade";
    archetype.sets = &i.stock;
    archetype.set_count = 1;
    archetype.tags = (kn_tags){&i.weapon, 1};
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Blade";
    assert_int_equal(kn_archetype_register(i.f.library, &archetype, &def.archetype, NULL), KN_OK);
    const kn_rts_item_type_id blade = item_add(&i, &def);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), friend = hero_at(&i, i.f.us, 1);
    const kn_entity_id first = item_for(&i, blade, hero), second = item_for(&i, blade, hero);
    assert_int_equal(info_of(&i, first).slot, 0); // its archetype has the tag of the slot
    assert_int_equal(kn_attribute_set_base(i.f.world, first, i.gold, 0, 7), KN_OK);
    assert_int_equal(kn_rts_hand_item(i.f.world, first, friend), KN_OK);
    assert_true(value_of(&i, first, i.gold) == 7);
    assert_true(value_of(&i, second, i.gold) == 0);
    fixture_close(&i.f);
}

// ITM-007: tags of an item that is attached count for its holder, while it acts.
static void tags_of_attached_items_count_for_the_holder(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id relic = item_for(&i, i.relic, hero);
    assert_true(kn_entity_has_tag(i.f.world, hero, i.heavy));
    assert_int_equal(kn_rts_move_item(i.f.world, relic, 4), KN_OK); // into the stash
    assert_false(kn_entity_has_tag(i.f.world, hero, i.heavy));
    assert_int_equal(kn_rts_move_item(i.f.world, relic, 1), KN_OK);
    assert_true(kn_entity_has_tag(i.f.world, hero, i.heavy));
    assert_true(kn_entity_destroy(i.f.world, relic));
    assert_false(kn_entity_has_tag(i.f.world, hero, i.heavy));
    fixture_close(&i.f);
}

static void slots_take_what_fits(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id wand = item_for(&i, i.wand, hero), sword = item_for(&i, i.sword, hero);
    assert_int_equal(info_of(&i, wand).slot, 1);
    assert_int_equal(info_of(&i, sword).slot, 0);
    assert_int_equal(kn_rts_move_item(i.f.world, wand, 0), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_move_item(i.f.world, sword, 1), KN_REFUSED_REQUIREMENT); // the swap
    assert_int_equal(kn_rts_move_item(i.f.world, sword, 6), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_move_item(i.f.world, sword, 3), KN_OK);
    assert_int_equal(info_of(&i, sword).slot, 3);
    assert_int_equal(kn_rts_slot_item(i.f.world, hero, 0).index1, 0);
    assert_int_equal(kn_rts_move_item(i.f.world, wand, 3), KN_OK);
    assert_int_equal(info_of(&i, sword).slot, 1);
    assert_int_equal(info_of(&i, wand).slot, 3);
    assert_true(value_of(&i, hero, i.damage) == 10);
    // A stash gives nothing.
    assert_int_equal(kn_rts_move_item(i.f.world, sword, 5), KN_OK);
    assert_true(value_of(&i, hero, i.damage) == 0);
    assert_false(info_of(&i, sword).acts);
    assert_string_equal(list_of(&i, hero), "Zap");
    // A slot that is given must be free and fit, and none may be left.
    const kn_entity_id other = item_at(&i, i.wand, 0);
    assert_false(kn_rts_can_carry(i.f.world, hero, other, 0, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_BAD_TAGS);
    assert_false(kn_rts_can_carry(i.f.world, hero, other, 3, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_NO_ROOM);
    assert_false(kn_rts_can_carry(i.f.world, hero, other, 9, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_NO_ROOM);
    assert_int_equal(kn_rts_give_item(i.f.world, hero, other, 4), KN_OK);
    (void)item_for(&i, i.wand, hero);
    (void)item_for(&i, i.wand, hero);
    const kn_entity_id last = item_at(&i, i.wand, 0);
    assert_false(kn_rts_can_pick_up(i.f.world, hero, last, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_NO_ROOM);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, last), KN_REFUSED_LIMIT);
    assert_int_equal(info_of(&i, last).holder.index1, 0);
    assert_true(kn_rts_can_carry(i.f.world, hero, item_at(&i, i.sword, 0), -1, &answer));
    fixture_close(&i.f);
}

static void requirements_of_items_are_reasons(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), far = hero_at(&i, i.f.them, 20);
    const kn_entity_id boots = item_at(&i, i.boots, 0), more = item_at(&i, i.boots, 0);
    assert_false(kn_rts_can_pick_up(i.f.world, far, boots, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_LEVEL_TOO_LOW | KN_RTS_ITEM_TOO_FAR);
    assert_int_equal(kn_rts_item_result(&answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_set_level(i.f.world, hero, 2), KN_OK);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, boots), KN_OK);
    assert_false(kn_rts_can_pick_up(i.f.world, hero, more, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_TOO_MANY);
    assert_false(kn_rts_can_pick_up(i.f.world, hero, boots, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_CARRIED);
    assert_int_equal(kn_rts_give_item(i.f.world, hero, boots, -1), KN_REFUSED_EXCLUSIVE);
    const kn_entity_id thief = hero_at(&i, i.f.them, 1);
    assert_int_equal(kn_rts_set_level(i.f.world, thief, 2), KN_OK);
    assert_false(kn_rts_can_pick_up(i.f.world, thief, boots, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_CARRIED);
    assert_int_equal(kn_rts_pick_up(i.f.world, thief, boots), KN_REFUSED_EXCLUSIVE);
    assert_true(kn_entity_id_equal(info_of(&i, boots).holder, hero));
    // Those who belong to somebody.
    const kn_entity_id relic = item_for(&i, i.relic, hero);
    assert_false(kn_rts_can_drop(i.f.world, relic, NULL, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_FIXED);
    assert_int_equal(kn_rts_drop_item(i.f.world, relic, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_give_item(i.f.world, far, relic, -1), KN_REFUSED_EXCLUSIVE);
    // Handing over: to friends in reach.
    const kn_entity_id wand = item_for(&i, i.wand, hero);
    assert_false(kn_rts_can_hand(i.f.world, wand, far, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_OTHERS | KN_RTS_ITEM_TOO_FAR);
    const kn_entity_id friend = hero_at(&i, i.f.us, 1);
    assert_int_equal(kn_rts_hand_item(i.f.world, wand, friend), KN_OK);
    assert_true(kn_entity_id_equal(info_of(&i, wand).holder, friend));
    assert_int_equal(grants_of(&i, hero, i.zap), 0);
    assert_int_equal(grants_of(&i, friend, i.zap), 1);
    // The dead neither take nor give.
    assert_int_equal(kn_rts_kill(i.f.world, friend, NOBODY), KN_OK);
    assert_false(kn_rts_can_drop(i.f.world, wand, NULL, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_DEAD);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, hero, NULL, NULL), KN_REFUSED_REQUIREMENT);
    const kn_entity_id gift = item_for(&i, i.wand, hero);
    assert_false(kn_rts_can_hand(i.f.world, gift, friend, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_DEAD);
    assert_int_equal(
        kn_rts_pick_up(i.f.world, friend, item_at(&i, i.sword, 1)), KN_REFUSED_REQUIREMENT);
    // Places out of reach, and entities that are no items.
    const kn_vec3 away = {50, 0, 0}, nowhere = {NAN, 0, 0};
    assert_int_equal(kn_rts_drop_item(i.f.world, boots, &away), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_drop_item(i.f.world, boots, &nowhere), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_rts_drop_item(i.f.world, hero, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, hero), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_pick_up(i.f.world, i.f.us, more), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_give_item(i.f.world, NOBODY, more, -1), KN_REFUSED_NOT_FOUND);
    assert_true(kn_entity_destroy(i.f.world, more));
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, more), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_split_item(i.f.world, more, 1, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_set_charges(i.f.world, boots, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_use_item(i.f.world, boots, NOBODY, NULL, NULL), KN_REFUSED_NOT_FOUND);
    fixture_close(&i.f);
}

// Tags of the holder, the size of bodies, and how many of a type one may carry.
static void limits_of_carrying(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Holy";
    def.holder.ignored = (kn_tags){&i.cursed, 1};
    def.charges = 2;
    def.stack = 4;
    def.limit = 1;
    const kn_rts_item_type_id holy = item_add(&i, &def);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    kn_body body = kn_body_default();
    body.radius = 3;
    assert_int_equal(kn_grid_set_body(i.f.grid, hero, &body), KN_OK);
    const kn_entity_id item = item_at(&i, holy, 5.6f); // 2, and 3 and a half for the bodies
    assert_false(kn_rts_can_pick_up(i.f.world, hero, item, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_TOO_FAR);
    const kn_entity_id nearer = item_at(&i, holy, 5.4f);
    gain(&i.f, hero, i.cursed);
    assert_false(kn_rts_can_pick_up(i.f.world, hero, nearer, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_BAD_TAGS);
    lose(&i.f, hero, i.cursed);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, nearer), KN_OK);
    assert_int_equal(kn_rts_split_item(i.f.world, nearer, 1, NULL), KN_REFUSED_LIMIT);
    assert_int_equal(info_of(&i, nearer).charges, 2);
    assert_int_equal(kn_rts_give_item(i.f.world, hero, item, -1), KN_OK); // what joins is one item
    assert_int_equal(info_of(&i, nearer).charges, 4);
    assert_int_equal(kn_rts_give_item(i.f.world, hero, item_at(&i, holy, 0), -1), KN_REFUSED_LIMIT);
    fixture_close(&i.f);
}

// Charges -------------------------------------------------------------------------------

static void equal_items_join_in_one_slot(void **state)
{
    items i;
    kn_entity_id part;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id first = item_for(&i, i.token, hero), second = item_at(&i, i.token, 0);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, second), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, second));
    assert_int_equal(info_of(&i, first).charges, 2);
    assert_int_equal(kn_rts_count_items(i.f.world, hero, i.token), 2);
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 1);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_PICKED_UP);
    assert_true(kn_entity_id_equal(i.heard.item, first) && i.heard.charges == 1);
    // What does not fit goes into a slot of its own.
    const kn_entity_id third = item_at(&i, i.token, 0);
    assert_int_equal(kn_rts_set_charges(i.f.world, third, 3), KN_OK);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, third), KN_OK);
    assert_int_equal(info_of(&i, first).charges, 3);
    assert_int_equal(info_of(&i, third).charges, 2);
    // Splitting and joining by hand.
    assert_int_equal(kn_rts_split_item(i.f.world, first, 3, &part), KN_REFUSED_COST);
    assert_int_equal(kn_rts_split_item(i.f.world, first, 0, &part), KN_REFUSED_COST);
    assert_int_equal(kn_rts_split_item(i.f.world, first, 1, &part), KN_OK);
    assert_int_equal(info_of(&i, first).charges, 2);
    assert_int_equal(info_of(&i, part).charges, 1);
    assert_int_equal(kn_rts_count_items(i.f.world, hero, i.token), 5);
    assert_int_equal(kn_rts_move_item(i.f.world, part, info_of(&i, first).slot), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, part));
    assert_int_equal(info_of(&i, first).charges, 3);
    // A full one changes places instead.
    const uint32_t slot = info_of(&i, first).slot;
    assert_int_equal(kn_rts_move_item(i.f.world, third, slot), KN_OK);
    assert_int_equal(info_of(&i, third).slot, slot);
    assert_int_equal(kn_rts_set_charges(i.f.world, first, 4), KN_REFUSED_LIMIT);
    assert_int_equal(kn_rts_set_charges(i.f.world, first, 0), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, first));
    // A full inventory takes what joins.
    while (kn_rts_can_carry(i.f.world, hero, item_at(&i, i.wand, 0), -1, NULL)) {
        (void)item_for(&i, i.wand, hero);
    }
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, item_at(&i, i.token, 0)), KN_OK);
    assert_int_equal(info_of(&i, third).charges, 3);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, item_at(&i, i.token, 0)), KN_REFUSED_LIMIT);
    assert_int_equal(kn_rts_split_item(i.f.world, third, 1, &part), KN_REFUSED_LIMIT);
    assert_int_equal(info_of(&i, third).charges, 3);
    fixture_close(&i.f);
}

static void uses_take_charges(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), enemy = hero_at(&i, i.f.them, 2);
    const kn_entity_id potion = item_for(&i, i.potion, hero);
    assert_int_equal(kn_rts_set_charges(i.f.world, potion, 2), KN_OK);
    assert_true(kn_rts_can_use(i.f.world, potion, NOBODY, NULL, &answer));
    assert_int_equal(kn_rts_use_item(i.f.world, potion, NOBODY, NULL, NULL), KN_OK);
    assert_true(value_of(&i, hero, i.health) == 50);
    assert_int_equal(info_of(&i, potion).charges, 1);
    assert_int_equal(i.used, 1);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_USED);
    // A refused use costs nothing, and says why.
    assert_false(kn_rts_can_use(i.f.world, potion, NOBODY, NULL, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_NOT_READY);
    assert_int_equal(answer.fails, KN_FAIL_COOLDOWN);
    assert_int_equal(kn_rts_use_item(i.f.world, potion, NOBODY, NULL, NULL), KN_REFUSED_COOLDOWN);
    assert_int_equal(info_of(&i, potion).charges, 1);
    step_ms(&i.f, 5000);
    assert_int_equal(kn_rts_use_item(i.f.world, potion, NOBODY, NULL, NULL), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, potion)); // the last one
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 0);
    assert_int_equal(grants_of(&i, hero, i.drink), 0);
    // One that is kept empty, aimed at somebody.
    const kn_entity_id wand = item_for(&i, i.wand, hero);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, enemy, NULL, NULL), KN_OK);
    assert_true(value_of(&i, enemy, i.health) == -20);
    step_ms(&i.f, 10000);
    // Also without a call of this part.
    assert_int_equal(kn_rts_can_use(i.f.world, wand, enemy, NULL, NULL), true);
    kn_event_record event = kn_event_record_default();
    event.target = enemy;
    assert_int_equal(
        kn_ability_activate(i.f.world, info_of(&i, wand).ability, &event, NULL), KN_OK);
    assert_int_equal(info_of(&i, wand).charges, 0);
    step_ms(&i.f, 10000);
    assert_false(kn_rts_can_use(i.f.world, wand, enemy, NULL, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_EMPTY | KN_RTS_ITEM_NOT_READY);
    assert_int_equal(answer.fails, kn_fail_find(i.f.library, "no_item_charges"));
    assert_int_equal(kn_rts_use_item(i.f.world, wand, enemy, NULL, NULL), KN_REFUSED_COST);
    assert_int_equal(
        kn_ability_activate(i.f.world, info_of(&i, wand).ability, &event, NULL), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_rts_set_charges(i.f.world, wand, 1), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, enemy, NULL, NULL), KN_OK);
    // Not from a stash.
    assert_int_equal(kn_rts_set_charges(i.f.world, wand, 2), KN_OK);
    assert_int_equal(kn_rts_move_item(i.f.world, wand, 4), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, enemy, NULL, NULL), KN_REFUSED_REQUIREMENT);
    char text[64];
    const kn_entity_id more = item_for(&i, i.potion, hero);
    assert_int_equal(kn_rts_describe_item(i.f.world, more, text, sizeof(text)), 17);
    assert_string_equal(text, "Heals 50. 1 left.");
    assert_string_equal(kn_rts_item_look(i.f.library, i.potion).title, "Potion");
    fixture_close(&i.f);
}

static kn_vec3 aimed_at;
static kn_entity_id aimed_by;
static bool commits;

static kn_result throw_it(const kn_ability_call *call, const kn_event_record *event)
{
    const kn_target_view view = {event->data, event->data_size};
    assert_true(kn_target_position(view, &aimed_at));
    aimed_by = event->instigator;
    if (commits) {
        assert_int_equal(kn_activation_commit(call->world, call->activation), KN_OK);
    }
    return kn_activation_end(call->world, call->activation);
}

// The ability gets the point, and takes a charge when it commits, not before.
static void uses_are_aimed_and_pay_at_the_commit(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_ability_def ability = kn_ability_def_default();
    kn_rts_item_def def = kn_rts_item_def_default();
    ability.name = "Throw";
    ability.activate_by_event = throw_it;
    def.name = "Bomb";
    def.charges = 2;
    assert_int_equal(kn_ability_register(i.f.library, &ability, &def.ability, NULL), KN_OK);
    const kn_rts_item_type_id type = item_add(&i, &def);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), bomb = item_for(&i, type, hero);
    const kn_vec3 there = {7, 8, 0}, nowhere = {0, NAN, 0};
    commits = false;
    assert_int_equal(kn_rts_use_item(i.f.world, bomb, NOBODY, &there, NULL), KN_OK);
    assert_true(aimed_at.x == 7 && aimed_at.y == 8 && kn_entity_id_equal(aimed_by, hero));
    assert_int_equal(info_of(&i, bomb).charges, 2);
    assert_int_equal(
        kn_rts_use_item(i.f.world, bomb, NOBODY, &nowhere, NULL), KN_REFUSED_BAD_NUMBER);
    commits = true;
    assert_int_equal(kn_rts_use_item(i.f.world, bomb, NOBODY, &there, NULL), KN_OK);
    assert_int_equal(info_of(&i, bomb).charges, 1);
    assert_int_not_equal(kn_rts_use_item(i.f.world, bomb, NOBODY, NULL, NULL), KN_OK);
    assert_int_equal(info_of(&i, bomb).charges, 1);
    fixture_close(&i.f);
}

// A cooldown with a key belongs to the holder and is shared; one without goes with the item.
static void cooldowns_are_shared_or_go_with_the_item(void **state)
{
    items i;
    kn_time left, total;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), friend = hero_at(&i, i.f.us, 1);
    const kn_entity_id first = item_for(&i, i.potion, hero);
    assert_int_equal(kn_rts_set_charges(i.f.world, first, 5), KN_OK);
    const kn_entity_id second = item_for(&i, i.potion, hero);
    assert_int_equal(kn_rts_use_item(i.f.world, first, NOBODY, NULL, NULL), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, second, NOBODY, NULL, NULL), KN_REFUSED_COOLDOWN);
    const kn_entity_id third = item_at(&i, i.potion, 0); // picked up later, and still
    assert_int_equal(kn_rts_give_item(i.f.world, hero, third, 3), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, third, NOBODY, NULL, NULL), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_rts_hand_item(i.f.world, third, friend), KN_OK);
    assert_int_equal(kn_rts_use_item(i.f.world, third, NOBODY, NULL, NULL), KN_OK);
    // Dropping and picking up does not make a wand ready.
    const kn_entity_id wand = item_for(&i, i.wand, hero);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, friend, NULL, NULL), KN_OK);
    step_ms(&i.f, 3000);
    assert_int_equal(kn_rts_drop_item(i.f.world, wand, NULL), KN_OK);
    step_ms(&i.f, 2000);
    assert_int_equal(kn_rts_pick_up(i.f.world, friend, wand), KN_OK);
    assert_true(kn_ability_cooldown(i.f.world, info_of(&i, wand).ability, &left, &total));
    assert_int_equal(left, KN_S(5));
    assert_int_equal(kn_rts_use_item(i.f.world, wand, hero, NULL, NULL), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_rts_hand_item(i.f.world, wand, hero), KN_OK);
    step_ms(&i.f, 4999);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, friend, NULL, NULL), KN_REFUSED_COOLDOWN);
    step_ms(&i.f, 1);
    assert_int_equal(kn_rts_use_item(i.f.world, wand, friend, NULL, NULL), KN_OK);
    // What is over while it lies there is over.
    assert_int_equal(kn_rts_drop_item(i.f.world, wand, NULL), KN_OK);
    step_ms(&i.f, 11000);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, wand), KN_OK);
    assert_false(kn_ability_cooldown(i.f.world, info_of(&i, wand).ability, &left, &total));
    fixture_close(&i.f);
}

// Bad moments -----------------------------------------------------------------------------

static bool is_channeling(const items *i, kn_entity_id unit)
{
    return kn_activations(i->f.world, unit, NULL, 0) > 0;
}

static void items_that_leave_while_they_are_used_cancel_it(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    // What the last charge began goes on to its end.
    const kn_entity_id horn = item_for(&i, i.horn, hero);
    assert_int_equal(kn_rts_use_item(i.f.world, horn, NOBODY, NULL, NULL), KN_OK);
    assert_false(kn_entity_is_alive(i.f.world, horn));
    assert_true(is_channeling(&i, hero));
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 0);
    step_ms(&i.f, 2100);
    assert_false(is_channeling(&i, hero));
    assert_int_equal(grants_of(&i, hero, i.channel), 0);
    // With charges left: dropped, handed over, destroyed, stashed, inventory removed.
    items j;
    items_library(&j);
    items_types(&j);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Flute";
    def.ability = j.channel;
    const kn_rts_item_type_id flute_type = item_add(&j, &def);
    def.name = "Harp";
    def.ability_finishes = true;
    const kn_rts_item_type_id harp_type = item_add(&j, &def);
    items_pack(&j);
    items_hero(&j);
    world_begin(&j.f);
    const kn_entity_id bard = hero_at(&j, j.f.us, 0), other = hero_at(&j, j.f.us, 1);
    for (uint32_t round = 0; round < 6; round++) {
        const kn_entity_id flute = item_for(&j, flute_type, bard);
        assert_int_equal(kn_rts_use_item(j.f.world, flute, NOBODY, NULL, NULL), KN_OK);
        assert_true(is_channeling(&j, bard));
        switch (round) {
        case 0:
            assert_int_equal(kn_rts_drop_item(j.f.world, flute, NULL), KN_OK);
            break;
        case 1:
            assert_int_equal(kn_rts_hand_item(j.f.world, flute, other), KN_OK);
            break;
        case 2:
            assert_true(kn_entity_destroy(j.f.world, flute));
            break;
        case 3:
            assert_int_equal(kn_rts_move_item(j.f.world, flute, 4), KN_OK);
            assert_int_equal(kn_rts_drop_item(j.f.world, flute, NULL), KN_OK);
            break;
        case 4:
            assert_int_equal(kn_rts_give_item(j.f.world, other, flute, -1), KN_OK);
            break;
        default:
            assert_int_equal(kn_rts_inventory_remove(j.f.world, bard), KN_OK);
            assert_int_equal(info_of(&j, flute).holder.index1, 0);
            assert_int_equal(kn_rts_inventory_add(j.f.world, bard, j.pack), KN_OK);
        }
        assert_false(is_channeling(&j, bard));
        assert_int_equal(grants_of(&j, bard, j.channel), 0);
        assert_string_equal(list_of(&j, bard), "");
    }
    const kn_entity_id harp = item_for(&j, harp_type, bard);
    assert_int_equal(kn_rts_use_item(j.f.world, harp, NOBODY, NULL, NULL), KN_OK);
    assert_int_equal(kn_rts_drop_item(j.f.world, harp, NULL), KN_OK);
    assert_true(is_channeling(&j, bard)); // it may finish
    step_ms(&j.f, 2100);
    assert_int_equal(grants_of(&j, bard, j.channel), 0);
    fixture_close(&j.f);
    fixture_close(&i.f);
}

static void death_drops_keeps_or_destroys(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 3);
    const kn_entity_id sword = item_for(&i, i.sword, hero), token = item_for(&i, i.token, hero);
    assert_int_equal(kn_rts_kill(i.f.world, hero, i.f.them), KN_OK);
    assert_true(kn_entity_id_equal(info_of(&i, sword).holder, hero)); // kept
    assert_int_equal(info_of(&i, token).holder.index1, 0);            // it says so itself
    assert_true(info_of(&i, token).is_placed && info_of(&i, token).location.x == 3);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_DIED);
    // Destroyed with its holder, unless it drops.
    const kn_entity_id second = hero_at(&i, i.f.us, 4);
    const kn_entity_id lost = item_for(&i, i.sword, second), found = item_for(&i, i.token, second);
    assert_true(kn_entity_destroy(i.f.world, second));
    assert_false(kn_entity_is_alive(i.f.world, lost));
    assert_true(kn_entity_is_alive(i.f.world, found));
    assert_true(info_of(&i, found).is_placed && info_of(&i, found).location.x == 4);
    // Of those that are no units, too; a tag that stays for another reason is not death.
    const kn_tag alive = kn_rts_tag(i.f.library, KN_RTS_ALIVE);
    kn_entity_id chest;
    assert_int_equal(kn_entity_create(i.f.world, &chest), KN_OK);
    place(&i.f, chest, 5, 0);
    gain(&i.f, chest, alive);
    assert_int_equal(kn_rts_inventory_add(i.f.world, chest, i.pack), KN_OK);
    const kn_entity_id inside = item_for(&i, i.token, chest);
    gain(&i.f, chest, alive);
    lose(&i.f, chest, alive);
    assert_true(kn_entity_id_equal(info_of(&i, inside).holder, chest));
    lose(&i.f, chest, alive);
    assert_true(info_of(&i, inside).is_placed && info_of(&i, inside).location.x == 5);
    fixture_close(&i.f);
    // The inventory says it for all; what cannot be dropped stays.
    items_library(&i);
    items_types(&i);
    i.pack_def = kn_rts_inventory_def_default();
    i.pack_def.on_death = KN_RTS_LOSS_DROP;
    i.pack_def.drops_on_owner_change = true;
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id third = hero_at(&i, i.f.us, 1);
    const kn_entity_id blade = item_for(&i, i.sword, third), relic = item_for(&i, i.relic, third);
    assert_int_equal(kn_rts_kill(i.f.world, third, NOBODY), KN_OK);
    assert_int_equal(info_of(&i, blade).holder.index1, 0);
    assert_true(kn_entity_id_equal(info_of(&i, relic).holder, third));
    assert_true(value_of(&i, third, i.damage) == 0);
    const kn_entity_id fourth = hero_at(&i, i.f.us, 1), wand = item_for(&i, i.wand, fourth);
    own(&i.f, fourth, i.f.them);
    assert_int_equal(info_of(&i, wand).holder.index1, 0);
    assert_int_equal(i.heard.reason, KN_RTS_ITEM_OWNER);
    // The first owner is not another one.
    const kn_entity_id fifth = hero_at(&i, NOBODY, 1), staff = item_for(&i, i.wand, fifth);
    own(&i.f, fifth, i.f.us);
    assert_true(kn_entity_id_equal(info_of(&i, staff).holder, fifth));
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, staff), i.f.us));
    own(&i.f, fifth, i.f.them);
    assert_int_equal(info_of(&i, staff).holder.index1, 0);
    fixture_close(&i.f);
}

static void items_follow_the_owner_of_their_holder(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    const kn_entity_id sword = item_for(&i, i.sword, hero), relic = item_for(&i, i.relic, hero);
    own(&i.f, hero, i.f.them);
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, sword), i.f.them));
    assert_true(kn_entity_id_equal(info_of(&i, sword).holder, hero));
    assert_true(value_of(&i, hero, i.damage) == 10);
    assert_int_equal(info_of(&i, relic).holder.index1, 0); // it stays with its owner
    assert_true(kn_entity_id_equal(kn_entity_owner(i.f.world, relic), i.f.us));
    assert_int_equal(kn_entity_set_connection(i.f.world, hero, 7), KN_OK);
    assert_int_equal(kn_entity_connection(i.f.world, sword), 7);
    assert_int_equal(kn_rts_drop_item(i.f.world, sword, NULL), KN_OK);
    assert_int_equal(kn_entity_connection(i.f.world, sword), 0);
    fixture_close(&i.f);
}

static void removed_inventories_drop_their_items(void **state)
{
    items i;
    (void)state;
    items_open(&i);
    const kn_entity_id hero = hero_at(&i, i.f.us, 2);
    const kn_entity_id sword = item_for(&i, i.sword, hero), relic = item_for(&i, i.relic, hero);
    assert_int_equal(kn_rts_inventory_add(i.f.world, hero, i.pack), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_rts_inventory_remove(i.f.world, hero), KN_OK);
    assert_true(info_of(&i, sword).is_placed && info_of(&i, sword).location.x == 2);
    assert_false(kn_entity_is_alive(i.f.world, relic)); // it cannot be dropped
    assert_true(value_of(&i, hero, i.damage) == 0);
    assert_false(kn_entity_has_tag(i.f.world, hero, kn_rts_tag(i.f.library, KN_RTS_HAS_INVENTORY)));
    assert_int_equal(kn_rts_inventory_remove(i.f.world, hero), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, sword), KN_REFUSED_NOT_FOUND);
    // As a component, too.
    const kn_entity_id second = hero_at(&i, i.f.us, 2);
    const kn_entity_id blade = item_for(&i, i.sword, second);
    assert_true(kn_component_remove(
        i.f.world, kn_component_find(i.f.library, "Knack.RtsInventory"), second));
    assert_true(info_of(&i, blade).is_placed);
    assert_true(value_of(&i, second, i.damage) == 0);
    assert_int_equal(kn_rts_inventory_add(i.f.world, NOBODY, i.pack), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_inventory_add(i.f.world, second, (kn_rts_inventory_type_id){99}),
        KN_ERROR_INVALID_ARGUMENT);
    fixture_close(&i.f);
}

// Hooks ---------------------------------------------------------------------------------

typedef struct mischief {
    kn_entity_id other;
    uint32_t action;
    uint32_t calls;
    kn_result result;
    kn_entity_id holder_then; // right after the call
} mischief;

static mischief trick;

static kn_result mischief_gained(void *user, const kn_hook_call *call)
{
    const kn_rts_item_event *event = call->arguments;
    kn_rts_item_info info;
    (void)user;
    if (trick.calls++ > 0) {
        return KN_OK;
    }
    switch (trick.action) {
    case 0:
        trick.result = kn_rts_drop_item(call->writable, event->item, NULL);
        break;
    case 1:
        trick.result = kn_rts_give_item(call->writable, trick.other, event->item, -1);
        break;
    case 2:
        trick.result = kn_entity_destroy(call->writable, event->item) ? KN_OK : KN_REFUSED_DYING;
        break;
    case 3:
        trick.result = kn_rts_inventory_remove(call->writable, call->entity);
        break;
    default:
        trick.result = kn_rts_kill(call->writable, call->entity, trick.other);
    }
    (void)kn_rts_item_get_info(call->writable, event->item, &info);
    trick.holder_then = info.holder;
    return KN_OK;
}

// What a hook asks for inside its own pick-up happens when that is complete.
static void hooks_may_ask_for_anything(void **state)
{
    (void)state;
    for (uint32_t action = 0; action < 5; action++) {
        items i;
        items_library(&i);
        items_types(&i);
        kn_rts_item_def def = kn_rts_item_def_default();
        def.name = "Cursed";
        def.effect = i.power;
        def.on_death = KN_RTS_LOSS_DROP;
        def.gained = (kn_hook){mischief_gained, NULL};
        const kn_rts_item_type_id cursed = item_add(&i, &def);
        items_pack(&i);
        items_hero(&i);
        world_begin(&i.f);
        const kn_entity_id hero = hero_at(&i, i.f.us, 0), other = hero_at(&i, i.f.us, 1);
        const kn_entity_id item = item_at(&i, cursed, 0);
        trick = (mischief){.other = other, .action = action};
        assert_int_equal(kn_rts_pick_up(i.f.world, hero, item), KN_OK);
        assert_int_equal(trick.result, KN_OK);
        assert_true(kn_entity_id_equal(trick.holder_then, hero)); // not yet
        assert_true(value_of(&i, hero, i.damage) == 0);
        assert_int_equal(kn_effects_count(i.f.world, hero), 0);
        assert_string_equal(list_of(&i, hero), "");
        assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 0);
        assert_int_equal(kn_entity_is_alive(i.f.world, item), action != 2);
        assert_true(value_of(&i, other, i.damage) == (action == 1 ? 10 : 0));
        assert_true(kn_world_validate(i.f.world));
        fixture_close(&i.f);
    }
}

static kn_result never(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_REFUSED_CUSTOM;
}

static void hooks_may_refuse(void **state)
{
    items i;
    kn_rts_item_answer answer;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Forbidden";
    def.can_carry = (kn_hook){never, NULL};
    const kn_rts_item_type_id type = item_add(&i, &def);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0), item = item_at(&i, type, 0);
    assert_false(kn_rts_can_pick_up(i.f.world, hero, item, &answer));
    assert_int_equal(why(&answer), KN_RTS_ITEM_REFUSED);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, item), KN_REFUSED_CUSTOM);
    assert_true(info_of(&i, item).is_placed);
    fixture_close(&i.f);
}

// An effect that is refused is tried again when the items of the holder change.
static void refused_effects_are_tried_again(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    kn_effect_def effect = kn_effect_def_default();
    const kn_modifier_def modifier = kn_modifier_constant(i.damage, KN_OP_ADD, 3);
    effect.name = "Shy";
    effect.duration_kind = KN_DURATION_INFINITE;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    effect.application.target.ignored = (kn_tags){&i.cursed, 1};
    kn_rts_item_def def = kn_rts_item_def_default();
    def.name = "Ring";
    assert_int_equal(kn_effect_register(i.f.library, &effect, &def.effect, NULL), KN_OK);
    const kn_rts_item_type_id ring = item_add(&i, &def);
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = hero_at(&i, i.f.us, 0);
    gain(&i.f, hero, i.cursed);
    const kn_entity_id item = item_for(&i, ring, hero);
    assert_true(kn_entity_id_equal(info_of(&i, item).holder, hero));
    assert_true(value_of(&i, hero, i.damage) == 0);
    lose(&i.f, hero, i.cursed);
    assert_true(value_of(&i, hero, i.damage) == 0);
    (void)item_for(&i, i.token, hero);
    assert_true(value_of(&i, hero, i.damage) == 3);
    // One that somebody has removed does not come back by itself.
    assert_int_equal(
        kn_effect_remove(i.f.world, info_of(&i, item).effect, 0, KN_REMOVED_DISPELLED), KN_OK);
    (void)item_for(&i, i.wand, hero);
    assert_true(value_of(&i, hero, i.damage) == 0);
    assert_int_equal(kn_rts_drop_item(i.f.world, item, NULL), KN_OK);
    assert_int_equal(kn_rts_pick_up(i.f.world, hero, item), KN_OK);
    assert_true(value_of(&i, hero, i.damage) == 3);
    fixture_close(&i.f);
}

// RTS-006: a unit may begin with items, and has their abilities in its list then.
static void inventories_begin_with_items(void **state)
{
    items i;
    (void)state;
    items_library(&i);
    items_types(&i);
    const kn_rts_item_type_id begin[] = {i.sword, i.potion, i.potion, i.boots};
    i.pack_def = kn_rts_inventory_def_default();
    i.pack_def.items = begin;
    i.pack_def.item_count = 4;
    i.pack_def.tag = i.hero_tag;
    items_pack(&i);
    items_hero(&i);
    world_begin(&i.f);
    const kn_entity_id hero = unit_create(&i.f, i.hero_type, i.f.us);
    gain(&i.f, hero, i.hero_tag);
    assert_string_equal(list_of(&i, hero), "Slash Drink");
    assert_int_equal(kn_rts_items(i.f.world, hero, NULL, 0), 2);
    assert_int_equal(kn_rts_count_items(i.f.world, hero, i.potion), 2);
    assert_int_equal(kn_rts_count_items(i.f.world, hero, i.boots), 0); // its level is too low
    assert_int_equal(kn_rts_inventory_get_type(i.f.world, hero).index1, i.pack.index1);
    fixture_close(&i.f);
}

static kn_result bad_item(items *i, kn_rts_item_def def, kn_error *error)
{
    def.name = "Bad";
    *error = (kn_error){0};
    return kn_rts_item_register(i->f.library, &def, NULL, error);
}

static void bad_definitions_are_refused(void **state)
{
    items i;
    kn_error error;
    (void)state;
    items_library(&i);
    kn_rts_item_def def = kn_rts_item_def_default();
    def.stack = 3;
    assert_int_equal(bad_item(&i, def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`charges` must be from 1"));
    def = kn_rts_item_def_default();
    const kn_product_cost twice[] = {{i.gold, 1}, {i.gold, 2}};
    def.price = twice;
    def.price_count = 2;
    assert_int_equal(bad_item(&i, def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "add the two up"));
    const kn_product_cost less = {i.gold, -1};
    def.price = &less;
    def.price_count = 1;
    assert_int_equal(bad_item(&i, def, &error), KN_ERROR_BAD_DATA);
    def = kn_rts_item_def_default();
    def.radius = -1;
    assert_int_equal(bad_item(&i, def, &error), KN_ERROR_BAD_DATA);
    kn_rts_inventory_def pack = kn_rts_inventory_def_default();
    pack.name = "None";
    assert_int_equal(
        kn_rts_inventory_register(i.f.library, &pack, NULL, &error), KN_ERROR_BAD_DATA);
    const kn_rts_slot_def many = {.count = 65};
    pack.slots = &many;
    pack.slot_count = 1;
    assert_int_equal(
        kn_rts_inventory_register(i.f.library, &pack, NULL, &error), KN_ERROR_BAD_DATA);
    def = kn_rts_item_def_default();
    def.name = "Instant";
    def.effect = i.heal;
    assert_int_equal(kn_rts_item_register(i.f.library, &def, NULL, &error), KN_OK);
    assert_int_equal(kn_library_finish(i.f.library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "is instant"));
    kn_entity_id item;
    assert_int_equal(
        kn_rts_item_create(NULL, (kn_rts_item_type_id){1}, NULL, &item), KN_ERROR_INVALID_ARGUMENT);
    fixture_close(&i.f);
}

static void unknown_types_are_errors(void **state)
{
    items i;
    kn_entity_id item;
    kn_rts_item_info info;
    (void)state;
    items_open(&i);
    const kn_vec3 nowhere = {INFINITY, 0, 0};
    assert_int_equal(kn_rts_item_create(i.f.world, (kn_rts_item_type_id){99}, NULL, &item),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_item_create(i.f.world, i.sword, &nowhere, &item), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(item.index1, 0);
    assert_false(kn_rts_item_get_info(i.f.world, i.f.us, &info));
    assert_int_equal(info.type.index1, 0);
    assert_int_equal(kn_rts_add_item_ability(i.f.world, i.f.us, (kn_effect_type_id){0}, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_rts_add_item_ability(i.f.world, NOBODY, i.power, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_rts_item_find(i.f.library, "Sword").index1, i.sword.index1);
    assert_int_equal(kn_rts_item_find(i.f.library, "Nothing").index1, 0);
    assert_string_equal(kn_rts_item_look(i.f.library, (kn_rts_item_type_id){0}).title, "");
    fixture_close(&i.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(effects_of_items_list_their_abilities),
    cmocka_unit_test(removing_takes_back_one_entry_for_each_ability),
    cmocka_unit_test(effects_may_grant_several_abilities),
    cmocka_unit_test(stacked_effects_lose_the_stacks_of_one_item),
    cmocka_unit_test(empty_places_of_ability_lists_are_refused),
    cmocka_unit_test(items_give_while_they_are_carried),
    cmocka_unit_test(items_keep_attributes_of_their_own),
    cmocka_unit_test(tags_of_attached_items_count_for_the_holder),
    cmocka_unit_test(slots_take_what_fits),
    cmocka_unit_test(requirements_of_items_are_reasons),
    cmocka_unit_test(limits_of_carrying),
    cmocka_unit_test(equal_items_join_in_one_slot),
    cmocka_unit_test(uses_take_charges),
    cmocka_unit_test(uses_are_aimed_and_pay_at_the_commit),
    cmocka_unit_test(cooldowns_are_shared_or_go_with_the_item),
    cmocka_unit_test(items_that_leave_while_they_are_used_cancel_it),
    cmocka_unit_test(death_drops_keeps_or_destroys),
    cmocka_unit_test(items_follow_the_owner_of_their_holder),
    cmocka_unit_test(removed_inventories_drop_their_items),
    cmocka_unit_test(hooks_may_ask_for_anything),
    cmocka_unit_test(hooks_may_refuse),
    cmocka_unit_test(refused_effects_are_tried_again),
    cmocka_unit_test(inventories_begin_with_items),
    cmocka_unit_test(bad_definitions_are_refused),
    cmocka_unit_test(unknown_types_are_errors),
};

TEST_GROUP(rts_items, tests, NULL, NULL);
