// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Libraries made in C with fields set at random through the tables survive being written and read.
// A def begins plain; one field after the other changes, and what registration accepts stays.

#include "data_generator.h"
#include "data_written.h"

#include <float.h>

#define RANDOM_LIBRARIES 60
#define RANDOM_CHANGES 24
#define RANDOM_BYTES (4u << 20)

typedef struct maker {
    kn_library *library;
    uint64_t seed;
    uint32_t names;    // given so far
    uint32_t accepted; // changes
    uint8_t *bytes;    // arrays and texts of defs, until the library is done
    size_t used;
    uint8_t *reached; // by field of every table in turn: was set in an accepted def
} maker;

static uint32_t below(maker *m, uint32_t count)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return count > 0 ? (uint32_t)(m->seed >> 33) % count : 0;
}

static void *take(maker *m, size_t size)
{
    void *at = m->bytes + m->used;
    m->used += (size + 15) & ~(size_t)15;
    assert_true(m->used <= RANDOM_BYTES);
    memset(at, 0, size);
    return at;
}

static const char *text_of(maker *m, const char *prefix)
{
    char *text = take(m, 32);
    (void)snprintf(text, 32, "%s%u", prefix, ++m->names);
    return text;
}

static kn_tag random_tag(maker *m)
{
    return (kn_tag){1 + below(m, kn_tag_count(m->library))};
}

// Texts that a careless writer would spoil.
static const char *random_text(maker *m)
{
    static const char *const texts[] = {"plain", "yes", "~", "5", " blank ", "a: b", "- x", "#no",
        "say \"so\"", "it's", "line\nline", "tab\t", "\\n", "{x}", "[y]", "*a", "&a", "!t", "%d",
        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8d", "null", "0x10", "1e5", "2001-01-01", "a,b", "'",
        "<<", "true"};
    return texts[below(m, sizeof(texts) / sizeof(*texts))];
}

static float random_float(maker *m)
{
    static const float numbers[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 0.1f, 3.0f, 1e-20f, 1.4e-45f,
        FLT_MAX, -FLT_MAX, FLT_MIN, 16777217.0f, 0.333333343f, 1e10f, 123456.789f};
    return numbers[below(m, sizeof(numbers) / sizeof(*numbers))];
}

static void random_struct(maker *m, const kn_def_table *table, void *def, uint32_t depth);
static void random_field(
    maker *m, const kn_def_table *table, const kn_def_field *field, void *def, uint32_t depth);

static bool may_change(const kn_def_field *field)
{
    return kn_def_field_size(field) > 0 && field->kind != KN_DEF_FIELD_POINTER &&
           field->kind != KN_DEF_FIELD_COOKIE && strcmp(field->name, "name") != 0 &&
           strcmp(field->name, "type_name") != 0;
}

// A new item: its references are mostly needed, the rest mostly not.
static void random_item(maker *m, const kn_def_table *table, void *item, uint32_t depth)
{
    kn_def_init(table, item);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        bool is_name = strcmp(field->name, "name") == 0 && field->kind == KN_DEF_FIELD_STRING;
        if (is_name) {
            const char *name = text_of(m, "Item");
            memcpy((uint8_t *)item + field->offset, &name, sizeof(name));
        } else if (field->kind == KN_DEF_FIELD_REF ? below(m, 4) != 0 : below(m, 5) == 0) {
            if (may_change(field) || field->kind == KN_DEF_FIELD_REF) {
                random_field(m, table, field, item, depth + 1);
            }
        }
    }
}

