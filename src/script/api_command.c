// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands: those that scripts issue, and those that they carry out.

#include "hooks.h"
#include "rows.h"

#include <string.h>

// Carrying out --------------------------------------------------------------

// One element, or an array of all.
static void field_push(lua_State *L, const kn_field *field, const uint8_t *record)
{
    uint32_t count = field->count > 1 ? field->count : 1, size = knl_field_size(field->kind);
    if (count == 1) {
        knl_field_push(L, knl_field_type_of(field), record + field->offset);
        return;
    }
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        knl_field_push(L, knl_field_type_of(field), record + field->offset + i * size);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void command_payload(lua_State *L, const knl_frame *frame)
{
    const kn_command *command = frame->command;
    const kn_command_def *def = kn_command_get_def(kn_world_library(frame->world), command->type);
    lua_createtable(L, 0, (int)def->field_count);
    for (uint32_t i = 0; i < def->field_count; i++) {
        field_push(L, &def->fields[i], command->payload);
        lua_setfield(L, -2, def->fields[i].name);
    }
}

static void command_kind(lua_State *L, const knl_frame *frame)
{
    lua_pushstring(L, kn_command_name(kn_world_library(frame->world), frame->command->type));
}

static void command_connection(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(L, frame->command->connection);
}

static void command_sequence(lua_State *L, const knl_frame *frame)
{
    lua_pushinteger(L, frame->command->sequence);
}

static void command_entity(lua_State *L, const knl_frame *frame)
{
    KNL_PUSH_ID(L, KNL_ID_ENTITY, frame->command->entity);
}

static void command_targets(lua_State *L, const knl_frame *frame)
{
    knl_targets_push(L, frame->world, frame->command->targets);
}

static const knl_field_row command_fields[] = {
    F_OWN("kind", "string", command_kind, "The kind of the command."),
    F_OWN("connection", "integer", command_connection,
        "The connection of the player who sent it; 0 for this machine."),
    F_OWN("sequence", "integer", command_sequence, "Its number among those of the connection."),
    F_OWN("entity", "kn.entity?", command_entity, "The entity that is to act."),
    F_OWN("payload", "table", command_payload, "The fields of its kind, as a new table."),
    F_OWN("targets", "kn.target[]", command_targets, "Its target data."),
    FIELDS_END,
};

static int command_refuse(knl_args *args)
{
    const knl_vm *vm = knl_vm_of(args->L);
    return knl_refuse(args, vm->frames[vm->depth]->command->answer);
}

static const knl_row command_rows[] = {
    {"refuse", command_refuse,
        PARAMS(P("reason", KNL_T_TEXT), P_OPTIONS("line", knl_refuse_options)), "boolean", 0,
        "Refuses the command for this reason, with what is behind it: it is published with the "
        "result of the command. Returns false."},
    ROWS_END,
};

const knl_class knl_class_command = {
    "command_self", "A command that is to be carried out.", command_fields, {command_rows}, 0, 0};

static knl_frame command_frame(void *user, const kn_world *world, const kn_command *command)
{
    knl_frame frame = {.world = world};
    frame.binding = user;
    frame.self = KNL_SELF_COMMAND;
    frame.command = command;
    frame.entity = command->entity;
    return frame;
}

// Whatever is not false is a yes: most functions return nothing.
static void take_not_false(lua_State *L, int first, knl_frame *frame)
{
    *(bool *)frame->out = !lua_isboolean(L, first) || lua_toboolean(L, first);
}

static kn_result command_call(knl_frame *frame, uint32_t hook)
{
    bool is_done = true;
    knl_frame_take(frame, take_not_false, 1, &is_done);
    kn_result result = knl_call_hook(frame, hook);
    return result != KN_OK || is_done ? result : KN_REFUSED_CUSTOM;
}

static kn_result command_run(void *user, kn_world *world, const kn_command *command)
{
    knl_frame frame = command_frame(user, world, command);
    frame.writable = world;
    return command_call(&frame, 0);
}

static kn_result command_check(void *user, const kn_world *world, const kn_command *command)
{
    knl_frame frame = command_frame(user, world, command);
    return command_call(&frame, 1);
}

const knl_hook knl_command_hooks[] = {
    {"run", HOOK(kn_command_def, function, command_run), "fun(command: kn.command_self): boolean?",
        "Carries out a command. Returning false publishes that it was refused."},
    {"check", HOOK(kn_command_def, check, command_check), "fun(command: kn.command_self): boolean?",
        "Read-only. Returning false refuses the command."},
    {0},
};

kn_result kn_script_bind_command(
    kn_script *script, const char *name, kn_command_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_COMMAND, name, def, error);
}

