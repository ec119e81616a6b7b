// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cues in sessions: what the players' machines show is what happened, each thing once, whoever
// computed it and whatever the network does. Every client plays what it reports with a cue player.

#include "net_test.h"

#include "knack/net.h"
#include "net/cue_wire.h"

#define PEERS 3
#define FRAME KN_MS(5)

enum { CUE_HIT, CUE_GUARD, CUE_BURN, CUE_BANG, CUE_KINDS };

static const char *const cue_names[CUE_KINDS] = {
    "GameplayCue.Hit", "GameplayCue.Guard", "GameplayCue.Burn", "GameplayCue.Bang"};

// What was shown, or happened, of one cue.
typedef struct counts {
    int32_t active, while_active, removed, executed, cancelled;
} counts;

// A payload.
typedef struct wound {
    uint32_t depth;
    float heat;
} wound;

typedef struct peer {
    kn_client *client;
    uint32_t connection;
    kn_entity_id hero;
    kn_cue_player *player;
    counts shown[CUE_KINDS];
    float last_magnitude[CUE_KINDS];
    kn_entity_id last_instigator[CUE_KINDS];
    uint32_t payloads, targets; // that came with cues
    wound last_payload;
    kn_entity_id last_target;
    uint32_t revoked, refused;
    int32_t heard[PEERS][CUE_KINDS]; // executed, by hero; those revoked are taken off
} peer;

typedef struct game {
    kn_library *library;
    kn_attribute_set_id set;
    kn_attribute_id health;
    kn_tag cues[CUE_KINDS], silenced;
    kn_effect_type_id hit, guard, burn, silence, both;
    kn_ability_type_id strike, parry;
    kn_context_type_id wound;
    kn_world *world;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    peer peers[PEERS];
    kn_entity_id unseen;
    counts happened[CUE_KINDS]; // on the server
    int32_t executed[PEERS][CUE_KINDS];
    uint64_t random;
} game;

// The kit -------------------------------------------------------------------

