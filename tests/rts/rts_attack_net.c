// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attacks over a network: what clients see of weapons, cooldowns and projectiles.

#include "rts/rts_test.h"

#include "knack/rts_attack.h"

#include "net/carry.h"

#define PLAYERS 2 // the first one controls the archer
#define FRAME KN_MS(5)

typedef struct match {
    fixture f; // the server's
    kn_server *server;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    kn_net_sim *net;
    kn_time now;
    kn_rts_weapon_id bow;
    kn_entity_id archer, foe;
} match;

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        carry_frame(m->net, m->now, m->server, m->clients, m->connections, PLAYERS, NULL, m);
    }
}

static void content_add(match *m)
{
    kn_attribute_def health = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id body;
    kn_rts_attack_rules_def rules = kn_rts_attack_rules_def_default();
    kn_rts_weapon_def bow = kn_rts_weapon_def_default();
    kn_error error = {0};
    health.name = "Health";
    health.default_value = 100;
    set.name = "Body";
    set.attributes = &health;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(m->f.library, &set, &body, &error), KN_OK);
    rules.name = "Rules";
    rules.health = kn_attribute_find(m->f.library, "Body.Health");
    assert_int_equal(kn_rts_attack_rules_register(m->f.library, &rules, &error), KN_OK);
    bow.name = "Bow";
    bow.kind = KN_RTS_WEAPON_RANGED;
    bow.speed = 10;
    bow.windup = KN_S(1);
    bow.backswing = KN_S(1);
    assert_int_equal(kn_rts_weapon_register(m->f.library, &bow, &m->bow, &error), KN_OK);
}

static kn_entity_id fighter(match *m, kn_entity_id owner, float x)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(m->f.world, &entity), KN_OK);
    own(&m->f, entity, owner);
    place(&m->f, entity, x, 0);
    assert_int_equal(
        kn_attribute_set_add(m->f.world, entity, kn_attribute_set_find(m->f.library, "Body"), 0),
        KN_OK);
    assert_int_equal(
        kn_attribute_set_add(m->f.world, entity, kn_rts_attack_set(m->f.library), 0), KN_OK);
    assert_int_equal(kn_entity_add_tag(m->f.world, entity, kn_rts_tag(m->f.library, KN_RTS_ALIVE),
                         KN_TAG_ORIGIN_LOOSE_SYNCED, 1),
        KN_OK);
    return entity;
}

static void attribute_set(match *m, kn_rts_attack_attribute which, float value)
{
    const kn_attribute_id attribute = kn_rts_attack_get_attribute(m->f.library, which);
    assert_int_equal(kn_attribute_set_base(m->f.world, m->archer, attribute, 0, value), KN_OK);
}

static match *match_create(void)
{
    match *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    fixture_open(&m->f);
    content_add(m);
    library_finish(&m->f);
    kn_world_def world = kn_world_def_default();
    world.is_dedicated = true;
    world_begin_with(&m->f, world);
    m->archer = fighter(m, m->f.us, 0);
    m->foe = fighter(m, m->f.them, 20);
    attribute_set(m, KN_RTS_ATTACK_RANGE, 50);
    attribute_set(m, KN_RTS_ATTACK_DAMAGE, 30);
    attribute_set(m, KN_RTS_ATTACK_COOLDOWN, 10);
    assert_int_equal(kn_rts_weapon_add(m->f.world, m->archer, m->bow), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    kn_net_conditions conditions = {.latency = KN_MS(40)};
    assert_int_equal(kn_net_sim_set_all(m->net, &conditions), KN_OK);
    kn_server_def server = kn_server_def_default();
    server.world = m->f.world;
    assert_int_equal(kn_server_create(&server, &m->server), KN_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = m->f.library;
        assert_int_equal(kn_client_create(&client, &m->clients[i]), KN_OK);
        assert_int_equal(kn_server_open(m->server, m->now, &m->connections[i]), KN_OK);
    }
    assert_int_equal(kn_entity_set_connection(m->f.world, m->archer, m->connections[0]), KN_OK);
    match_run(m, KN_S(2));
    return m;
}

static void match_destroy(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(kn_world_validate(kn_client_world(m->clients[i])));
        kn_client_destroy(m->clients[i]);
    }
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    fixture_close(&m->f);
    free(m);
}

static kn_rts_weapon_info seen(const match *m, uint32_t client)
{
    kn_rts_weapon_info info = {0};
    assert_int_equal(kn_rts_weapons(kn_client_world(m->clients[client]), m->archer, &info, 1), 1);
    return info;
}

static kn_entity_id projectile_of(const kn_world *world, kn_rts_projectile_info *info)
{
    kn_entity_id found = {0};
    for (kn_entity_id e = kn_entity_next(world, found); e.index1 != 0;
         e = kn_entity_next(world, e)) {
        kn_rts_projectile_info each;
        if (kn_rts_projectile_get(world, e, &each)) {
            *info = each;
            found = e;
        }
    }
    return found;
}

// RTS-132, RTS-268: both clients see the phases of an attack, its cooldown, and the projectile on
// its way; what is the server's business stays there.
static void clients_see_attacks(void **state)
{
    match *m = match_create();
    kn_rts_projectile_info info = {0};
    (void)state;
    const kn_attribute_id health = kn_attribute_find(m->f.library, "Body.Health");
    assert_int_equal(kn_rts_attack(m->f.world, m->archer, m->foe), KN_OK);
    match_run(m, KN_MS(500));
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_rts_weapon_info weapon = seen(m, i);
        assert_int_equal(weapon.weapon.index1, m->bow.index1);
        assert_int_equal(weapon.phase, KN_RTS_ATTACK_WINDUP);
        assert_true(kn_entity_id_equal(weapon.target, m->foe));
        assert_int_equal(weapon.until - weapon.began, KN_S(1));
    }
    assert_true(seen(m, 0).remaining > KN_S(9)); // the owner has the effect
    match_run(m, KN_MS(1000));
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_world *world = kn_client_world(m->clients[i]);
        kn_vec3 at;
        assert_int_equal(seen(m, i).phase, KN_RTS_ATTACK_BACKSWING);
        const kn_entity_id shot = projectile_of(world, &info);
        assert_int_not_equal(shot.index1, 0);
        assert_true(kn_entity_id_equal(info.source, m->archer));
        assert_true(kn_entity_id_equal(info.target, m->foe));
        assert_int_equal(info.until - info.began, KN_S(2));
        assert_true(info.expected == 0.0f);
        assert_true(kn_rts_projectile_position(world, shot, &at));
        assert_true(at.x > 3 && at.x < 8);
        assert_true(kn_rts_pending_damage(world, m->foe) == 0.0f);
        assert_true(kn_attribute_value(world, m->foe, health) == 100);
    }
    assert_int_equal(projectile_of(m->f.world, &info).index1 != 0, 1);
    assert_true(info.expected == 30.0f);
    match_run(m, KN_MS(2000));
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_world *world = kn_client_world(m->clients[i]);
        assert_true(kn_attribute_value(world, m->foe, health) == 70);
        assert_int_equal(projectile_of(world, &info).index1, 0);
        assert_int_equal(seen(m, i).phase, KN_RTS_ATTACK_IDLE);
    }
    match_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clients_see_attacks),
};

TEST_GROUP(rts_attack_net, tests, NULL, NULL);
