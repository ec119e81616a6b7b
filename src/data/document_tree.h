// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tree behind a document.
//
// It is one array of nodes in the order of the file: a mapping is followed by its entries, each a
// key and the value's own nodes; a sequence by its items. A node knows how many nodes it takes up,
// so the next sibling is that far away, and what an alias names is copied as a block. Mappings with
// many keys also have a hash table of offsets from the mapping itself, which a copy shares. An
// entry `<<` stays where it is, hidden, and what it brings in follows the mapping's own entries.
#ifndef KNI_DOCUMENT_TREE_H
#define KNI_DOCUMENT_TREE_H

#include "document.h"

#define KNI_TREE_NONE UINT32_MAX

#define KNI_TREE_QUOTED 1u // a scalar that was written in quotes or as a block
#define KNI_TREE_KEYED 2u  // a value of a mapping; its key is the node before
#define KNI_TREE_HIDDEN 4u // a key `<<`

typedef struct kni_tree_node {
    uint32_t line;
    uint32_t column;
    uint32_t text;  // offset, of a scalar
    uint32_t count; // bytes of a scalar, visible children of others
    uint32_t size;  // nodes with all below it; 0 while it is being read
    uint32_t link;  // hash of a key; 1 + start of the table of a mapping, or 0
    uint16_t height;
    uint8_t kind;
    uint8_t flags;
} kni_tree_node;

_Static_assert(sizeof(kni_tree_node) == 28, "a node is small");

struct kni_document {
    kn_hooks hooks;
    kni_tree_node *nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t *tables; // each begins with its mask
    uint32_t table_size;
    uint32_t table_capacity;
    uint32_t file; // offset in the texts, or KNI_TREE_NONE
    kni_buffer texts;
};

// A key to look for, with its hash.
typedef struct kni_key {
    const char *text;
    uint32_t length;
    uint32_t hash;
} kni_key;

kni_key kni_key_make(const char *text, size_t length);
kni_key kni_key_of(const kni_document *document, uint32_t node);

// The node behind the entry whose key is `node`.
uint32_t kni_key_next(const kni_document *document, uint32_t node);

// The key's node among the entries of `mapping` that lie before `end`, or KNI_TREE_NONE.
uint32_t kni_key_find(
    const kni_document *document, uint32_t mapping, uint32_t end, const kni_key *key);

// In a mapping with a table: the offset of the key's node, or the 0 that is to become it.
uint32_t *kni_key_slot(const kni_document *document, uint32_t mapping, const kni_key *key);

#endif
