// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What scripts get of Lua's own library, and replacements for the rest. Nothing here exposes the
// order of a hash table, an address, a clock, the locale or the collector, and nothing is kept from
// one call to the next: iterators have no state of their own.

#include "internal.h"

#include <math.h>
#include <string.h>

// Text ----------------------------------------------------------------------

// Looks up a metamethod of the value itself, not of the table that a frozen one reads through.
static bool has_metafield(lua_State *L, int index, const char *name)
{
    return luaL_getmetafield(L, index, name) != LUA_TNIL;
}

const char *knl_tostring(lua_State *L, int index, size_t *length)
{
    index = lua_absindex(L, index);
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!lua_isinteger(L, index) && isnan(lua_tonumber(L, index))) {
            lua_pushliteral(L, "nan"); // its sign differs between processors
        } else {
            lua_pushvalue(L, index);
        }
        break;
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TTABLE:
        if (has_metafield(L, index, "__tostring")) {
            lua_pushvalue(L, index);
            lua_call(L, 1, 1);
            if (lua_type(L, -1) == LUA_TSTRING) {
                break;
            }
            lua_pop(L, 1);
        }
        lua_pushliteral(L, "table");
        break;
    default:
        lua_pushstring(L, luaL_typename(L, index));
        break;
    }
    return lua_tolstring(L, -1, length);
}

static int base_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    (void)knl_tostring(L, 1, NULL);
    return 1;
}

#define PRINT_COST 50 // a line for the host, which is slow whatever it does with it

static int base_print(lua_State *L)
{
    luaL_Buffer buffer;
    int count = lua_gettop(L);
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            luaL_addchar(&buffer, '\t');
        }
        (void)knl_tostring(L, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    knl_charge(L, PRINT_COST + lua_rawlen(L, -1));
    knl_where where;
    knl_where_of(L, &where);
    knl_script_log(
        knl_vm_of(L)->script, KN_LOG_INFO, lua_tostring(L, -1), where.chunk, (int)where.line);
    return 0;
}

// Walking tables ------------------------------------------------------------

#define ELEMENT_COST 4 // per element of a table: read and written once
#define SORT_COST 16   // per element that is sorted
#define COMPARE_COST 4
#define INDEX_COST 4 // per table in a chain of metatables

// Order of keys: integers, then strings by bytes, then false and true.
typedef struct sort_key {
    int rank;
    lua_Integer integer;
    const char *text;
    size_t length;
    lua_Integer index; // in the array of keys
} sort_key;

static int key_compare(lua_State *L, const sort_key *a, const sort_key *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->text == NULL || b->text == NULL) { // both, since the ranks are equal
        return a->integer < b->integer ? -1 : a->integer > b->integer;
    }
    size_t common = a->length < b->length ? a->length : b->length;
    knl_charge(L, common / KNL_BYTES_PER_COST);
    int order = memcmp(a->text, b->text, common);
    return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

static void key_read(lua_State *L, int index, sort_key *key)
{
    *key = (sort_key){0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!lua_isinteger(L, index)) {
            luaL_error(L, "pairs: a fractional key has no place in the order");
        }
        key->integer = lua_tointeger(L, index);
        break;
    case LUA_TSTRING:
        key->rank = 1;
        key->text = lua_tolstring(L, index, &key->length);
        break;
    case LUA_TBOOLEAN:
        key->rank = 2;
        key->integer = lua_toboolean(L, index);
        break;
    default:
        luaL_error(L, "pairs: a key of type %s has no place in the order", luaL_typename(L, index));
    }
}

// Merges from small runs to large ones; `spare` has room for as many elements.
static void keys_sort(lua_State *L, sort_key *keys, sort_key *spare, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++) {
                bool take_left = left < middle &&
                                 (right >= end || key_compare(L, &keys[left], &keys[right]) <= 0);
                spare[i] = take_left ? keys[left++] : keys[right++];
            }
        }
        memcpy(keys, spare, count * sizeof(*keys));
    }
}

enum {
    WALK_TABLE = 1, // user values of the object that pairs() walks with
    WALK_KEYS,      // sorted
    WALK_PLACES,    // key -> place
};

