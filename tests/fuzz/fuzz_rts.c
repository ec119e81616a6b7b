// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units of the RTS kit made of fuzz input: types with any levels, abilities, tags and hooks,
// weapons of both kinds, items, upgrades and vision, and streams of experience, points, attacks,
// damage, deaths, items, stances and owners. Hooks do the same to their own unit and to others. In
// between the world is saved, loaded and rolled back and must go the same way; levels always follow
// from experience, points are never lost, and nobody carries what somebody else has.

#include "fuzz_orders.h"

#include "knack/rts_attack.h"
#include "knack/rts_item.h"
#include "knack/rts_team.h"
#include "knack/rts_tech.h"

enum { TYPES = 3, ABILITIES = 3, WEAPONS = 2, ITEMS = 3, BAGS = 2, SLOTS = 4 };

static kn_ability_type_id ability_at(uint32_t index)
{
    return (kn_ability_type_id){1 + index % ABILITIES};
}

static kn_rts_weapon_id weapon_at(uint32_t index)
{
    return (kn_rts_weapon_id){1 + index % WEAPONS};
}

static void hurt(kn_world *world, kn_entity_id source, kn_entity_id target, float amount)
{
    kn_rts_damage_def def = kn_rts_damage_def_default();
    kn_rts_damage quoted = {0}, dealt = {0};
    def.source = source;
    def.target = target;
    def.amount = amount;
    kn_result quote = kn_rts_damage_quote(world, &def, &quoted);
    kn_result result = sane(kn_rts_damage_deal(world, &def, &dealt));
    must(result != KN_OK || quote == KN_OK, "dealt, and it was not to be expected");
    if (result == KN_OK) {
        float sum = dealt.mitigated + dealt.absorbed + dealt.overkill + dealt.dealt;
        must(fabsf(sum - dealt.asked) <= 0.001f * (1.0f + fabsf(dealt.asked)), "damage is lost");
        must(dealt.dealt >= 0.0f && dealt.overkill >= 0.0f, "damage below zero");
    }
}

static kn_entity_id item_of(const kn_world *world, kn_entity_id unit, uint32_t choice)
{
    kn_entity_id items[SLOTS] = {{0}};
    const uint32_t count = kn_rts_items(world, unit, items, SLOTS);
    return items[count > 0 ? choice % count : 0];
}

// What somebody may do with items.
static void item_do(kn_world *world, kn_entity_id unit, kn_entity_id other, uint32_t deed)
{
    const kn_rts_item_type_id type = {1 + deed % ITEMS};
    const kn_rts_inventory_type_id bag = {1 + deed / 64 % BAGS};
    const kn_entity_id item = item_of(world, unit, deed / 8);
    kn_entity_id made = {0};
    switch (deed / 3 % 10) {
    case 0:
    case 1:
        (void)sane(kn_rts_item_create(world, type, NULL, &made));
        (void)sane(deed % 2 == 0 ? kn_rts_give_item(world, unit, made, (int32_t)(deed % 5) - 1)
                                 : kn_rts_pick_up(world, unit, made));
        break;
    case 2:
        (void)sane(kn_rts_drop_item(world, item, NULL));
        break;
    case 3:
        (void)sane(kn_rts_hand_item(world, item, other));
        break;
    case 4:
        (void)sane(kn_rts_move_item(world, item, deed / 8 % (SLOTS + 1)));
        break;
    case 5:
        (void)sane(kn_rts_split_item(world, item, deed / 64, &made));
        break;
    case 6:
        (void)sane(kn_rts_use_item(world, item, other, NULL, NULL));
        break;
    case 7:
        (void)sane(kn_rts_set_charges(world, item, deed / 64));
        break;
    case 8:
        (void)sane(deed % 2 == 0 ? kn_rts_inventory_remove(world, unit)
                                 : kn_rts_inventory_add(world, unit, bag));
        break;
    default:
        kn_entity_destroy(world, item);
        break;
    }
}

