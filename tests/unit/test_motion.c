// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "knack/motion.h"
#include "knack/save.h"

#include "test_memory.h"

#include <math.h>

// Curves over progress 0 to 1, unless the name says otherwise.
typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_curve_id fade;      // 1 -> 0
    kn_curve_id long_fade; // 1 -> 0 over 0 to 2
    kn_curve_id half_fade; // 1 -> 0 over 0 to 0.5, then 0
    kn_curve_id hump;      // 0 -> 1 -> 0
    kn_curve_id slow_in;   // 0 -> 0.25 -> 1
    kn_curve_id steps;     // 3, from 0.5 on 1
    kn_component_type_id running;
} fixture;

static kn_curve_id curve_make(kn_library *library, const char *name, kn_curve_kind kind,
    const kn_curve_point *points, uint32_t count)
{
    kn_curve_def def = kn_curve_def_default();
    def.name = name;
    def.kind = kind;
    def.points = points;
    def.point_count = count;
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(library, &def, &curve, NULL), KN_OK);
    return curve;
}

static kn_component_type_id component_make(kn_library *library)
{
    kn_component_def def = kn_component_def_default();
    def.name = "Motion";
    def.size = sizeof(kn_motion_source);
    def.fields = kn_motion_source_fields(&def.field_count);
    kn_component_type_id type;
    kn_error error;
    assert_int_equal(kn_component_register(library, &def, &type, &error), KN_OK);
    return type;
}

static int setup(void **state)
{
    static const kn_curve_point fade[] = {{0, 1}, {1, 0}};
    static const kn_curve_point long_fade[] = {{0, 1}, {2, 0}};
    static const kn_curve_point half_fade[] = {{0, 1}, {0.5f, 0}};
    static const kn_curve_point hump[] = {{0, 0}, {0.5f, 1}, {1, 0}};
    static const kn_curve_point slow_in[] = {{0, 0}, {0.5f, 0.25f}, {1, 1}};
    static const kn_curve_point steps[] = {{0, 3}, {0.5f, 1}};
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def def = kn_library_def_default();
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    f->fade = curve_make(f->library, "Fade", KN_CURVE_LINEAR, fade, 2);
    f->long_fade = curve_make(f->library, "Long fade", KN_CURVE_LINEAR, long_fade, 2);
    f->half_fade = curve_make(f->library, "Half fade", KN_CURVE_LINEAR, half_fade, 2);
    f->hump = curve_make(f->library, "Hump", KN_CURVE_LINEAR, hump, 3);
    f->slow_in = curve_make(f->library, "Slow in", KN_CURVE_LINEAR, slow_in, 3);
    f->steps = curve_make(f->library, "Steps", KN_CURVE_STEP, steps, 2);
    f->running = component_make(f->library);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_library_destroy(f->library);
    assert_int_equal(f->memory.blocks, 0);
    free(f);
    return 0;
}

// A start that is not at zero, so that nothing works by accident.
#define START KN_S(100)
static const kn_motion_start start_record = {
    .time = START,
    .position = {10.0f, 20.0f, 5.0f},
    .velocity = {1.0f, 2.0f, 3.0f},
    .mode = 7,
    .number = 1,
};

static kn_motion_input input_at(kn_time since_start)
{
    return (kn_motion_input){.now = START + since_start};
}

static kn_motion_sample sample_with(
    const fixture *f, const kn_motion_def *def, const kn_motion_input *input)
{
    kn_error error;
    assert_int_equal(kn_motion_check(f->library, def, &error), KN_OK);
    kn_motion_sample sample;
    assert_int_equal(kn_motion_evaluate(f->library, def, &start_record, input, &sample), KN_OK);
    return sample;
}

static kn_motion_sample sample_at(const fixture *f, const kn_motion_def *def, kn_time since_start)
{
    kn_motion_input input = input_at(since_start);
    return sample_with(f, def, &input);
}

static kn_vec3 delta_between(
    const fixture *f, const kn_motion_def *def, kn_time from_time, kn_time to_time)
{
    kn_motion_input from = input_at(from_time), to = input_at(to_time);
    kn_vec3 delta;
    assert_int_equal(kn_motion_delta(f->library, def, &start_record, &from, &to, &delta), KN_OK);
    return delta;
}

static kn_motion_sample step_between(
    const fixture *f, const kn_motion_def *def, kn_time from_time, kn_time to_time)
{
    kn_motion_input from = input_at(from_time), to = input_at(to_time);
    kn_motion_sample sample;
    assert_int_equal(kn_motion_step(f->library, def, &start_record, &from, &to, &sample), KN_OK);
    return sample;
}

static void expect_vec3(kn_vec3 v, float x, float y, float z)
{
    if (v.x != x || v.y != y || v.z != z) {
        fail_msg("(%.9g %.9g %.9g) is not (%.9g %.9g %.9g)", (double)v.x, (double)v.y, (double)v.z,
            (double)x, (double)y, (double)z);
    }
}

static void expect_near(kn_vec3 a, kn_vec3 b, float tolerance)
{
    if (!(fabsf(a.x - b.x) <= tolerance && fabsf(a.y - b.y) <= tolerance &&
            fabsf(a.z - b.z) <= tolerance)) {
        fail_msg("(%.9g %.9g %.9g) is not near (%.9g %.9g %.9g)", (double)a.x, (double)a.y,
            (double)a.z, (double)b.x, (double)b.y, (double)b.z);
    }
}

static void expect_float(float value, float expected)
{
    if (value != expected) {
        fail_msg("%.9g is not %.9g", (double)value, (double)expected);
    }
}

static void expect_same_sample(const kn_motion_sample *a, const kn_motion_sample *b)
{
    assert_int_equal(a->flags, b->flags);
    assert_memory_equal(&a->position, &b->position, sizeof(kn_vec3));
    assert_memory_equal(&a->velocity, &b->velocity, sizeof(kn_vec3));
    assert_memory_equal(&a->progress, &b->progress, sizeof(float));
    assert_int_equal(a->is_finished, b->is_finished);
}

static kn_vec3 plus(kn_vec3 a, kn_vec3 b)
{
    return (kn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static kn_motion_def knock_back(void)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_FORCE);
    def.direction = (kn_vec3){0.0f, 3.0f, 4.0f};
    def.strength = 10.0f;
    def.duration = KN_MS(500);
    return def;
}

static kn_motion_def explosion(void)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_RADIAL);
    def.centre = (kn_vec3){0.0f, 0.0f, 0.0f};
    def.strength = 8.0f;
    def.radius = 10.0f;
    return def;
}

static kn_motion_def dash(void)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_MOVE_TO);
    def.destination = (kn_vec3){18.0f, 20.0f, 5.0f};
    def.duration = KN_MS(400);
    return def;
}

static kn_motion_def leap_at(void)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_FOLLOW);
    def.offset = (kn_vec3){-1.0f, 0.0f, 0.0f};
    def.duration = KN_MS(400);
    return def;
}

