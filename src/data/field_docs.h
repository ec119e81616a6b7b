// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the headers say about the fields of defs.
#ifndef KNI_FIELD_DOCS_H
#define KNI_FIELD_DOCS_H

#include <stdint.h>

typedef struct kni_field_doc {
    const char *table; // such as "kn_effect_def"
    const char *field;
    const char *text;
} kni_field_doc;

extern const kni_field_doc kni_field_docs[];
extern const uint32_t kni_field_doc_count;

#endif