// What somebody may do about players.
static void player_do(game *g, kn_world *world, kn_entity_id unit, uint32_t deed)
{
    const kn_entity_id player = g->entities[deed % OWNERS];
    const kn_entity_id rival = g->entities[(deed + 1) % OWNERS];
    const kn_rts_upgrade_id upgrade = {1};
    const uint32_t number = deed / 16 % 4;
    switch (deed / 2 % 6) {
    case 0:
        (void)sane(kn_rts_set_upgrade(world, player, upgrade, number));
        break;
    case 1:
        (void)sane(kn_rts_set_stance(world, player, rival, (kn_rts_stance)number));
        break;
    case 2:
        (void)sane(kn_rts_player_set_team(world, player, number));
        break;
    case 3:
        (void)sane(kn_rts_set_shares_vision(world, player, rival, number > 1));
        break;
    case 4:
        (void)sane(kn_rts_vision_add(world, unit));
        break;
    default:
        (void)sane(kn_rts_vision_remove(world, unit));
        break;
    }
}

// What somebody may do to a unit: hooks as well as the host.
static void deed_do(game *g, kn_world *world, kn_entity_id unit, uint32_t deed)
{
    const kn_entity_id other = g->entities[deed / 16 % ENTITIES];
    const kn_ability_type_id ability = ability_at(deed / 16);
    if (deed % 5 == 4) {
        item_do(world, unit, other, deed);
        return;
    }
    if (deed % 11 == 10) {
        player_do(g, world, unit, deed);
        return;
    }
    switch (deed % 16) {
    case 0:
        (void)sane(kn_rts_add_experience(world, unit, (float)(deed / 4)));
        break;
    case 1:
        (void)sane(kn_rts_add_experience(world, other, (float)(deed / 4)));
        break;
    case 2:
        (void)sane(kn_rts_set_level(world, unit, (int32_t)(deed / 16) - 2));
        break;
    case 3:
        (void)sane(kn_rts_set_points(world, other, deed / 32));
        break;
    case 4:
        (void)sane(kn_rts_learn(world, unit, ability));
        break;
    case 5:
        (void)sane(kn_rts_raise_ability(world, unit, ability, deed / 128 != 0));
        break;
    case 6:
        (void)sane(kn_rts_refund_ability(world, unit, ability));
        break;
    case 7:
        (void)sane(kn_rts_reset_abilities(world, unit));
        break;
    case 8:
        (void)sane(kn_rts_kill(world, deed / 128 != 0 ? unit : other, other));
        break;
    case 9:
        hurt(world, unit, other, (float)(deed / 8));
        break;
    case 10:
        (void)sane(kn_rts_attack(world, unit, other));
        break;
    case 11:
        tag_change(g, world, deed / 128 != 0 ? unit : other, deed / 16);
        break;
    case 12:
        (void)sane(kn_entity_set_owner(world, unit, g->entities[deed / 16 % OWNERS]));
        break;
    case 13:
        if (deed / 16 > 11) {
            kn_entity_destroy(world, other);
        }
        break;
    case 14:
        (void)sane(deed / 128 != 0 ? kn_rts_unit_remove(world, unit)
                                   : kn_rts_weapon_remove(world, unit, weapon_at(deed / 16)));
        break;
    default:
        (void)sane(kn_rts_weapon_add(world, unit, weapon_at(deed / 16)));
        break;
    }
}

static kn_result hook_writes(void *user, const kn_hook_call *call)
{
    game *g = user;
    // By what a unit is now: a hook that always does the same would never come to an end.
    uint32_t about = call->entity.index1 * 5 + kn_rts_level(call->world, call->entity) * 3 +
                     kn_rts_points(call->world, call->entity);
    must(call->writable != NULL, "a hook that cannot write");
    deed_do(g, call->writable, call->entity, deed_of(g, call->world, about));
    return KN_OK;
}

static kn_result provide(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_provide_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->world, call->entity.index1);
    must(call->writable == NULL, "a question that may write");
    for (uint32_t i = 0; i < deed % 3; i++) {
        c->tags[c->count++] = g->tags[(deed + i) % TAGS];
    }
    return KN_OK;
}

