// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/aim-while-paused.md

#include "scenario/target_fixture.h"

// One frame of the host. A paused world is stepped by nothing at all: that publishes events.
static void frame(range *r, bool is_paused)
{
    const kn_time dt = KN_MS(20);
    assert_int_equal(kn_targeting_step(r->f->world, dt), KN_OK);
    assert_int_equal(kn_world_step(r->f->world, is_paused ? 0 : dt), KN_OK);
}

// What the host shows: where the reticle went since the last frame.
static uint32_t reticles(const range *r, kn_reticle *reticle)
{
    uint32_t count = 0;
    kn_events events = kn_world_events(r->f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_RETICLE) {
            (void)kn_task_reticle(r->f->world, events.data[i].data.reticle.task, reticle);
            count++;
        }
    }
    return count;
}

static void pause_begin(range *r, kn_ability_id *dash)
{
    kn_targeting_def ray = targeting_def("Ray", KN_SHAPE_RAY);
    r->targeting = targeting_register(r, &ray);
    r->confirm = KN_CONFIRM_USER;
    aim_register(r);
    kn_cooldown_def cooldown = kn_cooldown_seconds(3.0f);
    kn_ability_def def = ability_def(r->f, "Dash");
    def.commit = KN_COMMIT_AT_USE;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(r->f, &def);
    range_begin(r);
    *dash = grant(r->f, type);
    activate(r->f, *dash);
    r->f->log[0] = 0;
}

// COM-008, TVA-073, GAPA-050
static void the_player_aims_while_the_fight_stands_still(void **state)
{
    range *r = *state;
    kn_ability_id dash;
    pause_begin(r, &dash);
    frame(r, false);
    look(r, 0.0f, 1.0f);
    aim(r);
    kn_time before, after, total;
    assert_true(kn_ability_cooldown(r->f->world, dash, &before, &total));
    for (uint32_t i = 0; i < 100; i++) {
        frame(r, true);
    }
    kn_reticle reticle = {0};
    assert_int_equal(reticles(r, &reticle), 0);
    look(r, 1.0f, 0.0f);
    frame(r, true);
    assert_int_equal(reticles(r, &reticle), 1);
    assert_true(reticle.is_valid && reticle.location.x == 9.5f);
    assert_int_equal(kn_input_press(r->f->world, r->f->hero, CONFIRM_INPUT), KN_OK);
    EXPECT_LOG(r->f, "fired 2. ");
    assert_true(kn_ability_cooldown(r->f->world, dash, &after, &total));
    assert_int_equal(after, before);
    assert_int_equal(kn_world_now(r->f->world), KN_MS(20));
    frame(r, false);
    assert_true(kn_ability_cooldown(r->f->world, dash, &after, &total));
    assert_int_equal(after, before - KN_MS(20));
}

static const struct CMUnitTest tests[] = {
    RANGE(the_player_aims_while_the_fight_stands_still),
};

TEST_GROUP(recipe_pause, tests, NULL, NULL);
