// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Defs from nodes, field by field as their tables say, with short forms for what is written often.

#include "loader.h"
#include "shapes.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define READ_NAMES_MAX 256 // fields, or words, that a suggestion is looked for among

// Plain fields --------------------------------------------------------------

static bool read_unsigned(kni_loader *loader, kni_node node, uint64_t max, void *at, size_t size)
{
    uint64_t value;
    kn_error error;
    bool ok =
        kni_loader_node_reported(loader, kni_node_u64(node, 0, max, &value, &error), node, &error);
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    const void *from = size == 1   ? (const void *)&u8
                       : size == 2 ? (const void *)&u16
                       : size == 4 ? (const void *)&u32
                                   : (const void *)&value;
    memcpy(at, from, size);
    return ok;
}

static bool read_signed(
    kni_loader *loader, kni_node node, int64_t min, int64_t max, void *at, size_t size)
{
    int64_t value;
    kn_error error;
    bool ok = kni_loader_node_reported(
        loader, kni_node_i64(node, min, max, &value, &error), node, &error);
    int32_t i32 = (int32_t)value;
    memcpy(at, size == 4 ? (const void *)&i32 : (const void *)&value, size);
    return ok;
}

static bool read_float(kni_loader *loader, kni_node node, float *at)
{
    kn_error error;
    return kni_loader_node_reported(
        loader, kni_node_f32(node, -FLT_MAX, FLT_MAX, at, &error), node, &error);
}

bool kni_read_text(kni_loader *loader, kni_node node, const char **text)
{
    kn_error error;
    return kni_loader_node_reported(loader, kni_node_text(node, text, &error), node, &error);
}

// As many numbers as the list has.
static bool read_floats(kni_loader *loader, kni_node node, float *const *parts, uint32_t count)
{
    bool ok = true;
    kni_children children = kni_node_children(node);
    kni_node child;
    for (uint32_t i = 0; i < count && kni_children_next(&children, &child); i++) {
        ok &= read_float(loader, child, parts[i]);
    }
    return ok;
}

static bool read_vector(kni_loader *loader, kni_node node, kn_vec3 *at)
{
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || kni_node_count(node) != 3) {
        kni_loader_node_error(loader, node, "expected a list of three numbers [x, y, z]");
        return false;
    }
    float *parts[3] = {&at->x, &at->y, &at->z};
    return read_floats(loader, node, parts, 3);
}

// One of the words of a field: its number.
static bool read_word(
    kni_loader *loader, const kn_def_field *field, kni_node node, uint32_t *number)
{
    const char *word;
    if (!kni_read_text(loader, node, &word)) {
        return false;
    }
    for (*number = 0; *number < field->limit; ++*number) {
        if (strcmp(field->names[*number], word) == 0) {
            return true;
        }
    }
    kni_hint hint = kni_report_hint(field->names, field->limit, word);
    kni_loader_node_error(
        loader, node, "`%s` is not a value of `%s`%s", word, field->name, hint.text);
    return false;
}

static bool read_enum(kni_loader *loader, const kn_def_field *field, kni_node node, void *at)
{
    uint32_t number;
    if (!read_word(loader, field, node, &number)) {
        return false;
    }
    int value = (int)number;
    memcpy(at, &value, sizeof(value));
    return true;
}

// Bits that have words: one, a list of them, or the number.
static bool read_flags(kni_loader *loader, const kn_def_field *field, kni_node node, void *at)
{
    kni_node_kind kind = kni_node_kind_of(node);
    kni_scalar scalar = kind == KNI_NODE_SCALAR ? kni_node_scalar(node) : (kni_scalar){0};
    if (kind == KNI_NODE_SCALAR && kni_scalar_is_number(&scalar)) {
        return read_unsigned(loader, node, UINT32_MAX, at, 4);
    }
    uint32_t flags = 0, number;
    bool is_good = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kind == KNI_NODE_SEQUENCE && kni_children_next(&children, &child);) {
        bool is_word = read_word(loader, field, child, &number);
        is_good = is_good && is_word;
        flags |= is_word ? 1u << number : 0;
    }
    if (kind != KNI_NODE_SEQUENCE) {
        is_good = read_word(loader, field, node, &number);
        flags = is_good ? 1u << number : 0;
    }
    memcpy(at, &flags, sizeof(flags));
    return is_good;
}

