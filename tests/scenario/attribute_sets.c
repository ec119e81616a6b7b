// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attribute sets on entities: adding, removing, instances, and how their values start.

#include "scenario/attribute_scene.h"

#include <stdlib.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static kn_attribute_set_id set_register(scene *s, const char *name, kn_attribute_set_id parent,
    const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.parent = parent;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set = {0};
    kn_error error = {0};
    kn_result result = kn_attribute_set_register(s->library, &def, &set, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return set;
}

static kn_effect_type_id effect_register(scene *s, const char *name, kn_duration_kind kind,
    float seconds, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(seconds);
    def.modifiers = modifiers;
    def.modifier_count = count;
    kn_effect_type_id type = {0};
    kn_error error = {0};
    kn_result result = kn_effect_register(s->library, &def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    return type;
}

static kn_effect_type_id effect_add(
    scene *s, const char *name, kn_duration_kind kind, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    return effect_register(s, name, kind, 5.0f, &modifier, 1);
}

static kn_effect_id apply(scene *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->entity, s->entity, 1.0f, &effect), KN_OK);
    return effect;
}

static void assert_values(scene *s, kn_attribute_id attribute, float base, float current)
{
    assert_float_equal(kn_attribute_base(s->world, s->entity, attribute), base, 1e-5f);
    assert_float_equal(kn_attribute_value(s->world, s->entity, attribute), current, 1e-5f);
}

static void add_set(scene *s, kn_attribute_set_id set)
{
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, set, 0), KN_OK);
}

static void set_base(scene *s, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, attribute, 0, value), KN_OK);
}

static kn_attribute_id find(scene *s, const char *name)
{
    kn_attribute_id attribute = kn_attribute_find(s->library, name);
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

// Publishes, and counts the events of a type about an attribute (null: any).
static uint32_t count_events(
    scene *s, kn_event_type type, kn_attribute_id attribute, kn_event *last)
{
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == type &&
            (attribute.index1 == 0 || event->data.attribute.attribute.index1 == attribute.index1)) {
            *last = *event;
            count++;
        }
    }
    return count;
}

static const kn_attribute_set_id no_parent = {0};

// Sets on entities ----------------------------------------------------------------------

// ATS-002, ATS-003, ATS-005, ATS-030
static void an_entity_carries_any_number_of_different_sets(void **state)
{
    scene *s = *state;
    kn_attribute_set_id sets[8];
    char names[8][16];
    for (uint32_t i = 0; i < 8; i++) {
        snprintf(names[i], sizeof names[i], "Set%u", i);
        kn_attribute_def def = declare("Value", (float)i);
        sets[i] = set_register(s, names[i], i == 7 ? sets[0] : no_parent, &def, 1);
    }
    begin(s);
    for (uint32_t i = 7; i-- > 0;) {
        add_set(s, sets[i]);
    }
    kn_attribute_set_instance there[8];
    assert_int_equal(kn_attribute_sets(s->world, s->entity, there, 8), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(there[i].set.index1, sets[6 - i].index1); // in the order of adding
        assert_int_equal(there[i].key, 0);
    }
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, sets[3], 0), KN_REFUSED_DUPLICATE);
    // The last set inherits from the first: two answers for Set0.Value would be one too many.
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, sets[7], 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_sets(s->world, s->entity, NULL, 0), 7);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_SET_ADDED, (kn_attribute_id){0}, &event), 7);
    assert_int_equal(event.data.set.set.index1, sets[0].index1);
}

