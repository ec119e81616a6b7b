// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Text to code, in one pass. Each parsing function leaves its value in a constant, in a capture, or
// in the first intermediate register that was free when it began; so registers are used like a
// stack, and the code of a branch that is never taken is dropped by returning to where it began.
// Constant parts are computed by the same machine that runs the code later.

#include "library/expression.h"

#include "library/expression_lex.h"
#include "library/types.h"

#include <math.h>

// A value that has been parsed.
typedef struct operand {
    bool is_constant;
    float number;
    uint8_t place;
} operand;

typedef struct parser {
    const kn_library *library;
    const kni_expression_def *def;
    kni_lexer lexer;
    uint32_t depth;
    uint32_t temps; // intermediate registers in use
    uint32_t capture_count, code_count, constant_count, reference_count;
    kn_capture captures[KNI_EXPRESSION_CAPTURES];
    kni_code code[KNI_EXPRESSION_CODES];
    float constants[KNI_EXPRESSION_CONSTANTS];
    uint32_t references[KNI_EXPRESSION_REFERENCES];
} parser;

// Code ----------------------------------------------------------------------

static operand operand_constant(float number)
{
    return (operand){.is_constant = true, .number = number};
}

static void code_emit(parser *p, kni_code_op op, uint8_t to, uint8_t a, uint8_t b)
{
    if (p->code_count >= KNI_EXPRESSION_CODES) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "the expression is too long; split it", "", "");
        return;
    }
    p->code[p->code_count++] = (kni_code){(uint8_t)op, to, a, b};
}

// The register of intermediate result `index`.
static uint8_t code_temp(parser *p, uint32_t index)
{
    if (index >= KNI_EXPRESSION_TEMPS) {
        kni_lex_fail(
            &p->lexer, p->lexer.token.at, "the expression is nested too deeply; split it", "", "");
        index = 0;
    }
    return (uint8_t)(KNI_EXPRESSION_TEMP_FIRST + index);
}

static operand in_temp(parser *p, uint32_t index)
{
    p->temps = index + 1;
    return (operand){.place = code_temp(p, index)};
}

// Equal constants share a register; 0 and -0 are different constants.
static uint8_t place_of(parser *p, operand value)
{
    if (!value.is_constant) {
        return value.place;
    }
    uint32_t i = 0;
    while (i < p->constant_count &&
           (p->constants[i] != value.number || signbit(p->constants[i]) != signbit(value.number))) {
        i++;
    }
    if (i == KNI_EXPRESSION_CONSTANTS) {
        kni_lex_fail(
            &p->lexer, p->lexer.token.at, "too many numbers; split the expression", "", "");
        return 0;
    }
    p->constants[i] = value.number;
    p->constant_count = i == p->constant_count ? i + 1 : p->constant_count;
    return (uint8_t)(KNI_EXPRESSION_CONSTANT_FIRST + i);
}

static uint8_t attribute_reference(parser *p, uint32_t number)
{
    uint32_t i = 0;
    while (i < p->reference_count && p->references[i] != number) {
        i++;
    }
    if (i == KNI_EXPRESSION_REFERENCES) {
        kni_lex_fail(
            &p->lexer, p->lexer.token.at, "too many different names; split the expression", "", "");
        return 0;
    }
    p->references[i] = number;
    p->reference_count = i == p->reference_count ? i + 1 : p->reference_count;
    return (uint8_t)i;
}

// Computes one operation on constants, with the machine itself.
static operand operand_fold(parser *p, size_t at, kni_code_op op, float a, float b, uint8_t curve)
{
    enum { RESULT = 2 };
    const kni_code code[] = {
        {(uint8_t)op, RESULT, 0, op == KNI_CODE_CURVE ? curve : 1},
        {KNI_CODE_RETURN, 0, RESULT, 0},
    };
    kni_expression expression = {.code = code, .references = p->references};
    kni_expression_input input = {.library = p->library};
    float frame[KNI_EXPRESSION_FRAME];
    frame[0] = a;
    frame[1] = b;
    float value;
    if (kni_expression_run(&expression, &input, frame, &value) != KN_OK) {
        const char *reason = "the numbers get too large";
        if (op == KNI_CODE_DIVIDE || op == KNI_CODE_MODULO) {
            reason = b == 0.0f ? "division by zero" : reason;
        } else if (op == KNI_CODE_SQRT) {
            reason = "square root of a negative number";
        } else if (op == KNI_CODE_POWER && b != floorf(b)) {
            reason = "an exponent must be a whole number; use sqrt() or a curve";
        } else if (op == KNI_CODE_POWER && a == 0.0f) {
            reason = "division by zero: 0 to a negative power";
        }
        kni_lex_fail(&p->lexer, at, "%s", reason, "");
    }
    return operand_constant(value);
}

// The result of an operation replaces the first of its operands.
static operand operand_combine(
    parser *p, size_t at, uint32_t mark, kni_code_op op, operand a, operand b)
{
    if (p->lexer.result != KN_OK) {
        return operand_constant(0.0f);
    }
    if (a.is_constant && b.is_constant) {
        p->temps = mark;
        return operand_fold(p, at, op, a.number, b.number, 0);
    }
    if (b.is_constant && b.number == 0.0f && (op == KNI_CODE_DIVIDE || op == KNI_CODE_MODULO)) {
        kni_lex_fail(&p->lexer, at, "division by zero", "", "");
    }
    if (b.is_constant && op == KNI_CODE_POWER && b.number != floorf(b.number)) {
        kni_lex_fail(
            &p->lexer, at, "an exponent must be a whole number; use sqrt() or a curve", "", "");
    }
    uint8_t place_a = place_of(p, a), place_b = place_of(p, b);
    operand result = in_temp(p, mark);
    code_emit(p, op, result.place, place_a, place_b);
    return result;
}

