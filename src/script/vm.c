// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A machine: one Lua state, its limits on instructions and memory, how calls enter it, and how
// chunks are loaded and bound.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // for locale_t
#endif

#include "hooks.h"
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Locale --------------------------------------------------------------------

// Lua prints and reads numbers, compares strings and folds case by the locale of the host. While a
// machine runs, its thread has the locale "C".
#if !defined(_WIN32)
#include <locale.h>

static _Atomic(locale_t) plain_locale;

static locale_t locale_enter(void)
{
    locale_t plain = atomic_load(&plain_locale);
    if (plain == (locale_t)0) {
        locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (made == (locale_t)0) {
            return (locale_t)0;
        }
        if (atomic_compare_exchange_strong(&plain_locale, &plain, made)) {
            plain = made;
        } else {
            freelocale(made);
        }
    }
    return uselocale(plain);
}

static void locale_leave(locale_t before)
{
    if (before != (locale_t)0) {
        (void)uselocale(before);
    }
}
#else
typedef int locale_t;
static locale_t locale_enter(void)
{
    return 0; // the host must not change LC_NUMERIC, LC_COLLATE or LC_CTYPE
}
static void locale_leave(locale_t before)
{
    (void)before;
}
#endif

// Limits --------------------------------------------------------------------

#define HOOK_INTERVAL 1000
// What each outermost call counts towards the limit of a step, besides its instructions.
#define CALL_COST 100
// Bytes that one outermost call may allocate in total, as a multiple of the limit of bytes held.
#define TRAFFIC_FACTOR 16
// The most bytes of a string besides its text, and the size from which Lua always creates a new
// one.
#define STRING_HEAD 32
#define STRING_SHORT 96
// Bytes of the stack, with 16 per value.
#define STACK_BYTES_MAX ((size_t)KNL_STACK_MAX * 16)
#define STACK_FIRST 200

#define NO_MEMORY_TEXT "not enough memory"
#define STRING_LIMIT_TEXT "a string of more than 16384 bytes"

_Static_assert(KNL_STRING_MAX == 16384, "the message names it");

void knl_where_of(lua_State *L, knl_where *where)
{
    lua_Debug debug;
    *where = (knl_where){0};
    for (int level = 0; lua_getstack(L, level, &debug) != 0; level++) {
        lua_getinfo(L, "Sl", &debug);
        if (debug.currentline > 0) {
            (void)snprintf(where->chunk, sizeof(where->chunk), "%s", debug.short_src);
            where->line = (uint32_t)debug.currentline;
            return;
        }
    }
}

// Why a block must not grow; NULL if it may. One instruction of Lua can compare or create a string,
// so its length is limited.
static const char *growth_refusal(knl_vm *vm, const void *ptr, size_t tag, size_t more, size_t size)
{
    if (ptr == NULL && tag == LUA_TSTRING) {
        if (size > KNL_STRING_MAX + STRING_HEAD) {
            return STRING_LIMIT_TEXT;
        }
        // A short one may exist already, which depends on what the machine did before, so it is
        // free.
        vm->budget -= size > STRING_SHORT ? (int64_t)(size / KNL_BYTES_PER_COST) : 0;
    }
    return vm->bytes + more > vm->script->memory_limit ||
                   vm->traffic / TRAFFIC_FACTOR > vm->script->memory_limit
               ? NO_MEMORY_TEXT
               : NULL;
}

// Follows the block of the stack: one instruction can pass on all the values on it, so its size is
// limited too. Some releases of Lua resize the block, others allocate one and free the old.
static void stack_follow(knl_vm *vm, const void *old, const void *block, size_t size)
{
    bool is_new = old == NULL || vm->seeks_stack;
    if (vm->seeks_stack && size > 0) {
        vm->stack = block;
        vm->stack_bytes = size;
    } else if (old != NULL && old == vm->stack) {
        vm->stack = size > 0 ? block : vm->latest;
        vm->stack_bytes = size > 0 ? size : vm->latest_bytes;
        vm->has_large_stack |= vm->stack_bytes > STACK_BYTES_MAX;
    }
    if (is_new && size > 0) {
        vm->latest = block;
        vm->latest_bytes = size;
    }
}

static void *vm_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    knl_vm *vm = user;
    size_t before = ptr != NULL ? old_size : 0;
    if (new_size > before && vm->is_limited) {
        const char *refusal = growth_refusal(vm, ptr, old_size, new_size - before, new_size);
        if (refusal != NULL) {
            knl_where where;
            knl_where_of(vm->L, &where);
            vm->memory_where = where.line > 0 ? where : vm->memory_where;
            vm->refusal = refusal;
            return NULL;
        }
        vm->traffic += new_size - before;
    }
    const void *old = ptr; // only ever compared
    void *block = knl_script_realloc(vm->script, ptr, before, new_size);
    if (block == NULL && new_size > 0) {
        vm->refusal = NO_MEMORY_TEXT;
        return NULL;
    }
    vm->bytes = vm->bytes - before + new_size;
    stack_follow(vm, old, block, new_size);
    return block;
}