static kn_motion_def jump(void)
{
    kn_motion_def def = kn_motion_def_default(KN_MOTION_JUMP);
    def.direction = (kn_vec3){0.0f, 2.0f, 0.0f};
    def.distance = 6.0f;
    def.height = 3.0f;
    def.duration = KN_MS(800);
    return def;
}

// One of each, with whatever the kind can do switched on.
static kn_motion_def rich_def(const fixture *f, kn_motion_kind kind)
{
    kn_motion_def defs[KN_MOTION_KIND_COUNT] = {
        knock_back(), explosion(), dash(), leap_at(), jump()};
    kn_motion_def def = defs[kind];
    def.duration = KN_MS(1337);
    def.up = (kn_vec3){0.1f, -0.2f, 0.9f};
    def.strength_curve = f->fade;
    def.falloff = KN_MOTION_FALLOFF_CURVE;
    def.falloff_curve = f->fade;
    def.is_flat = true;
    def.easing = f->slow_in;
    def.across_curve = f->hump;
    def.across = 0.7f;
    def.rise_curve = f->hump;
    def.rise = 1.3f;
    return def;
}

// A target and a thing that wander, as functions of time.
static kn_motion_input rich_input(kn_time since_start)
{
    float s = (float)since_start / 1e6f;
    kn_motion_input input = input_at(since_start);
    input.position = (kn_vec3){3.0f + s, 2.0f - 0.5f * s, 0.25f};
    input.target = (kn_vec3){15.0f - 2.0f * s, 22.0f + s, 5.0f};
    return input;
}

// The kinds -----------------------------------------------------------------

// TASK-031, TASK-035
static void constant_force_pushes_until_its_end(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();

    kn_motion_sample sample = sample_at(f, &def, 0);
    assert_int_equal(sample.flags, KN_MOTION_HAS_VELOCITY);
    expect_near(sample.velocity, (kn_vec3){0.0f, 6.0f, 8.0f}, 1e-5f);
    expect_float(sample.progress, 0.0f);

    kn_motion_sample middle = sample_at(f, &def, KN_MS(250));
    assert_memory_equal(&middle.velocity, &sample.velocity, sizeof(kn_vec3));
    expect_float(middle.progress, 0.5f);
    assert_false(middle.is_finished);

    for (kn_time time = KN_MS(500); time <= KN_S(500); time *= 10) {
        kn_motion_sample after = sample_at(f, &def, time);
        assert_int_equal(after.flags, 0);
        expect_vec3(after.velocity, 0.0f, 0.0f, 0.0f);
        expect_float(after.progress, 1.0f);
        assert_true(after.is_finished);
    }
}

static void nothing_acts_before_its_start(void **state)
{
    const fixture *f = *state;
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def def = rich_def(f, (kn_motion_kind)kind);
        kn_motion_sample sample = sample_at(f, &def, -1);
        assert_int_equal(sample.flags, 0);
        expect_float(sample.progress, 0.0f);
        assert_false(sample.is_finished);
        expect_vec3(delta_between(f, &def, -KN_S(2), -KN_S(1)), 0.0f, 0.0f, 0.0f);
    }
}

static void infinite_force_never_finishes(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();
    def.duration = KN_TIME_INFINITE;
    kn_motion_sample sample = sample_at(f, &def, KN_S(1000000));
    assert_int_equal(sample.flags, KN_MOTION_HAS_VELOCITY);
    expect_float(sample.progress, 0.0f);
    assert_false(sample.is_finished);

    // Its curve runs over seconds, there being no end to measure against.
    def.strength_curve = f->long_fade;
    expect_near(sample_at(f, &def, KN_S(1)).velocity, (kn_vec3){0.0f, 3.0f, 4.0f}, 1e-5f);
    expect_vec3(sample_at(f, &def, KN_S(3)).velocity, 0.0f, 0.0f, 0.0f);
}

// TASK-034
static void strength_curve_scales_the_force_and_outlives_its_ability(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();
    def.direction = (kn_vec3){1.0f, 0.0f, 0.0f};
    def.strength_curve = f->fade;
    expect_vec3(sample_at(f, &def, 0).velocity, 10.0f, 0.0f, 0.0f);
    expect_vec3(sample_at(f, &def, KN_MS(125)).velocity, 7.5f, 0.0f, 0.0f);
    expect_vec3(sample_at(f, &def, KN_MS(250)).velocity, 5.0f, 0.0f, 0.0f);
    expect_vec3(sample_at(f, &def, KN_MS(500)).velocity, 0.0f, 0.0f, 0.0f);

    // Whoever started it is gone: only the bytes are left, in a new place, and much later.
    unsigned char bytes[sizeof def];
    memcpy(bytes, &def, sizeof def);
    memset(&def, 0xa5, sizeof def);
    kn_motion_def copy;
    memcpy(&copy, bytes, sizeof copy);
    expect_vec3(sample_at(f, &copy, KN_MS(250)).velocity, 5.0f, 0.0f, 0.0f);
    kn_motion_sample after = sample_at(f, &copy, KN_S(60));
    assert_int_equal(after.flags, 0);
    assert_true(after.is_finished);
}

static void curves_longer_or_shorter_than_the_duration_are_cut_or_held(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();
    def.direction = (kn_vec3){1.0f, 0.0f, 0.0f};
    def.duration = KN_S(1);
    def.strength_curve = f->long_fade;
    expect_vec3(sample_at(f, &def, KN_MS(500)).velocity, 7.5f, 0.0f, 0.0f);
    expect_vec3(delta_between(f, &def, 0, KN_S(5)), 7.5f, 0.0f, 0.0f); // mean of 1 and 0.5

    def.strength_curve = f->half_fade;
    expect_vec3(sample_at(f, &def, KN_MS(250)).velocity, 5.0f, 0.0f, 0.0f);
    expect_vec3(sample_at(f, &def, KN_MS(750)).velocity, 0.0f, 0.0f, 0.0f);
    expect_vec3(delta_between(f, &def, 0, KN_S(5)), 2.5f, 0.0f, 0.0f);

    // In seconds the same curve is over after half a second of ten.
    def.duration = KN_S(10);
    def.axis = KN_MOTION_AXIS_SECONDS;
    expect_vec3(sample_at(f, &def, KN_MS(250)).velocity, 5.0f, 0.0f, 0.0f);
    expect_vec3(delta_between(f, &def, 0, KN_S(5)), 2.5f, 0.0f, 0.0f);

    def.strength_curve = f->steps;
    expect_vec3(delta_between(f, &def, 0, KN_S(1)), 20.0f, 0.0f, 0.0f); // 10 (3 + 1) / 2

    kn_motion_def slow = dash();
    slow.easing = f->long_fade; // ends at a half: half-way is where it ends
    expect_vec3(sample_at(f, &slow, KN_S(1)).position, 14.0f, 20.0f, 5.0f);
}

