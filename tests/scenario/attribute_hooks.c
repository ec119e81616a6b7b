// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of attribute sets: when each is called, what it may do, and meta attributes.

#define FIXTURE_OWN                                                                                \
    kn_attribute_id shield, derived, xp, gold;                                                     \
    kn_attribute_set_id hooked;                                                                    \
    kn_effect_type_id reward;                                                                      \
    uint32_t calls;                                                                                \
    float number;                                                                                  \
    float old_value, old_base, base_before_change; /* what the hooks were handed */                \
    kn_tag after_change, after_base; /* given by the hooks: their place among events */

#include "scenario/attribute_fixture.h"

static kn_attribute_set_id set_with_hooks(fixture *f, const char *name, kn_attribute_set_id parent,
    const kn_attribute_hooks *hooks, const kn_attribute_def *attributes, uint32_t count)
{
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = name;
    def.parent = parent;
    def.attributes = attributes;
    def.attribute_count = count;
    if (hooks != NULL) {
        def.hooks = *hooks;
    }
    kn_attribute_set_id set = {0};
    assert_int_equal(kn_attribute_set_register(f->library, &def, &set, NULL), KN_OK);
    return set;
}

// Hooks that write down that they were called, and check what is stored at that moment ----------

static bool note_pre_execute(void *user, kn_execute_data *data)
{
    fixture *f = user;
    note(f, "pre_execute ");
    assert_true(kn_attribute_base(data->world, data->entity, data->attribute) == 100.0f);
    return true;
}

static float note_pre_base(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    note(f, "pre_base ");
    assert_true(
        kn_attribute_base(change->world, change->entity, change->attribute) == change->old_value);
    return change->new_value;
}

static float note_pre_change(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    note(f, "pre_change ");
    f->base_before_change = kn_attribute_base(change->world, change->entity, change->attribute);
    assert_true(
        kn_attribute_value(change->world, change->entity, change->attribute) == change->old_value);
    return change->new_value;
}

static void note_post_change(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    note(f, "post_change ");
    assert_true(
        kn_attribute_value(change->world, change->entity, change->attribute) == change->new_value);
    assert_true(change->old_value != change->new_value);
    f->old_value = change->old_value;
    if (f->after_change.index1 != 0) {
        assert_int_equal(kn_entity_add_tag(change->world, change->entity, f->after_change,
                             KN_TAG_ORIGIN_LOOSE, 1),
            KN_OK);
    }
}

static void note_post_base(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    note(f, "post_base ");
    assert_true(
        kn_attribute_base(change->world, change->entity, change->attribute) == change->new_value);
    f->old_base = change->old_value;
    if (f->after_base.index1 != 0) {
        assert_int_equal(
            kn_entity_add_tag(change->world, change->entity, f->after_base, KN_TAG_ORIGIN_LOOSE, 1),
            KN_OK);
    }
}

static void note_post_execute(void *user, const kn_execute_data *data)
{
    fixture *f = user;
    note(f, "post_execute ");
    assert_non_null(data->spec);
    assert_true(data->new_base == kn_attribute_base(data->world, data->entity, data->attribute));
    f->number = data->old_base;
}

static float note_derived(void *user, const kn_attribute_change *change)
{
    note(user, "dependent ");
    return change->new_value;
}

