// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The past of a grid: against a record of every body in every step, and against itself without an
// index.

#include "knack/knack.h"

#include "extra/history.h"
#include "test_memory.h"

#include <float.h>

#define BODIES_MAX 400
#define STEPS_MAX 128
#define TICK KN_MS(10)

// What shots found, as a component of the world: it decides the hash.
typedef struct score {
    uint32_t shots, hits;
} score;

typedef struct shot {
    kn_vec3 center;
    float radius;
} shot;

typedef struct fixture {
    test_memory world_memory, memory;
    kn_library *library;
    kn_world *world;
    kn_component_type_id body, walk, scores;
    kn_command_type_id shoot;
    kn_tag hurt;
    kn_grid *grid;
    kn_history *history;
    const kn_space *space;
    kn_entity_id entities[BODIES_MAX];
    uint32_t count;
    uint64_t random;
    // What the test itself remembers.
    kn_time times[STEPS_MAX];
    bool was_there[STEPS_MAX][BODIES_MAX];
    kn_body bodies[STEPS_MAX][BODIES_MAX];
    uint32_t steps;
} fixture;

// The library ---------------------------------------------------------------

// Bodies walk by rules, so that a recording moves them too.
static void walk_run(void *user, kn_world *world, const kn_system_run *run)
{
    fixture *f = user;
    (void)run;
    kn_entity_id id = {0};
    while ((id = kn_component_next(world, f->walk, id)).index1 != 0) {
        const kn_vec3 *speed = kn_component_read(world, f->walk, id);
        kn_body *body = kn_component_get(world, f->body, id);
        if (body != NULL) {
            body->position.x += speed->x;
            body->position.y += speed->y;
        }
    }
}