// TASK-031, TASK-035
static void radial_force_pushes_or_pulls_with_falloff(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = explosion();
    kn_motion_input input = input_at(KN_MS(100));
    input.position = (kn_vec3){0.0f, 2.5f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, 8.0f, 0.0f);

    def.falloff = KN_MOTION_FALLOFF_LINEAR;
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, 6.0f, 0.0f);
    def.pulls = true;
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, -6.0f, 0.0f);
    def.falloff = KN_MOTION_FALLOFF_CURVE;
    def.falloff_curve = f->hump;
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, -4.0f, 0.0f); // 8 x hump(0.25)

    def = explosion();
    input.position = (kn_vec3){10.0f, 0.0f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 8.0f, 0.0f, 0.0f); // the rim belongs to it
    input.position = (kn_vec3){10.001f, 0.0f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, 0.0f, 0.0f);
    input.position = def.centre;
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, 0.0f, 0.0f); // no way to go
}

static void flat_radial_force_has_nothing_along_up(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = explosion();
    def.falloff = KN_MOTION_FALLOFF_LINEAR;
    def.is_flat = true;
    kn_motion_input input = input_at(0);
    input.position = (kn_vec3){3.0f, 0.0f, 4.0f};
    // The distance of 5 counts for the falloff, the strength goes sideways undiminished.
    expect_vec3(sample_with(f, &def, &input).velocity, 4.0f, 0.0f, 0.0f);
    def.up = (kn_vec3){0.0f, 5.0f, 0.0f};
    kn_vec3 velocity = sample_with(f, &def, &input).velocity;
    expect_near(velocity, (kn_vec3){2.4f, 0.0f, 3.2f}, 1e-5f);
    input.position = (kn_vec3){0.0f, 3.0f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, 0.0f, 0.0f);
}

static void radial_centre_may_be_a_moving_target(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = explosion();
    def.follows_target = true;
    def.pulls = true;
    kn_motion_input input = input_at(0);
    input.position = (kn_vec3){1.0f, 0.0f, 0.0f};
    input.target = (kn_vec3){5.0f, 0.0f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 8.0f, 0.0f, 0.0f);
    input.target = (kn_vec3){1.0f, -5.0f, 0.0f};
    expect_vec3(sample_with(f, &def, &input).velocity, 0.0f, -8.0f, 0.0f);
}

static void pull_ends_at_the_centre(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = explosion();
    def.pulls = true;
    kn_motion_input from = input_at(0), to = input_at(KN_MS(500));
    from.position = (kn_vec3){0.0f, 0.5f, 0.0f};
    kn_vec3 delta;
    assert_int_equal(kn_motion_delta(f->library, &def, &start_record, &from, &to, &delta), KN_OK);
    expect_vec3(delta, 0.0f, -0.5f, 0.0f); // not the 4 units that strength and time allow
    from.position = (kn_vec3){0.0f, 9.0f, 0.0f};
    assert_int_equal(kn_motion_delta(f->library, &def, &start_record, &from, &to, &delta), KN_OK);
    expect_vec3(delta, 0.0f, -4.0f, 0.0f);
}

// TASK-027, TASK-031, TASK-035
static void move_to_goes_from_start_to_destination(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = dash();
    kn_motion_sample sample = sample_at(f, &def, 0);
    assert_int_equal(sample.flags, KN_MOTION_HAS_POSITION);
    expect_vec3(sample.position, 10.0f, 20.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(100)).position, 12.0f, 20.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 14.0f, 20.0f, 5.0f);
    for (kn_time time = KN_MS(400); time <= KN_S(40); time *= 10) {
        kn_motion_sample after = sample_at(f, &def, time);
        expect_vec3(after.position, 18.0f, 20.0f, 5.0f);
        assert_int_equal(after.flags, KN_MOTION_HAS_POSITION);
        assert_true(after.is_finished);
    }
    def.easing = f->slow_in;
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 12.0f, 20.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(300)).position, 15.0f, 20.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 18.0f, 20.0f, 5.0f);
}

static void path_ends_at_its_destination_exactly(void **state)
{
    const fixture *f = *state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000; i++) {
        kn_motion_def def = dash();
        float *numbers[] = {&def.destination.x, &def.destination.y, &def.destination.z};
        for (int j = 0; j < 3; j++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            *numbers[j] = (float)(int32_t)(seed >> 32) / 7919.0f;
        }
        kn_motion_sample sample = sample_at(f, &def, def.duration);
        assert_memory_equal(&sample.position, &def.destination, sizeof(kn_vec3));
    }
}

static void path_curves_bend_the_way_across_and_up(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = dash(); // along x, so that across, way x up, is -y
    def.across_curve = f->hump;
    def.across = 2.0f;
    expect_vec3(sample_at(f, &def, KN_MS(100)).position, 12.0f, 19.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 14.0f, 18.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 18.0f, 20.0f, 5.0f);
    def.rise_curve = f->hump;
    def.rise = 3.0f;
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 14.0f, 18.0f, 8.0f);

    def.destination = (kn_vec3){10.0f, 20.0f, 9.0f}; // straight up: nothing lies across
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 10.0f, 20.0f, 10.0f);
}

// TASK-035
static void follow_arrives_where_the_target_is_by_then(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = leap_at();
    kn_motion_input input = input_at(0);
    input.target = (kn_vec3){19.0f, 20.0f, 5.0f};
    expect_vec3(sample_with(f, &def, &input).position, 10.0f, 20.0f, 5.0f);
    input = input_at(KN_MS(200));
    input.target = (kn_vec3){19.0f, 20.0f, 5.0f};
    expect_vec3(sample_with(f, &def, &input).position, 14.0f, 20.0f, 5.0f);
    input.target = (kn_vec3){11.0f, 28.0f, 5.0f}; // it stepped aside
    expect_vec3(sample_with(f, &def, &input).position, 10.0f, 24.0f, 5.0f);
    input.now = START + KN_MS(400);
    kn_motion_sample end = sample_with(f, &def, &input);
    expect_vec3(end.position, 10.0f, 28.0f, 5.0f);
    assert_true(end.is_finished);
}

// TASK-035
static void jump_has_its_height_at_half_time_and_its_distance_at_the_end(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = jump();
    expect_vec3(sample_at(f, &def, 0).position, 10.0f, 20.0f, 5.0f);
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 10.0f, 21.5f, 7.25f);
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 10.0f, 23.0f, 8.0f);
    expect_vec3(sample_at(f, &def, KN_MS(600)).position, 10.0f, 24.5f, 7.25f);
    kn_motion_sample end = sample_at(f, &def, KN_MS(800));
    expect_vec3(end.position, 10.0f, 26.0f, 5.0f);
    assert_true(end.is_finished);
    expect_vec3(sample_at(f, &def, KN_S(8)).position, 10.0f, 26.0f, 5.0f);

    def.height_curve = f->hump; // straight up, straight down
    expect_vec3(sample_at(f, &def, KN_MS(200)).position, 10.0f, 21.5f, 6.5f);
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 10.0f, 23.0f, 8.0f);

    def.distance = 0.0f; // on the spot, and then without a direction
    def.direction = (kn_vec3){0};
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 10.0f, 20.0f, 8.0f);
}

