// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Targeting: where types look, which targets they accept, how tasks are confirmed, what is shown
// meanwhile.

#include "scenario/target_fixture.h"

// Shapes --------------------------------------------------------------------

// Finds the foe, and counts how often it is asked.
static bool find_and_count(const kn_targeting_call *call, kn_target_data *out)
{
    range *r = call->user;
    r->looks++;
    kn_target_entity record = {r->f->foe};
    return kn_target_add(kn_world_library(call->world), out, kn_target_type_entity(), &record) ==
           KN_OK;
}

// TGT-012, TGT-024, TGT-025, TGT-038, TGT-039: nothing is made, each shape is asked of the space.
static void each_shape_finds_its_targets(void **state)
{
    range *r = *state;
    kn_targeting_id ids[KN_SHAPE_COUNT];
    const char *const names[] = {
        "Self", "Ray", "Point", "Sphere", "Cone", "Nearest", "Event", "Custom"};
    for (uint32_t i = 0; i < KN_SHAPE_COUNT; i++) {
        kn_targeting_def def = targeting_def(names[i], (kn_target_shape)i);
        def.find = find_and_count;
        def.user = r;
        ids[i] = targeting_register(r, &def);
    }
    kn_targeting_def ahead = targeting_def("Ahead", KN_SHAPE_SPHERE);
    ahead.offset.x = 10.0f;
    ahead.offset.y = 2.0f;
    ahead.radius = 2.0f;
    kn_targeting_id sphere_ahead = targeting_register(r, &ahead);
    range_begin(r);
    (void)spawn(r, 14.0f, 1.0f); // 3: beside the foe, out of the ray
    (void)spawn(r, -3.0f, 0.0f); // 4: behind, the nearest
    (void)spawn(r, 16.0f, 0.0f); // 5: behind the foe
    expect_query(r, ids[KN_SHAPE_SELF], "1 ");
    expect_query(r, ids[KN_SHAPE_RAY], "2 5 ");
    expect_query(r, ids[KN_SHAPE_POINT], "");
    expect_query(r, ids[KN_SHAPE_SPHERE], "2 3 4 5 ");
    expect_query(r, ids[KN_SHAPE_CONE], "2 3 5 ");
    expect_query(r, ids[KN_SHAPE_NEAREST], "4 2 3 5 ");
    expect_query(r, ids[KN_SHAPE_EVENT], "");
    expect_query(r, ids[KN_SHAPE_CUSTOM], "2 ");
    expect_query(r, sphere_ahead, "2 ");
    look(r, 0.0f, 1.0f);
    expect_query(r, ids[KN_SHAPE_RAY], "");
    expect_query(r, ids[KN_SHAPE_CONE], "");
    look(r, -1.0f, 0.0f);
    expect_query(r, ids[KN_SHAPE_RAY], "4 ");
    assert_int_equal(kn_targeting_find(r->f->library, "Cone").index1, ids[KN_SHAPE_CONE].index1);
    assert_int_equal(kn_targeting_find(r->f->library, "Nothing").index1, 0);
}

// TGT-012: what a trace hits is told as hits, with where and how far; what overlaps as entities.
static void each_shape_has_its_kind_of_record(void **state)
{
    range *r = *state;
    const kn_target_shape shapes[] = {
        KN_SHAPE_SELF, KN_SHAPE_RAY, KN_SHAPE_SPHERE, KN_SHAPE_CONE, KN_SHAPE_NEAREST};
    const char *const names[] = {"Self", "Ray", "Sphere", "Cone", "Nearest"};
    kn_targeting_id ids[5];
    for (uint32_t i = 0; i < 5; i++) {
        kn_targeting_def def = targeting_def(names[i], shapes[i]);
        ids[i] = targeting_register(r, &def);
    }
    range_begin(r);
    for (uint32_t i = 0; i < 5; i++) {
        kn_target_data data;
        assert_true(kn_targeting_query(r->f->world, ids[i], r->f->hero, &data));
        kn_target_view view = kn_target_data_view(&data);
        assert_int_equal(kn_target_count(view), 1);
        const kn_target_entity *entity = kn_target_get(view, 0, kn_target_type_entity());
        const kn_target_hit *hit = kn_target_get(view, 0, kn_target_type_hit());
        if (shapes[i] != KN_SHAPE_RAY && shapes[i] != KN_SHAPE_NEAREST) {
            assert_non_null(entity);
            assert_true(kn_entity_id_equal(
                entity->entity, shapes[i] == KN_SHAPE_SELF ? r->f->hero : r->f->foe));
            continue;
        }
        assert_non_null(hit); // a ray touches a ball of radius 0.5, the nearest are where they are
        bool is_ray = shapes[i] == KN_SHAPE_RAY;
        assert_true(kn_entity_id_equal(hit->entity, r->f->foe));
        assert_true(hit->point.x == (is_ray ? 9.5f : 10.0f) && hit->point.y == 0.0f);
        assert_true(hit->distance == (is_ray ? 9.5f : 10.0f));
        assert_true(!is_ray || hit->normal.x == -1.0f);
    }
}