// Nothing else in Lua grows when a machine requests more stack: that is how its block is found.
static bool stack_find(knl_vm *vm)
{
    vm->seeks_stack = true;
    bool has_grown = lua_checkstack(vm->L, STACK_FIRST);
    vm->seeks_stack = false;
    return has_grown && vm->stack != NULL;
}

#define STEP_LIMIT_TEXT "more than %u instructions in one step"

void knl_charge(lua_State *L, uint64_t cost)
{
    knl_vm *vm = knl_vm_of(L);
    vm->budget -= cost < INT32_MAX ? (int64_t)cost : INT32_MAX;
    if (vm->budget <= 0) {
        const kn_script *script = vm->script;
        bool is_call = vm->granted >= script->instruction_limit;
        knl_raise(L, is_call ? "more than %u instructions in one call" : STEP_LIMIT_TEXT,
            is_call ? script->instruction_limit : script->step_instruction_limit);
    }
    if (vm->has_large_stack) {
        knl_raise(L, "too many calls inside calls, or too many values at once");
    }
}

static void count_hook(lua_State *L, lua_Debug *debug)
{
    (void)debug;
    knl_charge(L, HOOK_INTERVAL);
}

_Noreturn void knl_raise(lua_State *L, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    knl_where where;
    knl_where_of(L, &where);
    if (where.line > 0) {
        lua_pushfstring(L, "%s:%d: %s", where.chunk, (int)where.line, text);
    } else {
        lua_pushstring(L, text);
    }
    (void)lua_error(L);
    abort(); // not reached: lua_error() does not return
}

// Errors --------------------------------------------------------------------

// Turns the error value into a table of message and traceback.
static int on_error(lua_State *L)
{
    knl_vm *vm = knl_vm_of(L);
    knl_where_of(L, &vm->memory_where);
    const char *message = knl_tostring(L, 1, NULL);
    lua_createtable(L, 2, 0);
    lua_pushstring(L, message);
    lua_rawseti(L, -2, 1);
    luaL_traceback(L, L, NULL, 1);
    lua_rawseti(L, -2, 2);
    return 1;
}

// Copies a text of Lua, truncated if it does not fit.
static void text_copy(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%.*s", (int)(size - 1), text != NULL ? text : "");
}

// Takes the error from the top of the stack.
static void error_take(knl_vm *vm, int status, kn_script_error *error)
{
    lua_State *L = vm->L;
    *error = (kn_script_error){0};
    if (lua_type(L, -1) == LUA_TTABLE) {
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        text_copy(error->message, sizeof(error->message), lua_tostring(L, -2));
        text_copy(error->traceback, sizeof(error->traceback), lua_tostring(L, -1));
        lua_pop(L, 2);
    } else if (status == LUA_ERRMEM) {
        const knl_where *where = &vm->memory_where;
        if (where->line > 0) {
            (void)snprintf(error->message, sizeof(error->message), "%s:%u: %s", where->chunk,
                where->line, vm->refusal);
        } else {
            (void)snprintf(error->message, sizeof(error->message), "%s", vm->refusal);
        }
    } else {
        text_copy(error->message, sizeof(error->message),
            lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "unknown error");
    }
    lua_pop(L, 1);
    memcpy(error->chunk, vm->memory_where.chunk, sizeof(error->chunk));
    error->line = vm->memory_where.line;
    vm->memory_where = (knl_where){0};
}

// The line in "name:12: message" of a chunk that does not compile or run, for kn_error.
static void error_fill(kn_error *error, kn_result code, const char *chunk, const char *message)
{
    if (error == NULL) {
        return;
    }
    *error = (kn_error){.code = code};
    text_copy(error->message, sizeof(error->message), message);
    size_t length = strlen(chunk);
    if (strncmp(message, chunk, length) == 0 && message[length] == ':') {
        for (const char *at = message + length + 1; *at >= '0' && *at <= '9'; at++) {
            error->line = error->line * 10 + (uint32_t)(*at - '0');
        }
    }
}

// Entering and leaving ------------------------------------------------------

static _Thread_local knl_vm *in_use; // of this thread, the latest first

knl_vm *knl_vm_enter(kn_script *script)
{
    for (knl_vm *vm = in_use; vm != NULL; vm = vm->outer) {
        if (vm->script == script) {
            return vm;
        }
    }
    knl_vm *vm = NULL;
    for (uint32_t i = 0; i < KNL_POOL_SIZE && vm == NULL; i++) {
        if (atomic_load_explicit(&script->pool[i], memory_order_relaxed) != NULL) {
            vm = atomic_exchange_explicit(&script->pool[i], NULL, memory_order_acquire);
        }
    }
    if (vm == NULL) {
        vm = knl_vm_create(script, NULL);
    }
    if (vm != NULL) {
        vm->outer = in_use;
        in_use = vm;
    }
    return vm;
}