static void jump_goes_along_the_given_up(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = jump();
    def.direction = (kn_vec3){1.0f, 0.0f, 0.0f};
    def.up = (kn_vec3){0.0f, 0.5f, 0.0f};
    expect_vec3(sample_at(f, &def, KN_MS(400)).position, 13.0f, 23.0f, 5.0f);
}

// Time ----------------------------------------------------------------------

// GAPA-034: prediction rests on it
static void equal_times_give_equal_bits_at_30_60_and_144_hertz(void **state)
{
    const fixture *f = *state;
    static const int64_t rates[] = {30, 60, 144};
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def def = rich_def(f, (kn_motion_kind)kind);
        kn_motion_sample seen[3][12];
        for (int r = 0; r < 3; r++) {
            for (int64_t frame = 0; frame < 2 * rates[r]; frame++) {
                kn_motion_input input = rich_input(frame * 1000000 / rates[r]);
                kn_motion_sample sample = sample_with(f, &def, &input);
                if (frame % (rates[r] / 6) == 0) {
                    seen[r][frame / (rates[r] / 6)] = sample;
                }
            }
        }
        for (int i = 0; i < 12; i++) {
            expect_same_sample(&seen[0][i], &seen[1][i]);
            expect_same_sample(&seen[0][i], &seen[2][i]);
        }
    }
}

// GAPA-034, TASK-031: a client that starts a source early, rolls back and replays sees what the
// server sees, for every kind.
static void predicted_and_replayed_sources_agree_with_the_server(void **state)
{
    const fixture *f = *state;
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_source server = {rich_def(f, (kn_motion_kind)kind), start_record};
        kn_motion_source client;
        memcpy(&client, &server, sizeof client);
        for (kn_time time = 0; time < KN_S(2); time += KN_MS(50)) {
            kn_motion_input input = rich_input(time);
            kn_motion_sample decided, predicted;
            assert_int_equal(
                kn_motion_evaluate(f->library, &server.def, &server.start, &input, &decided),
                KN_OK);
            for (kn_time back = KN_MS(200); back >= 0; back -= KN_US(6944)) {
                kn_motion_input replay = rich_input(time - back);
                assert_int_equal(
                    kn_motion_evaluate(f->library, &client.def, &client.start, &replay, &predicted),
                    KN_OK);
            }
            assert_int_equal(
                kn_motion_evaluate(f->library, &client.def, &client.start, &input, &predicted),
                KN_OK);
            expect_same_sample(&decided, &predicted);
        }
    }
}

static void deltas_of_any_split_add_up_to_the_whole(void **state)
{
    const fixture *f = *state;
    static const kn_motion_kind kinds[] = {
        KN_MOTION_FORCE, KN_MOTION_MOVE_TO, KN_MOTION_FOLLOW, KN_MOTION_JUMP};
    static const int64_t rates[] = {7, 30, 60, 144};
    for (int k = 0; k < 4; k++) {
        kn_motion_def def = rich_def(f, kinds[k]);
        kn_vec3 whole = delta_between(f, &def, -KN_S(1), KN_S(3));
        for (int r = 0; r < 4; r++) {
            kn_vec3 sum = {0};
            for (int64_t frame = -rates[r]; frame < 3 * rates[r]; frame++) {
                sum = plus(sum, delta_between(f, &def, frame * 1000000 / rates[r],
                                    (frame + 1) * 1000000 / rates[r]));
            }
            expect_near(sum, whole, 1e-4f);
        }
    }
}

static void delta_of_a_path_is_the_difference_of_positions(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = jump();
    expect_vec3(delta_between(f, &def, KN_MS(200), KN_MS(400)), 0.0f, 1.5f, 0.75f);
    expect_vec3(delta_between(f, &def, KN_MS(400), KN_S(9)), 0.0f, 3.0f, -3.0f);
    expect_vec3(delta_between(f, &def, KN_S(9), KN_S(10)), 0.0f, 0.0f, 0.0f);
}

static void delta_of_a_force_counts_only_the_time_it_acts(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();
    def.direction = (kn_vec3){1.0f, 0.0f, 0.0f};
    expect_vec3(delta_between(f, &def, KN_MS(400), KN_MS(800)), 1.0f, 0.0f, 0.0f);
    expect_vec3(delta_between(f, &def, -KN_S(1), KN_MS(100)), 1.0f, 0.0f, 0.0f);
    expect_vec3(delta_between(f, &def, KN_MS(500), KN_S(1)), 0.0f, 0.0f, 0.0f);

    def.duration = KN_TIME_INFINITE; // after a month a frame is as long as ever
    expect_vec3(delta_between(f, &def, KN_S(2592000), KN_S(2592000) + KN_MS(100)), 1, 0, 0);
}

static void step_gives_the_mean_velocity(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = dash();
    kn_motion_sample sample = step_between(f, &def, KN_MS(100), KN_MS(350));
    assert_int_equal(sample.flags, KN_MOTION_HAS_POSITION | KN_MOTION_HAS_VELOCITY);
    expect_vec3(sample.position, 17.0f, 20.0f, 5.0f);
    expect_vec3(sample.velocity, 20.0f, 0.0f, 0.0f);
    expect_vec3(step_between(f, &def, KN_S(1), KN_S(2)).velocity, 0.0f, 0.0f, 0.0f);

    kn_motion_def force = knock_back();
    force.direction = (kn_vec3){1.0f, 0.0f, 0.0f};
    sample = step_between(f, &force, KN_MS(400), KN_MS(600)); // it ends half-way
    assert_int_equal(sample.flags, KN_MOTION_HAS_VELOCITY);
    expect_vec3(sample.velocity, 5.0f, 0.0f, 0.0f);
    assert_true(sample.is_finished);
    assert_int_equal(step_between(f, &force, KN_MS(500), KN_MS(600)).flags, 0);
    assert_int_equal(step_between(f, &force, -KN_MS(500), 0).flags, 0);

    // Steps without length.
    expect_vec3(step_between(f, &force, 0, 0).velocity, 10.0f, 0.0f, 0.0f);
    sample = step_between(f, &def, KN_MS(100), KN_MS(100));
    assert_int_equal(sample.flags, KN_MOTION_HAS_POSITION | KN_MOTION_HAS_VELOCITY);
    expect_vec3(sample.velocity, 0.0f, 0.0f, 0.0f);
}

