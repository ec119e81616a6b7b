// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/life-steal.md

#include "scenario/recipe.h"

typedef struct vampire {
    kn_attribute_id health;
    kn_tag amount, can_steal;
    kn_effect_type_id heal;
} vampire;

enum { LIFE_STEAL }; // captures of the execution

static void deal_damage(void *user, kn_execution *execution)
{
    const vampire *v = user;
    const kn_spec_view *spec = kn_execution_spec(execution);
    float damage = kn_spec_view_caller_value(spec, v->amount, 0.0f, true);
    kn_execution_output(execution, v->health, 0, KN_OP_ADD, -damage);
    kn_entity_id source = kn_execution_source(execution);
    if (!kn_spec_view_has_asset_tag(spec, v->can_steal) || source.index1 == 0) {
        return;
    }
    kn_caller_value stolen = {v->amount, damage * kn_execution_capture(execution, LIFE_STEAL)};
    kn_effect_apply_def heal = kn_effect_apply_def_default();
    heal.type = v->heal;
    heal.source = source;
    heal.target = source;
    heal.caller_values = &stolen;
    heal.caller_value_count = 1;
    kn_result result = kn_effect_apply(kn_execution_world(execution), &heal, NULL);
    (void)result; // a source that died meanwhile is not healed
}

static kn_execution_id damage_execution(fixture *f, vampire *v, kn_attribute_id life_steal)
{
    kn_capture capture = {
        .attribute = life_steal, .from = KN_CAPTURE_FROM_SOURCE, .has_default = true};
    kn_execution_def def = kn_execution_def_default();
    def.name = "Damage";
    def.captures = &capture;
    def.capture_count = 1;
    def.function = deal_damage;
    def.user = v;
    kn_execution_id id;
    assert_int_equal(kn_execution_register(f->library, &def, &id, NULL), KN_OK);
    return id;
}

static void vampire_register(fixture *f, vampire *v, kn_effect_type_id hits[2])
{
    v->health = f->health;
    v->amount = tag_of(f, "Data.Amount");
    v->can_steal = tag_of(f, "Effect.CanLifesteal");
    kn_modifier_def more = kn_modifier_def_default();
    more.attribute = f->health;
    more.magnitude = kn_magnitude_set_by_caller(v->amount);
    kn_effect_def heal = instant("Heal");
    heal.modifiers = &more;
    heal.modifier_count = 1;
    v->heal = effect_register(f, &heal);
    kn_execution_use use = {
        .execution = damage_execution(f, v, kn_attribute_find(f->library, "Vampire.LifeSteal"))};
    kn_effect_def bite = instant("Bite");
    bite.executions = &use;
    bite.execution_count = 1;
    bite.asset_tags = (kn_tags){&v->can_steal, 1};
    hits[0] = effect_register(f, &bite);
    bite.name = "Scratch";
    bite.asset_tags = (kn_tags){NULL, 0};
    hits[1] = effect_register(f, &bite);
}

static void hit(fixture *f, const vampire *v, kn_effect_type_id type, float damage)
{
    kn_caller_value value = {v->amount, damage};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = type;
    apply.source = f->hero;
    apply.target = f->foe;
    apply.level = 3.0f;
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
}

static void on_heal(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    fixture *f = user;
    assert_true(kn_entity_id_equal(event->entity, f->hero));
    assert_true(kn_entity_id_equal(event->data.effect.source, f->hero));
    note(f, "healed at level %g. ", (double)event->data.effect.level);
}

// COM-004, TVA-069
static void a_share_of_the_damage_heals_the_source_if_the_effect_may(void **state)
{
    fixture *f = *state;
    vampire v;
    kn_effect_type_id hits[2];
    kn_attribute_def steal = attribute_def("LifeSteal", 0.25f);
    kn_attribute_set_id set = set_register(f, "Vampire", &steal, 1);
    vampire_register(f, &v, hits);
    recipe_begin(f, set);
    kn_listener_def listener = kn_listener_def_default();
    listener.type = KN_EVENT_EFFECT_EXECUTED;
    listener.effect_type = v.heal;
    listener.function = on_heal;
    listener.user = f;
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    set_base(f, f->hero, f->health, 50.0f);
    hit(f, &v, hits[1], 10.0f);
    assert_true(value_of(f, f->health) == 50.0f);
    hit(f, &v, hits[0], 80.0f);
    assert_true(value_of(f, f->health) == 70.0f);
    assert_true(kn_attribute_value(f->world, f->foe, f->health) == 10.0f);
    step(f, KN_MS(16));
    EXPECT_LOG(f, "healed at level 1. "); // by oneself, whatever the level of the bite
}

static const struct CMUnitTest tests[] = {
    TEST(a_share_of_the_damage_heals_the_source_if_the_effect_may),
};

TEST_GROUP(recipe_life_steal, tests, NULL, NULL);
