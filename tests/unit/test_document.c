// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "data/document.h"

#include "test_memory.h"

#include <float.h>
#include <stdio.h>

static kni_report *new_report(void)
{
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    return report;
}

static kni_document_def def_of(const char *text, size_t size)
{
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    def.file = "x.yaml";
    return def;
}

static kni_document *parse_with(const kni_document_def *def)
{
    kni_report *report = new_report();
    kni_document *document;
    if (kni_document_parse(def, report, &document) != KN_OK) {
        char messages[2048];
        kni_report_print_all(report, messages, sizeof messages);
        fail_msg("%s", messages);
    }
    assert_int_equal(kni_report_count(report), 0);
    kni_report_destroy(report);
    return document;
}

static kni_document *parse(const char *text)
{
    kni_document_def def = def_of(text, strlen(text));
    return parse_with(&def);
}

static void expect_refused_with(const kni_document_def *def, const char *expected)
{
    kni_report *report = new_report();
    kni_document *document;
    assert_int_equal(kni_document_parse(def, report, &document), KN_ERROR_BAD_DATA);
    assert_null(document);
    char messages[2048];
    kni_report_print_all(report, messages, sizeof messages);
    assert_string_equal(messages, expected);
    kni_report_destroy(report);
}

// The text is copied to a block of its size, so that reading behind its end is noticed.
static void expect_refused(const char *text, const char *expected)
{
    size_t size = strlen(text);
    char *exact = malloc(size + 1);
    assert_non_null(exact);
    memcpy(exact + 1, text, size);
    kni_document_def def = def_of(exact + 1, size);
    expect_refused_with(&def, expected);
    free(exact);
}

// The value below a path such as "a.b"; no key of these tests has a point.
static kni_node at(const kni_document *document, const char *path)
{
    kni_node node = kni_document_root(document);
    char key[64];
    while (*path != '\0') {
        size_t length = strcspn(path, ".");
        memcpy(key, path, length);
        key[length] = '\0';
        node = kni_node_get(node, key);
        path += length + (path[length] == '.');
    }
    return node;
}

static void expect_text(kni_node node, const char *text, bool quoted)
{
    assert_int_equal(kni_node_kind_of(node), KNI_NODE_SCALAR);
    kni_scalar scalar = kni_node_scalar(node);
    assert_string_equal(scalar.text, text);
    assert_int_equal(scalar.length, strlen(text));
    assert_int_equal(scalar.quoted, quoted);
}

