// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A YAML or JSON file as a tree that is only read. Every node knows its line and column. Values
// stay text; the reader of a field asks for its type.
//
// YAML is read with these rules of ours: one document a file; no tags (`!name`); no key twice in a
// mapping; keys are short texts; aliases and merge keys (`<<`) are expanded, so the tree has none.
// JSON is read by the same parser, halves of characters (`\ud83d\ude00`) included. The parser
// behind it is libyaml, whose own memory does not go through the hooks.
#ifndef KNI_DOCUMENT_H
#define KNI_DOCUMENT_H

#include "buffer.h"
#include "scalar.h"

typedef struct kni_document kni_document;

// A node of a document. Zero means "no node": it has no children and is of kind KNI_NODE_NONE.
// Valid as long as its document; pass it by value.
typedef struct kni_node {
    const kni_document *document;
    uint32_t index1;
} kni_node;

typedef enum kni_node_kind {
    KNI_NODE_NONE,
    KNI_NODE_SCALAR,
    KNI_NODE_SEQUENCE,
    KNI_NODE_MAPPING,
} kni_node_kind;

#define KNI_DOCUMENT_KEY_MAX 255   // bytes of a key
#define KNI_DOCUMENT_DEPTH_MAX 900 // the most that depth_limit may be

// Start from kni_document_def_default().
typedef struct kni_document_def {
    const char *text; // need not end in a zero; may be freed after the call
    size_t size;
    const char *file; // its name in messages; may be NULL
    kn_hooks hooks;
    uint32_t depth_limit; // of mappings and sequences in each other; default 64
    uint32_t node_limit;  // aliases expanded, keys counted too; default 1,000,000
    size_t size_limit;    // bytes; default 16 MB, at most 256 MB
} kni_document_def;

kni_document_def kni_document_def_default(void);

// Reads a file into *buffer, to be freed by kni_buffer_free(). `def` gives hooks and size limit.
// KN_OK, KN_ERROR_IO or KN_ERROR_BAD_DATA (too large) with an error in the report, or
// KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_document_read_file(
    const char *path, const kni_document_def *def, kni_report *report, kni_buffer *buffer);

// Reads the tree from def->text. KN_OK; KN_ERROR_BAD_DATA with at least one error in the report;
// or KN_ERROR_OUT_OF_MEMORY. An empty text is a document whose root is null.
KN_MUST_USE kn_result kni_document_parse(
    const kni_document_def *def, kni_report *report, kni_document **document);
void kni_document_destroy(kni_document *document); // NULL is fine

// The name given in the def, or NULL.
const char *kni_document_file(const kni_document *document);

kni_node kni_document_root(const kni_document *document);

kni_node_kind kni_node_kind_of(kni_node node);
static inline bool kni_node_exists(kni_node node)
{
    return node.index1 != 0;
}

// "a mapping", "a list", "a text", "nothing", for messages.
const char *kni_node_kind_name(kni_node node);

// Where the value begins, its anchor included. What an alias brought in has the place where it is
// written, which is where it has to be corrected.
kni_place kni_node_place(kni_node node);

// For a value in a mapping: its key, zero-terminated, and the place of that; else NULL, and the
// place of the value.
const char *kni_node_key(kni_node node);
kni_place kni_node_key_place(kni_node node);

// Values of a mapping or items of a sequence; 0 for a scalar.
uint32_t kni_node_count(kni_node node);

// Walks the values of a mapping or the items of a sequence, in the order of the file; what `<<`
// brought in comes last.
//     kni_children children = kni_node_children(node);
//     for (kni_node child; kni_children_next(&children, &child);) {
typedef struct kni_children {
    const kni_document *document;
    uint32_t at, end;
    bool keyed;
} kni_children;

kni_children kni_node_children(kni_node node);
bool kni_children_next(kni_children *children, kni_node *child);

// The value of a key, or no node. Keys differ by case. Fast also among many.
kni_node kni_node_get(kni_node mapping, const char *key);

// The text of a scalar. For anything else the text is empty, unquoted.
kni_scalar kni_node_scalar(kni_node node);

// `~`, `null` or nothing, unquoted.
bool kni_node_is_null(kni_node node);

// As the functions of scalar.h, which have the details. A mapping, a sequence or no node is refused
// as well, with a sentence.
KN_MUST_USE kn_result kni_node_bool(kni_node node, bool *value, kn_error *error);
KN_MUST_USE kn_result kni_node_i64(
    kni_node node, int64_t min, int64_t max, int64_t *value, kn_error *error);
KN_MUST_USE kn_result kni_node_u64(
    kni_node node, uint64_t min, uint64_t max, uint64_t *value, kn_error *error);
KN_MUST_USE kn_result kni_node_f32(
    kni_node node, float min, float max, float *value, kn_error *error);
KN_MUST_USE kn_result kni_node_time(
    kni_node node, kn_time min, kn_time max, kn_time *value, kn_error *error);

// Any scalar but null, quoted or not; *value, valid as long as the document, is NULL when refused.
KN_MUST_USE kn_result kni_node_text(kni_node node, const char **value, kn_error *error);

// As kni_scalar_refuse(), for any kind of node: "expected <what>, but this is a mapping".
kn_result kni_node_refuse(kni_node node, const char *what, kn_error *error);

#endif
