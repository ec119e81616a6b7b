// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of movers.

#include "mover_parts.h"

#include <math.h>
#include <stdio.h>

kn_mover_def kn_mover_def_default(void)
{
    kn_mover_def def = {
        .rate = 20,
        .search_limit = 2048,
        .slack = 8.0f,
        .radius = 0.5f,
        .stuck_after = KN_S(2),
        .cookie = KN_COOKIE,
    };
    return def;
}

static void mover_init(void *def)
{
    *(kn_mover_def *)def = kn_mover_def_default();
}

static const kn_def_field mover_fields[] = {
    KN_DEF_F(kn_mover_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_mover_def, tag, KN_DEF_TAG, "Entities that gain this tag are moved by it."),
    KN_DEF_F(kn_mover_def, speed, KN_FIELD_F32,
        "Units per second, above 0; required unless it `stays`."),
    KN_DEF_F(kn_mover_def, stays, KN_FIELD_BOOL,
        "It turns but does not walk, like a tower: what is not in range already cannot be reached; "
        "default false."),
    KN_DEF_F(kn_mover_def, speed_attribute, KN_FIELD_ATTRIBUTE,
        "An attribute that holds the speed of entities that have it; 0 or below: they wait."),
    KN_DEF_F(kn_mover_def, rate, KN_FIELD_U32,
        "How often per second positions are written, 1 to 1000; default 20."),
    KN_DEF_F_KIND(kn_mover_def, map, "map",
        "The map it looks for paths on; default: it goes in straight lines."),
    KN_DEF_F(kn_mover_def, search_limit, KN_FIELD_U32,
        "Most places where a path may turn that one search considers, 1 to 4096; default 2048."),
    KN_DEF_F(kn_mover_def, slack, KN_FIELD_F32,
        "How far from a blocked goal a unit may stop, and from how far inside blocked cells it "
        "finds its way out, 0 or more; default 8."),
    KN_DEF_F(kn_mover_def, radius, KN_FIELD_F32,
        "How wide a unit is for those around it, 0 or more; default 0.5."),
    KN_DEF_F(kn_mover_def, separation, KN_FIELD_F32,
        "How fast units that overlap move apart while they move: the share of the overlap per "
        "second; 0: they do not mind each other; default 0."),
    KN_DEF_F(kn_mover_def, avoids_resting, KN_FIELD_BOOL,
        "Units at rest that have a mover count as well; default false."),
    KN_DEF_F(kn_mover_def, stuck_after, KN_FIELD_TIME,
        "Time without getting on until a unit is stuck; 0: never; default 2 s."),
    KN_DEF_F(kn_mover_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table mover_table = {
    "mover_def", sizeof(kn_mover_def), mover_fields, COUNT(mover_fields), mover_init};

static kn_result bad(const kn_mover_def *def, kn_error *error, const char *sentence)
{
    return kn_error_set(error, KN_ERROR_BAD_DATA, "mover `%s`: %s", def->name, sentence);
}

static kn_result mover_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_mover_def *def = item;
    (void)user;
    (void)library;
    if (!isfinite(def->speed) || def->speed < 0.0f || (def->speed <= 0.0f && !def->stays)) {
        return bad(def, error, "it needs a `speed` above 0");
    }
    if (def->rate < 1 || def->rate > KN_MOVER_RATE_MAX) {
        return bad(def, error, "`rate` must be 1 to 1000");
    }
    if (def->search_limit < 1 || def->search_limit > KN_PATH_NODES_MAX) {
        return bad(def, error, "`search_limit` must be 1 to 4096");
    }
    if (!isfinite(def->radius) || def->radius < 0.0f || !isfinite(def->separation) ||
        def->separation < 0.0f) {
        return bad(def, error, "`radius` and `separation` must be 0 or more");
    }
    if (!isfinite(def->slack) || def->slack < 0.0f) {
        return bad(def, error, "`slack` must be 0 or more");
    }
    if (def->stuck_after < 0 || def->stuck_after > KN_TIME_MAX) {
        return bad(def, error, "`stuck_after` must be 0 or more");
    }
    return KN_OK;
}

static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_mover_id mover = {(uint32_t)(uintptr_t)user};
    const kn_mover_def *def = knc_mover_of(world, mover);
    if (def != NULL && kn_entity_has_tag(world, reaction->entity, def->tag)) {
        (void)kn_mover_set(world, reaction->entity, mover);
    }
}

static kn_result mover_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    kn_result result = knc_mover_systems_register(library, user, error);
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kind); i++) {
        const kn_mover_def *def = kn_def_get(library, kind, i);
        char name[64];
        kn_rule_id rule;
        kn_rule_def rule_def = kn_rule_def_default();
        if (def->tag.index1 == 0) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "Knack.Mover.%u", i);
        rule_def.name = name;
        rule_def.trigger = KN_TRIGGER_TAG_ADDED;
        rule_def.tag = def->tag;
        rule_def.function = tag_rule;
        rule_def.user = (void *)(uintptr_t)i;
        result = kn_rule_register(library, &rule_def, &rule, error);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
    }
    return result;
}

kn_result knc_mover_kinds_register(kn_library *library, mover_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "mover";
    kind.section = "movers";
    kind.table = &mover_table;
    kind.text = "How entities move without an engine.";
    kind.check = mover_check;
    kind.expand = mover_expand;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->mover_kind, error);
}

kn_result kn_mover_register(
    kn_library *library, const kn_mover_def *def, kn_mover_id *mover, kn_error *error)
{
    kn_mover_id ignored;
    mover = mover != NULL ? mover : &ignored;
    mover->index1 = 0;
    return def != NULL && kn_order_is_there(library)
               ? kn_def_register(
                     library, knc_mover_kit_of(library)->mover_kind, def, &mover->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_mover_id kn_mover_find(const kn_library *library, const char *name)
{
    kn_mover_id mover = {0};
    if (kn_order_is_there(library)) {
        mover.index1 = kn_def_find_expected(library, knc_mover_kit_of(library)->mover_kind, name);
    }
    return mover;
}

const kn_mover_def *kn_mover_get_def(const kn_library *library, kn_mover_id mover)
{
    return kn_order_is_there(library)
               ? kn_def_get(library, knc_mover_kit_of(library)->mover_kind, mover.index1)
               : NULL;
}
