// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cooldowns that start with the activation, and commits of single cooldowns by key.

#include "scenario/ability_fixture.h"

typedef struct kit {
    kn_tag global;
    kn_ability_type_id cast, other;
} kit;

// Both share a global cooldown of 1 s that starts at the press; the cast has one of its own, 5 s.
static kit kit_begin(fixture *f, kn_commit_policy commit, float charges, bool per_execution)
{
    kit k = {.global = tag_of(f, "Cooldown.Global")};
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(1.0f), kn_cooldown_seconds(5.0f)};
    cooldowns[0].key = k.global;
    cooldowns[0].starts = KN_COOLDOWN_AT_ACTIVATION;
    cooldowns[0].charges = kn_constant(charges);
    cooldowns[1].charges = kn_constant(charges);
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = f->mana;
    cost.amount = kn_constant(30.0f);
    kn_ability_def def = ability_def(f, "Cast");
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    def.costs = &cost;
    def.cost_count = 1;
    def.commit = commit;
    def.instancing = per_execution ? KN_INSTANCING_PER_EXECUTION : KN_INSTANCING_PER_ACTOR;
    k.cast = ability_register(f, &def);
    def.name = "Other";
    def.cooldown_count = 1;
    def.cost_count = 0;
    k.other = ability_register(f, &def);
    begin(f);
    return k;
}

static uint32_t charges_of(const fixture *f, kn_ability_id ability, kn_tag key)
{
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, ability, key, &info));
    return info.charges;
}

static void a_global_cooldown_starts_at_the_press_and_lets_the_commit_through(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast), other = grant(f, k.other);
    kn_tag none = {0};
    kn_activation_id casting = activate(f, cast);
    assert_int_equal(charges_of(f, cast, k.global), 0);
    assert_int_equal(charges_of(f, cast, none), 1);
    assert_int_equal(kn_ability_check(f->world, other, NULL), KN_FAIL_COOLDOWN);
    assert_int_equal(event_count(f, KN_EVENT_ABILITY_COMMITTED), 0);
    step_seconds(f, 0.5);
    assert_int_equal(kn_activation_commit(f->world, casting), KN_OK); // while it still runs
    assert_int_equal(charges_of(f, cast, none), 0);
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, cast, k.global, &info));
    assert_int_equal(info.remaining, KN_MS(500)); // it did not start again
    assert_near(value_of(f, f->mana), 70.0f);
    assert_int_equal(kn_activation_commit(f->world, casting), KN_REFUSED_COOLDOWN); // a second one
    step_seconds(f, 0.5);
    assert_int_equal(kn_ability_check(f->world, other, NULL), 0);
    assert_int_equal(kn_ability_check(f->world, cast, NULL), KN_FAIL_COOLDOWN | KN_FAIL_ACTIVE);
}

static void a_commit_after_the_cooldown_does_not_start_it_again(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast);
    kn_activation_id casting = activate(f, cast);
    step_seconds(f, 2.0);
    assert_int_equal(kn_activation_commit_cooldown(f->world, casting), KN_OK);
    assert_int_equal(charges_of(f, cast, k.global), 1);
}

static void it_starts_even_if_the_ability_never_commits(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast);
    assert_int_equal(kn_activation_cancel(f->world, activate(f, cast)), KN_OK);
    assert_int_equal(charges_of(f, cast, k.global), 0);
    assert_int_equal(kn_ability_check(f->world, cast, NULL), KN_FAIL_COOLDOWN);
    assert_near(value_of(f, f->mana), 100.0f);
}

static void a_refused_activation_starts_nothing(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast);
    set_base(f, f->hero, f->mana, 10.0f);
    assert_int_equal(kn_ability_activate(f->world, cast, NULL, NULL), KN_REFUSED_COST);
    assert_int_equal(charges_of(f, cast, k.global), 1);
}

static void with_a_commit_at_use_both_start_once(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_AT_USE, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast);
    kn_tag none = {0};
    (void)activate(f, cast);
    assert_int_equal(charges_of(f, cast, k.global), 0);
    assert_int_equal(charges_of(f, cast, none), 0);
    assert_near(value_of(f, f->mana), 70.0f);
}

static void each_activation_spends_a_charge_of_its_own(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 2.0f, true);
    kn_ability_id cast = grant(f, k.cast);
    kn_tag none = {0};
    kn_activation_id first = activate(f, cast), second = activate(f, cast);
    assert_int_equal(charges_of(f, cast, k.global), 0);
    assert_int_equal(kn_ability_check(f->world, cast, NULL), KN_FAIL_COOLDOWN);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    uint64_t after = 0;
    for (uint32_t i = 0; i < 2; i++) { // again after going back
        assert_int_equal(kn_activation_commit(f->world, first), KN_OK);
        assert_int_equal(kn_activation_commit(f->world, second), KN_OK);
        assert_int_equal(charges_of(f, cast, none), 0);
        kn_world *loaded = world_loaded(f, kn_world_def_default());
        assert_int_equal(kn_activation_commit(loaded, first), KN_REFUSED_COOLDOWN);
        kn_world_destroy(loaded);
        step_seconds(f, 1.5);
        assert_int_equal(charges_of(f, cast, k.global), 1);
        after = i == 0 ? kn_world_hash(f->world) : after;
        assert_int_equal(kn_world_hash(f->world), after);
        snapshot_restore(f->world, snapshot, size);
    }
    free(snapshot);
}

