// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The built-in grid against references that look at every body, and against itself without memory
// for an index.

#include "knack/knack.h"

#include "extra/grid.h"
#include "test_memory.h"

#include <float.h>
#include <math.h>

#define BODIES_MAX 3000

typedef struct fixture {
    test_memory world_memory, memory;
    kn_library *library;
    kn_world *world;
    kn_component_type_id type;
    kn_timer_type_id asker;
    kn_grid *grid;
    const kn_space *space;
    kn_tag red;
    kn_entity_id entities[BODIES_MAX];
    uint32_t count;
    uint64_t random;
    uint32_t timer_found;
} fixture;

// A rule that asks in the middle of a step.
static kn_time asker_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    fixture *f = user;
    (void)entity;
    (void)data;
    kn_sphere all = {{0.0f, 0.0f, 0.0f}, 1000.0f};
    f->timer_found = kn_space_sphere(f->space, world, &all, NULL, NULL, 0);
    assert_int_equal(kn_grid_move(f->grid, f->entities[0], (kn_vec3){5000.0f, 0.0f, 0.0f}), KN_OK);
    return 0;
}

static kn_library *library_new(fixture *f)
{
    kn_library *library;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Team.Red";
    assert_int_equal(kn_tag_register(library, &tag_def, &f->red, NULL), KN_OK);
    assert_int_equal(kn_grid_register(library, &f->type, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(library, "Asker", asker_fire, f, &f->asker, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

static kn_world *world_new(fixture *f, test_memory *memory)
{
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = memory != NULL ? test_memory_realloc : NULL;
    def.hooks.realloc_user = memory;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static kn_grid_def grid_def(fixture *f)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = f->world;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    return def;
}

static void grid_open(fixture *f, const kn_grid_def *def)
{
    kn_grid_destroy(f->grid);
    assert_int_equal(kn_grid_create(def, &f->grid), KN_OK);
    f->space = kn_grid_space(f->grid);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->random = 7;
    f->library = library_new(f);
    f->world = world_new(f, &f->world_memory);
    kn_grid_def def = grid_def(f);
    grid_open(f, &def);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->world_memory.fail_at = 0;
    f->memory.fail_at = 0;
    kn_assert_set_handler(NULL);
    assert_true(kn_world_validate(f->world));
    if (f->grid != NULL) {
        kn_grid_sync(f->grid);
        assert_true(kni_grid_validate(f->grid));
    }
    kn_grid_destroy(f->grid);
    assert_int_equal(f->memory.blocks, 0);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->world_memory.blocks, 0);
    free(f);
    return 0;
}

// Bodies --------------------------------------------------------------------

static float random_between(fixture *f, float low, float high)
{
    return low + (high - low) * ((float)test_below(&f->random, 1u << 24) / (float)(1u << 24));
}

static kn_vec3 random_vec3(fixture *f, float size)
{
    kn_vec3 v = {random_between(f, -size, size), random_between(f, -size, size), 0.0f};
    v.z = random_between(f, -size, size);
    return v;
}

static kn_body random_body(fixture *f, float size)
{
    kn_body body = kn_body_default();
    body.position = random_vec3(f, size);
    body.position.z *= 0.1f;
    uint32_t kind = test_below(&f->random, 8);
    body.radius = kind == 0   ? 0.0f
                  : kind == 1 ? random_between(f, 5.0f, 20.0f)
                              : random_between(f, 0.1f, 2.0f);
    body.layers = 1u << test_below(&f->random, 3);
    return body;
}

static kn_entity_id body_add(fixture *f, const kn_body *body)
{
    kn_entity_id *entity = &f->entities[f->count++];
    assert_int_equal(kn_entity_create(f->world, entity), KN_OK);
    assert_int_equal(kn_grid_set_body(f->grid, *entity, body), KN_OK);
    return *entity;
}

static kn_entity_id ball_add(fixture *f, float x, float y, float z, float radius)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, z};
    body.radius = radius;
    return body_add(f, &body);
}

static void bodies_add(fixture *f, uint32_t count, float size)
{
    for (uint32_t i = 0; i < count; i++) {
        kn_body body = random_body(f, size);
        (void)body_add(f, &body);
    }
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
}

// Questions of any kind -----------------------------------------------------

typedef enum question_kind {
    ASK_SPHERE,
    ASK_BOX,
    ASK_CONE,
    ASK_RAY,
    ASK_NEAREST,
    ASK_COUNT,
} question_kind;

typedef struct question {
    question_kind kind;
    kn_sphere sphere;
    kn_box box;
    kn_cone cone;
    kn_ray ray;
    kn_space_filter filter;
    uint32_t capacity;
} question;

typedef struct answer {
    uint32_t count;
    kn_entity_id entities[BODIES_MAX];
    kn_space_hit hits[BODIES_MAX];
} answer;

static kn_vec3 random_direction(fixture *f)
{
    kn_vec3 v = random_vec3(f, 1.0f);
    if (test_below(&f->random, 4) == 0) { // along an axis
        float sign = test_below(&f->random, 2) == 0 ? 1.0f : -1.0f;
        uint32_t axis = test_below(&f->random, 3);
        v = (kn_vec3){axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
    }
    return v;
}

static question random_question(fixture *f, float size)
{
    question q = {.kind = test_below(&f->random, ASK_COUNT), .filter = kn_space_filter_default()};
    kn_vec3 at = random_vec3(f, size);
    at.z *= 0.1f;
    float reach =
        test_below(&f->random, 10) == 0 ? size * 2.0f : random_between(f, 0.0f, size * 0.2f);
    float radius = test_below(&f->random, 3) == 0 ? 0.0f : random_between(f, 0.0f, 5.0f);
    q.sphere = (kn_sphere){at, reach};
    q.box.center = at;
    q.box.half = (kn_vec3){reach, random_between(f, 0.0f, reach), random_between(f, 0.0f, 9.0f)};
    if (test_below(&f->random, 2) == 0) {
        q.box.forward = random_vec3(f, 1.0f);
        q.box.up = random_vec3(f, 1.0f);
    }
    q.cone = (kn_cone){at, random_direction(f), random_between(f, -1.0f, 1.0f), reach};
    q.ray = (kn_ray){at, random_direction(f), reach * 2.0f, radius};
    q.filter.layers = test_below(&f->random, 2) == 0 ? UINT32_MAX : 3;
    q.capacity = test_below(&f->random, 2) == 0 ? BODIES_MAX : test_below(&f->random, 20);
    return q;
}

static void ask(const fixture *f, const kn_space *space, const question *q, answer *a)
{
    memset(a, 0, sizeof *a);
    if (q->kind == ASK_SPHERE) {
        a->count =
            kn_space_sphere(space, f->world, &q->sphere, &q->filter, a->entities, q->capacity);
    } else if (q->kind == ASK_BOX) {
        a->count = kn_space_box(space, f->world, &q->box, &q->filter, a->entities, q->capacity);
    } else if (q->kind == ASK_CONE) {
        a->count = kn_space_cone(space, f->world, &q->cone, &q->filter, a->entities, q->capacity);
    } else if (q->kind == ASK_RAY) {
        a->count = kn_space_ray(space, f->world, &q->ray, &q->filter, a->hits, q->capacity);
    } else {
        a->count = kn_space_nearest(space, f->world, &q->sphere, &q->filter, a->hits, q->capacity);
    }
}

// References ----------------------------------------------------------------
//
// Written another way than the library, so with other rounding: the distance from a body's center
// to the shape, minus the body's radius. Above 0 the body does not touch.

typedef struct vec {
    double x, y, z;
} vec;

static vec vec_of(kn_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

static double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec vec_add(vec a, vec b, double scale)
{
    return (vec){a.x + b.x * scale, a.y + b.y * scale, a.z + b.z * scale};
}

static double vec_length(vec v)
{
    return sqrt(vec_dot(v, v));
}

static vec vec_unit(vec v)
{
    double length = vec_length(v);
    return (vec){v.x / length, v.y / length, v.z / length};
}

static vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double box_gap(const kn_box *box, vec at)
{
    vec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (box->forward.x != 0.0f || box->forward.y != 0.0f || box->forward.z != 0.0f) {
        axes[0] = vec_unit(vec_of(box->forward));
        axes[1] = vec_unit(vec_cross(vec_of(box->up), axes[0]));
        axes[2] = vec_cross(axes[0], axes[1]);
    }
    vec half = vec_of(box->half), from = vec_add(at, vec_of(box->center), -1.0);
    vec nearest = {0, 0, 0};
    nearest = vec_add(nearest, axes[0], clamp(vec_dot(from, axes[0]), -half.x, half.x));
    nearest = vec_add(nearest, axes[1], clamp(vec_dot(from, axes[1]), -half.y, half.y));
    nearest = vec_add(nearest, axes[2], clamp(vec_dot(from, axes[2]), -half.z, half.z));
    return vec_length(vec_add(from, nearest, -1.0));
}

static double cone_gap(const kn_cone *cone, vec at)
{
    vec from = vec_add(at, vec_of(cone->origin), -1.0);
    double distance = vec_length(from), length = (double)cone->length;
    double angle =
        distance > 0.0
            ? acos(clamp(vec_dot(from, vec_unit(vec_of(cone->direction))) / distance, -1, 1))
            : 0.0;
    double beyond = angle - acos((double)cone->cos_half_angle);
    if (beyond <= 0.0) {
        return distance > length ? distance - length : 0.0;
    }
    double along = clamp(distance * cos(beyond), 0.0, length), beside = distance * sin(beyond);
    return sqrt(
        (distance * cos(beyond) - along) * (distance * cos(beyond) - along) + beside * beside);
}

static double ray_gap(const kn_ray *ray, vec at)
{
    vec from = vec_add(at, vec_of(ray->origin), -1.0), way = vec_unit(vec_of(ray->direction));
    double along = clamp(vec_dot(from, way), 0.0, (double)ray->length);
    return vec_length(vec_add(from, way, -along)) - (double)ray->radius;
}

static double question_gap(const question *q, const kn_body *body)
{
    vec at = vec_of(body->position);
    double gap = 0.0;
    if (q->kind == ASK_BOX) {
        gap = box_gap(&q->box, at);
    } else if (q->kind == ASK_CONE) {
        gap = cone_gap(&q->cone, at);
    } else if (q->kind == ASK_RAY) {
        gap = ray_gap(&q->ray, at);
    } else {
        gap = vec_length(vec_add(at, vec_of(q->sphere.center), -1.0)) - (double)q->sphere.radius;
    }
    return gap - (double)body->radius;
}

#define UNSURE 1e-4 // nearer to touching than this, the reference has no opinion

static bool answer_has(const question *q, const answer *a, kn_entity_id entity)
{
    for (uint32_t i = 0; i < a->count; i++) {
        kn_entity_id found = q->kind >= ASK_RAY ? a->hits[i].entity : a->entities[i];
        if (kn_entity_id_equal(found, entity)) {
            return true;
        }
    }
    return false;
}

// A complete answer holds those that touch and no others.
static void check_members(const fixture *f, const question *q, const answer *a)
{
    for (uint32_t i = 0; i < f->count; i++) {
        kn_body body;
        bool is_there = kn_grid_get_body(f->grid, f->entities[i], &body) &&
                        (body.layers & q->filter.layers) != 0;
        double gap = is_there ? question_gap(q, &body) : 1.0;
        if (fabs(gap) > UNSURE) {
            assert_int_equal(answer_has(q, a, f->entities[i]), gap < 0.0);
        }
    }
}

static void check_order(const question *q, const answer *a)
{
    uint32_t written = a->count < q->capacity ? a->count : q->capacity;
    for (uint32_t i = 1; i < written; i++) {
        if (q->kind < ASK_RAY) {
            assert_true(a->entities[i - 1].index1 < a->entities[i].index1);
        } else {
            const kn_space_hit *one = &a->hits[i - 1], *two = &a->hits[i];
            assert_true(
                one->distance < two->distance ||
                (one->distance == two->distance && one->entity.index1 < two->entity.index1));
        }
    }
}

static void check_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-3 + fabs(expected) * 1e-5);
}

static void check_hit(const fixture *f, const question *q, const kn_space_hit *hit)
{
    kn_body body;
    assert_true(kn_grid_get_body(f->grid, hit->entity, &body));
    vec center = vec_of(body.position), point = vec_of(hit->point), normal = vec_of(hit->normal);
    if (q->kind == ASK_NEAREST) {
        check_near(
            (double)hit->distance, vec_length(vec_add(center, vec_of(q->sphere.center), -1.0)));
        assert_memory_equal(&hit->point, &body.position, sizeof hit->point);
        return;
    }
    check_near(vec_length(normal), 1.0);
    if (hit->distance == 0.0f) {
        assert_memory_equal(&hit->point, &q->ray.origin, sizeof hit->point);
        return;
    }
    vec ball =
        vec_add(vec_of(q->ray.origin), vec_unit(vec_of(q->ray.direction)), (double)hit->distance);
    check_near(
        vec_length(vec_add(ball, center, -1.0)), (double)q->ray.radius + (double)body.radius);
    check_near(vec_length(vec_add(point, center, -1.0)), (double)body.radius);
    check_near(vec_length(vec_add(point, ball, -1.0)), (double)q->ray.radius);
}

// Everything that can be said about one answer.
static void check_question(const fixture *f, const question *asked)
{
    static answer complete, cut;
    question q = *asked;
    ask(f, f->space, &q, &cut);
    q.capacity = BODIES_MAX;
    ask(f, f->space, &q, &complete);
    check_members(f, &q, &complete);
    check_order(&q, &complete);
    if (q.kind >= ASK_RAY) {
        for (uint32_t i = 0; i < complete.count; i++) {
            check_hit(f, &q, &complete.hits[i]);
        }
    }
    // A smaller array holds the beginning.
    uint32_t written = complete.count < asked->capacity ? complete.count : asked->capacity;
    assert_int_equal(cut.count, q.kind == ASK_NEAREST ? written : complete.count);
    assert_memory_equal(cut.entities, complete.entities, written * sizeof *cut.entities);
    assert_memory_equal(cut.hits, complete.hits, written * sizeof *cut.hits);
}

// The answers of two spaces over one world, to the bit.
static void check_same(
    const fixture *f, const kn_space *one, const kn_space *two, const question *q)
{
    static answer first, second;
    ask(f, one, q, &first);
    ask(f, two, q, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

// Random bodies -------------------------------------------------------------

static void every_question_agrees_with_a_look_at_everybody(void **state)
{
    fixture *f = *state;
    static const float cells[3] = {1.5f, 8.0f, 60.0f};
    bodies_add(f, 2000, 200.0f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_grid_def def = grid_def(f);
        def.cell_size = cells[i];
        def.up = (kn_grid_up)i;
        grid_open(f, &def);
        for (uint32_t j = 0; j < 150; j++) {
            question q = random_question(f, 200.0f);
            check_question(f, &q);
        }
    }
}

static void every_grid_gives_the_same_bits(void **state)
{
    fixture *f = *state;
    bodies_add(f, 2000, 300.0f);
    kn_grid_def def = grid_def(f);
    kn_grid *others[3];
    for (uint32_t i = 0; i < 3; i++) {
        def.cell_size = i == 0 ? 0.3f : 40.0f;
        def.up = (kn_grid_up)i;
        def.body_capacity = i * 1000;
        assert_int_equal(kn_grid_create(&def, &others[i]), KN_OK);
    }
    for (uint32_t j = 0; j < 400; j++) {
        question q = random_question(f, 300.0f);
        for (uint32_t i = 0; i < 3; i++) {
            check_same(f, f->space, kn_grid_space(others[i]), &q);
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        kn_grid_destroy(others[i]);
    }
}

static void grid_without_memory_gives_the_same_answers(void **state)
{
    fixture *f = *state;
    test_memory poor = {0};
    kn_grid_def def = grid_def(f);
    def.hooks.realloc_user = &poor;
    kn_grid *plain;
    assert_int_equal(kn_grid_create(&def, &plain), KN_OK);
    poor.fail_at = 1;
    bodies_add(f, 1500, 200.0f);
    for (uint32_t i = 0; i < 400; i++) {
        question q = random_question(f, 200.0f);
        check_same(f, f->space, kn_grid_space(plain), &q);
    }
    poor.fail_at = 0;
    kn_grid_sync(plain);
    assert_true(kni_grid_validate(plain));
    kn_grid_destroy(plain);
    assert_int_equal(poor.blocks, 0);
}

static void answers_follow_moving_bodies(void **state)
{
    fixture *f = *state;
    bodies_add(f, 800, 100.0f);
    for (uint32_t round = 0; round < 40; round++) {
        for (uint32_t i = 0; i < 400; i++) {
            kn_entity_id entity = f->entities[test_below(&f->random, f->count)];
            uint32_t what = test_below(&f->random, 20);
            if (what == 0) {
                (void)kn_grid_remove(f->grid, entity);
            } else if (what == 1 || !kn_grid_get_body(f->grid, entity, &(kn_body){0})) {
                kn_body body = random_body(f, 100.0f);
                assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_OK);
            } else {
                assert_int_equal(kn_grid_move(f->grid, entity, random_vec3(f, 100.0f)), KN_OK);
            }
        }
        assert_true(kni_grid_validate(f->grid));
        for (uint32_t i = 0; i < 5; i++) {
            question q = random_question(f, 100.0f);
            check_question(f, &q);
        }
    }
}

// Edges ---------------------------------------------------------------------

static uint32_t sphere_count(const fixture *f, float x, float y, float z, float radius)
{
    kn_sphere sphere = {{x, y, z}, radius};
    return kn_space_sphere(f->space, f->world, &sphere, NULL, NULL, 0);
}

static void touching_counts(void **state)
{
    fixture *f = *state;
    (void)ball_add(f, 3.0f, 4.0f, 0.0f, 1.0f);
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 4.0f), 1);
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, nextafterf(4.0f, 0.0f)), 0);
    kn_box box = {.center = {0}, .half = {2.0f, 10.0f, 0.0f}};
    assert_int_equal(kn_space_box(f->space, f->world, &box, NULL, NULL, 0), 1);
    box.half.x = nextafterf(2.0f, 0.0f);
    assert_int_equal(kn_space_box(f->space, f->world, &box, NULL, NULL, 0), 0);
    kn_cone cone = {
        {0.0f, 0.0f, 0.0f}, {3.0f, 4.0f, 0.0f}, 1.0f, 4.0f}; // a line that ends at its surface
    assert_int_equal(kn_space_cone(f->space, f->world, &cone, NULL, NULL, 0), 1);
    cone.length = 3.9999f;
    assert_int_equal(kn_space_cone(f->space, f->world, &cone, NULL, NULL, 0), 0);
    kn_ray ray = {{0.0f, 5.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, 3.0f, 0.0f}; // grazes it from above
    assert_int_equal(kn_space_ray(f->space, f->world, &ray, NULL, NULL, 0), 1);
    ray.length = nextafterf(3.0f, 0.0f);
    assert_int_equal(kn_space_ray(f->space, f->world, &ray, NULL, NULL, 0), 0);
}