// ATS-005, ATS-006
static void instances_of_one_set_are_told_apart_by_a_key(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(s, "Weapon", no_parent, &def, 1);
    kn_attribute_id ammo = find(s, "Weapon.Ammo");
    kn_modifier_def keyed = kn_modifier_constant(ammo, KN_OP_ADD, -1.0f);
    keyed.key = 7;
    kn_effect_type_id shot = effect_register(s, "Shot", KN_DURATION_INSTANT, 0.0f, &keyed, 1);
    begin(s);
    static const uint32_t keys[] = {0, 7, UINT32_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_add(s->world, s->entity, set, keys[i]), KN_OK);
    }
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, set, 7), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, ammo, UINT32_MAX, 12.0f), KN_OK);
    apply(s, shot);
    assert_true(kn_attribute_value_keyed(s->world, s->entity, ammo, 0) == 30.0f);
    assert_true(kn_attribute_value(s->world, s->entity, ammo) == 30.0f);
    assert_true(kn_attribute_value_keyed(s->world, s->entity, ammo, 7) == 29.0f);
    assert_true(kn_attribute_base_keyed(s->world, s->entity, ammo, UINT32_MAX) == 12.0f);
    assert_false(kn_attribute_exists(s->world, s->entity, ammo, 8));
    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, set, 7), KN_OK);
    assert_false(kn_attribute_exists(s->world, s->entity, ammo, 7));
    assert_true(kn_attribute_value(s->world, s->entity, ammo) == 30.0f);
    assert_true(kn_attribute_value_keyed(s->world, s->entity, ammo, UINT32_MAX) == 12.0f);
}

// The part that is hit has a number, which the effect was given: it chooses the attribute.
static void hit_part(void *user, kn_execution *execution)
{
    const kn_tag *slot = user;
    kn_attribute_id part = kn_attribute_find(
        kn_world_library(kn_execution_world(execution)), "Parts.DamageableCompHealth0");
    part.index1 +=
        (uint32_t)kn_spec_view_caller_value(kn_execution_spec(execution), *slot, 0.0f, true);
    kn_execution_output(execution, part, 0, KN_OP_ADD, -4.0f);
}

// ATS-020, ATS-021
static void parts_with_a_known_maximum_are_slots_in_one_set(void **state)
{
    scene *s = *state;
    kn_attribute_def slots[4];
    char names[4][32];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "DamageableCompHealth%u", i);
        slots[i] = declare(names[i], 0.0f);
    }
    kn_attribute_set_id set = set_register(s, "Parts", no_parent, slots, 4);
    kn_attribute_id first = find(s, "Parts.DamageableCompHealth0");
    kn_attribute_id second = find(s, "Parts.DamageableCompHealth1");
    kn_effect_type_id hit = effect_add(s, "HitPart1", KN_DURATION_INSTANT, second, -15.0f);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Data.Slot";
    kn_tag slot;
    assert_int_equal(kn_tag_register(s->library, &tag_def, &slot, NULL), KN_OK);
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "HitPart";
    execution.function = hit_part;
    execution.user = &slot;
    kn_execution_use use = {.execution = {0}};
    assert_int_equal(kn_execution_register(s->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def hit_def = kn_effect_def_default();
    hit_def.name = "HitPart";
    hit_def.executions = &use;
    hit_def.execution_count = 1;
    kn_effect_type_id hit_slot;
    assert_int_equal(kn_effect_register(s->library, &hit_def, &hit_slot, NULL), KN_OK);
    begin(s);
    add_set(s, set);
    // Two of four parts are there.
    assert_int_equal(kn_attribute_init(s->world, s->entity, first, 0, 50.0f), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, second, 0, 40.0f), KN_OK);
    apply(s, hit);
    assert_values(s, first, 50.0f, 50.0f);
    assert_values(s, second, 25.0f, 25.0f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_caller_value number = {slot, (float)i};
        kn_effect_apply_def apply_def = kn_effect_apply_def_default();
        apply_def.type = hit_slot;
        apply_def.source = apply_def.target = s->entity;
        apply_def.caller_values = &number;
        apply_def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(s->world, &apply_def, NULL), KN_OK);
        assert_values(s, first, 46.0f, 46.0f);
        assert_values(s, second, i == 0 ? 25.0f : 21.0f, i == 0 ? 25.0f : 21.0f);
    }
}

