// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sets of tags as plain structs: sorted by number, without duplicates, unused entries zero, so that
// equal sets are equal bytes. Also the same queries over any list of tags, sets as text, and
// requirements.

#include "library/tag_table.h"

#include "base/text.h"

#include <string.h>

// Sets ------------------------------------------------------------------------

// Index of the first member that is not below `tag`, where it is or would be inserted.
static uint32_t tag_set_place(const kn_tag_set *set, kn_tag tag)
{
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (set->data[middle].index1 < tag.index1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool tag_set_is_good(const kn_tag_set *set)
{
    bool is_good = set != NULL && set->count <= KN_TAG_SET_MAX;
    KN_ASSERT(is_good);
    return is_good;
}

kn_result kn_tag_set_add(kn_tag_set *set, kn_tag tag)
{
    if (!tag_set_is_good(set) || kn_tag_is_null(tag)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t place = tag_set_place(set, tag);
    if (place < set->count && kn_tag_equal(set->data[place], tag)) {
        return KN_OK;
    }
    if (set->count == KN_TAG_SET_MAX) {
        return KN_REFUSED_LIMIT;
    }
    memmove(&set->data[place + 1], &set->data[place], (set->count - place) * sizeof *set->data);
    set->data[place] = tag;
    set->count++;
    return KN_OK;
}

bool kn_tag_set_remove(kn_tag_set *set, kn_tag tag)
{
    if (!tag_set_is_good(set)) {
        return false;
    }
    uint32_t place = tag_set_place(set, tag);
    if (place == set->count || !kn_tag_equal(set->data[place], tag)) {
        return false;
    }
    set->count--;
    memmove(&set->data[place], &set->data[place + 1], (set->count - place) * sizeof *set->data);
    set->data[set->count] = (kn_tag){0}; // cleared, so that equal sets are equal bytes
    return true;
}

kn_result kn_tag_set_append(kn_tag_set *set, kn_tags tags)
{
    if (!tag_set_is_good(set)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_tag_set all = *set; // the list may lie in the set itself
    for (uint32_t i = 0; i < tags.count; i++) {
        kn_result result = kn_tag_set_add(&all, tags.data[i]);
        if (result != KN_OK) {
            return result;
        }
    }
    *set = all;
    return KN_OK;
}

kn_result kn_tag_set_combine(kn_tag_set *set, kn_tags parent, kn_tags added, kn_tags removed)
{
    KN_ASSERT(set != NULL);
    if (set == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    // Members are added one by one, so that a long parent list fits if most of it is removed.
    kn_tag_set all = {0};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < parent.count && result == KN_OK; i++) {
        if (kn_tag_is_null(parent.data[i]) || !kn_tags_has_exact(removed, parent.data[i])) {
            result = kn_tag_set_add(&all, parent.data[i]);
        }
    }
    if (result == KN_OK) {
        result = kn_tag_set_append(&all, added);
    }
    *set = result == KN_OK ? all : (kn_tag_set){0};
    return result;
}

// A category contains the tags below it, but not itself: it is a heading.
static bool tag_is_in_category(const kni_tag_table *table, kn_tag tag, kn_tag category)
{
    return kn_tag_is_null(category) ||
           (!kn_tag_equal(tag, category) && kni_tag_matches(table, tag.index1, category.index1));
}

uint32_t kn_tag_set_filter(const kn_library *library, kn_tag_set *set, kn_tag category)
{
    KN_ASSERT(library != NULL);
    if (library == NULL || !tag_set_is_good(set)) {
        return 0;
    }
    const kni_tag_table *table = kni_library_tags_const(library);
    kn_tag_set kept = {0};
    for (uint32_t i = 0; i < set->count; i++) {
        if (tag_is_in_category(table, set->data[i], category)) {
            kept.data[kept.count++] = set->data[i];
        }
    }
    uint32_t gone = set->count - kept.count;
    *set = kept;
    return gone;
}

bool kn_tags_in_category(const kn_library *library, kn_tags tags, kn_tag category)
{
    KN_ASSERT(library != NULL);
    if (library == NULL) {
        return false;
    }
    const kni_tag_table *table = kni_library_tags_const(library);
    for (uint32_t i = 0; i < tags.count; i++) {
        if (!tag_is_in_category(table, tags.data[i], category)) {
            return false;
        }
    }
    return true;
}

// Queries ---------------------------------------------------------------------

static bool tags_has(const kni_tag_table *table, kn_tags tags, kn_tag tag)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kni_tag_matches(table, tags.data[i].index1, tag.index1)) {
            return true;
        }
    }
    return false;
}

bool kn_tags_has(const kn_library *library, kn_tags tags, kn_tag tag)
{
    KN_ASSERT(library != NULL);
    return library != NULL && tags_has(kni_library_tags_const(library), tags, tag);
}

bool kn_tags_has_exact(kn_tags tags, kn_tag tag)
{
    if (kn_tag_is_null(tag)) {
        return false;
    }
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_tag_equal(tags.data[i], tag)) {
            return true;
        }
    }
    return false;
}

