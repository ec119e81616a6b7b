// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of targeting types, and the checks of their numbers.

#include "library/types.h"

#include <math.h>

kn_targeting_def kn_targeting_def_default(void)
{
    kn_targeting_def def = {
        .layers = UINT32_MAX,
        .confirms = (1u << KN_CONFIRM_COUNT) - 1,
        .reticle_scale = {1.0f, 1.0f, 1.0f},
        .cookie = KN_COOKIE,
    };
    return def;
}

static bool vector_is_finite(kn_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static kn_result targeting_check(const kn_targeting_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (!vector_is_finite(def->offset) || !vector_is_finite(def->reticle_scale) ||
        !isfinite(def->range) || !isfinite(def->radius)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "targeting `%s`: offset, range, radius and scale must be finite", name);
    }
    if (!(def->range >= 0.0f) || !(def->radius >= 0.0f) || !(def->cosine >= -1.0f) ||
        !(def->cosine <= 1.0f) || def->interval < 0 || def->interval > KN_TIME_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "targeting `%s`: range, radius and interval must be at least 0, the cosine from -1 to "
            "1",
            name);
    }
    if (def->shape == KN_SHAPE_CUSTOM && def->find == NULL) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "targeting `%s` has no function to find targets", name);
    }
    if (def->confirms == 0 || def->confirms >> KN_CONFIRM_COUNT != 0) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "targeting `%s` has an unknown way to confirm", name);
    }
    return KN_OK;
}

kn_result kn_targeting_register(
    kn_library *library, const kn_targeting_def *def, kn_targeting_id *targeting, kn_error *error)
{
    targeting->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_TARGETING, def->name, def->cookie, "targeting", error);
    if (result == KN_OK) {
        result = targeting_check(def, error);
    }
    return result != KN_OK ? result
                           : kni_register_def(library, KN_DEF_TARGETING, &kni_targeting_def_table,
                                 offsetof(kni_targeting, def), def, def->name, def->cookie,
                                 "targeting", &targeting->index1, error);
}
