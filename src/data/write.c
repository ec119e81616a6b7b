// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library as a document. A def is written as what differs from its defaults, or from its parent
// where it has one, so that reading it gives the same def again.

#include "emit.h"
#include "shapes.h"

#include "knack/data.h"

#include <string.h>

typedef struct data_writer {
    const kn_library *library;
    const kn_library *plain; // with the same kits and nothing else: what is in it is not written
    kni_emitter *out;
    bool no_memory;
} data_writer;

// Comparing -----------------------------------------------------------------

static bool struct_equal(const kn_def_table *table, const void *a, const void *b);

static bool text_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool tags_equal(kn_tags a, kn_tags b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.data, b.data, a.count * sizeof(*a.data)) == 0);
}

static bool query_equal(const kn_tag_query *a, const kn_tag_query *b)
{
    return a == b || (a != NULL && b != NULL && a->count == b->count &&
                         memcmp(a->tokens, b->tokens, a->count * sizeof(*a->tokens)) == 0);
}

static const uint8_t *array_of(const kn_def_field *field, const void *def, uint32_t *count)
{
    const uint8_t *items;
    memcpy(&items, (const uint8_t *)def + field->offset, sizeof(items));
    memcpy(count, (const uint8_t *)def + field->count_offset, sizeof(*count));
    return items;
}

static bool array_equal(const kn_def_field *field, const void *a, const void *b)
{
    uint32_t count, other;
    const uint8_t *from = array_of(field, a, &count);
    const uint8_t *to = array_of(field, b, &other);
    bool equal = count == other;
    for (uint32_t i = 0; equal && i < count; i++) {
        equal = field->kind == KN_DEF_FIELD_REFS
                    ? memcmp(from + 4 * i, to + 4 * i, 4) == 0
                    : struct_equal(
                          field->table, from + i * field->table->size, to + i * field->table->size);
    }
    return equal;
}

static bool field_equal(const kn_def_field *field, const void *a, const void *b)
{
    const uint8_t *from = (const uint8_t *)a + field->offset;
    const uint8_t *to = (const uint8_t *)b + field->offset;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        const char *x, *y;
        memcpy(&x, from, sizeof(x));
        memcpy(&y, to, sizeof(y));
        return text_equal(x, y);
    }
    case KN_DEF_FIELD_TAGS: {
        kn_tags x, y;
        memcpy(&x, from, sizeof(x));
        memcpy(&y, to, sizeof(y));
        return tags_equal(x, y);
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *x, *y;
        memcpy(&x, from, sizeof(x));
        memcpy(&y, to, sizeof(y));
        return query_equal(x, y);
    }
    case KN_DEF_FIELD_STRUCT:
        return struct_equal(field->table, from, to);
    case KN_DEF_FIELD_ARRAY:
    case KN_DEF_FIELD_REFS:
        return array_equal(field, a, b);
    case KN_DEF_FIELD_POINTER:
    case KN_DEF_FIELD_COOKIE:
        return true;
    default:
        return memcmp(from, to, kn_def_field_size(field) * field->count) == 0;
    }
}

static bool struct_equal(const kn_def_table *table, const void *a, const void *b)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (!field_equal(&table->fields[i], a, b)) {
            return false;
        }
    }
    return true;
}

// Values --------------------------------------------------------------------

static void write_struct(
    data_writer *w, const kn_def_table *table, const void *def, const void *base);

static void write_ref(data_writer *w, kn_def_kind kind, uint32_t index1)
{
    if (index1 == 0) {
        kni_emitter_null(w->out);
    } else {
        kni_emitter_text(w->out, kn_def_name(w->library, kind, index1));
    }
}

static void write_refs(data_writer *w, const kn_def_field *field, const void *def)
{
    uint32_t count;
    const uint8_t *items = array_of(field, def, &count);
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index1;
        memcpy(&index1, items + 4 * i, sizeof(index1));
        write_ref(w, (kn_def_kind)field->limit, index1);
    }
    kni_emitter_end_sequence(w->out);
}

static void write_tags(data_writer *w, kn_tags tags)
{
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; i < tags.count; i++) {
        kni_emitter_text(w->out, kn_tag_name(w->library, tags.data[i]));
    }
    kni_emitter_end_sequence(w->out);
}

