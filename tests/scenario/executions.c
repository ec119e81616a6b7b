// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Executions: rules that read captures and change several attributes.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static kn_tag tag_of(stage *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_tags one(const kn_tag *tag)
{
    kn_tags tags = {tag, 1};
    return tags;
}

static kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static kn_effect_type_id add_effect(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// An effect with one constant modifier.
static kn_effect_type_id simple(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return add_effect(s, &def);
}

static kn_result refused_def(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {77};
    kn_result result = kn_effect_register(s->library, def, &type, &error);
    assert_int_equal(error.code, result);
    assert_int_equal(type.index1, 0);
    return result;
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result try_apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static void step(stage *s, kn_time dt)
{
    assert_int_equal(kn_world_step(s->world, dt), KN_OK);
}

static void near(float found, float expected)
{
    float tolerance = 1e-5f * fmaxf(1.0f, fabsf(expected));
    if (!(fabsf(found - expected) <= tolerance)) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// Current and base value of the foe.
static float current(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_value(s->world, s->foe, attribute);
}

static float base(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, s->foe, attribute);
}

static void set_base(stage *s, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, entity, attribute, 0, value), KN_OK);
}

static uint32_t cues(const stage *s, kn_cue_action action)
{
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_CUE && events.data[i].data.cue.action == action;
    }
    return count;
}

static bool quiet_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static kn_execution_id execution_of(stage *s, const char *name, const kn_capture *captures,
    uint32_t count, kn_tags transients, kn_execution_fn *function, void *user)
{
    kn_execution_def def = kn_execution_def_default();
    def.name = name;
    def.captures = captures;
    def.capture_count = count;
    def.transients = transients;
    def.function = function;
    def.user = user;
    kn_execution_id execution = {0};
    kn_error error = {0};
    if (kn_execution_register(s->library, &def, &execution, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return execution;
}

static const kn_tags no_tags = {NULL, 0};

static kn_effect_type_id executing(stage *s, const char *name, kn_execution_id execution,
    const kn_calculation_modifier *modifiers, uint32_t count)
{
    kn_execution_use use = {
        .execution = execution, .modifiers = modifiers, .modifier_count = count};
    kn_effect_def def = effect_def(name, KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    return add_effect(s, &def);
}

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
    stage *s = *state;
    probe p = {.outputs = {s->health, s->mana}, .magnitudes = {-30, 7}, .captures = 2};
    kn_capture captures[] = {
        {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_effect_type_id type =
        executing(s, "Hit", execution_of(s, "Probe", captures, 2, no_tags, probe_run, &p), NULL, 0);
    begin(s);

    apply(s, type);

    assert_int_equal(p.runs, 1);
    near(p.captured[0], 10);
    near(p.captured[1], 5);
    near(base(s, s->health), 70);
    near(base(s, s->mana), 67);
    assert_true(kn_entity_id_equal(p.source, s->hero));
    assert_true(kn_entity_id_equal(p.target, s->foe));
}

// EXE-002, EFF-005: on instant effects and ticks only.
static void execution_belongs_to_instant_and_periodic_effects(void **state)
{
    stage *s = *state;
    probe p = {.outputs = {s->health}, .magnitudes = {-10}};
    kn_execution_use use = {.execution = execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Lasting", KN_DURATION_INFINITE, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    assert_int_equal(refused_def(s, &def), KN_ERROR_BAD_DATA);
    def.duration_kind = KN_DURATION_TIMED;
    assert_int_equal(refused_def(s, &def), KN_ERROR_BAD_DATA);
    def.name = "Periodic";
    def.is_periodic = true;
    def.period = kn_magnitude_constant(4);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);

    apply(s, type);
    assert_int_equal(p.runs, 1);
    step(s, KN_S(10));

    assert_int_equal(p.runs, 3);
    near(base(s, s->health), 70);
}

// EXE-003: snapshots of the source at creation; all else at application.
static void captures_are_taken_at_their_times(void **state)
{
    stage *s = *state;
    static probe p;
    p = (probe){.captures = 2};
    kn_capture from_source[] = {
        {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE, .snapshot = true},
        {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE},
    };
    kn_capture from_target[] = {
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET, .snapshot = true},
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_effect_type_id source_type = executing(
        s, "Source", execution_of(s, "Source", from_source, 2, no_tags, probe_run, &p), NULL, 0);
    kn_effect_type_id target_type = executing(
        s, "Target", execution_of(s, "Target", from_target, 2, no_tags, probe_run, &p), NULL, 0);
    begin(s);
    kn_effect_apply_def def = from_hero(s, source_type);
    kn_spec_id source_spec, target_spec;
    assert_int_equal(kn_spec_create(s->world, &def, &source_spec), KN_OK);
    def.type = target_type;
    assert_int_equal(kn_spec_create(s->world, &def, &target_spec), KN_OK);
    set_base(s, s->hero, s->attack, 20);
    set_base(s, s->foe, s->armor, 8);

    assert_int_equal(kn_spec_apply(s->world, source_spec, s->foe, NULL), KN_OK);
    near(p.captured[0], 10);
    near(p.captured[1], 20);
    assert_int_equal(kn_spec_apply(s->world, target_spec, s->foe, NULL), KN_OK);
    near(p.captured[0], 8);
    near(p.captured[1], 8);
}

// EXE-003: a capture obeys the declared limits.
static void captured_value_is_clamped_already(void **state)
{
    stage *s = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Pace";
    attribute.default_value = 600;
    attribute.min = kn_limit_constant(150);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Limits";
    set.attributes = &attribute;
    set.attribute_count = 1;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &set_id, NULL), KN_OK);
    kn_attribute_id pace = kn_attribute_find(s->library, "Limits.Pace");
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = pace, .from = KN_CAPTURE_FROM_TARGET};
    kn_effect_type_id type =
        executing(s, "Read", execution_of(s, "Read", &capture, 1, no_tags, probe_run, &p), NULL, 0);
    kn_effect_type_id slow = simple(s, "Slow", KN_DURATION_INFINITE, pace, KN_OP_MULTIPLY, 0.1f);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set_id, 0), KN_OK);
    apply(s, slow);

    apply(s, type);

    near(p.captured[0], 150);
}

