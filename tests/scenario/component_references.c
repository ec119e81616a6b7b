// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which components refer to an entity, and what becomes of them when it ends.

#define FIXTURE_OWN                                                                                \
    kn_component_type_id leash, squad, loose;                                                      \
    kn_entity_id others[8];

#include "scenario/fixture.h"

// Refers by a field and by an array of two.
typedef struct leash_data {
    kn_entity_id holder;
    kn_entity_id friends[2];
    uint32_t number;
    uint32_t spare;
} leash_data;

static const kn_field leash_fields[] = {
    KN_FIELD_INIT("holder", KN_FIELD_ENTITY, 0, 1),
    KN_FIELD_INIT("friends", KN_FIELD_ENTITY, 8, 2),
    KN_FIELD_INIT("number", KN_FIELD_U32, 24, 1),
    KN_FIELD_INIT("spare", KN_FIELD_U32, 28, 1),
};

typedef struct member {
    kn_entity_id entity;
    uint32_t rank;
    uint32_t spare;
} member;

static const kn_field member_fields[] = {
    KN_FIELD_INIT("entity", KN_FIELD_ENTITY, 0, 1),
    KN_FIELD_INIT("rank", KN_FIELD_U32, 8, 1),
    KN_FIELD_INIT("spare", KN_FIELD_U32, 12, 1),
};

static const kn_component_reference leash_references[] = {
    {"holder", false, KN_REFERENCE_REMOVE},
    {"friends", false, KN_REFERENCE_CLEAR},
    {"entity", true, KN_REFERENCE_CLEAR},
};
static const kn_component_reference squad_references[] = {
    {"entity", true, KN_REFERENCE_REMOVE},
    {"holder", false, KN_REFERENCE_LEAVE},
};
enum { HOLDER, FRIENDS, MEMBER };
enum { SQUAD_MEMBER, SQUAD_HOLDER };

static void leash_removed(void *user, const kn_component_call *call)
{
    fixture *f = user;
    const leash_data *data = kn_component_instance_read(call->world, call->type, call->component);
    note(f, "-%u ", data->number);
    assert_true(kn_entity_is_alive(call->world, data->holder)); // still, but dying
}

static kn_component_def leash_def(const char *name)
{
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = sizeof(leash_data);
    def.fields = leash_fields;
    def.field_count = COUNT(leash_fields);
    def.item_size = sizeof(member);
    def.item_fields = member_fields;
    def.item_field_count = COUNT(member_fields);
    return def;
}

static int setup(void **state)
{
    fixture *f = fixture_create(3);
    kn_component_def def = leash_def("Leash");
    def.several = true;
    def.removed = leash_removed;
    def.user = f;
    def.references = leash_references;
    def.reference_count = COUNT(leash_references);
    assert_int_equal(kn_component_register(f->library, &def, &f->leash, NULL), KN_OK);
    def = leash_def("Squad");
    def.references = squad_references;
    def.reference_count = COUNT(squad_references);
    assert_int_equal(kn_component_register(f->library, &def, &f->squad, NULL), KN_OK);
    def = leash_def("Loose");
    assert_int_equal(kn_component_register(f->library, &def, &f->loose, NULL), KN_OK);
    begin(f);
    for (uint32_t i = 0; i < COUNT(f->others); i++) {
        assert_int_equal(kn_entity_create(f->world, &f->others[i]), KN_OK);
    }
    *state = f;
    return 0;
}

static kn_component_id leash_add(
    fixture *f, kn_entity_id entity, kn_entity_id holder, uint32_t number)
{
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, f->leash, entity, &id), KN_OK);
    leash_data *data = kn_component_instance_get(f->world, f->leash, id);
    data->holder = holder;
    data->number = number;
    return id;
}

// Numbers of the leashes that refer to an entity, as a decimal number.
static uint64_t numbers_of(const fixture *f, uint32_t reference, kn_entity_id entity)
{
    kn_component_referrer found[8];
    uint32_t count =
        kn_component_referrers(f->world, f->leash, reference, entity, found, COUNT(found));
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const leash_data *data = kn_component_instance_read(f->world, f->leash, found[i].component);
        all = all * 10 + data->number;
    }
    return all;
}

