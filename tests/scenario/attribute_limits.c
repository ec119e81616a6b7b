// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Declared limits, what moves with them, rounding, and which modifiers take part.

#include "scenario/attribute_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static kn_attribute_set_id set_register(
    scene *s, const char *name, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.attributes = attributes;
    def.attribute_count = count;
    kn_attribute_set_id set = {0};
    assert_int_equal(kn_attribute_set_register(s->library, &def, &set, NULL), KN_OK);
    return set;
}

static kn_effect_type_id effect_op(scene *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, amount);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(1.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_id apply(scene *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->entity, s->entity, 1.0f, &effect), KN_OK);
    return effect;
}

static void drop(scene *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static kn_attribute_id find(scene *s, const char *name)
{
    kn_attribute_id attribute = kn_attribute_find(s->library, name);
    assert_int_not_equal(attribute.index1, 0);
    return attribute;
}

static void assert_values(scene *s, kn_attribute_id attribute, float base, float current)
{
    assert_float_equal(kn_attribute_base(s->world, s->entity, attribute), base, 1e-3f);
    assert_float_equal(kn_attribute_value(s->world, s->entity, attribute), current, 1e-3f);
}

static void assert_value(scene *s, kn_attribute_id attribute, float current)
{
    assert_float_equal(kn_attribute_value(s->world, s->entity, attribute), current, 1e-3f);
}

static void begin_with(scene *s, kn_attribute_set_id set)
{
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, set, 0), KN_OK);
}

static void set_base(scene *s, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, attribute, 0, value), KN_OK);
}

static float capture_now(scene *s, kn_effect_type_id reader, kn_attribute_id into)
{
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, into, 0, 0.0f), KN_OK);
    apply(s, reader);
    return kn_attribute_base(s->world, s->entity, into);
}

static kn_effect_type_id reader(
    scene *s, const char *name, kn_attribute_id into, kn_attribute_id from, kn_capture_value what)
{
    kn_modifier_def modifier = kn_modifier_constant(into, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(from, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifier.magnitude.capture.value = what;
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

// Clamps ---------------------------------------------------------------------------------

static void assert_keyed(scene *s, kn_attribute_id attribute, uint32_t key, float base)
{
    assert_float_equal(kn_attribute_base_keyed(s->world, s->entity, attribute, key), base, 0.0f);
    assert_float_equal(kn_attribute_value_keyed(s->world, s->entity, attribute, key), base, 0.0f);
}

static void set_keyed(scene *s, kn_attribute_id attribute, uint32_t key, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, attribute, key, value), KN_OK);
}

// ATT-016: each instance of a set has its own limits; where an instance lacks the attribute that
// limits it, the one of the default instance does, until its own comes.
static void keyed_instances_are_limited_by_their_own_or_by_the_default_one(void **state)
{
    scene *s = *state;
    kn_attribute_def gun_defs[] = {declare("Ammo", 20.0f), declare("MaxAmmo", 30.0f)};
    gun_defs[0].base_max = kn_limit_attribute("MaxAmmo");
    kn_attribute_set_id gun = set_register(s, "Gun", gun_defs, 2);
    kn_attribute_def size_def = declare("Size", 50.0f), stock_def = declare("Stock", 10.0f);
    kn_attribute_set_id bag = set_register(s, "Bag", &size_def, 1);
    stock_def.base_max = kn_limit_attribute("Bag.Size");
    kn_attribute_set_id store = set_register(s, "Store", &stock_def, 1);
    begin_with(s, gun);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, gun, 7), KN_OK);
    kn_attribute_id ammo = find(s, "Gun.Ammo"), max_ammo = find(s, "Gun.MaxAmmo");
    set_keyed(s, max_ammo, 7, 10.0f);
    assert_keyed(s, ammo, 7, 10.0f);
    assert_keyed(s, ammo, 0, 20.0f);
    set_keyed(s, ammo, 7, 15.0f);
    assert_keyed(s, ammo, 7, 10.0f);
    set_keyed(s, ammo, 0, 99.0f);
    assert_keyed(s, ammo, 0, 30.0f);
    set_keyed(s, max_ammo, 0, 5.0f);
    assert_keyed(s, ammo, 0, 5.0f);
    assert_keyed(s, ammo, 7, 10.0f);

    kn_attribute_id size = find(s, "Bag.Size"), stock = find(s, "Store.Stock");
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, bag, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, store, 7), KN_OK);
    set_keyed(s, stock, 7, 100.0f);
    assert_keyed(s, stock, 7, 50.0f);
    set_keyed(s, size, 0, 40.0f); // it follows
    assert_keyed(s, stock, 7, 40.0f);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, bag, 7), KN_OK);
    set_keyed(s, stock, 7, 100.0f);
    assert_keyed(s, stock, 7, 50.0f);
    set_keyed(s, size, 0, 1.0f); // not its own
    assert_keyed(s, stock, 7, 50.0f);
    set_keyed(s, size, 7, 15.0f);
    assert_keyed(s, stock, 7, 15.0f);
}

