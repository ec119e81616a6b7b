// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Components that an entity has several times: ids, order, copies of the world.

#define FIXTURE_OWN                                                                                \
    kn_component_type_id note;                                                                     \
    kn_component_type_id single;

#include "scenario/fixture.h"

typedef struct note_data {
    kn_entity_id from;
    uint32_t number;
    uint32_t spare;
} note_data;

static const kn_field note_fields[] = {
    KN_FIELD_INIT("from", KN_FIELD_ENTITY, 0, 1),
    KN_FIELD_INIT("number", KN_FIELD_U32, 8, 1),
    KN_FIELD_INIT("spare", KN_FIELD_U32, 12, 1),
};
static const kn_field item_fields[] = {KN_FIELD_INIT("word", KN_FIELD_U32, 0, 1)};

static kn_component_def note_def(const char *name, bool several)
{
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = sizeof(note_data);
    def.fields = note_fields;
    def.field_count = COUNT(note_fields);
    def.item_size = sizeof(uint32_t);
    def.item_fields = item_fields;
    def.item_field_count = COUNT(item_fields);
    def.several = several;
    return def;
}

static void notes_register(kn_library *library, bool several, fixture *f)
{
    kn_component_def def = note_def("Note", several);
    assert_int_equal(kn_component_register(library, &def, &f->note, NULL), KN_OK);
    def = note_def("Single", false);
    assert_int_equal(kn_component_register(library, &def, &f->single, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = fixture_create(3);
    notes_register(f->library, true, f);
    begin(f);
    *state = f;
    return 0;
}

static kn_component_id note_on(kn_world *world, fixture *f, kn_entity_id entity, uint32_t number)
{
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(world, f->note, entity, &id), KN_OK);
    note_data *data = kn_component_instance_get(world, f->note, id);
    assert_non_null(data);
    assert_int_equal(data->number, 0);
    data->number = number;
    data->from = f->ally;
    return id;
}

static kn_component_id note_add(fixture *f, kn_entity_id entity, uint32_t number)
{
    return note_on(f->world, f, entity, number);
}

// Numbers of the notes of an entity in order, as a decimal number: 1, 2, 3 gives 123.
static uint32_t numbers_of(const kn_world *world, const fixture *f, kn_entity_id entity)
{
    uint32_t all = 0, count = 0;
    kn_component_id id = {0};
    while (!kn_component_id_is_null(id = kn_component_instance_next(world, f->note, entity, id))) {
        const note_data *data = kn_component_instance_read(world, f->note, id);
        all = all * 10 + data->number;
        count++;
    }
    assert_int_equal(kn_component_instance_count(world, f->note, entity), count);
    return all;
}

static void instances_are_walked_in_the_order_they_were_added(void **state)
{
    fixture *f = *state;
    kn_component_id first = note_add(f, f->hero, 1);
    (void)note_add(f, f->foe, 7);
    kn_component_id second = note_add(f, f->hero, 2);
    (void)note_add(f, f->hero, 3);
    (void)note_add(f, (kn_entity_id){0}, 8);

    assert_int_equal(numbers_of(f->world, f, f->hero), 123);
    assert_int_equal(numbers_of(f->world, f, f->foe), 7);
    assert_int_equal(numbers_of(f->world, f, f->ally), 0);
    assert_int_equal(numbers_of(f->world, f, (kn_entity_id){0}), 8);
    assert_true(
        kn_entity_id_equal(kn_component_instance_entity(f->world, f->note, second), f->hero));

    assert_true(kn_component_instance_remove(f->world, f->note, second));
    assert_int_equal(numbers_of(f->world, f, f->hero), 13);
    assert_false(kn_component_instance_is_alive(f->world, f->note, second));
    kn_component_id fourth = note_add(f, f->hero, 4); // takes the slot of the second
    assert_int_equal(fourth.index1, second.index1);
    assert_int_equal(numbers_of(f->world, f, f->hero), 134);
    assert_true(kn_component_instance_remove(f->world, f->note, first));
    assert_int_equal(numbers_of(f->world, f, f->hero), 34);
    assert_true(kn_component_instance_remove(f->world, f->note, fourth));
    assert_int_equal(numbers_of(f->world, f, f->hero), 3);
    assert_int_equal(numbers_of(f->world, f, f->foe), 7);
}

static void functions_by_entity_mean_the_first_instance(void **state)
{
    fixture *f = *state;
    note_data *made = kn_component_add(f->world, f->note, f->hero);
    assert_non_null(made);
    made->number = 1;
    (void)note_add(f, f->hero, 2);

    assert_ptr_equal(
        kn_component_add(f->world, f->note, f->hero), kn_component_get(f->world, f->note, f->hero));
    assert_int_equal(((const note_data *)kn_component_read(f->world, f->note, f->hero))->number, 1);
    assert_non_null(kn_component_resize(f->world, f->note, f->hero, 2));
    kn_component_id first =
        kn_component_instance_next(f->world, f->note, f->hero, (kn_component_id){0});
    uint32_t count = 0;
    assert_non_null(kn_component_instance_read_items(f->world, f->note, first, &count));
    assert_int_equal(count, 2);
    assert_true(kn_component_remove(f->world, f->note, f->hero));
    assert_int_equal(numbers_of(f->world, f, f->hero), 2);
    assert_true(kn_component_remove(f->world, f->note, f->hero));
    assert_false(kn_component_remove(f->world, f->note, f->hero));
    assert_null(kn_component_read(f->world, f->note, f->hero));
}

static void each_instance_has_items_of_its_own(void **state)
{
    fixture *f = *state;
    kn_component_id a = note_add(f, f->hero, 1), b = note_add(f, f->hero, 2);

    uint32_t *words = kn_component_instance_resize(f->world, f->note, a, 3);
    words[2] = 30;
    words = kn_component_instance_resize(f->world, f->note, b, 1);
    words[0] = 10;

    uint32_t count;
    const uint32_t *read = kn_component_instance_read_items(f->world, f->note, a, &count);
    assert_int_equal(count, 3);
    assert_int_equal(read[2], 30);
    uint32_t *items = kn_component_instance_items(f->world, f->note, b, &count);
    assert_int_equal(count, 1);
    assert_int_equal(items[0], 10);
    assert_null(kn_component_instance_resize(f->world, f->note, a, 0));
    assert_null(kn_component_instance_items(f->world, f->note, a, &count));
    assert_int_equal(count, 0);
}

static void stale_ids_and_single_types_are_refused(void **state)
{
    fixture *f = *state;
    kn_component_id id = note_add(f, f->hero, 1), none;
    assert_true(kn_component_instance_remove(f->world, f->note, id));
    const kn_component_id stale[] = {id, {0, 0}, {1, 99}, {UINT32_MAX, 1}};

    for (uint32_t i = 0; i < COUNT(stale); i++) {
        uint32_t count = 9;
        assert_false(kn_component_instance_is_alive(f->world, f->note, stale[i]));
        assert_false(kn_component_instance_remove(f->world, f->note, stale[i]));
        assert_null(kn_component_instance_get(f->world, f->note, stale[i]));
        assert_null(kn_component_instance_read(f->world, f->note, stale[i]));
        assert_null(kn_component_instance_resize(f->world, f->note, stale[i], 1));
        assert_null(kn_component_instance_items(f->world, f->note, stale[i], &count));
        assert_int_equal(count, 0);
        assert_int_equal(kn_component_instance_entity(f->world, f->note, stale[i]).index1, 0);
        assert_int_equal(
            kn_component_instance_next(f->world, f->note, f->hero, stale[i]).index1, 0);
    }
    id = note_add(f, f->hero, 1);
    (void)note_add(f, f->hero, 2);
    assert_int_equal(kn_component_instance_next(f->world, f->note, f->foe, id).index1, 0);
    assert_non_null(kn_component_add(f->world, f->single, f->hero));
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(
        kn_component_instance_add(f->world, f->single, f->hero, &none), KN_REFUSED_DUPLICATE);
    assert_int_equal(none.index1, 0);
    kn_entity_id gone = {f->hero.index1, f->hero.generation + 50};
    assert_int_equal(
        kn_component_instance_add(f->world, f->note, gone, &none), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_component_instance_next(f->world, f->single, f->hero, (kn_component_id){0}).index1, 0);
    assert_int_equal(kn_component_instance_count(f->world, f->single, f->hero), 1);
    assert_true(kn_world_hash(f->world) == before);
}

static void the_end_of_an_entity_removes_all_its_instances(void **state)
{
    fixture *f = *state;
    kn_component_id a = note_add(f, f->hero, 1), b = note_add(f, f->hero, 2);
    kn_component_id c = note_add(f, f->foe, 3);

    assert_true(kn_entity_destroy(f->world, f->hero));

    assert_false(kn_component_instance_is_alive(f->world, f->note, a));
    assert_false(kn_component_instance_is_alive(f->world, f->note, b));
    assert_true(kn_component_instance_is_alive(f->world, f->note, c));
    assert_true(kn_world_validate(f->world));
}

// Three on the hero with a gap in the slots before, one on the foe, one of the world.
static kn_component_id notes_scatter(fixture *f)
{
    kn_component_id gap = note_add(f, f->foe, 9);
    (void)note_add(f, f->hero, 1);
    (void)note_add(f, (kn_entity_id){0}, 5);
    kn_component_id middle = note_add(f, f->hero, 2);
    assert_true(kn_component_instance_remove(f->world, f->note, gap));
    (void)note_add(f, f->hero, 3); // in the slot before the others
    (void)note_add(f, f->foe, 4);
    uint32_t *words = kn_component_instance_resize(f->world, f->note, middle, 2);
    words[1] = 77;
    return middle;
}

static void copies_keep_ids_and_order(void **state)
{
    fixture *f = *state;
    kn_component_id middle = notes_scatter(f);
    size_t save_size, snapshot_size;
    void *save = save_of(f->world, &save_size), *snapshot = snapshot_of(f->world, &snapshot_size);
    kn_world *other = world_of(f, kn_world_def_default());

    save_load(other, save, save_size);

    assert_same_worlds(f->world, other);
    assert_int_equal(numbers_of(other, f, f->hero), 123);
    const note_data *data = kn_component_instance_read(other, f->note, middle);
    assert_int_equal(data->number, 2);
    assert_true(kn_entity_id_equal(data->from, f->ally));
    const uint32_t *words = kn_component_instance_read_items(other, f->note, middle, NULL);
    assert_int_equal(words[1], 77);
    // The next ones have equal ids in both worlds.
    kn_component_id in_world = note_on(f->world, f, f->foe, 6),
                    in_other = note_on(other, f, f->foe, 6);
    assert_true(kn_component_id_equal(in_world, in_other));
    assert_same_worlds(f->world, other);

    assert_true(kn_component_instance_remove(f->world, f->note, middle));
    snapshot_restore(f->world, snapshot, snapshot_size);
    assert_int_equal(numbers_of(f->world, f, f->hero), 123);
    in_world = note_on(f->world, f, f->foe, 6);
    assert_true(kn_component_id_equal(in_world, in_other));
    assert_same_worlds(f->world, other);
    kn_world_destroy(other);
    free(save);
    free(snapshot);
}

static void every_part_of_an_instance_is_hashed_and_its_difference_named(void **state)
{
    fixture *f = *state;
    kn_component_id middle = notes_scatter(f);
    size_t size;
    void *save = save_of(f->world, &size);
    kn_world *other = world_of(f, kn_world_def_default());
    save_load(other, save, size);
    char text[256];

    ((note_data *)kn_component_instance_get(other, f->note, middle))->number = 6;
    assert_true(kn_world_difference(f->world, other, text, sizeof(text)));
    assert_string_equal(text, "entity 1, component Note [1], number 2 against 6");
    assert_true(kn_world_hash(f->world) != kn_world_hash(other));
    assert_true(kn_entity_hash(f->world, f->hero) != kn_entity_hash(other, f->hero));

    // The same numbers in another order of creation.
    save_load(other, save, size);
    assert_true(kn_component_instance_remove(other, f->note, middle));
    (void)note_on(other, f, f->hero, 2);
    assert_true(kn_world_difference(f->world, other, text, sizeof(text)));
    assert_non_null(strstr(text, "component Note [1]"));
    assert_true(kn_world_hash(f->world) != kn_world_hash(other));

    save_load(other, save, size);
    assert_true(kn_component_instance_remove(other, f->note, middle));
    assert_true(kn_world_difference(f->world, other, text, sizeof(text)));
    assert_true(kn_world_hash(f->world) != kn_world_hash(other));
    kn_world_destroy(other);
    free(save);
}

static void dumps_show_every_instance(void **state)
{
    fixture *f = *state;
    (void)note_add(f, f->hero, 41);
    (void)note_add(f, f->hero, 42);
    char text[4096];

    (void)kn_entity_dump(f->world, f->hero, text, sizeof(text));

    const char *first = strstr(text, "Note\n");
    assert_non_null(first);
    assert_non_null(strstr(first, "41"));
    const char *second = strstr(first + 1, "Note\n");
    assert_non_null(second);
    assert_non_null(strstr(second, "42"));
}

// A library that differs in `several`.
static kn_library *library_with(fixture *f, bool several)
{
    kn_library *library;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    notes_register(library, several, f);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    return library;
}

static void a_reload_takes_single_components_along_and_refuses_several(void **state)
{
    fixture *f = *state;
    kn_component_id id = note_add(f, f->hero, 1);
    kn_library *single = library_with(f, false), *several = library_with(f, true);
    kn_error error = {0};
    assert_int_equal(kn_world_reload(f->world, several, &error), KN_OK);
    assert_true(kn_component_instance_is_alive(f->world, f->note, id));

    assert_int_equal(kn_world_reload(f->world, single, &error), KN_OK);
    assert_int_equal(((const note_data *)kn_component_read(f->world, f->note, f->hero))->number, 1);
    assert_int_equal(kn_world_reload(f->world, several, &error), KN_OK);
    assert_true(kn_world_validate(f->world));
    assert_int_equal(numbers_of(f->world, f, f->hero), 1);

    (void)note_add(f, f->hero, 2);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_world_reload(f->world, single, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "several components `Note`"));
    assert_true(kn_world_hash(f->world) == before);
    assert_int_equal(numbers_of(f->world, f, f->hero), 12);
    kn_library_destroy(single);
    kn_library_destroy(several);
}

