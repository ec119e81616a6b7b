// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Targeting at its edges: containers, things that go away, spaces that answer nothing, defs that
// make no sense.

#include "scenario/target_fixture.h"

// Containers ----------------------------------------------------------------

typedef struct bomb {
    kn_effect_type_id burn;
    kn_tag amount;
    kn_container_id by_targeting, by_data;
} bomb;

static bomb bomb_register(range *r)
{
    bomb b = {0};
    b.amount = tag_of(r->f, "Caller.Amount");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = r->f->health;
    modifier.magnitude = kn_magnitude_set_by_caller(b.amount);
    kn_effect_def burn = instant("Burn");
    burn.modifiers = &modifier;
    burn.modifier_count = 1;
    b.burn = effect_register(r->f, &burn);
    kn_targeting_def around = targeting_def("Around", KN_SHAPE_SPHERE);
    kn_container_def def = kn_container_def_default();
    def.name = "Blast";
    def.effects = &b.burn;
    def.effect_count = 1;
    def.target = KN_CONTAINER_TARGETING;
    def.targeting_type = targeting_register(r, &around);
    assert_int_equal(kn_container_register(r->f->library, &def, &b.by_targeting, NULL), KN_OK);
    def.name = "Shot";
    def.target = KN_CONTAINER_DATA;
    assert_int_equal(kn_container_register(r->f->library, &def, &b.by_data, NULL), KN_OK);
    return b;
}

static kn_container_apply_def bomb_apply(
    range *r, const bomb *b, kn_container_id container, kn_container_value *value)
{
    value->type = b->burn; // by its type, not by its place
    value->value.tag = b->amount;
    value->value.value = -30.0f;
    kn_container_apply_def apply = kn_container_apply_def_default();
    apply.container = container;
    apply.source = r->f->hero;
    apply.values = value;
    apply.value_count = 1;
    return apply;
}

static float health_of(const range *r, kn_entity_id entity)
{
    return kn_attribute_value(r->f->world, entity, r->f->health);
}

// TGT-036, TGT-037, TGT-038, TGT-039, GAPA-048, GAPA-049, OPT-007
static void a_container_finds_its_targets_by_a_targeting_type(void **state)
{
    range *r = *state;
    bomb b = bomb_register(r);
    range_begin(r);
    kn_entity_id third = spawn(r, 5.0f, 0.0f);
    assert_int_equal(kn_attribute_set_add(r->f->world, third, r->f->set, 0), KN_OK);
    kn_container_value value;
    kn_container_apply_def apply = bomb_apply(r, &b, b.by_targeting, &value);
    uint32_t applied;
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_OK);
    assert_int_equal(applied, 2);
    assert_true(health_of(r, r->f->hero) == 100.0f);
    assert_true(health_of(r, r->f->foe) == 70.0f && health_of(r, third) == 70.0f);
    kn_world_set_space(r->f->world, NULL);
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_OK);
    assert_int_equal(applied, 0);
    apply.source = (kn_entity_id){0};
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_REFUSED_STALE_ID);
}

// TGT-004, TGT-036, GAPA-048: a projectile applies it on impact to those it hit, each once.
static void a_container_reaches_whom_target_data_names(void **state)
{
    range *r = *state;
    bomb b = bomb_register(r);
    range_begin(r);
    kn_entity_id gone = spawn(r, 5.0f, 0.0f);
    assert_true(kn_entity_destroy(r->f->world, gone));
    kn_target_data data = {0};
    kn_target_hit hits[3] = {{.entity = r->f->foe}, {.entity = r->f->foe}, {.entity = gone}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_target_add(r->f->library, &data, kn_target_type_hit(), &hits[i]), KN_OK);
    }
    kn_container_value value;
    kn_container_apply_def apply = bomb_apply(r, &b, b.by_data, &value);
    apply.data = data.bytes;
    apply.data_size = data.size;
    uint32_t applied;
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_OK);
    assert_int_equal(applied, 1);
    assert_true(health_of(r, r->f->foe) == 70.0f);
    apply.data_size -= 8;
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_ERROR_BAD_DATA);
    assert_int_equal(applied, 0);
    assert_true(health_of(r, r->f->foe) == 70.0f);
    apply.data = NULL;
    apply.data_size = 0;
    assert_int_equal(kn_container_apply(r->f->world, &apply, &applied), KN_OK);
    assert_int_equal(applied, 0);
}