static void any_time_can_be_asked_for(void **state)
{
    const fixture *f = *state;
    static const kn_time times[] = {INT64_MIN, -KN_TIME_MAX, -1, 0, KN_TIME_MAX, INT64_MAX};
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def def = rich_def(f, (kn_motion_kind)kind);
        for (int i = 0; i < 36; i++) {
            kn_motion_start start = {.time = times[i % 6]};
            kn_motion_input from = {.now = times[0]}, to = {.now = times[i / 6]};
            kn_motion_sample sample;
            assert_int_equal(kn_motion_step(f->library, &def, &start, &from, &to, &sample), KN_OK);
            bool is_close = start.time == -1 && to.now == 0; // all others are ages apart
            assert_int_equal(sample.is_finished, to.now > start.time && !is_close);
        }
    }
}

// Storage -------------------------------------------------------------------

static void running_source_is_part_of_snapshot_save_and_hash(void **state)
{
    const fixture *f = *state;
    kn_world_def world_def = kn_world_def_default();
    world_def.library = f->library;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    kn_motion_source *source = kn_component_add(world, f->running, entity);
    assert_non_null(source);
    *source = (kn_motion_source){rich_def(f, KN_MOTION_FOLLOW), start_record};
    source->start.target = entity;
    uint64_t hash = kn_world_hash(world);
    kn_motion_input input = rich_input(KN_MS(700));
    kn_motion_sample before = sample_with(f, &source->def, &input);

    size_t size = kn_snapshot_size(world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(world, snapshot, size, &size), KN_OK);
    source->def.offset.x += 1.0f;
    assert_true(kn_world_hash(world) != hash);
    assert_int_equal(kn_snapshot_restore(world, snapshot, size), KN_OK);
    free(snapshot);
    assert_true(kn_world_hash(world) == hash);

    size_t bytes;
    assert_int_equal(kn_save_write(world, NULL, 0, &bytes), KN_OK);
    void *save = malloc(bytes);
    assert_non_null(save);
    assert_int_equal(kn_save_write(world, save, bytes, &bytes), KN_OK);
    kn_world *copy;
    assert_int_equal(kn_world_create(&world_def, &copy), KN_OK);
    assert_int_equal(kn_save_read(copy, save, bytes, NULL), KN_OK);
    free(save);
    const kn_motion_source *loaded = kn_component_read(copy, f->running, entity);
    assert_non_null(loaded);
    kn_motion_sample after = sample_with(f, &loaded->def, &input);
    expect_same_sample(&before, &after);
    assert_true(kn_world_hash(copy) == hash);
    kn_world_destroy(copy);
    kn_world_destroy(world);
}

static void fields_cover_every_byte_of_a_source(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {[KN_FIELD_BOOL] = 1,
        [KN_FIELD_U32] = 4,
        [KN_FIELD_I32] = 4,
        [KN_FIELD_F32] = 4,
        [KN_FIELD_TIME] = 8,
        [KN_FIELD_ENTITY] = 8,
        [KN_FIELD_TAG] = 4,
        [KN_FIELD_VEC3] = 12,
        [KN_FIELD_CURVE] = 4};
    uint32_t count, covered = 0;
    const kn_field *fields = kn_motion_source_fields(&count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fields[i].offset, covered); // in order, without gaps
        covered += sizes[fields[i].kind];
    }
    assert_int_equal(covered, sizeof(kn_motion_source));
}

// Together ------------------------------------------------------------------

static void end_rules_decide_the_velocity_left(void **state)
{
    (void)state;
    kn_motion_def def = dash();
    kn_vec3 velocity = {0.0f, 6.0f, 8.0f};
    expect_vec3(kn_motion_end_velocity(&def, &start_record, velocity), 0.0f, 6.0f, 8.0f);
    def.end = KN_MOTION_END_SET;
    def.end_velocity = (kn_vec3){4.0f, 0.0f, 0.0f};
    expect_vec3(kn_motion_end_velocity(&def, &start_record, velocity), 4.0f, 0.0f, 0.0f);
    def.end = KN_MOTION_END_RESTORE;
    expect_vec3(kn_motion_end_velocity(&def, &start_record, velocity), 1.0f, 2.0f, 3.0f);
    def.end = KN_MOTION_END_CLAMP;
    def.end_speed_max = 5.0f;
    expect_near(
        kn_motion_end_velocity(&def, &start_record, velocity), (kn_vec3){0.0f, 3.0f, 4.0f}, 1e-5f);
    def.end_speed_max = 10.0f; // as fast as it is: untouched
    expect_vec3(kn_motion_end_velocity(&def, &start_record, velocity), 0.0f, 6.0f, 8.0f);
    def.end_speed_max = 0.0f;
    expect_vec3(kn_motion_end_velocity(&def, &start_record, velocity), 0.0f, 0.0f, 0.0f);
    expect_vec3(kn_motion_end_velocity(&def, &start_record, (kn_vec3){0}), 0.0f, 0.0f, 0.0f);
}

static kn_motion_source source_of(kn_motion_blend blend, int32_t priority)
{
    kn_motion_source source = {kn_motion_def_default(KN_MOTION_FORCE), start_record};
    source.def.blend = blend;
    source.def.priority = priority;
    return source;
}

static kn_motion_sample velocity_sample(float x)
{
    return (kn_motion_sample){.flags = KN_MOTION_HAS_VELOCITY, .velocity = {x, 0.0f, 0.0f}};
}

static void additive_sources_add_to_the_base_or_to_the_winner(void **state)
{
    (void)state;
    kn_vec3 base = {1.0f, 1.0f, 0.0f};
    kn_motion_source sources[3] = {source_of(KN_MOTION_ADD, 0), source_of(KN_MOTION_ADD, -5),
        source_of(KN_MOTION_OVERRIDE, 0)};
    kn_motion_sample samples[3] = {
        velocity_sample(10.0f), velocity_sample(20.0f), velocity_sample(400.0f)};
    kn_motion_total total = kn_motion_combine(samples, sources, 0, base);
    expect_vec3(total.velocity, 1.0f, 1.0f, 0.0f);
    assert_int_equal(total.flags, KN_MOTION_HAS_VELOCITY);
    assert_int_equal(total.winner, UINT32_MAX);
    expect_vec3(kn_motion_combine(samples, sources, 2, base).velocity, 31.0f, 1.0f, 0.0f);
    expect_vec3(kn_motion_combine(samples, sources, 3, base).velocity, 430.0f, 0.0f, 0.0f);
}

