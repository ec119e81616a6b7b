// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items over a network: what clients see of them, what they publish, and what they may ask for.

#include "rts/item_test.h"

#include "knack/rts_team.h"

#include "net/carry.h"

#define OWNER 0
#define OBSERVER 1
#define PLAYERS 2
#define FRAME KN_MS(5)
#define SETTLED KN_MS(500)
#define NOBODY ((kn_entity_id){0})

typedef struct match {
    items i; // the server's
    kn_server *server;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    kn_net_sim *net;
    kn_time now;
    kn_entity_id hero, rival, shop;
    char seen[PLAYERS][512]; // what happened to the hero
    kn_result answer;        // of the last command
} match;

static void client_note(void *user, uint32_t i, const kn_client_event *event)
{
    match *m = user;
    const kn_event *e = &event->event;
    const size_t length = strlen(m->seen[i]);
    if (event->kind == KN_CLIENT_ANSWER) {
        m->answer = event->result;
    }
    if (event->kind == KN_CLIENT_HAPPENED && e->type == KN_EVENT_CUSTOM &&
        kn_entity_id_equal(e->entity, m->hero)) {
        const char *name = kn_custom_event_name(m->i.f.library, e->data.custom.kind);
        (void)snprintf(m->seen[i] + length, sizeof(m->seen[i]) - length, "%s%s",
            length > 0 ? " " : "", name + strlen("Knack.Rts"));
    }
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        carry_frame(m->net, m->now, m->server, m->clients, m->connections, PLAYERS, client_note, m);
    }
}