void knl_vm_leave(knl_vm *vm)
{
    if (vm->depth > 0) {
        return; // an outer call still uses it
    }
    in_use = vm->outer;
    vm->outer = NULL;
    for (uint32_t i = 0; i < KNL_POOL_SIZE; i++) {
        knl_vm *expected = NULL;
        if (atomic_load_explicit(&vm->script->pool[i], memory_order_relaxed) == NULL &&
            atomic_compare_exchange_strong_explicit(
                &vm->script->pool[i], &expected, vm, memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
    knl_vm_destroy(vm);
}

// Self objects --------------------------------------------------------------

knl_frame *knl_frame_test(lua_State *L, const knl_self *self)
{
    knl_vm *vm = knl_vm_of(L);
    if (self == NULL || self->depth == 0 || self->depth > vm->depth ||
        vm->serials[self->depth] != self->serial) {
        knl_raise(L, "the call this belongs to has ended");
        return NULL;
    }
    return vm->frames[self->depth];
}

knl_frame *knl_self_frame(lua_State *L, int index)
{
    const knl_vm *vm = knl_vm_of(L);
    const void *object = lua_touserdata(L, index);
    for (uint32_t depth = vm->depth; depth > 0 && object != NULL; depth--) {
        const knl_frame *frame = vm->frames[depth];
        if (object == vm->selves[depth][frame->self]) {
            return knl_frame_test(L, object);
        }
    }
    knl_raise(L, "expected self, got %s", luaL_typename(L, index));
    return NULL;
}

static lua_Integer self_place(const knl_vm *vm, const knl_frame *frame)
{
    return KNL_REG_SELF + (lua_Integer)vm->depth * KNL_SELF_COUNT + frame->self;
}

static bool self_is_made(const knl_vm *vm, const knl_frame *frame)
{
    return vm->selves[vm->depth][frame->self] != NULL;
}

static void self_make(lua_State *L, knl_vm *vm, const knl_frame *frame)
{
    knl_self *made = lua_newuserdatauv(L, sizeof(knl_self), 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_META + frame->self);
    lua_setmetatable(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, self_place(vm, frame));
    vm->selves[vm->depth][frame->self] = made;
}

static void self_push(lua_State *L, knl_vm *vm, const knl_frame *frame)
{
    if (!self_is_made(vm, frame)) {
        self_make(L, vm, frame);
    }
    *vm->selves[vm->depth][frame->self] = (knl_self){vm->depth, vm->serials[vm->depth]};
    lua_rawgeti(L, LUA_REGISTRYINDEX, self_place(vm, frame));
}

// Calls ---------------------------------------------------------------------

typedef struct call {
    knl_vm *vm;
    knl_frame *frame;
    uint32_t function;
} call;

static void function_push(lua_State *L, uint32_t function)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_BOUND + 2 * (lua_Integer)function + 1);
}

static int call_protected(lua_State *L)
{
    const call *c = lua_touserdata(L, 1);
    knl_frame *frame = c->frame;
    luaL_checkstack(L, 40, NULL);
    function_push(L, c->function);
    self_push(L, c->vm, frame);
    int count = 1;
    if (frame->push != NULL) {
        count += frame->push(L, frame);
    }
    lua_call(L, count, frame->result_count);
    if (frame->take != NULL) {
        frame->take(L, lua_gettop(L) - frame->result_count + 1, frame);
    }
    return 0;
}

static int self_protected(lua_State *L)
{
    const call *c = lua_touserdata(L, 1);
    self_make(L, c->vm, c->frame);
    return 0;
}

// The results, then the call.
static int take_protected(lua_State *L)
{
    const call *c = lua_touserdata(L, -1);
    luaL_checkstack(L, 40, NULL);
    c->frame->take(L, 1, c->frame);
    return 0;
}

// Makes the call with the error handler at the top of the stack. What can raise an error runs
// protected: making a self, arguments behind it, and most results. Without arguments the function
// is called directly, whether the self is there or not: how deep it may go must not depend on what
// the machine did before.
static int call_run(lua_State *L, call *c)
{
    knl_frame *frame = c->frame;
    int handler = lua_gettop(L);
    if (frame->push != NULL) {
        lua_pushcfunction(L, call_protected);
        lua_pushlightuserdata(L, c);
        return lua_pcall(L, 1, 0, handler);
    }
    int status = LUA_OK;
    if (!self_is_made(c->vm, frame)) {
        lua_pushcfunction(L, self_protected);
        lua_pushlightuserdata(L, c);
        status = lua_pcall(L, 1, 0, handler);
    }
    if (status != LUA_OK) {
        return status;
    }
    int results = frame->take != NULL ? frame->result_count : 0;
    function_push(L, c->function);
    self_push(L, c->vm, frame);
    status = lua_pcall(L, 1, results, handler);
    if (status != LUA_OK || frame->take == NULL) {
        return status;
    }
    if (frame->take == knl_take_float && lua_type(L, -1) == LUA_TNUMBER) {
        knl_take_float(L, -1, frame);
        lua_settop(L, handler);
        return LUA_OK;
    }
    lua_pushcfunction(L, take_protected);
    lua_insert(L, handler + 1);
    lua_pushlightuserdata(L, c);
    return lua_pcall(L, results + 1, 0, handler);
}

// In a call that may change the world, an error is published. A call that only reads may be a query
// by the host, which must leave no trace.
static void call_tell(const knl_frame *frame, uint32_t line)
{
    kn_event_error error = {.code = KN_ERROR_BAD_DATA, .detail = line};
    kn_world *world = frame->writable != NULL ? frame->writable : frame->told;
    if (world == NULL) {
        return;
    }
    kn_ability_id ability = {0};
    if (frame->spec != NULL) {
        error.type = kn_spec_view_type(frame->spec);
    } else if (frame->ability != NULL) {
        ability = frame->ability->ability;
    } else if (frame->task != NULL) {
        ability = frame->task->ability;
    }
    kn_ability_info info;
    if (kn_ability_get(frame->world, ability, &info)) {
        error.ability = info.type;
    }
    if (frame->change != NULL) {
        error.attribute = frame->change->attribute;
    } else if (frame->execute != NULL) {
        error.attribute = frame->execute->attribute;
    }
    (void)kn_world_report(world, frame->entity, &error);
}

// Keeps, logs and publishes the error of a call.
static void call_report(const knl_frame *frame, const kn_script_error *error)
{
    knl_script_report(frame->binding->script, error);
    call_tell(frame, error->line);
}

static void call_failed(knl_vm *vm, const knl_frame *frame, int status)
{
    kn_script_error error;
    error_take(vm, status, &error);
    (void)snprintf(error.definition, sizeof(error.definition), "%s %.30s.%.20s",
        knl_binding_title(frame->binding), frame->binding->name,
        frame->function_name != NULL ? frame->function_name : "?");
    call_report(frame, &error);
}

kn_result knl_call_refuse(const knl_frame *frame, const char *message)
{
    kn_script_error error = {0};
    (void)snprintf(error.definition, sizeof(error.definition), "%s %.30s",
        knl_binding_title(frame->binding), frame->binding->name);
    text_copy(error.message, sizeof(error.message), message);
    call_report(frame, &error);
    return KN_ERROR_BAD_DATA;
}

// Instructions that the step has left. A chunk that is being loaded does not belong to a world.
static int64_t step_rest(const kn_script *script, const kn_world *world)
{
    return world != NULL ? script->step_instruction_limit - (int64_t)kn_world_count_work(world, 0)
                         : script->instruction_limit;
}

// Refuses a call for which the step has no instructions left.
static kn_result call_refuse_spent(const knl_frame *frame)
{
    char message[64];
    (void)snprintf(
        message, sizeof(message), STEP_LIMIT_TEXT, frame->binding->script->step_instruction_limit);
    return knl_call_refuse(frame, message);
}

bool knl_call_is_possible(const knl_frame *frame)
{
    if (step_rest(frame->binding->script, frame->world) > 0) {
        return true;
    }
    (void)call_refuse_spent(frame);
    return false;
}

// False if the step has no instructions left.
static bool call_begin_outermost(knl_vm *vm, const kn_world *world)
{
    const kn_script *script = vm->script;
    int64_t rest = step_rest(script, world);
    if (rest <= 0) {
        return false;
    }
    vm->granted = rest < script->instruction_limit ? rest : script->instruction_limit;
    vm->budget = vm->granted;
    vm->traffic = 0;
    vm->has_large_stack = false;
    vm->calls++;
    lua_sethook(vm->L, count_hook, LUA_MASKCOUNT, HOOK_INTERVAL);
    return true;
}

static void call_end_outermost(knl_vm *vm, const kn_world *world)
{
    // One large cost may far exceed what was granted; it was refused, so it does not count.
    uint64_t used = (uint64_t)(vm->budget > 0 ? vm->granted - vm->budget : vm->granted);
    vm->most_instructions = used > vm->most_instructions ? used : vm->most_instructions;
    (void)kn_world_count_work(world, used + CALL_COST);
    if (vm->stack_bytes > STACK_BYTES_MAX) {
        (void)lua_gc(vm->L, LUA_GCCOLLECT); // shrinks the stack for the next call
    }
}

kn_result knl_call(knl_frame *frame, uint32_t function)
{
    kn_script *script = frame->binding->script;
    knl_vm *vm = knl_vm_enter(script);
    if (vm == NULL) {
        return knl_call_refuse(frame, "not enough memory for another machine");
    }
    lua_State *L = vm->L;
    if (vm->depth >= script->depth_limit || !lua_checkstack(L, 8)) {
        knl_vm_leave(vm);
        return knl_call_refuse(frame, "too many calls inside calls");
    }
    bool is_outermost = vm->depth == 0;
    if (is_outermost && !call_begin_outermost(vm, frame->world)) {
        knl_vm_leave(vm);
        return call_refuse_spent(frame);
    }
    vm->budget -= is_outermost ? 0 : CALL_COST; // an outermost one pays when it ends
    locale_t locale = is_outermost ? locale_enter() : (locale_t)0;
    vm->depth++;
    vm->frames[vm->depth] = frame;
    vm->serials[vm->depth] = ++vm->serial;
    size_t element_bytes = vm->element_bytes;
    call c = {vm, frame, function};
    lua_pushcfunction(L, on_error);
    int status = call_run(L, &c);
    vm->element_bytes = element_bytes; // an error may have left some
    vm->frames[vm->depth] = NULL;
    vm->serials[vm->depth] = 0;
    vm->depth--;
    while (knl_cause_close(frame)) { // what the function left open
    }
    if (status != LUA_OK) {
        call_failed(vm, frame, status);
    }
    lua_pop(L, 1); // on_error
    if (is_outermost) {
        call_end_outermost(vm, frame->world);
        locale_leave(locale);
    }
    knl_vm_leave(vm);
    return status == LUA_OK ? KN_OK : KN_ERROR_BAD_DATA;
}

kn_result knl_call_hook(knl_frame *frame, uint32_t hook)
{
    uint32_t function = frame->binding->hooks[hook];
    frame->function_name = knl_def_infos[frame->binding->kind].hooks[hook].name;
    return function != 0 ? knl_call(frame, function) : KN_OK;
}

// Definitions ---------------------------------------------------------------

// The key of a definition of an own kind; names of kinds have no colon.
#define OWN_KEY "%s:%s"

// The second half of `ability "Name" {...}`: upvalues are the kind and the key.
static int define_body(lua_State *L)
{
    knl_vm *vm = knl_vm_of(L);
    if (!vm->is_loading) {
        knl_raise(L, "definitions can only be made while a chunk is being loaded");
    }
    if (lua_type(L, 1) != LUA_TTABLE) {
        knl_raise(L, "expected a table of functions");
    }
    lua_settop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_PENDING);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_rawget(L, -2);
    lua_pushvalue(L, lua_upvalueindex(2));
    if (lua_rawget(L, -2) != LUA_TNIL) {
        knl_raise(L, "`%s` is defined twice", lua_tostring(L, lua_upvalueindex(2)));
    }
    lua_pop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    return 0;
}

