// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Own kinds, enums, causes, custom events and data of a library when memory runs out at any call:
// an error, nothing lost, and nothing left behind.

#include "test_memory.h"

#include "scenario/order_kind.h"

static int kept_key;

static void released(void *data)
{
    ++*(uint32_t *)data;
}

static kn_result fill_more(kn_library *library, kn_def_kind kind, uint32_t *releases)
{
    static const kn_field fields[] = {KN_FIELD_INIT("order", KN_FIELD_U32, 0, 1)};
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "OrderGiven";
    event.size = 4;
    event.fields = fields;
    event.field_count = 1;
    event.text = "gets {order}";
    kn_custom_event_id event_id;
    kn_cause_type_id cause;
    order_id ids[2];
    order_step steps[2] = {{1.0f, {0}}, {2.0f, {0}}};
    order_def def = order_def_default();
    def.name = "Stop";
    kn_result result = kn_def_register(library, kind, &def, &ids[0].index1, NULL);
    def.name = "Attack";
    def.label = "Attack!";
    def.next = ids[0];
    def.cancels = ids;
    def.cancel_count = 1;
    def.steps = steps;
    def.step_count = 2;
    if (result == KN_OK) {
        result = kn_def_register(library, kind, &def, &ids[1].index1, NULL);
    }
    if (result == KN_OK) {
        result = kn_custom_event_register(library, &event, &event_id, NULL);
    }
    if (result == KN_OK) {
        result = kn_cause_type_register(library, "order", "order {def}", &cause, NULL);
    }
    if (result == KN_OK) {
        result = kn_library_set_data(library, &kept_key, releases, released);
    }
    return result != KN_OK ? result : kn_library_finish(library, NULL);
}

static kn_result fill(test_memory *memory, uint32_t *releases)
{
    kn_library_def def = kn_library_def_default();
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = memory;
    kn_library *library;
    kn_result result = kn_library_create(&def, &library);
    kn_def_kind kind;
    if (result == KN_OK) {
        result = order_kind_register(library, &kind, NULL);
        if (result == KN_OK) {
            result = fill_more(library, kind, releases);
        }
        kn_library_destroy(library);
    }
    return result;
}

static void every_call_without_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    test_memory memory = {0};
    uint32_t releases = 0;
    assert_int_equal(fill(&memory, &releases), KN_OK);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(releases, 1);
    uint64_t calls = memory.calls;
    assert_true(calls > 100);
    for (uint64_t i = 1; i <= calls; i++) {
        memory = (test_memory){.fail_at = i};
        assert_int_equal(fill(&memory, &releases), KN_ERROR_OUT_OF_MEMORY);
        assert_int_equal(memory.blocks, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_call_without_memory_is_an_error_and_leaks_nothing),
};

TEST_GROUP(test_kind, tests, NULL, NULL);
