// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a server answers to commands: accepted, or refused with all reasons and what is behind them.

#include "session_game.h"

#include "net/reasons.h"

#define STRIKE_INPUT 3

typedef struct answers_kit {
    kn_ability_type_id strike; // costs mana, and fate, which nobody may know; has a check
    kn_fail tired;             // a reason of the library
    kn_command_type_id plead;  // always refused, with two lines
    const kn_world *tired_in;  // where nobody may strike
} answers_kit;

static answers_kit extra;

static bool strike_check(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    if (call->world == extra.tired_in) {
        kn_refusal_line line = {.reason = extra.tired, .have = 2.0f, .need = 5.0f};
        memcpy(line.text, "too tired to strike", 20);
        kn_check_refuse(call->answer, &line);
    }
    return true;
}

static kn_result plead_do(void *user, kn_world *world, const kn_command *command)
{
    const game *g = user;
    (void)world;
    kn_refusal_line line = {.reason = extra.tired};
    memcpy(line.text, "not today", 10);
    kn_check_refuse(command->answer, &line);
    line = (kn_refusal_line){
        .reason = KN_FAIL_BLOCKED, .tag = g->kit.blessed, .remaining = KN_S(3), .total = KN_S(5)};
    kn_check_refuse(command->answer, &line);
    return KN_OK;
}

static bool strike_register(game *g)
{
    kn_cost_def costs[2] = {kn_cost_def_default(), kn_cost_def_default()};
    costs[0].attribute = g->kit.mana;
    costs[0].amount = kn_constant(30.0f);
    costs[1].attribute = g->kit.fate;
    costs[1].amount = kn_constant(2.0f);
    kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Strike";
    def.body = KN_BODY_USE;
    def.input = STRIKE_INPUT;
    def.costs = costs;
    def.cost_count = 2;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.can_activate = strike_check;
    return kn_ability_register(g->kit.library, &def, &extra.strike, NULL) == KN_OK;
}

static bool answers_more(game *g)
{
    extra = (answers_kit){0};
    kn_fail_def fail = kn_fail_def_default();
    fail.name = "tired";
    bool ok = kn_fail_register(g->kit.library, &fail, &extra.tired, NULL) == KN_OK;
    kn_command_def def = kn_command_def_default();
    def.name = "plead";
    def.function = plead_do;
    def.user = g;
    ok = kn_command_register(g->kit.library, &def, &extra.plead, NULL) == KN_OK && ok;
    return strike_register(g) && ok;
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    game_create(g, answers_more);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game_destroy(*state);
    free(*state);
    return 0;
}

// One player in a running game, whose hero can strike.
static peer *begin(game *g)
{
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = extra.strike;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(g->world, p->hero, &grant, &ability), KN_OK);
    run(g, KN_S(1));
    return p;
}

static kn_command strike_command(const peer *p, kn_command_activate *payload)
{
    *payload = (kn_command_activate){.type = extra.strike};
    return (kn_command){.type = kn_command_type_activate(),
        .entity = p->hero,
        .payload = payload,
        .size = sizeof(*payload)};
}

static void strike(const peer *p)
{
    kn_command_activate payload;
    kn_command command = strike_command(p, &payload);
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
}

static const kn_refusal_line *line_of(const peer *p, kn_fail reason)
{
    for (uint32_t i = 0; i < p->answer.line_count; i++) {
        if (p->lines[i].reason == reason) {
            return &p->lines[i];
        }
    }
    return NULL;
}

// NET-002
static void a_refused_use_is_answered_with_all_reasons(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    strike(p);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->answer.result, KN_OK);
    assert_int_equal(p->answer.reasons, 0);
    assert_int_equal(p->answer.line_count, 0);
    assert_int_equal(p->answer.ability.index1, 0);
    extra.tired_in = g->world;
    strike(p); // on cooldown, out of mana and fate, and tired
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 2);
    assert_int_equal(p->answer.result, KN_REFUSED_COOLDOWN);
    assert_int_equal(
        p->answer.reasons, (uint32_t)(KN_FAIL_COOLDOWN | KN_FAIL_COST) | (uint32_t)extra.tired);
    assert_int_equal(p->answer.ability.index1, extra.strike.index1);
    const kn_refusal_line *tired = line_of(p, extra.tired);
    assert_non_null(tired);
    assert_string_equal(tired->text, "too tired to strike");
    assert_float_equal(tired->have, 2.0f, 0.0f);
    assert_float_equal(tired->need, 5.0f, 0.0f);
    const kn_refusal_line *cooldown = line_of(p, KN_FAIL_COOLDOWN);
    assert_non_null(cooldown);
    assert_int_equal(cooldown->total, KN_S(4));
    assert_true(cooldown->remaining > KN_S(3) && cooldown->remaining < KN_S(4));
}

