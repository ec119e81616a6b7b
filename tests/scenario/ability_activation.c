// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Ways to activate, what stands against it, hooks that interfere, ending, instancing, events.

#include "scenario/ability_replay.h"

static kn_result end_at_once(const kn_ability_call *call)
{
    note(call->user, "%s runs. ", ability_name(call));
    return kn_activation_end(call->world, call->activation);
}

// Ways ----------------------------------------------------------------------

static bool below_level_two(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    return kn_ability_level(call->world, call->ability) < 2.0f;
}

// ABI-046, ABI-047
static void the_first_of_a_type_that_can_start_does(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Bolt"), child_def = ability_def(f, "FireBolt");
    def.can_activate = below_level_two;
    kn_ability_type_id bolt = ability_register(f, &def);
    child_def.parent = "Bolt";
    kn_ability_type_id fire_bolt = ability_register(f, &child_def);
    begin(f);
    kn_activation_id activation = {1, 1};
    assert_int_equal(
        kn_ability_activate_type(f->world, f->hero, bolt, &activation), KN_REFUSED_NOT_FOUND);
    assert_int_equal(activation.index1, 0);
    kn_ability_id strong = grant(f, bolt), weak = grant(f, bolt), child = grant(f, fire_bolt);
    assert_int_equal(kn_ability_set_level(f->world, &strong, 2.0f), KN_OK);
    assert_int_equal(kn_ability_activate_type(f->world, f->hero, bolt, &activation), KN_OK);
    assert_true(kn_ability_id_equal(kn_activation_ability(f->world, activation), weak));
    assert_int_equal(kn_ability_activate_type(f->world, f->hero, bolt, &activation), KN_OK);
    assert_true(kn_ability_id_equal(kn_activation_ability(f->world, activation), child));
    assert_int_equal(kn_ability_activate_type(f->world, f->hero, bolt, &activation),
        KN_REFUSED_CUSTOM); // the first says why not
    assert_int_equal(
        kn_ability_activate_type(f->world, f->hero, fire_bolt, NULL), KN_REFUSED_DUPLICATE);
    assert_int_equal( // what the hero has is not the foe's
        kn_ability_activate_type(f->world, f->foe, bolt, &activation), KN_REFUSED_NOT_FOUND);
    kn_ability_id other = grant_to(f, f->foe, bolt);
    assert_int_equal(kn_ability_activate_type(f->world, f->foe, bolt, &activation), KN_OK);
    assert_true(kn_ability_id_equal(kn_activation_ability(f->world, activation), other));
    assert_true(kn_entity_id_equal(kn_activation_owner(f->world, activation), f->foe));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 2);
    check_replay(f, KN_S(1));
}

// ABI-045, ABI-050
static void all_with_the_tags_are_tried(void **state)
{
    fixture *f = *state;
    kn_tag both[2] = {tag_of(f, "Attack.Fire"), tag_of(f, "Loud")};
    kn_ability_def a_def = ability_def(f, "A"), b_def = ability_def(f, "B"),
                   c_def = ability_def(f, "C");
    a_def.tags = b_def.tags = (kn_tags){both, 2};
    c_def.tags = (kn_tags){both, 1};
    a_def.activation.required = tags_of(f, "Armed");
    kn_ability_type_id a = ability_register(f, &a_def), b = ability_register(f, &b_def),
                       c = ability_register(f, &c_def);
    begin(f);
    kn_tag attack_loud[2] = {tag_of(f, "Attack"), tag_of(f, "Loud")};
    kn_tags wanted = {attack_loud, 2};
    uint32_t count = 9;
    assert_int_equal(
        kn_ability_activate_tags(f->world, f->hero, wanted, &count), KN_REFUSED_NOT_FOUND);
    assert_int_equal(count, 0);
    grant(f, a);
    assert_int_equal(
        kn_ability_activate_tags(f->world, f->hero, wanted, &count), KN_REFUSED_REQUIREMENT);
    kn_ability_id ability = grant(f, b);
    grant(f, c);
    (void)grant_to(f, f->foe, b); // another's
    assert_int_equal(kn_ability_activate_tags(f->world, f->hero, wanted, &count), KN_OK);
    assert_int_equal(count, 1);
    EXPECT_LOG(f, "B activates. ");
    assert_int_equal(kn_ability_cancel(f->world, ability), KN_OK);
    add_tag(f, f->hero, tag_of(f, "Armed"));
    assert_int_equal(kn_ability_activate_tags(f->world, f->hero, wanted, &count), KN_OK);
    assert_int_equal(count, 2);
    assert_int_equal(kn_activations(f->world, f->foe, NULL, 0), 0);
    assert_int_equal(kn_ability_activate_tags(f->world, f->hero, (kn_tags){NULL, 0}, &count),
        KN_REFUSED_NOT_FOUND);
}

// ABI-045
static void a_hundred_abilities_are_all_reached(void **state)
{
    fixture *f = *state;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Many";
    def.tags = tags_of(f, "Attack");
    def.input = 3;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    for (uint32_t i = 0; i < 100; i++) {
        grant(f, type);
    }
    uint32_t count;
    assert_int_equal(
        kn_ability_activate_tags(f->world, f->hero, tags_of(f, "Attack"), &count), KN_OK);
    assert_int_equal(count, 100);
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 100);
    assert_int_equal(kn_input_press(f->world, f->hero, 3), KN_OK);
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 100);
    check_replay(f, KN_S(1));
    assert_int_equal(kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL), 100);
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
}

static kn_result start_the_second(const kn_ability_call *call)
{
    note(call->user, "first. ");
    kn_ability_type_id second = kn_ability_type_find(kn_world_library(call->world), "Second");
    return kn_ability_activate_type(call->world, call->owner, second, NULL);
}

static kn_result stop_the_first(const kn_ability_call *call)
{
    note(call->user, "second. ");
    kn_ability_query query = kn_ability_query_default();
    query.type = kn_ability_type_find(kn_world_library(call->world), "First");
    query.is_active = true;
    assert_int_equal(kn_abilities_find(call->world, call->owner, &query, NULL, 0), 1);
    assert_int_equal(kn_abilities_cancel(call->world, call->owner, &query), 1);
    return KN_OK;
}

// ABI-001, ABI-011
static void abilities_activate_query_and_cancel_one_another(void **state)
{
    fixture *f = *state;
    kn_ability_def first_def = ability_def(f, "First"), second_def = ability_def(f, "Second");
    first_def.activate = start_the_second;
    second_def.activate = stop_the_first;
    kn_ability_type_id first = ability_register(f, &first_def);
    kn_ability_type_id second = ability_register(f, &second_def);
    begin(f);
    kn_ability_id a = grant(f, first), b = grant(f, second);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, a, NULL, &activation), KN_OK);
    EXPECT_LOG(f, "first. second. First: cancelled. ");
    assert_false(kn_activation_is_alive(f->world, activation)); // it is over already
    assert_true(kn_ability_is_active(f->world, b) && !kn_ability_is_active(f->world, a));
    check_replay(f, KN_S(1));
}

