// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// State of scripts: a table of typed fields, laid out in the plain bytes that the world owns.
// `kn.u32` and the like are values of a type of their own while a chunk is loaded; `self.state`
// reads and writes the bytes directly. Fields are ordered by size, largest first, then by name, so
// that the layout depends only on names and types. The library gets the same fields and saves them
// by name.

#include "internal.h"

#include <math.h>
#include <string.h>

#define SET_NAME ".set" // appended to the name of a field: the byte that says it was written

typedef struct field_kind {
    const char *name;
    uint32_t kind;
    uint32_t size;
    const char *doc;
} field_kind;

static const field_kind kinds[] = {
    {"bool", KN_FIELD_BOOL, 1, "true or false"},
    {"u8", KN_FIELD_U8, 1, "0 to 255"},
    {"u16", KN_FIELD_U16, 2, "0 to 65,535"},
    {"u32", KN_FIELD_U32, 4, "0 to 4,294,967,295"},
    {"i32", KN_FIELD_I32, 4, "-2,147,483,648 to 2,147,483,647"},
    {"i64", KN_FIELD_I64, 8, "an integer"},
    {"u64", KN_FIELD_U64, 8, "64 bits, seen as an integer"},
    {"f32", KN_FIELD_F32, 4, "a float; NaN is refused"},
    {"time", KN_FIELD_TIME, 8, "seconds, kept in microseconds"},
    {"vec3", KN_FIELD_VEC3, 12, "{x =, y =, z =}"},
    {"entity", KN_FIELD_ENTITY, 8, "an entity, or nil"},
    {"effect", KN_FIELD_EFFECT, 8, "an active effect, or nil"},
    {"ability", KN_FIELD_ABILITY, 8, "a granted ability, or nil"},
    {"activation", KN_FIELD_ACTIVATION, 8, "a running ability, or nil"},
    {"task", KN_FIELD_TASK, 8, "a task, or nil"},
    {"spec", KN_FIELD_SPEC, 8, "a spec, or nil"},
    {"timer", KN_FIELD_TIMER, 8, "a timer, or nil"},
    {"tag", KN_FIELD_TAG, 4, "the name of a tag, or nil"},
    {"attribute", KN_FIELD_ATTRIBUTE, 4, "the name of an attribute, or nil"},
    {"curve", KN_FIELD_CURVE, 4, "the name of a curve, or nil"},
    {"ref", KN_FIELD_REF, 4, "the name of a definition of a kind, or nil: `kn.ref(\"effect\")`"},
    {"enum", KN_FIELD_ENUM, 4,
        "one of several words, at first the first: `kn.enum(\"idle moving\")`"},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static const field_kind *kind_of(uint32_t kind)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].kind == kind) {
            return &kinds[i];
        }
    }
    return NULL;
}

uint32_t knl_field_size(uint32_t kind)
{
    const field_kind *found = kind_of(kind);
    return found != NULL ? found->size : 0;
}

const char *knl_state_type(uint32_t index, const char **doc)
{
    if (index >= KIND_COUNT) {
        return NULL;
    }
    *doc = kinds[index].doc;
    return kinds[index].name;
}

// One element ---------------------------------------------------------------

static knl_id_kind id_kind_of(uint32_t kind)
{
    switch (kind) {
    case KN_FIELD_ENTITY:
        return KNL_ID_ENTITY;
    case KN_FIELD_EFFECT:
        return KNL_ID_EFFECT;
    case KN_FIELD_ABILITY:
        return KNL_ID_ABILITY;
    case KN_FIELD_ACTIVATION:
        return KNL_ID_ACTIVATION;
    case KN_FIELD_TASK:
        return KNL_ID_TASK;
    case KN_FIELD_SPEC:
        return KNL_ID_SPEC;
    case KN_FIELD_TIMER:
        return KNL_ID_TIMER;
    default:
        return (knl_id_kind)0;
    }
}

// The kind of name that a field holds.
static knl_name_kind name_kind_of(uint32_t kind)
{
    return kind == KN_FIELD_TAG         ? KNL_NAME_TAG
           : kind == KN_FIELD_ATTRIBUTE ? KNL_NAME_ATTRIBUTE
                                        : KNL_NAME_CURVE;
}