bool kn_tags_has_any(const kn_library *library, kn_tags tags, kn_tags wanted)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (kn_tags_has(library, tags, wanted.data[i])) {
            return true;
        }
    }
    return false;
}

bool kn_tags_has_any_exact(kn_tags tags, kn_tags wanted)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (kn_tags_has_exact(tags, wanted.data[i])) {
            return true;
        }
    }
    return false;
}

bool kn_tags_has_all(const kn_library *library, kn_tags tags, kn_tags wanted)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (!kn_tags_has(library, tags, wanted.data[i])) {
            return false;
        }
    }
    return true;
}

bool kn_tags_has_all_exact(kn_tags tags, kn_tags wanted)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (!kn_tags_has_exact(tags, wanted.data[i])) {
            return false;
        }
    }
    return true;
}

// Text ------------------------------------------------------------------------

static bool tag_set_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

typedef struct tag_set_parser {
    kni_tag_table *table;
    kni_memory *memory;
    kn_unknown_tags unknown;
    kn_tag_set set;
    kn_error *error;
} tag_set_parser;

// Parses one name between commas; `column` is that of its first byte.
static kn_result tag_set_parse_name(
    tag_set_parser *parser, const char *name, size_t length, uint32_t column)
{
    kn_result result = kni_tag_name_check(name, length, 1, column, parser->error);
    if (result != KN_OK) {
        return result;
    }
    kn_tag tag = {kni_tag_table_find(parser->table, name, length)};
    if (kn_tag_is_null(tag)) {
        switch (parser->unknown) {
        case KN_UNKNOWN_TAGS_CLEAR:
            return KN_OK;
        case KN_UNKNOWN_TAGS_KEEP:
            result = kni_tag_table_keep(
                parser->table, parser->memory, name, length, 1, column, &tag.index1, parser->error);
            break;
        case KN_UNKNOWN_TAGS_REFUSE:
        default:
            result = kni_tag_unknown(parser->table, name, length, 1, column, parser->error);
            break;
        }
        if (result != KN_OK) {
            return result;
        }
    }
    result = kn_tag_set_add(&parser->set, tag);
    if (result != KN_OK) {
        return kni_tag_fail(parser->error, result, 1, column,
            "tag `%s` is one too many: a set holds %d", kni_tag_quoted(name, length).text,
            KN_TAG_SET_MAX);
    }
    return KN_OK;
}

static kn_result tag_set_parse_list(tag_set_parser *parser, const char *text)
{
    size_t length = strlen(text);
    size_t begin = 0;
    while (begin < length && tag_set_is_space(text[begin])) {
        begin++;
    }
    if (begin == length) {
        return KN_OK; // nothing but space is the empty set
    }
    for (;;) {
        size_t end = begin;
        while (end < length && text[end] != ',') {
            end++;
        }
        size_t first = begin, last = end;
        while (first < last && tag_set_is_space(text[first])) {
            first++;
        }
        while (last > first && tag_set_is_space(text[last - 1])) {
            last--;
        }
        kn_result result =
            tag_set_parse_name(parser, &text[first], last - first, (uint32_t)first + 1);
        if (result != KN_OK || end == length) {
            return result;
        }
        begin = end + 1;
    }
}

