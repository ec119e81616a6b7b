// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Traces of capabilities: the vectors of the specification are read from their rows, and compared
// with what the hooks have seen; blocks, timelines, and that nothing changes by looking.

#include "knack/capability_trace.h"

#include "capability/capability_test.h"

// Reading -----------------------------------------------------------------------------

typedef struct reader {
    fixture *f;
    kn_capability_trace *trace;
    uint64_t seen;    // rows that were compared
    bool shows_stops; // rows of stops and blocks too
} reader;

static reader read_of(fixture *f, uint32_t rows)
{
    kn_capability_trace_def def = kn_capability_trace_def_default();
    reader r = {.f = f};
    def.row_capacity = rows;
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    return r;
}

static void read_end(reader *r)
{
    kn_capability_trace_destroy(r->trace);
}

// Publishes what happened since the last step, and reads it.
static void look(reader *r)
{
    assert_int_equal(kn_world_step(r->f->world, 0), KN_OK);
    (void)kn_capability_trace_read(r->trace, r->f->world);
}

// A frame of the host: time goes by, then it evaluates.
static void turn(reader *r, int ms)
{
    assert_int_equal(kn_world_step(r->f->world, KN_MS(ms)), KN_OK);
    (void)kn_capability_trace_read(r->trace, r->f->world);
    assert_int_equal(kn_capabilities_update(r->f->world, (kn_entity_id){0}, KN_MS(ms)), KN_OK);
    look(r);
}

static const char *name_of(const fixture *f, kn_capability_id id)
{
    const kn_capability_def *def = kn_capability_get_def(f->library, id);
    return def != NULL ? def->name : "";
}

// A row in the letters of the specification; false for one that is not shown.
static bool letters_of(const reader *r, const kn_capability_row *row, char *out, size_t size)
{
    static const char *const hooks[KN_CAPABILITY_HOOK_COUNT] = {
        "SL", "SU", "SA", "SD", "TK", "EC", "EL", "?", "?"};
    const fixture *f = r->f;
    const char *hook =
        row->kind == KN_CAPABILITY_ROW_CHANGED ? row->is_on ? "ON" : "OFF" : hooks[row->hook];
    bool is_question = row->kind == KN_CAPABILITY_ROW_CALLED &&
                       (row->hook == KN_CAPABILITY_HOOK_SHOULD_ACTIVATE ||
                           row->hook == KN_CAPABILITY_HOOK_SHOULD_DEACTIVATE);
    char more[32] = "";
    if (row->kind == KN_CAPABILITY_ROW_STOPPED || row->kind == KN_CAPABILITY_ROW_BLOCKED) {
        (void)snprintf(out, size, "%s%s%s%s:%s", row->is_on ? "+" : "-",
            row->kind == KN_CAPABILITY_ROW_BLOCKED ? "block"
            : row->is_block                        ? "stop"
                                                   : "tag",
            row->kind == KN_CAPABILITY_ROW_BLOCKED ? "" : "_", name_of(f, row->capability),
            kn_tag_name(f->library, row->tag));
        return r->shows_stops;
    }
    if (row->kind == KN_CAPABILITY_ROW_PROBLEM || (is_question && !f->shows_predicates)) {
        return false;
    }
    if (is_question) {
        (void)snprintf(more, sizeof(more), "(%s)", row->answer ? "t" : "f");
    } else if (row->kind == KN_CAPABILITY_ROW_CALLED && row->hook == KN_CAPABILITY_HOOK_TICK &&
               f->shows_predicates) {
        (void)snprintf(more, sizeof(more), "(%d)", (int)(row->dt / 1000));
    }
    (void)snprintf(out, size, "%s%s%s%s", hook, f->shows_names ? "_" : "",
        f->shows_names ? name_of(f, row->capability) : "", more);
    return true;
}

// What the trace has about the hero since the last time.
static void rows_text(reader *r, char *out, size_t size)
{
    uint32_t count = kn_capability_trace_count(r->trace);
    uint64_t total = kn_capability_trace_total(r->trace);
    out[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        kn_capability_row row;
        char letters[64];
        assert_true(kn_capability_trace_row(r->trace, i, &row));
        if (total - count + i < r->seen || !kn_entity_id_equal(row.entity, r->f->hero) ||
            !letters_of(r, &row, letters, sizeof(letters))) {
            continue;
        }
        size_t length = strlen(out);
        (void)snprintf(out + length, size - length, "%s%s", length > 0 ? " " : "", letters);
    }
    r->seen = total;
}

#define EXPECT_ROWS(r, text)                                                                       \
    do {                                                                                           \
        char rows_[1024];                                                                          \
        look(r);                                                                                   \
        rows_text(r, rows_, sizeof(rows_));                                                        \
        assert_string_equal(rows_, text);                                                          \
    } while (0)

// The rows of the trace, and what the hooks wrote themselves.
#define EXPECT_BOTH(r, text)                                                                       \
    do {                                                                                           \
        EXPECT_ROWS(r, text);                                                                      \
        EXPECT((r)->f, text);                                                                      \
    } while (0)

// Three capabilities, of default answers.
static script *abc(fixture *f)
{
    script *s = capability(f, "A");
    (void)capability(f, "B");
    (void)capability(f, "C");
    f->shows_names = true;
    return s;
}

static kn_capability_set_id done(fixture *f, const char *members)
{
    for (uint32_t i = 0; i < f->script_count; i++) {
        capability_done(&f->scripts[i]);
    }
    kn_capability_set_id set = set_of(f, "S", members);
    begin(f);
    return set;
}

// Vectors -----------------------------------------------------------------------------

// CAP-205, CAP-207, CAPV-001
static void a_trace_has_a_whole_life(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(f) ON");
    turn(&r, 100);
    EXPECT_BOTH(&r, "SD(f) TK(100)");
    turn(&r, 100);
    EXPECT_BOTH(&r, "SD(f) TK(100)");
    take(f, set);
    EXPECT_BOTH(&r, "OFF EC EL");
    kn_capability_row row;
    uint32_t last = kn_capability_trace_count(r.trace) - 1;
    assert_true(kn_capability_trace_row(r.trace, last, &row));
    assert_int_equal(row.time, KN_MS(200));
    assert_int_equal(row.number, 1);
    assert_true(kn_capability_trace_row(r.trace, last - 2, &row));
    assert_int_equal(row.reason, KN_CAPABILITY_REASON_REMOVED);
    read_end(&r);
}