static void points_meet_points(void **state)
{
    fixture *f = *state;
    kn_entity_id point = ball_add(f, -8.0f, 16.0f, -0.0f, 0.0f); // at the corner of a cell
    assert_int_equal(sphere_count(f, -8.0f, 16.0f, 0.0f, 0.0f), 1);
    assert_int_equal(sphere_count(f, nextafterf(-8.0f, 0.0f), 16.0f, 0.0f, 0.0f), 0);
    kn_box box = {.center = {-8.0f, 16.0f, 0.0f}};
    assert_int_equal(kn_space_box(f->space, f->world, &box, NULL, NULL, 0), 1);
    kn_cone cone = {{-8.0f, 16.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, 1.0f, 0.0f};
    assert_int_equal(kn_space_cone(f->space, f->world, &cone, NULL, NULL, 0), 1);
    kn_ray ray = {{-8.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 16.0f, 0.0f};
    kn_space_hit hit;
    assert_int_equal(kn_space_ray(f->space, f->world, &ray, NULL, &hit, 1), 1);
    assert_true(kn_entity_id_equal(hit.entity, point));
    assert_true(hit.distance == 16.0f && hit.normal.y == -1.0f && hit.point.y == 16.0f);
}

static void ray_from_inside_hits_at_once(void **state)
{
    fixture *f = *state;
    kn_entity_id near = ball_add(f, 0.0f, 0.0f, 0.0f, 2.0f);
    kn_entity_id far = ball_add(f, 10.0f, 0.0f, 0.0f, 2.0f);
    kn_ray ray = {{1.0f, 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f}, 100.0f, 0.5f};
    kn_space_hit hits[2];
    assert_int_equal(kn_space_ray(f->space, f->world, &ray, NULL, hits, 2), 2);
    assert_true(kn_entity_id_equal(hits[0].entity, near));
    assert_true(hits[0].distance == 0.0f && hits[0].point.x == 1.0f && hits[0].normal.x == -1.0f);
    assert_true(kn_entity_id_equal(hits[1].entity, far));
    assert_true(hits[1].distance == 6.5f && hits[1].point.x == 8.0f && hits[1].normal.x == -1.0f);
    ray.direction.x = -1.0f; // away from the far one
    assert_int_equal(kn_space_ray(f->space, f->world, &ray, NULL, hits, 2), 1);
}

static void equal_distances_go_by_slot(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 20; i++) {
        float side = i % 2 == 0 ? 5.0f : -5.0f;
        (void)ball_add(f, i % 4 < 2 ? side : 0.0f, i % 4 < 2 ? 0.0f : side, 0.0f, 1.0f);
    }
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, 50.0f};
    kn_space_hit hits[20];
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, NULL, hits, 20), 20);
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(hits[i].distance == 5.0f);
        assert_true(kn_entity_id_equal(hits[i].entity, f->entities[i]));
    }
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, NULL, hits, 3), 3);
    assert_true(kn_entity_id_equal(hits[2].entity, f->entities[2]));
}

