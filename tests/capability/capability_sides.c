// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which machine runs a capability: the table of sides, owners of owners, and control that changes
// hands. Every machine is a world of this process; capability_net.c has real sessions.

#include "capability/capability_test.h"

// Machines as the table of the specification has them: DS dedicated server, LH listen server with
// the pawn of its host, LR listen server with the pawn of somebody else, OC the client that
// controls the pawn, XC another client, SA standalone.
enum { DS, LH, LR, OC, XC, SA, MACHINES };

static const struct {
    bool is_client, is_dedicated;
    uint32_t connection, pawn;
} machines[MACHINES] = {
    [DS] = {false, true, 0, 1},
    [LH] = {false, false, 1, 1},
    [LR] = {false, false, 1, 2},
    [OC] = {true, false, 2, 2},
    [XC] = {true, false, 3, 2},
    [SA] = {false, false, 0, 0},
};

static const bool pawn_sides[KN_SIDE_COUNT][MACHINES] = {
    [KN_SIDE_ALWAYS] = {1, 1, 1, 1, 1, 1},
    [KN_SIDE_AUTHORITY] = {1, 1, 1, 0, 0, 1},
    [KN_SIDE_LOCAL] = {0, 1, 0, 1, 0, 1},
    [KN_SIDE_AUTHORITY_AND_LOCAL] = {1, 1, 1, 1, 0, 1},
    [KN_SIDE_OWNER_LOCAL] = {0, 1, 0, 1, 0, 1},
    [KN_SIDE_CLIENTS] = {0, 1, 1, 1, 1, 1},
};

// Of what belongs to the pawn, directly or through something else.
static const bool gadget_sides[KN_SIDE_COUNT][MACHINES] = {
    [KN_SIDE_ALWAYS] = {1, 1, 1, 1, 1, 1},
    [KN_SIDE_AUTHORITY] = {1, 1, 1, 0, 0, 1},
    [KN_SIDE_LOCAL] = {0, 0, 0, 0, 0, 0},
    [KN_SIDE_AUTHORITY_AND_LOCAL] = {1, 1, 1, 0, 0, 1},
    [KN_SIDE_OWNER_LOCAL] = {0, 1, 0, 1, 0, 1},
    [KN_SIDE_CLIENTS] = {0, 1, 1, 1, 1, 1},
};

static const char *const side_names[KN_SIDE_COUNT] = {"A", "B", "C", "D", "E", "F"};

static script *sided(fixture *f, const char *name, kn_capability_side side)
{
    script *s = capability(f, name);
    s->def.side = side;
    capability_done(s);
    return s;
}

static void begin_at(fixture *f, uint32_t machine)
{
    kn_world_def def = kn_world_def_default();
    def.is_client = machines[machine].is_client;
    def.is_dedicated = machines[machine].is_dedicated;
    def.connection = machines[machine].connection;
    begin_with(f, def);
}

// Every machine builds its capabilities itself: nobody sends anything here.
static void give(fixture *f, kn_entity_id entity, kn_capability_set_id set)
{
    assert_int_equal(
        kn_capability_attach(f->world, entity, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC),
        KN_OK);
    assert_int_equal(kn_capability_set_add(f->world, entity, set, NULL), KN_OK);
}

static void expect_sides(const fixture *f, kn_entity_id entity,
    const bool table[KN_SIDE_COUNT][MACHINES], uint32_t machine)
{
    for (uint32_t side = 0; side < KN_SIDE_COUNT; side++) {
        bool is_expected = table[side][machine];
        kn_capability_info info;
        assert_true(kn_capability_get_info(f->world, entity,
            kn_capability_number(f->world, entity, f->scripts[side].id, 0), &info));
        assert_int_equal(info.side, side);
        assert_int_equal(
            kn_capability_runs_here(f->world, entity, (kn_capability_side)side), is_expected);
        assert_int_equal(info.is_set_up, is_expected);
        assert_int_equal(info.is_active, is_expected);
        assert_int_equal(info.is_listed, is_expected);
    }
}

// The table of sides: CAP-136, CAPV-043, CAP-130, CAP-131, CAP-132, CAP-133, CAP-134, CAP-142
static void every_side_runs_where_the_table_says(void **state)
{
    (void)state;
    for (uint32_t machine = 0; machine < MACHINES; machine++) {
        fixture *f = fixture_create();
        for (uint32_t side = 0; side < KN_SIDE_COUNT; side++) {
            (void)sided(f, side_names[side], (kn_capability_side)side);
        }
        kn_capability_set_id set = set_of(f, "S", "ABCDEF");
        begin_at(f, machine);
        // The pawn is the hero, the gadget is the hero's, and the ally is the gadget's.
        assert_int_equal(
            kn_entity_set_connection(f->world, f->hero, machines[machine].pawn), KN_OK);
        assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->hero), KN_OK);
        assert_int_equal(kn_entity_set_owner(f->world, f->ally, f->gadget), KN_OK);
        give(f, f->hero, set);
        give(f, f->gadget, set);
        give(f, f->ally, set);
        expect_sides(f, f->hero, pawn_sides, machine);
        expect_sides(f, f->gadget, gadget_sides, machine);
        expect_sides(f, f->ally, gadget_sides, machine);
        frame(f, 100);
        expect_sides(f, f->hero, pawn_sides, machine);
        expect_sides(f, f->gadget, gadget_sides, machine);
        expect_sides(f, f->ally, gadget_sides, machine);
        fixture_destroy(f);
    }
}

