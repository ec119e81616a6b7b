// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of types of watches.

#include "library/types.h"

#include <math.h>

kn_watch_def kn_watch_def_default(void)
{
    kn_watch_def def = {.cookie = KNI_COOKIE};
    return def;
}

static kn_result watch_check(const kn_watch_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->function == NULL) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "watch `%s` has no function", name);
    }
    bool for_trigger = def->kind == KN_WATCH_TRIGGER;
    if (for_trigger && def->tag.index1 == 0 &&
        (def->trigger == KN_TRIGGER_TAG_ADDED || def->trigger == KN_TRIGGER_TAG_REMOVED)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must say which tag it waits for", name);
    }
    if (def->attribute.index1 == 0 &&
        (def->kind == KN_WATCH_THRESHOLD ||
            (for_trigger && def->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED))) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must say which attribute it waits for", name);
    }
    if (def->kind == KN_WATCH_QUERY && def->query == NULL) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "watch `%s` must have a query that tags can match", name);
    }
    if (!isfinite(def->value)) {
        return kni_error(error, KN_ERROR_BAD_DATA, "watch `%s`: its value is not finite", name);
    }
    return KN_OK;
}

kn_result kn_watch_type_register(
    kn_library *library, const kn_watch_def *def, kn_watch_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def != NULL && def->cookie == KNI_COOKIE) {
        kn_result checked = watch_check(def, error);
        if (checked != KN_OK) {
            return checked;
        }
    }
    KNI_REGISTER(KN_DEF_WATCH, &kni_watch_def_table, kni_watch_type, "watch")
    type->index1 = index1;
    return result;
}
