// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Between Lua values and those of the library: ids, names, arguments by their declared types, and
// the one function through which every function of the API is called.

#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Ids -----------------------------------------------------------------------

const char *const knl_id_names[KNL_ID_COUNT] = {[KNL_ID_ENTITY] = "entity",
    [KNL_ID_EFFECT] = "effect",
    [KNL_ID_SPEC] = "spec",
    [KNL_ID_TIMER] = "timer",
    [KNL_ID_ABILITY] = "ability",
    [KNL_ID_ACTIVATION] = "activation",
    [KNL_ID_TASK] = "task"};

#define SLOT_BITS 28 // slots up to 268 million

void knl_id_push(lua_State *L, knl_id_kind kind, uint32_t index1, uint32_t generation)
{
    if (index1 == 0) {
        lua_pushnil(L);
        return;
    }
    if (index1 >> SLOT_BITS != 0) {
        knl_raise(L, "too many things for scripts");
    }
    uint64_t packed = (uint64_t)generation << 32 | (uint64_t)kind << SLOT_BITS | index1;
    lua_pushinteger(L, (lua_Integer)packed);
}

static knl_id_kind id_kind(lua_Integer packed)
{
    return (knl_id_kind)((uint64_t)packed >> SLOT_BITS & 0xf);
}

bool knl_id_test(lua_State *L, int index, knl_id_kind kind, uint32_t *index1, uint32_t *generation)
{
    if (!lua_isinteger(L, index)) {
        return false;
    }
    lua_Integer packed = lua_tointeger(L, index);
    *index1 = (uint32_t)packed & ((1u << SLOT_BITS) - 1);
    *generation = (uint32_t)((uint64_t)packed >> 32);
    return id_kind(packed) == kind && *index1 != 0;
}

// __index of numbers: the methods of an id's kind.
static int id_index(lua_State *L)
{
    knl_id_kind kind = lua_isinteger(L, 1) ? id_kind(lua_tointeger(L, 1)) : (knl_id_kind)0;
    if (kind == 0 || kind >= KNL_ID_COUNT) {
        knl_raise(L, "a number that is not an id has no `%s`", knl_tostring(L, 2, NULL));
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_CLASSES + (lua_Integer)kind);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        knl_raise(L, "an id of kind %s has no `%s`", knl_id_names[kind], knl_tostring(L, 2, NULL));
    }
    return 1;
}

// Names ---------------------------------------------------------------------

const char *const knl_name_titles[KNL_NAME_COUNT] = {[KNL_NAME_TAG] = "tag",
    [KNL_NAME_ATTRIBUTE] = "attribute",
    [KNL_NAME_ATTRIBUTE_SET] = "attribute set",
    [KNL_NAME_EFFECT_TYPE] = "effect",
    [KNL_NAME_ABILITY_TYPE] = "ability",
    [KNL_NAME_ABILITY_SET] = "ability set",
    [KNL_NAME_VALUE] = "value",
    [KNL_NAME_EVENT_KIND] = "event kind",
    [KNL_NAME_NAME] = "name",
    [KNL_NAME_CURVE] = "curve",
    [KNL_NAME_CONTAINER] = "container",
    [KNL_NAME_TIMER_TYPE] = "timer",
    [KNL_NAME_COMPONENT] = "component",
    [KNL_NAME_TASK_TYPE] = "task",
    [KNL_NAME_ANIMATION] = "animation",
    [KNL_NAME_TARGETING] = "targeting type",
    [KNL_NAME_ARCHETYPE] = "archetype",
    [KNL_NAME_SYSTEM] = "system",
    [KNL_NAME_CUSTOM_EVENT] = "custom event",
    [KNL_NAME_TICKER] = "ticker",
    [KNL_NAME_WATCH] = "watch"};