// ATS-030, ATS-031, ATS-032
static void modifiers_on_a_removed_set_wait_for_it_to_come_back(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(s, "Weapon", no_parent, &def, 1);
    kn_attribute_id ammo = find(s, "Weapon.Ammo");
    kn_effect_type_id magazine = effect_add(s, "Magazine", KN_DURATION_INFINITE, ammo, 10.0f);
    kn_effect_type_id shot = effect_add(s, "Shot", KN_DURATION_INSTANT, ammo, -1.0f);
    begin(s);
    add_set(s, set);
    kn_effect_id active = apply(s, magazine);
    kn_event event;
    count_events(s, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event);

    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, set, 0), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event), 1);
    assert_int_equal(event.data.set.set.index1, set.index1);
    assert_true(kn_entity_id_equal(event.entity, s->entity));
    assert_true(kn_effect_is_alive(s->world, active));
    assert_int_equal(kn_world_get_stats(s->world).parked_modifiers, 1);
    assert_true(kn_attribute_value(s->world, s->entity, ammo) == 0.0f);
    // A late value is refused.
    assert_int_equal(
        kn_attribute_set_base(s->world, s->entity, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(
        kn_attribute_init(s->world, s->entity, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    apply(s, shot);
    assert_int_equal(count_events(s, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 1);
    assert_int_equal(event.data.error.code, KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(event.data.error.attribute.index1, ammo.index1);
    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, set, 0), KN_REFUSED_NOT_FOUND);

    add_set(s, set);
    assert_values(s, ammo, 30.0f, 40.0f);
    assert_int_equal(kn_world_get_stats(s->world).parked_modifiers, 0);
    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, set, 0), KN_OK);
    assert_int_equal(kn_effect_remove(s->world, active, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_world_get_stats(s->world).parked_modifiers, 0);
    assert_int_equal(kn_world_get_stats(s->world).modifiers, 0);
    add_set(s, set);
    assert_values(s, ammo, 30.0f, 30.0f);
}

// ATS-032
static void an_effect_may_come_before_the_set_it_acts_on(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(s, "Weapon", no_parent, &def, 1);
    kn_attribute_id ammo = find(s, "Weapon.Ammo");
    kn_effect_type_id magazine = effect_add(s, "Magazine", KN_DURATION_INFINITE, ammo, 10.0f);
    begin(s);
    apply(s, magazine);
    assert_int_equal(kn_world_get_stats(s->world).parked_modifiers, 1);
    assert_false(kn_attribute_exists(s->world, s->entity, ammo, 0));
    add_set(s, set);
    assert_values(s, ammo, 30.0f, 40.0f);
}

// Initialising ----------------------------------------------------------------------------

static uint32_t change_reactions;

static void note_change(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)world;
    (void)reaction;
    change_reactions++;
}

// ATS-041, ATS-050, ATS-053
static void initialising_sets_both_values_and_sets_off_no_reaction(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_modifier_def start = kn_modifier_constant(health, KN_OP_OVERRIDE, 350.0f);
    kn_effect_type_id attributes =
        effect_register(s, "HeroStart", KN_DURATION_INSTANT, 0.0f, &start, 1);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "NoteChange";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = health;
    rule.function = note_change;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
    begin(s);
    add_set(s, set);
    change_reactions = 0;
    assert_int_equal(kn_attribute_init(s->world, s->entity, health, 0, 20.0f), KN_OK);
    assert_values(s, health, 20.0f, 20.0f);
    assert_int_equal(change_reactions, 0);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_INITIALISED, health, &event), 1);
    assert_true(event.data.attribute.old_value == 100.0f);
    assert_true(event.data.attribute.new_value == 20.0f);
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, health, &event), 0);

    // The other ways: an effect, and the base.
    apply(s, attributes);
    assert_values(s, health, 350.0f, 350.0f);
    set_base(s, health, 75.0f);
    assert_values(s, health, 75.0f, 75.0f);
    assert_int_equal(change_reactions, 2);
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_INITIALISED, health, &event), 0);
}

