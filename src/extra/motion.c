// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Motion sources as functions of time. Nothing here keeps state: a time is turned into a share of
// the duration first, in double, so that long sessions lose no precision, and everything follows
// from that. Only + - * / and square roots, which are exact to the last bit everywhere.

#include "knack/motion.h"

#include "knack/def.h"
#include "knack/tools.h"

#include <math.h>

// Vectors -------------------------------------------------------------------

static kn_vec3 motion_plus(kn_vec3 a, kn_vec3 b)
{
    return (kn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static kn_vec3 motion_minus(kn_vec3 a, kn_vec3 b)
{
    return (kn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static kn_vec3 motion_times(kn_vec3 v, float factor)
{
    return (kn_vec3){v.x * factor, v.y * factor, v.z * factor};
}

static float motion_dot(kn_vec3 a, kn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static kn_vec3 motion_cross(kn_vec3 a, kn_vec3 b)
{
    return (kn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Exactly a at 0 and exactly b at 1, which a + (b - a) share is not.
static kn_vec3 motion_mix(kn_vec3 a, kn_vec3 b, float share)
{
    return motion_plus(motion_times(a, 1.0f - share), motion_times(b, share));
}

static bool motion_is_finite(kn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// Length 1, or zero for the zero vector; *length is what it was. Dividing by the largest component
// first keeps squares from running over or vanishing.
static kn_vec3 motion_unit(kn_vec3 v, float *length)
{
    float largest = fabsf(v.x);
    largest = fabsf(v.y) > largest ? fabsf(v.y) : largest;
    largest = fabsf(v.z) > largest ? fabsf(v.z) : largest;
    if (largest == 0.0f) {
        *length = 0.0f;
        return (kn_vec3){0};
    }
    kn_vec3 scaled = {v.x / largest, v.y / largest, v.z / largest};
    float scaled_length = sqrtf(motion_dot(scaled, scaled));
    *length = largest * scaled_length;
    return (kn_vec3){scaled.x / scaled_length, scaled.y / scaled_length, scaled.z / scaled_length};
}

static kn_vec3 motion_direction(kn_vec3 v)
{
    float length;
    return motion_unit(v, &length);
}

// Time ----------------------------------------------------------------------

static bool motion_is_force(const kn_motion_def *def)
{
    return def->kind == KN_MOTION_FORCE || def->kind == KN_MOTION_RADIAL;
}

// From one time to a later one; any two will do, also where the difference does not fit into a
// kn_time.
static uint64_t motion_span(kn_time from, kn_time to)
{
    return (uint64_t)to - (uint64_t)from;
}

// Time since the start, within the duration.
static kn_time motion_elapsed(const kn_motion_def *def, const kn_motion_start *start, kn_time now)
{
    if (now <= start->time || def->duration <= 0) {
        return 0;
    }
    uint64_t elapsed = motion_span(start->time, now);
    return elapsed < (uint64_t)def->duration ? (kn_time)elapsed : def->duration;
}

static bool motion_has_ended(const kn_motion_def *def, kn_time elapsed)
{
    return def->duration != KN_TIME_INFINITE && elapsed >= def->duration;
}

static double motion_progress(const kn_motion_def *def, kn_time elapsed)
{
    if (def->duration == KN_TIME_INFINITE) {
        return 0.0;
    }
    return motion_has_ended(def, elapsed) ? 1.0 : (double)elapsed / (double)def->duration;
}

// The x of the curves over time.
static bool motion_axis_is_seconds(const kn_motion_def *def)
{
    return def->axis == KN_MOTION_AXIS_SECONDS || def->duration == KN_TIME_INFINITE;
}

static double motion_x(const kn_motion_def *def, kn_time elapsed)
{
    return motion_axis_is_seconds(def) ? kn_time_to_seconds(elapsed)
                                       : motion_progress(def, elapsed);
}

// Area of the part of a curve between points i - 1 and i that lies within [left, right].
static double motion_piece_area(const kn_curve_def *curve, uint32_t i, double left, double right)
{
    const kn_curve_point *b = &curve->points[i < curve->point_count ? i : i - 1];
    const kn_curve_point *a = &curve->points[i > 0 ? i - 1 : 0];
    double y = (double)a->y;
    if (curve->kind == KN_CURVE_LINEAR && i > 0 && i < curve->point_count) {
        double middle = (left + right) / 2.0;
        double share = (middle - (double)a->x) / ((double)b->x - (double)a->x);
        y += ((double)b->y - (double)a->y) * share;
    }
    return y * (right - left);
}

// Area under a curve from 0 to x, which is not negative.
static double motion_curve_area(const kn_library *library, kn_curve_id id, double x)
{
    const kn_curve_def *curve = kn_def_get(library, KN_DEF_CURVE, id.index1);
    if (curve == NULL) {
        return x;
    }
    double area = 0.0;
    for (uint32_t i = 0; i <= curve->point_count; i++) {
        double left = i > 0 ? (double)curve->points[i - 1].x : 0.0;
        double right = i < curve->point_count ? (double)curve->points[i].x : x;
        left = left > 0.0 ? left : 0.0;
        right = right < x ? right : x;
        if (right > left) {
            area += motion_piece_area(curve, i, left, right);
        }
    }
    return area;
}

// Forces --------------------------------------------------------------------

// Where a force pushes, before its strength. A negative push goes at most as far as `reach`.
typedef struct motion_field {
    kn_vec3 direction;
    float factor;
    float reach;
} motion_field;

static float motion_falloff(const kn_library *library, const kn_motion_def *def, float distance)
{
    if (distance > def->radius) {
        return 0.0f;
    }
    float share = distance / def->radius;
    switch (def->falloff) {
    case KN_MOTION_FALLOFF_LINEAR:
        return 1.0f - share;
    case KN_MOTION_FALLOFF_CURVE:
        return kn_curve_at(library, def->falloff_curve, share);
    default:
        return 1.0f;
    }
}

static motion_field motion_field_at(
    const kn_library *library, const kn_motion_def *def, const kn_motion_input *input)
{
    if (def->kind == KN_MOTION_FORCE) {
        return (motion_field){motion_direction(def->direction), 1.0f, INFINITY};
    }
    kn_vec3 centre = def->follows_target ? input->target : def->centre;
    kn_vec3 outward = motion_minus(input->position, centre);
    motion_field field;
    field.direction = motion_unit(outward, &field.reach);
    field.factor = motion_falloff(library, def, field.reach);
    field.factor = def->pulls ? -field.factor : field.factor;
    if (def->is_flat) {
        kn_vec3 up = motion_direction(def->up);
        outward = motion_minus(outward, motion_times(up, motion_dot(outward, up)));
        field.direction = motion_unit(outward, &field.reach);
    }
    return field;
}

static kn_vec3 motion_velocity(const kn_library *library, const kn_motion_def *def,
    const kn_motion_input *input, kn_time elapsed)
{
    motion_field field = motion_field_at(library, def, input);
    float scale = kn_curve_at(library, def->strength_curve, (float)motion_x(def, elapsed));
    return motion_times(field.direction, field.factor * (def->strength * scale));
}

// Strength integrated from the start on: how far the force alone would have carried.
static double motion_travel(const kn_library *library, const kn_motion_def *def, kn_time elapsed)
{
    double area = motion_curve_area(library, def->strength_curve, motion_x(def, elapsed));
    if (!motion_axis_is_seconds(def)) {
        area *= kn_time_to_seconds(def->duration);
    }
    return (double)def->strength * area;
}

static kn_vec3 motion_force_delta(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to)
{
    kn_time from_elapsed = motion_elapsed(def, start, from->now);
    kn_time to_elapsed = motion_elapsed(def, start, to->now);
    if (to_elapsed == from_elapsed) {
        return (kn_vec3){0};
    }
    double before = motion_travel(library, def, from_elapsed);
    double after = motion_travel(library, def, to_elapsed);
    motion_field field = motion_field_at(library, def, from);
    float travel = field.factor * (float)(after - before);
    travel = travel < -field.reach ? -field.reach : travel;
    return motion_times(field.direction, travel);
}

// Paths ---------------------------------------------------------------------

// How much of the way is covered.
static float motion_share(const kn_library *library, const kn_motion_def *def, kn_time elapsed)
{
    if (kn_curve_id_is_null(def->easing)) {
        return (float)motion_progress(def, elapsed);
    }
    return kn_curve_at(library, def->easing, (float)motion_x(def, elapsed));
}

static kn_vec3 motion_path(
    const kn_library *library, const kn_motion_def *def, kn_vec3 from, kn_vec3 to, kn_time elapsed)
{
    kn_vec3 position = motion_mix(from, to, motion_share(library, def, elapsed));
    float x = (float)motion_x(def, elapsed);
    kn_vec3 up = motion_direction(def->up);
    if (!kn_curve_id_is_null(def->across_curve)) {
        kn_vec3 way = motion_direction(motion_minus(to, from));
        kn_vec3 across = motion_direction(motion_cross(way, up));
        float length = def->across * kn_curve_at(library, def->across_curve, x);
        position = motion_plus(position, motion_times(across, length));
    }
    if (!kn_curve_id_is_null(def->rise_curve)) {
        float length = def->rise * kn_curve_at(library, def->rise_curve, x);
        position = motion_plus(position, motion_times(up, length));
    }
    return position;
}

static kn_vec3 motion_jump(
    const kn_library *library, const kn_motion_def *def, kn_vec3 from, kn_time elapsed)
{
    kn_vec3 way = motion_times(motion_direction(def->direction), def->distance);
    kn_vec3 ground = motion_mix(from, motion_plus(from, way), motion_share(library, def, elapsed));
    float p = (float)motion_progress(def, elapsed);
    float share = kn_curve_id_is_null(def->height_curve)
                      ? 4.0f * p * (1.0f - p)
                      : kn_curve_at(library, def->height_curve, (float)motion_x(def, elapsed));
    return motion_plus(ground, motion_times(motion_direction(def->up), def->height * share));
}

static kn_vec3 motion_position(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *input)
{
    kn_time elapsed = motion_elapsed(def, start, input->now);
    switch (def->kind) {
    case KN_MOTION_MOVE_TO:
        return motion_path(library, def, start->position, def->destination, elapsed);
    case KN_MOTION_FOLLOW:
        return motion_path(
            library, def, start->position, motion_plus(input->target, def->offset), elapsed);
    default:
        return motion_jump(library, def, start->position, elapsed);
    }
}

// Samples -------------------------------------------------------------------

static kn_result motion_check_call(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *input)
{
    if (library == NULL || def == NULL || def->cookie != KN_COOKIE || start == NULL ||
        input == NULL) {
        KN_ASSERT(library != NULL && start != NULL && input != NULL);
        KN_ASSERT_DEF(def, kn_motion_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if ((uint32_t)def->kind >= KN_MOTION_KIND_COUNT) {
        return KN_ERROR_BAD_DATA;
    }
    bool is_finite = motion_is_finite(start->position) && motion_is_finite(input->position) &&
                     motion_is_finite(input->target);
    return is_finite ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_motion_evaluate(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *input, kn_motion_sample *sample)
{
    *sample = (kn_motion_sample){0};
    kn_result result = motion_check_call(library, def, start, input);
    if (result != KN_OK) {
        return result;
    }
    kn_time elapsed = motion_elapsed(def, start, input->now);
    kn_motion_sample filled = {
        .progress = (float)motion_progress(def, elapsed),
        .is_finished = input->now >= start->time && motion_has_ended(def, elapsed),
    };
    if (input->now < start->time) {
        filled.progress = 0.0f;
    } else if (!motion_is_force(def)) {
        filled.flags = KN_MOTION_HAS_POSITION;
        filled.position = motion_position(library, def, start, input);
    } else if (!filled.is_finished) {
        filled.flags = KN_MOTION_HAS_VELOCITY;
        filled.velocity = motion_velocity(library, def, input, elapsed);
    }
    if (!motion_is_finite(filled.position) || !motion_is_finite(filled.velocity)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    *sample = filled;
    return KN_OK;
}

kn_result kn_motion_delta(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_vec3 *delta)
{
    *delta = (kn_vec3){0};
    kn_result result = motion_check_call(library, def, start, from);
    if (result == KN_OK) {
        result = motion_check_call(library, def, start, to);
    }
    if (result != KN_OK) {
        return result;
    }
    if (from->now > to->now) {
        KN_ASSERT(from->now <= to->now);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_vec3 difference;
    if (motion_is_force(def)) {
        difference = motion_force_delta(library, def, start, from, to);
    } else {
        difference = motion_minus(
            motion_position(library, def, start, to), motion_position(library, def, start, from));
    }
    if (!motion_is_finite(difference)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    *delta = difference;
    return KN_OK;
}

kn_result kn_motion_step(const kn_library *library, const kn_motion_def *def,
    const kn_motion_start *start, const kn_motion_input *from, const kn_motion_input *to,
    kn_motion_sample *sample)
{
    kn_vec3 delta;
    *sample = (kn_motion_sample){0};
    kn_result result = kn_motion_delta(library, def, start, from, to, &delta);
    kn_motion_sample at_end = {0};
    if (result == KN_OK) {
        result = kn_motion_evaluate(library, def, start, to, &at_end);
    }
    if (result != KN_OK) {
        return result;
    }
    if (to->now > from->now) {
        bool acts = (at_end.flags & KN_MOTION_HAS_POSITION) != 0 ||
                    motion_elapsed(def, start, to->now) > motion_elapsed(def, start, from->now);
        float seconds = (float)((double)motion_span(from->now, to->now) / 1e6);
        at_end.velocity = (kn_vec3){delta.x / seconds, delta.y / seconds, delta.z / seconds};
        at_end.flags &= ~KN_MOTION_HAS_VELOCITY;
        at_end.flags |= acts ? KN_MOTION_HAS_VELOCITY : 0;
    } else {
        at_end.flags |= at_end.flags != 0 ? KN_MOTION_HAS_VELOCITY : 0;
    }
    if (!motion_is_finite(at_end.velocity)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    *sample = at_end;
    return KN_OK;
}

// Several sources, and the end of one ----------------------------------------

kn_motion_total kn_motion_combine(const kn_motion_sample *samples, const kn_motion_source *sources,
    uint32_t count, kn_vec3 base_velocity)
{
    kn_motion_total total = {
        .flags = KN_MOTION_HAS_VELOCITY, .velocity = base_velocity, .winner = UINT32_MAX};
    for (uint32_t i = 0; i < count; i++) {
        if (samples[i].flags != 0 && sources[i].def.blend == KN_MOTION_OVERRIDE &&
            (total.winner == UINT32_MAX ||
                sources[i].def.priority >= sources[total.winner].def.priority)) {
            total.winner = i;
        }
    }
    if (total.winner != UINT32_MAX) {
        const kn_motion_sample *winner = &samples[total.winner];
        total.flags |= winner->flags & KN_MOTION_HAS_POSITION;
        total.position = winner->position;
        total.velocity = winner->velocity;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sources[i].def.blend == KN_MOTION_ADD) {
            total.velocity = motion_plus(total.velocity, samples[i].velocity);
        }
    }
    return total;
}

kn_vec3 kn_motion_end_velocity(
    const kn_motion_def *def, const kn_motion_start *start, kn_vec3 velocity)
{
    switch (def->end) {
    case KN_MOTION_END_SET:
        return def->end_velocity;
    case KN_MOTION_END_RESTORE:
        return start->velocity;
    case KN_MOTION_END_CLAMP: {
        float speed;
        kn_vec3 direction = motion_unit(velocity, &speed);
        return speed > def->end_speed_max ? motion_times(direction, def->end_speed_max) : velocity;
    }
    default:
        return velocity;
    }
}