static const kn_def_kind name_kinds[KNL_NAME_COUNT] = {[KNL_NAME_TAG] = KN_DEF_TAG,
    [KNL_NAME_ATTRIBUTE] = KN_DEF_ATTRIBUTE,
    [KNL_NAME_ATTRIBUTE_SET] = KN_DEF_ATTRIBUTE_SET,
    [KNL_NAME_EFFECT_TYPE] = KN_DEF_EFFECT,
    [KNL_NAME_ABILITY_TYPE] = KN_DEF_ABILITY,
    [KNL_NAME_ABILITY_SET] = KN_DEF_ABILITY_SET,
    [KNL_NAME_VALUE] = KN_DEF_VALUE,
    [KNL_NAME_EVENT_KIND] = KN_DEF_EVENT_KIND,
    [KNL_NAME_NAME] = KN_DEF_NAME,
    [KNL_NAME_CURVE] = KN_DEF_CURVE,
    [KNL_NAME_CONTAINER] = KN_DEF_CONTAINER,
    [KNL_NAME_TIMER_TYPE] = KN_DEF_TIMER,
    [KNL_NAME_COMPONENT] = KN_DEF_COMPONENT,
    [KNL_NAME_TASK_TYPE] = KN_DEF_TASK,
    [KNL_NAME_ANIMATION] = KN_DEF_ANIMATION,
    [KNL_NAME_TARGETING] = KN_DEF_TARGETING,
    [KNL_NAME_ARCHETYPE] = KN_DEF_ARCHETYPE,
    [KNL_NAME_SYSTEM] = KN_DEF_SYSTEM,
    [KNL_NAME_CUSTOM_EVENT] = KN_DEF_CUSTOM_EVENT,
    [KNL_NAME_TICKER] = KN_DEF_TICKER,
    [KNL_NAME_WATCH] = KN_DEF_WATCH};

kn_def_kind knl_name_def_kind(knl_name_kind kind)
{
    return name_kinds[kind];
}

uint32_t knl_name_take(lua_State *L, int index, knl_name_kind kind, const char *argument)
{
    index = lua_absindex(L, index);
    if (lua_type(L, index) != LUA_TSTRING) {
        knl_raise(L, "`%s` takes the name of a %s, got %s", argument, knl_name_titles[kind],
            luaL_typename(L, index));
    }
    // A finished library does not change: what was found once stays.
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_NAMES + (lua_Integer)kind);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNUMBER) {
        uint32_t number = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 2);
        return number;
    }
    const kn_library *library = knl_vm_of(L)->script->library;
    const char *name = lua_tostring(L, index);
    uint32_t number = kn_def_find(library, name_kinds[kind], name);
    if (number == 0) {
        bool is_short = lua_rawlen(L, index) < 128; // nobody misspelt the others
        const char *near = kind == KNL_NAME_TAG && is_short ? kn_tag_suggest(library, name) : NULL;
        knl_raise(L,
            near != NULL ? "there is no %s `%.80s`; did you mean `%s`?" : "there is no %s `%.80s`",
            knl_name_titles[kind], name, near);
    }
    if (kn_library_is_finished(library)) {
        lua_pushvalue(L, index);
        lua_pushinteger(L, number);
        lua_rawset(L, -4);
    }
    lua_pop(L, 2);
    return number;
}

void knl_text_push(lua_State *L, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        lua_pushnil(L);
    } else {
        lua_pushstring(L, text);
    }
}

void knl_tag_push(lua_State *L, kn_tag tag)
{
    knl_text_push(L, kn_tag_name(knl_vm_of(L)->script->library, tag));
}

void knl_attribute_push(lua_State *L, kn_attribute_id attribute)
{
    knl_text_push(L, kn_attribute_name(knl_vm_of(L)->script->library, attribute));
}

void knl_effect_type_push(lua_State *L, const kn_world *world, kn_effect_type_id type)
{
    knl_text_push(L, kn_effect_type_name(world, type));
}

void knl_ability_type_push(lua_State *L, kn_ability_type_id type)
{
    knl_text_push(L, kn_ability_type_name(knl_vm_of(L)->script->library, type));
}