static void write_query(data_writer *w, const kn_tag_query *query)
{
    if (query == NULL) {
        kni_emitter_null(w->out);
        return;
    }
    char text[1024];
    kn_hooks hooks = {0};
    char *long_text = NULL;
    uint32_t size = kn_tag_query_print(w->library, query, text, sizeof(text)) + 1;
    if (size > sizeof(text)) {
        long_text = kn_memory_resize(&hooks, NULL, 0, size);
        w->no_memory |= long_text == NULL;
    }
    if (long_text != NULL) {
        (void)kn_tag_query_print(w->library, query, long_text, size);
    }
    kni_emitter_text(w->out, long_text != NULL ? long_text : text);
    kn_memory_free(&hooks, long_text, size);
}

// The biggest struct an array of a def holds.
#define WRITE_ITEM_MAX 2048

static void write_array(data_writer *w, const kn_def_field *field, const void *def)
{
    uint32_t count;
    const uint8_t *items = array_of(field, def, &count);
    _Alignas(max_align_t) uint8_t base[WRITE_ITEM_MAX];
    KN_ASSERT(field->table->size <= sizeof(base));
    kn_def_init(field->table, base);
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; i < count; i++) {
        write_struct(w, field->table, items + i * field->table->size, base);
    }
    kni_emitter_end_sequence(w->out);
}

static void write_number(data_writer *w, const kn_def_field *field, const uint8_t *at)
{
    uint64_t value = 0;
    size_t size = kn_def_field_size(field);
    uint8_t u8 = *at;
    uint16_t u16;
    uint32_t u32;
    if (size == 1) {
        value = u8;
    } else if (size == 2) {
        memcpy(&u16, at, sizeof(u16));
        value = u16;
    } else if (size == 4) {
        memcpy(&u32, at, sizeof(u32));
        value = u32;
    } else {
        memcpy(&value, at, sizeof(value));
    }
    if (field->kind == KN_FIELD_BOOL) {
        kni_emitter_bool(w->out, value != 0);
    } else if (field->kind == KN_FIELD_I32) {
        kni_emitter_i64(w->out, (int32_t)(uint32_t)value);
    } else if (field->kind == KN_FIELD_I64) {
        kni_emitter_i64(w->out, (int64_t)value);
    } else {
        kni_emitter_u64(w->out, value);
    }
}

static void write_floats(data_writer *w, const uint8_t *at, uint32_t count)
{
    float value;
    if (count > 1) {
        kni_emitter_begin_sequence(w->out);
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&value, at + i * sizeof(value), sizeof(value));
        kni_emitter_f32(w->out, value);
    }
    if (count > 1) {
        kni_emitter_end_sequence(w->out);
    }
}

// Bits by their words, if all have one.
static bool write_flags(data_writer *w, const kn_def_field *field, const uint8_t *at)
{
    uint32_t flags;
    memcpy(&flags, at, sizeof(flags));
    if (flags >> field->limit != 0) {
        return false;
    }
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; i < field->limit; i++) {
        if ((flags >> i & 1) != 0) {
            kni_emitter_text(w->out, field->names[i]);
        }
    }
    kni_emitter_end_sequence(w->out);
    return true;
}

static void write_value(
    data_writer *w, const kn_def_field *field, const void *def, const void *base)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    if (field->kind == KN_FIELD_U32 && field->names != NULL && write_flags(w, field, at)) {
        return;
    }
    switch (field->kind) {
    case KN_FIELD_F32:
        write_floats(w, at, 1);
        break;
    case KN_FIELD_VEC3:
        write_floats(w, at, 3);
        break;
    case KN_FIELD_TIME: {
        kn_time time;
        memcpy(&time, at, sizeof(time));
        kni_emitter_time(w->out, time);
        break;
    }
    case KN_DEF_FIELD_ENUM: {
        int value;
        memcpy(&value, at, sizeof(value));
        kni_emitter_text(w->out, field->names[value]);
        break;
    }
    case KN_DEF_FIELD_STRING: {
        const char *text;
        memcpy(&text, at, sizeof(text));
        if (text == NULL) {
            kni_emitter_null(w->out);
        } else {
            kni_emitter_text(w->out, text);
        }
        break;
    }
    case KN_DEF_FIELD_REF: {
        uint32_t index1;
        memcpy(&index1, at, sizeof(index1));
        write_ref(w, (kn_def_kind)field->limit, index1);
        break;
    }
    case KN_DEF_FIELD_TAGS: {
        kn_tags tags;
        memcpy(&tags, at, sizeof(tags));
        write_tags(w, tags);
        break;
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        write_query(w, query);
        break;
    }
    case KN_DEF_FIELD_STRUCT:
        write_struct(w, field->table, at, (const uint8_t *)base + field->offset);
        break;
    case KN_DEF_FIELD_ARRAY:
        write_array(w, field, def);
        break;
    case KN_DEF_FIELD_REFS:
        write_refs(w, field, def);
        break;
    default:
        write_number(w, field, at);
        break;
    }
}