// Reuse ---------------------------------------------------------------------

// TASK-025, TGT-016: one targeting type serves every task, one after the other and at once, in each
// of the ways targets can be confirmed; nothing is made for it and nothing goes with it.
static void one_targeting_type_serves_any_number_of_tasks(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_INSTANT);
    kn_world_stats before = kn_world_get_stats(r->f->world);
    for (uint32_t i = 0; i < 3; i++) {
        aim(r);
        EXPECT_LOG(r->f, "fired 2. ");
        assert_false(kn_task_is_alive(r->f->world, r->task)); // the task is over, the type is not
        assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    }
    assert_int_equal(kn_entity_count(r->f->world), 2);
    assert_int_equal(kn_world_get_stats(r->f->world).entities, before.entities);
    // An automatic rifle: one task that reports again and again, and another by the same type.
    r->confirm = KN_CONFIRM_CUSTOM_MULTI;
    aim(r);
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = r->targeting;
    def.confirm = KN_CONFIRM_USER;
    kn_task_id other;
    assert_int_equal(kn_task_run(r->f->world, r->activation, &def, &other), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    }
    EXPECT_LOG(r->f, "fired 2. fired 2. fired 2. ");
    check_futures(r);
    assert_true(kn_task_is_alive(r->f->world, r->task) && kn_task_is_alive(r->f->world, other));
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_false(kn_task_is_alive(r->f->world, other));
    assert_true(kn_task_is_alive(r->f->world, r->task));
}

// TGT-019: a server that looks for itself does so when it hears of the choice, however that comes:
// by the task, by the input, or by the call that stands for it.
static void a_server_that_looks_for_itself_looks_when_it_hears_of_the_choice(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Look", KN_SHAPE_RAY);
    def.server_looks = true;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    (void)spawn(r, 0.0f, 5.0f);
    for (uint32_t way = 0; way < 3; way++) {
        look(r, 1.0f, 0.0f);
        aim(r);
        assert_int_equal(seen_count(r), 1);
        for (uint32_t i = 0; i < 2; i++) { // at nobody, then at another: nobody looked meanwhile
            look(r, i == 0 ? -1.0f : 0.0f, i == 0 ? 0.0f : 1.0f);
            kn_result result = way == 0   ? kn_target_confirm(r->f->world, r->task)
                               : way == 1 ? kn_input_confirm(r->f->world, r->f->hero)
                                          : kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT);
            assert_int_equal(result, way == 0 && i == 0 ? KN_REFUSED_NOT_FOUND : KN_OK);
            EXPECT_LOG(r->f, i == 0 ? "" : "fired 3. ");
            assert_int_equal(kn_task_is_alive(r->f->world, r->task), i == 0);
        }
        assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    }
}

// What a look before a confirmation finds is a change like others.
static void a_look_for_a_confirmation_is_noted(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("Look", KN_SHAPE_RAY);
    def.server_looks = true;
    r->targeting = targeting_register(r, &def);
    r->confirm = KN_CONFIRM_CUSTOM_MULTI;
    aim_register(r);
    range_begin(r);
    (void)spawn(r, 0.0f, 5.0f);
    aim(r);
    assert_int_equal(kn_changes_follow(r->f->world, true), KN_OK);
    uint64_t version = kn_changes_version(r->f->world);
    look(r, 0.0f, 1.0f);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    EXPECT_LOG(r->f, "fired 3. ");
    kn_changes changes = kn_changes_since(r->f->world, r->f->hero, version);
    assert_int_equal(changes.changed >> KN_PART_ABILITIES & 1, 1);
}

// What goes away ------------------------------------------------------------

static void targeting_ends_with_its_activation_and_its_owner(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    aim(r);
    assert_int_equal(kn_activation_cancel(r->f->world, r->activation), KN_OK);
    assert_int_equal(kn_task_count(r->f->world), 0);
    kn_reticle reticle;
    assert_false(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_int_equal(kn_task_targets(r->f->world, r->task).size, 0);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_STALE_ID);
    aim(r);
    assert_true(kn_entity_destroy(r->f->world, r->f->hero));
    assert_int_equal(kn_task_count(r->f->world), 0);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_STALE_ID);
    target_step(r, KN_MS(16));
    step(r->f, KN_MS(16));
    EXPECT_LOG(r->f, "");
    kn_target_data data;
    assert_false(kn_targeting_query(r->f->world, r->targeting, r->f->hero, &data));
    assert_int_equal(data.size, 0);
}

