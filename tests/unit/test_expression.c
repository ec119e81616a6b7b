// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/text.h"
#include "effect/effect.h"
#include "test_tag_library.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// Attribute i of the fixture reads as 10 * (i + 1).
static void fill(kn_library *library)
{
    static const char *const names[] = {"Health", "Armor", "Max Health"};
    static const char *const tags[] = {"State.Stun", "State.Two-Handed", "Data.Damage", "Magic"};
    kn_attribute_def attributes[3];
    for (uint32_t i = 0; i < 3; i++) {
        attributes[i] = kn_attribute_def_default();
        attributes[i].name = names[i];
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id set_id;
    set.name = "Unit";
    set.attributes = attributes;
    set.attribute_count = 3;
    assert_int_equal(kn_attribute_set_register(library, &set, &set_id, NULL), KN_OK);
    // Its attribute is spelt like the maximum of another one.
    attributes[0].name = "max";
    set.name = "Unit.Armor";
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(library, &set, &set_id, NULL), KN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        tag_add(library, tags[i]);
    }
    kn_name name;
    assert_int_equal(kn_name_register(library, "Bonus", &name, NULL), KN_OK);
    static const kn_curve_point points[] = {{1, 10}, {3, 30}};
    kn_curve_def curve = kn_curve_def_default();
    kn_curve_id curve_id;
    curve.name = "Growth";
    curve.points = points;
    curve.point_count = 2;
    assert_int_equal(kn_curve_register(library, &curve, &curve_id, NULL), KN_OK);
}

static int setup(void **state)
{
    int result = tag_setup(state);
    fill(tag_library(state));
    return result;
}

static kn_result compile(
    kn_library *library, kni_expression_use use, const char *text, kni_expression **out)
{
    static const char *const whats[] = {"", "calculation", "requirement", "", "condition"};
    kni_expression_def def = {use, whats[use], "X", text, NULL, 0};
    kn_error error = {0};
    kn_result result = kni_expression_compile(library, &library->memory, &def, out, &error);
    if (result == KN_OK) {
        assert_int_equal(error.code, KN_OK);
    } else {
        assert_null(*out);
        assert_true(error.message[0] != 0);
    }
    return result;
}

static kni_expression *compiled(kn_library *library, kni_expression_use use, const char *text)
{
    kni_expression_def def = {use, "calculation", "X", text, NULL, 0};
    kni_expression *expression;
    kn_error error = {0};
    if (kni_expression_compile(library, &library->memory, &def, &expression, &error) != KN_OK) {
        fail_msg("%s: %u:%u: %s", text, error.line, error.column, error.message);
    }
    return expression;
}

// At level 2, with 3 stacks, at tick 4.
static kn_result evaluate(kn_library *library, const char *text, float *value)
{
    kni_expression *expression = compiled(library, KNI_EXPRESSION_CALCULATION, text);
    kn_spec_view spec = {.level = 2.0f, .stacks = 3, .tick = 4};
    kni_expression_input input = {library, kni_spec_read, &spec};
    float frame[KNI_EXPRESSION_FRAME];
    for (uint32_t i = 0; i < expression->capture_count; i++) {
        frame[i] = 10.0f * (float)expression->captures[i].attribute.index1;
    }
    kn_result result = kni_expression_run(expression, &input, frame, value);
    kni_expression_free(&library->memory, expression);
    return result;
}

static void check_values(kn_library *library, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        // "text = value", where the last equals sign counts.
        char text[256];
        size_t length = strlen(texts[i]);
        assert_true(length < sizeof(text));
        memcpy(text, texts[i], length + 1);
        char *equals = strrchr(text, '=');
        *equals = 0;
        float expected, value;
        assert_true(kn_float_parse(equals + 2, &expected));
        kn_result result = evaluate(library, text, &value);
        if (result != KN_OK || value != expected) {
            fail_msg("%s is %s, %g", text, kn_result_name(result), (double)value);
        }
    }
}

#define CHECK_VALUES(library, list) check_values(library, list, sizeof(list) / sizeof(*(list)))

// The language --------------------------------------------------------------

