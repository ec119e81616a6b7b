// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why an effect is refused: for the caller, for observers, and before it is tried.

#include "scenario/effect_fixture.h"

// All but the ally have the set.
static void begin_bare_ally(fixture *f)
{
    f->entity_count = 2;
    begin(f);
    f->ally = entity_create(f);
}

static kn_effect_apply_def application(
    fixture *f, kn_effect_type_id type, kn_entity_id source, kn_effect_refusal *refusal)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->foe;
    def.source = source;
    def.refusal = refusal;
    return def;
}

// The application is refused as foreseen; what the caller, the event and the question say is the
// same, and asking leaves the world as it was.
static kn_effect_refusal refused(fixture *f, const kn_effect_apply_def *given, const char *text)
{
    kn_effect_refusal why = {0}, asked[4];
    kn_effect_apply_def def = *given;
    def.refusal = &why;
    uint64_t hash = kn_world_hash(f->world);
    uint32_t count = kn_effect_explain(f->world, &def, asked, 4);
    char line[256];
    (void)kn_effect_explain_print(f->world, &def, line, sizeof(line));
    assert_true(hash == kn_world_hash(f->world));
    assert_true(kn_world_validate(f->world));
    assert_true(count > 0);
    kn_effect_id effect;
    kn_result result = kn_effect_apply(f->world, &def, &effect);
    assert_int_equal(result, asked[0].reason);
    assert_int_equal(why.reason, result);
    assert_string_equal(strchr(line, ':') + 2, text);
    assert_int_equal(why.tag.index1, asked[0].tag.index1);
    assert_int_equal(why.attribute.index1, asked[0].attribute.index1);
    assert_int_equal(why.parameter.index1, asked[0].parameter.index1);
    assert_true(kn_effect_id_equal(why.effect, asked[0].effect));
    assert_int_equal(why.from, asked[0].from);
    assert_int_equal(why.modifier, asked[0].modifier);

    step(f, 0);
    kn_events events = kn_world_events(f->world);
    const kn_event *event = &events.data[events.count - 1];
    assert_int_equal(event->type, KN_EVENT_EFFECT_REFUSED);
    assert_int_equal(event->data.refusal.reason, result);
    assert_int_equal(event->data.refusal.type.index1, def.type.index1);
    assert_true(kn_entity_id_equal(event->entity, f->foe));
    assert_true(kn_entity_id_equal(event->data.refusal.source, def.source));
    assert_int_equal(event->data.refusal.tag.index1, why.tag.index1);
    assert_int_equal(event->data.refusal.attribute.index1, why.attribute.index1);
    assert_int_equal(event->data.refusal.parameter.index1, why.parameter.index1);
    assert_true(kn_effect_id_equal(event->data.refusal.by, why.effect));
    kn_event copy = *event; // the details do not hang on where it is
    kn_effect_refusal told;
    assert_true(kn_effect_event_refusal(f->world, &copy, &told));
    assert_int_equal(told.reason, result);
    assert_int_equal(told.from, why.from);
    assert_int_equal(told.tag.index1, why.tag.index1);
    assert_int_equal(told.attribute.index1, why.attribute.index1);
    assert_int_equal(told.fail, why.fail);
    assert_int_equal(told.modifier, why.modifier);
    assert_true(told.have == why.have && told.need == why.need);
    assert_true(told.min == why.min && told.max == why.max);
    assert_string_equal(told.text, why.text);
    assert_int_equal(asked[0].fail, why.fail);
    assert_string_equal(asked[0].text, why.text);
    return why;
}

