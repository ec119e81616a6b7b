// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tags: hierarchical names such as `State.Debuff.Stun`, registered once in a library and used as
/// small numbers afterwards. A thing that has `State.Debuff.Stun` also has `State.Debuff` and
/// `State`. Names are looked up without regard to case and keep the spelling they were
/// registered with.
#ifndef KNACK_TAG_H
#define KNACK_TAG_H

#include "knack/id.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_library kn_library;

/// Longest tag name in bytes, and deepest hierarchy.
#define KN_TAG_NAME_MAX 255
#define KN_TAG_DEPTH_MAX 16

// Registry ------------------------------------------------------------------

/// One tag to register. Parents that are not registered yet come into being with it.
typedef struct kn_tag_def {
    /// Dotted name. Parts are letters, digits, '_' and '-'. Required.
    const char *name;
    /// For the people who pick tags. May be NULL.
    const char *comment;
    /// The module, plugin or file that declares it. May be NULL.
    const char *source;
    /// Only `source` may declare this tag and tags below it. Default false.
    bool restricted;
    uint32_t cookie;
} kn_tag_def;

KN_API kn_tag_def kn_tag_def_default(void);

/// Registers one tag, or finds it when it is there already.
/// @return KN_OK; KN_ERROR_BAD_DATA for a bad name (the error proposes a corrected one) or a
///         restricted parent of another source; KN_ERROR_WORLD_LOCKED once the library is
///         finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_tag_register(
    kn_library *library, const kn_tag_def *def, kn_tag *tag, kn_error *error);

/// Registers the native tags of one module in one go; nothing is registered if one is bad.
KN_API KN_MUST_USE kn_result kn_tag_register_module(kn_library *library, const char *module,
    const char *const *names, uint32_t count, kn_tag *tags, kn_error *error);

/// Unregisters the tags that only `module` declared and that have no children left.
/// Their numbers are not used again. Refused once the library is finished.
KN_API KN_MUST_USE kn_result kn_tag_unregister_module(kn_library *library, const char *module);

/// From now on `old_name` means `new_name`. Chains are followed to the end when the library is
/// finished; a cycle is an error there that names both tags.
KN_API KN_MUST_USE kn_result kn_tag_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error);

/// Redirects by number, from 0, in the order they were made; false beyond the last.
KN_API bool kn_tag_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name);

/// The tag with this name, redirects followed, or null.
KN_API kn_tag kn_tag_find(const kn_library *library, const char *name);
/// The closest registered name to a misspelt one, or NULL when nothing is near.
KN_API const char *kn_tag_suggest(const kn_library *library, const char *name);

/// Number of tags; tags are the numbers 1 to this count, in order of registration.
KN_API uint32_t kn_tag_count(const kn_library *library);
/// Full name, comment, declaring source; "" for the null tag or one that was unregistered.
KN_API const char *kn_tag_name(const kn_library *library, kn_tag tag);
KN_API const char *kn_tag_comment(const kn_library *library, kn_tag tag);
KN_API const char *kn_tag_source(const kn_library *library, kn_tag tag);
KN_API bool kn_tag_is_restricted(const kn_library *library, kn_tag tag);
/// The parent, or null for a root.
KN_API kn_tag kn_tag_parent(const kn_library *library, kn_tag tag);
/// First child and next sibling, in order of registration; null at the end.
KN_API kn_tag kn_tag_first_child(const kn_library *library, kn_tag tag);
KN_API kn_tag kn_tag_next_sibling(const kn_library *library, kn_tag tag);
/// 1 for a root, 0 for null.
KN_API uint32_t kn_tag_depth(const kn_library *library, kn_tag tag);
/// True if `tag` is `ancestor` or below it. Constant time. Null matches nothing, not even null.
KN_API bool kn_tag_matches(const kn_library *library, kn_tag tag, kn_tag ancestor);
/// How often registered defs mention the tag, code-declared ones included.
KN_API uint32_t kn_tag_uses(const kn_library *library, kn_tag tag);

/// Names tags that are sent often; they get the shortest encodings, in this order.
KN_API KN_MUST_USE kn_result kn_tag_set_common(
    kn_library *library, const kn_tag *tags, uint32_t count);
/// Position among the common tags, or UINT32_MAX.
KN_API uint32_t kn_tag_common_index(const kn_library *library, kn_tag tag);

/// Hash of the tag table: equal on two machines only if every tag has the same name and number.
KN_API uint64_t kn_tag_table_hash(const kn_library *library);

// Sets ----------------------------------------------------------------------

/// A view of some tags: what functions and defs take. The array need not be sorted.
typedef struct kn_tags {
    const kn_tag *data;
    uint32_t count;
} kn_tags;

/// Most tags in one kn_tag_set. Views may be longer.
#define KN_TAG_SET_MAX 62

/// A set of tags held by value: no tag twice, sorted by number. `{0}` is empty.
typedef struct kn_tag_set {
    uint32_t count;
    kn_tag data[KN_TAG_SET_MAX];
} kn_tag_set;

static inline kn_tags kn_tag_set_view(const kn_tag_set *set)
{
    kn_tags tags = {set->data, set->count};
    return tags;
}

