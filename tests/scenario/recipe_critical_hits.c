// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/critical-hits.md

#include "scenario/recipe.h"

#define STREAM_CRIT 0
#define ROLL_CRIT 0

typedef struct gun {
    fixture *f;
    kn_tag can_crit;
    bool is_predicted; // rolls by the activation, not from the world's stream
    kn_effect_type_id shot, plain_shot;
    kn_ability_type_id shoot;
} gun;

enum { CRIT_CHANCE, CRIT_DAMAGE };

static void shot_damage(void *user, kn_execution *execution)
{
    const gun *g = user;
    kn_world *world = kn_execution_world(execution);
    const kn_spec_view *spec = kn_execution_spec(execution);
    float damage = 40.0f;
    if (kn_spec_view_has_asset_tag(spec, g->can_crit)) {
        float drawn = g->is_predicted
                          ? kn_activation_random(world, kn_spec_view_activation(spec), ROLL_CRIT)
                          : kn_random_float(world, STREAM_CRIT);
        if (drawn < kn_execution_capture(execution, CRIT_CHANCE)) {
            damage += kn_execution_capture(execution, CRIT_DAMAGE);
        }
    }
    kn_execution_output(execution, g->f->health, 0, KN_OP_ADD, -damage);
}

static kn_result shoot(const kn_ability_call *call)
{
    const gun *g = call->user;
    kn_result result = kn_activation_commit(call->world, call->activation);
    if (result == KN_OK) {
        result = kn_activation_apply(call->world, call->activation, g->shot, g->f->foe, NULL);
    }
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static kn_effect_type_id shot_register(
    fixture *f, const char *name, kn_execution_id execution, kn_tags tags)
{
    kn_execution_use use = {.execution = execution};
    kn_effect_def def = instant(name);
    def.executions = &use;
    def.execution_count = 1;
    def.asset_tags = tags;
    return effect_register(f, &def);
}

static kn_attribute_set_id gun_register(fixture *f, gun *g, float chance)
{
    g->f = f;
    g->can_crit = tag_of(f, "Effect.CanCrit");
    kn_attribute_def attributes[2] = {
        attribute_def("CritChance", chance), attribute_def("CritDamage", 20.0f)};
    kn_attribute_set_id set = set_register(f, "Gun", attributes, 2);
    kn_capture captures[2] = {{.attribute = kn_attribute_find(f->library, "Gun.CritChance")},
        {.attribute = kn_attribute_find(f->library, "Gun.CritDamage")}};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "ShotDamage";
    execution.captures = captures;
    execution.capture_count = 2;
    execution.function = shot_damage;
    execution.user = g;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &execution, &id, NULL), KN_OK);
    g->shot = shot_register(f, "Shot", id, (kn_tags){&g->can_crit, 1});
    g->plain_shot = shot_register(f, "PlainShot", id, (kn_tags){NULL, 0});
    kn_cooldown_def cooldown = kn_cooldown_seconds(0.5f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Shoot";
    def.activate = shoot;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.user = g;
    g->shoot = ability_register(f, &def);
    return set;
}

static float health_lost(fixture *f, kn_world *world, kn_effect_type_id type)
{
    float before = kn_attribute_value(world, f->foe, f->health);
    assert_int_equal(kn_effect_apply_simple(world, type, f->hero, f->foe, 1.0f, NULL), KN_OK);
    return before - kn_attribute_value(world, f->foe, f->health);
}

// The hash covers the random streams: equal hashes, nothing drawn.
static void expect_losses(fixture *f, gun *g, float chance, float expected)
{
    kn_attribute_set_id set = gun_register(f, g, chance);
    recipe_begin(f, set);
    // The luck of who is shot has no part in it.
    set_base(f, f->foe, kn_attribute_find(f->library, "Gun.CritChance"), 1.0f - chance);
    set_base(f, f->foe, kn_attribute_find(f->library, "Gun.CritDamage"), 7.0f);
    assert_true(health_lost(f, f->world, g->shot) == expected);
    set_base(f, f->foe, f->health, 100.0f);
    uint64_t before = kn_world_hash(f->world);
    assert_true(health_lost(f, f->world, g->plain_shot) == 40.0f);
    set_base(f, f->foe, f->health, 100.0f);
    assert_true(kn_world_hash(f->world) == before);
}

// COM-006, TVA-070
static void a_sure_crit_adds_its_damage(void **state)
{
    gun g = {0};
    expect_losses(*state, &g, 1.0f, 60.0f);
}

// COM-006, TVA-070
static void a_crit_without_a_chance_never_comes(void **state)
{
    gun g = {0};
    expect_losses(*state, &g, 0.0f, 40.0f);
}