static void a_gate_is_named_with_its_bearer_and_tag(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_gate_def gates[2] = {
        {.record.required = {&fire, 1}}, {.record.required = {&fire, 1}, .as_instigator = true}};
    kn_effect_def ward = infinite("Ward"), vow = infinite("Vow"), burn = infinite("Burn");
    ward.gates = &gates[0];
    ward.gate_count = 1;
    vow.gates = &gates[1];
    vow.gate_count = 1;
    burn.asset_tags = (kn_tags){&fire, 1};
    kn_effect_type_id ward_type = effect_register(f, &ward), vow_type = effect_register(f, &vow),
                      type = effect_register(f, &burn);
    begin_bare_ally(f);
    kn_effect_id by, own;
    assert_int_equal(kn_effect_apply_simple(f->world, ward_type, f->foe, f->foe, 1, &by), KN_OK);
    kn_effect_apply_def def = application(f, type, f->hero, NULL);
    kn_effect_refusal why = refused(f, &def, "blocked by Ward #4 of the target (School.Fire)");
    assert_int_equal(why.reason, KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(why.effect, by));
    assert_int_equal(why.from, KN_CAPTURE_FROM_TARGET);
    // Both are reasons; the source's gates are asked first.
    assert_int_equal(kn_effect_apply_simple(f->world, vow_type, f->hero, f->hero, 1, &own), KN_OK);
    why = refused(f, &def,
        "blocked by Vow #5 of the source (School.Fire); blocked by Ward #4 of the target "
        "(School.Fire)");
    assert_true(kn_effect_id_equal(why.effect, own));
    assert_int_equal(why.from, KN_CAPTURE_FROM_SOURCE);
    // A spec keeps whether gates count.
    for (uint32_t i = 0; i < 2; i++) {
        def.ignore_gates = i == 1;
        assert_int_equal(kn_effect_explain(f->world, &def, NULL, 0), i == 0 ? 2 : 0);
        kn_spec_id spec;
        assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
        assert_int_equal(kn_spec_explain(f->world, spec, f->foe, NULL, 0), i == 0 ? 2 : 0);
        assert_int_equal(
            kn_spec_apply(f->world, spec, f->foe, NULL), i == 0 ? KN_REFUSED_BLOCKED : KN_OK);
    }
}