// CAP-205: calls are told for definitions without functions too, except for ticks.
static void questions_have_rows_without_functions(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    const char *name = a->name;
    a->def = kn_capability_def_default();
    a->def.name = name;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 64);
    add(f, set);
    turn(&r, 100);
    take(f, set);
    EXPECT_ROWS(&r, "SL SU SD(f) ON SD(f) OFF EC EL");
    read_end(&r);
}

// CAP-205, CAPV-004
static void a_trace_has_one_switch_per_evaluation(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(t)");
    turn(&r, 100);
    EXPECT_BOTH(&r, "SA(t) ON TK(100)");
    turn(&r, 100);
    EXPECT_BOTH(&r, "SD(t) OFF");
    turn(&r, 100);
    EXPECT_BOTH(&r, "SA(t) ON TK(100)");
    take(f, set);
    EXPECT_BOTH(&r, "OFF EC EL");
    read_end(&r);
}

// CAP-205: with `initial` both, two questions are asked at set-up.
static void a_trace_has_both_questions_of_the_first_state(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.initial = KN_INITIAL_BOTH;
    a->starts = false;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(f) SA(f)");
    read_end(&r);
}

// CAP-205, CAPV-010
static void a_trace_follows_a_condition(void **state)
{
    static const struct {
        bool starts, stops;
        const char *rows;
    } frames[] = {
        {false, false, "SA(f)"},
        {false, false, "SA(f)"},
        {true, false, "SA(t) ON TK(100)"},
        {true, false, "SD(f) TK(100)"},
        {false, true, "SD(t) OFF"},
        {false, true, "SA(f)"},
    };
    fixture *f = *state;
    script *a = capability(f, "A");
    a->stops = true;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(t)");
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
        a->starts = frames[i].starts;
        a->stops = frames[i].stops;
        turn(&r, 100);
        EXPECT_BOTH(&r, frames[i].rows);
    }
    read_end(&r);
}

// CAP-205, CAPV-015
static void a_trace_has_the_order_of_a_set(void **state)
{
    fixture *f = *state;
    (void)abc(f);
    f->shows_predicates = false;
    kn_capability_set_id set = done(f, "ABC");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL_A SL_B SL_C SU_A ON_A SU_B ON_B SU_C ON_C");
    turn(&r, 100);
    EXPECT_BOTH(&r, "TK_A TK_B TK_C");
    take(f, set);
    EXPECT_BOTH(&r, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
    read_end(&r);
}

static void b_blocks(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    const kn_capability_block block = {.tag = f->x,
        .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER, .number = number, .entity = entity}};
    assert_int_equal(kn_capability_block_add(world, entity, &block), KN_OK);
}

static void b_unblocks(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    const kn_capability_source source = {
        .kind = KN_CAPABILITY_SOURCE_MEMBER, .number = number, .entity = entity};
    assert_int_equal(kn_capability_block_remove(world, entity, f->x, &source), KN_OK);
}

// CAP-205, CAPV-025, CAPV-026
static void a_trace_has_who_is_passed_over_and_why(void **state)
{
    fixture *f = *state;
    script *s = abc(f);
    s[0].def.tags = s[2].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "ABC");
    reader r = read_of(f, 256);
    add(f, set);
    turn(&r, 10);
    look(&r);
    r.seen = kn_capability_trace_total(r.trace);
    r.shows_stops = true;
    s[1].tick = b_blocks;
    turn(&r, 10);
    EXPECT_ROWS(&r, "SD_A(f) TK_A(10) SD_B(f) TK_B(10) +block:X +stop_C:X OFF_C");
    s[1].tick = NULL;
    turn(&r, 10);
    EXPECT_ROWS(&r, "+stop_A:X OFF_A SD_B(f) TK_B(10)");
    turn(&r, 10);
    EXPECT_ROWS(&r, "SD_B(f) TK_B(10)"); // still passed over: nothing new
    s[1].tick = b_unblocks;
    turn(&r, 10);
    EXPECT_ROWS(&r, "SD_B(f) TK_B(10) -block:X -stop_C:X SA_C(t) ON_C TK_C(10)");
    s[1].tick = NULL;
    turn(&r, 10);
    EXPECT_ROWS(&r, "-stop_A:X SA_A(t) ON_A TK_A(10) SD_B(f) TK_B(10) SD_C(f) TK_C(10)");
    read_end(&r);
}

// CAP-205, CAPV-029
static void a_trace_has_when_a_block_took_effect(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.interval = KN_MS(500);
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(f) ON");
    for (int i = 0; i < 5; i++) {
        turn(&r, 100);
    }
    EXPECT_BOTH(&r, "SD(f) TK(500)"); // only once: those in between have no rows
    assert_int_equal(kn_world_step(f->world, KN_MS(50)), KN_OK);
    block_by(f, f->x, 1);
    assert_int_equal(kn_world_step(f->world, KN_MS(50)), KN_OK);
    (void)kn_capability_trace_read(r.trace, f->world);
    assert_int_equal(kn_capabilities_update(f->world, f->hero, KN_MS(100)), KN_OK);
    EXPECT_BOTH(&r, "OFF");
    kn_capability_row row;
    uint32_t count = kn_capability_trace_count(r.trace);
    assert_true(kn_capability_trace_row(r.trace, count - 1, &row));
    assert_int_equal(row.kind, KN_CAPABILITY_ROW_CHANGED);
    assert_int_equal(row.reason, KN_CAPABILITY_REASON_BLOCKED);
    assert_int_equal(row.time, KN_MS(600));
    assert_true(kn_capability_trace_row(r.trace, count - 3, &row));
    assert_int_equal(row.kind, KN_CAPABILITY_ROW_BLOCKED);
    assert_int_equal(row.time, KN_MS(550));
    // It runs again before its interval is over, which shows although nothing is called.
    r.shows_stops = true;
    unblock_by(f, f->x, 1);
    turn(&r, 100);
    EXPECT_ROWS(&r, "-block:X -stop_A:X");
    read_end(&r);
}

