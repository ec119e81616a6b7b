// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Experience and levels.

#include "rts/rts_test.h"

#include <math.h>

typedef struct game {
    fixture f;
    kn_attribute_id damage;
    kn_rts_unit_def def;
    kn_rts_unit_type_id type;
    kn_entity_id hero;
    kn_effect_type_id blessing; // +5 on the base of Damage
    kn_attribute_set_id combat;
    // What hooks have seen.
    uint32_t applied, level_in_effect, level_in_experience, read_count, read_level, changed;
    kn_result (*in_experience)(struct game *g, kn_world *world, kn_entity_id unit);
} game;

static game *game_of(void *user)
{
    return user;
}

static kn_result on_experience(void *user, const kn_hook_call *call)
{
    game *g = user;
    g->level_in_experience = kn_rts_level(call->world, call->entity);
    return g->in_experience != NULL ? g->in_experience(g, call->writable, call->entity) : KN_OK;
}

static kn_result on_read(void *user, const kn_hook_call *call)
{
    const kn_rts_init_call *c = call->arguments;
    if (c->is_initial == 0) {
        game_of(user)->read_count++;
        game_of(user)->read_level = c->level;
    }
    return KN_OK;
}

static kn_result on_level(void *user, const kn_hook_call *call)
{
    const kn_rts_level_call *c = call->arguments;
    assert_int_equal(kn_rts_level(call->world, call->entity), c->after);
    game_of(user)->changed++;
    return KN_OK;
}

static void post_execute(void *user, const kn_execute_data *data)
{
    game_of(user)->applied++;
    game_of(user)->level_in_effect = kn_rts_level(data->world, data->entity);
}

// 100 experience for each level, at most level 5, as the vectors have it.
static game *game_open(void)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    fixture_open(&g->f);
    kn_attribute_def damage = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    damage.name = "Damage";
    set.name = "Combat";
    set.attributes = &damage;
    set.attribute_count = 1;
    set.hooks.user = g;
    set.hooks.post_execute = post_execute;
    assert_int_equal(kn_attribute_set_register(g->f.library, &set, &g->combat, NULL), KN_OK);
    g->damage = attribute_named(&g->f, "Combat.Damage");
    g->blessing = instant_add(&g->f, "Blessing", g->damage, KN_OP_ADD, 5);
    g->def = kn_rts_unit_def_default();
    g->def.name = "Hero";
    g->def.can_level = true;
    g->def.max_level = 5;
    g->def.experience_per_level = kn_constant(100);
    g->def.level_effect = g->blessing;
    g->def.sets = &g->combat;
    g->def.set_count = 1;
    g->def.experience_changed = (kn_hook){on_experience, g};
    g->def.initialized = (kn_hook){on_read, g};
    g->def.level_changed = (kn_hook){on_level, g};
    return g;
}

static void game_begin(game *g)
{
    g->type = unit_type_add(&g->f, &g->def);
    world_begin(&g->f);
    g->hero = unit_create(&g->f, g->type, g->f.us);
}

static game *game_create(void)
{
    game *g = game_open();
    game_begin(g);
    return g;
}

static void game_destroy(game *g)
{
    fixture_close(&g->f);
    free(g);
}

static void give(game *g, float amount)
{
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, amount), KN_OK);
}

#define LEVEL(g, number) assert_int_equal(kn_rts_level((g)->f.world, (g)->hero), number)
#define HAS(g, what, number)                                                                       \
    assert_true(kn_rts_##what((g)->f.world, (g)->hero) == (number)) /* floats that are exact */

// RTS-014, RTS-050, RTSV-X1
static void levels_need_the_sum_of_what_comes_before(void **state)
{
    game *g = game_create();
    (void)state;
    const float totals[] = {0, 0, 100, 200, 300, 400, 400};
    for (uint32_t level = 0; level < 7; level++) {
        assert_true(kn_rts_experience_for_level(g->f.library, g->type, level) == totals[level]);
    }
    game_destroy(g);
}

// RTSV-X2, RTSV-X3, RTS-048, RTS-051, RTS-052, RTS-053, RTS-056
static void reaching_the_threshold_counts(void **state)
{
    game *g = game_create();
    (void)state;
    give(g, 99);
    LEVEL(g, 1);
    HAS(g, level_experience, 99);
    HAS(g, next_level_experience, 100);
    HAS(g, level_progress, 99.0f / 100.0f);
    assert_int_equal(g->applied, 0);
    give(g, 1);
    LEVEL(g, 2);
    HAS(g, level_experience, 0);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 1);
    assert_int_equal(g->applied, 1);
    assert_true(kn_rts_can_level(g->f.world, g->hero));
    game_destroy(g);
}

