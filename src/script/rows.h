// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Short forms for the tables of bindings.
#ifndef KNL_SCRIPT_ROWS_H
#define KNL_SCRIPT_ROWS_H

#include "internal.h"

// One parameter, one that may be left out, one of a few words, one of those that a field has (see
// WORDS_*), a table of options.
#define P(name, type)                                                                              \
    {                                                                                              \
        name, type, 0, 0, NULL, NULL                                                               \
    }
#define P_OPT(name, type)                                                                          \
    {                                                                                              \
        name, type, KNL_OPTIONAL, 0, NULL, NULL                                                    \
    }
#define P_ENUM(name, words, flags)                                                                 \
    {                                                                                              \
        name, KNL_T_ENUM, flags, sizeof(words) / sizeof(*(words)), words, NULL                     \
    }
#define P_WORDS(name, words, flags)                                                                \
    {                                                                                              \
        name, KNL_T_FIELD, flags, words, NULL                                                      \
    }
#define P_OPTIONS(name, options)                                                                   \
    {                                                                                              \
        name, KNL_T_OPTIONS, KNL_OPTIONAL, 0, options, NULL                                        \
    }
#define PARAMS(...)                                                                                \
    (const knl_param[])                                                                            \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, KNL_T_END, 0, 0, NULL, NULL                                                      \
        }                                                                                          \
    }
// One option of a table, with what it means: one of its own, or a field of a struct.
#define O(name, type, doc)                                                                         \
    {                                                                                              \
        name, type, KNL_OPTIONAL, 0, NULL, doc                                                     \
    }
#define O_FIELD(name, which, field, doc)                                                           \
    {                                                                                              \
        name, KNL_T_FIELD, KNL_OPTIONAL, which, field, doc                                         \
    }
#define O_END                                                                                      \
    {                                                                                              \
        NULL, KNL_T_END, 0, 0, NULL, NULL                                                          \
    }
#define ROWS_END                                                                                   \
    {                                                                                              \
        NULL, NULL, NULL, NULL, 0, NULL                                                            \
    }
// A field that is one of the struct, by its name there or another; one that is not.
#define F(name, type, doc)                                                                         \
    {                                                                                              \
        name, type, name, NULL, doc                                                                \
    }
#define F_AS(name, field, type, doc)                                                               \
    {                                                                                              \
        name, type, field, NULL, doc                                                               \
    }
#define F_OWN(name, type, push, doc)                                                               \
    {                                                                                              \
        name, type, NULL, push, doc                                                                \
    }
#define FIELDS_END                                                                                 \
    {                                                                                              \
        NULL, NULL, NULL, NULL, NULL                                                               \
    }

// Words of enums that several functions take.
#define WORDS_OP KN_STRUCT_MODIFIER_VIEW, "op"
#define WORDS_REMOVAL_REASON KN_STRUCT_REACTION, "reason"
#define WORDS_END_REASON KN_STRUCT_REACTION, "end_reason"
#define WORDS_TRIGGER KN_STRUCT_REACTION, "trigger"
#define WORDS_FAIL KN_STRUCT_REFUSAL_LINE, "reason"
#define WORDS_TASK_KIND KN_STRUCT_TASK_DEF, "kind"
#define WORDS_TASK_OUTPUT KN_STRUCT_TASK_RESULT, "output"
#define WORDS_CAUSE_KIND KN_STRUCT_CAUSE_INFO, "kind"
#define WORDS_COMPARE KN_STRUCT_TASK_DEF, "compare"
#define WORDS_SYNC_WAIT KN_STRUCT_TASK_DEF, "sync"

#define T_ENTITY (KNL_T_ID + KNL_ID_ENTITY)
#define T_EFFECT (KNL_T_ID + KNL_ID_EFFECT)
#define T_SPEC (KNL_T_ID + KNL_ID_SPEC)
#define T_ABILITY (KNL_T_ID + KNL_ID_ABILITY)
#define T_ACTIVATION (KNL_T_ID + KNL_ID_ACTIVATION)
#define T_TASK (KNL_T_ID + KNL_ID_TASK)
#define T_TAG (KNL_T_NAME + KNL_NAME_TAG)
#define T_ATTRIBUTE (KNL_T_NAME + KNL_NAME_ATTRIBUTE)
#define T_ATTRIBUTE_SET (KNL_T_NAME + KNL_NAME_ATTRIBUTE_SET)
#define T_EFFECT_TYPE (KNL_T_NAME + KNL_NAME_EFFECT_TYPE)
#define T_ABILITY_TYPE (KNL_T_NAME + KNL_NAME_ABILITY_TYPE)
#define T_ABILITY_SET (KNL_T_NAME + KNL_NAME_ABILITY_SET)
#define T_VALUE (KNL_T_NAME + KNL_NAME_VALUE)
#define T_EVENT_KIND (KNL_T_NAME + KNL_NAME_EVENT_KIND)
#define T_NAME (KNL_T_NAME + KNL_NAME_NAME)
#define T_CURVE (KNL_T_NAME + KNL_NAME_CURVE)
#define T_CONTAINER (KNL_T_NAME + KNL_NAME_CONTAINER)
#define T_TIMER_TYPE (KNL_T_NAME + KNL_NAME_TIMER_TYPE)
#define T_COMPONENT (KNL_T_NAME + KNL_NAME_COMPONENT)
#define T_TASK_TYPE (KNL_T_NAME + KNL_NAME_TASK_TYPE)
#define T_ANIMATION (KNL_T_NAME + KNL_NAME_ANIMATION)
#define T_TARGETING (KNL_T_NAME + KNL_NAME_TARGETING)
#define T_ARCHETYPE (KNL_T_NAME + KNL_NAME_ARCHETYPE)
#define T_TICKER (KNL_T_NAME + KNL_NAME_TICKER)
#define T_WATCH (KNL_T_NAME + KNL_NAME_WATCH)
#define T_SYSTEM (KNL_T_NAME + KNL_NAME_SYSTEM)
#define T_CUSTOM_EVENT (KNL_T_NAME + KNL_NAME_CUSTOM_EVENT)

// Arguments by position; for a method, 0 is its receiver.
static inline kn_tag knl_tag_arg(const knl_value *value)
{
    kn_tag tag = {value->is_given ? value->as.number : 0};
    return tag;
}

static inline kn_attribute_id knl_attribute_arg(const knl_value *value)
{
    kn_attribute_id attribute = {value->is_given ? value->as.number : 0};
    return attribute;
}

static inline uint32_t knl_u32_arg(const knl_value *value, uint32_t fallback)
{
    return value->is_given ? value->as.number : fallback;
}

static inline float knl_float_arg(const knl_value *value, float fallback)
{
    return value->is_given ? value->as.value : fallback;
}

static inline kn_time knl_time_arg(const knl_value *value, kn_time fallback)
{
    return value->is_given ? value->as.time : fallback;
}

static inline int knl_push_bool(knl_args *args, bool flag)
{
    lua_pushboolean(args->L, flag);
    return 1;
}

static inline int knl_push_float(knl_args *args, float value)
{
    lua_pushnumber(args->L, (double)value);
    return 1;
}

static inline int knl_push_count(knl_args *args, uint64_t count)
{
    lua_pushinteger(args->L, (lua_Integer)count);
    return 1;
}

static inline int knl_push_entity(knl_args *args, kn_entity_id entity)
{
    KNL_PUSH_ID(args->L, KNL_ID_ENTITY, entity);
    return 1;
}

#endif
