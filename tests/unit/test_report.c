// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "data/report.h"

#include "test_memory.h"

static kni_report *new_report(uint32_t limit)
{
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, limit, &report), KN_OK);
    return report;
}

static void add(kni_report *report, kni_severity severity, const char *file, uint32_t line,
    uint32_t column, const char *message)
{
    kni_place place = {file, line, column};
    kni_report_add(report, severity, &place, "%s", message);
}

static void expect_all(const kni_report *report, const char *expected)
{
    char text[4096];
    uint32_t length = kni_report_print_all(report, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void messages_come_in_the_order_of_the_files(void **state)
{
    (void)state;
    kni_report *report = new_report(0);
    add(report, KNI_SEVERITY_ERROR, "b.yaml", 2, 1, "fourth");
    add(report, KNI_SEVERITY_WARNING, "a.yaml", 10, 2, "third");
    add(report, KNI_SEVERITY_ERROR, "a.yaml", 9, 7, "second");
    add(report, KNI_SEVERITY_ERROR, "a.yaml", 9, 3, "first");
    add(report, KNI_SEVERITY_ERROR, "b.yaml", 2, 1, "fifth, of the same place");
    add(report, KNI_SEVERITY_ERROR, "b.yaml", 0, 0, "about the whole file");
    add(report, KNI_SEVERITY_ERROR, NULL, 0, 0, "about everything");
    expect_all(report, "error: about everything\n"
                       "a.yaml:9:3: error: first\n"
                       "a.yaml:9:7: error: second\n"
                       "a.yaml:10:2: warning: third\n"
                       "b.yaml: error: about the whole file\n"
                       "b.yaml:2:1: error: fourth\n"
                       "b.yaml:2:1: error: fifth, of the same place\n");
    assert_int_equal(kni_report_count(report), 7);
    kni_diagnostic second = kni_report_at(report, 2);
    assert_int_equal(second.severity, KNI_SEVERITY_ERROR);
    assert_string_equal(second.place.file, "a.yaml");
    assert_int_equal(second.place.line, 9);
    assert_int_equal(second.place.column, 7);
    assert_string_equal(second.message, "second");
    assert_null(kni_report_at(report, 0).place.file);
    kni_report_destroy(report);
}

static void the_result_depends_on_errors_only(void **state)
{
    (void)state;
    kni_report *report = new_report(0);
    assert_int_equal(kni_report_result(report), KN_OK);
    expect_all(report, "");
    add(report, KNI_SEVERITY_WARNING, "a", 1, 1, "odd");
    assert_int_equal(kni_report_result(report), KN_OK);
    kni_report_add(report, KNI_SEVERITY_ERROR, NULL, "bad: %u", 7u);
    assert_int_equal(kni_report_result(report), KN_ERROR_BAD_DATA);
    assert_int_equal(kni_report_error_count(report), 1);
    assert_int_equal(kni_report_warning_count(report), 1);
    expect_all(report, "error: bad: 7\na:1:1: warning: odd\n");
    kni_report_destroy(report);
    kni_report_destroy(NULL);
}

static void a_message_that_is_there_already_is_not_repeated(void **state)
{
    (void)state;
    kni_report *report = new_report(0);
    for (uint32_t i = 0; i < 3; i++) {
        add(report, KNI_SEVERITY_ERROR, "a", 1, 1, "bad");
        add(report, KNI_SEVERITY_WARNING, "a", 1, 1, "bad");
        add(report, KNI_SEVERITY_ERROR, "a", 1, 1, "worse");
        add(report, KNI_SEVERITY_ERROR, "a", 1, 2, "bad");
    }
    expect_all(report, "a:1:1: error: bad\na:1:1: warning: bad\na:1:1: error: worse\n"
                       "a:1:2: error: bad\n");
    assert_int_equal(kni_report_error_count(report), 3);
    kni_report_destroy(report);
}

static void warnings_do_not_take_the_room_of_errors(void **state)
{
    (void)state;
    kni_report *report = new_report(2);
    for (uint32_t line = 1; line <= 5; line++) {
        add(report, KNI_SEVERITY_WARNING, "a", line, 1, "odd");
    }
    expect_all(report, "a:1:1: warning: odd\na:2:1: warning: odd\nand 3 more warnings\n");
    for (uint32_t line = 1; line <= 3; line++) {
        add(report, KNI_SEVERITY_ERROR, "a", line, 2, "bad");
    }
    expect_all(report,
        "a:1:1: warning: odd\na:1:2: error: bad\na:2:1: warning: odd\na:2:2: error: bad\n"
        "and 1 more error, 3 more warnings\n");
    assert_int_equal(kni_report_count(report), 4);
    assert_int_equal(kni_report_error_count(report), 3);
    assert_int_equal(kni_report_warning_count(report), 5);
    kni_report_destroy(report);
}

static void a_hundred_errors_are_kept_by_default(void **state)
{
    (void)state;
    kni_report *report = new_report(0);
    for (uint32_t line = 150; line >= 1; line--) {
        add(report, KNI_SEVERITY_ERROR, "a", line, 1, "bad");
    }
    assert_int_equal(kni_report_count(report), 100);
    assert_int_equal(kni_report_error_count(report), 150);
    assert_int_equal(kni_report_at(report, 0).place.line, 51);
    char text[8192];
    kni_report_print_all(report, text, sizeof text);
    assert_non_null(strstr(text, "\nand 50 more errors\n"));
    kni_report_destroy(report);
}

static void printing_is_cut_to_the_buffer(void **state)
{
    (void)state;
    kni_report *report = new_report(0);
    add(report, KNI_SEVERITY_ERROR, "file", 12, 34, "sentence");
    char text[12];
    memset(text, 'x', sizeof text);
    uint32_t length = (uint32_t)strlen("file:12:34: error: sentence");
    assert_int_equal(kni_report_print(report, 0, text, 10), length);
    assert_string_equal(text, "file:12:3");
    assert_int_equal(text[10], 'x');
    assert_int_equal(kni_report_print(report, 0, NULL, 0), length);
    assert_int_equal(kni_report_print_all(report, NULL, 0), length + 1);
    assert_int_equal(kni_report_print_all(report, text, 1), length + 1);
    assert_string_equal(text, "");
    kni_report_destroy(report);
}

static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 4; before++) {
        kni_report *report = new_report(0);
        char message[2 * KNI_REPORT_MESSAGE_MAX];
        memset(message, 'a', before);
        for (uint32_t i = before; i + 4 < sizeof message; i += 4) {
            memcpy(message + i, "\xf0\x9f\x98\x80", 5);
        }
        add(report, KNI_SEVERITY_ERROR, "a", 1, 1, message);
        const char *kept = kni_report_at(report, 0).message;
        size_t length = strlen(kept);
        assert_true(length <= KNI_REPORT_MESSAGE_MAX && length > KNI_REPORT_MESSAGE_MAX - 4);
        assert_int_equal((length - before) % 4, 0);
        kni_report_destroy(report);
    }
    kni_report *report = new_report(0);
    add(report, KNI_SEVERITY_ERROR, "a", 1, 1, "\xc3\xa4");
    assert_string_equal(kni_report_at(report, 0).message, "\xc3\xa4"); // not taken for cut
    kni_report_destroy(report);
}

