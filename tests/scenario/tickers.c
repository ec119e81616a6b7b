// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tickers in C: when they start, tick and stop, their state, and how they come and go.

#include "scenario/fixture.h"

typedef struct hover {
    float fuel;
    uint32_t ticks;
    kn_entity_id watched;
    kn_tag tag;
    uint8_t padding[4];
} hover;

static const kn_field hover_fields[] = {
    KN_FIELD_INIT("fuel", KN_FIELD_F32, offsetof(hover, fuel), 1),
    KN_FIELD_INIT("ticks", KN_FIELD_U32, offsetof(hover, ticks), 1),
    KN_FIELD_INIT("watched", KN_FIELD_ENTITY, offsetof(hover, watched), 1),
    KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(hover, tag), 1),
    KN_FIELD_INIT("padding", KN_FIELD_U8, offsetof(hover, padding), 4),
};

static int setup(void **state)
{
    fixture *f = fixture_create(3);
    (void)tag_of(f, "State.Airborne");
    *state = f;
    return 0;
}

static hover *hover_of(const kn_ticker_call *call)
{
    return kn_ticker_state(call->world, call->ticker, call->entity);
}

static kn_result hover_added(void *user, const kn_ticker_call *call)
{
    (void)user;
    hover *own = hover_of(call);
    own->fuel = 3.0f;
    own->watched = call->entity;
    own->tag = kn_tag_find(kn_world_library(call->world), "State.Airborne");
    return KN_OK;
}

static kn_result hover_should_start(void *user, const kn_ticker_call *call, bool *answer)
{
    (void)user;
    const hover *own = kn_ticker_read_state(call->world, call->ticker, call->entity);
    assert_true(*answer);
    *answer = kn_entity_has_tag(call->world, own->watched, own->tag) && own->fuel >= 1.0f;
    return KN_OK;
}

static kn_result hover_should_stop(void *user, const kn_ticker_call *call, bool *answer)
{
    (void)user;
    assert_false(*answer);
    *answer = hover_of(call)->fuel <= 0.0f;
    return KN_OK;
}

static kn_result note_started(void *user, const kn_ticker_call *call)
{
    assert_true(kn_ticker_is_running(call->world, call->ticker, call->entity));
    note(user, "started %lld, ", (long long)kn_world_now(call->world));
    return KN_OK;
}

static kn_result hover_tick(void *user, const kn_ticker_call *call)
{
    hover *own = hover_of(call);
    own->fuel -= 1.0f;
    own->ticks++;
    note(user, "tick %lld +%lld, ", (long long)kn_world_now(call->world), (long long)call->dt);
    return KN_OK;
}

static kn_result note_stopped(void *user, const kn_ticker_call *call)
{
    assert_false(kn_ticker_is_running(call->world, call->ticker, call->entity));
    note(user, "stopped %lld, ", (long long)kn_world_now(call->world));
    return KN_OK;
}

static kn_ticker_def hover_def(fixture *f)
{
    kn_ticker_def def = kn_ticker_def_default();
    def.name = "Hover";
    def.interval = KN_MS(50);
    def.state_size = sizeof(hover);
    def.state_fields = hover_fields;
    def.state_field_count = COUNT(hover_fields);
    def.added = hover_added;
    def.should_start = hover_should_start;
    def.should_stop = hover_should_stop;
    def.started = note_started;
    def.tick = hover_tick;
    def.stopped = note_stopped;
    def.user = f;
    return def;
}