static kn_result mitigate(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_rts_mitigate_call *c = call->arguments;
    static const float factors[] = {1.0f, 0.0f, 0.5f, 3.0f, -1.0f, NAN};
    must(call->writable == NULL, "a question that may write");
    c->amount *= factors[deed_of(g, call->world, call->entity.index1) % COUNT(factors)];
    return KN_OK;
}

// The library ----------------------------------------------------------------------------

static kn_attribute_set_id vitals_add(game *g)
{
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    kn_attribute_set_id id;
    kn_error error = {0};
    attributes[0].name = "Health";
    attributes[0].default_value = 40;
    attributes[0].base_min = kn_limit_constant(0);
    attributes[1].name = "Armour";
    def.name = "Vitals";
    def.attributes = attributes;
    def.attribute_count = 2;
    must(kn_attribute_set_register(g->library, &def, &id, &error) == KN_OK, error.message);
    return id;
}

static void rules_add(game *g)
{
    kn_error error = {0};
    kn_rts_rules_def rules = kn_rts_rules_def_default();
    uint32_t flags = take_u32(g->in);
    rules.name = "Rules";
    rules.health = kn_attribute_find(g->library, "Vitals.Health");
    rules.share = (kn_rts_share)(flags % KN_RTS_SHARE_COUNT);
    rules.share_radius = 20;
    rules.only_enemies = (flags >> 2 & 1) != 0;
    rules.assist_window = (flags >> 3 & 1) != 0 ? KN_S(1) : 0;
    rules.assist_share = (float)(flags >> 4 & 3) * 0.25f;
    must(kn_rts_rules_register(g->library, &rules, &error) == KN_OK, error.message);
    kn_rts_attack_rules_def attacks = kn_rts_attack_rules_def_default();
    attacks.name = "Attacks";
    attacks.armour = kn_attribute_find(g->library, "Vitals.Armour");
    attacks.mitigate = (kn_hook){(flags >> 6 & 3) == 0 ? mitigate : NULL, g};
    must(kn_rts_attack_rules_register(g->library, &attacks, &error) == KN_OK, error.message);
}

static void abilities_add(game *g)
{
    static const char *const names[ABILITIES] = {"S0", "S1", "S2"};
    for (uint32_t i = 0; i < ABILITIES; i++) {
        kn_ability_def ability = kn_ability_def_default();
        kn_rts_ability_def def = kn_rts_ability_def_default();
        kn_ability_type_id id;
        kn_error error = {0};
        ability.name = names[i];
        ability.body = i == 2 ? KN_BODY_STAY : KN_BODY_USE;
        must(kn_ability_register(g->library, &ability, &id, &error) == KN_OK, error.message);
        must(id.index1 == 1 + i, "abilities are numbered otherwise");
        def.name = names[i];
        def.max_level = take_below(g->in, 4);
        def.unit_level.value = (float)take_below(g->in, 4);
        must(kn_rts_ability_register(g->library, &def, &error) == KN_OK, error.message);
    }
}

static void weapons_add(game *g)
{
    static const char *const names[WEAPONS] = {"W0", "W1"};
    for (uint32_t i = 0; i < WEAPONS; i++) {
        kn_rts_weapon_def def = kn_rts_weapon_def_default();
        kn_error error = {0};
        uint32_t flags = take_u32(g->in);
        def.name = names[i];
        def.tag = (flags & 3) == 0 ? take_tag(g) : (kn_tag){0};
        def.kind = (kn_rts_weapon_kind)(flags >> 2 & 1);
        def.windup = KN_MS((flags >> 3 & 3) * 60);
        def.backswing = KN_MS((flags >> 5 & 3) * 60);
        def.range_slack = 100;
        def.spread = (float)(flags >> 7 & 3) * 0.25f;
        def.critical_chance = kn_magnitude_constant((float)(flags >> 9 & 3) * 0.3f);
        def.life_steal = kn_magnitude_constant((float)(flags >> 11 & 1) * 0.5f);
        def.speed = (float)(flags >> 12 & 3) * 20.0f;
        def.guide = (kn_rts_guide)((flags >> 14 & 3) % KN_RTS_GUIDE_COUNT);
        def.target_lost = (kn_rts_target_lost)((flags >> 16 & 3) % KN_RTS_LOST_COUNT);
        def.turn_radius = 30;
        def.ends_with_source = (flags >> 18 & 1) != 0;
        def.splash.shape = (kn_rts_splash_shape)((flags >> 19 & 7) % KN_RTS_SPLASH_COUNT);
        def.splash.radius = 10;
        def.bounce.count = flags >> 22 & 3;
        def.bounce.radius = 30;
        def.relations = (flags >> 24 & 1) != 0 ? 7 : def.relations;
        def.hit = (kn_hook){(flags >> 25 & 1) != 0 ? hook_writes : NULL, g};
        must(kn_rts_weapon_register(g->library, &def, NULL, &error) == KN_OK, error.message);
    }
}