// EXE-004, GAPE-010: two executions may declare captures alike; each reads its own.
static void captures_belong_to_their_execution(void **state)
{
    stage *s = *state;
    probe first = {.captures = 1}, second = {.captures = 1};
    kn_capture attack = {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_capture armor = {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_use uses[] = {
        {.execution = execution_of(s, "First", &attack, 1, no_tags, probe_run, &first)},
        {.execution = execution_of(s, "Second", &armor, 1, no_tags, probe_run, &second)},
    };
    kn_effect_def def = effect_def("Both", KN_DURATION_INSTANT, NULL, 0);
    def.executions = uses;
    def.execution_count = COUNT(uses);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);

    apply(s, type);

    near(first.captured[0], 10);
    near(second.captured[0], 5);
}

// EXE-001, BEY-027: with a captured attribute that is not there an execution does nothing.
static void execution_with_an_absent_capture_does_nothing(void **state)
{
    stage *s = *state;
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE};
    kn_effect_type_id type =
        executing(s, "Hit", execution_of(s, "Probe", &capture, 1, no_tags, probe_run, &p), NULL, 0);
    begin(s);
    kn_entity_id nobody = {0};

    assert_int_equal(kn_effect_apply_simple(s->world, type, nobody, s->foe, 1, NULL), KN_OK);
    assert_int_equal(p.runs, 0);
    apply(s, type);
    assert_int_equal(p.runs, 1);
}

// Data going in -----------------------------------------------------------------

// EXE-006, EXE-007, TVE-074: read directly, without warning, with a default.
static void execution_reads_caller_values(void **state)
{
    stage *s = *state;
    probe p = {0};
    p.key = tag_of(s, "Data.Damage");
    kn_effect_type_id type =
        executing(s, "Hit", execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p), NULL, 0);
    begin(s);
    kn_caller_value value = {p.key, 30};
    kn_effect_apply_def def = from_hero(s, type);
    def.caller_values = &value;
    def.caller_value_count = 1;

    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(p.caller_value, 30);
    s->log_count = 0;
    apply(s, type);
    near(p.caller_value, -1);
    assert_int_equal(s->log_count, 0);
}

