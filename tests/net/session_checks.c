// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Checksums of entities: a client that computes something else than the server finds out, and gets
// it right again.

#include "session_game.h"

#include "net/client.h"
#include "scenes/net_match.h"

typedef struct extra {
    kn_tag warded;
    kn_effect_type_id bolt, curse; // instant, and one that lasts
    kn_ability_type_id shoot, hex;
} extra;

// An ability that applies an effect to the target of its event, unless that is warded.
static bool attack_register(game *g, const char *name, kn_duration_kind kind, float amount,
    kn_effect_type_id *effect, kn_ability_type_id *ability)
{
    extra *e = g->extra;
    kn_modifier_def hurts = kn_modifier_constant(g->kit.health, KN_OP_ADD, amount);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = &hurts;
    def.modifier_count = 1;
    def.application.target.ignored = (kn_tags){&e->warded, 1};
    bool ok = kn_effect_register(g->kit.library, &def, effect, NULL) == KN_OK;
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = *effect;
    apply.to = KN_APPLY_TO_TARGET;
    kn_ability_def use = kn_ability_def_default();
    use.name = name;
    use.body = KN_BODY_USE;
    use.applies = &apply;
    use.apply_count = 1;
    return ok && kn_ability_register(g->kit.library, &use, ability, NULL) == KN_OK;
}

static bool more(game *g)
{
    extra *e = g->extra;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Warded";
    return kn_tag_register(g->kit.library, &tag, &e->warded, NULL) == KN_OK &&
           attack_register(g, "Bolt", KN_DURATION_INSTANT, -30.0f, &e->bolt, &e->shoot) &&
           attack_register(g, "Curse", KN_DURATION_INFINITE, -5.0f, &e->curse, &e->hex);
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->extra = calloc(1, sizeof(extra));
    assert_non_null(g->extra);
    game_create(g, more);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    game_destroy(g);
    free(g->extra);
    free(g);
    return 0;
}

static void begin(game *g, uint32_t checks)
{
    kn_server_def def = game_server_def(g);
    def.checks_per_second = checks;
    game_begin(g, &def);
}

// A game with a player and a foe that is warded, which the player cannot know.
static peer *begin_warded(game *g, uint32_t checks, kn_time latency, float loss, kn_entity_id *foe)
{
    const extra *e = g->extra;
    begin(g, checks);
    set_network(g, latency, loss);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    const kn_ability_type_id types[] = {e->shoot, e->hex};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        kn_ability_id ability;
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(g->world, p->hero, &grant, &ability), KN_OK);
    }
    assert_true(session_hero(&g->kit, g->world, 0, foe));
    assert_int_equal(kn_entity_add_tag(g->world, *foe, e->warded, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    run(g, KN_S(2));
    assert_float_equal(value_at(kn_client_world(p->client), *foe, g->kit.health), 1000.0f, 0.0f);
    return p;
}

static void attack(const peer *p, kn_ability_type_id type, kn_entity_id target)
{
    kn_command_activate payload = {.type = type, .event = {.target = target, .by_event = 1}};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = p->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
}

static void an_effect_that_the_server_refused_unseen_is_undone(void **state)
{
    game *g = *state;
    const extra *e = g->extra;
    kn_entity_id foe;
    const peer *p = begin_warded(g, 8, KN_MS(40), 0.0f, &foe);
    const kn_world *world = kn_client_world(p->client);
    const kn_ability_type_id types[] = {e->shoot, e->hex};
    for (uint32_t i = 0; i < 2; i++) {
        attack(p, types[i], foe);
        run(g, KN_MS(50));
        assert_true(value_at(world, foe, g->kit.health) < 1000.0f); // as predicted
        run(g, KN_MS(950));
        assert_int_equal(p->answers, i + 1);
        assert_int_equal(p->refused, 0); // the ability itself was carried out
        assert_float_equal(value_at(g->world, foe, g->kit.health), 1000.0f, 0.0f);
        assert_float_equal(value_at(world, foe, g->kit.health), 1000.0f, 0.0f);
        assert_int_equal(kn_effects_count(world, foe), 0);
        kn_client_stats stats = kn_client_get_stats(p->client);
        assert_int_equal(stats.mismatches, i + 1);
        assert_int_equal(stats.mismatched.index1, foe.index1);
        assert_int_equal(kn_server_get_stats(g->server, p->connection).resyncs, i + 1);
    }
    run(g, KN_S(10));
    assert_int_equal(kn_client_get_stats(p->client).mismatches, 2);
}

static void mistakes_are_repaired_on_a_line_that_loses_much(void **state)
{
    game *g = *state;
    const extra *e = g->extra;
    kn_entity_id foe;
    const peer *p = begin_warded(g, 8, KN_MS(60), 0.2f, &foe);
    for (uint32_t i = 0; i < 20; i++) {
        attack(p, i % 2 == 0 ? e->shoot : e->hex, foe);
        run(g, KN_MS(700));
    }
    run(g, KN_S(5));
    assert_int_equal(p->answers, 20);
    const kn_world *world = kn_client_world(p->client);
    assert_float_equal(value_at(world, foe, g->kit.health), 1000.0f, 0.0f);
    assert_int_equal(kn_effects_count(world, foe), 0);
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_in_range(stats.mismatches, 1, 25);
    assert_int_equal(stats.bad, 0);
}

// Without checks nobody notices: this is what they are for.
static void without_checks_the_mistake_stays(void **state)
{
    game *g = *state;
    const extra *e = g->extra;
    kn_entity_id foe;
    const peer *p = begin_warded(g, 0, KN_MS(40), 0.0f, &foe);
    attack(p, e->shoot, foe);
    run(g, KN_S(10));
    assert_float_equal(value_at(g->world, foe, g->kit.health), 1000.0f, 0.0f);
    assert_float_equal(value_at(kn_client_world(p->client), foe, g->kit.health), 970.0f, 0.0f);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).checks, 0);
    assert_int_equal(kn_client_get_stats(p->client).checks, 0);
}

