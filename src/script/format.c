// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// string.format: Lua's, without directives that show an address (%p), are meant for compilers (%q)
// or differ between C libraries (%a). Every directive is parsed and checked before it is used;
// widths and precisions have at most two digits, as in Lua.

#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The cost of a number: the slowest digits are those of %.99f.
#define NUMBER_COST 20
#define NUMBER_BYTE_COST 4
// "%.99f" of the largest double: a sign, 309 digits, a point and 99 more.
#define NUMBER_TEXT_MAX 512

// One directive: "%-5.2f".
typedef struct directive {
    const char *text; // where it begins, with the '%'
    char flags[8];
    uint32_t width;
    int32_t precision; // -1: none
    char kind;
} directive;

static _Noreturn void directive_refuse(lua_State *L, const directive *d, const char *end)
{
    int length = (int)(end - d->text);
    knl_raise(L, "string.format: `%.*s` %s", length < 24 ? length : 24, d->text,
        *end == '\0' && d->kind == '\0' ? "ends too early" : "is not available");
}

// Reads up to two digits.
static const char *digits_read(lua_State *L, const directive *d, const char *at, uint32_t *value)
{
    uint32_t count = 0;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (++count > 2) {
            knl_raise(L, "string.format: `%.*s`: a width or precision has at most two digits",
                (int)(at - d->text + 1), d->text);
        }
        *value = *value * 10 + (uint32_t)(*at - '0');
    }
    return at;
}

// The flags a conversion allows, and whether it allows a precision; NULL for an unknown one.
static const char *kind_flags(char kind, bool *has_precision)
{
    *has_precision = true;
    switch (kind) {
    case 'd':
    case 'i':
        return "-+0 ";
    case 'u':
        return "-0";
    case 'o':
    case 'x':
    case 'X':
        return "-#0";
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
        return "-+#0 ";
    case 's':
        return "-";
    case 'c':
        *has_precision = false;
        return "-";
    default:
        return NULL;
    }
}

// Reads after the '%'; returns what follows the directive.
static const char *directive_read(lua_State *L, const char *at, directive *d)
{
    *d = (directive){.text = at - 1, .precision = -1};
    size_t count = strspn(at, "-+#0 ");
    if (count >= sizeof(d->flags)) {
        knl_raise(L, "string.format: `%%%.8s`: too many flags", at);
    }
    memcpy(d->flags, at, count);
    at = digits_read(L, d, at + count, &d->width);
    if (*at == '.') {
        uint32_t precision;
        at = digits_read(L, d, at + 1, &precision);
        d->precision = (int32_t)precision;
    }
    d->kind = *at;
    const char *end = at + (d->kind != '\0');
    bool has_precision;
    const char *flags = kind_flags(d->kind, &has_precision);
    if (flags == NULL || strspn(d->flags, flags) != count ||
        (d->precision >= 0 && !has_precision)) {
        directive_refuse(L, d, end);
    }
    return end;
}

static void padding_add(luaL_Buffer *buffer, const directive *d, size_t length)
{
    for (; length < d->width; length++) {
        luaL_addchar(buffer, ' ');
    }
}

static void text_add(luaL_Buffer *buffer, const directive *d, const char *text, size_t length)
{
    bool is_left = strchr(d->flags, '-') != NULL;
    if (!is_left) {
        padding_add(buffer, d, length);
    }
    luaL_addlstring(buffer, text, length);
    if (is_left) {
        padding_add(buffer, d, length);
    }
}

// The directive for C, with a length modifier.
static void directive_print(const directive *d, const char *length, char *out, size_t size)
{
    char precision[16] = "", width[16] = "";
    if (d->precision >= 0) {
        (void)snprintf(precision, sizeof(precision), ".%d", (int)d->precision);
    }
    if (d->width > 0) {
        (void)snprintf(width, sizeof(width), "%u", (unsigned)d->width);
    }
    (void)snprintf(out, size, "%%%s%s%s%s%c", d->flags, width, precision, length,
        d->kind == 'i' ? 'd' : d->kind);
}

static void number_add(lua_State *L, luaL_Buffer *buffer, const directive *d, int argument)
{
    char format[48], text[NUMBER_TEXT_MAX];
    int length;
    if (strchr("diuoxX", d->kind) != NULL) {
        long long integer = (long long)luaL_checkinteger(L, argument);
        directive_print(d, "ll", format, sizeof(format));
        length = snprintf(text, sizeof(text), format, integer);
    } else {
        double number = luaL_checknumber(L, argument);
        if (isnan(number)) {
            text_add(buffer, d, "nan", 3); // its sign differs between processors
            return;
        }
        directive_print(d, "", format, sizeof(format));
        length = snprintf(text, sizeof(text), format, number);
    }
    if (length < 0 || (size_t)length >= sizeof(text)) {
        knl_raise(L, "string.format: `%.24s`: too long", d->text);
    }
    knl_charge(L, NUMBER_COST + NUMBER_BYTE_COST * (uint64_t)length);
    luaL_addlstring(buffer, text, (size_t)length);
}

static void directive_add(lua_State *L, luaL_Buffer *buffer, const directive *d, int argument)
{
    switch (d->kind) {
    case 's': {
        size_t length;
        const char *text = knl_tostring(L, argument, &length);
        if (d->precision >= 0 && length > (size_t)d->precision) {
            length = (size_t)d->precision;
        }
        knl_charge(L, length / KNL_BYTES_PER_COST);
        if (d->width == 0 && d->precision < 0) {
            luaL_addvalue(buffer);
            return;
        }
        // The text must be popped before the buffer is used, which may put its box on the stack.
        char copy[128];
        if (length < sizeof(copy)) {
            memcpy(copy, text, length);
            lua_pop(L, 1);
            text_add(buffer, d, copy, length);
        } else { // longer than any width, so no padding
            luaL_addvalue(buffer);
        }
        return;
    }
    case 'c': {
        char letter = (char)luaL_checkinteger(L, argument);
        text_add(buffer, d, &letter, 1);
        return;
    }
    default:
        number_add(L, buffer, d, argument);
    }
}

int knl_string_format(lua_State *L)
{
    size_t size;
    const char *at = luaL_checklstring(L, 1, &size), *end = at + size;
    int argument = 1;
    int top = lua_gettop(L);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    while (at < end) {
        if (*at != '%') {
            luaL_addchar(&buffer, *at++);
        } else if (at[1] == '%') {
            luaL_addchar(&buffer, '%');
            at += 2;
        } else {
            directive d;
            at = directive_read(L, at + 1, &d);
            if (++argument > top) {
                knl_raise(L, "string.format: `%.*s` has no argument", (int)(at - d.text), d.text);
            }
            directive_add(L, &buffer, &d, argument);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}