// Upvalues are the kind and the word for it; for own kinds also their name, which becomes part of
// the key.
static int vm_define(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING) {
        knl_raise(L, "expected a name: %s \"Name\" {...}", lua_tostring(L, lua_upvalueindex(2)));
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    if (lua_type(L, lua_upvalueindex(3)) == LUA_TSTRING) {
        lua_pushfstring(L, OWN_KEY, lua_tostring(L, lua_upvalueindex(3)), lua_tostring(L, 1));
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushcclosure(L, define_body, 2);
    return 1;
}

// Pushes a table with one empty table for each kind of definition.
static void definitions_push(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; i < KNL_DEF_SLOTS; i++) {
        lua_newtable(L);
        lua_rawseti(L, -2, i);
    }
}

// Copies the table at `from` into the one at `to`; raises an error if a name exists already.
static void table_merge(lua_State *L, int from, int to, const char *what)
{
    lua_pushnil(L);
    while (lua_next(L, from) != 0) {
        lua_pushvalue(L, -2);
        if (lua_rawget(L, to) != LUA_TNIL) {
            luaL_error(L, "%s `%s` already exists", what, knl_tostring(L, -3, NULL));
        }
        lua_pop(L, 1);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
}

// Pushes a copy of the table at `index`.
static void copy_push(lua_State *L, int index)
{
    lua_newtable(L);
    table_merge(L, index, lua_gettop(L), "field");
}

// Chunks --------------------------------------------------------------------

#define CHUNK_SHOWN 58 // bytes of a chunk's name in messages

typedef struct load {
    const knl_chunk *chunk;
    char name[72]; // with the '@' that makes Lua show it as it is
} load;

// Moves the globals out of the table that the chunk's functions use, so that it reads what all
// chunks share: pushes a table with them.
static void globals_take(lua_State *L, int globals, int shared)
{
    lua_pushnil(L);
    lua_setmetatable(L, globals);
    copy_push(L, globals);
    int names = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, names) != 0) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, globals);
    }
    knl_freeze_globals(L, globals, shared);
}