// Structs -------------------------------------------------------------------

static bool is_table(const kn_def_table *table, const char *name)
{
    return strcmp(table->name, name) == 0;
}

// A number alone, or `$Name`: these forms empty everything else, also what was inherited.
static bool write_scalable(data_writer *w, const kn_scalable *scalable)
{
    if (scalable->curve.index1 != 0 || scalable->parameter.index1 != 0) {
        return false;
    }
    kni_emitter_f32(w->out, scalable->value);
    return true;
}

static bool write_short(data_writer *w, const kn_def_table *table, const void *def)
{
    if (is_table(table, "kn_scalable")) {
        return write_scalable(w, def);
    }
    if (is_table(table, "kn_magnitude")) {
        const kn_magnitude *magnitude = def;
        kn_magnitude plain = {.scale = magnitude->scale};
        return struct_equal(table, def, &plain) && write_scalable(w, &magnitude->scale);
    }
    return false;
}

// Flags that a field sets by being there are written with it: what they hold need not follow.
static bool is_needed(
    const kn_def_table *table, const kn_def_field *field, const void *def, const void *base)
{
    if (is_table(table, "kn_magnitude") &&
        (strcmp(field->name, "kind") == 0 || strcmp(field->name, "scale") == 0)) {
        return true;
    }
    if (is_table(table, "kn_effect_def") && strcmp(field->name, "duration_kind") == 0) {
        return true;
    }
    if (is_table(table, "kn_limit") && strcmp(field->name, "is_set") == 0) {
        return true; // a mapping sets it
    }
    // A child that was known by name alone may stand further down, and has to stay there.
    if (is_table(table, "kn_child_def") && strcmp(field->name, "type") == 0 &&
        ((const kn_child_def *)def)->type_name != NULL) {
        return false;
    }
    for (uint32_t i = 0; field->kind == KN_FIELD_BOOL && i < table->field_count; i++) {
        if (kni_field_is_implied(table, field, table->fields[i].name) &&
            !field_equal(&table->fields[i], def, base)) {
            return true;
        }
    }
    return !field_equal(field, def, base);
}

static void write_fields(
    data_writer *w, const kn_def_table *table, const void *def, const void *base)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (kni_field_is_written(field) && is_needed(table, field, def, base)) {
            kni_emitter_key(w->out, field->name);
            write_value(w, field, def, base);
        }
    }
}

static void write_struct(
    data_writer *w, const kn_def_table *table, const void *def, const void *base)
{
    if (write_short(w, table, def)) {
        return;
    }
    kni_emitter_begin_mapping(w->out);
    write_fields(w, table, def, base);
    kni_emitter_end_mapping(w->out);
}

// Definitions ---------------------------------------------------------------

static bool has_functions(const kn_def_table *table, const void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        const void *pointer = NULL;
        if (field->kind == KN_DEF_FIELD_POINTER) {
            memcpy(&pointer, at, sizeof(pointer));
        }
        if (pointer != NULL ||
            (field->kind == KN_DEF_FIELD_STRUCT && has_functions(field->table, at))) {
            return true;
        }
    }
    return false;
}

// The biggest def.
#define WRITE_DEF_MAX 4096

