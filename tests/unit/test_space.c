// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The checks in front of a host's space, with a host that notes what arrives.

#include "knack/knack.h"

#include "test_memory.h"

#include <float.h>
#include <math.h>

typedef struct host {
    uint32_t calls;
    kn_sphere sphere;
    kn_box box;
    kn_cone cone;
    kn_ray ray;
    const kn_space_filter *filter;
    // What it answers.
    kn_entity_id entities[4];
    kn_space_hit hits[4];
    uint32_t count;
    bool has_place;
    kn_view_point view;
} host;

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_tag red;
    kn_entity_id entities[4];
    host host;
    kn_space space;
} fixture;

static bool host_position(void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    host *h = user;
    (void)world;
    (void)entity;
    h->calls++;
    *position = (kn_vec3){7.0f, 8.0f, 9.0f};
    return h->has_place;
}

static bool host_view(void *user, const kn_world *world, kn_entity_id entity, kn_view_point *view)
{
    host *h = user;
    (void)world;
    (void)entity;
    h->calls++;
    *view = h->view;
    return h->has_place;
}

static uint32_t host_entities(
    host *h, const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    h->calls++;
    h->filter = filter;
    for (uint32_t i = 0; i < h->count && i < capacity; i++) {
        out[i] = h->entities[i];
    }
    return h->count;
}

static uint32_t host_hits(
    host *h, const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    h->calls++;
    h->filter = filter;
    for (uint32_t i = 0; i < h->count && i < capacity; i++) {
        out[i] = h->hits[i];
    }
    return h->count;
}

static uint32_t host_sphere(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    host *h = user;
    (void)world;
    h->sphere = *sphere;
    return host_entities(h, filter, out, capacity);
}

static uint32_t host_box(void *user, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    host *h = user;
    (void)world;
    h->box = *box;
    return host_entities(h, filter, out, capacity);
}

static uint32_t host_cone(void *user, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    host *h = user;
    (void)world;
    h->cone = *cone;
    return host_entities(h, filter, out, capacity);
}

static uint32_t host_ray(void *user, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    host *h = user;
    (void)world;
    h->ray = *ray;
    return host_hits(h, filter, out, capacity);
}

static uint32_t host_nearest(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity)
{
    host *h = user;
    (void)world;
    h->sphere = *sphere;
    return host_hits(h, filter, out, capacity);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Team.Red";
    assert_int_equal(kn_tag_register(f->library, &tag_def, &f->red, NULL), KN_OK);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_entity_create(f->world, &f->entities[i]), KN_OK);
    }
    f->space = (kn_space){.user = &f->host,
        .position = host_position,
        .view = host_view,
        .sphere = host_sphere,
        .box = host_box,
        .cone = host_cone,
        .ray = host_ray,
        .nearest = host_nearest};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(NULL);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

static const kn_sphere good_sphere = {{1.0f, 2.0f, 3.0f}, 4.0f};
static const kn_box good_box = {.center = {1.0f, 2.0f, 3.0f}, .half = {4.0f, 5.0f, 6.0f}};
static const kn_cone good_cone = {{1.0f, 2.0f, 3.0f}, {0.0f, 2.0f, 0.0f}, 0.5f, 10.0f};
static const kn_ray good_ray = {{1.0f, 2.0f, 3.0f}, {0.0f, 0.0f, -5.0f}, 10.0f, 0.5f};

static void assert_near(float value, float expected)
{
    assert_true(fabsf(value - expected) < 1e-6f);
}

static void assert_vec3(kn_vec3 v, float x, float y, float z)
{
    assert_near(v.x, x);
    assert_near(v.y, y);
    assert_near(v.z, z);
}