// TGT-002, TGT-024: ground under the cursor, with the direction it was looked at from.
static void a_point_is_where_the_ray_ends(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Ground", KN_SHAPE_POINT);
    kn_targeting_id ground = targeting_register(r, &def);
    range_begin(r);
    kn_target_data data;
    assert_true(kn_targeting_query(r->f->world, ground, r->f->hero, &data));
    assert_int_equal(data.count, 1);
    const kn_target_location *location =
        kn_target_get(kn_target_data_view(&data), 0, kn_target_type_location());
    assert_non_null(location);
    assert_true(location->position.x == 9.5f && location->direction.x == 1.0f);
    look(r, 0.0f, 1.0f);
    assert_true(kn_targeting_query(r->f->world, ground, r->f->hero, &data));
    location = kn_target_get(kn_target_data_view(&data), 0, kn_target_type_location());
    assert_true(location->position.y == 20.0f && location->position.x == 0.0f);
    // Along every axis it is the start plus the way.
    place(r, r->f->hero, 3.0f, -40.0f);
    look(r, 0.6f, -0.8f);
    assert_true(kn_targeting_query(r->f->world, ground, r->f->hero, &data));
    location = kn_target_get(kn_target_data_view(&data), 0, kn_target_type_location());
    assert_float_equal(location->position.x, 15.0f, 1e-4f);
    assert_float_equal(location->position.y, -56.0f, 1e-4f);
    assert_float_equal(location->position.z, 0.0f, 1e-4f);
    assert_float_equal(location->direction.x, 0.6f, 1e-6f);
    assert_float_equal(location->direction.y, -0.8f, 1e-6f);
}

// Who has a body elsewhere aims from there.
static void targeting_starts_at_the_avatar(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Around", KN_SHAPE_SPHERE);
    def.radius = 3.0f;
    kn_targeting_id around = targeting_register(r, &def);
    range_begin(r);
    assert_true(kn_grid_remove(r->grid, r->f->hero));
    kn_target_data data;
    assert_false(kn_targeting_query(r->f->world, around, r->f->hero, &data));
    kn_entity_id body = spawn(r, 9.0f, 2.0f);
    assert_int_equal(kn_entity_set_avatar(r->f->world, r->f->hero, body), KN_OK);
    expect_query(r, around, "2 "); // the foe, and not the own body
}

// Filters -------------------------------------------------------------------

static bool accept_even(void *user, const kn_world *world, kn_entity_id entity)
{
    (void)world;
    return entity.index1 % 2 == *(const uint32_t *)user;
}

