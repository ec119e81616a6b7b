// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who may start, cancel and end abilities where: the tables of net execution and security.

#include "scenario/ability_replay.h"

// The security of section 1.21 as a table: what a client's requests become on the server.
static bool security_honours(kn_net_security security, kn_net_request request)
{
    static const bool honours[KN_NET_SECURITY_COUNT][2] = {
        [KN_NET_SECURITY_CLIENT_OR_SERVER] = {true, true},
        [KN_NET_SECURITY_SERVER_ONLY_EXECUTION] = {false, true},
        [KN_NET_SECURITY_SERVER_ONLY_TERMINATION] = {true, false},
        [KN_NET_SECURITY_SERVER_ONLY_ALL] = {false, false},
    };
    return honours[security][request != KN_REQUEST_ACTIVATE];
}

// TVA-025, ABI-136
static void the_server_honours_what_the_security_allows_and_nothing_else(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < KN_NET_SECURITY_COUNT; s++) {
        for (uint32_t e = 0; e < KN_NET_EXECUTION_COUNT; e++) {
            for (uint32_t r = 0; r < KN_REQUEST_COUNT; r++) {
                kn_net_verdict verdict = kn_net_decide((kn_net_request)r, KN_NET_ORIGIN_PEER,
                    KN_ROLE_SERVER, (kn_net_execution)e, (kn_net_security)s);
                bool expected =
                    security_honours((kn_net_security)s, (kn_net_request)r) &&
                    e != KN_NET_EXECUTION_LOCAL_ONLY; // that one does not run on a server
                bool runs = verdict == KN_NET_VERDICT_RUN || verdict == KN_NET_VERDICT_RUN_AND_SEND;
                assert_int_equal(runs, expected);
                assert_true(runs || verdict == KN_NET_VERDICT_REFUSE);
            }
        }
    }
}

// Where an ability runs when somebody asks for it, as letters in order: the client C, the server S.
static void places(char *out, kn_net_execution execution, bool asked_on_server)
{
    kn_net_role here = asked_on_server ? KN_ROLE_SERVER : KN_ROLE_OWNER;
    kn_net_role there = asked_on_server ? KN_ROLE_OWNER : KN_ROLE_SERVER;
    char letters[2] = {asked_on_server ? 'S' : 'C', asked_on_server ? 'C' : 'S'};
    kn_net_verdict first = kn_net_decide(
        KN_REQUEST_ACTIVATE, KN_NET_ORIGIN_HERE, here, execution, KN_NET_SECURITY_CLIENT_OR_SERVER);
    uint32_t length = 0;
    if (first == KN_NET_VERDICT_RUN || first == KN_NET_VERDICT_RUN_AND_SEND) {
        out[length++] = letters[0];
    }
    if (first == KN_NET_VERDICT_RUN_AND_SEND || first == KN_NET_VERDICT_REQUEST) {
        // An ask is carried out as if the other side had asked itself, as far as it may.
        kn_net_verdict second = kn_net_decide(KN_REQUEST_ACTIVATE, KN_NET_ORIGIN_PEER, there,
            execution, KN_NET_SECURITY_CLIENT_OR_SERVER);
        if (second == KN_NET_VERDICT_RUN || second == KN_NET_VERDICT_RUN_AND_SEND) {
            out[length++] = letters[1];
        }
        if (second == KN_NET_VERDICT_RUN_AND_SEND) {
            out[length++] = letters[0];
        }
    }
    out[length] = 0;
}

// TVA-024, ABI-050, ABI-092
static void abilities_run_where_their_policy_says_in_its_order(void **state)
{
    (void)state;
    static const char *const from_client[KN_NET_EXECUTION_COUNT] = {
        [KN_NET_EXECUTION_LOCAL_PREDICTED] = "CS",
        [KN_NET_EXECUTION_LOCAL_ONLY] = "C",
        [KN_NET_EXECUTION_SERVER_ONLY] = "S",
        [KN_NET_EXECUTION_SERVER_INITIATED] = "SC",
    };
    static const char *const from_server[KN_NET_EXECUTION_COUNT] = {
        [KN_NET_EXECUTION_LOCAL_PREDICTED] = "C", // which then asks the server, as ever
        [KN_NET_EXECUTION_LOCAL_ONLY] = "C",
        [KN_NET_EXECUTION_SERVER_ONLY] = "S",
        [KN_NET_EXECUTION_SERVER_INITIATED] = "SC",
    };
    for (uint32_t e = 0; e < KN_NET_EXECUTION_COUNT; e++) {
        char order[4];
        places(order, (kn_net_execution)e, false);
        assert_string_equal(order, from_client[e]);
        places(order, (kn_net_execution)e, true);
        assert_string_equal(order, from_server[e]);
    }
}

