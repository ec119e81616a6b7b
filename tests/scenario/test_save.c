// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves: what is written comes back, whatever else comes is refused.

#include "rich_world.h"

typedef struct fixture {
    kn_library *library;
    kn_world *world;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->world = rich_world_create(f->library, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

static void load(kn_world *world, const void *bytes, size_t size)
{
    kn_error error = {0};
    if (kn_save_read(world, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static void a_loaded_world_is_the_saved_one(void **state)
{
    fixture *f = *state;
    rich_step(f->world, 20);
    assert_true(kn_world_validate(f->world));
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    load(other, bytes, size);
    assert_true(kn_world_validate(other));
    assert_same_worlds(f->world, other);
    size_t again_size;
    uint8_t *again = save_of(other, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
    free(bytes);
    kn_world_destroy(other);
}

static void a_loaded_world_goes_on_like_the_saved_one(void **state)
{
    fixture *f = *state;
    kn_world *other = rich_empty_world(f->library, NULL);
    for (uint32_t round = 0; round < 12; round++) {
        rich_step(f->world, round * 3);
        size_t size;
        uint8_t *bytes = save_of(f->world, &size);
        load(other, bytes, size); // a world that lived is replaced as well
        free(bytes);
        rich_step(f->world, 15);
        rich_step(other, 15);
        assert_same_worlds(f->world, other);
        assert_true(kn_world_validate(other));
    }
    kn_world_destroy(other);
}

// Heavy mode: after every step the world is replaced by its own save.
static void a_world_that_is_reloaded_after_every_step_stays_the_same(void **state)
{
    fixture *f = *state;
    kn_world *heavy = rich_empty_world(f->library, NULL);
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    load(heavy, bytes, size);
    free(bytes);
    for (uint32_t i = 0; i < 150; i++) {
        rich_step(f->world, 1);
        rich_step(heavy, 1);
        assert_same_worlds(f->world, heavy);
        bytes = save_of(heavy, &size);
        load(heavy, bytes, size);
        free(bytes);
        assert_true(kn_world_validate(heavy));
    }
    kn_world_destroy(heavy);
}

static void ids_of_the_saved_world_name_the_same_things_in_the_loaded_one(void **state)
{
    fixture *f = *state;
    kn_entity_id first = kn_entity_next(f->world, (kn_entity_id){0});
    kn_effect_id effect = rich_apply(f->world, "Haste", first, first);
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    load(other, bytes, size);
    free(bytes);
    assert_int_equal(kn_entity_user(other, first), kn_entity_user(f->world, first));
    kn_effect_info a, b;
    assert_true(kn_effect_get(f->world, effect, &a));
    assert_true(kn_effect_get(other, effect, &b));
    assert_int_equal(a.remaining, b.remaining);
    // The next ids are the same too.
    kn_entity_id next_a, next_b;
    assert_int_equal(kn_entity_create(f->world, &next_a), KN_OK);
    assert_int_equal(kn_entity_create(other, &next_b), KN_OK);
    assert_true(kn_entity_id_equal(next_a, next_b));
    kn_world_destroy(other);
}

// Names, not numbers: the other library has more tags in front of ours.
static void a_library_with_other_numbers_understands_the_save(void **state)
{
    fixture *f = *state;
    rich_step(f->world, 10);
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    kn_library *library = rich_library(70);
    kn_world *other = rich_empty_world(library, NULL);
    load(other, bytes, size);
    assert_true(kn_world_validate(other));
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(f->world, entity))) {
        assert_int_equal(
            kn_entity_tags(f->world, entity, NULL, 0), kn_entity_tags(other, entity, NULL, 0));
        assert_int_equal(kn_effects_count(f->world, entity), kn_effects_count(other, entity));
        float a =
            kn_attribute_value(f->world, entity, kn_attribute_find(f->library, "Vitals.Armor"));
        float b = kn_attribute_value(other, entity, kn_attribute_find(library, "Vitals.Armor"));
        assert_memory_equal(&a, &b, sizeof(a));
    }
    rich_step(other, 30);
    assert_true(kn_world_validate(other));
    // And back: the first library reads what the other one wrote.
    free(bytes);
    bytes = save_of(other, &size);
    load(f->world, bytes, size);
    assert_true(kn_world_validate(f->world));
    free(bytes);
    kn_world_destroy(other);
    kn_library_destroy(library);
}

static void unknown_names_are_listed(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    rich_tag(library, "State.Lit");
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_world *other = rich_empty_world(library, NULL);
    kn_error error;
    assert_int_equal(kn_save_read(other, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "tag `Element.Fire`"));
    assert_null(strstr(error.message, "State.Lit"));
    assert_non_null(strstr(error.message, "more"));
    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_ERROR_BAD_DATA);
    free(bytes);
    kn_world_destroy(other);
    kn_library_destroy(library);
}

static void a_buffer_that_is_too_small_tells_the_size(void **state)
{
    fixture *f = *state;
    size_t size, written = 0;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size - 1, &written), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(written, size);
    free(bytes);
}

static void listeners_survive_and_events_do_not(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    rich_step(f->world, 5);
    load(f->world, bytes, size);
    free(bytes);
    assert_int_equal(kn_world_events(f->world).count, 0);
    rich_step(f->world, 5);
}

// Hostile input --------------------------------------------------------------

// Repairs length and checksum, so that what lies behind them is reached.
static void write_u64(uint8_t *at, uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void every_truncation_is_refused(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    for (size_t length = 0; length < size; length++) {
        uint8_t *cut = malloc(length + 1); // its end is known to sanitizers
        assert_non_null(cut);
        memcpy(cut, bytes, length);
        assert_int_equal(kn_save_read(f->world, cut, length, NULL), KN_ERROR_BAD_DATA);
        free(cut);
    }
    assert_int_equal(kn_world_hash(f->world), hash);
    free(bytes);
}

static void every_changed_byte_is_refused(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x11;
        assert_int_equal(kn_save_read(f->world, bytes, size, NULL), KN_ERROR_BAD_DATA);
        bytes[i] ^= 0x11;
    }
    assert_int_equal(kn_world_hash(f->world), hash);
    write_u64(bytes + 8, size + 1);
    assert_int_equal(kn_save_read(f->world, bytes, size, NULL), KN_ERROR_BAD_DATA);
    free(bytes);
}

static void a_newer_version_is_refused_with_a_reason(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    bytes[4] = KN_SAVE_VERSION + 1;
    kn_error error;
    assert_int_equal(kn_save_read(f->world, bytes, size, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "version"));
    free(bytes);
}

// Memory ---------------------------------------------------------------------

static void running_out_of_memory_leaves_the_world_as_it_was(void **state)
{
    fixture *f = *state;
    rich_step(f->world, 10);
    size_t size;
    uint8_t *bytes = save_of(f->world, &size);
    rich_memory memory = {0};
    kn_world *other = rich_world_create(f->library, &memory);
    uint64_t hash = kn_world_hash(other);
    size_t blocks = memory.blocks;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint64_t failures = 0;
    for (uint64_t at = 1; result != KN_OK; at++) {
        memory.calls = 0;
        memory.fail_at = at;
        kn_error error;
        result = kn_save_read(other, bytes, size, &error);
        memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(error.code, KN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(kn_world_hash(other), hash);
            assert_int_equal(memory.blocks, blocks);
            failures++;
        }
    }
    assert_true(failures > 20);
    assert_same_worlds(f->world, other);
    assert_true(kn_world_validate(other));
    kn_world_destroy(other);
    assert_int_equal(memory.blocks, 0);
    free(bytes);
}

static void writing_without_memory_fails_cleanly(void **state)
{
    fixture *f = *state;
    rich_memory memory = {0};
    kn_world *other = rich_world_create(f->library, &memory);
    memory.fail_at = 1;
    size_t size;
    assert_int_equal(kn_save_write(other, NULL, 0, &size), KN_ERROR_OUT_OF_MEMORY);
    memory.fail_at = 0;
    kn_world_destroy(other);
    assert_int_equal(memory.blocks, 0);
}

// Grown components -----------------------------------------------------------

// A library with one component, of a byte and of items of a byte, and so many more bytes in each.
static kn_library *grown_library(uint32_t record_more, uint32_t item_more)
{
    const kn_field record[] = {KN_FIELD_INIT("one", KN_FIELD_U8, 0, 1),
        KN_FIELD_INIT("more", KN_FIELD_U8, 1, record_more)};
    const kn_field items[] = {KN_FIELD_INIT("grain", KN_FIELD_U8, 0, 1),
        KN_FIELD_INIT("more", KN_FIELD_U8, 1, item_more)};
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_component_def def = kn_component_def_default();
    def.name = "Sand";
    def.size = 1 + record_more;
    def.fields = record;
    def.field_count = record_more > 0 ? 2 : 1;
    def.item_size = 1 + item_more;
    def.item_fields = items;
    def.item_field_count = item_more > 0 ? 2 : 1;
    kn_component_type_id type;
    assert_int_equal(kn_component_register(library, &def, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

// Saves components of one byte and reads them where they are larger. Returns what reading returns.
static kn_result read_grown(
    uint32_t entities, uint32_t record_more, uint32_t items, uint32_t item_more, kn_error *error)
{
    kn_library *before = grown_library(0, 0), *after = grown_library(record_more, item_more);
    kn_world_def def = kn_world_def_default();
    def.library = before;
    kn_world *world, *other;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    def.library = after;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    kn_component_type_id type = {1};
    kn_entity_id entity = {0};
    for (uint32_t i = 0; i < entities; i++) {
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
        *(uint8_t *)kn_component_add(world, type, entity) = (uint8_t)i;
    }
    if (items > 0) {
        uint8_t *grains = kn_component_resize(world, type, entity, items);
        assert_non_null(grains);
        grains[items - 1] = 77;
    }
    size_t size;
    uint8_t *bytes = save_of(world, &size);
    uint64_t hash = kn_world_hash(other);
    kn_result result = kn_save_read(other, bytes, size, error);
    if (result == KN_OK) {
        assert_true(kn_world_validate(other));
        const uint8_t *read = kn_component_read(other, type, entity);
        assert_int_equal(read[0], (uint8_t)(entities - 1));
        uint32_t count;
        const uint8_t *grains = kn_component_items(other, type, entity, &count);
        assert_int_equal(count, items);
        assert_true(items == 0 || grains[(size_t)(items - 1) * (1 + item_more)] == 77);
    } else {
        assert_int_equal(kn_world_hash(other), hash);
    }
    free(bytes);
    kn_world_destroy(world);
    kn_world_destroy(other);
    kn_library_destroy(before);
    kn_library_destroy(after);
    return result;
}

// A short save may not ask for much memory; 16 megabytes are free, and 64 bytes for each of its
// own.
static void components_that_have_grown_take_memory_within_reason(void **state)
{
    (void)state;
    kn_error error = {0};
    const char *message = "it is too short for the counts it declares";
    assert_int_equal(read_grown(1, 0, 20000, 4095, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(read_grown(1, 0, 4000, 4095, &error), KN_OK); // little enough
    assert_int_equal(read_grown(1, 0, 600000, 31, &error), KN_OK); // the save is large itself
    assert_int_equal(read_grown(300, 65000, 0, 0, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(read_grown(200, 65000, 0, 0, &error), KN_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(components_that_have_grown_take_memory_within_reason),
    cmocka_unit_test_setup_teardown(a_loaded_world_is_the_saved_one, setup, teardown),
    cmocka_unit_test_setup_teardown(a_loaded_world_goes_on_like_the_saved_one, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_world_that_is_reloaded_after_every_step_stays_the_same, setup, teardown),
    cmocka_unit_test_setup_teardown(
        ids_of_the_saved_world_name_the_same_things_in_the_loaded_one, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_library_with_other_numbers_understands_the_save, setup, teardown),
    cmocka_unit_test_setup_teardown(unknown_names_are_listed, setup, teardown),
    cmocka_unit_test_setup_teardown(a_buffer_that_is_too_small_tells_the_size, setup, teardown),
    cmocka_unit_test_setup_teardown(listeners_survive_and_events_do_not, setup, teardown),
    cmocka_unit_test_setup_teardown(every_truncation_is_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(every_changed_byte_is_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(a_newer_version_is_refused_with_a_reason, setup, teardown),
    cmocka_unit_test_setup_teardown(
        running_out_of_memory_leaves_the_world_as_it_was, setup, teardown),
    cmocka_unit_test_setup_teardown(writing_without_memory_fails_cleanly, setup, teardown),
};

TEST_GROUP(test_save, tests, NULL, NULL);
