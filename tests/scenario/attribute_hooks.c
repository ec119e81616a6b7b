// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of attribute sets: when each is called, what it may do, and meta attributes.

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
    kn_attribute_id health, shield, damage, mana, max_mana, speed, derived, xp, gold;
    kn_attribute_set_id set;
    kn_effect_type_id reward;
    char log[512];
    uint32_t calls;
    float number;
    float old_value, old_base, base_before_change; // what the hooks were handed
    kn_tag after_change, after_base;               // given by the hooks: their place among events
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
    assert_int_equal(kn_attribute_set_register(s->library, &def, &set, NULL), KN_OK);
    return set;
}

static kn_effect_type_id effect_register(
    scene *s, const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t n)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.modifiers = modifiers;
    def.modifier_count = n;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_type_id effect_add(
    scene *s, const char *name, kn_duration_kind kind, kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, KN_OP_ADD, amount);
    return effect_register(s, name, kind, &modifier, 1);
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

static uint32_t count_events(
    scene *s, kn_event_type type, kn_attribute_id attribute, kn_event *last)
{
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        bool is_error = type == KN_EVENT_ERROR;
        if (event->type == type &&
            (is_error || event->data.attribute.attribute.index1 == attribute.index1)) {
            *last = *event;
            count++;
        }
    }
    return count;
}

// Hooks that write down that they were called, and check what is stored at that moment ----------

static void note(scene *s, const char *what)
{
    strncat(s->log, what, sizeof s->log - strlen(s->log) - 1);
}

static bool note_pre_execute(void *user, kn_execute_data *data)
{
    scene *s = user;
    note(s, "pre_execute ");
    assert_true(kn_attribute_base(data->world, data->entity, data->attribute) == 100.0f);
    return true;
}

static float note_pre_base(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    note(s, "pre_base ");
    assert_true(
        kn_attribute_base(change->world, change->entity, change->attribute) == change->old_value);
    return change->new_value;
}

static float note_pre_change(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    note(s, "pre_change ");
    s->base_before_change = kn_attribute_base(change->world, change->entity, change->attribute);
    assert_true(
        kn_attribute_value(change->world, change->entity, change->attribute) == change->old_value);
    return change->new_value;
}

static void note_post_change(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    note(s, "post_change ");
    assert_true(
        kn_attribute_value(change->world, change->entity, change->attribute) == change->new_value);
    assert_true(change->old_value != change->new_value);
    s->old_value = change->old_value;
    if (s->after_change.index1 != 0) {
        assert_int_equal(kn_entity_add_tag(change->world, change->entity, s->after_change,
                             KN_TAG_ORIGIN_LOOSE, 1),
            KN_OK);
    }
}

static void note_post_base(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    note(s, "post_base ");
    assert_true(
        kn_attribute_base(change->world, change->entity, change->attribute) == change->new_value);
    s->old_base = change->old_value;
    if (s->after_base.index1 != 0) {
        assert_int_equal(
            kn_entity_add_tag(change->world, change->entity, s->after_base, KN_TAG_ORIGIN_LOOSE, 1),
            KN_OK);
    }
}

static void note_post_execute(void *user, const kn_execute_data *data)
{
    scene *s = user;
    note(s, "post_execute ");
    assert_non_null(data->spec);
    assert_true(data->new_base == kn_attribute_base(data->world, data->entity, data->attribute));
    s->number = data->old_base;
}

static float note_derived(void *user, const kn_attribute_change *change)
{
    note(user, "dependent ");
    return change->new_value;
}