static kn_hook writing(game *g, uint32_t flags, uint32_t bit)
{
    return (kn_hook){(flags >> bit & 1) != 0 ? hook_writes : NULL, g};
}

static void items_add(game *g)
{
    static const char *const names[ITEMS] = {"I0", "I1", "I2"};
    kn_error error = {0};
    kn_effect_def effect = kn_effect_def_default();
    kn_effect_type_id carried;
    effect.name = "Carried";
    effect.duration_kind = KN_DURATION_INFINITE;
    must(kn_effect_register(g->library, &effect, &carried, &error) == KN_OK, error.message);
    for (uint32_t i = 0; i < ITEMS; i++) {
        kn_rts_item_def def = kn_rts_item_def_default();
        uint32_t flags = take_u32(g->in);
        def.name = names[i];
        def.effect = (flags & 1) != 0 ? carried : (kn_effect_type_id){0};
        def.ability = (flags >> 1 & 1) != 0 ? ability_at(flags >> 2) : (kn_ability_type_id){0};
        def.charges = def.ability.index1 != 0 ? flags >> 4 & 3 : 0;
        def.stack = def.charges > 0 ? (flags >> 6 & 3) + def.charges : 0;
        def.keeps_empty = (flags >> 8 & 1) != 0;
        def.limit = flags >> 9 & 3;
        def.required_level = (flags >> 11 & 3) == 0 ? 2 : 0;
        def.owner_only = (flags >> 13 & 3) == 0;
        def.is_droppable = (flags >> 15 & 3) != 0;
        def.on_death = (kn_rts_item_loss)(flags >> 17 & 3);
        def.gained = writing(g, flags, 19);
        def.lost = writing(g, flags, 20);
        def.used = writing(g, flags, 21);
        must(kn_rts_item_register(g->library, &def, NULL, &error) == KN_OK, error.message);
    }
}

static void bags_add(game *g)
{
    static const char *const names[BAGS] = {"B0", "B1"};
    for (uint32_t i = 0; i < BAGS; i++) {
        kn_rts_slot_def slots[2] = {kn_rts_slot_def_default(), kn_rts_slot_def_default()};
        kn_rts_inventory_def def = kn_rts_inventory_def_default();
        kn_error error = {0};
        uint32_t flags = take_u8(g->in);
        slots[0].count = 1 + (flags & 1);
        slots[1].count = 1 + (flags >> 1 & 1);
        slots[1].is_stash = true;
        def.name = names[i];
        def.tag = (flags >> 2 & 1) != 0 ? take_tag(g) : (kn_tag){0};
        def.slots = slots;
        def.slot_count = 1 + (flags >> 3 & 1);
        def.range = 50;
        def.on_death = (kn_rts_item_loss)(flags >> 4 & 3);
        def.drops_on_owner_change = (flags >> 6 & 1) != 0;
        must(kn_rts_inventory_register(g->library, &def, NULL, &error) == KN_OK, error.message);
    }
}