// RTSV-X4, RTSV-X5, RTS-015, RTS-055, RTS-057, RTS-058, RTS-023, RTS-024
static void several_levels_at_once_apply_the_effect_once(void **state)
{
    game *g = game_create();
    (void)state;
    give(g, 250);
    LEVEL(g, 3);
    HAS(g, level_experience, 50);
    HAS(g, level_progress, 0.5f);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 2);
    assert_int_equal(g->applied, 1);
    assert_int_equal(g->read_count, 1);
    assert_int_equal(g->read_level, 3);
    assert_int_equal(g->changed, 1);
    assert_string_equal(events_of(&g->f, g->hero), "experience 0->250@1 points 0->2 level 1->3");
    game_destroy(g);
}

// RTSV-X6, RTSV-X7, RTSV-X9, RTS-013, RTS-048, RTS-053, RTS-054
static void experience_ends_at_the_highest_level(void **state)
{
    game *g = game_create();
    (void)state;
    give(g, 10000);
    LEVEL(g, 5);
    HAS(g, experience, 10000);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 4);
    HAS(g, level_progress, 1);
    HAS(g, next_level_experience, 0);
    (void)events_of(&g->f, g->hero);
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, 50), KN_REFUSED_LIMIT);
    HAS(g, experience, 10000);
    assert_string_equal(events_of(&g->f, g->hero), "");
    assert_true(kn_rts_can_level(g->f.world, g->hero));
    game_destroy(g);
}

// RTSV-X8, RTS-011, RTS-012, RTS-054: the default is that units do not level.
static void units_that_do_not_level_gain_nothing(void **state)
{
    game *g = game_open();
    (void)state;
    assert_false(kn_rts_unit_def_default().can_level);
    g->def.can_level = false;
    g->def.level = 3;
    game_begin(g);
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, 50), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 2), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_rts_set_points(g->f.world, g->hero, 2), KN_REFUSED_REQUIREMENT);
    HAS(g, experience, 0);
    HAS(g, level_experience, 0);
    HAS(g, level_progress, 1);
    LEVEL(g, 3);
    assert_false(kn_rts_can_level(g->f.world, g->hero));
    assert_string_equal(events_of(&g->f, g->hero), "");
    game_destroy(g);
}

// RTSV-X10, RTSV-X11
static void a_curve_has_another_number_for_each_level(void **state)
{
    game *g = game_open();
    (void)state;
    const kn_curve_id curve =
        curve_add(&g->f, "Experience", (const float[]){100, 150, 225, 300}, 4);
    g->def.experience_per_level = kn_by_level(1, curve);
    game_begin(g);
    assert_true(kn_rts_experience_for_level(g->f.library, g->type, 4) == 475);
    give(g, 260);
    LEVEL(g, 3);
    HAS(g, level_experience, 10);
    HAS(g, next_level_experience, 225);
    game_destroy(g);
}

// RTSV-X12, RTSV-X13, RTSV-X14, RTS-057
static void a_level_set_by_hand_changes_last(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 3), KN_OK);
    assert_int_equal(g->level_in_effect, 1);
    LEVEL(g, 3);
    assert_string_equal(events_of(&g->f, g->hero), "points 0->2 level 1->3 experience 0->200@3");
    g->applied = g->read_count = 0;
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 3), KN_OK);
    assert_int_equal(g->applied + g->read_count, 0);
    assert_string_equal(events_of(&g->f, g->hero), "");
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 9), KN_OK);
    LEVEL(g, 5);
    assert_int_equal(g->applied, 1);
    assert_int_equal(g->read_level, 5);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 4);
    game_destroy(g);
}

// RTSV-X21, RTS-058, RTS-061, RTS-063: experience follows a level that was set, so that the next
// gain does not change it; each level gives its points once.
static void lower_levels_keep_points_and_apply_no_effect(void **state)
{
    game *g = game_create();
    (void)state;
    give(g, 100);
    LEVEL(g, 2);
    g->applied = 0;
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 0), KN_OK);
    LEVEL(g, 1);
    HAS(g, experience, 0);
    assert_int_equal(g->applied, 0);
    assert_int_equal(g->read_level, 1);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 1);
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 3), KN_OK);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 2); // one of them is for level 3
    give(g, 1);
    LEVEL(g, 3);
    HAS(g, experience, 201);
    // The level itself is lowered from 3 to 2, above 1, without the effect.
    g->applied = 0;
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 2), KN_OK);
    assert_int_equal(g->applied, 0);
    HAS(g, experience, 100);
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, INT32_MIN), KN_OK);
    LEVEL(g, 1);
    game_destroy(g);
}