// CAP-205, CAPV-033
static void a_trace_has_blocks_of_the_own_tag(void **state)
{
    for (int itself = 0; itself < 2; itself++) {
        fixture *f = fixture_create();
        script *a = capability(f, "A");
        a->def.tags = a->def.blocks = (kn_tags){&f->x, 1};
        a->def.blocks_itself = itself != 0;
        a->stops = true;
        kn_capability_set_id set = done(f, "A");
        reader r = read_of(f, 256);
        add(f, set);
        EXPECT_BOTH(&r, "SL SU SD(t)");
        a->stops = false;
        turn(&r, 10);
        EXPECT_BOTH(&r, "SA(t) ON TK(10)");
        r.shows_stops = true;
        turn(&r, 10);
        EXPECT_ROWS(&r, itself != 0 ? "+stop_A:X OFF -block:X" : "SD(f) TK(10)");
        turn(&r, 10);
        EXPECT_ROWS(&r, itself != 0 ? "-stop_A:X SA(t) ON +block:X TK(10)" : "SD(f) TK(10)");
        read_end(&r);
        void *ended = f;
        (void)teardown_fixture(&ended);
    }
    (void)state;
}

// CAP-205, CAPV-030
static void a_trace_has_who_is_blocked_from_the_start(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_AUTHORITY, KN_CONTROL_AUTOMATIC),
        KN_OK);
    block_by(f, f->x, 1);
    r.shows_stops = true;
    add(f, set);
    EXPECT_ROWS(&r, "+block:X SL SU +stop_A:X");
    EXPECT(f, "SL SU");
    // Disabled, it is not stopped any more, whoever blocks.
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number_of(f, a), false), KN_OK);
    EXPECT_ROWS(&r, "-stop_A:X");
    turn(&r, 100);
    EXPECT_ROWS(&r, "");
    read_end(&r);
}

// CAP-205, CAPV-031
static void a_trace_has_what_stops_those_without_ticks(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.can_tick = false;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    r.shows_stops = true;
    add(f, set);
    turn(&r, 100);
    EXPECT_ROWS(&r, "SL SU SD(f) ON");
    block_by(f, f->x, 1);
    turn(&r, 100);
    EXPECT_ROWS(&r, "+block:X +stop_A:X OFF");
    unblock_by(f, f->x, 1);
    turn(&r, 100);
    EXPECT_ROWS(&r, "-block:X -stop_A:X SA(t) ON");
    // The same by a call.
    block_by(f, f->x, 1);
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT_ROWS(&r, "+block:X +stop_A:X OFF");
    unblock_by(f, f->x, 1);
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT_ROWS(&r, "-block:X -stop_A:X SA(t) ON");
    // A request ends it, too.
    block_by(f, f->x, 1);
    turn(&r, 100);
    unblock_by(f, f->x, 1);
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT_ROWS(&r, "+block:X +stop_A:X OFF -block:X -stop_A:X ON");
    read_end(&r);
}

// CAP-205, CAPV-036
static void a_trace_has_the_times_of_ticks(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.interval = KN_MS(500);
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    for (int i = 0; i < 10; i++) {
        turn(&r, 200);
    }
    static const struct {
        int time, dt;
    } expected[] = {{600, 600}, {1000, 400}, {1600, 600}, {2000, 400}};
    uint32_t found = 0;
    for (uint32_t i = 0; i < kn_capability_trace_count(r.trace); i++) {
        kn_capability_row row;
        assert_true(kn_capability_trace_row(r.trace, i, &row));
        if (row.kind == KN_CAPABILITY_ROW_CALLED && row.hook == KN_CAPABILITY_HOOK_TICK) {
            assert_true(found < 4);
            assert_int_equal(row.time, KN_MS(expected[found].time));
            assert_int_equal(row.dt, KN_MS(expected[found].dt));
            found++;
        }
    }
    assert_int_equal(found, 4);
    read_end(&r);
}

// CAP-205, CAPV-041
static void a_trace_has_who_was_disabled(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    EXPECT_BOTH(&r, "SL SU SD(f) ON");
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number_of(f, a), false), KN_OK);
    EXPECT_BOTH(&r, "OFF");
    kn_capability_row row;
    assert_true(kn_capability_trace_row(r.trace, kn_capability_trace_count(r.trace) - 1, &row));
    assert_int_equal(row.reason, KN_CAPABILITY_REASON_DISABLED);
    turn(&r, 100);
    EXPECT_BOTH(&r, "");
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number_of(f, a), true), KN_OK);
    turn(&r, 100);
    EXPECT_BOTH(&r, "SA(t) ON TK(100)");
    read_end(&r);
}

// Rows --------------------------------------------------------------------------------

// CAP-205: what nobody asked for is not published.
static void calls_are_published_on_request_only(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    kn_capability_trace_def def = kn_capability_trace_def_default();
    reader r = {.f = f};
    kn_listener_id listener;
    kn_custom_event_id called = kn_custom_event_find(f->library, "Knack.CapabilityCalled");
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    assert_false(kn_custom_event_is_wanted(f->world, called));
    add(f, set);
    turn(&r, 100);
    EXPECT_ROWS(&r, "ON");
    assert_int_equal(kn_capability_trace_calls(f->world, &listener), KN_OK);
    assert_true(kn_custom_event_is_wanted(f->world, called));
    turn(&r, 100);
    EXPECT_ROWS(&r, "SD(f) TK(100)");
    assert_true(kn_listener_remove(f->world, listener));
    turn(&r, 100);
    EXPECT_ROWS(&r, "");
    read_end(&r);
}

// CAP-205: one that keeps no calls has switches, stops and lives.
static void a_small_trace_keeps_no_calls(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "A");
    kn_capability_trace_def def = kn_capability_trace_def_default();
    reader r = {.f = f, .shows_stops = true};
    def.calls = false;
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    add(f, set);
    turn(&r, 100);
    turn(&r, 100);
    block_by(f, f->x, 7);
    turn(&r, 100);
    turn(&r, 100);
    unblock_by(f, f->x, 7);
    turn(&r, 100);
    take(f, set);
    EXPECT_ROWS(&r, "SL ON +block:X +stop_A:X OFF -block:X -stop_A:X ON OFF EL");
    read_end(&r);
}

// CAP-205: the oldest row is dropped for a new one.
static void a_full_ring_drops_the_oldest(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 5);
    add(f, set);
    look(&r);
    assert_int_equal(kn_capability_trace_count(r.trace), 4);
    turn(&r, 100);
    turn(&r, 100);
    take(f, set);
    look(&r);
    assert_int_equal(kn_capability_trace_total(r.trace), 11);
    assert_int_equal(kn_capability_trace_count(r.trace), 5);
    char text[256];
    rows_text(&r, text, sizeof(text));
    assert_string_equal(text, "SD(f) TK(100) OFF EC EL");
    kn_capability_row row = {.number = 3};
    assert_false(kn_capability_trace_row(r.trace, 5, &row));
    assert_int_equal(row.number, 0);
    assert_int_equal(kn_capability_trace_print(r.trace, f->world, 5, text, sizeof(text)), 0);
    kn_capability_trace_clear(r.trace);
    assert_int_equal(kn_capability_trace_count(r.trace), 0);
    assert_int_equal(kn_capability_trace_total(r.trace), 0);
    read_end(&r);
}

