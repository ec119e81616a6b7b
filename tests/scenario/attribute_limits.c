// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Declared limits, what moves with them, rounding, and which modifiers take part.

#include "scenario/attribute_fixture.h"

static kn_effect_type_id effect_op(fixture *f, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, amount);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(1.0f);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static void assert_value(fixture *f, kn_attribute_id attribute, float current)
{
    assert_float_equal(kn_attribute_value(f->world, f->hero, attribute), current, 1e-3f);
}

static float capture_now(fixture *f, kn_effect_type_id reader, kn_attribute_id into)
{
    set_base(f, f->hero, into, 0.0f);
    apply(f, reader);
    return kn_attribute_base(f->world, f->hero, into);
}

static kn_effect_type_id reader(
    fixture *f, const char *name, kn_attribute_id into, kn_attribute_id from, kn_capture_value what)
{
    kn_modifier_def modifier = kn_modifier_constant(into, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(from, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    modifier.magnitude.capture.value = what;
    kn_effect_def def = instant(name);
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

// Clamps ---------------------------------------------------------------------------------

static void assert_keyed(fixture *f, kn_attribute_id attribute, uint32_t key, float base)
{
    assert_float_equal(kn_attribute_base_keyed(f->world, f->hero, attribute, key), base, 0.0f);
    assert_float_equal(kn_attribute_value_keyed(f->world, f->hero, attribute, key), base, 0.0f);
}

static void set_keyed(fixture *f, kn_attribute_id attribute, uint32_t key, float value)
{
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, attribute, key, value), KN_OK);
}

// ATT-016: each instance of a set has its own limits; where an instance lacks the attribute that
// limits it, the one of the default instance does, until its own comes.
static void keyed_instances_are_limited_by_their_own_or_by_the_default_one(void **state)
{
    fixture *f = *state;
    kn_attribute_def gun_defs[] = {attribute_def("Ammo", 20.0f), attribute_def("MaxAmmo", 30.0f)};
    gun_defs[0].base_max = kn_limit_attribute("MaxAmmo");
    kn_attribute_set_id gun = set_register(f, "Gun", gun_defs, 2);
    kn_attribute_def size_def = attribute_def("Size", 50.0f),
                     stock_def = attribute_def("Stock", 10.0f);
    kn_attribute_set_id bag = set_register(f, "Bag", &size_def, 1);
    stock_def.base_max = kn_limit_attribute("Bag.Size");
    kn_attribute_set_id store = set_register(f, "Store", &stock_def, 1);
    begin_with_set(f, gun);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, gun, 7), KN_OK);
    kn_attribute_id ammo = find(f, "Gun.Ammo"), max_ammo = find(f, "Gun.MaxAmmo");
    set_keyed(f, max_ammo, 7, 10.0f);
    assert_keyed(f, ammo, 7, 10.0f);
    assert_keyed(f, ammo, 0, 20.0f);
    set_keyed(f, ammo, 7, 15.0f);
    assert_keyed(f, ammo, 7, 10.0f);
    set_keyed(f, ammo, 0, 99.0f);
    assert_keyed(f, ammo, 0, 30.0f);
    set_keyed(f, max_ammo, 0, 5.0f);
    assert_keyed(f, ammo, 0, 5.0f);
    assert_keyed(f, ammo, 7, 10.0f);

    kn_attribute_id size = find(f, "Bag.Size"), stock = find(f, "Store.Stock");
    add_set(f, f->hero, bag);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, store, 7), KN_OK);
    set_keyed(f, stock, 7, 100.0f);
    assert_keyed(f, stock, 7, 50.0f);
    set_keyed(f, size, 0, 40.0f); // it follows
    assert_keyed(f, stock, 7, 40.0f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, bag, 7), KN_OK);
    set_keyed(f, stock, 7, 100.0f);
    assert_keyed(f, stock, 7, 50.0f);
    set_keyed(f, size, 0, 1.0f); // not its own
    assert_keyed(f, stock, 7, 50.0f);
    set_keyed(f, size, 7, 15.0f);
    assert_keyed(f, stock, 7, 15.0f);
}

