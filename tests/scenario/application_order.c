// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order inside an application, and custom requirements.

#include "scenario/effect_fixture.h"

// Every place that can be watched writes its letter.
static char trail[64];
static uint32_t trail_length;

static void mark(char letter)
{
    if (trail_length + 1 < sizeof(trail)) {
        trail[trail_length++] = letter;
        trail[trail_length] = 0;
    }
}

static void trail_begin(void)
{
    memset(trail, 0, sizeof(trail));
    trail_length = 0;
}

typedef struct course {
    kn_effect_type_id type, immunity, victim, child;
    kn_tag wet, fire, granted, poison, cue, key;
    kn_attribute_set_id watched;
    kn_attribute_id value;
    kn_requirement_answer answer;
    kn_effect_id existing;
} course;

static course run;

static kn_requirement_answer on_requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)world;
    (void)spec;
    const course *c = user;
    mark('R');
    *existing = c->existing;
    return c->answer;
}

static float on_calculation(void *user, const kn_calculation *calculation)
{
    (void)user;
    (void)calculation;
    if (strchr(trail, 'M') == NULL) { // pure, so it may be asked again
        mark('M');
    }
    return 1.0f;
}

static void on_execution(void *user, kn_execution *execution)
{
    (void)user;
    (void)execution;
    mark('X');
}

static void on_post_change(void *user, const kn_attribute_change *change)
{
    const course *c = user;
    if (kn_attribute_id_equal(change->attribute, c->value)) {
        mark('V');
    }
}

static void on_post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    (void)data;
    mark('E');
}

static bool on_gate(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    (void)answer;
    mark('G');
    return false;
}

// A library in which everything about one effect can be watched.
static void course_begin(fixture *f, kn_duration_kind kind)
{
    trail_begin();
    run = (course){.answer = KN_REQUIREMENT_ALLOW};
    run.wet = tag_of(f, "State.Wet");
    run.fire = tag_of(f, "Effect.Fire");
    run.granted = tag_of(f, "State.Burning");
    run.poison = tag_of(f, "Effect.Poison");
    run.cue = tag_of(f, "Cue.Burn");
    run.key = tag_of(f, "Data.Amount");

    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Watched";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.user = &run;
    set.hooks.post_change = on_post_change;
    set.hooks.post_execute = on_post_execute;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &run.watched, NULL), KN_OK);
    run.value = kn_attribute_find(f->library, "Watched.Value");

    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(f->library, "Watch", on_requirement, &run, &requirement, NULL),
        KN_OK);
    kn_calculation_def calculation_def = kn_calculation_def_default();
    calculation_def.name = "Watch";
    calculation_def.function = on_calculation;
    kn_calculation_id calculation;
    assert_int_equal(
        kn_calculation_register(f->library, &calculation_def, &calculation, NULL), KN_OK);
    kn_execution_def execution_def = kn_execution_def_default();
    execution_def.name = "Watch";
    execution_def.function = on_execution;
    kn_execution_id execution;
    assert_int_equal(kn_execution_register(f->library, &execution_def, &execution, NULL), KN_OK);
    kn_condition_id condition;
    assert_int_equal(
        kn_condition_register(f->library, "Watch", on_gate, NULL, &condition, NULL), KN_OK);

    const kn_curve_point points[] = {{0, 0}, {1, 1}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Chance";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id chance;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &chance, NULL), KN_OK);

    kn_gate_def gates[] = {
        {.condition = condition},
        {.record = {.required = one(&run.fire)}},
    };
    kn_effect_def immunity = effect_def("Immunity", KN_DURATION_INFINITE, NULL, 0);
    immunity.gates = gates;
    immunity.gate_count = COUNT(gates);
    run.immunity = effect_register(f, &immunity);
    kn_effect_def victim = effect_def("Victim", KN_DURATION_INFINITE, NULL, 0);
    victim.asset_tags = one(&run.poison);
    run.victim = effect_register(f, &victim);
    kn_effect_def child_def = effect_def("Child", KN_DURATION_INFINITE, NULL, 0);
    run.child = effect_register(f, &child_def);

    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Flare";
    kn_ability_type_id ability_type;
    assert_int_equal(kn_ability_register(f->library, &ability, &ability_type, NULL), KN_OK);
    kn_grant_def grant = kn_grant_def_default();
    assert_int_equal(kn_name_register(f->library, "Flare", &grant.ability, NULL), KN_OK);
    kn_child_def child = kn_child_def_default();
    child.type = run.child;
    kn_modifier_def modifiers[] = {kn_modifier_def_default(), kn_modifier_def_default()};
    modifiers[0].attribute = run.value;
    modifiers[0].magnitude = kn_magnitude_calculation(calculation);
    modifiers[1].attribute = f->armor;
    modifiers[1].magnitude = kn_magnitude_set_by_caller(run.key);
    kn_execution_use use = {.execution = execution};
    kn_effect_def def = effect_def("Burn", kind, modifiers, COUNT(modifiers));
    def.asset_tags = one(&run.fire);
    def.granted_tags = one(&run.granted);
    def.cue_tags = one(&run.cue);
    def.application.target.required = one(&run.wet);
    def.requirement = requirement;
    def.chance = kn_magnitude_by_level(1, chance);
    def.remove_effects_with = one(&run.poison);
    def.children = &child;
    def.child_count = 1;
    if (kind == KN_DURATION_INSTANT) {
        def.executions = &use;
        def.execution_count = 1;
    } else {
        def.grants = &grant;
        def.grant_count = 1;
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.limit = kn_constant(1);
        def.stacking.deny_overflow = true;
    }
    run.type = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, run.watched);
    step(f, 0);
}

