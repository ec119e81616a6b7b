// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a client was corrected: each cause on purpose, and the lines that say so.

#include "session_game.h"

#define TEXT_MAX 512
#define HIDDEN 3 // a random stream that only the server knows

static game *rules; // whose world is the server's

// What the server's rules do otherwise than those of clients.
typedef struct server_ways {
    bool refuses;
    float more;          // healed on the server only
    bool creates_itself; // nothing is created on the server
    bool is_random;      // on both sides, from a stream that clients do not know
} server_ways;

static server_ways ways;
static kn_ability_type_id throws;

// Rules ---------------------------------------------------------------------

static bool use_check(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    return call->world != rules->world || !ways.refuses;
}

static kn_result heal_do(const kn_ability_call *call)
{
    const session_kit *kit = &rules->kit;
    float health = kn_attribute_base(call->world, call->owner, kit->health);
    float more = call->world == rules->world ? ways.more : 0.0f;
    more += ways.is_random ? 1.0f + (float)kn_random_below(call->world, HIDDEN, 1u << 20) : 0.0f;
    kn_result result =
        kn_attribute_set_base(call->world, call->owner, kit->health, 0, health + 25.0f + more);
    (void)kn_activation_end(call->world, call->activation);
    return result;
}

static kn_result throw_do(const kn_ability_call *call)
{
    kn_entity_id orb;
    kn_result result = KN_OK;
    bool is_server = call->world == rules->world;
    if (!is_server || !ways.creates_itself) {
        result = kn_entity_create(call->world, &orb);
        if (result == KN_OK) {
            result = kn_entity_set_connection(
                call->world, orb, kn_entity_connection(call->world, call->owner));
        }
        if (result == KN_OK) {
            result = kn_attribute_set_add(call->world, orb, rules->kit.body, 0);
        }
        if (result == KN_OK && is_server && ways.more > 0.0f) {
            result = kn_attribute_set_base(call->world, orb, rules->kit.health, 0, ways.more);
        }
    }
    (void)kn_activation_end(call->world, call->activation);
    return result;
}

static bool explain_more(game *g)
{
    rules = g;
    ways = (server_ways){0};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Heal";
    def.can_activate = use_check;
    def.activate = heal_do;
    bool ok = kn_ability_register(g->kit.library, &def, &g->kit.heal, NULL) == KN_OK;
    def.name = "Throw";
    def.activate = throw_do;
    return kn_ability_register(g->kit.library, &def, &throws, NULL) == KN_OK && ok;
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    game_create(g, explain_more);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    game_destroy(g);
    free(g);
    return 0;
}

// Memory of which one block is refused: the one after `blocks` others; UINT32_MAX: none is.
typedef struct pinch {
    purse *purse;
    uint32_t blocks;
} pinch;

static pinch pinched;

static void *pinch_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    pinch *p = user;
    if (new_size > old_size && p->blocks != UINT32_MAX && p->blocks-- == 0) {
        return NULL;
    }
    return purse_realloc(p->purse, ptr, old_size, new_size);
}

// Goes on with a game after others.
static void game_back(game *g)
{
    rules = g;
    pinched = (pinch){&g->purse, UINT32_MAX};
}

// Two players, the first of whom wants to know.
static void begin_with(game *g, const kn_server_def *server, bool explains)
{
    game_back(g);
    game_begin(g, server);
    set_network(g, KN_MS(30), 0.0f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_client_def def = game_client_def(g);
        def.explain = explains && i == 0;
        if (i == 0) {
            def.hooks = (kn_hooks){.realloc_fn = pinch_realloc, .realloc_user = &pinched};
        }
        (void)add_client(g, i, &def);
    }
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = throws;
        assert_int_equal(kn_ability_grant(g->world, g->peers[i].hero, &grant, NULL), KN_OK);
    }
    run(g, KN_S(1));
}

static void begin(game *g, bool explains)
{
    begin_with(g, NULL, explains);
}

