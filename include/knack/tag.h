// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tags: hierarchical names such as `State.Debuff.Stun`, registered once in a library and used as
/// small numbers afterwards. A thing that has `State.Debuff.Stun` also has `State.Debuff` and
/// `State`. Lookup ignores case; names keep the spelling they were registered with.
#ifndef KNACK_TAG_H
#define KNACK_TAG_H

#include "knack/id.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_library kn_library;

/// Longest tag name in bytes.
#define KN_TAG_NAME_MAX 255
/// Most parts of a tag name: the depth of the hierarchy.
#define KN_TAG_DEPTH_MAX 16

// Registry ------------------------------------------------------------------

/// One tag to register. Parents that are not registered yet are registered with it.
typedef struct kn_tag_def {
    const char *name;    ///< Dotted name. Its parts are letters, digits, '_' and '-'. Required.
    const char *comment; ///< what the tag means, for the people who pick tags; may be NULL
    const char *source;  ///< the module, plugin or file that declares the tag; may be NULL
    bool restricted;     ///< only `source` may declare this tag and tags below it; default false
    uint32_t cookie;     ///< set by kn_tag_def_default(); do not change it
} kn_tag_def;

/// A tag def with nothing set.
KN_API kn_tag_def kn_tag_def_default(void);

/// Registers one tag, or finds it when it is already registered. `tag` may be NULL.
/// @return KN_OK; KN_REFUSED_LIMIT when the library has no number left for a tag; KN_ERROR_BAD_DATA
///         for a bad name (the error proposes a corrected one) or a restricted parent of another
///         source; KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED
///         once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_tag_register(
    kn_library *library, const kn_tag_def *def, kn_tag *tag, kn_error *error);

/// Registers the tags of one module together: if one is bad, none is registered.
/// @param tags receives `count` tags in the order of `names`; may be NULL
/// @return as kn_tag_register(); KN_ERROR_INVALID_ARGUMENT for an empty module name
KN_API KN_MUST_USE kn_result kn_tag_register_module(kn_library *library, const char *module,
    const char *const *names, uint32_t count, kn_tag *tags, kn_error *error);

/// Unregisters the tags that only `module` declared and that have no children left. A tag that a
/// registered def uses stays. The numbers of removed tags are not used again.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the module declared no tag; KN_ERROR_INVALID_ARGUMENT for
///         an empty name; KN_ERROR_WORLD_LOCKED once the library is finished
KN_API KN_MUST_USE kn_result kn_tag_unregister_module(kn_library *library, const char *module);

/// Makes `old_name` mean `new_name` from now on; a second redirect of the same name replaces the
/// first. Chains are followed to the end when the library is finished; a cycle is an error there
/// that names both tags.
/// @return KN_OK; KN_REFUSED_LIMIT for too many redirects; KN_ERROR_BAD_DATA for a bad name or a
///         tag redirected to itself; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_tag_redirect(
    kn_library *library, const char *old_name, const char *new_name, kn_error *error);

/// The redirects by index, from 0, in the order they were made; false, and "" for both names, past
/// the end. Names are valid until the next redirect, in a finished library as long as the library.
KN_API bool kn_tag_redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name);

/// The tag with this name, redirects followed. Null when there is none; a finished library then
/// logs a warning, once per name.
KN_API kn_tag kn_tag_find(const kn_library *library, const char *name);
/// The registered name closest to a misspelt one; NULL when nothing is close.
KN_API const char *kn_tag_suggest(const kn_library *library, const char *name);

/// Number of tags. Tags are the numbers 1 to this count, in order of registration, unregistered
/// ones included.
KN_API uint32_t kn_tag_count(const kn_library *library);
/// The full name of a tag; "" for null and for an unregistered tag. Valid as long as the tag is
/// registered.
KN_API const char *kn_tag_name(const kn_library *library, kn_tag tag);
/// The first comment given for a tag; "" if there is none.
KN_API const char *kn_tag_comment(const kn_library *library, kn_tag tag);
/// The first source that declared a tag; "" if none was named.
KN_API const char *kn_tag_source(const kn_library *library, kn_tag tag);
/// True if only the tag's source may declare it and tags below it.
KN_API bool kn_tag_is_restricted(const kn_library *library, kn_tag tag);
/// The parent of a tag; null for a root and for null.
KN_API kn_tag kn_tag_parent(const kn_library *library, kn_tag tag);
/// The first child of a tag in order of registration; null if it has none.
KN_API kn_tag kn_tag_first_child(const kn_library *library, kn_tag tag);
/// The next child of the same parent in order of registration; null at the end.
KN_API kn_tag kn_tag_next_sibling(const kn_library *library, kn_tag tag);
/// The number of parts in a tag's name: 1 for a root, 0 for null.
KN_API uint32_t kn_tag_depth(const kn_library *library, kn_tag tag);
/// True if `tag` is `ancestor` or below it. Constant time in a finished library. Null matches
/// nothing, not even null.
KN_API bool kn_tag_matches(const kn_library *library, kn_tag tag, kn_tag ancestor);
/// How often registered defs mention the tag. Complete once the library is finished.
KN_API uint32_t kn_tag_uses(const kn_library *library, kn_tag tag);