static void expect_suggestion(const char *word, const char *expected)
{
    static const char *const names[] = {"Status.Burning", "Status.Frozen", NULL, "Health", "Wealth",
        "Armor", "on", "Damage.Fire", "Damage.Ice"};
    const char *nearest = "unset";
    bool found = kni_report_suggest(names, sizeof names / sizeof *names, word, &nearest);
    assert_int_equal(found, expected != NULL);
    if (expected == NULL) {
        assert_null(nearest);
    } else {
        assert_string_equal(nearest, expected);
    }
}

static void the_nearest_name_is_suggested(void **state)
{
    (void)state;
    expect_suggestion("Status.Burnin", "Status.Burning");   // one missing
    expect_suggestion("Status.Burnning", "Status.Burning"); // one too many
    expect_suggestion("Status.Burming", "Status.Burning");  // one changed
    expect_suggestion("Status.Brunign", "Status.Burning");  // two swapped
    expect_suggestion("status.burning", "Status.Burning");  // other case
    expect_suggestion("Damage.fier", "Damage.Fire");
    expect_suggestion("Dealth", "Health"); // as near as Wealth, but first
    expect_suggestion("armour", "Armor");
    expect_suggestion("amr", NULL);   // two edits of three letters
    expect_suggestion("On", "on");    // no edits at all
    expect_suggestion("o", NULL);     // a third of one letter is none
    expect_suggestion("xyzzy", NULL); // nothing like it
    expect_suggestion("", NULL);
    const char *nearest = "unset";
    assert_false(kni_report_suggest(NULL, 0, "Health", &nearest));
    assert_null(nearest);
}