static kn_result course_apply(fixture *f, float level, bool with_value, kn_effect_id *effect)
{
    kn_caller_value value = {run.key, 3};
    kn_effect_apply_def def = from_hero(f, run.type);
    def.level = level;
    def.caller_values = &value;
    def.caller_value_count = with_value ? 1 : 0;
    kn_effect_id made = {77, 77};
    kn_result result = kn_effect_apply(f->world, &def, &made);
    if (effect != NULL) {
        *effect = made;
    }
    return result;
}

// Checks ------------------------------------------------------------------------

// EFF-036, EFF-037, MAP-034: each check stands before the next: immunity, requirement, custom,
// chance, magnitude, stack. What is wrong with later ones does not show, and their functions are
// not asked.
static void checks_come_in_the_stated_order(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    kn_effect_id immunity = apply(f, run.immunity);
    run.answer = KN_REQUIREMENT_DENY;

    // Everything is wrong: level 0 has no chance, the tag, the value and the answer are missing.
    trail_begin();
    assert_int_equal(course_apply(f, 0, false, NULL), KN_REFUSED_BLOCKED);
    assert_string_equal(trail, "G");
    remove_effect(f, immunity);
    trail_begin();
    assert_int_equal(course_apply(f, 0, false, NULL), KN_REFUSED_REQUIREMENT);
    assert_string_equal(trail, "");
    add_tag(f, f->foe, run.wet);
    assert_int_equal(course_apply(f, 0, false, NULL), KN_REFUSED_CUSTOM);
    assert_string_equal(trail, "R");
    run.answer = KN_REQUIREMENT_ALLOW;
    trail_begin();
    assert_int_equal(course_apply(f, 0, false, NULL), KN_REFUSED_CHANCE);
    assert_string_equal(trail, "R");
    trail_begin();
    assert_int_equal(course_apply(f, 1, false, NULL), KN_REFUSED_MISSING_VALUE);
    assert_string_equal(trail, "RM");
    trail_begin();
    assert_int_equal(course_apply(f, 1, true, NULL), KN_OK);
    assert_string_equal(trail, "RMV");
    // The stack is full: that comes last.
    trail_begin();
    assert_int_equal(course_apply(f, 1, false, NULL), KN_REFUSED_MISSING_VALUE);
    assert_int_equal(course_apply(f, 1, true, NULL), KN_REFUSED_STACK_DENIED);
}

// EFF-036, EFF-037: a refused application leaves nothing behind.
static void refused_application_leaves_nothing_behind(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    add_tag(f, f->foe, run.wet);
    kn_effect_id victim = apply(f, run.victim);
    step(f, 0);
    kn_effect_id effect;

    assert_int_equal(course_apply(f, 1, false, &effect), KN_REFUSED_MISSING_VALUE);
    step(f, 0);

    assert_true(kn_effect_id_is_null(effect));
    assert_true(kn_effect_is_alive(f->world, victim));
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    assert_false(kn_entity_has_tag(f->world, f->foe, run.granted));
    assert_near(current(f, run.value), 0);
    assert_int_equal(kn_world_events(f->world).count, 1); // what was refused, and why
    assert_int_equal(kn_world_events(f->world).data[0].type, KN_EVENT_EFFECT_REFUSED);
}

