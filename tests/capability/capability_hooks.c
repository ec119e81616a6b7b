// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks that call back into the kit in the middle of what it does: whatever they ask for, the
// brackets of a life nest, and the last word counts.

#include "capability/capability_test.h"

static kn_capability_set_id own_set, later_set;

static void asks_on(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)kn_capability_activate(world, entity, number);
}

static void asks_off(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    assert_int_equal(kn_capability_deactivate(world, entity, number), KN_OK);
}

static void disables_itself(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    assert_int_equal(kn_capability_set_enabled(world, entity, number, false), KN_OK);
}

static void takes_its_set(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)number;
    assert_int_equal(kn_capability_set_remove(world, entity, own_set), KN_OK);
    assert_int_equal(kn_capability_set_remove(world, entity, own_set), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_capability_set_add(world, entity, own_set, NULL), KN_REFUSED_LIMIT);
}

// Set-up --------------------------------------------------------------------------

// CAP-088, CAP-208
static void one_that_disables_itself_while_it_is_set_up_stays_off(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->setup = disables_itself;
    add(f, begin_set(f, "A"));
    EXPECT(f, "SL SU");
    frame(f, 100);
    EXPECT(f, "");
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number_of(f, a), true), KN_OK);
    frame(f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
}

// CAP-088, CAP-138: nor does a side that rises switch it on.
static void a_disabled_one_is_set_up_inactive(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.side = KN_SIDE_LOCAL;
    (void)begin_added(f, "A");
    assert_int_equal(kn_capability_set_enabled(f->world, f->hero, number_of(f, a), false), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 9), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 0), KN_OK);
    EXPECT(f, "OFF EC SU");
    assert_false(is_active(f, a));
}

// Requests --------------------------------------------------------------------------

static void asks_off_and_on(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    asks_off(f, world, entity, number);
    asks_on(f, world, entity, number);
}

static void asks_on_and_off(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    asks_on(f, world, entity, number);
    asks_off(f, world, entity, number);
}

// CAP-093
static void the_last_request_of_a_hook_counts(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.can_tick = false;
    a->on = asks_off_and_on;
    a->off = asks_on_and_off;
    add(f, begin_set(f, "A"));
    EXPECT(f, "SL SU SD(f) ON");
    assert_true(is_active(f, a));
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT(f, "OFF");
    assert_false(is_active(f, a));
}

static void asks_on_and_blocks(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    asks_on(f, world, entity, number);
    const kn_capability_block block = {.tag = f->x, .source = key_source(1)};
    assert_int_equal(kn_capability_block_add(world, entity, &block), KN_OK);
}

static void asks_on_and_disables(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    asks_on(f, world, entity, number);
    disables_itself(f, world, entity, number);
}

static void asks_on_and_goes(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    asks_on(f, world, entity, number);
    takes_its_set(f, world, entity, number);
}

// CAP-092, CAP-093: it is not switched on if by then it may not be.
static void a_request_that_has_waited_may_be_refused(void **state)
{
    static const struct {
        void (*off)(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number);
        const char *trace;
    } rows[] = {
        {asks_on, "OFF ON"},
        {asks_on_and_blocks, "OFF"},
        {asks_on_and_disables, "OFF"},
        {asks_on_and_goes, "OFF EC EL"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        fixture *f = fixture_create();
        script *a = capability(f, "A");
        a->def.tags = (kn_tags){&f->x, 1};
        a->off = rows[i].off;
        own_set = begin_added(f, "A");
        uint32_t number = number_of(f, a);
        assert_int_equal(kn_capability_deactivate(f->world, f->hero, number), KN_OK);
        EXPECT(f, rows[i].trace);
        fixture_destroy(f);
    }
    (void)state;
}

// CAP-088, CAP-093: the limit of switches does not keep one active that may not be.
static void a_disabled_one_is_switched_off_beyond_the_limit(void **state)
{
    fixture *f = *state;
    kn_capability_rules_def rules = kn_capability_rules_def_default();
    rules.name = "Rules";
    rules.flip_limit = 1;
    assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
    script *a = capability(f, "A");
    a->stops = true;
    (void)begin_added(f, "A");
    a->on = asks_off;
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT(f, "ON");
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(problems(f, KN_CAPABILITY_FAULT_FLIPS, a), 1);
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number_of(f, a)), KN_OK);
    hush(f);
    a->on = disables_itself;
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, a)), KN_OK);
    EXPECT(f, "ON OFF");
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(problems(f, KN_CAPABILITY_FAULT_FLIPS, a), 0);
}