// Values --------------------------------------------------------------------

void knl_vec3_push(lua_State *L, kn_vec3 vec)
{
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, (double)vec.x);
    lua_setfield(L, -2, "x");
    lua_pushnumber(L, (double)vec.y);
    lua_setfield(L, -2, "y");
    lua_pushnumber(L, (double)vec.z);
    lua_setfield(L, -2, "z");
}

bool knl_vec3_take(lua_State *L, int index, kn_vec3 *vec)
{
    static const char *const names[3] = {"x", "y", "z"};
    float out[3];
    if (lua_type(L, index) != LUA_TTABLE) {
        return false;
    }
    index = lua_absindex(L, index);
    for (int i = 0; i < 3; i++) {
        bool is_number = lua_getfield(L, index, names[i]) == LUA_TNUMBER;
        out[i] = (float)lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (!is_number || isnan(out[i])) {
            return false;
        }
    }
    *vec = (kn_vec3){out[0], out[1], out[2]};
    return true;
}

void knl_seconds_push(lua_State *L, kn_time time)
{
    if (time == KN_TIME_INFINITE) {
        lua_pushnil(L);
    } else {
        lua_pushnumber(L, kn_time_to_seconds(time));
    }
}

void knl_set_field(lua_State *L, const char *name)
{
    lua_setfield(L, -2, name);
}