static kn_result shot_run(void *user, kn_world *world, const kn_command *command)
{
    fixture *f = user;
    shot s;
    memcpy(&s, command->payload, sizeof(s));
    kn_sphere sphere = {s.center, s.radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.ignore = command->entity;
    uint32_t hits = kn_space_sphere(kn_world_space(world), world, &sphere, &filter, NULL, 0);
    score *own = kn_component_add(world, f->scores, (kn_entity_id){0});
    assert_non_null(own);
    own->shots++;
    own->hits += hits;
    return KN_OK;
}

static void types_register(fixture *f)
{
    kn_component_def def = kn_component_def_default();
    const kn_field speed = KN_FIELD_INIT("speed", KN_FIELD_VEC3, 0, 1);
    def.name = "Walk";
    def.size = sizeof(kn_vec3);
    def.fields = &speed;
    def.field_count = 1;
    assert_int_equal(kn_component_register(f->library, &def, &f->walk, NULL), KN_OK);
    const kn_field fields[] = {
        KN_FIELD(score, shots, KN_FIELD_U32), KN_FIELD(score, hits, KN_FIELD_U32)};
    def.name = "Score";
    def.size = sizeof(score);
    def.fields = fields;
    def.field_count = 2;
    assert_int_equal(kn_component_register(f->library, &def, &f->scores, NULL), KN_OK);
    kn_system_def system = kn_system_def_default();
    system.name = "Walk";
    system.period = TICK;
    system.group = KN_SYSTEM_GROUP_MOVEMENT;
    system.function = walk_run;
    system.user = f;
    kn_system_id walking;
    assert_int_equal(kn_system_register(f->library, &system, &walking, NULL), KN_OK);
    const kn_field payload[] = {
        KN_FIELD(shot, center, KN_FIELD_VEC3), KN_FIELD(shot, radius, KN_FIELD_F32)};
    kn_command_def command = kn_command_def_default();
    command.name = "Shoot";
    command.size = sizeof(shot);
    command.fields = payload;
    command.field_count = 2;
    command.owner_only = false;
    command.function = shot_run;
    command.user = f;
    assert_int_equal(kn_command_register(f->library, &command, &f->shoot, NULL), KN_OK);
}

static kn_hooks hooks_of(test_memory *memory)
{
    return (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = memory};
}

static kn_world *world_new(const fixture *f, test_memory *memory)
{
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks = hooks_of(memory);
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static void space_open(fixture *f, kn_world *world, kn_grid **grid, kn_history **history)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    def.hooks = hooks_of(&f->memory);
    assert_int_equal(kn_grid_create(&def, grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(*grid));
    kn_history_def history_def = kn_history_def_default();
    history_def.grid = *grid;
    history_def.hooks = hooks_of(&f->memory);
    assert_int_equal(kn_history_create(&history_def, history), KN_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->random = 11;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    assert_int_equal(kn_grid_register(f->library, &f->body, NULL), KN_OK);
    assert_int_equal(kn_history_register(f->library, NULL), KN_OK);
    assert_int_equal(kn_history_register(f->library, NULL), KN_OK); // finds them
    types_register(f);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    f->world = world_new(f, &f->world_memory);
    space_open(f, f->world, &f->grid, &f->history);
    f->space = kn_grid_space(f->grid);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->world_memory.fail_at = 0;
    f->memory.fail_at = 0;
    kn_assert_set_handler(NULL);
    kn_history_destroy(f->history);
    kn_grid_destroy(f->grid);
    assert_int_equal(f->memory.blocks, 0);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->world_memory.blocks, 0);
    free(f);
    return 0;
}

// Bodies --------------------------------------------------------------------

static kn_entity_id body_new(fixture *f, float x, float y, float radius)
{
    kn_entity_id id;
    assert_int_equal(kn_entity_create(f->world, &id), KN_OK);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0.0f};
    body.radius = radius;
    assert_int_equal(kn_grid_set_body(f->grid, id, &body), KN_OK);
    f->entities[f->count++] = id;
    return id;
}

static void walk_add(fixture *f, kn_entity_id id, float x)
{
    kn_vec3 *speed = kn_component_add(f->world, f->walk, id);
    assert_non_null(speed);
    *speed = (kn_vec3){x, 0.0f, 0.0f};
}

static void step(fixture *f)
{
    assert_int_equal(kn_world_step(f->world, TICK), KN_OK);
}

static float x_at(const fixture *f, kn_entity_id id, kn_time time)
{
    kn_body body;
    return kn_history_body(f->history, id, time, &body) ? body.position.x : -1.0f;
}

static kn_command shot_at(const fixture *f, const shot *s, kn_time view)
{
    return (kn_command){.type = f->shoot, .payload = s, .size = sizeof(*s), .view = view};
}

static score score_of(const fixture *f, const kn_world *world)
{
    const score *own = kn_component_read(world, f->scores, (kn_entity_id){0});
    return own != NULL ? *own : (score){0};
}

// Shoots at a place as of a time; says how many were hit.
static uint32_t hits_of(fixture *f, float x, kn_time view)
{
    shot s = {{x, 0.0f, 0.0f}, 0.5f};
    kn_command command = shot_at(f, &s, view);
    uint32_t before = score_of(f, f->world).hits;
    assert_int_equal(kn_world_command(f->world, &command, NULL), KN_OK);
    step(f);
    return score_of(f, f->world).hits - before;
}

// Where ---------------------------------------------------------------------

static void a_body_moves_along_a_line_from_step_to_step(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    walk_add(f, id, 8.0f);
    for (uint32_t i = 0; i < 10; i++) {
        step(f);
    }
    assert_true(x_at(f, id, KN_MS(100)) == 80.0f); // the present
    assert_true(x_at(f, id, KN_MS(200)) == 80.0f); // the future is the present
    assert_true(x_at(f, id, KN_MS(9)) == -1.0f);   // it came with the first step
    for (uint32_t i = 1; i < 10; i++) {
        assert_true(x_at(f, id, i * TICK) == 8.0f * (float)i);
        assert_true(x_at(f, id, i * TICK + 2500) == 8.0f * (float)i + 2.0f);
    }
    assert_int_equal(kn_history_begin(f->history), 0);
    assert_int_equal(kn_component_remove(f->world, f->walk, id), true);
    for (uint32_t i = 0; i < 20; i++) {
        step(f); // it rests since 100 ms
    }
    assert_true(x_at(f, id, KN_MS(99)) > 79.0f && x_at(f, id, KN_MS(99)) < 80.0f);
    assert_true(x_at(f, id, KN_MS(150)) == 80.0f);
    walk_add(f, id, 8.0f);
    step(f);
    assert_true(x_at(f, id, KN_MS(300)) == 80.0f); // it does not creep while it rests
    assert_true(x_at(f, id, KN_MS(305)) == 84.0f);
}

static void the_past_reaches_back_as_far_as_it_is_kept(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    walk_add(f, id, 1.0f);
    for (uint32_t i = 0; i < 80; i++) {
        step(f);
    }
    assert_int_equal(kn_history_begin(f->history), KN_MS(300));
    assert_true(x_at(f, id, KN_MS(300)) == 30.0f);
    assert_true(x_at(f, id, KN_MS(299)) == 30.0f); // older is shown as the oldest
    assert_true(x_at(f, id, 0) == 30.0f);
    assert_int_equal(hits_of(f, 30.0f, KN_MS(100)), 1);
    assert_int_equal(hits_of(f, 10.0f, KN_MS(100)), 0);
}

static void entities_are_where_they_were_or_not_there(void **state)
{
    fixture *f = *state;
    kn_entity_id old = body_new(f, 0.0f, 0.0f, 1.0f);
    kn_entity_id other = body_new(f, 100.0f, 0.0f, 1.0f);
    step(f);
    step(f);
    kn_entity_id late = body_new(f, 0.0f, 0.0f, 1.0f); // with the step to 30 ms
    step(f);
    step(f);
    assert_true(kn_grid_remove(f->grid, other)); // with the step to 50 ms
    step(f);
    assert_true(kn_entity_destroy(f->world, old));
    step(f);
    kn_body body;
    assert_false(kn_history_body(f->history, late, KN_MS(25), &body));
    assert_true(kn_history_body(f->history, late, KN_MS(30), &body));
    assert_true(kn_history_body(f->history, other, KN_MS(49), &body));
    assert_true(body.position.x == 100.0f);
    assert_false(kn_history_body(f->history, other, KN_MS(50), &body));
    assert_false(kn_history_body(f->history, old, KN_MS(30), &body)); // nobody can be hit any more
    assert_true(body.radius == 0.0f);
    assert_int_equal(hits_of(f, 0.0f, KN_MS(25)), 0);
    assert_int_equal(hits_of(f, 0.0f, KN_MS(35)), 1);
    assert_int_equal(hits_of(f, 100.0f, KN_MS(45)), 1);
    assert_int_equal(hits_of(f, 100.0f, KN_MS(55)), 0);
    // The slot of the one that is gone serves another; that one has no past.
    kn_entity_id next = body_new(f, 200.0f, 0.0f, 1.0f);
    assert_int_equal(next.index1, old.index1);
    step(f);
    assert_false(kn_history_body(f->history, next, KN_MS(30), &body));
}

static void a_player_is_where_it_is_and_all_others_where_they_were(void **state)
{
    fixture *f = *state;
    kn_entity_id own = body_new(f, 0.0f, 0.0f, 1.0f), other = body_new(f, 0.0f, 0.0f, 1.0f);
    kn_entity_id pawn = body_new(f, 0.0f, 0.0f, 1.0f);
    assert_int_equal(kn_entity_set_connection(f->world, own, 3), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, own, pawn), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        walk_add(f, f->entities[i], 10.0f);
    }
    for (uint32_t i = 0; i < 5; i++) {
        step(f);
    }
    kn_vec3 at;
    assert_true(kn_history_rewind(f->history, KN_MS(20), 3));
    assert_false(kn_history_rewind(f->history, KN_MS(10), 0));
    assert_true(kn_space_position(f->space, f->world, own, &at) && at.x == 50.0f);
    assert_true(kn_space_position(f->space, f->world, pawn, &at) && at.x == 50.0f);
    assert_true(kn_space_position(f->space, f->world, other, &at) && at.x == 20.0f);
    kn_sphere here = {{50.0f, 0.0f, 0.0f}, 1.0f}, there = {{20.0f, 0.0f, 0.0f}, 1.0f};
    assert_int_equal(kn_space_sphere(f->space, f->world, &here, NULL, NULL, 0), 2);
    assert_int_equal(kn_space_sphere(f->space, f->world, &there, NULL, NULL, 0), 1);
    kn_history_resume(f->history);
    assert_true(kn_history_rewind(f->history, KN_MS(20), 0));
    assert_int_equal(kn_space_sphere(f->space, f->world, &there, NULL, NULL, 0), 3);
    kn_history_resume(f->history);
    assert_int_equal(kn_space_sphere(f->space, f->world, &here, NULL, NULL, 0), 3);
}