// TGT-025
static void host_gets_every_question(void **state)
{
    fixture *f = *state;
    kn_entity_id out[4];
    kn_space_hit hits[4];
    kn_space_filter filter = kn_space_filter_default();
    f->host.count = 2;
    f->host.entities[0] = f->entities[1];
    f->host.entities[1] = f->entities[3];
    f->host.hits[1].distance = 1.0f;
    assert_int_equal(kn_space_sphere(&f->space, f->world, &good_sphere, &filter, out, 4), 2);
    assert_true(kn_entity_id_equal(out[0], f->entities[1]));
    assert_true(kn_entity_id_equal(out[1], f->entities[3]));
    assert_near(f->host.sphere.radius, 4.0f);
    assert_ptr_equal(f->host.filter, &filter);
    assert_int_equal(kn_space_box(&f->space, f->world, &good_box, &filter, out, 4), 2);
    assert_vec3(f->host.box.half, 4.0f, 5.0f, 6.0f);
    assert_int_equal(kn_space_cone(&f->space, f->world, &good_cone, &filter, out, 4), 2);
    assert_vec3(f->host.cone.direction, 0.0f, 1.0f, 0.0f); // of length 1
    assert_int_equal(kn_space_ray(&f->space, f->world, &good_ray, &filter, hits, 4), 2);
    assert_vec3(f->host.ray.direction, 0.0f, 0.0f, -1.0f);
    assert_near(f->host.ray.length, 10.0f);
    assert_int_equal(kn_space_nearest(&f->space, f->world, &good_sphere, &filter, hits, 4), 2);
    assert_int_equal(f->host.calls, 5);
    assert_ptr_equal(f->host.filter, &filter);
}

