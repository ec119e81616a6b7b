// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags on modifiers: requirements, when they are tested, and filters of captured attributes.

#include "scenario/effect_fixture.h"

static kn_effect_type_id conditional(fixture *f, const char *name, const kn_tag *required,
    const kn_tag *source_required, kn_requirement_time when)
{
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 100);
    if (required != NULL) {
        modifier.target.required = one(required);
    }
    if (source_required != NULL) {
        modifier.source.required = one(source_required);
    }
    modifier.when = when;
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, &modifier, 1);
    return effect_register(f, &def);
}

// When they count -----------------------------------------------------------------

// MTG-001, MTG-004: at application only, by default.
static void requirement_counts_at_application_only(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_type_id type = conditional(f, "Applied", &wet, NULL, KN_REQUIREMENT_TIME_APPLIED);
    begin(f);

    kn_effect_id without = apply(f, type);
    assert_near(current(f, f->speed), 600);
    add_tag(f, f->foe, wet);
    assert_near(current(f, f->speed), 600);
    apply(f, type);
    assert_near(current(f, f->speed), 700);
    remove_tag(f, f->foe, wet);

    assert_near(current(f, f->speed), 700);
    assert_true(kn_effect_is_alive(f->world, without));
}

// MTG-001: what must not be there works likewise.
static void ignored_tags_leave_a_modifier_out(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(f->speed, KN_OP_ADD, 100),
        kn_modifier_constant(f->armor, KN_OP_ADD, 1),
    };
    modifiers[0].target.ignored = one(&wet);
    kn_effect_def def = effect_def("Dry", KN_DURATION_INFINITE, modifiers, COUNT(modifiers));
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->foe, wet);

    apply(f, type);

    assert_near(current(f, f->speed), 600);
    assert_near(current(f, f->armor), 6);
}

// MTG-001, MTG-004, TVE-116: the tag is lost later; ticks go on with the modifier.
static void periodic_effect_keeps_ticking_after_its_requirement_is_lost(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->foe, wet);
    apply(f, type);

    step(f, KN_S(1));
    assert_near(base(f, f->health), 95);
    remove_tag(f, f->foe, wet);
    step(f, KN_S(2));

    assert_near(base(f, f->health), 85);
}

// MTG-001: and one that came without the tag never takes it up.
static void periodic_effect_never_takes_up_a_requirement_met_later(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    apply(f, type);
    add_tag(f, f->foe, wet);

    step(f, KN_S(3));

    assert_near(base(f, f->health), 100);
}

// MTG-004: at each tick, if it says so.
static void requirement_can_be_tested_at_each_tick(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    modifier.target.required = one(&wet);
    modifier.when = KN_REQUIREMENT_TIME_TICKED;
    kn_effect_def def = effect_def("Shock", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.skip_first_tick = true;
    def.period = kn_magnitude_constant(1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->foe, wet);
    apply(f, type);

    step(f, KN_S(1));
    assert_near(base(f, f->health), 95);
    remove_tag(f, f->foe, wet);
    step(f, KN_S(1));
    assert_near(base(f, f->health), 95);
    add_tag(f, f->foe, wet);
    step(f, KN_S(1));

    assert_near(base(f, f->health), 90);
}

// MTG-004: or always.
static void requirement_can_be_tested_continuously(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_type_id type = conditional(f, "Always", &wet, NULL, KN_REQUIREMENT_TIME_CONTINUOUS);
    begin(f);
    apply(f, type);

    assert_near(current(f, f->speed), 600);
    add_tag(f, f->foe, wet);
    assert_near(current(f, f->speed), 700);
    remove_tag(f, f->foe, wet);
    assert_near(current(f, f->speed), 600);
}

// MTG-004: of the source too.
static void requirement_on_the_source_can_be_tested_continuously(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_effect_type_id type = conditional(f, "Always", NULL, &angry, KN_REQUIREMENT_TIME_CONTINUOUS);
    begin(f);
    apply(f, type);

    assert_near(current(f, f->speed), 600);
    add_tag(f, f->hero, angry);
    assert_near(current(f, f->speed), 700);
    remove_tag(f, f->hero, angry);
    assert_near(current(f, f->speed), 600);
}

// Whose tags, and from when ---------------------------------------------------------

// MTG-003, SPC-004: tags of the source when the spec is made, of the target when it is applied.
static void source_tags_are_captured_when_the_spec_is_made(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_type_id type = conditional(f, "Both", &wet, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(f);
    add_tag(f, f->hero, angry);
    kn_spec_id angry_spec = spec_of(f, type);
    remove_tag(f, f->hero, angry);
    kn_spec_id calm_spec = spec_of(f, type);
    add_tag(f, f->hero, angry);
    add_tag(f, f->foe, wet);

    assert_int_equal(kn_spec_apply(f->world, calm_spec, f->foe, NULL), KN_OK);
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_spec_apply(f->world, angry_spec, f->foe, NULL), KN_OK);
    assert_near(current(f, f->speed), 700);
}

// MTG-005: a new context keeps the captured tags of the source, or takes them anew.
static void new_context_keeps_captured_source_tags_if_asked(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_effect_type_id type = conditional(f, "Angry", NULL, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(f);
    add_tag(f, f->hero, angry);
    kn_spec_id kept = spec_of(f, type);
    kn_spec_id anew = spec_of(f, type);
    remove_tag(f, f->hero, angry);
    kn_effect_context context = {.source_object = 5};

    assert_int_equal(kn_spec_set_context(f->world, anew, &context, false), KN_OK);
    assert_int_equal(kn_spec_set_context(f->world, kept, &context, true), KN_OK);

    assert_int_equal(kn_spec_apply(f->world, anew, f->foe, NULL), KN_OK);
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_spec_apply(f->world, kept, f->foe, NULL), KN_OK);
    assert_near(current(f, f->speed), 700);
}

// Tags held while an ability runs are source tags of what it makes.
static void tags_of_a_running_ability_are_captured_as_source_tags(void **state)
{
    fixture *f = *state;
    kn_tag dash = tag_of(f, "Ability.Dash");
    kn_effect_type_id type = conditional(f, "Dashing", NULL, &dash, KN_REQUIREMENT_TIME_APPLIED);
    begin(f);
    assert_int_equal(kn_entity_add_tag(f->world, f->hero, dash, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);
    kn_spec_id spec = spec_of(f, type);
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, dash, KN_TAG_ORIGIN_ABILITY, 1), KN_OK);

    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_OK);

    assert_near(current(f, f->speed), 700);
}

