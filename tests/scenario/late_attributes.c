// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes that are not there yet, go away, or come back; effects that act on all of an owner's.

#include "scenario/effect_events.h"
#include "scenario/stack_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kn_tag tag(fixture *f, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag found = kn_tag_find(f->library, name);
    if (found.index1 == 0) {
        assert_int_equal(kn_tag_register(f->library, &def, &found, NULL), KN_OK);
    }
    return found;
}

static kn_effect_def infinite(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    return def;
}

static kn_effect_def instant(const char *name)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    return def;
}

static kn_effect_type_id add(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error;
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return type;
}

// Finishes the library and puts three entities with Vitals into a world.
static void begin_with(fixture *f, kn_world_def *def)
{
    kn_error error;
    if (kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    def->library = f->library;
    assert_int_equal(kn_world_create(def, &f->world), KN_OK);
    kn_entity_id *entities[3] = {&f->target, &f->source, &f->other};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_create(f->world, entities[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(f->world, *entities[i], f->vitals, 0), KN_OK);
    }
}

static void begin(fixture *f)
{
    kn_world_def def = kn_world_def_default();
    begin_with(f, &def);
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type, kn_entity_id source)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, source, f->target, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result refusal(fixture *f, kn_effect_type_id type, kn_entity_id source, float level)
{
    kn_effect_id effect = {0};
    kn_result result = kn_effect_apply_simple(f->world, type, source, f->target, level, &effect);
    assert_int_not_equal(result, KN_OK);
    assert_true(kn_effect_id_is_null(effect));
    return result;
}

static void run(fixture *f, double seconds)
{
    assert_int_equal(kn_world_step(f->world, kn_time_from_seconds(seconds)), KN_OK);
}

static void assert_near(float got, float expected)
{
    if (!(fabsf(got - expected) <= 1e-5f * fmaxf(1.0f, fabsf(expected)))) {
        fail_msg("%g is not %g", (double)got, (double)expected);
    }
}

static float value(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->world, f->target, attribute);
}

// Events of the last step; a null effect type means any.
static uint32_t events(const fixture *f, kn_event_type type, kn_effect_type_id effect)
{
    return effect_events(f->world, type, effect);
}

static const kn_event *last_event(const fixture *f, kn_event_type type)
{
    kn_events all = kn_world_events(f->world);
    const kn_event *found = NULL;
    for (uint32_t i = 0; i < all.count; i++) {
        found = all.data[i].type == type ? &all.data[i] : found;
    }
    return found;
}

typedef struct late {
    kn_attribute_set_id magic;
    kn_attribute_id mana;
} late;

static late declare(fixture *f)
{
    late l;
    kn_attribute_def mana = kn_attribute_def_default();
    mana.name = "Mana";
    mana.default_value = 50.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Magic";
    set.attributes = &mana;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &l.magic, NULL), KN_OK);
    l.mana = kn_attribute_find(f->library, "Magic.Mana");
    return l;
}

static kn_effect_type_id plus(fixture *f, const char *name, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return add(f, &def);
}

static void add_set(fixture *f, kn_entity_id entity, kn_attribute_set_id set)
{
    assert_int_equal(kn_attribute_set_add(f->world, entity, set, 0), KN_OK);
}

// BEY-027
static void a_modifier_on_an_absent_attribute_is_parked_and_acts_when_the_set_arrives(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    kn_effect_id effect = apply(f, focus, f->source);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_false(kn_attribute_exists(f->world, f->target, l.mana, 0));
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 1);
    add_set(f, f->target, l.magic);
    assert_near(value(f, l.mana), 60.0f);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 0);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_near(value(f, l.mana), 50.0f);
}

// BEY-027
static void a_parked_modifier_is_reported_once(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    apply(f, focus, f->source);
    run(f, 0);
    uint32_t reports = events(f, KN_EVENT_ERROR, (kn_effect_type_id){0});
    assert_int_equal(reports, 1);
    const kn_event *event = last_event(f, KN_EVENT_ERROR);
    assert_int_equal(event->data.error.code, KN_REFUSED_MISSING_ATTRIBUTE);
    assert_true(kn_attribute_id_equal(event->data.error.attribute, l.mana));
    run(f, 10);
    assert_int_equal(events(f, KN_EVENT_ERROR, (kn_effect_type_id){0}), 0);
}

// BEY-027
static void a_set_that_goes_and_comes_back_gets_each_parked_modifier_once(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    add_set(f, f->target, l.magic);
    apply(f, focus, f->source);
    apply(f, focus, f->source);
    assert_near(value(f, l.mana), 70.0f);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_remove(f->world, f->target, l.magic, 0), KN_OK);
        assert_false(kn_attribute_exists(f->world, f->target, l.mana, 0));
        add_set(f, f->target, l.magic);
        assert_near(value(f, l.mana), 70.0f);
    }
    assert_near(value(f, f->power), 10.0f);
}

