// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Random streams that a kit registers by name: numbers, seeds, copies of worlds, and what clients
// see of them.

#include "scenario/fixture.h"

static int setup(void **state)
{
    *state = fixture_create(1);
    return 0;
}

static uint32_t stream_of(const fixture *f, const char *name, bool hidden)
{
    uint32_t stream;
    kn_error error;
    assert_int_equal(kn_stream_register(f->library, name, hidden, &stream, &error), KN_OK);
    assert_int_equal(error.code, KN_OK);
    return stream;
}

// A finished library with these streams, the second one hidden, and a world with this seed.
static fixture *opened(const char *const *names, uint32_t count, uint64_t seed)
{
    fixture *f = fixture_create(1);
    for (uint32_t i = 0; i < count; i++) {
        (void)stream_of(f, names[i], i == 1);
    }
    kn_world_def def = kn_world_def_default();
    def.seed = seed;
    begin_with(f, def);
    return f;
}

static uint32_t draw(const fixture *f, const char *name)
{
    return kn_random_u32(f->world, kn_stream_find(f->library, name));
}

static void streams_have_numbers_in_order_of_registration(void **state)
{
    fixture *f = *state;
    assert_int_equal(stream_of(f, "Crit", false), KN_STREAM_INIT + 1);
    assert_int_equal(stream_of(f, "Combat.Loot table", true), KN_STREAM_INIT + 2);
    assert_int_equal(kn_stream_find(f->library, "Crit"), KN_STREAM_INIT + 1);
    assert_int_equal(kn_stream_find(f->library, "Combat.Loot table"), KN_STREAM_INIT + 2);
    assert_int_equal(kn_stream_find(f->library, "crit"), KN_STREAM_NONE);
    assert_int_equal(kn_stream_find(f->library, NULL), KN_STREAM_NONE);
    assert_int_equal(kn_stream_find(NULL, "Crit"), KN_STREAM_NONE);
    begin(f);
    assert_int_not_equal(kn_random_u32(f->world, KN_STREAM_INIT + 1), 0);
    assert_int_equal(kn_random_u32(f->world, KN_STREAM_INIT + 3), 0);
    assert_int_equal(kn_random_u32(f->world, KN_STREAM_NONE), 0);
}

static kn_result refused(const fixture *f, const char *name, const char *message)
{
    uint32_t stream = 77;
    kn_error error = {0};
    kn_result result = kn_stream_register(f->library, name, false, &stream, &error);
    assert_int_equal(stream, KN_STREAM_NONE);
    assert_int_equal(error.code, result);
    assert_string_equal(error.message, message);
    assert_int_equal(kn_stream_register(f->library, name, false, &stream, NULL), result);
    return result;
}