static void operators_bind_as_in_arithmetic(void **state)
{
    static const char *const cases[] = {
        "1 + 2 * 3 = 7",
        "(1 + 2) * 3 = 9",
        "10 - 4 - 3 = 3",
        "24 / 4 / 2 = 3",
        "2 ^ 3 ^ 2 = 512",
        "-2 ^ 2 = -4",
        "2 ^ -1 = 0.5",
        "- -3 = 3",
        "2 * -3 = -6",
        "1 + 2 < 4 = 1",
        "1 < 2 and 2 < 1 = 0",
        "0 and 0 or 1 = 1",
        "1 or 1 and 0 = 1",
        "not 1 < 2 = 0",
        "not not 7 = 1",
        "not 0 and 0 = 0",
        "2 + (not 0) = 3",
        "1 <= 1 = 1",
        "2 >= 3 = 0",
        "2 > 1 = 1",
        "2 == 2 = 1",
        "2 != 2 = 0",
        "0 - 0.5 = -0.5",
        ".5 + 1e2 + 2.5E-1 + 1e+0 = 101.75",
        " \t\r\n1\n+\n2\n = 3",
    };
    CHECK_VALUES(tag_library(state), cases);
}

static void remainders_have_the_sign_of_the_divisor(void **state)
{
    static const char *const cases[] = {
        "7 % 3 = 1",
        "-7 % 3 = 2",
        "7 % -3 = -2",
        "-7 % -3 = -1",
        "6 % 3 = 0",
        "-6 % 3 = 0",
        "5.5 % 2 = 1.5",
        "1e10 % 3 = 1",
        "3e38 % 7 = 1",
        "1e-44 % 3e-45 = 1e-45",
        "16777216 % 16777215 = 1",
        "2 % 1e30 = 2",
    };
    // fmod() never rounds, so it can be trusted here.
    assert_true(fmod(1e10, 3) == 1.0 && fmod((double)3e38f, 7) == 1.0);
    CHECK_VALUES(tag_library(state), cases);
}

static void functions_compute_what_their_names_say(void **state)
{
    static const char *const cases[] = {
        "min(3, 1, 2) = 1",
        "max(3, 1, 4, 2) = 4",
        "clamp(5, 1, 3) = 3",
        "clamp(-5, 1, 3) = 1",
        "clamp(2, 1, 3) = 2",
        "clamp(2, 5, 3) = 5",
        "abs(-2) = 2",
        "floor(-1.5) = -2",
        "ceil(1.2) = 2",
        "round(2.5) = 3",
        "round(-2.5) = -3",
        "round(0.49999997) = 0",
        "round(8388609) = 8388609",
        "sqrt(9) = 3",
        "sign(-3) = -1",
        "sign(0) = 0",
        "sign(9) = 1",
        "lerp(10, 20, 0.25) = 12.5",
        "lerp(10, 20, 2) = 30",
        "step(3, 2) = 0",
        "step(3, 3) = 1",
        "pow(2, 10) = 1024",
        "pow(-2, 3) = -8",
        "pow(5, 0) = 1",
        "pow(0, 0) = 1",
        "pow(1, 16777215) = 1",
        "if(2 > 1, 10, 20) = 10",
        "if(0, 10, 20) = 20",
        "curve(Growth, 2) = 20",
        "curve(growth, 99) = 30",
    };
    CHECK_VALUES(tag_library(state), cases);
}

// The same formulas with readings in all places, so that nothing is folded.
static void code_gives_what_folding_gives(void **state)
{
    static const char *const cases[] = {
        "level = 2",
        "level + stacks * tick = 14",
        "(level + stacks) * (tick - level) = 10",
        "level - (stacks - (tick - (level - stacks))) = 4",
        "stacks % level = 1",
        "level ^ stacks ^ level = 512",
        "-level ^ 2 = -4",
        "pow(1.5, level) = 2.25",
        "min(tick, stacks, level) = 2",
        "max(1, level, 3, tick) = 4",
        "clamp(1, level, stacks) = 2",
        "clamp(level * 10, level, stacks) = 3",
        "clamp(3, tick, level) = 4",
        "lerp(1, tick, level) = 7",
        "lerp(level, stacks, tick) = 6",
        "lerp(level * 1, stacks * 1, tick * 1) = 6",
        "step(level, stacks) = 1",
        "abs(-level) + floor(level / 4) + ceil(level / 4) + round(level / 4) = 4",
        "sqrt(tick) + sign(level) = 3",
        "curve(Growth, level) = 20",
        "if(level == 2, stacks, tick) = 3",
        "if(level != 2, stacks, tick) = 4",
        "if(level, if(stacks > 5, 1, tick), 7) + level = 6",
        "level + if(stacks < 5, level * stacks, 0) * 2 = 14",
        "if(1, level, stacks) + if(0, level, stacks) = 5",
        "level and stacks = 1",
        "level and 0 = 0",
        "0 and level = 0",
        "1 and level = 1",
        "level or 0 = 1",
        "level - 2 or 0 = 0",
        "level - 2 or stacks = 1",
        "0 or level - 2 = 0",
        "1 or level = 1",
        "not level = 0",
        "not (level - 2) = 1",
        "(level < stacks) + (level > stacks) * 10 + (level >= 2) * 100 = 101",
        "source.Unit.Health + target.Unit.Armor * 2 = 50",
        "source.`Unit.Max Health` = 30",
        "source.Unit.`Max Health`.base = 30",
        "source.unit.health.max = 10",
        "source.Unit.Armor.max = 40",
        "source.Unit.Armor.max.max = 40",
        "snapshot(causer.Unit.Health) \?\? 7 = 10",
    };
    CHECK_VALUES(tag_library(state), cases);
}