// TVE-040, ATT-014, ATT-016, ATS-062, ATS-063
static void a_declared_clamp_holds_for_readers_and_captures_alike(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("MoveSpeed", 600.0f), attribute_def("Read", 0.0f)};
    defs[0].min = kn_limit_constant(150.0f);
    defs[0].max = kn_limit_constant(1000.0f);
    kn_attribute_set_id set = set_register(f, "Movement", defs, 2);
    kn_attribute_id speed = find(f, "Movement.MoveSpeed"), read = find(f, "Movement.Read");
    kn_effect_type_id slow =
        effect_op(f, "Slow", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.1f);
    kn_effect_type_id final = reader(f, "Final", read, speed, KN_CAPTURE_FINAL);
    kn_effect_type_id overflow = reader(f, "Overflow", read, speed, KN_CAPTURE_OVERFLOW);
    kn_effect_type_id low = reader(f, "Low", read, speed, KN_CAPTURE_MINIMUM);
    kn_effect_type_id high = reader(f, "High", read, speed, KN_CAPTURE_MAXIMUM);
    begin_with_set(f, set);
    apply(f, slow);
    assert_values(f, speed, 600.0f, 150.0f);
    assert_float_equal(capture_now(f, final, read), 150.0f, 1e-3f);
    // What was cut off is still known: the unclamped number is 60.
    assert_float_equal(150.0f + capture_now(f, overflow, read), 60.0f, 1e-3f);
    assert_float_equal(capture_now(f, low, read), 150.0f, 0.0f);
    assert_float_equal(capture_now(f, high, read), 1000.0f, 0.0f);
}

// TVE-041, ATT-016
static void the_clamp_never_alters_stored_modifiers(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("MoveSpeed", 600.0f);
    def.min = kn_limit_constant(150.0f);
    def.max = kn_limit_constant(1000.0f);
    kn_attribute_set_id set = set_register(f, "Movement", &def, 1);
    kn_attribute_id speed = find(f, "Movement.MoveSpeed");
    kn_effect_type_id five = effect_op(f, "Five", KN_DURATION_INFINITE, speed, KN_OP_ADD, 500.0f);
    kn_effect_type_id three = effect_op(f, "Three", KN_DURATION_INFINITE, speed, KN_OP_ADD, 300.0f);
    begin_with_set(f, set);
    kn_effect_id a = apply(f, five), b = apply(f, three);
    assert_value(f, speed, 1000.0f);
    remove_effect(f, b);
    assert_value(f, speed, 1000.0f);
    remove_effect(f, a);
    assert_value(f, speed, 600.0f);
}

// ATT-016
static void base_and_current_have_limits_of_their_own_on_every_path(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Rage", 500.0f);
    def.base_min = kn_limit_constant(0.0f);
    def.base_max = kn_limit_constant(100.0f);
    def.min = kn_limit_constant(-10.0f);
    def.max = kn_limit_constant(150.0f);
    kn_attribute_set_id set = set_register(f, "Mind", &def, 1);
    kn_attribute_id rage = find(f, "Mind.Rage");
    kn_effect_type_id calm = effect_op(f, "Calm", KN_DURATION_INSTANT, rage, KN_OP_ADD, -500.0f);
    kn_effect_type_id more = effect_op(f, "More", KN_DURATION_INFINITE, rage, KN_OP_ADD, 80.0f);
    kn_effect_type_id less = effect_op(f, "Less", KN_DURATION_INFINITE, rage, KN_OP_ADD, -300.0f);
    begin_with_set(f, set);
    assert_values(f, rage, 100.0f, 100.0f); // the starting value too
    set_base(f, f->hero, rage, 1e6f);
    assert_values(f, rage, 100.0f, 100.0f);
    apply(f, more);
    assert_values(f, rage, 100.0f, 150.0f);
    apply(f, calm);
    assert_values(f, rage, 0.0f, 80.0f);
    apply(f, less);
    assert_values(f, rage, 0.0f, -10.0f);
    assert_int_equal(kn_attribute_init(f->world, f->hero, rage, 0, 700.0f), KN_OK);
    assert_values(f, rage, 100.0f, -10.0f); // 100 + 80 - 300
    float low, high;
    kn_attribute_bounds(f->world, f->hero, rage, 0, &low, &high);
    assert_true(low == -10.0f && high == 150.0f);
}