static kn_tag tag_of(game *g, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag;
    assert_int_equal(kn_tag_register(g->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_effect_type_id effect_of(game *g, const char *name, float seconds, int32_t cue)
{
    kn_modifier_def less = kn_modifier_constant(g->health, KN_OP_ADD, -2.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = seconds > 0.0f ? KN_DURATION_TIMED : KN_DURATION_INSTANT;
    def.duration = kn_magnitude_constant(seconds);
    def.modifiers = &less;
    def.modifier_count = cue >= 0;
    def.cue_tags = cue >= 0 ? (kn_tags){&g->cues[cue], 1} : (kn_tags){0};
    def.granted_tags = cue < 0 ? (kn_tags){&g->silenced, 1} : (kn_tags){0};
    if (cue == CUE_BURN) {
        def.is_periodic = true;
        def.period = kn_magnitude_constant(0.1f);
    }
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(g->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_ability_type_id ability_of(game *g, const char *name, kn_effect_type_id effect)
{
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = effect;
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.body = KN_BODY_USE;
    def.applies = &apply;
    def.apply_count = 1;
    def.activation.ignored = (kn_tags){&g->silenced, 1};
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(g->library, &def, &type, NULL), KN_OK);
    return type;
}

static void library_make(game *g)
{
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &g->library), KN_OK);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 100000.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = &health;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(g->library, &set, &g->set, NULL), KN_OK);
    g->health = kn_attribute_find(g->library, "Body.Health");
    for (uint32_t i = 0; i < CUE_KINDS; i++) {
        g->cues[i] = tag_of(g, cue_names[i]);
    }
    g->silenced = tag_of(g, "State.Silenced");
    g->hit = effect_of(g, "Hit", 0.0f, CUE_HIT);
    g->guard = effect_of(g, "Guard", 1.0f, CUE_GUARD);
    g->burn = effect_of(g, "Burn", 2.0f, CUE_BURN);
    g->silence = effect_of(g, "Silence", 0.5f, -1);
    assert_int_equal(
        kn_context_type_register(g->library, "Wound", sizeof(wound), &g->wound, NULL), KN_OK);
    kn_effect_def both = kn_effect_def_default(); // two cues
    both.name = "Both";
    const kn_tag two[] = {g->cues[CUE_HIT], g->cues[CUE_BANG]};
    both.cue_tags = (kn_tags){two, 2};
    assert_int_equal(kn_effect_register(g->library, &both, &g->both, NULL), KN_OK);
    g->strike = ability_of(g, "Strike", g->hit);
    g->parry = ability_of(g, "Parry", g->guard);
    assert_int_equal(kn_library_finish(g->library, NULL), KN_OK);
}

static kn_entity_id hero_make(game *g, uint32_t connection)
{
    kn_entity_id hero;
    assert_int_equal(kn_entity_create(g->world, &hero), KN_OK);
    assert_int_equal(kn_attribute_set_add(g->world, hero, g->set, 0), KN_OK);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    grant.type = g->strike;
    assert_int_equal(kn_ability_grant(g->world, hero, &grant, &ability), KN_OK);
    grant.type = g->parry;
    assert_int_equal(kn_ability_grant(g->world, hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_entity_set_connection(g->world, hero, connection), KN_OK);
    return hero;
}

// What is shown -------------------------------------------------------------

static uint32_t kind_of(const game *g, kn_tag tag)
{
    uint32_t kind = 0;
    while (kind < CUE_KINDS && g->cues[kind].index1 != tag.index1) {
        kind++;
    }
    assert_true(kind < CUE_KINDS);
    return kind;
}

static uint32_t hero_index(const game *g, kn_entity_id entity)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        if (kn_entity_id_equal(g->peers[i].hero, entity)) {
            return i;
        }
    }
    return UINT32_MAX;
}

typedef struct handler {
    peer *p;
    uint32_t kind;
} handler;

static handler handlers[PEERS][CUE_KINDS];

static counts *counts_of(const kn_cue_call *call)
{
    const handler *h = call->user;
    h->p->last_magnitude[h->kind] = call->params->magnitude;
    h->p->last_instigator[h->kind] = call->params->instigator;
    return &h->p->shown[h->kind];
}

static void on_active(const kn_cue_call *call)
{
    counts_of(call)->active++;
}

static void on_while_active(const kn_cue_call *call)
{
    counts_of(call)->while_active++;
}

static void on_removed(const kn_cue_call *call)
{
    const handler *h = call->user;
    h->p->shown[h->kind].removed++;
}

static void on_executed(const kn_cue_call *call)
{
    counts_of(call)->executed += (int32_t)call->count;
}

static void on_cancelled(const kn_cue_call *call)
{
    counts_of(call)->cancelled++;
}

static void player_make(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    kn_cue_player_def def = kn_cue_player_def_default();
    def.library = g->library;
    assert_int_equal(kn_cue_player_create(&def, &p->player), KN_OK);
    for (uint32_t i = 0; i < CUE_KINDS; i++) {
        handlers[index][i] = (handler){p, i};
        kn_cue_handler_def handles = kn_cue_handler_def_default();
        handles.tag = g->cues[i];
        handles.kind = KN_CUE_INSTANCED;
        handles.active = on_active;
        handles.while_active = on_while_active;
        handles.removed = on_removed;
        handles.executed = on_executed;
        handles.cancelled = on_cancelled;
        handles.user = &handlers[index][i];
        assert_int_equal(kn_cue_handler_add(p->player, &handles), KN_OK);
    }
}

// What happens on the server.
static void cue_happened(void *user, kn_world *world, const kn_event *event)
{
    game *g = user;
    (void)world;
    uint32_t kind = kind_of(g, event->data.cue.tag), hero = hero_index(g, event->entity);
    counts *c = &g->happened[kind];
    c->active += event->data.cue.action == KN_CUE_ADDED;
    c->removed += event->data.cue.action == KN_CUE_REMOVED;
    c->executed += event->data.cue.action == KN_CUE_EXECUTED;
    if (hero != UINT32_MAX && event->data.cue.action == KN_CUE_EXECUTED) {
        g->executed[hero][kind]++;
    }
}

// Turns ---------------------------------------------------------------------

static bool sees_all_but_one(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const game *g = user;
    (void)world;
    (void)connection;
    return !kn_entity_id_equal(entity, g->unseen);
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->random = 5;
    library_make(g);
    kn_world_def world = kn_world_def_default();
    world.library = g->library;
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    kn_server_def def = kn_server_def_default();
    def.world = g->world;
    def.is_relevant = sees_all_but_one;
    def.user = g;
    assert_int_equal(kn_server_create(&def, &g->server), KN_OK);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_CUE;
    listener.function = cue_happened;
    listener.user = g;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(g->world, &listener, &id), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    net.seed = 3;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < PEERS; i++) {
        kn_cue_player_destroy(g->peers[i].player);
        kn_client_destroy(g->peers[i].client);
    }
    kn_server_destroy(g->server);
    kn_world_destroy(g->world);
    kn_library_destroy(g->library);
    kn_net_sim_destroy(g->net);
    free(g);
    return 0;
}

