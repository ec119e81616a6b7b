// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The machine that runs compiled expressions. Every result is checked to be finite where it is
// made: infinity would hide in a comparison, and NaN in a minimum.

#include "library/expression.h"

#include "library/types.h"

#include <float.h>
#include <math.h>

// Exponents beyond this have no exact neighbours.
#define EXPONENT_MAX 16777216.0f

// The rest of a floored division, with the sign of the divisor. Exact but for the last addition:
// each subtraction takes the largest y 2^k that fits, so that nothing is lost.
static float modulo(float a, float b)
{
    float x = fabsf(a), y = fabsf(b);
    if (y == 0.0f) {
        return NAN;
    }
    float part = y;
    while (part + part <= x) {
        part += part;
    }
    for (;;) {
        if (x >= part) {
            x -= part;
        }
        if (part == y) {
            break;
        }
        part *= 0.5f;
    }
    if (x != 0.0f && (a < 0.0f) != (b < 0.0f)) {
        x = y - x;
    }
    return b < 0.0f ? -x : x;
}

// By squaring; NaN unless the exponent is whole.
static float power(float base, float exponent)
{
    float rest = fabsf(exponent);
    if (rest >= EXPONENT_MAX || rest != floorf(rest)) {
        return NAN;
    }
    float result = 1.0f;
    for (uint32_t n = (uint32_t)rest; n > 0; n >>= 1) {
        if ((n & 1) != 0) {
            result *= base;
        }
        base = n > 1 ? base * base : base;
    }
    if (exponent < 0.0f) {
        return isfinite(result) ? 1.0f / result : NAN;
    }
    return result;
}

// To nearest, halves away from zero. x + 0.5 could round up by itself.
static float round_half_away(float x)
{
    float size = fabsf(x);
    float whole = floorf(size);
    whole += size - whole >= 0.5f ? 1.0f : 0.0f;
    return x < 0.0f ? -whole : whole;
}

static float truth(bool is_true)
{
    return is_true ? 1.0f : 0.0f;
}