// TVA-024, ABI-005
static void an_observer_runs_nothing_and_an_authority_everything_of_its_own(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < KN_NET_SECURITY_COUNT * KN_NET_EXECUTION_COUNT; n++) {
        kn_net_execution execution = (kn_net_execution)(n % KN_NET_EXECUTION_COUNT);
        kn_net_security security = (kn_net_security)(n / KN_NET_EXECUTION_COUNT);
        for (uint32_t r = 0; r < KN_REQUEST_COUNT; r++) {
            kn_net_request request = (kn_net_request)r;
            for (uint32_t o = 0; o < KN_NET_ORIGIN_COUNT; o++) {
                assert_int_equal(
                    kn_net_decide(request, (kn_net_origin)o, KN_ROLE_OBSERVER, execution, security),
                    KN_NET_VERDICT_REFUSE);
            }
            assert_int_equal(
                kn_net_decide(request, KN_NET_ORIGIN_HERE, KN_ROLE_AUTHORITY, execution, security),
                KN_NET_VERDICT_RUN);
            assert_int_equal(
                kn_net_decide(request, KN_NET_ORIGIN_PEER, KN_ROLE_AUTHORITY, execution, security),
                KN_NET_VERDICT_REFUSE); // no client has a say
        }
    }
}

// ABI-136
static void numbers_nobody_knows_are_refused(void **state)
{
    (void)state;
    const uint32_t absurd[3] = {100, 0x7fffffffu, 17};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t a = absurd[i];
        for (uint32_t o = 0; o < KN_NET_ORIGIN_COUNT; o++) {
            kn_net_origin origin = (kn_net_origin)o;
            for (uint32_t r = KN_ROLE_AUTHORITY; r < KN_ROLE_COUNT; r++) {
                kn_net_role role = (kn_net_role)r;
                assert_int_equal(
                    kn_net_decide((kn_net_request)a, origin, role, KN_NET_EXECUTION_LOCAL_PREDICTED,
                        KN_NET_SECURITY_CLIENT_OR_SERVER),
                    KN_NET_VERDICT_REFUSE);
                assert_int_equal(kn_net_decide(KN_REQUEST_ACTIVATE, origin, role,
                                     (kn_net_execution)a, KN_NET_SECURITY_CLIENT_OR_SERVER),
                    KN_NET_VERDICT_REFUSE);
                assert_int_equal(kn_net_decide(KN_REQUEST_END, origin, role,
                                     KN_NET_EXECUTION_LOCAL_PREDICTED, (kn_net_security)a),
                    KN_NET_VERDICT_REFUSE);
            }
            assert_int_equal(
                kn_net_decide(KN_REQUEST_ACTIVATE, origin, (kn_net_role)a,
                    KN_NET_EXECUTION_LOCAL_PREDICTED, KN_NET_SECURITY_CLIENT_OR_SERVER),
                KN_NET_VERDICT_REFUSE);
        }
    }
}

// Roles ---------------------------------------------------------------------

typedef struct role_case {
    bool is_client;
    uint32_t world_connection;
    uint32_t entity_connection;
    kn_net_role role;
    bool is_local;
} role_case;

static const role_case roles[] = {
    {false, 0, 0, KN_ROLE_AUTHORITY, true}, // one player, AI on a server
    {false, 0, 5, KN_ROLE_SERVER, false},   // a server without a player
    {false, 5, 5, KN_ROLE_AUTHORITY, true}, // the player at the server
    {false, 5, 6, KN_ROLE_SERVER, false},   // another player
    {false, 5, 0, KN_ROLE_AUTHORITY, true}, // nobody's vehicle
    {true, 5, 5, KN_ROLE_OWNER, true},      // one's own
    {true, 5, 6, KN_ROLE_OBSERVER, false},  // somebody else's
    {true, 5, 0, KN_ROLE_OBSERVER, false},  // the server's
    {true, 0, 0, KN_ROLE_OBSERVER, false},  // a client that is nobody yet
};

static void role_check(fixture *f, const role_case *c)
{
    kn_world_def def = kn_world_def_default();
    def.is_client = c->is_client;
    def.connection = c->world_connection;
    def.library = f->library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    assert_int_equal(kn_entity_set_connection(world, entity, c->entity_connection), KN_OK);
    assert_int_equal(kn_entity_connection(world, entity), c->entity_connection);
    assert_int_equal(kn_entity_role(world, entity), c->role);
    assert_int_equal(kn_entity_is_local(world, entity), c->is_local);
    kn_world_destroy(world);
}