// The step of pairs(): the object and the last key. Keys that were removed meanwhile are skipped.
// The object is valid in the outermost call it was made in, or while its chunk is loaded: it is not
// part of the state, so nothing may be kept in it.
static int pairs_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TUSERDATA);
    lua_settop(L, 2);
    if (lua_getiuservalue(L, 1, WALK_KEYS) != LUA_TTABLE) {
        return luaL_error(L, "pairs: not the object the loop began with");
    }
    const uint64_t *call = lua_touserdata(L, 1);
    if (*call != knl_vm_of(L)->calls) {
        knl_raise(L, "pairs: the call the loop began in has ended");
    }
    lua_getiuservalue(L, 1, WALK_PLACES);
    lua_getiuservalue(L, 1, WALK_TABLE);
    lua_Integer place = 0;
    if (!lua_isnil(L, 2)) {
        lua_pushvalue(L, 2);
        lua_rawget(L, 4);
        place = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    while (lua_rawgeti(L, 3, ++place) != LUA_TNIL) {
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 5) != LUA_TNIL) {
            return 2;
        }
        lua_pop(L, 2);
        knl_charge(L, ELEMENT_COST);
    }
    return 1;
}

static int base_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    if (knl_frozen_content(L, 1)) {
        lua_replace(L, 1);
    }
    lua_newtable(L); // 2: keys in the order of the table
    size_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, 1) != 0) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, 2, (lua_Integer)++count);
    }
    knl_charge(L, count * SORT_COST);
    sort_key *keys = lua_newuserdatauv(L, (2 * count + 1) * sizeof(sort_key), 0); // 3
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        key_read(L, -1, &keys[i]);
        keys[i].index = (lua_Integer)i + 1;
        lua_pop(L, 1);
    }
    keys_sort(L, keys, keys + count, count);
    lua_pushcfunction(L, pairs_next);
    uint64_t *call = lua_newuserdatauv(L, sizeof(*call), 3); // 5
    *call = knl_vm_of(L)->calls;
    lua_createtable(L, (int)(count & 0x7fffffff), 0); // 6
    lua_createtable(L, 0, (int)(count & 0x7fffffff)); // 7
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, keys[i].index);
        lua_pushvalue(L, -1);
        lua_rawseti(L, 6, (lua_Integer)i + 1);
        lua_pushinteger(L, (lua_Integer)i + 1);
        lua_rawset(L, 7);
    }
    lua_setiuservalue(L, 5, WALK_PLACES);
    lua_setiuservalue(L, 5, WALK_KEYS);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, 5, WALK_TABLE);
    lua_pushnil(L);
    return 3;
}

// The cost of reading the value, if it is a string.
static uint64_t string_cost(lua_State *L, int index, uint32_t bytes)
{
    return lua_type(L, index) == LUA_TSTRING ? lua_rawlen(L, index) / bytes : 0;
}

// A stable sort, so that equal elements keep their order; Lua's own picks a pivot by the clock. On
// the stack: 1 the table, 2 the function or nil, 3 a copy, 4 spare room.
static bool sort_less(lua_State *L, lua_Integer a, lua_Integer b)
{
    bool is_less;
    knl_charge(L, COMPARE_COST);
    if (lua_isnil(L, 2)) {
        lua_rawgeti(L, 3, a);
        lua_rawgeti(L, 3, b);
        knl_charge(L, string_cost(L, -1, KNL_BYTES_PER_COST));
        is_less = lua_compare(L, -2, -1, LUA_OPLT);
        lua_pop(L, 2);
    } else {
        lua_pushvalue(L, 2);
        lua_rawgeti(L, 3, a);
        lua_rawgeti(L, 3, b);
        lua_call(L, 2, 1);
        is_less = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    return is_less;
}

static void sort_pass(lua_State *L, lua_Integer count, lua_Integer run)
{
    for (lua_Integer start = 1; start <= count; start += 2 * run) {
        lua_Integer middle = start + run <= count ? start + run : count + 1;
        lua_Integer end = middle + run <= count ? middle + run : count + 1;
        lua_Integer left = start, right = middle;
        for (lua_Integer i = start; i < end; i++) {
            bool take_left = left < middle && (right >= end || !sort_less(L, right, left));
            lua_rawgeti(L, 3, take_left ? left++ : right++);
            lua_rawseti(L, 4, i);
        }
    }
}

static int table_sort(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TFUNCTION);
    }
    lua_settop(L, 2);
    lua_Integer count = luaL_len(L, 1);
    knl_charge(L, (uint64_t)count * SORT_COST);
    lua_createtable(L, (int)(count & 0x7fffffff), 0);
    lua_createtable(L, (int)(count & 0x7fffffff), 0);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, 1, i);
        lua_rawseti(L, 3, i);
    }
    for (lua_Integer run = 1; run < count; run *= 2) {
        sort_pass(L, count, run);
        lua_insert(L, 3); // the spare room holds the copy now
    }
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 3, i);
        lua_seti(L, 1, i);
    }
    return 0;
}

