// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A save is read by a library in which everything has another number: what tasks, events and
// components hold is found by name.

#include "scenario/task_fixture.h"

#define OWN_TASK "Guard"

// A record of target data that refers to everything such a record may refer to.
typedef struct mark {
    kn_tag tag;
    kn_attribute_id attribute;
    kn_curve_id curve;
    kn_entity_id entity;
    kn_effect_type_id effects[2];
    int mood; // idle moving attacking, or with others between them
} mark;

// Of a custom task.
typedef struct guard {
    uint32_t woken;
    uint32_t unused;
} guard;

typedef struct names {
    fixture *f;
    kn_curve_id ease;
    kn_target_type_id mark;
    kn_targeting_id targeting;
    kn_task_type_id guard;
    kn_effect_type_id burn;
    kn_component_type_id motion;
    kn_ability_type_id plan, other;
} names;

static kn_curve_id curve_add(fixture *f, const char *name, float end)
{
    const kn_curve_point points[2] = {{0.0f, 0.0f}, {1.0f, end}};
    kn_curve_def def = kn_curve_def_default();
    def.name = name;
    def.points = points;
    def.point_count = 2;
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_OK);
    return curve;
}

// Words that have other numbers in the library that reads.
static const char *moods = "idle moving attacking";

static kn_target_type_id mark_add(fixture *f, const char *name)
{
    kn_field fields[] = {
        KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(mark, tag), 1),
        KN_FIELD_INIT("attribute", KN_FIELD_ATTRIBUTE, offsetof(mark, attribute), 1),
        KN_FIELD_INIT("curve", KN_FIELD_CURVE, offsetof(mark, curve), 1),
        KN_FIELD_INIT("entity", KN_FIELD_ENTITY, offsetof(mark, entity), 1),
        KN_FIELD_INIT("effects", KN_FIELD_REF, offsetof(mark, effects), 2),
        KN_FIELD_INIT("mood", KN_FIELD_ENUM, offsetof(mark, mood), 1),
    };
    fields[4].refers_to = "effect";
    fields[5].words = moods;
    // The entity begins at 12: no padding.
    _Static_assert(sizeof(mark) == 32, "the fields cover the struct");
    kn_target_type_def def = kn_target_type_def_default();
    def.name = name;
    def.size = sizeof(mark);
    def.fields = fields;
    def.field_count = 6;
    kn_target_type_id type;
    kn_error error = {0};
    if (kn_target_type_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static mark mark_of(const fixture *f)
{
    mark m = {.tag = kn_tag_find(f->library, "Mark.Deep"),
        .attribute = kn_attribute_find(f->library, "Vitals.Mana"),
        .curve = kn_curve_find(f->library, "Ease"),
        .entity = f->foe,
        .effects = {{0}, kn_effect_type_find(f->library, "Burn")}};
    const kn_target_type_def *def =
        kn_target_type_get_def(f->library, kn_target_type_find(f->library, "Mark"));
    m.mood = (int)kn_words_find(def->fields[5].words, "attacking");
    return m;
}

static kn_target_data marks_of(const fixture *f)
{
    kn_target_data data = {0};
    mark m = mark_of(f);
    kn_target_entity foe = {f->foe};
    kn_target_type_id type = kn_target_type_find(f->library, "Mark");
    assert_int_equal(kn_target_add(f->library, &data, type, &m), KN_OK);
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_entity(), &foe), KN_OK);
    return data;
}

static void expect_marks(const fixture *f, kn_target_view view)
{
    assert_true(kn_target_is_valid(f->library, view));
    assert_int_equal(kn_target_count(view), 2);
    const mark *m = kn_target_get(view, 0, kn_target_type_find(f->library, "Mark"));
    assert_non_null(m);
    mark expected = mark_of(f);
    assert_memory_equal(m, &expected, sizeof(expected));
}

static bool find_marks(const kn_targeting_call *call, kn_target_data *out)
{
    const names *n = call->user;
    *out = marks_of(n->f);
    return true;
}

static void guard_start(const kn_task_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    const uint32_t what[3] = {kn_tag_find(library, "Mark").index1,
        kn_attribute_find(library, "Vitals.Stamina").index1,
        kn_effect_type_find(library, "Burn").index1};
    const kn_trigger triggers[3] = {
        KN_TRIGGER_TAG_ADDED, KN_TRIGGER_ATTRIBUTE_CHANGED, KN_TRIGGER_EFFECT_APPLIED};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_task_watch(call->world, call->task, call->owner, triggers[i], what[i]), KN_OK);
    }
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_MOVEMENT, 7), KN_OK);
}

