// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// States of abilities, tasks and effect logic that have fields, and components: saved by name, read
// by libraries in which everything has another number and the fields are others; hostile saves; no
// memory.

#include "damaged_save.h"
#include "save_version_2.h"
#include "scenario/ability_fixture.h"
#include "test_memory.h"

// Layouts -------------------------------------------------------------------

#define ITEMS_MAX 16

typedef struct item {
    const char *name;
    kn_field_kind kind;
    uint32_t count;
    const char *said; // what it refers to, or its words
} item;

typedef struct layout {
    kn_field fields[ITEMS_MAX];
    uint32_t count;
    uint32_t size;
} layout;

static const item before[] = {{"tag", KN_FIELD_TAG, 1, NULL},
    {"attribute", KN_FIELD_ATTRIBUTE, 1, NULL}, {"curve", KN_FIELD_CURVE, 1, NULL},
    {"target", KN_FIELD_ENTITY, 1, NULL}, {"hits", KN_FIELD_U32, 1, NULL},
    {"times", KN_FIELD_TIME, 3, NULL}, {"gone", KN_FIELD_U16, 1, NULL},
    {"small", KN_FIELD_U8, 1, NULL}, {"flag", KN_FIELD_BOOL, 1, NULL},
    {"place", KN_FIELD_VEC3, 1, NULL}, {"cause", KN_FIELD_EFFECT, 1, NULL}};
// In another order; one is gone, one is new, an array is shorter and one longer.
static const item after[] = {{"cause", KN_FIELD_EFFECT, 1, NULL}, {"place", KN_FIELD_VEC3, 1, NULL},
    {"fresh", KN_FIELD_F32, 2, NULL}, {"flag", KN_FIELD_BOOL, 1, NULL},
    {"small", KN_FIELD_U8, 3, NULL}, {"times", KN_FIELD_TIME, 2, NULL},
    {"hits", KN_FIELD_U32, 1, NULL}, {"target", KN_FIELD_ENTITY, 1, NULL},
    {"curve", KN_FIELD_CURVE, 1, NULL}, {"attribute", KN_FIELD_ATTRIBUTE, 1, NULL},
    {"tag", KN_FIELD_TAG, 1, NULL}};
static const item changed[] = {{"tag", KN_FIELD_TAG, 1, NULL}, {"hits", KN_FIELD_I32, 1, NULL}};
static const item version_2[] = {{"tag", KN_FIELD_TAG, 1, NULL}, {"hits", KN_FIELD_U32, 1, NULL},
    {"flag", KN_FIELD_BOOL, 1, NULL}};
static const item split_ids[] = {{"tag", KN_FIELD_TAG, 1, NULL}, {"tasks", KN_FIELD_U32, 4, NULL}};
static const item whole_ids[] = {{"tasks", KN_FIELD_TASK, 2, NULL}, {"tag", KN_FIELD_TAG, 1, NULL}};
static const item one_id[] = {{"tasks", KN_FIELD_TASK, 1, NULL}, {"tag", KN_FIELD_TAG, 1, NULL}};
static const item worded[] = {{"mood", KN_FIELD_ENUM, 3, "idle moving attacking"},
    {"orders", KN_FIELD_REF, 2, "effect"}, {"hits", KN_FIELD_U32, 1, NULL},
    {"lost", KN_FIELD_ENUM, 1, "no yes"}, {"left", KN_FIELD_REF, 1, "ability"}};
// The words in another order and with one more; two fields are gone, one is new, one is longer.
static const item reworded[] = {{"fresh", KN_FIELD_ENUM, 2, "first second"},
    {"orders", KN_FIELD_REF, 3, "effect"}, {"hits", KN_FIELD_U32, 1, NULL},
    {"mood", KN_FIELD_ENUM, 3, "fleeing\tattacking idle\n moving"}};
static const item fewer_words[] = {{"mood", KN_FIELD_ENUM, 3, "idle moving"}};
static const item elsewhere[] = {{"orders", KN_FIELD_REF, 2, "ability"}};
static const item numbered[] = {{"mood", KN_FIELD_U32, 3, NULL}};
static const item gap[] = {{"tag", KN_FIELD_TAG, 1, NULL}};

#define LAYOUT(items) layout_of(items, sizeof(items) / sizeof(*(items)))

static layout layout_of(const item *items, uint32_t count)
{
    layout made = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        kn_def_field probe = {.kind = (uint8_t)items[i].kind, .count = 1};
        made.fields[i] =
            (kn_field)KN_FIELD_INIT(items[i].name, items[i].kind, made.size, items[i].count);
        made.fields[i].refers_to = items[i].kind == KN_FIELD_REF ? items[i].said : NULL;
        made.fields[i].words = items[i].kind == KN_FIELD_ENUM ? items[i].said : NULL;
        made.size += (uint32_t)kn_def_field_size(&probe) * items[i].count;
    }
    return made;
}

static const kn_field *field_of(const layout *l, const char *name)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (strcmp(l->fields[i].name, name) == 0) {
            return &l->fields[i];
        }
    }
    return NULL;
}

static void put(const layout *l, void *state, const char *name, const void *value, size_t size)
{
    const kn_field *field = field_of(l, name);
    if (field != NULL) {
        memcpy((uint8_t *)state + field->offset, value, size);
    }
}

static void expect(
    const layout *l, const void *state, const char *name, const void *value, size_t size)
{
    const kn_field *field = field_of(l, name);
    if (field != NULL && memcmp((const uint8_t *)state + field->offset, value, size) != 0) {
        fail_msg("%s is not what it was", name);
    }
}

// One side: a library with everything that can have a state -----------------

enum { IN_ABILITY = 1, IN_ACTIVATION, IN_TASK, IN_EFFECT, IN_COMPONENT, IN_ITEMS };

typedef struct side {
    fixture *f;
    layout state; // without fields if `is_plain`
    bool is_plain;
    bool is_wild;     // tags and others have numbers that mean nothing
    bool are_swapped; // the abilities have the other's instancing
    uint32_t shift;   // how much smaller the numbers of tags are in plain bytes
    kn_ability_type_id keep, run;
    kn_task_type_id watch;
    kn_effect_type_id hold;
    kn_component_type_id note;
    kn_activation_id kept, running;
    kn_effect_id held;
} side;

typedef struct values {
    kn_tag tag;
    kn_attribute_id attribute;
    kn_curve_id curve;
    kn_entity_id target;
    uint32_t hits;
    kn_time times[3];
    uint16_t gone;
    uint8_t small;
    uint8_t flag;
    kn_vec3 place;
    kn_effect_id cause;
    kn_task_id tasks[2];
    const char *mood[3];
    uint32_t orders[3];
} values;

static values values_of(const side *s, uint32_t seed)
{
    values v = {.tag = kn_tag_find(s->f->library, "Deep.Mark"),
        .attribute = kn_attribute_find(s->f->library, "Vitals.Mana"),
        .curve = kn_curve_find(s->f->library, "Ease"),
        .target = s->f->foe,
        .hits = seed * 1000,
        .times = {KN_S(seed), KN_S(seed + 1), KN_S(seed + 2)},
        .gone = 77,
        .small = (uint8_t)(seed + 9),
        .flag = 1,
        .place = {1.0f, (float)seed, -3.0f},
        .cause = {seed, 5},
        .tasks = {{seed, 6}, {seed + 1, 7}},
        .mood = {"attacking", "idle", "moving"},
        .orders = {0, kn_def_find(s->f->library, KN_DEF_EFFECT, "Hold"), 0}};
    v.tag.index1 -= s->shift;
    if (s->is_wild) {
        v.tag.index1 = v.attribute.index1 = v.curve.index1 = 0xfffffff0u;
    }
    return v;
}

