// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes: base and current values, declarations, events, what derives from what.

#include "scenario/attribute_fixture.h"

#include <float.h>

static kn_result try_set(fixture *f, const char *name, kn_attribute_def attribute, kn_error *error)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = &attribute;
    def.attribute_count = 1;
    kn_attribute_set_id set = {77};
    kn_result result = kn_attribute_set_register(f->library, &def, &set, error);
    assert_true((result == KN_OK) == (set.index1 != 0));
    return result;
}

// One attribute reads another: target += coefficient x source, live.
static kn_effect_type_id effect_derive(fixture *f, const char *name, kn_attribute_id to,
    kn_attribute_id from, float coefficient, bool snapshot)
{
    kn_modifier_def modifier = kn_modifier_constant(to, KN_OP_ADD, 0.0f);
    modifier.magnitude =
        kn_magnitude_attribute(from, KN_CAPTURE_FROM_TARGET, snapshot, coefficient);
    return effect_of(f, name, KN_DURATION_INFINITE, &modifier, 1);
}

// Base and current --------------------------------------------------------------------

// TVE-001, ATT-001, ATT-010, ATT-011, ATT-012
static void a_temporary_effect_changes_the_current_value_until_it_ends(void **state)
{
    fixture *f = *state;
    kn_attribute_def speed = attribute_def("MoveSpeed", 600.0f);
    kn_attribute_set_id set = set_register(f, "Movement", &speed, 1);
    kn_attribute_id move_speed = find(f, "Movement.MoveSpeed");
    kn_effect_type_id sprint = effect_add(f, "Sprint", KN_DURATION_TIMED, move_speed, 50.0f);
    begin(f);
    add_set(f, f->hero, set);
    assert_values(f, move_speed, 600.0f, 600.0f);
    apply(f, sprint);
    assert_values(f, move_speed, 600.0f, 650.0f);
    step(f, KN_MS(4999));
    assert_values(f, move_speed, 600.0f, 650.0f);
    step(f, KN_MS(1));
    assert_values(f, move_speed, 600.0f, 600.0f);
}

// TVE-002, ATT-011, ATT-012
static void instant_effects_change_the_base_under_a_temporary_one(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_effect_type_id wound = effect_add(f, "Wound", KN_DURATION_INSTANT, health, -30.0f);
    kn_effect_type_id scratch = effect_add(f, "Scratch", KN_DURATION_INSTANT, health, -10.0f);
    kn_effect_type_id ward = effect_add(f, "Ward", KN_DURATION_INFINITE, health, 20.0f);
    begin(f);
    add_set(f, f->hero, set);
    apply(f, wound);
    assert_values(f, health, 70.0f, 70.0f);
    kn_effect_id active = apply(f, ward);
    assert_values(f, health, 70.0f, 90.0f);
    apply(f, scratch);
    assert_values(f, health, 60.0f, 80.0f);
    remove_effect(f, active);
    assert_values(f, health, 60.0f, 60.0f);
}

// ATT-011
static void ticks_of_a_periodic_effect_change_the_base_for_good(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_ADD, -5.0f);
    kn_effect_def poison = infinite("Poison");
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(1.0f);
    poison.skip_first_tick = true;
    poison.modifiers = &modifier;
    poison.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &poison);
    begin(f);
    add_set(f, f->hero, set);
    kn_effect_id effect = apply(f, type);
    step(f, KN_MS(900));
    assert_values(f, health, 100.0f, 100.0f);
    step(f, KN_MS(2100));
    assert_values(f, health, 85.0f, 85.0f);
    remove_effect(f, effect);
    assert_values(f, health, 85.0f, 85.0f);
}

// ATT-013, ATT-017, ATS-007, ATS-041
static void setting_the_base_keeps_the_modifiers_and_has_no_maximum(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_modifier_def twice = kn_modifier_constant(health, KN_OP_MULTIPLY, 2.0f);
    kn_effect_type_id type = effect_of(f, "Twice", KN_DURATION_INFINITE, &twice, 1);
    begin(f);
    add_set(f, f->hero, set);
    apply(f, type);
    set_base(f, f->hero, health, 250.0f);
    assert_values(f, health, 250.0f, 500.0f);
    set_base(f, f->hero, health, -3.0f);
    assert_values(f, health, -3.0f, -6.0f);
}

// TVE-093
static void an_effect_made_at_run_time_overrides_the_base(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    begin(f);
    add_set(f, f->hero, set);
    kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_OVERRIDE, 42.0f);
    kn_effect_def made = instant("MadeNow");
    made.modifiers = &modifier;
    made.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(f->world, &made, &type, NULL), KN_OK);
    apply(f, type);
    assert_values(f, health, 42.0f, 42.0f);
}