enum { CHEST = 1, HEAD };

// Where it hit takes the place of the roll.
static void aimed_damage(void *user, kn_execution *execution)
{
    const gun *g = user;
    kn_target_view targets = kn_spec_view_targets(kn_execution_spec(execution));
    const kn_target_hit *hit = kn_target_get(targets, 0, kn_target_type_hit());
    float damage = 40.0f;
    if (hit != NULL && hit->part == HEAD) {
        damage += kn_execution_capture(execution, 0);
    }
    kn_execution_output(execution, g->f->health, 0, KN_OP_ADD, -damage);
}

// COM-006: head shots.
static void a_hit_in_the_head_adds_its_damage_without_a_roll(void **state)
{
    fixture *f = *state;
    gun g = {0};
    kn_attribute_set_id set = gun_register(f, &g, 0.5f);
    kn_capture capture = {.attribute = kn_attribute_find(f->library, "Gun.CritDamage")};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "AimedDamage";
    execution.captures = &capture;
    execution.capture_count = 1;
    execution.function = aimed_damage;
    execution.user = &g;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &execution, &id, NULL), KN_OK);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = shot_register(f, "Aimed", id, (kn_tags){NULL, 0});
    recipe_begin(f, set);
    apply.source = f->hero;
    apply.target = f->foe;
    uint64_t before = kn_world_hash(f->world);
    const uint32_t parts[3] = {CHEST, HEAD, CHEST};
    const float losses[3] = {40.0f, 60.0f, 40.0f};
    for (uint32_t i = 0; i < 3; i++) {
        kn_target_data data = {0};
        kn_target_hit hit = {.entity = f->foe, .part = parts[i]};
        assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
        kn_effect_context context = {.targets = data.bytes, .target_size = data.size};
        apply.context = &context;
        assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
        assert_true(kn_attribute_value(f->world, f->foe, f->health) == 100.0f - losses[i]);
        set_base(f, f->foe, f->health, 100.0f);
        assert_true(kn_world_hash(f->world) == before); // nothing was drawn
    }
}

static kn_world *second_world(fixture *f, kn_attribute_set_id set, uint64_t seed)
{
    kn_world *world;
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.seed = seed;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        assert_int_equal(kn_attribute_set_add(world, entity, f->set, 0), KN_OK);
        assert_int_equal(kn_attribute_set_add(world, entity, set, 0), KN_OK);
    }
    return world;
}

// Thirty shots, one a second, as a bit each; `refused` also tries twice each time.
static uint32_t crits_of(fixture *f, const gun *g, kn_world *world, bool refused)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = g->shoot;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(world, f->hero, &def, &ability), KN_OK);
    uint32_t crits = 0;
    for (uint32_t i = 0; i < 30; i++) {
        assert_int_equal(kn_attribute_set_base(world, f->foe, f->health, 0, 100.0f), KN_OK);
        assert_int_equal(kn_ability_activate(world, ability, NULL, NULL), KN_OK);
        if (refused) {
            assert_int_equal(kn_ability_activate(world, ability, NULL, NULL), KN_REFUSED_COOLDOWN);
        }
        crits |= (uint32_t)(kn_attribute_value(world, f->foe, f->health) == 40.0f) << i;
        assert_int_equal(kn_world_step(world, KN_S(1)), KN_OK);
    }
    return crits;
}

// COM-005, COM-006, GAPA-014, TVA-046
static void client_and_server_roll_the_same_also_after_refusals(void **state)
{
    fixture *f = *state;
    gun g = {.is_predicted = true};
    kn_attribute_set_id set = gun_register(f, &g, 0.5f);
    kn_world_def def = kn_world_def_default();
    def.seed = 77;
    begin_with(f, def);
    kn_world *server = second_world(f, set, 77), *client = second_world(f, set, 77);
    kn_world *other_match = second_world(f, set, 78);
    uint32_t on_server = crits_of(f, &g, server, false);
    assert_int_equal(crits_of(f, &g, client, true), on_server);
    assert_int_not_equal(crits_of(f, &g, other_match, false), on_server);
    assert_true(on_server != 0 && on_server != 0x3fffffff);
    kn_world_destroy(server);
    kn_world_destroy(client);
    kn_world_destroy(other_match);
}

static const struct CMUnitTest tests[] = {
    TEST(a_sure_crit_adds_its_damage),
    TEST(a_crit_without_a_chance_never_comes),
    TEST(a_hit_in_the_head_adds_its_damage_without_a_roll),
    TEST(client_and_server_roll_the_same_also_after_refusals),
};

TEST_GROUP(recipe_critical_hits, tests, NULL, NULL);