static void only_the_branch_that_is_taken_is_computed(void **state)
{
    static const char *const cases[] = {
        "if(level == 2, 5, 1 / (level - 2)) = 5",
        "if(level != 2, 1 / (level - 2), 5) = 5",
        "level != 2 and 1 / (level - 2) = 0",
        "level == 2 or 1 / (level - 2) = 1",
    };
    CHECK_VALUES(tag_library(state), cases);
}

static void numbers_out_of_bounds_are_refused(void **state)
{
    static const char *const cases[] = {
        "1 / (level - 2)",
        "1 % (level - 2)",
        "0 / (level - 2)",
        "sqrt(-level)",
        "level * 3e38",
        "level * 3e38 < 5",
        "min(1, level * 3e38)",
        "1 / (level * 3e38)",
        "-3e38 - 1e38 * level",
        "level ^ 500",
        "level ^ -500",
        "0 ^ -level",
        "level ^ (stacks / 2)",
        "1 ^ (level * 16777216)",
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        float value = 1.0f;
        if (evaluate(tag_library(state), cases[i], &value) != KN_REFUSED_BAD_NUMBER) {
            fail_msg("%s is %g", cases[i], (double)value);
        }
        assert_true(value == 0.0f);
    }
}

// Compilation ---------------------------------------------------------------

static void constants_are_computed_once(void **state)
{
    kn_library *library = tag_library(state);
    static const struct {
        const char *text;
        uint32_t codes;
    } cases[] = {
        {"1 + 2 * 3 - sqrt(16) ^ 2 + curve(Growth, 2) + max(1, 2, 3)", 1},
        {"if(1, 2, source.Unit.Health * 3)", 1},
        {"0 and has(source, Magic)", 1},
        {"source.Unit.Health", 1},
        {"source.Unit.Health * (2 + 3) + 2 * 3", 3},
        {"if(0, level * 1, level * 2 * 3)", 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kni_expression *code = compiled(library, KNI_EXPRESSION_CALCULATION, cases[i].text);
        assert_int_equal(code->code_count, cases[i].codes);
        kni_expression_free(&library->memory, code);
    }
}

static void each_reading_is_captured_once(void **state)
{
    kn_library *library = tag_library(state);
    kni_expression *code = compiled(library, KNI_EXPRESSION_CALCULATION,
        "source.Unit.Health + source.UNIT.health + target.Unit.Health.base"
        " + source.Unit.Health[2] + snapshot(source.Unit.Health) + source.Unit.Health.bonus"
        " + (source.Unit.Health.min \?\? -2 * 1) + source.Unit.Health.overflow"
        " + source.Unit.Health.effective_bonus + if(0, causer.Unit.Health.max, 0)");
    static const struct {
        kn_capture_from from;
        kn_capture_value value;
        uint32_t key;
        bool snapshot;
    } expected[] = {
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_FINAL, 0, false},
        {KN_CAPTURE_FROM_TARGET, KN_CAPTURE_BASE, 0, false},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_FINAL, 2, false},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_FINAL, 0, true},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_BONUS, 0, false},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_MINIMUM, 0, false},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_OVERFLOW, 0, false},
        {KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_EFFECTIVE_BONUS, 0, false},
        {KN_CAPTURE_FROM_CAUSER, KN_CAPTURE_MAXIMUM, 0, false},
    };
    assert_int_equal(code->capture_count, sizeof(expected) / sizeof(*expected));
    for (uint32_t i = 0; i < code->capture_count; i++) {
        const kn_capture *capture = &code->captures[i];
        assert_int_equal(capture->attribute.index1, 1);
        assert_int_equal(capture->from, expected[i].from);
        assert_int_equal(capture->value, expected[i].value);
        assert_int_equal(capture->key, expected[i].key);
        assert_int_equal(capture->snapshot, expected[i].snapshot);
        assert_int_equal(capture->has_default, capture->value == KN_CAPTURE_MINIMUM);
        assert_true(
            capture->default_value == (capture->value == KN_CAPTURE_MINIMUM ? -2.0f : 0.0f));
    }
    kni_expression_free(&library->memory, code);
}

