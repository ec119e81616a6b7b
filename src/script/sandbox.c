// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What scripts get of Lua's own library, and what takes the place of the rest. Nothing here lets
// the order of a hash table, an address, a clock, the locale or the collector show, and nothing
// keeps anything from one call to the next: iterators have no state of their own.

#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Text ----------------------------------------------------------------------

// Looks up a metamethod of the value itself, not of what a frozen table reads through.
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
    knl_where where;
    knl_where_of(L, &where);
    knl_script_log(
        knl_vm_of(L)->script, KN_LOG_INFO, lua_tostring(L, -1), where.chunk, (int)where.line);
    return 0;
}

// One conversion of string.format: "%5.2f". Returns what follows it.
typedef struct conversion {
    char text[16];
    char kind;
} conversion;

static const char *conversion_read(lua_State *L, const char *at, conversion *c)
{
    size_t length = 0;
    uint32_t digits = 0;
    c->text[length++] = '%';
    while (*at != '\0' && strchr("-+ #0123456789.", *at) != NULL) {
        digits = *at >= '1' && *at <= '9' ? digits + 1 : digits;
        if (length > 8 || digits > 4) {
            luaL_error(L, "string.format: a width or precision has at most two digits");
        }
        c->text[length++] = *at++;
    }
    c->kind = *at;
    if (c->kind == '\0' || strchr("dioxXucsgGfeE", c->kind) == NULL) {
        luaL_error(L, "string.format: '%%%c' is not available", c->kind == '\0' ? ' ' : c->kind);
    }
    if (strchr("dioxXu", c->kind) != NULL) {
        c->text[length++] = 'l';
        c->text[length++] = 'l';
    }
    c->text[length++] = c->kind;
    c->text[length] = '\0';
    return at + 1;
}

// Widths have at most two digits, so that no number needs more than this; %f of 1e308 is longest.
#define NUMBER_TEXT_MAX 512

static void conversion_add(lua_State *L, const conversion *c, int argument, luaL_Buffer *buffer)
{
    char text[NUMBER_TEXT_MAX];
    int length;
    switch (c->kind) {
    case 's': {
        (void)knl_tostring(L, argument, NULL);
        if (strcmp(c->text, "%s") == 0) {
            luaL_addvalue(buffer);
            return;
        }
        char field[256];
        length = snprintf(field, sizeof(field), c->text, lua_tostring(L, -1));
        lua_pop(L, 1);
        luaL_addlstring(buffer, field,
            length < 0                       ? 0
            : (size_t)length < sizeof(field) ? (size_t)length
                                             : sizeof(field) - 1);
        return;
    }
    case 'c':
        luaL_addchar(buffer, (char)luaL_checkinteger(L, argument));
        return;
    case 'd':
    case 'i':
    case 'o':
    case 'x':
    case 'X':
    case 'u':
        length = snprintf(text, sizeof(text), c->text, (long long)luaL_checkinteger(L, argument));
        break;
    default: {
        double number = luaL_checknumber(L, argument);
        if (isnan(number)) {
            luaL_addstring(buffer, "nan");
            return;
        }
        length = snprintf(text, sizeof(text), c->text, number);
        break;
    }
    }
    luaL_addlstring(buffer, text, length < 0 ? 0 : (size_t)length);
}

static int string_format(lua_State *L)
{
    const char *at = luaL_checkstring(L, 1);
    int argument = 1;
    int top = lua_gettop(L);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    while (*at != '\0') {
        if (*at != '%') {
            luaL_addchar(&buffer, *at++);
        } else if (at[1] == '%') {
            luaL_addchar(&buffer, '%');
            at += 2;
        } else {
            conversion c;
            at = conversion_read(L, at + 1, &c);
            if (++argument > top) {
                return luaL_error(L, "string.format: an argument is missing");
            }
            conversion_add(L, &c, argument, &buffer);
        }
    }
    luaL_pushresult(&buffer);
    return 1;
}

// Walking tables ------------------------------------------------------------

// Order of keys: integers, then strings by bytes, then false and true.
typedef struct sort_key {
    int rank;
    lua_Integer integer;
    const char *text;
    size_t length;
    lua_Integer index; // in the array of keys
} sort_key;

static int key_compare(const sort_key *a, const sort_key *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    if (a->text == NULL || b->text == NULL) { // both, since the ranks are equal
        return a->integer < b->integer ? -1 : a->integer > b->integer;
    }
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, common);
    return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

