// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Running out of memory while a library is built from files: reported as that, never as a mistake
// in the data, and nothing is left behind.

#include "data_generator.h"

// Memory that is refused once `left` blocks were given out, and what is out at the moment.
typedef struct purse {
    uint32_t left;
    bool is_empty; // something was refused
    size_t bytes;
} purse;

static void *purse_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    purse *p = user;
    if (new_size > old_size && p->left == 0) {
        p->is_empty = true;
        return NULL;
    }
    p->left -= new_size > old_size;
    p->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    assert_non_null(block);
    return block;
}

// Builds with a limited number of blocks. False if they were too few.
static bool build_with(const char *text, uint32_t blocks)
{
    purse p = {.left = UINT32_MAX};
    kn_data_def def = kn_data_def_default();
    def.prepare = case_prepare;
    def.hooks.realloc_fn = purse_realloc;
    def.hooks.realloc_user = &p;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    for (size_t i = 0; i < CASE_SECTIONS; i++) {
        case_add_native(data, case_sections[i].kind, "any");
    }
    data_add(data, "context.yaml", case_context);
    data_add(data, "case.yaml", text);
    p.left = blocks;
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    bool is_enough = !p.is_empty;
    p.left = UINT32_MAX;
    if (is_enough) {
        assert_int_equal(result, KN_OK);
    } else {
        if (result != KN_ERROR_OUT_OF_MEMORY) {
            print_error("%u blocks: %s for\n%s", blocks, kn_result_name(result), text);
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        assert_null(library);
        // The same again with enough.
        assert_int_equal(kn_data_build(data, &library), KN_OK);
    }
    kn_library_destroy(library);
    kn_data_destroy(data);
    assert_int_equal(p.bytes, 0);
    return is_enough;
}

static void every_block_of_a_build_may_be_missing(void **state)
{
    (void)state;
    uint32_t blocks = 0;
    while (!build_with("", blocks)) {
        blocks++;
    }
    assert_int_not_equal(blocks, 0);
}

#define STRIDE 61 // blocks between two that are missing, so that other cases miss other ones

static void check_case(const field_case *c, void *user)
{
    uint32_t *cases = user;
    if (*cases % SHARE(8) != 0) {
        ++*cases;
        return;
    }
    char text[CASE_TEXT_MAX];
    case_document(c, 1, text, sizeof(text));
    for (uint32_t blocks = (*cases)++ % STRIDE; !build_with(text, blocks);) {
        blocks += STRIDE;
    }
}

static void no_field_of_any_section_turns_it_into_a_mistake(void **state)
{
    (void)state;
    uint32_t cases = 0;
    each_field_case(check_case, &cases);
    assert_true(cases > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_block_of_a_build_may_be_missing),
    cmocka_unit_test(no_field_of_any_section_turns_it_into_a_mistake),
};

TEST_GROUP(data_memory, tests, NULL, NULL);