static void a_commit_in_a_loaded_world_still_leaves_it_out(void **state)
{
    fixture *f = *state;
    kit k = kit_begin(f, KN_COMMIT_EXPLICIT, 1.0f, false);
    kn_ability_id cast = grant(f, k.cast);
    kn_activation_id casting = activate(f, cast);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_int_equal(kn_activation_commit(loaded, casting), KN_OK);
    assert_int_equal(kn_activation_commit(f->world, casting), KN_OK);
    assert_same_worlds(f->world, loaded);
    kn_world_destroy(loaded);
}

static void single_cooldowns_are_committed_by_key(void **state)
{
    fixture *f = *state;
    kn_tag shared = tag_of(f, "Cooldown.School"), unknown = tag_of(f, "Cooldown.None");
    kn_tag none = {0};
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(2.0f), kn_cooldown_seconds(5.0f)};
    cooldowns[0].key = shared;
    kn_ability_def def = ability_def(f, "Bolt");
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    kn_activation_id run = activate(f, bolt);
    step(f, 0);
    assert_int_equal(kn_activation_commit_cooldown_key(f->world, run, shared), KN_OK);
    assert_int_equal(charges_of(f, bolt, shared), 0);
    assert_int_equal(charges_of(f, bolt, none), 1);
    kn_event event = published_event(f, KN_EVENT_ABILITY_COMMITTED);
    assert_int_equal(kn_ability_event_tags(f->world, &event).data[0].index1, shared.index1);
    assert_int_equal(kn_activation_commit_cooldown_key(f->world, run, shared), KN_REFUSED_COOLDOWN);
    assert_int_equal(
        published_event(f, KN_EVENT_ABILITY_FAILED).data.ability.reasons, KN_FAIL_COOLDOWN);
    assert_int_equal(
        kn_activation_commit_cooldown_key(f->world, run, unknown), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_activation_commit_cooldown_key(f->world, run, none), KN_OK);
    assert_int_equal(charges_of(f, bolt, none), 0);
    // Nothing is left to start; a second commit is a new one.
    assert_int_equal(kn_activation_commit(f->world, run), KN_OK);
    assert_int_equal(kn_activation_commit(f->world, run), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_activation_end(f->world, run), KN_OK);
    assert_int_equal(kn_activation_commit_cooldown_key(f->world, run, none), KN_REFUSED_STALE_ID);
}

// Two charges: one is spent by key, and the commit that follows leaves the other.
static void a_commit_starts_only_what_was_not_committed_by_key(void **state)
{
    fixture *f = *state;
    kn_tag shared = tag_of(f, "Cooldown.School"), none = {0};
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(4.0f), kn_cooldown_seconds(5.0f)};
    cooldowns[0].key = shared;
    cooldowns[0].charges = kn_constant(2.0f);
    kn_ability_def def = ability_def(f, "Bolt");
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    kn_activation_id run = activate(f, bolt);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_activation_commit_cooldown_key(f->world, run, shared), KN_OK);
    assert_int_equal(charges_of(f, bolt, shared), 1);
    assert_int_not_equal(kn_world_hash(f->world), before);
    step(f, KN_S(1));

    // It is part of the state.
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    assert_same_worlds(f->world, loaded);
    for (uint32_t i = 0; i < 3; i++) {
        kn_world *world = i == 2 ? loaded : f->world;
        assert_int_equal(kn_activation_commit(world, run), KN_OK);
        kn_cooldown_info info;
        assert_true(kn_ability_charges(world, bolt, shared, &info));
        assert_int_equal(info.charges, 1);
        assert_int_equal(info.remaining, KN_S(3));
        assert_true(kn_ability_charges(world, bolt, none, &info));
        assert_int_equal(info.charges, 0);
        assert_int_equal(info.remaining, KN_S(5));
        if (i == 0) {
            snapshot_restore(f->world, snapshot, size);
        }
    }
    assert_same_worlds(f->world, loaded);
    kn_world_destroy(loaded);
    free(snapshot);
    // The next commit is of everything again.
    step(f, KN_S(5));
    assert_int_equal(kn_activation_commit(f->world, run), KN_OK);
    assert_int_equal(charges_of(f, bolt, shared), 1);
    assert_int_equal(charges_of(f, bolt, none), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_global_cooldown_starts_at_the_press_and_lets_the_commit_through),
    TEST(a_commit_after_the_cooldown_does_not_start_it_again),
    TEST(it_starts_even_if_the_ability_never_commits),
    TEST(a_refused_activation_starts_nothing),
    TEST(with_a_commit_at_use_both_start_once),
    TEST(each_activation_spends_a_charge_of_its_own),
    TEST(a_commit_in_a_loaded_world_still_leaves_it_out),
    TEST(single_cooldowns_are_committed_by_key),
    TEST(a_commit_starts_only_what_was_not_committed_by_key),
};

TEST_GROUP(ability_cooldown_starts, tests, NULL, NULL);