static void numbers_that_nobody_may_know_are_not_among_the_reasons(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    set_value(g, p->hero, g->kit.fate, 1.25f);
    set_value(g, p->hero, g->kit.mana, 10.0f);
    strike(p);
    run(g, KN_MS(500));
    assert_int_equal(p->answer.result, KN_REFUSED_COST);
    bool has_mana = false;
    for (uint32_t i = 0; i < p->answer.line_count; i++) {
        const kn_refusal_line *line = &p->lines[i];
        assert_int_not_equal(line->attribute.index1, g->kit.fate.index1);
        assert_true(line->have != 1.25f);
        has_mana = has_mana || (line->attribute.index1 == g->kit.mana.index1 &&
                                   line->have == 10.0f && line->need == 30.0f);
    }
    assert_true(has_mana);
}

// NET-002, PRED-011
static void an_ability_that_only_the_server_refused_is_reported_as_failed(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    extra.tired_in = g->world;
    strike(p);
    run(g, KN_MS(10));
    assert_int_equal(p->failed, 0); // it was believed here
    run(g, KN_MS(500));
    assert_int_equal(p->failed, 1);
    assert_int_equal(p->failure.data.ability.type.index1, extra.strike.index1);
    assert_int_equal(p->failure.data.ability.reasons, (uint32_t)extra.tired);
    assert_true(kn_entity_id_equal(p->failure.entity, p->hero));
    assert_true(p->revoked > 0);
    assert_int_not_equal(p->answer.result, KN_OK);
    run(g, KN_S(1));
    assert_int_equal(p->failed, 1);
}

static void an_ability_that_both_sides_refuse_is_reported_as_failed_once(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    strike(p);
    run(g, KN_MS(500));
    strike(p);
    run(g, KN_MS(500));
    assert_int_equal(p->failed, 1);
    assert_int_equal(p->answers, 2);
    assert_int_equal(p->refused, 1);
}

static void a_press_that_activates_nothing_says_why(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    kn_command_press press = {.input = STRIKE_INPUT};
    kn_command command = {.type = kn_command_type_press(),
        .entity = p->hero,
        .payload = &press,
        .size = sizeof(press)};
    kn_command_release release = {.input = STRIKE_INPUT};
    kn_command up = {.type = kn_command_type_release(),
        .entity = p->hero,
        .payload = &release,
        .size = sizeof(release)};
    extra.tired_in = g->world;
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->answer.reasons, (uint32_t)extra.tired);
    assert_int_equal(p->answer.ability.index1, extra.strike.index1);
    assert_int_equal(kn_client_command(p->client, &up, NULL, NULL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 2);
    assert_int_equal(p->answer.reasons, 0);
}

static void a_command_of_the_game_is_refused_with_its_own_words(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    kn_command command = {.type = extra.plead, .entity = p->hero};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->answer.reasons, (uint32_t)KN_FAIL_BLOCKED | (uint32_t)extra.tired);
    assert_int_equal(p->answer.line_count, 2);
    assert_string_equal(p->lines[0].text, "not today");
    assert_int_equal(p->lines[1].tag.index1, g->kit.blessed.index1);
    assert_int_equal(p->lines[1].remaining, KN_S(3));
    assert_int_equal(p->lines[1].total, KN_S(5));
}

static void a_batch_has_the_reasons_of_all_its_parts(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    extra.tired_in = g->world;
    kn_command_activate first, second;
    kn_command parts[] = {heal_command(g, p->hero, &first), strike_command(p, &second),
        {.type = extra.plead, .entity = p->hero}};
    kn_command batch = {
        .type = kn_command_type_batch(), .entity = p->hero, .parts = parts, .part_count = 3};
    assert_int_equal(kn_client_command(p->client, &batch, NULL, NULL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 1);
    assert_int_not_equal(p->answer.result, KN_OK);
    assert_int_equal(p->answer.reasons, (uint32_t)KN_FAIL_BLOCKED | (uint32_t)extra.tired);
    assert_int_equal(p->answer.line_count, 3);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1025.0f, 0.0f);
}