// EXE-007, TVE-082: a number of the effect added to, or put in place of, a captured one.
static void calculation_modifier_changes_a_captured_value(void **state)
{
    stage *s = *state;
    probe p = {.captures = 1};
    kn_capture capture = {.attribute = s->damage, .from = KN_CAPTURE_FROM_SOURCE};
    kn_execution_id execution = execution_of(s, "Probe", &capture, 1, no_tags, probe_run, &p);
    kn_calculation_modifier add = {.op = KN_OP_ADD, .magnitude = kn_constant(50)};
    kn_calculation_modifier override = {.op = KN_OP_OVERRIDE, .magnitude = kn_constant(50)};
    kn_effect_type_id adds = executing(s, "Adds", execution, &add, 1);
    kn_effect_type_id overrides = executing(s, "Overrides", execution, &override, 1);
    begin(s);

    apply(s, adds);
    near(p.captured[0], 50);
    set_base(s, s->hero, s->damage, 30);
    apply(s, adds);
    near(p.captured[0], 80);
    apply(s, overrides);
    near(p.captured[0], 50);
    near(kn_attribute_value(s->world, s->hero, s->damage), 30);
}

// EXE-007, EXE-009, TVE-082: a variable without an attribute behind it; an unlisted one fails.
static void transient_variable_is_changed_by_the_effect(void **state)
{
    stage *s = *state;
    probe p = {0};
    p.transient = tag_of(s, "Data.Damage");
    p.unlisted = tag_of(s, "Data.Unlisted");
    kn_execution_id execution = execution_of(s, "Probe", NULL, 0, one(&p.transient), probe_run, &p);
    kn_calculation_modifier add = {
        .transient = p.transient, .op = KN_OP_ADD, .magnitude = kn_constant(50)};
    kn_effect_type_id adds = executing(s, "Adds", execution, &add, 1);
    kn_effect_type_id plain = executing(s, "Plain", execution, NULL, 0);
    begin(s);

    apply(s, adds);
    assert_true(p.has_transient);
    near(p.transient_value, 50);
    assert_false(p.has_unlisted);
    near(p.unlisted_value, 0);
    apply(s, plain);
    assert_true(p.has_transient);
    near(p.transient_value, 0);
}

// EXE-007, EXE-009: by level, and in the order of the operations.
static void calculation_modifiers_combine_and_scale_by_level(void **state)
{
    stage *s = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 3}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Row";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(s->library, &curve_def, &curve, NULL), KN_OK);
    probe p = {0};
    p.transient = tag_of(s, "Data.Damage");
    kn_calculation_modifier modifiers[] = {
        {.transient = p.transient, .op = KN_OP_ADD, .magnitude = kn_by_level(10, curve)},
        {.transient = p.transient, .op = KN_OP_MULTIPLY, .magnitude = kn_constant(2)},
    };
    kn_execution_id execution = execution_of(s, "Probe", NULL, 0, one(&p.transient), probe_run, &p);
    kn_effect_type_id type = executing(s, "Hit", execution, modifiers, COUNT(modifiers));
    begin(s);

    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 2, NULL), KN_OK);

    near(p.transient_value, 60);
}