// TVE-040, ATT-014, ATT-016, ATS-062, ATS-063
static void a_declared_clamp_holds_for_readers_and_captures_alike(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("MoveSpeed", 600.0f), declare("Read", 0.0f)};
    defs[0].min = kn_limit_constant(150.0f);
    defs[0].max = kn_limit_constant(1000.0f);
    kn_attribute_set_id set = set_register(s, "Movement", defs, 2);
    kn_attribute_id speed = find(s, "Movement.MoveSpeed"), read = find(s, "Movement.Read");
    kn_effect_type_id slow =
        effect_op(s, "Slow", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.1f);
    kn_effect_type_id final = reader(s, "Final", read, speed, KN_CAPTURE_FINAL);
    kn_effect_type_id overflow = reader(s, "Overflow", read, speed, KN_CAPTURE_OVERFLOW);
    kn_effect_type_id low = reader(s, "Low", read, speed, KN_CAPTURE_MINIMUM);
    kn_effect_type_id high = reader(s, "High", read, speed, KN_CAPTURE_MAXIMUM);
    begin_with(s, set);
    apply(s, slow);
    assert_values(s, speed, 600.0f, 150.0f);
    assert_float_equal(capture_now(s, final, read), 150.0f, 1e-3f);
    // What was cut off is still known: the unclamped number is 60.
    assert_float_equal(150.0f + capture_now(s, overflow, read), 60.0f, 1e-3f);
    assert_float_equal(capture_now(s, low, read), 150.0f, 0.0f);
    assert_float_equal(capture_now(s, high, read), 1000.0f, 0.0f);
}

// TVE-041, ATT-016
static void the_clamp_never_alters_stored_modifiers(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("MoveSpeed", 600.0f);
    def.min = kn_limit_constant(150.0f);
    def.max = kn_limit_constant(1000.0f);
    kn_attribute_set_id set = set_register(s, "Movement", &def, 1);
    kn_attribute_id speed = find(s, "Movement.MoveSpeed");
    kn_effect_type_id five = effect_op(s, "Five", KN_DURATION_INFINITE, speed, KN_OP_ADD, 500.0f);
    kn_effect_type_id three = effect_op(s, "Three", KN_DURATION_INFINITE, speed, KN_OP_ADD, 300.0f);
    begin_with(s, set);
    kn_effect_id a = apply(s, five), b = apply(s, three);
    assert_value(s, speed, 1000.0f);
    drop(s, b);
    assert_value(s, speed, 1000.0f);
    drop(s, a);
    assert_value(s, speed, 600.0f);
}