// BEY-027
static void membership_changes_are_events(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    begin(f);
    run(f, 0);
    add_set(f, f->target, l.magic);
    assert_int_equal(kn_attribute_set_remove(f->world, f->target, l.magic, 0), KN_OK);
    run(f, 0);
    const kn_event *added = last_event(f, KN_EVENT_SET_ADDED);
    const kn_event *removed = last_event(f, KN_EVENT_SET_REMOVED);
    assert_non_null(added);
    assert_non_null(removed);
    assert_true(kn_attribute_set_id_equal(added->data.set.set, l.magic));
    assert_true(kn_entity_id_equal(removed->entity, f->target));
}

// BEY-027
static void a_capture_of_an_absent_attribute_refuses_unless_a_default_is_declared(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 0);
    modifier.magnitude = kn_magnitude_attribute(l.mana, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    kn_effect_def def = infinite("Strict");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id strict = add(f, &def);
    modifier.magnitude.capture.has_default = true;
    modifier.magnitude.capture.default_value = 3.0f;
    def.name = "Lenient";
    kn_effect_type_id lenient = add(f, &def);
    begin(f);
    assert_int_equal(refusal(f, strict, f->source, 1.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(kn_effects_count(f->world, f->target), 0);
    apply(f, lenient, f->source);
    assert_near(value(f, f->power), 13.0f);
}

// BEY-027
static void dependents_on_other_entities_are_evaluated_anew_when_a_set_comes(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 0);
    modifier.magnitude = kn_magnitude_attribute(l.mana, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    modifier.magnitude.capture.has_default = true;
    modifier.magnitude.capture.default_value = 3.0f;
    kn_effect_def def = infinite("Link");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id link = add(f, &def);
    begin(f);
    apply(f, link, f->source);
    assert_near(value(f, f->power), 13.0f);
    add_set(f, f->source, l.magic);
    assert_near(value(f, f->power), 60.0f);
    assert_int_equal(kn_attribute_set_base(f->world, f->source, l.mana, 0, 70.0f), KN_OK);
    assert_near(value(f, f->power), 80.0f);
    assert_int_equal(kn_attribute_set_remove(f->world, f->source, l.magic, 0), KN_OK);
    assert_near(value(f, f->power), 80.0f); // what was read last stays
    add_set(f, f->source, l.magic);
    assert_near(value(f, f->power), 60.0f); // and it is read again
    assert_int_equal(kn_attribute_set_base(f->world, f->source, l.mana, 0, 20.0f), KN_OK);
    assert_near(value(f, f->power), 30.0f);
}

// BEY-027
static void a_key_collision_is_refused_before_anything_changes(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_attribute_def extra = kn_attribute_def_default();
    extra.name = "Focus";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "HighMagic";
    set.parent = l.magic; // shares Magic.Mana
    set.attributes = &extra;
    set.attribute_count = 1;
    kn_attribute_set_id high;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &high, NULL), KN_OK);
    begin(f);
    add_set(f, f->target, l.magic);
    assert_int_equal(kn_attribute_set_base(f->world, f->target, l.mana, 0, 7.0f), KN_OK);
    run(f, 0);
    assert_int_equal(kn_attribute_set_add(f->world, f->target, l.magic, 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_set_add(f->world, f->target, high, 0), KN_REFUSED_DUPLICATE);
    assert_near(value(f, l.mana), 7.0f);
    assert_false(kn_attribute_set_has(f->world, f->target, high, 0));
    run(f, 0);
    assert_null(last_event(f, KN_EVENT_SET_ADDED));
    assert_int_equal(kn_attribute_set_add(f->world, f->target, high, 1), KN_OK);
    kn_entity_id none = {0};
    assert_int_equal(kn_attribute_set_add(f->world, none, high, 0), KN_REFUSED_STALE_ID);
    assert_int_not_equal(kn_attribute_set_remove(f->world, f->target, high, 9), KN_OK);
}

static kn_effect_type_id banner(fixture *f, kn_tag only)
{
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 5.0f);
    kn_effect_def def = infinite("Banner");
    def.acts_on_owned = true;
    if (only.index1 != 0) {
        def.owned.required = (kn_tags){&only, 1};
    }
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return add(f, &def);
}

static float power_of(fixture *f, kn_entity_id entity)
{
    return kn_attribute_value(f->world, entity, f->power);
}