// CAP-205
static void rows_belong_to_their_entities(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    kn_capability_trace_def def = kn_capability_trace_def_default();
    kn_capability_trace *only;
    def.entity = f->foe;
    assert_int_equal(kn_capability_trace_create(&def, &only), KN_OK);
    add(f, set);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, set, NULL), KN_OK);
    look(&r);
    (void)kn_capability_trace_read(only, f->world);
    block_by(f, f->x, 1); // of the hero alone
    turn(&r, 100);
    (void)kn_capability_trace_read(only, f->world);
    r.shows_stops = true;
    EXPECT_ROWS(&r, "SL SU SD(f) ON +block:X +stop_A:X OFF");
    assert_int_equal(kn_capability_trace_count(r.trace), 13);
    assert_int_equal(kn_capability_trace_count(only), 6);
    for (uint32_t i = 0; i < 6; i++) {
        kn_capability_row row;
        assert_true(kn_capability_trace_row(only, i, &row));
        assert_true(kn_entity_id_equal(row.entity, f->foe));
        assert_int_not_equal(row.kind, KN_CAPABILITY_ROW_STOPPED);
    }
    kn_capability_trace_destroy(only);
    read_end(&r);
}

static void expect_line(const reader *r, uint32_t index, const char *expected)
{
    char text[256];
    uint32_t length = kn_capability_trace_print(r->trace, r->f->world, index, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    // Truncated, it ends in a zero and says how long it would be.
    char small[8];
    assert_int_equal(
        kn_capability_trace_print(r->trace, r->f->world, index, small, sizeof(small)), length);
    assert_int_equal(strlen(small), sizeof(small) - 1);
}

// CAP-205: who blocks is named, also when it is gone.
static void block_rows_name_who_blocks(void **state)
{
    fixture *f = *state;
    script *s = abc(f);
    s[0].def.tags = (kn_tags){&f->x, 1};
    kn_effect_def hold = kn_effect_def_default();
    kn_effect_type_id type;
    hold.name = "Hold";
    hold.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(f->library, &hold, &type, NULL), KN_OK);
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, set, NULL), KN_OK);
    look(&r);
    uint32_t first = kn_capability_trace_count(r.trace);
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->ally, f->gadget, 1.0f, &effect), KN_OK);
    const kn_capability_source sources[] = {
        key_source(9),
        {.kind = KN_CAPABILITY_SOURCE_ENTITY, .entity = f->gadget},
        {.kind = KN_CAPABILITY_SOURCE_MEMBER, .entity = f->foe, .number = 1},
        {.kind = KN_CAPABILITY_SOURCE_SET, .entity = f->foe, .number = 1},
        {.kind = KN_CAPABILITY_SOURCE_EFFECT, .effect = effect},
    };
    for (size_t i = 0; i < 5; i++) {
        const kn_capability_block block = {.tag = f->x, .source = sources[i]};
        assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_OK);
    }
    look(&r);
    expect_line(&r, first, "0.000 s  entity 1  X is blocked by key 9");
    expect_line(&r, first + 1, "0.000 s  entity 1  X is blocked by entity 4");
    expect_line(&r, first + 2, "0.000 s  entity 1  X is blocked by capability A of entity 2");
    expect_line(&r, first + 3, "0.000 s  entity 1  X is blocked by set S of entity 2");
    expect_line(&r, first + 4, "0.000 s  entity 1  X is blocked by effect Hold");
    assert_int_equal(kn_capability_set_remove(f->world, f->foe, set), KN_OK);
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    turn(&r, 100);
    kn_capability_row row;
    uint32_t ends = 0;
    for (uint32_t i = first + 5; i < kn_capability_trace_count(r.trace); i++) {
        assert_true(kn_capability_trace_row(r.trace, i, &row));
        if (row.kind == KN_CAPABILITY_ROW_BLOCKED) {
            char text[256];
            assert_false(row.is_on);
            (void)kn_capability_trace_print(r.trace, f->world, i, text, sizeof(text));
            const char *who = row.source.kind == KN_CAPABILITY_SOURCE_MEMBER ? "capability A of"
                              : row.source.kind == KN_CAPABILITY_SOURCE_SET  ? "set S of"
                                                                             : "effect Hold";
            assert_non_null(strstr(text, "X is no longer blocked by"));
            assert_non_null(strstr(text, who));
            ends++;
        }
    }
    assert_int_equal(ends, 3);
    read_end(&r);
}

// CAP-205
static void rows_are_lines(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.blocked_by = (kn_tags){&f->stunned, 1};
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    turn(&r, 100);
    assert_int_equal(
        kn_entity_add_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    turn(&r, 1250);
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    turn(&r, 100);
    take(f, set);
    look(&r);
    static const char *const lines[] = {
        "0.000 s  entity 1  A: its life starts",
        "0.000 s  entity 1  A: set up",
        "0.000 s  entity 1  A: should it deactivate? no",
        "0.000 s  entity 1  A: active, at set-up",
        "0.100 s  entity 1  A: should it deactivate? no",
        "0.100 s  entity 1  A: tick of 0.100 s",
        "1.350 s  entity 1  A: stopped by the tag State.Stunned",
        "1.350 s  entity 1  A: inactive, since it is blocked",
        "1.450 s  entity 1  A: no longer stopped by the tag State.Stunned",
        "1.450 s  entity 1  A: should it activate? yes",
        "1.450 s  entity 1  A: active, by its conditions",
        "1.450 s  entity 1  A: tick of 0.100 s",
        "1.450 s  entity 1  A: inactive, since its set is removed",
        "1.450 s  entity 1  A: ended",
        "1.450 s  entity 1  A: its life ends",
    };
    assert_int_equal(kn_capability_trace_count(r.trace), sizeof(lines) / sizeof(*lines));
    for (uint32_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        expect_line(&r, i, lines[i]);
    }
    read_end(&r);
}

static void on_asks_for_off(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)kn_capability_deactivate(world, entity, number);
}

