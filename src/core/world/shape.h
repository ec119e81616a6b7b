// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The geometry behind spatial queries: which balls touch a shape, where a ray meets one, and the
// order of hits. Computed in double from float coordinates, so that squares of any float neither
// overflow nor lose a touch; only + - * / and square roots, which IEEE 754 rounds alike everywhere.
#ifndef KNI_SHAPE_H
#define KNI_SHAPE_H

#include "knack/space.h"

typedef enum kni_shape_kind {
    KNI_SHAPE_SPHERE,
    KNI_SHAPE_BOX,
    KNI_SHAPE_CONE,
} kni_shape_kind;

typedef struct kni_shape {
    kni_shape_kind kind;
    double center[3];    // or origin
    double radius;       // or length
    double half[3];      // a box
    double axes[3][3];   // a box; a cone's direction is the first
    double cosine, sine; // a cone
} kni_shape;

// Axis-aligned, rounded outwards.
typedef struct kni_extent {
    float min[3];
    float max[3];
} kni_extent;

// A checked kn_ray.
typedef struct kni_segment {
    double origin[3];
    double direction[3];
    double length;
    double radius;
    double speed2; // square of the length of `direction`, which is a rounded 1
} kni_segment;

kni_shape kni_shape_of_sphere(const kn_sphere *sphere);
kni_shape kni_shape_of_box(const kn_box *box);
kni_shape kni_shape_of_cone(const kn_cone *cone);
kni_segment kni_segment_of_ray(const kn_ray *ray);

kni_extent kni_shape_bounds(const kni_shape *shape);
kni_extent kni_segment_bounds(const kni_segment *segment);

// Whether a ball may touch what is inside the bounds. Part of the answer, not only a shortcut: both
// this and kni_shape_touches() must agree, however the bodies were found.
static inline bool kni_extent_touches(const kni_extent *bounds, const kn_body *body)
{
    float r = body->radius;
    return body->position.x + r >= bounds->min[0] && body->position.x - r <= bounds->max[0] &&
           body->position.y + r >= bounds->min[1] && body->position.y - r <= bounds->max[1] &&
           body->position.z + r >= bounds->min[2] && body->position.z - r <= bounds->max[2];
}

bool kni_box_touches(const kni_shape *shape, const double offset[3], double radius);
bool kni_cone_touches(const kni_shape *shape, const double offset[3], double radius);

// `kind` is that of the shape.
static inline bool kni_shape_touches(
    kni_shape_kind kind, const kni_shape *shape, float x, float y, float z, float r)
{
    double offset[3] = {
        (double)x - shape->center[0], (double)y - shape->center[1], (double)z - shape->center[2]};
    if (kind == KNI_SHAPE_SPHERE) {
        double reach = shape->radius + (double)r;
        return offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] <=
               reach * reach;
    }
    return kind == KNI_SHAPE_BOX ? kni_box_touches(shape, offset, (double)r)
                                 : kni_cone_touches(shape, offset, (double)r);
}

// Fills in all but the entity. False when the ray misses.
bool kni_segment_hit(const kni_segment *segment, const kn_body *body, kn_space_hit *hit);
// The hit of a "nearest" query: the distance between centers.
void kni_nearest_hit(const kn_vec3 *center, const kn_body *body, kn_space_hit *hit);

// NaN or infinite: useless in a computation.
static inline bool kni_vec3_is_finite(kn_vec3 v)
{
    return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
}
// A direction of length 1; false, and untouched, for one of length 0.
bool kni_vec3_normalise(kn_vec3 *v);
kn_vec3 kni_vec3_cross(kn_vec3 a, kn_vec3 b);

// The first of many hits, by distance, then by slot: a heap with the last of them on top.
typedef struct kni_hits {
    kn_space_hit *data;
    uint32_t capacity;
    uint32_t kept;
    uint32_t count; // pushed in all
} kni_hits;

void kni_hits_push(kni_hits *hits, const kn_space_hit *hit);
// Puts what was kept in order.
void kni_hits_sort(kni_hits *hits);
bool kni_hits_are_sorted(const kn_space_hit *hits, uint32_t count);

#endif