/// Names the tags that are sent most often, replacing those named before; they get the shortest
/// network encodings, in this order.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a tag that is listed twice; KN_ERROR_INVALID_ARGUMENT
///         for a null or unregistered tag; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_tag_set_common(
    kn_library *library, const kn_tag *tags, uint32_t count);
/// The position of a tag among the common tags, from 0; UINT32_MAX if it is not one of them.
KN_API uint32_t kn_tag_common_index(const kn_library *library, kn_tag tag);

/// Hash of the tag table: equal on two machines only if every tag has the same name and number.
KN_API uint64_t kn_tag_table_hash(const kn_library *library);

// Sets ----------------------------------------------------------------------

/// A view of some tags: what functions and defs take. The array need not be sorted and belongs to
/// whoever made the view.
typedef struct kn_tags {
    const kn_tag *data; ///< the first of the tags; NULL if there are none
    uint32_t count;     ///< number of tags in `data`
} kn_tags;

/// Most tags in one kn_tag_set. Views may be longer.
#define KN_TAG_SET_MAX 62

/// A set of tags held by value: no tag twice, sorted by number. `{0}` is empty.
typedef struct kn_tag_set {
    uint32_t count;              ///< number of tags in `data`
    kn_tag data[KN_TAG_SET_MAX]; ///< the tags, sorted by number
} kn_tag_set;

/// A view of a set. Valid until the set is changed or goes out of scope.
static inline kn_tags kn_tag_set_view(const kn_tag_set *set)
{
    kn_tags tags = {set->data, set->count};
    return tags;
}

/// Adds a tag to a set.
/// @return KN_OK, also when it was already there; KN_REFUSED_LIMIT when the set is full;
///         KN_ERROR_INVALID_ARGUMENT for the null tag
KN_API kn_result kn_tag_set_add(kn_tag_set *set, kn_tag tag);
/// Removes a tag from a set; false if it was not there.
KN_API bool kn_tag_set_remove(kn_tag_set *set, kn_tag tag);
/// Adds all tags of a view. The view may lie in the set itself.
/// @return as kn_tag_set_add(); on anything but KN_OK the set is unchanged
KN_API kn_result kn_tag_set_append(kn_tag_set *set, kn_tags tags);
/// Writes the tags of an inherited definition: `parent` without `removed`, plus `added`.
/// @return KN_OK; KN_REFUSED_LIMIT for more than KN_TAG_SET_MAX tags; KN_ERROR_INVALID_ARGUMENT for
///         a null tag. The set is empty on anything but KN_OK
KN_API kn_result kn_tag_set_combine(
    kn_tag_set *set, kn_tags parent, kn_tags added, kn_tags removed);
/// Keeps only the tags below `category`, which is not below itself; a null category keeps all.
/// Returns how many were removed.
KN_API uint32_t kn_tag_set_filter(const kn_library *library, kn_tag_set *set, kn_tag category);
/// True if every tag of the view lies below `category`, which is not below itself. A null category
/// allows all.
KN_API bool kn_tags_in_category(const kn_library *library, kn_tags tags, kn_tag category);

/// True if a tag of the view is `tag` or below it.
KN_API bool kn_tags_has(const kn_library *library, kn_tags tags, kn_tag tag);
/// True if `tag` itself is in the view. False for null.
KN_API bool kn_tags_has_exact(kn_tags tags, kn_tag tag);
/// True if the view has any of `wanted`, or a tag below one of them; false when `wanted` is empty.
KN_API bool kn_tags_has_any(const kn_library *library, kn_tags tags, kn_tags wanted);
/// True if any of `wanted` itself is in the view; false when `wanted` is empty.
KN_API bool kn_tags_has_any_exact(kn_tags tags, kn_tags wanted);
/// True if the view has all of `wanted`, or tags below them; true when `wanted` is empty.
KN_API bool kn_tags_has_all(const kn_library *library, kn_tags tags, kn_tags wanted);
/// True if all of `wanted` themselves are in the view; true when `wanted` is empty.
KN_API bool kn_tags_has_all_exact(kn_tags tags, kn_tags wanted);

/// What kn_tag_set_parse() does with a name that is not registered.
typedef enum kn_unknown_tags {
    KN_UNKNOWN_TAGS_REFUSE, ///< report an error that proposes the nearest name
    KN_UNKNOWN_TAGS_CLEAR,  ///< leave the name out
    KN_UNKNOWN_TAGS_KEEP,   ///< register it as undeclared, so that nothing is lost
} kn_unknown_tags;