static void noting_scene(fixture *f)
{
    kn_attribute_hooks hooks = {f, note_pre_execute, note_pre_base, note_post_base, note_pre_change,
        note_post_change, note_post_execute};
    kn_attribute_def health = attribute_def("Health", 100.0f);
    f->hooked = set_with_hooks(f, "Vitals", no_parent, &hooks, &health, 1);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    kn_attribute_hooks derived_hooks = {.user = f, .pre_change = note_derived};
    kn_attribute_def derived = attribute_def("Rage", 0.0f);
    kn_attribute_set_id rage = set_with_hooks(f, "Mind", no_parent, &derived_hooks, &derived, 1);
    f->derived = kn_attribute_find(f->library, "Mind.Rage");
    kn_modifier_def modifier = kn_modifier_constant(f->derived, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(f->health, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_type_id derive = effect_of(f, "Derive", KN_DURATION_INFINITE, &modifier, 1);
    effect_add(f, "Wound", KN_DURATION_INSTANT, f->health, -10.0f);
    kn_tag off = tag_of(f, "Off");
    (void)tag_of(f, "AfterChange");
    (void)tag_of(f, "AfterBase");
    kn_modifier_def twenty = kn_modifier_constant(f->health, KN_OP_ADD, 20.0f);
    kn_effect_def ward = infinite("Ward");
    ward.modifiers = &twenty;
    ward.modifier_count = 1;
    ward.stacking.kind = KN_STACK_BY_TARGET;
    ward.ongoing.target.ignored = (kn_tags){&off, 1};
    (void)effect_register(f, &ward);
    kn_modifier_def tick = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    kn_effect_def poison = infinite("Poison");
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(1.0f);
    poison.modifiers = &tick;
    poison.modifier_count = 1;
    (void)effect_register(f, &poison);
    begin(f);
    add_set(f, f->hero, f->hooked);
    add_set(f, f->hero, rage);
    apply(f, derive);
    f->log[0] = '\0';
}

static kn_effect_type_id type_of(fixture *f, const char *name)
{
    return kn_effect_type_find(f->library, name);
}

// The events of the last step, as names of tags and attributes.
static void assert_events(fixture *f, const char *expected)
{
    kn_events events = kn_world_events(f->world);
    f->log[0] = '\0';
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        bool is_tag = event->type == KN_EVENT_TAG_CHANGED;
        if (is_tag || event->type == KN_EVENT_ATTRIBUTE_CHANGED) {
            note(f, "%s ",
                is_tag ? kn_tag_name(f->library, event->data.tag.tag)
                       : kn_attribute_name(f->library, event->data.attribute.attribute));
        }
    }
    assert_string_equal(f->log, expected);
}

// ATS-061, ATS-080, ATS-081, ATS-082, ATT-052
static void an_executed_modifier_runs_all_hooks_in_order(void **state)
{
    fixture *f = *state;
    noting_scene(f);
    apply(f, type_of(f, "Wound"));
    assert_string_equal(
        f->log, "pre_execute pre_base pre_change post_change post_base post_execute dependent ");
    assert_true(f->number == 100.0f);
    assert_true(f->old_value == 100.0f && f->old_base == 100.0f);
    assert_true(f->base_before_change == 90.0f); // stored before the value is evaluated
    assert_values(f, f->health, 90.0f, 90.0f);
    assert_values(f, f->derived, 0.0f, 90.0f);
    // Old base and old value are told apart.
    apply(f, type_of(f, "Ward"));
    assert_true(f->old_value == 90.0f);
    set_base(f, f->hero, f->health, 30.0f);
    assert_true(f->old_value == 110.0f && f->old_base == 90.0f);
}

// ATS-082, ATS-083
static void listeners_come_between_the_hooks_of_value_and_base(void **state)
{
    fixture *f = *state;
    noting_scene(f);
    set_base(f, f->hero, f->health, 100.0f);
    step(f, 0);
    f->after_change = kn_tag_find(f->library, "AfterChange");
    f->after_base = kn_tag_find(f->library, "AfterBase");
    apply(f, type_of(f, "Wound"));
    step(f, 0);
    assert_events(f, "AfterChange Vitals.Health AfterBase Mind.Rage ");

    assert_int_equal(
        kn_entity_set_tag_count(f->world, f->hero, f->after_change, KN_TAG_ORIGIN_LOOSE, 0), KN_OK);
    step(f, 0);
    apply(f, type_of(f, "Ward"));
    step(f, 0);
    assert_events(f, "AfterChange Vitals.Health Mind.Rage ");
}

// What a derived set does not give itself it has from its parent, with the parent's user.
static void a_derived_set_has_the_hooks_of_its_parent(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {f, note_pre_execute, note_pre_base, note_post_base, note_pre_change,
        note_post_change, note_post_execute};
    kn_attribute_def health = attribute_def("Health", 100.0f);
    kn_attribute_set_id parent = set_with_hooks(f, "Vitals", no_parent, &hooks, &health, 1);
    kn_attribute_def extra = attribute_def("Luck", 1.0f);
    f->hooked = set_with_hooks(f, "Hero", parent, NULL, &extra, 1);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    effect_add(f, "Wound", KN_DURATION_INSTANT, f->health, -10.0f);
    begin(f);
    add_set(f, f->hero, f->hooked);
    f->log[0] = '\0';
    apply(f, type_of(f, "Wound"));
    assert_string_equal(
        f->log, "pre_execute pre_base pre_change post_change post_base post_execute ");
    assert_values(f, f->health, 90.0f, 90.0f);
}

// ATS-060, ATS-065, ATS-074, ATS-083
static void a_temporary_modifier_runs_only_the_change_hooks(void **state)
{
    fixture *f = *state;
    noting_scene(f);
    kn_effect_id ward = apply(f, type_of(f, "Ward"));
    assert_string_equal(f->log, "pre_change post_change dependent ");
    f->log[0] = '\0';
    assert_int_equal(kn_effect_set_stacks(f->world, ward, 2), KN_OK); // another stack
    assert_string_equal(f->log, "pre_change post_change dependent ");
    f->log[0] = '\0';
    kn_tag off = kn_tag_find(f->library, "Off"); // switched off, and on again
    add_tag(f, f->hero, off);
    assert_string_equal(f->log, "pre_change post_change dependent ");
    remove_tag(f, f->hero, off);
    f->log[0] = '\0';
    remove_effect(f, ward);
    assert_string_equal(f->log, "pre_change post_change dependent ");
}

// ATS-061, ATS-081
static void a_setter_runs_base_and_change_hooks_but_no_execute_hooks(void **state)
{
    fixture *f = *state;
    noting_scene(f);
    set_base(f, f->hero, f->health, 55.0f);
    assert_string_equal(f->log, "pre_base pre_change post_change post_base dependent ");
    f->log[0] = '\0';
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->health, 0, 44.0f), KN_OK);
    assert_null(strstr(f->log, "base"));
    assert_null(strstr(f->log, "execute"));
}