// Metatables ----------------------------------------------------------------

int knl_index_through(lua_State *L)
{
    knl_charge(L, INDEX_COST);
    lua_settop(L, 2);
    lua_gettable(L, lua_upvalueindex(1));
    return 1;
}

int knl_newindex_through(lua_State *L)
{
    knl_charge(L, INDEX_COST);
    lua_settop(L, 3);
    lua_settable(L, lua_upvalueindex(1));
    return 0;
}

// Turns the metamethod at the top into a function. Lua itself would follow a chain of 2,000 tables
// in one instruction.
static void metamethod_check(lua_State *L, const char *key)
{
    if (lua_type(L, -1) == LUA_TFUNCTION || strncmp(key, "__", 2) != 0) {
        return;
    }
    bool is_read = strcmp(key, "__index") == 0, is_write = strcmp(key, "__newindex") == 0;
    if ((!is_read && !is_write) || lua_type(L, -1) != LUA_TTABLE) {
        knl_raise(L, "setmetatable: `%s` takes a function%s, got %s", key,
            is_read || is_write ? " or a table" : "", luaL_typename(L, -1));
    }
    lua_pushcclosure(L, is_read ? knl_index_through : knl_newindex_through, 1);
}

// Copies the allowed parts of a metatable, so that it cannot change afterwards. Finalizers and weak
// tables would expose the collector.
static int base_setmetatable(lua_State *L)
{
    static const char *const allowed[] = {"__index", "__newindex", "__call", "__tostring", "__eq",
        "__lt", "__le", "__concat", "__unm", "__add", "__sub", "__mul", "__div", "__mod", "__idiv",
        "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot"};
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (lua_getmetatable(L, 1)) {
        knl_raise(L, "setmetatable: the table has a metatable, or is read-only");
    }
    lua_settop(L, 2);
    if (knl_frozen_content(L, 2)) {
        lua_replace(L, 2);
    }
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, 2) != 0) {
        bool is_allowed = false;
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
            is_allowed |= strcmp(key, allowed[i]) == 0;
        }
        if (!is_allowed && strncmp(key, "__", 2) == 0) {
            knl_raise(L, "setmetatable: `%s` is not available", key);
        }
        knl_charge(L, ELEMENT_COST);
        metamethod_check(L, key);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, 3);
    }
    lua_setmetatable(L, 1);
    lua_settop(L, 1);
    return 1;
}

// Functions of Lua with a cost of their own -----------------------------------

// Charges for the elements that move when one is inserted or removed.
static void moved_charge(lua_State *L, lua_Integer length, lua_Integer place)
{
    if (place >= 1 && place <= length) {
        knl_charge(L, (uint64_t)(length - place + 1) * ELEMENT_COST);
    }
}

static void insert_charge(lua_State *L)
{
    if (lua_gettop(L) == 3) {
        moved_charge(L, luaL_len(L, 1), luaL_checkinteger(L, 2));
    }
}

static void remove_charge(lua_State *L)
{
    if (!lua_isnoneornil(L, 2)) {
        moved_charge(L, luaL_len(L, 1), luaL_checkinteger(L, 2));
    }
}

static void unpack_charge(lua_State *L)
{
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
    if (first <= last) {
        knl_charge(L, (uint64_t)last - (uint64_t)first);
    }
}

static void byte_charge(lua_State *L)
{
    if (!lua_isnoneornil(L, 3)) {
        size_t length;
        (void)luaL_checklstring(L, 1, &length);
        knl_charge(L, length);
    }
}

