// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What C code may register wrongly, beyond what a file can say (data_refusals.c): each mistake has
// its own sentence, and the thing beside it, with one number less, is taken.

#include "group.h"

#include "knack/knack.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    kn_library *library;
    kn_tag tags[2];
    kn_attribute_id health;
    kn_effect_type_id hit;
} fixture;

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static kn_result register_effect(fixture *f, const kn_effect_def *def, kn_error *error)
{
    kn_effect_type_id type = {77};
    kn_result result = kn_effect_register(f->library, def, &type, error);
    assert_int_equal(type.index1 != 0, result == KN_OK);
    return result;
}

static int setup(void **state)
{
    static fixture f;
    f = (fixture){0};
    kn_assert_set_handler(ignore_assert);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &f.library), KN_OK);
    static const char *const names[] = {"State.One", "State.Two"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_tag_def tag = kn_tag_def_default();
        tag.name = names[i];
        assert_int_equal(kn_tag_register(f.library, &tag, &f.tags[i], NULL), KN_OK);
    }
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    kn_attribute_set_def vitals = kn_attribute_set_def_default();
    vitals.name = "Vitals";
    vitals.attributes = &health;
    vitals.attribute_count = 1;
    kn_attribute_set_id set;
    assert_int_equal(kn_attribute_set_register(f.library, &vitals, &set, NULL), KN_OK);
    f.health = kn_attribute_find(f.library, "Vitals.Health");
    kn_effect_def hit = kn_effect_def_default();
    hit.name = "Hit";
    assert_int_equal(kn_effect_register(f.library, &hit, &f.hit, NULL), KN_OK);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_library_destroy(f->library);
    kn_assert_set_handler(NULL);
    return 0;
}

static void expect(kn_result result, const kn_error *error, kn_result wanted, const char *message)
{
    assert_string_equal(error->message, message);
    assert_int_equal(result, wanted);
    assert_int_equal(error->code, wanted);
}

// Effects --------------------------------------------------------------------

static void fields_that_make_no_sense_are_named(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_effect_def good = kn_effect_def_default(), bad;
    good.name = "E";
    good.duration_kind = KN_DURATION_TIMED;
    good.duration = kn_magnitude_constant(5.0f);

    bad = good;
    bad.chance.scale.value = NAN;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_scalable.value is not a finite number");
    bad = good;
    bad.duration_kind = (kn_duration_kind)3;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_effect_def.duration_kind is not one of its 3 values");
    bad = good;
    bad.modifier_count = 2;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_effect_def.modifiers is NULL but its count is 2");
    kn_tag tags[2] = {f->tags[0], {kn_tag_count(f->library) + 1}};
    bad = good;
    bad.granted_tags = (kn_tags){tags, 2};
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_effect_def.granted_tags, entry 1 is not a registered tag");
    tags[1].index1 = 0;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_effect_def.granted_tags, entry 1 is not a registered tag");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 1.0f);
    modifier.attribute.index1++;
    bad = good;
    bad.modifiers = &modifier;
    bad.modifier_count = 1;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_modifier_def.attribute does not name anything that is registered");
    kn_effect_type_id types[2] = {f->hit, {f->hit.index1 + 1}};
    kn_gate_def gate = kn_gate_def_default();
    gate.types = types;
    gate.type_count = 2;
    bad = good;
    bad.gates = &gate;
    bad.gate_count = 1;
    expect(register_effect(f, &bad, &error), &error, KN_ERROR_BAD_DATA,
        "kn_gate_def.types, entry 1 does not name anything that is registered");

    // The last of each that is there is fine.
    modifier.attribute = f->health;
    gate.type_count = 1;
    tags[1] = (kn_tag){kn_tag_count(f->library)};
    good.modifiers = &modifier;
    good.modifier_count = 1;
    good.granted_tags = (kn_tags){tags, 2};
    good.gates = &gate;
    good.gate_count = 1;
    assert_int_equal(register_effect(f, &good, &error), KN_OK);
}

