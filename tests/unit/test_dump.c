// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The texts are compared as a whole: how they look is what they are for. kn_world_validate() is
// tested here too, since it looks at everything as well.

#include "state.h"

#include "test_memory.h"

#include <stdio.h>

typedef struct threat {
    float amount;
    uint32_t hits[2];
    kn_entity_id target;
    kn_effect_id effect;
    kn_tag tag;
    kn_attribute_id attribute;
    kn_time since;
    kn_vec3 at;
    int32_t balance;
} threat;

typedef struct threat_item {
    kn_entity_id who;
    bool is_hot;
    uint8_t rank;
    uint16_t weight;
} threat_item;

typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_world *world;
    kn_tag stun, burning, silenced, weak;
    kn_attribute_set_id vitals;
    kn_attribute_id health, max_health, speed, damage;
    kn_effect_type_id frailty, wounds, blessing, burn, hit, curse, shield;
    kn_component_type_id threat;
    kn_rule_id rule;
} fixture;

static kn_tag tag_add(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static void attributes_fill(fixture *f)
{
    kn_attribute_def attributes[4];
    for (uint32_t i = 0; i < 4; i++) {
        attributes[i] = kn_attribute_def_default();
    }
    attributes[0].name = "MaxHealth";
    attributes[0].default_value = 100.0f;
    attributes[1].name = "Health";
    attributes[1].default_value = 100.0f;
    attributes[1].min = kn_limit_constant(0.0f);
    attributes[1].max = kn_limit_attribute("MaxHealth");
    attributes[2].name = "Speed";
    attributes[2].default_value = 4.5f;
    attributes[2].qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    attributes[3].name = "Damage";
    attributes[3].is_meta = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 4;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->max_health = kn_attribute_find(f->library, "Vitals.MaxHealth");
    f->speed = kn_attribute_find(f->library, "Vitals.Speed");
    f->damage = kn_attribute_find(f->library, "Vitals.Damage");
}

static kn_effect_type_id effect_add(fixture *f, kn_effect_def *def, const char *name,
    kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_type_id type;
    def->name = name;
    def->duration_kind = kind;
    def->modifiers = modifiers;
    def->modifier_count = count;
    kn_error error;
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return type;
}

static void effects_fill(fixture *f)
{
    kn_modifier_def m[2] = {kn_modifier_constant(f->health, KN_OP_MULTIPLY, 0.9f),
        kn_modifier_constant(f->speed, KN_OP_ADD, -1.0f)};
    kn_effect_def def = kn_effect_def_default();
    f->frailty = effect_add(f, &def, "Frailty", KN_INFINITE, m, 2);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -10.0f);
    def = kn_effect_def_default();
    def.stacking.kind = KN_STACK_BY_TARGET;
    f->wounds = effect_add(f, &def, "Wounds", KN_INFINITE, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, 50.0f);
    def = kn_effect_def_default();
    def.ongoing.target.ignored = (kn_tags){&f->silenced, 1};
    f->blessing = effect_add(f, &def, "Blessing", KN_INFINITE, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -2.5f);
    def = kn_effect_def_default();
    def.duration = kn_magnitude_constant(10.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(0.5f);
    def.granted_tags = (kn_tags){&f->burning, 1};
    f->burn = effect_add(f, &def, "Burn", KN_DURATION, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -20.0f);
    def = kn_effect_def_default();
    f->hit = effect_add(f, &def, "Hit", KN_INSTANT, m, 1);

    m[0] = kn_modifier_constant(f->speed, KN_OP_ADD, -0.5f);
    m[1] = kn_modifier_constant(f->health, KN_OP_ADD, 1.0f);
    m[1].key = 7;
    kn_tags stun = {&f->stun, 1};
    def = kn_effect_def_default();
    def.blocked_ability_tags = stun;
    f->curse = effect_add(f, &def, "Curse", KN_INFINITE, m, 2);

    kn_gate_def gate = {.types = &f->burn, .type_count = 1};
    def = kn_effect_def_default();
    def.gates = &gate;
    def.gate_count = 1;
    f->shield = effect_add(f, &def, "Shield", KN_INFINITE, NULL, 0);
}

// A tag that comes brings the stun along: something to have causes.
static void stun_the_weak(void *user, kn_world *world, const kn_reaction *reaction)
{
    const fixture *f = user;
    assert_int_equal(
        kn_effect_apply_simple(world, f->hit, (kn_entity_id){0}, reaction->entity, 1.0f, NULL),
        KN_OK);
}

static void component_fill(fixture *f)
{
    const kn_field fields[] = {
        {"amount", KN_FIELD_F32, offsetof(threat, amount), 1},
        {"hits", KN_FIELD_U32, offsetof(threat, hits), 2},
        {"target", KN_FIELD_ENTITY, offsetof(threat, target), 1},
        {"effect", KN_FIELD_EFFECT, offsetof(threat, effect), 1},
        {"tag", KN_FIELD_TAG, offsetof(threat, tag), 1},
        {"attribute", KN_FIELD_ATTRIBUTE, offsetof(threat, attribute), 1},
        {"since", KN_FIELD_TIME, offsetof(threat, since), 1},
        {"at", KN_FIELD_VEC3, offsetof(threat, at), 1},
        {"balance", KN_FIELD_I32, offsetof(threat, balance), 1},
    };
    const kn_field item_fields[] = {
        {"who", KN_FIELD_ENTITY, offsetof(threat_item, who), 1},
        {"is_hot", KN_FIELD_BOOL, offsetof(threat_item, is_hot), 1},
        {"rank", KN_FIELD_U8, offsetof(threat_item, rank), 1},
        {"weight", KN_FIELD_U16, offsetof(threat_item, weight), 1},
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Threat";
    def.size = sizeof(threat);
    def.fields = fields;
    def.field_count = 9;
    def.item_size = sizeof(threat_item);
    def.item_fields = item_fields;
    def.item_field_count = 4;
    assert_int_equal(kn_component_register(f->library, &def, &f->threat, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    f->stun = tag_add(f->library, "State.Debuff.Stun");
    f->burning = tag_add(f->library, "State.Burning");
    f->silenced = tag_add(f->library, "State.Silenced");
    f->weak = tag_add(f->library, "State.Weak");
    attributes_fill(f);
    effects_fill(f);
    component_fill(f);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "StunTheWeak";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = f->weak;
    rule.function = stun_the_weak;
    rule.user = f;
    assert_int_equal(kn_rule_register(f->library, &rule, &f->rule, NULL), KN_OK);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    assert_true(kn_world_validate(f->world));
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->memory.blocks, 0);
    free(f);
    return 0;
}

static kn_entity_id actor(fixture *f)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, entity, f->vitals, 0), KN_OK);
    return entity;
}

