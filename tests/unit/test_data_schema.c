// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema says of data files what the loader says. A small validator reads it through the
// module's own reader; documents made at random from it are never of a shape the loader refuses.

#define _POSIX_C_SOURCE 200809L

#include "../scenario/data_generator.h"
#include "data/document.h"

#include <regex.h>

// Documents -----------------------------------------------------------------

static kni_document *parse(const char *text, size_t size)
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

static kni_document *schema_document(void)
{
    size_t size;
    assert_int_equal(kn_data_write_schema(NULL, 0, &size), KN_ERROR_BUFFER_TOO_SMALL);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(kn_data_write_schema(text, size, &size), KN_OK);
    kni_document *document = parse(text, size);
    free(text);
    return document;
}

// Validation ----------------------------------------------------------------

static bool validates(kni_node schema, kni_node node);

// "#/$defs/name"
static kni_node target_of(kni_node schema)
{
    const char *path = kni_node_scalar(kni_node_get(schema, "$ref")).text;
    assert_int_equal(strncmp(path, "#/$defs/", 8), 0);
    kni_node root = kni_document_root(schema.document);
    kni_node target = kni_node_get(kni_node_get(root, "$defs"), path + 8);
    assert_true(kni_node_exists(target));
    return target;
}

static bool is_type(kni_node node, const char *type)
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

static bool has_type(kni_node types, kni_node node)
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

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static double number_of(kni_node node)
{
    kni_scalar scalar = kni_node_scalar(node);
    assert_true(kni_scalar_is_number(&scalar));
    return strtod(scalar.text, NULL);
}

static bool same_text(kni_node a, kni_node b)
{
    return kni_node_kind_of(b) == KNI_NODE_SCALAR &&
           strcmp(kni_node_scalar(a).text, kni_node_scalar(b).text) == 0;
}

static bool any_of(kni_node choices, kni_node node, bool by_text)
{
    kni_children children = kni_node_children(choices);
    for (kni_node choice; kni_children_next(&children, &choice);) {
        if (by_text ? same_text(choice, node) : validates(choice, node)) {
            return true;
        }
    }
    return false;
}

static bool object_validates(kni_node schema, kni_node node)
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
    children = kni_node_children(kni_node_get(schema, "required"));
    for (kni_node key; kni_children_next(&children, &key);) {
        if (!kni_node_exists(kni_node_get(node, kni_node_scalar(key).text))) {
            return false;
        }
    }
    return true;
}

static bool array_validates(kni_node schema, kni_node node)
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

static bool scalar_validates(kni_node schema, kni_node node)
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

static bool validates(kni_node schema, kni_node node)
{
    if (kni_node_exists(kni_node_get(schema, "$ref"))) {
        return validates(target_of(schema), node);
    }
    kni_node type = kni_node_get(schema, "type");
    kni_node choices = kni_node_get(schema, "anyOf");
    kni_node words = kni_node_get(schema, "enum");
    kni_node word = kni_node_get(schema, "const");
    return (!kni_node_exists(type) || has_type(type, node)) &&
           (!kni_node_exists(choices) || any_of(choices, node, false)) &&
           (!kni_node_exists(words) || any_of(words, node, true)) &&
           (!kni_node_exists(word) || same_text(word, node)) && object_validates(schema, node) &&
           (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || array_validates(schema, node)) &&
           scalar_validates(schema, node);
}

static bool text_validates(const kni_document *schema, const char *text)
{
    kni_document *document = parse(text, strlen(text));
    bool ok = validates(kni_document_root(schema), kni_document_root(document));
    kni_document_destroy(document);
    return ok;
}

// Every keyword of the schema is one that the validator knows.
static void check_keywords(kni_node schema)
{
    static const char *const known[] = {"$schema", "title", "description", "type", "anyOf", "enum",
        "const", "properties", "additionalProperties", "required", "items", "prefixItems",
        "minItems", "maxItems", "pattern", "minimum", "maximum", "$ref", "$defs"};
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
        } else if (kni_node_kind_of(child) == KNI_NODE_MAPPING) {
            check_keywords(child);
        }
    }
}