// CAP-126, CAP-138: one whose side falls, or whose set goes, ends inactive whatever it asks for.
static void one_that_ends_is_not_switched_on_again(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->def.side = KN_SIDE_LOCAL;
    a->off = asks_on;
    kn_capability_set_id set = begin_added(f, "A");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 9), KN_OK);
    EXPECT(f, "OFF EC");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 0), KN_OK);
    EXPECT(f, "SU SD(f) ON");
    take(f, set);
    EXPECT(f, "OFF EC EL");
}

// Sets ----------------------------------------------------------------------------------

// CAP-042, CAP-054, CAP-059: outside of runs too.
static void a_hook_may_take_its_own_set_at_any_time(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "AB");
    s[0].on = takes_its_set;
    s[0].stops = true;
    own_set = begin_added(f, "AB");
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, &s[0])), KN_OK);
    EXPECT(f, "ON_A OFF_B EC_B EL_B OFF_A EC_A EL_A");
    add(f, own_set);
    hush(f);
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number_of(f, &s[0])), KN_OK);
    EXPECT(f, "ON_A OFF_B EC_B EL_B OFF_A EC_A EL_A");
    s[0].on = NULL;
    s[0].stops = false;
    s[0].off = takes_its_set;
    add(f, own_set);
    hush(f);
    assert_int_equal(
        kn_capability_set_enabled(f->world, f->hero, number_of(f, &s[0]), false), KN_OK);
    EXPECT(f, "OFF_A OFF_B EC_B EL_B EC_A EL_A");
    assert_int_equal(kn_capability_count(f->world, f->hero).total, 0);
}

static void adds_later(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)number;
    assert_int_equal(kn_capability_set_add(world, entity, later_set, NULL), KN_OK);
    trace(f, " |");
}

// CAP-042, CAP-059
static void what_a_switch_adds_begins_when_it_is_over(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "AB");
    s[0].on = adds_later;
    s[0].stops = true;
    capabilities_done(f);
    kn_capability_set_id set = set_of(f, "S1", "A");
    later_set = set_of(f, "S2", "B");
    begin(f);
    add(f, set);
    hush(f);
    assert_int_equal(kn_capability_activate(f->world, f->hero, number_of(f, &s[0])), KN_OK);
    EXPECT(f, "ON_A | SL_B SU_B ON_B");
}

// The entity and the world ---------------------------------------------------------------

static void destroys_its_entity(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    assert_true(kn_entity_destroy(world, entity));
    assert_int_equal(kn_capability_set_add(world, entity, later_set, NULL), KN_REFUSED_DYING);
    assert_int_equal(kn_capability_deactivate(world, entity, number + 1), KN_OK); // B
}

// CAP-127, CAP-208
static void a_tick_may_destroy_its_entity(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    s[0].tick = destroys_its_entity;
    capabilities_done(f);
    kn_capability_set_id set = set_of(f, "S1", "AB");
    later_set = set_of(f, "S2", "C");
    begin(f);
    add(f, set);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, later_set, NULL), KN_OK);
    hush(f);
    frame(f, 100);
    assert_false(kn_entity_is_alive(f->world, f->hero));
    assert_non_null(strstr(f->log, "TK_A OFF_B"));
    assert_non_null(strstr(f->log, "EC_B EL_B OFF_A EC_A EL_A"));
    assert_non_null(strstr(f->log, "TK_C")); // somebody else's goes on
    assert_int_equal(kn_capability_count(f->world, (kn_entity_id){0}).total, 1);
}

static void shuts_down(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)number;
    if (kn_entity_id_equal(entity, f->ally)) {
        assert_int_equal(kn_capabilities_shut_down(world), KN_OK);
        trace(f, " |");
    }
}

// CAP-127: others end at once, and the one whose hook runs when its run is over.
static void a_hook_may_end_everything(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "AB");
    s[0].tick = shuts_down;
    kn_capability_set_id set = begin_added(f, "AB");
    const kn_entity_id others[] = {f->foe, f->ally};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kn_capability_set_add(f->world, others[i], set, NULL), KN_OK);
    }
    hush(f);
    frame(f, 10);
#define END "OFF_B EC_B EL_B OFF_A EC_A EL_A"
    EXPECT(f, "TK_A TK_B TK_A TK_B TK_A " END " " END " | " END);
#undef END
    assert_int_equal(kn_capability_count(f->world, (kn_entity_id){0}).total, 0);
}

static void adds_to_the_other(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_entity_id other = kn_entity_id_equal(entity, f->hero) ? f->foe : f->hero;
    (void)number;
    (void)kn_capability_set_add(world, other, own_set, NULL);
}