// ATS-050, ATS-051
static void starting_values_come_exactly_from_the_row_of_group_and_level(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Health", 1.0f), declare("Mana", 2.0f)};
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, defs, 2);
    static const kn_attribute_row rows[] = {
        {"Hero", "Vitals.Health", 1, 100.0f},
        {"Hero", "Vitals.Health", 3, 131.3f},
        {"Hero", "Vitals.Mana", 1, 20.0f},
        {"Minion.Red", "Vitals.Health", 1, 7.0f},
    };
    assert_int_equal(kn_attribute_table_register(s->library, rows, 4, NULL), KN_OK);
    kn_attribute_id health = find(s, "Vitals.Health"), mana = find(s, "Vitals.Mana");
    begin(s);
    add_set(s, set);
    assert_int_equal(kn_attribute_init_group(s->world, s->entity, "Hero", 3, 0), KN_OK);
    assert_true(kn_attribute_base(s->world, s->entity, health) == 131.3f);
    assert_values(s, mana, 2.0f, 2.0f); // no row: as it was
    assert_int_equal(kn_attribute_init_group(s->world, s->entity, "Hero", 1, 0), KN_OK);
    assert_values(s, health, 100.0f, 100.0f);
    assert_values(s, mana, 20.0f, 20.0f);
    // Nothing in between, no other group, no other instance.
    assert_int_equal(
        kn_attribute_init_group(s->world, s->entity, "Hero", 2, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_attribute_init_group(s->world, s->entity, "Minion", 1, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_attribute_init_group(s->world, s->entity, "Hero", 1, 9), KN_REFUSED_NOT_FOUND);
    assert_values(s, health, 100.0f, 100.0f);
}

// ATS-051
static void starting_values_do_not_depend_on_the_order_of_limits(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Health", 100.0f), declare("MaxHealth", 100.0f)};
    defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, defs, 2);
    static const kn_attribute_row rows[] = {
        {"Boss", "Vitals.Health", 1, 900.0f}, // before its limit
        {"Boss", "Vitals.MaxHealth", 1, 1000.0f},
    };
    assert_int_equal(kn_attribute_table_register(s->library, rows, 2, NULL), KN_OK);
    begin(s);
    add_set(s, set);
    assert_int_equal(kn_attribute_init_group(s->world, s->entity, "Boss", 1, 0), KN_OK);
    assert_values(s, find(s, "Vitals.MaxHealth"), 1000.0f, 1000.0f);
    assert_values(s, find(s, "Vitals.Health"), 900.0f, 900.0f);
}