static _Noreturn void kind_refuse(lua_State *L, uint32_t kind)
{
    knl_raise(L, "a field of kind %d is not available to scripts", (int)kind);
}

void knl_field_push(lua_State *L, knl_field_type type, const void *bytes)
{
    uint32_t kind = type.kind;
    switch (kind) {
    case KN_FIELD_U8:
        lua_pushinteger(L, *(const uint8_t *)bytes);
        return;
    case KN_FIELD_BOOL:
        lua_pushboolean(L, *(const uint8_t *)bytes != 0);
        return;
    case KN_FIELD_U16: {
        uint16_t value;
        memcpy(&value, bytes, sizeof(value));
        lua_pushinteger(L, value);
        return;
    }
    case KN_FIELD_U32: {
        uint32_t value;
        memcpy(&value, bytes, sizeof(value));
        lua_pushinteger(L, value);
        return;
    }
    case KN_FIELD_I32: {
        int32_t value;
        memcpy(&value, bytes, sizeof(value));
        lua_pushinteger(L, value);
        return;
    }
    case KN_FIELD_F32: {
        float value;
        memcpy(&value, bytes, sizeof(value));
        lua_pushnumber(L, (double)value);
        return;
    }
    case KN_FIELD_U64:
    case KN_FIELD_I64: {
        int64_t value;
        memcpy(&value, bytes, sizeof(value));
        lua_pushinteger(L, value);
        return;
    }
    case KN_FIELD_TIME: {
        kn_time value;
        memcpy(&value, bytes, sizeof(value));
        knl_seconds_push(L, value);
        return;
    }
    case KN_FIELD_VEC3: {
        kn_vec3 value;
        memcpy(&value, bytes, sizeof(value));
        knl_vec3_push(L, value);
        return;
    }
    case KN_FIELD_TAG: {
        kn_tag value;
        memcpy(&value, bytes, sizeof(value));
        knl_tag_push(L, value);
        return;
    }
    case KN_FIELD_ATTRIBUTE: {
        kn_attribute_id value;
        memcpy(&value, bytes, sizeof(value));
        knl_attribute_push(L, value);
        return;
    }
    case KN_FIELD_CURVE: {
        kn_curve_id value;
        memcpy(&value, bytes, sizeof(value));
        knl_text_push(L, kn_def_name(knl_vm_of(L)->script->library, KN_DEF_CURVE, value.index1));
        return;
    }
    case KN_FIELD_REF: {
        uint32_t value;
        memcpy(&value, bytes, sizeof(value));
        knl_name_push(L, kn_kind_find(knl_vm_of(L)->script->library, type.said), value);
        return;
    }
    case KN_FIELD_ENUM: {
        uint32_t value, length;
        memcpy(&value, bytes, sizeof(value));
        const char *word = kn_words_at(type.said, value, &length);
        if (length == 0) {
            lua_pushnil(L); // not one of its words
        } else {
            lua_pushlstring(L, word, length);
        }
        return;
    }
    default: {
        if (id_kind_of(kind) == 0) {
            kind_refuse(L, kind);
        }
        uint32_t value[2];
        memcpy(value, bytes, sizeof(value));
        knl_id_push(L, id_kind_of(kind), value[0], value[1]);
        return;
    }
    }
}

static lua_Integer integer_take(
    lua_State *L, int index, const char *name, lua_Integer least, lua_Integer most)
{
    int is_integer;
    lua_Integer value = lua_tointegerx(L, index, &is_integer);
    if (lua_type(L, index) != LUA_TNUMBER || !is_integer || value < least || value > most) {
        knl_raise(L, "`%s` takes an integer from %lld to %lld, got %s", name, (long long)least,
            (long long)most, knl_tostring(L, index, NULL));
    }
    return value;
}

static double number_take(lua_State *L, int index, const char *name)
{
    double value = lua_tonumber(L, index);
    if (lua_type(L, index) != LUA_TNUMBER || isnan(value)) {
        knl_raise(L, "`%s` takes a number, got %s", name, knl_tostring(L, index, NULL));
    }
    return value;
}