static match *match_create_with(bool is_public, kn_server_relevant_fn *is_relevant)
{
    match *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    items *i = &m->i;
    items_library(i);
    items_types(i);
    i->pack_def = kn_rts_inventory_def_default();
    i->pack_def.is_public = is_public;
    items_pack(i);
    items_hero(i);
    items_shop(i);
    library_finish(&i->f);
    kn_world_def world = kn_world_def_default();
    world.is_dedicated = true;
    world_begin_with(&i->f, world);
    m->hero = hero_at(i, i->f.us, 0);
    m->rival = hero_at(i, i->f.them, 1);
    assert_int_equal(kn_entity_create(i->f.world, &m->shop), KN_OK);
    place(&i->f, m->shop, 2, 0);
    assert_int_equal(kn_rts_shop_add(i->f.world, m->shop, i->market), KN_OK);
    assert_int_equal(kn_attribute_set_add(i->f.world, i->f.us, i->stock, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(i->f.world, i->f.us, i->gold, 0, 120), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    kn_net_conditions conditions = {.latency = KN_MS(40)};
    assert_int_equal(kn_net_sim_set_all(m->net, &conditions), KN_OK);
    kn_server_def server = kn_server_def_default();
    server.world = i->f.world;
    server.is_relevant = is_relevant;
    assert_int_equal(kn_server_create(&server, &m->server), KN_OK);
    for (uint32_t k = 0; k < PLAYERS; k++) {
        kn_client_def client = kn_client_def_default();
        client.library = i->f.library;
        assert_int_equal(kn_client_create(&client, &m->clients[k]), KN_OK);
        assert_int_equal(kn_server_open(m->server, m->now, &m->connections[k]), KN_OK);
    }
    assert_int_equal(kn_entity_set_connection(i->f.world, m->hero, m->connections[OWNER]), KN_OK);
    assert_int_equal(
        kn_entity_set_connection(i->f.world, m->rival, m->connections[OBSERVER]), KN_OK);
    match_run(m, KN_S(2));
    return m;
}

static match *match_create(bool is_public)
{
    return match_create_with(is_public, NULL);
}

static void match_destroy(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(kn_world_validate(kn_client_world(m->clients[i])));
        kn_client_destroy(m->clients[i]);
    }
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    fixture_close(&m->i.f);
    free(m);
}

// RTS-006, RTS-268: the list of abilities from items reaches everybody, the slots only their owner.
static void clients_see_what_they_may(void **state)
{
    match *m = match_create(false);
    items *i = &m->i;
    kn_rts_item_info info;
    kn_rts_item_answer answer;
    (void)state;
    const kn_entity_id sword = item_for(i, i->sword, m->hero), wand = item_at(i, i->wand, 1);
    match_run(m, SETTLED);
    const kn_world *own = kn_client_world(m->clients[OWNER]);
    const kn_world *other = kn_client_world(m->clients[OBSERVER]);
    assert_string_equal(m->seen[OWNER], "ItemGained");
    assert_string_equal(m->seen[OBSERVER], "");
    assert_int_equal(kn_rts_items(own, m->hero, NULL, 0), 1);
    assert_true(kn_entity_id_equal(kn_rts_slot_item(own, m->hero, 0), sword));
    assert_int_equal(kn_rts_items(other, m->hero, NULL, 0), 0);
    for (uint32_t k = 0; k < PLAYERS; k++) {
        kn_rts_item_ability list[2];
        const kn_world *world = kn_client_world(m->clients[k]);
        assert_int_equal(kn_rts_item_ability_list(world, m->hero, list, 2), 1);
        assert_int_equal(list[0].ability.index1, i->slash.index1);
        assert_true(kn_rts_item_get_info(world, wand, &info) && info.is_placed);
        assert_true(kn_entity_has_tag(world, wand, kn_rts_tag(i->f.library, KN_RTS_IS_ITEM)));
        assert_true(kn_attribute_value(world, m->hero, i->damage) == 10);
    }
    assert_true(kn_rts_can_pick_up(own, m->hero, wand, &answer));
    kn_world *mine = kn_client_world(m->clients[OWNER]);
    assert_int_equal(kn_rts_pick_up(mine, m->hero, wand), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_drop_item(mine, sword, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_buy(mine, m->shop, m->hero, 1, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_use_item(mine, sword, NOBODY, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_inventory_remove(mine, m->hero), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_item_create(mine, i->sword, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_shop_remove(mine, m->shop), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_add_item_ability(mine, m->hero, i->power, NULL), KN_REFUSED_BLOCKED);
    assert_true(kn_entity_destroy(i->f.world, sword));
    m->seen[OWNER][0] = 0;
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "ItemLost");
    assert_int_equal(kn_rts_item_ability_list(other, m->hero, NULL, 0), 0);
    match_destroy(m);
}

// RTS-268: what a client saw of an inventory is lost when the inventory is gone, or another's.
static void clients_lose_what_they_see_no_longer(void **state)
{
    match *m = match_create(false);
    items *i = &m->i;
    const kn_component_type_id seen = kn_component_find(i->f.library, "Knack.RtsItemsSeen");
    (void)state;
    (void)item_for(i, i->sword, m->hero);
    (void)item_for(i, i->wand, m->hero);
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "ItemGained ItemGained");
    m->seen[OWNER][0] = 0;
    assert_int_equal(kn_rts_inventory_remove(i->f.world, m->hero), KN_OK);
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "ItemLost ItemLost");
    assert_null(kn_component_read(kn_client_world(m->clients[OWNER]), seen, m->hero));
    // To another player.
    assert_int_equal(kn_rts_inventory_add(i->f.world, m->hero, i->pack), KN_OK);
    match_run(m, SETTLED);
    (void)item_for(i, i->sword, m->hero);
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "ItemLost ItemLost ItemGained");
    m->seen[OWNER][0] = 0;
    m->seen[OBSERVER][0] = 0;
    assert_int_equal(
        kn_entity_set_connection(i->f.world, m->hero, m->connections[OBSERVER]), KN_OK);
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "ItemLost");
    assert_string_equal(m->seen[OBSERVER], ""); // it begins with what is there
    assert_null(kn_component_read(kn_client_world(m->clients[OWNER]), seen, m->hero));
    assert_int_equal(kn_rts_items(kn_client_world(m->clients[OBSERVER]), m->hero, NULL, 0), 1);
    assert_int_equal(kn_rts_items(kn_client_world(m->clients[OWNER]), m->hero, NULL, 0), 0);
    match_destroy(m);
}

static void public_inventories_are_seen_by_all(void **state)
{
    match *m = match_create(true);
    (void)state;
    (void)item_for(&m->i, m->i.sword, m->hero);
    match_run(m, SETTLED);
    const kn_world *other = kn_client_world(m->clients[OBSERVER]);
    assert_int_equal(kn_rts_items(other, m->hero, NULL, 0), 1);
    assert_int_equal(kn_rts_count_items(other, m->hero, m->i.sword), 1);
    assert_string_equal(m->seen[OBSERVER], "ItemGained");
    match_destroy(m);
}

static bool knows(const match *m, uint32_t client, kn_entity_id item)
{
    return kn_entity_is_alive(kn_client_world(m->clients[client]), item);
}

