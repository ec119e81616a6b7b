// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "data/csv.h"

#include "test_memory.h"

#include <float.h>

static kn_result parse_with(kni_csv_def *def, const char *text, kni_report *report, kni_csv **csv)
{
    def->text = text;
    def->size = strlen(text);
    def->file = "table.csv";
    return kni_csv_parse(def, report, csv);
}

static kni_csv *parse(const char *text)
{
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    kni_csv_def def = kni_csv_def_default();
    kni_csv *csv;
    kn_result result = parse_with(&def, text, report, &csv);
    if (result != KN_OK) {
        char messages[1024];
        kni_report_print_all(report, messages, sizeof messages);
        fail_msg("%s", messages);
    }
    assert_int_equal(kni_report_count(report), 0);
    kni_report_destroy(report);
    return csv;
}

static void expect_refused_with(kni_csv_def *def, const char *text, const char *expected)
{
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    kni_csv *csv;
    assert_int_equal(parse_with(def, text, report, &csv), KN_ERROR_BAD_DATA);
    assert_null(csv);
    char messages[1024];
    kni_report_print_all(report, messages, sizeof messages);
    assert_string_equal(messages, expected);
    kni_report_destroy(report);
}

static void expect_refused(const char *text, const char *expected)
{
    kni_csv_def def = kni_csv_def_default();
    expect_refused_with(&def, text, expected);
}

static void expect_cell(
    const kni_csv *csv, uint32_t row, uint32_t column, const char *text, uint32_t line, uint32_t at)
{
    kni_scalar cell = kni_csv_cell(csv, row, column);
    assert_string_equal(cell.text, text);
    assert_int_equal(cell.length, strlen(text));
    assert_false(cell.quoted);
    assert_string_equal(cell.place.file, "table.csv");
    assert_int_equal(cell.place.line, line);
    assert_int_equal(cell.place.column, at);
}

static void cells_have_text_and_place(void **state)
{
    (void)state;
    kni_csv *csv = parse("name,cost\nFireball, 12.5 \n,3\n");
    assert_int_equal(kni_csv_separator(csv), ',');
    assert_int_equal(kni_csv_row_count(csv), 3);
    assert_int_equal(kni_csv_column_count(csv), 2);
    expect_cell(csv, 0, 0, "name", 1, 1);
    expect_cell(csv, 0, 1, "cost", 1, 6);
    expect_cell(csv, 1, 0, "Fireball", 2, 1);
    expect_cell(csv, 1, 1, "12.5", 2, 11);
    expect_cell(csv, 2, 0, "", 3, 1);
    expect_cell(csv, 2, 1, "3", 3, 2);
    expect_cell(csv, 3, 0, "", 0, 0);
    expect_cell(csv, 0, 2, "", 0, 0);
    kni_scalar empty = kni_csv_cell(csv, 2, 0), cost = kni_csv_cell(csv, 1, 1);
    float value;
    assert_true(kni_scalar_is_null(&empty));
    assert_int_equal(kni_scalar_f32(&cost, 0.0f, FLT_MAX, &value, NULL), KN_OK);
    assert_true(value == 12.5f);
    kni_csv_destroy(csv);
    kni_csv_destroy(NULL);
}

static void quoted_cells_hold_anything(void **state)
{
    (void)state;
    kni_csv *csv =
        parse("a,\"b \"\"c\"\", d\" , \"line one\r\nline two\",e\n\"\",\"\"\"\",3,\xc3\xa4\n");
    assert_int_equal(kni_csv_row_count(csv), 2);
    expect_cell(csv, 0, 1, "b \"c\", d", 1, 3);
    expect_cell(csv, 0, 2, "line one\nline two", 1, 18);
    expect_cell(csv, 0, 3, "e", 2, 11);
    expect_cell(csv, 1, 0, "", 3, 1);
    expect_cell(csv, 1, 1, "\"", 3, 4);
    expect_cell(csv, 1, 3, "\xc3\xa4", 3, 11);
    kni_csv_destroy(csv);
}