static void id_take(lua_State *L, int index, knl_id_kind kind, const char *name, void *bytes)
{
    uint32_t value[2] = {0};
    if (!lua_isnil(L, index) && !knl_id_test(L, index, kind, &value[0], &value[1])) {
        knl_raise(L, "`%s` takes an id of kind %s or nil, got %s", name, knl_id_names[kind],
            luaL_typename(L, index));
    }
    memcpy(bytes, value, sizeof(value));
}

// The number behind the name of a definition.
static uint32_t ref_take(lua_State *L, int index, const char *said, const char *name)
{
    const kn_library *library = knl_vm_of(L)->script->library;
    if (lua_isnil(L, index)) {
        return 0;
    }
    if (lua_type(L, index) != LUA_TSTRING) {
        knl_raise(L, "`%s` takes the name of a definition of the kind %s, got %s", name, said,
            luaL_typename(L, index));
    }
    uint32_t number = kn_def_find(library, kn_kind_find(library, said), lua_tostring(L, index));
    if (number == 0) {
        knl_raise(L, "there is no %s `%.80s`", said, lua_tostring(L, index));
    }
    return number;
}

static uint32_t word_take(lua_State *L, int index, const char *said, const char *name)
{
    bool is_text = lua_type(L, index) == LUA_TSTRING;
    uint32_t number = is_text ? kn_words_find(said, lua_tostring(L, index)) : UINT32_MAX;
    if (number == UINT32_MAX) {
        knl_raise(L, "`%s` takes one of the words %.200s, got %.80s", name, said,
            is_text ? lua_tostring(L, index) : luaL_typename(L, index));
    }
    return number;
}

