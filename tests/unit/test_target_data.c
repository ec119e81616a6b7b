// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Target data: typed records, checked access, messages, and bytes that make no sense.

#include "knack/knack.h"

#include "test_memory.h"

#include <math.h>

// A shotgun pellet: a kind of its own, with every kind of field that has values to refuse.
typedef struct pellet {
    kn_entity_id entity;
    kn_vec3 point;
    uint32_t weight;
    uint64_t seed;
    kn_time when;
    int32_t spread[2];
    kn_tag school;
    kn_attribute_id stat;
    uint16_t bone;
    bool is_head;
    uint8_t flags;
    float power;
} pellet;

#define PELLET(member, kind, count) KN_FIELD_INIT(#member, kind, offsetof(pellet, member), count)

static const kn_field pellet_fields[] = {
    PELLET(entity, KN_FIELD_ENTITY, 1),
    PELLET(point, KN_FIELD_VEC3, 0),
    PELLET(weight, KN_FIELD_U32, 1),
    PELLET(seed, KN_FIELD_U64, 1),
    PELLET(when, KN_FIELD_TIME, 1),
    PELLET(spread, KN_FIELD_I32, 2),
    PELLET(school, KN_FIELD_TAG, 1),
    PELLET(stat, KN_FIELD_ATTRIBUTE, 1),
    PELLET(bone, KN_FIELD_U16, 1),
    PELLET(is_head, KN_FIELD_BOOL, 1),
    PELLET(flags, KN_FIELD_U8, 1),
    PELLET(power, KN_FIELD_F32, 1),
};

typedef struct fixture {
    kn_library *library;
    kn_target_type_id pellet;
    kn_tag fire;
    kn_attribute_id health;
} fixture;

static kn_target_type_def pellet_def(void)
{
    kn_target_type_def def = kn_target_type_def_default();
    def.name = "Pellet";
    def.size = sizeof(pellet);
    def.fields = pellet_fields;
    def.field_count = sizeof(pellet_fields) / sizeof(pellet_fields[0]);
    return def;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &f->library), KN_OK);
    kn_target_type_def def = pellet_def();
    assert_int_equal(kn_target_type_register(f->library, &def, &f->pellet, NULL), KN_OK);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "School.Fire";
    assert_int_equal(kn_tag_register(f->library, &tag, &f->fire, NULL), KN_OK);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = &health;
    set.attribute_count = 1;
    kn_attribute_set_id vitals;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

static kn_entity_id entity_of(uint32_t number)
{
    kn_entity_id entity = {number, number + 100};
    return entity;
}

static pellet pellet_of(const fixture *f)
{
    pellet p = {entity_of(7), {1.5f, -2.25f, 1e-20f}, 0xdeadbeef, 0x0123456789abcdef, KN_MS(1234),
        {-5, INT32_MIN}, f->fire, f->health, 0xfffe, true, 0x80, 0.1f};
    return p;
}

static void add(const fixture *f, kn_target_data *data, kn_target_type_id type, const void *record)
{
    assert_int_equal(kn_target_add(f->library, data, type, record), KN_OK);
}

static void add_entity(const fixture *f, kn_target_data *data, uint32_t number)
{
    kn_target_entity record = {entity_of(number)};
    add(f, data, kn_target_type_entity(), &record);
}

// One record of every kind.
static kn_target_data everything(const fixture *f)
{
    kn_target_data data = {0};
    kn_target_hit hit = {entity_of(2), {1, 2, 3}, {0, 0, 1}, 4.5f, 6};
    kn_target_location location = {{10, 20, 30}, {0, 1, 0}};
    kn_target_line line = {entity_of(3), {1, 1, 1}, {1, 0, 0}, {9, 1, 1}};
    pellet p = pellet_of(f);
    add_entity(f, &data, 1);
    add(f, &data, kn_target_type_hit(), &hit);
    add(f, &data, kn_target_type_location(), &location);
    add(f, &data, kn_target_type_line(), &line);
    add(f, &data, f->pellet, &p);
    return data;
}

