// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finding and naming definitions: for every kind, ours and an own one, the functions of the kind
// and those for all kinds agree about each definition, and give nothing for what is not there. The
// library is that of the examples, which has something of every kind.

#include "scenario/data_fixture.h"
#include "scenario/order_kind.h"

#include "knack/script.h"

static const kn_world *the_world; // for those that also know what a world has made

typedef struct lookup {
    uint32_t (*find)(const kn_library *library, const char *name);
    const char *(*name)(const kn_library *library, uint32_t index1);
    const void *(*get)(const kn_library *library, uint32_t index1); // NULL: it has no def
} lookup;

#define FIND(noun, id_type)                                                                        \
    static uint32_t noun##_find(const kn_library *library, const char *name)                       \
    {                                                                                              \
        return kn_##noun##_find(library, name).index1;                                             \
    }                                                                                              \
    static const char *noun##_name(const kn_library *library, uint32_t index1)                     \
    {                                                                                              \
        return kn_##noun##_name(library, (id_type){index1});                                       \
    }
#define FIND_DEF(noun, id_type)                                                                    \
    FIND(noun, id_type)                                                                            \
    static const void *noun##_get(const kn_library *library, uint32_t index1)                      \
    {                                                                                              \
        return kn_##noun##_get_def(library, (id_type){index1});                                    \
    }

FIND(tag, kn_tag)
FIND_DEF(curve, kn_curve_id)
FIND_DEF(attribute_set, kn_attribute_set_id)
FIND_DEF(attribute, kn_attribute_id)
FIND_DEF(value, kn_value_id)
FIND_DEF(event_kind, kn_event_kind_id)
FIND_DEF(calculation, kn_calculation_id)
FIND_DEF(execution, kn_execution_id)
FIND(requirement, kn_requirement_id)
FIND(condition, kn_condition_id)
FIND(policy, kn_policy_id)
FIND_DEF(effect_logic, kn_effect_logic_id)
FIND_DEF(container, kn_container_id)
FIND_DEF(rule, kn_rule_id)
FIND(timer_type, kn_timer_type_id)
FIND_DEF(component, kn_component_type_id)
FIND(context_type, kn_context_type_id)
FIND_DEF(ability_type, kn_ability_type_id)
FIND_DEF(ability_set, kn_ability_set_id)
FIND_DEF(task_type, kn_task_type_id)
FIND_DEF(animation, kn_animation_id)
FIND_DEF(target_type, kn_target_type_id)
FIND_DEF(targeting, kn_targeting_id)
FIND_DEF(archetype, kn_archetype_id)
FIND_DEF(command, kn_command_type_id)
FIND_DEF(system, kn_system_id)
FIND_DEF(check, kn_check_id)
FIND_DEF(custom_event, kn_custom_event_id)
FIND_DEF(ticker, kn_ticker_id)
FIND_DEF(watch_type, kn_watch_type_id)
FIND_DEF(system_group, kn_system_group_id)

static uint32_t name_find(const kn_library *library, const char *name)
{
    return kn_name_find(library, name).index1;
}

static const char *name_name(const kn_library *library, uint32_t index1)
{
    return kn_name_text(library, (kn_name){index1});
}

static uint32_t effect_find(const kn_library *library, const char *name)
{
    return kn_effect_type_find(library, name).index1;
}

static const char *effect_name(const kn_library *library, uint32_t index1)
{
    (void)library;
    return kn_effect_type_name(the_world, (kn_effect_type_id){index1});
}

static const void *effect_get(const kn_library *library, uint32_t index1)
{
    (void)library;
    return kn_effect_type_get_def(the_world, (kn_effect_type_id){index1});
}

// Reasons are bits and numbers behind those of ours.
static kn_fail fail_of(uint32_t index1)
{
    bool is_one = index1 >= 1 && index1 <= KN_FAIL_OWN_MAX;
    return is_one ? (kn_fail)((uint32_t)KN_FAIL_OWN_FIRST << (index1 - 1)) : (kn_fail)0;
}