static void random_array(maker *m, const kn_def_field *field, void *def, uint32_t depth)
{
    const uint8_t *old;
    uint32_t count;
    memcpy(&old, (uint8_t *)def + field->offset, sizeof(old));
    memcpy(&count, (uint8_t *)def + field->count_offset, sizeof(count));
    bool is_refs = field->kind == KN_DEF_FIELD_REFS;
    size_t size = is_refs ? sizeof(uint32_t) : field->table->size;
    uint8_t *items = take(m, (count + 1) * size);
    if (count > 0) {
        memcpy(items, old, count * size);
    }
    uint32_t what = below(m, 4), old_count = count;
    uint32_t at = count;
    if (what == 0 && count > 0) {
        count--;
    } else if (what == 1 && count > 0) {
        at = below(m, count); // one that is there
    } else if (count < 4) {
        count++;
    }
    if (at < count && is_refs) {
        uint32_t index1 = 1 + below(m, kn_def_count(m->library, (kn_def_kind)field->limit));
        memcpy(items + at * size, &index1, sizeof(index1));
    } else if (at < count && at < old_count) {
        random_struct(m, field->table, items + at * size, depth + 1);
    } else if (at < count) {
        random_item(m, field->table, items + at * size, depth);
    }
    memcpy((uint8_t *)def + field->offset, &items, sizeof(items));
    memcpy((uint8_t *)def + field->count_offset, &count, sizeof(count));
}

static void random_tags(maker *m, void *at)
{
    kn_tag *data = take(m, 3 * sizeof(*data));
    kn_tags tags = {data, below(m, 4)};
    for (uint32_t i = 0; i < tags.count; i++) {
        data[i] = random_tag(m);
    }
    memcpy(at, &tags, sizeof(tags));
}

static void random_query(maker *m, void *at)
{
    static const char *const texts[] = {"any_tags(Some.A)",
        "all(any_tags(Some.A), no_tags(Some.B))", "none(all_tags(Some.B))", "any_tags_exact(Some)"};
    kn_tag_query *query = take(m, sizeof(*query));
    if (kn_tag_query_parse(m->library, texts[below(m, 4)], query, NULL) == KN_OK) {
        memcpy(at, &query, sizeof(query));
    }
}

static void random_string(maker *m, const kn_def_table *table, const kn_def_field *field, void *at)
{
    const char *text = random_text(m);
    if (strcmp(field->name, "parent") == 0) {
        kn_def_kind kind =
            strcmp(table->name, "kn_effect_def") == 0 ? KN_DEF_EFFECT : KN_DEF_ABILITY;
        text = kn_def_name(m->library, kind, 1 + below(m, kn_def_count(m->library, kind)));
    } else if (strcmp(table->name, "kn_limit") == 0) {
        text = "Set.B";
    } else if (strcmp(field->name, "group_name") == 0) {
        text = below(m, 2) == 0 ? "movement" : "A"; // one that every library has, or the first one
    } else if (strcmp(field->name, "event_kind") == 0) {
        text = "A";
    } else if (strcmp(field->name, "reason") == 0) {
        text = "blocked";
    } else if (strcmp(field->name, "expression") == 0) {
        text = below(m, 2) == 0 ? "level * 2" : "source.Set.A + 1";
    }
    text = below(m, 6) == 0 ? NULL : text;
    memcpy(at, &text, sizeof(text));
}

static void random_field(
    maker *m, const kn_def_table *table, const kn_def_field *field, void *def, uint32_t depth)
{
    uint8_t *at = (uint8_t *)def + field->offset;
    uint32_t number = below(m, 3) == 0 ? below(m, UINT32_MAX) : below(m, 9);
    uint64_t wide = (uint64_t)below(m, UINT32_MAX) << 31 | number;
    kn_time time = (kn_time)below(m, 100000000);
    float value = random_float(m);
    bool truth = below(m, 2) != 0;
    int choice = (int)below(m, field->limit);
    for (uint32_t i = 0; i < field->count; i++) {
        size_t size = kn_def_field_size(field) / field->count;
        uint8_t *place = at + i * size;
        switch (field->kind) {
        case KN_FIELD_BOOL:
            memcpy(place, &truth, sizeof(truth));
            break;
        case KN_FIELD_F32:
            memcpy(place, &value, sizeof(value));
            break;
        case KN_FIELD_TIME:
            memcpy(place, &time, sizeof(time));
            break;
        case KN_FIELD_U64:
        case KN_FIELD_I64:
            memcpy(place, &wide, sizeof(wide));
            break;
        case KN_FIELD_U32:
        case KN_FIELD_I32:
            memcpy(place, &number, sizeof(number));
            break;
        case KN_FIELD_U8:
            *place = (uint8_t)number;
            break;
        case KN_FIELD_VEC3: {
            kn_vec3 vector = {value, random_float(m), random_float(m)};
            memcpy(place, &vector, sizeof(vector));
            break;
        }
        case KN_DEF_FIELD_ENUM:
            memcpy(place, &choice, sizeof(choice));
            break;
        case KN_DEF_FIELD_REF: {
            uint32_t known = kn_def_count(m->library, (kn_def_kind)field->limit);
            uint32_t index1 = known > 0 && below(m, 8) != 0 ? 1 + below(m, known) : 0;
            memcpy(place, &index1, sizeof(index1));
            break;
        }
        case KN_DEF_FIELD_STRING:
            random_string(m, table, field, place);
            break;
        case KN_DEF_FIELD_TAGS:
            random_tags(m, place);
            break;
        case KN_DEF_FIELD_QUERY:
            random_query(m, place);
            break;
        case KN_DEF_FIELD_STRUCT:
            random_struct(m, field->table, place, depth + 1);
            break;
        case KN_DEF_FIELD_ARRAY:
        case KN_DEF_FIELD_REFS:
            random_array(m, field, def, depth);
            break;
        default:
            break;
        }
    }
}