static void a_body_that_goes_leaves_the_task_blind(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    aim(r);
    assert_true(kn_grid_remove(r->grid, r->f->hero));
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 0);
    check_futures(r);
    place(r, r->f->hero, 0.0f, 0.0f);
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 1);
}

// The body an owner had dies: nothing takes its place, and the task continues.
static void a_body_that_dies_takes_the_view_with_it(void **state)
{
    range *r = *state;
    kn_targeting_def self = targeting_def("Self", KN_SHAPE_SELF);
    kn_targeting_id self_id = targeting_register(r, &self);
    range_with_ray(r, KN_CONFIRM_USER);
    kn_entity_id body = spawn(r, 0.0f, 4.0f);
    assert_int_equal(kn_entity_set_avatar(r->f->world, r->f->hero, body), KN_OK);
    place(r, r->f->foe, 10.0f, 4.0f);
    aim(r);
    assert_int_equal(seen_count(r), 1);
    check_futures(r);
    assert_true(kn_entity_destroy(r->f->world, body));
    target_step(r, KN_MS(16));
    assert_int_equal(seen_count(r), 0);
    kn_target_data data;
    kn_entity_id found = r->f->hero;
    (void)kn_targeting_query(r->f->world, self_id, r->f->hero, &data);
    (void)kn_target_entities(kn_target_data_view(&data), &found, 1);
    assert_true(kn_entity_is_alive(r->f->world, found)); // never one who is gone
    check_futures(r);
}

static void step_from_listener(void *user, kn_world *world, const kn_event *event)
{
    (void)event;
    range *r = user;
    assert_int_equal(kn_targeting_step(world, KN_MS(16)), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_target_confirm(world, r->task), KN_OK);
}

static void a_listener_may_confirm_but_not_look(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_RETICLE;
    def.function = step_from_listener;
    def.user = r;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(r->f->world, &def, &listener), KN_OK);
    aim(r);
    EXPECT_LOG(r->f, "");
    step(r->f, KN_MS(16));
    EXPECT_LOG(r->f, "fired 2. ");
}

// TGT-025: without a space, or with one that answers nothing, nobody is found.
static void no_space_is_nobody(void **state)
{
    range *r = *state;
    static const kn_space nothing;
    const kn_space *const spaces[] = {NULL, &nothing};
    kn_targeting_id ids[KN_SHAPE_COUNT];
    for (uint32_t i = 0; i < KN_SHAPE_CUSTOM; i++) {
        char name[] = {'S', (char)('0' + i), 0};
        kn_targeting_def def = targeting_def(name, (kn_target_shape)i);
        ids[i] = targeting_register(r, &def);
    }
    r->targeting = ids[KN_SHAPE_RAY];
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    range_begin(r);
    for (uint32_t s = 0; s < 2; s++) {
        kn_world_set_space(r->f->world, spaces[s]);
        assert_ptr_equal(kn_world_space(r->f->world), spaces[s]);
        for (uint32_t i = 0; i < KN_SHAPE_CUSTOM; i++) {
            expect_query(r, ids[i], i == KN_SHAPE_SELF ? "1 " : "");
        }
        aim(r);
        target_step(r, KN_MS(16));
        kn_reticle reticle;
        assert_true(kn_task_reticle(r->f->world, r->task, &reticle));
        assert_false(reticle.is_valid);
        assert_int_equal(kn_activation_end(r->f->world, r->activation), KN_OK);
    }
}

static bool found_nothing(const kn_targeting_call *call, kn_target_data *out)
{
    kn_target_entity record = {call->avatar};
    (void)kn_target_add(kn_world_library(call->world), out, kn_target_type_entity(), &record);
    return false;
}

static void a_function_that_says_no_found_nothing(void **state)
{
    range *r = *state;
    kn_targeting_def def = targeting_def("No", KN_SHAPE_CUSTOM);
    def.find = found_nothing;
    kn_targeting_id no = targeting_register(r, &def);
    range_begin(r);
    expect_query(r, no, "");
}

