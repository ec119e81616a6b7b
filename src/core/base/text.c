// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Conversions between binary and decimal are exact, in large integers of fixed size: slower than
// the well-known fast algorithms, and much easier to check. Printing generates digits until the
// number written is closer to the float than to its neighbours (Steele and White's method). Reading
// does a binary search among the floats, which are in the order of their bits, for the one whose
// half-way points enclose the number; numbers as people write them take a shortcut through double
// arithmetic.

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Large integers: little-endian words, `count` of them in use, the highest of which is not 0.

#define BIG_WORDS 40

typedef struct big {
    uint32_t count;
    uint32_t words[BIG_WORDS];
} big;

static void big_set(big *n, uint64_t value)
{
    n->words[0] = (uint32_t)value;
    n->words[1] = (uint32_t)(value >> 32);
    n->count = n->words[1] != 0 ? 2 : n->words[0] != 0;
}

static void big_push(big *n, uint32_t word)
{
    KN_ASSERT(n->count < BIG_WORDS);
    if (n->count < BIG_WORDS) {
        n->words[n->count++] = word;
    }
}

// n = n * factor + add
static void big_multiply(big *n, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (uint32_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->words[i] * factor;
        n->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        big_push(n, (uint32_t)carry);
    }
}

static void big_multiply_power10(big *n, uint32_t power)
{
    for (; power >= 9; power -= 9) {
        big_multiply(n, 1000000000, 0);
    }
    for (; power > 0; power--) {
        big_multiply(n, 10, 0);
    }
}

static void big_shift_left(big *n, uint32_t bits)
{
    if (n->count == 0) {
        return;
    }
    uint32_t words = bits / 32;
    KN_ASSERT(n->count + words <= BIG_WORDS);
    if (n->count + words > BIG_WORDS) {
        return;
    }
    memmove(n->words + words, n->words, n->count * sizeof *n->words);
    memset(n->words, 0, words * sizeof *n->words);
    n->count += words;
    big_multiply(n, (uint32_t)1 << bits % 32, 0);
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

static big big_sum(const big *a, const big *b)
{
    big sum = {0};
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        carry += i < a->count ? a->words[i] : 0;
        carry += i < b->count ? b->words[i] : 0;
        big_push(&sum, (uint32_t)carry);
        carry >>= 32;
    }
    if (carry != 0) {
        big_push(&sum, (uint32_t)carry);
    }
    return sum;
}

static void big_trim(big *n)
{
    while (n->count > 0 && n->words[n->count - 1] == 0) {
        n->count--;
    }
}

// a -= b, where b <= a
static void big_subtract(big *a, const big *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t take = borrow + (i < b->count ? b->words[i] : 0);
        borrow = a->words[i] < take;
        a->words[i] = (uint32_t)(a->words[i] - take);
    }
    big_trim(a);
}

