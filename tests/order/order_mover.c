// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Movements: asking for them, how they end, and the mover on open ground.

#include "mover_test.h"

// Time ----------------------------------------------------------------------------------

static void a_unit_arrives_at_the_exact_microsecond(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 13.48f, 0, 0);
    step(f, KN_US(3369999));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    assert_true(place_of(f, f->a).x < 13.48f);
    step(f, KN_US(1));
    EXPECT_ENDED(f->a, KN_MOVE_ARRIVED, KN_US(3370000));
    assert_true(place_of(f, f->a).x == 13.48f); // to the bit
    step(f, KN_S(10));
    EXPECT_AT(f->a, 13.48f, 0);
}

static void a_movement_that_begins_between_two_runs_takes_no_longer(void **state)
{
    fixture *f = *state;
    begin(f);
    step(f, KN_US(123457));
    (void)go(f, f->a, 3, 4, 0);
    step(f, KN_S(3));
    EXPECT_ENDED(f->a, KN_MOVE_ARRIVED, KN_US(123457 + 1250000));
    EXPECT_AT(f->a, 3, 4);
}

static void positions_are_written_at_the_rate_of_the_mover(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 20, 0, 0);
    step(f, KN_MS(49));
    EXPECT_AT(f->a, 0, 0);
    step(f, KN_MS(1));
    EXPECT_AT(f->a, 0.2f, 0);
    step(f, KN_MS(49));
    EXPECT_AT(f->a, 0.2f, 0);
    step(f, KN_MS(1));
    EXPECT_AT(f->a, 0.4f, 0);
}

// The same things happen, whatever the length of the steps.
static uint64_t hash_at_rate(uint32_t rate)
{
    fixture *f = fixture_create();
    void *state = f;
    f->walk_def.speed_attribute = f->pace;
    begin(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->b, f->legs, 0), KN_OK);
    (void)go(f, f->a, 13.48f, 7.1f, 0.3f);
    (void)follow(f, f->b, f->a, 2.0f);
    play(f, rate, KN_S(2));
    assert_int_equal(kn_attribute_set_base(f->world, f->b, f->pace, 0, 6.5f), KN_OK);
    play(f, rate, KN_S(4));
    (void)go(f, f->a, -3, -4, 0);
    play(f, rate, KN_S(30));
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(info_of(f, f->b).result, KN_MOVE_ARRIVED);
    (void)teardown_fixture(&state);
    return hash;
}

static void the_length_of_steps_does_not_show(void **state)
{
    (void)state;
    uint64_t hash = hash_at_rate(1);
    assert_int_equal(hash_at_rate(30), hash);
    assert_int_equal(hash_at_rate(60), hash);
    assert_int_equal(hash_at_rate(144), hash);
}

// Ends ----------------------------------------------------------------------------------

static void a_unit_stops_within_the_range(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 10, 0, 2);
    step(f, KN_S(4));
    EXPECT_ENDED(f->a, KN_MOVE_ARRIVED, KN_S(2));
    EXPECT_AT(f->a, 8, 0);
    (void)go(f, f->a, 9, 1, 3); // it is there already
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 8, 0);
    for (uint32_t i = 0; i < 50; i++) { // never outside of it by rounding
        kn_vec3 at = place_of(f, f->a), goal = {at.x + 7.3f, at.y + 1.7f * (float)(i % 9), 0};
        (void)go(f, f->a, goal.x, goal.y, 3.3f);
        step(f, KN_S(10));
        at = place_of(f, f->a);
        float x = at.x - goal.x, y = at.y - goal.y;
        assert_true(sqrtf(x * x + y * y) <= 3.3f);
        f->seen_count = 0;
    }
}

static void a_movement_can_be_stopped_between_two_runs(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 20, 0, 0);
    step(f, KN_MS(1010));
    assert_int_equal(kn_move_stop(f->world, f->a), KN_OK);
    EXPECT_AT(f->a, 4.04f, 0); // where it was at that moment
    assert_int_equal(kn_move_stop(f->world, f->a), KN_REFUSED_NOT_FOUND);
    step(f, KN_S(9));
    EXPECT_ENDED(f->a, KN_MOVE_STOPPED, KN_MS(1010));
    EXPECT_AT(f->a, 4.04f, 0);
}

