// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Spatial queries as callers see them: numbers are checked, directions scaled to length 1, and the
// results of the host's space sorted.

#include "base/sort.h"
#include "world/world.h"

#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "numbers have the precision they are declared with");

// Vectors -------------------------------------------------------------------

// False if one of the numbers is NaN or infinite.
static bool vector_is_finite(kn_vec3 v)
{
    return v.x - v.x == 0.0f && v.y - v.y == 0.0f && v.z - v.z == 0.0f;
}

// Scales a direction to length 1; false, and unchanged, for one of length 0.
static bool vector_normalise(kn_vec3 *v)
{
    double x = (double)v->x, y = (double)v->y, z = (double)v->z;
    double length = sqrt(x * x + y * y + z * z);
    if (length == 0.0) {
        return false;
    }
    *v = (kn_vec3){(float)(x / length), (float)(y / length), (float)(z / length)};
    return true;
}

static kn_vec3 vector_cross(kn_vec3 a, kn_vec3 b)
{
    kn_vec3 out = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return out;
}

// Filters -------------------------------------------------------------------

kn_space_filter kn_space_filter_default(void)
{
    kn_space_filter filter = {.layers = UINT32_MAX};
    return filter;
}

bool kn_space_filter_passes(
    const kn_space_filter *filter, const kn_world *world, kn_entity_id entity)
{
    if (filter == NULL) {
        return true;
    }
    if (!kn_entity_id_is_null(filter->ignore) && kn_entity_id_equal(filter->ignore, entity)) {
        return false;
    }
    if (!kn_entity_id_is_null(filter->only) && !kn_entity_id_equal(filter->only, entity)) {
        return false;
    }
    if (filter->tags != NULL && !kn_entity_meets(world, entity, filter->tags)) {
        return false;
    }
    return filter->accept == NULL || filter->accept(filter->user, world, entity);
}

// Where ---------------------------------------------------------------------

bool kn_space_position(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    if (position == NULL) {
        KN_ASSERT(position != NULL);
        return false;
    }
    *position = (kn_vec3){0};
    if (space == NULL || space->position == NULL || !kn_entity_is_alive(world, entity)) {
        return false;
    }
    kn_vec3 found = {0};
    if (!space->position(space->user, world, entity, &found)) {
        return false;
    }
    *position = found;
    return true;
}

bool kn_space_view(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_view_point *view)
{
    if (view == NULL) {
        KN_ASSERT(view != NULL);
        return false;
    }
    *view = (kn_view_point){0};
    if (space == NULL || space->view == NULL || !kn_entity_is_alive(world, entity)) {
        return false;
    }
    kn_view_point found = {0};
    if (!space->view(space->user, world, entity, &found)) {
        return false;
    }
    if (!vector_is_finite(found.direction) || !vector_normalise(&found.direction)) {
        found.direction = (kn_vec3){0};
    }
    *view = found;
    return true;
}

// Checks --------------------------------------------------------------------

// False also for NaN.
static bool size_is_good(float size)
{
    return size >= 0.0f && size - size == 0.0f;
}

static bool direction_check(kn_vec3 *direction)
{
    return vector_is_finite(*direction) && vector_normalise(direction);
}

static bool vector_is_zero(kn_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static bool sphere_check(const kn_sphere *sphere)
{
    return vector_is_finite(sphere->center) && size_is_good(sphere->radius);
}

static bool box_check(kn_box *box)
{
    if (!vector_is_finite(box->center) || !size_is_good(box->half.x) ||
        !size_is_good(box->half.y) || !size_is_good(box->half.z)) {
        return false;
    }
    if (vector_is_zero(box->forward) && vector_is_zero(box->up)) {
        box->forward.x = 1.0f;
        box->up.z = 1.0f;
        return true;
    }
    if (!direction_check(&box->forward) || !direction_check(&box->up)) {
        return false;
    }
    kn_vec3 side = vector_cross(box->up, box->forward);
    if (!vector_normalise(&side)) {
        return false;
    }
    box->up = vector_cross(box->forward, side);
    return true;
}

static bool cone_check(kn_cone *cone)
{
    return vector_is_finite(cone->origin) && size_is_good(cone->length) &&
           cone->cos_half_angle >= -1.0f && cone->cos_half_angle <= 1.0f &&
           direction_check(&cone->direction);
}

static bool ray_check(kn_ray *ray)
{
    return vector_is_finite(ray->origin) && size_is_good(ray->length) &&
           size_is_good(ray->radius) && direction_check(&ray->direction);
}

// Checks the arguments that all queries share.
static bool question_is_good(
    const kn_world *world, const void *shape, const void *out, uint32_t capacity)
{
    bool good = world != NULL && shape != NULL && (out != NULL || capacity == 0);
    KN_ASSERT(good);
    return good;
}

// Order ---------------------------------------------------------------------

static uint32_t entities_in_order(kn_entity_id *out, uint32_t count, uint32_t capacity)
{
    uint32_t written = count < capacity ? count : capacity;
    for (uint32_t i = 1; i < written; i++) {
        if (out[i].index1 < out[i - 1].index1) {
            kni_sort_by_key(out, sizeof(*out), written);
            break;
        }
    }
    return count;
}

static bool hit_is_before(const kn_space_hit *a, const kn_space_hit *b)
{
    return a->distance < b->distance ||
           (a->distance == b->distance && a->entity.index1 < b->entity.index1);
}

static bool hits_are_sorted(const kn_space_hit *hits, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (hit_is_before(&hits[i], &hits[i - 1])) {
            return false;
        }
    }
    return true;
}

