// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Executions: rules that read captures and change several attributes.

#include "scenario/effect_fixture.h"

static const kn_tags no_tags = {NULL, 0};

// What an execution found and what it shall do.
typedef struct probe {
    kn_attribute_id outputs[2];
    float magnitudes[2];
    kn_op ops[2]; // Add if nothing is said
    kn_tag transient, unlisted, key;
    float captured[2];
    uint32_t captures;
    float transient_value, unlisted_value, caller_value;
    bool has_transient, has_unlisted;
    bool handle_cues, handle_stacks, trigger_children;
    uint32_t runs;
    kn_entity_id source, target;
} probe;

static void probe_run(void *user, kn_execution *execution)
{
    probe *p = user;
    p->runs++;
    p->source = kn_execution_source(execution);
    p->target = kn_execution_target(execution);
    for (uint32_t i = 0; i < p->captures; i++) {
        p->captured[i] = kn_execution_capture(execution, i);
    }
    p->has_transient = kn_execution_transient(execution, p->transient, &p->transient_value);
    p->has_unlisted = kn_execution_transient(execution, p->unlisted, &p->unlisted_value);
    p->caller_value = kn_spec_view_caller_value(kn_execution_spec(execution), p->key, -1.0f, false);
    if (p->handle_cues) {
        kn_execution_handle_cues(execution);
    }
    if (p->handle_stacks) {
        kn_execution_handle_stacks(execution);
    }
    if (p->trigger_children) {
        kn_execution_trigger_children(execution);
    }
    for (uint32_t i = 0; i < COUNT(p->outputs); i++) {
        if (p->outputs[i].index1 != 0) {
            kn_execution_output(execution, p->outputs[i], 0, p->ops[i], p->magnitudes[i]);
        }
    }
}

// What it can do ----------------------------------------------------------------