// RTSV-X15, RTS-062: rules see the old level when experience changes, on the authority.
static void experience_changes_before_the_level(void **state)
{
    game *g = game_create();
    (void)state;
    give(g, 100);
    assert_int_equal(g->level_in_experience, 1);
    LEVEL(g, 2);
    game_destroy(g);
}

// RTSV-X16, RTS-028, RTS-016
static void units_begin_with_the_experience_of_their_level(void **state)
{
    game *g = game_open();
    (void)state;
    g->def.level = 3;
    g->def.ability_points = 2;
    game_begin(g);
    HAS(g, experience, 200);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 2);
    give(g, 1);
    LEVEL(g, 3);
    assert_int_equal(g->applied, 0);
    give(g, 99);
    LEVEL(g, 4);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 3);
    game_destroy(g);
}

// RTSV-X17, RTS-017, RTS-049
static void a_kill_gives_experience_by_the_level_of_the_killed(void **state)
{
    game *g = game_open();
    (void)state;
    const kn_curve_id curve = curve_add(&g->f, "Granted", (const float[]){10, 20, 30}, 3);
    g->def.granted_experience = kn_by_level(1, curve);
    game_begin(g);
    HAS(g, granted_experience, 10);
    assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 3), KN_OK);
    HAS(g, granted_experience, 30);
    assert_int_equal(kn_rts_set_granted_experience(g->f.world, g->hero, 7), KN_OK);
    HAS(g, granted_experience, 7);
    assert_int_equal(
        kn_rts_set_granted_experience(g->f.world, g->hero, INFINITY), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_rts_set_granted_experience(g->f.world, g->hero, -1), KN_OK);
    HAS(g, granted_experience, 30);
    assert_true(kn_rts_granted_experience(g->f.world, g->f.us) == 0);
    game_destroy(g);
}

static game *game_with_table(void)
{
    game *g = game_open();
    (void)curve_add(&g->f, "Hero.Damage", (const float[]){10, 12}, 2);
    return g;
}

// RTSV-X18, RTS-059, RTS-060
static void tables_overwrite_what_the_level_effect_did(void **state)
{
    game *g = game_with_table();
    (void)state;
    game_begin(g);
    assert_true(kn_attribute_value(g->f.world, g->hero, g->damage) == 10);
    give(g, 100);
    assert_int_equal(g->applied, 1);
    assert_true(kn_attribute_value(g->f.world, g->hero, g->damage) == 12);
    game_destroy(g);
}

// RTS-059: the order can be turned round.
static void the_level_effect_may_come_last(void **state)
{
    game *g = game_with_table();
    (void)state;
    g->def.level_effect_last = true;
    game_begin(g);
    give(g, 100);
    assert_true(kn_attribute_value(g->f.world, g->hero, g->damage) == 17);
    assert_int_equal(g->level_in_effect, 1);
    game_destroy(g);
}

// RTSV-X19, RTS-059
static void lasting_effects_survive_another_level(void **state)
{
    game *g = game_with_table();
    (void)state;
    const kn_modifier_def modifier = kn_modifier_constant(g->damage, KN_OP_ADD, 5);
    kn_effect_def def = kn_effect_def_default();
    kn_effect_type_id buff;
    def.name = "Buff";
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    assert_int_equal(kn_effect_register(g->f.library, &def, &buff, NULL), KN_OK);
    game_begin(g);
    assert_int_equal(kn_effect_apply_simple(g->f.world, buff, g->f.us, g->hero, 1, NULL), KN_OK);
    assert_true(kn_attribute_value(g->f.world, g->hero, g->damage) == 15);
    give(g, 100);
    assert_true(kn_attribute_base(g->f.world, g->hero, g->damage) == 12);
    assert_true(kn_attribute_value(g->f.world, g->hero, g->damage) == 17);
    game_destroy(g);
}

// RTSV-X20, RTS-054: bad numbers change nothing.
static void bad_amounts_are_refused(void **state)
{
    game *g = game_create();
    (void)state;
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, -10), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_rts_add_experience(g->f.world, g->hero, INFINITY), KN_REFUSED_BAD_NUMBER);
    give(g, 50);
    assert_string_equal(events_of(&g->f, g->hero), "experience 0->50@1");
    give(g, 0);
    assert_string_equal(events_of(&g->f, g->hero), "");
    assert_int_equal(kn_rts_add_experience(g->f.world, g->f.us, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_rts_add_experience(g->f.world, (kn_entity_id){99, 1}, 1), KN_REFUSED_STALE_ID);
    game_destroy(g);
}