// The numbers that the words have in this layout.
static void moods_of(const layout *l, const values *v, uint32_t moods[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        moods[i] = kn_words_find(field_of(l, "mood")->words, v->mood[i]);
        assert_int_not_equal(moods[i], UINT32_MAX);
    }
}

static void fill(const side *s, void *state, uint32_t seed)
{
    const layout *l = &s->state;
    values v = values_of(s, seed);
    put(l, state, "tag", &v.tag, sizeof(v.tag));
    put(l, state, "attribute", &v.attribute, sizeof(v.attribute));
    put(l, state, "curve", &v.curve, sizeof(v.curve));
    put(l, state, "target", &v.target, sizeof(v.target));
    put(l, state, "hits", &v.hits, sizeof(v.hits));
    if (field_of(l, "times") != NULL) {
        put(l, state, "times", v.times, sizeof(kn_time) * field_of(l, "times")->count);
    }
    put(l, state, "gone", &v.gone, sizeof(v.gone));
    put(l, state, "small", &v.small, sizeof(v.small));
    put(l, state, "flag", &v.flag, sizeof(v.flag));
    put(l, state, "place", &v.place, sizeof(v.place));
    put(l, state, "cause", &v.cause, sizeof(v.cause));
    put(l, state, "tasks", v.tasks, sizeof(v.tasks));
    const uint32_t one = 1;
    put(l, state, "lost", &one, sizeof(one));
    put(l, state, "left", &one, sizeof(one));
    put(l, state, "orders", v.orders, 2 * sizeof(uint32_t));
    if (field_of(l, "mood") != NULL && field_of(l, "mood")->words != NULL) {
        uint32_t moods[3];
        moods_of(l, &v, moods);
        put(l, state, "mood", moods, sizeof(moods));
    }
}

// What was filled in on another side, found by name.
static void expect_filled(const side *s, const void *state, uint32_t seed)
{
    assert_non_null(state);
    const layout *l = &s->state;
    const uint8_t zero[16] = {0};
    values v = values_of(s, seed);
    expect(l, state, "tag", &v.tag, sizeof(v.tag));
    expect(l, state, "attribute", &v.attribute, sizeof(v.attribute));
    expect(l, state, "curve", &v.curve, sizeof(v.curve));
    expect(l, state, "target", &v.target, sizeof(v.target));
    expect(l, state, "hits", &v.hits, sizeof(v.hits));
    expect(l, state, "times", v.times, sizeof(kn_time) * 2);
    expect(l, state, "small", &v.small, sizeof(v.small));
    expect(l, state, "flag", &v.flag, sizeof(v.flag));
    expect(l, state, "place", &v.place, sizeof(v.place));
    expect(l, state, "cause", &v.cause, sizeof(v.cause));
    expect(l, state, "tasks", v.tasks, sizeof(v.tasks));
    expect(l, state, "fresh", zero, 8);
    if (field_of(l, "orders") != NULL) {
        expect(l, state, "orders", v.orders, sizeof(uint32_t) * field_of(l, "orders")->count);
    }
    if (field_of(l, "mood") != NULL) {
        uint32_t moods[3];
        moods_of(l, &v, moods);
        expect(l, state, "mood", moods, sizeof(moods));
    }
    if (field_of(l, "small") != NULL && field_of(l, "small")->count == 3) {
        assert_memory_equal((const uint8_t *)state + field_of(l, "small")->offset + 1, zero, 2);
    }
}

static void expect_zero(const side *s, const void *state)
{
    const uint8_t zero[KNI_STATE_MAX] = {0};
    assert_non_null(state);
    assert_memory_equal(state, zero, s->state.size);
}

static kn_result keep_activate(const kn_ability_call *call)
{
    const side *s = call->user;
    if (s->state.size > 0) {
        fill(s, kn_activation_state(call->world, call->activation), IN_ABILITY);
    }
    return KN_OK;
}

static kn_result run_activate(const kn_ability_call *call)
{
    const side *s = call->user;
    if (s->state.size > 0) {
        fill(s, kn_activation_state(call->world, call->activation), IN_ACTIVATION);
    }
    kn_task_def task = kn_task_def_default(KN_TASK_CUSTOM);
    task.type = s->watch;
    return kn_task_run(call->world, call->activation, &task, NULL);
}

static void watch_start(const kn_task_call *call)
{
    const side *s = call->user;
    if (s->state.size > 0) {
        fill(s, kn_task_state(call->world, call->task), IN_TASK);
    }
    kn_tag tag = kn_tag_find(kn_world_library(call->world), "Deep.Mark");
    assert_int_equal(
        kn_task_watch(call->world, call->task, call->owner, KN_TRIGGER_TAG_ADDED, tag.index1),
        KN_OK);
}

static void watch_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    side *s = call->user;
    note(s->f, "woken by %u. ", (uint32_t)reaction->trigger);
}

static void hold_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    const side *s = user;
    (void)world;
    (void)spec;
    if (s->state.size > 0) {
        fill(s, state, IN_EFFECT);
    }
}

// Things that take the first numbers.
static void side_shift(fixture *f)
{
    (void)tag_of(f, "A.First");
    (void)tag_of(f, "B.Second");
    const kn_curve_point point = {0.0f, 9.0f};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "AFirst";
    curve.points = &point;
    curve.point_count = 1;
    kn_curve_id id;
    assert_int_equal(kn_curve_register(f->library, &curve, &id, NULL), KN_OK);
    kn_effect_def effect = infinite("AFirst");
    (void)effect_register(f, &effect);
}

static kn_result side_logic(side *s, kn_effect_logic_id *logic)
{
    kn_effect_logic_def def = kn_effect_logic_def_default();
    def.name = "Hold";
    def.state_size = s->state.size;
    def.state_fields = s->is_plain ? NULL : s->state.fields;
    def.state_field_count = s->is_plain ? 0 : s->state.count;
    def.applied = hold_applied;
    def.user = s;
    return kn_effect_logic_register(s->f->library, &def, logic, NULL);
}

static kn_ability_def side_ability(side *s, const char *name, bool is_kept)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.instancing =
        is_kept != s->are_swapped ? KN_INSTANCING_PER_ACTOR : KN_INSTANCING_PER_EXECUTION;
    def.state_size = s->state.size;
    def.state_fields = s->is_plain ? NULL : s->state.fields;
    def.state_field_count = s->is_plain ? 0 : s->state.count;
    def.activate = is_kept ? keep_activate : run_activate;
    def.user = s;
    return def;
}

static kn_task_type_def side_task(side *s)
{
    kn_task_type_def def = kn_task_type_def_default();
    def.name = "Watch";
    def.state_size = s->state.size;
    def.state_fields = s->is_plain ? NULL : s->state.fields;
    def.state_field_count = s->is_plain ? 0 : s->state.count;
    def.start = watch_start;
    def.woken = watch_woken;
    def.user = s;
    return def;
}

