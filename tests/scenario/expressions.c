// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Formulas written as text: magnitudes, requirements and conditions.

#include "scenario/effect_stage.h"

#include <stdio.h>

static kn_tag tag_add(stage *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag;
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_name name_add(stage *s, const char *text)
{
    kn_name name;
    assert_int_equal(kn_name_register(s->library, text, &name, NULL), KN_OK);
    return name;
}

static kn_magnitude formula(stage *s, const char *text)
{
    static uint32_t number;
    char name[32];
    (void)snprintf(name, sizeof name, "Formula %u", number++);
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.expression = text;
    kn_calculation_id calculation;
    kn_error error = {0};
    if (kn_calculation_register(s->library, &def, &calculation, &error) != KN_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    return kn_magnitude_calculation(calculation);
}

static kn_effect_type_id effect_add(stage *s, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_effect_type_id adding(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.magnitude = magnitude;
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_add(s, &def);
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

static kn_effect_id apply(const stage *s, kn_effect_type_id type, float level)
{
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->hero, s->foe, level, &effect), KN_OK);
    return effect;
}

// The call is refused for this reason, and the world is as it was.
static void refused(const stage *s, const kn_effect_apply_def *def, kn_result reason)
{
    uint64_t before = kn_world_hash(s->world);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(s->world, def, &effect), reason);
    assert_int_equal(effect.index1, 0);
    assert_true(kn_world_hash(s->world) == before);
}

static float base_of(const stage *s, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, entity, attribute);
}

static void set_base(const stage *s, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, entity, attribute, 0, value), KN_OK);
}

static void give_tag(const stage *s, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(s->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static void near(float value, float expected)
{
    assert_float_equal(value, expected, 1e-4f);
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
    stage *s = *state;
    twin t = {1.0f};
    kn_capture captures[] = {{.attribute = s->attack, .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET}};
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "In C";
    def.captures = captures;
    def.capture_count = 2;
    def.function = in_c;
    def.user = &t;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(s->library, &def, &calculation, NULL), KN_OK);
    kn_magnitude magnitude =
        formula(s, "-(source.Unit.Attack * (1 + 0.1 * level) * (100 / (100 + target.Unit.Armor)))");
    magnitude.scale = kn_constant(2.0f); // the modifier's own numbers come on top
    magnitude.post_add = kn_constant(1.0f);
    kn_magnitude other = kn_magnitude_calculation(calculation);
    other.scale = magnitude.scale;
    other.post_add = magnitude.post_add;
    kn_effect_type_id text = adding(s, "Text", KN_DURATION_INSTANT, s->health, magnitude);
    kn_effect_type_id code = adding(s, "Code", KN_DURATION_INSTANT, s->mana, other);
    begin(s);
    float health = base_of(s, s->foe, s->health), mana = base_of(s, s->foe, s->mana);
    for (uint32_t level = 1; level <= 20; level++) {
        set_base(s, s->hero, s->attack, 3.0f * (float)level);
        apply(s, text, (float)level);
        apply(s, code, (float)level);
        float lost = health - base_of(s, s->foe, s->health);
        assert_true(lost > 0.0f);
        near(lost, mana - base_of(s, s->foe, s->mana));
    }
}

// MMC-005, MMC-009, TVE-080
static void a_lasting_effect_follows_what_the_formula_reads(void **state)
{
    stage *s = *state;
    kn_effect_type_id live =
        adding(s, "Live", KN_DURATION_INFINITE, s->speed, formula(s, "source.Unit.Attack * 2"));
    kn_effect_type_id kept = adding(
        s, "Kept", KN_DURATION_INFINITE, s->mana, formula(s, "snapshot(source.Unit.Attack) * 2"));
    begin(s);
    kn_spec_id specs[2];
    const kn_effect_type_id types[] = {live, kept};
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_apply_def def = from_hero(s, types[i]);
        assert_int_equal(kn_spec_create(s->world, &def, &specs[i]), KN_OK);
    }
    set_base(s, s->hero, s->attack, 20.0f);
    kn_effect_id effects[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_spec_apply(s->world, specs[i], s->foe, &effects[i]), KN_OK);
    }
    near(kn_effect_magnitude(s->world, effects[0], 0), 40.0f);
    near(kn_effect_magnitude(s->world, effects[1], 0), 20.0f);
    set_base(s, s->hero, s->attack, 30.0f);
    near(kn_effect_magnitude(s->world, effects[0], 0), 60.0f);
    near(kn_effect_magnitude(s->world, effects[1], 0), 20.0f);
    kn_entity_destroy(s->world, s->hero);
    assert_int_equal(kn_world_step(s->world, KN_MS(10)), KN_OK);
    near(kn_effect_magnitude(s->world, effects[0], 0), 60.0f);
}