static uint32_t emit_jump(parser *p, kni_code_op op, uint8_t test)
{
    code_emit(p, op, test, 0, 0);
    return p->code_count - 1;
}

// Lets a jump lead to the next instruction.
static void land_jump(parser *p, uint32_t jump)
{
    if (p->lexer.result == KN_OK) {
        p->code[jump].a = (uint8_t)p->code_count;
        p->code[jump].b = (uint8_t)(p->code_count >> 8);
    }
}

static kni_tag_quote tag_quoted(const char *text)
{
    return kni_tag_quoted(text, strlen(text));
}

// Words ---------------------------------------------------------------------

typedef enum word_kind {
    WORD_OWNER,     // of attributes and tags
    WORD_PARAMETER, // followed by a name
    WORD_CALLER,    // followed by a tag
    WORD_READING,
    WORD_PLAIN, // functions from here on: `count` values, one operation
    WORD_EXTREME,
    WORD_CLAMP,
    WORD_LERP,
    WORD_IF,
    WORD_CURVE,
    WORD_HAS,
    WORD_TAG_TEST,
    WORD_SNAPSHOT,
    WORD_CAPTURE,
} word_kind;

enum {
    IN_CALCULATION = KNI_EXPRESSION_CALCULATION,
    IN_SPEC = KNI_EXPRESSION_CALCULATION | KNI_EXPRESSION_REQUIREMENT,
    IN_CONDITION = KNI_EXPRESSION_CONDITION,
    IN_ALL = IN_SPEC | IN_CONDITION,
};

typedef struct word {
    const char *name;
    uint8_t uses;
    word_kind kind;
    kni_code_op op; // of an owner: its has() instruction
    uint8_t count;
    kn_capture_from from;
} word;

// The words of the language. A word may be listed twice, for different uses.
static const word words[] = {
    {"source", IN_SPEC, WORD_OWNER, KNI_CODE_SOURCE_HAS, 0, KN_CAPTURE_FROM_SOURCE},
    {"target", IN_SPEC, WORD_OWNER, KNI_CODE_TARGET_HAS, 0, KN_CAPTURE_FROM_TARGET},
    {"causer", IN_SPEC, WORD_OWNER, KNI_CODE_CAUSER_HAS, 0, KN_CAPTURE_FROM_CAUSER},
    {"instigator", IN_CONDITION, WORD_OWNER, KNI_CODE_EVENT_INSTIGATOR_HAS, 0,
        KN_CAPTURE_FROM_SOURCE},
    {"target", IN_CONDITION, WORD_OWNER, KNI_CODE_EVENT_TARGET_HAS, 0, KN_CAPTURE_FROM_TARGET},
    {"param", IN_SPEC, WORD_PARAMETER, KNI_CODE_PARAMETER, 0, 0},
    {"caller", IN_SPEC, WORD_CALLER, KNI_CODE_CALLER, 0, 0},
    {"level", IN_SPEC, WORD_READING, KNI_CODE_LEVEL, 0, 0},
    {"stacks", IN_SPEC, WORD_READING, KNI_CODE_STACKS, 0, 0},
    {"tick", IN_CALCULATION, WORD_READING, KNI_CODE_TICK, 0, 0},
    {"event.magnitude", IN_CONDITION, WORD_READING, KNI_CODE_EVENT_MAGNITUDE, 0, 0},
    {"abs", IN_ALL, WORD_PLAIN, KNI_CODE_ABSOLUTE, 1, 0},
    {"ceil", IN_ALL, WORD_PLAIN, KNI_CODE_CEIL, 1, 0},
    {"floor", IN_ALL, WORD_PLAIN, KNI_CODE_FLOOR, 1, 0},
    {"pow", IN_ALL, WORD_PLAIN, KNI_CODE_POWER, 2, 0},
    {"round", IN_ALL, WORD_PLAIN, KNI_CODE_ROUND, 1, 0},
    {"sign", IN_ALL, WORD_PLAIN, KNI_CODE_SIGN, 1, 0},
    {"sqrt", IN_ALL, WORD_PLAIN, KNI_CODE_SQRT, 1, 0},
    {"step", IN_ALL, WORD_PLAIN, KNI_CODE_LESS_EQUAL, 2, 0}, // edge <= x
    {"max", IN_ALL, WORD_EXTREME, KNI_CODE_MAXIMUM, 0, 0},
    {"min", IN_ALL, WORD_EXTREME, KNI_CODE_MINIMUM, 0, 0},
    {"clamp", IN_ALL, WORD_CLAMP, KNI_CODE_MINIMUM, 3, 0},
    {"lerp", IN_ALL, WORD_LERP, KNI_CODE_ADD, 3, 0},
    {"if", IN_ALL, WORD_IF, KNI_CODE_JUMP, 0, 0},
    {"curve", IN_ALL, WORD_CURVE, KNI_CODE_CURVE, 0, 0},
    {"has", IN_ALL, WORD_HAS, KNI_CODE_SOURCE_HAS, 0, 0},
    {"asset", IN_SPEC, WORD_TAG_TEST, KNI_CODE_ASSET, 0, 0},
    {"event.tag", IN_CONDITION, WORD_TAG_TEST, KNI_CODE_EVENT_HAS, 0, 0},
    {"snapshot", IN_CALCULATION, WORD_SNAPSHOT, KNI_CODE_MOVE, 0, 0},
    {"capture", IN_CALCULATION, WORD_CAPTURE, KNI_CODE_MOVE, 0, 0},
};