// TGT-027, TGT-028, TGT-029, GAPA-047, TVA-066
static void filters_leave_out_the_asker_tags_and_whom_a_predicate_rejects(void **state)
{
    range *r = *state;
    static uint32_t even = 0;
    kn_targeting_def def = targeting_def("Others", KN_SHAPE_SPHERE);
    kn_targeting_id others = targeting_register(r, &def);
    def.name = "All";
    def.includes_self = true;
    kn_targeting_id all = targeting_register(r, &def);
    def.name = "Even";
    def.accept = accept_even;
    def.user = &even;
    kn_targeting_id evens = targeting_register(r, &def);
    def = targeting_def("Living", KN_SHAPE_SPHERE);
    def.tags.required = tags_of(r->f, "Creature");
    def.tags.ignored = tags_of(r->f, "State.Dead");
    kn_targeting_id living = targeting_register(r, &def);
    def = targeting_def("One", KN_SHAPE_SPHERE);
    def.limit = 1;
    kn_targeting_id one = targeting_register(r, &def);
    def = targeting_def("Doors", KN_SHAPE_SPHERE);
    def.layers = 2;
    kn_targeting_id doors = targeting_register(r, &def);
    range_begin(r);
    kn_entity_id third = spawn(r, 5.0f, 0.0f);
    expect_query(r, others, "2 3 ");
    expect_query(r, all, "1 2 3 ");
    expect_query(r, evens, "2 ");
    expect_query(r, living, "");
    assert_int_equal(
        kn_entity_add_tag(r->f->world, third, tag_of(r->f, "Creature"), KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
    expect_query(r, living, "3 ");
    assert_int_equal(
        kn_entity_add_tag(r->f->world, third, tag_of(r->f, "State.Dead"), KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
    expect_query(r, living, "");
    expect_query(r, one, "2 ");
    expect_query(r, doors, "");
    kn_body door = kn_body_default();
    door.layers = 2;
    assert_int_equal(kn_grid_set_body(r->grid, third, &door), KN_OK);
    expect_query(r, doors, "3 ");
}

// Confirming ----------------------------------------------------------------

static void range_with_count(range *r, kn_confirm confirm, kn_time interval)
{
    kn_targeting_def def = targeting_def("Count", KN_SHAPE_CUSTOM);
    def.find = find_and_count;
    def.user = r;
    def.interval = interval;
    r->targeting = targeting_register(r, &def);
    r->confirm = confirm;
    aim_register(r);
    range_begin(r);
}

// TGT-013, TVA-059
static void instant_targets_are_told_after_one_look(void **state)
{
    range *r = *state;
    range_with_count(r, KN_CONFIRM_INSTANT, 0);
    aim(r);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    target_step(r, KN_MS(100));
    step(r->f, KN_MS(100));
    assert_int_equal(r->looks, 1);
    EXPECT_LOG(r->f, "");
}

static void instant_targets_may_be_nobody(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_INSTANT);
    look(r, 0.0f, 1.0f);
    aim(r);
    EXPECT_LOG(r->f, "fired. ");
    assert_true(kn_ability_is_active(r->f->world, r->ability));
}

// TGT-010, TGT-013, TGT-020, TVA-060
static void the_player_confirms_what_was_seen_last(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    kn_entity_id third = spawn(r, 0.0f, 5.0f);
    aim(r);
    check_futures(r);
    look(r, -1.0f, 0.0f);
    target_step(r, KN_MS(16));
    check_futures(r);
    look(r, 0.0f, 1.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(kn_target_count(kn_task_targets(r->f->world, r->task)), 1);
    check_futures(r);
    EXPECT_LOG(r->f, "");
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT), KN_OK);
    EXPECT_LOG(r->f, "fired 3. ");
    assert_int_equal(third.index1, 3);
    assert_false(kn_task_is_alive(r->f->world, r->task));
    step(r->f, KN_MS(16));
}

// TGT-013, TGT-020, TVA-060
static void the_player_cancels(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    aim(r);
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CANCEL_INPUT), KN_OK);
    EXPECT_LOG(r->f, "cancelled. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    assert_int_equal(kn_target_cancel(r->f->world, r->task), KN_REFUSED_STALE_ID);
}

// TGT-013: the calls do what the inputs do.
static void calls_confirm_and_cancel_as_inputs_do(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    const char *const expected[] = {"fired 2. ", "cancelled. ", "fired 2. ", "cancelled. "};
    for (uint32_t i = 0; i < 4; i++) {
        aim(r);
        assert_int_equal(kn_input_confirm(r->f->world, r->f->foe), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_input_cancel(r->f->world, r->f->foe), KN_REFUSED_NOT_FOUND);
        EXPECT_LOG(r->f, "");
        kn_result result = i == 0   ? kn_target_confirm(r->f->world, r->task)
                           : i == 1 ? kn_target_cancel(r->f->world, r->task)
                           : i == 2 ? kn_input_confirm(r->f->world, r->f->hero)
                                    : kn_input_cancel(r->f->world, r->f->hero);
        assert_int_equal(result, KN_OK);
        EXPECT_LOG(r->f, expected[i]);
        assert_int_equal(kn_task_count(r->f->world), 0);
        assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    }
}

// An aim at nothing is not confirmed; the press goes to nobody else either.
static void nothing_cannot_be_confirmed(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    look(r, 0.0f, 1.0f);
    aim(r);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT), KN_OK);
    EXPECT_LOG(r->f, "");
    assert_true(kn_task_is_alive(r->f->world, r->task));
    look(r, 1.0f, 0.0f);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_NOT_FOUND);
    target_step(r, 0);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
}

// TASK-015, TGT-013, TVA-061: found by its name, and deaf to the player's inputs.
static void the_ability_confirms_once(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_CUSTOM);
    aim(r);
    (void)kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT);
    (void)kn_input_press(r->f->world, r->f->hero, CANCEL_INPUT);
    EXPECT_LOG(r->f, "");
    kn_task_id task = kn_task_find(r->f->world, r->activation, r->name);
    assert_true(kn_task_id_equal(task, r->task));
    assert_int_equal(kn_target_confirm(r->f->world, task), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    aim(r);
    task = kn_task_find(r->f->world, r->activation, r->name);
    assert_int_equal(kn_target_cancel(r->f->world, task), KN_OK);
    EXPECT_LOG(r->f, "cancelled. ");
}

