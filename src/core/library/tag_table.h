// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tag registry of one library. Tags are numbered from 1 in order of registration; a parent
// always has a lower number than its children, and numbers are never used again.
//
// What the simulation reads sits in three arrays: `chains` with `chain_first` (a tag and its
// ancestors, for counting) and `ranges` (pre-order numbers, for "is it below"). Everything else
// is for registration and for people.
//
// A tag lives as long as somebody declares it, a child lives, or data that named it before anybody
// declared it was read with KN_UNKNOWN_TAGS_KEEP.
#ifndef KNI_TAG_TABLE_H
#define KNI_TAG_TABLE_H

#include "knack/tag.h"

#include "base/memory.h"

#define KNI_TAG_MAX 65535u

enum {
    KNI_TAG_RESTRICTED = 1 << 0,   // only `owner` may declare it and tags below
    KNI_TAG_KEPT = 1 << 1,         // data names it: it stays even when nobody declares it
    KNI_TAG_UNREGISTERED = 1 << 2, // gone; the number stays empty
};

typedef struct kni_tag_node {
    char *name; // full name; NULL when unregistered
    uint32_t name_hash;
    uint32_t first_declaration; // KNI_NONE for a parent that came into being with a child
    uint32_t last_declaration;
    uint32_t owner; // source that restricted it
    uint32_t uses;
    uint16_t parent; // tags, 0 for none
    uint16_t first_child;
    uint16_t last_child;
    uint16_t previous_sibling;
    uint16_t next_sibling;
    uint16_t common1; // place among the common tags + 1
    uint8_t depth;    // 1 for a root
    uint8_t flags;
} kni_tag_node;

// One source says that a tag exists. Declarations of one tag form a list, oldest first.
typedef struct kni_tag_declaration {
    uint32_t tag;
    uint32_t source; // index, KNI_NONE for a declaration without one
    uint32_t previous;
    uint32_t next;
    char *comment; // may be NULL
} kni_tag_declaration;

typedef struct kni_tag_alias {
    char *old_name;
    char *new_name;
    uint32_t old_hash;
    uint32_t target; // tag at the end of the chain; valid once finished
    uint32_t visit;  // scratch of kni_tag_table_finish()
} kni_tag_alias;

// Both are {0, 0} for the null tag and for unregistered ones, which makes them match nothing.
typedef struct kni_tag_range {
    uint32_t enter; // from 1, in pre-order
    uint32_t exit;  // one past the last number below
} kni_tag_range;

typedef struct kni_tag_slot {
    uint32_t hash;
    uint32_t value; // 0 = free, a tag, or KNI_TAG_MAX + 1 + index of a redirect
} kni_tag_slot;

typedef struct kni_tag_table {
    uint16_t *chains;      // each tag followed by its ancestors up to the root
    uint32_t *chain_first; // of tag - 1; one entry more than tags
    kni_tag_range *ranges; // by tag, null included; only valid once finished
    uint32_t count;        // unregistered ones included
    bool finished;

    kni_tag_node *nodes; // of tag - 1
    uint16_t first_root;
    uint16_t last_root;
    kni_tag_declaration *declarations;
    uint32_t declaration_count;
    char **sources;
    uint32_t source_count;
    kni_tag_alias *aliases; // redirects, in order of declaration
    uint32_t alias_count;
    uint16_t *common;
    uint32_t common_count;
    kni_tag_slot *slots; // open addressing by lower-case name; lookup only
    uint32_t slot_count; // a power of two, or 0
    uint32_t slots_used;

    uint32_t chains_capacity;
    uint32_t chain_first_capacity;
    uint32_t node_capacity;
    uint32_t declaration_capacity;
    uint32_t source_capacity;
    uint32_t alias_capacity;
    uint32_t common_capacity;
    uint32_t range_capacity;
} kni_tag_table;

// Implemented by the library.
kni_tag_table *kni_library_tags(kn_library *library);
// Counts every mention of a tag in a registered def.
void kni_library_count_uses(kn_library *library);
const kni_tag_table *kni_library_tags_const(const kn_library *library);
kni_memory *kni_library_memory(kn_library *library);

void kni_tag_table_init(kni_tag_table *table);
void kni_tag_table_free(kni_tag_table *table, kni_memory *memory);
// Resolves redirects and numbers the tree; nothing has changed unless it returns KN_OK. Setting
// `finished` to false opens the table again.
kn_result kni_tag_table_finish(kni_tag_table *table, kni_memory *memory, kn_error *error);
uint64_t kni_tag_table_hash(const kni_tag_table *table);

// One more mention of a tag in a registered def. Null is ignored.
void kni_tag_count_use(kni_tag_table *table, uint32_t tag);

static inline bool kni_tag_is_live(const kni_tag_table *table, uint32_t tag)
{
    return tag - 1 < table->count && table->nodes[tag - 1].name != NULL;
}

// True for a tag that only data names, directly: nobody declared it, and it is not merely the
// parent of declared ones.
static inline bool kni_tag_is_undeclared(const kni_tag_table *table, uint32_t tag)
{
    return kni_tag_is_live(table, tag) && (table->nodes[tag - 1].flags & KNI_TAG_KEPT) != 0 &&
           table->nodes[tag - 1].first_declaration == KNI_NONE;
}

