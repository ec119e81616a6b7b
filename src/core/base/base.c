// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What every program that links the core needs: the version, names of results, seconds to and from
// kn_time, and the assert handler, the only state that is shared by the whole process.

#include "knack/base.h"

#include "base/compiler.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

// Results are the same on every machine only where float arithmetic is really done in float.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "knack needs exact numbers: compile it without -ffast-math and /fp:fast"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "knack needs float expressions evaluated as float");
_Static_assert(FLT_RADIX == 2 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "binary32 floats");
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "binary64 doubles");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "binary32 and binary64");

kn_version kn_version_linked(void)
{
    return (kn_version){KN_VERSION_MAJOR, KN_VERSION_MINOR, KN_VERSION_PATCH};
}

#define RESULT_NAME(result) [result] = #result

static const char *const result_names[KN_RESULT_COUNT] = {
    RESULT_NAME(KN_OK),
    RESULT_NAME(KN_REFUSED_STALE_ID),
    RESULT_NAME(KN_REFUSED_BLOCKED),
    RESULT_NAME(KN_REFUSED_REQUIREMENT),
    RESULT_NAME(KN_REFUSED_CUSTOM),
    RESULT_NAME(KN_REFUSED_CHANCE),
    RESULT_NAME(KN_REFUSED_STACK_DENIED),
    RESULT_NAME(KN_REFUSED_EXCLUSIVE),
    RESULT_NAME(KN_REFUSED_MISSING_VALUE),
    RESULT_NAME(KN_REFUSED_MISSING_ATTRIBUTE),
    RESULT_NAME(KN_REFUSED_BAD_NUMBER),
    RESULT_NAME(KN_REFUSED_CYCLE),
    RESULT_NAME(KN_REFUSED_DYING),
    RESULT_NAME(KN_REFUSED_LIMIT),
    RESULT_NAME(KN_REFUSED_NOT_FOUND),
    RESULT_NAME(KN_REFUSED_DUPLICATE),
    RESULT_NAME(KN_REFUSED_COOLDOWN),
    RESULT_NAME(KN_REFUSED_COST),
    RESULT_NAME(KN_ERROR_OUT_OF_MEMORY),
    RESULT_NAME(KN_ERROR_BAD_DATA),
    RESULT_NAME(KN_ERROR_IO),
    RESULT_NAME(KN_ERROR_BUFFER_TOO_SMALL),
    RESULT_NAME(KN_ERROR_INVALID_ARGUMENT),
    RESULT_NAME(KN_ERROR_WORLD_LOCKED),
    RESULT_NAME(KN_ERROR_WORLD_BROKEN),
};

const char *kn_result_name(kn_result result)
{
    uint32_t index = (uint32_t)result; // a negative value becomes a large one
    if (index >= KN_RESULT_COUNT || result_names[index] == NULL) {
        return "unknown result";
    }
    return result_names[index];
}

kn_time kn_time_from_seconds(double seconds)
{
    const double limit = 0x1p62; // KN_TIME_MAX is the integer just below
    double us = seconds * 1e6;
    if (us != us) {
        return 0;
    }
    if (us >= limit) {
        return KN_TIME_MAX;
    }
    if (us <= -limit) {
        return -KN_TIME_MAX;
    }
    // Adding 0.5 before truncating would round 0.49999999999999994 up; the difference is exact.
    kn_time whole = (kn_time)us;
    double rest = us - (double)whole;
    if (rest >= 0.5) {
        whole++;
    } else if (rest <= -0.5) {
        whole--;
    }
    return whole;
}

double kn_time_to_seconds(kn_time time)
{
    return (double)time / 1e6;
}

static bool assert_default(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: knack assertion failed: %s\n", file, line, condition);
    fflush(stderr);
    abort();
}

static kn_assert_fn *assert_handler = assert_default;

void kn_assert_set_handler(kn_assert_fn *handler)
{
    assert_handler = handler != NULL ? handler : assert_default;
}

void kn_assert_report(const char *condition, const char *file, int line)
{
    if (!assert_handler(condition, file, line)) {
        return;
    }
    KNI_TRAP();
}