// A component has fields in any case.
static kn_component_def side_component(const layout *own)
{
    kn_component_def def = kn_component_def_default();
    def.name = "Note";
    def.size = def.item_size = own->size;
    def.fields = def.item_fields = own->fields;
    def.field_count = def.item_field_count = own->count;
    return def;
}

static void side_register(side *s, bool is_shifted)
{
    fixture *f = s->f;
    if (is_shifted) {
        side_shift(f);
    }
    (void)tag_of(f, "Deep.Mark");
    const kn_curve_point point = {0.0f, 1.0f};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Ease";
    curve.points = &point;
    curve.point_count = 1;
    kn_curve_id ease;
    assert_int_equal(kn_curve_register(f->library, &curve, &ease, NULL), KN_OK);
    kn_ability_def keep = side_ability(s, "Keep", true), run = side_ability(s, "Run", false);
    if (is_shifted) { // the other way round
        s->run = ability_register(f, &run);
        s->keep = ability_register(f, &keep);
    } else {
        s->keep = ability_register(f, &keep);
        s->run = ability_register(f, &run);
    }
    kn_task_type_def task = side_task(s);
    assert_int_equal(kn_task_type_register(f->library, &task, &s->watch, NULL), KN_OK);
    kn_effect_def hold = infinite("Hold");
    assert_int_equal(side_logic(s, &hold.logic), KN_OK);
    s->hold = effect_register(f, &hold);
    layout one = LAYOUT(gap);
    kn_component_def component = side_component(s->state.count > 0 ? &s->state : &one);
    assert_int_equal(kn_component_register(f->library, &component, &s->note, NULL), KN_OK);
}

// The vitals of the fixture in another order, behind a set of others.
static int setup_shifted(void **state)
{
    fixture *f = fixture_create(2);
    const char *const names[] = {"Haste", "Stamina", "Mana", "MaxHealth", "Health"};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = attribute_def(names[i], i == 0 ? 1.0f : 100.0f);
        attributes[i].base_min = kn_limit_constant(0.0f);
    }
    (void)set_register(f, "AFirst", attributes, 4);
    f->set = set_register(f, "Vitals", attributes, 5);
    *state = f;
    return 0;
}

static side side_begin_with(layout state, bool is_plain, bool is_shifted, bool are_swapped)
{
    void *own;
    (void)(is_shifted ? setup_shifted(&own) : setup(&own));
    side s = {.f = own, .state = state, .is_plain = is_plain, .are_swapped = are_swapped};
    return s;
}

// The hooks keep a pointer to the side: it must not move any more.
static void side_begin(side *s, bool is_shifted)
{
    side_register(s, is_shifted);
    begin(s->f);
}

static void side_end(side *s)
{
    void *own = s->f;
    (void)teardown(&own);
}

// Everything that has a state is there.
static void side_run(side *s)
{
    fixture *f = s->f;
    s->kept = activate(f, grant(f, s->keep));
    s->running = activate(f, grant(f, s->run));
    assert_int_equal(
        kn_effect_apply_simple(f->world, s->hold, f->hero, f->foe, 1.0f, &s->held), KN_OK);
    void *component = kn_component_add(f->world, s->note, f->foe);
    assert_non_null(component);
    uint8_t *items = kn_component_resize(f->world, s->note, f->foe, 2);
    if (s->state.count > 0) {
        fill(s, component, IN_COMPONENT);
        fill(s, items, IN_ITEMS);
        fill(s, items + s->state.size, IN_ITEMS + 1);
    }
    step(f, KN_MS(100));
}

static kn_task_id the_task(const side *s)
{
    kn_task_id task = {0};
    assert_int_equal(kn_tasks(s->f->world, s->running, &task, 1), 1);
    return task;
}

// Ids are the same on every side.
static void side_follow(side *s, const side *from)
{
    s->f->hero = from->f->hero;
    s->f->foe = from->f->foe;
    s->kept = from->kept;
    s->running = from->running;
    s->held = from->held;
}

typedef void check_fn(const side *s, const void *state, uint32_t seed);

static void each_state(const side *s, check_fn *check)
{
    fixture *f = s->f;
    check(s, kn_activation_state(f->world, s->kept), IN_ABILITY);
    check(s, kn_activation_state(f->world, s->running), IN_ACTIVATION);
    check(s, kn_task_state(f->world, the_task(s)), IN_TASK);
    check(s, kn_effect_state(f->world, s->held), IN_EFFECT);
}

static void each_component(const side *s, check_fn *check)
{
    fixture *f = s->f;
    uint32_t count;
    const uint8_t *items = kn_component_items(f->world, s->note, f->foe, &count);
    assert_int_equal(count, 2);
    check(s, kn_component_read(f->world, s->note, f->foe), IN_COMPONENT);
    check(s, items, IN_ITEMS);
    check(s, items + s->state.size, IN_ITEMS + 1);
}

static void check_zero(const side *s, const void *state, uint32_t seed)
{
    (void)seed;
    expect_zero(s, state);
}

static uint8_t *saved(const side *s, size_t *size)
{
    assert_int_equal(kn_save_write(s->f->world, NULL, 0, size), KN_OK);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(s->f->world, bytes, *size, size), KN_OK);
    return bytes;
}

static void side_load(side *s, const side *from)
{
    size_t size;
    uint8_t *bytes = saved(from, &size);
    save_load(s->f->world, bytes, size);
    assert_true(kn_world_validate(s->f->world));
    side_follow(s, from);
    free(bytes);
}

static void expect_refused(side *s, const side *from, const char *message)
{
    size_t size;
    uint8_t *bytes = saved(from, &size);
    uint64_t hash = kn_world_hash(s->f->world);
    kn_error error = {0};
    assert_int_equal(kn_save_read(s->f->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, message);
    assert_int_equal(kn_world_hash(s->f->world), hash);
    free(bytes);
}

// The task still knows what it waits for.
static void expect_awake(const side *s)
{
    fixture *f = s->f;
    f->log[0] = 0;
    add_tag(f, f->hero, kn_tag_find(f->library, "Deep.Mark"));
    EXPECT_LOG(f, "woken by 1. ");
    step(f, KN_MS(100));
}

// Tests ---------------------------------------------------------------------

static void states_and_components_are_read_by_name(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    each_state(&first, expect_filled);
    each_component(&first, expect_filled);
    side other = side_begin_with(LAYOUT(after), false, true, false);
    side_begin(&other, true);
    assert_int_not_equal(kn_tag_find(other.f->library, "Deep.Mark").index1,
        kn_tag_find(first.f->library, "Deep.Mark").index1);
    assert_int_not_equal(kn_attribute_find(other.f->library, "Vitals.Mana").index1,
        kn_attribute_find(first.f->library, "Vitals.Mana").index1);
    side_load(&other, &first);
    each_state(&other, expect_filled);
    each_component(&other, expect_filled);
    // The same library: nothing is lost.
    side same = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&same, false);
    side_load(&same, &first);
    assert_int_equal(kn_world_hash(same.f->world), kn_world_hash(first.f->world));
    // And back: what the other did not have is zero.
    side_load(&same, &other);
    each_state(&same, expect_filled);
    each_component(&same, expect_filled);
    const uint8_t zero[8] = {0};
    const void *kept = kn_activation_state(same.f->world, same.kept);
    expect(&same.state, kept, "gone", zero, 2);
    const uint8_t *times =
        (const uint8_t *)kept + field_of(&same.state, "times")->offset + 2 * sizeof(kn_time);
    assert_memory_equal(times, zero, sizeof(kn_time));
    expect_awake(&first);
    expect_awake(&other);
    expect_awake(&same);
    side_end(&first);
    side_end(&other);
    side_end(&same);
}

