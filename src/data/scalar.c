// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Text is first taken apart into decimal digits and an exponent. Floats are then read by the core;
// doubles by dividing large integers, which is exact and easy to believe, with a short way for
// numbers as people write them.

#include "scalar.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// More digits than these cannot matter, except for being there: half-way points between doubles
// have at most 768.
#define SCALAR_DIGITS_MAX 770
#define SCALAR_EXPONENT_MAX 1000000
#define SCALAR_EXCERPT_MAX 40

// digits * 10^exponent, the digits without leading zeros
typedef struct scalar_number {
    bool negative;
    bool any;     // there was a digit
    bool dropped; // there was one other than zero that did not fit
    uint32_t count;
    int64_t exponent;
    char digits[SCALAR_DIGITS_MAX + 3]; // a 1 for what was dropped; a factor of up to 99
} scalar_number;

static bool scalar_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool scalar_equals(const kni_scalar *scalar, const char *text)
{
    return strcmp(scalar->text, text) == 0;
}

// Taking numbers apart

static const char *number_digits(scalar_number *number, const char *at, bool after_point)
{
    for (; scalar_is_digit(*at); at++) {
        number->any = true;
        number->exponent -= after_point;
        if (number->count == 0 && *at == '0') {
            continue;
        }
        if (number->count < SCALAR_DIGITS_MAX) {
            number->digits[number->count++] = *at;
        } else {
            number->exponent++;
            number->dropped = number->dropped || *at != '0';
        }
    }
    return at;
}

// NULL when there is no digit.
static const char *number_exponent(scalar_number *number, const char *at)
{
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!scalar_is_digit(*at)) {
        return NULL;
    }
    int64_t exponent = 0;
    for (; scalar_is_digit(*at); at++) {
        if (exponent < SCALAR_EXPONENT_MAX) {
            exponent = exponent * 10 + (*at - '0');
        }
    }
    number->exponent += negative ? -exponent : exponent;
    return at;
}

// What follows the number that `text` begins with, or NULL when there is none.
static const char *number_read(scalar_number *number, const char *text)
{
    *number = (scalar_number){.negative = text[0] == '-'};
    const char *at = text + (text[0] == '-' || text[0] == '+');
    if (at[0] == '0' && scalar_is_digit(at[1])) {
        return NULL;
    }
    at = number_digits(number, at, false);
    if (*at == '.') {
        at = number_digits(number, at + 1, true);
    }
    if (!number->any) {
        return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        at = number_exponent(number, at + 1);
    }
    if (number->dropped) {
        number->digits[number->count++] = '1';
        number->exponent--;
    }
    return at;
}

static bool scalar_number_of(const kni_scalar *scalar, scalar_number *number)
{
    const char *end = number_read(number, scalar->text);
    return end != NULL && *end == '\0';
}

// Messages

