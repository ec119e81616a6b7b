// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Formulas written as text: magnitudes, requirements and conditions.

#include "scenario/effect_fixture.h"

static kn_magnitude formula(fixture *f, const char *text)
{
    static uint32_t number;
    char name[32];
    (void)snprintf(name, sizeof name, "Formula %u", number++);
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.expression = text;
    kn_calculation_id calculation;
    kn_error error = {0};
    if (kn_calculation_register(f->library, &def, &calculation, &error) != KN_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    return kn_magnitude_calculation(calculation);
}

static kn_effect_type_id changing(fixture *f, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.magnitude = magnitude;
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return effect_register(f, &def);
}

// The call is refused for this reason, and the world is as it was.
static void refused(const fixture *f, const kn_effect_apply_def *def, kn_result reason)
{
    uint64_t before = kn_world_hash(f->world);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, def, &effect), reason);
    assert_int_equal(effect.index1, 0);
    assert_true(kn_world_hash(f->world) == before);
}

// Closer than assert_near() for large numbers.
static void assert_close(float value, float expected)
{
    assert_float_equal(value, expected, 1e-4f);
}

static float base_of(const fixture *f, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_base(f->world, entity, attribute);
}

// Calculations --------------------------------------------------------------

typedef struct twin {
    float base;
} twin;

static float in_c(void *user, const kn_calculation *calculation)
{
    const twin *t = user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    float power =
        kn_calculation_capture(calculation, 0) * (t->base + 0.1f * kn_spec_view_level(spec));
    float armor = kn_calculation_capture(calculation, 1);
    return -(power * (100.0f / (100.0f + armor)));
}

// MMC-001, MMC-003, MMC-007
static void a_formula_does_what_the_same_function_does(void **state)
{
    fixture *f = *state;
    twin t = {1.0f};
    kn_capture captures[] = {{.attribute = f->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET}};
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "In C";
    def.captures = captures;
    def.capture_count = 2;
    def.function = in_c;
    def.user = &t;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_magnitude magnitude =
        formula(f, "-(source.Unit.Attack * (1 + 0.1 * level) * (100 / (100 + target.Unit.Armor)))");
    magnitude.scale = kn_constant(2.0f); // the modifier's own numbers come on top
    magnitude.post_add = kn_constant(1.0f);
    kn_magnitude other = kn_magnitude_calculation(calculation);
    other.scale = magnitude.scale;
    other.post_add = magnitude.post_add;
    kn_effect_type_id text = changing(f, "Text", KN_DURATION_INSTANT, f->health, magnitude);
    kn_effect_type_id code = changing(f, "Code", KN_DURATION_INSTANT, f->mana, other);
    begin(f);
    float health = base_of(f, f->foe, f->health), mana = base_of(f, f->foe, f->mana);
    for (uint32_t level = 1; level <= 20; level++) {
        set_base(f, f->hero, f->attack, 3.0f * (float)level);
        apply_level(f, text, (float)level);
        apply_level(f, code, (float)level);
        float lost = health - base_of(f, f->foe, f->health);
        assert_true(lost > 0.0f);
        assert_close(lost, mana - base_of(f, f->foe, f->mana));
    }
}

// MMC-005, MMC-009, TVE-080
static void a_lasting_effect_follows_what_the_formula_reads(void **state)
{
    fixture *f = *state;
    kn_effect_type_id live =
        changing(f, "Live", KN_DURATION_INFINITE, f->speed, formula(f, "source.Unit.Attack * 2"));
    kn_effect_type_id kept = changing(
        f, "Kept", KN_DURATION_INFINITE, f->mana, formula(f, "snapshot(source.Unit.Attack) * 2"));
    begin(f);
    kn_spec_id specs[2];
    const kn_effect_type_id types[] = {live, kept};
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_apply_def def = from_hero(f, types[i]);
        assert_int_equal(kn_spec_create(f->world, &def, &specs[i]), KN_OK);
    }
    set_base(f, f->hero, f->attack, 20.0f);
    kn_effect_id effects[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_spec_apply(f->world, specs[i], f->foe, &effects[i]), KN_OK);
    }
    assert_close(kn_effect_magnitude(f->world, effects[0], 0), 40.0f);
    assert_close(kn_effect_magnitude(f->world, effects[1], 0), 20.0f);
    set_base(f, f->hero, f->attack, 30.0f);
    assert_close(kn_effect_magnitude(f->world, effects[0], 0), 60.0f);
    assert_close(kn_effect_magnitude(f->world, effects[1], 0), 20.0f);
    kn_entity_destroy(f->world, f->hero);
    step(f, KN_MS(10));
    assert_close(kn_effect_magnitude(f->world, effects[0], 0), 60.0f);
}