static kn_effect_id apply(
    fixture *f, kn_effect_type_id type, kn_entity_id source, kn_entity_id target)
{
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, source, target, 1.0f, &effect), KN_OK);
    return effect;
}

static char text[4096];

int main(void)
{
    void *state;
    setup(&state);
    fixture *f = state;
    kn_entity_id a = actor(f), b = actor(f), c = actor(f);
    apply(f, f->frailty, b, a);
    apply(f, f->frailty, b, a);
    apply(f, f->wounds, c, a);
    apply(f, f->wounds, c, a);
    apply(f, f->blessing, (kn_entity_id){0}, a);
    apply(f, f->burn, b, a);
    apply(f, f->curse, b, a);
    kn_entity_add_tag(f->world, a, f->silenced, KN_ORIGIN_LOOSE, 2);
    kn_entity_add_tag(f->world, a, f->weak, KN_ORIGIN_LOOSE, 2);
    kn_world_step(f->world, KN_MS(1250));
    kn_attribute_explain_text(f->world, a, f->health, 0, text, sizeof text);
    puts(text);
    kn_attribute_explain_text(f->world, a, f->speed, 0, text, sizeof text);
    puts(text);
    threat *t = kn_component_add(f->world, f->threat, a);
    t->target = b;
    t->hits[1] = 4;
    threat_item *items = kn_component_resize(f->world, f->threat, a, 2);
    items[1].who = b;
    items[1].is_hot = true;
    kn_entity_dump(f->world, a, text, sizeof text);
    puts(text);
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        kn_event_print(f->world, &events.data[i], text, sizeof text);
        printf("%s\n", text);
        kn_cause_print(f->world, events.data[i].cause, text, sizeof text);
        printf("            %s\n", text);
    }
    teardown(&state);
}