static uint32_t command_throw(const game *g, uint32_t index)
{
    kn_command_activate payload = {.type = throws};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g->peers[index].hero,
        .payload = &payload,
        .size = sizeof(payload)};
    uint32_t sequence;
    assert_int_equal(kn_client_command(g->peers[index].client, &command, &sequence, NULL), KN_OK);
    return sequence;
}

// Lines ---------------------------------------------------------------------

static kn_client_stats stats_of(const game *g)
{
    return kn_client_get_stats(g->peers[0].client);
}

// The latest lines with a cause, oldest first; how many there are.
static uint32_t lines_of(
    const game *g, uint64_t after, kn_correction_cause cause, kn_correction *out, uint32_t capacity)
{
    kn_correction all[KN_CORRECTIONS_MAX];
    uint32_t count = kn_client_explain_correction(g->peers[0].client, all, KN_CORRECTIONS_MAX);
    uint32_t found = 0;
    assert_true(count <= KN_CORRECTIONS_MAX);
    for (uint32_t i = count; i-- > 0;) {
        assert_true(i == 0 || all[i - 1].number >= all[i].number);
        if (all[i].number > after && all[i].cause == cause && found < capacity) {
            out[found++] = all[i];
        }
    }
    return found;
}

static void assert_line(const kn_correction *line, const char *rest)
{
    char text[TEXT_MAX], expected[TEXT_MAX];
    (void)snprintf(
        expected, sizeof(expected), "tick %llu: %s", (unsigned long long)line->tick, rest);
    uint32_t length = kn_correction_print(line, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    char cut[8];
    assert_int_equal(kn_correction_print(line, cut, sizeof(cut)), length);
    assert_memory_equal(cut, "tick ", 5);
    assert_int_equal(cut[7], 0);
    assert_int_equal(kn_correction_print(line, NULL, 0), length);
}

#define OTHERS " (another player, the host of the server, or chance)"

// Causes --------------------------------------------------------------------

static void a_change_by_the_host_is_not_known(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    set_value(g, g->peers[0].hero, g->kit.health, 900.0f);
    (void)afflict(g, g->peers[1].hero, g->kit.blessing);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_OTHERS, lines, 8), 3);
    assert_line(&lines[0], "entity 1: Body.Health 1000 -> 900" OTHERS);
    assert_true(lines[0].predicted == 1000.0 && lines[0].actual == 900.0);
    assert_int_equal(lines[0].kind, KN_STATE_ATTRIBUTE);
    assert_line(&lines[1], "entity 2: Mind.Mana 50 -> 55" OTHERS);
    assert_line(&lines[2], "entity 2: effect Blessing none -> there" OTHERS);
    assert_int_equal(lines[2].kind, KN_STATE_EFFECT);
    kn_client_stats after = stats_of(g);
    assert_int_equal(after.causes[KN_CORRECTION_OTHERS] - before.causes[KN_CORRECTION_OTHERS], 2);
}

static void a_command_of_another_player_is_not_known(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    (void)command_heal(g, &g->peers[1], g->peers[1].hero);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_OTHERS, lines, 8), 1);
    assert_line(&lines[0], "entity 2: Body.Health 1000 -> 1025" OTHERS);
}

static void a_command_that_the_server_refuses_is_named_with_the_reason(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    ways.refuses = true;
    assert_int_equal(command_heal(g, &g->peers[0], g->peers[0].hero), 1);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_REFUSED, lines, 8), 3);
    assert_line(
        &lines[0], "entity 1: Body.Health 1025 -> 1000 (own command 1 was refused: custom)");
    assert_int_equal(lines[0].sequence, 1);
    assert_int_equal(lines[0].result, KN_REFUSED_CUSTOM);
    kn_client_stats after = stats_of(g);
    assert_int_equal(after.causes[KN_CORRECTION_REFUSED], 1);
    assert_int_equal(after.corrected, before.corrected);
}