// CHG-004, ABI-010
static void an_ability_without_a_body_runs_and_charges_nothing(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(40.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(5.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Idle";
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id idle = grant(f, type);
    kn_activation_id activation = activate(f, idle);
    assert_true(value_of(f, f->mana) == 100.0f);
    assert_int_equal(kn_ability_check(f->world, idle, NULL), KN_FAIL_ACTIVE);
    step(f, KN_S(1));
    assert_true(kn_activation_is_alive(f->world, activation));
    assert_int_equal(kn_activation_start(f->world, activation), 0);
}

// Why not -------------------------------------------------------------------

static void costly(fixture *f, kn_ability_def *def, kn_cost_def *cost, kn_cooldown_def *cooldown)
{
    *cost = (kn_cost_def){.attribute = f->mana, .amount = kn_constant(20.0f)};
    *cooldown = kn_cooldown_seconds(5.0f);
    cooldown->key = tag_of(f, "Cooldown.Bolt");
    def->costs = cost;
    def->cost_count = 1;
    def->cooldowns = cooldown;
    def->cooldown_count = 1;
}

static void expect_reason(
    fixture *f, kn_ability_id ability, uint32_t reasons, kn_result result, const char *tag)
{
    assert_int_equal(kn_ability_check(f->world, ability, NULL), reasons);
    assert_int_equal(kn_ability_status(f->world, ability), reasons & ~(uint32_t)KN_FAIL_CUSTOM);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), result);
    kn_event event = published_event(f, KN_EVENT_ABILITY_FAILED);
    assert_true(kn_ability_id_equal(event.data.ability.ability, ability));
    assert_int_equal(event.data.ability.reasons, reasons);
    kn_tag tags[KN_FAIL_COUNT];
    assert_int_equal(
        kn_ability_fail_tags(f->world, event.data.ability.reasons, tags, KN_FAIL_COUNT), 1);
    assert_string_equal(kn_tag_name(f->library, tags[0]), tag);
}

// TVA-003, ABI-058, ABI-059, ABI-075, ABI-078, BEY-043
static void each_reason_has_its_result_and_its_tag(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_ability_def def = ability_def(f, "Bolt");
    costly(f, &def, &cost, &cooldown);
    def.activation.required = tags_of(f, "Armed");
    def.activation.ignored = tags_of(f, "Stunned");
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, "Dead")), KN_OK);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    expect_reason(
        f, bolt, KN_FAIL_MISSING_TAGS, KN_REFUSED_REQUIREMENT, "Activation.Fail.MissingTags");
    add_tag(f, f->hero, tag_of(f, "Armed"));
    add_tag(f, f->hero, tag_of(f, "Stunned"));
    expect_reason(f, bolt, KN_FAIL_BLOCKED, KN_REFUSED_BLOCKED, "Activation.Fail.BlockedByTags");
    remove_tag(f, f->hero, tag_of(f, "Stunned"));
    add_tag(f, f->hero, tag_of(f, "Dead"));
    expect_reason(f, bolt, KN_FAIL_DEAD, KN_REFUSED_DYING, "Activation.Fail.IsDead");
    remove_tag(f, f->hero, tag_of(f, "Dead"));
    set_base(f, f->hero, f->mana, 10.0f);
    expect_reason(f, bolt, KN_FAIL_COST, KN_REFUSED_COST, "Activation.Fail.CantAffordCost");
    set_base(f, f->hero, f->mana, 100.0f);
    kn_activation_id activation = activate(f, bolt);
    expect_reason(f, bolt, KN_FAIL_ACTIVE, KN_REFUSED_DUPLICATE, "Activation.Fail.AlreadyActive");
    assert_int_equal(kn_activation_commit(f->world, activation), KN_OK);
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    expect_reason(f, bolt, KN_FAIL_COOLDOWN, KN_REFUSED_COOLDOWN, "Activation.Fail.OnCooldown");
    check_replay(f, KN_S(10));
    step(f, KN_S(5));
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 7), KN_OK); // a client plays it
    expect_reason(f, bolt, KN_FAIL_NETWORKING, KN_REFUSED_BLOCKED, "Activation.Fail.Networking");
}

// ABI-059: of several reasons the result names the first in the order of the tests.
static void the_first_reason_in_order_is_the_result(void **state)
{
    (void)state;
    static const struct {
        kn_fail reason;
        kn_result result;
    } order[] = {
        {KN_FAIL_STALE, KN_REFUSED_STALE_ID},
        {KN_FAIL_NETWORKING, KN_REFUSED_BLOCKED},
        {KN_FAIL_DEAD, KN_REFUSED_DYING},
        {KN_FAIL_BLOCKED, KN_REFUSED_BLOCKED},
        {KN_FAIL_MISSING_TAGS, KN_REFUSED_REQUIREMENT},
        {KN_FAIL_COOLDOWN, KN_REFUSED_COOLDOWN},
        {KN_FAIL_COST, KN_REFUSED_COST},
        {KN_FAIL_ACTIVE, KN_REFUSED_DUPLICATE},
        {KN_FAIL_CUSTOM, KN_REFUSED_CUSTOM},
    };
    uint32_t later = 0;
    for (uint32_t i = sizeof(order) / sizeof(order[0]); i-- > 0;) {
        later |= order[i].reason;
        assert_int_equal(kn_fail_result(order[i].reason), order[i].result);
        assert_int_equal(kn_fail_result(later), order[i].result);
    }
    assert_int_equal(kn_fail_result(0), KN_OK);
}

// ABI-059, ABI-078
static void all_reasons_are_told_together(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_ability_def def = ability_def(f, "Bolt");
    costly(f, &def, &cost, &cooldown);
    def.activation.required = tags_of(f, "Armed");
    def.activation.ignored = tags_of(f, "Stunned");
    def.can_activate = below_level_two;
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, "Dead")), KN_OK);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    add_tag(f, f->hero, tag_of(f, "Armed"));
    assert_int_equal(kn_activation_commit(f->world, activate(f, bolt)), KN_OK);
    remove_tag(f, f->hero, tag_of(f, "Armed"));
    add_tag(f, f->hero, tag_of(f, "Stunned"));
    add_tag(f, f->hero, tag_of(f, "Dead"));
    assert_int_equal(kn_ability_set_level(f->world, &bolt, 2.0f), KN_OK);
    set_base(f, f->hero, f->mana, 1.0f);
    uint32_t all = KN_FAIL_DEAD | KN_FAIL_BLOCKED | KN_FAIL_MISSING_TAGS | KN_FAIL_COOLDOWN |
                   KN_FAIL_COST | KN_FAIL_ACTIVE | KN_FAIL_CUSTOM;
    assert_int_equal(kn_ability_check(f->world, bolt, NULL), all);
    assert_int_equal(kn_ability_fail_tags(f->world, all, NULL, 0), 7);
    assert_int_equal(kn_ability_activate(f->world, bolt, NULL, NULL), KN_REFUSED_DYING);
    char text[256];
    kn_ability_explain_print(f->world, bolt, NULL, text, sizeof(text));
    assert_string_equal(text,
        "Bolt: on cooldown for 5.0 of 5 s; needs 20 Vitals.Mana, has 1; blocked by Stunned; "
        "needs Armed; dead; already active; its own condition refuses it");
}