static void noting_scene(scene *s)
{
    kn_attribute_hooks hooks = {s, note_pre_execute, note_pre_base, note_post_base, note_pre_change,
        note_post_change, note_post_execute};
    kn_attribute_def health = declare("Health", 100.0f);
    s->set = set_register(s, "Vitals", (kn_attribute_set_id){0}, &hooks, &health, 1);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    kn_attribute_hooks derived_hooks = {.user = s, .pre_change = note_derived};
    kn_attribute_def derived = declare("Rage", 0.0f);
    kn_attribute_set_id rage =
        set_register(s, "Mind", (kn_attribute_set_id){0}, &derived_hooks, &derived, 1);
    s->derived = kn_attribute_find(s->library, "Mind.Rage");
    kn_modifier_def modifier = kn_modifier_constant(s->derived, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_attribute(s->health, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    kn_effect_type_id derive = effect_register(s, "Derive", KN_DURATION_INFINITE, &modifier, 1);
    effect_add(s, "Wound", KN_DURATION_INSTANT, s->health, -10.0f);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Off";
    kn_tag off;
    assert_int_equal(kn_tag_register(s->library, &tag_def, &off, NULL), KN_OK);
    tag_def.name = "AfterChange";
    assert_int_equal(kn_tag_register(s->library, &tag_def, NULL, NULL), KN_OK);
    tag_def.name = "AfterBase";
    assert_int_equal(kn_tag_register(s->library, &tag_def, NULL, NULL), KN_OK);
    kn_modifier_def twenty = kn_modifier_constant(s->health, KN_OP_ADD, 20.0f);
    kn_effect_def ward = kn_effect_def_default();
    ward.name = "Ward";
    ward.duration_kind = KN_DURATION_INFINITE;
    ward.modifiers = &twenty;
    ward.modifier_count = 1;
    ward.stacking.kind = KN_STACK_BY_TARGET;
    ward.ongoing.target.ignored = (kn_tags){&off, 1};
    kn_effect_type_id ward_type;
    assert_int_equal(kn_effect_register(s->library, &ward, &ward_type, NULL), KN_OK);
    kn_modifier_def tick = kn_modifier_constant(s->health, KN_OP_ADD, 0.0f);
    kn_effect_def poison = kn_effect_def_default();
    poison.name = "Poison";
    poison.duration_kind = KN_DURATION_INFINITE;
    poison.is_periodic = true;
    poison.period = kn_magnitude_constant(1.0f);
    poison.modifiers = &tick;
    poison.modifier_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(s->library, &poison, &type, NULL), KN_OK);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, rage, 0), KN_OK);
    apply(s, derive);
    s->log[0] = '\0';
}

static kn_effect_type_id type_of(scene *s, const char *name)
{
    return kn_effect_type_find(s->library, name);
}

// The events of the last step, as names of tags and attributes.
static void assert_events(scene *s, const char *expected)
{
    kn_events events = kn_world_events(s->world);
    s->log[0] = '\0';
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        bool is_tag = event->type == KN_EVENT_TAG_CHANGED;
        if (is_tag || event->type == KN_EVENT_ATTRIBUTE_CHANGED) {
            note(s, is_tag ? kn_tag_name(s->library, event->data.tag.tag)
                           : kn_attribute_name(s->library, event->data.attribute.attribute));
            note(s, " ");
        }
    }
    assert_string_equal(s->log, expected);
}

// ATS-061, ATS-080, ATS-081, ATS-082, ATT-052
static void an_executed_modifier_runs_all_hooks_in_order(void **state)
{
    scene *s = *state;
    noting_scene(s);
    apply(s, type_of(s, "Wound"));
    assert_string_equal(
        s->log, "pre_execute pre_base pre_change post_change post_base post_execute dependent ");
    assert_true(s->number == 100.0f);
    assert_true(s->old_value == 100.0f && s->old_base == 100.0f);
    assert_true(s->base_before_change == 90.0f); // stored before the value is evaluated
    assert_values(s, s->health, 90.0f, 90.0f);
    assert_values(s, s->derived, 0.0f, 90.0f);
    // Old base and old value are told apart.
    apply(s, type_of(s, "Ward"));
    assert_true(s->old_value == 90.0f);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 0, 30.0f), KN_OK);
    assert_true(s->old_value == 110.0f && s->old_base == 90.0f);
}

// ATS-082, ATS-083
static void listeners_come_between_the_hooks_of_value_and_base(void **state)
{
    scene *s = *state;
    noting_scene(s);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 0, 100.0f), KN_OK);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    s->after_change = kn_tag_find(s->library, "AfterChange");
    s->after_base = kn_tag_find(s->library, "AfterBase");
    apply(s, type_of(s, "Wound"));
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_events(s, "AfterChange Vitals.Health AfterBase Mind.Rage ");

    assert_int_equal(
        kn_entity_set_tag_count(s->world, s->entity, s->after_change, KN_TAG_ORIGIN_LOOSE, 0),
        KN_OK);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    apply(s, type_of(s, "Ward"));
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_events(s, "AfterChange Vitals.Health Mind.Rage ");
}

