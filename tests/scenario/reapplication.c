// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every successful application reaches the logic of its effect and the rules: first ones, further
// ones with what they did, and instant ones. Source, target, instigator and causer are different
// entities throughout.

#include "scenario/effect_fixture.h"

typedef struct counter {
    uint32_t applied, reapplied;
} counter;

static struct {
    kn_effect_reapplication again; // what the hook was given last
    float amount;                  // caller value of that application
    uint32_t payload, target_count;
    kn_effect_id effect;
    float own_amount; // caller value that the effect has now
    kn_reaction reaction;
    kn_effect_type_id type;
} seen;

static kn_tag data_amount;
static kn_context_type_id hit_type;

static void on_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)world;
    counter *count = state;
    count->applied++;
    note(user, "applied %u at %g. ", count->applied, (double)kn_spec_view_level(spec));
}

static void on_executed(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    counter *count = state;
    count->applied++;
    note(user, "executed %u at %g. ", count->applied, (double)kn_spec_view_level(spec));
    if (kn_spec_view_level(spec) == 4.0f) { // one inside the other has its own state
        assert_int_equal(kn_effect_apply_simple(world, kn_spec_view_type(spec),
                             kn_spec_view_source(spec), kn_spec_view_target(spec), 5.0f, NULL),
            KN_OK);
    }
    assert_int_equal(count->applied, 1);
}

static void on_reapplied(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    const kn_effect_reapplication *again)
{
    (void)world;
    counter *count = state;
    count->reapplied++;
    note(user, "again %u. ", count->reapplied);
    seen.again = *again;
    seen.effect = kn_spec_view_effect(spec);
    seen.own_amount = kn_spec_view_caller_value(spec, data_amount, -1.0f, false);
    seen.amount = kn_spec_view_caller_value(again->application, data_amount, -1.0f, false);
    const uint32_t *payload = kn_spec_view_payload(again->application, hit_type);
    seen.payload = payload != NULL ? *payload : 0;
    seen.target_count = kn_target_count(kn_spec_view_targets(again->application));
    assert_true(kn_entity_id_equal(kn_spec_view_source(again->application), again->source));
    assert_true(
        kn_effect_id_equal(kn_spec_view_effect(again->application), kn_spec_view_effect(spec)));
}

static void on_stacks(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t old_count, uint32_t new_count)
{
    (void)world;
    (void)spec;
    (void)state;
    note(user, "stacks %u to %u. ", old_count, new_count);
}

static const kn_field counter_fields[] = {
    KN_FIELD(counter, applied, KN_FIELD_U32),
    KN_FIELD(counter, reapplied, KN_FIELD_U32),
};

static kn_effect_logic_id logic_of(fixture *f)
{
    kn_effect_logic_def def = kn_effect_logic_def_default();
    def.name = "Counted";
    def.state_size = sizeof(counter);
    def.state_fields = counter_fields;
    def.state_field_count = COUNT(counter_fields);
    def.applied = on_applied;
    def.executed = on_executed;
    def.reapplied = on_reapplied;
    def.stacks_changed = on_stacks;
    def.user = f;
    kn_effect_logic_id logic = {0};
    assert_int_equal(kn_effect_logic_register(f->library, &def, &logic, NULL), KN_OK);
    return logic;
}

static int reapplication_setup(void **state)
{
    int result = setup(state);
    fixture *f = *state;
    memset(&seen, 0, sizeof(seen));
    data_amount = tag_of(f, "Data.Amount");
    assert_int_equal(
        kn_context_type_register(f->library, "Hit", sizeof(uint32_t), &hit_type, NULL), KN_OK);
    return result;
}