static void key_read(lua_State *L, int index, sort_key *key)
{
    *key = (sort_key){0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!lua_isinteger(L, index)) {
            luaL_error(L, "pairs: a key that is a fraction has no place in the order");
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
        luaL_error(
            L, "pairs: a key that is a %s has no place in the order", luaL_typename(L, index));
    }
}

// Merges from small runs to large ones; `spare` has room for as many.
static void keys_sort(sort_key *keys, sort_key *spare, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = middle + run < count ? middle + run : count;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++) {
                bool take_left =
                    left < middle && (right >= end || key_compare(&keys[left], &keys[right]) <= 0);
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

// The step of pairs(): the object, the last key. What was removed meanwhile is passed over.
static int pairs_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TUSERDATA);
    lua_settop(L, 2);
    if (lua_getiuservalue(L, 1, WALK_KEYS) != LUA_TTABLE) {
        return luaL_error(L, "pairs: not the object it began with");
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
    sort_key *keys = lua_newuserdatauv(L, (2 * count + 1) * sizeof(sort_key), 0); // 3
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        key_read(L, -1, &keys[i]);
        keys[i].index = (lua_Integer)i + 1;
        lua_pop(L, 1);
    }
    keys_sort(keys, keys + count, count);
    lua_pushcfunction(L, pairs_next);
    (void)lua_newuserdatauv(L, 0, 3);                 // 5
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

// A stable sort, so that equal elements stay in order and no pivot is drawn from a clock. 1 the
// table, 2 the function or nil, 3 a copy, 4 a spare.
static bool sort_less(lua_State *L, lua_Integer a, lua_Integer b)
{
    bool is_less;
    if (lua_isnil(L, 2)) {
        lua_rawgeti(L, 3, a);
        lua_rawgeti(L, 3, b);
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
    lua_createtable(L, (int)(count & 0x7fffffff), 0);
    lua_createtable(L, (int)(count & 0x7fffffff), 0);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, 1, i);
        lua_rawseti(L, 3, i);
    }
    for (lua_Integer run = 1; run < count; run *= 2) {
        sort_pass(L, count, run);
        lua_insert(L, 3); // the spare is the copy now
    }
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 3, i);
        lua_seti(L, 1, i);
    }
    return 0;
}

// Metatables ----------------------------------------------------------------

// Copies what is allowed of a metatable, so that it cannot change afterwards. Finalizers and weak
// tables would let the collector show.
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
            knl_raise(L, "setmetatable: '%s' is not available", key);
        }
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, 3);
    }
    lua_setmetatable(L, 1);
    lua_settop(L, 1);
    return 1;
}

// The globals ---------------------------------------------------------------

// Opens one of Lua's libraries and copies the named functions to the table at the top.
static void copy_from(lua_State *L, lua_CFunction open, const char *const *names)
{
    int target = lua_gettop(L);
    lua_newtable(L); // luaopen_base() writes to the globals: let it have some
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_insert(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushcfunction(L, open);
    lua_call(L, 0, 1);
    for (; *names != NULL; names++) {
        lua_getfield(L, -1, *names);
        lua_setfield(L, target, *names);
    }
    lua_pop(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static void open_string(lua_State *L)
{
    static const char *const names[] = {
        "byte", "char", "len", "lower", "rep", "reverse", "sub", "upper", NULL};
    lua_newtable(L);
    copy_from(L, luaopen_string, names);
    lua_pushcfunction(L, string_format);
    lua_setfield(L, -2, "format");
    // Strings read this table; they do not add up as numbers.
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void knl_sandbox_open(lua_State *L)
{
    static const char *const base[] = {
        "assert", "error", "ipairs", "select", "tonumber", "type", NULL};
    static const char *const table[] = {"concat", "insert", "pack", "remove", "unpack", NULL};
    static const luaL_Reg own[] = {{"tostring", base_tostring}, {"print", base_print},
        {"pairs", base_pairs}, {"setmetatable", base_setmetatable}, {NULL, NULL}};
    lua_newtable(L);
    copy_from(L, luaopen_base, base);
    luaL_setfuncs(L, own, 0);
    lua_newtable(L);
    copy_from(L, luaopen_table, table);
    lua_pushcfunction(L, table_sort);
    lua_setfield(L, -2, "sort");
    lua_setfield(L, -2, "table");
    open_string(L);
    lua_setfield(L, -2, "string");
    lua_newtable(L);
    copy_from(L, luaopen_math,
        (const char *const[]){"abs", "ceil", "floor", "fmod", "max", "min", "modf", "sqrt",
            "tointeger", "type", "ult", "huge", "pi", "maxinteger", "mininteger", NULL});
    knl_math_open(L);
    lua_setfield(L, -2, "math");
}
