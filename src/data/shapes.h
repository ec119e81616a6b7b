// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How defs look in files, beyond what their field tables say: the sections of a file, and the
// short forms of structs that are written often. Loader, writer and schema share these tables.
#ifndef KNI_SHAPES_H
#define KNI_SHAPES_H

#include "knack/knack.h"

// A section of a file: `effects:` and so on.
typedef struct kni_section {
    const char *key;
    kn_def_kind kind;
} kni_section;

extern const kni_section kni_sections[]; // ours
extern const uint32_t kni_section_count;
// Those of a library: ours, then those of own kinds. `library` may be NULL.
uint32_t kni_library_section_count(const kn_library *library);
kni_section kni_library_section(const kn_library *library, uint32_t index);

// Short forms. An array of structs with a `key` may be written as a mapping from that field to the
// rest; a scalar in place of the rest is the field `value`; a scalar item of a list is the field
// `key`. NULL where there is none.
typedef struct kni_shape {
    const char *table;
    const char *key;
    const char *value;
} kni_shape;

// The shape of a struct; an empty one if it has none.
kni_shape kni_shape_of(const kn_def_table *table);
// What readers of files call a struct: "effect" for kn_effect_def.
void kni_table_title(const kn_def_table *table, char *title, size_t size);
// Whether a field of this kind can be written in a file.
bool kni_field_is_written(const kn_def_field *field);
// Whether `bool has_x` stands for "x was given": then files leave it out.
bool kni_field_is_implied(const kn_def_table *table, const kn_def_field *field, const char *by);

#endif