// References ----------------------------------------------------------------

static bool read_ref(
    kni_loader *loader, kn_def_kind kind, kni_node node, bool may_wait, uint32_t *index1)
{
    const char *name;
    *index1 = 0;
    return kni_read_text(loader, node, &name) &&
           kni_loader_resolve(loader, kind, node, name, may_wait, index1);
}

// One name, or a list of names.
static bool read_refs(
    kni_loader *loader, kn_def_kind kind, kni_node node, uint32_t **out, uint32_t *count)
{
    bool is_list = kni_node_kind_of(node) == KNI_NODE_SEQUENCE;
    uint32_t capacity = is_list ? kni_node_count(node) : 1;
    uint32_t *items = kni_arena_take(&loader->arena, capacity * sizeof(*items));
    *out = items;
    *count = 0;
    if (items == NULL) {
        return false;
    }
    if (!is_list) {
        *count = 1;
        return read_ref(loader, kind, node, false, items);
    }
    bool ok = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        ok &= read_ref(loader, kind, child, false, &items[*count]);
        (*count)++;
    }
    return ok;
}

static bool tags_have(const kn_tag *tags, uint32_t count, kn_tag tag)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tags[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

static bool read_tag_list(kni_loader *loader, kni_node node, kn_tags *tags)
{
    uint32_t *numbers;
    uint32_t count;
    bool ok = read_refs(loader, KN_DEF_TAG, node, &numbers, &count);
    kn_tag *data = kni_arena_take(&loader->arena, count * sizeof(*data));
    for (uint32_t i = 0; data != NULL && ok && i < count; i++) {
        data[i].index1 = numbers[i];
    }
    *tags = (kn_tags){data, data != NULL ? count : 0};
    return ok && data != NULL;
}

// What was inherited without `remove`, plus `add`.
static bool read_tag_changes(kni_loader *loader, kni_node node, kn_tags *tags)
{
    kn_tags added = {0}, removed = {0};
    bool ok = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *key = kni_node_key(child);
        if (strcmp(key, "add") == 0) {
            ok &= read_tag_list(loader, child, &added);
        } else if (strcmp(key, "remove") == 0) {
            ok &= read_tag_list(loader, child, &removed);
        } else {
            kni_place place = kni_node_key_place(child);
            kni_loader_error(
                loader, &place, "tags are a list, or a mapping with `add` and `remove`");
            ok = false;
        }
    }
    kn_tag *data = kni_arena_take(&loader->arena, (tags->count + added.count) * sizeof(*data));
    uint32_t count = 0;
    for (uint32_t i = 0; data != NULL && i < tags->count; i++) {
        if (!tags_have(removed.data, removed.count, tags->data[i])) {
            data[count++] = tags->data[i];
        }
    }
    for (uint32_t i = 0; data != NULL && ok && i < added.count; i++) {
        if (!tags_have(data, count, added.data[i])) {
            data[count++] = added.data[i];
        }
    }
    *tags = (kn_tags){data, count};
    return ok && data != NULL;
}

bool kni_read_tags(kni_loader *loader, kni_node node, kn_tags *tags)
{
    return kni_node_kind_of(node) == KNI_NODE_MAPPING ? read_tag_changes(loader, node, tags)
                                                      : read_tag_list(loader, node, tags);
}

static bool read_query(kni_loader *loader, kni_node node, const kn_tag_query **out)
{
    const char *text;
    kn_tag_query *query = kni_arena_take(&loader->arena, sizeof(*query));
    if (query == NULL || !kni_read_text(loader, node, &text)) {
        return false;
    }
    kn_error error;
    *out = query;
    return kni_loader_node_reported(
        loader, kn_tag_query_parse(loader->library, text, query, &error), node, &error);
}

// Short forms ---------------------------------------------------------------

static bool is_table(const kn_def_table *table, const char *name)
{
    return strcmp(table->name, name) == 0;
}

static bool node_is_number(kni_node node)
{
    kni_scalar scalar = kni_node_scalar(node);
    return kni_node_kind_of(node) == KNI_NODE_SCALAR && kni_scalar_is_number(&scalar);
}

