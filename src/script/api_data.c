// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Things with many parts as plain tables: targets, event records, results of tasks.

#include "rows.h"

#include <string.h>

// Targets -------------------------------------------------------------------

// The record at `bytes` as a table of its fields.
void knl_record_fields_push(
    lua_State *L, const kn_field *fields, uint32_t count, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        knl_field_type type = knl_field_type_of(field);
        if (field->count <= 1) {
            knl_field_push(L, type, bytes + field->offset);
        } else {
            lua_createtable(L, (int)field->count, 0);
            for (uint32_t e = 0; e < field->count; e++) {
                knl_field_push(L, type, bytes + field->offset + e * knl_field_size(field->kind));
                lua_rawseti(L, -2, (lua_Integer)e + 1);
            }
        }
        knl_set_field(L, field->name);
    }
}

// Fields that the table at `index` has, into the record.
void knl_record_fields_take(
    lua_State *L, int index, const kn_field *fields, uint32_t count, uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        uint8_t *at = bytes + field->offset;
        knl_field_type type = knl_field_type_of(field);
        if (lua_getfield(L, index, field->name) != LUA_TNIL) {
            if (field->count <= 1) {
                knl_field_take(L, -1, type, field->name, at);
            } else if (lua_type(L, -1) == LUA_TTABLE) {
                for (uint32_t e = 0; e < field->count; e++) {
                    lua_geti(L, -1, (lua_Integer)e + 1);
                    knl_field_take(L, -1, type, field->name, at + e * knl_field_size(field->kind));
                    lua_pop(L, 1);
                }
            } else {
                knl_raise(L, "`%s` takes an array", field->name);
            }
        }
        lua_pop(L, 1);
    }
}

// Custom events -------------------------------------------------------------

#define PUBLISH_FIELD_COST 4

// Every key of the table at `index` is a field.
static void fields_test(lua_State *L, int index, const kn_custom_event_def *def)
{
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool is_known = false;
        for (uint32_t i = 0; lua_type(L, -1) == LUA_TSTRING && i < def->field_count; i++) {
            is_known |= strcmp(def->fields[i].name, lua_tostring(L, -1)) == 0;
        }
        if (!is_known) {
            knl_raise(
                L, "custom event `%s` has no field `%s`", def->name, knl_tostring(L, -1, NULL));
        }
    }
}

int knl_publish(
    knl_args *args, kn_entity_id entity, kn_custom_event_id kind, const knl_value *fields)
{
    const kn_custom_event_def *def = kn_custom_event_get_def(args->library, kind);
    uint64_t payload[KN_CUSTOM_EVENT_SIZE_MAX / 8];
    memset(payload, 0, def->size);
    knl_charge(args->L, (uint64_t)def->field_count * PUBLISH_FIELD_COST);
    if (fields->is_given) {
        if (lua_type(args->L, fields->as.index) != LUA_TTABLE) {
            knl_raise(args->L, "`fields` takes a table, got %s",
                luaL_typename(args->L, fields->as.index));
        }
        fields_test(args->L, fields->as.index, def);
        knl_record_fields_take(
            args->L, fields->as.index, def->fields, def->field_count, (uint8_t *)payload);
    }
    return knl_push_result(args, kn_world_publish(args->writable, entity, kind, payload));
}

// The types every library has go by short names.
static const char *const short_names[] = {"", "entity", "hit", "location", "line"};

static kn_target_type_id target_type_find(const kn_library *library, const char *name)
{
    for (uint32_t i = 1; i < sizeof(short_names) / sizeof(short_names[0]); i++) {
        if (strcmp(short_names[i], name) == 0) {
            return (kn_target_type_id){i};
        }
    }
    return (kn_target_type_id){kn_def_find(library, KN_DEF_TARGET, name)};
}