static void a_second_movement_replaces_the_first(void **state)
{
    fixture *f = *state;
    begin(f);
    uint32_t first = go(f, f->a, 20, 0, 0);
    step(f, KN_S(1));
    uint32_t second = go(f, f->a, 4, 8, 0);
    assert_int_equal(second, first + 1);
    assert_int_equal(kn_move_finish(f->world, f->a, first, KN_MOVE_ARRIVED), KN_REFUSED_NOT_FOUND);
    step(f, KN_S(5));
    EXPECT_ENDED(f->a, KN_MOVE_ARRIVED, KN_S(3));
    EXPECT_AT(f->a, 4, 8);
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < f->seen_count; i++) {
        stopped += f->seen[i].is_end && f->seen[i].info.ticket == first &&
                   f->seen[i].info.result == KN_MOVE_STOPPED;
    }
    assert_int_equal(stopped, 1);
}

static void speed_takes_effect_at_the_next_run(void **state)
{
    fixture *f = *state;
    f->walk_def.speed_attribute = f->pace;
    begin(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->a, f->legs, 0), KN_OK);
    (void)go(f, f->a, 20, 0, 0);
    step(f, KN_MS(1020));
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->pace, 0, 8.0f), KN_OK);
    step(f, KN_MS(980));
    EXPECT_AT(f->a, 4.2f + 0.95f * 8, 0);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->pace, 0, 0.0f), KN_OK);
    step(f, KN_S(20)); // rooted to the spot, but not stuck
    EXPECT_AT(f->a, 4.2f + 0.95f * 8 + 0.4f, 0);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->pace, 0, 4.0f), KN_OK);
    step(f, KN_S(4));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    EXPECT_AT(f->a, 20, 0);
    (void)go(f, f->b, 0, 54, 0); // without the attribute: as the definition says
    step(f, KN_S(1));
    assert_int_equal(info_of(f, f->b).result, KN_MOVE_ARRIVED);
}

static void a_target_that_moves_is_followed(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)follow(f, f->a, f->flag, 1);
    step(f, KN_S(2));
    EXPECT_AT(f->a, 8, 0);
    assert_int_equal(kn_grid_move(f->grid, f->flag, (kn_vec3){8, 9, 0}), KN_OK);
    step(f, KN_S(5));
    kn_vec3 at = place_of(f, f->a);
    assert_true(sqrtf((at.x - 8) * (at.x - 8) + (at.y - 9) * (at.y - 9)) <= 1.0f);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    // Two that meet.
    (void)follow(f, f->a, f->b, 1);
    (void)follow(f, f->b, f->a, 1);
    step(f, KN_S(20));
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_int_equal(info_of(f, f->b).result, KN_MOVE_ARRIVED);
}

static void a_target_that_is_destroyed_ends_the_movement(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)follow(f, f->a, f->flag, 0);
    (void)follow(f, f->b, f->flag, 0);
    (void)follow(f, f->pawn, f->flag, 0);
    step(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, f->flag));
    step(f, KN_S(1));
    EXPECT_ENDED(f->a, KN_MOVE_LOST, KN_S(1));
    EXPECT_ENDED(f->b, KN_MOVE_LOST, KN_S(1));
    EXPECT_ENDED(f->pawn, KN_MOVE_LOST, KN_S(1));
    EXPECT_AT(f->a, 4, 0);
    kn_move move = kn_move_to_entity(f->flag, 0);
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_REFUSED_STALE_ID);
}

static void grief(void *user, kn_world *world, const kn_reaction *reaction)
{
    const fixture *f = user;
    const kn_move move = kn_move_to_entity(reaction->entity, 0);
    if (kn_entity_id_equal(reaction->entity, f->flag)) {
        assert_int_equal(kn_move_start(world, f->a, &move, NULL), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_move_start(world, reaction->entity, &move, NULL), KN_REFUSED_DYING);
    }
}

