// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of gatherers.

#include "produce_parts.h"

#include <math.h>

#define GATHERER_COOKIE 0x6874616bu

kn_gather_kind kn_gather_kind_default(void)
{
    kn_gather_kind kind = {.amount = 1.0f, .time = KN_S(1), .capacity = 10.0f};
    return kind;
}

static void kind_init(void *kind)
{
    *(kn_gather_kind *)kind = kn_gather_kind_default();
}

kn_gatherer_def kn_gatherer_def_default(void)
{
    kn_gatherer_def def = {
        .search_radius = 20.0f, .drop_radius = 200.0f, .cookie = GATHERER_COOKIE};
    return def;
}

static void gatherer_init(void *def)
{
    *(kn_gatherer_def *)def = kn_gatherer_def_default();
}

static const kn_def_field kind_fields[] = {
    KN_DEF_F_REF(kn_gather_kind, tag, KN_DEF_TAG, "Nodes with this tag have it; required."),
    KN_DEF_F(kn_gather_kind, from, KN_FIELD_ATTRIBUTE,
        "Attribute of the node that it is taken from; default none: it never ends."),
    KN_DEF_F(kn_gather_kind, to, KN_FIELD_ATTRIBUTE,
        "Attribute of the worker's owner that it is added to; required."),
    KN_DEF_F(
        kn_gather_kind, amount, KN_FIELD_F32, "How much is taken at once, above 0; default 1."),
    KN_DEF_F(kn_gather_kind, time, KN_FIELD_TIME, "Seconds until it is taken, above 0; default 1."),
    KN_DEF_F(kn_gather_kind, capacity, KN_FIELD_F32,
        "How much a worker can carry, above 0; default 10."),
    KN_DEF_F(
        kn_gather_kind, limit, KN_FIELD_U32, "Most workers at one node; default 0: any number."),
    KN_DEF_F(kn_gather_kind, waits, KN_FIELD_BOOL,
        "Others wait at a node that has enough workers; default false: they go to another one "
        "nearby, and wait only if there is none."),
    KN_DEF_F(kn_gather_kind, ends_node, KN_FIELD_BOOL,
        "A node that is exhausted is destroyed; default false."),
};
static const kn_def_table kind_table = {
    "gather_kind", sizeof(kn_gather_kind), kind_fields, COUNT(kind_fields), kind_init};

static const kn_def_field gatherer_fields[] = {
    KN_DEF_F(kn_gatherer_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_gatherer_def, tag, KN_DEF_TAG,
        "Entities that gain this tag gather so; default: by call alone."),
    KN_DEF_F_ARRAY(
        kn_gatherer_def, kinds, kind_count, &kind_table, "What they gather; at most 16; required."),
    KN_DEF_F(kn_gatherer_def, search_radius, KN_FIELD_F32,
        "How far from an exhausted node they look for another one, 0 or more; default 20."),
    KN_DEF_F(kn_gatherer_def, drop_radius, KN_FIELD_F32,
        "How far they look for a drop-off, 0 or more; default 200."),
    KN_DEF_F(kn_gatherer_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table gatherer_table = {"gatherer_def", sizeof(kn_gatherer_def),
    gatherer_fields, COUNT(gatherer_fields), gatherer_init};

static bool is_above_zero(float number)
{
    return isfinite(number) && number > 0.0f;
}

static kn_result gatherer_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_gatherer_def *def = item;
    (void)user;
    (void)library;
    if (def->kind_count == 0 || def->kind_count > KN_GATHER_KINDS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "gatherer `%s`: it must have 1 to %u `kinds`",
            def->name, KN_GATHER_KINDS_MAX);
    }
    for (uint32_t i = 0; i < def->kind_count; i++) {
        const kn_gather_kind *kind = &def->kinds[i];
        if (kind->tag.index1 == 0 || kind->to.index1 == 0 || !is_above_zero(kind->amount) ||
            !is_above_zero(kind->capacity) || kind->time <= 0 || kind->time > PRODUCT_TIME_MAX) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "gatherer `%s`: each of its `kinds` must have `tag` and `to`, and an `amount`, a "
                "`capacity` and a `time` above 0",
                def->name);
        }
    }
    if (!(def->search_radius >= 0.0f) || !isfinite(def->search_radius) ||
        !(def->drop_radius >= 0.0f) || !isfinite(def->drop_radius)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "gatherer `%s`: `search_radius` and `drop_radius` must be 0 or more", def->name);
    }
    return KN_OK;
}

static kn_result gatherer_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    return knc_gather_expand(library, user, error);
}

kn_result knc_gather_kinds_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "gatherer";
    kind.section = "gatherers";
    kind.table = &gatherer_table;
    kind.text = "How workers gather resources, and where they bring them.";
    kind.check = gatherer_check;
    kind.expand = gatherer_expand;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->gatherer_kind, error);
}

kn_result kn_gatherer_register(
    kn_library *library, const kn_gatherer_def *def, kn_gatherer_id *type, kn_error *error)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_gatherer_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->gatherer_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_gatherer_id kn_gatherer_find(const kn_library *library, const char *name)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    kn_gatherer_id type = {0};
    if (kit != NULL) {
        type.index1 = kn_def_find(library, kit->gatherer_kind, name);
    }
    return type;
}

const kn_gatherer_def *kn_gatherer_get_def(const kn_library *library, kn_gatherer_id type)
{
    const produce_kit *kit = knc_produce_kit_of(library);
    return kit != NULL ? kn_def_get(library, kit->gatherer_kind, type.index1) : NULL;
}
