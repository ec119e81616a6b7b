// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Makes what a chunk leaves behind read-only, in place: the content of a table moves to a table
// that nothing else refers to, and the empty table keeps its identity and reads through its
// metatable. So references to it need not be found and changed. Functions keep their variables in
// upvalues; one that assigns to a variable that outlives its call is refused (bytecode.c), and
// tables in upvalues are frozen like all others.

#include "internal.h"

#include <string.h>

// Marks the metatable of a frozen table; its value is the content.
static const char frozen_key = 0;

bool knl_frozen_content(lua_State *L, int index)
{
    if (!lua_getmetatable(L, index)) {
        return false;
    }
    if (lua_rawgetp(L, -1, &frozen_key) == LUA_TNIL) {
        lua_pop(L, 2);
        return false;
    }
    lua_remove(L, -2);
    return true;
}

static int frozen_write(lua_State *L)
{
    size_t length;
    const char *key = knl_tostring(L, 2, &length);
    knl_raise(L,
        "field `%.64s` is read-only once its chunk is loaded: keep what changes in self.state",
        key);
}

static int global_write(lua_State *L)
{
    size_t length;
    const char *key = knl_tostring(L, 2, &length);
    knl_raise(L,
        "global `%.64s` cannot be assigned by a rule: keep what changes in self.state, or declare "
        "it `local`",
        key);
}

static int frozen_length(lua_State *L)
{
    if (knl_frozen_content(L, 1)) {
        lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
    } else {
        lua_pushinteger(L, 0);
    }
    return 1;
}

#define FROZEN_READ_COST 4

// __index of a frozen table that had one of its own: upvalue 1 is the content, 2 the old __index.
static int frozen_read(lua_State *L)
{
    knl_charge(L, FROZEN_READ_COST);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    lua_pop(L, 1);
    if (lua_type(L, lua_upvalueindex(2)) == LUA_TFUNCTION) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_call(L, 2, 1);
    } else {
        lua_pushvalue(L, 2);
        lua_gettable(L, lua_upvalueindex(2));
    }
    return 1;
}

// The stack while freezing: 1 holds what was seen, 2 what still waits, as an array.
#define SEEN 1
#define WAITING 2

// Pops a value and queues it if it can refer to others and is new.
static void freeze_note(lua_State *L)
{
    int type = lua_type(L, -1);
    lua_CFunction of_c = lua_tocfunction(L, -1);
    bool holds = type == LUA_TTABLE || (type == LUA_TFUNCTION && of_c == NULL) ||
                 of_c == knl_index_through || of_c == knl_newindex_through;
    if (!holds) {
        lua_pop(L, 1);
        return;
    }
    lua_pushvalue(L, -1);
    bool is_new = lua_rawget(L, SEEN) == LUA_TNIL;
    lua_pop(L, 1);
    if (is_new) {
        lua_pushvalue(L, -1);
        lua_pushboolean(L, 1);
        lua_rawset(L, SEEN);
        lua_rawseti(L, WAITING, (lua_Integer)lua_rawlen(L, WAITING) + 1);
    } else {
        lua_pop(L, 1);
    }
}

static void freeze_function(lua_State *L, int function)
{
    knl_assignment assignment;
    lua_pushvalue(L, function);
    knl_scan scan = lua_iscfunction(L, -1) ? KNL_SCAN_CLEAN : knl_bytecode_scan(L, &assignment);
    lua_pop(L, 1);
    if (scan == KNL_SCAN_UNKNOWN) {
        luaL_error(L, "the code of a function cannot be read: too large, or out of memory");
    }
    if (scan == KNL_SCAN_ASSIGNS) {
        const char *name = lua_getupvalue(L, function, (int)assignment.upvalue + 1);
        lua_Debug debug;
        lua_pushvalue(L, function);
        lua_getinfo(L, ">S", &debug);
        luaL_error(L,
            "%s:%d: a rule assigns to `%s`, which outlives the call but is not part of the state: "
            "keep it in self.state",
            debug.short_src, (int)assignment.line, name == NULL ? "?" : name);
    }
    for (int i = 1; lua_getupvalue(L, function, i) != NULL; i++) {
        freeze_note(L);
    }
}

// Moves the content of the table to a new one, which is pushed.
static void move_content(lua_State *L, int table)
{
    lua_newtable(L);
    int content = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        lua_pushvalue(L, -2);
        freeze_note(L);
        lua_pushvalue(L, -1);
        freeze_note(L);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, content); // the key stays, for lua_next()
    }
    lua_pushnil(L);
    while (lua_next(L, content) != 0) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, table);
    }
}

static void freeze_table(lua_State *L, int table)
{
    if (knl_frozen_content(L, table)) {
        lua_pop(L, 1);
        return;
    }
    move_content(L, table);
    int content = lua_gettop(L);
    lua_newtable(L);
    int meta = lua_gettop(L);
    lua_pushvalue(L, content);
    lua_setfield(L, meta, "__index");
    if (lua_getmetatable(L, table)) {
        int old = lua_gettop(L);
        lua_pushnil(L);
        while (lua_next(L, old) != 0) {
            lua_pushvalue(L, -1);
            freeze_note(L);
            const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
            if (strcmp(key, "__index") == 0) {
                lua_pushvalue(L, content);
                lua_insert(L, -2);
                lua_pushcclosure(L, frozen_read, 2);
            }
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, meta);
        }
    }
    lua_pushcfunction(L, frozen_write);
    lua_setfield(L, meta, "__newindex");
    lua_pushcfunction(L, frozen_length);
    lua_setfield(L, meta, "__len");
    lua_pushvalue(L, content);
    lua_rawsetp(L, meta, &frozen_key);
    lua_settop(L, meta);
    lua_setmetatable(L, table);
    lua_settop(L, table);
}

static int freeze_state(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_rotate(L, 1, 2); // puts SEEN and WAITING below the argument
    freeze_note(L);
    for (lua_Integer i = 1; lua_rawgeti(L, WAITING, i) != LUA_TNIL; i++) {
        int value = lua_gettop(L);
        luaL_checkstack(L, 16, NULL);
        if (lua_type(L, value) == LUA_TTABLE) {
            freeze_table(L, value);
        } else {
            freeze_function(L, value);
        }
        lua_settop(L, WAITING);
    }
    return 0;
}

void knl_freeze(lua_State *L)
{
    lua_pushcfunction(L, freeze_state);
    lua_insert(L, -2);
    lua_call(L, 1, 0);
}

void knl_freeze_globals(lua_State *L, int globals, int shared)
{
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, shared);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, global_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushvalue(L, shared);
    lua_rawsetp(L, -2, &frozen_key);
    lua_setmetatable(L, globals);
}