static void referrers_are_found_in_the_order_of_entities_and_creation(void **state)
{
    fixture *f = *state;
    (void)leash_add(f, f->ally, f->hero, 3);
    (void)leash_add(f, f->foe, f->hero, 1);
    (void)leash_add(f, f->ally, f->foe, 9);
    (void)leash_add(f, f->foe, f->hero, 2);
    (void)leash_add(f, f->ally, f->hero, 4);
    (void)leash_add(f, (kn_entity_id){0}, f->hero, 7);

    assert_int_equal(numbers_of(f, HOLDER, f->hero), 71234);
    assert_int_equal(numbers_of(f, HOLDER, f->foe), 9);
    assert_int_equal(numbers_of(f, HOLDER, f->ally), 0);
    assert_int_equal(numbers_of(f, FRIENDS, f->hero), 0);

    kn_component_referrer first[2];
    assert_int_equal(kn_component_referrers(f->world, f->leash, HOLDER, f->hero, first, 2), 5);
    assert_int_equal(first[0].entity.index1, 0);
    assert_true(kn_entity_id_equal(first[1].entity, f->foe));
    assert_int_equal(kn_component_referrers(f->world, f->leash, HOLDER, f->hero, NULL, 0), 5);
}

static void referrers_are_walked_in_pages(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 1; i <= 4; i++) {
        (void)leash_add(f, i % 2 == 0 ? f->ally : f->foe, f->hero, i);
    }
    kn_component_referrer page[2];
    uint64_t all = 0;
    uint32_t count =
        kn_component_referrers_after(f->world, f->leash, HOLDER, f->hero, NULL, page, COUNT(page));
    assert_int_equal(count, 4);
    for (uint32_t left = 4; left > 0; left -= 2) {
        assert_int_equal(count, left);
        for (uint32_t i = 0; i < 2; i++) {
            const leash_data *data =
                kn_component_instance_read(f->world, f->leash, page[i].component);
            all = all * 10 + data->number;
        }
        // The last one of the page may be gone when the next one is asked for.
        kn_component_referrer last = page[1];
        assert_true(kn_component_instance_remove(f->world, f->leash, last.component));
        count = kn_component_referrers_after(
            f->world, f->leash, HOLDER, f->hero, &last, page, COUNT(page));
    }
    assert_int_equal(count, 0);
    assert_int_equal(all, kn_entity_id_pack(f->foe) < kn_entity_id_pack(f->ally) ? 1324 : 2413);
}

static void the_index_follows_what_is_written_removed_and_resized(void **state)
{
    fixture *f = *state;
    kn_component_id a = leash_add(f, f->foe, f->hero, 1);
    assert_int_equal(numbers_of(f, HOLDER, f->hero), 1);

    leash_data *data = kn_component_instance_get(f->world, f->leash, a);
    data->holder = f->ally;
    data->friends[0] = data->friends[1] = f->hero;
    assert_int_equal(numbers_of(f, HOLDER, f->hero), 0);
    assert_int_equal(numbers_of(f, HOLDER, f->ally), 1);
    kn_component_referrer found[4];
    assert_int_equal(kn_component_referrers(f->world, f->leash, FRIENDS, f->hero, found, 4), 2);
    assert_int_equal(found[0].element, 0);
    assert_int_equal(found[1].element, 1);
    assert_true(kn_component_id_equal(found[1].component, a));

    member *members = kn_component_instance_resize(f->world, f->leash, a, 3);
    members[2].entity = f->others[0];
    assert_int_equal(kn_component_referrers(f->world, f->leash, MEMBER, f->others[0], found, 4), 1);
    assert_int_equal(found[0].item, 2);
    (void)kn_component_instance_resize(f->world, f->leash, a, 2);
    assert_int_equal(kn_component_referrers(f->world, f->leash, MEMBER, f->others[0], found, 4), 0);
    members = kn_component_instance_items(f->world, f->leash, a, NULL);
    members[0].entity = f->others[1];
    assert_int_equal(kn_component_referrers(f->world, f->leash, MEMBER, f->others[1], found, 4), 1);

    assert_true(kn_component_instance_remove(f->world, f->leash, a));
    assert_int_equal(numbers_of(f, HOLDER, f->ally), 0);
    assert_int_equal(kn_component_referrers(f->world, f->leash, MEMBER, f->others[1], found, 4), 0);
    assert_true(kn_world_validate(f->world));
}

static void what_is_not_indexed_refers_to_nothing(void **state)
{
    fixture *f = *state;
    (void)leash_add(f, f->foe, f->hero, 1);
    kn_component_referrer found[1];
    assert_int_equal(kn_component_referrers(f->world, f->leash, 3, f->hero, found, 1), 0);
    assert_int_equal(kn_component_referrers(f->world, f->loose, 0, f->hero, found, 1), 0);
    assert_int_equal(
        kn_component_referrers(f->world, f->leash, HOLDER, (kn_entity_id){0}, found, 1), 0);
    assert_int_equal(kn_component_reference_find(f->library, f->leash, "friends", false), FRIENDS);
    assert_int_equal(kn_component_reference_find(f->library, f->leash, "entity", true), MEMBER);
    assert_int_equal(
        kn_component_reference_find(f->library, f->leash, "entity", false), UINT32_MAX);
    assert_int_equal(
        kn_component_reference_find(f->library, f->loose, "holder", false), UINT32_MAX);
}