static kn_result gain_more(game *g, kn_world *world, kn_entity_id unit)
{
    g->in_experience = NULL;
    assert_int_equal(kn_rts_add_experience(world, unit, 100), KN_OK);
    HAS(g, experience, 150); // not yet
    assert_int_equal(kn_rts_set_points(world, unit, 9), KN_OK);
    return KN_OK;
}

// What a hook asks of its own unit comes when the call is done.
static void calls_of_hooks_wait(void **state)
{
    game *g = game_create();
    (void)state;
    g->in_experience = gain_more;
    give(g, 150);
    HAS(g, experience, 250);
    LEVEL(g, 3);
    assert_int_equal(kn_rts_points(g->f.world, g->hero), 9);
    assert_string_equal(events_of(&g->f, g->hero),
        "experience 0->150@1 points 0->1 level 1->2 experience 150->250@2 points 1->2 "
        "level 2->3 points 2->9");
    game_destroy(g);
}

static kn_result gain_for_ever(game *g, kn_world *world, kn_entity_id unit)
{
    (void)g;
    assert_int_equal(kn_rts_add_experience(world, unit, 0.25f), KN_OK);
    return KN_OK;
}

// A hook that calls itself again and again ends in an error, not in a hang.
static void hooks_that_go_on_for_ever_are_cut(void **state)
{
    game *g = game_create();
    (void)state;
    g->in_experience = gain_for_ever;
    give(g, 0.25f);
    step_ms(&g->f, 10);
    HAS(g, experience, 0.25f * 257);
    const kn_events events = kn_world_events(g->f.world);
    uint32_t errors = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        errors += events.data[i].type == KN_EVENT_ERROR &&
                  events.data[i].data.error.code == KN_REFUSED_LIMIT;
    }
    assert_int_equal(errors, 1);
    g->in_experience = NULL;
    give(g, 1); // it works as before
    HAS(g, experience, 0.25f * 257 + 1);
    game_destroy(g);
}

static kn_result remove_it(game *g, kn_world *world, kn_entity_id unit)
{
    g->in_experience = NULL;
    assert_int_equal(kn_rts_unit_remove(world, unit), KN_OK);
    return KN_OK;
}

static void a_hook_may_end_the_unit(void **state)
{
    game *g = game_create();
    (void)state;
    g->in_experience = remove_it;
    give(g, 150);
    LEVEL(g, 0);
    assert_int_equal(g->applied, 0);
    assert_int_equal(kn_rts_unit_get_type(g->f.world, g->hero).index1, 0);
    assert_int_equal(kn_rts_unit_add(g->f.world, g->hero, g->type), KN_OK);
    LEVEL(g, 1);
    HAS(g, experience, 0);
    game_destroy(g);
}

// A damaged save may say that a hook of a unit runs, and have calls that wait for it: neither
// counts once time goes on.
static void a_unit_waits_for_no_hook_of_a_save(void **state)
{
    game *g = game_create();
    const kn_component_type_id type = kn_component_find(g->f.library, "Knack.RtsTurn");
    (void)state;
    for (uint32_t busy = 0; busy < 2; busy++) {
        uint32_t *turn = kn_component_add(g->f.world, type, g->hero);
        assert_non_null(turn);
        *turn = busy;
        uint32_t *call = kn_component_resize(g->f.world, type, g->hero, 1);
        assert_non_null(call);
        call[0] = 1; // to set the level
        call[2] = 5;
        step_ms(&g->f, 10);
        give(g, 100);
        LEVEL(g, 2 + busy);
    }
    assert_null(kn_component_read(g->f.world, type, g->hero));
    game_destroy(g);
}

static void expect_bad(void (*spoil)(game *g), bool at_finish, const char *words)
{
    game *g = game_open();
    kn_error error = {0};
    spoil(g);
    kn_result result = kn_rts_unit_register(g->f.library, &g->def, NULL, &error);
    if (at_finish) {
        assert_int_equal(result, KN_OK);
        result = kn_library_finish(g->f.library, &error);
    }
    assert_int_equal(result, KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("`%s` is not in `%s`", words, error.message);
    }
    game_destroy(g);
}

static void without_max(game *g)
{
    g->def.max_level = 0;
}

static void with_too_many(game *g)
{
    g->def.max_level = KN_RTS_LEVEL_MAX + 1;
}

static void without_experience(game *g)
{
    g->def.experience_per_level = kn_constant(0);
}

static void with_a_falling_curve(game *g)
{
    const kn_curve_id curve = curve_add(&g->f, "Falls", (const float[]){100, 50, -50}, 3);
    g->def.experience_per_level = kn_by_level(1, curve);
}