static void write_def(data_writer *w, kn_def_kind kind, uint32_t index1)
{
    const kn_def_table *table = kn_kind_table(w->library, kind);
    const void *def = kn_def_get(w->library, kind, index1);
    _Alignas(max_align_t) uint8_t base[WRITE_DEF_MAX];
    KN_ASSERT(table->size <= sizeof(base));
    kn_def_init(table, base);
    const kn_def_field *parent = kn_def_field_find(table, "parent");
    const char *parent_name = NULL;
    if (parent != NULL && parent->kind == KN_DEF_FIELD_STRING) {
        memcpy(&parent_name, (const uint8_t *)def + parent->offset, sizeof(parent_name));
    }
    if (parent_name != NULL) {
        const void *inherited =
            kn_def_get(w->library, kind, kn_def_find(w->library, kind, parent_name));
        memcpy(base, inherited, table->size);
        memset(base + parent->offset, 0, sizeof(parent_name)); // so that it is written
    }
    // The key says the name.
    const kn_def_field *name = kn_def_field_find(table, "name");
    memcpy(base + name->offset, (const uint8_t *)def + name->offset, sizeof(char *));
    kni_emitter_key(w->out, kn_def_name(w->library, kind, index1));
    kni_emitter_begin_mapping(w->out);
    if (has_functions(table, def)) {
        kni_emitter_key(w->out, "native");
        kni_emitter_text(w->out, kn_def_name(w->library, kind, index1));
    } else if (has_functions(table, base)) { // of its parent
        kni_emitter_key(w->out, "native");
        kni_emitter_null(w->out);
    }
    write_fields(w, table, def, base);
    kni_emitter_end_mapping(w->out);
}

// What can be written of a kind without a def: formulas and sizes.
static bool is_written_plain(const data_writer *w, kn_def_kind kind, uint32_t index1)
{
    return kind == KN_DEF_CONTEXT || kn_def_expression(w->library, kind, index1) != NULL;
}

static void write_plain(data_writer *w, kn_def_kind kind, uint32_t index1)
{
    kni_emitter_key(w->out, kn_def_name(w->library, kind, index1));
    if (kind == KN_DEF_CONTEXT) {
        kn_context_type_id type = {index1};
        kni_emitter_u64(w->out, kn_context_type_size(w->library, type));
        return;
    }
    kni_emitter_begin_mapping(w->out);
    kni_emitter_key(w->out, "expression");
    kni_emitter_text(w->out, kn_def_expression(w->library, kind, index1));
    kni_emitter_end_mapping(w->out);
}

// The component of a ticker comes with the ticker.
static bool is_of_ticker(const data_writer *w, kn_def_kind kind, const char *name)
{
    return kind == KN_DEF_COMPONENT && kn_def_find(w->library, KN_DEF_TICKER, name) != 0;
}

// Whether a library without files has a definition too. Own kinds may have another number there.
static bool is_plain(const data_writer *w, kn_def_kind kind, const char *name)
{
    kn_def_kind same =
        kind < KN_DEF_KIND_COUNT ? kind : kn_kind_find(w->plain, kn_kind_name(w->library, kind));
    return same != KN_DEF_KIND_COUNT && kn_def_find(w->plain, same, name) != 0;
}

static void write_section(data_writer *w, const kni_section *section)
{
    bool has_def = kn_kind_table(w->library, section->kind) != NULL;
    bool is_open = false;
    for (uint32_t i = 1; i <= kn_def_count(w->library, section->kind); i++) {
        const char *name = kn_def_name(w->library, section->kind, i);
        if (is_plain(w, section->kind, name) || kn_def_is_derived(w->library, section->kind, i) ||
            (!has_def && !is_written_plain(w, section->kind, i)) ||
            is_of_ticker(w, section->kind, name)) {
            continue;
        }
        if (!is_open) {
            kni_emitter_key(w->out, section->key);
            kni_emitter_begin_mapping(w->out);
            is_open = true;
        }
        if (has_def) {
            write_def(w, section->kind, i);
        } else {
            write_plain(w, section->kind, i);
        }
    }
    if (is_open) {
        kni_emitter_end_mapping(w->out);
    }
}

// The rest ------------------------------------------------------------------

static void write_text_field(data_writer *w, const char *key, const char *text)
{
    if (text[0] != 0) {
        kni_emitter_key(w->out, key);
        kni_emitter_text(w->out, text);
    }
}

// Nobody declared it: it comes with its first child, which is the tag behind it.
static bool is_implied(const kn_library *library, kn_tag tag)
{
    kn_tag next = {tag.index1 + 1};
    return kn_tag_comment(library, tag)[0] == 0 && kn_tag_source(library, tag)[0] == 0 &&
           !kn_tag_is_restricted(library, tag) && next.index1 <= kn_tag_count(library) &&
           kn_tag_name(library, next)[0] != 0 && kn_tag_equal(kn_tag_parent(library, next), tag);
}

