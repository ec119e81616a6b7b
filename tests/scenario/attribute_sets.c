// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attribute sets on entities: adding, removing, instances, and how their values start.

#include "scenario/attribute_fixture.h"

// Sets on entities ----------------------------------------------------------------------

// ATS-002, ATS-003, ATS-005, ATS-030
static void an_entity_carries_any_number_of_different_sets(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id sets[8];
    char names[8][16];
    for (uint32_t i = 0; i < 8; i++) {
        snprintf(names[i], sizeof names[i], "Set%u", i);
        kn_attribute_def def = attribute_def("Value", (float)i);
        sets[i] = set_derive(f, names[i], i == 7 ? sets[0] : no_parent, &def, 1);
    }
    begin(f);
    for (uint32_t i = 7; i-- > 0;) {
        add_set(f, f->hero, sets[i]);
    }
    kn_attribute_set_instance there[8];
    assert_int_equal(kn_attribute_sets(f->world, f->hero, there, 8), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(there[i].set.index1, sets[6 - i].index1); // in the order of adding
        assert_int_equal(there[i].key, 0);
    }
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, sets[3], 0), KN_REFUSED_DUPLICATE);
    // The last set inherits from the first: two answers for Set0.Value would be one too many.
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, sets[7], 0), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_sets(f->world, f->hero, NULL, 0), 7);
    kn_event event = {0};
    assert_int_equal(published_of(f, KN_EVENT_SET_ADDED, (kn_attribute_id){0}, &event), 7);
    assert_int_equal(event.data.set.set.index1, sets[0].index1);
}

// ATS-005, ATS-006
static void instances_of_one_set_are_told_apart_by_a_key(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(f, "Weapon", &def, 1);
    kn_attribute_id ammo = find(f, "Weapon.Ammo");
    kn_modifier_def keyed = kn_modifier_constant(ammo, KN_OP_ADD, -1.0f);
    keyed.key = 7;
    kn_effect_type_id shot = effect_of(f, "Shot", KN_DURATION_INSTANT, &keyed, 1);
    begin(f);
    static const uint32_t keys[] = {0, 7, UINT32_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_add(f->world, f->hero, set, keys[i]), KN_OK);
    }
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, set, 7), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, ammo, UINT32_MAX, 12.0f), KN_OK);
    apply(f, shot);
    assert_true(kn_attribute_value_keyed(f->world, f->hero, ammo, 0) == 30.0f);
    assert_true(kn_attribute_value(f->world, f->hero, ammo) == 30.0f);
    assert_true(kn_attribute_value_keyed(f->world, f->hero, ammo, 7) == 29.0f);
    assert_true(kn_attribute_base_keyed(f->world, f->hero, ammo, UINT32_MAX) == 12.0f);
    assert_false(kn_attribute_exists(f->world, f->hero, ammo, 8));
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 7), KN_OK);
    assert_false(kn_attribute_exists(f->world, f->hero, ammo, 7));
    assert_true(kn_attribute_value(f->world, f->hero, ammo) == 30.0f);
    assert_true(kn_attribute_value_keyed(f->world, f->hero, ammo, UINT32_MAX) == 12.0f);
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
    fixture *f = *state;
    kn_attribute_def slots[4];
    char names[4][32];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "DamageableCompHealth%u", i);
        slots[i] = attribute_def(names[i], 0.0f);
    }
    kn_attribute_set_id set = set_register(f, "Parts", slots, 4);
    kn_attribute_id first = find(f, "Parts.DamageableCompHealth0");
    kn_attribute_id second = find(f, "Parts.DamageableCompHealth1");
    kn_effect_type_id hit = effect_add(f, "HitPart1", KN_DURATION_INSTANT, second, -15.0f);
    kn_tag slot = tag_of(f, "Data.Slot");
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "HitPart";
    execution.function = hit_part;
    execution.user = &slot;
    kn_execution_use use = {.execution = {0}};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def hit_def = instant("HitPart");
    hit_def.executions = &use;
    hit_def.execution_count = 1;
    kn_effect_type_id hit_slot = effect_register(f, &hit_def);
    begin(f);
    add_set(f, f->hero, set);
    // Two of four parts are there.
    assert_int_equal(kn_attribute_init(f->world, f->hero, first, 0, 50.0f), KN_OK);
    assert_int_equal(kn_attribute_init(f->world, f->hero, second, 0, 40.0f), KN_OK);
    apply(f, hit);
    assert_values(f, first, 50.0f, 50.0f);
    assert_values(f, second, 25.0f, 25.0f);
    for (uint32_t i = 0; i < 2; i++) {
        kn_caller_value number = {slot, (float)i};
        kn_effect_apply_def apply_def = kn_effect_apply_def_default();
        apply_def.type = hit_slot;
        apply_def.source = apply_def.target = f->hero;
        apply_def.caller_values = &number;
        apply_def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
        assert_values(f, first, 46.0f, 46.0f);
        assert_values(f, second, i == 0 ? 25.0f : 21.0f, i == 0 ? 25.0f : 21.0f);
    }
}

