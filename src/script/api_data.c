// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Things with many parts as plain tables: records, targets, results of tasks, reactions; and the
// names of enums.

#include "rows.h"

#include <string.h>

const char *const knl_op_names[] = {"add", "multiply", "divide", "multiply_additive",
    "divide_additive", "multiply_compound", "divide_compound", "add_final", "override", NULL};
const char *const knl_removal_names[] = {"", "expired", "by_call", "dispelled", "by_effect",
    "overwritten", "requirement", "target_died", "source_gone", "parent_ended", "charges_used",
    "stack_cleared", "shortened", "mispredicted", "rule", NULL};
const char *const knl_end_names[] = {"", "ended", "cancelled", "by_tags", "retriggered", "removed",
    "owner_gone", "failed", "tag_lost", "rejected", "remote", NULL};
const char *const knl_fail_names[] = {"stale", "networking", "dead", "blocked", "missing_tags",
    "cooldown", "cost", "active", "custom", "not_ready", "no_target", NULL};
const char *const knl_trigger_names[] = {"event", "tag_added", "tag_removed", "attribute_changed",
    "effect_applied", "effect_removed", "effect_stacks", "ability_activated", "ability_committed",
    "ability_ended", "overlap", "movement", NULL};
const char *const knl_task_kind_names[] = {"", "delay", "repeat", "event", "tag_added",
    "tag_removed", "tag_query", "attribute", "threshold", "effect_applied", "effect_removed",
    "effect_stacks", "ability_activated", "ability_committed", "ability_ended", "input_pressed",
    "input_released", "confirm", "overlap", "movement", "animation", "spawn", "motion", "state",
    "net_sync", "target", "cue", "custom", NULL};
const char *const knl_task_output_names[] = {"", "fired", "finished", "confirmed", "cancelled",
    "blend_out", "completed", "interrupted", "notify", "timed_out", "gone", NULL};
const char *const knl_compare_names[] = {
    "less", "less_equal", "equal", "not_equal", "greater_equal", "greater", NULL};

_Static_assert(sizeof(knl_op_names) / sizeof(char *) == KN_OP_COUNT + 1, "a name is missing");
_Static_assert(
    sizeof(knl_removal_names) / sizeof(char *) == KN_REMOVAL_REASON_COUNT + 1, "a name is missing");
_Static_assert(
    sizeof(knl_end_names) / sizeof(char *) == KN_END_REASON_COUNT + 1, "a name is missing");
_Static_assert(sizeof(knl_fail_names) / sizeof(char *) == KN_FAIL_COUNT + 1, "a name is missing");
_Static_assert(
    sizeof(knl_trigger_names) / sizeof(char *) == KN_TRIGGER_COUNT + 1, "a name is missing");
_Static_assert(
    sizeof(knl_task_kind_names) / sizeof(char *) == KN_TASK_KIND_COUNT + 1, "a name is missing");
_Static_assert(
    sizeof(knl_compare_names) / sizeof(char *) == KN_COMPARE_COUNT + 1, "a name is missing");

// Targets -------------------------------------------------------------------

// The record at `bytes` as a table of its fields.
static void fields_push(lua_State *L, const kn_field *fields, uint32_t count, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        if (field->count <= 1) {
            knl_field_push(L, field->kind, bytes + field->offset);
        } else {
            lua_createtable(L, (int)field->count, 0);
            for (uint32_t e = 0; e < field->count; e++) {
                knl_field_push(
                    L, field->kind, bytes + field->offset + e * knl_field_size(field->kind));
                lua_rawseti(L, -2, (lua_Integer)e + 1);
            }
        }
        knl_set_field(L, field->name);
    }
}

// Fields that the table at `index` has, into the record.
static void fields_take(
    lua_State *L, int index, const kn_field *fields, uint32_t count, uint8_t *bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        uint8_t *at = bytes + field->offset;
        if (lua_getfield(L, index, field->name) != LUA_TNIL) {
            if (field->count <= 1) {
                knl_field_take(L, -1, field->kind, field->name, at);
            } else if (lua_type(L, -1) == LUA_TTABLE) {
                for (uint32_t e = 0; e < field->count; e++) {
                    lua_geti(L, -1, (lua_Integer)e + 1);
                    knl_field_take(
                        L, -1, field->kind, field->name, at + e * knl_field_size(field->kind));
                    lua_pop(L, 1);
                }
            } else {
                knl_raise(L, "`%s` takes an array", field->name);
            }
        }
        lua_pop(L, 1);
    }
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
        fields_push(L, def->fields, def->field_count, (const uint8_t *)copy);
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
        fields_take(L, lua_gettop(L), def->fields, def->field_count, (uint8_t *)record);
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