static void the_separator_is_found_in_the_first_row(void **state)
{
    (void)state;
    kni_csv *csv = parse("a;b,c;d\n1;2;3");
    assert_int_equal(kni_csv_separator(csv), ';');
    expect_cell(csv, 0, 1, "b,c", 1, 3);
    expect_cell(csv, 1, 2, "3", 2, 5);
    kni_csv_destroy(csv);
    csv = parse("\n\n\"a,b,c,\"\tb\n1\t\n");
    assert_int_equal(kni_csv_separator(csv), '\t');
    assert_int_equal(kni_csv_row_count(csv), 2);
    expect_cell(csv, 1, 1, "", 4, 3);
    kni_csv_destroy(csv);
    csv = parse("only\none\n");
    assert_int_equal(kni_csv_separator(csv), ',');
    assert_int_equal(kni_csv_column_count(csv), 1);
    kni_csv_destroy(csv);

    kni_csv_def def = kni_csv_def_default();
    def.separator = ',';
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    assert_int_equal(parse_with(&def, "a;b;c\n", report, &csv), KN_OK);
    assert_int_equal(kni_csv_column_count(csv), 1);
    expect_cell(csv, 0, 0, "a;b;c", 1, 1);
    kni_csv_destroy(csv);
    kni_report_destroy(report);
}

static void line_ends_marks_and_empty_lines_do_not_matter(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x,y\n1,2", "x,y\r\n1,2\r\n", "x,y\r1,2\r", "\xef\xbb\xbfx,y\n1,2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kni_csv *csv = parse(texts[i]);
        assert_int_equal(kni_csv_row_count(csv), 2);
        expect_cell(csv, 0, 0, "x", 1, 1);
        expect_cell(csv, 1, 1, "2", 2, 3);
        kni_csv_destroy(csv);
    }
    kni_csv *csv = parse("\r\na,b\n\n   \n1,2\n\n");
    assert_int_equal(kni_csv_row_count(csv), 2);
    expect_cell(csv, 1, 0, "1", 5, 1);
    kni_csv_destroy(csv);
    csv = parse("");
    assert_int_equal(kni_csv_row_count(csv), 0);
    assert_int_equal(kni_csv_column_count(csv), 0);
    expect_cell(csv, 0, 0, "", 0, 0);
    kni_csv_destroy(csv);
}

static void rows_of_another_length_are_all_reported(void **state)
{
    (void)state;
    expect_refused("a,b,c\n1,2\n1,2,3\n1,2,3,4\n",
        "table.csv:2:4: error: this row has 2 cells, but the first row has 3\n"
        "table.csv:4:7: error: this row has 4 cells, but the first row has 3\n");
}

static void bad_quotes_are_refused(void **state)
{
    (void)state;
    expect_refused(
        "a,b\n1,\"x\n2,3\n", "table.csv:2:3: error: the quote that begins here is never closed\n");
    expect_refused("a,b\n1,\"x\"y\n", "table.csv:2:6: error: text after a closing quote: double "
                                      "the quotes that belong to the cell\n");
    expect_refused("a,b\n1,5\" gun\n", "table.csv:2:4: error: a quote inside a cell: put the whole "
                                       "cell in quotes and double this one\n");
}

static void bad_bytes_are_refused(void **state)
{
    (void)state;
    expect_refused("a,b\n\xc3\xa4,\xff\n",
        "table.csv:2:3: error: the byte 0xFF is not UTF-8: save the file as UTF-8\n");
    expect_refused("\xff\xfe"
                   "a",
        "table.csv:1:1: error: the file is UTF-16: save it as UTF-8\n");
    kni_csv_def def = kni_csv_def_default();
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    def.text = "a\0b";
    def.size = 3;
    kni_csv *csv;
    assert_int_equal(kni_csv_parse(&def, report, &csv), KN_ERROR_BAD_DATA);
    assert_string_equal(
        kni_report_at(report, 0).message, "a zero byte: this is not a text file, or not UTF-8");
    kni_report_destroy(report);
}