// MTG-003: without a source, what it must have is not there.
static void modifier_that_needs_source_tags_stays_out_without_a_source(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_effect_type_id type = conditional(f, "Angry", NULL, &angry, KN_REQUIREMENT_TIME_APPLIED);
    begin(f);
    kn_entity_id nobody = {0};

    assert_int_equal(kn_effect_apply_simple(f->world, type, nobody, f->foe, 1, NULL), KN_OK);

    assert_near(current(f, f->speed), 600);
}

// Filters ---------------------------------------------------------------------

// MTG-002, MTG-003, MOD-023: modifiers whose source lacks the filter's tags are left out of the
// reading.
static void source_filter_leaves_out_modifiers_of_others(void **state)
{
    fixture *f = *state;
    kn_tag angry = tag_of(f, "State.Angry");
    kn_effect_type_id bonus = simple(f, "Bonus", KN_DURATION_INFINITE, f->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, false, 1);
    magnitude.capture.source_filter = one(&angry);
    kn_effect_type_id reader = adding(f, "Reader", f->speed, magnitude);
    begin(f);
    kn_entity_id fan = entity_create(f);
    add_tag(f, fan, angry);

    apply(f, bonus);
    assert_int_equal(kn_effect_apply_simple(f->world, bonus, fan, f->foe, 1, NULL), KN_OK);
    assert_near(current(f, f->armor), 25);
    apply(f, reader);

    assert_near(current(f, f->speed), 615); // base 5 and the fan's 10
    remove_tag(f, fan, angry);              // what was captured counts
    add_tag(f, f->hero, angry);
    assert_near(current(f, f->speed), 615);
    assert_near(kn_effect_magnitude(f->world, apply(f, reader), 0), 15);
}

// MTG-002: modifiers on a target that lacks the filter's tags are left out.
static void target_filter_leaves_out_modifiers_on_a_target_without_the_tag(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_type_id bonus = simple(f, "Bonus", KN_DURATION_INFINITE, f->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, true, 1);
    magnitude.capture.target_filter = one(&wet);
    kn_effect_type_id reader = adding(f, "Reader", f->speed, magnitude);
    begin(f);
    apply(f, bonus);

    kn_effect_id dry = apply(f, reader);
    assert_near(kn_effect_magnitude(f->world, dry, 0), 5);
    add_tag(f, f->foe, wet);
    kn_effect_id soaked = apply(f, reader);

    assert_near(kn_effect_magnitude(f->world, soaked, 0), 15);
}

// MTG-002, MTG-003: all tags of the filter are wanted.
static void filter_wants_all_its_tags(void **state)
{
    fixture *f = *state;
    kn_tag tags[] = {tag_of(f, "State.Angry"), tag_of(f, "State.Loud")};
    kn_effect_type_id bonus = simple(f, "Bonus", KN_DURATION_INFINITE, f->armor, KN_OP_ADD, 10);
    kn_magnitude magnitude = kn_magnitude_attribute(f->armor, KN_CAPTURE_FROM_TARGET, true, 1);
    magnitude.capture.source_filter = (kn_tags){tags, 2};
    kn_effect_type_id reader = adding(f, "Reader", f->speed, magnitude);
    begin(f);
    add_tag(f, f->hero, tags[0]);
    apply(f, bonus);

    assert_near(kn_effect_magnitude(f->world, apply(f, reader), 0), 5);
    add_tag(f, f->hero, tags[1]);
    apply(f, bonus);

    // The first bonus was made before the second tag came.
    assert_near(kn_effect_magnitude(f->world, apply(f, reader), 0), 15);
}

// MMC-008: modifiers on the captured attribute qualify by the tags as they are.
static void captured_attribute_counts_its_conditional_modifiers(void **state)
{
    fixture *f = *state;
    kn_tag wet = tag_of(f, "State.Wet");
    kn_effect_type_id type = conditional(f, "Always", &wet, NULL, KN_REQUIREMENT_TIME_CONTINUOUS);
    kn_effect_type_id reader = adding(
        f, "Reader", f->armor, kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 1));
    begin(f);
    apply(f, type);
    apply(f, reader);

    assert_near(current(f, f->armor), 605);
    add_tag(f, f->foe, wet);
    assert_near(current(f, f->armor), 705);
    remove_tag(f, f->foe, wet);
    assert_near(current(f, f->armor), 605);
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(modifier_tags, tests, NULL, NULL);
