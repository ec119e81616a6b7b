// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Extension components: those of entities as methods, those of the world as functions of its
// module. Both are the same functions: the world has the null id.

#include "rows.h"

#include <string.h>

// One component: the first of an entity, or the instance that was given.
typedef struct component_place {
    kn_component_type_id type;
    kn_entity_id entity;
    kn_component_id instance;
    bool has_instance;
} component_place;

static component_place place_take(
    const knl_args *args, kn_entity_id entity, const knl_value *type, const knl_value *instance)
{
    component_place place = {{type->as.number}, entity, {0}, false};
    if (instance != NULL && instance->is_given) {
        place.instance = kn_component_id_unpack((uint64_t)instance->as.integer);
        place.has_instance = true;
        kn_entity_id own = kn_component_instance_entity(args->world, place.type, place.instance);
        if (!kn_entity_id_equal(own, entity)) {
            place.instance = (kn_component_id){0}; // of another entity: as if it were gone
        }
    }
    return place;
}

static const uint8_t *place_read(const knl_args *args, const component_place *place)
{
    return place->has_instance
               ? kn_component_instance_read(args->world, place->type, place->instance)
               : kn_component_read(args->world, place->type, place->entity);
}

static uint8_t *place_get(const knl_args *args, const component_place *place)
{
    return place->has_instance
               ? kn_component_instance_get(args->writable, place->type, place->instance)
               : kn_component_get(args->writable, place->type, place->entity);
}

static const uint8_t *place_read_items(
    const knl_args *args, const component_place *place, uint32_t *count)
{
    return place->has_instance
               ? kn_component_instance_read_items(args->world, place->type, place->instance, count)
               : kn_component_read_items(args->world, place->type, place->entity, count);
}

static uint8_t *place_items(const knl_args *args, const component_place *place)
{
    return place->has_instance
               ? kn_component_instance_items(args->writable, place->type, place->instance, NULL)
               : kn_component_items(args->writable, place->type, place->entity, NULL);
}

// Fields --------------------------------------------------------------------

static const kn_field *field_named(const kn_field *fields, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

// A field of the component or of its items; an error when there is no such field.
static const kn_field *field_take(
    knl_args *args, kn_component_type_id type, const knl_value *name, bool is_item)
{
    const kn_component_def *def = kn_component_get_def(args->library, type);
    const kn_field *field =
        is_item ? field_named(def->item_fields, def->item_field_count, name->as.text)
                : field_named(def->fields, def->field_count, name->as.text);
    if (field == NULL) {
        knl_raise(args->L, "component `%s` has no field `%s`", def->name, name->as.text);
    }
    return field;
}

static uint32_t element_take(knl_args *args, const knl_value *value, const kn_field *field)
{
    uint32_t element = knl_u32_arg(value, 1);
    if (element < 1 || element > (field->count > 1 ? field->count : 1)) {
        knl_raise(args->L, "`%s` has elements 1 to %d", field->name, (int)field->count);
    }
    return (element - 1) * knl_field_size(field->kind);
}

static int field_get(
    knl_args *args, const component_place *place, const knl_value *name, const knl_value *element)
{
    const kn_field *field = field_take(args, place->type, name, false);
    const uint8_t *bytes = place_read(args, place);
    if (bytes == NULL) {
        lua_pushnil(args->L);
        return 1;
    }
    knl_field_push(args->L, knl_field_type_of(field),
        bytes + field->offset + element_take(args, element, field));
    return 1;
}

static int field_set(knl_args *args, const component_place *place, const knl_value *name,
    const knl_value *value, const knl_value *element)
{
    const kn_field *field = field_take(args, place->type, name, false);
    uint32_t offset = field->offset + element_take(args, element, field);
    uint8_t bytes[12];
    knl_field_take(args->L, value->as.index, knl_field_type_of(field), field->name, bytes);
    uint8_t *component = place_get(args, place);
    if (component == NULL) {
        return knl_push_result(args, KN_REFUSED_NOT_FOUND);
    }
    memcpy(component + offset, bytes, knl_field_size(field->kind));
    return knl_push_result(args, KN_OK);
}

// (component, field, element, instance)
static int component_get(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[3]);
    return field_get(args, &place, &v[1], &v[2]);
}

