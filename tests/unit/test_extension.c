// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "knack/knack.h"

#include "test_memory.h"

typedef struct threat {
    float amount;
    uint32_t hits;
    kn_entity_id target;
    uint8_t flags[3]; // a size that is not a multiple of 8
    bool is_hot;
} threat;

typedef struct threat_item {
    kn_entity_id who;
    float amount;
} threat_item;

typedef struct score {
    uint64_t points;
} score;

typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_world *world;
    kn_component_type_id threat, score;
    kn_timer_type_id adder;
} fixture;

// A rule that adds components in the middle of a step.
static kn_time adder_fire(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const fixture *f = user;
    (void)data;
    threat *added = kn_component_add(world, f->threat, entity);
    assert_non_null(added);
    added->hits = 7;
    return 0;
}

static void library_fill(fixture *f)
{
    const kn_field fields[] = {
        KN_FIELD_INIT("amount", KN_FIELD_F32, offsetof(threat, amount), 1),
        KN_FIELD_INIT("hits", KN_FIELD_U32, offsetof(threat, hits), 1),
        KN_FIELD_INIT("target", KN_FIELD_ENTITY, offsetof(threat, target), 1),
        KN_FIELD_INIT("flags", KN_FIELD_U8, offsetof(threat, flags), 3),
        KN_FIELD_INIT("is_hot", KN_FIELD_BOOL, offsetof(threat, is_hot), 1),
    };
    const kn_field item_fields[] = {
        KN_FIELD_INIT("who", KN_FIELD_ENTITY, offsetof(threat_item, who), 1),
        KN_FIELD_INIT("amount", KN_FIELD_F32, offsetof(threat_item, amount), 1),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Threat";
    def.size = sizeof(threat);
    def.fields = fields;
    def.field_count = 5;
    def.item_size = sizeof(threat_item);
    def.item_fields = item_fields;
    def.item_field_count = 2;
    assert_int_equal(kn_component_register(f->library, &def, &f->threat, NULL), KN_OK);

    const kn_field points = KN_FIELD_INIT("points", KN_FIELD_U64, 0, 1);
    def = kn_component_def_default();
    def.name = "Score";
    def.size = sizeof(score);
    def.fields = &points;
    def.field_count = 1;
    assert_int_equal(kn_component_register(f->library, &def, &f->score, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(f->library, "Adder", adder_fire, f, &f->adder, NULL), KN_OK);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    library_fill(f);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->memory.fail_at = 0;
    assert_true(kn_world_validate(f->world));
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->memory.blocks, 0);
    free(f);
    return 0;
}

static kn_entity_id entity_new(fixture *f)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    return entity;
}

