// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes that are not there yet, go away, or come back; effects that act on all of an owner's.

#include "scenario/effect_fixture.h"

typedef struct late {
    kn_attribute_set_id magic;
    kn_attribute_id mana;
} late;

static late declare(fixture *f)
{
    late l;
    kn_attribute_def mana = attribute_def("Mana", 50.0f);
    l.magic = set_register(f, "Magic", &mana, 1);
    l.mana = kn_attribute_find(f->library, "Magic.Mana");
    return l;
}

static kn_effect_type_id plus(fixture *f, const char *name, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    kn_effect_def def = infinite(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

// BEY-027
static void a_modifier_on_an_absent_attribute_is_parked_and_acts_when_the_set_arrives(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    kn_effect_id effect = apply(f, focus);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_false(kn_attribute_exists(f->world, f->foe, l.mana, 0));
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 1);
    add_set(f, f->foe, l.magic);
    assert_near(current(f, l.mana), 60.0f);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 0);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_near(current(f, l.mana), 50.0f);
}

// BEY-027
static void a_parked_modifier_is_reported_once(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    apply(f, focus);
    step_seconds(f, 0);
    uint32_t reports = effect_event_count(f, KN_EVENT_ERROR, (kn_effect_type_id){0});
    assert_int_equal(reports, 1);
    const kn_event *event = last_event(f, KN_EVENT_ERROR);
    assert_int_equal(event->data.error.code, KN_REFUSED_MISSING_ATTRIBUTE);
    assert_true(kn_attribute_id_equal(event->data.error.attribute, l.mana));
    step_seconds(f, 10);
    assert_int_equal(effect_event_count(f, KN_EVENT_ERROR, (kn_effect_type_id){0}), 0);
}

// BEY-027
static void a_set_that_goes_and_comes_back_gets_each_parked_modifier_once(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    kn_effect_type_id focus = plus(f, "Focus", l.mana, 10.0f);
    begin(f);
    add_set(f, f->foe, l.magic);
    apply(f, focus);
    apply(f, focus);
    assert_near(current(f, l.mana), 70.0f);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_remove(f->world, f->foe, l.magic, 0), KN_OK);
        assert_false(kn_attribute_exists(f->world, f->foe, l.mana, 0));
        add_set(f, f->foe, l.magic);
        assert_near(current(f, l.mana), 70.0f);
    }
    assert_near(current(f, f->power), 10.0f);
}

// BEY-027
static void membership_changes_are_events(void **state)
{
    fixture *f = *state;
    late l = declare(f);
    begin(f);
    step_seconds(f, 0);
    add_set(f, f->foe, l.magic);
    assert_int_equal(kn_attribute_set_remove(f->world, f->foe, l.magic, 0), KN_OK);
    step_seconds(f, 0);
    const kn_event *added = last_event(f, KN_EVENT_SET_ADDED);
    const kn_event *removed = last_event(f, KN_EVENT_SET_REMOVED);
    assert_non_null(added);
    assert_non_null(removed);
    const kn_event *told[] = {added, removed};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_attribute_set_id_equal(told[i]->data.set.set, l.magic));
        assert_int_equal(told[i]->data.set.key, 0);
        assert_true(kn_entity_id_equal(told[i]->entity, f->foe));
    }
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, l.magic, 4), KN_OK);
    step_seconds(f, 0);
    assert_int_equal(last_event(f, KN_EVENT_SET_ADDED)->data.set.key, 4);
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
    kn_effect_type_id strict = effect_register(f, &def);
    modifier.magnitude.capture.has_default = true;
    modifier.magnitude.capture.default_value = 3.0f;
    def.name = "Lenient";
    kn_effect_type_id lenient = effect_register(f, &def);
    begin(f);
    assert_int_equal(try_apply(f, strict), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    apply(f, lenient);
    assert_near(current(f, f->power), 13.0f);
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
    kn_effect_type_id link = effect_register(f, &def);
    begin(f);
    apply(f, link);
    assert_near(current(f, f->power), 13.0f);
    add_set(f, f->hero, l.magic);
    assert_near(current(f, f->power), 60.0f);
    set_base(f, f->hero, l.mana, 70.0f);
    assert_near(current(f, f->power), 80.0f);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, l.magic, 0), KN_OK);
    assert_near(current(f, f->power), 80.0f); // what was read last stays
    add_set(f, f->hero, l.magic);
    assert_near(current(f, f->power), 60.0f); // and it is read again
    set_base(f, f->hero, l.mana, 20.0f);
    assert_near(current(f, f->power), 30.0f);
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
    add_set(f, f->foe, l.magic);
    set_base(f, f->foe, l.mana, 7.0f);
    step_seconds(f, 0);
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, l.magic, 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, high, 0), KN_REFUSED_DUPLICATE);
    assert_near(current(f, l.mana), 7.0f);
    assert_false(kn_attribute_set_has(f->world, f->foe, high, 0));
    step_seconds(f, 0);
    assert_null(last_event(f, KN_EVENT_SET_ADDED));
    assert_int_equal(kn_attribute_set_add(f->world, f->foe, high, 1), KN_OK);
    kn_entity_id none = {0};
    assert_int_equal(kn_attribute_set_add(f->world, none, high, 0), KN_REFUSED_STALE_ID);
    assert_int_not_equal(kn_attribute_set_remove(f->world, f->foe, high, 9), KN_OK);
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
    return effect_register(f, &def);
}