static int string_rep(lua_State *L)
{
    size_t length, between;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer count = luaL_checkinteger(L, 2);
    const char *separator = luaL_optlstring(L, 3, "", &between);
    if (count <= 0 || length + between == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (count > KNL_STRING_MAX + 1 ||
        (uint64_t)count * length + (uint64_t)(count - 1) * between > KNL_STRING_MAX) {
        knl_raise(L, "string.rep: a string of more than %d bytes", KNL_STRING_MAX);
    }
    size_t size = (size_t)count * length + (size_t)(count - 1) * between;
    knl_charge(L, (uint64_t)count + size / KNL_BYTES_PER_COST);
    luaL_Buffer buffer;
    char *at = luaL_buffinitsize(L, &buffer, size);
    for (lua_Integer i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(at, separator, between);
            at += between;
        }
        memcpy(at, text, length);
        at += length;
    }
    luaL_pushresultsize(&buffer, size);
    return 1;
}

static int table_concat(lua_State *L)
{
    lua_Integer last = lua_isnoneornil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
    size_t between, size = 0;
    const char *separator = luaL_optlstring(L, 2, "", &between);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    if (first <= last) {
        uint64_t count = (uint64_t)last - (uint64_t)first;
        knl_charge(L, count >= INT32_MAX ? count : (count + 1) * ELEMENT_COST);
    }
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (lua_Integer i = first; i <= last; i++) {
        if (i > first) {
            luaL_addlstring(&buffer, separator, between);
            size += between;
        }
        int type = lua_geti(L, 1, i);
        if (type != LUA_TSTRING && type != LUA_TNUMBER) {
            return luaL_error(L, "table.concat: element %I is a %s, neither a string nor a number",
                (LUAI_UACINT)i, luaL_typename(L, -1));
        }
        size_t length;
        (void)lua_tolstring(L, -1, &length);
        size += length;
        if (size > KNL_STRING_MAX) {
            knl_raise(L, "table.concat: a string of more than %d bytes", KNL_STRING_MAX);
        }
        knl_charge(L, (length + between) / KNL_BYTES_PER_COST);
        luaL_addvalue(&buffer);
        if (i == last) {
            break; // the next one may exceed an integer
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

// The globals ---------------------------------------------------------------

#define CONSTANT "nothing"

// Every function of Lua's library that scripts can reach, and its cost besides its arguments: a
// function that does more work than its arguments account for charges for it, so that the
// instruction limit bounds it.
const knl_library_row knl_library_rows[] = {
    {NULL, "assert", NULL, NULL, false, CONSTANT},
    {NULL, "error", NULL, NULL, false, CONSTANT},
    {NULL, "ipairs", NULL, NULL, false, "nothing; each step is an instruction of the loop"},
    {NULL, "pairs", base_pairs, NULL, false,
        "16 for each key, 1 for 16 bytes of keys compared; 4 for each key passed over"},
    {NULL, "print", base_print, NULL, false, "50, plus 1 for each byte"},
    {NULL, "select", NULL, NULL, false, CONSTANT},
    {NULL, "setmetatable", base_setmetatable, NULL, false,
        "4 for each entry; 4 each time a table is looked up or written in place of another"},
    {NULL, "tonumber", NULL, NULL, true, CONSTANT},
    {NULL, "tostring", base_tostring, NULL, false, CONSTANT},
    {NULL, "type", NULL, NULL, false, CONSTANT},
    {"table", "concat", table_concat, NULL, false, "4 for each element, 1 for 16 bytes"},
    {"table", "insert", NULL, insert_charge, false, "4 for each element moved"},
    {"table", "pack", NULL, NULL, false, CONSTANT},
    {"table", "remove", NULL, remove_charge, false, "4 for each element moved"},
    {"table", "sort", table_sort, NULL, false,
        "16 for each element, 4 for each comparison, 1 for 16 bytes compared"},
    {"table", "unpack", NULL, unpack_charge, false, "1 for each value"},
    {"string", "byte", NULL, byte_charge, false,
        "1 for each byte of the string, if it returns several"},
    {"string", "char", NULL, NULL, true, CONSTANT},
    {"string", "format", knl_string_format, NULL, true,
        "20 for each number and 4 for each of its bytes, 1 for 16 bytes of text"},
    {"string", "len", NULL, NULL, false, CONSTANT},
    {"string", "lower", NULL, NULL, false, CONSTANT},
    {"string", "rep", string_rep, NULL, true, "1 for each repetition and for 16 bytes"},
    {"string", "reverse", NULL, NULL, false, CONSTANT},
    {"string", "sub", NULL, NULL, true, CONSTANT},
    {"string", "upper", NULL, NULL, false, CONSTANT},
#define NUMERIC(name, own)                                                                         \
    {                                                                                              \
        "math", name, own, NULL, true, CONSTANT                                                    \
    }
    NUMERIC("abs", NULL),
    NUMERIC("acos", knl_math_acos),
    NUMERIC("asin", knl_math_asin),
    NUMERIC("atan", knl_math_atan),
    NUMERIC("ceil", NULL),
    NUMERIC("clamp", knl_math_clamp),
    NUMERIC("cos", knl_math_cos),
    NUMERIC("exp", knl_math_exp),
    NUMERIC("f32", knl_math_f32),
    NUMERIC("floor", NULL),
    NUMERIC("fmod", NULL),
    NUMERIC("log", knl_math_log),
    NUMERIC("max", NULL),
    NUMERIC("min", NULL),
    NUMERIC("modf", NULL),
    NUMERIC("pow", knl_math_pow),
    NUMERIC("sin", knl_math_sin),
    NUMERIC("sqrt", NULL),
    NUMERIC("tan", knl_math_tan),
    NUMERIC("tointeger", NULL),
    NUMERIC("type", NULL),
    NUMERIC("ult", NULL),
    {0},
};

// Called for every function of the table: upvalue 1 is its row, 2 Lua's function.
static int library_call(lua_State *L)
{
    const knl_library_row *row = lua_touserdata(L, lua_upvalueindex(1));
    int count = lua_gettop(L);
    uint64_t cost = (uint64_t)count + 1;
    uint32_t bytes = row->reads_numbers ? KNL_DIGITS_PER_COST : KNL_BYTES_PER_COST;
    for (int i = 1; i <= count; i++) {
        cost += string_cost(L, i, bytes);
    }
    knl_charge(L, cost);
    if (row->charge != NULL) {
        row->charge(L);
    }
    return row->own != NULL ? row->own(L) : lua_tocfunction(L, lua_upvalueindex(2))(L);
}

// Opens one of Lua's libraries and pushes its table. It must not reach the globals of scripts.
static void library_open(lua_State *L, lua_CFunction open)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_newtable(L); // luaopen_base() writes to the globals, so it gets its own
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushcfunction(L, open);
    lua_call(L, 0, 1);
    lua_insert(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

// Adds the functions of a module to the table at the top.
static void module_open(lua_State *L, const char *module, lua_CFunction open)
{
    int target = lua_gettop(L);
    library_open(L, open);
    for (const knl_library_row *row = knl_library_rows; row->name != NULL; row++) {
        bool is_here = module == NULL || row->module == NULL ? module == row->module
                                                             : strcmp(module, row->module) == 0;
        if (!is_here) {
            continue;
        }
        void *upvalue;
        memcpy(&upvalue, &row, sizeof(upvalue));
        lua_pushlightuserdata(L, upvalue);
        lua_getfield(L, target + 1, row->name);
        lua_pushcclosure(L, library_call, 2);
        lua_setfield(L, target, row->name);
    }
    lua_settop(L, target + 1);
}

void knl_sandbox_open(lua_State *L)
{
    static const char *const constants[] = {"huge", "pi", "maxinteger", "mininteger"};
    lua_newtable(L);
    module_open(L, NULL, luaopen_base);
    lua_pop(L, 1);
    lua_newtable(L);
    module_open(L, "table", luaopen_table);
    lua_pop(L, 1);
    lua_setfield(L, -2, "table");
    lua_newtable(L);
    module_open(L, "string", luaopen_string);
    lua_pop(L, 1);
    // Strings read this table; arithmetic does not convert them to numbers.
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setfield(L, -2, "string");
    lua_newtable(L);
    module_open(L, "math", luaopen_math);
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        lua_getfield(L, -1, constants[i]);
        lua_setfield(L, -3, constants[i]);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, "math");
}