// (component, field, value, element, instance)
static int component_set(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[4]);
    return field_set(args, &place, &v[1], &v[2], &v[3]);
}

// Components ----------------------------------------------------------------

static int component_add(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    kn_component_type_id type = {v[0].as.number};
    if (entity.index1 != 0 && !kn_entity_is_alive(args->world, entity)) {
        return knl_push_result(args, KN_REFUSED_STALE_ID);
    }
    return knl_push_bool(args, kn_component_add(args->writable, type, entity) != NULL);
}

static int component_add_instance(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    kn_component_type_id type = {v[0].as.number};
    kn_component_id made;
    kn_result result = kn_component_instance_add(args->writable, type, entity, &made);
    if (result != KN_OK) {
        return knl_push_result(args, result);
    }
    lua_pushinteger(args->L, (lua_Integer)kn_component_id_pack(made));
    return 1;
}

static int component_instances(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    kn_component_type_id type = {v[0].as.number};
    kn_component_id at = {0};
    lua_newtable(args->L);
    for (lua_Integer i = 1;
         (at = kn_component_instance_next(args->world, type, entity, at)).index1 != 0; i++) {
        lua_pushinteger(args->L, (lua_Integer)kn_component_id_pack(at));
        lua_rawseti(args->L, -2, i);
    }
    return 1;
}

static int component_remove(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[1]);
    return knl_push_bool(
        args, place.has_instance
                  ? kn_component_instance_remove(args->writable, place.type, place.instance)
                  : kn_component_remove(args->writable, place.type, entity));
}

static int component_has(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[1]);
    return knl_push_bool(args, place_read(args, &place) != NULL);
}

// Items ---------------------------------------------------------------------

// (component, count, instance)
static int component_resize(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[2]);
    const kn_component_def *def = kn_component_get_def(args->library, place.type);
    uint32_t count = v[1].as.number;
    if (def->item_size == 0) {
        knl_raise(args->L, "component `%s` has no items", def->name);
    }
    if (place_read(args, &place) == NULL) {
        return knl_push_result(args, KN_REFUSED_NOT_FOUND);
    }
    if (count > 65536) {
        return knl_push_result(args, KN_REFUSED_LIMIT);
    }
    if (place.has_instance) {
        (void)kn_component_instance_resize(args->writable, place.type, place.instance, count);
    } else {
        (void)kn_component_resize(args->writable, place.type, entity, count);
    }
    return knl_push_result(args, KN_OK);
}

static int component_item_count(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[1]);
    uint32_t count = 0;
    (void)place_read_items(args, &place, &count);
    return knl_push_count(args, count);
}

// Where a field of an item begins among them; false if there is no such item.
static bool item_find(knl_args *args, const component_place *place, const kn_field *field,
    uint32_t item, size_t *offset)
{
    uint32_t count = 0;
    (void)place_read_items(args, place, &count);
    *offset = (size_t)(item - 1) * kn_component_get_def(args->library, place->type)->item_size +
              field->offset;
    return item >= 1 && item <= count;
}

// (component, field, item, element, instance)
static int component_get_item(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[4]);
    const kn_field *field = field_take(args, place.type, &v[1], true);
    uint32_t element = element_take(args, &v[3], field);
    size_t offset;
    if (!item_find(args, &place, field, v[2].as.number, &offset)) {
        lua_pushnil(args->L);
        return 1;
    }
    knl_field_push(
        args->L, knl_field_type_of(field), place_read_items(args, &place, NULL) + offset + element);
    return 1;
}

// (component, field, item, value, element, instance)
static int component_set_item(knl_args *args, kn_entity_id entity, const knl_value *v)
{
    component_place place = place_take(args, entity, &v[0], &v[5]);
    const kn_field *field = field_take(args, place.type, &v[1], true);
    uint32_t element = element_take(args, &v[4], field);
    uint8_t bytes[12];
    knl_field_take(args->L, v[3].as.index, knl_field_type_of(field), field->name, bytes);
    size_t offset;
    if (!item_find(args, &place, field, v[2].as.number, &offset)) {
        return knl_push_result(args, KN_REFUSED_NOT_FOUND);
    }
    memcpy(place_items(args, &place) + offset + element, bytes, knl_field_size(field->kind));
    return knl_push_result(args, KN_OK);
}