static void assert_zero(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

// Components ----------------------------------------------------------------

static void component_is_added_zeroed_and_found_again(void **state)
{
    fixture *f = *state;
    kn_entity_id a = entity_new(f), b = entity_new(f);
    assert_null(kn_component_get(f->world, f->threat, a));
    threat *first = kn_component_add(f->world, f->threat, a);
    assert_non_null(first);
    assert_int_equal((uintptr_t)first % 8, 0);
    assert_zero(first, sizeof *first);
    first->hits = 3;
    first->target = b;

    assert_ptr_equal(kn_component_add(f->world, f->threat, a), first); // finds it
    assert_ptr_equal(kn_component_get(f->world, f->threat, a), first);
    const threat *seen = kn_component_read(f->world, f->threat, a);
    assert_int_equal(seen->hits, 3);
    assert_null(kn_component_get(f->world, f->threat, b));
    assert_null(kn_component_get(f->world, f->score, a));
    assert_false(kn_entity_is_actor(f->world, a)); // that is another component
}

static void each_entity_and_type_has_its_own(void **state)
{
    fixture *f = *state;
    kn_entity_id entities[200];
    for (uint32_t i = 0; i < 200; i++) {
        entities[i] = entity_new(f);
        threat *t = kn_component_add(f->world, f->threat, entities[i]);
        score *s = kn_component_add(f->world, f->score, entities[i]);
        assert_true(t != NULL && s != NULL);
        s->points = UINT64_C(1) << 40 | i;
        t = kn_component_get(f->world, f->threat, entities[i]);
        t->hits = i;
    }
    for (uint32_t i = 0; i < 200; i++) {
        const threat *t = kn_component_read(f->world, f->threat, entities[i]);
        const score *s = kn_component_read(f->world, f->score, entities[i]);
        assert_int_equal(t->hits, i);
        assert_int_equal(s->points, UINT64_C(1) << 40 | i);
    }
}

static void removed_component_is_gone_and_comes_back_zeroed(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    assert_false(kn_component_remove(f->world, f->threat, entity));
    threat *t = kn_component_add(f->world, f->threat, entity);
    t->hits = 3;
    assert_non_null(kn_component_resize(f->world, f->threat, entity, 10));
    assert_true(kn_component_remove(f->world, f->threat, entity));
    assert_false(kn_component_remove(f->world, f->threat, entity));
    assert_null(kn_component_get(f->world, f->threat, entity));
    t = kn_component_add(f->world, f->threat, entity);
    assert_zero(t, sizeof *t);
    uint32_t count = 99;
    assert_null(kn_component_items(f->world, f->threat, entity, &count));
    assert_int_equal(count, 0);
}

static void world_has_components_of_its_own(void **state)
{
    fixture *f = *state;
    kn_entity_id none = {0};
    assert_null(kn_component_get(f->world, f->score, none));
    score *own = kn_component_add(f->world, f->score, none);
    assert_non_null(own);
    own->points = 12;
    kn_entity_id entity = entity_new(f);
    score *other = kn_component_add(f->world, f->score, entity);
    assert_int_equal(other->points, 0);
    own = kn_component_get(f->world, f->score, none);
    assert_int_equal(own->points, 12);
    // It is not an entity's: a walk passes it by.
    assert_true(kn_entity_id_equal(kn_component_next(f->world, f->score, none), entity));
    assert_true(kn_entity_id_is_null(kn_component_next(f->world, f->score, entity)));
    assert_true(kn_component_remove(f->world, f->score, none));
    assert_null(kn_component_get(f->world, f->score, none));
    assert_non_null(kn_component_get(f->world, f->score, entity));
    assert_non_null(kn_component_add(f->world, f->threat, none));
    assert_non_null(kn_component_resize(f->world, f->threat, none, 3));
}

static void components_die_with_their_entity(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f), other = entity_new(f);
    assert_non_null(kn_component_add(f->world, f->threat, entity));
    assert_non_null(kn_component_resize(f->world, f->threat, entity, 100));
    assert_non_null(kn_component_add(f->world, f->score, entity));
    assert_non_null(kn_component_add(f->world, f->score, other));
    assert_true(kn_entity_destroy(f->world, entity));
    assert_null(kn_component_get(f->world, f->threat, entity));
    assert_null(kn_component_read(f->world, f->threat, entity));
    assert_null(kn_component_add(f->world, f->threat, entity)); // a stale id gets none
    assert_false(kn_component_remove(f->world, f->threat, entity));
    assert_null(kn_component_resize(f->world, f->threat, entity, 4));
    uint32_t count = 5;
    assert_null(kn_component_items(f->world, f->threat, entity, &count));
    assert_int_equal(count, 0);
    void *items = &count;
    count = 5;
    assert_null(kn_component_get_whole(f->world, f->threat, entity, &items, &count));
    assert_null(items);
    assert_int_equal(count, 0);

    kn_entity_id next = entity_new(f); // in the place of the old one
    assert_int_equal(next.index1, entity.index1);
    assert_null(kn_component_get(f->world, f->threat, next));
    assert_null(kn_component_get(f->world, f->score, next));
    assert_non_null(kn_component_get(f->world, f->score, other));
    assert_true(kn_world_validate(f->world));
}

static void body_has_its_own_components(void **state)
{
    fixture *f = *state;
    kn_entity_id owner = entity_new(f), body = entity_new(f);
    assert_int_equal(kn_entity_set_avatar(f->world, owner, body), KN_OK);
    assert_non_null(kn_component_add(f->world, f->score, owner));
    assert_null(kn_component_get(f->world, f->score, body));
}

static void walk_goes_by_place(void **state)
{
    fixture *f = *state;
    kn_entity_id entities[10];
    for (uint32_t i = 0; i < 10; i++) {
        entities[i] = entity_new(f);
    }
    for (uint32_t i = 10; i-- > 0;) { // added from behind
        if (i % 3 == 0) {
            assert_non_null(kn_component_add(f->world, f->score, entities[i]));
        }
    }
    kn_entity_id at = {0};
    for (uint32_t i = 0; i < 10; i += 3) {
        at = kn_component_next(f->world, f->score, at);
        assert_true(kn_entity_id_equal(at, entities[i]));
    }
    assert_true(kn_entity_id_is_null(kn_component_next(f->world, f->score, at)));
    assert_true(kn_entity_id_is_null(kn_component_next(f->world, f->threat, (kn_entity_id){0})));
}

