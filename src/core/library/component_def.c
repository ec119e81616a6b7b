// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Structs that games and kits describe by fields: components, and the state of abilities, tasks and
// logics. Fields are checked and converted to the tables that saves, hashes and dumps use.

#include "library/types.h"

#include <math.h>

kn_result kni_wire_check(const char *what, const char *name, const kn_wire *wire, kn_error *error)
{
    bool is_good = isfinite(wire->min) && isfinite(wire->max) && isfinite(wire->step) &&
                   wire->min <= wire->max && wire->step >= 0.0f && wire->group < 32;
    return is_good ? KN_OK
                   : kni_error(error, KN_ERROR_BAD_DATA,
                         "%s `%s`: `wire` needs a minimum that is not above its maximum, a step of "
                         "at least 0 and a group from 0 to 31",
                         what, name);
}

// What a field says in words, and only a field of the right kind says it.
static kn_result meaning_check(const kn_library *library, const char *what, const char *name,
    const kn_field *field, kn_error *error)
{
    bool is_ref = field->kind == KN_FIELD_REF, is_enum = field->kind == KN_FIELD_ENUM;
    if (is_enum && field->refers_to != NULL) {
        const char *text = kni_enum_text(library, field->refers_to);
        return text == NULL
                   ? kni_error(error, KN_ERROR_BAD_DATA,
                         "%s `%s`: field %s refers to the enum `%s`, which is not registered", what,
                         name, field->name, field->refers_to)
               : field->words != NULL && strcmp(field->words, text) != 0
                   ? kni_error(error, KN_ERROR_BAD_DATA,
                         "%s `%s`: field %s has other words than the enum `%s`; leave them out",
                         what, name, field->name, field->refers_to)
                   : KN_OK;
    }
    if ((!is_ref && field->refers_to != NULL) || (!is_enum && field->words != NULL)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: field %s has `%s`, which only fields of the kind %s have", what, name,
            field->name, is_ref || field->refers_to == NULL ? "words" : "refers_to",
            is_ref || field->refers_to == NULL ? "enum" : "ref");
    }
    return is_ref    ? kni_refers_check(library, what, name, field, error)
           : is_enum ? kni_words_check(what, name, field, error)
                     : KN_OK;
}

// Fields must cover the struct: in order, without gap or overlap.
kn_result kni_public_fields_check(const kn_library *library, const char *what, const char *name,
    const kn_field *fields, uint32_t count, uint32_t size, kn_error *error)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kn_field *field = &fields[i];
        kn_def_field probe = {.name = field->name, .kind = (uint8_t)field->kind, .count = 1};
        size_t bytes = field->kind >= KN_FIELD_U8 && field->kind < KN_FIELD_KIND_END
                           ? kni_field_size(&probe)
                           : 0;
        uint32_t elements = field->count == 0 ? 1 : field->count;
        if (bytes == 0 || field->name == NULL || elements > KNI_FIELD_ELEMENTS_MAX) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %u has no name or no known kind", what, name, i);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(fields[j].name, field->name) == 0) {
                return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: field %s appears twice", what,
                    name, field->name);
            }
        }
        if (field->offset != at) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %s begins at %u, but the one before ends at %u", what, name,
                field->name, field->offset, at);
        }
        if (bytes * elements > UINT32_MAX - at) {
            return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: field %s is too large", what, name,
                field->name);
        }
        if (field->sync < KN_SYNC_ALL || field->sync > KN_SYNC_NONE) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: field %s has a `sync` that is not one", what, name, field->name);
        }
        kn_result result = kni_wire_check(what, name, &field->wire, error);
        if (result == KN_OK) {
            result = meaning_check(library, what, name, field, error);
        }
        if (result != KN_OK) {
            return result;
        }
        at += (uint32_t)bytes * elements;
    }
    if (at != size) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: its fields cover %u of %u bytes; name the padding too", what, name, at, size);
    }
    return KN_OK;
}

