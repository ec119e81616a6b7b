// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Formulas written as text. Compiled once, at registration, into code for a small register machine
// over floats; run without allocation and alike on every machine. The language is described in
// docs/expressions.md.
#ifndef KNI_EXPRESSION_H
#define KNI_EXPRESSION_H

#include "base/memory.h"

#include "knack/knack.h"

// Registers are numbered by a byte: captures, then constants, then intermediate results.
#define KNI_EXPRESSION_CAPTURES 32
#define KNI_EXPRESSION_CONSTANTS 128
#define KNI_EXPRESSION_CONSTANT_STEP 8 // copied at once; the rest is padding
#define KNI_EXPRESSION_TEMPS 96
#define KNI_EXPRESSION_CONSTANT_FIRST KNI_EXPRESSION_CAPTURES
#define KNI_EXPRESSION_TEMP_FIRST (KNI_EXPRESSION_CAPTURES + KNI_EXPRESSION_CONSTANTS)
#define KNI_EXPRESSION_FRAME (KNI_EXPRESSION_TEMP_FIRST + KNI_EXPRESSION_TEMPS)

#define KNI_EXPRESSION_CODES 1024
#define KNI_EXPRESSION_REFERENCES 64
#define KNI_EXPRESSION_DEPTH 64

// What an instruction does. Unless noted, frame[to] = op(frame[a], frame[b]).
typedef enum kni_code_op {
    KNI_CODE_RETURN, // frame[a]
    KNI_CODE_MOVE,
    KNI_CODE_JUMP, // forward, to instruction a + 256 b
    KNI_CODE_JUMP_IF_ZERO,
    KNI_CODE_JUMP_IF_NOT_ZERO, // tests frame[to]

    KNI_CODE_ADD,
    KNI_CODE_SUBTRACT,
    KNI_CODE_MULTIPLY,
    KNI_CODE_DIVIDE,
    KNI_CODE_MODULO,
    KNI_CODE_POWER,
    KNI_CODE_LESS,
    KNI_CODE_LESS_EQUAL,
    KNI_CODE_EQUAL,
    KNI_CODE_NOT_EQUAL,
    KNI_CODE_MINIMUM,
    KNI_CODE_MAXIMUM,

    // The same where one operand is the result of the instruction before, which then need not go
    // through memory: that is where the time of a chain of operations goes.
    KNI_CODE_LAST_ADD,      // last + frame[b]
    KNI_CODE_LAST_SUBTRACT, // last - frame[b]
    KNI_CODE_LAST_MULTIPLY,
    KNI_CODE_LAST_DIVIDE,
    KNI_CODE_LAST_MINIMUM,
    KNI_CODE_LAST_MAXIMUM,
    KNI_CODE_SUBTRACT_LAST, // frame[a] - last
    KNI_CODE_DIVIDE_LAST,

    KNI_CODE_NEGATE,
    KNI_CODE_NOT,
    KNI_CODE_ABSOLUTE,
    KNI_CODE_FLOOR,
    KNI_CODE_CEIL,
    KNI_CODE_ROUND,
    KNI_CODE_SQRT,
    KNI_CODE_SIGN,
    KNI_CODE_CURVE, // curve references[b] at frame[a]

    // Readings: what they mean is up to whoever runs the expression. Of a spec.
    KNI_CODE_LEVEL,
    KNI_CODE_STACKS,
    KNI_CODE_TICK,
    KNI_CODE_PARAMETER,    // name references[a]
    KNI_CODE_PARAMETER_OR, // the same, else frame[b]
    KNI_CODE_CALLER,       // tag references[a]
    KNI_CODE_CALLER_OR,
    KNI_CODE_SOURCE_HAS, // tag references[a]; so in all that follow
    KNI_CODE_TARGET_HAS,
    KNI_CODE_CAUSER_HAS,
    KNI_CODE_ASSET,

    // Readings of an event record.
    KNI_CODE_EVENT_MAGNITUDE,
    KNI_CODE_EVENT_HAS,
    KNI_CODE_EVENT_INSTIGATOR_HAS,
    KNI_CODE_EVENT_TARGET_HAS,
    KNI_CODE_FIRST_READING = KNI_CODE_LEVEL,
    KNI_CODE_LAST_READING = KNI_CODE_EVENT_TARGET_HAS,
} kni_code_op;

typedef struct kni_code {
    uint8_t op; // kni_code_op
    uint8_t to, a, b;
} kni_code;

// What an expression is for, and so which names it may use.
typedef enum kni_expression_use {
    KNI_EXPRESSION_CALCULATION = 1 << 0,
    KNI_EXPRESSION_REQUIREMENT = 1 << 1,
    KNI_EXPRESSION_CONDITION = 1 << 2, // KN_CAPTURE_FROM_SOURCE is the instigator of the record
} kni_expression_use;

typedef struct kni_expression {
    const kn_capture *captures; // declared ones first
    const kni_code *code;
    const float *constants;
    const uint32_t *references; // tags, names, curves
    uint32_t capture_count, code_count, constant_count, reference_count;
} kni_expression;

typedef struct kni_expression_def {
    kni_expression_use use;
    const char *what; // "calculation", for messages
    const char *name;
    const char *text;
    const kn_capture *captures; // declared; capture(i) reads them
    uint32_t capture_count;
} kni_expression_def;

// Compiles into one block of `memory`. NULL unless the result is KN_OK; errors carry the place in
// the text.
kn_result kni_expression_compile(const kn_library *library, kni_memory *memory,
    const kni_expression_def *def, kni_expression **expression, kn_error *error);
// A copy in one block, or NULL when out of memory.
kni_expression *kni_expression_copy(kni_memory *memory, const kni_expression *from);
void kni_expression_free(kni_memory *memory, kni_expression *expression);

// Something an expression asks for while it runs.
typedef struct kni_reading {
    kni_code_op op;     // KNI_CODE_LEVEL and later
    uint32_t reference; // a name or a tag
    float fallback;     // of KNI_CODE_PARAMETER_OR and KNI_CODE_CALLER_OR
} kni_reading;

// Where it is read. The rooms above have a reader for specs and one for event records.
typedef struct kni_expression_input {
    const kn_library *library;
    kn_result (*read)(const void *subject, const kni_reading *reading, float *value);
    const void *subject;
} kni_expression_input;

// Runs an expression whose captures, all finite, stand at the beginning of `frame`.
// KN_REFUSED_BAD_NUMBER when a step is not finite, KN_REFUSED_MISSING_VALUE when a value of the
// caller or a parameter is missing; *value is 0 then.
kn_result kni_expression_run(const kni_expression *expression, const kni_expression_input *input,
    float frame[KNI_EXPRESSION_FRAME], float *value);

// Counts the uses of tags.
void kni_expression_count_uses(kn_library *library, const kni_expression *expression);

#endif