// ATT-016
static void base_and_current_have_limits_of_their_own_on_every_path(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Rage", 500.0f);
    def.base_min = kn_limit_constant(0.0f);
    def.base_max = kn_limit_constant(100.0f);
    def.min = kn_limit_constant(-10.0f);
    def.max = kn_limit_constant(150.0f);
    kn_attribute_set_id set = set_register(s, "Mind", &def, 1);
    kn_attribute_id rage = find(s, "Mind.Rage");
    kn_effect_type_id calm = effect_op(s, "Calm", KN_DURATION_INSTANT, rage, KN_OP_ADD, -500.0f);
    kn_effect_type_id more = effect_op(s, "More", KN_DURATION_INFINITE, rage, KN_OP_ADD, 80.0f);
    kn_effect_type_id less = effect_op(s, "Less", KN_DURATION_INFINITE, rage, KN_OP_ADD, -300.0f);
    begin_with(s, set);
    assert_values(s, rage, 100.0f, 100.0f); // the starting value too
    set_base(s, rage, 1e6f);
    assert_values(s, rage, 100.0f, 100.0f);
    apply(s, more);
    assert_values(s, rage, 100.0f, 150.0f);
    apply(s, calm);
    assert_values(s, rage, 0.0f, 80.0f);
    apply(s, less);
    assert_values(s, rage, 0.0f, -10.0f);
    assert_int_equal(kn_attribute_init(s->world, s->entity, rage, 0, 700.0f), KN_OK);
    assert_values(s, rage, 100.0f, -10.0f); // 100 + 80 - 300
    float low, high;
    kn_attribute_bounds(s->world, s->entity, rage, 0, &low, &high);
    assert_true(low == -10.0f && high == 150.0f);
}

static void limits_that_contradict_themselves_are_refused(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("A", 0.0f);
    def.min = kn_limit_constant(2.0f);
    def.max = kn_limit_constant(1.0f);
    set_register(s, "Set", &def, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(s->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Set.A"));
    assert_false(kn_library_is_finished(s->library));
}

static void base_limits_that_contradict_themselves_are_refused(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("A", 0.0f);
    def.base_min = kn_limit_constant(2.0f);
    def.base_max = kn_limit_constant(1.0f);
    set_register(s, "Set", &def, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(s->library, &error), KN_ERROR_BAD_DATA);
}

static void limits_by_unknown_attributes_or_in_a_circle_are_refused(void **state)
{
    scene *s = *state;
    kn_attribute_def unknown = declare("A", 0.0f);
    unknown.max = kn_limit_attribute("Nobody");
    set_register(s, "Set", &unknown, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(s->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Nobody"));

    kn_library *other;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &other), KN_OK);
    kn_attribute_def circle[] = {declare("A", 0.0f), declare("B", 0.0f)};
    circle[0].max = kn_limit_attribute("B");
    circle[1].base_min = kn_limit_attribute("Set.A");
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Set";
    def.attributes = circle;
    def.attribute_count = 2;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(other, &def, &set, &error), KN_OK);
    assert_int_equal(kn_library_finish(other, &error), KN_ERROR_BAD_DATA);
    kn_library_destroy(other);
}

// Links -------------------------------------------------------------------------------------

static kn_attribute_set_id resource_register(
    scene *s, float value, float min, float max, kn_link link)
{
    kn_attribute_def defs[] = {declare("Value", value), declare("Min", min), declare("Max", max)};
    defs[0].base_min = defs[0].min = kn_limit_attribute("Min");
    defs[0].base_max = defs[0].max = kn_limit_attribute("Max");
    defs[0].link = link;
    defs[0].no_modifiers = true;
    return set_register(s, "R", defs, 3);
}

// The value after its limits moved, each in one write.
static float moved(float value, float min, float max, kn_link link, float new_min, float new_max)
{
    scene local = {0};
    scene *s = &local;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &s->library), KN_OK);
    kn_attribute_set_id set = resource_register(s, value, min, max, link);
    begin_with(s, set);
    assert_true(kn_attribute_value(s->world, s->entity, find(s, "R.Value")) == value);
    if (new_min != min) {
        set_base(s, find(s, "R.Min"), new_min);
    }
    if (new_max != max) {
        set_base(s, find(s, "R.Max"), new_max);
    }
    float result = kn_attribute_value(s->world, s->entity, find(s, "R.Value"));
    assert_float_equal(kn_attribute_base(s->world, s->entity, find(s, "R.Value")), result, 0.0f);
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    return result;
}