// Freezes what the two tables contain, but not the tables themselves.
static void freeze_content(lua_State *L, int names, int pending)
{
    lua_newtable(L);
    int roots = lua_gettop(L);
    copy_push(L, names);
    lua_rawseti(L, roots, 1);
    for (int kind = 0; kind < KNL_DEF_SLOTS; kind++) {
        lua_rawgeti(L, pending, kind);
        copy_push(L, lua_gettop(L));
        lua_rawseti(L, roots, kind + 2);
        lua_settop(L, roots);
    }
    knl_freeze(L);
}

// If this fails the machine is discarded, so nothing has to be undone.
static int load_protected(lua_State *L)
{
    const load *l = lua_touserdata(L, 1);
    luaL_checkstack(L, 40, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_SHARED);
    int shared = lua_gettop(L);
    definitions_push(L);
    int pending = lua_gettop(L);
    lua_pushvalue(L, pending);
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_PENDING);
    lua_newtable(L);
    int globals = lua_gettop(L);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, shared);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, globals);

    if (luaL_loadbufferx(L, l->chunk->text, l->chunk->size, l->name, "t") != LUA_OK) {
        return lua_error(L);
    }
    lua_pushvalue(L, globals);
    (void)lua_setupvalue(L, -2, 1); // _ENV
    lua_call(L, 0, 0);

    globals_take(L, globals, shared);
    int names = lua_gettop(L);
    freeze_content(L, names, pending);
    table_merge(L, names, shared, "global");
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_DEFS);
    int defs = lua_gettop(L);
    for (int kind = 0; kind < KNL_DEF_SLOTS; kind++) {
        lua_rawgeti(L, pending, kind);
        lua_rawgeti(L, defs, kind);
        table_merge(
            L, defs + 1, defs + 2, kind == KNL_DEF_OWN ? "definition" : knl_def_infos[kind].name);
        lua_settop(L, defs);
    }
    return 0;
}