static void off_asks_for_on(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)kn_capability_activate(world, entity, number);
}

// CAP-205: problems have rows, and lines below the timeline.
static void problems_have_rows(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->on = on_asks_for_off;
    a->off = off_asks_for_on;
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    look(&r);
    uint32_t last = kn_capability_trace_count(r.trace) - 1;
    expect_line(&r, last, "0.000 s  entity 1  A: its own functions switched it too often");
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    char text[8192];
    def.entity = f->hero;
    a->off = NULL;
    turn(&r, 100);
    assert_true(kn_capability_timeline_print(r.trace, f->world, &def, text, sizeof(text)) > 0);
    assert_non_null(
        strstr(text, "problem at 0.000 s: A: its own functions switched it too often\n"));
    assert_true(kn_capability_timeline_svg(r.trace, f->world, &def, text, sizeof(text)) > 0);
    assert_non_null(strstr(text, "0.000 s: A: its own functions switched it too often</text>"));
    read_end(&r);
}

// CAP-205: a row has the innermost cause, which outlives the step.
static void rows_keep_their_cause(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    capability_done(&f->scripts[0]);
    kn_capability_set_id set = set_at(f, "S", "A", 10);
    begin(f);
    reader r = read_of(f, 256);
    add(f, set);
    assert_int_equal(kn_world_step(f->world, KN_MS(100)), KN_OK);
    (void)kn_capability_trace_read(r.trace, f->world);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);
    }
    kn_capability_row row;
    uint32_t count = kn_capability_trace_count(r.trace);
    assert_true(kn_capability_trace_row(r.trace, 0, &row));
    assert_int_equal(row.cause.kind, KN_CAUSE_HOST);
    assert_true(kn_capability_trace_row(r.trace, count - 1, &row));
    assert_int_equal(row.hook, KN_CAPABILITY_HOOK_TICK);
    assert_int_equal(row.cause.kind, KN_CAUSE_SYSTEM);
    assert_string_equal(kn_def_name(f->library, KN_DEF_SYSTEM, row.cause.system.index1),
        "Knack.Capabilities.10.rules");
    read_end(&r);
}

// Timelines -----------------------------------------------------------------------------

// A is stopped by a block of B's, then by a tag; B is added later, and removed.
static void play(reader *r, kn_capability_set_id first, kn_capability_set_id second)
{
    fixture *f = r->f;
    add(f, first);
    look(r);
    turn(r, 100);
    add(f, second); // B blocks X while it is active
    look(r);
    turn(r, 100);
    turn(r, 100);
    take(f, second);
    look(r);
    turn(r, 100);
    assert_int_equal(
        kn_entity_add_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    turn(r, 100);
    turn(r, 100);
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    turn(r, 100);
    turn(r, 100);
    assert_int_equal(kn_world_step(f->world, KN_MS(200)), KN_OK);
}

static void timeline_library(fixture *f, kn_capability_set_id *first, kn_capability_set_id *second)
{
    script *s = abc(f);
    s[0].def.tags = (kn_tags){&f->x, 1};
    s[0].def.blocked_by = (kn_tags){&f->stunned, 1};
    s[1].def.blocks = (kn_tags){&f->x, 1};
    s[2].starts = false;
    s[2].stops = true;
    for (uint32_t i = 0; i < f->script_count; i++) {
        capability_done(&f->scripts[i]);
    }
    *first = set_of(f, "S", "AC");
    *second = set_of(f, "T", "B");
    begin(f);
}

static void expect_span(const kn_capability_span *span, kn_capability_span_kind kind, uint32_t row,
    int from, int to, uint32_t tag1)
{
    assert_int_equal(span->kind, kind);
    assert_int_equal(span->row, row);
    assert_int_equal(span->from, KN_MS(from));
    assert_int_equal(span->to, KN_MS(to));
    assert_int_equal(span->tag.index1, tag1);
}

// CAP-205, CAP-207
static void a_timeline_has_spans(void **state)
{
    fixture *f = *state;
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    reader r = read_of(f, 256);
    play(&r, first, second);
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    kn_capability_span s[16];
    def.entity = f->hero;
    uint32_t count = kn_capability_timeline(r.trace, f->world, &def, s, 16);
    assert_int_equal(count, 9);
    const uint32_t x = f->x.index1, stunned = f->stunned.index1;
    expect_span(&s[0], KN_CAPABILITY_SPAN_ACTIVE, 0, 0, 200, 0);
    expect_span(&s[1], KN_CAPABILITY_SPAN_STOPPED, 0, 200, 400, x);
    expect_span(&s[2], KN_CAPABILITY_SPAN_ACTIVE, 0, 400, 500, 0);
    expect_span(&s[3], KN_CAPABILITY_SPAN_STOPPED, 0, 500, 700, stunned);
    expect_span(&s[4], KN_CAPABILITY_SPAN_ACTIVE, 0, 700, 1000, 0);
    expect_span(&s[5], KN_CAPABILITY_SPAN_INACTIVE, 1, 0, 1000, 0);
    expect_span(&s[6], KN_CAPABILITY_SPAN_ACTIVE, 2, 100, 300, 0);
    expect_span(&s[7], KN_CAPABILITY_SPAN_BLOCK, 3, 100, 300, x);
    expect_span(&s[8], KN_CAPABILITY_SPAN_TAG, 4, 500, 700, stunned);
    assert_int_equal(s[0].reason, KN_CAPABILITY_REASON_SETUP);
    assert_int_equal(s[2].reason, KN_CAPABILITY_REASON_CONDITION);
    assert_true(s[1].is_block);
    assert_false(s[3].is_block);
    assert_int_equal(s[0].capability.index1, f->scripts[0].id.index1);
    assert_int_equal(s[5].capability.index1, f->scripts[2].id.index1);
    assert_int_equal(s[6].number, s[7].number);
    assert_int_equal(s[7].capability.index1, f->scripts[1].id.index1);
    assert_int_equal(s[7].source.kind, KN_CAPABILITY_SOURCE_MEMBER);
    // A part of it, into too small an array.
    def.from = KN_MS(250);
    def.to = KN_MS(450);
    memset(s, 0, sizeof(s));
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, s, 2), 5);
    expect_span(&s[0], KN_CAPABILITY_SPAN_STOPPED, 0, 250, 400, x);
    expect_span(&s[1], KN_CAPABILITY_SPAN_ACTIVE, 0, 400, 450, 0);
    assert_int_equal(s[2].to, 0);
    // Rows without anything in it are left out.
    def.from = KN_MS(750);
    def.to = KN_TIME_INFINITE;
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, s, 16), 2);
    expect_span(&s[1], KN_CAPABILITY_SPAN_INACTIVE, 1, 750, 1000, 0);
    read_end(&r);
}