// ATT-018
static void bad_rows_are_refused_as_a_whole(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 1.0f);
    set_register(s, "Vitals", no_parent, &def, 1);
    kn_error error;
    kn_attribute_row rows[] = {
        {"Hero", "Vitals.Health", 1, 100.0f}, {"Hero", "Vitals.Health", 1, 5.0f}};
    assert_int_equal(
        kn_attribute_table_register(s->library, rows, 2, &error), KN_REFUSED_DUPLICATE);
    rows[1] = (kn_attribute_row){"Hero", "Vitals.Health", 2, NAN};
    assert_int_equal(kn_attribute_table_register(s->library, rows, 2, &error), KN_ERROR_BAD_DATA);
    rows[1] = (kn_attribute_row){NULL, "Vitals.Health", 2, 1.0f};
    assert_int_equal(kn_attribute_table_register(s->library, rows, 2, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_attribute_table_register(s->library, rows, 1, &error), KN_OK);
    rows[1] = (kn_attribute_row){"Hero", "Vitals.Helath", 2, 1.0f};
    assert_int_equal(kn_attribute_table_register(s->library, &rows[1], 1, &error), KN_OK);
    assert_int_equal(kn_library_finish(s->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Vitals.Helath"));
}

static void tables_may_be_long(void **state)
{
    enum { GROUPS = 200, LEVELS = 100, COUNT = GROUPS * LEVELS };
    scene *s = *state;
    kn_attribute_def def = declare("Health", 1.0f);
    set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_row *rows = calloc(COUNT, sizeof(*rows));
    char(*names)[8] = calloc(GROUPS, sizeof(*names));
    assert_non_null(rows);
    assert_non_null(names);
    for (uint32_t i = 0; i < COUNT; i++) {
        char *name = names[i / LEVELS];
        (void)snprintf(name, sizeof(*names), "G%u", i / LEVELS);
        rows[i] = (kn_attribute_row){name, "Vitals.Health", 1 + i % LEVELS, (float)i};
    }
    kn_error error;
    kn_attribute_row last = rows[COUNT - 1];
    rows[COUNT - 1] = rows[7]; // far behind the first of its kind
    assert_int_equal(
        kn_attribute_table_register(s->library, rows, COUNT, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "row 19999: Vitals.Health of group G0 has level 8 twice");
    kn_attribute_row row;
    assert_false(kn_attribute_row_at(s->library, 0, &row));
    rows[COUNT - 1] = last;
    for (uint32_t i = 0; i < COUNT / 2; i++) { // as a file does, one by one
        assert_int_equal(kn_attribute_table_register(s->library, &rows[i], 1, &error), KN_OK);
    }
    assert_int_equal(kn_attribute_table_register(s->library, &rows[COUNT / 2 - 1], 2, &error),
        KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_attribute_table_register(s->library, &rows[COUNT / 2], COUNT / 2, &error), KN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(kn_attribute_row_at(s->library, i, &row));
        assert_string_equal(row.group, rows[i].group);
        assert_int_equal(row.level, rows[i].level);
    }
    assert_false(kn_attribute_row_at(s->library, COUNT, &row));
    assert_int_equal(
        kn_attribute_table_register(s->library, &rows[123], 1, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_library_finish(s->library, &error), KN_OK);
    free(rows);
    free(names);
}

// ATS-052
static void random_starting_values_follow_the_seed(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 1.0f);
    def.has_random = true;
    def.random_min = 10.0f;
    def.random_max = 20.0f;
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    begin(s);
    float values[2][16];
    for (uint32_t run = 0; run < 3; run++) {
        kn_world_def world_def = kn_world_def_default();
        world_def.library = s->library;
        world_def.seed = run == 2 ? 99 : 7;
        kn_world *world;
        assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
        bool all_equal = true;
        for (uint32_t i = 0; i < 16; i++) {
            kn_entity_id entity;
            assert_int_equal(kn_entity_create(world, &entity), KN_OK);
            assert_int_equal(kn_attribute_set_add(world, entity, set, 0), KN_OK);
            float value = kn_attribute_value(world, entity, health);
            assert_true(value >= 10.0f && value < 20.0f);
            assert_true(kn_attribute_base(world, entity, health) == value);
            if (run < 2) {
                values[run][i] = value;
            }
            all_equal &= value == values[0][i];
        }
        assert_int_equal(all_equal, run < 2);
        kn_world_destroy(world);
    }
    assert_true(values[0][0] != values[0][1]);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_entity_carries_any_number_of_different_sets),
        TEST(instances_of_one_set_are_told_apart_by_a_key),
        TEST(parts_with_a_known_maximum_are_slots_in_one_set),
        TEST(modifiers_on_a_removed_set_wait_for_it_to_come_back),
        TEST(an_effect_may_come_before_the_set_it_acts_on),
        TEST(initialising_sets_both_values_and_sets_off_no_reaction),
        TEST(starting_values_come_exactly_from_the_row_of_group_and_level),
        TEST(starting_values_do_not_depend_on_the_order_of_limits),
        TEST(bad_rows_are_refused_as_a_whole),
        TEST(tables_may_be_long),
        TEST(random_starting_values_follow_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