kn_result knl_vm_load(knl_vm *vm, const knl_chunk *chunk, kn_error *error)
{
    uint32_t line;
    const char *message;
    if (!knl_source_check(chunk->text, chunk->size, &line, &message)) {
        char text[300];
        (void)snprintf(text, sizeof(text), "%s:%u: %s", chunk->name, line, message);
        error_fill(error, KN_ERROR_BAD_DATA, chunk->name, text);
        return KN_ERROR_BAD_DATA;
    }
    load l = {.chunk = chunk};
    // The end of a long name says more; Lua does the same.
    size_t length = strlen(chunk->name);
    bool is_long = length > CHUNK_SHOWN;
    (void)snprintf(l.name, sizeof(l.name), "@%s%s", is_long ? "..." : "",
        chunk->name + (is_long ? length - (CHUNK_SHOWN - 3) : 0));
    lua_State *L = vm->L;
    locale_t locale = locale_enter();
    vm->is_loading = true;
    vm->is_limited = true;
    (void)call_begin_outermost(vm, NULL);
    lua_pushcfunction(L, on_error);
    lua_pushcfunction(L, load_protected);
    lua_pushlightuserdata(L, &l);
    int status = lua_pcall(L, 1, 0, -3);
    vm->is_loading = false;
    if (status != LUA_OK) {
        kn_script_error found;
        error_take(vm, status, &found);
        error_fill(error, KN_ERROR_BAD_DATA, l.name + 1, found.message);
        if (error != NULL && error->line == 0) {
            error->line = found.line;
        }
        knl_script_report(vm->script, &found);
    }
    lua_pop(L, 1);
    locale_leave(locale);
    return status == LUA_OK ? KN_OK : KN_ERROR_BAD_DATA;
}

// Binding -------------------------------------------------------------------

typedef struct bind {
    knl_binding *binding;
    bool is_first;
    kn_result result;
} bind;

static void function_place(lua_State *L, uint32_t number)
{
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_BOUND + 2 * (lua_Integer)number + 1);
}

bool knl_is_name(lua_State *L, int index)
{
    size_t length;
    const char *text = lua_tolstring(L, index, &length);
    return length > 0 && strlen(text) == length;
}

