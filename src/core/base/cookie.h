// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The number that default functions put into defs.
#ifndef KNI_COOKIE_H
#define KNI_COOKIE_H

#include "knack/tools.h"

#define KNI_COOKIE KN_COOKIE
#define KNI_ASSERT_DEF(def, type) KN_ASSERT_DEF(def, type)

#endif
