// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One build: documents in, a library out. What a file says is an entry until it is registered;
// entries are registered when they are first needed, so that files may name things in any order.
#ifndef KNI_LOADER_H
#define KNI_LOADER_H

#include "document.h"

#include "knack/data.h"

// Memory for defs that are being read: freed in the reverse order it was taken.
typedef struct kni_arena_block kni_arena_block;
typedef struct kni_arena {
    kn_hooks hooks;
    kni_arena_block *last;
    bool failed; // some memory was not there
} kni_arena;

typedef struct kni_arena_mark {
    kni_arena_block *block;
    size_t used;
} kni_arena_mark;

// Zeroed and aligned for anything; NULL when out of memory.
void *kni_arena_take(kni_arena *arena, size_t size);
const char *kni_arena_text(kni_arena *arena, const char *text, size_t length);
kni_arena_mark kni_arena_here(const kni_arena *arena);
void kni_arena_release(kni_arena *arena, kni_arena_mark mark);

typedef enum kni_entry_state {
    KNI_ENTRY_NEW,
    KNI_ENTRY_VISITED, // being registered: needing it now means a cycle
    KNI_ENTRY_DONE,
    KNI_ENTRY_FAILED, // its errors have been reported
} kni_entry_state;

// Something a file defines.
typedef struct kni_entry {
    kn_def_kind kind;
    kni_entry_state state;
    const char *name;
    kni_place place;
    kni_node node;                     // none for a row of a table
    const struct kni_entry *needed_by; // while it is being registered
} kni_entry;

// C hooks under a name.
typedef struct kni_native {
    kn_def_kind kind; // KN_DEF_KIND_COUNT: that of `kind_name`
    char *kind_name;  // NULL: that of `kind`
    char *name;
    void *def;
    size_t size; // of the def
} kni_native;

typedef struct kni_loader {
    const kn_data_def *def;
    const kni_native *natives;
    uint32_t native_count;
    kn_library *library;
    kni_report *report;
    kni_arena arena;
    kni_entry *entries;
    uint32_t entry_count, entry_capacity;
    uint32_t *map; // open addressing by kind and name: index + 1
    uint32_t map_capacity;
    uint32_t depth;            // entries being registered, one for the sake of another
    const kni_entry *current;  // whose def is being read
    uint32_t expression_count; // of the current entry
    bool tags_are_full;        // and that has been reported
    bool has_bad_scripts;      // the same: what they would define is not missed
    uint32_t lints_off;        // bit per lint that a file switches off
} kni_loader;

void kni_loader_error(kni_loader *loader, const kni_place *place, const char *format, ...)
    KN_PRINTF(3, 4);
void kni_loader_node_error(kni_loader *loader, kni_node node, const char *format, ...)
    KN_PRINTF(3, 4);
// True for KN_OK; otherwise the error is reported, or that memory ran out.
bool kni_loader_reported(
    kni_loader *loader, kn_result result, const kni_place *place, const kn_error *error);
// The same at a node.
bool kni_loader_node_reported(
    kni_loader *loader, kn_result result, kni_node node, const kn_error *error);
// A mistake within a formula: its place counts from the beginning of the text.
void kni_loader_expression_error(kni_loader *loader, kni_node node, const kn_error *error);

// Entries. Adding one that is there is an error of the file; NULL then, and when out of memory.
kni_entry *kni_loader_add(kni_loader *loader, kn_def_kind kind, kni_node node, const char *name);
kni_entry *kni_loader_add_at(
    kni_loader *loader, kn_def_kind kind, const kni_place *place, const char *name);
kni_entry *kni_loader_find(const kni_loader *loader, kn_def_kind kind, const char *name);
// Registers an entry and what it needs. False when it has errors; they have been reported.
bool kni_loader_register(kni_loader *loader, kni_entry *entry);

// The number of a registered thing that a file names, registered on the way if it has to be. False
// with a message when there is none; 0 with true for one that is only being registered now, if
// `may_wait`.
bool kni_loader_resolve(kni_loader *loader, kn_def_kind kind, kni_node node, const char *name,
    bool may_wait, uint32_t *index1);
bool kni_loader_resolve_at(kni_loader *loader, kn_def_kind kind, const kni_place *place,
    const char *name, bool may_wait, uint32_t *index1);

// The text of a scalar; false with a message for anything else.
bool kni_read_text(kni_loader *loader, kni_node node, const char **text);
// Reads a def, or a part of one, that holds its defaults. False with messages.
bool kni_read_struct(kni_loader *loader, const kn_def_table *table, kni_node node, void *def);
// The same for the body of an entry: `parent`, `script` and `native` mean something else there.
bool kni_read_body(kni_loader *loader, const kn_def_table *table, kni_node node, void *def);
bool kni_read_tags(kni_loader *loader, kni_node node, kn_tags *tags);

// The sections of a file that are not defs: tags, redirects, names, settings, starting values.
typedef enum kni_phase {
    KNI_PHASE_TAGS,    // when a file is read; everything else may use them
    KNI_PHASE_ENTRIES, // defs become entries
    KNI_PHASE_LAST,    // what needs all defs
} kni_phase;
void kni_sections_read(kni_loader *loader, kni_node root, kni_phase phase);

// The index of a kit that the program offers; `kit_count` when it does not.
uint32_t kni_kit_find(const kn_data_def *def, const char *name);

// A further source: what is below a node of a document, which has to stay until the data is gone.
// KN_OK or KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_data_add_node(kn_data *data, kni_node root);

#endif