static kn_ticker_id ticker_register(fixture *f, const kn_ticker_def *def)
{
    kn_ticker_id id;
    kn_error error = {0};
    if (kn_ticker_register(f->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static kn_ticker_id begin_hover(fixture *f)
{
    kn_ticker_def def = hover_def(f);
    kn_ticker_id id = ticker_register(f, &def);
    begin(f);
    return id;
}

static uint32_t timers(const fixture *f)
{
    return kn_world_get_stats(f->world).timers;
}

// Life ------------------------------------------------------------------------

static void a_ticker_runs_while_it_should_at_exact_times(void **state)
{
    fixture *f = *state;
    kn_ticker_id ticker = begin_hover(f);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_REFUSED_DUPLICATE);
    assert_true(kn_ticker_is_there(f->world, ticker, f->hero));
    assert_false(kn_ticker_is_there(f->world, ticker, f->foe));
    step(f, KN_MS(70)); // checks at 0 and 50
    EXPECT_LOG(f, "");
    assert_int_equal(kn_ticker_remaining(f->world, ticker, f->hero), KN_MS(30));
    assert_false(kn_ticker_is_running(f->world, ticker, f->hero));
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    step(f, KN_S(1));
    EXPECT_LOG(f, "started 100000, tick 150000 +50000, tick 200000 +50000, tick 250000 +50000, "
                  "stopped 300000, ");
    const hover *own = kn_ticker_read_state(f->world, ticker, f->hero);
    assert_int_equal(own->ticks, 3);
    assert_true(kn_entity_id_equal(own->watched, f->hero));
    assert_true(kn_ticker_is_there(f->world, ticker, f->hero)); // it might start again
    assert_true(kn_ticker_stop(f->world, ticker, f->hero));
    assert_false(kn_ticker_stop(f->world, ticker, f->hero));
    assert_null(kn_ticker_state(f->world, ticker, f->hero));
    assert_int_equal(kn_ticker_remaining(f->world, ticker, f->hero), 0);
    assert_int_equal(timers(f), 0);
}

static void each_entity_has_its_own_and_the_world_too(void **state)
{
    fixture *f = *state;
    kn_ticker_id ticker = begin_hover(f);
    kn_entity_id nobody = {0};
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    assert_int_equal(kn_ticker_start(f->world, ticker, nobody), KN_OK);
    hover *own = kn_ticker_state(f->world, ticker, nobody);
    own->fuel = 1.5f;
    own->watched = f->foe;
    add_tag(f, f->foe, tag_of(f, "State.Airborne"));
    step(f, KN_MS(50));
    EXPECT_LOG(f, "started 0, tick 50000 +50000, ");
    assert_true(kn_ticker_is_running(f->world, ticker, nobody));
    assert_false(kn_ticker_is_running(f->world, ticker, f->hero));
    assert_true(kn_ticker_stop(f->world, ticker, nobody));
    EXPECT_LOG(f, "stopped 50000, ");
}

static void it_ends_with_its_entity_without_a_word(void **state)
{
    fixture *f = *state;
    kn_ticker_id ticker = begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    step(f, KN_MS(10));
    EXPECT_LOG(f, "started 0, ");
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(timers(f), 0);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_REFUSED_STALE_ID);
    assert_false(kn_ticker_stop(f->world, ticker, f->hero));
    assert_false(kn_ticker_is_there(f->world, ticker, f->hero));
}

static void an_archetype_brings_it_with_its_state(void **state)
{
    fixture *f = *state;
    kn_ticker_def def = hover_def(f);
    kn_ticker_id ticker = ticker_register(f, &def);
    kn_tag airborne = tag_of(f, "State.Airborne");
    kn_archetype_timer timer = {kn_ticker_timer_type(f->library, ticker), KN_MS(20)};
    kn_archetype_def archetype = kn_archetype_def_default();
    archetype.name = "Bird";
    archetype.tags = one(&airborne);
    archetype.timers = &timer;
    archetype.timer_count = 1;
    kn_archetype_id bird;
    assert_int_equal(kn_archetype_register(f->library, &archetype, &bird, NULL), KN_OK);
    begin(f);
    kn_entity_id entity;
    assert_int_equal(kn_archetype_spawn(f->world, bird, 1.0f, &entity), KN_OK);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "started 20000, tick 70000 +50000, ");
    assert_near(((const hover *)kn_ticker_read_state(f->world, ticker, entity))->fuel, 2.0f);
}

// Only a tick: it starts at once and never stops by itself.
static kn_result stop_self(void *user, const kn_ticker_call *call)
{
    note(user, "tick ");
    assert_int_equal(kn_ticker_remaining(call->world, call->ticker, call->entity), 0);
    assert_true(kn_ticker_stop(call->world, call->ticker, call->entity));
    return KN_OK;
}