static void hits_sift_down(kn_space_hit *data, uint32_t count, kn_space_hit hit)
{
    uint32_t at = 0;
    for (;;) {
        uint32_t child = at * 2 + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && hit_is_before(&data[child], &data[child + 1])) {
            child++;
        }
        if (!hit_is_before(&hit, &data[child])) {
            break;
        }
        data[at] = data[child];
        at = child;
    }
    data[at] = hit;
}

void kn_space_hits_push(kn_space_hits *hits, const kn_space_hit *hit)
{
    if (hits == NULL || hit == NULL) {
        KN_ASSERT(hits != NULL && hit != NULL);
        return;
    }
    hits->count++;
    if (hits->kept == hits->capacity) {
        if (hits->kept > 0 && hit_is_before(hit, &hits->data[0])) {
            hits_sift_down(hits->data, hits->kept, *hit);
        }
        return;
    }
    uint32_t at = hits->kept++;
    while (at > 0 && hit_is_before(&hits->data[(at - 1) / 2], hit)) {
        hits->data[at] = hits->data[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    hits->data[at] = *hit;
}

void kn_space_hits_sort(kn_space_hits *hits)
{
    if (hits == NULL) {
        KN_ASSERT(hits != NULL);
        return;
    }
    for (uint32_t end = hits->kept; end > 1; end--) {
        kn_space_hit last = hits->data[end - 1];
        hits->data[end - 1] = hits->data[0];
        hits_sift_down(hits->data, end - 1, last);
    }
}

static uint32_t hits_in_order(kn_space_hit *out, uint32_t count, uint32_t capacity)
{
    uint32_t written = count < capacity ? count : capacity;
    if (!hits_are_sorted(out, written)) {
        kn_space_hits hits = {.data = out, .capacity = written};
        for (uint32_t i = 0; i < written; i++) {
            kn_space_hit hit = out[i];
            kn_space_hits_push(&hits, &hit);
        }
        kn_space_hits_sort(&hits);
    }
    return count;
}

// Queries -------------------------------------------------------------------

uint32_t kn_space_sphere(const kn_space *space, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    if (!question_is_good(world, sphere, out, capacity) || space == NULL || space->sphere == NULL ||
        !sphere_check(sphere)) {
        return 0;
    }
    uint32_t count = space->sphere(space->user, world, sphere, filter, out, capacity);
    return entities_in_order(out, count, capacity);
}

uint32_t kn_space_box(const kn_space *space, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    if (!question_is_good(world, box, out, capacity) || space == NULL || space->box == NULL) {
        return 0;
    }
    kn_box checked = *box;
    if (!box_check(&checked)) {
        return 0;
    }
    uint32_t count = space->box(space->user, world, &checked, filter, out, capacity);
    return entities_in_order(out, count, capacity);
}

uint32_t kn_space_cone(const kn_space *space, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    if (!question_is_good(world, cone, out, capacity) || space == NULL || space->cone == NULL) {
        return 0;
    }
    kn_cone checked = *cone;
    if (!cone_check(&checked)) {
        return 0;
    }
    uint32_t count = space->cone(space->user, world, &checked, filter, out, capacity);
    return entities_in_order(out, count, capacity);
}

uint32_t kn_space_ray(const kn_space *space, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    if (!question_is_good(world, ray, out, capacity) || space == NULL || space->ray == NULL) {
        return 0;
    }
    kn_ray checked = *ray;
    if (!ray_check(&checked)) {
        return 0;
    }
    uint32_t count = space->ray(space->user, world, &checked, filter, out, capacity);
    return hits_in_order(out, count, capacity);
}

uint32_t kn_space_nearest(const kn_space *space, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    if (!question_is_good(world, sphere, out, capacity) || space == NULL ||
        space->nearest == NULL || !sphere_check(sphere) || capacity == 0) {
        return 0;
    }
    uint32_t count = space->nearest(space->user, world, sphere, filter, out, capacity);
    return hits_in_order(out, count < capacity ? count : capacity, capacity);
}