// ABI-076
static void a_reason_without_a_tag_is_a_reason_all_the_same(void **state)
{
    fixture *f = *state;
    kn_tag own = tag_of(f, "My.Reason");
    assert_int_equal(kn_ability_fail_tag_set(f->library, KN_FAIL_MISSING_TAGS, own), KN_OK);
    assert_int_equal(kn_ability_fail_tag_set(f->library, KN_FAIL_CUSTOM, (kn_tag){0}), KN_OK);
    kn_ability_def def = ability_def(f, "Bolt");
    def.activation.required = tags_of(f, "Armed");
    def.can_activate = below_level_two;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    assert_int_equal(kn_ability_set_level(f->world, &bolt, 2.0f), KN_OK);
    uint32_t reasons = kn_ability_check(f->world, bolt, NULL);
    assert_int_equal(reasons, KN_FAIL_MISSING_TAGS | KN_FAIL_CUSTOM);
    kn_tag tags[2];
    assert_int_equal(kn_ability_fail_tags(f->world, reasons, tags, 2), 1);
    assert_true(tags[0].index1 == own.index1);
    assert_int_equal(kn_ability_activate(f->world, bolt, NULL, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        kn_ability_fail_tag_set(f->library, KN_FAIL_CUSTOM, own), KN_ERROR_WORLD_LOCKED);
}

// ABI-059, SAIV-030: who has nothing that could die is not asked.
static void the_dead_use_only_what_works_when_dead(void **state)
{
    fixture *f = *state;
    kn_ability_def ghost_def = ability_def(f, "Ghost"), bolt_def = ability_def(f, "Bolt");
    ghost_def.works_when_dead = true;
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, "Dead")), KN_OK);
    kn_ability_type_id ghost_type = ability_register(f, &ghost_def);
    kn_ability_type_id bolt_type = ability_register(f, &bolt_def);
    begin(f);
    add_tag(f, f->hero, tag_of(f, "Dead"));
    kn_ability_id ghost = grant(f, ghost_type), bolt = grant(f, bolt_type);
    assert_int_equal(kn_ability_check(f->world, ghost, NULL), 0);
    activate(f, ghost);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_DEAD);
    assert_int_equal(kn_ability_activate(f->world, bolt, NULL, NULL), KN_REFUSED_DYING);
    assert_int_equal(
        kn_entity_create(f->world, &f->hero), KN_OK); // a stone: no attributes, no tags
    bolt = grant(f, bolt_type);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    activate(f, bolt);
}

typedef struct status_probe {
    uint32_t count;
    uint32_t last;
} status_probe;

static void status_heard(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    status_probe *probe = user;
    probe->count++;
    probe->last = event->data.ability.reasons;
}

// ABI-058
static void the_status_follows_everything_it_depends_on(void **state)
{
    fixture *f = *state;
    kn_cost_def cost;
    kn_cooldown_def cooldown;
    kn_ability_def def = ability_def(f, "Bolt");
    costly(f, &def, &cost, &cooldown);
    def.tags = tags_of(f, "Attack.Fire");
    kn_ability_type_id type = ability_register(f, &def);
    kn_effect_def silence_def = infinite("Silence"), frozen_def = infinite("Frozen");
    silence_def.blocked_ability_tags = tags_of(f, "Attack");
    kn_effect_type_id silence = effect_register(f, &silence_def);
    kn_modifier_def hold = kn_modifier_def_default();
    hold.attribute = f->mana;
    hold.op = KN_OP_OVERRIDE;
    hold.magnitude.scale = kn_constant(50.0f);
    frozen_def.modifiers = &hold;
    frozen_def.modifier_count = 1;
    kn_effect_type_id frozen = effect_register(f, &frozen_def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    status_probe probe = {0};
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_ABILITY_STATUS;
    listener.function = status_heard;
    listener.user = &probe;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    kn_effect_id effect = afflict(f, silence);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_BLOCKED);
    step(f, 0);
    assert_true(probe.count == 1 && probe.last == KN_FAIL_BLOCKED);
    remove_effect(f, effect);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    afflict(f, frozen); // the value stays, the base does not
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    set_base(f, f->hero, f->mana, 5.0f);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COST);
    step(f, 0);
    assert_true(probe.count == 3 - 1 && probe.last == KN_FAIL_COST);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->set, 0), KN_OK);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COST);
    add_set(f, f->hero, f->set);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(kn_activation_commit(f->world, activate(f, bolt)), KN_OK);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_ACTIVE | KN_FAIL_COOLDOWN);
    assert_int_equal(kn_ability_cancel(f->world, bolt), KN_OK);
    check_replay(f, KN_S(6));
    step(f, KN_S(5));
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 7), KN_OK);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_NETWORKING);
}

// Ending --------------------------------------------------------------------