// Changes one field, or a few that may belong together.
static void random_struct(maker *m, const kn_def_table *table, void *def, uint32_t depth)
{
    uint32_t changes = 1 + below(m, 3) / 2;
    for (uint32_t i = 0; i < changes && depth < 8; i++) {
        const kn_def_field *field = &table->fields[below(m, table->field_count)];
        if (may_change(field)) {
            random_field(m, table, field, def, depth);
        }
    }
}

static bool def_register(maker *m, kn_def_kind kind, const void *def)
{
    uint32_t index1;
    return kn_def_register(m->library, kind, def, &index1, NULL) == KN_OK && index1 != 0;
}

static void name_set(const kn_def_table *table, void *def, const char *name)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (strcmp(table->fields[i].name, "name") == 0) {
            memcpy((uint8_t *)def + table->fields[i].offset, &name, sizeof(name));
        }
    }
}

// What every def of a kind needs.
static void def_begin(maker *m, kn_def_kind kind, void *def)
{
    static const kn_curve_point points[2] = {{1.0f, 0.1f}, {2.0f, -7.25f}};
    static const kn_effect_type_id effect = {1};
    static const kn_attribute_set_id set = {1};
    static const kn_field field = {.name = "x", .kind = KN_FIELD_U32, .count = 1};
    const kn_def_table *table = kn_def_table_of(kind);
    kn_def_init(table, def);
    bool has_functions = kind != KN_DEF_ABILITY && kind != KN_DEF_CALCULATION;
    if (has_functions || below(m, 2) == 0) {
        case_fill_pointers(table, def);
    }
    if (kind == KN_DEF_CURVE) {
        ((kn_curve_def *)def)->points = points;
        ((kn_curve_def *)def)->point_count = 2;
    } else if (kind == KN_DEF_ATTRIBUTE_SET) {
        kn_attribute_def *attributes = take(m, 2 * sizeof(*attributes));
        for (uint32_t i = 0; i < 2; i++) {
            attributes[i] = kn_attribute_def_default();
            attributes[i].name = i == 0 ? "A" : "B";
        }
        ((kn_attribute_set_def *)def)->attributes = attributes;
        ((kn_attribute_set_def *)def)->attribute_count = 2;
    } else if (kind == KN_DEF_EVENT_KIND) {
        ((kn_event_kind_def *)def)->tag = random_tag(m);
    } else if (kind == KN_DEF_CALCULATION && ((kn_calculation_def *)def)->function == NULL) {
        ((kn_calculation_def *)def)->expression = "level";
    } else if (kind == KN_DEF_ANIMATION) {
        ((kn_animation_def *)def)->length = 2.0f;
    } else if (kind == KN_DEF_CONTAINER) {
        ((kn_container_def *)def)->effects = &effect;
        ((kn_container_def *)def)->effect_count = 1;
    } else if (kind == KN_DEF_RULE) {
        ((kn_rule_def *)def)->tag = random_tag(m);
        ((kn_rule_def *)def)->attribute.index1 = 1;
    } else if (kind == KN_DEF_WATCH) {
        ((kn_watch_def *)def)->tag = random_tag(m);
        ((kn_watch_def *)def)->attribute.index1 = 1;
    } else if (kind == KN_DEF_TICKER) {
        ((kn_ticker_def *)def)->interval = KN_MS(1 + (kn_time)below(m, 5000));
    } else if (kind == KN_DEF_SYSTEM && below(m, 2) == 0) {
        ((kn_system_def *)def)->period = KN_MS(1 + (kn_time)below(m, 5000));
    } else if (kind == KN_DEF_SYSTEM) {
        ((kn_system_def *)def)->rate = 1 + below(m, 100);
    } else if (kind == KN_DEF_COMPONENT) {
        ((kn_component_def *)def)->fields = &field;
        ((kn_component_def *)def)->field_count = 1;
        ((kn_component_def *)def)->size = 4;
    } else if (kind == KN_DEF_TARGET) {
        ((kn_target_type_def *)def)->fields = &field;
        ((kn_target_type_def *)def)->field_count = 1;
        ((kn_target_type_def *)def)->size = 4;
    } else if (kind == KN_DEF_COMMAND) {
        ((kn_command_def *)def)->fields = &field;
        ((kn_command_def *)def)->field_count = 1;
        ((kn_command_def *)def)->size = 4;
    } else if (kind == KN_DEF_CUSTOM_EVENT) {
        ((kn_custom_event_def *)def)->fields = &field;
        ((kn_custom_event_def *)def)->field_count = 1;
        ((kn_custom_event_def *)def)->size = 4;
    } else if (kind == KN_DEF_ARCHETYPE) {
        ((kn_archetype_def *)def)->sets = &set;
        ((kn_archetype_def *)def)->set_count = 1;
    } else if (kind == KN_DEF_EFFECT && below(m, 2) == 0) {
        ((kn_effect_def *)def)->duration_kind = KN_DURATION_TIMED;
        ((kn_effect_def *)def)->duration = kn_magnitude_constant(5.0f);
    }
}