static kn_result start_again(void *user, const kn_ticker_call *call)
{
    note(user, "tick ");
    assert_true(kn_ticker_stop(call->world, call->ticker, call->entity));
    return kn_ticker_start(call->world, call->ticker, call->entity);
}

static void a_hook_may_remove_its_ticker_and_add_it_again(void **state)
{
    fixture *f = *state;
    kn_ticker_def def = kn_ticker_def_default();
    def.name = "Once";
    def.interval = KN_MS(100);
    def.tick = stop_self;
    def.user = f;
    kn_ticker_id once = ticker_register(f, &def);
    def.name = "Again";
    def.tick = start_again;
    kn_ticker_id again = ticker_register(f, &def);
    begin(f);
    assert_int_equal(kn_ticker_start(f->world, once, f->hero), KN_OK);
    assert_null(kn_ticker_state(f->world, once, f->hero)); // it has none
    step(f, KN_MS(500));
    EXPECT_LOG(f, "tick ");
    assert_false(kn_ticker_is_there(f->world, once, f->hero));
    assert_int_equal(kn_ticker_start(f->world, again, f->hero), KN_OK);
    step(f, KN_MS(250));
    EXPECT_LOG(f, "tick tick ");
    assert_int_equal(timers(f), 1);
}

// Errors ------------------------------------------------------------------------

static kn_result fails(void *user, const kn_ticker_call *call)
{
    (void)user;
    (void)call;
    return KN_ERROR_BAD_DATA;
}

static kn_result fails_with_limit(void *user, const kn_ticker_call *call)
{
    note(user, "limit %lld, ", (long long)kn_world_now(call->world));
    return KN_REFUSED_LIMIT;
}

static kn_result test_waits(void *user, const kn_ticker_call *call, bool *answer)
{
    *answer = true;
    note(user, "test %lld, ", (long long)kn_world_now(call->world));
    return kn_world_now(call->world) < KN_MS(100) ? KN_REFUSED_LIMIT : KN_OK;
}

static void a_hook_that_fails_removes_its_ticker(void **state)
{
    fixture *f = *state;
    kn_ticker_def def = hover_def(f);
    def.added = fails;
    kn_ticker_id unborn = ticker_register(f, &def);
    def = hover_def(f);
    def.name = "Falls";
    def.should_start = NULL;
    def.should_stop = NULL;
    def.tick = fails_with_limit;
    kn_ticker_id falls = ticker_register(f, &def);
    begin(f);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_ticker_start(f->world, unborn, f->hero), KN_ERROR_BAD_DATA);
    assert_false(kn_ticker_is_there(f->world, unborn, f->hero));
    assert_int_equal(timers(f), 0);
    assert_true(kn_world_hash(f->world) != hash); // a number was spent
    assert_int_equal(kn_ticker_start(f->world, falls, f->hero), KN_OK);
    step(f, KN_MS(200));
    EXPECT_LOG(f, "started 0, limit 50000, stopped 50000, ");
    assert_false(kn_ticker_is_there(f->world, falls, f->hero));
}

static void a_test_may_wait_for_the_next_check(void **state)
{
    fixture *f = *state;
    kn_ticker_def def = hover_def(f);
    def.should_start = test_waits;
    kn_ticker_id ticker = ticker_register(f, &def);
    begin(f);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    step(f, KN_MS(110));
    EXPECT_LOG(f, "test 0, test 50000, test 100000, started 100000, ");
}

static void expect_refused(fixture *f, const kn_ticker_def *def, kn_result code, const char *part)
{
    kn_ticker_id id = {7};
    kn_error error = {0};
    assert_int_equal(kn_ticker_register(f->library, def, &id, &error), code);
    assert_int_equal(id.index1, 0);
    if (strstr(error.message, part) == NULL) {
        fail_msg("`%s` does not say `%s`", error.message, part);
    }
}