static void set_network(game *g, kn_time latency, kn_time jitter, float loss)
{
    kn_net_conditions conditions = {.latency = latency, .jitter = jitter, .loss = loss};
    assert_int_equal(kn_net_sim_set_all(g->net, &conditions), KN_OK);
}

static peer *add_client(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    kn_client_def def = kn_client_def_default();
    def.library = g->library;
    assert_int_equal(kn_client_create(&def, &p->client), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &p->connection), KN_OK);
    player_make(g, index);
    return p;
}

static void server_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(g->net, g->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(g->server, g->now, g->peers[from - 1].connection, buffer, size);
    }
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
        for (uint32_t i = 0; i < PEERS && event.kind == KN_SERVER_JOINED; i++) {
            if (g->peers[i].connection == event.connection) {
                g->peers[i].hero = hero_make(g, event.connection);
            }
        }
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        while (
            g->peers[i].client != NULL && kn_server_write(g->server, g->now, g->peers[i].connection,
                                              buffer, sizeof(buffer), &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i + 1, buffer, size), KN_OK);
        }
    }
}

// The loop that docs/cues.md shows.
static void cues_play(game *g, peer *p)
{
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        kn_world *world = kn_client_world(p->client);
        bool is_cue = event.event.type == KN_EVENT_CUE;
        if (event.kind == KN_CLIENT_HAPPENED && is_cue) {
            kn_cue_player_play(p->player, world, &event.event, event.cue, event.is_found);
        } else if (event.kind == KN_CLIENT_REVOKED && is_cue) {
            kn_cue_player_revoke(p->player, world, &event.event, event.cue);
        }
        p->refused += event.kind == KN_CLIENT_ANSWER && event.result != KN_OK;
        if (is_cue && event.cue != NULL && event.cue->payload != NULL) {
            assert_int_equal(event.cue->payload_type.index1, g->wound.index1);
            memcpy(&p->last_payload, event.cue->payload, sizeof(p->last_payload));
            p->payloads++;
        }
        if (is_cue && event.cue != NULL) {
            p->targets += kn_target_entities(event.cue->targets, &p->last_target, 1) > 0;
        }
        if (is_cue && event.event.data.cue.action == KN_CUE_EXECUTED) {
            uint32_t hero = hero_index(g, event.event.entity);
            assert_true(hero < PEERS);
            bool is_revoked = event.kind == KN_CLIENT_REVOKED;
            p->heard[hero][kind_of(g, event.event.data.cue.tag)] += is_revoked ? -1 : 1;
            p->revoked += is_revoked;
        }
    }
}

static void client_turn(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    uint8_t buffer[2048];
    size_t size;
    if (p->client == NULL) {
        return;
    }
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        assert_int_equal(kn_client_receive(p->client, g->now, buffer, size), KN_OK);
    }
    assert_int_equal(kn_client_update(p->client, g->now), KN_OK);
    cues_play(g, p);
    while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, index + 1, 0, buffer, size), KN_OK);
    }
}