// What a derived set does not give itself it has from its parent, with the parent's user.
static void a_derived_set_has_the_hooks_of_its_parent(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {s, note_pre_execute, note_pre_base, note_post_base, note_pre_change,
        note_post_change, note_post_execute};
    kn_attribute_def health = declare("Health", 100.0f);
    kn_attribute_set_id parent =
        set_register(s, "Vitals", (kn_attribute_set_id){0}, &hooks, &health, 1);
    kn_attribute_def extra = declare("Luck", 1.0f);
    s->set = set_register(s, "Hero", parent, NULL, &extra, 1);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    effect_add(s, "Wound", KN_DURATION_INSTANT, s->health, -10.0f);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    s->log[0] = '\0';
    apply(s, type_of(s, "Wound"));
    assert_string_equal(
        s->log, "pre_execute pre_base pre_change post_change post_base post_execute ");
    assert_values(s, s->health, 90.0f, 90.0f);
}

// ATS-060, ATS-065, ATS-074, ATS-083
static void a_temporary_modifier_runs_only_the_change_hooks(void **state)
{
    scene *s = *state;
    noting_scene(s);
    kn_effect_id ward = apply(s, type_of(s, "Ward"));
    assert_string_equal(s->log, "pre_change post_change dependent ");
    s->log[0] = '\0';
    assert_int_equal(kn_effect_set_stacks(s->world, ward, 2), KN_OK); // another stack
    assert_string_equal(s->log, "pre_change post_change dependent ");
    s->log[0] = '\0';
    kn_tag off = kn_tag_find(s->library, "Off"); // switched off, and on again
    assert_int_equal(kn_entity_add_tag(s->world, s->entity, off, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_string_equal(s->log, "pre_change post_change dependent ");
    assert_int_equal(kn_entity_remove_tag(s->world, s->entity, off, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    s->log[0] = '\0';
    assert_int_equal(kn_effect_remove(s->world, ward, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_string_equal(s->log, "pre_change post_change dependent ");
}

// ATS-061, ATS-081
static void a_setter_runs_base_and_change_hooks_but_no_execute_hooks(void **state)
{
    scene *s = *state;
    noting_scene(s);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 0, 55.0f), KN_OK);
    assert_string_equal(s->log, "pre_base pre_change post_change post_base dependent ");
    s->log[0] = '\0';
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->health, 0, 44.0f), KN_OK);
    assert_null(strstr(s->log, "base"));
    assert_null(strstr(s->log, "execute"));
}

// ATS-070
static void every_tick_of_a_periodic_effect_is_an_execute(void **state)
{
    scene *s = *state;
    noting_scene(s);
    apply(s, type_of(s, "Poison"));
    assert_string_equal(s->log, "pre_execute pre_base pre_change post_base post_execute ");
    s->log[0] = '\0';
    assert_int_equal(kn_world_step(s->world, KN_S(2)), KN_OK);
    assert_string_equal(s->log, "pre_execute pre_base pre_change post_base post_execute "
                                "pre_execute pre_base pre_change post_base post_execute ");
    // Only those: a base value that code sets is none.
    s->log[0] = '\0';
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 0, 55.0f), KN_OK);
    assert_null(strstr(s->log, "execute"));
    assert_non_null(strstr(s->log, "post_base"));
}

// Answers of hooks -------------------------------------------------------------------------

static bool halve_or_discard(void *user, kn_execute_data *data)
{
    scene *s = user;
    s->calls++;
    data->magnitude *= 0.5f;
    return data->magnitude > -50.0f;
}

// ATS-080
static void the_pre_execute_hook_changes_the_magnitude_or_discards_it(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {.user = s, .pre_execute = halve_or_discard};
    kn_attribute_def def = declare("Health", 100.0f);
    s->set = set_register(s, "Vitals", (kn_attribute_set_id){0}, &hooks, &def, 1);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    kn_effect_type_id small = effect_add(s, "Small", KN_DURATION_INSTANT, s->health, -20.0f);
    kn_effect_type_id big = effect_add(s, "Big", KN_DURATION_INSTANT, s->health, -100.0f);
    kn_effect_type_id lasting = effect_add(s, "Lasting", KN_DURATION_INFINITE, s->health, -100.0f);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    apply(s, small);
    assert_values(s, s->health, 90.0f, 90.0f);
    (void)kn_effect_apply_simple(s->world, big, s->entity, s->entity, 1.0f, NULL);
    assert_values(s, s->health, 90.0f, 90.0f);
    assert_int_equal(s->calls, 2);
    apply(s, lasting); // no execute, no hook
    assert_values(s, s->health, 90.0f, -10.0f);
    assert_int_equal(s->calls, 2);
}

