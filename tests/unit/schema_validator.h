// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A small validator of JSON Schema that reads through the module's own reader, and documents made
// at random from a schema. Include it after defining _POSIX_C_SOURCE.
#ifndef SCHEMA_VALIDATOR_H
#define SCHEMA_VALIDATOR_H

#include "../scenario/data_generator.h"
#include "data/document.h"

#include <regex.h>

// Documents -----------------------------------------------------------------

static inline kni_document *parse(const char *text, size_t size)
{
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    kni_report *report;
    kni_document *document;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    assert_int_equal(kni_document_parse(&def, report, &document), KN_OK);
    kni_report_destroy(report);
    return document;
}

typedef kn_result schema_write_fn(char *text, size_t size, size_t *written);

static inline kni_document *schema_document(schema_write_fn *write)
{
    size_t size;
    assert_int_equal(write(NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(write(text, size - 1, &size), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(write(text, size, &size), KN_OK);
    kni_document *document = parse(text, size);
    free(text);
    return document;
}

// Validation ----------------------------------------------------------------

static inline bool validates(kni_node schema, kni_node node);

// "#/$defs/name"
static inline kni_node target_of(kni_node schema)
{
    const char *path = kni_node_scalar(kni_node_get(schema, "$ref")).text;
    assert_int_equal(strncmp(path, "#/$defs/", 8), 0);
    kni_node root = kni_document_root(schema.document);
    kni_node target = kni_node_get(kni_node_get(root, "$defs"), path + 8);
    assert_true(kni_node_exists(target));
    return target;
}

static inline bool is_type(kni_node node, const char *type)
{
    kni_node_kind kind = kni_node_kind_of(node);
    kni_scalar scalar = kni_node_scalar(node);
    bool truth;
    int64_t whole;
    uint64_t large;
    if (strcmp(type, "object") == 0 || strcmp(type, "array") == 0) {
        return kind == (type[0] == 'o' ? KNI_NODE_MAPPING : KNI_NODE_SEQUENCE);
    }
    if (kind != KNI_NODE_SCALAR) {
        return false;
    }
    bool is_bool = kni_scalar_bool(&scalar, &truth, NULL) == KN_OK;
    bool is_number = kni_scalar_is_number(&scalar);
    if (strcmp(type, "null") == 0) {
        return kni_node_is_null(node);
    }
    if (strcmp(type, "boolean") == 0) {
        return is_bool;
    }
    if (strcmp(type, "number") == 0) {
        return is_number;
    }
    if (strcmp(type, "integer") == 0) {
        return kni_scalar_i64(&scalar, INT64_MIN, INT64_MAX, &whole, NULL) == KN_OK ||
               kni_scalar_u64(&scalar, 0, UINT64_MAX, &large, NULL) == KN_OK;
    }
    assert_string_equal(type, "string");
    return !is_bool && !is_number && !kni_node_is_null(node);
}

static inline bool has_type(kni_node types, kni_node node)
{
    if (kni_node_kind_of(types) == KNI_NODE_SCALAR) {
        return is_type(node, kni_node_scalar(types).text);
    }
    bool found = false;
    kni_children children = kni_node_children(types);
    for (kni_node type; kni_children_next(&children, &type);) {
        found |= is_type(node, kni_node_scalar(type).text);
    }
    return found;
}

static inline bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static inline double number_of(kni_node node)
{
    kni_scalar scalar = kni_node_scalar(node);
    assert_true(kni_scalar_is_number(&scalar));
    return strtod(scalar.text, NULL);
}

static inline bool same_text(kni_node a, kni_node b)
{
    return kni_node_kind_of(b) == KNI_NODE_SCALAR &&
           strcmp(kni_node_scalar(a).text, kni_node_scalar(b).text) == 0;
}

static inline bool any_of(kni_node choices, kni_node node, bool by_text)
{
    kni_children children = kni_node_children(choices);
    for (kni_node choice; kni_children_next(&children, &choice);) {
        if (by_text ? same_text(choice, node) : validates(choice, node)) {
            return true;
        }
    }
    return false;
}

// Whether an object has all keys of a list.
static inline bool has_all(kni_node keys, kni_node node)
{
    kni_children children = kni_node_children(keys);
    for (kni_node key; kni_children_next(&children, &key);) {
        if (!kni_node_exists(kni_node_get(node, kni_node_scalar(key).text))) {
            return false;
        }
    }
    return true;
}

static inline bool object_validates(kni_node schema, kni_node node)
{
    kni_node properties = kni_node_get(schema, "properties");
    kni_node others = kni_node_get(schema, "additionalProperties");
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_node property = kni_node_get(properties, kni_node_key(child));
        property = kni_node_exists(property) ? property : others;
        bool is_closed = kni_node_kind_of(property) == KNI_NODE_SCALAR; // only ever false
        if (is_closed || (kni_node_exists(property) && !validates(property, child))) {
            return false;
        }
    }
    if (!has_all(kni_node_get(schema, "required"), node)) {
        return false;
    }
    children = kni_node_children(kni_node_get(schema, "dependentRequired"));
    for (kni_node keys; kni_children_next(&children, &keys);) {
        if (kni_node_exists(kni_node_get(node, kni_node_key(keys))) && !has_all(keys, node)) {
            return false;
        }
    }
    return true;
}

static inline bool array_validates(kni_node schema, kni_node node)
{
    kni_node items = kni_node_get(schema, "items");
    kni_node least = kni_node_get(schema, "minItems");
    kni_node most = kni_node_get(schema, "maxItems");
    if ((kni_node_exists(least) && kni_node_count(node) < number_of(least)) ||
        (kni_node_exists(most) && kni_node_count(node) > number_of(most))) {
        return false;
    }
    kni_children prefixes = kni_node_children(kni_node_get(schema, "prefixItems"));
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_node item;
        if (!kni_children_next(&prefixes, &item)) {
            item = items;
        }
        if (kni_node_exists(item) && !validates(item, child)) {
            return false;
        }
    }
    return true;
}

static inline bool scalar_validates(kni_node schema, kni_node node)
{
    kni_node pattern = kni_node_get(schema, "pattern");
    kni_node minimum = kni_node_get(schema, "minimum");
    kni_node maximum = kni_node_get(schema, "maximum");
    bool is_number = is_type(node, "number");
    return (!kni_node_exists(pattern) || !is_type(node, "string") ||
               matches(kni_node_scalar(pattern).text, kni_node_scalar(node).text)) &&
           (!kni_node_exists(minimum) || !is_number || number_of(node) >= number_of(minimum)) &&
           (!kni_node_exists(maximum) || !is_number || number_of(node) <= number_of(maximum));
}

static inline bool validates(kni_node schema, kni_node node)
{
    if (kni_node_exists(kni_node_get(schema, "$ref"))) {
        return validates(target_of(schema), node);
    }
    kni_node type = kni_node_get(schema, "type");
    kni_node choices = kni_node_get(schema, "anyOf");
    kni_node words = kni_node_get(schema, "enum");
    kni_node word = kni_node_get(schema, "const");
    kni_node other = kni_node_get(schema, "not");
    return (!kni_node_exists(type) || has_type(type, node)) &&
           (!kni_node_exists(choices) || any_of(choices, node, false)) &&
           (!kni_node_exists(words) || any_of(words, node, true)) &&
           (!kni_node_exists(word) || same_text(word, node)) &&
           (!kni_node_exists(other) || !validates(other, node)) && object_validates(schema, node) &&
           (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || array_validates(schema, node)) &&
           scalar_validates(schema, node);
}

static inline bool text_validates(const kni_document *schema, const char *text)
{
    kni_document *document = parse(text, strlen(text));
    bool ok = validates(kni_document_root(schema), kni_document_root(document));
    kni_document_destroy(document);
    return ok;
}

// Every keyword of the schema is one that the validator knows.
static inline void check_keywords(kni_node schema)
{
    static const char *const known[] = {"$schema", "title", "description", "type", "anyOf", "enum",
        "const", "properties", "additionalProperties", "required", "items", "prefixItems",
        "minItems", "maxItems", "pattern", "minimum", "maximum", "$ref", "$defs", "not",
        "dependentRequired"};
    kni_children children = kni_node_children(schema);
    for (kni_node child; kni_children_next(&children, &child);) {
        bool found = false;
        for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
            found |= strcmp(kni_node_key(child), known[i]) == 0;
        }
        if (!found) {
            fail_msg("%s", kni_node_key(child));
        }
        bool is_map = strcmp(kni_node_key(child), "properties") == 0 ||
                      strcmp(kni_node_key(child), "$defs") == 0;
        bool is_list = strcmp(kni_node_key(child), "anyOf") == 0 ||
                       strcmp(kni_node_key(child), "prefixItems") == 0;
        if (is_map || is_list) {
            kni_children parts = kni_node_children(child);
            for (kni_node part; kni_children_next(&parts, &part);) {
                check_keywords(part);
            }
        } else if (kni_node_kind_of(child) == KNI_NODE_MAPPING &&
                   strcmp(kni_node_key(child), "dependentRequired") != 0) {
            check_keywords(child);
        }
    }
}