static void streams_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    (void)stream_of(f, "S0", false);
    assert_int_equal(refused(f, "S0", "stream `S0` is registered twice"), KN_REFUSED_DUPLICATE);
    assert_int_equal(refused(f, "a/b",
                         "stream `a/b`: a name has 1 to 255 characters: letters, digits, `_`, `-`, "
                         "`.` and spaces"),
        KN_ERROR_BAD_DATA);
    assert_int_equal(refused(f, NULL,
                         "stream ``: a name has 1 to 255 characters: letters, digits, `_`, `-`, "
                         "`.` and spaces"),
        KN_ERROR_BAD_DATA);
    for (uint32_t i = 1; i < KN_STREAM_OWN_MAX; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "S%u", i);
        (void)stream_of(f, name, false);
    }
    assert_int_equal(
        refused(f, "More", "stream `More`: a library has at most 16 streams"), KN_REFUSED_LIMIT);
    begin(f);
    assert_int_equal(
        refused(f, "Late", "stream `Late`: the library is finished; register it before"),
        KN_ERROR_WORLD_LOCKED);
    kn_assert_set_handler(ignore_assert);
    uint32_t stream;
    assert_int_equal(
        kn_stream_register(NULL, "A", false, &stream, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_stream_register(f->library, "A", false, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void a_stream_begins_with_the_seed_and_its_name(void **state)
{
    (void)state;
    const char *const alone[] = {"Crit"}, *const later[] = {"Loot", "Dodge", "Crit"};
    fixture *a = opened(alone, 1, 5), *b = opened(later, 3, 5), *c = opened(later, 3, 6);
    uint32_t crit = draw(a, "Crit");
    assert_int_equal(crit, draw(b, "Crit"));
    assert_int_not_equal(crit, draw(c, "Crit"));
    assert_int_not_equal(crit, draw(b, "Loot"));
    assert_int_not_equal(crit, kn_random_u32(a->world, 0));
    // Draws from one leave the others alone.
    for (uint32_t i = 0; i < 10; i++) {
        (void)draw(b, "Loot");
    }
    assert_int_equal(draw(a, "Crit"), draw(b, "Crit"));
    assert_int_equal(kn_random_u32(b->world, 1), kn_random_u32(a->world, 1));
    assert_true(fixture_destroy(a) && fixture_destroy(b) && fixture_destroy(c));
}

static void streams_are_part_of_the_state(void **state)
{
    (void)state;
    const char *const names[] = {"Crit", "Loot"};
    fixture *f = opened(names, 2, 9);
    kn_world *other = world_of(f, kn_world_def_default());
    (void)draw(f, "Loot");
    size_t size, save_size;
    void *snapshot = snapshot_of(f->world, &size), *save = save_of(f->world, &save_size);
    uint64_t hash = kn_world_hash(f->world);
    uint32_t crit = draw(f, "Crit"), loot = draw(f, "Loot");
    assert_true(hash != kn_world_hash(f->world));
    save_load(other, save, save_size);
    assert_true(hash == kn_world_hash(other));
    char text[256];
    assert_true(kn_world_difference(f->world, other, text, sizeof(text)));
    assert_non_null(strstr(text, "random stream Crit"));
    snapshot_restore(f->world, snapshot, size);
    assert_same_worlds(f->world, other);
    assert_int_equal(draw(f, "Crit"), crit);
    assert_int_equal(draw(f, "Loot"), loot);
    assert_int_equal(kn_random_u32(other, kn_stream_find(f->library, "Crit")), crit);
    snapshot_restore(other, snapshot, size); // of another world of the library
    assert_int_equal(kn_random_u32(other, kn_stream_find(f->library, "Loot")), loot);
    kn_world_destroy(other);
    free(snapshot);
    free(save);
    assert_true(fixture_destroy(f));
}

static void a_save_finds_streams_by_name(void **state)
{
    (void)state;
    const char *const names[] = {"Crit", "Loot"}, *const others[] = {"New", "Loot", "Crit"};
    fixture *f = opened(names, 2, 9), *g = opened(others, 3, 1), *h = opened(others, 3, 9);
    (void)draw(f, "Crit");
    (void)draw(f, "Loot");
    (void)draw(f, "Loot");
    size_t size;
    void *save = save_of(f->world, &size);
    (void)draw(g, "New");
    save_load(g->world, save, size);
    assert_int_equal(draw(g, "Crit"), draw(f, "Crit"));
    assert_int_equal(draw(g, "Loot"), draw(f, "Loot"));
    assert_int_equal(draw(g, "New"), draw(h, "New")); // as with the seed of the save
    free(save);
    // Without one that the save has, it is refused; without any, it begins anew.
    save = save_of(g->world, &size);
    uint64_t before = kn_world_hash(f->world);
    kn_error error;
    assert_int_equal(kn_save_read(f->world, save, size, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "the library has no random stream `New`"));
    assert_true(before == kn_world_hash(f->world));
    free(save);
    fixture *plain = opened(NULL, 0, 9);
    save = save_of(plain->world, &size);
    (void)draw(h, "Crit");
    save_load(h->world, save, size);
    kn_world_def def = kn_world_def_default();
    def.seed = 9;
    kn_world *fresh = world_of(h, def);
    assert_int_equal(draw(h, "Crit"), kn_random_u32(fresh, kn_stream_find(h->library, "Crit")));
    kn_world_destroy(fresh);
    free(save);
    assert_true(fixture_destroy(plain));
    assert_true(fixture_destroy(f) && fixture_destroy(g) && fixture_destroy(h));
}

// Every number of a save is checked: whatever one byte says, the world is loaded or as it was.
static void a_damaged_stream_is_refused(void **state)
{
    (void)state;
    const char *const names[] = {"Crit", "Loot"};
    fixture *f = opened(names, 2, 9);
    size_t size;
    uint8_t *save = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());
    uint64_t before = kn_world_hash(other);
    uint32_t refusals = 0;
    for (size_t i = 0; i < size; i++) {
        save[i] ^= 1;
        if (kn_save_read(other, save, size, NULL) != KN_OK) {
            assert_true(before == kn_world_hash(other));
            refusals++;
        }
        assert_true(kn_world_validate(other));
        before = kn_world_hash(other);
        save[i] ^= 1;
    }
    assert_true(refusals > 0);
    kn_world_destroy(other);
    free(save);
    assert_true(fixture_destroy(f));
}

static void hidden_streams_are_not_in_projections_by_place(void **state)
{
    (void)state;
    const char *const names[] = {"Crit", "Loot"}; // Loot is hidden
    fixture *f = opened(names, 2, 9);
    kn_world *client = world_of(f, kn_world_def_default());
    kn_world *same = world_of(f, kn_world_def_default());
    const kn_entity_id world_itself = {0};
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    uint8_t bytes[8192], again[8192];
    size_t size, again_size;
    assert_int_equal(
        kn_projection_take(f->world, &world_itself, 1, &filter, bytes, sizeof(bytes), &size),
        KN_OK);
    assert_int_equal(kn_projection_write(client, bytes, size, NULL), KN_OK);
    assert_true(kn_projection_matches(client, bytes, size));
    uint32_t loot = kn_stream_find(f->library, "Loot");
    assert_int_equal(draw(f, "Crit"), kn_random_u32(client, kn_stream_find(f->library, "Crit")));
    assert_int_equal(kn_random_u32(client, loot), kn_random_u32(same, loot));
    // The bytes do not depend on it.
    assert_int_equal(
        kn_projection_take(f->world, &world_itself, 1, &filter, bytes, sizeof(bytes), &size),
        KN_OK);
    (void)draw(f, "Loot");
    assert_int_equal(
        kn_projection_take(f->world, &world_itself, 1, &filter, again, sizeof(again), &again_size),
        KN_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    // By ids everything is there.
    project(f->world, client, &world_itself, 1, KN_VIEWER_ALL);
    assert_int_equal(draw(f, "Loot"), kn_random_u32(client, loot));
    kn_world_destroy(client);
    kn_world_destroy(same);
    assert_true(fixture_destroy(f));
}

static void streams_are_part_of_the_hash_of_a_library(void **state)
{
    (void)state;
    const char *const names[] = {"Crit", "Loot"}, *const swapped[] = {"Loot", "Crit"};
    fixture *a = opened(names, 2, 1), *b = opened(names, 2, 1), *c = opened(swapped, 2, 1);
    assert_true(kn_library_hash(a->library) == kn_library_hash(b->library));
    assert_true(kn_library_hash(a->library) != kn_library_hash(c->library));
    assert_true(fixture_destroy(a) && fixture_destroy(b) && fixture_destroy(c));
}

static void a_secret_changes_hidden_streams_and_no_others(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    library_def.hidden_streams = 1u << 3;
    kn_library *library;
    uint32_t open_stream, hidden_stream;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    assert_int_equal(kn_stream_register(library, "Crit", false, &open_stream, NULL), KN_OK);
    assert_int_equal(kn_stream_register(library, "Loot", true, &hidden_stream, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *client, *server;
    assert_int_equal(kn_world_create(&def, &client), KN_OK);
    def.secret = 0x123456789abcdefu;
    assert_int_equal(kn_world_create(&def, &server), KN_OK);
    assert_int_not_equal(
        kn_random_u32(server, hidden_stream), kn_random_u32(client, hidden_stream));
    assert_int_not_equal(kn_random_u32(server, 3), kn_random_u32(client, 3));
    assert_int_equal(kn_random_u32(server, open_stream), kn_random_u32(client, open_stream));
    assert_int_equal(kn_random_u32(server, 2), kn_random_u32(client, 2));
    assert_int_equal(
        kn_random_u32(server, KN_STREAM_CHANCE), kn_random_u32(client, KN_STREAM_CHANCE));
    kn_world_destroy(client);
    kn_world_destroy(server);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    TEST(streams_have_numbers_in_order_of_registration),
    TEST(streams_that_make_no_sense_are_refused),
    cmocka_unit_test(a_stream_begins_with_the_seed_and_its_name),
    cmocka_unit_test(streams_are_part_of_the_state),
    cmocka_unit_test(a_save_finds_streams_by_name),
    cmocka_unit_test(a_damaged_stream_is_refused),
    cmocka_unit_test(hidden_streams_are_not_in_projections_by_place),
    cmocka_unit_test(streams_are_part_of_the_hash_of_a_library),
    cmocka_unit_test(a_secret_changes_hidden_streams_and_no_others),
};

TEST_GROUP(random_streams, tests, NULL, NULL);