static void nearest_reaches_far_for_few(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 30; i++) {
        (void)ball_add(f, 1000.0f + (float)i * 100.0f, 0.0f, 0.0f, 0.5f);
    }
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, FLT_MAX};
    kn_space_hit hits[4];
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, NULL, hits, 4), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kn_entity_id_equal(hits[i].entity, f->entities[i]));
    }
    sphere.radius = 1099.5f; // touches the second from outside
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, NULL, hits, 4), 2);
}

static void huge_coordinates_are_places_like_others(void **state)
{
    fixture *f = *state;
    static const float far[] = {1e30f, -1e30f, FLT_MAX, -FLT_MAX, 1e19f, 3e9f, -3e9f};
    for (uint32_t i = 0; i < 7; i++) {
        (void)ball_add(f, far[i], -far[i], far[(i + 1) % 7], i % 2 == 0 ? 1.0f : 0.0f);
    }
    (void)ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f);
    for (uint32_t i = 0; i < 7; i++) {
        kn_entity_id out[8];
        kn_sphere sphere = {{far[i], -far[i], far[(i + 1) % 7]}, 5.0f};
        assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, NULL, out, 8), 1);
        assert_true(kn_entity_id_equal(out[0], f->entities[i]));
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1e25f), 3);
    assert_int_equal(sphere_count(f, 1e30f, 1e30f, 0.0f, 5.0f), 0);
    kn_box all = {.half = {FLT_MAX, FLT_MAX, FLT_MAX}};
    assert_int_equal(kn_space_box(f->space, f->world, &all, NULL, NULL, 0), 8);
    kn_ray ray = {{-1e30f, 1e30f, 0.0f}, {1.0f, -1.0f, 0.0f}, 3e30f, 1e20f};
    kn_space_hit hits[8];
    uint32_t count = kn_space_ray(f->space, f->world, &ray, NULL, hits, 8);
    assert_int_equal(count, 3); // those around the origin
    kn_sphere everywhere = {{0.0f, 0.0f, 0.0f}, FLT_MAX};
    assert_int_equal(kn_space_nearest(f->space, f->world, &everywhere, NULL, hits, 8), 6);
    question q = {.kind = ASK_CONE, .filter = kn_space_filter_default(), .capacity = 8};
    q.cone = (kn_cone){{1e30f, 0.0f, 0.0f}, {-1.0f, 0.1f, 0.0f}, 0.5f, FLT_MAX};
    static answer a;
    ask(f, f->space, &q, &a);
    assert_true(answer_has(&q, &a, f->entities[7]));
}