// Words by word, definitions by name, in arrays too; what the save does not have is the first word.
static void words_and_definitions_are_read_by_name(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    assert_true(kn_world_validate(first.f->world));
    side other = side_begin_with(LAYOUT(reworded), false, true, false);
    side_begin(&other, true);
    assert_int_not_equal(values_of(&first, 1).orders[1], values_of(&other, 1).orders[1]);
    side_load(&other, &first);
    each_state(&other, expect_filled);
    each_component(&other, expect_filled);
    // The same library: nothing is lost.
    side same = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&same, false);
    side_load(&same, &first);
    assert_int_equal(kn_world_hash(same.f->world), kn_world_hash(first.f->world));
    side_load(&same, &other);
    each_state(&same, expect_filled);
    each_component(&same, expect_filled);
    side_end(&first);
    side_end(&other);
    side_end(&same);
}

static uint8_t *state_in(const side *s, uint32_t where)
{
    kn_world *world = s->f->world;
    switch (where) {
    case IN_ABILITY:
        return kn_activation_state(world, s->kept);
    case IN_ACTIVATION:
        return kn_activation_state(world, s->running);
    case IN_TASK:
        return kn_task_state(world, the_task(s));
    case IN_EFFECT:
        return (uint8_t *)(uintptr_t)kn_effect_state(world, s->held);
    case IN_COMPONENT:
        return kn_component_get(world, s->note, s->f->foe);
    default:
        return (uint8_t *)kn_component_items(world, s->note, s->f->foe, NULL) + s->state.size;
    }
}

// An effect made at run time is known to its world, and travels with it.
static void effects_made_at_run_time_are_referred_to(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    kn_effect_def def = infinite("Made");
    kn_effect_type_id made;
    assert_int_equal(kn_world_effect_register(first.f->world, &def, &made, NULL), KN_OK);
    uint32_t offset = field_of(&first.state, "orders")->offset;
    memcpy(state_in(&first, IN_COMPONENT) + offset, &made, sizeof(made));
    char text[4096];
    (void)kn_entity_dump(first.f->world, first.f->foe, text, sizeof(text));
    assert_non_null(strstr(text, "orders  Made, Hold\n"));
    side other = side_begin_with(LAYOUT(reworded), false, true, false);
    side_begin(&other, true);
    side_load(&other, &first);
    memcpy(&made, state_in(&other, IN_COMPONENT) + field_of(&other.state, "orders")->offset,
        sizeof(made));
    assert_string_equal(kn_effect_type_name(other.f->world, made), "Made");
    side_end(&first);
    side_end(&other);
}

static void words_and_kinds_that_are_gone_are_refused(void **state)
{
    (void)state;
    static const struct {
        const item *items;
        uint32_t count;
        const char *message;
    } rows[] = {
        {fewer_words, 1,
            "the save has the word `attacking` in a field `mood`, which does not have this word "
            "any "
            "more"},
        {elsewhere, 1,
            "the save has `Hold` with a field `orders` of another kind; give it a new name"},
        {numbered, 1,
            "the save has `Hold` with a field `mood` of another kind; give it a new name"},
    };
    side first = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        side other = side_begin_with(layout_of(rows[i].items, rows[i].count), false, false, false);
        side_begin(&other, false);
        expect_refused(&other, &first, rows[i].message);
        side_end(&other);
    }
    side_end(&first);
}

static bool ignore(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// Numbers without a word: found by validation, and saved as the first word, so that what was saved
// can be loaded. References that name nothing are null.
static void numbers_without_a_word_are_found(void **state)
{
    (void)state;
    const uint32_t wrong = 3, wild = 0xfffffff0u;
    side s = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&s, false);
    side_run(&s);
    kn_world *world = s.f->world;
    uint32_t mood = field_of(&s.state, "mood")->offset + 4;
    uint32_t order = field_of(&s.state, "orders")->offset;
    size_t size;
    void *moment = snapshot_of(world, &size);
    for (uint32_t i = IN_ABILITY; i <= IN_ITEMS; i++) {
        uint8_t *spoilt = state_in(&s, i);
        memcpy(spoilt + mood, &wrong, sizeof(wrong));
        memcpy(spoilt + order, &wild, sizeof(wild));
        kn_assert_set_handler(ignore);
        assert_false(kn_world_validate(world));
        kn_assert_set_handler(NULL);
        size_t saved_size;
        uint8_t *bytes = saved(&s, &saved_size);
        side other = side_begin_with(LAYOUT(worded), false, false, false);
        side_begin(&other, false);
        save_load(other.f->world, bytes, saved_size);
        assert_true(kn_world_validate(other.f->world));
        side_end(&other);
        free(bytes);
        snapshot_restore(world, moment, size);
        assert_true(kn_world_validate(world));
    }
    free(moment);
    side_end(&s);
}

static void words_are_dumped_and_compared(void **state)
{
    (void)state;
    side s = side_begin_with(LAYOUT(worded), false, false, false);
    side_begin(&s, false);
    side_run(&s);
    kn_world *world = s.f->world;
    char text[16384];
    (void)kn_entity_dump(world, s.f->hero, text, sizeof(text));
    assert_non_null(
        strstr(text, "state mood attacking, idle, moving; orders none, Hold; hits 1000; "
                     "lost yes; left Keep\n"));
    (void)kn_entity_dump(world, s.f->foe, text, sizeof(text));
    assert_non_null(strstr(text, "mood    attacking, idle, moving\n"));
    assert_non_null(strstr(text, "[1] mood attacking, idle, moving; orders none, Hold; "));
    (void)kn_world_dump_json(world, text, sizeof(text));
    assert_non_null(strstr(text, "\"state\":{\"mood\":[\"attacking\",\"idle\",\"moving\"],"
                                 "\"orders\":[\"\",\"Hold\"],\"hits\":1000,\"lost\":\"yes\","
                                 "\"left\":\"Keep\"}"));
    size_t size;
    void *moment = snapshot_of(world, &size);
    kn_world_def def = kn_world_def_default();
    def.library = s.f->library;
    kn_world *copy;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    snapshot_restore(copy, moment, size);
    uint64_t hash = kn_world_hash(world);
    const uint32_t moving = 1, nothing = 0;
    uint8_t *kept = kn_activation_state(world, s.kept);
    memcpy(kept + field_of(&s.state, "mood")->offset, &moving, sizeof(moving));
    assert_int_not_equal(kn_world_hash(world), hash);
    assert_true(kn_world_difference(world, copy, text, sizeof(text)));
    assert_string_equal(text, "entity 1, ability Keep, state mood [0] moving against attacking");
    snapshot_restore(world, moment, size);
    kept = kn_activation_state(world, s.kept);
    memcpy(kept + field_of(&s.state, "orders")->offset + 4, &nothing, sizeof(nothing));
    assert_int_not_equal(kn_world_hash(world), hash);
    assert_true(kn_world_difference(world, copy, text, sizeof(text)));
    assert_string_equal(text, "entity 1, ability Keep, state orders [1]  against Hold");
    kn_world_destroy(copy);
    free(moment);
    side_end(&s);
}