// EXE-007: modifiers of variables or captures that the execution does not have are refused.
static void calculation_modifier_must_fit_the_execution(void **state)
{
    stage *s = *state;
    probe p = {0};
    kn_tag listed = tag_of(s, "Data.Damage"), unlisted = tag_of(s, "Data.Unlisted");
    kn_capture capture = {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_id execution = execution_of(s, "Probe", &capture, 1, one(&listed), probe_run, &p);
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
        assert_int_equal(refused_def(s, &def), KN_ERROR_BAD_DATA);
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
    stage *s = *state;
    payload_reader reader = {.health = s->health};
    assert_int_equal(
        kn_context_type_register(s->library, "Shot", sizeof(shot), &reader.shot_type, NULL), KN_OK);
    assert_int_equal(
        kn_context_type_register(s->library, "Other", 4, &reader.other_type, NULL), KN_OK);
    kn_effect_type_id type = executing(
        s, "Hit", execution_of(s, "Read", NULL, 0, no_tags, read_payload, &reader), NULL, 0);
    begin(s);
    shot hit = {.pellets = 4, .distance = 2.5f};
    kn_effect_context context = {.payload_type = reader.shot_type, .payload = &hit};
    kn_effect_apply_def def = from_hero(s, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);

    near(base(s, s->health), 90);
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

static kn_attribute_set_id hooked_set(stage *s)
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
    assert_int_equal(kn_attribute_set_register(s->library, &set, &id, NULL), KN_OK);
    hooks = (hook_log){0};
    return id;
}

// EXE-010, MOD-030: modifiers first, then outputs, each through the execute hooks.
static void outputs_run_through_the_execute_hooks_after_the_modifiers(void **state)
{
    stage *s = *state;
    kn_attribute_set_id set = hooked_set(s);
    kn_attribute_id a = kn_attribute_find(s->library, "Hooked.A");
    kn_attribute_id b = kn_attribute_find(s->library, "Hooked.B");
    probe p = {.outputs = {b, a}, .magnitudes = {0.25f, -4}, .ops = {KN_OP_MULTIPLY, KN_OP_ADD}};
    kn_execution_use use = {.execution = execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_modifier_def modifier = kn_modifier_constant(a, KN_OP_ADD, -10);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set, 0), KN_OK);

    apply(s, type);

    assert_int_equal(hooks.count, 3);
    near(hooks.magnitudes[0], -10);
    near(hooks.magnitudes[1], 0.25f);
    near(hooks.magnitudes[2], -4);
    assert_int_equal(hooks.ops[1], KN_OP_MULTIPLY);
    assert_int_equal(hooks.ops[2], KN_OP_ADD);
    assert_int_equal(hooks.attributes[0].index1, a.index1);
    assert_int_equal(hooks.attributes[1].index1, b.index1);
    assert_int_equal(hooks.attributes[2].index1, a.index1);
    near(base(s, a), 100 - 20 - 8); // the hook doubles every magnitude
    near(base(s, b), 50);
}

// CTX-001: an attribute set reads the game's own data too.
static void attribute_set_reads_the_context_payload(void **state)
{
    stage *s = *state;
    kn_attribute_set_id set = hooked_set(s);
    assert_int_equal(
        kn_context_type_register(s->library, "Shot", sizeof(shot), &hooks.payload_type, NULL),
        KN_OK);
    kn_effect_type_id type = simple(
        s, "Hit", KN_DURATION_INSTANT, kn_attribute_find(s->library, "Hooked.A"), KN_OP_ADD, -1);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set, 0), KN_OK);
    shot hit = {.pellets = 4, .distance = 2.5f};
    kn_effect_context context = {.payload_type = hooks.payload_type, .payload = &hit};
    kn_effect_apply_def def = from_hero(s, type);
    def.context = &context;

    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);

    assert_int_equal(hooks.payload.pellets, 4);
    near(hooks.payload.distance, 2.5f);
    apply(s, type); // without a context
    assert_int_equal(hooks.count, 2);
    assert_int_equal(hooks.payload.pellets, 0);
}

// EXE-008, EXE-010: a hook may change or discard an output before it is applied.
static void hook_discards_an_output(void **state)
{
    stage *s = *state;
    kn_attribute_set_id set = hooked_set(s);
    kn_attribute_id a = kn_attribute_find(s->library, "Hooked.A");
    kn_attribute_id b = kn_attribute_find(s->library, "Hooked.B");
    hooks.veto = a;
    probe p = {.outputs = {a, b}, .magnitudes = {-10, -10}};
    kn_effect_type_id type =
        executing(s, "Hit", execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p), NULL, 0);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, set, 0), KN_OK);

    apply(s, type);

    near(base(s, a), 100);
    near(base(s, b), 80);
}