// EXE-001, EFF-003: reads several attributes, changes several.
static void execution_reads_and_changes_several_attributes(void **state)
{
    fixture *f = *state;
    probe p = {.outputs = {f->health, f->mana}, .magnitudes = {-30, 7}, .captures = 2};
    kn_capture captures[] = {
        {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_effect_type_id type =
        executing(f, "Hit", execution_of(f, "Probe", captures, 2, no_tags, probe_run, &p), NULL, 0);
    begin(f);

    apply(f, type);

    assert_int_equal(p.runs, 1);
    assert_near(p.captured[0], 10);
    assert_near(p.captured[1], 5);
    assert_near(base(f, f->health), 70);
    assert_near(base(f, f->mana), 67);
    assert_true(kn_entity_id_equal(p.source, f->hero));
    assert_true(kn_entity_id_equal(p.target, f->foe));
}

// EXE-002, EFF-005: on instant effects and ticks only.
static void execution_belongs_to_instant_and_periodic_effects(void **state)
{
    fixture *f = *state;
    probe p = {.outputs = {f->health}, .magnitudes = {-10}};
    kn_execution_use use = {.execution = execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Lasting", KN_DURATION_INFINITE, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def.duration_kind = KN_DURATION_TIMED;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def.name = "Periodic";
    def.is_periodic = true;
    def.period = kn_magnitude_constant(4);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_int_equal(p.runs, 1);
    step(f, KN_S(10));

    assert_int_equal(p.runs, 3);
    assert_near(base(f, f->health), 70);
}

// EXE-003: snapshots of the source at creation; all else at application.
static void captures_are_taken_at_their_times(void **state)
{
    fixture *f = *state;
    static probe p;
    p = (probe){.captures = 2};
    kn_capture from_source[] = {
        {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE, .snapshot = true},
        {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE},
    };
    kn_capture from_target[] = {
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET, .snapshot = true},
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_effect_type_id source_type = executing(
        f, "Source", execution_of(f, "Source", from_source, 2, no_tags, probe_run, &p), NULL, 0);
    kn_effect_type_id target_type = executing(
        f, "Target", execution_of(f, "Target", from_target, 2, no_tags, probe_run, &p), NULL, 0);
    begin(f);
    kn_effect_apply_def def = from_hero(f, source_type);
    kn_spec_id source_spec, target_spec;
    assert_int_equal(kn_spec_create(f->world, &def, &source_spec), KN_OK);
    def.type = target_type;
    assert_int_equal(kn_spec_create(f->world, &def, &target_spec), KN_OK);
    set_base(f, f->hero, f->attack, 20);
    set_base(f, f->foe, f->armor, 8);

    assert_int_equal(kn_spec_apply(f->world, source_spec, f->foe, NULL), KN_OK);
    assert_near(p.captured[0], 10);
    assert_near(p.captured[1], 20);
    assert_int_equal(kn_spec_apply(f->world, target_spec, f->foe, NULL), KN_OK);
    assert_near(p.captured[0], 8);
    assert_near(p.captured[1], 8);
}

// EXE-003: a capture obeys the declared limits.
static void captured_value_is_clamped_already(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = attribute_def("Pace", 600);
    attribute.min = kn_limit_constant(150);
    kn_attribute_set_id set_id = set_register(f, "Limits", &attribute, 1);
    kn_attribute_id pace = kn_attribute_find(f->library, "Limits.Pace");
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = pace, .from = KN_CAPTURE_FROM_TARGET};
    kn_effect_type_id type =
        executing(f, "Read", execution_of(f, "Read", &capture, 1, no_tags, probe_run, &p), NULL, 0);
    kn_effect_type_id slow = simple(f, "Slow", KN_DURATION_INFINITE, pace, KN_OP_MULTIPLY, 0.1f);
    begin(f);
    add_set(f, f->foe, set_id);
    apply(f, slow);

    apply(f, type);

    assert_near(p.captured[0], 150);
}

// EXE-004, GAPE-010: two executions may declare captures alike; each reads its own.
static void captures_belong_to_their_execution(void **state)
{
    fixture *f = *state;
    probe first = {.captures = 1}, second = {.captures = 1};
    kn_capture attack = {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_capture armor = {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_use uses[] = {
        {.execution = execution_of(f, "First", &attack, 1, no_tags, probe_run, &first)},
        {.execution = execution_of(f, "Second", &armor, 1, no_tags, probe_run, &second)},
    };
    kn_effect_def def = effect_def("Both", KN_DURATION_INSTANT, NULL, 0);
    def.executions = uses;
    def.execution_count = COUNT(uses);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);

    assert_near(first.captured[0], 10);
    assert_near(second.captured[0], 5);
}

// EXE-001, BEY-027: with a captured attribute that is not there an execution does nothing.
static void execution_with_an_absent_capture_does_nothing(void **state)
{
    fixture *f = *state;
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_effect_type_id type =
        executing(f, "Hit", execution_of(f, "Probe", &capture, 1, no_tags, probe_run, &p), NULL, 0);
    begin(f);
    kn_entity_id nobody = {0};

    assert_int_equal(kn_effect_apply_simple(f->world, type, nobody, f->foe, 1, NULL), KN_OK);
    assert_int_equal(p.runs, 0);
    apply(f, type);
    assert_int_equal(p.runs, 1);
}

// Data going in -----------------------------------------------------------------

// EXE-006, EXE-007, TVE-074: read directly, without warning, with a default.
static void execution_reads_caller_values(void **state)
{
    fixture *f = *state;
    probe p = {0};
    p.key = tag_of(f, "Data.Damage");
    kn_effect_type_id type =
        executing(f, "Hit", execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p), NULL, 0);
    begin(f);
    kn_caller_value value = {p.key, 30};
    kn_effect_apply_def def = from_hero(f, type);
    def.caller_values = &value;
    def.caller_value_count = 1;

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_near(p.caller_value, 30);
    f->log_count = 0;
    apply(f, type);
    assert_near(p.caller_value, -1);
    assert_int_equal(f->log_count, 0);
}

// EXE-007, TVE-082: a number of the effect added to, or put in place of, a captured one.
static void calculation_modifier_changes_a_captured_value(void **state)
{
    fixture *f = *state;
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = f->damage, .from = KN_CAPTURE_FROM_SOURCE};
    kn_execution_id execution = execution_of(f, "Probe", &capture, 1, no_tags, probe_run, &p);
    kn_calculation_modifier add = {.op = KN_OP_ADD, .magnitude = kn_constant(50)};
    kn_calculation_modifier override = {.op = KN_OP_OVERRIDE, .magnitude = kn_constant(50)};
    kn_effect_type_id adds = executing(f, "Adds", execution, &add, 1);
    kn_effect_type_id overrides = executing(f, "Overrides", execution, &override, 1);
    begin(f);

    apply(f, adds);
    assert_near(p.captured[0], 50);
    set_base(f, f->hero, f->damage, 30);
    apply(f, adds);
    assert_near(p.captured[0], 80);
    apply(f, overrides);
    assert_near(p.captured[0], 50);
    assert_near(kn_attribute_value(f->world, f->hero, f->damage), 30);
}

// EXE-007, EXE-009, TVE-082: a variable without an attribute behind it; an unlisted one fails.
static void transient_variable_is_changed_by_the_effect(void **state)
{
    fixture *f = *state;
    probe p = {0};
    p.transient = tag_of(f, "Data.Damage");
    p.unlisted = tag_of(f, "Data.Unlisted");
    kn_execution_id execution = execution_of(f, "Probe", NULL, 0, one(&p.transient), probe_run, &p);
    kn_calculation_modifier add = {
        .transient = p.transient, .op = KN_OP_ADD, .magnitude = kn_constant(50)};
    kn_effect_type_id adds = executing(f, "Adds", execution, &add, 1);
    kn_effect_type_id plain = executing(f, "Plain", execution, NULL, 0);
    begin(f);

    apply(f, adds);
    assert_true(p.has_transient);
    assert_near(p.transient_value, 50);
    assert_false(p.has_unlisted);
    assert_near(p.unlisted_value, 0);
    apply(f, plain);
    assert_true(p.has_transient);
    assert_near(p.transient_value, 0);
}

// EXE-007, EXE-009: by level, and in the order of the operations.
static void calculation_modifiers_combine_and_scale_by_level(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 3}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Row";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    probe p = {0};
    p.transient = tag_of(f, "Data.Damage");
    kn_calculation_modifier modifiers[] = {
        {.transient = p.transient, .op = KN_OP_ADD, .magnitude = kn_by_level(10, curve)},
        {.transient = p.transient, .op = KN_OP_MULTIPLY, .magnitude = kn_constant(2)},
    };
    kn_execution_id execution = execution_of(f, "Probe", NULL, 0, one(&p.transient), probe_run, &p);
    kn_effect_type_id type = executing(f, "Hit", execution, modifiers, COUNT(modifiers));
    begin(f);

    assert_int_equal(kn_effect_apply_simple(f->world, type, f->hero, f->foe, 2, NULL), KN_OK);

    assert_near(p.transient_value, 60);
}

