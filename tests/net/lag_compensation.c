// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lag compensation: a target that only the server moves, and players who shoot at where they see
// it. What is shown, and when.

#include "net_test.h"

#include "knack/net.h"

#include <math.h>

#define FRAME KN_MS(5)
#define PLAYERS 2
#define SPEED 10.0f // units per second
#define SHOTS_MAX 256

// What a shot hit, as a component of its player: clients predict it.
typedef struct score {
    uint32_t shots, hits;
} score;

typedef struct shot {
    float x, radius;
} shot;

// What the server did with a shot.
typedef struct shot_log {
    kn_time view, now;
    bool is_hit;
} shot_log;

typedef struct player {
    kn_client *client;
    kn_grid *grid;
    kn_history *history; // of what it shows
    bool looks_back;     // it has one
    uint32_t connection;
    kn_entity_id hero;
    kn_time sent; // the last datagram
    kn_time views[SHOTS_MAX];
    uint32_t shots;
    uint32_t revoked;
} player;

typedef struct game {
    kn_library *library;
    kn_component_type_id body, scores;
    kn_command_type_id shoot;
    kn_effect_type_id cast;
    kn_world *world;
    kn_grid *grid;
    kn_history *history;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    kn_entity_id target;
    player players[PLAYERS];
    shot_log log[SHOTS_MAX];
    uint32_t logged;
    uint32_t predicted; // hits of the first player, when they were carried out there
    uint32_t predicted_sequence;
} game;

// The game ------------------------------------------------------------------

static kn_result shot_run(void *user, kn_world *world, const kn_command *command)
{
    game *g = user;
    shot s;
    memcpy(&s, command->payload, sizeof(s));
    kn_sphere sphere = {{s.x, 0.0f, 0.0f}, s.radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.ignore = command->entity;
    bool is_hit = kn_space_sphere(kn_world_space(world), world, &sphere, &filter, NULL, 0) > 0;
    score *own = kn_component_add(world, g->scores, command->entity);
    own->shots++;
    own->hits += is_hit;
    if (world == kn_client_world(g->players[0].client) &&
        command->sequence > g->predicted_sequence) { // for the first time
        g->predicted_sequence = command->sequence;
        g->predicted += is_hit;
    }
    if (world == g->world && g->logged < SHOTS_MAX) {
        g->log[g->logged++] = (shot_log){command->view, kn_world_now(world), is_hit};
    }
    return KN_OK;
}

static void library_new(game *g)
{
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &g->library), KN_OK);
    assert_int_equal(kn_grid_register(g->library, &g->body, NULL), KN_OK);
    assert_int_equal(kn_history_register(g->library, NULL), KN_OK);
    const kn_field fields[] = {
        KN_FIELD(score, shots, KN_FIELD_U32), KN_FIELD(score, hits, KN_FIELD_U32)};
    kn_component_def component = kn_component_def_default();
    component.name = "Score";
    component.size = sizeof(score);
    component.fields = fields;
    component.field_count = 2;
    assert_int_equal(kn_component_register(g->library, &component, &g->scores, NULL), KN_OK);
    const kn_field payload[] = {
        KN_FIELD(shot, x, KN_FIELD_F32), KN_FIELD(shot, radius, KN_FIELD_F32)};
    kn_command_def command = kn_command_def_default();
    command.name = "Shoot";
    command.size = sizeof(shot);
    command.fields = payload;
    command.field_count = 2;
    command.function = shot_run;
    command.user = g;
    assert_int_equal(kn_command_register(g->library, &command, &g->shoot, NULL), KN_OK);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Cast";
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(1.5f);
    assert_int_equal(kn_effect_register(g->library, &effect, &g->cast, NULL), KN_OK);
    assert_int_equal(kn_library_finish(g->library, NULL), KN_OK);
}