static void nobody_goes_to_those_that_end(void **state)
{
    fixture *f = *state;
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id ignored;
    rule.name = "Grief";
    rule.trigger = KN_TRIGGER_ENTITY_DESTROYED;
    rule.function = grief;
    rule.user = f;
    assert_int_equal(kn_rule_register(f->library, &rule, &ignored, NULL), KN_OK);
    begin(f);
    (void)follow(f, f->a, f->flag, 0);
    step(f, KN_MS(100));
    assert_true(kn_entity_destroy(f->world, f->flag));
    step(f, KN_MS(100));
    EXPECT_ENDED(f->a, KN_MOVE_LOST, KN_MS(100));
}

static void an_entity_that_is_destroyed_moves_no_more(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 20, 0, 0);
    step(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, f->a));
    step(f, KN_S(1));
    assert_true(last_of(f, f->a)->is_end);
    assert_int_equal(last_of(f, f->a)->info.result, KN_MOVE_STOPPED);
}

static void somebody_else_may_move_the_body(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 20, 0, 0);
    step(f, KN_S(1));
    assert_int_equal(kn_grid_move(f->grid, f->a, (kn_vec3){20, 4, 0}), KN_OK);
    step(f, KN_MS(10));
    EXPECT_AT(f->a, 20, 4);
    step(f, KN_S(2));
    EXPECT_ENDED(f->a, KN_MOVE_ARRIVED, KN_MS(2050)); // seen at the next run
    EXPECT_AT(f->a, 20, 0);
    (void)go(f, f->a, 20, 20, 0);
    step(f, KN_MS(510));
    assert_int_equal(kn_grid_move(f->grid, f->a, (kn_vec3){1, 1, 0}), KN_OK);
    assert_int_equal(kn_move_stop(f->world, f->a), KN_OK);
    EXPECT_AT(f->a, 1, 1);
}

// The body is put back again and again.
static void a_unit_that_does_not_get_on_is_stuck(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->a, 20, 0, 0);
    for (uint32_t i = 0; i < 60 && info_of(f, f->a).result == KN_MOVE_RUNNING; i++) {
        step(f, KN_MS(50));
        if (info_of(f, f->a).result == KN_MOVE_RUNNING) {
            assert_int_equal(kn_grid_move(f->grid, f->a, (kn_vec3){0, 0, 0}), KN_OK);
        }
    }
    EXPECT_ENDED(f->a, KN_MOVE_STUCK, KN_S(2));
}

// The host moves ------------------------------------------------------------------------

