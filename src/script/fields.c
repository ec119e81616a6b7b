// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What calls take and give, between Lua and structs, by the field tables of the structs: infos and
// what hooks receive become tables, options become defs and queries.

#include "rows.h"

#include <string.h>

// Words ---------------------------------------------------------------------

const kn_def_field *knl_words(kn_struct which, const char *field)
{
    return kn_def_field_find(kn_struct_table(which), field);
}

void knl_word_push(lua_State *L, const kn_def_field *words, uint32_t value)
{
    if (value >= words->limit && words->names == knl_words(WORDS_END_REASON)->names) {
        knl_end_reason_push(L, (kn_end_reason)value);
        return;
    }
    knl_text_push(L, value < words->limit ? words->names[value] : NULL);
}

void knl_end_reason_push(lua_State *L, kn_end_reason reason)
{
    const kn_def_field *words = knl_words(WORDS_END_REASON);
    knl_text_push(L, (uint32_t)reason < words->limit
                         ? words->names[reason]
                         : kn_library_end_reason_name(knl_vm_of(L)->script->library, reason));
}

void knl_fail_push(lua_State *L, kn_fail reason)
{
    knl_text_push(L, kn_library_fail_name(knl_vm_of(L)->script->library, reason));
}

// The word of the only bit.
static void bit_push(lua_State *L, const kn_def_field *words, uint32_t bits)
{
    if (words->names == knl_words(WORDS_FAIL)->names) {
        knl_fail_push(L, (kn_fail)bits);
        return;
    }
    uint32_t bit = 0;
    while (bit < words->limit && bits != 1u << bit) {
        bit++;
    }
    knl_word_push(L, words, bit);
}

// From structs --------------------------------------------------------------

// The name of a registered thing; effects made at run time are known to their world only.
void knl_name_push(lua_State *L, kn_def_kind kind, uint32_t index1)
{
    const knl_vm *vm = knl_vm_of(L);
    const kn_world *world = vm->frames[vm->depth]->world;
    if (kind == KN_DEF_EFFECT && world != NULL) {
        knl_effect_type_push(L, world, (kn_effect_type_id){index1});
    } else {
        knl_text_push(L, kn_def_name(vm->script->library, kind, index1));
    }
}

// The field `has_x` that says whether `x` is set; NULL if it always is.
static const kn_def_field *has_field(const kn_def_table *table, const kn_def_field *field)
{
    char name[64] = "has_";
    (void)strncat(name, field->name, sizeof(name) - 5);
    return kn_def_field_find(table, name);
}

// Target data; nil if there is none.
static void bytes_push(lua_State *L, const kn_def_field *field, const uint8_t *from)
{
    const knl_vm *vm = knl_vm_of(L);
    kn_target_view view;
    memcpy(&view.data, from + field->offset, sizeof(view.data));
    memcpy(&view.size, from + field->count_offset, sizeof(view.size));
    if (view.size == 0) {
        lua_pushnil(L);
    } else {
        knl_targets_push(L, vm->frames[vm->depth]->world, view);
    }
}

void knl_member_push(
    lua_State *L, const kn_def_table *table, const kn_def_field *field, const void *from)
{
    const knl_vm *vm = knl_vm_of(L);
    const uint8_t *bytes = (const uint8_t *)from + field->offset;
    uint32_t number = 0;
    switch (field->kind) {
    case KN_DEF_FIELD_ENUM:
        memcpy(&number, bytes, sizeof(number));
        knl_word_push(L, field, number);
        return;
    case KN_DEF_FIELD_REF:
        memcpy(&number, bytes, sizeof(number));
        knl_name_push(L, (kn_def_kind)field->limit, number);
        return;
    case KN_DEF_FIELD_TAGS: {
        kn_tags tags;
        memcpy(&tags, bytes, sizeof(tags));
        knl_tags_push(L, tags);
        return;
    }
    case KN_CALL_FIELD_TARGETS: {
        kn_target_view view;
        memcpy(&view, bytes, sizeof(view));
        knl_targets_push(L, vm->frames[vm->depth]->world, view);
        return;
    }
    case KN_CALL_FIELD_BYTES:
        bytes_push(L, field, from);
        return;
    case KN_CALL_FIELD_TEXT:
        knl_text_push(L, (const char *)bytes);
        return;
    case KN_CALL_FIELD_RESULT: {
        memcpy(&number, bytes, sizeof(number));
        const char *name = knl_refusal_name((kn_result)number);
        lua_pushstring(L, name != NULL ? name : "failed");
        return;
    }
    case KN_FIELD_VEC3: {
        const kn_def_field *has = has_field(table, field);
        if (has != NULL && ((const uint8_t *)from)[has->offset] == 0) {
            lua_pushnil(L);
            return;
        }
        break;
    }
    case KN_FIELD_U32:
        if (field->names != NULL) {
            memcpy(&number, bytes, sizeof(number));
            bit_push(L, field, number);
            return;
        }
        break;
    default:
        break;
    }
    knl_field_push(L, (knl_field_type){field->kind, NULL}, bytes);
}