static void rule_may_add_components_in_a_step(void **state)
{
    fixture *f = *state;
    kn_entity_id entities[100];
    for (uint32_t i = 0; i < 100; i++) {
        entities[i] = entity_new(f);
        assert_int_equal(kn_timer_start(f->world, f->adder, entities[i], i, NULL, NULL), KN_OK);
    }
    assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
    for (uint32_t i = 0; i < 100; i++) {
        const threat *t = kn_component_read(f->world, f->threat, entities[i]);
        assert_non_null(t);
        assert_int_equal(t->hits, 7);
    }
}

// Items ---------------------------------------------------------------------

static void items_grow_zeroed_and_shrink(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    uint32_t count = 5;
    assert_null(kn_component_resize(f->world, f->threat, entity, 3)); // there is no component
    threat *t = kn_component_add(f->world, f->threat, entity);
    t->hits = 11;
    assert_null(kn_component_items(f->world, f->threat, entity, &count));
    assert_int_equal(count, 0);

    threat_item *items = kn_component_resize(f->world, f->threat, entity, 3);
    assert_non_null(items);
    assert_zero(items, 3 * sizeof *items);
    for (uint32_t i = 0; i < 3; i++) {
        items[i].amount = (float)i + 1.0f;
    }
    items = kn_component_resize(f->world, f->threat, entity, 500);
    assert_non_null(items);
    for (uint32_t i = 0; i < 3; i++) {
        assert_float_equal(items[i].amount, (float)i + 1.0f, 0.0f);
    }
    assert_zero(items + 3, 497 * sizeof *items);
    memset(items, 0x7f, 500 * sizeof *items);
    items = kn_component_resize(f->world, f->threat, entity, 2);
    assert_non_null(items);
    assert_ptr_equal(kn_component_items(f->world, f->threat, entity, &count), items);
    assert_int_equal(count, 2);
    // Both at once: it counts as handed out for writing.
    const uint64_t changes = kn_component_change_count(f->world, f->threat);
    void *whole = NULL;
    count = 0;
    t = kn_component_get_whole(f->world, f->threat, entity, &whole, &count);
    assert_ptr_equal(t, kn_component_read(f->world, f->threat, entity));
    assert_ptr_equal(whole, items);
    assert_int_equal(count, 2);
    assert_true(kn_component_change_count(f->world, f->threat) > changes);
    items = kn_component_resize(f->world, f->threat, entity, 4);
    assert_zero(items + 2, 2 * sizeof *items); // nothing of what was there before
    assert_null(kn_component_resize(f->world, f->threat, entity, 0));
    assert_null(kn_component_items(f->world, f->threat, entity, NULL));
    t = kn_component_get(f->world, f->threat, entity);
    assert_int_equal(t->hits, 11);
}

// Refusals ------------------------------------------------------------------

static void unknown_types_are_refused(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = entity_new(f);
    kn_component_type_id unknown[2] = {{0}, {77}};
    kn_assert_set_handler(test_ignore_assert);
    for (uint32_t i = 0; i < 2; i++) {
        assert_null(kn_component_add(f->world, unknown[i], entity));
        assert_null(kn_component_get(f->world, unknown[i], entity));
        assert_null(kn_component_read(f->world, unknown[i], entity));
        assert_false(kn_component_remove(f->world, unknown[i], entity));
        assert_null(kn_component_resize(f->world, unknown[i], entity, 1));
        assert_null(kn_component_items(f->world, unknown[i], entity, NULL));
        void *items = &unknown;
        uint32_t count = 7;
        assert_null(kn_component_get_whole(f->world, unknown[i], entity, &items, &count));
        assert_null(items);
        assert_int_equal(count, 0);
        assert_true(
            kn_entity_id_is_null(kn_component_next(f->world, unknown[i], (kn_entity_id){0})));
    }
    // A type without items has none.
    assert_non_null(kn_component_add(f->world, f->score, entity));
    assert_null(kn_component_resize(f->world, f->score, entity, 2));
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_component_find(f->library, "Threat").index1, f->threat.index1);
    assert_int_equal(kn_component_find(f->library, "Nothing").index1, 0);
}