// MMC-002: durations, periods and ticks are magnitudes too.
static void formulas_serve_every_kind_of_effect(void **state)
{
    stage *s = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->health;
    modifier.magnitude = formula(s, "-(1 + tick) * stacks");
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = kn_effect_def_default();
    def.name = "Burn";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = formula(s, "2 + level");
    def.is_periodic = true;
    def.period = formula(s, "if(level > 1, 0.5, 1)");
    def.skip_first_tick = true;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_add(s, &def);
    begin(s);
    kn_effect_apply_def apply_def = from_hero(s, burn);
    apply_def.stacks = 2;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(s->world, &apply_def, &effect), KN_OK);
    assert_true(kn_effect_remaining(s->world, effect) == KN_S(3));
    assert_int_equal(kn_world_step(s->world, KN_S(4)), KN_OK);
    assert_false(kn_effect_is_alive(s->world, effect));
    near(base_of(s, s->foe, s->health), 100.0f - 2.0f * (1 + 2 + 3));
}

// MMC-004: what a formula names is declared by naming it.
static void an_absent_attribute_refuses_unless_there_is_a_default(void **state)
{
    stage *s = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Shield";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Extra";
    set.attributes = &attribute;
    set.attribute_count = 1;
    kn_attribute_set_id extra;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &extra, NULL), KN_OK);
    kn_effect_type_id strict =
        adding(s, "Strict", KN_DURATION_INSTANT, s->health, formula(s, "1 + target.Extra.Shield"));
    kn_effect_type_id branch = adding(s, "Branch", KN_DURATION_INSTANT, s->health,
        formula(s, "if(level > 5, target.Extra.Shield, 1)"));
    kn_effect_type_id lenient = adding(s, "Lenient", KN_DURATION_INSTANT, s->health,
        formula(s, "1 + (target.Extra.Shield ?? -7)"));
    kn_effect_type_id causer = adding(
        s, "Causer", KN_DURATION_INSTANT, s->mana, formula(s, "snapshot(causer.Unit.Attack) ?? 3"));
    begin(s);
    kn_effect_apply_def def = from_hero(s, strict);
    refused(s, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    def.type = branch;
    refused(s, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    apply(s, lenient, 1.0f);
    near(base_of(s, s->foe, s->health), 94.0f);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, extra, 0), KN_OK);
    apply(s, strict, 1.0f);
    near(base_of(s, s->foe, s->health), 95.0f);

    apply(s, causer, 1.0f);
    near(base_of(s, s->foe, s->mana), 63.0f);
    def.type = causer;
    kn_effect_context context = {.causer = s->hero};
    def.context = &context;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->mana), 73.0f);
}

