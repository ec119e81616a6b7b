// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The number that default functions put into defs.
#ifndef KNI_COOKIE_H
#define KNI_COOKIE_H

#include "knack/base.h"

#define KNI_COOKIE 0x6b6e6163u

// Asserts that a def was initialised, and names the default function to start from.
#if KN_ASSERTS
#define KNI_ASSERT_DEF(def, type)                                                                  \
    ((def) != NULL && (def)->cookie == KNI_COOKIE                                                  \
            ? (void)0                                                                              \
            : kn_assert_report(#type ": start from " #type "_default()", __FILE__, __LINE__))
#else
#define KNI_ASSERT_DEF(def, type) ((void)0)
#endif

#endif
