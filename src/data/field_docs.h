// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Help for data files: what the headers say about the fields of defs, and about other keys.
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

// Help for a key of data files that is not a field, such as a section; NULL for others.
const char *kni_key_text(const char *key);

#endif