// n /= divisor; returns the rest
static uint32_t big_divide(big *n, uint32_t divisor)
{
    uint64_t rest = 0;
    for (uint32_t i = n->count; i-- > 0;) {
        rest = rest << 32 | n->words[i];
        n->words[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    big_trim(n);
    return (uint32_t)rest;
}

static bool big_bit(const big *n, uint32_t bit)
{
    return bit / 32 < n->count && (n->words[bit / 32] >> bit % 32 & 1) != 0;
}

// n /= 2^bits, rounded to nearest, halves to even
static void big_shift_right_rounded(big *n, uint32_t bits)
{
    if (bits == 0) {
        return;
    }
    bool half = big_bit(n, bits - 1);
    bool more = false;
    for (uint32_t bit = 0; bit + 1 < bits && !more; bit++) {
        more = big_bit(n, bit);
    }
    uint32_t words = bits / 32;
    if (words >= n->count) {
        n->count = 0; // at most a half is left, and `half` and `more` have it
    } else {
        n->count -= words;
        memmove(n->words, n->words + words, n->count * sizeof *n->words);
        if (bits % 32 != 0) {
            big_divide(n, (uint32_t)1 << bits % 32);
        }
    }
    if (half && (more || big_bit(n, 0))) {
        if (n->count == 0) {
            big_set(n, 1);
        } else {
            big_multiply(n, 1, 1);
        }
    }
}

// Printing floats

#define FLOAT_BITS_INFINITE 0x7f800000u
#define FLOAT_DIGITS_MAX 9

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The finite float with these bits, its sign aside, is mantissa * 2^exponent.
typedef struct float_parts {
    uint32_t mantissa;
    int32_t exponent;
} float_parts;

static float_parts float_parts_of(uint32_t bits)
{
    uint32_t fraction = bits & 0x7fffff;
    int32_t exponent = (int32_t)(bits >> 23 & 0xff);
    if (exponent == 0) {
        return (float_parts){fraction, -149};
    }
    return (float_parts){fraction | 0x800000, exponent - 150};
}

// 0.d1d2d3... * 10^point
typedef struct float_decimal {
    char digits[FLOAT_DIGITS_MAX + 1];
    uint32_t count;
    int32_t point;
} float_decimal;

// The number is value / scale; the half-way points to the next lower and higher float are below /
// scale and above / scale away.
typedef struct float_range {
    big value, scale, below, above;
    bool closed; // the half-way points themselves read as this float
} float_range;

static void float_range_init(float_range *range, uint32_t bits)
{
    float_parts parts = float_parts_of(bits);
    // The smallest mantissa of an exponent has its lower neighbour twice as close.
    bool uneven = parts.mantissa == 0x800000 && parts.exponent > -149;
    uint32_t up = parts.exponent > 0 ? (uint32_t)parts.exponent : 0;
    uint32_t down = parts.exponent < 0 ? (uint32_t)-parts.exponent : 0;
    big_set(&range->value, parts.mantissa);
    big_set(&range->scale, 1);
    big_set(&range->below, 1);
    big_set(&range->above, 1);
    big_shift_left(&range->value, up + 1 + uneven);
    big_shift_left(&range->scale, down + 1 + uneven);
    big_shift_left(&range->below, up);
    big_shift_left(&range->above, up + uneven);
    range->closed = parts.mantissa % 2 == 0;
}

static void float_range_multiply10(float_range *range)
{
    big_multiply(&range->value, 10, 0);
    big_multiply(&range->below, 10, 0);
    big_multiply(&range->above, 10, 0);
}

// Whether value + above reaches one unit of scale, so that the next digit would be a 10.
static bool float_range_reaches_one(const float_range *range)
{
    big high = big_sum(&range->value, &range->above);
    int order = big_compare(&high, &range->scale);
    return range->closed ? order >= 0 : order > 0;
}

// Brings value / scale into [0.1, 1), allowing for rounding up; returns the power of ten.
static int32_t float_range_normalize(float_range *range)
{
    int32_t point = 0;
    while (float_range_reaches_one(range)) {
        big_multiply(&range->scale, 10, 0);
        point++;
    }
    for (;;) {
        float_range next = *range;
        float_range_multiply10(&next);
        if (float_range_reaches_one(&next)) {
            return point;
        }
        *range = next;
        point--;
    }
}

static float_decimal float_shortest(uint32_t bits)
{
    float_range range;
    float_range_init(&range, bits);
    float_decimal decimal = {.point = float_range_normalize(&range)};
    for (;;) {
        float_range_multiply10(&range);
        char digit = '0';
        while (big_compare(&range.value, &range.scale) >= 0) {
            big_subtract(&range.value, &range.scale);
            digit++;
        }
        int order = big_compare(&range.value, &range.below);
        bool low = range.closed ? order <= 0 : order < 0; // may stop at this digit
        bool high = float_range_reaches_one(&range);      // may stop at the next higher one
        if (!low && !high && decimal.count + 1 < FLOAT_DIGITS_MAX) {
            decimal.digits[decimal.count++] = digit;
            continue;
        }
        big twice = big_sum(&range.value, &range.value);
        bool up = high && (!low || big_compare(&twice, &range.scale) >= 0);
        decimal.digits[decimal.count++] = (char)(digit + up);
        return decimal;
    }
}

// The text builder

void kni_text_init(kni_text *text, char *buffer, uint32_t size)
{
    *text = (kni_text){.data = buffer, .size = size};
    if (size > 0) {
        buffer[0] = '\0';
    }
}

static void text_bytes(kni_text *text, const char *bytes, size_t count)
{
    if (text->length + 1 < text->size) {
        size_t room = text->size - 1 - text->length;
        size_t fitting = count < room ? count : room;
        memcpy(text->data + text->length, bytes, fitting);
        text->data[text->length + fitting] = '\0';
    }
    text->length += (uint32_t)count;
}

void kni_text_char(kni_text *text, char c)
{
    text_bytes(text, &c, 1);
}

void kni_text_str(kni_text *text, const char *str)
{
    if (str != NULL) {
        text_bytes(text, str, strlen(str));
    }
}

static void text_zeros(kni_text *text, uint32_t count)
{
    for (; count > 0; count--) {
        kni_text_char(text, '0');
    }
}

void kni_text_u64(kni_text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    text_bytes(text, digits + at, sizeof digits - at);
}

void kni_text_i64(kni_text *text, int64_t value)
{
    if (value < 0) {
        kni_text_char(text, '-');
        kni_text_u64(text, -(uint64_t)value);
        return;
    }
    kni_text_u64(text, (uint64_t)value);
}

// Plain from 0.0001 up to 9 digits before the point, else with an exponent.
static void text_decimal(kni_text *text, const float_decimal *decimal)
{
    int32_t point = decimal->point;
    uint32_t count = decimal->count;
    if (point < -3 || point > 9) {
        text_bytes(text, decimal->digits, 1);
        if (count > 1) {
            kni_text_char(text, '.');
            text_bytes(text, decimal->digits + 1, count - 1);
        }
        kni_text_char(text, 'e');
        kni_text_i64(text, point - 1);
    } else if (point <= 0) {
        kni_text_str(text, "0.");
        text_zeros(text, (uint32_t)-point);
        text_bytes(text, decimal->digits, count);
    } else if ((uint32_t)point >= count) {
        text_bytes(text, decimal->digits, count);
        text_zeros(text, (uint32_t)point - count);
    } else {
        text_bytes(text, decimal->digits, (uint32_t)point);
        kni_text_char(text, '.');
        text_bytes(text, decimal->digits + point, count - (uint32_t)point);
    }
}

void kni_text_float(kni_text *text, float value)
{
    uint32_t bits = float_bits(value);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > FLOAT_BITS_INFINITE) {
        kni_text_str(text, "nan");
        return;
    }
    if (magnitude != bits) {
        kni_text_char(text, '-');
    }
    if (magnitude == FLOAT_BITS_INFINITE) {
        kni_text_str(text, "inf");
    } else if (magnitude == 0) {
        kni_text_char(text, '0');
    } else {
        float_decimal decimal = float_shortest(magnitude);
        text_decimal(text, &decimal);
    }
}

uint32_t kn_float_print(float value, char *text, uint32_t size)
{
    kni_text out;
    kni_text_init(&out, text, size);
    kni_text_float(&out, value);
    return out.length;
}

// Writes an integer with a point before its last `decimals` digits.
static void text_big(kni_text *text, big *n, uint32_t decimals)
{
    char digits[BIG_WORDS * 10];
    uint32_t at = sizeof digits;
    uint32_t least = decimals + 1;
    while (n->count > 0 || sizeof digits - at < least) {
        digits[--at] = (char)('0' + big_divide(n, 10));
    }
    uint32_t whole = (uint32_t)sizeof digits - at - decimals;
    text_bytes(text, digits + at, whole);
    if (decimals > 0) {
        kni_text_char(text, '.');
        text_bytes(text, digits + at + whole, decimals);
    }
}

void kni_text_fixed(kni_text *text, double value, uint32_t decimals)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffff;
    int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    bool negative = bits >> 63 != 0;
    if (exponent == 0x7ff) {
        kni_text_str(text, fraction != 0 ? "nan" : negative ? "-inf" : "inf");
        return;
    }
    decimals = decimals < 17 ? decimals : 17;
    big n;
    big_set(&n, exponent == 0 ? fraction : fraction | (uint64_t)1 << 52);
    exponent = (exponent == 0 ? 1 : exponent) - 1075;
    big_multiply_power10(&n, decimals);
    if (exponent >= 0) {
        big_shift_left(&n, (uint32_t)exponent);
    } else {
        big_shift_right_rounded(&n, (uint32_t)-exponent);
    }
    if (negative && n.count > 0) {
        kni_text_char(text, '-');
    }
    text_big(text, &n, decimals);
}