#define WORD_COUNT (sizeof(words) / sizeof(*words))

// The word with this name, or NULL. A word of another kind of expression is an error.
static const word *find_word(parser *p, const char *name, size_t length)
{
    const word *elsewhere = NULL;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (strncmp(words[i].name, name, length) == 0 && words[i].name[length] == 0) {
            if ((words[i].uses & p->def->use) != 0) {
                return &words[i];
            }
            elsewhere = &words[i];
        }
    }
    if (elsewhere != NULL) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "there is no `%s` in a %s", elsewhere->name,
            p->def->what);
    }
    return NULL;
}

// Finds the most similar of the names it is offered.
typedef struct nearest {
    const char *wanted;
    size_t length;
    uint32_t limit; // edits allowed for a better match; KNI_NONE after a perfect one
    const char *found;
} nearest;

static nearest nearest_begin(const char *wanted, size_t length)
{
    uint32_t limit = 1 + (uint32_t)length / 5;
    return (nearest){wanted, length, limit > 4 ? 4 : limit, NULL};
}

static void nearest_offer(nearest *n, const char *name)
{
    size_t length = strlen(name);
    if (n->limit == KNI_NONE || length > KN_TAG_NAME_MAX) {
        return;
    }
    uint32_t edits = kni_tag_edits(n->wanted, n->length, name, length, n->limit);
    if (edits <= n->limit && edits < length) {
        n->found = name;
        n->limit = edits - 1;
    }
}

static void unknown_word(parser *p, const char *name)
{
    bool is_condition = p->def->use == KNI_EXPRESSION_CONDITION;
    if (kni_ref_find(p->library, KN_DEF_ATTRIBUTE, name) != 0) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "`%s` is an attribute; say whose, as in `%s`",
            tag_quoted(name).text, is_condition ? "instigator.Set.Name" : "source.Set.Name");
        return;
    }
    // Either the owner of an attribute or a whole word may be misspelt.
    size_t length = strcspn(name, ".");
    nearest whole = nearest_begin(name, strlen(name)), owner = nearest_begin(name, length);
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if ((words[i].uses & p->def->use) != 0) {
            nearest_offer(&whole, words[i].name);
            nearest_offer(&owner, words[i].kind <= WORD_CALLER ? words[i].name : "");
        }
    }
    if (whole.found == NULL && owner.found == NULL) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "unknown name `%s`; %s", tag_quoted(name).text,
            is_condition ? "begin with instigator, target or event"
                         : "begin with source, target, causer, param or caller");
        return;
    }
    bool is_whole = whole.found != NULL;
    kni_lex_fail(&p->lexer, p->lexer.token.at, "unknown name `%s`; did you mean `%s`?",
        kni_tag_quoted(name, is_whole ? strlen(name) : length).text,
        is_whole ? whole.found : owner.found);
}

// Registered things ---------------------------------------------------------

const char *kni_registered_near(const kn_library *library, kn_def_kind kind, const char *name)
{
    if (kind == KN_DEF_TAG) {
        return kn_tag_suggest(library, name);
    }
    nearest n = nearest_begin(name, strlen(name));
    for (uint32_t i = 1; i <= kni_ref_count(library, kind); i++) {
        const char *offered = kni_ref_name(library, kind, i);
        const char *dot = strrchr(offered, '.');
        if (kind == KN_DEF_ATTRIBUTE && dot != NULL && strcmp(dot + 1, name) == 0) {
            return offered; // only its set was omitted
        }
        nearest_offer(&n, offered);
    }
    return n.found;
}

// The index + 1 of a registered thing. `at` is where its name begins.
static uint32_t name_lookup(parser *p, size_t at, kn_def_kind kind, const char *name)
{
    const char *what = kind == KN_DEF_ATTRIBUTE ? "attribute"
                       : kind == KN_DEF_TAG     ? "tag"
                       : kind == KN_DEF_CURVE   ? "curve"
                                                : "parameter";
    uint32_t index1 = p->lexer.result == KN_OK ? kni_ref_find(p->library, kind, name) : 0;
    if (index1 != 0 || p->lexer.result != KN_OK) {
        return index1;
    }
    const char *near = kni_registered_near(p->library, kind, name);
    kn_error unknown;
    (void)kni_error(&unknown, KN_OK, "unknown %s `%s`", what, tag_quoted(name).text);
    if (near != NULL) {
        kni_lex_fail(
            &p->lexer, at, "%s; did you mean `%s`?", unknown.message, tag_quoted(near).text);
    } else {
        kni_lex_fail(&p->lexer, at, "%s; register it first", unknown.message, "");
    }
    return 0;
}

// Parses the name of a tag or curve as an argument of a function.
static uint8_t parse_reference(parser *p, kn_def_kind kind)
{
    if (p->lexer.token.kind != KNI_TOKEN_NAME) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "expected the name of a %s, not %s",
            kind == KN_DEF_TAG ? "tag" : "curve", kni_lex_seen(&p->lexer).text);
        return 0;
    }
    uint32_t index1 = name_lookup(p, p->lexer.token.at, kind, p->lexer.token.name);
    kni_lex_advance(&p->lexer);
    return attribute_reference(p, index1);
}

