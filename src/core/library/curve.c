// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Curves: tables of points with steps or straight lines between them, constant beyond the ends.

#include "library/types.h"

#include <math.h>

kn_curve_def kn_curve_def_default(void)
{
    kn_curve_def def = {.kind = KN_CURVE_LINEAR, .cookie = KN_COOKIE};
    return def;
}

kn_result kn_curve_register(
    kn_library *library, const kn_curve_def *def, kn_curve_id *curve, kn_error *error)
{
    uint32_t index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE && def->points != NULL) {
        for (uint32_t i = 1; i < def->point_count; i++) {
            if (!(def->points[i].x > def->points[i - 1].x)) {
                *curve = (kn_curve_id){0};
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "curve `%s`: x of point %u does not increase",
                    def->name != NULL ? def->name : "", i);
            }
        }
    }
    kn_result result = KN_ERROR_INVALID_ARGUMENT;
    if (def != NULL && def->cookie == KN_COOKIE && def->point_count == 0) {
        result = kni_error(error, KN_ERROR_BAD_DATA, "curve `%s` has no points",
            def->name != NULL ? def->name : "");
    } else if (def != NULL) {
        result = kni_register_def(library, KN_DEF_CURVE, &kni_curve_def_table,
            offsetof(kni_curve, def), def, def->name, def->cookie, "curve", &index1, error);
    }
    curve->index1 = index1;
    return result;
}

float kn_curve_at(const kn_library *library, kn_curve_id curve, float x)
{
    if (curve.index1 == 0 || curve.index1 > library->registries[KN_DEF_CURVE].count) {
        return 1.0f;
    }
    const kn_curve_def *def = &KNI_ITEM(library, KN_DEF_CURVE, kni_curve, curve.index1 - 1)->def;
    const kn_curve_point *points = def->points;
    uint32_t low = 0, high = def->point_count; // the first point above x lies in [low, high]
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (points[middle].x <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return points[0].y;
    }
    const kn_curve_point *a = &points[low - 1];
    if (def->kind == KN_CURVE_STEP || low == def->point_count) {
        return a->y;
    }
    const kn_curve_point *b = &points[low];
    float width = b->x - a->x, rise = b->y - a->y;
    if (!isfinite(width) || !isfinite(rise)) { // further apart than a float can express
        double part = ((double)x - (double)a->x) / ((double)b->x - (double)a->x);
        return (float)((double)a->y + ((double)b->y - (double)a->y) * part);
    }
    return a->y + rise * ((x - a->x) / width);
}