static void run(game *g, kn_time time)
{
    for (kn_time end = g->now + time; g->now < end; g->now += FRAME) {
        server_turn(g);
        for (uint32_t i = 0; i < PEERS; i++) {
            client_turn(g, i);
        }
    }
}

static void use(game *g, uint32_t index, kn_ability_type_id type)
{
    kn_command_activate payload = {.type = type};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g->peers[index].hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_client_command(g->peers[index].client, &command, NULL, NULL), KN_OK);
}

static kn_effect_id apply(game *g, kn_effect_type_id type, kn_entity_id source, uint32_t target)
{
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(g->world, type, source, g->peers[target].hero, 3.0f, &effect),
        KN_OK);
    return effect;
}

static void expect(const peer *p, uint32_t kind, counts wanted)
{
    const counts *c = &p->shown[kind];
    assert_int_equal(c->active, wanted.active);
    assert_int_equal(c->while_active, wanted.while_active);
    assert_int_equal(c->removed, wanted.removed);
    assert_int_equal(c->executed - c->cancelled, wanted.executed);
}

// Tests ---------------------------------------------------------------------

// TVA-040, CUE-047, CUE-048; PRED-025: the server's copy is skipped where it was predicted.
static void a_predicted_burst_plays_once_on_every_machine(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(40), KN_MS(100), 0.1f);
    for (uint32_t i = 0; i < PEERS; i++) {
        add_client(g, i);
    }
    run(g, KN_S(3));
    for (uint32_t i = 0; i < 20; i++) {
        use(g, 0, g->strike);
        run(g, KN_MS(130));
    }
    run(g, KN_S(2));
    for (uint32_t i = 0; i < PEERS; i++) {
        expect(&g->peers[i], CUE_HIT, (counts){.executed = 20});
        assert_true(g->peers[i].last_magnitude[CUE_HIT] == -2.0f);
        assert_true(kn_entity_id_equal(g->peers[i].last_instigator[CUE_HIT], g->peers[0].hero));
    }
    assert_int_equal(g->peers[0].shown[CUE_HIT].cancelled, 0);
}

// TVA-041: confirmed
static void a_predicted_cue_that_lasts_is_not_removed_when_it_is_confirmed(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(80), 0, 0.0f);
    peer *p = add_client(g, 0);
    add_client(g, 1);
    run(g, KN_S(1));
    use(g, 0, g->parry);
    run(g, KN_MS(700));
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1});
    expect(&g->peers[1], CUE_GUARD, (counts){.active = 1, .while_active = 1});
    run(g, KN_S(1));
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1, .removed = 1});
    expect(&g->peers[1], CUE_GUARD, (counts){.active = 1, .while_active = 1, .removed = 1});
}

// TVA-041: rejected; PRED-045 for bursts; PRED-025: what lasts is undone, and what happened once is
// called off, not played again.
static void what_a_rejected_prediction_showed_is_taken_back(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(100), 0, 0.0f);
    peer *p = add_client(g, 0);
    add_client(g, 1);
    run(g, KN_S(1));
    apply(g, g->silence, (kn_entity_id){0}, 0); // the client does not know it yet
    use(g, 0, g->parry);
    use(g, 0, g->strike);
    run(g, KN_MS(50));
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1});
    expect(p, CUE_HIT, (counts){.executed = 1});
    run(g, KN_MS(400));
    assert_int_equal(p->refused, 2);
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1, .removed = 1});
    expect(p, CUE_HIT, (counts){.executed = 0});
    assert_int_equal(p->shown[CUE_HIT].cancelled, 1);
    expect(&g->peers[1], CUE_GUARD, (counts){0});
    expect(&g->peers[1], CUE_HIT, (counts){0});
}