static void look_then_end_again(const kn_ability_call *call, kn_end_reason reason)
{
    fixture *f = call->user;
    note_ended(call, reason);
    assert_true(kn_entity_has_tag(call->world, call->owner, tag_of(f, "Aiming")));
    assert_true(kn_entity_ability_tag_blocked(call->world, call->owner, tag_of(f, "Move")));
    assert_int_equal(kn_tasks(call->world, call->activation, NULL, 0), 0);
    assert_int_equal(kn_wait_delay(call->world, call->activation, 0, KN_S(1)), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
    assert_int_equal(kn_activation_cancel(call->world, call->activation), KN_OK);
    assert_int_equal(kn_ability_cancel(call->world, call->ability), KN_OK);
    assert_int_equal(kn_abilities_cancel(call->world, call->owner, NULL), 0);
    assert_int_equal(
        kn_ability_activate(call->world, call->ability, NULL, NULL), KN_REFUSED_DUPLICATE);
}

static kn_result wait_long(const kn_ability_call *call)
{
    return kn_wait_delay(call->world, call->activation, 0, KN_S(100));
}

// CHG-045, TVA-013, ABI-083, ABI-084, ABI-087
static void an_end_happens_once_and_takes_everything_with_it(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Aim");
    def.activate = wait_long;
    def.ended = look_then_end_again;
    def.owned_tags = tags_of(f, "Aiming");
    def.block_with = tags_of(f, "Move");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_activation_id activation = activate(f, grant(f, type));
    check_replay(f, KN_S(1));
    assert_int_equal(kn_activation_end(f->world, activation), KN_OK);
    EXPECT_LOG(f, "Aim: ended. ");
    assert_int_equal(kn_activation_end(f->world, activation), KN_REFUSED_STALE_ID);
    assert_false(kn_entity_has_tag(f->world, f->hero, tag_of(f, "Aiming")));
    assert_false(kn_entity_ability_tag_blocked(f->world, f->hero, tag_of(f, "Move")));
    assert_int_equal(kn_task_count(f->world), 0);
    assert_int_equal(published(f, KN_EVENT_ABILITY_ENDED, NULL), 1);
    check_replay(f, KN_S(1));
}

static kn_result cancel_itself(const kn_ability_call *call)
{
    note(call->user, "gives up. ");
    assert_int_equal(kn_activation_cancel(call->world, call->activation), KN_OK);
    assert_false(kn_activation_is_alive(call->world, call->activation));
    return KN_OK;
}

// ABI-009, ABI-079
static void an_ability_that_cancels_itself_is_told_so(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Aim");
    def.activate = cancel_itself;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "gives up. Aim: cancelled. ");
    // Whatever ends it but itself counts as a cancellation.
    for (uint32_t i = 0; i < KN_END_REASON_COUNT; i++) {
        assert_int_equal(kn_end_is_cancelled((kn_end_reason)i), i != KN_ENDED_DONE);
    }
    check_replay(f, KN_S(1));
}

// TVA-011, ABI-080, ABI-081
static void cancelling_by_tags_spares_the_others_and_one_activation(void **state)
{
    fixture *f = *state;
    kn_tag xz[2] = {tag_of(f, "X"), tag_of(f, "Z")};
    kn_ability_def defs[4];
    const char *const names[4] = {"OnlyX", "XandZ", "OnlyY", "Ignored"};
    kn_ability_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        defs[i] = ability_def(f, names[i]);
        defs[i].tags = i == 1 ? (kn_tags){xz, 2} : tags_of(f, i == 2 ? "Y" : "X");
        types[i] = ability_register(f, &defs[i]);
    }
    begin(f);
    kn_ability_id abilities[4];
    kn_activation_id activations[4];
    for (uint32_t i = 0; i < 4; i++) {
        abilities[i] = grant(f, types[i]);
        activations[i] = activate(f, abilities[i]);
    }
    kn_activation_id others = activate(f, grant_to(f, f->foe, types[0])); // nobody asks for it
    f->log[0] = 0;
    kn_ability_query query = kn_ability_query_default();
    query.any_tags = tags_of(f, "X");
    query.no_tags = tags_of(f, "Z");
    query.ignore = activations[3];
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 1);
    EXPECT_LOG(f, "OnlyX: cancelled. ");
    query = kn_ability_query_default();
    query.type = types[1];
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 1);
    query = kn_ability_query_default();
    query.ignore = activations[3];
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 1);
    EXPECT_LOG(f, "XandZ: cancelled. OnlyY: cancelled. ");
    assert_true(kn_activation_is_alive(f->world, activations[3]));
    uint64_t hash = kn_world_hash(f->world);
    (void)kn_ability_cancel(f->world, (kn_ability_id){99, 1}); // nobody's
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_int_equal(kn_ability_cancel(f->world, abilities[3]), KN_OK);
    EXPECT_LOG(f, "Ignored: cancelled. ");
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 0);
    // Without a list of tags to have, those without the others; any of a list is enough.
    for (uint32_t i = 0; i < 4; i++) {
        activations[i] = activate(f, abilities[i]);
    }
    f->log[0] = 0;
    query = kn_ability_query_default();
    query.no_tags = tags_of(f, "X");
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 1);
    EXPECT_LOG(f, "OnlyY: cancelled. ");
    activate(f, abilities[2]);
    f->log[0] = 0;
    kn_tag yz[2] = {tag_of(f, "Y"), xz[1]};
    query = kn_ability_query_default();
    query.any_tags = (kn_tags){yz, 2};
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 2);
    EXPECT_LOG(f, "XandZ: cancelled. OnlyY: cancelled. ");
    query.any_tags = (kn_tags){NULL, 0};
    query.no_tags = (kn_tags){yz, 2};
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 2);
    assert_true(kn_activation_is_alive(f->world, others));
}

// ABI-080: everything is cancelled, and no instance is left with its state.
static void removing_all_abilities_destroys_what_is_active_and_its_state(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Keeper"), many_def = ability_def(f, "Many");
    def.state_size = many_def.state_size = sizeof(uint32_t);
    many_def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def), many = ability_register(f, &many_def);
    begin(f);
    kn_ability_id keeper = grant(f, type), several = grant(f, many);
    kn_activation_id kept = activate(f, keeper);
    *(uint32_t *)kn_activation_state(f->world, kept) = 5;
    assert_int_equal(*(const uint32_t *)kn_activation_read_state(f->world, kept), 5);
    assert_int_equal(kn_activation_set_cancelable(f->world, kept, false), KN_OK);
    activate(f, several);
    activate(f, several);
    kn_activation_id others = activate(f, grant_to(f, f->foe, type));
    f->log[0] = 0;
    assert_int_equal(kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL), 2);
    EXPECT_LOG(f, "Keeper: removed. Many: removed. Many: removed. ");
    assert_true(kn_activation_is_alive(f->world, others));
    assert_non_null(kn_activation_read_state(f->world, others));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    assert_null(kn_activation_state(f->world, kept));
    assert_null(kn_activation_read_state(f->world, kept));
    kept = activate(f, grant(f, type));
    assert_int_equal(*(uint32_t *)kn_activation_state(f->world, kept), 0);
}

// Cancels everything from within an activation that has no instance.
static kn_result stop_all(const kn_ability_call *call)
{
    note(call->user, "stop. ");
    kn_abilities_cancel(call->world, call->owner, NULL);
    return KN_OK;
}

