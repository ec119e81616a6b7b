// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the log says about things that only a transport can do.

#include "ability/actor.h"

#include "scenario/ability_fixture.h"

static void keep_line(void *user, const kn_log_entry *entry)
{
    fixture *f = user;
    if (entry->category == KN_LOG_ABILITIES) {
        note(f, "%s\n", entry->message);
    }
}

// ABI-077: the client learns that its activation failed, by key and name.
static void a_client_hears_of_a_rejection_with_its_key(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Meteor";
    kn_ability_type_id type = ability_register(f, &def);
    kn_world_def world = kn_world_def_default();
    world.hooks.log_fn = keep_line;
    world.hooks.log_user = f;
    begin_with(f, world);
    kn_ability_id meteor = grant(f, type);
    kn_activation_id activation;
    for (uint32_t i = 0; i < 2; i++) {
        do { // until the key is 109
            activation = activate(f, meteor);
            if (activation.generation < 109) {
                assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
            }
        } while (activation.generation < 109);
        uint32_t slot = kni_activation_find(f->world, activation);
        assert_int_equal(kni_enter(f->world), KN_OK);
        kni_activation_end_now(f->world, slot, KN_ENDED_REJECTED);
        assert_int_equal(kni_leave(f->world, KN_OK), KN_OK);
        EXPECT_LOG(f, i == 0
                          ? "" // by default nothing is said
                          : "0.000 s  entity 1  activation of Meteor failed, key 110: rejected by "
                            "the server\n");
        assert_int_equal(kn_log_set_level(f->world, KN_LOG_ABILITIES, KN_LOG_INFO), KN_OK);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_client_hears_of_a_rejection_with_its_key),
};

TEST_GROUP(test_log, tests, NULL, NULL);