static void the_host_moves_entities_without_a_mover(void **state)
{
    fixture *f = *state;
    begin(f);
    uint32_t first = follow(f, f->pawn, f->flag, 3);
    step(f, KN_S(1));
    assert_int_equal(f->seen_count, 1);
    assert_false(f->seen[0].is_end);
    assert_int_equal(f->seen[0].info.kind, KN_MOVE_TO);
    assert_true(kn_entity_id_equal(f->seen[0].info.target, f->flag));
    assert_true(f->seen[0].info.location.x == 20.0f && f->seen[0].info.range == 3.0f);
    assert_int_equal(f->seen[0].info.mover.index1, 0);
    EXPECT_AT(f->pawn, 0, 100);
    uint32_t second = go(f, f->pawn, 5, 5, 0);
    assert_int_equal(
        kn_move_finish(f->world, f->pawn, first, KN_MOVE_ARRIVED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_move_finish(f->world, f->pawn, second, KN_MOVE_RUNNING), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_move_finish(f->world, f->pawn, second, KN_MOVE_RESULT_COUNT), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(info_of(f, f->pawn).result, KN_MOVE_RUNNING);
    assert_int_equal(kn_move_finish(f->world, f->pawn, second, KN_MOVE_UNREACHABLE), KN_OK);
    assert_int_equal(
        kn_move_finish(f->world, f->pawn, second, KN_MOVE_ARRIVED), KN_REFUSED_NOT_FOUND);
    step(f, KN_S(1));
    EXPECT_ENDED(f->pawn, KN_MOVE_UNREACHABLE, KN_S(1));
    kn_move move = kn_move_to_entity(f->flag, 0);
    uint32_t third;
    assert_int_equal(kn_move_face(f->world, f->pawn, &move, &third), KN_OK);
    assert_int_equal(info_of(f, f->pawn).kind, KN_MOVE_FACE);
    assert_int_equal(kn_move_finish(f->world, f->pawn, third, KN_MOVE_ARRIVED), KN_OK);
}

static void a_mover_turns_at_once(void **state)
{
    fixture *f = *state;
    kn_body body;
    begin(f);
    kn_move move = kn_move_to_point((kn_vec3){0, -7, 0}, 0);
    assert_int_equal(kn_move_face(f->world, f->a, &move, NULL), KN_OK);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_ARRIVED);
    assert_true(kn_grid_get_body(f->grid, f->a, &body));
    assert_true(body.facing.x == 0.0f && body.facing.y == -1.0f);
    (void)go(f, f->a, 20, 0, 0); // it looks where it goes
    assert_true(kn_grid_get_body(f->grid, f->a, &body));
    assert_true(body.facing.x == 1.0f && body.facing.y == 0.0f);
    move = kn_move_to_entity(f->b, 0);
    assert_int_equal(kn_move_face(f->world, f->a, &move, NULL), KN_OK); // ends the movement
    step(f, KN_S(1));
    EXPECT_AT(f->a, 0, 0);
    assert_true(kn_grid_get_body(f->grid, f->a, &body));
    assert_true(body.facing.x == 0.0f && body.facing.y == 1.0f);
}

static void movers_come_and_go(void **state)
{
    fixture *f = *state;
    begin(f);
    (void)go(f, f->pawn, 4, 100, 0);
    assert_int_equal(kn_mover_set(f->world, f->pawn, f->walk), KN_OK);
    assert_int_equal(info_of(f, f->pawn).result, KN_MOVE_STOPPED);
    (void)go(f, f->pawn, 4, 100, 0);
    step(f, KN_MS(500));
    assert_int_equal(kn_mover_set(f->world, f->pawn, (kn_mover_id){0}), KN_OK);
    assert_int_equal(info_of(f, f->pawn).result, KN_MOVE_STOPPED);
    EXPECT_AT(f->pawn, 2, 100);
    assert_int_equal(kn_mover_get(f->world, f->pawn).index1, 0);
    assert_int_equal(kn_mover_set(f->world, f->pawn, (kn_mover_id){99}), KN_ERROR_INVALID_ARGUMENT);
}

// State ---------------------------------------------------------------------------------

static void a_movement_rolls_back(void **state)
{
    fixture *f = *state;
    size_t size;
    begin(f);
    (void)go(f, f->a, 13.48f, 0, 0);
    (void)follow(f, f->b, f->a, 1);
    step(f, KN_MS(1234));
    void *snapshot = snapshot_of(f->world, &size);
    step(f, KN_S(20));
    uint64_t hash = kn_world_hash(f->world);
    snapshot_restore(f->world, snapshot, size);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    play(f, 60, KN_MS(21234));
    assert_int_equal(kn_world_hash(f->world), hash);
    free(snapshot);
}

static void a_movement_is_saved_in_the_middle(void **state)
{
    fixture *f = *state;
    size_t size;
    kn_world *world;
    kn_grid *grid;
    begin(f);
    (void)go(f, f->a, 13.48f, 0, 0);
    (void)follow(f, f->b, f->a, 1);
    step(f, KN_MS(3340)); // the timer of its arrival runs
    void *save = save_of(f->world, &size);
    world_make(f, &world, &grid);
    save_load(world, save, size);
    assert_int_equal(kn_world_hash(world), kn_world_hash(f->world));
    assert_int_equal(kn_world_step(world, KN_S(20)), KN_OK);
    play(f, 60, KN_MS(23340));
    assert_int_equal(kn_world_hash(world), kn_world_hash(f->world));
    kn_grid_destroy(grid);
    kn_world_destroy(world);
    free(save);
}

static void clients_may_not_move_anything(void **state)
{
    fixture *f = *state;
    kn_world_def def = kn_world_def_default();
    kn_entity_id entity;
    kn_world *client;
    begin(f);
    def.library = f->library;
    def.is_client = true;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    assert_int_equal(kn_entity_create(client, &entity), KN_OK);
    kn_move move = kn_move_default();
    uint32_t ticket = 7;
    assert_int_equal(kn_move_start(client, entity, &move, &ticket), KN_REFUSED_BLOCKED);
    assert_int_equal(ticket, 0);
    assert_int_equal(kn_move_face(client, entity, &move, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_move_stop(client, entity), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_move_finish(client, entity, 1, KN_MOVE_ARRIVED), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_mover_set(client, entity, f->walk), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_entity_add_tag(client, entity, f->soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_mover_get(client, entity).index1, 0);
    kn_world_destroy(client);
}

static void viewers_see_what_a_unit_is_doing(void **state)
{
    fixture *f = *state;
    kn_world_def def = kn_world_def_default();
    kn_world *client;
    kn_move_info info;
    begin(f);
    (void)follow(f, f->a, f->flag, 1);
    step(f, KN_S(1));
    def.library = f->library;
    def.is_client = true;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    const kn_entity_id all[] = {f->a, f->flag};
    project(f->world, client, all, 2, (kn_viewer){0});
    kn_entity_id twin = kn_entity_next(client, (kn_entity_id){0});
    assert_true(kn_move_get_info(client, twin, &info));
    assert_int_equal(info.kind, KN_MOVE_TO);
    assert_int_equal(info.ticket, info_of(f, f->a).ticket);
    assert_int_equal(kn_world_step(client, KN_S(1)), KN_OK); // nothing moves there
    assert_true(kn_move_get_info(client, twin, &info));
    assert_int_equal(info.result, KN_MOVE_RUNNING);
    kn_world_destroy(client);
}

// Bad input -----------------------------------------------------------------------------

static void bad_movements_are_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id ghost;
    begin(f);
    assert_int_equal(kn_entity_create(f->world, &ghost), KN_OK);
    (void)go(f, f->a, 20, 0, 0);
    uint32_t ticket = info_of(f, f->a).ticket;
    kn_move move = kn_move_to_point((kn_vec3){NAN, 0, 0}, 0);
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_REFUSED_BAD_NUMBER);
    move = kn_move_to_point((kn_vec3){0, 0, INFINITY}, 0);
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_REFUSED_BAD_NUMBER);
    move = kn_move_to_point((kn_vec3){0, 0, 0}, -1);
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_REFUSED_BAD_NUMBER);
    move = kn_move_to_point((kn_vec3){0, 0, 0}, NAN);
    assert_int_equal(kn_move_face(f->world, f->a, &move, NULL), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_move_start(f->world, f->a, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    move = kn_move_to_entity(ghost, 0); // it is nowhere
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_mover_set(f->world, ghost, f->walk), KN_OK);
    move = kn_move_default();
    assert_int_equal(kn_move_start(f->world, ghost, &move, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(info_of(f, f->a).ticket, ticket); // it goes on
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    kn_entity_id stale = f->flag;
    kn_move_info info;
    assert_true(kn_entity_destroy(f->world, stale));
    assert_int_equal(kn_move_start(f->world, stale, &move, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_move_stop(f->world, stale), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_move_finish(f->world, stale, 1, KN_MOVE_ARRIVED), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_mover_set(f->world, stale, f->walk), KN_REFUSED_STALE_ID);
    assert_false(kn_move_get_info(f->world, stale, &info));
    assert_int_equal(kn_mover_get(f->world, stale).index1, 0);
}

static void bad_movers_are_refused(void **state)
{
    fixture *f = *state;
    const float speeds[] = {0.0f, -1.0f, NAN, INFINITY};
    kn_mover_def def = f->walk_def;
    kn_mover_id mover = {7};
    kn_error error;
    for (uint32_t i = 0; i < COUNT(speeds); i++) {
        def.speed = speeds[i];
        assert_int_equal(kn_mover_register(f->library, &def, &mover, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(mover.index1, 0);
        assert_non_null(strstr(error.message, "speed"));
    }
    def = f->walk_def;
    def.rate = 0;
    assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "rate"));
    def.rate = 1001;
    assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = f->walk_def;
    def.stuck_after = -1;
    assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    def = f->walk_def;
    def.cookie = 0;
    assert_int_equal(kn_mover_register(f->library, &def, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_mover_register(f->library, NULL, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    begin(f);
    assert_int_equal(kn_mover_find(f->library, "Walk").index1, f->walk.index1);
    assert_string_equal(kn_mover_get_def(f->library, f->walk)->name, "Walk");
    assert_null(kn_mover_get_def(f->library, (kn_mover_id){99}));
}

// Trees ---------------------------------------------------------------------------------

#define KIDS(...)                                                                                  \
    .children = (const kn_tree_node[]){__VA_ARGS__},                                               \
    .child_count = COUNT(((const kn_tree_node[]){__VA_ARGS__}))

static kn_tree_id tree_make(fixture *f, const kn_tree_node *root)
{
    static const kn_blackboard_key_def keys[] = {
        {"Foe", KN_BLACKBOARD_ENTITY, 0},
        {"Spot", KN_BLACKBOARD_VECTOR, 0},
        {"Reach", KN_BLACKBOARD_FLOAT, 2.0f},
    };
    kn_blackboard_def layout = kn_blackboard_def_default();
    kn_tree_def def = kn_tree_def_default();
    kn_error error = {0};
    kn_tree_id tree;
    layout.name = "Board";
    layout.keys = keys;
    layout.key_count = COUNT(keys);
    assert_int_equal(kn_blackboard_register(f->library, &layout, &def.blackboard, NULL), KN_OK);
    def.name = "Tree";
    def.root = *root;
    if (kn_tree_register(f->library, &def, &tree, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return tree;
}

static void tree_begin(fixture *f, kn_entity_id entity, kn_tree_id tree)
{
    assert_int_equal(
        kn_blackboard_add(f->world, entity, kn_blackboard_find(f->library, "Board")), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(f->world, entity, "Foe", f->flag), KN_OK);
    assert_int_equal(kn_blackboard_set_vector(f->world, entity, "Spot", (kn_vec3){4, 0, 0}), KN_OK);
    assert_int_equal(kn_tree_start(f->world, entity, tree), KN_OK);
}

static kn_tree_result tree_result(fixture *f, kn_entity_id entity)
{
    kn_tree_info info;
    assert_true(kn_tree_get_info(f->world, entity, &info));
    return info.result;
}

// ORD-441, RTS-255, RTS-256: it goes to a point, then to a target within a range, and faces it.
static void a_tree_moves_and_turns(void **state)
{
    fixture *f = *state;
    kn_body body;
    kn_tree_id tree =
        tree_make(f, &(const kn_tree_node){.index = -1,
                         KIDS({.kind = KN_TREE_MOVE_TO, .location = "Spot"},
                             {.kind = KN_TREE_MOVE_TO, .target = "Foe", .range = "Reach"},
                             {.kind = KN_TREE_FACE, .location = "Spot"})});
    begin(f);
    tree_begin(f, f->a, tree);
    step(f, KN_S(1));
    EXPECT_AT(f->a, 4, 0);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    step(f, KN_MS(3499));
    assert_int_equal(tree_result(f, f->a), KN_TREE_RUNNING);
    step(f, KN_MS(1));
    assert_int_equal(tree_result(f, f->a), KN_TREE_SUCCEEDED);
    EXPECT_AT(f->a, 18, 0);
    assert_true(kn_grid_get_body(f->grid, f->a, &body));
    assert_true(body.facing.x == -1.0f);
}

static void a_tree_hears_from_the_host(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = tree_make(f, &(const kn_tree_node){.kind = KN_TREE_SELECTOR,
                                       KIDS({.kind = KN_TREE_MOVE_TO, .target = "Foe"},
                                           {.kind = KN_TREE_FACE, .target = "Foe"})});
    begin(f);
    tree_begin(f, f->pawn, tree);
    assert_int_equal(info_of(f, f->pawn).kind, KN_MOVE_TO);
    uint32_t ticket = info_of(f, f->pawn).ticket;
    assert_int_equal(kn_move_finish(f->world, f->pawn, ticket, KN_MOVE_STUCK), KN_OK);
    assert_int_equal(info_of(f, f->pawn).kind, KN_MOVE_FACE);
    assert_int_equal(
        kn_move_finish(f->world, f->pawn, ticket, KN_MOVE_ARRIVED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(tree_result(f, f->pawn), KN_TREE_RUNNING);
    assert_int_equal(kn_move_finish(f->world, f->pawn, ticket + 1, KN_MOVE_ARRIVED), KN_OK);
    assert_int_equal(tree_result(f, f->pawn), KN_TREE_SUCCEEDED);
}

static void a_tree_that_is_stopped_stops_its_movement(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = tree_make(f, &(const kn_tree_node){.kind = KN_TREE_MOVE_TO, .target = "Foe"});
    begin(f);
    tree_begin(f, f->a, tree);
    step(f, KN_S(1));
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_STOPPED);
    // Somebody else's movement goes on.
    assert_int_equal(kn_tree_start(f->world, f->a, tree), KN_OK);
    (void)go(f, f->a, 0, 0, 0);
    assert_int_equal(tree_result(f, f->a), KN_TREE_FAILED);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    step(f, KN_S(1));
    EXPECT_AT(f->a, 0, 0);
}

static kn_result bolt(void *user, const kn_hook_call *call)
{
    const kn_move away = kn_move_to_point((kn_vec3){-40, 0, 0}, 0);
    (void)user;
    assert_int_equal(kn_move_start(call->writable, call->entity, &away, NULL), KN_OK);
    return KN_REFUSED_CUSTOM;
}

// A node that is aborted leaves a movement alone that has replaced its own.
static void a_node_stops_only_its_own_movement(void **state)
{
    fixture *f = *state;
    kn_tree_action_def action = kn_tree_action_def_default();
    kn_tree_action_id id;
    action.name = "Bolt";
    action.run.function = bolt;
    assert_int_equal(kn_tree_action_register(f->library, &action, &id, NULL), KN_OK);
    kn_tree_id tree = tree_make(f, &(const kn_tree_node){.kind = KN_TREE_PARALLEL,
                                       .fails = KN_TREE_ONE,
                                       KIDS({.kind = KN_TREE_MOVE_TO, .location = "Spot"},
                                           {.kind = KN_TREE_TASK, .action = id})});
    begin(f);
    tree_begin(f, f->a, tree);
    assert_int_equal(tree_result(f, f->a), KN_TREE_FAILED);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_RUNNING);
    step(f, KN_S(10));
    EXPECT_AT(f->a, -40, 0);
}

static void a_tree_follows_its_keys(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = tree_make(f, &(const kn_tree_node){.kind = KN_TREE_MOVE_TO, .target = "Foe"});
    begin(f);
    tree_begin(f, f->a, tree);
    step(f, KN_S(1));
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->b), KN_OK);
    assert_true(kn_entity_id_equal(info_of(f, f->a).target, f->b));
    assert_int_equal(tree_result(f, f->a), KN_TREE_RUNNING);
    assert_int_equal(kn_blackboard_clear(f->world, f->a, "Foe"), KN_OK);
    assert_int_equal(tree_result(f, f->a), KN_TREE_FAILED);
    assert_int_equal(info_of(f, f->a).result, KN_MOVE_STOPPED);
    tree_begin(f, f->a, tree);
    assert_int_equal(tree_result(f, f->a), KN_TREE_RUNNING);
    assert_true(kn_entity_destroy(f->world, f->flag));
    step(f, 0);
    assert_int_equal(tree_result(f, f->a), KN_TREE_FAILED);
    assert_int_equal(info_of(f, f->a).kind, KN_MOVE_REST);
    assert_int_equal(kn_tree_start(f->world, f->a, tree), KN_OK); // without a goal
    assert_int_equal(tree_result(f, f->a), KN_TREE_FAILED);
}

static void trees_with_bad_movements_are_refused(void **state)
{
    static const struct {
        kn_tree_node node;
        const char *message;
    } cases[] = {
        {{.kind = KN_TREE_MOVE_TO}, "`target` or a `location`"},
        {{.kind = KN_TREE_FACE}, "`target` or a `location`"},
        {{.kind = KN_TREE_MOVE_TO, .target = "Spot"}, "must be an entity"},
        {{.kind = KN_TREE_MOVE_TO, .location = "Foe"}, "must be a vector"},
        {{.kind = KN_TREE_MOVE_TO, .target = "Foe", .range = "Spot"}, "must be a float"},
        {{.kind = KN_TREE_MOVE_TO, .target = "Foe", .range = "Nix"}, "has no key `Nix`"},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        fixture *f = fixture_create();
        void *own = f;
        kn_error error = {0};
        (void)tree_make(f, &cases[i].node);
        assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, cases[i].message));
        (void)teardown_fixture(&own);
    }
}

// Towers turn, and reach only what is near enough.
static void movers_that_stay_only_turn(void **state)
{
    fixture *f = *state;
    f->walk_def.stays = true;
    f->walk_def.speed = 0;
    begin(f);
    kn_move move = kn_move_to_point((kn_vec3){5, 0, 0}, 5);
    kn_move_info info;
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_OK);
    assert_true(kn_move_get_info(f->world, f->a, &info));
    assert_int_equal(info.result, KN_MOVE_ARRIVED);
    move.range = 4.9f;
    assert_int_equal(kn_move_start(f->world, f->a, &move, NULL), KN_OK);
    assert_true(kn_move_get_info(f->world, f->a, &info));
    assert_int_equal(info.result, KN_MOVE_UNREACHABLE);
    move = kn_move_to_point((kn_vec3){0, -3, 0}, 0);
    assert_int_equal(kn_move_face(f->world, f->a, &move, NULL), KN_OK);
    kn_body body;
    assert_true(kn_grid_get_body(f->grid, f->a, &body));
    assert_true(body.facing.y < -0.9f && body.position.x == 0 && body.position.y == 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_unit_arrives_at_the_exact_microsecond),
    TEST(a_movement_that_begins_between_two_runs_takes_no_longer),
    TEST(positions_are_written_at_the_rate_of_the_mover),
    TEST(the_length_of_steps_does_not_show),
    TEST(a_unit_stops_within_the_range),
    TEST(a_movement_can_be_stopped_between_two_runs),
    TEST(a_second_movement_replaces_the_first),
    TEST(speed_takes_effect_at_the_next_run),
    TEST(movers_that_stay_only_turn),
    TEST(a_target_that_moves_is_followed),
    TEST(a_target_that_is_destroyed_ends_the_movement),
    TEST(nobody_goes_to_those_that_end),
    TEST(an_entity_that_is_destroyed_moves_no_more),
    TEST(somebody_else_may_move_the_body),
    TEST(a_unit_that_does_not_get_on_is_stuck),
    TEST(the_host_moves_entities_without_a_mover),
    TEST(a_mover_turns_at_once),
    TEST(movers_come_and_go),
    TEST(a_movement_rolls_back),
    TEST(a_movement_is_saved_in_the_middle),
    TEST(clients_may_not_move_anything),
    TEST(viewers_see_what_a_unit_is_doing),
    TEST(bad_movements_are_refused),
    TEST(bad_movers_are_refused),
    TEST(a_tree_moves_and_turns),
    TEST(a_tree_hears_from_the_host),
    TEST(a_tree_that_is_stopped_stops_its_movement),
    TEST(a_node_stops_only_its_own_movement),
    TEST(a_tree_follows_its_keys),
    TEST(trees_with_bad_movements_are_refused),
};

TEST_GROUP(order_mover, tests, NULL, NULL);