// Whether an ability with this policy runs on a machine, whoever asks for it.
static bool ability_runs(kn_net_role role, kn_net_execution execution)
{
    bool runs = false;
    for (uint32_t origin = 0; origin < KN_NET_ORIGIN_COUNT; origin++) {
        kn_net_verdict verdict = kn_net_decide(KN_REQUEST_ACTIVATE, (kn_net_origin)origin, role,
            execution, KN_NET_SECURITY_CLIENT_OR_SERVER);
        runs = runs || verdict == KN_NET_VERDICT_RUN || verdict == KN_NET_VERDICT_RUN_AND_SEND;
    }
    return runs;
}

// CAP-141: three sides are where abilities of a policy run. Others have no counterpart: abilities
// do not run on observers.
static void sides_are_like_policies_of_abilities(void **state)
{
    static const struct {
        kn_capability_side side;
        kn_net_execution execution;
    } rows[] = {
        {KN_SIDE_LOCAL, KN_NET_EXECUTION_LOCAL_ONLY},
        {KN_SIDE_AUTHORITY, KN_NET_EXECUTION_SERVER_ONLY},
        {KN_SIDE_AUTHORITY_AND_LOCAL, KN_NET_EXECUTION_LOCAL_PREDICTED},
    };
    (void)state;
    for (uint32_t machine = 0; machine < MACHINES; machine++) {
        fixture *f = fixture_create();
        begin_at(f, machine);
        assert_int_equal(
            kn_entity_set_connection(f->world, f->hero, machines[machine].pawn), KN_OK);
        kn_net_role role = kn_entity_role(f->world, f->hero);
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
            assert_int_equal(kn_capability_runs_here(f->world, f->hero, rows[i].side),
                ability_runs(role, rows[i].execution));
        }
        assert_true(kn_capability_runs_here(f->world, f->hero, KN_SIDE_ALWAYS));
        assert_int_equal(
            kn_capability_runs_here(f->world, f->hero, KN_SIDE_CLIENTS), machine != DS);
        fixture_destroy(f);
    }
}

// CAPV-043, CAP-131
static void owners_in_a_circle_control_nothing(void **state)
{
    fixture *f = *state;
    (void)sided(f, "A", KN_SIDE_OWNER_LOCAL);
    kn_capability_set_id set = set_of(f, "S", "A");
    begin(f);
    f->shows_predicates = false;
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->gadget), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->ally), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->ally, f->hero), KN_OK);
    add(f, set);
    assert_false(kn_capability_runs_here(f->world, f->hero, KN_SIDE_OWNER_LOCAL));
    frame(f, 100);
    EXPECT(f, "SL");
}

// A chain of owners, the last of which the authority controls.
static bool chain_reaches(uint32_t steps)
{
    fixture *f = fixture_create();
    (void)sided(f, "A", KN_SIDE_OWNER_LOCAL);
    begin(f);
    kn_entity_id owner = f->foe;
    for (uint32_t i = 0; i < steps; i++) {
        kn_entity_id next;
        assert_int_equal(kn_entity_create(f->world, &next), KN_OK);
        assert_int_equal(kn_entity_set_owner(f->world, next, owner), KN_OK);
        owner = next;
    }
    bool is_here = kn_capability_runs_here(f->world, owner, KN_SIDE_OWNER_LOCAL);
    fixture_destroy(f);
    return is_here;
}

// CAP-131
static void the_way_to_the_owner_is_limited(void **state)
{
    (void)state;
    assert_true(chain_reaches(0));
    assert_true(chain_reaches(KN_CAPABILITY_OWNERS_MAX));
    assert_false(chain_reaches(KN_CAPABILITY_OWNERS_MAX + 1));
}

// A: always, B and C: where the hero is controlled.
static kn_capability_set_id controlled_set(fixture *f)
{
    f->shows_names = true;
    f->shows_predicates = false;
    (void)sided(f, "A", KN_SIDE_ALWAYS);
    (void)sided(f, "B", KN_SIDE_LOCAL);
    (void)sided(f, "C", KN_SIDE_LOCAL);
    return set_of(f, "S", "ABC");
}

