// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Modifiers that look at the event: conditions, and the two passes of an event with two parties.

#include "scenario/combat_fixture.h"

// The arithmetic ---------------------------------------------------------------------------

// Conditional modifiers ------------------------------------------------------------------------

typedef struct seen_record {
    kn_entity_id instigator, target;
    float magnitude;
    uint64_t object;
    uint32_t kind;
    uint32_t tags;
} seen_record;

static seen_record seen;
static kn_entity_id attacker; // null in tests that need none

static bool direct_fire(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    fixture *f = user;
    (void)world;
    (void)answer;
    seen = (seen_record){record->instigator, record->target, record->magnitude, record->object,
        record->kind.index1, record->tags.count};
    return record->kind.index1 == f->damage_event.index1 &&
           kn_tags_has(f->library, record->tags, f->direct) &&
           kn_tags_has(f->library, record->tags, f->fire);
}

static float take(
    fixture *f, kn_event_kind_id kind, float amount, const kn_tag *tags, uint32_t count)
{
    kn_event_record record = kn_event_record_default();
    record.kind = kind;
    record.target = f->hero;
    record.instigator = attacker;
    record.magnitude = amount;
    record.object = 4711;
    record.tags = (kn_tags){tags, count};
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_int_equal(outcome.result, KN_OK);
    return outcome.magnitude;
}

// SAIV-018, CMOD-001, CMOD-002, CMOD-003, CMOD-004, CMOD-009
static void a_conditional_modifier_acts_only_on_events_it_recognises(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Healing";
    kind.incoming = f->incoming;
    kn_event_kind_id healing;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &healing, NULL), KN_OK);
    kn_condition_id condition = condition_of(f, "DirectFire", direct_fire);
    begin(f);
    attacker = entity_create(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_MULTIPLY, 0.8f);
    ward.condition = condition;
    kn_effect_id effect = buff(f, ward, 1);
    const kn_tag direct_fire_tags[] = {f->direct, f->fire}, fire_tags[] = {f->fire};
    const kn_tag direct_frost_tags[] = {f->direct, f->frost};
    assert_near(take(f, f->damage_event, 50.0f, direct_fire_tags, 2), 40.0f);
    assert_true(kn_entity_id_equal(seen.instigator, attacker));
    assert_true(kn_entity_id_equal(seen.target, f->hero));
    assert_true(seen.magnitude == 50.0f && seen.object == 4711 && seen.tags == 2);
    assert_int_equal(seen.kind, f->damage_event.index1);
    // All that are there have their say, and the results are one collection: (50 + 10) x 0.8.
    kn_modifier_def more = modifier_on(f->incoming, KN_OP_ADD, 10.0f);
    more.condition = condition;
    kn_effect_id second = buff(f, more, 1);
    assert_near(take(f, f->damage_event, 50.0f, direct_fire_tags, 2), 48.0f);
    remove_effect(f, second);
    assert_near(take(f, f->damage_event, 50.0f, fire_tags, 1), 50.0f);
    assert_near(take(f, f->damage_event, 50.0f, direct_frost_tags, 2), 50.0f);
    assert_near(take(f, healing, 50.0f, direct_fire_tags, 2), 50.0f);
    remove_effect(f, effect);
    assert_near(take(f, f->damage_event, 50.0f, direct_fire_tags, 2), 50.0f);
    attacker = (kn_entity_id){0};
}

static kn_effect_type_id brought;
static kn_effect_id taken_away; // null: nothing

// Breaks its contract: it is to answer and change nothing.
static bool meddle(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    fixture *f = user;
    (void)world;
    (void)record;
    (void)answer;
    assert_int_equal(
        kn_effect_apply_simple(f->world, brought, f->hero, f->hero, 1.0f, NULL), KN_OK);
    if (taken_away.index1 != 0) {
        (void)kn_effect_remove(f->world, taken_away, 0, KN_REMOVED_RULE);
    }
    return true;
}

// CMOD-011: what a condition brings or takes away counts from the next evaluation on.
static void an_evaluation_uses_the_list_it_began_with(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "Meddle", meddle);
    kn_modifier_def hundred = modifier_on(f->incoming, KN_OP_ADD, 100.0f);
    kn_effect_def def = effect_def("Brought", KN_DURATION_INFINITE, &hundred, 1);
    brought = effect_register(f, &def);
    begin(f);
    taken_away = (kn_effect_id){0};
    kn_modifier_def one = modifier_on(f->incoming, KN_OP_ADD, 1.0f);
    one.condition = condition;
    buff(f, one, 1);
    kn_effect_id ten = buff(f, modifier_on(f->incoming, KN_OP_ADD, 10.0f), 1);
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 16.0f);
    assert_int_equal(kn_effects_count(f->world, f->hero), 3);
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 116.0f);
    taken_away = ten; // comes after the one that takes it away
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 216.0f);
    assert_false(kn_effect_is_alive(f->world, ten));
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 306.0f);
}

// MAP-014, CMOD-004
static void tags_of_the_event_are_a_condition_without_code(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    const kn_tag both[] = {f->direct, f->fire};
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_MULTIPLY, 0.8f);
    ward.event.required = (kn_tags){both, 2};
    buff(f, ward, 1);
    assert_near(take(f, f->damage_event, 50.0f, both, 2), 40.0f);
    assert_near(take(f, f->damage_event, 50.0f, both, 1), 50.0f);
    // A preview without a record leaves it out.
    assert_near(length_of(f, f->incoming, 50.0f), 50.0f);
}