static void write_kits(data_writer *w)
{
    if (kn_library_kit(w->library, 0) == NULL) {
        return;
    }
    kni_emitter_key(w->out, "kits");
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; kn_library_kit(w->library, i) != NULL; i++) {
        kni_emitter_text(w->out, kn_library_kit(w->library, i)->name);
    }
    kni_emitter_end_sequence(w->out);
}

static void write_tag_table(data_writer *w)
{
    uint32_t count = kn_tag_count(w->library);
    if (count == 0) {
        return;
    }
    kni_emitter_key(w->out, "module"); // tags without a source stay so
    kni_emitter_text(w->out, "");
    kni_emitter_key(w->out, "tags");
    kni_emitter_begin_mapping(w->out);
    for (uint32_t i = 1; i <= count; i++) {
        kn_tag tag = {i};
        const char *name = kn_tag_name(w->library, tag);
        if (name[0] == 0 || is_implied(w->library, tag) ||
            kn_tag_find(w->plain, name).index1 != 0) {
            continue; // taken back, not worth a line, or of a kit
        }
        kni_emitter_key(w->out, name);
        kni_emitter_begin_mapping(w->out);
        write_text_field(w, "comment", kn_tag_comment(w->library, tag));
        write_text_field(w, "source", kn_tag_source(w->library, tag));
        if (kn_tag_is_restricted(w->library, tag)) {
            kni_emitter_key(w->out, "restricted");
            kni_emitter_bool(w->out, true);
        }
        kni_emitter_end_mapping(w->out);
    }
    kni_emitter_end_mapping(w->out);
}

typedef bool redirect_at(
    const kn_library *library, uint32_t index, const char **old_name, const char **new_name);

static bool redirect_is_plain(const data_writer *w, redirect_at *at, const char *old_name)
{
    const char *from, *to;
    for (uint32_t i = 0; at(w->plain, i, &from, &to); i++) {
        if (strcmp(from, old_name) == 0) {
            return true;
        }
    }
    return false;
}

static void write_redirect_list(data_writer *w, const char *key, redirect_at *at)
{
    const char *from, *to;
    kni_emitter_key(w->out, key);
    kni_emitter_begin_mapping(w->out);
    for (uint32_t i = 0; at(w->library, i, &from, &to); i++) {
        if (!redirect_is_plain(w, at, from)) {
            kni_emitter_key(w->out, from);
            kni_emitter_text(w->out, to);
        }
    }
    kni_emitter_end_mapping(w->out);
}

static void write_redirects(data_writer *w)
{
    const char *from, *to;
    if (kn_tag_redirect_at(w->library, 0, &from, &to) ||
        kn_attribute_redirect_at(w->library, 0, &from, &to)) {
        kni_emitter_key(w->out, "redirects");
        kni_emitter_begin_mapping(w->out);
        write_redirect_list(w, "tags", kn_tag_redirect_at);
        write_redirect_list(w, "attributes", kn_attribute_redirect_at);
        kni_emitter_end_mapping(w->out);
    }
}

static void write_common_tags(data_writer *w)
{
    // They are numbered by their places: the tag at each place is looked for.
    uint32_t count = kn_tag_count(w->library);
    bool is_open = false;
    for (uint32_t place = 0; place < count; place++) {
        kn_tag tag = {1};
        while (tag.index1 <= count && kn_tag_common_index(w->library, tag) != place) {
            tag.index1++;
        }
        if (tag.index1 > count) {
            break;
        }
        if (!is_open) {
            kni_emitter_key(w->out, "common_tags");
            kni_emitter_begin_sequence(w->out);
            is_open = true;
        }
        kni_emitter_text(w->out, kn_tag_name(w->library, tag));
    }
    if (is_open) {
        kni_emitter_end_sequence(w->out);
    }
}

static void write_names(data_writer *w)
{
    uint32_t count = kn_def_count(w->library, KN_DEF_NAME);
    if (count == 0) {
        return;
    }
    kni_emitter_key(w->out, "names");
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 1; i <= count; i++) {
        const char *name = kn_def_name(w->library, KN_DEF_NAME, i);
        if (!is_plain(w, KN_DEF_NAME, name)) {
            kni_emitter_text(w->out, name);
        }
    }
    kni_emitter_end_sequence(w->out);
}