static kn_grid *grid_new(kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    kn_grid *grid;
    assert_int_equal(kn_grid_create(&def, &grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(grid));
    return grid;
}

static kn_entity_id body_new(game *g, float x)
{
    kn_entity_id id;
    assert_int_equal(kn_entity_create(g->world, &id), KN_OK);
    kn_body body = kn_body_default();
    body.position.x = x;
    assert_int_equal(kn_grid_set_body(g->grid, id, &body), KN_OK);
    return id;
}

static bool client_source(
    void *user, const kn_world *world, kn_entity_id entity, kn_time time, kn_body *body)
{
    const player *p = user;
    (void)world;
    return kn_client_body_at(p->client, entity, time, body);
}

static void client_setup(void *user, kn_world *world)
{
    player *p = user;
    p->grid = grid_new(world);
    if (p->looks_back) {
        kn_history_def def = kn_history_def_default();
        def.grid = p->grid;
        def.source = client_source;
        def.user = p;
        assert_int_equal(kn_history_create(&def, &p->history), KN_OK);
    }
}

static kn_server_def server_def(const game *g)
{
    kn_server_def def = kn_server_def_default();
    def.world = g->world;
    return def;
}

static void game_world(game *g)
{
    library_new(g);
    kn_world_def def = kn_world_def_default();
    def.library = g->library;
    def.start = KN_MS(7); // times of the world are not those of ticks
    assert_int_equal(kn_world_create(&def, &g->world), KN_OK);
    g->grid = grid_new(g->world);
    kn_history_def history = kn_history_def_default();
    history.grid = g->grid;
    assert_int_equal(kn_history_create(&history, &g->history), KN_OK);
    g->target = body_new(g, 0.0f);
}

static void game_begin(
    game *g, const kn_server_def *def, const kn_net_conditions *conditions, kn_client_view view)
{
    kn_server_def server = def != NULL ? *def : server_def(g);
    assert_int_equal(kn_server_create(&server, &g->server), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    net.seed = 3;
    net.conditions = *conditions;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = g->library;
        client.view = view;
        client.setup = client_setup;
        client.user = &g->players[i];
        assert_int_equal(kn_client_create(&client, &g->players[i].client), KN_OK);
        assert_int_equal(kn_server_open(g->server, 0, &g->players[i].connection), KN_OK);
    }
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    game_world(g);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_destroy(g->players[i].client);
        kn_history_destroy(g->players[i].history);
        kn_grid_destroy(g->players[i].grid);
    }
    kn_server_destroy(g->server);
    kn_history_destroy(g->history);
    kn_world_destroy(g->world);
    kn_grid_destroy(g->grid);
    kn_library_destroy(g->library);
    kn_net_sim_destroy(g->net);
    kn_assert_set_handler(NULL);
    free(g);
    return 0;
}

// Turns ---------------------------------------------------------------------

static void server_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(g->net, g->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(g->server, g->now, g->players[from - 1].connection, buffer, size);
    }
    kn_vec3 at = {SPEED * (float)g->now / 1000000.0f, 0.0f, 0.0f};
    assert_int_equal(kn_grid_move(g->grid, g->target, at), KN_OK);
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
        for (uint32_t i = 0; i < PLAYERS && event.kind == KN_SERVER_JOINED; i++) {
            if (g->players[i].connection == event.connection) {
                g->players[i].hero = body_new(g, -100.0f);
                assert_int_equal(
                    kn_entity_set_connection(g->world, g->players[i].hero, event.connection),
                    KN_OK);
            }
        }
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        while (kn_server_write(g->server, g->now, g->players[i].connection, buffer, sizeof(buffer),
                   &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i + 1, buffer, size), KN_OK);
        }
    }
}

static void client_turn(game *g, uint32_t index)
{
    player *p = &g->players[index];
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(p->client, g->now, buffer, size);
    }
    assert_int_equal(kn_client_update(p->client, g->now), KN_OK);
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        p->revoked += event.kind == KN_CLIENT_REVOKED;
    }
    while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, index + 1, 0, buffer, size), KN_OK);
        p->sent = g->now;
    }
}

