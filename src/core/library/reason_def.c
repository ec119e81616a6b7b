// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reasons: why abilities are refused and why activations end, ours and those that a library
// registers, with their words, tags and results.

#include "library/types.h"

// Ours -------------------------------------------------------------------------

typedef struct fail_info {
    const char *tag;
    kn_result result;
} fail_info;

// By bit number of kn_fail.
static const fail_info fail_infos[KN_FAIL_COUNT] = {
    {"Activation.Fail.Stale", KN_REFUSED_STALE_ID},
    {"Activation.Fail.Networking", KN_REFUSED_BLOCKED},
    {"Activation.Fail.IsDead", KN_REFUSED_DYING},
    {"Activation.Fail.BlockedByTags", KN_REFUSED_BLOCKED},
    {"Activation.Fail.MissingTags", KN_REFUSED_REQUIREMENT},
    {"Activation.Fail.OnCooldown", KN_REFUSED_COOLDOWN},
    {"Activation.Fail.CantAffordCost", KN_REFUSED_COST},
    {"Activation.Fail.AlreadyActive", KN_REFUSED_DUPLICATE},
    {"Activation.Fail.Custom", KN_REFUSED_CUSTOM},
    {"Activation.Fail.NotReady", KN_REFUSED_NOT_FOUND},
    {"Activation.Fail.NoTarget", KN_REFUSED_REQUIREMENT},
};

// The bit number of a reason, or KN_FAIL_COUNT.
static uint32_t fail_index(kn_fail reason)
{
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        if ((uint32_t)reason == 1u << i) {
            return i;
        }
    }
    return KN_FAIL_COUNT;
}

kn_tag kn_ability_fail_tag(const kn_library *library, kn_fail reason)
{
    uint32_t index = fail_index(reason);
    const kn_fail_def *own = kn_fail_get_def(library, reason);
    return own != NULL                                ? own->tag
           : library != NULL && index < KN_FAIL_COUNT ? library->fail_tags[index]
                                                      : (kn_tag){0};
}

kn_result kn_fail_result(uint32_t reasons)
{
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        if ((reasons >> i & 1) != 0) {
            return fail_infos[i].result;
        }
    }
    return reasons != 0 ? KN_REFUSED_CUSTOM : KN_OK;
}

static bool library_is_open(const kn_library *library)
{
    return library != NULL && !library->finished;
}

kn_result kn_ability_fail_tags_register(kn_library *library, kn_error *error)
{
    const char *names[KN_FAIL_COUNT];
    kn_tag tags[KN_FAIL_COUNT];
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        names[i] = fail_infos[i].tag;
    }
    kn_result result = kn_tag_register_module(library, "knack", names, KN_FAIL_COUNT, tags, error);
    for (uint32_t i = 0; result == KN_OK && i < KN_FAIL_COUNT; i++) {
        library->fail_tags[i] = tags[i];
    }
    return result;
}

