// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema says of data files what the loader says; documents made at random from it are
// never of a shape the loader refuses.

#define _POSIX_C_SOURCE 200809L

#include "data/shapes.h"
#include "schema_validator.h"

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
    examples_validate(*state, KNACK_DOCS "/data.md", "", 8);
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

// Sentences about the shape of a document, which a valid one never brings.
static bool is_about_shape(const char *message)
{
    return strncmp(message, "expected ", 9) == 0 || strstr(message, "there is no field") != NULL ||
           strstr(message, "there is no section") != NULL ||
           strstr(message, "is no value of") != NULL || strstr(message, "tags are a list") != NULL;
}

// What the strings of random documents are made of.
static const char *const words[] = {"A", "B", "Set.A", "Some.A", "any", "Zed", "$A", "level",
    "source.Set.A", "250ms", "any_tags(Some.A)", "forever"};
#define WORDS (sizeof(words) / sizeof(*words))

static void random_valid_documents_fail_for_what_they_say_only(void **state)
{
    static char text[256 * 1024];
    uint32_t built = 0;
    for (uint32_t i = 0; i < 1500; i++) {
        writer w = {{text, sizeof(text), 0}, i * 2654435761u, words, WORDS};
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

static void fields_are_explained_by_the_name_of_table_and_field(void **state)
{
    (void)state;
    assert_non_null(strstr(kn_data_field_text("kn_effect_def", "duration"), "Seconds"));
    assert_null(kn_data_field_text("kn_effect_def", "nothing"));
    assert_null(kn_data_field_text("nothing", "duration"));
}

static void words_are_explained(const char *table, const kn_def_field *field, const char *help)
{
    for (uint32_t i = 0; field->names != NULL && i < field->limit; i++) {
        char line[64];
        (void)snprintf(line, sizeof(line), "\n`%s`: ", field->names[i]);
        bool is_nothing = strcmp(table, "kn_field") == 0 && i == 0; // no kind at all
        if (strstr(help, line) == NULL && !is_nothing) {
            fail_msg(
                "the help of %s.%s does not explain `%s`", table, field->name, field->names[i]);
        }
    }
}

static void table_is_explained(const kn_def_table *table, uint32_t depth)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (!kni_field_is_written(field)) {
            continue;
        }
        const char *help = kn_data_field_text(table->name, field->name);
        check_plain(field->name, help);
        words_are_explained(table->name, field, help);
        if (field->table != NULL && depth < 8) {
            table_is_explained(field->table, depth + 1);
        }
    }
}

static void every_key_and_word_has_help_without_names_of_c(void **state)
{
    check_help(kni_document_root(*state), false);
    for (uint32_t kind = 0; kind < KN_DEF_KIND_COUNT; kind++) {
        const kn_def_table *table = kn_def_table_of((kn_def_kind)kind);
        if (table != NULL) {
            table_is_explained(table, 0);
        }
    }
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
    writer w = {.text = {edited, sizeof(edited), 0}};
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
    check_edits(user, text, 3 / SHARE(3));
}

// A valid document with one edit: what the loader says of its shape, the schema says too, and what
// loads is valid.
static void loader_and_schema_agree_on_documents_with_one_edit(void **state)
{
    edit_test test = {.schema = *state, .random = {.seed = 11}};
    each_field_case(check_case_edits, &test);
    static char text[256 * 1024];
    for (uint32_t i = 0; i < 300 / SHARE(3); i++) {
        writer w = {{text, sizeof(text), 0}, i * 2654435761u, words, WORDS};
        kni_node sections = kni_node_get(kni_document_root(*state), "properties");
        kni_node section = child_at(sections, i % kni_node_count(sections));
        case_put(&w.text, "%s: ", kni_node_key(section));
        write_random(&w, section, kni_node_key(section), 0);
        case_put(&w.text, "\n");
        check_edits(&test, text, 2);
    }
    assert_true(test.count > 2000 / SHARE(3) && test.refused > 500 / SHARE(3) &&
                test.built > 200 / SHARE(3));
}

static int setup(void **state)
{
    *state = schema_document(kn_data_write_schema);
    return 0;
}

static int teardown(void **state)
{
    kni_document_destroy(*state);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(documents_of_every_field_validate),
    cmocka_unit_test(the_examples_of_the_manual_validate),
    cmocka_unit_test(what_is_written_validates),
    cmocka_unit_test(the_loader_and_the_schema_refuse_alike),
    cmocka_unit_test(fields_are_explained_by_the_name_of_table_and_field),
    cmocka_unit_test(every_key_and_word_has_help_without_names_of_c),
    cmocka_unit_test(random_valid_documents_fail_for_what_they_say_only),
    cmocka_unit_test(loader_and_schema_agree_on_documents_with_one_edit),
};

TEST_GROUP(test_data_schema, tests, setup, teardown);