// MMC-003
static void a_formula_reads_what_the_caller_gives(void **state)
{
    stage *s = *state;
    kn_tag damage = tag_add(s, "Data.Damage");
    kn_name bonus = name_add(s, "Bonus");
    kn_effect_type_id strict =
        adding(s, "Strict", KN_DURATION_INSTANT, s->health, formula(s, "-caller.Data.Damage * 2"));
    kn_effect_type_id lazy = adding(s, "Lazy", KN_DURATION_INSTANT, s->health,
        formula(s, "if(level > 5, caller.Data.Damage, 1)"));
    kn_effect_type_id lenient = adding(
        s, "Lenient", KN_DURATION_INSTANT, s->health, formula(s, "-(caller.Data.Damage ?? 4 ^ 2)"));
    kn_effect_type_id named = adding(
        s, "Named", KN_DURATION_INSTANT, s->mana, formula(s, "param.Bonus + (param.Bonus ?? 100)"));
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->mana;
    modifier.magnitude = formula(s, "param.Bonus");
    kn_parameter_def parameter = {.name = bonus, .value = 7.0f};
    kn_effect_def effect_def = kn_effect_def_default();
    effect_def.name = "Declared";
    effect_def.modifiers = &modifier;
    effect_def.modifier_count = 1;
    effect_def.parameters = &parameter;
    effect_def.parameter_count = 1;
    kn_effect_type_id declared = effect_add(s, &effect_def);
    begin(s);

    kn_effect_apply_def def = from_hero(s, strict);
    refused(s, &def, KN_REFUSED_MISSING_VALUE);
    kn_caller_value value = {damage, 5.0f};
    def.caller_values = &value;
    def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->health), 90.0f);
    apply(s, lazy, 5.0f); // the value is not needed
    near(base_of(s, s->foe, s->health), 91.0f);
    kn_effect_apply_def high = from_hero(s, lazy);
    high.level = 6.0f;
    refused(s, &high, KN_REFUSED_MISSING_VALUE);
    apply(s, lenient, 1.0f);
    near(base_of(s, s->foe, s->health), 75.0f);
    def.type = lenient;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->health), 70.0f);

    def = from_hero(s, named);
    refused(s, &def, KN_REFUSED_MISSING_VALUE);
    kn_named_value given = {bonus, 3.0f};
    def.named_values = &given;
    def.named_value_count = 1;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->mana), 66.0f);
    apply(s, declared, 1.0f);
    near(base_of(s, s->foe, s->mana), 73.0f);
}

// MMC-003, MMC-008
static void a_formula_asks_for_tags(void **state)
{
    stage *s = *state;
    kn_tag stunned = tag_add(s, "State.Stunned.Hard"), fire = tag_add(s, "School.Fire");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->mana;
    modifier.magnitude = formula(s, "has(source, State.Stunned) + 10 * has(target, State.Stunned)"
                                    " + 100 * asset(School) + 1000 * has(causer, State)");
    modifier.op = KN_OP_OVERRIDE;
    kn_effect_def effect_def = kn_effect_def_default();
    effect_def.name = "Ask";
    effect_def.modifiers = &modifier;
    effect_def.modifier_count = 1;
    kn_effect_type_id ask = effect_add(s, &effect_def);
    begin(s);
    apply(s, ask, 1.0f);
    near(base_of(s, s->foe, s->mana), 0.0f);
    give_tag(s, s->hero, stunned);
    apply(s, ask, 1.0f);
    near(base_of(s, s->foe, s->mana), 1.0f);
    give_tag(s, s->foe, stunned);
    kn_effect_apply_def def = from_hero(s, ask);
    kn_effect_context context = {.causer = s->foe};
    def.context = &context;
    def.dynamic_asset_tags = (kn_tags){&fire, 1};
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->mana), 1111.0f);
}

static void a_bad_number_is_refused_and_the_old_value_stays(void **state)
{
    stage *s = *state;
    kn_effect_type_id hit =
        adding(s, "Hit", KN_DURATION_INSTANT, s->health, formula(s, "100 / (level - 3)"));
    kn_effect_type_id aura =
        adding(s, "Aura", KN_DURATION_INFINITE, s->speed, formula(s, "sqrt(source.Unit.Attack)"));
    kn_effect_type_id limitless =
        adding(s, "Limitless", KN_DURATION_INSTANT, s->health, formula(s, "target.Unit.Speed.max"));
    begin(s);
    kn_effect_apply_def def = from_hero(s, hit);
    def.level = 3.0f;
    refused(s, &def, KN_REFUSED_BAD_NUMBER);
    def.type = limitless; // the attribute has no maximum
    refused(s, &def, KN_REFUSED_MISSING_ATTRIBUTE);
    set_base(s, s->hero, s->attack, 16.0f);
    kn_effect_id effect = apply(s, aura, 1.0f);
    near(kn_effect_magnitude(s->world, effect, 0), 4.0f);
    set_base(s, s->hero, s->attack, -1.0f);
    near(kn_effect_magnitude(s->world, effect, 0), 4.0f);
    near(kn_attribute_value(s->world, s->foe, s->speed), 604.0f);
    set_base(s, s->hero, s->attack, 25.0f);
    near(kn_effect_magnitude(s->world, effect, 0), 5.0f);
}