static void a_world_is_reloaded_by_name(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    side other = side_begin_with(LAYOUT(after), false, true, false);
    side_begin(&other, true);
    kn_error error = {0};
    if (kn_world_reload(first.f->world, other.f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_world_destroy(other.f->world);
    other.f->world = first.f->world;
    first.f->world = NULL;
    side_follow(&other, &first);
    assert_true(kn_world_validate(other.f->world));
    each_state(&other, expect_filled);
    each_component(&other, expect_filled);
    expect_awake(&other);
    side_end(&other);
    side_end(&first);
}

// Ids were saved as pairs of numbers before they had kinds.
static void pairs_of_numbers_become_ids(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(split_ids), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    side other = side_begin_with(LAYOUT(whole_ids), false, false, false);
    side_begin(&other, false);
    side_load(&other, &first);
    each_state(&other, expect_filled);
    each_component(&other, expect_filled);
    side fewer = side_begin_with(LAYOUT(one_id), false, false, false);
    side_begin(&fewer, false);
    expect_refused(&fewer, &first,
        "the save has `Hold` with a field `tasks` of another kind; give it a new name");
    side_end(&fewer);
    side_end(&first);
    side_end(&other);
}

static void another_kind_is_refused(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    side other = side_begin_with(LAYOUT(changed), false, true, false);
    side_begin(&other, true);
    expect_refused(&other, &first,
        "the save has `Hold` with a field `hits` of another kind; give it a new name");
    // A component alone says the same.
    side lone = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&lone, false);
    assert_non_null(kn_component_add(lone.f->world, lone.note, lone.f->foe));
    expect_refused(&other, &lone,
        "the save has `Note` with a field `hits` of another kind; give it a new name");
    side_end(&lone);
    side_end(&first);
    side_end(&other);
}

// Fields against plain bytes, and against no state at all.
static void what_has_no_fields_keeps_its_rules(void **state)
{
    (void)state;
    side with = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&with, false);
    side_run(&with);
    side plain = side_begin_with(LAYOUT(before), true, false, false);
    side_begin(&plain, false);
    side_run(&plain);
    side less = side_begin_with(LAYOUT(gap), true, false, false);
    side_begin(&less, false);
    side none = side_begin_with((layout){0}, false, false, false);
    side_begin(&none, false);

    // Bytes that got names since then are taken as they lie, if they are as many.
    side_load(&with, &plain);
    each_state(&with, expect_filled);
    expect_refused(&less, &plain, "`Hold` has a different state layout than in the save");
    // Fields that lost their names cannot be found.
    expect_refused(&plain, &with, "`Hold` has a different state layout than in the save");
    // A library without state drops all fields; one that gets a state begins at zero.
    side_load(&none, &with);
    assert_null(kn_activation_state(none.f->world, none.kept));
    assert_null(kn_effect_state(none.f->world, none.held));
    assert_null(kn_task_state(none.f->world, the_task(&none)));
    side_load(&with, &none);
    each_state(&with, check_zero);
    expect_awake(&with);
    expect_refused(&less, &none, "effect `Hold` has different logic than in the save");
    side_end(&with);
    side_end(&plain);
    side_end(&less);
    side_end(&none);
}

static void check_null(const side *s, const void *state, uint32_t seed)
{
    const uint32_t zero = 0, hits = values_of(s, seed).hits;
    expect(&s->state, state, "tag", &zero, sizeof(zero));
    expect(&s->state, state, "attribute", &zero, sizeof(zero));
    expect(&s->state, state, "curve", &zero, sizeof(zero));
    expect(&s->state, state, "hits", &hits, sizeof(hits));
}

// Numbers that mean nothing in the library that reads them, in a state that has fields by now.
static void bytes_that_name_nothing_are_null(void **state)
{
    (void)state;
    side plain = side_begin_with(LAYOUT(before), true, false, false);
    plain.is_wild = true;
    side_begin(&plain, false);
    side_run(&plain);
    side with = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&with, false);
    side_load(&with, &plain);
    each_state(&with, check_null);
    uint64_t hash = kn_world_hash(with.f->world);
    side_load(&with, &with);
    assert_int_equal(kn_world_hash(with.f->world), hash);
    side_end(&with);
    side_end(&plain);
}

// The state moves from the ability to its activations, or back: that is another state.
static void other_instancing_begins_at_zero(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    side other = side_begin_with(LAYOUT(after), false, false, true);
    side_begin(&other, false);
    side_load(&other, &first);
    expect_zero(&other, kn_activation_state(other.f->world, other.kept));
    expect_zero(&other, kn_activation_state(other.f->world, other.running));
    expect_filled(&other, kn_task_state(other.f->world, the_task(&other)), IN_TASK);
    side_end(&first);
    side_end(&other);
}

// Unused bits do not count as a difference; every other one does.
static void a_hash_sees_fields(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    kn_world *world = first.f->world;
    uint64_t hash = kn_world_hash(world);
    size_t size;
    void *moment = snapshot_of(world, &size);
    kn_world_def def = kn_world_def_default();
    def.library = first.f->library;
    kn_world *copy;
    assert_int_equal(kn_world_create(&def, &copy), KN_OK);
    snapshot_restore(copy, moment, size);
    assert_int_equal(kn_world_hash(copy), hash);

    uint8_t *kept = kn_activation_state(world, first.kept);
    uint32_t flag = field_of(&first.state, "flag")->offset;
    kept[flag] = 2; // still true
    assert_int_equal(kn_world_hash(world), hash);
    char text[256];
    assert_false(kn_world_difference(world, copy, text, sizeof(text)));
    kept[flag] = 0;
    assert_int_not_equal(kn_world_hash(world), hash);
    assert_true(kn_world_difference(world, copy, text, sizeof(text)));
    assert_string_equal(text, "entity 1, ability Keep, state flag false against true");
    kept[flag] = 1;
    uint8_t *task = kn_task_state(world, the_task(&first));
    memset(task + field_of(&first.state, "tag")->offset, 0, 4);
    assert_int_not_equal(kn_world_hash(world), hash);
    assert_true(kn_world_difference(world, copy, text, sizeof(text)));
    assert_string_equal(text, "entity 1, task Run, data tag  against Deep.Mark");
    snapshot_restore(world, moment, size);
    assert_int_equal(kn_world_hash(world), hash);
    kn_world_destroy(copy);
    free(moment);
    side_end(&first);
}