// TVA-048
static void who_joins_late_finds_a_cue_active(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(30), 0, 0.0f);
    add_client(g, 0);
    run(g, KN_S(1));
    kn_effect_id burn = apply(g, g->burn, g->peers[0].hero, 0);
    run(g, KN_MS(200));
    peer *late = add_client(g, 1);
    run(g, KN_MS(800));
    assert_int_equal(late->shown[CUE_BURN].active, 0);
    assert_int_equal(late->shown[CUE_BURN].while_active, 1);
    assert_int_equal(late->shown[CUE_BURN].removed, 0);
    assert_true(late->shown[CUE_BURN].executed > 0);
    assert_int_equal(kn_effect_remove(g->world, burn, 0, KN_REMOVED_BY_CALL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(late->shown[CUE_BURN].active, 0);
    assert_int_equal(late->shown[CUE_BURN].while_active, 1);
    assert_int_equal(late->shown[CUE_BURN].removed, 1);
}

// TVA-049, CUE-040
static void a_cue_is_found_again_each_time_its_entity_comes_into_sight(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(30), 0, 0.0f);
    add_client(g, 0);
    peer *p = add_client(g, 1);
    run(g, KN_S(1));
    assert_int_equal(kn_cue_add(g->world, g->peers[0].hero, g->cues[CUE_GUARD], NULL), KN_OK);
    run(g, KN_MS(500));
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1});
    for (int32_t i = 1; i <= 2; i++) {
        g->unseen = g->peers[0].hero;
        run(g, KN_S(1));
        expect(p, CUE_GUARD, (counts){.active = 1, .while_active = i, .removed = i});
        g->unseen = (kn_entity_id){0};
        run(g, KN_S(1));
        expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 1 + i, .removed = i});
    }
    assert_int_equal(kn_cue_remove(g->world, g->peers[0].hero, g->cues[CUE_GUARD]), KN_OK);
    run(g, KN_MS(500));
    expect(p, CUE_GUARD, (counts){.active = 1, .while_active = 3, .removed = 3});
}

// TVE-130, REP-006, REP-012: owner 0, observer 1
static void every_mode_shows_the_cues(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(30), KN_MS(20), 0.05f);
    add_client(g, 0);
    add_client(g, 1);
    run(g, KN_S(1));
    for (uint32_t mode = 0; mode < KN_SYNC_MODE_COUNT; mode++) {
        kn_entity_id hero = g->peers[0].hero;
        assert_int_equal(kn_server_set_mode(g->server, hero, (kn_sync_mode)mode), KN_OK);
        run(g, KN_S(1));
        memset(g->happened, 0, sizeof(g->happened));
        for (uint32_t i = 0; i < 2; i++) {
            memset(g->peers[i].shown, 0, sizeof(g->peers[i].shown));
        }
        kn_effect_id burn = apply(g, g->burn, g->peers[1].hero, 0);
        run(g, KN_MS(550));
        for (uint32_t i = 0; i < 2; i++) {
            bool has_effect = mode == KN_SYNC_MODE_FULL || (mode == KN_SYNC_MODE_MIXED && i == 0);
            kn_world *world = kn_client_world(g->peers[i].client);
            assert_int_equal(kn_effects_count(world, hero), has_effect);
            assert_int_equal(kn_cue_count(world, hero, g->cues[CUE_BURN]), 1);
        }
        assert_int_equal(kn_effect_remove(g->world, burn, 0, KN_REMOVED_BY_CALL), KN_OK);
        run(g, KN_S(1));
        assert_true(g->happened[CUE_BURN].executed >= 5);
        for (uint32_t i = 0; i < 2; i++) {
            expect(&g->peers[i], CUE_BURN,
                (counts){.active = 1,
                    .while_active = 1,
                    .removed = 1,
                    .executed = g->happened[CUE_BURN].executed});
            assert_true(g->peers[i].last_magnitude[CUE_BURN] == -2.0f);
            assert_true(
                kn_entity_id_equal(g->peers[i].last_instigator[CUE_BURN], g->peers[1].hero));
        }
    }
}