// Declaring ---------------------------------------------------------------------------

// ATS-003, ATS-004, ATT-003
static void inherited_attributes_keep_the_name_of_the_set_that_declared_them(void **state)
{
    fixture *f = *state;
    kn_attribute_def vitals[] = {attribute_def("Health", 100.0f), attribute_def("Stamina", 50.0f)};
    kn_attribute_set_id base = set_register(f, "Vitals", vitals, 2);
    kn_attribute_def mana = attribute_def("Mana", 30.0f);
    kn_attribute_set_id hero = set_derive(f, "HeroVitals", base, &mana, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    assert_int_equal(kn_attribute_find(f->library, "HeroVitals.Health").index1, 0);
    assert_string_equal(kn_attribute_name(f->library, health), "Vitals.Health");
    assert_int_equal(kn_attribute_set_of(f->library, health).index1, base.index1);
    assert_string_equal(kn_attribute_set_name(f->library, hero), "HeroVitals");
    assert_int_equal(kn_attribute_count(f->library), 3);
    begin(f);
    add_set(f, f->hero, hero);
    assert_values(f, health, 100.0f, 100.0f);
    assert_values(f, find(f, "HeroVitals.Mana"), 30.0f, 30.0f);
    assert_true(kn_attribute_set_has(f->world, f->hero, hero, 0));
    assert_false(kn_attribute_set_has(f->world, f->hero, base, 0));
}

// ATT-004, ATS-040, ATS-046
static void one_table_declares_everything_about_an_attribute(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Gold", 5.0f), attribute_def("Damage", 0.0f)};
    defs[0].sync = KN_SYNC_OWNER;
    defs[0].is_hidden = true;
    defs[0].decimals = 2;
    defs[0].display_name = "Gold coins";
    defs[0].min = kn_limit_constant(1.0f);
    defs[0].max = kn_limit_constant(99.0f);
    defs[0].base_min = kn_limit_constant(2.0f);
    defs[0].base_max = kn_limit_constant(50.0f);
    defs[1].is_meta = true;
    defs[1].sync = KN_SYNC_NONE;
    set_register(f, "Purse", defs, 2);
    memset(defs, 0, sizeof defs); // registration copied it
    const kn_attribute_def *gold = kn_attribute_get_def(f->library, find(f, "Purse.Gold"));
    assert_string_equal(gold->name, "Gold");
    assert_string_equal(gold->display_name, "Gold coins");
    assert_int_equal(gold->sync, KN_SYNC_OWNER);
    assert_true(gold->is_hidden);
    assert_int_equal(gold->decimals, 2);
    assert_false(gold->is_meta);
    assert_true(gold->default_value == 5.0f);
    assert_true(gold->min.is_set && gold->min.value == 1.0f);
    assert_true(gold->max.is_set && gold->max.value == 99.0f);
    assert_true(gold->base_min.is_set && gold->base_min.value == 2.0f);
    assert_true(gold->base_max.is_set && gold->base_max.value == 50.0f);
    const kn_attribute_def *damage = kn_attribute_get_def(f->library, find(f, "Purse.Damage"));
    assert_true(damage->is_meta);
    assert_int_equal(damage->sync, KN_SYNC_NONE);
    assert_int_equal(kn_attribute_def_default().sync, KN_SYNC_ALL);
    assert_null(kn_attribute_get_def(f->library, (kn_attribute_id){0}));
    assert_null(kn_attribute_get_def(f->library, (kn_attribute_id){3}));
}

// ATT-005
static void renamed_sets_and_attributes_are_found_under_their_old_names(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("Mana", 1.0f)};
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 2);
    kn_error error;
    assert_int_equal(
        kn_attribute_redirect(f->library, "Vitals.HP", "Vitals.Health", &error), KN_OK);
    assert_int_equal(
        kn_attribute_redirect(f->library, "Vitals.Hitpoints", "Vitals.HP", &error), KN_OK);
    assert_int_equal(kn_attribute_redirect(f->library, "Stats", "Vitals", &error), KN_OK);
    kn_attribute_id health = find(f, "Vitals.Health");
    assert_int_equal(find(f, "Vitals.HP").index1, health.index1);
    assert_int_equal(find(f, "Vitals.Hitpoints").index1, health.index1);
    assert_int_equal(find(f, "Stats.Mana").index1, find(f, "Vitals.Mana").index1);
    assert_int_equal(find(f, "Stats.HP").index1, health.index1);
    assert_int_equal(kn_attribute_set_find(f->library, "Stats").index1, set.index1);
    assert_int_equal(kn_attribute_redirect(f->library, "Vitals.HP", "Vitals.Hitpoints", &error),
        KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "redirects between `Vitals.HP` and `Vitals.Hitpoints` form a cycle");
    assert_int_equal(find(f, "Vitals.HP").index1, health.index1);
    assert_int_equal(kn_attribute_find(f->library, "Vitals.Nothing").index1, 0);
    assert_int_equal(kn_attribute_find(f->library, NULL).index1, 0);
    assert_int_equal(kn_attribute_set_find(f->library, "Nothing").index1, 0);
}