static void dumps_name_the_fields(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    char text[16384];
    (void)kn_entity_dump(first.f->world, first.f->hero, text, sizeof(text));
    assert_non_null(
        strstr(text, "    state tag Deep.Mark; attribute Vitals.Mana; curve Ease; target "
                     "entity 2; hits 1000; times 1 s, 2 s, 3 s; gone 77; small "
                     "10; flag true; place 1 1 -3; "));
    assert_non_null(strstr(text, "      state tag Deep.Mark; attribute Vitals.Mana; curve Ease; "
                                 "target entity 2; hits 2000; "));
    assert_non_null(strstr(text, "        state tag Deep.Mark; attribute Vitals.Mana; curve Ease; "
                                 "target entity 2; hits 3000; "));
    (void)kn_entity_dump(first.f->world, first.f->foe, text, sizeof(text));
    assert_non_null(
        strstr(text, "    state tag Deep.Mark; attribute Vitals.Mana; curve Ease; target "
                     "entity 2; hits 4000; "));
    (void)kn_world_dump_json(first.f->world, text, sizeof(text));
    for (uint32_t i = IN_ABILITY; i <= IN_EFFECT; i++) {
        char part[256];
        (void)snprintf(part, sizeof(part),
            "\"state\":{\"tag\":\"Deep.Mark\",\"attribute\":\"Vitals.Mana\",\"curve\":\"Ease\","
            "\"target\":\"2:%u\",\"hits\":%u,",
            first.f->foe.generation, i * 1000);
        if (strstr(text, part) == NULL) {
            fail_msg("no %s in %s", part, text);
        }
    }
    side_end(&first);
    // Plain bytes show nothing.
    side plain = side_begin_with(LAYOUT(before), true, false, false);
    side_begin(&plain, false);
    side_run(&plain);
    (void)kn_entity_dump(plain.f->world, plain.f->hero, text, sizeof(text));
    assert_null(strstr(text, "state"));
    (void)kn_world_dump_json(plain.f->world, text, sizeof(text));
    assert_non_null(strstr(text, "\"state\":{}"));
    assert_null(strstr(text, "\"state\":{\""));
    side_end(&plain);
}

// Before version 3 a state was bytes, and components brought their own list of fields.
static void saves_of_version_2_are_read(void **state)
{
    (void)state;
    // Without fields, bytes of a little-endian machine stay what they are.
    uint32_t sides = kni_is_big_endian() ? 1 : 2;
    for (uint32_t is_plain = 0; is_plain < sides; is_plain++) {
        side s = side_begin_with(LAYOUT(version_2), is_plain != 0, false, false);
        side_begin(&s, false);
        kn_error error = {0};
        if (kn_save_read(s.f->world, save_version_2, sizeof(save_version_2), &error) != KN_OK) {
            fail_msg("%s", error.message);
        }
        assert_true(kn_world_validate(s.f->world));
        s.kept = (kn_activation_id){1, 4};
        s.running = (kn_activation_id){2, 6};
        s.held = (kn_effect_id){1, 8};
        s.shift = 1; // its library had one tag less: no Activation.Fail.NoTarget
        each_state(&s, expect_filled);
        s.shift = 0;
        each_component(&s, expect_filled);
        expect_awake(&s);
        side_end(&s);
    }
    side other = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&other, false);
    kn_error error = {0};
    assert_int_equal(kn_save_read(other.f->world, save_version_2, sizeof(save_version_2), &error),
        KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "the save is damaged: a block of state or payload has the wrong size");
    side_end(&other);
}

// Registration --------------------------------------------------------------

static void expect_registration(side *s, const char *what)
{
    char expected[256];
    kn_error error = {0};
    kn_ability_type_id ability;
    kn_ability_def def = side_ability(s, "Bad", true);
    (void)snprintf(expected, sizeof(expected), "ability `Bad`: %s", what);
    assert_int_equal(kn_ability_register(s->f->library, &def, &ability, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(ability.index1, 0);
    assert_string_equal(error.message, expected);
    kn_task_type_def task = side_task(s);
    task.name = "Bad";
    kn_task_type_id task_type;
    (void)snprintf(expected, sizeof(expected), "task `Bad`: %s", what);
    assert_int_equal(
        kn_task_type_register(s->f->library, &task, &task_type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, expected);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Bad";
    logic.state_size = s->state.size;
    logic.state_fields = s->state.fields;
    logic.state_field_count = s->state.count;
    kn_effect_logic_id logic_id;
    (void)snprintf(expected, sizeof(expected), "effect logic `Bad`: %s", what);
    assert_int_equal(
        kn_effect_logic_register(s->f->library, &logic, &logic_id, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, expected);
}

static void fields_must_tile_the_state(void **state)
{
    (void)state;
    side s = side_begin_with(LAYOUT(before), false, false, false);
    s.state.size += 2;
    expect_registration(&s, "its fields cover 72 of 74 bytes; name the padding too");
    s.state = LAYOUT(before);
    s.state.fields[1].offset = 3;
    expect_registration(&s, "field attribute begins at 3, but the one before ends at 4");
    s.state = LAYOUT(before);
    s.state.fields[1].kind = (kn_field_kind)0;
    expect_registration(&s, "field 1 has no name or no known kind");
    s.state = LAYOUT(before);
    s.state.fields[1].name = NULL;
    expect_registration(&s, "field 1 has no name or no known kind");
    s.state = LAYOUT(before);
    s.state.fields[1].name = "tag";
    expect_registration(&s, "field tag appears twice");
    s.state =
        (layout){.fields = {KN_FIELD_INIT("all", KN_FIELD_U8, 0, 4097)}, .count = 1, .size = 4097};
    expect_registration(&s, "its state must not exceed 4096 bytes");
    kn_ability_def def = kn_ability_def_default();
    def.name = "Bad";
    def.state_size = 4;
    def.state_field_count = 2;
    kn_ability_type_id ability;
    assert_int_equal(kn_ability_register(s.f->library, &def, &ability, NULL), KN_ERROR_BAD_DATA);
    side_end(&s);
}

// What is registered is a copy, and part of the hash of the library.
// Fields so large that their sum comes round to the size of the state.
static void what_words_say_is_checked(void **state)
{
    (void)state;
    char many[257 * 5 + 1] = "";
    for (uint32_t i = 0; i < 257; i++) {
        (void)snprintf(many + 5 * i, sizeof(many) - 5 * i, "w%03u ", i % 1000u);
    }
    const struct {
        kn_field_kind kind;
        const char *refers_to;
        const char *words;
        const char *message;
    } rows[] = {
        {KN_FIELD_REF, NULL, NULL,
            "field it needs `refers_to`: a kind of definition, such as effect"},
        {KN_FIELD_REF, "", NULL,
            "field it needs `refers_to`: a kind of definition, such as effect"},
        {KN_FIELD_REF, "efect", NULL,
            "field it refers to `efect`, which is not a kind of definition; did you mean "
            "`effect`?"},
        {KN_FIELD_REF, "Effect", NULL,
            "field it refers to `Effect`, which is not a kind of definition; did you mean "
            "`effect`?"},
        {KN_FIELD_REF, "spaceship", NULL,
            "field it refers to `spaceship`, which is not a kind of definition"},
        {KN_FIELD_REF, "effect", "a b",
            "field it has `words`, which only fields of the kind enum have"},
        {KN_FIELD_ENUM, "effect", "a b",
            "field it refers to the enum `effect`, which is not registered"},
        {KN_FIELD_U32, "effect", NULL,
            "field it has `refers_to`, which only fields of the kind ref have"},
        {KN_FIELD_U32, NULL, "a b",
            "field it has `words`, which only fields of the kind enum have"},
        {KN_FIELD_ENUM, NULL, NULL, "field it needs 1 to 256 `words`, separated by blanks"},
        {KN_FIELD_ENUM, NULL, " ", "field it needs 1 to 256 `words`, separated by blanks"},
        {KN_FIELD_ENUM, NULL, many, "field it needs 1 to 256 `words`, separated by blanks"},
        {KN_FIELD_ENUM, NULL, "idle idle2 idle", "field it has the word `idle` twice"},
        {KN_FIELD_ENUM, NULL, "idle mov-ing",
            "field it has the word `mov-ing`; words are letters, digits and `_`"},
    };
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        side s = side_begin_with((layout){0}, false, false, false);
        s.state =
            (layout){.fields = {KN_FIELD_INIT("it", rows[i].kind, 0, 1)}, .count = 1, .size = 4};
        s.state.fields[0].refers_to = rows[i].refers_to;
        s.state.fields[0].words = rows[i].words;
        expect_registration(&s, rows[i].message);
        side_end(&s);
    }
    many[256 * 5] = 0;
    side s = side_begin_with((layout){0}, false, false, false);
    s.state = (layout){.fields = {KN_FIELD_INIT("it", KN_FIELD_ENUM, 0, 1)}, .count = 1, .size = 4};
    s.state.fields[0].words = many;
    kn_ability_def def = side_ability(&s, "Good", true);
    (void)ability_register(s.f, &def);
    side_end(&s);
}

static void words_are_found_in_their_list(void **state)
{
    (void)state;
    const char words[] = " idle\tmoving\n  on_fire ";
    uint32_t length;
    assert_int_equal(kn_words_count(words), 3);
    assert_int_equal(kn_words_find(words, "idle"), 0);
    assert_int_equal(kn_words_find(words, "on_fire"), 2);
    assert_int_equal(kn_words_find(words, "on"), UINT32_MAX);
    assert_int_equal(kn_words_find(words, ""), UINT32_MAX);
    assert_int_equal(kn_words_find(words, NULL), UINT32_MAX);
    assert_memory_equal(kn_words_at(words, 1, &length), "moving", 6);
    assert_int_equal(length, 6);
    assert_string_equal(kn_words_at(words, 3, &length), "");
    assert_int_equal(length, 0);
    assert_int_equal(kn_words_count(NULL), 0);
    assert_int_equal(kn_words_find(NULL, "idle"), UINT32_MAX);
    assert_string_equal(kn_words_at(NULL, 0, &length), "");
}

static void fields_that_wrap_around_are_refused(void **state)
{
    (void)state;
    enum { LARGE = 5461, SMALL = 4, COUNT = LARGE + SMALL + 1 };
    static kn_field fields[COUNT];
    static char names[COUNT][8];
    uint32_t at = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i % 10000u);
        kn_field_kind kind = i < LARGE ? KN_FIELD_VEC3 : KN_FIELD_U8;
        uint32_t count = i < COUNT - 1 ? 65536 : 4;
        fields[i] = (kn_field)KN_FIELD_INIT(names[i], kind, at, count);
        at += (i < LARGE ? 12 : 1) * count;
    }
    assert_int_equal(at, 4);
    fixture f = {0};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f.library), KN_OK);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Wide";
    ability.state_size = 4;
    ability.state_fields = fields;
    ability.state_field_count = COUNT;
    kn_ability_type_id type;
    kn_error error = {0};
    assert_int_equal(kn_ability_register(f.library, &ability, &type, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "ability `Wide`: field f5464 is too large");
    kn_library_destroy(f.library);
}