// SAIV-115, SAIV-116, SAIV-117, MAP-021
static void a_proportional_resource_keeps_its_place_within_the_range(void **state)
{
    (void)state;
    const kn_link keep = KN_LINK_PROPORTION;
    assert_float_equal(moved(40.0f, 0.0f, 100.0f, keep, 0.0f, 150.0f), 60.0f, 1e-3f);
    assert_float_equal(moved(40.0f, 0.0f, 100.0f, keep, 0.0f, 50.0f), 20.0f, 1e-3f);
    assert_float_equal(moved(70.0f, 20.0f, 120.0f, keep, 20.0f, 220.0f), 120.0f, 1e-3f);
    assert_float_equal(moved(50.0f, 0.0f, 100.0f, keep, 20.0f, 100.0f), 60.0f, 1e-3f);
    assert_float_equal(moved(0.0f, 0.0f, 100.0f, keep, 10.0f, 100.0f), 10.0f, 1e-3f);
    assert_float_equal(moved(100.0f, 0.0f, 100.0f, keep, 0.0f, 80.0f), 80.0f, 1e-3f);
    assert_float_equal(moved(30.0f, 0.0f, 100.0f, keep, 0.0f, 0.0f), 0.0f, 1e-3f);
    // Out of a range without width there is no place to keep: the value is merely clamped.
    assert_float_equal(moved(5.0f, 5.0f, 5.0f, keep, 5.0f, 10.0f), 5.0f, 1e-3f);
    assert_float_equal(moved(5.0f, 5.0f, 5.0f, keep, 0.0f, 5.0f), 5.0f, 1e-3f);
}

// MAP-021
static void what_a_moving_limit_does_is_declared_per_attribute(void **state)
{
    (void)state;
    assert_float_equal(moved(80.0f, 0.0f, 100.0f, KN_LINK_CLAMP, 0.0f, 50.0f), 50.0f, 0.0f);
    assert_float_equal(moved(40.0f, 0.0f, 100.0f, KN_LINK_CLAMP, 0.0f, 150.0f), 40.0f, 0.0f);
    assert_float_equal(moved(80.0f, 0.0f, 100.0f, KN_LINK_KEEP, 0.0f, 50.0f), 80.0f, 0.0f);
}

// MAP-021
static void a_kept_value_is_clamped_at_its_next_change(void **state)
{
    scene *s = *state;
    kn_attribute_set_id set = resource_register(s, 80.0f, 0.0f, 100.0f, KN_LINK_KEEP);
    kn_effect_type_id cost =
        effect_op(s, "Cost", KN_DURATION_INSTANT, find(s, "R.Value"), KN_OP_ADD, -5.0f);
    begin_with(s, set);
    set_base(s, find(s, "R.Max"), 50.0f);
    assert_value(s, find(s, "R.Value"), 80.0f);
    apply(s, cost);
    assert_value(s, find(s, "R.Value"), 50.0f);
}

// MAP-022, ATT-016
static void a_resource_takes_no_temporary_modifiers_but_its_limits_do(void **state)
{
    scene *s = *state;
    kn_attribute_set_id set = resource_register(s, 40.0f, 0.0f, 100.0f, KN_LINK_PROPORTION);
    kn_attribute_id value = find(s, "R.Value"), max = find(s, "R.Max");
    kn_modifier_def modifier = kn_modifier_constant(value, KN_OP_ADD, 5.0f);
    kn_effect_def buff = kn_effect_def_default();
    buff.name = "Buff";
    buff.duration_kind = KN_DURATION_INFINITE;
    buff.modifiers = &modifier;
    buff.modifier_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(s->library, &buff, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "R.Value"));
    kn_effect_type_id drink = effect_op(s, "Drink", KN_DURATION_INSTANT, value, KN_OP_ADD, 5.0f);
    kn_effect_type_id bigger =
        effect_op(s, "Bigger", KN_DURATION_INFINITE, max, KN_OP_MULTIPLY, 2.0f);
    begin_with(s, set);
    apply(s, drink);
    assert_values(s, value, 45.0f, 45.0f);
    kn_effect_id effect = apply(s, bigger);
    assert_values(s, value, 90.0f, 90.0f);
    drop(s, effect);
    assert_values(s, value, 45.0f, 45.0f);
}