static uint32_t place_of(const fixture *f, kn_event_type type, uint32_t effect_type1)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == type &&
            (effect_type1 == 0 || events.data[i].data.effect.type.index1 == effect_type1)) {
            return i;
        }
    }
    fail_msg("no event of type %d", (int)type);
    return 0;
}

// EFF-037: values, granted tags and abilities -> removed effects -> children queued -> cues -> the
// news. What is queued is done before the call returns.
static void consequences_come_in_the_stated_order(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    add_tag(f, f->foe, run.wet);
    apply(f, run.victim);
    step(f, 0);

    assert_int_equal(course_apply(f, 1, true, NULL), KN_OK);
    step(f, 0);

    uint32_t value = place_of(f, KN_EVENT_ATTRIBUTE_CHANGED, 0);
    uint32_t tag = place_of(f, KN_EVENT_TAG_CHANGED, 0);
    uint32_t ability = place_of(f, KN_EVENT_ABILITY_GRANTED, 0);
    uint32_t removed = place_of(f, KN_EVENT_EFFECT_REMOVED, run.victim.index1);
    uint32_t child = place_of(f, KN_EVENT_EFFECT_APPLIED, run.child.index1);
    uint32_t cue = place_of(f, KN_EVENT_CUE, 0);
    uint32_t applied = place_of(f, KN_EVENT_EFFECT_APPLIED, run.type.index1);
    assert_true(value < removed && tag < removed && ability < removed);
    assert_true(removed < cue);
    assert_true(cue < applied);
    assert_true(applied < child);
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
}

// EFF-037, MOD-030: an instant effect executes where another is stored, modifiers first.
static void instant_effect_executes_before_its_consequences(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INSTANT);
    add_tag(f, f->foe, run.wet);
    apply(f, run.victim);
    step(f, 0);
    trail_begin();

    assert_int_equal(course_apply(f, 1, true, NULL), KN_OK);
    step(f, 0);

    assert_string_equal(trail, "RMVEX");
    uint32_t value = place_of(f, KN_EVENT_ATTRIBUTE_CHANGED, 0);
    uint32_t removed = place_of(f, KN_EVENT_EFFECT_REMOVED, run.victim.index1);
    uint32_t child = place_of(f, KN_EVENT_EFFECT_APPLIED, run.child.index1);
    assert_true(value < removed && removed < child);
}

// Custom requirements -------------------------------------------------------------------

// CAR-001
static void custom_requirement_allows_or_denies(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    add_tag(f, f->foe, run.wet);

    run.answer = KN_REQUIREMENT_DENY;
    assert_int_equal(course_apply(f, 1, true, NULL), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    run.answer = KN_REQUIREMENT_ALLOW;
    assert_int_equal(course_apply(f, 1, true, NULL), KN_OK);

    assert_near(current(f, run.value), 1);
}

// CAR-004, MAP-033: success, with the id of the effect that is there.
static void handled_reports_success_with_the_existing_effect(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    add_tag(f, f->foe, run.wet);
    kn_effect_id first, second;
    assert_int_equal(course_apply(f, 1, true, &first), KN_OK);
    run.answer = KN_REQUIREMENT_HANDLED;
    run.existing = first;

    assert_int_equal(course_apply(f, 1, true, &second), KN_OK);

    assert_true(kn_effect_id_equal(first, second));
    assert_near(current(f, run.value), 1);
}

// CAR-004: and if it names none, nothing is applied either.
static void handled_without_an_existing_effect_applies_nothing(void **state)
{
    fixture *f = *state;
    course_begin(f, KN_DURATION_INFINITE);
    add_tag(f, f->foe, run.wet);
    run.answer = KN_REQUIREMENT_HANDLED;
    kn_effect_id effect;

    assert_int_equal(course_apply(f, 1, true, &effect), KN_OK);

    assert_true(kn_effect_id_is_null(effect));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    assert_near(current(f, run.value), 0);
}

typedef struct wanted {
    kn_attribute_id attribute;
    kn_effect_type_id type;
} wanted;

// At least 50 of the attribute, and two effects of the type, on the target.
static kn_requirement_answer needs_mana_and_two(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)existing;
    const wanted *w = user;
    kn_entity_id target = kn_spec_view_target(spec);
    kn_effect_query query = kn_effect_query_default();
    query.type = w->type;
    kn_effect_id found;
    bool enough = kn_attribute_value(world, target, w->attribute) >= 50 &&
                  kn_effects_find(world, target, &query, &found, 1) == 1 &&
                  kn_effect_stacks(world, found) >= 2;
    return enough ? KN_REQUIREMENT_ALLOW : KN_REQUIREMENT_DENY;
}