// The world of one of two clients, while the first one controls the hero.
static fixture *client_begin(uint32_t connection)
{
    fixture *f = fixture_create();
    kn_capability_set_id set = controlled_set(f);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    def.connection = connection;
    begin_with(f, def);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 1), KN_OK);
    give(f, f->hero, set);
    return f;
}

// CAPV-045, CAP-137, CAP-138, CAP-139
static void control_passes_from_one_client_to_another(void **state)
{
    (void)state;
    fixture *first = client_begin(1), *second = client_begin(2);
    EXPECT(first, "SL_A SL_B SL_C SU_A ON_A SU_B ON_B SU_C ON_C");
    EXPECT(second, "SL_A SL_B SL_C SU_A ON_A");
    assert_int_equal(kn_entity_set_connection(first->world, first->hero, 2), KN_OK);
    assert_int_equal(kn_entity_set_connection(second->world, second->hero, 2), KN_OK);
    EXPECT(first, "OFF_C EC_C OFF_B EC_B");
    EXPECT(second, "SU_B ON_B SU_C ON_C");
    frame(first, 100);
    frame(second, 100);
    EXPECT(first, "TK_A");
    EXPECT(second, "TK_A TK_B TK_C");
    assert_int_equal(kn_entity_set_connection(first->world, first->hero, 1), KN_OK);
    assert_int_equal(kn_entity_set_connection(second->world, second->hero, 1), KN_OK);
    EXPECT(first, "SU_B ON_B SU_C ON_C");
    EXPECT(second, "OFF_C EC_C OFF_B EC_B");
    take(first, kn_capability_set_find(first->library, "S"));
    take(second, kn_capability_set_find(second->library, "S"));
    EXPECT(first, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
    EXPECT(second, "EL_C EL_B OFF_A EC_A EL_A");
    void *ended[] = {first, second};
    (void)teardown_fixture(&ended[0]);
    (void)teardown_fixture(&ended[1]);
}

static void give_away(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)number;
    assert_int_equal(kn_entity_set_connection(world, entity, 7), KN_OK);
}

// CAP-139: not in the middle of a run.
static void control_that_changes_in_a_run_waits_for_its_end(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set = controlled_set(f);
    begin(f);
    add(f, set);
    hush(f);
    f->scripts[0].tick = give_away;
    frame(f, 100);
    EXPECT(f, "TK_A TK_B TK_C OFF_C EC_C OFF_B EC_B");
}

// CAP-135, CAP-137: an AI has no connection, and the authority controls it.
static void the_authority_controls_what_nobody_plays(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set = controlled_set(f);
    kn_world_def def = kn_world_def_default();
    def.is_dedicated = true;
    begin_with(f, def);
    add(f, set);
    EXPECT(f, "SL_A SL_B SL_C SU_A ON_A SU_B ON_B SU_C ON_C");
    // A player takes over, and leaves.
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    EXPECT(f, "OFF_C EC_C OFF_B EC_B");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 0), KN_OK);
    EXPECT(f, "SU_B ON_B SU_C ON_C");
    // It becomes the gadget of another.
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->ally), KN_OK);
    EXPECT(f, "OFF_C EC_C OFF_B EC_B");
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, (kn_entity_id){0}), KN_OK);
    EXPECT(f, "SU_B ON_B SU_C ON_C");
}

// CAP-135
static void who_controls_can_be_said(void **state)
{
    (void)state;
    for (uint32_t machine = 0; machine < MACHINES; machine++) {
        fixture *f = fixture_create();
        begin_at(f, machine);
        kn_entity_id entities[KN_CONTROL_COUNT] = {f->hero, f->foe, f->ally};
        for (uint32_t control = 0; control < KN_CONTROL_COUNT; control++) {
            assert_int_equal(
                kn_entity_set_connection(f->world, entities[control], machines[machine].pawn),
                KN_OK);
            assert_int_equal(kn_capability_attach(f->world, entities[control],
                                 KN_CAPABILITY_MODE_LOCAL, (kn_capability_control)control),
                KN_OK);
        }
        bool is_authority = !machines[machine].is_client;
        bool is_here = pawn_sides[KN_SIDE_LOCAL][machine];
        assert_int_equal(kn_capability_runs_here(f->world, f->hero, KN_SIDE_LOCAL), is_here);
        assert_int_equal(kn_capability_runs_here(f->world, f->foe, KN_SIDE_LOCAL), is_authority);
        assert_false(kn_capability_runs_here(f->world, f->ally, KN_SIDE_LOCAL));
        // The first owner that can be controlled decides: the ally cannot, the foe can.
        assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->ally), KN_OK);
        assert_false(kn_capability_runs_here(f->world, f->gadget, KN_SIDE_OWNER_LOCAL));
        assert_int_equal(kn_entity_set_owner(f->world, f->ally, f->hero), KN_OK);
        assert_int_equal(
            kn_capability_runs_here(f->world, f->gadget, KN_SIDE_OWNER_LOCAL), is_here);
        assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->foe), KN_OK);
        assert_int_equal(
            kn_capability_runs_here(f->world, f->gadget, KN_SIDE_OWNER_LOCAL), is_authority);
        fixture_destroy(f);
    }
}