// REP-009: the cues of an effect travel together, whatever is lost.
static void all_cues_of_an_effect_come_at_once(void **state)
{
    game *g = *state;
    add_client(g, 0);
    peer *p = add_client(g, 1);
    run(g, KN_S(1));
    set_network(g, KN_MS(30), KN_MS(50), 0.4f);
    for (uint32_t i = 0; i < 30; i++) {
        (void)apply(g, g->both, g->peers[1].hero, 0);
        for (uint32_t j = 0; j < 20; j++) {
            run(g, FRAME);
            assert_int_equal(p->shown[CUE_HIT].executed, p->shown[CUE_BANG].executed);
        }
    }
    run(g, KN_S(2));
    expect(p, CUE_HIT, (counts){.executed = 30});
    expect(p, CUE_BANG, (counts){.executed = 30});
}

// TVA-051, in which we do more: cues that last are state, and those that happened once are sent
// until they arrive. So an owner and others miss nothing although all datagrams were lost
// meanwhile.
static void what_nobody_heard_of_is_shown_later(void **state)
{
    game *g = *state;
    peer *owner = add_client(g, 0), *other = add_client(g, 1);
    run(g, KN_S(1));
    set_network(g, KN_MS(30), 0, 1.0f);
    (void)apply(g, g->guard, g->peers[1].hero, 0); // lasts a second
    assert_int_equal(kn_cue_add(g->world, owner->hero, g->cues[CUE_BURN], NULL), KN_OK);
    assert_int_equal(kn_cue_execute(g->world, owner->hero, g->cues[CUE_BANG], NULL), KN_OK);
    run(g, KN_MS(300));
    expect(owner, CUE_GUARD, (counts){0});
    expect(owner, CUE_BANG, (counts){0});
    set_network(g, KN_MS(30), 0, 0.0f);
    run(g, KN_MS(300));
    peer *const all[] = {owner, other};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(all[i]->shown[CUE_GUARD].while_active, 1);
        assert_int_equal(all[i]->shown[CUE_BURN].while_active, 1);
        assert_int_equal(all[i]->shown[CUE_BANG].executed, 1);
    }
    assert_int_equal(kn_cue_remove(g->world, owner->hero, g->cues[CUE_BURN]), KN_OK);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(all[i]->shown[CUE_GUARD].while_active, 1);
        assert_int_equal(all[i]->shown[CUE_GUARD].removed, 1);
        assert_int_equal(all[i]->shown[CUE_BURN].removed, 1);
        assert_int_equal(all[i]->shown[CUE_BANG].executed, 1);
    }
}

static kn_result target_entity_add(const game *g, kn_target_data *targets, kn_entity_id entity)
{
    kn_target_entity record = {.entity = entity};
    return kn_target_add(g->library, targets, kn_target_type_entity(), &record);
}

static void bang(game *g, uint32_t hero, const wound *payload, kn_entity_id target)
{
    kn_cue_params params = kn_cue_params_default();
    kn_target_data targets = {0};
    params.payload_type = g->wound;
    params.payload = payload;
    if (target.index1 != 0) {
        assert_int_equal(target_entity_add(g, &targets, target), KN_OK);
        params.targets = kn_target_data_view(&targets);
    }
    assert_int_equal(
        kn_cue_execute(g->world, g->peers[hero].hero, g->cues[CUE_BANG], &params), KN_OK);
}

// What only the server knows of comes with its payload and target data; those who do not see a
// target get no target data.
static void a_burst_of_the_server_has_its_payload_and_targets(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(40), KN_MS(30), 0.2f);
    peer *owner = add_client(g, 0), *other = add_client(g, 1), *third = add_client(g, 2);
    run(g, KN_S(2));
    const wound deep = {7, 2.5f};
    bang(g, 0, &deep, third->hero);
    run(g, KN_S(1));
    peer *const all[] = {owner, other, third};
    for (uint32_t i = 0; i < 3; i++) {
        expect(all[i], CUE_BANG, (counts){.executed = 1});
        assert_int_equal(all[i]->payloads, 1);
        assert_int_equal(all[i]->last_payload.depth, 7);
        assert_true(all[i]->last_payload.heat == 2.5f);
        assert_int_equal(all[i]->targets, 1);
        assert_true(kn_entity_id_equal(all[i]->last_target, third->hero));
    }
    kn_entity_id secret;
    assert_int_equal(kn_entity_create(g->world, &secret), KN_OK);
    g->unseen = secret;
    bang(g, 0, &deep, secret);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 3; i++) {
        expect(all[i], CUE_BANG, (counts){.executed = 2});
        assert_int_equal(all[i]->payloads, 2);
        assert_int_equal(all[i]->targets, 1);
    }
}