static void expect_place(kni_place place, uint32_t line, uint32_t column)
{
    assert_string_equal(place.file, "x.yaml");
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

static void a_tree_has_order_and_places(void **state)
{
    (void)state;
    kni_document *document = parse("# abilities\n"
                                   "Fireball:\n"
                                   "  cost: 12\n"
                                   "  tags: [Fire, \"Magic\"]\n"
                                   "  steps:\n"
                                   "    - wait\n"
                                   "    - hit:  'x'\n"
                                   "  note: |\n"
                                   "    two\n"
                                   "    lines\n"
                                   "  nothing:\n");
    assert_string_equal(kni_document_file(document), "x.yaml");
    kni_node root = kni_document_root(document);
    assert_int_equal(kni_node_kind_of(root), KNI_NODE_MAPPING);
    assert_int_equal(kni_node_count(root), 1);
    assert_null(kni_node_key(root));
    expect_place(kni_node_place(root), 2, 1);
    expect_place(kni_node_key_place(root), 2, 1);

    kni_node fireball = kni_node_get(root, "Fireball");
    assert_string_equal(kni_node_key(fireball), "Fireball");
    expect_place(kni_node_key_place(fireball), 2, 1);
    expect_place(kni_node_place(fireball), 3, 3);
    assert_int_equal(kni_node_count(fireball), 5);
    static const char *const keys[] = {"cost", "tags", "steps", "note", "nothing"};
    uint32_t count = 0;
    kni_children children = kni_node_children(fireball);
    for (kni_node child; kni_children_next(&children, &child);) {
        assert_string_equal(kni_node_key(child), keys[count++]);
    }
    assert_int_equal(count, 5);

    expect_text(at(document, "Fireball.cost"), "12", false);
    expect_place(kni_node_place(at(document, "Fireball.cost")), 3, 9);
    expect_text(at(document, "Fireball.note"), "two\nlines\n", true);
    expect_place(kni_node_place(at(document, "Fireball.note")), 8, 9);
    assert_true(kni_node_is_null(at(document, "Fireball.nothing")));
    expect_place(kni_node_key_place(at(document, "Fireball.nothing")), 11, 3);

    kni_node tags = at(document, "Fireball.tags");
    assert_int_equal(kni_node_kind_of(tags), KNI_NODE_SEQUENCE);
    assert_int_equal(kni_node_count(tags), 2);
    expect_place(kni_node_place(tags), 4, 9);
    kni_node item;
    children = kni_node_children(tags);
    assert_true(kni_children_next(&children, &item));
    expect_text(item, "Fire", false);
    assert_null(kni_node_key(item));
    expect_place(kni_node_place(item), 4, 10);
    assert_true(kni_children_next(&children, &item));
    expect_text(item, "Magic", true);
    expect_place(kni_node_place(item), 4, 16);
    assert_false(kni_children_next(&children, &item));
    assert_false(kni_node_exists(item));

    children = kni_node_children(at(document, "Fireball.steps"));
    assert_true(kni_children_next(&children, &item));
    assert_true(kni_children_next(&children, &item));
    assert_int_equal(kni_node_kind_of(item), KNI_NODE_MAPPING);
    expect_place(kni_node_place(item), 7, 7);
    expect_text(kni_node_get(item, "hit"), "x", true);
    expect_place(kni_node_key_place(kni_node_get(item, "hit")), 7, 7);
    expect_place(kni_node_place(kni_node_get(item, "hit")), 7, 13);
    kni_document_destroy(document);
    kni_document_destroy(NULL);
}

static void no_node_answers_neutrally(void **state)
{
    (void)state;
    kni_document *document = parse("a: 1");
    kni_node none = at(document, "b");
    assert_false(kni_node_exists(none));
    assert_int_equal(kni_node_kind_of(none), KNI_NODE_NONE);
    assert_int_equal(kni_node_count(none), 0);
    assert_null(kni_node_key(none));
    assert_int_equal(kni_node_place(none).line, 0);
    assert_null(kni_node_place(none).file);
    assert_false(kni_node_exists(kni_node_get(none, "a")));
    assert_false(kni_node_exists(at(document, "a.b"))); // nor has a scalar anything below it
    assert_false(kni_node_is_null(none));
    assert_string_equal(kni_node_scalar(none).text, "");
    kni_children children = kni_node_children(none);
    kni_node child;
    assert_false(kni_children_next(&children, &child));
    children = kni_node_children(at(document, "a"));
    assert_false(kni_children_next(&children, &child));
    char key[KNI_DOCUMENT_KEY_MAX + 2];
    memset(key, 'a', sizeof key);
    key[sizeof key - 1] = '\0';
    assert_false(kni_node_exists(kni_node_get(kni_document_root(document), key)));
    kni_document_destroy(document);
}

static void an_empty_file_is_null(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "\n\n", "# nothing\n", "---\n", "---\n...\n", "~", "\xef\xbb\xbf", "null\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kni_document *document = parse(texts[i]);
        assert_true(kni_node_is_null(kni_document_root(document)));
        assert_string_equal(kni_node_kind_name(kni_document_root(document)), "nothing");
        kni_document_destroy(document);
    }
    kni_document_def def = def_of(NULL, 0);
    def.file = NULL;
    kni_document *document = parse_with(&def);
    assert_true(kni_node_is_null(kni_document_root(document)));
    assert_null(kni_document_file(document));
    kni_document_destroy(document);
}

// What YAML 1.1 would take for truth values, octal and base-60 numbers.
static void nothing_is_guessed(void **state)
{
    (void)state;
    kni_document *document = parse("a: no\nb: on\nc: yes\nd: 012\ne: 1:30\nf: 0x10\ng: .inf\n"
                                   "h: 2001-01-01\ni: 1_000\nno: x\n");
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static const char *const texts[] = {
        "no", "on", "yes", "012", "1:30", "0x10", ".inf", "2001-01-01", "1_000"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        kni_node node = at(document, keys[i]);
        bool truth;
        int64_t whole;
        float number;
        const char *text;
        expect_text(node, texts[i], false);
        assert_int_equal(kni_node_bool(node, &truth, NULL), KN_ERROR_BAD_DATA);
        assert_int_equal(kni_node_i64(node, INT64_MIN, INT64_MAX, &whole, NULL), KN_ERROR_BAD_DATA);
        assert_int_equal(kni_node_f32(node, -FLT_MAX, FLT_MAX, &number, NULL), KN_ERROR_BAD_DATA);
        assert_int_equal(kni_node_text(node, &text, NULL), KN_OK);
        assert_string_equal(text, texts[i]);
    }
    expect_text(at(document, "no"), "x", false);
    kni_document_destroy(document);
}