// A time with a unit, such as `250 ms`: seconds.
static bool node_is_time(kni_node node, float *seconds)
{
    kn_time time;
    if (kni_node_kind_of(node) != KNI_NODE_SCALAR || node_is_number(node) ||
        kni_node_time(node, -KN_TIME_MAX, KN_TIME_MAX, &time, NULL) != KN_OK) {
        return false;
    }
    *seconds = (float)kn_time_to_seconds(time);
    return true;
}

// A number, a time with a unit, or `$Name` for a parameter of the effect.
static bool read_scalable(kni_loader *loader, kni_node node, kn_scalable *scalable)
{
    *scalable = (kn_scalable){0};
    const char *text = kni_node_scalar(node).text;
    if (text[0] == '$') {
        return kni_loader_resolve(
            loader, KN_DEF_NAME, node, text + 1, false, &scalable->parameter.index1);
    }
    return node_is_time(node, &scalable->value) || read_float(loader, node, &scalable->value);
}

// A formula becomes a calculation of its own, named after the def it stands in: "effect Burn 1".
static bool read_expression(kni_loader *loader, kni_node node, kn_calculation_id *calculation)
{
    const char *text;
    if (!kni_read_text(loader, node, &text)) {
        return false;
    }
    char name[KN_TAG_NAME_MAX + 1];
    int length = snprintf(name, sizeof(name), "%s %s %u",
        kn_kind_name(loader->library, loader->current->kind), loader->current->name,
        ++loader->expression_count);
    if (length < 0 || (size_t)length >= sizeof(name)) {
        kni_loader_node_error(loader, node, "the name of the definition is too long");
        return false;
    }
    kn_calculation_def def = kn_calculation_def_default();
    def.name = name;
    def.expression = text;
    kn_error error;
    kn_result result = kn_calculation_register(loader->library, &def, calculation, &error);
    if (result != KN_OK) {
        kni_loader_expression_error(loader, node, &error);
    }
    return result == KN_OK;
}

static bool read_magnitude_scalar(kni_loader *loader, kni_node node, kn_magnitude *magnitude)
{
    *magnitude = (kn_magnitude){0};
    const char *text = kni_node_scalar(node).text;
    float seconds;
    if (node_is_number(node) || text[0] == '$' || node_is_time(node, &seconds)) {
        return read_scalable(loader, node, &magnitude->scale);
    }
    kni_scalar scalar = kni_node_scalar(node);
    char plain[32];
    if (kni_scalar_plain(&scalar, plain, sizeof(plain))) {
        kni_loader_node_error(
            loader, node, "expected a number or a formula, not `%s`: write %s", text, plain);
        return false;
    }
    magnitude->kind = KN_MAGNITUDE_CALCULATION;
    magnitude->scale.value = 1.0f;
    return read_expression(loader, node, &magnitude->calculation);
}

// "source.Combat.Power": whose attribute, and which.
static bool read_capture_scalar(kni_loader *loader, kni_node node, kn_capture *capture)
{
    static const char *const words[] = {"source.", "target.", "causer."};
    static const kn_capture_from from[] = {
        KN_CAPTURE_FROM_SOURCE, KN_CAPTURE_FROM_TARGET, KN_CAPTURE_FROM_CAUSER};
    const char *text = kni_node_scalar(node).text;
    for (uint32_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) == 0) {
            capture->from = from[i];
            return kni_loader_resolve(
                loader, KN_DEF_ATTRIBUTE, node, text + length, false, &capture->attribute.index1);
        }
    }
    kni_loader_node_error(
        loader, node, "`%s` does not begin with `source.`, `target.` or `causer.`", text);
    return false;
}

// A number, or another attribute.
static bool read_limit_scalar(kni_loader *loader, kni_node node, kn_limit *limit)
{
    *limit = (kn_limit){.is_set = true};
    return node_is_number(node) ? read_float(loader, node, &limit->value)
                                : kni_read_text(loader, node, &limit->attribute);
}

// One of the profiles by its name.
static bool read_profile(kni_loader *loader, kni_node node, kn_value_profile *profile)
{
    static const char *const words[] = {"gas", "combat"};
    const char *word = kni_node_scalar(node).text;
    if (strcmp(word, "gas") == 0) {
        *profile = kn_value_profile_gas();
    } else if (strcmp(word, "combat") == 0) {
        *profile = kn_value_profile_combat();
    } else {
        kni_hint hint = kni_report_hint(words, 2, word);
        kni_loader_node_error(loader, node, "there is no profile `%s`%s", word, hint.text);
        return false;
    }
    return true;
}