// Notes which fields are other than their defaults.
static void fields_note(maker *m, const kn_def_table *table, const void *def, uint32_t *place)
{
    uint8_t *plain = take(m, table->size);
    kn_def_init(table, plain);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        uint32_t own = (*place)++;
        assert_true(own < 4096);
        // Structs, and lists of tags behind their count, have bytes that belong to no field.
        if (field->kind != KN_DEF_FIELD_POINTER && field->kind != KN_DEF_FIELD_STRUCT) {
            size_t size = field->kind == KN_DEF_FIELD_TAGS ? offsetof(kn_tags, count)
                                                           : kn_def_field_size(field);
            m->reached[own] |= memcmp(at, plain + field->offset, size) != 0;
        }
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            fields_note(m, field->table, at, place);
            for (uint32_t inner = own + 1; inner < *place; inner++) {
                m->reached[own] |= m->reached[inner];
            }
        } else if (field->kind == KN_DEF_FIELD_ARRAY) {
            const uint8_t *items;
            uint32_t count, begin = *place;
            memcpy(&items, at, sizeof(items));
            memcpy(&count, (const uint8_t *)def + field->count_offset, sizeof(count));
            uint8_t *none = take(m, field->table->size);
            kn_def_init(field->table, none);
            fields_note(m, field->table, none, place); // the places stay the same
            for (uint32_t j = 0; j < count; j++) {
                uint32_t again = begin;
                fields_note(m, field->table, items + j * field->table->size, &again);
            }
        }
    }
}