static void bodies_on_other_layers_stay_where_they_are(void **state)
{
    fixture *f = *state;
    kn_entity_id walker = body_new(f, 0.0f, 0.0f, 1.0f), platform = body_new(f, 0.0f, 0.0f, 1.0f);
    kn_body body = kn_body_default();
    body.layers = 4;
    assert_int_equal(kn_grid_set_body(f->grid, platform, &body), KN_OK);
    walk_add(f, walker, 10.0f);
    walk_add(f, platform, 10.0f);
    kn_history_destroy(f->history);
    kn_history_def def = kn_history_def_default();
    def.grid = f->grid;
    def.layers = ~4u;
    def.hooks = hooks_of(&f->memory);
    assert_int_equal(kn_history_create(&def, &f->history), KN_OK);
    for (uint32_t i = 0; i < 5; i++) {
        step(f);
    }
    kn_vec3 at;
    assert_true(kn_history_rewind(f->history, KN_MS(20), 0));
    assert_true(kn_space_position(f->space, f->world, walker, &at) && at.x == 20.0f);
    assert_true(kn_space_position(f->space, f->world, platform, &at) && at.x == 50.0f);
    kn_sphere here = {{50.0f, 0.0f, 0.0f}, 1.0f};
    kn_entity_id found;
    assert_int_equal(kn_space_sphere(f->space, f->world, &here, NULL, &found, 1), 1);
    assert_true(kn_entity_id_equal(found, platform));
    kn_history_resume(f->history);
}

// Commands ------------------------------------------------------------------

static void a_command_sees_the_past_and_the_next_one_the_present(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    walk_add(f, id, 10.0f);
    for (uint32_t i = 0; i < 20; i++) {
        step(f);
    }
    shot past = {{100.0f, 0.0f, 0.0f}, 0.5f}, present = {{200.0f, 0.0f, 0.0f}, 0.5f};
    kn_command commands[3] = {shot_at(f, &past, KN_MS(100)), shot_at(f, &present, 0),
        shot_at(f, &present, KN_MS(900))}; // a future is the present
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_world_command(f->world, &commands[i], NULL), KN_OK);
    }
    step(f);
    assert_int_equal(score_of(f, f->world).hits, 3);
    commands[0] = shot_at(f, &past, 0);
    commands[1] = shot_at(f, &present, KN_MS(100));
    commands[2] = shot_at(f, &past, KN_MS(111)); // it was 10 % on the way from 110 to 120
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_world_command(f->world, &commands[i], NULL), KN_OK);
    }
    step(f);
    assert_int_equal(score_of(f, f->world).hits, 3);
    assert_int_equal(score_of(f, f->world).shots, 6);
}