// MMC-002: durations, periods and ticks are magnitudes too.
static void formulas_serve_every_kind_of_effect(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = formula(f, "-(1 + tick) * stacks");
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = kn_effect_def_default();
    def.name = "Burn";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = formula(f, "2 + level");
    def.is_periodic = true;
    def.period = formula(f, "if(level > 1, 0.5, 1)");
    def.skip_first_tick = true;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &def);
    begin(f);
    kn_effect_apply_def apply_def = from_hero(f, burn);
    apply_def.stacks = 2;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_OK);
    assert_true(kn_effect_remaining(f->world, effect) == KN_S(3));
    step(f, KN_S(4));
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_close(base_of(f, f->foe, f->health), 100.0f - 2.0f * (1 + 2 + 3));
}

// MMC-004: what a formula names is declared by naming it.
static void an_absent_attribute_refuses_unless_there_is_a_default(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Shield";
    kn_attribute_set_id extra = set_register(f, "Extra", &attribute, 1);
    kn_effect_type_id strict = changing(
        f, "Strict", KN_DURATION_INSTANT, f->health, formula(f, "1 + target.Extra.Shield"));
    kn_effect_type_id branch = changing(f, "Branch", KN_DURATION_INSTANT, f->health,
        formula(f, "if(level > 5, target.Extra.Shield, 1)"));
    kn_effect_type_id lenient = changing(f, "Lenient", KN_DURATION_INSTANT, f->health,
        formula(f, "1 + (target.Extra.Shield ?? -7)"));
    kn_effect_type_id causer = changing(
        f, "Causer", KN_DURATION_INSTANT, f->mana, formula(f, "snapshot(causer.Unit.Attack) ?? 3"));
    begin(f);
    kn_effect_apply_def def = from_hero(f, strict);
    refused(f, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    def.type = branch;
    refused(f, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    apply(f, lenient);
    assert_close(base_of(f, f->foe, f->health), 94.0f);
    add_set(f, f->foe, extra);
    apply(f, strict);
    assert_close(base_of(f, f->foe, f->health), 95.0f);

    apply(f, causer);
    assert_close(base_of(f, f->foe, f->mana), 63.0f);
    def.type = causer;
    kn_effect_context context = {.causer = f->hero};
    def.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->mana), 73.0f);
}

// MMC-003
static void a_formula_reads_what_the_caller_gives(void **state)
{
    fixture *f = *state;
    kn_tag damage = tag_of(f, "Data.Damage");
    kn_name bonus = name_of(f, "Bonus");
    kn_effect_type_id strict = changing(
        f, "Strict", KN_DURATION_INSTANT, f->health, formula(f, "-caller.Data.Damage * 2"));
    kn_effect_type_id lazy = changing(f, "Lazy", KN_DURATION_INSTANT, f->health,
        formula(f, "if(level > 5, caller.Data.Damage, 1)"));
    kn_effect_type_id lenient = changing(
        f, "Lenient", KN_DURATION_INSTANT, f->health, formula(f, "-(caller.Data.Damage ?? 4 ^ 2)"));
    kn_effect_type_id named = changing(
        f, "Named", KN_DURATION_INSTANT, f->mana, formula(f, "param.Bonus + (param.Bonus ?? 100)"));
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->mana;
    modifier.magnitude = formula(f, "param.Bonus");
    kn_parameter_def parameter = {.name = bonus, .value = 7.0f};
    kn_effect_def effect_def = instant("Declared");
    effect_def.modifiers = &modifier;
    effect_def.modifier_count = 1;
    effect_def.parameters = &parameter;
    effect_def.parameter_count = 1;
    kn_effect_type_id declared = effect_register(f, &effect_def);
    begin(f);

    kn_effect_apply_def def = from_hero(f, strict);
    refused(f, &def, KN_REFUSED_MISSING_VALUE);
    kn_caller_value value = {damage, 5.0f};
    def.caller_values = &value;
    def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->health), 90.0f);
    apply_level(f, lazy, 5.0f); // the value is not needed
    assert_close(base_of(f, f->foe, f->health), 91.0f);
    kn_effect_apply_def high = from_hero(f, lazy);
    high.level = 6.0f;
    refused(f, &high, KN_REFUSED_MISSING_VALUE);
    apply(f, lenient);
    assert_close(base_of(f, f->foe, f->health), 75.0f);
    def.type = lenient;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->health), 70.0f);

    def = from_hero(f, named);
    refused(f, &def, KN_REFUSED_MISSING_VALUE);
    kn_named_value given = {bonus, 3.0f};
    def.named_values = &given;
    def.named_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->mana), 66.0f);
    apply(f, declared);
    assert_close(base_of(f, f->foe, f->mana), 73.0f);
}