static int hook_find(const knl_def_info *info, const char *name)
{
    for (int i = 0; info->hooks[i].name != NULL; i++) {
        if (strcmp(info->hooks[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void handler_add(lua_State *L, knl_binding *binding, const char *name, size_t length)
{
    kn_script *script = binding->script;
    uint32_t label = knl_handler_label(name);
    uint32_t at = 0;
    while (at < binding->handler_count && binding->handlers[at].label < label) {
        at++;
    }
    if (at < binding->handler_count && binding->handlers[at].label == label) {
        luaL_error(
            L, "the names `%s` and `%s` collide: change one", name, binding->handlers[at].name);
    }
    size_t size = binding->handler_count * sizeof(knl_handler);
    knl_handler *grown =
        knl_script_realloc(script, binding->handlers, size, size + sizeof(knl_handler));
    if (grown != NULL) {
        binding->handlers = grown;
    }
    char *copy = grown != NULL ? knl_script_strdup(script, name, length) : NULL;
    if (copy == NULL) {
        if (grown != NULL) {
            binding->handlers = knl_script_realloc(script, grown, size + sizeof(knl_handler), size);
        }
        luaL_error(L, "not enough memory");
    }
    memmove(&binding->handlers[at + 1], &binding->handlers[at],
        (binding->handler_count - at) * sizeof(knl_handler));
    binding->handlers[at] = (knl_handler){label, ++script->function_count, copy, binding};
    binding->handler_count++;
}

#define INTERVAL_MAX KN_S(86400)

// Takes the seconds at the top of the stack.
static void interval_read(lua_State *L, knl_binding *binding)
{
    double seconds = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0.0;
    binding->interval = seconds > 0.0 ? kn_time_from_seconds(seconds) : 0;
}

// Whether a further function can have this name.
static bool takes_handler(const knl_binding *binding, const char *name)
{
    if (binding->kind == KNL_DEF_OWN) {
        return kn_kind_hook_find(binding->script->library, binding->own, name) != NULL;
    }
    return knl_def_infos[binding->kind].has_continuations && name[0] != '\0';
}

// Reads the definition at `table`: its hooks, its handlers and its state.
static void binding_read(lua_State *L, knl_binding *binding, int table)
{
    const knl_def_info *info = &knl_def_infos[binding->kind];
    lua_getfield(L, table, "state");
    knl_layout_read(L, -1, info->state_max, binding->script, &binding->layout);
    lua_pop(L, 1);
    bool has_hook = false;
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        size_t length = 0;
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &length) : "";
        int hook = hook_find(info, name);
        bool is_function = lua_type(L, -1) == LUA_TFUNCTION;
        if (hook >= 0 && is_function) {
            binding->hooks[hook] = ++binding->script->function_count;
            has_hook = true;
        } else if (is_function && takes_handler(binding, name) && knl_is_name(L, -2)) {
            handler_add(L, binding, name, length);
            has_hook = true;
        } else if (info->has_interval && strcmp(name, "interval") == 0) {
            interval_read(L, binding);
        } else if (strcmp(name, "state") != 0 || info->state_max == 0) {
            luaL_error(L, "%s `%s` has an unknown field `%s`", knl_binding_title(binding),
                binding->name, knl_tostring(L, -2, NULL));
        }
        lua_pop(L, 1);
    }
    if (!has_hook) {
        luaL_error(L, "%s `%s` has no function", knl_binding_title(binding), binding->name);
    }
    if (info->has_interval && (binding->interval < 1 || binding->interval > INTERVAL_MAX)) {
        luaL_error(L, "%s `%s` needs `interval`, seconds from 0.000001 to 86400", info->name,
            binding->name);
    }
}

// Stores functions and names of fields where calls find them.
static void binding_place(lua_State *L, const knl_binding *binding, int table)
{
    const knl_def_info *info = &knl_def_infos[binding->kind];
    lua_createtable(L, 0, (int)binding->layout.count);
    for (uint32_t i = 0; i < binding->layout.count; i++) {
        lua_pushinteger(L, i);
        lua_setfield(L, -2, binding->layout.fields[i].name);
    }
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_BOUND + 2 * (lua_Integer)binding->index);
    for (int i = 0; info->hooks[i].name != NULL; i++) {
        if (binding->hooks[i] != 0) {
            lua_getfield(L, table, info->hooks[i].name);
            function_place(L, binding->hooks[i]);
        }
    }
    for (uint32_t i = 0; i < binding->handler_count; i++) {
        lua_getfield(L, table, binding->handlers[i].name);
        function_place(L, binding->handlers[i].function);
    }
}

static int bind_protected(lua_State *L)
{
    bind *b = lua_touserdata(L, 1);
    knl_binding *binding = b->binding;
    luaL_checkstack(L, 40, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_DEFS);
    lua_rawgeti(L, -1, binding->kind);
    const char *key = binding->kind == KNL_DEF_OWN
                          ? lua_pushfstring(L, OWN_KEY, knl_binding_title(binding), binding->name)
                          : lua_pushstring(L, binding->name);
    if (lua_getfield(L, -2, key) != LUA_TTABLE || !knl_frozen_content(L, -1)) {
        b->result = KN_REFUSED_NOT_FOUND;
        return luaL_error(L, "no chunk defines %s `%s`", knl_binding_title(binding), binding->name);
    }
    int table = lua_gettop(L);
    if (b->is_first) {
        binding_read(L, binding, table);
    }
    binding_place(L, binding, table);
    return 0;
}

kn_result knl_vm_bind(knl_vm *vm, knl_binding *binding, bool is_first, kn_error *error)
{
    bind b = {binding, is_first, KN_ERROR_BAD_DATA};
    lua_State *L = vm->L;
    vm->is_limited = false;
    lua_pushcfunction(L, bind_protected);
    lua_pushlightuserdata(L, &b);
    int status = lua_pcall(L, 1, 0, 0);
    vm->is_limited = true;
    if (status == LUA_OK) {
        return KN_OK;
    }
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    b.result = status == LUA_ERRMEM ? KN_ERROR_OUT_OF_MEMORY : b.result;
    error_fill(error, b.result, "", message);
    lua_pop(L, 1);
    return b.result;
}

// Creating ------------------------------------------------------------------

// Checks the bytecode scanner with a function that assigns to a variable that outlives it, and one
// that does not.
static void check_bytecode(lua_State *L)
{
    static const char probe[] =
        "local a, b = 1, 2\n"
        "return function() local c = b; return function() c = c + b end end,\n"
        "    function() return function()\n a = b end end";
    knl_assignment assignment = {0};
    if (luaL_loadbufferx(L, probe, sizeof(probe) - 1, "=probe", "t") != LUA_OK) {
        lua_error(L);
    }
    lua_call(L, 0, 2);
    knl_scan assigns = knl_bytecode_scan(L, &assignment);
    lua_pop(L, 1);
    knl_assignment none;
    knl_scan clean = knl_bytecode_scan(L, &none);
    lua_pop(L, 1);
    if (assigns != KNL_SCAN_ASSIGNS || clean != KNL_SCAN_CLEAN || assignment.line != 4) {
        luaL_error(L, "this Lua library is not one of 5.4 as its authors publish it");
    }
}

// A word for each own kind, its name with `_` for spaces, unless scripts have that already.
static void own_kinds_open(lua_State *L, int globals)
{
    const kn_script *script = knl_vm_of(L)->script;
    for (uint32_t i = 0; i < script->kind_count; i++) {
        const char *name = kn_kind_name(script->library, (kn_def_kind)(KN_DEF_KIND_OWN + i));
        const char *word = luaL_gsub(L, name, " ", "_");
        if (lua_getfield(L, globals, word) == LUA_TNIL) {
            lua_pushinteger(L, KNL_DEF_OWN);
            lua_pushstring(L, word);
            lua_pushstring(L, name);
            lua_pushcclosure(L, vm_define, 3);
            lua_setfield(L, globals, word);
        }
        lua_pop(L, 2);
    }
}

static int open_protected(lua_State *L)
{
    luaL_checkstack(L, 40, NULL);
    check_bytecode(L);
    for (int i = 0; i < KNL_NAME_COUNT; i++) {
        lua_newtable(L);
        lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_NAMES + i);
    }
    definitions_push(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_DEFS);
    knl_sandbox_open(L);
    int globals = lua_gettop(L);
    knl_state_open(L);
    lua_setfield(L, globals, "kn");
    knl_api_open(L, globals);
    for (int i = 0; i < KNL_DEF_COUNT; i++) {
        lua_pushinteger(L, i);
        lua_pushstring(L, knl_def_infos[i].name);
        lua_pushnil(L);
        lua_pushcclosure(L, vm_define, 3);
        lua_setfield(L, globals, knl_def_infos[i].name);
    }
    own_kinds_open(L, globals);
    copy_push(L, globals); // scripts read through it and never see it
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_SHARED);
    knl_freeze(L);
    return 0;
}