static void a_hint_is_the_nearest_name_or_all_of_a_few(void **state)
{
    (void)state;
    static const char *const words[] = {"join", NULL, "refuse", "restart"};
    assert_string_equal(kni_report_hint(words, 4, "restrat").text, "; did you mean `restart`?");
    assert_string_equal(
        kni_report_hint(words, 4, "xyzzy").text, "; expected one of: join, refuse, restart");
    assert_string_equal(kni_report_hint(words, 0, "xyzzy").text, "");
    const char *many[64];
    for (uint32_t i = 0; i < 64; i++) {
        many[i] = "a_word_of_some_length";
    }
    assert_string_equal(kni_report_hint(many, 64, "xyzzy").text, "");
}

static void names_too_long_to_compare_are_left_out(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'a', sizeof name);
    name[299] = '\0';
    const char *const names[] = {name, name + 44}; // 299 and 255 letters
    const char *nearest;
    assert_false(kni_report_suggest(names, 1, name, &nearest));
    assert_true(kni_report_suggest(names, 2, name + 45, &nearest));
    assert_ptr_equal(nearest, name + 44);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        kn_hooks hooks = {.realloc_fn = test_memory_realloc, .realloc_user = &memory};
        kni_report *report;
        kn_result result = kni_report_create(&hooks, 0, &report);
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(report);
            continue;
        }
        for (uint32_t line = 20; line > 0; line--) {
            add(report, KNI_SEVERITY_ERROR, "some-file.yaml", line, 1, "something is wrong");
        }
        assert_int_equal(kni_report_error_count(report), 20);
        uint32_t kept = kni_report_count(report);
        for (uint32_t i = 0; i < kept; i++) { // what is there is whole
            assert_string_equal(kni_report_at(report, i).message, "something is wrong");
            assert_true(i == 0 || kni_report_at(report, i - 1).place.line <
                                      kni_report_at(report, i).place.line);
        }
        result = kni_report_result(report);
        kni_report_destroy(report);
        assert_int_equal(memory.blocks, 0);
        if (result == KN_ERROR_BAD_DATA) {
            assert_int_equal(kept, 20);
            return;
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_true(kept < 20);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(messages_come_in_the_order_of_the_files),
    cmocka_unit_test(the_result_depends_on_errors_only),
    cmocka_unit_test(a_message_that_is_there_already_is_not_repeated),
    cmocka_unit_test(warnings_do_not_take_the_room_of_errors),
    cmocka_unit_test(a_hundred_errors_are_kept_by_default),
    cmocka_unit_test(printing_is_cut_to_the_buffer),
    cmocka_unit_test(long_messages_are_cut_between_characters),
    cmocka_unit_test(the_nearest_name_is_suggested),
    cmocka_unit_test(a_hint_is_the_nearest_name_or_all_of_a_few),
    cmocka_unit_test(names_too_long_to_compare_are_left_out),
    cmocka_unit_test(running_out_of_memory_is_an_error),
};

TEST_GROUP(test_report, tests, NULL, NULL);