// The beginning of a text, on one line.
static void scalar_excerpt(const kni_scalar *scalar, char *excerpt)
{
    uint32_t length = scalar->length;
    if (length > SCALAR_EXCERPT_MAX) {
        length = SCALAR_EXCERPT_MAX;
        while (length > 0 && ((unsigned char)scalar->text[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    for (uint32_t i = 0; i < length; i++) {
        char c = scalar->text[i];
        excerpt[i] = (unsigned char)c < ' ' ? ' ' : c;
    }
    if (length < scalar->length) {
        memcpy(excerpt + length, "...", 3);
        length += 3;
    }
    excerpt[length] = '\0';
}

static kn_result scalar_fail(
    const kni_scalar *scalar, const char *what, const char *hint, kn_error *error)
{
    if (error == NULL) {
        return KN_ERROR_BAD_DATA;
    }
    *error = (kn_error){
        .code = KN_ERROR_BAD_DATA, .line = scalar->place.line, .column = scalar->place.column};
    if (scalar->length == 0) {
        (void)snprintf(error->message, sizeof error->message, "expected %s, but there is %s", what,
            scalar->quoted ? "an empty text" : "no value");
        return KN_ERROR_BAD_DATA;
    }
    char excerpt[SCALAR_EXCERPT_MAX + 4];
    scalar_excerpt(scalar, excerpt);
    const char *quote = scalar->quoted ? "\"" : "";
    (void)snprintf(error->message, sizeof error->message, "expected %s, not `%s%s%s`%s%s", what,
        quote, excerpt, quote, hint != NULL ? ": " : "", hint != NULL ? hint : "");
    return KN_ERROR_BAD_DATA;
}

kn_result kni_scalar_refuse(const kni_scalar *scalar, const char *what, kn_error *error)
{
    return scalar_fail(scalar, what, NULL, error);
}

static bool scalar_has_decimal_comma(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t whole = strspn(text, "0123456789");
    size_t rest = text[whole] == ',' ? strspn(text + whole + 1, "0123456789") : 0;
    return whole > 0 && rest > 0 && text[whole + 1 + rest] == '\0';
}

// What is wrong with a text that was to be a number, or NULL.
static const char *scalar_number_hint(const kni_scalar *scalar)
{
    scalar_number number;
    const char *digits = scalar->text + (scalar->text[0] == '-' || scalar->text[0] == '+');
    if (scalar_number_of(scalar, &number)) {
        return scalar->quoted ? "remove the quotes" : NULL;
    }
    if (scalar_has_decimal_comma(scalar->text)) {
        return "write a decimal point instead of the comma";
    }
    if (digits[0] == '0' && scalar_is_digit(digits[1])) {
        return "remove the leading zeros";
    }
    return NULL;
}

// Meanings

bool kni_scalar_is_null(const kni_scalar *scalar)
{
    return !scalar->quoted &&
           (scalar->length == 0 || scalar_equals(scalar, "~") || scalar_equals(scalar, "null"));
}

bool kni_scalar_is_number(const kni_scalar *scalar)
{
    scalar_number number;
    return !scalar->quoted && scalar_number_of(scalar, &number);
}

kn_result kni_scalar_bool(const kni_scalar *scalar, bool *value, kn_error *error)
{
    *value = !scalar->quoted && scalar_equals(scalar, "true");
    if (*value || (!scalar->quoted && scalar_equals(scalar, "false"))) {
        return KN_OK;
    }
    bool named = scalar_equals(scalar, "true") || scalar_equals(scalar, "false");
    return scalar_fail(scalar, "true or false", named ? "remove the quotes" : NULL, error);
}

// Sign and digits only; false for anything else. A magnitude that does not fit is UINT64_MAX with
// *fits false.
static bool scalar_whole(const kni_scalar *scalar, bool *negative, uint64_t *magnitude, bool *fits)
{
    const char *at = scalar->text;
    *negative = *at == '-';
    at += *at == '-' || *at == '+';
    *magnitude = 0;
    *fits = true;
    if (scalar->quoted || !scalar_is_digit(at[0]) || (at[0] == '0' && scalar_is_digit(at[1]))) {
        return false;
    }
    for (; scalar_is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*magnitude > (UINT64_MAX - digit) / 10) {
            *fits = false;
        }
        *magnitude = *fits ? *magnitude * 10 + digit : UINT64_MAX;
    }
    return *at == '\0';
}

// For a text that was refused as a whole number.
static const char *scalar_whole_hint(const kni_scalar *scalar)
{
    const char *hint = scalar_number_hint(scalar);
    if (hint == NULL && strpbrk(scalar->text, ".eE") != NULL && kni_scalar_is_number(scalar)) {
        hint = "write it without point and exponent";
    }
    return hint;
}

kn_result kni_scalar_i64(
    const kni_scalar *scalar, int64_t min, int64_t max, int64_t *value, kn_error *error)
{
    *value = 0;
    bool negative, fits;
    uint64_t magnitude;
    bool is_whole = scalar_whole(scalar, &negative, &magnitude, &fits);
    uint64_t most = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    if (is_whole && fits && magnitude <= most) {
        int64_t read =
            negative && magnitude > 0 ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
        if (read >= min && read <= max) {
            *value = read;
            return KN_OK;
        }
    }
    char what[80];
    (void)snprintf(
        what, sizeof what, "a whole number from %lld to %lld", (long long)min, (long long)max);
    bool is_limited = min > INT64_MIN || max < INT64_MAX;
    return scalar_fail(
        scalar, is_limited || is_whole ? what : "a whole number", scalar_whole_hint(scalar), error);
}

kn_result kni_scalar_u64(
    const kni_scalar *scalar, uint64_t min, uint64_t max, uint64_t *value, kn_error *error)
{
    *value = 0;
    bool negative, fits;
    uint64_t magnitude;
    bool is_whole = scalar_whole(scalar, &negative, &magnitude, &fits);
    if (is_whole && fits && (!negative || magnitude == 0) && magnitude >= min && magnitude <= max) {
        *value = magnitude;
        return KN_OK;
    }
    char what[80];
    (void)snprintf(what, sizeof what, "a whole number from %llu to %llu", (unsigned long long)min,
        (unsigned long long)max);
    bool is_limited = min > 0 || max < UINT64_MAX;
    return scalar_fail(
        scalar, is_limited || is_whole ? what : "a whole number", scalar_whole_hint(scalar), error);
}

// "a number from 0 to 1", "a number of at least 0"
static void scalar_describe_range(double min, double max, double limit, char *what, size_t size)
{
    char low[32], high[32];
    kn_float_print((float)min, low, sizeof low);
    kn_float_print((float)max, high, sizeof high);
    if (min > -limit && max < limit) {
        (void)snprintf(what, size, "a number from %s to %s", low, high);
    } else if (min > -limit) {
        (void)snprintf(what, size, "a number of at least %s", low);
    } else if (max < limit) {
        (void)snprintf(what, size, "a number of at most %s", high);
    } else {
        (void)snprintf(what, size, "a number");
    }
}

static kn_result scalar_refuse_float(
    const kni_scalar *scalar, double min, double max, double limit, kn_error *error)
{
    char what[96];
    scalar_describe_range(min, max, limit, what, sizeof what);
    const char *hint = scalar_number_hint(scalar);
    if (hint == NULL && min <= -limit && max >= limit && kni_scalar_is_number(scalar)) {
        hint = "it is too large";
    }
    return scalar_fail(scalar, what, hint, error);
}

kn_result kni_scalar_f32(
    const kni_scalar *scalar, float min, float max, float *value, kn_error *error)
{
    float read = 0.0f;
    if (kni_scalar_is_number(scalar) && kn_float_parse(scalar->text, &read) && read >= min &&
        read <= max) {
        *value = read;
        return KN_OK;
    }
    *value = 0.0f;
    return scalar_refuse_float(scalar, (double)min, (double)max, (double)FLT_MAX, error);
}

// Doubles. Large integers are little-endian words, `count` of them in use, the highest not 0.

#define BIG_WORDS 128

typedef struct big {
    uint32_t count;
    uint32_t words[BIG_WORDS];
} big;

static void big_push(big *n, uint32_t word)
{
    KN_ASSERT(n->count < BIG_WORDS);
    if (word != 0 && n->count < BIG_WORDS) {
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

static int32_t big_bits(const big *n)
{
    int32_t bits = (int32_t)n->count * 32;
    for (uint32_t top = n->words[n->count - 1]; (top & 0x80000000u) == 0; top <<= 1) {
        bits--;
    }
    return bits;
}

static bool big_is_less(const big *a, const big *b)
{
    if (a->count != b->count) {
        return a->count < b->count;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i];
        }
    }
    return false;
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
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

// The first 64 bits of above / below, the highest of which is 1, are worth 2^*exponent;
// *is_exact tells that nothing follows them.
static uint64_t big_quotient(big *above, big *below, int32_t *exponent, bool *is_exact)
{
    int32_t shift = big_bits(below) - big_bits(above);
    if (shift >= 0) {
        big_shift_left(above, (uint32_t)shift);
    } else {
        big_shift_left(below, (uint32_t)-shift);
    }
    *exponent = -shift;
    if (big_is_less(above, below)) { // the quotient lies in (1/2, 2)
        big_shift_left(above, 1);
        --*exponent;
    }
    uint64_t quotient = 0;
    for (uint32_t i = 0; i < 64; i++) {
        quotient <<= 1;
        if (!big_is_less(above, below)) {
            big_subtract(above, below);
            quotient |= 1;
        }
        if (above->count > 0) {
            big_shift_left(above, 1);
        }
    }
    *is_exact = above->count == 0;
    return quotient;
}

#define DOUBLE_BITS_INFINITE 0x7ff0000000000000u

// The bits of the double nearest to quotient * 2^(exponent - 63), halves to even.
static uint64_t double_round(uint64_t quotient, int32_t exponent, bool is_exact)
{
    int32_t kept = exponent >= -1022 ? 53 : 53 - (-1022 - exponent);
    if (kept < 0) {
        return 0;
    }
    uint32_t drop = 64 - (uint32_t)kept;
    uint64_t mantissa = drop < 64 ? quotient >> drop : 0;
    bool half = (quotient >> (drop - 1) & 1) != 0;
    bool more = (quotient & (((uint64_t)1 << (drop - 1)) - 1)) != 0 || !is_exact;
    if (half && (more || (mantissa & 1) != 0)) {
        mantissa++; // may carry into the exponent, as it should
    }
    if (exponent < -1022) {
        return mantissa;
    }
    return ((uint64_t)(exponent + 1022) << 52) + mantissa;
}

static uint64_t double_exact(const scalar_number *number)
{
    // The value lies in [10^(size - 1), 10^size).
    int64_t size = number->count + number->exponent;
    if (number->count == 0 || size < -330) {
        return 0;
    }
    if (size > 310) {
        return DOUBLE_BITS_INFINITE;
    }
    big above = {0};
    big below = {1, {1}};
    for (uint32_t i = 0; i < number->count; i++) {
        big_multiply(&above, 10, (uint32_t)(number->digits[i] - '0'));
    }
    if (number->exponent >= 0) {
        big_multiply_power10(&above, (uint32_t)number->exponent);
    } else {
        big_multiply_power10(&below, (uint32_t)-number->exponent);
    }
    int32_t exponent;
    bool is_exact;
    uint64_t quotient = big_quotient(&above, &below, &exponent, &is_exact);
    return double_round(quotient, exponent, is_exact);
}

// Up to 15 digits and a power of ten that a double holds exactly: one rounding.
static bool double_short(const scalar_number *number, double *value)
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
    *value = number->exponent < 0 ? (double)digits / powers[-number->exponent]
                                  : (double)digits * powers[number->exponent];
    return true;
}

static bool scalar_double(const kni_scalar *scalar, double *value)
{
    scalar_number number;
    if (scalar->quoted || !scalar_number_of(scalar, &number)) {
        return false;
    }
    if (!double_short(&number, value)) {
        uint64_t bits = double_exact(&number);
        if (bits >= DOUBLE_BITS_INFINITE) {
            return false;
        }
        memcpy(value, &bits, sizeof bits);
    }
    *value = number.negative ? -*value : *value;
    return true;
}

kn_result kni_scalar_f64(
    const kni_scalar *scalar, double min, double max, double *value, kn_error *error)
{
    double read = 0.0;
    if (scalar_double(scalar, &read) && read >= min && read <= max) {
        *value = read;
        return KN_OK;
    }
    *value = 0.0;
    return scalar_refuse_float(scalar, min, max, DBL_MAX, error);
}

// Times

// One of it is factor * 10^power microseconds.
typedef struct scalar_unit {
    const char *name;
    uint32_t factor;
    int32_t power;
} scalar_unit;

static const scalar_unit *time_unit(const char *name)
{
    static const scalar_unit units[] = {
        {"s", 1, 6}, {"ms", 1, 3}, {"us", 1, 0}, {"min", 6, 7}, {"h", 36, 8}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(name, units[i].name) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

static void number_multiply(scalar_number *number, uint32_t factor)
{
    uint32_t carry = 0;
    for (uint32_t i = number->count; i-- > 0;) {
        carry += (uint32_t)(number->digits[i] - '0') * factor;
        number->digits[i] = (char)('0' + carry % 10);
        carry /= 10;
    }
    for (; carry > 0; carry /= 10) {
        memmove(number->digits + 1, number->digits, number->count);
        number->digits[0] = (char)('0' + carry % 10);
        number->count++;
    }
}

// Rounded to a whole number; false when it is beyond KN_TIME_MAX.
static bool number_to_time(const scalar_number *number, kn_time *time)
{
    uint64_t magnitude = 0;
    int64_t whole = number->count + number->exponent; // digits before the point
    for (int64_t i = 0; i < whole && number->count > 0; i++) {
        magnitude = magnitude * 10 + (i < number->count ? (uint64_t)(number->digits[i] - '0') : 0);
        if (magnitude > (uint64_t)KN_TIME_MAX) {
            return false;
        }
    }
    if (whole >= 0 && whole < number->count && number->digits[whole] >= '5') {
        magnitude++;
    }
    *time = number->negative ? -(kn_time)magnitude : (kn_time)magnitude;
    return magnitude <= (uint64_t)KN_TIME_MAX;
}

// False for what is no time, or one beyond all limits.
static bool scalar_read_time(const kni_scalar *scalar, kn_time *time)
{
    if (scalar_equals(scalar, "forever")) {
        *time = KN_TIME_INFINITE;
        return true;
    }
    scalar_number number;
    const char *end = number_read(&number, scalar->text);
    if (end == NULL) {
        return false;
    }
    bool has_unit = *end != '\0';
    const scalar_unit *unit = time_unit(has_unit ? end + strspn(end, " ") : "s");
    if (unit == NULL || (scalar->quoted && !has_unit)) {
        return false;
    }
    number_multiply(&number, unit->factor);
    number.exponent += unit->power;
    return number_to_time(&number, time);
}

void kni_scalar_print_time(kn_time time, char *text, size_t size)
{
    uint64_t us = time < 0 ? -(uint64_t)time : (uint64_t)time;
    int length = snprintf(text, size, "%s%llu.%06u", time < 0 ? "-" : "",
        (unsigned long long)(us / 1000000), (unsigned)(us % 1000000));
    while (text[length - 1] == '0') {
        text[--length] = '\0';
    }
    if (text[length - 1] == '.') {
        text[length - 1] = '\0';
    }
}

kn_result kni_scalar_time(
    const kni_scalar *scalar, kn_time min, kn_time max, kn_time *value, kn_error *error)
{
    kn_time read;
    bool is_time = scalar_read_time(scalar, &read);
    if (is_time && read >= min && read <= max) {
        *value = read;
        return KN_OK;
    }
    *value = 0;
    if (!is_time) {
        return scalar_fail(scalar, "a time such as 1.5 (seconds), 250 ms or 2 min",
            scalar_number_hint(scalar), error);
    }
    char low[32], high[32], what[96];
    kni_scalar_print_time(min, low, sizeof low);
    kni_scalar_print_time(max, high, sizeof high);
    if (read == KN_TIME_INFINITE) {
        (void)snprintf(what, sizeof what, "a time that ends");
    } else if (max >= KN_TIME_MAX) {
        (void)snprintf(what, sizeof what, "a time of at least %s s", low);
    } else {
        (void)snprintf(what, sizeof what, "a time from %s s to %s s", low, high);
    }
    return scalar_fail(scalar, what, NULL, error);
}