// ATS-030, ATS-031, ATS-032: adding and removing are changes that whoever follows the entity is
// told, and a copy has the same sets afterwards.
static void added_and_removed_sets_reach_those_who_follow(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(f, "Weapon", &def, 1);
    kn_attribute_id ammo = find(f, "Weapon.Ammo");
    begin(f);
    kn_world *copy = world_of(f, kn_world_def_default());
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    uint64_t version = kn_changes_version(f->world);
    add_set(f, f->hero, set);
    const uint32_t values = 1u << KN_PART_ATTRIBUTES;
    assert_int_equal(kn_changes_since(f->world, f->hero, version).changed & values, values);
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OTHERS);
    assert_true(kn_attribute_value(copy, f->hero, ammo) == 30.0f);
    version = kn_changes_version(f->world);
    assert_int_equal(kn_changes_since(f->world, f->hero, version).changed, 0);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 0), KN_OK);
    assert_int_equal(kn_changes_since(f->world, f->hero, version).changed & values, values);
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OTHERS);
    assert_false(kn_attribute_set_has(copy, f->hero, set, 0));
    // What comes too late, or from a copy that dropped the set first, does no harm.
    assert_int_equal(
        kn_attribute_set_base(copy, f->hero, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    add_set(f, f->hero, set);
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OTHERS);
    assert_int_equal(kn_attribute_set_remove(copy, f->hero, set, 0), KN_OK);
    set_base(f, f->hero, ammo, 12.0f);
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OTHERS);
    assert_true(kn_attribute_value(copy, f->hero, ammo) == 12.0f); // the server's word
    kn_world_destroy(copy);
}

// ATS-032
static void modifiers_on_a_removed_set_wait_for_it_to_come_back(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(f, "Weapon", &def, 1);
    kn_attribute_id ammo = find(f, "Weapon.Ammo");
    kn_effect_type_id magazine = effect_add(f, "Magazine", KN_DURATION_INFINITE, ammo, 10.0f);
    kn_effect_type_id shot = effect_add(f, "Shot", KN_DURATION_INSTANT, ammo, -1.0f);
    begin(f);
    add_set(f, f->hero, set);
    kn_effect_id active = apply(f, magazine);
    kn_event event = {0};
    published_of(f, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event);

    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 0), KN_OK);
    assert_int_equal(published_of(f, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event), 1);
    assert_int_equal(event.data.set.set.index1, set.index1);
    assert_true(kn_entity_id_equal(event.entity, f->hero));
    assert_true(kn_effect_is_alive(f->world, active));
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 1);
    assert_true(kn_attribute_value(f->world, f->hero, ammo) == 0.0f);
    // A late value is refused.
    assert_int_equal(
        kn_attribute_set_base(f->world, f->hero, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(
        kn_attribute_init(f->world, f->hero, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    apply(f, shot);
    assert_int_equal(published_of(f, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 1);
    assert_int_equal(event.data.error.code, KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(event.data.error.attribute.index1, ammo.index1);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 0), KN_REFUSED_NOT_FOUND);

    add_set(f, f->hero, set);
    assert_values(f, ammo, 30.0f, 40.0f);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 0);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, set, 0), KN_OK);
    remove_effect(f, active);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 0);
    assert_int_equal(kn_world_get_stats(f->world).modifiers, 0);
    add_set(f, f->hero, set);
    assert_values(f, ammo, 30.0f, 30.0f);
}