// One random thing that happens on the server, or that a player does.
static void something(game *g, kn_effect_id *burns)
{
    uint32_t target = any_below(&g->random, PEERS), source = any_below(&g->random, PEERS);
    switch (any_below(&g->random, 7)) {
    case 0:
        apply(g, g->hit, g->peers[source].hero, target);
        break;
    case 1:
        burns[target] = apply(g, g->burn, g->peers[source].hero, target);
        break;
    case 2:
        (void)kn_effect_remove(g->world, burns[target], 0, KN_REMOVED_BY_CALL);
        break;
    case 3:
        assert_int_equal(
            kn_cue_execute(g->world, g->peers[target].hero, g->cues[CUE_BANG], NULL), KN_OK);
        break;
    case 4:
        apply(g, g->silence, (kn_entity_id){0}, target);
        break;
    case 5:
        use(g, source, g->strike);
        break;
    default:
        use(g, source, g->parry);
        break;
    }
}

// CUE-040..048, 10 % loss and 100 ms of jitter: predicted, confirmed, rejected and remote ones
static void nothing_plays_twice_and_nothing_is_lost(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(50), KN_MS(100), 0.1f);
    for (uint32_t i = 0; i < PEERS; i++) {
        add_client(g, i);
    }
    run(g, KN_S(3));
    kn_effect_id burns[PEERS] = {0};
    for (uint32_t i = 0; i < 600; i++) {
        something(g, burns);
        run(g, KN_MS(50));
    }
    run(g, KN_S(5));
    uint32_t revoked = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        const peer *p = &g->peers[i];
        for (uint32_t k = 0; k < CUE_KINDS; k++) {
            for (uint32_t h = 0; h < PEERS; h++) {
                assert_int_equal(p->heard[h][k], g->executed[h][k]);
            }
            const counts *c = &p->shown[k];
            assert_int_equal(c->executed - c->cancelled, g->happened[k].executed);
            assert_int_equal(c->while_active, c->removed); // all is over
            assert_true(c->active <= c->while_active);
        }
        assert_int_equal(kn_cue_player_stats(p->player).instances, 0);
        assert_int_equal(kn_cue_player_stats(p->player).mismatched, 0);
        revoked += p->revoked;
    }
    assert_true(revoked > 10); // mistakes were made, and taken back
    assert_true(g->happened[CUE_BURN].executed > 200);
}

// Bytes that are not a cue are refused, and a cue comes back as it went.
static bool sees_everything(const void *user, kn_entity_id entity)
{
    (void)user;
    (void)entity;
    return true;
}