// TGT-025
static void positions_and_view_points_come_from_the_host(void **state)
{
    fixture *f = *state;
    kn_vec3 position = {1.0f, 1.0f, 1.0f};
    kn_view_point view = {{1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
    f->host.view = (kn_view_point){{1.0f, 2.0f, 3.0f}, {0.0f, 3.0f, 4.0f}};
    assert_false(kn_space_position(&f->space, f->world, f->entities[0], &position));
    assert_vec3(position, 0.0f, 0.0f, 0.0f);
    assert_false(kn_space_view(&f->space, f->world, f->entities[0], &view));
    assert_vec3(view.direction, 0.0f, 0.0f, 0.0f);
    f->host.has_place = true;
    assert_true(kn_space_position(&f->space, f->world, f->entities[0], &position));
    assert_vec3(position, 7.0f, 8.0f, 9.0f);
    assert_true(kn_space_view(&f->space, f->world, f->entities[0], &view));
    assert_vec3(view.origin, 1.0f, 2.0f, 3.0f);
    assert_vec3(view.direction, 0.0f, 0.6f, 0.8f);
    f->host.view.direction = (kn_vec3){0};
    assert_true(kn_space_view(&f->space, f->world, f->entities[0], &view));
    assert_vec3(view.direction, 0.0f, 0.0f, 0.0f);
    f->host.view.direction.x = NAN;
    assert_true(kn_space_view(&f->space, f->world, f->entities[0], &view));
    assert_vec3(view.direction, 0.0f, 0.0f, 0.0f);
}

static void stale_entity_has_no_place(void **state)
{
    fixture *f = *state;
    f->host.has_place = true;
    kn_vec3 position;
    kn_view_point view;
    assert_true(kn_entity_destroy(f->world, f->entities[0]));
    assert_false(kn_space_position(&f->space, f->world, f->entities[0], &position));
    assert_false(kn_space_view(&f->space, f->world, f->entities[0], &view));
    assert_false(kn_space_position(&f->space, f->world, (kn_entity_id){0}, &position));
    assert_int_equal(f->host.calls, 0);
}

static void missing_functions_answer_nobody(void **state)
{
    fixture *f = *state;
    const kn_space empty = {0};
    const kn_space *spaces[2] = {NULL, &empty};
    for (uint32_t i = 0; i < 2; i++) {
        kn_entity_id out[2];
        kn_space_hit hits[2];
        kn_vec3 position;
        kn_view_point view;
        assert_int_equal(kn_space_sphere(spaces[i], f->world, &good_sphere, NULL, out, 2), 0);
        assert_int_equal(kn_space_box(spaces[i], f->world, &good_box, NULL, out, 2), 0);
        assert_int_equal(kn_space_cone(spaces[i], f->world, &good_cone, NULL, out, 2), 0);
        assert_int_equal(kn_space_ray(spaces[i], f->world, &good_ray, NULL, hits, 2), 0);
        assert_int_equal(kn_space_nearest(spaces[i], f->world, &good_sphere, NULL, hits, 2), 0);
        assert_false(kn_space_position(spaces[i], f->world, f->entities[0], &position));
        assert_false(kn_space_view(spaces[i], f->world, f->entities[0], &view));
    }
}

// Every float of a shape in turn becomes a bad one. `first_size` and on must not be negative.
static void check_bad_numbers(fixture *f, uint32_t kind, uint32_t floats, uint32_t first_size)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (uint32_t i = 0; i < floats; i++) {
        for (uint32_t b = 0; b < 4; b++) {
            float numbers[12];
            kn_entity_id out[4];
            kn_space_hit hits[4];
            if (bad[b] == -1.0f && i < first_size) {
                continue;
            }
            uint32_t count = 0;
            kn_sphere sphere = good_sphere;
            kn_box box = good_box;
            kn_cone cone = good_cone;
            kn_ray ray = good_ray;
            box.forward.x = 1.0f;
            box.up.z = 1.0f;
            void *shapes[4] = {&sphere, &box, &cone, &ray};
            memcpy(numbers, shapes[kind], floats * sizeof(float));
            numbers[i] = bad[b];
            memcpy(shapes[kind], numbers, floats * sizeof(float));
            count += kind == 0 ? kn_space_sphere(&f->space, f->world, &sphere, NULL, out, 4) : 0;
            count += kind == 0 ? kn_space_nearest(&f->space, f->world, &sphere, NULL, hits, 4) : 0;
            count += kind == 1 ? kn_space_box(&f->space, f->world, &box, NULL, out, 4) : 0;
            count += kind == 2 ? kn_space_cone(&f->space, f->world, &cone, NULL, out, 4) : 0;
            count += kind == 3 ? kn_space_ray(&f->space, f->world, &ray, NULL, hits, 4) : 0;
            assert_int_equal(count, 0);
        }
    }
    assert_int_equal(f->host.calls, 0);
}

static void bad_numbers_reach_no_host(void **state)
{
    fixture *f = *state;
    f->host.count = 1;
    check_bad_numbers(f, 0, 4, 3);
    check_bad_numbers(f, 1, 12, 12);
    check_bad_numbers(f, 2, 8, 7);
    check_bad_numbers(f, 3, 8, 6);
    kn_entity_id out[4];
    kn_space_hit hits[4];
    kn_box box = good_box;
    box.half.y = -1.0f;
    assert_int_equal(kn_space_box(&f->space, f->world, &box, NULL, out, 4), 0);
    box = good_box;
    box.forward.x = 1.0f; // without up
    assert_int_equal(kn_space_box(&f->space, f->world, &box, NULL, out, 4), 0);
    box.up.x = -2.0f; // parallel
    assert_int_equal(kn_space_box(&f->space, f->world, &box, NULL, out, 4), 0);
    kn_cone cone = good_cone;
    cone.direction = (kn_vec3){0};
    assert_int_equal(kn_space_cone(&f->space, f->world, &cone, NULL, out, 4), 0);
    cone = good_cone;
    cone.cos_half_angle = 1.001f;
    assert_int_equal(kn_space_cone(&f->space, f->world, &cone, NULL, out, 4), 0);
    cone.cos_half_angle = -1.001f;
    assert_int_equal(kn_space_cone(&f->space, f->world, &cone, NULL, out, 4), 0);
    kn_ray ray = good_ray;
    ray.direction = (kn_vec3){0};
    assert_int_equal(kn_space_ray(&f->space, f->world, &ray, NULL, hits, 4), 0);
    assert_int_equal(f->host.calls, 0);
}

static void extreme_directions_get_length_one(void **state)
{
    fixture *f = *state;
    kn_space_hit hits[1];
    kn_ray ray = good_ray;
    ray.direction = (kn_vec3){FLT_MAX, -FLT_MAX, 0.0f};
    (void)kn_space_ray(&f->space, f->world, &ray, NULL, hits, 1);
    assert_vec3(f->host.ray.direction, 0.70710678f, -0.70710678f, 0.0f);
    ray.direction = (kn_vec3){0.0f, 1e-44f, 0.0f};
    (void)kn_space_ray(&f->space, f->world, &ray, NULL, hits, 1);
    assert_vec3(f->host.ray.direction, 0.0f, 1.0f, 0.0f);
}

static void box_arrives_with_square_axes(void **state)
{
    fixture *f = *state;
    kn_entity_id out[1];
    (void)kn_space_box(&f->space, f->world, &good_box, NULL, out, 1);
    assert_vec3(f->host.box.forward, 1.0f, 0.0f, 0.0f);
    assert_vec3(f->host.box.up, 0.0f, 0.0f, 1.0f);
    kn_box box = good_box;
    box.forward = (kn_vec3){0.0f, 3.0f, 0.0f};
    box.up = (kn_vec3){0.0f, 5.0f, 5.0f}; // leans forward
    (void)kn_space_box(&f->space, f->world, &box, NULL, out, 1);
    assert_vec3(f->host.box.forward, 0.0f, 1.0f, 0.0f);
    assert_vec3(f->host.box.up, 0.0f, 0.0f, 1.0f);
}

static void what_a_host_writes_is_put_in_order(void **state)
{
    fixture *f = *state;
    static const uint32_t order[4] = {2, 0, 3, 1};
    static const float distances[4] = {5.0f, 1.0f, 5.0f, 0.0f};
    for (uint32_t i = 0; i < 4; i++) {
        f->host.entities[i] = f->entities[order[i]];
        f->host.hits[i] = (kn_space_hit){.entity = f->entities[order[i]], .distance = distances[i]};
    }
    f->host.count = 4;
    kn_entity_id out[4];
    kn_space_hit hits[4];
    assert_int_equal(kn_space_sphere(&f->space, f->world, &good_sphere, NULL, out, 4), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kn_entity_id_equal(out[i], f->entities[i]));
    }
    static const uint32_t by_distance[4] = {1, 0, 2, 3}; // 2 and 3 are equally far
    assert_int_equal(kn_space_ray(&f->space, f->world, &good_ray, NULL, hits, 4), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kn_entity_id_equal(hits[i].entity, f->entities[by_distance[i]]));
    }
    assert_int_equal(kn_space_nearest(&f->space, f->world, &good_sphere, NULL, hits, 3), 3);
    assert_true(kn_entity_id_equal(hits[0].entity, f->entities[0])); // of the first three
    for (uint32_t i = 0; i < 4; i++) {                               // from far to near
        f->host.hits[i].distance = 4.0f - (float)i;
    }
    assert_int_equal(kn_space_ray(&f->space, f->world, &good_ray, NULL, hits, 4), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(hits[i].distance == 1.0f + (float)i);
        assert_true(kn_entity_id_equal(hits[i].entity, f->entities[order[3 - i]]));
    }
    assert_int_equal(kn_space_cone(&f->space, f->world, &good_cone, NULL, out, 2), 4);
    assert_true(kn_entity_id_equal(out[0], f->entities[0]));
    assert_true(kn_entity_id_equal(out[1], f->entities[2]));
}

