// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damage as games build it: a meta attribute, a hook that spends it, an execution that computes it.

#include "scenario/effect_fixture.h"

static const kn_tags no_tags = {NULL, 0};

// Damage --------------------------------------------------------------------------

typedef struct arena {
    kn_attribute_id damage, shield, health, xp, gold;
    kn_tag can_crit, data_damage;
    kn_attribute_id armor;
    uint32_t seen_damage_count;
    float seen_damage[4];
} arena;

static arena game;

// Meta damage is spent on the shield, then on health; a lethal hit pays the killer.
static void spend_damage(void *user, const kn_execute_data *data)
{
    (void)user;
    if (!kn_attribute_id_equal(data->attribute, game.damage)) {
        return;
    }
    float left = data->new_base;
    game.seen_damage[game.seen_damage_count++ % 4] = left;
    if (kn_attribute_exists(data->world, data->entity, game.shield, 0)) {
        float shield = kn_attribute_base(data->world, data->entity, game.shield);
        float taken = left < shield ? left : shield;
        kn_attribute_set_base(data->world, data->entity, game.shield, 0, shield - taken);
        left -= taken;
    }
    float health = kn_attribute_base(data->world, data->entity, game.health);
    kn_attribute_set_base(data->world, data->entity, game.health, 0, health - left);
    if (health > 0 && health - left <= 0) {
        kn_modifier_def bounty[] = {
            kn_modifier_constant(game.xp, KN_OP_ADD, 50),
            kn_modifier_constant(game.gold, KN_OP_ADD, 7),
        };
        kn_effect_def def = effect_def("Bounty", KN_DURATION_INSTANT, bounty, COUNT(bounty));
        kn_effect_type_id type = {0};
        if (kn_world_effect_register(data->world, &def, &type, NULL) == KN_OK) {
            kn_entity_id killer = kn_spec_view_source(data->spec);
            (void)kn_effect_apply_simple(data->world, type, killer, killer, 1.0f, NULL);
        }
    }
}

// Damage from the caller less armour; doubled by a critical hit; a tenth returns as life.
static void damage_execution(void *user, kn_execution *execution)
{
    (void)user;
    const kn_spec_view *spec = kn_execution_spec(execution);
    float amount = fmaxf(0.0f, kn_spec_view_caller_value(spec, game.data_damage, -1.0f, false));
    amount = fmaxf(0.0f, amount - kn_execution_capture(execution, 0));
    if (kn_spec_view_has_asset_tag(spec, game.can_crit)) {
        amount *= 2;
        kn_modifier_def heal = kn_modifier_constant(game.health, KN_OP_ADD, amount / 10);
        kn_effect_def def = effect_def("Lifesteal", KN_DURATION_INSTANT, &heal, 1);
        char name[48];
        snprintf(name, sizeof(name), "Lifesteal%u", (unsigned)amount);
        def.name = name;
        kn_effect_type_id type = {0};
        if (kn_world_effect_register(kn_execution_world(execution), &def, &type, NULL) == KN_OK) {
            kn_entity_id source = kn_execution_source(execution);
            (void)kn_effect_apply_simple(
                kn_execution_world(execution), type, source, source, 1.0f, NULL);
        }
    }
    if (amount > 0) {
        kn_execution_output(execution, game.damage, 0, KN_OP_ADD, amount);
    }
}