static void the_parts_of_a_batch_see_the_past_of_the_batch(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    walk_add(f, id, 10.0f);
    for (uint32_t i = 0; i < 20; i++) {
        step(f);
    }
    shot past = {{100.0f, 0.0f, 0.0f}, 0.5f};
    kn_command parts[2] = {shot_at(f, &past, 0), shot_at(f, &past, 0)};
    kn_command batch = {
        .type = kn_command_type_batch(), .parts = parts, .part_count = 2, .view = KN_MS(100)};
    uint8_t bytes[256];
    uint32_t size = kn_command_write(f->library, &batch, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    kn_command_data *data = calloc(1, sizeof(*data));
    assert_non_null(data);
    assert_int_equal(kn_command_read(f->library, bytes, size, data, NULL), KN_OK);
    assert_int_equal(data->command.view, KN_MS(100));
    assert_int_equal(data->parts[1].view, KN_MS(100));
    assert_int_equal(kn_world_command(f->world, &data->command, NULL), KN_OK);
    kn_command waiting[3];
    assert_int_equal(kn_world_commands(f->world, waiting, 3), 3);
    assert_int_equal(waiting[2].view, KN_MS(100));
    char text[512];
    (void)kn_command_json(f->world, &batch, text, sizeof(text));
    assert_non_null(strstr(text, "\"view\":0.1"));
    step(f);
    assert_int_equal(score_of(f, f->world).hits, 2);
    batch.view = -1;
    kn_error error;
    assert_int_equal(kn_world_command(f->world, &batch, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "view"));
    batch.view = KN_TIME_MAX + 1;
    assert_int_equal(kn_command_check(f->library, &batch, NULL), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_command_write(f->library, &batch, NULL, 0), 0);
    free(data);
}

static void looking_at_the_past_leaves_the_present_untouched(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 50; i++) {
        walk_add(f, body_new(f, (float)i, 0.0f, 1.0f), (float)i);
    }
    for (uint32_t i = 0; i < 20; i++) {
        step(f);
    }
    kn_sphere sphere = {{100.0f, 0.0f, 0.0f}, 50.0f};
    kn_entity_id before[50], after[50];
    uint32_t count = kn_space_sphere(f->space, f->world, &sphere, NULL, before, 50);
    uint64_t hash = kn_world_hash(f->world);
    for (kn_time time = 0; time < KN_MS(200); time += 3000) {
        assert_true(kn_history_rewind(f->history, time, 0));
        (void)kn_space_sphere(f->space, f->world, &sphere, NULL, NULL, 0);
        kn_history_resume(f->history);
    }
    assert_true(hash == kn_world_hash(f->world));
    assert_int_equal(kn_space_sphere(f->space, f->world, &sphere, NULL, after, 50), count);
    assert_memory_equal(before, after, count * sizeof(*before));
}

// A space of the host, which writes down what is asked of it.
typedef struct host_space {
    char calls[64];
    kn_time view;
    uint32_t connection;
} host_space;

static void host_keep(void *user, kn_world *world)
{
    host_space *host = user;
    assert_true(kn_world_is_locked(world));
    strcat(host->calls, "k");
}

static void host_rewind(void *user, const kn_world *world, kn_time view, uint32_t connection)
{
    host_space *host = user;
    (void)world;
    host->view = view;
    host->connection = connection;
    strcat(host->calls, "<");
}

static void host_resume(void *user, const kn_world *world)
{
    host_space *host = user;
    (void)world;
    strcat(host->calls, ">");
}

static uint32_t host_sphere(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity)
{
    host_space *host = user;
    (void)world;
    (void)sphere;
    (void)filter;
    (void)out;
    (void)capacity;
    strcat(host->calls, "s");
    return 0;
}

static void a_space_of_the_host_is_rewound_around_the_command(void **state)
{
    fixture *f = *state;
    host_space host = {0};
    kn_space space = {.user = &host, .sphere = host_sphere, .keep = host_keep};
    kn_world_set_space(f->world, &space);
    shot s = {{0.0f, 0.0f, 0.0f}, 1.0f};
    kn_command commands[2] = {shot_at(f, &s, KN_MS(5)), shot_at(f, &s, 0)};
    commands[0].connection = 1;
    commands[1].connection = 2;
    for (uint32_t i = 0; i < 3; i++) {
        space.rewind = i > 1 ? host_rewind : NULL; // the first two steps it cannot
        space.resume = i > 1 ? host_resume : NULL;
        for (uint32_t j = 0; j < 2; j++) {
            assert_int_equal(kn_world_command(f->world, &commands[j], NULL), KN_OK);
        }
        step(f);
    }
    assert_string_equal(host.calls, "sskssk<s>sk");
    assert_int_equal(host.view, KN_MS(5));
    assert_int_equal(host.connection, 1);
    kn_world_set_space(f->world, f->space);
}

// Everything at once --------------------------------------------------------

static float between(fixture *f, float low, float high)
{
    return low + (high - low) * ((float)test_below(&f->random, 1u << 20) / (float)(1u << 20));
}

static void crowd_new(fixture *f, uint32_t count)
{
    while (f->count < count) {
        body_new(f, between(f, -60.0f, 60.0f), between(f, -60.0f, 60.0f), between(f, 0.0f, 2.0f));
        kn_body body;
        kn_entity_id id = f->entities[f->count - 1];
        assert_true(kn_grid_get_body(f->grid, id, &body));
        body.layers = 1u << test_below(&f->random, 3);
        assert_int_equal(kn_grid_set_body(f->grid, id, &body), KN_OK);
    }
}

