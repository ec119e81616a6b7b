// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Expressions. With an even first byte the rest is text, half of it words of the language: whatever
// it is, it compiles or is an error with a place, and runs to a finite number or a refusal. With an
// odd one the rest is choices from which a valid expression is written, and computed on the way:
// compiled and run it gives the same.

#include "base/text.h"
#include "effect/effect.h"
#include "fuzz_input.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES_MAX 80 // keeps generated expressions below every limit
#define DEPTH_MAX 8

static void must(bool condition, const char *what, const char *text)
{
    if (!condition) {
        fprintf(stderr, "fuzz_expression: %s: %s\n", what, text);
        abort();
    }
}

typedef struct subject {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity;
} subject;

static const subject *the_subject(void)
{
    static subject s;
    if (s.library != NULL) {
        return &s;
    }
    kn_library_def library_def = kn_library_def_default();
    must(kn_library_create(&library_def, &s.library) == KN_OK, "no library", "");
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "A";
    attributes[1].name = "B";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Set";
    set.attributes = attributes;
    set.attribute_count = 2;
    kn_attribute_set_id set_id;
    must(kn_attribute_set_register(s.library, &set, &set_id, NULL) == KN_OK, "no set", "");
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Tag.One";
    kn_tag tag_id;
    must(kn_tag_register(s.library, &tag, &tag_id, NULL) == KN_OK, "no tag", "");
    kn_name name;
    must(kn_name_register(s.library, "Name", &name, NULL) == KN_OK, "no name", "");
    static const kn_curve_point points[] = {{-1, 3e38f}, {0, 1}, {5, -3e38f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Curve";
    curve.points = points;
    curve.point_count = 3;
    kn_curve_id curve_id;
    must(kn_curve_register(s.library, &curve, &curve_id, NULL) == KN_OK, "no curve", "");
    must(kn_library_finish(s.library, NULL) == KN_OK, "not finished", "");
    kn_world_def world = kn_world_def_default();
    world.library = s.library;
    must(kn_world_create(&world, &s.world) == KN_OK, "no world", "");
    must(kn_entity_create(s.world, &s.entity) == KN_OK, "no entity", "");
    return &s;
}

// What expressions read.
typedef struct readings {
    float attributes[3][2]; // source, target, causer
    float level;
    uint32_t stacks, tick;
} readings;

typedef struct both_subjects {
    const kn_spec_view *spec;
    kni_record_subject record;
} both_subjects;

static kn_result read_both(const void *user, const kni_reading *reading, float *value)
{
    const both_subjects *both = user;
    return reading->op < KNI_CODE_EVENT_MAGNITUDE ? kni_spec_read(both->spec, reading, value)
                                                  : kni_record_read(&both->record, reading, value);
}

static kn_result run(const kni_expression *expression, const readings *r, float *value)
{
    const subject *s = the_subject();
    static kni_effect_type type;
    kn_spec_view spec = {.world = s->world,
        .type = &type,
        .source = s->entity,
        .target = s->entity,
        .source_component = KNI_NONE,
        .target_component = KNI_NONE,
        .level = r->level,
        .stacks = r->stacks,
        .effect = KNI_NONE,
        .tick = r->tick};
    kn_event_record record = kn_event_record_default();
    record.instigator = s->entity;
    record.magnitude = r->level;
    both_subjects both = {&spec, {s->world, &record}};
    kni_expression_input input = {s->library, read_both, &both};
    float frame[KNI_EXPRESSION_FRAME];
    for (uint32_t i = 0; i < expression->capture_count; i++) {
        const kn_capture *capture = &expression->captures[i];
        frame[i] = r->attributes[capture->from][capture->attribute.index1 - 1];
    }
    return kni_expression_run(expression, &input, frame, value);
}

static kn_result compile(kni_expression_use use, const char *text, kni_expression **expression)
{
    const subject *s = the_subject();
    kni_expression_def def = {use, "expression", "X", text, NULL, 0};
    kn_error error = {0};
    kn_result result =
        kni_expression_compile(s->library, &s->library->memory, &def, expression, &error);
    must(result == KN_OK || result == KN_ERROR_BAD_DATA, "odd result", text);
    must(result == KN_OK || (error.line > 0 && error.column > 0 && error.message[0] != 0),
        "an error without place", text);
    must((result == KN_OK) == (*expression != NULL), "result and expression disagree", text);
    return result;
}

// Text ----------------------------------------------------------------------

static void fuzz_text(fuzz_input *input)
{
    static const char *const words[] = {"source.", "target.", "causer.", "instigator.", "Set.A",
        "Set.B", ".max", ".base", "snapshot(", "capture(", "[1]", "level", "stacks", "tick",
        "param.Name", "caller.Tag.One", "event.magnitude", "event.tag(Tag)", "has(source,",
        "has(target, Tag.One)", "asset(", "curve(Curve,", "if(", "min(", "max(", "clamp(", "lerp(",
        "abs(", "sqrt(", "pow(", "round(", "step(", ",", ")", "(", " and ", " or ", " not ", "+",
        "-", "*", "/", "%", "^", "<", "<=", "==", "!=", "\?\?", "0", "1", "2.5", "1e30", "`", " ",
        "\n"};
    size_t room = KN_EXPRESSION_LENGTH_MAX + 64;
    char *buffer = malloc(room);
    must(buffer != NULL, "no memory", "");
    kni_text text;
    kni_text_init(&text, buffer, (uint32_t)room);
    while (input->size > 0) {
        uint32_t byte = take_u8(input);
        if (byte >= 128 && byte < 128 + 2 * sizeof words / sizeof *words) {
            kni_text_str(&text, words[(byte - 128) / 2]);
        } else if (byte != 0) {
            kni_text_char(&text, (char)byte);
        }
    }
    static const kni_expression_use uses[] = {
        KNI_EXPRESSION_CALCULATION, KNI_EXPRESSION_REQUIREMENT, KNI_EXPRESSION_CONDITION};
    readings r = {{{1, -2}, {3e38f, 0}, {0.5f, 7}}, 2.0f, 3, 4};
    for (uint32_t i = 0; i < 3; i++) {
        kni_expression *expression;
        if (compile(uses[i], buffer, &expression) == KN_OK) {
            float value = 1.0f;
            kn_result result = run(expression, &r, &value);
            must(isfinite(value), "not finite", buffer);
            must(result == KN_OK || value == 0.0f, "a refusal with a value", buffer);
            must(result == KN_OK || result == KN_REFUSED_BAD_NUMBER ||
                     result == KN_REFUSED_MISSING_VALUE,
                "odd refusal", buffer);
            kni_expression_free(&the_subject()->library->memory, expression);
        }
    }
    free(buffer);
}

// Valid expressions ---------------------------------------------------------

// A value as a reader of the page would compute it.
typedef struct known {
    float value;
    bool is_bad;      // needs a number that is not finite
    bool is_constant; // computed at registration
} known;

typedef struct writer {
    fuzz_input *input;
    readings r;
    kni_text text;
    uint32_t nodes;
    bool is_error; // constants alone are not finite
} writer;

static known checked(writer *w, float value, known a, known b)
{
    known out = {value, a.is_bad || b.is_bad || !isfinite(value), a.is_constant && b.is_constant};
    w->is_error |= out.is_bad && out.is_constant;
    return out;
}

static known divided(writer *w, known a, known b)
{
    w->is_error |= b.is_constant && b.value == 0.0f;
    return checked(w, b.value == 0.0f ? NAN : a.value / b.value, a, b);
}

static known remainder_of(writer *w, known a, known b)
{
    w->is_error |= b.is_constant && b.value == 0.0f;
    float rest = fmodf(a.value, b.value);
    rest += rest != 0.0f && (rest < 0.0f) != (b.value < 0.0f) ? b.value : 0.0f;
    return checked(w, rest, a, b);
}

static known raised(writer *w, known a, known n)
{
    float value = 1.0f;
    for (uint32_t i = 0; i < (uint32_t)fabsf(n.value); i++) {
        value *= a.value;
    }
    bool is_lost = !isfinite(value) || (n.value < 0.0f && value == 0.0f);
    return checked(w, is_lost ? NAN : n.value < 0.0f ? 1.0f / value : value, a, n);
}

static known write_any(writer *w, uint32_t lowest, uint32_t depth);

static void put(writer *w, const char *text)
{
    kni_text_str(&w->text, text);
}

static known write_number(writer *w)
{
    float value = take_small_float(w->input);
    value = take_rarely(w->input, 8) ? 1e20f : value;
    char digits[64];
    (void)kn_float_print(fabsf(value), digits, sizeof digits);
    put(w, value < 0.0f ? "(-" : "(");
    put(w, digits);
    put(w, ")");
    return (known){value, false, true};
}

static known write_reading(writer *w)
{
    static const char *const owners[] = {"source", "target", "causer"};
    uint32_t choice = take_below(w->input, 9);
    if (choice < 6) {
        put(w, owners[choice / 2]);
        put(w, choice % 2 == 0 ? ".Set.A" : ".Set.B");
        return (known){w->r.attributes[choice / 2][choice % 2], false, false};
    }
    put(w, choice == 6 ? "level" : choice == 7 ? "stacks" : "tick");
    return (known){choice == 6   ? w->r.level
                   : choice == 7 ? (float)w->r.stacks
                                 : (float)w->r.tick,
        false, false};
}

static known truth(writer *w, bool holds, known a, known b)
{
    return checked(w, holds ? 1.0f : 0.0f, a, b);
}

static known write_logic(writer *w, bool is_and, uint32_t depth)
{
    known a = write_any(w, is_and ? 1 : 0, depth);
    put(w, is_and ? " and " : " or ");
    known b = write_any(w, is_and ? 2 : 1, depth);
    bool left = a.value != 0.0f, right = b.value != 0.0f;
    if (left != is_and) { // decided
        return (known){left ? 1.0f : 0.0f, a.is_bad, a.is_constant};
    }
    return (known){right ? 1.0f : 0.0f, a.is_bad || b.is_bad, a.is_constant && b.is_constant};
}

static known write_binary(writer *w, uint32_t op, uint32_t depth)
{
    static const char *const signs[] = {
        " < ", " <= ", " > ", " >= ", " == ", " != ", " + ", " - ", " * ", " / ", " % "};
    uint32_t level = op < 6 ? 2 : op < 8 ? 3 : 4;
    known a = write_any(w, op < 6 ? 3 : level, depth);
    put(w, signs[op]);
    known b = write_any(w, level + 1, depth);
    switch (op) {
    case 0:
        return truth(w, a.value < b.value, a, b);
    case 1:
        return truth(w, a.value <= b.value, a, b);
    case 2:
        return truth(w, a.value > b.value, a, b);
    case 3:
        return truth(w, a.value >= b.value, a, b);
    case 4:
        return truth(w, a.value == b.value, a, b);
    case 5:
        return truth(w, a.value != b.value, a, b);
    case 6:
        return checked(w, a.value + b.value, a, b);
    case 7:
        return checked(w, a.value - b.value, a, b);
    case 8:
        return checked(w, a.value * b.value, a, b);
    case 9:
        return divided(w, a, b);
    default:
        return remainder_of(w, a, b);
    }
}

static known write_power(writer *w, uint32_t depth)
{
    static const char *const exponents[] = {"0", "1", "2", "3", "-1", "-2"};
    static const float values[] = {0, 1, 2, 3, -1, -2};
    known a = write_any(w, 7, depth);
    uint32_t choice = take_below(w->input, 6);
    put(w, " ^ ");
    put(w, exponents[choice]);
    return raised(w, a, (known){values[choice], false, true});
}

static known write_if(writer *w, uint32_t depth)
{
    put(w, "if(");
    known test = write_any(w, 0, depth);
    put(w, ", ");
    known yes = write_any(w, 0, depth);
    put(w, ", ");
    known no = write_any(w, 0, depth);
    put(w, ")");
    known out = test.value != 0.0f ? yes : no;
    out.is_bad |= test.is_bad;
    out.is_constant &= test.is_constant;
    return out;
}

static known extreme(writer *w, bool is_min, known a, known b)
{
    bool takes_b = is_min ? b.value < a.value : b.value > a.value;
    return checked(w, takes_b ? b.value : a.value, a, b);
}

static known write_three(writer *w, bool is_clamp, uint32_t depth)
{
    put(w, is_clamp ? "clamp(" : "lerp(");
    known a = write_any(w, 0, depth);
    put(w, ",");
    known b = write_any(w, 0, depth);
    put(w, ",");
    known c = write_any(w, 0, depth);
    put(w, ")");
    if (is_clamp) {
        return extreme(w, false, extreme(w, true, a, c), b);
    }
    known way = checked(w, b.value - a.value, b, a);
    way = checked(w, way.value * c.value, way, c);
    return checked(w, a.value + way.value, a, way);
}

static known write_extreme(writer *w, uint32_t depth)
{
    bool is_min = take_bool(w->input);
    put(w, is_min ? "min(" : "max(");
    known out = write_any(w, 0, depth);
    for (uint32_t more = 1 + take_below(w->input, 3); more > 0; more--) {
        put(w, ", ");
        out = extreme(w, is_min, out, write_any(w, 0, depth));
    }
    put(w, ")");
    return out;
}

static known write_call(writer *w, uint32_t depth)
{
    static const char *const names[] = {"abs(", "floor(", "ceil(", "round(", "sign(", "sqrt("};
    uint32_t choice = take_below(w->input, 6);
    put(w, names[choice]);
    known a = write_any(w, 0, depth);
    put(w, ")");
    const float values[] = {fabsf(a.value), floorf(a.value), ceilf(a.value), roundf(a.value),
        (float)((a.value > 0.0f) - (a.value < 0.0f)), sqrtf(a.value)};
    return checked(w, values[choice], a, a);
}

static known write_prefix(writer *w, bool is_not, uint32_t depth)
{
    put(w, is_not ? "not " : "-");
    known a = write_any(w, is_not ? 2 : 5, depth);
    return checked(w, is_not ? (a.value == 0.0f ? 1.0f : 0.0f) : -a.value, a, a);
}

// In parentheses if it binds looser than what stands around it, and sometimes without need.
static known write_any(writer *w, uint32_t lowest, uint32_t depth)
{
    uint32_t choice = take_below(w->input, 24);
    if (depth == 0 || w->nodes >= NODES_MAX) {
        choice = 23;
    }
    w->nodes++;
    uint32_t level = choice < 2     ? choice
                     : choice < 8   ? 2
                     : choice < 10  ? 3
                     : choice < 13  ? 4
                     : choice == 13 ? 2
                     : choice == 14 ? 5
                     : choice == 15 ? 6
                                    : 7;
    bool closes = level < lowest || take_rarely(w->input, 6);
    put(w, closes ? "(" : "");
    known out;
    if (choice < 2) {
        out = write_logic(w, choice == 1, depth - 1);
    } else if (choice < 13) {
        out = write_binary(w, choice - 2, depth - 1);
    } else if (choice < 15) {
        out = write_prefix(w, choice == 13, depth - 1);
    } else if (choice == 15) {
        out = write_power(w, depth - 1);
    } else if (choice == 16) {
        out = write_if(w, depth - 1);
    } else if (choice < 19) {
        out = write_three(w, choice == 17, depth - 1);
    } else if (choice == 19) {
        out = write_extreme(w, depth - 1);
    } else if (choice == 20) {
        out = write_call(w, depth - 1);
    } else {
        out = choice == 21 ? write_number(w) : write_reading(w);
    }
    put(w, closes ? ")" : "");
    return out;
}

static void fuzz_valid(fuzz_input *input)
{
    char buffer[KN_EXPRESSION_LENGTH_MAX];
    writer w = {.input = input};
    for (uint32_t i = 0; i < 6; i++) {
        float value = take_float(input);
        w.r.attributes[i / 2][i % 2] = isfinite(value) ? value : 1.0f;
    }
    w.r.level = take_small_float(input);
    w.r.stacks = take_below(input, 5);
    w.r.tick = take_below(input, 100);
    kni_text_init(&w.text, buffer, sizeof buffer);
    known expected = write_any(&w, 0, DEPTH_MAX);
    must(kni_text_fits(&w.text), "the generator writes too much", "");
    kni_expression *expression;
    kn_result result = compile(KNI_EXPRESSION_CALCULATION, buffer, &expression);
    must((result == KN_OK) == !w.is_error, "the constants are fine or not", buffer);
    if (result != KN_OK) {
        return;
    }
    float value;
    result = run(expression, &w.r, &value);
    must(result == (expected.is_bad ? KN_REFUSED_BAD_NUMBER : KN_OK), "refused or not", buffer);
    must(expected.is_bad || value == expected.value, "another value", buffer);
    kni_expression_free(&the_subject()->library->memory, expression);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    if (take_u8(&input) % 2 == 0) {
        fuzz_text(&input);
    } else {
        fuzz_valid(&input);
    }
    return 0;
}
