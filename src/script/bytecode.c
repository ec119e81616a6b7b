// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finds functions that assign to a variable that outlives their call. Lua keeps such a variable in
// an upvalue of the function, and only the instruction SETUPVAL writes one. The code is read from
// the output of lua_dump(), the only public way to see it. That its format is the expected one is
// tested when a script is created (knl_bytecode_scan() of a function that is known to assign).

#include "internal.h"

#include <limits.h>
#include <string.h>

typedef struct reader {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool failed;
    bool found;
    knl_assignment first;
} reader;

typedef struct buffer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    kn_script *script;
} buffer;

static uint8_t read_byte(reader *r)
{
    if (r->at >= r->size) {
        r->failed = true;
        return 0;
    }
    return r->bytes[r->at++];
}

static void read_skip(reader *r, size_t count)
{
    if (count > r->size - r->at) {
        r->failed = true;
        return;
    }
    r->at += count;
}

// Groups of 7 bits, the highest first; the last has its top bit set.
static size_t read_size(reader *r)
{
    size_t value = 0;
    uint8_t byte;
    do {
        byte = read_byte(r);
        if (value > SIZE_MAX >> 7) {
            r->failed = true;
        }
        value = value << 7 | (byte & 0x7f);
    } while ((byte & 0x80) == 0 && !r->failed);
    return r->failed ? 0 : value;
}

static void read_string(reader *r)
{
    size_t size = read_size(r);
    if (size > 1) {
        read_skip(r, size - 1);
    }
}

// Types of constants.
#define CONSTANT_NIL 0x00
#define CONSTANT_FALSE 0x01
#define CONSTANT_TRUE 0x11
#define CONSTANT_INTEGER 0x03
#define CONSTANT_FLOAT 0x13
#define CONSTANT_SHORT 0x04
#define CONSTANT_LONG 0x14

static void read_constants(reader *r)
{
    size_t count = read_size(r);
    for (size_t i = 0; i < count && !r->failed; i++) {
        switch (read_byte(r)) {
        case CONSTANT_NIL:
        case CONSTANT_FALSE:
        case CONSTANT_TRUE:
            break;
        case CONSTANT_INTEGER:
            read_skip(r, sizeof(lua_Integer));
            break;
        case CONSTANT_FLOAT:
            read_skip(r, sizeof(lua_Number));
            break;
        case CONSTANT_SHORT:
        case CONSTANT_LONG:
            read_string(r);
            break;
        default:
            r->failed = true;
        }
    }
}

#define OPCODE_SETUPVAL 10
#define NOT_OURS UINT8_MAX // as a map entry: a variable of a function that is still running
#define LINE_ABSOLUTE (-128)

// The line of an instruction: stored as differences, with absolute lines in between.
static uint32_t line_of(const uint8_t *deltas, size_t count, const uint8_t *absolutes,
    size_t absolute_size, uint32_t line, size_t wanted)
{
    reader a = {.bytes = absolutes, .size = absolute_size};
    for (size_t i = 0; i <= wanted && i < count; i++) {
        int8_t delta;
        memcpy(&delta, &deltas[i], 1);
        if (delta == LINE_ABSOLUTE) {
            size_t at;
            do {
                at = read_size(&a);
                line = (uint32_t)read_size(&a);
            } while (at < i && !a.failed);
        } else {
            line = (uint32_t)((int64_t)line + delta);
        }
    }
    return line;
}