// AMBA-002, CHG-051, GAPA-023, TVA-012, ABI-082
static void cancelling_all_reaches_instanced_and_other_abilities(void **state)
{
    fixture *f = *state;
    kn_ability_def one_def = ability_def(f, "One"), jump_def = ability_def(f, "Jump"),
                   many_def = ability_def(f, "Many");
    jump_def.instancing = KN_INSTANCING_NONE;
    jump_def.activate = stop_all;
    many_def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id one = ability_register(f, &one_def), jump = ability_register(f, &jump_def),
                       many = ability_register(f, &many_def);
    begin(f);
    kn_ability_id first = grant(f, one), second = grant(f, jump), third = grant(f, many);
    activate(f, first);
    activate(f, third);
    activate(f, third);
    activate(f, grant_to(f, f->foe, one));
    f->log[0] = 0;
    activate(f, second);
    EXPECT_LOG(f, "stop. One: cancelled. Jump: cancelled. Many: cancelled. Many: cancelled. ");
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    assert_int_equal(kn_activations(f->world, f->foe, NULL, 0), 1);
}

static void start_again_when_cancelled(const kn_ability_call *call, kn_end_reason reason)
{
    note_ended(call, reason);
    if (reason == KN_ENDED_CANCELLED) {
        kn_ability_id others[2];
        kn_ability_query query = kn_ability_query_default();
        query.type = kn_ability_type_find(kn_world_library(call->world), "Many");
        assert_int_equal(kn_abilities_find(call->world, call->owner, &query, others, 2), 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(kn_ability_activate(call->world, others[i], NULL, NULL), KN_OK);
        }
    }
}

// ABI-043
static void cancelling_spares_what_begins_meanwhile(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Many");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.ended = start_again_when_cancelled;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, type));
    activate(f, grant(f, type));
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, NULL), 2);
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 4);
    check_replay(f, KN_S(1));
}

// ABI-080
static void what_cannot_be_cancelled_ends_by_itself_or_with_its_owner(void **state)
{
    fixture *f = *state;
    kn_ability_def fixed_def = ability_def(f, "Fixed"), stop_def = ability_def(f, "Stop");
    fixed_def.tags = tags_of(f, "X");
    stop_def.cancel_with = tags_of(f, "X");
    kn_ability_type_id fixed = ability_register(f, &fixed_def);
    kn_ability_type_id stop = ability_register(f, &stop_def);
    begin(f);
    kn_ability_id ability = grant(f, fixed);
    kn_activation_id activation = activate(f, ability);
    assert_int_equal(kn_activation_set_cancelable(f->world, activation, false), KN_OK);
    activate(f, grant(f, stop));
    f->log[0] = 0;
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_cancel(f->world, ability), KN_OK);
    kn_ability_query query = kn_ability_query_default();
    query.type = fixed;
    assert_int_equal(kn_abilities_cancel(f->world, f->hero, &query), 0);
    EXPECT_LOG(f, "");
    check_replay(f, KN_S(1));
    assert_int_equal(kn_activation_set_cancelable(f->world, activation, true), KN_OK);
    assert_int_equal(kn_activation_cancel(f->world, activation), KN_OK);
    activation = activate(f, ability);
    assert_int_equal(kn_activation_set_cancelable(f->world, activation, false), KN_OK);
    f->log[0] = 0;
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT_LOG(f, "Fixed: owner gone. Stop: owner gone. ");
    step(f, KN_S(1));
}

// Querying ------------------------------------------------------------------

// TVA-014, ABI-061, ABI-085, ABI-086
static void of_two_attacks_the_one_that_suits_the_weapon_is_found(void **state)
{
    fixture *f = *state;
    kn_ability_def armed_def = ability_def(f, "Slash"), bare_def = ability_def(f, "Punch");
    armed_def.tags = bare_def.tags = tags_of(f, "Attack.Basic");
    armed_def.activation.required = tags_of(f, "Weapon.Equipped");
    bare_def.activation.ignored = tags_of(f, "Weapon.Equipped");
    bare_def.can_activate = below_level_two; // only tags are asked
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(1000.0f)};
    bare_def.costs = &cost;
    bare_def.cost_count = 1;
    kn_tag both[2] = {tag_of(f, "Attack"), tag_of(f, "Hand.Left")};
    kn_ability_type_id armed = ability_register(f, &armed_def);
    kn_ability_type_id bare = ability_register(f, &bare_def);
    begin(f);
    kn_ability_id slash = grant(f, armed), punch = grant(f, bare), found[2];
    (void)grant_to(f, f->foe, bare); // another's is not found
    assert_int_equal(kn_ability_set_level(f->world, &punch, 2.0f), KN_OK);
    kn_ability_query query = kn_ability_query_default();
    query.all_tags = tags_of(f, "Attack.Basic");
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 2);
    query.all_tags = (kn_tags){both, 2}; // one of them added to the granted ability
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 0);
    assert_int_equal(kn_ability_add_tag(f->world, slash, both[1]), KN_OK);
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 1);
    assert_true(kn_ability_id_equal(found[0], slash));
    query.meets_tags = true;
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 0);
    query.all_tags = tags_of(f, "Attack.Basic");
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 1);
    assert_true(kn_ability_id_equal(found[0], punch));
    add_tag(f, f->hero, tag_of(f, "Weapon.Equipped"));
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 1);
    assert_true(kn_ability_id_equal(found[0], slash));
    query.is_active = true;
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 0);
    activate(f, slash);
    assert_int_equal(kn_abilities_find(f->world, f->hero, &query, found, 2), 1);
    assert_true(kn_ability_id_equal(found[0], slash) && kn_ability_is_active(f->world, slash));
}

// Instancing ----------------------------------------------------------------

static kn_result count_up(const kn_ability_call *call)
{
    uint32_t *state = kn_activation_state(call->world, call->activation);
    note(call->user, "%u. ", ++*state);
    return kn_activation_end(call->world, call->activation);
}

static kn_result try_a_task(const kn_ability_call *call)
{
    assert_null(kn_activation_state(call->world, call->activation));
    assert_int_equal(kn_wait_delay(call->world, call->activation, 0, KN_S(1)), KN_REFUSED_BLOCKED);
    note(call->user, "no task. ");
    return KN_OK;
}

// TVA-027, ABI-088, ABI-089, ABI-091, OPT-008
static void state_lasts_as_the_instancing_says(void **state)
{
    fixture *f = *state;
    const char *const names[4] = {"PerActor", "PerExecution", "Reset", "None"};
    kn_ability_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.ended = NULL;
        def.activate = i == 3 ? try_a_task : count_up;
        def.instancing = i == 1   ? KN_INSTANCING_PER_EXECUTION
                         : i == 3 ? KN_INSTANCING_NONE
                                  : KN_INSTANCING_PER_ACTOR;
        def.state_size = i == 3 ? 0 : sizeof(uint32_t);
        def.resets_state = i == 2;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    const char *const expected[4] = {
        "1. 2. 3. ", "1. 1. 1. ", "1. 1. 1. ", "no task. no task. no task. "};
    for (uint32_t i = 0; i < 4; i++) {
        kn_ability_id ability = grant(f, types[i]);
        for (uint32_t n = 0; n < 3; n++) {
            activate(f, ability);
            check_replay(f, KN_S(1));
        }
        EXPECT_LOG(f, expected[i]);
        assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    }
}