static kn_effect_def stacking_logic(fixture *f, const char *name, kn_merge merge, float limit)
{
    kn_effect_def def = timed(name, 10.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.merge = merge;
    def.stacking.limit = kn_constant(limit);
    def.logic = logic_of(f);
    return def;
}

static struct {
    kn_entity_id lord, sword;
} stage;

static void begin_stage(fixture *f)
{
    begin(f);
    stage.lord = entity_create(f);
    stage.sword = entity_create(f);
}

// The ally, for a lord and with a sword, from somewhere, at level 3.
static kn_result strike(fixture *f, kn_effect_type_id type, kn_effect_id *effect)
{
    uint32_t payload = 77;
    kn_target_data data = {0};
    kn_target_entity entity = {f->foe};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_entity(), &entity), KN_OK);
    kn_target_view view = kn_target_data_view(&data);
    kn_effect_context context = {.instigator = stage.lord,
        .causer = stage.sword,
        .source_object = 99,
        .origin = {1.0f, 2.0f, 3.0f},
        .has_origin = true,
        .payload_type = hit_type,
        .payload = &payload,
        .targets = view.data,
        .target_size = view.size,
        .ability = {5, 6},
        .activation = {7, 8}};
    kn_caller_value value = {data_amount, 30.0f};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = f->ally;
    def.target = f->foe;
    def.level = 3.0f;
    def.caller_values = &value;
    def.caller_value_count = 1;
    def.context = &context;
    return kn_effect_apply(f->world, &def, effect);
}

static void expect_strike(const fixture *f)
{
    const kn_effect_reapplication *again = &seen.again;
    assert_true(kn_entity_id_equal(again->source, f->ally));
    assert_true(kn_entity_id_equal(again->instigator, stage.lord));
    assert_true(kn_entity_id_equal(again->causer, stage.sword));
    assert_true(again->ability.index1 == 5 && again->ability.generation == 6);
    assert_true(again->activation.index1 == 7 && again->activation.generation == 8);
    assert_true(again->has_origin && again->origin.x == 1.0f && again->origin.y == 2.0f &&
                again->origin.z == 3.0f);
    assert_int_equal(again->source_object, 99);
    assert_near(again->level, 3.0f);
    assert_near(seen.amount, 30.0f);
    assert_int_equal(seen.payload, 77);
    assert_int_equal(seen.target_count, 1);
}

static void logic_hears_further_applications_and_what_they_did(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_logic(f, "Mark", KN_MERGE_LATEST, 2);
    kn_effect_type_id mark = effect_register(f, &def);
    begin_stage(f);
    kn_effect_id effect = apply(f, mark);
    EXPECT_LOG(f, "applied 1 at 1. ");
    step_seconds(f, 4);
    kn_effect_id joined;

    assert_int_equal(strike(f, mark, &joined), KN_OK);

    EXPECT_LOG(f, "stacks 1 to 2. again 1. ");
    assert_true(kn_effect_id_equal(joined, effect) && kn_effect_id_equal(seen.effect, effect));
    expect_strike(f);
    assert_true(seen.again.took_over);
    assert_near(seen.own_amount, 30.0f);
    assert_int_equal(seen.again.stacks, 1);
    assert_int_equal(seen.again.old_stacks, 1);
    assert_int_equal(seen.again.new_stacks, 2);
    assert_int_equal(seen.again.old_remaining, KN_S(6));
    assert_int_equal(seen.again.new_remaining, KN_S(10));

    step_seconds(f, 1);
    apply(f, mark); // at the limit
    EXPECT_LOG(f, "again 2. ");
    assert_true(kn_entity_id_equal(seen.again.source, f->hero));
    assert_true(kn_entity_id_equal(seen.again.instigator, f->hero));
    assert_true(kn_entity_id_is_null(seen.again.causer) && !seen.again.has_origin);
    assert_near(seen.amount, -1.0f);
    assert_int_equal(seen.again.old_stacks, 2);
    assert_int_equal(seen.again.new_stacks, 2);
    assert_int_equal(seen.again.old_remaining, KN_S(9));
    assert_int_equal(seen.again.new_remaining, KN_S(10));
}