static bool accept_odd(void *user, const kn_world *world, kn_entity_id entity)
{
    uint32_t *calls = user;
    (void)world;
    ++*calls;
    return entity.index1 % 2 == 1;
}

// TGT-027, TGT-028, TGT-029
static void filter_needs_all_its_parts_to_agree(void **state)
{
    fixture *f = *state;
    kn_entity_id odd = f->entities[0], even = f->entities[1];
    assert_true(kn_space_filter_passes(NULL, f->world, odd));
    kn_space_filter filter = kn_space_filter_default();
    assert_int_equal(filter.layers, UINT32_MAX);
    assert_true(kn_space_filter_passes(&filter, f->world, odd));
    filter.ignore = odd;
    assert_false(kn_space_filter_passes(&filter, f->world, odd));
    assert_true(kn_space_filter_passes(&filter, f->world, even));
    filter = kn_space_filter_default();
    filter.only = odd;
    assert_true(kn_space_filter_passes(&filter, f->world, odd));
    assert_false(kn_space_filter_passes(&filter, f->world, even));
    filter = kn_space_filter_default();
    kn_tag_requirement tags = {.required = {&f->red, 1}};
    filter.tags = &tags;
    assert_false(kn_space_filter_passes(&filter, f->world, odd));
    assert_int_equal(kn_entity_add_tag(f->world, odd, f->red, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_true(kn_space_filter_passes(&filter, f->world, odd));
    uint32_t calls = 0;
    filter.accept = accept_odd;
    filter.user = &calls;
    assert_true(kn_space_filter_passes(&filter, f->world, odd));
    assert_false(kn_space_filter_passes(&filter, f->world, even)); // no tag: not even asked
    assert_int_equal(calls, 1);
    filter.tags = NULL;
    assert_false(kn_space_filter_passes(&filter, f->world, even));
    assert_int_equal(calls, 2);
}

static void null_arguments_answer_nobody(void **state)
{
    fixture *f = *state;
    f->host.count = 1;
    kn_assert_set_handler(test_ignore_assert);
    kn_entity_id out[1];
    kn_space_hit hits[1];
    assert_int_equal(kn_space_sphere(&f->space, NULL, &good_sphere, NULL, out, 1), 0);
    assert_int_equal(kn_space_sphere(&f->space, f->world, NULL, NULL, out, 1), 0);
    assert_int_equal(kn_space_sphere(&f->space, f->world, &good_sphere, NULL, NULL, 1), 0);
    assert_int_equal(kn_space_box(&f->space, f->world, NULL, NULL, out, 1), 0);
    assert_int_equal(kn_space_cone(&f->space, f->world, NULL, NULL, out, 1), 0);
    assert_int_equal(kn_space_ray(&f->space, f->world, NULL, NULL, hits, 1), 0);
    assert_int_equal(kn_space_nearest(&f->space, f->world, NULL, NULL, hits, 1), 0);
    assert_false(kn_space_position(&f->space, f->world, f->entities[0], NULL));
    assert_false(kn_space_view(&f->space, f->world, f->entities[0], NULL));
    assert_int_equal(f->host.calls, 0);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_space_sphere(&f->space, f->world, &good_sphere, NULL, NULL, 0), 1);
    assert_int_equal(kn_space_ray(&f->space, f->world, &good_ray, NULL, NULL, 0), 1);
    assert_int_equal(kn_space_nearest(&f->space, f->world, &good_sphere, NULL, NULL, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(host_gets_every_question),
    TEST(positions_and_view_points_come_from_the_host),
    TEST(stale_entity_has_no_place),
    TEST(missing_functions_answer_nobody),
    TEST(bad_numbers_reach_no_host),
    TEST(extreme_directions_get_length_one),
    TEST(box_arrives_with_square_axes),
    TEST(what_a_host_writes_is_put_in_order),
    TEST(filter_needs_all_its_parts_to_agree),
    TEST(null_arguments_answer_nobody),
};

TEST_GROUP(test_space, tests, NULL, NULL);