static void null_arguments_and_stale_ids_are_answered(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    kn_target_data data;
    kn_reticle reticle;
    const kn_task_id stale = {1, 77};
    kn_world *world = r->f->world;
    assert_false(kn_targeting_query(world, r->targeting, r->f->hero, NULL));
    assert_false(kn_targeting_query(NULL, r->targeting, r->f->hero, &data));
    assert_false(kn_targeting_query(world, (kn_targeting_id){0}, r->f->hero, &data));
    assert_false(kn_targeting_query(world, (kn_targeting_id){99}, r->f->hero, &data));
    assert_false(kn_targeting_query(world, r->targeting, (kn_entity_id){9, 9}, &data));
    assert_int_equal(data.size, 0);
    assert_false(kn_task_reticle(world, stale, &reticle));
    assert_false(kn_task_reticle(NULL, stale, &reticle));
    assert_null(kn_task_targets(NULL, stale).data);
    assert_int_equal(kn_target_confirm(NULL, stale), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_target_confirm(world, stale), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_target_cancel(world, (kn_task_id){0}), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_target_provide(world, stale, (kn_target_view){NULL, 0}), KN_REFUSED_STALE_ID);
    kn_world_set_space(NULL, NULL);
    assert_null(kn_world_space(NULL));
    aim(r);
    assert_false(kn_task_reticle(world, r->task, NULL));
}

// A task of another kind is not confirmed, and one that was not started neither.
static kn_result wait_only(const kn_ability_call *call)
{
    range *r = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(1);
    kn_result result = kn_task_run(call->world, call->activation, &def, &r->task);
    assert_int_equal(kn_target_confirm(call->world, r->task), KN_REFUSED_STALE_ID);
    def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = r->targeting;
    def.confirm = KN_CONFIRM_USER;
    assert_int_equal(kn_task_create(call->world, call->activation, &def, &r->task), KN_OK);
    return result;
}

static void other_tasks_have_no_targets(void **state)
{
    range *r = *state;
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &targeting);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Wait";
    def.activate = wait_only;
    def.task_done = aim_told;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    aim(r);
    kn_reticle reticle;
    assert_false(kn_task_reticle(r->f->world, r->task, &reticle));
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_REFUSED_STALE_ID);
    target_step(r, KN_MS(16));
    check_futures(r);
    assert_int_equal(kn_task_start(r->f->world, r->task), KN_OK);
    assert_int_equal(kn_target_confirm(r->f->world, r->task), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
}

// Confirming in a hook ------------------------------------------------------

// Everything that makes a task's result final, from inside the hook that started it.
static kn_result aim_and_settle(const kn_ability_call *call)
{
    range *r = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_TARGET);
    def.targeting = r->targeting;
    def.confirm = r->confirm;
    assert_int_equal(kn_task_run(call->world, call->activation, &def, &r->task), KN_OK);
    kn_target_data seen = {0};
    kn_target_entity hero = {r->f->hero};
    assert_int_equal(kn_target_add(r->f->library, &seen, kn_target_type_entity(), &hero), KN_OK);
    switch (r->looks++) {
    case 0:
        assert_int_equal(kn_target_confirm(call->world, r->task), KN_OK);
        break;
    case 1:
        assert_int_equal(kn_target_cancel(call->world, r->task), KN_OK);
        break;
    default:
        assert_int_equal(
            kn_target_provide(call->world, r->task, kn_target_data_view(&seen)), KN_OK);
        break;
    }
    kn_result again =
        r->confirm == KN_CONFIRM_CUSTOM_MULTI && r->looks != 2 ? KN_OK : KN_REFUSED_STALE_ID;
    assert_int_equal(kn_target_confirm(call->world, r->task), again);
    assert_true(kn_task_is_alive(call->world, r->task));
    note(r->f, "hook returns. ");
    return KN_OK;
}

static void settle_begin(range *r, kn_confirm confirm)
{
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    targeting.includes_self = true;
    r->targeting = targeting_register(r, &targeting);
    r->confirm = confirm;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Settle";
    def.activate = aim_and_settle;
    def.task_done = aim_told;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    look(r, 1.0f, 0.0f);
}