static uint32_t fail_find(const kn_library *library, const char *name)
{
    uint32_t index1 = 0;
    kn_fail fail = kn_fail_find(library, name);
    while (fail >= KN_FAIL_OWN_FIRST && fail_of(++index1) != fail) {
    }
    return index1;
}

static const char *fail_name(const kn_library *library, uint32_t index1)
{
    return kn_library_fail_name(library, fail_of(index1));
}

static const void *fail_get(const kn_library *library, uint32_t index1)
{
    return kn_fail_get_def(library, fail_of(index1));
}

static kn_end_reason end_reason_of(uint32_t index1)
{
    return (kn_end_reason)(index1 < 1000 ? KN_END_REASON_COUNT + index1 - 1 : 1000);
}

static uint32_t end_reason_find(const kn_library *library, const char *name)
{
    kn_end_reason reason = kn_end_reason_find(library, name);
    return reason >= KN_END_REASON_COUNT ? (uint32_t)reason - KN_END_REASON_COUNT + 1 : 0;
}

static const char *end_reason_name(const kn_library *library, uint32_t index1)
{
    return index1 == 0 ? "" : kn_library_end_reason_name(library, end_reason_of(index1));
}

static const void *end_reason_get(const kn_library *library, uint32_t index1)
{
    return index1 == 0 ? NULL : kn_end_reason_get_def(library, end_reason_of(index1));
}

#define OF(noun)                                                                                   \
    {                                                                                              \
        noun##_find, noun##_name, NULL                                                             \
    }
#define OF_DEF(noun)                                                                               \
    {                                                                                              \
        noun##_find, noun##_name, noun##_get                                                       \
    }

static const lookup lookups[KN_DEF_KIND_COUNT] = {[KN_DEF_TAG] = OF(tag),
    [KN_DEF_NAME] = OF(name),
    [KN_DEF_CURVE] = OF_DEF(curve),
    [KN_DEF_ATTRIBUTE_SET] = OF_DEF(attribute_set),
    [KN_DEF_ATTRIBUTE] = OF_DEF(attribute),
    [KN_DEF_VALUE] = OF_DEF(value),
    [KN_DEF_EVENT_KIND] = OF_DEF(event_kind),
    [KN_DEF_CALCULATION] = OF_DEF(calculation),
    [KN_DEF_EXECUTION] = OF_DEF(execution),
    [KN_DEF_REQUIREMENT] = OF(requirement),
    [KN_DEF_CONDITION] = OF(condition),
    [KN_DEF_POLICY] = OF(policy),
    [KN_DEF_EFFECT_LOGIC] = OF_DEF(effect_logic),
    [KN_DEF_EFFECT] = OF_DEF(effect),
    [KN_DEF_CONTAINER] = OF_DEF(container),
    [KN_DEF_RULE] = OF_DEF(rule),
    [KN_DEF_TIMER] = OF(timer_type),
    [KN_DEF_COMPONENT] = OF_DEF(component),
    [KN_DEF_CONTEXT] = OF(context_type),
    [KN_DEF_ABILITY] = OF_DEF(ability_type),
    [KN_DEF_ABILITY_SET] = OF_DEF(ability_set),
    [KN_DEF_TASK] = OF_DEF(task_type),
    [KN_DEF_ANIMATION] = OF_DEF(animation),
    [KN_DEF_TARGET] = OF_DEF(target_type),
    [KN_DEF_TARGETING] = OF_DEF(targeting),
    [KN_DEF_ARCHETYPE] = OF_DEF(archetype),
    [KN_DEF_COMMAND] = OF_DEF(command),
    [KN_DEF_SYSTEM] = OF_DEF(system),
    [KN_DEF_FAIL] = OF_DEF(fail),
    [KN_DEF_END_REASON] = OF_DEF(end_reason),
    [KN_DEF_CHECK] = OF_DEF(check),
    [KN_DEF_CUSTOM_EVENT] = OF_DEF(custom_event),
    [KN_DEF_TICKER] = OF_DEF(ticker),
    [KN_DEF_WATCH] = OF_DEF(watch_type),
    [KN_DEF_SYSTEM_GROUP] = OF_DEF(system_group)};