static bool read_struct_scalar(
    kni_loader *loader, const kn_def_table *table, kni_node node, void *def, bool *known)
{
    *known = true;
    if (is_table(table, "kn_scalable")) {
        return read_scalable(loader, node, def);
    }
    if (is_table(table, "kn_magnitude")) {
        return read_magnitude_scalar(loader, node, def);
    }
    if (is_table(table, "kn_capture")) {
        return read_capture_scalar(loader, node, def);
    }
    if (is_table(table, "kn_limit")) {
        return read_limit_scalar(loader, node, def);
    }
    if (is_table(table, "kn_tag_requirement")) {
        return read_tag_list(loader, node, &((kn_tag_requirement *)def)->required);
    }
    if (is_table(table, "kn_value_profile")) {
        return read_profile(loader, node, def);
    }
    *known = false;
    return false;
}

static bool read_struct_list(
    kni_loader *loader, const kn_def_table *table, kni_node node, void *def, bool *known)
{
    *known = true;
    if (is_table(table, "kn_tag_requirement")) {
        return read_tag_list(loader, node, &((kn_tag_requirement *)def)->required);
    }
    if (is_table(table, "kn_curve_point") && kni_node_count(node) == 2) {
        kn_curve_point *point = def;
        float *parts[2] = {&point->x, &point->y};
        return read_floats(loader, node, parts, 2);
    }
    *known = false;
    return false;
}

// Structs -------------------------------------------------------------------

// The only inline part of a struct that has a field of this name, or NULL.
static const char *part_with_field(const kn_def_table *table, const char *key)
{
    const char *part = NULL;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const kn_def_field *inner =
            field->kind == KN_DEF_FIELD_STRUCT ? kn_def_field_find(field->table, key) : NULL;
        if (inner != NULL && kni_field_is_written(inner)) {
            if (part != NULL) {
                return NULL;
            }
            part = field->name;
        }
    }
    return part;
}

static void unknown_field(kni_loader *loader, const kn_def_table *table, kni_node node)
{
    const char *names[READ_NAMES_MAX];
    uint32_t count = 0;
    const char *key = kni_node_key(node);
    kni_place place = kni_node_key_place(node);
    for (uint32_t i = 0; i < table->field_count && count < READ_NAMES_MAX; i++) {
        const kn_def_field *field = &table->fields[i];
        if (strcmp(field->name, key) == 0) {
            kni_loader_error(
                loader, &place, "`%s` is a function; give it with `script` or `native`", key);
            return;
        }
        if (kni_field_is_written(field) && strcmp(field->name, "name") != 0) {
            names[count++] = field->name;
        }
    }
    const char *part = part_with_field(table, key);
    kni_hint hint = kni_report_hint(names, count, key);
    if (part != NULL) {
        kni_loader_error(
            loader, &place, "there is no field `%s` here; it belongs under `%s`", key, part);
    } else if (hint.text[0] != 0) {
        kni_loader_error(loader, &place, "there is no field `%s` here%s", key, hint.text);
    } else {
        char title[64];
        kni_table_title(table, title, sizeof title);
        kni_loader_error(loader, &place,
            "there is no field `%s` here; docs/data-fields.md lists the fields under \"%s\"", key,
            title);
    }
}

static bool read_field(kni_loader *loader, const kn_def_table *table, const kn_def_field *field,
    kni_node node, void *def);

// A field that was emptied holds its default again, whatever was inherited.
static bool read_default(
    kni_loader *loader, const kn_def_table *table, const kn_def_field *field, void *def)
{
    kni_arena_mark mark = kni_arena_here(&loader->arena);
    uint8_t *fresh = kni_arena_take(&loader->arena, table->size);
    if (fresh == NULL) {
        return false;
    }
    kn_def_init(table, fresh);
    memcpy((uint8_t *)def + field->offset, fresh + field->offset, kn_def_field_size(field));
    if (field->count_offset != 0) {
        memcpy((uint8_t *)def + field->count_offset, fresh + field->count_offset, sizeof(uint32_t));
    }
    kni_arena_release(&loader->arena, mark);
    return true;
}