static void an_application_is_told_even_if_the_stack_keeps_the_first(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_logic(f, "Mark", KN_MERGE_FIRST, 1);
    def.duration_kind = KN_DURATION_INFINITE;
    kn_effect_type_id mark = effect_register(f, &def);
    begin_stage(f);
    kn_effect_id effect = apply(f, mark);

    assert_int_equal(strike(f, mark, &effect), KN_OK);

    EXPECT_LOG(f, "applied 1 at 1. again 1. ");
    expect_strike(f);
    assert_false(seen.again.took_over);
    assert_near(seen.own_amount, -1.0f);
    assert_true(kn_entity_id_equal(info_of(f, effect).source, f->hero));
    assert_int_equal(seen.again.old_remaining, KN_TIME_INFINITE);
    assert_int_equal(seen.again.new_remaining, KN_TIME_INFINITE);
}

static void a_refused_application_is_not_heard(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_logic(f, "Mark", KN_MERGE_LATEST, 1);
    def.stacking.deny_overflow = true;
    kn_effect_type_id mark = effect_register(f, &def);
    begin(f);
    apply(f, mark);
    assert_int_equal(try_apply(f, mark), KN_REFUSED_STACK_DENIED);
    EXPECT_LOG(f, "applied 1 at 1. ");
}

static void stacks_with_timers_of_their_own_are_heard_too(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_logic(f, "Mark", KN_MERGE_LATEST, 2);
    def.stacking.own_timers = true;
    def.stacking.at_cap = KN_STACK_CAP_REPLACE_OLDEST;
    kn_effect_type_id mark = effect_register(f, &def);
    begin_stage(f);
    apply(f, mark);
    apply(f, mark);
    step_seconds(f, 2);
    f->log[0] = 0;
    kn_effect_id effect;
    assert_int_equal(strike(f, mark, &effect), KN_OK);
    EXPECT_LOG(f, "again 2. ");
    expect_strike(f);
    assert_int_equal(seen.again.old_stacks, 2);
    assert_int_equal(seen.again.new_stacks, 2);
    assert_int_equal(seen.again.new_remaining, KN_S(8));
}

static void logic_of_an_instant_effect_hears_each_application(void **state)
{
    fixture *f = *state;
    kn_effect_def def = instant("Hit");
    def.logic = logic_of(f);
    kn_effect_type_id hit = effect_register(f, &def);
    begin(f);
    apply(f, hit);
    apply_level(f, hit, 4.0f);
    EXPECT_LOG(f, "executed 1 at 1. executed 1 at 4. executed 1 at 5. "); // its state is not kept
}

// Rules ---------------------------------------------------------------------

static void on_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    const char *words[] = {[KN_TRIGGER_EFFECT_APPLIED] = "applied",
        [KN_TRIGGER_EFFECT_REAPPLIED] = "again",
        [KN_TRIGGER_EFFECT_EXECUTED] = "executed"};
    note(user, "%s %u>%u. ", words[reaction->trigger], reaction->old_count, reaction->new_count);
    seen.reaction = *reaction;
}

static void rule_on(fixture *f, const char *name, kn_trigger trigger, kn_effect_type_id type)
{
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.effect_type = type;
    def.function = on_rule;
    def.user = f;
    kn_rule_id rule;
    assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
}

static void rules_hear_further_applications(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 2; i++) { // whichever of the two the stack keeps
        kn_effect_def def = timed(i == 0 ? "Latest" : "First", 10.0f);
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.merge = i == 0 ? KN_MERGE_LATEST : KN_MERGE_FIRST;
        def.stacking.limit = kn_constant(2.0f);
        (void)effect_register(f, &def);
    }
    kn_effect_type_id types[] = {
        kn_effect_type_find(f->library, "Latest"), kn_effect_type_find(f->library, "First")};
    rule_on(f, "Applied", KN_TRIGGER_EFFECT_APPLIED, types[0]);
    rule_on(f, "Again", KN_TRIGGER_EFFECT_REAPPLIED, (kn_effect_type_id){0});
    begin_stage(f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_id effect = apply(f, types[i]);
        EXPECT_LOG(f, i == 0 ? "applied 0>1. " : "");
        step_seconds(f, 3);
        assert_int_equal(strike(f, types[i], &effect), KN_OK);
        EXPECT_LOG(f, "again 1>2. ");
        const kn_reaction *reaction = &seen.reaction;
        assert_true(kn_entity_id_equal(reaction->entity, f->foe));
        assert_true(kn_entity_id_equal(reaction->instigator, f->ally));
        assert_true(kn_entity_id_equal(reaction->causer, stage.sword));
        assert_true(kn_effect_id_equal(reaction->effect, effect));
        assert_int_equal(reaction->effect_type.index1, types[i].index1);
        assert_true(reaction->ability.index1 == 5 && reaction->activation.index1 == 7);
        assert_int_equal(reaction->object, 99);
        assert_near(reaction->level, 3.0f);
        assert_int_equal(reaction->old_remaining, KN_S(7));
        assert_int_equal(reaction->new_remaining, KN_S(10));
        apply(f, types[i]);
        EXPECT_LOG(f, "again 2>2. ");
        remove_effect(f, effect);
    }
}

