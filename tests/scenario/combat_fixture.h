// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The fixture of combat values: a hero that acts on itself, values and attributes of each profile.
#ifndef COMBAT_FIXTURE_H
#define COMBAT_FIXTURE_H

#define FIXTURE_OWN                                                                                \
    kn_value_id cast, gas, outgoing, incoming;                                                     \
    kn_attribute_id stored_combat, stored_gas;                                                     \
    kn_event_kind_id damage_event;                                                                 \
    kn_tag direct, fire, frost, amount;                                                            \
    uint32_t made;

#include "scenario/fixture.h"

static inline int setup(void **state)
{
    *state = fixture_create(1);
    return 0;
}

static inline kn_value_id value_add(fixture *f, const char *name, kn_value_profile profile)
{
    kn_value_def def = kn_value_def_default();
    def.name = name;
    def.profile = profile;
    kn_value_id value = {0};
    assert_int_equal(kn_value_register(f->library, &def, &value, NULL), KN_OK);
    return value;
}

static inline kn_attribute_def profiled(const char *name, float value, kn_value_profile profile)
{
    kn_attribute_def def = attribute_def(name, value);
    def.profile = profile;
    return def;
}

// Everything the tests share: a value and an attribute of each profile, a stat, a kind of event.
static inline void declare_all(fixture *f)
{
    f->direct = tag_of(f, "Hit.Direct");
    f->fire = tag_of(f, "School.Fire");
    f->frost = tag_of(f, "School.Frost");
    f->amount = tag_of(f, "Data.Amount");
    f->cast = value_add(f, "CastLength", kn_value_profile_combat());
    f->gas = value_add(f, "GasLength", kn_value_profile_gas());
    f->outgoing = value_add(f, "DamageDone", kn_value_profile_combat());
    f->incoming = value_add(f, "DamageTaken", kn_value_profile_combat());
    kn_attribute_def attributes[] = {
        profiled("Haste", 1.0f, kn_value_profile_combat()),
        profiled("Combat", 0.0f, kn_value_profile_combat()),
        profiled("Gas", 0.0f, kn_value_profile_gas()),
        profiled("Power", 40.0f, kn_value_profile_gas()),
    };
    fixture_set(f, "Stats", attributes, 4);
    f->stored_combat = kn_attribute_find(f->library, "Stats.Combat");
    f->stored_gas = kn_attribute_find(f->library, "Stats.Gas");
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.outgoing = f->outgoing;
    kind.incoming = f->incoming;
    assert_int_equal(kn_event_kind_register(f->library, &kind, &f->damage_event, NULL), KN_OK);
}

static inline kn_modifier_def modifier_on(kn_value_id value, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = op;
    modifier.magnitude = kn_magnitude_constant(magnitude);
    return modifier;
}

static inline kn_result try_effect(
    fixture *f, const kn_modifier_def *modifiers, uint32_t count, kn_effect_type_id *type)
{
    char name[32];
    snprintf(name, sizeof name, "Made%u", f->made++);
    kn_effect_def def = effect_def(name, KN_DURATION_INFINITE, modifiers, count);
    def.stacking.kind = KN_STACK_BY_TARGET;
    return f->world != NULL ? kn_world_effect_register(f->world, &def, type, NULL)
                            : kn_effect_register(f->library, &def, type, NULL);
}

static inline kn_effect_type_id effect_make(
    fixture *f, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_type_id type = {0};
    assert_int_equal(try_effect(f, modifiers, count, &type), KN_OK);
    return type;
}

static inline kn_effect_id apply_stacks(
    fixture *f, kn_entity_id target, kn_effect_type_id type, uint32_t stacks)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = target;
    def.source = target;
    def.stacks = stacks;
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static inline kn_effect_id buff(fixture *f, kn_modifier_def modifier, uint32_t stacks)
{
    return apply_stacks(f, f->hero, effect_make(f, &modifier, 1), stacks);
}

static inline float length_of(fixture *f, kn_value_id value, float base)
{
    return kn_value_evaluate(f->world, f->hero, value, base, NULL, false);
}

static inline void drop_parts(fixture *f, const kn_effect_id *effects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        remove_effect(f, effects[i]);
    }
}

static inline bool by_amount(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    if (record->magnitude > 100.0f) {
        answer->op = KN_OP_MULTIPLY;
        answer->magnitude = 0.5f;
    } else {
        answer->op = KN_OP_ADD;
        answer->magnitude = -5.0f;
    }
    return true;
}

#endif