static void the_end_of_an_entity_clears_and_removes(void **state)
{
    fixture *f = *state;
    (void)leash_add(f, f->ally, f->hero, 3);
    (void)leash_add(f, f->foe, f->hero, 1);
    (void)leash_add(f, f->hero, f->hero, 6); // its own goes with it
    kn_component_id kept = leash_add(f, f->foe, f->ally, 2);
    leash_data *data = kn_component_instance_get(f->world, f->leash, kept);
    data->friends[0] = f->hero;
    data->friends[1] = f->others[0];
    member *members = kn_component_instance_resize(f->world, f->leash, kept, 2);
    members[1].entity = f->hero;
    members[1].rank = 5;
    leash_data *squad = kn_component_add(f->world, f->squad, f->foe);
    squad->holder = f->hero;
    members = kn_component_resize(f->world, f->squad, f->foe, 5);
    for (uint32_t i = 0; i < 5; i++) {
        members[i].rank = i;
        members[i].entity = i % 2 == 0 ? f->hero : f->others[i];
    }
    (void)leash_add(f, (kn_entity_id){0}, f->hero, 7);
    f->log[0] = 0;

    assert_true(kn_entity_destroy(f->world, f->hero));

    assert_string_equal(f->log, "-6 -7 -1 -3 ");
    const leash_data *read = kn_component_instance_read(f->world, f->leash, kept);
    assert_int_equal(read->friends[0].index1, 0);
    assert_true(kn_entity_id_equal(read->friends[1], f->others[0]));
    const member *left = kn_component_instance_read_items(f->world, f->leash, kept, NULL);
    assert_int_equal(left[1].entity.index1, 0);
    assert_int_equal(left[1].rank, 5);
    uint32_t count;
    left = kn_component_read_items(f->world, f->squad, f->foe, &count);
    assert_int_equal(count, 2);
    assert_int_equal(left[0].rank, 1);
    assert_int_equal(left[1].rank, 3);
    const void *items; // the same in one call
    assert_ptr_equal(kn_component_read_whole(f->world, f->squad, f->foe, &items, &count),
        kn_component_read(f->world, f->squad, f->foe));
    assert_ptr_equal(items, left);
    assert_int_equal(count, 2);
    assert_null(kn_component_read_whole(f->world, f->squad, f->hero, &items, &count));
    assert_null(items);
    assert_int_equal(count, 0);
    // Left as it is, stale, and still found.
    assert_int_equal(kn_component_referrers(f->world, f->squad, SQUAD_HOLDER, f->hero, NULL, 0), 1);
    assert_true(kn_world_validate(f->world));
}

static void copies_find_the_same_and_go_on_alike(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 40; i++) {
        (void)leash_add(f, f->others[i % 7], f->others[(i + i / 7) % 8], i % 10);
    }
    uint64_t before = numbers_of(f, HOLDER, f->others[2]);
    size_t save_size, snapshot_size;
    void *save = save_of(f->world, &save_size), *snapshot = snapshot_of(f->world, &snapshot_size);
    kn_world *other = world_of(f, kn_world_def_default());
    save_load(other, save, save_size);

    assert_true(kn_entity_destroy(f->world, f->others[2]));
    assert_true(kn_entity_destroy(other, f->others[2]));
    assert_same_worlds(f->world, other);
    snapshot_restore(f->world, snapshot, snapshot_size);
    assert_true(numbers_of(f, HOLDER, f->others[2]) == before);
    assert_true(kn_entity_destroy(f->world, f->others[2]));
    assert_same_worlds(f->world, other);
    assert_int_equal(numbers_of(f, HOLDER, f->others[2]), 0);
    kn_world_destroy(other);
    free(save);
    free(snapshot);
}