// EXE-007: modifiers of variables or captures that the execution does not have are refused.
static void calculation_modifier_must_fit_the_execution(void **state)
{
    fixture *f = *state;
    probe p = {0};
    kn_tag listed = tag_of(f, "Data.Damage"), unlisted = tag_of(f, "Data.Unlisted");
    kn_capture capture = {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_id execution = execution_of(f, "Probe", &capture, 1, one(&listed), probe_run, &p);
    const kn_calculation_modifier cases[] = {
        {.transient = unlisted, .op = KN_OP_ADD},
        {.capture = 1, .op = KN_OP_ADD},
        {.capture = 0, .op = KN_OP_ADD_FINAL},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_execution_use use = {
            .execution = execution, .modifiers = &cases[i], .modifier_count = 1};
        kn_effect_def def = effect_def("Bad", KN_DURATION_INSTANT, NULL, 0);
        def.executions = &use;
        def.execution_count = 1;
        assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    }
}

typedef struct shot {
    uint32_t pellets;
    float distance;
} shot;

typedef struct payload_reader {
    kn_context_type_id shot_type, other_type;
    kn_attribute_id health;
    bool saw_other;
} payload_reader;

static void read_payload(void *user, kn_execution *execution)
{
    payload_reader *reader = user;
    const kn_spec_view *spec = kn_execution_spec(execution);
    const shot *hit = kn_spec_view_payload(spec, reader->shot_type);
    reader->saw_other = kn_spec_view_payload(spec, reader->other_type) != NULL;
    if (hit != NULL) {
        kn_execution_output(
            execution, reader->health, 0, KN_OP_ADD, -(float)hit->pellets * hit->distance);
    }
}

// EXE-007, CTX-001: the game's own data travels in the context.
static void execution_reads_the_context_payload(void **state)
{
    fixture *f = *state;
    payload_reader reader = {.health = f->health};
    assert_int_equal(
        kn_context_type_register(f->library, "Shot", sizeof(shot), &reader.shot_type, NULL), KN_OK);
    assert_int_equal(
        kn_context_type_register(f->library, "Other", 4, &reader.other_type, NULL), KN_OK);
    kn_effect_type_id type = executing(
        f, "Hit", execution_of(f, "Read", NULL, 0, no_tags, read_payload, &reader), NULL, 0);
    begin(f);
    shot hit = {.pellets = 4, .distance = 2.5f};
    kn_effect_context context = {.payload_type = reader.shot_type, .payload = &hit};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    assert_near(base(f, f->health), 90);
    assert_false(reader.saw_other);
}

// Data coming out -----------------------------------------------------------------

typedef struct hook_log {
    kn_attribute_id attributes[8];
    float magnitudes[8];
    kn_op ops[8];
    uint32_t count;
    kn_attribute_id veto;
    kn_context_type_id payload_type;
    shot payload;
} hook_log;

static hook_log hooks;

static bool log_pre_execute(void *user, kn_execute_data *data)
{
    (void)user;
    assert_non_null(data->spec);
    hooks.attributes[hooks.count % 8] = data->attribute;
    hooks.ops[hooks.count % 8] = data->op;
    hooks.magnitudes[hooks.count++ % 8] = data->magnitude;
    const shot *hit = kn_spec_view_payload(data->spec, hooks.payload_type);
    hooks.payload = hit != NULL ? *hit : (shot){0};
    if (kn_attribute_id_equal(data->attribute, hooks.veto)) {
        return false;
    }
    data->magnitude *= 2;
    return true;
}

static kn_attribute_set_id hooked_set(fixture *f)
{
    static const char *const names[] = {"A", "B"};
    kn_attribute_def defs[2];
    for (uint32_t i = 0; i < COUNT(defs); i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
        defs[i].default_value = 100;
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Hooked";
    set.attributes = defs;
    set.attribute_count = COUNT(defs);
    set.hooks.pre_execute = log_pre_execute;
    kn_attribute_set_id id = {0};
    assert_int_equal(kn_attribute_set_register(f->library, &set, &id, NULL), KN_OK);
    hooks = (hook_log){0};
    return id;
}

// EXE-010, MOD-030: modifiers first, then outputs, each through the execute hooks.
static void outputs_run_through_the_execute_hooks_after_the_modifiers(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set = hooked_set(f);
    kn_attribute_id a = kn_attribute_find(f->library, "Hooked.A");
    kn_attribute_id b = kn_attribute_find(f->library, "Hooked.B");
    probe p = {.outputs = {b, a}, .magnitudes = {0.25f, -4}, .ops = {KN_OP_MULTIPLY, KN_OP_ADD}};
    kn_execution_use use = {.execution = execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_modifier_def modifier = kn_modifier_constant(a, KN_OP_ADD, -10);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, set);

    apply(f, type);

    assert_int_equal(hooks.count, 3);
    assert_near(hooks.magnitudes[0], -10);
    assert_near(hooks.magnitudes[1], 0.25f);
    assert_near(hooks.magnitudes[2], -4);
    assert_int_equal(hooks.ops[1], KN_OP_MULTIPLY);
    assert_int_equal(hooks.ops[2], KN_OP_ADD);
    assert_int_equal(hooks.attributes[0].index1, a.index1);
    assert_int_equal(hooks.attributes[1].index1, b.index1);
    assert_int_equal(hooks.attributes[2].index1, a.index1);
    assert_near(base(f, a), 100 - 20 - 8); // the hook doubles every magnitude
    assert_near(base(f, b), 50);
}

// CTX-001: an attribute set reads the game's own data too.
static void attribute_set_reads_the_context_payload(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set = hooked_set(f);
    assert_int_equal(
        kn_context_type_register(f->library, "Shot", sizeof(shot), &hooks.payload_type, NULL),
        KN_OK);
    kn_effect_type_id type = simple(
        f, "Hit", KN_DURATION_INSTANT, kn_attribute_find(f->library, "Hooked.A"), KN_OP_ADD, -1);
    begin(f);
    add_set(f, f->foe, set);
    shot hit = {.pellets = 4, .distance = 2.5f};
    kn_effect_context context = {.payload_type = hooks.payload_type, .payload = &hit};
    kn_effect_apply_def def = from_hero(f, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    assert_int_equal(hooks.payload.pellets, 4);
    assert_near(hooks.payload.distance, 2.5f);
    apply(f, type); // without a context
    assert_int_equal(hooks.count, 2);
    assert_int_equal(hooks.payload.pellets, 0);
}

// EXE-008: an execution reads its spec and cannot write it.
_Static_assert(
    _Generic(kn_execution_spec((const kn_execution *)NULL), const kn_spec_view * : 1, default : 0),
    "the spec of an execution is for reading");

// EXE-008, EXE-010: a hook may change or discard an output before it is applied.
static void hook_discards_an_output(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set = hooked_set(f);
    kn_attribute_id a = kn_attribute_find(f->library, "Hooked.A");
    kn_attribute_id b = kn_attribute_find(f->library, "Hooked.B");
    hooks.veto = a;
    probe p = {.outputs = {a, b}, .magnitudes = {-10, -10}};
    kn_effect_type_id type =
        executing(f, "Hit", execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p), NULL, 0);
    begin(f);
    add_set(f, f->foe, set);

    apply(f, type);

    assert_near(base(f, a), 100);
    assert_near(base(f, b), 80);
}

// EXE-010: the execution plays the cues itself.
static void execution_can_take_over_the_cues(void **state)
{
    fixture *f = *state;
    probe p = {.outputs = {f->health}, .magnitudes = {-1}};
    kn_tag cue = tag_of(f, "Cue.Hit");
    kn_execution_use use = {.execution = execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 1);
    p.handle_cues = true;
    apply(f, type);
    step(f, 0);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 0);
}

// EXE-010: outputs scale with stacks unless the execution has done it.
static void execution_can_take_stacks_into_account_itself(void **state)
{
    fixture *f = *state;
    probe p = {.outputs = {f->health}, .magnitudes = {-5}};
    kn_execution_use use = {.execution = execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    apply(f, type);
    apply(f, type);
    apply(f, type);

    step(f, KN_S(1));
    assert_near(base(f, f->health), 85);
    p.handle_stacks = true;
    step(f, KN_S(1));

    assert_near(base(f, f->health), 80);
}

// EXE-010, EFF-016: conditional effects start only if the execution asks for it.
static void execution_triggers_conditional_effects(void **state)
{
    fixture *f = *state;
    probe p = {0};
    simple(f, "Bleed", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, -100);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Bleed";
    child.when = KN_CHILD_EXECUTED;
    kn_execution_use use = {.execution = execution_of(f, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_near(current(f, f->speed), 600);
    p.trigger_children = true;
    apply(f, type);

    assert_near(current(f, f->speed), 500);
}

// Bad input -------------------------------------------------------------------

static void output_nonsense(void *user, kn_execution *execution)
{
    const fixture *f = user;
    kn_execution_output(execution, (kn_attribute_id){0}, 0, KN_OP_ADD, 1);
    kn_execution_output(execution, (kn_attribute_id){999}, 0, KN_OP_ADD, 1);
    kn_execution_output(execution, f->health, 5, KN_OP_ADD, 1);
    kn_execution_output(execution, f->health, 0, KN_OP_ADD, NAN);
    kn_execution_output(execution, f->health, 0, KN_OP_MULTIPLY, INFINITY);
    kn_execution_output(execution, f->health, 0, KN_OP_DIVIDE, 0);
    kn_execution_output(execution, f->health, 0, KN_OP_COUNT, 1);
    (void)kn_execution_capture(execution, 99);
    float value;
    assert_false(kn_execution_transient(execution, (kn_tag){0}, &value));
    assert_false(kn_execution_transient(execution, (kn_tag){9999}, &value));
}

// EXE-010, ATT-018
static void nonsense_from_an_execution_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type =
        executing(f, "Bad", execution_of(f, "Bad", NULL, 0, no_tags, output_nonsense, f), NULL, 0);
    begin(f);
    kn_assert_set_handler(ignore_assert);

    (void)try_apply(f, type);

    assert_near(base(f, f->health), 100);
    assert_near(current(f, f->health), 100);
    kn_assert_set_handler(NULL);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t bad_numbers = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        bad_numbers += events.data[i].type == KN_EVENT_ERROR &&
                       events.data[i].data.error.code == KN_REFUSED_BAD_NUMBER;
    }
    assert_int_equal(bad_numbers, 2); // NaN and infinity
}

// EXE-001, EXE-004
static void malformed_executions_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_capture unknown = {.attribute = {999}};
    kn_execution_def nameless = kn_execution_def_default();
    nameless.function = probe_run;
    kn_execution_def empty = kn_execution_def_default();
    empty.name = "Empty";
    kn_execution_def bad_capture = nameless;
    bad_capture.name = "BadCapture";
    bad_capture.captures = &unknown;
    bad_capture.capture_count = 1;
    const kn_execution_def cases[] = {nameless, empty, bad_capture};
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_execution_id execution = {77};
        kn_result result = kn_execution_register(f->library, &cases[i], &execution, NULL);
        assert_true(result == KN_ERROR_BAD_DATA || result == KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(execution.index1, 0);
    }
    kn_execution_use use = {.execution = {999}};
    kn_effect_def def = effect_def("Bad", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    assert_int_not_equal(refused_def(f, &def), KN_OK);
    use.execution.index1 = 0;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(execution_reads_and_changes_several_attributes),
    TEST(execution_belongs_to_instant_and_periodic_effects),
    TEST(captures_are_taken_at_their_times),
    TEST(captured_value_is_clamped_already),
    TEST(captures_belong_to_their_execution),
    TEST(execution_with_an_absent_capture_does_nothing),
    TEST(execution_reads_caller_values),
    TEST(calculation_modifier_changes_a_captured_value),
    TEST(transient_variable_is_changed_by_the_effect),
    TEST(calculation_modifiers_combine_and_scale_by_level),
    TEST(calculation_modifier_must_fit_the_execution),
    TEST(execution_reads_the_context_payload),
    TEST(outputs_run_through_the_execute_hooks_after_the_modifiers),
    TEST(attribute_set_reads_the_context_payload),
    TEST(hook_discards_an_output),
    TEST(execution_can_take_over_the_cues),
    TEST(execution_can_take_stacks_into_account_itself),
    TEST(execution_triggers_conditional_effects),
    TEST(nonsense_from_an_execution_changes_nothing),
    TEST(malformed_executions_are_refused),
};

TEST_GROUP(executions, tests, NULL, NULL);