// ATS-032
static void an_effect_may_come_before_the_set_it_acts_on(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(f, "Weapon", &def, 1);
    kn_attribute_id ammo = find(f, "Weapon.Ammo");
    kn_effect_type_id magazine = effect_add(f, "Magazine", KN_DURATION_INFINITE, ammo, 10.0f);
    begin(f);
    apply(f, magazine);
    assert_int_equal(kn_world_get_stats(f->world).parked_modifiers, 1);
    assert_false(kn_attribute_exists(f->world, f->hero, ammo, 0));
    add_set(f, f->hero, set);
    assert_values(f, ammo, 30.0f, 40.0f);
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
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 100.0f);
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_modifier_def start = kn_modifier_constant(health, KN_OP_OVERRIDE, 350.0f);
    kn_effect_type_id attributes = effect_of(f, "HeroStart", KN_DURATION_INSTANT, &start, 1);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "NoteChange";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = health;
    rule.function = note_change;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    begin(f);
    add_set(f, f->hero, set);
    change_reactions = 0;
    assert_int_equal(kn_attribute_init(f->world, f->hero, health, 0, 20.0f), KN_OK);
    assert_values(f, health, 20.0f, 20.0f);
    assert_int_equal(change_reactions, 0);
    kn_event event = {0};
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_INITIALISED, health, &event), 1);
    assert_true(event.data.attribute.old_value == 100.0f);
    assert_true(event.data.attribute.new_value == 20.0f);
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, health, &event), 0);

    // The other ways: an effect, and the base.
    apply(f, attributes);
    assert_values(f, health, 350.0f, 350.0f);
    set_base(f, f->hero, health, 75.0f);
    assert_values(f, health, 75.0f, 75.0f);
    assert_int_equal(change_reactions, 2);
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_INITIALISED, health, &event), 0);
}

// ATS-050, ATS-051
static void starting_values_come_exactly_from_the_row_of_group_and_level(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 1.0f), attribute_def("Mana", 2.0f)};
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 2);
    static const kn_attribute_row rows[] = {
        {"Hero", "Vitals.Health", 1, 100.0f},
        {"Hero", "Vitals.Health", 3, 131.3f},
        {"Hero", "Vitals.Mana", 1, 20.0f},
        {"Minion.Red", "Vitals.Health", 1, 7.0f},
    };
    assert_int_equal(kn_attribute_table_register(f->library, rows, 4, NULL), KN_OK);
    kn_attribute_id health = find(f, "Vitals.Health"), mana = find(f, "Vitals.Mana");
    begin(f);
    add_set(f, f->hero, set);
    assert_int_equal(kn_attribute_init_group(f->world, f->hero, "Hero", 3, 0), KN_OK);
    assert_true(kn_attribute_base(f->world, f->hero, health) == 131.3f);
    assert_values(f, mana, 2.0f, 2.0f); // no row: as it was
    assert_int_equal(kn_attribute_init_group(f->world, f->hero, "Hero", 1, 0), KN_OK);
    assert_values(f, health, 100.0f, 100.0f);
    assert_values(f, mana, 20.0f, 20.0f);
    // Nothing in between, no other group, no other instance.
    assert_int_equal(
        kn_attribute_init_group(f->world, f->hero, "Hero", 2, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_attribute_init_group(f->world, f->hero, "Minion", 1, 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_attribute_init_group(f->world, f->hero, "Hero", 1, 9), KN_REFUSED_NOT_FOUND);
    assert_values(f, health, 100.0f, 100.0f);
}

// ATS-051
static void starting_values_do_not_depend_on_the_order_of_limits(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("MaxHealth", 100.0f)};
    defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_id set = set_register(f, "Vitals", defs, 2);
    static const kn_attribute_row rows[] = {
        {"Boss", "Vitals.Health", 1, 900.0f}, // before its limit
        {"Boss", "Vitals.MaxHealth", 1, 1000.0f},
    };
    assert_int_equal(kn_attribute_table_register(f->library, rows, 2, NULL), KN_OK);
    begin(f);
    add_set(f, f->hero, set);
    assert_int_equal(kn_attribute_init_group(f->world, f->hero, "Boss", 1, 0), KN_OK);
    assert_values(f, find(f, "Vitals.MaxHealth"), 1000.0f, 1000.0f);
    assert_values(f, find(f, "Vitals.Health"), 900.0f, 900.0f);
}