// Tests ---------------------------------------------------------------------

static void check_case(const field_case *c, void *user)
{
    const kni_document *schema = user;
    for (uint32_t i = 0; i < c->value_count; i++) {
        char text[CASE_TEXT_MAX];
        case_document(c, i, text, sizeof(text));
        if (!text_validates(schema, text)) {
            fail_msg("%s", text);
        }
    }
}

static void documents_of_every_field_validate(void **state)
{
    check_keywords(kni_document_root(*state));
    each_field_case(check_case, *state);
    assert_true(text_validates(*state, case_context));
    assert_true(text_validates(*state, ""));
}

static void the_examples_of_the_manual_validate(void **state)
{
    FILE *file = fopen(KNACK_DOCS "/data.md", "r");
    assert_non_null(file);
    static char text[32 * 1024];
    case_text out = {text, sizeof(text), 0};
    char line[512];
    uint32_t count = 0;
    bool is_wanted = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_wanted && !text_validates(*state, text)) {
                fail_msg("%s", text);
            }
            count += is_wanted;
            is_wanted = strncmp(line, "```yaml", 7) == 0;
            out.length = 0;
        } else if (is_wanted) {
            case_put(&out, "%s", line);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_true(count >= 8);
}

// What is written of a library: with parents, lists and short forms.
static void what_is_written_validates(void **state)
{
    kn_data *data = case_data();
    data_add(data, "more.yaml",
        "effects: {P: {parent: A, modifiers: {Set.A: 2 * level}, duration: 3, stacking: "
        "{kind: by_target, limit: {value: 2, curve: A}}, children: [{type: Q, when: ended}]},\n"
        "  Q: {duration: infinite, application: {target: {query: any_tags(Some.A)}}}}\n"
        "starting_values: {Hero: {Set.A: [1, 2]}}\nnames: [N]\ncommon_tags: [Some.A]\n"
        "redirects: {tags: {Old: Some.A}, attributes: {Set.Old: Set.A}}\n"
        "settings: {fail_tags: standard, dead_tag: Some.A}\n"
        "targetings: {T: {interval: 250ms, offset: [1, 2, 3]}}\n");
    kn_library *library = data_build(data);
    static char text[64 * 1024];
    size_t size;
    assert_int_equal(kn_data_write(library, text, sizeof(text) - 1, &size), KN_OK);
    text[size] = 0;
    assert_true(text_validates(*state, text));
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void the_loader_and_the_schema_refuse_alike(void **state)
{
    static const char *const bad[] = {
        "efects: {}\n",
        "effects: [A]\n",
        "effects: {A: 5}\n",
        "effects: {A: {perod: 1}}\n",
        "effects: {A: {name: B}}\n",
        "effects: {A: {duration_kind: forever}}\n",
        "effects: {A: {duration: {scal: 1}}}\n",
        "effects: {A: {is_periodic: maybe}}\n",
        "effects: {A: {modifiers: 5}}\n",
        "effects: {A: {modifiers: [{op: plus}]}}\n",
        "effects: {A: {stacking: []}}\n",
        "effects: {A: {stacking: {limit: many}}}\n",
        "effects: {A: {granted_tags: {plus: [X]}}}\n",
        "effects: {A: {cue_min: text}}\n",
        "effects: {A: {stacking: {kind: none, own_timers: 1}}}\n",
        "abilities: {A: {input: -1}}\n",
        "abilities: {A: {input: 1.5}}\n",
        "abilities: {A: {activate: x}}\n",
        "targetings: {A: {offset: [1, 2]}}\n",
        "targetings: {A: {interval: soon}}\n",
        "targetings: {A: {interval: -1}}\n",
        "contexts: {A: 0}\n",
        "contexts: {A: }\n",
        "conditions: {A: }\n",
        "conditions: {A: {expression: \"1\", script: x}}\n",
        "timers: {A: {expression: \"1\"}}\n",
        "curves: {A: [[1]]}\n",
        "names: {A: B}\n",
        "common_tags: {add: [Some]}\n",
        "abilities: {A: {body: usual}}\n",
        "abilities: {A: {body: use, applies: {X: nobody}}}\n",
        "abilities: {A: {body: use, applies: [{effects: X}]}}\n",
        "abilities: {A: {body: timed, lasts: soon}}\n",
        "tags: {A: {coment: x}}\n",
        "redirects: {tag: {}}\n",
        "settings: {fail_tags: usual}\n",
        "settings: {other: A}\n",
        "starting_values: 5\n",
        "starting_values: [[Hero, Set.A, 1]]\n",
        "starting_values: [[Hero, Set.A, 1, much]]\n",
        "calculations: {A: {captures: [everyone.Set.A]}}\n",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        if (text_validates(*state, bad[i])) {
            fail_msg("the schema allows %s", bad[i]);
        }
        kn_data *data = data_create();
        data_add(data, "bad.yaml", bad[i]);
        kn_library *library;
        if (kn_data_build(data, &library) != KN_ERROR_BAD_DATA) {
            fail_msg("the loader allows %s", bad[i]);
        }
        kn_data_destroy(data);
    }
}

// Random documents ----------------------------------------------------------

typedef struct writer {
    case_text text;
    uint64_t seed;
} writer;

static uint32_t below(writer *w, uint32_t count)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->seed >> 33) % count;
}