static float clamp_speed(void *user, const kn_attribute_change *change)
{
    (void)user;
    float value = change->new_value;
    return value < 150.0f ? 150.0f : value > 1000.0f ? 1000.0f : value;
}

static void speed_scene(scene *s)
{
    kn_attribute_hooks hooks = {.pre_change = clamp_speed};
    kn_attribute_def def = declare("MoveSpeed", 600.0f);
    s->set = set_register(s, "Movement", (kn_attribute_set_id){0}, &hooks, &def, 1);
    s->speed = kn_attribute_find(s->library, "Movement.MoveSpeed");
    kn_modifier_def slow = kn_modifier_constant(s->speed, KN_OP_MULTIPLY, 0.1f);
    effect_register(s, "Slow", KN_DURATION_INFINITE, &slow, 1);
    effect_add(s, "Boost500", KN_DURATION_INFINITE, s->speed, 500.0f);
    effect_add(s, "Boost300", KN_DURATION_INFINITE, s->speed, 300.0f);
    kn_attribute_def read = declare("Read", 0.0f);
    kn_attribute_set_id reading =
        set_register(s, "Reading", (kn_attribute_set_id){0}, NULL, &read, 1);
    s->derived = kn_attribute_find(s->library, "Reading.Read");
    kn_modifier_def capture = kn_modifier_constant(s->derived, KN_OP_OVERRIDE, 0.0f);
    capture.magnitude = kn_magnitude_attribute(s->speed, KN_CAPTURE_FROM_TARGET, false, 1.0f);
    effect_register(s, "Read", KN_DURATION_INSTANT, &capture, 1);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, reading, 0), KN_OK);
}

// TVE-041, ATS-060, ATS-062, ATS-063, ATT-015
static void clamping_in_the_pre_change_hook_leaves_the_modifiers_alone(void **state)
{
    scene *s = *state;
    speed_scene(s);
    kn_effect_id five = apply(s, type_of(s, "Boost500"));
    kn_effect_id three = apply(s, type_of(s, "Boost300"));
    assert_values(s, s->speed, 600.0f, 1000.0f);
    assert_float_equal(kn_effect_magnitude(s->world, five, 0), 500.0f, 0.0f);
    apply(s, type_of(s, "Read")); // a capture need not clamp again
    assert_values(s, s->derived, 1000.0f, 1000.0f);
    assert_int_equal(kn_effect_remove(s->world, three, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_values(s, s->speed, 600.0f, 1000.0f); // 1100
    assert_int_equal(kn_effect_remove(s->world, five, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_values(s, s->speed, 600.0f, 600.0f);
    apply(s, type_of(s, "Slow"));
    assert_values(s, s->speed, 600.0f, 150.0f);
}

// ATS-061
static void the_pre_change_hook_also_sees_setters_and_initialisers(void **state)
{
    scene *s = *state;
    speed_scene(s);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->speed, 0, 5000.0f), KN_OK);
    assert_values(s, s->speed, 5000.0f, 1000.0f);
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->speed, 0, 10.0f), KN_OK);
    assert_values(s, s->speed, 10.0f, 150.0f);
}

static float answer_nothing(void *user, const kn_attribute_change *change)
{
    (void)change;
    scene *s = user;
    return s->number;
}