// CMOD-005, CMOD-013
static void kind_and_size_of_a_conditional_modifier_may_depend_on_the_event(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "ByAmount", by_amount);
    begin(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    kn_effect_id effect = buff(f, ward, 1);
    assert_near(take(f, f->damage_event, 200.0f, NULL, 0), 100.0f);
    assert_near(take(f, f->damage_event, 50.0f, NULL, 0), 45.0f);
    remove_effect(f, effect);
    ward.scaling = KN_STACK_SCALING_YES;
    buff(f, ward, 3);
    assert_near(take(f, f->damage_event, 50.0f, NULL, 0), 35.0f); // -5 x 3
    ward.scaling = KN_STACK_SCALING_NO;
}

static bool halve_scaled(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    answer->op = KN_OP_MULTIPLY;
    answer->magnitude = 0.8f;
    return true;
}

// CMOD-013, MODF-005
static void a_scaled_answer_follows_the_law_of_the_operation_it_names(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "HalveScaled", halve_scaled);
    begin(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    ward.scaling = KN_STACK_SCALING_YES;
    buff(f, ward, 2);
    assert_near(take(f, f->damage_event, 100.0f, NULL, 0), 60.0f); // 1 + (0.8 - 1) x 2
}

static bool answer_badly(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    answer->magnitude = record->magnitude > 10.0f ? INFINITY : NAN;
    return true;
}

// SAIV-022, MODF-018
static void a_condition_that_answers_nan_is_ignored_and_reported_once(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "AnswerBadly", answer_badly);
    begin(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(f, ward, 1);
    f->log_count = 0;
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 5.0f);
    assert_near(take(f, f->damage_event, 50.0f, NULL, 0), 50.0f);
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 5.0f);
    assert_int_equal(f->log_count, 1);
}

static bool divide_by_zero(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    answer->op = KN_OP_DIVIDE;
    answer->magnitude = 0.0f;
    return true;
}

// MODF-018, MAP-011
static void a_condition_cannot_bring_an_operation_its_value_does_not_allow(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "DivideByZero", divide_by_zero);
    begin(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(f, ward, 1);
    assert_near(take(f, f->damage_event, 5.0f, NULL, 0), 5.0f);
}

// SAIV-019, CMOD-012
static void outgoing_modifiers_come_first_and_their_result_is_the_incoming_base(void **state)
{
    fixture *f = *state;
    declare_all(f);
    begin(f);
    kn_entity_id source = entity_create(f);
    const kn_modifier_def modifiers[] = {modifier_on(f->outgoing, KN_OP_ADD, 20.0f),
        modifier_on(f->outgoing, KN_OP_MULTIPLY, 1.5f), modifier_on(f->incoming, KN_OP_ADD, 10.0f),
        modifier_on(f->incoming, KN_OP_MULTIPLY, 0.5f)};
    kn_effect_id effects[4];
    for (uint32_t i = 0; i < 4; i++) {
        effects[i] = apply_stacks(f, i < 2 ? source : f->hero, effect_make(f, &modifiers[i], 1), 1);
    }
    // What the target deals and the source suffers is of no concern.
    const kn_modifier_def deals = modifier_on(f->outgoing, KN_OP_ADD, 1000.0f);
    const kn_modifier_def suffers = modifier_on(f->incoming, KN_OP_ADD, 2000.0f);
    apply_stacks(f, f->hero, effect_make(f, &deals, 1), 1);
    apply_stacks(f, source, effect_make(f, &suffers, 1), 1);
    kn_event_record record = kn_event_record_default();
    record.kind = f->damage_event;
    record.instigator = source;
    record.target = f->hero;
    record.magnitude = 100.0f;
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_near(outcome.magnitude, 95.0f);
    drop_parts(f, &effects[0], 1);
    drop_parts(f, &effects[2], 1);
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_near(outcome.magnitude, 75.0f);
    record.ignore_modifiers = true;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_near(outcome.magnitude, 100.0f);
}

// MODF-020
static void evaluating_is_a_pure_query(void **state)
{
    fixture *f = *state;
    declare_all(f);
    kn_condition_id condition = condition_of(f, "ByAmount", by_amount);
    begin(f);
    kn_modifier_def ward = modifier_on(f->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(f, ward, 1);
    buff(f, modifier_on(f->incoming, KN_OP_ADD, 1.0f), 1);
    step(f, 0);
    uint64_t before = kn_world_hash(f->world);
    kn_event_record record = kn_event_record_default();
    record.kind = f->damage_event;
    record.target = f->hero;
    record.magnitude = 50.0f;
    assert_near(length_of(f, f->incoming, 50.0f), 51.0f);
    assert_near(kn_value_evaluate(f->world, f->hero, f->incoming, 50.0f, &record, false), 46.0f);
    assert_true(kn_world_hash(f->world) == before);
    step(f, 0);
    assert_int_equal(kn_world_events(f->world).count, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_conditional_modifier_acts_only_on_events_it_recognises),
    TEST(an_evaluation_uses_the_list_it_began_with),
    TEST(tags_of_the_event_are_a_condition_without_code),
    TEST(kind_and_size_of_a_conditional_modifier_may_depend_on_the_event),
    TEST(a_scaled_answer_follows_the_law_of_the_operation_it_names),
    TEST(a_condition_that_answers_nan_is_ignored_and_reported_once),
    TEST(a_condition_cannot_bring_an_operation_its_value_does_not_allow),
    TEST(outgoing_modifiers_come_first_and_their_result_is_the_incoming_base),
    TEST(evaluating_is_a_pure_query),
};

TEST_GROUP(conditional_values, tests, NULL, NULL);