// ATS-070
static void every_tick_of_a_periodic_effect_is_an_execute(void **state)
{
    fixture *f = *state;
    noting_scene(f);
    apply(f, type_of(f, "Poison"));
    assert_string_equal(f->log, "pre_execute pre_base pre_change post_base post_execute ");
    f->log[0] = '\0';
    step(f, KN_S(2));
    assert_string_equal(f->log, "pre_execute pre_base pre_change post_base post_execute "
                                "pre_execute pre_base pre_change post_base post_execute ");
    // Only those: a base value that code sets is none.
    f->log[0] = '\0';
    set_base(f, f->hero, f->health, 55.0f);
    assert_null(strstr(f->log, "execute"));
    assert_non_null(strstr(f->log, "post_base"));
}

// Answers of hooks -------------------------------------------------------------------------

static bool halve_or_discard(void *user, kn_execute_data *data)
{
    fixture *f = user;
    f->calls++;
    data->magnitude *= 0.5f;
    return data->magnitude > -50.0f;
}

// ATS-080
static void the_pre_execute_hook_changes_the_magnitude_or_discards_it(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {.user = f, .pre_execute = halve_or_discard};
    kn_attribute_def def = attribute_def("Health", 100.0f);
    f->hooked = set_with_hooks(f, "Vitals", no_parent, &hooks, &def, 1);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    kn_effect_type_id small = effect_add(f, "Small", KN_DURATION_INSTANT, f->health, -20.0f);
    kn_effect_type_id big = effect_add(f, "Big", KN_DURATION_INSTANT, f->health, -100.0f);
    kn_effect_type_id lasting = effect_add(f, "Lasting", KN_DURATION_INFINITE, f->health, -100.0f);
    begin(f);
    add_set(f, f->hero, f->hooked);
    apply(f, small);
    assert_values(f, f->health, 90.0f, 90.0f);
    (void)kn_effect_apply_simple(f->world, big, f->hero, f->hero, 1.0f, NULL);
    assert_values(f, f->health, 90.0f, 90.0f);
    assert_int_equal(f->calls, 2);
    apply(f, lasting); // no execute, no hook
    assert_values(f, f->health, 90.0f, -10.0f);
    assert_int_equal(f->calls, 2);
}

static float clamp_speed(void *user, const kn_attribute_change *change)
{
    (void)user;
    float value = change->new_value;
    return value < 150.0f ? 150.0f : value > 1000.0f ? 1000.0f : value;
}

static void speed_scene(fixture *f)
{
    kn_attribute_hooks hooks = {.pre_change = clamp_speed};
    kn_attribute_def def = attribute_def("MoveSpeed", 600.0f);
    f->hooked = set_with_hooks(f, "Movement", no_parent, &hooks, &def, 1);
    f->speed = kn_attribute_find(f->library, "Movement.MoveSpeed");
    kn_modifier_def slow = kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 0.1f);
    effect_of(f, "Slow", KN_DURATION_INFINITE, &slow, 1);
    effect_add(f, "Boost500", KN_DURATION_INFINITE, f->speed, 500.0f);
    effect_add(f, "Boost300", KN_DURATION_INFINITE, f->speed, 300.0f);
    kn_attribute_def read = attribute_def("Read", 0.0f);
    kn_attribute_set_id reading = set_with_hooks(f, "Reading", no_parent, NULL, &read, 1);
    f->derived = kn_attribute_find(f->library, "Reading.Read");
    kn_modifier_def capture = kn_modifier_constant(f->derived, KN_OP_OVERRIDE, 0.0f);
    capture.magnitude = kn_magnitude_attribute(f->speed, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    effect_of(f, "Read", KN_DURATION_INSTANT, &capture, 1);
    begin(f);
    add_set(f, f->hero, f->hooked);
    add_set(f, f->hero, reading);
}

// TVE-041, ATS-060, ATS-062, ATS-063, ATT-015
static void clamping_in_the_pre_change_hook_leaves_the_modifiers_alone(void **state)
{
    fixture *f = *state;
    speed_scene(f);
    kn_effect_id five = apply(f, type_of(f, "Boost500"));
    kn_effect_id three = apply(f, type_of(f, "Boost300"));
    assert_values(f, f->speed, 600.0f, 1000.0f);
    assert_float_equal(kn_effect_magnitude(f->world, five, 0), 500.0f, 0.0f);
    apply(f, type_of(f, "Read")); // a capture need not clamp again
    assert_values(f, f->derived, 1000.0f, 1000.0f);
    remove_effect(f, three);
    assert_values(f, f->speed, 600.0f, 1000.0f); // 1100
    remove_effect(f, five);
    assert_values(f, f->speed, 600.0f, 600.0f);
    apply(f, type_of(f, "Slow"));
    assert_values(f, f->speed, 600.0f, 150.0f);
}

