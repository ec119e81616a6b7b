// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The sentence that tells where two worlds part names the thing concerned, whatever it is.

#define FIXTURE_OWN                                                                                \
    kn_world *worlds[2];                                                                           \
    kn_ability_type_id dash, shot, sip;                                                            \
    kn_effect_type_id burn, silence;                                                               \
    kn_timer_type_id stir;                                                                         \
    kn_component_type_id purse;                                                                    \
    kn_tag lit, aura, ammo;                                                                        \
    kn_entity_id bare;                                                                             \
    kn_ability_id abilities[3]; /* of the hero: dash, shot, sip */                                 \
    kn_activation_id running;

#include "scenario/ability_fixture.h"

static kn_time stir_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static kn_ability_type_id cooling(fixture *f, const char *name, kn_tag key)
{
    kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
    cooldown.charges = kn_constant(3.0f);
    cooldown.key = key;
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    return ability_register(f, &def);
}

static void pair_register(fixture *f)
{
    f->lit = tag_of(f, "State.Lit");
    f->aura = tag_of(f, "GameplayCue.Aura");
    f->ammo = tag_of(f, "Cooldown.Ammo");
    f->shot = cooling(f, "Shot", (kn_tag){0});
    f->sip = cooling(f, "Sip", f->ammo);
    kn_ability_def dash = kn_ability_def_default();
    dash.name = "Dash";
    f->dash = ability_register(f, &dash);
    kn_effect_def burn = kn_effect_def_default();
    burn.name = "Burn";
    burn.duration_kind = KN_DURATION_INFINITE;
    f->burn = effect_register(f, &burn);
    burn.name = "Silence";
    burn.blocked_ability_tags = tags_of(f, "Ability.Spell");
    f->silence = effect_register(f, &burn);
    assert_int_equal(
        kn_timer_type_register(f->library, "Stir", stir_fire, NULL, &f->stir, NULL), KN_OK);
    const kn_field gold = KN_FIELD_INIT("gold", KN_FIELD_U64, 0, 1);
    kn_component_def purse = kn_component_def_default();
    purse.name = "Purse";
    purse.size = sizeof(uint64_t);
    purse.fields = &gold;
    purse.field_count = 1;
    assert_int_equal(kn_component_register(f->library, &purse, &f->purse, NULL), KN_OK);
}

static int pair_setup(void **state)
{
    (void)setup(state);
    fixture *f = *state;
    pair_register(f);
    for (uint32_t i = 0; i < 2; i++) {
        begin(f);
        f->worlds[i] = f->world;
        f->bare = entity_create(f);
        const kn_ability_type_id types[3] = {f->dash, f->shot, f->sip};
        for (uint32_t a = 0; a < 3; a++) {
            f->abilities[a] = grant(f, types[a]);
        }
        f->running = activate(f, f->abilities[0]);
    }
    return 0;
}

static int pair_teardown(void **state)
{
    fixture *f = *state;
    assert_true(kn_world_validate(f->worlds[0]));
    kn_world_destroy(f->worlds[0]);
    f->world = f->worlds[1];
    return teardown(state);
}

// Each does something to a world that is not quite the same in the other one, or not there at all.