// MMC-003, MMC-008
static void a_formula_asks_for_tags(void **state)
{
    fixture *f = *state;
    kn_tag stunned = tag_of(f, "State.Stunned.Hard"), fire = tag_of(f, "School.Fire");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->mana;
    modifier.magnitude = formula(f, "has(source, State.Stunned) + 10 * has(target, State.Stunned)"
                                    " + 100 * asset(School) + 1000 * has(causer, State)");
    modifier.op = KN_OP_OVERRIDE;
    kn_effect_def effect_def = instant("Ask");
    effect_def.modifiers = &modifier;
    effect_def.modifier_count = 1;
    kn_effect_type_id ask = effect_register(f, &effect_def);
    begin(f);
    apply(f, ask);
    assert_close(base_of(f, f->foe, f->mana), 0.0f);
    add_tag(f, f->hero, stunned);
    apply(f, ask);
    assert_close(base_of(f, f->foe, f->mana), 1.0f);
    add_tag(f, f->foe, stunned);
    kn_effect_apply_def def = from_hero(f, ask);
    kn_effect_context context = {.causer = f->foe};
    def.context = &context;
    def.dynamic_asset_tags = (kn_tags){&fire, 1};
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->mana), 1111.0f);
}

static void a_bad_number_is_refused_and_the_old_value_stays(void **state)
{
    fixture *f = *state;
    kn_effect_type_id hit =
        changing(f, "Hit", KN_DURATION_INSTANT, f->health, formula(f, "100 / (level - 3)"));
    kn_effect_type_id aura =
        changing(f, "Aura", KN_DURATION_INFINITE, f->speed, formula(f, "sqrt(source.Unit.Attack)"));
    kn_effect_type_id limitless = changing(
        f, "Limitless", KN_DURATION_INSTANT, f->health, formula(f, "target.Unit.Speed.max"));
    begin(f);
    kn_effect_apply_def def = from_hero(f, hit);
    def.level = 3.0f;
    refused(f, &def, KN_REFUSED_BAD_NUMBER);
    def.type = limitless; // the attribute has no maximum
    refused(f, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    set_base(f, f->hero, f->attack, 16.0f);
    kn_effect_id effect = apply(f, aura);
    assert_close(kn_effect_magnitude(f->world, effect, 0), 4.0f);
    set_base(f, f->hero, f->attack, -1.0f);
    assert_close(kn_effect_magnitude(f->world, effect, 0), 4.0f);
    assert_close(kn_attribute_value(f->world, f->foe, f->speed), 604.0f);
    set_base(f, f->hero, f->attack, 25.0f);
    assert_close(kn_effect_magnitude(f->world, effect, 0), 5.0f);
}

static void a_warm_formula_allocates_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_type_id hit = changing(f, "Hit", KN_DURATION_INSTANT, f->health,
        formula(f, "-max(1, source.Unit.Attack * (1 + level / 10) - target.Unit.Armor) % 7"));
    begin(f);
    for (uint32_t i = 0; i < 4; i++) {
        apply(f, hit);
        step(f, KN_MS(16));
    }
    uint64_t allocations = kn_world_get_stats(f->world).allocations;
    for (uint32_t i = 0; i < 100; i++) {
        apply_level(f, hit, (float)i);
        step(f, KN_MS(16));
    }
    assert_int_equal(kn_world_get_stats(f->world).allocations, allocations);
}

// An effect made while the game runs uses a formula of the library.
static void run_time_effects_use_formulas(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = formula(f, "-source.Unit.Attack");
    begin(f);
    kn_effect_def def = instant("Made");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(f->world, &def, &type, NULL), KN_OK);
    apply(f, type);
    assert_close(base_of(f, f->foe, f->health), 90.0f);
}

// Requirements --------------------------------------------------------------