static void limits_are_kept(void **state)
{
    (void)state;
    kni_csv_def def = kni_csv_def_default();
    def.cell_limit = 3;
    expect_refused_with(
        &def, "a,b\n1,2\n", "table.csv:2:3: error: the table has more than 3 cells\n");
    def = kni_csv_def_default();
    def.size_limit = 4;
    expect_refused_with(
        &def, "a,b\n1\n", "table.csv: error: the file has 6 bytes; 4 are allowed\n");
}

static void a_decimal_comma_is_refused_with_a_hint(void **state)
{
    (void)state;
    kni_csv *csv = parse("name;cost\nFireball;12,5\n");
    kni_scalar cost = kni_csv_cell(csv, 1, 1);
    float value;
    kn_error error;
    assert_int_equal(kni_scalar_f32(&cost, 0.0f, 100.0f, &value, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 10);
    assert_string_equal(error.message, "expected a number from 0 to 100, not `12,5`: write a "
                                       "decimal point instead of the comma");
    kni_csv_destroy(csv);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        kni_csv_def def = kni_csv_def_default();
        def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &memory};
        kni_report *report;
        assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
        kni_csv *csv;
        kn_result result =
            parse_with(&def, "name,cost\nFireball,\"12\n\"\na,b\nc,d\ne,f\n", report, &csv);
        assert_int_equal(kni_report_count(report), 0);
        kni_report_destroy(report);
        bool is_done = result == KN_OK;
        if (is_done) {
            expect_cell(csv, 1, 1, "12\n", 2, 10);
        } else {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(csv);
        }
        kni_csv_destroy(csv);
        assert_int_equal(memory.blocks, 0);
        if (is_done) {
            assert_true(fail_at > 3);
            return;
        }
    }
}

// Cells of random text, quoted where they need it, come back as they were.
static void random_tables_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 300; round++) {
        static const char alphabet[] = "ab,;\t\"\n 1";
        char cells[12][8] = {{0}};
        char text[512];
        size_t length = 0;
        char separator = ",;\t"[round % 3];
        for (uint32_t i = 0; i < 12; i++) {
            uint32_t size = test_below(&seed, 7);
            text[length++] = '"';
            for (uint32_t k = 0; k < size; k++) {
                char c = alphabet[test_below(&seed, sizeof alphabet - 1)];
                cells[i][k] = c;
                text[length++] = c;
                if (c == '"') {
                    text[length++] = c;
                }
            }
            text[length++] = '"';
            text[length++] = i % 4 == 3 ? '\n' : separator;
        }
        text[length] = '\0';
        kni_csv_def def = kni_csv_def_default();
        def.separator = separator;
        kni_report *report;
        kni_csv *csv;
        assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
        assert_int_equal(parse_with(&def, text, report, &csv), KN_OK);
        assert_int_equal(kni_csv_row_count(csv), 3);
        assert_int_equal(kni_csv_column_count(csv), 4);
        for (uint32_t i = 0; i < 12; i++) {
            assert_string_equal(kni_csv_cell(csv, i / 4, i % 4).text, cells[i]);
        }
        kni_csv_destroy(csv);
        kni_report_destroy(report);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cells_have_text_and_place),
    cmocka_unit_test(quoted_cells_hold_anything),
    cmocka_unit_test(the_separator_is_found_in_the_first_row),
    cmocka_unit_test(line_ends_marks_and_empty_lines_do_not_matter),
    cmocka_unit_test(rows_of_another_length_are_all_reported),
    cmocka_unit_test(bad_quotes_are_refused),
    cmocka_unit_test(bad_bytes_are_refused),
    cmocka_unit_test(limits_are_kept),
    cmocka_unit_test(a_decimal_comma_is_refused_with_a_hint),
    cmocka_unit_test(running_out_of_memory_is_an_error),
    cmocka_unit_test(random_tables_read_back),
};

TEST_GROUP(test_csv, tests, NULL, NULL);