// MAP-025: health takes no lasting modifier; its maximum is a base times a stat.
static void the_maximum_of_health_is_a_base_times_a_stat(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {
        declare("Health", 100.0f), declare("MaxHealth", 100.0f), declare("Stamina", 1.5f)};
    defs[0].base_min = defs[0].min = kn_limit_constant(0.0f);
    defs[0].base_max = defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].link = KN_LINK_PROPORTION;
    defs[0].no_modifiers = true;
    kn_attribute_set_id set = set_register(s, "H", defs, 3);
    kn_attribute_id health = find(s, "H.Health"), max = find(s, "H.MaxHealth");
    kn_attribute_id stamina = find(s, "H.Stamina");
    kn_modifier_def modifier = kn_modifier_constant(max, KN_OP_MULTIPLY, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(stamina, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Vigour";
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id vigour, refused;
    assert_int_equal(kn_effect_register(s->library, &def, &vigour, NULL), KN_OK);
    def.name = "Refused";
    modifier.attribute = health;
    assert_int_equal(kn_effect_register(s->library, &def, &refused, NULL), KN_ERROR_BAD_DATA);
    kn_effect_type_id wound = effect_op(s, "Wound", KN_DURATION_INSTANT, health, KN_OP_ADD, -75.0f);
    begin_with(s, set);
    apply(s, vigour);
    assert_values(s, max, 100.0f, 150.0f);
    assert_values(s, health, 150.0f, 150.0f);
    apply(s, wound);
    set_base(s, stamina, 2.0f);
    assert_values(s, max, 100.0f, 200.0f);
    assert_values(s, health, 100.0f, 100.0f);
}

static kn_attribute_change seen_by_post_change;

static void note_post_change(void *user, const kn_attribute_change *change)
{
    (void)user;
    seen_by_post_change = *change;
}

// MAP-023
static void the_post_change_hook_sees_the_resource_within_its_limits(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {declare("Value", 95.0f), declare("Max", 100.0f)};
    defs[0].base_max = defs[0].max = kn_limit_attribute("Max");
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "R";
    def.attributes = defs;
    def.attribute_count = 2;
    def.hooks.post_change = note_post_change;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(s->library, &def, &set, NULL), KN_OK);
    kn_effect_type_id drink =
        effect_op(s, "Drink", KN_DURATION_INSTANT, find(s, "R.Value"), KN_OP_ADD, 15.0f);
    begin_with(s, set);
    apply(s, drink);
    assert_true(seen_by_post_change.old_value == 95.0f);
    assert_true(seen_by_post_change.new_value == 100.0f);
}

// Rounding ------------------------------------------------------------------------------------