void kni_text_time_exact(kni_text *text, kn_time time)
{
    uint64_t us = time < 0 ? -(uint64_t)time : (uint64_t)time;
    if (time < 0) {
        kni_text_char(text, '-');
    }
    kni_text_u64(text, us / 1000000);
    uint32_t rest = (uint32_t)(us % 1000000);
    if (rest > 0) {
        kni_text_char(text, '.');
        for (uint32_t unit = 100000; rest > 0; unit /= 10) {
            kni_text_char(text, (char)('0' + rest / unit));
            rest %= unit;
        }
    }
}

void kni_text_seconds(kni_text *text, kn_time time)
{
    if (time == KN_TIME_INFINITE) {
        kni_text_str(text, "forever");
        return;
    }
    kni_text_time_exact(text, time);
    kni_text_str(text, " s");
}

// Reading floats

// Beyond this many digits, all that matters is whether one of the others is not 0: half-way points
// between floats have at most 113.
#define PARSE_DIGITS_MAX 120
#define PARSE_EXPONENT_MAX 1000000

// digits * 10^exponent, the digits without leading zeros
typedef struct parsed_number {
    char digits[PARSE_DIGITS_MAX + 1];
    uint32_t count;
    int64_t exponent;
    bool negative;
} parsed_number;

static bool parse_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Digits beyond the limit are dropped; if one of them was not zero, a final 1 stands for them.
typedef struct parse_mantissa {
    bool any;     // there was a digit
    bool dropped; // a digit other than zero was dropped
} parse_mantissa;