// What a follower of changes sees.
static void a_follower_sees_what_changed_and_nothing_else(void **state)
{
    fixture *f = *state;
    kn_component_follow(f->world, f->single);
    kn_component_changes before = kn_component_get_changes(f->world, f->single);
    assert_int_equal(before.first, before.count);
    assert_non_null(kn_component_add(f->world, f->single, f->hero));
    assert_non_null(kn_component_add(f->world, f->single, (kn_entity_id){0}));
    assert_non_null(kn_component_read(f->world, f->single, f->hero)); // not a change
    assert_non_null(kn_component_get(f->world, f->single, f->hero));
    assert_non_null(kn_component_add(f->world, f->single, f->foe));
    assert_true(kn_entity_destroy(f->world, f->foe));
    (void)note_add(f, f->hero, 1); // another type

    kn_component_changes after = kn_component_get_changes(f->world, f->single);

    assert_int_equal(after.count, before.count + 5);
    assert_int_equal(after.first, before.first);
    assert_int_equal(after.components, 2);
    assert_int_equal(kn_component_change_count(f->world, f->single), after.count);
    kn_entity_id gone = {f->foe.index1, 0};
    const kn_entity_id expected[] = {f->hero, {0, 0}, f->hero, gone, gone};
    kn_component_change list[8];
    assert_int_equal(
        kn_component_list_changes(f->world, f->single, before.count, list, COUNT(list)), 5);
    for (uint32_t i = 0; i < COUNT(expected); i++) {
        assert_true(kn_entity_id_equal(list[i].entity, expected[i]));
        assert_ptr_equal(list[i].component,
            i % 2 == 0 && i < 4 ? kn_component_read(f->world, f->single, f->hero) : NULL);
    }
    assert_int_equal(kn_component_list_changes(f->world, f->single, before.count + 3, list, 1), 1);
    assert_true(kn_entity_id_equal(list[0].entity, gone));
    assert_int_equal(kn_component_list_changes(f->world, f->single, after.count, list, 1), 0);
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 0; i < 500; i++) { // more than the list has room for
        assert_non_null(kn_component_get(f->world, f->single, f->hero));
    }
    assert_true(kn_component_get_changes(f->world, f->single).first > after.count);
    assert_true(kn_world_hash(f->world) == hash);

    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_component_changes last = kn_component_get_changes(f->world, f->single);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    after = kn_component_get_changes(f->world, f->single);
    assert_true(after.count > last.count && after.first > last.count);
}

static const struct CMUnitTest tests[] = {
    TEST(instances_are_walked_in_the_order_they_were_added),
    TEST(functions_by_entity_mean_the_first_instance),
    TEST(each_instance_has_items_of_its_own),
    TEST(stale_ids_and_single_types_are_refused),
    TEST(the_end_of_an_entity_removes_all_its_instances),
    TEST(copies_keep_ids_and_order),
    TEST(a_follower_sees_what_changed_and_nothing_else),
    TEST(every_part_of_an_instance_is_hashed_and_its_difference_named),
    TEST(dumps_show_every_instance),
    TEST(a_reload_takes_single_components_along_and_refuses_several),
};

TEST_GROUP(component_instances, tests, NULL, NULL);