// ATS-061
static void the_pre_change_hook_also_sees_setters_and_initialisers(void **state)
{
    fixture *f = *state;
    speed_scene(f);
    set_base(f, f->hero, f->speed, 5000.0f);
    assert_values(f, f->speed, 5000.0f, 1000.0f);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->speed, 0, 10.0f), KN_OK);
    assert_values(f, f->speed, 10.0f, 150.0f);
}

static float answer_nothing(void *user, const kn_attribute_change *change)
{
    (void)change;
    fixture *f = user;
    return f->number;
}

// ATT-018
static void a_hook_that_answers_with_a_bad_number_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {.user = f, .pre_change = answer_nothing};
    kn_attribute_hooks base_hooks = {.user = f, .pre_base_change = answer_nothing};
    kn_attribute_def def = attribute_def("X", 1.0f);
    kn_attribute_set_id current = set_with_hooks(f, "C", no_parent, &hooks, &def, 1);
    kn_attribute_set_id base = set_with_hooks(f, "B", no_parent, &base_hooks, &def, 1);
    kn_attribute_id cx = kn_attribute_find(f->library, "C.X");
    kn_attribute_id bx = kn_attribute_find(f->library, "B.X");
    begin(f);
    add_set(f, f->hero, current);
    add_set(f, f->hero, base);
    f->number = NAN;
    (void)kn_attribute_set_base(f->world, f->hero, cx, 0, 3.0f);
    assert_true(kn_attribute_value(f->world, f->hero, cx) == 1.0f);
    f->number = INFINITY;
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, bx, 0, 3.0f), KN_REFUSED_BAD_NUMBER);
    assert_values(f, bx, 1.0f, 1.0f);
    kn_event event;
    assert_int_equal(published(f, KN_EVENT_ERROR, &event), 2);
    assert_int_equal(event.data.error.code, KN_REFUSED_BAD_NUMBER);
}

// Mana is held at MaxMana after each execute.
static void hold_mana(void *user, const kn_execute_data *data)
{
    fixture *f = user;
    float maximum = kn_attribute_value(data->world, data->entity, f->max_mana);
    if (data->attribute.index1 == f->mana.index1 && data->new_base > maximum) {
        assert_int_equal(
            kn_attribute_set_base(data->world, data->entity, f->mana, 0, maximum), KN_OK);
    }
}

// TVE-042, ATS-072, ATT-015
static void clamping_in_the_post_execute_hook_shows_only_the_clamped_result(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {.user = f, .post_execute = hold_mana};
    kn_attribute_def defs[] = {attribute_def("Mana", 90.0f), attribute_def("MaxMana", 100.0f)};
    f->hooked = set_with_hooks(f, "Magic", no_parent, &hooks, defs, 2);
    f->mana = kn_attribute_find(f->library, "Magic.Mana");
    f->max_mana = kn_attribute_find(f->library, "Magic.MaxMana");
    // The same by declaration.
    kn_attribute_def declared[] = {attribute_def("Mana", 90.0f), attribute_def("MaxMana", 100.0f)};
    declared[0].base_max = kn_limit_attribute("MaxMana");
    kn_attribute_set_id other = set_with_hooks(f, "Declared", no_parent, NULL, declared, 2);
    kn_attribute_id held = kn_attribute_find(f->library, "Declared.Mana");
    kn_modifier_def both[] = {kn_modifier_constant(f->mana, KN_OP_ADD, 30.0f),
        kn_modifier_constant(held, KN_OP_ADD, 30.0f)};
    kn_effect_type_id potion = effect_of(f, "Potion", KN_DURATION_INSTANT, both, 2);
    begin(f);
    add_set(f, f->hero, f->hooked);
    add_set(f, f->hero, other);
    apply(f, potion);
    assert_values(f, f->mana, 100.0f, 100.0f);
    assert_values(f, held, 100.0f, 100.0f);
    // Whoever follows from elsewhere gets 100, once.
    kn_world *copy = world_of(f, kn_world_def_default());
    project(f->world, copy, &f->hero, 1, KN_VIEWER_OTHERS);
    assert_true(kn_attribute_value(copy, f->hero, f->mana) == 100.0f);
    assert_true(kn_attribute_value(copy, f->hero, held) == 100.0f);
    kn_world_destroy(copy);
    kn_event event;
    assert_int_not_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, f->mana, &event), 0);
    assert_true(event.data.attribute.new_value == 100.0f);
    uint32_t told = 0; // by declaration, nobody hears of 120 at all
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ATTRIBUTE_CHANGED &&
            kn_attribute_id_equal(events.data[i].data.attribute.attribute, held)) {
            assert_true(events.data[i].data.attribute.old_value == 90.0f);
            assert_true(events.data[i].data.attribute.new_value == 100.0f);
            told++;
        }
    }
    assert_int_equal(told, 1);
    apply(f, potion);
    assert_int_equal(published_of(f, KN_EVENT_ATTRIBUTE_CHANGED, held, &event), 0);
    apply(f, potion);
    assert_values(f, held, 100.0f, 100.0f);
}