// A server that asks kn_rts_item_relevance() keeps what is in private inventories from others: what
// is created there at once, what is picked up from its next look on, until it is dropped.
static void servers_keep_private_items_from_others(void **state)
{
    match *m = match_create_with(false, kn_rts_item_relevance);
    items *i = &m->i;
    (void)state;
    const kn_entity_id sword = item_for(i, i->sword, m->hero), wand = item_at(i, i->wand, 1);
    const kn_entity_id theirs = item_for(i, i->sword, m->rival);
    match_run(m, SETTLED);
    assert_true(knows(m, OWNER, sword) && !knows(m, OBSERVER, sword));
    assert_true(!knows(m, OWNER, theirs) && knows(m, OBSERVER, theirs));
    assert_true(knows(m, OWNER, wand) && knows(m, OBSERVER, wand));
    const kn_world *other = kn_client_world(m->clients[OBSERVER]); // says the same as the server
    assert_true(kn_rts_item_relevance(NULL, other, m->connections[OBSERVER], theirs));
    assert_false(kn_rts_item_relevance(NULL, other, m->connections[OWNER], theirs));
    assert_true(knows(m, OBSERVER, m->hero) && knows(m, OBSERVER, m->shop));
    assert_int_equal(kn_rts_pick_up(i->f.world, m->hero, wand), KN_OK);
    assert_int_equal(kn_rts_drop_item(i->f.world, sword, NULL), KN_OK);
    match_run(m, SETTLED);
    assert_true(knows(m, OWNER, wand) && !knows(m, OBSERVER, wand));
    assert_true(knows(m, OWNER, sword) && knows(m, OBSERVER, sword));
    // The unit passes to the other player, by way of its owner.
    assert_int_equal(kn_entity_set_connection(i->f.world, m->hero, 0), KN_OK);
    assert_int_equal(kn_entity_set_owner(i->f.world, m->hero, i->f.them), KN_OK);
    assert_int_equal(
        kn_entity_set_connection(i->f.world, i->f.them, m->connections[OBSERVER]), KN_OK);
    match_run(m, SETTLED);
    assert_true(!knows(m, OWNER, wand) && knows(m, OBSERVER, wand));
    // Nobody controls it.
    assert_int_equal(kn_entity_set_connection(i->f.world, i->f.them, 0), KN_OK);
    match_run(m, SETTLED);
    assert_true(!knows(m, OWNER, wand) && !knows(m, OBSERVER, wand));
    match_destroy(m);
}

static void servers_send_items_of_public_inventories_to_all(void **state)
{
    match *m = match_create_with(true, kn_rts_item_relevance);
    (void)state;
    const kn_entity_id sword = item_for(&m->i, m->i.sword, m->hero);
    match_run(m, SETTLED);
    assert_true(knows(m, OWNER, sword) && knows(m, OBSERVER, sword));
    assert_true(kn_rts_item_relevance(NULL, m->i.f.world, 77, sword));
    assert_true(kn_rts_item_relevance(NULL, m->i.f.world, 77, (kn_entity_id){0}));
    match_destroy(m);
}

// With vision, an item is seen with its holder, and only where the inventory allows it.
static void vision_covers_what_units_carry(void **state)
{
    (void)state;
    for (uint32_t is_public = 0; is_public < 2; is_public++) {
        items i = {0};
        kn_error error = {0};
        items_library(&i);
        items_types(&i);
        i.pack_def = kn_rts_inventory_def_default();
        i.pack_def.is_public = is_public != 0;
        items_pack(&i);
        items_hero(&i);
        kn_rts_team_rules_def rules = kn_rts_team_rules_def_default();
        rules.name = "Teams";
        rules.default_sight = 5;
        assert_int_equal(kn_rts_team_rules_register(i.f.library, &rules, &error), KN_OK);
        world_begin(&i.f);
        assert_int_equal(kn_rts_player_add(i.f.world, i.f.us), KN_OK);
        assert_int_equal(kn_rts_player_add(i.f.world, i.f.them), KN_OK);
        assert_int_equal(kn_entity_set_connection(i.f.world, i.f.us, 1), KN_OK);
        assert_int_equal(kn_entity_set_connection(i.f.world, i.f.them, 2), KN_OK);
        (void)hero_at(&i, i.f.us, 0);
        const kn_entity_id rival = hero_at(&i, i.f.them, 3);
        const kn_entity_id sword = item_for(&i, i.sword, rival), wand = item_at(&i, i.wand, 100);
        for (uint32_t k = 0; k < 100; k++) {
            step_ms(&i.f, 20);
        }
        assert_true(kn_rts_vision_relevance(NULL, i.f.world, 1, rival));
        assert_true(kn_rts_vision_relevance(NULL, i.f.world, 1, sword) == (is_public != 0));
        assert_true(kn_rts_vision_relevance(NULL, i.f.world, 2, sword));
        assert_true(kn_rts_vision_relevance(NULL, i.f.world, 1, wand));
        place(&i.f, rival, 50, 0);
        for (uint32_t k = 0; k < 100; k++) {
            step_ms(&i.f, 20);
        }
        assert_false(kn_rts_vision_relevance(NULL, i.f.world, 1, rival));
        assert_false(kn_rts_vision_relevance(NULL, i.f.world, 1, sword));
        assert_true(kn_rts_vision_relevance(NULL, i.f.world, 2, sword));
        fixture_close(&i.f);
    }
}

