// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Target data: records of registered types, one after the other, each with its type and size in
// front and padded to 8 bytes.

#include "library/types.h"

typedef struct target_head {
    uint32_t type; // index + 1
    uint32_t size;
} target_head;

#define TARGET_SIZE_MAX 512

static uint32_t record_padded(uint32_t size)
{
    return (size + 7) & ~7u;
}

// Types ---------------------------------------------------------------------

kn_target_type_def kn_target_type_def_default(void)
{
    kn_target_type_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_target_type_register(
    kn_library *library, const kn_target_type_def *def, kn_target_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_TARGET, def->name, def->cookie, "target type", error);
    if (result == KN_OK && (def->size == 0 || def->size > TARGET_SIZE_MAX || def->fields == NULL)) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "target type `%s`: its size must be 1 to 512, with a field table", def->name);
    }
    if (result == KN_OK) {
        result = kni_public_fields_check(
            library, "target type", def->name, def->fields, def->field_count, def->size, error);
    }
    if (result == KN_OK) {
        result = kni_register_def(library, KN_DEF_TARGET, &kni_target_type_def_table,
            offsetof(kni_target_type, def), def, def->name, def->cookie, "target type",
            &type->index1, error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_target_type *item = KNI_ITEM(library, KN_DEF_TARGET, kni_target_type, type->index1 - 1);
    if (!kni_fields_make(library, item->name, item->def.fields, item->def.field_count,
            item->def.size, &item->record)) {
        type->index1 = 0;
        return kni_register_no_memory(library, KN_DEF_TARGET, error);
    }
    return KN_OK;
}

kn_result kni_targets_init(kn_library *library)
{
    static const kn_field entity[] = {KN_FIELD(kn_target_entity, entity, KN_FIELD_ENTITY)};
    static const kn_field hit[] = {KN_FIELD(kn_target_hit, entity, KN_FIELD_ENTITY),
        KN_FIELD(kn_target_hit, point, KN_FIELD_VEC3),
        KN_FIELD(kn_target_hit, normal, KN_FIELD_VEC3),
        KN_FIELD(kn_target_hit, distance, KN_FIELD_F32),
        KN_FIELD(kn_target_hit, part, KN_FIELD_U32)};
    static const kn_field location[] = {KN_FIELD(kn_target_location, position, KN_FIELD_VEC3),
        KN_FIELD(kn_target_location, direction, KN_FIELD_VEC3)};
    static const kn_field line[] = {KN_FIELD(kn_target_line, source, KN_FIELD_ENTITY),
        KN_FIELD(kn_target_line, start, KN_FIELD_VEC3),
        KN_FIELD(kn_target_line, direction, KN_FIELD_VEC3),
        KN_FIELD(kn_target_line, end, KN_FIELD_VEC3)};
    const kn_target_type_def defs[] = {
        {"Knack.Target.Entity", sizeof(kn_target_entity), entity, 1, KN_COOKIE},
        {"Knack.Target.Hit", sizeof(kn_target_hit), hit, 5, KN_COOKIE},
        {"Knack.Target.Location", sizeof(kn_target_location), location, 2, KN_COOKIE},
        {"Knack.Target.Line", sizeof(kn_target_line), line, 4, KN_COOKIE},
    };
    for (uint32_t i = 0; i < 4; i++) {
        kn_target_type_id type;
        kn_result result = kn_target_type_register(library, &defs[i], &type, NULL);
        if (result != KN_OK) {
            return result;
        }
        KN_ASSERT(type.index1 == i + 1);
    }
    return KN_OK;
}

static const kni_fields *target_type(const kn_library *library, uint32_t index1)
{
    return index1 == 0 || index1 > library->registries[KN_DEF_TARGET].count
               ? NULL
               : &KNI_ITEM(library, KN_DEF_TARGET, kni_target_type, index1 - 1)->record;
}

// Records -------------------------------------------------------------------

kn_result kn_target_add(
    const kn_library *library, kn_target_data *data, kn_target_type_id type, const void *record)
{
    const kni_fields *fields = library != NULL ? target_type(library, type.index1) : NULL;
    if (fields == NULL || data == NULL || record == NULL) {
        KN_ASSERT(fields != NULL && data != NULL && record != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t room = (uint32_t)sizeof(data->bytes) - data->size;
    if (data->size > sizeof(data->bytes) ||
        room < sizeof(target_head) + record_padded(fields->size)) {
        return KN_REFUSED_LIMIT;
    }
    uint8_t *at = (uint8_t *)data->bytes + data->size;
    target_head head = {type.index1, fields->size};
    memset(at, 0, sizeof(head) + record_padded(fields->size));
    memcpy(at, &head, sizeof(head));
    memcpy(at + sizeof(head), record, fields->size);
    data->size += (uint32_t)sizeof(head) + record_padded(fields->size);
    data->count++;
    return KN_OK;
}

// Checks the sizes of the types that every library has, since readers get these bytes from outside.
static bool head_is_good(const target_head *head)
{
    static const uint32_t sizes[] = {sizeof(kn_target_entity), sizeof(kn_target_hit),
        sizeof(kn_target_location), sizeof(kn_target_line)};
    return head->type != 0 && head->size != 0 && head->size <= TARGET_SIZE_MAX &&
           (head->type > 4 || head->size == sizes[head->type - 1]);
}

// The record at *at, which is advanced past it, or NULL at the end; malformed bytes end the walk.
static const uint8_t *record_next(kn_target_view view, uint32_t *at, target_head *head)
{
    if (view.data == NULL || *at > view.size || view.size - *at < sizeof(*head)) {
        return NULL;
    }
    const uint8_t *bytes = (const uint8_t *)view.data + *at;
    memcpy(head, bytes, sizeof(*head));
    uint32_t room = view.size - *at - (uint32_t)sizeof(*head);
    if (!head_is_good(head) || record_padded(head->size) > room) {
        return NULL;
    }
    *at += (uint32_t)sizeof(*head) + record_padded(head->size);
    return bytes + sizeof(*head);
}

static const uint8_t *record_at(kn_target_view view, uint32_t index, target_head *head)
{
    uint32_t at = 0;
    const uint8_t *record = record_next(view, &at, head);
    for (uint32_t i = 0; i < index && record != NULL; i++) {
        record = record_next(view, &at, head);
    }
    return record;
}

uint32_t kn_target_count(kn_target_view view)
{
    target_head head;
    uint32_t at = 0, count = 0;
    while (record_next(view, &at, &head) != NULL) {
        count++;
    }
    return count;
}

kn_target_type_id kn_target_type_at(kn_target_view view, uint32_t index)
{
    target_head head;
    kn_target_type_id type = {record_at(view, index, &head) != NULL ? head.type : 0};
    return type;
}

const void *kn_target_get(kn_target_view view, uint32_t index, kn_target_type_id type)
{
    target_head head;
    const uint8_t *record = record_at(view, index, &head);
    return record != NULL && type.index1 != 0 && head.type == type.index1 ? record : NULL;
}

void *kn_target_get_mutable(kn_target_data *data, uint32_t index, kn_target_type_id type)
{
    if (data == NULL) {
        return NULL;
    }
    const uint8_t *record = kn_target_get(kn_target_data_view(data), index, type);
    return record == NULL ? NULL : (uint8_t *)data->bytes + (record - (uint8_t *)data->bytes);
}

// The entity that a record names; null for types without one.
static kn_entity_id record_entity(const target_head *head, const uint8_t *record)
{
    kn_entity_id entity = {0};
    if (head->type == kn_target_type_entity().index1 || head->type == kn_target_type_hit().index1) {
        memcpy(&entity, record, sizeof(entity)); // both begin with it
    }
    return entity;
}

// True if a record before `end` names the entity.
static bool entity_was_named(kn_target_view view, uint32_t end, kn_entity_id entity)
{
    target_head head;
    const uint8_t *record;
    uint32_t at = 0;
    while (at < end && (record = record_next(view, &at, &head)) != NULL && at <= end) {
        if (kn_entity_id_equal(record_entity(&head, record), entity)) {
            return true;
        }
    }
    return false;
}

uint32_t kn_target_entities(kn_target_view view, kn_entity_id *out, uint32_t capacity)
{
    target_head head;
    const uint8_t *record;
    uint32_t count = 0;
    for (uint32_t at = 0, before = 0; (record = record_next(view, &at, &head)) != NULL;
         before = at) {
        kn_entity_id entity = record_entity(&head, record);
        if (entity.index1 == 0 || entity_was_named(view, before, entity)) {
            continue;
        }
        if (count < capacity) {
            out[count] = entity;
        }
        count++;
    }
    return count;
}

bool kn_target_position(kn_target_view view, kn_vec3 *position)
{
    target_head head;
    const uint8_t *record;
    uint32_t at = 0;
    while ((record = record_next(view, &at, &head)) != NULL) {
        size_t offset = SIZE_MAX;
        if (head.type == kn_target_type_location().index1) {
            offset = offsetof(kn_target_location, position);
        } else if (head.type == kn_target_type_hit().index1) {
            offset = offsetof(kn_target_hit, point);
        } else if (head.type == kn_target_type_line().index1) {
            offset = offsetof(kn_target_line, end);
        }
        if (offset != SIZE_MAX) {
            memcpy(position, record + offset, sizeof(*position));
            return true;
        }
    }
    return false;
}

// Checks kinds for which not every bit pattern is valid: a bool, a word, a reference.
static bool field_is_good(
    const kn_library *library, const kn_def_field *field, const uint8_t *record)
{
    uint64_t limit;
    kn_def_kind kind = kni_field_ref_kind(field);
    if (field->kind == KN_FIELD_BOOL) {
        limit = 1;
    } else if (field->kind == KN_FIELD_ENUM) {
        limit = field->limit - 1;
    } else if (kind != KN_DEF_KIND_COUNT) {
        limit = kni_ref_count(library, kind);
    } else {
        return true;
    }
    size_t size = kni_field_size(field);
    for (uint32_t i = 0; i < field->count; i++) {
        if (kni_field_load(record + field->offset + i * size, size) > limit) {
            return false;
        }
    }
    return true;
}

static bool record_is_good(
    const kn_library *library, const kni_fields *fields, const uint8_t *record)
{
    for (uint32_t i = 0; i < fields->table.field_count; i++) {
        if (!field_is_good(library, &fields->fields[i], record)) {
            return false;
        }
    }
    return true;
}

bool kn_target_is_valid(const kn_library *library, kn_target_view view)
{
    if (library == NULL || (view.data == NULL && view.size > 0) ||
        view.size > KN_TARGET_BYTES_MAX) {
        return false;
    }
    uint32_t at = 0;
    while (at < view.size) {
        target_head head;
        const uint8_t *record = record_next(view, &at, &head);
        const kni_fields *fields = record != NULL ? target_type(library, head.type) : NULL;
        if (fields == NULL || fields->size != head.size ||
            !record_is_good(library, fields, record)) {
            return false;
        }
    }
    return true;
}

static void field_order(const kn_def_field *field, uint8_t *record)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    uint32_t size = kind->size * field->count, word = kni_kind_word_size(kind);
    for (uint32_t at = 0; kni_is_big_endian() && at < size; at += word) {
        kni_order(record + field->offset + at, word);
    }
}

static bool word_walk_at(const kni_ref_walk *walk, const kn_def_field *field, uint8_t *at)
{
    uint32_t number = (uint32_t)kni_field_load(at, 4);
    bool ok = walk->word == NULL || walk->word(walk->user, field, &number);
    kni_field_store(at, 4, number);
    return ok;
}

bool kni_field_refs(const kn_def_field *field, uint8_t *record, const kni_ref_walk *walk)
{
    if (!walk->is_saving) {
        field_order(field, record);
    }
    bool ok = true;
    kn_def_kind kind = kni_field_ref_kind(field);
    bool is_enum = field->kind == KN_FIELD_ENUM;
    for (uint32_t i = 0; (kind != KN_DEF_KIND_COUNT || is_enum) && i < field->count && ok; i++) {
        uint8_t *at = record + field->offset + (size_t)4 * i;
        ok = is_enum ? word_walk_at(walk, field, at) : kni_ref_walk_at(walk, kind, at);
    }
    if (walk->is_saving) {
        field_order(field, record);
    }
    return ok;
}

bool kni_target_refs(
    const kn_library *library, uint8_t *bytes, uint32_t size, const kni_ref_walk *walk)
{
    for (uint32_t at = 0; at < size;) {
        target_head head, before;
        if (size - at < sizeof(head)) {
            return false;
        }
        memcpy(&before, bytes + at, sizeof(before));
        if (!kni_ref_walk_alone(walk, KN_DEF_TARGET, bytes + at + offsetof(target_head, type))) {
            return false;
        }
        kni_order(bytes + at + offsetof(target_head, size), sizeof(head.size));
        memcpy(&head, bytes + at, sizeof(head));
        // Those of this machine and library: before it is written, and after it was read.
        if (walk->is_saving) {
            head = before;
        }
        const kni_fields *fields = target_type(library, head.type);
        at += (uint32_t)sizeof(head);
        if (fields == NULL || fields->size != head.size || record_padded(head.size) > size - at) {
            return false;
        }
        for (uint32_t i = 0; i < fields->table.field_count; i++) {
            if (!kni_field_refs(&fields->fields[i], bytes + at, walk)) {
                return false;
            }
        }
        at += record_padded(head.size);
    }
    return true;
}

// Messages ------------------------------------------------------------------

static void record_write(const kni_fields *fields, const uint8_t *record, kn_writer *out)
{
    for (uint32_t f = 0; f < fields->table.field_count; f++) {
        const kn_def_field *field = &fields->fields[f];
        for (uint32_t i = 0; i < field->count; i++) {
            kni_element_write_to(field, record + field->offset + i * kni_field_size(field), out);
        }
    }
}

static void record_read(const kni_fields *fields, uint8_t *record, kn_reader *in)
{
    for (uint32_t f = 0; f < fields->table.field_count; f++) {
        const kn_def_field *field = &fields->fields[f];
        for (uint32_t i = 0; i < field->count; i++) {
            kni_element_read_from(field, record + field->offset + i * kni_field_size(field), in);
        }
    }
}

uint32_t kn_target_write(
    const kn_library *library, kn_target_view view, void *buffer, uint32_t size)
{
    if (!kn_target_is_valid(library, view)) {
        return 0;
    }
    uint32_t count = kn_target_count(view);
    kn_writer out = {buffer, 0, 0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        kn_write_uint(&out, count, 2);
        target_head head;
        const uint8_t *record;
        uint32_t at = 0;
        while ((record = record_next(view, &at, &head)) != NULL) {
            kn_write_uint(&out, head.type, 2);
            record_write(target_type(library, head.type), record, &out);
        }
        if (pass == 0) {
            if (buffer == NULL || out.length > size) {
                break;
            }
            out = (kn_writer){buffer, out.length, 0};
        }
    }
    return (uint32_t)out.length;
}

kn_result kn_target_read(
    const kn_library *library, const void *buffer, uint32_t size, kn_target_data *data)
{
    if (data == NULL) {
        KN_ASSERT(data != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    memset(data, 0, sizeof(*data));
    if (library == NULL || (buffer == NULL && size > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_reader in = {.data = buffer, .size = size};
    uint32_t count = (uint32_t)kn_read_uint(&in, 2);
    for (uint32_t i = 0; i < count && !in.failed; i++) {
        kn_target_type_id type = {(uint32_t)kn_read_uint(&in, 2)};
        const kni_fields *fields = target_type(library, type.index1);
        uint64_t record[TARGET_SIZE_MAX / 8] = {0};
        if (fields == NULL) {
            in.failed = true;
            break;
        }
        record_read(fields, (uint8_t *)record, &in);
        in.failed = in.failed || !record_is_good(library, fields, (const uint8_t *)record) ||
                    kn_target_add(library, data, type, record) != KN_OK;
    }
    if (in.failed || in.at != in.size) {
        memset(data, 0, sizeof(*data));
        return KN_ERROR_BAD_DATA;
    }
    return KN_OK;
}