// CAR-002: an amount of an attribute, a number of stacks.
static void requirement_may_look_at_attributes_and_stacks(void **state)
{
    fixture *f = *state;
    wanted w = {.attribute = f->mana};
    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(f->library, "Wanted", needs_mana_and_two, &w, &requirement, NULL),
        KN_OK);
    kn_effect_def stack = effect_def("Stack", KN_DURATION_INFINITE, NULL, 0);
    stack.stacking.kind = KN_STACK_BY_TARGET;
    w.type = effect_register(f, &stack);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -10);
    kn_effect_def def = effect_def("Finisher", KN_DURATION_INSTANT, &modifier, 1);
    def.requirement = requirement;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    assert_int_equal(try_apply(f, type), KN_REFUSED_CUSTOM);
    apply(f, w.type);
    assert_int_equal(try_apply(f, type), KN_REFUSED_CUSTOM);
    apply(f, w.type);
    assert_int_equal(try_apply(f, type), KN_OK);
    assert_near(base(f, f->health), 90);
    set_base(f, f->foe, f->mana, 49);
    assert_int_equal(try_apply(f, type), KN_REFUSED_CUSTOM);
}

// Prolongs what is there instead of letting another in.
static kn_requirement_answer prolong(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = kn_spec_view_type(spec);
    kn_effect_id found;
    if (kn_effects_find(world, kn_spec_view_target(spec), &query, &found, 1) == 0) {
        return KN_REQUIREMENT_ALLOW;
    }
    kn_effect_add_remaining(world, found, KN_S(5), -1);
    *existing = found;
    return *(const bool *)user ? KN_REQUIREMENT_HANDLED : KN_REQUIREMENT_DENY;
}

// CAR-003, CAR-004
static void requirement_may_change_the_existing_effect_instead(void **state)
{
    fixture *f = *state;
    bool handles = false;
    kn_requirement_id requirement;
    assert_int_equal(
        kn_requirement_register(f->library, "Prolong", prolong, &handles, &requirement, NULL),
        KN_OK);
    kn_effect_def def = effect_def("Buff", KN_DURATION_TIMED, NULL, 0);
    def.requirement = requirement;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);

    assert_int_equal(try_apply(f, type), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(15));
    handles = true;
    assert_true(kn_effect_id_equal(apply(f, type), effect));

    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(20));
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
}

// CAR-001
static void malformed_requirements_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(ignore_assert);
    kn_requirement_id id = {77};
    assert_int_not_equal(
        kn_requirement_register(f->library, NULL, prolong, NULL, &id, NULL), KN_OK);
    assert_int_not_equal(kn_requirement_register(f->library, "None", NULL, NULL, &id, NULL), KN_OK);
    assert_int_equal(id.index1, 0);
    kn_effect_def def = effect_def("Bad", KN_DURATION_INFINITE, NULL, 0);
    def.requirement.index1 = 99;
    assert_int_not_equal(refused_def(f, &def), KN_OK);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(checks_come_in_the_stated_order),
    TEST(refused_application_leaves_nothing_behind),
    TEST(consequences_come_in_the_stated_order),
    TEST(instant_effect_executes_before_its_consequences),
    TEST(custom_requirement_allows_or_denies),
    TEST(handled_reports_success_with_the_existing_effect),
    TEST(handled_without_an_existing_effect_applies_nothing),
    TEST(requirement_may_look_at_attributes_and_stacks),
    TEST(requirement_may_change_the_existing_effect_instead),
    TEST(malformed_requirements_are_refused),
};

TEST_GROUP(application_order, tests, NULL, NULL);