static void frame(game *g)
{
    g->now += FRAME;
    server_turn(g);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        client_turn(g, i);
    }
}

static void run(game *g, kn_time time)
{
    for (kn_time end = g->now + time; g->now < end;) {
        frame(g);
    }
}

// Shoots at where the target is shown; the view is what the client says, or the one given.
static void shoot(game *g, player *p, float radius, kn_time view)
{
    kn_body body;
    assert_true(kn_client_view_body(p->client, g->target, &body));
    shot s = {body.position.x, radius};
    kn_command command = {
        .type = g->shoot, .entity = p->hero, .payload = &s, .size = sizeof(s), .view = view};
    p->views[p->shots++] = view != 0 ? view : kn_client_view_time(p->client);
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
}

static score score_in(const game *g, const kn_world *world, const player *p)
{
    const score *own = kn_component_read(world, g->scores, p->hero);
    return own != NULL ? *own : (score){0};
}

static kn_server_stats stats_of(const game *g, const player *p)
{
    return kn_server_get_stats(g->server, p->connection);
}

// Fifty shots, ten per second.
static void volley(game *g, player *p, float radius)
{
    for (uint32_t i = 0; i < 50; i++) {
        run(g, KN_MS(85) + FRAME * (i % 7));
        shoot(g, p, radius, 0);
    }
    run(g, KN_S(1));
    assert_int_equal(g->logged, 50);
}

// What I aim at is what I hit -----------------------------------------------

// The target has no size, and neither has the shot.
static void confirmed_shots_hit(game *g, kn_time latency, kn_time least, kn_time most)
{
    kn_net_conditions line = {.latency = latency};
    kn_server_def def = server_def(g);
    def.rewind_max = KN_MS(300);
    game_begin(g, &def, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    volley(g, p, 0.0f);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(g->log[i].is_hit);
        assert_int_equal(g->log[i].view, p->views[i]); // to the microsecond
        assert_in_range(g->log[i].now - g->log[i].view, least, most);
    }
    kn_server_stats stats = stats_of(g, p);
    assert_int_equal(stats.views, 50);
    assert_int_equal(stats.views_old + stats.views_far + stats.views_future, 0);
    // The client predicted the same.
    assert_int_equal(score_in(g, kn_client_world(p->client), p).hits, 50);
    assert_int_equal(score_in(g, g->world, p).hits, 50);
    assert_int_equal(p->revoked, 0);
}

static void a_shot_hits_without_latency(void **state)
{
    confirmed_shots_hit(*state, 0, KN_MS(10), KN_MS(70));
}

static void a_shot_hits_at_100_ms(void **state)
{
    confirmed_shots_hit(*state, KN_MS(50), KN_MS(100), KN_MS(170));
}

static void a_shot_hits_at_200_ms(void **state)
{
    confirmed_shots_hit(*state, KN_MS(100), KN_MS(200), KN_MS(270));
}

static void without_a_view_the_same_shots_miss(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50)};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_PREDICTED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    volley(g, p, 0.9f); // it is a unit further on after 100 ms
    assert_int_equal(score_in(g, g->world, p).hits, 0);
    assert_int_equal(stats_of(g, p).views, 0);
}

static void a_shot_at_what_is_shown_later_and_smoothly_hits(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50), .jitter = KN_MS(10), .loss = 0.02f};
    kn_server_def def = server_def(g);
    def.rewind_max = KN_MS(400);
    g->players[0].looks_back = true;
    game_begin(g, &def, &line, KN_CLIENT_VIEW_DELAYED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    // The server moves it every 5 ms and notes it every 16.7 ms: the line is off by up to 0.05.
    volley(g, p, 0.06f);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(g->log[i].is_hit);
        assert_int_equal(g->log[i].view, p->views[i]);
        assert_in_range(g->log[i].now - g->log[i].view, KN_MS(190), KN_MS(330));
    }
    kn_server_stats stats = stats_of(g, p);
    assert_int_equal(stats.views, 50);
    assert_int_equal(stats.views_old + stats.views_far + stats.views_future, 0);
    assert_int_equal(score_in(g, kn_client_world(p->client), p).hits, 50);
    assert_int_equal(g->predicted, 50); // each of them at once
}

