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
    char excerpt[SCALAR_EXCERPT_MAX + 4], plain[32], instead[48];
    scalar_excerpt(scalar, excerpt);
    if (hint == NULL && kni_scalar_plain(scalar, plain, sizeof(plain))) {
        (void)snprintf(instead, sizeof(instead), "write %s", plain);
        hint = instead;
    }
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

// What a number with a percent sign, or with a unit in words, would be written as.
bool kni_scalar_plain(const kni_scalar *scalar, char *text, size_t size)
{
    static const struct {
        const char *word;
        float times, by;
    } units[] = {{"%", 1, 100}, {"percent", 1, 100}, {"sec", 1, 1}, {"secs", 1, 1},
        {"second", 1, 1}, {"seconds", 1, 1}, {"msec", 1, 1000}, {"milliseconds", 1, 1000},
        {"m", 60, 1}, {"minute", 60, 1}, {"minutes", 60, 1}, {"hour", 3600, 1}, {"hours", 3600, 1}};
    char number[32];
    size_t length = strspn(scalar->text, "+-.0123456789");
    const char *word = scalar->text + length + strspn(scalar->text + length, " ");
    float value;
    if (scalar->quoted || length == 0 || length >= sizeof(number)) {
        return false;
    }
    memcpy(number, scalar->text, length);
    number[length] = '\0';
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (strcmp(word, units[i].word) == 0 && kn_float_parse(number, &value)) {
            (void)kn_float_print(value * units[i].times / units[i].by, text, (uint32_t)size);
            return true;
        }
    }
    return false;
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
        hint = "write it without a decimal point or exponent";
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
static void scalar_describe_range(float min, float max, char *what, size_t size)
{
    char low[32], high[32];
    kn_float_print(min, low, sizeof low);
    kn_float_print(max, high, sizeof high);
    if (min > -FLT_MAX && max < FLT_MAX) {
        (void)snprintf(what, size, "a number from %s to %s", low, high);
    } else if (min > -FLT_MAX) {
        (void)snprintf(what, size, "a number of at least %s", low);
    } else if (max < FLT_MAX) {
        (void)snprintf(what, size, "a number of at most %s", high);
    } else {
        (void)snprintf(what, size, "a number");
    }
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
    char what[96];
    scalar_describe_range(min, max, what, sizeof what);
    const char *hint = scalar_number_hint(scalar);
    if (hint == NULL && min <= -FLT_MAX && max >= FLT_MAX && kni_scalar_is_number(scalar)) {
        hint = "it is too large";
    }
    return scalar_fail(scalar, what, hint, error);
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

// False if it is not a time, or beyond all limits.
static bool scalar_read_time(const kni_scalar *scalar, kn_time *time)
{
    if (scalar_equals(scalar, "forever") || scalar_equals(scalar, "infinite")) {
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
        (void)snprintf(what, sizeof what, "a finite time");
    } else if (max >= KN_TIME_MAX) {
        (void)snprintf(what, sizeof what, "a time of at least %s s", low);
    } else {
        (void)snprintf(what, sizeof what, "a time from %s s to %s s", low, high);
    }
    return scalar_fail(scalar, what, NULL, error);
}