static void a_warm_formula_allocates_nothing(void **state)
{
    stage *s = *state;
    kn_effect_type_id hit = adding(s, "Hit", KN_DURATION_INSTANT, s->health,
        formula(s, "-max(1, source.Unit.Attack * (1 + level / 10) - target.Unit.Armor) % 7"));
    begin(s);
    for (uint32_t i = 0; i < 4; i++) {
        apply(s, hit, 1.0f);
        assert_int_equal(kn_world_step(s->world, KN_MS(16)), KN_OK);
    }
    uint64_t allocations = kn_world_get_stats(s->world).allocations;
    for (uint32_t i = 0; i < 100; i++) {
        apply(s, hit, (float)i);
        assert_int_equal(kn_world_step(s->world, KN_MS(16)), KN_OK);
    }
    assert_int_equal(kn_world_get_stats(s->world).allocations, allocations);
}

// An effect made while the game runs uses a formula of the library.
static void run_time_effects_use_formulas(void **state)
{
    stage *s = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->health;
    modifier.magnitude = formula(s, "-source.Unit.Attack");
    begin(s);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Made";
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(s->world, &def, &type, NULL), KN_OK);
    apply(s, type, 1.0f);
    near(base_of(s, s->foe, s->health), 90.0f);
}

// Requirements --------------------------------------------------------------

static kn_effect_type_id requiring(stage *s, const char *name, const char *text)
{
    kn_requirement_id requirement;
    kn_error error = {0};
    if (kn_requirement_register_expression(s->library, name, text, &requirement, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.requirement = requirement;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_add(s, &def);
}

static void a_requirement_allows_unless_its_formula_is_0(void **state)
{
    stage *s = *state;
    kn_tag damage = tag_add(s, "Data.Damage");
    kn_effect_type_id weak =
        requiring(s, "Weak", "target.Unit.Health < 0.5 * source.Unit.Health and level >= 2");
    kn_effect_type_id given = requiring(s, "Given", "caller.Data.Damage - 5");
    kn_effect_type_id bad = requiring(s, "Bad", "1 / (target.Unit.Health - 100)");
    begin(s);
    kn_effect_apply_def def = from_hero(s, weak);
    def.level = 2.0f;
    refused(s, &def, KN_REFUSED_CUSTOM);
    set_base(s, s->foe, s->health, 40.0f);
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    near(base_of(s, s->foe, s->health), 39.0f);
    def.level = 1.0f;
    refused(s, &def, KN_REFUSED_CUSTOM);
    def.source = (kn_entity_id){0};
    refused(s, &def, KN_REFUSED_MISSING_ATTRIBUTE);

    def = from_hero(s, given);
    refused(s, &def, KN_REFUSED_MISSING_VALUE);
    kn_caller_value value = {damage, 5.0f};
    def.caller_values = &value;
    def.caller_value_count = 1;
    refused(s, &def, KN_REFUSED_CUSTOM);
    value.value = 4.0f; // below 0 is not 0
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);

    def = from_hero(s, bad);
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    set_base(s, s->foe, s->health, 100.0f);
    refused(s, &def, KN_REFUSED_BAD_NUMBER);
}

// Conditions ----------------------------------------------------------------

typedef struct hits {
    kn_event_kind_id kind;
    kn_value_id taken;
    kn_tag fire, blue, stunned;
} hits;

static hits declare_hits(stage *s)
{
    hits h = {.fire = tag_add(s, "School.Fire"), .stunned = tag_add(s, "State.Stunned")};
    h.blue = tag_add(s, "School.Fire.Blue");
    kn_value_def value = kn_value_def_default();
    value.name = "Taken";
    assert_int_equal(kn_value_register(s->library, &value, &h.taken, NULL), KN_OK);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.incoming = h.taken;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &h.kind, NULL), KN_OK);
    return h;
}