// Hooks that write, and loops ------------------------------------------------------------------

static void pass_on(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    f->calls++;
    kn_attribute_id other = change->attribute.index1 == f->mana.index1 ? f->max_mana : f->mana;
    (void)kn_attribute_set_base(change->world, change->entity, other, 0, change->new_value + 1.0f);
}

// ATS-084
static void hooks_that_write_each_other_in_a_loop_are_cut(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {.user = f, .post_change = pass_on};
    kn_attribute_def defs[] = {attribute_def("Mana", 1.0f), attribute_def("MaxMana", 1.0f)};
    f->hooked = set_with_hooks(f, "Magic", no_parent, &hooks, defs, 2);
    f->mana = kn_attribute_find(f->library, "Magic.Mana");
    f->max_mana = kn_attribute_find(f->library, "Magic.MaxMana");
    begin(f);
    add_set(f, f->hero, f->hooked);
    (void)kn_attribute_set_base(f->world, f->hero, f->mana, 0, 10.0f);
    assert_int_equal(f->calls, 16);
    kn_event event;
    assert_int_not_equal(published(f, KN_EVENT_ERROR, &event), 0);
    assert_int_equal(event.data.error.code, KN_REFUSED_LIMIT);
    // The world continues.
    f->calls = 0;
    (void)kn_attribute_set_base(f->world, f->hero, f->mana, 0, 500.0f);
    assert_int_equal(f->calls, 16);
}

static void step_and_change_sets(void *user, const kn_attribute_change *change)
{
    fixture *f = user;
    f->calls++;
    assert_int_equal(kn_world_step(change->world, KN_S(1)), KN_ERROR_WORLD_LOCKED);
    // These wait until the change that called is complete.
    assert_int_equal(kn_attribute_set_remove(change->world, change->entity, f->hooked, 0), KN_OK);
    assert_true(kn_attribute_set_has(change->world, change->entity, f->hooked, 0));
    assert_int_equal(kn_attribute_set_add(change->world, change->entity, f->hooked, 4), KN_OK);
    assert_false(kn_attribute_set_has(change->world, change->entity, f->hooked, 4));
}

static void hooks_cannot_step_the_world_and_change_sets_afterwards(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {.user = f, .post_change = step_and_change_sets};
    kn_attribute_def def = attribute_def("Mana", 1.0f);
    f->hooked = set_with_hooks(f, "Magic", no_parent, &hooks, &def, 1);
    f->mana = kn_attribute_find(f->library, "Magic.Mana");
    begin(f);
    add_set(f, f->hero, f->hooked);
    set_base(f, f->hero, f->mana, 10.0f);
    assert_int_equal(f->calls, 1);
    assert_false(kn_attribute_set_has(f->world, f->hero, f->hooked, 0));
    assert_true(kn_attribute_set_has(f->world, f->hero, f->hooked, 4));
}

static float parent_pre_change(void *user, const kn_attribute_change *change)
{
    note(user, "parent_pre ");
    return change->new_value;
}

static void parent_post_change(void *user, const kn_attribute_change *change)
{
    (void)change;
    note(user, "parent_post ");
}

static void child_post_change(void *user, const kn_attribute_change *change)
{
    (void)change;
    note(user, "child_post ");
}

// ATT-033
static void a_derived_set_replaces_the_hooks_it_brings_and_keeps_the_others(void **state)
{
    fixture *f = *state;
    kn_attribute_hooks hooks = {
        .user = f, .pre_change = parent_pre_change, .post_change = parent_post_change};
    kn_attribute_def health = attribute_def("Health", 100.0f),
                     shield = attribute_def("Shield", 5.0f);
    kn_attribute_set_id base = set_with_hooks(f, "Vitals", no_parent, &hooks, &health, 1);
    kn_attribute_hooks own = {.user = f, .post_change = child_post_change};
    kn_attribute_set_id child = set_with_hooks(f, "Shielded", base, &own, &shield, 1);
    kn_attribute_set_id plain = set_with_hooks(f, "Plain", base, NULL, &shield, 1);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    begin(f);
    add_set(f, f->hero, child);
    set_base(f, f->hero, f->health, 1.0f);
    assert_string_equal(f->log, "parent_pre child_post ");
    f->log[0] = '\0';
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, plain, 1), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, f->health, 1, 1.0f), KN_OK);
    assert_string_equal(f->log, "parent_pre parent_post ");
}

// Meta attributes ---------------------------------------------------------------------------