static void rounding_is_the_last_step_and_halves_follow_the_rule(void **state)
{
    scene *s = *state;
    static const struct {
        const char *name;
        kn_rounding rounding;
        float in, out;
    } cases[] = {
        {"Nearest", KN_ROUND_HALF_AWAY, 2.5f, 3.0f},
        {"NearestDown", KN_ROUND_HALF_AWAY, -2.5f, -3.0f},
        {"Guard", KN_ROUND_HALF_AWAY, 3.499999f, 4.0f},
        {"Below", KN_ROUND_HALF_AWAY, 3.4999f, 3.0f},
        {"Truncate", KN_ROUND_TRUNCATE, -2.9f, -2.0f},
        {"Up", KN_ROUND_UP, 2.1f, 3.0f},
        {"UpGuard", KN_ROUND_UP, 2.000001f, 2.0f},
        {"Down", KN_ROUND_DOWN, -2.1f, -3.0f},
        {"None", KN_ROUND_NONE, 2.3f, 2.3f},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    kn_attribute_def defs[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        defs[i] = declare(cases[i].name, 0.0f);
        defs[i].rounding = cases[i].rounding;
    }
    kn_attribute_set_id set = set_register(s, "N", defs, COUNT);
    begin_with(s, set);
    for (uint32_t i = 0; i < COUNT; i++) {
        kn_attribute_id attribute = {find(s, "N.Nearest").index1 + i};
        set_base(s, attribute, cases[i].in);
        assert_float_equal(kn_attribute_value(s->world, s->entity, attribute), cases[i].out, 0.0f);
    }
}

static void a_rounded_value_of_a_nonzero_base_is_at_least_one_if_declared(void **state)
{
    scene *s = *state;
    kn_attribute_def def = declare("Charges", 3.0f);
    def.rounding = KN_ROUND_HALF_AWAY;
    def.minimum_one = true;
    kn_attribute_set_id set = set_register(s, "N", &def, 1);
    kn_attribute_id charges = find(s, "N.Charges");
    kn_effect_type_id tenth =
        effect_op(s, "Tenth", KN_DURATION_INFINITE, charges, KN_OP_MULTIPLY, 0.1f);
    begin_with(s, set);
    apply(s, tenth);
    assert_values(s, charges, 3.0f, 1.0f);
    set_base(s, charges, 0.0f);
    assert_values(s, charges, 0.0f, 0.0f);
}

// Which modifiers take part -----------------------------------------------------------------------

static void policy_scene(scene *s, kn_qualify qualify, kn_policy_id policy)
{
    kn_attribute_def def = declare("Speed", 600.0f);
    def.qualify = qualify;
    def.policy = policy;
    kn_attribute_set_id set = set_register(s, "M", &def, 1);
    kn_attribute_id speed = find(s, "M.Speed");
    effect_op(s, "Minus100", KN_DURATION_INFINITE, speed, KN_OP_ADD, -100.0f);
    effect_op(s, "Minus200", KN_DURATION_INFINITE, speed, KN_OP_ADD, -200.0f);
    effect_op(s, "Brief100", KN_DURATION_TIMED, speed, KN_OP_ADD, -100.0f);
    effect_op(s, "Brief200", KN_DURATION_TIMED, speed, KN_OP_ADD, -200.0f);
    effect_op(s, "Plus50", KN_DURATION_INFINITE, speed, KN_OP_ADD, 50.0f);
    effect_op(s, "Plus70", KN_DURATION_INFINITE, speed, KN_OP_ADD, 70.0f);
    effect_op(s, "Times07", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.7f);
    effect_op(s, "Times05", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.5f);
    effect_op(s, "Times11", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 1.1f);
    effect_op(s, "By4", KN_DURATION_INFINITE, speed, KN_OP_DIVIDE, 4.0f);
    effect_op(s, "By05", KN_DURATION_INFINITE, speed, KN_OP_DIVIDE, 0.5f);
    effect_op(s, "To500", KN_DURATION_INFINITE, speed, KN_OP_OVERRIDE, 500.0f);
    effect_op(s, "To900", KN_DURATION_INFINITE, speed, KN_OP_OVERRIDE, 900.0f);
    begin_with(s, set);
}

static kn_effect_id put(scene *s, const char *name)
{
    return apply(s, kn_effect_type_find(s->library, name));
}

// TVE-050, ATS-090, ATS-091, ATS-092, ATS-093, MOD-023
static void only_the_strongest_slow_acts_and_the_next_takes_over(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(s, "M.Speed");
    kn_effect_id weak = put(s, "Minus100"), strong = put(s, "Minus200"), boost = put(s, "Plus50");
    assert_value(s, speed, 450.0f);
    assert_int_equal(kn_effects_count(s->world, s->entity), 3);
    kn_effect_id other_boost = put(s, "Plus70"); // all boosts act
    assert_value(s, speed, 520.0f);
    drop(s, other_boost);
    drop(s, strong);
    assert_value(s, speed, 550.0f);
    drop(s, weak);
    assert_value(s, speed, 650.0f);
    drop(s, boost);
    assert_value(s, speed, 600.0f);
}

static kn_effect_id put_for(scene *s, const char *name, kn_time duration)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = kn_effect_type_find(s->library, name);
    def.target = s->entity;
    def.duration = duration;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(s->world, &def, &effect), KN_OK);
    return effect;
}

// ATS-093
static void a_slow_that_does_not_act_keeps_its_lifetime(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(s, "M.Speed");
    kn_effect_id strong = put_for(s, "Brief200", KN_S(3));
    kn_effect_id brief = put_for(s, "Brief100", KN_S(1)), later = put_for(s, "Brief100", KN_S(5));
    assert_value(s, speed, 400.0f);
    assert_int_equal(kn_world_step(s->world, KN_S(1)), KN_OK);
    assert_false(kn_effect_is_alive(s->world, brief)); // over, though it never acted
    assert_value(s, speed, 400.0f);
    assert_int_equal(kn_world_step(s->world, KN_S(2)), KN_OK);
    assert_false(kn_effect_is_alive(s->world, strong));
    assert_int_equal(kn_effect_remaining(s->world, later), KN_S(2));
    assert_value(s, speed, 500.0f);
    assert_int_equal(kn_world_step(s->world, KN_S(2)), KN_OK);
    assert_value(s, speed, 600.0f);
}