static kn_attribute_set_id game_set(fixture *f, const char *name, const char *const *names,
    uint32_t count, float value, bool is_meta)
{
    kn_attribute_def defs[4];
    for (uint32_t i = 0; i < count; i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
        defs[i].default_value = value;
        defs[i].is_meta = is_meta;
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = name;
    set.attributes = defs;
    set.attribute_count = count;
    set.hooks.post_execute = is_meta ? spend_damage : NULL;
    kn_attribute_set_id id = {0};
    assert_int_equal(kn_attribute_set_register(f->library, &set, &id, NULL), KN_OK);
    return id;
}

typedef struct game_sets {
    kn_attribute_set_id damage, shield, vitals, purse;
    kn_effect_type_id hit, armored_hit;
} game_sets;

static game_sets game_begin(fixture *f)
{
    static const char *const damage[] = {"Damage"};
    static const char *const shield[] = {"Shield"};
    static const char *const vitals[] = {"Health"};
    static const char *const purse[] = {"Xp", "Gold"};
    game_sets sets;
    sets.damage = game_set(f, "Meta", damage, 1, 0, true);
    sets.shield = game_set(f, "Guard", shield, 1, 20, false);
    sets.vitals = game_set(f, "Vitals", vitals, 1, 100, false);
    sets.purse = game_set(f, "Purse", purse, 2, 0, false);
    game = (arena){
        .damage = kn_attribute_find(f->library, "Meta.Damage"),
        .shield = kn_attribute_find(f->library, "Guard.Shield"),
        .health = kn_attribute_find(f->library, "Vitals.Health"),
        .xp = kn_attribute_find(f->library, "Purse.Xp"),
        .gold = kn_attribute_find(f->library, "Purse.Gold"),
        .can_crit = tag_of(f, "Effect.CanCrit"),
        .data_damage = tag_of(f, "Data.Damage"),
    };
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = game.damage;
    modifier.magnitude = kn_magnitude_set_by_caller(game.data_damage);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    sets.hit = effect_register(f, &def);
    kn_capture armor = {.attribute = f->armor, .from = KN_CAPTURE_FROM_TARGET};
    sets.armored_hit = executing(f, "ArmoredHit",
        execution_of(f, "Damage", &armor, 1, no_tags, damage_execution, NULL), NULL, 0);
    begin(f);
    add_set(f, f->foe, sets.damage);
    add_set(f, f->foe, sets.vitals);
    add_set(f, f->hero, sets.vitals);
    add_set(f, f->hero, sets.purse);
    return sets;
}

static void hit_foe(fixture *f, kn_effect_type_id type, float damage, kn_tags asset_tags)
{
    kn_caller_value value = {game.data_damage, damage};
    kn_effect_apply_def def = from_hero(f, type);
    def.caller_values = &value;
    def.caller_value_count = 1;
    def.dynamic_asset_tags = asset_tags;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
}

// TVE-090: Damage 30, Shield 20, Health 100; and the same without a shield.
static void damage_is_taken_from_the_shield_then_from_health(void **state)
{
    fixture *f = *state;
    game_sets sets = game_begin(f);

    hit_foe(f, sets.hit, 30, no_tags);
    assert_near(base(f, game.health), 70);
    assert_near(base(f, game.damage), 0);

    set_base(f, f->foe, game.health, 100);
    add_set(f, f->foe, sets.shield);
    hit_foe(f, sets.hit, 30, no_tags);
    assert_near(base(f, game.shield), 0);
    assert_near(base(f, game.health), 90);
    assert_near(base(f, game.damage), 0);
    assert_near(current(f, game.damage), 0);
}

// TVE-091: the second hit does not see the first one's damage.
static void meta_damage_starts_at_zero_for_each_hit(void **state)
{
    fixture *f = *state;
    game_sets sets = game_begin(f);

    hit_foe(f, sets.hit, 30, no_tags);
    hit_foe(f, sets.hit, 10, no_tags);

    assert_int_equal(game.seen_damage_count, 2);
    assert_near(game.seen_damage[0], 30);
    assert_near(game.seen_damage[1], 10);
    assert_near(base(f, game.health), 60);
}

typedef struct paid {
    uint32_t count;
    kn_event last;
} paid;

static void note_bounty(void *user, kn_world *world, const kn_event *event)
{
    paid *p = user;
    if (strcmp(kn_effect_type_name(world, event->data.effect.type), "Bounty") == 0) {
        p->count++;
        p->last = *event;
    }
}

// TVE-092, DYN-003: the bounty is one instant effect with two modifiers at level 1, made on the
// spot, by the killer and for the killer.
static void lethal_hit_pays_the_killer(void **state)
{
    fixture *f = *state;
    game_sets sets = game_begin(f);
    paid p = {0};
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_EFFECT_EXECUTED;
    listener.function = note_bounty;
    listener.user = &p;
    assert_int_equal(kn_listener_add(f->world, &listener, NULL), KN_OK);

    hit_foe(f, sets.hit, 60, no_tags);
    assert_near(kn_attribute_base(f->world, f->hero, game.xp), 0);
    hit_foe(f, sets.hit, 60, no_tags);

    assert_near(kn_attribute_base(f->world, f->hero, game.xp), 50);
    assert_near(kn_attribute_base(f->world, f->hero, game.gold), 7);
    step(f, 0);
    assert_int_equal(p.count, 1);
    assert_true(kn_entity_id_equal(p.last.entity, f->hero));
    assert_true(kn_entity_id_equal(p.last.data.effect.source, f->hero));
    assert_true(kn_effect_id_is_null(p.last.data.effect.effect));
    assert_near(p.last.data.effect.level, 1);
    const kn_effect_def *bounty = kn_effect_type_get_def(f->world, p.last.data.effect.type);
    assert_int_equal(bounty->duration_kind, KN_DURATION_INSTANT);
    assert_int_equal(bounty->modifier_count, 2);
    assert_int_equal(bounty->modifiers[0].op, KN_OP_ADD);
    assert_int_equal(bounty->modifiers[1].op, KN_OP_ADD);
}

// EXE-006, ATT-031: damage of the caller less the target's armour.
static void damage_execution_subtracts_armor(void **state)
{
    fixture *f = *state;
    game_sets sets = game_begin(f);

    hit_foe(f, sets.armored_hit, 30, no_tags);
    assert_near(base(f, game.health), 75);
    hit_foe(f, sets.armored_hit, 3, no_tags);

    assert_near(base(f, game.health), 75);
}

// EXE-011: driven by asset tags; lifesteal is a dynamic instant effect on the source.
static void critical_hits_and_lifesteal_live_in_the_execution(void **state)
{
    fixture *f = *state;
    game_sets sets = game_begin(f);
    set_base(f, f->hero, game.health, 10);

    hit_foe(f, sets.armored_hit, 15, one(&game.can_crit));

    assert_near(base(f, game.health), 80);
    assert_near(kn_attribute_base(f->world, f->hero, game.health), 12);
    hit_foe(f, sets.armored_hit, 15, no_tags); // without the tag neither
    assert_near(base(f, game.health), 70);
    assert_near(kn_attribute_base(f->world, f->hero, game.health), 12);
}

static const struct CMUnitTest tests[] = {
    TEST(damage_is_taken_from_the_shield_then_from_health),
    TEST(meta_damage_starts_at_zero_for_each_hit),
    TEST(lethal_hit_pays_the_killer),
    TEST(damage_execution_subtracts_armor),
    TEST(critical_hits_and_lifesteal_live_in_the_execution),
};

TEST_GROUP(damage_pipeline, tests, NULL, NULL);
