// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Works on any struct by its field table: size, deep copy, free, check, count of tag uses, hash,
// write and read. A new kind of field is added to each of the switches below.

#include "library/fields.h"

#include "base/heap.h"
#include "base/text.h"
#include "library/types.h"

#include <math.h>
#include <stdarg.h>

// Bytes of an element that carry information: kn_tags has padding behind its count.
static size_t field_covered(const kn_def_field *field)
{
    switch (field->kind) {
    case KN_DEF_FIELD_TAGS:
    case KN_DEF_FIELD_ARRAY:
    case KN_DEF_FIELD_REFS:
    case KN_CALL_FIELD_TARGETS:
    case KN_CALL_FIELD_BYTES:
        return sizeof(void *) + sizeof(uint32_t);
    case KN_DEF_FIELD_STRUCT:
        return kni_table_covered(field->table);
    default:
        return kni_field_size(field);
    }
}

size_t kni_table_covered(const kn_def_table *table)
{
    size_t covered = 0;
    for (uint32_t i = 0; i < table->field_count; i++) {
        covered += field_covered(&table->fields[i]) * table->fields[i].count;
    }
    return covered;
}

// Arrays --------------------------------------------------------------------

static void *array_get(const kn_def_field *field, const void *def, uint32_t *count)
{
    void *pointer;
    memcpy(&pointer, (const uint8_t *)def + field->offset, sizeof(pointer));
    memcpy(count, (const uint8_t *)def + field->count_offset, sizeof(*count));
    return pointer;
}

static void array_set(const kn_def_field *field, void *def, const void *pointer, uint32_t count)
{
    memcpy((uint8_t *)def + field->offset, &pointer, sizeof(pointer));
    memcpy((uint8_t *)def + field->count_offset, &count, sizeof(count));
}

static size_t array_element_size(const kn_def_field *field)
{
    return field->kind == KN_DEF_FIELD_ARRAY ? field->table->size : sizeof(uint32_t);
}

// Copy and free -------------------------------------------------------------

void kni_def_free(kni_memory *memory, const kn_def_table *table, void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        uint8_t *at = (uint8_t *)def + field->offset;
        switch (field->kind) {
        case KN_DEF_FIELD_STRING: {
            char *text;
            memcpy(&text, at, sizeof(text));
            kni_strfree(memory, text);
            break;
        }
        case KN_DEF_FIELD_TAGS: {
            kn_tags tags;
            memcpy(&tags, at, sizeof(tags));
            void *data;
            memcpy(&data, &tags.data, sizeof(data));
            kni_free(memory, data, tags.count * sizeof(kn_tag));
            break;
        }
        case KN_DEF_FIELD_QUERY: {
            void *query;
            memcpy(&query, at, sizeof(query));
            kni_free(memory, query, query != NULL ? sizeof(kn_tag_query) : 0);
            break;
        }
        case KN_DEF_FIELD_STRUCT:
            kni_def_free(memory, field->table, at);
            break;
        case KN_DEF_FIELD_ARRAY:
        case KN_DEF_FIELD_REFS: {
            uint32_t count;
            uint8_t *items = array_get(field, def, &count);
            size_t size = array_element_size(field);
            for (uint32_t j = 0; field->kind == KN_DEF_FIELD_ARRAY && items != NULL && j < count;
                 j++) {
                kni_def_free(memory, field->table, items + j * size);
            }
            kni_free(memory, items, count * size);
            break;
        }
        default:
            break;
        }
    }
    memset(def, 0, table->size);
}

