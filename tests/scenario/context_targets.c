// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Target data in the context of an effect: who can read it, and how long it lives.

#include "scenario/ability_replay.h"

typedef struct stage {
    fixture *f;
    kn_effect_type_id hit; // instant: an execution and a modifier by a calculation
    kn_effect_type_id burn;
    kn_effect_type_id smoke; // a child of burn
    kn_container_id given, found;
    kn_targeting_id self;
    kn_tag cue;
} stage;

static stage the_stage; // read by hooks of the set, which is registered by the fixture's setup

// "2@1.5 " for a hit on entity 2 at x = 1.5.
static void note_targets(fixture *f, const char *who, kn_target_view view)
{
    note(f, "%s ", who);
    uint32_t count = kn_target_count(view);
    for (uint32_t i = 0; i < count; i++) {
        const kn_target_hit *hit = kn_target_get(view, i, kn_target_type_hit());
        note(f, hit != NULL ? "%u@%g " : "?", hit->entity.index1, (double)hit->point.x);
    }
}

static void read_execution(void *user, kn_execution *execution)
{
    stage *s = user;
    note_targets(s->f, "execution", kn_spec_view_targets(kn_execution_spec(execution)));
}

static float count_targets(void *user, const kn_calculation *calculation)
{
    (void)user;
    return -(float)kn_target_count(kn_spec_view_targets(kn_calculation_spec(calculation)));
}

static kn_requirement_answer read_requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)world;
    (void)existing;
    stage *s = user;
    note_targets(s->f, "requirement", kn_spec_view_targets(spec));
    return KN_REQUIREMENT_ALLOW;
}

static void read_in_set(void *user, const kn_execute_data *data)
{
    stage *s = user;
    if (data->spec != NULL) {
        note_targets(s->f, "set", kn_spec_view_targets(data->spec));
    }
}

static kn_attribute_id stage_set(fixture *f)
{
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Marks";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Stage";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.post_execute = read_in_set;
    set.hooks.user = &the_stage;
    kn_attribute_set_id id;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &id, NULL), KN_OK);
    return kn_attribute_find(f->library, "Stage.Marks");
}

static void stage_register_hit(stage *s, kn_attribute_id marks)
{
    fixture *f = s->f;
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Read";
    execution.function = read_execution;
    execution.user = s;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_calculation_def calculation = kn_calculation_def_default();
    calculation.name = "Count";
    calculation.function = count_targets;
    kn_calculation_id counted;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &counted, NULL), KN_OK);
    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(f->library, "Ask", read_requirement, s, &requirement, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(marks, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_calculation(counted);
    kn_effect_def def = instant("Hit");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.executions = &use;
    def.execution_count = 1;
    def.requirement = requirement;
    def.cue_tags = (kn_tags){&s->cue, 1};
    s->hit = effect_register(f, &def);
}

static stage *stage_begin(fixture *f)
{
    stage *s = &the_stage;
    *s = (stage){.f = f};
    s->cue = tag_of(f, "GameplayCue.Hit");
    stage_register_hit(s, stage_set(f));
    kn_effect_def smoke = infinite("Smoke");
    s->smoke = effect_register(f, &smoke);
    kn_child_def child = kn_child_def_default();
    child.type = s->smoke;
    child.when = KN_CHILD_APPLIED;
    kn_effect_def burn = infinite("Burn");
    burn.cue_tags = (kn_tags){&s->cue, 1};
    burn.stacking.kind = KN_STACK_BY_TARGET;
    burn.children = &child;
    burn.child_count = 1;
    s->burn = effect_register(f, &burn);
    kn_targeting_def self = kn_targeting_def_default();
    self.name = "Self";
    assert_int_equal(kn_targeting_register(f->library, &self, &s->self, NULL), KN_OK);
    kn_container_def container = kn_container_def_default();
    container.effects = &s->burn;
    container.effect_count = 1;
    container.name = "Given";
    container.target = KN_CONTAINER_DATA;
    assert_int_equal(kn_container_register(f->library, &container, &s->given, NULL), KN_OK);
    container.name = "Found";
    container.target = KN_CONTAINER_TARGETING;
    container.targeting_type = s->self;
    assert_int_equal(kn_container_register(f->library, &container, &s->found, NULL), KN_OK);
    kn_world_def world = kn_world_def_default();
    world.heap_capacity = 0; // memory moves often
    begin_with(f, world);
    kn_attribute_set_id set = kn_attribute_set_find(f->library, "Stage");
    add_set(f, f->foe, set);
    return s;
}

static kn_target_data hits_on(const fixture *f, kn_entity_id entity, float x)
{
    kn_target_data data = {0};
    kn_target_hit hit = {.entity = entity, .point = {x, 0.0f, 0.0f}};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
    return data;
}

static kn_result apply_with(
    stage *s, kn_effect_type_id type, kn_target_view view, kn_effect_id *out)
{
    kn_effect_context context = {.targets = view.data, .target_size = view.size};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->f->hero;
    def.target = s->f->foe;
    def.context = &context;
    return kn_effect_apply(s->f->world, &def, out);
}

static kn_effect_id burn_with(stage *s, float x)
{
    kn_target_data data = hits_on(s->f, s->f->foe, x);
    kn_effect_id effect;
    assert_int_equal(apply_with(s, s->burn, kn_target_data_view(&data), &effect), KN_OK);
    return effect;
}

static void expect_targets(stage *s, kn_target_view view, const char *expected)
{
    assert_string_equal(s->f->log, "");
    note_targets(s->f, "", view);
    EXPECT_LOG(s->f, expected);
}

// TGT-004, TGT-009, CTX-001, CTX-003
static void everybody_who_works_on_an_effect_reads_its_targets(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_target_data data = hits_on(f, f->foe, 1.5f);
    kn_target_hit second = {.entity = f->hero, .point = {2.0f, 0.0f, 0.0f}};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &second), KN_OK);
    assert_int_equal(apply_with(s, s->hit, kn_target_data_view(&data), NULL), KN_OK);
    EXPECT_LOG(f, "requirement 2@1.5 1@2 set 2@1.5 1@2 execution 2@1.5 1@2 ");
    kn_attribute_id marks = kn_attribute_find(f->library, "Stage.Marks");
    assert_true(kn_attribute_value(f->world, f->foe, marks) == -2.0f); // the calculation
    kn_event cue = published_event(f, KN_EVENT_CUE);
    kn_cue_params params;
    assert_true(kn_cue_event_params(f->world, &cue, &params));
    expect_targets(s, params.targets, " 2@1.5 1@2 ");
    assert_int_equal(kn_effect_apply_simple(f->world, s->hit, f->hero, f->foe, 1.0f, NULL), KN_OK);
    EXPECT_LOG(f, "requirement set execution ");
}