// Rows are mostly in the order of the struct: the search begins behind the one found last.
static const kn_def_field *field_after(const kn_def_table *table, const char *name, uint32_t *next)
{
    for (uint32_t i = 0; i < table->field_count; i++, ++*next) {
        const kn_def_field *field = &table->fields[*next % table->field_count];
        if (strcmp(field->name, name) == 0) {
            ++*next;
            return field;
        }
    }
    return NULL;
}

void knl_struct_push(lua_State *L, knl_result result, const void *from)
{
    const knl_class *class = &knl_result_classes[result];
    const kn_def_table *table = kn_struct_table((kn_struct)(class->struct1 - 1));
    uint32_t next = 0;
    lua_createtable(L, 0, (int)table->field_count);
    for (const knl_field_row *row = class->fields; row->name != NULL; row++) {
        const kn_def_field *field =
            row->field != NULL ? field_after(table, row->field, &next) : NULL;
        if (field != NULL) {
            knl_member_push(L, table, field, from);
            lua_setfield(L, -2, row->name);
        }
    }
}

void knl_structs_push(lua_State *L, knl_result result, const void *from, uint32_t count)
{
    size_t size = kn_struct_table((kn_struct)(knl_result_classes[result].struct1 - 1))->size;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        knl_struct_push(L, result, (const uint8_t *)from + i * size);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

void knl_fields_add(lua_State *L, const kn_def_table *table, const void *from)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        knl_member_push(L, table, &table->fields[i], from);
        lua_setfield(L, -2, table->fields[i].name);
    }
}

// Defs ------------------------------------------------------------------------

#define DEF_FIELD_COST 4

void knl_bits_push(lua_State *L, const kn_def_field *field, uint32_t bits)
{
    lua_newtable(L);
    lua_Integer count = 0;
    for (uint32_t i = 0; i < field->limit; i++) {
        if ((bits >> i & 1) != 0) {
            lua_pushstring(L, field->names[i]);
            lua_rawseti(L, -2, ++count);
        }
    }
}

static void query_push(lua_State *L, const kn_tag_query *query)
{
    char text[1024];
    if (query == NULL) {
        lua_pushnil(L);
        return;
    }
    (void)kn_tag_query_print(knl_vm_of(L)->script->library, query, text, sizeof(text));
    lua_pushstring(L, text);
}

// A list of structs, or of names.
static void list_push(lua_State *L, const kn_def_field *field, const void *def)
{
    const uint8_t *items;
    uint32_t count;
    memcpy(&items, (const uint8_t *)def + field->offset, sizeof(items));
    memcpy(&count, (const uint8_t *)def + field->count_offset, sizeof(count));
    knl_charge(L, (uint64_t)count * DEF_FIELD_COST);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (field->kind == KN_DEF_FIELD_ARRAY) {
            knl_def_push(L, field->table, items + i * field->table->size);
        } else {
            uint32_t index1;
            memcpy(&index1, items + i * sizeof(index1), sizeof(index1));
            knl_name_push(L, (kn_def_kind)field->limit, index1);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void def_member_push(
    lua_State *L, const kn_def_table *table, const kn_def_field *field, const void *def)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        const char *text;
        memcpy(&text, at, sizeof(text));
        lua_pushstring(L, text); // nil for NULL
        return;
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        query_push(L, query);
        return;
    }
    case KN_DEF_FIELD_STRUCT:
        knl_def_push(L, field->table, at);
        return;
    case KN_DEF_FIELD_ARRAY:
    case KN_DEF_FIELD_REFS:
        list_push(L, field, def);
        return;
    case KN_DEF_FIELD_POINTER:
    case KN_DEF_FIELD_COOKIE:
        lua_pushnil(L);
        return;
    case KN_FIELD_U32:
        if (field->names != NULL) {
            uint32_t bits;
            memcpy(&bits, at, sizeof(bits));
            knl_bits_push(L, field, bits);
            return;
        }
        break;
    default:
        break;
    }
    knl_member_push(L, table, field, def);
}

void knl_def_push(lua_State *L, const kn_def_table *table, const void *def)
{
    luaL_checkstack(L, 8, NULL);
    knl_charge(L, (uint64_t)table->field_count * DEF_FIELD_COST);
    lua_createtable(L, 0, (int)table->field_count);
    for (uint32_t i = 0; i < table->field_count; i++) {
        def_member_push(L, table, &table->fields[i], def);
        knl_set_field(L, table->fields[i].name);
    }
}