static bool field_copy(kni_memory *memory, const kn_def_field *field, void *to, const void *from)
{
    uint8_t *at = (uint8_t *)to + field->offset;
    const uint8_t *source = (const uint8_t *)from + field->offset;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        const char *text;
        memcpy(&text, source, sizeof(text));
        char *copy = text != NULL ? kni_strdup(memory, text) : NULL;
        memcpy(at, &copy, sizeof(copy));
        return text == NULL || copy != NULL;
    }
    case KN_DEF_FIELD_TAGS: {
        kn_tags tags, copy = {0};
        memcpy(&tags, source, sizeof(tags));
        if (tags.count > 0) {
            kn_tag *data = kni_realloc(memory, NULL, 0, tags.count * sizeof(kn_tag));
            if (data == NULL) {
                return false;
            }
            memcpy(data, tags.data, tags.count * sizeof(kn_tag));
            copy.data = data;
            copy.count = tags.count;
        }
        memcpy(at, &copy, sizeof(copy));
        return true;
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *query;
        memcpy(&query, source, sizeof(query));
        kn_tag_query *copy = NULL;
        if (query != NULL) {
            copy = kni_realloc(memory, NULL, 0, sizeof(*copy));
            if (copy == NULL) {
                return false;
            }
            *copy = *query;
        }
        memcpy(at, &copy, sizeof(copy));
        return true;
    }
    case KN_DEF_FIELD_STRUCT:
        return kni_def_copy(memory, field->table, at, source);
    case KN_DEF_FIELD_ARRAY:
    case KN_DEF_FIELD_REFS: {
        uint32_t count;
        const uint8_t *items = array_get(field, from, &count);
        size_t size = array_element_size(field);
        if (count == 0 || items == NULL) {
            return true;
        }
        uint8_t *copy = kni_realloc(memory, NULL, 0, count * size);
        if (copy == NULL) {
            return false;
        }
        memset(copy, 0, count * size);
        array_set(field, to, copy, count);
        if (field->kind == KN_DEF_FIELD_REFS) {
            memcpy(copy, items, count * size);
            return true;
        }
        for (uint32_t j = 0; j < count; j++) {
            if (!kni_def_copy(memory, field->table, copy + j * size, items + j * size)) {
                return false;
            }
        }
        return true;
    }
    default:
        memcpy(at, source, kni_field_size(field) * field->count);
        return true;
    }
}

bool kni_def_copy(kni_memory *memory, const kn_def_table *table, void *to, const void *from)
{
    memset(to, 0, table->size);
    for (uint32_t i = 0; i < table->field_count; i++) {
        if (!field_copy(memory, &table->fields[i], to, from)) {
            kni_def_free(memory, table, to);
            return false;
        }
    }
    return true;
}

// Checks --------------------------------------------------------------------

static kn_result check_float(
    float value, const kn_def_table *table, const kn_def_field *field, kn_error *error)
{
    if (!isfinite(value)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "%s.%s is not a finite number", table->name, field->name);
    }
    return KN_OK;
}

static kn_result check_field(const kn_library *library, const kn_def_table *table,
    const kn_def_field *field, const void *def, kn_error *error)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    switch (field->kind) {
    case KN_FIELD_F32: {
        float value;
        memcpy(&value, at, sizeof(value));
        return check_float(value, table, field, error);
    }
    case KN_DEF_FIELD_ENUM:
        if (kni_field_load(at, sizeof(kn_op)) >= field->limit) {
            return kni_error(error, KN_ERROR_BAD_DATA, "%s.%s is not one of its %u values",
                table->name, field->name, field->limit);
        }
        return KN_OK;
    case KN_DEF_FIELD_REF: {
        uint32_t index1 = (uint32_t)kni_field_load(at, 4);
        if (index1 > kni_ref_count(library, (kn_def_kind)field->limit)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s.%s does not name anything that is registered", table->name, field->name);
        }
        return KN_OK;
    }
    case KN_DEF_FIELD_REFS: {
        uint32_t count;
        const uint8_t *items = array_get(field, def, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index1 = items != NULL ? (uint32_t)kni_field_load(items + 4 * i, 4) : 0;
            if (index1 == 0 || index1 > kni_ref_count(library, (kn_def_kind)field->limit)) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "%s.%s, entry %u does not name anything that is registered", table->name,
                    field->name, i);
            }
        }
        return KN_OK;
    }
    case KN_DEF_FIELD_TAGS: {
        kn_tags tags;
        memcpy(&tags, at, sizeof(tags));
        for (uint32_t i = 0; i < tags.count; i++) {
            if (tags.data == NULL || tags.data[i].index1 == 0 ||
                tags.data[i].index1 > kn_tag_count(library)) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "%s.%s, entry %u is not a registered tag", table->name, field->name, i);
            }
        }
        return KN_OK;
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        if (query != NULL && !kn_tag_query_is_valid(library, query)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s.%s is not a complete query: close every node that was begun", table->name,
                field->name);
        }
        return KN_OK;
    }
    case KN_DEF_FIELD_STRUCT:
        return kni_def_check(library, field->table, at, error);
    case KN_DEF_FIELD_ARRAY: {
        uint32_t count;
        const uint8_t *items = array_get(field, def, &count);
        if (count > 0 && items == NULL) {
            return kni_error(error, KN_ERROR_BAD_DATA, "%s.%s is NULL but its count is %u",
                table->name, field->name, count);
        }
        for (uint32_t i = 0; i < count; i++) {
            kn_result result =
                kni_def_check(library, field->table, items + i * field->table->size, error);
            if (result != KN_OK) {
                return result;
            }
        }
        return KN_OK;
    }
    default:
        return KN_OK;
    }
}