// Something happens to one of the crowd.
static void crowd_act(fixture *f, uint32_t index)
{
    kn_entity_id *id = &f->entities[index];
    kn_body body;
    bool has_body = kn_grid_get_body(f->grid, *id, &body);
    uint32_t what = test_below(&f->random, 40);
    if (what == 0 && has_body) {
        assert_true(kn_grid_remove(f->grid, *id));
    } else if (what == 1) {
        assert_true(kn_entity_destroy(f->world, *id));
        assert_int_equal(kn_entity_create(f->world, id), KN_OK);
    } else if (what == 2 || !has_body) { // here, there, larger or on another layer
        body = kn_body_default();
        body.position = (kn_vec3){between(f, -60.0f, 60.0f), between(f, -60.0f, 60.0f), 0.0f};
        body.radius = between(f, 0.0f, 12.0f);
        body.layers = 1u << test_below(&f->random, 3);
        assert_int_equal(kn_grid_set_body(f->grid, *id, &body), KN_OK);
    } else {
        body.position.x += between(f, -1.0f, 1.0f);
        body.position.y += between(f, -1.0f, 1.0f);
        assert_int_equal(kn_grid_move(f->grid, *id, body.position), KN_OK);
    }
}

// Notes where all are, directly after a step kept it.
static void crowd_note(fixture *f)
{
    uint32_t at = f->steps++;
    f->times[at] = kn_world_now(f->world);
    for (uint32_t i = 0; i < f->count; i++) {
        f->was_there[at][i] = kn_grid_get_body(f->grid, f->entities[i], &f->bodies[at][i]);
    }
}

// An entity that took the place of another was not there before.
static void crowd_forget(fixture *f, const kn_entity_id *before)
{
    for (uint32_t i = 0; i < f->count; i++) {
        for (uint32_t at = 0; at < f->steps && !kn_entity_id_equal(before[i], f->entities[i]);
             at++) {
            f->was_there[at][i] = false;
        }
    }
}

static void crowd_step(fixture *f)
{
    kn_entity_id before[BODIES_MAX];
    memcpy(before, f->entities, sizeof(before));
    for (uint32_t i = 0; i < f->count / 4; i++) {
        crowd_act(f, test_below(&f->random, f->count));
    }
    crowd_forget(f, before);
    step(f);
    crowd_note(f);
}

// Sphere by sphere, from what the test noted.
static uint32_t crowd_sphere(
    const fixture *f, uint32_t at, const kn_sphere *sphere, uint32_t layers, kn_entity_id *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const kn_body *body = &f->bodies[at][i];
        double x = (double)body->position.x - (double)sphere->center.x;
        double y = (double)body->position.y - (double)sphere->center.y;
        double reach = (double)body->radius + (double)sphere->radius;
        if (f->was_there[at][i] && (body->layers & layers) != 0 && x * x + y * y <= reach * reach) {
            out[count++] = f->entities[i];
        }
    }
    for (uint32_t i = 1; i < count; i++) { // by slot
        for (uint32_t j = i; j > 0 && out[j - 1].index1 > out[j].index1; j--) {
            kn_entity_id other = out[j];
            out[j] = out[j - 1];
            out[j - 1] = other;
        }
    }
    return count;
}

static void crowd_compare_spheres(fixture *f, uint32_t at)
{
    kn_entity_id expected[BODIES_MAX], found[BODIES_MAX];
    kn_space_filter filter = kn_space_filter_default();
    for (uint32_t i = 0; i < 20; i++) {
        kn_sphere sphere = {{between(f, -60.0f, 60.0f), between(f, -60.0f, 60.0f), 0.0f},
            i == 0 ? FLT_MAX : between(f, 0.0f, 20.0f)};
        filter.layers = i % 2 == 0 ? UINT32_MAX : 1u << i % 3;
        uint32_t count = crowd_sphere(f, at, &sphere, filter.layers, expected);
        assert_int_equal(
            kn_space_sphere(f->space, f->world, &sphere, &filter, found, BODIES_MAX), count);
        assert_memory_equal(found, expected, count * sizeof(*found));
    }
}

// All other queries, with the index and without.
static void crowd_compare_ways(fixture *f)
{
    for (uint32_t i = 0; i < 10; i++) {
        kn_ray ray = {{between(f, -60.0f, 60.0f), between(f, -60.0f, 60.0f), 0.0f},
            {between(f, -1.0f, 1.0f), 1.0f, 0.0f}, between(f, 0.0f, 90.0f), between(f, 0.0f, 1.0f)};
        kn_box box = {.center = ray.origin, .half = {10.0f, 5.0f, 1.0f}};
        kn_cone cone = {ray.origin, ray.direction, 0.5f, 15.0f};
        kn_sphere around = {ray.origin, 30.0f};
        kn_space_hit hits[2][16];
        kn_entity_id ids[2][BODIES_MAX];
        uint32_t counts[2][4];
        bool was_quick = f->history->is_quick;
        for (uint32_t way = 0; way < 2; way++) {
            memset(hits[way], 0, sizeof(hits[way]));
            memset(ids[way], 0, sizeof(ids[way]));
            f->history->is_quick = was_quick && way == 0;
            counts[way][0] = kn_space_ray(f->space, f->world, &ray, NULL, hits[way], 8);
            counts[way][1] = kn_space_nearest(f->space, f->world, &around, NULL, hits[way] + 8, 8);
            counts[way][2] = kn_space_box(f->space, f->world, &box, NULL, ids[way], 200);
            counts[way][3] = kn_space_cone(f->space, f->world, &cone, NULL, ids[way] + 200, 200);
        }
        f->history->is_quick = was_quick;
        assert_memory_equal(counts[0], counts[1], sizeof(counts[0]));
        assert_memory_equal(hits[0], hits[1], sizeof(hits[0]));
        assert_memory_equal(ids[0], ids[1], sizeof(ids[0]));
    }
}

