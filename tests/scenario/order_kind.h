// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A kind of definitions as a kit would bring it along: orders that units follow, with references
// to each other and to ours, an enum, lists, tags and a magnitude.
#ifndef ORDER_KIND_H
#define ORDER_KIND_H

#include "knack/knack.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct order_id {
    uint32_t index1;
} order_id;

typedef enum order_stance {
    STANCE_HOLD,
    STANCE_FOLLOW,
    STANCE_CHASE,
} order_stance;

typedef struct order_step {
    float wait;
    kn_effect_type_id effect;
} order_step;

typedef struct order_def {
    const char *name;
    order_stance stance;
    float range;
    kn_time timeout;
    kn_tag tag;
    kn_tags blocked_by;
    kn_tag_requirement needs;
    kn_magnitude threat;
    order_id next;
    const order_id *cancels;
    uint32_t cancel_count;
    const order_step *steps;
    uint32_t step_count;
    kn_effect_type_id effect;
    uint32_t flags;
    const char *label;
    void (*run)(void);
    kn_hook begin;
    kn_hook score;
    uint32_t cookie;
} order_def;

// What the hooks of an order are called with: `score` answers with `points`, `stance` and `next`.
typedef struct order_begin {
    kn_entity_id target;
    float strength;
} order_begin;

typedef struct order_score {
    kn_entity_id target;
    float points[2];
    order_stance stance;
    order_id next;
} order_score;

#define ORDER_COOKIE 0x6f726472u

static const char *const order_stance_words[] = {"hold", "follow", "chase"};
static const char *const order_flag_words[] = {"queued", "silent"};

static inline order_def order_def_default(void)
{
    order_def def = {.range = 5.0f, .threat = kn_magnitude_constant(1.0f), .cookie = ORDER_COOKIE};
    return def;
}

static inline void order_init(void *def)
{
    *(order_def *)def = order_def_default();
}

static inline void order_step_init(void *step)
{
    *(order_step *)step = (order_step){.wait = 1.0f};
}

static const kn_def_field order_step_fields[] = {
    KN_DEF_F(order_step, wait, KN_FIELD_F32, "Seconds before the effect; default 1."),
    KN_DEF_F_REF(order_step, effect, KN_DEF_EFFECT, "The effect that the unit gets."),
};
static const kn_def_table order_step_table = {
    "order_step", sizeof(order_step), order_step_fields, 2, order_step_init};

static const kn_def_field order_fields[] = {
    KN_DEF_F(order_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM_OF(order_def, stance, "stance", "How the unit behaves; default hold."),
    KN_DEF_F(order_def, range, KN_FIELD_F32, "Metres to the target; default 5."),
    KN_DEF_F(order_def, timeout, KN_FIELD_TIME, "When the order is given up; 0: never."),
    KN_DEF_F(order_def, tag, KN_FIELD_TAG, "The tag that the unit has meanwhile."),
    KN_DEF_F(order_def, blocked_by, KN_DEF_FIELD_TAGS, "Tags that keep the order from starting."),
    KN_DEF_F_PART(order_def, needs, "kn_tag_requirement", "What the unit must have."),
    KN_DEF_F_PART(order_def, threat, "kn_magnitude", "Threat that the order causes; default 1."),
    KN_DEF_F_KIND(order_def, next, "order", "The order that follows."),
    KN_DEF_F_KINDS(order_def, cancels, cancel_count, "order", "Orders that this one ends."),
    KN_DEF_F_ARRAY(order_def, steps, step_count, &order_step_table, "What happens on the way."),
    KN_DEF_F_REF(order_def, effect, KN_DEF_EFFECT, "An effect while the order lasts."),
    KN_DEF_F_FLAGS(order_def, flags, order_flag_words, "How the order is given."),
    KN_DEF_F(order_def, label, KN_DEF_FIELD_STRING, "What players read."),
    KN_DEF_F(order_def, run, KN_DEF_FIELD_POINTER, NULL),
    KN_DEF_F_HOOK(order_def, begin, "The unit begins to follow the order."),
    KN_DEF_F_HOOK(order_def, score, "How good the order is."),
    KN_DEF_F(order_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
#define COUNT_ORDER_FIELDS (sizeof(order_fields) / sizeof(*order_fields))
static const kn_def_table order_table = {
    "order_def", sizeof(order_def), order_fields, COUNT_ORDER_FIELDS, order_init};

static const kn_field order_begin_fields[] = {
    KN_FIELD(order_begin, target, KN_FIELD_ENTITY),
    KN_FIELD(order_begin, strength, KN_FIELD_F32),
};
static const kn_field order_score_fields[] = {
    KN_FIELD(order_score, target, KN_FIELD_ENTITY),
    KN_FIELD_INIT("points", KN_FIELD_F32, offsetof(order_score, points), 2),
    {.name = "stance",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(order_score, stance),
        .refers_to = "stance"},
    KN_FIELD_TO(order_score, next, "order"),
};
static const kn_kind_hook order_hooks[] = {
    {"begin", sizeof(order_begin), order_begin_fields, 2, "The unit begins to follow the order."},
    {"score", sizeof(order_score), order_score_fields, 4, "How good the order is; only reads."},
};

static inline kn_result order_check(
    void *user, const kn_library *library, const void *def, kn_error *error)
{
    const order_def *order = def;
    (void)user;
    (void)library;
    if (!(order->range >= 0.0f)) {
        (void)snprintf(error->message, sizeof(error->message),
            "order `%s`: its range must be at least 0", order->name);
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}

static inline kn_kind_def order_kind_def(void)
{
    kn_kind_def def = kn_kind_def_default();
    def.name = "order";
    def.section = "orders";
    def.table = &order_table;
    def.text = "What units can be told to do.";
    def.check = order_check;
    def.hooks = order_hooks;
    def.hook_count = 2;
    return def;
}

// What a kit calls when a library is prepared.
static inline kn_result order_kind_register(kn_library *library, kn_def_kind *kind, kn_error *error)
{
    kn_kind_def def = order_kind_def();
    kn_result result = kn_enum_register(library, "stance", order_stance_words, 3, error);
    return result != KN_OK ? result : kn_kind_register(library, &def, kind, error);
}

#endif