static void set_bool(const kn_def_field *field, void *def, bool value)
{
    memcpy((uint8_t *)def + field->offset, &value, sizeof(value));
}

// Sets the flags that a given field implies, unless the file has them itself.
static void read_implied(
    const kn_def_table *table, kni_node mapping, const char *key, bool given, void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_FIELD_BOOL && kni_field_is_implied(table, field, key) &&
            !kni_node_exists(kni_node_get(mapping, field->name))) {
            set_bool(field, def, given);
        }
    }
}

static bool read_mapping(kni_loader *loader, const kn_def_table *table, kni_node node, void *def,
    bool (*is_ours)(const kn_def_table *table, const char *key))
{
    bool ok = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const char *key = kni_node_key(child);
        if (is_ours != NULL && is_ours(table, key)) {
            continue;
        }
        const kn_def_field *field = kn_def_field_find(table, key);
        if (field == NULL || !kni_field_is_written(field)) {
            unknown_field(loader, table, child);
            ok = false;
        } else if (kni_node_is_null(child)) {
            read_implied(table, node, key, false, def);
            ok &= read_default(loader, table, field, def);
        } else {
            read_implied(table, node, key, true, def);
            ok &= read_field(loader, table, field, child, def);
        }
    }
    return ok;
}

// A mapping may be a number by level ({value, curve, parameter}) or a formula ({expression}).
static bool read_magnitude_mapping(
    kni_loader *loader, const kn_def_table *table, kni_node node, kn_magnitude *magnitude)
{
    const kn_def_field *scale = kn_def_field_find(table, "scale");
    kni_node expression = kni_node_get(node, "expression");
    bool is_scalable = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        is_scalable &= kn_def_field_find(scale->table, kni_node_key(child)) != NULL;
    }
    if (is_scalable && kni_node_count(node) > 0) {
        *magnitude = (kn_magnitude){0};
        return kni_read_struct(loader, scale->table, node, &magnitude->scale);
    }
    if (kni_node_exists(expression) && kni_node_count(node) == 1) {
        return read_magnitude_scalar(loader, expression, magnitude);
    }
    static const struct {
        const char *key;
        kn_magnitude_kind kind;
    } kinds[] = {{"capture", KN_MAGNITUDE_ATTRIBUTE}, {"calculation", KN_MAGNITUDE_CALCULATION},
        {"caller_tag", KN_MAGNITUDE_SET_BY_CALLER}};
    for (uint32_t i = 0; i < 3 && !kni_node_exists(kni_node_get(node, "kind")); i++) {
        if (kni_node_exists(kni_node_get(node, kinds[i].key))) {
            magnitude->kind = kinds[i].kind;
        }
    }
    bool ok = read_mapping(loader, table, node, magnitude, NULL);
    if (magnitude->kind != KN_MAGNITUDE_SCALABLE && !kni_node_exists(kni_node_get(node, "scale"))) {
        magnitude->scale = (kn_scalable){.value = 1.0f};
    }
    return ok;
}

bool kni_read_struct(kni_loader *loader, const kn_def_table *table, kni_node node, void *def)
{
    bool known = false;
    bool ok = false;
    kni_node_kind kind = kni_node_kind_of(node);
    if (kind == KNI_NODE_SCALAR) {
        ok = read_struct_scalar(loader, table, node, def, &known);
    } else if (kind == KNI_NODE_SEQUENCE) {
        ok = read_struct_list(loader, table, node, def, &known);
    } else if (is_table(table, "kn_magnitude")) {
        return read_magnitude_mapping(loader, table, node, def);
    } else {
        if (is_table(table, "kn_limit")) {
            ((kn_limit *)def)->is_set = true;
        }
        return read_mapping(loader, table, node, def, NULL);
    }
    if (!known) {
        kni_loader_node_error(
            loader, node, "expected a mapping, but this is %s", kni_node_kind_name(node));
    }
    return ok;
}

// Arrays --------------------------------------------------------------------

// An item of a list: a mapping, or one scalar for the field it is known by.
static bool read_item(kni_loader *loader, const kn_def_table *table, kni_node node, void *item)
{
    kni_shape shape = kni_shape_of(table);
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && shape.key != NULL) {
        return read_field(loader, table, kn_def_field_find(table, shape.key), node, item);
    }
    return kni_read_struct(loader, table, node, item);
}

