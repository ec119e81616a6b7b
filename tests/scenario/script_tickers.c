// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tickers: rules in Lua that are looked at in intervals, from the first look to the last.

#include "scenario/ability_replay.h"
#include "scenario/script_fixture.h"

static const char hover[] =
    "ticker 'Hover' {\n"
    "  interval = 0.05,\n"
    "  state = { fuel = kn.f32(3), last = kn.tag, seen = kn.array(kn.u8, 2), who = kn.ability },\n"
    "  should_start = function(self)\n"
    "    return self.entity:has_tag('State.Airborne') and self.state.fuel >= 1\n"
    "  end,\n"
    "  should_stop = function(self) return self.state.fuel <= 0 end,\n"
    "  started = function(self)\n"
    "    self.state.last = 'State.Airborne'\n"
    "    print('started', world.now(), self.runs)\n"
    "  end,\n"
    "  tick = function(self, dt)\n"
    "    local s = self.state\n"
    "    s.fuel = s.fuel - 1\n"
    "    s.seen[1] = s.seen[1] + 1\n"
    "    self.entity:set_base('Vitals.Mana', self.entity:base('Vitals.Mana') - dt)\n"
    "    print('tick', world.now(), dt, s.fuel)\n"
    "  end,\n"
    "  stopped = function(self) print('stopped', world.now(), self.runs, self.state.last) end,\n"
    "}";

