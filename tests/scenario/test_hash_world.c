// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hashes of worlds and entities, and the sentence that says where two worlds differ.

#include "rich_world.h"

typedef struct fixture {
    kn_library *library;
    kn_world *a;
    kn_world *b;
    kn_entity_id first;  // the same in both
    kn_entity_id second; // the same in both
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->a = rich_world_create(f->library, NULL);
    f->b = rich_world_create(f->library, NULL);
    f->first = kn_entity_next(f->a, (kn_entity_id){0});
    f->second = kn_entity_next(f->a, f->first);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->a);
    kn_world_destroy(f->b);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

static void expect_difference(const fixture *f, const char *sentence)
{
    char text[256];
    assert_true(kn_world_difference(f->a, f->b, text, sizeof(text)));
    assert_string_equal(text, sentence);
    assert_int_not_equal(kn_world_hash(f->a), kn_world_hash(f->b));
}

static void worlds_with_the_same_past_have_the_same_hash(void **state)
{
    fixture *f = *state;
    assert_same_worlds(f->a, f->b);
    rich_step(f->a, 50);
    rich_step(f->b, 50);
    assert_same_worlds(f->a, f->b);
    char text[8] = "x";
    assert_false(kn_world_difference(f->a, f->b, text, sizeof(text)));
    assert_string_equal(text, "");
}

static void ignore_event(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    (void)world;
    (void)event;
}

static void observers_do_not_show(void **state)
{
    fixture *f = *state;
    uint64_t hash = kn_world_hash(f->a);
    assert_int_equal(kn_world_step(f->a, 0), KN_OK); // publishes
    assert_int_equal(kn_world_hash(f->a), hash);
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_CUE;
    def.function = ignore_event;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->a, &def, &listener), KN_OK);
    assert_int_equal(kn_world_hash(f->a), hash);
}

static void entities_have_hashes_of_their_own(void **state)
{
    fixture *f = *state;
    uint64_t first = kn_entity_hash(f->a, f->first), second = kn_entity_hash(f->a, f->second);
    assert_int_not_equal(first, second);
    assert_int_equal(first, kn_entity_hash(f->b, f->first));
    kn_attribute_id armor = kn_attribute_find(f->library, "Vitals.Armor");
    assert_int_equal(kn_attribute_set_base(f->a, f->second, armor, 0, 50.0f), KN_OK);
    assert_int_equal(kn_entity_hash(f->a, f->first), first);
    assert_int_not_equal(kn_entity_hash(f->a, f->second), second);
    assert_int_equal(kn_entity_hash(f->a, (kn_entity_id){0}), 0);
    assert_int_equal(kn_entity_hash(f->a, (kn_entity_id){999, 1}), 0);
}

static void time_is_told(void **state)
{
    fixture *f = *state;
    assert_int_equal(kn_world_step(f->b, KN_MS(1)), KN_OK);
    expect_difference(f, "time 0 s against 0.001 s");
}

static void an_attribute_is_told(void **state)
{
    fixture *f = *state;
    kn_attribute_id health = kn_attribute_find(f->library, "Vitals.Health");
    assert_int_equal(kn_attribute_set_base(f->a, f->second, health, 0, 90.0f), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->b, f->second, health, 0, 95.0f), KN_OK);
    expect_difference(f, "entity 2, Vitals.Health, base 90 against 95");
}