static void a_value_that_leaves_no_time_is_named(void **state)
{
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "StunTime";
    kn_value_id id;
    assert_int_equal(kn_value_register(f->library, &value, &id, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = id;
    modifier.op = KN_OP_MULTIPLY;
    kn_effect_def immune = effect_def("Immune", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id immune_type = effect_register(f, &immune);
    kn_effect_def stun = timed("Stun", 4);
    stun.duration_value = id;
    kn_effect_type_id type = effect_register(f, &stun);
    begin_bare_ally(f);
    kn_effect_apply_def def = application(f, type, f->hero, NULL);
    assert_int_equal(kn_effect_explain(f->world, &def, NULL, 0), 0);
    (void)apply_from_to(f, immune_type, f->foe, f->foe, 1.0f);
    uint64_t hash = kn_world_hash(f->world);
    kn_effect_refusal why =
        refused(f, &def, "StunTime of the target makes its duration 0 s, must be above 0");
    assert_true(hash == kn_world_hash(f->world));
    assert_int_equal(why.reason, KN_REFUSED_BLOCKED);
    assert_int_equal(why.value.index1, id.index1);
    assert_int_equal(why.from, KN_CAPTURE_FROM_TARGET);
    assert_true(why.have == 0.0f && why.min == 0.0f && why.is_above);
    def.ignore_gates = true; // it is not a gate
    (void)refused(f, &def, "StunTime of the target makes its duration 0 s, must be above 0");
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_REFUSED_BLOCKED);
    kn_spec_destroy(f->world, spec);
}

static float adjust_away(void *user, const kn_world *world, kn_entity_id entity,
    const kn_event_record *record, float value)
{
    kn_effect_refusal why = {.need = 3.0f};
    (void)world;
    (void)entity;
    (void)snprintf(why.text, sizeof(why.text), "%s", (const char *)user);
    kn_spec_view_refuse(record->effect, &why);
    return kn_spec_view_level(record->effect) > 1.0f ? value : 0.0f;
}

static void a_value_that_leaves_no_time_may_say_why(void **state)
{
    static char text[] = "needs {need}";
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "StunTime";
    value.adjust = adjust_away;
    value.user = text;
    kn_effect_def stun = timed("Stun", 4);
    assert_int_equal(kn_value_register(f->library, &value, &stun.duration_value, NULL), KN_OK);
    kn_effect_type_id type = effect_register(f, &stun);
    begin_bare_ally(f);
    kn_effect_apply_def def = application(f, type, f->hero, NULL);
    kn_effect_refusal why =
        refused(f, &def, "StunTime of the target makes its duration 0 s, must be above 0: needs 3");
    assert_string_equal(why.text, text);
    assert_true(why.need == 3.0f && why.value.index1 == stun.duration_value.index1);
    def.level = 2.0f; // what it says does not count if it refuses nothing
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
}

static void conditions_name_tag_attribute_and_side(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet"), lit = tag_of(f, "State.Lit");
    kn_attribute_condition weak = {.from = KN_CAPTURE_FROM_TARGET,
        .attribute = f->health,
        .has_max = true,
        .max = 0.25f,
        .relative_to = f->max_health};
    kn_effect_def def = infinite("Burn");
    def.application.target.ignored = (kn_tags){&wet, 1};
    def.application.source.required = (kn_tags){&lit, 1};
    def.application.attributes = &weak;
    def.application.attribute_count = 1;
    kn_effect_def ends = infinite("Fear");
    ends.removal.source.required = (kn_tags){&lit, 1};
    kn_effect_type_id type = effect_register(f, &def), fear = effect_register(f, &ends);
    begin_bare_ally(f);
    kn_effect_apply_def apply = application(f, type, f->hero, NULL);
    kn_effect_refusal why = refused(
        f, &apply, "source needs State.Lit; target's Unit.Health is 100, must be at most 50");
    assert_int_equal(why.from, KN_CAPTURE_FROM_SOURCE);
    assert_false(why.is_there);
    add_tag(f, f->hero, lit);
    add_tag(f, f->foe, wet);
    why =
        refused(f, &apply, "target has State.Wet; target's Unit.Health is 100, must be at most 50");
    assert_true(why.is_there);
    remove_tag(f, f->foe, wet);
    why = refused(f, &apply, "target's Unit.Health is 100, must be at most 50");
    assert_int_equal(why.attribute.index1, f->health.index1);
    assert_true(why.have == 100.0f && why.max == 50.0f);
    apply.type = fear;
    why = refused(f, &apply, "it would be removed at once: source has State.Lit");
    assert_true(why.is_removal);
}

static void missing_values_are_named(void **state)
{
    fixture *f = *state;
    kn_name power;
    kn_tag amount = tag_of(f, "Value.Amount");
    assert_int_equal(kn_name_register(f->library, "power", &power, NULL), KN_OK);
    kn_parameter_def parameter = {.name = power, .required = true};
    kn_modifier_def modifiers[2] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 1), kn_modifier_constant(f->speed, KN_OP_ADD, 1)};
    modifiers[1].magnitude = kn_magnitude_set_by_caller(amount);
    kn_effect_def with_value = infinite("Given"), with_parameter = infinite("Asked"),
                  with_attribute = infinite("Read");
    with_value.modifiers = modifiers;
    with_value.modifier_count = 2;
    with_parameter.parameters = &parameter;
    with_parameter.parameter_count = 1;
    kn_modifier_def read = kn_modifier_constant(f->speed, KN_OP_ADD, 1);
    read.magnitude = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 1);
    with_attribute.modifiers = &read;
    with_attribute.modifier_count = 1;
    kn_effect_type_id given = effect_register(f, &with_value),
                      asked = effect_register(f, &with_parameter),
                      reads = effect_register(f, &with_attribute);
    begin_bare_ally(f);
    kn_effect_apply_def def = application(f, given, f->hero, NULL);
    kn_effect_refusal why =
        refused(f, &def, "the caller value Value.Amount is missing (modifier 2)");
    assert_int_equal(why.modifier, 2);
    kn_caller_value value = {amount, 3};
    def.caller_values = &value;
    def.caller_value_count = 1;
    assert_int_equal(kn_effect_explain(f->world, &def, NULL, 0), 0);
    def = application(f, asked, f->hero, NULL);
    why = refused(f, &def, "parameter power is missing");
    assert_int_equal(why.parameter.index1, power.index1);
    def = application(f, reads, f->ally, NULL);
    why = refused(f, &def, "source has no Unit.Power");
    assert_int_equal(why.attribute.index1, f->power.index1);
    assert_int_equal(why.from, KN_CAPTURE_FROM_SOURCE);
}

typedef struct bad_modifier {
    const char *name;
    kn_magnitude magnitude; // of the third modifier
    kn_op op;
    const char *text;
} bad_modifier;