// EXE-010: the execution plays the cues itself.
static void execution_can_take_over_the_cues(void **state)
{
    stage *s = *state;
    probe p = {.outputs = {s->health}, .magnitudes = {-1}};
    kn_tag cue = tag_of(s, "Cue.Hit");
    kn_execution_use use = {.execution = execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.cue_tags = one(&cue);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);

    apply(s, type);
    step(s, 0);
    assert_int_equal(cues(s, KN_CUE_EXECUTED), 1);
    p.handle_cues = true;
    apply(s, type);
    step(s, 0);
    assert_int_equal(cues(s, KN_CUE_EXECUTED), 0);
}

// EXE-010: outputs scale with stacks unless the execution has done it.
static void execution_can_take_stacks_into_account_itself(void **state)
{
    stage *s = *state;
    probe p = {.outputs = {s->health}, .magnitudes = {-5}};
    kn_execution_use use = {.execution = execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    apply(s, type);
    apply(s, type);
    apply(s, type);

    step(s, KN_S(1));
    near(base(s, s->health), 85);
    p.handle_stacks = true;
    step(s, KN_S(1));

    near(base(s, s->health), 80);
}

// EXE-010, EFF-016: conditional effects start only if the execution asks for it.
static void execution_triggers_conditional_effects(void **state)
{
    stage *s = *state;
    probe p = {0};
    simple(s, "Bleed", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, -100);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Bleed";
    child.when = KN_CHILD_EXECUTED;
    kn_execution_use use = {.execution = execution_of(s, "Probe", NULL, 0, no_tags, probe_run, &p)};
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);

    apply(s, type);
    near(current(s, s->speed), 600);
    p.trigger_children = true;
    apply(s, type);

    near(current(s, s->speed), 500);
}

// Bad input -------------------------------------------------------------------

static void output_nonsense(void *user, kn_execution *execution)
{
    const stage *s = user;
    kn_execution_output(execution, (kn_attribute_id){0}, 0, KN_OP_ADD, 1);
    kn_execution_output(execution, (kn_attribute_id){999}, 0, KN_OP_ADD, 1);
    kn_execution_output(execution, s->health, 5, KN_OP_ADD, 1);
    kn_execution_output(execution, s->health, 0, KN_OP_ADD, NAN);
    kn_execution_output(execution, s->health, 0, KN_OP_MULTIPLY, INFINITY);
    kn_execution_output(execution, s->health, 0, KN_OP_DIVIDE, 0);
    kn_execution_output(execution, s->health, 0, KN_OP_COUNT, 1);
    (void)kn_execution_capture(execution, 99);
    float value;
    assert_false(kn_execution_transient(execution, (kn_tag){0}, &value));
    assert_false(kn_execution_transient(execution, (kn_tag){9999}, &value));
}

// EXE-010, ATT-018
static void nonsense_from_an_execution_changes_nothing(void **state)
{
    stage *s = *state;
    kn_effect_type_id type =
        executing(s, "Bad", execution_of(s, "Bad", NULL, 0, no_tags, output_nonsense, s), NULL, 0);
    begin(s);
    kn_assert_set_handler(quiet_assert);

    (void)try_apply(s, type);

    near(base(s, s->health), 100);
    near(current(s, s->health), 100);
    kn_assert_set_handler(NULL);
    step(s, 0);
    kn_events events = kn_world_events(s->world);
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
    stage *s = *state;
    kn_assert_set_handler(quiet_assert);
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
        kn_result result = kn_execution_register(s->library, &cases[i], &execution, NULL);
        assert_true(result == KN_ERROR_BAD_DATA || result == KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(execution.index1, 0);
    }
    kn_execution_use use = {.execution = {999}};
    kn_effect_def def = effect_def("Bad", KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    assert_int_not_equal(refused_def(s, &def), KN_OK);
    use.execution.index1 = 0;
    assert_int_equal(refused_def(s, &def), KN_ERROR_BAD_DATA);
    kn_assert_set_handler(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