static kn_effect_type_id requiring(fixture *f, const char *name, const char *text)
{
    kn_requirement_id requirement;
    kn_error error = {0};
    if (kn_requirement_register_expression(f->library, name, text, &requirement, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = instant(name);
    def.requirement = requirement;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static void a_requirement_allows_unless_its_formula_is_0(void **state)
{
    fixture *f = *state;
    kn_tag damage = tag_of(f, "Data.Damage");
    kn_effect_type_id weak =
        requiring(f, "Weak", "target.Unit.Health < 0.5 * source.Unit.Health and level >= 2");
    kn_effect_type_id given = requiring(f, "Given", "caller.Data.Damage - 5");
    kn_effect_type_id bad = requiring(f, "Bad", "1 / (target.Unit.Health - 100)");
    begin(f);
    kn_effect_apply_def def = from_hero(f, weak);
    def.level = 2.0f;
    refused(f, &def, KN_REFUSED_CUSTOM);
    set_base(f, f->foe, f->health, 40.0f);
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_close(base_of(f, f->foe, f->health), 39.0f);
    def.level = 1.0f;
    refused(f, &def, KN_REFUSED_CUSTOM);
    def.source = (kn_entity_id){0};
    refused(f, &def, KN_REFUSED_MISSING_ATTRIBUTE);

    def = from_hero(f, given);
    refused(f, &def, KN_REFUSED_MISSING_VALUE);
    kn_caller_value value = {damage, 5.0f};
    def.caller_values = &value;
    def.caller_value_count = 1;
    refused(f, &def, KN_REFUSED_CUSTOM);
    value.value = 4.0f; // below 0 is not 0
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);

    def = from_hero(f, bad);
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    set_base(f, f->foe, f->health, 100.0f);
    refused(f, &def, KN_REFUSED_BAD_NUMBER);
}

// Conditions ----------------------------------------------------------------

typedef struct hits {
    kn_event_kind_id kind;
    kn_value_id taken;
    kn_tag fire, blue, stunned;
} hits;

static hits declare_hits(fixture *f)
{
    hits h = {.fire = tag_of(f, "School.Fire"), .stunned = tag_of(f, "State.Stunned")};
    h.blue = tag_of(f, "School.Fire.Blue");
    kn_value_def value = kn_value_def_default();
    value.name = "Taken";
    assert_int_equal(kn_value_register(f->library, &value, &h.taken, NULL), KN_OK);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.incoming = h.taken;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &h.kind, NULL), KN_OK);
    return h;
}