kn_result kn_fields_check(const kn_library *library, const char *what, const char *name,
    const kn_field *fields, uint32_t count, uint32_t size, kn_error *error)
{
    if (library == NULL || what == NULL || name == NULL || (fields == NULL && count > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kni_public_fields_check(library, what, name, fields, count, size, error);
}

bool kni_fields_make(kn_library *library, const char *name, const kn_field *fields, uint32_t count,
    uint32_t size, kni_fields *out)
{
    kn_def_field *made = NULL;
    if (count > 0) {
        made = kni_realloc(&library->memory, NULL, 0, count * sizeof(kn_def_field));
        if (made == NULL) {
            return false;
        }
    }
    *out = (kni_fields){
        .fields = made, .table = {name, size, made, count, NULL}, .size = size, .from = fields};
    for (uint32_t i = 0; i < count; i++) {
        made[i] = (kn_def_field){.name = fields[i].name,
            .kind = (uint8_t)fields[i].kind,
            .offset = fields[i].offset,
            .count = fields[i].count == 0 ? 1 : fields[i].count};
        if (fields[i].kind == KN_FIELD_REF) {
            made[i].limit = (uint32_t)kn_kind_find(library, fields[i].refers_to);
        } else if (fields[i].kind == KN_FIELD_ENUM) {
            const kni_words *words = kni_words_keep(library, fields[i].words);
            if (words == NULL) {
                return false;
            }
            made[i].limit = words->count;
            made[i].names = words->names;
            made[i].count_offset = words->first;
            out->has_words = true;
        }
    }
    out->number1 = count > 0 ? ++library->fields_count : 0;
    return true;
}

bool kni_words_are_good(const kni_fields *fields, const uint8_t *record)
{
    for (uint32_t i = 0; fields->has_words && i < fields->table.field_count; i++) {
        const kn_def_field *field = &fields->table.fields[i];
        for (uint32_t j = 0; field->kind == KN_FIELD_ENUM && j < field->count; j++) {
            if (kni_element_name(field, record + field->offset + sizeof(int) * j) == NULL) {
                return false;
            }
        }
    }
    return true;
}

void kni_register_undo(kn_library *library, kn_def_kind kind)
{
    kni_registry *registry = &library->registries[kind];
    uint8_t *item = kni_registry_at(registry, registry->count - 1);
    const kni_def_part *part = &kni_def_parts[kind];
    kni_item_free_compiled(&library->memory, kind, item);
    if (part->table != NULL) {
        kni_def_free(&library->memory, part->table, item + part->offset);
    }
    kni_registry_pop(&library->memory, registry);
}

// The same when there is no memory for what its item needs besides.
kn_result kni_register_no_memory(kn_library *library, kn_def_kind kind, kn_error *error)
{
    const char *name = kn_def_name(library, kind, library->registries[kind].count);
    kn_result result = kni_error(
        error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", kn_def_kind_name(kind), name);
    kni_register_undo(library, kind);
    return result;
}

kn_result kni_state_check(const kn_library *library, const char *what, const char *name,
    uint32_t size, const kn_field *fields, uint32_t count, kn_error *error)
{
    if (size > KNI_STATE_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA, "%s `%s`: its state must not exceed %d bytes",
            what, name, KNI_STATE_MAX);
    }
    if (fields == NULL && count > 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "%s `%s`: it declares %u state fields, but the pointer to them is NULL", what, name,
            count);
    }
    return count == 0 ? KN_OK
                      : kni_public_fields_check(library, what, name, fields, count, size, error);
}

kn_result kni_state_make(kn_library *library, kn_def_kind kind, kni_fields *state, uint32_t size,
    const kn_field *fields, uint32_t count, kn_error *error)
{
    const char *name = kn_def_name(library, kind, library->registries[kind].count);
    return kni_fields_make(library, name, fields, count, size, state)
               ? KN_OK
               : kni_register_no_memory(library, kind, error);
}

// The field that a reference names; NULL when there is none.
static const kn_field *reference_field(
    const kn_component_def *def, const kn_component_reference *reference)
{
    const kn_field *fields = reference->of_items ? def->item_fields : def->fields;
    uint32_t count = reference->of_items ? def->item_field_count : def->field_count;
    for (uint32_t i = 0; i < count; i++) {
        if (reference->field != NULL && strcmp(fields[i].name, reference->field) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static kn_result references_check(const char *name, const kn_component_def *def, kn_error *error)
{
    if (def->reference_count > KN_COMPONENT_REFERENCES_MAX ||
        (def->reference_count > 0 && def->references == NULL)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "component `%s`: it must have at most %d references, and a list of them", name,
            KN_COMPONENT_REFERENCES_MAX);
    }
    for (uint32_t i = 0; i < def->reference_count; i++) {
        const kn_component_reference *reference = &def->references[i];
        const kn_field *field = reference_field(def, reference);
        const char *named = reference->field != NULL ? reference->field : "";
        if (field == NULL || field->kind != KN_FIELD_ENTITY) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "component `%s`: reference `%s` is not a field of kind entity of %s", name, named,
                reference->of_items ? "its items" : "the component itself");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (def->references[j].of_items == reference->of_items &&
                reference_field(def, &def->references[j]) == field) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "component `%s`: reference `%s` appears twice", name, named);
            }
        }
    }
    return KN_OK;
}

kn_component_def kn_component_def_default(void)
{
    kn_component_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_component_register(
    kn_library *library, const kn_component_def *def, kn_component_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        const char *name = def->name != NULL ? def->name : "";
        if (def->size == 0 || def->size > 65536 || def->item_size > 65536 || def->fields == NULL ||
            (def->item_size > 0 && def->item_fields == NULL)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "component `%s`: its size must be 1 to 65536, with a field table for every part",
                name);
        }
        kn_result check = kni_public_fields_check(
            library, "component", name, def->fields, def->field_count, def->size, error);
        if (check == KN_OK) {
            check = kni_public_fields_check(library, "component", name, def->item_fields,
                def->item_field_count, def->item_size, error);
        }
        if (check == KN_OK) {
            check = references_check(name, def, error);
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_COMPONENT, &kni_component_def_table, kni_component_type, "component")
    if (result != KN_OK) {
        return result;
    }
    kni_component_type *item = KNI_ITEM(library, KN_DEF_COMPONENT, kni_component_type, index1 - 1);
    if (!kni_fields_make(library, item->name, item->def.fields, item->def.field_count,
            item->def.size, &item->record) ||
        !kni_fields_make(library, item->name, item->def.item_fields, item->def.item_field_count,
            item->def.item_size, &item->items)) {
        return kni_register_no_memory(library, KN_DEF_COMPONENT, error);
    }
    for (uint32_t i = 0; i < item->def.reference_count; i++) {
        const kn_component_reference *reference = &item->def.references[i];
        const kn_field *field = reference_field(&item->def, reference);
        item->references[i] = (kni_reference){field->offset, field->count == 0 ? 1 : field->count,
            reference->of_items, (uint8_t)reference->when_destroyed};
    }
    type->index1 = index1;
    return KN_OK;
}
