// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Balls against spheres, boxes, cones and rays. Every shape has bounds, which a spatial index
// compares first. Numbers were checked by kn_space_sphere() and the others.

#include "extra/shape.h"

#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "numbers have the precision they are declared with");

static double shape_min(double a, double b)
{
    return a < b ? a : b;
}

static double shape_max(double a, double b)
{
    return a > b ? a : b;
}

// Vectors -------------------------------------------------------------------

static void vector_load(double out[3], kn_vec3 v)
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static double vector_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A value that a float cannot hold becomes the largest that it can.
static float vector_narrow(double value)
{
    if (value > (double)FLT_MAX) {
        return FLT_MAX;
    }
    return value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
}

static kn_vec3 vector_store(const double v[3])
{
    kn_vec3 out = {vector_narrow(v[0]), vector_narrow(v[1]), vector_narrow(v[2])};
    return out;
}

static kn_vec3 vector_cross(kn_vec3 a, kn_vec3 b)
{
    kn_vec3 out = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return out;
}

// Shapes --------------------------------------------------------------------

kni_shape kni_shape_of_sphere(const kn_sphere *sphere)
{
    kni_shape shape = {.kind = KNI_SHAPE_SPHERE, .radius = (double)sphere->radius};
    vector_load(shape.center, sphere->center);
    return shape;
}

kni_shape kni_shape_of_box(const kn_box *box)
{
    kni_shape shape = {.kind = KNI_SHAPE_BOX};
    vector_load(shape.center, box->center);
    vector_load(shape.half, box->half);
    vector_load(shape.axes[0], box->forward);
    vector_load(shape.axes[1], vector_cross(box->up, box->forward));
    vector_load(shape.axes[2], box->up);
    return shape;
}

kni_shape kni_shape_of_cone(const kn_cone *cone)
{
    kni_shape shape = {.kind = KNI_SHAPE_CONE, .radius = (double)cone->length};
    vector_load(shape.center, cone->origin);
    vector_load(shape.axes[0], cone->direction);
    shape.cosine = (double)cone->cos_half_angle;
    shape.sine = sqrt(1.0 - shape.cosine * shape.cosine);
    return shape;
}

kni_segment kni_segment_of_ray(const kn_ray *ray)
{
    kni_segment segment = {.length = (double)ray->length, .radius = (double)ray->radius};
    vector_load(segment.origin, ray->origin);
    vector_load(segment.direction, ray->direction);
    segment.speed2 = vector_dot(segment.direction, segment.direction);
    return segment;
}

// Bounds --------------------------------------------------------------------

// A thousand times the rounding error of anything computed here.
#define BOUNDS_SLACK 1e-6

static void bounds_set(kni_extent *bounds, uint32_t axis, double low, double high)
{
    double slack = (fabs(low) + fabs(high)) * BOUNDS_SLACK;
    bounds->min[axis] = vector_narrow(low - slack);
    bounds->max[axis] = vector_narrow(high + slack);
}

// How far a cone reaches along an axis; `d` is the component of its direction along that axis.
static double cone_reach(const kni_shape *shape, double d)
{
    if (d >= shape->cosine) { // the axis lies inside
        return shape->radius;
    }
    double across = sqrt(shape_max(1.0 - d * d, 0.0));
    return shape->radius * shape_max(d * shape->cosine + across * shape->sine, 0.0);
}

kni_extent kni_shape_bounds(const kni_shape *shape)
{
    kni_extent bounds;
    for (uint32_t i = 0; i < 3; i++) {
        double below = shape->radius, above = shape->radius;
        if (shape->kind == KNI_SHAPE_BOX) {
            below = fabs(shape->axes[0][i]) * shape->half[0] +
                    fabs(shape->axes[1][i]) * shape->half[1] +
                    fabs(shape->axes[2][i]) * shape->half[2];
            above = below;
        } else if (shape->kind == KNI_SHAPE_CONE) {
            // The direction is rounded: a small part of the length covers that.
            double slack = shape->radius * BOUNDS_SLACK;
            below = cone_reach(shape, -shape->axes[0][i]) + slack;
            above = cone_reach(shape, shape->axes[0][i]) + slack;
        }
        bounds_set(&bounds, i, shape->center[i] - below, shape->center[i] + above);
    }
    return bounds;
}