kn_result kni_def_check(
    const kn_library *library, const kn_def_table *table, const void *def, kn_error *error)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        kn_result result = check_field(library, table, &table->fields[i], def, error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

bool kni_def_has_parameter(const kn_def_table *table, const void *def)
{
    bool found = false;
    for (uint32_t i = 0; i < table->field_count && !found; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        if (field->kind == KN_DEF_FIELD_STRUCT && strcmp(field->table->name, "kn_scalable") == 0) {
            kn_scalable scalable;
            memcpy(&scalable, at, sizeof(scalable));
            found = scalable.parameter.index1 != 0;
        } else if (field->kind == KN_DEF_FIELD_STRUCT) {
            found = kni_def_has_parameter(field->table, at);
        } else if (field->kind == KN_DEF_FIELD_ARRAY) {
            uint32_t count;
            const uint8_t *items = array_get(field, def, &count);
            for (uint32_t j = 0; j < count; j++) {
                found |= kni_def_has_parameter(field->table, items + j * field->table->size);
            }
        }
    }
    return found;
}

void kni_def_count_uses(kn_library *library, const kn_def_table *table, const void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        if (field->kind == KN_DEF_FIELD_REF && field->limit == KN_DEF_TAG) {
            kni_tag_count_use(&library->tags, (uint32_t)kni_field_load(at, 4));
        } else if (field->kind == KN_DEF_FIELD_TAGS) {
            kn_tags tags;
            memcpy(&tags, at, sizeof(tags));
            for (uint32_t j = 0; j < tags.count; j++) {
                kni_tag_count_use(&library->tags, tags.data[j].index1);
            }
        } else if (field->kind == KN_DEF_FIELD_QUERY) {
            const kn_tag_query *query;
            memcpy(&query, at, sizeof(query));
            kn_tag used[KN_QUERY_TOKENS_MAX];
            uint32_t count =
                query != NULL ? kni_tag_query_collect(query, used, KN_QUERY_TOKENS_MAX) : 0;
            for (uint32_t j = 0; j < count; j++) {
                kni_tag_count_use(&library->tags, used[j].index1);
            }
        } else if (field->kind == KN_DEF_FIELD_STRUCT) {
            kni_def_count_uses(library, field->table, at);
        } else if (field->kind == KN_DEF_FIELD_ARRAY) {
            uint32_t count;
            const uint8_t *items = array_get(field, def, &count);
            for (uint32_t j = 0; j < count; j++) {
                kni_def_count_uses(library, field->table, items + j * field->table->size);
            }
        }
    }
}

// Write, read, hash ---------------------------------------------------------