static const char *parse_digits(
    const char *at, parsed_number *number, parse_mantissa *mantissa, bool after_point)
{
    for (; parse_is_digit(*at); at++) {
        mantissa->any = true;
        number->exponent -= after_point;
        if (number->count == 0 && *at == '0') {
            continue;
        }
        if (number->count < PARSE_DIGITS_MAX) {
            number->digits[number->count++] = *at;
        } else {
            number->exponent++;
            mantissa->dropped = mantissa->dropped || *at != '0';
        }
    }
    return at;
}

// NULL if there is no digit.
static const char *parse_exponent(const char *at, parsed_number *number)
{
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!parse_is_digit(*at)) {
        return NULL;
    }
    int64_t exponent = 0;
    for (; parse_is_digit(*at); at++) {
        if (exponent < PARSE_EXPONENT_MAX) {
            exponent = exponent * 10 + (*at - '0');
        }
    }
    number->exponent += negative ? -exponent : exponent;
    return at;
}

static bool parse_number(const char *text, parsed_number *number)
{
    parse_mantissa mantissa = {0};
    const char *at = text;
    number->count = 0;
    number->exponent = 0;
    number->negative = *at == '-';
    at += *at == '-' || *at == '+';
    at = parse_digits(at, number, &mantissa, false);
    if (*at == '.') {
        at = parse_digits(at + 1, number, &mantissa, true);
    }
    if (!mantissa.any) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at = parse_exponent(at + 1, number);
    }
    if (at == NULL || *at != '\0') {
        return false;
    }
    if (mantissa.dropped) {
        number->digits[number->count++] = '1';
        number->exponent--;
    }
    return true;
}