static void a_tag_is_told(void **state)
{
    fixture *f = *state;
    kn_tag tag = kn_tag_find(f->library, "Kind.Curse");
    assert_int_equal(kn_entity_add_tag(f->a, f->first, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    expect_difference(f, "entity 1, tag Kind.Curse, count 1 against 0");
}

static void the_remaining_time_of_an_effect_is_told(void **state)
{
    fixture *f = *state;
    kn_effect_id a = rich_apply(f->a, "Haste", f->first, f->first);
    kn_effect_id b = rich_apply(f->b, "Haste", f->first, f->first);
    assert_int_equal(kn_effect_set_remaining(f->a, a, KN_MS(1200)), KN_OK);
    assert_int_equal(kn_effect_set_remaining(f->b, b, KN_MS(1250)), KN_OK);
    expect_difference(f, "entity 1, effect Haste, remaining 1.2 s against 1.25 s");
}

static void stacks_of_an_effect_are_told(void **state)
{
    fixture *f = *state;
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rich_type(f->a, "Quick");
    def.target = f->second;
    def.stacks = 2;
    assert_int_equal(kn_effect_apply(f->a, &def, NULL), KN_OK);
    def.stacks = 3;
    assert_int_equal(kn_effect_apply(f->b, &def, NULL), KN_OK);
    expect_difference(f, "entity 2, effect Quick, stacks 2 against 3");
}

static void a_caller_value_is_told(void **state)
{
    fixture *f = *state;
    kn_tag amount = kn_tag_find(f->library, "Data.Amount");
    kn_caller_value value = {amount, 1.0f};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rich_type(f->a, "Quick");
    def.target = f->second;
    def.caller_values = &value;
    def.caller_value_count = 1;
    assert_int_equal(kn_effect_apply(f->a, &def, NULL), KN_OK);
    value.value = 2.5f;
    assert_int_equal(kn_effect_apply(f->b, &def, NULL), KN_OK);
    expect_difference(f, "entity 2, effect Quick, caller Data.Amount, value 1 against 2.5");
}

static void an_entity_only_one_has_is_told(void **state)
{
    fixture *f = *state;
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->b, &entity), KN_OK);
    char sentence[64];
    snprintf(sentence, sizeof(sentence), "entity %u is only in the second world", entity.index1);
    expect_difference(f, sentence);
}

static void an_effect_only_one_has_is_told(void **state)
{
    fixture *f = *state;
    rich_apply(f->a, "Quick", f->second, f->second);
    expect_difference(f, "entity 2, effect Quick is only in the first world");
}

static void an_extension_component_is_told(void **state)
{
    fixture *f = *state;
    kn_component_type_id type = kn_component_find(f->library, "Charge");
    rich_charge *charge = kn_component_get(f->a, type, (kn_entity_id){0});
    assert_non_null(charge);
    charge->rate = 0.5f;
    expect_difference(f, "component Charge, rate 0.5 against 0.1");
    charge->rate = 0.1f;
    uint32_t count;
    rich_item *items = kn_component_items(f->a, type, (kn_entity_id){0}, &count);
    assert_int_equal(count, 3);
    items[1].number = 4;
    expect_difference(f, "component Charge, items 1, number 4 against -7");
}

static void random_numbers_are_told(void **state)
{
    fixture *f = *state;
    (void)kn_random_u32(f->a, 3);
    char text[128];
    assert_true(kn_world_difference(f->a, f->b, text, sizeof(text)));
    assert_non_null(strstr(text, "random stream 3, state "));
    assert_int_not_equal(kn_world_hash(f->a), kn_world_hash(f->b));
}

static void a_short_buffer_cuts_the_sentence(void **state)
{
    fixture *f = *state;
    rich_apply(f->a, "Quick", f->second, f->second);
    for (uint32_t size = 0; size < 64; size++) {
        char text[64];
        memset(text, '#', sizeof(text));
        assert_true(kn_world_difference(f->a, f->b, size > 0 ? text : NULL, size));
        if (size > 0) {
            assert_non_null(memchr(text, 0, size));
        }
        for (uint32_t i = size; i < sizeof(text); i++) {
            assert_int_equal(text[i], '#');
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(worlds_with_the_same_past_have_the_same_hash, setup, teardown),
    cmocka_unit_test_setup_teardown(observers_do_not_show, setup, teardown),
    cmocka_unit_test_setup_teardown(entities_have_hashes_of_their_own, setup, teardown),
    cmocka_unit_test_setup_teardown(time_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(an_attribute_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(a_tag_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(the_remaining_time_of_an_effect_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(stacks_of_an_effect_are_told, setup, teardown),
    cmocka_unit_test_setup_teardown(a_caller_value_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(an_entity_only_one_has_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(an_effect_only_one_has_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(an_extension_component_is_told, setup, teardown),
    cmocka_unit_test_setup_teardown(random_numbers_are_told, setup, teardown),
    cmocka_unit_test_setup_teardown(a_short_buffer_cuts_the_sentence, setup, teardown),
};

TEST_GROUP(test_hash_world, tests, NULL, NULL);