kni_extent kni_segment_bounds(const kni_segment *segment)
{
    kni_extent bounds;
    for (uint32_t i = 0; i < 3; i++) {
        double from = segment->origin[i];
        double to = from + segment->direction[i] * segment->length;
        bounds_set(&bounds, i, shape_min(from, to) - segment->radius,
            shape_max(from, to) + segment->radius);
    }
    return bounds;
}

// Touching ------------------------------------------------------------------

bool kni_box_touches(const kni_shape *shape, const double offset[3], double radius)
{
    double distance2 = 0.0;
    for (uint32_t i = 0; i < 3; i++) {
        double outside = fabs(vector_dot(offset, shape->axes[i])) - shape->half[i];
        distance2 += outside > 0.0 ? outside * outside : 0.0;
    }
    return distance2 <= radius * radius;
}

// The cone is round, so two numbers locate the ball: the distance along the direction, and the
// distance beside it. In this plane the cone is a sector with one edge that can be nearest.
bool kni_cone_touches(const kni_shape *shape, const double offset[3], double radius)
{
    double distance2 = vector_dot(offset, offset);
    double reach = shape->radius + radius;
    if (distance2 > reach * reach) {
        return false;
    }
    double along = vector_dot(offset, shape->axes[0]);
    if (along >= shape->cosine * sqrt(distance2)) {
        return true;
    }
    double beside = sqrt(shape_max(distance2 - along * along, 0.0));
    double edge = along * shape->cosine + beside * shape->sine;
    edge = edge > 0.0 ? shape_min(edge, shape->radius) : 0.0;
    double da = along - edge * shape->cosine;
    double db = beside - edge * shape->sine;
    return da * da + db * db <= radius * radius;
}

// Hits ----------------------------------------------------------------------

// The ray starts inside the ball.
static void segment_hit_at_start(const kni_segment *segment, kn_space_hit *hit)
{
    hit->point = vector_store(segment->origin);
    hit->normal = (kn_vec3){-(float)segment->direction[0], -(float)segment->direction[1],
        -(float)segment->direction[2]};
    hit->distance = 0.0f;
}

bool kni_segment_hit(const kni_segment *segment, const kn_body *body, kn_space_hit *hit)
{
    double center[3], offset[3];
    vector_load(center, body->position);
    for (uint32_t i = 0; i < 3; i++) {
        offset[i] = segment->origin[i] - center[i];
    }
    double reach = segment->radius + (double)body->radius;
    double reach2 = reach * reach;
    if (vector_dot(offset, offset) <= reach2) {
        segment_hit_at_start(segment, hit);
        return true;
    }
    // The point of closest approach, and from there back to where it first touches.
    double closest = -vector_dot(offset, segment->direction) / segment->speed2;
    double gap[3];
    for (uint32_t i = 0; i < 3; i++) {
        gap[i] = offset[i] + closest * segment->direction[i];
    }
    double inside2 = reach2 - vector_dot(gap, gap);
    if (closest < 0.0 || inside2 < 0.0) {
        return false;
    }
    double distance = shape_max(closest - sqrt(inside2 / segment->speed2), 0.0);
    if (distance > segment->length) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        gap[i] = offset[i] + distance * segment->direction[i];
    }
    double length = sqrt(vector_dot(gap, gap));
    double point[3];
    for (uint32_t i = 0; i < 3; i++) {
        gap[i] = length > 0.0 ? gap[i] / length : -segment->direction[i];
        point[i] = center[i] + gap[i] * (double)body->radius;
    }
    hit->normal = vector_store(gap);
    hit->point = vector_store(point);
    hit->distance = vector_narrow(distance);
    return true;
}

void kni_nearest_hit(const kn_vec3 *center, const kn_body *body, kn_space_hit *hit)
{
    double from[3], to[3];
    vector_load(to, *center);
    vector_load(from, body->position);
    for (uint32_t i = 0; i < 3; i++) {
        to[i] -= from[i];
    }
    double distance = sqrt(vector_dot(to, to));
    for (uint32_t i = 0; i < 3; i++) {
        to[i] = distance > 0.0 ? to[i] / distance : 0.0;
    }
    hit->point = body->position;
    hit->normal = vector_store(to);
    hit->distance = vector_narrow(distance);
}
