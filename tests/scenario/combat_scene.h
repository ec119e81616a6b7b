// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of combat values share: a small library, a world, and short ways to use them.
#ifndef KNACK_SCENARIO_COMBAT_SCENE_H
#define KNACK_SCENARIO_COMBAT_SCENE_H

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
    kn_value_id cast, gas, outgoing, incoming;
    kn_attribute_id haste, stored_combat, stored_gas, power;
    kn_attribute_set_id set;
    kn_event_kind_id damage;
    kn_tag direct, fire, frost, amount;
    uint32_t made;
    uint32_t reports;
} scene;

static scene the_scene;

static void count_reports(void *user, const kn_log_entry *entry)
{
    scene *s = user;
    s->reports += entry->level != KN_LOG_INFO;
}

static int setup(void **state)
{
    memset(&the_scene, 0, sizeof the_scene);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the_scene.library), KN_OK);
    *state = &the_scene;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    if (s->world != NULL) {
        assert_true(kn_world_validate(s->world));
        kn_world_destroy(s->world);
    }
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

// Finishes the library, and makes a world with one entity.
static void begin(scene *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    def.hooks.log_fn = count_reports;
    def.hooks.log_user = s;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = entity_create(s);
}

static kn_tag tag_add(scene *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_value_id value_add(scene *s, const char *name, kn_value_profile profile)
{
    kn_value_def def = kn_value_def_default();
    def.name = name;
    def.profile = profile;
    kn_value_id value = {0};
    assert_int_equal(kn_value_register(s->library, &def, &value, NULL), KN_OK);
    return value;
}

static kn_attribute_def declare(const char *name, float value, kn_value_profile profile)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    def.profile = profile;
    return def;
}

// Everything the tests share: a value and an attribute of each profile, a stat, a kind of event.
static void declare_all(scene *s)
{
    s->direct = tag_add(s, "Hit.Direct");
    s->fire = tag_add(s, "School.Fire");
    s->frost = tag_add(s, "School.Frost");
    s->amount = tag_add(s, "Data.Amount");
    s->cast = value_add(s, "CastLength", kn_value_profile_combat());
    s->gas = value_add(s, "GasLength", kn_value_profile_gas());
    s->outgoing = value_add(s, "DamageDone", kn_value_profile_combat());
    s->incoming = value_add(s, "DamageTaken", kn_value_profile_combat());
    kn_attribute_def attributes[] = {
        declare("Haste", 1.0f, kn_value_profile_combat()),
        declare("Combat", 0.0f, kn_value_profile_combat()),
        declare("Gas", 0.0f, kn_value_profile_gas()),
        declare("Power", 40.0f, kn_value_profile_gas()),
    };
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Stats";
    set.attributes = attributes;
    set.attribute_count = 4;
    assert_int_equal(kn_attribute_set_register(s->library, &set, &s->set, NULL), KN_OK);
    s->haste = kn_attribute_find(s->library, "Stats.Haste");
    s->stored_combat = kn_attribute_find(s->library, "Stats.Combat");
    s->stored_gas = kn_attribute_find(s->library, "Stats.Gas");
    s->power = kn_attribute_find(s->library, "Stats.Power");
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.outgoing = s->outgoing;
    kind.incoming = s->incoming;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &s->damage, NULL), KN_OK);
}

static void begin_all(scene *s)
{
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->entity, s->set, 0), KN_OK);
}

static kn_modifier_def modifier_on(kn_value_id value, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = op;
    modifier.magnitude = kn_magnitude_constant(magnitude);
    return modifier;
}

static kn_result try_effect(
    scene *s, const kn_modifier_def *modifiers, uint32_t count, kn_effect_type_id *type)
{
    char name[32];
    snprintf(name, sizeof name, "Made%u", s->made++);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = modifiers;
    def.modifier_count = count;
    def.stacking.kind = KN_STACK_BY_TARGET;
    return s->world != NULL ? kn_world_effect_register(s->world, &def, type, NULL)
                            : kn_effect_register(s->library, &def, type, NULL);
}

static kn_effect_type_id effect_make(scene *s, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_type_id type = {0};
    assert_int_equal(try_effect(s, modifiers, count, &type), KN_OK);
    return type;
}

static kn_effect_id apply_to(scene *s, kn_entity_id target, kn_effect_type_id type, uint32_t stacks)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = target;
    def.source = target;
    def.stacks = stacks;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(s->world, &def, &effect), KN_OK);
    return effect;
}

static kn_effect_id buff(scene *s, kn_modifier_def modifier, uint32_t stacks)
{
    return apply_to(s, s->entity, effect_make(s, &modifier, 1), stacks);
}

static float length_of(scene *s, kn_value_id value, float base)
{
    return kn_value_evaluate(s->world, s->entity, value, base, NULL, false);
}

static void assert_close(float value, float expected)
{
    float size = fabsf(expected) > 1.0f ? fabsf(expected) : 1.0f;
    assert_float_equal(value, expected, 1e-5f * size);
}

#endif