// ATT-018
static void a_hook_that_answers_with_a_bad_number_changes_nothing(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {.user = s, .pre_change = answer_nothing};
    kn_attribute_hooks base_hooks = {.user = s, .pre_base_change = answer_nothing};
    kn_attribute_def def = declare("X", 1.0f);
    kn_attribute_set_id current = set_register(s, "C", (kn_attribute_set_id){0}, &hooks, &def, 1);
    kn_attribute_set_id base = set_register(s, "B", (kn_attribute_set_id){0}, &base_hooks, &def, 1);
    kn_attribute_id cx = kn_attribute_find(s->library, "C.X");
    kn_attribute_id bx = kn_attribute_find(s->library, "B.X");
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, current, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, base, 0), KN_OK);
    s->number = NAN;
    (void)kn_attribute_set_base(s->world, s->entity, cx, 0, 3.0f);
    assert_true(kn_attribute_value(s->world, s->entity, cx) == 1.0f);
    s->number = INFINITY;
    assert_int_equal(
        kn_attribute_set_base(s->world, s->entity, bx, 0, 3.0f), KN_REFUSED_BAD_NUMBER);
    assert_values(s, bx, 1.0f, 1.0f);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_ERROR, cx, &event), 2);
    assert_int_equal(event.data.error.code, KN_REFUSED_BAD_NUMBER);
}

// Mana is held at MaxMana after each execute.
static void hold_mana(void *user, const kn_execute_data *data)
{
    scene *s = user;
    float maximum = kn_attribute_value(data->world, data->entity, s->max_mana);
    if (data->attribute.index1 == s->mana.index1 && data->new_base > maximum) {
        assert_int_equal(
            kn_attribute_set_base(data->world, data->entity, s->mana, 0, maximum), KN_OK);
    }
}

// TVE-042, ATS-072, ATT-015
static void clamping_in_the_post_execute_hook_shows_only_the_clamped_result(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {.user = s, .post_execute = hold_mana};
    kn_attribute_def defs[] = {declare("Mana", 90.0f), declare("MaxMana", 100.0f)};
    s->set = set_register(s, "Magic", (kn_attribute_set_id){0}, &hooks, defs, 2);
    s->mana = kn_attribute_find(s->library, "Magic.Mana");
    s->max_mana = kn_attribute_find(s->library, "Magic.MaxMana");
    // The same by declaration.
    kn_attribute_def declared[] = {declare("Mana", 90.0f), declare("MaxMana", 100.0f)};
    declared[0].base_max = kn_limit_attribute("MaxMana");
    kn_attribute_set_id other =
        set_register(s, "Declared", (kn_attribute_set_id){0}, NULL, declared, 2);
    kn_attribute_id held = kn_attribute_find(s->library, "Declared.Mana");
    kn_modifier_def both[] = {kn_modifier_constant(s->mana, KN_OP_ADD, 30.0f),
        kn_modifier_constant(held, KN_OP_ADD, 30.0f)};
    kn_effect_type_id potion = effect_register(s, "Potion", KN_DURATION_INSTANT, both, 2);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, other, 0), KN_OK);
    apply(s, potion);
    assert_values(s, s->mana, 100.0f, 100.0f);
    assert_values(s, held, 100.0f, 100.0f);
    kn_event event;
    assert_int_not_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, s->mana, &event), 0);
    assert_true(event.data.attribute.new_value == 100.0f);
    apply(s, potion);
    assert_int_equal(count_events(s, KN_EVENT_ATTRIBUTE_CHANGED, held, &event), 0);
    apply(s, potion);
    assert_values(s, held, 100.0f, 100.0f);
}

// Hooks that write, and loops ------------------------------------------------------------------

static void pass_on(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    s->calls++;
    kn_attribute_id other = change->attribute.index1 == s->mana.index1 ? s->max_mana : s->mana;
    (void)kn_attribute_set_base(change->world, change->entity, other, 0, change->new_value + 1.0f);
}

// ATS-084
static void hooks_that_write_each_other_in_a_loop_are_cut(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {.user = s, .post_change = pass_on};
    kn_attribute_def defs[] = {declare("Mana", 1.0f), declare("MaxMana", 1.0f)};
    s->set = set_register(s, "Magic", (kn_attribute_set_id){0}, &hooks, defs, 2);
    s->mana = kn_attribute_find(s->library, "Magic.Mana");
    s->max_mana = kn_attribute_find(s->library, "Magic.MaxMana");
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    (void)kn_attribute_set_base(s->world, s->entity, s->mana, 0, 10.0f);
    assert_int_equal(s->calls, 16);
    kn_event event;
    assert_int_not_equal(count_events(s, KN_EVENT_ERROR, s->mana, &event), 0);
    assert_int_equal(event.data.error.code, KN_REFUSED_LIMIT);
    // The world continues.
    s->calls = 0;
    (void)kn_attribute_set_base(s->world, s->entity, s->mana, 0, 500.0f);
    assert_int_equal(s->calls, 16);
}