static void part_by_set(fixture *f, kn_world *world, uint32_t which)
{
    assert_int_equal(kn_entity_add_tag(world, f->bare, f->lit, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    if (which == 0) {
        assert_int_equal(kn_attribute_set_add(world, f->bare, f->set, 0), KN_OK);
    }
}

static void add_component(fixture *f, kn_world *world, uint32_t which)
{
    if (which == 0) {
        assert_int_equal(kn_entity_add_tag(world, f->bare, f->lit, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    }
}

static void add_origin(fixture *f, kn_world *world, uint32_t which)
{
    kn_tag_origin origin = which == 0 ? KN_TAG_ORIGIN_LOOSE : KN_TAG_ORIGIN_LOOSE_SYNCED;
    assert_int_equal(kn_entity_add_tag(world, f->foe, f->lit, origin, 1), KN_OK);
}

static void silence(fixture *f, kn_world *world, uint32_t which)
{
    kn_effect_type_id type = which == 0 ? f->silence : f->burn;
    assert_int_equal(kn_effect_apply_simple(world, type, f->foe, f->foe, 1.0f, NULL), KN_OK);
}

static void make_spec(fixture *f, kn_world *world, uint32_t which)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = f->burn;
    def.level = 1.0f + (float)which;
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(world, &def, &spec), KN_OK);
}

static void make_spec_in_one(fixture *f, kn_world *world, uint32_t which)
{
    if (which == 1) {
        make_spec(f, world, which);
    }
}

static void start_timer(fixture *f, kn_world *world, uint32_t which)
{
    kn_timer_id timer;
    kn_time delay = KN_S(1 + (int)which);
    assert_int_equal(kn_timer_start(world, f->stir, f->hero, delay, NULL, &timer), KN_OK);
}

static void start_timer_in_one(fixture *f, kn_world *world, uint32_t which)
{
    if (which == 1) {
        start_timer(f, world, which);
    }
}

static void raise_level(fixture *f, kn_world *world, uint32_t which)
{
    assert_int_equal(kn_ability_set_level(world, &f->abilities[1], 2.0f + (float)which), KN_OK);
}

static void keep_running(fixture *f, kn_world *world, uint32_t which)
{
    assert_int_equal(kn_activation_set_cancelable(world, f->running, which == 0), KN_OK);
}

static void take_own_charge(fixture *f, kn_world *world, uint32_t which)
{
    int32_t count = -1 - (int32_t)which;
    assert_int_equal(kn_ability_add_charges(world, f->abilities[1], (kn_tag){0}, count), KN_OK);
}

static void take_shared_charge(fixture *f, kn_world *world, uint32_t which)
{
    int32_t count = -1 - (int32_t)which;
    assert_int_equal(kn_ability_add_charges(world, f->abilities[2], f->ammo, count), KN_OK);
}

static void show_aura(fixture *f, kn_world *world, uint32_t which)
{
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = 3.0f + (float)which;
    assert_int_equal(kn_cue_add(world, f->foe, f->aura, &params), KN_OK);
}

static void wait_in_dash(fixture *f, kn_world *world, uint32_t which)
{
    assert_int_equal(kn_wait_delay(world, f->running, 7 + which, KN_S(1)), KN_OK);
}

static void fill_purse(fixture *f, kn_world *world, uint32_t which)
{
    uint64_t *gold = kn_component_add(world, f->purse, f->foe);
    assert_non_null(gold);
    *gold = 5 + which;
}

static void add_purse(fixture *f, kn_world *world, uint32_t which)
{
    if (which == 1) {
        fill_purse(f, world, which);
    }
}

static void brew(fixture *f, kn_world *world, uint32_t which)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = "Brew";
    def.duration_kind = KN_DURATION_INFINITE;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(3.0f + (float)which);
    kn_effect_type_id type;
    assert_int_equal(kn_world_effect_register(world, &def, &type, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(world, type, f->foe, f->foe, 1.0f, NULL), KN_OK);
}

typedef struct parting {
    void (*act)(fixture *f, kn_world *world, uint32_t which);
    const char *sentence;
} parting;

static const parting partings[] = {
    {part_by_set, "entity 3, set Vitals is only in the first world"},
    {add_component, "entity 3, component is only in the first world"},
    {add_origin, "entity 2, tag State.Lit, origin 0 against 1"},
    {silence, "entity 2, blocked tag Ability.Spell, count with children 1 against 0"},
    {make_spec, "spec Burn, level 1 against 2"},
    {make_spec_in_one, "spec Burn is only in the second world"},
    {start_timer, "timer Stir, time 1 s against 2 s"},
    {start_timer_in_one, "timer Stir is only in the second world"},
    {raise_level, "entity 1, ability Shot, level 2 against 3"},
    {keep_running, "entity 1, activation Dash, flags 2 against 3"},
    {take_own_charge, "entity 1, cooldown Shot, charges 2 against 1"},
    {take_shared_charge, "entity 1, cooldown charges 2 against 1"},
    {show_aura, "entity 2, cue GameplayCue.Aura, magnitude 3 against 4"},
    {wait_in_dash, "entity 1, task Dash, label 7 against 8"},
    {fill_purse, "entity 2, component Purse, gold 5 against 6"},
    {add_purse, "entity 2, component Purse is only in the second world"},
    {brew, "run-time effect Brew, its def is different"},
};

static void the_first_difference_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(partings) / sizeof(*partings); i++) {
        void *made;
        (void)pair_setup(&made);
        fixture *f = made;
        char text[256] = "x";
        assert_false(kn_world_difference(f->worlds[0], f->worlds[1], text, sizeof(text)));
        assert_string_equal(text, "");
        for (uint32_t which = 0; which < 2; which++) {
            partings[i].act(f, f->worlds[which], which);
        }
        assert_true(kn_world_difference(f->worlds[0], f->worlds[1], text, sizeof(text)));
        assert_string_equal(text, partings[i].sentence);
        assert_int_not_equal(kn_world_hash(f->worlds[0]), kn_world_hash(f->worlds[1]));
        (void)pair_teardown(&made);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_first_difference_is_named),
};

TEST_GROUP(world_differences, tests, NULL, NULL);