// Damage goes to the shield, if the entity has one, then to the health. Who kills is paid.
static void distribute(void *user, const kn_execute_data *data)
{
    fixture *f = user;
    if (data->attribute.index1 != f->damage.index1) {
        return;
    }
    f->number = data->new_base;
    f->calls++;
    float left = data->new_base;
    float shield = kn_attribute_base(data->world, data->entity, f->shield);
    float absorbed = left < shield ? left : shield;
    if (absorbed > 0.0f) {
        assert_int_equal(
            kn_attribute_set_base(data->world, data->entity, f->shield, 0, shield - absorbed),
            KN_OK);
        left -= absorbed;
    }
    float health = kn_attribute_base(data->world, data->entity, f->health);
    assert_int_equal(
        kn_attribute_set_base(data->world, data->entity, f->health, 0, health - left), KN_OK);
    if (health > 0.0f && health - left <= 0.0f) {
        assert_int_equal(kn_effect_apply_simple(data->world, f->reward, data->entity,
                             kn_spec_view_source(data->spec), 1.0f, NULL),
            KN_OK);
    }
}

static void damage_scene(fixture *f, bool has_shield, const char *event_kind)
{
    kn_attribute_hooks hooks = {.user = f, .post_execute = distribute};
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("Damage", 0.0f)};
    defs[1].is_meta = true;
    defs[1].event_kind = event_kind;
    kn_attribute_set_id base = set_with_hooks(f, "Vitals", no_parent, &hooks, defs, 2);
    kn_attribute_def shield = attribute_def("Shield", 20.0f);
    kn_attribute_set_id shielded = set_with_hooks(f, "Shielded", base, NULL, &shield, 1);
    kn_attribute_def purse[] = {attribute_def("XP", 0.0f), attribute_def("Gold", 3.0f)};
    kn_attribute_set_id purse_set = set_with_hooks(f, "Purse", no_parent, NULL, purse, 2);
    f->hooked = has_shield ? shielded : base;
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->damage = kn_attribute_find(f->library, "Vitals.Damage");
    f->shield = kn_attribute_find(f->library, "Shielded.Shield");
    f->xp = kn_attribute_find(f->library, "Purse.XP");
    f->gold = kn_attribute_find(f->library, "Purse.Gold");
    kn_modifier_def reward[] = {kn_modifier_constant(f->xp, KN_OP_ADD, 25.0f),
        kn_modifier_constant(f->gold, KN_OP_ADD, 7.0f)};
    f->reward = effect_of(f, "Reward", KN_DURATION_INSTANT, reward, 2);
    effect_add(f, "Hit30", KN_DURATION_INSTANT, f->damage, 30.0f);
    effect_add(f, "Hit10", KN_DURATION_INSTANT, f->damage, 10.0f);
    effect_add(f, "Hit200", KN_DURATION_INSTANT, f->damage, 200.0f);
    begin(f);
    add_set(f, f->hero, f->hooked);
    add_set(f, f->hero, purse_set);
}

// TVE-090, ATT-030, ATT-031, ATT-033, ATT-036, ATS-071
static void damage_is_spent_on_the_shield_first_and_is_zero_afterwards(void **state)
{
    fixture *f = *state;
    damage_scene(f, true, NULL);
    apply(f, type_of(f, "Hit30"));
    assert_values(f, f->shield, 0.0f, 0.0f);
    assert_values(f, f->health, 90.0f, 90.0f);
    assert_values(f, f->damage, 0.0f, 0.0f);
    assert_int_equal(f->calls, 1);
}

// TVE-090, ATT-033
static void the_same_damage_on_a_set_without_a_shield_goes_to_the_health(void **state)
{
    fixture *f = *state;
    damage_scene(f, false, NULL);
    apply(f, type_of(f, "Hit30"));
    assert_values(f, f->health, 70.0f, 70.0f);
    assert_values(f, f->damage, 0.0f, 0.0f);
}

// TVE-091, ATT-032, ATT-035, ATT-036
static void the_second_hit_sees_only_its_own_damage(void **state)
{
    fixture *f = *state;
    damage_scene(f, false, NULL);
    apply(f, type_of(f, "Hit30"));
    assert_true(f->number == 30.0f);
    apply(f, type_of(f, "Hit10"));
    assert_true(f->number == 10.0f);
    assert_values(f, f->health, 60.0f, 60.0f);
    // Even when somebody left a value in it; to write it is not a hit.
    set_base(f, f->hero, f->damage, 400.0f);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->damage, 0, 500.0f), KN_OK);
    assert_int_equal(f->calls, 2);
    assert_values(f, f->health, 60.0f, 60.0f);
    apply(f, type_of(f, "Hit10"));
    assert_true(f->number == 10.0f);
    assert_values(f, f->health, 50.0f, 50.0f);
}