static void a_refused_command_takes_what_it_created_along(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    ways.refuses = true;
    assert_int_equal(command_throw(g, 0), 1);
    run(g, KN_MS(500));
    uint32_t count = lines_of(g, before.corrections, KN_CORRECTION_REFUSED, lines, 8);
    assert_true(count > 1);
    assert_line(&lines[count - 1], "entity 1024 is gone (own command 1 was refused: custom)");
}

static void a_command_that_comes_late_is_named_with_both_ticks(void **state)
{
    game *g = *state;
    kn_correction lines[KN_CORRECTIONS_MAX];
    kn_server_def server = game_server_def(g);
    server.tolerance_factor = 0.0f;
    begin_with(g, &server, true);
    kn_client_stats before = stats_of(g);
    kn_net_conditions slow = {.latency = KN_MS(150)};
    assert_int_equal(kn_net_sim_set(g->net, 1, 0, &slow), KN_OK);
    unsigned long long wanted = kn_client_tick(g->peers[0].client) + 1;
    assert_int_equal(command_heal(g, &g->peers[0], g->peers[0].hero), 1);
    for (uint32_t i = 0; i < 20; i++) { // so that the server has something to say
        set_value(g, g->peers[1].hero, g->kit.mana, (float)i);
        run(g, KN_MS(30));
    }
    uint32_t count = lines_of(g, before.corrections, KN_CORRECTION_LATE, lines, KN_CORRECTIONS_MAX);
    assert_true(count > 1);
    char text[TEXT_MAX];
    (void)snprintf(text, sizeof(text),
        "entity 1: ability Heal started 2.05 s -> 2.066666 s (own command 1 for tick %llu has not "
        "arrived)",
        wanted);
    assert_line(&lines[0], text);
    assert_int_equal(lines[0].done_tick, 0);
    const kn_correction *last = &lines[count - 1];
    assert_true(last->done_tick > wanted);
    (void)snprintf(text, sizeof(text),
        "entity 1: ability Heal started %s -> 2.15 s (own command 1 for tick %llu was carried out "
        "in tick %llu)",
        lines[count - 2].actual_text, wanted, (unsigned long long)last->done_tick);
    assert_line(last, text);
    assert_int_equal(last->wanted_tick, wanted);
    assert_true(last->actual > 2.149 && last->actual < 2.151);
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_LATE], 1);
}

// What a late command leaves behind on its entity is blamed on it, too.
static void what_the_server_does_for_a_late_command_is_named_with_it(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    kn_net_conditions slow = {.latency = KN_MS(150)};
    assert_int_equal(kn_net_sim_set(g->net, 1, 0, &slow), KN_OK);
    (void)command_heal(g, &g->peers[0], g->peers[0].hero);
    run(g, KN_S(1));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_LATE, lines, 8), 2);
    assert_string_equal(lines[0].name, "inputs tolerance");
    assert_true(lines[0].predicted == 0.0 && lines[0].actual > 0.0);
    assert_int_equal(lines[0].sequence, 1);
    assert_true(lines[0].done_tick > lines[0].wanted_tick);
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_LATE], 1);
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_OUTCOME], 0);
}

static void another_outcome_of_an_own_command_is_named(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    ways.more = 7.0f;
    assert_int_equal(command_heal(g, &g->peers[0], g->peers[0].hero), 1);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_OUTCOME, lines, 8), 1);
    assert_line(
        &lines[0], "entity 1: Body.Health 1025 -> 1032 (own command 1 had another outcome)");
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_OUTCOME], 1);
}