// Whatever a modifier lacks, the refusal says which one it is.
static void the_modifier_that_cannot_be_computed_is_named(void **state)
{
    fixture *f = *state;
    kn_name power;
    kn_tag amount = tag_of(f, "Value.Amount");
    assert_int_equal(kn_name_register(f->library, "power", &power, NULL), KN_OK);
    kn_calculation_def formula = kn_calculation_def_default();
    formula.name = "Formula";
    formula.expression = "1 / (source.Unit.Power - 10)"; // of which it has 10
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &formula, &calculation, NULL), KN_OK);
    bad_modifier cases[] = {
        {"Caller", kn_magnitude_set_by_caller(amount), KN_OP_ADD,
            "the caller value Value.Amount is missing (modifier 3)"},
        {"Captured", kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 1), KN_OP_ADD,
            "source has no Unit.Power (modifier 3)"},
        {"Computed", kn_magnitude_calculation(calculation), KN_OP_ADD,
            "one of its numbers cannot be computed (modifier 3)"},
        {"Asked", kn_magnitude_constant(1), KN_OP_ADD, "parameter power is missing (modifier 3)"},
        {"Divided", kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 0),
            KN_OP_DIVIDE, "one of its numbers cannot be computed (modifier 3)"},
        {"Circle", kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 1), KN_OP_ADD,
            "Unit.Speed would depend on itself (modifier 3)"},
    };
    cases[3].magnitude.scale.parameter = power;
    kn_modifier_def modifiers[3] = {kn_modifier_constant(f->speed, KN_OP_ADD, 1),
        kn_modifier_constant(f->haste, KN_OP_ADD, 1), kn_modifier_constant(f->speed, KN_OP_ADD, 1)};
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        kn_effect_def def = infinite(cases[i].name);
        modifiers[2].magnitude = cases[i].magnitude;
        modifiers[2].op = cases[i].op;
        def.modifiers = modifiers;
        def.modifier_count = 3;
        types[i] = effect_register(f, &def);
    }
    kn_effect_def alone = infinite("Alone"); // the first is named where nothing else is
    modifiers[2].magnitude = cases[2].magnitude;
    alone.modifiers = &modifiers[2];
    alone.modifier_count = 1;
    kn_effect_type_id only = effect_register(f, &alone);
    begin_bare_ally(f);
    for (uint32_t i = 0; i < 6; i++) {
        kn_effect_apply_def def = application(f, types[i], i == 1 ? f->ally : f->hero, NULL);
        kn_effect_refusal why = refused(f, &def, cases[i].text);
        assert_int_equal(why.modifier, 3);
    }
    kn_effect_apply_def def = application(f, only, f->hero, NULL);
    kn_effect_refusal why = refused(f, &def, "one of its numbers cannot be computed (modifier 1)");
    assert_int_equal(why.modifier, 1);
}

static void stacks_and_stronger_effects_are_named(void **state)
{
    fixture *f = *state;
    kn_effect_def full = infinite("Charge");
    full.stacking.kind = KN_STACK_BY_TARGET;
    full.stacking.limit = kn_constant(1);
    full.stacking.deny_overflow = true;
    full.stacking.clear_on_overflow = true; // the effect behind it is gone afterwards
    kn_modifier_def modifiers[2] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 9), kn_modifier_constant(f->speed, KN_OP_ADD, 5)};
    kn_effect_def strong = infinite("Strong"), weak = infinite("Weak");
    strong.exclusive_group = weak.exclusive_group = tag_of(f, "Group.Slow");
    strong.exclusive_rule = weak.exclusive_rule = KN_EXCLUSIVE_STRONGEST;
    strong.modifiers = &modifiers[0];
    weak.modifiers = &modifiers[1];
    strong.modifier_count = weak.modifier_count = 1;
    kn_effect_type_id charge = effect_register(f, &full), s = effect_register(f, &strong),
                      w = effect_register(f, &weak);
    begin_bare_ally(f);
    kn_effect_id first, stronger;
    assert_int_equal(kn_effect_apply_simple(f->world, charge, f->hero, f->foe, 1, &first), KN_OK);
    kn_effect_apply_def def = application(f, charge, f->hero, NULL);
    kn_effect_refusal why = refused(f, &def, "Charge #4 takes no more stacks");
    assert_true(kn_effect_id_equal(why.effect, first));
    assert_false(kn_effect_is_alive(f->world, first));
    assert_int_equal(kn_effect_apply_simple(f->world, s, f->hero, f->foe, 1, &stronger), KN_OK);
    def.type = w;
    why = refused(f, &def, "Strong #5 is stronger");
    assert_true(kn_effect_id_equal(why.effect, stronger));
}