// Up to 15 digits and a power of ten that a double holds exactly: one rounding to double, then one
// to float. The second is right unless the first landed on a half-way point.
static bool parse_short(const parsed_number *number, float *value)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->count > 15 || number->exponent < -22 || number->exponent > 22) {
        return false;
    }
    int64_t digits = 0;
    for (uint32_t i = 0; i < number->count; i++) {
        digits = digits * 10 + (number->digits[i] - '0');
    }
    double wide = (double)digits;
    if (number->exponent < 0) {
        wide /= powers[-number->exponent];
    } else {
        wide *= powers[number->exponent];
    }
    uint64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    if ((bits & 0x1fffffff) == 0x10000000) {
        return false;
    }
    *value = (float)wide;
    return true;
}

// Compares the number, value * 10^exponent, with the half-way point above the float of these bits.
static int parse_compare(const big *value, int32_t exponent, uint32_t bits)
{
    float_parts parts = float_parts_of(bits);
    big number = *value;
    big half;
    big_set(&half, (uint64_t)parts.mantissa * 2 + 1);
    int32_t shift = parts.exponent - 1;
    if (shift >= 0) {
        big_shift_left(&half, (uint32_t)shift);
    } else {
        big_shift_left(&number, (uint32_t)-shift);
    }
    if (exponent >= 0) {
        big_multiply_power10(&number, (uint32_t)exponent);
    } else {
        big_multiply_power10(&half, (uint32_t)-exponent);
    }
    return big_compare(&number, &half);
}

// The bits of the nearest float; those of infinity when the number is too large.
static uint32_t parse_exact(const parsed_number *number)
{
    // The value lies in [10^(size - 1), 10^size).
    int64_t size = number->count + number->exponent;
    if (number->count == 0 || size < -50) {
        return 0;
    }
    if (size > 45) {
        return FLOAT_BITS_INFINITE;
    }
    big value;
    big_set(&value, 0);
    for (uint32_t i = 0; i < number->count; i++) {
        uint32_t digit = (uint32_t)(number->digits[i] - '0');
        if (value.count == 0) {
            big_set(&value, digit);
        } else {
            big_multiply(&value, 10, digit);
        }
    }
    // The bits of positive floats count them in order. The answer is the first float whose upper
    // half-way point is not below the number.
    uint32_t low = 0, high = FLOAT_BITS_INFINITE;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = parse_compare(&value, (int32_t)number->exponent, middle);
        if (order < 0 || (order == 0 && middle % 2 == 0)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

bool kn_float_parse(const char *text, float *value)
{
    *value = 0.0f;
    parsed_number number;
    if (text == NULL || !parse_number(text, &number)) {
        return false;
    }
    float magnitude;
    if (!parse_short(&number, &magnitude)) {
        uint32_t bits = parse_exact(&number);
        if (bits == FLOAT_BITS_INFINITE) {
            return false;
        }
        memcpy(&magnitude, &bits, sizeof magnitude);
    }
    *value = number.negative ? -magnitude : magnitude;
    return true;
}

// Pieces --------------------------------------------------------------------

kn_text kn_text_begin(char *text, uint32_t size)
{
    kn_text out = {text, text != NULL ? size : 0, 0};
    if (out.size > 0) {
        out.text[0] = 0;
    }
    return out;
}

void kn_text_add(kn_text *text, const char *format, ...)
{
    char none;
    va_list arguments;
    bool fits = text->length < text->size;
    va_start(arguments, format);
    int added = vsnprintf(fits ? text->text + text->length : &none,
        fits ? text->size - text->length : 0, format, arguments);
    va_end(arguments);
    text->length += added > 0 ? (uint32_t)added : 0;
}

// Errors --------------------------------------------------------------------

kn_result kn_error_set(kn_error *error, kn_result code, const char *format, ...)
{
    if (error == NULL) {
        return code;
    }
    memset(error, 0, sizeof(*error));
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    kni_text text;
    kni_text_init(&text, error->message, sizeof(error->message));
    for (const char *c = format; *c != 0; c++) {
        if (*c != '%') {
            kni_text_char(&text, *c);
        } else if (*++c == 's') {
            kni_text_str(&text, va_arg(arguments, const char *));
        } else {
            kni_text_u64(&text, va_arg(arguments, uint32_t));
        }
    }
    va_end(arguments);
    return code;
}