// `plain` is what the kits set.
static void write_setting(data_writer *w, const char *key, kn_tag tag, kn_tag plain)
{
    const char *name = kn_tag_name(w->library, tag);
    if (tag.index1 != 0 && strcmp(name, kn_tag_name(w->plain, plain)) != 0) {
        kni_emitter_key(w->out, key);
        kni_emitter_text(w->out, name);
    }
}

static void write_settings(data_writer *w)
{
    kni_emitter_key(w->out, "settings");
    kni_emitter_begin_mapping(w->out);
    kni_emitter_key(w->out, "fail_tags");
    kni_emitter_begin_mapping(w->out);
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        kn_fail fail = (kn_fail)(1 << i);
        write_setting(w, kn_fail_name(fail), kn_ability_fail_tag(w->library, fail),
            kn_ability_fail_tag(w->plain, fail));
    }
    kni_emitter_end_mapping(w->out);
    write_setting(w, "dead_tag", kn_ability_dead_tag(w->library), kn_ability_dead_tag(w->plain));
    write_setting(w, "cue_root", kn_cue_root(w->library), kn_cue_root(w->plain));
    kni_emitter_end_mapping(w->out);
}

// Whether a kit has the row.
static bool row_is_plain(const data_writer *w, const kn_attribute_row *row)
{
    kn_attribute_row other;
    for (uint32_t i = 0; kn_attribute_row_at(w->plain, i, &other); i++) {
        if (strcmp(other.group, row->group) == 0 && strcmp(other.attribute, row->attribute) == 0 &&
            other.level == row->level && other.value == row->value) {
            return true;
        }
    }
    return false;
}

static void write_starting_values(data_writer *w)
{
    kn_attribute_row row;
    if (!kn_attribute_row_at(w->library, 0, &row)) {
        return;
    }
    kni_emitter_key(w->out, "starting_values");
    kni_emitter_begin_sequence(w->out);
    for (uint32_t i = 0; kn_attribute_row_at(w->library, i, &row); i++) {
        if (row_is_plain(w, &row)) {
            continue;
        }
        kni_emitter_begin_sequence(w->out);
        kni_emitter_text(w->out, row.group);
        kni_emitter_text(w->out, row.attribute);
        kni_emitter_u64(w->out, row.level);
        kni_emitter_f32(w->out, row.value);
        kni_emitter_end_sequence(w->out);
    }
    kni_emitter_end_sequence(w->out);
}

static kn_result write_as(
    kni_emit_format format, const kn_library *library, char *text, size_t size, size_t *written)
{
    *written = 0;
    data_writer w = {.library = library};
    kn_library_def def = kn_library_def_default();
    kn_library *plain = NULL;
    kn_result result = kn_library_create(&def, &plain);
    for (uint32_t i = 0; result == KN_OK && kn_library_kit(library, i) != NULL; i++) {
        result = kn_kit_register(plain, kn_library_kit(library, i), NULL);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // another kit brought it along
    }
    if (result == KN_OK) {
        result = kni_emitter_create(NULL, format, &w.out);
    }
    if (result != KN_OK) {
        kn_library_destroy(plain);
        return result;
    }
    w.plain = plain;
    kni_emitter_begin_mapping(w.out);
    write_kits(&w);
    write_tag_table(&w);
    write_redirects(&w);
    write_common_tags(&w);
    write_names(&w);
    write_settings(&w);
    for (uint32_t i = 0; i < kni_library_section_count(library); i++) {
        kni_section section = kni_library_section(library, i);
        write_section(&w, &section);
    }
    write_starting_values(&w);
    kni_emitter_end_mapping(w.out);
    const char *document;
    uint32_t length;
    result = kni_emitter_finish(w.out, &document, &length);
    if (result == KN_OK && w.no_memory) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    if (result == KN_OK) {
        *written = length;
        if (size < length) {
            result = KN_ERROR_BUFFER_TOO_SMALL;
        } else {
            memcpy(text, document, length);
        }
    }
    kni_emitter_destroy(w.out);
    kn_library_destroy(plain);
    return result;
}

kn_result kn_data_write(const kn_library *library, char *text, size_t size, size_t *written)
{
    return write_as(KNI_EMIT_YAML, library, text, size, written);
}

kn_result kn_data_write_json(const kn_library *library, char *text, size_t size, size_t *written)
{
    return write_as(KNI_EMIT_JSON, library, text, size, written);
}