static void a_refused_child_says_why(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_def burn = infinite("Burn"), spark = infinite("Spark");
    burn.application.target.ignored = (kn_tags){&wet, 1};
    kn_effect_type_id type = effect_register(f, &burn);
    kn_child_def child = kn_child_def_default();
    child.type = type;
    spark.children = &child;
    spark.child_count = 1;
    kn_effect_type_id parent = effect_register(f, &spark);
    begin_bare_ally(f);
    add_tag(f, f->foe, wet);
    assert_int_equal(kn_effect_apply_simple(f->world, parent, f->hero, f->foe, 1, NULL), KN_OK);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    char line[256];
    (void)kn_event_print(f->world, &events.data[events.count - 1], line, sizeof(line));
    assert_non_null(strstr(line, "Burn by entity 1 refused: target has State.Wet"));
}

static void what_is_not_an_application_yet_has_a_reason_too(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Plain"), never = infinite("Never");
    never.chance = kn_magnitude_constant(0);
    kn_effect_type_id type = effect_register(f, &def), unlikely = effect_register(f, &never);
    begin_bare_ally(f);
    kn_effect_refusal why = {.reason = KN_REFUSED_COST};
    kn_effect_apply_def apply = application(f, type, f->hero, &why);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &apply, &effect), KN_OK);
    assert_int_equal(why.reason, KN_REFUSED_COST); // left alone
    apply.level = NAN;
    assert_int_equal(kn_effect_apply(f->world, &apply, &effect), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(why.reason, KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_effect_explain(f->world, &apply, &why, 1), 1);
    apply = application(f, unlikely, f->hero, NULL);
    (void)refused(f, &apply, "by chance");
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &apply, &spec), KN_OK);
    assert_int_equal(kn_spec_explain(f->world, spec, f->foe, &why, 1), 1);
    assert_int_equal(why.reason, KN_REFUSED_CHANCE);
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_int_equal(kn_effect_explain(f->world, &apply, &why, 1), 1);
    assert_int_equal(why.reason, KN_REFUSED_STALE_ID);
}

// An entity that nothing has touched yet has no component; asking makes none.
static void asking_about_a_bare_entity_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_tag lit = tag_of(f, "State.Lit");
    kn_effect_def def = infinite("Burn");
    def.application.target.required = (kn_tags){&lit, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin_bare_ally(f);
    kn_effect_apply_def apply = application(f, type, f->hero, NULL);
    apply.target = f->ally;
    uint64_t hash = kn_world_hash(f->world);
    kn_effect_refusal why;
    assert_int_equal(kn_effect_explain(f->world, &apply, &why, 1), 1);
    assert_int_equal(why.tag.index1, lit.index1);
    assert_true(hash == kn_world_hash(f->world));
}

// What hooks say ------------------------------------------------------------

static kn_fail fail_of(fixture *f, const char *name, const char *text)
{
    kn_fail_def def = kn_fail_def_default();
    def.name = name;
    def.text = text;
    kn_fail fail;
    assert_int_equal(kn_fail_register(f->library, &def, &fail, NULL), KN_OK);
    return fail;
}

typedef struct judge {
    kn_requirement_answer answer;
    bool speaks;
    kn_effect_refusal says;
    kn_effect_type_id inner; // applied before the answer; null for none
} judge;

static kn_requirement_answer judge_asked(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    const judge *j = user;
    (void)existing;
    if (j->speaks) {
        kn_effect_refusal other = {.text = "not this one"};
        kn_spec_view_refuse(spec, &other); // the last one counts
        kn_spec_view_refuse(spec, &j->says);
        kn_spec_view_refuse(spec, NULL);
        kn_spec_view_refuse(NULL, &other);
    }
    if (j->inner.index1 != 0) {
        (void)kn_effect_apply_simple(
            world, j->inner, kn_spec_view_source(spec), kn_spec_view_target(spec), 1.0f, NULL);
    }
    return j->answer;
}

static kn_effect_type_id judged(fixture *f, const char *name, judge *j)
{
    kn_effect_def def = infinite(name);
    assert_int_equal(
        kn_requirement_register(f->library, name, judge_asked, j, &def.requirement, NULL), KN_OK);
    return effect_register(f, &def);
}