// Values --------------------------------------------------------------------

#define PRECEDENCE_UNARY 5 // binds tighter than all binary operators

static operand parse_binary(parser *p, uint32_t lowest);
static operand parse_unary(parser *p, uint32_t lowest);

static operand parse_value(parser *p)
{
    return parse_binary(p, 0);
}

// Parses the number after `??`, if there is one.
static bool parse_default(parser *p, float *number)
{
    *number = 0.0f;
    if (!kni_lex_accept(&p->lexer, KNI_SYMBOL_DEFAULT)) {
        return false;
    }
    size_t at = p->lexer.token.at;
    operand value = parse_unary(p, PRECEDENCE_UNARY);
    if (!value.is_constant) {
        kni_lex_fail(&p->lexer, at, "`\?\?` must be followed by a number", "", "");
    }
    *number = value.number;
    return true;
}

static uint32_t parse_whole(parser *p, const char *what, uint32_t limit)
{
    float number = p->lexer.token.kind == KNI_TOKEN_NUMBER ? p->lexer.token.number : -1.0f;
    if (!(number >= 0.0f && number < (float)limit) || number != floorf(number)) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "%s is a whole number, not %s", what,
            kni_lex_seen(&p->lexer).text);
        return 0;
    }
    kni_lex_advance(&p->lexer);
    return (uint32_t)number;
}

static bool capture_equal(const kn_capture *a, const kn_capture *b)
{
    return a->attribute.index1 == b->attribute.index1 && a->key == b->key && a->from == b->from &&
           a->value == b->value && a->channel == b->channel && a->snapshot == b->snapshot &&
           a->has_default == b->has_default && a->default_value == b->default_value &&
           a->source_filter.count == b->source_filter.count &&
           a->target_filter.count == b->target_filter.count;
}

// The register of a capture without filters.
static operand add_capture(parser *p, size_t at, const kn_capture *capture)
{
    uint32_t i = 0;
    while (i < p->capture_count && !capture_equal(&p->captures[i], capture)) {
        i++;
    }
    if (i == KNI_EXPRESSION_CAPTURES) {
        kni_lex_fail(&p->lexer, at, "an expression reads at most 32 attributes; split it", "", "");
        return operand_constant(0.0f);
    }
    p->captures[i] = *capture;
    p->capture_count = i == p->capture_count ? i + 1 : p->capture_count;
    return (operand){.place = (uint8_t)i};
}

static bool find_suffix(const char *suffix, kn_capture_value *value)
{
    static const struct {
        const char *suffix;
        kn_capture_value value;
    } suffixes[] = {
        {"base", KN_CAPTURE_BASE},
        {"bonus", KN_CAPTURE_BONUS},
        {"effective_bonus", KN_CAPTURE_EFFECTIVE_BONUS},
        {"max", KN_CAPTURE_MAXIMUM},
        {"min", KN_CAPTURE_MINIMUM},
        {"overflow", KN_CAPTURE_OVERFLOW},
    };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (strcmp(suffixes[i].suffix, suffix) == 0) {
            *value = suffixes[i].value;
            return true;
        }
    }
    return false;
}

// Resolves "Set.Name" or "Set.Name.suffix"; an attribute with the whole name takes precedence.
// `name` begins at `at`.
static void resolve_attribute(parser *p, size_t at, const char *name, kn_capture *capture)
{
    capture->attribute.index1 = kni_attribute_find_quiet(p->library, name);
    if (capture->attribute.index1 != 0) {
        return;
    }
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    length = dot != NULL ? (size_t)(dot - name) : length;
    char stem[KNI_TOKEN_NAME_MAX];
    memcpy(stem, name, length);
    stem[length] = 0;
    bool has_suffix = dot != NULL && find_suffix(dot + 1, &capture->value);
    capture->attribute.index1 = kni_attribute_find_quiet(p->library, stem);
    if (capture->attribute.index1 == 0) {
        (void)name_lookup(p, at, KN_DEF_ATTRIBUTE, has_suffix ? stem : name);
    } else if (!has_suffix) {
        kni_lex_fail(&p->lexer, at,
            "`%s` has no `%s`; there are base, bonus, effective_bonus, min, max and overflow",
            tag_quoted(stem).text, tag_quoted(&name[length + 1]).text);
    }
}

// Parses the attribute after an owner and a dot.
static kn_capture parse_capture(parser *p, const word *owner)
{
    kn_capture capture = {.from = owner->from};
    size_t length = strlen(owner->name) + 1;
    resolve_attribute(p, p->lexer.token.at + length, &p->lexer.token.name[length], &capture);
    kni_lex_advance(&p->lexer);
    if (kni_lex_accept(&p->lexer, KNI_SYMBOL_OPEN_KEY)) {
        capture.key = parse_whole(p, "a key", 1u << 24);
        kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE_KEY, "]");
    }
    return capture;
}

static operand finish_capture(parser *p, size_t at, kn_capture *capture)
{
    capture->has_default = parse_default(p, &capture->default_value);
    return p->lexer.result == KN_OK ? add_capture(p, at, capture) : operand_constant(0.0f);
}