static void step_and_change_sets(void *user, const kn_attribute_change *change)
{
    scene *s = user;
    s->calls++;
    assert_int_equal(kn_world_step(change->world, KN_S(1)), KN_ERROR_WORLD_LOCKED);
    // These wait until the change that called is complete.
    assert_int_equal(kn_attribute_set_remove(change->world, change->entity, s->set, 0), KN_OK);
    assert_true(kn_attribute_set_has(change->world, change->entity, s->set, 0));
    assert_int_equal(kn_attribute_set_add(change->world, change->entity, s->set, 4), KN_OK);
    assert_false(kn_attribute_set_has(change->world, change->entity, s->set, 4));
}

static void hooks_cannot_step_the_world_and_change_sets_afterwards(void **state)
{
    scene *s = *state;
    kn_attribute_hooks hooks = {.user = s, .post_change = step_and_change_sets};
    kn_attribute_def def = declare("Mana", 1.0f);
    s->set = set_register(s, "Magic", (kn_attribute_set_id){0}, &hooks, &def, 1);
    s->mana = kn_attribute_find(s->library, "Magic.Mana");
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->mana, 0, 10.0f), KN_OK);
    assert_int_equal(s->calls, 1);
    assert_false(kn_attribute_set_has(s->world, s->entity, s->set, 0));
    assert_true(kn_attribute_set_has(s->world, s->entity, s->set, 4));
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
    scene *s = *state;
    kn_attribute_hooks hooks = {
        .user = s, .pre_change = parent_pre_change, .post_change = parent_post_change};
    kn_attribute_def health = declare("Health", 100.0f), shield = declare("Shield", 5.0f);
    kn_attribute_set_id base =
        set_register(s, "Vitals", (kn_attribute_set_id){0}, &hooks, &health, 1);
    kn_attribute_hooks own = {.user = s, .post_change = child_post_change};
    kn_attribute_set_id child = set_register(s, "Shielded", base, &own, &shield, 1);
    kn_attribute_set_id plain = set_register(s, "Plain", base, NULL, &shield, 1);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, child, 0), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 0, 1.0f), KN_OK);
    assert_string_equal(s->log, "parent_pre child_post ");
    s->log[0] = '\0';
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, plain, 1), KN_OK);
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->health, 1, 1.0f), KN_OK);
    assert_string_equal(s->log, "parent_pre parent_post ");
}

// Meta attributes ---------------------------------------------------------------------------

// Damage goes to the shield, if the entity has one, then to the health. Who kills is paid.
static void distribute(void *user, const kn_execute_data *data)
{
    scene *s = user;
    if (data->attribute.index1 != s->damage.index1) {
        return;
    }
    s->number = data->new_base;
    s->calls++;
    float left = data->new_base;
    float shield = kn_attribute_base(data->world, data->entity, s->shield);
    float absorbed = left < shield ? left : shield;
    if (absorbed > 0.0f) {
        assert_int_equal(
            kn_attribute_set_base(data->world, data->entity, s->shield, 0, shield - absorbed),
            KN_OK);
        left -= absorbed;
    }
    float health = kn_attribute_base(data->world, data->entity, s->health);
    assert_int_equal(
        kn_attribute_set_base(data->world, data->entity, s->health, 0, health - left), KN_OK);
    if (health > 0.0f && health - left <= 0.0f) {
        assert_int_equal(kn_effect_apply_simple(data->world, s->reward, data->entity,
                             kn_spec_view_source(data->spec), 1.0f, NULL),
            KN_OK);
    }
}