static void fields_are_copied_and_hashed(void **state)
{
    (void)state;
    uint64_t hashes[3];
    for (uint32_t i = 0; i < 3; i++) {
        side s = side_begin_with(LAYOUT(before), i == 2, false, false);
        char name[8] = "small";
        s.state.fields[7].name = name;
        kn_ability_def def = side_ability(&s, "Keep", true);
        kn_ability_type_id type = ability_register(s.f, &def);
        memset(name, 0, sizeof(name));
        if (i < 2) {
            assert_string_equal(
                kn_ability_type_get_def(s.f->library, type)->state_fields[7].name, "small");
        }
        begin(s.f);
        hashes[i] = kn_library_hash(s.f->library);
        side_end(&s);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_not_equal(hashes[0], hashes[2]);
}

// Hostile saves -------------------------------------------------------------

static void expect_refused_or_sound(kn_world *world, const uint8_t *bytes, size_t size, tally *t)
{
    if (!read_damaged(world, bytes, size, t)) {
        return;
    }
    uint64_t hash = kn_world_hash(world);
    kn_error error = {0};
    size_t again;
    uint8_t *copy = save_of(world, &again);
    if (kn_save_read(world, copy, again, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    free(copy);
    assert_int_equal(kn_world_hash(world), hash);
    assert_int_equal(kn_world_step(world, KN_MS(1)), KN_OK);
    assert_true(kn_world_validate(world));
}

// Into the library that wrote the save, and into one with other fields.
static void expect_damage_is_noticed(layout own, layout theirs)
{
    side first = side_begin_with(own, false, false, false);
    side_begin(&first, false);
    side_run(&first);
    side other = side_begin_with(theirs, false, true, false);
    side_begin(&other, true);
    size_t size;
    uint8_t *bytes = saved(&first, &size);
    kn_world *targets[2] = {first.f->world, other.f->world};
    const uint8_t masks[] = {0x01, 0x80, 0xff};
    tally t = {0};
    for (size_t i = SAVE_HEADER_SIZE; i < size; i += SHARE(7)) {
        for (uint32_t m = 0; m < 3; m++) {
            bytes[i] ^= masks[m];
            repair(bytes, size);
            expect_refused_or_sound(targets[(i + m) % 2], bytes, size, &t);
            bytes[i] ^= masks[m];
        }
    }
    assert_true(t.refused > 1000 / SHARE(7));
    assert_true(t.accepted > 900 / SHARE(7));
    t = (tally){0};
    for (size_t cut = SAVE_HEADER_SIZE; cut < size; cut += SHARE(5)) {
        uint8_t *less = malloc(cut);
        assert_non_null(less);
        memcpy(less, bytes, cut);
        repair(less, cut);
        expect_refused_or_sound(targets[cut % 2], less, cut, &t);
        free(less);
    }
    assert_int_equal(t.accepted, 0);
    const uint32_t words[] = {0, 2, 65536, 0x7fffffffu, 0xffffffffu};
    for (size_t i = SAVE_HEADER_SIZE; i + 4 <= size; i += 3 * SHARE(5)) {
        uint8_t old[4];
        memcpy(old, bytes + i, 4);
        for (uint32_t v = 0; v < sizeof(words) / sizeof(*words); v++) {
            kn_writer writer = {bytes + i, 4, 0};
            kn_write_u32(&writer, words[v]);
            repair(bytes, size);
            expect_refused_or_sound(targets[(i + v) % 2], bytes, size, &t);
        }
        memcpy(bytes + i, old, 4);
    }
    assert_true(t.refused > 1000 / SHARE(5));
    free(bytes);
    side_end(&first);
    side_end(&other);
}

static void damaged_saves_are_refused_or_sound(void **state)
{
    (void)state;
    expect_damage_is_noticed(LAYOUT(before), LAYOUT(after));
}

static void damaged_words_are_refused_or_sound(void **state)
{
    (void)state;
    expect_damage_is_noticed(LAYOUT(worded), LAYOUT(reworded));
}

// A name that ends before its length does would be compared behind the end of another.
static void names_of_fields_are_whole(void **state)
{
    (void)state;
    side s = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&s, false);
    side_run(&s);
    size_t size;
    uint8_t *bytes = saved(&s, &size);
    const uint8_t times[] = {5, 0, 0, 0, 't', 'i', 'm', 'e', 's'};
    uint32_t found = 0;
    for (size_t i = SAVE_HEADER_SIZE; i + sizeof(times) <= size; i++) {
        if (memcmp(bytes + i, times, sizeof(times)) == 0) {
            memcpy(bytes + i + 4, "tag\0\0", 5);
            found++;
        }
    }
    assert_true(found > 0);
    repair(bytes, size);
    kn_error error = {0};
    assert_int_equal(kn_save_read(s.f->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "the save is damaged: a field is invalid");
    free(bytes);
    side_end(&s);
}

static void damaged_saves_of_version_2_are_refused_or_sound(void **state)
{
    (void)state;
    side s = side_begin_with(LAYOUT(version_2), false, false, false);
    side_begin(&s, false);
    uint8_t bytes[sizeof(save_version_2)];
    memcpy(bytes, save_version_2, sizeof(bytes));
    tally t = {0};
    for (size_t i = SAVE_HEADER_SIZE; i < sizeof(bytes); i++) {
        bytes[i] ^= 0xff;
        repair(bytes, sizeof(bytes));
        expect_refused_or_sound(s.f->world, bytes, sizeof(bytes), &t);
        bytes[i] ^= 0xff;
    }
    assert_true(t.refused > 500);
    assert_true(t.accepted > 100);
    side_end(&s);
}

// No memory -----------------------------------------------------------------

static void register_without_memory(layout own)
{
    test_memory memory = {0};
    side s = {.state = own};
    fixture f = {0};
    s.f = &f;
    kn_library_def def = kn_library_def_default();
    def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &memory};
    assert_int_equal(kn_library_create(&def, &f.library), KN_OK);
    kn_ability_def ability = side_ability(&s, "Keep", true);
    kn_task_type_def task = side_task(&s);
    for (uint32_t kind = 0; kind < 3; kind++) {
        kn_result result = KN_ERROR_OUT_OF_MEMORY;
        for (uint32_t fail = 1; result == KN_ERROR_OUT_OF_MEMORY; fail++) {
            assert_true(fail < 200);
            memory.fail_at = memory.calls + fail;
            kn_ability_type_id ability_type;
            kn_task_type_id task_type;
            kn_effect_logic_id logic;
            result = kind == 0   ? kn_ability_register(f.library, &ability, &ability_type, NULL)
                     : kind == 1 ? kn_task_type_register(f.library, &task, &task_type, NULL)
                                 : side_logic(&s, &logic);
            memory.fail_at = 0;
            assert_true((result == KN_OK) == (kind == 0      ? ability_type.index1 != 0
                                                 : kind == 1 ? task_type.index1 != 0
                                                             : logic.index1 != 0));
        }
        assert_int_equal(result, KN_OK);
    }
    assert_int_equal(kn_library_finish(f.library, NULL), KN_OK);
    kn_library_destroy(f.library);
    assert_int_equal(memory.bytes, 0);
}

static void registration_without_memory_changes_nothing(void **state)
{
    (void)state;
    register_without_memory(LAYOUT(before));
    register_without_memory(LAYOUT(worded));
}

static void saves_without_memory_change_nothing(void **state)
{
    (void)state;
    side first = side_begin_with(LAYOUT(before), false, false, false);
    side_begin(&first, false);
    side_run(&first);
    size_t size;
    uint8_t *bytes = saved(&first, &size);
    side other = side_begin_with(LAYOUT(after), false, true, false);
    side_register(&other, true);
    test_memory memory = {0};
    kn_world_def def = kn_world_def_default();
    def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &memory};
    begin_with(other.f, def);
    uint64_t hash = kn_world_hash(other.f->world);
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint32_t fail = 1; result == KN_ERROR_OUT_OF_MEMORY; fail++) {
        assert_true(fail < 2000);
        memory.fail_at = memory.calls + fail;
        result = kn_save_read(other.f->world, bytes, size, NULL);
        memory.fail_at = 0;
        failures += result == KN_ERROR_OUT_OF_MEMORY;
        assert_true(result == KN_OK || kn_world_hash(other.f->world) == hash);
        assert_true(kn_world_validate(other.f->world));
    }
    assert_int_equal(result, KN_OK);
    assert_true(failures > 20);
    side_follow(&other, &first);
    each_state(&other, expect_filled);
    // Writing: the same loop.
    size_t again = 0;
    result = KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t fail = 1; result == KN_ERROR_OUT_OF_MEMORY; fail++) {
        assert_true(fail < 100);
        memory.fail_at = memory.calls + fail;
        result = kn_save_write(other.f->world, NULL, 0, &again);
        memory.fail_at = 0;
        assert_true((result == KN_OK) == (again > 0));
    }
    assert_int_equal(result, KN_OK);
    free(bytes);
    side_end(&other);
    assert_int_equal(memory.bytes, 0);
    side_end(&first);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(states_and_components_are_read_by_name),
    cmocka_unit_test(words_and_definitions_are_read_by_name),
    cmocka_unit_test(effects_made_at_run_time_are_referred_to),
    cmocka_unit_test(words_and_kinds_that_are_gone_are_refused),
    cmocka_unit_test(numbers_without_a_word_are_found),
    cmocka_unit_test(words_are_dumped_and_compared),
    cmocka_unit_test(what_words_say_is_checked),
    cmocka_unit_test(words_are_found_in_their_list),
    cmocka_unit_test(a_world_is_reloaded_by_name),
    cmocka_unit_test(pairs_of_numbers_become_ids),
    cmocka_unit_test(another_kind_is_refused),
    cmocka_unit_test(what_has_no_fields_keeps_its_rules),
    cmocka_unit_test(bytes_that_name_nothing_are_null),
    cmocka_unit_test(other_instancing_begins_at_zero),
    cmocka_unit_test(a_hash_sees_fields),
    cmocka_unit_test(dumps_name_the_fields),
    cmocka_unit_test(saves_of_version_2_are_read),
    cmocka_unit_test(fields_must_tile_the_state),
    cmocka_unit_test(fields_that_wrap_around_are_refused),
    cmocka_unit_test(fields_are_copied_and_hashed),
    cmocka_unit_test(damaged_saves_are_refused_or_sound),
    cmocka_unit_test(damaged_words_are_refused_or_sound),
    cmocka_unit_test(names_of_fields_are_whole),
    cmocka_unit_test(damaged_saves_of_version_2_are_refused_or_sound),
    cmocka_unit_test(registration_without_memory_changes_nothing),
    cmocka_unit_test(saves_without_memory_change_nothing),
};

TEST_GROUP(test_state_fields, tests, NULL, NULL);
