// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the functions for scripts share (knack/function.h). All of them have the arguments of one
// struct, of which each names those it takes.
#ifndef KNACK_ORDER_SCRIPT_PART_H
#define KNACK_ORDER_SCRIPT_PART_H

#include "knack/order_produce.h"
#include "tree_parts.h"

#include <stddef.h>

typedef struct script_args {
    kn_entity_id entity; // what a function is called on
    const kn_entity_id *units;
    uint32_t unit_count;
    kn_order_type_id order;
    kn_entity_id target;
    kn_vec3 location;
    int32_t index;
    kn_unit_type_id unit;
    kn_product_id product;
    kn_producer_id producer;
    kn_tree_id tree;
    kn_blackboard_id board;
    const char *key;
    kn_tag tag;
    float number, chase;
    int32_t whole;
    uint32_t ticket;
    uint32_t count;
    uint32_t word; // of an enum
    bool flag;
} script_args;

// One argument, by the name that scripts know it by.
#define ARG(name_, member, kind_, text_)                                                           \
    {                                                                                              \
        name_, (uint8_t)(kind_), 0, (uint32_t)offsetof(script_args, member), 1, 0, NULL, NULL,     \
            NULL, text_                                                                            \
    }
#define ARG_ENTITY ARG("entity", entity, KN_FIELD_ENTITY, NULL)
#define ARG_DEF(name_, member, kind_name, text_)                                                   \
    {                                                                                              \
        name_, KN_DEF_FIELD_REF, 0, (uint32_t)offsetof(script_args, member), 1, 0, NULL, NULL,     \
            kind_name, text_                                                                       \
    }
#define ARG_WORD(name_, words_, text_)                                                             \
    {                                                                                              \
        name_, KN_DEF_FIELD_ENUM, COUNT(words_), (uint32_t)offsetof(script_args, word), 1, 0,      \
            NULL, words_, NULL, text_                                                              \
    }
// What an order is, in this order: which of them were given, bits from ORDER_BIT on say.
#define ARGS_ORDER                                                                                 \
    ARG_DEF("order", order, "order type", "What to do."),                                          \
        ARG("target", target, KN_FIELD_ENTITY, "The entity it is aimed at; default none."),        \
        ARG("location", location, KN_FIELD_VEC3, "The point it is aimed at; default none."),       \
        ARG("index", index, KN_FIELD_I32, "Variant of the order; default -1: none.")

#define FIELD_TABLE(name, type, fields)                                                            \
    {                                                                                              \
        name, sizeof(type), fields, COUNT(fields), NULL                                            \
    }
// A table of results with one field, as which the struct `type` is.
#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_result_fields[] = {                                           \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result =                                                      \
        FIELD_TABLE(#name "_result", type, name##_result_fields)

typedef struct script_function {
    const char *name;
    kn_function_fn *function;
    const kn_def_field *fields; // of the arguments
    uint32_t field_count;
    uint32_t required;
    const kn_def_table *results;
    kn_function_form form;
    uint32_t flags;
    const char *text;
} script_function;

#define ARGS(fields) fields, COUNT(fields)
#define CHANGES (KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES)
#define REFUSES KN_FUNCTION_REFUSES

kn_result knc_order_functions_register(
    kn_library *library, const script_function *functions, uint32_t count, kn_error *error);

// The functions about orders, and about trees and blackboards.
kn_result knc_order_script_register(kn_library *library, kn_error *error);
kn_result knc_tree_script_register(kn_library *library, kn_error *error);

#endif