// Issuing -------------------------------------------------------------------

const knl_param knl_command_options[] = {
    O("connection", KNL_T_U32, "connection of the player who sends it; default 0, this machine"),
    O("sequence", KNL_T_U32, "its number among those of the connection; default 0"),
    O("targets", KNL_T_TARGETS, "target data"),
    O_END,
};

static const kn_field *field_named(const kn_command_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->field_count; i++) {
        if (strcmp(def->fields[i].name, name) == 0) {
            return &def->fields[i];
        }
    }
    return NULL;
}

// The value at the top of the stack.
static void field_take(lua_State *L, const kn_field *field, uint8_t *record)
{
    int top = lua_gettop(L);
    uint32_t count = field->count > 1 ? field->count : 1, size = knl_field_size(field->kind);
    if (count == 1) {
        knl_field_take(L, top, knl_field_type_of(field), field->name, record + field->offset);
        return;
    }
    if (!lua_istable(L, top) || lua_rawlen(L, top) > count) {
        knl_raise(L, "`%s` is an array of at most %d", field->name, (int)count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (lua_rawgeti(L, top, (lua_Integer)i + 1) != LUA_TNIL) {
            knl_field_take(L, lua_gettop(L), knl_field_type_of(field), field->name,
                record + field->offset + i * size);
        }
        lua_pop(L, 1);
    }
}

static void payload_take(lua_State *L, int index, const kn_command_def *def, uint8_t *payload)
{
    if (!lua_istable(L, index)) {
        knl_raise(L, "the payload of `%s` is a table", def->name);
    }
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        const kn_field *field = field_named(def, name);
        if (field == NULL) {
            knl_raise(L, "command `%s` has no field `%s`", def->name, name);
        }
        field_take(L, field, payload);
        lua_pop(L, 1);
    }
}

// Copies bytes into a command that is held by value.
static const void *bytes_keep(
    lua_State *L, kn_command_data *data, uint32_t *used, const void *from, uint32_t size)
{
    if (size > sizeof(data->bytes) - *used) {
        knl_raise(L, "a batch has at most %d bytes", KN_COMMAND_BYTES_MAX);
    }
    uint8_t *at = (uint8_t *)data->bytes + *used;
    memcpy(at, from, size);
    *used += (size + 7) / 8 * 8;
    return at;
}

static void part_keys_test(lua_State *L, int index)
{
    static const char *const keys[] = {"kind", "entity", "payload", "targets"};
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool is_known = false;
        for (uint32_t i = 0; lua_type(L, -1) == LUA_TSTRING && i < 4; i++) {
            is_known |= strcmp(keys[i], lua_tostring(L, -1)) == 0;
        }
        if (!is_known) {
            knl_raise(L,
                "a part of a batch has `kind`, `entity`, `payload` and `targets`, not `%s`",
                knl_tostring(L, -1, NULL));
        }
    }
}