// TVE-092, ATS-071
static void a_lethal_hit_pays_the_killer_in_one_effect(void **state)
{
    fixture *f = *state;
    damage_scene(f, false, NULL);
    kn_entity_id killer = f->hero, victim = entity_create(f);
    add_set(f, victim, f->hooked);
    assert_int_equal(
        kn_effect_apply_simple(f->world, type_of(f, "Hit10"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(f, f->xp, 0.0f, 0.0f);
    assert_int_equal(
        kn_effect_apply_simple(f->world, type_of(f, "Hit200"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(f, f->xp, 25.0f, 25.0f);
    assert_values(f, f->gold, 10.0f, 10.0f);
    assert_int_equal(
        kn_effect_apply_simple(f->world, type_of(f, "Hit200"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(f, f->xp, 25.0f, 25.0f); // paid once
}

// How many records of a kind the last step published, and the sum of their magnitudes.
static void assert_records(const fixture *f, kn_event_kind_id kind, uint32_t count, float sum)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_RECORD &&
            kn_event_kind_id_equal(events.data[i].data.record.kind, kind)) {
            count--;
            sum -= events.data[i].data.record.magnitude;
        }
    }
    assert_int_equal(count, 0);
    assert_true(sum == 0.0f);
}

typedef struct seen_hit {
    kn_entity_id instigator, target;
    float magnitude;
    uint32_t effect; // type, index1
    bool is_fire;
} seen_hit;

static seen_hit last_hit;

static bool note_hit(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    const fixture *f = user;
    (void)world;
    (void)answer;
    last_hit = (seen_hit){record->instigator, record->target, record->magnitude,
        record->effect != NULL ? kn_spec_view_type(record->effect).index1 : 0,
        kn_tags_has(f->library, record->tags, kn_tag_find(f->library, "School.Fire"))};
    return true;
}

// MAP-024, CMOD-009, CMOD-012: the event has the parties and the effect of the hit; it passes the
// outgoing list of who deals it and the incoming list of who suffers it, and no other.
static void the_event_of_a_meta_attribute_knows_who_hit_whom_with_what(void **state)
{
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    kn_value_id done, suffered;
    value.name = "DamageDone";
    assert_int_equal(kn_value_register(f->library, &value, &done, NULL), KN_OK);
    value.name = "DamageTaken";
    assert_int_equal(kn_value_register(f->library, &value, &suffered, NULL), KN_OK);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "DamageEvent";
    kind.outgoing = done;
    kind.incoming = suffered;
    kn_event_kind_id damage_event;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &damage_event, NULL), KN_OK);
    kn_condition_id condition;
    assert_int_equal(
        kn_condition_register(f->library, "NoteHit", note_hit, f, &condition, NULL), KN_OK);
    kn_modifier_def strong = kn_modifier_def_default(), tough = kn_modifier_def_default();
    strong.value = done;
    strong.magnitude = kn_magnitude_constant(10.0f);
    tough.value = suffered;
    tough.op = KN_OP_MULTIPLY;
    tough.magnitude = kn_magnitude_constant(0.5f);
    tough.condition = condition;
    kn_effect_type_id strength = effect_of(f, "Strength", KN_DURATION_INFINITE, &strong, 1);
    kn_effect_type_id toughness = effect_of(f, "Toughness", KN_DURATION_INFINITE, &tough, 1);
    kn_tag fire = tag_of(f, "School.Fire");
    damage_scene(f, false, "DamageEvent");
    kn_entity_id attacker = entity_create(f), captain = entity_create(f);
    (void)apply_from_to(f, strength, attacker, attacker, 1.0f);
    (void)apply_from_to(f, toughness, f->hero, f->hero, 1.0f);
    // The other way round they have no part in it.
    (void)apply_from_to(f, toughness, attacker, attacker, 1.0f);
    (void)apply_from_to(f, strength, f->hero, f->hero, 1.0f);
    kn_effect_context context = {.instigator = captain};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type_of(f, "Hit30");
    def.source = attacker;
    def.target = f->hero;
    def.context = &context;
    def.dynamic_asset_tags = (kn_tags){&fire, 1};
    last_hit = (seen_hit){.magnitude = -1.0f};
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_true(f->number == 20.0f); // (30 + 10) x 0.5
    assert_values(f, f->health, 80.0f, 80.0f);
    assert_true(kn_entity_id_equal(last_hit.instigator, attacker));
    assert_true(kn_entity_id_equal(last_hit.target, f->hero));
    assert_int_equal(last_hit.effect, def.type.index1);
    assert_true(last_hit.is_fire);
}

// MAP-024, ATT-031
static void writing_a_meta_attribute_runs_the_event_kind_bound_to_it(void **state)
{
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "DamageTaken";
    kn_value_id incoming;
    assert_int_equal(kn_value_register(f->library, &value, &incoming, NULL), KN_OK);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "DamageEvent";
    kind.incoming = incoming;
    kn_event_kind_id damage_event;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &damage_event, NULL), KN_OK);
    kn_modifier_def half = kn_modifier_def_default();
    half.value = incoming;
    half.op = KN_OP_MULTIPLY;
    half.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_type_id armour = effect_of(f, "Armour", KN_DURATION_INFINITE, &half, 1);
    kn_tag godly = tag_of(f, "Godly");
    kn_gate_def gate = {.kind = damage_event, .source = {.ignored = {&godly, 1}}};
    kn_effect_def shell = infinite("Shell");
    shell.gates = &gate;
    shell.gate_count = 1;
    kn_effect_type_id shell_type = effect_register(f, &shell);
    damage_scene(f, false, "DamageEvent");

    apply(f, type_of(f, "Hit30"));
    assert_values(f, f->health, 70.0f, 70.0f);
    apply(f, armour);
    apply(f, type_of(f, "Hit30"));
    assert_true(f->number == 15.0f);
    assert_values(f, f->health, 55.0f, 55.0f);
    step(f, 0);
    assert_records(f, damage_event, 2, 45.0f); // as modified
    kn_effect_id blocker = apply(f, shell_type);
    kn_event event;
    published(f, KN_EVENT_ERROR, &event);
    (void)kn_effect_apply_simple(f->world, type_of(f, "Hit30"), f->hero, f->hero, 1.0f, NULL);
    assert_values(f, f->health, 55.0f, 55.0f);
    assert_values(f, f->damage, 0.0f, 0.0f);
    assert_int_equal(f->calls, 2);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t restricted = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_RESTRICTED) {
            restricted++;
            assert_true(kn_effect_id_equal(events.data[i].data.record.by, blocker));
        }
    }
    assert_int_equal(restricted, 1);
    assert_records(f, damage_event, 0, 0.0f);
}