void knl_field_take(lua_State *L, int index, knl_field_type type, const char *name, void *bytes)
{
    uint32_t kind = type.kind;
    switch (kind) {
    case KN_FIELD_U8: {
        uint8_t value = (uint8_t)integer_take(L, index, name, 0, UINT8_MAX);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_BOOL: {
        uint8_t value = (uint8_t)lua_toboolean(L, index);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_U16: {
        uint16_t value = (uint16_t)integer_take(L, index, name, 0, UINT16_MAX);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_U32: {
        uint32_t value = (uint32_t)integer_take(L, index, name, 0, UINT32_MAX);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_I32: {
        int32_t value = (int32_t)integer_take(L, index, name, INT32_MIN, INT32_MAX);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_F32: {
        float value = (float)number_take(L, index, name);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_U64:
    case KN_FIELD_I64: {
        int64_t value = integer_take(L, index, name, INT64_MIN, INT64_MAX);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_TIME: {
        kn_time value = kn_time_from_seconds(number_take(L, index, name));
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_VEC3: {
        kn_vec3 value;
        if (!knl_vec3_take(L, index, &value)) {
            knl_raise(L, "`%s` takes {x =, y =, z =}", name);
        }
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE: {
        uint32_t value = 0;
        if (!lua_isnil(L, index)) {
            value = knl_name_take(L, index, name_kind_of(kind), name);
        }
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    case KN_FIELD_REF:
    case KN_FIELD_ENUM: {
        uint32_t value = kind == KN_FIELD_REF ? ref_take(L, index, type.said, name)
                                              : word_take(L, index, type.said, name);
        memcpy(bytes, &value, sizeof(value));
        return;
    }
    default:
        if (id_kind_of(kind) == 0) {
            kind_refuse(L, kind);
        }
        id_take(L, index, id_kind_of(kind), name, bytes);
    }
}

// Types in a chunk ----------------------------------------------------------

// `kn.u32`, `kn.u32(7)` or `kn.array(kn.u32, 4)`. `kn.ref` and `kn.enum` are types once they were
// called with what they say.
typedef struct field_type {
    uint32_t kind;
    const char *said; // kept alive by the user value; NULL for other kinds, and as long as it lacks
    uint32_t count;
    bool is_array;
    uint8_t fallback[12];
} field_type;

// A type like the one at `index`, or an empty one for 0.
static field_type *type_push(lua_State *L, int index)
{
    field_type *type = lua_newuserdatauv(L, sizeof(*type), 1);
    *type = (field_type){.count = 1};
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_TYPE_META);
    lua_setmetatable(L, -2);
    if (index != 0) {
        const field_type *from = lua_touserdata(L, index);
        type->kind = from->kind;
        type->said = from->said;
        lua_getiuservalue(L, index, 1);
        lua_setiuservalue(L, -2, 1);
    }
    return type;
}

static bool lacks_words(const field_type *type)
{
    return (type->kind == KN_FIELD_REF || type->kind == KN_FIELD_ENUM) && type->said == NULL;
}

static const field_type *type_test(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) {
        return NULL;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_TYPE_META);
    bool is_type = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return is_type ? lua_touserdata(L, index) : NULL;
}

static int type_default(lua_State *L)
{
    const field_type *type = type_test(L, 1);
    if (type == NULL || type->is_array) {
        return luaL_error(L, "an array has no default");
    }
    field_type *copy = type_push(L, 1);
    if (lacks_words(type)) {
        if (lua_type(L, 2) != LUA_TSTRING || !knl_is_name(L, 2)) {
            return luaL_error(L, type->kind == KN_FIELD_REF
                                     ? "kn.ref takes a kind of definition, such as \"effect\""
                                     : "kn.enum takes words, such as \"idle moving\"");
        }
        lua_pushvalue(L, 2);
        lua_setiuservalue(L, -2, 1);
        copy->said = lua_tostring(L, 2);
        return 1;
    }
    switch (type->kind) {
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_REF:
        return luaL_error(L, "a name has no default");
    default:
        knl_field_take(L, 2, (knl_field_type){type->kind, type->said}, "default", copy->fallback);
    }
    return 1;
}

static int type_array(lua_State *L)
{
    const field_type *type = type_test(L, 1);
    if (type == NULL || type->is_array || lacks_words(type)) {
        return luaL_error(L, "kn.array takes a type, such as kn.entity, and a length");
    }
    lua_Integer count = luaL_checkinteger(L, 2);
    if (count < 1 || count > KNL_STATE_MAX) {
        return luaL_error(L, "kn.array: the length must be from 1 to %d", KNL_STATE_MAX);
    }
    field_type *array = type_push(L, 1);
    array->count = (uint32_t)count;
    array->is_array = true;
    return 1;
}

// The layout ----------------------------------------------------------------

static int field_compare(const knl_state_field *a, const knl_state_field *b)
{
    uint32_t first = knl_field_size(a->kind), second = knl_field_size(b->kind);
    first = first == 12 ? 4 : first; // three floats are aligned like one
    second = second == 12 ? 4 : second;
    if (first != second) {
        return first > second ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static void fields_sort(knl_state_field *fields, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        knl_state_field field = fields[i];
        uint32_t j = i;
        for (; j > 0 && field_compare(&field, &fields[j - 1]) < 0; j--) {
            fields[j] = fields[j - 1];
        }
        fields[j] = field;
    }
}

static bool has_fallback(const knl_state_field *field)
{
    static const uint8_t zero[sizeof(field->fallback)];
    return memcmp(field->fallback, zero, sizeof(zero)) != 0;
}

// Counts the fields of the table and checks their types.
static uint32_t fields_count(lua_State *L, int index)
{
    uint32_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING || type_test(L, -1) == NULL) {
            luaL_error(L, "state: every field is name = type, such as hits = kn.u32");
        }
        if (lacks_words(type_test(L, -1))) {
            luaL_error(L, "state: kn.ref and kn.enum are called first: kn.ref(\"effect\"), "
                          "kn.enum(\"idle moving\")");
        }
        if (!knl_is_name(L, -2)) {
            luaL_error(L, "state: the name of a field is empty or contains a zero byte");
        }
        lua_pop(L, 1);
        count++;
    }
    if (count > KNL_STATE_FIELDS_MAX) {
        luaL_error(L, "state: at most %d fields", KNL_STATE_FIELDS_MAX);
    }
    return count;
}

static void layout_place(lua_State *L, knl_layout *layout, uint32_t max)
{
    fields_sort(layout->fields, layout->count);
    uint64_t size = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        knl_state_field *field = &layout->fields[i];
        field->offset = (uint32_t)size;
        size += (uint64_t)knl_field_size(field->kind) * field->count;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        if (has_fallback(&layout->fields[i])) {
            layout->fields[i].set1 = (uint32_t)++size;
        }
    }
    if (size > max) {
        luaL_error(L, "state: it takes %d bytes, but at most %d are allowed", (int)size, (int)max);
    }
    layout->size = (uint32_t)size;
}

// The layout for the library. False when out of memory.
static bool layout_tell(kn_script *script, knl_layout *layout)
{
    uint32_t count = layout->count;
    for (uint32_t i = 0; i < layout->count; i++) {
        count += layout->fields[i].set1 != 0;
    }
    layout->entries = knl_script_realloc(script, NULL, 0, count * sizeof(*layout->entries));
    if (layout->entries == NULL) {
        return false;
    }
    layout->entry_count = count;
    uint32_t at = layout->count;
    for (uint32_t i = 0; i < layout->count; i++) {
        knl_state_field *field = &layout->fields[i];
        layout->entries[i] = (kn_field)KN_FIELD_INIT(
            field->name, (kn_field_kind)field->kind, field->offset, field->count);
        layout->entries[i].refers_to = field->kind == KN_FIELD_REF ? field->said : NULL;
        layout->entries[i].words = field->kind == KN_FIELD_ENUM ? field->said : NULL;
        if (field->set1 == 0) {
            continue;
        }
        size_t length = strlen(field->name);
        field->set_name = knl_script_realloc(script, NULL, 0, length + sizeof(SET_NAME));
        if (field->set_name == NULL) {
            return false;
        }
        memcpy(field->set_name, field->name, length);
        memcpy(field->set_name + length, SET_NAME, sizeof(SET_NAME));
        layout->entries[at++] =
            (kn_field)KN_FIELD_INIT(field->set_name, KN_FIELD_BOOL, field->set1 - 1, 1);
    }
    return true;
}

void knl_layout_read(lua_State *L, int index, uint32_t max, kn_script *script, knl_layout *layout)
{
    index = lua_absindex(L, index);
    if (lua_isnil(L, index)) {
        return;
    }
    if (lua_type(L, index) != LUA_TTABLE || max == 0) {
        luaL_error(L, max == 0 ? "this definition has no state" : "state: expected a table");
    }
    if (knl_frozen_content(L, index)) {
        lua_replace(L, index);
    }
    uint32_t count = fields_count(L, index);
    if (count == 0) {
        return;
    }
    layout->fields = knl_script_realloc(script, NULL, 0, count * sizeof(*layout->fields));
    if (layout->fields == NULL) {
        knl_raise(L, "not enough memory");
    }
    memset(layout->fields, 0, count * sizeof(*layout->fields));
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        const field_type *type = type_test(L, -1);
        size_t length;
        const char *name = lua_tolstring(L, -2, &length);
        knl_state_field *field = &layout->fields[layout->count++];
        field->kind = type->kind;
        field->count = type->count;
        field->is_array = type->is_array;
        memcpy(field->fallback, type->fallback, sizeof(field->fallback));
        field->name = knl_script_strdup(script, name, length);
        if (type->said != NULL) {
            field->said = knl_script_strdup(script, type->said, strlen(type->said));
        }
        if (field->name == NULL || (type->said != NULL && field->said == NULL)) {
            luaL_error(L, "not enough memory");
        }
        lua_pop(L, 1);
    }
    layout_place(L, layout, max);
    if (!layout_tell(script, layout)) {
        luaL_error(L, "not enough memory");
    }
}

static void name_free(kn_script *script, char *name)
{
    if (name != NULL) {
        (void)knl_script_realloc(script, name, strlen(name) + 1, 0);
    }
}

void knl_layout_free(kn_script *script, knl_layout *layout)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        name_free(script, layout->fields[i].name);
        name_free(script, layout->fields[i].said);
        name_free(script, layout->fields[i].set_name);
    }
    (void)knl_script_realloc(
        script, layout->entries, layout->entry_count * sizeof(*layout->entries), 0);
    (void)knl_script_realloc(script, layout->fields, layout->count * sizeof(*layout->fields), 0);
    *layout = (knl_layout){0};
}

// self.state ----------------------------------------------------------------

// The block of a ticker is on its entity.
static const uint8_t *block_read(const knl_frame *frame)
{
    return kn_ticker_read_state(frame->world, frame->ticker, frame->entity);
}

static uint8_t *block_get(const knl_frame *frame)
{
    return kn_ticker_state(frame->writable, frame->ticker, frame->entity);
}

// The block of a frame; NULL if it has none at the moment.
static uint8_t *block_of(const knl_frame *frame)
{
    if (frame->state != NULL) {
        return frame->state;
    }
    if (frame->writable != NULL && frame->ability != NULL) {
        return kn_activation_state(frame->writable, frame->ability->activation);
    }
    return frame->task != NULL ? kn_task_state(frame->writable, frame->task->task) : NULL;
}

static knl_field_type state_type(const knl_state_field *field)
{
    return (knl_field_type){field->kind, field->said};
}

static const knl_state_field *field_find(lua_State *L, const knl_frame *frame)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_BOUND + 2 * (lua_Integer)frame->binding->index);
    lua_pushvalue(L, 2);
    if (lua_type(L, -2) != LUA_TTABLE || lua_rawget(L, -2) != LUA_TNUMBER) {
        knl_raise(L, "the state has no field `%s`", knl_tostring(L, 2, NULL));
    }
    const knl_state_field *field = &frame->binding->layout.fields[lua_tointeger(L, -1)];
    lua_pop(L, 2);
    return field;
}

// The bytes of a field: those of the block, or its default. If a field was given a default after a
// state was saved, the saved value is kept, unless it is zero.
static const uint8_t *field_bytes(const knl_state_field *field, const uint8_t *block)
{
    static const uint8_t zero[sizeof(field->fallback)];
    const uint8_t *bytes = block + field->offset;
    bool is_set = field->set1 == 0 || block[field->set1 - 1] != 0 ||
                  memcmp(bytes, zero, knl_field_size(field->kind)) != 0;
    return is_set ? bytes : field->fallback;
}

static void field_mark(const knl_state_field *field, uint8_t *block)
{
    if (field->set1 != 0) {
        block[field->set1 - 1] = 1;
    }
}

void knl_state_begin(const knl_layout *layout, uint8_t *block)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        const knl_state_field *field = &layout->fields[i];
        if (field->set1 != 0) {
            memcpy(block + field->offset, field->fallback, knl_field_size(field->kind));
            field_mark(field, block);
        }
    }
}