// The part at the top of the stack.
static void part_take(knl_args *args, kn_command_data *data, uint32_t *used, kn_command *part)
{
    lua_State *L = args->L;
    int index = lua_gettop(L);
    if (!lua_istable(L, index)) {
        knl_raise(L, "a part of a batch is a table, got %s", luaL_typename(L, index));
    }
    part_keys_test(L, index);
    const char *kind = lua_getfield(L, index, "kind") == LUA_TSTRING ? lua_tostring(L, -1) : "";
    part->type.index1 = kn_def_find(args->library, KN_DEF_COMMAND, kind);
    const kn_command_def *def = kn_command_get_def(args->library, part->type);
    if (def == NULL) {
        knl_raise(L, "there is no command `%.80s`", kind);
    }
    if (lua_getfield(L, index, "entity") != LUA_TNIL &&
        !knl_id_test(L, -1, KNL_ID_ENTITY, &part->entity.index1, &part->entity.generation)) {
        knl_raise(L, "`entity` of a part takes an entity, got %s", luaL_typename(L, -1));
    }
    uint64_t payload[KN_COMMAND_SIZE_MAX / 8] = {0};
    if (lua_getfield(L, index, "payload") != LUA_TNIL) {
        payload_take(L, lua_gettop(L), def, (uint8_t *)payload);
    }
    if (def->size > 0) {
        part->payload = bytes_keep(L, data, used, payload, def->size);
        part->size = def->size;
    }
    if (lua_getfield(L, index, "targets") != LUA_TNIL) {
        kn_target_data targets = {0};
        knl_targets_take(L, -1, args->library, &targets);
        kn_target_view view = kn_target_data_view(&targets);
        part->targets = view;
        part->targets.data = bytes_keep(L, data, used, view.data, view.size);
    }
    lua_settop(L, index - 1);
}

const knl_param knl_batch_options[] = {
    O("connection", KNL_T_U32, "connection of the player who sends it; default 0, this machine"),
    O("sequence", KNL_T_U32, "its number among those of the connection; default 0"),
    O_END,
};

int knl_world_batch(knl_args *args)
{
    lua_State *L = args->L;
    kn_command_data data; // only what is used of it is filled in
    kn_command batch = {.type = kn_command_type_batch(), .parts = data.parts};
    uint32_t used = 0;
    if (args->v[0].is_given) {
        batch.entity = args->v[0].as.entity;
    }
    int list = args->v[1].as.index;
    if (!lua_istable(L, list) || lua_rawlen(L, list) == 0 ||
        lua_rawlen(L, list) > KN_COMMAND_PARTS_MAX) {
        knl_raise(L, "a batch has a list of 1 to %d parts", KN_COMMAND_PARTS_MAX);
    }
    batch.part_count = (uint32_t)lua_rawlen(L, list);
    for (uint32_t i = 0; i < batch.part_count; i++) {
        data.parts[i] = (kn_command){0};
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        part_take(args, &data, &used, &data.parts[i]);
    }
    batch.connection = knl_u32_arg(knl_option(&args->v[2], 0), 0);
    batch.sequence = knl_u32_arg(knl_option(&args->v[2], 1), 0);
    kn_error error;
    kn_result result = kn_world_command(args->writable, &batch, &error);
    if (result == KN_ERROR_BAD_DATA) {
        knl_raise(L, "%s", error.message);
    }
    return knl_push_result(args, result);
}

int knl_world_command(knl_args *args)
{
    kn_command command = {.type = {kn_def_find(args->library, KN_DEF_COMMAND, args->v[0].as.text)}};
    const kn_command_def *def = kn_command_get_def(args->library, command.type);
    if (def == NULL) {
        knl_raise(args->L, "there is no command `%s`", args->v[0].as.text);
    }
    uint64_t payload[KN_COMMAND_SIZE_MAX / 8] = {0};
    kn_target_data targets = {0};
    if (args->v[1].is_given) {
        command.entity = args->v[1].as.entity;
    }
    if (!lua_isnoneornil(args->L, args->v[2].as.index)) {
        payload_take(args->L, args->v[2].as.index, def, (uint8_t *)payload);
    }
    const knl_value *options = &args->v[3];
    command.connection = knl_u32_arg(knl_option(options, 0), 0);
    command.sequence = knl_u32_arg(knl_option(options, 1), 0);
    if (knl_option(options, 2)->is_given) {
        knl_targets_take(args->L, knl_option(options, 2)->as.index, args->library, &targets);
        command.targets = kn_target_data_view(&targets);
    }
    command.payload = def->size > 0 ? payload : NULL;
    command.size = def->size;
    kn_error error;
    kn_result result = kn_world_command(args->writable, &command, &error);
    if (result == KN_ERROR_BAD_DATA) {
        knl_raise(args->L, "%s", error.message);
    }
    return knl_push_result(args, result);
}
