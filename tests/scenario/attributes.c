// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Attributes and sets: base and current values, how they start, who is told, what derives from
// what.

#include "knack/knack.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
} scene;

static scene the_scene;

static int setup(void **state)
{
    memset(&the_scene, 0, sizeof the_scene);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the_scene.library), KN_OK);
    *state = &the_scene;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    if (s->world != NULL) {
        assert_true(kn_world_validate(s->world));
        kn_world_destroy(s->world);
    }
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

// Finishes the library, and makes a world with one entity.
static void begin(scene *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = entity_create(s);
}

static kn_attribute_def declare(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    return def;
}

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

static kn_result try_set(scene *s, const char *name, kn_attribute_def attribute, kn_error *error)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = &attribute;
    def.attribute_count = 1;
    kn_attribute_set_id set = {77};
    kn_result result = kn_attribute_set_register(s->library, &def, &set, error);
    assert_true((result == KN_OK) == (set.index1 != 0));
    return result;
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

// One attribute reads another: target += coefficient x source, live.
static kn_effect_type_id effect_derive(scene *s, const char *name, kn_attribute_id to,
    kn_attribute_id from, float coefficient, bool snapshot)
{
    kn_modifier_def modifier = kn_modifier_constant(to, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(from, KN_FROM_TARGET, snapshot, coefficient);
    return effect_register(s, name, KN_INFINITE, 0.0f, &modifier, 1);
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

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static const kn_attribute_set_id no_parent = {0};

// Base and current --------------------------------------------------------------------

// TVE-001, ATT-001, ATT-010, ATT-011, ATT-012
static void a_temporary_effect_changes_the_current_value_until_it_ends(void **state)
{
    scene *s = *state;
    kn_attribute_def speed = declare("MoveSpeed", 600.0f);
    kn_attribute_set_id set = set_register(s, "Movement", no_parent, &speed, 1);
    kn_attribute_id move_speed = find(s, "Movement.MoveSpeed");
    kn_effect_type_id sprint = effect_add(s, "Sprint", KN_DURATION, move_speed, 50.0f);
    begin(s);
    add_set(s, set);
    assert_values(s, move_speed, 600.0f, 600.0f);
    apply(s, sprint);
    assert_values(s, move_speed, 600.0f, 650.0f);
    assert_int_equal(kn_world_step(s->world, KN_MS(4999)), KN_OK);
    assert_values(s, move_speed, 600.0f, 650.0f);
    assert_int_equal(kn_world_step(s->world, KN_MS(1)), KN_OK);
    assert_values(s, move_speed, 600.0f, 600.0f);
}

// TVE-002, ATT-011, ATT-012
static void instant_effects_change_the_base_under_a_temporary_one(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_effect_type_id wound = effect_add(s, "Wound", KN_INSTANT, health, -30.0f);
    kn_effect_type_id scratch = effect_add(s, "Scratch", KN_INSTANT, health, -10.0f);
    kn_effect_type_id ward = effect_add(s, "Ward", KN_INFINITE, health, 20.0f);
    begin(s);
    add_set(s, set);
    apply(s, wound);
    assert_values(s, health, 70.0f, 70.0f);
    kn_effect_id active = apply(s, ward);
    assert_values(s, health, 70.0f, 90.0f);
    apply(s, scratch);
    assert_values(s, health, 60.0f, 80.0f);
    assert_int_equal(kn_effect_remove(s->world, active, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_values(s, health, 60.0f, 60.0f);
}

// ATT-011
static void ticks_of_a_periodic_effect_change_the_base_for_good(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_ADD, -5.0f);
    kn_effect_def poison = kn_effect_def_default();
    poison.name = "Poison";
    poison.duration_kind = KN_INFINITE;
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(1.0f);
    poison.skip_first_tick = true;
    poison.modifiers = &modifier;
    poison.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(s->library, &poison, &type, NULL), KN_OK);
    begin(s);
    add_set(s, set);
    kn_effect_id effect = apply(s, type);
    assert_int_equal(kn_world_step(s->world, KN_MS(900)), KN_OK);
    assert_values(s, health, 100.0f, 100.0f);
    assert_int_equal(kn_world_step(s->world, KN_MS(2100)), KN_OK);
    assert_values(s, health, 85.0f, 85.0f);
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_values(s, health, 85.0f, 85.0f);
}

// ATT-013, ATT-017, ATS-007, ATS-041
static void setting_the_base_keeps_the_modifiers_and_has_no_maximum(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_modifier_def twice = kn_modifier_constant(health, KN_OP_MULTIPLY, 2.0f);
    kn_effect_type_id type = effect_register(s, "Twice", KN_INFINITE, 0.0f, &twice, 1);
    begin(s);
    add_set(s, set);
    apply(s, type);
    set_base(s, health, 250.0f);
    assert_values(s, health, 250.0f, 500.0f);
    set_base(s, health, -3.0f);
    assert_values(s, health, -3.0f, -6.0f);
}

// TVE-093
static void an_effect_made_at_run_time_overrides_the_base(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    begin(s);
    add_set(s, set);
    kn_modifier_def modifier = kn_modifier_constant(health, KN_OP_OVERRIDE, 42.0f);
    kn_effect_def made = kn_effect_def_default();
    made.name = "MadeNow";
    made.modifiers = &modifier;
    made.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(s->world, &made, &type, NULL), KN_OK);
    apply(s, type);
    assert_values(s, health, 42.0f, 42.0f);
}

// Declaring ---------------------------------------------------------------------------

// ATS-001, ATS-003, ATS-004, ATT-003
static void inherited_attributes_keep_the_name_of_the_set_that_declared_them(void **state)
{
    scene *s = *state;
    kn_attribute_def vitals[] = {declare("Health", 100.0f), declare("Stamina", 50.0f)};
    kn_attribute_set_id base = set_register(s, "Vitals", no_parent, vitals, 2);
    kn_attribute_def mana = declare("Mana", 30.0f);
    kn_attribute_set_id hero = set_register(s, "HeroVitals", base, &mana, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    assert_int_equal(kn_attribute_find(s->library, "HeroVitals.Health").index1, 0);
    assert_string_equal(kn_attribute_name(s->library, health), "Vitals.Health");
    assert_int_equal(kn_attribute_set_of(s->library, health).index1, base.index1);
    assert_string_equal(kn_attribute_set_name(s->library, hero), "HeroVitals");
    assert_int_equal(kn_attribute_count(s->library), 3);
    begin(s);
    add_set(s, hero);
    assert_values(s, health, 100.0f, 100.0f);
    assert_values(s, find(s, "HeroVitals.Mana"), 30.0f, 30.0f);
    assert_true(kn_attribute_set_has(s->world, s->entity, hero, 0));
    assert_false(kn_attribute_set_has(s->world, s->entity, base, 0));
}

// ATT-004, ATS-040, ATS-045, ATS-046
static void one_table_declares_everything_about_an_attribute(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Gold", 5.0f), declare("Damage", 0.0f)};
    defs[0].sync = KN_SYNC_OWNER;
    defs[0].is_hidden = true;
    defs[0].decimals = 2;
    defs[0].display_name = "Gold coins";
    defs[0].min = kn_limit_constant(0.0f);
    defs[1].is_meta = true;
    defs[1].sync = KN_SYNC_NONE;
    set_register(s, "Purse", no_parent, defs, 2);
    memset(defs, 0, sizeof defs); // registration copied it
    const kn_attribute_def *gold = kn_attribute_get_def(s->library, find(s, "Purse.Gold"));
    assert_string_equal(gold->name, "Gold");
    assert_string_equal(gold->display_name, "Gold coins");
    assert_int_equal(gold->sync, KN_SYNC_OWNER);
    assert_true(gold->is_hidden);
    assert_int_equal(gold->decimals, 2);
    assert_true(gold->min.is_set);
    const kn_attribute_def *damage = kn_attribute_get_def(s->library, find(s, "Purse.Damage"));
    assert_true(damage->is_meta);
    assert_int_equal(damage->sync, KN_SYNC_NONE);
    assert_int_equal(kn_attribute_def_default().sync, KN_SYNC_ALL);
    assert_null(kn_attribute_get_def(s->library, (kn_attribute_id){0}));
    assert_null(kn_attribute_get_def(s->library, (kn_attribute_id){3}));
}

// ATT-005
static void renamed_sets_and_attributes_are_found_under_their_old_names(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Health", 100.0f), declare("Mana", 1.0f)};
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, defs, 2);
    kn_error error;
    assert_int_equal(
        kn_attribute_redirect(s->library, "Vitals.HP", "Vitals.Health", &error), KN_OK);
    assert_int_equal(
        kn_attribute_redirect(s->library, "Vitals.Hitpoints", "Vitals.HP", &error), KN_OK);
    assert_int_equal(kn_attribute_redirect(s->library, "Stats", "Vitals", &error), KN_OK);
    kn_attribute_id health = find(s, "Vitals.Health");
    assert_int_equal(find(s, "Vitals.HP").index1, health.index1);
    assert_int_equal(find(s, "Vitals.Hitpoints").index1, health.index1);
    assert_int_equal(find(s, "Stats.Mana").index1, find(s, "Vitals.Mana").index1);
    assert_int_equal(find(s, "Stats.HP").index1, health.index1);
    assert_int_equal(kn_attribute_set_find(s->library, "Stats").index1, set.index1);
    assert_int_equal(kn_attribute_redirect(s->library, "Vitals.HP", "Vitals.Hitpoints", &error),
        KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Vitals.HP"));
    assert_int_equal(find(s, "Vitals.HP").index1, health.index1);
    assert_int_equal(kn_attribute_find(s->library, "Vitals.Nothing").index1, 0);
    assert_int_equal(kn_attribute_find(s->library, NULL).index1, 0);
    assert_int_equal(kn_attribute_set_find(s->library, "Nothing").index1, 0);
}

// ATT-018
static void bad_declarations_are_refused_and_leave_no_trace(void **state)
{
    scene *s = *state;
    kn_error error;
    kn_attribute_def good = declare("Health", 1.0f);
    kn_attribute_def bad = good;
    bad.default_value = NAN;
    assert_int_not_equal(try_set(s, "A", bad, &error), KN_OK);
    bad.default_value = INFINITY;
    assert_int_not_equal(try_set(s, "A", bad, &error), KN_OK);
    bad = good;
    bad.max = kn_limit_constant(NAN);
    assert_int_not_equal(try_set(s, "A", bad, &error), KN_OK);
    bad = good;
    bad.has_random = true;
    bad.random_min = 2.0f;
    bad.random_max = 1.0f;
    assert_int_equal(try_set(s, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.random_max = INFINITY;
    assert_int_not_equal(try_set(s, "A", bad, &error), KN_OK);
    bad = good;
    bad.name = "He.alth";
    assert_int_equal(try_set(s, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.name = "";
    assert_int_equal(try_set(s, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad.name = NULL;
    assert_int_not_equal(try_set(s, "A", bad, &error), KN_OK);
    bad = good;
    bad.qualify = KN_QUALIFY_CUSTOM;
    assert_int_equal(try_set(s, "A", bad, &error), KN_ERROR_BAD_DATA);
    bad = good;
    bad.event_kind = "Damage"; // not meta
    assert_int_equal(try_set(s, "A", bad, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_attribute_count(s->library), 0);

    assert_int_equal(try_set(s, "A", good, &error), KN_OK);
    assert_int_equal(try_set(s, "A", good, &error), KN_REFUSED_DUPLICATE);
    kn_assert_set_handler(ignore_assert);
    bad = good;
    bad.cookie = 0;
    assert_int_equal(try_set(s, "B", bad, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_not_equal(try_set(s, NULL, good, &error), KN_OK);
    assert_int_not_equal(try_set(s, "", good, &error), KN_OK);
    kn_assert_set_handler(NULL);
    kn_attribute_def twice[] = {good, good};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "B";
    def.attributes = twice;
    def.attribute_count = 2;
    kn_attribute_set_id set;
    assert_int_equal(
        kn_attribute_set_register(s->library, &def, &set, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_attribute_count(s->library), 1);
    assert_int_equal(kn_library_finish(s->library, &error), KN_OK);
    assert_int_equal(try_set(s, "C", good, &error), KN_ERROR_WORLD_LOCKED);
}

// Sets on entities ----------------------------------------------------------------------

// ATS-002, ATS-003, ATS-005, ATS-008, ATS-030
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
    kn_effect_type_id shot = effect_register(s, "Shot", KN_INSTANT, 0.0f, &keyed, 1);
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
    kn_effect_type_id hit = effect_add(s, "HitPart1", KN_INSTANT, second, -15.0f);
    begin(s);
    add_set(s, set);
    // Two of four parts are there.
    assert_int_equal(kn_attribute_init(s->world, s->entity, first, 0, 50.0f), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, second, 0, 40.0f), KN_OK);
    apply(s, hit);
    assert_values(s, first, 50.0f, 50.0f);
    assert_values(s, second, 25.0f, 25.0f);
}

// ATS-030, ATS-031, ATS-032, TVE-136
static void modifiers_on_a_removed_set_wait_for_it_to_come_back(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Ammo", 30.0f);
    kn_attribute_set_id set = set_register(s, "Weapon", no_parent, &def, 1);
    kn_attribute_id ammo = find(s, "Weapon.Ammo");
    kn_effect_type_id magazine = effect_add(s, "Magazine", KN_INFINITE, ammo, 10.0f);
    kn_effect_type_id shot = effect_add(s, "Shot", KN_INSTANT, ammo, -1.0f);
    begin(s);
    add_set(s, set);
    kn_effect_id active = apply(s, magazine);
    kn_event event;
    count_events(s, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event);

    assert_int_equal(kn_attribute_set_remove(s->world, s->entity, set, 0), KN_OK);
    assert_int_equal(count_events(s, KN_EVENT_SET_REMOVED, (kn_attribute_id){0}, &event), 1);
    assert_true(kn_effect_is_alive(s->world, active));
    assert_int_equal(kn_world_get_stats(s->world).parked_modifiers, 1);
    assert_true(kn_attribute_value(s->world, s->entity, ammo) == 0.0f);
    // A late value is ignored and counted.
    assert_int_equal(
        kn_attribute_set_base(s->world, s->entity, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_int_equal(
        kn_attribute_init(s->world, s->entity, ammo, 0, 5.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    kn_result late = kn_effect_apply_simple(s->world, shot, s->entity, s->entity, 1.0f, NULL);
    assert_true(late == KN_OK || late == KN_REFUSED_MISSING_ATTRIBUTE);
    if (late == KN_OK) {
        assert_int_equal(count_events(s, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 1);
        assert_int_equal(event.data.error.code, KN_REFUSED_MISSING_ATTRIBUTE);
        assert_int_equal(event.data.error.attribute.index1, ammo.index1);
    }
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
    kn_effect_type_id magazine = effect_add(s, "Magazine", KN_INFINITE, ammo, 10.0f);
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

// ATS-050, ATS-053
static void initialising_sets_both_values_and_sets_off_no_reaction(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_modifier_def start = kn_modifier_constant(health, KN_OP_OVERRIDE, 350.0f);
    kn_effect_type_id attributes = effect_register(s, "HeroStart", KN_INSTANT, 0.0f, &start, 1);
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

// Listening -----------------------------------------------------------------------------

typedef struct heard {
    uint32_t count;
    float old_value, new_value;
    kn_effect_id effect;
} heard;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    heard *h = user;
    h->count++;
    h->old_value = event->data.attribute.old_value;
    h->new_value = event->data.attribute.new_value;
    h->effect = event->data.attribute.effect;
}

// ATT-002, ATT-050, ATT-051, ATT-052, ATS-044
static void listeners_get_old_and_new_value_and_the_effect(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Health", 100.0f), declare("Mana", 10.0f)};
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, defs, 2);
    kn_attribute_id health = find(s, "Vitals.Health"), mana = find(s, "Vitals.Mana");
    kn_effect_type_id ward = effect_add(s, "Ward", KN_INFINITE, health, 20.0f);
    kn_effect_type_id wound = effect_add(s, "Wound", KN_INSTANT, health, -5.0f);
    begin(s);
    add_set(s, set);
    heard h = {0};
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.entity = s->entity;
    def.attribute = health;
    def.function = hear;
    def.user = &h;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(s->world, &def, &listener), KN_OK);

    kn_effect_id active = apply(s, ward);
    set_base(s, mana, 3.0f); // another attribute
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_int_equal(h.count, 1);
    assert_true(h.old_value == 100.0f && h.new_value == 120.0f);
    assert_true(kn_effect_id_equal(h.effect, active));

    apply(s, wound);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_int_equal(h.count, 2);
    assert_true(h.old_value == 120.0f && h.new_value == 115.0f);
    assert_true(kn_effect_id_is_null(h.effect));

    set_base(s, health, 95.0f); // no change: nobody is told
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
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
            kn_entity_add_tag(world, reaction->entity, rule->dead, KN_ORIGIN_LOOSE, 1), KN_OK);
    }
}

// ATT-053, ATT-054
static void a_rule_kills_when_health_reaches_zero(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_effect_type_id wound = effect_add(s, "Wound", KN_INSTANT, health, -40.0f);
    death_rule death;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Dead";
    assert_int_equal(kn_tag_register(s->library, &tag, &death.dead, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Death";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = health;
    rule.function = die_at_zero;
    rule.user = &death;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
    begin(s);
    add_set(s, set);
    apply(s, wound);
    apply(s, wound);
    assert_false(kn_entity_has_tag(s->world, s->entity, death.dead));
    apply(s, wound);
    assert_true(kn_entity_has_tag(s->world, s->entity, death.dead));
    apply(s, wound);
    assert_int_equal(kn_entity_tag_count(s->world, s->entity, death.dead), 1);
}

// Derived attributes ------------------------------------------------------------------------

// TVE-060, ATT-070, ATT-071, ATT-072, ATT-073
static void a_derived_attribute_follows_with_one_notice_per_change(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("A", 10.0f), declare("B", 5.0f), declare("C", 3.0f)};
    kn_attribute_set_id set = set_register(s, "Set", no_parent, defs, 3);
    kn_attribute_id a = find(s, "Set.A"), b = find(s, "Set.B"), c = find(s, "Set.C");
    kn_modifier_def modifiers[] = {
        kn_modifier_constant(a, KN_OP_ADD, 0.0f), kn_modifier_constant(a, KN_OP_MULTIPLY, 0.0f)};
    modifiers[0].magnitude = kn_magnitude_attribute(b, KN_FROM_TARGET, false, 1.0f);
    modifiers[1].magnitude = kn_magnitude_attribute(c, KN_FROM_TARGET, false, 2.0f);
    kn_effect_type_id derive = effect_register(s, "Derive", KN_INFINITE, 0.0f, modifiers, 2);
    begin(s);
    add_set(s, set);
    kn_effect_id active = apply(s, derive);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_values(s, a, 10.0f, 90.0f);

    set_base(s, b, 10.0f);
    assert_values(s, a, 10.0f, 120.0f);
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_true(event.data.attribute.old_value == 90.0f);
    set_base(s, c, 1.0f);
    assert_values(s, a, 10.0f, 40.0f);
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, a, &event), 1);
    assert_true(event.data.attribute.old_value == 120.0f);
    assert_true(event.data.attribute.new_value == 40.0f);

    assert_int_equal(kn_effect_remove(s->world, active, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_values(s, a, 10.0f, 10.0f);
    set_base(s, b, 1.0f);
    assert_values(s, a, 10.0f, 10.0f);
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
    scene *s = *state;
    kn_attribute_def defs[] = {declare("A", 1.0f), declare("B", 5.0f), declare("C", 3.0f)};
    kn_attribute_set_id set = set_register(s, "Set", no_parent, defs, 3);
    kn_attribute_id a = find(s, "Set.A"), b = find(s, "Set.B"), c = find(s, "Set.C");
    const kn_capture captures[] = {
        {.attribute = b, .from = KN_FROM_TARGET}, {.attribute = c, .from = KN_FROM_TARGET}};
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "SquareOfDifference";
    def.captures = captures;
    def.capture_count = 2;
    def.function = square_of_difference;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(s->library, &def, &calculation, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(a, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_calculation(calculation);
    kn_effect_type_id derive = effect_register(s, "Derive", KN_INFINITE, 0.0f, &modifier, 1);
    begin(s);
    add_set(s, set);
    apply(s, derive);
    assert_values(s, a, 1.0f, 5.0f);
    set_base(s, b, 6.0f);
    assert_values(s, a, 1.0f, 10.0f);
    set_base(s, c, 6.0f);
    assert_values(s, a, 1.0f, 1.0f);
}

// ATT-075
static void each_dependent_is_recomputed_once_after_what_it_depends_on(void **state)
{
    scene *s = *state;
    // Base -> Left, Right -> Top: a diamond. Top must never see one side only.
    kn_attribute_def defs[] = {declare("Root", 1.0f), declare("Left", 0.0f), declare("Right", 0.0f),
        declare("Top", 0.0f), declare("Far", 0.0f)};
    kn_attribute_set_id set = set_register(s, "D", no_parent, defs, 5);
    kn_attribute_id root = find(s, "D.Root"), left = find(s, "D.Left"), top = find(s, "D.Top");
    kn_attribute_id right = find(s, "D.Right"), far = find(s, "D.Far");
    const kn_effect_type_id types[] = {
        effect_derive(s, "TopFromLeft", top, left, 1.0f, false),
        effect_derive(s, "FarFromTop", far, top, 2.0f, false),
        effect_derive(s, "TopFromRight", top, right, 10.0f, false),
        effect_derive(s, "TopFromRoot", top, root, 1000.0f, false),
        effect_derive(s, "LeftFromRoot", left, root, 3.0f, false),
        effect_derive(s, "RightFromRoot", right, root, 5.0f, false),
    };
    begin(s);
    add_set(s, set);
    for (uint32_t i = 0; i < 6; i++) {
        apply(s, types[i]);
    }
    assert_values(s, top, 0.0f, 1053.0f);
    assert_values(s, far, 0.0f, 2106.0f);
    kn_event event;
    count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, top, &event);

    set_base(s, root, 2.0f);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t changes = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        changes += events.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED;
    }
    assert_int_equal(changes, 5); // one each
    assert_values(s, left, 0.0f, 6.0f);
    assert_values(s, top, 0.0f, 2106.0f);
    assert_values(s, far, 0.0f, 4212.0f);
    assert_int_equal(events.data[events.count - 1].data.attribute.attribute.index1, far.index1);
}

// ATT-075
static void a_cycle_of_dependencies_is_refused_when_it_would_close(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("A", 1.0f), declare("B", 2.0f), declare("C", 3.0f)};
    kn_attribute_set_id set = set_register(s, "Set", no_parent, defs, 3);
    kn_attribute_id a = find(s, "Set.A"), b = find(s, "Set.B"), c = find(s, "Set.C");
    kn_effect_type_id self = effect_derive(s, "AFromA", a, a, 1.0f, false);
    kn_effect_type_id a_b = effect_derive(s, "AFromB", a, b, 1.0f, false);
    kn_effect_type_id b_c = effect_derive(s, "BFromC", b, c, 1.0f, false);
    kn_effect_type_id c_a = effect_derive(s, "CFromA", c, a, 1.0f, false);
    kn_effect_type_id c_a_once = effect_derive(s, "CFromAOnce", c, a, 1.0f, true);
    begin(s);
    add_set(s, set);
    kn_effect_id none;
    assert_int_equal(kn_effect_apply_simple(s->world, self, s->entity, s->entity, 1.0f, &none),
        KN_REFUSED_CYCLE);
    kn_effect_id first = apply(s, a_b);
    apply(s, b_c);
    assert_values(s, a, 1.0f, 6.0f);
    assert_int_equal(
        kn_effect_apply_simple(s->world, c_a, s->entity, s->entity, 1.0f, &none), KN_REFUSED_CYCLE);
    assert_true(kn_effect_id_is_null(none));
    assert_int_equal(kn_effects_count(s->world, s->entity), 2);
    assert_values(s, c, 3.0f, 3.0f);
    // Read once is no cycle, and neither is the same pair of attributes of another entity.
    apply(s, c_a_once);
    assert_values(s, c, 3.0f, 9.0f);
    assert_values(s, a, 1.0f, 12.0f);
    // With one link gone the circle stays open.
    assert_int_equal(kn_effect_remove(s->world, first, 0, KN_REMOVED_BY_CALL), KN_OK);
    apply(s, c_a);
    assert_values(s, c, 3.0f, 10.0f);
    assert_int_equal(
        kn_effect_apply_simple(s->world, a_b, s->entity, s->entity, 1.0f, &none), KN_REFUSED_CYCLE);
}

// ATT-075
static void a_cycle_through_a_declared_limit_is_refused_too(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Health", 100.0f), declare("MaxHealth", 200.0f)};
    defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].base_max = kn_limit_attribute("MaxHealth");
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, defs, 2);
    kn_attribute_id health = find(s, "Vitals.Health"), maximum = find(s, "Vitals.MaxHealth");
    // The maximum shrinks with what it limits: 0.9999 x Health would take thousands of rounds.
    kn_modifier_def modifier = kn_modifier_constant(maximum, KN_OP_OVERRIDE, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(health, KN_FROM_TARGET, false, 0.9999f);
    kn_effect_type_id shrink = effect_register(s, "Shrink", KN_INFINITE, 0.0f, &modifier, 1);
    begin(s);
    add_set(s, set);
    assert_int_equal(kn_effect_apply_simple(s->world, shrink, s->entity, s->entity, 1.0f, NULL),
        KN_REFUSED_CYCLE);
    assert_values(s, health, 100.0f, 100.0f);
    assert_values(s, maximum, 200.0f, 200.0f);
}

// ATT-074
static void derived_attributes_work_in_every_world_of_a_process(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("A", 1.0f), declare("B", 2.0f)};
    kn_attribute_set_id set = set_register(s, "Set", no_parent, defs, 2);
    kn_attribute_id a = find(s, "Set.A"), b = find(s, "Set.B");
    kn_effect_type_id derive = effect_derive(s, "AFromB", a, b, 1.0f, false);
    begin(s);
    kn_world *worlds[3];
    kn_entity_id entities[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_world_def def = kn_world_def_default();
        def.library = s->library;
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
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_tag amount;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Data.Amount";
    assert_int_equal(kn_tag_register(s->library, &tag, &amount, NULL), KN_OK);
    kn_modifier_def by_caller = kn_modifier_constant(health, KN_OP_ADD, 0.0f);
    by_caller.magnitude = kn_magnitude_set_by_caller(amount);
    kn_effect_type_id instant = effect_register(s, "Instant", KN_INSTANT, 0.0f, &by_caller, 1);
    kn_effect_type_id lasting = effect_register(s, "Lasting", KN_INFINITE, 0.0f, &by_caller, 1);
    kn_modifier_def nan = kn_modifier_constant(health, KN_OP_ADD, NAN);
    kn_effect_def bad = kn_effect_def_default();
    bad.name = "Bad";
    bad.modifiers = &nan;
    bad.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_not_equal(kn_effect_register(s->library, &bad, &type, NULL), KN_OK);
    begin(s);
    add_set(s, set);

    static const float numbers[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_attribute_set_base(s->world, s->entity, health, 0, numbers[i]),
            KN_REFUSED_BAD_NUMBER);
        assert_int_equal(
            kn_attribute_init(s->world, s->entity, health, 0, numbers[i]), KN_REFUSED_BAD_NUMBER);
        kn_caller_value value = {amount, numbers[i]};
        kn_effect_apply_def apply_def = kn_effect_apply_def_default();
        apply_def.target = s->entity;
        apply_def.caller_values = &value;
        apply_def.caller_value_count = 1;
        apply_def.type = instant;
        assert_int_equal(kn_effect_apply(s->world, &apply_def, NULL), KN_REFUSED_BAD_NUMBER);
        apply_def.type = lasting;
        assert_int_equal(kn_effect_apply(s->world, &apply_def, NULL), KN_REFUSED_BAD_NUMBER);
    }
    assert_values(s, health, 100.0f, 100.0f);
    assert_int_equal(kn_effects_count(s->world, s->entity), 0);
}

// ATT-018
static void a_value_that_would_overflow_keeps_what_it_was(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 3e38f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    kn_effect_type_id instant = effect_add(s, "Instant", KN_INSTANT, health, 3e38f);
    kn_effect_type_id lasting = effect_add(s, "Lasting", KN_INFINITE, health, 3e38f);
    begin(s);
    add_set(s, set);
    (void)kn_effect_apply_simple(s->world, instant, s->entity, s->entity, 1.0f, NULL);
    (void)kn_effect_apply_simple(s->world, lasting, s->entity, s->entity, 1.0f, NULL);
    assert_true(kn_attribute_base(s->world, s->entity, health) == 3e38f);
    assert_true(kn_attribute_value(s->world, s->entity, health) == 3e38f);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_ERROR, (kn_attribute_id){0}, &event), 2);
    assert_int_equal(event.data.error.code, KN_REFUSED_BAD_NUMBER);
}

static void null_and_stale_ids_read_as_absent_and_write_nothing(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Health", 100.0f);
    kn_attribute_set_id set = set_register(s, "Vitals", no_parent, &def, 1);
    kn_attribute_id health = find(s, "Vitals.Health");
    begin(s);
    add_set(s, set);
    kn_world *world = s->world;
    kn_entity_id gone = entity_create(s);
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
        assert_true(kn_attribute_value(world, s->entity, none) == 0.0f);
        assert_false(kn_attribute_exists(world, s->entity, none, 0));
        assert_int_equal(
            kn_attribute_set_base(world, s->entity, none, 0, 1.0f), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(
            kn_attribute_init(world, s->entity, none, 0, 1.0f), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_attribute_explain(world, s->entity, none, 0, &line, 1), 0);
        assert_string_equal(kn_attribute_name(s->library, none), "");
        kn_attribute_set_id no_set = {none.index1};
        assert_int_not_equal(kn_attribute_set_add(world, s->entity, no_set, 5), KN_OK);
        assert_int_not_equal(kn_attribute_set_remove(world, s->entity, no_set, 0), KN_OK);
        assert_false(kn_attribute_set_has(world, s->entity, no_set, 0));
    }
    assert_int_equal(
        kn_attribute_init_group(world, s->entity, NULL, 1, 0), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(
        kn_attribute_set_base(world, s->entity, health, 3, 1.0f), KN_REFUSED_MISSING_ATTRIBUTE);
    assert_values(s, health, 100.0f, 100.0f);
}

static void a_static_attribute_takes_its_starting_value_and_nothing_else(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Size", 2.0f);
    def.is_static = true;
    kn_attribute_set_id set = set_register(s, "Body", no_parent, &def, 1);
    kn_attribute_id size = find(s, "Body.Size");
    kn_modifier_def modifier = kn_modifier_constant(size, KN_OP_ADD, 1.0f);
    kn_effect_def grow = kn_effect_def_default();
    grow.name = "Grow";
    grow.modifiers = &modifier;
    grow.modifier_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(s->library, &grow, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Body.Size"));
    begin(s);
    add_set(s, set);
    assert_int_equal(kn_attribute_init(s->world, s->entity, size, 0, 3.0f), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, size, 0, 9.0f), KN_REFUSED_BLOCKED);
    assert_values(s, size, 3.0f, 3.0f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_temporary_effect_changes_the_current_value_until_it_ends),
        TEST(instant_effects_change_the_base_under_a_temporary_one),
        TEST(ticks_of_a_periodic_effect_change_the_base_for_good),
        TEST(setting_the_base_keeps_the_modifiers_and_has_no_maximum),
        TEST(an_effect_made_at_run_time_overrides_the_base),
        TEST(inherited_attributes_keep_the_name_of_the_set_that_declared_them),
        TEST(one_table_declares_everything_about_an_attribute),
        TEST(renamed_sets_and_attributes_are_found_under_their_old_names),
        TEST(bad_declarations_are_refused_and_leave_no_trace),
        TEST(an_entity_carries_any_number_of_different_sets),
        TEST(instances_of_one_set_are_told_apart_by_a_key),
        TEST(parts_with_a_known_maximum_are_slots_in_one_set),
        TEST(modifiers_on_a_removed_set_wait_for_it_to_come_back),
        TEST(an_effect_may_come_before_the_set_it_acts_on),
        TEST(initialising_sets_both_values_and_sets_off_no_reaction),
        TEST(starting_values_come_exactly_from_the_row_of_group_and_level),
        TEST(starting_values_do_not_depend_on_the_order_of_limits),
        TEST(bad_rows_are_refused_as_a_whole),
        TEST(random_starting_values_follow_the_seed),
        TEST(listeners_get_old_and_new_value_and_the_effect),
        TEST(a_rule_kills_when_health_reaches_zero),
        TEST(a_derived_attribute_follows_with_one_notice_per_change),
        TEST(a_calculation_fixes_the_order_of_operations),
        TEST(each_dependent_is_recomputed_once_after_what_it_depends_on),
        TEST(a_cycle_of_dependencies_is_refused_when_it_would_close),
        TEST(derived_attributes_work_in_every_world_of_a_process),
        TEST(numbers_that_are_not_finite_never_get_in),
        TEST(a_value_that_would_overflow_keeps_what_it_was),
        TEST(null_and_stale_ids_read_as_absent_and_write_nothing),
        TEST(a_static_attribute_takes_its_starting_value_and_nothing_else),
        TEST(a_cycle_through_a_declared_limit_is_refused_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