static void limits_that_contradict_themselves_are_refused(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 0.0f);
    def.min = kn_limit_constant(2.0f);
    def.max = kn_limit_constant(1.0f);
    set_register(f, "Set", &def, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Set.A"));
    assert_false(kn_library_is_finished(f->library));
}

static void base_limits_that_contradict_themselves_are_refused(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("A", 0.0f);
    def.base_min = kn_limit_constant(2.0f);
    def.base_max = kn_limit_constant(1.0f);
    set_register(f, "Set", &def, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
}

static void limits_by_unknown_attributes_or_in_a_circle_are_refused(void **state)
{
    fixture *f = *state;
    kn_attribute_def unknown = attribute_def("A", 0.0f);
    unknown.max = kn_limit_attribute("Nobody");
    set_register(f, "Set", &unknown, 1);
    kn_error error;
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Nobody"));

    kn_library *other;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &other), KN_OK);
    kn_attribute_def circle[] = {attribute_def("A", 0.0f), attribute_def("B", 0.0f)};
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
    fixture *f, float value, float min, float max, kn_link link)
{
    kn_attribute_def defs[] = {
        attribute_def("Value", value), attribute_def("Min", min), attribute_def("Max", max)};
    defs[0].base_min = defs[0].min = kn_limit_attribute("Min");
    defs[0].base_max = defs[0].max = kn_limit_attribute("Max");
    defs[0].link = link;
    defs[0].no_modifiers = true;
    return set_register(f, "R", defs, 3);
}

// The value after its limits moved, each in one write.
static float moved(float value, float min, float max, kn_link link, float new_min, float new_max)
{
    fixture *f = fixture_create(1);
    kn_attribute_set_id set = resource_register(f, value, min, max, link);
    begin_with_set(f, set);
    assert_true(kn_attribute_value(f->world, f->hero, find(f, "R.Value")) == value);
    if (new_min != min) {
        set_base(f, f->hero, find(f, "R.Min"), new_min);
    }
    if (new_max != max) {
        set_base(f, f->hero, find(f, "R.Max"), new_max);
    }
    float result = kn_attribute_value(f->world, f->hero, find(f, "R.Value"));
    assert_float_equal(kn_attribute_base(f->world, f->hero, find(f, "R.Value")), result, 0.0f);
    assert_true(fixture_destroy(f));
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
    fixture *f = *state;
    kn_attribute_set_id set = resource_register(f, 80.0f, 0.0f, 100.0f, KN_LINK_KEEP);
    kn_effect_type_id cost =
        effect_op(f, "Cost", KN_DURATION_INSTANT, find(f, "R.Value"), KN_OP_ADD, -5.0f);
    begin_with_set(f, set);
    set_base(f, f->hero, find(f, "R.Max"), 50.0f);
    assert_value(f, find(f, "R.Value"), 80.0f);
    apply(f, cost);
    assert_value(f, find(f, "R.Value"), 50.0f);
}

// MAP-022, ATT-016
static void a_resource_takes_no_temporary_modifiers_but_its_limits_do(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id set = resource_register(f, 40.0f, 0.0f, 100.0f, KN_LINK_PROPORTION);
    kn_attribute_id value = find(f, "R.Value"), max = find(f, "R.Max");
    kn_modifier_def modifier = kn_modifier_constant(value, KN_OP_ADD, 5.0f);
    kn_effect_def buff = infinite("Buff");
    buff.modifiers = &modifier;
    buff.modifier_count = 1;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &buff, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "R.Value"));
    kn_effect_type_id drink = effect_op(f, "Drink", KN_DURATION_INSTANT, value, KN_OP_ADD, 5.0f);
    kn_effect_type_id bigger =
        effect_op(f, "Bigger", KN_DURATION_INFINITE, max, KN_OP_MULTIPLY, 2.0f);
    begin_with_set(f, set);
    apply(f, drink);
    assert_values(f, value, 45.0f, 45.0f);
    kn_effect_id effect = apply(f, bigger);
    assert_values(f, value, 90.0f, 90.0f);
    remove_effect(f, effect);
    assert_values(f, value, 45.0f, 45.0f);
}

