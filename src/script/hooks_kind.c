// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of definitions of own kinds. Which hooks there are, and what they are called with, the kind
// says; so their functions are handlers of the binding, and each hook points to its own.

#include "hooks.h"

#include <string.h>

static const kn_library *hook_library(const knl_frame *frame)
{
    return kn_world_library(frame->world);
}

static void hook_kind(lua_State *L, const knl_frame *frame)
{
    lua_pushstring(L, kn_kind_name(hook_library(frame), frame->hook_call->kind));
}

static void hook_name(lua_State *L, const knl_frame *frame)
{
    const kn_hook_call *call = frame->hook_call;
    lua_pushstring(L, kn_def_name(hook_library(frame), call->kind, call->index1));
}

static void hook_entity(lua_State *L, const knl_frame *frame)
{
    KNL_PUSH_ID(L, KNL_ID_ENTITY, frame->entity);
}

static const knl_field_row hook_fields[] = {
    F_OWN("kind", "string", hook_kind, "The kind of the definition."),
    F_OWN("name", "string", hook_name, "The definition; `world.def` has its fields."),
    F_OWN("entity", "kn.entity?", hook_entity, "The entity that the hook is called for."),
    FIELDS_END,
};

const knl_class knl_class_hook = {"hook_self",
    "A definition of an own kind in one of its hooks. The second argument is a table with what the "
    "kind passes; the hook may return a table with its answers, or false to refuse, and then a "
    "table "
    "with what it answers nevertheless, such as reasons.",
    hook_fields, {NULL}, 0, 0};

static const kn_kind_hook *hook_def(const knl_frame *frame)
{
    return kn_kind_hook_find(hook_library(frame), frame->hook_call->kind, frame->function_name);
}

static int push_arguments(lua_State *L, const knl_frame *frame)
{
    const kn_kind_hook *def = hook_def(frame);
    lua_createtable(L, 0, (int)def->field_count);
    if (frame->hook_call->arguments != NULL) {
        knl_record_fields_push(L, def->fields, def->field_count, frame->hook_call->arguments);
    }
    return 1;
}

static void answer_test(lua_State *L, int index, const kn_kind_hook *def)
{
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool is_known = false;
        for (uint32_t i = 0; lua_type(L, -1) == LUA_TSTRING && i < def->field_count; i++) {
            is_known |= strcmp(def->fields[i].name, lua_tostring(L, -1)) == 0;
        }
        if (!is_known) {
            knl_raise(L, "hook `%s` has no field `%s`", def->field, knl_tostring(L, -1, NULL));
        }
    }
}

// All answers or none. They come after a refusal.
static void take_answers(lua_State *L, int first, knl_frame *frame)
{
    bool *is_refused = frame->out;
    const kn_kind_hook *def = hook_def(frame);
    void *arguments = frame->hook_call->arguments;
    bool refuses = lua_isboolean(L, first) && !lua_toboolean(L, first);
    if (refuses) {
        first++;
    }
    if (lua_isboolean(L, first)) {
        if (refuses) {
            knl_raise(L, "expected a table of answers after false, got boolean");
        }
    } else if (lua_istable(L, first) && arguments != NULL && def->size > 0) {
        uint64_t answers[KN_HOOK_SIZE_MAX / 8];
        answer_test(L, first, def);
        memcpy(answers, arguments, def->size);
        knl_record_fields_take(L, first, def->fields, def->field_count, (uint8_t *)answers);
        memcpy(arguments, answers, def->size);
    } else if (!lua_isnil(L, first)) {
        knl_raise(L, "expected a table of answers or false as the result, got %s",
            luaL_typename(L, first));
    }
    *is_refused = refuses;
}

static kn_result hook_call(void *user, const kn_hook_call *call)
{
    const knl_handler *handler = user;
    bool is_refused = false;
    knl_frame frame = {.world = call->world, .writable = call->writable};
    frame.binding = handler->binding;
    frame.function_name = handler->name;
    frame.self = KNL_SELF_HOOK;
    frame.hook_call = call;
    frame.entity = call->entity;
    knl_frame_push(&frame, push_arguments, NULL);
    knl_frame_take(&frame, take_answers, 2, &is_refused);
    kn_result result = knl_call(&frame, handler->function);
    return result == KN_OK && is_refused ? KN_REFUSED_CUSTOM : result;
}

kn_result kn_script_bind_kind(
    kn_script *script, kn_def_kind kind, const char *name, void *def, kn_error *error)
{
    const kn_kind_def *kind_def = script != NULL ? kn_kind_get_def(script->library, kind) : NULL;
    if (kind_def == NULL || def == NULL) {
        KN_ASSERT(script != NULL && def != NULL);
        return knl_fail(error, KN_ERROR_INVALID_ARGUMENT, "script: this is not an own kind");
    }
    knl_binding *binding;
    kn_result result = knl_script_bind(script, KNL_DEF_OWN, kind, name, NULL, &binding, error);
    for (uint32_t i = 0; result == KN_OK && i < binding->handler_count; i++) {
        knl_handler *handler = &binding->handlers[i];
        kn_hook hook = {hook_call, handler};
        memcpy((uint8_t *)def + kn_def_field_find(kind_def->table, handler->name)->offset, &hook,
            sizeof(hook));
    }
    return result;
}
