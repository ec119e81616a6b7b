// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reads JSON from stdin, to the letter of RFC 8259, and says "valid" or where it is not.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int next_byte;
static long at;

static int take(void)
{
    int byte = next_byte;
    next_byte = getchar();
    at++;
    return byte;
}

static bool is_in(const char *set)
{
    return next_byte > 0 && strchr(set, next_byte) != NULL;
}

static void blanks(void)
{
    while (is_in(" \t\n\r")) {
        (void)take();
    }
}

static bool literal(const char *word)
{
    for (; *word != 0; word++) {
        if (take() != *word) {
            return false;
        }
    }
    return true;
}

static bool digits(void)
{
    bool any = false;
    while (is_in("0123456789")) {
        (void)take();
        any = true;
    }
    return any;
}

static bool number(void)
{
    if (is_in("-")) {
        (void)take();
    }
    if (is_in("0")) {
        (void)take();
    } else if (!digits()) {
        return false;
    }
    if (is_in(".")) {
        (void)take();
        if (!digits()) {
            return false;
        }
    }
    if (is_in("eE")) {
        (void)take();
        if (is_in("+-")) {
            (void)take();
        }
        return digits();
    }
    return true;
}

static bool escape(void)
{
    if (take() != 'u') {
        return true;
    }
    for (int i = 0; i < 4; i++) {
        if (!is_in("0123456789abcdefABCDEF")) {
            return false;
        }
        (void)take();
    }
    return true;
}

static bool string(void)
{
    (void)take();
    while (next_byte != '"') {
        if (next_byte < 0x20) {
            return false; // the end of the text, or a control character
        }
        if (take() == '\\') {
            if (!is_in("\"\\/bfnrtu") || !escape()) {
                return false;
            }
        }
    }
    (void)take();
    return true;
}

static bool value(int depth);

static bool items(int depth, char end)
{
    (void)take();
    blanks();
    while (next_byte != end) {
        if (end == '}') {
            if (next_byte != '"' || !string()) {
                return false;
            }
            blanks();
            if (take() != ':') {
                return false;
            }
        }
        if (!value(depth + 1)) {
            return false;
        }
        blanks();
        if (next_byte == ',') {
            (void)take();
            blanks();
            if (next_byte == end) {
                return false;
            }
        } else if (next_byte != end) {
            return false;
        }
    }
    (void)take();
    return true;
}

static bool value(int depth)
{
    blanks();
    switch (depth < 100 ? next_byte : EOF) {
    case '{':
        return items(depth, '}');
    case '[':
        return items(depth, ']');
    case '"':
        return string();
    case 't':
        return literal("true");
    case 'f':
        return literal("false");
    case 'n':
        return literal("null");
    default:
        return number();
    }
}

int main(void)
{
    next_byte = getchar();
    bool good = value(0);
    blanks();
    good = good && next_byte == EOF;
    if (!good) {
        printf("no JSON at byte %ld\n", at);
        return 1;
    }
    puts("valid");
    return 0;
}