// MAP-025: health takes no lasting modifier; its maximum is a base times a stat.
static void the_maximum_of_health_is_a_base_times_a_stat(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("MaxHealth", 100.0f),
        attribute_def("Stamina", 1.5f)};
    defs[0].base_min = defs[0].min = kn_limit_constant(0.0f);
    defs[0].base_max = defs[0].max = kn_limit_attribute("MaxHealth");
    defs[0].link = KN_LINK_PROPORTION;
    defs[0].no_modifiers = true;
    kn_attribute_set_id set = set_register(f, "H", defs, 3);
    kn_attribute_id health = find(f, "H.Health"), max = find(f, "H.MaxHealth");
    kn_attribute_id stamina = find(f, "H.Stamina");
    kn_modifier_def modifier = kn_modifier_constant(max, KN_OP_MULTIPLY, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(stamina, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_def def = infinite("Vigour");
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id vigour, refused;
    vigour = effect_register(f, &def);
    def.name = "Refused";
    modifier.attribute = health;
    assert_int_equal(kn_effect_register(f->library, &def, &refused, NULL), KN_ERROR_BAD_DATA);
    kn_effect_type_id wound = effect_op(f, "Wound", KN_DURATION_INSTANT, health, KN_OP_ADD, -75.0f);
    begin_with_set(f, set);
    apply(f, vigour);
    assert_values(f, max, 100.0f, 150.0f);
    assert_values(f, health, 150.0f, 150.0f);
    apply(f, wound);
    set_base(f, f->hero, stamina, 2.0f);
    assert_values(f, max, 100.0f, 200.0f);
    assert_values(f, health, 100.0f, 100.0f);
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
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Value", 95.0f), attribute_def("Max", 100.0f)};
    defs[0].base_max = defs[0].max = kn_limit_attribute("Max");
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "R";
    def.attributes = defs;
    def.attribute_count = 2;
    def.hooks.post_change = note_post_change;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    kn_effect_type_id drink =
        effect_op(f, "Drink", KN_DURATION_INSTANT, find(f, "R.Value"), KN_OP_ADD, 15.0f);
    begin_with_set(f, set);
    apply(f, drink);
    assert_true(seen_by_post_change.old_value == 95.0f);
    assert_true(seen_by_post_change.new_value == 100.0f);
}

// Rounding ------------------------------------------------------------------------------------

static void rounding_is_the_last_step_and_halves_follow_the_rule(void **state)
{
    fixture *f = *state;
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
        defs[i] = attribute_def(cases[i].name, 0.0f);
        defs[i].rounding = cases[i].rounding;
    }
    kn_attribute_set_id set = set_register(f, "N", defs, COUNT);
    begin_with_set(f, set);
    for (uint32_t i = 0; i < COUNT; i++) {
        kn_attribute_id attribute = {find(f, "N.Nearest").index1 + i};
        set_base(f, f->hero, attribute, cases[i].in);
        assert_float_equal(kn_attribute_value(f->world, f->hero, attribute), cases[i].out, 0.0f);
    }
}

static void a_rounded_value_of_a_nonzero_base_is_at_least_one_if_declared(void **state)
{
    fixture *f = *state;
    kn_attribute_def def = attribute_def("Charges", 3.0f);
    def.rounding = KN_ROUND_HALF_AWAY;
    def.minimum_one = true;
    kn_attribute_set_id set = set_register(f, "N", &def, 1);
    kn_attribute_id charges = find(f, "N.Charges");
    kn_effect_type_id tenth =
        effect_op(f, "Tenth", KN_DURATION_INFINITE, charges, KN_OP_MULTIPLY, 0.1f);
    begin_with_set(f, set);
    apply(f, tenth);
    assert_values(f, charges, 3.0f, 1.0f);
    set_base(f, f->hero, charges, 0.0f);
    assert_values(f, charges, 0.0f, 0.0f);
}

// Which modifiers take part -----------------------------------------------------------------------