// ATT-018
static void bad_rows_are_refused_as_a_whole(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 1.0f);
    set_register(f, "Vitals", &def, 1);
    kn_error error;
    kn_attribute_row rows[] = {
        {"Hero", "Vitals.Health", 1, 100.0f}, {"Hero", "Vitals.Health", 1, 5.0f}};
    assert_int_equal(
        kn_attribute_table_register(f->library, rows, 2, &error), KN_REFUSED_DUPLICATE);
    rows[1] = (kn_attribute_row){"Hero", "Vitals.Health", 2, NAN};
    assert_int_equal(kn_attribute_table_register(f->library, rows, 2, &error), KN_ERROR_BAD_DATA);
    rows[1] = (kn_attribute_row){NULL, "Vitals.Health", 2, 1.0f};
    assert_int_equal(kn_attribute_table_register(f->library, rows, 2, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_attribute_table_register(f->library, rows, 1, &error), KN_OK);
    rows[1] = (kn_attribute_row){"Hero", "Vitals.Helath", 2, 1.0f};
    assert_int_equal(kn_attribute_table_register(f->library, &rows[1], 1, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Vitals.Helath"));
}

static void tables_may_be_long(void **state)
{
    enum { GROUPS = 200, LEVELS = 100, COUNT = GROUPS * LEVELS };
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 1.0f);
    set_register(f, "Vitals", &def, 1);
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
        kn_attribute_table_register(f->library, rows, COUNT, &error), KN_REFUSED_DUPLICATE);
    assert_string_equal(error.message, "row 19999: Vitals.Health of group G0 has level 8 twice");
    kn_attribute_row row;
    assert_false(kn_attribute_row_at(f->library, 0, &row));
    rows[COUNT - 1] = last;
    for (uint32_t i = 0; i < COUNT / 2; i++) { // as a file does, one by one
        assert_int_equal(kn_attribute_table_register(f->library, &rows[i], 1, &error), KN_OK);
    }
    assert_int_equal(kn_attribute_table_register(f->library, &rows[COUNT / 2 - 1], 2, &error),
        KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_attribute_table_register(f->library, &rows[COUNT / 2], COUNT / 2, &error), KN_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(kn_attribute_row_at(f->library, i, &row));
        assert_string_equal(row.group, rows[i].group);
        assert_int_equal(row.level, rows[i].level);
    }
    assert_false(kn_attribute_row_at(f->library, COUNT, &row));
    assert_int_equal(
        kn_attribute_table_register(f->library, &rows[123], 1, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_library_finish(f->library, &error), KN_OK);
    free(rows);
    free(names);
}

// Health follows its maximum in every way there is; whichever comes first, in the set, in the table
// or in the archetype, both are what was given. An attribute that is not given follows.
static void values_set_together_are_what_was_given_in_any_order(void **state)
{
    fixture *f = *state;
    static const kn_link links[] = {KN_LINK_CLAMP, KN_LINK_KEEP, KN_LINK_PROPORTION};
    kn_archetype_id archetypes[2][2][3];
    kn_attribute_set_id sets[2][3];
    for (uint32_t i = 0; i < 6; i++) {
        bool max_first = i >= 3;
        kn_attribute_def defs[3] = {attribute_def("Health", 100.0f), attribute_def("Max", 100.0f),
            attribute_def("Shield", 50)};
        defs[0].max = defs[2].max = kn_limit_attribute("Max");
        defs[0].min = defs[2].min = kn_limit_constant(0.0f);
        defs[0].link = defs[2].link = links[i % 3];
        kn_attribute_def swapped = defs[0];
        if (max_first) {
            defs[0] = defs[1];
            defs[1] = swapped;
        }
        char name[16], health[24], max[24];
        snprintf(name, sizeof name, "Set%u", i);
        snprintf(health, sizeof health, "%s.Health", name);
        snprintf(max, sizeof max, "%s.Max", name);
        sets[max_first][i % 3] = set_register(f, name, defs, 3);
        kn_attribute_row rows[] = {{"A", health, i, 80.0f}, {"A", max, i, 80.0f},
            {"B", max, i, 80.0f}, {"B", health, i, 80.0f}};
        assert_int_equal(kn_attribute_table_register(f->library, rows, 4, NULL), KN_OK);
        for (uint32_t order = 0; order < 2; order++) {
            kn_archetype_value values[2] = {
                {find(f, health), kn_constant(80.0f)}, {find(f, max), kn_constant(80.0f)}};
            kn_archetype_value first = values[order];
            values[1] = values[1 - order];
            values[0] = first;
            char own[16];
            snprintf(own, sizeof own, "Kind%u%u", i, order);
            kn_archetype_def def = kn_archetype_def_default();
            def.name = own;
            def.sets = &sets[max_first][i % 3];
            def.set_count = 1;
            def.values = values;
            def.value_count = 2;
            assert_int_equal(
                kn_archetype_register(f->library, &def, &archetypes[order][max_first][i % 3], NULL),
                KN_OK);
        }
    }
    begin(f);
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t set = i % 6, order = i / 6 % 2, max_first = set >= 3;
        char health[24], max[24], shield[24];
        snprintf(health, sizeof health, "Set%u.Health", set);
        snprintf(max, sizeof max, "Set%u.Max", set);
        snprintf(shield, sizeof shield, "Set%u.Shield", set);
        kn_entity_id entity;
        if (i < 12) {
            entity = entity_create(f);
            add_set(f, entity, sets[max_first][set % 3]);
            assert_int_equal(
                kn_attribute_init_group(f->world, entity, order == 0 ? "A" : "B", set, 0), KN_OK);
        } else {
            assert_int_equal(
                kn_archetype_spawn(f->world, archetypes[order][max_first][set % 3], 1.0f, &entity),
                KN_OK);
        }
        assert_true(kn_attribute_value(f->world, entity, find(f, health)) == 80.0f);
        assert_true(kn_attribute_base(f->world, entity, find(f, health)) == 80.0f);
        assert_true(kn_attribute_value(f->world, entity, find(f, max)) == 80.0f);
        assert_true(kn_attribute_value(f->world, entity, find(f, shield)) ==
                    (links[set % 3] == KN_LINK_PROPORTION ? 40.0f : 50.0f));
        // Afterwards it follows as ever.
        set_base(f, entity, find(f, max), 40.0f);
        assert_true(kn_attribute_value(f->world, entity, find(f, health)) ==
                    (links[set % 3] == KN_LINK_KEEP ? 80.0f : 40.0f));
    }
}

