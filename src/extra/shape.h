// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The geometry behind spatial queries: which balls touch a shape, where a ray meets one, and the
// order of hits. Computed in double from float coordinates, so that squares of any float neither
// overflow nor lose a touch; only + - * / and square roots, which IEEE 754 rounds the same
// everywhere.
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
    double center[3];    // of a cone: its origin
    double radius;       // of a cone: its length
    double half[3];      // of a box
    double axes[3][3];   // of a box; the first is the direction of a cone
    double cosine, sine; // of a cone's half angle
} kni_shape;

// An axis-aligned box, rounded outwards.
typedef struct kni_extent {
    float min[3];
    float max[3];
} kni_extent;

// A ray whose numbers were checked.
typedef struct kni_segment {
    double origin[3];
    double direction[3];
    double length;
    double radius;
    double speed2; // squared length of `direction`, which is 1 up to rounding
} kni_segment;

kni_shape kni_shape_of_sphere(const kn_sphere *sphere);
kni_shape kni_shape_of_box(const kn_box *box);
kni_shape kni_shape_of_cone(const kn_cone *cone);
kni_segment kni_segment_of_ray(const kn_ray *ray);

kni_extent kni_shape_bounds(const kni_shape *shape);
kni_extent kni_segment_bounds(const kni_segment *segment);

// Whether a ball may touch what is inside the bounds. Part of the result, not just a shortcut: both
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

#endif