// Nobody chooses a better past ----------------------------------------------

// The oldest view that the server accepts from a command that arrives at this time.
static kn_time oldest(const game *g, const kn_server_def *def, const player *p, kn_time arrival)
{
    kn_net_link_stats link = stats_of(g, p).link;
    kn_time tick = 1000000 / def->rate;
    return KN_MS(7) + arrival - FRAME - link.round_trip - 2 * link.deviation -
           (def->send_every + 2) * tick - def->view_delay - def->rewind_tolerance;
}

static void a_view_older_than_the_line_allows_is_cut(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(20)};
    kn_server_def def = server_def(g);
    def.rewind_max = KN_S(1);
    def.view_delay = 0;
    game_begin(g, &def, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(5));
    player *p = &g->players[0];
    shoot(g, p, 0.0f, 1); // the beginning of time
    kn_time issued = g->now;
    p->sent = 0;
    while (p->sent <= issued) {
        frame(g);
    }
    kn_time arrival = p->sent + KN_MS(20);
    while (g->now < arrival - FRAME) {
        frame(g);
    }
    kn_time least = oldest(g, &def, p, arrival);
    frame(g);
    kn_time most = oldest(g, &def, p, arrival); // a round trip may have been measured with it
    run(g, KN_MS(200));
    assert_int_equal(g->logged, 1);
    assert_true(g->log[0].view == least || g->log[0].view == most);
    kn_server_stats stats = stats_of(g, p);
    assert_int_equal(stats.views_old, 1);
    assert_int_equal(stats.views_far, 0);
    assert_int_equal(stats.rewound, g->log[0].now - g->log[0].view);
    // Round trip, two ticks between sends and two to look at them, tolerance, and its early
    // arrival.
    kn_time allowed = KN_MS(40) + 4 * 16666 + KN_MS(25);
    assert_in_range(stats.rewound, allowed - 16666, allowed + KN_MS(20));
}

static void a_client_that_lies_gains_the_tolerance_at_most(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50)};
    kn_server_def def = server_def(g);
    def.rewind_max = KN_S(1);
    def.view_delay = 0;
    game_begin(g, &def, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(5));
    player *honest = &g->players[0], *liar = &g->players[1];
    kn_time gain = 0;
    for (uint32_t i = 0; i < 50; i++) {
        run(g, KN_MS(85) + FRAME * (i % 7));
        g->logged = 0;
        shoot(g, honest, 0.0f, 0);
        shoot(g, liar, 0.0f, 1);
        run(g, KN_MS(250));
        assert_int_equal(g->logged, 2); // the lower connection comes first
        kn_time more = g->log[0].view - g->log[1].view;
        gain = more > gain ? more : gain;
    }
    kn_net_link_stats link = stats_of(g, liar).link;
    assert_in_range(gain, 1, def.rewind_tolerance + 4 * 16667 + 2 * link.deviation + FRAME);
    assert_int_equal(stats_of(g, honest).views_old, 0);
    assert_int_equal(stats_of(g, liar).views_old, 50);
}

static void a_view_beyond_the_limit_is_cut_to_it(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50)};
    kn_server_def def = server_def(g);
    def.rewind_max = KN_MS(60);
    game_begin(g, &def, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    volley(g, p, 0.0f);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(g->log[i].now - g->log[i].view, KN_MS(60));
    }
    assert_int_equal(stats_of(g, p).views_far, 50);
    assert_int_equal(stats_of(g, p).views_old, 0);
    assert_int_equal(score_in(g, g->world, p).hits, 0);
}