// TGT-001, TGT-002, TGT-007, TGT-008, TGT-009, GAPA-044, TVA-065
static void records_are_read_as_what_they_are_and_nothing_else(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    kn_target_hit hit = {entity_of(2), {1, 2, 3}, {0, 0, 1}, 4.5f, 6};
    add_entity(f, &data, 1);
    add(f, &data, kn_target_type_hit(), &hit);
    kn_target_view view = kn_target_data_view(&data);
    assert_int_equal(kn_target_count(view), 2);
    assert_int_equal(data.count, 2);
    assert_int_equal(kn_target_type_at(view, 0).index1, kn_target_type_entity().index1);
    assert_int_equal(kn_target_type_at(view, 2).index1, 0);
    assert_null(kn_target_get(view, 0, kn_target_type_hit()));
    assert_null(kn_target_get(view, 1, kn_target_type_entity()));
    assert_null(kn_target_get(view, 2, kn_target_type_entity()));
    assert_null(kn_target_get(view, UINT32_MAX, kn_target_type_entity()));
    assert_null(kn_target_get(view, 0, (kn_target_type_id){0}));
    const kn_target_hit *read = kn_target_get(view, 1, kn_target_type_hit());
    assert_memory_equal(read, &hit, sizeof(hit));
    kn_target_hit *changed = kn_target_get_mutable(&data, 1, kn_target_type_hit());
    changed->part = 9;
    assert_int_equal(
        ((const kn_target_hit *)kn_target_get(view, 1, kn_target_type_hit()))->part, 9);
    assert_null(kn_target_get_mutable(&data, 1, kn_target_type_line()));
    assert_null(kn_target_get_mutable(&data, 2, kn_target_type_hit()));
    assert_null(kn_target_get_mutable(NULL, 0, kn_target_type_hit()));
}

// TGT-005: records of any type lie in the data itself. What they were made from may go, a copy is a
// copy, and there is nothing to free.
static void data_owns_its_records(void **state)
{
    fixture *f = *state;
    kn_target_data *data = calloc(1, sizeof(*data));
    kn_target_hit *hit = malloc(sizeof(*hit));
    kn_target_line *line = malloc(sizeof(*line));
    *hit = (kn_target_hit){entity_of(2), {1, 2, 3}, {0, 0, 1}, 4.5f, 6};
    *line = (kn_target_line){entity_of(3), {1, 1, 1}, {1, 0, 0}, {9, 1, 1}};
    add(f, data, kn_target_type_hit(), hit);
    add(f, data, kn_target_type_line(), line);
    memset(hit, 0xee, sizeof(*hit));
    free(hit);
    free(line);
    kn_target_data copy = *data;
    kn_target_hit *first = kn_target_get_mutable(data, 0, kn_target_type_hit());
    first->part = 99;
    memset(data, 0xee, sizeof(*data));
    free(data);
    kn_target_view view = kn_target_data_view(&copy);
    assert_int_equal(kn_target_count(view), 2);
    const kn_target_hit *read = kn_target_get(view, 0, kn_target_type_hit());
    const kn_target_line *end = kn_target_get(view, 1, kn_target_type_line());
    assert_true(read->part == 6 && read->point.y == 2.0f);
    assert_true(end->end.x == 9.0f);
    assert_null(kn_target_get(view, 1, kn_target_type_hit())); // each is what it is
}

static void expect_refused(kn_library *library, const kn_target_type_def *def)
{
    kn_target_type_id type = {1};
    kn_error error = {0};
    assert_int_not_equal(kn_target_type_register(library, def, &type, &error), KN_OK);
    assert_int_equal(type.index1, 0);
    assert_int_not_equal(error.message[0], 0);
}

// TGT-006, GAPA-044
static void a_type_of_ones_own_needs_a_table_that_covers_it(void **state)
{
    fixture *f = *state;
    assert_int_equal(kn_target_type_find(f->library, "Pellet").index1, f->pellet.index1);
    assert_int_equal(kn_target_type_find(f->library, "Nothing").index1, 0);
    assert_int_equal(kn_target_type_find(f->library, "Knack.Target.Hit").index1, 2);
    kn_library *library;
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_target_type_def def = pellet_def();
    def.field_count--;
    expect_refused(library, &def);
    def = pellet_def();
    def.fields = NULL;
    expect_refused(library, &def);
    def = pellet_def();
    def.size = 0;
    expect_refused(library, &def);
    def.size = 513;
    expect_refused(library, &def);
    def = pellet_def();
    def.name = "Knack.Target.Hit";
    expect_refused(library, &def);
    def.name = "";
    expect_refused(library, &def);
    kn_library_destroy(library);
}