static void what_a_hidden_random_stream_decides_is_another_outcome(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    kn_server_def server = game_server_def(g);
    server.hidden_streams = UINT64_C(1) << HIDDEN;
    begin_with(g, &server, true);
    for (uint32_t i = 0; i < 5; i++) { // so that nobody can guess what is next
        (void)kn_random_u32(g->world, HIDDEN);
    }
    kn_client_stats before = stats_of(g);
    ways.is_random = true;
    assert_int_equal(command_heal(g, &g->peers[0], g->peers[0].hero), 1);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_OUTCOME, lines, 8), 1);
    assert_string_equal(lines[0].name, "Body.Health");
    assert_int_equal(lines[0].sequence, 1);
    assert_true(lines[0].predicted > 1025.0 && lines[0].actual > 1025.0);
    assert_true(lines[0].predicted != lines[0].actual);
    assert_true(lines[0].actual == (double)value_at(g->world, g->peers[0].hero, g->kit.health));
}

static void entities_that_come_and_go_are_named(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    kn_entity_id stone;
    assert_int_equal(kn_entity_create(g->world, &stone), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_NEW, lines, 8), 1);
    assert_line(&lines[0], "entity 3 is new");
    assert_true(lines[0].predicted == 0.0 && lines[0].actual == 1.0);
    (void)kn_entity_destroy(g->world, stone);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_GONE, lines, 8), 1);
    assert_line(&lines[0], "entity 3 is gone");
    kn_client_stats after = stats_of(g);
    assert_int_equal(after.causes[KN_CORRECTION_NEW] - before.causes[KN_CORRECTION_NEW], 1);
    assert_int_equal(after.causes[KN_CORRECTION_GONE], 1);
}

static void an_entity_that_both_sides_created_is_named_with_what_differs(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    ways.more = 77.0f;
    assert_int_equal(command_throw(g, 0), 1);
    run(g, KN_MS(500));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_MATCHED, lines, 8), 2);
    assert_line(&lines[0], "entity 3 is there (it was created here as entity 1024)");
    assert_line(&lines[1], "entity 3: Body.Health 1000 -> 77 (it was created here as entity 1024)");
    assert_int_equal(lines[0].old_entity.index1, 1024);
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_MATCHED], 1);
}

static void an_entity_that_only_the_client_created_is_named(void **state)
{
    game *g = *state;
    kn_correction lines[8];
    begin(g, true);
    kn_client_stats before = stats_of(g);
    ways.creates_itself = true;
    assert_int_equal(command_throw(g, 0), 1);
    run(g, KN_S(2));
    assert_int_equal(lines_of(g, before.corrections, KN_CORRECTION_UNMATCHED, lines, 8), 1);
    assert_line(&lines[0], "entity 1024 is gone (it was created here only)");
    assert_int_equal(stats_of(g).causes[KN_CORRECTION_UNMATCHED], 1);
    assert_int_equal(stats_of(g).unmatched, 1);
}

// Rules of the list ------------------------------------------------------------

static void the_latest_lines_are_kept_and_come_first(void **state)
{
    game *g = *state;
    kn_correction lines[KN_CORRECTIONS_MAX];
    begin(g, true);
    for (uint32_t i = 1; i <= 80; i++) {
        set_value(g, g->peers[0].hero, g->kit.health, (float)i);
        run(g, KN_MS(50));
    }
    run(g, KN_MS(500));
    assert_int_equal(kn_client_explain_correction(g->peers[0].client, NULL, 0), 64);
    assert_int_equal(kn_client_explain_correction(g->peers[0].client, lines, 64), 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_true(lines[i].actual == 80.0 - i && lines[i].predicted == 79.0 - i);
    }
    memset(lines, 0, sizeof(lines));
    assert_int_equal(kn_client_explain_correction(g->peers[0].client, lines, 1), 64);
    assert_true(lines[0].actual == 80.0 && lines[1].number == 0);
}

// What a match leaves behind.
typedef struct outcome {
    uint64_t hash, server_hash, tick, bytes;
    kn_client_stats stats;
    size_t most;
    uint32_t happened, revoked;
} outcome;