static void a_view_of_the_future_is_the_present(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50)};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    shoot(g, p, 0.0f, kn_world_now(g->world) + KN_S(1));
    shoot(g, p, 0.0f, KN_TIME_MAX);
    run(g, KN_MS(500));
    assert_int_equal(g->logged, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(g->log[i].view, 0);
        assert_false(g->log[i].is_hit);
    }
    assert_int_equal(stats_of(g, p).views_future, 2);
    assert_int_equal(stats_of(g, p).views, 0);
    kn_command command = {.type = g->shoot, .entity = p->hero, .view = -1};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_ERROR_BAD_DATA);
}

static void a_server_may_refuse_to_look_back(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(50)};
    kn_server_def def = server_def(g);
    def.rewind_max = 0;
    game_begin(g, &def, &line, KN_CLIENT_VIEW_CONFIRMED);
    run(g, KN_S(3));
    volley(g, &g->players[0], 0.0f);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(g->log[i].view, 0);
        assert_false(g->log[i].is_hit);
    }
}

static void limits_out_of_range_are_refused(void **state)
{
    game *g = *state;
    kn_assert_set_handler(ignore_assert);
    const kn_time bad[][3] = {{-1, 0, 0}, {KN_S(1) + 1, 0, 0}, {0, -1, 0}, {0, KN_S(10) + 1, 0},
        {0, 0, -1}, {0, 0, KN_S(1) + 1}};
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        kn_server_def def = server_def(g);
        def.view_delay = bad[i][0];
        def.rewind_max = bad[i][1];
        def.rewind_tolerance = bad[i][2];
        kn_server *server;
        assert_int_equal(kn_server_create(&def, &server), KN_ERROR_INVALID_ARGUMENT);
    }
    kn_client_def def = kn_client_def_default();
    def.library = g->library;
    def.view = KN_CLIENT_VIEW_COUNT;
    kn_client *client;
    assert_int_equal(kn_client_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_client_render_time(NULL), 0);
    assert_int_equal(kn_client_view_time(NULL), 0);
    assert_true(kn_client_render_fraction(NULL) == 0.0f);
}

// What is shown, and when ---------------------------------------------------

// Times go on like the clock, an eighth faster or slower at most, whatever the line does.
static void what_is_shown_goes_on_smoothly(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(40), .jitter = KN_MS(20), .loss = 0.05f};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_DELAYED);
    player *p = &g->players[0];
    assert_int_equal(kn_client_render_time(p->client), 0);
    run(g, KN_S(3));
    kn_time render = kn_client_render_time(p->client), view = kn_client_view_time(p->client);
    kn_body before;
    assert_true(kn_client_view_body(p->client, g->target, &before));
    for (uint32_t i = 0; i < 2000; i++) {
        if (i == 1000) { // the line gets much worse: the client has to run ahead further
            line.latency = KN_MS(90);
            assert_int_equal(kn_net_sim_set_all(g->net, &line), KN_OK);
        }
        frame(g);
        kn_time tick = KN_MS(7) + (kn_time)(kn_client_tick(p->client) * 1000000 / 60);
        kn_time passed = kn_client_render_time(p->client) - render;
        assert_in_range(passed, 0, FRAME + FRAME / 8);
        render += passed;
        assert_in_range(render, tick - KN_MS(50), tick);
        float fraction = kn_client_render_fraction(p->client);
        assert_true(fraction >= 0.0f && fraction <= 1.0f);
        passed = kn_client_view_time(p->client) - view;
        assert_in_range(passed, 0, FRAME + FRAME / 8);
        view += passed;
        kn_body body;
        assert_true(kn_client_view_body(p->client, g->target, &body));
        float way = body.position.x - before.position.x;
        assert_true(way >= 0.0f && way <= SPEED * 0.005f * 2.0f); // it is moved every 5 ms
        before = body;
    }
    // The own body is where it is predicted to be, and one that is not there is not shown.
    kn_body body;
    assert_true(kn_client_view_body(p->client, p->hero, &body));
    assert_true(body.position.x == -100.0f);
    assert_false(kn_client_view_body(p->client, (kn_entity_id){900, 1}, &body));
}