// Parses the value after `param` or `caller` and a dot.
static operand parse_given(parser *p, const word *w)
{
    bool is_tag = w->kind == WORD_CALLER;
    size_t length = strlen(w->name) + 1;
    uint32_t index1 = name_lookup(p, p->lexer.token.at + length, is_tag ? KN_DEF_TAG : KN_DEF_NAME,
        &p->lexer.token.name[length]);
    kni_lex_advance(&p->lexer);
    uint8_t place = attribute_reference(p, index1);
    float number;
    bool has_default = parse_default(p, &number);
    operand result = in_temp(p, p->temps);
    if (has_default) {
        code_emit(p, is_tag ? KNI_CODE_CALLER_OR : KNI_CODE_PARAMETER_OR, result.place, place,
            place_of(p, operand_constant(number)));
    } else {
        code_emit(p, w->op, result.place, place, 0);
    }
    return result;
}

// Emits an instruction that reads something from the input.
static operand operand_reading(parser *p, kni_code_op op, uint8_t place)
{
    operand result = in_temp(p, p->temps);
    code_emit(p, op, result.place, place, 0);
    return result;
}

// Functions -----------------------------------------------------------------

// Parses the arguments of a call up to its closing parenthesis.
static void parse_arguments(parser *p, size_t at, const word *w, operand values[3])
{
    static const char *const counts[] = {"no value", "one value", "two values", "three values"};
    for (uint32_t i = 0; i < w->count; i++) {
        values[i] = parse_value(p);
        bool is_last = i + 1 == w->count;
        if (p->lexer.token.symbol != (is_last ? KNI_SYMBOL_CLOSE : KNI_SYMBOL_COMMA) &&
            (p->lexer.token.symbol == KNI_SYMBOL_COMMA ||
                p->lexer.token.symbol == KNI_SYMBOL_CLOSE)) {
            kni_lex_fail(&p->lexer, at, "%s() takes %s", w->name, counts[w->count]);
        }
        kni_lex_expect(
            &p->lexer, is_last ? KNI_SYMBOL_CLOSE : KNI_SYMBOL_COMMA, is_last ? ")" : ",");
    }
}

static operand parse_plain(parser *p, size_t at, const word *w)
{
    uint32_t mark = p->temps;
    operand values[3] = {{0}};
    parse_arguments(p, at, w, values);
    return operand_combine(p, at, mark, w->op, values[0], values[w->count - 1]);
}

// min and max take two or more values.
static operand parse_extreme(parser *p, size_t at, const word *w)
{
    uint32_t mark = p->temps;
    operand result = parse_value(p);
    if (p->lexer.token.symbol == KNI_SYMBOL_CLOSE) {
        kni_lex_fail(&p->lexer, at, "%s() takes two values or more", w->name, "");
    }
    while (kni_lex_accept(&p->lexer, KNI_SYMBOL_COMMA)) {
        operand value = parse_value(p);
        result = operand_combine(p, at, mark, w->op, result, value);
    }
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    return result;
}

// clamp and lerp need a value again after the first operation, so intermediate results go behind
// all values.

// `low` wins if it is above `high`, as with the limits of attributes.
static operand parse_clamp(parser *p, size_t at, const word *w)
{
    uint32_t mark = p->temps;
    operand values[3] = {{0}};
    parse_arguments(p, at, w, values);
    operand below = operand_combine(p, at, p->temps, KNI_CODE_MINIMUM, values[0], values[2]);
    return operand_combine(p, at, mark, KNI_CODE_MAXIMUM, below, values[1]);
}

static operand parse_lerp(parser *p, size_t at, const word *w)
{
    uint32_t mark = p->temps;
    operand values[3] = {{0}};
    parse_arguments(p, at, w, values);
    uint32_t spare = p->temps;
    operand way = operand_combine(p, at, spare, KNI_CODE_SUBTRACT, values[1], values[0]);
    way = operand_combine(p, at, spare, KNI_CODE_MULTIPLY, way, values[2]);
    return operand_combine(p, at, mark, KNI_CODE_ADD, values[0], way);
}

// With a constant test, the other branch is parsed and dropped.
static operand parse_constant_if(parser *p, bool is_yes)
{
    uint32_t mark = p->temps, start = p->code_count;
    operand yes = parse_value(p);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_COMMA, ",");
    if (!is_yes) {
        p->code_count = start;
        p->temps = mark;
    }
    uint32_t kept_temps = p->temps, kept_code = p->code_count;
    operand no = parse_value(p);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    if (is_yes) {
        p->code_count = kept_code;
        p->temps = kept_temps;
    }
    return is_yes ? yes : no;
}

static void move_to(parser *p, uint8_t place, operand value)
{
    if (value.is_constant || value.place != place) {
        code_emit(p, KNI_CODE_MOVE, place, place_of(p, value), 0);
    }
}

// Only the branch that is taken is evaluated.
static operand parse_if(parser *p)
{
    uint32_t mark = p->temps;
    operand test = parse_value(p);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_COMMA, ",");
    p->temps = mark;
    if (test.is_constant) {
        return parse_constant_if(p, test.number != 0.0f);
    }
    uint32_t skip = emit_jump(p, KNI_CODE_JUMP_IF_ZERO, test.place);
    uint8_t place = code_temp(p, mark);
    move_to(p, place, parse_value(p));
    kni_lex_expect(&p->lexer, KNI_SYMBOL_COMMA, ",");
    uint32_t done = emit_jump(p, KNI_CODE_JUMP, 0);
    land_jump(p, skip);
    p->temps = mark;
    move_to(p, place, parse_value(p));
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    land_jump(p, done);
    return in_temp(p, mark);
}