/// Adds a tag. KN_OK also when it was there; KN_REFUSED_LIMIT when the set is full;
/// KN_ERROR_INVALID_ARGUMENT for null.
KN_API kn_result kn_tag_set_add(kn_tag_set *set, kn_tag tag);
/// Removes a tag; false if it was not there.
KN_API bool kn_tag_set_remove(kn_tag_set *set, kn_tag tag);
/// Adds all of a view; on KN_REFUSED_LIMIT nothing was added.
KN_API kn_result kn_tag_set_append(kn_tag_set *set, kn_tags tags);
/// Tags of an inherited definition: `parent` without `removed`, plus `added`.
KN_API kn_result kn_tag_set_combine(
    kn_tag_set *set, kn_tags parent, kn_tags added, kn_tags removed);
/// Keeps only tags below `category`; returns how many went.
KN_API uint32_t kn_tag_set_filter(const kn_library *library, kn_tag_set *set, kn_tag category);
/// True if every tag of the view lies below `category`; a null category allows all.
KN_API bool kn_tags_in_category(const kn_library *library, kn_tags tags, kn_tag category);

/// True if a member is `tag` or below it.
KN_API bool kn_tags_has(const kn_library *library, kn_tags tags, kn_tag tag);
/// True if `tag` itself is a member.
KN_API bool kn_tags_has_exact(kn_tags tags, kn_tag tag);
/// Any of `wanted`; false when `wanted` is empty.
KN_API bool kn_tags_has_any(const kn_library *library, kn_tags tags, kn_tags wanted);
KN_API bool kn_tags_has_any_exact(kn_tags tags, kn_tags wanted);
/// All of `wanted`; true when `wanted` is empty.
KN_API bool kn_tags_has_all(const kn_library *library, kn_tags tags, kn_tags wanted);
KN_API bool kn_tags_has_all_exact(kn_tags tags, kn_tags wanted);

/// What kn_tag_set_parse() does with a name nobody registered.
typedef enum kn_unknown_tags {
    KN_UNKNOWN_TAGS_REFUSE, ///< an error that proposes the nearest name
    KN_UNKNOWN_TAGS_CLEAR,  ///< leave it out
    KN_UNKNOWN_TAGS_KEEP,   ///< register it as undeclared, so that nothing is lost
} kn_unknown_tags;

/// Reads "A.B, C" into a set. KEEP needs a library that is not finished.
KN_API KN_MUST_USE kn_result kn_tag_set_parse(kn_library *library, const char *text,
    kn_unknown_tags unknown, kn_tag_set *set, kn_error *error);
/// Writes "A.B, C"; returns the full length, the text is cut to `size` including the final zero.
KN_API uint32_t kn_tags_print(const kn_library *library, kn_tags tags, char *text, uint32_t size);

// Queries -------------------------------------------------------------------

/// One node of a query. The first three take tags, the others take nodes.
typedef enum kn_query_op {
    KN_QUERY_ANY_TAGS = 1,
    KN_QUERY_ALL_TAGS,
    KN_QUERY_NO_TAGS,
    KN_QUERY_ANY_TAGS_EXACT,
    KN_QUERY_ALL_TAGS_EXACT,
    KN_QUERY_NO_TAGS_EXACT,
    KN_QUERY_ANY,
    KN_QUERY_ALL,
    KN_QUERY_NONE,
} kn_query_op;

/// Most tokens (nodes and tags) and deepest nesting of a query.
#define KN_QUERY_TOKENS_MAX 126
#define KN_QUERY_DEPTH_MAX 8

/// A boolean expression over tags, held by value. `{0}` is empty and matches nothing.
/// Build it with kn_tag_query_begin()/_tag()/_end(), or parse it from text.
typedef struct kn_tag_query {
    uint16_t count;
    uint8_t depth; ///< open nodes while building; 0 when complete
    uint8_t failed;
    uint16_t open[KN_QUERY_DEPTH_MAX];
    uint32_t tokens[KN_QUERY_TOKENS_MAX];
} kn_tag_query;

KN_API void kn_tag_query_begin(kn_tag_query *query, kn_query_op op);
KN_API void kn_tag_query_tag(kn_tag_query *query, kn_tag tag);
KN_API void kn_tag_query_end(kn_tag_query *query);
/// True if the query is complete and well formed (an empty one is).
KN_API bool kn_tag_query_is_valid(const kn_library *library, const kn_tag_query *query);
KN_API bool kn_tag_query_matches(
    const kn_library *library, const kn_tag_query *query, kn_tags tags);
/// Writes a readable form that kn_tag_query_parse() reads back, such as
/// `all(any_tags(State.Stunned, State.Rooted), no_tags(Immune))`. Returns the full length.
KN_API uint32_t kn_tag_query_print(
    const kn_library *library, const kn_tag_query *query, char *text, uint32_t size);
KN_API KN_MUST_USE kn_result kn_tag_query_parse(
    const kn_library *library, const char *text, kn_tag_query *query, kn_error *error);

// Requirements --------------------------------------------------------------

/// Met when the subject has all of `required`, none of `ignored`, and `query`, if there is one
/// that is not empty, matches. `{0}` is always met.
typedef struct kn_tag_requirement {
    kn_tags required;
    kn_tags ignored;
    const kn_tag_query *query; ///< may be NULL
} kn_tag_requirement;

KN_API bool kn_tag_requirement_is_empty(const kn_tag_requirement *requirement);
KN_API bool kn_tag_requirement_is_met(
    const kn_library *library, const kn_tag_requirement *requirement, kn_tags tags);

#ifdef __cplusplus
}
#endif

#endif