static kn_condition_id condition_add(fixture *f, const char *name, const char *text)
{
    kn_condition_id condition;
    kn_error error = {0};
    if (kn_condition_register_expression(f->library, name, text, &condition, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return condition;
}

// Doubles the damage its target takes, if the condition holds.
static kn_effect_type_id curse_add(fixture *f, const hits *h, const char *name, const char *text)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = h->taken;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(2.0f);
    modifier.condition = condition_add(f, name, text);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static float hit_foe(const fixture *f, kn_event_record record)
{
    record.instigator = f->hero;
    record.target = f->foe;
    record.magnitude = record.magnitude == 0.0f ? 10.0f : record.magnitude;
    kn_event_outcome outcome;
    kn_result result = kn_event_run(f->world, &record, &outcome);
    assert_true(result == KN_OK || result == KN_REFUSED_BLOCKED);
    return result == KN_OK ? outcome.magnitude : -1.0f;
}

// CMOD-001, CMOD-004, MAP-014
static void a_condition_looks_at_the_event(void **state)
{
    fixture *f = *state;
    hits h = declare_hits(f);
    kn_effect_type_id curse = curse_add(f, &h, "Curse",
        "event.tag(School.Fire) and event.magnitude > 5 and has(target, State.Stunned)");
    begin(f);
    apply(f, curse);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    assert_close(hit_foe(f, record), 10.0f);
    record.tags = (kn_tags){&h.blue, 1};
    assert_close(hit_foe(f, record), 10.0f);
    add_tag(f, f->foe, h.stunned);
    assert_close(hit_foe(f, record), 20.0f);
    record.magnitude = 5.0f;
    assert_close(hit_foe(f, record), 5.0f);
    // Tags that the record carries stand for those of its target.
    record.magnitude = 10.0f;
    record.has_target_tags = true;
    assert_close(hit_foe(f, record), 10.0f);
    record.target_tags = (kn_tags){&h.stunned, 1};
    assert_close(hit_foe(f, record), 20.0f);
}

// CMOD-004
static void a_condition_reads_both_parties(void **state)
{
    fixture *f = *state;
    hits h = declare_hits(f);
    kn_effect_type_id curse = curse_add(f, &h, "Curse",
        "target.Unit.Health < 0.5 * instigator.Unit.Health and not has(instigator, State)");
    begin(f);
    apply(f, curse);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    assert_close(hit_foe(f, record), 10.0f);
    set_base(f, f->foe, f->health, 49.0f);
    assert_close(hit_foe(f, record), 20.0f);
    add_tag(f, f->hero, h.stunned);
    assert_close(hit_foe(f, record), 10.0f);
    record.has_instigator_tags = true;
    assert_close(hit_foe(f, record), 20.0f);
    // Somebody without attributes meets no condition on them.
    kn_entity_destroy(f->world, f->hero);
    step(f, 0);
    assert_close(hit_foe(f, record), 10.0f);
    assert_int_equal(f->log_count, 0);
}

static void a_condition_with_a_bad_number_does_not_hold(void **state)
{
    fixture *f = *state;
    hits h = declare_hits(f);
    kn_effect_type_id curse = curse_add(f, &h, "Curse", "1 / (event.magnitude - 10)");
    begin(f);
    apply(f, curse);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    assert_close(hit_foe(f, record), 10.0f);
    assert_close(hit_foe(f, record), 10.0f);
    assert_int_equal(f->log_count, 1);
    record.magnitude = 11.0f;
    assert_close(hit_foe(f, record), 22.0f);
}

// MAP-033
static void a_gate_asks_a_formula(void **state)
{
    fixture *f = *state;
    hits h = declare_hits(f);
    kn_gate_def gate = {.kind = h.kind};
    gate.condition = condition_add(f, "Light", "event.magnitude <= target.Unit.Armor");
    kn_effect_def def = infinite("Plate");
    def.gates = &gate;
    def.gate_count = 1;
    kn_effect_type_id plate = effect_register(f, &def);
    begin(f);
    apply(f, plate);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    assert_close(hit_foe(f, record), 10.0f);
    record.magnitude = 5.0f;
    assert_close(hit_foe(f, record), -1.0f);
}

// In the middle of things ---------------------------------------------------

static void run(kn_world *world, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        assert_int_equal(kn_world_step(world, KN_MS(70)), KN_OK);
    }
}

static void formulas_survive_rollback_and_saving(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude =
        formula(f, "-(snapshot(source.Unit.Attack) + source.Unit.Attack / 4 + tick) * stacks % 13");
    kn_effect_def def = infinite("Burn");
    def.is_periodic = true;
    def.period = formula(f, "0.1 + 0.01 * level");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_register(f, &def);
    kn_effect_type_id wane = changing(
        f, "Wane", KN_DURATION_INFINITE, f->attack, formula(f, "-target.Unit.Health ^ 2 / 1000"));
    begin(f);
    apply_level(f, burn, 2.0f);
    assert_int_equal(kn_effect_apply_simple(f->world, wane, f->foe, f->hero, 1.0f, NULL), KN_OK);
    run(f->world, 5);

    size_t size = kn_snapshot_size(f->world), saved_size;
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, NULL), KN_OK);
    void *saved = save_of(f->world, &saved_size);
    run(f->world, 9);
    uint64_t hash = kn_world_hash(f->world);

    snapshot_restore(f->world, snapshot, size);
    assert_true(kn_world_hash(f->world) != hash);
    run(f->world, 9);
    assert_true(kn_world_hash(f->world) == hash);

    kn_world *loaded = world_of(f, kn_world_def_default());
    assert_int_equal(kn_save_read(loaded, saved, saved_size, NULL), KN_OK);
    run(loaded, 9);
    assert_true(kn_world_hash(loaded) == hash);
    kn_world_destroy(loaded);
    free(snapshot);
    free(saved);
}

// The page ------------------------------------------------------------------

typedef struct page {
    fixture *f;
    uint32_t line;
    uint32_t examples;
    char previous[512];
} page;

static kn_result example_register(page *p, const char *kind, const char *text, kn_error *error)
{
    char name[32];
    (void)snprintf(name, sizeof name, "Example %u", p->examples++);
    kn_requirement_id requirement;
    kn_condition_id condition;
    kn_calculation_id calculation;
    if (strcmp(kind, "requirement") == 0) {
        return kn_requirement_register_expression(p->f->library, name, text, &requirement, error);
    }
    if (strcmp(kind, "condition") == 0) {
        return kn_condition_register_expression(p->f->library, name, text, &condition, error);
    }
    kn_calculation_def def = kn_calculation_def_default();
    def.name = strcmp(kind, "error") == 0 ? "Example" : name;
    def.expression = text;
    return kn_calculation_register(p->f->library, &def, &calculation, error);
}