void knl_ids_push(lua_State *L, knl_id_kind kind, const void *ids, uint32_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id[2]; // all live ids have the same form
        memcpy(id, (const uint8_t *)ids + i * sizeof(id), sizeof(id));
        knl_id_push(L, kind, id[0], id[1]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

// To structs ----------------------------------------------------------------

static uint8_t name_type(kn_def_kind kind)
{
    for (uint32_t i = 0; i < KNL_NAME_COUNT; i++) {
        if (knl_name_def_kind((knl_name_kind)i) == kind) {
            return (uint8_t)(KNL_T_NAME + i);
        }
    }
    return KNL_T_ANY;
}

// Which type of argument a field takes.
static uint8_t type_of(const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_BOOL:
        return KNL_T_BOOL;
    case KN_FIELD_U32:
        return KNL_T_U32;
    case KN_FIELD_I32:
    case KN_FIELD_I64:
    case KN_FIELD_U64:
        return KNL_T_INTEGER;
    case KN_FIELD_F32:
        return KNL_T_NUMBER;
    case KN_FIELD_TIME:
        return KNL_T_SECONDS;
    case KN_FIELD_VEC3:
        return KNL_T_VEC3;
    case KN_FIELD_ENTITY:
        return T_ENTITY;
    case KN_FIELD_EFFECT:
        return T_EFFECT;
    case KN_FIELD_ABILITY:
        return T_ABILITY;
    case KN_FIELD_ACTIVATION:
        return T_ACTIVATION;
    case KN_DEF_FIELD_STRING:
        return KNL_T_TEXT;
    case KN_DEF_FIELD_REF:
        return name_type((kn_def_kind)field->limit);
    case KN_DEF_FIELD_TAGS:
        return KNL_T_TAGS;
    case KN_DEF_FIELD_ENUM:
        return KNL_T_ENUM;
    case KN_DEF_FIELD_ARRAY:
        return strcmp(field->table->name, "kn_caller_value") == 0  ? KNL_T_VALUES
               : strcmp(field->table->name, "kn_named_value") == 0 ? KNL_T_NAMED
                                                                   : KNL_T_ENTITIES;
    case KN_CALL_FIELD_BYTES:
        return KNL_T_TARGETS;
    default:
        return KNL_T_ANY;
    }
}

knl_param knl_param_plain(const knl_param *param)
{
    knl_param plain = *param;
    if (param->type == KNL_T_FIELD) {
        const kn_def_field *field = knl_words((kn_struct)param->number, param->extra);
        plain.type = type_of(field);
        plain.number = (uint16_t)field->limit;
        plain.extra = field->names;
    } else if (param->type == KNL_T_MEMBER) {
        const kn_def_field *field = param->extra;
        plain.type = type_of(field);
        plain.number = (uint16_t)field->limit;
        plain.extra = field->names;
        if (field->kind == KN_DEF_FIELD_REF && plain.type == KNL_T_ANY) {
            plain.type = KNL_T_DEF;
            plain.extra = field;
        }
    }
    return plain;
}

static void array_store(const knl_args *args, const kn_def_field *field, uint8_t *to, uint8_t type)
{
    const void *data = type == KNL_T_VALUES  ? (const void *)args->caller
                       : type == KNL_T_NAMED ? (const void *)args->named
                                             : (const void *)args->entities;
    uint32_t count = type == KNL_T_VALUES  ? args->caller_count
                     : type == KNL_T_NAMED ? args->named_count
                                           : args->entity_count;
    memcpy(to + field->offset, &data, sizeof(data));
    memcpy(to + field->count_offset, &count, sizeof(count));
}

static void targets_store(knl_args *args, const knl_value *value, uint8_t *to, kn_target_data *data)
{
    const void *bytes = data->bytes;
    knl_targets_take(args->L, value->as.index, args->library, data);
    memcpy(to + value->field->offset, &bytes, sizeof(bytes));
    memcpy(to + value->field->count_offset, &data->size, sizeof(data->size));
}

void knl_value_store(knl_args *args, const kn_def_table *table, const knl_value *value, uint8_t *to)
{
    const kn_def_field *field = value->field;
    uint8_t type = type_of(field);
    if (type == KNL_T_VALUES || type == KNL_T_NAMED || type == KNL_T_ENTITIES) {
        array_store(args, field, to, type);
        return;
    }
    if (field->kind == KN_FIELD_I32) {
        int32_t small = (int32_t)value->as.integer;
        memcpy(to + field->offset, &small, sizeof(small));
        return;
    }
    // The members of the union begin where it does.
    memcpy(to + field->offset, &value->as, kn_def_field_size(field));
    const kn_def_field *has = field->kind == KN_FIELD_VEC3 ? has_field(table, field) : NULL;
    if (has != NULL) {
        to[has->offset] = true;
    }
}

bool knl_options_fill(knl_args *args, const knl_param *options, const knl_value *argument,
    kn_struct which, void *to, kn_target_data *data)
{
    const kn_def_table *table = kn_struct_table(which);
    const knl_value *value = argument->as.options;
    bool is_any = false;
    if (!argument->is_given) {
        return false;
    }
    for (const knl_param *option = options; option->type != KNL_T_END; option++) {
        value += option->type != KNL_T_FIELD; // those are in front
    }
    for (const knl_param *option = options; option->type != KNL_T_END; option++) {
        if (option->type != KNL_T_FIELD) {
            continue;
        }
        if (value->is_given && option->number == which) {
            is_any = true;
            if (value->field->kind != KN_CALL_FIELD_BYTES) {
                knl_value_store(args, table, value, to);
            } else if (data != NULL) {
                targets_store(args, value, to, data);
            }
        }
        value++;
    }
    return is_any;
}

const knl_value *knl_option(const knl_value *argument, uint32_t index)
{
    static const knl_value none;
    return argument->is_given ? &argument->as.options[index] : &none;
}