// CAP-205, CAP-207
static void a_timeline_is_text(void **state)
{
    fixture *f = *state;
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    reader r = read_of(f, 256);
    play(&r, first, second);
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    char text[2048], small[64];
    def.entity = f->hero;
    def.columns = 40;
    uint32_t length = kn_capability_timeline_print(r.trace, f->world, &def, text, sizeof(text));
    assert_string_equal(text,
        "entity 1 from 0.000 s to 1.000 s: # active, . inactive, x stopped, * several in one "
        "column\n"
        "               |0.0                |0.5                 s\n"
        "A              ########xxxxxxxx####xxxxxxxx############\n"
        "C              ........................................\n"
        "B                  ########\n"
        "stopped by\n"
        "X                  ========                              capability B\n"
        "State.Stunned                      ========              the tag itself\n");
    assert_int_equal(length, strlen(text));
    assert_int_equal(
        kn_capability_timeline_print(r.trace, f->world, &def, small, sizeof(small)), length);
    assert_int_equal(strlen(small), sizeof(small) - 1);
    // What begins and ends in one column shows.
    def.columns = 10;
    def.from = 0;
    def.to = KN_MS(1000);
    turn(&r, 10);
    block_by(f, f->x, 3);
    turn(&r, 10);
    unblock_by(f, f->x, 3);
    for (int i = 0; i < 8; i++) {
        turn(&r, 500);
    }
    def.to = KN_TIME_INFINITE;
    (void)kn_capability_timeline_print(r.trace, f->world, &def, text, sizeof(text));
    if (strstr(text, "A              *#x#######\n") == NULL) {
        fail_msg("%s", text);
    }
    read_end(&r);
}

static void name_entity(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    (void)world;
    (void)snprintf(text, size, "%s<%u>", (const char *)user, entity.index1);
}

static uint32_t times_in(const char *text, const char *word)
{
    uint32_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word)) {
        count++;
    }
    return count;
}

// CAP-205, CAP-207
static void a_timeline_is_a_picture(void **state)
{
    fixture *f = *state;
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    reader r = {.f = f};
    kn_capability_trace_def trace = kn_capability_trace_def_default();
    static char who[] = "Ann & Bob";
    trace.name = name_entity;
    trace.name_user = who;
    assert_int_equal(kn_capability_trace_create(&trace, &r.trace), KN_OK);
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    play(&r, first, second);
    block_by(f, f->x, 3);
    const kn_capability_block block = {
        .tag = f->move, .source = {.kind = KN_CAPABILITY_SOURCE_ENTITY, .entity = f->foe}};
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_OK);
    turn(&r, 100);
    turn(&r, 100);
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    char text[16384], line[256];
    def.entity = f->hero;
    uint32_t length = kn_capability_timeline_svg(r.trace, f->world, &def, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_memory_equal(text, "<svg xmlns=", 11);
    assert_string_equal(text + length - 7, "</svg>\n");
    assert_non_null(strstr(text, "<title>Capabilities of Ann &#38; Bob&#60;1&#62;</title>"));
    assert_null(strstr(text, "Bob<"));
    assert_non_null(strstr(text, "class=\"who\">Ann &#38; Bob&#60;2&#62;</text>"));
    assert_non_null(strstr(text, "class=\"who\">capability B</text>"));
    assert_non_null(
        strstr(text, "<title>A is stopped by a block of X from 0.200 s to 0.400 s</title></rect>"));
    assert_non_null(
        strstr(text, "<title>X is blocked by capability B from 0.100 s to 0.300 s</title>"));
    assert_int_equal(times_in(text, "<rect class=\"active\""), 1 + 4); // one in the key
    assert_int_equal(times_in(text, "<rect class=\"stopped\""), 1 + 3);
    assert_int_equal(times_in(text, "<rect class=\"block\""), 4);
    assert_int_equal(times_in(text, "class=\"label\">"), 7);
    def.title = "A & B";
    (void)kn_capability_timeline_svg(r.trace, f->world, &def, text, sizeof(text));
    assert_non_null(strstr(text, "<title>A &#38; B</title>"));
    (void)kn_capability_trace_print(r.trace, f->world, 0, line, sizeof(line));
    assert_string_equal(line, "0.000 s  Ann & Bob<1>  A: its life starts");
    read_end(&r);
}

// CAP-205: what was before the first row follows from it, or from the world as it is.
static void a_timeline_knows_what_was_before_its_rows(void **state)
{
    fixture *f = *state;
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    add(f, first);
    block_by(f, f->x, 5);
    block_by(f, f->look, 6);
    frame(f, 100);
    // A is stopped, C is inactive; the trace begins now.
    kn_capability_trace_def trace = kn_capability_trace_def_default();
    reader r = {.f = f};
    trace.row_capacity = 3; // less than what happens
    trace.calls = false;
    look(&r);
    assert_int_equal(kn_capability_trace_create(&trace, &r.trace), KN_OK);
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    turn(&r, 100);
    unblock_by(f, f->x, 5);
    turn(&r, 100);
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    kn_capability_span s[16];
    def.entity = f->hero;
    turn(&r, 100);
    // From 200 ms on, where the oldest row is.
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, s, 16), 4);
    expect_span(&s[0], KN_CAPABILITY_SPAN_STOPPED, 0, 200, 300, f->x.index1);
    expect_span(&s[1], KN_CAPABILITY_SPAN_ACTIVE, 0, 300, 400, 0);
    expect_span(&s[2], KN_CAPABILITY_SPAN_INACTIVE, 1, 200, 400, 0);
    expect_span(&s[3], KN_CAPABILITY_SPAN_BLOCK, 2, 200, 400, f->look.index1);
    read_end(&r);
}

// Looking changes nothing -----------------------------------------------------------------