static void in_quiet_the_time_to_show_is_between_the_last_two_ticks(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(30)};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_PREDICTED);
    run(g, KN_S(5));
    player *p = &g->players[0];
    uint32_t smooth = 0;
    kn_time before = kn_client_render_time(p->client);
    for (uint32_t i = 0; i < 400; i++) {
        frame(g);
        uint64_t tick = kn_client_tick(p->client);
        kn_time to = KN_MS(7) + (kn_time)(tick * 1000000 / 60);
        kn_time from = KN_MS(7) + (kn_time)((tick - 1) * 1000000 / 60);
        kn_time render = kn_client_render_time(p->client);
        assert_in_range(render, from, to);
        float expected = (float)((double)(render - from) / (double)(to - from));
        assert_true(fabsf(kn_client_render_fraction(p->client) - expected) < 1e-6f);
        assert_int_equal(kn_client_view_time(p->client), to);
        smooth += render - before > FRAME * 19 / 20 && render - before < FRAME * 21 / 20;
        before = render;
    }
    assert_true(smooth > 390);
}

static void after_a_pause_what_is_shown_jumps_ahead_and_never_back(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(30)};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_DELAYED);
    run(g, KN_S(3));
    player *p = &g->players[0];
    kn_time render = kn_client_render_time(p->client), view = kn_client_view_time(p->client);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 400; j++) { // the process of the client sleeps
            g->now += FRAME;
            server_turn(g);
        }
        for (uint32_t j = 0; j < 200; j++) {
            frame(g);
            assert_true(kn_client_render_time(p->client) >= render);
            assert_true(kn_client_view_time(p->client) >= view);
            render = kn_client_render_time(p->client);
            view = kn_client_view_time(p->client);
        }
        assert_true(kn_world_now(g->world) - view < KN_MS(300));
    }
}

static void the_cast_of_another_player_began_when_it_began(void **state)
{
    game *g = *state;
    kn_net_conditions line = {.latency = KN_MS(100)};
    game_begin(g, NULL, &line, KN_CLIENT_VIEW_PREDICTED);
    run(g, KN_S(3));
    kn_effect_id cast;
    kn_entity_id caster = g->players[1].hero;
    assert_int_equal(kn_effect_apply_simple(g->world, g->cast, caster, caster, 1.0f, &cast), KN_OK);
    kn_time begun = kn_world_now(g->world);
    run(g, KN_MS(400));
    kn_world *seen = kn_client_world(g->players[0].client);
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id shown;
    assert_int_equal(kn_effects_find(seen, caster, &query, &shown, 1), 1);
    kn_effect_info info;
    assert_true(kn_effect_get(seen, shown, &info));
    assert_int_equal(info.start, begun);
    kn_time left = begun + KN_MS(1500) - kn_world_now(seen);
    assert_int_equal(kn_effect_remaining(seen, shown), left);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_shot_hits_without_latency),
    TEST(a_shot_hits_at_100_ms),
    TEST(a_shot_hits_at_200_ms),
    TEST(without_a_view_the_same_shots_miss),
    TEST(a_shot_at_what_is_shown_later_and_smoothly_hits),
    TEST(a_view_older_than_the_line_allows_is_cut),
    TEST(a_client_that_lies_gains_the_tolerance_at_most),
    TEST(a_view_beyond_the_limit_is_cut_to_it),
    TEST(a_view_of_the_future_is_the_present),
    TEST(a_server_may_refuse_to_look_back),
    TEST(limits_out_of_range_are_refused),
    TEST(what_is_shown_goes_on_smoothly),
    TEST(in_quiet_the_time_to_show_is_between_the_last_two_ticks),
    TEST(after_a_pause_what_is_shown_jumps_ahead_and_never_back),
    TEST(the_cast_of_another_player_began_when_it_began),
};

TEST_GROUP(lag_compensation, tests, NULL, NULL);