static void damage_scene(scene *s, bool has_shield, const char *event_kind)
{
    kn_attribute_hooks hooks = {.user = s, .post_execute = distribute};
    kn_attribute_def defs[] = {declare("Health", 100.0f), declare("Damage", 0.0f)};
    defs[1].is_meta = true;
    defs[1].event_kind = event_kind;
    kn_attribute_set_id base = set_register(s, "Vitals", (kn_attribute_set_id){0}, &hooks, defs, 2);
    kn_attribute_def shield = declare("Shield", 20.0f);
    kn_attribute_set_id shielded = set_register(s, "Shielded", base, NULL, &shield, 1);
    kn_attribute_def purse[] = {declare("XP", 0.0f), declare("Gold", 3.0f)};
    kn_attribute_set_id purse_set =
        set_register(s, "Purse", (kn_attribute_set_id){0}, NULL, purse, 2);
    s->set = has_shield ? shielded : base;
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    s->damage = kn_attribute_find(s->library, "Vitals.Damage");
    s->shield = kn_attribute_find(s->library, "Shielded.Shield");
    s->xp = kn_attribute_find(s->library, "Purse.XP");
    s->gold = kn_attribute_find(s->library, "Purse.Gold");
    kn_modifier_def reward[] = {kn_modifier_constant(s->xp, KN_OP_ADD, 25.0f),
        kn_modifier_constant(s->gold, KN_OP_ADD, 7.0f)};
    s->reward = effect_register(s, "Reward", KN_DURATION_INSTANT, reward, 2);
    effect_add(s, "Hit30", KN_DURATION_INSTANT, s->damage, 30.0f);
    effect_add(s, "Hit10", KN_DURATION_INSTANT, s->damage, 10.0f);
    effect_add(s, "Hit200", KN_DURATION_INSTANT, s->damage, 200.0f);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, purse_set, 0), KN_OK);
}

// TVE-090, ATT-030, ATT-031, ATT-033, ATT-036, ATS-071
static void damage_is_spent_on_the_shield_first_and_is_zero_afterwards(void **state)
{
    scene *s = *state;
    damage_scene(s, true, NULL);
    apply(s, type_of(s, "Hit30"));
    assert_values(s, s->shield, 0.0f, 0.0f);
    assert_values(s, s->health, 90.0f, 90.0f);
    assert_values(s, s->damage, 0.0f, 0.0f);
    assert_int_equal(s->calls, 1);
}

// TVE-090, ATT-033
static void the_same_damage_on_a_set_without_a_shield_goes_to_the_health(void **state)
{
    scene *s = *state;
    damage_scene(s, false, NULL);
    apply(s, type_of(s, "Hit30"));
    assert_values(s, s->health, 70.0f, 70.0f);
    assert_values(s, s->damage, 0.0f, 0.0f);
}

// TVE-091, ATT-032, ATT-035, ATT-036
static void the_second_hit_sees_only_its_own_damage(void **state)
{
    scene *s = *state;
    damage_scene(s, false, NULL);
    apply(s, type_of(s, "Hit30"));
    assert_true(s->number == 30.0f);
    apply(s, type_of(s, "Hit10"));
    assert_true(s->number == 10.0f);
    assert_values(s, s->health, 60.0f, 60.0f);
    // Even when somebody left a value in it; to write it is not a hit.
    assert_int_equal(kn_attribute_set_base(s->world, s->entity, s->damage, 0, 400.0f), KN_OK);
    assert_int_equal(kn_attribute_init(s->world, s->entity, s->damage, 0, 500.0f), KN_OK);
    assert_int_equal(s->calls, 2);
    assert_values(s, s->health, 60.0f, 60.0f);
    apply(s, type_of(s, "Hit10"));
    assert_true(s->number == 10.0f);
    assert_values(s, s->health, 50.0f, 50.0f);
}