// A value in a mapping whose key is a field of the item.
static bool read_keyed_item(
    kni_loader *loader, const kn_def_table *table, kni_node node, void *item)
{
    kni_shape shape = kni_shape_of(table);
    const kn_def_field *key = kn_def_field_find(table, shape.key);
    const char *name = kni_node_key(node);
    uint8_t *at = (uint8_t *)item + key->offset;
    bool ok = true;
    if (key->kind == KN_DEF_FIELD_STRING) {
        memcpy(at, &name, sizeof(name));
    } else {
        uint32_t index1 = 0;
        kni_place place = kni_node_key_place(node);
        ok = kni_loader_resolve_at(loader, (kn_def_kind)key->limit, &place, name, false, &index1);
        memcpy(at, &index1, sizeof(index1));
    }
    if (kni_node_is_null(node)) {
        return ok;
    }
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && shape.value != NULL) {
        return read_field(loader, table, kn_def_field_find(table, shape.value), node, item) && ok;
    }
    return kni_read_struct(loader, table, node, item) && ok;
}

static bool read_array(kni_loader *loader, const kn_def_field *field, kni_node node, void *def)
{
    const kn_def_table *table = field->table;
    kni_node_kind kind = kni_node_kind_of(node);
    bool is_keyed = kind == KNI_NODE_MAPPING && kni_shape_of(table).key != NULL;
    kni_node added = kni_node_get(node, "add");
    uint32_t inherited = 0;
    const uint8_t *old = NULL;
    if (kind == KNI_NODE_MAPPING && kni_node_count(node) == 1 && kni_node_exists(added) &&
        kni_node_kind_of(added) != KNI_NODE_SCALAR) {
        memcpy(&inherited, (uint8_t *)def + field->count_offset, sizeof(inherited));
        memcpy(&old, (uint8_t *)def + field->offset, sizeof(old));
        node = added;
        kind = kni_node_kind_of(node);
        is_keyed = kind == KNI_NODE_MAPPING && kni_shape_of(table).key != NULL;
    }
    if (kind != KNI_NODE_SEQUENCE && !is_keyed) {
        kni_loader_node_error(loader, node, "expected a list for `%s`, but this is %s", field->name,
            kni_node_kind_name(node));
        return false;
    }
    uint32_t count = inherited + kni_node_count(node);
    uint8_t *items = kni_arena_take(&loader->arena, count * table->size);
    if (items == NULL) {
        return false;
    }
    if (inherited > 0) {
        memcpy(items, old, inherited * table->size);
    }
    bool ok = true;
    uint8_t *item = items + inherited * table->size;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child); item += table->size) {
        kn_def_init(table, item);
        ok &= is_keyed ? read_keyed_item(loader, table, child, item)
                       : read_item(loader, table, child, item);
    }
    memcpy((uint8_t *)def + field->offset, &items, sizeof(items));
    memcpy((uint8_t *)def + field->count_offset, &count, sizeof(count));
    return ok;
}

// One field -----------------------------------------------------------------

static bool read_ref_field(kni_loader *loader, const kn_def_table *table, const kn_def_field *field,
    kni_node node, void *def)
{
    // Effects may start each other in a circle: then the name has to do until all are there.
    bool may_wait = is_table(table, "kn_child_def") && field->limit == KN_DEF_EFFECT;
    uint32_t index1;
    bool ok = read_ref(loader, (kn_def_kind)field->limit, node, may_wait, &index1);
    memcpy((uint8_t *)def + field->offset, &index1, sizeof(index1));
    if (ok && may_wait && index1 == 0) {
        ((kn_child_def *)def)->type_name = kni_node_scalar(node).text;
    }
    return ok;
}