static void large_bodies_are_found_from_afar(void **state)
{
    fixture *f = *state;
    kn_entity_id giant = ball_add(f, 500.0f, 500.0f, 0.0f, 600.0f);
    kn_entity_id out[1];
    kn_sphere sphere = {{100.0f, 100.0f, 0.0f}, 1.0f};
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, NULL, out, 1), 1);
    assert_true(kn_entity_id_equal(out[0], giant));
    kn_body body = kn_body_default(); // becomes small
    body.position = (kn_vec3){500.0f, 500.0f, 0.0f};
    assert_int_equal(kn_grid_set_body(f->grid, giant, &body), KN_OK);
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, NULL, out, 1), 0);
    assert_int_equal(sphere_count(f, 500.0f, 500.0f, 0.0f, 1.0f), 1);
}

static void bad_numbers_are_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = ball_add(f, 1.0f, 2.0f, 3.0f, 1.0f);
    static const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        kn_vec3 places[3] = {{bad[i], 0, 0}, {0, bad[i], 0}, {0, 0, bad[i]}};
        for (uint32_t j = 0; j < 3; j++) {
            assert_int_equal(kn_grid_move(f->grid, entity, places[j]), KN_REFUSED_BAD_NUMBER);
            assert_int_equal(kn_grid_turn(f->grid, entity, places[j]), KN_REFUSED_BAD_NUMBER);
            kn_body body = kn_body_default();
            body.position = places[j];
            assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_REFUSED_BAD_NUMBER);
        }
        kn_body body = kn_body_default();
        body.radius = bad[i];
        assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_REFUSED_BAD_NUMBER);
        body.radius = -1.0f;
        assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_REFUSED_BAD_NUMBER);
        body = kn_body_default();
        body.facing.y = bad[i];
        assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_REFUSED_BAD_NUMBER);
    }
    assert_int_equal(sphere_count(f, 1.0f, 2.0f, 3.0f, 0.5f), 1);
}

// A component can be filled with anything behind the grid's back.
static void senseless_body_touches_nothing(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f);
    kn_sphere all = {{0.0f, 0.0f, 0.0f}, FLT_MAX};
    kn_body *body = kn_component_get(f->world, f->type, entity);
    body->radius = -5.0f;
    assert_int_equal(kn_space_sphere(f->space, f->world, &all, NULL, NULL, 0), 0);
    body = kn_component_get(f->world, f->type, entity);
    body->radius = 1.0f;
    body->position.x = NAN;
    assert_int_equal(kn_space_sphere(f->space, f->world, &all, NULL, NULL, 0), 0);
    assert_int_equal(kn_grid_move(f->grid, entity, (kn_vec3){1.0f, 0.0f, 0.0f}), KN_OK);
    assert_int_equal(kn_space_sphere(f->space, f->world, &all, NULL, NULL, 0), 1);
}

// Filters -------------------------------------------------------------------