static void the_result_of_a_target_comes_after_the_hook_that_made_it_final(void **state)
{
    range *r = *state;
    settle_begin(r, KN_CONFIRM_CUSTOM);
    aim(r);
    EXPECT_LOG(r->f, "hook returns. fired 1 2. ");
    aim(r);
    EXPECT_LOG(r->f, "hook returns. cancelled. ");
    aim(r);
    EXPECT_LOG(r->f, "hook returns. fired 1. ");
    assert_int_equal(kn_task_count(r->f->world), 0);
    check_futures(r);
}

static void a_target_that_is_confirmed_again_and_again_tells_each_time_after_the_hook(void **state)
{
    range *r = *state;
    settle_begin(r, KN_CONFIRM_CUSTOM_MULTI);
    aim(r);
    EXPECT_LOG(r->f, "hook returns. fired 1 2. fired 1 2. ");
    aim(r);
    EXPECT_LOG(r->f, "hook returns. cancelled. ");
    aim(r);
    EXPECT_LOG(r->f, "hook returns. fired 1. fired 1 2. ");
    assert_int_equal(kn_task_count(r->f->world), 2);
    check_futures(r);
}

// A result that waits in the queue is lost with its task, and what it carries is freed.
static kn_result provide_and_end(const kn_ability_call *call)
{
    range *r = call->user;
    kn_result result = aim_and_settle(call);
    assert_int_equal(kn_task_end(call->world, r->task), KN_OK);
    return result;
}

static void a_result_in_the_queue_is_lost_with_its_task(void **state)
{
    range *r = *state;
    kn_targeting_def targeting = targeting_def("Ray", KN_SHAPE_RAY);
    targeting.includes_self = true;
    r->targeting = targeting_register(r, &targeting);
    r->confirm = KN_CONFIRM_CUSTOM;
    r->looks = 2;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Settle";
    def.activate = provide_and_end;
    def.task_done = aim_told;
    def.user = r;
    r->aim = ability_register(r->f, &def);
    range_begin(r);
    aim(r);
    EXPECT_LOG(r->f, "hook returns. ");
    check_futures(r);
}

// Registering ---------------------------------------------------------------

static void expect_refused(range *r, const kn_targeting_def *def)
{
    kn_targeting_id id = {1};
    kn_error error = {0};
    assert_int_not_equal(kn_targeting_register(r->f->library, def, &id, &error), KN_OK);
    assert_int_equal(id.index1, 0);
    assert_int_not_equal(error.message[0], 0);
}

static void a_targeting_type_with_impossible_numbers_is_refused(void **state)
{
    range *r = *state;
    const float bad[] = {-1.0f, NAN, INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        kn_targeting_def def = targeting_def("Bad", KN_SHAPE_RAY);
        def.range = bad[i];
        expect_refused(r, &def);
        def = targeting_def("Bad", KN_SHAPE_RAY);
        def.radius = bad[i];
        expect_refused(r, &def);
        def = targeting_def("Bad", KN_SHAPE_RAY);
        def.cosine = bad[i] * 2.0f;
        expect_refused(r, &def);
        def = targeting_def("Bad", KN_SHAPE_RAY);
        def.offset.y = i == 0 ? -INFINITY : bad[i];
        expect_refused(r, &def);
    }
    kn_targeting_def def = targeting_def("Bad", KN_SHAPE_CUSTOM);
    expect_refused(r, &def);
    def = targeting_def("Bad", KN_SHAPE_COUNT);
    expect_refused(r, &def);
    def = targeting_def("Bad", KN_SHAPE_RAY);
    def.confirms = 0;
    expect_refused(r, &def);
    def.confirms = 1u << KN_CONFIRM_COUNT;
    expect_refused(r, &def);
    def = targeting_def("Bad", KN_SHAPE_RAY);
    def.interval = -1;
    expect_refused(r, &def);
    def.interval = INT64_MAX;
    expect_refused(r, &def);
    def = targeting_def("", KN_SHAPE_RAY);
    expect_refused(r, &def);
    def = targeting_def("Good", KN_SHAPE_RAY);
    (void)targeting_register(r, &def);
    expect_refused(r, &def); // the name is taken
}

// Recording -----------------------------------------------------------------