void knl_record_push(lua_State *L, const kn_world *world, const kn_event_record *record)
{
    lua_createtable(L, 0, 8);
    knl_tag_push(L, record->tag);
    knl_set_field(L, "tag");
    knl_text_push(L, kn_event_kind_name(kn_world_library(world), record->kind));
    knl_set_field(L, "kind");
    KNL_PUSH_ID(L, KNL_ID_ENTITY, record->instigator);
    knl_set_field(L, "instigator");
    KNL_PUSH_ID(L, KNL_ID_ENTITY, record->target);
    knl_set_field(L, "target");
    lua_pushnumber(L, (double)record->magnitude);
    knl_set_field(L, "magnitude");
    lua_pushinteger(L, (lua_Integer)record->object);
    knl_set_field(L, "object");
    lua_pushinteger(L, (lua_Integer)record->object2);
    knl_set_field(L, "object2");
    knl_tags_push(L, record->tags);
    knl_set_field(L, "tags");
    if (record->data_size > 0) {
        knl_targets_push(L, world, (kn_target_view){record->data, record->data_size});
        knl_set_field(L, "targets");
    }
}

enum {
    RECORD_KIND,
    RECORD_TAG,
    RECORD_TAGS,
    RECORD_INSTIGATOR,
    RECORD_TARGET,
    RECORD_MAGNITUDE,
    RECORD_OBJECT,
    RECORD_OBJECT2,
    RECORD_TARGETS,
    RECORD_IGNORE_MODIFIERS,
    RECORD_IGNORE_GATES,
};

const knl_param knl_record_options[] = {
    O("kind", T_EVENT_KIND, "the event kind; needed to run it"),
    O("tag", T_TAG, "the event's tag, for those who receive it"),
    O("tags", KNL_T_TAGS, "additional tags that describe it"),
    O("instigator", T_ENTITY, "the entity that causes it"),
    O("target", T_ENTITY, "the entity it happens to"),
    O("magnitude", KNL_T_NUMBER, "the magnitude"),
    O("object", KNL_T_INTEGER, "64 bits for the host"),
    O("object2", KNL_T_INTEGER, "64 bits for the host"),
    O("targets", KNL_T_TARGETS, "target data"),
    O("ignore_modifiers", KNL_T_BOOL, "runs it without modifiers"),
    O("ignore_gates", KNL_T_BOOL, "nothing can veto it"),
    O_END,
};

void knl_record_take(
    knl_args *args, const knl_value *options, kn_event_record *record, kn_target_data *data)
{
    *record = kn_event_record_default();
    record->kind.index1 = knl_u32_arg(&options[RECORD_KIND], 0);
    record->tag = knl_tag_arg(&options[RECORD_TAG]);
    if (options[RECORD_TAGS].is_given) {
        record->tags = options[RECORD_TAGS].as.tags;
    }
    record->instigator = options[RECORD_INSTIGATOR].as.entity;
    record->target = options[RECORD_TARGET].as.entity;
    record->magnitude = knl_float_arg(&options[RECORD_MAGNITUDE], record->magnitude);
    record->object = (uint64_t)options[RECORD_OBJECT].as.integer;
    record->object2 = (uint64_t)options[RECORD_OBJECT2].as.integer;
    record->ignore_modifiers = options[RECORD_IGNORE_MODIFIERS].as.flag;
    record->ignore_gates = options[RECORD_IGNORE_GATES].as.flag;
    if (options[RECORD_TARGETS].is_given) {
        knl_targets_take(args->L, options[RECORD_TARGETS].as.index, args->library, data);
        record->data = data->bytes;
        record->data_size = data->size;
    }
}

// Results and reactions -----------------------------------------------------

void knl_reaction_push(lua_State *L, const kn_world *world, const kn_reaction *reaction)
{
    lua_createtable(L, 0, 16);
    knl_enum_push(L, knl_trigger_names, reaction->trigger);
    knl_set_field(L, "trigger");
    KNL_PUSH_ID(L, KNL_ID_ENTITY, reaction->entity);
    knl_set_field(L, "entity");
    knl_tag_push(L, reaction->tag);
    knl_set_field(L, "tag");
    knl_attribute_push(L, reaction->attribute);
    knl_set_field(L, "attribute");
    lua_pushinteger(L, reaction->key);
    knl_set_field(L, "key");
    lua_pushnumber(L, (double)reaction->old_value);
    knl_set_field(L, "old_value");
    lua_pushnumber(L, (double)reaction->new_value);
    knl_set_field(L, "new_value");
    lua_pushinteger(L, reaction->old_count);
    knl_set_field(L, "old_count");
    lua_pushinteger(L, reaction->new_count);
    knl_set_field(L, "new_count");
    KNL_PUSH_ID(L, KNL_ID_EFFECT, reaction->effect);
    knl_set_field(L, "effect");
    knl_effect_type_push(L, world, reaction->effect_type);
    knl_set_field(L, "effect_type");
    knl_enum_push(L, knl_removal_names, reaction->reason);
    knl_set_field(L, "reason");
    KNL_PUSH_ID(L, KNL_ID_ENTITY, reaction->instigator);
    knl_set_field(L, "instigator");
    lua_pushnumber(L, (double)reaction->magnitude);
    knl_set_field(L, "magnitude");
    KNL_PUSH_ID(L, KNL_ID_ABILITY, reaction->ability);
    knl_set_field(L, "ability");
    KNL_PUSH_ID(L, KNL_ID_ACTIVATION, reaction->activation);
    knl_set_field(L, "activation");
    knl_enum_push(L, knl_end_names, reaction->end_reason);
    knl_set_field(L, "end_reason");
}