static void values_are_read_as_the_type_asked_for(void **state)
{
    (void)state;
    kni_document *document =
        parse("{t: true, i: -5, u: 18446744073709551615, f: 0.1, s: 250 ms, x: hello, n: null}");
    bool truth;
    int64_t whole;
    uint64_t bare;
    float number;
    kn_time time;
    const char *text;
    assert_int_equal(kni_node_bool(at(document, "t"), &truth, NULL), KN_OK);
    assert_true(truth);
    assert_int_equal(kni_node_i64(at(document, "i"), -10, 10, &whole, NULL), KN_OK);
    assert_int_equal(whole, -5);
    assert_int_equal(kni_node_u64(at(document, "u"), 0, UINT64_MAX, &bare, NULL), KN_OK);
    assert_true(bare == UINT64_MAX);
    assert_int_equal(kni_node_f32(at(document, "f"), 0.0f, 1.0f, &number, NULL), KN_OK);
    assert_true(number == 0.1f);
    assert_int_equal(kni_node_time(at(document, "s"), 0, KN_TIME_MAX, &time, NULL), KN_OK);
    assert_int_equal(time, KN_MS(250));
    assert_int_equal(kni_node_text(at(document, "x"), &text, NULL), KN_OK);
    assert_string_equal(text, "hello");
    kn_error error;
    assert_int_equal(kni_node_text(at(document, "n"), &text, &error), KN_ERROR_BAD_DATA);
    assert_null(text);
    assert_string_equal(error.message, "expected a text, not `null`");
    kni_document_destroy(document);
}