static void policy_scene(fixture *f, kn_qualify qualify, kn_policy_id policy)
{
    kn_attribute_def def = attribute_def("Speed", 600.0f);
    def.qualify = qualify;
    def.policy = policy;
    kn_attribute_set_id set = set_register(f, "M", &def, 1);
    kn_attribute_id speed = find(f, "M.Speed");
    effect_op(f, "Minus100", KN_DURATION_INFINITE, speed, KN_OP_ADD, -100.0f);
    effect_op(f, "Minus200", KN_DURATION_INFINITE, speed, KN_OP_ADD, -200.0f);
    effect_op(f, "Brief100", KN_DURATION_TIMED, speed, KN_OP_ADD, -100.0f);
    effect_op(f, "Brief200", KN_DURATION_TIMED, speed, KN_OP_ADD, -200.0f);
    effect_op(f, "Plus50", KN_DURATION_INFINITE, speed, KN_OP_ADD, 50.0f);
    effect_op(f, "Plus70", KN_DURATION_INFINITE, speed, KN_OP_ADD, 70.0f);
    effect_op(f, "Times07", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.7f);
    effect_op(f, "Times05", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 0.5f);
    effect_op(f, "Times11", KN_DURATION_INFINITE, speed, KN_OP_MULTIPLY, 1.1f);
    effect_op(f, "By4", KN_DURATION_INFINITE, speed, KN_OP_DIVIDE, 4.0f);
    effect_op(f, "By05", KN_DURATION_INFINITE, speed, KN_OP_DIVIDE, 0.5f);
    effect_op(f, "To500", KN_DURATION_INFINITE, speed, KN_OP_OVERRIDE, 500.0f);
    effect_op(f, "To900", KN_DURATION_INFINITE, speed, KN_OP_OVERRIDE, 900.0f);
    begin_with_set(f, set);
}

static kn_effect_id put(fixture *f, const char *name)
{
    return apply(f, kn_effect_type_find(f->library, name));
}

// TVE-050, ATS-090, ATS-091, ATS-092, ATS-093, MOD-023
static void only_the_strongest_slow_acts_and_the_next_takes_over(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(f, "M.Speed");
    kn_effect_id weak = put(f, "Minus100"), strong = put(f, "Minus200"), boost = put(f, "Plus50");
    assert_value(f, speed, 450.0f);
    assert_int_equal(kn_effects_count(f->world, f->hero), 3);
    kn_effect_id other_boost = put(f, "Plus70"); // all boosts act
    assert_value(f, speed, 520.0f);
    remove_effect(f, other_boost);
    remove_effect(f, strong);
    assert_value(f, speed, 550.0f);
    remove_effect(f, weak);
    assert_value(f, speed, 650.0f);
    remove_effect(f, boost);
    assert_value(f, speed, 600.0f);
}

static kn_effect_id put_for(fixture *f, const char *name, kn_time duration)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = kn_effect_type_find(f->library, name);
    def.target = f->hero;
    def.duration = duration;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

// ATS-093
static void a_slow_that_does_not_act_keeps_its_lifetime(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(f, "M.Speed");
    kn_effect_id strong = put_for(f, "Brief200", KN_S(3));
    kn_effect_id brief = put_for(f, "Brief100", KN_S(1)), later = put_for(f, "Brief100", KN_S(5));
    assert_value(f, speed, 400.0f);
    step(f, KN_S(1));
    assert_false(kn_effect_is_alive(f->world, brief)); // over, though it never acted
    assert_value(f, speed, 400.0f);
    step(f, KN_S(2));
    assert_false(kn_effect_is_alive(f->world, strong));
    assert_int_equal(kn_effect_remaining(f->world, later), KN_S(2));
    assert_value(f, speed, 500.0f);
    step(f, KN_S(2));
    assert_value(f, speed, 600.0f);
}

// TVE-051, ATS-092, ATS-095
static void negative_means_lowering_the_result_whatever_the_operation(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(f, "M.Speed");
    kn_effect_id a = put(f, "Times07"), b = put(f, "Times05"), c = put(f, "Times11");
    assert_value(f, speed, 360.0f);
    remove_effect(f, b);
    assert_value(f, speed, 480.0f);
    remove_effect(f, a);
    remove_effect(f, c);
    // A divisor above 1 lowers, one below 1 raises; 600 / 4 beats -200.
    a = put(f, "Minus200");
    b = put(f, "By4");
    assert_value(f, speed, 150.0f);
    remove_effect(f, b);
    assert_value(f, speed, 400.0f);
    remove_effect(f, a);
    c = put(f, "By05");
    assert_value(f, speed, 1200.0f);
    remove_effect(f, c);
    // An override below the base is negative too: it gives way to a stronger slow.
    put(f, "To500");
    assert_value(f, speed, 500.0f);
    b = put(f, "Minus200");
    assert_value(f, speed, 400.0f);
    remove_effect(f, b);
    assert_value(f, speed, 500.0f);
    put(f, "Minus100"); // equally strong: the older acts
    assert_value(f, speed, 500.0f);
    put(f, "To900"); // above the base, so positive: it acts besides, and the last override counts
    assert_value(f, speed, 900.0f);
}

