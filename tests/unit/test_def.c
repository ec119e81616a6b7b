// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions through one door: tables, defaults, registration by kind.

#include "library/types.h"
#include "test_memory.h"

typedef void table_visit(const kn_def_table *table);

static void walk_table(const kn_def_table *table, table_visit *visit, uint32_t depth)
{
    assert_in_range(depth, 0, 16);
    visit(table);
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].table != NULL) {
            walk_table(table->fields[i].table, visit, depth + 1);
        }
    }
}

static void walk_all(table_visit *visit)
{
    for (uint32_t kind = 0; kind < KN_DEF_KIND_COUNT; kind++) {
        const kn_def_table *table = kn_def_table_of((kn_def_kind)kind);
        if (table != NULL) {
            walk_table(table, visit, 0);
        }
    }
}

static void expect_words(const kn_def_table *table)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        assert_true(field->kind < KN_DEF_FIELD_PUBLIC_END);
        // Bits of a number may have words, too.
        assert_true(field->kind == KN_FIELD_U32 ||
                    (field->names != NULL) == (field->kind == KN_DEF_FIELD_ENUM));
        for (uint32_t a = 0; field->names != NULL && a < field->limit; a++) {
            assert_non_null(field->names[a]);
            for (uint32_t b = 0; b < a; b++) {
                assert_string_not_equal(field->names[a], field->names[b]);
            }
        }
    }
}

static void every_value_of_every_enum_has_a_word_of_its_own(void **state)
{
    (void)state;
    walk_all(expect_words);
}

static void expect_good_defaults(const kn_def_table *table)
{
    uint8_t def[4096];
    assert_in_range(table->size, 1, sizeof(def));
    memset(def, 0xff, sizeof(def));
    kn_def_init(table, def);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        uint64_t value = kni_field_load(
            def + field->offset, kni_field_size(field) <= 8 ? kni_field_size(field) : 8);
        if (field->kind == KN_DEF_FIELD_ENUM) {
            assert_true(value < field->limit);
        } else if (field->kind == KN_DEF_FIELD_POINTER || field->kind == KN_DEF_FIELD_STRING ||
                   field->kind == KN_DEF_FIELD_ARRAY) {
            assert_int_equal(value, 0);
        } else if (field->kind == KN_DEF_FIELD_COOKIE) {
            assert_int_equal(value, KN_COOKIE);
        }
    }
}

static void defaults_are_written_for_defs_and_their_parts(void **state)
{
    (void)state;
    walk_all(expect_good_defaults);
    kn_cooldown_def cooldown;
    const kn_def_table *table = kn_def_table_of(KN_DEF_ABILITY);
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (strcmp(table->fields[i].name, "cooldowns") == 0) {
            kn_def_init(table->fields[i].table, &cooldown);
        }
    }
    assert_true(cooldown.charges.value == 1.0f);
    assert_true(cooldown.predict_length);
}

static void every_kind_has_a_name_and_those_with_a_table_a_def(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < KN_DEF_KIND_COUNT; kind++) {
        assert_true(kn_def_kind_name((kn_def_kind)kind)[0] != 0);
    }
    assert_string_equal(kn_def_kind_name(KN_DEF_KIND_COUNT), "");
    assert_null(kn_def_table_of(KN_DEF_KIND_COUNT));
    assert_null(kn_def_table_of(KN_DEF_TIMER));
}