static kn_timer_type_id ticker_bound(const char *name)
{
    kn_timer_type_id type;
    kn_error error = {0};
    if (kn_script_bind_ticker(the_script, name, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_not_equal(type.index1, 0);
    return type;
}

static void begin_hover(fixture *f)
{
    register_tag(f, "State.Airborne");
    load(hover);
    (void)ticker_bound("Hover");
    begin(f);
}

static void start(fixture *f, const char *name)
{
    assert_int_equal(kn_script_ticker_start(f->world, f->hero, name), KN_OK);
}

static bool runs(const fixture *f, const char *name)
{
    return kn_script_ticker_runs(f->world, f->hero, name);
}

static bool is_there(const fixture *f, const char *name)
{
    return kn_script_ticker_is_there(f->world, f->hero, name);
}

static uint32_t timers(const fixture *f)
{
    return kn_world_get_stats(f->world).timers;
}

// Life ----------------------------------------------------------------------

static void a_ticker_runs_while_it_should(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    start(f, "Hover");
    assert_true(is_there(f, "Hover"));
    step(f, KN_MS(70));
    assert_false(runs(f, "Hover"));
    EXPECT_LOG(f, "");
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    step(f, KN_MS(30)); // looks at 0, 50 and now at 100
    assert_true(runs(f, "Hover"));
    EXPECT_LOG(f, "started\t0.1\ttrue. ");
    step(f, KN_MS(1000));
    EXPECT_LOG(f, "tick\t0.15\t0.05\t2.0. tick\t0.2\t0.05\t1.0. tick\t0.25\t0.05\t0.0. "
                  "stopped\t0.3\tfalse\tState.Airborne. ");
    assert_false(runs(f, "Hover"));
    assert_true(is_there(f, "Hover")); // it might start again
    assert_int_equal(timers(f), 1);
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Hover"));
    assert_false(is_there(f, "Hover"));
    assert_int_equal(timers(f), 0);
    expect_no_error();
}

static void without_questions_it_always_runs(void **state)
{
    fixture *f = *state;
    load(
        "ticker 'Clock' { interval = 0.25, tick = function(self, dt) print(world.now(), dt) end }");
    (void)ticker_bound("Clock");
    begin(f);
    start(f, "Clock");
    step(f, KN_MS(600));
    EXPECT_LOG(f, "0.25\t0.25. 0.5\t0.25. ");
    expect_no_error();
}

static void without_should_stop_it_stops_when_it_should_not_start(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Wet");
    load("ticker 'Drip' { interval = 0.1,\n"
         "  should_start = function(self) return self.entity:has_tag('State.Wet') end,\n"
         "  started = function() print('wet') end,\n"
         "  stopped = function() print('dry') end }");
    (void)ticker_bound("Drip");
    begin(f);
    start(f, "Drip");
    for (uint32_t i = 0; i < 2; i++) {
        add_tag(f, f->hero, tag_of(f, "State.Wet"));
        step(f, KN_MS(200));
        remove_tag(f, f->hero, tag_of(f, "State.Wet"));
        step(f, KN_MS(200));
    }
    EXPECT_LOG(f, "wet. dry. wet. dry. ");
    expect_no_error();
}

static void taken_away_while_it_runs_it_is_told(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    step(f, KN_MS(60));
    EXPECT_LOG(f, "started\t0.0\ttrue. tick\t0.05\t0.05\t2.0. ");
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Hover"));
    assert_false(kn_script_ticker_stop(f->world, f->hero, "Hover"));
    EXPECT_LOG(f, "stopped\t0.06\tfalse\tState.Airborne. ");
    assert_int_equal(timers(f), 0);
    // What comes next begins anew.
    start(f, "Hover");
    step(f, KN_MS(60));
    EXPECT_LOG(f, "started\t0.06\ttrue. tick\t0.11\t0.05\t2.0. ");
    // Its entity dies: no function is called.
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, KN_S(1));
    EXPECT_LOG(f, "");
    assert_int_equal(timers(f), 0);
    expect_no_error();
}

static void started_twice_it_is_there_once(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    start(f, "Hover");
    assert_int_equal(kn_script_ticker_start(f->world, f->hero, "Hover"), KN_REFUSED_DUPLICATE);
    kn_timer_type_id type = kn_timer_type_find(f->library, "Hover");
    assert_int_equal(kn_timer_start(f->world, type, f->hero, KN_MS(10), NULL, NULL), KN_OK);
    step(f, KN_MS(100));
    assert_int_equal(timers(f), 1);
    assert_true(is_there(f, "Hover"));
}

static void a_timer_of_its_type_puts_it_on_the_entity(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Airborne");
    load(hover);
    kn_timer_type_id type = ticker_bound("Hover");
    kn_archetype_timer timer = {type, KN_MS(30)};
    kn_tag airborne = tag_of(f, "State.Airborne");
    kn_archetype_def def = kn_archetype_def_default();
    def.name = "Bird";
    def.sets = &f->set;
    def.set_count = 1;
    def.tags = (kn_tags){&airborne, 1};
    def.timers = &timer;
    def.timer_count = 1;
    kn_archetype_id archetype;
    assert_int_equal(kn_archetype_register(f->library, &def, &archetype, NULL), KN_OK);
    begin(f);
    kn_entity_id bird;
    assert_int_equal(kn_archetype_spawn(f->world, archetype, 1.0f, &bird), KN_OK);
    check_replay(f, KN_S(1));
    step(f, KN_MS(20));
    assert_false(kn_script_ticker_is_there(f->world, bird, "Hover"));
    check_replay(f, KN_S(1));
    step(f, KN_MS(40));
    assert_true(kn_script_ticker_runs(f->world, bird, "Hover"));
    check_replay(f, KN_S(1));
    EXPECT_LOG(f, "started\t0.03\ttrue. ");
    assert_int_equal(timers(f), 1);
    expect_no_error();
}

static void the_world_itself_may_have_one(void **state)
{
    fixture *f = *state;
    load("ticker 'Sun' { interval = 1, state = {days = kn.u32},\n"
         "  tick = function(self)\n"
         "    self.state.days = self.state.days + 1 print(self.entity, self.state.days)\n"
         "  end }");
    (void)ticker_bound("Sun");
    begin(f);
    assert_int_equal(kn_script_ticker_start(f->world, (kn_entity_id){0}, "Sun"), KN_OK);
    step(f, KN_MS(2500));
    EXPECT_LOG(f, "nil\t1. nil\t2. ");
    check_replay(f, KN_S(1));
    assert_false(is_there(f, "Sun"));
    assert_true(kn_script_ticker_runs(f->world, (kn_entity_id){0}, "Sun"));
    assert_true(kn_script_ticker_stop(f->world, (kn_entity_id){0}, "Sun"));
    expect_no_error();
}

// From scripts --------------------------------------------------------------

static void scripts_start_stop_and_ask(void **state)
{
    fixture *f = *state;
    load("ticker 'Beat' { interval = 0.1, state = {loud = kn.u8(7)}, tick = function() "
         "print('beat') end }\n"
         "timer 'Plain' { fired = function() end }\n"
         "ability 'Use' { activate = function(self)\n"
         "  local e = self.owner\n"
         "  print(e:has_ticker('Beat'), e:ticker_runs('Beat'), e:stop_ticker('Beat'))\n"
         "  print(e:start_ticker('Beat'))\n"
         "  print(e:start_ticker('Beat'))\n"
         "  print(e:has_ticker('Beat'), e:ticker_runs('Beat'))\n"
         "  self:wait(0.15, 'check')\n"
         "end,\n"
         "check = function(self)\n"
         "  local e = self.owner\n"
         "  print(e:get('Beat', 'loud'))\n"
         "  print(e:ticker_runs('Beat'), e:stop_ticker('Beat'), e:has_ticker('Beat'))\n"
         "  e:start_ticker('Plain')\n"
         "end }");
    (void)ticker_bound("Beat");
    kn_script_timer plain;
    kn_timer_type_id id;
    assert_int_equal(kn_script_bind_timer(the_script, "Plain", &plain, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(f->library, "Plain", plain.function, plain.user, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Use");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "false\tfalse\tfalse. true. nil\tduplicate. true\tfalse. ");
    step(f, KN_S(1));
    EXPECT_LOG(f, "beat. 7. true\ttrue\tfalse. ");
    EXPECT_ERROR("Plain");
}

static void it_may_stop_itself_or_begin_anew_in_a_tick(void **state)
{
    fixture *f = *state;
    load("ticker 'Once' { interval = 0.1, state = {n = kn.u8},\n"
         "  tick = function(self)\n"
         "    print('tick', self.state.n, self:stop(), self:stop(), self.runs)\n"
         "  end,\n"
         "  stopped = function(self) self.state.n = 9 print('stopped', self.state.n) end }\n"
         "ticker 'Anew' { interval = 0.1, state = {n = kn.u8},\n"
         "  tick = function(self)\n"
         "    self.state.n = self.state.n + 1\n"
         "    print('anew', world.now(), self.state.n)\n"
         "    self:stop()\n"
         "    self.entity:start_ticker('Anew')\n"
         "  end }\n"
         "ticker 'Undo' { interval = 0.1,\n"
         "  tick = function(self) self:stop() end,\n"
         "  stopped = function(self)\n"
         "    print('undo', self:stop(), self.entity:start_ticker('Undo'))\n"
         "  end }");
    (void)ticker_bound("Once");
    (void)ticker_bound("Anew");
    (void)ticker_bound("Undo");
    begin(f);
    start(f, "Once");
    step(f, KN_MS(300));
    EXPECT_LOG(f, "stopped\t9. tick\t0\ttrue\tfalse\tfalse. ");
    assert_false(is_there(f, "Once"));
    assert_int_equal(timers(f), 0);
    start(f, "Anew");
    step(f, KN_MS(250));
    EXPECT_LOG(f, "anew\t0.4\t1. anew\t0.5\t1. ");
    assert_int_equal(timers(f), 1);
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Anew"));
    start(f, "Undo");
    step(f, KN_MS(250));
    EXPECT_LOG(f, "undo\ttrue\ttrue. undo\ttrue\ttrue. ");
    assert_true(is_there(f, "Undo"));
    assert_int_equal(timers(f), 1);
    check_replay(f, KN_S(1));
    expect_no_error();
}

static void its_entity_may_die_in_a_tick(void **state)
{
    fixture *f = *state;
    load("ticker 'Doom' { interval = 0.1, state = {n = kn.u8},\n"
         "  tick = function(self) self.entity:destroy() print('gone') end,\n"
         "  stopped = function() print('never') end }");
    (void)ticker_bound("Doom");
    begin(f);
    start(f, "Doom");
    step(f, KN_S(1));
    EXPECT_LOG(f, "gone. ");
    assert_false(kn_entity_is_alive(f->world, f->hero));
    assert_int_equal(timers(f), 0);
    expect_no_error();
}

// Errors --------------------------------------------------------------------

static uint32_t error_events(fixture *f)
{
    uint32_t count = 0;
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_ERROR &&
                 kn_entity_id_equal(events.data[i].entity, f->hero);
    }
    return count;
}

static void an_error_takes_it_away(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name, *body, *message, *log;
    } bad[] = {
        {"B1", "should_start = function() error('a') end", "ticker B1.should_start: test.lua:1: a",
            ""},
        {"B2", "should_stop = function() error('b') end", "B2.should_stop: test.lua:1: b",
            "stopped. "},
        {"B3", "started = function() error('c') end", "B3.started: test.lua:1: c", "stopped. "},
        {"B4", "tick = function() error('d') end", "B4.tick: test.lua:1: d", "stopped. "},
        {"B5", "should_stop = function(self) self:stop() end",
            "`stop` changes the world, but this call may only read", "stopped. "},
        {"B6", "should_start = function(self) self.entity:stop_ticker('B6') end",
            "`stop_ticker` changes the world", ""},
        {"B7", "should_start = function(self) self.state.n = 1 end", "this call may only read", ""},
        {"B8", "tick = function() while true do end end", "more than 1000000 instructions",
            "stopped. "},
        {"B9", "tick = function(self) self:stop() self.state.n = 1 end", "there is no state here",
            "stopped. "},
    };
    const uint32_t count = sizeof(bad) / sizeof(*bad);
    for (uint32_t i = 0; i < count; i++) {
        char text[512];
        (void)snprintf(text, sizeof(text),
            "ticker '%s' { interval = 0.1, state = {n = kn.u8}, %s,\n"
            "  stopped = function() print('stopped') end }",
            bad[i].name, bad[i].body);
        load(text);
        (void)ticker_bound(bad[i].name);
    }
    begin(f);
    for (uint32_t i = 0; i < count; i++) {
        start(f, bad[i].name);
        step(f, KN_MS(150));
        EXPECT_ERROR(bad[i].message);
        EXPECT_LOG(f, bad[i].log);
        assert_int_equal(error_events(f), 1); // those that only read as well: only steps ask them
        assert_false(is_there(f, bad[i].name));
        assert_int_equal(timers(f), 0);
        assert_int_equal(kn_script_error_count(the_script), i + 1);
    }
    step(f, KN_S(1));
    assert_true(kn_world_validate(f->world));
}

static void an_error_in_stopped_ends_it_once(void **state)
{
    fixture *f = *state;
    load("ticker 'Bad' { interval = 0.1, tick = function() error('one') end,\n"
         "  stopped = function() error('two') end }");
    (void)ticker_bound("Bad");
    begin(f);
    start(f, "Bad");
    step(f, KN_S(1));
    assert_int_equal(kn_script_error_count(the_script), 2);
    assert_int_equal(error_events(f), 2);
    assert_false(is_there(f, "Bad"));
    assert_int_equal(timers(f), 0);
}

static void a_component_removed_by_others_ends_its_timer(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    kn_component_type_id component = kn_component_find(f->library, "Hover");
    start(f, "Hover");
    step(f, KN_MS(10));
    assert_true(kn_component_remove(f->world, component, f->hero));
    assert_false(is_there(f, "Hover"));
    start(f, "Hover");
    assert_int_equal(timers(f), 2);
    step(f, KN_MS(100)); // the old timer finds a ticker that is not its own
    assert_int_equal(timers(f), 1);
    assert_true(is_there(f, "Hover"));
    expect_no_error();
}

// By hand, in the same instant: the first timer finds a component that names another one.
static void removed_and_started_at_once_it_has_one_timer(void **state)
{
    fixture *f = *state;
    load("ticker 'Tick' { interval = 0.1, tick = function(self, dt) print('tick') end }");
    (void)ticker_bound("Tick");
    begin(f);
    start(f, "Tick");
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kn_component_remove(f->world, kn_component_find(f->library, "Tick"), f->hero));
        start(f, "Tick");
    }
    step(f, KN_MS(50));
    assert_int_equal(timers(f), 1);
    assert_true(runs(f, "Tick"));
    step(f, KN_MS(200));
    EXPECT_LOG(f, "tick. tick. ");
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Tick"));
    assert_int_equal(timers(f), 0);
    assert_int_equal(kn_timer_firing(f->world).index1, 0);
    expect_no_error();
}