static bool read_field(kni_loader *loader, const kn_def_table *table, const kn_def_field *field,
    kni_node node, void *def)
{
    void *at = (uint8_t *)def + field->offset;
    kn_error error;
    switch (field->kind) {
    case KN_FIELD_BOOL:
        return kni_loader_node_reported(loader, kni_node_bool(node, at, &error), node, &error);
    case KN_FIELD_U8:
        return read_unsigned(loader, node, UINT8_MAX, at, 1);
    case KN_FIELD_U16:
        return read_unsigned(loader, node, UINT16_MAX, at, 2);
    case KN_FIELD_U32:
        return field->names != NULL ? read_flags(loader, field, node, at)
                                    : read_unsigned(loader, node, UINT32_MAX, at, 4);
    case KN_FIELD_U64:
        return read_unsigned(loader, node, UINT64_MAX, at, 8);
    case KN_FIELD_I32:
        return read_signed(loader, node, INT32_MIN, INT32_MAX, at, 4);
    case KN_FIELD_I64:
        return read_signed(loader, node, INT64_MIN, INT64_MAX, at, 8);
    case KN_FIELD_F32:
        return read_float(loader, node, at);
    case KN_FIELD_TIME:
        return kni_loader_node_reported(
            loader, kni_node_time(node, 0, KN_TIME_MAX, at, &error), node, &error);
    case KN_FIELD_VEC3:
        return read_vector(loader, node, at);
    case KN_DEF_FIELD_ENUM:
        return read_enum(loader, field, node, at);
    case KN_DEF_FIELD_STRING:
        return kni_read_text(loader, node, at);
    case KN_DEF_FIELD_REF:
        return read_ref_field(loader, table, field, node, def);
    case KN_DEF_FIELD_TAGS:
        return kni_read_tags(loader, node, at);
    case KN_DEF_FIELD_QUERY:
        return read_query(loader, node, at);
    case KN_DEF_FIELD_STRUCT:
        return kni_read_struct(loader, field->table, node, at);
    case KN_DEF_FIELD_ARRAY:
        return read_array(loader, field, node, def);
    case KN_DEF_FIELD_REFS: {
        uint32_t *items;
        uint32_t count;
        bool ok = read_refs(loader, (kn_def_kind)field->limit, node, &items, &count);
        memcpy(at, &items, sizeof(items));
        memcpy((uint8_t *)def + field->count_offset, &count, sizeof(count));
        return ok;
    }
    default:
        kni_loader_node_error(loader, node, "`%s` cannot be written in a file", field->name);
        return false;
    }
}

// Bodies --------------------------------------------------------------------

static bool is_body_key(const kn_def_table *table, const char *key)
{
    if (strcmp(key, "script") == 0 || strcmp(key, "native") == 0) {
        return true;
    }
    const kn_def_field *parent = kn_def_field_find(table, "parent");
    return strcmp(key, "parent") == 0 && (parent == NULL || parent->kind == KN_DEF_FIELD_STRING);
}

// `duration` also sets the kind of duration. True if that is all it does.
static bool read_effect_kind(kni_node node, kn_effect_def *def)
{
    kni_node duration = kni_node_get(node, "duration");
    if (!kni_node_exists(duration) || kni_node_is_null(duration) ||
        kni_node_exists(kni_node_get(node, "duration_kind"))) {
        return false;
    }
    const char *word = kni_node_scalar(duration).text;
    bool is_infinite = strcmp(word, "infinite") == 0;
    bool is_instant = strcmp(word, "instant") == 0;
    def->duration_kind = is_infinite  ? KN_DURATION_INFINITE
                         : is_instant ? KN_DURATION_INSTANT
                                      : KN_DURATION_TIMED;
    return is_infinite || is_instant;
}

static bool is_effect_key(const kn_def_table *table, const char *key)
{
    return is_body_key(table, key) || strcmp(key, "duration") == 0;
}

bool kni_read_body(kni_loader *loader, const kn_def_table *table, kni_node node, void *def)
{
    if (is_table(table, "kn_curve_def") && kni_node_kind_of(node) == KNI_NODE_SEQUENCE) {
        return read_array(loader, kn_def_field_find(table, "points"), node, def);
    }
    if (kni_node_is_null(node)) {
        return true;
    }
    if (kni_node_kind_of(node) != KNI_NODE_MAPPING) {
        kni_loader_node_error(loader, node, "expected the fields of a definition, but this is %s",
            kni_node_kind_name(node));
        return false;
    }
    kni_node name = kni_node_get(node, "name");
    if (kni_node_exists(name)) {
        kni_place place = kni_node_key_place(name);
        kni_loader_error(
            loader, &place, "there is no field `name` here; the name is the key above");
        return false;
    }
    bool is_word = is_table(table, "kn_effect_def") && read_effect_kind(node, def);
    return read_mapping(loader, table, node, def, is_word ? is_effect_key : is_body_key);
}