static void guard_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    names *n = call->user;
    ((guard *)kn_task_state(call->world, call->task))->woken++;
    note(n->f, "woken by %u. ", (uint32_t)reaction->trigger);
}

static kn_task_type_id guard_add(names *n, const char *name, uint32_t size)
{
    kn_task_type_def def = kn_task_type_def_default();
    def.name = name;
    def.state_size = size;
    def.start = guard_start;
    def.woken = guard_woken;
    def.user = n;
    kn_task_type_id type;
    assert_int_equal(kn_task_type_register(n->f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_type_id effect_add(fixture *f, const char *name)
{
    kn_effect_def def = infinite(name);
    return effect_register(f, &def);
}

static kn_ability_type_id plan_add_type(fixture *f, const char *name)
{
    kn_ability_def def = planner_def(f, name);
    return ability_register(f, &def);
}

// Things under other names, so that those that matter get other numbers.
static void names_shift(names *n)
{
    fixture *f = n->f;
    (void)tag_of(f, "A.First");
    (void)curve_add(f, "AFirst", 9.0f);
    (void)mark_add(f, "AFirst");
    (void)guard_add(n, "AFirst", 24);
    (void)effect_add(f, "AFirst");
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "AFirst";
    kn_targeting_id id;
    assert_int_equal(kn_targeting_register(f->library, &targeting, &id, NULL), KN_OK);
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "One";
    attributes[1].name = "Two";
    (void)set_register(f, "AFirst", attributes, 2);
    (void)plan_add_type(f, "AFirst");
}

static void names_register(names *n, fixture *f, bool is_shifted)
{
    *n = (names){.f = f};
    moods = is_shifted ? "idle attacking fleeing moving" : "idle moving attacking";
    if (is_shifted) {
        names_shift(n);
    }
    n->ease = curve_add(f, "Ease", 1.0f);
    n->mark = mark_add(f, "Mark");
    n->guard = guard_add(n, OWN_TASK, sizeof(guard));
    n->burn = effect_add(f, "Burn");
    (void)tag_of(f, "Mark.Deep");
    (void)tag_of(f, "Other.Tag");
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Marks";
    targeting.shape = KN_SHAPE_CUSTOM;
    targeting.find = find_marks;
    targeting.user = n;
    assert_int_equal(kn_targeting_register(f->library, &targeting, &n->targeting, NULL), KN_OK);
    kn_component_def component = kn_component_def_default();
    component.name = "Motion";
    component.size = sizeof(kn_motion_source);
    component.fields = kn_motion_source_fields(&component.field_count);
    assert_int_equal(kn_component_register(f->library, &component, &n->motion, NULL), KN_OK);
    n->plan = plan_add_type(f, "Plan");
    kn_ability_def other = ability_def(f, "Other");
    other.tags = tags_of(f, "Mark.Deep");
    n->other = ability_register(f, &other);
}

static kn_motion_def motion_of(const fixture *f)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_MOVE_TO);
    def.destination = (kn_vec3){10.0f, 0.0f, 0.0f};
    def.duration = KN_S(2);
    def.easing = kn_curve_find(f->library, "Ease");
    def.tag = kn_tag_find(f->library, "Mark");
    return def;
}

// A context with the marks, on an active effect, a spec and a cue.
static kn_spec_id targets_spread(names *n)
{
    fixture *f = n->f;
    kn_target_data data = marks_of(f);
    kn_effect_context context = {.targets = data.bytes, .target_size = data.size};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = n->burn;
    def.target = f->foe;
    def.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    kn_cue_params params = kn_cue_params_default();
    params.targets = kn_target_data_view(&data);
    assert_int_equal(kn_cue_add(f->world, f->foe, tag_of(f, "Mark.Deep"), &params), KN_OK);
    return spec;
}

static void expect_targets_spread(const names *n, kn_spec_id spec)
{
    const fixture *f = n->f;
    kn_effect_id effects[2];
    kn_effect_query query = kn_effect_query_default();
    query.type = n->burn;
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, effects, 2), 1);
    expect_marks(f, kn_effect_targets(f->world, effects[0]));
    kn_cue_active cue;
    kn_cue_params params;
    assert_int_equal(kn_cues(f->world, f->foe, &cue, 1), 1);
    assert_true(kn_cue_active_params(f->world, f->foe, &cue, &params));
    expect_marks(f, params.targets);
    kn_effect_id applied;
    assert_int_equal(kn_spec_apply(f->world, spec, f->hero, &applied), KN_OK);
    expect_marks(f, kn_effect_targets(f->world, applied));
    remove_effect(f, applied);
}