// The name that a def begins with; NULL for a kind without one.
static const char *name_in(const kn_library *library, kn_def_kind kind, const void *def)
{
    const kn_def_table *table = kn_kind_table(library, kind);
    const kn_def_field *field = table != NULL ? kn_def_field_find(table, "name") : NULL;
    const char *name = NULL;
    if (field != NULL && def != NULL) {
        memcpy(&name, (const uint8_t *)def + field->offset, sizeof(name));
    }
    return name;
}

static void expect_agreement(const kn_library *library, kn_def_kind kind)
{
    const lookup *own = kind < KN_DEF_KIND_COUNT ? &lookups[kind] : NULL;
    uint32_t count = kn_def_count(library, kind);
    if (count == 0) {
        fail_msg("the examples have no %s", kn_kind_name(library, kind));
    }
    for (uint32_t i = 1; i <= count; i++) {
        const char *name = kn_def_name(library, kind, i);
        const void *def = kn_def_get(library, kind, i);
        assert_true(name[0] != 0);
        if (kn_def_find(library, kind, name) != i) {
            fail_msg("%s `%s` is not found", kn_kind_name(library, kind), name);
        }
        const char *in_def = name_in(library, kind, def);
        if (in_def != NULL && kind != KN_DEF_ATTRIBUTE) { // which has its set before it
            assert_string_equal(in_def, name);
        }
        if (own == NULL) {
            continue;
        }
        assert_int_equal(own->find(library, name), i);
        assert_string_equal(own->name(library, i), name);
        assert_ptr_equal(own->get != NULL ? own->get(library, i) : NULL, def);
        if ((def != NULL) != (own->get != NULL)) {
            fail_msg("%s `%s`: def or no def?", kn_kind_name(library, kind), name);
        }
    }
}

static void expect_nothing(const kn_library *library, kn_def_kind kind)
{
    const lookup *own = kind < KN_DEF_KIND_COUNT ? &lookups[kind] : NULL;
    uint32_t bad[] = {0, kn_def_count(library, kind) + 1, UINT32_MAX};
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(kn_def_name(library, kind, bad[i]), "");
        assert_null(kn_def_get(library, kind, bad[i]));
        if (own != NULL) {
            assert_string_equal(own->name(library, bad[i]), "");
            assert_true(own->get == NULL || own->get(library, bad[i]) == NULL);
        }
    }
    static const char *const names[] = {"", "No.Such-Thing", "\xff"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_def_find(library, kind, names[i]), 0);
        assert_true(own == NULL || own->find(library, names[i]) == 0);
    }
    assert_int_equal(kn_def_find(library, kind, NULL), 0);
}

static kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    return order_kind_register(library, user, error);
}

static void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static void every_kind_is_found_named_and_read(void **state)
{
    (void)state;
    kn_script_loader *loader;
    kn_def_kind orders;
    assert_int_equal(kn_script_loader_create(NULL, &loader), KN_OK);
    kn_data_def def = kn_data_def_default();
    def.hooks.log_fn = log_nothing; // names that are not there are logged
    def.prepare = prepare;
    def.user = &orders;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_folder(data, KNACK_DOCS "/examples"), KN_OK);
    data_add(data, "orders.yaml", "orders: {Attack: {range: 3}, Stop: }\n");
    kn_library *library = data_build(data);
    kn_data_destroy(data);
    kn_script_loader_destroy(loader);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    world_def.hooks.log_fn = log_nothing;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    the_world = world;
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < KN_DEF_KIND_END; i++) {
        kn_def_kind kind = (kn_def_kind)i;
        if (kn_kind_name(library, kind)[0] == 0) {
            assert_int_equal(kn_def_count(library, kind), 0);
            assert_null(kn_def_get(library, kind, 1));
            assert_string_equal(kn_def_name(library, kind, 1), "");
            continue;
        }
        assert_int_equal(kn_kind_find(library, kn_kind_name(library, kind)), kind);
        expect_agreement(library, kind);
        expect_nothing(library, kind);
        kinds++;
    }
    assert_int_equal(kinds, KN_DEF_KIND_COUNT + 1);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_is_found_named_and_read),
};

TEST_GROUP(lookups, tests, NULL, NULL);
