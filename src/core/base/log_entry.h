// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef KNI_LOG_ENTRY_H
#define KNI_LOG_ENTRY_H

#include "knack/base.h"

// Writes an entry to the hooks, or to stderr when they have no log function.
void kni_log_entry(const kn_hooks *hooks, const kn_log_entry *entry);
// The same for a warning.
void kni_log_hooks(
    const kn_hooks *hooks, kn_log_category category, kn_result code, const char *message);

#endif