// TGT-027
static void filters_act_before_the_array_is_full(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 10; i++) {
        (void)ball_add(f, (float)i, 0.0f, 0.0f, 0.5f);
    }
    assert_int_equal(
        kn_entity_add_tag(f->world, f->entities[7], f->red, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, 100.0f};
    kn_entity_id out[1];
    kn_space_hit hit;
    kn_space_filter filter = kn_space_filter_default();
    filter.ignore = f->entities[0];
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, &filter, out, 1), 9);
    assert_true(kn_entity_id_equal(out[0], f->entities[1]));
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, &filter, &hit, 1), 1);
    assert_true(kn_entity_id_equal(hit.entity, f->entities[1]));
    kn_tag_requirement tags = {.required = {&f->red, 1}};
    filter = kn_space_filter_default();
    filter.tags = &tags;
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, &filter, out, 1), 1);
    assert_true(kn_entity_id_equal(out[0], f->entities[7]));
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, &filter, &hit, 1), 1);
    assert_true(kn_entity_id_equal(hit.entity, f->entities[7]));
    filter = kn_space_filter_default();
    filter.only = f->entities[3];
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, &filter, out, 1), 1);
    assert_true(kn_entity_id_equal(out[0], f->entities[3]));
}

static void layers_choose(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 8; i++) {
        kn_body body = kn_body_default();
        body.layers = i;
        (void)body_add(f, &body);
    }
    kn_space_filter filter = kn_space_filter_default();
    static const uint32_t expected[5] = {0, 4, 4, 6, 4};
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, 1.0f};
    for (uint32_t layers = 0; layers < 5; layers++) {
        filter.layers = layers;
        assert_int_equal(
            kn_space_sphere(f->space, f->world, &sphere, &filter, NULL, 0), expected[layers]);
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1.0f), 7); // no layers: never found
}

// Accepts who has at least two neighbours, which asks the grid again, filter and all.
static bool accept_crowded(void *user, const kn_world *world, kn_entity_id entity)
{
    const fixture *f = user;
    kn_sphere sphere = {.radius = 12.0f};
    assert_true(kn_space_position(f->space, world, entity, &sphere.center));
    kn_space_filter filter = kn_space_filter_default();
    filter.ignore = entity;
    kn_space_hit hits[2];
    uint32_t near = kn_space_nearest(f->space, world, &sphere, &filter, hits, 2);
    uint32_t count = kn_space_sphere(f->space, world, &sphere, &filter, NULL, 0);
    assert_int_equal(near, count < 2 ? count : 2);
    return count >= 2;
}

static void filter_may_ask_the_same_grid(void **state)
{
    fixture *f = *state;
    bodies_add(f, 500, 100.0f);
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, 80.0f};
    static kn_entity_id plain[500], out[500];
    static kn_space_hit hits[500];
    uint32_t all = kn_space_sphere(f->space, f->world, &sphere, NULL, plain, 500), expected = 0;
    for (uint32_t i = 0; i < all; i++) {
        if (accept_crowded(f, f->world, plain[i])) {
            plain[expected++] = plain[i];
        }
    }
    assert_true(expected > 0 && expected < all);
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = accept_crowded;
    filter.user = f;
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, &filter, out, 500), expected);
    assert_memory_equal(out, plain, expected * sizeof *out);
    assert_int_equal(kn_space_nearest(f->space, f->world, &sphere, &filter, hits, 500), expected);
}

// What no filter may do: it moves bodies, adds some and destroys others.
static bool accept_and_meddle(void *user, const kn_world *world, kn_entity_id entity)
{
    fixture *f = user;
    (void)world;
    if (f->count < 600) {
        (void)ball_add(f, (float)f->count, 0.0f, 0.0f, 1.0f);
        (void)kn_grid_move(f->grid, entity, random_vec3(f, 50.0f));
        (void)kn_grid_remove(f->grid, f->entities[test_below(&f->random, f->count)]);
        (void)kn_entity_destroy(f->world, f->entities[test_below(&f->random, f->count)]);
        (void)sphere_count(f, 0.0f, 0.0f, 0.0f, 30.0f);
    }
    return true;
}

static void filter_that_meddles_harms_only_its_own_answer(void **state)
{
    fixture *f = *state;
    bodies_add(f, 100, 50.0f);
    question q = random_question(f, 50.0f);
    static answer a;
    for (uint32_t kind = 0; kind < ASK_COUNT; kind++) {
        q.kind = (question_kind)kind;
        q.sphere = (kn_sphere){{0.0f, 0.0f, 0.0f}, 60.0f};
        q.filter = kn_space_filter_default();
        q.filter.accept = accept_and_meddle;
        q.filter.user = f;
        ask(f, f->space, &q, &a);
    }
    for (uint32_t i = 0; i < 20; i++) {
        q = random_question(f, 50.0f);
        check_question(f, &q);
    }
}

// The world changes ---------------------------------------------------------

static void dead_entities_are_not_found(void **state)
{
    fixture *f = *state;
    bodies_add(f, 600, 60.0f);
    for (uint32_t i = 0; i < 600; i += 3) {
        assert_true(kn_entity_destroy(f->world, f->entities[i]));
        question q = random_question(f, 60.0f);
        q.filter = kn_space_filter_default();
        check_question(f, &q); // never synced
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, FLT_MAX), 400);
    // Their places go to others, some with bodies.
    for (uint32_t i = 0; i < 600; i += 3) {
        assert_int_equal(kn_entity_create(f->world, &f->entities[i]), KN_OK);
        if (i % 2 == 0) {
            kn_body body = random_body(f, 60.0f);
            assert_int_equal(kn_grid_set_body(f->grid, f->entities[i], &body), KN_OK);
        }
        question q = random_question(f, 60.0f);
        check_question(f, &q);
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, FLT_MAX), 500);
}

static void components_written_by_hand_are_noticed(void **state)
{
    fixture *f = *state;
    kn_entity_id a = ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f);
    kn_entity_id b;
    assert_int_equal(kn_entity_create(f->world, &b), KN_OK);
    kn_body *body = kn_component_add(f->world, f->type, b);
    assert_non_null(body);
    *body = kn_body_default();
    body->position.x = 100.0f;
    assert_int_equal(sphere_count(f, 100.0f, 0.0f, 0.0f, 1.0f), 1);
    body = kn_component_get(f->world, f->type, a);
    body->position.x = 100.0f;
    assert_int_equal(sphere_count(f, 100.0f, 0.0f, 0.0f, 1.0f), 2);
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1.0f), 0);
    assert_true(kn_component_remove(f->world, f->type, b));
    assert_int_equal(sphere_count(f, 100.0f, 0.0f, 0.0f, 1.0f), 1);
    assert_int_equal(kn_grid_move(f->grid, b, (kn_vec3){0}), KN_REFUSED_NOT_FOUND);
}

static void restored_snapshot_is_answered_from(void **state)
{
    fixture *f = *state;
    bodies_add(f, 500, 100.0f);
    size_t size = kn_snapshot_size(f->world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, NULL), KN_OK);
    uint64_t hash = kn_world_hash(f->world);
    static answer before, after;
    question q = random_question(f, 100.0f);
    q.kind = ASK_SPHERE;
    q.sphere = (kn_sphere){{10.0f, 0.0f, 0.0f}, 50.0f};
    ask(f, f->space, &q, &before);
    uint32_t count = f->count;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 500; i++) {
            kn_vec3 to = random_vec3(f, 100.0f);
            if (i % 5 == 0) {
                assert_true(kn_entity_destroy(f->world, f->entities[i]));
            } else {
                assert_int_equal(kn_grid_move(f->grid, f->entities[i], to), KN_OK);
            }
        }
        bodies_add(f, 300, 100.0f);
        assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
        f->count = count;
        if (round == 1) {
            kn_grid_sync(f->grid);
            assert_true(kni_grid_validate(f->grid));
        }
        assert_int_equal(kn_world_hash(f->world), hash);
        ask(f, f->space, &q, &after);
        assert_memory_equal(&after, &before, sizeof after);
        for (uint32_t i = 0; i < 20; i++) {
            question other = random_question(f, 100.0f);
            check_question(f, &other);
        }
    }
    free(snapshot);
}