static void crowd_compare(fixture *f)
{
    for (uint32_t back = 1; back <= 50 && back < f->steps; back += 7) {
        uint32_t at = f->steps - 1 - back;
        assert_true(kn_history_rewind(f->history, f->times[at], 0));
        crowd_compare_spheres(f, at);
        crowd_compare_ways(f);
        kn_history_resume(f->history);
    }
}

static void queries_of_the_past_find_who_was_there(void **state)
{
    fixture *f = *state;
    crowd_new(f, 300);
    for (uint32_t i = 0; i < 100; i++) {
        crowd_step(f);
        if (i % 9 == 8) {
            crowd_compare(f);
        }
    }
    assert_true(f->history->is_quick);
    assert_true(kn_world_validate(f->world));
}

static void a_body_that_a_rule_moves_in_the_same_step_is_still_where_it_was(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    for (uint32_t i = 0; i < 5; i++) {
        step(f);
    }
    assert_int_equal(kn_grid_move(f->grid, id, (kn_vec3){5000.0f, 0.0f, 0.0f}), KN_OK);
    assert_true(kn_history_rewind(f->history, KN_MS(20), 0));
    kn_sphere here = {{0.0f, 0.0f, 0.0f}, 1.0f};
    kn_space_hit hit;
    assert_int_equal(kn_space_sphere(f->space, f->world, &here, NULL, NULL, 0), 1);
    assert_int_equal(kn_space_nearest(f->space, f->world, &here, NULL, &hit, 1), 1);
    assert_true(hit.point.x == 0.0f);
    kn_history_resume(f->history);
    assert_int_equal(kn_space_sphere(f->space, f->world, &here, NULL, NULL, 0), 0);
}

static bool accept_asks(void *user, const kn_world *world, kn_entity_id entity)
{
    fixture *f = user;
    kn_vec3 at;
    assert_true(kn_space_position(f->space, world, entity, &at));
    kn_sphere around = {at, 3.0f};
    return kn_space_sphere(f->space, world, &around, NULL, NULL, 0) > 1;
}

static void a_filter_may_query_the_same_past(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 40; i++) { // every second one has a neighbour
        walk_add(f, body_new(f, (float)(i / 3) * 20.0f + (float)(i % 3 == 1), 0.0f, 1.0f), 3.0f);
    }
    for (uint32_t i = 0; i < 10; i++) {
        step(f);
    }
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = accept_asks;
    filter.user = f;
    kn_sphere all = {{0.0f, 0.0f, 0.0f}, 100000.0f};
    kn_entity_id now[64], then[64];
    uint32_t count = kn_space_sphere(f->space, f->world, &all, &filter, now, 64);
    assert_true(count > 10);
    assert_true(kn_history_rewind(f->history, KN_MS(50), 0));
    assert_int_equal(kn_space_sphere(f->space, f->world, &all, &filter, then, 64), count);
    assert_memory_equal(now, then, count * sizeof(*now)); // they walk together
    kn_history_resume(f->history);
}

// Memory --------------------------------------------------------------------

static void a_body_at_rest_needs_one_sample(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        body_new(f, (float)i * 10.0f, 0.0f, 1.0f);
    }
    for (uint32_t i = 0; i < 10; i++) {
        walk_add(f, f->entities[i], 1.0f);
    }
    for (uint32_t i = 0; i < 200; i++) {
        step(f);
    }
    kn_history_stats stats = kn_history_get_stats(f->history);
    assert_int_equal(stats.bodies, 100);
    assert_int_equal(stats.moving, 10);
    assert_int_equal(stats.samples, 90 + 10 * 51); // 500 ms, and what it began with
    uint64_t bytes = stats.bytes;
    for (uint32_t i = 0; i < 200; i++) {
        step(f);
    }
    stats = kn_history_get_stats(f->history);
    assert_int_equal(stats.bytes, bytes); // it does not grow with time
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(kn_component_remove(f->world, f->walk, f->entities[i]));
    }
    for (uint32_t i = 0; i < 60; i++) {
        step(f);
    }
    stats = kn_history_get_stats(f->history);
    assert_int_equal(stats.moving, 0);
    assert_int_equal(stats.samples, 100);
    assert_int_equal(stats.bytes, 100 * (16 + 48));
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(kn_grid_remove(f->grid, f->entities[i]));
    }
    for (uint32_t i = 0; i < 60; i++) {
        step(f);
    }
    stats = kn_history_get_stats(f->history);
    assert_int_equal(stats.bodies, 0);
    assert_int_equal(stats.bytes, 0);
}

static void steps_that_are_too_short_cut_the_past_of_what_moves(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    for (uint32_t i = 1; i <= 1000; i++) {
        assert_int_equal(kn_world_step(f->world, 100), KN_OK);
        assert_int_equal(kn_grid_move(f->grid, id, (kn_vec3){(float)i, 0.0f, 0.0f}), KN_OK);
    }
    kn_history_stats stats = kn_history_get_stats(f->history);
    assert_int_equal(stats.samples, KN_HISTORY_SAMPLES_MAX);
    // The latest is 999, the first one 255 before.
    assert_true(x_at(f, id, 99900) == 998.0f);
    assert_true(x_at(f, id, 90000) == 899.0f);
    assert_true(x_at(f, id, 50000) == 744.0f);
}