static void ask(match *m, uint32_t client, kn_entity_id unit, kn_rts_item_command payload)
{
    const kn_command command = {.type = kn_command_find(m->i.f.library, "rts_item"),
        .entity = unit,
        .payload = &payload,
        .size = sizeof(payload)};
    m->answer = KN_OK;
    assert_int_equal(kn_client_command(m->clients[client], &command, NULL, NULL), KN_OK);
    match_run(m, SETTLED);
}

// RTS-271: clients ask by a command; the server decides, for units that they control.
static void clients_ask_and_the_server_decides(void **state)
{
    match *m = match_create(false);
    items *i = &m->i;
    (void)state;
    const kn_entity_id wand = item_at(i, i->wand, 1);
    match_run(m, SETTLED);
    // Somebody else's unit, and somebody else's item.
    ask(m, OBSERVER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_PICK_UP, .item = wand});
    assert_int_equal(info_of(i, wand).holder.index1, 0);
    ask(m, OWNER, m->hero, (kn_rts_item_command){.action = KN_RTS_ITEM_DO_PICK_UP, .item = wand});
    assert_int_equal(m->answer, KN_OK);
    assert_true(kn_entity_id_equal(info_of(i, wand).holder, m->hero));
    ask(m, OBSERVER, m->rival, (kn_rts_item_command){.action = KN_RTS_ITEM_DO_DROP, .item = wand});
    assert_int_equal(m->answer, KN_REFUSED_NOT_FOUND);
    assert_true(kn_entity_id_equal(info_of(i, wand).holder, m->hero));
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_USE, .item = wand, .target = m->rival});
    assert_int_equal(m->answer, KN_OK);
    assert_true(value_of(i, m->rival, i->health) == -20);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_USE, .item = wand, .target = m->rival});
    assert_int_equal(m->answer, KN_REFUSED_COOLDOWN);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_MOVE, .item = wand, .number = 4});
    assert_int_equal(info_of(i, wand).slot, 4);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_BUY, .target = m->shop, .number = 1});
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_BUY, .target = m->shop, .number = 1});
    assert_int_equal(m->answer, KN_OK);
    const kn_entity_id potion = kn_rts_carried_item(i->f.world, m->hero, i->potion);
    assert_int_equal(info_of(i, potion).charges, 2);
    assert_true(kn_attribute_base(i->f.world, i->f.us, i->gold) == 20);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_BUY, .target = m->shop, .number = 1});
    assert_int_equal(m->answer, KN_REFUSED_COST);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_SPLIT, .item = potion, .number = 1});
    assert_int_equal(kn_rts_items(i->f.world, m->hero, NULL, 0), 3);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_SELL, .item = potion, .target = m->shop});
    assert_true(kn_attribute_base(i->f.world, i->f.us, i->gold) == 45);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_HAND, .item = wand, .target = m->rival});
    assert_int_equal(m->answer, KN_REFUSED_EXCLUSIVE);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){
            .action = KN_RTS_ITEM_DO_DROP, .item = wand, .location = {1, 1, 0}, .has_location = 1});
    assert_true(info_of(i, wand).is_placed && info_of(i, wand).location.y == 1);
    // Nonsense.
    const kn_entity_id last = kn_rts_slot_item(i->f.world, m->hero, 2);
    ask(m, OWNER, m->hero, (kn_rts_item_command){.action = 77, .item = last});
    assert_int_not_equal(m->answer, KN_OK);
    ask(m, OWNER, m->hero,
        (kn_rts_item_command){.action = KN_RTS_ITEM_DO_MOVE, .item = last, .number = UINT32_MAX});
    assert_int_equal(m->answer, KN_REFUSED_NOT_FOUND);
    match_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clients_see_what_they_may),
    cmocka_unit_test(clients_lose_what_they_see_no_longer),
    cmocka_unit_test(public_inventories_are_seen_by_all),
    cmocka_unit_test(servers_keep_private_items_from_others),
    cmocka_unit_test(servers_send_items_of_public_inventories_to_all),
    cmocka_unit_test(vision_covers_what_units_carry),
    cmocka_unit_test(clients_ask_and_the_server_decides),
};

TEST_GROUP(rts_items_net, tests, NULL, NULL);