static void other_kinds_of_nodes_are_refused_with_their_place(void **state)
{
    (void)state;
    kni_document *document = parse("a: [1]\nb: {c: 1}\n");
    kn_error error;
    bool truth;
    int64_t whole;
    uint64_t bare;
    float number;
    kn_time time;
    const char *text;
    assert_int_equal(kni_node_bool(at(document, "a"), &truth, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "expected true or false, but this is a list");
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 4);
    kni_node b = at(document, "b");
    assert_int_equal(kni_node_i64(b, 0, 1, &whole, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "expected a whole number, but this is a mapping");
    assert_int_equal(error.line, 2);
    assert_int_equal(kni_node_u64(b, 0, 1, &bare, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kni_node_f32(b, 0.0f, 1.0f, &number, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kni_node_time(b, 0, 1, &time, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kni_node_text(b, &text, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "expected a text, but this is a mapping");
    assert_int_equal(kni_node_text((kni_node){0}, &text, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "expected a text, but there is no value");
    assert_int_equal(kni_node_refuse(b, "the name of an attribute", &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "expected the name of an attribute, but this is a mapping");
    kni_document_destroy(document);
}

static void aliases_are_expanded(void **state)
{
    (void)state;
    kni_document *document = parse("base: &b {x: 1, y: [2, 3]}\n"
                                   "name: &n Burning\n"
                                   "copy: *b\n"
                                   "list: [*n, *b, &n Frozen, *n]\n");
    expect_text(at(document, "copy.x"), "1", false);
    assert_string_equal(kni_node_key(at(document, "copy")), "copy");
    expect_place(kni_node_key_place(at(document, "copy")), 3, 1);
    expect_place(kni_node_place(at(document, "copy.x")), 1, 14); // where it is written
    expect_text(at(document, "name"), "Burning", false);
    kni_children children = kni_node_children(at(document, "list"));
    kni_node item;
    assert_true(kni_children_next(&children, &item));
    expect_text(item, "Burning", false);
    assert_null(kni_node_key(item));
    assert_true(kni_children_next(&children, &item));
    assert_int_equal(kni_node_count(kni_node_get(item, "y")), 2);
    assert_null(kni_node_key(item));
    assert_true(kni_children_next(&children, &item));
    assert_true(kni_children_next(&children, &item));
    expect_text(item, "Frozen", false); // the later anchor of the name
    kni_document_destroy(document);
}

static void merge_keys_bring_in_what_is_not_there(void **state)
{
    (void)state;
    kni_document *document = parse("a: &a {x: 1, y: 1}\n"
                                   "b: &b {<<: *a, y: 2, z: 2}\n"
                                   "c:\n"
                                   "  q: 0\n"
                                   "  <<: [*b, *a, {w: 4, x: 4}]\n"
                                   "  z: 3\n"
                                   "d: {<<: {x: 5}}\n"
                                   "e: {\"<<\": 6}\n"
                                   "f: *b\n");
    kni_node c = at(document, "c");
    assert_int_equal(kni_node_count(c), 5);
    static const char *const keys[] = {"q", "z", "y", "x", "w"}; // its own first
    static const char *const texts[] = {"0", "3", "2", "1", "4"};
    uint32_t count = 0;
    kni_children children = kni_node_children(c);
    for (kni_node child; kni_children_next(&children, &child); count++) {
        assert_true(count < 5);
        assert_string_equal(kni_node_key(child), keys[count]);
        expect_text(child, texts[count], false);
    }
    assert_int_equal(count, 5);
    assert_false(kni_node_exists(at(document, "c.<<")));
    assert_int_equal(kni_node_count(at(document, "b")), 3);
    expect_text(at(document, "b.x"), "1", false);
    expect_text(at(document, "b.y"), "2", false);
    expect_place(kni_node_key_place(at(document, "b.x")), 1, 8);
    expect_text(at(document, "d.x"), "5", false);
    expect_text(at(document, "e.<<"), "6", false);
    assert_int_equal(kni_node_count(at(document, "f")), 3);
    expect_text(at(document, "f.x"), "1", false);
    kni_document_destroy(document);
}

static void merges_reach_through_large_mappings(void **state)
{
    (void)state;
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof text, "a: &a\n");
    for (uint32_t i = 0; i < 100; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "  k%u: %u\n", i, i);
    }
    snprintf(text + length, sizeof text - length, "b: &b {<<: *a, k7: own}\nc: {<<: *b, m: 1}\n");
    kni_document *document = parse(text);
    assert_int_equal(kni_node_count(at(document, "b")), 100);
    assert_int_equal(kni_node_count(at(document, "c")), 101);
    for (uint32_t i = 0; i < 100; i++) {
        char path[16], number[16];
        snprintf(number, sizeof number, "%u", i);
        snprintf(path, sizeof path, "a.k%u", i);
        expect_text(at(document, path), number, false);
        path[0] = 'b';
        expect_text(at(document, path), i == 7 ? "own" : number, false);
        path[0] = 'c';
        expect_text(at(document, path), i == 7 ? "own" : number, false);
    }
    assert_false(kni_node_exists(at(document, "c.k100")));
    kni_document_destroy(document);
}

static void a_long_chain_of_merges_stays_small(void **state)
{
    (void)state;
    char text[8192];
    size_t length = (size_t)snprintf(text, sizeof text, "e0: &e0 {a: 1, b: 2, c: 3}\n");
    for (uint32_t i = 1; i < 100; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
            i % 2 == 0 ? "e%u: &e%u {<<: *e%u, a: x}\n" : "e%u: &e%u {<<: [*e%u], b: x}\n", i, i,
            i - 1);
    }
    kni_document_def def = def_of(text, length);
    def.node_limit = 2000;
    kni_document *document = parse_with(&def);
    expect_text(at(document, "e99.c"), "3", false);
    assert_int_equal(kni_node_count(at(document, "e99")), 3);
    kni_document_destroy(document);
}

static void bad_aliases_and_merges_are_refused(void **state)
{
    (void)state;
    expect_refused("a: *b\n", "x.yaml:1:4: error: this alias has no anchor `&b` before it\n");
    expect_refused(
        "a: &a [1, *a]\n", "x.yaml:1:11: error: `*a` refers to `&a`, which contains it\n");
    expect_refused(
        "a: &a\n  b:\n    <<: *a\n", "x.yaml:3:9: error: `*a` refers to `&a`, which contains it\n");
    expect_refused("a: &a x\n*a : 1\n", "x.yaml:2:1: error: an alias cannot be a key\n");
    expect_refused("&a a: 1\n", "x.yaml:1:1: error: a key cannot have an anchor\n");
    expect_refused("<<: 5\n", "x.yaml:1:5: error: `<<` takes a mapping, an alias such as *base, or "
                              "a list of those\n");
    expect_refused(
        "<<: [[]]\n", "x.yaml:1:6: error: the list of a `<<` holds mappings, not lists\n");
    expect_refused("a: &a [1]\n<<: *a\n",
        "x.yaml:2:5: error: `<<` takes aliases of mappings, and this is not one\n");
    expect_refused("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n",
        "x.yaml:4:3: error: `<<` appears twice in this mapping: write it once, with a list\n");
}

static void keys_that_appear_twice_are_all_reported(void **state)
{
    (void)state;
    expect_refused("a: 1\nb:\n  c: 1\n  d: 2\n  \"c\": 3\na: 2\na: 3\n",
        "x.yaml:5:3: error: the key `c` appears twice in this mapping, first on line 3\n"
        "x.yaml:6:1: error: the key `a` appears twice in this mapping, first on line 1\n"
        "x.yaml:7:1: error: the key `a` appears twice in this mapping, first on line 1\n");
    char text[4096];
    size_t length = 0;
    for (uint32_t i = 0; i < 200; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "k%u: 1\n", i);
    }
    snprintf(text + length, sizeof text - length, "k42: 2\n");
    expect_refused(text,
        "x.yaml:201:1: error: the key `k42` appears twice in this mapping, first on line 43\n");
}

static void keys_are_short_texts(void **state)
{
    (void)state;
    expect_refused("? [a]\n: 1\n", "x.yaml:1:3: error: a key must be a text, but this is a list\n");
    expect_refused(
        "{{a: 1}: 1}\n", "x.yaml:1:2: error: a key must be a text, but this is a mapping\n");
    expect_refused("\"a\\nb\": 1\n",
        "x.yaml:1:1: error: a key cannot contain line breaks or control characters\n");
    char text[400];
    memset(text, 'a', sizeof text);
    memcpy(text + KNI_DOCUMENT_KEY_MAX + 1, ": 1", 4);
    expect_refused(text, "x.yaml:1:1: error: this key has 256 bytes; a key has at most 255\n");
    kni_document *document = parse(text + 1);
    assert_int_equal(kni_node_count(kni_document_root(document)), 1);
    kni_document_destroy(document);
    document = parse("{\"\": 1, \"a b\": 2, 5: 3}");
    expect_text(kni_node_get(kni_document_root(document), ""), "1", false);
    expect_text(kni_node_get(kni_document_root(document), "a b"), "2", false);
    expect_text(kni_node_get(kni_document_root(document), "5"), "3", false);
    kni_document_destroy(document);
}

static void tags_and_second_documents_are_refused(void **state)
{
    (void)state;
    expect_refused(
        "a: !foo 1\n", "x.yaml:1:4: error: tags such as `!foo` are not used here: remove it\n");
    expect_refused("a: !foo {b: 1}\n",
        "x.yaml:1:4: error: tags such as `!foo` are not used here: remove it\n");
    expect_refused(
        "- ! [1]\n", "x.yaml:1:3: error: tags such as `!` are not used here: remove it\n");
    expect_refused("a: !!python/object x\n",
        "x.yaml:1:4: error: tags such as `tag:yaml.org,2002:python/object` are not used here: "
        "remove it\n");
    expect_refused("a: 1\n---\nb: 2\n",
        "x.yaml:2:1: error: a second document begins here: a file can hold only one\n");
    expect_refused("---\n---\n",
        "x.yaml:2:1: error: a second document begins here: a file can hold only one\n");
}

// What libyaml says, in plain words.
static void errors_of_the_parser_are_sentences(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a:\n\tb: 1\n", "2:1: error: a tab cannot indent: use spaces"},
        {"a: |\n\tb\n", "2:1: error: a tab cannot indent: use spaces"},
        {"a: @b\n", "1:4: error: a value cannot begin with `@`: put it in quotes"},
        {"\xef\xbb\xbf\xc3\xa4: %b\n",
            "1:4: error: a value cannot begin with `%`: put it in quotes"},
        {"a: b: c\n", "1:5: error: a `:` is not allowed here: check the indentation, or put the "
                      "text in quotes"},
        {"a: - b\n", "1:4: error: a list item `-` is not allowed here: check the indentation"},
        {"a: ? b\n", "1:4: error: a key is not allowed here: check the indentation"},
        {"a: 1\nb\nc: 2\n", "2:1: error: a `:` is missing after this key; a key takes one line and "
                            "at most 1024 characters"},
        {"a: \"b\nc: 1\n", "1:4: error: the quote that begins here is never closed"},
        {"a: 'b\n--- c\n", "1:4: error: the quote that begins here is not closed before the end of "
                           "the document"},
        {"a: \"b\\q\"\n", "1:6: error: this escape is unknown: in double quotes write \\\\ for a "
                          "backslash"},
        {"\"\\u12\"", "1:4: error: this escape lacks hexadecimal digits"},
        {"a: &\n", "1:4: error: this is not a name for an anchor or alias: put text that begins "
                   "with `&` or `*` in quotes"},
        {"a: *\n", "1:4: error: this is not a name for an anchor or alias: put text that begins "
                   "with `&` or `*` in quotes"},
        {"a: |x\n", "1:5: error: only a comment can follow here: begin a new line"},
        {"a:\n    b: 1\n  c: 2\n",
            "3:3: error: this line does not belong to the mapping above: check the "
            "indentation and the quotes"},
        {"- 1\nb: 2\n", "2:1: error: this line does not belong to the list above: check the "
                        "indentation"},
        {"a: [1 2\nb: 3\n", "2:2: error: a `,` or `]` is missing here"},
        {"a: [1, 2\n", "1:4: error: the list that begins here is never closed"},
        {"{\"a\": 1 \"b\": 2}", "1:12: error: a `,` or `}` is missing here"},
        {"\n {\"a\": [1], ", "2:13: error: a value is missing here"},
        {"[1] 2", "1:5: error: this does not belong to what comes before: check the indentation"},
        {"  a: 1\n b: 2\n",
            "2:2: error: this does not belong to what comes before: check the indentation"},
        {"a: !x!y 1", "1:4: error: tags are not used here: remove it"},
        {"[1, }", "1:5: error: a value is missing here"},
        {"%FOO\n---\n", "1:5: error: while scanning a directive, found unknown directive name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "x.yaml:%s\n", cases[i][1]);
        expect_refused(cases[i][0], expected);
    }
}

static void bytes_are_checked(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a: \xc3\xa4\nb: \xc3\xa4\xff", "2:5: error: the byte 0xFF is not UTF-8: save the file as "
                                         "UTF-8"},
        {"a: \xc0\x80", "1:4: error: the byte 0xC0 is not UTF-8: save the file as UTF-8"},
        {"a: \xed\xa0\x80", "1:4: error: the byte 0xED is not UTF-8: save the file as UTF-8"},
        {"a: \xf4\x90\x80\x80", "1:4: error: the byte 0xF4 is not UTF-8: save the file as UTF-8"},
        {"a: \xe2\x82", "1:4: error: the byte 0xE2 is not UTF-8: save the file as UTF-8"},
        {"a: \xe0\x9f\xbf", "1:4: error: the byte 0xE0 is not UTF-8: save the file as UTF-8"},
        {"\r\n\ra: \x80", "3:4: error: the byte 0x80 is not UTF-8: save the file as UTF-8"},
        {"a: b\ad", "1:5: error: the character U+0007 is not allowed in a data file; write it as "
                    "`\"\\u0007\"`"},
        {"a\xe2\x80\xa8", "1:2: error: the character U+2028 is not allowed in a data file; write "
                          "it as `\"\\u2028\"`"},
        {"\xef\xbb\xbf\xef\xbb\xbf", "1:1: error: the character U+FEFF is not allowed in a data "
                                     "file; write it as `\"\\uFEFF\"`"},
        {"\xff\xfex", "1:1: error: the file is UTF-16: save it as UTF-8"},
        {"\"\\0\"", "1:1: error: a text cannot contain the character \\0"},
        {"[\"\\u0000\"]", "1:2: error: a text cannot contain the character \\0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "x.yaml:%s\n", cases[i][1]);
        expect_refused(cases[i][0], expected);
    }
    kni_document_def def = def_of("a: 1\n b\0", 8);
    expect_refused_with(
        &def, "x.yaml:2:3: error: a zero byte: this is not a text file, or not UTF-8\n");
}

static void line_ends_and_marks_do_not_matter(void **state)
{
    (void)state;
    kni_document *document =
        parse("\xef\xbb\xbf"
              "a: 1\r\nb: |\r\n  x\r\n  y\r\nc: \xc3\xa4\xc3\xb6 # note\r\nd: {e: 2}\r\n");
    expect_place(kni_node_key_place(at(document, "a")), 1, 1);
    expect_text(at(document, "b"), "x\ny\n", true);
    expect_text(at(document, "c"), "\xc3\xa4\xc3\xb6", false);
    expect_place(kni_node_place(at(document, "d.e")), 6, 8);
    kni_document_destroy(document);
}

static void json_is_read_as_it_is(void **state)
{
    (void)state;
    kni_document *document =
        parse("{\n\t\"name\":\"Fire\\/ball\",\n"
              "\t\"list\":[1,-2.5e3,true,null,\"\"],\n"
              "\t\"empty\":{},\"none\":[],\n"
              "\t\"text\":\"\\u00e4\\ud83d\\ude00\\n\\\"\\\\ud83d\\\\ude00\" , \"next\" : 1\n}\n");
    expect_text(at(document, "name"), "Fire/ball", true);
    assert_int_equal(kni_node_count(at(document, "list")), 5);
    assert_int_equal(kni_node_kind_of(at(document, "empty")), KNI_NODE_MAPPING);
    assert_int_equal(kni_node_kind_of(at(document, "none")), KNI_NODE_SEQUENCE);
    expect_text(at(document, "text"), "\xc3\xa4\xf0\x9f\x98\x80\n\"\\ud83d\\ude00", true);
    expect_place(kni_node_key_place(at(document, "next")), 5, 50);
    kni_document_destroy(document);
}

static void halves_of_characters_belong_together(void **state)
{
    (void)state;
    kni_document *document =
        parse("# \\ud83d\\ude00\na: \"\\uD83D\\uDE00x\\udbff\\udfff\" # \\ud83d\\ude00\n"
              "b: \"\\ud800\\udc00\"\n");
    expect_text(at(document, "a"), "\xf0\x9f\x98\x80x\xf4\x8f\xbf\xbf", true);
    expect_text(at(document, "b"), "\xf0\x90\x80\x80", true);
    kni_document_destroy(document);
    static const char *const halves[] = {"\"\\ud83d\"", "\"\\ud83d\\ud83d\"", "\"\\ude00\\ud83d\"",
        "\"\\ud83dx\\ude00\"", "\"\\ud83d\\\\ude00\""};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        kni_document_def def = def_of(halves[i], strlen(halves[i]));
        expect_refused_with(&def, "x.yaml:1:4: error: this escape is not a character; one half of "
                                  "a surrogate pair must be followed by the other\n");
    }
    expect_refused("a: \\ud83d\\ude00\n",
        "x.yaml:1:4: error: escapes such as \\ud83d\\ude00 have a "
        "meaning in double quotes only\n");
    expect_refused(
        "\"\\ud83d\\ude00\\0\"", "x.yaml:1:1: error: a text cannot contain the character \\0\n");
}

static char *nested(uint32_t depth, char **end)
{
    char *text = malloc(2 * (size_t)depth + 1);
    assert_non_null(text);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * (size_t)depth] = '\0';
    *end = text + 2 * (size_t)depth;
    return text;
}