static void result_effect(lua_State *L, const kn_world *world, const kn_task_result *result)
{
    KNL_PUSH_ID(L, KNL_ID_EFFECT, result->data.effect.effect);
    knl_set_field(L, "effect");
    knl_effect_type_push(L, world, result->data.effect.type);
    knl_set_field(L, "type");
    lua_pushinteger(L, result->data.effect.count);
    knl_set_field(L, "count");
    lua_pushinteger(L, result->data.effect.old_count);
    knl_set_field(L, "old_count");
    knl_enum_push(L, knl_removal_names, result->data.effect.reason);
    knl_set_field(L, "reason");
}

static void result_ability(lua_State *L, const kn_task_result *result)
{
    KNL_PUSH_ID(L, KNL_ID_ABILITY, result->data.ability.ability);
    knl_set_field(L, "ability");
    KNL_PUSH_ID(L, KNL_ID_ACTIVATION, result->data.ability.activation);
    knl_set_field(L, "activation");
    knl_enum_push(L, knl_end_names, result->data.ability.reason);
    knl_set_field(L, "reason");
}

// What a custom task reported: an array of floats.
static void result_custom(lua_State *L, const kn_task_result *result)
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
    knl_set_field(L, "data");
}

static void result_tag(lua_State *L, const kn_task_result *result)
{
    knl_tag_push(L, result->data.tag.tag);
    knl_set_field(L, "tag");
    lua_pushboolean(L, result->data.tag.is_there);
    knl_set_field(L, "is_there");
}

static void result_data(lua_State *L, const kn_world *world, const kn_task_result *result)
{
    switch (result->kind) {
    case KN_TASK_REPEAT:
        lua_pushinteger(L, result->data.repeat.index);
        knl_set_field(L, "index");
        lua_pushboolean(L, result->data.repeat.is_last);
        knl_set_field(L, "is_last");
        break;
    case KN_TASK_EVENT:
        knl_record_push(L, world, result->data.event);
        knl_set_field(L, "event");
        break;
    case KN_TASK_TAG_ADDED:
    case KN_TASK_TAG_REMOVED:
    case KN_TASK_TAG_QUERY:
        result_tag(L, result);
        break;
    case KN_TASK_ATTRIBUTE:
    case KN_TASK_THRESHOLD:
        knl_attribute_push(L, result->data.attribute.attribute);
        knl_set_field(L, "attribute");
        lua_pushnumber(L, (double)result->data.attribute.old_value);
        knl_set_field(L, "old_value");
        lua_pushnumber(L, (double)result->data.attribute.new_value);
        knl_set_field(L, "new_value");
        break;
    case KN_TASK_EFFECT_APPLIED:
    case KN_TASK_EFFECT_REMOVED:
    case KN_TASK_EFFECT_STACKS:
        result_effect(L, world, result);
        break;
    case KN_TASK_ABILITY_ACTIVATED:
    case KN_TASK_ABILITY_COMMITTED:
    case KN_TASK_ABILITY_ENDED:
        result_ability(L, result);
        break;
    case KN_TASK_INPUT_PRESSED:
    case KN_TASK_INPUT_RELEASED:
        knl_seconds_push(L, result->data.held);
        knl_set_field(L, "held");
        break;
    case KN_TASK_OVERLAP:
    case KN_TASK_SPAWN:
        KNL_PUSH_ID(L, KNL_ID_ENTITY, result->data.entity);
        knl_set_field(L, "entity");
        break;
    case KN_TASK_MOVEMENT:
        lua_pushinteger(L, result->data.mode);
        knl_set_field(L, "mode");
        break;
    case KN_TASK_TARGET:
        knl_targets_push(L, world, result->data.targets);
        knl_set_field(L, "targets");
        break;
    default:
        break;
    }
}

void knl_task_result_push(lua_State *L, const kn_world *world, const kn_task_result *result)
{
    lua_createtable(L, 0, 8);
    KNL_PUSH_ID(L, KNL_ID_TASK, result->task);
    knl_set_field(L, "task");
    knl_enum_push(L, knl_task_kind_names, result->kind);
    knl_set_field(L, "kind");
    knl_text_push(L, kn_name_text(kn_world_library(world), result->name));
    knl_set_field(L, "name");
    if (result->output >= KN_TASK_CUSTOM_OUTPUT) {
        lua_pushinteger(L, (lua_Integer)result->output - KN_TASK_CUSTOM_OUTPUT);
    } else {
        knl_enum_push(L, knl_task_output_names, result->output);
    }
    knl_set_field(L, "output");
    if (result->kind == KN_TASK_CUSTOM) {
        result_custom(L, result);
    } else if (result->output == KN_TASK_NOTIFY) {
        result_tag(L, result);
    } else if (result->output == KN_TASK_FIRED || result->output == KN_TASK_CONFIRMED) {
        result_data(L, world, result);
    }
}