void knl_targets_push(lua_State *L, const kn_world *world, kn_target_view view)
{
    uint32_t count = kn_target_count(view);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        kn_target_type_id type = kn_target_type_at(view, i);
        const kn_target_type_def *def = kn_target_type_get_def(kn_world_library(world), type);
        if (def == NULL) {
            continue;
        }
        uint64_t copy[512 / 8]; // the view may lie where the next allocation moves it
        memcpy(copy, kn_target_get(view, i, type), def->size);
        lua_createtable(L, 0, (int)def->field_count + 1);
        lua_pushstring(L, type.index1 < sizeof(short_names) / sizeof(short_names[0])
                              ? short_names[type.index1]
                              : def->name);
        knl_set_field(L, "type");
        knl_record_fields_push(L, def->fields, def->field_count, (const uint8_t *)copy);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

// The record on the top of the stack.
static void target_take(lua_State *L, const kn_library *library, kn_target_data *data)
{
    uint64_t record[512 / 8] = {0};
    kn_target_type_id type = kn_target_type_entity();
    kn_entity_id entity;
    if (knl_id_test(L, -1, KNL_ID_ENTITY, &entity.index1, &entity.generation)) {
        memcpy(record, &entity, sizeof(entity));
    } else if (lua_type(L, -1) == LUA_TTABLE) {
        if (lua_getfield(L, -1, "type") == LUA_TSTRING) {
            type = target_type_find(library, lua_tostring(L, -1));
        }
        lua_pop(L, 1);
        const kn_target_type_def *def = kn_target_type_get_def(library, type);
        if (def == NULL) {
            knl_raise(L, "a target has an unknown type");
        }
        knl_record_fields_take(L, lua_gettop(L), def->fields, def->field_count, (uint8_t *)record);
    } else {
        knl_raise(L, "a target must be an entity or a table, got %s", luaL_typename(L, -1));
    }
    if (kn_target_add(library, data, type, record) != KN_OK) {
        knl_raise(L, "too many targets");
    }
}

void knl_targets_take(lua_State *L, int index, const kn_library *library, kn_target_data *data)
{
    data->size = 0;
    data->count = 0;
    index = lua_absindex(L, index);
    for (lua_Integer i = 1; lua_geti(L, index, i) != LUA_TNIL; i++) {
        target_take(L, library, data);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// Records -------------------------------------------------------------------

#define RECORD(name, doc) O_FIELD(name, KN_STRUCT_EVENT_RECORD, name, doc)

const knl_param knl_record_options[] = {
    RECORD("kind", "the event kind; needed to run it"),
    RECORD("tag", "the event's tag, for those who receive it"),
    RECORD("tags", "additional tags that describe it"),
    RECORD("instigator", "the entity that causes it"),
    RECORD("target", "the entity it happens to"),
    RECORD("magnitude", "the magnitude"),
    RECORD("object", "64 bits for the host"),
    RECORD("object2", "64 bits for the host"),
    O_FIELD("targets", KN_STRUCT_EVENT_RECORD, "data", "target data"),
    RECORD("ignore_modifiers", "runs it without modifiers"),
    RECORD("ignore_gates", "nothing can veto it"),
    O_END,
};

void knl_record_take(
    knl_args *args, const knl_value *options, kn_event_record *record, kn_target_data *data)
{
    *record = kn_event_record_default();
    (void)knl_options_fill(args, knl_record_options, options, KN_STRUCT_EVENT_RECORD, record, data);
}

// Results of tasks ----------------------------------------------------------

// What a custom task reported: an array of floats.
static void custom_push(lua_State *L, const kn_task_result *result)
{
    uint32_t count = result->data.custom.size / (uint32_t)sizeof(float);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        float value;
        memcpy(
            &value, (const uint8_t *)result->data.custom.data + i * sizeof(float), sizeof(value));
        lua_pushnumber(L, (double)value);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

void knl_task_result_push(lua_State *L, const kn_task_result *result)
{
    const kn_def_table *data = kn_task_data_table(result->kind);
    bool is_custom = result->kind == KN_TASK_CUSTOM;
    knl_struct_push(L, KNL_RESULT_TASK_RESULT, result);
    if (result->output >= KN_TASK_CUSTOM_OUTPUT) {
        lua_pushinteger(L, (lua_Integer)result->output - KN_TASK_CUSTOM_OUTPUT);
    } else {
        knl_word_push(L, knl_words(WORDS_TASK_OUTPUT), result->output);
    }
    knl_set_field(L, "output");
    bool has_data = result->output == KN_TASK_FIRED || result->output == KN_TASK_CONFIRMED ||
                    result->output == KN_TASK_NOTIFY;
    if (is_custom) {
        custom_push(L, result);
        knl_set_field(L, "data");
    } else if (has_data && result->kind == KN_TASK_EVENT) {
        knl_struct_push(L, KNL_RESULT_EVENT, result->data.event);
        knl_set_field(L, "event");
    } else if (has_data && data != NULL) {
        knl_fields_add(L, data, result);
    }
}