kn_result kn_ability_fail_tag_set(kn_library *library, kn_fail reason, kn_tag tag)
{
    uint32_t index = fail_index(reason);
    if (library == NULL || index == KN_FAIL_COUNT || tag.index1 > kn_tag_count(library)) {
        KN_ASSERT(library != NULL && index < KN_FAIL_COUNT);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!library_is_open(library)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    library->fail_tags[index] = tag;
    return KN_OK;
}

kn_result kn_ability_dead_tag_set(kn_library *library, kn_tag tag)
{
    if (library == NULL || tag.index1 > kn_tag_count(library)) {
        KN_ASSERT(library != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!library_is_open(library)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    library->dead_tag = tag;
    return KN_OK;
}

kn_tag kn_ability_dead_tag(const kn_library *library)
{
    return library->dead_tag;
}

const char *kn_fail_name(kn_fail reason)
{
    static const char *const names[KN_FAIL_COUNT] = {"stale", "networking", "dead", "blocked",
        "missing_tags", "cooldown", "cost", "active", "custom", "not_ready", "no_target"};
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        if ((uint32_t)reason == UINT32_C(1) << i) {
            return names[i];
        }
    }
    return "";
}

const char *kn_end_reason_name(kn_end_reason reason)
{
    static const char *const names[KN_END_REASON_COUNT] = {
        [KN_ENDED_DONE] = "ended",
        [KN_ENDED_CANCELLED] = "cancelled",
        [KN_ENDED_BY_TAGS] = "by tags",
        [KN_ENDED_RETRIGGERED] = "retriggered",
        [KN_ENDED_REMOVED] = "removed",
        [KN_ENDED_OWNER_GONE] = "owner gone",
        [KN_ENDED_FAILED] = "failed",
        [KN_ENDED_TAG_LOST] = "tag lost",
        [KN_ENDED_REJECTED] = "rejected",
        [KN_ENDED_REMOTE] = "remote",
    };
    return reason >= KN_ENDED_DONE && reason < KN_END_REASON_COUNT ? names[reason] : "";
}

// The reason of ours with this name; 0 for none.
static kn_fail fail_ours(const char *name)
{
    for (uint32_t i = 0; name != NULL && i < KN_FAIL_COUNT; i++) {
        if (strcmp(name, kn_fail_name((kn_fail)(1u << i))) == 0) {
            return (kn_fail)(1u << i);
        }
    }
    return (kn_fail)0;
}

// Those of the library ---------------------------------------------------------

kn_fail_def kn_fail_def_default(void)
{
    kn_fail_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_end_reason_def kn_end_reason_def_default(void)
{
    kn_end_reason_def def = {.cookie = KN_COOKIE};
    return def;
}

// Refuses a name that one of ours has, and one too many.
static kn_result reason_check(const kn_library *library, kn_def_kind kind, const char *name,
    bool is_ours, uint32_t most, kn_error *error)
{
    const char *what = kn_def_kind_name(kind);
    if (is_ours) {
        return kni_error(
            error, KN_REFUSED_DUPLICATE, "%s `%s` is there already: it is built in", what, name);
    }
    if (library != NULL && library->registries[kind].count >= most) {
        return kni_error(error, KN_REFUSED_LIMIT, "%s `%s` is one too many: there can be %u", what,
            name != NULL ? name : "", most);
    }
    return KN_OK;
}

kn_result kn_fail_register(
    kn_library *library, const kn_fail_def *def, kn_fail *fail, kn_error *error)
{
    if (fail != NULL) {
        *fail = (kn_fail)0;
    }
    if (def == NULL || fail == NULL) {
        KN_ASSERT(def != NULL && fail != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_FAIL, def->name, def->cookie, "fail reason", error);
    if (result == KN_OK) {
        result = reason_check(
            library, KN_DEF_FAIL, def->name, fail_ours(def->name) != 0, KN_FAIL_OWN_MAX, error);
    }
    uint32_t index1 = 0;
    if (result == KN_OK) {
        result = kni_register_def(library, KN_DEF_FAIL, &kni_fail_def_table,
            offsetof(kni_fail_reason, def), def, def->name, def->cookie, "fail reason", &index1,
            error);
    }
    *fail = (kn_fail)(index1 != 0 ? (uint32_t)KN_FAIL_OWN_FIRST << (index1 - 1) : 0);
    return result;
}

kn_fail kn_fail_find(const kn_library *library, const char *name)
{
    kn_fail ours = fail_ours(name);
    uint32_t index1 = library != NULL && name != NULL ? kn_def_find(library, KN_DEF_FAIL, name) : 0;
    return ours != 0     ? ours
           : index1 != 0 ? (kn_fail)((uint32_t)KN_FAIL_OWN_FIRST << (index1 - 1))
                         : (kn_fail)0;
}

const kn_fail_def *kn_fail_get_def(const kn_library *library, kn_fail reason)
{
    for (uint32_t i = 0; library != NULL && i < library->registries[KN_DEF_FAIL].count; i++) {
        if ((uint32_t)reason == (uint32_t)KN_FAIL_OWN_FIRST << i) {
            return kn_def_get(library, KN_DEF_FAIL, i + 1);
        }
    }
    return NULL;
}

const char *kn_library_fail_name(const kn_library *library, kn_fail reason)
{
    const kn_fail_def *own = kn_fail_get_def(library, reason);
    return own != NULL ? own->name : kn_fail_name(reason);
}

kn_result kn_end_reason_register(
    kn_library *library, const kn_end_reason_def *def, kn_end_reason *reason, kn_error *error)
{
    if (reason != NULL) {
        *reason = (kn_end_reason)0;
    }
    if (def == NULL || reason == NULL) {
        KN_ASSERT(def != NULL && reason != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_END_REASON, def->name, def->cookie, "end reason", error);
    if (result == KN_OK) {
        result = reason_check(library, KN_DEF_END_REASON, def->name,
            kn_end_reason_find(library, def->name) != 0,
            KN_END_REASON_LAST + 1 - KN_END_REASON_COUNT, error);
    }
    uint32_t index1 = 0;
    if (result == KN_OK) {
        result = kni_register_def(library, KN_DEF_END_REASON, &kni_end_reason_def_table,
            offsetof(kni_end_reason, def), def, def->name, def->cookie, "end reason", &index1,
            error);
    }
    *reason = (kn_end_reason)(index1 != 0 ? KN_END_REASON_COUNT + index1 - 1 : 0);
    return result;
}

// Whether two names are the same but for blanks and `_`.
static bool reason_name_equal(const char *a, const char *b)
{
    for (; *a != 0 && (*a == *b || (*a == ' ' && *b == '_') || (*a == '_' && *b == ' '));
         a++, b++) {
    }
    return *a == 0 && *b == 0;
}

kn_end_reason kn_end_reason_find(const kn_library *library, const char *name)
{
    uint32_t end =
        KN_END_REASON_COUNT + (library != NULL ? library->registries[KN_DEF_END_REASON].count : 0);
    for (uint32_t i = KN_ENDED_DONE; name != NULL && i < end; i++) {
        if (reason_name_equal(kn_library_end_reason_name(library, (kn_end_reason)i), name)) {
            return (kn_end_reason)i;
        }
    }
    return (kn_end_reason)0;
}

const kn_end_reason_def *kn_end_reason_get_def(const kn_library *library, kn_end_reason reason)
{
    uint32_t number = (uint32_t)reason;
    return number < KN_END_REASON_COUNT
               ? NULL
               : kn_def_get(library, KN_DEF_END_REASON, number - KN_END_REASON_COUNT + 1);
}

const char *kn_library_end_reason_name(const kn_library *library, kn_end_reason reason)
{
    const kn_end_reason_def *own = kn_end_reason_get_def(library, reason);
    return own != NULL ? own->name : kn_end_reason_name(reason);
}