// Applies without asking before, since a function is not asked.
static kn_effect_refusal denied(fixture *f, kn_effect_type_id type, const char *text)
{
    kn_effect_refusal why = {0};
    kn_effect_apply_def def = application(f, type, f->hero, &why);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_REFUSED_CUSTOM);
    assert_int_equal(why.reason, KN_REFUSED_CUSTOM);
    char line[256];
    (void)kn_effect_refusal_print(f->world, &why, line, sizeof line);
    assert_string_equal(line, text);
    return why;
}

static void a_requirement_says_why_with_reason_tag_numbers_and_text(void **state)
{
    fixture *f = *state;
    kn_fail rage = fail_of(f, "rage", "needs {need} rage, has {have} ({tag})");
    kn_fail bare = fail_of(f, "bare", NULL);
    kn_tag tag = tag_of(f, "Resource.Rage");
    judge loud = {.answer = KN_REQUIREMENT_DENY, .speaks = true};
    loud.says = (kn_effect_refusal){
        .fail = (uint32_t)rage, .tag = tag, .have = 12.0f, .need = 40.0f, .attribute = f->health};
    judge silent = {.answer = KN_REQUIREMENT_DENY};
    judge kind = {.answer = KN_REQUIREMENT_ALLOW, .speaks = true, .says = loud.says};
    kn_effect_type_id a = judged(f, "Loud", &loud), b = judged(f, "Silent", &silent),
                      c = judged(f, "Kind", &kind);
    kn_effect_def chancy = infinite("Chancy");
    chancy.requirement = kn_requirement_find(f->library, "Kind");
    chancy.chance = kn_magnitude_constant(0.0f);
    kn_effect_type_id d = effect_register(f, &chancy);
    begin_bare_ally(f);
    kn_effect_refusal why = denied(f, a, "needs 40 rage, has 12 (Resource.Rage)");
    assert_int_equal(why.fail, rage);
    assert_int_equal(why.tag.index1, tag.index1);
    assert_int_equal(why.attribute.index1, f->health.index1);
    assert_true(why.have == 12.0f && why.need == 40.0f);
    assert_string_equal(why.text, "");
    why = denied(f, b, "its requirement refuses it"); // nothing is left of the one before
    assert_true(why.fail == 0 && why.have == 0.0f && why.tag.index1 == 0);
    assert_int_equal(kn_effect_apply_simple(f->world, c, f->hero, f->foe, 1, NULL), KN_OK);
    why = (kn_effect_refusal){0};
    kn_effect_apply_def unlikely = application(f, d, f->hero, &why);
    kn_effect_id none;
    assert_int_equal(kn_effect_apply(f->world, &unlikely, &none), KN_REFUSED_CHANCE);
    assert_true(why.fail == 0 && why.need == 0.0f && why.tag.index1 == 0);

    // In the events each has its own, also if they are published after a rollback.
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) {
        step(f, 0);
        assert_int_equal(event_count(f, KN_EVENT_EFFECT_REFUSED), 3);
        kn_effect_refusal told;
        assert_true(
            kn_effect_event_refusal(f->world, first_event(f, KN_EVENT_EFFECT_REFUSED), &told));
        assert_int_equal(told.fail, rage);
        assert_true(told.have == 12.0f && told.need == 40.0f);
        char line[256];
        (void)kn_event_print(f->world, first_event(f, KN_EVENT_EFFECT_REFUSED), line, sizeof line);
        assert_non_null(strstr(line, "Loud by entity 1 refused: needs 40 rage, has 12"));
        assert_true(
            kn_effect_event_refusal(f->world, last_event(f, KN_EVENT_EFFECT_REFUSED), &told));
        assert_true(told.fail == 0 && told.have == 0.0f && told.text[0] == 0);
        assert_false(
            kn_effect_event_refusal(f->world, first_event(f, KN_EVENT_EFFECT_APPLIED), &told));
        assert_int_equal(told.reason, KN_OK);
        if (i == 0) {
            snapshot_restore(f->world, snapshot, size);
        }
    }
    free(snapshot);

    // A text of its own, a reason without one, a built-in one.
    (void)snprintf(loud.says.text, sizeof loud.says.text, "{have} of {need}");
    (void)denied(f, a, "12 of 40");
    loud.says = (kn_effect_refusal){.fail = (uint32_t)bare};
    (void)denied(f, a, "bare");
    loud.says.fail = KN_FAIL_COST;
    (void)denied(f, a, "cost");

    // What makes no sense is left out.
    loud.says = (kn_effect_refusal){
        .fail = 3, .tag = {9999}, .attribute = {9999}, .have = INFINITY, .need = NAN};
    loud.says.effect = (kn_effect_id){77, 7};
    memset(loud.says.text, 'x', sizeof loud.says.text);
    kn_effect_apply_def def = application(f, a, f->hero, &why);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_REFUSED_CUSTOM);
    assert_true(why.fail == 0 && why.tag.index1 == 0 && why.attribute.index1 == 0);
    assert_true(why.have == 0.0f && why.need == 0.0f && why.effect.index1 == 0);
    assert_int_equal(strlen(why.text), KN_REFUSAL_TEXT_MAX - 1);
}