// A view of an array in the state: the self it came from, and the field.
typedef struct array_view {
    knl_self self;
    uint32_t field;
} array_view;

static const uint8_t *block_to_read(lua_State *L, const knl_frame *frame)
{
    const uint8_t *block = frame->ticker.index1 != 0 ? block_read(frame) : block_of(frame);
    if (block == NULL) {
        knl_raise(L, "there is no state here: nothing is active");
    }
    return block;
}

static int state_index(lua_State *L)
{
    const knl_self *self = lua_touserdata(L, 1);
    const knl_frame *frame = knl_frame_test(L, self);
    const knl_state_field *field = field_find(L, frame);
    if (field->is_array) {
        array_view *view = lua_newuserdatauv(L, sizeof(*view), 0);
        view->self = *self;
        view->field = (uint32_t)(field - frame->binding->layout.fields);
        lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_ARRAY_META);
        lua_setmetatable(L, -2);
        return 1;
    }
    knl_field_push(L, state_type(field), field_bytes(field, block_to_read(L, frame)));
    return 1;
}

static uint8_t *block_for_writing(lua_State *L, const knl_frame *frame)
{
    if (frame->writable == NULL) {
        knl_raise(L, "this call may only read");
    }
    uint8_t *block = frame->ticker.index1 != 0 ? block_get(frame) : block_of(frame);
    if (block == NULL) {
        knl_raise(L, "there is no state here: nothing is active");
    }
    return block;
}