void knl_tags_push(lua_State *L, kn_tags tags)
{
    lua_createtable(L, (int)tags.count, 0);
    for (uint32_t i = 0; i < tags.count; i++) {
        knl_tag_push(L, tags.data[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static const char *const refusals[] = {[KN_REFUSED_STALE_ID] = "stale_id",
    [KN_REFUSED_BLOCKED] = "blocked",
    [KN_REFUSED_REQUIREMENT] = "requirement",
    [KN_REFUSED_CUSTOM] = "custom",
    [KN_REFUSED_CHANCE] = "chance",
    [KN_REFUSED_STACK_DENIED] = "stack_denied",
    [KN_REFUSED_EXCLUSIVE] = "exclusive",
    [KN_REFUSED_MISSING_VALUE] = "missing_value",
    [KN_REFUSED_MISSING_ATTRIBUTE] = "missing_attribute",
    [KN_REFUSED_BAD_NUMBER] = "bad_number",
    [KN_REFUSED_CYCLE] = "cycle",
    [KN_REFUSED_DYING] = "dying",
    [KN_REFUSED_LIMIT] = "limit",
    [KN_REFUSED_NOT_FOUND] = "not_found",
    [KN_REFUSED_DUPLICATE] = "duplicate",
    [KN_REFUSED_COOLDOWN] = "cooldown",
    [KN_REFUSED_COST] = "cost"};

const char *knl_refusal_name(kn_result result)
{
    return kn_result_is_refused(result) ? refusals[result] : NULL;
}

kn_result knl_refusal_find(const char *name)
{
    for (uint32_t i = KN_REFUSED_STALE_ID; i <= KN_REFUSED_COST; i++) {
        if (name != NULL && strcmp(refusals[i], name) == 0) {
            return (kn_result)i;
        }
    }
    return KN_REFUSED_CUSTOM;
}

int knl_push_result(knl_args *args, kn_result result)
{
    if (result == KN_OK) {
        lua_pushboolean(args->L, 1);
        return 1;
    }
    // A script that fails does not take down the one that called it.
    if (!kn_result_is_refused(result) && result != KN_ERROR_BAD_DATA) {
        knl_raise(args->L, "the call failed: %s", kn_result_name(result));
    }
    lua_pushnil(args->L);
    lua_pushstring(args->L, result == KN_ERROR_BAD_DATA ? "failed" : refusals[result]);
    return 2;
}

// Arguments -----------------------------------------------------------------

static _Noreturn void bad_argument(
    lua_State *L, int index, const knl_param *param, const char *expected)
{
    knl_raise(L, "`%s` takes %s, got %s", param->name, expected, luaL_typename(L, index));
}

static kn_tag_set *set_make(knl_args *args)
{
    if (args->set_count == KNL_SETS_MAX) {
        knl_raise(args->L, "too many lists of tags in one call");
    }
    kn_tag_set *set = &args->sets[args->set_count++];
    set->count = 0;
    return set;
}

static void tag_add(knl_args *args, kn_tag_set *set, int index, const knl_param *param)
{
    kn_tag tag = {knl_name_take(args->L, index, KNL_NAME_TAG, param->name)};
    if (kn_tag_set_add(set, tag) != KN_OK) {
        knl_raise(args->L, "`%s` has more than %d tags", param->name, KN_TAG_SET_MAX);
    }
}

static kn_tags tags_take(knl_args *args, int index, const knl_param *param)
{
    lua_State *L = args->L;
    kn_tag_set *set = set_make(args);
    if (lua_type(L, index) == LUA_TSTRING) {
        tag_add(args, set, index, param);
    } else if (lua_type(L, index) == LUA_TTABLE) {
        for (lua_Integer i = 1; lua_geti(L, index, i) != LUA_TNIL; i++) {
            tag_add(args, set, -1, param);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    } else {
        bad_argument(L, index, param, "a tag or an array of tags");
    }
    return kn_tag_set_view(set);
}

static void entities_take(knl_args *args, int index, const knl_param *param)
{
    lua_State *L = args->L;
    if (lua_type(L, index) != LUA_TTABLE) {
        bad_argument(L, index, param, "an array of entities");
    }
    args->entity_count = 0;
    for (lua_Integer i = 1; lua_geti(L, index, i) != LUA_TNIL; i++) {
        kn_entity_id id;
        if (!knl_id_test(L, -1, KNL_ID_ENTITY, &id.index1, &id.generation)) {
            bad_argument(L, -1, param, "an array of entities");
        }
        if (args->entity_count == sizeof(args->entities) / sizeof(args->entities[0])) {
            knl_raise(L, "`%s` has too many entities", param->name);
        }
        args->entities[args->entity_count++] = id;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// Pairs of a name and a number, in the order of their numbers: that of a table must not show.
static void values_take(knl_args *args, int index, const knl_param *param, knl_name_kind kind)
{
    lua_State *L = args->L;
    if (lua_type(L, index) != LUA_TTABLE) {
        bad_argument(L, index, param, "a table of name = number");
    }
    if (knl_frozen_content(L, index)) {
        lua_replace(L, index);
    }
    kn_caller_value found[KNL_VALUES_MAX];
    uint32_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        uint32_t number = knl_name_take(L, lua_gettop(L) - 1, kind, param->name);
        if (lua_type(L, -1) != LUA_TNUMBER || count == KNL_VALUES_MAX) {
            knl_raise(
                L, "`%s` takes at most %d pairs of name = number", param->name, KNL_VALUES_MAX);
        }
        uint32_t at = count++;
        for (; at > 0 && found[at - 1].tag.index1 > number; at--) {
            found[at] = found[at - 1];
        }
        found[at] = (kn_caller_value){{number}, (float)lua_tonumber(L, -1)};
        lua_pop(L, 1);
    }
    if (kind == KNL_NAME_TAG) {
        memcpy(args->caller, found, count * sizeof(found[0]));
        args->caller_count = count;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        args->named[i] = (kn_named_value){{found[i].tag.index1}, found[i].value};
    }
    args->named_count = count;
}

static uint32_t enum_take(lua_State *L, int index, const knl_param *param)
{
    const char *const *words = param->extra;
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    for (uint32_t i = 0; i < param->number; i++) {
        if (words[i][0] != '\0' && strcmp(words[i], word) == 0) {
            return i;
        }
    }
    knl_raise(L, "`%s` does not take `%s`; see docs/lua-api.md", param->name,
        knl_tostring(L, index, NULL));
    return 0;
}

static void id_argument(knl_args *args, int index, const knl_param *param, knl_data *out)
{
    lua_State *L = args->L;
    knl_id_kind kind = (knl_id_kind)(param->type - KNL_T_ID);
    if (kind == KNL_ID_ACTIVATION && lua_type(L, index) == LUA_TUSERDATA) {
        const knl_frame *frame = knl_self_frame(L, index);
        if (frame->ability == NULL) {
            bad_argument(L, index, param, "a running ability");
        }
        out->activation = frame->ability->activation;
        return;
    }
    // All live ids have the same form.
    if (!knl_id_test(L, index, kind, &out->entity.index1, &out->entity.generation)) {
        knl_raise(L, "`%s` takes an id of kind %s, got %s", param->name, knl_id_names[kind],
            luaL_typename(L, index));
    }
}

// A definition of a kind that has no names of its own in scripts, such as one of a kit.
static uint32_t def_take(knl_args *args, int index, const knl_param *param)
{
    lua_State *L = args->L;
    const kn_def_field *field = param->extra;
    kn_def_kind kind = field != NULL ? (kn_def_kind)field->limit : KN_DEF_KIND_COUNT;
    const char *title = kn_kind_name(args->library, kind);
    if (lua_type(L, index) != LUA_TSTRING) {
        knl_raise(
            L, "`%s` takes the name of a %s, got %s", param->name, title, luaL_typename(L, index));
    }
    uint32_t number = kn_def_find(args->library, kind, lua_tostring(L, index));
    if (number == 0) {
        knl_raise(L, "there is no %s `%.80s`", title, lua_tostring(L, index));
    }
    return number;
}

static void integer_check(lua_State *L, const knl_param *param, const knl_value *value)
{
    int64_t integer = value->as.integer;
    if (value->field != NULL && value->field->kind == KN_FIELD_I32 &&
        (integer < INT32_MIN || integer > INT32_MAX)) {
        knl_raise(L, "`%s` takes an integer from -2147483648 to 2147483647", param->name);
    }
}

static void argument_take(knl_args *args, int index, const knl_param *param, knl_value *value)
{
    lua_State *L = args->L;
    int type = lua_type(L, index);
    knl_data *out = &value->as;
    if (type == LUA_TNIL || type == LUA_TNONE) {
        memset(value, 0, sizeof(*value));
        if (param->type == KNL_T_ANY && (param->flags & KNL_OPTIONAL) != 0) {
            out->index = index; // nil may be what is meant
        }
        if ((param->flags & KNL_OPTIONAL) == 0) {
            bad_argument(L, index, param, "a value");
        }
        return;
    }
    value->is_given = true;
    value->field = NULL;
    int is_integer;
    switch (param->type) {
    case KNL_T_BOOL:
        out->flag = lua_toboolean(L, index);
        return;
    case KNL_T_INTEGER:
    case KNL_T_U32:
        out->integer = lua_tointegerx(L, index, &is_integer);
        if (type != LUA_TNUMBER || !is_integer) {
            bad_argument(L, index, param, "an integer");
        }
        if (param->type == KNL_T_U32) {
            if (out->integer < 0 || out->integer > UINT32_MAX) {
                knl_raise(L, "`%s` takes an integer from 0 to 4294967295", param->name);
            }
            out->number = (uint32_t)out->integer;
        }
        return;
    case KNL_T_NUMBER:
        if (type != LUA_TNUMBER) {
            bad_argument(L, index, param, "a number");
        }
        out->value = (float)lua_tonumber(L, index);
        return;
    case KNL_T_SECONDS:
        if (type != LUA_TNUMBER || isnan(lua_tonumber(L, index))) {
            bad_argument(L, index, param, "a number of seconds");
        }
        out->time = kn_time_from_seconds(lua_tonumber(L, index));
        return;
    case KNL_T_TEXT:
        if (type != LUA_TSTRING) {
            bad_argument(L, index, param, "text");
        }
        out->text = lua_tostring(L, index);
        return;
    case KNL_T_HANDLER:
        if (type != LUA_TSTRING || args->frame == NULL) {
            bad_argument(L, index, param, "the name of a function of the definition");
        }
        out->number = knl_handler_label(lua_tostring(L, index));
        if (knl_handler_find(args->frame->binding, out->number) == 0) {
            knl_raise(L, "`%s` is not a function of the definition", lua_tostring(L, index));
        }
        return;
    case KNL_T_VEC3:
        if (!knl_vec3_take(L, index, &out->vec)) {
            bad_argument(L, index, param, "{x =, y =, z =}");
        }
        return;
    case KNL_T_ANY:
        out->index = index;
        return;
    case KNL_T_TARGETS:
        if (type != LUA_TTABLE) {
            bad_argument(L, index, param, "an array of targets");
        }
        out->index = index;
        return;
    case KNL_T_OPTIONS:
        if (type != LUA_TTABLE) {
            bad_argument(L, index, param, "a table");
        }
        out->options = args->o + args->option_count;
        knl_options_take(args, index, param->extra, args->o + args->option_count);
        return;
    case KNL_T_TAGS:
        out->tags = tags_take(args, index, param);
        return;
    case KNL_T_VALUES:
        values_take(args, index, param, KNL_NAME_TAG);
        return;
    case KNL_T_NAMED:
        values_take(args, index, param, KNL_NAME_NAME);
        return;
    case KNL_T_ENTITIES:
        entities_take(args, index, param);
        return;
    case KNL_T_ENUM:
        out->number = enum_take(L, index, param);
        return;
    case KNL_T_FIELD: {
        knl_param plain = knl_param_plain(param);
        argument_take(args, index, &plain, value);
        value->field = knl_words((kn_struct)param->number, param->extra);
        return;
    }
    case KNL_T_MEMBER: {
        knl_param plain = knl_param_plain(param);
        argument_take(args, index, &plain, value);
        value->field = param->extra;
        integer_check(L, param, value);
        return;
    }
    case KNL_T_DEF:
        out->number = def_take(args, index, param);
        return;
    case KNL_T_SELF:
        out->frame = knl_self_frame(L, index);
        return;
    default:
        if (param->type >= KNL_T_NAME) {
            out->number =
                knl_name_take(L, index, (knl_name_kind)(param->type - KNL_T_NAME), param->name);
        } else {
            id_argument(args, index, param, out);
        }
    }
}

void knl_options_take(knl_args *args, int index, const knl_param *options, knl_value *values)
{
    lua_State *L = args->L;
    if (options == NULL) {
        return; // a row that takes none
    }
    index = lua_absindex(L, index);
    if (knl_frozen_content(L, index)) {
        lua_replace(L, index);
    }
    luaL_checkstack(L, KNL_OPTIONS_MAX + 8, NULL);
    knl_value *own = values, *field = values;
    for (const knl_param *option = options; option->type != KNL_T_END; option++) {
        field += option->type != KNL_T_FIELD;
    }
    for (const knl_param *option = options; option->type != KNL_T_END; option++) {
        // What stays on the stack is needed as long as the call: views, texts, indices.
        lua_pushstring(L, option->name);
        lua_rawget(L, index);
        argument_take(args, lua_gettop(L), option, option->type == KNL_T_FIELD ? field++ : own++);
    }
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool is_known = false;
        for (uint32_t i = 0; options[i].type != KNL_T_END && !is_known; i++) {
            is_known =
                lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), options[i].name) == 0;
        }
        if (!is_known) {
            knl_raise(L, "there is no option `%s`", knl_tostring(L, -1, NULL));
        }
    }
}

// The API -------------------------------------------------------------------

static uint32_t options_count(const knl_param *options)
{
    uint32_t count = 0;
    while (options[count].type != KNL_T_END) {
        count++;
    }
    return count;
}

#define CALL_COST 10
#define LIST_COST 4 // of each element of a list

// A call costs something, and all the text it is given: it may be a query.
static void api_charge(lua_State *L)
{
    uint64_t cost = CALL_COST;
    for (int i = lua_gettop(L); i > 0; i--) {
        cost += lua_type(L, i) == LUA_TSTRING ? lua_rawlen(L, i) : 0;
    }
    knl_charge(L, cost);
}

// What a function that looks through many things costs more.
static void walk_charge(const knl_args *args, const knl_row *row)
{
    if ((row->flags & KNL_EFFECTS) != 0) {
        knl_charge(args->L, kn_effects_count(args->world, args->v[0].as.entity));
    }
    if ((row->flags & KNL_SPACE) != 0) {
        knl_charge(args->L, kn_entity_count(args->world));
    }
}

static int api_call(lua_State *L)
{
    const knl_row *row = lua_touserdata(L, lua_upvalueindex(1));
    uint8_t receiver = (uint8_t)lua_tointeger(L, lua_upvalueindex(2));
    knl_vm *vm = knl_vm_of(L);
    knl_frame *frame = vm->depth > 0 ? vm->frames[vm->depth] : NULL;
    if (frame == NULL) {
        knl_raise(L, "`%s`: there is no world while a chunk is being loaded", row->name);
    }
    api_charge(L);
    if (frame->world == NULL) {
        knl_raise(
            L, "`%s`: a %s cannot access the world", row->name, knl_binding_title(frame->binding));
    }
    if ((row->flags & KNL_CHANGES) != 0 && frame->writable == NULL) {
        knl_raise(L, "`%s` changes the world, but this call may only read", row->name);
    }
    knl_args args;
    args.L = L;
    args.vm = vm;
    args.world = frame->world;
    args.writable = frame->writable;
    args.library = vm->script->library;
    args.frame = frame;
    args.row = row;
    args.set_count = 0;
    args.caller_count = 0;
    args.named_count = 0;
    args.entity_count = 0;
    args.option_count = 0;
    memset(&args.v[0], 0, sizeof(args.v[0])); // a function may have no receiver
    int index = 0;
    int count = receiver != KNL_T_END ? 1 : 0;
    for (const knl_param *param = row->params; param != NULL && param->type != KNL_T_END; param++) {
        count++;
    }
    lua_settop(L, count); // what options leave on the stack is not an argument that was left out
    if (receiver != KNL_T_END) {
        const knl_param self = {"self", receiver, 0, 0, NULL, NULL};
        argument_take(&args, 1, &self, &args.v[index++]);
    }
    const knl_param *params = row->params;
    for (; params != NULL && params->type != KNL_T_END; params++, index++) {
        uint32_t options = params->type == KNL_T_OPTIONS ? options_count(params->extra) : 0;
        memset(&args.o[args.option_count], 0, options * sizeof(knl_value));
        argument_take(&args, index + 1, params, &args.v[index]);
        args.option_count += options;
    }
    walk_charge(&args, row);
    int results = row->call(&args);
    if (results > 0 && lua_type(L, -results) == LUA_TTABLE) {
        knl_charge(L, LIST_COST * lua_rawlen(L, -results));
    }
    return results;
}

// A pointer to something that never changes.
static void push_constant(lua_State *L, const void *constant)
{
    void *pointer;
    memcpy(&pointer, &constant, sizeof(pointer));
    lua_pushlightuserdata(L, pointer);
}

static void rows_open(lua_State *L, const knl_row *rows, uint8_t receiver)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        push_constant(L, rows);
        lua_pushinteger(L, receiver);
        lua_pushcclosure(L, api_call, 2);
        lua_setfield(L, -2, rows->name);
    }
}

// What a self has besides methods: upvalue 1 maps names to rows, or to the numbers of fields of the
// struct of its class, which is upvalue 2. It is reached through the table of methods, so that
// calling a method does not come by here, and the self is not at hand; but a call has one self
// only.
static int self_index(lua_State *L)
{
    const knl_vm *vm = knl_vm_of(L);
    lua_pushvalue(L, 2);
    int type = lua_rawget(L, lua_upvalueindex(1));
    if (type == LUA_TNIL || vm->depth == 0) {
        knl_raise(L, "self has no `%s` here", knl_tostring(L, 2, NULL));
    }
    const knl_frame *frame = vm->frames[vm->depth];
    if (type == LUA_TNUMBER) {
        const knl_class *class = lua_touserdata(L, lua_upvalueindex(2));
        const kn_def_table *table = kn_struct_table((kn_struct)(class->struct1 - 1));
        const void *from;
        memcpy(&from, (const uint8_t *)frame + class->at, sizeof(from));
        knl_member_push(L, table, &table->fields[lua_tointeger(L, -1)], from);
        return 1;
    }
    const knl_field_row *field = lua_touserdata(L, -1);
    field->push(L, frame);
    return 1;
}

static int self_newindex(lua_State *L)
{
    knl_raise(
        L, "self.%s cannot be assigned: keep what changes in self.state", knl_tostring(L, 2, NULL));
}

// Rows whose receiver is an activation serve a running ability as well.
static void self_class_open(lua_State *L, int kind)
{
    const knl_class *class = knl_self_classes[kind];
    lua_newtable(L); // the metatable
    lua_newtable(L); // methods
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        bool is_activation = kind == KNL_SELF_RUNNING && i == 1;
        rows_open(
            L, class->rows[i], is_activation ? KNL_T_ID + KNL_ID_ACTIVATION : (uint8_t)KNL_T_SELF);
    }
    rows_open(L, knl_own_rows(knl_vm_of(L)->script->own, class), KNL_T_ID + KNL_ID_ACTIVATION);
    lua_createtable(L, 0, 1);
    lua_newtable(L); // fields
    const kn_def_table *table =
        class->struct1 > 0 ? kn_struct_table((kn_struct)(class->struct1 - 1)) : NULL;
    for (const knl_field_row *row = class->fields; row->name != NULL; row++) {
        if (row->push == NULL) {
            const kn_def_field *field = kn_def_field_find(table, row->field);
            KN_ASSERT(field != NULL);
            lua_pushinteger(L, field - table->fields);
        } else {
            push_constant(L, row);
        }
        lua_setfield(L, -2, row->name);
    }
    push_constant(L, class);
    lua_pushcclosure(L, self_index, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, self_newindex);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_META + kind);
}

void knl_api_open(lua_State *L, int globals)
{
    lua_newtable(L);
    for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
        rows_open(L, knl_class_world.rows[i], KNL_T_END);
    }
    lua_setfield(L, globals, "world");
    const knl_own *own = knl_vm_of(L)->script->own;
    const knl_class *module;
    for (uint32_t i = 0; (module = knl_own_module(own, i)) != NULL; i++) {
        lua_newtable(L);
        rows_open(L, module->rows[0], KNL_T_END);
        lua_setfield(L, globals, module->name);
    }
    for (int kind = 1; kind < KNL_ID_COUNT; kind++) {
        lua_newtable(L);
        for (uint32_t i = 0; i < KNL_ROWS_MAX; i++) {
            rows_open(L, knl_id_classes[kind]->rows[i], (uint8_t)(KNL_T_ID + kind));
        }
        rows_open(L, knl_own_rows(own, knl_id_classes[kind]), (uint8_t)(KNL_T_ID + kind));
        lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_CLASSES + kind);
    }
    for (int kind = 0; kind < KNL_SELF_COUNT; kind++) {
        self_class_open(L, kind);
    }
    // All numbers share one metatable: ids are numbers.
    lua_pushinteger(L, 0);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, id_index);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