static void players_add(game *g)
{
    kn_error error = {0};
    uint32_t flags = take_u8(g->in);
    kn_tag tags[2];
    kn_rts_upgrade_def upgrade = kn_rts_upgrade_def_default();
    upgrade.name = "Upgrade";
    upgrade.max_level = 3;
    upgrade.tags = take_tags(g, tags);
    upgrade.changed = writing(g, flags, 0);
    must(kn_rts_upgrade_register(g->library, &upgrade, NULL, &error) == KN_OK, error.message);
    if ((flags >> 1 & 3) != 0) {
        kn_rts_team_rules_def teams = kn_rts_team_rules_def_default();
        teams.name = "Teams";
        teams.has_vision = (flags >> 3 & 3) != 0;
        teams.allies_share_vision = (flags >> 5 & 1) != 0;
        teams.default_sight = (float)(flags >> 6) * 10.0f;
        must(kn_rts_team_rules_register(g->library, &teams, &error) == KN_OK, error.message);
    }
}

static void types_add(game *g, kn_attribute_set_id vitals)
{
    static const char *const names[TYPES] = {"U0", "U1", "U2"};
    const kn_ability_type_id abilities[ABILITIES] = {{1}, {2}, {3}};
    const kn_attribute_set_id sets[2] = {vitals, kn_rts_attack_set(g->library)};
    kn_tag tags[4][2];
    for (uint32_t i = 0; i < TYPES; i++) {
        kn_rts_unit_def def = kn_rts_unit_def_default();
        kn_error error = {0};
        kn_rts_unit_type_id id;
        uint32_t flags = take_u32(g->in);
        def.name = names[i];
        def.name_tag = (flags & 3) == 0 && i < 2 ? g->tags[i * 2] : (kn_tag){0};
        def.sets = sets;
        def.set_count = 2;
        def.abilities = abilities;
        def.ability_count = flags >> 2 & 1;
        def.unlockable_abilities = abilities + 1;
        def.unlockable_ability_count = 2;
        def.initial_tags = take_tags(g, tags[0]);
        def.death_tags_added = take_tags(g, tags[1]);
        for (uint32_t k = 0; k < def.death_tags_added.count; k++) { // never that of the living
            tags[1][k] = tags[1][k].index1 == g->tags[TAGS - 1].index1 ? g->tags[0] : tags[1][k];
        }
        def.death_tags_removed = take_tags(g, tags[2]);
        def.player_tags = take_tags(g, tags[3]);
        def.begins_alive = (flags >> 3 & 7) != 0;
        def.can_level = (flags >> 6 & 3) != 0;
        def.max_level = 1 + (flags >> 8 & 3);
        def.level = 1;
        def.experience_per_level.value = 20;
        def.granted_experience.value = (float)(flags >> 10 & 63);
        def.ability_points = flags >> 16 & 3;
        def.points_per_level = flags >> 18 & 3;
        def.provide = (kn_hook){(flags >> 20 & 1) != 0 ? provide : NULL, g};
        def.initialized = writing(g, flags, 21);
        def.experience_changed = writing(g, flags, 22);
        def.level_changed = writing(g, flags, 23);
        def.killed = writing(g, flags, 24);
        must(kn_rts_unit_register(g->library, &def, &id, &error) == KN_OK, error.message);
    }
}

// Playing ----------------------------------------------------------------------------------

static void spawn(game *g, uint32_t index)
{
    kn_body body = kn_body_default();
    must(kn_entity_create(g->world, &g->entities[index]) == KN_OK, "no entity");
    body.position = take_place(g);
    must(kn_grid_set_body(g->grid, g->entities[index], &body) == KN_OK, "no body");
    if (index >= OWNERS) {
        const kn_rts_unit_type_id type = {take_below(g->in, TYPES + 1)};
        (void)sane(kn_entity_set_owner(g->world, g->entities[index], g->entities[index % OWNERS]));
        (void)sane(kn_rts_unit_add(g->world, g->entities[index], type));
    }
}

static void play_replace(game *g)
{
    uint32_t index = take_below(g->in, ENTITIES);
    kn_entity_destroy(g->world, g->entities[index]);
    spawn(g, index);
}