static operand parse_has(parser *p)
{
    const word *owner = NULL;
    if (p->lexer.token.kind == KNI_TOKEN_NAME) {
        owner = find_word(p, p->lexer.token.name, strlen(p->lexer.token.name));
    }
    if (owner == NULL || owner->kind != WORD_OWNER) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "has() needs an entity, as in `%s`, not %s",
            p->def->use == KNI_EXPRESSION_CONDITION ? "has(instigator, Tag)" : "has(source, Tag)",
            kni_lex_seen(&p->lexer).text);
        return operand_constant(0.0f);
    }
    kni_lex_advance(&p->lexer);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_COMMA, ",");
    uint8_t tag = parse_reference(p, KN_DEF_TAG);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    return operand_reading(p, owner->op, tag);
}

static operand parse_tag_test(parser *p, const word *w)
{
    uint8_t tag = parse_reference(p, KN_DEF_TAG);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    return operand_reading(p, w->op, tag);
}

static operand parse_curve(parser *p, size_t at)
{
    uint32_t mark = p->temps;
    uint8_t curve = parse_reference(p, KN_DEF_CURVE);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_COMMA, ",");
    operand x = parse_value(p);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    if (x.is_constant) {
        return p->lexer.result == KN_OK ? operand_fold(p, at, KNI_CODE_CURVE, x.number, 0.0f, curve)
                                        : x;
    }
    operand result = in_temp(p, mark);
    code_emit(p, KNI_CODE_CURVE, result.place, x.place, curve);
    return result;
}

static operand parse_snapshot(parser *p, size_t at)
{
    const word *owner = NULL;
    if (p->lexer.token.kind == KNI_TOKEN_NAME) {
        owner = find_word(p, p->lexer.token.name, strcspn(p->lexer.token.name, "."));
    }
    if (owner == NULL || owner->kind != WORD_OWNER || strchr(p->lexer.token.name, '.') == NULL) {
        kni_lex_fail(&p->lexer, p->lexer.token.at,
            "snapshot() takes an attribute, as in `%s`, not %s", "snapshot(source.Set.Name)",
            kni_lex_seen(&p->lexer).text);
        return operand_constant(0.0f);
    }
    kn_capture capture = parse_capture(p, owner);
    capture.snapshot = true;
    if (p->lexer.token.symbol == KNI_SYMBOL_DEFAULT) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "write `\?\?` after snapshot(...)", "", "");
    }
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    return finish_capture(p, at, &capture);
}

static operand parse_declared(parser *p)
{
    size_t at = p->lexer.token.at;
    uint32_t index = parse_whole(p, "the index of a capture", KNI_EXPRESSION_CAPTURES);
    if (index >= p->def->capture_count) {
        kni_lex_fail(
            &p->lexer, at, "no such capture is declared; the first one is capture(0)", "", "");
    }
    kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
    return (operand){.place = (uint8_t)index};
}

static operand parse_call(parser *p, const word *w)
{
    size_t at = p->lexer.token.at;
    kni_lex_advance(&p->lexer);
    kni_lex_expect(&p->lexer, KNI_SYMBOL_OPEN, "(");
    switch (w->kind) {
    case WORD_PLAIN:
        return parse_plain(p, at, w);
    case WORD_EXTREME:
        return parse_extreme(p, at, w);
    case WORD_CLAMP:
        return parse_clamp(p, at, w);
    case WORD_LERP:
        return parse_lerp(p, at, w);
    case WORD_IF:
        return parse_if(p);
    case WORD_CURVE:
        return parse_curve(p, at);
    case WORD_HAS:
        return parse_has(p);
    case WORD_TAG_TEST:
        return parse_tag_test(p, w);
    case WORD_SNAPSHOT:
        return parse_snapshot(p, at);
    default:
        return parse_declared(p);
    }
}

static operand parse_name(parser *p)
{
    const char *name = p->lexer.token.name;
    size_t at = p->lexer.token.at;
    const word *w = find_word(p, name, strlen(name));
    bool is_head = w == NULL;
    if (is_head) {
        w = find_word(p, name, strcspn(name, "."));
    }
    if (w == NULL || is_head != (w->kind <= WORD_CALLER)) {
        if (w != NULL && !is_head) {
            kni_lex_fail(&p->lexer, at, "`%s` is not a value; write `%s.` and a name", name, name);
        }
        unknown_word(p, name);
        return operand_constant(0.0f);
    }
    switch (w->kind) {
    case WORD_OWNER: {
        kn_capture capture = parse_capture(p, w);
        return finish_capture(p, at, &capture);
    }
    case WORD_PARAMETER:
    case WORD_CALLER:
        return parse_given(p, w);
    case WORD_READING:
        kni_lex_advance(&p->lexer);
        return operand_reading(p, w->op, 0);
    default:
        return parse_call(p, w);
    }
}

// Operators -----------------------------------------------------------------

static operand parse_primary(parser *p)
{
    if (p->lexer.token.kind == KNI_TOKEN_NUMBER) {
        float number = p->lexer.token.number;
        kni_lex_advance(&p->lexer);
        return operand_constant(number);
    }
    if (p->lexer.token.kind == KNI_TOKEN_NAME) {
        return parse_name(p);
    }
    if (kni_lex_accept(&p->lexer, KNI_SYMBOL_OPEN)) {
        operand value = parse_value(p);
        kni_lex_expect(&p->lexer, KNI_SYMBOL_CLOSE, ")");
        return value;
    }
    kni_lex_fail(
        &p->lexer, p->lexer.token.at, "expected a value, not %s", kni_lex_seen(&p->lexer).text, "");
    return operand_constant(0.0f);
}