static void reasons_arrive_on_lines_that_lose_datagrams(void **state)
{
    game *g = *state;
    peer *p = begin(g);
    set_network(g, KN_MS(40), 0.3f);
    kn_command command = {.type = extra.plead, .entity = p->hero};
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
        run(g, KN_MS(40));
    }
    run(g, KN_S(3));
    assert_int_equal(p->answers, 30);
    assert_int_equal(p->refused, 30);
    assert_int_equal(p->answer.line_count, 2);
}

// The smallest datagrams have room for the reasons, if not for all that is behind them.
static void reasons_arrive_in_the_smallest_datagrams(void **state)
{
    game *g = *state;
    kn_server_def def = game_server_def(g);
    def.datagram_bytes = 256;
    game_begin(g, &def);
    kn_client_def client = game_client_def(g);
    client.datagram_bytes = 256;
    peer *p = add_client(g, 0, &client);
    run(g, KN_S(2));
    kn_command command = {.type = extra.plead, .entity = p->hero};
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
    }
    run(g, KN_S(2));
    assert_int_equal(p->answers, 20);
    assert_int_equal(p->answer.reasons, (uint32_t)KN_FAIL_BLOCKED | (uint32_t)extra.tired);
}

static void reasons_without_lines_are_three_bytes(void **state)
{
    const game *g = *state;
    refusal why = {.reasons = KN_FAIL_COST}, back;
    uint8_t bytes[64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kni_refusal_write_head(&out, &why, 0);
    assert_int_equal(out.length, 3);
    kn_reader in = {.data = bytes, .size = out.length};
    kni_refusal_read(&in, g->kit.library, &back);
    assert_false(in.failed);
    assert_int_equal(back.reasons, KN_FAIL_COST);
}

static bool is_read(const game *g, const uint8_t *bytes, size_t size)
{
    refusal why;
    kn_reader in = {.data = bytes, .size = size};
    kni_refusal_read(&in, g->kit.library, &why);
    return !in.failed;
}

static void reasons_that_make_no_sense_are_not_read(void **state)
{
    const game *g = *state;
    refusal why = {.reasons = 1, .line_count = 1};
    why.lines[0] = (kn_refusal_line){.reason = KN_FAIL_COST,
        .tag = g->kit.blessed,
        .attribute = g->kit.mana,
        .have = 1.0f,
        .need = 2.0f,
        .remaining = 3,
        .total = 4};
    memset(why.lines[0].text, 'x', sizeof(why.lines[0].text) - 1);
    uint8_t bytes[REASON_BYTES_MAX];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kni_refusal_write_head(&out, &why, 1);
    assert_int_equal(kni_refusal_write_lines(&out, &why, sizeof(bytes)), 1);
    assert_true(is_read(g, bytes, out.length));
    for (size_t i = 0; i < out.length; i++) {
        assert_false(is_read(g, bytes, i)); // cut
    }
    uint8_t bad[REASON_BYTES_MAX];
    const struct {
        size_t at;
        uint8_t value;
    } changes[] = {{1, 100}, {2, 9}, {3, 31}, {4, 0xff}, {5, 0x7f}, {6, 0x7f}, {5, 0}, {10, 0x7f}};
    for (uint32_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        memcpy(bad, bytes, out.length);
        bad[changes[i].at] = changes[i].value;
        bad[9] = i == 7 ? 0x80 : bad[9]; // not finite
        assert_false(is_read(g, bad, out.length));
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_refused_use_is_answered_with_all_reasons),
    TEST(numbers_that_nobody_may_know_are_not_among_the_reasons),
    TEST(an_ability_that_only_the_server_refused_is_reported_as_failed),
    TEST(an_ability_that_both_sides_refuse_is_reported_as_failed_once),
    TEST(a_press_that_activates_nothing_says_why),
    TEST(a_command_of_the_game_is_refused_with_its_own_words),
    TEST(a_batch_has_the_reasons_of_all_its_parts),
    TEST(reasons_arrive_on_lines_that_lose_datagrams),
    TEST(reasons_arrive_in_the_smallest_datagrams),
    TEST(reasons_without_lines_are_three_bytes),
    TEST(reasons_that_make_no_sense_are_not_read),
};

TEST_GROUP(session_answers, tests, NULL, NULL);