// In order of reference.
static const kn_def_kind kinds[] = {KN_DEF_CURVE, KN_DEF_ATTRIBUTE_SET, KN_DEF_VALUE,
    KN_DEF_EVENT_KIND, KN_DEF_CALCULATION, KN_DEF_EXECUTION, KN_DEF_EFFECT_LOGIC, KN_DEF_COMPONENT,
    KN_DEF_TASK, KN_DEF_TICKER, KN_DEF_ANIMATION, KN_DEF_TARGET, KN_DEF_TARGETING, KN_DEF_COMMAND,
    KN_DEF_EFFECT, KN_DEF_CONTAINER, KN_DEF_RULE, KN_DEF_SYSTEM_GROUP, KN_DEF_SYSTEM,
    KN_DEF_ABILITY, KN_DEF_WATCH, KN_DEF_ABILITY_SET, KN_DEF_ARCHETYPE, KN_DEF_CUSTOM_EVENT};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static void kind_fill(maker *m, kn_def_kind kind, uint32_t first_place)
{
    const kn_def_table *table = kn_def_table_of(kind);
    uint8_t *now = take(m, table->size), *next = take(m, table->size);
    def_begin(m, kind, now);
    // The name of a ticker is also that of a component.
    name_set(table, now,
        kind == KN_DEF_ATTRIBUTE_SET ? "Set"
        : kind == KN_DEF_TICKER      ? "Tick"
                                     : "A");
    bool ok = def_register(m, kind, now);
    if (!ok) {
        fail_msg("a plain %s is refused", kn_def_kind_name(kind));
    }
    for (uint32_t i = 0; i < RANDOM_CHANGES; i++) {
        memcpy(next, now, table->size);
        if (i % 12 == 11) {
            def_begin(m, kind, next); // a fresh start
        }
        random_struct(m, table, next, 0);
        name_set(table, next,
            text_of(m, kind == KN_DEF_TICKER ? "Tick "
                       : i % 3 == 0          ? "the: one "
                                             : "Def"));
        size_t used = m->used;
        if (def_register(m, kind, next)) {
            memcpy(now, next, table->size);
            m->accepted++;
            uint32_t place = first_place;
            fields_note(m, table, now, &place);
            m->used = used;
        }
    }
}

static uint32_t places_of(maker *m, kn_def_kind kind)
{
    const kn_def_table *table = kn_def_table_of(kind);
    size_t used = m->used;
    uint32_t place = 0;
    uint8_t *plain = take(m, table->size);
    kn_def_init(table, plain);
    fields_note(m, table, plain, &place);
    m->used = used;
    return place;
}

static void library_begin(maker *m)
{
    static const char *const tags[] = {"Some", "Some.A", "Some.B", "GameplayCue.A", "Other.C"};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &m->library), KN_OK);
    kn_tag registered[5];
    assert_int_equal(kn_tag_register_module(m->library, "test", tags, 5, registered, NULL), KN_OK);
    kn_name name;
    assert_int_equal(kn_name_register(m->library, "Zed", &name, NULL), KN_OK);
    static const kn_def_kind functions[] = {
        KN_DEF_REQUIREMENT, KN_DEF_CONDITION, KN_DEF_POLICY, KN_DEF_TIMER};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(natives_register(m->library, functions[i], "F", NULL), KN_OK);
    }
}

static void libraries_made_at_random_survive_being_written_and_read(void **state)
{
    (void)state;
    static uint8_t reached[4096];
    maker m = {.bytes = malloc(RANDOM_BYTES), .reached = reached};
    assert_non_null(m.bytes);
    uint32_t bad = 0, places = 0;
    for (uint32_t i = 0; i < RANDOM_LIBRARIES; i++) {
        m.seed = 1000003u * (i + 1);
        m.used = 0;
        library_begin(&m);
        places = 0;
        for (size_t k = 0; k < KINDS; k++) {
            kind_fill(&m, kinds[k], places);
            places += places_of(&m, kinds[k]);
        }
        assert_int_equal(kn_library_finish(m.library, NULL), KN_OK);
        char what[32];
        (void)snprintf(what, sizeof(what), "library %u", i);
        bad += !round_trips(m.library, what);
        kn_library_destroy(m.library);
    }
    free(m.bytes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < places; i++) {
        count += reached[i] != 0;
    }
    assert_true(m.accepted > 10000);
    assert_true(count > 400); // of 735, names and functions among them
    assert_int_equal(bad, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(libraries_made_at_random_survive_being_written_and_read),
};

TEST_GROUP(data_random, tests, NULL, NULL);