// BEY-030
static void an_owner_wide_modifier_acts_on_every_owned_entity_under_its_filter(void **state)
{
    fixture *f = *state;
    kn_tag soldier = tag(f, "Unit.Soldier");
    kn_effect_type_id type = banner(f, soldier);
    begin(f);
    kn_entity_id player;
    assert_int_equal(kn_entity_create(f->world, &player), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->source, player), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->other, player), KN_OK);
    assert_int_equal(
        kn_entity_add_tag(f->world, f->source, soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, player, player, 1.0f, &effect), KN_OK);
    assert_near(power_of(f, f->source), 15.0f);
    assert_near(power_of(f, f->other), 10.0f);  // not under the filter
    assert_near(power_of(f, f->target), 10.0f); // not owned
    assert_int_equal(kn_entity_add_tag(f->world, f->other, soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_near(power_of(f, f->other), 15.0f);
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->source, soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_near(power_of(f, f->source), 10.0f);
    assert_int_equal(kn_effects_count(f->world, f->other), 0); // registered once, at the owner
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_near(power_of(f, f->other), 10.0f);
}

// BEY-030
static void an_owner_wide_modifier_follows_changes_of_ownership_in_one_change(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = banner(f, (kn_tag){0});
    begin(f);
    kn_entity_id red, blue;
    assert_int_equal(kn_entity_create(f->world, &red), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &blue), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, type, red, red, 1.0f, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, type, blue, blue, 1.0f, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, type, blue, blue, 1.0f, NULL), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->target, red), KN_OK);
    assert_near(value(f, f->power), 15.0f);
    run(f, 0);
    assert_int_equal(kn_entity_set_owner(f->world, f->target, blue), KN_OK);
    assert_near(value(f, f->power), 20.0f);
    run(f, 0);
    assert_int_equal(events(f, KN_EVENT_ATTRIBUTE_CHANGED, (kn_effect_type_id){0}), 1);
    const kn_event *event = last_event(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_near(event->data.attribute.old_value, 15.0f);
    assert_near(event->data.attribute.new_value, 20.0f);
    assert_non_null(last_event(f, KN_EVENT_OWNER_CHANGED));
    assert_int_equal(kn_entity_set_owner(f->world, f->target, (kn_entity_id){0}), KN_OK);
    assert_near(value(f, f->power), 10.0f);
}

// BEY-030
static void a_late_set_and_a_destroyed_owner_are_followed_too(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_modifier_def modifier = kn_modifier_constant(l.mana, KN_OP_ADD, 5.0f);
    kn_effect_def def = infinite("Well");
    def.acts_on_owned = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id well = add(f, &def);
    begin(f);
    kn_entity_id player;
    assert_int_equal(kn_entity_create(f->world, &player), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->target, player), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, well, player, player, 1.0f, NULL), KN_OK);
    add_set(f, f->target, l.magic);
    assert_near(value(f, l.mana), 55.0f);
    assert_true(kn_entity_destroy(f->world, player));
    assert_near(value(f, l.mana), 50.0f);
    assert_false(kn_entity_is_alive(f->world, kn_entity_owner(f->world, f->target)));
}

// BEY-030
static void bad_owners_and_instant_owner_wide_effects_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = instant("Bad");
    def.acts_on_owned = true;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    begin(f);
    kn_entity_id gone, null = {0};
    assert_int_equal(kn_entity_create(f->world, &gone), KN_OK);
    kn_entity_destroy(f->world, gone);
    assert_int_equal(kn_entity_set_owner(f->world, f->target, gone), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_owner(f->world, gone, f->target), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_owner(f->world, null, f->target), KN_REFUSED_STALE_ID);
    assert_true(kn_entity_id_is_null(kn_entity_owner(f->world, f->target)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_modifier_on_an_absent_attribute_is_parked_and_acts_when_the_set_arrives),
        TEST(a_parked_modifier_is_reported_once),
        TEST(a_set_that_goes_and_comes_back_gets_each_parked_modifier_once),
        TEST(membership_changes_are_events),
        TEST(a_capture_of_an_absent_attribute_refuses_unless_a_default_is_declared),
        TEST(dependents_on_other_entities_are_evaluated_anew_when_a_set_comes),
        TEST(a_key_collision_is_refused_before_anything_changes),
        TEST(an_owner_wide_modifier_acts_on_every_owned_entity_under_its_filter),
        TEST(an_owner_wide_modifier_follows_changes_of_ownership_in_one_change),
        TEST(a_late_set_and_a_destroyed_owner_are_followed_too),
        TEST(bad_owners_and_instant_owner_wide_effects_are_refused),
    };
    return cmocka_run_group_tests_name("late_attributes", tests, NULL, NULL);
}