// TGT-004
static void targets_live_as_long_as_their_effect(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_effect_id burn = burn_with(s, 1.0f);
    expect_targets(s, kn_effect_targets(f->world, burn), " 2@1 ");
    check_replay(f, KN_S(1));
    kn_effect_id smoke;
    kn_effect_query query = kn_effect_query_default();
    query.type = s->smoke;
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &smoke, 1), 1);
    expect_targets(s, kn_effect_targets(f->world, smoke), " 2@1 "); // of the parent's context
    kn_cue_active active;
    kn_cue_params params;
    assert_int_equal(kn_cues(f->world, f->foe, &active, 1), 1);
    assert_true(kn_cue_active_params(f->world, f->foe, &active, &params));
    expect_targets(s, params.targets, " 2@1 ");
    // Another stack brings its own context.
    (void)burn_with(s, 7.0f);
    expect_targets(s, kn_effect_targets(f->world, burn), " 2@7 ");
    check_replay(f, KN_S(1));
    uint64_t before = kn_world_hash(f->world);
    (void)burn_with(s, 8.0f);
    assert_int_not_equal(kn_world_hash(f->world), before);
    remove_effect(f, burn);
    assert_int_equal(kn_effect_targets(f->world, burn).size, 0);
    step(f, 0); // validates: nothing is leaked
    assert_int_equal(kn_effect_targets(NULL, burn).size, 0);
}

// TGT-004
static void a_spec_carries_targets_to_whom_it_is_applied(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_target_data data = hits_on(f, f->hero, 3.0f);
    kn_effect_context context = {.targets = data.bytes, .target_size = data.size};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = s->burn;
    def.context = &context;
    kn_spec_id spec, copy;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    assert_int_equal(kn_spec_copy(f->world, spec, &copy), KN_OK);
    data = hits_on(f, f->foe, 4.0f);
    assert_int_equal(kn_spec_set_context(f->world, spec, &context, true), KN_OK);
    check_replay(f, KN_S(1));
    kn_effect_id on_foe, on_hero;
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, &on_foe), KN_OK);
    assert_int_equal(kn_spec_apply(f->world, copy, f->hero, &on_hero), KN_OK);
    expect_targets(s, kn_effect_targets(f->world, on_foe), " 2@4 ");
    expect_targets(s, kn_effect_targets(f->world, on_hero), " 1@3 ");
    context.targets = NULL;
    context.target_size = 0;
    assert_int_equal(kn_spec_set_context(f->world, spec, &context, true), KN_OK);
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, &on_foe), KN_OK);
    assert_int_equal(kn_effect_targets(f->world, on_foe).size, 0);
    kn_spec_destroy(f->world, spec);
    kn_spec_destroy(f->world, copy);
    step(f, 0);
}

