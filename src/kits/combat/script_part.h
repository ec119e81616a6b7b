// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the functions for scripts share (knack/function.h). All of them have the arguments of one
// struct, of which each names those it takes; functions with options have a struct that begins with
// it.
#ifndef KNACK_COMBAT_SCRIPT_PART_H
#define KNACK_COMBAT_SCRIPT_PART_H

#include "knack/knack.h"

#include <stddef.h>

typedef struct script_args {
    kn_entity_id entity; // what a function is called on
    kn_effect_id effect;
    kn_ability_id ability;
    kn_activation_id activation;
    kn_entity_id other;
    float number;
    kn_time time;
    kn_tag tag;
    kn_tags tags;
    uint32_t count;
    uint32_t def;  // number of a definition
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
#define ARG_EFFECT ARG("effect", effect, KN_FIELD_EFFECT, NULL)
#define ARG_ABILITY ARG("ability", ability, KN_FIELD_ABILITY, NULL)
#define ARG_ACTIVATION ARG("activation", activation, KN_FIELD_ACTIVATION, NULL)
#define ARG_OTHER(name, text) ARG(name, other, KN_FIELD_ENTITY, text)
// A definition of a kind of the kit.
#define ARG_DEF(name_, kind_name, text_)                                                           \
    {                                                                                              \
        name_, KN_DEF_FIELD_REF, 0, (uint32_t)offsetof(script_args, def), 1, 0, NULL, NULL,        \
            kind_name, text_                                                                       \
    }
#define ARG_WORD(name_, words_, text_)                                                             \
    {                                                                                              \
        name_, KN_DEF_FIELD_ENUM, (uint32_t)(sizeof(words_) / sizeof(*(words_))),                  \
            (uint32_t)offsetof(script_args, word), 1, 0, NULL, words_, NULL, text_                 \
    }
// Options, which lie behind the arguments in a struct of their own.
#define ARG_OPTIONS(type, table_)                                                                  \
    {                                                                                              \
        "options", KN_DEF_FIELD_STRUCT, 0, (uint32_t)offsetof(type, options), 1, 0, &(table_),     \
            NULL, NULL, NULL                                                                       \
    }

#define FIELD_TABLE(name, type, fields)                                                            \
    {                                                                                              \
        name, sizeof(type), fields, (uint32_t)(sizeof(fields) / sizeof(*(fields))), NULL           \
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
    size_t size; // of the arguments; 0: those of script_args
    const kn_def_table *results;
    kn_function_form form;
    uint32_t flags;
    const char *text;
} script_function;

#define ARGS(fields) fields, (uint32_t)(sizeof(fields) / sizeof(*(fields)))
#define CHANGES (KN_FUNCTION_CHANGES | KN_FUNCTION_REFUSES)
#define REFUSES KN_FUNCTION_REFUSES

kn_result knc_functions_register(
    kn_library *library, const script_function *functions, uint32_t count, kn_error *error);

// Fills `out` with at most `capacity` elements; returns how many there are.
typedef uint32_t script_list_fn(const kn_function_call *call, void *out, uint32_t capacity);
// Returns the list of all elements to the script.
kn_result knc_function_list(const kn_function_call *call, script_list_fn *list, size_t size);

// The functions about casts, inputs and resources; about threat, combat and hits; about buffs,
// dispels, procs and auras.
kn_result knc_script_casts_register(kn_library *library, kn_error *error);
kn_result knc_script_fights_register(kn_library *library, kn_error *error);
kn_result knc_script_buffs_register(kn_library *library, kn_error *error);

#endif