static void declared_captures_are_read_by_their_index(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag magic = kn_tag_find(library, "Magic");
    kn_capture declared[] = {
        {.attribute = {2}, .source_filter = {&magic, 1}},
        {.attribute = {1}},
    };
    kni_expression_def def = {KNI_EXPRESSION_CALCULATION, "calculation", "X",
        "capture(0) + source.Unit.Armor + source.Unit.Health", declared, 2};
    kni_expression *code;
    assert_int_equal(kni_expression_compile(library, &library->memory, &def, &code, NULL), KN_OK);
    // The armour without filter is another reading; the health is the second one declared.
    assert_int_equal(code->capture_count, 3);
    assert_int_equal(code->captures[2].attribute.index1, 2);
    assert_int_equal(code->captures[2].source_filter.count, 0);
    kni_expression_free(&library->memory, code);
    def.text = "capture(2)";
    kn_error error;
    assert_int_equal(
        kni_expression_compile(library, &library->memory, &def, &code, &error), KN_ERROR_BAD_DATA);
    assert_mentions(&error, "no such capture is declared");
    assert_int_equal(error.column, 9);
}

// Errors --------------------------------------------------------------------

typedef struct bad_case {
    kni_expression_use use;
    uint32_t line, column;
    const char *text;
    const char *message;
} bad_case;

#define CALCULATION KNI_EXPRESSION_CALCULATION
#define REQUIREMENT KNI_EXPRESSION_REQUIREMENT
#define CONDITION KNI_EXPRESSION_CONDITION

