// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every field of every def can be written in a file, and only that field changes.

#include "data_generator.h"

typedef struct field_diff {
    const kn_library *libraries[2];
    char paths[1024]; // of fields that differ, each followed by a blank
} field_diff;

static void diff_struct(
    field_diff *diff, const kn_def_table *table, const void *a, const void *b, const char *path);

static void diff_add(field_diff *diff, const char *path)
{
    size_t length = strlen(diff->paths);
    (void)snprintf(diff->paths + length, sizeof(diff->paths) - length, "%s ", path);
}

static const char *name_of(const kn_library *library, const kn_def_field *field, const void *at)
{
    uint32_t index1;
    memcpy(&index1, at, sizeof(index1));
    return kn_def_name(library, (kn_def_kind)field->limit, index1);
}

static bool lists_are_equal(const field_diff *diff, const kn_def_field *field, const uint8_t *a,
    const uint8_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(name_of(diff->libraries[0], field, a + 4 * i),
                name_of(diff->libraries[1], field, b + 4 * i)) != 0) {
            return false;
        }
    }
    return true;
}

static void diff_array(
    field_diff *diff, const kn_def_field *field, const void *a, const void *b, const char *path)
{
    const uint8_t *items[2];
    uint32_t counts[2];
    memcpy(&items[0], (const uint8_t *)a + field->offset, sizeof(items[0]));
    memcpy(&items[1], (const uint8_t *)b + field->offset, sizeof(items[1]));
    memcpy(&counts[0], (const uint8_t *)a + field->count_offset, sizeof(counts[0]));
    memcpy(&counts[1], (const uint8_t *)b + field->count_offset, sizeof(counts[1]));
    if (counts[0] != counts[1]) {
        diff_add(diff, path);
    } else if (field->kind == KN_DEF_FIELD_REFS) {
        if (!lists_are_equal(diff, field, items[0], items[1], counts[0])) {
            diff_add(diff, path);
        }
    } else {
        size_t size = field->table->size;
        for (uint32_t i = 0; i < counts[0]; i++) {
            diff_struct(diff, field->table, items[0] + i * size, items[1] + i * size, path);
        }
    }
}

static bool values_are_equal(
    const field_diff *diff, const kn_def_field *field, const uint8_t *a, const uint8_t *b)
{
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        const char *x, *y;
        memcpy(&x, a, sizeof(x));
        memcpy(&y, b, sizeof(y));
        return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
    }
    case KN_DEF_FIELD_REF:
        return strcmp(name_of(diff->libraries[0], field, a),
                   name_of(diff->libraries[1], field, b)) == 0;
    case KN_DEF_FIELD_TAGS: {
        kn_tags x, y;
        memcpy(&x, a, sizeof(x));
        memcpy(&y, b, sizeof(y));
        return x.count == y.count && (x.count == 0 || x.data[0].index1 == y.data[0].index1);
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *x, *y;
        memcpy(&x, a, sizeof(x));
        memcpy(&y, b, sizeof(y));
        return x == y || (x != NULL && y != NULL && memcmp(x, y, sizeof(*x)) == 0);
    }
    case KN_DEF_FIELD_POINTER:
    case KN_DEF_FIELD_COOKIE:
        return true;
    default:
        return memcmp(a, b, kn_def_field_size(field)) == 0;
    }
}

static void diff_struct(
    field_diff *diff, const kn_def_table *table, const void *a, const void *b, const char *path)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *x = (const uint8_t *)a + field->offset;
        const uint8_t *y = (const uint8_t *)b + field->offset;
        char below[256];
        (void)snprintf(below, sizeof(below), "%s.%s", path, field->name);
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            diff_struct(diff, field->table, x, y, below);
        } else if (field->kind == KN_DEF_FIELD_ARRAY || field->kind == KN_DEF_FIELD_REFS) {
            diff_array(diff, field, a, b, below);
        } else if (!values_are_equal(diff, field, x, y)) {
            diff_add(diff, below);
        }
    }
}

static const void *subject_of(const kn_library *library, kn_def_kind kind)
{
    return kn_def_get(library, kind, kn_def_find(library, kind, "Subject"));
}

typedef struct field_count {
    uint32_t fields;
    uint32_t bad;
} field_count;

// Documents that differ in the value of one field give defs that differ in that field.
static void check_field(const field_case *c, void *user)
{
    field_count *count = user;
    count->fields++;
    const case_pair *pair = case_pair_of(c);
    char expected[512];
    (void)snprintf(expected, sizeof(expected), "%s ", c->path);
    kn_library *before = NULL;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < c->value_count; i++) {
        if (!case_is_good(c, i)) {
            continue;
        }
        kn_library *library = case_build(c, i);
        bad += library == NULL;
        if (before != NULL && library != NULL) {
            field_diff diff = {{before, library}, ""};
            diff_struct(&diff, kn_def_table_of(c->kind), subject_of(before, c->kind),
                subject_of(library, c->kind), c->section);
            if (strcmp(diff.paths, pair != NULL ? pair->changed : expected) != 0) {
                print_error("%s, value %u: changed were: %s\n", c->path, i, diff.paths);
                bad++;
            }
        }
        kn_library_destroy(before);
        before = library;
    }
    kn_library_destroy(before);
    count->bad += bad != 0;
}

// SYS-005
static void every_field_of_every_def_is_reached_by_a_document(void **state)
{
    (void)state;
    field_count count = {0};
    each_field_case(check_field, &count);
    assert_true(count.fields > 500);
    if (count.bad != 0) {
        fail_msg("%u of %u fields", count.bad, count.fields);
    }
}

// A definition of any length counts with all its parts.
static void long_definitions_count_whole_in_the_hash(void **state)
{
    (void)state;
    static const char *const ends[] = {"", "stacking: {kind: by_target}",
        "stacking: {kind: by_target, limit: 3}", "stacking: {kind: by_target, limit: 4}",
        "granted_tags: [T.A]", "granted_tags: [T.B]", "application: {target: [T.A]}",
        "application: {target: {ignored: [T.A]}}", "chance: 0.5"};
    uint64_t hashes[9];
    for (uint32_t i = 0; i < 9; i++) {
        char text[16384] = "tags: [T.A, T.B]\nattribute_sets: {V: {attributes: {H: 1}}}\n"
                           "effects:\n  E:\n    duration: 5\n    modifiers:\n";
        size_t length = strlen(text);
        for (uint32_t k = 0; k < 60; k++) {
            length += (size_t)snprintf(text + length, sizeof(text) - length,
                "      - {attribute: V.H, magnitude: %u}\n", k);
        }
        (void)snprintf(text + length, sizeof(text) - length, "    %s\n", ends[i]);
        kn_library *library = library_of(text);
        hashes[i] = kn_library_hash(library);
        kn_library_destroy(library);
        for (uint32_t k = 0; k < i; k++) {
            if (hashes[k] == hashes[i]) {
                fail_msg("{%s} and {%s}", ends[k], ends[i]);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_field_of_every_def_is_reached_by_a_document),
    cmocka_unit_test(long_definitions_count_whole_in_the_hash),
};

TEST_GROUP(data_fields, tests, NULL, NULL);