// A save of what the world comes to with calls published, or without.
static void *play_saved(bool is_traced, size_t *size, uint64_t *hash)
{
    fixture *f = fixture_create();
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    kn_world_set_moving(f->world, false);
    reader r = {.f = f};
    kn_capability_trace_def def = kn_capability_trace_def_default();
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    if (is_traced) {
        assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    }
    play(&r, first, second);
    assert_true(kn_capability_trace_total(r.trace) > (is_traced ? 30 : 6));
    assert_true(is_traced || kn_capability_trace_total(r.trace) < 15);
    *hash = kn_world_hash(f->world);
    *size = 0;
    assert_int_equal(kn_save_write(f->world, NULL, 0, size), KN_OK);
    void *save = malloc(*size);
    assert_non_null(save);
    assert_int_equal(kn_save_write(f->world, save, *size, size), KN_OK);
    read_end(&r);
    void *ended = f;
    (void)teardown_fixture(&ended);
    return save;
}

// CAP-205
static void a_trace_changes_nothing(void **state)
{
    size_t sizes[2];
    uint64_t hashes[2];
    (void)state;
    void *with = play_saved(true, &sizes[0], &hashes[0]);
    void *without = play_saved(false, &sizes[1], &hashes[1]);
    assert_true(hashes[0] == hashes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(with, without, sizes[0]);
    free(with);
    free(without);
}

// CAP-205
static void a_trace_survives_a_restored_world(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    reader r = read_of(f, 256);
    add(f, set);
    turn(&r, 100);
    size_t size = 0;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_non_null(save);
    assert_int_equal(kn_save_write(f->world, save, size, &size), KN_OK);
    turn(&r, 100);
    assert_int_equal(kn_save_read(f->world, save, size, NULL), KN_OK);
    free(save);
    r.seen = kn_capability_trace_total(r.trace);
    turn(&r, 100); // the listener is still there
    EXPECT_ROWS(&r, "SD(f) TK(100)");
    read_end(&r);
}

// Bad input and memory ----------------------------------------------------------------------

// CAP-208
static void wrong_arguments_are_refused(void **state)
{
    fixture *f = *state;
    (void)capability(f, "A");
    kn_capability_set_id set = done(f, "A");
    kn_capability_trace_def good = kn_capability_trace_def_default(), bad = {0};
    kn_capability_trace *trace = (kn_capability_trace *)&bad;
    assert_int_equal(kn_capability_trace_create(NULL, &trace), KN_ERROR_INVALID_ARGUMENT);
    assert_null(trace);
    assert_int_equal(kn_capability_trace_create(&bad, &trace), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_trace_create(&good, NULL), KN_ERROR_INVALID_ARGUMENT);
    static const struct {
        uint32_t rows, stops;
    } sizes[] = {{0, 1}, {(1u << 20) + 1, 1}, {1, 0}, {1, (1u << 16) + 1}};
    for (size_t i = 0; i < 4; i++) {
        kn_capability_trace_def def = good;
        def.row_capacity = sizes[i].rows;
        def.stop_capacity = sizes[i].stops;
        assert_int_equal(kn_capability_trace_create(&def, &trace), KN_ERROR_INVALID_ARGUMENT);
        assert_null(trace);
    }
    kn_library *plain;
    kn_world *empty;
    kn_library_def library = kn_library_def_default();
    kn_world_def world = kn_world_def_default();
    assert_int_equal(kn_library_create(&library, &plain), KN_OK);
    assert_int_equal(kn_library_finish(plain, NULL), KN_OK);
    world.library = plain;
    assert_int_equal(kn_world_create(&world, &empty), KN_OK);
    kn_listener_id listener = {3, 3};
    assert_int_equal(kn_capability_trace_calls(empty, &listener), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(listener.index1, 0);
    assert_int_equal(kn_capability_trace_calls(NULL, NULL), KN_ERROR_INVALID_ARGUMENT);

    reader r = read_of(f, 16);
    add(f, set);
    turn(&r, 100);
    assert_int_equal(kn_capability_trace_read(NULL, f->world), 0);
    assert_int_equal(kn_capability_trace_read(r.trace, NULL), 0);
    assert_int_equal(kn_capability_trace_read(r.trace, empty), 0);
    assert_int_equal(kn_capability_trace_add(r.trace, f->world, NULL), 0);
    assert_int_equal(kn_capability_trace_count(NULL), 0);
    assert_int_equal(kn_capability_trace_total(NULL), 0);
    kn_capability_trace_clear(NULL);
    kn_capability_trace_destroy(NULL);
    kn_event other = {.type = KN_EVENT_TAG_CHANGED, .entity = f->hero};
    assert_int_equal(kn_capability_trace_add(r.trace, f->world, &other), 0);

    char text[64] = "?";
    kn_capability_timeline_def def = kn_capability_timeline_def_default();
    def.entity = f->hero;
    assert_true(kn_capability_timeline_print(r.trace, f->world, &def, NULL, 0) > 0);
    assert_int_equal(kn_capability_timeline_print(r.trace, empty, &def, text, 64), 0);
    assert_int_equal(kn_capability_timeline_print(NULL, f->world, &def, text, 64), 0);
    assert_int_equal(kn_capability_timeline_print(r.trace, f->world, NULL, text, 64), 0);
    assert_string_equal(text, "");
    const uint32_t columns[] = {9, 1001};
    for (size_t i = 0; i < 2; i++) {
        def.columns = columns[i];
        assert_int_equal(kn_capability_timeline_svg(r.trace, f->world, &def, text, 64), 0);
    }
    def.columns = 10;
    def.from = KN_MS(200); // later than now
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, NULL, 0), 0);
    def.from = 0;
    def.entity = f->gadget; // it has none
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, NULL, 0), 0);
    def.entity = f->hero;
    def.cookie = 0;
    assert_int_equal(kn_capability_timeline(r.trace, f->world, &def, NULL, 0), 0);
    read_end(&r);
    kn_world_destroy(empty);
    kn_library_destroy(plain);
}

// CAP-205: more stops than there is room for have no rows, and those that end make room.
static void stops_beyond_the_capacity_have_no_rows(void **state)
{
    fixture *f = *state;
    script *s = abc(f);
    s[0].def.tags = s[1].def.tags = s[2].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "ABC");
    kn_capability_trace_def def = kn_capability_trace_def_default();
    reader r = {.f = f, .shows_stops = true};
    def.stop_capacity = 2;
    def.calls = false;
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    add(f, set);
    look(&r);
    r.seen = kn_capability_trace_total(r.trace);
    for (int i = 0; i < 2; i++) {
        block_by(f, f->x, 1);
        turn(&r, 10);
        EXPECT_ROWS(&r, "+block:X +stop_A:X OFF_A +stop_B:X OFF_B OFF_C");
        unblock_by(f, f->x, 1);
        turn(&r, 10);
        EXPECT_ROWS(&r, "-block:X -stop_A:X ON_A -stop_B:X ON_B ON_C");
    }
    read_end(&r);
}