static const bad_case bad_cases[] = {
    {CALCULATION, 1, 1, "", "expected a value, not the end"},
    {CALCULATION, 2, 2, "\n ", "expected a value, not the end"},
    {CALCULATION, 1, 8, "source.Unit.Helth * 2",
        "unknown attribute `Unit.Helth`; did you mean `Unit.Health`?"},
    {CALCULATION, 2, 9, "1 +\n source.Unit.Helth.max",
        "unknown attribute `Unit.Helth`; did you mean `Unit.Health`?"},
    {CALCULATION, 1, 8, "source.Zork.Frobnication", "unknown attribute `Zork.Frobnication`; reg"},
    {CALCULATION, 1, 8, "source.Unit.Health.maxi",
        "`Unit.Health` has no `maxi`; there are base, bonus, effective_bonus, min, max and over"},
    {CALCULATION, 1, 1, "Unit.Health", "`Unit.Health` is an attribute; say whose, as in `source."},
    {CONDITION, 1, 1, "Unit.Health", "`Unit.Health` is an attribute; say whose, as in `instigat"},
    {CALCULATION, 1, 1, "souce.Unit.Health", "unknown name `souce`; did you mean `source`?"},
    {CALCULATION, 1, 5, "1 + levle", "unknown name `levle`; did you mean `level`?"},
    {CALCULATION, 1, 1, "Min(1, 2)", "unknown name `Min`; did you mean `min`?"},
    {CALCULATION, 1, 1, "sin(1)", "unknown name `sin`; did you mean"},
    {CALCULATION, 1, 1, "wibblewobble", "begin with source, target, causer, param or caller"},
    {CONDITION, 1, 1, "wibblewobble", "begin with instigator, target or event"},
    {CALCULATION, 1, 1, "source", "`source` is not a value; write `source.` and a name"},
    {CALCULATION, 1, 7, "param.Bonsu", "unknown parameter `Bonsu`; did you mean `Bonus`?"},
    {CALCULATION, 1, 8, "caller.Data.Damge", "unknown tag `Data.Damge`; did you mean `Data.Dama"},
    {CALCULATION, 1, 13, "has(source, State.Stum)", "unknown tag `State.Stum`; did you mean `Sta"},
    {CALCULATION, 1, 7, "curve(Growht, 1)", "unknown curve `Growht`; did you mean `Growth`?"},
    {CALCULATION, 1, 7, "curve(7, 1)", "expected the name of a curve, not `7`"},
    {CALCULATION, 1, 5, "has(Magic, Magic)", "has() needs an entity, as in `has(source, Tag)`"},
    {CALCULATION, 1, 5, "has(instigator, Magic)", "there is no `instigator` in a calculation"},
    {CONDITION, 1, 5, "has(source, Magic)", "there is no `source` in a condition"},
    {CONDITION, 1, 1, "level > 2", "there is no `level` in a condition"},
    {CONDITION, 1, 1, "caller.Magic", "there is no `caller` in a condition"},
    {CONDITION, 1, 1, "asset(Magic)", "there is no `asset` in a condition"},
    {REQUIREMENT, 1, 1, "event.magnitude", "there is no `event.magnitude` in a requirement"},
    {REQUIREMENT, 1, 1, "tick", "there is no `tick` in a requirement"},
    {REQUIREMENT, 1, 1, "snapshot(source.Unit.Health)", "there is no `snapshot` in a requirement"},
    {CALCULATION, 1, 7, "asset(1)", "expected the name of a tag, not `1`"},
    {CALCULATION, 1, 10, "snapshot(5)", "snapshot() takes an attribute, as in"},
    {CALCULATION, 1, 10, "snapshot(source)", "snapshot() takes an attribute, as in"},
    {CALCULATION, 1, 29, "snapshot(source.Unit.Health \?\? 1)", "write `?\?` after snapshot(...)"},
    {CALCULATION, 1, 9, "capture(0)", "no such capture is declared; the first one is capture(0)"},
    {CALCULATION, 1, 9, "capture(0.5)", "the index of a capture is a whole number, not `0.5`"},
    {CALCULATION, 1, 20, "source.Unit.Health[-1]", "a key is a whole number, not `-`"},
    {CALCULATION, 1, 23, "source.Unit.Health \?\? level", "`?\?` must be followed by a number"},
    {CALCULATION, 1, 7, "level \?\? 2",
        "`\?\?` must follow an attribute, a parameter or a caller value"},
    {CALCULATION, 1, 3, "1 2", "expected an operator, not `2`"},
    {CALCULATION, 1, 7, "(1 + 2", "expected `)`, not the end"},
    {CALCULATION, 1, 6, "1 + 2)", "this `)` has no matching `(`"},
    {CALCULATION, 1, 5, "1 + * 2", "expected a value, not `*`"},
    {CALCULATION, 1, 7, "1 < 2 < 3", "compare two values at a time: `a < b and b < c`"},
    {CALCULATION, 1, 5, "1 + not 2", "put `not ...` into parentheses here"},
    {CALCULATION, 1, 3, "1 = 2", "`=` is not known here; write `==`"},
    {CALCULATION, 1, 3, "1 && 2", "`&&` is not known here; write `and`"},
    {CALCULATION, 1, 3, "1 || 2", "`||` is not known here; write `or`"},
    {CALCULATION, 1, 3, "1 <> 2", "`<>` is not known here; write `!=`"},
    {CALCULATION, 1, 1, "!1", "`!` is not known here; write `not`"},
    {CALCULATION, 1, 3, "1 ? 2", "write `if(condition, a, b)`"},
    {CALCULATION, 1, 3, "1 $ 2", "`$` is not allowed here"},
    {CALCULATION, 1, 2, "2x", "the number `2` runs into what follows"},
    {CALCULATION, 1, 2, "1.", "the number `1` runs into what follows"},
    {CALCULATION, 1, 1, "1e39", "the number `1e39` is too large"},
    {CALCULATION, 1, 1, "`open", "close the name with another backtick"},
    {CALCULATION, 1, 1, "abs(1, 2)", "abs() takes one value"},
    {CALCULATION, 1, 1, "pow(1)", "pow() takes two values"},
    {CALCULATION, 1, 1, "clamp(1, 2)", "clamp() takes three values"},
    {CALCULATION, 1, 5, "abs()", "expected a value, not `)`"},
    {CALCULATION, 1, 1, "min(1)", "min() takes two values or more"},
    {CALCULATION, 1, 5, "abs 1", "expected `(`, not `1`"},
    {CALCULATION, 1, 8, "if(1, 2)", "expected `,`, not `)`"},
    {CALCULATION, 1, 3, "1 / 0", "division by zero"},
    {CALCULATION, 1, 7, "level / (1 - 1)", "division by zero"},
    {CALCULATION, 1, 7, "level % 0", "division by zero"},
    {CALCULATION, 1, 1, "sqrt(-1)", "square root of a negative number"},
    {CALCULATION, 1, 3, "2 ^ 0.5", "an exponent must be a whole number; use sqrt() or a curve"},
    {CALCULATION, 1, 7, "level ^ 0.5", "an exponent must be a whole number; use sqrt() or a curve"},
    {CALCULATION, 1, 3, "0 ^ -1", "division by zero: 0 to a negative power"},
    {CALCULATION, 1, 6, "3e38 * 10", "the numbers get too large"},
};