static void above_max(game *g)
{
    g->def.level = 6;
}

static void at_level_0(game *g)
{
    g->def.level = 0;
}

static void undead(game *g)
{
    static kn_tag alive;
    alive = kn_tag_find(g->f.library, "Knack.Status.Alive");
    g->def.death_tags_added = (kn_tags){&alive, 1};
}

// RTS-013, RTS-056, RTS-280: levels that make no sense are found when the library is made, so that
// no search for a level goes astray.
static void levels_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    expect_bad(without_max, false, "needs a `max_level` of 1 to 1000");
    expect_bad(with_too_many, false, "needs a `max_level` of 1 to 1000");
    expect_bad(above_max, false, "`level` 6 is above `max_level` 5");
    expect_bad(at_level_0, false, "`level` must be 1 to 1000");
    expect_bad(without_experience, true, "`experience_per_level` at level 1 must be above 0");
    expect_bad(with_a_falling_curve, true, "at level 3 must be above 0");
    expect_bad(undead, true, "`death_tags_added` must not have the tag of the living");
}

// Other tables count from the next gain on: they may raise a level, but do not lower it.
static void other_tables_do_not_lower_a_level(void **state)
{
    static const struct {
        float each;
        uint32_t level, points;
    } rows[] = {{150, 3, 2}, {50, 5, 4}};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        game *g = game_create(), *other = game_open();
        kn_error error = {0};
        give(g, 200);
        LEVEL(g, 3);
        other->def.experience_per_level = kn_constant(rows[i].each);
        other->type = unit_type_add(&other->f, &other->def);
        library_finish(&other->f);
        assert_int_equal(kn_world_reload(g->f.world, other->f.library, &error), KN_OK);
        LEVEL(g, 3);
        give(g, 1);
        LEVEL(g, rows[i].level);
        assert_int_equal(kn_rts_points(g->f.world, g->hero), rows[i].points);
        assert_int_equal(kn_rts_set_level(g->f.world, g->hero, 2), KN_OK);
        HAS(g, experience, rows[i].each);
        game_destroy(g);
        game_destroy(other);
    }
}

// RTS-271: a client changes nothing.
static void clients_are_refused(void **state)
{
    game *g = game_open();
    (void)state;
    g->type = unit_type_add(&g->f, &g->def);
    library_finish(&g->f);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    world_begin_with(&g->f, def);
    kn_world *world = g->f.world;
    const kn_entity_id unit = g->f.us;
    assert_int_equal(kn_rts_unit_add(world, unit, g->type), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_add_experience(world, unit, 1), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_set_level(world, unit, 1), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_set_points(world, unit, 1), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_kill(world, unit, unit), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_reset_abilities(world, unit), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_add_tags(world, unit, (kn_tags){0}), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_remove_tags(world, unit, (kn_tags){0}), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_read_attributes(world, unit, 1), KN_REFUSED_BLOCKED);
    game_destroy(g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(levels_need_the_sum_of_what_comes_before),
    cmocka_unit_test(reaching_the_threshold_counts),
    cmocka_unit_test(several_levels_at_once_apply_the_effect_once),
    cmocka_unit_test(experience_ends_at_the_highest_level),
    cmocka_unit_test(units_that_do_not_level_gain_nothing),
    cmocka_unit_test(a_curve_has_another_number_for_each_level),
    cmocka_unit_test(a_level_set_by_hand_changes_last),
    cmocka_unit_test(lower_levels_keep_points_and_apply_no_effect),
    cmocka_unit_test(experience_changes_before_the_level),
    cmocka_unit_test(units_begin_with_the_experience_of_their_level),
    cmocka_unit_test(a_kill_gives_experience_by_the_level_of_the_killed),
    cmocka_unit_test(tables_overwrite_what_the_level_effect_did),
    cmocka_unit_test(the_level_effect_may_come_last),
    cmocka_unit_test(lasting_effects_survive_another_level),
    cmocka_unit_test(bad_amounts_are_refused),
    cmocka_unit_test(calls_of_hooks_wait),
    cmocka_unit_test(hooks_that_go_on_for_ever_are_cut),
    cmocka_unit_test(a_hook_may_end_the_unit),
    cmocka_unit_test(a_unit_waits_for_no_hook_of_a_save),
    cmocka_unit_test(levels_that_make_no_sense_are_refused),
    cmocka_unit_test(other_tables_do_not_lower_a_level),
    cmocka_unit_test(clients_are_refused),
};

TEST_GROUP(rts_levels, tests, NULL, NULL);