static void depth_is_limited(void **state)
{
    (void)state;
    char *end;
    char *text = nested(64, &end);
    kni_document_destroy(parse(text));
    free(text);
    text = nested(65, &end);
    expect_refused(
        text, "x.yaml:1:65: error: mappings and lists are nested more than 64 levels deep\n");
    free(text);

    text = nested(900, &end);
    kni_document_def def = def_of(text, (size_t)(end - text));
    def.depth_limit = UINT32_MAX;
    kni_document_destroy(parse_with(&def));
    free(text);
    text = nested(100000, &end);
    def = def_of(text, (size_t)(end - text));
    def.depth_limit = UINT32_MAX;
    expect_refused_with(
        &def, "x.yaml:1:901: error: mappings and lists are nested more than 900 levels deep\n");
    free(text);
}

static void depth_is_limited_through_aliases(void **state)
{
    (void)state;
    char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "a0: &a0 [x]\n");
    for (uint32_t i = 1; i < 64; i++) {
        length += (size_t)snprintf(
            text + length, sizeof text - length, "a%u: &a%u [*a%u]\n", i, i, i - 1);
    }
    expect_refused(
        text, "x.yaml:64:12: error: mappings and lists are nested more than 64 levels deep\n");
    // A merge brings in what is 62 deep, and may be used 2 deep.
    char *end;
    char *lists = nested(62, &end);
    snprintf(text, sizeof text, "d: &d {k: %s}\ne: {<<: *d}\n", lists);
    kni_document_destroy(parse(text));
    snprintf(text, sizeof text, "d: &d {k: %s}\ne: [{<<: *d}]\n", lists);
    expect_refused(
        text, "x.yaml:2:5: error: mappings and lists are nested more than 64 levels deep\n");
    free(lists);
}

