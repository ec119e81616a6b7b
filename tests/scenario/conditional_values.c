// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Modifiers that look at the event: conditions, and the two passes of an event with two parties.

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
    def.duration_kind = KN_INFINITE;
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

// The arithmetic ---------------------------------------------------------------------------

static void drop_parts(scene *s, const kn_effect_id *effects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(kn_effect_remove(s->world, effects[i], 0, KN_REMOVED_BY_CALL), KN_OK);
    }
}

// Conditional modifiers ------------------------------------------------------------------------

typedef struct seen_record {
    kn_entity_id instigator, target;
    float magnitude;
    uint64_t object;
    uint32_t kind;
    uint32_t tags;
} seen_record;

static seen_record seen;

static bool direct_fire(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    scene *s = user;
    (void)world;
    (void)answer;
    seen = (seen_record){record->instigator, record->target, record->magnitude, record->object,
        record->kind.index1, record->tags.count};
    return record->kind.index1 == s->damage.index1 &&
           kn_tags_has(s->library, record->tags, s->direct) &&
           kn_tags_has(s->library, record->tags, s->fire);
}

static kn_condition_id condition_add(scene *s, const char *name, kn_condition_fn *function)
{
    kn_condition_id condition = {0};
    assert_int_equal(kn_condition_register(s->library, name, function, s, &condition, NULL), KN_OK);
    return condition;
}

static float take(scene *s, kn_event_kind_id kind, float amount, const kn_tag *tags, uint32_t count)
{
    kn_event_record record = kn_event_record_default();
    record.kind = kind;
    record.target = s->entity;
    record.instigator = s->entity;
    record.magnitude = amount;
    record.object = 4711;
    record.tags = (kn_tags){tags, count};
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_int_equal(outcome.result, KN_OK);
    return outcome.magnitude;
}

// SAIV-018, CMOD-001, CMOD-002, CMOD-003, CMOD-004, CMOD-008, CMOD-009, CMOD-010, CMOD-011
static void a_conditional_modifier_acts_only_on_events_it_recognises(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Healing";
    kind.incoming = s->incoming;
    kn_event_kind_id healing;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &healing, NULL), KN_OK);
    kn_condition_id condition = condition_add(s, "DirectFire", direct_fire);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_MULTIPLY, 0.8f);
    ward.condition = condition;
    kn_effect_id effect = buff(s, ward, 1);
    const kn_tag direct_fire_tags[] = {s->direct, s->fire}, fire_tags[] = {s->fire};
    const kn_tag direct_frost_tags[] = {s->direct, s->frost};
    assert_close(take(s, s->damage, 50.0f, direct_fire_tags, 2), 40.0f);
    assert_true(kn_entity_id_equal(seen.instigator, s->entity));
    assert_true(kn_entity_id_equal(seen.target, s->entity));
    assert_true(seen.magnitude == 50.0f && seen.object == 4711 && seen.tags == 2);
    assert_close(take(s, s->damage, 50.0f, fire_tags, 1), 50.0f);
    assert_close(take(s, s->damage, 50.0f, direct_frost_tags, 2), 50.0f);
    assert_close(take(s, healing, 50.0f, direct_fire_tags, 2), 50.0f);
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_close(take(s, s->damage, 50.0f, direct_fire_tags, 2), 50.0f);
}

// MAP-014, CMOD-004
static void tags_of_the_event_are_a_condition_without_code(void **state)
{
    scene *s = *state;
    declare_all(s);
    begin_all(s);
    const kn_tag both[] = {s->direct, s->fire};
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_MULTIPLY, 0.8f);
    ward.event.required = (kn_tags){both, 2};
    buff(s, ward, 1);
    assert_close(take(s, s->damage, 50.0f, both, 2), 40.0f);
    assert_close(take(s, s->damage, 50.0f, both, 1), 50.0f);
    // A preview without a record leaves it out.
    assert_close(length_of(s, s->incoming, 50.0f), 50.0f);
}