static bool is_initialised(const fixture *f, kn_attribute_id attribute, float old, float value)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ATTRIBUTE_INITIALISED &&
            events.data[i].data.attribute.attribute.index1 == attribute.index1) {
            return events.data[i].data.attribute.old_value == old &&
                   events.data[i].data.attribute.new_value == value;
        }
    }
    return false;
}

// More rows than fit into a few: each has its own old value.
static void large_groups_of_starting_values_are_set_at_once(void **state)
{
    enum { MANY = 300 };
    fixture *f = *state;
    static kn_attribute_def defs[MANY];
    static char names[MANY][16], paths[MANY][24];
    static kn_attribute_row rows[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "A%u", i);
        snprintf(paths[i], sizeof paths[i], "Set.A%u", i);
        defs[i] = attribute_def(names[i], (float)i);
        rows[i] = (kn_attribute_row){"Many", paths[i], 1, (float)(i + 1000)};
    }
    f->set = set_register(f, "Set", defs, MANY);
    assert_int_equal(kn_attribute_table_register(f->library, rows, MANY, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_attribute_init_group(f->world, f->hero, "Many", 1, 0), KN_OK);
    step(f, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(is_initialised(f, find(f, paths[i]), (float)i, (float)(i + 1000)));
    }
}

static void roll_health(void *user, kn_execution *execution)
{
    const kn_attribute_id *health = user;
    float rolled = 10.0f + 10.0f * kn_random_float(kn_execution_world(execution), 0);
    kn_execution_output(execution, *health, 0, KN_OP_OVERRIDE, rolled);
}