static void bombs_of_aliases_are_refused(void **state)
{
    (void)state;
    char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (uint32_t i = 1; i < 12; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "a%u: &a%u [", i, i);
        for (uint32_t k = 0; k < 10; k++) {
            length += (size_t)snprintf(
                text + length, sizeof text - length, "%s*a%u", k > 0 ? ", " : "", i - 1);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "]\n");
    }
    expect_refused(text, "x.yaml:6:45: error: the document has more than 1000000 values, those of "
                         "aliases included\n");
}

// A list that merges the same large mapping again and again adds nothing, but takes time.
static void bombs_of_merges_are_refused(void **state)
{
    (void)state;
    size_t room = 4000000;
    char *text = malloc(room);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, room, "a: &a\n");
    for (uint32_t i = 0; i < 20000; i++) {
        length += (size_t)snprintf(text + length, room - length, "  k%u: 1\n", i);
    }
    length += (size_t)snprintf(text + length, room - length, "b:\n  <<: [*a");
    for (uint32_t i = 0; i < 200000; i++) {
        length += (size_t)snprintf(text + length, room - length, ", *a");
    }
    length += (size_t)snprintf(text + length, room - length, "]\n");
    kni_document_def def = def_of(text, length);
    expect_refused_with(&def, "x.yaml:20003:3: error: `<<` brings in more than 1000000 values\n");
    free(text);
}