static void highest_override_wins_and_among_equals_the_latest(void **state)
{
    (void)state;
    kn_motion_source sources[4] = {source_of(KN_MOTION_OVERRIDE, 1),
        source_of(KN_MOTION_OVERRIDE, 5), source_of(KN_MOTION_OVERRIDE, 5),
        source_of(KN_MOTION_OVERRIDE, -1)};
    kn_motion_sample samples[4] = {
        velocity_sample(1.0f), velocity_sample(2.0f), velocity_sample(3.0f), velocity_sample(4.0f)};
    kn_motion_total total = kn_motion_combine(samples, sources, 4, (kn_vec3){9.0f, 9.0f, 9.0f});
    assert_int_equal(total.winner, 2);
    expect_vec3(total.velocity, 3.0f, 0.0f, 0.0f);
    samples[2].flags = 0; // over
    assert_int_equal(kn_motion_combine(samples, sources, 4, (kn_vec3){0}).winner, 1);
    samples[0].flags = samples[1].flags = 0;
    assert_int_equal(kn_motion_combine(samples, sources, 4, (kn_vec3){0}).winner, 3);
    samples[3].flags = 0;
    total = kn_motion_combine(samples, sources, 4, (kn_vec3){9.0f, 9.0f, 9.0f});
    assert_int_equal(total.winner, UINT32_MAX);
    expect_vec3(total.velocity, 9.0f, 9.0f, 9.0f);
}

static void winning_path_gives_position_and_velocity(void **state)
{
    const fixture *f = *state;
    kn_motion_source sources[2] = {{dash(), start_record}, source_of(KN_MOTION_ADD, 0)};
    kn_motion_sample samples[2] = {
        step_between(f, &sources[0].def, KN_MS(100), KN_MS(200)), velocity_sample(5.0f)};
    kn_motion_total total = kn_motion_combine(samples, sources, 2, (kn_vec3){9.0f, 9.0f, 9.0f});
    assert_int_equal(total.flags, KN_MOTION_HAS_POSITION | KN_MOTION_HAS_VELOCITY);
    expect_vec3(total.position, 14.0f, 20.0f, 5.0f);
    expect_near(total.velocity, (kn_vec3){25.0f, 0.0f, 0.0f}, 1e-4f);
    sources[0].def.blend = KN_MOTION_ADD;
    total = kn_motion_combine(samples, sources, 2, (kn_vec3){9.0f, 9.0f, 9.0f});
    assert_int_equal(total.flags, KN_MOTION_HAS_VELOCITY);
    expect_vec3(total.position, 0.0f, 0.0f, 0.0f);
    expect_near(total.velocity, (kn_vec3){34.0f, 9.0f, 9.0f}, 1e-4f);
}

// The host's movement system ------------------------------------------------

typedef struct body {
    uint32_t mode;
    uint32_t added, removed, restored;
    uint32_t last_number;
    kn_result answer;
} body;

static kn_result body_add(void *user, kn_entity_id entity, const kn_motion_source *source)
{
    body *b = user;
    (void)entity;
    b->added++;
    b->last_number = source->start.number;
    return b->answer;
}

static void body_remove(void *user, kn_entity_id entity, uint32_t number)
{
    body *b = user;
    (void)entity;
    b->removed++;
    b->last_number = number;
}

static uint32_t body_mode(void *user, kn_entity_id entity)
{
    (void)entity;
    return ((const body *)user)->mode;
}

static void body_restore(void *user, kn_entity_id entity, uint32_t mode)
{
    body *b = user;
    (void)entity;
    b->restored++;
    b->mode = mode;
}

enum { WALKING = 1, FLYING = 2, FALLING = 3 };

static kn_movement movement_of(body *b)
{
    return (kn_movement){body_add, body_remove, body_mode, body_restore, b};
}

static kn_motion_source numbered(uint32_t number, bool restores_mode)
{
    kn_motion_source source = {dash(), start_record};
    source.def.restores_mode = restores_mode;
    source.start.number = number;
    return source;
}

// TASK-033, TASK-035
static void mode_before_the_source_is_restored_when_it_ends(void **state)
{
    (void)state;
    body b = {.mode = WALKING};
    kn_movement movement = movement_of(&b);
    kn_entity_id entity = {1, 1};
    kn_motion_source source = numbered(4, true);
    assert_int_equal(kn_movement_begin(&movement, entity, NULL, 0, &source), KN_OK);
    assert_int_equal(source.start.mode, WALKING);
    assert_int_equal(b.added, 1);
    b.mode = FLYING;
    kn_movement_end(&movement, entity, &source, 1, &source);
    assert_int_equal(b.removed, 1);
    assert_int_equal(b.last_number, 4);
    assert_int_equal(b.mode, WALKING);

    kn_motion_source plain = numbered(5, false);
    assert_int_equal(kn_movement_begin(&movement, entity, NULL, 0, &plain), KN_OK);
    b.mode = FALLING;
    kn_movement_end(&movement, entity, NULL, 0, &plain);
    assert_int_equal(b.mode, FALLING);
    assert_int_equal(b.restored, 1);
}

// TASK-033
static void overlapping_sources_end_in_the_mode_before_the_first(void **state)
{
    (void)state;
    kn_entity_id entity = {1, 1};
    for (int first_to_end = 0; first_to_end < 2; first_to_end++) {
        body b = {.mode = WALKING};
        kn_movement movement = movement_of(&b);
        kn_motion_source running[2] = {numbered(1, true), numbered(2, true)};
        assert_int_equal(kn_movement_begin(&movement, entity, NULL, 0, &running[0]), KN_OK);
        b.mode = FLYING;
        assert_int_equal(kn_movement_begin(&movement, entity, running, 1, &running[1]), KN_OK);
        assert_int_equal(running[1].start.mode, WALKING);
        kn_movement_end(&movement, entity, running, 2, &running[first_to_end]);
        assert_int_equal(b.mode, FLYING); // the other still moves it
        kn_motion_source last = running[1 - first_to_end];
        kn_movement_end(&movement, entity, &last, 1, &last);
        assert_int_equal(b.mode, WALKING);
    }
}

// TASK-035
static void missing_parts_of_a_movement_system_are_left_out(void **state)
{
    (void)state;
    kn_entity_id entity = {1, 1};
    kn_motion_source source = numbered(1, true);
    assert_int_equal(kn_movement_begin(NULL, entity, NULL, 0, &source), KN_OK);
    assert_int_equal(source.start.mode, 0);
    kn_movement_end(NULL, entity, NULL, 0, &source);
    kn_movement empty = {0};
    assert_int_equal(kn_movement_begin(&empty, entity, NULL, 0, &source), KN_OK);
    kn_movement_end(&empty, entity, NULL, 0, &source);

    body b = {.mode = WALKING, .answer = KN_REFUSED_LIMIT};
    kn_movement only_add = {.add_source = body_add, .user = &b};
    assert_int_equal(kn_movement_begin(&only_add, entity, NULL, 0, &source), KN_REFUSED_LIMIT);
    kn_movement_end(&only_add, entity, NULL, 0, &source);
    assert_int_equal(b.mode, WALKING);
}

// Bad input -----------------------------------------------------------------

static int assert_count;

static bool count_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    assert_count++;
    return false;
}

