// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities from grant to end: activation, reasons, costs, cooldowns, tags, cancelling.

#include "scenario/ability_fixture.h"

// ABI-001, ABI-009, ABI-035, ABI-047, ABI-079, ABI-108
static void an_ability_runs_until_it_is_ended(void **state)
{
    fixture *f = *state;
    kn_ability_def jump_def = ability_def(f, "Jump"), aim_def = ability_def(f, "Aim");
    kn_ability_type_id jump_type = ability_register(f, &jump_def);
    kn_ability_type_id aim_type = ability_register(f, &aim_def);
    begin(f);
    kn_ability_id jump = grant(f, jump_type), aim = grant(f, aim_type);
    assert_false(kn_ability_is_active(f->world, jump));
    kn_activation_id jumping = activate(f, jump), aiming = activate(f, aim);
    assert_true(kn_ability_is_active(f->world, jump));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 2);
    EXPECT_LOG(f, "Jump activates. Aim activates. ");
    assert_int_equal(kn_activation_end(f->world, jumping), KN_OK);
    assert_int_equal(kn_activation_cancel(f->world, aiming), KN_OK);
    EXPECT_LOG(f, "Jump: ended. Aim: cancelled. ");
    assert_int_equal(kn_activation_end(f->world, jumping), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_activate(f->world, jump, NULL, NULL), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, jump, NULL, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_ability_check(f->world, jump, NULL), KN_FAIL_ACTIVE);
}

static kn_result commit_and_end(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    note(call->user, result == KN_OK ? "paid. " : "not paid. ");
    return kn_activation_end(call->world, call->activation);
}

// ABI-110, ABI-111, ABI-112, ABI-115, CST-001, CDN-001, MAP-040, MAP-041
static void a_commit_pays_the_cost_and_starts_the_cooldown(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(40.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(3.0f);
    cooldown.key = tag_of(f, "Cooldown.Bolt");
    kn_ability_def def = ability_def(f, "Bolt");
    def.activate = commit_and_end;
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    activate(f, bolt);
    assert_true(value_of(f, f->mana) == 60.0f);
    assert_true(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    assert_int_equal(kn_ability_check(f->world, bolt, NULL), KN_FAIL_COOLDOWN);
    assert_int_equal(kn_ability_activate(f->world, bolt, NULL, NULL), KN_REFUSED_COOLDOWN);
    step(f, KN_S(1));
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, bolt, &remaining, &total));
    assert_int_equal(remaining, KN_S(2));
    assert_int_equal(total, KN_S(3));
    step(f, KN_S(2));
    assert_false(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    activate(f, bolt);
    step(f, KN_S(3));
    assert_true(value_of(f, f->mana) == 20.0f);
    assert_int_equal(kn_ability_activate(f->world, bolt, NULL, NULL), KN_REFUSED_COST);
    char text[128];
    kn_ability_explain_print(f->world, bolt, NULL, text, sizeof(text));
    assert_string_equal(text, "Bolt: needs 40 Vitals.Mana, has 20");
}

enum { FIRST, SECOND };

static kn_result wait_twice(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, FIRST, KN_MS(250));
}

static void waited(const kn_ability_call *call, const kn_task_result *result)
{
    note(call->user, "%u at %d ms. ", result->label, (int)(kn_world_now(call->world) / 1000));
    if (result->label == FIRST) {
        assert_int_equal(kn_wait_delay(call->world, call->activation, SECOND, KN_MS(100)), KN_OK);
    } else {
        assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
    }
}

// TASK-001, TASK-005, TASK-018, ABI-008
static void a_task_tells_its_ability_at_the_exact_time(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Wait");
    def.activate = wait_twice;
    def.task_done = waited;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    assert_int_equal(kn_task_count(f->world), 1);
    step(f, KN_S(1));
    EXPECT_LOG(f, "0 at 250 ms. 1 at 350 ms. Wait: ended. ");
    assert_int_equal(kn_task_count(f->world), 0);
}

