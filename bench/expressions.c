// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A formula of ten operations that reads two attributes, as an expression and as a function in C.
// It is the condition of 32 modifiers of a value that is computed for an event. The same with a
// condition that does nothing shows what else there is; that is taken off.

#include "bench.h"

#define MODIFIERS 32
#define ROUNDS 500
#define TRIES 100 // the best of each counts: differences of disturbed times mean nothing

enum { TEXT, CODE, NOTHING, KINDS };

typedef struct formulas {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
    kn_attribute_id power, armor;
    kn_value_id values[KINDS];
    kn_effect_type_id types[KINDS];
} formulas;

static bool in_c(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    const formulas *scene = user;
    (void)answer;
    float power = kn_attribute_value(world, record->instigator, scene->power);
    float armor = kn_attribute_value(world, record->target, scene->armor);
    float hit = power * (1.0f + 0.1f * record->magnitude) - armor / 2.0f;
    hit = hit < 0.0f ? 0.0f : hit;
    return hit * (100.0f / (100.0f + armor)) + 5.0f != 0.0f;
}

static bool yes(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    (void)answer;
    return true;
}

static void effect_add(formulas *scene, uint32_t kind, const char *name, kn_condition_id condition)
{
    kn_value_def value = kn_value_def_default();
    value.name = name;
    bench_check(
        kn_value_register(scene->library, &value, &scene->values[kind], NULL), "kn_value_register");
    kn_modifier_def modifiers[MODIFIERS];
    for (uint32_t i = 0; i < MODIFIERS; i++) {
        modifiers[i] = kn_modifier_def_default();
        modifiers[i].value = scene->values[kind];
        modifiers[i].magnitude = kn_magnitude_constant(1.0f);
        modifiers[i].condition = condition;
    }
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = modifiers;
    def.modifier_count = MODIFIERS;
    bench_check(
        kn_effect_register(scene->library, &def, &scene->types[kind], NULL), "kn_effect_register");
}

static void register_conditions(formulas *scene)
{
    kn_condition_id text, code, nothing;
    bench_check(kn_condition_register_expression(scene->library, "Text",
                    "max(instigator.Combat.Power * (1 + 0.1 * event.magnitude) - "
                    "target.Combat.Armor / 2, 0)"
                    " * (100 / (100 + target.Combat.Armor)) + 5",
                    &text, NULL),
        "kn_condition_register_expression");
    bench_check(kn_condition_register(scene->library, "Code", in_c, scene, &code, NULL),
        "kn_condition_register");
    bench_check(kn_condition_register(scene->library, "Nothing", yes, NULL, &nothing, NULL),
        "kn_condition_register");
    effect_add(scene, TEXT, "Text", text);
    effect_add(scene, CODE, "Code", code);
    effect_add(scene, NOTHING, "Nothing", nothing);
}

static void formulas_init(formulas *scene)
{
    kn_library_def library_def = kn_library_def_default();
    bench_check(kn_library_create(&library_def, &scene->library), "kn_library_create");
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Power";
    attributes[0].default_value = 120.0f;
    attributes[1].name = "Armor";
    attributes[1].default_value = 35.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Combat";
    set.attributes = attributes;
    set.attribute_count = 2;
    kn_attribute_set_id set_id;
    bench_check(kn_attribute_set_register(scene->library, &set, &set_id, NULL),
        "kn_attribute_set_register");
    scene->power = kn_attribute_find(scene->library, "Combat.Power");
    scene->armor = kn_attribute_find(scene->library, "Combat.Armor");
    register_conditions(scene);
    bench_check(kn_library_finish(scene->library, NULL), "kn_library_finish");
    kn_world_def world_def = kn_world_def_default();
    world_def.library = scene->library;
    bench_check(kn_world_create(&world_def, &scene->world), "kn_world_create");
    bench_check(kn_entity_create(scene->world, &scene->entity), "kn_entity_create");
    bench_check(
        kn_attribute_set_add(scene->world, scene->entity, set_id, 0), "kn_attribute_set_add");
    for (uint32_t i = 0; i < KINDS; i++) {
        bench_check(kn_effect_apply_simple(
                        scene->world, scene->types[i], scene->entity, scene->entity, 1.0f, NULL),
            "kn_effect_apply_simple");
    }
    bench_check(kn_world_step(scene->world, 0), "kn_world_step");
}

// Nanoseconds for one modifier.
static double measure(const formulas *scene, kn_value_id value)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = scene->entity;
    record.target = scene->entity;
    record.magnitude = 3.0f;
    float sum = 0.0f;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        sum += kn_value_evaluate(scene->world, scene->entity, value, 10.0f, &record, false);
    }
    double end = bench_now_ns();
    if (sum != (float)(ROUNDS * (10 + MODIFIERS))) {
        bench_check(KN_REFUSED_BAD_NUMBER, "the condition holds");
    }
    return (end - start) / (ROUNDS * MODIFIERS);
}

void bench_expression(bench_report *bench)
{
    formulas scene = {0};
    formulas_init(&scene);
    double best[KINDS] = {0};
    for (uint32_t try = 0; try < TRIES; try++) {
        for (uint32_t i = 0; i < KINDS; i++) {
            double time = measure(&scene, scene.values[i]);
            best[i] = try == 0 || time < best[i] ? time : best[i];
        }
    }
    bench_note(bench, "op_ns", best[TEXT] - best[NOTHING], "ns");
    bench_note(bench, "c_ns", best[CODE] - best[NOTHING], "ns");
    kn_world_destroy(scene.world);
    kn_library_destroy(scene.library);
}