static bool by_amount(
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

// CMOD-005, CMOD-013
static void kind_and_size_of_a_conditional_modifier_may_depend_on_the_event(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_condition_id condition = condition_add(s, "ByAmount", by_amount);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    kn_effect_id effect = buff(s, ward, 1);
    assert_close(take(s, s->damage, 200.0f, NULL, 0), 100.0f);
    assert_close(take(s, s->damage, 50.0f, NULL, 0), 45.0f);
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    ward.scaling = KN_SCALE_YES;
    buff(s, ward, 3);
    assert_close(take(s, s->damage, 50.0f, NULL, 0), 35.0f); // -5 x 3
    ward.scaling = KN_SCALE_NO;
}

static bool halve_scaled(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    answer->op = KN_OP_MULTIPLY;
    answer->magnitude = 0.8f;
    return true;
}

// CMOD-013, MODF-005
static void a_scaled_answer_follows_the_law_of_the_operation_it_names(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_condition_id condition = condition_add(s, "HalveScaled", halve_scaled);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    ward.scaling = KN_SCALE_YES;
    buff(s, ward, 2);
    assert_close(take(s, s->damage, 100.0f, NULL, 0), 60.0f); // 1 + (0.8 - 1) x 2
}

static bool answer_badly(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    answer->magnitude = record->magnitude > 10.0f ? INFINITY : NAN;
    return true;
}

// SAIV-022, MODF-018
static void a_condition_that_answers_nan_is_ignored_and_reported_once(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_condition_id condition = condition_add(s, "AnswerBadly", answer_badly);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(s, ward, 1);
    s->reports = 0;
    assert_close(take(s, s->damage, 5.0f, NULL, 0), 5.0f);
    assert_close(take(s, s->damage, 50.0f, NULL, 0), 50.0f);
    assert_close(take(s, s->damage, 5.0f, NULL, 0), 5.0f);
    assert_int_equal(s->reports, 1);
}

static bool divide_by_zero(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    answer->op = KN_OP_DIVIDE;
    answer->magnitude = 0.0f;
    return true;
}

// MODF-018, MAP-011
static void a_condition_cannot_bring_an_operation_its_value_does_not_allow(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_condition_id condition = condition_add(s, "DivideByZero", divide_by_zero);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(s, ward, 1);
    assert_close(take(s, s->damage, 5.0f, NULL, 0), 5.0f);
}

// SAIV-019, CMOD-012
static void outgoing_modifiers_come_first_and_their_result_is_the_incoming_base(void **state)
{
    scene *s = *state;
    declare_all(s);
    begin_all(s);
    kn_entity_id attacker = entity_create(s);
    const kn_modifier_def modifiers[] = {modifier_on(s->outgoing, KN_OP_ADD, 20.0f),
        modifier_on(s->outgoing, KN_OP_MULTIPLY, 1.5f), modifier_on(s->incoming, KN_OP_ADD, 10.0f),
        modifier_on(s->incoming, KN_OP_MULTIPLY, 0.5f)};
    kn_effect_id effects[4];
    for (uint32_t i = 0; i < 4; i++) {
        effects[i] = apply_to(s, i < 2 ? attacker : s->entity, effect_make(s, &modifiers[i], 1), 1);
    }
    kn_event_record record = kn_event_record_default();
    record.kind = s->damage;
    record.instigator = attacker;
    record.target = s->entity;
    record.magnitude = 100.0f;
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_close(outcome.magnitude, 95.0f);
    drop_parts(s, &effects[0], 1);
    drop_parts(s, &effects[2], 1);
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_close(outcome.magnitude, 75.0f);
    record.ignore_modifiers = true;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_close(outcome.magnitude, 100.0f);
}

// MODF-020
static void evaluating_is_a_pure_query(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_condition_id condition = condition_add(s, "ByAmount", by_amount);
    begin_all(s);
    kn_modifier_def ward = modifier_on(s->incoming, KN_OP_ADD, 0.0f);
    ward.condition = condition;
    buff(s, ward, 1);
    buff(s, modifier_on(s->incoming, KN_OP_ADD, 1.0f), 1);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    uint64_t before = kn_world_hash(s->world);
    kn_event_record record = kn_event_record_default();
    record.kind = s->damage;
    record.target = s->entity;
    record.magnitude = 50.0f;
    assert_close(length_of(s, s->incoming, 50.0f), 51.0f);
    assert_close(kn_value_evaluate(s->world, s->entity, s->incoming, 50.0f, &record, false), 46.0f);
    assert_true(kn_world_hash(s->world) == before);
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    assert_int_equal(kn_world_events(s->world).count, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_conditional_modifier_acts_only_on_events_it_recognises),
        TEST(tags_of_the_event_are_a_condition_without_code),
        TEST(kind_and_size_of_a_conditional_modifier_may_depend_on_the_event),
        TEST(a_scaled_answer_follows_the_law_of_the_operation_it_names),
        TEST(a_condition_that_answers_nan_is_ignored_and_reported_once),
        TEST(a_condition_cannot_bring_an_operation_its_value_does_not_allow),
        TEST(outgoing_modifiers_come_first_and_their_result_is_the_incoming_base),
        TEST(evaluating_is_a_pure_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