// TGT-009: a shotgun has one record per pellet.
static void entities_come_once_each_in_order(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    const uint32_t numbers[] = {5, 3, 5, 4, 3, 4};
    for (uint32_t i = 0; i < 6; i++) {
        add_entity(f, &data, numbers[i]);
    }
    kn_target_hit scenery = {.distance = 1};
    add(f, &data, kn_target_type_hit(), &scenery);
    kn_entity_id out[4] = {{0}};
    assert_int_equal(kn_target_entities(kn_target_data_view(&data), out, 4), 3);
    assert_int_equal(out[0].index1, 5);
    assert_int_equal(out[1].index1, 3);
    assert_int_equal(out[2].index1, 4);
    assert_int_equal(out[3].index1, 0);
    memset(out, 0, sizeof(out));
    assert_int_equal(kn_target_entities(kn_target_data_view(&data), out, 1), 3);
    assert_int_equal(out[1].index1, 0);
    assert_int_equal(kn_target_entities(kn_target_data_view(&data), NULL, 0), 3);
}

// TGT-001, TGT-002
static void the_first_place_is_that_of_a_location_a_hit_or_a_line(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    kn_vec3 position = {7, 7, 7};
    add_entity(f, &data, 1);
    assert_false(kn_target_position(kn_target_data_view(&data), &position));
    kn_target_line line = {entity_of(3), {1, 1, 1}, {1, 0, 0}, {9, 1, 1}};
    add(f, &data, kn_target_type_line(), &line);
    assert_true(kn_target_position(kn_target_data_view(&data), &position));
    assert_true(position.x == 9.0f);
    kn_target_data all = everything(f);
    assert_true(kn_target_position(kn_target_data_view(&all), &position));
    assert_true(position.x == 1.0f && position.z == 3.0f);
}

static void data_that_is_full_refuses_and_stays_as_it_is(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    kn_target_entity record = {entity_of(1)};
    uint32_t count = 0;
    while (kn_target_add(f->library, &data, kn_target_type_entity(), &record) == KN_OK) {
        count++;
    }
    assert_int_equal(count, KN_TARGET_BYTES_MAX / 16);
    kn_target_data before = data;
    assert_int_equal(
        kn_target_add(f->library, &data, kn_target_type_entity(), &record), KN_REFUSED_LIMIT);
    assert_memory_equal(&data, &before, sizeof(data));
    assert_true(kn_target_is_valid(f->library, kn_target_data_view(&data)));
    assert_int_equal(kn_target_count(kn_target_data_view(&data)), count);
}

// TGT-001, TGT-006
static void a_message_brings_back_every_bit(void **state)
{
    fixture *f = *state;
    kn_target_data data = everything(f), back;
    uint8_t buffer[1024];
    memset(buffer, 0xcc, sizeof(buffer));
    uint32_t size = kn_target_write(f->library, kn_target_data_view(&data), NULL, 0);
    assert_true(size > 0 && size < sizeof(buffer));
    assert_int_equal(
        kn_target_write(f->library, kn_target_data_view(&data), buffer, size - 1), size);
    assert_int_equal(buffer[0], 0xcc);
    assert_int_equal(kn_target_write(f->library, kn_target_data_view(&data), buffer, size), size);
    assert_int_equal(buffer[size], 0xcc);
    assert_int_equal(kn_target_read(f->library, buffer, size, &back), KN_OK);
    assert_int_equal(back.count, 5);
    assert_memory_equal(&back, &data, sizeof(data));
    kn_target_data empty = {0};
    size = kn_target_write(f->library, kn_target_data_view(&empty), buffer, sizeof(buffer));
    assert_true(size > 0);
    assert_int_equal(kn_target_read(f->library, buffer, size, &back), KN_OK);
    assert_int_equal(back.count, 0);
}

// The bytes are little-endian whatever the machine: count, then type and fields of each record.
static void a_message_is_the_same_on_every_machine(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    kn_target_entity record = {{0x01020304, 0x0a0b0c0d}};
    add(f, &data, kn_target_type_entity(), &record);
    const uint8_t expected[] = {1, 0, 1, 0, 4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a};
    uint8_t buffer[64];
    assert_int_equal(
        kn_target_write(f->library, kn_target_data_view(&data), buffer, 64), sizeof(expected));
    assert_memory_equal(buffer, expected, sizeof(expected));
}

static void expect_empty(const kn_target_data *data)
{
    assert_int_equal(data->size, 0);
    assert_int_equal(data->count, 0);
}

static void a_message_that_was_cut_or_extended_is_refused(void **state)
{
    fixture *f = *state;
    kn_target_data data = everything(f), back;
    uint8_t buffer[1024] = {0};
    uint32_t size = kn_target_write(f->library, kn_target_data_view(&data), buffer, 1024);
    for (uint32_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1); // so that a byte too many is seen by tools
        memcpy(exact, buffer, cut);
        assert_int_equal(kn_target_read(f->library, exact, cut, &back), KN_ERROR_BAD_DATA);
        expect_empty(&back);
        free(exact);
    }
    assert_int_equal(kn_target_read(f->library, buffer, size + 1, &back), KN_ERROR_BAD_DATA);
    expect_empty(&back);
    assert_int_equal(kn_target_read(f->library, NULL, 0, &back), KN_ERROR_BAD_DATA);
}