static void loaded_save_is_answered_from(void **state)
{
    fixture *f = *state;
    bodies_add(f, 400, 100.0f);
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_non_null(save);
    assert_int_equal(kn_save_write(f->world, save, size, &size), KN_OK);
    uint64_t hash = kn_world_hash(f->world);
    question q = random_question(f, 100.0f);
    static answer before, after;
    ask(f, f->space, &q, &before);
    for (uint32_t i = 0; i < 400; i++) {
        if (i % 2 == 0) {
            assert_true(kn_entity_destroy(f->world, f->entities[i]));
        } else {
            kn_vec3 to = random_vec3(f, 100.0f);
            assert_int_equal(kn_grid_move(f->grid, f->entities[i], to), KN_OK);
        }
    }
    assert_int_equal(kn_save_read(f->world, save, size, NULL), KN_OK);
    assert_int_equal(kn_world_hash(f->world), hash);
    ask(f, f->space, &q, &after);
    assert_memory_equal(&after, &before, sizeof after);
    for (uint32_t i = 0; i < 50; i++) {
        question other = random_question(f, 100.0f);
        check_question(f, &other);
    }
    // Another world, another grid.
    kn_world *world = f->world, *copy = world_new(f, NULL);
    kn_grid *grid = f->grid;
    const kn_space *space = f->space;
    assert_int_equal(kn_save_read(copy, save, size, NULL), KN_OK);
    f->world = copy;
    f->grid = NULL;
    kn_grid_def def = grid_def(f);
    grid_open(f, &def);
    ask(f, f->space, &q, &after);
    assert_memory_equal(&after, &before, sizeof after);
    kn_grid_destroy(f->grid);
    kn_world_destroy(copy);
    f->world = world;
    f->grid = grid;
    f->space = space;
    free(save);
}

static void bodies_are_state(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = ball_add(f, 1.0f, 2.0f, 3.0f, 4.0f);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_grid_move(f->grid, entity, (kn_vec3){1.0f, 2.0f, 3.5f}), KN_OK);
    assert_true(kn_world_hash(f->world) != hash);
    assert_int_equal(kn_grid_move(f->grid, entity, (kn_vec3){1.0f, 2.0f, 3.0f}), KN_OK);
    assert_true(kn_world_hash(f->world) == hash);
    assert_int_equal(kn_grid_turn(f->grid, entity, (kn_vec3){0.0f, 1.0f, 0.0f}), KN_OK);
    assert_true(kn_world_hash(f->world) != hash);
    char text[1024];
    (void)kn_entity_dump(f->world, entity, text, sizeof text);
    assert_non_null(strstr(text, KN_GRID_BODY_NAME));
}

static void rules_ask_and_move_in_a_step(void **state)
{
    fixture *f = *state;
    bodies_add(f, 50, 20.0f);
    f->entities[50] = f->entities[0];
    assert_int_equal(
        kn_timer_start(f->world, f->asker, (kn_entity_id){0}, KN_MS(5), NULL, NULL), KN_OK);
    assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);
    assert_int_equal(f->timer_found, 50);
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1000.0f), 49);
    assert_int_equal(sphere_count(f, 5000.0f, 0.0f, 0.0f, 1.0f), 1);
}

static void two_grids_follow_each_other(void **state)
{
    fixture *f = *state;
    bodies_add(f, 100, 50.0f);
    kn_grid_def def = grid_def(f);
    def.cell_size = 3.0f;
    kn_grid *other;
    assert_int_equal(kn_grid_create(&def, &other), KN_OK);
    for (uint32_t i = 0; i < 100; i++) {
        kn_grid *mover = i % 2 == 0 ? f->grid : other;
        kn_vec3 to = random_vec3(f, 50.0f);
        assert_int_equal(kn_grid_move(mover, f->entities[i], to), KN_OK);
        question q = random_question(f, 50.0f);
        check_same(f, f->space, kn_grid_space(other), &q);
        check_question(f, &q);
    }
    assert_true(kn_grid_remove(other, f->entities[5]));
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1000.0f), 99);
    kn_grid_destroy(other);
}

// A pointer that is kept and written after the next query escapes the grid, as space.h says: that
// shows who is looked at.
static void a_changed_body_costs_no_look_at_others(void **state)
{
    fixture *f = *state;
    bodies_add(f, 200, 20.0f);
    kn_entity_id a = ball_add(f, 100.0f, 0.0f, 0.0f, 1.0f);
    kn_entity_id b = ball_add(f, 200.0f, 0.0f, 0.0f, 1.0f);
    assert_int_equal(sphere_count(f, 100.0f, 0.0f, 0.0f, 1.0f), 1);
    kn_body *kept = kn_component_get(f->world, f->type, a);
    assert_int_equal(sphere_count(f, 100.0f, 0.0f, 0.0f, 1.0f), 1);
    kept->position.x = 300.0f;
    ((kn_body *)kn_component_get(f->world, f->type, b))->position.x = 400.0f;
    assert_true(kn_entity_destroy(f->world, f->entities[7]));
    assert_int_equal(sphere_count(f, 400.0f, 0.0f, 0.0f, 1.0f), 1); // b is followed
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 50.0f), 199);
    assert_int_equal(sphere_count(f, 300.0f, 0.0f, 0.0f, 1.0f), 0); // a is not
    // More changes than the list has room for: everybody is looked at.
    for (uint32_t i = 0; i < 3000; i++) {
        (void)kn_component_get(f->world, f->type, b);
    }
    assert_int_equal(sphere_count(f, 300.0f, 0.0f, 0.0f, 1.0f), 1);
}

static void change_something(fixture *f, uint32_t size)
{
    uint32_t index = test_below(&f->random, f->count);
    kn_entity_id *entity = &f->entities[index];
    kn_body *body;
    switch (test_below(&f->random, size)) {
    case 0:
        assert_true(kn_entity_destroy(f->world, *entity));
        assert_int_equal(kn_entity_create(f->world, entity), KN_OK);
        break;
    case 1:
        (void)kn_component_remove(f->world, f->type, *entity);
        break;
    case 2:
    case 3:
        body = kn_component_add(f->world, f->type, *entity);
        assert_non_null(body);
        *body = random_body(f, 60.0f);
        break;
    case 4:
        (void)kn_grid_remove(f->grid, *entity);
        break;
    default:
        body = kn_component_get(f->world, f->type, *entity);
        if (body != NULL) {
            body->position = random_vec3(f, 60.0f);
        }
        break;
    }
}