// What the player does, a letter each: aim, turn, look (a frame), confirm. Turning and looking are
// calls of the host between steps, which are noted; the others are commands.
static void player_acts(range *r, kn_world *world, char letter)
{
    kn_component_type_id type = kn_component_find(r->f->library, KN_GRID_BODY_NAME);
    if (letter == 't') {
        kn_body *body = kn_component_get(world, type, r->f->hero);
        body->facing.x = -body->facing.x;
    } else {
        assert_int_equal(kn_targeting_step(world, KN_MS(16)), KN_OK);
    }
}

static void record(range *r, kn_recording *recording, const char *letters)
{
    for (; *letters != 0; letters++) {
        kn_command_activate activate = {.ability = r->ability};
        kn_command command = {.type = kn_command_type_confirm(), .entity = r->f->hero};
        if (*letters == 'a') {
            command.type = kn_command_type_activate();
            command.payload = &activate;
            command.size = sizeof(activate);
        }
        if (*letters == 't' || *letters == 'l') {
            player_acts(r, r->f->world, *letters);
            assert_int_equal(kn_recording_note(recording, letters, 1), KN_OK);
        } else {
            assert_int_equal(kn_recording_command(recording, &command, NULL), KN_OK);
        }
        assert_int_equal(kn_recording_step(recording, KN_MS(16)), KN_OK);
    }
}

// The clock of targeting is state: a host that records notes when it advances it.
static void a_recording_replays_what_was_aimed_at(void **state)
{
    range *r = *state;
    range_with_ray(r, KN_CONFIRM_USER);
    kn_recording *recording;
    assert_int_equal(kn_recording_begin(r->f->world, &recording), KN_OK);
    record(r, recording, "taltlltlclltlc");
    EXPECT_LOG(r->f, "fired 2. ");
    size_t size, at = 0;
    const void *bytes = kn_recording_bytes(recording, &size);
    kn_world_def def = kn_world_def_default();
    def.library = r->f->library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    kn_grid *grid = grid_over(world);
    assert_int_equal(kn_recording_restore(world, bytes, size, NULL), KN_OK);
    kn_recorded_step recorded;
    uint32_t steps = 0;
    for (; kn_recording_next(bytes, size, &at, &recorded, NULL); steps++) {
        size_t entry = 0;
        uint32_t note_size;
        const char *letter = kn_recording_next_note(bytes, size, &recorded, &entry, &note_size);
        if (letter != NULL) {
            player_acts(r, world, *letter);
        }
        kn_command_data data;
        entry = 0;
        while (
            kn_recording_next_command(bytes, size, &recorded, &entry, r->f->library, &data, NULL)) {
            assert_int_equal(kn_world_command(world, &data.command, NULL), KN_OK);
        }
        assert_int_equal(kn_world_step(world, recorded.dt), KN_OK);
        assert_int_equal(kn_world_hash(world), recorded.hash);
    }
    assert_int_equal(steps, 14);
    EXPECT_LOG(r->f, "fired 2. ");
    kn_grid_destroy(grid);
    kn_world_destroy(world);
    kn_recording_destroy(recording);
}

static const struct CMUnitTest tests[] = {
    RANGE(a_container_finds_its_targets_by_a_targeting_type),
    RANGE(a_container_reaches_whom_target_data_names),
    RANGE(one_targeting_type_serves_any_number_of_tasks),
    RANGE(a_server_that_looks_for_itself_looks_when_it_hears_of_the_choice),
    RANGE(a_look_for_a_confirmation_is_noted),
    RANGE(targeting_ends_with_its_activation_and_its_owner),
    RANGE(a_body_that_goes_leaves_the_task_blind),
    RANGE(no_space_is_nobody),
    RANGE(a_function_that_says_no_found_nothing),
    RANGE(null_arguments_and_stale_ids_are_answered),
    RANGE(other_tasks_have_no_targets),
    RANGE(the_result_of_a_target_comes_after_the_hook_that_made_it_final),
    RANGE(a_target_that_is_confirmed_again_and_again_tells_each_time_after_the_hook),
    RANGE(a_result_in_the_queue_is_lost_with_its_task),
    RANGE(a_targeting_type_with_impossible_numbers_is_refused),
    RANGE(a_body_that_dies_takes_the_view_with_it),
    RANGE(a_listener_may_confirm_but_not_look),
    RANGE(a_recording_replays_what_was_aimed_at),
};

TEST_GROUP(targeting_edges, tests, NULL, NULL);
