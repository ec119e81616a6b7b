// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hostile saves whose checksum is right: each is refused, or the world it gives is sound and can
// go on.

#include "damaged_save.h"
#include "scenario/rich_world.h"

static void expect_refused_or_sound(kn_world *world, const uint8_t *bytes, size_t size, tally *t)
{
    if (read_damaged(world, bytes, size, t)) {
        assert_int_equal(kn_world_step(world, KN_MS(100)), KN_OK);
        assert_true(kn_world_validate(world));
    }
}

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_world *target;
    uint8_t *bytes;
    size_t size;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->world = rich_world_create(f->library, NULL);
    f->target = rich_empty_world(f->library, NULL);
    rich_step(f->world, 7);
    f->bytes = save_of(f->world, &f->size);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    free(f->bytes);
    kn_world_destroy(f->target);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

static void change_every_byte(fixture *f, uint8_t mask)
{
    tally t = {0};
    for (size_t i = SAVE_HEADER_SIZE; i < f->size; i += SHARE(7)) {
        f->bytes[i] ^= mask;
        repair(f->bytes, f->size);
        expect_refused_or_sound(f->target, f->bytes, f->size, &t);
        f->bytes[i] ^= mask;
    }
    assert_true(t.refused > 1000 / SHARE(7));
    assert_true(t.accepted > 1000 / SHARE(7));
}

static void low_bits_of_every_byte(void **state)
{
    change_every_byte(*state, 0x01);
}

static void high_bits_of_every_byte(void **state)
{
    change_every_byte(*state, 0x80);
}

static void all_bits_of_every_byte(void **state)
{
    change_every_byte(*state, 0xff);
}

static void every_word_at_its_extremes(void **state)
{
    fixture *f = *state;
    const uint32_t values[] = {0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7fc00000u};
    tally t = {0};
    for (size_t i = SAVE_HEADER_SIZE; i + 4 <= f->size; i += 7 * SHARE(5)) {
        uint8_t old[4];
        memcpy(old, f->bytes + i, 4);
        for (uint32_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
            kn_writer writer = {f->bytes + i, 4, 0};
            kn_write_u32(&writer, values[v]);
            repair(f->bytes, f->size);
            expect_refused_or_sound(f->target, f->bytes, f->size, &t);
        }
        memcpy(f->bytes + i, old, 4);
    }
    assert_true(t.refused > 1000 / SHARE(5));
}

static void every_truncation(void **state)
{
    fixture *f = *state;
    tally t = {0};
    for (size_t size = SAVE_HEADER_SIZE; size < f->size; size += SHARE(5)) {
        uint8_t *cut = malloc(size);
        assert_non_null(cut);
        memcpy(cut, f->bytes, size);
        repair(cut, size);
        expect_refused_or_sound(f->target, cut, size, &t);
        free(cut);
    }
    assert_int_equal(t.accepted, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(low_bits_of_every_byte, setup, teardown),
    cmocka_unit_test_setup_teardown(high_bits_of_every_byte, setup, teardown),
    cmocka_unit_test_setup_teardown(all_bits_of_every_byte, setup, teardown),
    cmocka_unit_test_setup_teardown(every_word_at_its_extremes, setup, teardown),
    cmocka_unit_test_setup_teardown(every_truncation, setup, teardown),
};

TEST_GROUP(test_save_read, tests, NULL, NULL);