static void event_activate(names *n)
{
    kn_target_data data = marks_of(n->f);
    kn_event_record event = kn_event_record_default();
    event.data = data.bytes;
    event.data_size = data.size;
    event.tag = tag_of(n->f, "Mark");
    assert_int_equal(kn_ability_activate(n->f->world, grant(n->f, n->plan), &event, NULL), KN_OK);
}

// One task of every kind whose bytes refer to something, an event and a component that do.
static void names_run(names *n)
{
    fixture *f = n->f;
    begin(f);
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ALL_TAGS);
    kn_tag_query_tag(&query, tag_of(f, "Mark.Deep"));
    kn_tag_query_tag(&query, tag_of(f, "Other.Tag"));
    kn_tag_query_end(&query);
    plan_add(KN_TASK_TAG_QUERY, 1)->query = &query;
    plan_add(KN_TASK_ABILITY_ACTIVATED, 2)->tags = tags_of(f, "Mark");
    kn_motion_def motion = motion_of(f);
    plan_add(KN_TASK_MOTION, 3)->motion = &motion;
    plan_add(KN_TASK_CUSTOM, 4)->type = n->guard;
    kn_task_def *target = plan_add(KN_TASK_TARGET, 5);
    target->targeting = n->targeting;
    target->confirm = KN_CONFIRM_USER;
    event_activate(n);
    kn_motion_source *source = kn_component_add(f->world, n->motion, f->hero);
    assert_non_null(source);
    source->def = motion;
    step(f, KN_MS(500));
    the_plan = (plan){0};
}

// A library of its own, with a world that has read the save.
static void names_copy(names *n, bool is_shifted, const void *bytes, size_t size)
{
    void *own;
    (void)setup(&own);
    names_register(n, own, is_shifted);
    begin(n->f);
    save_load(n->f->world, bytes, size);
}

static void names_end(names *n)
{
    void *own = n->f;
    (void)teardown(&own);
}

static kn_activation_id the_activation(const fixture *f)
{
    kn_activation_id activation;
    assert_int_equal(kn_activations(f->world, f->hero, &activation, 1), 1);
    return activation;
}

// Everything that was saved, looked at by name.
static void expect_names(const names *n)
{
    const fixture *f = n->f;
    kn_motion_source sources[2];
    kn_motion_def motion = motion_of(f);
    assert_int_equal(kn_motions(f->world, f->hero, sources, 2), 1);
    assert_memory_equal(&sources[0].def, &motion, sizeof(motion));
    const kn_motion_source *component = kn_component_read(f->world, n->motion, f->hero);
    assert_memory_equal(&component->def, &motion, sizeof(motion));
    kn_event_record event;
    assert_true(kn_activation_event(f->world, the_activation(f), &event));
    expect_marks(f, (kn_target_view){event.data, event.data_size});
    kn_task_id tasks[8];
    assert_int_equal(kn_tasks(f->world, the_activation(f), tasks, 8), 5);
    expect_marks(f, kn_task_targets(f->world, tasks[4]));
}

// Everything the tasks wait for happens.
static void wake_all(names *n)
{
    fixture *f = n->f;
    add_tag(f, f->hero, tag_of(f, "Other.Tag"));
    add_tag(f, f->hero, tag_of(f, "Mark.Deep"));
    set_base(f, f->hero, f->stamina, 3.0f);
    set_base(f, f->hero, f->mana, 3.0f);
    assert_int_equal(
        kn_effect_apply_simple(f->world, n->burn, f->hero, f->hero, 1.0f, NULL), KN_OK);
    assert_int_equal(kn_host_movement_mode(f->world, f->hero, 7), KN_OK);
    activate(f, grant(f, n->other));
    step(f, KN_S(2));
}

#define ALL_WOKEN                                                                                  \
    "1 fired @500 true. woken by 1. woken by 3. woken by 4. woken by 11. Other activates. "        \
    "2 fired @500 Other. 3 finished @2000. "