// A help text is for people who have never seen C.
static inline void check_plain(const char *what, const char *help)
{
    static const char *const foreign[] = {"kn_", "KN_", "NULL"};
    if (help == NULL || help[0] == 0) {
        fail_msg("%s has no help: see scripts/field-docs and src/data/key_docs.c", what);
    }
    for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++) {
        if (strstr(help, foreign[i]) != NULL) {
            fail_msg("the help of %s has a name of C: %s", what, help);
        }
    }
}

// Every property has help.
static inline void check_help(kni_node schema, bool is_properties)
{
    kni_children children = kni_node_children(schema);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *key = kni_node_key(child);
        if (is_properties) {
            kni_node help = kni_node_get(child, "description");
            check_plain(key, kni_node_exists(help) ? kni_node_scalar(help).text : NULL);
        }
        if (kni_node_kind_of(child) != KNI_NODE_SCALAR) {
            check_help(child, !is_properties && key != NULL && strcmp(key, "properties") == 0);
        }
    }
}

// Random documents ----------------------------------------------------------

typedef struct writer {
    case_text text;
    uint64_t seed;
    const char *const *words; // what strings are made of
    uint32_t word_count;
} writer;

static inline uint32_t below(writer *w, uint32_t count)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->seed >> 33) % count;
}