// TGT-004
static void a_container_hands_its_targets_along(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_target_data data = hits_on(f, f->foe, 5.0f);
    kn_container_apply_def def = kn_container_apply_def_default();
    def.container = s->given;
    def.source = f->hero;
    def.data = data.bytes;
    def.data_size = data.size;
    uint32_t applied;
    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_OK);
    assert_int_equal(applied, 1);
    kn_effect_id burn;
    kn_effect_query query = kn_effect_query_default();
    query.type = s->burn;
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, &burn, 1), 1);
    expect_targets(s, kn_effect_targets(f->world, burn), " 2@5 ");
    // A context with targets of its own keeps them.
    kn_target_data own = hits_on(f, f->hero, 6.0f);
    kn_effect_context context = {.targets = own.bytes, .target_size = own.size};
    def.context = &context;
    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_OK);
    expect_targets(s, kn_effect_targets(f->world, burn), " 1@6 ");
    def = kn_container_apply_def_default();
    def.container = s->found;
    def.source = f->hero;
    assert_int_equal(kn_container_apply(f->world, &def, &applied), KN_OK);
    assert_int_equal(kn_effects_find(f->world, f->hero, &query, &burn, 1), 1);
    kn_entity_id named;
    assert_int_equal(kn_target_entities(kn_effect_targets(f->world, burn), &named, 1), 1);
    assert_true(kn_entity_id_equal(named, f->hero));
    check_replay(f, KN_S(1));
}

static void malformed_targets_are_refused(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_target_data data = hits_on(f, f->foe, 1.0f);
    kn_effect_id burn = burn_with(s, 1.0f);
    uint64_t before = kn_world_hash(f->world);
    const kn_target_view bad[] = {
        {data.bytes, 3}, {NULL, 16}, {data.bytes, data.size - 8}, {data.bytes, UINT32_MAX}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(apply_with(s, s->burn, bad[i], NULL), KN_ERROR_BAD_DATA);
        kn_effect_context context = {.targets = bad[i].data, .target_size = bad[i].size};
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.type = s->burn;
        def.context = &context;
        kn_spec_id spec;
        assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_ERROR_BAD_DATA);
        kn_cue_params params = kn_cue_params_default();
        params.targets = bad[i];
        assert_int_equal(kn_cue_execute(f->world, f->foe, s->cue, &params), KN_ERROR_BAD_DATA);
        assert_int_equal(kn_cue_add(f->world, f->foe, s->cue, &params), KN_ERROR_BAD_DATA);
    }
    assert_int_equal(kn_world_hash(f->world), before);
    assert_true(kn_effect_is_alive(f->world, burn));
}

// A view of what the world holds is handed back to it while its memory grows.
static void targets_of_one_effect_may_be_those_of_the_next(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_effect_id effect = burn_with(s, 9.0f);
    for (uint32_t i = 0; i < 2000; i++) {
        kn_entity_id other = entity_create(f);
        kn_target_view view = kn_effect_targets(f->world, effect);
        kn_effect_context context = {.targets = view.data, .target_size = view.size};
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.type = s->burn;
        def.target = other;
        def.context = &context;
        assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
        kn_cue_params params = kn_cue_params_default();
        params.targets = kn_effect_targets(f->world, effect);
        assert_int_equal(kn_cue_add(f->world, other, s->cue, &params), KN_OK);
    }
    expect_targets(s, kn_effect_targets(f->world, effect), " 2@9 ");
    step(f, 0);
}

// TGT-004: cues that game code adds keep theirs until they are removed.
static void a_cue_keeps_the_targets_it_was_given(void **state)
{
    stage *s = stage_begin(*state);
    fixture *f = s->f;
    kn_target_data data = hits_on(f, f->foe, 2.5f);
    kn_cue_params params = kn_cue_params_default();
    params.targets = kn_target_data_view(&data);
    assert_int_equal(kn_cue_add(f->world, f->hero, s->cue, &params), KN_OK);
    data.size = 0;
    check_replay(f, KN_S(1));
    assert_int_equal(kn_cue_remove(f->world, f->hero, s->cue), KN_OK);
    kn_event cue = published_event(f, KN_EVENT_CUE);
    assert_int_equal(cue.data.cue.action, KN_CUE_REMOVED);
    assert_true(kn_cue_event_params(f->world, &cue, &params));
    expect_targets(s, params.targets, " 2@2.5 ");
}

static const struct CMUnitTest tests[] = {
    TEST(everybody_who_works_on_an_effect_reads_its_targets),
    TEST(targets_live_as_long_as_their_effect),
    TEST(a_spec_carries_targets_to_whom_it_is_applied),
    TEST(a_container_hands_its_targets_along),
    TEST(malformed_targets_are_refused),
    TEST(targets_of_one_effect_may_be_those_of_the_next),
    TEST(a_cue_keeps_the_targets_it_was_given),
};

TEST_GROUP(context_targets, tests, NULL, NULL);