// The tag itself, then its ancestors up to the root. `tag` is not null and at most table->count.
static inline const uint16_t *kni_tag_chain(
    const kni_tag_table *table, uint32_t tag, uint32_t *count)
{
    KN_ASSERT(tag - 1 < table->count);
    uint32_t first = table->chain_first[tag - 1];
    *count = table->chain_first[tag] - first;
    return &table->chains[first];
}

// For tables that are not finished; constant time too, but more reads.
static inline bool kni_tag_matches_chain(
    const kni_tag_table *table, uint32_t tag, uint32_t ancestor)
{
    if (!kni_tag_is_live(table, tag) || !kni_tag_is_live(table, ancestor)) {
        return false;
    }
    uint32_t count;
    const uint16_t *chain = kni_tag_chain(table, tag, &count);
    uint32_t depth = table->nodes[ancestor - 1].depth;
    return depth <= count && chain[count - depth] == ancestor;
}

// True if `tag` is `ancestor` or below it; any two numbers may be asked about.
static inline bool kni_tag_matches(const kni_tag_table *table, uint32_t tag, uint32_t ancestor)
{
    if (!table->finished) {
        return kni_tag_matches_chain(table, tag, ancestor);
    }
    if (tag > table->count || ancestor > table->count) {
        return false;
    }
    uint32_t enter = table->ranges[tag].enter;
    return enter >= table->ranges[ancestor].enter && enter < table->ranges[ancestor].exit;
}

// The parts of registration that tag_set.c and tag_query.c share. Names come with a length, so
// that they can be read in place.

// Sets `error`, which may be NULL, and returns `code`.
kn_result kni_tag_fail(kn_error *error, kn_result code, uint32_t line, uint32_t column,
    const char *format, ...) KN_PRINTF(5, 6);

void kni_tag_error_clear(kn_error *error);

// A name for a message: cut to fit, and printable whatever it contains.
typedef struct kni_tag_quote {
    char text[64];
} kni_tag_quote;
kni_tag_quote kni_tag_quoted(const char *name, size_t length);

// Both without regard to ASCII case; `other` is zero-terminated.
uint32_t kni_tag_name_hash(const char *name, size_t length);
bool kni_tag_name_equal(const char *name, size_t length, const char *other);

// KN_OK for a well-formed name; otherwise an error that proposes a corrected one. `line` and
// `column` are those of the name's first byte.
kn_result kni_tag_name_check(
    const char *name, size_t length, uint32_t line, uint32_t column, kn_error *error);
// An error about a well-formed name that is not registered.
kn_result kni_tag_unknown(const kni_tag_table *table, const char *name, size_t length,
    uint32_t line, uint32_t column, kn_error *error);

// The tag of this name, redirects followed, or 0.
uint32_t kni_tag_table_find(const kni_tag_table *table, const char *name, size_t length);
// The closest registered name, or NULL.
const char *kni_tag_table_suggest(const kni_tag_table *table, const char *name, size_t length);

// Edits (insert, remove, replace, swap neighbours) between two names without regard to case, or
// `limit` + 1 when there are more. `b_length` is at most KN_TAG_NAME_MAX.
uint32_t kni_tag_edits(
    const char *a, size_t a_length, const char *b, size_t b_length, uint32_t limit);

// A state of the table to which a call that fails can return.
typedef struct kni_tag_mark {
    uint32_t count;
    uint32_t declaration_count;
    uint32_t source_count;
} kni_tag_mark;
kni_tag_mark kni_tag_table_mark(const kni_tag_table *table);
void kni_tag_table_rollback(kni_tag_table *table, kni_memory *memory, kni_tag_mark mark);
// Registers a well-formed name that was not found as undeclared; redirects are followed.
kn_result kni_tag_table_keep(kni_tag_table *table, kni_memory *memory, const char *name,
    size_t length, uint32_t line, uint32_t column, uint32_t *tag, kn_error *error);

// Queries and requirements over anything that can say whether it has a tag.
typedef bool kni_tag_has_fn(const void *subject, uint32_t tag, bool exact);

// False for an empty or malformed query. Tag numbers are not checked: `has` sees them as they are,
// but never 0.
bool kni_tag_query_eval(const kn_tag_query *query, kni_tag_has_fn *has, const void *subject);
// The same for a query that kn_tag_query_is_valid() was asked about, with one pass less.
bool kni_tag_query_eval_trusted(
    const kn_tag_query *query, kni_tag_has_fn *has, const void *subject);
// Lists the tags a query mentions, each once, in order of first mention. Returns how many there
// are, at most `capacity` of which were written; 0 for a malformed query.
uint32_t kni_tag_query_collect(const kn_tag_query *query, kn_tag *out, uint32_t capacity);
// An empty query is well formed, complete, and has no tokens.
bool kni_tag_query_is_empty(const kn_tag_query *query);
bool kni_requirement_eval(
    const kn_tag_requirement *requirement, kni_tag_has_fn *has, const void *subject);

#endif