static void a_cue_travels_with_its_numbers(void **state)
{
    const game *g = *state;
    wire_cue cue = {.tick = 900, .tag = g->cues[CUE_HIT], .type = g->hit};
    cue.params = kn_cue_params_default();
    cue.params.instigator = (kn_entity_id){7, 3};
    cue.params.causer = (kn_entity_id){300, 1};
    cue.params.magnitude = -12.5f;
    cue.params.change = -10.0f;
    cue.params.normalised = 0.25f;
    cue.params.effect_level = 2.0f;
    cue.params.ability_level = 4.0f;
    cue.params.stacks = 5;
    cue.params.source_object = UINT64_MAX;
    cue.params.has_location = cue.params.has_normal = true;
    cue.params.location = (kn_vec3){1.0f, 2.0f, 3.0f};
    cue.params.normal = (kn_vec3){0.0f, 0.0f, 1.0f};
    uint8_t bytes[128];
    kn_writer out = {bytes, sizeof(bytes), 0};
    const cue_viewer viewer = {g->library, sees_everything, NULL};
    const kn_hooks hooks = {0};
    const wound deep = {3, 1.5f};
    kn_target_data targets = {0};
    assert_int_equal(target_entity_add(g, &targets, (kn_entity_id){9, 4}), KN_OK);
    kn_cue_params more = kn_cue_params_default();
    more.payload_type = g->wound;
    more.payload = &deep;
    more.targets = kn_target_data_view(&targets);
    cue.more = kni_params_keep(&hooks, g->library, &more);
    assert_non_null(cue.more);
    kni_cue_write(&out, &cue, 1000, &viewer);
    kni_cues_drop(&cue, 1);
    kn_reader in = {.data = bytes, .size = out.length};
    wire_cue back;
    assert_int_equal(kni_cue_read(&hooks, &in, g->library, 1000, &back), KN_OK);
    assert_false(in.failed);
    assert_int_equal(in.at, out.length);
    assert_int_equal(back.tick, 900);
    assert_int_equal(back.tag.index1, cue.tag.index1);
    assert_int_equal(back.type.index1, cue.type.index1);
    assert_int_equal(back.params.instigator.index1, 7);
    assert_int_equal(back.params.causer.index1, 300);
    assert_true(back.params.magnitude == -12.5f && back.params.change == -10.0f);
    assert_true(back.params.normalised == 0.25f && back.params.effect_level == 2.0f);
    assert_true(back.params.ability_level == 4.0f && back.params.stacks == 5);
    assert_true(back.params.source_object == UINT64_MAX);
    assert_true(back.params.location.y == 2.0f && back.params.normal.z == 1.0f);
    assert_non_null(back.more);
    assert_memory_equal(back.more->params.payload, &deep, sizeof(deep));
    kn_entity_id target;
    assert_int_equal(kn_target_entities(back.more->params.targets, &target, 1), 1);
    assert_true(kn_entity_id_equal(target, (kn_entity_id){9, 4}));
    kni_cues_drop(&back, 1);
    for (size_t size = 0; size < out.length; size++) {
        kn_reader part = {.data = bytes, .size = size};
        assert_int_equal(kni_cue_read(&hooks, &part, g->library, 1000, &back), KN_OK);
        assert_true(part.failed);
        assert_null(back.more);
    }
    uint64_t random = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        for (uint32_t j = 0; j < 24; j++) {
            bytes[j] = (uint8_t)any_below(&random, i % 2 == 0 ? 256 : 8);
        }
        kn_reader any = {.data = bytes, .size = 24};
        wire_cue read;
        assert_int_equal(kni_cue_read(&hooks, &any, g->library, 1000, &read), KN_OK);
        kni_cues_drop(&read, 1);
        assert_true(any.failed || (read.tag.index1 <= kn_tag_count(g->library) &&
                                      read.tick <= 1000 && read.tick + CUE_SPAN >= 1000));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_predicted_burst_plays_once_on_every_machine, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_predicted_cue_that_lasts_is_not_removed_when_it_is_confirmed, setup, teardown),
    cmocka_unit_test_setup_teardown(
        what_a_rejected_prediction_showed_is_taken_back, setup, teardown),
    cmocka_unit_test_setup_teardown(who_joins_late_finds_a_cue_active, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_cue_is_found_again_each_time_its_entity_comes_into_sight, setup, teardown),
    cmocka_unit_test_setup_teardown(every_mode_shows_the_cues, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_burst_of_the_server_has_its_payload_and_targets, setup, teardown),
    cmocka_unit_test_setup_teardown(all_cues_of_an_effect_come_at_once, setup, teardown),
    cmocka_unit_test_setup_teardown(what_nobody_heard_of_is_shown_later, setup, teardown),
    cmocka_unit_test_setup_teardown(nothing_plays_twice_and_nothing_is_lost, setup, teardown),
    cmocka_unit_test_setup_teardown(a_cue_travels_with_its_numbers, setup, teardown),
};

TEST_GROUP(session_cues, tests, NULL, NULL);