static void any_mix_of_changes_is_followed(void **state)
{
    fixture *f = *state;
    bodies_add(f, 150, 60.0f);
    kn_grid_def def = grid_def(f);
    def.cell_size = 3.0f;
    kn_grid *other;
    assert_int_equal(kn_grid_create(&def, &other), KN_OK);
    kn_entity_id kept[150];
    memcpy(kept, f->entities, sizeof kept);
    size_t size = kn_snapshot_size(f->world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, NULL), KN_OK);
    for (uint32_t round = 0; round < 400; round++) {
        if (round % 50 == 49) {
            assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
            memcpy(f->entities, kept, sizeof kept);
        }
        uint32_t changes = test_below(&f->random, round % 20 == 0 ? 600 : 30);
        for (uint32_t i = 0; i < changes; i++) {
            change_something(f, 12);
        }
        kn_grid_sync(f->grid);
        assert_true(kni_grid_validate(f->grid));
        if (round % 3 == 0) { // this one is often far behind
            question q = random_question(f, 60.0f);
            check_same(f, f->space, kn_grid_space(other), &q);
            kn_grid_sync(other); // not every question needs the index
            assert_true(kni_grid_validate(other));
        }
    }
    free(snapshot);
    kn_grid_destroy(other);
}

// The list grows with the bodies; without memory for it the grid looks at everybody.
static void a_world_without_memory_for_the_list_is_followed(void **state)
{
    fixture *f = *state;
    bodies_add(f, 64, 20.0f);
    kn_grid_sync(f->grid);
    bodies_add(f, 100, 20.0f);
    f->world_memory.fail_at = f->world_memory.calls + 1;
    for (uint32_t i = 0; i < 300; i++) {
        change_something(f, 1000); // writes only
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, FLT_MAX), 164);
    for (uint32_t i = 0; i < 20; i++) {
        question q = random_question(f, 60.0f);
        check_question(f, &q);
        change_something(f, 1000);
    }
    f->world_memory.fail_at = 0;
}

// Places, refusals ----------------------------------------------------------

// TGT-025
static void position_and_view_are_those_of_the_body(void **state)
{
    fixture *f = *state;
    kn_body body = kn_body_default();
    body.position = (kn_vec3){1.0f, 2.0f, 3.0f};
    body.facing = (kn_vec3){0.0f, 5.0f, 0.0f};
    kn_entity_id entity = body_add(f, &body), other;
    assert_int_equal(kn_entity_create(f->world, &other), KN_OK);
    kn_vec3 position;
    kn_view_point view;
    assert_true(kn_space_position(f->space, f->world, entity, &position));
    assert_memory_equal(&position, &body.position, sizeof position);
    assert_true(kn_space_view(f->space, f->world, entity, &view));
    assert_memory_equal(&view.origin, &body.position, sizeof position);
    assert_true(view.direction.y == 1.0f);
    assert_false(kn_space_position(f->space, f->world, other, &position));
    assert_false(kn_space_view(f->space, f->world, other, &view));
}

static void stale_ids_are_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f), null = {0};
    kn_body body = kn_body_default(), read;
    assert_int_equal(kn_grid_set_body(f->grid, null, &body), KN_REFUSED_STALE_ID);
    assert_true(kn_entity_destroy(f->world, entity));
    kn_entity_id ids[2] = {entity, null};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_grid_set_body(f->grid, ids[i], &body), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_grid_move(f->grid, ids[i], (kn_vec3){0}), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_grid_turn(f->grid, ids[i], (kn_vec3){0}), KN_REFUSED_STALE_ID);
        assert_false(kn_grid_remove(f->grid, ids[i]));
        assert_false(kn_grid_get_body(f->grid, ids[i], &read));
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 10.0f), 0);
    // A component of the world itself is not the body of an entity.
    assert_non_null(kn_component_add(f->world, f->type, null));
    assert_false(kn_grid_get_body(f->grid, null, &read));
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 10.0f), 0);
}

static void removed_body_is_gone(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f);
    assert_true(kn_grid_remove(f->grid, entity));
    assert_false(kn_grid_remove(f->grid, entity));
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 10.0f), 0);
    assert_int_equal(kn_grid_move(f->grid, entity, (kn_vec3){0}), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_grid_turn(f->grid, entity, (kn_vec3){0}), KN_REFUSED_NOT_FOUND);
    assert_true(kn_entity_is_alive(f->world, entity));
}

static void bad_defs_are_refused(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(test_ignore_assert);
    kn_grid *grid = f->grid;
    kn_grid_def def = grid_def(f);
    static const float sizes[4] = {0.0f, -1.0f, NAN, INFINITY};
    for (uint32_t i = 0; i < 4; i++) {
        def.cell_size = sizes[i];
        assert_int_equal(kn_grid_create(&def, &grid), KN_ERROR_INVALID_ARGUMENT);
        assert_null(grid);
    }
    def = grid_def(f);
    def.world = NULL;
    assert_int_equal(kn_grid_create(&def, &grid), KN_ERROR_INVALID_ARGUMENT);
    def = grid_def(f);
    def.cookie = 0;
    assert_int_equal(kn_grid_create(&def, &grid), KN_ERROR_INVALID_ARGUMENT);
    def = grid_def(f);
    def.up = (kn_grid_up)3;
    assert_int_equal(kn_grid_create(&def, &grid), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_grid_create(NULL, &grid), KN_ERROR_INVALID_ARGUMENT);
    def = grid_def(f);
    assert_int_equal(kn_grid_create(&def, NULL), KN_ERROR_INVALID_ARGUMENT);
    // A library that knows no bodies.
    kn_library *library;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    assert_int_equal(kn_world_create(&world_def, &def.world), KN_OK);
    assert_int_equal(kn_grid_create(&def, &grid), KN_ERROR_INVALID_ARGUMENT);
    kn_component_type_id type = {5};
    assert_true(kn_grid_register(library, &type, NULL) != KN_OK); // finished
    assert_int_equal(type.index1, 0);
    kn_world_destroy(def.world);
    kn_library_destroy(library);
}