static void what_is_not_there_is_refused(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    assert_int_equal(kn_script_ticker_start(f->world, f->hero, "Fly"), KN_REFUSED_NOT_FOUND);
    assert_false(kn_script_ticker_stop(f->world, f->hero, "Fly"));
    assert_false(kn_script_ticker_is_there(f->world, f->hero, "Fly"));
    assert_false(kn_script_ticker_runs(f->world, f->hero, "Fly"));
    kn_entity_id gone = f->foe;
    assert_true(kn_entity_destroy(f->world, gone));
    step(f, 0);
    assert_int_equal(kn_script_ticker_start(f->world, gone, "Hover"), KN_REFUSED_STALE_ID);
    assert_false(kn_script_ticker_stop(f->world, gone, "Hover"));
    assert_false(kn_script_ticker_is_there(f->world, gone, "Hover"));
    void *user = f;
    assert_null(kn_timer_type_function(f->library, (kn_timer_type_id){0}, &user));
    assert_null(user);
    assert_null(kn_timer_type_function(f->library, (kn_timer_type_id){99}, &user));
}

static void bad_definitions_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name, *text, *message;
    } bad[] = {
        {"A", "tick = function() end", "ticker `A` needs `interval`"},
        {"B", "interval = 0, tick = function() end", "ticker `B` needs `interval`"},
        {"C", "interval = -1, tick = function() end", "needs `interval`"},
        {"D", "interval = '1', tick = function() end", "needs `interval`"},
        {"E", "interval = 1e300, tick = function() end", "needs `interval`"},
        {"F", "interval = 0/0, tick = function() end", "needs `interval`"},
        {"G", "interval = 1e-9, tick = function() end", "needs `interval`"},
        {"H", "interval = 1", "ticker `H` has no function"},
        {"I", "interval = 1, tik = function() end", "an unknown field `tik`"},
        {"J", "interval = 1, state = {a = kn.array(kn.u64, 513)}, tick = function() end",
            "4104 bytes, but at most 4096"},
    };
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "ticker '%s' { %s }", bad[i].name, bad[i].text);
        load(text);
        kn_timer_type_id type = {7};
        kn_error error = {0};
        assert_int_equal(
            kn_script_bind_ticker(the_script, bad[i].name, &type, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(type.index1, 0);
        if (strstr(error.message, bad[i].message) == NULL) {
            fail_msg("%s", error.message);
        }
    }
    load("timer 'T' { interval = 1, fired = function() end }\n"
         "ticker 'Big' { interval = 1, state = {a = kn.array(kn.u64, 512)}, tick = print }\n"
         "ticker 'Taken' { interval = 1, tick = print }");
    kn_script_timer timer;
    kn_timer_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_script_bind_timer(the_script, "T", &timer, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(
        kn_script_bind_ticker(the_script, "Nobody", &type, &error), KN_REFUSED_NOT_FOUND);
    (void)ticker_bound("Big");
    assert_int_equal(kn_script_bind_ticker(the_script, "Big", &type, &error), KN_REFUSED_DUPLICATE);
    kn_field field = KN_FIELD_INIT("x", KN_FIELD_U8, 0, 1);
    kn_component_def def = kn_component_def_default();
    def.name = "Taken";
    def.size = 1;
    def.fields = &field;
    def.field_count = 1;
    kn_component_type_id component;
    assert_int_equal(kn_component_register(f->library, &def, &component, NULL), KN_OK);
    assert_int_equal(
        kn_script_bind_ticker(the_script, "Taken", &type, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_timer_type_find(f->library, "Taken").index1, 0);
}

// Time, rollback, saves -----------------------------------------------------

static void frame_rates_end_in_the_same_state(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    static const uint32_t rates[4] = {1, 30, 60, 144};
    uint64_t hashes[4];
    for (uint32_t i = 0; i < 4; i++) {
        snapshot_restore(f->world, snapshot, size);
        f->log[0] = 0;
        kn_time done = 0;
        for (uint32_t s = 1; s <= rates[i]; s++) {
            kn_time until = KN_S(1) * s / rates[i];
            step(f, until - done);
            done = until;
        }
        hashes[i] = kn_world_hash(f->world);
        EXPECT_LOG(f, "started\t0.0\ttrue. tick\t0.05\t0.05\t2.0. tick\t0.1\t0.05\t1.0. "
                      "tick\t0.15\t0.05\t0.0. stopped\t0.2\tfalse\tState.Airborne. ");
        assert_true(hashes[i] == hashes[0]);
    }
    free(snapshot);
    expect_no_error();
}

static void it_rolls_back_and_loads_at_any_step(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    for (uint32_t i = 0; i < 30; i++) {
        check_replay(f, KN_MS(100));
        step(f, KN_MS(10));
    }
    expect_no_error();
}

// A save finds tags by name, also in the state of a ticker.
static void a_save_is_read_by_a_library_with_other_numbers(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    step(f, KN_MS(60));
    EXPECT_LOG(f, "started\t0.0\ttrue. tick\t0.05\t0.05\t2.0. ");
    size_t size;
    void *bytes = save_of(f->world, &size);

    void *one = NULL;
    kn_script *kept = the_script;
    setup(&one);
    fixture *other = one;
    script_begin(other, NULL);
    register_tag(other, "A.Tag");
    register_tag(other, "State.Aaaa");
    begin_hover(other);
    assert_int_not_equal(
        tag_of(other, "State.Airborne").index1, tag_of(f, "State.Airborne").index1);
    save_load(other->world, bytes, size);
    assert_true(kn_script_ticker_runs(other->world, f->hero, "Hover"));
    step(other, KN_MS(150));
    EXPECT_LOG(other, "tick\t0.1\t0.05\t1.0. tick\t0.15\t0.05\t0.0. "
                      "stopped\t0.2\tfalse\tState.Airborne. ");
    expect_no_error();
    kn_script_destroy(the_script);
    teardown(&one);
    the_script = kept;
    free(bytes);
}

static void its_state_is_seen_in_dumps_and_by_others(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    static char text[16384];
    (void)kn_entity_dump(f->world, f->hero, text, sizeof(text));
    const char *component = strstr(text, "Hover");
    assert_non_null(component);
    assert_non_null(strstr(component, "fuel      3"));
    step(f, KN_MS(60));
    (void)kn_entity_dump(f->world, f->hero, text, sizeof(text));
    assert_non_null(strstr(component, "fuel      2"));
    assert_non_null(strstr(component, "last      State.Airborne"));
    const kn_component_def *def =
        kn_component_get_def(f->library, kn_component_find(f->library, "Hover"));
    static const char *const names[] = {
        "kn.since", "kn.last", "kn.timer", "who", "fuel", "last", "seen", "fuel.set", "kn.runs"};
    assert_int_equal(def->field_count, 9);
    for (uint32_t i = 0; i < 9; i++) {
        assert_string_equal(def->fields[i].name, names[i]);
    }
}

// Memory --------------------------------------------------------------------

typedef struct counted_memory {
    uint64_t calls, fail_at;
} counted_memory;

static void *counted_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counted_memory *memory = user;
    if (new_size > old_size && ++memory->calls == memory->fail_at) {
        return NULL;
    }
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void without_memory_nothing_is_put_on_the_entity(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Airborne");
    load(hover);
    (void)ticker_bound("Hover");
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    bool is_done = false;
    for (uint64_t fail_at = 1; !is_done; fail_at++) {
        assert_true(fail_at < 100);
        counted_memory memory = {0};
        kn_world_def def = kn_world_def_default();
        def.library = f->library;
        def.hooks.realloc_fn = counted_realloc;
        def.hooks.realloc_user = &memory;
        kn_world *world;
        kn_entity_id entity;
        assert_int_equal(kn_world_create(&def, &world), KN_OK);
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        uint64_t hash = kn_world_hash(world);
        memory.fail_at = memory.calls + fail_at;
        kn_result result = kn_script_ticker_start(world, entity, "Hover");
        is_done = memory.calls < memory.fail_at;
        if (is_done) {
            assert_int_equal(result, KN_OK);
        } else if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_false(kn_script_ticker_is_there(world, entity, "Hover"));
            assert_true(kn_world_hash(world) == hash);
        }
        kn_world_destroy(world);
    }
}

// Another script ------------------------------------------------------------

// A world continues with the library of another fixture, whose script is current from now on.
typedef struct reload {
    fixture *old, *fresh;
    kn_script *old_script;
} reload;

static void reload_prepare(reload *r, fixture *f, const char *text)
{
    void *made = NULL;
    r->old = f;
    r->old_script = the_script;
    setup(&made);
    r->fresh = made;
    script_begin(r->fresh, NULL);
    register_tag(r->fresh, "State.Airborne");
    load(text);
}

static kn_result reload_world(reload *r, kn_error *error)
{
    assert_int_equal(kn_library_finish(r->fresh->library, NULL), KN_OK);
    return kn_world_reload(r->old->world, r->fresh->library, error);
}

static void reload_end(reload *r)
{
    kn_script_destroy(the_script);
    the_script = r->old_script;
    kn_world_destroy(r->old->world);
    r->old->world = NULL;
    void *made = r->fresh;
    teardown(&made);
}

static void a_reload_keeps_it_with_another_interval_and_state(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    step(f, KN_MS(60));
    EXPECT_LOG(f, "started\t0.0\ttrue. tick\t0.05\t0.05\t2.0. ");
    reload r;
    reload_prepare(&r, f,
        "ticker 'Hover' { interval = 0.2,\n"
        "  state = { fuel = kn.f32(9), more = kn.u16(7), seen = kn.array(kn.u8, 4) },\n"
        "  tick = function(self, dt)\n"
        "    local s = self.state\n"
        "    print('new', world.now(), dt, s.fuel, s.more, s.seen[1], #s.seen)\n"
        "  end,\n"
        "  stopped = function(self) print('off', self.state.more) end }");
    (void)ticker_bound("Hover");
    kn_error error = {0};
    if (reload_world(&r, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(runs(f, "Hover"));
    step(f, KN_MS(300)); // the look at 0.1 was set before
    EXPECT_LOG(r.fresh, "new\t0.1\t0.05\t2.0\t7\t1\t4. new\t0.3\t0.2\t2.0\t7\t1\t4. ");
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Hover"));
    EXPECT_LOG(r.fresh, "off\t7. ");
    assert_int_equal(timers(f), 0);
    expect_no_error();
    reload_end(&r);
}

static void a_reload_without_it_is_refused_until_it_is_taken_away(void **state)
{
    fixture *f = *state;
    begin_hover(f);
    add_tag(f, f->hero, tag_of(f, "State.Airborne"));
    start(f, "Hover");
    step(f, KN_MS(60));
    reload r;
    reload_prepare(&r, f, "ticker 'Glide' { interval = 0.2, tick = print }");
    (void)ticker_bound("Glide");
    kn_error error = {0};
    assert_int_equal(reload_world(&r, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Hover"));
    step(f, KN_MS(50));
    assert_true(runs(f, "Hover"));
    assert_true(kn_script_ticker_stop(f->world, f->hero, "Hover"));
    f->log[0] = 0;
    if (kn_world_reload(f->world, r.fresh->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_script_ticker_start(f->world, f->hero, "Hover"), KN_REFUSED_NOT_FOUND);
    start(f, "Glide");
    step(f, KN_MS(50));
    assert_true(runs(f, "Glide"));
    expect_no_error();
    reload_end(&r);
}

// Names and limits ----------------------------------------------------------

static void a_full_state_fits(void **state)
{
    fixture *f = *state;
    static char text[8192];
    int length = snprintf(text, sizeof(text), "ticker 'Full' { interval = 0.1, state = {");
    for (uint32_t i = 0; i < 64; i++) {
        length +=
            snprintf(text + length, sizeof(text) - (size_t)length, "f%u = kn.u8(%u),", i, i + 1);
    }
    (void)snprintf(text + length, sizeof(text) - (size_t)length,
        "}, tick = function(self) print(self.state.f0, self.state.f63) self.state.f63 = 5 end }");
    load(text);
    (void)ticker_bound("Full");
    begin(f);
    start(f, "Full");
    step(f, KN_MS(250));
    EXPECT_LOG(f, "1\t64. 1\t5. ");
    check_replay(f, KN_S(1));
    expect_no_error();
}

static void names_of_fields_that_clash_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"['kn.since'] = kn.u8", "field kn.since appears twice"},
        {"['kn.runs'] = kn.bool", "field kn.runs appears twice"},
        {"x = kn.u8(1), ['x.set'] = kn.u8", "field x.set appears twice"},
        {"['a\\0b'] = kn.u8", "the name of a field is empty or contains a zero byte"},
        {"[''] = kn.u8", "the name of a field is empty or contains a zero byte"},
    };
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char text[256], name[8];
        (void)snprintf(name, sizeof(name), "N%u", i);
        (void)snprintf(text, sizeof(text),
            "ticker '%s' { interval = 1, state = {%s}, tick = print }", name, bad[i].text);
        load(text);
        kn_timer_type_id type;
        kn_error error = {0};
        assert_int_equal(kn_script_bind_ticker(the_script, name, &type, &error), KN_ERROR_BAD_DATA);
        if (strstr(error.message, bad[i].message) == NULL) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(kn_timer_type_find(f->library, name).index1, 0); // nothing half-made
    }
    load("ability 'Zero' { ['a\\0b'] = function() end }");
    kn_ability_def def = kn_ability_def_default();
    kn_error error = {0};
    assert_int_equal(kn_script_bind_ability(the_script, "Zero", &def, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "an unknown field `a"));
}

// Who comes too late in a step that others have spent waits for the next look.
static void a_step_that_others_spent_does_not_take_it_away(void **state)
{
    fixture *f = *state;
    kn_script_destroy(the_script);
    kn_script_def def = kn_script_def_default();
    def.step_instruction_limit = 50000;
    (void)script_begin(f, &def);
    load("ticker 'Calm' { interval = 0.1, should_start = function() return true end,\n"
         "  tick = function(self, dt) print('tick', world.now(), dt) end,\n"
         "  stopped = function() print('stopped') end }\n"
         "ability 'Busy' {\n"
         "  activate = function(self) self:wait(0.1, 'work') end,\n"
         "  work = function(self) for i = 1, 1000000 do local x = i * i end end }");
    (void)ticker_bound("Calm");
    kn_ability_type_id busy = bound(f, "Busy");
    begin(f);
    kn_ability_id ability = grant(f, busy);
    activate(f, ability);
    start(f, "Calm");
    step(f, KN_MS(50));
    check_replay(f, KN_MS(100));
    uint64_t errors = kn_script_error_count(the_script);
    f->log[0] = 0;
    step(f, KN_MS(100));
    EXPECT_LOG(f, "");
    EXPECT_ERROR("ticker Calm: more than 50000 instructions in one step");
    assert_int_equal(kn_script_error_count(the_script), errors + 2);
    assert_int_equal(error_events(f), 2);
    assert_true(runs(f, "Calm"));
    step(f, KN_MS(100));
    EXPECT_LOG(f, "tick\t0.2\t0.2. ");
}

// It spends the step by itself and is there afterwards, once.
static void starting_anew_at_once_ends_with_the_step(void **state)
{
    fixture *f = *state;
    load("ticker 'Loop' { interval = 0.1, started = function(self)\n"
         "  self:stop() self.entity:start_ticker('Loop') end }");
    (void)ticker_bound("Loop");
    begin(f);
    start(f, "Loop");
    step(f, KN_MS(50));
    EXPECT_ERROR("more than 20000000 instructions in one step");
    assert_true(is_there(f, "Loop"));
    assert_int_equal(timers(f), 1);
}

static void removed_and_started_in_its_own_call_it_has_one_timer(void **state)
{
    fixture *f = *state;
    load("ticker 'Behind' { interval = 0.1, state = {n = kn.u8},\n"
         "  started = function(self)\n"
         "    if self.entity:has_tag('State.Airborne') then return end\n"
         "    self.entity:add_tag('State.Airborne')\n"
         "    self.entity:remove_component('Behind')\n"
         "    self.entity:start_ticker('Behind')\n"
         "  end,\n"
         "  tick = function() print('tick', world.now()) end }");
    register_tag(f, "State.Airborne");
    (void)ticker_bound("Behind");
    begin(f);
    start(f, "Behind");
    step(f, KN_MS(250));
    EXPECT_LOG(f, "tick\t0.1. tick\t0.2. ");
    assert_int_equal(timers(f), 1);
    expect_no_error();
}

// A tick that destroys another entity whose tick is due at the same time, and stops its ticker.
static void it_may_take_away_that_of_others(void **state)
{
    fixture *f = *state;
    load("ticker 'Duel' { interval = 0.1,\n"
         "  tick = function(self)\n"
         "    print('tick', self.entity == world.entities()[1])\n"
         "    for _, e in ipairs(world.entities()) do\n"
         "      if e ~= self.entity then print(e:stop_ticker('Duel'), e:destroy()) end\n"
         "    end\n"
         "  end,\n"
         "  stopped = function(self)\n"
         "    print('stopped', self.entity:is_alive(), self:stop(), self.entity:destroy(), "
         "self.runs)\n"
         "  end }");
    (void)ticker_bound("Duel");
    begin(f);
    start(f, "Duel");
    assert_int_equal(kn_script_ticker_start(f->world, f->foe, "Duel"), KN_OK);
    step(f, KN_MS(150));
    EXPECT_LOG(f, "tick\ttrue. stopped\ttrue\ttrue\ttrue\tfalse. true\tfalse. ");
    assert_false(kn_entity_is_alive(f->world, f->foe));
    assert_int_equal(timers(f), 1);
    expect_no_error();
    assert_true(kn_world_validate(f->world));
    check_replay(f, KN_S(1));
}

// The one of the world ends everybody and then itself, and its state with it.
static void an_error_of_the_worlds_own_is_an_event_of_nobody(void **state)
{
    fixture *f = *state;
    load("ticker 'Sun' { interval = 0.1, state = {n = kn.u8},\n"
         "  should_stop = function(self) return self.state.n > 0 end,\n"
         "  tick = function(self)\n"
         "    self.state.n = 1\n"
         "    for _, e in ipairs(world.entities()) do e:destroy() end\n"
         "  end,\n"
         "  stopped = function(self)\n"
         "    print('set', self:stop(), self.runs)\n"
         "    self.state.n = 0\n"
         "  end }");
    (void)ticker_bound("Sun");
    begin(f);
    assert_int_equal(kn_script_ticker_start(f->world, (kn_entity_id){0}, "Sun"), KN_OK);
    check_replay(f, KN_MS(650));
    f->log[0] = 0;
    step(f, KN_MS(650));
    EXPECT_LOG(f, "set\ttrue\tfalse. ");
    EXPECT_ERROR("ticker Sun.stopped: test.lua:9: there is no state here");
    assert_int_equal(timers(f), 0);
    kn_events events = kn_world_events(f->world);
    uint32_t errors = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ERROR) {
            assert_int_equal(events.data[i].entity.index1, 0);
            assert_int_equal(events.data[i].data.error.detail, 9);
            errors++;
        }
    }
    assert_int_equal(errors, 1);
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(a_ticker_runs_while_it_should),
    SCRIPTED(without_questions_it_always_runs),
    SCRIPTED(without_should_stop_it_stops_when_it_should_not_start),
    SCRIPTED(taken_away_while_it_runs_it_is_told),
    SCRIPTED(started_twice_it_is_there_once),
    SCRIPTED(a_timer_of_its_type_puts_it_on_the_entity),
    SCRIPTED(the_world_itself_may_have_one),
    SCRIPTED(scripts_start_stop_and_ask),
    SCRIPTED(it_may_stop_itself_or_begin_anew_in_a_tick),
    SCRIPTED(its_entity_may_die_in_a_tick),
    SCRIPTED(an_error_takes_it_away),
    SCRIPTED(an_error_in_stopped_ends_it_once),
    SCRIPTED(a_component_removed_by_others_ends_its_timer),
    SCRIPTED(removed_and_started_at_once_it_has_one_timer),
    SCRIPTED(what_is_not_there_is_refused),
    SCRIPTED(bad_definitions_are_refused),
    SCRIPTED(frame_rates_end_in_the_same_state),
    SCRIPTED(it_rolls_back_and_loads_at_any_step),
    SCRIPTED(a_save_is_read_by_a_library_with_other_numbers),
    SCRIPTED(its_state_is_seen_in_dumps_and_by_others),
    SCRIPTED(without_memory_nothing_is_put_on_the_entity),
    SCRIPTED(a_reload_keeps_it_with_another_interval_and_state),
    SCRIPTED(a_reload_without_it_is_refused_until_it_is_taken_away),
    SCRIPTED(a_full_state_fits),
    SCRIPTED(names_of_fields_that_clash_are_refused),
    SCRIPTED(a_step_that_others_spent_does_not_take_it_away),
    SCRIPTED(starting_anew_at_once_ends_with_the_step),
    SCRIPTED(it_may_take_away_that_of_others),
    SCRIPTED(an_error_of_the_worlds_own_is_an_event_of_nobody),
    SCRIPTED(removed_and_started_in_its_own_call_it_has_one_timer),
};

TEST_GROUP(script_tickers, tests, NULL, NULL);