static operand parse_signed(parser *p, uint32_t lowest)
{
    uint32_t mark = p->temps;
    size_t at = p->lexer.token.at;
    if (kni_lex_accept(&p->lexer, KNI_SYMBOL_SUBTRACT)) {
        operand value = parse_unary(p, PRECEDENCE_UNARY);
        return operand_combine(p, at, mark, KNI_CODE_NEGATE, value, value);
    }
    if (p->lexer.token.symbol == KNI_SYMBOL_NOT) {
        if (lowest > 2) {
            kni_lex_fail(&p->lexer, at, "put `not ...` into parentheses here", "", "");
        }
        kni_lex_advance(&p->lexer);
        operand value = parse_binary(p, 2); // a comparison
        return operand_combine(p, at, mark, KNI_CODE_NOT, value, value);
    }
    operand value = parse_primary(p);
    at = p->lexer.token.at;
    if (kni_lex_accept(&p->lexer, KNI_SYMBOL_POWER)) {
        operand exponent = parse_unary(p, PRECEDENCE_UNARY);
        return operand_combine(p, at, mark, KNI_CODE_POWER, value, exponent);
    }
    return value;
}

// All nesting goes through here. `lowest` is the precedence of the operator before: `not` binds
// less tightly than sums.
static operand parse_unary(parser *p, uint32_t lowest)
{
    if (p->depth >= KNI_EXPRESSION_DEPTH) {
        kni_lex_fail(
            &p->lexer, p->lexer.token.at, "the expression is nested too deeply; split it", "", "");
        return operand_constant(0.0f);
    }
    p->depth++;
    operand value = parse_signed(p, lowest);
    p->depth--;
    return value;
}

// The right side is evaluated only if the left one does not decide.
static operand parse_logic(parser *p, uint32_t mark, operand left, bool is_and)
{
    uint32_t precedence = is_and ? 1 : 0;
    size_t at = p->lexer.token.at;
    kni_lex_advance(&p->lexer);
    if (left.is_constant) {
        uint32_t start = p->code_count;
        operand right = parse_binary(p, precedence + 1);
        if ((left.number != 0.0f) == is_and) {
            return operand_combine(p, at, mark, KNI_CODE_NOT_EQUAL, right, operand_constant(0.0f));
        }
        p->code_count = start;
        p->temps = mark;
        return operand_constant(is_and ? 0.0f : 1.0f);
    }
    operand result = operand_combine(p, at, mark, KNI_CODE_NOT_EQUAL, left, operand_constant(0.0f));
    uint32_t jump =
        emit_jump(p, is_and ? KNI_CODE_JUMP_IF_ZERO : KNI_CODE_JUMP_IF_NOT_ZERO, result.place);
    operand right = parse_binary(p, precedence + 1);
    if (right.is_constant) {
        move_to(p, result.place, operand_constant(right.number != 0.0f ? 1.0f : 0.0f));
    } else {
        code_emit(
            p, KNI_CODE_NOT_EQUAL, result.place, right.place, place_of(p, operand_constant(0.0f)));
    }
    land_jump(p, jump);
    return in_temp(p, mark);
}

typedef struct binary_op {
    kni_symbol symbol;
    uint32_t precedence;
    kni_code_op op;
    bool swaps; // a > b is b < a
} binary_op;

static const binary_op *find_binary(kni_symbol symbol)
{
    static const binary_op operators[] = {
        {KNI_SYMBOL_OR, 0, KNI_CODE_NOT_EQUAL, false},
        {KNI_SYMBOL_AND, 1, KNI_CODE_NOT_EQUAL, false},
        {KNI_SYMBOL_LESS, 2, KNI_CODE_LESS, false},
        {KNI_SYMBOL_LESS_EQUAL, 2, KNI_CODE_LESS_EQUAL, false},
        {KNI_SYMBOL_GREATER, 2, KNI_CODE_LESS, true},
        {KNI_SYMBOL_GREATER_EQUAL, 2, KNI_CODE_LESS_EQUAL, true},
        {KNI_SYMBOL_EQUAL, 2, KNI_CODE_EQUAL, false},
        {KNI_SYMBOL_NOT_EQUAL, 2, KNI_CODE_NOT_EQUAL, false},
        {KNI_SYMBOL_ADD, 3, KNI_CODE_ADD, false},
        {KNI_SYMBOL_SUBTRACT, 3, KNI_CODE_SUBTRACT, false},
        {KNI_SYMBOL_MULTIPLY, 4, KNI_CODE_MULTIPLY, false},
        {KNI_SYMBOL_DIVIDE, 4, KNI_CODE_DIVIDE, false},
        {KNI_SYMBOL_MODULO, 4, KNI_CODE_MODULO, false},
    };
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (operators[i].symbol == symbol) {
            return &operators[i];
        }
    }
    return NULL;
}