static void errors_name_the_place_and_the_remedy(void **state)
{
    kn_library *library = tag_library(state);
    for (size_t i = 0; i < sizeof(bad_cases) / sizeof(*bad_cases); i++) {
        const bad_case *bad = &bad_cases[i];
        static const char *const whats[] = {"", "calculation", "requirement", "", "condition"};
        kni_expression_def def = {bad->use, whats[bad->use], "Formula", bad->text, NULL, 0};
        kni_expression *expression;
        kn_error error = {0};
        kn_result result =
            kni_expression_compile(library, &library->memory, &def, &expression, &error);
        if (result != KN_ERROR_BAD_DATA || strstr(error.message, bad->message) == NULL ||
            error.line != bad->line || error.column != bad->column) {
            fail_msg("%s: %u:%u: %s", bad->text, error.line, error.column, error.message);
        }
        assert_null(expression);
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        assert_mentions(&error, "`Formula`: ");
        assert_int_equal(kni_expression_compile(library, &library->memory, &def, &expression, NULL),
            KN_ERROR_BAD_DATA);
    }
}

static void repeat(char *text, const char *part, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(text + i * strlen(part), part, strlen(part));
    }
    text[count * strlen(part)] = 0;
}

static void limits_are_errors(void **state)
{
    kn_library *library = tag_library(state);
    static const struct {
        const char *part;
        uint32_t fine, much;
        const char *after;
    } cases[] = {
        {" ", KN_EXPRESSION_LENGTH_MAX - 1, KN_EXPRESSION_LENGTH_MAX, "1"},
        {"(", 63, 10000, ""},
        {"-", 63, 64, "level"},
        {"not ", 63, 64, "level"},
        {"abs(", 60, 64, ""},
        {"2^", 63, 64, "level"},
        {"if(level,1,", 63, 64, ""},
        {"level+", 500, 600, "1"},
        {"1+(level*", 31, 64, ""},
    };
    char *text = malloc(65536);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool closes = strchr(cases[i].part, '(') != NULL;
        for (int much = 0; much < 2; much++) {
            uint32_t count = much ? cases[i].much : cases[i].fine;
            repeat(text, cases[i].part, count);
            repeat(text + strlen(text), closes ? "level" : cases[i].after, 1);
            if (closes) {
                repeat(text + strlen(text), ")", count);
            }
            kni_expression *expression = NULL;
            kn_result result = compile(library, KNI_EXPRESSION_CALCULATION, text, &expression);
            if (result != (much ? KN_ERROR_BAD_DATA : KN_OK)) {
                fail_msg("%u times %s", count, cases[i].part);
            }
            kni_expression_free(&library->memory, expression);
        }
    }
    free(text);
}

static void append_reading(kni_text *out, const char *format, uint32_t number)
{
    kni_text_str(out, format);
    kni_text_u64(out, number);
    kni_text_str(out, "]");
}

static void an_expression_reads_at_most_32_attributes(void **state)
{
    kn_library *library = tag_library(state);
    char buffer[2048];
    kni_text text;
    kni_text_init(&text, buffer, sizeof(buffer));
    kni_text_str(&text, "0");
    kni_expression *expression;
    for (uint32_t i = 0; i <= KNI_EXPRESSION_CAPTURES; i++) {
        assert_int_equal(compile(library, KNI_EXPRESSION_CALCULATION, buffer, &expression), KN_OK);
        assert_int_equal(expression->capture_count, i);
        kni_expression_free(&library->memory, expression);
        append_reading(&text, "+source.Unit.Health[", i);
    }
    assert_int_equal(
        compile(library, KNI_EXPRESSION_CALCULATION, buffer, &expression), KN_ERROR_BAD_DATA);
}

static void an_expression_holds_at_most_128_numbers(void **state)
{
    kn_library *library = tag_library(state);
    char buffer[4096];
    kni_text text;
    kni_text_init(&text, buffer, sizeof(buffer));
    kni_text_str(&text, "level");
    for (uint32_t i = 0; i < KNI_EXPRESSION_CONSTANTS; i++) {
        kni_text_str(&text, "+");
        kni_text_u64(&text, i);
    }
    kni_expression *expression;
    assert_int_equal(compile(library, KNI_EXPRESSION_CALCULATION, buffer, &expression), KN_OK);
    kni_expression_free(&library->memory, expression);
    kni_text_str(&text, "+128");
    assert_int_equal(
        compile(library, KNI_EXPRESSION_CALCULATION, buffer, &expression), KN_ERROR_BAD_DATA);
}