static void what_an_inner_application_says_is_not_said_of_the_outer_one(void **state)
{
    fixture *f = *state;
    judge inner = {.answer = KN_REQUIREMENT_DENY, .speaks = true, .says = {.text = "inner"}};
    judge outer = {.answer = KN_REQUIREMENT_DENY, .speaks = true, .says = {.text = "outer"}};
    judge mute = {.answer = KN_REQUIREMENT_DENY};
    kn_effect_type_id in = judged(f, "Inner", &inner), out = judged(f, "Outer", &outer),
                      quiet = judged(f, "Mute", &mute);
    outer.inner = mute.inner = in;
    begin_bare_ally(f);
    (void)denied(f, out, "outer");
    (void)denied(f, quiet, "its requirement refuses it");
    (void)denied(f, in, "inner");
}

static bool ward_asked(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    judge *j = user;
    (void)world;
    (void)answer;
    kn_spec_view_refuse(record->effect, &j->says);
    return j->answer == KN_REQUIREMENT_DENY;
}

static void a_gate_says_why_by_its_reason_and_its_condition(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire"), rune = tag_of(f, "Rune");
    judge j = {.answer = KN_REQUIREMENT_DENY};
    j.says = (kn_effect_refusal){.tag = rune, .have = 2.0f, .need = 5.0f, .text = "{tag} {have}"};
    kn_gate_def gates[2] = {kn_gate_def_default(), kn_gate_def_default()};
    gates[0].record.required = one(&fire);
    gates[0].reason = "warded";
    gates[1].record.required = one(&fire);
    gates[1].as_instigator = true;
    assert_int_equal(
        kn_condition_register(f->library, "Asked", ward_asked, &j, &gates[1].condition, NULL),
        KN_OK);
    kn_effect_def ward = infinite("Ward"), vow = infinite("Vow"), burn = infinite("Burn");
    ward.gates = &gates[0];
    vow.gates = &gates[1];
    ward.gate_count = vow.gate_count = 1;
    burn.asset_tags = one(&fire);
    kn_effect_type_id ward_type = effect_register(f, &ward), vow_type = effect_register(f, &vow),
                      type = effect_register(f, &burn);
    kn_fail warded = fail_of(f, "warded", "the ward holds"); // after the effect
    begin_bare_ally(f);
    kn_effect_id by;
    assert_int_equal(kn_effect_apply_simple(f->world, ward_type, f->foe, f->foe, 1, &by), KN_OK);
    kn_effect_apply_def def = application(f, type, f->hero, NULL);
    kn_effect_refusal why =
        refused(f, &def, "blocked by Ward #4 of the target (School.Fire): the ward holds");
    assert_int_equal(why.fail, warded);
    assert_true(kn_effect_id_equal(why.effect, by));

    assert_int_equal(kn_effect_apply_simple(f->world, vow_type, f->hero, f->hero, 1, &by), KN_OK);
    why = refused(f, &def,
        "blocked by Vow #5 of the source (Rune): Rune 2; blocked by Ward #4 of the target "
        "(School.Fire): the ward holds");
    assert_int_equal(why.fail, 0);
    assert_int_equal(why.tag.index1, rune.index1);
    assert_true(why.have == 2.0f && why.need == 5.0f);
    assert_true(kn_effect_id_equal(why.effect, by));
    assert_int_equal(why.from, KN_CAPTURE_FROM_SOURCE);

    // A condition that lets it pass has said nothing.
    j.answer = KN_REQUIREMENT_ALLOW;
    why = refused(f, &def, "blocked by Ward #4 of the target (School.Fire): the ward holds");
    assert_string_equal(why.text, "");
}