// CAP-137: something changes two owners away.
static void changes_of_owners_are_followed_in_the_next_run(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    (void)sided(f, "A", KN_SIDE_OWNER_LOCAL);
    kn_capability_set_id set = set_of(f, "S", "A");
    kn_world_def def = kn_world_def_default();
    def.connection = 3;
    begin_with(f, def);
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, f->gadget), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->ally), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->ally, 3), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, f->foe, 5), KN_OK);
    add(f, set);
    EXPECT(f, "SL SU ON");
    assert_int_equal(kn_entity_set_owner(f->world, f->gadget, f->foe), KN_OK);
    frame(f, 100);
    EXPECT(f, "OFF EC");
    assert_int_equal(kn_entity_set_connection(f->world, f->foe, 3), KN_OK);
    frame(f, 100);
    EXPECT(f, "SU ON TK");
    assert_true(kn_entity_destroy(f->world, f->foe));
    frame(f, 100);
    EXPECT(f, "TK"); // the gadget belongs to nobody now, and the authority controls it
    assert_int_equal(kn_entity_set_connection(f->world, f->gadget, 9), KN_OK);
    frame(f, 100);
    EXPECT(f, "OFF EC");
}

// CAP-137: the host of a server begins to play, and stops.
static void the_connection_of_the_world_is_followed(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set = controlled_set(f);
    begin(f);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 2), KN_OK);
    add(f, set);
    EXPECT(f, "SL_A SL_B SL_C SU_A ON_A");
    kn_world_set_connection(f->world, 2);
    frame(f, 100);
    EXPECT(f, "SU_B ON_B SU_C ON_C TK_A TK_B TK_C");
    kn_world_set_connection(f->world, 1);
    assert_int_equal(kn_capabilities_refresh(f->world), KN_OK);
    EXPECT(f, "OFF_C EC_C OFF_B EC_B");
    frame(f, 100);
    EXPECT(f, "TK_A");
}

// CAPV-050, CAP-034, CAP-152 without a session: what belongs to the authority stays as it is, and
// sets of mode local are the client's.
static void a_client_may_not_change_sets_of_the_authority(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set = controlled_set(f);
    kn_capability_collection_def collection = kn_capability_collection_def_default();
    kn_capability_collection_id both;
    collection.name = "Both";
    collection.sets = &set;
    collection.set_count = 1;
    assert_int_equal(
        kn_capability_collection_register(f->library, &collection, &both, NULL), KN_OK);
    begin_at(f, OC);
    uint32_t number = 5;
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_capability_set_add(f->world, f->hero, set, &number), KN_REFUSED_BLOCKED);
    assert_int_equal(number, 0);
    assert_int_equal(kn_capability_set_remove(f->world, f->hero, set), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_capability_collection_add(f->world, f->hero, both), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_capability_collection_remove(f->world, f->hero, both), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_AUTHORITY, KN_CONTROL_AUTOMATIC),
        KN_REFUSED_BLOCKED);
    assert_false(kn_capability_detach(f->world, f->hero));
    assert_true(kn_world_hash(f->world) == hash);
    EXPECT(f, "");
    give(f, f->foe, set);
    assert_int_not_equal(kn_capability_set_number(f->world, f->foe, set), 0);
    assert_int_equal(kn_capability_set_remove(f->world, f->foe, set), KN_OK);
    assert_int_equal(kn_capability_set_number(f->world, f->foe, set), 0);
    assert_int_equal(kn_capability_collection_add(f->world, f->foe, both), KN_OK);
    assert_true(kn_capability_detach(f->world, f->foe));
    assert_int_equal(kn_capability_set_number(f->world, f->foe, set), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_side_runs_where_the_table_says),
    cmocka_unit_test(sides_are_like_policies_of_abilities),
    TEST(owners_in_a_circle_control_nothing),
    cmocka_unit_test(the_way_to_the_owner_is_limited),
    cmocka_unit_test(control_passes_from_one_client_to_another),
    TEST(control_that_changes_in_a_run_waits_for_its_end),
    TEST(the_authority_controls_what_nobody_plays),
    cmocka_unit_test(who_controls_can_be_said),
    TEST(changes_of_owners_are_followed_in_the_next_run),
    TEST(the_connection_of_the_world_is_followed),
    TEST(a_client_may_not_change_sets_of_the_authority),
};

TEST_GROUP(capability_sides, tests, NULL, NULL);