static inline void write_random(writer *w, kni_node schema, const char *key, uint32_t depth);

static inline kni_node child_at(kni_node node, uint32_t index)
{
    kni_children children = kni_node_children(node);
    kni_node child = {0};
    for (uint32_t i = 0; i <= index; i++) {
        assert_true(kni_children_next(&children, &child));
    }
    return child;
}

static inline bool lists(kni_node list, const char *word)
{
    kni_children items = kni_node_children(list);
    bool found = false;
    for (kni_node item; kni_children_next(&items, &item);) {
        found |= strcmp(kni_node_scalar(item).text, word) == 0;
    }
    return found;
}

static inline void write_object(writer *w, kni_node schema, uint32_t depth)
{
    static const char *const names[] = {"A", "B", "Set.A", "Some.A"};
    kni_node properties = kni_node_get(schema, "properties");
    kni_node others = kni_node_get(schema, "additionalProperties");
    kni_node required = kni_node_get(schema, "required");
    kni_node choices = kni_node_get(schema, "anyOf"); // of keys that are required
    kni_node one_of = {0};
    uint32_t count = kni_node_count(properties);
    bool is_first = true;
    if (kni_node_exists(choices)) {
        one_of = kni_node_get(child_at(choices, below(w, kni_node_count(choices))), "required");
    }
    case_put(&w->text, "{");
    for (uint32_t i = 0; i < count; i++) {
        kni_node property = child_at(properties, i);
        bool is_required =
            lists(required, kni_node_key(property)) || lists(one_of, kni_node_key(property));
        if (is_required || below(w, count) < (depth > 6 ? 0 : 3)) {
            case_put(&w->text, "%s%s: ", is_first ? "" : ", ", kni_node_key(property));
            write_random(w, property, kni_node_key(property), depth + 1);
            is_first = false;
        }
    }
    uint32_t extra = kni_node_kind_of(others) == KNI_NODE_MAPPING ? below(w, 3) : 0;
    for (uint32_t i = 0; i < extra; i++) {
        case_put(&w->text, "%s%s: ", is_first ? "" : ", ", names[2 * i + below(w, 2)]);
        write_random(w, others, "", depth + 1);
        is_first = false;
    }
    case_put(&w->text, "}");
}