static outcome match(game *g, bool explains)
{
    begin(g, explains);
    set_network(g, KN_MS(40), 0.05f);
    for (uint32_t i = 0; i < 40; i++) {
        ways.refuses = i % 7 == 3;
        ways.more = i % 5 == 2 ? 3.0f : 0.0f;
        (void)command_heal(g, &g->peers[i % 2], g->peers[i % 2].hero);
        if (i % 4 == 0) {
            (void)command_throw(g, i / 4 % 2);
        }
        set_value(g, g->peers[1].hero, g->kit.mana, (float)i);
        run(g, KN_MS(60));
    }
    set_network(g, KN_MS(40), 0.0f);
    run(g, KN_S(2));
    peer *p = &g->peers[0];
    return (outcome){.hash = kn_world_hash(kn_client_world(p->client)),
        .server_hash = kn_world_hash(g->world),
        .tick = kn_client_tick(p->client),
        .bytes = p->bytes,
        .stats = stats_of(g),
        .most = g->purse.most,
        .happened = p->happened,
        .revoked = p->revoked};
}

static void whoever_asks_changes_nothing(void **state)
{
    game *g = *state;
    outcome quiet = match(g, false);
    assert_int_equal(kn_client_explain_correction(g->peers[0].client, NULL, 0), 0);
    game *other = calloc(1, sizeof(*other));
    assert_non_null(other);
    game_create(other, explain_more);
    outcome asked = match(other, true);
    assert_int_equal(kn_client_explain_correction(other->peers[0].client, NULL, 0), 64);
    game_destroy(other);
    free(other);
    game_back(g);
    assert_true(quiet.hash == asked.hash && quiet.server_hash == asked.server_hash);
    assert_int_equal(quiet.tick, asked.tick);
    assert_int_equal(quiet.bytes, asked.bytes);
    assert_int_equal(quiet.happened, asked.happened);
    assert_int_equal(quiet.revoked, asked.revoked);
    assert_memory_equal(&quiet.stats, &asked.stats, sizeof(quiet.stats));
    assert_true(quiet.stats.causes[KN_CORRECTION_OUTCOME] > 0);
    assert_true(quiet.stats.causes[KN_CORRECTION_REFUSED] > 0);
    assert_true(asked.most > quiet.most + KN_CORRECTIONS_MAX * sizeof(kn_correction));
}

static void a_client_that_does_not_ask_has_no_memory_for_it(void **state)
{
    game *g = *state;
    kn_client *client;
    size_t bytes[2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_client_def def = game_client_def(g);
        def.explain = i == 1;
        def.hooks = purse_hooks(&g->purse);
        assert_int_equal(kn_client_create(&def, &client), KN_OK);
        bytes[i] = g->purse.bytes;
        kn_client_destroy(client);
        assert_int_equal(g->purse.bytes, 0);
    }
    assert_true(bytes[1] >= bytes[0] + 2 * KN_CORRECTIONS_MAX * sizeof(kn_correction));
    kn_client_def def = game_client_def(g);
    def.explain = true;
    def.hooks = purse_hooks(&g->purse);
    for (uint32_t i = 0; i < 32; i++) { // without memory there is no client, and nothing is lost
        g->purse.left = i;
        kn_result result = kn_client_create(&def, &client);
        assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        kn_client_destroy(client);
        assert_int_equal(g->purse.bytes, 0);
    }
    g->purse.left = UINT32_MAX;
}

// A turn of the first client that may run out of memory.
static void starved_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    kn_client *client = g->peers[0].client;
    while (kn_net_sim_receive(g->net, g->now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(client, g->now, buffer, size);
    }
    kn_result result = kn_client_update(client, g->now);
    assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
    while (kn_client_write(client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, 1, 0, buffer, size), KN_OK);
    }
}