static void a_step_without_length_replaces_what_it_kept(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 1.0f, 0.0f, 1.0f);
    step(f);
    for (uint32_t i = 2; i < 9; i++) {
        assert_int_equal(kn_grid_move(f->grid, id, (kn_vec3){(float)i, 0.0f, 0.0f}), KN_OK);
        assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    }
    step(f);
    assert_int_equal(kn_history_get_stats(f->history).samples, 1);
    assert_true(x_at(f, id, KN_MS(10)) == 8.0f);
    assert_int_equal(kn_grid_move(f->grid, id, (kn_vec3){16.0f, 0.0f, 0.0f}), KN_OK);
    step(f);
    assert_int_equal(kn_history_get_stats(f->history).samples, 2);
    assert_true(x_at(f, id, KN_MS(25)) == 12.0f);
    assert_int_equal(hits_of(f, 8.0f, KN_MS(20)), 1);
    assert_int_equal(hits_of(f, 12.0f, KN_MS(25)), 1);
}

static void without_memory_for_the_index_answers_are_the_same(void **state)
{
    fixture *f = *state;
    crowd_new(f, 200);
    for (uint32_t i = 0; i < 40; i++) {
        if (i % 5 == 0) { // sooner or later, then never
            f->memory.fail_at = i < 30 ? f->memory.calls + 1 + i : 0;
        }
        crowd_step(f);
        crowd_compare(f);
    }
    assert_true(f->history->is_quick);
}

static void without_memory_in_the_world_a_step_breaks_it_and_nothing_leaks(void **state)
{
    fixture *f = *state;
    bool was_broken = false;
    for (uint32_t i = 0; i < 60 && !was_broken; i++) {
        for (uint32_t j = 0; j < 5; j++) {
            body_new(f, (float)(i * 5 + j) * 3.0f, 0.0f, 1.0f);
            walk_add(f, f->entities[f->count - 1], 1.0f);
        }
        f->world_memory.fail_at = f->world_memory.calls + 1;
        kn_result result = kn_world_step(f->world, TICK);
        was_broken = result == KN_ERROR_WORLD_BROKEN;
        assert_true(result == KN_OK || was_broken || result == KN_ERROR_OUT_OF_MEMORY);
        f->world_memory.fail_at = 0;
    }
    assert_true(f->count < 300);
}

// State ---------------------------------------------------------------------

static void snapshot_take(fixture *f, uint8_t **bytes, size_t *size)
{
    size_t capacity = kn_snapshot_size(f->world);
    *bytes = malloc(capacity);
    assert_non_null(*bytes);
    assert_int_equal(kn_snapshot_take(f->world, *bytes, capacity, size), KN_OK);
}

// Walkers, and shots at places of the past, as in a match.
static void match_new(fixture *f)
{
    for (uint32_t i = 0; i < 30; i++) {
        body_new(f, (float)i * 5.0f, 0.0f, 1.0f);
        if (i % 3 != 0) {
            walk_add(f, f->entities[i], (float)(i % 7) - 3.0f);
        }
    }
}

static kn_command match_shot(fixture *f, const kn_world *world, shot *s)
{
    *s = (shot){{between(f, 0.0f, 150.0f), 0.0f, 0.0f}, 2.0f};
    kn_time now = kn_world_now(world), back = test_below(&f->random, 300000);
    return shot_at(f, s, now > back ? now - back : 0);
}

static void match_step(fixture *f, kn_world *world)
{
    shot s;
    kn_command command = match_shot(f, world, &s);
    assert_int_equal(kn_world_command(world, &command, NULL), KN_OK);
    assert_int_equal(kn_world_step(world, TICK), KN_OK);
}

static void a_restored_step_ends_the_same(void **state)
{
    fixture *f = *state;
    match_new(f);
    for (uint32_t i = 0; i < 120; i++) {
        uint8_t *bytes;
        size_t size;
        snapshot_take(f, &bytes, &size);
        uint64_t random = f->random;
        match_step(f, f->world);
        match_step(f, f->world);
        uint64_t hash = kn_world_hash(f->world);
        assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
        f->random = random;
        match_step(f, f->world);
        uint64_t middle = f->random;
        match_step(f, f->world);
        assert_true(hash == kn_world_hash(f->world));
        assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
        f->random = random;
        match_step(f, f->world);
        assert_true(middle == f->random);
        free(bytes);
    }
    assert_true(score_of(f, f->world).hits > 20);
}

static void a_saved_match_goes_on_the_same(void **state)
{
    fixture *f = *state;
    match_new(f);
    for (uint32_t i = 0; i < 60; i++) {
        match_step(f, f->world);
    }
    size_t size = 0;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    kn_world *other = world_new(f, &f->world_memory);
    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_OK);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    kn_grid *grid;
    kn_history *history;
    space_open(f, other, &grid, &history);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world)); // the past is there already
    for (uint32_t i = 0; i < 60; i++) {
        uint64_t random = f->random;
        match_step(f, f->world);
        f->random = random;
        match_step(f, other);
        assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    }
    assert_int_equal(score_of(f, other).hits, score_of(f, f->world).hits);
    kn_history_destroy(history);
    kn_grid_destroy(grid);
    kn_world_destroy(other);
    free(bytes);
}