// ATS-052: by the declaration, or by an initialising effect that draws.
static void random_starting_values_follow_the_seed(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Health", 1.0f);
    def.has_random = true;
    def.random_min = 10.0f;
    def.random_max = 20.0f;
    kn_attribute_set_id set = set_register(f, "Vitals", &def, 1);
    kn_attribute_id health = find(f, "Vitals.Health");
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Roll";
    execution.function = roll_health;
    execution.user = &health;
    kn_execution_use use = {.execution = {0}};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def start = instant("Start");
    start.executions = &use;
    start.execution_count = 1;
    kn_effect_type_id rolls = effect_register(f, &start);
    begin(f);
    float values[2][16];
    float rolled[2][16];
    for (uint32_t run = 0; run < 3; run++) {
        kn_world_def world_def = kn_world_def_default();
        world_def.library = f->library;
        world_def.seed = run == 2 ? 99 : 7;
        kn_world *world;
        assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
        for (uint32_t i = 0; i < 16; i++) {
            kn_entity_id entity;
            assert_int_equal(kn_entity_create(world, &entity), KN_OK);
            assert_int_equal(kn_attribute_set_add(world, entity, set, 0), KN_OK);
            float value = kn_attribute_value(world, entity, health);
            assert_true(value >= 10.0f && value < 20.0f);
            assert_true(kn_attribute_base(world, entity, health) == value);
            assert_int_equal(
                kn_effect_apply_simple(world, rolls, entity, entity, 1.0f, NULL), KN_OK);
            float other = kn_attribute_value(world, entity, health);
            assert_true(other >= 10.0f && other < 20.0f && other != value);
            assert_true(kn_attribute_base(world, entity, health) == other);
            if (run < 2) {
                values[run][i] = value;
                rolled[run][i] = other;
            }
            assert_int_equal(value == values[0][i], run < 2);
            assert_int_equal(other == rolled[0][i], run < 2);
        }
        kn_world_destroy(world);
    }
    assert_true(values[0][0] != values[0][1]);
    assert_true(rolled[0][0] != rolled[0][1]);
}

static const struct CMUnitTest tests[] = {
    TEST(an_entity_carries_any_number_of_different_sets),
    TEST(instances_of_one_set_are_told_apart_by_a_key),
    TEST(parts_with_a_known_maximum_are_slots_in_one_set),
    TEST(added_and_removed_sets_reach_those_who_follow),
    TEST(modifiers_on_a_removed_set_wait_for_it_to_come_back),
    TEST(an_effect_may_come_before_the_set_it_acts_on),
    TEST(initialising_sets_both_values_and_sets_off_no_reaction),
    TEST(starting_values_come_exactly_from_the_row_of_group_and_level),
    TEST(starting_values_do_not_depend_on_the_order_of_limits),
    TEST(values_set_together_are_what_was_given_in_any_order),
    TEST(large_groups_of_starting_values_are_set_at_once),
    TEST(bad_rows_are_refused_as_a_whole),
    TEST(tables_may_be_long),
    TEST(random_starting_values_follow_the_seed),
};

TEST_GROUP(attribute_sets, tests, NULL, NULL);
