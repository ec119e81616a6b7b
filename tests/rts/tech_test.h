// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of technology share: content as text, a world with two players, and short words.
#ifndef KNACK_TECH_TEST_H
#define KNACK_TECH_TEST_H

#include "knack/data.h"
#include "knack/rts_tech.h"

#include "scenario/world_copies.h"

#include <stdio.h>

typedef struct realm {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id us, them; // players
} realm;

// In two parts, for compilers need not know longer texts.
static const char realm_content[] =
    "kits: [order, production, rts]\n"
    "tags: [Unit.Hall, Unit.Farm, Unit.Barracks, Unit.Smithy, Unit.Worker, Unit.Footman,\n"
    "  Unit.Archer, Unit.Hero, Unit.Tower, Unit.Chief, Unit.Lab, Kind.Melee, Tech.Hall, "
    "Tech.Barracks, "
    "Tech.Barracks.Large,\n"
    "  Tech.Steel, Tech.Steel.Fine, Tech.Lost, Tech.Smithy, Tech.War]\n"
    "attribute_sets:\n"
    "  Stock: {attributes: {Gold: 1000, Wood: {default_value: 500, base_max: 600},\n"
    "    Favor: {default_value: 20, base_min: 10}}}\n"
    "  Crowd: {attributes: {Used: 0, Cap: 0, Draft: 0}}\n"
    "  Combat: {attributes: {Damage: 10, Health: 100}}\n"
    "curves:\n"
    "  Price: [[1, 1], [2, 1.5], [3, 2], [4, 9]]\n"
    "  Bonus: [[1, 2], [2, 5], [3, 9]]\n"
    "archetypes:\n"
    "  Player: {sets: [Stock, Crowd]}\n"
    "  Hall: {tags: [Unit.Hall]}\n"
    "  Farm: {tags: [Unit.Farm]}\n"
    "  FarmSite: {}\n"
    "  Barracks: {tags: [Unit.Barracks]}\n"
    "  Smithy: {tags: [Unit.Smithy]}\n"
    "  Worker: {tags: [Unit.Worker]}\n"
    "  Footman: {tags: [Unit.Footman]}\n"
    "  Archer: {parent: Footman, tags: []}\n"
    "  Hero: {tags: [Unit.Hero]}\n"
    "  Tower: {tags: [Unit.Tower]}\n"
    "  Chief: {tags: [Unit.Chief]}\n"
    "  Lab: {tags: [Unit.Lab]}\n"
    "  Egg: {tags: [Unit.Footman, Knack.Rts.Changing.UnderConstruction]}\n"
    "effects:\n"
    "  SharpBlades: {duration: infinite, acts_on_owned: true, owned: {required: [Kind.Melee]},\n"
    "    modifiers: {Combat.Damage: {magnitude: {value: 1, curve: Bonus}}}}\n"
    "  Gift: {modifiers: {Stock.Gold: 7}}\n"
    "  Draft: {duration: infinite, ongoing: {target: {required: [Tech.War]}},\n"
    "    modifiers: {Crowd.Draft: 1}}\n"
    "abilities:\n"
    "  Cleave: {body: use}\n"
    "blackboards:\n"
    "  Orders: {order_keys: true}\n"
    "trees:\n"
    "  Rest: {blackboard: Orders, root: {kind: wait_event, tag: Tech.Lost}}\n"
    "order_types:\n"
    "  Stop: {tree: Rest}\n"
    "  Charge: {tree: Rest}\n"
    "order_units:\n"
    "  Soldier: {stop: Stop, commands: [Stop, Charge]}\n"
    "  Building: {stop: Stop, commands: [Knack.Produce]}\n"
    "products:\n"
    "  Footman: {archetype: Footman, time: 10, costs: [{attribute: Stock.Gold, amount: 50}]}\n"
    "  Hero: {archetype: Hero, time: 5}\n"
    "  Egg: {archetype: Egg, time: 1}\n"
    "  Archer: {archetype: Archer, time: 1}\n"
    "  Tower: {archetype: Tower, site: true, builds_itself: true, time: 4}\n"
    "  Blades: {research: true, title: Sharp blades}\n"
    "  Loom: {research: true, time: 3, costs: [{attribute: Stock.Wood, amount: 20}], refund: 0.5}\n"
    "  Plain: {research: true}\n"
    "  Farm: {archetype: Farm, site: true, builds_itself: true, time: 4,\n"
    "    costs: [{attribute: Stock.Wood, amount: 30}]}\n"
    "  Barracks: {archetype: Barracks, site_archetype: FarmSite, site: true, builds_itself: true,\n"
    "    time: 6}\n"
    "producers:\n"
    "  Hall: {tag: Unit.Hall, products: [Footman, Hero, Loom, Egg], queue_limit: 0}\n"
    "  Barracks: {tag: Unit.Barracks, products: [Footman, Hero], on_owner_change: keep,\n"
    "    queue_limit: 0}\n"
    "  Smithy: {tag: Unit.Smithy, products: [Blades, Loom, Plain], on_owner_change: keep,\n"
    "    on_death: lose}\n"
    "  Worker: {tag: Unit.Worker, products: [Farm, Barracks, Tower]}\n"
    "  Lab: {tag: Unit.Lab, products: [Loom], on_owner_change: lose}\n";