// Hashes a single field that may exceed the buffer: a text, a query or a list of references.
static void hash_long_field(
    const kn_library *library, const kn_def_field *field, const void *def, kni_hash *hash)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    if (field->kind == KN_DEF_FIELD_STRING) {
        const char *text;
        memcpy(&text, at, sizeof(text));
        kni_hash_str(hash, text);
    } else if (field->kind == KN_DEF_FIELD_QUERY) {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        for (uint32_t i = 0; i < query->count; i++) {
            kn_tag tag = {query->tokens[i]};
            kni_hash_u32(hash, tag.index1 >> 24 == 0 ? 0 : tag.index1);
            kni_hash_str(hash, tag.index1 >> 24 == 0 ? kn_tag_name(library, tag) : "");
        }
    } else {
        KN_ASSERT(field->kind == KN_DEF_FIELD_REFS);
        uint32_t count;
        const uint8_t *items = array_get(field, def, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index1;
            memcpy(&index1, items + sizeof(index1) * i, sizeof(index1));
            kni_hash_str(hash, kni_ref_name(library, field->limit, index1));
        }
    }
}

// The hash of a def is the hash of what kni_def_write() would write.
void kni_def_hash(
    const kn_library *library, const kn_def_table *table, const void *def, kni_hash *hash)
{
    uint8_t buffer[4096];
    kn_writer whole = {buffer, sizeof(buffer), 0};
    kni_def_write(library, table, def, &whole);
    if (whole.length <= sizeof(buffer)) {
        kni_hash_bytes(hash, buffer, whole.length);
        return;
    }
    // A def that exceeds the buffer is hashed field by field, arrays element by element.
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            kni_def_hash(library, field->table, at, hash);
        } else if (field->kind == KN_DEF_FIELD_ARRAY) {
            uint32_t count;
            const uint8_t *items = array_get(field, def, &count);
            kni_hash_u32(hash, count);
            for (uint32_t j = 0; j < count; j++) {
                kni_def_hash(library, field->table, items + j * field->table->size, hash);
            }
        } else if (field->kind == KN_DEF_FIELD_TAGS) {
            kn_tags tags;
            memcpy(&tags, at, sizeof(tags));
            kni_hash_u32(hash, tags.count);
            for (uint32_t j = 0; j < tags.count; j++) {
                kni_hash_str(hash, kn_tag_name(library, tags.data[j]));
            }
        } else {
            kn_def_table one = {table->name, table->size, field, 1, NULL};
            kn_writer writer = {buffer, sizeof(buffer), 0};
            kni_def_write(library, &one, def, &writer);
            kni_hash_u64(hash, writer.length);
            if (writer.length <= sizeof(buffer)) {
                kni_hash_bytes(hash, buffer, writer.length);
            } else {
                hash_long_field(library, field, def, hash);
            }
        }
    }
}

static void write_query(const kn_library *library, const kn_tag_query *query, kn_writer *writer)
{
    // A token is a node, or a tag, which is written by name.
    uint32_t count = query != NULL ? query->count : 0;
    kn_write_u32(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t token = query->tokens[i];
        kn_write_u8(writer, (uint8_t)(token >> 24));
        if (token >> 24 == 0) {
            kn_tag tag = {token};
            kn_write_str(writer, kn_tag_name(library, tag));
        } else {
            kn_write_u32(writer, token & 0xffffff);
        }
    }
}

// References by name, everything else as numbers.
static void write_element(
    const kn_library *library, const kn_def_field *field, const uint8_t *at, kn_writer *writer)
{
    kn_def_kind kind = kni_field_ref_kind(field);
    if (kind != KN_DEF_KIND_COUNT) {
        kn_write_str(writer, kni_ref_name(library, kind, kni_element_index1(field, at)));
    } else {
        kni_element_write_to(field, at, writer);
    }
}