static void a_recording_that_begins_in_the_middle_replays_the_same(void **state)
{
    fixture *f = *state;
    match_new(f);
    for (uint32_t i = 0; i < 60; i++) {
        match_step(f, f->world);
    }
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(f->world, &recording), KN_OK);
    uint32_t before = score_of(f, f->world).hits;
    for (uint32_t i = 0; i < 100; i++) {
        shot s;
        kn_command command = match_shot(f, f->world, &s);
        assert_int_equal(kn_recording_command(recording, &command, NULL), KN_OK);
        assert_int_equal(kn_recording_step(recording, TICK), KN_OK);
    }
    assert_true(score_of(f, f->world).hits > before + 10);
    size_t size;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world *other = world_new(f, &f->world_memory);
    kn_grid *grid;
    kn_history *history;
    space_open(f, other, &grid, &history);
    kn_replay_report report;
    assert_int_equal(kn_replay(other, bytes, size, &report, NULL), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(report.steps, 100);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    kn_history_destroy(history);
    kn_grid_destroy(grid);
    kn_world_destroy(other);
    kn_recording_destroy(recording);
}

static void another_time_to_keep_holds_from_then_on(void **state)
{
    fixture *f = *state;
    kn_entity_id id = body_new(f, 0.0f, 0.0f, 1.0f);
    walk_add(f, id, 1.0f);
    for (uint32_t i = 0; i < 100; i++) {
        step(f);
    }
    kn_history_destroy(f->history);
    step(f); // nothing is kept
    kn_history_def def = kn_history_def_default();
    def.grid = f->grid;
    def.keep = KN_MS(800);
    def.hooks = hooks_of(&f->memory);
    assert_int_equal(kn_history_create(&def, &f->history), KN_OK);
    assert_int_equal(kn_history_begin(f->history), KN_MS(510)); // no older ones are there
    step(f);
    assert_int_equal(kn_history_begin(f->history), KN_MS(510));
    assert_true(x_at(f, id, KN_MS(510)) == 51.0f);
    for (uint32_t i = 0; i < 100; i++) {
        step(f);
    }
    assert_int_equal(kn_history_begin(f->history), KN_MS(1220));
    assert_true(x_at(f, id, KN_MS(1220)) == 122.0f);
}

// A grid that is destroyed before its history is no harm.
static void histories_are_created_with_all_they_need(void **state)
{
    fixture *f = *state;
    kn_assert_set_handler(test_ignore_assert);
    kn_history_def def = kn_history_def_default();
    kn_history *history;
    assert_int_equal(kn_history_create(NULL, &history), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_INVALID_ARGUMENT); // no grid
    assert_null(history);
    def.grid = f->grid;
    assert_int_equal(kn_history_create(&def, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_INVALID_ARGUMENT); // it has one
    kn_history_destroy(f->history);
    f->history = NULL;
    def.keep = 0;
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_INVALID_ARGUMENT);
    def.keep = KN_S(10) + 1;
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_INVALID_ARGUMENT);
    def = (kn_history_def){.grid = f->grid, .keep = KN_MS(500)};
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_INVALID_ARGUMENT);
    def = kn_history_def_default();
    def.grid = f->grid;
    def.hooks = hooks_of(&f->memory);
    f->memory.fail_at = f->memory.calls + 1;
    assert_int_equal(kn_history_create(&def, &history), KN_ERROR_OUT_OF_MEMORY);
    f->memory.fail_at = 0;
    assert_int_equal(kn_history_create(&def, &history), KN_OK);
    kn_grid_destroy(f->grid);
    f->grid = NULL;
    kn_world_set_space(f->world, NULL);
    kn_history_destroy(history);
    kn_history_destroy(NULL);
    assert_false(kn_history_rewind(NULL, 0, 0));
    kn_history_resume(NULL);
    assert_int_equal(kn_history_begin(NULL), 0);
    assert_int_equal(kn_history_get_stats(NULL).bodies, 0);
    assert_int_equal(kn_history_register(NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_body_moves_along_a_line_from_step_to_step),
    TEST(the_past_reaches_back_as_far_as_it_is_kept),
    TEST(entities_are_where_they_were_or_not_there),
    TEST(a_player_is_where_it_is_and_all_others_where_they_were),
    TEST(bodies_on_other_layers_stay_where_they_are),
    TEST(a_command_sees_the_past_and_the_next_one_the_present),
    TEST(the_parts_of_a_batch_see_the_past_of_the_batch),
    TEST(a_space_of_the_host_is_rewound_around_the_command),
    TEST(looking_at_the_past_leaves_the_present_untouched),
    TEST(queries_of_the_past_find_who_was_there),
    TEST(a_body_that_a_rule_moves_in_the_same_step_is_still_where_it_was),
    TEST(a_filter_may_query_the_same_past),
    TEST(a_body_at_rest_needs_one_sample),
    TEST(steps_that_are_too_short_cut_the_past_of_what_moves),
    TEST(a_step_without_length_replaces_what_it_kept),
    TEST(without_memory_for_the_index_answers_are_the_same),
    TEST(without_memory_in_the_world_a_step_breaks_it_and_nothing_leaks),
    TEST(a_restored_step_ends_the_same),
    TEST(a_saved_match_goes_on_the_same),
    TEST(a_recording_that_begins_in_the_middle_replays_the_same),
    TEST(another_time_to_keep_holds_from_then_on),
    TEST(histories_are_created_with_all_they_need),
};

TEST_GROUP(test_history, tests, NULL, NULL);