static void an_effect_has_at_most_64_of_each_part(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_modifier_def modifiers[65];
    kn_grant_def grants[66];
    kn_name jump;
    assert_int_equal(kn_name_register(f->library, "Jump", &jump, NULL), KN_OK);
    for (uint32_t i = 0; i < 66; i++) {
        grants[i] = kn_grant_def_default();
        grants[i].ability = jump;
    }
    for (uint32_t i = 0; i < 65; i++) {
        modifiers[i] = kn_modifier_constant(f->health, KN_OP_ADD, 1.0f);
    }
    kn_effect_def def = kn_effect_def_default();
    def.name = "E";
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = modifiers;
    def.modifier_count = 65;
    expect(register_effect(f, &def, &error), &error, KN_ERROR_BAD_DATA,
        "effect `E`: an effect has at most 64 modifiers and 64 executions");
    def.modifier_count = 64;
    def.grants = grants;
    def.grant_count = 66;
    grants[65].follow_inhibition = KN_GRANT_FOLLOW_AFTER_END;
    expect(register_effect(f, &def, &error), &error, KN_ERROR_BAD_DATA,
        "effect `E`: only its first 64 grants can be removed and restored");
    grants[65].follow_inhibition = grants[0].follow_inhibition;
    grants[64].follow_inhibition = KN_GRANT_FOLLOW_AFTER_END;
    assert_int_equal(register_effect(f, &def, &error), KN_ERROR_BAD_DATA);
    grants[64].follow_inhibition = grants[0].follow_inhibition;
    grants[63].follow_inhibition = KN_GRANT_FOLLOW_AFTER_END;
    assert_int_equal(register_effect(f, &def, &error), KN_OK);
}

// Names and times ------------------------------------------------------------

static void names_are_taken_once_and_before_the_end(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_effect_def def = kn_effect_def_default();
    def.name = "Hit";
    expect(register_effect(f, &def, &error), &error, KN_REFUSED_DUPLICATE,
        "effect `Hit` is registered twice");
    def.name = "";
    expect(register_effect(f, &def, &error), &error, KN_ERROR_BAD_DATA,
        "effect ``: a name has 1 to 255 characters: letters, digits, `_`, `-`, `.` and spaces");
    char name[257];
    memset(name, 'x', 256);
    name[256] = 0;
    def.name = name;
    assert_int_equal(register_effect(f, &def, &error), KN_ERROR_BAD_DATA);
    name[255] = 0;
    assert_int_equal(register_effect(f, &def, &error), KN_OK);
    kn_effect_def zero = {.name = "Zero"};
    expect(register_effect(f, &zero, &error), &error, KN_ERROR_INVALID_ARGUMENT,
        "kn_effect_def: start from kn_effect_def_default()");
    def.name = "Child";
    def.parent = "Nobody";
    expect(register_effect(f, &def, &error), &error, KN_ERROR_BAD_DATA,
        "effect `Child` has parent `Nobody`, which is not registered");
    assert_int_equal(kn_library_finish(f->library, &error), KN_OK);
    def.parent = NULL;
    expect(register_effect(f, &def, &error), &error, KN_ERROR_WORLD_LOCKED,
        "the library is finished: register the effect before kn_library_finish()");
    kn_attribute_row row = {.group = "Hero", .attribute = "Vitals.Health", .value = 1.0f};
    expect(kn_attribute_table_register(f->library, &row, 1, &error), &error, KN_ERROR_WORLD_LOCKED,
        "the library is finished");
    expect(kn_attribute_redirect(f->library, "Vitals.HP", "Vitals.Health", &error), &error,
        KN_ERROR_WORLD_LOCKED, "the library is finished");
}

// Attributes -----------------------------------------------------------------