// Activates itself from its own body, once.
static kn_result hop_twice(const kn_ability_call *call)
{
    fixture *f = call->user;
    note(f, "hop. ");
    return strcmp(f->log, "hop. ") == 0
               ? kn_ability_activate(call->world, call->ability, NULL, NULL)
               : KN_OK;
}

// ABI-060
static void one_instance_is_busy_and_none_never_is(void **state)
{
    fixture *f = *state;
    kn_ability_def one_def = ability_def(f, "One"), none_def = ability_def(f, "None");
    none_def.instancing = KN_INSTANCING_NONE;
    none_def.activate = hop_twice;
    none_def.ended = NULL;
    kn_ability_type_id one = ability_register(f, &one_def), none = ability_register(f, &none_def);
    begin(f);
    activate(f, grant(f, none));
    EXPECT_LOG(f, "hop. hop. ");
    kn_ability_id busy = grant(f, one);
    activate(f, busy);
    assert_int_equal(kn_ability_activate(f->world, busy, NULL, NULL), KN_REFUSED_DUPLICATE);
    activate(f, grant(f, one)); // another grant is another instance
}

// ABI-060, ABI-088
static void only_abilities_per_execution_overlap_themselves(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Mine");
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.state_size = sizeof(uint32_t);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id mine = grant(f, type);
    kn_activation_id first = activate(f, mine), second = activate(f, mine), listed[2];
    *(uint32_t *)kn_activation_state(f->world, first) = 5;
    *(uint32_t *)kn_activation_state(f->world, second) = 6;
    assert_int_equal(kn_activations(f->world, f->hero, listed, 2), 2);
    assert_true(kn_activation_id_equal(listed[0], first));
    kn_ability_info info;
    assert_true(kn_ability_get(f->world, mine, &info));
    assert_true(info.active_count == 2 && kn_activation_id_equal(info.latest, second));
    check_replay(f, KN_S(1));
    assert_int_equal(kn_activation_end(f->world, second), KN_OK);
    assert_true(kn_ability_is_active(f->world, mine)); // ABI-108
    assert_int_equal(*(uint32_t *)kn_activation_state(f->world, first), 5);
    assert_int_equal(kn_activation_end(f->world, first), KN_OK);
    assert_false(kn_ability_is_active(f->world, mine));
}

// ABI-089
static void an_ability_without_instances_cannot_have_state(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump");
    def.instancing = KN_INSTANCING_NONE;
    def.state_size = 4;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_ERROR_BAD_DATA);
    def.instancing = KN_INSTANCING_PER_ACTOR;
    def.state_size = 4097;
    assert_int_equal(kn_ability_register(f->library, &def, &type, NULL), KN_ERROR_BAD_DATA);
}

// Retriggering --------------------------------------------------------------

// BEY-043
static void a_retriggered_ability_ends_before_it_begins_again(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Dash");
    def.retriggers = true;
    def.owned_tags = tags_of(f, "Dashing");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id dash = grant(f, type);
    kn_activation_id first = activate(f, dash), second = activate(f, dash);
    EXPECT_LOG(f, "Dash activates. Dash: retriggered. Dash activates. ");
    assert_false(kn_activation_is_alive(f->world, first));
    assert_true(kn_activation_is_alive(f->world, second));
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, tag_of(f, "Dashing")), 1);
    check_replay(f, KN_S(1));
}

static void start_from_the_end(const kn_ability_call *call, kn_end_reason reason)
{
    note_ended(call, reason);
    assert_int_equal(
        kn_ability_activate(call->world, call->ability, NULL, NULL), KN_REFUSED_DUPLICATE);
}

// BEY-043, ABI-083
static void an_end_hook_does_not_start_a_second_activation(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Dash");
    def.retriggers = true;
    def.ended = start_from_the_end;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id dash = grant(f, type);
    activate(f, dash);
    activate(f, dash);
    EXPECT_LOG(f, "Dash activates. Dash: retriggered. Dash activates. ");
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 1);
    assert_int_equal(kn_ability_cancel(f->world, dash), KN_OK);
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
}

static kn_result activate_itself(const kn_ability_call *call)
{
    return kn_ability_activate(call->world, call->ability, NULL, NULL);
}

static void an_ability_that_activates_itself_is_cut_at_the_limit(void **state)
{
    fixture *f = *state;
    kn_ability_def again_def = ability_def(f, "Again"), many_def = ability_def(f, "Many"),
                   none_def = ability_def(f, "None");
    again_def.retriggers = true;
    many_def.instancing = KN_INSTANCING_PER_EXECUTION;
    none_def.instancing = KN_INSTANCING_NONE;
    kn_ability_def *defs[3] = {&again_def, &many_def, &none_def};
    kn_ability_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        defs[i]->activate = activate_itself;
        defs[i]->ended = NULL;
        types[i] = ability_register(f, defs[i]);
    }
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_id ability = grant(f, types[i]);
        assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_REFUSED_LIMIT);
        kn_event event = published_event(f, KN_EVENT_ERROR);
        assert_int_equal(event.data.error.code, KN_REFUSED_LIMIT);
        assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
    }
    check_replay(f, KN_S(1));
}

// Hooks that fail or interfere ----------------------------------------------

static kn_result fail_hard(const kn_ability_call *call)
{
    note(call->user, "fails. ");
    return KN_ERROR_IO;
}

static kn_result refuse(const kn_ability_call *call)
{
    note(call->user, "refuses. ");
    return KN_REFUSED_COST;
}

// BEY-046
static void a_failing_body_cancels_the_activation_and_is_reported(void **state)
{
    fixture *f = *state;
    kn_ability_def hard_def = ability_def(f, "Hard"), soft_def = ability_def(f, "Soft");
    hard_def.activate = fail_hard;
    soft_def.activate = refuse;
    hard_def.owned_tags = tags_of(f, "Aiming");
    kn_ability_type_id hard = ability_register(f, &hard_def);
    kn_ability_type_id soft = ability_register(f, &soft_def);
    begin(f);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, grant(f, hard), NULL, &activation), KN_ERROR_IO);
    kn_event event = published_event(f, KN_EVENT_ERROR);
    assert_int_equal(event.data.error.code, KN_ERROR_IO);
    assert_int_equal(event.data.error.ability.index1, hard.index1);
    assert_false(kn_activation_is_alive(f->world, activation));
    assert_false(kn_entity_has_tag(f->world, f->hero, tag_of(f, "Aiming")));
    assert_int_equal(
        kn_ability_activate(f->world, grant(f, soft), NULL, &activation), KN_REFUSED_COST);
    assert_int_equal(
        published_event(f, KN_EVENT_ABILITY_ENDED).data.ability.end_reason, KN_ENDED_FAILED);
    EXPECT_LOG(f, "fails. Hard: failed. refuses. Soft: failed. ");
}