static void write_random(writer *w, kni_node schema, const char *key, uint32_t depth);

static kni_node child_at(kni_node node, uint32_t index)
{
    kni_children children = kni_node_children(node);
    kni_node child = {0};
    for (uint32_t i = 0; i <= index; i++) {
        assert_true(kni_children_next(&children, &child));
    }
    return child;
}

static void write_object(writer *w, kni_node schema, uint32_t depth)
{
    static const char *const names[] = {"A", "B", "Set.A", "Some.A"};
    kni_node properties = kni_node_get(schema, "properties");
    kni_node others = kni_node_get(schema, "additionalProperties");
    kni_node required = kni_node_get(schema, "required");
    uint32_t count = kni_node_count(properties);
    bool is_first = true;
    case_put(&w->text, "{");
    for (uint32_t i = 0; i < count; i++) {
        kni_node property = child_at(properties, i);
        bool is_required = false;
        kni_children keys = kni_node_children(required);
        for (kni_node key; kni_children_next(&keys, &key);) {
            is_required |= strcmp(kni_node_scalar(key).text, kni_node_key(property)) == 0;
        }
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

static void write_array(writer *w, kni_node schema, uint32_t depth)
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

static void write_string(writer *w, kni_node schema, const char *key)
{
    static const char *const any[] = {"A", "B", "Set.A", "Some.A", "any", "Zed", "$A", "level",
        "source.Set.A", "250ms", "any_tags(Some.A)", "forever"};
    kni_node pattern = kni_node_get(schema, "pattern");
    const char *text = strcmp(key, "query") == 0 ? "any_tags(Some.A)" : any[below(w, 12)];
    while (kni_node_exists(pattern) && !matches(kni_node_scalar(pattern).text, text)) {
        text = any[below(w, 12)];
    }
    case_put(&w->text, "\"%s\"", text);
}

static void write_number(writer *w, kni_node schema, bool is_whole)
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
    case_put(&w->text, is_whole ? "%d" : "%d.5", value);
}

static void write_random(writer *w, kni_node schema, const char *key, uint32_t depth)
{
    kni_node choices = kni_node_get(schema, "anyOf");
    kni_node words = kni_node_get(schema, "enum");
    kni_node word = kni_node_get(schema, "const");
    kni_node type = kni_node_get(schema, "type");
    if (kni_node_exists(kni_node_get(schema, "$ref"))) {
        write_random(w, target_of(schema), key, depth);
        return;
    }
    if (kni_node_exists(choices)) {
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
    const char *name = kni_node_scalar(type).text;
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

// Sentences about the shape of a document, which a valid one never brings.
static bool is_about_shape(const char *message)
{
    return strncmp(message, "expected ", 9) == 0 || strstr(message, "there is no field") != NULL ||
           strstr(message, "there is no section") != NULL ||
           strstr(message, "is no value of") != NULL || strstr(message, "tags are a list") != NULL;
}

static void random_valid_documents_fail_for_what_they_say_only(void **state)
{
    static char text[256 * 1024];
    uint32_t built = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        writer w = {{text, sizeof(text), 0}, i * 2654435761u};
        kni_node root = kni_document_root(*state);
        // One section a time: two mistakes in a row would hide the rest.
        kni_node sections = kni_node_get(root, "properties");
        kni_node section = child_at(sections, i % kni_node_count(sections));
        case_put(&w.text, "%s: ", kni_node_key(section));
        write_random(&w, section, kni_node_key(section), 0);
        case_put(&w.text, "\n");
        assert_true(text_validates(*state, text));
        kn_data *data = case_data();
        data_add(data, "random.yaml", text);
        kn_library *library;
        built += kn_data_build(data, &library) == KN_OK;
        for (uint32_t m = 0; m < kn_data_message_count(data); m++) {
            if (is_about_shape(kn_data_message_at(data, m).text)) {
                fail_msg("%u: %u: %s\n%s", i, kn_data_message_at(data, m).column,
                    kn_data_message_at(data, m).text, text);
            }
        }
        kn_library_destroy(library);
        kn_data_destroy(data);
    }
    assert_true(built > 100);
}

// One edit -----------------------------------------------------------------

typedef struct edit {
    uint32_t at;   // which node of the document, in the order of its text
    uint32_t kind; // into edit_texts, or one of those below
    uint32_t seen; // nodes so far
} edit;

static const char *const edit_texts[] = {"nonsense", "-1", "1.5", "true", "~", "[]", "{}",
    "{nonsense: word}", "[nonsense]", "99999999999", "\"\"", "\"5\"", "[[1, 2], [3, 4]]", "250ms",
    "$Zed", "[~]"};

enum {
    EDIT_TEXTS = sizeof(edit_texts) / sizeof(*edit_texts),
    EDIT_KEY = EDIT_TEXTS, // another key
    EDIT_DROP,
    EDIT_LIST, // in a list of its own
    EDIT_COUNT,
};

static void put_quoted(writer *w, const char *text)
{
    case_put(&w->text, "\"");
    for (; *text != 0; text++) {
        case_put(&w->text, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    case_put(&w->text, "\"");
}

static void put_edited(writer *w, kni_node node, edit *e);

static void put_value(writer *w, kni_node node, edit *e)
{
    kni_node_kind kind = kni_node_kind_of(node);
    if (kind == KNI_NODE_SCALAR) {
        kni_scalar scalar = kni_node_scalar(node);
        bool is_plain = !scalar.quoted && strpbrk(scalar.text, ",[]{}:#&*!|>'\"%@`?\n") == NULL;
        if (is_plain) {
            case_put(&w->text, "%s", scalar.text);
        } else {
            put_quoted(w, scalar.text);
        }
        return;
    }
    case_put(&w->text, kind == KNI_NODE_MAPPING ? "{" : "[");
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        size_t before = w->text.length;
        put_edited(w, child, e);
        case_put(&w->text, w->text.length > before ? ", " : "");
    }
    case_put(&w->text, kind == KNI_NODE_MAPPING ? "}" : "]");
}

// The document again, with the edit where it belongs.
static void put_edited(writer *w, kni_node node, edit *e)
{
    bool is_here = e->seen++ == e->at;
    const char *key = kni_node_key(node);
    if (is_here && e->kind == EDIT_DROP) {
        return;
    }
    if (key != NULL) {
        char changed[300];
        (void)snprintf(
            changed, sizeof(changed), "%s%s", key, is_here && e->kind == EDIT_KEY ? "x" : "");
        put_quoted(w, changed);
        case_put(&w->text, ": ");
    }
    if (is_here && e->kind < EDIT_TEXTS) {
        case_put(&w->text, "%s", edit_texts[e->kind]);
    } else if (is_here && e->kind == EDIT_LIST) {
        case_put(&w->text, "[");
        put_value(w, node, e);
        case_put(&w->text, "]");
    } else {
        put_value(w, node, e);
    }
}

typedef struct edit_test {
    const kni_document *schema;
    writer random;
    uint32_t count, refused, built;
} edit_test;

// What the loader and the schema say of one text fits together. The loader takes a number for a
// text that looks like one; the schema, and the manual, want quotes.
static void check_both(edit_test *test, const char *text, bool looks_like_number)
{
    bool is_valid = text_validates(test->schema, text);
    kn_data *data = case_data();
    data_add(data, "edited.yaml", text);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    test->count++;
    test->built += result == KN_OK;
    test->refused += !is_valid;
    if (result == KN_OK && !is_valid && !looks_like_number) {
        fail_msg("the schema refuses what loads: %s", text);
    }
    for (uint32_t i = 0; is_valid && i < kn_data_message_count(data); i++) {
        const char *message = kn_data_message_at(data, i).text;
        if (kn_data_message_at(data, i).is_error && is_about_shape(message)) {
            fail_msg("the schema allows: %s\n%s", message, text);
        }
    }
    kn_library_destroy(library);
    kn_data_destroy(data);
}

static void check_edits(edit_test *test, const char *text, uint32_t edits)
{
    static char edited[256 * 1024];
    kni_document *document = parse(text, strlen(text));
    edit all = {.at = UINT32_MAX};
    writer w = {{edited, sizeof(edited), 0}, 0};
    put_value(&w, kni_document_root(document), &all);
    for (uint32_t i = 0; i < edits && all.seen > 0; i++) {
        edit one = {.at = below(&test->random, all.seen), .kind = below(&test->random, EDIT_COUNT)};
        w.text.length = 0;
        put_value(&w, kni_document_root(document), &one);
        case_put(&w.text, "\n");
        const char *put = one.kind < EDIT_TEXTS ? edit_texts[one.kind] : "";
        kni_scalar scalar = {.text = put, .length = (uint32_t)strlen(put)};
        bool truth;
        check_both(test, edited,
            kni_scalar_is_number(&scalar) || kni_scalar_bool(&scalar, &truth, NULL) == KN_OK);
    }
    kni_document_destroy(document);
}

static void check_case_edits(const field_case *c, void *user)
{
    char text[CASE_TEXT_MAX];
    case_document(c, 0, text, sizeof(text));
    check_edits(user, text, 3);
}

// A valid document with one edit: what the loader says of its shape, the schema says too, and what
// loads is valid.
static void loader_and_schema_agree_on_documents_with_one_edit(void **state)
{
    edit_test test = {.schema = *state, .random = {.seed = 11}};
    each_field_case(check_case_edits, &test);
    static char text[256 * 1024];
    for (uint32_t i = 0; i < 300; i++) {
        writer w = {{text, sizeof(text), 0}, i * 2654435761u};
        kni_node sections = kni_node_get(kni_document_root(*state), "properties");
        kni_node section = child_at(sections, i % kni_node_count(sections));
        case_put(&w.text, "%s: ", kni_node_key(section));
        write_random(&w, section, kni_node_key(section), 0);
        case_put(&w.text, "\n");
        check_edits(&test, text, 2);
    }
    assert_true(test.count > 2000 && test.refused > 500 && test.built > 200);
}

static int setup(void **state)
{
    *state = schema_document();
    return 0;
}

static int teardown(void **state)
{
    kni_document_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_of_every_field_validate),
        cmocka_unit_test(the_examples_of_the_manual_validate),
        cmocka_unit_test(what_is_written_validates),
        cmocka_unit_test(the_loader_and_the_schema_refuse_alike),
        cmocka_unit_test(random_valid_documents_fail_for_what_they_say_only),
        cmocka_unit_test(loader_and_schema_agree_on_documents_with_one_edit),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