static void a_gate_on_records_gives_its_reason_in_the_outcome(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_fail warded = fail_of(f, "warded", NULL);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Hit";
    kn_event_kind_id hit;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &hit, NULL), KN_OK);
    kn_gate_def gates[2] = {kn_gate_def_default(), kn_gate_def_default()};
    gates[0].kind = gates[1].kind = hit;
    gates[0].record.ignored = one(&fire); // does not hold
    gates[0].reason = "dead";
    gates[1].record.required = one(&fire);
    gates[1].reason = "warded";
    kn_effect_def ward = infinite("Ward");
    ward.gates = gates;
    ward.gate_count = 2;
    kn_effect_type_id type = effect_register(f, &ward);
    begin_bare_ally(f);
    kn_event_record record = kn_event_record_default();
    record.kind = hit;
    record.tags = one(&fire);
    record.target = f->foe;
    record.instigator = f->hero;
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_OK);
    assert_int_equal(outcome.fail, 0);
    kn_effect_id by;
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->ally, f->foe, 1, &by), KN_OK);
    assert_int_equal(kn_event_run(f->world, &record, &outcome), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, by));
    assert_int_equal(outcome.fail, warded);
}

static void a_gate_whose_reason_does_not_exist_is_refused(void **state)
{
    fixture *f = *state;
    kn_tag fire = tag_of(f, "School.Fire");
    kn_gate_def gate = kn_gate_def_default();
    gate.record.required = one(&fire);
    gate.reason = "warded";
    kn_effect_def ward = infinite("Ward");
    ward.gates = &gate;
    ward.gate_count = 1;
    (void)effect_register(f, &ward);
    kn_error error = {0};
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message,
        "effect `Ward`: there is no fail reason `warded` for its gate; register it first");
    (void)fail_of(f, "warded", NULL);
    begin_bare_ally(f);
    ward.name = "Later";
    gate.reason = "absent";
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(f->world, &ward, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`absent`"));
    gate.reason = "warded";
    assert_int_equal(kn_world_effect_register(f->world, &ward, &type, &error), KN_OK);
}

static void more_refusals_than_there_are_numbers_for_lack_their_details(void **state)
{
    fixture *f = *state;
    judge loud = {.answer = KN_REQUIREMENT_DENY, .speaks = true, .says = {.text = "loud"}};
    kn_effect_type_id type = judged(f, "Loud", &loud);
    begin_bare_ally(f);
    for (uint32_t i = 0; i < 300; i++) {
        loud.says.need = (float)i;
        (void)denied(f, type, "loud");
    }
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type != KN_EVENT_EFFECT_REFUSED) {
            continue;
        }
        kn_effect_refusal told;
        assert_true(kn_effect_event_refusal(f->world, &events.data[i], &told));
        assert_int_equal(told.reason, KN_REFUSED_CUSTOM);
        assert_true(told.need == (seen < 255 ? (float)seen : 0.0f));
        assert_string_equal(told.text, seen < 255 ? "loud" : "");
        seen++;
    }
    assert_int_equal(seen, 300);
}

#define REASON(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
static const struct CMUnitTest tests[] = {
    REASON(a_gate_is_named_with_its_bearer_and_tag),
    REASON(a_value_that_leaves_no_time_is_named),
    REASON(a_value_that_leaves_no_time_may_say_why),
    REASON(conditions_name_tag_attribute_and_side),
    REASON(missing_values_are_named),
    REASON(the_modifier_that_cannot_be_computed_is_named),
    REASON(stacks_and_stronger_effects_are_named),
    REASON(a_refused_child_says_why),
    REASON(what_is_not_an_application_yet_has_a_reason_too),
    REASON(asking_about_a_bare_entity_changes_nothing),
    TEST(a_requirement_says_why_with_reason_tag_numbers_and_text),
    TEST(what_an_inner_application_says_is_not_said_of_the_outer_one),
    TEST(a_gate_says_why_by_its_reason_and_its_condition),
    TEST(a_gate_on_records_gives_its_reason_in_the_outcome),
    TEST(a_gate_whose_reason_does_not_exist_is_refused),
    TEST(more_refusals_than_there_are_numbers_for_lack_their_details),
};

TEST_GROUP(effect_reasons, tests, NULL, NULL);