// TGT-013, TGT-016, GAPA-045, OPT-007, TVA-061: one task serves an automatic rifle, without new
// memory.
static void the_ability_confirms_again_and_again(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_CUSTOM_MULTI);
    aim(r);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    }
    EXPECT_LOG(r->f, "fired 2. fired 2. fired 2. ");
    assert_true(kn_task_is_alive(r->f->world, r->task));
    check_futures(r);
    uint64_t allocations = kn_world_get_stats(r->f->world).allocations;
    for (uint32_t i = 0; i < 100; i++) {
        look(r, i % 2 == 0 ? 1.0f : -1.0f, 0.0f);
        target_step(r, KN_MS(16));
        (void)kn_target_confirm(r->f->world, r->task);
        step(r->f, KN_MS(16));
        r->f->log[0] = 0;
    }
    assert_int_equal(kn_world_get_stats(r->f->world).allocations, allocations);
    assert_int_equal(kn_target_cancel(r->f->world, r->task), KN_OK);
    EXPECT_LOG(r->f, "cancelled. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
}

// TGT-017: hooks may confirm, from the activation and from the answer itself.
static void hooks_may_confirm(void **state)
{
    range *r = *state;
    r->confirms_again = true;
    r->confirms_at_once = true;
    range_with_ray(r, KN_CONFIRM_CUSTOM_MULTI);
    aim(r);
    EXPECT_LOG(r->f, "fired 2. fired 2. fired 2. fired 2. ");
    assert_true(kn_task_is_alive(r->f->world, r->task));
    step(r->f, KN_MS(16));
}

// TGT-017: two at once; the first answer ends the activation of both.
static void end_at_the_first(const kn_ability_call *call, const kn_task_result *result)
{
    aim_told(call, result);
    assert_int_equal(kn_activation_end(call->world, call->activation), KN_OK);
}

static kn_result aim_twice(const kn_ability_call *call)
{
    kn_result result = aim_activate(call);
    return result == KN_OK ? aim_activate(call) : result;
}

static void a_confirmation_survives_what_its_answer_changes(void **state)
{
    range *r = *state;
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &targeting);
    r->confirm = KN_CONFIRM_USER;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Twice";
    def.activate = aim_twice;
    def.task_done = end_at_the_first;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    aim(r);
    assert_int_equal(kn_task_count(r->f->world), 2);
    assert_int_equal(kn_input_confirm(r->f->world, r->f->hero), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    step(r->f, KN_MS(16));
}