kn_result kn_tag_set_parse(kn_library *library, const char *text, kn_unknown_tags unknown,
    kn_tag_set *set, kn_error *error)
{
    if (set != NULL) {
        *set = (kn_tag_set){0};
    }
    kni_tag_error_clear(error);
    bool is_good = library != NULL && text != NULL && set != NULL;
    KN_ASSERT(is_good);
    if (!is_good) {
        return kni_tag_fail(
            error, KN_ERROR_INVALID_ARGUMENT, 0, 0, "a library, a text and a set are needed");
    }
    tag_set_parser parser = {
        .table = kni_library_tags(library),
        .memory = kni_library_memory(library),
        .unknown = unknown,
        .error = error,
    };
    kni_tag_mark mark = kni_tag_table_mark(parser.table);
    kn_result result = tag_set_parse_list(&parser, text);
    if (result != KN_OK) {
        kni_tag_table_rollback(parser.table, parser.memory, mark); // kept tags too
        return result;
    }
    *set = parser.set;
    return KN_OK;
}

uint32_t kn_tags_print(const kn_library *library, kn_tags tags, char *text, uint32_t size)
{
    kni_text writer;
    kni_text_init(&writer, text, text != NULL ? size : 0);
    for (uint32_t i = 0; i < tags.count; i++) {
        const char *name = kn_tag_name(library, tags.data[i]);
        if (name[0] == '\0') {
            continue; // null, unregistered, or from another library
        }
        if (writer.length > 0) {
            kni_text_str(&writer, ", ");
        }
        kni_text_str(&writer, name);
    }
    return writer.length;
}

// Requirements ----------------------------------------------------------------

bool kn_tag_requirement_is_empty(const kn_tag_requirement *requirement)
{
    return requirement == NULL ||
           (requirement->required.count == 0 && requirement->ignored.count == 0 &&
               (requirement->query == NULL || kni_tag_query_is_empty(requirement->query)));
}

bool kni_requirement_eval(
    const kn_tag_requirement *requirement, kni_tag_has_fn *has, const void *subject)
{
    if (requirement == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < requirement->required.count; i++) {
        uint32_t tag = requirement->required.data[i].index1;
        if (tag == 0 || !has(subject, tag, false)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < requirement->ignored.count; i++) {
        uint32_t tag = requirement->ignored.data[i].index1;
        if (tag != 0 && has(subject, tag, false)) {
            return false;
        }
    }
    return requirement->query == NULL || kni_tag_query_is_empty(requirement->query) ||
           kni_tag_query_eval(requirement->query, has, subject);
}

typedef struct tags_subject {
    const kni_tag_table *table;
    kn_tags tags;
} tags_subject;

static bool tags_subject_has(const void *subject, uint32_t tag, bool exact)
{
    const tags_subject *owner = subject;
    kn_tag wanted = {tag};
    return exact ? kn_tags_has_exact(owner->tags, wanted)
                 : tags_has(owner->table, owner->tags, wanted);
}

bool kn_tag_query_matches(const kn_library *library, const kn_tag_query *query, kn_tags tags)
{
    if (!kn_tag_query_is_valid(library, query)) {
        return false;
    }
    tags_subject subject = {kni_library_tags_const(library), tags};
    return kni_tag_query_eval_trusted(query, tags_subject_has, &subject);
}

bool kn_tag_requirement_is_met(
    const kn_library *library, const kn_tag_requirement *requirement, kn_tags tags)
{
    KN_ASSERT(library != NULL);
    if (library == NULL) {
        return false;
    }
    if (requirement != NULL && requirement->query != NULL &&
        !kn_tag_query_is_valid(library, requirement->query)) {
        return false;
    }
    tags_subject subject = {kni_library_tags_const(library), tags};
    return kni_requirement_eval(requirement, tags_subject_has, &subject);
}