static void a_library_with_other_numbers_reads_what_tasks_and_events_hold(void **state)
{
    names first;
    names_register(&first, *state, false);
    names_run(&first);
    expect_names(&first);
    kn_spec_id spec = targets_spread(&first);
    size_t size, again_size;
    void *bytes = save_of(first.f->world, &size);
    names other;
    names_copy(&other, true, bytes, size);
    assert_int_not_equal(other.ease.index1, first.ease.index1);
    assert_int_not_equal(other.mark.index1, first.mark.index1);
    assert_int_not_equal(other.guard.index1, first.guard.index1);
    other.f->hero = first.f->hero;
    other.f->foe = first.f->foe;
    expect_names(&other);
    // And back: nothing was lost on the way.
    void *again = save_of(other.f->world, &again_size);
    names back;
    names_copy(&back, false, again, again_size);
    assert_true(kn_world_hash(back.f->world) == kn_world_hash(first.f->world));
    expect_targets_spread(&first, spec);
    expect_targets_spread(&other, spec);
    expect_targets_spread(&back, spec);
    first.f->log[0] = other.f->log[0] = back.f->log[0] = 0; // the effect came and went
    wake_all(&first);
    EXPECT_LOG(first.f, ALL_WOKEN);
    wake_all(&other);
    EXPECT_LOG(other.f, ALL_WOKEN);
    wake_all(&back);
    EXPECT_LOG(back.f, ALL_WOKEN);
    assert_true(kn_world_hash(back.f->world) == kn_world_hash(first.f->world));
    free(bytes);
    free(again);
    names_end(&other);
    names_end(&back);
}

// A library that lacks a name, or has something else under it, says so and changes nothing.
static void a_library_without_a_name_refuses_the_save(void **state)
{
    names first;
    names_register(&first, *state, false);
    names_run(&first);
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    void *own;
    (void)setup(&own);
    fixture *poor = own;
    (void)tag_of(poor, "Mark.Deep");
    (void)plan_add_type(poor, "Plan");
    begin(poor);
    uint64_t before = kn_world_hash(poor->world);
    kn_error error = {0};
    assert_int_equal(kn_save_read(poor->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "curve `Ease`"));
    assert_int_equal(kn_world_hash(poor->world), before);
    (void)teardown(&own);
    free(bytes);
}

// The state of a custom task has another size: its watches would be looked for in the wrong place.
static void a_task_type_of_another_size_refuses_the_save(void **state)
{
    names first;
    names_register(&first, *state, false);
    begin(first.f);
    plan_add(KN_TASK_CUSTOM, 1)->type = first.guard;
    activate(first.f, grant(first.f, first.plan));
    size_t size;
    void *bytes = save_of(first.f->world, &size);
    void *own;
    (void)setup(&own);
    names other = {.f = own};
    (void)tag_of(other.f, "Mark.Deep");
    (void)effect_add(other.f, "Burn");
    (void)guard_add(&other, OWN_TASK, sizeof(guard) + 16); // as large as one watch more
    (void)plan_add_type(other.f, "Plan");
    begin(other.f);
    kn_error error = {0};
    assert_int_equal(kn_save_read(other.f->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "a different state layout"));
    names_end(&other);
    free(bytes);
}

// What is not target data is kept as it is.
static void bytes_of_an_event_that_are_no_target_data_are_saved_as_they_are(void **state)
{
    names first;
    names_register(&first, *state, false);
    begin(first.f);
    const uint8_t bytes[7] = {1, 0, 0, 0, 9, 9, 9};
    kn_event_record event = kn_event_record_default();
    event.data = bytes;
    event.data_size = sizeof(bytes);
    assert_int_equal(
        kn_ability_activate(first.f->world, grant(first.f, first.plan), &event, NULL), KN_OK);
    size_t size;
    void *save = save_of(first.f->world, &size);
    names other;
    names_copy(&other, true, save, size);
    kn_event_record read;
    assert_true(kn_activation_event(other.f->world, the_activation(other.f), &read));
    assert_int_equal(read.data_size, sizeof(bytes));
    assert_memory_equal(read.data, bytes, sizeof(bytes));
    names_end(&other);
    free(save);
}

static const struct CMUnitTest tests[] = {
    PLANNED(a_library_with_other_numbers_reads_what_tasks_and_events_hold),
    PLANNED(a_library_without_a_name_refuses_the_save),
    PLANNED(a_task_type_of_another_size_refuses_the_save),
    PLANNED(bytes_of_an_event_that_are_no_target_data_are_saved_as_they_are),
};

TEST_GROUP(save_by_name, tests, NULL, NULL);