// What a hook does to its own ability or owner.
typedef enum mischief {
    CANCEL,
    REMOVE,
    REMOVE_LATER,
    REMOVE_ALL,
    GRANT_MORE,
    DESTROY_OWNER,
    MISCHIEF_COUNT,
} mischief;

typedef enum hook_kind {
    IN_ACTIVATE,
    IN_PRE_ACTIVATE,
    IN_ENDED,
    IN_GRANTED,
    IN_REMOVED,
    IN_TASK_DONE,
    IN_INPUT,
    IN_LEVEL,
    IN_AVATAR,
    HOOK_KIND_COUNT,
} hook_kind;

static struct {
    mischief what;
    hook_kind where;
    uint32_t depth;
} plan;

static void play(const kn_ability_call *call, hook_kind here)
{
    if (here != plan.where || plan.depth > 3) {
        return;
    }
    plan.depth++;
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = kn_ability_type_find(kn_world_library(call->world), "Victim");
    kn_ability_id ability;
    switch (plan.what) {
    case CANCEL:
        (void)kn_activation_cancel(call->world, call->activation);
        (void)kn_ability_cancel(call->world, call->ability);
        kn_abilities_cancel(call->world, call->owner, NULL);
        break;
    case REMOVE:
        (void)kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL);
        break;
    case REMOVE_LATER:
        (void)kn_ability_remove(call->world, call->ability, KN_GRANT_AFTER_END);
        break;
    case REMOVE_ALL:
        kn_abilities_remove(call->world, call->owner, NULL, KN_GRANT_CANCEL);
        break;
    case GRANT_MORE:
        (void)!kn_ability_grant(call->world, call->owner, &given, &ability);
        break;
    default:
        kn_entity_destroy(call->world, call->owner);
        break;
    }
    plan.depth--;
}

static kn_result play_activate(const kn_ability_call *call)
{
    kn_result result = kn_wait_delay(call->world, call->activation, 0, KN_MS(100));
    assert_int_equal(result, KN_OK);
    play(call, IN_ACTIVATE);
    return KN_OK;
}

static void play_pre_activate(const kn_ability_call *call)
{
    play(call, IN_PRE_ACTIVATE);
}

static void play_ended(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    play(call, IN_ENDED);
}

static void play_granted(const kn_ability_call *call)
{
    play(call, IN_GRANTED);
}

static void play_removed(const kn_ability_call *call)
{
    play(call, IN_REMOVED);
}

static void play_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    play(call, IN_TASK_DONE);
}

static void play_input(const kn_ability_call *call)
{
    play(call, IN_INPUT);
}

static void play_level(const kn_ability_call *call, float old_level)
{
    (void)old_level;
    play(call, IN_LEVEL);
}

static void play_avatar(const kn_ability_call *call)
{
    play(call, IN_AVATAR);
}

static kn_ability_type_id victim_register(fixture *f, kn_level_up level_up)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = "Victim";
    def.activate = play_activate;
    def.pre_activate = play_pre_activate;
    def.ended = play_ended;
    def.granted = play_granted;
    def.removed = play_removed;
    def.task_done = play_task_done;
    def.input_pressed = play_input;
    def.input_released = play_input;
    def.level_changed = play_level;
    def.avatar_set = play_avatar;
    def.level_up = level_up;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.state_size = 40;
    def.tags = tags_of(f, "Victim");
    def.owned_tags = tags_of(f, "Suffering");
    def.block_with = tags_of(f, "Other");
    def.input = 4;
    const kn_trigger_def triggers[2] = {
        {.tag = tag_of(f, "Event.Hit"), .source = KN_TRIGGER_SOURCE_EVENT},
        {.tag = tag_of(f, "Wet"), .source = KN_TRIGGER_SOURCE_TAG_ADDED}};
    def.triggers = triggers;
    def.trigger_count = 2;
    return ability_register(f, &def);
}

// Everything that calls a hook, with the world valid after each.
static void run_the_gauntlet(fixture *f, kn_ability_type_id type)
{
    kn_ability_grant_def given = kn_ability_grant_def_default();
    given.type = type;
    kn_ability_id ids[3] = {{0}};
    for (uint32_t i = 0; i < 3; i++) {
        (void)!kn_ability_grant(f->world, f->hero, &given, &ids[i]);
    }
    (void)!kn_ability_grant_once(f->world, f->hero, &given, NULL, NULL);
    step(f, 0);
    (void)kn_ability_activate(f->world, ids[0], NULL, NULL);
    (void)kn_ability_activate_tags(f->world, f->hero, tags_of(f, "Victim"), NULL);
    (void)kn_event_send(f->world, f->hero, tag_of(f, "Event.Hit"), NULL);
    (void)!kn_entity_add_tag(f->world, f->hero, tag_of(f, "Wet"), KN_TAG_ORIGIN_LOOSE, 1);
    step(f, KN_MS(50));
    (void)kn_input_press(f->world, f->hero, 4);
    (void)kn_input_release(f->world, f->hero, 4);
    step(f, KN_MS(60));
    (void)kn_ability_set_level(f->world, &ids[1], 2.0f);
    kn_entity_id body = entity_create(f);
    (void)kn_entity_set_avatar(f->world, f->hero, body);
    step(f, 0);
    (void)kn_ability_revoke(f->world, ids[2], KN_GRANT_AFTER_END);
    kn_abilities_cancel(f->world, f->hero, NULL);
    step(f, 0);
    (void)kn_ability_activate_tags(f->world, f->hero, tags_of(f, "Victim"), NULL);
    step(f, KN_S(1));
    check_replay(f, KN_MS(150));
    kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL);
    step(f, 0);
}

// ABI-043, ABI-055, ABI-083, ABI-087
static void any_hook_may_do_anything_to_its_ability_and_its_owner(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0; round < 2 * MISCHIEF_COUNT * HOOK_KIND_COUNT; round++) {
        void *fresh;
        setup(&fresh);
        f = fresh;
        plan.what = round % MISCHIEF_COUNT;
        plan.where = round / MISCHIEF_COUNT % HOOK_KIND_COUNT;
        plan.depth = 0;
        bool is_regrant = round >= MISCHIEF_COUNT * HOOK_KIND_COUNT;
        kn_ability_type_id type =
            victim_register(f, is_regrant ? KN_LEVEL_UP_REGRANT : KN_LEVEL_UP_RAISE);
        tag_of(f, "Suffering");
        begin(f);
        run_the_gauntlet(f, type);
        if (kn_entity_is_alive(f->world, f->hero)) {
            assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
            assert_false(kn_entity_has_tag(f->world, f->hero, tag_of(f, "Suffering")));
            assert_true(kn_entity_destroy(f->world, f->hero));
        }
        step(f, KN_S(1));
        assert_int_equal(kn_task_count(f->world), 0);
        teardown(&fresh);
    }
}