static const char realm_content_rts[] =
    "rts_rules:\n"
    "  Rules: {health: Combat.Health}\n"
    "rts_abilities:\n"
    "  Cleave: {max_level: 3, unit_level: {value: 0.001}}\n"
    "rts_units:\n"
    "  Hall: {name_tag: Unit.Hall, provides: [Tech.Hall], population_cap: 10,\n"
    "    order_unit: Building}\n"
    "  Farm: {name_tag: Unit.Farm, population_cap: 8}\n"
    "  Barracks: {name_tag: Unit.Barracks, provides: [Tech.Barracks.Large],\n"
    "    order_unit: Building}\n"
    "  Smithy: {name_tag: Unit.Smithy, provides: [Tech.Smithy], order_unit: Building}\n"
    "  Worker: {name_tag: Unit.Worker, population: 1}\n"
    "  Tower: {name_tag: Unit.Tower, population: 3}\n"
    "  Lab: {name_tag: Unit.Lab}\n"
    "  Chief: {name_tag: Unit.Chief, provides: [Tech.War], population: 3, population_cap: 12}\n"
    "  Footman: {name_tag: Unit.Footman, sets: [Combat], initial_tags: [Kind.Melee],\n"
    "    population: 2, player_tags: [Tech.Steel], order_unit: Soldier}\n"
    "  Hero: {name_tag: Unit.Hero, sets: [Combat], population: 4.5, can_level: true, max_level: "
    "5,\n"
    "    experience_per_level: 100, unlockable_abilities: [Cleave], ability_points: 3,\n"
    "    order_unit: Soldier}\n"
    "rts_upgrades:\n"
    "  Blades: {max_level: 3, effect: SharpBlades, tags: [Tech.Steel],\n"
    "    costs: [{attribute: Stock.Gold, amount: {value: 100, curve: Price}},\n"
    "      {attribute: Stock.Wood, amount: 10}], time: {value: 20, curve: Price},\n"
    "    levels: [{}, {required: [Tech.Hall], tags: [Tech.Steel.Fine]}]}\n"
    "  Loom: {effect: Gift}\n"
    "  Cheat: {max_level: 2}\n"
    "rts_requirements:\n"
    "  Hero: {required: [Tech.Barracks, Tech.Steel], blocked: [Tech.Lost]}\n"
    "  Cleave: {ability: Cleave, from_level: 2, required: [Tech.Steel]}\n"
    "  Charge: {order: Charge, required: [Tech.Steel], blocked: [Tech.Lost]}\n"
    "  Plain: {product: Plain, query: 'any_tags(Tech.Hall, Tech.Lost)',\n"
    "    text: Requires a hall or what was lost}\n"
    "  Third: {upgrade: Blades, from_level: 3, required: [Tech.Barracks],\n"
    "    text: Requires barracks for the third level}\n"
    "  Peace: {product: Footman, blocked: [Tech.Lost]}\n"
    "  War: {product: Footman, blocked: [Tech.War]}\n"
    "  Noble: {required: [Tech.Hall, Tech.Steel]}\n"
    "rts_population:\n"
    "  Crowd: {used: Crowd.Used, cap: Crowd.Cap, limit: 30}\n";

#define REALM_SIZE 8192

static inline const char *realm_text(void)
{
    static char text[REALM_SIZE];
    (void)snprintf(text, sizeof(text), "%s%s", realm_content, realm_content_rts);
    return text;
}

static inline kn_result realm_prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static inline kn_data *realm_data(const char *text)
{
    static const kn_kit kits[] = {{"order", kn_order_register},
        {"production", kn_order_produce_register}, {"rts", kn_rts_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    def.kits = kits;
    def.kit_count = 3;
    def.warn = false;
    def.prepare = realm_prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "realm.yaml", text, strlen(text)), KN_OK);
    return data;
}