static int on_panic(lua_State *L)
{
    (void)L;
    kn_assert_report("an error outside a protected call", __FILE__, __LINE__);
    return 0; // Lua aborts
}

knl_vm *knl_vm_create(kn_script *script, kn_error *error)
{
    knl_vm *vm = knl_script_realloc(script, NULL, 0, sizeof(*vm));
    if (vm == NULL) {
        error_fill(error, KN_ERROR_OUT_OF_MEMORY, "", "not enough memory");
        return NULL;
    }
    memset(vm, 0, sizeof(*vm));
    vm->script = script;
    vm->refusal = NO_MEMORY_TEXT;
    vm->L = lua_newstate(vm_realloc, vm);
    if (vm->L == NULL) {
        (void)knl_script_realloc(script, vm, sizeof(*vm), 0);
        error_fill(error, KN_ERROR_OUT_OF_MEMORY, "", "not enough memory");
        return NULL;
    }
    lua_State *L = vm->L;
    memcpy(lua_getextraspace(L), &vm, sizeof(vm));
    (void)lua_atpanic(L, on_panic);
    // Nothing that a script sees depends on the collector: there are no finalizers and no weak
    // tables. So it runs as Lua configures it, in steps while a call allocates, and a call that
    // creates no garbage pays nothing. Stopping it in calls and stepping after each outermost one
    // made calls that create five tables fifty times as slow: a restart forgets the pause between
    // two cycles, so that every call pays for a step. Smaller steps did not have reliably shorter
    // pauses and cost more with much garbage. The generational mode has shorter ones then, but
    // longer ones when the heap has grown and it collects everything at once.
    (void)lua_gc(L, LUA_GCINC, 0, 0, 0);
    bool has_stack = stack_find(vm);
    lua_pushcfunction(L, open_protected);
    int status = has_stack ? lua_pcall(L, 0, 0, 0) : LUA_ERRMEM;
    kn_result result = status == LUA_OK       ? KN_OK
                       : status == LUA_ERRMEM ? KN_ERROR_OUT_OF_MEMORY
                                              : KN_ERROR_BAD_DATA;
    if (result != KN_OK) {
        error_fill(error, result, "",
            lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "not enough memory");
    }
    for (uint32_t i = 0; i < script->chunk_count && result == KN_OK; i++) {
        result = knl_vm_load(vm, &script->chunks[i], error);
    }
    for (uint32_t i = 0; i < script->binding_count && result == KN_OK; i++) {
        result = knl_vm_bind(vm, script->bindings[i], false, error);
    }
    if (result != KN_OK) {
        knl_vm_destroy(vm);
        return NULL;
    }
    vm->is_limited = true;
    return vm;
}

void knl_vm_destroy(knl_vm *vm)
{
    vm->is_limited = false;
    lua_close(vm->L);
    (void)knl_script_realloc(vm->script, vm->elements, vm->element_capacity, 0);
    (void)knl_script_realloc(vm->script, vm, sizeof(*vm), 0);
}