static void rules_hear_instant_effects_and_ticks(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    kn_effect_type_id hit = effect_register(f, &def);
    def = effect_def("Burn", KN_DURATION_TIMED, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    kn_effect_type_id burn = effect_register(f, &def);
    rule_on(f, "Executed", KN_TRIGGER_EFFECT_EXECUTED, (kn_effect_type_id){0});
    begin_stage(f);

    apply(f, hit); // the short path
    EXPECT_LOG(f, "executed 0>1. ");
    assert_true(kn_effect_id_is_null(seen.reaction.effect));
    assert_true(kn_entity_id_equal(seen.reaction.instigator, f->hero));
    kn_effect_id effect;
    assert_int_equal(strike(f, hit, &effect), KN_OK); // the long one
    EXPECT_LOG(f, "executed 0>1. ");
    assert_true(kn_entity_id_equal(seen.reaction.instigator, f->ally));
    assert_true(kn_entity_id_equal(seen.reaction.causer, stage.sword));
    assert_int_equal(seen.reaction.effect_type.index1, hit.index1);
    assert_int_equal(seen.reaction.object, 99);
    assert_near(seen.reaction.level, 3.0f);

    effect = apply(f, burn);
    step_seconds(f, 2);
    EXPECT_LOG(f, "executed 0>1. executed 1>1. executed 2>1. ");
    assert_true(kn_effect_id_equal(seen.reaction.effect, effect));
    remove_effect(f, effect);
    assert_int_equal(strike(f, burn, &effect), KN_OK);
    step_seconds(f, 1);
    EXPECT_LOG(f, "executed 0>1. executed 1>1. ");
    assert_true(kn_entity_id_equal(seen.reaction.causer, stage.sword));
}

// The law of hooks ----------------------------------------------------------

static void remove_itself(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    const kn_effect_reapplication *again)
{
    (void)state;
    kn_effect_id effect = kn_spec_view_effect(spec);
    assert_int_equal(kn_effect_remove(world, effect, 0, KN_REMOVED_RULE), KN_OK);
    assert_true(kn_effect_is_alive(world, effect)); // it waits
    assert_near(kn_spec_view_caller_value(again->application, data_amount, -1.0f, false), 30.0f);
    note(user, "removed. ");
}

static void an_effect_may_remove_itself_when_it_is_applied_again(void **state)
{
    fixture *f = *state;
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Fragile";
    logic.reapplied = remove_itself;
    logic.user = f;
    kn_effect_def def = timed("Mark", 10.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    assert_int_equal(kn_effect_logic_register(f->library, &logic, &def.logic, NULL), KN_OK);
    kn_effect_type_id mark = effect_register(f, &def);
    begin_stage(f);
    kn_effect_id effect = apply(f, mark), joined;
    assert_int_equal(strike(f, mark, &joined), KN_OK);
    EXPECT_LOG(f, "removed. ");
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

static void a_world_with_such_logic_continues_from_copies(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_logic(f, "Mark", KN_MERGE_LATEST, 3);
    kn_effect_type_id mark = effect_register(f, &def);
    begin_stage(f);
    kn_effect_id effect = apply(f, mark);
    assert_int_equal(strike(f, mark, &effect), KN_OK);
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    step_seconds(f, 1);
    apply(f, mark);
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, bytes, size);
    step_seconds(f, 1);
    kn_world *loaded = world_loaded(f, kn_world_def_default());
    apply(f, mark);
    assert_true(kn_world_hash(f->world) == hash);
    assert_int_equal(kn_effect_apply_simple(loaded, mark, f->hero, f->foe, 1.0f, &effect), KN_OK);
    assert_same_worlds(loaded, f->world);
    const counter *count = kn_effect_state(loaded, effect);
    assert_int_equal(count->reapplied, 2);
    kn_world_destroy(loaded);
    free(bytes);
}

// What a spec says of its context -------------------------------------------

static struct {
    kn_entity_id instigator, causer;
    kn_vec3 origin;
    bool has_origin;
    uint64_t object;
    uint32_t targets;
    kn_ability_id ability;
} context_seen[2]; // in the calculation, in the execution

static void context_look(const kn_spec_view *spec, uint32_t index)
{
    context_seen[index].instigator = kn_spec_view_instigator(spec);
    context_seen[index].causer = kn_spec_view_causer(spec);
    context_seen[index].has_origin = kn_spec_view_origin(spec, &context_seen[index].origin);
    context_seen[index].object = kn_spec_view_source_object(spec);
    context_seen[index].targets = kn_target_count(kn_spec_view_targets(spec));
    context_seen[index].ability = kn_spec_view_ability(spec);
    assert_int_equal(kn_spec_view_origin(spec, NULL), context_seen[index].has_origin);
}

static float context_calculation(void *user, const kn_calculation *calculation)
{
    (void)user;
    context_look(kn_calculation_spec(calculation), 0);
    return 1.0f;
}

static void context_execution(void *user, kn_execution *execution)
{
    (void)user;
    context_look(kn_execution_spec(execution), 1);
}

static void calculations_and_executions_read_the_whole_context(void **state)
{
    fixture *f = *state;
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Look";
    calculation.function = context_calculation;
    kn_calculation_id look;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &look, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_calculation(look);
    kn_execution_use use = {
        .execution = execution_of(f, "Work", NULL, 0, (kn_tags){0}, context_execution, NULL)};
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id hit = effect_register(f, &def);
    begin_stage(f);

    kn_effect_id effect;
    assert_int_equal(strike(f, hit, &effect), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_entity_id_equal(context_seen[i].instigator, stage.lord));
        assert_true(kn_entity_id_equal(context_seen[i].causer, stage.sword));
        assert_true(context_seen[i].has_origin && context_seen[i].origin.y == 2.0f);
        assert_int_equal(context_seen[i].object, 99);
        assert_int_equal(context_seen[i].targets, 1);
        assert_int_equal(context_seen[i].ability.index1, 5);
    }
    apply(f, hit); // without a context
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_entity_id_equal(context_seen[i].instigator, f->hero));
        assert_true(kn_entity_id_is_null(context_seen[i].causer));
        assert_true(!context_seen[i].has_origin && context_seen[i].origin.y == 0.0f);
        assert_int_equal(context_seen[i].targets, 0);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, reapplication_setup, teardown)

static const struct CMUnitTest tests[] = {
    CASE(logic_hears_further_applications_and_what_they_did),
    CASE(an_application_is_told_even_if_the_stack_keeps_the_first),
    CASE(a_refused_application_is_not_heard),
    CASE(stacks_with_timers_of_their_own_are_heard_too),
    CASE(logic_of_an_instant_effect_hears_each_application),
    CASE(rules_hear_further_applications),
    CASE(rules_hear_instant_effects_and_ticks),
    CASE(an_effect_may_remove_itself_when_it_is_applied_again),
    CASE(a_world_with_such_logic_continues_from_copies),
    CASE(calculations_and_executions_read_the_whole_context),
};

TEST_GROUP(reapplication, tests, NULL, NULL);