// TGT-014, GAPA-045, TVA-063
static void a_way_to_confirm_that_a_type_does_not_know_is_refused(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Ground", KN_SHAPE_POINT);
    def.confirms = 1u << KN_CONFIRM_USER;
    r->targeting = targeting_register(r, &def);
    aim_register(r);
    range_begin(r);
    for (uint32_t i = 0; i < KN_CONFIRM_COUNT; i++) {
        r->confirm = (kn_confirm)i;
        kn_result expected = i == KN_CONFIRM_USER ? KN_OK : KN_REFUSED_REQUIREMENT;
        assert_int_equal(kn_ability_activate(r->f->world, r->ability, NULL, NULL), expected);
        assert_int_equal(r->refused, expected);
        (void)kn_ability_cancel(r->f->world, r->ability);
        assert_int_equal(kn_task_count(r->f->world), 0);
    }
    r->confirm = KN_CONFIRM_COUNT;
    assert_int_equal(
        kn_ability_activate(r->f->world, r->ability, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    r->confirm = KN_CONFIRM_USER;
    r->targeting.index1 = 0;
    assert_int_equal(
        kn_ability_activate(r->f->world, r->ability, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    r->targeting.index1 = 99;
    assert_int_equal(
        kn_ability_activate(r->f->world, r->ability, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
}

// Looking -------------------------------------------------------------------

// TGT-015, GAPA-045, OPT-007
static void a_task_looks_no_more_often_than_its_interval(void **state)
{
    range *r = *state;
    range_with_count(r, KN_CONFIRM_USER, KN_MS(100));
    aim(r);
    assert_int_equal(r->looks, 1);
    for (uint32_t i = 0; i < 10; i++) {
        target_step(r, KN_MS(30)); // looks at 120 and 240 ms
    }
    assert_int_equal(r->looks, 3);
    assert_int_equal(kn_targeting_now(r->f->world), KN_MS(300));
    target_step(r, KN_S(10));
    assert_int_equal(r->looks, 4);
    check_futures(r);
}

static void a_task_without_an_interval_looks_at_every_step(void **state)
{
    range *r = *state;
    range_with_count(r, KN_CONFIRM_USER, 0);
    aim(r);
    for (uint32_t i = 0; i < 5; i++) {
        target_step(r, KN_MS(1));
    }
    target_step(r, 0);
    assert_int_equal(r->looks, 7);
    step(r->f, KN_S(1));
    assert_int_equal(r->looks, 7);
}

static void range_with_persistence(range *r, bool persists)
{
    kn_targeting_def def = targeting_def("Lock", KN_SHAPE_RAY);
    def.persists = persists;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    aim(r);
}

// TGT-023, TGT-035, TVA-064
static void a_plain_target_is_lost_with_the_aim(void **state)
{
    range *r = *state;
    range_with_persistence(r, false);
    assert_int_equal(seen_count(r), 1);
    look(r, 0.0f, 1.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 0);
    look(r, 1.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 1);
    assert_true(kn_entity_destroy(r->f->world, r->f->foe));
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 0);
}

// TGT-023, TGT-035, TVA-064, GAPA-045
static void a_persistent_target_stays_until_it_dies_or_another_comes(void **state)
{
    range *r = *state;
    range_with_persistence(r, true);
    kn_entity_id third = spawn(r, 0.0f, 8.0f);
    look(r, -1.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 1);
    check_futures(r);
    look(r, 0.0f, 1.0f);
    target_step(r, KN_MS(16));
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(kn_entity_id_equal(reticle.target, third));
    look(r, -1.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_true(kn_entity_destroy(r->f->world, third));
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 0);
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_false(reticle.is_valid);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_NOT_FOUND);
}

// TGT-023: of several, those who died go.
static void the_dead_leave_a_list_that_persists(void **state)
{
    range *r = *state;
    range_with_persistence(r, true);
    kn_entity_id behind = spawn(r, 15.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 2);
    look(r, 0.0f, 1.0f);
    assert_true(kn_entity_destroy(r->f->world, r->f->foe));
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 1);
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(kn_entity_id_equal(reticle.target, behind));
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    EXPECT_LOG(r->f, "fired 3. ");
}

// Showing -------------------------------------------------------------------

// Publishes and notes the reticle events.
static void note_reticles(range *r)
{
    step(r->f, 0);
    kn_events events = kn_world_events(r->f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_RETICLE) {
            assert_true(kn_task_id_equal(event->data.reticle.task, r->task));
            assert_true(kn_entity_id_equal(event->entity, r->f->hero));
            note(r->f, "%s %u%s. ", event->data.reticle.is_valid ? "on" : "off",
                event->data.reticle.target.index1, event->data.reticle.is_entity ? "" : " place");
        }
    }
}

// TGT-030, TGT-033, TVA-067
static void the_reticle_is_told_when_its_target_comes_goes_or_changes(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    (void)spawn(r, 0.0f, 8.0f);
    aim(r);
    note_reticles(r);
    EXPECT_LOG(r->f, "on 2. ");
    target_step(r, KN_MS(16));
    note_reticles(r);
    EXPECT_LOG(r->f, ""); // the same target is not published again
    look(r, -1.0f, 0.0f);
    target_step(r, KN_MS(16));
    look(r, 1.0f, 0.0f);
    target_step(r, KN_MS(16));
    look(r, 0.0f, 1.0f);
    target_step(r, KN_MS(16));
    note_reticles(r);
    EXPECT_LOG(r->f, "off 0 place. on 2. on 3. ");
}

// TGT-011, TGT-030, TGT-032, TGT-033, GAPA-047
static void a_reticle_knows_where_to_stand_and_at_whom(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Area", KN_SHAPE_SPHERE);
    def.reticle_scale = (kn_vec3){3.0f, 3.0f, 1.0f};
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    aim(r);
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_int_equal(reticle.targeting.index1, r->targeting.index1);
    assert_true(kn_entity_id_equal(reticle.source, r->f->hero));
    assert_true(kn_entity_id_equal(reticle.target, r->f->foe));
    assert_true(reticle.is_valid && reticle.is_entity);
    assert_true(reticle.location.x == 10.0f);
    assert_true(reticle.scale.x == 3.0f && reticle.scale.z == 1.0f);
    place(r, r->f->foe, 11.0f, 0.0f); // it follows between two looks
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(reticle.location.x == 11.0f);
}

typedef struct ring {
    float radius;
    uint32_t colour;
} ring;

static bool find_ring(const kn_targeting_call *call, kn_target_data *out)
{
    const kn_library *library = kn_world_library(call->world);
    ring record = {2.5f, 0xff8800};
    kn_target_location place = {.position = {1.0f, 2.0f, 3.0f}};
    return kn_target_add(library, out, kn_target_type_location(), &place) == KN_OK &&
           kn_target_add(library, out, kn_target_type_find(library, "Ring"), &record) == KN_OK;
}

// TGT-032: what the scale cannot say is a record of the game's own beside the targets.
static void a_reticle_may_have_parameters_of_its_own(void **state)
{
    range *r = *state;
    const kn_field fields[] = {KN_FIELD_INIT("radius", KN_FIELD_F32, offsetof(ring, radius), 1),
        KN_FIELD_INIT("colour", KN_FIELD_U32, offsetof(ring, colour), 1)};
    kn_target_type_def type = kn_target_type_def_default();
    type.name = "Ring";
    type.size = sizeof(ring);
    type.fields = fields;
    type.field_count = 2;
    kn_target_type_id id;
    assert_int_equal(kn_target_type_register(r->f->library, &type, &id, NULL), KN_OK);
    kn_targeting_def def = targeting_def("Ring", KN_SHAPE_CUSTOM);
    def.find = find_ring;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    aim(r);
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(reticle.is_valid && !reticle.is_entity && reticle.location.y == 2.0f);
    assert_true(reticle.scale.x == 1.0f && reticle.scale.y == 1.0f && reticle.scale.z == 1.0f);
    const ring *seen = kn_target_get(kn_task_targets(r->f->world, r->task), 1, id);
    assert_non_null(seen);
    assert_true(seen->radius == 2.5f && seen->colour == 0xff8800);
    check_futures(r);
}

static void a_reticle_of_a_place_is_valid_and_no_entity(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Ground", KN_SHAPE_POINT);
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    look(r, 0.0f, 1.0f);
    aim(r);
    note_reticles(r);
    EXPECT_LOG(r->f, "on 0 place. ");
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(reticle.is_valid);
    assert_false(reticle.is_entity);
    assert_true(reticle.location.y == 20.0f);
    check_futures(r);
}

// Data from elsewhere -------------------------------------------------------

static kn_result provide(range *r, kn_entity_id entity)
{
    kn_target_data data = {0};
    kn_target_entity record = {entity};
    assert_int_equal(kn_target_add(r->f->library, &data, kn_target_type_entity(), &record), KN_OK);
    return kn_target_provide(r->f->world, r->task, kn_target_data_view(&data));
}

// TGT-021
static void data_from_elsewhere_must_name_whom_the_type_accepts(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Checked", KN_SHAPE_RAY);
    def.tags.ignored = tags_of(r->f, "State.Dead");
    def.layers = 1;
    def.limit = 1;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    kn_entity_id dead = spawn(r, 3.0f, 3.0f), gone = spawn(r, 4.0f, 3.0f);
    kn_entity_id other = spawn(r, 5.0f, 3.0f), nowhere;
    assert_int_equal(kn_entity_create(r->f->world, &nowhere), KN_OK);
    kn_body body = kn_body_default();
    body.layers = 2;
    assert_int_equal(kn_grid_set_body(r->grid, other, &body), KN_OK);
    kn_tag dead_tag = tag_of(r->f, "State.Dead");
    assert_int_equal(kn_entity_add_tag(r->f->world, dead, dead_tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_true(kn_entity_destroy(r->f->world, gone));
    look(r, 0.0f, 1.0f);
    aim(r);
    const kn_entity_id refused[] = {r->f->hero, dead, gone, other, nowhere};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(provide(r, refused[i]), KN_REFUSED_CUSTOM);
        assert_true(kn_task_is_alive(r->f->world, r->task));
    }
    EXPECT_LOG(r->f, "");
    assert_int_equal(provide(r, r->f->foe), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_int_equal(provide(r, r->f->foe), KN_REFUSED_STALE_ID);
}

static void more_data_than_the_limit_is_refused(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    (void)spawn(r, 5.0f, 5.0f);
    aim(r);
    kn_target_data data = {0};
    kn_target_entity records[2] = {{r->f->foe}, {{3, 0}}};
    records[1].entity = kn_entity_next(r->f->world, r->f->foe);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_target_add(r->f->library, &data, kn_target_type_entity(), &records[i]), KN_OK);
    }
    assert_int_equal(
        kn_target_provide(r->f->world, r->task, kn_target_data_view(&data)), KN_REFUSED_CUSTOM);
}

static bool in_front(const kn_targeting_call *call, kn_target_view data)
{
    kn_vec3 position;
    return call->task.index1 != 0 && kn_target_position(data, &position) && position.x > 0.0f;
}

// TGT-021
static void a_hook_has_the_say_over_data_from_elsewhere(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Ground", KN_SHAPE_POINT);
    def.validate = in_front;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_CUSTOM_MULTI;
    aim_register(r);
    range_begin(r);
    aim(r);
    kn_target_data data = {0};
    kn_target_location behind = {.position = {-1.0f, 0.0f, 0.0f}};
    assert_int_equal(
        kn_target_add(r->f->library, &data, kn_target_type_location(), &behind), KN_OK);
    kn_target_view view = kn_target_data_view(&data);
    assert_int_equal(kn_target_provide(r->f->world, r->task, view), KN_REFUSED_CUSTOM);
    kn_target_location *place = kn_target_get_mutable(&data, 0, kn_target_type_location());
    place->position.x = 1.0f;
    assert_int_equal(kn_target_provide(r->f->world, r->task, view), KN_OK);
    EXPECT_LOG(r->f, "fired. ");
    // What the task itself sees is another matter.
    kn_reticle reticle;
    assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_true(reticle.location.x == 9.5f);
    data.size -= 8;
    assert_int_equal(
        kn_target_provide(r->f->world, r->task, kn_target_data_view(&data)), KN_ERROR_BAD_DATA);
    assert_int_equal(
        kn_target_provide(r->f->world, r->task, (kn_target_view){NULL, 0}), KN_ERROR_BAD_DATA);
    assert_int_equal(
        kn_target_provide(r->f->world, r->task, (kn_target_view){NULL, 16}), KN_ERROR_BAD_DATA);
    assert_true(kn_task_is_alive(r->f->world, r->task));
}

// TGT-004, TGT-039: the data of the event that started the ability.
static void targets_come_out_of_the_event(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("FromEvent", KN_SHAPE_EVENT);
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_INSTANT;
    aim_register(r);
    range_begin(r);
    kn_target_data data = {0};
    kn_target_entity record = {r->f->foe};
    assert_int_equal(kn_target_add(r->f->library, &data, kn_target_type_entity(), &record), KN_OK);
    kn_event_record event = kn_event_record_default();
    event.data = data.bytes;
    event.data_size = data.size;
    assert_int_equal(kn_ability_activate(r->f->world, r->ability, &event, &r->activation), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    event.data_size = data.size - 4; // malformed: nobody
    r->confirm = KN_CONFIRM_USER;
    assert_int_equal(kn_ability_activate(r->f->world, r->ability, &event, &r->activation), KN_OK);
    assert_int_equal(seen_count(r), 0);
    check_futures(r);
}

// Time ----------------------------------------------------------------------

// A server that lets a client aim: when it has waited long enough it looks itself, or gives up.
static void late_told(const kn_ability_call *call, const kn_task_result *result)
{
    range *r = call->user;
    aim_told(call, result);
    if (result->output != KN_TASK_TIMED_OUT) {
        return;
    }
    if (r->looks > 0) {
        kn_target_data data;
        kn_entity_id found = {0};
        assert_true(kn_targeting_query(call->world, r->targeting, call->owner, &data));
        assert_int_equal(kn_target_entities(kn_target_data_view(&data), &found, 1), 1);
        note(r->f, "looks: %u. ", found.index1);
    } else {
        assert_int_equal(kn_activation_cancel(call->world, call->activation), KN_OK);
    }
}

// TGT-026: what nobody has to confirm waits for the client for so long and no longer; what a player
// has to confirm waits for ever.
static void a_server_does_not_wait_for_a_client_for_ever(void **state)
{
    range *r = *state;
    r->timeout = KN_MS(500);
    r->confirm = KN_CONFIRM_CUSTOM; // the client's data will do
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &targeting);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Late";
    def.activate = aim_activate;
    def.task_done = late_told;
    def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    assert_int_equal(kn_entity_set_connection(r->f->world, r->f->hero, 4), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        r->looks = i;
        aim(r);
        step(r->f, KN_MS(499));
        EXPECT_LOG(r->f, "");
        step(r->f, KN_MS(1));
        EXPECT_LOG(r->f, i == 0 ? "timed out. " : "timed out. looks: 2. ");
        assert_int_equal(kn_activation_is_alive(r->f->world, r->activation), i == 1);
        (void)kn_ability_cancel(r->f->world, r->ability);
    }
    aim(r); // in time
    step(r->f, KN_MS(499));
    kn_target_data data = {0};
    kn_target_entity record = {r->f->foe};
    assert_int_equal(kn_target_add(r->f->library, &data, kn_target_type_entity(), &record), KN_OK);
    assert_int_equal(kn_target_provide(r->f->world, r->task, kn_target_data_view(&data)), KN_OK);
    step(r->f, KN_S(1));
    EXPECT_LOG(r->f, "fired 2. ");
    (void)kn_ability_cancel(r->f->world, r->ability);
    r->confirm = KN_CONFIRM_USER;
    r->timeout = 0; // the default
    aim(r);
    step(r->f, KN_S(3600));
    EXPECT_LOG(r->f, "");
    assert_true(kn_task_is_alive(r->f->world, r->task));
}

static void a_task_that_nobody_confirms_times_out(void **state)
{
    range *r = *state;
    r->timeout = KN_MS(500);
    range_with_ray(r, KN_CONFIRM_USER);
    aim(r);
    step(r->f, KN_MS(300));
    check_futures(r);
    target_step(r, KN_S(5)); // the clock of targeting has no part in it
    EXPECT_LOG(r->f, "");
    step(r->f, KN_MS(300));
    EXPECT_LOG(r->f, "timed out. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    assert_true(kn_ability_is_active(r->f->world, r->ability));
}

static void a_confirmed_task_does_not_time_out(void **state)
{
    range *r = *state;
    r->timeout = KN_MS(500);
    range_with_ray(r, KN_CONFIRM_USER);
    aim(r);
    step(r->f, KN_MS(300));
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    step(r->f, KN_S(1));
    EXPECT_LOG(r->f, "fired 2. ");
}

// TVA-073, GAPA-050, COM-008: the simulation is paused, aiming continues.
static void aiming_goes_on_while_the_simulation_is_paused(void **state)
{
    range *r = *state;
    kn_effect_def slow = timed("Slow", 2.0f);
    kn_effect_type_id slow_type = effect_register(r->f, &slow);
    kn_targeting_def def = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(r->f->world, slow_type, r->f->hero, r->f->hero, 1.0f, &effect),
        KN_OK);
    look(r, 0.0f, 1.0f);
    aim(r);
    for (uint32_t i = 0; i < 300; i++) {
        target_step(r, KN_MS(16));
    }
    assert_int_equal(kn_world_now(r->f->world), 0);
    assert_true(kn_effect_is_alive(r->f->world, effect));
    look(r, 1.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    step(r->f, KN_MS(1999));
    assert_true(kn_effect_is_alive(r->f->world, effect));
    step(r->f, KN_MS(1));
    assert_false(kn_effect_is_alive(r->f->world, effect));
}

static void the_clock_of_targeting_refuses_nonsense(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    assert_int_equal(kn_targeting_step(r->f->world, -1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_targeting_step(r->f->world, INT64_MAX), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_targeting_step(r->f->world, KN_TIME_MAX), KN_OK);
    assert_int_equal(kn_targeting_step(r->f->world, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_targeting_now(r->f->world), KN_TIME_MAX);
    assert_int_equal(kn_targeting_now(NULL), 0);
    aim(r);
    target_step(r, 0);
}

static void the_longest_interval_ends_with_time(void **state)
{
    range *r = *state;
    range_with_count(r, KN_CONFIRM_USER, KN_TIME_MAX);
    target_step(r, KN_S(1));
    aim(r);
    target_step(r, KN_S(1));
    assert_int_equal(r->looks, 1);
    check_futures(r);
}

static kn_result step_inside(const kn_ability_call *call)
{
    assert_int_equal(kn_targeting_step(call->world, KN_MS(1)), KN_ERROR_WORLD_LOCKED);
    return aim_activate(call);
}

static void a_hook_cannot_advance_the_clock_of_targeting(void **state)
{
    range *r = *state;
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &targeting);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Inside";
    def.activate = step_inside;
    def.task_done = aim_told;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    aim(r);
    EXPECT_LOG(r->f, "fired 2. ");
}

static const struct CMUnitTest tests[] = {
    RANGE(each_shape_finds_its_targets),
    RANGE(each_shape_has_its_kind_of_record),
    RANGE(a_point_is_where_the_ray_ends),
    RANGE(targeting_starts_at_the_avatar),
    RANGE(filters_leave_out_the_asker_tags_and_whom_a_predicate_rejects),
    RANGE(instant_targets_are_told_after_one_look),
    RANGE(instant_targets_may_be_nobody),
    RANGE(the_player_confirms_what_was_seen_last),
    RANGE(the_player_cancels),
    RANGE(calls_confirm_and_cancel_as_inputs_do),
    RANGE(nothing_cannot_be_confirmed),
    RANGE(the_ability_confirms_once),
    RANGE(the_ability_confirms_again_and_again),
    RANGE(hooks_may_confirm),
    RANGE(a_confirmation_survives_what_its_answer_changes),
    RANGE(a_way_to_confirm_that_a_type_does_not_know_is_refused),
    RANGE(a_task_looks_no_more_often_than_its_interval),
    RANGE(a_task_without_an_interval_looks_at_every_step),
    RANGE(a_plain_target_is_lost_with_the_aim),
    RANGE(a_persistent_target_stays_until_it_dies_or_another_comes),
    RANGE(the_dead_leave_a_list_that_persists),
    RANGE(the_reticle_is_told_when_its_target_comes_goes_or_changes),
    RANGE(a_reticle_knows_where_to_stand_and_at_whom),
    RANGE(a_reticle_may_have_parameters_of_its_own),
    RANGE(a_reticle_of_a_place_is_valid_and_no_entity),
    RANGE(data_from_elsewhere_must_name_whom_the_type_accepts),
    RANGE(more_data_than_the_limit_is_refused),
    RANGE(a_hook_has_the_say_over_data_from_elsewhere),
    RANGE(targets_come_out_of_the_event),
    RANGE(a_server_does_not_wait_for_a_client_for_ever),
    RANGE(a_task_that_nobody_confirms_times_out),
    RANGE(a_confirmed_task_does_not_time_out),
    RANGE(aiming_goes_on_while_the_simulation_is_paused),
    RANGE(the_clock_of_targeting_refuses_nonsense),
    RANGE(the_longest_interval_ends_with_time),
    RANGE(a_hook_cannot_advance_the_clock_of_targeting),
};

TEST_GROUP(targeting, tests, NULL, NULL);