// ATS-095
static void most_positive_lets_only_the_best_boost_act(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_MOST_POSITIVE, (kn_policy_id){0});
    kn_attribute_id speed = find(f, "M.Speed");
    put(f, "Minus100");
    assert_value(f, speed, 600.0f);
    put(f, "Plus50");
    assert_value(f, speed, 650.0f);
    put(f, "Plus70");
    assert_value(f, speed, 670.0f);
    kn_effect_id best = put(f, "To900"); // raises by 300
    assert_value(f, speed, 900.0f);
    remove_effect(f, best);
    assert_value(f, speed, 670.0f);
}

// ATS-095
static void greatest_absolute_lets_only_the_largest_influence_act(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_GREATEST_ABSOLUTE, (kn_policy_id){0});
    kn_attribute_id speed = find(f, "M.Speed");
    put(f, "Plus50");
    assert_value(f, speed, 650.0f);
    put(f, "Minus100");
    assert_value(f, speed, 500.0f);
    put(f, "Times05"); // 300
    assert_value(f, speed, 300.0f);
}

// ATS-095
static void one_per_group_lets_the_strongest_of_each_group_act(void **state)
{
    fixture *f = *state;
    kn_tag groups[2];
    groups[0] = tag_of(f, "Group.Cold");
    groups[1] = tag_of(f, "Group.Mud");
    kn_attribute_def def = attribute_def("Speed", 600.0f);
    def.qualify = KN_QUALIFY_ONE_PER_GROUP;
    kn_attribute_set_id set = set_register(f, "M", &def, 1);
    kn_attribute_id speed = find(f, "M.Speed");
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
        kn_effect_def effect = infinite(slows[i].name);
        effect.modifiers = &modifier;
        effect.modifier_count = 1;
        types[i] = effect_register(f, &effect);
    }
    begin_with_set(f, set);
    kn_effect_id effects[6];
    for (uint32_t i = 0; i < 6; i++) {
        effects[i] = apply(f, types[i]);
    }
    assert_value(f, speed, 600.0f - 80.0f - 20.0f - 3.0f);
    remove_effect(f, effects[1]);
    assert_value(f, speed, 600.0f - 50.0f - 20.0f - 3.0f);
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
    fixture *f = *state;
    kn_policy_id policy;
    assert_int_equal(
        kn_policy_register(f->library, "EvenOnly", even_only, NULL, &policy, NULL), KN_OK);
    policy_calls = 0;
    policy_scene(f, KN_QUALIFY_CUSTOM, policy);
    kn_attribute_id speed = find(f, "M.Speed");
    put(f, "Plus50");
    put(f, "Minus100");
    assert_value(f, speed, 500.0f);
    policy_calls = 0;
    put(f, "Minus200");
    assert_value(f, speed, 300.0f);
    assert_int_equal(policy_calls, 1); // for all three
    kn_explain_line lines[8];
    policy_calls = 0;
    assert_int_equal(kn_attribute_explain(f->world, f->hero, speed, 0, lines, 8), 4);
    assert_int_equal(policy_calls, 1);
    assert_float_equal(lines[3].result, 300.0f, 0.0f);
}

// ATS-095
static void without_a_policy_all_modifiers_act(void **state)
{
    fixture *f = *state;
    policy_scene(f, KN_QUALIFY_ALL, (kn_policy_id){0});
    put(f, "Minus100");
    put(f, "Minus200");
    put(f, "Plus50");
    assert_value(f, find(f, "M.Speed"), 350.0f);
}

static const struct CMUnitTest tests[] = {
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

TEST_GROUP(attribute_limits, tests, NULL, NULL);