static void sets_say_which_attribute_is_wrong(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "A";
    attributes[1].name = "B.C";
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Set";
    def.attributes = attributes;
    def.attribute_count = 2;
    kn_attribute_set_id set;
    expect(kn_attribute_set_register(f->library, &def, &set, &error), &error, KN_ERROR_BAD_DATA,
        "set `Set`: attribute 1 needs a name without dots");
    attributes[1].name = "A";
    expect(kn_attribute_set_register(f->library, &def, &set, &error), &error, KN_REFUSED_DUPLICATE,
        "Set.A is declared twice");
    attributes[1] = (kn_attribute_def){.name = "B"};
    expect(kn_attribute_set_register(f->library, &def, &set, &error), &error,
        KN_ERROR_INVALID_ARGUMENT, "set `Set`: start attribute 1 from kn_attribute_def_default()");
    assert_int_equal(kn_attribute_find(f->library, "Set.A").index1, 0);
}

static void starting_values_say_which_row_is_wrong(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_attribute_row rows[3] = {{.group = "Hero", .attribute = "Vitals.Health", .value = 1.0f},
        {.group = "Hero", .attribute = "Vitals.Health", .level = 2, .value = 2.0f},
        {.group = "Hero", .attribute = "Vitals.Health", .level = 2, .value = 3.0f}};
    expect(kn_attribute_table_register(f->library, rows, 3, &error), &error, KN_REFUSED_DUPLICATE,
        "row 2: Vitals.Health of group Hero has level 2 twice");
    rows[2].level = 3;
    rows[2].value = INFINITY;
    expect(kn_attribute_table_register(f->library, rows, 3, &error), &error, KN_ERROR_BAD_DATA,
        "row 2 needs a group, an attribute and a finite value");
    rows[2].value = 3.0f;
    rows[2].attribute = "Vitals.Mana";
    assert_int_equal(kn_attribute_table_register(f->library, rows, 3, &error), KN_OK);
    expect(kn_library_finish(f->library, &error), &error, KN_ERROR_BAD_DATA,
        "starting values of group Hero name `Vitals.Mana`, which is not declared");
}

// Others ---------------------------------------------------------------------

static void do_nothing(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)world;
    (void)reaction;
}

static void rules_say_what_they_lack(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = "R";
    def.trigger = KN_TRIGGER_TAG_REMOVED;
    expect(kn_rule_register(f->library, &def, &rule, &error), &error, KN_ERROR_INVALID_ARGUMENT,
        "rule `R` has no function");
    def.function = do_nothing;
    expect(kn_rule_register(f->library, &def, &rule, &error), &error, KN_ERROR_BAD_DATA,
        "rule `R` must say which tag or attribute triggers it");
    def.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    expect(kn_rule_register(f->library, &def, &rule, &error), &error, KN_ERROR_BAD_DATA,
        "rule `R` must say which tag or attribute triggers it");
    def.attribute = f->health;
    assert_int_equal(kn_rule_register(f->library, &def, &rule, &error), KN_OK);
    def.name = "S";
    def.trigger = KN_TRIGGER_TAG_REMOVED;
    def.tag = f->tags[0];
    assert_int_equal(kn_rule_register(f->library, &def, &rule, &error), KN_OK);
}

static void targetings_are_finite_and_can_be_confirmed(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_targeting_id id;
    kn_targeting_def good = kn_targeting_def_default(), bad;
    good.name = "T";
    float *const numbers[] = {&bad.offset.x, &bad.offset.y, &bad.offset.z, &bad.reticle_scale.x,
        &bad.reticle_scale.y, &bad.reticle_scale.z, &bad.range, &bad.radius};
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        bad = good;
        *numbers[i] = INFINITY;
        expect(kn_targeting_register(f->library, &bad, &id, &error), &error, KN_ERROR_BAD_DATA,
            "targeting `T`: offset, range, radius and scale must be finite");
    }
    const uint32_t confirms[] = {0, 1u << KN_CONFIRM_COUNT};
    for (uint32_t i = 0; i < 2; i++) {
        bad = good;
        bad.confirms = confirms[i];
        expect(kn_targeting_register(f->library, &bad, &id, &error), &error, KN_ERROR_BAD_DATA,
            "targeting `T` has an unknown way to confirm");
    }
    bad = good;
    bad.interval = -1;
    expect(kn_targeting_register(f->library, &bad, &id, &error), &error, KN_ERROR_BAD_DATA,
        "targeting `T`: range, radius and interval must be at least 0, the cosine from -1 to 1");
    good.confirms = (1u << KN_CONFIRM_COUNT) - 1;
    assert_int_equal(kn_targeting_register(f->library, &good, &id, &error), KN_OK);
}