// Compares the index with a look at everything, over random changes.
static void the_index_is_right_after_any_changes(void **state)
{
    fixture *f = *state;
    uint32_t random = 12345;
    for (uint32_t round = 0; round < 3000; round++) {
        random = random * 1664525u + 1013904223u;
        kn_entity_id entity = f->others[random >> 8 & 7], target = f->others[random >> 16 & 7];
        kn_component_id first =
            kn_component_instance_next(f->world, f->leash, entity, (kn_component_id){0});
        if ((random >> 24 & 3) != 0 || kn_component_id_is_null(first)) {
            first = leash_add(f, entity, target, 0);
            member *members =
                kn_component_instance_resize(f->world, f->leash, first, 1 + (round & 3));
            members[round & 1 & (round >> 1)].entity = entity;
        } else {
            assert_true(kn_component_instance_remove(f->world, f->leash, first));
        }
        if (round % 7 != 0) {
            continue; // sometimes more changes than the list holds
        }
        uint32_t held = 0, named = 0;
        for (uint32_t i = 0; i < COUNT(f->others); i++) {
            kn_component_id at = {0};
            while (!kn_component_id_is_null(
                at = kn_component_instance_next(f->world, f->leash, f->others[i], at))) {
                const leash_data *data = kn_component_instance_read(f->world, f->leash, at);
                held += kn_entity_id_equal(data->holder, target);
                uint32_t count;
                const member *members =
                    kn_component_instance_read_items(f->world, f->leash, at, &count);
                for (uint32_t m = 0; m < count; m++) {
                    named += kn_entity_id_equal(members[m].entity, target);
                }
            }
        }
        assert_int_equal(kn_component_referrers(f->world, f->leash, HOLDER, target, NULL, 0), held);
        assert_int_equal(
            kn_component_referrers(f->world, f->leash, MEMBER, target, NULL, 0), named);
    }
    assert_true(kn_world_validate(f->world));
}

static void references_to_other_fields_are_refused(void **state)
{
    (void)state;
    kn_library *library;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    static const struct {
        kn_component_reference references[2];
        uint32_t count;
        const char *message;
    } rows[] = {
        {{{"number", false, KN_REFERENCE_LEAVE}}, 1, "`number` is not a field of kind entity"},
        {{{"rank", true, KN_REFERENCE_LEAVE}}, 1,
            "`rank` is not a field of kind entity of its items"},
        {{{"entity", false, KN_REFERENCE_LEAVE}}, 1, "`entity` is not a field"},
        {{{NULL, false, KN_REFERENCE_LEAVE}}, 1, "is not a field"},
        {{{"holder", false, KN_REFERENCE_LEAVE}, {"holder", false, KN_REFERENCE_CLEAR}}, 2,
            "`holder` appears twice"},
        {{{"holder", false, KN_REFERENCE_LEAVE}}, 9, "at most 8 references"},
    };
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        kn_component_def def = leash_def("Bad");
        def.references = rows[i].references;
        def.reference_count = rows[i].count;
        kn_component_type_id type;
        kn_error error = {0};
        assert_int_equal(kn_component_register(library, &def, &type, &error), KN_ERROR_BAD_DATA);
        assert_int_equal(type.index1, 0);
        if (strstr(error.message, rows[i].message) == NULL) {
            fail_msg("%s", error.message);
        }
    }
    kn_library_destroy(library);
}

// Kits check the fields of structs that they keep themselves.
static void fields_can_be_checked_without_a_component(void **state)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("a", KN_FIELD_U32, 0, 1), KN_FIELD_INIT("b", KN_FIELD_F32, 4, 2)};
    static const kn_field twice[] = {
        KN_FIELD_INIT("a", KN_FIELD_U32, 0, 1), KN_FIELD_INIT("a", KN_FIELD_U32, 4, 1)};
    fixture *f = *state;
    kn_error error = {0};
    assert_int_equal(kn_fields_check(f->library, "state", "Own", fields, 2, 12, &error), KN_OK);
    assert_int_equal(kn_fields_check(f->library, "state", "Own", NULL, 0, 0, NULL), KN_OK);
    assert_int_equal(
        kn_fields_check(f->library, "state", "Own", fields, 2, 16, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "state `Own`: its fields cover 12 of 16 bytes; name the padding too");
    assert_int_equal(
        kn_fields_check(f->library, "state", "Own", twice, 2, 8, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(error.message, "state `Own`: field a appears twice");
    assert_int_equal(
        kn_fields_check(NULL, "state", "Own", fields, 2, 12, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_fields_check(f->library, "state", "Own", NULL, 2, 12, &error),
        KN_ERROR_INVALID_ARGUMENT);
}

static const struct CMUnitTest tests[] = {
    TEST(referrers_are_found_in_the_order_of_entities_and_creation),
    TEST(referrers_are_walked_in_pages),
    TEST(the_index_follows_what_is_written_removed_and_resized),
    TEST(what_is_not_indexed_refers_to_nothing),
    TEST(the_end_of_an_entity_clears_and_removes),
    TEST(copies_find_the_same_and_go_on_alike),
    TEST(the_index_is_right_after_any_changes),
    cmocka_unit_test(references_to_other_fields_are_refused),
    TEST(fields_can_be_checked_without_a_component),
};

TEST_GROUP(component_references, tests, NULL, NULL);