/// Reads a list such as "A.B, C" into a set. Blank text is the empty set.
/// @return KN_OK; KN_REFUSED_LIMIT for more than KN_TAG_SET_MAX tags; KN_ERROR_BAD_DATA for a bad
///         or unknown name, with its column; KN_ERROR_WORLD_LOCKED if KN_UNKNOWN_TAGS_KEEP meets an
///         unknown name in a finished library; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_tag_set_parse(kn_library *library, const char *text,
    kn_unknown_tags unknown, kn_tag_set *set, kn_error *error);
/// Writes the tags as a list such as "A.B, C"; null and unregistered ones are left out. Returns the
/// full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_tags_print(const kn_library *library, kn_tags tags, char *text, uint32_t size);

// Queries -------------------------------------------------------------------

/// One node of a query. Those with TAGS in their name take tags, the last three take nodes.
typedef enum kn_query_op {
    KN_QUERY_ANY_TAGS = 1,   ///< has any of its tags, or one below them
    KN_QUERY_ALL_TAGS,       ///< has all of its tags, or ones below them
    KN_QUERY_NO_TAGS,        ///< has none of its tags, nor one below them
    KN_QUERY_ANY_TAGS_EXACT, ///< has any of its tags themselves
    KN_QUERY_ALL_TAGS_EXACT, ///< has all of its tags themselves
    KN_QUERY_NO_TAGS_EXACT,  ///< has none of its tags themselves
    KN_QUERY_ANY,            ///< any of its nodes matches
    KN_QUERY_ALL,            ///< all of its nodes match
    KN_QUERY_NONE,           ///< none of its nodes matches
} kn_query_op;

/// Most tokens (nodes and tags) of a query.
#define KN_QUERY_TOKENS_MAX 126
/// Deepest nesting of nodes in a query.
#define KN_QUERY_DEPTH_MAX 8

/// A boolean expression over tags, held by value. `{0}` is empty and matches nothing. Build it with
/// kn_tag_query_begin(), _tag() and _end(), or parse it from text. Leave its fields to the library.
typedef struct kn_tag_query {
    uint16_t count;                    ///< number of tokens in use
    uint8_t depth;                     ///< open nodes while building; 0 when complete
    uint8_t failed;                    ///< 1 after a mistake that makes the query invalid for good
    uint16_t open[KN_QUERY_DEPTH_MAX]; ///< positions of the open nodes in `tokens`
    uint32_t tokens[KN_QUERY_TOKENS_MAX]; ///< nodes and tags in the order they were added
} kn_tag_query;

/// Opens a node; it becomes an operand of the node that is open, if any. A mistake (an unknown
/// operation, too many tokens or levels) makes the query invalid for good: test
/// kn_tag_query_is_valid() at the end.
KN_API void kn_tag_query_begin(kn_tag_query *query, kn_query_op op);
/// Adds a tag as an operand of the open node. A null tag makes the query invalid.
KN_API void kn_tag_query_tag(kn_tag_query *query, kn_tag tag);
/// Closes the node that was opened last. Without an open node the query becomes invalid.
KN_API void kn_tag_query_end(kn_tag_query *query);
/// True if the query is complete and well formed, and all its tags are registered. The empty query
/// is valid.
KN_API bool kn_tag_query_is_valid(const kn_library *library, const kn_tag_query *query);
/// True if the tags match the query. False for an empty or invalid query.
KN_API bool kn_tag_query_matches(
    const kn_library *library, const kn_tag_query *query, kn_tags tags);
/// Writes a readable form that kn_tag_query_parse() reads back, such as
/// `all(any_tags(State.Stunned, State.Rooted), no_tags(Immune))`; "<invalid query>" for an invalid
/// one. Returns the full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_tag_query_print(
    const kn_library *library, const kn_tag_query *query, char *text, uint32_t size);
/// Reads a query in the form kn_tag_query_print() writes. Blank text is the empty query.
/// @return KN_OK; KN_REFUSED_LIMIT for a query that is too long or nested too deep;
///         KN_ERROR_BAD_DATA for bad syntax or an unknown tag, with line and column
KN_API KN_MUST_USE kn_result kn_tag_query_parse(
    const kn_library *library, const char *text, kn_tag_query *query, kn_error *error);

// Requirements --------------------------------------------------------------

/// Met when the subject has all of `required`, none of `ignored`, and matches `query`, if one is
/// set and not empty. `{0}` is always met.
typedef struct kn_tag_requirement {
    kn_tags required; ///< all of these tags must be there; a tag below one of them counts too
    kn_tags ignored;  ///< none of these tags may be there, nor a tag below one of them
    const kn_tag_query *query; ///< a tag query that must match too; may be NULL
} kn_tag_requirement;

/// True if the requirement asks for nothing; true for NULL.
KN_API bool kn_tag_requirement_is_empty(const kn_tag_requirement *requirement);
/// True if the tags meet the requirement; true for NULL. False if its query is invalid.
KN_API bool kn_tag_requirement_is_met(
    const kn_library *library, const kn_tag_requirement *requirement, kn_tags tags);

#ifdef __cplusplus
}
#endif

#endif
