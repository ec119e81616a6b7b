// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Spatial queries as callers see them: numbers are checked, directions scaled to length 1, and the
// results of the host's space sorted.

#include "base/shape.h"
#include "base/sort.h"
#include "world/world.h"

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
    if (!kni_vec3_is_finite(found.direction) || !kni_vec3_normalise(&found.direction)) {
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
    return kni_vec3_is_finite(*direction) && kni_vec3_normalise(direction);
}

static bool vector_is_zero(kn_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static bool sphere_check(const kn_sphere *sphere)
{
    return kni_vec3_is_finite(sphere->center) && size_is_good(sphere->radius);
}

static bool box_check(kn_box *box)
{
    if (!kni_vec3_is_finite(box->center) || !size_is_good(box->half.x) ||
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
    kn_vec3 side = kni_vec3_cross(box->up, box->forward);
    if (!kni_vec3_normalise(&side)) {
        return false;
    }
    box->up = kni_vec3_cross(box->forward, side);
    return true;
}

static bool cone_check(kn_cone *cone)
{
    return kni_vec3_is_finite(cone->origin) && size_is_good(cone->length) &&
           cone->cos_half_angle >= -1.0f && cone->cos_half_angle <= 1.0f &&
           direction_check(&cone->direction);
}

static bool ray_check(kn_ray *ray)
{
    return kni_vec3_is_finite(ray->origin) && size_is_good(ray->length) &&
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

static uint32_t hits_in_order(kn_space_hit *out, uint32_t count, uint32_t capacity)
{
    uint32_t written = count < capacity ? count : capacity;
    if (!kni_hits_are_sorted(out, written)) {
        kni_hits hits = {.data = out, .capacity = written};
        for (uint32_t i = 0; i < written; i++) {
            kn_space_hit hit = out[i];
            kni_hits_push(&hits, &hit);
        }
        kni_hits_sort(&hits);
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