static void expect_bad(const fixture *f, const kn_motion_def *def, const char *field)
{
    kn_error error;
    assert_int_equal(kn_motion_check(f->library, def, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    if (strstr(error.message, field) == NULL) {
        fail_msg("\"%s\" does not mention \"%s\"", error.message, field);
    }
    assert_int_equal(kn_motion_check(f->library, def, NULL), KN_ERROR_BAD_DATA);

    // Evaluating it all the same does no harm.
    kn_motion_input from = rich_input(KN_MS(100)), to = rich_input(KN_MS(300));
    kn_motion_sample sample;
    kn_result result = kn_motion_step(f->library, def, &start_record, &from, &to, &sample);
    if (result != KN_OK) {
        assert_int_equal(sample.flags, 0);
    }
    assert_true(isfinite(sample.position.x) && isfinite(sample.velocity.x));
}

#define EXPECT_BAD(def_, member, value)                                                            \
    do {                                                                                           \
        kn_motion_def bad = def_;                                                                  \
        bad.member = value;                                                                        \
        expect_bad(f, &bad, #member);                                                              \
    } while (0)

static void check_finds_numbers_that_are_not_finite(void **state)
{
    const fixture *f = *state;
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def good = rich_def(f, (kn_motion_kind)kind);
        kn_error error;
        assert_int_equal(kn_motion_check(f->library, &good, &error), KN_OK);
        assert_int_equal(error.code, KN_OK);
        EXPECT_BAD(good, strength, NAN);
        EXPECT_BAD(good, radius, INFINITY);
        EXPECT_BAD(good, across, -INFINITY);
        EXPECT_BAD(good, rise, NAN);
        EXPECT_BAD(good, distance, NAN);
        EXPECT_BAD(good, height, INFINITY);
        EXPECT_BAD(good, end_speed_max, NAN);
        kn_vec3 bad_vector = {0.0f, 0.0f, NAN};
        EXPECT_BAD(good, end_velocity, bad_vector);
        EXPECT_BAD(good, up, bad_vector);
        EXPECT_BAD(good, centre, bad_vector);
        EXPECT_BAD(good, direction, bad_vector);
        EXPECT_BAD(good, destination, bad_vector);
        bad_vector = (kn_vec3){INFINITY, 0.0f, 0.0f};
        EXPECT_BAD(good, offset, bad_vector);
        bad_vector = (kn_vec3){0.0f, -INFINITY, 0.0f};
        EXPECT_BAD(good, direction, bad_vector);
    }
}

static void check_finds_what_makes_no_sense(void **state)
{
    const fixture *f = *state;
    kn_vec3 zero = {0};
    EXPECT_BAD(knock_back(), duration, -1);
    EXPECT_BAD(knock_back(), duration, 0);
    EXPECT_BAD(knock_back(), duration, KN_TIME_MAX + 1);
    EXPECT_BAD(dash(), duration, KN_TIME_INFINITE);
    EXPECT_BAD(leap_at(), duration, KN_TIME_INFINITE);
    EXPECT_BAD(jump(), duration, KN_TIME_INFINITE);
    EXPECT_BAD(knock_back(), direction, zero);
    EXPECT_BAD(jump(), direction, zero);
    EXPECT_BAD(jump(), distance, -1.0f);
    EXPECT_BAD(dash(), up, zero);
    EXPECT_BAD(dash(), end_speed_max, -1.0f);
    EXPECT_BAD(explosion(), radius, 0.0f);
    EXPECT_BAD(explosion(), radius, -1.0f);
    kn_motion_def def = explosion();
    def.falloff = KN_MOTION_FALLOFF_CURVE;
    expect_bad(f, &def, "falloff_curve");
}

static void check_finds_unknown_curves_tags_and_values(void **state)
{
    const fixture *f = *state;
    kn_curve_id unknown = {99};
    EXPECT_BAD(knock_back(), strength_curve, unknown);
    EXPECT_BAD(explosion(), falloff_curve, unknown);
    EXPECT_BAD(dash(), easing, unknown);
    EXPECT_BAD(dash(), across_curve, unknown);
    EXPECT_BAD(dash(), rise_curve, unknown);
    EXPECT_BAD(jump(), height_curve, unknown);
    kn_tag unknown_tag = {99};
    EXPECT_BAD(dash(), tag, unknown_tag);
    EXPECT_BAD(dash(), kind, KN_MOTION_KIND_COUNT);
    EXPECT_BAD(dash(), blend, KN_MOTION_BLEND_COUNT);
    EXPECT_BAD(dash(), end, KN_MOTION_END_COUNT);
    EXPECT_BAD(dash(), axis, KN_MOTION_AXIS_COUNT);
    EXPECT_BAD(dash(), falloff, KN_MOTION_FALLOFF_COUNT);
}

static void numbers_that_are_not_finite_are_refused_while_it_runs(void **state)
{
    const fixture *f = *state;
    for (int kind = 0; kind < KN_MOTION_KIND_COUNT; kind++) {
        kn_motion_def def = rich_def(f, (kn_motion_kind)kind);
        kn_motion_start start = start_record;
        kn_motion_input good = rich_input(0), input = good;
        kn_motion_sample sample;
        kn_vec3 delta;
        input.position.x = NAN;
        assert_int_equal(
            kn_motion_evaluate(f->library, &def, &start, &input, &sample), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(kn_motion_delta(f->library, &def, &start, &good, &input, &delta),
            KN_REFUSED_BAD_NUMBER);
        assert_int_equal(kn_motion_step(f->library, &def, &start, &input, &good, &sample),
            KN_REFUSED_BAD_NUMBER);
        input = good;
        input.target.z = INFINITY;
        assert_int_equal(
            kn_motion_evaluate(f->library, &def, &start, &input, &sample), KN_REFUSED_BAD_NUMBER);
        start.position.y = NAN;
        assert_int_equal(
            kn_motion_evaluate(f->library, &def, &start, &good, &sample), KN_REFUSED_BAD_NUMBER);
        assert_int_equal(sample.flags, 0);
    }
    kn_motion_def def = jump(); // finite, but its end is not
    def.distance = 3e38f;
    kn_motion_start start = {.position = {0.0f, 3e38f, 0.0f}};
    kn_motion_input input = {.now = KN_S(1)};
    kn_motion_sample sample;
    assert_int_equal(
        kn_motion_evaluate(f->library, &def, &start, &input, &sample), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(sample.flags, 0);
}

static void huge_and_tiny_directions_keep_their_direction(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = knock_back();
    for (float size = 1e-37f; size < 1e37f; size *= 1e10f) {
        def.direction = (kn_vec3){0.0f, 3.0f * size, 4.0f * size};
        expect_near(sample_at(f, &def, 0).velocity, (kn_vec3){0.0f, 6.0f, 8.0f}, 1e-5f);
    }
}

static void broken_contracts_are_asserted_and_refused(void **state)
{
    const fixture *f = *state;
    kn_motion_def def = dash(), no_cookie = {0};
    kn_motion_input early = input_at(0), late = input_at(1);
    kn_motion_sample sample;
    kn_vec3 delta;
    assert_count = 0;
    kn_assert_set_handler(count_assert);
    kn_result results[] = {
        kn_motion_check(NULL, &def, NULL),
        kn_motion_check(f->library, NULL, NULL),
        kn_motion_check(f->library, &no_cookie, NULL),
        kn_motion_evaluate(NULL, &def, &start_record, &early, &sample),
        kn_motion_evaluate(f->library, NULL, &start_record, &early, &sample),
        kn_motion_evaluate(f->library, &no_cookie, &start_record, &early, &sample),
        kn_motion_evaluate(f->library, &def, NULL, &early, &sample),
        kn_motion_evaluate(f->library, &def, &start_record, NULL, &sample),
        kn_motion_delta(f->library, &def, &start_record, &late, &early, &delta),
        kn_motion_step(f->library, &def, &start_record, &late, &early, &sample),
        kn_movement_begin(NULL, (kn_entity_id){0}, NULL, 0, NULL),
    };
    kn_movement_end(NULL, (kn_entity_id){0}, NULL, 1, NULL);
    kn_assert_set_handler(NULL);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        assert_int_equal(results[i], KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(assert_count, KN_ASSERTS ? 12 : 0);
}

// A loop of a host, as in docs/motion.md -------------------------------------

#define SOURCE_MAX 8

typedef struct hero {
    kn_vec3 position, velocity;
    kn_motion_source sources[SOURCE_MAX];
    uint32_t source_count;
    uint32_t mode;
} hero;

static void hero_end_source(hero *h, uint32_t index)
{
    kn_motion_source ended = h->sources[index];
    for (uint32_t i = index + 1; i < h->source_count; i++) {
        h->sources[i - 1] = h->sources[i]; // the order of start is kept
    }
    h->source_count--;
    h->velocity = kn_motion_end_velocity(&ended.def, &ended.start, h->velocity);
    if (ended.def.restores_mode) {
        h->mode = ended.start.mode;
    }
}

static void hero_move(const kn_library *library, hero *h, kn_time from, kn_time to, kn_vec3 target)
{
    kn_motion_input before = {from, h->position, target};
    kn_motion_input after = {to, h->position, target};
    kn_motion_sample samples[SOURCE_MAX];
    for (uint32_t i = 0; i < h->source_count; i++) {
        const kn_motion_source *source = &h->sources[i];
        if (kn_motion_step(library, &source->def, &source->start, &before, &after, &samples[i]) !=
            KN_OK) {
            samples[i].is_finished = true; // a bad number: drop it
        }
    }
    kn_motion_total total = kn_motion_combine(samples, h->sources, h->source_count, h->velocity);
    float seconds = (float)kn_time_to_seconds(to - from);
    if ((total.flags & KN_MOTION_HAS_POSITION) != 0) {
        h->position = total.position; // exact at any frame rate
    } else {
        h->position.x += total.velocity.x * seconds;
        h->position.y += total.velocity.y * seconds;
        h->position.z += total.velocity.z * seconds;
    }
    for (uint32_t i = h->source_count; i-- > 0;) {
        if (samples[i].is_finished) {
            hero_end_source(h, i);
        }
    }
}

// TASK-031, TASK-033
static void host_loop_ends_in_the_same_place_at_any_rate(void **state)
{
    const fixture *f = *state;
    static const int64_t rates[] = {30, 60, 144};
    kn_vec3 ends[3];
    for (int r = 0; r < 3; r++) {
        hero h = {.position = {10.0f, 20.0f, 5.0f}, .mode = FLYING, .source_count = 2};
        h.sources[0] = (kn_motion_source){dash(), start_record};
        h.sources[0].def.restores_mode = true;
        h.sources[1] = (kn_motion_source){knock_back(), start_record};
        h.sources[1].start.time += KN_MS(500); // after the dash
        h.sources[1].def.strength_curve = f->fade;
        for (int64_t frame = 0; frame < 2 * rates[r]; frame++) {
            hero_move(f->library, &h, START + frame * 1000000 / rates[r],
                START + (frame + 1) * 1000000 / rates[r], (kn_vec3){0});
        }
        assert_int_equal(h.source_count, 0);
        assert_int_equal(h.mode, 7);
        ends[r] = h.position;
    }
    expect_near(ends[0], (kn_vec3){18.0f, 21.5f, 7.0f}, 1e-4f); // 2.5 units along (0, 3, 4)
    expect_near(ends[1], ends[0], 1e-4f);
    expect_near(ends[2], ends[0], 1e-4f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(constant_force_pushes_until_its_end),
    TEST(nothing_acts_before_its_start),
    TEST(infinite_force_never_finishes),
    TEST(strength_curve_scales_the_force_and_outlives_its_ability),
    TEST(curves_longer_or_shorter_than_the_duration_are_cut_or_held),
    TEST(radial_force_pushes_or_pulls_with_falloff),
    TEST(flat_radial_force_has_nothing_along_up),
    TEST(radial_centre_may_be_a_moving_target),
    TEST(pull_ends_at_the_centre),
    TEST(move_to_goes_from_start_to_destination),
    TEST(path_ends_at_its_destination_exactly),
    TEST(path_curves_bend_the_way_across_and_up),
    TEST(follow_arrives_where_the_target_is_by_then),
    TEST(jump_has_its_height_at_half_time_and_its_distance_at_the_end),
    TEST(jump_goes_along_the_given_up),
    TEST(equal_times_give_equal_bits_at_30_60_and_144_hertz),
    TEST(predicted_and_replayed_sources_agree_with_the_server),
    TEST(deltas_of_any_split_add_up_to_the_whole),
    TEST(delta_of_a_path_is_the_difference_of_positions),
    TEST(delta_of_a_force_counts_only_the_time_it_acts),
    TEST(step_gives_the_mean_velocity),
    TEST(any_time_can_be_asked_for),
    TEST(running_source_is_part_of_snapshot_save_and_hash),
    TEST(fields_cover_every_byte_of_a_source),
    TEST(end_rules_decide_the_velocity_left),
    TEST(additive_sources_add_to_the_base_or_to_the_winner),
    TEST(highest_override_wins_and_among_equals_the_latest),
    TEST(winning_path_gives_position_and_velocity),
    TEST(mode_before_the_source_is_restored_when_it_ends),
    TEST(overlapping_sources_end_in_the_mode_before_the_first),
    TEST(missing_parts_of_a_movement_system_are_left_out),
    TEST(check_finds_numbers_that_are_not_finite),
    TEST(check_finds_what_makes_no_sense),
    TEST(check_finds_unknown_curves_tags_and_values),
    TEST(numbers_that_are_not_finite_are_refused_while_it_runs),
    TEST(huge_and_tiny_directions_keep_their_direction),
    TEST(broken_contracts_are_asserted_and_refused),
    TEST(host_loop_ends_in_the_same_place_at_any_rate),
};

TEST_GROUP(test_motion, tests, NULL, NULL);