// References ----------------------------------------------------------------

#define REFERRERS_MAX 256

// (entity, component, field, of_items)
static int entity_referrers(knl_args *args)
{
    kn_component_type_id type = {args->v[1].as.number};
    bool of_items = args->v[3].is_given && args->v[3].as.flag;
    uint32_t reference =
        kn_component_reference_find(args->library, type, args->v[2].as.text, of_items);
    if (reference == UINT32_MAX) {
        knl_raise(args->L, "component `%s` has no reference `%s`",
            kn_component_name(args->library, type), args->v[2].as.text);
    }
    kn_component_referrer found[REFERRERS_MAX];
    uint32_t count = kn_component_referrers(
        args->world, type, reference, args->v[0].as.entity, found, REFERRERS_MAX);
    count = count < REFERRERS_MAX ? count : REFERRERS_MAX;
    lua_newtable(args->L);
    lua_newtable(args->L);
    lua_Integer at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_is_null(found[i].entity)) {
            continue; // the world itself
        }
        at++;
        KNL_PUSH_ID(args->L, KNL_ID_ENTITY, found[i].entity);
        lua_rawseti(args->L, -3, at);
        if (!kn_component_id_is_null(found[i].component)) {
            lua_pushinteger(args->L, (lua_Integer)kn_component_id_pack(found[i].component));
            lua_rawseti(args->L, -2, at);
        }
    }
    return 2;
}

// The self of a hook --------------------------------------------------------

static component_place place_of_self(const knl_frame *frame)
{
    const kn_component_call *call = frame->component_call;
    component_place place = {
        call->type, call->entity, call->component, !kn_component_id_is_null(call->component)};
    return place;
}

static int self_get(knl_args *args)
{
    component_place place = place_of_self(args->v[0].as.frame);
    return field_get(args, &place, &args->v[1], &args->v[2]);
}

static int self_set(knl_args *args)
{
    component_place place = place_of_self(args->v[0].as.frame);
    return field_set(args, &place, &args->v[1], &args->v[2], &args->v[3]);
}

// Rows ----------------------------------------------------------------------

// A method of entities and a function of the world.
#define BOTH(name)                                                                                 \
    static int entity_##name(knl_args *args)                                                       \
    {                                                                                              \
        return component_##name(args, args->v[0].as.entity, args->v + 1);                          \
    }                                                                                              \
    static int world_##name(knl_args *args)                                                        \
    {                                                                                              \
        return component_##name(args, (kn_entity_id){0}, args->v);                                 \
    }

BOTH(get)
BOTH(set)
BOTH(add)
BOTH(add_instance)
BOTH(instances)
BOTH(remove)
BOTH(has)
BOTH(resize)
BOTH(item_count)
BOTH(get_item)
BOTH(set_item)

#define P_COMPONENT P("component", T_COMPONENT)
#define P_FIELD P("field", KNL_T_TEXT)
#define P_ELEMENT P_OPT("element", KNL_T_U32)
#define P_INSTANCE P_OPT("instance", KNL_T_INTEGER)