static void long_names_are_cut_in_messages_only(void **state)
{
    kn_library *library = tag_library(state);
    char text[600] = "source.";
    repeat(text + 7, "n", 300);
    kni_expression *expression;
    assert_int_equal(
        compile(library, KNI_EXPRESSION_CALCULATION, text, &expression), KN_ERROR_BAD_DATA);
    repeat(text + 7, "n", 500);
    assert_int_equal(
        compile(library, KNI_EXPRESSION_CALCULATION, text, &expression), KN_ERROR_BAD_DATA);
    repeat(text, "1", 100);
    assert_int_equal(
        compile(library, KNI_EXPRESSION_CALCULATION, text, &expression), KN_ERROR_BAD_DATA);
}

// Registration --------------------------------------------------------------

static kn_result register_text(kn_library *library, const char *name, const char *text)
{
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.expression = text;
    kn_calculation_id id = {77};
    kn_result result = kn_calculation_register(library, &def, &id, NULL);
    assert_true((id.index1 != 0) == (result == KN_OK));
    return result;
}

static float one(void *user, const kn_calculation *calculation)
{
    (void)user;
    (void)calculation;
    return 1.0f;
}

static void a_calculation_has_a_function_or_an_expression(void **state)
{
    kn_library *library = tag_library(state);
    kn_calculation_def def = kn_calculation_def_default();
    kn_calculation_id id;
    kn_error error;
    def.name = "Nothing";
    assert_int_equal(
        kn_calculation_register(library, &def, &id, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_mentions(&error, "neither function nor expression");
    def.function = one;
    def.expression = "1";
    assert_int_equal(
        kn_calculation_register(library, &def, &id, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_mentions(&error, "both");
    def.function = NULL;
    def.capture_count = 1;
    assert_int_equal(kn_calculation_register(library, &def, &id, &error), KN_ERROR_BAD_DATA);
    def.capture_count = 0;
    assert_int_equal(kn_calculation_register(library, &def, &id, &error), KN_OK);
    assert_int_equal(kn_calculation_register(library, &def, &id, &error), KN_REFUSED_DUPLICATE);
    assert_int_equal(register_text(library, "Bad", "1 +"), KN_ERROR_BAD_DATA);
    assert_int_equal(register_text(library, "Bad", "1 + 1"), KN_OK); // the name stayed free
    kn_condition_id condition;
    kn_requirement_id requirement;
    assert_int_equal(kn_condition_register_expression(library, "C", NULL, &condition, &error),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_requirement_register_expression(library, "R", NULL, &requirement, NULL),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_condition_register_expression(library, "C", "1", &condition, &error), KN_OK);
    assert_int_equal(kn_condition_register_expression(library, "C", "1", &condition, &error),
        KN_REFUSED_DUPLICATE);
    assert_int_equal(condition.index1, 0);
    assert_int_equal(kn_library_finish(library, &error), KN_OK);
    assert_int_equal(register_text(library, "Late", "1"), KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_requirement_register_expression(library, "L", "1", &requirement, NULL),
        KN_ERROR_WORLD_LOCKED);
}

static uint64_t hash_with(const char *calculation, const char *condition, const char *requirement)
{
    tag_fixture *fixture = tag_fixture_create();
    kn_library *library = fixture->library;
    fill(library);
    assert_int_equal(register_text(library, "A", calculation), KN_OK);
    kn_condition_id condition_id;
    kn_requirement_id requirement_id;
    assert_int_equal(
        kn_condition_register_expression(library, "B", condition, &condition_id, NULL), KN_OK);
    assert_int_equal(
        kn_requirement_register_expression(library, "C", requirement, &requirement_id, NULL),
        KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    uint64_t hash = kn_library_hash(library);
    tag_fixture_destroy(fixture);
    return hash;
}

static void the_text_is_part_of_the_library_hash(void **state)
{
    (void)state;
    uint64_t hash = hash_with("1", "2", "3");
    assert_true(hash == hash_with("1", "2", "3"));
    assert_true(hash != hash_with("1.5", "2", "3"));
    assert_true(hash != hash_with("1", "2.5", "3"));
    assert_true(hash != hash_with("1", "2", "3.5"));
    assert_true(hash_with("1", "23", "4") != hash_with("1", "2", "34"));
}

static void the_library_keeps_copies(void **state)
{
    kn_library *library = tag_library(state);
    char text[] = "source.Unit.Armor + capture(0)";
    kn_tag filter = kn_tag_find(library, "Magic");
    kn_capture capture = {.attribute = {1}, .source_filter = {&filter, 1}};
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Copied";
    def.expression = text;
    def.captures = &capture;
    def.capture_count = 1;
    kn_calculation_id id;
    assert_int_equal(kn_calculation_register(library, &def, &id, NULL), KN_OK);
    memset(text, 'x', sizeof(text) - 1);
    capture = (kn_capture){0};
    const kni_calculation *item =
        KNI_ITEM(library, KN_DEF_CALCULATION, kni_calculation, id.index1 - 1);
    assert_string_equal(item->def.expression, "source.Unit.Armor + capture(0)");
    assert_int_equal(item->def.capture_count, 2);
    assert_int_equal(item->code->captures[0].attribute.index1, 1);
    assert_ptr_not_equal(item->code->captures[0].source_filter.data, &filter);
    assert_int_equal(item->code->captures[0].source_filter.data[0].index1, filter.index1);
    assert_int_equal(item->code->captures[1].attribute.index1, 2);
}

// Every tag a formula tests counts as a use of it.
static void tags_in_expressions_count_as_used(void **state)
{
    kn_library *library = tag_library(state);
    assert_int_equal(
        register_text(library, "A", "has(source, State.Stun) + asset(State.Stun) + caller.Magic"),
        KN_OK);
    kn_condition_id condition;
    assert_int_equal(kn_condition_register_expression(library, "C",
                         "event.tag(Magic) and has(target, `State.Two-Handed`) and "
                         "event.magnitude > 1",
                         &condition, NULL),
        KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_int_equal(kn_tag_uses(library, kn_tag_find(library, "State.Stun")), 2);
    assert_int_equal(kn_tag_uses(library, kn_tag_find(library, "Magic")), 2);
    assert_int_equal(kn_tag_uses(library, kn_tag_find(library, "State.Two-Handed")), 1);
    assert_int_equal(kn_tag_uses(library, kn_tag_find(library, "Data.Damage")), 0);
}

static void without_memory_nothing_is_registered(void **state)
{
    tag_fixture *fixture = *state;
    kn_library *library = fixture->library;
    kn_condition_id condition;
    kn_requirement_id requirement;
    for (uint64_t failing = 1;; failing++) {
        uint64_t bytes = kn_library_bytes(library);
        uint32_t counts[3] = {library->registries[KN_DEF_CALCULATION].count,
            library->registries[KN_DEF_CONDITION].count,
            library->registries[KN_DEF_REQUIREMENT].count};
        tag_fixture_fail_at(fixture, failing);
        kn_result results[3] = {
            register_text(library, "A", "source.Unit.Health * 2"),
            kn_condition_register_expression(library, "B", "1 < 2", &condition, NULL),
            kn_requirement_register_expression(library, "C", "level > 2", &requirement, NULL),
        };
        tag_fixture_fail_at(fixture, 0);
        uint32_t good = 0;
        for (uint32_t i = 0; i < 3; i++) {
            static const kn_def_kind kinds[3] = {
                KN_DEF_CALCULATION, KN_DEF_CONDITION, KN_DEF_REQUIREMENT};
            assert_true(results[i] == KN_OK || results[i] == KN_ERROR_OUT_OF_MEMORY ||
                        results[i] == KN_REFUSED_DUPLICATE);
            bool is_new = results[i] == KN_OK;
            assert_int_equal(library->registries[kinds[i]].count, counts[i] + is_new);
            good += results[i] != KN_ERROR_OUT_OF_MEMORY;
        }
        // What failed left nothing behind but room in the registries.
        assert_true(kn_library_bytes(library) >= bytes);
        if (good == 3) {
            assert_true(failing > 3);
            return;
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(operators_bind_as_in_arithmetic, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(remainders_have_the_sign_of_the_divisor, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(functions_compute_what_their_names_say, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(code_gives_what_folding_gives, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(only_the_branch_that_is_taken_is_computed, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(numbers_out_of_bounds_are_refused, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(constants_are_computed_once, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(each_reading_is_captured_once, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(declared_captures_are_read_by_their_index, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(errors_name_the_place_and_the_remedy, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(limits_are_errors, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(an_expression_reads_at_most_32_attributes, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(an_expression_holds_at_most_128_numbers, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(long_names_are_cut_in_messages_only, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(
        a_calculation_has_a_function_or_an_expression, setup, tag_teardown),
    cmocka_unit_test(the_text_is_part_of_the_library_hash),
    cmocka_unit_test_setup_teardown(the_library_keeps_copies, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(tags_in_expressions_count_as_used, setup, tag_teardown),
    cmocka_unit_test_setup_teardown(without_memory_nothing_is_registered, setup, tag_teardown),
};

TEST_GROUP(test_expression, tests, NULL, NULL);