// What is read from a changed message is either refused, or a message that says just that.
static void expect_honest(fixture *f, const uint8_t *buffer, uint32_t size)
{
    kn_target_data back;
    uint8_t again[1024];
    if (kn_target_read(f->library, buffer, size, &back) != KN_OK) {
        expect_empty(&back);
        return;
    }
    kn_target_view view = kn_target_data_view(&back);
    assert_true(kn_target_is_valid(f->library, view));
    assert_int_equal(kn_target_count(view), back.count);
    assert_int_equal(kn_target_write(f->library, view, again, sizeof(again)), size);
    assert_memory_equal(again, buffer, size);
    for (uint32_t i = 0; i < back.count; i++) {
        const pellet *p = kn_target_get(view, i, f->pellet);
        if (p != NULL) {
            uint8_t is_head;
            memcpy(&is_head, &p->is_head, 1);
            assert_true(is_head <= 1);
            assert_true(p->school.index1 <= kn_tag_count(f->library));
            assert_true(p->stat.index1 <= 1);
        }
    }
}

static void a_message_with_any_byte_changed_is_refused_or_read_as_it_stands(void **state)
{
    fixture *f = *state;
    kn_target_data data = everything(f);
    uint8_t buffer[1024];
    uint32_t size = kn_target_write(f->library, kn_target_data_view(&data), buffer, 1024);
    for (uint32_t at = 0; at < size; at++) {
        uint8_t kept = buffer[at];
        for (uint32_t value = 0; value < 256; value++) {
            buffer[at] = (uint8_t)value;
            expect_honest(f, buffer, size);
        }
        buffer[at] = kept;
    }
}

static void bytes_that_are_no_records_are_not_valid(void **state)
{
    fixture *f = *state;
    kn_target_data data = everything(f), changed;
    assert_true(kn_target_is_valid(f->library, kn_target_data_view(&data)));
    for (uint32_t cut = 1; cut < data.size; cut++) {
        kn_target_view view = {data.bytes, cut};
        bool at_edge = cut == 16 || cut == 64 || cut == 96 || cut == 152;
        assert_int_equal(kn_target_is_valid(f->library, view), at_edge);
    }
    changed = data;
    const uint32_t no_such_type = 77;
    memcpy(changed.bytes, &no_such_type, sizeof(no_such_type));
    assert_false(kn_target_is_valid(f->library, kn_target_data_view(&changed)));
    changed = data;
    const uint32_t half_an_entity = 4;
    memcpy((uint8_t *)changed.bytes + 4, &half_an_entity, sizeof(half_an_entity));
    assert_false(kn_target_is_valid(f->library, kn_target_data_view(&changed)));
    changed = data;
    pellet *p = kn_target_get_mutable(&changed, 4, f->pellet);
    p->school.index1 = 1000;
    assert_false(kn_target_is_valid(f->library, kn_target_data_view(&changed)));
    assert_int_equal(kn_target_write(f->library, kn_target_data_view(&changed), NULL, 0), 0);
    p->school.index1 = 0;
    assert_true(kn_target_is_valid(f->library, kn_target_data_view(&changed)));
    uint8_t two = 2;
    memcpy(&p->is_head, &two, 1);
    assert_false(kn_target_is_valid(f->library, kn_target_data_view(&changed)));
}

// Readers that know no library still never leave the bytes, whatever these say.
static void readers_never_leave_the_bytes(void **state)
{
    fixture *f = *state;
    kn_target_data data = everything(f);
    for (uint32_t size = 0; size < data.size; size++) {
        uint8_t *exact = malloc(size + 1);
        for (uint32_t at = 0; at < 8 && at < size; at++) {
            memcpy(exact, data.bytes, size);
            for (uint32_t value = 0; value < 256; value += 3) {
                exact[at] = (uint8_t)value;
                kn_target_view view = {exact, size};
                kn_entity_id out[4];
                kn_vec3 position;
                (void)kn_target_entities(view, out, 4);
                (void)kn_target_position(view, &position);
                (void)kn_target_is_valid(f->library, view);
                assert_true(kn_target_count(view) <= size / 8);
            }
        }
        free(exact);
    }
}