// One block is refused while a correction is made. Returns how many lines say what it was.
static uint32_t pinched_match(uint32_t blocks)
{
    game *g = calloc(1, sizeof(*g));
    kn_correction lines[8];
    assert_non_null(g);
    game_create(g, explain_more);
    begin(g, true);
    for (uint32_t i = 0; i < 200; i++) { // what is kept for a comparison has to grow
        kn_entity_id stone;
        assert_int_equal(kn_entity_create(g->world, &stone), KN_OK);
        assert_int_equal(kn_attribute_set_add(g->world, stone, g->kit.body, 0), KN_OK);
    }
    run(g, KN_MS(500));
    uint64_t before = stats_of(g).corrections;
    g->peers[0].is_stopped = true; // it has turns of its own
    set_value(g, g->peers[0].hero, g->kit.health, 100.0f);
    pinched.blocks = blocks;
    for (uint32_t i = 0; i < 40; i++) {
        run(g, FRAME);
        starved_turn(g);
    }
    assert_true(
        value_at(kn_client_world(g->peers[0].client), g->peers[0].hero, g->kit.health) == 100.0f);
    uint32_t count = lines_of(g, before, KN_CORRECTION_OTHERS, lines, 8);
    pinched.blocks = UINT32_MAX;
    game_destroy(g);
    free(g);
    return count;
}

static void without_memory_lines_are_missing_and_nothing_else(void **state)
{
    game *g = *state;
    uint32_t with = 0, without = 0;
    for (uint32_t blocks = 0; blocks < 80; blocks += SHARE(6)) {
        uint32_t count = pinched_match(blocks);
        assert_true(count <= 1);
        with += count;
        without += 1 - count;
    }
    game_back(g);
    assert_true(with > 0 && without > 0);
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    char text[4] = "abc";
    assert_int_equal(kn_client_explain_correction(NULL, NULL, 0), 0);
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_correction_print(NULL, text, sizeof(text)), 0);
    kn_assert_set_handler(NULL);
    assert_string_equal(text, "");
    for (uint32_t i = 0; i < KN_CORRECTION_COUNT; i++) {
        assert_string_not_equal(kn_correction_cause_name((kn_correction_cause)i), "unknown");
    }
    assert_string_equal(kn_correction_cause_name(KN_CORRECTION_REFUSED), "refused");
    assert_string_equal(kn_correction_cause_name(KN_CORRECTION_COUNT), "unknown");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_change_by_the_host_is_not_known, setup, teardown),
    cmocka_unit_test_setup_teardown(a_command_of_another_player_is_not_known, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_command_that_the_server_refuses_is_named_with_the_reason, setup, teardown),
    cmocka_unit_test_setup_teardown(a_refused_command_takes_what_it_created_along, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_command_that_comes_late_is_named_with_both_ticks, setup, teardown),
    cmocka_unit_test_setup_teardown(
        what_the_server_does_for_a_late_command_is_named_with_it, setup, teardown),
    cmocka_unit_test_setup_teardown(
        without_memory_lines_are_missing_and_nothing_else, setup, teardown),
    cmocka_unit_test_setup_teardown(another_outcome_of_an_own_command_is_named, setup, teardown),
    cmocka_unit_test_setup_teardown(
        what_a_hidden_random_stream_decides_is_another_outcome, setup, teardown),
    cmocka_unit_test_setup_teardown(entities_that_come_and_go_are_named, setup, teardown),
    cmocka_unit_test_setup_teardown(
        an_entity_that_both_sides_created_is_named_with_what_differs, setup, teardown),
    cmocka_unit_test_setup_teardown(
        an_entity_that_only_the_client_created_is_named, setup, teardown),
    cmocka_unit_test_setup_teardown(the_latest_lines_are_kept_and_come_first, setup, teardown),
    cmocka_unit_test_setup_teardown(whoever_asks_changes_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_client_that_does_not_ask_has_no_memory_for_it, setup, teardown),
    cmocka_unit_test(nothing_is_nothing),
};

TEST_GROUP(session_explain, tests, NULL, NULL);