static int state_newindex(lua_State *L)
{
    const knl_frame *frame = knl_frame_test(L, lua_touserdata(L, 1));
    const knl_state_field *field = field_find(L, frame);
    if (field->is_array) {
        knl_raise(L, "`%s` is an array: assign to its elements", field->name);
    }
    uint8_t bytes[12];
    knl_field_take(L, 3, state_type(field), field->name, bytes);
    uint8_t *block = block_for_writing(L, frame);
    memcpy(block + field->offset, bytes, knl_field_size(field->kind));
    field_mark(field, block);
    return 0;
}

static const knl_state_field *array_field(lua_State *L, knl_frame **frame)
{
    const array_view *view = lua_touserdata(L, 1);
    *frame = knl_frame_test(L, &view->self);
    return &(*frame)->binding->layout.fields[view->field];
}

// The offset of the element at stack index 2; an error when it is out of range.
static uint32_t array_offset(lua_State *L, const knl_state_field *field)
{
    lua_Integer index = lua_tointeger(L, 2);
    if (!lua_isinteger(L, 2) || index < 1 || index > (lua_Integer)field->count) {
        knl_raise(L, "`%s` has elements 1 to %d, not %s", field->name, (int)field->count,
            knl_tostring(L, 2, NULL));
    }
    return field->offset + ((uint32_t)index - 1) * knl_field_size(field->kind);
}