static void sizes_are_limited(void **state)
{
    (void)state;
    kni_document_def def = def_of("[a, b, c]", 9);
    def.node_limit = 4;
    kni_document_destroy(parse_with(&def));
    def.node_limit = 3;
    expect_refused_with(&def, "x.yaml:1:8: error: the document has more than 3 values, those of "
                              "aliases included\n");
    def.node_limit = 0;
    expect_refused_with(&def, "x.yaml:1:1: error: the document has more than 0 values, those of "
                              "aliases included\n");
    def = def_of("[a, b, c]", 9);
    def.size_limit = 8;
    expect_refused_with(&def, "x.yaml: error: the file has 9 bytes; 8 are allowed\n");
}

static void keys_are_found_among_many(void **state)
{
    (void)state;
    size_t room = 400000;
    char *text = malloc(room);
    assert_non_null(text);
    size_t length = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        length += (size_t)snprintf(text + length, room - length, "key%u: {v: %u}\n", i, i);
    }
    kni_document_def def = def_of(text, length);
    kni_document *document = parse_with(&def);
    free(text); // the document has its own copy
    for (uint32_t i = 0; i < 10001; i++) {
        char key[32], number[16];
        snprintf(key, sizeof key, "key%u", i);
        snprintf(number, sizeof number, "%u", i);
        kni_node found = kni_node_get(kni_document_root(document), key);
        assert_int_equal(kni_node_exists(found), i < 10000);
        if (i < 10000) {
            expect_text(kni_node_get(found, "v"), number, false);
        }
    }
    kni_document_destroy(document);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    static const char text[] =
        "a: &a {x: 1, y: 2, z: 3, k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, k6: 6, k7: 7, k8: 8, k9: 9}\n"
        "b: &b [1, 2, {<<: *a, w: \"\\ud83d\\ude00\"}]\nc: *b\n"
        "d: [&c1 1, &c2 2, &c3 3, &c4 4, &c5 5, &c6 6, &c7 7, &c8 8, &c9 9]\n";
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        kni_document_def def = def_of(text, sizeof text - 1);
        def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &memory};
        kni_report *report = new_report();
        kni_document *document;
        kn_result result = kni_document_parse(&def, report, &document);
        assert_int_equal(kni_report_count(report), 0);
        kni_report_destroy(report);
        bool is_done = result == KN_OK;
        if (is_done) {
            assert_int_equal(kni_node_count(at(document, "c")), 3);
        } else {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(document);
        }
        kni_document_destroy(document);
        assert_int_equal(memory.blocks, 0);
        if (is_done) {
            assert_true(fail_at > 8);
            return;
        }
    }
}

