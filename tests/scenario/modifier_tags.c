// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags on modifiers: requirements, when they are tested, and filters of captured attributes.

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

// A lasting effect whose one modifier adds a magnitude to an attribute.
static kn_effect_type_id adding(
    stage *s, const char *name, kn_attribute_id attribute, kn_magnitude magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.magnitude = magnitude;
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    return add_effect(s, &def);
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

static void add_tag(stage *s, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(s->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static void remove_tag(stage *s, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_remove_tag(s->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static kn_effect_type_id conditional(stage *s, const char *name, const kn_tag *required,
    const kn_tag *source_required, kn_requirement_time when)
{
    kn_modifier_def modifier = kn_modifier_constant(s->speed, KN_OP_ADD, 100);
    if (required != NULL) {
        modifier.target.required = one(required);
    }
    if (source_required != NULL) {
        modifier.source.required = one(source_required);
    }
    modifier.when = when;
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    return add_effect(s, &def);
}

// When they count -----------------------------------------------------------------

// MTG-001, MTG-004: at application only, by default.
static void requirement_counts_at_application_only(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_type_id type = conditional(s, "Applied", &wet, NULL, KN_REQUIREMENT_TIME_APPLIED);
    begin(s);

    kn_effect_id without = apply(s, type);
    near(current(s, s->speed), 600);
    add_tag(s, s->foe, wet);
    near(current(s, s->speed), 600);
    apply(s, type);
    near(current(s, s->speed), 700);
    remove_tag(s, s->foe, wet);

    near(current(s, s->speed), 700);
    assert_true(kn_effect_is_alive(s->world, without));
}

// MTG-001: what must not be there works likewise.
static void ignored_tags_leave_a_modifier_out(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(s->speed, KN_OP_ADD, 100),
        kn_modifier_constant(s->armor, KN_OP_ADD, 1),
    };
    modifiers[0].target.ignored = one(&wet);
    kn_effect_def def = effect_def("Dry", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    add_tag(s, s->foe, wet);

    apply(s, type);

    near(current(s, s->speed), 600);
    near(current(s, s->armor), 6);
}

// MTG-001, MTG-004, TVE-116: the tag is lost later; ticks go on with the modifier.
static void periodic_effect_keeps_ticking_after_its_requirement_is_lost(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    add_tag(s, s->foe, wet);
    apply(s, type);

    step(s, KN_S(1));
    near(base(s, s->health), 95);
    remove_tag(s, s->foe, wet);
    step(s, KN_S(2));

    near(base(s, s->health), 85);
}

// MTG-001: and one that came without the tag never takes it up.
static void periodic_effect_never_takes_up_a_requirement_met_later(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    apply(s, type);
    add_tag(s, s->foe, wet);

    step(s, KN_S(3));

    near(base(s, s->health), 100);
}

// MTG-004: at each tick, if it says so.
static void requirement_can_be_tested_at_each_tick(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(s->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    modifier.when = KN_REQUIREMENT_TIME_TICKED;
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);
    add_tag(s, s->foe, wet);
    apply(s, type);

    step(s, KN_S(1));
    near(base(s, s->health), 95);
    remove_tag(s, s->foe, wet);
    step(s, KN_S(1));
    near(base(s, s->health), 95);
    add_tag(s, s->foe, wet);
    step(s, KN_S(1));

    near(base(s, s->health), 90);
}

// MTG-004: or always.
static void requirement_can_be_tested_continuously(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_type_id type = conditional(s, "Always", &wet, NULL, KN_REQUIREMENT_TIME_CONTINUOUS);
    begin(s);
    apply(s, type);

    near(current(s, s->speed), 600);
    add_tag(s, s->foe, wet);
    near(current(s, s->speed), 700);
    remove_tag(s, s->foe, wet);
    near(current(s, s->speed), 600);
}

// MTG-004: of the source too.
static void requirement_on_the_source_can_be_tested_continuously(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_effect_type_id type = conditional(s, "Always", NULL, &angry, KN_REQUIREMENT_TIME_CONTINUOUS);
    begin(s);
    apply(s, type);

    near(current(s, s->speed), 600);
    add_tag(s, s->hero, angry);
    near(current(s, s->speed), 700);
    remove_tag(s, s->hero, angry);
    near(current(s, s->speed), 600);
}

// Whose tags, and from when ---------------------------------------------------------

static kn_spec_id spec_of(stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = from_hero(s, type);
    kn_spec_id spec = {0};
    assert_int_equal(kn_spec_create(s->world, &def, &spec), KN_OK);
    return spec;
}

// MTG-003, SPC-004: tags of the source when the spec is made, of the target when it is applied.
static void source_tags_are_captured_when_the_spec_is_made(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_type_id type = conditional(s, "Both", &wet, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(s);
    add_tag(s, s->hero, angry);
    kn_spec_id angry_spec = spec_of(s, type);
    remove_tag(s, s->hero, angry);
    kn_spec_id calm_spec = spec_of(s, type);
    add_tag(s, s->hero, angry);
    add_tag(s, s->foe, wet);

    assert_int_equal(kn_spec_apply(s->world, calm_spec, s->foe, NULL), KN_OK);
    near(current(s, s->speed), 600);
    assert_int_equal(kn_spec_apply(s->world, angry_spec, s->foe, NULL), KN_OK);
    near(current(s, s->speed), 700);
}

// MTG-005: a new context keeps the captured tags of the source, or takes them anew.
static void new_context_keeps_captured_source_tags_if_asked(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_effect_type_id type = conditional(s, "Angry", NULL, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(s);
    add_tag(s, s->hero, angry);
    kn_spec_id kept = spec_of(s, type);
    kn_spec_id anew = spec_of(s, type);
    remove_tag(s, s->hero, angry);
    kn_effect_context context = {.source_object = 5};

    assert_int_equal(kn_spec_set_context(s->world, anew, &context, false), KN_OK);
    assert_int_equal(kn_spec_set_context(s->world, kept, &context, true), KN_OK);

    assert_int_equal(kn_spec_apply(s->world, anew, s->foe, NULL), KN_OK);
    near(current(s, s->speed), 600);
    assert_int_equal(kn_spec_apply(s->world, kept, s->foe, NULL), KN_OK);
    near(current(s, s->speed), 700);
}

// Tags held while an ability runs are source tags of what it makes.
static void tags_of_a_running_ability_are_captured_as_source_tags(void **state)
{
    stage *s = *state;
    kn_tag dash = tag_of(s, "Ability.Dash");
    kn_effect_type_id type = conditional(s, "Dashing", NULL, &dash, KN_REQUIREMENT_TIME_APPLIED);
    begin(s);
    assert_int_equal(kn_entity_add_tag(s->world, s->hero, dash, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);
    kn_spec_id spec = spec_of(s, type);
    assert_int_equal(
        kn_entity_remove_tag(s->world, s->hero, dash, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);

    assert_int_equal(kn_spec_apply(s->world, spec, s->foe, NULL), KN_OK);

    near(current(s, s->speed), 700);
}

// MTG-003: without a source, what it must have is not there.
static void modifier_that_needs_source_tags_stays_out_without_a_source(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_effect_type_id type = conditional(s, "Angry", NULL, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(s);
    kn_entity_id nobody = {0};

    assert_int_equal(kn_effect_apply_simple(s->world, type, nobody, s->foe, 1, NULL), KN_OK);

    near(current(s, s->speed), 600);
}

// Filters ---------------------------------------------------------------------

// MTG-002, MTG-003, MOD-023: modifiers whose source lacks the filter's tags are left out of the
// reading.
static void source_filter_leaves_out_modifiers_of_others(void **state)
{
    stage *s = *state;
    kn_tag angry = tag_of(s, "State.Angry");
    kn_effect_type_id bonus = simple(s, "Bonus", KN_DURATION_INFINITE, s->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(s->armor, KN_CAPTURE_FROM_TARGET, false, 1);
    magnitude.capture.source_filter = one(&angry);
    kn_effect_type_id reader = adding(s, "Reader", s->speed, magnitude);
    begin(s);
    kn_entity_id fan;
    assert_int_equal(kn_entity_create(s->world, &fan), KN_OK);
    add_tag(s, fan, angry);

    apply(s, bonus);
    assert_int_equal(kn_effect_apply_simple(s->world, bonus, fan, s->foe, 1, NULL), KN_OK);
    near(current(s, s->armor), 25);
    apply(s, reader);

    near(current(s, s->speed), 615); // base 5 and the fan's 10
    remove_tag(s, fan, angry);       // what was captured counts
    add_tag(s, s->hero, angry);
    near(current(s, s->speed), 615);
    near(kn_effect_magnitude(s->world, apply(s, reader), 0), 15);
}

// MTG-002: modifiers on a target that lacks the filter's tags are left out.
static void target_filter_leaves_out_modifiers_on_a_target_without_the_tag(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_type_id bonus = simple(s, "Bonus", KN_DURATION_INFINITE, s->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(s->armor, KN_CAPTURE_FROM_TARGET, true, 1);
    magnitude.capture.target_filter = one(&wet);
    kn_effect_type_id reader = adding(s, "Reader", s->speed, magnitude);
    begin(s);
    apply(s, bonus);

    kn_effect_id dry = apply(s, reader);
    near(kn_effect_magnitude(s->world, dry, 0), 5);
    add_tag(s, s->foe, wet);
    kn_effect_id soaked = apply(s, reader);

    near(kn_effect_magnitude(s->world, soaked, 0), 15);
}

// MTG-002, MTG-003: all tags of the filter are wanted.
static void filter_wants_all_its_tags(void **state)
{
    stage *s = *state;
    kn_tag tags[] = {tag_of(s, "State.Angry"), tag_of(s, "State.Loud")};
    kn_effect_type_id bonus = simple(s, "Bonus", KN_DURATION_INFINITE, s->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(s->armor, KN_CAPTURE_FROM_TARGET, true, 1);
    magnitude.capture.source_filter = (kn_tags){tags, 2};
    kn_effect_type_id reader = adding(s, "Reader", s->speed, magnitude);
    begin(s);
    add_tag(s, s->hero, tags[0]);
    apply(s, bonus);

    near(kn_effect_magnitude(s->world, apply(s, reader), 0), 5);
    add_tag(s, s->hero, tags[1]);
    apply(s, bonus);

    // The first bonus was made before the second tag came.
    near(kn_effect_magnitude(s->world, apply(s, reader), 0), 15);
}

// MMC-008: modifiers on the captured attribute qualify by the tags as they are.
static void captured_attribute_counts_its_conditional_modifiers(void **state)
{
    stage *s = *state;
    kn_tag wet = tag_of(s, "State.Wet");
    kn_effect_type_id type = conditional(s, "Always", &wet, NULL, KN_REQUIREMENT_TIME_CONTINUOUS);
    kn_effect_type_id reader = adding(
        s, "Reader", s->armor, kn_magnitude_attribute(s->speed, KN_CAPTURE_FROM_TARGET, false, 1));
    begin(s);
    apply(s, type);
    apply(s, reader);

    near(current(s, s->armor), 605);
    add_tag(s, s->foe, wet);
    near(current(s, s->armor), 705);
    remove_tag(s, s->foe, wet);
    near(current(s, s->armor), 605);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requirement_counts_at_application_only),
        TEST(ignored_tags_leave_a_modifier_out),
        TEST(periodic_effect_keeps_ticking_after_its_requirement_is_lost),
        TEST(periodic_effect_never_takes_up_a_requirement_met_later),
        TEST(requirement_can_be_tested_at_each_tick),
        TEST(requirement_can_be_tested_continuously),
        TEST(requirement_on_the_source_can_be_tested_continuously),
        TEST(source_tags_are_captured_when_the_spec_is_made),
        TEST(new_context_keeps_captured_source_tags_if_asked),
        TEST(tags_of_a_running_ability_are_captured_as_source_tags),
        TEST(modifier_that_needs_source_tags_stays_out_without_a_source),
        TEST(source_filter_leaves_out_modifiers_of_others),
        TEST(target_filter_leaves_out_modifiers_on_a_target_without_the_tag),
        TEST(filter_wants_all_its_tags),
        TEST(captured_attribute_counts_its_conditional_modifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