// TVE-092, ATS-071
static void a_lethal_hit_pays_the_killer_in_one_effect(void **state)
{
    scene *s = *state;
    damage_scene(s, false, NULL);
    kn_entity_id killer = s->entity, victim = entity_create(s);
    assert_int_equal(kn_attribute_set_add(s->world, victim, s->set, 0), KN_OK);
    assert_int_equal(
        kn_effect_apply_simple(s->world, type_of(s, "Hit10"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(s, s->xp, 0.0f, 0.0f);
    assert_int_equal(
        kn_effect_apply_simple(s->world, type_of(s, "Hit200"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(s, s->xp, 25.0f, 25.0f);
    assert_values(s, s->gold, 10.0f, 10.0f);
    assert_int_equal(
        kn_effect_apply_simple(s->world, type_of(s, "Hit200"), killer, victim, 1.0f, NULL), KN_OK);
    assert_values(s, s->xp, 25.0f, 25.0f); // paid once
}

// How many records of a kind the last step published, and the sum of their magnitudes.
static void assert_records(const scene *s, kn_event_kind_id kind, uint32_t count, float sum)
{
    kn_events events = kn_world_events(s->world);
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

// MAP-024, ATT-031
static void writing_a_meta_attribute_runs_the_event_kind_bound_to_it(void **state)
{
    scene *s = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "DamageTaken";
    kn_value_id incoming;
    assert_int_equal(kn_value_register(s->library, &value, &incoming, NULL), KN_OK);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "DamageEvent";
    kind.incoming = incoming;
    kn_event_kind_id damage_event;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &damage_event, NULL), KN_OK);
    kn_modifier_def half = kn_modifier_def_default();
    half.value = incoming;
    half.op = KN_OP_MULTIPLY;
    half.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_type_id armour = effect_register(s, "Armour", KN_DURATION_INFINITE, &half, 1);
    kn_tag godly;
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Godly";
    assert_int_equal(kn_tag_register(s->library, &tag, &godly, NULL), KN_OK);
    kn_gate_def gate = {.kind = damage_event, .source = {.ignored = {&godly, 1}}};
    kn_effect_def shell = kn_effect_def_default();
    shell.name = "Shell";
    shell.duration_kind = KN_DURATION_INFINITE;
    shell.gates = &gate;
    shell.gate_count = 1;
    kn_effect_type_id shell_type;
    assert_int_equal(kn_effect_register(s->library, &shell, &shell_type, NULL), KN_OK);
    damage_scene(s, false, "DamageEvent");

    apply(s, type_of(s, "Hit30"));
    assert_values(s, s->health, 70.0f, 70.0f);
    apply(s, armour);
    apply(s, type_of(s, "Hit30"));
    assert_true(s->number == 15.0f);
    assert_values(s, s->health, 55.0f, 55.0f);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_records(s, damage_event, 2, 45.0f); // as modified
    kn_effect_id blocker = apply(s, shell_type);
    kn_event event;
    count_events(s, KN_EVENT_ERROR, s->damage, &event);
    (void)kn_effect_apply_simple(s->world, type_of(s, "Hit30"), s->entity, s->entity, 1.0f, NULL);
    assert_values(s, s->health, 55.0f, 55.0f);
    assert_values(s, s->damage, 0.0f, 0.0f);
    assert_int_equal(s->calls, 2);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t restricted = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_RESTRICTED) {
            restricted++;
            assert_true(kn_effect_id_equal(events.data[i].data.record.by, blocker));
        }
    }
    assert_int_equal(restricted, 1);
    assert_records(s, damage_event, 0, 0.0f);
}

static void strike(void *user, kn_execution *execution)
{
    scene *s = user;
    float armour = kn_execution_capture(execution, 0), shield = kn_execution_capture(execution, 1);
    float left = 40.0f - armour, absorbed = left < shield ? left : shield;
    kn_execution_output(execution, s->shield, 0, KN_OP_ADD, -absorbed);
    kn_execution_output(execution, s->health, 0, KN_OP_ADD, absorbed - left);
}

// ATT-034
static void an_execution_may_distribute_damage_without_a_meta_attribute(void **state)
{
    scene *s = *state;
    kn_attribute_def defs[] = {
        declare("Health", 100.0f), declare("Armour", 15.0f), declare("Shield", 35.0f)};
    s->set = set_register(s, "Vitals", (kn_attribute_set_id){0}, NULL, defs, 3);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    s->shield = kn_attribute_find(s->library, "Vitals.Shield");
    const kn_capture captures[] = {{.attribute = kn_attribute_find(s->library, "Vitals.Armour"),
                                       .from = KN_CAPTURE_FROM_TARGET},
        {.attribute = s->shield, .from = KN_CAPTURE_FROM_TARGET}};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Strike";
    execution.captures = captures;
    execution.capture_count = 2;
    execution.function = strike;
    execution.user = s;
    kn_execution_use use = {0};
    assert_int_equal(kn_execution_register(s->library, &execution, &use.execution, NULL), KN_OK);
    kn_effect_def def = kn_effect_def_default();
    def.name = "StrikeEffect";
    def.executions = &use;
    def.execution_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
    apply(s, type);
    assert_values(s, s->shield, 10.0f, 10.0f);
    assert_values(s, s->health, 100.0f, 100.0f);
    apply(s, type);
    assert_values(s, s->shield, 0.0f, 0.0f);
    assert_values(s, s->health, 85.0f, 85.0f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        TEST(an_execution_may_distribute_damage_without_a_meta_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