static void write_field(
    const kn_library *library, const kn_def_field *field, const void *def, kn_writer *writer)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        const char *text;
        memcpy(&text, at, sizeof(text));
        kn_write_u8(writer, text != NULL);
        kn_write_str(writer, text);
        break;
    }
    case KN_DEF_FIELD_REFS: {
        uint32_t count;
        const uint8_t *items = array_get(field, def, &count);
        kn_write_u32(writer, count);
        for (uint32_t i = 0; i < count; i++) {
            kn_write_str(writer, kni_ref_name(library, (kn_def_kind)field->limit,
                                     (uint32_t)kni_field_load(items + 4 * i, 4)));
        }
        break;
    }
    case KN_DEF_FIELD_TAGS: {
        kn_tags tags;
        memcpy(&tags, at, sizeof(tags));
        kn_write_u32(writer, tags.count);
        for (uint32_t i = 0; i < tags.count; i++) {
            kn_write_str(writer, kn_tag_name(library, tags.data[i]));
        }
        break;
    }
    case KN_DEF_FIELD_QUERY: {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        write_query(library, query, writer);
        break;
    }
    case KN_DEF_FIELD_STRUCT:
        kni_def_write(library, field->table, at, writer);
        break;
    case KN_DEF_FIELD_ARRAY: {
        uint32_t count;
        const uint8_t *items = array_get(field, def, &count);
        kn_write_u32(writer, count);
        for (uint32_t i = 0; i < count; i++) {
            kni_def_write(library, field->table, items + i * field->table->size, writer);
        }
        break;
    }
    case KN_DEF_FIELD_POINTER:
    case KN_DEF_FIELD_COOKIE:
        break;
    default:
        for (uint32_t i = 0; i < field->count; i++) {
            write_element(library, field, at + kni_field_size(field) * i, writer);
        }
        break;
    }
}

void kni_def_write(
    const kn_library *library, const kn_def_table *table, const void *def, kn_writer *writer)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        write_field(library, &table->fields[i], def, writer);
    }
}

static uint32_t read_ref(const kn_library *library, kn_def_kind kind, kn_reader *reader)
{
    char name[2 * KN_TAG_NAME_MAX + 2]; // an attribute's name is prefixed by that of its set
    kn_read_str(reader, name, sizeof(name));
    if (name[0] == 0) {
        return 0;
    }
    uint32_t index1 = kni_ref_find(library, kind, name);
    if (index1 == 0) {
        reader->failed = true;
    }
    return index1;
}

// The fewest bytes that a struct takes when written.
static size_t written_min(const kn_def_table *table)
{
    size_t size = 0;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        switch (field->kind) {
        case KN_DEF_FIELD_STRING:
            size += 5;
            break;
        case KN_DEF_FIELD_REFS:
        case KN_DEF_FIELD_TAGS:
        case KN_DEF_FIELD_QUERY:
        case KN_DEF_FIELD_ARRAY:
            size += 4;
            break;
        case KN_DEF_FIELD_STRUCT:
            size += written_min(field->table);
            break;
        case KN_DEF_FIELD_POINTER:
        case KN_DEF_FIELD_COOKIE:
            break;
        default:
            size += kni_field_size(field) * field->count;
            break;
        }
    }
    return size > 0 ? size : 1;
}

// An array in a file cannot have more elements than the remaining bytes can hold.
static uint32_t read_count(kn_reader *reader, size_t element_size)
{
    uint32_t count = kn_read_u32(reader);
    if (reader->failed || count > (reader->size - reader->at) / element_size) {
        reader->failed = true;
        return 0;
    }
    return count;
}

static void *read_alloc(kni_memory *memory, size_t size, kn_reader *reader)
{
    void *block = size > 0 ? kni_realloc(memory, NULL, 0, size) : NULL;
    if (size > 0 && block == NULL) {
        reader->failed = true;
        reader->no_memory = true;
    }
    return block;
}

static void read_query(
    const kn_library *library, kni_memory *memory, uint8_t *at, kn_reader *reader)
{
    uint32_t count = read_count(reader, 5);
    if (count == 0 || count > KN_QUERY_TOKENS_MAX) {
        reader->failed |= count != 0;
        return;
    }
    kn_tag_query *query = read_alloc(memory, sizeof(*query), reader);
    if (query == NULL) {
        return;
    }
    memset(query, 0, sizeof(*query));
    memcpy(at, &query, sizeof(query));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = kn_read_u8(reader);
        query->tokens[i] = op == 0 ? read_ref(library, KN_DEF_TAG, reader)
                                   : op << 24 | (kn_read_u32(reader) & 0xffffff);
    }
    query->count = (uint16_t)count;
    reader->failed |= !kn_tag_query_is_valid(library, query);
}