static void play_deed(game *g)
{
    kn_entity_id unit = take_entity(g);
    deed_do(g, g->world, unit, take_u8(g->in));
}

// Odd numbers are refused and change nothing.
static void play_numbers(game *g)
{
    kn_entity_id unit = take_entity(g);
    const float number = take_float(g->in);
    const float before = kn_rts_experience(g->world, unit);
    kn_result result = sane(kn_rts_add_experience(g->world, unit, number));
    must(result == KN_OK || kn_rts_experience(g->world, unit) == before, "refused, and it changed");
    (void)sane(kn_rts_set_granted_experience(g->world, unit, number));
    hurt(g->world, unit, take_entity(g), number);
    (void)sane(kn_rts_set_level(g->world, unit, (int32_t)take_u32(g->in)));
}

static void play_unit(game *g)
{
    kn_entity_id unit = take_entity(g);
    const kn_rts_unit_type_id type = {take_below(g->in, TYPES + 2)};
    (void)sane(take_bool(g->in) ? kn_rts_unit_add(g->world, unit, type)
                                : kn_rts_read_attributes(g->world, unit, type.index1));
}

static void play_move(game *g)
{
    (void)sane(kn_grid_move(g->grid, take_entity(g), take_place(g)));
}

static void rts_check(const game *g)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const kn_entity_id unit = g->entities[i];
        const kn_rts_unit_type_id type = kn_rts_unit_get_type(g->world, unit);
        const float experience = kn_rts_experience(g->world, unit);
        uint32_t level = kn_rts_level(g->world, unit);
        if (type.index1 == 0) {
            must(level == 0 && kn_rts_points(g->world, unit) == 0, "levels of what is not a unit");
            continue;
        }
        must(!kn_rts_can_level(g->world, unit) ||
                 experience >= kn_rts_experience_for_level(g->library, type, level),
            "a level without its experience");
        must(kn_rts_level_progress(g->world, unit) >= 0 &&
                 kn_rts_level_progress(g->world, unit) <= 1,
            "more than a level");
        for (uint32_t k = 0; k < ABILITIES; k++) {
            kn_rts_learn_info info;
            bool can = kn_rts_can_learn(g->world, unit, ability_at(k), &info);
            must(can == (info.why_not == 0), "an answer without its reason");
            must(kn_rts_points_spent(g->world, unit, ability_at(k)) <= info.level,
                "points for levels that it does not have");
        }
        kn_entity_id items[SLOTS] = {{0}};
        const uint32_t count = kn_rts_items(g->world, unit, items, SLOTS);
        for (uint32_t k = 0; k < count && k < SLOTS; k++) {
            kn_rts_item_info item;
            must(kn_rts_item_get_info(g->world, items[k], &item), "carries what is not an item");
            must(item.holder.index1 == unit.index1, "carried by somebody else");
        }
        must(!(kn_rts_pending_damage(g->world, unit) < 0.0f), "less than no damage on its way");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(game * g) = {play_step, play_step, play_step, play_deed, play_deed,
        play_deed, play_deed, play_deed, play_numbers, play_unit, play_move, play_replace};
    fuzz_input in = {data, size};
    game g = {.in = &in};
    kn_error error = {0};
    library_begin(&g);
    must(kn_rts_register(g.library, &error) == KN_OK, error.message);
    take_deeds(&g);
    const kn_attribute_set_id vitals = vitals_add(&g);
    rules_add(&g);
    abilities_add(&g);
    weapons_add(&g);
    items_add(&g);
    bags_add(&g);
    players_add(&g);
    types_add(&g, vitals);
    must(kn_library_finish(g.library, &error) == KN_OK, error.message);
    world_begin(&g, take_u8(&in));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        spawn(&g, i);
    }
    for (uint32_t count = 0; in.size > 0 && count < CALLS_MAX; count++) {
        calls[take_below(&in, COUNT(calls))](&g);
        game_check(&g);
        rts_check(&g);
    }
    world_step(g.world, KN_S(2));
    game_check(&g);
    rts_check(&g);
    game_end(&g);
    return 0;
}