// Changes the world of a client as it was confirmed, behind its back.
static void disturb(const game *g, const peer *p, kn_entity_id entity, float value)
{
    kn_client *client = p->client;
    kept_state *kept = &client->kept;
    assert_int_equal(kn_snapshot_restore(client->world, kept->data, kept->size), KN_OK);
    assert_int_equal(kn_attribute_set_base(client->world, entity, g->kit.health, 0, value), KN_OK);
    size_t size = kn_snapshot_size(client->world);
    if (size > kept->capacity) {
        kept->data = kn_memory_resize(&client->def.hooks, kept->data, kept->capacity, size);
        assert_non_null(kept->data);
        kept->capacity = size;
    }
    assert_int_equal(
        kn_snapshot_take(client->world, kept->data, kept->capacity, &kept->size), KN_OK);
    client->is_torn = true; // so that it simulates again
}

static void a_world_that_was_disturbed_is_repaired(void **state)
{
    game *g = *state;
    begin(g, 8);
    set_network(g, KN_MS(30), 0.0f);
    peer *p = add_client(g, 0, NULL), *q = add_client(g, 1, NULL);
    kn_entity_id things[10];
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(session_hero(&g->kit, g->world, 0, &things[i]));
        afflict(g, things[i], g->kit.ticking); // both sides compute it
    }
    run(g, KN_S(1));
    disturb(g, p, p->hero, 3.0f);
    disturb(g, p, things[2], 1.0f);
    disturb(g, p, things[9], 2.0f);
    run(g, KN_MS(10));
    assert_true(value_at(kn_client_world(p->client), things[9], g->kit.health) < 3.0f);
    run(g, KN_S(4)); // 13 of them, 8 in a second
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_int_equal(stats.mismatches, 3);
    assert_int_equal(stats.bad, 0);
    assert_int_equal(kn_client_get_stats(q->client).mismatches, 0);
    run(g, KN_MS(200));
    const kn_world *world = kn_client_world(p->client);
    assert_float_equal(value_at(world, p->hero, g->kit.health), 1000.0f, 0.0f);
    assert_float_equal(
        value_at(world, things[2], g->kit.health), value_at(world, things[3], g->kit.health), 0.0f);
    assert_float_equal(
        value_at(world, things[9], g->kit.health), value_at(world, things[3], g->kit.health), 0.0f);
}

static void checks_are_as_many_as_the_host_says(void **state)
{
    game *g = *state;
    kn_server_def def = game_server_def(g);
    def.checks_per_second = 1001;
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_server_create(&def, &g->server), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    begin(g, 8);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(3));
    uint64_t checks = kn_server_get_stats(g->server, p->connection).checks, bytes = p->bytes;
    run(g, KN_S(20));
    checks = kn_server_get_stats(g->server, p->connection).checks - checks;
    assert_in_range(checks, 150, 164);
    assert_true((p->bytes - bytes) / 20 < 200);
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_true(stats.checks > 150);
    assert_int_equal(stats.mismatches, 0);
    assert_int_equal(stats.resyncs, 0);
}

// What a hostile server says of checksums.
static void checks_write(
    kn_writer *out, const kn_client *client, uint32_t index, uint64_t ago, uint32_t count)
{
    kn_write_u8(out, 0); // not packed
    kni_write_number(out, client->confirmed + 1);
    kni_write_signed(out, INT32_MIN);
    kni_write_number(out, client->received);
    kni_write_number(out, 0);
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(out, index);
        kn_write_u8(out, WIRE_IS_CHECK);
        kni_write_number(out, ago);
        kn_write_u32(out, i);
    }
}