// ABI-103, MTG-006
static void tags_added_to_an_ability_count_as_tags_of_its_source(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "Element.Fire");
    kn_effect_def burn = infinite("Burn");
    burn.application.source.required = (kn_tags){&fire, 1};
    kn_effect_type_id type = effect_register(f, &burn);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 10.0f);
    modifier.source.required = (kn_tags){&fire, 1};
    kn_effect_def warm = instant("Warm");
    warm.modifiers = &modifier;
    warm.modifier_count = 1;
    kn_effect_type_id warmth = effect_register(f, &warm);
    kn_ability_def def = ability_def(f, "Torch");
    kn_ability_type_id torch = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, torch);
    kn_activation_id activation = activate(f, ability);
    assert_int_equal(
        kn_activation_apply(f->world, activation, type, f->foe, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_activation_apply(f->world, activation, warmth, f->hero, NULL), KN_OK);
    assert_true(value_of(f, f->health) == 100.0f);
    assert_int_equal(kn_ability_add_tag(f->world, ability, fire), KN_OK);
    assert_int_equal(kn_activation_apply(f->world, activation, type, f->foe, NULL), KN_OK);
    assert_int_equal(kn_activation_apply(f->world, activation, warmth, f->hero, NULL), KN_OK);
    assert_true(value_of(f, f->health) == 110.0f);
    // The tag is the ability's, not the hero's.
    assert_false(kn_entity_has_tag(f->world, f->hero, fire));
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->hero, f->foe, 1.0f, NULL),
        KN_REFUSED_REQUIREMENT);
}

// COM-005, GAPA-014
static void activations_of_one_moment_have_seeds_of_their_own(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Dice"), card_def = ability_def(f, "Card");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def), card = ability_register(f, &card_def);
    begin(f);
    kn_ability_id dice = grant(f, type);
    kn_activation_id a = activate(f, dice), b = activate(f, dice);
    uint64_t seed = kn_activation_seed(f->world, a);
    assert_true(seed != kn_activation_seed(f->world, b));
    assert_true(seed != kn_activation_seed(f->world, activate(f, grant(f, card))));
    // Nor are they those of another grant of the same ability, or of somebody else's.
    uint64_t again = kn_activation_seed(f->world, activate(f, grant(f, type)));
    uint64_t others = kn_activation_seed(f->world, activate(f, grant_to(f, f->foe, type)));
    assert_true(seed != again && seed != others && again != others);
    step(f, KN_S(1));
    assert_true(kn_activation_seed(f->world, a) == seed);
    assert_true(kn_activation_seed(f->world, activate(f, dice)) != seed);
}

static void an_activation_has_random_numbers_of_its_own(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Dice");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id dice = grant(f, type);
    kn_activation_id a = activate(f, dice), b = activate(f, dice);
    uint64_t hash = kn_world_hash(f->world);
    float first[64];
    uint32_t low = 0;
    for (uint32_t i = 0; i < 64; i++) {
        first[i] = kn_activation_random(f->world, a, i);
        assert_true(first[i] >= 0.0f && first[i] < 1.0f);
        assert_true(first[i] != kn_activation_random(f->world, b, i));
        assert_true(i == 0 || first[i] != first[i - 1]);
        low += first[i] < 0.5f;
    }
    assert_true(low > 20 && low < 44);
    assert_int_equal(kn_world_hash(f->world), hash); // it leaves no trace
    // In another order, after other draws and later: the same.
    (void)kn_random_float(f->world, 0);
    step(f, KN_S(1));
    for (uint32_t i = 64; i-- > 0;) {
        assert_true(kn_activation_random(f->world, a, i) == first[i]);
    }
    assert_true(kn_activation_random(f->world, a, UINT32_MAX) != first[0]);
    assert_int_equal(kn_activation_end(f->world, a), KN_OK);
    assert_true(kn_activation_random(f->world, a, 1) == 0.0f);
    assert_true(kn_activation_random(f->world, (kn_activation_id){0}, 1) == 0.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(an_ability_runs_until_it_is_ended),
    TEST(a_commit_pays_the_cost_and_starts_the_cooldown),
    TEST(a_task_tells_its_ability_at_the_exact_time),
    TEST(tags_added_to_an_ability_count_as_tags_of_its_source),
    TEST(activations_of_one_moment_have_seeds_of_their_own),
    TEST(an_activation_has_random_numbers_of_its_own),
};

TEST_GROUP(abilities, tests, NULL, NULL);