static void null_arguments_are_survived(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(test_ignore_assert);
    kn_entity_id entity = ball_add(f, 0.0f, 0.0f, 0.0f, 1.0f);
    kn_body body = kn_body_default();
    assert_int_equal(kn_grid_set_body(NULL, entity, &body), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_grid_set_body(f->grid, entity, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_grid_move(NULL, entity, body.position), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_grid_turn(NULL, entity, body.facing), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_grid_get_body(NULL, entity, &body));
    assert_false(kn_grid_get_body(f->grid, entity, NULL));
    assert_false(kn_grid_remove(NULL, entity));
    kn_grid_sync(NULL);
    kn_grid_destroy(NULL);
    assert_null(kn_grid_space(NULL));
    assert_int_equal(kn_grid_register(NULL, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    // A world that is not its own.
    kn_world *other = world_new(f, NULL);
    kn_sphere sphere = {{0.0f, 0.0f, 0.0f}, 100.0f};
    kn_ray ray = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, 100.0f, 1.0f};
    kn_space_hit hit;
    assert_int_equal(kn_space_sphere(f->space, other, &sphere, NULL, NULL, 0), 0);
    assert_int_equal(kn_space_ray(f->space, other, &ray, NULL, &hit, 1), 0);
    assert_int_equal(kn_space_nearest(f->space, other, &sphere, NULL, &hit, 1), 0);
    kn_world_destroy(other);
}

static void registering_twice_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_library *library;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_component_type_id first, second;
    assert_int_equal(kn_grid_register(library, &first, NULL), KN_OK);
    assert_int_equal(kn_grid_register(library, &second, NULL), KN_OK);
    assert_true(kn_component_type_id_equal(first, second));
    assert_int_equal(kn_grid_register(library, NULL, NULL), KN_OK);
    kn_library_destroy(library);
    assert_true(
        kn_component_type_id_equal(kn_component_find(f->library, KN_GRID_BODY_NAME), f->type));
}

// Memory --------------------------------------------------------------------

static void warm_questions_and_moves_allocate_nothing(void **state)
{
    fixture *f = *state;
    bodies_add(f, 1000, 200.0f);
    static answer a;
    question q = random_question(f, 200.0f);
    ask(f, f->space, &q, &a);
    uint64_t calls = f->memory.calls, world_calls = f->world_memory.calls;
    for (uint32_t i = 0; i < 1000; i++) { // each alone in a cell far away, then all together
        kn_vec3 far = {(float)i * 100.0f, (float)i * -50.0f, 0.0f};
        assert_int_equal(kn_grid_move(f->grid, f->entities[i], far), KN_OK);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(kn_grid_move(f->grid, f->entities[i], (kn_vec3){0}), KN_OK);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(kn_grid_move(f->grid, f->entities[i], random_vec3(f, 200.0f)), KN_OK);
        q = random_question(f, 200.0f);
        ask(f, f->space, &q, &a);
    }
    assert_int_equal(f->memory.calls, calls);
    assert_int_equal(f->world_memory.calls, world_calls);
}

static void warm_rollback_allocates_nothing(void **state)
{
    fixture *f = *state;
    bodies_add(f, 300, 100.0f);
    size_t size = kn_snapshot_size(f->world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, NULL), KN_OK);
    uint64_t calls = f->memory.calls;
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(kn_grid_move(f->grid, f->entities[i], random_vec3(f, 100.0f)), KN_OK);
    }
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, size), KN_OK);
    question q = random_question(f, 100.0f);
    check_question(f, &q);
    assert_int_equal(f->memory.calls, calls);
    free(snapshot);
}

static void capacity_is_reserved_at_once(void **state)
{
    fixture *f = *state;
    kn_grid_def def = grid_def(f);
    def.body_capacity = 500;
    grid_open(f, &def);
    uint64_t calls = f->memory.calls;
    bodies_add(f, 500, 100.0f);
    question q = random_question(f, 100.0f);
    check_question(f, &q);
    assert_int_equal(f->memory.calls, calls);
}

static void creating_survives_no_memory(void **state)
{
    fixture *f = *state;
    bodies_add(f, 100, 50.0f);
    kn_grid_def def = grid_def(f);
    test_memory memory = {0};
    def.hooks.realloc_user = &memory;
    def.body_capacity = 10;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    for (uint64_t fail_at = 1; result != KN_OK; fail_at++) {
        memory = (test_memory){.fail_at = fail_at};
        kn_grid *grid;
        result = kn_grid_create(&def, &grid);
        if (result == KN_OK) {
            kn_grid_destroy(grid);
        } else {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(grid);
        }
        assert_int_equal(memory.blocks, 0);
    }
}

// The index may fail to grow at any point: the answers stay right.
static void growing_survives_no_memory(void **state)
{
    fixture *f = *state;
    bool failed = true;
    for (uint64_t fail_at = 1; failed; fail_at++) {
        kn_grid_def def = grid_def(f);
        grid_open(f, &def);
        f->memory.calls = 0;
        f->memory.fail_at = fail_at;
        uint32_t before = f->count;
        bodies_add(f, 30, 30.0f);
        for (uint32_t i = 0; i < 5; i++) {
            question q = random_question(f, 30.0f);
            check_question(f, &q);
        }
        failed = f->memory.calls >= fail_at;
        f->memory.fail_at = 0;
        question q = random_question(f, 30.0f);
        check_question(f, &q);
        kn_grid_sync(f->grid);
        assert_true(kni_grid_validate(f->grid));
        for (uint32_t i = before; i < f->count; i++) {
            assert_true(kn_entity_destroy(f->world, f->entities[i]));
        }
        f->count = before;
    }
}

static void world_without_memory_takes_no_body(void **state)
{
    fixture *f = *state;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    kn_body body = kn_body_default();
    for (uint64_t extra = 1; result != KN_OK; extra++) {
        f->world_memory.fail_at = f->world_memory.calls + extra;
        uint64_t hash = kn_world_hash(f->world);
        result = kn_grid_set_body(f->grid, entity, &body);
        f->world_memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_true(kn_world_hash(f->world) == hash);
            assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1.0f), 0);
        }
    }
    assert_int_equal(sphere_count(f, 0.0f, 0.0f, 0.0f, 1.0f), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(every_question_agrees_with_a_look_at_everybody),
    TEST(every_grid_gives_the_same_bits),
    TEST(grid_without_memory_gives_the_same_answers),
    TEST(answers_follow_moving_bodies),
    TEST(touching_counts),
    TEST(points_meet_points),
    TEST(ray_from_inside_hits_at_once),
    TEST(equal_distances_go_by_slot),
    TEST(nearest_reaches_far_for_few),
    TEST(huge_coordinates_are_places_like_others),
    TEST(large_bodies_are_found_from_afar),
    TEST(bad_numbers_are_refused),
    TEST(senseless_body_touches_nothing),
    TEST(filters_act_before_the_array_is_full),
    TEST(layers_choose),
    TEST(filter_may_ask_the_same_grid),
    TEST(filter_that_meddles_harms_only_its_own_answer),
    TEST(dead_entities_are_not_found),
    TEST(components_written_by_hand_are_noticed),
    TEST(restored_snapshot_is_answered_from),
    TEST(loaded_save_is_answered_from),
    TEST(bodies_are_state),
    TEST(rules_ask_and_move_in_a_step),
    TEST(two_grids_follow_each_other),
    TEST(a_changed_body_costs_no_look_at_others),
    TEST(any_mix_of_changes_is_followed),
    TEST(a_world_without_memory_for_the_list_is_followed),
    TEST(position_and_view_are_those_of_the_body),
    TEST(stale_ids_are_refused),
    TEST(removed_body_is_gone),
    TEST(bad_defs_are_refused),
    TEST(null_arguments_are_survived),
    TEST(registering_twice_changes_nothing),
    TEST(warm_questions_and_moves_allocate_nothing),
    TEST(warm_rollback_allocates_nothing),
    TEST(capacity_is_reserved_at_once),
    TEST(creating_survives_no_memory),
    TEST(growing_survives_no_memory),
    TEST(world_without_memory_takes_no_body),
};

TEST_GROUP(test_grid, tests, NULL, NULL);