static bool take_it_away(const kn_ability_call *call, const kn_event_record *event)
{
    (void)event;
    (void)kn_ability_remove(call->world, call->ability, KN_GRANT_CANCEL);
    return true;
}

// The hook breaks its contract; what it asks for waits until the activation has begun.
static void a_question_that_removes_the_ability_does_so_afterwards(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Liar");
    def.can_activate = take_it_away;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id liar = grant(f, type);
    kn_activation_id activation;
    assert_int_equal(kn_ability_activate(f->world, liar, NULL, &activation), KN_OK);
    assert_false(kn_activation_is_alive(f->world, activation));
    assert_int_equal(ability_count(f), 0);
    step(f, KN_S(1));
    EXPECT_LOG(f, "Liar activates. Liar: removed. ");
}

// Events --------------------------------------------------------------------

static void type_heard(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    note(user, "%d ", (int)event->type - (int)KN_EVENT_ABILITY_GRANTED);
}

// BEY-045
static void observers_hear_activated_before_ended(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump"), other_def = ability_def(f, "Other");
    def.activate = end_at_once;
    def.can_activate = below_level_two;
    kn_ability_type_id type = ability_register(f, &def);
    kn_ability_type_id other = ability_register(f, &other_def);
    begin(f);
    for (uint32_t type_of = KN_EVENT_ABILITY_GRANTED; type_of <= KN_EVENT_ABILITY_FAILED;
         type_of++) {
        kn_listener_def listener = kn_listener_def_default();
        listener.type = (kn_event_type)type_of;
        listener.ability_type = type;
        listener.function = type_heard;
        listener.user = f;
        kn_listener_id id;
        assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    }
    kn_ability_id jump = grant(f, type);
    activate(f, grant(f, other)); // nobody listens
    activate(f, jump);
    assert_int_equal(kn_ability_set_level(f->world, &jump, 2.0f), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, jump, NULL, NULL), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_ability_remove(f->world, jump, KN_GRANT_CANCEL), KN_OK);
    f->log[0] = 0;
    step(f, 0);
    char expected[64];
    const kn_event_type types[] = {KN_EVENT_ABILITY_GRANTED, KN_EVENT_ABILITY_ACTIVATED,
        KN_EVENT_ABILITY_ENDED, KN_EVENT_ABILITY_CHANGED, KN_EVENT_ABILITY_FAILED,
        KN_EVENT_ABILITY_REMOVED};
    int length = 0;
    for (uint32_t i = 0; i < 6; i++) {
        length += snprintf(expected + length, sizeof(expected) - (size_t)length, "%d ",
            (int)types[i] - (int)KN_EVENT_ABILITY_GRANTED);
    }
    EXPECT_LOG(f, expected);
}

// ABI-092
static void one_player_alone_uses_every_policy(void **state)
{
    fixture *f = *state;
    const char *const names[KN_NET_EXECUTION_COUNT] = {"Predicted", "Local", "Server", "First"};
    kn_ability_type_id types[KN_NET_EXECUTION_COUNT];
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_def def = ability_def(f, names[i]);
        def.net_execution = (kn_net_execution)i;
        def.net_security = KN_NET_SECURITY_SERVER_ONLY_ALL;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < KN_NET_EXECUTION_COUNT; i++) {
        kn_ability_id ability = grant(f, types[i]);
        assert_int_equal(kn_ability_check(f->world, ability, NULL), 0);
        assert_int_equal(kn_activation_end(f->world, activate(f, ability)), KN_OK);
    }
}

// A handler that destroys the owner of what it hears about.
static void destroy_entity(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    kn_entity_destroy(world, event->entity);
}

static void a_listener_may_destroy_whom_it_hears_about(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Jump");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_ABILITY_ACTIVATED;
    listener.function = destroy_entity;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    activate(f, grant(f, type));
    step(f, KN_S(1));
    assert_false(kn_entity_is_alive(f->world, f->hero));
    step(f, KN_S(1));
    EXPECT_LOG(f, "Jump activates. Jump: owner gone. ");
}

static const struct CMUnitTest tests[] = {
    TEST(the_first_of_a_type_that_can_start_does),
    TEST(all_with_the_tags_are_tried),
    TEST(a_hundred_abilities_are_all_reached),
    TEST(abilities_activate_query_and_cancel_one_another),
    TEST(an_ability_without_a_body_runs_and_charges_nothing),
    TEST(each_reason_has_its_result_and_its_tag),
    cmocka_unit_test(the_first_reason_in_order_is_the_result),
    TEST(all_reasons_are_told_together),
    TEST(a_reason_without_a_tag_is_a_reason_all_the_same),
    TEST(the_dead_use_only_what_works_when_dead),
    TEST(the_status_follows_everything_it_depends_on),
    TEST(an_end_happens_once_and_takes_everything_with_it),
    TEST(an_ability_that_cancels_itself_is_told_so),
    TEST(cancelling_by_tags_spares_the_others_and_one_activation),
    TEST(removing_all_abilities_destroys_what_is_active_and_its_state),
    TEST(cancelling_all_reaches_instanced_and_other_abilities),
    TEST(cancelling_spares_what_begins_meanwhile),
    TEST(what_cannot_be_cancelled_ends_by_itself_or_with_its_owner),
    TEST(of_two_attacks_the_one_that_suits_the_weapon_is_found),
    TEST(state_lasts_as_the_instancing_says),
    TEST(one_instance_is_busy_and_none_never_is),
    TEST(only_abilities_per_execution_overlap_themselves),
    TEST(an_ability_without_instances_cannot_have_state),
    TEST(a_retriggered_ability_ends_before_it_begins_again),
    TEST(an_end_hook_does_not_start_a_second_activation),
    TEST(an_ability_that_activates_itself_is_cut_at_the_limit),
    TEST(a_failing_body_cancels_the_activation_and_is_reported),
    TEST(any_hook_may_do_anything_to_its_ability_and_its_owner),
    TEST(a_question_that_removes_the_ability_does_so_afterwards),
    TEST(observers_hear_activated_before_ended),
    TEST(one_player_alone_uses_every_policy),
    TEST(a_listener_may_destroy_whom_it_hears_about),
};

TEST_GROUP(ability_activation, tests, NULL, NULL);