// An expression and, behind an arrow, its value. With another one the library sees a division by 0.
static void example_value(page *p, char *line)
{
    char *arrow = strstr(line, " -> ");
    assert_non_null(arrow);
    char text[600];
    (void)snprintf(text, sizeof text, "1 / ((%.*s) == %s)", (int)(arrow - line), line, arrow + 4);
    kn_error error;
    if (example_register(p, "calculation", text, &error) != KN_OK) {
        fail_msg("line %u: %s: %s", p->line, text, error.message);
    }
}

// A line with the text, then one with its error.
static void example_error(page *p, char *line)
{
    if (p->previous[0] == 0) {
        (void)snprintf(p->previous, sizeof p->previous, "%s", line);
        return;
    }
    kn_error error = {0};
    assert_int_equal(example_register(p, "error", p->previous, &error), KN_ERROR_BAD_DATA);
    char message[300];
    (void)snprintf(message, sizeof message, "%u:%u: %s", error.line, error.column, error.message);
    assert_string_equal(message, line);
    p->previous[0] = 0;
}

static void every_example_of_the_page_compiles(void **state)
{
    page p = {.f = *state};
    static const char *const tags[] = {
        "State.Stunned", "State.Two-Handed", "School.Fire", "Data.Damage"};
    for (uint32_t i = 0; i < COUNT(tags); i++) {
        tag_of(p.f, tags[i]);
    }
    name_of(p.f, "Bonus");
    assert_int_equal(
        kn_attribute_redirect(p.f->library, "Unit.Spell Power", "Unit.Attack", NULL), KN_OK);
    static const kn_curve_point points[] = {{1, 10}, {3, 30}};
    kn_curve_def curve = kn_curve_def_default();
    kn_curve_id curve_id;
    curve.name = "Growth";
    curve.points = points;
    curve.point_count = COUNT(points);
    assert_int_equal(kn_curve_register(p.f->library, &curve, &curve_id, NULL), KN_OK);

    FILE *file = fopen(KNACK_DOCS "/expressions.md", "r");
    assert_non_null(file);
    char line[512], kind[32] = "";
    while (fgets(line, sizeof line, file) != NULL) {
        p.line++;
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "```", 3) == 0) {
            (void)snprintf(kind, sizeof kind, "%.31s", kind[0] != 0 ? "" : line + 3);
            continue;
        }
        kn_error error = {0};
        if (strcmp(kind, "value") == 0) {
            example_value(&p, line);
        } else if (strcmp(kind, "error") == 0) {
            example_error(&p, line);
        } else if (kind[0] != 0 && example_register(&p, kind, line, &error) != KN_OK) {
            fail_msg("line %u: %s", p.line, error.message);
        }
    }
    (void)fclose(file);
    assert_true(p.examples > 40);
    begin(p.f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_formula_does_what_the_same_function_does, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_lasting_effect_follows_what_the_formula_reads, setup, teardown),
    cmocka_unit_test_setup_teardown(formulas_serve_every_kind_of_effect, setup, teardown),
    cmocka_unit_test_setup_teardown(
        an_absent_attribute_refuses_unless_there_is_a_default, setup, teardown),
    cmocka_unit_test_setup_teardown(a_formula_reads_what_the_caller_gives, setup, teardown),
    cmocka_unit_test_setup_teardown(a_formula_asks_for_tags, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_bad_number_is_refused_and_the_old_value_stays, setup, teardown),
    cmocka_unit_test_setup_teardown(a_warm_formula_allocates_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(run_time_effects_use_formulas, setup, teardown),
    cmocka_unit_test_setup_teardown(a_requirement_allows_unless_its_formula_is_0, setup, teardown),
    cmocka_unit_test_setup_teardown(a_condition_looks_at_the_event, setup, teardown),
    cmocka_unit_test_setup_teardown(a_condition_reads_both_parties, setup, teardown),
    cmocka_unit_test_setup_teardown(a_condition_with_a_bad_number_does_not_hold, setup, teardown),
    cmocka_unit_test_setup_teardown(a_gate_asks_a_formula, setup, teardown),
    cmocka_unit_test_setup_teardown(formulas_survive_rollback_and_saving, setup, teardown),
    cmocka_unit_test_setup_teardown(every_example_of_the_page_compiles, setup, teardown),
};

TEST_GROUP(expressions, tests, NULL, NULL);