// What numbers are wrong for their field is found by kni_def_check(), which names it.
static void read_element(
    const kn_library *library, const kn_def_field *field, uint8_t *at, kn_reader *reader)
{
    kn_def_kind kind = kni_field_ref_kind(field);
    if (kind != KN_DEF_KIND_COUNT) {
        kni_field_store(at, kni_field_size(field), read_ref(library, kind, reader));
        return;
    }
    kni_element_read_from(field, at, reader);
    if (field->kind == KN_FIELD_BOOL && kni_element_problem(field, at) != NULL) {
        reader->failed = true;
        *at = 0;
    }
}

static void read_field(const kn_library *library, kni_memory *memory, const kn_def_field *field,
    void *def, kn_reader *reader)
{
    uint8_t *at = (uint8_t *)def + field->offset;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING: {
        bool is_set = kn_read_u8(reader) != 0;
        uint32_t length = kn_read_u32(reader);
        const uint8_t *bytes = kn_read_bytes(reader, length);
        if (!is_set || bytes == NULL) {
            break;
        }
        if (memchr(bytes, 0, length) != NULL) {
            reader->failed = true;
            break;
        }
        char *text = read_alloc(memory, (size_t)length + 1, reader);
        if (text == NULL) {
            break;
        }
        memcpy(text, bytes, length);
        text[length] = 0;
        memcpy(at, &text, sizeof(text));
        break;
    }
    case KN_DEF_FIELD_TAGS:
    case KN_DEF_FIELD_REFS: {
        uint32_t count = read_count(reader, sizeof(uint32_t));
        uint32_t *items = read_alloc(memory, count * sizeof(*items), reader);
        if (items == NULL) {
            break;
        }
        kn_def_kind kind =
            field->kind == KN_DEF_FIELD_TAGS ? KN_DEF_TAG : (kn_def_kind)field->limit;
        for (uint32_t i = 0; i < count; i++) {
            items[i] = read_ref(library, kind, reader);
            reader->failed |= items[i] == 0;
        }
        if (field->kind == KN_DEF_FIELD_REFS) {
            array_set(field, def, items, count);
        } else {
            kn_tags tags = {(const kn_tag *)(const void *)items, count};
            memcpy(at, &tags, sizeof(tags));
        }
        break;
    }
    case KN_DEF_FIELD_QUERY:
        read_query(library, memory, at, reader);
        break;
    case KN_DEF_FIELD_STRUCT:
        for (uint32_t i = 0; i < field->table->field_count && !reader->failed; i++) {
            read_field(library, memory, &field->table->fields[i], at, reader);
        }
        break;
    case KN_DEF_FIELD_ARRAY: {
        uint32_t count = read_count(reader, written_min(field->table));
        size_t size = field->table->size;
        uint8_t *items = read_alloc(memory, count * size, reader);
        if (items == NULL) {
            break;
        }
        memset(items, 0, count * size);
        array_set(field, def, items, count);
        for (uint32_t i = 0; i < count && !reader->failed; i++) {
            for (uint32_t j = 0; j < field->table->field_count && !reader->failed; j++) {
                read_field(library, memory, &field->table->fields[j], items + i * size, reader);
            }
        }
        break;
    }
    case KN_DEF_FIELD_POINTER:
        break;
    case KN_DEF_FIELD_COOKIE:
        kni_field_store(at, 4, KN_COOKIE);
        break;
    default:
        for (uint32_t i = 0; i < field->count; i++) {
            read_element(library, field, at + kni_field_size(field) * i, reader);
        }
        break;
    }
}

bool kni_def_read(const kn_library *library, kni_memory *memory, const kn_def_table *table,
    void *def, kn_reader *reader)
{
    memset(def, 0, table->size);
    for (uint32_t i = 0; i < table->field_count && !reader->failed; i++) {
        read_field(library, memory, &table->fields[i], def, reader);
    }
    if (reader->failed) {
        kni_def_free(memory, table, def);
        return false;
    }
    return true;
}