static void without_memory_nothing_changes(void **state)
{
    fixture *f = *state;
    enum { COUNT = 100 };
    kn_entity_id entities[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        entities[i] = entity_new(f);
    }
    uint32_t failures = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t fail = 1;; fail++) {
            f->memory.fail_at = f->memory.calls + fail;
            threat *t = kn_component_add(f->world, f->threat, entities[i]);
            threat_item *items =
                t != NULL ? kn_component_resize(f->world, f->threat, entities[i], 1000) : NULL;
            f->memory.fail_at = 0;
            assert_false(kn_world_is_broken(f->world));
            assert_true(kn_world_validate(f->world));
            if (t == NULL) {
                assert_null(kn_component_get(f->world, f->threat, entities[i]));
            } else if (items == NULL) {
                uint32_t count = 7;
                assert_null(kn_component_items(f->world, f->threat, entities[i], &count));
                assert_int_equal(count, 0);
            } else {
                break;
            }
            failures++;
            assert_true(fail < 10);
        }
    }
    assert_true(failures > 0);
    kn_entity_id entity = entities[3];
    assert_null(kn_component_resize(f->world, f->threat, entity, UINT32_MAX));
    uint32_t count;
    assert_non_null(kn_component_items(f->world, f->threat, entity, &count));
    assert_int_equal(count, 1000);
}

static void a_registered_component_tells_its_fields(void **state)
{
    const fixture *f = *state;
    const kn_component_def *def = kn_component_get_def(f->library, f->threat);
    assert_non_null(def);
    assert_string_equal(def->name, "Threat");
    assert_int_equal(def->size, sizeof(threat));
    assert_int_equal(def->field_count, 5);
    assert_string_equal(def->fields[2].name, "target");
    assert_int_equal(def->fields[2].kind, KN_FIELD_ENTITY);
    assert_null(kn_component_get_def(f->library, (kn_component_type_id){0}));
    assert_null(kn_component_get_def(f->library, (kn_component_type_id){1000}));
    const kn_target_type_def *hit = kn_target_type_get_def(f->library, kn_target_type_hit());
    assert_non_null(hit);
    assert_int_equal(hit->size, sizeof(kn_target_hit));
    assert_null(kn_target_type_get_def(f->library, (kn_target_type_id){0}));
}

static void note_release(void *user)
{
    uint32_t *released = user;
    *released += 1;
}

static void a_library_keeps_what_its_functions_need_as_long_as_a_world_uses_it(void **state)
{
    (void)state;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    uint32_t released = 0;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_int_equal(kn_library_keep(library, note_release, &released), KN_OK);
    assert_int_equal(kn_library_keep(library, note_release, &released), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_int_equal(kn_library_keep(library, note_release, &released), KN_ERROR_WORLD_LOCKED);
    kn_world_def world_def = kn_world_def_default();
    world_def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&world_def, &world), KN_OK);
    kn_library_destroy(library);
    assert_int_equal(released, 0);
    kn_world_destroy(world);
    assert_int_equal(released, 2);
}

static uint64_t hash_with(uint64_t first, uint64_t second)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    if (first != 0) {
        assert_int_equal(kn_library_add_hash(library, first), KN_OK);
        assert_int_equal(kn_library_add_hash(library, second), KN_OK);
    }
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_int_equal(kn_library_add_hash(library, 1), KN_ERROR_WORLD_LOCKED);
    uint64_t hash = kn_library_hash(library);
    kn_library_destroy(library);
    return hash;
}

static void added_hashes_are_part_of_the_library_hash_in_their_order(void **state)
{
    (void)state;
    assert_true(hash_with(1, 2) == hash_with(1, 2));
    assert_true(hash_with(1, 2) != hash_with(2, 1));
    assert_true(hash_with(1, 2) != hash_with(0, 0));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(component_is_added_zeroed_and_found_again),
    TEST(each_entity_and_type_has_its_own),
    TEST(removed_component_is_gone_and_comes_back_zeroed),
    TEST(world_has_components_of_its_own),
    TEST(components_die_with_their_entity),
    TEST(body_has_its_own_components),
    TEST(walk_goes_by_place),
    TEST(rule_may_add_components_in_a_step),
    TEST(items_grow_zeroed_and_shrink),
    TEST(unknown_types_are_refused),
    TEST(without_memory_nothing_changes),
    TEST(a_registered_component_tells_its_fields),
    TEST(a_library_keeps_what_its_functions_need_as_long_as_a_world_uses_it),
    TEST(added_hashes_are_part_of_the_library_hash_in_their_order),
};

TEST_GROUP(test_extension, tests, NULL, NULL);