// ABI-014, ABI-070
static void a_machine_knows_its_role_for_an_entity(void **state)
{
    fixture *f = *state;
    begin(f);
    for (uint32_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        role_check(f, &roles[i]);
    }
}

static kn_result ask_about_itself(const kn_ability_call *call)
{
    kn_net_role role = kn_entity_role(call->world, call->owner);
    note(call->user, "%s, %s. ", kn_entity_is_local(call->world, call->owner) ? "local" : "remote",
        role == KN_ROLE_AUTHORITY || role == KN_ROLE_SERVER ? "authority" : "client");
    return KN_OK;
}

// ABI-005, ABI-014, TVA-003
static void policies_keep_abilities_from_the_wrong_machine(void **state)
{
    fixture *f = *state;
    kn_ability_type_id types[KN_NET_EXECUTION_COUNT];
    const char *const names[KN_NET_EXECUTION_COUNT] = {"Predicted", "Local", "Server", "First"};
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.activate = ask_about_itself;
        def.ended = NULL;
        def.net_execution = (kn_net_execution)i;
        def.net_security = i == KN_NET_EXECUTION_SERVER_ONLY ? KN_NET_SECURITY_SERVER_ONLY_ALL
                                                             : KN_NET_SECURITY_CLIENT_OR_SERVER;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    kn_ability_id abilities[KN_NET_EXECUTION_COUNT];
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        abilities[i] = grant(f, types[i]);
    }
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 5), KN_OK); // now a server's
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        bool runs = i == KN_NET_EXECUTION_SERVER_ONLY || i == KN_NET_EXECUTION_SERVER_INITIATED;
        assert_int_equal(
            kn_ability_check(f->world, abilities[i], NULL), runs ? 0 : (int)KN_FAIL_NETWORKING);
        assert_int_equal(kn_ability_activate(f->world, abilities[i], NULL, NULL),
            runs ? KN_OK : KN_REFUSED_BLOCKED);
    }
    EXPECT_LOG(f, "remote, authority. remote, authority. ");
    check_replay(f, KN_S(1));
    // The same state on the client that owns the hero.
    kn_world_def client = kn_world_def_default();
    client.is_client = true;
    client.connection = 5;
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 2);
    size_t size;
    void *bytes = save_of(f->world, &size);
    kn_world *world;
    client.library = f->library;
    assert_int_equal(kn_world_create(&client, &world), KN_OK);
    assert_int_equal(kn_save_read(world, bytes, size, NULL), KN_OK);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        bool runs = i == KN_NET_EXECUTION_LOCAL_ONLY || i == KN_NET_EXECUTION_LOCAL_PREDICTED;
        assert_int_equal(
            kn_ability_check(world, abilities[i], NULL), runs ? 0 : (int)KN_FAIL_NETWORKING);
        assert_int_equal(kn_ability_activate(world, abilities[i], NULL, NULL),
            runs ? KN_OK : KN_REFUSED_BLOCKED);
    }
    EXPECT_LOG(f, "local, client. local, client. ");
    kn_tag tag;
    assert_int_equal(kn_ability_fail_tags(world, KN_FAIL_NETWORKING, &tag, 1), 1);
    assert_string_equal(kn_tag_name(f->library, tag), "Activation.Fail.Networking");
    kn_world_destroy(world);
    // And on a client that only looks on: none.
    client.connection = 6;
    assert_int_equal(kn_world_create(&client, &world), KN_OK);
    assert_int_equal(kn_save_read(world, bytes, size, NULL), KN_OK);
    free(bytes);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        assert_int_equal(kn_ability_check(world, abilities[i], NULL), KN_FAIL_NETWORKING);
        assert_int_equal(kn_ability_activate(world, abilities[i], NULL, NULL), KN_REFUSED_BLOCKED);
    }
    assert_int_equal(kn_activations(world, f->hero, NULL, 0), 0);
    EXPECT_LOG(f, "");
    kn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_server_honours_what_the_security_allows_and_nothing_else),
    cmocka_unit_test(abilities_run_where_their_policy_says_in_its_order),
    cmocka_unit_test(an_observer_runs_nothing_and_an_authority_everything_of_its_own),
    cmocka_unit_test(numbers_nobody_knows_are_refused),
    TEST(a_machine_knows_its_role_for_an_entity),
    TEST(policies_keep_abilities_from_the_wrong_machine),
};

TEST_GROUP(ability_roles, tests, NULL, NULL);