static void fail_tags_are_for_one_reason_each(void **state)
{
    fixture *f = *state;
    const kn_fail bad[] = {
        (kn_fail)0, (kn_fail)(KN_FAIL_COST | KN_FAIL_DEAD), (kn_fail)(1u << KN_FAIL_COUNT)};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_ability_fail_tag_set(f->library, bad[i], f->tags[0]), KN_ERROR_INVALID_ARGUMENT);
    }
    kn_tag unknown = {kn_tag_count(f->library) + 1};
    assert_int_equal(
        kn_ability_fail_tag_set(f->library, KN_FAIL_COST, unknown), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_ability_fail_tag_set(f->library, KN_FAIL_COST, f->tags[1]), KN_OK);
    assert_int_equal(kn_ability_fail_tag(f->library, KN_FAIL_COST).index1, f->tags[1].index1);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    assert_int_equal(
        kn_ability_fail_tag_set(f->library, KN_FAIL_COST, f->tags[0]), KN_ERROR_WORLD_LOCKED);
}

// The largest of each kind of block, and one byte more.
static void blocks_have_their_largest_size(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_field field = KN_FIELD_INIT("bytes", KN_FIELD_U8, 0, 0);
    for (uint32_t more = 2; more-- > 0;) {
        kn_target_type_def target = kn_target_type_def_default();
        target.name = "Spot";
        target.fields = &field;
        target.field_count = 1;
        target.size = field.count = 512 + more;
        kn_target_type_id target_id;
        kn_result result = kn_target_type_register(f->library, &target, &target_id, &error);
        if (more > 0) {
            expect(result, &error, KN_ERROR_BAD_DATA,
                "target type `Spot`: its size must be 1 to 512, with a field table");
        } else {
            assert_int_equal(result, KN_OK);
        }
        kn_component_def component = kn_component_def_default();
        component.name = "Heap";
        component.fields = &field;
        component.field_count = 1;
        component.size = field.count = 65536 + more;
        kn_component_type_id component_id;
        result = kn_component_register(f->library, &component, &component_id, &error);
        if (more > 0) {
            expect(result, &error, KN_ERROR_BAD_DATA,
                "component `Heap`: its size must be 1 to 65536, with a field table for every part");
        } else {
            assert_int_equal(result, KN_OK);
        }
        kn_ability_def ability = kn_ability_def_default();
        ability.name = "Think";
        ability.state_fields = &field;
        ability.state_field_count = 1;
        ability.state_size = field.count = 4096 + more;
        kn_ability_type_id ability_id;
        result = kn_ability_register(f->library, &ability, &ability_id, &error);
        if (more > 0) {
            expect(result, &error, KN_ERROR_BAD_DATA,
                "ability `Think`: its state must not exceed 4096 bytes");
        } else {
            assert_int_equal(result, KN_OK);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(fields_that_make_no_sense_are_named, setup, teardown),
    cmocka_unit_test_setup_teardown(an_effect_has_at_most_64_of_each_part, setup, teardown),
    cmocka_unit_test_setup_teardown(names_are_taken_once_and_before_the_end, setup, teardown),
    cmocka_unit_test_setup_teardown(sets_say_which_attribute_is_wrong, setup, teardown),
    cmocka_unit_test_setup_teardown(starting_values_say_which_row_is_wrong, setup, teardown),
    cmocka_unit_test_setup_teardown(blocks_have_their_largest_size, setup, teardown),
    cmocka_unit_test_setup_teardown(fail_tags_are_for_one_reason_each, setup, teardown),
    cmocka_unit_test_setup_teardown(rules_say_what_they_lack, setup, teardown),
    cmocka_unit_test_setup_teardown(targetings_are_finite_and_can_be_confirmed, setup, teardown),
};

TEST_GROUP(refusals, tests, NULL, NULL);