static inline kn_library *realm_library(const char *text)
{
    kn_data *data = realm_data(text);
    kn_library *library = NULL;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; result != KN_OK && i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    return library;
}

// The content with one piece of text instead of another.
static inline const char *realm_text_with(const char *old, const char *now)
{
    static char text[2 * REALM_SIZE];
    const char *all = realm_text(), *at = strstr(all, old);
    assert_non_null(at);
    (void)snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - all), all, now, at + strlen(old));
    return text;
}

static inline kn_library *realm_library_with(const char *old, const char *now)
{
    return realm_library(realm_text_with(old, now));
}

static inline kn_world *realm_world(kn_library *library, bool is_client)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = library;
    def.is_client = is_client;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static inline kn_tag tag_of(const realm *r, const char *name)
{
    const kn_tag tag = kn_tag_find(r->library, name);
    assert_int_not_equal(tag.index1, 0);
    return tag;
}

static inline bool has(const realm *r, kn_entity_id entity, const char *tag)
{
    return kn_entity_has_tag(r->world, entity, tag_of(r, tag));
}

static inline void own(realm *r, kn_entity_id entity, kn_entity_id owner)
{
    assert_int_equal(kn_entity_set_owner(r->world, entity, owner), KN_OK);
}

static inline void gain(realm *r, kn_entity_id entity, const char *tag)
{
    assert_int_equal(
        kn_entity_add_tag(r->world, entity, tag_of(r, tag), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void lose(realm *r, kn_entity_id entity, const char *tag)
{
    assert_int_equal(
        kn_entity_remove_tag(r->world, entity, tag_of(r, tag), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline kn_entity_id spawn(realm *r, const char *archetype, kn_entity_id owner)
{
    kn_entity_id entity;
    assert_int_equal(
        kn_archetype_spawn(r->world, kn_archetype_find(r->library, archetype), 1, &entity), KN_OK);
    if (owner.index1 != 0) {
        own(r, entity, owner);
    }
    return entity;
}

static inline kn_attribute_id attribute(const realm *r, const char *name)
{
    const kn_attribute_id id = kn_attribute_find(r->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static inline float value(const realm *r, kn_entity_id entity, const char *name)
{
    return kn_attribute_value(r->world, entity, attribute(r, name));
}

static inline void base_set(realm *r, kn_entity_id entity, const char *name, float number)
{
    assert_int_equal(kn_attribute_set_base(r->world, entity, attribute(r, name), 0, number), KN_OK);
}

static inline void step_s(realm *r, int64_t seconds)
{
    assert_int_equal(kn_world_step(r->world, KN_S(seconds)), KN_OK);
}

static inline kn_product_id product(const realm *r, const char *name)
{
    const kn_product_id id = kn_product_find(r->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static inline kn_rts_upgrade_id upgrade(const realm *r, const char *name)
{
    const kn_rts_upgrade_id id = kn_rts_upgrade_find(r->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static inline kn_result make(realm *r, kn_entity_id producer, const char *name)
{
    return kn_product_enqueue(r->world, producer, product(r, name), NULL);
}

static inline kn_producer_state state_of(const realm *r, kn_entity_id producer)
{
    kn_producer_info info;
    assert_true(kn_producer_get_info(r->world, producer, &info));
    return info.state;
}

static inline realm *realm_of(kn_library *library)
{
    kn_grid_def grid = kn_grid_def_default();
    realm *r = calloc(1, sizeof(*r));
    assert_non_null(r);
    r->library = library;
    r->world = realm_world(library, false);
    grid.world = r->world;
    assert_int_equal(kn_grid_create(&grid, &r->grid), KN_OK);
    kn_world_set_space(r->world, kn_grid_space(r->grid));
    r->us = spawn(r, "Player", (kn_entity_id){0});
    r->them = spawn(r, "Player", (kn_entity_id){0});
    return r;
}

static inline void realm_free(realm *r)
{
    assert_true(kn_world_validate(r->world));
    kn_grid_destroy(r->grid);
    kn_world_destroy(r->world);
    kn_library_destroy(r->library);
    free(r);
}

static inline int realm_setup(void **state)
{
    *state = realm_of(realm_library(realm_text()));
    return 0;
}

static inline int realm_teardown(void **state)
{
    realm_free(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, realm_setup, realm_teardown)

#endif