static void checksums_that_make_no_sense_cost_little(void **state)
{
    game *g = *state;
    begin(g, 0);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    kn_client *client = p->client;
    client_entity *hero = &client->entities[p->hero.index1];
    static uint8_t bytes[16384];
    for (uint32_t i = 0; i < 3; i++) { // unknown entities, unknown states, wrong sums
        uint32_t index = i == 0 ? 900 : p->hero.index1;
        uint64_t ago = i == 2 ? client->confirmed + 1 - hero->applied : 0;
        kn_writer out = {bytes, sizeof(bytes), 0};
        checks_write(&out, client, index, ago, 1000);
        kn_reader in = {.data = bytes, .size = out.length};
        assert_int_equal(kni_client_payload(client, &in, false), KN_OK);
        assert_int_equal(client->check_count, CLIENT_CHECKS);
        run(g, KN_MS(100));
        assert_int_equal(client->check_count, 0);
        assert_int_equal(client->stats.mismatches, i == 2);
        assert_int_equal(client->stats.bad, 0);
    }
    assert_int_equal(kn_server_get_stats(g->server, p->connection).resyncs, 1);
    static const uint8_t bad[][2] = {{WIRE_IS_CHECK | WIRE_HAS_BASE, 0}, {WIRE_IS_CHECK, 0xff}};
    for (uint32_t i = 0; i < 2; i++) {
        kn_writer out = {bytes, sizeof(bytes), 0};
        checks_write(&out, client, 1, 0, 0);
        kni_write_number(&out, p->hero.index1);
        kn_write_u8(&out, bad[i][0]);
        kni_write_number(&out, bad[i][1] != 0 ? UINT64_MAX : 0);
        kn_write_u32(&out, 5);
        kn_reader in = {.data = bytes, .size = out.length};
        assert_int_equal(kni_client_payload(client, &in, false), KN_OK);
        assert_int_equal(client->stats.bad, i + 1);
        assert_int_equal(client->check_count, 0);
    }
    run(g, KN_S(1));
    assert_float_equal(value_at(kn_client_world(client), p->hero, g->kit.health), 1000.0f, 0.0f);
}

// An entity that stays wrong whatever comes is not asked for all the time.
static void what_does_not_help_is_tried_less_and_less(void **state)
{
    game *g = *state;
    begin(g, 20);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 1000; i++) {
        disturb(g, p, p->hero, (float)(1 + i % 7));
        run(g, KN_MS(20));
    }
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_in_range(stats.mismatches, 2, 12);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).resyncs, stats.resyncs);
    run(g, KN_S(80));
    assert_float_equal(value_at(kn_client_world(p->client), p->hero, g->kit.health), 1000.0f, 0.0f);
}

// A client without memory for a check leaves it out.
static void a_check_without_memory_comes_another_time(void **state)
{
    game *g = *state;
    begin(g, 8);
    kn_client_def def = game_client_def(g);
    def.hooks = purse_hooks(&g->purse);
    peer *p = add_client(g, 0, &def);
    run(g, KN_S(1));
    kn_client *client = p->client;
    kn_memory_free(&client->def.hooks, client->take, client->take_capacity);
    client->take = NULL;
    client->take_capacity = 0;
    uint64_t before = client->stats.checks;
    disturb(g, p, p->hero, 1.0f);
    client_check check = {.tick = client->confirmed,
        .base = client->entities[p->hero.index1].applied,
        .index = p->hero.index1};
    client->checks[0] = check;
    client->check_count = 1;
    g->purse.left = 0;
    kni_checks_run(client);
    g->purse.left = UINT32_MAX;
    client->check_count = 0;
    assert_int_equal(client->stats.checks, before);
    assert_int_equal(client->stats.mismatches, 0);
    run(g, KN_S(2));
    assert_int_equal(client->stats.mismatches, 1);
    assert_float_equal(value_at(client->world, p->hero, g->kit.health), 1000.0f, 0.0f);
}

// The hero kit: a client that knows what it needs to know computes what the server does.
static void nothing_differs_in_a_match(void **state)
{
    (void)state;
    static const char *const names[] = {"lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 5; i++) {
        net_match_def def = net_match_def_default();
        def.player_count = 4;
        def.seed += i;
        def.server.checks_per_second = 200;
        assert_true(i == 0 || kn_net_conditions_find(names[i - 1], &def.network) == KN_OK);
        net_match *m;
        assert_int_equal(net_match_create(&def, &m), KN_OK);
        net_match_run(m, KN_S(20) / SHARE(8), FRAME, true);
        net_match_run(m, KN_S(5), FRAME, false);
        assert_int_equal(m->result, KN_OK);
        for (uint32_t j = 0; j < def.player_count; j++) {
            kn_client_stats stats = kn_client_get_stats(m->players[j].client);
            printf("%s: %u checks, %u mismatches, %u corrections\n",
                i > 0 ? names[i - 1] : "perfect", (unsigned)stats.checks,
                (unsigned)stats.mismatches, (unsigned)stats.corrections);
            assert_true(stats.checks > 300 / SHARE(8));
            assert_int_equal(stats.mismatches, 0);
        }
        net_match_destroy(m);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(an_effect_that_the_server_refused_unseen_is_undone),
    TEST(mistakes_are_repaired_on_a_line_that_loses_much),
    TEST(without_checks_the_mistake_stays),
    TEST(a_world_that_was_disturbed_is_repaired),
    TEST(checks_are_as_many_as_the_host_says),
    TEST(checksums_that_make_no_sense_cost_little),
    TEST(what_does_not_help_is_tried_less_and_less),
    TEST(a_check_without_memory_comes_another_time),
    cmocka_unit_test(nothing_differs_in_a_match),
};

TEST_GROUP(session_checks, tests, NULL, NULL);