// TVE-051, ATS-092, ATS-095
static void negative_means_lowering_the_result_whatever_the_operation(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(s, "M.Speed");
    kn_effect_id a = put(s, "Times07"), b = put(s, "Times05"), c = put(s, "Times11");
    assert_value(s, speed, 360.0f);
    drop(s, b);
    assert_value(s, speed, 480.0f);
    drop(s, a);
    drop(s, c);
    // A divisor above 1 lowers, one below 1 raises; 600 / 4 beats -200.
    a = put(s, "Minus200");
    b = put(s, "By4");
    assert_value(s, speed, 150.0f);
    drop(s, b);
    assert_value(s, speed, 400.0f);
    drop(s, a);
    c = put(s, "By05");
    assert_value(s, speed, 1200.0f);
    drop(s, c);
    // An override below the base is negative too: it gives way to a stronger slow.
    put(s, "To500");
    assert_value(s, speed, 500.0f);
    b = put(s, "Minus200");
    assert_value(s, speed, 400.0f);
    drop(s, b);
    assert_value(s, speed, 500.0f);
    put(s, "Minus100"); // equally strong: the older acts
    assert_value(s, speed, 500.0f);
    put(s, "To900"); // above the base, so positive: it acts besides, and the last override counts
    assert_value(s, speed, 900.0f);
}

// ATS-095
static void most_positive_lets_only_the_best_boost_act(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_MOST_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(s, "M.Speed");
    put(s, "Minus100");
    assert_value(s, speed, 600.0f);
    put(s, "Plus50");
    assert_value(s, speed, 650.0f);
    put(s, "Plus70");
    assert_value(s, speed, 670.0f);
    kn_effect_id best = put(s, "To900"); // raises by 300
    assert_value(s, speed, 900.0f);
    drop(s, best);
    assert_value(s, speed, 670.0f);
}

// ATS-095
static void greatest_absolute_lets_only_the_largest_influence_act(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_GREATEST_ABSOLUTE, (kn_policy_id){0});
    kn_attribute_id speed = find(s, "M.Speed");
    put(s, "Plus50");
    assert_value(s, speed, 650.0f);
    put(s, "Minus100");
    assert_value(s, speed, 500.0f);
    put(s, "Times05"); // 300
    assert_value(s, speed, 300.0f);
}

// ATS-095
static void one_per_group_lets_the_strongest_of_each_group_act(void **state)
{
    scene *s = *state;
    kn_tag groups[2];
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Group.Cold";
    assert_int_equal(kn_tag_register(s->library, &tag, &groups[0], NULL), KN_OK);
    tag.name = "Group.Mud";
    assert_int_equal(kn_tag_register(s->library, &tag, &groups[1], NULL), KN_OK);
    kn_attribute_def def = declare("Speed", 600.0f);
    def.qualify = KN_QUALIFY_ONE_PER_GROUP;
    kn_attribute_set_id set = set_register(s, "M", &def, 1);
    kn_attribute_id speed = find(s, "M.Speed");
    static const struct {
        const char *name;
        int group;
        float amount;
    } slows[] = {{"Frost", 0, -50.0f}, {"Ice", 0, -80.0f}, {"Mud", 1, -20.0f}, {"Swamp", 1, -10.0f},
        {"Alone", -1, -1.0f}, {"AloneToo", -1, -2.0f}};
    kn_effect_type_id types[6];
    for (uint32_t i = 0; i < 6; i++) {
        kn_modifier_def modifier = kn_modifier_constant(speed, KN_OP_ADD, slows[i].amount);
        modifier.group = slows[i].group >= 0 ? groups[slows[i].group] : (kn_tag){0};
        kn_effect_def effect = kn_effect_def_default();
        effect.name = slows[i].name;
        effect.duration_kind = KN_DURATION_INFINITE;
        effect.modifiers = &modifier;
        effect.modifier_count = 1;
        assert_int_equal(kn_effect_register(s->library, &effect, &types[i], NULL), KN_OK);
    }
    begin_with(s, set);
    kn_effect_id effects[6];
    for (uint32_t i = 0; i < 6; i++) {
        effects[i] = apply(s, types[i]);
    }
    assert_value(s, speed, 600.0f - 80.0f - 20.0f - 3.0f);
    drop(s, effects[1]);
    assert_value(s, speed, 600.0f - 50.0f - 20.0f - 3.0f);
}