static void null_arguments_are_answered(void **state)
{
    fixture *f = *state;
    kn_target_data data = {0};
    kn_target_entity record = {entity_of(1)};
    kn_target_view none = {NULL, 0}, lie = {NULL, 64};
    assert_int_equal(kn_target_count(none), 0);
    assert_int_equal(kn_target_count(lie), 0);
    assert_null(kn_target_get(lie, 0, kn_target_type_entity()));
    assert_int_equal(kn_target_entities(lie, NULL, 0), 0);
    assert_true(kn_target_is_valid(f->library, none));
    assert_false(kn_target_is_valid(f->library, lie));
    assert_false(kn_target_is_valid(NULL, none));
    assert_int_equal(kn_target_write(NULL, none, NULL, 0), 0);
    assert_int_equal(kn_target_read(NULL, NULL, 0, &data), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_read(f->library, NULL, 4, &data), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(test_ignore_assert);
    const kn_target_type_id entity = kn_target_type_entity(), unknown = {6}, null = {0};
    assert_int_equal(kn_target_add(NULL, &data, entity, &record), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_add(f->library, NULL, entity, &record), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_add(f->library, &data, entity, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_add(f->library, &data, unknown, &record), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_add(f->library, &data, null, &record), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_target_read(f->library, NULL, 0, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    expect_empty(&data);
}

typedef struct plan {
    kn_target_type_id next[2];
    int mood;
} plan;

// Words and references from outside are those that the library has.
static void words_and_references_are_checked(void **state)
{
    (void)state;
    kn_library_def library_def = kn_library_def_default();
    kn_library *library;
    assert_int_equal(kn_library_create(&library_def, &library), KN_OK);
    kn_field fields[] = {
        KN_FIELD_TO(plan, next, "target type"), KN_FIELD_WORDS(plan, mood, "calm angry glad")};
    fields[0].count = 2;
    kn_target_type_def def = kn_target_type_def_default();
    def.name = "Plan";
    def.size = sizeof(plan);
    def.fields = fields;
    def.field_count = 2;
    kn_target_type_id type;
    assert_int_equal(kn_target_type_register(library, &def, &type, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    static const struct {
        plan plan;
        bool is_good;
    } rows[] = {{{{{0}, {5}}, 2}, true}, {{{{0}, {6}}, 2}, false}, {{{{6}, {0}}, 0}, false},
        {{{{5}, {1}}, 3}, false}, {{{{5}, {1}}, -1}, false}};
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        kn_target_data data = {0}, back;
        assert_int_equal(kn_target_add(library, &data, type, &rows[i].plan), KN_OK);
        assert_int_equal(kn_target_is_valid(library, kn_target_data_view(&data)), rows[i].is_good);
        // As a message: count, type, then the fields.
        uint8_t message[16] = {1, 0, (uint8_t)type.index1, 0};
        for (uint32_t e = 0; e < 2; e++) {
            message[4 + 4 * e] = (uint8_t)rows[i].plan.next[e].index1;
        }
        for (uint32_t b = 0; b < 4; b++) {
            message[12 + b] = (uint8_t)((uint32_t)rows[i].plan.mood >> 8 * b);
        }
        assert_int_equal(kn_target_read(library, message, sizeof(message), &back),
            rows[i].is_good ? KN_OK : KN_ERROR_BAD_DATA);
        if (rows[i].is_good) {
            uint8_t again[16];
            assert_int_equal(kn_target_write(library, kn_target_data_view(&back), again, 16), 16);
            assert_memory_equal(again, message, 16);
            assert_memory_equal(
                kn_target_get(kn_target_data_view(&back), 0, type), &rows[i].plan, sizeof(plan));
        }
    }
    kn_library_destroy(library);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_and_references_are_checked),
    UNIT(records_are_read_as_what_they_are_and_nothing_else),
    UNIT(data_owns_its_records),
    UNIT(a_type_of_ones_own_needs_a_table_that_covers_it),
    UNIT(entities_come_once_each_in_order),
    UNIT(the_first_place_is_that_of_a_location_a_hit_or_a_line),
    UNIT(data_that_is_full_refuses_and_stays_as_it_is),
    UNIT(a_message_brings_back_every_bit),
    UNIT(a_message_is_the_same_on_every_machine),
    UNIT(a_message_that_was_cut_or_extended_is_refused),
    UNIT(a_message_with_any_byte_changed_is_refused_or_read_as_it_stands),
    UNIT(bytes_that_are_no_records_are_not_valid),
    UNIT(readers_never_leave_the_bytes),
    UNIT(null_arguments_are_answered),
};

TEST_GROUP(test_target_data, tests, NULL, NULL);