static void a_def_of_any_kind_is_registered_found_and_read_back(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_curve_point points[] = {{1.0f, 10.0f}, {5.0f, 50.0f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Damage";
    curve.points = points;
    curve.point_count = 2;
    uint32_t index1 = 0;
    assert_int_equal(kn_def_register(library, KN_DEF_CURVE, &curve, &index1, NULL), KN_OK);
    assert_int_equal(index1, 1);
    assert_int_equal(kn_def_find(library, KN_DEF_CURVE, "damage"), 1);
    assert_int_equal(kn_def_find(library, KN_DEF_CURVE, NULL), 0);
    assert_int_equal(kn_def_find(library, KN_DEF_KIND_COUNT, "damage"), 0);
    assert_int_equal(kn_def_find_expected(library, KN_DEF_CURVE, "damage"), 1);
    assert_int_equal(kn_def_find_expected(library, KN_DEF_KIND_COUNT, "damage"), 0);
    assert_string_equal(kn_def_name(library, KN_DEF_CURVE, 1), "Damage");
    assert_string_equal(kn_def_name(library, KN_DEF_CURVE, 2), "");
    const kn_curve_def *found = kn_def_get(library, KN_DEF_CURVE, 1);
    assert_int_equal(found->point_count, 2);
    assert_ptr_not_equal(found->points, points);
    assert_null(kn_def_get(library, KN_DEF_CURVE, 2));
    assert_null(kn_def_get(library, KN_DEF_CURVE, 0));

    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Health";
    attribute.default_value = 7.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_def_register(library, KN_DEF_ATTRIBUTE_SET, &set, &index1, NULL), KN_OK);
    const kn_attribute_set_def *set_back = kn_def_get(library, KN_DEF_ATTRIBUTE_SET, index1);
    assert_string_equal(set_back->attributes[0].name, "Health");
    kn_error error;
    assert_int_equal(kn_def_register(library, KN_DEF_ATTRIBUTE, &attribute, &index1, &error),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(index1, 0);
    assert_int_equal(
        kn_def_register(library, KN_DEF_CURVE, &curve, &index1, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_def_count(library, KN_DEF_CURVE), 1);
    kn_library_destroy(library);
}

static void count_reaction(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    (*(uint32_t *)user)++;
}

static void add_counting_rule(kn_library *library, const char *name, kn_tag tag, uint32_t *count)
{
    kn_rule_def rule = kn_rule_def_default();
    rule.name = name;
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = tag;
    rule.function = count_reaction;
    rule.user = count;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(library, &rule, &id, NULL), KN_OK);
}

static void rules_may_be_added_after_the_library_could_not_be_finished(void **state)
{
    (void)state;
    test_memory test = {0};
    kn_library_def def = kn_library_def_default();
    def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &test};
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_tag_def tag_def = kn_tag_def_default();
    tag_def.name = "Event.Ping";
    kn_tag ping;
    assert_int_equal(kn_tag_register(library, &tag_def, &ping, NULL), KN_OK);
    uint32_t count = 0;
    add_counting_rule(library, "First", ping, &count);

    kn_child_def child = kn_child_def_default();
    child.type_name = "Later";
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Parent";
    effect.children = &child;
    effect.child_count = 1;
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(library, &effect, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_ERROR_BAD_DATA); // no effect "Later"

    static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"};
    uint32_t added = sizeof(names) / sizeof(*names);
    for (uint32_t i = 0; i < added; i++) {
        add_counting_rule(library, names[i], ping, &count);
    }
    kn_effect_def later = kn_effect_def_default();
    later.name = "Later";
    assert_int_equal(kn_effect_register(library, &later, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);

    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    assert_int_equal(kn_event_send(world, entity, ping, NULL), KN_OK);
    assert_int_equal(count, 1 + added);
    kn_world_destroy(world);
    kn_library_destroy(library);
    assert_int_equal(test.blocks, 0);
    assert_int_equal(test.bytes, 0);
}

static kn_library *library_with_curve(float value, const char *condition)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_curve_point points[] = {{1.0f, 2.0f}, {2.0f, value}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Growth";
    curve.points = points;
    curve.point_count = 2;
    kn_curve_id id;
    assert_int_equal(kn_curve_register(library, &curve, &id, NULL), KN_OK);
    kn_condition_id condition_id;
    assert_int_equal(
        kn_condition_register_expression(library, "Strong", condition, &condition_id, NULL), KN_OK);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Calm";
    assert_int_equal(kn_tag_register(library, &tag, NULL, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

static void the_hash_of_a_def_shows_where_libraries_differ(void **state)
{
    (void)state;
    kn_library *first = library_with_curve(3.0f, "event.magnitude > 2");
    kn_library *same = library_with_curve(3.0f, "event.magnitude > 2");
    kn_library *value = library_with_curve(4.0f, "event.magnitude > 2");
    kn_library *formula = library_with_curve(3.0f, "event.magnitude > 3");
    assert_int_equal(kn_def_hash(first, KN_DEF_CURVE, 1), kn_def_hash(same, KN_DEF_CURVE, 1));
    assert_int_not_equal(kn_def_hash(first, KN_DEF_CURVE, 1), 0);
    assert_int_not_equal(kn_def_hash(first, KN_DEF_CURVE, 1), kn_def_hash(value, KN_DEF_CURVE, 1));
    assert_int_equal(kn_def_hash(first, KN_DEF_CURVE, 1), kn_def_hash(formula, KN_DEF_CURVE, 1));
    assert_int_equal(
        kn_def_hash(first, KN_DEF_CONDITION, 1), kn_def_hash(value, KN_DEF_CONDITION, 1));
    assert_int_not_equal(
        kn_def_hash(first, KN_DEF_CONDITION, 1), kn_def_hash(formula, KN_DEF_CONDITION, 1));
    assert_int_not_equal(kn_def_hash(first, KN_DEF_TAG, 1), kn_def_hash(first, KN_DEF_TAG, 2));
    assert_int_equal(kn_def_hash(first, KN_DEF_CURVE, 0), 0);
    assert_int_equal(kn_def_hash(first, KN_DEF_CURVE, 2), 0);
    assert_int_equal(kn_def_hash(first, (kn_def_kind)1000, 1), 0);
    kn_library_destroy(first);
    kn_library_destroy(same);
    kn_library_destroy(value);
    kn_library_destroy(formula);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_value_of_every_enum_has_a_word_of_its_own),
    cmocka_unit_test(defaults_are_written_for_defs_and_their_parts),
    cmocka_unit_test(every_kind_has_a_name_and_those_with_a_table_a_def),
    cmocka_unit_test(a_def_of_any_kind_is_registered_found_and_read_back),
    cmocka_unit_test(the_hash_of_a_def_shows_where_libraries_differ),
    cmocka_unit_test(rules_may_be_added_after_the_library_could_not_be_finished),
};

TEST_GROUP(test_def, tests, NULL, NULL);