// Operators of precedence `lowest` and above.
static operand parse_binary(parser *p, uint32_t lowest)
{
    uint32_t mark = p->temps;
    operand left = parse_unary(p, lowest);
    const binary_op *op = find_binary(p->lexer.token.symbol);
    while (op != NULL && op->precedence >= lowest && p->lexer.result == KN_OK) {
        size_t at = p->lexer.token.at;
        if (op->precedence < 2) {
            left = parse_logic(p, mark, left, op->symbol == KNI_SYMBOL_AND);
        } else {
            kni_lex_advance(&p->lexer);
            operand right = parse_binary(p, op->precedence + 1);
            left = op->swaps ? operand_combine(p, at, mark, op->op, right, left)
                             : operand_combine(p, at, mark, op->op, left, right);
        }
        const binary_op *next = find_binary(p->lexer.token.symbol);
        if (op->precedence == 2 && next != NULL && next->precedence == 2) {
            kni_lex_fail(&p->lexer, p->lexer.token.at,
                "compare two values at a time: `a < b and b < c`", "", "");
        }
        op = next;
    }
    return left;
}

static void parse_end(parser *p)
{
    if (p->lexer.token.symbol == KNI_SYMBOL_DEFAULT) {
        kni_lex_fail(&p->lexer, p->lexer.token.at,
            "`\?\?` must follow an attribute, a parameter or a caller value", "", "");
    } else if (p->lexer.token.symbol == KNI_SYMBOL_CLOSE) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "this `)` has no matching `(`", "", "");
    } else if (p->lexer.token.kind != KNI_TOKEN_END) {
        kni_lex_fail(&p->lexer, p->lexer.token.at, "expected an operator, not %s",
            kni_lex_seen(&p->lexer).text, "");
    }
}

// Replaces operations on the result of the previous instruction by those that keep it in a
// register, unless a jump leads between the two.
static void use_last(parser *p)
{
    static const struct {
        uint8_t op, last_first, last_second; // 0: none
        bool swaps;
    } variants[] = {
        {KNI_CODE_ADD, KNI_CODE_LAST_ADD, KNI_CODE_LAST_ADD, true},
        {KNI_CODE_SUBTRACT, KNI_CODE_LAST_SUBTRACT, KNI_CODE_SUBTRACT_LAST, false},
        {KNI_CODE_MULTIPLY, KNI_CODE_LAST_MULTIPLY, KNI_CODE_LAST_MULTIPLY, true},
        {KNI_CODE_DIVIDE, KNI_CODE_LAST_DIVIDE, KNI_CODE_DIVIDE_LAST, false},
        {KNI_CODE_MINIMUM, KNI_CODE_LAST_MINIMUM, 0, false},
        {KNI_CODE_MAXIMUM, KNI_CODE_LAST_MAXIMUM, 0, false},
    };
    bool lands[KNI_EXPRESSION_CODES + 1] = {false};
    for (uint32_t i = 0; i < p->code_count; i++) {
        const kni_code *code = &p->code[i];
        if (code->op >= KNI_CODE_JUMP && code->op <= KNI_CODE_JUMP_IF_NOT_ZERO) {
            lands[code->a | code->b << 8] = true;
        }
    }
    for (uint32_t i = 1; i < p->code_count; i++) {
        kni_code *code = &p->code[i];
        const kni_code *last = &p->code[i - 1];
        bool is_jump = last->op >= KNI_CODE_JUMP && last->op <= KNI_CODE_JUMP_IF_NOT_ZERO;
        for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
            if (is_jump || lands[i] || code->op != variants[v].op) {
                continue;
            }
            if (code->a == last->to) {
                code->op = variants[v].last_first;
            } else if (code->b == last->to && variants[v].last_second != 0) {
                code->b = variants[v].swaps ? code->a : code->b;
                code->op = variants[v].last_second;
            }
            break;
        }
    }
}

kn_result kni_expression_compile(const kn_library *library, kni_memory *memory,
    const kni_expression_def *def, kni_expression **expression, kn_error *error)
{
    *expression = NULL;
    parser p;
    memset(&p, 0, offsetof(parser, captures)); // arrays are filled as far as they are counted
    p.library = library;
    p.def = def;
    p.lexer = (kni_lexer){.what = def->what, .name = def->name, .text = def->text, .error = error};
    if (strlen(def->text) > KN_EXPRESSION_LENGTH_MAX) {
        kni_lex_fail(&p.lexer, 0, "an expression has at most 4096 characters; split it", "", "");
    }
    if (def->capture_count > KNI_EXPRESSION_CAPTURES) {
        kni_lex_fail(&p.lexer, 0, "an expression reads at most 32 attributes; split it", "", "");
    }
    if (p.lexer.result == KN_OK) {
        p.capture_count = def->capture_count;
        for (uint32_t i = 0; i < def->capture_count; i++) {
            p.captures[i] = def->captures[i];
        }
    }
    kni_lex_advance(&p.lexer);
    operand value = parse_value(&p);
    parse_end(&p);
    code_emit(&p, KNI_CODE_RETURN, 0, place_of(&p, value), 0);
    if (p.lexer.result != KN_OK) {
        return p.lexer.result;
    }
    use_last(&p);
    while (p.constant_count % KNI_EXPRESSION_CONSTANT_STEP != 0) {
        p.constants[p.constant_count++] = 0.0f;
    }
    kni_expression compiled = {p.captures, p.code, p.constants, p.references, p.capture_count,
        p.code_count, p.constant_count, p.reference_count};
    *expression = kni_expression_copy(memory, &compiled);
    return *expression != NULL ? KN_OK
                               : kni_error(error, KN_ERROR_OUT_OF_MEMORY,
                                     "out of memory for %s `%s`", def->what, def->name);
}