static uint32_t policy_calls;

// Lets only modifiers with an even magnitude act.
static void even_only(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies)
{
    (void)user;
    policy_calls++;
    assert_true(base == 600.0f);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(qualifies[i]);
        assert_true(modifiers[i].influence == modifiers[i].magnitude);
        assert_int_equal(modifiers[i].stacks, 1);
        qualifies[i] = fmodf(modifiers[i].magnitude, 100.0f) == 0.0f;
    }
}

// ATS-091, ATS-094, ATS-095
static void a_registered_policy_marks_what_qualifies(void **state)
{
    scene *s = *state;
    kn_policy_id policy;
    assert_int_equal(
        kn_policy_register(s->library, "EvenOnly", even_only, NULL, &policy, NULL), KN_OK);
    policy_calls = 0;
    policy_scene(s, KN_QUALIFY_CUSTOM, policy);
    kn_attribute_id speed = find(s, "M.Speed");
    put(s, "Plus50");
    put(s, "Minus100");
    assert_value(s, speed, 500.0f);
    policy_calls = 0;
    put(s, "Minus200");
    assert_value(s, speed, 300.0f);
    assert_int_equal(policy_calls, 1); // for all three
    kn_explain_line lines[8];
    policy_calls = 0;
    assert_int_equal(kn_attribute_explain(s->world, s->entity, speed, 0, lines, 8), 4);
    assert_int_equal(policy_calls, 1);
    assert_float_equal(lines[3].result, 300.0f, 0.0f);
}

// ATS-095
static void without_a_policy_all_modifiers_act(void **state)
{
    scene *s = *state;
    policy_scene(s, KN_QUALIFY_ALL, (kn_policy_id){0});
    put(s, "Minus100");
    put(s, "Minus200");
    put(s, "Plus50");
    assert_value(s, find(s, "M.Speed"), 350.0f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keyed_instances_are_limited_by_their_own_or_by_the_default_one),
        TEST(a_declared_clamp_holds_for_readers_and_captures_alike),
        TEST(the_clamp_never_alters_stored_modifiers),
        TEST(base_and_current_have_limits_of_their_own_on_every_path),
        TEST(limits_that_contradict_themselves_are_refused),
        TEST(base_limits_that_contradict_themselves_are_refused),
        TEST(limits_by_unknown_attributes_or_in_a_circle_are_refused),
        TEST(a_proportional_resource_keeps_its_place_within_the_range),
        TEST(what_a_moving_limit_does_is_declared_per_attribute),
        TEST(a_kept_value_is_clamped_at_its_next_change),
        TEST(a_resource_takes_no_temporary_modifiers_but_its_limits_do),
        TEST(the_maximum_of_health_is_a_base_times_a_stat),
        TEST(the_post_change_hook_sees_the_resource_within_its_limits),
        TEST(rounding_is_the_last_step_and_halves_follow_the_rule),
        TEST(a_rounded_value_of_a_nonzero_base_is_at_least_one_if_declared),
        TEST(only_the_strongest_slow_acts_and_the_next_takes_over),
        TEST(a_slow_that_does_not_act_keeps_its_lifetime),
        TEST(negative_means_lowering_the_result_whatever_the_operation),
        TEST(most_positive_lets_only_the_best_boost_act),
        TEST(greatest_absolute_lets_only_the_largest_influence_act),
        TEST(one_per_group_lets_the_strongest_of_each_group_act),
        TEST(a_registered_policy_marks_what_qualifies),
        TEST(without_a_policy_all_modifiers_act),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