static float power_of(fixture *f, kn_entity_id entity)
{
    return kn_attribute_value(f->world, entity, f->power);
}

// BEY-030
static void an_owner_wide_modifier_acts_on_every_owned_entity_under_its_filter(void **state)
{
    fixture *f = *state;
    kn_tag soldier = tag_of(f, "Unit.Soldier");
    kn_effect_type_id type = banner(f, soldier);
    begin(f);
    kn_entity_id player = entity_create(f);
    assert_int_equal(kn_entity_set_owner(f->world, f->hero, player), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, f->ally, player), KN_OK);
    add_tag(f, f->hero, soldier);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, player, player, 1.0f, &effect), KN_OK);
    assert_near(power_of(f, f->hero), 15.0f);
    assert_near(power_of(f, f->ally), 10.0f); // not under the filter
    assert_near(power_of(f, f->foe), 10.0f);  // not owned
    add_tag(f, f->ally, soldier);
    assert_near(power_of(f, f->ally), 15.0f);
    remove_tag(f, f->hero, soldier);
    assert_near(power_of(f, f->hero), 10.0f);
    assert_int_equal(kn_effects_count(f->world, f->ally), 0); // registered once, at the owner
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL);
    assert_near(power_of(f, f->ally), 10.0f);
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
    assert_int_equal(kn_entity_set_owner(f->world, f->foe, red), KN_OK);
    assert_near(current(f, f->power), 15.0f);
    step_seconds(f, 0);
    assert_int_equal(kn_entity_set_owner(f->world, f->foe, blue), KN_OK);
    assert_near(current(f, f->power), 20.0f);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_ATTRIBUTE_CHANGED, (kn_effect_type_id){0}), 1);
    const kn_event *event = last_event(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_near(event->data.attribute.old_value, 15.0f);
    assert_near(event->data.attribute.new_value, 20.0f);
    assert_non_null(last_event(f, KN_EVENT_OWNER_CHANGED));
    assert_int_equal(kn_entity_set_owner(f->world, f->foe, (kn_entity_id){0}), KN_OK);
    assert_near(current(f, f->power), 10.0f);
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
    kn_effect_type_id well = effect_register(f, &def);
    begin(f);
    kn_entity_id player = entity_create(f);
    assert_int_equal(kn_entity_set_owner(f->world, f->foe, player), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, well, player, player, 1.0f, NULL), KN_OK);
    add_set(f, f->foe, l.magic);
    assert_near(current(f, l.mana), 55.0f);
    assert_true(kn_entity_destroy(f->world, player));
    assert_near(current(f, l.mana), 50.0f);
    assert_false(kn_entity_is_alive(f->world, kn_entity_owner(f->world, f->foe)));
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
    assert_int_equal(kn_entity_set_owner(f->world, f->foe, gone), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_owner(f->world, gone, f->foe), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_set_owner(f->world, null, f->foe), KN_REFUSED_STALE_ID);
    assert_true(kn_entity_id_is_null(kn_entity_owner(f->world, f->foe)));
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(late_attributes, tests, NULL, NULL);