// ATT-005: a limit may have the old name of a sibling, with its set and without.
static void limits_are_found_under_their_old_names(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {
        attribute_def("Health", 100.0f), attribute_def("Mana", 50.0f), attribute_def("Top", 80.0f)};
    defs[0].base_max = kn_limit_attribute("Most");
    defs[1].base_max = kn_limit_attribute("Vitals.Most");
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 3);
    assert_int_equal(kn_attribute_redirect(f->library, "Vitals.Most", "Vitals.Top", NULL), KN_OK);
    begin(f);
    kn_entity_id entity = entity_create(f);
    add_set(f, entity, set);
    for (uint32_t i = 0; i < 2; i++) {
        kn_attribute_id attribute = find(f, i == 0 ? "Vitals.Health" : "Vitals.Mana");
        set_base(f, entity, attribute, 90.0f);
        assert_true(kn_attribute_value(f->world, entity, attribute) == 80.0f);
    }
}

// ATT-018
static void bad_declarations_are_refused_and_leave_no_trace(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_attribute_def good = attribute_def("Health", 1.0f);
    kn_attribute_def bad = good;
    bad.default_value = NAN;
    assert_int_not_equal(try_set(f, "A", bad, &error), KN_OK);
    bad.default_value = INFINITY;
    assert_int_not_equal(try_set(f, "A", bad, &error), KN_OK);
    bad = good;
    bad.max = kn_limit_constant(NAN);
    assert_int_not_equal(try_set(f, "A", bad, &error), KN_OK);
    bad = good;
    bad.has_random = true;
    bad.random_min = 2.0f;
    bad.random_max = 1.0f;
    assert_int_equal(try_set(f, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.random_max = INFINITY;
    assert_int_not_equal(try_set(f, "A", bad, &error), KN_OK);
    bad = good;
    bad.name = "He.alth";
    assert_int_equal(try_set(f, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.name = "";
    assert_int_equal(try_set(f, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.name = NULL;
    assert_int_not_equal(try_set(f, "A", bad, &error), KN_OK);
    bad = good;
    bad.qualify = KN_QUALIFY_CUSTOM;
    assert_int_equal(try_set(f, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad = good;
    bad.event_kind = "Damage"; // not meta
    assert_int_equal(try_set(f, "A", bad, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_attribute_count(f->library), 0);

    assert_int_equal(try_set(f, "A", good, &error), KN_OK);
    assert_int_equal(try_set(f, "A", good, &error), KN_REFUSED_DUPLICATE);
    kn_assert_set_handler(ignore_assert);
    bad = good;
    bad.cookie = 0;
    assert_int_equal(try_set(f, "B", bad, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_not_equal(try_set(f, NULL, good, &error), KN_OK);
    assert_int_not_equal(try_set(f, "", good, &error), KN_OK);
    kn_assert_set_handler(NULL);
    kn_attribute_def twice[] = {good, good};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "B";
    def.attributes = twice;
    def.attribute_count = 2;
    kn_attribute_set_id set;
    assert_int_equal(
        kn_attribute_set_register(f->library, &def, &set, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_count(f->library), 1);
    assert_int_equal(kn_library_finish(f->library, &error), KN_OK);
    assert_int_equal(try_set(f, "C", good, &error), KN_ERROR_WORLD_LOCKED);
}

// Listening -----------------------------------------------------------------------------

typedef struct heard {
    uint32_t count;
    float old_value, new_value;
    kn_effect_id effect;
    kn_cause_info cause;
} heard;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    heard *h = user;
    h->count++;
    assert_true(kn_cause_get(world, event->cause, &h->cause));
    h->old_value = event->data.attribute.old_value;
    h->new_value = event->data.attribute.new_value;
    h->effect = event->data.attribute.effect;
}

// ATT-050, ATT-051, ATT-052, ATS-044
static void listeners_get_old_and_new_value_and_the_effect(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("Mana", 10.0f)};
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 2);
    kn_attribute_id health = find(f, "Vitals.Health"), mana = find(f, "Vitals.Mana");
    kn_effect_type_id ward = effect_add(f, "Ward", KN_DURATION_INFINITE, health, 20.0f);
    kn_effect_type_id wound = effect_add(f, "Wound", KN_DURATION_INSTANT, health, -5.0f);
    begin(f);
    add_set(f, f->hero, set);
    heard h = {0};
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.entity = f->hero;
    def.attribute = health;
    def.function = hear;
    def.user = &h;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);

    kn_effect_id active = apply(f, ward);
    set_base(f, f->hero, mana, 3.0f); // another attribute
    step(f, 0);
    assert_int_equal(h.count, 1);
    assert_true(h.old_value == 100.0f && h.new_value == 120.0f);
    assert_true(kn_effect_id_equal(h.effect, active));
    assert_true(kn_effect_type_id_equal(h.cause.type, ward));

    // An instant effect has no id: which it was, and whose, is in the cause.
    kn_entity_id foe = entity_create(f);
    assert_int_equal(kn_effect_apply_simple(f->world, wound, foe, f->hero, 1.0f, NULL), KN_OK);
    step(f, 0);
    assert_int_equal(h.count, 2);
    assert_true(h.old_value == 120.0f && h.new_value == 115.0f);
    assert_true(kn_effect_id_is_null(h.effect));
    assert_true(kn_effect_type_id_equal(h.cause.type, wound));
    assert_true(kn_entity_id_equal(h.cause.source, foe));
    assert_true(kn_entity_id_equal(h.cause.entity, f->hero));

    set_base(f, f->hero, health, 95.0f); // no change: no event
    step(f, 0);
    assert_int_equal(h.count, 2);
}

typedef struct death_rule {
    kn_tag dead;
} death_rule;

static void die_at_zero(void *user, kn_world *world, const kn_reaction *reaction)
{
    death_rule *rule = user;
    if (reaction->old_value > 0.0f && reaction->new_value <= 0.0f) {
        assert_int_equal(
            kn_entity_add_tag(world, reaction->entity, rule->dead, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    }
}

// ATT-053, ATT-054, ATS-064
static void a_rule_kills_when_health_reaches_zero(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_effect_type_id wound = effect_add(f, "Wound", KN_DURATION_INSTANT, health, -40.0f);
    death_rule death;
    death.dead = tag_of(f, "State.Dead");
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Death";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = health;
    rule.function = die_at_zero;
    rule.user = &death;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    begin(f);
    add_set(f, f->hero, set);
    apply(f, wound);
    apply(f, wound);
    assert_false(kn_entity_has_tag(f->world, f->hero, death.dead));
    apply(f, wound);
    assert_true(kn_entity_has_tag(f->world, f->hero, death.dead));
    apply(f, wound);
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, death.dead), 1);
}

// Derived attributes ------------------------------------------------------------------------

// TVE-060, ATT-070, ATT-071, ATT-072, ATT-073
static void a_derived_attribute_follows_with_one_notice_per_change(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {
        attribute_def("A", 10.0f), attribute_def("B", 5.0f), attribute_def("C", 3.0f)};
    kn_attribute_set_id set = set_register(f, "Set", defs, 3);
    kn_attribute_id a = find(f, "Set.A"), b = find(f, "Set.B"), c = find(f, "Set.C");
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(a, KN_OP_ADD, 0.0f), kn_modifier_constant(a, KN_OP_MULTIPLY, 0.0f)};
    modifiers[0].magnitude = kn_magnitude_attribute(b, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifiers[1].magnitude = kn_magnitude_attribute(c, KN_CAPTURE_FROM_TARGET, false, 2.0f);
    kn_effect_type_id derive = effect_of(f, "Derive", KN_DURATION_INFINITE, modifiers, 2);
    begin(f);
    add_set(f, f->hero, set);
    kn_effect_id active = apply(f, derive);
    kn_event event = {0};
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_values(f, a, 10.0f, 90.0f);

    set_base(f, f->hero, b, 10.0f);
    assert_values(f, a, 10.0f, 120.0f);
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_true(event.data.attribute.old_value == 90.0f);
    set_base(f, f->hero, c, 1.0f);
    assert_values(f, a, 10.0f, 40.0f);
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_true(event.data.attribute.old_value == 120.0f);
    assert_true(event.data.attribute.new_value == 40.0f);

    remove_effect(f, active);
    assert_values(f, a, 10.0f, 10.0f);
    set_base(f, f->hero, b, 1.0f);
    assert_values(f, a, 10.0f, 10.0f);
}

static float square_of_difference(void *user, const kn_calculation *calculation)
{
    (void)user;
    float difference =
        kn_calculation_capture(calculation, 0) - kn_calculation_capture(calculation, 1);
    return difference * difference;
}

// ATT-070, ATT-072
static void a_calculation_fixes_the_order_of_operations(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {
        attribute_def("A", 1.0f), attribute_def("B", 5.0f), attribute_def("C", 3.0f)};
    kn_attribute_set_id set = set_register(f, "Set", defs, 3);
    kn_attribute_id a = find(f, "Set.A"), b = find(f, "Set.B"), c = find(f, "Set.C");
    const kn_capture captures[] = {{.attribute = b, .from = KN_CAPTURE_FROM_TARGET},
        {.attribute = c, .from = KN_CAPTURE_FROM_TARGET}};
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "SquareOfDifference";
    def.captures = captures;
    def.capture_count = 2;
    def.function = square_of_difference;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(a, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_calculation(calculation);
    kn_effect_type_id derive = effect_of(f, "Derive", KN_DURATION_INFINITE, &modifier, 1);
    begin(f);
    add_set(f, f->hero, set);
    apply(f, derive);
    assert_values(f, a, 1.0f, 5.0f);
    set_base(f, f->hero, b, 6.0f);
    assert_values(f, a, 1.0f, 10.0f);
    set_base(f, f->hero, c, 6.0f);
    assert_values(f, a, 1.0f, 1.0f);
}

// ATT-075
static void each_dependent_is_recomputed_once_after_what_it_depends_on(void **state)
{
    fixture *f = *state;
    // Base -> Left, Right -> Top: a diamond. Top must never see one side only.
    kn_attribute_def defs[] = {attribute_def("Root", 1.0f), attribute_def("Left", 0.0f),
        attribute_def("Right", 0.0f), attribute_def("Top", 0.0f), attribute_def("Far", 0.0f)};
    kn_attribute_set_id set = set_register(f, "D", defs, 5);
    kn_attribute_id root = find(f, "D.Root"), left = find(f, "D.Left"), top = find(f, "D.Top");
    kn_attribute_id right = find(f, "D.Right"), far = find(f, "D.Far");
    const kn_effect_type_id types[] = {
        effect_derive(f, "TopFromLeft", top, left, 1.0f, false),
        effect_derive(f, "FarFromTop", far, top, 2.0f, false),
        effect_derive(f, "TopFromRight", top, right, 10.0f, false),
        effect_derive(f, "TopFromRoot", top, root, 1000.0f, false),
        effect_derive(f, "LeftFromRoot", left, root, 3.0f, false),
        effect_derive(f, "RightFromRoot", right, root, 5.0f, false),
    };
    begin(f);
    add_set(f, f->hero, set);
    for (uint32_t i = 0; i < 6; i++) {
        apply(f, types[i]);
    }
    assert_values(f, top, 0.0f, 1053.0f);
    assert_values(f, far, 0.0f, 2106.0f);
    kn_event event = {0};
    published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, top, &event);

    set_base(f, f->hero, root, 2.0f);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t changes = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        changes += events.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED;
    }
    assert_int_equal(changes, 5); // one each
    assert_values(f, left, 0.0f, 6.0f);
    assert_values(f, top, 0.0f, 2106.0f);
    assert_values(f, far, 0.0f, 4212.0f);
    assert_int_equal(events.data[events.count - 1].data.attribute.attribute.index1, far.index1);
}

// ATT-075
static void a_cycle_of_dependencies_is_refused_when_it_would_close(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {
        attribute_def("A", 1.0f), attribute_def("B", 2.0f), attribute_def("C", 3.0f)};
    kn_attribute_set_id set = set_register(f, "Set", defs, 3);
    kn_attribute_id a = find(f, "Set.A"), b = find(f, "Set.B"), c = find(f, "Set.C");
    kn_effect_type_id self = effect_derive(f, "AFromA", a, a, 1.0f, false);
    kn_effect_type_id a_b = effect_derive(f, "AFromB", a, b, 1.0f, false);
    kn_effect_type_id b_c = effect_derive(f, "BFromC", b, c, 1.0f, false);
    kn_effect_type_id c_a = effect_derive(f, "CFromA", c, a, 1.0f, false);
    kn_effect_type_id c_a_once = effect_derive(f, "CFromAOnce", c, a, 1.0f, true);
    begin(f);
    add_set(f, f->hero, set);
    kn_effect_id none;
    assert_int_equal(
        kn_effect_apply_simple(f->world, self, f->hero, f->hero, 1.0f, &none), KN_REFUSED_CYCLE);
    kn_effect_id first = apply(f, a_b);
    apply(f, b_c);
    assert_values(f, a, 1.0f, 6.0f);
    assert_int_equal(
        kn_effect_apply_simple(f->world, c_a, f->hero, f->hero, 1.0f, &none), KN_REFUSED_CYCLE);
    assert_true(kn_effect_id_is_null(none));
    assert_int_equal(kn_effects_count(f->world, f->hero), 2);
    assert_values(f, c, 3.0f, 3.0f);
    // A snapshot does not make a cycle, and neither does the same pair of attributes of another
    // entity.
    apply(f, c_a_once);
    assert_values(f, c, 3.0f, 9.0f);
    assert_values(f, a, 1.0f, 12.0f);
    kn_entity_id other = entity_create(f);
    add_set(f, other, set);
    assert_int_equal(kn_effect_apply_simple(f->world, c_a, f->hero, other, 1.0f, NULL), KN_OK);
    assert_true(kn_attribute_value(f->world, other, c) == 4.0f);
    assert_values(f, c, 3.0f, 9.0f);
    // With one link gone the circle stays open.
    remove_effect(f, first);
    apply(f, c_a);
    assert_values(f, c, 3.0f, 10.0f);
    assert_int_equal(
        kn_effect_apply_simple(f->world, a_b, f->hero, f->hero, 1.0f, &none), KN_REFUSED_CYCLE);
}

// ATT-075
static void a_cycle_through_a_declared_limit_is_refused_too(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("MaxHealth", 200.0f)};
    defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 2);
    kn_attribute_id health = find(f, "Vitals.Health"), maximum = find(f, "Vitals.MaxHealth");
    // The maximum shrinks with what it limits: 0.9999 x Health would take thousands of rounds.
    kn_modifier_def modifier = kn_modifier_constant(maximum, KN_OP_OVERRIDE, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(health, KN_CAPTURE_FROM_TARGET, false, 0.9999f);
    kn_effect_type_id shrink = effect_of(f, "Shrink", KN_DURATION_INFINITE, &modifier, 1);
    begin(f);
    add_set(f, f->hero, set);
    assert_int_equal(
        kn_effect_apply_simple(f->world, shrink, f->hero, f->hero, 1.0f, NULL), KN_REFUSED_CYCLE);
    assert_values(f, health, 100.0f, 100.0f);
    assert_values(f, maximum, 200.0f, 200.0f);
}

// ATT-074
static void derived_attributes_work_in_every_world_of_a_process(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("A", 1.0f), attribute_def("B", 2.0f)};
    kn_attribute_set_id set = set_register(f, "Set", defs, 2);
    kn_attribute_id a = find(f, "Set.A"), b = find(f, "Set.B");
    kn_effect_type_id derive = effect_derive(f, "AFromB", a, b, 1.0f, false);
    begin(f);
    kn_world *worlds[3];
    kn_entity_id entities[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_world_def def = kn_world_def_default();
        def.library = f->library;
        assert_int_equal(kn_world_create(&def, &worlds[i]), KN_OK);
        assert_int_equal(kn_entity_create(worlds[i], &entities[i]), KN_OK);
        assert_int_equal(kn_attribute_set_add(worlds[i], entities[i], set, 0), KN_OK);
        assert_int_equal(
            kn_effect_apply_simple(worlds[i], derive, entities[i], entities[i], 1.0f, NULL), KN_OK);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_attribute_set_base(worlds[i], entities[i], b, 0, 10.0f * (float)(i + 1)), KN_OK);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kn_attribute_value(worlds[i], entities[i], a) == 1.0f + 10.0f * (float)(i + 1));
        kn_world_destroy(worlds[i]);
    }
}

// Bad numbers and ids -------------------------------------------------------------------------

// ATT-018
static void numbers_that_are_not_finite_never_get_in(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_tag amount = tag_of(f, "Data.Amount");
    kn_modifier_def by_caller = kn_modifier_constant(health, KN_OP_ADD, 0.0f);
    by_caller.magnitude = kn_magnitude_set_by_caller(amount);
    kn_effect_type_id at_once = effect_of(f, "Instant", KN_DURATION_INSTANT, &by_caller, 1);
    kn_effect_type_id lasting = effect_of(f, "Lasting", KN_DURATION_INFINITE, &by_caller, 1);
    kn_modifier_def nan = kn_modifier_constant(health, KN_OP_ADD, NAN);
    kn_effect_def bad = instant("Bad");
    bad.modifiers = &nan;
    bad.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_not_equal(kn_effect_register(f->library, &bad, &type, NULL), KN_OK);
    begin(f);
    add_set(f, f->hero, set);

    static const float numbers[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_attribute_set_base(f->world, f->hero, health, 0, numbers[i]), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_attribute_init(f->world, f->hero, health, 0, numbers[i]), KN_REFUSED_BAD_NUMBER);
        kn_caller_value value = {amount, numbers[i]};
        kn_effect_apply_def apply_def = kn_effect_apply_def_default();
        apply_def.target = f->hero;
        apply_def.caller_values = &value;
        apply_def.caller_value_count = 1;
        apply_def.type = at_once;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_REFUSED_BAD_NUMBER);
        apply_def.type = lasting;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_REFUSED_BAD_NUMBER);
    }
    assert_values(f, health, 100.0f, 100.0f);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

// ATT-018
static void a_value_that_would_overflow_keeps_what_it_was(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 3e38f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_effect_type_id instant = effect_add(f, "Instant", KN_DURATION_INSTANT, health, 3e38f);
    kn_effect_type_id lasting = effect_add(f, "Lasting", KN_DURATION_INFINITE, health, 3e38f);
    begin(f);
    add_set(f, f->hero, set);
    (void)kn_effect_apply_simple(f->world, instant, f->hero, f->hero, 1.0f, NULL);
    (void)kn_effect_apply_simple(f->world, lasting, f->hero, f->hero, 1.0f, NULL);
    assert_true(kn_attribute_base(f->world, f->hero, health) == 3e38f);
    assert_true(kn_attribute_value(f->world, f->hero, health) == 3e38f);
    kn_event event = {0};
    assert_int_equal(published_of(f, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 2);
    kn_events events = kn_world_events(f->world);
    bool is_named = false; // the effect that tried
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ERROR) {
            assert_int_equal(events.data[i].data.error.code, KN_REFUSED_BAD_NUMBER);
            assert_int_equal(events.data[i].data.error.attribute.index1, health.index1);
            assert_true(kn_entity_id_equal(events.data[i].entity, f->hero));
            is_named |= kn_effect_type_id_equal(events.data[i].data.error.type, instant);
        }
    }
    assert_true(is_named);
}