static kn_condition_id condition_add(stage *s, const char *name, const char *text)
{
    kn_condition_id condition;
    kn_error error = {0};
    if (kn_condition_register_expression(s->library, name, text, &condition, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return condition;
}

// Doubles the damage its target takes, if the condition holds.
static kn_effect_type_id curse_add(stage *s, const hits *h, const char *name, const char *text)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = h->taken;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(2.0f);
    modifier.condition = condition_add(s, name, text);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_add(s, &def);
}

static float hit_foe(const stage *s, kn_event_record record)
{
    record.instigator = s->hero;
    record.target = s->foe;
    record.magnitude = record.magnitude == 0.0f ? 10.0f : record.magnitude;
    kn_event_outcome outcome;
    kn_result result = kn_event_run(s->world, &record, &outcome);
    assert_true(result == KN_OK || result == KN_REFUSED_BLOCKED);
    return result == KN_OK ? outcome.magnitude : -1.0f;
}

// CMOD-001, CMOD-004, MAP-014
static void a_condition_looks_at_the_event(void **state)
{
    stage *s = *state;
    hits h = declare_hits(s);
    kn_effect_type_id curse = curse_add(s, &h, "Curse",
        "event.tag(School.Fire) and event.magnitude > 5 and has(target, State.Stunned)");
    begin(s);
    apply(s, curse, 1.0f);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    near(hit_foe(s, record), 10.0f);
    record.tags = (kn_tags){&h.blue, 1};
    near(hit_foe(s, record), 10.0f);
    give_tag(s, s->foe, h.stunned);
    near(hit_foe(s, record), 20.0f);
    record.magnitude = 5.0f;
    near(hit_foe(s, record), 5.0f);
    // Tags that the record carries stand for those of its target.
    record.magnitude = 10.0f;
    record.has_target_tags = true;
    near(hit_foe(s, record), 10.0f);
    record.target_tags = (kn_tags){&h.stunned, 1};
    near(hit_foe(s, record), 20.0f);
}

// CMOD-004
static void a_condition_reads_both_parties(void **state)
{
    stage *s = *state;
    hits h = declare_hits(s);
    kn_effect_type_id curse = curse_add(s, &h, "Curse",
        "target.Unit.Health < 0.5 * instigator.Unit.Health and not has(instigator, State)");
    begin(s);
    apply(s, curse, 1.0f);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    near(hit_foe(s, record), 10.0f);
    set_base(s, s->foe, s->health, 49.0f);
    near(hit_foe(s, record), 20.0f);
    give_tag(s, s->hero, h.stunned);
    near(hit_foe(s, record), 10.0f);
    record.has_instigator_tags = true;
    near(hit_foe(s, record), 20.0f);
    // Somebody without attributes meets no condition on them.
    kn_entity_destroy(s->world, s->hero);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    near(hit_foe(s, record), 10.0f);
    assert_int_equal(s->log_count, 0);
}

static void a_condition_with_a_bad_number_does_not_hold(void **state)
{
    stage *s = *state;
    hits h = declare_hits(s);
    kn_effect_type_id curse = curse_add(s, &h, "Curse", "1 / (event.magnitude - 10)");
    begin(s);
    apply(s, curse, 1.0f);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    near(hit_foe(s, record), 10.0f);
    near(hit_foe(s, record), 10.0f);
    assert_int_equal(s->log_count, 1);
    record.magnitude = 11.0f;
    near(hit_foe(s, record), 22.0f);
}

// MAP-033
static void a_gate_asks_a_formula(void **state)
{
    stage *s = *state;
    hits h = declare_hits(s);
    kn_gate_def gate = {.kind = h.kind};
    gate.condition = condition_add(s, "Light", "event.magnitude <= target.Unit.Armor");
    kn_effect_def def = kn_effect_def_default();
    def.name = "Plate";
    def.duration_kind = KN_DURATION_INFINITE;
    def.gates = &gate;
    def.gate_count = 1;
    kn_effect_type_id plate = effect_add(s, &def);
    begin(s);
    apply(s, plate, 1.0f);
    kn_event_record record = kn_event_record_default();
    record.kind = h.kind;
    near(hit_foe(s, record), 10.0f);
    record.magnitude = 5.0f;
    near(hit_foe(s, record), -1.0f);
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
    stage *s = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->health;
    modifier.magnitude =
        formula(s, "-(snapshot(source.Unit.Attack) + source.Unit.Attack / 4 + tick) * stacks % 13");
    kn_effect_def def = kn_effect_def_default();
    def.name = "Burn";
    def.duration_kind = KN_DURATION_INFINITE;
    def.is_periodic = true;
    def.period = formula(s, "0.1 + 0.01 * level");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id burn = effect_add(s, &def);
    kn_effect_type_id wane = adding(
        s, "Wane", KN_DURATION_INFINITE, s->attack, formula(s, "-target.Unit.Health ^ 2 / 1000"));
    begin(s);
    apply(s, burn, 2.0f);
    assert_int_equal(kn_effect_apply_simple(s->world, wane, s->foe, s->hero, 1.0f, NULL), KN_OK);
    run(s->world, 5);

    size_t size = kn_snapshot_size(s->world), saved_size;
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(s->world, snapshot, size, NULL), KN_OK);
    assert_int_equal(kn_save_write(s->world, NULL, 0, &saved_size), KN_OK);
    void *saved = malloc(saved_size);
    assert_non_null(saved);
    assert_int_equal(kn_save_write(s->world, saved, saved_size, &saved_size), KN_OK);
    run(s->world, 9);
    uint64_t hash = kn_world_hash(s->world);

    assert_int_equal(kn_snapshot_restore(s->world, snapshot, size), KN_OK);
    assert_true(kn_world_hash(s->world) != hash);
    run(s->world, 9);
    assert_true(kn_world_hash(s->world) == hash);

    kn_world_def world_def = kn_world_def_default();
    world_def.library = s->library;
    kn_world *loaded;
    assert_int_equal(kn_world_create(&world_def, &loaded), KN_OK);
    assert_int_equal(kn_save_read(loaded, saved, saved_size, NULL), KN_OK);
    run(loaded, 9);
    assert_true(kn_world_hash(loaded) == hash);
    kn_world_destroy(loaded);
    free(snapshot);
    free(saved);
}