static int array_index(lua_State *L)
{
    knl_frame *frame;
    const knl_state_field *field = array_field(L, &frame);
    const uint8_t *block = block_to_read(L, frame);
    knl_field_push(L, state_type(field), block + array_offset(L, field));
    return 1;
}

static int array_newindex(lua_State *L)
{
    knl_frame *frame;
    const knl_state_field *field = array_field(L, &frame);
    uint32_t offset = array_offset(L, field);
    uint8_t bytes[12];
    knl_field_take(L, 3, state_type(field), field->name, bytes);
    memcpy(block_for_writing(L, frame) + offset, bytes, knl_field_size(field->kind));
    return 0;
}

static int array_length(lua_State *L)
{
    knl_frame *frame;
    lua_pushinteger(L, array_field(L, &frame)->count);
    return 1;
}

void knl_state_push(lua_State *L, const knl_frame *frame)
{
    knl_vm *vm = knl_vm_of(L);
    uint32_t depth = 0;
    while (vm->frames[depth] != frame) {
        depth++;
    }
    if (frame->binding->layout.count == 0) {
        knl_raise(L, "the definition declares no state");
    }
    if (vm->states[depth] == NULL) {
        knl_self *state = lua_newuserdatauv(L, sizeof(knl_self), 0);
        *state = (knl_self){0};
        lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_STATE_META);
        lua_setmetatable(L, -2);
        lua_rawseti(L, LUA_REGISTRYINDEX, KNL_REG_STATE + (lua_Integer)depth);
        vm->states[depth] = state;
    }
    *vm->states[depth] = (knl_self){depth, vm->serials[depth]};
    lua_rawgeti(L, LUA_REGISTRYINDEX, KNL_REG_STATE + (lua_Integer)depth);
}

void knl_state_fill(lua_State *L, int index, const knl_layout *layout, void *block)
{
    uint8_t *bytes = block;
    index = lua_absindex(L, index);
    uint32_t given = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        const knl_state_field *field = &layout->fields[i];
        if (lua_getfield(L, index, field->name) != LUA_TNIL) {
            given++;
            if (field->is_array) {
                knl_raise(L, "`%s` is an array: assign to its elements", field->name);
            }
            knl_field_take(L, -1, state_type(field), field->name, bytes + field->offset);
            field_mark(field, bytes);
        }
        lua_pop(L, 1);
    }
    uint32_t there = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        there++;
    }
    if (there != given) {
        knl_raise(L, "the table has a field that the state does not declare");
    }
}

// The table kn --------------------------------------------------------------

static void meta_open(lua_State *L, lua_Integer place, const luaL_Reg *functions)
{
    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawseti(L, LUA_REGISTRYINDEX, place);
}

void knl_state_open(lua_State *L)
{
    static const luaL_Reg type[] = {{"__call", type_default}, {NULL, NULL}};
    static const luaL_Reg state[] = {
        {"__index", state_index}, {"__newindex", state_newindex}, {NULL, NULL}};
    static const luaL_Reg array[] = {{"__index", array_index}, {"__newindex", array_newindex},
        {"__len", array_length}, {NULL, NULL}};
    meta_open(L, KNL_REG_TYPE_META, type);
    meta_open(L, KNL_REG_STATE_META, state);
    meta_open(L, KNL_REG_ARRAY_META, array);
    lua_newtable(L);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        type_push(L, 0)->kind = kinds[i].kind;
        lua_setfield(L, -2, kinds[i].name);
    }
    lua_pushcfunction(L, type_array);
    lua_setfield(L, -2, "array");
}