// ATT-018: a base that overflows only with its modifiers is written, the current value stays.
static void a_first_value_that_overflows_with_its_modifiers_is_told(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_effect_type_id lasting = effect_add(f, "Lasting", KN_DURATION_INFINITE, health, 3e38f);
    begin(f);
    add_set(f, f->hero, set);
    assert_int_equal(
        kn_effect_apply_simple(f->world, lasting, f->hero, f->hero, 1.0f, NULL), KN_OK);
    float before = kn_attribute_value(f->world, f->hero, health);
    assert_int_equal(kn_attribute_init(f->world, f->hero, health, 0, 3e38f), KN_OK);
    assert_true(kn_attribute_value(f->world, f->hero, health) == before);
    kn_event event = {0};
    assert_int_equal(published_of(f, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 1);
    assert_int_equal(event.data.error.code, KN_REFUSED_BAD_NUMBER);
    assert_int_equal(event.data.error.attribute.index1, health.index1);
    assert_true(kn_entity_id_equal(event.entity, f->hero));
}

static void null_and_stale_ids_read_as_absent_and_write_nothing(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    begin(f);
    add_set(f, f->hero, set);
    kn_world *world = f->world;
    kn_entity_id gone = entity_create(f);
    assert_int_equal(kn_attribute_set_add(world, gone, set, 0), KN_OK);
    assert_true(kn_entity_destroy(world, gone));
    const kn_entity_id bad[] = {{0, 0}, gone, {12345, 1}};
    kn_explain_line line;
    float low, high;
    char text[16];
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_add(world, bad[i], set, 0), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_attribute_set_remove(world, bad[i], set, 0), KN_REFUSED_STALE_ID);
        assert_false(kn_attribute_set_has(world, bad[i], set, 0));
        assert_int_equal(kn_attribute_sets(world, bad[i], NULL, 0), 0);
        assert_true(kn_attribute_value(world, bad[i], health) == 0.0f);
        assert_true(kn_attribute_base(world, bad[i], health) == 0.0f);
        assert_false(kn_attribute_exists(world, bad[i], health, 0));
        kn_attribute_bounds(world, bad[i], health, 0, &low, &high);
        assert_true(low == -INFINITY && high == INFINITY);
        assert_int_equal(
            kn_attribute_set_base(world, bad[i], health, 0, 1.0f), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_attribute_init(world, bad[i], health, 0, 1.0f), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_attribute_init_group(world, bad[i], "Hero", 1, 0), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_attribute_explain(world, bad[i], health, 0, &line, 1), 0);
        assert_int_equal(kn_attribute_explain_text(world, bad[i], health, 0, text, sizeof text), 0);
    }
    kn_assert_set_handler(ignore_assert);
    const kn_attribute_id no_attributes[] = {{0}, {2}, {UINT32_MAX}};
    for (uint32_t i = 0; i < 3; i++) {
        kn_attribute_id none = no_attributes[i];
        assert_true(kn_attribute_value(world, f->hero, none) == 0.0f);
        assert_false(kn_attribute_exists(world, f->hero, none, 0));
        assert_int_equal(
            kn_attribute_set_base(world, f->hero, none, 0, 1.0f), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(
            kn_attribute_init(world, f->hero, none, 0, 1.0f), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_attribute_explain(world, f->hero, none, 0, &line, 1), 0);
        assert_string_equal(kn_attribute_name(f->library, none), "");
        kn_attribute_set_id no_set = {none.index1};
        assert_int_not_equal(kn_attribute_set_add(world, f->hero, no_set, 5), KN_OK);
        assert_int_not_equal(kn_attribute_set_remove(world, f->hero, no_set, 0), KN_OK);
        assert_false(kn_attribute_set_has(world, f->hero, no_set, 0));
    }
    assert_int_equal(
        kn_attribute_init_group(world, f->hero, NULL, 1, 0), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(
        kn_attribute_set_base(world, f->hero, health, 3, 1.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_values(f, health, 100.0f, 100.0f);
}

static void a_static_attribute_takes_its_starting_value_and_nothing_else(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Size", 2.0f);
    def.is_static = true;
    kn_attribute_set_id set = set_register(f, "Body", &def, 1);
    kn_attribute_id size = find(f, "Body.Size");
    kn_modifier_def modifier = kn_modifier_constant(size, KN_OP_ADD, 1.0f);
    kn_effect_def grow = instant("Grow");
    grow.modifiers = &modifier;
    grow.modifier_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &grow, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Body.Size"));
    begin(f);
    add_set(f, f->hero, set);
    assert_int_equal(kn_attribute_init(f->world, f->hero, size, 0, 3.0f), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, size, 0, 9.0f), KN_REFUSED_BLOCKED);
    assert_values(f, size, 3.0f, 3.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_temporary_effect_changes_the_current_value_until_it_ends),
    TEST(instant_effects_change_the_base_under_a_temporary_one),
    TEST(ticks_of_a_periodic_effect_change_the_base_for_good),
    TEST(setting_the_base_keeps_the_modifiers_and_has_no_maximum),
    TEST(an_effect_made_at_run_time_overrides_the_base),
    TEST(inherited_attributes_keep_the_name_of_the_set_that_declared_them),
    TEST(one_table_declares_everything_about_an_attribute),
    TEST(renamed_sets_and_attributes_are_found_under_their_old_names),
    TEST(limits_are_found_under_their_old_names),
    TEST(bad_declarations_are_refused_and_leave_no_trace),
    TEST(listeners_get_old_and_new_value_and_the_effect),
    TEST(a_rule_kills_when_health_reaches_zero),
    TEST(a_derived_attribute_follows_with_one_notice_per_change),
    TEST(a_calculation_fixes_the_order_of_operations),
    TEST(each_dependent_is_recomputed_once_after_what_it_depends_on),
    TEST(a_cycle_of_dependencies_is_refused_when_it_would_close),
    TEST(a_cycle_through_a_declared_limit_is_refused_too),
    TEST(derived_attributes_work_in_every_world_of_a_process),
    TEST(numbers_that_are_not_finite_never_get_in),
    TEST(a_value_that_would_overflow_keeps_what_it_was),
    TEST(a_first_value_that_overflows_with_its_modifiers_is_told),
    TEST(null_and_stale_ids_read_as_absent_and_write_nothing),
    TEST(a_static_attribute_takes_its_starting_value_and_nothing_else),
};

TEST_GROUP(attributes, tests, NULL, NULL);