static inline void write_array(writer *w, kni_node schema, uint32_t depth)
{
    kni_node prefixes = kni_node_get(schema, "prefixItems");
    kni_node least = kni_node_get(schema, "minItems");
    uint32_t count = kni_node_exists(least) ? (uint32_t)number_of(least) : below(w, 3);
    case_put(&w->text, "[");
    for (uint32_t i = 0; i < count; i++) {
        case_put(&w->text, i > 0 ? ", " : "");
        kni_node item = kni_node_get(schema, "items");
        if (i < kni_node_count(prefixes)) {
            item = child_at(prefixes, i);
        }
        write_random(w, item, "", depth + 1);
    }
    case_put(&w->text, "]");
}

static inline void write_string(writer *w, kni_node schema, const char *key)
{
    kni_node pattern = kni_node_get(schema, "pattern");
    const char *text =
        strcmp(key, "query") == 0 ? "any_tags(Some.A)" : w->words[below(w, w->word_count)];
    while (kni_node_exists(pattern) && !matches(kni_node_scalar(pattern).text, text)) {
        text = w->words[below(w, w->word_count)];
    }
    case_put(&w->text, "\"%s\"", text);
}

static inline void write_number(writer *w, kni_node schema, bool is_whole)
{
    kni_node minimum = kni_node_get(schema, "minimum");
    kni_node maximum = kni_node_get(schema, "maximum");
    int least = kni_node_exists(minimum) ? 0 : -20;
    int value = least + (int)below(w, 60);
    if (kni_node_exists(minimum) && number_of(minimum) > value) {
        value = (int)number_of(minimum);
    }
    if (kni_node_exists(maximum) && number_of(maximum) < value) {
        value = (int)number_of(maximum);
    }
    bool has_half = !kni_node_exists(maximum) || number_of(maximum) > value;
    case_put(&w->text, is_whole || !has_half ? "%d" : "%d.5", value);
}

static inline void write_random(writer *w, kni_node schema, const char *key, uint32_t depth)
{
    kni_node choices = kni_node_get(schema, "anyOf");
    kni_node words = kni_node_get(schema, "enum");
    kni_node word = kni_node_get(schema, "const");
    kni_node type = kni_node_get(schema, "type");
    if (kni_node_exists(kni_node_get(schema, "$ref"))) {
        write_random(w, target_of(schema), key, depth);
        return;
    }
    if (kni_node_exists(choices) && !kni_node_exists(kni_node_get(schema, "properties"))) {
        write_random(w, child_at(choices, below(w, kni_node_count(choices))), key, depth);
        return;
    }
    if (kni_node_exists(words)) {
        case_put(
            &w->text, "%s", kni_node_scalar(child_at(words, below(w, kni_node_count(words)))).text);
        return;
    }
    if (kni_node_exists(word)) {
        case_put(&w->text, "%s", kni_node_scalar(word).text);
        return;
    }
    const char *name = kni_node_exists(type) ? kni_node_scalar(type).text : "string";
    if (kni_node_kind_of(type) == KNI_NODE_SEQUENCE) {
        name = kni_node_scalar(child_at(type, 0)).text;
    }
    if (strcmp(name, "object") == 0) {
        write_object(w, schema, depth);
    } else if (strcmp(name, "array") == 0) {
        write_array(w, schema, depth);
    } else if (strcmp(name, "string") == 0) {
        write_string(w, schema, key);
    } else if (strcmp(name, "boolean") == 0) {
        case_put(&w->text, "%s", below(w, 2) == 0 ? "true" : "false");
    } else if (strcmp(name, "null") == 0) {
        case_put(&w->text, "~");
    } else {
        write_number(w, schema, strcmp(name, "integer") == 0);
    }
}

// The examples of a page validate, and there are at least `least` of them. A list stands for what
// `list` is a section of.
static inline void examples_validate(
    const kni_document *schema, const char *page, const char *list, uint32_t least)
{
    FILE *file = fopen(page, "r");
    assert_non_null(file);
    static char text[32 * 1024];
    case_text out = {text, sizeof(text), 0};
    char line[512];
    uint32_t count = 0;
    bool is_wanted = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_wanted && !text_validates(schema, text)) {
                fail_msg("%s", text);
            }
            count += is_wanted;
            is_wanted = strncmp(line, "```yaml", 7) == 0;
            out.length = 0;
        } else if (is_wanted) {
            case_put(&out, "%s%s", out.length == 0 && line[0] == '-' ? list : "", line);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_true(count >= least);
}

#endif