static void strike(void *user, kn_execution *execution)
{
    fixture *f = user;
    float armour = kn_execution_capture(execution, 0), shield = kn_execution_capture(execution, 1);
    float left = 40.0f - armour, absorbed = left < shield ? left : shield;
    kn_execution_output(execution, f->shield, 0, KN_OP_ADD, -absorbed);
    kn_execution_output(execution, f->health, 0, KN_OP_ADD, absorbed - left);
}

// ATT-034
static void an_execution_may_distribute_damage_without_a_meta_attribute(void **state)
{
    fixture *f = *state;
    kn_attribute_def defs[] = {attribute_def("Health", 100.0f), attribute_def("Armour", 15.0f),
        attribute_def("Shield", 35.0f)};
    f->hooked = set_with_hooks(f, "Vitals", no_parent, NULL, defs, 3);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->shield = kn_attribute_find(f->library, "Vitals.Shield");
    const kn_capture captures[] = {{.attribute = kn_attribute_find(f->library, "Vitals.Armour"),
                                       .from = KN_CAPTURE_FROM_TARGET},
        {.attribute = f->shield, .from = KN_CAPTURE_FROM_TARGET}};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Strike";
    execution.captures = captures;
    execution.capture_count = 2;
    execution.function = strike;
    execution.user = f;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(f->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def def = instant("StrikeEffect");
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_set(f, f->hero, f->hooked);
    apply(f, type);
    assert_values(f, f->shield, 10.0f, 10.0f);
    assert_values(f, f->health, 100.0f, 100.0f);
    apply(f, type);
    assert_values(f, f->shield, 0.0f, 0.0f);
    assert_values(f, f->health, 85.0f, 85.0f);
}

static const struct CMUnitTest tests[] = {
    TEST(an_executed_modifier_runs_all_hooks_in_order),
    TEST(listeners_come_between_the_hooks_of_value_and_base),
    TEST(a_derived_set_has_the_hooks_of_its_parent),
    TEST(a_temporary_modifier_runs_only_the_change_hooks),
    TEST(a_setter_runs_base_and_change_hooks_but_no_execute_hooks),
    TEST(every_tick_of_a_periodic_effect_is_an_execute),
    TEST(the_pre_execute_hook_changes_the_magnitude_or_discards_it),
    TEST(clamping_in_the_pre_change_hook_leaves_the_modifiers_alone),
    TEST(the_pre_change_hook_also_sees_setters_and_initialisers),
    TEST(a_hook_that_answers_with_a_bad_number_changes_nothing),
    TEST(clamping_in_the_post_execute_hook_shows_only_the_clamped_result),
    TEST(hooks_that_write_each_other_in_a_loop_are_cut),
    TEST(hooks_cannot_step_the_world_and_change_sets_afterwards),
    TEST(a_derived_set_replaces_the_hooks_it_brings_and_keeps_the_others),
    TEST(damage_is_spent_on_the_shield_first_and_is_zero_afterwards),
    TEST(the_same_damage_on_a_set_without_a_shield_goes_to_the_health),
    TEST(the_second_hit_sees_only_its_own_damage),
    TEST(a_lethal_hit_pays_the_killer_in_one_effect),
    TEST(writing_a_meta_attribute_runs_the_event_kind_bound_to_it),
    TEST(the_event_of_a_meta_attribute_knows_who_hit_whom_with_what),
    TEST(an_execution_may_distribute_damage_without_a_meta_attribute),
};

TEST_GROUP(attribute_hooks, tests, NULL, NULL);