// Reads one function and those inside it. `outer` maps the upvalues of the enclosing function to
// those of the function the scan began with.
static void read_function(reader *r, const uint8_t *outer, uint32_t depth)
{
    if (depth > 200) {
        r->failed = true;
        return;
    }
    read_string(r); // source
    uint32_t line = (uint32_t)read_size(r);
    (void)read_size(r); // last line
    read_skip(r, 3);    // parameters, vararg, stack
    size_t code_count = read_size(r);
    size_t code = r->at;
    if (code_count > r->size / 4) {
        r->failed = true;
        return;
    }
    read_skip(r, code_count * 4);
    read_constants(r);

    uint8_t map[256];
    memset(map, NOT_OURS, sizeof(map));
    size_t upvalue_count = read_size(r);
    for (size_t i = 0; i < upvalue_count && i < 256 && !r->failed; i++) {
        uint8_t in_stack = read_byte(r), index = read_byte(r);
        (void)read_byte(r); // kind
        map[i] = outer == NULL ? (uint8_t)i : in_stack != 0 ? NOT_OURS : outer[index];
    }
    size_t inner_count = read_size(r);
    for (size_t i = 0; i < inner_count && !r->failed; i++) {
        read_function(r, map, depth + 1);
    }

    size_t delta_count = read_size(r);
    size_t deltas = r->at;
    read_skip(r, delta_count);
    size_t absolute_count = read_size(r);
    size_t absolutes = r->at;
    for (size_t i = 0; i < absolute_count && !r->failed; i++) {
        (void)read_size(r);
        (void)read_size(r);
    }
    size_t absolute_size = r->at - absolutes;
    size_t local_count = read_size(r);
    for (size_t i = 0; i < local_count && !r->failed; i++) {
        read_string(r);
        (void)read_size(r);
        (void)read_size(r);
    }
    size_t name_count = read_size(r);
    for (size_t i = 0; i < name_count && !r->failed; i++) {
        read_string(r);
    }
    for (size_t i = 0; i < code_count && !r->failed && !r->found; i++) {
        uint32_t instruction;
        memcpy(&instruction, r->bytes + code + i * 4, 4);
        uint8_t upvalue = map[instruction >> 16 & 0xff];
        if ((instruction & 0x7f) == OPCODE_SETUPVAL && upvalue != NOT_OURS) {
            r->found = true;
            r->first.upvalue = upvalue;
            r->first.line = line_of(
                r->bytes + deltas, delta_count, r->bytes + absolutes, absolute_size, line, i);
        }
    }
}

static bool read_header(reader *r)
{
    static const uint8_t start[] = {
        0x1b, 'L', 'u', 'a', 0x54, 0, 0x19, 0x93, '\r', '\n', 0x1a, '\n', 4, 8, 8};
    if (r->size < sizeof(start) || memcmp(r->bytes, start, sizeof(start)) != 0) {
        return false;
    }
    r->at = sizeof(start);
    lua_Integer integer;
    lua_Number number;
    if (r->size - r->at < sizeof(integer) + sizeof(number)) {
        return false;
    }
    memcpy(&integer, r->bytes + r->at, sizeof(integer));
    memcpy(&number, r->bytes + r->at + sizeof(integer), sizeof(number));
    r->at += sizeof(integer) + sizeof(number);
    return integer == 0x5678 && number == 370.5;
}

static int buffer_write(lua_State *L, const void *bytes, size_t size, void *user)
{
    (void)L;
    buffer *b = user;
    if (b->size + size > b->capacity) {
        size_t capacity = (b->size + size) * 2;
        uint8_t *grown = knl_script_realloc(b->script, b->bytes, b->capacity, capacity);
        if (grown == NULL) {
            return 1;
        }
        b->bytes = grown;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return 0;
}

knl_scan knl_bytecode_scan(lua_State *L, knl_assignment *assignment)
{
    buffer b = {.script = knl_vm_of(L)->script};
    knl_scan scan = KNL_SCAN_UNKNOWN;
    if (lua_dump(L, buffer_write, &b, 0) == 0) {
        reader r = {.bytes = b.bytes, .size = b.size};
        if (read_header(&r)) {
            (void)read_byte(&r); // number of upvalues
            read_function(&r, NULL, 0);
            if (!r.failed && r.at == r.size) {
                scan = r.found ? KNL_SCAN_ASSIGNS : KNL_SCAN_CLEAN;
                *assignment = r.first;
            }
        }
    }
    (void)knl_script_realloc(b.script, b.bytes, b.capacity, 0);
    return scan;
}