typedef struct budget {
    uint32_t left; // allocations
    uint32_t used;
    size_t bytes;
} budget;

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    budget *own = user;
    if (new_size > old_size && own->left == 0) {
        return NULL;
    }
    own->left -= new_size > old_size;
    own->used += new_size > old_size;
    own->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

// CAP-205: a table that is nearly full finds everybody again, and forgets those who are gone.
static void many_stops_are_told_apart(void **state)
{
    enum { ENTITIES = 40 };
    fixture *f = *state;
    script *s = abc(f);
    s[0].def.tags = s[1].def.tags = s[2].def.tags = (kn_tags){&f->x, 1};
    kn_capability_set_id set = done(f, "ABC");
    kn_capability_trace_def def = kn_capability_trace_def_default();
    reader r = {.f = f};
    kn_entity_id entities[ENTITIES];
    uint32_t first = 0; // row of this time
    const kn_capability_block block = {.tag = f->x, .source = key_source(1)};
    def.stop_capacity = ENTITIES * 3;
    def.calls = false;
    assert_int_equal(kn_capability_trace_create(&def, &r.trace), KN_OK);
    for (int turns = 0; turns < 3; turns++) {
        kn_listener_id listener;
        assert_int_equal(kn_capability_trace_calls(f->world, &listener), KN_OK);
        for (uint32_t i = 0; i < ENTITIES; i++) {
            assert_int_equal(kn_entity_create(f->world, &entities[i]), KN_OK);
            assert_int_equal(kn_capability_set_add(f->world, entities[i], set, NULL), KN_OK);
            assert_int_equal(kn_capability_block_add(f->world, entities[i], &block), KN_OK);
        }
        turn(&r, 10);
        for (uint32_t i = 0; i < ENTITIES; i += 2) { // every other one is free again
            assert_int_equal(
                kn_capability_block_remove(f->world, entities[i], f->x, &block.source), KN_OK);
        }
        turn(&r, 10);
        turn(&r, 10); // those who are still stopped have no further row
        uint32_t begins = 0, ends = 0;
        for (uint32_t i = first; i < kn_capability_trace_count(r.trace); i++) {
            kn_capability_row row;
            assert_true(kn_capability_trace_row(r.trace, i, &row));
            begins += row.kind == KN_CAPABILITY_ROW_STOPPED && row.is_on;
            ends += row.kind == KN_CAPABILITY_ROW_STOPPED && !row.is_on;
        }
        assert_int_equal(begins, ENTITIES * 3);
        assert_int_equal(ends, ENTITIES * 3 / 2);
        assert_true(kn_listener_remove(f->world, listener)); // ends of lives are not published
        for (uint32_t i = 0; i < ENTITIES; i++) {
            assert_true(kn_entity_destroy(f->world, entities[i]));
        }
        look(&r);
        first = kn_capability_trace_count(r.trace);
    }
    assert_int_equal(kn_capability_trace_total(r.trace), first); // nothing was dropped
    read_end(&r);
}

// CAP-205
static void a_trace_without_memory_leaks_nothing(void **state)
{
    fixture *f = *state;
    kn_capability_set_id first, second;
    timeline_library(f, &first, &second);
    budget memory = {0};
    kn_capability_trace_def def = kn_capability_trace_def_default();
    kn_capability_trace *trace = NULL;
    def.hooks.realloc_fn = limited;
    def.hooks.realloc_user = &memory;
    for (uint32_t i = 0; trace == NULL; i++) {
        memory.left = i;
        kn_result result = kn_capability_trace_create(&def, &trace);
        assert_int_equal(result, trace == NULL ? KN_ERROR_OUT_OF_MEMORY : KN_OK);
        assert_true(trace != NULL || memory.bytes == 0);
    }
    reader r = {.f = f, .trace = trace};
    uint32_t used = memory.used;
    memory.left = 100;
    assert_int_equal(kn_capability_trace_calls(f->world, NULL), KN_OK);
    play(&r, first, second);
    assert_int_equal(memory.used, used); // reading allocates nothing
    kn_capability_timeline_def timeline = kn_capability_timeline_def_default();
    size_t bytes = memory.bytes;
    uint32_t count = 0;
    timeline.entity = f->hero;
    for (uint32_t i = 0; count == 0; i++) {
        assert_true(i < 16);
        memory.left = i;
        count = kn_capability_timeline(trace, f->world, &timeline, NULL, 0);
        assert_int_equal(memory.bytes, bytes);
    }
    assert_int_equal(count, 9);
    read_end(&r);
    assert_int_equal(memory.bytes, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_trace_has_a_whole_life),
    TEST(questions_have_rows_without_functions),
    TEST(a_trace_has_one_switch_per_evaluation),
    TEST(a_trace_has_both_questions_of_the_first_state),
    TEST(a_trace_follows_a_condition),
    TEST(a_trace_has_the_order_of_a_set),
    TEST(a_trace_has_who_is_passed_over_and_why),
    TEST(a_trace_has_when_a_block_took_effect),
    cmocka_unit_test(a_trace_has_blocks_of_the_own_tag),
    TEST(a_trace_has_who_is_blocked_from_the_start),
    TEST(a_trace_has_what_stops_those_without_ticks),
    TEST(a_trace_has_the_times_of_ticks),
    TEST(a_trace_has_who_was_disabled),
    TEST(calls_are_published_on_request_only),
    TEST(a_small_trace_keeps_no_calls),
    TEST(a_full_ring_drops_the_oldest),
    TEST(rows_belong_to_their_entities),
    TEST(block_rows_name_who_blocks),
    TEST(rows_are_lines),
    TEST(problems_have_rows),
    TEST(rows_keep_their_cause),
    TEST(a_timeline_has_spans),
    TEST(a_timeline_is_text),
    TEST(a_timeline_is_a_picture),
    TEST(a_timeline_knows_what_was_before_its_rows),
    cmocka_unit_test(a_trace_changes_nothing),
    TEST(a_trace_survives_a_restored_world),
    TEST(wrong_arguments_are_refused),
    TEST(stops_beyond_the_capacity_have_no_rows),
    TEST(many_stops_are_told_apart),
    TEST(a_trace_without_memory_leaks_nothing),
};

TEST_GROUP(capability_trace, tests, NULL, NULL);