const knl_row knl_component_rows[] = {
    {"get", entity_get, PARAMS(P_COMPONENT, P_FIELD, P_ELEMENT, P_INSTANCE), "any", 0,
        "A field of a component; nil if the entity does not have the component."},
    {"set", entity_set,
        PARAMS(P_COMPONENT, P_FIELD, P_OPT("value", KNL_T_ANY), P_ELEMENT, P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES,
        "Writes a field of a component; nil clears one that holds an id or a name."},
    {"add_component", entity_add, PARAMS(P_COMPONENT), "boolean", KNL_CHANGES,
        "Adds a component, zeroed, or finds an existing one."},
    {"add_instance", entity_add_instance, PARAMS(P_COMPONENT), "integer|nil, refusal?", KNL_CHANGES,
        "Adds another component of a type with `several`. Returns its id."},
    {"instances", entity_instances, PARAMS(P_COMPONENT), "integer[]", 0,
        "The ids of the components of a type with `several`, in the order they were added."},
    {"remove_component", entity_remove, PARAMS(P_COMPONENT, P_INSTANCE), "boolean", KNL_CHANGES,
        "Removes a component; the first one without an id."},
    {"has_component", entity_has, PARAMS(P_COMPONENT, P_INSTANCE), "boolean", 0,
        "True if the entity has the component."},
    {"resize", entity_resize, PARAMS(P_COMPONENT, P("count", KNL_T_U32), P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES,
        "Sets how many items a component has; new ones are zeroed."},
    {"item_count", entity_item_count, PARAMS(P_COMPONENT, P_INSTANCE), "integer", 0,
        "How many items a component has."},
    {"get_item", entity_get_item,
        PARAMS(P_COMPONENT, P_FIELD, P("item", KNL_T_U32), P_ELEMENT, P_INSTANCE), "any", 0,
        "A field of an item, counted from 1; nil if there is none."},
    {"set_item", entity_set_item,
        PARAMS(P_COMPONENT, P_FIELD, P("item", KNL_T_U32), P_OPT("value", KNL_T_ANY), P_ELEMENT,
            P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES,
        "Writes a field of an item; nil clears one that holds an id or a name."},
    {"referrers", entity_referrers, PARAMS(P_COMPONENT, P_FIELD, P_OPT("of_items", KNL_T_BOOL)),
        "kn.entity[], integer[]", 0,
        "The entities whose component refers to this one by a field that its type declares in "
        "`references`, by slot; then the ids of these components, for a type with `several`. At "
        "most 256."},
    ROWS_END,
};

const knl_row knl_world_component_rows[] = {
    {"get", world_get, PARAMS(P_COMPONENT, P_FIELD, P_ELEMENT, P_INSTANCE), "any", 0,
        "A field of a component of the world itself; nil if the world does not have the "
        "component."},
    {"set", world_set,
        PARAMS(P_COMPONENT, P_FIELD, P_OPT("value", KNL_T_ANY), P_ELEMENT, P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES, "Writes a field of a component of the world itself."},
    {"add_component", world_add, PARAMS(P_COMPONENT), "boolean", KNL_CHANGES,
        "Adds a component to the world itself, zeroed, or finds an existing one."},
    {"add_instance", world_add_instance, PARAMS(P_COMPONENT), "integer|nil, refusal?", KNL_CHANGES,
        "Adds another component of a type with `several` to the world itself. Returns its id."},
    {"instances", world_instances, PARAMS(P_COMPONENT), "integer[]", 0,
        "The ids of the world's own components of a type with `several`, in the order they were "
        "added."},
    {"remove_component", world_remove, PARAMS(P_COMPONENT, P_INSTANCE), "boolean", KNL_CHANGES,
        "Removes a component of the world itself; the first one without an id."},
    {"has_component", world_has, PARAMS(P_COMPONENT, P_INSTANCE), "boolean", 0,
        "True if the world itself has the component."},
    {"resize", world_resize, PARAMS(P_COMPONENT, P("count", KNL_T_U32), P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES,
        "Sets how many items a component of the world itself has; new ones are zeroed."},
    {"item_count", world_item_count, PARAMS(P_COMPONENT, P_INSTANCE), "integer", 0,
        "How many items a component of the world itself has."},
    {"get_item", world_get_item,
        PARAMS(P_COMPONENT, P_FIELD, P("item", KNL_T_U32), P_ELEMENT, P_INSTANCE), "any", 0,
        "A field of an item of a component of the world itself, counted from 1; nil if there is "
        "none."},
    {"set_item", world_set_item,
        PARAMS(P_COMPONENT, P_FIELD, P("item", KNL_T_U32), P_OPT("value", KNL_T_ANY), P_ELEMENT,
            P_INSTANCE),
        "true|nil, refusal?", KNL_CHANGES,
        "Writes a field of an item of a component of the world itself."},
    ROWS_END,
};

const knl_row knl_own_component_rows[] = {
    {"get", self_get, PARAMS(P_FIELD, P_ELEMENT), "any", 0, "A field of the component."},
    {"set", self_set, PARAMS(P_FIELD, P_OPT("value", KNL_T_ANY), P_ELEMENT), "true|nil, refusal?",
        KNL_CHANGES, "Writes a field of the component; nil clears one that holds an id or a name."},
    ROWS_END,
};