// CAP-208: two that begin each other anew when they end.
static void an_end_without_end_is_reported(void **state)
{
    fixture *f = *state;
    const script none = {0};
    script *a = capabilities(f, "A");
    a->off = adds_to_the_other;
    a->def.start_life = a->def.setup = a->def.end_capability = a->def.end_life = (kn_hook){0};
    own_set = begin_added(f, "A");
    assert_int_equal(kn_capabilities_shut_down(f->world), KN_OK);
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(problems(f, KN_CAPABILITY_FAULT_LOOP, &none), 1);
    a->off = NULL;
    assert_int_equal(kn_capabilities_shut_down(f->world), KN_OK);
    assert_int_equal(kn_capability_count(f->world, (kn_entity_id){0}).total, 0);
}

static void steps_the_world(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    assert_int_equal(kn_world_step(world, KN_MS(10)), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_capability_activate(world, entity, number + 77), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_capability_set_interval(world, entity, number, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_capability_set_add(world, (kn_entity_id){0}, own_set, NULL), KN_REFUSED_STALE_ID);
}

// CAP-208
static void mistakes_of_hooks_are_return_codes(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A");
    a->tick = steps_the_world;
    own_set = begin_added(f, "A");
    frame(f, 100);
    EXPECT(f, "SD(f) TK(100)");
}

// What hooks are given ----------------------------------------------------------------------

typedef struct given {
    fixture *f;
    kn_entity_id entity;
    uint32_t index1, number, set_number, calls;
    kn_time dt;
} given;

static kn_result hook_given(void *user, const kn_hook_call *call)
{
    given *g = user;
    const kn_capability_call *c = call->arguments;
    assert_ptr_equal(call->world, g->f->world);
    assert_ptr_equal(call->writable, g->f->world);
    const uint32_t *count = kn_capability_read_state(call->world, call->entity, c->number);
    assert_non_null(count);
    assert_int_equal(*count, g->calls);
    ++*(uint32_t *)kn_capability_state(call->writable, call->entity, c->number);
    g->calls++;
    g->entity = call->entity;
    g->index1 = call->index1;
    g->number = c->number;
    g->set_number = c->set_number;
    g->dt = c->dt;
    return KN_OK;
}

// CAP-057
static void hooks_are_given_who_where_and_how_long(void **state)
{
    fixture *f = *state;
    const kn_field count = KN_FIELD_INIT("count", KN_FIELD_U32, 0, 1);
    given g = {.f = f};
    script *s = capabilities(f, "AB");
    s[1].def.state = &count;
    s[1].def.state_count = 1;
    s[1].def.start_life = s[1].def.setup = s[1].def.activated = s[1].def.tick =
        s[1].def.deactivated = s[1].def.end_capability = s[1].def.end_life =
            (kn_hook){hook_given, &g};
    capabilities_done(f);
    kn_capability_set_id first = set_of(f, "S1", "A"), second = set_of(f, "S2", "AB");
    begin(f);
    assert_int_equal(kn_capability_set_add(f->world, f->foe, first, NULL), KN_OK);
    uint32_t number = 0;
    assert_int_equal(kn_capability_set_add(f->world, f->foe, second, &number), KN_OK);
    assert_int_equal(g.calls, 3);
    assert_true(kn_entity_id_equal(g.entity, f->foe));
    assert_int_equal(g.index1, s[1].id.index1);
    assert_int_equal(g.number, kn_capability_number(f->world, f->foe, s[1].id, 0));
    assert_int_equal(g.set_number, number);
    assert_true(g.dt == 0);
    frame(f, 30);
    assert_int_equal(g.calls, 4);
    assert_true(g.dt == KN_MS(30));
    assert_int_equal(kn_capability_set_remove(f->world, f->foe, second), KN_OK);
    assert_int_equal(g.calls, 7);
    assert_int_equal(g.set_number, number);
}

static const struct CMUnitTest tests[] = {
    TEST(one_that_disables_itself_while_it_is_set_up_stays_off),
    TEST(a_disabled_one_is_set_up_inactive),
    TEST(the_last_request_of_a_hook_counts),
    TEST(a_request_that_has_waited_may_be_refused),
    TEST(a_disabled_one_is_switched_off_beyond_the_limit),
    TEST(one_that_ends_is_not_switched_on_again),
    TEST(a_hook_may_take_its_own_set_at_any_time),
    TEST(what_a_switch_adds_begins_when_it_is_over),
    TEST(a_tick_may_destroy_its_entity),
    TEST(a_hook_may_end_everything),
    TEST(an_end_without_end_is_reported),
    TEST(mistakes_of_hooks_are_return_codes),
    TEST(hooks_are_given_who_where_and_how_long),
};

TEST_GROUP(capability_hooks, tests, NULL, NULL);