// The page ------------------------------------------------------------------

typedef struct page {
    stage *s;
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
        return kn_requirement_register_expression(p->s->library, name, text, &requirement, error);
    }
    if (strcmp(kind, "condition") == 0) {
        return kn_condition_register_expression(p->s->library, name, text, &condition, error);
    }
    kn_calculation_def def = kn_calculation_def_default();
    def.name = strcmp(kind, "error") == 0 ? "Example" : name;
    def.expression = text;
    return kn_calculation_register(p->s->library, &def, &calculation, error);
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
    page p = {.s = *state};
    static const char *const tags[] = {
        "State.Stunned", "State.Two-Handed", "School.Fire", "Data.Damage"};
    for (uint32_t i = 0; i < COUNT(tags); i++) {
        tag_add(p.s, tags[i]);
    }
    name_add(p.s, "Bonus");
    assert_int_equal(
        kn_attribute_redirect(p.s->library, "Unit.Spell Power", "Unit.Attack", NULL), KN_OK);
    static const kn_curve_point points[] = {{1, 10}, {3, 30}};
    kn_curve_def curve = kn_curve_def_default();
    kn_curve_id curve_id;
    curve.name = "Growth";
    curve.points = points;
    curve.point_count = COUNT(points);
    assert_int_equal(kn_curve_register(p.s->library, &curve, &curve_id, NULL), KN_OK);

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
    begin(p.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_formula_does_what_the_same_function_does, setup, teardown),
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
        cmocka_unit_test_setup_teardown(
            a_requirement_allows_unless_its_formula_is_0, setup, teardown),
        cmocka_unit_test_setup_teardown(a_condition_looks_at_the_event, setup, teardown),
        cmocka_unit_test_setup_teardown(a_condition_reads_both_parties, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_condition_with_a_bad_number_does_not_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gate_asks_a_formula, setup, teardown),
        cmocka_unit_test_setup_teardown(formulas_survive_rollback_and_saving, setup, teardown),
        cmocka_unit_test_setup_teardown(every_example_of_the_page_compiles, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