static kn_time plain_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static void bad_tickers_are_refused(void **state)
{
    fixture *f = *state;
    kn_ticker_def def = hover_def(f);
    def.interval = 0;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "interval above 0");
    def = hover_def(f);
    def.state_field_count = 0;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "must have fields");
    def = hover_def(f);
    def.state_size += 4;
    expect_refused(f, &def, KN_ERROR_BAD_DATA, "Hover");
    def = hover_def(f);
    def.cookie = 0;
    kn_assert_set_handler(ignore_assert);
    expect_refused(f, &def, KN_ERROR_INVALID_ARGUMENT, "");
    kn_assert_set_handler(NULL);
    kn_timer_type_id plain;
    assert_int_equal(
        kn_timer_type_register(f->library, "Plain", plain_fired, NULL, &plain, NULL), KN_OK);
    def = hover_def(f);
    def.name = "Plain";
    expect_refused(f, &def, KN_REFUSED_DUPLICATE, "Plain");
    assert_int_equal(kn_def_count(f->library, KN_DEF_TICKER), 0);
    assert_int_equal(kn_def_count(f->library, KN_DEF_COMPONENT), 0);
    kn_ticker_id ticker = begin_hover(f);
    assert_string_equal(kn_ticker_name(f->library, ticker), "Hover");
    assert_int_equal(kn_ticker_find(f->library, "Hover").index1, ticker.index1);
    assert_int_equal(kn_ticker_get_def(f->library, ticker)->interval, KN_MS(50));
    kn_ticker_id unknown = {2};
    assert_int_equal(kn_ticker_start(f->world, unknown, f->hero), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_ticker_stop(f->world, unknown, f->hero));
    assert_int_equal(kn_ticker_timer_type(f->library, unknown).index1, 0);
    assert_int_equal(kn_ticker_component(f->library, unknown).index1, 0);
    void *user;
    assert_null(
        kn_timer_type_function(f->library, kn_ticker_timer_type(f->library, ticker), &user));
}

// State -----------------------------------------------------------------------

static void its_state_survives_snapshots_and_saves(void **state)
{
    fixture *f = *state;
    kn_ticker_id ticker = begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->foe), KN_OK);
    step(f, KN_MS(75));
    f->log[0] = 0;
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    step(f, KN_MS(500));
    uint64_t hash = kn_world_hash(f->world);
    static const char rest[] = "tick 100000 +50000, tick 150000 +50000, stopped 200000, ";
    EXPECT_LOG(f, rest);
    assert_int_equal(kn_world_step(loaded, KN_MS(500)), KN_OK);
    EXPECT_LOG(f, rest);
    assert_same_worlds(f->world, loaded);
    snapshot_restore(f->world, snapshot, size);
    step(f, KN_MS(500));
    EXPECT_LOG(f, rest);
    assert_true(kn_world_hash(f->world) == hash);
    kn_world_destroy(loaded);
    free(snapshot);
}

static void a_dump_shows_its_state_by_name(void **state)
{
    fixture *f = *state;
    kn_ticker_id ticker = begin_hover(f);
    assert_int_equal(kn_ticker_start(f->world, ticker, f->hero), KN_OK);
    char text[4096];
    (void)kn_entity_dump_json(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(text, "\"type\":\"Hover\""));
    assert_non_null(strstr(text, "\"fuel\":3"));
    assert_non_null(strstr(text, "\"tag\":\"State.Airborne\""));
}

static const struct CMUnitTest tests[] = {
    TEST(a_ticker_runs_while_it_should_at_exact_times),
    TEST(each_entity_has_its_own_and_the_world_too),
    TEST(it_ends_with_its_entity_without_a_word),
    TEST(an_archetype_brings_it_with_its_state),
    TEST(a_hook_may_remove_its_ticker_and_add_it_again),
    TEST(a_hook_that_fails_removes_its_ticker),
    TEST(a_test_may_wait_for_the_next_check),
    TEST(bad_tickers_are_refused),
    TEST(its_state_survives_snapshots_and_saves),
    TEST(a_dump_shows_its_state_by_name),
};

TEST_GROUP(tickers, tests, NULL, NULL);