kn_result kni_expression_run(const kni_expression *expression, const kni_expression_input *input,
    float frame[KNI_EXPRESSION_FRAME], float *value)
{
    const uint32_t *references = expression->references;
    *value = 0.0f;
    for (uint32_t i = 0; i < expression->constant_count; i += KNI_EXPRESSION_CONSTANT_STEP) {
        memcpy(&frame[KNI_EXPRESSION_CONSTANT_FIRST + i], &expression->constants[i],
            KNI_EXPRESSION_CONSTANT_STEP * sizeof(float));
    }
    float result = 0.0f; // of the last instruction
    for (const kni_code *code = expression->code;;) {
        kni_code c = *code++;
        switch ((kni_code_op)c.op) {
        case KNI_CODE_RETURN:
            *value = frame[c.a];
            return KN_OK;
        case KNI_CODE_MOVE:
            result = frame[c.a];
            break;
        case KNI_CODE_JUMP:
            code = expression->code + (c.a | c.b << 8);
            continue;
        case KNI_CODE_JUMP_IF_ZERO:
            code = frame[c.to] == 0.0f ? expression->code + (c.a | c.b << 8) : code;
            continue;
        case KNI_CODE_JUMP_IF_NOT_ZERO:
            code = frame[c.to] != 0.0f ? expression->code + (c.a | c.b << 8) : code;
            continue;
        case KNI_CODE_ADD:
            result = frame[c.a] + frame[c.b];
            break;
        case KNI_CODE_SUBTRACT:
            result = frame[c.a] - frame[c.b];
            break;
        case KNI_CODE_MULTIPLY:
            result = frame[c.a] * frame[c.b];
            break;
        case KNI_CODE_DIVIDE:
            result = frame[c.b] != 0.0f ? frame[c.a] / frame[c.b] : NAN;
            break;
        case KNI_CODE_MODULO:
            result = modulo(frame[c.a], frame[c.b]);
            break;
        case KNI_CODE_POWER:
            result = power(frame[c.a], frame[c.b]);
            break;
        case KNI_CODE_LESS:
            result = truth(frame[c.a] < frame[c.b]);
            break;
        case KNI_CODE_LESS_EQUAL:
            result = truth(frame[c.a] <= frame[c.b]);
            break;
        case KNI_CODE_EQUAL:
            result = truth(frame[c.a] == frame[c.b]);
            break;
        case KNI_CODE_NOT_EQUAL:
            result = truth(frame[c.a] != frame[c.b]);
            break;
        case KNI_CODE_MINIMUM:
            result = frame[c.b] < frame[c.a] ? frame[c.b] : frame[c.a];
            break;
        case KNI_CODE_MAXIMUM:
            result = frame[c.b] > frame[c.a] ? frame[c.b] : frame[c.a];
            break;
        case KNI_CODE_LAST_ADD:
            result = result + frame[c.b];
            break;
        case KNI_CODE_LAST_SUBTRACT:
            result = result - frame[c.b];
            break;
        case KNI_CODE_LAST_MULTIPLY:
            result = result * frame[c.b];
            break;
        case KNI_CODE_LAST_DIVIDE:
            result = frame[c.b] != 0.0f ? result / frame[c.b] : NAN;
            break;
        case KNI_CODE_LAST_MINIMUM:
            result = frame[c.b] < result ? frame[c.b] : result;
            break;
        case KNI_CODE_LAST_MAXIMUM:
            result = frame[c.b] > result ? frame[c.b] : result;
            break;
        case KNI_CODE_SUBTRACT_LAST:
            result = frame[c.a] - result;
            break;
        case KNI_CODE_DIVIDE_LAST:
            result = result != 0.0f ? frame[c.a] / result : NAN;
            break;
        case KNI_CODE_NEGATE:
            result = -frame[c.a];
            break;
        case KNI_CODE_NOT:
            result = truth(frame[c.a] == 0.0f);
            break;
        case KNI_CODE_ABSOLUTE:
            result = fabsf(frame[c.a]);
            break;
        case KNI_CODE_FLOOR:
            result = floorf(frame[c.a]);
            break;
        case KNI_CODE_CEIL:
            result = ceilf(frame[c.a]);
            break;
        case KNI_CODE_ROUND:
            result = round_half_away(frame[c.a]);
            break;
        case KNI_CODE_SQRT:
            result = frame[c.a] >= 0.0f ? sqrtf(frame[c.a]) : NAN;
            break;
        case KNI_CODE_SIGN:
            result = truth(frame[c.a] > 0.0f) - truth(frame[c.a] < 0.0f);
            break;
        case KNI_CODE_CURVE:
            result = kn_curve_at(input->library, (kn_curve_id){references[c.b]}, frame[c.a]);
            break;
        default: {
            KN_ASSERT(c.op >= KNI_CODE_FIRST_READING && c.op <= KNI_CODE_LAST_READING);
            bool has_fallback = c.op == KNI_CODE_PARAMETER_OR || c.op == KNI_CODE_CALLER_OR;
            kni_reading reading = {(kni_code_op)c.op,
                c.a < expression->reference_count ? references[c.a] : 0,
                has_fallback ? frame[c.b] : 0.0f};
            kn_result read = input->read(input->subject, &reading, &result);
            if (read != KN_OK) {
                return read;
            }
            break;
        }
        }
        if (!(fabsf(result) <= FLT_MAX)) {
            return KN_REFUSED_BAD_NUMBER;
        }
        frame[c.to] = result;
    }
}

static size_t expression_size(const kni_expression *expression)
{
    return sizeof(*expression) + expression->capture_count * sizeof(kn_capture) +
           expression->code_count * sizeof(kni_code) + expression->constant_count * sizeof(float) +
           expression->reference_count * sizeof(uint32_t);
}

void kni_expression_free(kni_memory *memory, kni_expression *expression)
{
    if (expression != NULL) {
        kni_free(memory, expression, expression_size(expression));
    }
}

// Takes `size` bytes at *at for a copy.
static const void *expression_part(uint8_t **at, const void *from, size_t size)
{
    uint8_t *part = *at;
    if (size > 0) {
        memcpy(part, from, size);
    }
    *at += size;
    return part;
}

kni_expression *kni_expression_copy(kni_memory *memory, const kni_expression *from)
{
    kni_expression *copy = kni_realloc(memory, NULL, 0, expression_size(from));
    if (copy == NULL) {
        return NULL;
    }
    *copy = *from;
    uint8_t *at = (uint8_t *)(copy + 1);
    // By falling alignment.
    copy->captures = expression_part(&at, from->captures, from->capture_count * sizeof(kn_capture));
    copy->constants = expression_part(&at, from->constants, from->constant_count * sizeof(float));
    copy->references =
        expression_part(&at, from->references, from->reference_count * sizeof(uint32_t));
    copy->code = expression_part(&at, from->code, from->code_count * sizeof(kni_code));
    return copy;
}

void kni_expression_count_uses(kn_library *library, const kni_expression *expression)
{
    for (uint32_t i = 0; i < expression->code_count; i++) {
        const kni_code *code = &expression->code[i];
        bool is_tag = code->op >= KNI_CODE_CALLER && code->op != KNI_CODE_EVENT_MAGNITUDE;
        if (is_tag) {
            kni_tag_count_use(kni_library_tags(library), expression->references[code->a]);
        }
    }
}