static void files_are_read_whole(void **state)
{
    (void)state;
    static const char path[] = "test_document.tmp";
    size_t size = 100000;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)(i % 251);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);

    kni_report *report = new_report();
    kni_document_def def = kni_document_def_default();
    kni_buffer buffer;
    def.size_limit = size;
    assert_int_equal(kni_document_read_file(path, &def, report, &buffer), KN_OK);
    assert_int_equal(buffer.size, size);
    assert_memory_equal(buffer.data, text, size);
    kni_buffer_free(&buffer);
    def.size_limit = size - 1;
    assert_int_equal(kni_document_read_file(path, &def, report, &buffer), KN_ERROR_BAD_DATA);
    assert_null(buffer.data);
    assert_string_equal(
        kni_report_at(report, 0).message, "the file is too large: 99999 bytes are allowed");
    for (uint64_t fail_at = 1; fail_at < 3; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        def = kni_document_def_default();
        def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &memory};
        assert_int_equal(
            kni_document_read_file(path, &def, report, &buffer), KN_ERROR_OUT_OF_MEMORY);
        assert_int_equal(memory.blocks, 0);
    }
    kni_report_destroy(report);
    remove(path);
    free(text);
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    kni_report *report = new_report();
    kni_document_def def = kni_document_def_default();
    kni_buffer buffer;
    assert_int_equal(kni_document_read_file("no-such.yaml", &def, report, &buffer), KN_ERROR_IO);
    assert_null(buffer.data);
    assert_int_equal(kni_document_read_file(".", &def, report, &buffer), KN_ERROR_IO);
    char messages[256];
    kni_report_print_all(report, messages, sizeof messages);
    assert_string_equal(messages, ".: error: this is a directory, not a file\n"
                                  "no-such.yaml: error: there is no such file\n");
    kni_report_destroy(report);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tree_has_order_and_places),
    cmocka_unit_test(no_node_answers_neutrally),
    cmocka_unit_test(an_empty_file_is_null),
    cmocka_unit_test(nothing_is_guessed),
    cmocka_unit_test(values_are_read_as_the_type_asked_for),
    cmocka_unit_test(other_kinds_of_nodes_are_refused_with_their_place),
    cmocka_unit_test(aliases_are_expanded),
    cmocka_unit_test(merge_keys_bring_in_what_is_not_there),
    cmocka_unit_test(merges_reach_through_large_mappings),
    cmocka_unit_test(a_long_chain_of_merges_stays_small),
    cmocka_unit_test(bad_aliases_and_merges_are_refused),
    cmocka_unit_test(keys_that_appear_twice_are_all_reported),
    cmocka_unit_test(keys_are_short_texts),
    cmocka_unit_test(tags_and_second_documents_are_refused),
    cmocka_unit_test(errors_of_the_parser_are_sentences),
    cmocka_unit_test(bytes_are_checked),
    cmocka_unit_test(line_ends_and_marks_do_not_matter),
    cmocka_unit_test(json_is_read_as_it_is),
    cmocka_unit_test(halves_of_characters_belong_together),
    cmocka_unit_test(depth_is_limited),
    cmocka_unit_test(depth_is_limited_through_aliases),
    cmocka_unit_test(bombs_of_aliases_are_refused),
    cmocka_unit_test(bombs_of_merges_are_refused),
    cmocka_unit_test(sizes_are_limited),
    cmocka_unit_test(keys_are_found_among_many),
    cmocka_unit_test(running_out_of_memory_is_an_error),
    cmocka_unit_test(files_are_read_whole),
    cmocka_unit_test(files_that_cannot_be_read_say_why),
};

TEST_GROUP(test_document, tests, NULL, NULL);
